r"""What both sketches share: parameters, reports, the integer sketch, its estimates and moments.

A report names a row and adds :math:`\pm 1` to cells of that row. The server keeps, as integers,

.. math:: S_{j\ell} = \sum_i \pm 1, \qquad N_j = \#\{\text{reports of row } j\},

which are sums over reports. So sketches of parts add up to the sketch of the whole, in any order
and bit for bit; floating point enters with the last line of an estimate only. With
:math:`F = m/(m-1)` and the collision shares
:math:`A_{dd'} = \frac1k \#\{j : h_j(d) = h_j(d')\}`, both estimators have for a **fixed**
family the mean :math:`F(\sum_{d'} f(d') A_{dd'} - n/m)`. Over a uniformly random, 3-wise
independent family :math:`E A_{dd'} = 1/m`, :math:`\operatorname{Var} A_{dd'} = (m-1)/(km^2)`,
uncorrelated over :math:`d' \ne d`, which turns the fixed moments into the random ones.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
import tempfile
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray, IntArray
from privlib.sketch._levels import exact_level, least_flip, rounded_up
from privlib.sketch.hashing import (
    LOOKUP_CELLS,
    ExplicitFamily,
    HashFamily,
    TabulationFamily,
    digest32,
)
from privlib.sketch.items import Item, Items, counted_items, distinct_items

# What other folders of the package may use; the rest is for this part.
__all__ = ["Moments", "Reports", "Scheme", "Sketch"]

Reports = npt.NDArray[Any]
SignArray = npt.NDArray[np.int8]
V = TypeVar("V", float, FloatArray)

CHUNK = 1 << 18  # reports that are worked on at a time

_OWN_BITS = 128
"""Random bits of the reports that an array without a name is named by."""


@lru_cache(maxsize=64)
def _cached_flip(epsilon: float, signs: int) -> float:
    return least_flip(epsilon, signs)


MAX_CELLS = 1 << 27
"""Largest number of cells of a sketch: 1 GiB of integers."""

MAX_BYTES = 1 << 33
"""Largest size of the reports that one call makes."""

MAX_PAIRS = 1 << 27
"""Largest number of pairs of items whose collisions one call counts: 1 GiB of shares."""

MAX_COMPARISONS = 1 << 36
"""Largest number of pairs of hash values that one call compares: about a minute."""

MAX_USERS = _safety.LARGEST_EXACT
"""Numbers of users stay below this, so that every sum of signs is exact as a double."""

_FORMAT = "privlib.sketch.Sketch 1"


def uint(largest: int) -> str:
    """Smallest little-endian unsigned type, of two bytes or four, that holds `largest`."""
    return "<u2" if largest < 1 << 16 else "<u4"


def checked_signs(where: str, signs: npt.ArrayLike, ndim: int) -> SignArray:
    """Return signs as an array of -1 and 1."""
    array = checks.integers(where, "signs", signs, ndim=ndim)
    checks.refuse(where, "signs", array, "-1 or 1", np.abs(array) == 1)
    return array.astype(np.int8)


@dataclass(frozen=True, eq=False, repr=False)
class Moments(Generic[V]):
    """Mean and variance of an estimate, or arrays of them.

    Parameters
    ----------
    mean : float, or ndarray of shape (n_items,)
        Mean of the estimate, in users.
    variance : float, or ndarray of shape (n_items,)
        Its variance, in users squared.

    Examples
    --------
    >>> mean, variance = Moments(100.0, 25.0)
    >>> mean, variance
    (100.0, 25.0)
    """

    mean: V
    variance: V

    def __iter__(self) -> Iterator[V]:
        """Yield mean and variance, so that ``mean, variance = moments``."""
        return iter((self.mean, self.variance))

    def __repr__(self) -> str:
        if isinstance(self.mean, np.ndarray):
            return f"Moments({self.mean.size} items)"
        return f"Moments(mean {self.mean:.6g}, variance {self.variance:.6g})"

    @property
    def sd(self) -> V:
        """Standard deviation, in users.

        Examples
        --------
        >>> float(Moments(100.0, 25.0).sd)
        5.0
        """
        root: V = np.sqrt(self.variance)
        return root


@dataclass(frozen=True, init=False, repr=False)
class Scheme(ABC):
    """Base of the two schemes; see `CountMeanSketch` and `HadamardCountMeanSketch`.

    Parameters
    ----------
    epsilon : float
        Level of local privacy of one report, positive; ``math.inf`` for no noise.
    hashes : int
        Number k of hash functions, in 1..65,536.
    width : int
        Number m of their values, in 2..16,777,216; for HCMS a power of two.
    seed : int
        Which `TabulationFamily`; `with_family` takes any family.

    Raises
    ------
    ValueError
        A parameter is out of its range, or flips in doubles do not keep `epsilon` to nine digits.
    TypeError
        A parameter is of the wrong type.

    Examples
    --------
    >>> from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
    >>> kinds = CountMeanSketch, HadamardCountMeanSketch
    >>> for scheme in (kind(1.0, hashes=1024, width=128, seed=0) for kind in kinds):
    ...     print(scheme.name, scheme.signs, scheme.report_bits)
    CMS 128 138
    HCMS 1 18
    """

    epsilon: float
    family: HashFamily

    name: ClassVar[str]
    sensitivity: ClassVar[int]
    """In how many signs the codes of two items may differ; they share epsilon."""
    _offset: ClassVar[float]  # what the estimator adds per report of a row, in units of k

    def __init__(self, epsilon: float, *, hashes: int, width: int, seed: int) -> None:
        self._set(epsilon, TabulationFamily(hashes, width, seed=seed))

    @classmethod
    def with_family(cls, epsilon: float, family: HashFamily) -> Self:
        """Return the scheme with the given hash functions.

        Parameters
        ----------
        epsilon : float
            Level of privacy, positive; ``math.inf`` for no noise.
        family : TabulationFamily or ExplicitFamily
            The hash functions.

        Returns
        -------
        CountMeanSketch or HadamardCountMeanSketch
            A scheme of the class that the method is called on.

        Raises
        ------
        ValueError
            `epsilon` is no level that a scheme takes; for HCMS, the width is no power of two.
        TypeError
            `epsilon` is no number, or `family` is none of the two.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> family = ExplicitFamily({"male": [0, 1], "female": [1, 1]}, 2)
        >>> scheme = CountMeanSketch.with_family(1.0, family)
        >>> scheme.hashes, scheme.width
        (2, 2)
        """
        scheme = cls.__new__(cls)
        scheme._set(epsilon, family)
        return scheme

    def _set(self, epsilon: float, family: HashFamily) -> None:
        where = type(self).__name__
        epsilon = checks.privacy_level(where, "epsilon", epsilon)
        # No subclass: its functions may be others under the same fingerprint.
        if type(family) not in (TabulationFamily, ExplicitFamily):
            rule = "family must be a family of hash functions, TabulationFamily or ExplicitFamily"
            raise TypeError(f"{where}: {rule}, got a value of type {type(family).__name__}")
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "family", family)
        if epsilon == math.inf:
            return
        # Of all reports: rows and columns are as probable for every item, and two items differ in
        # `sensitivity` signs, each of which is drawn with the probability `flip`, exactly.
        flip = Fraction(self.flip)
        level = rounded_up(exact_level((1 - flip) / flip, self.sensitivity))
        _safety.certify(
            where, "the level of the flips as they are drawn", level, epsilon, slack=0.0
        )
        if level < epsilon * (1 - _safety.SLACK):
            rule = "epsilon must be inf or a level that flips in doubles keep to nine digits"
            raise ValueError(f"{where}: {rule}, got {epsilon!r}")

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or a pickle: checked as a new scheme is."""
        self._set(state["epsilon"], state["family"])

    def __repr__(self) -> str:
        family = f"family={self.family!r}"
        if self.seed is not None:
            family = f"hashes={self.hashes}, width={self.width}, seed={self.seed}"
        return f"{type(self).__name__}({self.epsilon}, {family})"

    @property
    def hashes(self) -> int:
        """Number k of hash functions, the rows of the sketch.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> CountMeanSketch(1.0, hashes=16, width=128, seed=0).hashes
        16
        """
        return self.family.hashes

    @property
    def width(self) -> int:
        """Number m of hash values, the columns of the sketch.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> CountMeanSketch(1.0, hashes=16, width=128, seed=0).width
        128
        """
        return self.family.width

    @property
    def seed(self) -> int | None:
        """Seed of the family; ``None`` for a family that has none.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> CountMeanSketch(1.0, hashes=16, width=128, seed=7).seed
        7
        >>> CountMeanSketch.with_family(1.0, ExplicitFamily({"a": [0], "b": [1]}, 2)).seed is None
        True
        """
        return getattr(self.family, "seed", None)

    @property
    @abstractmethod
    def n_coordinates(self) -> int:
        """Number of coordinates of which a report names one, m for HCMS and 1 for CMS.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
        >>> kinds = CountMeanSketch, HadamardCountMeanSketch
        >>> [kind(1.0, hashes=16, width=128, seed=0).n_coordinates for kind in kinds]
        [1, 128]
        """

    @property
    def signs(self) -> int:
        """Number of signs in a report, 1 for HCMS and m for CMS.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
        >>> kinds = CountMeanSketch, HadamardCountMeanSketch
        >>> [kind(1.0, hashes=16, width=128, seed=0).signs for kind in kinds]
        [128, 1]
        """
        return self.width // self.n_coordinates

    @property
    def flip(self) -> float:
        """Probability q that one sign is negated, the least double that keeps to epsilon.

        It is below 1/2, and 0 for an infinite `epsilon`.

        Examples
        --------
        One sign of HCMS has the level ln((1 - q)/q); two signs of CMS share the level.

        >>> from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
        >>> HadamardCountMeanSketch(math.log(3), hashes=16, width=128, seed=0).flip
        0.25
        >>> CountMeanSketch(2 * math.log(3), hashes=16, width=128, seed=0).flip
        0.25
        """
        # Always from `epsilon`, never kept beside it: the two cannot come apart.
        if self.epsilon == math.inf:
            return 0.0
        return _cached_flip(self.epsilon, self.sensitivity)

    @property
    def keep(self) -> float:
        """Probability p = 1 - q that one sign is kept.

        Examples
        --------
        >>> from privlib.sketch import HadamardCountMeanSketch
        >>> HadamardCountMeanSketch(math.log(3), hashes=16, width=128, seed=0).keep
        0.75
        """
        return 1 - self.flip

    @property
    def debias_factor(self) -> float:
        """Constant c = 1/(p - q) of the de-noising, at least 1, and 1 for an infinite `epsilon`.

        Examples
        --------
        Signs that are kept with probability 3/4 have the mean 1/2, so that each counts twice.

        >>> from privlib.sketch import HadamardCountMeanSketch
        >>> HadamardCountMeanSketch(math.log(3), hashes=16, width=128, seed=0).debias_factor
        2.0
        """
        # 1 - 2q is exact in floating point for q in [1/4, 1/2]: the constant that belongs to the
        # flips as they are drawn, even where q is a rounded number.
        return 1 / (1 - 2 * self.flip)

    @property
    def factor(self) -> float:
        """Constant F = m / (m - 1), which makes up for collisions in a random family.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> CountMeanSketch(1.0, hashes=16, width=5, seed=0).factor
        1.25
        """
        return self.width / (self.width - 1)

    @property
    def _identity(self) -> dict[str, Any]:
        """What a stored sketch says of its scheme; equal for equal schemes only."""
        family = hashlib.blake2b(self.family.identity.encode(), digest_size=32).hexdigest()
        return {
            "kind": self.name,
            "epsilon": self.epsilon.hex(),
            "hashes": self.hashes,
            "width": self.width,
            "seed": None if self.seed is None else hex(self.seed),
            "family": family,
        }

    @property
    def fingerprint(self) -> int:
        """32 bits that name the kind of scheme, epsilon and the family; each report holds them.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> levels = 1.0, 1.0, 2.0
        >>> a, again, b = (CountMeanSketch(level, hashes=16, width=128, seed=0) for level in levels)
        >>> a.fingerprint == again.fingerprint, a.fingerprint == b.fingerprint
        (True, False)
        """
        return digest32(self.name, self.epsilon, self.family.fingerprint)

    @property
    def report_bits(self) -> int:
        """Bits of information in one report, for its signs, its row and its coordinate.

        Examples
        --------
        Ten bits number the row. HCMS adds one sign and seven bits of the coordinate, CMS 128 signs.

        >>> from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
        >>> HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=0).report_bits
        18
        >>> CountMeanSketch(1.0, hashes=1024, width=128, seed=0).report_bits
        138
        """
        return self.signs + (self.hashes - 1).bit_length() + (self.n_coordinates - 1).bit_length()

    @property
    def report_dtype(self) -> np.dtype[Any]:
        """Type of one report in the structured arrays, with scheme (uint32), row, and `_fields`.

        Examples
        --------
        >>> from privlib.sketch import HadamardCountMeanSketch
        >>> dtype = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=0).report_dtype
        >>> dtype.names, dtype.itemsize
        (('scheme', 'row', 'column', 'sign'), 9)
        """
        return np.dtype([("scheme", "<u4"), ("row", uint(self.hashes - 1)), *self._fields])

    @property
    @abstractmethod
    def _fields(self) -> list[tuple[Any, ...]]:
        """Fields of a report besides scheme and row."""

    @abstractmethod
    def _rules(self, reports: Reports) -> list[tuple[str, str, npt.NDArray[np.bool_]]]:
        """Rules of those fields: name, what it must be, and which reports keep it."""

    @abstractmethod
    def _randomize(self, items: list[Item], codes: IntArray, rng: np.random.Generator) -> Reports:
        """Reports of the users with items ``items[codes[i]]``."""

    @abstractmethod
    def encode(self, item: Item, row: int, *, column: int) -> list[int]:
        """Return the signs of one report on an item, before the noise.

        Parameters
        ----------
        item : str or int
            What is reported.
        row : int
            Its hash function, in 0..k-1.
        column : int
            Column of the Hadamard matrix, in 0..m-1; CMS does not use it.

        Returns
        -------
        list of int
            Signs -1 and 1, `signs` many.

        Raises
        ------
        ValueError
            Row or column is out of its range, or the item unknown to an explicit family.
        TypeError
            Row or column is no integer, or the item neither str nor int.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> family = ExplicitFamily({"tea": [2, 0]}, 4)
        >>> CountMeanSketch.with_family(1.0, family).encode("tea", 1, column=0)
        [1, -1, -1, -1]
        """

    def _position(self, item: Item, row: int) -> int:
        """Return the value of one hash function at an item."""
        where = f"{type(self).__name__}.encode"
        place = checks.integer(where, "row", row, low=0, high=self.hashes - 1)
        return int(self.family.positions([item])[0, place])

    @abstractmethod
    def report_of(self, signs: Sequence[int], row: int, *, column: int) -> Reports:
        """Return one report with the given signs, as an array of length 1.

        Parameters
        ----------
        signs : sequence of int
            Signs -1 and 1, `signs` many: as `encode` returns them, or after the noise.
        row : int
            Its hash function, in 0..k-1.
        column : int
            Column of the Hadamard matrix, in 0..m-1; CMS does not use it.

        Returns
        -------
        ndarray of `report_dtype`, shape (1,)
            The report.

        Examples
        --------
        >>> from privlib.sketch import HadamardCountMeanSketch
        >>> scheme = HadamardCountMeanSketch(1.0, hashes=4, width=8, seed=0)
        >>> report = scheme.report_of([-1], 2, column=5)
        >>> int(report["row"][0]), int(report["column"][0]), int(report["sign"][0])
        (2, 5, -1)
        """

    @abstractmethod
    def _tally(self, reports: Reports, rows: IntArray) -> IntArray:
        """Signed sums of checked reports, shape (k, m)."""

    @abstractmethod
    def _is_possible(self, signed: IntArray, counts: IntArray) -> bool:
        """Tell whether so many reports a row can have these sums of signs."""

    @abstractmethod
    def _cells(self, sketch: Sketch) -> IntArray:
        """Integer table (k, m) of which an estimate adds one cell a row."""

    @abstractmethod
    def _simulate(self, items: list[Item], counts: IntArray, rng: np.random.Generator) -> Sketch:
        """Random sketch of checked counts."""

    @property
    def _cell_weight(self) -> float:
        """What one unit of `_cells` weighs in an estimate, before F: c/2 for CMS, c for HCMS."""
        return self.debias_factor * (1 - self._offset)

    def _drawn(self, items: list[Item], counts: IntArray, rng: np.random.Generator) -> IntArray:
        """Numbers of users by row that they draw and value of their item there, shape (k, m)."""
        k = self.hashes
        m = self.width
        users = rng.multinomial(counts, np.full(k, 1 / k))  # (|D|, k): rows that the users draw
        drawn = np.zeros(k * m, dtype=np.int64)
        np.add.at(drawn, (self.family.positions(items) + np.arange(k) * m).ravel(), users.ravel())
        return drawn.reshape(k, m)

    @abstractmethod
    def _squares(self, share: FloatArray, square: FloatArray) -> FloatArray:
        """Variance of one report's part of the estimate over F^2, given E A and E A^2."""

    def privatize(self, items: Items, rng: np.random.Generator | int | None = None) -> Reports:
        r"""Return one randomised report a user.

        Parameters
        ----------
        items : str, int, or sequence, ndarray or pandas Series of those, shape (n,)
            The users' items. Strings are compared code point by code point: one word in two
            spellings of Unicode is two items, see `hashing`.
        rng : numpy.random.Generator, int or None, optional
            Source of all randomness. A seed that somebody can guess undoes the privacy, and so
            does a generator that also makes numbers which somebody sees: the state of numpy's
            generators can be computed from their output. Leave it out for a real report.

        Returns
        -------
        ndarray of `report_dtype`, shape (n,)
            In the order of the users; may be sliced, permuted, joined.

        Raises
        ------
        TypeError
            An item is neither str nor int, or `rng` is something else.
        ValueError
            An item is unknown to an explicit family, or the reports would take more than 8 GiB.

        Notes
        -----
        Each report has the level `epsilon` against everybody who sees it, the server included:
        two items make no report more than :math:`e^\varepsilon` times as probable. Levels add.
        A user who reports every day for a month has the level 30 epsilon if the items are related,
        and nothing here counts the reports of a user. What the promise does not cover: who
        reports, when, and from where.

        Examples
        --------
        A server sees rows and signs, and no item. Leave the seed out for real reports.

        >>> from privlib.sketch import CountMeanSketch
        >>> scheme = CountMeanSketch(1.0, hashes=4, width=8, seed=0)
        >>> reports = scheme.privatize(["tea", "milk", "tea"], rng=np.random.default_rng(1))
        >>> reports.shape, reports.dtype.names
        ((3,), ('scheme', 'row', 'bits'))
        """
        where = f"{type(self).__name__}.privatize"
        rng = checks.generator(where, rng)
        distinct, codes = distinct_items(where, items)
        limit_reports(where, self, codes.size)
        return self._randomize(distinct, codes, rng)

    def _filled(self, rows: IntArray, **fields: npt.NDArray[Any]) -> Reports:
        """Reports of the given rows, with the other fields as they are given."""
        reports = np.empty(rows.size, dtype=self.report_dtype)
        for name, values in {"scheme": self.fingerprint, "row": rows, **fields}.items():
            reports[name] = values
        return reports

    def aggregate(
        self, reports: Reports | Iterable[Reports], *, batch: str | None = None
    ) -> Sketch:
        """Return the sketch of reports.

        Parameters
        ----------
        reports : ndarray of `report_dtype`, shape (n,), or iterable of such arrays
            A generator of arrays is consumed one array at a time.
        batch : str, optional
            Name of these reports, the same whoever aggregates them: ``"server A, 3 May"``.
            Sketches with a batch in common do not add. Without a name, each array is named by a
            hash of its first reports, so that the same array does not count twice; but nothing
            tells that its reports come again in another order or division. Arrays of so few
            reports that others may have the same ones by chance have a random name: then this
            sketch, its copies and its files do not add to each other, and that is all.

        Returns
        -------
        Sketch
            The same for every order and every division of the reports, bit for bit.

        Raises
        ------
        ValueError
            Another type of array; a report of another scheme, epsilon or family; a field that is
            out of range. The message names the report. The sketch would have more than 2^27
            cells; `batch` is empty; without `batch`, the same array twice.
        TypeError
            `batch` is no string.

        Notes
        -----
        Works on 2^18 reports at a time; beyond the reports themselves the memory is bounded. A
        report that comes twice among `reports` counts twice: equal reports of different users are
        common, so they cannot be told from a replay.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> scheme = CountMeanSketch(1.0, hashes=4, width=8, seed=0)
        >>> reports = scheme.privatize(["tea"] * 600 + ["milk"] * 400, rng=np.random.default_rng(1))
        >>> whole = scheme.aggregate(reports)
        >>> parts = scheme.aggregate(reports[:300]) + scheme.aggregate(reports[300:])
        >>> whole.n, whole == parts, whole == scheme.aggregate(reports[::-1])
        (1000, True, True)
        """
        where = f"{type(self).__name__}.aggregate"
        names = None if batch is None else frozenset([_named(where, batch)])
        limit_cells(where, self)
        signed = np.zeros((self.hashes, self.width), dtype=np.int64)
        counts = np.zeros(self.hashes, dtype=np.int64)
        parts: Iterable[Any] = [reports] if hasattr(reports, "dtype") else reports
        if not isinstance(parts, Iterable):
            got = type(reports).__name__
            raise ValueError(f"{where}: reports must be an array or arrays, got {got}")
        begin = 0
        own = _OwnNames(where, self.hashes * self.n_coordinates)
        for part in parts:
            size = part.size if isinstance(part, np.ndarray) and part.ndim == 1 else 1
            for start in range(0, max(size, 1), CHUNK):
                piece = part if size <= CHUNK else part[start : start + CHUNK]
                rows = rows_of_reports(where, self, piece, start=begin + start)
                signed += self._tally(piece, rows)
                counts += np.bincount(rows, minlength=self.hashes)
            if names is None:
                own.add(part)
            begin += size
        names = own.names() if names is None else names
        return Sketch(self, signed, counts, names)

    def simulate(self, counts: Any, rng: np.random.Generator | int | None = None) -> Sketch:
        """Return a random sketch of users with the given items, without their reports.

        Parameters
        ----------
        counts : mapping from str or int to int, or pandas Series indexed by items
            Number of users of each item, less than 2^53 in all.
        rng : numpy.random.Generator, int or None, optional
            Source of all randomness.

        Returns
        -------
        Sketch
            With the distribution of ``aggregate(privatize(...))``, up to the rounding of numpy's
            binomial numbers.

        Raises
        ------
        ValueError
            No item, a negative number, too many users, an item unknown to an explicit family, a
            sketch of more than 2^27 cells.
        TypeError
            A number that is no integer, an item that is neither str nor int, another `rng`.

        Notes
        -----
        For studies. Whoever calls it knows all counts, so it protects nobody from the caller; and
        a sketch of people is released by their own reports, whose flips are exact.

        Examples
        --------
        >>> from privlib.sketch import HadamardCountMeanSketch
        >>> scheme = HadamardCountMeanSketch(2.0, hashes=256, width=1024, seed=0)
        >>> sketch = scheme.simulate({"tea": 2_000_000, "milk": 1_000_000}, rng=1)
        >>> sketch.n, sketch.estimate(["tea", "milk"]).round(-4)
        (3000000, array([2000000., 1000000.]))
        """
        where = f"{type(self).__name__}.simulate"
        rng = checks.generator(where, rng)
        items, numbers = counted_items(where, counts)
        limit_cells(where, self)
        _safety.limit(where, "items times hashes", len(items) * self.hashes, MAX_CELLS)
        return self._simulate(items, numbers, rng)

    def _collisions(self, where: str, items: list[Item]) -> FloatArray:
        """Shares A of rows in which two items meet, shape (|D|, |D|)."""
        _safety.limit(where, "pairs of items", len(items) ** 2, MAX_PAIRS)
        comparisons = len(items) ** 2 * self.hashes
        _safety.limit(where, "pairs of items, times hashes", comparisons, MAX_COMPARISONS)
        positions = self.family.positions(items)
        return np.array([(positions == own).mean(axis=1) for own in positions])

    def moments(self, counts: Any, *, family: str = "fixed") -> Moments[FloatArray]:
        r"""Return exact mean and variance of the estimates of all items.

        Parameters
        ----------
        counts : mapping from str or int to int, or pandas Series indexed by items
            Number of users of each item.
        family : {"fixed", "random"}, optional
            Over the rows and flips for this scheme's hash functions, or also over a uniformly
            random 3-wise independent family.

        Returns
        -------
        Moments
            Arrays of shape (\|D\|,), in the order of `counts`.

        Raises
        ------
        ValueError
            No item, a negative number, another word for `family`, more than 2^27 pairs of items.
        TypeError
            A number that is no integer.

        Notes
        -----
        Reports are independent given the family, so the conditional variance is the sum of one
        report's; over the family one adds the variance of the conditional mean,
        :math:`\sum_{d' \ne d} f(d')^2 / (k (m-1))`. This last sum is a bias as long
        as the family stays the same, and does not average out over repetitions.

        The counts are those of *all* users, so they add up to the number of reports. Estimates are
        no such counts: they may be negative, and clipping them at 0 adds users who do not exist,
        which widens every error bar. For error bars of estimates of all items, pass
        ``norm_sub(estimates, sketch.n).round().astype(int)`` by item (`defences.norm_sub`). They
        hold for an item that was chosen before the estimates were seen, not for the largest ones,
        which are too large on average.

        Examples
        --------
        Two items that never meet lose all their users in the mean; over random families, none.

        >>> from privlib.sketch import CountMeanSketch
        >>> never_meet = ExplicitFamily({"a": [0], "b": [1]}, 2)
        >>> scheme = CountMeanSketch.with_family(1.0, never_meet)
        >>> scheme.moments({"a": 2, "b": 2}).mean
        array([0., 0.])
        >>> scheme.moments({"a": 2, "b": 2}, family="random").mean
        array([2., 2.])
        """
        where = f"{type(self).__name__}.moments"
        items, f = counted_items(where, counts)
        k = self.hashes
        m = self.width
        n = float(f.sum())
        F = self.factor
        number = f.astype(np.float64)
        if checks.choice(where, "family", family, ("fixed", "random")) == "fixed":
            share = self._collisions(where, items)
            square = share**2
            spread = np.zeros(f.size)
        else:
            _safety.limit(where, "pairs of items", f.size**2, MAX_PAIRS)
            same = np.eye(f.size, dtype=bool)
            share = np.where(same, 1.0, 1 / m)
            square = np.where(same, 1.0, 1 / m**2 + (m - 1) / (k * m**2))
            spread = ((number**2).sum() - number**2) / (k * (m - 1))
        mean = F * ((share - self._offset) @ number + n * (self._offset - 1 / m))
        variance = F**2 * (self._squares(share, square) @ number) + spread
        return Moments(mean, variance)

    def variances(self, counts: Any) -> FloatArray:
        r"""Return the exact variances of all estimates over a random family, as `moments` does.

        Parameters
        ----------
        counts : mapping from str or int to int, or pandas Series indexed by items
            Numbers of users of all items, not estimates: see the notes of `moments`.

        Returns
        -------
        ndarray of float64
            One variance for each item, in users squared, in their order.

        Raises
        ------
        ValueError
            No item, a negative number, more than 2^27 pairs of items.
        TypeError
            A number that is no integer.

        Examples
        --------
        A rare item has about the error of a frequent one: all users add noise to both.

        >>> from privlib.sketch import HadamardCountMeanSketch
        >>> scheme = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=0)
        >>> np.sqrt(scheme.variances({"tea": 10_000, "rum": 10})).round()
        array([194., 220.])
        """
        return self.moments(counts, family="random").variance

    def variance(self, counts: Any, item: Item) -> float:
        """Return the exact variance of the estimate of one of `counts` over a random family.

        Parameters
        ----------
        counts : mapping from str or int to int, or pandas Series indexed by items
            As for `variances`.
        item : str or int
            One of them.

        Returns
        -------
        float
            The variance, in users squared.

        Raises
        ------
        ValueError
            The item is none of `counts`, or a number is negative.
        TypeError
            A number is no integer, or the item neither str nor int.

        Examples
        --------
        Twice as many users of all items double the variance, up to the part of the collisions.

        >>> from privlib.sketch import HadamardCountMeanSketch
        >>> scheme = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=0)
        >>> day = scheme.variance({"tea": 1000, "rum": 10}, "rum")
        >>> scheme.variance({"tea": 2000, "rum": 20}, "rum") / day
        2.00
        """
        where = f"{type(self).__name__}.variance"
        items, _ = counted_items(where, counts)
        (item,), _ = distinct_items(where, [item], "item")
        if item not in items:
            raise ValueError(f"{where}: item must be one of counts, got {item!r}")
        return float(self.variances(counts)[items.index(item)])


class _OwnNames:
    """Names of arrays of reports that nobody has named: hashes of their first reports.

    Rows and coordinates of honest reports are uniform, whatever the items are. So the first reports
    of other users are the same with the probability ``choices ** -number`` at most, and so many are
    taken that this is below 2^-128. Shorter arrays are named together, or at random.
    """

    def __init__(self, where: str, choices: int) -> None:
        self._where = where
        # A report of one row and no coordinate may be like every other.
        bits = math.log2(choices)
        self._number = math.ceil(_OWN_BITS / bits) if bits else MAX_USERS
        self._names: set[str] = set()
        self._short = hashlib.blake2b(digest_size=16)
        self._taken = 0

    def add(self, reports: Reports) -> None:
        """Take an array of checked reports, unless it was taken before."""
        octets = reports[: self._number].tobytes()
        if reports.size < self._number:
            self._short.update(octets)
            self._taken += reports.size
            return
        name = hashlib.blake2b(octets, digest_size=16).hexdigest()
        if name in self._names:
            raise ValueError(f"{self._where}: reports must not hold the same array twice")
        self._names.add(name)

    def names(self) -> frozenset[str]:
        """Return the names of all reports that were taken."""
        names = set(self._names)
        if self._taken >= self._number:
            names.add(self._short.hexdigest())
        elif self._taken:
            names.add(secrets.token_hex(16))
        return frozenset(names)


def _named(where: str, batch: Any) -> str:
    """Return the name of a batch."""
    if not isinstance(batch, str):
        raise TypeError(f"{where}: batch must be a string, got {batch!r}")
    if not batch:
        raise ValueError(f"{where}: batch must not be empty")
    # The text itself: `str` of a member of an enumeration is another one.
    return str.__str__(batch)


# --- checks, also for the modules that attack and send reports ---------------------------------


def limit_reports(where: str, scheme: Scheme, number: int) -> None:
    """Refuse to make so many reports, if they are too large for one array."""
    size = int(number) * scheme.report_dtype.itemsize
    _safety.limit(where, "bytes of the reports", size, MAX_BYTES, "make them in parts")


def limit_cells(where: str, scheme: Scheme) -> None:
    """Refuse a sketch that is too large, before it is made."""
    cells = scheme.hashes * scheme.width
    _safety.limit(where, "cells of the sketch (hashes times width)", cells, MAX_CELLS)


def rows_of_reports(where: str, scheme: Scheme, reports: Reports, *, start: int = 0) -> IntArray:
    """Return the rows of reports of a scheme; raise unless they are its reports.

    The first of them is called report `start` in the message.
    """
    wanted = scheme.report_dtype
    kind = getattr(reports, "dtype", type(reports).__name__)
    if isinstance(reports, np.ma.MaskedArray):
        raise ValueError(f"{where}: reports must not be masked; pass reports.compressed()")
    if not isinstance(reports, np.ndarray) or kind != wanted:
        raise ValueError(f"{where}: reports must be an array of {wanted}, got {kind}")
    if reports.ndim != 1:
        raise ValueError(f"{where}: reports must have one dimension, got {reports.shape}")
    own = "the fingerprint of this kind of scheme, epsilon and family"
    rules = [
        ("scheme", f"{scheme.fingerprint}, {own}", reports["scheme"] == scheme.fingerprint),
        ("row", f"in 0..{scheme.hashes - 1}", reports["row"] < scheme.hashes),
        *scheme._rules(reports),
    ]
    for field, rule, good in rules:
        if not good.all():
            bad = int(good.argmin())
            name = f"the {field} of report {start + bad}"
            value = reports[field][bad]
            raise ValueError(f"{where}: {name} must be {rule}, got {value}")
    return reports["row"].astype(np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Sketch:
    """Sum of reports: what a server keeps.

    Parameters
    ----------
    scheme : CountMeanSketch or HadamardCountMeanSketch
        How the reports were made.
    signed : ndarray of int64, shape (k, m)
        Sum of the signs by cell. A copy that nobody can write to.
    counts : ndarray of int64, shape (k,)
        Number of reports by row. A copy that nobody can write to.
    batches : frozenset of str, optional
        Names of the batches of reports that it holds, see `CountMeanSketch.aggregate`. By
        default a random one if there is any report.

    Raises
    ------
    ValueError
        Arrays of other shapes or types; a negative count, or 2^53 reports or more; sums of signs
        that no reports have; reports without a batch; an empty name.
    TypeError
        `scheme` is no scheme, an array is masked, or a name no string.

    Notes
    -----
    Sketches of one scheme add; ``sum(sketches)`` works. Sketches that have a batch in common do
    not: a sketch does not add to itself, to its copy, or to what was loaded from its file. They
    are equal if the schemes and all integers are, whatever their batches.

    What this does not see: the same reports aggregated twice without a name and in another order
    or division, or arrays of one sketch that are made into another by hand. The reports hold no
    name of their user, on purpose.

    Examples
    --------
    >>> from privlib.sketch import CountMeanSketch
    >>> scheme = CountMeanSketch(2.0, hashes=16, width=32, seed=0)
    >>> a, b = (scheme.simulate({"x": 500, "y": 100}, rng=i) for i in (1, 2))
    >>> sum([a, b]) == b + a, (a + b).n
    (True, 1200)
    """

    scheme: Scheme
    signed: IntArray
    counts: IntArray
    batches: frozenset[str] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if not isinstance(self.scheme, Scheme):
            got = type(self.scheme).__name__
            raise TypeError(f"Sketch: scheme must be a count mean sketch, got {got}")
        limit_cells("Sketch", self.scheme)
        shape = (self.scheme.hashes, self.scheme.width)
        for name, wanted in (("signed", shape), ("counts", shape[:1])):
            checks.not_masked("Sketch", name, getattr(self, name))
            array = np.asarray(getattr(self, name))
            if array.shape != wanted or array.dtype != np.int64:
                got = f"{array.dtype} of shape {array.shape}"
                raise ValueError(f"Sketch: {name} must be int64 of shape {wanted}, got {got}")
            object.__setattr__(self, name, _safety.owned(array))
        if (self.counts < 0).any():
            raise ValueError("Sketch: counts must not be negative")
        # As Python integers where they could overflow.
        users = sum(self.counts.tolist())
        if users >= MAX_USERS:
            raise ValueError(f"Sketch: counts must add up to less than 2^53, got {users}")
        if self.signed.max() >= MAX_USERS or self.signed.min() <= -MAX_USERS:
            raise ValueError("Sketch: signed must be sums of less than 2^53 signs")
        if not self.scheme._is_possible(self.signed, self.counts):
            raise ValueError("Sketch: signed and counts must not hold sums that no reports have")
        names: Any = self.batches
        if names is None:
            names = [secrets.token_hex(16)] if users else []
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise TypeError(f"Sketch: batches must be a set of names, got {names!r}")
        batches = frozenset(_named("Sketch", batch) for batch in names)
        if users and not batches:
            raise ValueError("Sketch: batches must name at least one, as there are reports")
        object.__setattr__(self, "batches", batches)

    def __repr__(self) -> str:
        return f"Sketch({self.scheme!r}, n={self.n})"

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or a pickle: checked, and with arrays that nobody can write to."""
        self.__init__(**state)  # type: ignore[misc]

    @property
    def n(self) -> int:
        """Number of reports.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> scheme = CountMeanSketch(1.0, hashes=4, width=8, seed=0)
        >>> scheme.simulate({"tea": 600, "milk": 400}, rng=0).n
        1000
        """
        return int(self.counts.sum())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sketch):
            return NotImplemented
        same = self.scheme == other.scheme and np.array_equal(self.signed, other.signed)
        return same and np.array_equal(self.counts, other.counts)

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: object) -> Sketch:
        if not isinstance(other, Sketch):
            return NotImplemented
        if self.scheme != other.scheme:
            raise ValueError(f"Sketch: cannot add {other.scheme!r} to {self.scheme!r}")
        common = self.batches & other.batches
        if common:
            raise ValueError(
                f"Sketch: cannot add two sketches that both hold the batch {min(common)!r}: "
                f"its reports would count twice"
            )
        signed = self.signed + other.signed
        counts = self.counts + other.counts
        return Sketch(self.scheme, signed, counts, self.batches | other.batches)

    def __radd__(self, other: object) -> Sketch:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sketch to a file, with its scheme and its batches.

        Parameters
        ----------
        path : str or path
            Name of the file, which is replaced if it exists: as a whole or not at all.

        Raises
        ------
        OSError
            The file cannot be written.

        Notes
        -----
        The file is one of numpy (``.npz``) without pickled objects. It is not encrypted or signed.
        It holds no item; whoever reads it can estimate, as the server can.

        Examples
        --------
        >>> import tempfile
        >>> from privlib.sketch import CountMeanSketch
        >>> scheme = CountMeanSketch(2.0, hashes=16, width=32, seed=0)
        >>> day = scheme.aggregate(scheme.privatize(["tea", "milk"]), batch="3 May")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     day.save(f"{folder}/day.npz")
        ...     again = Sketch.load(f"{folder}/day.npz", scheme)
        >>> again == day, sorted(again.batches)
        (True, ['3 May'])
        >>> try:
        ...     again + day
        ... except ValueError as error:
        ...     print(str(error)[:67])
        Sketch: cannot add two sketches that both hold the batch '3 May': i
        """
        target = Path(path)
        about = {
            "format": _FORMAT,
            "scheme": self.scheme._identity,
            "batches": sorted(self.batches),
        }
        text = np.frombuffer(json.dumps(about).encode("ascii"), dtype=np.uint8)
        # A file of another name first, so that a crash leaves the old one.
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f"{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez_compressed(file, about=text, signed=self.signed, counts=self.counts)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink()
            raise

    @classmethod
    def load(cls, path: str | os.PathLike[str], scheme: Scheme) -> Sketch:
        """Return the sketch that `save` has written.

        Parameters
        ----------
        path : str or path
            Name of the file.
        scheme : CountMeanSketch or HadamardCountMeanSketch
            How its reports were made.

        Returns
        -------
        Sketch
            With the batches that were saved, so that it does not add to itself.

        Raises
        ------
        ValueError
            The file is none that `save` writes, or it was saved with another kind of scheme,
            epsilon, number of hashes, width, seed or family.
        TypeError
            `scheme` is no scheme.
        OSError
            The file cannot be read.

        Examples
        --------
        >>> from privlib.sketch import CountMeanSketch
        >>> import tempfile
        >>> scheme = CountMeanSketch(2.0, hashes=16, width=32, seed=0)
        >>> day = scheme.simulate({"tea": 600, "milk": 400}, rng=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     day.save(f"{folder}/day.npz")
        ...     Sketch.load(f"{folder}/day.npz", scheme) == day
        True
        """
        where = "Sketch.load"
        if not isinstance(scheme, Scheme):
            got = type(scheme).__name__
            raise TypeError(f"{where}: scheme must be a count mean sketch, got {got}")
        limit_cells(where, scheme)
        about, signed, counts = _read(where, Path(path), scheme.hashes * scheme.width)
        if about.get("format") != _FORMAT:
            raise ValueError(f"{where}: {os.fspath(path)!r} is no file of Sketch.save")
        stored = about.get("scheme")
        own = scheme._identity
        for name, value in own.items():
            got = stored.get(name) if isinstance(stored, dict) else None
            if got != value:
                raise ValueError(
                    f"{where}: {os.fspath(path)!r} was saved with another scheme: its {name} is "
                    f"{_shown(name, got)}, that of {scheme!r} is {_shown(name, value)}"
                )
        batches = about.get("batches")
        if not isinstance(batches, list) or not all(isinstance(name, str) for name in batches):
            raise ValueError(f"{where}: {os.fspath(path)!r} has no names of its batches")
        try:
            return cls(scheme, signed, counts, frozenset(batches))
        except ValueError as error:
            raise ValueError(f"{where}: {os.fspath(path)!r} is damaged: {error}") from error

    @property
    def matrix(self) -> FloatArray:
        """Entries M that the estimator reads, shape (k, m).

        Examples
        --------
        Without noise and with one row, CMS counts the users by cell.

        >>> from privlib.sketch import CountMeanSketch
        >>> family = ExplicitFamily({"a": [0], "b": [1]}, 2)
        >>> scheme = CountMeanSketch.with_family(math.inf, family)
        >>> scheme.aggregate(scheme.privatize(["a", "a", "b"], rng=0)).matrix
        array([[2., 1.]])
        """
        return self._scaled(self.scheme._cells(self))

    @property
    def coordinates(self) -> FloatArray:
        """Accumulated contributions as the reports add them up, shape (k, m).

        For HCMS these are the entries before the Hadamard transform; for CMS the same as `matrix`.

        Examples
        --------
        Two reports +1, one at each coordinate, agree with the row (1, 1) of H: two users in cell 0.

        >>> from privlib.sketch import HadamardCountMeanSketch
        >>> family = ExplicitFamily({"a": [0], "b": [1]}, 2)
        >>> scheme = HadamardCountMeanSketch.with_family(math.inf, family)
        >>> sketch = scheme.aggregate(scheme.pack([0, 0], [1, 1], columns=[0, 1]))
        >>> sketch.coordinates, sketch.matrix
        (array([[1., 1.]]), array([[2., 0.]]))
        """
        return self._scaled(self.signed)

    def _scaled(self, cells: IntArray) -> FloatArray:
        scheme = self.scheme
        added = scheme._offset * self.counts[:, None]
        return np.float64(scheme.hashes) * (scheme._cell_weight * cells + added)

    def estimate(self, items: Items) -> Any:
        r"""Return the estimated number of users of each item.

        Parameters
        ----------
        items : str, int, or sequence, ndarray, pandas Series or Index of those, shape (n_items,)
            The items asked for; a single one gives one element.

        Returns
        -------
        ndarray of float, shape (n_items,)
            :math:`F \bigl( \frac1k \sum_j M_{j, h_j(d)} - \frac{n}{m} \bigr)`, unbiased over a
            random family; may be negative. In the order of `items`, also those of a Series.

        Raises
        ------
        TypeError
            An item is neither str nor int.
        ValueError
            An item is unknown to an explicit family.

        Examples
        --------
        An estimate is off by a few hundred here, so that one of a rare item may be negative.

        >>> from privlib.sketch import HadamardCountMeanSketch
        >>> scheme = HadamardCountMeanSketch(2.0, hashes=256, width=1024, seed=0)
        >>> sketch = scheme.simulate({"tea": 60_000, "milk": 30_000}, rng=1)
        >>> sketch.estimate(["tea", "milk", "rum"]).round()
        array([59937., 29734.,  -222.])
        """
        scheme = self.scheme
        distinct, codes = distinct_items("Sketch.estimate", items)
        cells = scheme._cells(self).ravel()
        start_of_row = np.arange(scheme.hashes) * scheme.width
        totals = np.empty(len(distinct), dtype=np.int64)
        step = max(LOOKUP_CELLS // scheme.hashes, 1)
        for start in range(0, len(distinct), step):
            positions = scheme.family.positions(distinct[start : start + step])
            totals[start : start + step] = cells[positions + start_of_row].sum(axis=1)
        per_report = scheme._offset - 1 / scheme.width
        values = scheme.factor * (scheme._cell_weight * totals + self.n * per_report)
        return values[codes].astype(np.float64, copy=False)


def _read(where: str, path: Path, cells: int) -> tuple[dict[str, Any], IntArray, IntArray]:
    """Return what a file of `Sketch.save` holds, unless it is larger than such a sketch."""
    wrong = f"{where}: {str(path)!r} is no file of Sketch.save"
    with path.open("rb") as file:
        # What zipfile, numpy and json raise for a damaged file is not one kind of error: offsets
        # outside the file, lengths beyond the memory, unknown methods, brackets without end.
        try:
            with zipfile.ZipFile(file) as archive:
                sizes = {info.filename: info.file_size for info in archive.infolist()}
        except Exception as error:
            raise ValueError(wrong) from error
        if sizes.keys() != {"about.npy", "signed.npy", "counts.npy"}:
            raise ValueError(wrong)
        hint = "it was saved with another scheme"
        largest = max(sizes["signed.npy"], sizes["counts.npy"])
        _safety.limit(where, "bytes of the stored sketch", largest, 8 * cells + 4096, hint)
        _safety.limit(where, "bytes of the stored names", sizes["about.npy"], 1 << 28)
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as arrays:
                signed = arrays["signed"]
                counts = arrays["counts"]
                about = json.loads(arrays["about"].tobytes().decode("ascii"))
        except Exception as error:
            raise ValueError(wrong) from error
    if not isinstance(about, dict):
        raise ValueError(wrong)
    return about, signed, counts


def _shown(name: str, value: Any) -> str:
    """Return a stored value as a reader of the message knows it."""
    try:
        if name == "epsilon" and isinstance(value, str):
            return str(float.fromhex(value))
        if name == "seed" and isinstance(value, str):
            return str(int(value, 16))
    except (ValueError, OverflowError):
        pass  # no number that `save` writes, or too long to print: as it stands
    return repr(value)[:200]
