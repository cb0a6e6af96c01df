r"""Files of several columns: levels and risks of whole lines.

A line has several columns. Some are rewritten, each independently by a matrix :math:`A_i` of its
own; the others are published as they are. What links a line to a person is the whole line.

**Rewritten columns.** The matrix of a line is the Kronecker product of the :math:`A_i`, and a ratio
of its entries is the product of one ratio from each column. The four indices in the definitions of
:math:`\gamma` and :math:`g_2` are chosen in each column freely, so the minima are products,

.. math:: \gamma = \prod_i \gamma_i, \qquad g_2 = \prod_i g_{2,i},

both with equality, and Theorem 5.1 reads :math:`k \ge 1 + (n - s)\prod\gamma_i + (s - 1)\prod
g_{2,i}`. One pair of rows attains both minima if and only if one does in each column, so the bound
is attained (`anonymity.is_tight`) if and only if it is for each matrix. Columns that are rewritten
jointly have one matrix, on their joint values, and count as one column.

**Unchanged columns.** The identity has :math:`\gamma = g_2 = 0`. People with the same values in the
unchanged columns are a *class*. Every injection of slots into people stays inside the classes, and
its weight is a product over them: the posterior is that of the class alone. So the level of a class
with :math:`s_h` of :math:`n_h` people in the release is
:math:`1 + (n_h - s_h)\gamma + (s_h - 1) g_2` with the minima of the rewritten columns. This is a
level for one table. For every table only :math:`1 + (s_h - 1) g_2` is certain, because
:math:`n_h = s_h` is possible; for every table and every release only 1, because a class may have
one person.

**Attackers who know some columns.** Let the attacker know some columns of all people, and let the
other columns be exchangeable in her eyes: no assignment of their true values to people is likelier
than another. Every injection then has the same mean weight in these columns, which cancels. Her
posterior is that of the release without them.

**Where it fails.** A column that is related to what she knows (income to occupation) is not
exchangeable. Count it as known: the levels for the whole line hold whatever the attacker knows of
the table, as long as she does not know who is in the sample.

>>> from privlib.disclosure import retention_matrix
>>> A = retention_matrix(Fraction(4, 5), 2)
>>> pk_level_of_lines([A], 1000, n_sampled=100) > 100
True
>>> level = pk_level_of_lines([A, A, A], 1000, n_sampled=100)
>>> print(f"{float(level):.2f}")
2.23
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array
from privlib.disclosure import _matching as matching
from privlib.disclosure import _rounding as rounding
from privlib.disclosure import bounds
from privlib.disclosure import ratios as pairs
from privlib.disclosure import validation as valid

MAX_VALUES = 2 * 10**7  # of table and release: some ten seconds
MAX_CLASS_ENTRIES = 10**8  # of the matrices of all classes, times columns: about half a minute
_MAX_ENTRIES = 10**6  # of the matrix of one class, true lines by shown lines
_LEAST_NORMAL = 2.0**-1022  # a smaller float has fewer digits
_RANGE = 1000  # binary digits of range that a product of floats may use
_PRINTED = 6  # digits in a report


@dataclass(frozen=True)
class TableRiskReport:
    """What to print under a release of several columns; ``str`` makes a small table of it.

    Parameters
    ----------
    records, lines : int
        Sizes of the table and of the release.
    rewritten, unchanged : tuple of str
        The columns that count, by how they are published.
    left_out : tuple of str
        Columns of the release that the attacker does not know.
    classes : int
        Number of different values of the unchanged columns in the release.
    fewest_in_a_class : int
        Lines in the smallest class.
    fewest_equal_lines : int
        How often the rarest of the shown lines is shown.
    k_table_known : Fraction or float
        Level for every table, against an attacker who knows it.
    k_participants_known : Fraction or float
        Level for every table, against an attacker who also knows who took part.
    participation : tuple of Fraction or float
        Least and largest probability of having taken part, for every table.
    k_this_table : Fraction, float or None
        Level for the given table, against an attacker who knows it.
    best_guess : tuple of Fraction or float
        Probability that the best guess of an attacker who knows this table is right, for a line of
        this release on average, and for the easiest one. An upper bound where `best_guess_at_least`
        is smaller. Empty without the table.
    best_guess_at_least : tuple of Fraction or float
        Lower bounds of the same two numbers; equal to them if all classes were computed exactly.

    Examples
    --------
    Everybody gave the same answer; who knows the ages, too, knows every line.

    >>> table = {"answer": [0, 0, 0, 0], "age": [20, 30, 40, 50]}
    >>> report = table_risk_report(table, {}, population_size=4, table=table)
    >>> report.classes, report.fewest_in_a_class, report.k_this_table
    (4, 1, Fraction(1, 1))
    """

    records: int
    lines: int
    rewritten: tuple[str, ...]
    unchanged: tuple[str, ...]
    left_out: tuple[str, ...]
    classes: int
    fewest_in_a_class: int
    fewest_equal_lines: int
    k_table_known: checks.Number
    k_participants_known: checks.Number
    participation: tuple[checks.Number, checks.Number]
    k_this_table: checks.Number | None
    best_guess: tuple[checks.Number, ...]
    best_guess_at_least: tuple[checks.Number, ...]

    def __str__(self) -> str:
        """Return the table, and what its numbers assume.

        Levels are rounded down and risks up. A level below 2 has a warning beside it: a link may be
        right more often than not.
        """
        rows = [
            "True if the sample was simple, random and shuffled, and its values were rewritten",
            "independently by these matrices.",
            "True if these columns are all that is published of a person: the whole line.",
        ]
        if self.left_out:
            rows.append(f"The attacker knows nothing of {', '.join(self.left_out)},")
            rows.append("and nothing that she knows tells her whose values these are.")
        least, most = self.participation
        texts = {
            "records": str(self.records),
            "lines": str(self.lines),
            "rewritten": ", ".join(self.rewritten) or "none",
            "unchanged": ", ".join(self.unchanged) or "none",
            "classes": str(self.classes),
            "fewest in a class": str(self.fewest_in_a_class),
            "fewest equal lines": str(self.fewest_equal_lines),
            "k every table": _level_text(self.k_table_known),
            "k participants known": _level_text(self.k_participants_known),
            "participation": f"{_down(least)} to {_up(most)}",
            "k this table": "not computed",
            "best guess": "not computed",
        }
        if self.k_this_table is not None:
            texts["k this table"] = _level_text(self.k_this_table)
            texts["best guess"] = " to ".join(_up(risk) for risk in self.best_guess)
            if self.best_guess != self.best_guess_at_least:
                texts["  (upper bounds)"] = "at least " + " to ".join(
                    _down(risk) for risk in self.best_guess_at_least
                )
        rows += [f"{name:22s}{text}" for name, text in texts.items()]
        return "\n".join(rows)


def pk_level_of_lines(
    transitions: Any,
    n: int,
    *,
    n_sampled: int | None = None,
    alike: int = 1,
    shown: int = 1,
) -> checks.Number:
    r"""Return the level that independently rewritten columns guarantee together.

    Parameters
    ----------
    transitions : list, tuple or mapping of matrices
        One row-stochastic matrix for each column, without a zero beside a positive entry of its
        column; ``None`` for a column that is published unchanged. Columns that are rewritten
        jointly have one matrix.
    n : int
        Number of records. For the people of one class of the unchanged columns: their number, and
        the matrices of the rewritten columns alone.
    n_sampled : int, optional
        Number of records in the release, in ``1..n``; all of them if not given.
    alike : int
        Number *m* of records that are known to have the target's values in all columns.
    shown : int
        Number *f* of released lines that are equal to the target's line in all columns.

    Returns
    -------
    Fraction or float
        `anonymity.pk_level` with :math:`\gamma = \prod \gamma_i` and :math:`g_2 = \prod g_{2,i}`,
        which are 0 if a column is unchanged: then :math:`\max(m, f)`.

    Raises
    ------
    ValueError, TypeError
        As for `anonymity.pk_level`, or there is no column, or one matrix in place of a list.

    Notes
    -----
    Equal to `anonymity.pk_level` of the Kronecker product, which is not formed. See the module's
    opening for the proof.

    References
    ----------
    Theorem 5.1; the paper has one column.

    Examples
    --------
    >>> from privlib.disclosure import retention_matrix
    >>> A = retention_matrix(Fraction(1, 2), 2)
    >>> pk_level_of_lines([A, A], 10, n_sampled=4), pk_level_of_lines([A, None], 10, n_sampled=4)
    (Fraction(46, 27), Fraction(1, 1))
    """
    where = "pk_level_of_lines"
    n, s = valid.sizes(where, n, n_sampled)
    m = checks.integer(where, "alike", alike, low=1, high=n)
    f = checks.integer(where, "shown", shown, low=1, high=s)
    # What can be iterated need not be a sequence of matrices: the rows of a sparse matrix are some.
    mapping = isinstance(transitions, Mapping) and not hasattr(transitions, "toarray")
    if not mapping and not isinstance(transitions, (list, tuple)):
        kind = type(transitions).__name__
        raise TypeError(
            f"{where}: transitions must be one matrix for each column, in a list, a tuple or a "
            f"mapping, got one {kind}; pass [transition] for one column"
        )
    matrices = list(transitions.values() if mapping else transitions)
    if any(_is_row(matrix) for matrix in matrices) or _are_slices(matrices):
        raise TypeError(
            f"{where}: transitions must be one matrix for each column, got the rows of one; pass "
            "[transition]"
        )
    if not matrices:
        raise ValueError(f"{where}: transitions must have at least one column, got none")
    minima = _Minima.of_columns(where, matrices)
    return bounds.as_given(_level(where, minima, n, s, m, f), exact=minima.exact)


def table_risk_report(
    release: Any,
    transitions: Any,
    *,
    population_size: int,
    table: Any = None,
    known: Any = None,
) -> TableRiskReport:
    r"""Return the numbers to print under a release of several columns.

    `privlib.disclosure.risk_report` calls this for a DataFrame or a mapping.

    Parameters
    ----------
    release : DataFrame or mapping of columns, each of shape (s,)
        **All** columns that are published of a person. A DataFrame has the index 0, 1, ....
    transitions : mapping of column to matrix
        The matrix of each rewritten column, as for `pram.apply_pram`; a tuple of columns that were
        rewritten jointly has one matrix whose rows and columns are labelled by tuples of values (a
        DataFrame with a ``MultiIndex``). All other columns are published unchanged; ``{}`` if all
        are.
    population_size : int
        Number of records of the table, at least *s*.
    table : DataFrame or mapping of columns, each of shape (population_size,), optional
        The true values, for the numbers about this table. It may have more columns.
    known : sequence of columns, optional
        The columns that the attacker knows, of all people; all columns if not given.

    Returns
    -------
    TableRiskReport
        Its first lines say under which conditions the numbers are true.

    Raises
    ------
    ValueError, TypeError
        A value is missing, masked or not one of the categories; equal values are written in two
        ways (0.0 and -0.0), so that a reader tells them apart; a column is no vector; columns are
        unknown, of different lengths, rewritten twice, have names that print alike, or are
        rewritten jointly but known in part; the levels of a matrix are named as other columns than
        its key; one of release and table is categorical and the other codes; the release has an
        index that may tell whose line it is; it cannot come from the table, or from any; table and
        release have more than 2 · 10^7 values, or the matrices of all classes, times columns, more
        than 10^8 entries.
    UncertifiedError
        A level does not stand against a second computation or the exact posterior.

    Notes
    -----
    Classes, levels and the attacker with `known` columns: see the module's opening. The exact
    posterior of a class is computed if the work for all classes so far is within a minute, smallest
    first; of floats it is rounded up, and where their products would leave the range of floats it
    is computed in fractions. For the other classes of :math:`n_h` people the best guess is right
    with a probability between :math:`1/n_h`, because the people of the class share each line, and
    1/level.

    A matrix with a zero beside a positive entry of its column counts with :math:`\gamma = g_2 = 0`.

    References
    ----------
    Not in the paper, which has one column.

    Examples
    --------
    Four people with the same answer; the age is published, too:

    >>> answers = {"answer": [0, 0, 0, 0], "age": [20, 30, 40, 50]}
    >>> report = table_risk_report(answers, {}, population_size=4, table=answers)
    >>> report.k_table_known, report.k_this_table, report.best_guess
    (Fraction(1, 1), Fraction(1, 1), (Fraction(1, 1), Fraction(1, 1)))
    >>> without = table_risk_report(
    ...     answers, {}, population_size=4, table=answers, known=["answer"]
    ... )
    >>> without.k_this_table, without.best_guess
    (Fraction(4, 1), (Fraction(1, 4), Fraction(1, 4)))
    """
    where = "risk_report"
    shown_values = _columns(where, "release", release)
    true_values = None if table is None else _columns(where, "table", table)
    s = _length(where, "release", shown_values)
    n, s = valid.sizes(where, population_size, s)
    if true_values is not None:
        _same_people(where, shown_values, true_values, n)
    design = _Design.of(where, list(shown_values), transitions, known)
    values = len(shown_values) * (s + (0 if true_values is None else n))
    _safety.limit(where, "values of table and release", values, MAX_VALUES, "report on a part")
    coded = _coded(where, design, shown_values, true_values)
    release_lines = _Lines.of(*coded[0])
    minima = _Minima.of_columns(where, coded[2], zeros=True)
    least = _levels(where, minima, release_lines.sizes, release_lines)
    participants = min(least)
    if design.unchanged:
        every_table = participants
        participation: tuple[Fraction, Fraction] = Fraction(0), Fraction(1)
    else:
        every_table = _level(where, minima, n, s, 1, int(release_lines.counts.min()))
        participation = _participation(where, minima, n, s)
    this_table: checks.Number | None = None
    best: tuple[checks.Number, ...] = ()
    at_least: tuple[checks.Number, ...] = ()
    if coded[1] is not None:
        table_lines = _Lines.of(*coded[1])
        people = _people(where, release_lines, table_lines)
        level = min(_levels(where, minima, people, release_lines, table_lines))
        bounds.certify_level(where, every_table, float(level))
        guesses = _best_guess(where, minima, coded[2], release_lines, table_lines)
        bounds.certify_level(where, level, 1 / float(guesses.low[1]))
        best = guesses.high
        at_least = guesses.low if guesses.bounded else guesses.high
        this_table = bounds.as_given(level, exact=minima.exact)
    return TableRiskReport(
        records=n,
        lines=s,
        rewritten=tuple(_name(group) for group in design.rewritten),
        unchanged=tuple(str(column) for column in design.unchanged),
        left_out=design.left_out,
        classes=len(release_lines.sizes),
        fewest_in_a_class=int(release_lines.sizes.min()),
        fewest_equal_lines=int(release_lines.counts.min()),
        k_table_known=bounds.as_given(every_table, exact=minima.exact),
        k_participants_known=bounds.as_given(participants, exact=minima.exact),
        participation=(
            bounds.as_given(participation[0], exact=minima.exact),
            bounds.as_given(participation[1], exact=minima.exact, up=True),
        ),
        k_this_table=this_table,
        best_guess=best,
        best_guess_at_least=at_least,
    )


# --- levels ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Minima:
    """The two minima of a line, not above the true ones, and their logarithms by another route."""

    gamma: Fraction
    g2: Fraction
    logs: tuple[float, float]
    exact: bool

    @classmethod
    def of_columns(cls, where: str, matrices: Iterable[Any], *, zeros: bool = False) -> _Minima:
        """Return the products; a column that is unchanged, or may have `zeros`, makes them 0."""
        gamma = g2 = Fraction(1)
        log_gamma = log_g2 = 0.0
        exact = True
        for matrix in matrices:
            if matrix is None or (zeros and (matrix[:, matrix.any(axis=0)] == 0).any()):
                gamma = g2 = Fraction(0)
                log_gamma = log_g2 = -math.inf
                exact = exact and (matrix is None or checks.is_exact(matrix))
                continue
            column = pairs.extremes(where, matrix)
            gamma = gamma * column.gamma
            g2 = g2 * column.g2
            log_gamma += float(column.logs.min())
            log_g2 += float((column.logs - column.log_highs).min())
            exact = exact and column.exact
        return cls(Fraction(gamma), Fraction(g2), (log_gamma, log_g2), exact)


def _is_row(matrix: Any) -> bool:
    """Tell whether what should be a matrix has numbers where it should have rows."""
    if isinstance(matrix, (list, tuple)):
        return any(isinstance(entry, numbers.Number) for entry in matrix)
    if isinstance(matrix, numbers.Number):
        return True
    return len(getattr(matrix, "shape", (0, 0))) < 2


def _are_slices(matrices: list[Any]) -> bool:
    """Tell whether several matrices look like what iteration makes of one of scipy or numpy."""
    kinds = all(hasattr(M, "toarray") or isinstance(M, np.matrix) for M in matrices)
    return kinds and len(matrices) > 1 and all(M.shape[0] == 1 for M in matrices)


def _level(where: str, minima: _Minima, n: int, s: int, m: int, f: int) -> Fraction:
    """Return the level of *s* of *n* records, *m* of them alike and *f* lines equal, certified."""
    whole = max(m, f)
    sampled = min(s - f, n - whole)
    level = whole + (n - whole - sampled) * minima.gamma + sampled * minima.g2
    # A second time: the cheapest way to fill the places of the n - 1 others. At most s - f of them
    # are sampled and shown otherwise, at most n - s are not sampled, and at least max(m, f) - 1
    # count in full.
    places = n - whole
    total = Fraction(n - places)
    for log_weight, room in ((minima.logs[1], s - f), (minima.logs[0], n - s)):
        taken = min(room, places)
        total += taken * Fraction(math.exp(log_weight))
        places -= taken
    bounds.certify_level(where, level, bounds.float_down(total + places))
    return level


def _levels(
    where: str, minima: _Minima, people: Array, shown: _Lines, true: _Lines | None = None
) -> list[Fraction]:
    """Return the level of each class of the release, given how many `people` it has."""
    alike = np.ones_like(people) if true is None else true.fewest()[shown.classes]
    cases = list(zip(people.tolist(), shown.sizes.tolist(), alike.tolist(), shown.fewest_list()))
    levels = {case: _level(where, minima, *case) for case in set(cases)}
    return [levels[case] for case in cases]


def _participation(where: str, minima: _Minima, n: int, s: int) -> tuple[Fraction, Fraction]:
    """Return `anonymity.membership_interval` of the whole line."""
    gamma = minima.gamma
    if s == n:
        return Fraction(1), Fraction(1)
    low = s * gamma / (s * gamma + n - s)
    high = Fraction(s) / (s + (n - s) * gamma)
    odds = math.log(s) - math.log(n - s)
    found = bounds.log_odds(low), -bounds.log_odds(high)
    allowed = odds + minima.logs[0], minima.logs[0] - odds
    _safety.certify(where, "the log odds of an end", found, allowed, unit=_safety.SLACK)
    return low, high


# --- columns -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Design:
    """Which columns are rewritten, by which matrix, which are unchanged, and which do not count."""

    rewritten: tuple[tuple[Hashable, ...], ...]
    matrices: tuple[Any, ...]
    unchanged: tuple[Hashable, ...]
    left_out: tuple[str, ...]

    @classmethod
    def of(cls, where: str, columns: Sequence[Any], transitions: Any, known: Any) -> _Design:
        """Return the checked design of the columns that the attacker knows."""
        if not isinstance(transitions, Mapping) or hasattr(transitions, "toarray"):
            kind = type(transitions).__name__
            raise TypeError(
                f"{where}: transitions must be a mapping of columns to matrices for a release of "
                f"several columns, {{}} if all are published unchanged, got a {kind}"
            )
        groups = [_group(where, key, columns) for key in transitions]
        named = [column for group in groups for column in group]
        twice = sorted({str(column) for column in named if named.count(column) > 1})
        if twice:
            raise ValueError(f"{where}: transitions must rewrite a column once, got twice: {twice}")
        counted = _known(where, columns, known)
        for group in groups:
            if 0 < sum(column in counted for column in group) < len(group):
                raise ValueError(
                    f"{where}: known must have all or none of {_name(group)}, which are rewritten "
                    "jointly, got a part of them"
                )
        for group, matrix in zip(groups, transitions.values()):
            _named_alike(where, group, matrix, columns)
        kept = [pair for pair in zip(groups, transitions.values()) if pair[0][0] in counted]
        return cls(
            tuple(group for group, _ in kept),
            tuple(matrix for _, matrix in kept),
            tuple(column for column in counted if column not in named),
            tuple(str(column) for column in columns if column not in counted),
        )


def _group(where: str, key: Any, columns: Sequence[Any]) -> tuple[Any, ...]:
    """Return the columns that a key of `transitions` means: one, or several in a tuple."""
    if key in columns:
        return (key,)
    if isinstance(key, tuple) and key and all(part in columns for part in key):
        return key
    raise ValueError(
        f"{where}: transitions must be keyed by columns of the release, or tuples of them, "
        f"got {key!r}"
    )


def _named_alike(where: str, group: tuple[Any, ...], matrix: Any, columns: Sequence[Any]) -> None:
    """Refuse a table whose levels are named as other columns than those of its key."""
    if not checks.is_pandas(matrix):
        return
    for labels in (matrix.index, getattr(matrix, "columns", matrix.index)):
        names = list(labels.names)
        named = [name for name in names if name is not None]
        if len(group) == 1:  # "true" and "shown" name no column
            good = all(name == group[0] or name not in columns for name in named)
        else:
            good = len(names) == len(group)
            good = good and all(name in (None, part) for name, part in zip(names, group))
        if not good and (named or len(group) == 1):
            raise ValueError(
                f"{where}: the levels of the matrix of {_name(group)} must be named as its columns "
                f"and be in their order, got {names}; pass the columns of the key in that order, "
                "or matrix.rename_axis(index=names, columns=names)"
            )


def _known(where: str, columns: Sequence[Any], known: Any) -> list[Any]:
    """Return the columns that the attacker knows, in the order of the release."""
    if known is None:
        return list(columns)
    if isinstance(known, str):
        raise TypeError(f"{where}: known must be a list of columns, got a str; pass [{known!r}]")
    names = list(known)
    strange = [name for name in names if name not in columns]
    if strange or not names:
        got = repr(strange[0]) if strange else "none"
        raise ValueError(f"{where}: known must be columns of the release, at least one, got {got}")
    return [column for column in columns if column in names]


def _name(group: tuple[Any, ...]) -> str:
    return " × ".join(str(column) for column in group)


def _columns(where: str, name: str, table: Any) -> dict[Any, Any]:
    """Return the columns of a table as they are."""
    if checks.is_pandas(table) and hasattr(table, "columns"):
        columns = list(table.columns)
        if len(set(columns)) < len(columns):
            raise ValueError(f"{where}: {name} must have distinct columns, got some twice")
        values = {column: table[column] for column in columns}
    elif isinstance(table, Mapping):
        values = dict(table)
    else:
        kind = type(table).__name__
        raise TypeError(
            f"{where}: {name} must be a DataFrame or a mapping of columns, got a {kind}"
        )
    if not values:
        raise ValueError(f"{where}: {name} must have at least one column, got none")
    if len({str(column) for column in values}) < len(values):
        raise ValueError(
            f"{where}: {name} must have columns whose names differ in print, got some that do not "
            "(1 beside '1'); rename them"
        )
    for label, column in values.items():
        checks.not_masked(where, f"{name}[{str(label)!r}]", column)
        if not _is_vector(column):
            kind = type(column).__name__
            raise TypeError(
                f"{where}: {name}[{str(label)!r}] must be a vector with one value for each person, "
                f"got a {kind}; pass a list, an array of one dimension or a Series"
            )
        indexed = checks.is_pandas(column) and list(column.index) != list(range(len(column)))
        if name == "release" and indexed:
            raise ValueError(
                f"{where}: release must not have an index, which may tell whose line it is; pass "
                "release.reset_index(drop=True), and publish no other index"
            )
    if not checks.is_pandas(table):
        # Rows are people: columns of one table must have them in one order.
        series = {f"{name}[{str(column)!r}]": values[column] for column in values}
        _safety.same_records(where, **series)
    return values


def _is_vector(column: Any) -> bool:
    """Tell whether a column is a sequence or an array of one dimension, and no text."""
    if isinstance(column, (str, bytes, bytearray, memoryview)) or hasattr(column, "toarray"):
        return False
    if hasattr(column, "shape"):
        return len(column.shape) == 1
    return isinstance(column, Sequence)


def _length(where: str, name: str, values: Mapping[Any, Any]) -> int:
    """Return the number of rows, the same in all columns."""
    lengths = {len(column) for column in values.values()}
    if len(lengths) != 1:
        raise ValueError(
            f"{where}: {name} must have columns of one length, got {sorted(lengths)[:3]}"
        )
    return lengths.pop()


def _same_people(where: str, shown: Mapping[Any, Any], true: Mapping[Any, Any], n: int) -> None:
    """Refuse a table that is not the population of a release."""
    records = _length(where, "table", true)
    if records != n:
        raise ValueError(f"{where}: table must have population_size = {n} records, got {records}")
    missing = [str(column) for column in shown if column not in true]
    if missing:
        raise ValueError(
            f"{where}: table must have the columns of the release, got none of {missing}"
        )


# --- codes -------------------------------------------------------------------------------------


_Coded = tuple[Array, Array]  # the class of each row, and the codes of its rewritten columns


def _coded(
    where: str, design: _Design, shown: Mapping[Any, Any], true: Mapping[Any, Any] | None
) -> tuple[_Coded, _Coded | None, list[Array]]:
    """Return classes and codes of release and table, and the checked matrices."""
    shown_codes = []
    true_codes = []
    matrices = []
    for group, transition in zip(design.rewritten, design.matrices):
        single = true[group[0]] if true is not None and len(group) == 1 else None
        if true is not None and len(group) == 1:
            valid.one_kind(where, transition, shown[group[0]], single)
        A, rows, columns = valid.matrix(where, transition, single)
        if len(group) > 1 and (rows is None or columns is None):
            raise TypeError(
                f"{where}: the matrix of {_name(group)} must be labelled by tuples of values; pass "
                "a DataFrame whose index and columns are pandas.MultiIndex.from_product(...)"
            )
        name = f"release[{_name(group)!r}]"
        values = _joint(where, name, shown, group)
        shown_codes.append(valid.codes(where, name, values, A.shape[1], labels=columns))
        valid.possible(where, name, A, shown_codes[-1])
        if true is not None:
            name = f"table[{_name(group)!r}]"
            values = _joint(where, name, true, group)
            true_codes.append(valid.codes(where, name, values, A.shape[0], labels=rows))
        matrices.append(A)
    places = [_places(where, column, shown, true) for column in design.unchanged]
    s = len(next(iter(shown.values())))
    n = 0 if true is None else len(next(iter(true.values())))
    classes = _classes([place for place, _ in places], s + n)
    released = classes[:s], np.array(shown_codes, dtype=np.int64).reshape(-1, s).T
    if true is None:
        return released, None, matrices
    people = classes[s:], np.array(true_codes, dtype=np.int64).reshape(-1, n).T
    return released, people, matrices


def _joint(where: str, name: str, values: Mapping[Any, Any], group: tuple[Any, ...]) -> Any:
    """Return the values of a column, or tuples of those of several columns."""
    if len(group) == 1:
        return values[group[0]]
    columns = [_entries(values[column]) for column in group]
    for column in columns:
        if any(valid.is_missing(entry) for entry in column):
            raise valid.missing(where, name)
    return valid.label_array(list(zip(*columns)))


def _entries(column: Any) -> list[Any]:
    """Return the values of a column, those of numpy as Python's except for dates."""
    if isinstance(column, np.ndarray) and column.dtype.kind not in "mM":
        return list(column.tolist())
    return list(column)


def _places(
    where: str, column: Any, shown: Mapping[Any, Any], true: Mapping[Any, Any] | None
) -> tuple[Array, int]:
    """Return the values of an unchanged column, release before table, as numbers from 0."""
    place: dict[Any, int] = {}
    codes: list[int] = []
    parts: list[list[Any]] = []
    for name, values in (("release", shown), ("table", true)):
        if values is None:
            continue
        entries = _entries(values[column])
        if any(valid.is_missing(entry) for entry in entries):
            raise valid.missing(where, f"{name}[{str(column)!r}]")
        try:
            codes += [place.setdefault(entry, len(place)) for entry in entries]
        except TypeError as error:
            raise TypeError(
                f"{where}: {name}[{str(column)!r}] must hold labels, got what cannot be one"
            ) from error
        parts.append(entries)
    dates = {getattr(values[column], "dtype", None) for values in (shown, true) if values}
    if len(dates) > 1 or getattr(next(iter(dates)), "kind", "O") != "M":  # one type, one time zone
        valid.one_writing(where, f"the column {str(column)!r}", *parts)
    return np.array(codes, dtype=np.int64), len(place)


def _classes(columns: Sequence[Array], rows: int) -> Array:
    """Return one number for each combination of the codes of several columns."""
    result = np.zeros(rows, dtype=np.int64)
    for codes in columns:
        # Each factor is at most the number of rows, so that the product fits.
        pairs_of_codes = result * (int(codes.max()) + 1) + codes
        result = np.unique(pairs_of_codes, return_inverse=True)[1].reshape(rows)
    return result


# --- classes -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Lines:
    """The different lines of a file, sorted by class, and how often each occurs.

    Attributes
    ----------
    codes : ndarray of int, shape (lines, groups)
        Codes of the rewritten columns.
    counts : ndarray of int, shape (lines,)
        How many rows have the line.
    starts, classes, sizes : ndarray of int, shape (H,)
        Where each class begins, its number, and its rows.
    """

    codes: Array
    counts: Array
    starts: Array
    classes: Array
    sizes: Array

    @classmethod
    def of(cls, classes: Array, codes: Array) -> _Lines:
        """Return the lines of rows with a class and codes."""
        rows = np.column_stack([classes, codes])
        lines, counts = np.unique(rows, axis=0, return_counts=True)
        numbers, starts = np.unique(lines[:, 0], return_index=True)
        return cls(lines[:, 1:], counts, starts, numbers, np.add.reduceat(counts, starts))

    def of_class(self, h: int) -> tuple[Array, Array]:
        """Return the codes and the counts of the class at a position."""
        end = self.starts[h + 1] if h + 1 < len(self.starts) else len(self.counts)
        part = slice(self.starts[h], end)
        return self.codes[part], self.counts[part]

    def fewest(self) -> Array:
        """Return how often the rarest line of a class occurs, by the number of the class."""
        result = np.zeros(int(self.classes.max()) + 1, dtype=np.int64)
        result[self.classes] = np.minimum.reduceat(self.counts, self.starts)
        return result

    def fewest_list(self) -> list[int]:
        """Return how often the rarest line occurs, for each class in order."""
        fewest: list[int] = np.minimum.reduceat(self.counts, self.starts).tolist()
        return fewest


def _people(where: str, shown: _Lines, true: _Lines) -> Array:
    """Return the number of people in each class of the release."""
    by_number = np.zeros(1 + max(int(shown.classes.max()), int(true.classes.max())), dtype=np.int64)
    by_number[true.classes] = true.sizes
    people = by_number[shown.classes]
    if (people < shown.sizes).any():
        wrong = int((people < shown.sizes).sum())
        raise ValueError(
            f"{where}: release must be possible for the table, got {wrong} of {len(people)} "
            "combinations of unchanged values with more lines than people"
        )
    return people


# --- the best guess ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Class:
    """The attack on one class: its people, its lines, and their matrix."""

    tau: Array
    shown: Array
    matrix: Array
    values: Array  # of the different shown lines, columns of the matrix
    counts: Array  # of the same

    @classmethod
    def of(
        cls, matrices: list[Array], shown: tuple[Array, Array], true: tuple[Array, Array]
    ) -> _Class:
        """Return the attack on lines and people that are given by codes and counts."""
        shown_codes, shown_counts = shown
        true_codes, true_counts = true
        if len(matrices) == 1:  # as it is: its form may be that of the rook polynomials
            matrix = matrices[0]
            values = shown_codes[:, 0]
            rows = true_codes[:, 0]
        else:
            values = np.arange(len(shown_counts))
            rows = np.arange(len(true_counts))
            exact = not matrices or checks.is_exact(matrices[0])
            matrix = np.ones((rows.size, values.size), dtype=object if exact else np.float64)
            for column, A in enumerate(matrices):
                matrix = matrix * A[np.ix_(true_codes[:, column], shown_codes[:, column])]
        tau = np.repeat(rows, true_counts)
        return cls(tau, np.repeat(values, shown_counts), matrix, values, shown_counts)


@dataclass(frozen=True)
class _Guesses:
    """Mean and maximum of the best guess, from below and above, and if only bounded somewhere."""

    low: tuple[checks.Number, ...]
    high: tuple[checks.Number, ...]
    bounded: bool


def _weights(where: str, matrices: list[Array]) -> list[Array]:
    """Return matrices whose products lose nothing, the columns divided by constants.

    A constant for each shown value, or for the matrix, changes no match probability.
    """
    if all(checks.is_exact(A) for A in matrices):
        return [matching.whole_weights(A) for A in matrices]
    floats = [valid.floats(where, A) for A in matrices]
    if len(floats) == 1:
        return floats
    scaled = []
    exponent = 0  # of the least product
    fits = len(matrices) < _RANGE
    for A, rounded in zip(matrices, floats):
        powers = np.frexp(rounded.max(axis=0))[1]
        scaled.append(np.ldexp(rounded, 1 - powers))  # the largest of a column is in [1, 2)
        exponent += int(np.frexp(scaled[-1][scaled[-1] > 0].min())[1]) - 1
        if checks.is_exact(A) and (rounded[rounded > 0] < _LEAST_NORMAL).any():
            fits = False  # such a float has lost digits
    if fits and exponent > -_RANGE:
        return scaled
    return [matching.whole_weights(A) for A in matrices]


def _best_guess(
    where: str, minima: _Minima, given: list[Array], shown: _Lines, true: _Lines
) -> _Guesses:
    """Return mean and maximum of the best guess over the lines, from below and from above."""
    exact = all(checks.is_exact(A) for A in given)
    matrices = _weights(where, given)
    rows = [rounding.RowSums.of(A) for A in given]
    position = np.searchsorted(true.classes, shown.classes).tolist()
    # Classes with the same codes and counts have the same risks. The least work comes first.
    members: dict[Any, list[int]] = {}
    for h in range(len(position)):
        parts = (*shown.of_class(h), *true.of_class(position[h]))
        members.setdefault(tuple(part.tobytes() for part in parts), []).append(h)
    firsts = [(alike[0], position[alike[0]]) for alike in members.values()]
    _refuse_large(where, matrices, shown, true, firsts)
    waiting = []
    for alike in members.values():
        h = alike[0]
        waiting.append((_work(matrices, shown.of_class(h), true.of_class(position[h])), alike))
    waiting.sort()
    spent = 0
    bounded = False
    sums = [Fraction(0), Fraction(0)]
    largest = [Fraction(0), Fraction(0)]
    for work, alike in waiting:
        h = alike[0]
        lines = shown.of_class(h)
        people = true.of_class(position[h])
        least, most = _bounds_of_guesses(where, minima, lines[1], people[1])
        spent += work
        if matrices and spent <= matching.MAX_WORK:  # else all of a class are alike: 1/people
            attack = _Class.of(matrices, lines, people)
            guesses = _exact_guesses(where, minima, attack, most)
            if least != most:  # else they are 1/people, without rounding
                error = rounding.relative(rows, attack.tau, attack.shown, attack.matrix)
                least, most = rounding.around(guesses, error)
        else:
            _refuse_impossible(where, given, lines[0], people[0])
            bounded = bounded or least != most
        for side, risks in enumerate((least, most)):
            counted = [count * risk for count, risk in zip(lines[1].tolist(), risks)]
            sums[side] += len(alike) * sum(counted, Fraction(0))
            largest[side] = max(largest[side], *risks)
    slots = int(shown.sizes.sum())
    high = tuple(
        bounds.as_given(risk, exact=exact, up=True) for risk in (sums[1] / slots, largest[1])
    )
    low = tuple(bounds.as_given(risk, exact=exact) for risk in (sums[0] / slots, largest[0]))
    return _Guesses(low, high, bounded)


def _refuse_large(
    where: str, matrices: list[Array], shown: _Lines, true: _Lines, classes: list[tuple[int, int]]
) -> None:
    """Refuse classes whose matrices together would take minutes to form, before the first."""
    entries = 0
    # One column is not multiplied, but its whole matrix is looked through.
    looked_through = matrices[0].size // 10 if len(matrices) == 1 else 0
    for h, position in classes:
        size = len(shown.of_class(h)[1]) * len(true.of_class(position)[1])
        if size <= _MAX_ENTRIES:
            entries += max(size, looked_through)
    what = f"entries of the matrices of {len(classes)} different classes, times columns,"
    advice = "report on a part of the columns, or without the table"
    _safety.limit(where, what, entries * len(matrices), MAX_CLASS_ENTRIES, advice)


def _refuse_impossible(
    where: str, matrices: list[Array], shown_codes: Array, true_codes: Array
) -> None:
    """Refuse lines of a class that has nobody who could show the value of one of the columns."""
    for column, A in enumerate(matrices):
        part = A[np.unique(true_codes[:, column])]
        valid.possible(where, "release", part, shown_codes[:, column])


def _work(matrices: list[Array], shown: tuple[Array, Array], true: tuple[Array, Array]) -> int:
    """Return about how many steps the exact risks of a class take, too many if they are refused."""
    if matrices and len(shown[1]) * len(true[1]) <= _MAX_ENTRIES:
        attack = _Class.of(matrices, shown, true)
        work = matching.work(attack.tau, attack.shown, attack.matrix)
        if work is not None:
            return work
    return matching.MAX_WORK + 1


def _bounds_of_guesses(
    where: str, minima: _Minima, shown_counts: Array, true_counts: Array
) -> tuple[list[Fraction], list[Fraction]]:
    """Return between which numbers the chance of the best guess is, for each shown line."""
    people = int(true_counts.sum())
    slots = int(shown_counts.sum())
    alike = int(true_counts.min())
    most = []
    for count in shown_counts.tolist():
        most.append(1 / _level(where, minima, people, slots, alike, count))
    return [Fraction(1, people)] * len(most), most


def _exact_guesses(
    where: str, minima: _Minima, attack: _Class, most: list[Fraction]
) -> list[Fraction]:
    """Return the chance of the best guess for each shown line, certified."""
    match = matching.by_value(where, attack.tau, attack.shown, attack.matrix)
    best = [Fraction(match[:, value].max()) for value in attack.values]
    risks = np.array(best, dtype=np.float64)
    _safety.certify(where, "the best guess", risks, np.array(most, dtype=np.float64))
    _safety.certify(where, "the chance of a random guess", 1 / attack.tau.size, risks)
    # Who of the class took part: by the odds of `anonymity.membership_interval`.
    taken = match[:, attack.values] @ attack.counts
    taken = taken[np.unique(attack.tau)].astype(np.float64)
    low, high = _participation(where, minima, attack.tau.size, attack.shown.size)
    _safety.certify(where, "the largest chance of having taken part", taken, float(high))
    _safety.certify(where, "the least chance of having taken part", float(low), taken)
    return best


# --- numbers to print --------------------------------------------------------------------------


def warning_beside(level: checks.Number) -> str:
    """Return what a report prints behind a level: a warning if it is below 2, else nothing.

    Parameters
    ----------
    level : Fraction or float
        A level *k*, at least 1: no link is right with a probability above 1 / *k*.

    Returns
    -------
    str
        Below 2 a link may be right more often than not, and no k-anonymity is reached, which begins
        with groups of two. The probability is rounded up to whole per cent.

    Examples
    --------
    >>> warning_beside(1.03), warning_beside(Fraction(2))
    ('  (no protection: a link may be right in 98 %)', '')
    """
    if level >= 2:
        return ""
    percent = math.ceil(100 / Fraction(level))
    return f"  (no protection: a link may be right in {percent} %)"


def _level_text(level: checks.Number) -> str:
    return _down(level) + warning_beside(level)


def _down(number: checks.Number) -> str:
    """Return a number as text, not above the true one."""
    return f"{_safety.round_down(bounds.float_down(number), _PRINTED):.{_PRINTED}g}"


def _up(number: checks.Number) -> str:
    """Return a number as text, not below the true one."""
    return f"{_safety.round_up(bounds.float_up(number), _PRINTED):.{_PRINTED}g}"
