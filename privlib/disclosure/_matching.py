"""The chance that a record is behind a slot, from the counts of categories alone.

The routes of `privlib.disclosure._permanents`, each with a limit that is asked before it starts.
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

METHODS = ("auto", "permanent", "generating", "rook")
_MAX_SUBSETS = 2**16
_MAX_TERMS = 10**7
MAX_WORK = 6 * 10**9  # of 10 nanoseconds: about a minute


def by_value(where: str, tau: Array, shown: Array, A: Array, method: str = "auto") -> Array:
    """Return the match probability of every pair of a true and a shown category, of checked codes.

    The people of all categories together are behind each slot with probability 1.
    """
    values = np.unique(shown)
    pairs = [(u, v) for u in np.unique(tau) for v in values]
    zero = Fraction(0) if checks.is_exact(A) else 0.0
    matrix = np.full(A.shape, zero, dtype=A.dtype)
    for pair, value in zip(pairs, chances(where, tau, shown, A, pairs, method)):
        matrix[pair] = value
    people = np.bincount(tau, minlength=len(A)).astype(object)
    anybody = np.array(people @ matrix[:, values].astype(object), dtype=np.float64)
    _safety.certify(where, "the chance that anybody is behind a slot", anybody, 1.0, slack=1e-7)
    _safety.certify(where, "certainty that somebody is", 1.0, anybody, slack=1e-7)
    return matrix


def chances(
    where: str, tau: Array, shown: Array, A: Array, pairs: list[tuple[Any, Any]], method: str
) -> list[checks.Number]:
    """Return the match probability of every pair of categories, from the counts alone."""
    checks.choice(where, "method", method, METHODS)
    whole = checks.is_exact(A) or method == "permanent"
    ring: permanents.Arithmetic = permanents.Integers if whole else permanents.Logarithms
    W = whole_weights(A) if whole else A
    n = np.bincount(tau, minlength=A.shape[0])
    s = np.bincount(shown, minlength=A.shape[1])
    board = _rook_form(W)
    if method == "auto":
        method = "generating" if board is None else "rook"
    if method == "rook" and board is None:
        rule = "a square transition with columns constant off the diagonal and not larger there"
        raise ValueError(f"{where}: method 'rook' must have {rule}, got {A.tolist()}")
    # Categories of equal counts and weights are exchangeable: their pairs have one permanent.
    keys: list[tuple[Any, ...]] = list(pairs)
    if method == "rook" and board is not None:
        kinds = _kinds(n, s, board)
        keys = [(kinds[u], kinds[v], u == v) for u, v in pairs]
    width = max(int(entry).bit_length() for entry in W.flat) if whole else 1
    _refuse_large(where, n, s, method, ring, 1 + len(set(keys)), max(1, width))

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
    one_u = np.eye(n.size, dtype=np.int64)
    one_v = np.eye(s.size, dtype=np.int64)
    parts: dict[Any, Any] = {}
    for key, (u, v) in zip(keys, pairs):
        if key not in parts:
            parts[key] = perm(n - one_u[u], s - one_v[v])
    rest = [parts[key] for key in keys]
    if not whole:
        results: list[checks.Number] = []
        for pair, x in zip(pairs, np.array(rest) - total):
            # In two factors: the exponential of x may be too large for a float.
            first = math.exp(min(x, 700))
            second = math.exp(max(min(x, 750) - 700, 0))
            results.append(min(1.0, float(A[pair] * first * second)))
        return results
    kind = Fraction if checks.is_exact(A) else float
    return [kind(Fraction(W[pair] * part, total)) for pair, part in zip(pairs, rest)]


def work(tau: Array, shown: Array, A: Array) -> int | None:
    """Return about how many steps `by_value` takes, without doing it; ``None`` if it refuses."""
    whole = checks.is_exact(A)
    ring: permanents.Arithmetic = permanents.Integers if whole else permanents.Logarithms
    n = np.bincount(tau, minlength=A.shape[0])
    s = np.bincount(shown, minlength=A.shape[1])
    W = whole_weights(A) if whole else A
    board = _rook_form(W)
    if board is None and _terms(n, s) > _MAX_TERMS:
        return None
    width = max(1, *(int(entry).bit_length() for entry in W.flat)) if whole else 1
    keys: set[tuple[Any, ...]] = {(u, v) for u in np.flatnonzero(n) for v in np.flatnonzero(s)}
    if board is not None:
        kinds = _kinds(n, s, board)
        keys = {(kinds[u], kinds[v], u == v) for u, v in keys}
        steps = (1 + len(keys)) * permanents.rook_steps(n, s, ring, width)
    else:
        steps = (1 + len(keys)) * permanents.generating_steps(n, s, ring, width)
    return steps if steps <= MAX_WORK else None


def _terms(n: Array, s: Array) -> int:
    """Return how many products of terms a generating function takes."""
    states = math.prod(int(k) + 1 for k in s)
    return states * max(1, states * (int(np.count_nonzero(n)) - 2))


def _rook_form(W: Array) -> tuple[Array, Array] | None:
    """Return d and b of W = diag(d) + 1 b^T with d not negative, or None."""
    N = W.shape[0]
    if W.shape != (N, N):
        return None
    b = W[np.arange(N) - 1, np.arange(N)]  # the entry above the diagonal, cyclically
    off = ~np.eye(N, dtype=bool)
    d = np.diagonal(W) - b
    same = np.broadcast_to(b, (N, N))[off] == W[off]
    if same.all() and (d >= 0).all():
        return d, b
    return None


def _kinds(n: Array, s: Array, board: tuple[Array, Array]) -> list[Any]:
    """Return for each category what its factor of the rook polynomial depends on."""
    return list(zip(n.tolist(), s.tolist(), board[0].tolist(), board[1].tolist()))


def _refuse_large(
    where: str,
    n: Array,
    s: Array,
    method: str,
    ring: permanents.Arithmetic,
    calls: int,
    width: int,
) -> None:
    """Refuse what would take minutes, before it starts."""
    slots = int(s.sum())
    if method == "rook":
        steps = calls * permanents.rook_steps(n, s, ring, width)
        advice = "ask for single records, or pass floats"
        what = f"steps of method 'rook' ({calls} polynomials of {slots} slots)"
        _safety.limit(where, what, steps, MAX_WORK, advice)
    if method == "permanent" and slots > _MAX_SUBSETS.bit_length() - 1:
        raise ValueError(
            f"{where}: method 'permanent' must have at most {_MAX_SUBSETS} subsets of slots, "
            f"got {slots} slots"
        )
    if method == "permanent":
        steps = calls * int(n.sum()) * slots * 2**slots
        _safety.limit(where, "steps of method 'permanent'", steps, MAX_WORK // 10)
    states = math.prod(int(k) + 1 for k in s)
    terms = _terms(n, s)
    if method == "generating" and terms > _MAX_TERMS:
        raise ValueError(
            f"{where}: method 'generating' must have at most {_MAX_TERMS} products of terms, "
            f"got {np.count_nonzero(s)} shown categories and {slots} slots ({terms})"
        )
    if method == "generating":
        steps = calls * permanents.generating_steps(n, s, ring, width)
        what = f"steps of method 'generating' ({calls} polynomials of {states} terms)"
        advice = "ask for single records, or pass floats"
        _safety.limit(where, what, steps, MAX_WORK, advice)


def whole_weights(A: Array) -> Array:
    """Return a matrix as integers: its entries times their common denominator."""
    if A.dtype == object and all(type(entry) is int for entry in A.flat):
        return A
    entries = [Fraction(entry) for entry in A.flat]
    scale = math.lcm(*(entry.denominator for entry in entries))
    whole = np.array([int(entry * scale) for entry in entries] + [None], dtype=object)
    return whole[:-1].reshape(A.shape)  # None keeps numpy from choosing a machine integer


def relative_error(tau: Array, shown: Array, A: Array) -> float:
    """Return what rounding can do to a result of `by_value`, relatively: an upper bound.

    A logarithm of the polynomials is a chain of roundings, each of at most two units in the last
    place of the largest number on the way. The number of roundings in a row is counted from above.
    """
    if checks.is_exact(A):
        return 0.0
    n = np.bincount(tau, minlength=A.shape[0])
    s = np.bincount(shown, minlength=A.shape[1])
    slots = int(s.sum())
    values = int(np.count_nonzero(s))
    kinds = int(np.count_nonzero(n))
    # Running sums of logarithms (falling powers, factorials) are as long as there are slots.
    if _rook_form(A) is not None:
        chain = 6 * (slots + 4) + 8 * values
    else:
        states = math.prod(int(k) + 1 for k in s)
        chain = 4 * (slots + 4) + kinds * (4 * values + states)
    logs = np.abs(np.log(A[A > 0]))
    largest = slots * (3 * math.log(n.sum() + 1) + float(logs.max(initial=0)) + 1)
    unit = 2.0**-52
    return 2 * chain * unit * (1 + largest) + 32 * unit
