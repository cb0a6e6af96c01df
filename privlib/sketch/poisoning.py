r"""Poisoning of the two sketches: attacks, and what they gain.

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

What an attack leaves to see, and what the server can do, is in `privlib.sketch.defences`.
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
from privlib._checks import IntArray
from privlib.sketch._bits import bernoulli_bits
from privlib.sketch._cells import Scheme, check_kind, collisions, is_hadamard, items_by_cell
from privlib.sketch.count_mean import CountMeanSketch
from privlib.sketch.hadamard import HadamardCountMeanSketch, walsh_hadamard
from privlib.sketch.items import Item, distinct_items
from privlib.sketch.scheme import (
    MAX_BYTES,
    Reports,
    SignArray,
    limit_cells,
    limit_reports,
)

Targets: TypeAlias = Sequence[Item] | npt.NDArray[Any]

ATTACKS = ("rpa", "ria", "mga", "demotion", "all_ones")
"""Names of the attacks, as the functions of this module take them."""


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
            level = collisions(where, scheme, items).mean()
    else:
        c = scheme.debias_factor
        sign = {"rpa": 0.0, "mga": c, "demotion": -c, "all_ones": 1.0}[attack]
        if not is_hadamard(scheme):
            sign = (sign + 1) / 2
        level = r * sign
    return float(n_fake * scheme.factor * (level - r / scheme.width))


def gain_variance(scheme: Scheme, attack: str, *, n_fake: int, targets: int | Targets) -> float:
    r"""Return the variance of the total gain in one run.

    Parameters
    ----------
    scheme : CountMeanSketch or HadamardCountMeanSketch
        As `frequency_gain` takes it.
    attack : {"rpa", "ria", "mga", "demotion", "all_ones"}
        See `fake_reports`.
    n_fake : int
        Number *n'* of fake users.
    targets : int or sequence of items
        A number *r* of targets: over the attack *and* an independent random hash family in each
        run. Items: over the attack, this family fixed.

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
    hadamard = is_hadamard(scheme)
    if attack in ("mga", "demotion"):
        return 0.0
    m = scheme.width
    rho2 = (scheme.keep - scheme.flip) ** 2
    if items is None:
        mean = 1 + (r - 1) / m
        spread = (r - 1) / m * (1 - 1 / m)
        shared = 2 * spread / (scheme.hashes * r)  # variance of the mean over rows and targets
    else:
        shares = collisions(where, scheme, items)
        mean = float(shares.mean())
        spread = float(shares.var())
        shared = 0.0
    if attack == "rpa":
        own = r * mean
    elif attack == "all_ones" and hadamard:
        own = (1 - rho2) * (r * r)
    elif attack == "all_ones":
        own = (1 - rho2) * (r * mean)
    elif hadamard:
        own = r * mean - rho2 * (mean**2 + shared)
    else:
        own = (1 - rho2) * r * mean + 4 * rho2 * (spread - shared)
    unit = scheme.factor * scheme.debias_factor
    if not hadamard:
        unit *= 0.5
    between = 0.0
    if attack == "ria":
        between = shared * scheme.factor**2
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
        A target is neither str nor int, the scheme is none of the two, or `hidden` is neither True
        nor False.

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
    hidden = checks.flag(where, "hidden", hidden)
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
    check_kind("equal_sign_pairs", scheme, HadamardCountMeanSketch)
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
    check_kind(where, scheme, HadamardCountMeanSketch)
    n_fake = checks.integer(where, "n_fake", n_fake, low=0)
    limit_cells(where, scheme)
    limit_reports(where, scheme, n_fake)
    both = set(items) & set(rest)
    if both:
        raise ValueError(f"{where}: others must hold no target, got {sorted(both, key=str)!r}")
    sums = _sign_sums(scheme, scheme.family.positions(items))
    harm = np.sign(sums) * _sign_sums(scheme, scheme.family.positions(rest))
    pairs = np.flatnonzero(np.abs(sums) == len(items))
    order = pairs[np.argsort(harm.ravel()[pairs], kind="stable")]
    rows, columns = np.divmod(np.resize(order, n_fake), scheme.width)
    return scheme.pack(rows, np.sign(sums[rows, columns]), columns=columns)


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
    check_kind(where, scheme, CountMeanSketch, HadamardCountMeanSketch)
    checks.choice(where, "attack", attack, ATTACKS)
    n_fake = checks.integer(where, "n_fake", n_fake, low=0)
    _safety.limit(where, "n_fake", n_fake, _safety.LARGEST_EXACT)
    if isinstance(targets, (int, np.integer)):
        number = checks.integer(where, "targets", targets, low=1)
        _safety.limit(where, "targets", number, _safety.LARGEST_EXACT)
        return n_fake, number, None
    items = _distinct(where, "targets", targets)
    return n_fake, len(items), items


def _sign_sums(scheme: HadamardCountMeanSketch, positions: IntArray) -> IntArray:
    """Return the (k, m) sums over the items of H[l, h_j(item)], by row j and column l."""
    return walsh_hadamard(items_by_cell(scheme, positions))


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
    sign = np.int8(1)
    if attack == "demotion":
        sign = np.int8(-1)
    # On the other cells: what a user without them has, or the most that fits the attack.
    if hidden:
        fill = np.int8(-1)
    elif attack == "all_ones":
        fill = sign
    else:
        fill = -sign
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
    if attack == "demotion":
        signs = -signs
    return scheme.pack(rows, signs, columns=columns)


def _coins(shape: tuple[int, int], flip: float, rng: np.random.Generator) -> SignArray:
    """Return signs that are -1 with probability `flip`, exactly."""
    packed = bernoulli_bits(*shape, q=flip, rng=rng)
    bits = np.unpackbits(packed, axis=1, count=shape[1], bitorder="little").astype(np.int8)
    return np.int8(1) - 2 * bits
