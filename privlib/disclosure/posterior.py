r"""The exact posterior: which record stands behind which slot of a release.

An attacker who knows the whole table :math:`\tau` and sees the release :math:`\tau'` of a simple
random sample of rewritten records (transition matrix *A*, shuffled) holds every injection
:math:`\sigma` of slots into records possible in proportion to
:math:`w(\sigma) = \prod_j A[\tau(\sigma(j))][\tau'(j)]`. So for a record of value *u* and a slot of
value :math:`u'`

.. math::

    \Pr[\Pi(r) = r' \mid \tau'] =
    \frac{A[u][u']\;\mathrm{Perm}(\text{without } r \text{ and } r')}{\mathrm{Perm}} ,

a ratio of rectangular permanents, which depend on the counts of the categories alone: one value
for each pair :math:`(u, u')`. Permanents are hard in general; few categories, or a matrix that
keeps a value or draws a new one whatever the old one was, make them easy
(`privlib.disclosure._permanents`).

**What else is an ordinary table.** *Sampling alone* is *A* = *I*. An attacker who *does not know*
some records, and thinks that they are independent draws from a distribution *q*, is one more
category with the row *qA*: append it to the matrix.

**Where it fails.** The records are rewritten independently, and every sample of the size is
equally likely. An attacker who learns *q* from the release is none of these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array
from privlib.disclosure import _matching as matching
from privlib.disclosure import validation as valid

METHODS = matching.METHODS
SHOWN_BY = ("record", "value")
_MAX_ENTRIES = 10**8  # of a matrix of all records and slots


def match_probability(
    table: Any, release: Any, *, transition: Any, record: int, slot: int, method: str = "auto"
) -> checks.Number:
    r"""Return the probability that a slot of the release shows a record of the table.

    Parameters
    ----------
    table : array_like or Series, shape (n,)
        True categories of the records: codes of the rows of `transition`, or their labels.
    release : array_like or Series, shape (s,)
        Shown categories of the slots, of its columns; ``s <= n``.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (U, V)
        Probabilities of the shown categories given the true one, integers, fractions or floats.
    record, slot : int
        Places in `table` and in `release`, from 0.
    method : {"auto", "permanent", "generating", "rook"}
        How the permanents are found: by recursion over the subsets of slots; by a generating
        function in the shown categories; by rook polynomials, for a square matrix whose columns
        are constant off the diagonal and not larger there than on it. "auto" takes "rook" where
        it applies, else "generating".

    Returns
    -------
    Fraction or float
        :math:`\Pr[\Pi(r) = r' \mid \tau']`: exact for a rational matrix, a float for one of
        floats.

    Raises
    ------
    ValueError, TypeError
        The release cannot arise from the table, is longer than it, or holds unknown categories; one
        of them is categorical and the other codes, of a matrix without labels;
        the matrix is not stochastic; the problem is too large for the method, or the matrix not
        of the form that it needs.

    Notes
    -----
    Floats: "generating" and "rook" add and multiply logarithms of numbers that are not negative;
    the relative error stays near *s* times the rounding of a logarithm (1e-12 at *s* = 1000).
    "permanent" computes with the floats as the fractions that they are, and rounds once.

    References
    ----------
    Section 2.2 (the probability of success) and the first displays of the proof of Theorem 5.1.

    Examples
    --------
    Two of four records, each kept with probability 1/2 and else drawn from two values:

    >>> from fractions import Fraction
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> match_probability([0, 1, 1, 1], [0, 1], transition=half, record=0, slot=0)
    Fraction(9, 16)
    >>> match_probability([0, 1, 1, 1], [0, 1], transition=half, record=0, slot=1)
    Fraction(1, 16)
    """
    where = "match_probability"
    tau, shown, A = _problem(where, table, release, transition)
    r = checks.integer(where, "record", record, low=0, high=tau.size - 1)
    q = checks.integer(where, "slot", slot, low=0, high=shown.size - 1)
    return matching.chances(where, tau, shown, A, [(tau[r], shown[q])], method)[0]


def match_matrix(
    table: Any, release: Any, *, transition: Any, by: str = "record", method: str = "auto"
) -> Any:
    r"""Return the match probabilities of all records and slots.

    Parameters
    ----------
    table : array_like or Series, shape (n,)
        True categories of the records: codes of the rows of `transition`, or their labels.
    release : array_like or Series, shape (s,)
        Shown categories of the slots, of its columns; ``s <= n``.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (U, V)
        Probabilities of the shown categories given the true one, integers, fractions or floats.
    by : {"record", "value"}
        One row a record and one column a slot, or one row a true and one column a shown category.
    method : {"auto", "permanent", "generating", "rook"}
        How the permanents are found, as for `match_probability`.

    Returns
    -------
    ndarray, shape (n, s) or (U, V)
        Fractions (dtype object) for a rational matrix, else ``float64``, in the order of the
        arguments. Every column of the (*n*, *s*) form sums to 1; a row sums to the probability
        that the record was sampled. Categories that the table or the release does not have get 0 in
        the (*U*, *V*) form.

    Raises
    ------
    ValueError, TypeError
        As for `match_probability`; also if the matrix would have more than 10^8 entries.
    UncertifiedError
        The probabilities of all records for a slot do not sum to 1 up to rounding.

    Notes
    -----
    Records of one value are exchangeable, and so are slots: one evaluation for each pair of
    categories that occur. Every slot shows somebody, which checks each column.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> print(match_matrix([0, 1, 1, 1], [0, 1], transition=half, by="value"))
    [[Fraction(9, 16) Fraction(1, 16)]
     [Fraction(7, 48) Fraction(5, 16)]]
    """
    where = "match_matrix"
    tau, shown, A = _problem(where, table, release, transition)
    checks.choice(where, "by", by, SHOWN_BY)
    if by == "record":
        _safety.limit(
            where, "entries of the matrix", tau.size * shown.size, _MAX_ENTRIES, 'use by="value"'
        )
    matrix = matching.by_value(where, tau, shown, A, method)
    return matrix if by == "value" else matrix[np.ix_(tau, shown)]


def membership_probability(
    table: Any, release: Any, *, transition: Any, record: int, method: str = "auto"
) -> checks.Number:
    r"""Return the probability that a record was sampled, given the release.

    Parameters
    ----------
    table : array_like or Series, shape (n,)
        True categories of the records: codes of the rows of `transition`, or their labels.
    release : array_like or Series, shape (s,)
        Shown categories of the slots, of its columns; ``s <= n``.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (U, V)
        Probabilities of the shown categories given the true one, integers, fractions or floats.
    record : int
        Place in `table`, from 0.
    method : {"auto", "permanent", "generating", "rook"}
        How the permanents are found, as for `match_probability`.

    Returns
    -------
    Fraction or float
        Sum over the slots of the match probabilities, in [0, 1].

    Raises
    ------
    ValueError, TypeError
        As for `match_probability`.

    Notes
    -----
    The events "slot *r'* shows the record" exclude each other; their union is "sampled". A sum of
    numbers that are not negative keeps the digits of a small probability.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> membership_probability([0, 1, 1, 1], [0, 0], transition=half, record=0)
    Fraction(3, 4)
    """
    where = "membership_probability"
    _, _, sampled = _of_record(where, table, release, transition, record, method)
    return sampled


def response_match_probability(
    table: Any, release: Any, *, transition: Any, record: int, slot: int, method: str = "auto"
) -> checks.Number:
    r"""Return the match probability for an attacker who knows that the record was sampled.

    Parameters
    ----------
    table : array_like or Series, shape (n,)
        True categories of the records: codes of the rows of `transition`, or their labels.
    release : array_like or Series, shape (s,)
        Shown categories of the slots, of its columns; ``s <= n``.
    transition : array_like, DataFrame, sparse matrix or Graph, shape (U, V)
        Probabilities of the shown categories given the true one, integers, fractions or floats.
    record, slot : int
        Places in `table` and in `release`, from 0.
    method : {"auto", "permanent", "generating", "rook"}
        How the permanents are found, as for `match_probability`.

    Returns
    -------
    Fraction or float
        :math:`\Pr[\Pi(r) = r' \mid \tau', r \text{ sampled}]`, the match probability divided by
        `membership_probability`.

    Raises
    ------
    ValueError, TypeError
        As for `match_probability`; also if the record cannot have been sampled.

    Notes
    -----
    "In slot *r'*" implies "sampled", so the joint probability is the match probability. The paper
    excludes this attacker: hers does not know which records were sampled (section 2.2).

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> response_match_probability([0, 1, 1, 1], [0, 1], transition=half, record=0, slot=0)
    Fraction(9, 10)
    """
    where = "response_match_probability"
    shown, chances, sampled = _of_record(where, table, release, transition, record, method)
    q = checks.integer(where, "slot", slot, low=0, high=shown.size - 1)
    if sampled == 0:
        raise ValueError(
            f"{where}: record {record} cannot have been sampled, "
            "got a release whose values it never shows"
        )
    return min(chances[shown[q]] / sampled, 1.0)  # rounding of floats


# ---------------------------------------------------------------------------------------------


def _problem(where: str, table: Any, release: Any, transition: Any) -> tuple[Array, Array, Array]:
    """Return the checked table, release and matrix."""
    valid.one_kind(where, transition, release, table)
    A, rows, columns = valid.matrix(where, transition, table)
    tau = valid.codes(where, "table", table, A.shape[0], labels=rows)
    shown = valid.codes(where, "release", release, A.shape[1], labels=columns)
    if shown.size > tau.size:
        rule = f"not be longer than the table of {tau.size} records"
        raise ValueError(f"{where}: release must {rule}, got {shown.size} slots")
    return tau, shown, A


def _of_record(
    where: str, table: Any, release: Any, transition: Any, record: Any, method: str
) -> tuple[Array, dict[int, checks.Number], checks.Number]:
    """Return the release, the chance behind a slot of each shown value, and that of membership."""
    tau, shown, A = _problem(where, table, release, transition)
    r = checks.integer(where, "record", record, low=0, high=tau.size - 1)
    values, counts = np.unique(shown, return_counts=True)
    chances = matching.chances(where, tau, shown, A, [(tau[r], v) for v in values], method)
    total: checks.Number = sum(int(c) * chance for c, chance in zip(counts, chances))
    return shown, dict(zip(values, chances)), min(total, 1.0)  # rounding of floats
