r"""The levels of Pk-anonymity that PRAM and sampling guarantee: Theorem 5.1 and its kin.

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

**Where it fails.** A zero beside a positive entry of its column leaves a ratio undefined; the level
is then 1 or more, no more can be said from the matrix alone. (A column of zeros, a category that no
row shows, does no harm and is left out.) And the bound holds for attackers who do not know who was
sampled: for those who do, the *n* − *s* terms vanish (`pk_level_response_knowledge`).

*Strata.* With :math:`s_h` of :math:`n_h` records from stratum *h*, the swap lemma keeps to the
exchanges that leave the numbers :math:`s_h` alone. If the release does not show the strata,
exchanges of three records come in: *r* out of its slot, a sampled record *t* of another stratum
into it, an unsampled one of stratum *h* into the slot that *t* left.

Every function takes as `transition` a matrix of fractions (the answer is then exact) or floats, a
pandas DataFrame with labelled rows and columns, a sparse matrix or the weights of a networkx graph.

**Rounding.** A matrix of floats is taken as the exact numbers that its entries are, and as the same
with its rows scaled to sum to 1, whichever is worse; levels and the lower end of an interval are
rounded down, the upper end up. Every level is computed a second time, from
differences of logarithms in place of ratios, before it is returned.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array
from privlib.disclosure import bounds, posterior
from privlib.disclosure import ratios as pairs
from privlib.disclosure import validation as valid

LABELS = ("released", "hidden")
TIES = 1e-12  # relative; two float ratios closer than this are the same
MAX_RECORDS = 10**8  # of a table that is written out
# Records up to which the attack of a worst case is carried out, and up to which in fractions, for a
# matrix of fractions.
_POSTERIOR = 20_000
_EXACT = 60


@dataclass(frozen=True)
class RatioMinima:
    """Smallest ratios of a transition matrix, and where they are attained.

    Parameters
    ----------
    gamma : Fraction or float
        Smallest ``A[u][a] / A[v][a]``, in (0, 1].
    g2 : Fraction or float
        Smallest ``A[u][a] A[v][b] / (A[v][a] A[u][b])``, at most `gamma`.
    gamma_at : tuple of int
        One ``(u, v, a)`` that attains `gamma`.
    g2_at : tuple of int
        One ``(u, v, a, b)`` that attains `g2`.

    Examples
    --------
    >>> from privlib.disclosure import retention_matrix
    >>> minima = ratio_minima(retention_matrix(Fraction(1, 2), 2))  # 3/4 and 1/4
    >>> minima.gamma, minima.g2
    (Fraction(1, 3), Fraction(1, 9))
    """

    gamma: checks.Number
    g2: checks.Number
    gamma_at: tuple[int, int, int]
    g2_at: tuple[int, int, int, int]


@dataclass(frozen=True, repr=False)
class WorstCase:
    """A table and a release for which record 0 and slot 0 are easiest to match.

    Parameters
    ----------
    level : Fraction or float
        Inverse of the match probability of record 0 and slot 0, a float rounded down.
    table : ndarray of int, shape (n,)
        True codes: record 0 against *n* − 1 others that are all alike.
    release : ndarray of int, shape (n_sampled,)
        Shown codes: slot 0 against others that are all alike.

    Examples
    --------
    >>> from privlib.disclosure import retention_matrix
    >>> worst = homogeneous_worst_case(retention_matrix(Fraction(1, 2), 2), 4, n_sampled=2)
    >>> worst.level, worst.table.tolist(), worst.release.tolist()
    (Fraction(16, 9), [1, 0, 0, 0], [1, 0])
    """

    level: checks.Number
    table: checks.IntArray
    release: checks.IntArray

    def __repr__(self) -> str:
        return (
            f"WorstCase(level {float(self.level):.4g}, {self.table.size} records, "
            f"{self.release.size} slots)"
        )


def ratio_minima(transition: Any) -> RatioMinima:
    r"""Return the two minima of Theorem 5.1.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column.

    Returns
    -------
    RatioMinima
        ``gamma`` and ``g2``, fractions for a rational matrix, and where they are attained.

    Raises
    ------
    ValueError, TypeError
        `transition` is not row-stochastic, or has a 0 beside a positive entry of its column: a
        ratio is then undefined.

    Notes
    -----
    :math:`O(N^2 M)` instead of the :math:`O(N^2 M^2)` of the definition: for a pair of rows,
    the minimum of :math:`R(a)/R(b)` over *a* and *b* is min *R* / max *R*.

    References
    ----------
    Theorem 5.1; the two minima over :math:`u, v, u', v'`.

    Examples
    --------
    >>> minima = ratio_minima([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    >>> minima.gamma, minima.g2
    (Fraction(1, 3), Fraction(1, 9))
    """
    A, used = pairs.positive("ratio_minima", transition)
    low, high, at_low, at_high = pairs.of_pairs("ratio_minima", A.take(used, axis=1), used)
    u, v = divmod(int(low.argmin()), len(low))
    x, y = divmod(int((low / high).argmin()), len(low))
    gamma_at = u, v, int(at_low[u, v])
    g2_at = x, y, int(at_low[x, y]), int(at_high[x, y])
    return RatioMinima(low.item(u, v), (low / high).item(x, y), gamma_at, g2_at)


def pk_level(
    transition: Any, n: int, *, n_sampled: int | None = None, alike: int = 1, shown: int = 1
) -> checks.Number:
    r"""Return the level *k* that PRAM and sampling guarantee, whatever is known of the table.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column.
    n : int
        Number of records of the table.
    n_sampled : int, optional
        Number of records in the release, in ``1..n``; all of them if not given.
    alike : int
        Number *m* of records that are known to have the target's value, itself included.
    shown : int
        Number *f* of slots that are known to show the value of the target's slot, itself included:
        the least frequency of a value in the release serves for all.

    Returns
    -------
    Fraction or float
        :math:`M + (n - M - S)\gamma + S g_2` with :math:`M = \max(m, f)` and
        :math:`S = \min(s - f, n - M)`; for *m* = *f* = 1 this is
        :math:`1 + (n - s)\gamma + (s - 1) g_2`.

    Raises
    ------
    ValueError, TypeError
        `transition` is not row-stochastic or has a 0 beside a positive entry of its column, or a
        number is out of its range.

    Notes
    -----
    A record of the target's value exchanges places with it without loss, so it counts one, sampled
    or not, and so does a record in a slot of the same value: at worst, the records of the one kind
    are among those of the other. Of the others at most *S* are sampled, and as
    :math:`g_2 \le \gamma` the bound is lowest when *S* are.

    References
    ----------
    Theorem 5.1.

    Examples
    --------
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> pk_level(half, 3, n_sampled=2), pk_level(half, 3)
    (Fraction(13, 9), Fraction(11, 9))
    """
    where = "pk_level"
    n, s = valid.sizes(where, n, n_sampled)
    m = checks.integer(where, "alike", alike, low=1, high=n)
    f = checks.integer(where, "shown", shown, low=1, high=s)
    ratios = pairs.extremes(where, transition)
    whole = max(m, f)
    sampled = min(s - f, n - whole)
    level = whole + (n - whole - sampled) * ratios.gamma + sampled * ratios.g2
    again = _worst_arrangement(n, s, m, f, *ratios.again)
    return _certified(where, level, again, exact=ratios.exact)


def pk_level_response_knowledge(
    transition: Any, n: int, *, n_sampled: int | None = None, shown: int = 1
) -> checks.Number:
    r"""Return the level against an attacker who knows that the record was sampled.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column.
    n : int
        Number of records of the table.
    n_sampled : int, optional
        Number of records in the release, in ``1..n``; all of them if not given.
    shown : int
        Number *f* of slots that are known to show the value of the target's slot, itself included.

    Returns
    -------
    Fraction or float
        :math:`f + (s - f) g_2`, *f* = `shown`.

    Raises
    ------
    ValueError, TypeError
        As for `pk_level`.

    Notes
    -----
    The swap lemma over the samples that contain *r*: only sampled records can change places with
    it. Attained whenever there are such releases (two shown categories or *f* = *s*) and, for
    *f* = 1 and *s* < *n*, less than without sampling: to such an attacker the unsampled records are
    no cover.

    References
    ----------
    Section 2.2, which leaves this attacker out: hers does not know who was sampled.

    Examples
    --------
    >>> from privlib.disclosure import retention_matrix
    >>> pk_level_response_knowledge(retention_matrix(Fraction(1, 2), 2), 4, n_sampled=2)
    Fraction(10, 9)
    """
    where = "pk_level_response_knowledge"
    _, s = valid.sizes(where, n, n_sampled)
    f = checks.integer(where, "shown", shown, low=1, high=s)
    ratios = pairs.extremes(where, transition)
    # Who took part is the whole table of such an attacker: s records, all of them released.
    again = _worst_arrangement(s, s, 1, f, *ratios.again)
    return _certified(where, f + (s - f) * ratios.g2, again, exact=ratios.exact)


def membership_interval(
    transition: Any, n: int, *, n_sampled: int | None = None
) -> tuple[checks.Number, checks.Number]:
    r"""Return the least and the largest probability that a record was sampled, given any release.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column.
    n : int
        Number of records of the table.
    n_sampled : int, optional
        Number of records in the release, in ``1..n``; all of them if not given.

    Returns
    -------
    tuple of Fraction or float
        :math:`p\gamma / (p\gamma + 1 - p)` and :math:`p / (p + (1 - p)\gamma)`, *p* = *s*/*n*.

    Raises
    ------
    ValueError, TypeError
        As for `pk_level`.

    Notes
    -----
    Pair every injection without *r*, and one of its *s* slots, with the injection that has *r*
    in this slot instead: it comes from *n* − *s* such pairs, one for each unsampled record *t*. A
    pair differs by the factor :math:`L_r(a)/L_t(a)`, which lies in :math:`[\gamma, 1/\gamma]`, so
    the odds of "sampled" are :math:`s/(n - s)` times an average of such factors. Both ends are
    attained by a record among records that are all alike when all slots show one value: where
    :math:`\gamma = A[u][a]/A[v][a]`, the lower one by a record of value *u* among *v*, the upper
    one by *v* among *u*.

    References
    ----------
    Section 1.3: the :math:`\delta`-presence of the paper's references [12] and [13], both sides.

    Examples
    --------
    >>> from privlib.disclosure import retention_matrix
    >>> membership_interval(retention_matrix(Fraction(1, 2), 2), 4, n_sampled=2)
    (Fraction(1, 4), Fraction(3, 4))
    """
    where = "membership_interval"
    n, s = valid.sizes(where, n, n_sampled)
    ratios = pairs.extremes(where, transition)
    gamma = ratios.gamma
    left = n - s
    least = s * gamma / (s * gamma + left) if left else Fraction(1)
    most = s / (s + left * gamma)
    low = bounds.as_given(least, exact=ratios.exact)
    high = bounds.as_given(most, exact=ratios.exact, up=True)
    # A second time as logarithms of odds, which neither under- nor overflow.
    if left:
        odds = math.log(s) - math.log(left)
        ratio = float(ratios.logs.min())
        log_odds = bounds.log_odds(low), odds - ratio
        allowed = odds + ratio, bounds.log_odds(high)
        _safety.certify(where, "the log odds of an end", log_odds, allowed, unit=_safety.SLACK)
    return low, high


def is_tight(transition: Any) -> bool:
    r"""Tell whether the bound of Theorem 5.1 is attained for :math:`2 \le s \le n - 1`.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column; ratios of floats are
        compared to a relative 1e-12, in logarithms.

    Returns
    -------
    bool
        Whether one pair of rows attains both minima.

    Notes
    -----
    For *s* = 1 and *s* = *n* the bound is always attained, one of the two terms being absent. In
    between every other record *t* is sampled in some injections and not in others, all of which
    have positive weight. Equality in the average forces the *same* pair of rows, those of *t* and
    of *r*, to attain both minima; conversely a table whose other records all have the value *u*
    and whose other slots all show *b* then attains them. Two rows or two shown categories always
    do, and so does any matrix that keeps all values with one probability and else draws from one
    distribution: with :math:`x_v = A[u][v] / A[v][v]` the minima are :math:`x_v` and
    :math:`x_u x_v` for the two rarest values.

    References
    ----------
    Theorem 5.1 (the paper does not ask whether it is attained).

    Examples
    --------
    >>> from privlib.disclosure import retention_matrix
    >>> is_tight([[0.6, 0.3, 0.1], [0.1, 0.4, 0.5], [0.7, 0.1, 0.2]])
    False
    >>> is_tight(retention_matrix(Fraction(1, 2), 3))
    True
    """
    A, used = pairs.positive("is_tight", transition)
    A = A.take(used, axis=1)
    if A.dtype == object:
        low, high, _, _ = pairs.of_pairs("is_tight", A, used)
        ratio = low / high
        return bool(((low == low.min()) & (ratio == ratio.min())).any())
    pairs.limit_work("is_tight", A, exact=False)
    logs, highs = bounds.log_extremes(A)  # the ratios of ratios may be too small for a float
    spreads = logs - highs
    return bool(((logs <= logs.min() + TIES) & (spreads <= spreads.min() + TIES)).any())


def homogeneous_worst_case(transition: Any, n: int, *, n_sampled: int | None = None) -> WorstCase:
    r"""Return the easiest match among the tables whose other records are all alike.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column.
    n : int
        Number of records of the table, at most 10^8.
    n_sampled : int, optional
        Number of records in the release, in ``1..n``; all of them if not given.

    Returns
    -------
    WorstCase
        Its level, the table and the release; record 0 and slot 0 are the target.

    Raises
    ------
    ValueError, TypeError
        As for `pk_level`, or *n* is more than 10^8: the table is written out.

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
    >>> worst = homogeneous_worst_case(A, 3, n_sampled=2)
    >>> worst.level, worst.table, worst.release, pk_level(A, 3, n_sampled=2)
    (Fraction(33, 28), array([2, 1, 1]), array([0, 1]), Fraction(247, 210))
    """
    where = "homogeneous_worst_case"
    n, s = valid.sizes(where, n, n_sampled)
    _safety.limit(where, "n", n, MAX_RECORDS)
    A, used = pairs.positive(where, transition)
    low, high, at_low, at_high = pairs.of_pairs(where, A.take(used, axis=1), used)
    levels = 1 + (n - s) * low + (s - 1) * (low / high)
    u, v = divmod(int(levels.argmin()), len(levels))
    a = int(at_low[u, v])
    b = int(at_high[u, v])
    table = np.full(n, u)
    release = np.full(s, b)
    table[0] = v
    release[0] = a
    least = Fraction(A[u, a]) / Fraction(A[v, a])
    most = Fraction(A[u, b]) / Fraction(A[v, b])
    level = 1 + (n - s) * least + (s - 1) * least / most
    tried = A if A.dtype != object or n <= _EXACT else A.astype(np.float64)
    if n <= _POSTERIOR and (tried[:, used] != 0).all():  # the attack itself
        attacked = posterior.match_probability(table, release, transition=tried, record=0, slot=0)
        risk = float(attacked)
        _safety.certify(where, "the match probability", risk, 1 / bounds.float_down(level))
        _safety.certify(where, "1/level", bounds.float_down(1 / level), risk)
    return WorstCase(bounds.as_given(level, exact=A.dtype == object), table, release)


def stratified_pk_level(
    transition: Any, sizes: Any, *, samples: Any, labels: str = "released"
) -> Any:
    r"""Return the level of the records of every stratum under stratified sampling.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column.
    sizes : array_like of int, shape (H,)
        Numbers of records :math:`n_h` of the strata.
    samples : array_like of int, shape (H,)
        Numbers of sampled records :math:`s_h`, each in :math:`1..n_h`, in the same order.
    labels : {"released", "hidden"}
        Whether the release shows the stratum of a slot.

    Returns
    -------
    ndarray, shape (H,)
        "released": :math:`1 + (n_h - s_h)\gamma + (s_h - 1) g_2`, Theorem 5.1 inside the stratum.
        "hidden": :math:`1 + (n_h - s_h)\gamma + (s - 1) g_2`
        :math:`{} + (n_h - s_h)(s - s_h)\gamma^2/s_h`.
        Fractions for a rational matrix.

    Raises
    ------
    ValueError, TypeError
        As for `pk_level`, or there is not one sample for each stratum.

    Notes
    -----
    With hidden labels the samples of other strata are cover too: exchanges of two sampled records
    (*s* − 1 of them), and of three records as in the module's opening, each result of which comes
    from :math:`s_h` choices of the middle slot. A factor of the latter is
    :math:`R_{uv}(a) R_{xu}(b) \ge \gamma^2`, *x* the value of the record that comes in. A stratum
    that is taken whole has no unsampled record: :math:`k_h = 1 + (s - 1) g_2`.

    References
    ----------
    Section 6, future work.

    Examples
    --------
    >>> from privlib.disclosure import retention_matrix
    >>> A = retention_matrix(Fraction(1, 2), 3)
    >>> stratified_pk_level(A, [3, 2], samples=[1, 2], labels="hidden")
    array([Fraction(15, 8), Fraction(9, 8)], dtype=object)
    """
    where = "stratified_pk_level"
    checks.choice(where, "labels", labels, LABELS)
    # Python's integers: fractions may multiply them.
    n_h = checks.integers(where, "sizes", sizes, low=1, ndim=1).astype(object)
    s_h = checks.integers(where, "samples", samples, low=1, ndim=1).astype(object)
    if not n_h.size or n_h.shape != s_h.shape:
        rule = "have one number for each stratum"
        raise ValueError(f"{where}: sizes and samples must {rule}, got {n_h.size} and {s_h.size}")
    checks.refuse(where, "samples", s_h, "at most the size of the stratum", s_h <= n_h)
    ratios = pairs.extremes(where, transition)
    total = int(s_h.sum())
    levels: list[checks.Number] = []
    for size, taken in zip(n_h.tolist(), s_h.tolist()):
        slots = taken if labels == "released" else total  # that r may be in
        left = size - taken
        two = slots - 1
        three = Fraction(left * (slots - taken), taken)
        level = 1 + left * ratios.gamma + two * ratios.g2 + three * ratios.gamma**2
        gamma = Fraction(ratios.again[0])
        g2 = Fraction(ratios.again[1])
        again = bounds.float_down(1 + two * g2 + gamma * (left + three * gamma))
        levels.append(_certified(where, level, again, exact=ratios.exact))
    dtype = object if ratios.exact else np.float64
    return np.array(levels, dtype=dtype)


def conditional_poisson_pk_level(transition: Any, odds: npt.ArrayLike, *, n_sampled: int) -> Any:
    r"""Return the level of every record under sampling with unequal probabilities.

    Parameters
    ----------
    transition : array_like, shape (N, M)
        Row-stochastic matrix, no zero beside a positive entry of its column.
    odds : array_like or Series, shape (n,)
        Positive weights :math:`\omega_t`: a sample of size *s* has probability proportional to
        the product of its weights. The index of a Series names people: it is dropped.
    n_sampled : int
        Number of records in the release, in ``1..n``.

    Returns
    -------
    ndarray of float, shape (n,)
        :math:`1 + \gamma\,\Omega_r/\omega_r + (s - 1) g_2`, :math:`\Omega_r` the sum of the
        *n* − *s* smallest weights of other records; rounded down.

    Raises
    ------
    ValueError, TypeError
        As for `pk_level`, or a weight is not positive and finite.

    Notes
    -----
    An exchange with an unsampled record *t* multiplies the probability of the sample by
    :math:`\omega_t/\omega_r`; one with a sampled record leaves it alone. Equal weights give
    Theorem 5.1. A record that is all but sure to be sampled has next to no cover.

    References
    ----------
    Section 6, future work.

    Examples
    --------
    >>> from privlib.disclosure import retention_matrix
    >>> A = retention_matrix(0.5, 2)
    >>> conditional_poisson_pk_level(A, [1, 1, 1, 3], n_sampled=2)
    array([1.778, 1.778, 1.778, 1.333])
    """
    where = "conditional_poisson_pk_level"
    ratios = pairs.extremes(where, transition)
    weights = checks.reals(where, "odds", odds, "positive", lambda x: x > 0, ndim=1, records=True)
    n, s = valid.sizes(where, weights.size, n_sampled, required=True)
    order = np.argsort(weights, kind="stable")
    covers = _covers(weights, order, n - s)
    gamma = bounds.float_down(ratios.gamma)
    g2 = bounds.float_down(ratios.g2)
    # Five roundings of numbers that are not negative, each of half a unit in the last place.
    levels = (1 + gamma * covers + (s - 1) * g2) * (1 - 2.0**-50)
    levels = np.maximum(levels, 1.0)
    # A second time in fractions, for the records that have least and most cover, and some between.
    picked = np.unique(np.concatenate([order[:2], order[:: max(1, n // 16)], order[-2:]]))
    sums = bounds.exact_sum(weights[order[: n - s]])
    among = set(order[: n - s].tolist())
    following = Fraction(float(weights[order[min(n - s, n - 1)]]))
    for r in picked.tolist():
        own = Fraction(float(weights[r]))
        others = sums if r not in among else sums + following - own
        level = 1 + others / own * Fraction(ratios.again[0]) + (s - 1) * Fraction(ratios.again[1])
        bounds.certify_level(where, float(levels[r]), bounds.float_down(level))
    return levels


def _covers(weights: checks.FloatArray, order: Array, left: int) -> checks.FloatArray:
    """Return the sum of the `left` smallest weights of others, over each record's own weight."""
    powers = np.frexp(weights)[1]
    smallest = order[:left]
    following = order[left : left + 1]
    if int(powers.max()) - int(powers.min()) > 900:
        # No unit suits all of them: as integers, in the smallest unit of floats.
        units = [int(Fraction(weight) * 2**1074) for weight in weights.tolist()]
        base = sum(units[r] for r in smallest.tolist())
        among = set(smallest.tolist())
        covers = []
        for r, own in enumerate(units):
            others = base + units[int(following[0])] - own if r in among else base
            covers.append(bounds.float_down(Fraction(others, own)))
        return np.array(covers)
    scaled = np.ldexp(weights, -int(powers.max()))  # in the unit of the largest: changes no digit
    base_sum = math.fsum(scaled[smallest])
    sums = np.full(weights.size, base_sum)
    if left:  # a record among the smallest is replaced by the next one
        with_next = math.fsum([base_sum, *scaled[following]])
        sums[smallest] = with_next - scaled[smallest]
    return np.asarray(sums / scaled)


def _worst_arrangement(n: int, s: int, m: int, f: int, gamma: float, g2: float) -> float:
    """Return the least level over who, of those alike, is in a slot like the target's.

    Of the *n* − 1 others *m* − 1 have the target's value and *f* − 1 are in slots of the same
    value; `both` are counted in both. Of the alike in no such slot, `other` are in other slots. The
    level is linear in both numbers, so the ends of their ranges decide.
    """
    least = math.inf
    left = n - s
    slots = s - f
    for both in {max(0, (m - 1) + (f - 1) - (n - 1)), min(m - 1, f - 1)}:
        rest = m - 1 - both  # alike, in no slot like the target's
        for other in {max(0, rest - left), min(rest, slots)}:
            whole = 1 + (m - 1) + (f - 1) - both
            away = Fraction(left - (rest - other)) * Fraction(gamma)
            shown = Fraction(slots - other) * Fraction(g2)
            least = min(least, bounds.float_down(whole + away + shown))
    return least


def _certified(where: str, level: Any, again: float, *, exact: bool) -> checks.Number:
    """Return a level, rounded down for a matrix of floats, that a second route bears out."""
    bounds.certify_level(where, Fraction(level), again)
    return bounds.as_given(Fraction(level), exact=exact)
