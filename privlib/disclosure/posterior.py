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

import math
from fractions import Fraction
from typing import Any

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array
from privlib.disclosure import _permanents as permanents
from privlib.disclosure import _validation as valid

METHODS = ("auto", "permanent", "generating", "rook")
SHOWN_BY = ("record", "value")
_MAX_SUBSETS, _MAX_TERMS = 2**16, 10**7
_MAX_STEPS = 6 * 10**9  # of 10 nanoseconds: about a minute
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
        The release cannot arise from the table, is longer than it, or holds unknown categories;
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
    return _chances(where, tau, shown, A, [(tau[r], shown[q])], method)[0]


def match_matrix(
    table: Any, release: Any, *, transition: Any, by: str = "record", method: str = "auto"
) -> Any:
    r"""Return the match probabilities of all records and slots.

    Parameters
    ----------
    table, release, transition, method
        As for `match_probability`.
    by : {"record", "value"}
        One row a record and one column a slot, or one row a true and one column a shown category.

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
    matrix = by_value(where, tau, shown, A, method)
    return matrix if by == "value" else matrix[np.ix_(tau, shown)]


def by_value(where: str, tau: Array, shown: Array, A: Array, method: str = "auto") -> Array:
    """Return the match probability of every pair of a true and a shown category, of checked codes.

    The people of all categories together are behind each slot with probability 1.
    """
    values = np.unique(shown)
    pairs = [(u, v) for u in np.unique(tau) for v in values]
    matrix = np.full(A.shape, Fraction(0) if checks.is_exact(A) else 0.0, dtype=A.dtype)
    for pair, value in zip(pairs, _chances(where, tau, shown, A, pairs, method)):
        matrix[pair] = value
    people = np.bincount(tau, minlength=len(A)).astype(object)
    anybody = np.array(people @ matrix[:, values].astype(object), dtype=np.float64)
    _safety.certify(where, "the chance that anybody is behind a slot", anybody, 1.0, slack=1e-7)
    _safety.certify(where, "certainty that somebody is", 1.0, anybody, slack=1e-7)
    return matrix


def membership_probability(
    table: Any, release: Any, *, transition: Any, record: int, method: str = "auto"
) -> checks.Number:
    r"""Return the probability that a record was sampled, given the release.

    Parameters
    ----------
    table, release, transition, record, method
        As for `match_probability`.

    Returns
    -------
    Fraction or float
        Sum over the slots of the match probabilities.

    Notes
    -----
    The events "slot *r'* shows the record" exclude each other; their union is "sampled". A sum of
    numbers that are not negative keeps the digits of a small probability.

    Examples
    --------
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
    table, release, transition, record, slot, method
        As for `match_probability`.

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
    A, rows, columns = valid.matrix(where, transition, table)
    tau = valid.codes(where, "table", table, A.shape[0], labels=rows)
    shown = valid.codes(where, "release", release, A.shape[1], labels=columns)
    if shown.size > tau.size:
        rule = f"not be longer than the table of {tau.size} records"
        raise ValueError(f"{where}: release must {rule}, got {shown.size} slots")
    return tau, shown, A


def _whole(A: Array) -> Array:
    """Return a matrix as integers: its entries times their common denominator."""
    entries = [Fraction(entry) for entry in A.flat]
    scale = math.lcm(*(entry.denominator for entry in entries))
    whole = np.array([int(entry * scale) for entry in entries] + [None], dtype=object)
    return whole[:-1].reshape(A.shape)  # None keeps numpy from choosing a machine integer


def _of_record(
    where: str, table: Any, release: Any, transition: Any, record: Any, method: str
) -> tuple[Array, dict[int, checks.Number], checks.Number]:
    """Return the release, the chance behind a slot of each shown value, and that of membership."""
    tau, shown, A = _problem(where, table, release, transition)
    r = checks.integer(where, "record", record, low=0, high=tau.size - 1)
    values, counts = np.unique(shown, return_counts=True)
    chances = _chances(where, tau, shown, A, [(tau[r], v) for v in values], method)
    total: checks.Number = sum(int(c) * chance for c, chance in zip(counts, chances))
    return shown, dict(zip(values, chances)), min(total, 1.0)  # rounding of floats


def _chances(
    where: str, tau: Array, shown: Array, A: Array, pairs: list[tuple[Any, Any]], method: str
) -> list[checks.Number]:
    """Return the match probability of every pair of categories, from the counts alone."""
    checks.choice(where, "method", method, METHODS)
    whole = checks.is_exact(A) or method == "permanent"
    ring: permanents.Arithmetic = permanents.Integers if whole else permanents.Logarithms
    W = _whole(A) if whole else A
    n, s = np.bincount(tau, minlength=A.shape[0]), np.bincount(shown, minlength=A.shape[1])
    board = _rook_form(W)
    if method == "auto":
        method = "generating" if board is None else "rook"
    if method == "rook" and board is None:
        rule = "a square transition with columns constant off the diagonal and not larger there"
        raise ValueError(f"{where}: method 'rook' must have {rule}, got {A.tolist()}")
    # Categories of equal counts and weights are exchangeable: their pairs have one permanent.
    kinds = _kinds(n, s, board) if method == "rook" and board is not None else None
    keys = [(u, v) if kinds is None else (kinds[u], kinds[v], u == v) for u, v in pairs]
    _refuse_large(where, n, s, method, ring, 1 + len(set(keys)))

    def perm(records: Array, slots: Array) -> Any:
        if method == "rook" and board is not None:
            return permanents.rook(records, slots, *board, ring)
        if method == "generating":
            return permanents.generating(records, slots, W, ring)
        return permanents.by_subsets(records, slots, W)

    total = perm(n, s)
    if total == ring.zero:
        raise ValueError(
            f"{where}: release must be possible for the table under transition, got one that has "
            "probability 0"
        )
    one_u, one_v = np.eye(n.size, dtype=np.int64), np.eye(s.size, dtype=np.int64)
    parts: dict[Any, Any] = {}
    for key, (u, v) in zip(keys, pairs):
        if key not in parts:
            parts[key] = perm(n - one_u[u], s - one_v[v])
    rest = [parts[key] for key in keys]
    if not whole:
        chances: list[checks.Number] = []
        for pair, x in zip(pairs, np.array(rest) - total):
            # In two factors: the exponential of x may be too large for a float.
            first, second = math.exp(min(x, 700)), math.exp(max(min(x, 750) - 700, 0))
            chances.append(min(1.0, float(A[pair] * first * second)))
        return chances
    kind = Fraction if checks.is_exact(A) else float
    return [kind(Fraction(W[pair] * part, total)) for pair, part in zip(pairs, rest)]


def _rook_form(W: Array) -> tuple[Array, Array] | None:
    """Return d and b of W = diag(d) + 1 b^T with d not negative, or None."""
    N = W.shape[0]
    if W.shape != (N, N):
        return None
    b = W[np.arange(N) - 1, np.arange(N)]  # the entry above the diagonal, cyclically
    off = ~np.eye(N, dtype=bool)
    d = np.diagonal(W) - b
    same = np.broadcast_to(b, (N, N))[off] == W[off]
    return (d, b) if same.all() and (d >= 0).all() else None


def _kinds(n: Array, s: Array, board: tuple[Array, Array]) -> list[Any]:
    """Return for each category what its factor of the rook polynomial depends on."""
    return list(zip(n.tolist(), s.tolist(), board[0].tolist(), board[1].tolist()))


def _refuse_large(
    where: str, n: Array, s: Array, method: str, ring: permanents.Arithmetic, calls: int
) -> None:
    """Refuse what would take minutes, before it starts."""
    slots, occurring = int(s.sum()), int(np.count_nonzero(n))
    if method == "rook":
        steps = calls * permanents.rook_steps(n, s, ring)
        advice = "ask for single records, or pass floats"
        what = f"steps of method 'rook' ({calls} polynomials of {slots} slots)"
        _safety.limit(where, what, steps, _MAX_STEPS, advice)
    if method == "permanent" and slots > _MAX_SUBSETS.bit_length() - 1:
        raise ValueError(
            f"{where}: method 'permanent' must have at most {_MAX_SUBSETS} subsets of slots, "
            f"got {slots} slots"
        )
    if method == "permanent":
        steps = calls * int(n.sum()) * slots * 2**slots
        _safety.limit(where, "steps of method 'permanent'", steps, _MAX_STEPS // 10)
    states = math.prod(int(k) + 1 for k in s)
    terms = states * max(1, states * (occurring - 2))
    if method == "generating" and terms > _MAX_TERMS:
        raise ValueError(
            f"{where}: method 'generating' must have at most {_MAX_TERMS} products of terms, "
            f"got {np.count_nonzero(s)} shown categories and {slots} slots ({terms})"
        )
