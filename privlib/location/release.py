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
\tilde\pi) / (1 - \alpha)`, and few :math:`\alpha` make that a vector of whole numbers:
`reconstruct_true`. And :math:`(X^u_t, \pi(t))` is a Markov chain, so over a day the gains about a
person's path multiply: `path_gain`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse, special
from scipy.sparse import csgraph

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, FloatArray, IntArray
from privlib.location import exact, flow, gain
from privlib.location import validation as valid

Params = ParamSpec("Params")
Result = TypeVar("Result")
Gain = Callable[..., float]
Line = tuple[float, float]  # value and slope at a point
Curve = tuple[FloatArray, FloatArray]  # breakpoints and values
Guess = tuple[int | None, int, float]  # from, to, and a weight before which it is impossible

EPS = float(np.finfo(np.float64).eps)
WHOLE = 1e-6  # a number of people this near to an integer counts as whole
BRIDGE = 1e-11  # rounding of the logarithm of a bridge's gain
SLACK = 1e-9  # of a level: what comparing a gain with its bound forgives, besides rounding
TOLERANCE = 1e-12  # of a value, relative to the largest cost that the masses can have
# A histogram on the border lends every source and every sink this share of itself: it is beside.
BESIDE = 1e-6
APART = 1e-10  # bends that are nearer to each other or to an end are not told apart
# How far inside of an end that was computed a weight is tried until its gain keeps the bound.
INWARD = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9)
# For the infinitesimal unit, whose gain jumps at an end: there, or further in than bends are told
# apart.
CLEAR = (0.0, 5e-10, 5e-9)
RESOLVED = 1e-6  # how well masses in floats determine the bridge that `certify` computes anew
STEPS = 1_000_000  # of Algorithm 1
QUICK = 100_000  # states times people
CANDIDATES = 50_000_000  # numbers that `reconstruct_true` looks at


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

    The arrays are copies that cannot be written to.
    """

    histogram: FloatArray
    alpha: float
    gain: float
    alphas: FloatArray
    gains: FloatArray

    def __post_init__(self) -> None:
        """Take copies, so that nobody changes a release that was certified."""
        for name in ("histogram", "alphas", "gains"):
            object.__setattr__(self, name, _safety.owned(np.asarray(getattr(self, name))))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that the arrays of a copy cannot be written to either.
        return type(self), (self.histogram, self.alpha, self.gain, self.alphas, self.gains)


def prediction(before: npt.ArrayLike, transition: Any) -> Any:
    r"""Return the predicted histogram :math:`\tilde\pi(t) = \pi(t-1) P`.

    Parameters
    ----------
    before : array_like, shape (L,)
        Histogram :math:`\pi(t-1)`, people or real masses.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic; fractions give fractions.

    Returns
    -------
    ndarray, shape (L,)
        The mean of the next histogram.

    Raises
    ------
    ValueError
        Somebody is in a state that no transition leaves (an empty row of a sparse matrix).

    References
    ----------
    Section 3.2.1. Section 4.2 prints :math:`\pi(t)` in place of :math:`\pi(t-1)`.

    Examples
    --------
    >>> prediction([8, 2], [[0.1, 0.9], [0.9, 0.1]])
    array([2.6, 7.4])
    """
    where = "prediction"
    P, states = valid.states_of(where, transition)
    pi = valid.histogram(where, "before", before, states, whole=False)
    valid.exits(where, pi, P)
    return np.asarray(pi @ P)


def _quoting_no_truth(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """Return a function whose errors do not tell how many people of the truth cannot be routed."""

    @wraps(function)
    def quiet(*args: Params.args, **options: Params.kwargs) -> Result:
        try:
            return function(*args, **options)
        except (flow.InfeasibleError, gain.UndefinedGainError) as error:
            source = error if isinstance(error, flow.InfeasibleError) else error.__cause__
            if not isinstance(source, flow.InfeasibleError):
                raise
        # Out of the handler, so that no traceback shows the first error either.
        raise gain.UndefinedGainError(
            f"{function.__name__}: along possible transitions somebody cannot be routed from "
            "before to what would be published: the gain is not defined"
        )

    return quiet


@_quoting_no_truth
def private_histogram(
    before: npt.ArrayLike,
    true: npt.ArrayLike,
    *,
    transition: Any,
    epsilon: float,
    step: float | None = None,
    adversary: str = "NPK",
    definition: str = "printed",
    unit: str = "person",
) -> Release:
    r"""Return the release of Algorithm 1, or that of the smallest feasible weight.

    Parameters
    ----------
    before : array_like, shape (L,)
        What the check takes for :math:`\pi(t-1)`: the true histogram for the class NPK, or the
        published one as Algorithm 1 says.
    true : array_like, shape (L,)
        The true histogram :math:`\pi(t)`.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic.
    epsilon : float
        Level, in 0..700, or infinity: no privacy is asked for, and the truth is published.
    step : float, optional
        Step *s* in (0, 1), at least 1e-6. Without it, the smallest feasible weight, see
        `feasible_intervals`.
    adversary : {"NPK", "OPK", "MK"}
        Class of attackers.
    definition : {"printed", "exact", "bridge"}
        How the gain is defined, see `privlib.location.gain`. Candidates are real masses: the exact
        definition exists for the class MK only, the bridge needs a step.
    unit : {"person", "infinitesimal"}
        Unit of the savings in the printed definition: the paper's whole person, or an infinitely
        small share of one.

    Returns
    -------
    Release
        The published histogram with its weight and its gain.

    Raises
    ------
    ValueError
        `definition` is combined with a class or a step that it cannot have, or somebody is in a
        state that no transition leaves.
    UndefinedGainError
        No movement joins the histograms, or a gain on the way is not defined, see
        `gain.gain_table`.
    UncertifiedError
        The gain of what would be published, computed anew, is above :math:`e^\varepsilon`.

    Notes
    -----
    Algorithm 1 without its slips: its update prints :math:`\max(\alpha + s, 1)`, its end point
    :math:`\pi(t) P`. The last line of its loop, :math:`N \pi / \|\pi\|`, changes nothing in the
    1-norm, because both ends have the total *N*; in the 2-norm the total would be wrong.

    Before the release is returned, the gain of every guess is computed for the masses that are
    published, with duals that prove every flow if the definition is the printed one; the costs of
    the search are not used. At a weight where a gain meets its bound exactly, rounding decides: the
    logarithm of a gain is compared with :math:`\varepsilon (1 + 10^{-9})` and the rounding error of
    the costs, which grows with the number of people (some 1e-15 of the largest
    :math:`-N \log P_{ij}` for the unit ``"person"``).

    What is bounded is the gain of the named class by the named definition from this one release, of
    an attacker who takes it for the truth. The printed definition has not the true probabilities.
    Neither the attacker who knows this algorithm (he may find the truth, see `reconstruct_true`)
    nor one who sees several releases is covered, and no class is that knows more than `before` and
    *P*.

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
    level = _level(where, epsilon, adversary, definition, unit)
    if adversary == "MK" and definition != "printed":
        gain.require_movement(where, pi, x, P)
    largest = _largest(where, pi, P, adversary, definition, unit)
    end = gain.predicted_masses(pi, valid.floats(where, P))
    rounding = _rounding(pi, P, definition, unit)
    allowed = level * (1 + SLACK) + rounding
    if step is None:
        lowest, upper = _feasible(where, x, pi, P, level, adversary, definition, unit)[0].tolist()
        alpha, top = _inside(where, lowest, upper, x, end, largest, allowed, unit)
        alphas = [alpha]
        gains = [top]
    else:
        s = _step(where, step)
        _safety.limit(where, "1 / step", math.ceil(1 / s), STEPS, "take a larger step")
        alphas = [0.0]
        gains = [largest(x)]
        while _log(gains[-1]) > allowed and alphas[-1] < 1:
            # Multiples of the step, not sums of it: ten tenths are 1.
            turn = len(alphas) * s
            alphas.append(1.0 if turn > 1 - SLACK else turn)
            gains.append(largest(_interpolate(x, end, alphas[-1])))
        gains[-1] = largest(_interpolate(x, end, alphas[-1]), certify=True)
    promise = "the logarithm of the largest gain"
    _safety.certify(where, promise, _log(gains[-1]), level, slack=SLACK, unit=rounding)
    published = _interpolate(x, end, alphas[-1])
    return Release(published, alphas[-1], gains[-1], np.array(alphas), np.array(gains))


@_quoting_no_truth
def bridge_histogram(
    before: npt.ArrayLike,
    true: npt.ArrayLike,
    *,
    transition: Any,
    epsilon: float,
    two_sided: bool = False,
    certify: bool = True,
) -> Release:
    r"""Return the first release on the bridge walk that meets the bound of the large-*N* gain.

    Parameters
    ----------
    before, true, transition, epsilon
        Those of `private_histogram`.
    two_sided : bool
        Let no gain fall below :math:`e^{-\varepsilon}` either.
    certify : bool
        Solve for the bridge to the published masses anew, without the walk, and compare its gains
        with the bound too. This may double the time; that the published masses are those of the
        walk is always checked.

    Returns
    -------
    Release
        Its `alpha` is the largest weight of the prediction in a connected part of the network,
        its `gain` the largest gain by the definition ``"bridge"``; nothing is tried on the way. A
        part of the network in which the truth keeps the bound publishes the truth, with weight 0.

    Raises
    ------
    ValueError
        Somebody is in a state that no transition leaves.
    UndefinedGainError
        No movement joins the histograms: the truth counts people where no transition leads, or
        more of them than can come there. The release would have probability 0.
    UncertifiedError
        The gain of what would be published, computed anew, is above :math:`e^\varepsilon`. Masses
        in floats do not determine the gains of transitions whose people are too few beside the
        others, about one in 1e9.

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

    Where the truth excludes a possible move, *s* is infinite. If the truth keeps the bound, it is
    published, and the gain of that move is 0. If not, the walk starts beside the truth: every move
    that is excluded takes a millionth of the people at either of its ends (more, but at most a
    thousandth, where floats of so many people would not show it). The gains of the release are
    those of its own *s*, whatever it starts from.

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
    level = valid.privacy_level(where, epsilon)
    arcs = _Arcs.make(where, pi, x, valid.floats(where, P))
    i = arcs.i
    j = arcs.j
    label = arcs.label
    # Logarithms throughout: beside a truth on the border, s has many orders of magnitude.
    log_s, log_truth = _walk_start(where, arcs, pi, x)
    log_c = _log_sums(i, np.log(arcs.chance) + log_s[j], pi.size)
    sources = np.flatnonzero(pi)
    home = arcs.of_source[sources]
    people = np.bincount(home, pi[sources], arcs.count)
    with np.errstate(divide="ignore", invalid="ignore"):  # some labels are of states without arcs
        mean = _log_sums(home, log_c[sources] + np.log(pi[sources]), arcs.count) - np.log(people)
    log_s -= np.where(arcs.of_sink >= 0, mean[arcs.of_sink], 0.0)
    log_c -= np.where(arcs.of_source >= 0, mean[arcs.of_source], 0.0)
    forced = arcs.parts.forced
    log_truth[forced] = log_s[j[forced]] - log_c[i[forced]]
    # A part publishes the truth only if the truth itself keeps the bound.
    allowed = level * (1 + SLACK) + BRIDGE
    broken = log_truth > allowed
    if two_sided:
        broken |= log_truth < -allowed
    kept = np.bincount(label, broken, arcs.count) == 0
    log_v = _walk_length(log_s[j], log_c[i], label, level, two_sided=two_sided, count=arcs.count)
    log_v[kept] = -np.inf
    # v / (1 + v) and 1 / (1 + v)
    log_weight = -np.logaddexp(0.0, -log_v)[label]
    log_rest = -np.logaddexp(0.0, log_v)[label]
    above = np.logaddexp(log_rest + log_s[j], log_weight)
    below = np.logaddexp(log_rest + log_c[i], log_weight)
    log_odds = np.where(kept[label], log_truth, above - below)
    odds = np.exp(log_odds)
    mixed = np.bincount(j, pi[i] * arcs.chance * odds, pi.size)
    published = np.where((arcs.of_sink < 0) | kept[arcs.of_sink], x, mixed).astype(np.float64)
    _certify_bridge(where, arcs, pi, published, odds)
    if two_sided:  # what floats round to nobody excludes the guess
        log_odds = np.where(published[j] > 0, log_odds, -np.inf)
    _certify_level(where, log_odds, level, slack=SLACK, unit=BRIDGE, two_sided=two_sided)
    if certify:
        again = _bridge_again(where, arcs, pi, published, kept)
        _certify_level(where, again, level, slack=RESOLVED, unit=SLACK, two_sided=two_sided)
    alpha = float(np.exp(-np.logaddexp(0.0, -log_v)).max())
    top = float(odds.max())
    return Release(published, alpha, top, np.array([alpha]), np.array([top]))


@dataclass(frozen=True, eq=False)
class _Arcs:
    """The possible transitions from occupied states, and in which connected part they are.

    `chance` are their probabilities, of rows that sum to 1; `of_source` and `of_sink` the parts of
    the states before and after, -1 where there is none.
    """

    parts: flow.ConnectedParts
    i: IntArray
    j: IntArray
    label: IntArray
    chance: FloatArray
    count: int
    of_source: IntArray
    of_sink: IntArray

    @classmethod
    def make(cls, where: str, pi: Array, x: Array, P: Any) -> _Arcs:
        """Find them, and refuse a truth that has people where they cannot be."""
        P = sparse.csr_array(P)
        sums = np.asarray(P.sum(axis=1)).ravel()
        P.data = P.data / np.repeat(sums, np.diff(P.indptr))  # rows may be off by 1e-9
        possible = P.tocoo()
        reached = np.zeros(pi.size)
        reached[possible.col[(pi[possible.row] > 0) & (possible.data > 0)]] = 1.0
        nowhere = np.flatnonzero((x > 0) & (reached == 0))
        if nowhere.size:
            raise gain.UndefinedGainError(
                f"{where}: true counts people in state {nowhere[0]}, where no transition from an "
                "occupied state leads: the gain is not defined"
            )
        parts = flow.ConnectedParts.make(pi, reached, P=P)
        count = 1 + int(parts.label.max())
        of_source = np.full(pi.size, -1)
        of_source[parts.i] = parts.label
        of_sink = np.full(pi.size, -1)
        of_sink[parts.j] = parts.label
        out = np.bincount(of_source[pi > 0], pi[pi > 0], count)
        into = np.bincount(of_sink[x > 0], x[x > 0], count)
        apart = np.abs(out - into)
        rounding = 0.0 if flow.counts_people(pi, x) else checks.SUM_TOLERANCE
        if (apart > rounding * np.maximum(out, into)).any():
            error = flow.InfeasibleError(where, float(apart.sum()) / 2, float(pi.sum()))
            raise gain.UndefinedGainError(f"{error}: the gain is not defined") from error
        chance = possible.data[parts.at]
        return cls(parts, parts.i, parts.j, parts.label, chance, count, of_source, of_sink)


def _log_sums(index: IntArray, logs: FloatArray, size: int) -> FloatArray:
    """Return the logarithm of the sum of the exponentials that have the same index."""
    top = np.full(size, -np.inf)
    np.maximum.at(top, index, logs)
    base = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(base + np.log(np.bincount(index, np.exp(logs - base[index]), size)))


def _walk_start(where: str, arcs: _Arcs, pi: Array, x: Array) -> tuple[FloatArray, FloatArray]:
    """Return log s where the walk starts, and log s - log c of every arc at the truth itself.

    The second is left open where a part has one source or one sink.
    """
    with np.errstate(divide="ignore"):
        log_x = np.log(x)
    log_end = _log_sums(arcs.j, np.log(pi[arcs.i]) + np.log(arcs.chance), pi.size)
    log_s = log_x - np.where(arcs.of_sink >= 0, log_end, 0.0)
    log_truth = np.zeros(arcs.i.size)
    for rows, columns, cost, at, place in arcs.parts.blocks():
        try:
            start, truth = _coordinates(where, pi[rows], x[columns], np.exp(-cost))
        except flow.InfeasibleError as error:
            raise gain.UndefinedGainError(f"{error}: the gain is not defined") from error
        log_s[columns] = start
        log_truth[at] = truth[place]
    return log_s, log_truth


def _coordinates(where: str, pi: Array, x: Array, P: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return log s and the table of log s - log c of a connected part.

    Where x excludes a possible transition, s is at infinity and the table has -inf there: then
    log s is that of a histogram beside x.
    """
    rows, log_s, log_c = exact.bridge_potentials(where, pi, x, P)
    excluded = (rows == 0) & (P > 0) & (x > 0)
    truth = np.where(excluded | (x == 0), -np.inf, log_s - log_c[:, None])
    if excluded.any():
        log_s = _beside(where, pi, x, P, rows, log_s, log_c)
    return np.where(x > 0, log_s, -np.inf), truth


def _beside(
    where: str,
    pi: Array,
    x: Array,
    P: FloatArray,
    rows: FloatArray,
    log_s: FloatArray,
    log_c: FloatArray,
) -> FloatArray:
    """Return log s beside a histogram that excludes transitions.

    Those that are used join the states to smaller parts, each with a scale of s of its own. The
    scale of a part must lie so far below that of another one from which excluded transitions come
    that these take no more than `BESIDE` of any source and of any sink.
    """
    used = sparse.csr_array(rows > 0)
    links = sparse.bmat([[None, used], [used.T, None]])
    count, label = csgraph.connected_components(links, directed=False)
    of_row = label[: pi.size]
    of_column = label[pi.size :]
    people = np.bincount(of_row, pi, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = _log_sums(of_row, log_c + np.log(pi), count) - np.log(people)
    mean[people == 0] = 0.0  # a state where nobody is
    log_s = log_s - mean[of_column]
    log_c = log_c - mean[of_row]
    i, j = np.nonzero((rows == 0) & (P > 0) & (x > 0))
    of_source = np.log(pi[i] / np.bincount(i, minlength=pi.size)[i])
    of_sink = np.log(x[j] / np.bincount(j, minlength=x.size)[j])
    # Not so little that floats of so many people could not tell it from nothing.
    log_rounding = math.log(8 * EPS * (pi.size + x.size) * float(pi.sum()))
    least = np.minimum(of_source, of_sink)
    taken = np.maximum(math.log(BESIDE) + least, np.minimum(log_rounding, math.log(1e-3) + least))
    room = taken - np.log(pi[i]) - np.log(P[i, j]) + log_c[i] - log_s[j]
    scale = np.zeros(count)
    for _ in range(count + 1):
        lower = scale.copy()
        np.minimum.at(lower, of_column[j], scale[of_row[i]] + room)
        if (lower == scale).all():
            return np.asarray(log_s + scale[of_column])
        scale = lower
    raise _safety.UncertifiedError(
        f"{where}: transitions that the truth excludes have no order; nothing is returned"
    )


def _walk_length(
    log_s: FloatArray,
    log_c: FloatArray,
    label: IntArray,
    level: float,
    *,
    two_sided: bool,
    count: int,
) -> FloatArray:
    """Return the logarithm of the least v of every part, from log s and log c of every arc."""
    over = _log_excess(log_s, log_c, level)
    if two_sided:
        over = np.maximum(over, _log_excess(log_c, log_s, level))
    log_v = np.full(count, -np.inf)
    np.maximum.at(log_v, label, over)
    if level == 0:  # only the prediction will do
        return np.where(log_v > -np.inf, np.inf, -np.inf)
    # Without overflow: log(exp(level) - 1).
    return np.asarray(log_v - (level + math.log(-math.expm1(-level))))


def _log_excess(log_a: FloatArray, log_b: FloatArray, level: float) -> FloatArray:
    """Return the logarithm of a - exp(level) b where that is positive, else -inf."""
    result = np.full(log_a.shape, -np.inf)
    if math.isinf(level):  # nothing is too much; a mass of 0 would give inf - inf
        return result
    large = log_a > log_b + level
    below = level + log_b[large] - log_a[large]
    with np.errstate(divide="ignore"):  # equal but for rounding
        result[large] = log_a[large] + np.log(-np.expm1(below))
    return result


def _certify_bridge(
    where: str, arcs: _Arcs, pi: Array, published: FloatArray, odds: FloatArray
) -> None:
    """Raise unless the odds are those of the bridge from pi to what is published.

    They are a product of a factor of the sink and one of the source; so it is enough that the
    movement has the right sums.
    """
    leaving = np.bincount(arcs.i, arcs.chance * odds, pi.size)[pi > 0]
    _safety.certify(where, "the error of the people who leave", np.abs(leaving - 1), 0.0,
                    unit=SLACK)  # fmt: skip
    arriving = np.bincount(arcs.j, pi[arcs.i] * arcs.chance * odds, pi.size)
    error = np.abs(arriving - published) - SLACK * published
    _safety.certify(where, "the error of the people who arrive", error, 0.0)


def _certify_level(
    where: str, log_odds: FloatArray, level: float, *, two_sided: bool, slack: float, unit: float
) -> None:
    """Raise if the logarithm of a gain is above the level, or below it where that is promised."""
    promise = "the logarithm of the largest gain"
    _safety.certify(where, promise, log_odds, level, slack=slack, unit=unit)
    if two_sided:
        promise = "minus the logarithm of the least gain"
        _safety.certify(where, promise, -log_odds, level, slack=slack, unit=unit)


def _bridge_again(
    where: str, arcs: _Arcs, pi: Array, published: FloatArray, kept: npt.NDArray[np.bool_]
) -> FloatArray:
    """Return log odds of all arcs outside the parts that are kept, from what is published alone."""
    parts = arcs.parts
    log_gains: list[FloatArray] = []
    one_source = parts.forced & parts.one_source & ~kept[arcs.label]
    i = arcs.i[one_source]
    j = arcs.j[one_source]
    with np.errstate(divide="ignore"):
        log_gains.append(np.log(published[j]) - np.log(pi[i]) - np.log(arcs.chance[one_source]))
    for rows, columns, cost, at, _ in parts.blocks():
        if kept[arcs.label[at[0]]]:
            continue
        there = published[columns] > 0
        masses = published[columns][there]
        prices = cost[:, there]
        P = np.exp(-prices)
        log_s = exact.solve_potentials(where, pi[rows].astype(np.float64), masses, P)
        log_c = special.logsumexp(log_s - prices, axis=1)
        log_gains.append((log_s - log_c[:, None])[P > 0])
    return np.concatenate(log_gains)


@_quoting_no_truth
def feasible_intervals(
    before: npt.ArrayLike,
    true: npt.ArrayLike,
    *,
    transition: Any,
    epsilon: float,
    adversary: str = "NPK",
    definition: str = "printed",
    unit: str = "person",
) -> FloatArray:
    r"""Return all weights of the prediction with which no gain exceeds :math:`e^\varepsilon`.

    Parameters
    ----------
    before, true, transition, epsilon, adversary, unit
        Those of `private_histogram`.
    definition : {"printed", "exact"}
        The exact definition exists for the class MK only.

    Returns
    -------
    ndarray, shape (k, 2)
        Ends of disjoint closed intervals in ascending order. The last one ends at 1. At every
        end the bound is kept: an end that rounding, or a guess that appears just there (a state
        reaches one person, or the others can make the rest without her), has put outside is moved
        inside, by 5e-9 at most.

    Raises
    ------
    ValueError
        The definition has no exact breakpoints, or somebody is in a state that no transition
        leaves.
    UndefinedGainError
        A gain on the way is not defined: a mass below one person for the unit ``"person"``, or
        a true histogram that nothing leads to.
    UncertifiedError
        Near an end that was computed no weight keeps the bound.

    Notes
    -----
    The costs along the segment are convex and piecewise linear, and their breakpoints are where
    touching lines meet. A single weight between two infeasible stretches is not reported (but
    0 and 1 are): no rounded number keeps it. So the first end reported may lie above the smallest
    feasible weight. Breakpoints closer than :math:`10^{-10}` are one.

    The gains at the ends are computed anew from the masses there, as `private_histogram` does,
    which names the attackers that are not covered.

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
    level = _level(where, epsilon, adversary, definition, unit)
    if adversary == "MK" and definition != "printed":
        gain.require_movement(where, pi, x, P)
    intervals = _feasible(where, x, pi, P, level, adversary, definition, unit)
    largest = _largest(where, pi, P, adversary, definition, unit)
    end = gain.predicted_masses(pi, valid.floats(where, P))
    allowed = level * (1 + SLACK) + _rounding(pi, P, definition, unit)
    inside = []
    for low, high in intervals.tolist():
        first = _inside(where, low, high, x, end, largest, allowed, unit)[0]
        last = high
        if high < 1:  # the prediction itself has the gain 1
            last = _inside(where, high, low, x, end, largest, allowed, unit)[0]
        inside.append([first, last])
    return np.array(inside)


def reconstruct_true(
    before: npt.ArrayLike,
    published: npt.ArrayLike,
    *,
    transition: Any,
    step: float | None = None,
) -> list[tuple[float, Any]]:
    r"""Return every (weight, whole histogram) from which Algorithm 1 makes `published`.

    Parameters
    ----------
    before : array_like, shape (L,)
        The histogram from which the prediction was made; with the published one for
        :math:`\pi(t-1)`, as Algorithm 1 has it, everybody knows it.
    published : array_like, shape (L,)
        The release :math:`\pi^*(t)`, not rounded.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic.
    step : float, optional
        Step *s* in (0, 1), known to the attacker. Without it every weight in [0, 1) is possible.

    Returns
    -------
    list of (float, ndarray of int, shape (L,))
        By ascending weight. For the prediction itself, weight 0 and the prediction if that is
        whole, else none: with :math:`\alpha = 1` every truth is possible.

    Raises
    ------
    ValueError
        More than 5e7 numbers would have to be looked at, or somebody is in a state that no
        transition leaves.

    Notes
    -----
    :math:`x = (\pi^* - \alpha \tilde\pi) / (1 - \alpha)` has to be a histogram of whole
    numbers, to :math:`10^{-6}` or what rounding leaves of so many people, with the total of
    `before` and nobody where no transition leads. With a step, all :math:`\alpha = ks < 1` are
    tried at once. Without, the true histogram lies on the ray from :math:`\tilde\pi` through
    :math:`\pi^*`, whose points with a whole number in the coordinate that changes most are at most
    *N* + 1. A second hit needs a coincidence among the digits of :math:`\tilde\pi`; rounding the
    release to whole numbers makes hits plentiful.

    Examples
    --------
    >>> P = [[0.61, 0.27, 0.12], [0.18, 0.65, 0.17], [0.14, 0.23, 0.63]]
    >>> found = private_histogram([9, 6, 5], [12, 4, 4], transition=P, epsilon=0.5, step=0.05)
    >>> found.histogram.round(3)
    array([8.926, 6.262, 4.812])
    >>> reconstruct_true([9, 6, 5], found.histogram, transition=P, step=0.05)
    [(0.65, array([12,  4,  4]))]
    """
    where = "reconstruct_true"
    s = None if step is None else _step(where, step)
    pi, release, P = valid.step(where, before, published, transition, whole=False, name="published")
    P = valid.floats(where, P)
    end = gain.predicted_masses(pi, P)
    people = float(pi.sum())
    away = release - end
    tried = people + 1 if s is None else 1 / s
    _safety.limit(where, "numbers to look at", math.ceil(tried) * pi.size, CANDIDATES)
    rounding = 4 * EPS * people
    if np.abs(away).max() <= max(WHOLE * 1e-3, rounding):
        alphas: Array = np.zeros(1)
    elif s is not None:
        alphas = np.arange(0, math.ceil(1 / s - SLACK)) * s
    else:
        j = int(np.abs(away).argmax())
        stretch = (np.arange(round(people) + 1) - end[j]) / away[j]
        alphas = np.sort(1 - 1 / stretch[stretch >= 1 - SLACK])
    points = end + away / (1 - alphas)[:, None]
    whole = np.rint(points)
    # Rounding of the masses grows as they are stretched; nothing is whole to a quarter.
    near = np.minimum(np.maximum(WHOLE, rounding / (1 - alphas)), 0.25)
    good = (np.abs(points - whole) <= near[:, None]).all(axis=1) & (whole >= 0).all(axis=1)
    good &= np.abs(whole.sum(axis=1) - people) <= WHOLE
    good &= (whole[:, end == 0] == 0).all(axis=1)
    return list(zip(alphas[good].tolist(), whole[good].astype(np.int64)))


def path_gain(
    paths: npt.ArrayLike, histograms: npt.ArrayLike, *, transition: Any, definition: str = "exact"
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
    definition : {"exact", "bridge"}
        How expected movements are computed; see `exact.expected_movement`.

    Returns
    -------
    ndarray, shape (people, T)
        :math:`\log P(x \mid X_0, \pi(0), \dots, \pi(t))` less :math:`\log P(x \mid X_0)`, with
        :math:`x = X_1 \dots X_t`.

    Raises
    ------
    ValueError
        A path takes a transition of probability 0, or starts where the first histogram has
        nobody: the guess then has no prior.
    UndefinedGainError
        No movement joins two of the histograms.
    UncertifiedError
        A second computation gives another gain, or a posterior probability above 1.

    Notes
    -----
    Given :math:`\pi(t)`, the step after *t* depends on nothing before, so the posterior of a path
    is the product of :math:`E[a_{ij} \mid \pi(t), \pi(t+1)] / \pi_i(t)` along it, with the prior
    :math:`\prod P_{ij}`: the log gains of OPK add up. Later releases add nothing about the
    steps before *t*, given :math:`\pi(t)`. With published histograms in place of true ones there
    is no such chain. A path that a histogram excludes has the log gain minus infinity from then on.

    The expected movements are checked to add up to both histograms, no posterior probability
    exceeds 1, and for few people the largest gain is computed once more from the probabilities of
    all histograms with and without her.

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
    checks.choice(where, "definition", definition, ("exact", "bridge"))
    P = valid.states_of(where, transition)[0]
    table = checks.integers(where, "histograms", histograms, low=0, ndim=2)
    steps = checks.integers(where, "paths", paths, low=0, high=P.shape[0] - 1, ndim=2)
    if len(table) < 2 or not len(steps) or steps.shape[1] != len(table):
        raise ValueError(
            f"{where}: paths must have shape (people, T + 1) and histograms (T + 1, states), "
            f"T >= 1, got {steps.shape} and {table.shape}"
        )
    nobody = np.flatnonzero(table[0, steps[:, 0]] == 0)
    if nobody.size:
        u = nobody[0]
        raise ValueError(
            f"{where}: path {u} starts in state {steps[u, 0]}, where the first histogram has nobody"
        )
    chances = P.toarray() if sparse.issparse(P) else P
    for t in range(len(table) - 1):
        for u in np.flatnonzero(chances[steps[:, t], steps[:, t + 1]] == 0):
            raise ValueError(
                f"{where}: the step of path {u} from {steps[u, t]} to {steps[u, t + 1]} at time "
                f"{t} has no prior probability"
            )
    log_gains = np.empty((len(steps), len(table) - 1))
    log_prior = np.empty(log_gains.shape)
    for t, (old, new) in enumerate(itertools.pairwise(table)):
        gains = gain.gain_table(old, new, transition=P, definition=definition)[
            steps[:, t], steps[:, t + 1]
        ]
        # Where the histogram has nobody, the one before has excluded the path already.
        gains = np.where(old[steps[:, t]] > 0, gains, 0).astype(np.float64)
        with np.errstate(divide="ignore"):
            log_gains[:, t] = np.log(gains)
        log_prior[:, t] = [_log_chance(P[a, b]) for a, b in steps[:, t : t + 2]]
    result = np.cumsum(log_gains, axis=1)
    posterior = np.cumsum(log_gains + log_prior, axis=1)
    promise = "the logarithm of a posterior probability"
    rounding = SLACK * (1 + float(np.abs(log_prior).sum(axis=1).max()))
    _safety.certify(where, promise, posterior, 0.0, unit=rounding)
    if definition == "exact":
        _certify_path(where, steps, table, P, result)
    return result


def _log_chance(probability: Any) -> float:
    """Return the logarithm of a probability, also of a fraction that floats do not hold."""
    if isinstance(probability, Fraction):
        return math.log(probability.numerator) - math.log(probability.denominator)
    return math.log(probability)


def _certify_path(where: str, steps: IntArray, table: IntArray, P: Any, result: FloatArray) -> None:
    """Compute the largest last gain anew, from probabilities with and without her, if quick."""
    people = int(table[0].sum())
    states = max(math.prod((row + 1).tolist()) // (int(row.max()) + 1) for row in table[1:])
    if states * people > QUICK or not np.isfinite(result[:, -1]).any():
        return
    worst = int(np.argmax(result[:, -1]))
    again = 0.0
    for t, (old, new) in enumerate(itertools.pairwise(table)):
        here = steps[worst, t]
        there = steps[worst, t + 1]
        both = exact.transition_probability(old, new, transition=P, log=True)
        others = 0.0
        if people > 1:
            left = old.copy()
            right = new.copy()
            left[here] -= 1
            right[there] -= 1
            others = exact.transition_probability(left, right, transition=P, log=True)
        again += others - both
    rounding = SLACK * (1 + abs(again))
    promise = "the logarithm of the largest gain"
    _safety.certify(where, promise, again, float(result[worst, -1]), unit=rounding)


def _level(where: str, epsilon: float, adversary: str, definition: str, unit: str) -> float:
    """Check what a gain is compared with, and return its bound as a logarithm."""
    checks.choice(where, "adversary", adversary, gain.ADVERSARIES)
    checks.choice(where, "definition", definition, gain.DEFINITIONS)
    checks.choice(where, "unit", unit, gain.UNITS)
    if definition == "exact" and adversary != "MK":
        raise ValueError(
            f"{where}: definition='exact' needs adversary='MK': no candidate is whole, "
            f"got {adversary!r}"
        )
    return valid.privacy_level(where, epsilon)


def _step(where: str, step: Any) -> float:
    return checks.bounded(
        where, "step", checks.real(where, "step", step), "be in (0, 1)", lambda s: 0 < s < 1
    )


def _interpolate(x: Array, end: FloatArray, alpha: float) -> FloatArray:
    return end if alpha == 1 else (1 - alpha) * x + alpha * end


def _largest(where: str, pi: Array, P: Any, adversary: str, definition: str, unit: str) -> Gain:
    """Return the function from a candidate to its largest gain."""
    table = gain.table_function(where, pi, P, adversary, definition, unit)
    states = range(pi.size)

    def largest(candidate: Array, *, certify: bool = False) -> float:
        x = valid.histogram(where, "candidate", candidate, states, whole=False)
        return float(gain.largest_defined(where, table(x, certify=certify)))

    return largest


def _log(gain_: float) -> float:
    """Return the logarithm of a gain, which may be 0 or infinite."""
    return math.log(gain_) if gain_ > 0 else -math.inf


def _rounding(pi: Array, P: Any, definition: str, unit: str) -> float:
    """Return how far rounding may move the logarithm of a gain."""
    P = valid.floats("private_histogram", P)
    sums = np.asarray(P.sum(axis=1)).ravel()[pi > 0]
    rows = 2 * float(np.abs(sums - 1).max())  # off by 1e-9 at most
    if definition == "bridge":
        return rows + 10 * BRIDGE
    if definition == "exact":
        return rows + 4 * EPS * pi.size
    entries = P.data if sparse.issparse(P) else P[pi > 0]
    dearest = -math.log(entries[entries > 0].min())
    # A whole person is a difference of two costs, which grow with the people.
    terms = 64.0 + (float(pi.sum()) if unit == "person" else pi.size)
    return rows + 4 * EPS * terms * (1 + dearest)


def _inside(
    where: str,
    end_: float,
    other: float,
    x: Array,
    prediction_: FloatArray,
    largest: Gain,
    allowed: float,
    unit: str,
) -> tuple[float, float]:
    """Return a weight at the end of an interval or just inside, and its gain, which is allowed."""
    half = abs(other - end_) / 2
    sign = 1.0 if other > end_ else -1.0
    tries: tuple[float, ...] = INWARD
    if unit == "infinitesimal":
        tries = CLEAR
    if half == 0:
        tries = (0.0,)
    for inward in tries:
        at = end_ + sign * min(inward, half)
        top = largest(_interpolate(x, prediction_, at), certify=True)
        if _log(top) <= allowed:
            return at, top
    raise _safety.UncertifiedError(
        f"{where}: near the weight {end_:.9g} the logarithm of the largest gain must be at most "
        f"{allowed:.9g}, but a second computation gives {_log(top):.9g}; nothing is returned"
    )


def _feasible(
    where: str,
    x: Array,
    pi: Array,
    P: Any,
    level: float,
    adversary: str,
    definition: str,
    unit: str,
) -> FloatArray:
    """Return the feasible weights, shape (k, 2)."""
    if definition == "bridge":
        raise ValueError(f"{where}: definition='bridge' has no exact breakpoints, give a step")
    floats = valid.floats(where, P)
    end = gain.predicted_masses(pi, floats)
    if definition == "exact":  # of the class MK: linear
        ratio = np.divide(x, end, out=np.ones(end.size), where=end > 0)
        far = ratio[ratio > math.exp(level)]
        return np.array([[((far - math.exp(level)) / (far - 1)).max(initial=0.0), 1.0]])
    # Half of what is allowed at the ends, where the gains are computed anew.
    bound = level * (1 + SLACK / 2) + _rounding(pi, P, definition, unit) / 2
    cost = flow.arc_costs(valid.dense(P))
    walls = np.isinf(cost).astype(np.float64)
    tiny = flow.MASS / 4 * x.sum()

    def curve(i: int | None = None, j: int | None = None, start: float = 0.0) -> Curve:
        """Return breakpoints and values of C, with a person from i and j taken away.

        From the weight on, not below `start`, with which the others can make the candidate.
        """

        def line(alpha: float, prices: FloatArray = cost) -> Line:
            problem = flow.without_person(pi, _interpolate(x, end, alpha), prices, i=i, j=j)
            value, v = flow.least_cost(where, *problem, certify=False)
            return value, float((end - x) @ v[: x.size])

        # Who cannot be routed: a convex curve that is 0 from that weight on, so Newton's steps.
        while i is not None and walls.any() and start < 1 and (s := line(start, walls))[0] > tiny:
            start = min(start + s[0] / max(s[0], -s[1]), 1.0)
        return _breakpoints(line, start)

    try:
        if unit == "infinitesimal":
            along = partial(_interpolate, x, end)
            largest = _largest(where, pi, P, adversary, definition, unit)
            return _steps(along, curve()[0], bound, largest)
        base = curve()
        guesses = _persons(where, pi, x, end, adversary, cost)
        curves = [curve(*guess) for guess in guesses]
    except flow.InfeasibleError as error:
        raise gain.UndefinedGainError(f"{error}: the gain is not defined") from error
    grid = np.unique(np.concatenate([at for at, _ in (base, *curves)]))
    saved = np.interp(grid, *base) - np.array([np.interp(grid, *one) for one in curves])
    over = saved - saved[:, -1:]
    # Before its start a guess is impossible: gain 0.
    early = grid[:-1] < np.array([at[0] for at, _ in curves])[:, None]
    left, right = np.where(early, -np.inf, [over[:, :-1], over[:, 1:]])
    return _within(grid, left, right, bound)


def _steps(
    along: Callable[[float], Array], grid: FloatArray, bound: float, largest: Gain
) -> FloatArray:
    """Return the feasible weights where the gain is a step function; `bound` is a logarithm."""
    good = [_log(largest(along(alpha))) <= bound for alpha in (grid[:-1] + grid[1:]) / 2]
    pieces = np.column_stack([grid[:-1], grid[1:]])[good]
    # The ends of the segment are exact histograms: they count even alone.
    ends = [[0.0, 0.0]] if _log(largest(along(0.0))) <= bound else []
    return _merged(np.array([*ends, *pieces.tolist(), [1.0, 1.0]]))


def _persons(
    where: str, pi: Array, x: Array, end: FloatArray, adversary: str, cost: FloatArray
) -> list[Guess]:
    """Return the guesses (from, to) and the weight from which a person is there, 1 at most."""
    gain.require_enough(where, 1.0, before=pi, prediction=end)
    start = np.where(x < 1, np.inf, 0.0)
    grows = (x < 1) & (end > x)
    start[grows] = (1 - x[grows]) / (end[grows] - x[grows])
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
    at_ends = {at: value for at, (value, _) in ends.items()}
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
        at_ends[at] = value
        if value > f + df * (at - lo) + TOLERANCE * scale:
            ends[at] = value, slope
            todo += [(lo, at), (at, hi)]
    grid = np.array(sorted(at_ends))
    values = np.array([at_ends[at] for at in grid])
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
