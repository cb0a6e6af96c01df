r"""How near a ranking of paths is to the true ranking.

Items are ranked by count, the largest first, ties in the order of the items. Let
:math:`r^*_i` be the true rank (from 1) of the item that the released counts put at place *i*. The
paper takes the relevance :math:`rel_i = k - r^*_i` and

.. math:: \mathrm{DCG}_k = \sum_{i=1}^k \frac{2^{rel_i - 1}}{\log(1 + i)}, \qquad
          \mathrm{NDCG}_k = \frac{\mathrm{DCG}_k}{\mathrm{IDCG}_k},

with the DCG of the true ranking as the ideal one. Here :math:`2^{rel_i - 1}` is
:math:`2^{k - 1} 2^{-r^*_i}`: a positive constant times a weight that halves with every true rank,
so that NDCG lies in (0, 1] and depends on *k* only through the sum. Two facts follow. The largest
term of each sum belongs to the first item; and all items beyond the first ten together weigh
less than :math:`2^{-10}`, so that nearly nothing of the ranking beyond the first few can be seen.

In the usual form the gain is :math:`2^{rel_i} - 1` with a relevance that is not negative; with
:math:`rel_i = \max(k + 1 - r^*_i, 0)` it differs from the printed one in little. With the
*linear* gain :math:`rel_i` itself every one of the first *k* places counts. `precision_at` and
`kendall` look at the set and at the order of the first *k*.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def _pair(where: str, true: npt.ArrayLike, released: npt.ArrayLike) -> tuple[FloatArray, ...]:
    arrays = []
    for name, value in (("true_counts", true), ("released_counts", released)):
        array = np.asarray(value, dtype=np.float64)
        if array.ndim != 1 or not array.size or not np.all(np.isfinite(array)):
            raise ValueError(
                f"{where}: {name} must be a non-empty list of finite numbers, "
                f"got shape {array.shape}"
            )
        arrays.append(array)
    if arrays[0].shape != arrays[1].shape:
        raise ValueError(
            f"{where}: released_counts must have one entry for each of the {arrays[0].size} "
            f"items, got {arrays[1].size}"
        )
    return tuple(arrays)


def _ranking(counts: FloatArray) -> IntArray:
    """Items from the largest count to the smallest, ties in the order of the items."""
    return np.argsort(-counts, kind="stable").astype(np.int64)


def ndcg(
    true_counts: npt.ArrayLike,
    released_counts: npt.ArrayLike,
    k: int,
    *,
    as_printed: bool = True,
    gain: str = "exponential",
) -> float:
    r"""Return the normalised discounted cumulative gain of the first `k` released items.

    Parameters
    ----------
    true_counts, released_counts : array_like, shape (items,)
        Counts of the same items in the same order.
    k : int
        Number of places, at most the number of items.
    as_printed : bool, optional
        ``True``: gain :math:`2^{rel - 1}`, :math:`rel = k - r^*`. ``False``: a relevance
        :math:`rel = \max(k + 1 - r^*, 0)` and the gain that `gain` names.
    gain : {"exponential", "linear"}, optional
        With ``as_printed=False``: :math:`2^{rel} - 1` or :math:`rel`.

    Returns
    -------
    float
        In [0, 1]; 1 if and only if the first `k` items come in the true order (as printed, up to
        ties in the arithmetic of doubles: a place beyond the 50th weighs less than one rounding).

    Raises
    ------
    ValueError
        If the counts are no finite lists of equal length, `k` is out of range or there is no such
        gain.

    Notes
    -----
    All gains are scaled by :math:`2^{-k}`, which cancels and keeps large `k` finite.

    References
    ----------
    .. [1] Kawamoto and Sakuma, section 6.
    .. [2] K. Järvelin and J. Kekäläinen, "IR evaluation methods for retrieving highly relevant
       documents", SIGIR 2000.

    Examples
    --------
    >>> ndcg([9, 5, 4, 1], [8, 5, 6, 1], 2)
    0.8801
    >>> ndcg([9, 5, 4, 1], [8, 5, 6, 1], 2, as_printed=False)
    0.8262
    """
    true, released = _pair("ndcg", true_counts, released_counts)
    places = checks.integer("ndcg", "k", k, low=1, high=true.size)
    if gain not in ("exponential", "linear"):
        raise ValueError(f"ndcg: gain must be 'exponential' or 'linear', got {gain!r}")
    rank = np.empty(true.size, dtype=np.int64)
    rank[_ranking(true)] = np.arange(1, true.size + 1)
    relevance = np.maximum(places + 1 - np.arange(1, true.size + 1), 0).astype(np.float64)
    if as_printed:
        gains = np.exp2(-np.arange(1, true.size + 1, dtype=np.float64))
    elif gain == "linear":
        gains = relevance
    else:
        gains = np.exp2(relevance - places) - np.exp2(-float(places))
    discount = 1 / np.log1p(np.arange(1, places + 1))
    got = gains[rank[_ranking(released)[:places]] - 1]
    return float(got @ discount / (gains[:places] @ discount))


def precision_at(true_counts: npt.ArrayLike, released_counts: npt.ArrayLike, k: int) -> float:
    """Return the share of the first `k` released items that are among the true first `k`.

    Parameters
    ----------
    true_counts, released_counts : array_like, shape (items,)
    k : int

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the counts are no finite lists of equal length or `k` is out of range.

    Examples
    --------
    >>> precision_at([9, 5, 4, 1], [8, 5, 6, 1], 2)
    0.5
    """
    true, released = _pair("precision_at", true_counts, released_counts)
    places = checks.integer("precision_at", "k", k, low=1, high=true.size)
    return float(np.isin(_ranking(true)[:places], _ranking(released)[:places]).mean())


def kendall(true_counts: npt.ArrayLike, released_counts: npt.ArrayLike, k: int) -> float:
    """Return Kendall's tau (b) between the counts of the true first `k` items.

    Parameters
    ----------
    true_counts, released_counts : array_like, shape (items,)
    k : int
        At least 2.

    Returns
    -------
    float
        In [-1, 1]: 1 for the same order, about 0 for an order that has nothing to do with it.

    Raises
    ------
    ValueError
        If the counts are no finite lists of equal length, `k` is out of range, or all of the `k`
        counts of one side are equal, which leaves tau undefined.

    Examples
    --------
    >>> kendall([9, 5, 4, 1], [8, 5, 6, 1], 3)
    0.3333
    """
    from scipy.stats import kendalltau

    true, released = _pair("kendall", true_counts, released_counts)
    places = checks.integer("kendall", "k", k, low=2, high=true.size)
    top = _ranking(true)[:places]
    if np.ptp(true[top]) == 0 or np.ptp(released[top]) == 0:
        raise ValueError(f"kendall: all {places} counts of one side are equal, tau is undefined")
    return float(kendalltau(true[top], released[top]).statistic)
