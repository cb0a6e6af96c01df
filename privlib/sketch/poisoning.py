r"""Poisoning of the two sketches: attacks, what they gain, what they leave to see.

The estimate is a sum over the reports. One report adds to the estimate of an item *t*

.. math:: \varphi_t = \begin{cases}
          F\bigl(\tfrac12(c\,v_{h_j(t)} + 1) - \tfrac1m\bigr) & \text{CMS, report } (j, v),\\
          F\bigl(c\,w\,H_{l, h_j(t)} - \tfrac1m\bigr) & \text{HCMS, report } (j, l, w),
          \end{cases} \qquad F = \frac{m}{m-1},

whoever sent it: the :math:`-1/m` is there because the server subtracts *(n + n')/m* once *n'*
fakes are among its reports. The honest reports are the same before and after, so their noise
cancels and the gain of an attack is the sum of :math:`\varphi_t` over fakes and targets:

.. math::
    \begin{array}{lll}
    & \text{CMS} & \text{HCMS} \\
    \text{random perturbed (rpa)} & r n' F(\frac12 - \frac1m) & -r n' F/m \\
    \text{random item (ria)} & n' & n' \\
    \text{maximal gain (mga)} & r n' F(\frac{c+1}{2} - \frac1m) & r n' F(c - \frac1m) \\
    \text{demotion} & -r n' F(\frac{c-1}{2} + \frac1m) & -r n' F(c + \frac1m) \\
    \text{free input, true noise (all\_ones)} & r n' & r n'
    \end{array}

A sign is at most 1, so no report gains more than ``mga`` nor less than ``demotion``. The offset
1/2 in CMS lifts both ends: promotion is stronger there and demotion weaker than in HCMS.

An attack shows in statistics that the gain does not see: the number of +1 in a report, the load
of a Hadamard column, the sum of all estimates. The functions at the end score them against the
distribution of honest reports.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray, IntArray
from privlib.sketch._bits import bernoulli_bits
from privlib.sketch.count_mean import CountMeanSketch
from privlib.sketch.hadamard import HadamardCountMeanSketch, walsh_hadamard
from privlib.sketch.items import Item, counted_items, distinct_items
from privlib.sketch.scheme import (
    MAX_BYTES,
    Moments,
    Reports,
    SignArray,
    Sketch,
    limit_cells,
    limit_reports,
    rows_of_reports,
)

Scheme: TypeAlias = CountMeanSketch | HadamardCountMeanSketch
Targets: TypeAlias = Sequence[Item] | npt.NDArray[Any]

ATTACKS = ("rpa", "ria", "mga", "demotion", "all_ones")
"""Names of the attacks, as the functions of this module take them."""

_AT_ONCE = 1 << 16  # reports unpacked at a time


def n_fake_users(n: int, beta: float | str | Fraction) -> int:
    r"""Return the number of fake users that are a share `beta` of all users.

    Parameters
    ----------
    n : int
        Number of honest users.
    beta : float, str or Fraction
        Share of the fakes among all, 0 <= beta < 1. A float stands for the decimal that it
        prints as, so that 0.1 is one tenth; a string may be a decimal or a fraction.

    Returns
    -------
    int
        :math:`n' = \lfloor n \beta / (1 - \beta) \rfloor`, in exact arithmetic.

    Raises
    ------
    ValueError
        `n` is negative, or `beta` is not in [0, 1) or no number.
    TypeError
        `n` is no integer, or `beta` is none of the types above.

    Notes
    -----
    The paper says in words that *β* is the share of malicious users. That its base is *n + n'*
    and that the quotient is rounded down is what its printed gains require.

    Examples
    --------
    >>> [n_fake_users(49742, beta) for beta in (0.01, 0.02, 0.04, 0.08, 0.1)]
    [502, 1015, 2072, 4325, 5526]
    """
    n = checks.integer("n_fake_users", "n", n, low=0)
    if not isinstance(beta, (str, Fraction)):
        beta = repr(checks.real("n_fake_users", "beta", beta))
    if isinstance(beta, str):
        _limit_decimal("n_fake_users", beta)
    try:
        share = Fraction(beta)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"n_fake_users: beta must be a number, got {beta!r}") from None
    if not 0 <= share < 1:
        raise ValueError(f"n_fake_users: beta must be in [0, 1), got {beta}")
    return math.floor(n * share / (1 - share))


def _limit_decimal(where: str, text: str) -> None:
    """Refuse a number that is short as text and would be a fraction of millions of digits."""
    _safety.limit(where, "digits of beta", len(text), 1000)
    _, letter, exponent = text.lower().partition("e")
    if letter and len(exponent.strip().lstrip("+-0")) > 3:
        raise ValueError(f"{where}: the exponent of beta must have at most 3 digits, got {text!r}")


def frequency_gain(scheme: Scheme, attack: str, *, n_fake: int, targets: int | Targets) -> float:
    r"""Return the expected total gain of the targets' estimates.

    Parameters
    ----------
    scheme : CountMeanSketch or HadamardCountMeanSketch
        The scheme; its `debias_factor` is the one that the server de-noises with.
    attack : {"rpa", "ria", "mga", "demotion", "all_ones"}
        See `fake_reports`.
    n_fake : int
        Number *n'* of fake users.
    targets : int or sequence of items
        A number *r* of targets: the mean over a uniformly random hash family. Items: the mean
        over the attack's randomness for this scheme's own family.

    Returns
    -------
    float
        :math:`\sum_t \mathbb{E}[\tilde f_t - \hat f_t]`, in users.

    Raises
    ------
    ValueError
        The attack is unknown, `n_fake` is negative, there is no target, or one stands twice.
    TypeError
        A target is neither str nor int, a string stands in place of a sequence, or the scheme is
        none of the two.

    Notes
    -----
    Only ``ria`` knows the family: if *A* is the share of rows on which two items collide, one
    fake gains :math:`F(\frac1r \sum_{t,u} A_{tu} - \frac rm)`, and the mean of *A* over random
    families is 1/m off the diagonal, which leaves :math:`F(1 - 1/m) = 1` for every *r*.
    The variants with ``hidden=True`` of `fake_reports` have the same gain.

    References
    ----------
    Paper, section 4.1, equations (1) to (5); the first line of (1) has the difference reversed, and
    (3) and (4) leave out that the server subtracts *(n + n')/m*: larger by *r n' F/m*.

    Examples
    --------
    >>> from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
    >>> cms = CountMeanSketch(1.0, hashes=1024, width=128, seed=1)
    >>> frequency_gain(cms, "mga", n_fake=502, targets=1)
    1281.92
    >>> hcms = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=1)
    >>> frequency_gain(hcms, "demotion", n_fake=502, targets=1)
    -1098.81
    """
    where = "frequency_gain"
    n_fake, r, items = _case(where, scheme, attack, n_fake, targets)
    # Sum over the targets of E[c/2 (v + 1/c)] (CMS) or E[c w H] (HCMS), one fake.
    if attack == "ria":
        if items is None:
            level = 1 + (r - 1) / scheme.width
        else:
            level = _collisions(where, scheme, items).mean()
    else:
        c = scheme.debias_factor
        sign = {"rpa": 0.0, "mga": c, "demotion": -c, "all_ones": 1.0}[attack]
        level = r * (sign if _is_hadamard(scheme) else (sign + 1) / 2)
    return float(n_fake * scheme.factor * (level - r / scheme.width))


def gain_variance(scheme: Scheme, attack: str, *, n_fake: int, targets: int | Targets) -> float:
    r"""Return the variance of the total gain in one run.

    Parameters
    ----------
    scheme, attack, n_fake, targets
        As `frequency_gain` takes them. A number of targets: over the attack *and* an independent
        random hash family in each run. Items: over the attack, this family fixed.

    Returns
    -------
    float
        Variance, in users squared. The mean of *R* runs has this divided by *R*.

    Notes
    -----
    The honest reports are taken to be the same before and after, so that only the fakes are
    random. Let :math:`C_{jt}` be the number of targets in the cell of *t* on row *j*,
    :math:`\bar C` its mean over rows and targets, :math:`\rho = p - q`. One fake has the variance

    .. math:: \begin{array}{lll}
        & \text{CMS, in } (Fc/2)^2 & \text{HCMS, in } (Fc)^2 \\
        \text{rpa} & r \bar C & r \bar C \\
        \text{ria} & (1-\rho^2) r \bar C + 4\rho^2 \operatorname{Var}_{j,t} C
            & r\bar C - \rho^2 \bar C^2 \\
        \text{all\_ones} & (1-\rho^2) r \bar C & (1-\rho^2) r^2
        \end{array}

    and ``mga`` and ``demotion`` have none. All fakes share the family, so for ``ria`` the random
    family adds :math:`n'^2 F^2 \operatorname{Var} \bar C` with
    :math:`\operatorname{Var} \bar C = 2(r-1)(1 - 1/m)/(k r m)`. That moment needs four-wise
    independent hash values; the others need three-wise independence. The variant of ``all_ones``
    with ``hidden=True`` has the same variance.

    Examples
    --------
    >>> from privlib.sketch import CountMeanSketch
    >>> scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=1)
    >>> math.sqrt(gain_variance(scheme, "ria", n_fake=502, targets=1) / 50)  # of 50 runs
    6.32
    """
    where = "gain_variance"
    n_fake, r, items = _case(where, scheme, attack, n_fake, targets)
    hadamard = _is_hadamard(scheme)
    if attack in ("mga", "demotion"):
        return 0.0
    m = scheme.width
    rho2 = (scheme.keep - scheme.flip) ** 2
    if items is None:
        mean = 1 + (r - 1) / m
        spread = (r - 1) / m * (1 - 1 / m)
        shared = 2 * spread / (scheme.hashes * r)  # variance of the mean over rows and targets
    else:
        shares = _collisions(where, scheme, items)
        mean = float(shares.mean())
        spread = float(shares.var())
        shared = 0.0
    if attack == "rpa":
        own = r * mean
    elif attack == "all_ones":
        own = (1 - rho2) * (r * r if hadamard else r * mean)
    elif hadamard:
        own = r * mean - rho2 * (mean**2 + shared)
    else:
        own = (1 - rho2) * r * mean + 4 * rho2 * (spread - shared)
    unit = scheme.factor * scheme.debias_factor * (1.0 if hadamard else 0.5)
    between = shared * scheme.factor**2 if attack == "ria" else 0.0
    return float(n_fake * unit**2 * own + n_fake**2 * between)


def fake_reports(
    scheme: Scheme,
    attack: str,
    *,
    targets: Targets,
    n_fake: int,
    rng: np.random.Generator | int | None = None,
    hidden: bool = False,
) -> Reports:
    """Return the reports of `n_fake` fake users.

    Parameters
    ----------
    scheme : CountMeanSketch or HadamardCountMeanSketch
        The scheme under attack.
    attack : {"rpa", "ria", "mga", "demotion", "all_ones"}
        ``rpa``: an output drawn uniformly. ``ria``: a uniformly drawn target, perturbed honestly.
        ``mga``: +1 at the cells of all targets on a random row, -1 elsewhere (CMS); column 0 and
        sign +1 (HCMS). ``demotion``: ``mga`` with every sign negated. ``all_ones``: the noise is
        enforced but the input is not: the all-ones vector (CMS) or column 0 and +1 (HCMS), then
        honest flips.
    targets : sequence of items, length r
        The items that the attack is about; ``rpa`` ignores which they are.
    n_fake : int
        Number of fakes.
    rng : numpy.random.Generator, int or None
        Source of all random choices.
    hidden : bool
        The same gain without the mark. CMS ``mga`` and ``demotion``: honest noise on the cells
        that are nobody's target; ``all_ones``: -1 there before the flips. HCMS: a pair (row,
        column) on which all targets have one sign, drawn uniformly from all such pairs; for
        more than one target column > 0, as column 0 serves on every row and would stand out.

    Returns
    -------
    ndarray, shape (n_fake,)
        Reports as `scheme.privatize` makes them, to be concatenated to the honest ones.

    Raises
    ------
    ValueError
        The attack is unknown, `n_fake` is negative, there is no target, or one stands twice or is
        not in an explicit family; ``hidden`` with ``rpa`` or ``ria``, which have nothing to hide;
        HCMS has no pair with equal signs.
    TypeError
        A target is neither str nor int, or the scheme is none of the two.

    Notes
    -----
    Every report of the three output attacks has the same gain, so their total does not vary.
    ``hidden`` is not free of traces: with *r* targets a hidden CMS report has about *r(1 - q)* more
    +1 than an honest one in the mean, and the pairs of HCMS become few, see `equal_sign_pairs`.

    References
    ----------
    Paper, sections 4.1.1 to 4.1.3. It numbers the columns of the first row of H from 0 there.

    Examples
    --------
    >>> from privlib.sketch import HadamardCountMeanSketch
    >>> scheme = HadamardCountMeanSketch(1.0, hashes=16, width=8, seed=1)
    >>> reports = fake_reports(scheme, "mga", targets=["A2"], n_fake=100, rng=5, hidden=True)
    >>> float(scheme.aggregate(reports).estimate(["A2"])[0])
    233.0
    >>> frequency_gain(scheme, "mga", n_fake=100, targets=1)
    233.0
    """
    where = "fake_reports"
    n_fake, _, items = _case(where, scheme, attack, n_fake, _distinct(where, "targets", targets))
    assert items is not None
    rng = checks.generator(where, rng)
    limit_cells(where, scheme)
    limit_reports(where, scheme, n_fake)
    _safety.limit(where, "signs of the reports", n_fake * scheme.signs, MAX_BYTES,
                  "make them in parts")  # fmt: skip
    if hidden and attack in ("rpa", "ria"):
        raise ValueError(f"{where}: hidden is for mga, demotion and all_ones, got {attack!r}")
    if attack == "ria":
        drawn = rng.integers(len(items), size=n_fake)
        return scheme.privatize([items[i] for i in drawn.tolist()], rng)
    positions = scheme.family.positions(items)
    if isinstance(scheme, HadamardCountMeanSketch):
        return _fake_signs(scheme, attack, positions, n_fake=n_fake, rng=rng, hidden=hidden)
    return _fake_vectors(scheme, attack, positions, n_fake=n_fake, rng=rng, hidden=hidden)


def equal_sign_pairs(scheme: HadamardCountMeanSketch, targets: Targets) -> IntArray:
    r"""Count, row by row, the columns *l > 0* on which all targets have the same sign.

    Parameters
    ----------
    scheme : HadamardCountMeanSketch
        The scheme.
    targets : sequence of items, length r
        The targets.

    Returns
    -------
    ndarray, shape (k,)
        For each row the number of columns *l > 0* with equal :math:`H_{l, h_j(t)}` for all
        targets *t*.

    Notes
    -----
    The sum of the signs is the Walsh-Hadamard transform of the targets' histogram on the row,
    and equal signs mean a sum of :math:`\pm r`. By linearity over GF(2) the columns form a
    subspace, so each count is a power of two less one. At a uniform position the sign of a column
    *l > 0* is a fair coin, so the mean count over a random family is :math:`(m-1) 2^{1-r}`.

    Examples
    --------
    >>> from privlib.sketch import HadamardCountMeanSketch
    >>> scheme = HadamardCountMeanSketch(1.0, hashes=4, width=8, seed=1)
    >>> equal_sign_pairs(scheme, ["A2"])
    array([7, 7, 7, 7])
    """
    items = _distinct("equal_sign_pairs", "targets", targets)
    _of_kind("equal_sign_pairs", scheme, HadamardCountMeanSketch)
    limit_cells("equal_sign_pairs", scheme)
    sums = _sign_sums(scheme, scheme.family.positions(items))
    counts: IntArray = (np.abs(sums[:, 1:]) == len(items)).sum(axis=1)
    return counts


def best_pairs(
    scheme: HadamardCountMeanSketch, targets: Targets, *, others: Targets, n_fake: int
) -> Reports:
    r"""Return the reports of maximal gain that lower the other items most.

    Parameters
    ----------
    scheme : HadamardCountMeanSketch
        The scheme.
    targets : sequence of items, length r
        What the attack promotes.
    others : sequence of items
        What it demotes beside; none of the targets.
    n_fake : int
        Number of fakes. Each pair is used once before one is used again.

    Returns
    -------
    ndarray, shape (n_fake,)
        Reports, each with the gain of ``mga`` on the targets.

    Raises
    ------
    ValueError
        An item is target and other, or stands twice, or there is none.
    TypeError
        An item is neither str nor int, or the scheme is not HCMS.

    Notes
    -----
    A pair with a common sign *s* of the targets moves the others by
    :math:`F(c s \sum_d H_{l,h_j(d)} - |others|/m)` in all. All sums are two Walsh-Hadamard
    transforms; the pairs are then sorted. Column 0 is among them and comes last: it lifts
    all items alike. Ties are broken by row, then column.

    Examples
    --------
    >>> from privlib.sketch import HadamardCountMeanSketch
    >>> scheme = HadamardCountMeanSketch(1.0, hashes=64, width=16, seed=1)
    >>> attack = best_pairs(scheme, ["A"], others=["B", "C"], n_fake=50)
    >>> scheme.aggregate(attack).estimate(["A", "B", "C"]).round(1)
    array([ 112.1, -118.7, -118.7])
    """
    where = "best_pairs"
    items = _distinct(where, "targets", targets)
    rest = _distinct(where, "others", others)
    _of_kind(where, scheme, HadamardCountMeanSketch)
    n_fake = checks.integer(where, "n_fake", n_fake, low=0)
    limit_cells(where, scheme)
    limit_reports(where, scheme, n_fake)
    if both := set(items) & set(rest):
        raise ValueError(f"{where}: others must hold no target, got {sorted(both, key=str)!r}")
    sums = _sign_sums(scheme, scheme.family.positions(items))
    harm = np.sign(sums) * _sign_sums(scheme, scheme.family.positions(rest))
    pairs = np.flatnonzero(np.abs(sums) == len(items))
    order = pairs[np.argsort(harm.ravel()[pairs], kind="stable")]
    rows, columns = np.divmod(np.resize(order, n_fake), scheme.width)
    return scheme.pack(rows, np.sign(sums[rows, columns]), columns=columns)


def norm_sub(estimates: Any, total: float) -> FloatArray:
    r"""Make estimates consistent: shift all by one number and clip at zero.

    Parameters
    ----------
    estimates : array_like, shape (..., n_items)
        Estimates of *all* items: those that are left out share no part of the total.
    total : float
        What the result must sum to, at least 0; the number of reports.

    Returns
    -------
    ndarray, shape (..., n_items)
        :math:`\max(x_d - \delta, 0)` with :math:`\delta` such that the sum is `total`, in the
        order of `estimates`.

    Raises
    ------
    ValueError
        An estimate is not finite, there is none, or `total` is negative; a Series whose index is
        not 0, 1, ... in order.
    TypeError
        The estimates are not numbers, or `total` is no real number.

    Notes
    -----
    It is the Euclidean projection onto the simplex of that sum. If the *s* largest estimates
    stay positive, :math:`\delta = (\sum_{i \le s} x_{(i)} - total)/s`, and this is largest for
    the right *s*: one sort, no iteration. The largest estimate is subtracted first, which changes
    nothing and leaves digits to the total. Numbers whose sum would be beyond the largest double
    are divided by a power of two.

    It reads the estimates only, so it costs no privacy. The largest results are still too large
    on average, because they were chosen for being large.

    Examples
    --------
    >>> norm_sub([6.0, 3.0, -2.0], 5)
    array([4., 1., 0.])
    """
    x = checks.reals("norm_sub", "estimates", estimates)
    total = checks.non_negative("norm_sub", "total", total)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ValueError(f"norm_sub: estimates must hold at least one item, got shape {x.shape}")
    largest = max(float(np.abs(x).max(initial=0.0)), total)
    unit = 1.0
    if largest > 1e300 / x.shape[-1]:
        # Twice the largest, so many times, stays a double.
        unit = 2.0 ** -(x.shape[-1].bit_length() + 2)
    x = x * unit
    total = total * unit
    x = x - x.max(axis=-1, keepdims=True)
    sums = np.cumsum(-np.sort(-x, axis=-1), axis=-1)  # of the largest
    delta = ((sums - total) / np.arange(1, x.shape[-1] + 1)).max(axis=-1, keepdims=True)
    consistent: FloatArray = np.maximum(x - delta, 0.0) / unit
    return consistent


def weight_scores(scheme: CountMeanSketch, reports: Reports) -> FloatArray:
    r"""Return how far each report's number of +1 lies from that of an honest user.

    Parameters
    ----------
    scheme : CountMeanSketch
        The scheme.
    reports : ndarray, shape (n,)
        Reports of CMS.

    Returns
    -------
    ndarray, shape (n,)
        (weight - mean) / sd of honest reports.

    Raises
    ------
    ValueError
        Reports of another scheme, or `epsilon` is infinite (every honest weight is 1).
    TypeError
        The scheme is not CMS.

    Notes
    -----
    Whatever the item, an honest weight is the sum of a coin of *p* and *m - 1* coins of *q*:
    mean *p + (m-1)q*, variance *m p q*. The score does not depend on the item, so it tells
    nothing about honest users; ``mga`` as printed has weight *r*.

    Examples
    --------
    >>> from privlib.sketch import CountMeanSketch
    >>> scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=1)
    >>> weight_scores(scheme, fake_reports(scheme, "mga", targets=["A2"], n_fake=3))
    array([-8.67, -8.67, -8.67])
    """
    _of_kind("weight_scores", scheme, CountMeanSketch)
    if scheme.flip == 0:
        raise ValueError("weight_scores: epsilon must be finite, got inf")
    p = scheme.keep
    q = scheme.flip
    m = scheme.width
    rows_of_reports("weight_scores", scheme, reports)
    parts = [reports[i : i + _AT_ONCE] for i in range(0, max(len(reports), 1), _AT_ONCE)]
    weights = np.concatenate([np.count_nonzero(scheme.unpack(a)[1] > 0, axis=1) for a in parts])
    scores: FloatArray = (weights - (p + (m - 1) * q)) / math.sqrt(m * p * q)
    return scores


def column_scores(scheme: HadamardCountMeanSketch, reports: Reports) -> FloatArray:
    """Return how far the number of reports of each Hadamard column lies from its mean.

    Parameters
    ----------
    scheme : HadamardCountMeanSketch
        The scheme.
    reports : ndarray, shape (n,)
        Reports of HCMS, n >= 1.

    Returns
    -------
    ndarray, shape (m,)
        (load - n/m) / sd; under honest users the load of a column is binomial (n, 1/m) exactly,
        whatever the items.

    Raises
    ------
    ValueError
        Reports of another scheme, or none.
    TypeError
        The scheme is not HCMS.

    Examples
    --------
    >>> from privlib.sketch import HadamardCountMeanSketch
    >>> scheme = HadamardCountMeanSketch(1.0, hashes=16, width=4, seed=1)
    >>> column_scores(scheme, fake_reports(scheme, "mga", targets=[1], n_fake=12))
    array([ 6., -2., -2., -2.])
    """
    _of_kind("column_scores", scheme, HadamardCountMeanSketch)
    columns = scheme.unpack(reports)[1]
    if columns.size == 0:
        raise ValueError("column_scores: reports must hold at least one report, got none")
    mean = columns.size / scheme.width
    m = scheme.width
    load = np.bincount(columns, minlength=m).astype(np.float64)
    return (load - mean) / math.sqrt(mean * (1 - 1 / m))


def total_moments(scheme: Scheme, counts: Any) -> Moments[float]:
    r"""Return mean and variance of the sum of all items' estimates under honest users.

    Parameters
    ----------
    scheme : CountMeanSketch or HadamardCountMeanSketch
        The scheme, with its family.
    counts : mapping from item to int, or pandas Series indexed by items
        Number of users of every item of the domain.

    Returns
    -------
    Moments
        Mean and variance, this family fixed.

    Raises
    ------
    ValueError
        A count is negative, or there is no item.
    TypeError
        A count is no integer, an item neither str nor int.

    Notes
    -----
    The estimates of one run are correlated: a report touches all items that share a cell with
    it, and with HCMS all items. Let :math:`C_{je}` count the items in the cell of *e* on row *j*
    and :math:`B_j = \sum_e C_{je}`. A user of *e* adds to the sum over all D items

    - mean :math:`F(\bar C_e - \frac Dm)`;
    - variance :math:`(Fc/2)^2[(1-\rho^2)\bar B + 4\rho^2 \operatorname{Var}_j C_{je}]` (CMS),
      :math:`(Fc)^2[\bar B - \rho^2 \bar C_e^2]` (HCMS), :math:`\rho = p - q`.

    Examples
    --------
    >>> from privlib.sketch import CountMeanSketch
    >>> scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=1)
    >>> moments = total_moments(scheme, {"A": 600, "B": 400})
    >>> abs(moments.mean - 1000) < 20
    True
    """
    where = "total_moments"
    _of_kind(where, scheme, CountMeanSketch, HadamardCountMeanSketch)
    items, users = counted_items(where, counts)
    rho = scheme.keep - scheme.flip
    shares = _collisions(where, scheme, items)
    mean = np.asarray(shares.mean(axis=1), dtype=np.float64)
    touched = float(shares.sum(axis=0).mean())
    if _is_hadamard(scheme):
        spread = touched - (rho * mean) ** 2
    else:
        spread = ((1 - rho**2) * touched + 4 * rho**2 * shares.var(axis=1)) / 4
    level = scheme.factor * (mean - len(items) / scheme.width)
    unit = (scheme.factor * scheme.debias_factor) ** 2
    return Moments(float(users @ level), unit * float(users @ spread))


def total_score(sketch: Sketch, counts: Any) -> float:
    """Return how far the sum of all estimates lies from that of honest users.

    Parameters
    ----------
    sketch : Sketch
        What the server holds.
    counts : mapping from item to int, or pandas Series indexed by items
        What the server expects, for every item of the domain (last month's counts); scaled to the
        number of reports in `sketch`.

    Returns
    -------
    float
        (sum - mean) / sd, see `total_moments`; close to standard normal for many honest users.

    Raises
    ------
    ValueError
        A count is negative, all are 0, there is no item, or the sketch is empty; the total of
        honest users does not vary (without noise, *epsilon* infinite or large: CMS on rows where
        the items meet alike, HCMS with one item).
    TypeError
        A count is no integer, an item neither str nor int.

    Notes
    -----
    Mean and variance are linear in the counts, so scaling scales both. Wrong expectations matter
    little: the users of every item add about 1 each, and what differs are collisions.

    Examples
    --------
    >>> from privlib.sketch import HadamardCountMeanSketch
    >>> scheme = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=1)
    >>> rng = np.random.default_rng(5)
    >>> counts = {item: 500 for item in range(20)}
    >>> honest = scheme.simulate(counts, rng)
    >>> abs(total_score(honest, counts)) < 3
    True
    >>> fake = scheme.aggregate(fake_reports(scheme, "mga", targets=[7], n_fake=200, rng=rng))
    >>> total_score(honest + fake, counts) > 6
    True
    """
    if not isinstance(sketch, Sketch):
        raise TypeError(f"total_score: sketch must be a Sketch, got {type(sketch).__name__}")
    items, numbers = counted_items("total_score", counts)
    moments = total_moments(sketch.scheme, counts)  # type: ignore[arg-type]
    users = int(numbers.sum())
    if users == 0 or sketch.n == 0:
        raise ValueError("total_score: counts and sketch must hold at least one user")
    scale = sketch.n / users
    variance = checks.positive("total_score", "variance of the honest total", moments.variance)
    surplus = float(sketch.estimate(items).sum()) - scale * moments.mean
    return surplus / math.sqrt(scale * variance)


def power(shift: float, *, level: float = 0.01, tests: int = 1) -> float:
    r"""Return the chance that a two-sided normal test sees a shift.

    Parameters
    ----------
    shift : float
        Expected score under the attack, in honest standard deviations.
    level : float
        Chance that honest users raise the alarm, in (0, 1).
    tests : int
        Number of scores looked at (m columns, n reports), at most 2^53; the level is shared by
        Bonferroni.

    Returns
    -------
    float
        :math:`\Phi(x - z) + \Phi(-x - z)`, *z* the two-sided quantile of level/tests.

    Raises
    ------
    ValueError
        `level` is not in (0, 1), `tests` is below 1, or `shift` is not finite.
    TypeError
        `tests` is no integer, or another argument no number.

    Notes
    -----
    The attack is taken to move the mean and not the spread: right for scores of many reports
    of which few are fake.

    Examples
    --------
    >>> power(0.0), power(2.5758), power(25.0, tests=128)
    (0.01, 0.5, 1.0)
    """
    from scipy.special import ndtr, ndtri  # heavy, and needed here only

    shift = checks.real("power", "shift", shift)
    level = checks.real("power", "level", level)
    checks.bounded("power", "level", level, "be in (0, 1)", lambda x: 0 < x < 1)
    tests = checks.integer("power", "tests", tests, low=1)
    _safety.limit("power", "tests", tests, _safety.LARGEST_EXACT)
    z = -ndtri(level / tests / 2)
    return float(ndtr(shift - z) + ndtr(-shift - z))


def _of_kind(where: str, scheme: Any, *kinds: type[Scheme]) -> None:
    if not isinstance(scheme, kinds):
        names = " or ".join(kind.name for kind in kinds)
        got = repr(scheme) if isinstance(scheme, Scheme) else type(scheme).__name__
        raise TypeError(f"{where}: scheme must be {names}, got {got}")


def _is_hadamard(scheme: Scheme) -> bool:
    return isinstance(scheme, HadamardCountMeanSketch)


def _distinct(where: str, name: str, values: Any) -> list[Item]:
    """Return distinct items in their order; a lone one is no sequence of targets."""
    if isinstance(values, (str, int, np.integer)):
        raise TypeError(f"{where}: {name} must be a sequence of items, got {values!r}")
    if hasattr(values, "tolist"):
        distinct_items(where, values, name)  # what an array must be: a list has lost it
        values = values.tolist()  # keeps the order
    items, codes = distinct_items(where, values, name)
    if not items or len(items) < codes.size:
        raise ValueError(f"{where}: {name} must be at least one item, each once, got {values!r}")
    return items


def _case(
    where: str, scheme: Any, attack: str, n_fake: Any, targets: Any
) -> tuple[int, int, list[Item] | None]:
    """Return the numbers of fakes and targets, and the targets if they are given."""
    _of_kind(where, scheme, CountMeanSketch, HadamardCountMeanSketch)
    checks.choice(where, "attack", attack, ATTACKS)
    n_fake = checks.integer(where, "n_fake", n_fake, low=0)
    _safety.limit(where, "n_fake", n_fake, _safety.LARGEST_EXACT)
    if isinstance(targets, (int, np.integer)):
        number = checks.integer(where, "targets", targets, low=1)
        _safety.limit(where, "targets", number, _safety.LARGEST_EXACT)
        return n_fake, number, None
    items = _distinct(where, "targets", targets)
    return n_fake, len(items), items


def _collisions(where: str, scheme: Scheme, items: list[Item]) -> IntArray:
    """Return C[t, j], the number of items in the cell of t on row j, t itself included."""
    limit_cells(where, scheme)
    positions = scheme.family.positions(items)
    taken: IntArray = _histogram(scheme, positions)[np.arange(scheme.hashes), positions]
    return taken


def _histogram(scheme: Scheme, positions: IntArray) -> IntArray:
    """Return the (k, m) number of items by cell."""
    k = scheme.hashes
    m = scheme.width
    return np.bincount((positions + m * np.arange(k)).ravel(), minlength=k * m).reshape(k, m)


def _sign_sums(scheme: HadamardCountMeanSketch, positions: IntArray) -> IntArray:
    """Return the (k, m) sums over the items of H[l, h_j(item)], by row j and column l."""
    return walsh_hadamard(_histogram(scheme, positions))


def _fake_vectors(
    scheme: CountMeanSketch,
    attack: str,
    positions: IntArray,
    *,
    n_fake: int,
    rng: np.random.Generator,
    hidden: bool,
) -> Reports:
    """Return fake reports of CountMeanSketch, targets given by their positions."""
    rows = rng.integers(scheme.hashes, size=n_fake)
    shape = (n_fake, scheme.width)
    if attack == "rpa":
        return scheme.pack(rows, _coins(shape, 0.5, rng))
    sign = np.int8(-1 if attack == "demotion" else 1)
    # On the other cells: what a user without them has, or the most that fits the attack.
    fill = -1 if hidden else sign if attack == "all_ones" else -sign
    vectors = np.full(shape, fill, dtype=np.int8)
    cells = np.arange(n_fake)[:, None], positions[:, rows].T
    vectors[cells] = sign
    if hidden or attack == "all_ones":
        vectors *= _coins(shape, scheme.flip, rng)
    if attack != "all_ones":
        vectors[cells] = sign  # no noise on the targets
    return scheme.pack(rows, vectors)


def _fake_signs(
    scheme: HadamardCountMeanSketch,
    attack: str,
    positions: IntArray,
    *,
    n_fake: int,
    rng: np.random.Generator,
    hidden: bool,
) -> Reports:
    """Return fake reports of HadamardCountMeanSketch, targets given by their positions."""
    rows = rng.integers(scheme.hashes, size=n_fake)
    columns = np.zeros_like(rows)
    signs = np.ones(n_fake, dtype=np.int8)
    if hidden:
        sums = _sign_sums(scheme, positions)
        equal = np.abs(sums) == len(positions)
        equal[:, 0] = len(positions) == 1  # for more than one the mark to avoid
        pairs = np.argwhere(equal)
        if pairs.size == 0:
            pair = f"a row and a column > 0 where all {len(positions)} targets have the same sign"
            raise ValueError(f"fake_reports: hidden needs {pair}, and this family has none")
        rows, columns = pairs[rng.integers(len(pairs), size=n_fake)].T
        signs = np.sign(sums[rows, columns]).astype(np.int8)
    if attack == "rpa":
        columns = rng.integers(scheme.width, size=n_fake)
    if attack in ("rpa", "all_ones"):
        flip = 0.5 if attack == "rpa" else scheme.flip
        signs *= _coins((n_fake, 1), flip, rng)[:, 0]
    return scheme.pack(rows, -signs if attack == "demotion" else signs, columns=columns)


def _coins(shape: tuple[int, int], flip: float, rng: np.random.Generator) -> SignArray:
    """Return signs that are -1 with probability `flip`, exactly."""
    packed = bernoulli_bits(*shape, q=flip, rng=rng)
    bits = np.unpackbits(packed, axis=1, count=shape[1], bitorder="little").astype(np.int8)
    return np.int8(1) - 2 * bits
