"""What every function that makes a promise uses: slack, rounding, exactness, labels and sizes.

A promise is a noise scale, a level, a risk, a release or a mechanism. Whoever returns one

1. takes its input as it is: `exact_float` and `exact_floats` refuse a number whose float would be
   another one in kind (0, infinite, another integer), `positions` refuses labels in an order of
   their own;
2. refuses work that is too large before it starts, by `limit`;
3. computes the promise a second time, by another route, and compares by `certify`, which forgives
   a relative `SLACK` unless the caller names another slack;
4. rounds what it prints or advises to the safe side, by `round_up` and `round_down`.
"""

from __future__ import annotations

import decimal
import math
import numbers
from dataclasses import fields
from fractions import Fraction
from typing import Any, cast

import numpy as np
import numpy.typing as npt

SLACK = 1e-9
"""By how much, relatively, rounding may put a recomputed promise above what was promised."""

LARGEST_EXACT = 2**53
"""Beyond this integers have neighbours that a float cannot tell from them."""


class UncertifiedError(ValueError):
    """A result did not pass its own check, so it is not returned."""


def certify(
    where: str, promise: str, found: Any, allowed: Any, *, slack: float = SLACK, unit: float = 0.0
) -> None:
    """Raise `UncertifiedError` unless what was `found` is at most what is `allowed`.

    Parameters
    ----------
    where, promise : str
        The public function, and what it promises: ``"the leakage at this scale"``.
    found, allowed : array_like
        The promise computed a second time, and the promise; they broadcast. NaN never passes.
    slack : float
        Rounding that is forgiven, relative to `allowed`.
    unit : float
        Rounding that is forgiven besides, in the units of `found`: 0 unless the caller can say how
        large the numbers were whose difference `found` is.
    """
    # Without warnings: inf - inf is nan, and nan is refused below.
    with np.errstate(invalid="ignore", over="ignore"):
        most = np.asarray(allowed, dtype=np.float64)
        value = np.asarray(found, dtype=np.float64)
        excess = np.asarray(value - most)
        forgiven = slack * np.abs(most) + unit
        fine = (excess <= forgiven) | (value == most) | (value == -np.inf) | (most == np.inf)
    fine = fine & ~np.isnan(value) & ~np.isnan(most)
    if fine.all():
        return
    excess, value, most, fine = np.broadcast_arrays(excess, value, most, fine)
    worst = int(np.argmax(np.where(fine, -np.inf, np.where(np.isnan(excess), np.inf, excess))))
    raise UncertifiedError(
        f"{where}: {promise} must be at most {most.flat[worst]:.6g}, but a second computation "
        f"gives {value.flat[worst]:.6g} ({excess.flat[worst]:.3g} too much); nothing is returned"
    )


# --- rounding to the safe side -----------------------------------------------------------------


def round_up(value: float, digits: int = 4) -> float:
    """Return the least number of so many significant digits that is not below `value`."""
    return _rounded(value, digits, decimal.ROUND_CEILING)


def round_down(value: float, digits: int = 4) -> float:
    """Return the largest number of so many significant digits that is not above `value`."""
    return _rounded(value, digits, decimal.ROUND_FLOOR)


def _rounded(value: float, digits: int, rounding: str) -> float:
    if not math.isfinite(value):
        return float(value)
    context = decimal.Context(prec=digits, rounding=rounding)
    return float(context.create_decimal(decimal.Decimal(float(value))))


def next_up(value: Any, steps: int = 1) -> Any:
    """Return floats that are larger by `steps` units in the last place."""
    for _ in range(steps):
        value = np.nextafter(value, np.inf)
    return value


# --- exact numbers -----------------------------------------------------------------------------


def exact_float(where: str, name: str, value: Any) -> float:
    """Return a real number as a float, unless that were 0, infinite or another integer for it."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isinf(number) and not (isinstance(value, (float, np.floating)) and np.isinf(value)):
        raise ValueError(f"{where}: {name} must be within the range of floats, got {short(value)}")
    if number == 0 and value != 0:
        rule = "must not be so small that its float is 0"
        raise ValueError(f"{where}: {name} {rule}, got {short(value)}")
    if isinstance(value, numbers.Integral) and int(value) != int(number):
        raise ValueError(
            f"{where}: {name} must be an integer that a float holds exactly (up to 2**53, or a "
            f"multiple of a power of two), got {short(value)}"
        )
    return number


def exact_floats(where: str, name: str, array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return an array of numbers as floats, each of them as `exact_float` does."""
    if array.dtype.kind in "iu":
        # Only integers beyond 2**53 can change; `min` and `max` cannot overflow as `abs` can.
        if array.size and (array.max() > LARGEST_EXACT or array.min() < -LARGEST_EXACT):
            for entry in array.flat:
                exact_float(where, name, int(entry))
        return array.astype(np.float64)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        return array.astype(np.float64)
    numbers_ = [exact_float(where, name, entry) for entry in array.flat]
    return np.array(numbers_, dtype=np.float64).reshape(array.shape)


def short(value: Any) -> str:
    """Return a number as text, also one of thousands of digits."""
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        fraction = Fraction(int(value.numerator), int(value.denominator))
        bits = abs(fraction.numerator).bit_length() - fraction.denominator.bit_length()
        if max(abs(fraction.numerator), fraction.denominator).bit_length() > 200:
            return f"about {'-' if fraction < 0 else ''}2**{bits}"
        return str(fraction)
    return repr(value)


# --- sizes -------------------------------------------------------------------------------------


def limit(where: str, what: str, size: int, most: int, instead: str = "") -> None:
    """Refuse work of more than `most` steps or entries before it starts.

    `size` is a Python integer, so that it cannot overflow.
    """
    if int(size) > most:
        hint = f"; {instead}" if instead else ""
        raise ValueError(f"{where}: {what} must be at most {most}, got {short(size)}{hint}")


# --- labels ------------------------------------------------------------------------------------


def is_pandas(value: Any) -> bool:
    """Tell whether `value` is a Series or a DataFrame (asked without pandas)."""
    return hasattr(value, "to_numpy") and hasattr(value, "index")


def positions(where: str, name: str, value: Any) -> Any:
    """Return `value`; refuse a Series or a table whose labels are not its positions 0, 1, ....

    A function that takes numbers by position would give them to others than those they belong to.
    """
    if isinstance(value, (list, tuple)):
        for entry in value:
            if is_pandas(entry):
                positions(where, name, entry)
        return value
    if not is_pandas(value):
        return value
    axes = [("index", value.index)]
    if hasattr(value, "columns"):
        axes.append(("columns", value.columns))
    for axis, labels in axes:
        if list(labels) != list(range(len(labels))):
            remedy = f"{axis}=categories" if len(axes) > 1 else "categories"
            raise ValueError(
                f"{where}: {name} is read by position, so its {axis} must be 0, 1, ..., "
                f"{len(labels) - 1} in order, got {_few(labels)}; pass "
                f"{name}.reindex({remedy}, fill_value=0).to_numpy() in the order that you mean"
            )
    return value


def square_labels(where: str, name: str, value: Any) -> Any:
    """Return the labels of a square table or graph, ``None`` if it has none.

    Both axes must have the same distinct labels in the same order. Labels that are the numbers
    0 to n - 1 in another order are refused: a result by position would be read by label.
    """
    if is_pandas(value):
        rows = list(value.index)
        columns = list(getattr(value, "columns", value.index))
        if rows != columns or len(set(rows)) != len(rows):
            raise ValueError(
                f"{where}: {name} must have the same distinct labels on both axes, in the same "
                f"order, got {_few(rows)} and {_few(columns)}; pass "
                f"{name}.reindex(index=labels, columns=labels, fill_value=0)"
            )
        remedy = f"{name}.sort_index().sort_index(axis=1)"
    elif hasattr(value, "nodes") and hasattr(value, "edges"):
        rows = list(value.nodes)
        remedy = f"networkx.to_numpy_array({name}, nodelist=sorted({name}))"
    else:
        return None
    # What is no number cannot be a position; True and False can, as 1 and 0.
    numeric = all(isinstance(label, (numbers.Real, np.bool_)) for label in rows)
    if numeric and rows != list(range(len(rows))) and sorted(rows) == list(range(len(rows))):
        raise ValueError(
            f"{where}: {name} is read by position, so its labels 0 to {len(rows) - 1} must be in "
            f"order, got {_few(rows)}; pass {remedy}"
        )
    return rows


def same_states(where: str, matrices: dict[str, Any]) -> Any:
    """Return the labels of square tables and graphs by name, ``None`` if nobody has labels.

    They are read by position, so their labels must be the same, in the same order.
    """
    labels = {name: square_labels(where, name, matrix) for name, matrix in matrices.items()}
    labels = {name: states for name, states in labels.items() if states is not None}
    first = next(iter(labels), "")
    for name, states in labels.items():
        if states != labels[first]:
            if is_pandas(matrices[name]):
                remedy = f"{name}.loc[states, states]"
            else:
                remedy = f"networkx.to_numpy_array({name}, nodelist=states)"
            raise ValueError(
                f"{where}: {name} must have the same labels as {first}, in the same order, got "
                f"{_few(states)} and {_few(labels[first])}; pass {remedy} with "
                f"states = list({first})"
            )
    return labels.get(first)


def same_records(where: str, **tables: Any) -> None:
    """Refuse tables of the same records (X and y, say) whose pandas indices differ."""
    indices = {name: list(table.index) for name, table in tables.items() if is_pandas(table)}
    first = next(iter(indices), "")
    for second, index in indices.items():
        if index != indices[first]:
            # The labels are not shown: they may be the names of people.
            raise ValueError(
                f"{where}: {first} and {second} must have the same index in the same order; pass "
                f"{second}.loc[{first}.index]"
            )


def _few(labels: Any) -> str:
    """Return the first labels as text."""
    shown = [repr(label) for label in list(labels)[:4]]
    return f"[{', '.join([*shown, '...'] if len(labels) > 4 else shown)}]"


# --- ownership ---------------------------------------------------------------------------------


def owned(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a copy that nobody can write to, for a model that must not change."""
    copy = np.array(array)
    copy.setflags(write=False)
    return copy


class Rebuilt:
    """Base of frozen dataclasses whose copies and pickles are made by the constructor.

    What `copy` and `pickle` would make by themselves has arrays that can be written to.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = {entry.name: getattr(self, entry.name) for entry in fields(cast(Any, self))}
        return _rebuild, (type(self), arguments)


def _rebuild(kind: Any, arguments: dict[str, Any]) -> Any:
    """Return an object of this kind."""
    return kind(**arguments)


class OwnsArrays(Rebuilt):
    """Base of frozen dataclasses whose arrays are their own: copied, and not to be written to."""

    def __post_init__(self) -> None:
        for entry in fields(cast(Any, self)):
            value = getattr(self, entry.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, entry.name, owned(value))
