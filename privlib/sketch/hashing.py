r"""Shared hash functions: families with a stated independence, and the items that they hash.

Users and server share *k* functions :math:`h_0, \dots, h_{k-1} : D \to \{0, \dots, m-1\}`. What
the estimators need of them is a statement about a *random* family:

- uniform and **pairwise** independent values make the estimator unbiased: two different items meet
  in a row with probability 1/m;
- **3-wise** independence makes the closed forms of the variance exact: given :math:`h_j(d)`, the
  meetings of *d* with two other items are then uncorrelated.

*Simple tabulation* has both. An item becomes a 64-bit digest, its eight bytes
:math:`b_0, \dots, b_7` look up eight tables of random residues, and the residues are added:

.. math:: h_j(d) = \sum_{i=0}^{7} T_{j, i, b_i(d)} \bmod m .

Of three different digests, one has at some byte a value that the two others do not have there: the
entry that it alone reads makes its hash value uniform and independent of both others, and the
remaining two digests differ at some byte in the same way. Four digests can be dependent (the
corners of a rectangle: *ac, ad, bc, bd*), so 4-wise independence does **not** hold; nothing here
needs it.

A linear family :math:`jx \bmod p \bmod m` with *j* from 0, in contrast, has a row that maps all
items to one value; such a row shifts every estimate by about *n/k* (`ExplicitFamily` can show it).
"""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks

Item: TypeAlias = str | int
Items: TypeAlias = Sequence[Any] | npt.NDArray[Any] | Item
IndexArray: TypeAlias = npt.NDArray[np.intp]

MAX_HASHES, MAX_WIDTH = 1 << 16, 1 << 24
_BUCKETS = 16  # bits of a fingerprint of a string that choose its bucket
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)  # odd: no bit is lost
_CELLS = 1 << 22  # table entries that a lookup may make at a time


class HashFamily(Protocol):
    """What the schemes ask of a family of hash functions."""

    @property
    def hashes(self) -> int:
        """Number k of functions."""

    @property
    def width(self) -> int:
        """Number m of values."""

    @property
    def fingerprint(self) -> int:
        """32 bits that change with the family."""

    def positions(self, items: Items) -> IndexArray:
        """Values of all functions, shape (n_items, k)."""

    def at(self, items: Sequence[Item], codes: IndexArray, rows: IndexArray) -> IndexArray:
        """Value of function ``rows[i]`` at ``items[codes[i]]``, shape (n,)."""


def digest32(*parts: object) -> int:
    """32 bits of a BLAKE2b digest of the parts' representations."""
    text = "\x1f".join(map(repr, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest(), "little")


def factorize(items: Items) -> tuple[list[Item], IndexArray]:
    """Return the distinct items and, for each item, the index of its distinct item.

    Parameters
    ----------
    items : str, int, sequence of those, or ndarray of int, str or object, shape (n,)
        A single item counts as a sequence of one. Strings and integers may be mixed in sequences
        and object arrays; ``"1"`` and ``1`` are different items.

    Returns
    -------
    distinct : list of str and int
        Each item once: sorted for integer arrays, in an unspecified order otherwise.
    codes : ndarray of int, shape (n,)
        ``distinct[codes[i]] == items[i]``.

    Raises
    ------
    TypeError
        An item is neither a string nor an integer (a float, None and bool are refused), or `items`
        is no sequence.
    ValueError
        An array has not exactly one dimension.

    Notes
    -----
    Integers of a small range are counted by presence flags, without sorting. Strings are put in
    buckets by a fingerprint, one representative a bucket; if each item *equals* its representative
    (compared in full) the buckets are the distinct items. Else other multipliers are tried, and
    then a sort. No fingerprint decides alone.

    Examples
    --------
    >>> factorize([7, 3, 7])
    ([7, 3], array([0, 1, 0]))
    """
    if isinstance(items, (str, numbers.Integral)):
        items = [items]
    if not isinstance(items, np.ndarray):
        return _factorize_objects(items)
    if items.ndim != 1:
        raise ValueError(f"factorize: items must have one dimension, got shape {items.shape}")
    if items.dtype.kind in "iu":
        return _factorize_integers(items)
    if items.dtype.kind == "U":
        return _factorize_strings(items)
    if items.dtype.kind == "O":
        return _factorize_objects(items.tolist())
    raise TypeError(f"factorize: items must be str or int, got an array of {items.dtype}")


def _factorize_objects(items: Any) -> tuple[list[Item], IndexArray]:
    if not isinstance(items, (Sequence, range)) or isinstance(items, (bytes, bytearray)):
        raise TypeError(f"factorize: items must be a sequence or an array, got {items!r}")
    for kind in set(map(type, items)):
        if not issubclass(kind, (str, numbers.Integral)) or issubclass(kind, (bool, np.bool_)):
            wrong = next(item for item in items if type(item) is kind)
            raise TypeError(f"factorize: an item must be str or int, got {wrong!r}")
    distinct = dict.fromkeys(items)
    index = dict(zip(distinct, range(len(distinct))))
    codes = np.fromiter(map(index.__getitem__, items), np.intp, len(items))
    return [str(x) if isinstance(x, str) else int(x) for x in distinct], codes


def _factorize_integers(items: npt.NDArray[Any]) -> tuple[list[Item], IndexArray]:
    if not items.size:
        return [], np.empty(0, dtype=np.intp)
    low, high = int(items.min()), int(items.max())
    if high - low >= 4 * items.size + 1024 or high > np.iinfo(np.intp).max:
        values, codes = np.unique(items, return_inverse=True)
        return list(values.tolist()), codes.astype(np.intp, copy=False)
    offsets = items.astype(np.intp)
    offsets -= low
    present = np.zeros(high - low + 1, dtype=bool)
    present[offsets] = True
    distinct: list[int] = (np.flatnonzero(present) + low).tolist()
    return [*distinct], (np.cumsum(present) - 1)[offsets]


def _factorize_strings(items: npt.NDArray[np.str_]) -> tuple[list[Item], IndexArray]:
    length = items.dtype.itemsize // 4
    if items.size and length:
        plain = np.ascontiguousarray(items, dtype=f"=U{length}")
        letters = plain.view(np.uint32).reshape(items.size, length)
        for multiplier in _MULTIPLIERS:
            prints = np.zeros(items.size, dtype=np.uint64)
            for column in letters.T:  # a loop over characters, not over items
                prints += column
                prints *= np.uint64(multiplier)
            buckets = (prints >> np.uint64(64 - _BUCKETS)).astype(np.intp)
            latest = np.full(1 << _BUCKETS, -1, dtype=np.intp)
            latest[buckets] = np.arange(items.size)
            used = np.flatnonzero(latest >= 0)
            rank = np.empty(1 << _BUCKETS, dtype=np.intp)
            rank[used] = np.arange(used.size)
            codes, distinct = rank[buckets], latest[used]
            if all(np.array_equal(c[distinct][codes], c) for c in letters.T):
                return plain[distinct].tolist(), codes
    names, codes = np.unique(items, return_inverse=True)
    return names.tolist(), codes.astype(np.intp, copy=False)


@lru_cache(maxsize=8)
def _tables(hashes: int, width: int, seed: int) -> npt.NDArray[np.uint32]:
    """Random residues, shape (8, 256, k): the same on every machine."""
    label = f"privlib.sketch tabulation 1|{hashes}|{width}|{seed}".encode()
    stream = hashlib.shake_256(label).digest(8 * 8 * 256 * hashes)
    words = np.frombuffer(stream, dtype="<u8")
    residues = words & np.uint64(width - 1) if width & (width - 1) == 0 else words % width
    tables = residues.astype(np.uint32).reshape(8, 256, hashes)
    tables.flags.writeable = False
    return tables


def _digests(items: Iterable[Item]) -> npt.NDArray[np.uint8]:
    """Digests of the items, one row of eight bytes each."""
    data = b"".join(
        hashlib.blake2b(
            f"s{item}".encode("utf-8", "surrogatepass")
            if isinstance(item, str)
            else f"i{item}".encode(),
            digest_size=8,
        ).digest()
        for item in items
    )
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, 8)


@dataclass(frozen=True)
class TabulationFamily:
    """k hash functions by simple tabulation; the same for the same arguments on every machine.

    Attributes
    ----------
    hashes : int
        Number k of functions, in 1..65,536.
    width : int
        Number m of values, in 2..16,777,216.
    seed : int
        Which family; at least 0, of any size.

    Raises
    ------
    ValueError, TypeError
        A parameter is out of its range or no integer.

    Notes
    -----
    The tables are SHAKE-256 of (seed, k, m), 64-bit words mod m: exactly uniform if m is a power
    of two, else within m / 2^64. The functions are exactly 3-wise independent for items with
    different 64-bit digests; N items chosen without regard to BLAKE2b have two equal digests
    with a probability of about N^2 / 2^65. The tables take 8 KiB a function and are kept for the
    eight families used last.

    References
    ----------
    Carter and Wegman, Universal classes of hash functions, 1979; Pătraşcu and Thorup, The power of
    simple tabulation hashing, 2012.

    Examples
    --------
    >>> family = TabulationFamily(4, 128, seed=1)
    >>> family.positions(["A1", "A2"])
    array([[ 24,  16, 102, 100],
           [111,  26,  24,  45]])
    """

    hashes: int
    width: int
    seed: int

    def __post_init__(self) -> None:
        checks.integer("TabulationFamily", "hashes", self.hashes, low=1, high=MAX_HASHES)
        checks.integer("TabulationFamily", "width", self.width, low=2, high=MAX_WIDTH)
        checks.integer("TabulationFamily", "seed", self.seed, low=0)
        for name in ("hashes", "width", "seed"):
            object.__setattr__(self, name, int(getattr(self, name)))

    @property
    def fingerprint(self) -> int:
        """32 bits that change with the parameters."""
        return digest32("tabulation", self.hashes, self.width, self.seed)

    def positions(self, items: Items) -> IndexArray:
        """Return the values of all functions at `items`.

        Parameters
        ----------
        items : str, int, sequence of those, or ndarray, shape (n,)
            What `factorize` takes.

        Returns
        -------
        ndarray of int, shape (n, k)
            Values in 0..m-1.
        """
        distinct, codes = factorize(items)
        tables, digests = _tables(self.hashes, self.width, self.seed), _digests(distinct)
        total = np.zeros((len(distinct), self.hashes), dtype=np.uint32)  # 8 (m - 1) < 2^32
        for place in range(8):
            total += tables[place][digests[:, place]]
        return (total % np.uint32(self.width)).astype(np.intp)[codes]

    def at(self, items: Sequence[Item], codes: IndexArray, rows: IndexArray) -> IndexArray:
        """Return one value for each pair of an item and a row.

        Parameters
        ----------
        items : sequence of str or int
            Distinct items.
        codes, rows : ndarray of int, shape (n,)
            Index into `items`, and of the function.

        Returns
        -------
        ndarray of int, shape (n,)
        """
        if len(items) * self.hashes <= max(_CELLS, codes.size):  # a table of all values is small
            return self.positions(list(items))[codes, rows]
        tables, digests = _tables(self.hashes, self.width, self.seed), _digests(items)
        total = np.zeros(codes.size, dtype=np.uint32)
        for place in range(8):
            total += tables[place, digests[codes, place], rows]
        return (total % np.uint32(self.width)).astype(np.intp)


@dataclass(frozen=True, init=False, repr=False)
class ExplicitFamily:
    """Hash functions given by a table: for enumeration, examples and bad families.

    Parameters
    ----------
    table : mapping from str or int to sequence of int, each of length k
        The values :math:`h_0(d), h_1(d), ...` of each item, in 0..m-1.
    width : int
        Number m of values, at least 2.

    Raises
    ------
    ValueError
        No item, no function, lengths that differ, a value outside 0..m-1; later, an item that is
        not in the table.
    TypeError
        An item or a value is of the wrong type.

    Examples
    --------
    >>> family = ExplicitFamily({"male": [0, 1], "female": [1, 1]}, 2)
    >>> family.hashes, family.positions(["female", "male"]).tolist()
    (2, [[1, 1], [0, 1]])
    """

    width: int
    _rows: tuple[tuple[Item, tuple[int, ...]], ...]

    def __init__(self, table: Mapping[Any, Sequence[int]], width: int) -> None:
        where = "ExplicitFamily"
        object.__setattr__(
            self, "width", checks.integer(where, "width", width, low=2, high=MAX_WIDTH)
        )
        items, _ = factorize(list(table))
        values = [
            tuple(checks.integer(where, "a position", h, low=0, high=width - 1) for h in row)
            for row in table.values()
        ]
        if len({len(row) for row in values}) != 1 or not values[0]:
            raise ValueError(f"{where}: each item must have the same number, at least 1, of rows")
        if len(values[0]) > MAX_HASHES:
            raise ValueError(f"{where}: at most {MAX_HASHES} rows, got {len(values[0])}")
        rows = sorted(zip(items, values), key=lambda row: (isinstance(row[0], str), row[0]))
        object.__setattr__(self, "_rows", tuple(rows))

    def __repr__(self) -> str:
        return (
            f"ExplicitFamily(<{len(self._rows)} items>, hashes={self.hashes}, width={self.width})"
        )

    @property
    def hashes(self) -> int:
        """Number k of functions."""
        return len(self._rows[0][1])

    @property
    def fingerprint(self) -> int:
        """32 bits that change with the table."""
        return digest32("explicit", self.width, self._rows)

    def positions(self, items: Items) -> IndexArray:
        """Return the values of all functions at `items`, shape (n, k).

        Raises
        ------
        ValueError
            An item is not in the table.
        """
        distinct, codes = factorize(items)
        table = dict(self._rows)
        unknown = [item for item in distinct if item not in table]
        if unknown:
            raise ValueError(f"ExplicitFamily: unknown item {unknown[0]!r}")
        values = np.array([table[item] for item in distinct], dtype=np.intp)
        return values.reshape(-1, self.hashes)[codes]

    def at(self, items: Sequence[Item], codes: IndexArray, rows: IndexArray) -> IndexArray:
        """Return one value for each pair of an item and a row, shape (n,)."""
        return self.positions(list(items))[codes, rows]
