"""Checks of the arguments that both sketches take: counts of items, rows, columns, signs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib.sketch.hashing import IndexArray, Item, factorize

IntArray = npt.NDArray[np.int64]


def uint(largest: int) -> str:
    """Smallest little-endian unsigned type that holds `largest`."""
    return "<u2" if largest < 1 << 16 else "<u4"


def whole(where: str, name: str, values: npt.ArrayLike, low: int, high: int) -> IndexArray:
    """Return `values` as a vector of integers within low..high."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{where}: {name} must have one dimension, got shape {array.shape}")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{where}: {name} must be integers, got {array.dtype}")
    wrong = np.flatnonzero((array < low) | (array > high))
    if wrong.size:
        i = int(wrong[0])
        raise ValueError(f"{where}: {name}[{i}] must be in {low}..{high}, got {array[i]}")
    return array.astype(np.intp)


def plus_minus(where: str, name: str, values: npt.ArrayLike, ndim: int) -> npt.NDArray[np.int8]:
    """Return `values` as an array of -1 and 1."""
    array = np.asarray(values)
    if array.ndim != ndim:
        raise ValueError(f"{where}: {name} must have {ndim} dimension(s), got {array.shape}")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{where}: {name} must be integers, got {array.dtype}")
    if not ((array == 1) | (array == -1)).all():
        raise ValueError(f"{where}: {name} must be -1 or 1")
    return array.astype(np.int8)


def checked_counts(where: str, counts: Mapping[Any, int]) -> tuple[list[Item], IntArray]:
    """Return the items and their numbers."""
    if not isinstance(counts, Mapping):
        raise TypeError(f"{where}: counts must map items to numbers, got {counts!r}")
    if not counts:
        raise ValueError(f"{where}: counts must name at least one item, got none")
    items, _ = factorize(list(counts))
    numbers_ = [checks.integer(where, f"counts[{d!r}]", f, low=0) for d, f in counts.items()]
    if sum(numbers_) >= 1 << 53:
        raise ValueError(f"{where}: counts must add up to less than 2^53, got {sum(numbers_)}")
    return items, np.array(numbers_, dtype=np.int64)
