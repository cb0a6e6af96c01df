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

**Items** are strings or integers, ``"1"`` and ``1`` are different, and strings are compared *code
point by code point*. Unicode spells some words in several ways: "é" is one code point in the
normal form NFC and two in NFD, which look alike and are two items here. Users of a word that are
split between two spellings are counted apart, so normalise all items first, in the same way at
users and server: ``unicodedata.normalize("NFC", item)``.

A linear family :math:`jx \bmod p \bmod m` with *j* from 0, in contrast, has a row that maps all
items to one value; such a row shifts every estimate by about *n/k* (`ExplicitFamily` can show it).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import IntArray
from privlib.sketch.items import MAX_BITS, Item, Items, distinct_items

# What users may call; the other public names serve the modules of this part.
__all__ = ["ExplicitFamily", "TabulationFamily"]

MAX_HASHES = 1 << 16
MAX_WIDTH = 1 << 24
MAX_VALUES = 1 << 30
"""Largest number of hash values that one call returns: 8 GiB."""

LOOKUP_CELLS = 1 << 22  # table entries that a lookup may make at a time


def digest32(*parts: object) -> int:
    """32 bits of a BLAKE2b digest of the parts' representations."""
    text = "\x1f".join(map(repr, parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest(), "little")


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


def _limit(where: str, items: int, hashes: int) -> None:
    _safety.limit(where, "hash values (items times hashes)", items * hashes, MAX_VALUES)


def _digests(items: Iterable[Item]) -> npt.NDArray[np.uint8]:
    """Digests of the items, one row of eight bytes each."""
    names = (f"s{item}" if isinstance(item, str) else f"i{item}" for item in items)
    octets = (name.encode("utf-8", "surrogatepass") for name in names)
    data = b"".join(hashlib.blake2b(each, digest_size=8).digest() for each in octets)
    return np.frombuffer(data, dtype=np.uint8).reshape(-1, 8)


@dataclass(frozen=True)
class TabulationFamily:
    """k hash functions by simple tabulation; the same for the same arguments on every machine.

    Parameters
    ----------
    hashes : int
        Number k of functions, in 1..65,536.
    width : int
        Number m of values, in 2..16,777,216.
    seed : int
        Which family; at least 0, of at most 8192 bits. It is public: whoever sends reports knows
        it, and can look for items that collide.

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
    seed: int = field(kw_only=True)

    def __post_init__(self) -> None:
        where = "TabulationFamily"
        ranges = (1, MAX_HASHES), (2, MAX_WIDTH), (0, None)
        for name, (low, high) in zip(("hashes", "width", "seed"), ranges):
            value = checks.integer(where, name, getattr(self, name), low=low, high=high)
            object.__setattr__(self, name, value)
        _safety.limit(where, "bits of the seed", self.seed.bit_length(), MAX_BITS)

    @property
    def fingerprint(self) -> int:
        """32 bits that change with the parameters.

        Examples
        --------
        >>> a, again, b = (TabulationFamily(4, 128, seed=seed) for seed in (1, 1, 2))
        >>> a.fingerprint == again.fingerprint, a.fingerprint == b.fingerprint
        (True, False)
        """
        return digest32("tabulation", self.hashes, self.width, self.seed)

    @property
    def identity(self) -> str:
        """Text that is the same for the same functions only.

        Examples
        --------
        >>> TabulationFamily(4, 128, seed=1).identity
        'tabulation 4 128 1'
        """
        return f"tabulation {self.hashes} {self.width} {self.seed}"

    def positions(self, items: Items) -> IntArray:
        """Return the values of all functions at `items`.

        Parameters
        ----------
        items : str, int, or sequence, ndarray or pandas Series of those, shape (n,)
            The items; a single one gives one row.

        Returns
        -------
        ndarray of int, shape (n, k)
            Values in 0..m-1, in the order of `items`.

        Raises
        ------
        TypeError
            An item is neither str nor int.
        ValueError
            There would be more than 2^30 values.

        Examples
        --------
        Equal items have equal values; two items meet in about one of *m* rows.

        >>> values = TabulationFamily(1000, 10, seed=1).positions(["tea", "milk", "tea"])
        >>> values.shape, bool((values[0] == values[2]).all()), int((values[0] == values[1]).sum())
        ((3, 1000), True, 98)
        """
        distinct, codes = distinct_items("TabulationFamily.positions", items)
        _limit("TabulationFamily.positions", codes.size, self.hashes)
        tables = _tables(self.hashes, self.width, self.seed)
        digests = _digests(distinct)
        total = np.zeros((len(distinct), self.hashes), dtype=np.uint32)  # 8 (m - 1) < 2^32
        for place in range(8):
            total += tables[place][digests[:, place]]
        return (total % np.uint32(self.width)).astype(np.int64)[codes]

    def at(self, items: Sequence[Item], codes: IntArray, *, rows: IntArray) -> IntArray:
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
            Values in 0..m-1: the entries of ``positions(items)[codes, rows]``.

        Raises
        ------
        ValueError
            There is no such item, or no such function.
        TypeError
            Codes or rows are no integers, or are masked.

        Examples
        --------
        >>> family = TabulationFamily(4, 128, seed=1)
        >>> items, codes, rows = ["A1", "A2"], np.array([0, 1, 0]), np.array([3, 0, 0])
        >>> values = family.at(items, codes, rows=rows)
        >>> values.tolist() == family.positions(items)[codes, rows].tolist()
        True
        """
        codes, rows = _pairs("TabulationFamily.at", codes, rows, items, self.hashes)
        if len(items) * self.hashes <= max(
            LOOKUP_CELLS, codes.size
        ):  # a table of all values is small
            return self.positions(list(items))[codes, rows]
        tables = _tables(self.hashes, self.width, self.seed)
        digests = _digests(items)
        total = np.zeros(codes.size, dtype=np.uint32)
        for place in range(8):
            total += tables[place, digests[codes, place], rows]
        return (total % np.uint32(self.width)).astype(np.int64)


def _pairs(where: str, codes: Any, rows: Any, items: Any, hashes: int) -> tuple[IntArray, IntArray]:
    """Return indices of items and of functions; a negative one would wrap round."""
    if not hasattr(items, "__len__") or getattr(items, "ndim", 1) != 1:
        rule = "items must be a sequence of str or int"
        raise TypeError(f"{where}: {rule}, got {checks.kind_of(items)}")
    code = _indices(where, "codes", codes, len(items))
    row = _indices(where, "rows", rows, hashes)
    if code.size != row.size:
        got = f"{code.size} and {row.size}"
        raise ValueError(f"{where}: codes and rows must be equally many, got {got}")
    return code, row


def _indices(where: str, name: str, value: Any, size: int) -> IntArray:
    """Return indices in 0..size-1."""
    # What the schemes pass, a million at a time, is looked at twice and not copied.
    plain = type(value) is np.ndarray and value.dtype == np.int64 and value.ndim == 1
    if plain and value.size and value.min() >= 0 and value.max() < size:
        indices: IntArray = value
        return indices
    return checks.integers(where, name, value, low=0, high=size - 1, ndim=1)


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
        width = checks.integer(where, "width", width, low=2, high=MAX_WIDTH)
        object.__setattr__(self, "width", width)
        if not isinstance(table, Mapping):
            rule = "table must map items to sequences of positions"
            raise TypeError(f"{where}: {rule}, got {type(table).__name__}")
        items, _ = distinct_items(where, list(table), "table")
        values = []
        for row in table.values():
            _safety.positions(where, "row", row)
            if isinstance(row, (str, bytes, set, frozenset)) or not isinstance(row, Iterable):
                got = type(row).__name__
                raise TypeError(f"{where}: each item must have a sequence of positions, got {got}")
            values.append(
                tuple(checks.integer(where, "a position", h, low=0, high=width - 1) for h in row)
            )
        sizes = {len(row) for row in values}
        if len(sizes) != 1 or not 1 <= max(sizes) <= MAX_HASHES:
            rule = f"have the same number of rows, in 1..{MAX_HASHES}"
            raise ValueError(f"{where}: each item must {rule}, got {sorted(sizes)}")
        rows = sorted(zip(items, values), key=lambda row: (isinstance(row[0], str), row[0]))
        object.__setattr__(self, "_rows", tuple(rows))

    def __repr__(self) -> str:
        size = f"hashes={self.hashes}, width={self.width}"
        return f"ExplicitFamily(<{len(self._rows)} items>, {size})"

    @property
    def hashes(self) -> int:
        """Number k of functions.

        Examples
        --------
        >>> ExplicitFamily({"male": [0, 1, 1], "female": [1, 1, 0]}, 2).hashes
        3
        """
        return len(self._rows[0][1])

    @property
    def fingerprint(self) -> int:
        """32 bits that change with the table.

        Examples
        --------
        >>> family = ExplicitFamily({"a": [0], "b": [1]}, 2)
        >>> other = ExplicitFamily({"a": [0], "b": [0]}, 2)
        >>> family.fingerprint == other.fingerprint
        False
        """
        return digest32("explicit", self.width, self._rows)

    @property
    def identity(self) -> str:
        """Text that is the same for the same table only; the order of the items does not count.

        Examples
        --------
        >>> family = ExplicitFamily({"b": [1], "a": [0]}, 2)
        >>> family.identity == ExplicitFamily({"a": [0], "b": [1]}, 2).identity
        True
        """
        return f"explicit {self.width} {self._rows!r}"

    def positions(self, items: Items) -> IntArray:
        """Return the values of all functions at `items`.

        Parameters
        ----------
        items : str, int, or sequence, ndarray or pandas Series of those, shape (n,)
            The items, each of which must be in the table. One may come several times.

        Returns
        -------
        ndarray of int, shape (n, k)
            Values in 0..m-1, in the order of `items`.

        Raises
        ------
        ValueError
            An item is not in the table. The message names its place and not the item.
        TypeError
            An item is neither str nor int.

        Examples
        --------
        >>> family = ExplicitFamily({"male": [0, 1], "female": [1, 1]}, 2)
        >>> family.positions(["female", "male", "female"]).tolist()
        [[1, 1], [0, 1], [1, 1]]
        """
        distinct, codes = distinct_items("ExplicitFamily.positions", items)
        _limit("ExplicitFamily.positions", codes.size, self.hashes)
        return self._values(distinct, codes)[codes]

    def _values(self, distinct: Sequence[Item], codes: IntArray) -> IntArray:
        """Return the rows of the table of distinct items, which `codes` refer to."""
        table = dict(self._rows)
        for code, item in enumerate(distinct):
            if item not in table:
                # Its place, not itself: it may be what a user keeps private.
                place = int(np.flatnonzero(codes == code)[0])
                rule = "items must be in the table of the family"
                raise ValueError(f"ExplicitFamily: {rule}, which item number {place} is not")
        values = np.array([table[item] for item in distinct], dtype=np.int64)
        return values.reshape(-1, self.hashes)

    def at(self, items: Sequence[Item], codes: IntArray, *, rows: IntArray) -> IntArray:
        """Return one value for each pair of an item and a row.

        Parameters
        ----------
        items : sequence of str or int
            Distinct items of the table.
        codes, rows : ndarray of int, shape (n,)
            Index into `items`, and of the function.

        Returns
        -------
        ndarray of int, shape (n,)
            Values in 0..m-1.

        Raises
        ------
        ValueError
            An item is not in the table, or there is no such item or function.
        TypeError
            Codes or rows are no integers, or are masked.

        Examples
        --------
        >>> family = ExplicitFamily({"male": [0, 1], "female": [1, 1]}, 2)
        >>> family.at(["female", "male"], np.array([0, 1]), rows=np.array([1, 0])).tolist()
        [1, 0]
        """
        codes, rows = _pairs("ExplicitFamily.at", codes, rows, items, self.hashes)
        return self._values(items, codes)[codes, rows]


HashFamily: TypeAlias = TabulationFamily | ExplicitFamily
