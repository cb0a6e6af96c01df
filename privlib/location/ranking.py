r"""How near a ranking of paths is to the true ranking.

Items are ranked by count, the largest first. Let :math:`r^*_i` be the true rank (from 1) of the
item that the released counts put at place *i*. In the usual form of

.. math:: \mathrm{DCG}_k = \sum_{i=1}^k \frac{\mathrm{gain}_i}{\log(1 + i)}, \qquad
          \mathrm{NDCG}_k = \frac{\mathrm{DCG}_k}{\mathrm{IDCG}_k},

with the DCG of the true ranking as the ideal one, the gain is :math:`2^{rel_i} - 1` with a
relevance that is not negative, here :math:`rel_i = \max(k + 1 - r^*_i, 0)`. The paper takes
:math:`2^{rel_i - 1}` and :math:`rel_i = k - r^*_i`, which differs in little: it is
:math:`2^{k - 1} 2^{-r^*_i}`, a positive constant times a weight that halves with every true rank,
so that NDCG lies in (0, 1] and depends on *k* only through the sum. Two facts follow. The terms of
the ideal sum fall from place to place, to less than half of the one before (those of a released
ranking need not); and all items beyond the first ten together weigh less than :math:`2^{-10}`, so
that nearly nothing of the ranking beyond the first few can be seen.

**Ties.** Items with the same count have no order, and none is chosen for them: a release that says
nothing, the same count for all items, must not score as the order in which they happen to be
listed. Both scores are the mean over all orders in which the items could be listed, each of which
breaks the ties of both rankings. The mean over :math:`m!` orders is a sum over pairs of tie groups.
Let an item be one of *c* items that share the tie group of *a* items in one ranking and that of *b*
in the other. In a random order of these :math:`n = a + b - c` items, *s* of them come before
it with probability :math:`1 / n` for each *s*, and the chance that *x* of these share both groups,
*y* only the first and *z* only the second, :math:`x + y + z = s`, is

.. math:: \binom{c - 1}{x} \binom{a - c}{y} \binom{b - c}{z} \Big/ \binom{n - 1}{s} .

A release that equals the truth has the score 1, its ties included. For a truth without ties the
mean is that of McSherry and Najork [1]_ over the ties of the release.

With the *linear* gain :math:`rel_i` itself every one of the first *k* places counts.
`precision_at` looks at the set of the first *k*.

.. [1] F. McSherry and M. Najork, "Computing information retrieval performance measures efficiently
   in the presence of tied scores", ECIR 2008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray, IntArray

GAINS = ("exponential", "linear", "printed")
TIE_LIMIT = 2_000_000_000  # terms of the sum over ties, some twenty seconds


def _pair(where: str, true: Any, released: Any) -> tuple[FloatArray, FloatArray]:
    """Return the counts of the same items as two arrays."""
    counts = {"true_counts": true, "released_counts": released}
    for name, value in counts.items():
        if hasattr(value, "keys") and not checks.is_pandas(value):
            raise TypeError(
                f"{where}: {name} is read by position, got a {type(value).__name__} with labels; "
                f"pass [{name}.get(item, 0) for item in items] for the same items in both"
            )
        if hasattr(value, "columns"):
            raise ValueError(f"{where}: {name} must have 1 dimension(s), got a table")
    if all(checks.is_pandas(value) for value in counts.values()):
        true, released = _same_items(where, true, released)
    first = checks.reals(where, "true_counts", true, ndim=1)
    if not first.size:
        raise ValueError(f"{where}: true_counts must have at least one item, got none")
    return first, checks.reals(where, "released_counts", released, shape=first.shape)


def _same_items(where: str, true: Any, released: Any) -> tuple[Any, Any]:
    """Return two Series of the same items in the same order as arrays."""
    if list(true.index) != list(released.index):
        raise ValueError(
            f"{where}: true_counts and released_counts must have the same items in the same order; "
            "pass released_counts.reindex(true_counts.index, fill_value=0)"
        )
    if not true.index.is_unique:
        raise ValueError(f"{where}: true_counts must have each item once")
    return true.to_numpy(), released.to_numpy()


@dataclass(frozen=True, eq=False)
class _Ties:
    """Groups of items of the same count, the largest first; `group` has the one of each item."""

    group: IntArray
    starts: IntArray
    sizes: IntArray

    @classmethod
    def of(cls, counts: FloatArray) -> _Ties:
        """Return the tie groups of counts."""
        _, group, sizes = np.unique(-counts, return_inverse=True, return_counts=True)
        return cls(group.reshape(-1), np.cumsum(sizes) - sizes, sizes)

    def mean(self, values: FloatArray) -> FloatArray:
        """Return for each item the mean of `values` over the places that it can have."""
        means = np.add.reduceat(values, self.starts) / self.sizes
        return np.asarray(means[self.group], dtype=np.float64)


def _mean_over_orders(
    where: str, true: FloatArray, released: FloatArray, gains: FloatArray, weights: FloatArray
) -> float:
    """Return the sum of gain by true place times weight by released place, on average over orders.

    `gains` and `weights` have one entry for each place.
    """
    truth = _Ties.of(true)
    shown = _Ties.of(released)
    a = truth.sizes[truth.group]
    b = shown.sizes[shown.group]
    alone = (a == 1) | (b == 1)
    # One of the two places is certain: the other one is uniform in its group.
    total = float(truth.mean(gains)[alone] @ shown.mean(weights)[alone])
    # Groups that begin where the gains or the weights have ended add nothing.
    gains = np.trim_zeros(gains, "b")
    weights = np.trim_zeros(weights, "b")
    counts = truth.starts[truth.group] < len(gains)
    counts &= shown.starts[shown.group] < len(weights)
    cells, shared = np.unique(
        np.stack([truth.group, shown.group])[:, counts & ~alone], axis=1, return_counts=True
    )
    for (t, r), c in zip(cells.T.tolist(), shared.tolist()):
        sizes = int(truth.sizes[t]), int(shown.sizes[r]), c
        own_gains = gains[truth.starts[t] :][: sizes[0]]
        own_weights = weights[shown.starts[r] :][: sizes[1]]
        total += c * _mean_in_both_groups(where, own_gains, own_weights, sizes)
    return total


def _mean_in_both_groups(
    where: str, gains: FloatArray, weights: FloatArray, sizes: tuple[int, int, int]
) -> float:
    """Return the mean of gain times weight of an item that two tie groups share.

    `sizes` are those of the two groups and of what they share; the gains and weights of the places
    of the groups may end earlier, where all others are 0.
    """
    a, b, c = sizes
    steps = min(c, len(gains), len(weights))
    if a == b == c:
        return float(gains[:steps] @ weights[:steps]) / c
    n = a + b - c
    terms = steps * len(gains) * len(weights)
    _safety.limit(where, "terms of the sum over ties", terms, TIE_LIMIT, "take a smaller k")
    total = 0.0
    for x in range(steps):
        y = np.arange(min(a - c, len(gains) - 1 - x) + 1)
        z = np.arange(min(b - c, len(weights) - 1 - x) + 1)
        s = x + y[:, None] + z
        logarithm = (
            _log_choose(c - 1, x)
            + _log_choose(a - c, y)[:, None]
            + _log_choose(b - c, z)
            - _log_choose(n - 1, s)
        )
        total += float(gains[x + y] @ np.exp(logarithm) @ weights[x + z])
    return total / n


def _log_choose(n: int, k: Any) -> Any:
    """Return the logarithm of a binomial coefficient."""
    return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)


def ndcg(
    true_counts: npt.ArrayLike, released_counts: npt.ArrayLike, *, k: int, gain: str = "exponential"
) -> float:
    r"""Return the normalised discounted cumulative gain of the first `k` released items.

    Parameters
    ----------
    true_counts, released_counts : array_like, shape (items,)
        Counts of the same items in the same order: arrays, or two Series with the same index.
    k : int
        Number of places, at most the number of items.
    gain : {"exponential", "linear", "printed"}
        :math:`2^{rel} - 1` or :math:`rel` with :math:`rel = \max(k + 1 - r^*, 0)`; that of the
        paper, :math:`2^{rel - 1}` with :math:`rel = k - r^*`.

    Returns
    -------
    float
        In [0, 1], the mean over all orders in which ties can be broken; without ties it is 1 if and
        only if the first `k` items come in the true order (as far as doubles tell: a place beyond
        the 50th weighs less than one rounding, except with the linear gain).

    Raises
    ------
    TypeError
        The counts are a dictionary or Counter.
    ValueError
        Two Series have not the same index, or the ties are so many that the sum over them would
        have more than 2e9 terms.

    Notes
    -----
    Exponential gains are scaled by :math:`2^{-k}`, which cancels and keeps large `k` finite.

    References
    ----------
    .. [1] Kawamoto and Sakuma, section 6.
    .. [2] K. Järvelin and J. Kekäläinen, "IR evaluation methods for retrieving highly relevant
       documents", SIGIR 2000.

    Examples
    --------
    >>> ndcg([9, 5, 4, 1], [8, 5, 6, 1], k=2)
    0.8262
    >>> ndcg([9, 5, 4, 1], [8, 5, 6, 1], k=2, gain="printed")
    0.8801

    A release that says nothing is right at the first place in one order of four.

    >>> ndcg([9, 5, 4, 1], [0, 0, 0, 0], k=1)
    0.25
    """
    where = "ndcg"
    true, released = _pair(where, true_counts, released_counts)
    places = checks.integer(where, "k", k, low=1, high=true.size)
    checks.choice(where, "gain", gain, GAINS)
    relevance = np.maximum(places - np.arange(true.size, dtype=np.float64), 0)
    if gain == "printed":
        gains = np.exp2(-np.arange(1, true.size + 1, dtype=np.float64))
    elif gain == "linear":
        gains = relevance
    else:
        gains = np.exp2(relevance - places) - np.exp2(-float(places))
    discount = np.zeros(true.size)
    discount[:places] = 1 / np.log1p(np.arange(1, places + 1))
    got = _mean_over_orders(where, true, released, gains, discount)
    # Not above 1 by rounding.
    return min(got / float(gains @ discount), 1.0)


def precision_at(true_counts: npt.ArrayLike, released_counts: npt.ArrayLike, *, k: int) -> float:
    """Return the share of the first `k` released items that are among the true first `k`.

    Parameters
    ----------
    true_counts, released_counts : array_like, shape (items,)
        Counts of the same items in the same order, as for `ndcg`.
    k : int
        Number of places, at most the number of items.

    Returns
    -------
    float
        The mean over all orders in which ties can be broken; without ties it is 1 if both rankings
        begin with the same `k` items, in whatever order, and 0 if they share none. For a random
        ranking of *m* items, and for one that ties them all, it is *k*/*m*.

    Raises
    ------
    TypeError, ValueError
        As for `ndcg`.

    Examples
    --------
    >>> precision_at([9, 5, 4, 1], [8, 5, 6, 1], k=2)
    0.5
    """
    where = "precision_at"
    true, released = _pair(where, true_counts, released_counts)
    places = checks.integer(where, "k", k, low=1, high=true.size)
    first = (np.arange(true.size) < places).astype(np.float64)
    return min(_mean_over_orders(where, true, released, first, first) / places, 1.0)
