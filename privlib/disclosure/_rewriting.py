"""Rewriting a table: Walker's alias tables, added up before they are used.

*M* columns of height 1/*M* in every row of the matrix, each with at most two categories: a uniform
number picks the column by its integer part and the category by its fraction.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array
from privlib.disclosure import validation as valid

_CHUNK = 2**18  # records rewritten at a time: the temporary arrays stay in the cache


def rewritten(where: str, codes: Array, A: Array, rng: np.random.Generator) -> Array:
    """Return the shown codes of checked true codes, under a checked matrix."""
    weights = valid.floats(where, A)
    share, alias = alias_tables(weights)
    certify_tables(where, weights, share, alias)
    columns = A.shape[1]
    near = columns * 2.0**-50
    result = np.empty(codes.size, dtype=np.int64)
    for at in range(0, codes.size, _CHUNK):  # over blocks of records
        part = codes[at : at + _CHUNK]
        uniform = rng.random(part.size)
        draw = uniform * columns
        column = draw.astype(np.int64)
        cell = part * columns + column
        limits = share[cell]
        draw -= column
        block = np.where(draw < limits, column, alias[cell])
        # Once in some 10**14 records 53 bits are too few to decide.
        close = (draw < near) | (np.abs(draw - limits) < near)
        for i in np.flatnonzero(close):
            row = slice(int(part[i]) * columns, (int(part[i]) + 1) * columns)
            block[i] = decided(float(uniform[i]), share[row], alias[row], rng)
        result[at : at + part.size] = block
    return result


def alias_tables(A: checks.FloatArray) -> tuple[Array, Array]:
    """Return for every row and column the share of its own category, and the other category."""
    size = A.shape[1]
    share = A / A.sum(axis=1, keepdims=True) * size
    alias = np.broadcast_to(np.arange(size), A.shape).copy()
    for heights, other in zip(share, alias):  # over categories, each once
        small = [int(a) for a in np.flatnonzero(heights < 1)]
        large = [int(a) for a in np.flatnonzero(heights >= 1)]
        left = heights.copy()
        while small and large:
            a = small.pop()
            b = large[-1]
            heights[a] = left[a]
            other[a] = b
            left[b] -= 1 - left[a]
            if left[b] < 1:
                small.append(large.pop())
        for a in small + large:  # 1 up to rounding
            heights[a] = 1.0
    return share.ravel(), alias.ravel()


def certify_tables(
    where: str, A: checks.FloatArray, share: checks.FloatArray, alias: Array
) -> None:
    """Raise unless the alias tables add up to the matrix, each entry to a relative 1e-9."""
    rows, columns = A.shape
    home = (np.arange(rows)[:, None] * columns + alias.reshape(A.shape)).ravel()
    drawn = (share + np.bincount(home, 1 - share, minlength=A.size)) / columns
    asked = (A / A.sum(axis=1, keepdims=True)).ravel()
    _safety.certify(where, "the probability of a shown category", drawn, asked)
    _safety.certify(where, "an entry of transition", asked, drawn)


def decided(
    uniform: float, share: checks.FloatArray, alias: Array, rng: np.random.Generator
) -> int:
    """Return the category of a uniform number of 53 bits, after 63 bits more."""
    number = (int(uniform * 2**53) << 63) + int(rng.integers(2**63))
    position = Fraction(number * share.size, 2**116)
    column = math.floor(position)
    below = position - column < Fraction(float(share[column]))
    return column if below else int(alias[column])
