r"""Count Mean Sketch: frequencies of items from one noisy row of bits a user.

A user with item *d* draws a row *j*, writes :math:`v = (-1, \dots, -1)` with a 1 at
:math:`h_j(d)`, negates each of the *m* signs with probability
:math:`q = 1 / (1 + e^{\varepsilon/2})` and sends (signs, *j*). Two items differ in at most two
signs, each of which has likelihood ratio at most :math:`p/q = e^{\varepsilon/2}`: together
:math:`e^\varepsilon`, and some output reaches it if the items part on some row.

Since :math:`E \tilde v_\ell = v_\ell / c` with
:math:`c = 1/(p - q) = (e^{\varepsilon/2} + 1)/(e^{\varepsilon/2} - 1)`, the vector
:math:`\tilde x = k (\frac c2 \tilde v + \frac12 \mathbf 1)` has the mean *k* times the 0/1 unit
vector of :math:`h_j(d)`. Row *j* of *M* is the sum of the vectors of its reports, and

.. math:: \tilde f(d) = \frac{m}{m-1} \Bigl( \frac1k \sum_j M_{j, h_j(d)} - \frac nm \Bigr).

Another item meets *d* in a row with probability 1/m if the family is random; subtracting *n/m*
and scaling takes that out *in the mean over families*. For one given family it does not: the
example of the paper with two items that never meet has the true counts (2, 2) and the
estimates (0, 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._checks import FloatArray, IntArray
from privlib.sketch._bits import bernoulli_bits, column_counts
from privlib.sketch.items import Item
from privlib.sketch.scheme import Reports, Scheme, SignArray, Sketch, checked_signs, rows_of_reports


# Frozen here too: a frozen base guards its own fields only, and `flip` or `sensitivity` are none.
@dataclass(frozen=True, init=False, repr=False)
class CountMeanSketch(Scheme):
    r"""The scheme CMS: privatize, aggregate, estimate, and exact moments.

    Parameters
    ----------
    epsilon : float
        Level of local privacy, positive; ``math.inf`` for no noise.
    hashes : int
        Number k of hash functions.
    width : int
        Number m of their values.
    seed : int
        Which `TabulationFamily`; `with_family` takes any family.

    Raises
    ------
    ValueError
        A parameter is out of its range; `epsilon` is no level that flips in doubles keep to nine
        digits from below, and not ``math.inf``: levels below 1e-6 or beyond 1400 may be refused.
    TypeError
        A parameter is of the wrong type.

    Notes
    -----
    The flips are drawn with a probability that is a double, exactly, and the level of that double
    is computed when the scheme is made: it is at most `epsilon`. The level is that of one report,
    see `privatize`.

    Over a random family the estimate of an item with *f* of *n* users has the mean *f* and the
    variance

    .. math:: F^2 n \frac{c^2 - 1}{4}
        + \frac{(1 - \frac1k)(n - f) + \frac1k \sum_{d' \ne d} f(d')^2}{m - 1},

    noise, then collisions. The last sum does not average out while the family stays the same.

    References
    ----------
    Section 2.2 of the paper; Differential Privacy Team, Learning with privacy at scale, 2017.

    Examples
    --------
    >>> scheme = CountMeanSketch(4.0, hashes=64, width=128, seed=1)
    >>> sketch = scheme.aggregate(scheme.privatize(["A1"] * 3000 + ["A2"] * 1000))
    >>> sketch.n, sketch.estimate(["A1", "A2"]).shape
    (4000, (2,))
    >>> scheme.simulate({"A1": 3000, "A2": 1000}, rng=0).estimate(["A1", "A2"]).round()
    array([2966., 1010.])
    >>> round(scheme.variance({"A1": 3000, "A2": 1000}, "A1") ** 0.5, 1)
    29.4
    """

    name: ClassVar[str] = "CMS"
    sensitivity: ClassVar[int] = 2
    _offset: ClassVar[float] = 0.5

    @property
    def n_coordinates(self) -> int:
        """One, as a report holds all m signs of its row and names no coordinate.

        Examples
        --------
        >>> CountMeanSketch(1.0, hashes=4, width=128, seed=0).n_coordinates
        1
        """
        return 1

    @property
    def _fields(self) -> list[tuple[Any, ...]]:
        return [("bits", "u1", (-(-self.width // 8),))]  # 1 for +1, from the lowest bit up

    def _randomize(self, items: list[Item], codes: IntArray, rng: np.random.Generator) -> Reports:
        rows = rng.integers(self.hashes, size=codes.size)
        position = self.family.at(items, codes, rows=rows)
        bits = bernoulli_bits(codes.size, self.width, q=self.flip, rng=rng)
        # A report is the unit vector exclusive-or its flips.
        bits[np.arange(codes.size), position >> 3] ^= np.uint8(1) << (position & 7).astype(np.uint8)
        return self._filled(rows, bits=bits)

    def pack(self, rows: npt.ArrayLike, signs: npt.ArrayLike) -> Reports:
        """Return reports with the given contents.

        Parameters
        ----------
        rows : array_like of int, shape (n,)
            Row of each report, in 0..k-1.
        signs : array_like of int, shape (n, m)
            Signs -1 and 1.

        Returns
        -------
        ndarray of `report_dtype`, shape (n,)
            One entry a report.

        Raises
        ------
        ValueError
            A row or sign out of range, or shapes that do not fit.
        TypeError
            Something is no integer.

        Examples
        --------
        >>> scheme = CountMeanSketch(1.0, hashes=2, width=2, seed=0)
        >>> scheme.unpack(scheme.pack([0, 1], [[1, -1], [-1, 1]]))[1].tolist()
        [[1, -1], [-1, 1]]
        """
        where = "CountMeanSketch.pack"
        row = checks.integers(where, "rows", rows, low=0, high=self.hashes - 1, ndim=1)
        sign = checked_signs(where, signs, 2)
        shape = row.size, self.width
        if sign.shape != shape:
            raise ValueError(f"{where}: signs must have shape {shape}, got {sign.shape}")
        return self._filled(row, bits=np.packbits(sign > 0, axis=1, bitorder="little"))

    def unpack(self, reports: Reports) -> tuple[IntArray, SignArray]:
        """Return what reports say that `aggregate` takes.

        Parameters
        ----------
        reports : ndarray of `report_dtype`, shape (n,)
            Of this scheme.

        Returns
        -------
        rows : ndarray of int, shape (n,)
            The hash function of each report.
        signs : ndarray of int8, shape (n, m)
            Its signs, -1 and 1.

        Raises
        ------
        ValueError
            The array is of another type, or a report is none of this scheme.

        Examples
        --------
        >>> scheme = CountMeanSketch(1.0, hashes=4, width=2, seed=0)
        >>> rows, signs = scheme.unpack(scheme.pack([3, 0], [[1, -1], [-1, -1]]))
        >>> rows.tolist(), signs.tolist()
        ([3, 0], [[1, -1], [-1, -1]])
        """
        rows = rows_of_reports("CountMeanSketch.unpack", self, reports)
        bits = np.unpackbits(reports["bits"], axis=1, count=self.width, bitorder="little")
        return rows, 2 * bits.astype(np.int8) - np.int8(1)

    def _rules(self, reports: Reports) -> list[tuple[str, str, npt.NDArray[np.bool_]]]:
        spare = reports["bits"][:, -1] >> (self.width % 8 or 8)
        return [("bits", f"0 beyond the width {self.width}", spare == 0)]

    def encode(self, item: Item, row: int, *, column: int) -> list[int]:
        """Return the signs of one report on an item, before the noise.

        Parameters
        ----------
        item : str or int
            What is reported.
        row : int
            Its hash function, in 0..k-1.
        column : int
            Not used: a report has all columns.

        Returns
        -------
        list of int
            One sign for each column, 1 where the item is.

        Raises
        ------
        ValueError
            The row is out of its range, or the item unknown to an explicit family.
        TypeError
            The row is no integer, or the item neither str nor int.

        Examples
        --------
        >>> from privlib.sketch.hashing import ExplicitFamily
        >>> scheme = CountMeanSketch.with_family(1.0, ExplicitFamily({"tea": [2, 0]}, 4))
        >>> scheme.encode("tea", 0, column=0), scheme.encode("tea", 1, column=0)
        ([-1, -1, 1, -1], [1, -1, -1, -1])
        """
        position = self._position(item, row)
        return [1 if cell == position else -1 for cell in range(self.width)]

    def report_of(self, signs: Sequence[int], row: int, *, column: int) -> Reports:
        """Return one report with the given signs.

        Parameters
        ----------
        signs : sequence of int
            As `encode` returns them, or after the noise.
        row : int
            Its hash function, in 0..k-1.
        column : int
            Not used: a report has all columns.

        Returns
        -------
        ndarray of `report_dtype`, shape (1,)
            The report.

        Raises
        ------
        ValueError
            The row is out of its range, or the signs are not *m* of -1 and 1.
        TypeError
            Something is no integer.

        Examples
        --------
        >>> scheme = CountMeanSketch(1.0, hashes=4, width=8, seed=0)
        >>> report = scheme.report_of(scheme.encode("tea", 2, column=0), 2, column=0)
        >>> rows, signs = scheme.unpack(report)
        >>> rows.tolist(), signs[0].tolist() == scheme.encode("tea", 2, column=0)
        ([2], True)
        """
        where = "CountMeanSketch.report_of"
        checks.not_masked(where, "signs", signs)
        try:
            own = list(signs)
        except TypeError:
            got = type(signs).__name__
            raise TypeError(f"{where}: signs must be a sequence of -1 and 1, got {got}") from None
        return self.pack([row], [own])

    def _tally(self, reports: Reports, rows: IntArray) -> IntArray:
        ones = column_counts(reports["bits"], rows, groups=self.hashes, width=self.width)
        return 2 * ones - np.bincount(rows, minlength=self.hashes)[:, None]

    def _is_possible(self, signed: IntArray, counts: IntArray) -> bool:
        # Each cell adds one sign a report of its row.
        within = (signed.max(axis=1) <= counts).all() and (signed.min(axis=1) >= -counts).all()
        return bool(within and not ((signed ^ counts[:, None]) & 1).any())

    def _cells(self, sketch: Sketch) -> IntArray:
        return sketch.signed

    def _simulate(self, items: list[Item], counts: IntArray, rng: np.random.Generator) -> Sketch:
        true = self._drawn(items, counts, rng)
        total = true.sum(axis=1)
        kept = true - rng.binomial(true, self.flip)
        ones = kept + rng.binomial(total[:, None] - true, self.flip)
        return Sketch(self, 2 * ones - total[:, None], total)

    def _squares(self, share: FloatArray, square: FloatArray) -> FloatArray:
        # c/2 times a sign with mean (2A - 1) / c_true: its square is c^2/4.
        return self.debias_factor**2 / 4 - (square - share + 0.25)
