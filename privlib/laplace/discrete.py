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

**The discrete Laplace distribution** on the integers has exact probabilities

.. math:: \Pr(k) = \tanh\Bigl(\frac{1}{2R}\Bigr) e^{-|k| / R}, \qquad
          \frac{\Pr(k)}{\Pr(k - s)} = e^{(|k - s| - |k|) / R} \le e^{|s| / R},

so an integer query with :math:`L_1` sensitivity :math:`\Delta` and :math:`R = \Delta/\varepsilon`
is :math:`\varepsilon`-private with no rounding anywhere: every answer reaches every integer. It
is the distribution of a difference of two geometric variables. Sampling it takes exact arithmetic,
which is left to the OpenDP library. The error exceeds an integer *a* with the probability

.. math:: \Pr(|k| > a) = \frac{2 q^{a + 1}}{1 + q}, \qquad q = e^{-1/R},

which steps; `tolerance_for` inverts it. The scale 0 is the limit without noise.

**Counts of categories.** `histogram` is what a release of ``value_counts`` should be. Which values
occur at all, and which occurs most, is private: so the categories, and their order, are given.
"""

from __future__ import annotations

import collections
import functools
import math
import numbers
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib.laplace._answers import exact_answer, together
from privlib.laplace._levels import privacy_level

MOST_NUMBERS = 10**9
"""Numbers of the textbook sampler, or pairs that its attack compares: 8 GB."""

_GRID = 2.0**52  # 1 - 2|U| is a multiple of 1 / _GRID


def pmf(k: npt.ArrayLike, scale: npt.ArrayLike) -> np.float64 | checks.FloatArray:
    r"""Return the probabilities of the discrete Laplace distribution.

    Parameters
    ----------
    k : array_like of int, shape (...)
        Integers.
    scale : array_like, shape (...)
        Scale, at least 0 (0: the number 0 for certain); broadcasts against `k`.

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
    together("pmf", k=distance, scale=size)
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
    UncertifiedError
        A second computation gives a larger probability.

    Notes
    -----
    A geometric series, :math:`2 \Pr(a + 1) / (1 - q)`. It is computed a second time as
    :math:`q^{a + 1/2} / \cosh(1 / 2R)`.

    Examples
    --------
    Continuous noise of the scale 2 exceeds 1 with probability 0.6065:

    >>> error_probability([0, 1, 1.9, 2], 2.0).round(4)
    array([0.7551, 0.458 , 0.458 , 0.2778])
    """
    a = np.floor(checks.non_negatives("error_probability", "tolerance", tolerance))
    size = checks.non_negatives("error_probability", "scale", scale)
    together("error_probability", tolerance=a, scale=size)
    risk = _risk(a, size)
    _certify_risk("error_probability", risk, a, size)
    return risk[()]


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
    UncertifiedError
        A second computation of the probability is above `delta`.

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
    together(where, delta=p, scale=size)
    with np.errstate(divide="ignore", over="ignore"):
        x = (size * (np.log(2) - np.log(p) - np.log1p(np.exp(-1 / size)))).clip(0, 2**53)
    far = 2 + (x + size) / 2**46  # x is nearer to the answer, whatever was rounded
    low = np.floor(x - far).clip(-1)
    a = np.floor(x + far).clip(None, 2**53)
    while (a - low > 1).any():  # `a` is enough, `low` is not
        middle = np.ceil((low + a) / 2)
        enough = _risk(middle, size) <= p
        low = np.where(enough, low, middle)
        a = np.where(enough, middle, a)
    checks.refuse(where, "the result", a, "below 2**53", a < 2**53)
    _certify_risk(where, p, a, size)
    return a.astype(np.int64)[()]


def discrete_laplace(values: npt.ArrayLike, *, scale: float) -> Any:
    r"""Return integers with exact discrete Laplace noise, sampled by the OpenDP library.

    Parameters
    ----------
    values : array_like of int, shape (...)
        The exact answers. Of a table of counts its numbers alone, for categories that are public
        and in an order that is public: see `histogram`.
    scale : float
        Scale of the noise, at least 0: the :math:`L_1` sensitivity of `values` over epsilon.

    Returns
    -------
    int, or ndarray of int64, shape (...)
        The noisy answers, without labels, kept in the range of ``int64`` (post-processing).

    Raises
    ------
    ValueError
        `scale` is negative or not finite; `values` has labels that are not its positions, or
        integers that are not in the range of ``int64``. No message quotes one of the `values`.
    TypeError
        `values` does not hold integers.
    ImportError
        The library ``opendp`` is not installed.
    UncertifiedError
        The library's own account of the privacy loss is above 1 / `scale`.

    Notes
    -----
    The promise: the probability of every output changes by the factor :math:`e^{|s| / R}` at most
    if the values move by *s* in the 1-norm, in exact arithmetic. It does not cover a scale that is
    too small for the query, the number of values, or a second release: levels add up.

    The library draws from the operating system's secure source: there is no seed, on purpose, and
    so no `rng`. Its own account of the privacy loss rounds up and may show epsilon with an error
    in the last digit. The account is read once for each scale.

    References
    ----------
    Canonne, Kamath, Steinke, The discrete Gaussian for differential privacy (2020), section 5.2.

    Examples
    --------
    >>> discrete_laplace([10, 20], scale=2.0).dtype
    dtype('int64')
    """
    exact = _exact_integers("discrete_laplace", values)
    size = checks.non_negative("discrete_laplace", "scale", scale)
    return _noisy(exact, _not_below(size, scale), "discrete_laplace")


def histogram(
    data: Iterable[Any],
    *,
    categories: Iterable[Any],
    epsilon: Any,
    other: Any = None,
    neighbours: str = "replace",
) -> checks.IntArray:
    r"""Return private counts of public categories, with exact discrete Laplace noise.

    Parameters
    ----------
    data : sequence, shape (n,)
        The value of each record: a list, an array, a Series (its index says nothing).
    categories : sequence, shape (k,)
        The categories that are counted, distinct. They must be public, and so must their order:
        taken from the data, they tell what occurs there.
    epsilon : float, Fraction or str
        Level of differential privacy, positive; infinite for no noise and no privacy. Text such as
        ``"0.1"`` and fractions are rounded down to a float.
    other : object, optional
        That one of the `categories` in which unknown and missing values are counted. Without it
        they are refused.
    neighbours : {"replace", "add-remove"}
        Neighbouring databases differ in the value of one record, and *n* is public, so that two
        counts change by 1: sensitivity 2. Or one has a record more: sensitivity 1.

    Returns
    -------
    ndarray of int64, shape (k,)
        The noisy counts in the order of `categories`; they may be negative. The scale of the noise
        is the sensitivity over `epsilon`.

    Raises
    ------
    ValueError
        `categories` are empty, not distinct or have a missing value, `other` is none of them,
        `data` has a value that is none of them and `other` is not given, `epsilon` is not
        positive, or `neighbours` is unknown. No message quotes a value of `data`.
    TypeError
        `data` is not one value a record (a table, a string, a set, a dictionary of counts), or a
        value or category cannot be hashed.
    ImportError
        The library ``opendp`` is not installed.
    UncertifiedError
        The library's own account of the privacy loss is above `epsilon`.

    Notes
    -----
    The promise: the probability of every list of counts changes by a factor :math:`e^\varepsilon`
    at most between neighbours, against an attacker who knows all other records. It does not cover
    a second release of the same data (levels add up), records that depend on one another, one
    person with several records, or how long the call takes. With ``"add-remove"``, *n* is
    protected as well; with ``"replace"`` it is not.

    *That* unknown values are refused depends on the data: give `other` where the values have not
    been checked against the categories when they were collected. Values are compared as in a
    dictionary: ``1``, ``1.0`` and ``True`` are one category. There is no seed, as in
    `discrete_laplace`.

    Examples
    --------
    >>> people = ["flu", "cold", "flu", "flu", None]
    >>> known = ["cold", "flu", "HIV", "other"]
    >>> histogram(people, categories=known, other="other", epsilon=1.0).shape
    (4,)
    """
    where = "histogram"
    eps = privacy_level(where, "epsilon", epsilon)
    checks.choice(where, "neighbours", neighbours, tuple(SENSITIVITIES))
    sensitivity = SENSITIVITIES[neighbours]
    labels = _distinct(where, categories)
    if other is not None and not _is_one_of(other, labels):
        raise ValueError(
            f"{where}: other must be one of the categories, got {other!r}; pass "
            "categories=[*categories, other]"
        )
    counts = _counts(where, data, labels, other)
    if math.isinf(eps):
        return counts
    scale = checks.positive(where, "sensitivity / epsilon", sensitivity / eps)
    scale = _not_below(scale, Fraction(sensitivity) / Fraction(eps))
    loss = _sampler(scale, where).map(sensitivity)
    _safety.certify(where, "OpenDP's account of the privacy loss", loss, eps)
    result: checks.IntArray = _noisy(counts, scale, where)
    return result


def naive_sampler(
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
        `scale` is not a positive finite number, a side of `size` is negative, or there would be
        more than 10**9 numbers.
    TypeError
        `size` holds no integers, or `rng` is neither a generator nor a seed.

    References
    ----------
    Mironov, On significance of the least significant bits for differential privacy (2012).

    Examples
    --------
    >>> naive_sampler(3, scale=1.0, rng=0).round(4)
    array([ 0.3201, -0.617 , -2.5017])
    """
    where = "naive_sampler"
    spread = checks.positive(where, "scale", scale)
    source = checks.generator(where, rng)
    sides: Any = size
    if size is None:
        sides = ()
    elif not isinstance(size, (tuple, list)):
        sides = (size,)
    shape = tuple(checks.integer(where, "size", side, low=0) for side in sides)
    _safety.limit(where, "the size", math.prod(shape), MOST_NUMBERS)
    u = np.asarray(source.random(None if size is None else shape)) - 0.5  # exact
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
        Released numbers, each a true answer plus `naive_sampler` noise.
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
        A number is not finite, `scale` is not positive, `candidates` has two axes or more, or
        outputs times candidates are more than 10**9.
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

    >>> noise = naive_sampler(1000, scale=10.0, rng=0)
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
    pairs = released.size * answers.size
    _safety.limit(where, "outputs times candidates", pairs, MOST_NUMBERS, "attack it in parts")
    y = released.reshape(released.shape + (1,) * answers.ndim)
    with np.errstate(over="ignore"):  # a difference beyond the range of floats is not reachable
        d = y - answers
        centre = np.rint(_GRID * np.exp(-np.abs(d) / size))
        possible = np.zeros(d.shape, dtype=np.bool_)
        for neighbour in range(-3, 4):  # one or two suffice, see the module
            j = np.clip(centre + neighbour, 1.0, _GRID)
            possible |= answers - size * np.sign(d) * np.log(j / _GRID) == y
    return possible


# --- the distribution --------------------------------------------------------------------------


def _risk(a: checks.FloatArray, size: checks.FloatArray) -> checks.FloatArray:
    """Return Pr(|k| > a) for whole a, as floats."""
    with np.errstate(divide="ignore", over="ignore"):  # scale 0: the exponential of minus infinity
        return np.asarray(2 * np.exp(-(a + 1) / size) / (1 + np.exp(-1 / size)))


def _certify_risk(
    where: str, promised: checks.FloatArray, a: checks.FloatArray, size: checks.FloatArray
) -> None:
    """Refuse a promised risk that is below q**(a + 1/2) / cosh(1 / 2R)."""
    with np.errstate(divide="ignore", over="ignore"):
        probability = np.exp(-(a + 0.5) / size) / np.cosh(0.5 / size)
    # Numbers below the normal floats have lost their digits in both computations.
    least = np.finfo(np.float64).tiny
    _safety.certify(where, "the probability of the error", probability, promised, unit=least)


# --- the noise ---------------------------------------------------------------------------------


def _exact_integers(where: str, values: Any) -> npt.NDArray[Any]:
    """Return integers that ``int64`` can hold, without a word about which there are."""
    if type(values) is int and -(2**63) <= values < 2**63:
        return np.array(values, dtype=np.int64)
    exact = exact_answer(where, "values", values)
    if exact.dtype.kind == "O" and all(isinstance(e, numbers.Integral) for e in exact.flat):
        within = all(-(2**63) <= int(entry) < 2**63 for entry in exact.flat)
    elif exact.dtype.kind in "iu" or not exact.size:
        within = exact.dtype.kind != "u" or not exact.size or int(exact.max()) < 2**63
    else:
        raise TypeError(
            f"{where}: values must hold integers, got {exact.dtype}; round them by a rule that is "
            "public, and count that in the sensitivity"
        )
    if not within:
        raise ValueError(f"{where}: values must be in -2**63..2**63 - 1")
    return exact.astype(np.int64)


def _not_below(scale: float, exact: Any) -> float:
    """Return a float scale, the next one if it is less than the exact number that was asked for."""
    if hasattr(exact, "as_integer_ratio") and Fraction(scale) < Fraction(*exact.as_integer_ratio()):
        return float(_safety.next_up(scale))
    return scale


def _noisy(exact: npt.NDArray[np.int64], scale: float, where: str) -> Any:
    noisy = np.array(_sampler(scale, where)(exact.ravel().tolist()), dtype=np.int64)
    return noisy.reshape(exact.shape) if exact.ndim else int(noisy[0])


@functools.lru_cache(maxsize=16)  # making a mechanism takes longer than a call of it
def _sampler(scale: float, where: str) -> Any:
    """Return OpenDP's mechanism for vectors of integers, if its account confirms the scale."""
    dp = checks.optional(where, "opendp.prelude")
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    mechanism = dp.m.make_laplace(*domain, scale=scale)
    if scale > 0:
        with np.errstate(over="ignore"):
            most = float(np.float64(1.0) / scale)  # infinite for scales below all normal floats
        _safety.certify(where, "OpenDP's account of the loss per unit", mechanism.map(1), most)
    return mechanism


# --- counting ----------------------------------------------------------------------------------

SENSITIVITIES = {"replace": 2, "add-remove": 1}
"""By how much the counts of neighbouring databases differ, in the 1-norm."""

MOST_CATEGORIES = 10**7


def _distinct(where: str, categories: Any) -> list[Any]:
    """Return the public categories as a list."""
    labels = _entries(where, "categories", categories)
    if not labels:
        raise ValueError(f"{where}: categories must not be empty")
    _safety.limit(where, "the number of categories", len(labels), MOST_CATEGORIES)
    try:
        distinct = len(set(labels))
    except TypeError:
        raise TypeError(f"{where}: categories must be hashable, as strings or numbers") from None
    if any(_is_missing(label) for label in labels):
        raise ValueError(
            f"{where}: categories must have no missing value (None, NaN); give missing values a "
            "category by other="
        )
    if distinct != len(labels):
        twice = next(label for label, times in collections.Counter(labels).items() if times > 1)
        raise ValueError(f"{where}: categories must be distinct, got {twice!r} twice")
    return labels


def _counts(where: str, data: Any, labels: list[Any], other: Any) -> checks.IntArray:
    """Return how many records have each label; unknown values are counted in *other*."""
    values = _entries(where, "data", data)
    try:
        seen = collections.Counter(values)
    except TypeError:
        raise TypeError(f"{where}: data must hold one hashable value a record") from None
    counts = [seen.get(label, 0) for label in labels]
    unknown = len(values) - sum(counts)
    if unknown and other is None:
        raise ValueError(
            f"{where}: data must hold categories only, got other or missing values; name the "
            "category that they are counted in, which is public: "
            'categories=[*categories, "other"], other="other"'
        )
    if unknown:
        counts[labels.index(other)] += unknown
    return np.array(counts, dtype=np.int64)


def _entries(where: str, name: str, value: Any) -> list[Any]:
    """Return the entries of a sequence; refuse what is none, or a table."""
    rule = f"{where}: {name} must be a sequence of one value each"
    if isinstance(value, (str, bytes, collections.abc.Mapping, collections.abc.Set)):
        raise TypeError(f"{rule}, got a {type(value).__name__}")
    if getattr(value, "ndim", 1) != 1:
        raise TypeError(f"{rule}, got a table or a single number")
    if isinstance(value, np.ma.MaskedArray):
        return [None if hidden is np.ma.masked else hidden for hidden in value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "Mm":
        return list(value)  # `tolist` makes numbers of nanoseconds
    if hasattr(value, "tolist"):
        entries: list[Any] = value.tolist()
        return entries
    try:
        return list(value)
    except TypeError:
        raise TypeError(f"{rule}, got a {type(value).__name__}") from None


def _is_missing(label: Any) -> bool:
    """Tell None, NaN and what pandas has for it: what does not equal itself."""
    if label is None:
        return True
    try:
        return not bool(label == label)
    except (TypeError, ValueError):
        return True


def _is_one_of(label: Any, labels: list[Any]) -> bool:
    try:
        return label in set(labels)
    except TypeError:
        return False
