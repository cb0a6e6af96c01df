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
import numpy.typing as npt

from privlib import _checks as checks
from privlib.disclosure import _permanents as permanents
from privlib.disclosure import _validation as valid

METHODS = ("auto", "enumeration", "permanent", "generating", "rook")
SHOWN_BY = ("record", "value")
_MAX_INJECTIONS, _MAX_SUBSETS, _MAX_TERMS = 10**6, 2**16, 10**7

Array = npt.NDArray[Any]


def match_probability(
    table: npt.ArrayLike,
    release: npt.ArrayLike,
    transition: Any,
    record: int,
    slot: int,
    *,
    method: str = "auto",
) -> valid.Number:
    r"""Return the probability that a slot of the release shows a record of the table.

    Parameters
    ----------
    table : array_like of int, shape (n,)
        True categories of the records, rows of `transition`.
    release : array_like of int, shape (s,)
        Shown categories of the slots, columns of `transition`; ``s <= n``.
    transition : array_like, shape (U, V)
        Probabilities of the shown categories given the true one, integers, fractions or floats.
    record : int
        Index into `table`, from 0.
    slot : int
        Index into `release`, from 0.
    method : {"auto", "enumeration", "permanent", "generating", "rook"}
        How the permanents are found: over all injections; over the subsets of slots; by a
        generating function in the shown categories; by rook polynomials, for a square matrix
        whose columns are constant off the diagonal and not larger there than on it. "auto" takes
        "rook" where it applies, else "generating".

    Returns
    -------
    Fraction or float
        :math:`\Pr[\Pi(r) = r' \mid \tau']`: exact for a rational matrix, a float for one of
        floats.

    Raises
    ------
    ValueError
        The release cannot arise from the table, is longer than it, or holds unknown categories;
        the matrix is not stochastic; the problem is too large for the method, or the matrix not
        of the form that it needs.
    TypeError
        Codes or indices are not integers, or the matrix does not hold numbers.

    Notes
    -----
    Floats: "generating" and "rook" add and multiply logarithms of numbers that are not negative;
    the relative error stays near *s* times the rounding of a logarithm (1e-12 at *s* = 1000).
    "enumeration" and "permanent" compute with the floats as the fractions that they are, and
    round once.

    References
    ----------
    Section 2.2 (the probability of success) and the first displays of the proof of Theorem 5.1.

    Examples
    --------
    Two of four records, each kept with probability 1/2 and else drawn from two values:

    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> match_probability([0, 1, 1, 1], [0, 1], half, 0, 0)
    Fraction(9, 16)
    >>> match_probability([0, 1, 1, 1], [0, 1], half, 0, 1)
    Fraction(1, 16)
    """
    where = "match_probability"
    tau, shown, A = _problem(where, table, release, transition)
    r = checks.integer(where, "record", record, low=0, high=tau.size - 1)
    q = checks.integer(where, "slot", slot, low=0, high=shown.size - 1)
    valid.choice(where, "method", method, METHODS)
    if method in ("enumeration", "permanent"):
        return _by_record(where, tau, shown, A, r, q, method)
    return _pairs(where, tau, shown, A, [(int(tau[r]), int(shown[q]))], method)[0]


def match_matrix(
    table: npt.ArrayLike,
    release: npt.ArrayLike,
    transition: Any,
    *,
    by: str = "record",
    method: str = "auto",
) -> Array:
    r"""Return the match probabilities of all records and slots.

    Parameters
    ----------
    table, release, transition
        As for `match_probability`.
    by : {"record", "value"}
        One row a record and one column a slot, or one row a true and one column a shown category.
    method : {"auto", "generating", "rook"}
        As for `match_probability`.

    Returns
    -------
    ndarray, shape (n, s) or (U, V)
        Fractions (dtype object) for a rational matrix, else ``float64``. Every column of the
        (*n*, *s*) form sums to 1; a row sums to the probability that the record was sampled.
        Categories that the table or the release does not have get 0 in the (*U*, *V*) form.

    Raises
    ------
    ValueError, TypeError
        As for `match_probability`.

    Notes
    -----
    Records of one value are exchangeable, and so are slots: one evaluation for each pair of
    categories that occur.

    Examples
    --------
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> print(match_matrix([0, 1, 1, 1], [0, 1], half, by="value"))
    [[Fraction(9, 16) Fraction(1, 16)]
     [Fraction(7, 48) Fraction(5, 16)]]
    """
    where = "match_matrix"
    tau, shown, A = _problem(where, table, release, transition)
    valid.choice(where, "by", by, SHOWN_BY)
    valid.choice(where, "method", method, ("auto", "generating", "rook"))
    pairs = [(int(u), int(v)) for u in np.unique(tau) for v in np.unique(shown)]
    matrix = np.full(A.shape, Fraction(0) if valid.is_exact(A) else 0.0, dtype=A.dtype)
    for pair, value in zip(pairs, _pairs(where, tau, shown, A, pairs, method)):
        matrix[pair] = value
    return matrix[np.ix_(tau, shown)] if by == "record" else matrix


def membership_probability(
    table: npt.ArrayLike,
    release: npt.ArrayLike,
    transition: Any,
    record: int,
    *,
    method: str = "auto",
) -> valid.Number:
    r"""Return the probability that a record was sampled, given the release.

    Parameters
    ----------
    table, release, transition, record, method
        As for `match_probability`.

    Returns
    -------
    Fraction or float
        Sum over the slots of the match probabilities.

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
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> membership_probability([0, 1, 1, 1], [0, 0], half, 0)
    Fraction(3, 4)
    """
    where = "membership_probability"
    tau, shown, A = _problem(where, table, release, transition)
    r = checks.integer(where, "record", record, low=0, high=tau.size - 1)
    valid.choice(where, "method", method, METHODS)
    values, first, counts = np.unique(shown, return_index=True, return_counts=True)
    if method in ("enumeration", "permanent"):
        terms = [_by_record(where, tau, shown, A, r, int(q), method) for q in first]
    else:
        terms = _pairs(where, tau, shown, A, [(int(tau[r]), int(v)) for v in values], method)
    total: valid.Number = sum(int(c) * term for c, term in zip(counts, terms))
    return total if total <= 1 else 1.0  # rounding of floats


def response_match_probability(
    table: npt.ArrayLike,
    release: npt.ArrayLike,
    transition: Any,
    record: int,
    slot: int,
    *,
    method: str = "auto",
) -> valid.Number:
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
    ValueError
        As for `match_probability`; also if the record cannot have been sampled.
    TypeError
        As for `match_probability`.

    Notes
    -----
    "In slot *r'*" implies "sampled", so the joint probability is the match probability. The paper
    excludes this attacker: hers does not know which records were sampled (section 2.2).

    Examples
    --------
    >>> half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    >>> response_match_probability([0, 1, 1, 1], [0, 1], half, 0, 0)
    Fraction(9, 10)
    """
    matched = match_probability(table, release, transition, record, slot, method=method)
    sampled = membership_probability(table, release, transition, record, method=method)
    if sampled == 0:
        raise ValueError(
            f"response_match_probability: record {record} cannot have been sampled, "
            "got a release whose values it never shows"
        )
    result = matched / sampled
    return result if result <= 1 else 1.0  # rounding of floats


# ---------------------------------------------------------------------------------------------


def _problem(where: str, table: Any, release: Any, transition: Any) -> tuple[Array, Array, Array]:
    """Return the checked table, release and matrix."""
    A = valid.transition_matrix(where, transition)
    tau = valid.codes(where, "table", table, A.shape[0])
    shown = valid.codes(where, "release", release, A.shape[1])
    if shown.size > tau.size:
        raise ValueError(
            f"{where}: release must not be longer than the table of {tau.size} records, "
            f"got {shown.size} slots"
        )
    return tau, shown, A


def _whole(A: Array) -> Array:
    """Return a matrix as integers: its entries times their common denominator."""
    entries = [Fraction(entry) for entry in A.flat]
    scale = math.lcm(*(entry.denominator for entry in entries))
    whole = np.array([int(entry * scale) for entry in entries] + [None], dtype=object)
    return whole[:-1].reshape(A.shape)  # None keeps numpy from choosing a machine integer


def _impossible(where: str) -> ValueError:
    """Return the error for a release that has probability 0."""
    return ValueError(
        f"{where}: release must be possible for the table under transition, got one that has "
        "probability 0"
    )


def _by_record(
    where: str, tau: Array, shown: Array, A: Array, r: int, q: int, method: str
) -> valid.Number:
    """Return a match probability by the slow routes, which see records and slots."""
    n, s = tau.size, shown.size
    if method == "enumeration" and math.perm(n, s) > _MAX_INJECTIONS:
        raise ValueError(
            f"{where}: method 'enumeration' must have at most {_MAX_INJECTIONS} injections, "
            f"got {s} slots and {n} records"
        )
    if method == "permanent" and 2**s > _MAX_SUBSETS:
        raise ValueError(
            f"{where}: method 'permanent' must have at most {_MAX_SUBSETS} subsets of slots, "
            f"got {s} slots"
        )
    weights = _whole(A)[np.ix_(tau, shown)].T
    if method == "enumeration":
        total, behind = permanents.enumeration(weights)
        matched = behind[q, r]
    else:
        total = permanents.permanent(weights)
        rest = np.delete(np.delete(weights, q, axis=0), r, axis=1)
        matched = weights[q, r] * permanents.permanent(rest)
    if total == 0:
        raise _impossible(where)
    result = Fraction(matched, total)
    return result if valid.is_exact(A) else float(result)


def _pairs(
    where: str, tau: Array, shown: Array, A: Array, pairs: list[tuple[int, int]], method: str
) -> list[valid.Number]:
    """Return the match probability of every pair of categories, from the counts alone."""
    exact = valid.is_exact(A)
    ring: permanents.Arithmetic = permanents.Integers if exact else permanents.Logarithms
    W = _whole(A) if exact else A
    n, s = np.bincount(tau, minlength=A.shape[0]), np.bincount(shown, minlength=A.shape[1])
    board = _rook_form(W)
    if method == "rook" and board is None:
        raise ValueError(
            f"{where}: method 'rook' must have a square transition with columns constant off the "
            f"diagonal and not larger there, got {A.tolist()}"
        )
    if board is None or method == "generating":
        _refuse_large(where, n, s)

    def perm(records: Array, slots: Array) -> Any:
        if board is not None and method != "generating":
            return permanents.rook(records, slots, *board, ring)
        return permanents.generating(records, slots, W, ring)

    total = perm(n, s)
    if total == ring.zero:
        raise _impossible(where)
    one_u, one_v = np.eye(n.size, dtype=np.int64), np.eye(s.size, dtype=np.int64)
    rest = [perm(n - one_u[u], s - one_v[v]) for u, v in pairs]
    if exact:
        return [Fraction(W[pair] * part, total) for pair, part in zip(pairs, rest)]
    return [min(1.0, float(A[pair] * math.exp(part - total))) for pair, part in zip(pairs, rest)]


def _rook_form(W: Array) -> tuple[Array, Array] | None:
    """Return d and b of W = diag(d) + 1 b^T with d not negative, or None."""
    N = W.shape[0]
    if W.shape != (N, N) or N == 1:
        return None
    b = W[np.arange(N) - 1, np.arange(N)]  # the entry above the diagonal, cyclically
    off = ~np.eye(N, dtype=bool)
    d = np.diagonal(W) - b
    same = np.broadcast_to(b, (N, N))[off] == W[off]
    return (d, b) if same.all() and (d >= 0).all() else None


def _refuse_large(where: str, n: Array, s: Array) -> None:
    """Refuse generating functions that would take minutes."""
    states = math.prod(int(k) + 1 for k in s)
    terms = states * max(1, states * (int(np.count_nonzero(n)) - 2))
    if terms > _MAX_TERMS:
        raise ValueError(
            f"{where}: method 'generating' must have at most {_MAX_TERMS} products of terms, "
            f"got {np.count_nonzero(s)} shown categories and {int(s.sum())} slots ({terms})"
        )
