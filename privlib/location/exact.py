r"""The true probability of one histogram after another, and who moved where.

Given where everybody was, the *N* moves are independent, so the histogram after has a
convolution of multinomial laws. With counts :math:`\pi` before and *x* after,

.. math:: p(x \mid \pi) = [z^x] \prod_i \Big( \sum_j P_{ij} z_j \Big)^{\pi_i}
          = \sum_A \prod_i \frac{\pi_i!}{\prod_j a_{ij}!} \prod_{ij} P_{ij}^{a_{ij}} :

a matrix *A* of counts is a class of many labelled behaviours. (A *mixture* of multinomials would
be another law: with *P* = identity it gives probability 0 to every histogram of several places.)
Equation (2) sums :math:`\prod P^a` without these coefficients, which is right if *A* runs over
labelled persons, too small if it runs over counts, and :math:`\prod_j x_j!` too large if it runs
over the *N*! assignments of persons to slots; from (2, 0) to (1, 1) with even chances 1/2, 1/4
and 1/2 (the last equals the first here only because every :math:`x_j \le 1`).

A person from *i* is at *j* with probability :math:`E[a_{ij} \mid \pi, x] / \pi_i`, where

.. math:: E[a_{ij} \mid \pi, x] = \pi_i P_{ij} \, p(x - e_j \mid \pi - e_i) / p(x \mid \pi).

The coefficients come from a dynamic programme over the box :math:`0 \le k \le x`, one factor a
person, without the coordinate that the total determines. Multiplying column *j* by
:math:`s_j` and dividing row *i* by :math:`c_i = \sum_j P_{ij} s_j` changes the law by the factor
:math:`\prod_j s_j^{x_j} / \prod_i c_i^{\pi_i}` only; with the scaling that makes *x* the mean
(the *Schroedinger bridge*) nothing underflows. The bridge :math:`b_{ij} = \pi_i P_{ij} s_j / c_i`
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

from privlib.location import _validation as checks
from privlib.location.flow import InfeasibleError, _best, _max_flow, _savings

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_STATES = 20_000_000  # of the dynamic programme: 160 MB of floats
_MATRICES = 2_000_000
_STEP = 5.0  # of the logarithm of a scaling factor
_READINGS = ("counts", "persons", "slots")


def _dense(where: str, before: Any, after: Any, transition: Any) -> tuple[IntArray, IntArray, Any]:
    first, second, P = checks.pair(where, before, after, transition)
    return first, second, P.toarray() if sparse.issparse(P) else P


def _box(where: str, after: IntArray) -> tuple[int, IntArray, tuple[int, ...]]:
    """Return (the column left out, the others, the shape of the box)."""
    left_out = int(after.argmax())
    kept = np.delete(np.arange(after.size), left_out)
    shape = tuple(int(k) + 1 for k in after[kept])
    states = math.prod(shape)
    if states > _STATES:
        raise ValueError(
            f"{where}: the exact law needs at most {_STATES} states, got {states} "
            "(the product of after + 1 over all places but one); "
            'use expected_movement(..., method="bridge") or law="bridge"'
        )
    return left_out, kept, shape


def _shifts(shape: tuple[int, ...]) -> list[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """Return (target, source) slices of a step along every axis."""
    whole = [slice(None)] * len(shape)
    return [
        (
            (*whole[:a], slice(1, None), *whole[a + 1 :]),
            (*whole[:a], slice(None, -1), *whole[a + 1 :]),
        )
        for a in range(len(shape))
    ]


def _persons(rows: Array, people: IntArray, left_out: int, kept: IntArray, state: Array) -> Array:
    """Multiply `state` by the linear form of every person."""
    shifts = _shifts(state.shape)
    for row, count in zip(rows, people):
        for _ in range(int(count)):
            grown = state * row[left_out]
            for j, (to, origin) in zip(kept, shifts):
                if row[j]:
                    grown[to] += row[j] * state[origin]
            state = grown
    return state


def _classes(rows: Array, people: IntArray, left_out: int, kept: IntArray, state: Array) -> Array:
    """Multiply `state` by the complete homogeneous form of every source: one term a count."""
    shifts = _shifts(state.shape)
    for row, count in zip(rows, people):
        levels = [np.zeros_like(state) for _ in range(int(count))] + [state]  # by people left
        for j, shift in [(left_out, None), *zip(kept, shifts)]:
            to, origin = shift or (..., ...)
            for left in range(int(count) - 1, -1, -1):
                levels[left][to] += row[j] * levels[left + 1][origin]
        state = levels[0]
    return state


def _scaled(P: Array) -> tuple[Array, list[int]]:
    """Return a matrix of fractions as integers, with the common denominator of every row."""
    denominators = [math.lcm(*(value.denominator for value in row)) for row in P]
    scaled = np.array([[int(v * d) for v in row] for row, d in zip(P, denominators)], dtype=object)
    return scaled, denominators


def _start(shape: tuple[int, ...], dtype: Any) -> Array:
    state = np.zeros(shape, dtype=dtype)
    state[(0,) * len(shape)] = 1
    return state


def _potentials(before: IntArray, after: IntArray, P: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (scaled P with rows summing to 1, log c - log s terms): the bridge and its scaling.

    The second array is (log s, log c) stacked; infeasible pairs raise ``InfeasibleError``.
    """
    movement = _best("expected_movement", before, after, P)
    reach = _savings(movement.counts, P)
    inside = (P > 0) & (reach > -np.inf)  # nan compares false: empty states drop out
    Q = np.where(inside, P, 0.0)
    log_s = np.zeros(after.size)
    columns, rows = after > 0, before > 0
    x, pi = after[columns].astype(float), before[rows].astype(float)
    log_s[columns] = _newton(pi, x, Q[np.ix_(rows, columns)])
    weighted = np.zeros_like(Q)
    with np.errstate(divide="ignore"):
        logs = np.log(Q) + log_s
    log_c = np.zeros(before.size)
    top = logs[rows].max(axis=1)
    log_c[rows] = top + np.log(np.exp(logs[rows] - top[:, None]).sum(axis=1))
    weighted[rows] = np.exp(logs[rows] - log_c[rows, None])
    return weighted, np.vstack([log_s, log_c])


def _newton(pi: FloatArray, x: FloatArray, Q: FloatArray) -> FloatArray:
    """Return log s with column sums of pi_i Q_ij s_j / c_i equal to x.

    Minimises the convex sum_i pi_i log c_i - sum_j x_j log s_j by damped Newton steps, with one
    column of every connected part held fixed. Every entry of Q is used by some movement, so the
    minimum is attained.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(Q)
    links = sparse.csr_matrix(Q)
    label = csgraph.connected_components(
        sparse.bmat([[None, links], [links.T, None]]), directed=False
    )[1][pi.size :]
    free = np.ones(x.size, dtype=bool)
    free[np.unique(label, return_index=True)[1]] = False

    def value(phi: FloatArray) -> tuple[float, FloatArray]:
        shifted = logs + phi
        top = shifted.max(axis=1)
        odds = np.exp(shifted - top[:, None])
        sums = odds.sum(axis=1)
        return float(pi @ (top + np.log(sums)) - x @ phi), odds / sums[:, None]

    phi = np.log(x) - special.logsumexp(logs, axis=0, b=pi[:, None])
    best, rows = value(phi)
    for _ in range(200):
        bridge = pi[:, None] * rows
        error = bridge.sum(axis=0) - x
        if np.abs(error).max() <= 1e-12 * x.sum() or not free.any():
            break
        curvature = np.diag(bridge.sum(axis=0)) - rows.T @ bridge
        step = np.zeros(x.size)
        inner = curvature[np.ix_(free, free)]
        inner[np.diag_indices_from(inner)] += 1e-14 * x.sum()
        step[free] = linalg.solve(inner, -error[free], assume_a="sym")
        step *= min(1.0, _STEP / np.abs(step).max())  # nearly separate parts: nearly flat
        slope, length = float(error @ step), 1.0
        while length > 1e-8:
            trial, rows_trial = value(phi + length * step)
            if trial <= best + 1e-4 * length * slope + 1e-13 * abs(best):
                break
            length /= 2
        else:
            break
        phi, best, rows = phi + length * step, trial, rows_trial
    if np.abs((pi[:, None] * rows).sum(axis=0) - x).max() > 1e-7 * x.sum():
        raise ArithmeticError("expected_movement: the scaling of the bridge did not converge")
    return np.asarray(phi)


def _law(where: str, before: Any, after: Any, transition: Any, multiply: Any) -> tuple[Any, float]:
    """Return the coefficient of z^after: an exact value and nan, or 0 and its logarithm."""
    pi, x, P = _dense(where, before, after, transition)
    left_out, kept, shape = _box(where, x)
    if P.dtype.kind == "O":
        scaled, denominators = _scaled(P)
        top = multiply(scaled, pi, left_out, kept, _start(shape, object)).flat[-1]
        return Fraction(top, math.prod(d ** int(n) for d, n in zip(denominators, pi))), math.nan
    try:
        rows, (log_s, log_c) = _potentials(pi, x, P)
    except InfeasibleError:
        return 0, -math.inf
    share = float(multiply(rows, pi, left_out, kept, _start(shape, float)).flat[-1])
    return 0, math.log(share) + float(pi @ log_c - x @ log_s)


def realisation(before: npt.ArrayLike, after: npt.ArrayLike, transition: Any) -> Any:
    r"""Return the probability of the histogram after, given that before.

    Parameters
    ----------
    before, after : array_like of int, shape (L,)
        Histograms with the same total *N*.
    transition : array_like, shape (L, L)
        Row-stochastic matrix.

    Returns
    -------
    Fraction or float
        :math:`p(x \mid \pi)`, exact for a matrix of fractions.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule, or the box has more than 2e7 states.

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
    >>> realisation([2, 0], [1, 1], [[half, half], [half, half]])
    Fraction(1, 2)
    """
    fraction, log = _law("realisation", before, after, transition, _persons)
    return fraction if math.isnan(log) else math.exp(log)


def log_realisation(before: npt.ArrayLike, after: npt.ArrayLike, transition: Any) -> float:
    r"""Return the logarithm of the probability of the histogram after, given that before.

    Parameters
    ----------
    before, after, transition
        As for `realisation`.

    Returns
    -------
    float
        :math:`\log p(x \mid \pi)`, minus infinity if no movement joins the histograms.

    Raises
    ------
    TypeError, ValueError
        As `realisation`.

    Examples
    --------
    >>> log_realisation([2000, 0], [0, 2000], [[0.5, 0.5], [0.5, 0.5]])
    -1386.294361
    """
    fraction, log = _law("log_realisation", before, after, transition, _persons)
    if not math.isnan(log):
        return log
    return _log(fraction)


def _log(fraction: Fraction) -> float:
    """Return the logarithm of a fraction whose parts may be too large for a float."""
    if not fraction:
        return -math.inf
    return math.log(fraction.numerator) - math.log(fraction.denominator)


def printed_realisation(
    before: npt.ArrayLike, after: npt.ArrayLike, transition: Any, *, reading: str = "counts"
) -> Any:
    r"""Return equation (2), the sum of products over all movements, under one of its readings.

    Parameters
    ----------
    before, after, transition
        As for `realisation`.
    reading : {"counts", "persons", "slots"}
        What a movement is: a matrix of counts; a place for every labelled person; an assignment
        of the *N* persons to the *N* slots after, of which there are *N*!.

    Returns
    -------
    Fraction or float
        Right for "persons"; too small for "counts"; :math:`\prod_j x_j!` too large for "slots".

    Raises
    ------
    TypeError, ValueError
        As `realisation`; `reading` is none of the three.

    References
    ----------
    Equation (2).

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> for reading in ("counts", "persons", "slots"):
    ...     print(printed_realisation([2, 0], [1, 1], [[half, half], [0, 1]], reading=reading))
    1/4
    1/2
    1/2
    """
    where = "printed_realisation"
    checks.choice(where, "reading", reading, _READINGS)
    multiply = _classes if reading == "counts" else _persons
    value, log = _law(where, before, after, transition, multiply)
    value = value if math.isnan(log) else math.exp(log)
    if reading == "slots":
        value *= math.prod(math.factorial(int(k)) for k in np.asarray(after))
    return value


def bound_realisation(before: npt.ArrayLike, after: npt.ArrayLike, transition: Any) -> Any:
    r"""Return equation (3): *N*! times the largest product of a movement.

    Parameters
    ----------
    before, after, transition
        As for `realisation`.

    Returns
    -------
    Fraction or float
        Not a probability: 15/8 in the first example. 0 if no movement joins the histograms,
        infinite where a float has no room.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule.

    Notes
    -----
    The product is that of `flow.most_likely_movement`, evaluated in fractions if the matrix is
    one. Divided by :math:`\prod_j x_j!` it bounds the probability from above, as there are
    :math:`N! / \prod_j x_j!` labelled behaviours.

    References
    ----------
    Equation (3) and Theorem 4.1.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> P = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 8), F(3, 8), F(1, 2)]]
    >>> bound_realisation([2, 2, 1], [1, 2, 2], P), realisation([2, 2, 1], [1, 2, 2], P)
    (Fraction(15, 8), Fraction(265, 2048))
    """
    where = "bound_realisation"
    pi, x, P = _dense(where, before, after, transition)
    people = int(pi.sum())
    try:
        best = _best(where, pi, x, checks.floats(P))
    except InfeasibleError:
        return Fraction(0) if P.dtype.kind == "O" else 0.0
    if P.dtype.kind == "O":
        factors = [P[i, j] ** int(best.counts[i, j]) for i, j in np.argwhere(best.counts > 0)]
        return math.prod(factors, start=Fraction(math.factorial(people)))
    log = math.lgamma(people + 1) - best.cost
    return math.exp(log) if log < math.log(np.finfo(float).max) else math.inf


def expected_movement(
    before: npt.ArrayLike, after: npt.ArrayLike, transition: Any, *, method: str = "exact"
) -> Any:
    r"""Return how many people are expected to have gone from *i* to *j*, given both histograms.

    Parameters
    ----------
    before, after : array_like, shape (L,)
        Histograms with the same total: whole for "exact", real masses allowed for "bridge".
    transition : array_like, shape (L, L)
        Row-stochastic matrix.
    method : {"exact", "bridge"}
        The dynamic programme, or its large-*N* limit.

    Returns
    -------
    array, shape (L, L)
        :math:`E[a_{ij} \mid \pi, x]`; fractions for "exact" and a matrix of fractions.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule, or the box of the exact law has more than 2e7 states.
    InfeasibleError
        No movement joins the histograms: the condition has probability 0.

    Notes
    -----
    The error of the bridge, relative to an entry, is of the order of one over that entry: for
    *N* people in a few places that mix well it falls like 1/*N*, while an entry far below one
    person may be wrong by a factor however large *N* is.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> P = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 8), F(3, 8), F(1, 2)]]
    >>> 265 * expected_movement([2, 2, 1], [1, 2, 2], P).astype(float)
    array([[188., 146., 196.],
           [ 64., 300., 166.],
           [ 13.,  84., 168.]])
    """
    where = "expected_movement"
    checks.choice(where, "method", method, ("exact", "bridge"))
    if method == "bridge":
        pi, x, P = checks.pair(where, before, after, transition, integer=False)
        P = P.toarray() if sparse.issparse(P) else checks.floats(P)
        return pi[:, None] * _potentials(pi, x, P)[0]
    pi, x, P = _dense(where, before, after, transition)
    left_out, kept, shape = _box(where, x)
    exact = P.dtype.kind == "O"
    if exact:
        missing = int(pi.sum()) - _max_flow(pi, x, checks.floats(P))
        if missing:
            raise InfeasibleError(
                f"{where}: no movement along possible transitions joins the histograms, "
                f"{missing} of {pi.sum()} cannot be routed",
                missing,
            )
    rows = _scaled(P)[0] if exact else _potentials(pi, x, P)[0]
    result = np.full(P.shape, Fraction(0) if exact else 0.0, dtype=object if exact else float)
    for i in np.flatnonzero(pi):
        others = pi.copy()
        others[i] -= 1
        start = _start(shape, object if exact else float)
        state = _persons(rows, others, left_out, kept, start)
        weights = int(pi[i]) * rows[i] * _one_less(state, x, left_out, kept)
        share = weights.sum() / Fraction(int(pi[i])) if exact else weights.sum() / pi[i]
        result[i] = weights / share
    return result


def _one_less(state: Array, x: IntArray, left_out: int, kept: IntArray) -> Array:
    """Return the coefficients of z^(x - e_j) of all j with x_j > 0, 0 for the others."""
    result = np.zeros(x.size, dtype=state.dtype)
    result[left_out] = state.flat[-1]
    for axis, j in enumerate(kept):
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
    TypeError, ValueError
        An argument breaks its rule, or there are more than two million partial matrices.

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
    size = np.asarray(before).size
    rows = checks.histogram(where, "before", before, size=size)
    columns = checks.histogram(where, "after", after, size=size)
    checks.same_total(where, rows, columns)
    done, room = np.zeros((1, 0, size), dtype=np.int64), columns[None, :]
    for count in rows:
        fill = _fillings(where, int(count), room)
        done = np.concatenate([done[fill[0]], fill[1][:, None, :]], axis=1)
        room = room[fill[0]] - fill[1]
    return done


def _fillings(where: str, count: int, room: IntArray) -> tuple[IntArray, IntArray]:
    """Return all ways to place `count` people into every row of `room`: (row, placement)."""
    owner, parts = np.arange(len(room)), np.zeros((len(room), 0), dtype=np.int64)
    left = np.full(len(room), count)
    for j in range(room.shape[1]):
        later = room[owner, j + 1 :].sum(axis=1)
        low, high = np.maximum(0, left - later), np.minimum(left, room[owner, j])
        ways = np.maximum(0, high - low + 1)
        if ways.sum() > _MATRICES:
            raise ValueError(f"{where}: more than {_MATRICES} matrices of counts")
        pick = np.repeat(np.arange(owner.size), ways)
        value = low[pick] + np.arange(pick.size) - np.repeat(np.cumsum(ways) - ways, ways)
        parts = np.column_stack([parts[pick], value])
        owner, left = owner[pick], left[pick] - value
    return owner, parts
