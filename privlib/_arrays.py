"""Checks of arguments that all parts share: arrays of numbers that obey a rule.

A check returns the array in its working type, or names function, argument, value and rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Holds = Callable[[FloatArray], Any]

choice = checks.choice


def reals(
    where: str, name: str, value: Any, rule: str = "", holds: Holds = np.isfinite
) -> FloatArray:
    """Return `value` as a ``float64`` array of finite numbers, each of which `holds`."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{where}: {name} must be a rectangular array, got {value!r}") from error
    if array.dtype.kind == "O":
        flat = [checks.real(where, name, entry) for entry in array.flat]
        array = np.array(flat, dtype=np.float64).reshape(array.shape)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{where}: {name} must hold real numbers, got {value!r}")
    floats: FloatArray = array.astype(np.float64)
    refuse(where, name, floats, "finite", np.isfinite(floats))
    refuse(where, name, floats, rule, holds(floats))
    return floats


def refuse(where: str, name: str, array: npt.NDArray[Any], rule: str, good: Any) -> None:
    """Raise ``ValueError`` with the first entry of `array` that is not `good`."""
    bad = array[~np.asarray(good)]
    if bad.size:
        raise ValueError(f"{where}: {name} must be {rule}, got {bad.flat[0]}")


def positive(where: str, name: str, value: Any) -> FloatArray:
    """Return `value` as an array of positive numbers."""
    return reals(where, name, value, "positive", lambda x: x > 0)


def non_negative(where: str, name: str, value: Any) -> FloatArray:
    """Return `value` as an array of numbers that are not negative."""
    return reals(where, name, value, "at least 0", lambda x: x >= 0)


def integers(where: str, name: str, value: Any, *, low: int | None = None) -> IntArray:
    """Return `value` as an ``int64`` array, every entry at least `low`."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{where}: {name} must hold integers, got {value!r}")
    if array.dtype.kind == "u":
        refuse(where, name, array, "below 2**63", array < np.uint64(2**63))
    if low is not None:
        refuse(where, name, array, f"at least {low}", array >= low)
    return array.astype(np.int64)
