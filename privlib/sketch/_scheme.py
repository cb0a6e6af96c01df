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

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._checks import FloatArray, IntArray
from privlib.sketch._items import Item, Items, counted_items, distinct_items
from privlib.sketch.hashing import _CELLS, HashFamily, TabulationFamily, _digest32

Reports = npt.NDArray[Any]
SignArray = npt.NDArray[np.int8]
V = TypeVar("V", float, FloatArray)

CHUNK = 1 << 18  # reports that are worked on at a time


def uint(largest: int) -> str:
    """Smallest little-endian unsigned type, of two bytes or four, that holds `largest`."""
    return "<u2" if largest < 1 << 16 else "<u4"


def checked_signs(where: str, signs: npt.ArrayLike, ndim: int) -> SignArray:
    """Return signs as an array of -1 and 1."""
    array = checks.integers(where, "signs", signs, ndim=ndim)
    checks.refuse(where, "signs", array, "-1 or 1", np.abs(array) == 1)
    return array.astype(np.int8)


@dataclass(frozen=True, eq=False)
class Moments(Generic[V]):
    """Mean and variance of an estimate, or arrays of them.

    Attributes
    ----------
    mean, variance : float, ndarray of shape (|D|,), or Series
    """

    mean: V
    variance: V

    def __iter__(self) -> Iterator[V]:
        """Yield mean and variance, so that ``mean, variance = moments``."""
        return iter((self.mean, self.variance))

    @property
    def sd(self) -> V:
        """Standard deviation."""
        root: V = np.sqrt(self.variance)
        return root


@dataclass(frozen=True, init=False, repr=False)
class Scheme(ABC):
    """Base of the two schemes; see `CountMeanSketch` and `HadamardCountMeanSketch`."""

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
        """
        scheme = cls.__new__(cls)
        scheme._set(epsilon, family)
        return scheme

    def _set(self, epsilon: float, family: HashFamily) -> None:
        where = type(self).__name__
        if not (isinstance(epsilon, numbers.Real) and epsilon == math.inf):
            epsilon = checks.positive(where, "epsilon", epsilon)
        if not isinstance(family, HashFamily):
            raise TypeError(f"{where}: family must be a family of hash functions, got {family!r}")
        object.__setattr__(self, "epsilon", float(epsilon))
        object.__setattr__(self, "family", family)
        # 1 - 2q is exact for q in [1/4, 1/2]: this is the level of the flips as they are drawn.
        odds = (1 - 2 * self.flip) / self.flip if self.flip else math.inf
        if not math.isclose(self.sensitivity * math.log1p(odds), epsilon, rel_tol=1e-9):
            rule = "epsilon must be inf or a level that flips in doubles keep to nine digits"
            raise ValueError(f"{where}: {rule}, got {epsilon!r}")

    def __repr__(self) -> str:
        family = f"family={self.family!r}"
        if self.seed is not None:
            family = f"hashes={self.hashes}, width={self.width}, seed={self.seed}"
        return f"{type(self).__name__}({self.epsilon}, {family})"

    @property
    def hashes(self) -> int:
        """Number k of hash functions, the rows of the sketch."""
        return self.family.hashes

    @property
    def width(self) -> int:
        """Number m of hash values, the columns of the sketch."""
        return self.family.width

    @property
    def seed(self) -> int | None:
        """Seed of the family; ``None`` for a family that has none."""
        return getattr(self.family, "seed", None)

    @property
    @abstractmethod
    def places(self) -> int:
        """Number of coordinates of which a report names one: m for HCMS, 1 for CMS."""

    @property
    def signs(self) -> int:
        """Number of signs in a report: 1 for HCMS, m for CMS."""
        return self.width // self.places

    @property
    def flip(self) -> float:
        """Probability q that one sign is negated."""
        shrink = math.exp(-self.epsilon / self.sensitivity)
        return shrink / (1 + shrink)

    @property
    def keep(self) -> float:
        """Probability p = 1 - q that one sign is kept."""
        return 1 - self.flip

    @property
    def constant(self) -> float:
        """Constant c = 1/(p - q) of the de-noising."""
        # 1 - 2q is exact in floating point for q in [1/4, 1/2]: the constant that belongs to the
        # flips as they are drawn, even where q is a rounded number.
        return 1 / (1 - 2 * self.flip)

    @property
    def factor(self) -> float:
        """F = m / (m - 1)."""
        return self.width / (self.width - 1)

    @property
    def fingerprint(self) -> int:
        """32 bits that name the kind of scheme, epsilon and the family; each report holds them."""
        return _digest32(self.name, self.epsilon, self.family.fingerprint)

    @property
    def report_bits(self) -> int:
        """Information in one report, in bits: signs, number of the row, and of the coordinate."""
        return self.signs + (self.hashes - 1).bit_length() + (self.places - 1).bit_length()

    @property
    def report_dtype(self) -> np.dtype[Any]:
        """Type of one report in the structured arrays: scheme (uint32), row, and `_fields`."""
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
    def _encode(self, item: Item, row: int, column: int) -> list[int]:
        """Signs of one report on an item, before the noise."""

    @abstractmethod
    def _report(self, row: int, column: int, signs: Sequence[int]) -> Reports:
        """One report with the given signs."""

    @abstractmethod
    def _tally(self, reports: Reports, rows: IntArray) -> IntArray:
        """Signed sums of checked reports, shape (k, m)."""

    @abstractmethod
    def _cells(self, sketch: Sketch) -> IntArray:
        """Integer table (k, m) of which an estimate adds one cell a row."""

    @abstractmethod
    def _simulate(self, items: list[Item], counts: IntArray, rng: np.random.Generator) -> Sketch:
        """Random sketch of checked counts."""

    @property
    def _cell_weight(self) -> float:
        """What one unit of `_cells` weighs in an estimate, before F: c/2 for CMS, c for HCMS."""
        return self.constant * (1 - self._offset)

    def _drawn(self, items: list[Item], counts: IntArray, rng: np.random.Generator) -> IntArray:
        """Numbers of users by row that they draw and value of their item there, shape (k, m)."""
        k, m = self.hashes, self.width
        users = rng.multinomial(counts, np.full(k, 1 / k))  # (|D|, k): rows that the users draw
        drawn = np.zeros(k * m, dtype=np.int64)
        np.add.at(drawn, (self.family.positions(items) + np.arange(k) * m).ravel(), users.ravel())
        return drawn.reshape(k, m)

    @abstractmethod
    def _squares(self, share: FloatArray, square: FloatArray) -> FloatArray:
        """Variance of one report's part of the estimate over F^2, given E A and E A^2."""

    def privatize(self, items: Items, rng: np.random.Generator | int | None = None) -> Reports:
        """Return one randomised report a user.

        Parameters
        ----------
        items : str, int, or sequence, ndarray or pandas Series of those, shape (n,)
            The users' items.
        rng : numpy.random.Generator, int or None, optional
            Source of all randomness. A seed that somebody can guess is no privacy.

        Returns
        -------
        ndarray of `report_dtype`, shape (n,)
            In the order of the users; may be sliced, permuted, joined.

        Raises
        ------
        TypeError
            An item is neither str nor int, or `rng` is something else.
        ValueError
            An item is unknown to an explicit family.
        """
        where = f"{type(self).__name__}.privatize"
        rng = checks.generator(where, rng)
        return self._randomize(*distinct_items(where, items), rng)

    def _filled(self, rows: IntArray, **fields: npt.NDArray[Any]) -> Reports:
        """Reports of the given rows, with the other fields as they are given."""
        reports = np.empty(rows.size, dtype=self.report_dtype)
        for name, values in {"scheme": self.fingerprint, "row": rows, **fields}.items():
            reports[name] = values
        return reports

    def _checked(self, reports: Reports, where: str, start: int = 0) -> IntArray:
        """Return the rows of reports of this scheme, else raise."""
        wanted, kind = self.report_dtype, getattr(reports, "dtype", type(reports).__name__)
        if not isinstance(reports, np.ndarray) or kind != wanted:
            raise ValueError(f"{where}: reports must be an array of {wanted}, got {kind}")
        if reports.ndim != 1:
            raise ValueError(f"{where}: reports must have one dimension, got {reports.shape}")
        own = "the fingerprint of this kind of scheme, epsilon and family"
        rules = [
            ("scheme", f"{self.fingerprint}, {own}", reports["scheme"] == self.fingerprint),
            ("row", f"in 0..{self.hashes - 1}", reports["row"] < self.hashes),
            *self._rules(reports),
        ]
        for field, rule, good in rules:
            if not good.all():
                bad = int(good.argmin())
                name, value = f"the {field} of report {start + bad}", reports[field][bad]
                raise ValueError(f"{where}: {name} must be {rule}, got {value}")
        return reports["row"].astype(np.int64)

    def aggregate(self, reports: Reports | Iterable[Reports]) -> Sketch:
        """Return the sketch of reports.

        Parameters
        ----------
        reports : ndarray of `report_dtype`, shape (n,), or iterable of such arrays
            A generator of arrays is consumed one array at a time.

        Returns
        -------
        Sketch
            The same for every order and every division of the reports, bit for bit.

        Raises
        ------
        ValueError
            Another type of array; a report of another scheme, epsilon or family; a field that is
            out of range. The message names the report.

        Notes
        -----
        Works on 2^18 reports at a time; beyond the reports themselves the memory is bounded.
        """
        where = f"{type(self).__name__}.aggregate"
        signed = np.zeros((self.hashes, self.width), dtype=np.int64)
        counts = np.zeros(self.hashes, dtype=np.int64)
        parts: Iterable[Any] = [reports] if hasattr(reports, "dtype") else reports
        if not isinstance(parts, Iterable):
            raise ValueError(f"{where}: reports must be an array or arrays, got {reports!r}")
        begin = 0
        for part in parts:
            size = part.size if isinstance(part, np.ndarray) and part.ndim == 1 else 1
            for start in range(0, max(size, 1), CHUNK):
                piece = part if size <= CHUNK else part[start : start + CHUNK]
                rows = self._checked(piece, where, begin + start)
                signed += self._tally(piece, rows)
                counts += np.bincount(rows, minlength=self.hashes)
            begin += size
        return Sketch(self, signed, counts)

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
            With the distribution of ``aggregate(privatize(...))``.

        Raises
        ------
        ValueError
            No item, a negative number, too many users, an item unknown to an explicit family.
        TypeError
            A number that is no integer, an item that is neither str nor int, another `rng`.
        """
        where = f"{type(self).__name__}.simulate"
        rng = checks.generator(where, rng)
        return self._simulate(*counted_items(where, counts), rng)

    def _collisions(self, items: list[Item]) -> FloatArray:
        """Shares A of rows in which two items meet, shape (|D|, |D|)."""
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
            Arrays of shape (\|D\|,), in the order of `counts`; of a Series, Series with its index.

        Raises
        ------
        ValueError
            No item, a negative number, another word for `family`.
        TypeError
            A number that is no integer.

        Notes
        -----
        Reports are independent given the family, so the conditional variance is the sum of one
        report's; over the family one adds the variance of the conditional mean,
        :math:`\sum_{d' \ne d} f(d')^2 / (k (m-1))`. This last sum is a bias as long
        as the family stays the same, and does not average out over repetitions.
        """
        where = f"{type(self).__name__}.moments"
        items, f = counted_items(where, counts)
        k, m, n, F = self.hashes, self.width, float(f.sum()), self.factor
        number = f.astype(np.float64)
        if checks.choice(where, "family", family, ("fixed", "random")) == "fixed":
            share = self._collisions(items)
            square, spread = share**2, np.zeros(f.size)
        else:
            same = np.eye(f.size, dtype=bool)
            share = np.where(same, 1.0, 1 / m)
            square = np.where(same, 1.0, 1 / m**2 + (m - 1) / (k * m**2))
            spread = ((number**2).sum() - number**2) / (k * (m - 1))
        mean = F * ((share - self._offset) @ number + n * (self._offset - 1 / m))
        variance = F**2 * (self._squares(share, square) @ number) + spread
        return Moments(checks.labelled(mean, counts), checks.labelled(variance, counts))

    def variances(self, counts: Any) -> FloatArray:
        r"""Return the exact variances of all estimates over a random family, as `moments` does."""
        return self.moments(counts, family="random").variance

    def variance(self, counts: Any, item: Item) -> float:
        """Return the exact variance of the estimate of one of `counts` over a random family."""
        where = f"{type(self).__name__}.variance"
        items, _ = counted_items(where, counts)
        (item,), _ = distinct_items(where, [item], "item")
        if item not in items:
            raise ValueError(f"{where}: item must be one of counts, got {item!r}")
        return float(np.asarray(self.variances(counts))[items.index(item)])


@dataclass(frozen=True, eq=False)
class Sketch:
    """Sum of reports: what a server keeps.

    Attributes
    ----------
    scheme : CountMeanSketch or HadamardCountMeanSketch
        How the reports were made.
    signed : ndarray of int64, shape (k, m)
        Sum of the signs by cell.
    counts : ndarray of int64, shape (k,)
        Number of reports by row.

    Raises
    ------
    ValueError
        Arrays of other shapes or types, or a negative count.

    Notes
    -----
    Sketches of one scheme add; ``sum(sketches)`` works. They are equal if the schemes and all
    integers are.

    Examples
    --------
    >>> import numpy as np
    >>> from privlib.sketch import CountMeanSketch
    >>> scheme = CountMeanSketch(2.0, hashes=16, width=32, seed=0)
    >>> a, b = (scheme.simulate({"x": 500, "y": 100}, np.random.default_rng(i)) for i in (1, 2))
    >>> sum([a, b]) == b + a, (a + b).n
    (True, 1200)
    """

    scheme: Scheme
    signed: IntArray
    counts: IntArray

    def __post_init__(self) -> None:
        shape = (self.scheme.hashes, self.scheme.width)
        for name, wanted in (("signed", shape), ("counts", shape[:1])):
            array = np.array(getattr(self, name))
            if array.shape != wanted or array.dtype != np.int64:
                got = f"{array.dtype} of shape {array.shape}"
                raise ValueError(f"Sketch: {name} must be int64 of shape {wanted}, got {got}")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        if (self.counts < 0).any():
            raise ValueError("Sketch: counts must not be negative")

    @property
    def n(self) -> int:
        """Number of reports."""
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
        return Sketch(self.scheme, self.signed + other.signed, self.counts + other.counts)

    def __radd__(self, other: object) -> Sketch:
        return self if isinstance(other, int) and other == 0 else NotImplemented

    @property
    def matrix(self) -> FloatArray:
        """Entries M that the estimator reads, shape (k, m)."""
        return self._scaled(self.scheme._cells(self))

    @property
    def coordinates(self) -> FloatArray:
        """Accumulated contributions as the reports add them up, shape (k, m).

        For HCMS these are the entries before the Hadamard transform; for CMS the same as `matrix`.
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
            random family; may be negative. For a Series, a Series with its index; for an Index of
            items, a Series indexed by the items.

        Raises
        ------
        TypeError
            An item is neither str nor int.
        ValueError
            An item is unknown to an explicit family.
        """
        scheme = self.scheme
        distinct, codes = distinct_items("Sketch.estimate", items)
        cells = scheme._cells(self).ravel()
        start_of_row = np.arange(scheme.hashes) * scheme.width
        totals = np.empty(len(distinct), dtype=np.int64)
        step = max(_CELLS // scheme.hashes, 1)
        for start in range(0, len(distinct), step):
            positions = scheme.family.positions(distinct[start : start + step])
            totals[start : start + step] = cells[positions + start_of_row].sum(axis=1)
        per_report = scheme._offset - 1 / scheme.width
        values = scheme.factor * (scheme._cell_weight * totals + self.n * per_report)
        like = items.to_series() if hasattr(items, "to_series") else items
        return checks.labelled(values[codes].astype(np.float64, copy=False), like)
