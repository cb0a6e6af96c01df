r"""Exact leakage of a Laplace release on any finite joint law.

Let :math:`x = (x_1, \dots, x_n)` have a finite joint law, let :math:`f` be a real query and let
:math:`r = f(x) + \mathrm{Lap}(\lambda)` be released. What the adversary :math:`A(i, K)` compares
are the mixtures

.. math:: p(t \mid x_i, x_K) = \sum_v \Pr(f = v \mid x_i, x_K)\,
          \frac{1}{2\lambda} e^{-|t - v| / \lambda}

for two values of :math:`x_i`, and the leakage is the largest log ratio over
:math:`t, x_i, x_i', x_K`.

**The supremum over outputs is a maximum over finitely many.** Put
:math:`y = e^{t/\lambda}`. Between two neighbouring values of the query every such mixture is
:math:`A y + B / y` with :math:`A, B \ge 0`, so a ratio of two is a Moebius function of
:math:`y^2`: monotone. Below the smallest and above the largest value it is constant. Hence the
supremum sits at a value of the query.

**Several releases of one query.** Given :math:`f = v`, outputs :math:`t_1, \dots, t_k` have a
likelihood proportional to :math:`h(v) = e^{-\sum_j |t_j - v| / \lambda}`. Put
:math:`\kappa = k / \lambda`. As log *h* is concave and piecewise linear with slopes in
:math:`[-\kappa, \kappa]`, the measure :math:`\kappa^2 h - h''` is non-negative; and
:math:`e^{-\kappa |t - v|}` is, up to a factor, the Green function of
:math:`\kappa^2 - \partial^2`. Hence *h* is a mixture of kernels :math:`e^{-\kappa |t - v|}`, and
no ratio exceeds the largest one of a single release at :math:`\lambda / k`, which equal outputs
attain: *k* releases at :math:`\lambda` leak exactly what one at :math:`\lambda / k` leaks.

**More noise never leaks more.** The characteristic function of :math:`\mathrm{Lap}(\lambda)` is
:math:`1 / (1 + \lambda^2 t^2)`; for :math:`\lambda' > \lambda` and :math:`q = (\lambda/\lambda')^2`

.. math:: \frac{1}{1 + \lambda'^2 t^2} = \frac{1}{1 + \lambda^2 t^2}
          \left( q + \frac{1 - q}{1 + \lambda'^2 t^2} \right),

so the noisier release is the other one plus an independent variable: data processing.

**Conditions of probability zero.** The definition does not say what
:math:`\Pr(r \in S \mid x_i, x_K)` means when :math:`\Pr(x_i, x_K) = 0`. Two readings:
``"positive"`` conditions, so such pairs do not take part; ``"kernel"`` says that with nobody
unknown the law of *r* is the mechanism's own, whatever the probability of the data. If
:math:`x_1 = x_2` almost surely, then 1000 times their exclusive or, plus ``Lap(1)``, leaks 0 in
the first reading and 1000 in the second.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib.correlated import _validation as valid
from privlib.correlated._mixtures import Mixtures, conditionals, largest_log_ratio, noiseless

if TYPE_CHECKING:
    import sympy

FloatArray = npt.NDArray[np.float64]
Values = Sequence[Sequence[Any]]

READINGS = ("positive", "kernel")
_TIE = 1e-12  # two leakages that differ by less, relatively, are the same


class Adversary(NamedTuple):
    """The adversary that attacks `target` and knows the tuples in `known` (0-based, sorted)."""

    target: int
    known: tuple[int, ...]


@dataclass(frozen=True)
class WorstAdversary:
    """The largest leakage of a mechanism and an adversary that attains it.

    Attributes
    ----------
    target : int
        The tuple attacked, 0-based.
    known : tuple of int
        The tuples known.
    leakage : float
        The leakage, the BDP level of the mechanism.
    table : mapping from Adversary to float
        The leakage of all ``n * 2**(n - 1)`` adversaries.
    """

    target: int
    known: tuple[int, ...]
    leakage: float
    table: Mapping[Adversary, float] = field(repr=False)


def bdp_leakage(
    joint: npt.ArrayLike,
    target: int,
    known: Iterable[int] = (),
    *,
    scale: float | sympy.Expr,
    values: Values | None = None,
    weights: Sequence[Any] | None = None,
    query: npt.ArrayLike | None = None,
    conditions: str = "positive",
) -> float | sympy.Expr:
    r"""Return the exact leakage of one adversary under a Laplace release.

    Parameters
    ----------
    joint : array_like, shape (k_1, ..., k_n)
        ``joint[x_1, ..., x_n]``, the probability of each database. An object array (fractions,
        sympy numbers or expressions) asks for the closed form.
    target : int
        The tuple attacked, 0-based.
    known : iterable of int
        The tuples known.
    scale : float or sympy.Expr
        Scale of the Laplace noise. A sympy expression, such as ``1 / eps`` with a positive
        symbol, asks for the closed form.
    values : sequence of n sequences, optional
        ``values[i][a]`` is the number that the *a*-th value of tuple *i* stands for; default
        ``0, 1, ..., k_i - 1``.
    weights : sequence of n numbers, optional
        The query is ``sum(weights[i] * x_i)``; default the plain sum.
    query : array_like, shape (k_1, ..., k_n), optional
        Any query, by its value at each database; excludes `values` and `weights`.
    conditions : {"positive", "kernel"}
        Reading of conditions of probability zero, see the module.

    Returns
    -------
    float or sympy.Expr
        The leakage; 0 if no two values of the target can be compared. A closed form holds for
        every positive value of its symbols; it is a ``Max`` of logarithms if no single output is
        the worst for all of them (or if the probabilities carry symbols, which are taken as
        positive and whose order is not decided).

    Raises
    ------
    ValueError
        `joint` is empty, has a negative entry or does not sum to 1; `target` or `known` is out
        of range, `known` repeats a tuple or contains the target; `scale` is not positive, or so
        small that the query's range in units of it overflows; shapes do not fit; `query` comes
        with `values` or `weights`; `conditions` is unknown.
    TypeError
        An argument has entries that are not numbers; for a closed form, values of the query that
        are not rational (a float stands for its shortest decimal).

    Notes
    -----
    At each value of the query the mixtures of all values of the target are evaluated as
    log-sum-exp; the largest minus the smallest is the largest log ratio there. When the whole
    range of the query is small against `scale` the densities are close to one another and
    ``log1p`` of a sum of ``expm1`` keeps the relative precision.

    For a closed form ``y = exp(-unit / scale)`` with the largest unit of which all differences
    of the query are multiples, so every candidate is a rational function of y, and which of two
    is larger on 0 < y < 1 is decided by counting the real roots of a polynomial.

    The guarantee is for the joint law given; the leakage is not a bound for any other law.

    References
    ----------
    Yang, Sato, Nakagawa, Definition 4.1, equations (2), (4) and (6); Table 3.

    Examples
    --------
    Two positively correlated bits, noise for 0.1-differential privacy:

    >>> joint = [[0.49, 0.01], [0.01, 0.49]]
    >>> round(bdp_leakage(joint, 0, scale=10), 7), round(bdp_leakage(joint, 0, [1], scale=10), 7)
    (0.1959937, 0.1)

    >>> import sympy
    >>> eps = sympy.Symbol("eps", positive=True)
    >>> bdp_leakage(joint, 0, [1], scale=1 / eps)
    eps
    >>> closed = bdp_leakage(joint, 0, scale=1 / eps)
    >>> closed
    log((49 + exp(-eps))/(exp(-eps) + 49*exp(-2*eps)))
    """
    return _leakage(
        "bdp_leakage", joint, target, known, scale, values, weights, query, conditions, 1
    )


def composed_leakage(
    joint: npt.ArrayLike,
    target: int,
    known: Iterable[int] = (),
    *,
    scale: float | sympy.Expr,
    releases: int,
    values: Values | None = None,
    weights: Sequence[Any] | None = None,
    query: npt.ArrayLike | None = None,
    conditions: str = "positive",
) -> float | sympy.Expr:
    r"""Return the exact leakage of one adversary who sees several releases of one query.

    Parameters
    ----------
    joint, target, known, scale, values, weights, query, conditions
        As for `bdp_leakage`.
    releases : int
        Number of releases, with independent noise of the same scale.

    Returns
    -------
    float or sympy.Expr
        The leakage of all releases together.

    Raises
    ------
    ValueError, TypeError
        As for `bdp_leakage`; also if `releases` is not a positive integer.

    Notes
    -----
    Exactly the leakage of one release at ``scale / releases`` (see the module): no combination of
    different outputs is worse than equal ones. This needs Laplace noise of one scale and one
    query; releases of different queries are not covered.
    The leakage is not proportional to 1/scale, so it does not add up either: the noises are
    independent, but the same unknown tuples are behind all releases. What always holds is
    ``(n - len(known)) * releases`` times the level of differential privacy.

    Examples
    --------
    Two releases leak more than twice as much as one:

    >>> joint = [[0.01 * 0.999, 0.01 * 0.001], [0.99 * 0.9, 0.99 * 0.1]]
    >>> one, two = (composed_leakage(joint, 0, scale=1, releases=k) for k in (1, 2))
    >>> round(one, 6), round(2 * one, 6), round(two, 6)
    (1.156848, 2.313697, 2.48766)
    """
    count = checks.integer("composed_leakage", "releases", releases, low=1)
    return _leakage(
        "composed_leakage", joint, target, known, scale, values, weights, query, conditions, count
    )


def all_leakages(
    joint: npt.ArrayLike,
    *,
    scale: float,
    values: Values | None = None,
    weights: Sequence[float] | None = None,
    query: npt.ArrayLike | None = None,
    conditions: str = "positive",
    releases: int = 1,
) -> dict[Adversary, float]:
    """Return the leakage of every adversary.

    Parameters
    ----------
    joint, scale, values, weights, query, conditions, releases
        As for `composed_leakage`; always evaluated in floating point.

    Returns
    -------
    dict from Adversary to float
        One entry for each of the ``n * 2**(n - 1)`` adversaries, by target, then by the number of
        known tuples; an `Adversary` equals the plain pair ``(target, known)``.

    Raises
    ------
    ValueError, TypeError
        As for `composed_leakage`.

    References
    ----------
    Yang, Sato, Nakagawa, equation (5) and Section 5.1 (number of adversaries).

    Examples
    --------
    >>> table = all_leakages([[0.49, 0.01], [0.01, 0.49]], scale=10)
    >>> {(a.target, a.known): round(leak, 4) for a, leak in table.items()}
    {(0, ()): 0.196, (0, (1,)): 0.1, (1, ()): 0.196, (1, (0,)): 0.1}
    """
    where = "all_leakages"
    arrays = _arrays(where, joint, values, weights, query)
    count = checks.integer(where, "releases", releases, low=1)
    lam = _scale(where, scale, arrays[1]) / count
    return {
        who: largest_log_ratio(slices, lam)
        for who, slices in _adversaries(where, *arrays, conditions)
    }


def worst_adversary(
    joint: npt.ArrayLike,
    *,
    scale: float,
    values: Values | None = None,
    weights: Sequence[float] | None = None,
    query: npt.ArrayLike | None = None,
    conditions: str = "positive",
    releases: int = 1,
) -> WorstAdversary:
    """Return the BDP level of a Laplace release and an adversary that attains it.

    Parameters
    ----------
    joint, scale, values, weights, query, conditions, releases
        As for `all_leakages`.

    Returns
    -------
    WorstAdversary
        The largest leakage, who attains it, and the table of all. Among equals (to a relative
        1e-12) the first target with the fewest known tuples is named.

    Raises
    ------
    ValueError, TypeError
        As for `composed_leakage`.

    References
    ----------
    Yang, Sato, Nakagawa, Definition 4.1, equation (5).

    Examples
    --------
    With negative correlation the strong adversary is the worst:

    >>> worst_adversary([[0.01, 0.49], [0.49, 0.01]], scale=10)
    WorstAdversary(target=0, known=(1,), leakage=0.1)
    """
    table = all_leakages(
        joint,
        scale=scale,
        values=values,
        weights=weights,
        query=query,
        conditions=conditions,
        releases=releases,
    )
    top = max(table.values())
    who = next(a for a, leak in table.items() if leak >= top * (1 - _TIE))
    return WorstAdversary(who.target, who.known, table[who], table)


def dp_level(
    joint_or_shape: npt.ArrayLike | tuple[int, ...],
    *,
    scale: float,
    values: Values | None = None,
    weights: Sequence[float] | None = None,
    query: npt.ArrayLike | None = None,
) -> float:
    """Return the level of ordinary differential privacy of a Laplace release.

    Parameters
    ----------
    joint_or_shape : array_like, shape (k_1, ..., k_n), or tuple of int
        The joint law or just its shape ``(k_1, ..., k_n)``, as a tuple; probabilities do not
        matter here.
    scale, values, weights, query
        As for `bdp_leakage`.

    Returns
    -------
    float
        The largest change of the query when one tuple changes, divided by `scale`. All
        databases of the product domain take part.

    Raises
    ------
    ValueError, TypeError
        As for `bdp_leakage`.

    References
    ----------
    Yang, Sato, Nakagawa, Definition 3.1, equation (1).

    Examples
    --------
    >>> dp_level((2, 2), scale=10), dp_level((2, 3), scale=10)
    (0.1, 0.2)
    """
    where = "dp_level"
    if isinstance(joint_or_shape, tuple) and all(isinstance(k, int) for k in joint_or_shape):
        shape: tuple[int, ...] = joint_or_shape
        if min(shape, default=0) < 1:
            raise ValueError(f"{where}: shape must hold integers >= 1, got {shape}")
    else:
        shape = valid.joint_distribution(where, joint_or_shape).shape
    table = valid.query_table(where, shape, values=values, weights=weights, query=query)
    lam = _scale(where, scale, table)
    return float(max(np.ptp(table, axis=axis).max() for axis in range(table.ndim)) / lam)


def noise_scale(
    joint: npt.ArrayLike,
    *,
    epsilon: float,
    values: Values | None = None,
    weights: Sequence[float] | None = None,
    query: npt.ArrayLike | None = None,
    conditions: str = "positive",
    releases: int = 1,
) -> float:
    r"""Return the smallest scale at which a Laplace release is `epsilon`-BDP.

    Parameters
    ----------
    joint, values, weights, query, conditions, releases
        As for `all_leakages`.
    epsilon : float
        The largest leakage allowed, positive.

    Returns
    -------
    float
        The scale, at most a relative 1e-11 above the smallest one and never below it as far as
        floating point can tell; 0 if even the query itself, without noise, leaks at most
        `epsilon`.

    Raises
    ------
    ValueError, TypeError
        As for `all_leakages`; also if `epsilon` is not positive.

    Notes
    -----
    The leakage does not increase with the scale (see the module), so the root is bracketed: no
    adversary exceeds the range of the query divided by the scale, and as the scale tends to 0 the
    leakage tends to that of the query itself, a log ratio of probabilities or infinity. It is not
    proportional to 1/scale, so scaling the noise by the excess does not do.

    References
    ----------
    Yang, Sato, Nakagawa, Section 4.2.3, where a smaller noise parameter is looked for.

    Examples
    --------
    >>> round(noise_scale([[0.49, 0.01], [0.01, 0.49]], epsilon=0.1), 5)
    19.59984
    """
    from scipy.optimize import brentq  # a third of the import time, and needed here only

    where = "noise_scale"
    eps = checks.positive(where, "epsilon", epsilon)
    count = checks.integer(where, "releases", releases, low=1)
    arrays = _arrays(where, joint, values, weights, query)
    every = [slices for _, slices in _adversaries(where, *arrays, conditions)]

    def excess(log_scale: float) -> float:
        return max(largest_log_ratio(slices, math.exp(log_scale)) for slices in every) - eps

    span = float(np.ptp(arrays[1]))
    if max(noiseless(slices) for slices in every) <= eps:
        return 0.0
    high = low = math.log(span) - math.log(eps)
    while excess(low) <= 0:
        low -= 1.0
    if low == high:  # the group bound is attained, up to rounding
        return count * math.exp(high)
    root = brentq(excess, low, high, xtol=1e-13, rtol=1e-15)
    while excess(root) > 0:
        root += 2.0**-41 * max(1.0, abs(root))
    return count * math.exp(min(root, high))


def posterior(
    joint: npt.ArrayLike,
    target: int,
    known_values: Mapping[int, int],
    output: float,
    *,
    scale: float,
    values: Values | None = None,
    weights: Sequence[float] | None = None,
    query: npt.ArrayLike | None = None,
) -> FloatArray:
    r"""Return what an adversary believes about the target after the release.

    Parameters
    ----------
    joint, target, scale, values, weights, query
        As for `bdp_leakage`; always evaluated in floating point.
    known_values : mapping from int to int
        For each known tuple the position of its value on the tuple's axis of `joint`.
    output : float
        The number released.

    Returns
    -------
    numpy.ndarray, shape (k_target,)
        The probability of each value of the target.

    Raises
    ------
    ValueError
        As for `bdp_leakage`; also if the known values have probability zero.
    TypeError
        As for `bdp_leakage`.

    Notes
    -----
    By Bayes the change of the log odds of two values is the log ratio of the densities at the
    output, so its supremum is the leakage.

    References
    ----------
    Yang, Sato, Nakagawa, Section 4.4.

    Examples
    --------
    The prior odds 1 : 1 become 0.55 : 0.45 when the released number is 0 or less:

    >>> posterior([[0.49, 0.01], [0.01, 0.49]], 0, {}, 0, scale=10).round(4)
    array([0.5488, 0.4512])
    """
    where = "posterior"
    law, table = _arrays(where, joint, values, weights, query)
    lam = _scale(where, scale, table)
    given = valid.known_values(where, law.shape, known_values)
    i, _, _ = valid.adversary(where, law.ndim, target, tuple(given))
    t = checks.real(where, "output", output)
    cell = tuple(given.get(axis, slice(None)) for axis in range(law.ndim))
    before = sum(axis not in given for axis in range(i))
    prob = np.moveaxis(law[cell], before, 0).reshape(law.shape[i], -1)
    value = np.moveaxis(table[cell], before, 0).reshape(law.shape[i], -1)
    if not prob.any():
        raise ValueError(f"{where}: known_values have probability zero, got {dict(known_values)!r}")
    exponent = np.where(prob > 0, -np.abs(t - value) / lam, -np.inf)
    mass = (prob * np.exp(exponent - exponent.max())).sum(axis=1)
    return np.asarray(mass / mass.sum())


def _wants_closed_form(joint: Any, scale: Any) -> bool:
    """Tell whether an argument is exact, without importing sympy."""
    package = sys.modules.get("sympy")
    if package is not None and isinstance(scale, package.Basic):
        return True
    try:
        return np.asarray(joint).dtype == np.dtype(object)
    except ValueError:  # ragged: the numeric route says so
        return False


def _leakage(
    where: str,
    joint: Any,
    target: Any,
    known: Any,
    scale: Any,
    values: Any,
    weights: Any,
    query: Any,
    conditions: Any,
    releases: int,
) -> Any:
    """Dispatch between floating point and closed form."""
    valid.choice(where, "conditions", conditions, READINGS)
    if _wants_closed_form(joint, scale):
        from privlib.correlated import _closed_form  # here: sympy takes time to import

        return _closed_form.leakage(
            where,
            joint,
            target,
            known,
            scale=scale,
            table={"values": values, "weights": weights, "query": query},
            kernel=conditions == "kernel",
            releases=releases,
        )
    law, table = _arrays(where, joint, values, weights, query)
    who = valid.adversary(where, law.ndim, target, known)
    lam = _scale(where, scale, table)
    return largest_log_ratio(
        conditionals(law, table, *who, kernel=conditions == "kernel"), lam / releases
    )


def _arrays(
    where: str, joint: Any, values: Any, weights: Any, query: Any
) -> tuple[FloatArray, FloatArray]:
    """Return the checked joint law and the query's value at each of its cells."""
    law = valid.joint_distribution(where, joint)
    return law, valid.query_table(where, law.shape, values=values, weights=weights, query=query)


def _scale(where: str, scale: Any, table: FloatArray) -> float:
    """Return a scale in which the range of the query can be expressed."""
    lam = checks.positive(where, "scale", scale)
    if float(np.ptp(table)) > lam * (sys.float_info.max / 1e6):
        raise ValueError(
            f"{where}: scale must not be so small that the query's range overflows, got {lam}"
        )
    return lam


def _adversaries(
    where: str, law: FloatArray, table: FloatArray, conditions: Any
) -> Iterator[tuple[Adversary, Mixtures | None]]:
    """Yield every adversary with the laws that it compares."""
    kernel = valid.choice(where, "conditions", conditions, READINGS) == "kernel"
    for i in range(law.ndim):
        others = [j for j in range(law.ndim) if j != i]
        for size in range(law.ndim):
            for known in combinations(others, size):
                unknown = tuple(j for j in others if j not in known)
                yield (
                    Adversary(i, known),
                    conditionals(law, table, i, known, unknown, kernel=kernel),
                )
