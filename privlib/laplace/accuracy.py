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

**No noise** is the limit :math:`\varepsilon = \infty`, and what a query that depends on no record
(:math:`\Delta = 0`) needs: both are taken everywhere, with the scale 0 and no error.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from privlib import _checks as checks
from privlib._checks import FloatArray

Result = np.float64 | FloatArray

NORMS = ("l1", "linf")


def error_probability(
    tolerance: npt.ArrayLike,
    *,
    epsilon: npt.ArrayLike,
    sensitivity: npt.ArrayLike,
    dimension: npt.ArrayLike = 1,
    norm: str = "l1",
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

    Returns
    -------
    float or ndarray, shape (...)
        The probability, of the broadcast shape.

    Raises
    ------
    ValueError
        `tolerance` or `sensitivity` is negative, `epsilon` is not positive, `dimension` is not at
        least 1, a number other than `epsilon` is not finite, or `norm` is unknown.
    TypeError
        An argument does not hold numbers, or `dimension` does not hold integers.

    Notes
    -----
    The regularised incomplete Gamma function for the 1-norm. For the largest error
    ``-expm1(d * log1p(-exp(-t)))`` keeps the digits of small probabilities.
    The law is that of real arithmetic; `privlib.laplace.discrete` is about floating point.

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
    a = checks.non_negatives(where, "tolerance", tolerance)
    scale = _scale(where, epsilon, sensitivity)
    d = _dimension(where, dimension, norm)
    with np.errstate(over="ignore", divide="ignore"):  # t = inf: probability 0; log(0): 1
        t = np.where(scale > 0, a / np.where(scale > 0, scale, 1.0), np.inf)
        all_within = d * np.log1p(-np.exp(-t))  # a logarithm
        p: Result = special.gammaincc(d, t) if norm == "l1" else -np.expm1(all_within)
    return p


def tolerance_for(
    delta: npt.ArrayLike,
    *,
    epsilon: npt.ArrayLike,
    sensitivity: npt.ArrayLike,
    dimension: npt.ArrayLike = 1,
    norm: str = "l1",
) -> Result:
    r"""Return the tolerance that the error exceeds with a given probability.

    Parameters
    ----------
    delta : array_like, shape (...)
        Probability that the error is larger, in (0, 1].
    epsilon, sensitivity, dimension, norm
        The noise and the error, see `error_probability`.

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
        An argument does not hold numbers, or `dimension` does not hold integers.

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
    p = checks.reals(where, "delta", delta, "in (0, 1]", lambda x: (x > 0) & (x <= 1))
    scale = _scale(where, epsilon, sensitivity)
    d = _dimension(where, dimension, norm)
    return checks.reals(where, "the result", scale * _quantile(p, d, norm))[()]


def epsilon_for(
    tolerance: npt.ArrayLike,
    delta: npt.ArrayLike,
    *,
    sensitivity: npt.ArrayLike,
    dimension: npt.ArrayLike = 1,
    norm: str = "l1",
) -> Result:
    r"""Return the smallest epsilon with which the error exceeds a tolerance rarely enough.

    Parameters
    ----------
    tolerance : array_like, shape (...)
        Error that is tolerated, positive.
    delta : array_like, shape (...)
        Probability that the error may exceed it, in (0, 1).
    sensitivity, dimension, norm
        The query and the error, see `error_probability`.

    Returns
    -------
    float or ndarray, shape (...)
        The level of privacy, of the broadcast shape.

    Raises
    ------
    ValueError
        `tolerance` is not positive, `delta` is not in (0, 1) (at 1 every epsilon would do),
        another argument is out of its range, or the epsilon is not finite.
    TypeError
        An argument does not hold numbers, or `dimension` does not hold integers.

    Notes
    -----
    The error is ``sensitivity / epsilon`` times a variable that knows neither, so
    ``epsilon = sensitivity * t(delta) / tolerance`` is exact; 0 where the sensitivity is 0, since
    every epsilon will do there.

    Examples
    --------
    An error of 0.01 at most in 95 of 100 answers, for the mean of 1000 numbers in [0, 1]:

    >>> float(epsilon_for(0.01, 0.05, sensitivity=1 / 1000).round(4))
    0.2996
    """
    where = "epsilon_for"
    a = checks.positives(where, "tolerance", tolerance)
    p = checks.reals(where, "delta", delta, "in (0, 1)", lambda x: (x > 0) & (x < 1))
    size = checks.non_negatives(where, "sensitivity", sensitivity)
    d = _dimension(where, dimension, norm)
    with np.errstate(over="ignore"):
        return checks.reals(where, "the result", size / a * _quantile(p, d, norm))[()]


# ---------------------------------------------------------------------------------------------


def _quantile(p: FloatArray, d: checks.IntArray, norm: str) -> FloatArray:
    """Return t with Pr(error > t * scale) = p."""
    if norm == "l1":
        return np.asarray(special.gammainccinv(d, p), dtype=np.float64)
    with np.errstate(divide="ignore"):  # p = 1: log(0), t = 0
        within = np.log1p(-p) / d  # logarithm of (1 - p)**(1/d)
        small, large = -np.log(-np.expm1(within)), -np.log1p(-np.exp(within))
    return np.asarray(np.where(within < -np.log(2), large, small), dtype=np.float64)


def _scale(where: str, epsilon: npt.ArrayLike, sensitivity: npt.ArrayLike) -> FloatArray:
    """Return the scale of the noise, 0 for none; refuse what over- or underflows."""
    size = checks.non_negatives(where, "sensitivity", sensitivity)
    level, endless = np.array(epsilon), np.asarray(epsilon) == np.inf
    level[endless] = 1
    with np.errstate(over="ignore"):
        scale = size / checks.positives(where, "epsilon", level) * ~endless
    ratio, none = "sensitivity / epsilon", endless | (size == 0)
    return checks.reals(where, ratio, scale, "positive", lambda s: none | (s > 0))


def _dimension(where: str, dimension: npt.ArrayLike, norm: str) -> checks.IntArray:
    """Return the dimension as an integer array, after a look at the norm."""
    checks.choice(where, "norm", norm, NORMS)
    return checks.integers(where, "dimension", dimension, low=1)
