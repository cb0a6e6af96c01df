r"""Rectangular permanents: sums over the injections of *s* slots into *n* records.

.. math:: \mathrm{Perm} = \sum_{\sigma: \text{slots} \to \text{records}} \prod_j
          A[\tau(\sigma(j))][\tau'(j)]

depends on the table and on the release only through the numbers :math:`n_u` of records and
:math:`s_v` of slots of every category. Three routes:

- *subsets*: a recursion over the subsets of slots, record by record; slow, for any *A*;
- *generating*: any *A*; a record of category *u* fills no slot or one, so
  :math:`\mathrm{Perm} = \prod_v s_v! \; [y^s] \prod_u (1 + \sum_v A[u][v] y_v)^{n_u}`;
- *rook*: *A* = diag(*d*) + 1 :math:`b^T`, every column constant off the diagonal. A slot is
  filled by its diagonal term (a rook on an :math:`n_v \times s_v` board, *j* of them in
  :math:`\binom{n_v}{j}\binom{s_v}{j} j!` ways) or by anybody left:
  :math:`\mathrm{Perm} = \sum_J [z^J] \prod_v \sum_j \binom{n_v}{j}\binom{s_v}{j} j!\,
  d_v^j\, b_v^{s_v - j} z^j \cdot (n - J)!/(n - s)!`, in :math:`O(s^2)`.

All terms are sums of products of numbers that are not negative, so the same code runs in two
arithmetics: whole numbers (a rational *A* times its common denominator), and logarithms of
floats, which neither overflow nor cancel.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from functools import reduce
from itertools import accumulate
from typing import Any

import numpy as np

from privlib._checks import Array

# Of `rook_steps` and `generating_steps`: a call for one board, one for a factor, a shift of one
# polynomial, an addition of logarithms, and the binary digits of an integer that count as one.
_CALL = 4000
_FACTOR = 10_000
_SHIFT = 500
_LOGARITHMS = 3
_DIGITS = 50


class Integers:
    """Exact arithmetic: object arrays of Python integers."""

    zero: Any = 0
    one: Any = 1
    dtype: Any = object
    add: Any = np.add
    multiply: Any = np.multiply
    divide: Any = np.floor_divide  # only where the quotient is whole

    @staticmethod
    def falling(n: int, j: Array) -> Array:
        """Return n (n - 1) ... (n - j + 1), for every entry of `j`."""
        most = int(np.max(j, initial=0))
        if np.size(j) * 4 < most:  # a few alone
            return np.asarray(np.frompyfunc(lambda k: math.perm(n, int(k)), 1, 1)(j), dtype=object)
        return _products((n - i for i in range(most)), j)

    @staticmethod
    def factorial(j: Array) -> Array:
        """Return the factorials of `j`."""
        return _products(range(1, int(np.max(j, initial=0)) + 1), j)

    @staticmethod
    def power(a: Any, j: Array) -> Array:
        """Return a to the powers `j`."""
        most = int(np.max(j, initial=0))
        if np.size(j) * 4 < most:
            return np.asarray(np.frompyfunc(lambda k: a ** int(k), 1, 1)(j), dtype=object)
        return _products((a for _ in range(most)), j)


class Logarithms:
    """Arithmetic on the logarithms of floats: a product is a sum, -inf is zero."""

    zero: Any = -math.inf
    one: Any = 0.0
    dtype: Any = np.float64
    add: Any = np.logaddexp
    multiply: Any = np.add
    divide: Any = np.subtract

    @staticmethod
    def falling(n: int, j: Array) -> Array:
        """Return the logarithms of n (n - 1) ... (n - j + 1), summed: no large numbers cancel."""
        factors = n - np.arange(int(np.max(j, initial=0)), dtype=np.float64)
        with np.errstate(divide="ignore"):
            logs = np.log(np.maximum(factors, 0))
        return np.asarray(np.concatenate([[0.0], np.cumsum(logs)])[j], dtype=np.float64)

    @staticmethod
    def factorial(j: Array) -> Array:
        """Return the logarithms of the factorials of `j`."""
        logs = np.log(np.arange(1, int(np.max(j, initial=0)) + 1))
        return np.asarray(np.concatenate([[0.0], np.cumsum(logs)])[j], dtype=np.float64)

    @staticmethod
    def power(a: Any, j: Array) -> Array:
        """Return the logarithms of a to the powers `j`, 0 to the power 0 being 1."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(j == 0, 0.0, j * np.log(a))


Arithmetic = type[Integers] | type[Logarithms]


def rook(n: Array, s: Array, d: Array, b: Array, ring: Arithmetic) -> Any:
    """Return the permanent for A = diag(d) + 1 b^T and the category counts `n` and `s`."""

    def board(n_v: int, s_v: int, d_v: Any, b_v: Any) -> Array:
        j = np.arange(min(n_v, s_v) + 1)
        ways = ring.multiply(ring.falling(n_v, j), ring.falling(s_v, j))
        ways = ring.divide(ways, ring.factorial(j))
        powers = ring.multiply(ring.power(d_v, j), ring.power(b_v, s_v - j))
        return np.asarray(ring.multiply(ways, powers))

    boards = [board(int(n[v]), int(s[v]), d[v], b[v]) for v in np.flatnonzero(s)]
    total = int(n.sum())
    slots = int(s.sum())
    size = min(total, slots)
    product = reduce(lambda p, q: convolve(p, q, (size,), ring), boards, _one((0,), ring))
    J = np.arange(product.shape[0])
    anybody = ring.divide(ring.falling(total, np.array([slots])), ring.falling(total, J))
    return ring.add.reduce(ring.multiply(product, anybody))


def rook_steps(n: Array, s: Array, ring: Arithmetic, width: int = 1) -> int:
    """Return about how many units of 10 nanoseconds one call of `rook` takes, without doing it.

    `width` is the number of binary digits of the largest weight, if they are integers.
    """
    slots = int(s.sum())
    each = _LOGARITHMS
    if ring is Integers:  # a product of them grows with their digits: those of n (n - 1) ...
        each = 10 + int((_digits(n, slots, width) / _DIGITS) ** 1.4)
    size = 1
    steps = 0
    for v in np.flatnonzero(s):
        board = min(int(n[v]), int(s[v])) + 1
        shorter = min(size, board)
        longer = max(size, board)
        steps += _CALL + shorter * (_SHIFT + longer * each)
        size = min(size + board - 1, slots + 1)
    return steps


def generating_steps(n: Array, s: Array, ring: Arithmetic, width: int = 1) -> int:
    """Return the same for one call of `generating`."""
    states = math.prod(int(k) + 1 for k in s)
    people = [int(k) for k in n if k]
    values = int(np.count_nonzero(s))
    terms = _LOGARITHMS * (1 + values)
    each = _LOGARITHMS
    if ring is Integers:
        digits = _digits(n, int(s.sum()), width)
        terms = 10 + digits**2 // 20_000  # they are divided by factorials, too
        each = 10 + int((digits / _DIGITS) ** 1.4)
    # A factor has a term for each way to fill no more slots than it has records. The first and
    # the last factor are not convolved, and a window is half of the whole in each shown category.
    shifts = sum(min(states, math.comb(k + values, values)) for k in sorted(people)[:-2])
    window = max(1, states >> values)
    return len(people) * (_FACTOR + states * terms) + shifts * (_SHIFT // 3 + window * each)


def _digits(n: Array, slots: int, width: int) -> int:
    """Return about how many binary digits a product of weights and of n (n - 1) ... has."""
    return slots * (max(1, int(n.sum()).bit_length()) + width - 1)


def generating(n: Array, s: Array, A: Array, ring: Arithmetic) -> Any:
    """Return the permanent for any matrix `A`, one factor for every category of records."""
    if not s.any():
        return ring.one
    shown = np.flatnonzero(s)
    caps = tuple(int(k) for k in s[shown])
    j = np.indices(tuple(k + 1 for k in caps))

    def factor(n_u: int, row: Array) -> Array:
        terms = ring.falling(n_u, j.sum(axis=0))
        for count, a in zip(j, row):
            terms = ring.divide(terms, ring.factorial(count))
            terms = ring.multiply(terms, ring.power(a, count))
        return terms

    factors = [factor(int(n[u]), A[u, shown]) for u in np.flatnonzero(n)]
    first = reduce(lambda p, q: convolve(p, q, caps, ring), factors[:-1], _one(caps, ring))
    last = np.flip(factors[-1])[tuple(slice(k) for k in first.shape)]  # the powers s - j
    orders = ring.multiply.reduce(ring.factorial(s[shown]))
    return ring.add.reduce(np.ravel(ring.multiply(ring.multiply(first, last), orders)))


def convolve(p: Array, q: Array, caps: tuple[int, ...], ring: Arithmetic) -> Array:
    """Return the product of two polynomials without the powers above `caps`."""
    shape = tuple(min(a + b - 1, cap + 1) for a, b, cap in zip(p.shape, q.shape, caps))
    if q.size > p.size:
        p, q = q, p
    product = np.full(shape, ring.zero, dtype=ring.dtype)
    for index in zip(*np.nonzero(q != ring.zero)):  # one shift for each term of the shorter one
        window = tuple(slice(int(i), int(i) + size) for i, size in zip(index, p.shape))
        target = product[window]
        part = p[tuple(slice(size) for size in target.shape)]
        product[window] = ring.add(target, ring.multiply(part, q[index]))
    return product


def by_subsets(n: Array, s: Array, A: Array) -> Any:
    """Return the permanent for any matrix `A` of integers, by recursion over subsets of slots."""
    weights = A[np.ix_(np.arange(n.size).repeat(n), np.arange(s.size).repeat(s))]
    slots = weights.shape[1]
    subsets = np.arange(2**slots)
    ways = np.zeros(2**slots, dtype=object)
    ways[0] = 1
    for row in weights:  # ways[S]: the slots in S filled by the records so far
        before = ways.copy()
        for slot in range(slots):
            with_slot = subsets[(subsets >> slot) & 1 == 1]
            ways[with_slot] += before[with_slot ^ (1 << slot)] * row[slot]
    return ways[-1]


def _products(factors: Iterable[Any], j: Array) -> Array:
    """Return the products of the first factors, as many as each entry of `j` says."""
    running = [1, *accumulate(factors, operator.mul)]
    table = np.empty(len(running), dtype=object)
    table[:] = running
    return np.asarray(table[j], dtype=object)


def _one(shape: tuple[int, ...], ring: Arithmetic) -> Array:
    """Return the polynomial 1."""
    one = np.full(tuple(1 for _ in shape), ring.zero, dtype=ring.dtype)
    one[tuple(0 for _ in shape)] = ring.one
    return one
