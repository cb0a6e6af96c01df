r"""Counts, sums and means of clamped values: the sensitivity comes with the query.

A sum of numbers has no finite sensitivity until somebody says how large one number may be. Here the
caller declares bounds, before looking at the data; each value is **clamped** to them and rounded to
a multiple of a declared **granularity** *g*. What is summed are integers *k* in
:math:`L = \mathrm{lower}/g, \dots, U = \mathrm{upper}/g`, so that the sensitivity is an integer
too, and nothing is lost in rounding:

======================  ========================  =============================================
query                   one value replaced        one record more or less
======================  ========================  =============================================
count of a property     1                         1
sum                     :math:`U - L`             :math:`\max(|L|, |U|)`
mean                    :math:`U - L`, over *n*   sum of :math:`k - c` with half of the level,
                                                  :math:`\lceil (U - L)/2 \rceil`, and a count
                                                  with the other half
======================  ========================  =============================================

with *c* the middle of the grid. The noise is the exact discrete Laplace distribution of
`privlib.laplace.discrete`, on the grid; a result is a multiple of *g*.

**What clamping does.** Values outside are moved to the bounds, so the sum of the clamped values is
answered, not that of the values. Wide bounds add noise, narrow ones a bias that nobody sees. Bounds
that are read off the data are no promise: they tell the extremes.
"""

from __future__ import annotations

import math
import numbers
import warnings
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib.laplace._levels import privacy_level
from privlib.laplace.discrete import discrete_laplace

NEIGHBOURS = ("replace", "add-remove")
_LARGEST_SUM = 2**62  # noise has room above it in ``int64``
_LARGEST_UNIT = Fraction(np.finfo(np.float64).max) / 2**63  # a result is a finite float
_TRUTH_VALUES = frozenset((bool, np.bool_))
_OFF_GRID = Fraction(1, 10**9)  # what floats may miss a multiple of the granularity by


def private_count(holds: Any, *, epsilon: Any) -> int:
    r"""Return how many records have a property, with exact discrete Laplace noise.

    Parameters
    ----------
    holds : sequence of bool, shape (n,)
        Whether each record has the property: a list, an array, a Series (its index says nothing).
    epsilon : float, Fraction or str
        Level of differential privacy, positive; infinite for no noise and no privacy. Text such as
        ``"0.1"`` and fractions are rounded down to a float.

    Returns
    -------
    int
        The noisy count, which may be negative. The noise has the scale 1 / `epsilon`.

    Raises
    ------
    ValueError
        `epsilon` is not positive, or `holds` has more than one axis.
    TypeError
        `holds` has something that is neither true nor false (missing, a count). No message quotes
        an entry.
    ImportError
        The library ``opendp`` is not installed.
    UncertifiedError
        The library's own account of the privacy loss is above `epsilon`.

    Notes
    -----
    The promise: the probability of every answer changes by a factor :math:`e^\varepsilon` at most,
    whether one record is changed, added or removed, against an attacker who knows all others. Not
    covered: a second release (see `privlib.laplace.PrivacyBudget`), one person with several
    records, records that depend on one another, and how long the call takes.
    `privlib.laplace.histogram` counts several categories at once.

    Examples
    --------
    >>> isinstance(private_count([True, False, True], epsilon=1.0), int)
    True
    """
    where = "private_count"
    eps = privacy_level(where, "epsilon", epsilon)
    entries = _column(where, "holds", holds)
    total = 0
    for entry in entries:
        if not isinstance(entry, (bool, np.bool_)):
            raise TypeError(
                f"{where}: holds must be true or false for each record; decide by a public rule "
                "what missing values count as"
            )
        total += bool(entry)
    return _with_noise(total, 1, eps)


def private_sum(
    values: Any,
    *,
    lower: Any,
    upper: Any,
    epsilon: Any,
    granularity: Any = 1,
    neighbours: str = "replace",
    missing: Any = None,
) -> Any:
    r"""Return the sum of clamped values, with exact discrete Laplace noise.

    Parameters
    ----------
    values : sequence of numbers, shape (n,)
        One number a record: a list, an array, a Series (its index says nothing). Numbers outside
        the bounds, infinite ones too, count as the nearer bound.
    lower, upper : int, Fraction or float
        Bounds of one value, multiples of `granularity`; public, never read off the data.
    epsilon : float, Fraction or str
        Level of differential privacy, positive; infinite for no noise and no privacy. Text such as
        ``"0.1"`` and fractions are rounded down to a float.
    granularity : int, Fraction or float
        Unit that each value is rounded to, positive: 1000 for incomes in thousands, 0.1 for
        temperatures. A float is read as the decimal that Python prints of it.
    neighbours : {"replace", "add-remove"}
        Neighbouring databases differ in the value of one record, and *n* is public. Or one has a
        record more.
    missing : number, optional
        What a missing value (None, NaN, masked) counts as. Without it missing values are refused.

    Returns
    -------
    int, Fraction or float
        The noisy sum, of the type of `granularity` and a multiple of it.

    Raises
    ------
    ValueError
        The bounds are not in order or no multiples of `granularity`, `epsilon` or `granularity` is
        not positive or no normal float, `neighbours` is unknown, or there are missing values and
        `missing` is not given. No message quotes a value or their number.
    TypeError
        `values` holds something that is no number, or has several columns.
    ImportError
        The library ``opendp`` is not installed.
    UncertifiedError
        The library's own account of the privacy loss is above `epsilon`.

    Notes
    -----
    The promise is that of `private_count`, for the sensitivity of the module's table; the scale of
    the noise is `sum_noise_scale`. A sum beyond :math:`2^{62}` units counts as that: clamping does
    not add to the sensitivity, and a refusal would tell how many records there are. The promise
    does not cover the number of records under ``"replace"``, nor *that* missing values are refused.

    **One group of a table**, such as the people of a region: who belongs to the group is private,
    and a person who moves leaves one group and joins another. The sum over a group keeps the level
    if ``lower <= 0 <= upper``, because somebody outside of the group counts as 0. For other bounds
    take ``neighbours="add-remove"``. Of the sums over several groups a mover changes two, so that
    together they have twice the level of one. See `private_mean` for the warning.

    Examples
    --------
    >>> ages = [3, 31, 64, 212]  # 212 counts as 100
    >>> private_sum(ages, lower=0, upper=100, epsilon=math.inf)
    198
    >>> type(private_sum([36.6, 37.2], lower=35, upper=42, granularity=0.1, epsilon=1.0))
    <class 'float'>
    """
    where = "private_sum"
    eps = privacy_level(where, "epsilon", epsilon)
    grid = _Grid.of(where, lower, upper, granularity)
    checks.choice(where, "neighbours", neighbours, NEIGHBOURS)
    if neighbours == "replace" and not grid.low <= 0 <= grid.high:
        _warn_if_filtered(where, values)
    steps = grid.steps(where, values, missing)
    total = _with_noise(_clamped_sum(steps), grid.sensitivity(neighbours), eps)
    return grid.in_units(total)


def private_mean(
    values: Any,
    *,
    lower: Any,
    upper: Any,
    epsilon: Any,
    granularity: Any = 1,
    neighbours: str = "replace",
    missing: Any = None,
) -> float:
    r"""Return the mean of clamped values, with exact discrete Laplace noise.

    Parameters
    ----------
    values : sequence of numbers, shape (n,)
        One number a record. Numbers outside the bounds count as the nearer bound.
    lower, upper : int, Fraction or float
        Bounds of one value, multiples of `granularity`; public, never read off the data.
    epsilon : float, Fraction or str
        Level of differential privacy, positive; infinite for no noise and no privacy. Text such as
        ``"0.1"`` and fractions are rounded down to a float.
    granularity : int, Fraction or float
        Unit that each value is rounded to, positive.
    neighbours : {"replace", "add-remove"}
        Neighbouring databases differ in the value of one record, and *n* is public. Or one has a
        record more.
    missing : number, optional
        What a missing value counts as. Without it missing values are refused.

    Returns
    -------
    float
        Under ``"replace"`` the noisy sum over *n*, which is unbiased and may lie outside the
        bounds. Under ``"add-remove"`` the middle of the grid plus a noisy sum over a noisy count,
        each with half of `epsilon`; clamped to the bounds, and biased where there are few records.

    Raises
    ------
    ValueError, TypeError, ImportError, UncertifiedError
        As for `private_sum`; also if there is no value under ``"replace"``.

    Notes
    -----
    The promise is that of `private_sum`. With ``"add-remove"`` *n* is protected as well.

    **One group of a table.** Under ``"replace"`` the number of values is public. The number of
    people in a group (one region of a table) is not: it changes when one person moves, and the
    answer, a multiple of ``granularity / n``, gives it away. Take ``neighbours="add-remove"`` for a
    filtered column. Then the answer for one group is epsilon-private both where a person joins or
    leaves the group and where the value of a member changes. Of the answers for several groups a
    mover changes two, so that together they have twice the level of one. A warning says so if the
    index of a Series has gaps, as it has after filtering; a list or an array shows nothing.

    Examples
    --------
    >>> private_mean([3, 31, 64, 212], lower=0, upper=100, epsilon=math.inf)
    49.5
    """
    where = "private_mean"
    eps = privacy_level(where, "epsilon", epsilon)
    grid = _Grid.of(where, lower, upper, granularity)
    checks.choice(where, "neighbours", neighbours, NEIGHBOURS)
    steps = grid.steps(where, values, missing)
    if neighbours == "replace":
        _warn_if_filtered(where, values)
        if not steps.size:
            raise ValueError(f"{where}: values must not be empty if their number is public")
        total = _with_noise(_clamped_sum(steps), grid.sensitivity(neighbours), eps)
        return float(Fraction(total, steps.size) * grid.unit)
    middle = (grid.low + grid.high) // 2
    farthest = max(middle - grid.low, grid.high - middle)
    total = _with_noise(_clamped_sum(steps - middle), farthest, eps, share=2)
    count = _with_noise(int(steps.size), 1, eps, share=2)
    mean = middle + Fraction(total, max(count, 1))
    return float(min(max(mean, Fraction(grid.low)), Fraction(grid.high)) * grid.unit)


def sum_noise_scale(
    *,
    lower: Any,
    upper: Any,
    epsilon: Any,
    granularity: Any = 1,
    neighbours: str = "replace",
) -> float:
    r"""Return the scale of the noise of `private_sum`, in the units of the values.

    It depends on no data, so it can be looked at before anything is spent. Of ``s / g``, in units
    of the granularity, `privlib.laplace.discrete.tolerance_for` says how far the sum may err.

    Parameters
    ----------
    lower, upper : int, Fraction or float
        Bounds of one value, multiples of `granularity`; public, never read off the data.
    epsilon : float, Fraction or str
        Level of differential privacy, positive; infinite for no noise and no privacy. Text such as
        ``"0.1"`` and fractions are rounded down to a float.
    granularity : int, Fraction or float
        Unit that each value is rounded to, positive.
    neighbours : {"replace", "add-remove"}
        Neighbouring databases differ in the value of one record, and *n* is public. Or one has a
        record more.

    Returns
    -------
    float
        Sensitivity over `epsilon`, not rounded down.

    Raises
    ------
    ValueError, TypeError
        As for `private_sum`.

    Examples
    --------
    >>> sum_noise_scale(lower=-50, upper=100, epsilon=0.5)
    300.0
    >>> sum_noise_scale(lower=-50, upper=100, epsilon=0.5, neighbours="add-remove")
    200.0
    """
    where = "sum_noise_scale"
    eps = privacy_level(where, "epsilon", epsilon)
    grid = _Grid.of(where, lower, upper, granularity)
    checks.choice(where, "neighbours", neighbours, NEIGHBOURS)
    if math.isinf(eps):
        return 0.0
    exact = grid.unit * grid.sensitivity(neighbours) / Fraction(eps)
    scale = checks.positive(where, "sensitivity / epsilon", exact)
    return scale if Fraction(scale) >= exact else float(_safety.next_up(scale))


# --- the grid ----------------------------------------------------------------------------------


class _Grid(NamedTuple):
    """The integers that values become: *low* to *high*, in a unit."""

    low: int
    high: int
    unit: Fraction
    kind: type

    @classmethod
    def of(cls, where: str, lower: Any, upper: Any, granularity: Any) -> _Grid:
        """Return the grid of public bounds, or say which rule they break."""
        unit = _printed(where, "granularity", granularity)
        if unit <= 0:
            raise ValueError(f"{where}: granularity must be positive, got {granularity!r}")
        if not np.finfo(np.float64).tiny <= unit <= _LARGEST_UNIT:
            least, most = float(np.finfo(np.float64).tiny), float(_LARGEST_UNIT)
            raise ValueError(f"{where}: granularity must be in {least:.3g}..{most:.3g}")
        ends = []
        for name, bound in (("lower", lower), ("upper", upper)):
            exact = _printed(where, name, bound) / unit
            step = round(exact)
            if abs(exact - step) > _OFF_GRID:
                raise ValueError(
                    f"{where}: {name} must be a multiple of granularity = {granularity!r}, got "
                    f"{bound!r}"
                )
            if abs(step) >= _safety.LARGEST_EXACT:
                rule = "must be less than 2**53 granularities"
                raise ValueError(f"{where}: {name} {rule}, got {bound!r}; take a coarser one")
            ends.append(step)
        if ends[0] >= ends[1]:
            raise ValueError(f"{where}: lower must be less than upper, got {lower!r} and {upper!r}")
        kind: type = float
        if isinstance(granularity, numbers.Rational):
            kind = int if isinstance(granularity, numbers.Integral) else Fraction
        return cls(ends[0], ends[1], unit, kind)

    def sensitivity(self, neighbours: str) -> int:
        """Return by how much one record changes the sum, in units."""
        if neighbours == "replace":
            return self.high - self.low
        return max(abs(self.low), abs(self.high))

    def steps(self, where: str, values: Any, missing: Any) -> npt.NDArray[np.int64]:
        """Return each value as an integer of the grid: a function of that value alone."""
        # In a list beside numbers, numpy would count True as 1.
        if isinstance(values, (list, tuple)) and not _TRUTH_VALUES.isdisjoint(map(type, values)):
            raise TypeError(f"{where}: values must hold real numbers")
        numbers_ = _numbers(where, _column(where, "values", values))
        absent = np.isnan(numbers_)
        if missing is not None:
            numbers_[absent] = checks.real(where, "missing", missing)
        elif absent.any():
            raise ValueError(
                f"{where}: values must have no missing entries; say what they count as, by a rule "
                "that is public: missing=number"
            )
        bounded = np.clip(numbers_, float(self.low * self.unit), float(self.high * self.unit))
        with np.errstate(over="ignore"):
            rounded = np.rint(bounded / float(self.unit))
        steps = np.clip(rounded, self.low, self.high).astype(np.int64)
        if steps.size:  # what the sensitivity rests on
            _safety.certify(where, "a clamped value", int(steps.max()), self.high, slack=0.0)
            _safety.certify(where, "a clamped value", -int(steps.min()), -self.low, slack=0.0)
        return steps

    def in_units(self, total: int) -> Any:
        """Return a number of units as the type that was asked for."""
        exact = total * self.unit
        return int(exact) if self.kind is int else self.kind(exact)


def _clamped_sum(steps: npt.NDArray[np.int64]) -> int:
    """Return a sum, clamped to what fits; one record changes it no more than the sum itself."""
    total: int = sum(steps.tolist())  # Python's integers do not overflow
    return max(-_LARGEST_SUM, min(_LARGEST_SUM, total))


def _with_noise(total: int, sensitivity: int, epsilon: float, *, share: int = 1) -> int:
    """Return an integer with noise for a level, or for its part: OpenDP checks the scale."""
    if math.isinf(epsilon):
        return total
    scale: Any = Fraction(sensitivity) * share / Fraction(epsilon)
    return int(discrete_laplace(total, scale=scale))


# --- arguments ---------------------------------------------------------------------------------


def _printed(where: str, name: str, value: Any) -> Fraction:
    """Return a number exactly, a float as the decimal that Python prints of it."""
    number = checks.rational(where, name, value)
    return number if isinstance(number, Fraction) else Fraction(repr(number))


def _column(where: str, name: str, values: Any) -> npt.NDArray[Any]:
    """Return one entry a record, without labels; masked entries are None."""
    rule = f"{where}: {name} must be a sequence of one entry a record"
    if isinstance(values, (str, bytes, dict, set, frozenset)) or hasattr(values, "toarray"):
        raise TypeError(f"{rule}, got a {type(values).__name__}")
    if _safety.is_pandas(values):
        values = values.to_numpy()
    if isinstance(values, np.ma.MaskedArray):
        entries = values.data.astype(object)
        entries[np.ma.getmaskarray(values)] = None
        values = entries
    try:
        array = np.asarray(values)
    except (ValueError, TypeError):
        raise TypeError(rule) from None
    if array.ndim != 1:
        raise TypeError(f"{rule}, got {array.ndim} axes")
    return array


def _warn_if_filtered(where: str, values: Any) -> None:
    """Warn of a Series whose index has gaps: it may be one group, whose size is private."""
    if not _safety.is_pandas(values) or values.index.dtype.kind not in "iu" or not len(values):
        return
    first = int(values.index.min())
    last = int(values.index.max())
    if first in (0, 1) and last - first + 1 == len(values):
        return
    warnings.warn(
        f"{where}: the index of values has gaps, as after filtering; the number of people in a "
        'group is not public, so take neighbours="add-remove"; if it is public here, pass '
        "values.to_numpy()",
        stacklevel=3,
    )


def _numbers(where: str, array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return numbers as floats, NaN where there is none, without a word about what they are."""
    if array.dtype.kind in "iuf":
        return array.astype(np.float64)
    rule = f"{where}: values must hold real numbers"
    if array.dtype.kind != "O":
        raise TypeError(rule)
    result = np.empty(array.size)
    for place, entry in enumerate(array):
        if entry is None or type(entry).__name__ == "NAType":
            result[place] = np.nan
            continue
        if isinstance(entry, checks.REFUSED) or not isinstance(entry, numbers.Real):
            raise TypeError(rule)
        number: Any = entry
        try:
            result[place] = float(number)
        except OverflowError:
            result[place] = math.inf if number > 0 else -math.inf
    return result
