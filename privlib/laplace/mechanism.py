r"""The Laplace mechanism as a decorator of a query.

A mechanism takes a query and a database and answers at random. Read as a function of the query
alone, it returns a function of the database: what programmers call a decorator,

.. math:: m_{\varepsilon, \Delta} : q \mapsto
          \bigl( D \mapsto q(D) + r \bigr), \qquad
          r_i \sim \mathrm{Lap}(\Delta / \varepsilon) \text{ independent}.

For neighbouring databases and every output *y* the densities obey

.. math:: \frac{p(y \mid D)}{p(y \mid D')}
          = \exp\Bigl( \frac{\varepsilon}{\Delta}
            \bigl( \|y - q(D')\|_1 - \|y - q(D)\|_1 \bigr) \Bigr)
          \le e^{\varepsilon \|q(D) - q(D')\|_1 / \Delta} \le e^{\varepsilon},

by the triangle inequality, if :math:`\Delta` really is the :math:`L_1` sensitivity of the query
as a whole. That is a property of the query on all databases, which no run can check: who
decorates vouches for it. The mean of *n* numbers has the sensitivity :math:`(b - a)/n` where
every number lies in :math:`[a, b]`, and none where the numbers have no bound.

The noise is double precision. The low bits of such an answer tell more than the density says;
`privlib.laplace.discrete` shows how much and has the noise for real releases.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy.typing as npt

from privlib import _checks as checks
from privlib.laplace import accuracy

D = TypeVar("D")


class ToleranceWarning(UserWarning):
    """A mechanism exceeds its stated tolerance too often."""


@dataclass(frozen=True, eq=False)
class LaplaceMechanism(Generic[D]):
    r"""A query that answers with Laplace noise; made by `laplace`.

    Attributes
    ----------
    query : callable
        The query, from a database to a number or an array; also ``__wrapped__``.
    epsilon : float
        Level of privacy.
    sensitivity : float
        :math:`L_1` sensitivity of the query.
    dimension : int or None
        Number of coordinates of the answer; ``None`` accepts every shape.
    norm : {"l1", "linf"}
        How the error of several coordinates is measured.

    Notes
    -----
    `error_probability` and `tolerance_for` speak of the error of the answer in `norm`. Where the
    dimension is not declared they speak of each coordinate alone, in which reading the printed
    theorem is exact.
    """

    query: Callable[[D], npt.ArrayLike] = field(repr=False)
    epsilon: float
    sensitivity: float
    dimension: int | None = None
    norm: str = "l1"

    def __call__(self, database: D, *, rng: Any = None) -> Any:
        """Return the query's answer on `database` with noise from `rng`.

        Parameters
        ----------
        database : object
            What the query takes.
        rng : None, int or numpy.random.Generator
            Source of the noise, or its seed. A seed that somebody can guess is no privacy.

        Returns
        -------
        float, ndarray or pandas object
            The noisy answer, in the shape and with the labels of the query's answer.

        Raises
        ------
        ValueError
            The answer is not finite, or has not the declared number of coordinates.
        TypeError
            `rng` is neither a generator nor a seed, or the answer does not hold real numbers.
        """
        rng = checks.generator("laplace", rng)
        name = f"the answer of {getattr(self, '__name__', 'the query')}"
        true = self.query(database)
        answer = checks.reals("laplace", name, true)
        if self.dimension is not None and answer.size != self.dimension:
            raise ValueError(
                f"laplace: {name} must have the declared dimension {self.dimension}, "
                f"got shape {answer.shape}"
            )
        noisy = answer + rng.laplace(0.0, self.scale, answer.shape)
        return checks.labelled(noisy, true) if answer.ndim else float(noisy)

    @property
    def scale(self) -> float:
        """Scale of the noise, sensitivity / epsilon."""
        return self.sensitivity / self.epsilon

    @property
    def _law(self) -> dict[str, Any]:
        """What the accuracy depends on, besides epsilon."""
        size = self.dimension or 1
        return {"sensitivity": self.sensitivity, "dimension": size, "norm": self.norm}

    def error_probability(self, tolerance: npt.ArrayLike) -> accuracy.Result:
        """Return the probability that the error exceeds `tolerance`, see `accuracy`."""
        return accuracy.error_probability(tolerance, epsilon=self.epsilon, **self._law)

    def tolerance_for(self, delta: npt.ArrayLike) -> accuracy.Result:
        """Return the tolerance that the error exceeds with probability `delta`."""
        return accuracy.tolerance_for(delta, epsilon=self.epsilon, **self._law)

    def epsilon_for(self, tolerance: npt.ArrayLike, delta: npt.ArrayLike) -> accuracy.Result:
        """Return the epsilon with which `tolerance` is exceeded with probability `delta`."""
        return accuracy.epsilon_for(tolerance, delta, **self._law)


def laplace(
    *,
    epsilon: float,
    sensitivity: float,
    tolerance: float | None = None,
    level: float = 0.05,
    dimension: int | None = None,
    norm: str = "l1",
) -> Callable[[Callable[[D], npt.ArrayLike]], LaplaceMechanism[D]]:
    r"""Return a decorator that makes an epsilon-private mechanism of a query.

    Parameters
    ----------
    epsilon : float
        Level of differential privacy, positive; infinite for no noise and no privacy.
    sensitivity : float
        :math:`L_1` sensitivity of the query, at least 0; 0 for a query that depends on no record,
        which needs no noise.
    tolerance : float, optional
        Error that the user can live with. If it is exceeded with a probability above `level`,
        decorating warns.
    level : float
        Probability above which there is a warning, in (0, 1).
    dimension : int, optional
        Number of coordinates of the answer. Without it every shape is accepted, and the accuracy
        is that of each coordinate.
    norm : {"l1", "linf"}
        Error of several coordinates: the sum, or the largest, of the absolute errors.

    Returns
    -------
    callable
        Takes a query and returns its `LaplaceMechanism`, which keeps the query's name,
        documentation and ``__wrapped__``.

    Raises
    ------
    ValueError
        A number is not positive (`sensitivity`: negative) or, `epsilon` apart, not finite; `level`
        is not in (0, 1), `norm` is unknown, or the scale is not in the range of floats.
    TypeError
        An argument is no number, or what is decorated cannot be called.

    Warns
    -----
    ToleranceWarning
        The tolerance is exceeded with a probability above `level`; the message says with which,
        and the epsilon that would do.

    Notes
    -----
    The probability depends on no data, so the warning costs no privacy. It does not know the
    range of the query: a tolerance of half the range needs no data at all.
    With the scale 0 (infinite `epsilon`, or `sensitivity` 0) the answer is the query's own.

    References
    ----------
    Study note, appendix (the mechanism as a decorator) and chapter 8, end (the warning).

    Examples
    --------
    >>> import numpy as np
    >>> @laplace(epsilon=1.0, sensitivity=1 / 4)
    ... def mean(database):
    ...     "Mean of four numbers in [0, 1]."
    ...     return np.mean(database)
    >>> mean.scale, float(mean.error_probability(0.5).round(4))
    (0.25, 0.1353)
    >>> round(mean([0.2, 0.4, 0.9, 0.5], rng=1), 4)
    0.506
    >>> mean.__name__, mean.__doc__
    ('mean', 'Mean of four numbers in [0, 1].')
    """
    endless = isinstance(epsilon, float) and epsilon == float("inf")
    eps = epsilon if endless else checks.positive("laplace", "epsilon", epsilon)
    size = checks.non_negative("laplace", "sensitivity", sensitivity)
    rare = checks.real("laplace", "level", level)
    checks.bounded("laplace", "level", rare, "be in (0, 1)", lambda x: 0 < x < 1)
    count = None if dimension is None else checks.integer("laplace", "dimension", dimension, low=1)
    checks.choice("laplace", "norm", norm, accuracy.NORMS)
    if size and not endless:
        checks.positive("laplace", "sensitivity / epsilon", size / eps)
    limit = None if tolerance is None else checks.positive("laplace", "tolerance", tolerance)

    def decorate(query: Callable[[D], npt.ArrayLike]) -> LaplaceMechanism[D]:
        if not callable(query):
            raise TypeError(f"laplace: the query must be callable, got {query!r}")
        mechanism = LaplaceMechanism(query, eps, size, count, norm)
        # The query's own attributes stay with it: a mechanism's would overwrite the fields.
        mechanism.__dict__["__wrapped__"] = query
        for name in filter(lambda a: hasattr(query, a), functools.WRAPPER_ASSIGNMENTS):
            mechanism.__dict__[name] = getattr(query, name)
        if limit is not None and (found := mechanism.error_probability(limit)) > rare:
            warnings.warn(
                f"laplace: P(error > {limit:g}) = {found:.4g} exceeds {rare:g} at epsilon = "
                f"{eps:g}; epsilon = {mechanism.epsilon_for(limit, rare):.4g} would do",
                ToleranceWarning,
                stacklevel=2,
            )
        return mechanism

    return decorate
