r"""The noise of least error: a staircase instead of the Laplace law.

For a query with sensitivity :math:`\Delta` the density falls by the whole permitted factor
:math:`e^{\varepsilon}` at single points, one a sensitivity apart, and is flat between them. With
:math:`q = e^{-\varepsilon}`, a *step* :math:`\gamma` in [0, 1] and :math:`t = |x| / \Delta`,

.. math:: f(x) = \frac{1 - q}{2 \Delta (\gamma + q (1 - \gamma))} \cdot
          \begin{cases} q^{i}   & i \le t < i + \gamma, \\
                        q^{i+1} & i + \gamma \le t < i + 1. \end{cases}

An interval of length :math:`\Delta` meets at most one step of each side, and
:math:`f(x) / f(x + s) \le e^{\varepsilon}` for all :math:`|s| \le \Delta`, with equality at
:math:`s = \Delta`: the loss is exactly :math:`\varepsilon`. The mean absolute error is

.. math:: E|X| = \Delta \Bigl( \frac{q}{1 - q} +
          \frac{\gamma^2 + q (1 - \gamma^2)}{2 (\gamma + q (1 - \gamma))} \Bigr),

least at :math:`\gamma = 1 / (1 + e^{\varepsilon/2})`, where it is
:math:`\Delta e^{\varepsilon/2} / (e^{\varepsilon} - 1)`, the share
:math:`(\varepsilon/2) / \sinh(\varepsilon/2)` of the Laplace law's :math:`\Delta/\varepsilon`.

**Nothing is better.** Let *g* be the density of :math:`|X| / \Delta` for any noise whose two sides
are alike (a fair choice between *X* and *-X* makes them so, with the same error and no less
privacy; and private noise has a density), :math:`b = e^{\varepsilon}`, and *G* and *H* the
integrals of *g* and of *t g* over [0, 1). From :math:`g(t) \le b\,g(t + 1)` the mass and the
first moment beyond 1 are at least
:math:`G / (b - 1)` and :math:`(H + b (1 - G)) / (b - 1)`, so

.. math:: E|X| / \Delta \ge \frac{b}{b - 1} \Bigl( 1 - \int_0^1 (1 - t) g(t) \, dt \Bigr),
          \qquad G \le \frac{b - 1}{b}.

On [0, 1) *g* keeps within a factor *b* of its infimum *a*, so :math:`\int (\gamma - t) g` is at
most :math:`\frac a2 (b \gamma^2 - (1 - \gamma)^2)`, which is 0 at the best step. Hence
:math:`\int (1 - t) g \le (1 - \gamma) G`, and the bound is the staircase's error.

With :math:`\gamma = 1/2` it is the sum of discrete Laplace noise and a uniform number of
[-1/2, 1/2), times :math:`\Delta`: the noise of the best test, see `privlib.laplace.testing`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks


@dataclass(frozen=True, kw_only=True)
class Staircase:
    r"""Staircase noise for one number.

    Parameters
    ----------
    epsilon : float
        Level of differential privacy, in 1e-17..700.
    sensitivity : float
        :math:`L_1` sensitivity of the query, positive.
    step : float, optional
        Where in each unit the density falls, in [0, 1]; by default where the mean absolute error
        is least.

    Raises
    ------
    ValueError
        A number is not finite or out of its range.
    TypeError
        An argument is no real number.

    Notes
    -----
    The head of the module proves that no noise of the same privacy has a smaller mean absolute
    error. For other measures of the error other steps are best. The noise is double precision,
    for study: `privlib.laplace.discrete` shows what its low bits tell.

    References
    ----------
    Geng and Viswanath, The optimal noise-adding mechanism in differential privacy (2016).

    Examples
    --------
    At epsilon 3 the Laplace law has the error 1/3:

    >>> noise = Staircase(epsilon=3.0)
    >>> round(noise.error, 4), round(noise.step, 4)
    (0.2348, 0.1824)
    >>> noise.sample(3, rng=0).round(3)
    array([ 0.003,  0.148, -0.167])
    """

    epsilon: float
    sensitivity: float = 1.0
    step: float | None = None

    def __post_init__(self) -> None:
        eps = checks.positive("Staircase", "epsilon", self.epsilon)
        # At less the whole units of the noise, which numpy draws as int64, would be clipped.
        checks.bounded("Staircase", "epsilon", eps, "be in 1e-17..700", lambda e: 1e-17 <= e <= 700)
        size = checks.positive("Staircase", "sensitivity", self.sensitivity)
        checks.positive("Staircase", "sensitivity / epsilon", size / eps)
        step = 1 / (1 + math.exp(eps / 2)) if self.step is None else self.step
        step = checks.probability("Staircase", "step", step)
        vars(self).update(epsilon=eps, sensitivity=size, step=step)  # of other types: as floats

    @property
    def _shape(self) -> tuple[float, float, float]:
        """The step, the factor q, and the mass of a side over the height at its beginning."""
        gamma, q = self.step or 0.0, math.exp(-self.epsilon)
        return gamma, q, (gamma + q * (1 - gamma)) / -math.expm1(-self.epsilon)

    def _units(self, points: checks.FloatArray) -> checks.FloatArray:
        """Return distances from 0 in sensitivities; beyond 1e300, where no mass is, all alike."""
        return np.minimum(np.abs(points), 1e300 * self.sensitivity) / self.sensitivity

    @property
    def error(self) -> float:
        """Mean absolute error."""
        gamma, q, _ = self._shape
        inside = (gamma**2 + q * (1 - gamma**2)) / (2 * (gamma + q * (1 - gamma)))
        return float(self.sensitivity * (inside + 1 / math.expm1(self.epsilon)))

    def pdf(self, x: npt.ArrayLike) -> np.float64 | checks.FloatArray:
        """Return the density at the points `x`, shape (...)."""
        t, (gamma, _, mass) = self._units(checks.reals("Staircase.pdf", "x", x)), self._shape
        falls = np.floor(t) + (t % 1 >= gamma)
        return np.asarray(np.exp(-self.epsilon * falls) / (2 * self.sensitivity * mass))[()]

    def cdf(self, x: npt.ArrayLike) -> np.float64 | checks.FloatArray:
        """Return the probabilities that the noise is at most `x`, shape (...)."""
        points = checks.reals("Staircase.cdf", "x", x)
        t, (gamma, q, mass) = self._units(points), self._shape
        rest = np.maximum(gamma - t % 1, 0) + q * (1 - np.maximum(t % 1, gamma))
        beyond = (rest / mass + q) / 2 * np.exp(-self.epsilon * np.floor(t))
        return np.asarray(np.where(points < 0, beyond, 1 - beyond))[()]

    def sample(self, size: int | tuple[int, ...] | None = None, *, rng: Any = None) -> Any:
        """Return noise of shape `size` (``None``: one number) drawn from `rng` or its seed."""
        source = checks.generator("Staircase.sample", rng)
        (gamma, _, mass), fall = self._shape, -math.expm1(-self.epsilon)
        low, u = source.random(size) < gamma / (mass * fall), source.random(size)
        t = source.geometric(fall, size) - np.where(low, 1 - gamma * u, (1 - gamma) * u)
        noise = self.sensitivity * t * source.choice([-1.0, 1.0], size)
        return float(noise) if size is None else noise
