r"""What a server can do against poisoned reports: consistent estimates, and detection.

An attack shows in statistics that its gain does not see: the number of +1 in a report of CMS
(`weight_scores`), the load of a Hadamard column (`column_scores`), the sum of all estimates
(`total_score`). Each score is the distance from what honest users send, in standard deviations of
honest users, so that one normal test (`power`) judges all three. `norm_sub` detects nothing: it
makes the estimates add up to the number of reports, which takes back a part of what was gained.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray
from privlib.sketch._cells import Scheme, check_kind, collisions, is_hadamard
from privlib.sketch.count_mean import CountMeanSketch
from privlib.sketch.hadamard import HadamardCountMeanSketch
from privlib.sketch.items import counted_items
from privlib.sketch.scheme import Moments, Reports, Sketch, rows_of_reports

_AT_ONCE = 1 << 16  # reports unpacked at a time


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
    >>> from privlib.sketch.poisoning import fake_reports
    >>> scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=1)
    >>> weight_scores(scheme, fake_reports(scheme, "mga", targets=["A2"], n_fake=3))
    array([-8.67, -8.67, -8.67])
    """
    check_kind("weight_scores", scheme, CountMeanSketch)
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
    >>> from privlib.sketch.poisoning import fake_reports
    >>> scheme = HadamardCountMeanSketch(1.0, hashes=16, width=4, seed=1)
    >>> column_scores(scheme, fake_reports(scheme, "mga", targets=[1], n_fake=12))
    array([ 6., -2., -2., -2.])
    """
    check_kind("column_scores", scheme, HadamardCountMeanSketch)
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
    check_kind(where, scheme, CountMeanSketch, HadamardCountMeanSketch)
    items, users = counted_items(where, counts)
    rho = scheme.keep - scheme.flip
    shares = collisions(where, scheme, items)
    mean = np.asarray(shares.mean(axis=1), dtype=np.float64)
    touched = float(shares.sum(axis=0).mean())
    if is_hadamard(scheme):
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
    >>> from privlib.sketch.poisoning import fake_reports
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
