r"""Levels of privacy in sixty decimals, and their rounding to the safe side.

A sign that is negated with probability *q* has the level :math:`\ln \frac{1-q}{q}`. Both *q* and
the level are doubles in the end, so one of the two must be rounded. Here *q* is rounded up, and a
level is rounded up: what is drawn never tells more than what is stated. Python's decimals have
correctly rounded `exp` and `ln`, so that the results are the same on every machine.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

_LONG = Context(prec=60)
_LARGEST = 800
"""Beyond this exponent :math:`1/(1 + e^x)` is below the smallest positive double."""


def exact_level(odds: Fraction, signs: int) -> Decimal:
    """Return the level of so many signs, each kept with the given odds to being negated."""
    ratio = _LONG.divide(Decimal(odds.numerator), Decimal(odds.denominator))
    return _LONG.multiply(_LONG.ln(ratio), Decimal(signs))


def rounded_up(value: Decimal) -> float:
    """Return the least double that is not below `value`."""
    number = float(value)
    if Decimal(number) < value:
        number = math.nextafter(number, math.inf)
    return number


def least_flip(epsilon: float, signs: int) -> float:
    """Return the least double *q* with ``signs * ln((1 - q) / q)`` at most `epsilon`, finite."""
    exponent = _LONG.divide(Decimal(epsilon), Decimal(signs))
    exponent = min(exponent, Decimal(_LARGEST))
    odds = _LONG.exp(exponent)
    return rounded_up(_LONG.divide(Decimal(1), _LONG.add(Decimal(1), odds)))
