r"""Post randomisation (PRAM) and sampling: how many records might be behind a slot.

Every record of *n* is rewritten by a row-stochastic matrix *A* (rows: true categories, columns:
shown ones), and *s* of the *n* results are released in random order. The swap lemma of the
package writes the inverse of the match probability of record *r* and slot :math:`r'` as 1 plus an
average of *n* − 1 ratios. With :math:`R_{uv}(a) = A[u][a] / A[v][a]`, *v* the value of *r*, *a*
the value of the slot, a record *t* of value *u* contributes

.. math::

    R_{uv}(a) \ge \gamma \quad (t \text{ not sampled}), \qquad
    \frac{R_{uv}(a)}{R_{uv}(b)} \ge g_2 \quad (t \text{ sampled, in a slot of value } b),

*n* − *s* times the first and *s* − 1 times the second, so that for every attacker

.. math:: k \ge 1 + (n - s)\,\gamma + (s - 1)\,g_2 \qquad\text{(Theorem 5.1).}

All that is needed of *A* are the extremes of :math:`R_{uv}` over the shown categories, one pair
of rows after the other: :math:`\gamma = \min_{uv} \min R_{uv}` and
:math:`g_2 = \min_{uv} \min R_{uv} / \max R_{uv}`. As
:math:`\max R_{uv} = 1 / \min R_{vu} \le 1/\gamma` and, rows having the same sum,
:math:`\max R_{uv} \ge 1`,

.. math:: \gamma^2 \le g_2 \le \gamma \le 1,

with :math:`g_2 < \gamma` unless all rows are equal: if :math:`\min R_{uv} = \gamma < 1`, the two
rows differ and :math:`\max R_{uv} > 1`.

**Where it fails.** A zero in *A* leaves a ratio undefined; the level is then 1 or more, no more can
be said from the matrix alone. And the bound holds for attackers who do not know who was
sampled: for those who do, the *n* − *s* terms vanish (`pk_level_response_knowledge`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib.disclosure import _validation as valid

Array = npt.NDArray[Any]

TIES = 1e-12  # relative; two float ratios closer than this are the same
_CHUNK = 2**18  # records rewritten at a time: the temporary arrays stay in the cache


class _Pair(NamedTuple):
    gamma: valid.Number
    g2: valid.Number


class RatioMinima(_Pair):
    """Smallest ratios of a transition matrix: the pair ``(gamma, g2)``, and where it is attained.

    Attributes
    ----------
    gamma : Fraction or float
        Smallest ``A[u][a] / A[v][a]``.
    g2 : Fraction or float
        Smallest ``A[u][a] A[v][b] / (A[v][a] A[u][b])``.
    gamma_at : tuple of int
        One ``(u, v, a)`` that attains `gamma`.
    g2_at : tuple of int
        One ``(u, v, a, b)`` that attains `g2`.
    """

    gamma_at: tuple[int, int, int]
    g2_at: tuple[int, int, int, int]

    def __new__(
        cls,
        gamma: valid.Number,
        g2: valid.Number,
        gamma_at: tuple[int, int, int],
        g2_at: tuple[int, int, int, int],
    ) -> Self:
        pair = super().__new__(cls, gamma, g2)
        pair.gamma_at, pair.g2_at = gamma_at, g2_at
        return pair


@dataclass(frozen=True)
class WorstCase:
    """A table and a release for which record 0 and slot 0 are easiest to match.

    Attributes
    ----------
    level : Fraction or float
        Inverse of the match probability of record 0 and slot 0.
    table : ndarray of int, shape (n,)
        True codes: record 0 against *n* − 1 others that are all alike.
    release : ndarray of int, shape (n_sampled,)
        Shown codes: slot 0 against others that are all alike.
    """

    level: valid.Number
    table: valid.IntArray
    release: valid.IntArray


def retention_matrix(keep: valid.Number, categories: int) -> Array:
    r"""Return the matrix that keeps a value, or else draws one of all values uniformly.

    Parameters
    ----------
    keep : int, Fraction or float
        Probability :math:`\rho` in [0, 1] with which a value is kept without a draw.
    categories : int
        Number of categories *N*, at least 1.

    Returns
    -------
    ndarray, shape (categories, categories)
        :math:`\rho I + (1 - \rho)/N \, J`; objects of type ``Fraction`` if `keep` is rational.

    Raises
    ------
    ValueError
        `keep` is not in [0, 1], or `categories` is less than 1.
    TypeError
        A number has the wrong type.

    Notes
    -----
    :math:`\gamma = (1 - \rho)/(1 + (N - 1)\rho)` and :math:`g_2 = \gamma^2`: the least that
    :math:`g_2` can be, so that these matrices gain most from sampling. The inverse
    :math:`\rho = (1 - \gamma)/(1 + (N - 1)\gamma)` is the same map. Also known as *k*-ary
    randomised response.

    References
    ----------
    Section 2.1; the matrix of the examples in the paper's reference [7].

    Examples
    --------
    >>> retention_matrix(Fraction(1, 2), 2)
    array([[Fraction(3, 4), Fraction(1, 4)],
           [Fraction(1, 4), Fraction(3, 4)]], dtype=object)
    """
    where = "retention_matrix"
    rho = valid.probability(where, "keep", keep)
    size = checks.integer(where, "categories", categories, low=1)
    matrix = np.full((size, size), (1 - rho) / size)
    np.fill_diagonal(matrix, rho + (1 - rho) / size)
    return matrix


def apply_pram(
    values: npt.ArrayLike,
    transition: Any,
    rng: np.random.Generator,
    *,
    categories: npt.ArrayLike | None = None,
) -> Array:
    r"""Rewrite every value of a table independently.

    Parameters
    ----------
    values : array_like, shape (n,)
        Codes ``0..N-1``, or labels out of `categories`.
    transition : array_like, shape (N, M)
        Row-stochastic matrix: rows true, columns shown categories.
    rng : numpy.random.Generator
        Source of randomness; one uniform number for each record.
    categories : array_like, shape (N,), optional
        Distinct labels of the rows, and of the columns (*M* = *N*).

    Returns
    -------
    ndarray, shape (n,)
        Shown codes, or labels.

    Raises
    ------
    ValueError
        A value is not one of the categories, `transition` is not row-stochastic, or `categories`
        does not fit it.
    TypeError
        `values` without `categories` does not hold integers, or `rng` is not a generator.

    Notes
    -----
    Walker's alias method: *M* columns of height 1/*M* in every row, each with at most two
    categories. A uniform number picks the column by its integer part and the category by its
    fraction: no search, no loop over records. Zero entries are never shown.

    References
    ----------
    Section 2.1.

    Examples
    --------
    >>> flip = [[0.0, 1.0], [1.0, 0.0]]
    >>> apply_pram([0, 1, 1], flip, np.random.default_rng(1))
    array([1, 0, 0])
    >>> apply_pram(["a", "b"], flip, np.random.default_rng(1), categories=["a", "b"])
    array(['b', 'a'], dtype='<U1')
    """
    where = "apply_pram"
    A = valid.transition_matrix(where, transition)
    checks.generator(where, rng)
    if categories is None:
        labels, codes = None, valid.codes(where, "values", values, A.shape[0])
    else:
        labels, codes = _labelled(where, values, categories, A.shape)
    share, alias = _alias_tables(A.astype(np.float64))
    columns = A.shape[1]
    shown = np.empty(codes.size, dtype=np.int64)
    for start in range(0, codes.size, _CHUNK):  # over blocks of records
        part = codes[start : start + _CHUNK]
        draw = rng.random(part.size) * columns
        column = draw.astype(np.int64)
        cell = part * columns + column
        shown[start : start + part.size] = np.where(
            draw - column < share[cell], column, alias[cell]
        )
    return shown if labels is None else labels[shown]


def ratio_minima(transition: Any) -> RatioMinima:
    r"""Return the two minima of Theorem 5.1.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix without zeros.

    Returns
    -------
    RatioMinima
        ``gamma`` and ``g2``, fractions for a rational matrix, and where they are attained.

    Raises
    ------
    ValueError
        `transition` is not row-stochastic, or has an entry 0: a ratio is then undefined.
    TypeError
        `transition` does not hold numbers.

    Notes
    -----
    :math:`O(N^2 M)` instead of the :math:`O(N^2 M^2)` of the definition: for a pair of rows,
    the minimum of :math:`R(a)/R(b)` over *a* and *b* is min *R* / max *R*.

    References
    ----------
    Theorem 5.1; the two minima over :math:`u, v, u', v'`.

    Examples
    --------
    >>> ratio_minima([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])[:2]
    (Fraction(1, 3), Fraction(1, 9))
    """
    low, high, at_low, at_high = _pairs("ratio_minima", transition)
    u, v = _argmin(low)
    x, y = _argmin(low / high)
    return RatioMinima(
        _plain(low[u, v]),
        _plain((low / high)[x, y]),
        (u, v, int(at_low[u, v])),
        (x, y, int(at_low[x, y]), int(at_high[x, y])),
    )


def pk_level(
    transition: Any,
    n: int,
    n_sampled: int | None = None,
    *,
    alike: int = 1,
    as_printed: bool = False,
) -> valid.Number:
    r"""Return the level *k* that PRAM and sampling guarantee against every attacker.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix without zeros.
    n : int
        Number of records of the table.
    n_sampled : int, optional
        Number of records in the release, in ``1..n``; all of them if not given.
    alike : int
        Number *m* of records that are known to have the target's value, itself included.
    as_printed : bool
        The form at the end of the proof and in section 5.2, whose last minimum is
        :math:`A_{u,v'} A_{u',v} / (A_{u',v} A_{u,v'})`: identically 1.

    Returns
    -------
    Fraction or float
        :math:`m + (n - m - S)\gamma + S g_2` with :math:`S = \min(s - 1, n - m)`; for
        *m* = 1 this is :math:`1 + (n - s)\gamma + (s - 1) g_2`.

    Raises
    ------
    ValueError
        `transition` is not row-stochastic or has an entry 0, or a number is out of its range.
    TypeError
        An argument has the wrong type.

    Notes
    -----
    A record of the target's value exchanges places with it without loss, so it counts one, sampled
    or not; of the others at most *S* are sampled, and as :math:`g_2 \le \gamma` the bound is
    lowest when *S* are.

    The theorem itself is printed correctly. The printed form of section 5.2 would give *k* = *n*
    without sampling for any matrix: for the matrix of the example, *n* = 3 and *s* = 2 the exact
    level is 13/9, the printed one 7/3.

    References
    ----------
    Theorem 5.1; with `as_printed` the last display of its proof.

    Examples
    --------
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> pk_level(half, 3, 2), pk_level(half, 3, 2, as_printed=True)
    (Fraction(13, 9), Fraction(7, 3))
    """
    n, s = _sizes("pk_level", n, n_sampled)
    m = checks.integer("pk_level", "alike", alike, low=1, high=n)
    low, high, _, _ = _pairs("pk_level", transition)
    last = 1 if as_printed else (low / high).min()
    sampled = min(s - 1, n - m)
    return _plain(m + (n - m - sampled) * low.min() + sampled * last)


def pk_level_response_knowledge(transition: Any, n: int, n_sampled: int) -> valid.Number:
    r"""Return the level against an attacker who knows that the record was sampled.

    Parameters
    ----------
    transition, n, n_sampled
        As for `pk_level`.

    Returns
    -------
    Fraction or float
        :math:`1 + (s - 1) g_2`.

    Raises
    ------
    ValueError, TypeError
        As for `pk_level`.

    Notes
    -----
    The swap lemma over the samples that contain *r*: only sampled records can change places with
    it. Always attained, and less than without sampling: to such an attacker the unsampled
    records are no cover.

    References
    ----------
    Section 2.2, which leaves this attacker out: hers does not know who was sampled.

    Examples
    --------
    >>> pk_level_response_knowledge(retention_matrix(Fraction(1, 2), 2), 4, 2)
    Fraction(10, 9)
    """
    where = "pk_level_response_knowledge"
    _, s = _sizes(where, n, n_sampled)
    low, high, _, _ = _pairs(where, transition)
    return _plain(1 + (s - 1) * (low / high).min())


def membership_bound(transition: Any, n: int, n_sampled: int) -> valid.Number:
    r"""Return the largest probability that a record was sampled, given any release.

    Parameters
    ----------
    transition, n, n_sampled
        As for `pk_level`.

    Returns
    -------
    Fraction or float
        :math:`p / (p + (1 - p)\gamma)` with *p* = *s*/*n*.

    Raises
    ------
    ValueError, TypeError
        As for `pk_level`.

    Notes
    -----
    Exchange *r* in its slot with one of *n* − *s* unsampled records: every sample without *r* comes
    out *s* times, once from each slot, each time with a factor of at least :math:`\gamma`. So the
    odds of "not sampled" are at least :math:`\gamma (n - s)/s`. Attained by a record of value *v*
    among records of value *u* when all slots show *a*.

    References
    ----------
    Not in the paper; compare the :math:`\delta`-presence of its references [12] and [13].

    Examples
    --------
    >>> membership_bound(retention_matrix(Fraction(1, 2), 2), 4, 2)
    Fraction(3, 4)
    """
    where = "membership_bound"
    n, s = _sizes(where, n, n_sampled)
    low, _, _, _ = _pairs(where, transition)
    return _plain(s / (s + (n - s) * low.min()))


def is_tight(transition: Any) -> bool:
    r"""Tell whether the bound of Theorem 5.1 is attained for :math:`2 \le s \le n - 1`.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix without zeros; float ratios are compared to a relative 1e-12.

    Returns
    -------
    bool
        Whether one pair of rows attains both minima.

    Raises
    ------
    ValueError, TypeError
        As for `ratio_minima`.

    Notes
    -----
    For *s* = 1 and *s* = *n* the bound is always attained, one of the two terms being absent. In
    between every other record *t* is sampled in some injections and not in others, all of which
    have positive weight. Equality in the average forces the *same* pair of rows, those of *t* and
    of *r*, to attain both minima; conversely a table whose other records all have the value *u*
    and whose other slots all show *b* then attains them. Two rows or two shown categories or
    retention always do.

    References
    ----------
    Theorem 5.1 (the paper does not ask whether it is attained).

    Examples
    --------
    >>> is_tight([[0.6, 0.3, 0.1], [0.1, 0.4, 0.5], [0.7, 0.1, 0.2]])
    False
    >>> is_tight(retention_matrix(Fraction(1, 2), 3))
    True
    """
    low, high, _, _ = _pairs("is_tight", transition)
    slack = 0 if low.dtype == object else TIES
    ratio = low / high
    both = (low <= low.min() * (1 + slack)) & (ratio <= ratio.min() * (1 + slack))
    return bool(both.any())


def homogeneous_worst_case(transition: Any, n: int, n_sampled: int | None = None) -> WorstCase:
    r"""Return the easiest match among the tables whose other records are all alike.

    Parameters
    ----------
    transition, n, n_sampled
        As for `pk_level`.

    Returns
    -------
    WorstCase
        Its level, the table and the release; record 0 and slot 0 are the target.

    Raises
    ------
    ValueError, TypeError
        As for `pk_level`.

    Notes
    -----
    With all other records of value *u* and all other slots *b*, every injection has the same
    ratios, and the level is exactly :math:`1 + (n - s) R(a) + (s - 1) R(a)/R(b)`. For the pair of
    rows that makes it smallest, *a* and *b* are where *R* is least and largest. It equals
    `pk_level` if `is_tight`, for *s* = 1 and for *s* = *n*. Otherwise it lies above the bound, and
    now and then a table that is *not* homogeneous is a little worse than this one.

    References
    ----------
    End of the proof of Theorem 5.1, which names these tables.

    Examples
    --------
    >>> A = [[Fraction(c, 10) for c in row] for row in [[6, 3, 1], [1, 4, 5], [7, 1, 2]]]
    >>> worst = homogeneous_worst_case(A, 3, 2)
    >>> worst.level, worst.table, worst.release, pk_level(A, 3, 2)
    (Fraction(33, 28), array([2, 1, 1]), array([0, 1]), Fraction(247, 210))
    """
    where = "homogeneous_worst_case"
    n, s = _sizes(where, n, n_sampled)
    low, high, at_low, at_high = _pairs(where, transition)
    levels = 1 + (n - s) * low + (s - 1) * (low / high)
    u, v = _argmin(levels)
    table, release = np.full(n, u), np.full(s, at_high[u, v])
    table[0], release[0] = v, at_low[u, v]
    return WorstCase(_plain(levels[u, v]), table, release)


def local_dp_epsilon(transition: Any) -> float:
    r"""Return the smallest :math:`\varepsilon` of local differential privacy of a matrix.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix without zeros.

    Returns
    -------
    float
        :math:`-\ln \gamma`.

    Raises
    ------
    ValueError, TypeError
        As for `ratio_minima`.

    Notes
    -----
    :math:`\varepsilon`-local differential privacy asks for
    :math:`A[v][a] \le e^\varepsilon A[u][a]` for all *u*, *v*, *a*: that is
    :math:`\gamma \ge e^{-\varepsilon}`.

    References
    ----------
    Not in the paper, which leaves the relation of :math:`\varepsilon` and risk open (section 1.1).

    Examples
    --------
    >>> local_dp_epsilon([[0.75, 0.25], [0.25, 0.75]])  # ln 3
    1.098612
    """
    return -_log(_pairs("local_dp_epsilon", transition)[0].min())


def local_dp_pk_level(epsilon: float, n: int, n_sampled: int | None = None) -> float:
    r"""Return the level that every locally differentially private release guarantees.

    Parameters
    ----------
    epsilon : float
        Parameter of the local guarantee, not negative.
    n, n_sampled
        As for `pk_level`.

    Returns
    -------
    float
        :math:`1 + (n - s) e^{-\varepsilon} + (s - 1) e^{-2\varepsilon}`.

    Raises
    ------
    ValueError, TypeError
        As for `pk_level`; also if `epsilon` is negative.

    Notes
    -----
    :math:`\gamma \ge e^{-\varepsilon}` and :math:`g_2 \ge \gamma^2`. Attained by retention.

    References
    ----------
    Not in the paper; Theorem 5.1 with :math:`\gamma = e^{-\varepsilon}`.

    Examples
    --------
    >>> local_dp_pk_level(5, 10**6), local_dp_pk_level(5, 10**6, 10**5)
    (46.4, 6069.7)
    """
    where = "local_dp_pk_level"
    n, s = _sizes(where, n, n_sampled)
    gamma = math.exp(-checks.non_negative(where, "epsilon", epsilon))
    return 1 + (n - s) * gamma + (s - 1) * gamma**2


def amplified_epsilon(epsilon: float, p: float) -> float:
    r"""Return the :math:`\varepsilon` of a private mechanism on a sample without replacement.

    Parameters
    ----------
    epsilon : float
        Parameter of the mechanism on the sample, not negative.
    p : float
        Sampling rate *s*/*n*, in (0, 1].

    Returns
    -------
    float
        :math:`\ln(1 + p\,(e^\varepsilon - 1))`, for tables that differ in one record.

    Raises
    ------
    ValueError
        `epsilon` is negative, or `p` is not in (0, 1].
    TypeError
        A number has the wrong type.

    Notes
    -----
    With probability 1 − *p* the record is not in the sample and nothing differs. Exact for
    retention: the event that all slots show the one category attains it.

    References
    ----------
    The paper's reference [15] names the effect; Balle, Barthe and Gaboardi (2018) prove the form.

    Examples
    --------
    >>> amplified_epsilon(2, 0.1), amplified_epsilon(1, 0.01)
    (0.49403, 0.01704)
    """
    where = "amplified_epsilon"
    eps = checks.non_negative(where, "epsilon", epsilon)
    rate = float(valid.probability(where, "p", p, positive=True))
    if eps < 1:
        return math.log1p(rate * math.expm1(eps))
    return eps + math.log(rate + (1 - rate) * math.exp(-eps))  # does not overflow


# ---------------------------------------------------------------------------------------------


def _sizes(where: str, n: Any, n_sampled: Any) -> tuple[int, int]:
    """Return *n* and *s*; no sampling is *s* = *n*."""
    return valid.sizes(where, n, n if n_sampled is None else n_sampled)


def _pairs(where: str, transition: Any) -> tuple[Array, Array, Array, Array]:
    """Return min and max of R = A[u] / A[v] over the columns, and where, for all (u, v)."""
    A = valid.transition_matrix(where, transition)
    zeros = np.argwhere(A == 0)
    if zeros.size:
        u, a = zeros[0]
        raise ValueError(
            f"{where}: transition must not have zeros (a ratio is undefined, and only k >= 1 "
            f"is certain), got 0 in row {u}, column {a}"
        )
    shape = (A.shape[0], A.shape[0])
    low, high = np.empty(shape, A.dtype), np.empty(shape, A.dtype)
    at_low, at_high = np.empty(shape, np.int64), np.empty(shape, np.int64)
    for u, row in enumerate(A):  # over categories, so that memory is O(N M)
        R = row / A
        low[u], high[u] = R.min(axis=1), R.max(axis=1)
        at_low[u], at_high[u] = R.argmin(axis=1), R.argmax(axis=1)
    return low, high, at_low, at_high


def _argmin(values: Array) -> tuple[int, int]:
    """Return the place of the first smallest entry of a matrix."""
    row, column = divmod(int(values.argmin()), values.shape[1])
    return row, column


def _plain(value: Any) -> valid.Number:
    """Return a scalar of an array as a ``Fraction`` or a ``float``."""
    return value if isinstance(value, Fraction) else float(value)


def _log(value: valid.Number) -> float:
    """Return the logarithm, also of a fraction too small for a float."""
    if isinstance(value, Fraction):
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)


def _labelled(
    where: str, values: npt.ArrayLike, categories: npt.ArrayLike, shape: tuple[int, ...]
) -> tuple[Array, valid.IntArray]:
    """Return the labels, and the values as their codes."""
    labels, array = np.asarray(categories), np.asarray(values)
    if labels.shape != (shape[0],) or shape[0] != shape[1]:
        raise ValueError(
            f"{where}: categories must be the labels of the rows and columns of a square "
            f"transition, got shape {labels.shape} for a matrix of shape {shape}"
        )
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{where}: values must be a non-empty vector, got shape {array.shape}")
    order = np.argsort(labels, kind="stable")
    ranked = labels[order]
    if (ranked[1:] == ranked[:-1]).any():
        raise ValueError(f"{where}: categories must be distinct, got {labels.tolist()}")
    place = np.minimum(np.searchsorted(ranked, array), labels.size - 1)
    unknown = ranked[place] != array
    if unknown.any():
        raise ValueError(f"{where}: values must be among the categories, got {array[unknown][0]!r}")
    return labels, order[place].astype(np.int64)


def _alias_tables(A: npt.NDArray[np.float64]) -> tuple[Array, Array]:
    """Return for every row and column the share of its own category, and the other category."""
    size = A.shape[1]
    share = A / A.sum(axis=1, keepdims=True) * size
    alias = np.broadcast_to(np.arange(size), A.shape).copy()
    for heights, other in zip(share, alias):  # over categories, each once
        small = [int(a) for a in np.flatnonzero(heights < 1)]
        large = [int(a) for a in np.flatnonzero(heights >= 1)]
        left = heights.copy()
        while small and large:
            a, b = small.pop(), large[-1]
            heights[a], other[a] = left[a], b
            left[b] -= 1 - left[a]
            if left[b] < 1:
                small.append(large.pop())
        for a in small + large:  # 1 up to rounding
            heights[a] = 1.0
    return share.ravel(), alias.ravel()
