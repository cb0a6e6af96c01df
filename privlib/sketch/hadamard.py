r"""Hadamard Count Mean Sketch: one noisy sign a user instead of *m*.

With the Hadamard matrix of Sylvester, :math:`H_1 = (1)` and
:math:`H_{2m} = \begin{pmatrix} H_m & H_m \\ H_m & -H_m \end{pmatrix}`, a user with item *d* draws
a row *j* and a column :math:`\ell`, negates the sign :math:`H_{\ell, h_j(d)}` with probability
:math:`q = 1/(1 + e^\varepsilon)` and sends (sign, *j*, :math:`\ell`). With indices from 0,
:math:`H_{\ell h} = (-1)^{|\ell \wedge h|}`, the parity of the common one bits, so no matrix is
needed. One sign is spent on all of epsilon:
:math:`c = 1/(p-q) = (e^\varepsilon + 1)/(e^\varepsilon - 1)`.

The server adds :math:`k c \tilde w` at :math:`(j, \ell)` and transforms the rows back. As
:math:`H H^\top = m I` and a column is drawn with probability 1/m,

.. math:: E \Bigl[ \sum_{\ell'} k c\, \tilde w\, 1_{\ell' = \ell} H_{\ell' x} \Bigr]
          = \frac km \sum_\ell H_{\ell, h_j(d)} H_{\ell x} = k\, 1_{x = h_j(d)},

so the transform is :math:`M H^\top`, **without** a division by *m* (which
:math:`M H^{-1}` would bring in). The estimator is then that of CMS. The paper prints the constant
of CMS, :math:`(e^{\varepsilon/2} + 1)/(e^{\varepsilon/2} - 1)`, in the definition and the right one
in its discussion; with the printed one an estimate has the mean
:math:`\lambda f + (\lambda - 1) n/(m-1)` with
:math:`\lambda = (e^{\varepsilon/2} + 1)^2/(e^\varepsilon + 1)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray, IntArray
from privlib.sketch._bits import bernoulli_bits
from privlib.sketch.hashing import HashFamily
from privlib.sketch.items import Item
from privlib.sketch.scheme import (
    CHUNK,
    Reports,
    Scheme,
    SignArray,
    Sketch,
    checked_signs,
    rows_of_reports,
    uint,
)

# What users may call; the other public names serve the modules of this part.
__all__ = ["HadamardCountMeanSketch", "hadamard_matrix"]


def _power_of_two(where: str, name: str, value: Any) -> int:
    number = checks.integer(where, name, value, low=1)
    if number & (number - 1):
        raise ValueError(f"{where}: {name} must be a power of two, got {value!r}")
    return number


def hadamard_matrix(m: int) -> npt.NDArray[np.int8]:
    r"""Return the Hadamard matrix of Sylvester.

    Parameters
    ----------
    m : int
        Order, a power of two, at most 8192.

    Returns
    -------
    ndarray of int8, shape (m, m)
        Symmetric, with :math:`H H^\top = m I`.

    References
    ----------
    Section 3 of the paper, where the recursion starts with the column (1, 1); it must be (1).

    Examples
    --------
    >>> hadamard_matrix(2).tolist()
    [[1, 1], [1, -1]]
    """
    m = _power_of_two("hadamard_matrix", "m", m)
    _safety.limit("hadamard_matrix", "m", m, 1 << 13)
    index = np.arange(m)
    return hadamard_signs(index[:, None], index)


def hadamard_signs(columns: IntArray, positions: IntArray) -> npt.NDArray[np.int8]:
    """Entries of H at (column, position): minus one to the number of common one bits."""
    odd = (np.bitwise_count(columns & positions) & 1).astype(np.int8)
    signs: npt.NDArray[np.int8] = np.int8(1) - 2 * odd
    return signs


def walsh_hadamard(a: IntArray) -> IntArray:
    """Return ``a @ H`` along the last axis, by the recursion of H: m log2 m additions a row."""
    m = a.shape[-1]
    moved = np.moveaxis(a, -1, 0)
    x = np.ascontiguousarray(moved).reshape(m, -1)  # the additions run along rows
    half = 1
    while half < m:
        pair = x.reshape(m // (2 * half), 2, -1)
        x = np.empty_like(pair)
        np.add(pair[:, 0], pair[:, 1], out=x[:, 0])
        np.subtract(pair[:, 0], pair[:, 1], out=x[:, 1])
        half *= 2
    return np.moveaxis(x.reshape(moved.shape), 0, -1)


# Frozen here too: a frozen base guards its own fields only, and `flip` or `sensitivity` are none.
@dataclass(frozen=True, init=False, repr=False)
class HadamardCountMeanSketch(Scheme):
    r"""The scheme HCMS: privatize, aggregate, estimate, and exact moments.

    Parameters
    ----------
    epsilon : float
        Level of local privacy, positive; ``math.inf`` for no noise.
    hashes : int
        Number k of hash functions.
    width : int
        Number m of their values, a power of two.
    seed : int
        Which `TabulationFamily`; `with_family` takes any family.

    Raises
    ------
    ValueError
        A parameter is out of its range, or `width` is no power of two; `epsilon` is no level that
        flips in doubles keep to nine digits from below, and not ``math.inf``: levels below 1e-6 or
        beyond 700 may be refused.
    TypeError
        A parameter is of the wrong type.

    Notes
    -----
    The flips are drawn with a probability that is a double, exactly, and the level of that double
    is computed when the scheme is made: it is at most `epsilon`. The level is that of one report,
    see `privatize`.

    Over a random family the estimate of an item with *f* of *n* users has the mean *f* and the
    variance

    .. math:: F^2 (n c^2 - f) - (n - f) \Bigl( \frac1{(m-1)^2} + \frac1{k(m-1)} \Bigr)
        + \frac{\sum_{d' \ne d} f(d')^2}{k (m-1)},

    about *n* even without noise: that is what sampling one of *m* coordinates costs.

    References
    ----------
    Section 3 of the paper; Differential Privacy Team, Learning with privacy at scale, 2017.

    Examples
    --------
    >>> scheme = HadamardCountMeanSketch(4.0, hashes=64, width=128, seed=1)
    >>> sketch = scheme.aggregate(scheme.privatize(["A1"] * 3000 + ["A2"] * 1000))
    >>> sketch.n, sketch.estimate(["A1", "A2"]).shape
    (4000, (2,))
    >>> scheme.simulate({"A1": 3000, "A2": 1000}, rng=0).estimate(["A1", "A2"]).round()
    array([3015.,  901.])
    >>> round(scheme.variance({"A1": 3000, "A2": 1000}, "A1") ** 0.5, 1)
    38.0
    """

    name: ClassVar[str] = "HCMS"
    sensitivity: ClassVar[int] = 1
    _offset: ClassVar[float] = 0.0

    def _set(self, epsilon: float, family: HashFamily) -> None:
        super()._set(epsilon, family)
        _power_of_two("HadamardCountMeanSketch", "width", family.width)

    @property
    def n_coordinates(self) -> int:
        """Number m of columns of H, of which a report names one.

        Examples
        --------
        >>> HadamardCountMeanSketch(1.0, hashes=4, width=128, seed=0).n_coordinates
        128
        """
        return self.width

    @property
    def _fields(self) -> list[tuple[Any, ...]]:
        return [("column", uint(self.width - 1)), ("sign", "i1")]

    def _randomize(self, items: list[Item], codes: IntArray, rng: np.random.Generator) -> Reports:
        rows = rng.integers(self.hashes, size=codes.size)
        columns = rng.integers(self.width, size=codes.size)
        signs = hadamard_signs(columns, self.family.at(items, codes, rows=rows))
        packed = bernoulli_bits(1, max(codes.size, 1), q=self.flip, rng=rng)  # at least one coin
        flips = np.unpackbits(packed[0], count=codes.size, bitorder="little")
        return self._filled(rows, column=columns, sign=np.where(flips, -signs, signs))

    def pack(self, rows: npt.ArrayLike, signs: npt.ArrayLike, *, columns: npt.ArrayLike) -> Reports:
        """Return reports with the given contents.

        Parameters
        ----------
        rows : array_like of int, shape (n,)
            Row of each report, in 0..k-1.
        signs : array_like of int, shape (n,)
            Signs -1 and 1.
        columns : array_like of int, shape (n,)
            Column of each report, in 0..m-1.

        Returns
        -------
        ndarray of `report_dtype`, shape (n,)
            One entry a report.

        Raises
        ------
        ValueError
            A row, column or sign out of range, or lengths that differ.
        TypeError
            Something is no integer.

        Examples
        --------
        >>> scheme = HadamardCountMeanSketch(1.0, hashes=2, width=2, seed=0)
        >>> scheme.pack([0, 1], [1, -1], columns=[1, 0])["sign"].tolist()
        [1, -1]
        """
        where = "HadamardCountMeanSketch.pack"
        row = checks.integers(where, "rows", rows, low=0, high=self.hashes - 1, ndim=1)
        column = checks.integers(where, "columns", columns, low=0, high=self.width - 1, ndim=1)
        sign = checked_signs(where, signs, 1)
        if not row.size == column.size == sign.size:
            sizes = f"{row.size}, {sign.size}, {column.size}"
            raise ValueError(f"{where}: rows, signs and columns must be equally many, got {sizes}")
        return self._filled(row, column=column, sign=sign)

    def unpack(self, reports: Reports) -> tuple[IntArray, IntArray, SignArray]:
        """Return what reports say that `aggregate` takes.

        Parameters
        ----------
        reports : ndarray of `report_dtype`, shape (n,)
            Of this scheme.

        Returns
        -------
        rows, columns : ndarray of int, shape (n,)
            The hash function and the column of each report.
        signs : ndarray of int8, shape (n,)
            Its sign, -1 or 1.

        Raises
        ------
        ValueError
            The array is of another type, or a report is none of this scheme.

        Examples
        --------
        >>> scheme = HadamardCountMeanSketch(1.0, hashes=4, width=8, seed=0)
        >>> rows, columns, signs = scheme.unpack(scheme.pack([3, 0], [1, -1], columns=[7, 5]))
        >>> rows.tolist(), columns.tolist(), signs.tolist()
        ([3, 0], [7, 5], [1, -1])
        """
        rows = rows_of_reports("HadamardCountMeanSketch.unpack", self, reports)
        return rows, reports["column"].astype(np.int64), reports["sign"].copy()

    def _rules(self, reports: Reports) -> list[tuple[str, str, npt.NDArray[np.bool_]]]:
        return [
            ("column", f"in 0..{self.width - 1}", reports["column"] < self.width),
            ("sign", "-1 or 1", np.abs(reports["sign"]) == 1),
        ]

    def encode(self, item: Item, row: int, *, column: int) -> list[int]:
        """Return the signs of one report on an item, before the noise.

        Parameters
        ----------
        item : str or int
            What is reported.
        row : int
            Its hash function, in 0..k-1.
        column : int
            Column of the Hadamard matrix, in 0..m-1.

        Returns
        -------
        list of int
            One sign.

        Raises
        ------
        ValueError
            Row or column is out of its range, or the item unknown to an explicit family.
        TypeError
            Row or column is no integer, or the item neither str nor int.

        Examples
        --------
        Column 0 of the matrix is all ones; column 1 has -1 at the odd positions.

        >>> from privlib.sketch.hashing import ExplicitFamily
        >>> scheme = HadamardCountMeanSketch.with_family(1.0, ExplicitFamily({"tea": [3]}, 4))
        >>> scheme.encode("tea", 0, column=0), scheme.encode("tea", 0, column=1)
        ([1], [-1])
        """
        where = "HadamardCountMeanSketch.encode"
        position = self._position(item, row)
        place = checks.integer(where, "column", column, low=0, high=self.width - 1)
        return [int(hadamard_signs(np.array(place), np.array(position)))]

    def report_of(self, signs: Sequence[int], row: int, *, column: int) -> Reports:
        """Return one report with the given signs.

        Parameters
        ----------
        signs : sequence of int, of length 1
            As `encode` returns them, or after the noise.
        row : int
            Its hash function, in 0..k-1.
        column : int
            Column of the Hadamard matrix, in 0..m-1.

        Returns
        -------
        ndarray of `report_dtype`, shape (1,)
            The report.

        Raises
        ------
        ValueError
            Row or column is out of its range, or there is not one sign -1 or 1.
        TypeError
            Something is no integer.

        Examples
        --------
        >>> scheme = HadamardCountMeanSketch(1.0, hashes=4, width=8, seed=0)
        >>> report = scheme.report_of([-1], 2, column=5)
        >>> [values.tolist() for values in scheme.unpack(report)]
        [[2], [5], [-1]]
        """
        return self.pack([row], signs, columns=[column])

    def _tally(self, reports: Reports, rows: IntArray) -> IntArray:
        k = self.hashes
        m = self.width
        cell = (rows * m + reports["column"]) * 2 + (reports["sign"] > 0)
        by_sign = np.bincount(cell, minlength=2 * k * m).reshape(k, m, 2)
        return by_sign[..., 1] - by_sign[..., 0]

    def _is_possible(self, signed: IntArray, counts: IntArray) -> bool:
        # Each report of a row adds its sign to one cell. The sums of sizes may be beyond int64, so
        # they are floats; below 2^53, where `counts` are, those are exact.
        sizes = np.abs(signed).sum(axis=1, dtype=np.float64)
        odd = np.bitwise_xor.reduce(signed, axis=1) ^ counts
        return bool((sizes <= counts).all() and not (odd & 1).any())

    def _cells(self, sketch: Sketch) -> IntArray:
        return walsh_hadamard(sketch.signed)

    def _simulate(self, items: list[Item], counts: IntArray, rng: np.random.Generator) -> Sketch:
        k = self.hashes
        m = self.width
        n = int(counts.sum())
        if n <= 32 * k * m:  # then drawing the users themselves costs less
            ends = np.cumsum(counts)
            parts = (
                np.searchsorted(ends, np.arange(i, min(i + CHUNK, n)), side="right")
                for i in range(0, n, CHUNK)
            )
            made = self.aggregate(self._randomize(items, codes, rng) for codes in parts)
            return Sketch(self, made.signed, made.counts)  # a batch of its own, whatever the seed
        return self._by_cells(items, counts, rng)

    def _by_cells(self, items: list[Item], counts: IntArray, rng: np.random.Generator) -> Sketch:
        # Users of a row by column of H that their item hashes to, and by the sign in front of it.
        users = self._drawn(items, counts, rng)
        groups = np.stack([users, np.zeros_like(users)], axis=-1)[:, None]
        # Draw the bits of l from the top, a fast Walsh-Hadamard transform of people. Where the bit
        # is 0, columns that differ in their top bit agree from here on; where it is 1, they differ
        # in sign. So at each of the log2 m levels there are 2 m groups a row, whatever |D| is.
        while groups.shape[2] > 1:
            half = groups.shape[2] // 2
            zero = rng.binomial(groups, 0.5)
            positive = groups - zero
            agree = zero[:, :, :half] + zero[:, :, half:]
            differ = positive[:, :, :half] + positive[:, :, half:, ::-1]
            groups = np.stack([agree, differ], axis=2).reshape(self.hashes, -1, half, 2)
        # True signs by cell.
        plus = groups[:, :, 0, 0]
        minus = groups[:, :, 0, 1]
        kept = plus - rng.binomial(plus, self.flip)
        shown = kept + rng.binomial(minus, self.flip)
        return Sketch(self, 2 * shown - plus - minus, users.sum(axis=1))

    def _squares(self, share: FloatArray, square: FloatArray) -> FloatArray:
        # c times a sign whose product with the item's own sign has mean A / c.
        return self.debias_factor**2 - square
