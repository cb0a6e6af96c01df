r"""The noise of least error: a staircase instead of the Laplace distribution.

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
:math:`(\varepsilon/2) / \sinh(\varepsilon/2)` of the Laplace distribution's
:math:`\Delta/\varepsilon`.

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
[-1/2, 1/2), times :math:`\Delta`: the noise of the best test, see `privlib.research.binomial_test`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety

LARGEST_SAMPLE = 10**9
"""So many numbers are drawn at once at most."""


@dataclass(frozen=True, kw_only=True)
class Staircase:
    r"""Staircase noise for one number.

    Parameters
    ----------
    epsilon : float
        Level of differential privacy, in 1e-17..700, or infinite: the noise is 0.
    sensitivity : float
        :math:`L_1` sensitivity of the query, at least 1e-290, and at most 1e300 times `epsilon`.
    step : float, optional
        Where in each unit the density falls, in [0, 1]; by default where the mean absolute error
        is least.

    Raises
    ------
    ValueError
        A number is not finite or out of its range.
    TypeError
        An argument is no real number.
    privlib.UncertifiedError
        The density, evaluated, does not keep the level.

    Notes
    -----
    The head of the module proves that no noise of the same privacy has a smaller mean absolute
    error. For other measures of the error other steps are best. What is made is checked: the
    density is evaluated on the first flats of both sides, and for any two that are within one
    sensitivity the ratio is compared with :math:`e^{\varepsilon}`; so is the whole mass with 1.

    **Not covered.** One number with independent noise is: a second answer adds its level. The
    samples are double precision, for study: `privlib.laplace.discrete` shows what low bits
    tell, and events rarer than about 1e-16, which the density has, do not occur among them.

    References
    ----------
    Geng and Viswanath, The optimal noise-adding mechanism in differential privacy (2016).

    Examples
    --------
    At epsilon 3 the Laplace distribution has the error 1/3:

    >>> noise = Staircase(epsilon=3.0)
    >>> round(noise.error, 4), round(noise.step, 4)
    (0.2348, 0.1824)
    >>> noise.sample(3).shape
    (3,)
    """

    epsilon: float
    sensitivity: float = 1.0
    step: float | None = None

    def __post_init__(self) -> None:
        eps = checks.privacy_level("Staircase", "epsilon", self.epsilon)
        private = not math.isinf(eps)
        if private:
            # At less the whole units of the noise, which numpy draws as int64, would be clipped.
            rule = "be in 1e-17..700"
            checks.bounded("Staircase", "epsilon", eps, rule, lambda e: 1e-17 <= e <= 700)
        size = checks.positive("Staircase", "sensitivity", self.sensitivity)
        rule = "be at least 1e-290"
        checks.bounded("Staircase", "sensitivity", size, rule, lambda v: v >= 1e-290)
        ratio = checks.non_negative("Staircase", "sensitivity / epsilon", size / eps)
        rule = "be at most 1e300"
        checks.bounded("Staircase", "sensitivity / epsilon", ratio, rule, lambda v: v <= 1e300)
        if self.step is not None:
            step = checks.probability("Staircase", "step", self.step)
        else:
            step = 1 / (1 + math.exp(eps / 2)) if private else 0.0
        vars(self).update(epsilon=eps, sensitivity=size, step=step)  # of other types: as floats
        if private:
            self._certify()

    def _certify(self) -> None:
        """Evaluate the density on all flats that are within a sensitivity of each other."""
        gamma, _, mass = self._shape
        flats = []
        for unit in range(3):
            for low, high in ((unit, unit + gamma), (unit + gamma, unit + 1.0)):
                if (low + high) / 2 not in (low, high):  # a flat, and not lost in rounding
                    flats += [(low, high), (-high, -low)]
        low, high = np.array(flats).T
        heights = self._height(np.abs(low + high) / 2)
        distance = np.maximum(low[:, None] - high, low - high[:, None])
        # Where a power of q is below the normal floats it has lost digits, and so has the height;
        # it is less than any event that occurs.
        normal = heights * (2 * mass) >= np.finfo(np.float64).tiny
        near = (distance < 1 - 1e-12) & normal & normal[:, None]
        logs = np.log(np.where(heights > 0, heights, 1))
        loss = np.where(near, logs[:, None] - logs, 0)
        rounding = 1e-15 * (1 + float(np.abs(logs).max()))
        promise = "the loss between answers one sensitivity apart"
        _safety.certify("Staircase", promise, loss, self.epsilon, unit=rounding)
        first = (low >= 0) & (high <= 1)
        whole = 2 * float((heights * (high - low))[first].sum())
        whole /= -math.expm1(-self.epsilon)
        _safety.certify("Staircase", "the distance of the mass from 1", abs(whole - 1), 1e-9)

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
        """Mean absolute error, in the units of the query; 0 for an infinite `epsilon`.

        Examples
        --------
        The Laplace distribution has the error 1/3 at epsilon 3, and it adds up with the
        sensitivity.

        >>> Staircase(epsilon=3.0).error, Staircase(epsilon=3.0, sensitivity=2.0).error
        (0.2348, 0.4696)
        """
        if math.isinf(self.epsilon):
            return 0.0
        gamma, q, _ = self._shape
        inside = (gamma**2 + q * (1 - gamma**2)) / (2 * (gamma + q * (1 - gamma)))
        return float(self.sensitivity * (inside + 1 / math.expm1(self.epsilon)))

    def pdf(self, x: npt.ArrayLike) -> np.float64 | checks.FloatArray:
        """Return the density at the points `x`.

        Parameters
        ----------
        x : array_like, shape (...)
            Values of the noise.

        Returns
        -------
        float64 or ndarray, shape (...)
            One density for each point.

        Raises
        ------
        ValueError
            `epsilon` is infinite: the noise is 0 and has no density. Or a density is beyond the
            floats.

        Examples
        --------
        One sensitivity farther out the density is half as large.

        >>> density = Staircase(epsilon=math.log(2)).pdf([0.2, 1.2, -1.2])
        >>> (density / density[0]).round(3)
        array([1. , 0.5, 0.5])
        """
        if math.isinf(self.epsilon):
            raise ValueError("Staircase.pdf: there is no density at epsilon = inf: the noise is 0")
        t = self._units(checks.reals("Staircase.pdf", "x", x))
        with np.errstate(over="ignore"):
            density = np.asarray(self._height(t) / self.sensitivity)
        if not np.isfinite(density).all():
            raise ValueError(
                "Staircase.pdf: the density must be within the range of floats, got more; ask for "
                "that of sensitivity 1"
            )
        return density[()]

    def _height(self, t: checks.FloatArray) -> checks.FloatArray:
        """Return the density at distances in sensitivities, of noise in sensitivities."""
        gamma, _, mass = self._shape
        falls = np.floor(t) + (t % 1 >= gamma)
        return np.asarray(np.exp(-self.epsilon * falls) / (2 * mass))

    def cdf(self, x: npt.ArrayLike) -> np.float64 | checks.FloatArray:
        """Return the probabilities that the noise is at most `x`.

        Parameters
        ----------
        x : array_like, shape (...)
            Values of the noise.

        Returns
        -------
        float64 or ndarray, shape (...)
            One probability for each point.

        Examples
        --------
        Beyond one sensitivity lies :math:`e^{-3} = 0.0498` of the noise, half of it on each side.

        >>> Staircase(epsilon=3.0).cdf([-1.0, 0.0, 1.0]).round(4)
        array([0.0249, 0.5   , 0.9751])
        """
        points = checks.reals("Staircase.cdf", "x", x)
        if math.isinf(self.epsilon):
            return np.where(points < 0, 0.0, 1.0)[()]
        t, (gamma, q, mass) = self._units(points), self._shape
        rest = np.maximum(gamma - t % 1, 0) + q * (1 - np.maximum(t % 1, gamma))
        beyond = (rest / mass + q) / 2 * np.exp(-self.epsilon * np.floor(t))
        return np.asarray(np.where(points < 0, beyond, 1 - beyond))[()]

    def sample(self, size: int | tuple[int, ...] | None = None, *, rng: Any = None) -> Any:
        """Return noise.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape; without it one number.
        rng : None, int or numpy.random.Generator
            Source of the noise, or its seed. Whoever can guess the seed can subtract the noise.

        Returns
        -------
        float or ndarray of float64
            Independent draws.

        Raises
        ------
        ValueError
            A side is negative, or there would be more than 10^9 numbers.
        TypeError
            `size` holds no integers, or `rng` is neither a generator nor a seed.

        Examples
        --------
        >>> noise = Staircase(epsilon=3.0)
        >>> draws = noise.sample(100_000, rng=np.random.default_rng(1))
        >>> round(float(abs(draws).mean()), 4), round(noise.error, 4)
        (0.2349, 0.2348)
        """
        where = "Staircase.sample"
        source = checks.generator(where, rng)
        sides = size if isinstance(size, tuple) else () if size is None else (size,)
        shape = tuple(checks.integer(where, "size", side, low=0) for side in sides)
        _safety.limit(where, "the size", math.prod(shape), LARGEST_SAMPLE)
        if math.isinf(self.epsilon):
            return 0.0 if size is None else np.zeros(shape)
        (gamma, _, mass), fall = self._shape, -math.expm1(-self.epsilon)
        low = source.random(shape) < gamma / (mass * fall)
        u = source.random(shape)
        t = source.geometric(fall, shape) - np.where(low, 1 - gamma * u, (1 - gamma) * u)
        noise = self.sensitivity * t * source.choice([-1.0, 1.0], shape)
        return float(noise) if size is None else noise
