r"""How far a Laplace answer is from the true one: exact, in every dimension.

Let :math:`r` have *d* independent coordinates :math:`\mathrm{Lap}(R)`,
:math:`R = \Delta / \varepsilon`, and put :math:`t = a / R` for a tolerance *a*. A coordinate has
:math:`\Pr(|r_i| > a) = e^{-t}`, so :math:`|r_i| / R` is a standard exponential variable.

**Sum of absolute errors.** :math:`\|r\|_1 / R` is a sum of *d* exponentials, Gamma(*d*):

.. math:: \Pr(\|r\|_1 > a) = Q(d, t) = e^{-t} \sum_{j < d} \frac{t^j}{j!} .

**Largest absolute error.** The coordinates are independent:

.. math:: \Pr(\|r\|_\infty > a) = 1 - (1 - e^{-t})^d .

Both depend on *a*, :math:`\varepsilon` and :math:`\Delta` through
:math:`t = a \varepsilon / \Delta` alone. So one inverse :math:`t(\delta)` gives the tolerance
:math:`R\,t(\delta)` for an :math:`\varepsilon`, and the
:math:`\varepsilon = \Delta\,t(\delta) / a` for a tolerance.

**The printed theorem** has :math:`t(\delta) = \ln(1/\delta)`. That is exact for one number and
for each coordinate. For *d* = 2 and the 1-norm the probability at
:math:`\delta = 1/e` is :math:`2/e`, twice what the theorem would allow: it does not extend.

A *tolerance* is always an error of the answer, in the units of the query.

**Rounding.** `tolerance_for` and `epsilon_for` round up until `error_probability`, asked at what
they return, is at most :math:`\delta`. `error_probability` itself is computed a second time: for
the sum by the series

.. math:: Q(d, t) = \frac{t^{d-1} e^{-t}}{(d-1)!} \Bigl( 1 + \frac{d-1}{t}
          + \frac{(d-1)(d-2)}{t^2} + \cdots \Bigr), \qquad
          1 - Q(d, t) = \frac{t^d e^{-t}}{d!} \Bigl( 1 + \frac{t}{d+1} + \cdots \Bigr),

the first for :math:`t \ge d`, for the largest error as :math:`I_x(1, d)` with
:math:`x = e^{-t}`, the distribution function of the least of *d* uniform numbers. If the risk were
below that by more than a part in :math:`10^9`, nothing is returned.

**No noise** is the limit :math:`\varepsilon = \infty`, and what a query that depends on no record
(:math:`\Delta = 0`) needs: both are taken everywhere, with the scale 0 and no error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray, IntArray
from privlib.laplace._answers import together

Result = np.float64 | FloatArray

NORMS = ("l1", "linf")

LARGEST_DIMENSION = 10**9
"""Beyond it the series that checks the 1-norm would take minutes."""

LEAST = sys.float_info.min  # floats below have lost digits


def error_probability(
    tolerance: npt.ArrayLike,
    *,
    epsilon: npt.ArrayLike,
    sensitivity: npt.ArrayLike,
    dimension: npt.ArrayLike = 1,
    norm: str = "l1",
    certify: bool = True,
) -> Result:
    r"""Return the probability that the error of a Laplace answer exceeds a tolerance.

    Parameters
    ----------
    tolerance : array_like, shape (...)
        Error that is tolerated, at least 0, in the units of the query.
    epsilon : array_like, shape (...)
        Level of privacy, positive; infinite for no noise.
    sensitivity : array_like, shape (...)
        :math:`L_1` sensitivity of the query, at least 0; the noise has the scale
        ``sensitivity / epsilon``. All array arguments broadcast.
    dimension : array_like of int, shape (...)
        Number of coordinates of the answer.
    norm : {"l1", "linf"}
        The error is the sum, or the largest, of the absolute errors of the coordinates.
    certify : bool
        Compute the probability a second time. ``False`` saves about the time of the first
        computation for a few coordinates, and up to 15 times of it for thousands.

    Returns
    -------
    float or ndarray, shape (...)
        The probability, of the broadcast shape.

    Raises
    ------
    ValueError
        `tolerance` or `sensitivity` is negative, `epsilon` is not positive, `dimension` is not at
        least 1, a number other than `epsilon` is not finite, the scale is not in the range of
        normal floats, or `norm` is unknown. With the 1-norm: `dimension` is above 10**9.
    TypeError
        An argument does not hold numbers or is masked, `dimension` does not hold integers, or
        `certify` is neither True nor False.
    UncertifiedError
        A second computation gives a larger probability.

    Notes
    -----
    The regularised incomplete Gamma function for the 1-norm. For the largest error
    ``-expm1(d * log1p(-exp(-t)))`` keeps the digits of small probabilities.
    The probabilities are those of real arithmetic; `privlib.laplace.discrete` is about floating
    point.

    References
    ----------
    Study note, chapter 8, the theorem on accuracy.

    Examples
    --------
    The note's example, the mean of 1000 numbers in [0, 1] with epsilon 0.001, and two numbers:

    >>> float(error_probability(1, epsilon=0.001, sensitivity=1 / 1000).round(4))
    0.3679
    >>> error_probability([1, 3], epsilon=1, sensitivity=1, dimension=2).round(4)
    array([0.7358, 0.1991])
    """
    where = "error_probability"
    certify = checks.flag(where, "certify", certify)
    a = checks.non_negatives(where, "tolerance", tolerance)
    scale = _scale(where, epsilon, sensitivity)
    d = _dimension(where, dimension, norm)
    together(where, tolerance=a, scale=scale, dimension=d)
    risk = _risk(a, scale, d, norm)
    if certify:
        _certify_risk(where, risk, a, scale, d, norm)
    return risk[()]


def tolerance_for(
    delta: npt.ArrayLike,
    *,
    epsilon: npt.ArrayLike,
    sensitivity: npt.ArrayLike,
    dimension: npt.ArrayLike = 1,
    norm: str = "l1",
    certify: bool = True,
) -> Result:
    r"""Return the tolerance that the error exceeds with a given probability.

    Parameters
    ----------
    delta : array_like, shape (...)
        Probability that the error is larger, in (0, 1].
    epsilon : array_like, shape (...)
        Level of privacy, positive; infinite for no noise.
    sensitivity : array_like, shape (...)
        :math:`L_1` sensitivity of the query, at least 0. All array arguments broadcast.
    dimension : array_like of int, shape (...)
        Number of coordinates of the answer, at least 1.
    norm : {"l1", "linf"}
        The error is the sum, or the largest, of the absolute errors of the coordinates.
    certify : bool
        Compute the probability a second time. ``False`` saves about the time of the first
        computation for a few coordinates, and up to 15 times of it for thousands.

    Returns
    -------
    float or ndarray, shape (...)
        The tolerance, of the broadcast shape.

    Raises
    ------
    ValueError
        `delta` is not in (0, 1], another argument is out of its range, or the tolerance is not
        finite.
    TypeError
        An argument does not hold numbers or is masked, `dimension` does not hold integers, or
        `certify` is neither True nor False.
    UncertifiedError
        A second computation gives a probability above `delta`.

    Notes
    -----
    For the largest error :math:`t = -\ln(1 - (1 - \delta)^{1/d})`, at most
    :math:`\ln(d / \delta)`, the union bound. For the 1-norm *t* is the quantile of Gamma(*d*), at
    most :math:`d + \sqrt{2 d \ln(1/\delta)} + \ln(1/\delta)`. A `delta` so close to 1 that
    ``1 - delta`` has lost its digits gives a tolerance that has lost as many.

    References
    ----------
    Study note, chapter 8, the theorem on accuracy.

    Examples
    --------
    >>> tolerance_for(0.05, epsilon=1, sensitivity=1, dimension=[1, 2, 5, 10]).round(3)
    array([ 2.996,  4.744,  9.154, 15.705])
    >>> tolerance_for(0.05, epsilon=1, sensitivity=1, dimension=[1, 2, 5, 10], norm="linf").round(3)
    array([2.996, 3.676, 4.585, 5.275])
    """
    where = "tolerance_for"
    certify = checks.flag(where, "certify", certify)
    p = checks.reals(where, "delta", delta, "in (0, 1]", lambda x: (x > 0) & (x <= 1))
    scale = _scale(where, epsilon, sensitivity)
    d = _dimension(where, dimension, norm)
    together(where, delta=p, scale=scale, dimension=d)
    with np.errstate(over="ignore"):
        first = np.asarray(scale * _quantile(p, d, norm))
    first = checks.reals(where, "the result", first)
    a = _raised(where, first, p, lambda tolerance: _risk(tolerance, scale, d, norm))
    if certify:
        _certify_risk(where, p, a, scale, d, norm)
    return a[()]


def epsilon_for(
    tolerance: npt.ArrayLike,
    delta: npt.ArrayLike,
    *,
    sensitivity: npt.ArrayLike,
    dimension: npt.ArrayLike = 1,
    norm: str = "l1",
    certify: bool = True,
) -> Result:
    r"""Return the smallest epsilon with which the error exceeds a tolerance rarely enough.

    Parameters
    ----------
    tolerance : array_like, shape (...)
        Error that is tolerated, positive.
    delta : array_like, shape (...)
        Probability that the error may exceed it, in (0, 1).
    sensitivity : array_like, shape (...)
        :math:`L_1` sensitivity of the query, at least 0. All array arguments broadcast.
    dimension : array_like of int, shape (...)
        Number of coordinates of the answer, at least 1.
    norm : {"l1", "linf"}
        The error is the sum, or the largest, of the absolute errors of the coordinates.
    certify : bool
        Compute the probability a second time. ``False`` saves about the time of the first
        computation for a few coordinates, and up to 15 times of it for thousands.

    Returns
    -------
    float or ndarray, shape (...)
        The level of privacy, of the broadcast shape.

    Raises
    ------
    ValueError
        `tolerance` is not positive, `delta` is not in (0, 1) (at 1 every epsilon would do),
        another argument is out of its range, or the epsilon or its scale is out of the range of
        floats.
    TypeError
        An argument does not hold numbers or is masked, `dimension` does not hold integers, or
        `certify` is neither True nor False.
    UncertifiedError
        A second computation gives a probability above `delta`.

    Notes
    -----
    The error is ``sensitivity / epsilon`` times a variable that knows neither, so
    ``epsilon = sensitivity * t(delta) / tolerance`` is exact, and rounded up; 0 where the
    sensitivity is 0, since every epsilon will do there.

    Examples
    --------
    An error of 0.01 at most in 95 of 100 answers, for the mean of 1000 numbers in [0, 1]:

    >>> float(epsilon_for(0.01, 0.05, sensitivity=1 / 1000).round(4))
    0.2996
    """
    where = "epsilon_for"
    certify = checks.flag(where, "certify", certify)
    a = checks.positives(where, "tolerance", tolerance)
    p = checks.reals(where, "delta", delta, "in (0, 1)", lambda x: (x > 0) & (x < 1))
    size = checks.non_negatives(where, "sensitivity", sensitivity)
    d = _dimension(where, dimension, norm)
    together(where, tolerance=a, delta=p, sensitivity=size, dimension=d)
    with np.errstate(over="ignore"):
        first = np.asarray(size / a * _quantile(p, d, norm))
    first = checks.reals(where, "the result", first)
    noisy = np.broadcast_to(size > 0, first.shape)

    def risk(level: FloatArray) -> FloatArray:
        return _risk(a, _scale(where, np.where(noisy, level, 1.0), size), d, norm)

    epsilon = _raised(where, first, p, risk)
    scale = _scale(where, np.where(noisy, epsilon, 1.0), size)
    if certify:
        _certify_risk(where, p, a, scale, d, norm)
    return epsilon[()]


# --- the two distributions --------------------------------------------------------------------


def _risk(a: FloatArray, scale: FloatArray, d: IntArray, norm: str) -> FloatArray:
    """Return Pr(error > a) for noise of a scale, 0 for none."""
    t = _in_scales(a, scale)
    if norm == "l1":
        return np.asarray(special.gammaincc(d, t), dtype=np.float64)
    with np.errstate(divide="ignore"):  # t = 0: log(0), probability 1
        all_within = d * np.log1p(-np.exp(-t))  # a logarithm
    # Where exp(-t) loses its digits the union bound is exact to the last digit.
    union = np.exp(np.log(d) - t)
    return np.asarray(np.where(t > 600, union, -np.expm1(all_within)), dtype=np.float64)


def _in_scales(a: FloatArray, scale: FloatArray) -> FloatArray:
    """Return t = a / scale, infinite where there is no noise."""
    with np.errstate(over="ignore"):
        return np.asarray(np.where(scale > 0, a / np.where(scale > 0, scale, 1.0), np.inf))


def _quantile(p: FloatArray, d: IntArray, norm: str) -> FloatArray:
    """Return t with Pr(error > t * scale) = p."""
    if norm == "l1":
        return np.asarray(special.gammainccinv(d, p), dtype=np.float64)
    with np.errstate(divide="ignore"):  # p = 1: log(0), t = 0
        within = np.log1p(-p) / d  # logarithm of (1 - p)**(1/d)
        small = -np.log(-np.expm1(within))
        large = -np.log1p(-np.exp(within))
    t = np.where(within < -np.log(2), large, small)
    # Where log1p(-p) / d loses its digits the union bound is exact to the last digit.
    return np.asarray(np.where(p < 1e-290, np.log(d) - np.log(p), t), dtype=np.float64)


def _raised(
    where: str, value: FloatArray, p: FloatArray, risk: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Return `value`, raised by as few units in the last place as make its risk at most `p`."""
    result = np.array(value)
    for doubling in range(53):
        above = risk(result) > p
        if not above.any():
            return result
        step = np.spacing(value) * 2.0**doubling
        result = checks.reals(where, "the result", np.where(above, value + step, result))
    raise _safety.UncertifiedError(f"{where}: no result was found whose risk is at most delta")


# --- the second computation --------------------------------------------------------------------


def _certify_risk(
    where: str, promised: FloatArray, a: FloatArray, scale: FloatArray, d: IntArray, norm: str
) -> None:
    """Refuse a promised risk that is below the one that another formula gives."""
    t = _in_scales(a, scale)
    if norm == "linf":
        probability = np.where(t > 300, np.exp(np.log(d) - t), special.betainc(1.0, d, np.exp(-t)))
    else:
        probability = _poisson_sum(*np.broadcast_arrays(t, d))
    # Probabilities below the normal floats have lost their digits in both computations.
    _safety.certify(where, "the probability of the error", probability, promised, unit=LEAST)


def _poisson_sum(t: FloatArray, d: IntArray) -> FloatArray:
    """Return Q(d, t) by the series of the module, term by term."""
    shape = t.shape
    t = np.ravel(t).astype(np.float64)
    size = np.ravel(d).astype(np.float64)
    result = np.where(t < np.inf, 1.0, 0.0)
    upper = (t >= size) & (t < np.inf)
    lower = (t > 0) & (t < size)
    # t**d e**-t / d!, and one factor d / t of it for the sum from d - 1 down.
    first = np.zeros(t.size)
    inside = upper | lower
    first[inside] = np.exp(_log_term(t[inside], size[inside]))
    down = _series(t[upper], size[upper], downwards=True)
    result[upper] = first[upper] * (size[upper] / t[upper]) * down
    result[lower] = 1.0 - first[lower] * _series(t[lower], size[lower], downwards=False)
    return np.minimum(result, 1.0).reshape(shape)


def _log_term(t: FloatArray, d: FloatArray) -> FloatArray:
    """Return log(t**d e**-t / d!) without the cancellation of large d."""
    u = np.maximum((t - d) / d, -1 + 2.0**-53)  # -1 where t is lost beside d: the sum is 1
    # Stirling: log d! = d log d - d + log(2 pi d) / 2 + the correction.
    correction = 1 / (12 * d) - 1 / (360 * d**3) + 1 / (1260 * d**5) - 1 / (1680 * d**7)
    by_stirling = -d * (u - np.log1p(u)) - np.log(2 * np.pi * d) / 2 - correction
    with np.errstate(divide="ignore"):
        direct = d * np.log(t) - t - special.gammaln(d + 1)
    return np.asarray(np.where(d < 20, direct, by_stirling))


def _series(t: FloatArray, d: FloatArray, *, downwards: bool) -> FloatArray:
    """Return 1 + (d-1)/t + (d-1)(d-2)/t**2 + ..., or 1 + t/(d+1) + t**2/((d+1)(d+2)) + ...."""
    total = np.ones(t.size)
    term = np.ones(t.size)
    active = np.arange(t.size)
    k = 1.0
    while active.size:
        one = t[active]
        size = d[active]
        ratio = np.maximum(size - k, 0.0) / one if downwards else one / (size + k)
        term[active] *= ratio
        total[active] += term[active]
        active = active[term[active] > 2.0**-60 * total[active]]
        k += 1.0
    return total


# --- arguments ---------------------------------------------------------------------------------


def _scale(where: str, epsilon: npt.ArrayLike, sensitivity: npt.ArrayLike) -> FloatArray:
    """Return the scale of the noise, 0 for none; refuse what over- or underflows."""
    size = checks.non_negatives(where, "sensitivity", sensitivity)
    _safety.positions(where, "epsilon", epsilon)
    level, endless = _finite_levels(where, epsilon)
    together(where, epsilon=level, sensitivity=size)
    with np.errstate(over="ignore"):
        scale = size / level * ~endless
    ratio = "sensitivity / epsilon"
    none = endless | (size == 0)
    rule = f"positive and at least {LEAST:.4g}, the least float with all its digits"
    return checks.reals(where, ratio, scale, rule, lambda s: none | (s >= LEAST))


def _finite_levels(where: str, epsilon: Any) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return the levels, 1 in place of the infinite ones, and which of them are infinite."""
    checks.not_masked(where, "epsilon", epsilon)
    try:
        level = np.array(epsilon)
    except ValueError:
        level = None
    odd = level is None or level.dtype.kind == "V" or hasattr(epsilon, "toarray")
    if level is None or odd:  # the check says what is wrong with it
        return checks.positives(where, "epsilon", epsilon), np.zeros((), dtype=np.bool_)
    endless = np.asarray(level == np.inf)
    level[endless] = 1
    return checks.positives(where, "epsilon", level), endless


def _dimension(where: str, dimension: npt.ArrayLike, norm: str) -> IntArray:
    """Return the dimension as an integer array, after a look at the norm."""
    checks.choice(where, "norm", norm, NORMS)
    d = checks.integers(where, "dimension", dimension, low=1)
    if norm == "l1" and d.size:
        _safety.limit(where, "dimension", int(d.max()), LARGEST_DIMENSION)
    return d
