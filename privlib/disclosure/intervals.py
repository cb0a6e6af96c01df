r"""Intervals for the shares of a rewritten sample that cover at least as often as they say.

The estimate of `privlib.disclosure.estimate_shares` is a mean of :math:`W[X, i]` over the released
lines *X*, where *A W* = *I*. For retention, for two categories and for an unchanged sample the
column *i* of *W* has **two** values: the estimate is a linear function of how many lines show one
set of categories. That number *S* is a sum of independent indicators:

**Proposition.** If *s* records are drawn without replacement and rewritten independently, the
number *S* of lines that show a category of a set is distributed as a sum of *s* independent
indicators.

*Proof.* Given the sample, record *j* shows the set with the probability :math:`q_j`. So the
generating function of *S* is :math:`e_s(1 - q_1 + q_1 z, \dots, 1 - q_n + q_n z) / \binom ns`, with
the elementary symmetric polynomial :math:`e_s`, which is real stable. A stable polynomial of affine
functions of *z* with non-negative slopes has real zeros only. Its coefficients are not
negative, so the zeros are not positive, and each zero is a factor :math:`(1 - p) + p z`.

By a theorem of Hoeffding (1956), such a sum is less often far from its mean than the binomial
number of the same mean: :math:`\Pr(S \le c)` is at least the binomial one for
:math:`c \ge E S`, and :math:`\Pr(S \ge c)` for :math:`c \le E S`. So the exact limits of
Clopper and Pearson for a binomial share cover the expected share of *S* at least as often as they
promise, for levels of 1/2 and more: a limit that fails lies beyond the mean. (The exception: if the
expected number is so small that a single line is already beyond the limit,
:math:`\Pr(S \ge 1) \le E S` exceeds the binomial probability by a relative
:math:`-\ln(1-t)/t - 1` at most, for the tail *t*: about *t*/2. Then the other limit cannot
fail.) The limits go through the linear function to the share.

If a column of *W* has more values, each set of categories with one value gets its limits, at an
equal part of the level (Bonferroni), and the share lies between the least and the largest value of
the linear function within all of them: a small linear programme that a sort solves.

The price: no correction for a sample that is a large part of the table, and the rewriting of known
shares is not subtracted. The intervals are the wider the more of the table is sampled.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib.disclosure import validation as valid

Floats = npt.NDArray[np.float64]

FEW = 10
"""Fewer lines than this on one side of a count: a standard error says little there."""

_SAME = 1e-9  # entries of the inverse that differ by less, relatively, are one value


@dataclass(frozen=True, eq=False, repr=False)
class ShareIntervals(_safety.OwnsArrays):
    """Shares of the true categories with intervals, for each group of lines.

    Parameters
    ----------
    groups : tuple
        Labels of the groups that have lines; ``(None,)`` without groups.
    lines : ndarray of int, shape (g,)
        Number of released lines of each group.
    estimate, low, high : ndarray of float, shape (g, N)
        Unbiased estimates, which may be negative or above 1, and limits within [0, 1], in the order
        of the rows of the matrix.
    few : ndarray of bool, shape (g, N)
        Where fewer than `FEW` lines of the group show the category, or fewer than `FEW` do not. The
        intervals hold there, too; what is wrong there is a standard error.
    level : float
        Probability of each interval by itself. Of many intervals some fail.

    Examples
    --------
    >>> found = share_intervals([1, 1, 1, 0, 1, 1], [[0.9, 0.1], [0.1, 0.9]])
    >>> found.groups, found.lines.tolist(), found.estimate.shape
    ((None,), [6], (1, 2))
    >>> bool((found.low <= found.estimate.clip(0, 1)).all())
    True
    """

    groups: tuple[Hashable, ...]
    lines: Any
    estimate: Any
    low: Any
    high: Any
    few: Any
    level: float

    def __repr__(self) -> str:
        shape = self.estimate.shape
        return f"ShareIntervals({shape[0]} groups, {shape[1]} categories, level {self.level:g})"


def share_intervals(
    release: Any, transition: Any, *, level: float = 0.95, by: Any = None
) -> ShareIntervals:
    r"""Return estimated shares of the true categories with exact intervals, also by groups.

    Parameters
    ----------
    release : array_like or Series, shape (s,)
        Shown codes, or labels of the columns of `transition`, of a simple random sample.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix with independent rows.
    level : float
        Probability in [1/2, 1) with which each interval covers, at least.
    by : array_like or Series, shape (s,), optional
        Group of each line (its region), as released: not itself rewritten. A pandas object needs
        the index of `release` if that has one.

    Returns
    -------
    ShareIntervals
        Of the groups in the order in which they occur.

    Raises
    ------
    ValueError, TypeError
        There is no line, the rows of `transition` are dependent or nearly so, a code or a group is
        missing or unknown, a code is one that no true value leads to, `by` has another length or
        index or writes equal groups in two ways (1 and True), or `level` is out of its range.
    UncertifiedError
        A limit does not have its tail by another formula.

    Notes
    -----
    Given how many lines a group has, they are a simple random sample of the people of the group; so
    the promise holds for each group. It holds for each interval alone: divide 1 − `level` by the
    number of intervals that must hold together. Not covered: groups that were chosen for their
    estimates, and a release that was drawn again until it looked right.

    References
    ----------
    Hoeffding (1956), On the distribution of the number of successes in independent trials;
    Clopper and Pearson (1934). The proposition is the module's.

    Examples
    --------
    >>> found = share_intervals([1, 1, 1, 0, 1, 1], [[0.9, 0.1], [0.1, 0.9]])
    >>> found.estimate[0], found.low[0], found.high[0], found.few[0]
    (array([0.083, 0.917]), array([0.   , 0.323]), array([0.677, 1.   ]), array([ True,  True]))
    >>> share_intervals([1, 1, 0, 1], [[0.9, 0.1], [0.1, 0.9]], by=["east", "east", "west", "west"])
    ShareIntervals(2 groups, 2 categories, level 0.95)
    """
    where = "share_intervals"
    probability = checks.real(where, "level", level)
    checks.bounded(where, "level", probability, "be in [1/2, 1)", lambda x: 0.5 <= x < 1)
    exact, _, columns = valid.matrix(where, transition)
    A = valid.floats(where, exact)
    W = _inverse(where, A)
    if by is not None:
        _safety.same_records(where, release=release, by=by)
    shown = valid.codes(where, "release", release, A.shape[1], labels=columns)
    valid.possible(where, "release", exact, shown)
    labels, members = _groups(where, by, shown.size)
    counts = np.zeros((len(labels), A.shape[1]), dtype=np.int64)
    np.add.at(counts, (members, shown), 1)
    lines = counts.sum(axis=1)
    estimate = counts / lines[:, None] @ W
    low = np.empty_like(estimate)
    high = np.empty_like(estimate)
    few = np.empty(estimate.shape, dtype=np.bool_)
    for i in range(len(A)):
        weights, sets = _values(W[:, i])
        shows = np.stack([counts[:, sets == j].sum(axis=1) for j in range(len(weights))], axis=1)
        low[:, i], high[:, i] = _limits(where, shows, lines, weights, 1 - probability)
        own = shows[:, int(np.argmax(weights))]
        few[:, i] = np.minimum(own, lines - own) < FEW
    return ShareIntervals(labels, lines, estimate, low, high, few, probability)


def _inverse(where: str, A: Floats) -> Floats:
    """Return *W* with *A W* = *I*, to less than the limits are moved outward for rounding."""
    rule = f"{where}: transition must have independent rows (so clearly that floats show it)"
    if np.linalg.matrix_rank(A) < len(A):
        raise ValueError(f"{rule}, got {A.shape[0]} x {A.shape[1]}")
    W: Floats = np.asarray(np.linalg.inv(A) if A.shape[0] == A.shape[1] else np.linalg.pinv(A))
    # The exact inverse less W is the exact inverse times what A W misses.
    missed = np.abs(A @ W - np.eye(len(A))).sum(axis=0)
    if (missed * np.abs(W).max() > _SAME * np.abs(W).max(axis=0)).any():
        raise ValueError(f"{rule}, got a matrix whose inverse floats miss by {missed.max():.1g}")
    return W


def _groups(where: str, by: Any, size: int) -> tuple[tuple[Hashable, ...], npt.NDArray[np.int64]]:
    """Return the labels of the groups, and the group of each line."""
    if by is None:
        return (None,), np.zeros(size, dtype=np.int64)
    if getattr(by, "ndim", 1) != 1:
        raise ValueError(f"{where}: by must have one axis, one group for each line")
    # `tolist` makes numbers of dates in nanoseconds.
    dates = isinstance(by, np.ndarray) and by.dtype.kind in "Mm"
    entries = by.tolist() if hasattr(by, "tolist") and not dates else by
    if isinstance(entries, (str, bytes, dict, set, frozenset)) or not hasattr(entries, "__iter__"):
        raise TypeError(f"{where}: by must be one group for each line, got {type(by).__name__}")
    entries = list(entries)
    if len(entries) != size:
        raise ValueError(f"{where}: by must have one group for each line, got {len(entries)}")
    numbers: dict[Hashable, int] = {}
    written: dict[Hashable, str] = {}
    codes = []
    for entry in entries:
        if _is_missing(entry):
            raise ValueError(
                f"{where}: by must have no missing group and hashable ones; give lines without a "
                "group one of their own"
            )
        codes.append(numbers.setdefault(entry, len(numbers)))
        # True equals 1 and 1.0, but a reader tells them apart.
        if written.setdefault(entry, str(entry)) != str(entry):
            raise ValueError(
                f"{where}: by must write equal groups in one way, got {written[entry]} and {entry}"
            )
    return tuple(numbers), np.array(codes, dtype=np.int64)


def _is_missing(entry: Any) -> bool:
    """Tell whether a group, or a part of it, is None, not equal to itself or not hashable."""
    if isinstance(entry, tuple):
        return any(_is_missing(part) for part in entry)
    if entry is None:
        return True
    try:
        hash(entry)
        return not bool(entry == entry)
    except (TypeError, ValueError, ArithmeticError):
        return True


def _values(column: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the distinct weights of a column of the inverse, and which of them each entry is."""
    order = np.argsort(column)
    gaps = np.diff(column[order]) > _SAME * np.abs(column).max()
    sets = np.empty(column.size, dtype=np.int64)
    sets[order] = np.concatenate([[0], np.cumsum(gaps)])
    weights = np.array([column[sets == j].mean() for j in range(int(sets.max()) + 1)])
    return weights, sets


def _limits(
    where: str, shows: Any, lines: Any, weights: Floats, alpha: float
) -> tuple[Floats, Floats]:
    """Return the least and largest share of one category, for each group."""
    if len(weights) == 1:  # one category: its share is certain
        return np.ones(len(lines)), np.ones(len(lines))
    # With two sets the one count decides about both; their limits are the same statement.
    tail = alpha / 2 if len(weights) == 2 else alpha / 2 / len(weights)
    below, above = _clopper_pearson(where, shows, lines[:, None], tail)
    # Rounding of the inverse, and of what counts as one weight.
    slack = 1e-8 * np.abs(weights).max()
    least = _extreme(below, above, weights, largest=False) - slack
    most = _extreme(below, above, weights, largest=True) + slack
    return np.clip(least, 0, 1), np.clip(most, 0, 1)


def _clopper_pearson(where: str, successes: Any, trials: Any, tail: float) -> tuple[Floats, Floats]:
    """Return the exact limits of a binomial share, each with its tail."""
    from scipy import special, stats  # a second that the other functions need not pay

    k, n = np.broadcast_arrays(successes, trials)
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, special.betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
        high = np.where(k < n, special.betainccinv(k + 1, np.maximum(n - k, 1), tail), 1.0)
    low = np.maximum(low * (1 - 1e-9), 0.0)
    high = np.minimum(high * (1 + 1e-9), 1.0)
    # By sums over the binomial numbers in place of the beta function.
    above = np.where(k > 0, stats.binom.sf(k - 1, n, low), 0.0)
    below = np.where(k < n, stats.binom.cdf(k, n, high), 0.0)
    _safety.certify(where, "the tail beyond a limit", np.maximum(above, below), tail, slack=1e-6)
    return np.asarray(low), np.asarray(high)


def _extreme(below: Floats, above: Floats, weights: Floats, *, largest: bool) -> Floats:
    """Return the extreme of a linear function of shares within limits that sum to 1."""
    order = np.argsort(weights)
    if largest:
        order = order[::-1]
    total = below @ weights
    left = 1 - below.sum(axis=1)
    for j in order:  # the cheapest set takes what it can
        taken = np.clip(left, 0, above[:, j] - below[:, j])
        total = total + taken * weights[j]
        left = left - taken
    return np.asarray(total)
