r"""A histogram between the true and the predicted one: Algorithm 1 and what can be said of it.

The release is a point of the segment from the true histogram *x* to the prediction
:math:`\tilde\pi = \pi P`,

.. math:: x(\alpha) = (1 - \alpha)\, x + \alpha\, \tilde\pi ,

and Algorithm 1 takes steps in :math:`\alpha` until no gain exceeds :math:`e^\varepsilon`. At
:math:`\alpha = 1` the printed gain is 1 by definition, so the loop ends. Between, the largest
gain need not fall: with :math:`G_{ij}(\alpha) = C(\pi, x(\alpha)) - C(\pi - e_i, x(\alpha) -
e_j)`, a difference of two convex functions, the condition

.. math:: G_{ij}(\alpha) - G_{ij}(1) \le \varepsilon \qquad \text{for all } i, j

can hold, fail and hold again. Both costs are piecewise linear with breakpoints that the duals
find exactly, hence so are all feasible :math:`\alpha` and the smallest one, without a grid. For
an infinitesimal unit :math:`G_{ij}(\alpha)` is the least :math:`u_i + v_j` over the optimal
duals, which do not change between two breakpoints of *C*: the gain is a step function.

For the class MK with the natural prior the gain is :math:`x_j(\alpha) / \tilde\pi_j`, linear in
:math:`\alpha`, and with :math:`\rho = x / \tilde\pi`

.. math:: \alpha_{\min} = \max_{j:\, \rho_j > e^\varepsilon}
          \frac{\rho_j - e^\varepsilon}{\rho_j - 1}.

Two facts outside the algorithm's view. The true histogram is :math:`(x(\alpha) - \alpha
\tilde\pi) / (1 - \alpha)`, and few :math:`\alpha` make that a vector of whole numbers: `invert`.
And :math:`(X^u_t, \pi(t))` is a Markov chain, so over a day the gains about a person's path
multiply: `path_gain`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib import _checks as checks
from privlib.location import _segments as segments
from privlib.location import _validation as valid
from privlib.location import gain
from privlib.location.flow import InfeasibleError
from privlib.location.mechanism import Mechanism, event_level_mechanism, optimal_mechanism

__all__ = [
    "Mechanism",
    "NonTerminationError",
    "Release",
    "event_level_mechanism",
    "feasible_intervals",
    "invert",
    "optimal_mechanism",
    "path_gain",
    "prediction",
    "private_histogram",
]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Array = npt.NDArray[Any]
Gain = Callable[[npt.NDArray[Any]], float]

SLIPS = ("max", "prediction")
WHOLE = 1e-6  # a mass this near to an integer counts as whole
# Rounding moves a gain that meets its bound exactly: what the comparison forgives.
SLACK = 1e-9


class NonTerminationError(RuntimeError):
    """Algorithm 1 in its printed form would go on for ever.

    Attributes
    ----------
    histogram : ndarray, shape (L,)
        The last candidate that is a histogram.
    gain : float
        Its largest gain.
    """

    def __init__(self, message: str, histogram: FloatArray, gain: float) -> None:
        super().__init__(message)
        self.histogram = histogram
        self.gain = gain


@dataclass(frozen=True, eq=False)
class Release:
    r"""What Algorithm 1 publishes, and how it got there.

    Attributes
    ----------
    histogram : ndarray, shape (L,)
        The release :math:`\pi^*(t)`: real masses with the total *N*.
    alpha : float
        Weight of the prediction.
    gain : float
        Largest gain of the release.
    alphas : ndarray, shape (k,)
        Every weight that was tried.
    gains : ndarray, shape (k,)
        The largest gain of each.
    """

    histogram: FloatArray
    alpha: float
    gain: float
    alphas: FloatArray
    gains: FloatArray


def prediction(before: npt.ArrayLike, transition: Any) -> Array:
    r"""Return the predicted histogram :math:`\tilde\pi(t) = \pi(t-1) P`.

    Parameters
    ----------
    before : array_like, shape (L,)
        Histogram :math:`\pi(t-1)`, people or real masses.
    transition : array_like or sparse matrix, shape (L, L)
        Row-stochastic; fractions give fractions.

    Returns
    -------
    ndarray, shape (L,)
        The mean of the next histogram.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule.

    References
    ----------
    Section 3.2.1. Section 4.2 prints :math:`\pi(t)` in place of :math:`\pi(t-1)`.

    Examples
    --------
    >>> prediction([8, 2], [[0.1, 0.9], [0.9, 0.1]])
    array([2.6, 7.4])
    """
    P = valid.transition("prediction", transition)
    pi = valid.histogram("prediction", "before", before, size=P.shape[0], integer=False)
    return np.asarray(pi @ P)


def private_histogram(
    true: npt.ArrayLike,
    before: npt.ArrayLike,
    transition: Any,
    *,
    epsilon: float,
    step: float | None = None,
    adversary: str = "NPK",
    law: str = "printed",
    unit: str = "infinitesimal",
    as_printed: bool | Literal["max", "prediction"] = False,
) -> Release:
    r"""Return the release of Algorithm 1, or that of the smallest feasible weight.

    Parameters
    ----------
    true : array_like, shape (L,)
        The true histogram :math:`\pi(t)`.
    before : array_like, shape (L,)
        What the check takes for :math:`\pi(t-1)`: the true histogram for the class NPK, or the
        published one as Algorithm 1 says.
    transition : array_like or sparse matrix, shape (L, L)
        Row-stochastic.
    epsilon : float
        Level, non-negative.
    step : float, optional
        Step *s* in (0, 1). Without it, the smallest feasible weight, see `feasible_intervals`.
    adversary : {"NPK", "OPK", "MK"}
        Class of attackers.
    law : {"printed", "exact", "bridge"}
        Law of the gain, see `privlib.location.gain`. Candidates are real masses: the exact law
        exists for the class MK only, the bridge needs a step.
    unit : {"infinitesimal", "person"}
        Unit of the savings in the printed law.
    as_printed : bool or {"max", "prediction"}
        Two slips of the print, together or alone: the update :math:`\alpha \leftarrow
        \max(\alpha + s, 1)`, and the end point :math:`\pi(t) P`. The gain keeps the prediction of
        section 3.2.1. Needs a step.

    Returns
    -------
    Release
        The published histogram with its weight and its gain.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule; `law` or `as_printed` is combined with what it cannot be.
    UndefinedGainError
        A gain on the way is not defined, see `gain.gain_table`.
    NonTerminationError
        With `as_printed`: the printed loop would not end.

    Notes
    -----
    The last line of the loop, :math:`N \pi / \|\pi\|`, changes nothing in the 1-norm, because
    both ends have the total *N*; in the 2-norm the total would be wrong. It is left out.

    At a weight where a gain meets its bound exactly, rounding decides; gains are compared with
    :math:`e^\varepsilon (1 + 10^{-9})`.

    References
    ----------
    Algorithm 1, section 4.2.

    Examples
    --------
    >>> P = [[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/8, 3/8, 1/2]]
    >>> x, pi = [1, 2, 2], [2, 2, 1]
    >>> for step in (0.25, None):
    ...     found = private_histogram(x, pi, P, epsilon=0.5, step=step, unit="person")
    ...     print(round(found.alpha, 4), found.histogram.round(3), round(found.gain, 4))
    0.5 [1.312 1.938 1.75 ] 1.5869
    0.4587 [1.287 1.943 1.771] 1.6487
    """
    where = "private_histogram"
    pi, x, P = valid.pair(where, before, true, transition, integer=False, name="true")
    bound = _level(where, epsilon, adversary, law, unit)
    slips = _slips(where, as_printed)

    largest = _largest(pi, P, adversary, law, unit)
    if step is None:
        if slips:
            raise ValueError(f"{where}: as_printed needs a step, got {as_printed!r} without one")
        alpha = float(_feasible(where, x, pi, P, bound, adversary, law, unit)[0, 0])
        release = _between(x, _prediction(pi, P), alpha)
        top = largest(release)
        return Release(release, alpha, top, np.array([alpha]), np.array([top]))
    return _loop(where, x, pi, P, _step(where, step), bound, largest, slips)


def feasible_intervals(
    true: npt.ArrayLike,
    before: npt.ArrayLike,
    transition: Any,
    *,
    epsilon: float,
    adversary: str = "NPK",
    law: str = "printed",
    unit: str = "infinitesimal",
) -> FloatArray:
    r"""Return all weights of the prediction with which no gain exceeds :math:`e^\varepsilon`.

    Parameters
    ----------
    true, before, transition, epsilon, adversary, unit
        As for `private_histogram`.
    law : {"printed", "exact"}
        The exact law exists for the class MK only.

    Returns
    -------
    ndarray, shape (k, 2)
        Disjoint closed intervals in ascending order. The last one ends at 1.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule, or the law has no exact breakpoints.
    UndefinedGainError
        A gain on the way is not defined: a mass below one person for the unit ``"person"``, or
        a true histogram that nothing leads to.

    Notes
    -----
    The costs along the segment are convex and piecewise linear, and their breakpoints are where
    touching lines meet. A single weight between two infeasible stretches is not reported (but
    0 and 1 are): no rounded number keeps it. Breakpoints closer than :math:`10^{-10}` are one.

    References
    ----------
    The loop condition of Algorithm 1.

    Examples
    --------
    Four states, and two intervals:

    >>> import numpy as np
    >>> P = np.array([[2, 7, 2, 9], [13, 2, 1, 4], [5, 2, 7, 6], [1, 1, 5, 13]]) / 20
    >>> x, before = [6, 9, 8, 4], [6, 7, 6, 8]
    >>> feasible_intervals(x, before, P, epsilon=0.7, unit="person").round(4)
    array([[0.4745, 0.5251],
           [0.6125, 1.    ]])
    """
    where = "feasible_intervals"
    pi, x, P = valid.pair(where, before, true, transition, integer=False, name="true")
    bound = _level(where, epsilon, adversary, law, unit)
    return _feasible(where, x, pi, P, bound, adversary, law, unit)


def invert(
    published: npt.ArrayLike,
    before: npt.ArrayLike,
    transition: Any,
    *,
    step: float | None = None,
) -> list[tuple[float, IntArray]]:
    r"""Return every (weight, whole histogram) from which Algorithm 1 makes `published`.

    Parameters
    ----------
    published : array_like, shape (L,)
        The release :math:`\pi^*(t)`, not rounded.
    before : array_like, shape (L,)
        The histogram from which the prediction was made; with the published one for
        :math:`\pi(t-1)`, as Algorithm 1 has it, everybody knows it.
    transition : array_like or sparse matrix, shape (L, L)
        Row-stochastic.
    step : float, optional
        Step *s* in (0, 1), known to the attacker. Without it every weight in [0, 1) is possible.

    Returns
    -------
    list of (float, ndarray of int of shape (L,))
        By ascending weight. Empty if only the prediction itself remains (:math:`\alpha = 1`).

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule.

    Notes
    -----
    :math:`x = (\pi^* - \alpha \tilde\pi) / (1 - \alpha)` has to be a histogram of whole
    numbers, to :math:`10^{-6}`. With a step, all :math:`\alpha = ks < 1` are tried at once.
    Without, the true histogram lies on the ray from :math:`\tilde\pi` through :math:`\pi^*`, whose
    points with a whole number in the coordinate that changes most are at most *N* + 1. A second
    hit needs a coincidence among the digits of :math:`\tilde\pi`; rounding the release to whole
    numbers makes hits plentiful.

    Examples
    --------
    >>> P = [[0.61, 0.27, 0.12], [0.18, 0.65, 0.17], [0.14, 0.23, 0.63]]
    >>> found = private_histogram([12, 4, 4], [9, 6, 5], P, epsilon=0.5, step=0.05)
    >>> found.histogram.round(3)
    array([8.216, 6.784, 5.   ])
    >>> invert(found.histogram, [9, 6, 5], P, step=0.05)
    [(0.8, array([12,  4,  4]))]
    """
    where = "invert"
    s = None if step is None else _step(where, step)
    pi, release, P = valid.pair(
        where, before, published, transition, integer=False, name="published"
    )
    end = _prediction(pi, P)
    away = release - end
    if np.abs(away).max() <= WHOLE * 1e-3:
        return []
    if s is not None:
        alphas = np.arange(0, math.ceil(1 / s - SLACK)) * s
    else:
        j = int(np.abs(away).argmax())
        stretch = (np.arange(round(float(pi.sum())) + 1) - end[j]) / away[j]
        alphas = np.sort(1 - 1 / stretch[stretch >= 1 - SLACK])
    points = end + away / (1 - alphas)[:, None]
    whole = np.rint(points)
    good = (np.abs(points - whole) <= WHOLE).all(axis=1) & (whole >= 0).all(axis=1)
    return [(float(a), x) for a, x in zip(alphas[good], whole[good].astype(np.int64))]


def path_gain(
    paths: npt.ArrayLike, histograms: npt.ArrayLike, *, transition: Any, law: str = "exact"
) -> FloatArray:
    r"""Return the log gain about whole paths after each release of a day.

    Parameters
    ----------
    paths : array_like of int, shape (people, T + 1)
        States of the persons whose paths are guessed, at the times 0, …, T. The attacker knows
        the first one.
    histograms : array_like of int, shape (T + 1, L)
        The true histograms, all published.
    transition : array_like, shape (L, L)
        Row-stochastic.
    law : {"exact", "bridge"}
        How expected movements are computed; see `exact.expected_movement`.

    Returns
    -------
    ndarray, shape (people, T)
        :math:`\log P(x \mid X_0, \pi(0), \dots, \pi(t))` less :math:`\log P(x \mid X_0)`, with
        :math:`x = X_1 \dots X_t`.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule; a path leaves the states, takes a transition of probability
        0, or starts a step where the histogram has nobody.

    Notes
    -----
    Given :math:`\pi(t)`, the step after *t* depends on nothing before, so the posterior of a path
    is the product of :math:`E[a_{ij} \mid \pi(t), \pi(t+1)] / \pi_i(t)` along it, with the prior
    :math:`\prod P_{ij}`: the log gains of OPK add up. Later releases add nothing about the
    steps before *t*, given :math:`\pi(t)`. With published histograms in place of true ones there
    is no such chain.

    References
    ----------
    Section 3.2.2, over several releases.

    Examples
    --------
    >>> P = [[0.5, 0.5], [0.5, 0.5]]
    >>> np.exp(path_gain([[0, 1, 1]], [[2, 0], [0, 2], [1, 1]], transition=P))
    array([[2., 2.]])
    """
    where = "path_gain"
    P = valid.transition(where, transition)
    P = P.toarray() if sparse.issparse(P) else P
    states = len(P)
    table = np.asarray(histograms)
    if table.ndim != 2 or len(table) < 2:
        raise ValueError(
            f"{where}: histograms must have shape (T + 1, {states}) with T >= 1, "
            f"got shape {table.shape}"
        )
    steps = np.asarray(paths)
    if steps.dtype.kind not in "iu":
        raise TypeError(f"{where}: paths must hold integer states, got dtype {steps.dtype}")
    if steps.ndim != 2 or steps.shape[1] != len(table) or not len(steps):
        raise ValueError(
            f"{where}: paths must have shape (people, {len(table)}), got shape {steps.shape}"
        )
    if steps.min() < 0 or steps.max() >= states:
        raise ValueError(f"{where}: paths must hold states in 0..{states - 1}")
    valid.choice(where, "law", law, ("exact", "bridge"))
    gains = np.empty((len(steps), len(table) - 1))
    for t, (old, new) in enumerate(itertools.pairwise(table)):
        gains[:, t] = gain.gain_table(new, old, P, law=law)[steps[:, t], steps[:, t + 1]]
    if np.isnan(gains).any():
        u, t = np.argwhere(np.isnan(gains))[0]
        raise ValueError(
            f"{where}: the step of path {u} from {steps[u, t]} to {steps[u, t + 1]} at time {t} "
            "has no prior probability"
        )
    with np.errstate(divide="ignore"):  # a path that a histogram excludes has log gain -inf
        return np.cumsum(np.log(gains), axis=1)


def _level(where: str, epsilon: float, adversary: str, law: str, unit: str) -> float:
    """Check what a gain is compared with, and return its bound as a logarithm."""
    level = checks.non_negative(where, "epsilon", epsilon)
    valid.choice(where, "adversary", adversary, ("NPK", "OPK", "MK"))
    valid.choice(where, "law", law, ("printed", "exact", "bridge"))
    valid.choice(where, "unit", unit, ("infinitesimal", "person"))
    if law == "exact" and adversary != "MK":
        raise ValueError(
            f"{where}: law='exact' needs adversary='MK', since candidates are no whole "
            f"histograms, got {adversary!r}"
        )
    return level


def _step(where: str, step: Any) -> float:
    s = checks.real(where, "step", step)
    if not 0 < s < 1:
        raise ValueError(f"{where}: step must be in (0, 1), got {step!r}")
    return s


def _slips(where: str, as_printed: Any) -> tuple[str, ...]:
    if isinstance(as_printed, bool):
        return SLIPS if as_printed else ()
    return (valid.choice(where, "as_printed", as_printed, SLIPS),)


def _prediction(pi: Array, P: Any) -> FloatArray:
    """Return the prediction with the rounding of whole numbers removed, as the gain has it."""
    masses = np.asarray(pi @ valid.floats(P), dtype=np.float64)
    near = np.rint(masses)
    return np.where(np.abs(masses - near) <= SLACK * 1e-3 * np.maximum(1, near), near, masses)


def _between(x: Array, end: FloatArray, alpha: float) -> FloatArray:
    return end if alpha == 1 else (1 - alpha) * x + alpha * end


def _largest(pi: Array, P: Any, adversary: str, law: str, unit: str) -> Gain:
    """Return the function from a candidate to its largest gain."""

    def largest(candidate: Array) -> float:
        return float(gain.max_gain(candidate, pi, P, adversary=adversary, law=law, unit=unit))

    return largest


def _loop(
    where: str,
    x: Array,
    pi: Array,
    P: Any,
    step: float,
    level: float,
    largest: Gain,
    slips: tuple[str, ...],
) -> Release:
    """Return the release of Algorithm 1 with the given slips."""
    end = _prediction(x if "prediction" in slips else pi, P)
    bound = math.exp(level) * (1 + SLACK)
    candidate = x.astype(np.float64)
    alphas, gains = [0.0], [largest(candidate)]
    while gains[-1] > bound:
        alpha = _next(alphas[-1], len(alphas), step, slips)
        point = _between(x, end, alpha)
        stuck = alpha == alphas[-1] or (end == x).all()
        if stuck or (point < 0).any():
            raise NonTerminationError(
                f"{where}: the printed loop does not end: the candidate "
                f"{'stays where it is' if stuck else 'leaves the histograms'} with the gain "
                f"{gains[-1]:.6g}, more than {bound:.6g}",
                candidate,
                gains[-1],
            )
        candidate = point
        alphas.append(alpha)
        gains.append(largest(candidate))
    return Release(candidate, alphas[-1], gains[-1], np.array(alphas), np.array(gains))


def _next(alpha: float, turn: int, step: float, slips: tuple[str, ...]) -> float:
    """Return the weight of the next turn."""
    if "max" in slips:
        return max(alpha + step, 1.0)
    # Multiples of the step, not sums of it: ten tenths are 1.
    return 1.0 if turn * step > 1 - SLACK else turn * step


def _feasible(
    where: str, x: Array, pi: Array, P: Any, level: float, adversary: str, law: str, unit: str
) -> FloatArray:
    """Return the feasible weights, shape (k, 2)."""
    if law == "bridge":
        raise ValueError(f"{where}: law='bridge' has no exact breakpoints, give a step")
    end = _prediction(pi, P)
    if law == "exact":
        return _linear(where, x, end, level)
    P = valid.floats(P)
    dense = P.toarray() if sparse.issparse(P) else P
    curve = _Curves(where, pi.astype(np.float64), x.astype(np.float64), end, dense)
    try:
        if unit == "infinitesimal":
            return _steps(curve, level, _largest(pi, P, adversary, law, unit))
        return _persons(curve, level, adversary)
    except InfeasibleError as error:
        raise gain.UndefinedGainError(f"{error}: the gain is not defined") from error


def _linear(where: str, x: Array, end: FloatArray, level: float) -> FloatArray:
    """Return the feasible weights of the class MK under the exact law."""
    if ((end <= 0) & (x > 0)).any():
        raise gain.UndefinedGainError(f"{where}: true counts people where the prediction is 0")
    ratio = np.divide(x, end, out=np.ones(end.size), where=end > 0)
    far = ratio[ratio > math.exp(level)]
    return np.array([[((far - math.exp(level)) / (far - 1)).max(initial=0.0), 1.0]])


@dataclass(frozen=True, eq=False)
class _Curves:
    """Least costs along the segment from the true histogram to the prediction."""

    where: str
    before: FloatArray
    true: FloatArray
    end: FloatArray
    transition: FloatArray

    def cost(self, i: int | None = None, j: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Return breakpoints and values of C, with a person from i and j taken away.

        With *j* alone, a person is left unrouted at no cost.
        """
        states = np.arange(self.end.size)
        unrouted = i is None and j is not None
        cost = segments.weights(self.transition)
        cost = np.column_stack([cost, np.zeros(len(cost))]) if unrouted else cost
        extra = [1.0] if unrouted else []
        left = self.before - (states == i)
        slope = np.append(self.end - self.true, np.zeros(len(extra)))

        def line(alpha: float) -> segments.Line:
            right = _between(self.true, self.end, alpha) - (states == j)
            return segments.touching_line(self.where, left, np.append(right, extra), slope, cost)

        return segments.breakpoints(line)


def _steps(curve: _Curves, level: float, largest: Gain) -> FloatArray:
    """Return the feasible weights where the gain is a step function."""
    grid, _ = curve.cost()
    bound = math.exp(level) * (1 + SLACK)
    middle = (grid[:-1] + grid[1:]) / 2
    good = [largest(_between(curve.true, curve.end, alpha)) <= bound for alpha in middle]
    pieces = np.column_stack([grid[:-1], grid[1:]])[good]
    # The ends of the segment are exact histograms: they count even alone.
    ends = [[0.0, 0.0]] if largest(curve.true) <= bound else []
    return segments.merged(np.array([*ends, *pieces.tolist(), [1.0, 1.0]]))


def _persons(curve: _Curves, level: float, adversary: str) -> FloatArray:
    """Return the feasible weights for the saving of a whole person."""
    low = np.minimum(curve.true, curve.end)
    bad = np.flatnonzero((low < 1) & (np.maximum(curve.true, curve.end) > 0))
    if bad.size or ((curve.before > 0) & (curve.before < 1)).any():
        raise gain.UndefinedGainError(
            f"{curve.where}: between the true histogram and the prediction a state has a mass "
            'below one person to take away; use unit="infinitesimal"'
        )
    if adversary == "MK":
        pairs: list[tuple[int | None, int]] = [(None, int(j)) for j in np.flatnonzero(low)]
    else:
        prior = (curve.before[:, None] > 0) & (curve.transition > 0)
        pairs = [(int(i), int(j)) for i, j in np.argwhere(prior)]
    costs = [curve.cost(i, j) for i, j in pairs]
    base = curve.cost()
    grid = np.unique(np.concatenate([at for at, _ in (base, *costs)]))
    savings = np.interp(grid, *base) - np.array([np.interp(grid, *cost) for cost in costs])
    return segments.within(grid, savings - savings[:, -1:], level + SLACK)
