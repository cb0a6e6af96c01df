"""Small matrices, and all tables and releases that they can make, with their weights."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from math import lcm

import numpy as np

QUARTERS = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
LOOSE = [[Fraction(c, 10) for c in row] for row in [[6, 3, 1], [1, 4, 5], [7, 1, 2]]]
LOPSIDED = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
SHAPES = [(2, 2), (2, 3), (3, 2), (3, 3)]


def random_matrix(rng, rows, columns, high=9):
    counts = rng.integers(1, high + 1, size=(rows, columns))
    return [[Fraction(int(c), int(row.sum())) for c in row] for row in counts]


def enumerate_weights(A, n, s):
    """Weights of all injections for all tables and releases, as whole numbers over one scale.

    Returns the injections (P, s) and an array (tables, releases, P).
    """
    scale = lcm(*(entry.denominator for row in A for entry in row))
    whole = np.array([[int(entry * scale) for entry in row] for row in A], dtype=np.int64)
    assert int(whole.max()) ** s * math.perm(n, s) < 2**53
    tables = np.array(list(itertools.product(range(len(A)), repeat=n)))
    releases = np.array(list(itertools.product(range(len(A[0])), repeat=s)))
    orders = np.array(list(itertools.permutations(range(n), s)))
    weights = np.ones((len(tables), len(releases), len(orders)), dtype=np.int64)
    for slot in range(s):
        shown = tables[:, orders[:, slot]]  # (tables, P)
        weights *= whole[shown[:, None, :], releases[:, slot][None, :, None]]
    return orders, weights


def smallest(total, matched):
    """Smallest exact total / matched over two arrays of whole numbers."""
    ratio = total / matched
    near = ratio <= ratio.min() * (1 + 1e-9)
    return min(Fraction(int(t), int(m)) for t, m in zip(total[near], matched[near]))


def exhaustive_levels(A, n, s):
    """Exact levels: of Theorem 5.1, with response knowledge, 1 / membership, 1 / its opposite."""
    orders, weights = enumerate_weights(A, n, s)
    total = weights.sum(axis=2)
    levels, knowing, members, absent = [], [], [], []
    for r in range(n):
        sampled = weights[:, :, (orders == r).any(axis=1)].sum(axis=2)
        members.append(smallest(total, sampled))
        absent += [smallest(total, total - sampled)] if s < n else []
        for slot in range(s):
            matched = weights[:, :, orders[:, slot] == r].sum(axis=2)
            levels.append(smallest(total, matched))
            knowing.append(smallest(sampled, matched))
    return min(levels), min(knowing), min(members), min(absent, default=None)


def minima_by_definition(A):
    """Both minima, over u, v, u', v' as the theorem prints them."""
    rows, columns = range(len(A)), range(len(A[0]))
    gamma = min(A[u][a] / A[v][a] for u in rows for v in rows for a in columns)
    g2 = min(
        A[u][b] * A[v][a] / (A[u][a] * A[v][b])
        for u, v in itertools.product(rows, rows)
        for a, b in itertools.product(columns, columns)
    )
    return gamma, g2


def tight_by_definition(A):
    """Whether one (u, v, a) attains gamma and, with some b, g2."""
    gamma, g2 = minima_by_definition(A)
    rows, columns = range(len(A)), range(len(A[0]))
    return any(
        A[u][a] / A[v][a] == gamma
        and any(A[u][a] * A[v][b] / (A[v][a] * A[u][b]) == g2 for b in columns)
        for u, v, a in itertools.product(rows, rows, columns)
    )
