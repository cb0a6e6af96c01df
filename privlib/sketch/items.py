"""Items and numbers of items, from the containers that people keep them in.

A million users have a few hundred items, so the sketches work on the *distinct* items and one code
a user. Small ranges of integers are found by presence flags, without sorting. Strings go into
buckets by a fingerprint, one representative a bucket: if each item *equals* its representative,
compared in full, the buckets are the distinct items; else other multipliers are tried, and then a
sort. No fingerprint decides alone.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._checks import IntArray

# What other folders of the package may use; the rest is for this part.
__all__ = ["Item", "distinct_items"]

Item: TypeAlias = str | int
Items: TypeAlias = Any  # an item, a sequence of items, an array, a pandas Series or Index

MAX_BITS = 8192
"""Largest size of an item that is an integer, and of a seed: Python writes them as text."""

_BUCKETS = 16  # bits of a fingerprint of a string that choose its bucket
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)  # odd: no bit is lost


def distinct_items(where: str, items: Items, name: str = "items") -> tuple[list[Item], IntArray]:
    """Return the distinct items and, for each item, the index of its distinct item.

    A single item counts as a sequence of one; ``"1"`` and ``1`` are different items. The distinct
    ones come sorted for arrays of integers, in any order for arrays of strings, else as they came.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    items : str, int, or sequence, ndarray, pandas Series or Index of those, shape (n,)
        The items; there may be none.
    name : str, optional
        Name of the argument, for the messages.

    Returns
    -------
    distinct : list of str or int
        Each item once.
    codes : ndarray of int, shape (n,)
        Item *i* is ``distinct[codes[i]]``.

    Raises
    ------
    TypeError
        An item is neither str nor int (a bool is none), the array is masked, or the Series is what
        ``value_counts()`` returns.
    ValueError
        The array has not one dimension, or an integer has more than 8192 bits.

    Examples
    --------
    >>> distinct_items("f", [7, 3, 7])
    ([7, 3], array([0, 1, 0]))
    >>> distinct_items("f", ["1", 1])[0]
    ['1', 1]
    """
    if isinstance(items, (str, numbers.Integral)):
        items = [items]
    if hasattr(items, "to_numpy"):  # pandas
        if getattr(items, "name", None) == "count" and items.dtype.kind in "iu":
            rule = f"{name} must be items, and this Series holds what value_counts() returns"
            raise TypeError(f"{where}: {rule}; pass its index")
        items = items.to_numpy()
    if isinstance(items, np.ma.MaskedArray):
        raise TypeError(f"{where}: {name} must not be masked; pass {name}.compressed()")
    if isinstance(items, np.ndarray):
        if items.ndim != 1:
            raise ValueError(f"{where}: {name} must have one dimension, got shape {items.shape}")
        if items.dtype.kind in "iu":
            return _distinct_integers(items)
        if items.dtype.kind == "U":
            return _distinct_strings(items)
        if items.dtype.kind not in "OT":
            raise TypeError(f"{where}: {name} must hold str or int, got {items.dtype}")
        items = items.tolist()
    if not isinstance(items, Sequence) or isinstance(items, (bytes, bytearray)):
        rule = "a sequence, an array or a pandas Series of str or int"
        raise TypeError(f"{where}: {name} must be {rule}, got {_kind(items)}")
    for kind in set(map(type, items)):
        if not issubclass(kind, (str, numbers.Integral)) or issubclass(kind, (bool, np.bool_)):
            place = next(i for i, item in enumerate(items) if type(item) is kind)
            got = f"{_kind(items[place])} as number {place}"
            raise TypeError(f"{where}: {name} must hold str or int, got {got}")
    index = {item: i for i, item in enumerate(dict.fromkeys(items))}
    codes = np.fromiter(map(index.__getitem__, items), np.int64, len(items))
    # The text itself: `str` of a member of an enumeration is another one, which equals no other.
    distinct: list[Item] = [str.__str__(x) if isinstance(x, str) else int(x) for x in index]
    for item in distinct:
        if isinstance(item, int) and item.bit_length() > MAX_BITS:
            raise ValueError(f"{where}: {name} must be integers of at most {MAX_BITS} bits")
    return distinct, codes


def _kind(value: Any) -> str:
    """Return the type of what somebody took for items; its value may be private."""
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _distinct_integers(items: npt.NDArray[Any]) -> tuple[list[Item], IntArray]:
    if not items.size:
        return [], np.empty(0, dtype=np.int64)
    low = int(items.min())
    high = int(items.max())
    if high - low >= 4 * items.size + 1024 or high >= 1 << 63:
        values, codes = np.unique(items, return_inverse=True)
        return list(values.tolist()), codes.astype(np.int64, copy=False)
    offsets = items.astype(np.int64)
    offsets -= low
    present = np.zeros(high - low + 1, dtype=bool)
    present[offsets] = True
    distinct: list[int] = (np.flatnonzero(present) + low).tolist()
    return [*distinct], (np.cumsum(present) - 1)[offsets]


def _distinct_strings(items: npt.NDArray[np.str_]) -> tuple[list[Item], IntArray]:
    length = items.dtype.itemsize // 4
    if items.size and length:
        plain = np.ascontiguousarray(items, dtype=f"=U{length}")
        letters = plain.view(np.uint32).reshape(items.size, length)
        for multiplier in _MULTIPLIERS:
            prints = np.zeros(items.size, dtype=np.uint64)
            for column in letters.T:  # a loop over characters, not over items
                prints += column
                prints *= np.uint64(multiplier)
            buckets = (prints >> np.uint64(64 - _BUCKETS)).astype(np.int64)
            latest = np.full(1 << _BUCKETS, -1, dtype=np.int64)
            latest[buckets] = np.arange(items.size)
            used = np.flatnonzero(latest >= 0)
            rank = np.empty(1 << _BUCKETS, dtype=np.int64)
            rank[used] = np.arange(used.size)
            codes = rank[buckets]
            distinct = latest[used]
            if all(np.array_equal(c[distinct][codes], c) for c in letters.T):
                return plain[distinct].tolist(), codes
    names, codes = np.unique(items, return_inverse=True)
    return names.tolist(), codes.astype(np.int64, copy=False)


def counted_items(where: str, counts: Any) -> tuple[list[Item], IntArray]:
    """Return the items and their numbers, from a mapping or a pandas Series indexed by items."""
    if not isinstance(counts, Mapping) and not (hasattr(counts, "index") and hasattr(counts, "at")):
        kinds = "a dict, a Counter, or a pandas Series as value_counts() returns it"
        raise TypeError(f"{where}: counts must map items to numbers ({kinds}), got {_kind(counts)}")
    pairs = list(counts.items())
    items, codes = distinct_items(where, [item for item, _ in pairs], "counts")
    if not items or len(items) < codes.size:
        got = f"{codes.size} numbers of {len(items)} items"
        raise ValueError(f"{where}: counts must name at least one item, each once, got {got}")
    frequencies = []
    for item, number in pairs:
        name = f"counts[{item!r}]"
        if isinstance(number, (float, np.floating)):
            remedy = "of estimates, pass norm_sub(estimates, sketch.n).round().astype(int)"
            raise TypeError(f"{where}: {name} must be an integer, got {number!r}; {remedy}")
        frequencies.append(checks.integer(where, name, number, low=0))
    if sum(frequencies) >= 1 << 53:
        raise ValueError(f"{where}: counts must add up to less than 2^53, got {sum(frequencies)}")
    return items, np.array(frequencies, dtype=np.int64)
