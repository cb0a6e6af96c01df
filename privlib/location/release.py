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

**The breakpoints.** A transportation problem whose right-hand side moves along the segment,

.. math:: C(\alpha) = \max \{ \pi^\top u + x(\alpha)^\top v : u_i + v_j \le w_{ij} \},

is a maximum of finitely many linear functions of :math:`\alpha`: convex and piecewise linear.
Every optimal dual gives a line that touches it from below. Where the lines of the two ends of an
interval meet, either the curve meets them too, and that is a breakpoint, or a new line has been
found.

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
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib import _checks as checks
from privlib._checks import Array, FloatArray
from privlib.location import _validation as valid
from privlib.location import exact, flow, gain

Gain = Callable[[Array], float]
Line = tuple[float, float]  # value and slope at a point
Curve = tuple[FloatArray, FloatArray]  # breakpoints and values
Guess = tuple[int | None, int, float]  # from, to, and a weight before which it is impossible

WHOLE = 1e-6  # a mass this near to an integer counts as whole
# Rounding moves a gain that meets its bound exactly: what the comparison forgives.
SLACK = 1e-9
TOLERANCE = 1e-12  # of a value, relative to the largest cost that the masses can have
BESIDE = 1e-6  # of the way to the prediction: near enough to a histogram on the border
APART = 1e-10  # bends that are nearer to each other or to an end are not told apart


@dataclass(frozen=True, eq=False)
class Release:
    r"""What Algorithm 1 publishes, and how it got there.

    Attributes
    ----------
    histogram : ndarray or Series, shape (L,)
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

    histogram: Any
    alpha: float
    gain: float
    alphas: FloatArray
    gains: FloatArray


def prediction(before: npt.ArrayLike, transition: Any) -> Any:
    r"""Return the predicted histogram :math:`\tilde\pi(t) = \pi(t-1) P`.

    Parameters
    ----------
    before : array_like or Series, shape (L,)
        Histogram :math:`\pi(t-1)`, people or real masses.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic; fractions give fractions.

    Returns
    -------
    ndarray or Series, shape (L,)
        The mean of the next histogram.

    References
    ----------
    Section 3.2.1. Section 4.2 prints :math:`\pi(t)` in place of :math:`\pi(t-1)`.

    Examples
    --------
    >>> prediction([8, 2], [[0.1, 0.9], [0.9, 0.1]])
    array([2.6, 7.4])
    """
    P, labels = valid.states_of("prediction", transition)
    pi = valid.histogram("prediction", "before", before, labels, whole=False)
    return checks.labelled(np.asarray(pi @ P), transition)


def private_histogram(
    before: npt.ArrayLike,
    true: npt.ArrayLike,
    *,
    transition: Any,
    epsilon: float,
    step: float | None = None,
    adversary: str = "NPK",
    law: str = "printed",
    unit: str = "person",
) -> Release:
    r"""Return the release of Algorithm 1, or that of the smallest feasible weight.

    Parameters
    ----------
    before : array_like or Series, shape (L,)
        What the check takes for :math:`\pi(t-1)`: the true histogram for the class NPK, or the
        published one as Algorithm 1 says.
    true : array_like or Series, shape (L,)
        The true histogram :math:`\pi(t)`.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic.
    epsilon : float
        Level, in 0..700.
    step : float, optional
        Step *s* in (0, 1). Without it, the smallest feasible weight, see `feasible_intervals`.
    adversary : {"NPK", "OPK", "MK"}
        Class of attackers.
    law : {"printed", "exact", "bridge"}
        Law of the gain, see `privlib.location.gain`. Candidates are real masses: the exact law
        exists for the class MK only, the bridge needs a step.
    unit : {"person", "infinitesimal"}
        Unit of the savings in the printed law: the paper's whole person, or an infinitely small
        share of one.

    Returns
    -------
    Release
        The published histogram with its weight and its gain.

    Raises
    ------
    ValueError
        `law` is combined with a class or a step that it cannot have.
    UndefinedGainError
        A gain on the way is not defined, see `gain.gain_table`.

    Notes
    -----
    Algorithm 1 without its slips: its update prints :math:`\max(\alpha + s, 1)`, its end point
    :math:`\pi(t) P`. The last line of its loop, :math:`N \pi / \|\pi\|`, changes nothing in the
    1-norm, because both ends have the total *N*; in the 2-norm the total would be wrong.

    At a weight where a gain meets its bound exactly, rounding decides; gains are compared with
    :math:`e^\varepsilon (1 + 10^{-9})`.

    References
    ----------
    Algorithm 1, section 4.2.

    Examples
    --------
    >>> P = [[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/8, 3/8, 1/2]]
    >>> options = {"transition": P, "epsilon": 0.5}
    >>> for step in (0.25, None):
    ...     found = private_histogram([2, 2, 1], [1, 2, 2], step=step, **options)
    ...     print(round(found.alpha, 4), found.histogram.round(3), round(found.gain, 4))
    0.5 [1.312 1.938 1.75 ] 1.5869
    0.4587 [1.287 1.943 1.771] 1.6487
    """
    where = "private_histogram"
    pi, x, P = valid.step(where, before, true, transition, whole=False, name="true")
    level = _level(where, epsilon, adversary, law, unit)
    largest = _largest(pi, P, adversary, law, unit)
    end = gain._predicted(pi, P)
    if step is None:
        alphas = [float(_feasible(where, x, pi, P, level, adversary, law, unit)[0, 0])]
        gains = [largest(_between(x, end, alphas[0]))]
    else:
        s, bound = _step(where, step), math.exp(level) * (1 + SLACK)
        alphas, gains = [0.0], [largest(x)]
        while gains[-1] > bound and alphas[-1] < 1:
            # Multiples of the step, not sums of it: ten tenths are 1.
            turn = len(alphas) * s
            alphas.append(1.0 if turn > 1 - SLACK else turn)
            gains.append(largest(_between(x, end, alphas[-1])))
    published = checks.labelled(_between(x, end, alphas[-1]), transition)
    return Release(published, alphas[-1], gains[-1], np.array(alphas), np.array(gains))


def bridge_histogram(
    before: npt.ArrayLike,
    true: npt.ArrayLike,
    *,
    transition: Any,
    epsilon: float,
    two_sided: bool = False,
) -> Release:
    r"""Return the first release on the bridge walk that meets the bound of the large-*N* gain.

    Parameters
    ----------
    before, true, transition, epsilon
        Those of `private_histogram`.
    two_sided : bool
        Let no gain fall below :math:`e^{-\varepsilon}` either.

    Returns
    -------
    Release
        Its `alpha` is the largest weight of the prediction in a connected part of the network,
        its `gain` the largest gain by the law ``"bridge"``; nothing is tried on the way.

    Raises
    ------
    UndefinedGainError
        No movement joins the histograms.

    Notes
    -----
    The bridge from :math:`\pi` to *x* is :math:`b_{ij} = \pi_i P_{ij} s_j / c_i` with
    :math:`c_i = \sum_k P_{ik} s_k`, so its gains are :math:`s_j / c_i`, and the prediction has
    :math:`s = 1`. Walk from *s* to 1 in these coordinates, :math:`s + v` for :math:`v \ge 0`.
    Then :math:`c` becomes :math:`c + v`: every gain moves monotonically towards 1, the condition
    :math:`s_j + v \le e^\varepsilon (c_i + v)` is linear, and the smallest *v* is

    .. math:: v = \max_{\pi_i P_{ij} > 0} \frac{(s_j - e^\varepsilon c_i)^+}{e^\varepsilon - 1} .

    Scales of *s* do not matter, so each connected part has a *v* of its own; the weight is
    :math:`\alpha = v / (1 + v)` where the mean of *c* over the people of the part is 1. From one
    source the walk is that of Algorithm 1.

    The bound is that of one release, for attackers who start from the histogram `before` that the
    walk starts from. The gain of class MK, :math:`\pi^*_j / \tilde\pi_j`, is then a mean of these
    gains: at most :math:`e^\varepsilon` for any number of people. That of NPK is the exact one of
    many people. With the published histogram of yesterday as `before`, class NPK, which knows the
    true one, may gain more. With the true one nothing is promised for class MK, which knows the
    published one, and the walk heads for :math:`\pi(t-1) P`, which tells :math:`\pi(t-1)` where
    *P* can be inverted. Like Algorithm 1 it takes the release for the truth: who knows how it is
    made can go back.

    References
    ----------
    Algorithm 1 with the Schroedinger bridge in place of equation (3).

    Examples
    --------
    >>> P = [[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/8, 3/8, 1/2]]
    >>> found = bridge_histogram([2, 2, 1], [1, 2, 2], transition=P, epsilon=0.25)
    >>> found.histogram.round(3), round(found.alpha, 4), round(found.gain, 4)
    (array([1.262, 1.946, 1.792]), 0.4103, 1.284)
    """
    where = "bridge_histogram"
    pi, x, P = valid.step(where, before, true, transition, whole=False, name="true")
    bound = math.exp(valid.level(where, epsilon))
    P = sparse.csr_array(valid.floats(P))
    end = gain._predicted(pi, P)
    parts = flow._Parts.make(pi, end, P=P)
    i, j, label = parts.i, parts.j, parts.label
    s, c = np.divide(x, end, out=np.ones(x.size), where=end > 0), np.ones(x.size)
    home = np.zeros((2, x.size), dtype=np.int64)  # the part of every source and every sink
    home[0, i] = home[1, j] = label
    try:
        if (np.abs(np.bincount(home[0], pi) - np.bincount(home[1], x)) > WHOLE).any():
            flow._movement(where, pi, x, P)
        for rows, columns, cost, *_ in parts.blocks():
            here = pi[rows], x[columns], end[columns], np.exp(-cost)
            s[columns], c[rows] = _coordinates(where, *here, 0 if two_sided else bound)
    except flow.InfeasibleError as error:
        raise gain.UndefinedGainError(f"{error}: the gain is not defined") from error
    over = s[j] - bound * c[i]
    if two_sided:
        over = np.maximum(over, c[i] - bound * s[j])
    need = np.zeros(1 + label.max())
    np.maximum.at(need, label, np.where(over > SLACK * c[i], over, 0.0))
    alphas = np.divide(need, need + bound - 1, out=np.zeros(need.size), where=need > 0)
    at = alphas[label]
    odds = ((1 - at) * s[j] + at) / ((1 - at) * c[i] + at)
    mixed = np.bincount(j, pi[i] * np.exp(-parts.cost) * odds, x.size)
    published = checks.labelled(np.where(alphas[home[1]] > 0, mixed, x), transition)
    alpha, top = float(alphas.max()), float(odds.max())
    return Release(published, alpha, top, np.array([alpha]), np.array([top]))


def _coordinates(
    where: str, pi: Array, x: Array, end: FloatArray, P: FloatArray, enough: float
) -> tuple[FloatArray, FloatArray]:
    """Return s and c of the bridge of a connected part, with the mean of c equal to 1.

    Where x forbids a possible transition, s is at infinity: then a histogram beside x stands for
    x, unless no gain is above `enough`.
    """
    rows, log_s, _ = exact._potentials(where, pi, x, P)
    if ((rows == 0) & (P > 0) & (x > 0)).any():
        odds = np.divide(rows, P, out=np.zeros(P.shape), where=P > 0)
        if odds.max() <= enough:
            return odds.max(axis=0), np.ones(pi.size)
        log_s = exact._potentials(where, pi, (1 - BESIDE) * x + BESIDE * end, P)[1]
    s = np.where(x > 0, np.exp(log_s - log_s.max()), 0.0)
    c = P @ s
    mean = pi @ c / pi.sum()
    return s / mean, c / mean


def feasible_intervals(
    before: npt.ArrayLike,
    true: npt.ArrayLike,
    *,
    transition: Any,
    epsilon: float,
    adversary: str = "NPK",
    law: str = "printed",
    unit: str = "person",
) -> FloatArray:
    r"""Return all weights of the prediction with which no gain exceeds :math:`e^\varepsilon`.

    Parameters
    ----------
    before, true, transition, epsilon, adversary, unit
        Those of `private_histogram`.
    law : {"printed", "exact"}
        The exact law exists for the class MK only.

    Returns
    -------
    ndarray, shape (k, 2)
        Ends of disjoint intervals in ascending order. The last one ends at 1. They are closed, but
        for the unit ``"person"`` a weight at which a guess appears (a state reaches one person, or
        the others can make the rest without her) is an end even where that guess is already too
        strong there.

    Raises
    ------
    ValueError
        The law has no exact breakpoints.
    UndefinedGainError
        A gain on the way is not defined: a mass below one person for the unit ``"person"``, or
        a true histogram that nothing leads to.

    Notes
    -----
    The costs along the segment are convex and piecewise linear, and their breakpoints are where
    touching lines meet. A single weight between two infeasible stretches is not reported (but
    0 and 1 are): no rounded number keeps it. So the first end reported may lie above the smallest
    feasible weight. Breakpoints closer than :math:`10^{-10}` are one.

    References
    ----------
    The loop condition of Algorithm 1.

    Examples
    --------
    Four states, and two intervals:

    >>> import numpy as np
    >>> P = np.array([[2, 7, 2, 9], [13, 2, 1, 4], [5, 2, 7, 6], [1, 1, 5, 13]]) / 20
    >>> before, x = [6, 7, 6, 8], [6, 9, 8, 4]
    >>> feasible_intervals(before, x, transition=P, epsilon=0.7).round(4)
    array([[0.4745, 0.5251],
           [0.6125, 1.    ]])
    """
    where = "feasible_intervals"
    pi, x, P = valid.step(where, before, true, transition, whole=False, name="true")
    level = _level(where, epsilon, adversary, law, unit)
    return _feasible(where, x, pi, P, level, adversary, law, unit)


def invert(
    before: npt.ArrayLike,
    published: npt.ArrayLike,
    *,
    transition: Any,
    step: float | None = None,
) -> list[tuple[float, Any]]:
    r"""Return every (weight, whole histogram) from which Algorithm 1 makes `published`.

    Parameters
    ----------
    before : array_like or Series, shape (L,)
        The histogram from which the prediction was made; with the published one for
        :math:`\pi(t-1)`, as Algorithm 1 has it, everybody knows it.
    published : array_like or Series, shape (L,)
        The release :math:`\pi^*(t)`, not rounded.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic.
    step : float, optional
        Step *s* in (0, 1), known to the attacker. Without it every weight in [0, 1) is possible.

    Returns
    -------
    list of (float, ndarray of int or Series, of shape (L,))
        By ascending weight. For the prediction itself, weight 0 and the prediction if that is
        whole, else none: with :math:`\alpha = 1` every truth is possible.

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
    >>> found = private_histogram([9, 6, 5], [12, 4, 4], transition=P, epsilon=0.5, step=0.05)
    >>> found.histogram.round(3)
    array([8.926, 6.262, 4.812])
    >>> invert([9, 6, 5], found.histogram, transition=P, step=0.05)
    [(0.65, array([12,  4,  4]))]
    """
    where = "invert"
    s = None if step is None else _step(where, step)
    pi, release, P = valid.step(where, before, published, transition, whole=False, name="published")
    end = gain._predicted(pi, P)
    away = release - end
    if np.abs(away).max() <= WHOLE * 1e-3:
        alphas: Array = np.zeros(1)
    elif s is not None:
        alphas = np.arange(0, math.ceil(1 / s - SLACK)) * s
    else:
        j = int(np.abs(away).argmax())
        stretch = (np.arange(round(float(pi.sum())) + 1) - end[j]) / away[j]
        alphas = np.sort(1 - 1 / stretch[stretch >= 1 - SLACK])
    points = end + away / (1 - alphas)[:, None]
    whole = np.rint(points)
    good = (np.abs(points - whole) <= WHOLE).all(axis=1) & (whole >= 0).all(axis=1)
    found = zip(alphas[good].tolist(), whole[good].astype(np.int64))
    return [(alpha, checks.labelled(x, transition)) for alpha, x in found]


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
    ValueError
        A path takes a transition of probability 0, or starts a step where the histogram has
        nobody.

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
    checks.choice(where, "law", law, ("exact", "bridge"))
    P = valid.states_of(where, transition)[0]
    table = checks.integers(where, "histograms", histograms, low=0, ndim=2)
    steps = checks.integers(where, "paths", paths, low=0, high=P.shape[0] - 1, ndim=2)
    if len(table) < 2 or not len(steps) or steps.shape[1] != len(table):
        raise ValueError(
            f"{where}: paths must have shape (people, T + 1) and histograms (T + 1, states), "
            f"T >= 1, got {steps.shape} and {table.shape}"
        )
    gains = np.column_stack(
        [
            gain.gain_table(old, new, transition=P, law=law)[steps[:, t], steps[:, t + 1]]
            for t, (old, new) in enumerate(itertools.pairwise(table))
        ]
    ).astype(np.float64)
    for u, t in np.argwhere(np.isnan(gains)):
        raise ValueError(
            f"{where}: the step of path {u} from {steps[u, t]} to {steps[u, t + 1]} at time {t} "
            "has no prior probability"
        )
    with np.errstate(divide="ignore"):  # a path that a histogram excludes has log gain -inf
        return np.cumsum(np.log(gains), axis=1)


def _level(where: str, epsilon: float, adversary: str, law: str, unit: str) -> float:
    """Check what a gain is compared with, and return its bound as a logarithm."""
    checks.choice(where, "adversary", adversary, gain.ADVERSARIES)
    checks.choice(where, "law", law, gain.LAWS)
    checks.choice(where, "unit", unit, gain.UNITS)
    if law == "exact" and adversary != "MK":
        raise ValueError(
            f"{where}: law='exact' needs adversary='MK': no candidate is whole, got {adversary!r}"
        )
    return valid.level(where, epsilon)


def _step(where: str, step: Any) -> float:
    return checks.bounded(
        where, "step", checks.real(where, "step", step), "be in (0, 1)", lambda s: 0 < s < 1
    )


def _between(x: Array, end: FloatArray, alpha: float) -> FloatArray:
    return end if alpha == 1 else (1 - alpha) * x + alpha * end


def _largest(pi: Array, P: Any, adversary: str, law: str, unit: str) -> Gain:
    """Return the function from a candidate to its largest gain."""
    table, labels = gain._table(pi, P, adversary, law, unit), range(pi.size)

    def largest(candidate: Array) -> float:
        x = valid.histogram("private_histogram", "candidate", candidate, labels, whole=False)
        return float(gain._largest(table(x)))

    return largest


def _feasible(
    where: str, x: Array, pi: Array, P: Any, level: float, adversary: str, law: str, unit: str
) -> FloatArray:
    """Return the feasible weights, shape (k, 2)."""
    if law == "bridge":
        raise ValueError(f"{where}: law='bridge' has no exact breakpoints, give a step")
    end = gain._predicted(pi, P)
    if law == "exact":  # of the class MK: linear
        if ((end <= 0) & (x > 0)).any():
            raise gain.UndefinedGainError(f"{where}: true counts people where the prediction is 0")
        ratio = np.divide(x, end, out=np.ones(end.size), where=end > 0)
        far = ratio[ratio > math.exp(level)]
        return np.array([[((far - math.exp(level)) / (far - 1)).max(initial=0.0), 1.0]])
    cost = flow._costs(valid.dense(P))
    walls, tiny = np.isinf(cost).astype(np.float64), flow.MASS / 4 * x.sum()

    def curve(i: int | None = None, j: int | None = None, start: float = 0.0) -> Curve:
        """Return breakpoints and values of C, with a person from i and j taken away.

        From the weight on, not below `start`, with which the others can make the candidate.
        """

        def line(alpha: float, prices: FloatArray = cost) -> Line:
            problem = flow._without(pi, _between(x, end, alpha), prices, i=i, j=j)
            value, v = flow._least_cost(where, *problem)
            return value, float((end - x) @ v[: x.size])

        # Who cannot be routed: a convex curve that is 0 from that weight on, so Newton's steps.
        while i is not None and walls.any() and start < 1 and (s := line(start, walls))[0] > tiny:
            start = min(start + s[0] / max(s[0], -s[1]), 1.0)
        return _breakpoints(line, start)

    try:
        if unit == "infinitesimal":
            along = partial(_between, x, end)
            return _steps(along, curve()[0], level, _largest(pi, P, adversary, law, unit))
        base = curve()
        curves = [curve(*guess) for guess in _persons(pi, x, end, adversary, cost)]
    except flow.InfeasibleError as error:
        raise gain.UndefinedGainError(f"{error}: the gain is not defined") from error
    grid = np.unique(np.concatenate([at for at, _ in (base, *curves)]))
    saved = np.interp(grid, *base) - np.array([np.interp(grid, *one) for one in curves])
    over = saved - saved[:, -1:]
    # Before its start a guess is impossible: gain 0.
    early = grid[:-1] < np.array([at[0] for at, _ in curves])[:, None]
    left, right = np.where(early, -np.inf, [over[:, :-1], over[:, 1:]])
    return _within(grid, left, right, level + SLACK)


def _steps(
    along: Callable[[float], Array], grid: FloatArray, level: float, largest: Gain
) -> FloatArray:
    """Return the feasible weights where the gain is a step function."""
    bound = math.exp(level) * (1 + SLACK)
    good = [largest(along(alpha)) <= bound for alpha in (grid[:-1] + grid[1:]) / 2]
    pieces = np.column_stack([grid[:-1], grid[1:]])[good]
    # The ends of the segment are exact histograms: they count even alone.
    ends = [[0.0, 0.0]] if largest(along(0.0)) <= bound else []
    return _merged(np.array([*ends, *pieces.tolist(), [1.0, 1.0]]))


def _persons(pi: Array, x: Array, end: FloatArray, adversary: str, cost: FloatArray) -> list[Guess]:
    """Return the guesses (from, to) and the weight from which a person is there, 1 at most."""
    gain._enough(1.0, before=pi, prediction=end)
    start = np.where(x < 1, (1 - x) / np.maximum(end - x, SLACK), 0.0)
    if adversary == "MK":
        return [(None, int(j), float(start[j])) for j in np.flatnonzero(start <= 1)]
    pairs = np.argwhere((pi[:, None] > 0) & np.isfinite(cost) & (start <= 1))
    return [(int(i), int(j), float(start[j])) for i, j in pairs]


def _breakpoints(line: Callable[[float], Line], start: float = 0.0) -> Curve:
    """Return the breakpoints in [start, 1], ends included, of a convex curve and its values there.

    `line` gives value and slope of a line that touches the curve from below.
    """
    ends = {start: line(start), 1.0: line(1.0)}
    scale = 1 + max(abs(value) + abs(slope) for value, slope in ends.values())
    found = {at: value for at, (value, _) in ends.items()}
    todo = [(start, 1.0)]
    while todo:
        lo, hi = todo.pop()
        (f, df), (g, dg) = ends[lo], ends[hi]
        if dg - df <= TOLERANCE * scale:
            continue
        at = (f - g + hi * dg - lo * df) / (dg - df)
        if not lo + APART < at < hi - APART:
            continue
        value, slope = line(at)
        found[at] = value
        if value > f + df * (at - lo) + TOLERANCE * scale:
            ends[at] = value, slope
            todo += [(lo, at), (at, hi)]
    grid = np.array(sorted(found))
    values = np.array([found[at] for at in grid])
    # Where a new line was found need not be a bend.
    bend = np.diff(np.diff(values) / np.diff(grid)) > 1e3 * TOLERANCE * scale
    keep = np.concatenate([[True], bend, [True]])[-grid.size :]  # one end, if start is 1
    return grid[keep], values[keep]


def _within(grid: FloatArray, left: FloatArray, right: FloatArray, bound: float) -> FloatArray:
    """Return where all of several piecewise linear curves are at most `bound`, shape (k, 2).

    `left` and `right`, shape (curves, pieces), are the heights at the ends of the pieces of the
    grid. Intervals that touch are one.
    """
    width = np.diff(grid)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = grid[:-1] + width * (bound - left) / (right - left)
    lo = np.where(left <= bound, grid[:-1], np.where(right <= bound, crossing, np.inf)).max(axis=0)
    hi = np.where(right <= bound, grid[1:], np.where(left <= bound, crossing, -np.inf)).min(axis=0)
    return _merged(np.column_stack([lo, hi])[lo <= hi])


def _merged(pieces: FloatArray) -> FloatArray:
    """Return sorted closed intervals with those that touch made one."""
    if not len(pieces):
        return pieces
    new = np.append(True, pieces[1:, 0] > pieces[:-1, 1] + 1e-12)
    return np.column_stack([pieces[new, 0], pieces[np.append(new[1:], True), 1]])
