r"""Levels down, risks up: exact numbers as floats on the safe side, and a second route to ratios.

A level *k* promises a risk of at most 1/*k*, so what is printed of it must not be larger; a risk or
an :math:`\varepsilon` must not be smaller. Numbers that are known exactly, as fractions, are
rounded once, by `float_down` or `float_up`; logarithms and exponentials have some 60 digits before
they are.

The extremes of the ratios :math:`R_{uv}(a) = A[u][a]/A[v][a]` decide every level.
`privlib.disclosure.ratios` divides; here they are found a second time by subtraction of logarithms
(`log_extremes`), which neither under- nor overflow, to see that no ratio was lost.
"""

from __future__ import annotations

import importlib
import math
from fractions import Fraction
from typing import Any

import numpy as np

from privlib import _safety
from privlib._checks import Array, FloatArray, Number

# What other folders of the package may use; the rest is for this part.
__all__ = ["as_given", "certify_level", "exp_down", "float_down", "float_up"]

DIGITS = 60
FARTHEST = 10**6
"""Where the exponential of minus epsilon counts as 0: no level below shows the difference."""


def float_down(number: Number) -> float:
    """Return the largest float that is not above a number.

    Parameters
    ----------
    number : int, Fraction or float
        A number; a float comes back as it is.

    Returns
    -------
    float
        The number or the float below it: the largest float for what is larger, minus infinity for
        what is less than the least float.

    Examples
    --------
    >>> float_down(Fraction(1, 2)), float_down(Fraction(1, 3)) <= Fraction(1, 3)
    (0.5, True)
    """
    return _float(number, -math.inf)


def float_up(number: Number) -> float:
    """Return the least float that is not below a number.

    Parameters
    ----------
    number : int, Fraction or float
        A number; a float comes back as it is.

    Returns
    -------
    float
        The number or the float above it: infinity for what is more than the largest float.

    Examples
    --------
    >>> float_up(Fraction(1, 3)) >= Fraction(1, 3)
    True
    >>> float_up(10**400)
    inf
    """
    return _float(number, math.inf)


def _float(number: Number, side: float) -> float:
    if isinstance(number, float):
        return number
    try:
        value = float(number)
    except OverflowError:  # an integer or a fraction beyond the floats
        value = math.inf if number > 0 else -math.inf
    wrong = value < number if side > 0 else value > number
    value = math.nextafter(value, side) if wrong else value
    return value + 0.0  # -0.0 is 0


def as_given(number: Fraction, *, exact: bool, up: bool = False) -> Number:
    """Return an exact number for exact input, else a float on the safe side.

    Parameters
    ----------
    number : Fraction
        The number that was computed.
    exact : bool
        Whether the input was rational.
    up : bool, optional
        Whether the safe side is above, as for a risk; else it is below, as for a level.

    Returns
    -------
    Fraction or float
        `number` itself, or the next float on the safe side.

    Examples
    --------
    >>> as_given(Fraction(1, 3), exact=True)
    Fraction(1, 3)
    >>> as_given(Fraction(1, 3), exact=False) < Fraction(1, 3)
    True
    >>> as_given(Fraction(1, 3), exact=False, up=True) > Fraction(1, 3)
    True
    """
    if exact:
        return number
    return float_up(number) if up else float_down(number)


def log_up(ratio: Fraction) -> float:
    """Return the natural logarithm of a ratio of at least 1, rounded up."""
    mp = mpmath()
    with mp.workdps(DIGITS):
        excess = mp.mpf(ratio.numerator - ratio.denominator) / ratio.denominator
        return mpf_up(mp.log1p(excess))


def amplified_up(epsilon: float, rate: Fraction) -> float:
    r"""Return :math:`\ln(1 + p (e^\varepsilon - 1))`, rounded up."""
    mp = mpmath()
    with mp.workdps(DIGITS):
        # The exponential of 1e300 has no integer part that fits a machine; beyond FARTHEST
        # ln(1 + p (e^x - 1)) is at most x + ln p + ln(1 + 1/(p e^x)), and 1e-50 covers the rest.
        p = mp.mpf(rate.numerator) / rate.denominator
        if epsilon > FARTHEST and mp.log(p) > -epsilon / 2:
            grown = mp.mpf(epsilon) + mp.log(p)
        else:
            grown = mp.log1p(p * mp.expm1(epsilon))
        return mpf_up(grown)


def exp_down(exponent: float) -> Fraction:
    """Return the exponential of a float as a fraction that is not above it, 0 if it is tiny.

    Parameters
    ----------
    exponent : float
        A finite number, such as minus an epsilon.

    Returns
    -------
    Fraction
        Not above the exponential, and less by about one part in 10^50; 0 for exponents below -10^6.

    Examples
    --------
    >>> float(exp_down(-1.0)), exp_down(-1e7)
    (0.367879, Fraction(0, 1))
    >>> exp_down(0.0) < 1
    True
    """
    if exponent < -FARTHEST:
        return Fraction(0)
    mp = mpmath()
    with mp.workdps(DIGITS):
        return to_fraction(mp.exp(exponent) * (1 - mp.mpf(10) ** -50))


def mpf_up(value: Any) -> float:
    """Return a number of mpmath that is not negative, to some 50 digits, as a float rounded up."""
    if value == 0:
        return 0.0
    if value < mpmath().mpf(2) ** -1074:
        return math.ulp(0.0)
    return float_up(to_fraction(value * (1 + mpmath().mpf(10) ** -50)))


def to_fraction(value: Any) -> Fraction:
    """Return a number of mpmath as the fraction that it is."""
    sign, mantissa, exponent, _ = value._mpf_
    whole = -int(mantissa) if sign else int(mantissa)
    unit = Fraction(2**exponent) if exponent >= 0 else Fraction(1, 2**-exponent)
    return whole * unit


def mpmath() -> Any:
    """Return the context of mpmath, which takes a moment to load."""
    return importlib.import_module("mpmath").mp


def exact_sum(array: FloatArray) -> Fraction:
    """Return the sum of at most 2^26 floats that are not negative, without rounding."""
    mantissas, exponents = np.frexp(array)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    powers, which = np.unique(exponents, return_inverse=True)
    # In two halves, so that the sums of the integers of one exponent are exact in floats.
    high = np.bincount(which, whole >> 27, powers.size).tolist()
    low = np.bincount(which, whole & (2**27 - 1), powers.size).tolist()
    total = Fraction(0)
    for power, first, second in zip(powers.tolist(), high, low):
        total += (int(first) * 2**27 + int(second)) * Fraction(2) ** (power - 53)
    return total


def log_odds(chance: Number) -> float:
    """Return the logarithm of the odds of a probability, infinite for 0 and 1."""
    exact = Fraction(chance)
    if exact in (0, 1):
        return math.inf if exact else -math.inf
    odds = exact / (1 - exact)
    return math.log(odds.numerator) - math.log(odds.denominator)


# --- ratios, a second time ---------------------------------------------------------------------


def logarithms(A: Array) -> FloatArray:
    """Return the logarithms of positive entries, also of fractions beyond the floats."""
    if A.dtype != object:
        return np.asarray(np.log(A), dtype=np.float64)
    return np.array([_logarithm(entry) for entry in A.flat]).reshape(A.shape)


def _logarithm(entry: Fraction) -> float:
    number = float(entry)
    if number > 1e-300:
        return math.log(number)
    return math.log(entry.numerator) - math.log(entry.denominator)


def log_extremes(A: Array) -> tuple[FloatArray, FloatArray]:
    """Return the logarithms of the least and the largest ratio, for all pairs of rows."""
    logs = logarithms(A)
    low = np.empty((len(A), len(A)))
    high = np.empty_like(low)
    for u, row in enumerate(logs):
        differences = row - logs
        low[u] = differences.min(axis=1)
        high[u] = differences.max(axis=1)
    return low, high


def certify_level(where: str, level: Number, again: float) -> None:
    """Raise unless the risk by a second route is at most what a level promises.

    Parameters
    ----------
    where : str
        Name of the public function, for the message.
    level : Fraction or float
        The level, at least 1, that is about to be returned.
    again : float
        The level by the second route.

    Raises
    ------
    UncertifiedError
        The risk 1/`again` is above 1/`level` by more than rounding explains, one part in 1e9.

    Examples
    --------
    >>> certify_level("pk_level", Fraction(10), 10.0)
    >>> certify_level("pk_level", Fraction(10), 9.0)
    Traceback (most recent call last):
    privlib._safety.UncertifiedError: ...
    """
    risk = math.inf if again <= 0 else 1 / again
    _safety.certify(where, "the risk 1/k", risk, 1 / float_down(level))


def sums_minus_one(A: FloatArray) -> FloatArray:
    """Return by how much the rows of a matrix of floats miss 1 in sum, to the last digit."""
    return np.array([math.fsum([*row, -1.0]) for row in A.tolist()])
