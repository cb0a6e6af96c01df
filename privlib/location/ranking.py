r"""How near a ranking of paths is to the true ranking.

Items are ranked by count, the largest first, ties in the order of the items. Let
:math:`r^*_i` be the true rank (from 1) of the item that the released counts put at place *i*. In
the usual form of

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

With the *linear* gain :math:`rel_i` itself every one of the first *k* places counts.
`precision_at` looks at the set of the first *k*.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._checks import FloatArray, IntArray

GAINS = ("exponential", "linear", "printed")


def _pair(where: str, true: Any, released: Any) -> tuple[FloatArray, FloatArray]:
    """Return both counts as arrays; those with labels (a Series, a Counter) in one order."""
    if hasattr(true, "keys") and hasattr(released, "keys"):
        labels = dict.fromkeys([*true.keys(), *released.keys()])
        true, released = ([counts.get(label, 0) for label in labels] for counts in (true, released))
    first = checks.reals(where, "true_counts", true, ndim=1)
    if not first.size:
        raise ValueError(f"{where}: true_counts must have at least one item, got none")
    return first, checks.reals(where, "released_counts", released, shape=first.shape)


def _ranking(counts: FloatArray) -> IntArray:
    """Items from the largest count to the smallest, ties in the order of the items."""
    return np.argsort(-counts, kind="stable").astype(np.int64)


def ndcg(
    true_counts: npt.ArrayLike, released_counts: npt.ArrayLike, *, k: int, gain: str = "exponential"
) -> float:
    r"""Return the normalised discounted cumulative gain of the first `k` released items.

    Parameters
    ----------
    true_counts, released_counts : array_like, shape (items,), or Series
        Counts of the same items in the same order. Two Series (or Counters) are matched by label;
        an item that one of them does not mention has the count 0 there.
    k : int
        Number of places, at most the number of items.
    gain : {"exponential", "linear", "printed"}
        :math:`2^{rel} - 1` or :math:`rel` with :math:`rel = \max(k + 1 - r^*, 0)`; that of the
        paper, :math:`2^{rel - 1}` with :math:`rel = k - r^*`.

    Returns
    -------
    float
        In [0, 1]; 1 if and only if the first `k` items come in the true order (up to ties in the
        arithmetic of doubles: a place beyond the 50th weighs less than one rounding, except with
        the linear gain).

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
    """
    true, released = _pair("ndcg", true_counts, released_counts)
    places = checks.integer("ndcg", "k", k, low=1, high=true.size)
    checks.choice("ndcg", "gain", gain, GAINS)
    relevance = np.maximum(places - np.arange(true.size, dtype=np.float64), 0)
    if gain == "printed":
        gains = np.exp2(-np.arange(1, true.size + 1, dtype=np.float64))
    elif gain == "linear":
        gains = relevance
    else:
        gains = np.exp2(relevance - places) - np.exp2(-float(places))
    rank = np.empty(true.size, dtype=np.int64)
    rank[_ranking(true)] = np.arange(true.size)
    discount = 1 / np.log1p(np.arange(1, places + 1))
    got = gains[rank[_ranking(released)[:places]]]
    return float(got @ discount / (gains[:places] @ discount))


def precision_at(true_counts: npt.ArrayLike, released_counts: npt.ArrayLike, *, k: int) -> float:
    """Return the share of the first `k` released items that are among the true first `k`.

    Parameters
    ----------
    true_counts, released_counts : array_like, shape (items,), or Series
        Counts of the same items, in one order or with labels, as for `ndcg`.
    k : int
        Number of places, at most the number of items.

    Returns
    -------
    float
        1 if both rankings begin with the same `k` items, in whatever order, and 0 if they share
        none. For a random ranking of *m* items its mean is *k*/*m*.

    Examples
    --------
    >>> precision_at([9, 5, 4, 1], [8, 5, 6, 1], k=2)
    0.5
    """
    true, released = _pair("precision_at", true_counts, released_counts)
    places = checks.integer("precision_at", "k", k, low=1, high=true.size)
    return float(np.isin(_ranking(true)[:places], _ranking(released)[:places]).mean())
