r"""The true probability of one histogram after another, and who moved where.

Given where everybody was, the *N* moves are independent, so the histogram after has a
convolution of multinomial distributions. With counts :math:`\pi` before and *x* after,

.. math:: p(x \mid \pi) = [z^x] \prod_i \Big( \sum_j P_{ij} z_j \Big)^{\pi_i}
          = \sum_A \prod_i \frac{\pi_i!}{\prod_j a_{ij}!} \prod_{ij} P_{ij}^{a_{ij}} :

a matrix *A* of counts is a class of many labelled behaviours. (A *mixture* of multinomials would
be another distribution: with *P* = identity it gives probability 0 to every histogram of several
places.)
Equation (2) sums :math:`\prod P^a` without these coefficients, which is right if *A* runs over
labelled persons, too small if it runs over counts, and :math:`\prod_j x_j!` too large if it runs
over the *N*! assignments of persons to slots; from (2, 0) to (1, 1) with even chances 1/2, 1/4
and 1/2 (the last equals the first here only because every :math:`x_j \le 1`).

A person from *i* is at *j* with probability :math:`E[a_{ij} \mid \pi, x] / \pi_i`, where

.. math:: E[a_{ij} \mid \pi, x] = \pi_i P_{ij} \, p(x - e_j \mid \pi - e_i) / p(x \mid \pi).

The coefficients come from a dynamic programme over the box :math:`0 \le k \le x`, one factor a
person, without the coordinate that the total determines. Multiplying column *j* by
:math:`s_j` and dividing row *i* by :math:`c_i = \sum_j P_{ij} s_j` changes the probability by the
factor :math:`\prod_j s_j^{x_j} / \prod_i c_i^{\pi_i}` only; with the scaling that makes *x* the
mean (the *Schroedinger bridge*) nothing underflows. The bridge
:math:`b_{ij} = \pi_i P_{ij} s_j / c_i`
itself is the large-*N* limit of the expected movement: entropic transport at temperature 1, where
equation (3) is transport at temperature 0.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse, special
from scipy.sparse import csgraph

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, FloatArray, IntArray
from privlib.location import flow
from privlib.location import validation as valid

# What users may call; the other public names serve the modules of this part.
__all__ = [
    "bound_transition_probability",
    "expected_movement",
    "movements",
    "transition_probability",
]

# States of the dynamic programme (160 MB of floats) and its steps (minutes), and states of the sum
# arc by arc.
_STATES = 20_000_000
_STEPS = 10_000_000_000
_OPEN = 500_000
_TOO_LARGE = (
    "{}: the exact distribution needs at most {} {}, got {} "
    "(states: the product of after + 1 over all places but one, or what few transitions leave "
    "open; steps: states times people); "
    'use expected_movement(..., method="bridge") or definition="bridge"'
)
_MATRICES = 2_000_000
_STEP = 5.0  # of the logarithm of a scaling factor
# How near to its mass every column of the bridge must come, relative to that mass: where the steps
# end, and what is returned at all.
_NEAR = 1e-13
_ENOUGH = 1e-9


def _product(where: str, rows: Array, people: IntArray, after: IntArray) -> Array:
    """Return the coefficients of z^k, 0 <= k <= after, of the product of everybody's linear form.

    Without the coordinate of the fullest place after, which the total determines.
    """
    full = int(after.argmax())
    kept = np.delete(np.arange(after.size), full)
    shape = tuple(int(k) + 1 for k in after[kept])
    states = math.prod(shape)
    steps = math.prod(shape) * int(people.sum())
    if states > _STATES:
        raise ValueError(_TOO_LARGE.format(where, _STATES, "states", states))
    if steps > _STEPS:
        raise ValueError(_TOO_LARGE.format(where, _STEPS, "steps", steps))
    state = np.zeros(shape, dtype=rows.dtype)
    state[(0,) * len(shape)] = 1
    for i in np.repeat(np.arange(people.size), people):
        grown = np.asarray(state * rows[i, full], dtype=rows.dtype)  # with one place a number
        for axis, j in enumerate(kept):
            if rows[i, j]:
                before = (slice(None),) * axis
                grown[(*before, slice(1, None))] += rows[i, j] * state[(*before, slice(-1))]
        state = grown
    return state


def _scaled(P: Array) -> tuple[Array, list[int]]:
    """Return a matrix of fractions as integers, with the common denominator of every row."""
    scaled = np.empty(P.shape, dtype=object)
    denominators = []
    for i, row in enumerate(P):
        denominator = math.lcm(*(value.denominator for value in row))
        denominators.append(denominator)
        for j, value in enumerate(row):
            scaled[i, j] = int(value * denominator)
    return scaled, denominators


def bridge_potentials(
    where: str, before: Array, after: Array, P: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the bridge as a matrix with rows that sum to 1, log s and log c."""
    columns = after > 0
    rows = before > 0
    log_s = np.zeros(after.size)
    log_c = np.zeros(before.size)
    weighted = np.zeros(P.shape)
    Q = np.where(rows[:, None] & columns, P, 0.0)
    if not Q[np.ix_(rows, columns)].all():  # there may be arcs that no movement uses
        reach = flow.savings_table(flow.movement_between(where, before, after, P).counts, P)
        Q[~(reach > -np.inf)] = 0.0  # nan compares false: no empty states
    inner = Q[np.ix_(rows, columns)]
    masses = before[rows].astype(np.float64), after[columns].astype(np.float64)
    log_s[columns] = solve_potentials(where, *masses, inner)
    with np.errstate(divide="ignore"):
        logs = np.log(Q[rows]) + log_s
    log_c[rows] = special.logsumexp(logs, axis=1)
    weighted[rows] = np.exp(logs - log_c[rows, None])
    return weighted, log_s, log_c


def solve_potentials(where: str, pi: FloatArray, x: FloatArray, Q: FloatArray) -> FloatArray:
    """Return log s with column sums of pi_i Q_ij s_j / c_i equal to x.

    Minimises the convex sum_i pi_i log c_i - sum_j x_j log s_j by damped Newton steps, with one
    column of every connected part held fixed. Every entry of Q is used by some movement, so the
    minimum is attained.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(Q)
    links = sparse.csr_matrix(Q)
    whole = sparse.bmat([[None, links], [links.T, None]])
    count, label = csgraph.connected_components(whole, directed=False)
    of_row = label[: pi.size]
    of_column = label[pi.size :]
    free = np.ones(x.size, dtype=bool)
    free[np.unique(of_column, return_index=True)[1]] = False
    # Masses in floats balance up to rounding; the column held fixed would have to take that.
    out = np.bincount(of_row, pi, count)
    into = np.bincount(of_column, x, count)
    if (np.abs(out - into) > checks.SUM_TOLERANCE * np.minimum(out, into)).any():
        raise flow.InfeasibleError(where, float(np.abs(out - into).sum()) / 2, float(pi.sum()))
    x = x * (out / into)[of_column]

    def value(phi: FloatArray) -> tuple[float, float, FloatArray]:
        """Return the objective, how much rounding may move it, and the rows of the bridge."""
        shifted = logs + phi
        top = shifted.max(axis=1)
        odds = np.exp(shifted - top[:, None])
        sums = odds.sum(axis=1)
        log_c = top + np.log(sums)
        rounding = 1e-14 * float(pi @ np.abs(log_c) + x @ np.abs(phi))
        return float(pi @ log_c - x @ phi), rounding, odds / sums[:, None]

    phi = np.log(x) - special.logsumexp(logs, axis=0, b=pi[:, None])
    best, rounding, rows = value(phi)
    missed = np.inf
    for _ in range(200):
        bridge = pi[:, None] * rows
        error = bridge.sum(axis=0) - x
        last = missed
        missed = float((np.abs(error) / x).max())
        # Rounding may leave more than `_NEAR`: then it is enough that no step helps.
        if missed <= _NEAR or (missed >= last and missed <= 1e-3 * _ENOUGH) or not free.any():
            break
        # In units of every column, so that a crowd elsewhere does not drown a few people.
        unit = np.sqrt(bridge.sum(axis=0))[free]
        curvature = np.diag(bridge.sum(axis=0)) - rows.T @ bridge
        inner = curvature[np.ix_(free, free)] / np.outer(unit, unit)
        inner[np.diag_indices_from(inner)] += 1e-14
        step = np.zeros(x.size)
        step[free] = linalg.solve(inner, -error[free] / unit, assume_a="sym") / unit
        # Nearly separate parts: nearly flat.
        step *= min(1.0, _STEP / np.abs(step).max(initial=1e-300))
        slope = float(error @ step)
        length = 1.0
        while length > 1e-8:
            trial, rounding_trial, rows_trial = value(phi + length * step)
            if trial <= best + 1e-4 * length * slope + rounding + rounding_trial:
                break
            length /= 2
        else:
            break
        phi = phi + length * step
        best = trial
        rounding = rounding_trial
        rows = rows_trial
    # What rounding leaves of that, scaling the columns one after the other may still mend.
    for _ in range(100):
        sums = (pi[:, None] * rows).sum(axis=0)
        if (np.abs(sums - x) <= 1e-3 * _ENOUGH * x).all():
            break
        phi = phi + np.log(x / sums)
        rows = value(phi)[2]
    missed = float((np.abs((pi[:, None] * rows).sum(axis=0) - x) / x).max())
    if not missed <= _ENOUGH:
        raise _safety.UncertifiedError(
            f"{where}: the scaling of the bridge did not converge: the mass of a state is missed "
            f"by {missed:.3g} of it; nothing is returned"
        )
    return np.asarray(phi)


def transition_probability(
    before: npt.ArrayLike, after: npt.ArrayLike, *, transition: Any, log: bool = False
) -> Any:
    r"""Return the probability of the histogram after, given that before.

    Parameters
    ----------
    before, after : array_like of int, shape (L,)
        Histograms with the same total *N*.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic matrix.
    log : bool
        Return the logarithm, a float, which has room for many people.

    Returns
    -------
    Fraction or float
        :math:`p(x \mid \pi)`, exact for a matrix of fractions.

    Raises
    ------
    ValueError
        The dynamic programme has more than 2e7 states, or 1e10 steps (states times people).
    TypeError
        An argument does not hold numbers, or `log` is neither True nor False.

    Notes
    -----
    The dynamic programme of the head of the module: *N L* vectorised steps over
    :math:`\prod (x_j + 1)` states, all places but the fullest.

    References
    ----------
    Corrects equation (2).

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> transition_probability([2, 0], [1, 1], transition=[[half, half], [half, half]])
    Fraction(1, 2)
    >>> transition_probability([2000, 0], [0, 2000], transition=[[0.5, 0.5], [0.5, 0.5]], log=True)
    -1386.294361
    """
    where = "transition_probability"
    log = checks.flag(where, "log", log)
    pi, x, P = valid.step(where, before, after, transition)
    P = valid.dense(P)
    if P.dtype == object:
        rows, denominators = _scaled(P)
        ways = math.prod(d ** int(n) for d, n in zip(denominators, pi))
        share = _product(where, rows, pi, x).flat[-1]
        if log:  # of integers, which may be too large for a float
            return math.log(share) - math.log(ways) if share else -math.inf
        return Fraction(share, ways)
    try:
        rows, log_s, log_c = bridge_potentials(where, pi, x, P)
    except flow.InfeasibleError:
        return -math.inf if log else 0.0
    value = math.log(_product(where, rows, pi, x).flat[-1]) + float(pi @ log_c - x @ log_s)
    return value if log else math.exp(value)


def bound_transition_probability(
    before: npt.ArrayLike, after: npt.ArrayLike, *, transition: Any
) -> Any:
    r"""Return equation (3): *N*! times the largest product of a movement.

    Parameters
    ----------
    before, after : array_like of int, shape (L,)
        Histograms with the same total *N*.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic matrix; one of fractions gives a fraction.

    Returns
    -------
    Fraction or float
        Not a probability: 15/8 in the first example. 0 if no movement joins the histograms,
        infinite where a float has no room.

    Notes
    -----
    The product is that of `flow.most_likely_movement`, evaluated in fractions if the matrix is
    one. Divided by :math:`\prod_j x_j!` it bounds the probability from above, as there are
    :math:`N! / \prod_j x_j!` labelled behaviours: up to rounding, also for fractions, because the
    movement is found in floats, which cannot tell products apart that differ by some 1e-16 of them.

    References
    ----------
    Equation (3) and Theorem 4.1.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> P = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 8), F(3, 8), F(1, 2)]]
    >>> bound_transition_probability([2, 2, 1], [1, 2, 2], transition=P)
    Fraction(15, 8)
    >>> transition_probability([2, 2, 1], [1, 2, 2], transition=P)
    Fraction(265, 2048)
    """
    where = "bound_transition_probability"
    pi, x, P = valid.step(where, before, after, transition)
    P = valid.dense(P)
    try:
        best = flow.movement_between(where, pi, x, P)
    except flow.InfeasibleError:
        return Fraction(0) if P.dtype == object else 0.0
    if P.dtype == object:
        factors = [P[i, j] ** int(best.counts[i, j]) for i, j in np.argwhere(best.counts)]
        return math.prod(factors, start=Fraction(math.factorial(int(pi.sum()))))
    log = math.lgamma(pi.sum() + 1) - best.cost
    return math.exp(log) if log < math.log(np.finfo(float).max) else math.inf


def expected_movement(
    before: npt.ArrayLike, after: npt.ArrayLike, *, transition: Any, method: str = "exact"
) -> Any:
    r"""Return how many people are expected to have gone from *i* to *j*, given both histograms.

    Parameters
    ----------
    before, after : array_like, shape (L,)
        Histograms with the same total: whole for "exact", real masses allowed for "bridge".
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic matrix.
    method : {"exact", "bridge"}
        The dynamic programme (for floats, where it would be too large, the sum over all
        movements arc by arc, which is as exact and for few possible transitions), or its
        large-*N* limit.

    Returns
    -------
    ndarray, shape (L, L)
        :math:`E[a_{ij} \mid \pi, x]`; fractions for "exact" and a matrix of fractions.

    Raises
    ------
    ValueError
        Somebody is in a state that no transition leaves. A fraction of `transition` is too small
        for the floats of the bridge. The dynamic programme of the exact distribution has more than
        2e7 states, or 1e10 steps (states times people, for every place that somebody may have
        left), and the sum arc by arc more than 5e5 states.
    InfeasibleError
        No movement joins the histograms: the condition has probability 0.
    UncertifiedError
        The result does not add up to both histograms: fractions exactly, floats within 1e-9 of
        every mass.

    Notes
    -----
    The error of the bridge, relative to an entry, is of the order of one over that entry: for
    *N* people in a few places that mix well it falls like 1/*N*, while an entry far below one
    person may be wrong by a factor however large *N* is.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> P = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 8), F(3, 8), F(1, 2)]]
    >>> 265 * expected_movement([2, 2, 1], [1, 2, 2], transition=P).astype(float)
    array([[188., 146., 196.],
           [ 64., 300., 166.],
           [ 13.,  84., 168.]])
    """
    where = "expected_movement"
    checks.choice(where, "method", method, ("exact", "bridge"))
    pi, x, P = valid.step(where, before, after, transition, whole=method == "exact")
    P = valid.dense(P)
    if method == "bridge":
        bridge = pi[:, None] * bridge_potentials(where, pi, x, valid.floats(where, P))[0]
        return _certified(where, bridge, pi, x)
    states = math.prod((x + 1).tolist()) // (int(x.max()) + 1)
    if P.dtype == object:
        missing = int(pi.sum()) - flow.max_flow(pi, x, transition=P)
        if missing:
            raise flow.InfeasibleError(where, missing, int(pi.sum()))
    elif states > _STATES or states * int(pi.sum()) * np.count_nonzero(pi) > _STEPS:
        flow.movement_between(where, pi, x, P)  # is there one?
        return _certified(where, _by_arcs(where, pi, x, P), pi, x)
    exact = P.dtype == object
    one: Any = Fraction(1) if exact else 1.0
    rows = _scaled(P)[0] if exact else bridge_potentials(where, pi, x, P)[0]
    result = np.full(P.shape, 0 * one, dtype=P.dtype)
    for i in np.flatnonzero(pi):
        others = pi - (np.arange(pi.size) == i)
        weights = rows[i] * _one_less(_product(where, rows, others, x), x)
        result[i] = int(pi[i]) * one * weights / weights.sum()
    return _certified(where, result, pi, x)


def _certified(where: str, mean: Array, pi: Array, x: Array) -> Array:
    """Return a table of expected movements if it adds up to both histograms."""
    for sums, masses in ((mean.sum(axis=1), pi), (mean.sum(axis=0), x)):
        if mean.dtype == object:
            good = bool((sums == masses).all())
        else:
            # Histograms in floats may differ in their totals by rounding.
            good = bool((np.abs(sums - masses) <= 3 * _ENOUGH * masses).all())
        if not good:
            raise _safety.UncertifiedError(
                f"{where}: expected movements do not add up to the histograms; nothing is returned"
            )
    return mean


def _by_arcs(where: str, before: IntArray, after: IntArray, P: FloatArray) -> FloatArray:
    """Return E[a_ij | before, after], summing over all movements arc by arc.

    A state is what the open rows and columns have left; a row or column is open from its first
    arc to its last, which then has no choice. With few arcs few are open at a time. The total
    determines the fullest column.
    """
    size = before.size
    full = int(after.argmax())
    i, j = np.nonzero((P > 0) & (before[:, None] > 0) & (after > 0))
    hub = np.bincount(np.append(i, j), minlength=size).argmax()  # its arcs go with their other end
    ends = np.column_stack([i, size + j])
    rest = np.ones(i.size, dtype=bool)
    order = []
    opened = np.zeros(2 * size, dtype=bool)
    for _ in range(size - 1):
        # Next the place whose arcs open the fewest rows and columns.
        arcs = np.zeros(0, dtype=np.int64)
        fewest = math.inf
        for k in range(size):
            if k == hub:
                continue
            mine = np.flatnonzero(rest & ((i == k) | (j == k)))
            opens = (~opened[ends[mine]]).sum()
            if mine.size and opens < fewest:
                arcs = mine
                fewest = opens
        opened[ends[arcs]] = True
        rest[arcs] = False
        order += arcs.tolist()
    ends = ends[[*order, *np.flatnonzero(rest)]]
    left = np.append(before, after)[None]
    weight = np.ones(1)
    layers = [weight]
    moves = []
    for k, (row, column) in enumerate(ends):
        bounded = [row] if column == size + full else [row, column]
        high = left[:, bounded].min(axis=1)
        last = [node for node in bounded if node not in ends[k + 1 :]]
        low = left[:, last].max(axis=1, initial=0)  # the last arc takes what is left
        ways = np.maximum(high - low + 1, 0)
        live = np.intersect1d(ends[: k + 1], ends[k + 1 :])
        ranges = np.cumprod(np.append(1.0, left[:, live].max(axis=0) + 1.0))
        if max(ways.sum(), ranges[-1] / 2**30) > _OPEN:
            raise ValueError(_TOO_LARGE.format(where, _OPEN, "states", ways.sum()))
        source = np.repeat(np.arange(len(left)), ways)
        count = np.arange(source.size) - np.searchsorted(source, source) + low[source]
        grown = left[source]
        grown[:, [row, column]] -= count[:, None]
        grown[:, size + full] = 0
        code = grown[:, live] @ ranges[:-1]
        _, used, target = np.unique(code, return_index=True, return_inverse=True)
        logs = count * math.log(P[row, column - size]) - special.gammaln(count + 1)
        factor = np.exp(logs - logs.max(initial=-np.inf))
        moves.append((source, target, count, factor))
        left = grown[used]
        sums = np.bincount(target, weight[source] * factor)
        weight = np.asarray(sums / sums.max(initial=1e-300), dtype=np.float64)
        layers.append(weight)
    result = np.zeros(P.shape)
    back = np.ones(1)
    for (row, column), (source, target, count, factor), weight in zip(
        ends[::-1], moves[::-1], layers[-2::-1]
    ):
        share = weight[source] * factor * back[target]
        result[row, column - size] = share @ count / share.sum()
        sums = np.bincount(source, factor * back[target], weight.size)
        back = np.asarray(sums / sums.max(), dtype=np.float64)
    return result


def _one_less(state: Array, x: IntArray) -> Array:
    """Return the coefficients of z^(x - e_j) of all j with x_j > 0, 0 for the others."""
    result = np.zeros(x.size, dtype=state.dtype)
    full = int(x.argmax())
    result[full] = state.flat[-1]
    for axis, j in enumerate(np.delete(np.arange(x.size), full)):
        if x[j]:
            result[j] = state[tuple(-2 if a == axis else -1 for a in range(state.ndim))]
    return result


def movements(before: npt.ArrayLike, after: npt.ArrayLike) -> IntArray:
    """Return all matrices of counts with the given row and column sums.

    Parameters
    ----------
    before : array_like of int, shape (L,)
        Row sums.
    after : array_like of int, shape (L,)
        Column sums, with the same total.

    Returns
    -------
    array of int, shape (K, L, L)
        In lexicographic order.

    Raises
    ------
    ValueError
        There are more than two million partial matrices, or the totals differ.

    References
    ----------
    The set of behaviours below equation (1).

    Examples
    --------
    >>> len(movements([2, 2, 1], [1, 2, 2]))
    11
    >>> movements([1, 1], [1, 1]).tolist()
    [[[0, 1], [1, 0]], [[1, 0], [0, 1]]]
    """
    where = "movements"
    try:
        states = range(np.asarray(before).size)
    except ValueError as error:
        rule = "must be a rectangular array: its rows have different lengths"
        raise ValueError(f"{where}: before {rule}") from error
    rows = valid.histogram(where, "before", before, states)
    columns = valid.histogram(where, "after", after, states)
    valid.same_total(where, rows, columns)
    done = np.zeros((1, 0, rows.size), dtype=np.int64)
    room = columns[None, :]
    for count in rows:
        fill = _fillings(where, int(count), room)
        done = np.concatenate([done[fill[0]], fill[1][:, None, :]], axis=1)
        room = room[fill[0]] - fill[1]
    return done


def _fillings(where: str, count: int, room: IntArray) -> tuple[IntArray, IntArray]:
    """Return all ways to place `count` people into every row of `room`: (row, placement)."""
    owner = np.arange(len(room))
    parts = np.zeros((len(room), 0), dtype=np.int64)
    left = np.full(len(room), count)
    for j in range(room.shape[1]):
        later = room[owner, j + 1 :].sum(axis=1)
        low = np.maximum(0, left - later)
        high = np.minimum(left, room[owner, j])
        ways = np.maximum(0, high - low + 1)
        if ways.sum() > _MATRICES:
            raise ValueError(f"{where}: more than {_MATRICES} matrices of counts")
        pick = np.repeat(np.arange(owner.size), ways)
        value = low[pick] + np.arange(pick.size) - np.repeat(np.cumsum(ways) - ways, ways)
        parts = np.column_stack([parts[pick], value])
        owner = owner[pick]
        left = left[pick] - value
    return owner, parts
