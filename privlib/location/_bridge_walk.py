r"""The walk from a bridge to the prediction, for `privlib.location.release.bridge_histogram`.

Logarithms throughout: beside a truth on the border, *s* has many orders of magnitude. Every
connected part of the network has a walk of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse, special
from scipy.sparse import csgraph

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, FloatArray, IntArray
from privlib.location import exact, flow, gain

EPS = float(np.finfo(np.float64).eps)
SLACK = 1e-9  # of the people who leave and who arrive: what rounding is forgiven
# A histogram on the border lends every source and every sink this share of itself: it is beside.
BESIDE = 1e-6


@dataclass(frozen=True, eq=False)
class Arcs:
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
    def make(cls, where: str, pi: Array, x: Array, P: Any) -> Arcs:
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


def log_sums(index: IntArray, logs: FloatArray, size: int) -> FloatArray:
    """Return the logarithm of the sum of the exponentials that have the same index."""
    top = np.full(size, -np.inf)
    np.maximum.at(top, index, logs)
    base = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(base + np.log(np.bincount(index, np.exp(logs - base[index]), size)))


def walk_start(where: str, arcs: Arcs, pi: Array, x: Array) -> tuple[FloatArray, FloatArray]:
    """Return log s where the walk starts, and log s - log c of every arc at the truth itself.

    The second is left open where a part has one source or one sink.
    """
    with np.errstate(divide="ignore"):
        log_x = np.log(x)
    log_end = log_sums(arcs.j, np.log(pi[arcs.i]) + np.log(arcs.chance), pi.size)
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
        mean = log_sums(of_row, log_c + np.log(pi), count) - np.log(people)
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


def walk_length(
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


def certify_bridge(
    where: str, arcs: Arcs, pi: Array, published: FloatArray, odds: FloatArray
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


def certify_level(
    where: str, log_odds: FloatArray, level: float, *, two_sided: bool, slack: float, unit: float
) -> None:
    """Raise if the logarithm of a gain is above the level, or below it where that is promised."""
    promise = "the logarithm of the largest gain"
    _safety.certify(where, promise, log_odds, level, slack=slack, unit=unit)
    if two_sided:
        promise = "minus the logarithm of the least gain"
        _safety.certify(where, promise, -log_odds, level, slack=slack, unit=unit)


def bridge_again(
    where: str, arcs: Arcs, pi: Array, published: FloatArray, kept: npt.NDArray[np.bool_]
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
