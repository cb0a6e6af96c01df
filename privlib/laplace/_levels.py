"""Levels of privacy as they are written: text and fractions exactly, floats as they are.

A float that stands for text or a fraction is rounded down, so that it never promises less privacy
than was asked for.
"""

from __future__ import annotations

import decimal
import math
import numbers
from fractions import Fraction
from typing import Any

import numpy as np

from privlib import _checks as checks

LONGEST = 4000
"""Digits of a level, or of its exponent, that are read."""


def privacy_level(where: str, name: str, value: Any) -> float:
    """Return a level as a positive float, perhaps infinite: no privacy is asked for."""
    fraction = isinstance(value, numbers.Rational) and not isinstance(value, numbers.Integral)
    if fraction or isinstance(value, (str, decimal.Decimal)):
        return float_down(exact_level(where, name, value))
    return checks.privacy_level(where, name, value)


def float_down(exact: Fraction) -> float:
    """Return the largest float that is not above a fraction within the range of floats."""
    number = float(exact)
    while Fraction(number) > exact:
        number = math.nextafter(number, 0.0)
    return number


def exact_level(where: str, name: str, value: Any) -> Fraction:
    """Return a positive, finite level exactly; a float as the decimal that is printed of it."""
    rule = f"{where}: {name} must be a positive, finite number"
    kinds = (str, numbers.Real, decimal.Decimal, np.integer, np.floating)
    if isinstance(value, checks.REFUSED) or not isinstance(value, kinds):
        raise TypeError(f"{rule}, got {checks.kind_of(value)}")
    given: Any = value
    if isinstance(value, (float, np.floating)):
        given = repr(float(value))
    elif isinstance(value, numbers.Integral):
        given = int(value)
    if isinstance(given, (str, decimal.Decimal)) and len(str(given)) > LONGEST:
        raise ValueError(f"{rule} of at most {LONGEST} characters")
    try:
        level = Fraction(_not_huge(given))
    except (ValueError, ArithmeticError):
        raise ValueError(f"{rule}, got {value!r}") from None
    except TypeError:
        raise TypeError(f"{rule}, got {checks.kind_of(value)}") from None
    if max(abs(level.numerator), level.denominator) >= 10**LONGEST:
        raise ValueError(f"{rule} whose fraction has at most {LONGEST} digits")
    if level <= 0:
        raise ValueError(f"{rule}, got {value!r}")
    number = checks.real(where, name, level)
    if number < np.finfo(np.float64).tiny:
        raise ValueError(f"{rule} that a float holds with all its digits, got {value!r}")
    return level


def _not_huge(value: Any) -> Any:
    """Refuse text such as ``1e999999999``, whose fraction would fill the memory."""
    if isinstance(value, (str, decimal.Decimal)) and "/" not in str(value):
        number = decimal.Decimal(value)
        if not number.is_finite() or (number and abs(number.adjusted()) > 400):
            raise ValueError
    return value
