"""Checks of arguments that every part shares.

Each takes the name of the public function first, so that the message says where, what and
why: ``bdp_leakage: scale must be a positive finite number, got -1``. What only one part needs
(a precision matrix, a joint distribution) lives in that part's ``_validation.py``.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np


def real(where: str, name: str, value: Any) -> float:
    """Return `value` as a finite float, else raise ``TypeError`` or ``ValueError``."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (numbers.Real, np.number)):
        raise TypeError(f"{where}: {name} must be a real number, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{where}: {name} must be finite, got {value!r}")
    return number


def positive(where: str, name: str, value: Any) -> float:
    """Return `value` as a positive finite float."""
    number = real(where, name, value)
    if number <= 0:
        raise ValueError(f"{where}: {name} must be positive, got {value!r}")
    return number


def non_negative(where: str, name: str, value: Any) -> float:
    """Return `value` as a non-negative finite float."""
    number = real(where, name, value)
    if number < 0:
        raise ValueError(f"{where}: {name} must not be negative, got {value!r}")
    return number


def probability(where: str, name: str, value: Any) -> float:
    """Return `value` as a float in [0, 1]."""
    number = real(where, name, value)
    if not 0 <= number <= 1:
        raise ValueError(f"{where}: {name} must be a probability in [0, 1], got {value!r}")
    return number


def integer(
    where: str, name: str, value: Any, *, low: int | None = None, high: int | None = None
) -> int:
    """Return `value` as an int in ``low..high`` (both inclusive, ``None``: no bound)."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{where}: {name} must be an integer, got {value!r}")
    number = int(value)
    if (low is not None and number < low) or (high is not None and number > high):
        span = f"in {low}..{high}" if high is not None else f"at least {low}"
        raise ValueError(f"{where}: {name} must be {span}, got {value!r}")
    return number


def generator(where: str, value: Any) -> np.random.Generator:
    """Return `value` if it is a ``numpy.random.Generator``; seeds and global state are refused."""
    if not isinstance(value, np.random.Generator):
        raise TypeError(
            f"{where}: rng must be a numpy.random.Generator (numpy.random.default_rng(seed)), "
            f"got {value!r}"
        )
    return value


def choice(where: str, name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return `value` if it is one of the words `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{where}: {name} must be one of {', '.join(allowed)}, got {value!r}")
    return value
