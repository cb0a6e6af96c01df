r"""All adversaries of a binary Markov chain in polynomial time.

Let :math:`x_1, \dots, x_n` be a Markov chain on {0, 1} with one transition matrix, and release
the sum plus ``Lap(scale)``. There are :math:`n 2^{n-1}` adversaries, but:

**Only intervals matter.** Let :math:`a < i < b` be the known tuples nearest to the target (or
none). Given :math:`x_K`, what lies outside ``[a, b]`` is independent of :math:`x_i`: for every
value of the target the law of the sum is the law of the part inside, convolved with one and the
same kernel. Such a convolution cannot raise a log ratio (data processing), and if everything
outside is known the kernel is a point. So the worst adversary knows everything outside an
interval ``(a, b)`` and nothing inside it but, of course, not the target. Intervals may reach
either end of the chain.

Given :math:`x_a, x_i, x_b`, the parts left and right of the target are independent bridges whose
laws depend on their lengths alone. Running both through one table,

.. math:: U_{m+1}(x', s + x') = \sum_x U_m(x, s) P(x, x'),

gives the laws of all :math:`O(n^2)` intervals, each with :math:`O(n)` atoms, in
:math:`O(n^3)` steps. The table is kept in logarithms: its entries get as small as
:math:`p_{\min}^n`. The rest is the finite maximum of `privlib.correlated.finite`.

The reduction needs the Markov property, a mechanism that adds up tuples, and conditions of
positive probability; the worst interval may well be strictly inside the chain, so looking only
at adversaries who know nobody, or everybody, is not enough.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib.correlated.adversary import Adversary, Worst, _noise

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

_FREE = 0  # kinds of ends: the end of the chain, then known value 0, known value 1
_TIE = 1e-12


class _Interval(NamedTuple):
    leakage: float
    left: int  # unknown tuples left of the target
    right: int  # unknown tuples right of the target
    ends: tuple[int, int]  # kinds of the two ends


def worst_adversary(transition: Any, n: int, *, scale: float, initial: Any = None) -> Worst:
    r"""Return the exact BDP level of a Laplace release of the sum of a binary Markov chain.

    Parameters
    ----------
    transition : float, array_like, scipy.sparse matrix or networkx graph, shape (2, 2)
        ``transition[x, x']`` is the probability of the next value x' after x; a number is the
        probability to stay in either state.
    n : int
        Length of the chain, at least 1.
    scale : float
        Scale of the Laplace noise.
    initial : array_like, shape (2,), optional
        Law of the first tuple; default the stationary law.

    Returns
    -------
    Worst
        Among equals (to a relative 1e-12) the one with the fewest unknown tuples to the left, then
        to the right.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what it says, `scale` is so small that ``n / scale`` overflows, or
        `initial` is missing and the stationary law is not unique (both states absorbing).

    Notes
    -----
    Time and memory :math:`O(n^3)` and :math:`O(n^2)`. Conditions of probability zero do not take
    part, as with ``conditions="positive"`` in `privlib.correlated.finite`; a chain whose every
    tuple is fixed by the others therefore leaks 0 to strong adversaries.

    For the symmetric chain with correlation ``rho = 2 stay - 1`` of neighbours the amplification,
    ``leakage * scale``, tends to ``(1 + rho) / (1 - rho)`` for long chains and much noise: the
    expected change of the sum, ``1 + 2 (rho + rho**2 + ...)``. Less noise amplifies less.

    References
    ----------
    Yang, Sato, Nakagawa, Definition 4.1; the count of adversaries is in Section 5.1.

    Examples
    --------
    >>> round(worst_adversary(0.9, 20, scale=10).leakage, 5)
    0.79147

    With less noise an adversary who knows both ends is worse than those who know nobody:

    >>> worst_adversary(0.9, 10, scale=1)
    Worst(adversary=Adversary(target=4, known=(0, 9)), leakage=4.69298)
    """
    where = "worst_adversary"
    matrix = _matrix(where, transition)
    if matrix.shape != (2, 2):
        raise ValueError(f"{where}: transition must be 2 x 2, got shape {matrix.shape}")
    length = checks.integer(where, "n", n, low=1)
    lam = _noise(where, scale, length)
    first = _initial(where, matrix, initial)
    possible = _possible(matrix > 0, first > 0, length)
    with np.errstate(divide="ignore"):
        steps, start = np.log(matrix), np.log(first)
    table = _left_parts(steps, start, length)
    found = []
    for m in range(length):
        found += _worst_with_right(table, steps, possible, m, lam)
        table = _step(table[:-1], steps)
    return _result(found, possible)


def markov_bound(transition: Any, *, epsilon: float) -> float:
    r"""Return a published upper bound of the BDP level on a Markov chain.

    Parameters
    ----------
    transition : float or array_like, shape (k, k)
        Transition matrix with positive entries; a number is the probability of a binary chain to
        stay in either state.
    epsilon : float
        Level of ordinary differential privacy of the mechanism, positive.

    Returns
    -------
    float
        ``epsilon + 4 * log(largest entry / smallest entry)``.

    Raises
    ------
    TypeError, ValueError
        If `transition` is no stochastic matrix with positive entries, or `epsilon` not positive.

    Notes
    -----
    The bound holds for every mechanism and does not depend on the length, but it does not go to
    0 with `epsilon`: the exact value of `worst_adversary` does.

    References
    ----------
    Lange, Martin et al., PVLDB 2025, arXiv:2506.21308.

    Examples
    --------
    >>> round(markov_bound(0.9, epsilon=0.1), 2), round(markov_bound(0.9, epsilon=1), 2)
    (8.89, 9.79)
    """
    where = "markov_bound"
    matrix = _matrix(where, transition)
    eps = checks.positive(where, "epsilon", epsilon)
    if not matrix.min() > 0:
        raise ValueError(f"{where}: transition must have positive entries, got {matrix.min()}")
    return eps + 4 * float(np.log(matrix.max() / matrix.min()))


def _matrix(where: str, transition: Any) -> FloatArray:
    """Return a stochastic matrix; a number is the probability to stay in either of two states."""
    if np.ndim(transition) or hasattr(transition, "tocsr") or hasattr(transition, "nodes"):
        matrix = checks.stochastic(where, "transition", transition)
        dense = matrix.toarray() if hasattr(matrix, "toarray") else matrix
        return np.asarray(dense, dtype=np.float64)
    stay = checks.probability(where, "transition", transition)
    return np.array([[stay, 1 - stay], [1 - stay, stay]])


def _initial(where: str, matrix: FloatArray, initial: Any) -> FloatArray:
    """Return the law of the first tuple, the stationary one if none is given."""
    if initial is None:
        leave = np.array([matrix[1, 0], matrix[0, 1]])
        if not leave.any():
            raise ValueError(
                f"{where}: initial must be given, the stationary law of {matrix.tolist()} is not "
                "unique"
            )
        return np.asarray(leave / leave.sum())
    first = checks.reals(where, "initial", initial, shape=(2,))
    if first.min() < 0 or abs(first.sum() - 1) > checks.SUM_TOLERANCE:
        raise ValueError(f"{where}: initial must be a distribution, got {first.tolist()}")
    return first


def _possible(moves: BoolArray, first: BoolArray, n: int) -> BoolArray:
    """Return which values have positive probability at each position, shape (n, 2)."""
    return np.array(list(accumulate(range(n - 1), lambda row, _: row @ moves, initial=first)))


def _moved(table: FloatArray, steps: FloatArray) -> FloatArray:
    """Let the last value move: ``table[..., x, s]`` becomes ``[..., x', s]``."""
    return np.asarray(np.logaddexp.reduce(table[..., None, :] + steps[:, :, None], axis=-3))


def _step(table: FloatArray, steps: FloatArray) -> FloatArray:
    """Add one tuple to the right: ``table[..., x, s]`` holds last value and sum so far."""
    moved = _moved(table, steps)
    moved[..., 1, 1:] = moved[..., 1, :-1].copy()
    moved[..., 1, 0] = -np.inf
    return np.asarray(moved)


def _left_parts(steps: FloatArray, start: FloatArray, n: int) -> FloatArray:
    """Return log masses of the part up to and with the target.

    Axes: unknown tuples to the left, left end (none, value 0, value 1), value of the target,
    last value (the target's own, so far), sum.
    """
    part = np.full((3, 2, n + 1), -np.inf)
    begin = np.vstack([start, steps])
    part[:, 0, 0], part[:, 1, 1] = begin[:, 0], begin[:, 1]
    table = np.full((n, 3, 2, 2, n + 1), -np.inf)
    for length in range(n):
        table[length, :, 0, 0], table[length, :, 1, 1] = part[:, 0], part[:, 1]
        part = _step(part, steps)
    return table


def _admissible(possible: BoolArray, m: int) -> BoolArray:
    """Tell which intervals exist: axes unknown tuples to the left, left end, right end."""
    n = len(possible)
    outside = np.arange(n - m)[::-1]  # tuples outside, for 0, 1, ... unknown ones to the left
    ever = np.logical_or.accumulate(possible, axis=0)
    ok = np.zeros((n - m, 3, 3), dtype=bool)
    ok[:, 1:, 1:] = ((outside >= 2)[:, None] & ever[np.maximum(outside - 2, 0)])[:, :, None]
    ok[:, 1:, _FREE] = (outside >= 1)[:, None] & possible[outside - 1]
    ok[:, _FREE, 1:] = (outside >= 1)[:, None]
    ok[:, _FREE, _FREE] = outside == 0
    return ok


def _worst_with_right(
    table: FloatArray, steps: FloatArray, possible: BoolArray, m: int, scale: float
) -> list[_Interval]:
    """Return the worst interval with `m` unknown tuples right of the target, if there is one."""
    closed = _moved(table, steps)
    free = np.logaddexp(table[..., 0, :], table[..., 1, :])[..., None, :]
    ended = np.concatenate([free, closed], axis=-2).swapaxes(2, 3)  # (left, end, end, x_i, sum)
    mass = np.logaddexp.reduce(ended, axis=-1)
    rows = np.argwhere(_admissible(possible, m) & np.isfinite(mass).all(axis=-1))
    if not len(rows):
        return []
    index = tuple(rows.T)
    logs = _log_densities(ended[index] - mass[index][..., None], scale)
    leaks = np.abs(logs[:, 1] - logs[:, 0]).max(axis=-1)
    left, first, last = rows[np.argmax(leaks >= leaks.max() * (1 - _TIE))]
    return [_Interval(float(leaks.max()), int(left), m, (int(first), int(last)))]


def _log_densities(laws: FloatArray, scale: float) -> FloatArray:
    """Return log densities at the atoms ``0, 1, ...`` less a common constant."""
    atoms = np.arange(laws.shape[-1]) / scale
    if atoms[-1] <= 0.5:  # nearly equal densities: keep the digits of their difference
        weights = np.exp(laws)
        weights /= weights.sum(axis=-1, keepdims=True)
        return np.asarray(np.log1p(weights @ np.expm1(-np.abs(atoms[:, None] - atoms))))
    up = np.logaddexp.accumulate(laws + atoms, axis=-1) - atoms
    above = np.logaddexp.accumulate((laws - atoms)[..., ::-1], axis=-1)[..., ::-1]
    up[..., :-1] = np.logaddexp(up[..., :-1], above[..., 1:] + atoms[:-1])
    return np.asarray(up)


def _result(found: list[_Interval], possible: BoolArray) -> Worst:
    """Place the worst interval on the chain; its adversary knows everything outside."""
    n = len(possible)
    if not found:  # nothing can be compared: any adversary is as good
        return Worst(Adversary(0, tuple(range(1, n))), 0.0)
    top = max(w.leakage for w in found)
    worst = min((w for w in found if w.leakage >= top * (1 - _TIE)), key=lambda w: w.left)
    first, last = worst.ends
    if first == _FREE:
        target = worst.left
    elif last == _FREE:
        target = n - 1 - worst.right
    else:
        target = int(possible[:, first - 1].argmax()) + worst.left + 1
    known = (*range(target - worst.left), *range(target + worst.right + 1, n))
    return Worst(Adversary(target, known), worst.leakage)
