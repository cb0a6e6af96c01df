r"""Noise that survives floating point, and the attack on noise that does not.

**The textbook sampler.** With *U* uniform on [-1/2, 1/2), the number
:math:`-R\,\mathrm{sgn}(U) \ln(1 - 2|U|)` is :math:`\mathrm{Lap}(R)`. In double precision *U* is a
multiple of :math:`2^{-53}`, so :math:`1 - 2|U| = j / 2^{52}` with an integer *j*: only
:math:`2^{52}` magnitudes :math:`R \ln(2^{52} / j)` exist, at distances :math:`R / j` that are
irregular and, for most of them, wider than the doubles in between.

**The attack** (Mironov 2012). An answer *f* can only produce the doubles
:math:`\mathrm{fl}(f \pm r_j)`, a porous set, and the sets of two answers differ: an output that
one answer can produce and another cannot excludes the latter, whatever :math:`\varepsilon` says.
To decide if *y* can come from *f*, invert: :math:`j \approx 2^{52} e^{-|y - f| / R}`, and run the
sampler forward on the neighbours of that *j*.

**Why a few neighbours suffice.** :math:`r_j` falls with *j*, so those *j* that lead to *y* are
consecutive. The inversion is off by less than one: the relative errors of the difference, the
exponential and the logarithm are a few :math:`2^{-53} x`, :math:`x = |y - f| / R`, against
:math:`j = 2^{52} e^{-x}`, and :math:`x e^{-x} < 0.37`. Either the *j* that lead to *y* are so few
that all lie within a unit or two of the inverse, or so many that the inverse is among them.

**The discrete Laplace law** on the integers has exact probabilities

.. math:: \Pr(k) = \tanh\Bigl(\frac{1}{2R}\Bigr) e^{-|k| / R}, \qquad
          \frac{\Pr(k)}{\Pr(k - s)} = e^{(|k - s| - |k|) / R} \le e^{|s| / R},

so an integer query with :math:`L_1` sensitivity :math:`\Delta` and :math:`R = \Delta/\varepsilon`
is :math:`\varepsilon`-private with no rounding anywhere: every answer reaches every integer. It
is the law of a difference of two geometric variables. Sampling it takes exact arithmetic, which
is left to the OpenDP library. The error exceeds an integer *a* with the probability

.. math:: \Pr(|k| > a) = \frac{2 q^{a + 1}}{1 + q}, \qquad q = e^{-1/R},

which steps; `tolerance_for` inverts it. The scale 0 is the limit without noise.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks

_GRID = 2.0**52  # 1 - 2|U| is a multiple of 1 / _GRID


def pmf(k: npt.ArrayLike, scale: npt.ArrayLike) -> np.float64 | checks.FloatArray:
    r"""Return the probabilities of the discrete Laplace law.

    Parameters
    ----------
    k : array_like of int, shape (...)
        Integers.
    scale : array_like, shape (...)
        Scale, at least 0 (0: the law of the number 0); broadcasts against `k`.

    Returns
    -------
    float or ndarray, shape (...)
        The probabilities.

    Raises
    ------
    ValueError
        `scale` is negative or not finite.
    TypeError
        `k` does not hold integers or `scale` does not hold numbers.

    Notes
    -----
    Summing the two geometric series :math:`1 + 2 \sum_{k \ge 1} e^{-k/R}` gives
    :math:`\coth(1 / 2R)`.

    References
    ----------
    Ghosh, Roughgarden, Sundararajan, Universally utility-maximizing privacy mechanisms (2012).

    Examples
    --------
    >>> pmf([-1, 0, 1], 1.0).round(4)
    array([0.17  , 0.4621, 0.17  ])
    """
    size = checks.non_negatives("pmf", "scale", scale)
    distance = np.abs(checks.integers("pmf", "k", k).astype(np.float64))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # scale 0: all mass at 0
        exponent = np.where(distance == 0, 0.0, distance / size)
        return np.asarray(np.tanh(0.5 / size) * np.exp(-exponent))[()]


def error_probability(tolerance: npt.ArrayLike, scale: npt.ArrayLike) -> Any:
    r"""Return the probability that a discrete Laplace error exceeds a tolerance.

    Parameters
    ----------
    tolerance : array_like, shape (...)
        Error that is tolerated, at least 0; only its integer part matters.
    scale : array_like, shape (...)
        Scale of the noise, at least 0; broadcasts against `tolerance`.

    Returns
    -------
    float or ndarray, shape (...)
        :math:`\Pr(|k| > a)`; *larger* is meant strictly.

    Raises
    ------
    ValueError
        A number is negative or not finite.
    TypeError
        An argument does not hold numbers.

    Notes
    -----
    A geometric series, :math:`2 \Pr(a + 1) / (1 - q)`.

    Examples
    --------
    Continuous noise of the scale 2 exceeds 1 with probability 0.6065:

    >>> error_probability([0, 1, 1.9, 2], 2.0).round(4)
    array([0.7551, 0.458 , 0.458 , 0.2778])
    """
    a = np.floor(checks.non_negatives("error_probability", "tolerance", tolerance))
    size = checks.non_negatives("error_probability", "scale", scale)
    with np.errstate(divide="ignore", over="ignore"):  # scale 0: the exponential of minus infinity
        return 2 * np.exp(-(a + 1) / size) / (1 + np.exp(-1 / size))


def tolerance_for(delta: npt.ArrayLike, scale: npt.ArrayLike) -> Any:
    r"""Return the least integer that a discrete Laplace error exceeds rarely enough.

    Parameters
    ----------
    delta : array_like, shape (...)
        Probability with which the error may be larger, in (0, 1].
    scale : array_like, shape (...)
        Scale of the noise, at least 0; broadcasts against `delta`.

    Returns
    -------
    int or ndarray of int64, shape (...)
        The least *a* with ``error_probability(a, scale) <= delta``, see `error_probability`.

    Raises
    ------
    ValueError
        `delta` is not in (0, 1], `scale` is negative or not finite, or the tolerance is not below
        ``2**53``.
    TypeError
        An argument does not hold numbers.

    Notes
    -----
    With :math:`x = R \ln \frac{2}{(1 + q)\,\delta}` it is :math:`\lceil x \rceil - 1`.
    OpenDP's ``discrete_laplacian_scale_to_accuracy`` returns *x* itself: the real number where the
    formula of :math:`\Pr(|k| \ge x)` is :math:`\delta`. Where *x* is an integer the floating-point
    logarithm may fall on either side of it, and at scales above 1e9 it is off by more than one;
    therefore the answer is searched for around *x*, with `error_probability` itself.

    Examples
    --------
    >>> tolerance_for([0.05, 0.5], [[0.5], [2.0], [20.0]])
    array([[ 1,  0],
           [ 6,  1],
           [60, 14]])
    """
    where = "tolerance_for"
    p = checks.reals(where, "delta", delta, "in (0, 1]", lambda x: (x > 0) & (x <= 1))
    size = checks.non_negatives(where, "scale", scale)
    with np.errstate(divide="ignore", over="ignore"):
        x = (size * (np.log(2) - np.log(p) - np.log1p(np.exp(-1 / size)))).clip(0, 2**53)
    far = 2 + (x + size) / 2**46  # x is nearer to the answer, whatever was rounded
    low, a = np.floor(x - far).clip(-1), np.floor(x + far).clip(None, 2**53)
    while (a - low > 1).any():  # `a` is enough, `low` is not
        middle = np.ceil((low + a) / 2)
        enough = error_probability(middle, size) <= p
        low, a = np.where(enough, low, middle), np.where(enough, middle, a)
    checks.refuse(where, "the result", a, "below 2**53", a < 2**53)
    return a.astype(np.int64)[()]


def discrete_laplace(values: npt.ArrayLike, *, scale: float) -> Any:
    r"""Return integers with exact discrete Laplace noise, sampled by the OpenDP library.

    Parameters
    ----------
    values : array_like of int, shape (...)
        The exact answers; a histogram may be what ``value_counts`` of pandas returns.
    scale : float
        Scale of the noise, at least 0: the :math:`L_1` sensitivity of `values` over epsilon.

    Returns
    -------
    int, ndarray of int64, shape (...), or pandas object
        The noisy answers, kept in the range of ``int64`` (post-processing), with the labels of
        `values` if it has any.

    Raises
    ------
    ValueError
        `scale` is negative or not finite.
    TypeError
        `values` does not hold integers.
    ImportError
        The library ``opendp``, extra ``release``, is not installed.

    Notes
    -----
    The library draws from the operating system's secure source: there is no seed, on purpose, and
    so no `rng`. Its own account of the privacy loss rounds up and may show epsilon with an error
    in the last digit.

    References
    ----------
    Canonne, Kamath, Steinke, The discrete Gaussian for differential privacy (2020), section 5.2.

    Examples
    --------
    >>> discrete_laplace([10, 20], scale=2.0).dtype
    dtype('int64')
    """
    exact = checks.integers("discrete_laplace", "values", values)
    size = checks.non_negative("discrete_laplace", "scale", scale)
    noisy = np.array(_sampler(size)(exact.ravel().tolist()), dtype=np.int64)
    return checks.labelled(noisy.reshape(exact.shape), values) if exact.ndim else int(noisy[0])


def textbook_sampler(
    size: int | tuple[int, ...] | None = None, *, scale: float, rng: Any = None
) -> float | checks.FloatArray:
    r"""Return Laplace noise by the inverse distribution function, in double precision.

    Not for releases: this is the sampler that `mironov_attack` breaks.

    Parameters
    ----------
    size : int or tuple of int, optional
        Shape of the result; ``None`` for one number.
    scale : float
        Scale of the noise, positive.
    rng : None, int or numpy.random.Generator
        Source of the uniform numbers, multiples of ``2**-53``, or its seed.

    Returns
    -------
    float or ndarray
        The noise; minus infinity with probability ``2**-53``.

    Raises
    ------
    ValueError
        `scale` is not a positive finite number.
    TypeError
        `rng` is neither a generator nor a seed.

    References
    ----------
    Mironov, On significance of the least significant bits for differential privacy (2012).

    Examples
    --------
    >>> textbook_sampler(3, scale=1.0, rng=0).round(4)
    array([ 0.3201, -0.617 , -2.5017])
    """
    spread = checks.positive("textbook_sampler", "scale", scale)
    u = np.asarray(checks.generator("textbook_sampler", rng).random(size)) - 0.5  # exact
    with np.errstate(divide="ignore"):  # u = -1/2
        noise = -spread * np.sign(u) * np.log(1 - 2 * np.abs(u))
    return np.asarray(noise) if u.ndim else float(noise)


def mironov_attack(
    outputs: npt.ArrayLike, candidates: npt.ArrayLike, *, scale: float
) -> npt.NDArray[np.bool_]:
    r"""Return which true answers can have produced which outputs of the textbook sampler.

    Parameters
    ----------
    outputs : array_like, shape (...)
        Released numbers, each a true answer plus `textbook_sampler` noise.
    candidates : array_like, shape (m,) or ()
        True answers that the adversary considers.
    scale : float
        Scale of the noise, which is public.

    Returns
    -------
    ndarray of bool, shape (..., m) or (...)
        ``True`` where some uniform number leads from the candidate to the output.

    Raises
    ------
    ValueError
        A number is not finite, `scale` is not positive, or `candidates` has two axes or more.
    TypeError
        An argument does not hold numbers.

    Notes
    -----
    Three neighbours on each side of the inverted grid point are run forward; the module says why
    they suffice. The forward run uses this machine's ``numpy.log``: an output made with another
    logarithm, which may differ in the last bit, can be excluded wrongly. So can one of
    ``Generator.laplace``, whose grid differs: its ``2.0 - U - U`` rounds every other time.
    With `scale` far below the spacing of doubles at the output every answer near it is possible,
    and the attack learns nothing.

    References
    ----------
    Mironov, On significance of the least significant bits for differential privacy (2012),
    section 4.

    Examples
    --------
    A count is 0, and the adversary considers 0 and 1. Four releases of five give it away:

    >>> noise = textbook_sampler(1000, scale=10.0, rng=0)
    >>> possible = mironov_attack(0 + noise, [0, 1], scale=10.0)
    >>> [int(column.sum()) for column in possible.T]
    [1000, 195]
    """
    where = "mironov_attack"
    released = checks.reals(where, "outputs", outputs)
    answers = checks.reals(where, "candidates", candidates)
    if answers.ndim > 1:
        raise ValueError(f"{where}: candidates must have one axis, got shape {answers.shape}")
    size = checks.positive(where, "scale", scale)
    y = released.reshape(released.shape + (1,) * answers.ndim)
    with np.errstate(over="ignore"):  # a difference beyond the range of floats is not reachable
        d = y - answers
        centre = np.rint(_GRID * np.exp(-np.abs(d) / size))
        found = np.zeros(d.shape, dtype=np.bool_)
        for neighbour in range(-3, 4):  # one or two suffice, see the module
            j = np.clip(centre + neighbour, 1.0, _GRID)
            found |= answers - size * np.sign(d) * np.log(j / _GRID) == y
    return found


# ---------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=16)  # making a mechanism takes longer than a call of it
def _sampler(scale: float) -> Any:
    """Return OpenDP's mechanism for vectors of integers."""
    dp = checks.optional("discrete_laplace", "opendp.prelude")
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return dp.m.make_laplace(*domain, scale=scale)
