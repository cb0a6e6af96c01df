r"""Designing a release: how much retention for a level, which sample, at what accuracy.

*Level to noise.* Retention has :math:`g_2 = \gamma^2`, so Theorem 5.1 reads
:math:`k = 1 + (n - s)\gamma + (s - 1)\gamma^2`, and the positive root of this quadratic is the
least noise for *k*,

.. math::

    \gamma^* = \frac{2 (k - 1)}{(n - s) + \sqrt{(n - s)^2 + 4 (s - 1)(k - 1)}}, \qquad
    \rho^* = \frac{1 - \gamma^*}{1 + (N - 1)\gamma^*} .

*Noise to accuracy.* Let :math:`\lambda = \pi A` be the shares of the shown categories and *W* a
right inverse, *A W* = *I*. Then :math:`\hat\pi = \hat\lambda W` is unbiased, and its variance has
a part of the rewriting and one of the sample,

.. math::

    \mathrm{Var}(\hat\pi_i) = \frac1s \sum_u \pi_u \Bigl(\sum_a A_{ua} W_{ai}^2 - \delta_{ui}\Bigr)
    + \frac1s \Bigl(1 - \frac sn\Bigr) \frac{n}{n - 1}\, \pi_i (1 - \pi_i) .

At equal *k* the second part may cost more than the first one gains: less noise per record is not
better accuracy. For :math:`n \gg k` leaving out a *few* records does help (`best_thinning`).

*A release in one call.* The levels are for a simple random sample, in random order, of values that
were rewritten independently. `publish` makes one; `risk_report` says what it is entitled
to say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array
from privlib.disclosure import _matching as matching
from privlib.disclosure import _rewriting as rewriting
from privlib.disclosure import _rounding as rounding
from privlib.disclosure import anonymity, bounds, columns, pram
from privlib.disclosure import validation as valid

Floats = npt.NDArray[np.float64]

MAX_RECORDS = 10**8  # best_thinning tries every sample size: seconds at this number
_CHUNK = 2**18
_PRINTED = 6  # digits in a report
_SMALL = 4  # categories up to which the matrix of `retention_for_k` is built to check it


@dataclass(frozen=True)
class Shares:
    """Estimated shares of the true categories.

    Parameters
    ----------
    estimate : ndarray of float, shape (N,)
        Unbiased estimates; they sum to 1, and may be negative.
    variance : ndarray of float, shape (N,)
        Unbiased estimates of their variances. They may be negative, too, where a category is hardly
        shown: such a number says that the error is small beside what it can be told to, not that
        there is none.

    Examples
    --------
    Three of four lines show the first value, which is kept with probability 3/4: all four have it.

    >>> shares = estimate_shares([0, 0, 0, 1], [[0.75, 0.25], [0.25, 0.75]], n=4)
    >>> shares.estimate
    array([1., 0.])
    """

    estimate: Any
    variance: Any


@dataclass(frozen=True)
class Thinning:
    r"""The sample size that is most accurate at a given level, with retention.

    Parameters
    ----------
    n_sampled : int
        Number of records in the release.
    drop : int
        Number of records left out.
    keep : float
        Retention probability that reaches the level.
    variance_ratio : float
        Variance of the share, relative to a release of all records at the same level.
    asymptotic_drop : float
        What `drop` tends to for :math:`n \gg k`.
    asymptotic_ratio : float
        What `variance_ratio` tends to.

    Examples
    --------
    Leaving out 288 of 1,000 records allows to rewrite less, for 43 % of the variance.

    >>> best = best_thinning(1000, 10, categories=10, share=0.1)
    >>> best.n_sampled, best.drop, best.variance_ratio
    (712, 288, 0.43)
    """

    n_sampled: int
    drop: int
    keep: float
    variance_ratio: float
    asymptotic_drop: float
    asymptotic_ratio: float


@dataclass(frozen=True)
class RiskReport:
    """What to print under a release; ``str`` makes a small table of it.

    Parameters
    ----------
    records, lines : int
        Sizes of the table and of the release.
    fewest_equal_lines : int
        How often the rarest of the shown values is shown.
    k_table_known : Fraction or float
        Level against an attacker who knows the table.
    k_participants_known : Fraction or float
        Level against an attacker who also knows who took part.
    participation : tuple of Fraction or float
        Least and largest probability of having taken part, given any release.
    best_guess : tuple of Fraction or float
        Exact probability that the best guess is right: for a line of this release on average, and
        for the easiest one. Empty without the table.
    error_of_a_share : float
        Largest standard error of the estimated shares.
    published : bool, optional
        Whether `publish` made the release, so that the sample is known to be random.

    Examples
    --------
    >>> A = pram.retention_matrix(Fraction(1, 2), 2)
    >>> report = risk_report([0, 1], A, population_size=4)
    >>> report.k_table_known, report.participation, report.best_guess
    (Fraction(16, 9), (Fraction(1, 4), Fraction(3, 4)), ())
    """

    records: int
    lines: int
    fewest_equal_lines: int
    k_table_known: checks.Number
    k_participants_known: checks.Number
    participation: tuple[checks.Number, checks.Number]
    best_guess: tuple[checks.Number, ...]
    error_of_a_share: float
    published: bool = False

    def __str__(self) -> str:
        """Return the table, and what its numbers assume.

        Levels are rounded down and risks up. A level below 2 has a warning beside it: a link may be
        right more often than not.
        """
        if self.published:
            rows = ["A simple random sample, shuffled, values rewritten independently."]
        else:
            rows = [
                "True if the sample was simple, random and shuffled, and its values were rewritten",
                "independently by this matrix.",
            ]
        rows.append("True if a value is all that is published of a person: the whole line.")
        least, most = self.participation
        counted = {
            "records": self.records,
            "lines": self.lines,
            "fewest equal lines": self.fewest_equal_lines,
        }
        rows += [f"{name:22s}{number}" for name, number in counted.items()]  # every digit
        printed: dict[str, list[float]] = {
            "k table known": [_down(self.k_table_known)],
            "k participants known": [_down(self.k_participants_known)],
            "participation": [_down(least), _up(most)],
            "best guess": [_up(risk) for risk in self.best_guess],
            "error of a share": [_up(self.error_of_a_share)],
        }
        warnings = {
            "k table known": columns.warning_beside(self.k_table_known),
            "k participants known": columns.warning_beside(self.k_participants_known),
        }
        for name, numbers in printed.items():
            text = " to ".join(f"{number:.{_PRINTED}g}" for number in numbers)
            rows.append(f"{name:22s}{text or 'not computed'}{warnings.get(name, '')}")
        return "\n".join(rows)


@dataclass(frozen=True, eq=False)
class Publication(_safety.OwnsArrays):
    """A release, and the design that it was made by; `publish` makes it.

    Parameters
    ----------
    release : ndarray, shape (n_sampled,)
        Shown labels, or codes, in random order. This is what may be given away; so may all else
        here.
    population_size : int
        Number of records of the table.
    n_sampled : int
        Number of records in the release.
    transition : ndarray, shape (N, M)
        The matrix that the values were rewritten by.
    true_categories, shown_categories : tuple or None
        Labels of its rows and columns, ``None`` for codes.

    Examples
    --------
    >>> A = pram.retention_matrix(0.5, 3)
    >>> publication = publish([0, 1, 1, 2, 2, 2], n_sampled=4, transition=A)
    >>> publication.population_size, publication.n_sampled, publication.release.shape
    (6, 4, (4,))
    """

    release: Array
    population_size: int
    n_sampled: int
    transition: Array
    true_categories: tuple[Any, ...] | None
    shown_categories: tuple[Any, ...] | None

    def risk_report(self) -> RiskReport:
        """Return what this release is entitled to say, by `risk_report` without the table.

        Returns
        -------
        RiskReport
            What holds for every table; it may be published.

        Examples
        --------
        >>> A = pram.retention_matrix(Fraction(1, 2), 2)
        >>> report = publish([0, 1, 1, 1], n_sampled=2, transition=A).risk_report()
        >>> report.participation, report.best_guess, report.published
        ((Fraction(1, 4), Fraction(3, 4)), (), True)
        """
        return _report_of_codes(self, None, None, None)

    def __repr__(self) -> str:
        """Return the design, without the lines."""
        size = f"{self.n_sampled} of {self.population_size} records"
        return f"Publication({size}, {self.transition.shape[1]} shown categories)"


def retention_for_k(
    n: int, k: checks.Number, *, categories: int, n_sampled: int | None = None
) -> float:
    r"""Return the largest retention probability that reaches a level.

    Parameters
    ----------
    n : int
        Number of records of the table, below ``2**63``.
    k : int, Fraction or float
        Level, in ``1..n``.
    categories : int
        Number of categories *N*, at least 2.
    n_sampled : int, optional
        Number of records of the release; all of them if not given.

    Returns
    -------
    float
        :math:`\rho^*`, rounded towards 0: the level of the number returned is at least `k`.

    Raises
    ------
    ValueError, TypeError
        `k` is more than `n` (unreachable with any matrix) or less than 1, or a number is out of its
        range.

    Notes
    -----
    The level falls from *n* at :math:`\rho = 0` (all rows equal) to 1 at :math:`\rho = 1`. For
    *s* = 1 the root is :math:`(k - 1)/(n - 1)`, for *s* = *n* it is
    :math:`\sqrt{(k - 1)/(n - 1)}`. The square root is a float; the level is then checked in
    fractions, with a margin of some :math:`10^{-14}` that covers the floats of `retention_matrix`.
    For a fraction *k* that a float takes for 1 or for *n* the number may be well below
    :math:`\rho^*`, with very many categories 0; its level is at least `k` there, too.

    The level is that of `anonymity.pk_level`, for a shuffled simple random sample; it does not
    cover an attacker who knows who took part.

    References
    ----------
    Theorem 5.1 solved for the noise; the paper has no closed form.

    Examples
    --------
    >>> retention_for_k(1000, 10, categories=10)
    0.4881
    >>> retention_for_k(1000, 10, categories=10, n_sampled=100)
    0.9083
    """
    where = "retention_for_k"
    # Not only the fractions reach k: the floats of the matrix, whose level is rounded down, do.
    n, s = valid.sizes(where, checks.integer(where, "n", n, high=2**63 - 1), n_sampled)
    size = checks.integer(where, "categories", categories, low=2)
    level = Fraction(valid.level(where, k))
    if level > n:
        raise ValueError(f"{where}: k must be at most n = {n} (unreachable), got {k!r}")
    if level == 1:
        return 1.0
    asked = min(level * (1 + Fraction(1, 2**46)), Fraction(n))
    rho = float(_retention(float(level), n, np.array(s), size))
    step = min(2.0**-60, rho * 2.0**-30)  # many categories need retentions far below 2**-60
    while rho and _retention_level(Fraction(rho), n, s, size) < asked:
        rho = max(0.0, rho - max(step, math.ulp(rho)))
        step = 2 * step
    _certify_retention(where, rho, n, s, size, level)
    return rho


def estimate_shares(release: Any, transition: Any, *, n: int) -> Shares:
    r"""Return unbiased estimates of the shares of the true categories, and of their variances.

    Parameters
    ----------
    release : array_like or Series, shape (s,)
        Shown codes, or labels of the columns of `transition`.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix with independent rows.
    n : int
        Number of records of the table, at least *s*.

    Returns
    -------
    Shares
        ``estimate`` and ``variance``, in the order of the rows of `transition`.

    Raises
    ------
    ValueError, TypeError
        The rows of `transition` are dependent, up to the rounding of floats, or *s* = 1 < *n* (one
        record tells nothing of the spread), or a value is missing, or a code or number is out of
        its range.

    Notes
    -----
    Estimates and variances are unbiased, and so either may be negative: for rare categories often.
    Take no root of a variance that is not positive. Intervals of two standard errors cover as they
    should for shares that are shown some ten times or more; below that (small regions, joint
    categories) they may cover half as often. `mle_proportions` of
    `privlib.research.pram_estimation` has no negative shares, but is biased and has no standard
    error. For a region, *n* is the number of people *in the region*; if the sample was drawn from
    all, the lines of a region are a sample of random size, and the formula holds given that size.

    The variance of `share_variance` is linear in :math:`\pi` but for
    :math:`-c\pi_i^2`, :math:`c = (n - s)/(s(n - 1))`. As
    :math:`E[\hat\pi_i^2] = \pi_i^2 + \mathrm{Var}(\hat\pi_i)`, the formula at :math:`\hat\pi`,
    divided by 1 − *c*, has the right expectation.

    References
    ----------
    Not in the paper; Gouweleeuw et al. (1998) for the rewriting alone.

    Examples
    --------
    >>> shares = estimate_shares([0, 0, 0, 1], [[0.75, 0.25], [0.25, 0.75]], n=4)
    >>> shares.estimate, shares.variance
    (array([1., 0.]), array([0.1875, 0.1875]))
    """
    where = "estimate_shares"
    exact, _, columns = valid.matrix(where, transition)
    A, W = _with_inverse(where, exact)
    shown = valid.codes(where, "release", release, A.shape[1], labels=columns)
    s = shown.size
    n = checks.integer(where, "n", n, low=s)
    if s == 1 < n:
        raise ValueError(
            f"{where}: release must have at least 2 records if n is more (one says nothing of the "
            "spread: join regions or categories that have so few), got 1"
        )
    estimate = np.bincount(shown, minlength=A.shape[1]) / s @ W
    c = _finite_population(n, s)
    variance = _variance(estimate, A, W, s, c) / (1 - c)
    return Shares(estimate, variance)


def publish(
    table: Any,
    *,
    n_sampled: int,
    transition: Any,
    rng: np.random.Generator | int | None = None,
) -> Publication:
    r"""Return a release of a table: sampled, shuffled and rewritten, without an index.

    Parameters
    ----------
    table : array_like or Series, shape (n,)
        True categories of the records: codes of the rows of `transition`, or their labels. One
        column, which is all that is published of a person: of several
        columns make one of joint codes, ``np.ravel_multi_index(columns, sizes)``, with the matrix
        ``np.kron(A, B)``.
    n_sampled : int
        Number *s* of records to release, in ``1..n``, chosen before the table is looked at.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix, chosen before the table is looked at; ``np.eye(N)`` to leave values
        as they are. Its labels are public: all categories that there may be, not those that occur.
    rng : numpy.random.Generator or int, optional
        Source of randomness; leave it out. A seed is for studies, never for a release: whoever
        guesses it knows the sample and the rewriting, and no level holds.

    Returns
    -------
    Publication
        The release and its design. ``publication.risk_report()`` is what it may promise.

    Raises
    ------
    ValueError, TypeError
        A value is missing or unknown, `table` has several columns or labels that `transition` does
        not have, `n_sampled` is more than its length or no integer (``None`` is none: all are
        released by ``n_sampled=len(table)``), or `transition` is not row-stochastic.
    UncertifiedError
        The release would show what the matrix never shows.

    Notes
    -----
    A uniformly random permutation of the records, of which the first *s* are taken: a simple random
    sample without replacement, in random order. Then `pram.apply_pram` on these alone.

    What the levels do not cover: other columns published beside this one; the same people released
    again, with another sample or another rewriting (thirty rewritings of one sample show nearly
    every value); and what a group whose lines are all alike has in common.

    References
    ----------
    Section 2.1 and Theorem 5.1: the release that the theorem is about.

    Examples
    --------
    >>> A = pram.retention_matrix(0.5, categories=3)
    >>> publication = publish([0, 1, 1, 2, 2, 2], n_sampled=4, transition=A)
    >>> publication, publication.release.shape
    (Publication(4 of 6 records, 3 shown categories), (4,))
    >>> publication.risk_report().k_table_known >= anonymity.pk_level(A, 6, n_sampled=4)
    True
    """
    where = "publish"
    A, rows, columns = valid.matrix(where, transition)
    if rows is None and valid.categories_of(table) is not None:
        raise ValueError(
            f"{where}: transition must have labels for a categorical table (those of the table may "
            "be the values that happen to occur in it, which is not public), got none; pass "
            "retention_matrix(keep, categories)"
        )
    codes = valid.codes(where, "table", table, A.shape[0], labels=rows)
    n, s = valid.sizes(where, codes.size, n_sampled, required=True)
    rng = checks.generator(where, rng)
    drawn = rng.permutation(n)[:s]
    if np.unique(drawn).size != s:
        raise _safety.UncertifiedError(f"{where}: a record must not be drawn twice")
    shown = rewriting.rewritten(where, codes[drawn], A, rng)
    if (A[codes[drawn], shown] == 0).any():
        raise _safety.UncertifiedError(f"{where}: a value must not be shown as it never is")
    release = shown if columns is None else valid.label_array(columns)[shown]
    names = [None if labels is None else tuple(labels) for labels in (rows, columns)]
    return Publication(release, n, s, A, names[0], names[1])


def risk_report(
    release: Any,
    transition: Any = None,
    *,
    population_size: int | None = None,
    table: Any = None,
    transitions: Any = None,
    known: Any = None,
) -> RiskReport | columns.TableRiskReport:
    r"""Return the numbers to print under a release.

    Parameters
    ----------
    release : Publication, array_like or Series, shape (s,); or DataFrame or mapping of columns
        What `publish` made, or shown codes, or labels of the columns of `transition`. They must be
        **the whole line**: everything that is published of a person, as one category. If other
        columns are published beside this one, the levels are void: four people who all show 0 have
        the level 4, and 1 as soon as their ages are published, too. Pass all columns then, as a
        DataFrame or a mapping, with `transitions`.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix with independent rows; the identity for an unchanged sample. Dependent
        rows (more rows than columns, say) have levels, `anonymity.pk_level`, but no shares. Not for
        a `Publication`, which has its own.
    population_size : int
        Number of records of the table, at least *s*. Not for a `Publication`.
    table : array_like or Series, shape (population_size,), optional
        The true categories, for the exact posterior. The categories of a categorical Series are
        those of a square `transition` without labels, in their order, for the release too. For a
        release of several columns: a DataFrame or a mapping.
    transitions : mapping of column to matrix, optional
        For a release of several columns: the matrices of those that were rewritten; the others are
        published unchanged. See `columns.table_risk_report`.
    known : sequence of columns, optional
        For a release of several columns: those that the attacker knows; all if not given.

    Returns
    -------
    RiskReport or TableRiskReport
        Of one column, or of whole lines. Its first line says under which conditions the numbers
        are true.

    Raises
    ------
    ValueError, TypeError
        As for `estimate_shares` and `posterior.match_probability`; also if `table` does not have
        `population_size` records, a released value is one that no true value leads to, or a design
        comes with a `Publication` or lacks without one.
    UncertifiedError
        A level does not stand against the exact posterior.

    Notes
    -----
    Of a bare release nothing can be known but its lines: a slice of a table in which line *j* is
    still person *j* looks like a random sample. The report then says *if*.

    With *f* the fewest lines of one value, the levels are those of `anonymity.pk_level` and
    `anonymity.pk_level_response_knowledge` with ``shown=f``. A matrix with a zero beside a positive
    entry of its column has no :math:`\gamma` and :math:`g_2`; both levels are then *f*, which holds
    for every shuffled release. None of the numbers bounds what is told about a group whose lines
    are all alike.

    Who draws again until the report is good keeps the levels and the interval, but not the error:
    the estimates of rare values are then too high. The error is the root of the largest estimated
    variance, 0 if none is positive.

    Printed, levels are rounded down and risks up, and a level below 2 is marked: there a link may
    be right more often than not.

    References
    ----------
    Theorem 5.1; the other numbers are not in the paper.

    Examples
    --------
    >>> A = pram.retention_matrix(0.8, 2)
    >>> print(risk_report([0, 0, 1, 1, 1], A, population_size=8))
    True if the sample was simple, random and shuffled, and its values were rewritten
    independently by this matrix.
    True if a value is all that is published of a person: the whole line.
    records               8
    lines                 5
    fewest equal lines    2
    k table known         2.37037
    k participants known  2.03703
    participation         0.15625 to 0.9375
    best guess            not computed
    error of a share      0.22964

    Four people of four ages, and their answers as rewritten; all of both columns is published:

    >>> lines = {"answer": [0, 0, 0, 0], "age": [20, 30, 40, 50]}
    >>> report = risk_report(lines, transitions={"answer": A}, population_size=4, table=lines)
    >>> report.k_table_known, report.best_guess
    (1.0, (1.0, 1.0))
    """
    where = "risk_report"
    if isinstance(release, Mapping) or (checks.is_pandas(release) and hasattr(release, "columns")):
        if transition is not None:
            raise TypeError(
                f"{where}: transition is for one column; pass transitions={{column: matrix}} for a "
                "release of several"
            )
        if population_size is None:
            raise TypeError(f"{where}: population_size must be given for a release, got None")
        return columns.table_risk_report(
            release, transitions, population_size=population_size, table=table, known=known
        )
    for name, value in (("transitions", transitions), ("known", known)):
        if value is not None:
            kind = type(release).__name__
            raise TypeError(
                f"{where}: {name} is for a release of several columns, a DataFrame or a mapping, "
                f"got a {kind}"
            )
    return _report_of_codes(release, transition, population_size, table)


def _report_of_codes(
    release: Any, transition: Any, population_size: int | None, table: Any
) -> RiskReport:
    """Return the report of one column of codes."""
    where = "risk_report"
    published = isinstance(release, Publication)
    if published:
        if transition is not None or population_size is not None:
            raise TypeError(f"{where}: a Publication has its own transition and population_size")
        if release.true_categories is None and table is not None:
            valid.one_kind(where, release.transition, release.release, table, coded=True)
        A = release.transition
        rows = release.true_categories
        names = release.shown_categories
        lines = release.release
        size = release.population_size
    else:
        for name, value in (("transition", transition), ("population_size", population_size)):
            if value is None:
                raise TypeError(f"{where}: {name} must be given for a release, got None")
        if table is not None:
            valid.one_kind(where, transition, release, table)
        A, rows, names = valid.matrix(where, transition, table)
        lines = release
        size = population_size
    if checks.is_pandas(lines) and list(lines.index) != list(range(len(lines))):
        raise ValueError(
            f"{where}: release must not have an index, which may tell whose line it is; pass "
            "release.reset_index(drop=True), and publish no other index"
        )
    shown = valid.codes(where, "release", lines, A.shape[1], labels=names)
    valid.possible(where, "release", A, shown)
    n, s = valid.sizes(where, size, shown.size)
    f = int(np.unique(shown, return_counts=True)[1].min())
    k: checks.Number = f
    level: checks.Number = f
    presence: tuple[checks.Number, checks.Number] = (s // n, 1)
    if (A[:, A.any(axis=0)] != 0).all():
        k = anonymity.pk_level(A, n, n_sampled=s, shown=f)
        level = anonymity.pk_level_response_knowledge(A, n, n_sampled=s, shown=f)
        presence = anonymity.membership_interval(A, n, n_sampled=s)
    guess: tuple[checks.Number, ...] = ()
    if table is not None:
        tau = valid.codes(where, "table", table, A.shape[0], labels=rows)
        if tau.size != n:
            raise ValueError(
                f"{where}: table must have population_size = {n} records, got {tau.size}"
            )
        match = matching.by_value(where, tau, shown, A)
        best = match.max(axis=0)[shown]
        guess = _guesses(A, tau, shown, match)
        bounds.certify_level(where, k, 1 / float(best.max()))
        taken = match @ np.bincount(shown, minlength=A.shape[1])  # by true category
        ends = taken[np.unique(tau)].astype(np.float64)
        _safety.certify(where, "the largest chance of having taken part", ends, float(presence[1]))
        _safety.certify(where, "the least chance of having taken part", float(presence[0]), ends)
    variance = max(0.0, *estimate_shares(shown, A, n=n).variance)
    error = float(variance) ** 0.5
    return RiskReport(n, s, f, k, level, presence, guess, error, published)


def _guesses(A: Array, tau: Array, shown: Array, match: Array) -> tuple[checks.Number, ...]:
    """Return mean and maximum of the best guess over the slots, not below the true ones."""
    values, counts = np.unique(shown, return_counts=True)
    risks = [Fraction(risk) for risk in match[:, values].max(axis=0)]
    if np.unique(tau).size == 1:  # all people are alike
        risks = [Fraction(1, tau.size)] * values.size
    else:
        error = rounding.relative([rounding.RowSums.of(A)], tau, shown, A)
        risks = rounding.around(risks, error)[1]
    total = sum((count * risk for count, risk in zip(counts.tolist(), risks)), Fraction(0))
    exact = checks.is_exact(A)
    mean = bounds.as_given(total / shown.size, exact=exact, up=True)
    return mean, bounds.as_given(max(risks), exact=exact, up=True)


def share_variance(shares: Any, transition: Any, *, n: int, n_sampled: int | None = None) -> Any:
    r"""Return the exact variance of the estimated shares.

    Parameters
    ----------
    shares : array_like or mapping, shape (N,)
        True shares :math:`\pi` of the table, a probability vector in the order of the rows of
        `transition`; a mapping goes by their labels. A Series must have the index 0, 1, ...:
        ``shares.reindex(categories, fill_value=0).to_numpy()``.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (N, M)
        Row-stochastic matrix with independent rows.
    n : int
        Number of records of the table.
    n_sampled : int, optional
        Number of records of the release; all of them if not given.

    Returns
    -------
    ndarray of float, shape (N,)
        The variance of the module's opening, of the rewriting and of the sample.

    Raises
    ------
    ValueError, TypeError
        `shares` is not a probability vector over the rows, the rows are dependent, or a number is
        out of its range.

    Notes
    -----
    A slot contributes :math:`W[X, i]`, whose expectation given the record is the indicator of its
    category: the law of total variance, with the variance of a mean without replacement. For
    retention it is :math:`[\pi a(1 - a) + (1 - \pi) b (1 - b)]/(s\rho^2)` plus the sample's part,
    with :math:`b = (1 - \rho)/N` and :math:`a = \rho + b`. If the matrix is not square, *W* is
    the right inverse of least norm.

    References
    ----------
    Not in the paper; Gouweleeuw et al. (1998) for the rewriting alone.

    Examples
    --------
    >>> share_variance([0.5, 0.5], [[0.75, 0.25], [0.25, 0.75]], n=10, n_sampled=5)
    array([0.177778, 0.177778])
    >>> share_variance([0.5, 0.5], [[1, 0], [0, 1]], n=10, n_sampled=5)
    array([0.027778, 0.027778])
    """
    where = "share_variance"
    exact, rows, _ = valid.matrix(where, transition)
    A, W = _with_inverse(where, exact)
    shares = valid.by_position(where, "shares", shares, rows)
    pi = checks.reals(where, "shares", shares, shape=A.shape[:1])
    pi = checks.distribution(where, "shares", pi)
    n, s = valid.sizes(where, n, n_sampled)
    return np.maximum(_variance(pi, A, W, s, _finite_population(n, s)), 0)  # 0 up to rounding


def best_thinning(n: int, k: checks.Number, *, categories: int, share: float) -> Thinning:
    r"""Return the sample size with the most accurate share at a level, by retention.

    Parameters
    ----------
    n : int
        Number of records of the table, at most 10^8.
    k : int, Fraction or float
        Level, more than 1 and less than *n*, and so far from *n* that :math:`1 - \gamma^*` is at
        least 1e-9 for all records: rounding hides less.
    categories : int
        Number of categories *N*, at least 2, below ``2**63``.
    share : float
        The share :math:`\pi` that matters, in (0, 1).

    Returns
    -------
    Thinning
        The best of all sample sizes ``1..n``, and what asymptotics say.

    Raises
    ------
    ValueError, TypeError
        A number is out of its range.

    Notes
    -----
    For :math:`n \gg k` and *q* = *n* − *s* small against *n*,
    :math:`k - 1 \approx q\gamma + n\gamma^2`, and the variance is proportional to
    :math:`\gamma + \beta q/n` with :math:`\beta = \pi(1 - \pi)/(1 + \pi(N - 2)) \le 1/4`. Its
    minimum is at :math:`\gamma = \sqrt{\beta (k - 1) / ((1 - \beta) n)}`, hence

    .. math::

        q^* \approx \frac{1 - 2\beta}{\sqrt{\beta (1 - \beta)}} \sqrt{n (k - 1)}, \qquad
        \text{ratio} \to 2\sqrt{\beta (1 - \beta)} .

    For this share alone a recoding into two categories comes first; it needs less noise.

    References
    ----------
    Not in the paper. Its section 5.2 compares the noise, not the accuracy.

    Examples
    --------
    >>> best = best_thinning(1000, 10, categories=10, share=0.1)
    >>> best.drop, best.keep, best.variance_ratio
    (288, 0.769, 0.430)
    """
    where = "best_thinning"
    n = checks.integer(where, "n", n, low=3, high=MAX_RECORDS)
    level = float(min(valid.level(where, k), n))
    size = checks.integer(where, "categories", categories, low=2, high=2**63 - 1)
    # All records need the largest gamma; less than this of 1 - gamma is lost in its rounding.
    if level == 1 or 1 - math.sqrt((level - 1) / (n - 1)) < 1e-9:
        rule = f"between 1 and n = {n}, not so near 1 or n that floats do not tell them apart"
        raise ValueError(f"{where}: k must be {rule}, got {k!r}")
    pi = checks.real(where, "share", share)
    checks.bounded(where, "share", pi, "be in (0, 1)", lambda x: 0 < x < 1)

    def variance(s: Array) -> Floats:
        return _retention_variance(pi, n, s, _retention(level, n, s, size), size)

    # The least of all sample sizes; of equal ones the smallest.
    least = math.inf
    best = n
    for start in range(1, n + 1, _CHUNK):
        sample_sizes = np.arange(start, min(start + _CHUNK, n + 1))
        variances = variance(sample_sizes)
        if float(variances.min()) < least:
            least = float(variances.min())
            best = int(sample_sizes[variances.argmin()])
    beta = pi * (1 - pi) / (1 + pi * (size - 2))
    root = math.sqrt(beta * (1 - beta))
    # `retention_for_k` rounds it to the safe side, and checks the level of what it returns.
    keep = retention_for_k(n, k, categories=size, n_sampled=best)
    ratio = least / float(variance(np.array(n)))
    asymptotic_drop = (1 - 2 * beta) / root * math.sqrt(n * (level - 1))
    return Thinning(best, n - best, keep, ratio, asymptotic_drop, 2 * root)


# ---------------------------------------------------------------------------------------------


def _retention(k: float, n: int, s: Array, size: int) -> Array:
    """Return the retention probability of level `k` for every sample size."""
    free = (n - s).astype(np.float64)
    root = np.sqrt(free**2 + 4 * (s - 1.0) * (k - 1))
    positive = np.where(free + root > 0, free + root, 1.0)  # n = 1: no noise needed
    gamma = np.minimum(2 * (k - 1) / positive, 1.0)
    return np.asarray((1 - gamma) / (1 + (size - 1) * gamma))


def _retention_level(rho: Fraction, n: int, s: int, size: int) -> Fraction:
    """Return the level of retention, exactly."""
    gamma = (1 - rho) / (1 + (size - 1) * rho)
    return 1 + (n - s) * gamma + (s - 1) * gamma**2


def _certify_retention(where: str, rho: float, n: int, s: int, size: int, level: Fraction) -> None:
    """Raise unless the matrix itself, in fractions and in floats, has the level."""
    if size <= _SMALL:
        exact = anonymity.pk_level(pram.retention_matrix(Fraction(rho), size), n, n_sampled=s)
        plain = anonymity.pk_level(pram.retention_matrix(rho, size), n, n_sampled=s)
    else:  # from two of its entries
        other = (1 - Fraction(rho)) / size
        ratio = other / (Fraction(rho) + other)
        exact = plain = 1 + ratio * ((n - s) + ratio * (s - 1))
    if exact < level or (plain < level and level < n):
        missed = float(level - min(Fraction(exact), Fraction(plain)))
        raise _safety.UncertifiedError(
            f"{where}: the level must be at least k, but a second computation gives {missed:.3g} "
            "less; nothing is returned"
        )


def _down(number: checks.Number) -> float:
    """Return a number to print, not above the true one."""
    return _safety.round_down(bounds.float_down(number), _PRINTED)


def _up(number: checks.Number) -> float:
    """Return a number to print, not below the true one."""
    return _safety.round_up(bounds.float_up(number), _PRINTED)


def _retention_variance(pi: float, n: int, s: Array, rho: Array, size: int) -> Floats:
    """Return the variance of one share under retention, for every sample size; rho > 0."""
    b = (1 - rho) / size
    a = rho + b
    rewriting = (pi * a * (1 - a) + (1 - pi) * b * (1 - b)) / rho**2
    return np.asarray(rewriting / s + _finite_population(n, s) * pi * (1 - pi))


def _finite_population(n: int, s: Any) -> Any:
    """Return (1 - s/n) / s * n/(n - 1), 0 without sampling."""
    return (n - s) / (s * max(n - 1, 1))


def _variance(pi: Floats, A: Floats, W: Floats, s: int, c: float) -> Floats:
    """Return the variance formula at the shares `pi`."""
    return np.asarray((pi @ (A @ W**2) - pi) / s + c * pi * (1 - pi))


def _with_inverse(where: str, exact: Array) -> tuple[Floats, Floats]:
    """Return a matrix in floats and its right inverse of least norm."""
    A = valid.floats(where, exact)
    rank = np.linalg.matrix_rank(A)
    if rank < len(A):  # then shares cannot be told apart
        rule = "have independent rows (so clearly that floats show it)"
        raise ValueError(f"{where}: transition must {rule}, got rank {rank} for {len(A)} rows")
    if A.shape[0] == A.shape[1]:
        return A, np.asarray(np.linalg.inv(A))
    return A, np.asarray(np.linalg.pinv(A))
