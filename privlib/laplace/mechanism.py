r"""The Laplace mechanism as a decorator of a query.

A mechanism takes a query and a database and answers at random. Read as a function of the query
alone, it returns a function of the database: what programmers call a decorator,

.. math:: m_{\varepsilon, \Delta} : q \mapsto
          \bigl( D \mapsto q(D) + r \bigr), \qquad
          r_i \sim \mathrm{Lap}(\Delta / \varepsilon) \text{ independent}.

For neighbouring databases and every output *y* the densities obey

.. math:: \frac{p(y \mid D)}{p(y \mid D')}
          = \exp\Bigl( \frac{\varepsilon}{\Delta}
            \bigl( \|y - q(D')\|_1 - \|y - q(D)\|_1 \bigr) \Bigr)
          \le e^{\varepsilon \|q(D) - q(D')\|_1 / \Delta} \le e^{\varepsilon},

by the triangle inequality, if :math:`\Delta` really is the :math:`L_1` sensitivity of the query
as a whole. That is a property of the query on all databases, which no run can check: who
decorates vouches for it. The mean of *n* numbers has the sensitivity :math:`(b - a)/n` where
every number lies in :math:`[a, b]`, and none where the numbers have no bound.

The noise is double precision. The low bits of such an answer tell more than the density says;
`privlib.laplace.discrete` shows how much and has the noise for real releases.

**What is rounded, and when.** Rounding the *noisy* answer to a float is a function of it alone and
costs no privacy. Rounding the *exact* answer moves it before the noise: the sums :math:`2^{60} +
128` and :math:`2^{60} + 129` differ by 1, their floats by 256. Therefore integers and fractions are
added to the noise exactly, however large they are, and only the sum is rounded. An answer that
comes as a float was rounded by the query. It is refused if its last bit is larger than
:math:`2^{-20} \Delta`, for two neighbouring answers could then be further apart than
:math:`\Delta` by more than a millionth of it. Where :math:`\Delta \ge 1` a whole number is taken
also with a larger last bit *u*, if :math:`\lfloor \Delta + u \rfloor` is not above
:math:`\Delta` by more than that: two of them, each rounded by *u*/2, are then within
:math:`\Delta`. So floats that count people are taken up to :math:`2^{52}`, those of 32 bits up to
:math:`2^{23}`; beyond, every float is whole, and one cannot see which were rounded.
"""

from __future__ import annotations

import functools
import inspect
import math
import numbers
import sys
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib.laplace import accuracy
from privlib.laplace._answers import exact_answer
from privlib.laplace._levels import privacy_level

P = ParamSpec("P")
R = TypeVar("R")

LAST_BIT = 2.0**-20
"""Largest last bit of a float answer, in sensitivities."""

LARGEST = sys.float_info.max

LEAST_SCALE = sys.float_info.min
"""Floats below have lost digits, so the scale could be half of what is meant."""

LARGEST_SCALE = 1e305
"""Noise of a larger scale could overflow before it is added, which tells the sign of an answer."""


class ToleranceWarning(UserWarning):
    """A mechanism exceeds its stated tolerance too often.

    Examples
    --------
    Noise of the scale 10 is larger than 1 with the probability 0.9.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     count = laplace_mechanism(epsilon=0.1, sensitivity=1, tolerance=1.0)(sum)
    >>> told[0].category.__name__
    'ToleranceWarning'
    """


@dataclass(frozen=True, eq=False)
class LaplaceMechanism(Generic[P]):
    r"""A query that answers with Laplace noise; made by `laplace_mechanism`.

    Parameters
    ----------
    query : callable
        The query, from a database to a number or an array; also ``__wrapped__``.
    epsilon : float
        Level of privacy, positive; infinite for no noise.
    sensitivity : float
        :math:`L_1` sensitivity of the query, at least 0.
    dimension : int, optional
        Number of coordinates of the answer; by default the answer is one number.
    norm : {"l1", "linf"}, optional
        How the error of several coordinates is measured.

    Raises
    ------
    ValueError, TypeError, UncertifiedError
        Where `laplace_mechanism` raises them.

    Notes
    -----
    `error_probability`, `tolerance_for` and `epsilon_for` speak of the error of the whole answer,
    in `norm`. A mechanism of a function at the top of a module, or in a class there, can be
    pickled: by its name where it has taken the query's place there, else with the query. It can
    decorate methods. It is never changed, and remembers nothing of what it was asked.

    Examples
    --------
    >>> count = LaplaceMechanism(sum, epsilon=0.5, sensitivity=1)
    >>> count.scale, round(count([1, 0, 1], rng=1), 2)
    (2.0, 2.05)
    """

    query: Callable[P, npt.ArrayLike] = field(repr=False)
    epsilon: float
    sensitivity: float
    dimension: int | None = None
    norm: str = "l1"

    def __post_init__(self) -> None:
        eps, size, count = _checked_level(self.epsilon, self.sensitivity, self.dimension, self.norm)
        _check_query(self.query)
        object.__setattr__(self, "epsilon", eps)
        object.__setattr__(self, "sensitivity", size)
        object.__setattr__(self, "dimension", count)

    def __call__(self, /, *args: Any, rng: Any = None, **kwargs: Any) -> Any:
        """Return the query's answer with noise from `rng`.

        Parameters
        ----------
        *args, **kwargs
            What the query takes: a database, and whatever else. All but the database is public.
        rng : None, int or numpy.random.Generator
            Source of the noise, or its seed. Whoever can guess the seed can subtract the noise: a
            release has none.

        Returns
        -------
        float or ndarray of float64
            The noisy answer in the shape of the query's answer, without labels; a float if that is
            one number. It is kept in the range of floats (post-processing).

        Raises
        ------
        ValueError
            The answer has not the declared number of coordinates, is an array although no
            `dimension` is declared, has labels that are not its positions, is not finite, or is a
            float that is too coarse beside the sensitivity (see the module). Without noise: no
            float holds an integer of the answer.
        TypeError
            `rng` is neither a generator nor a seed, or the answer does not hold real numbers.

        Notes
        -----
        No message quotes the answer. But *that* an exception is raised depends on the answer, and
        what the query itself raises is passed through as it is: both are for the owner of the data
        and must not be published. The shape of the answer is published with it.
        """
        source = checks.generator("laplace_mechanism", rng)
        value: Any = self.query(*args, **kwargs)
        if self._is_plain_number(value):
            # The same checks as below, without arrays: it is done thousands of times.
            noisy = float(value + source.laplace(0.0, self.scale))
            return min(max(noisy, -LARGEST), LARGEST)
        if inspect.iscoroutine(value):
            value.close()  # it will not be awaited, which is not its fault
        name = f"the answer of {getattr(self, '__name__', 'the query')}"
        answer = exact_answer("laplace_mechanism", name, value)
        self._check_size(name, answer)
        if self.scale == 0:
            result = _without_noise(name, answer)
        else:
            noise = source.laplace(0.0, self.scale, answer.shape)
            result = _sum(name, answer, noise, self.sensitivity)
        return result if result.ndim else float(result)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the mechanism as a method of `instance`, as a function would be one."""
        return self if instance is None else types.MethodType(self, instance)

    def __copy__(self) -> LaplaceMechanism[P]:
        return self

    def __deepcopy__(self, memo: Any) -> LaplaceMechanism[P]:
        return self

    def __reduce__(self) -> Any:
        """Pickle by name what has taken its query's place, everything else with its query."""
        home = getattr(self.query, "__module__", None)
        name = getattr(self.query, "__qualname__", None)
        registered = _named(home, name)
        if registered is self:
            return name
        if isinstance(self.query, types.FunctionType) and registered is not self.query:
            raise TypeError(
                f"laplace_mechanism: the mechanism of {name} cannot be pickled, for {name} is not "
                f"found under this name in {home}; define the query at the top of a module (no "
                "lambda, no inner function)"
            )
        fields = (self.query, self.epsilon, self.sensitivity, self.dimension, self.norm)
        return _rebuilt, fields

    @property
    def scale(self) -> float:
        """Scale of the noise, sensitivity / epsilon; 0 for no noise.

        Examples
        --------
        >>> laplace_mechanism(epsilon=0.5, sensitivity=1)(sum).scale
        2.0
        """
        return self.sensitivity / self.epsilon

    @property
    def _noise(self) -> dict[str, Any]:
        """What the accuracy depends on, besides epsilon."""
        size = self.dimension or 1
        return {"sensitivity": self.sensitivity, "dimension": size, "norm": self.norm}

    def error_probability(self, tolerance: npt.ArrayLike) -> accuracy.Result:
        """Return the probability that the error exceeds a tolerance.

        Parameters
        ----------
        tolerance : array_like, shape (...)
            Errors, not negative; as for `accuracy.error_probability`.

        Returns
        -------
        float64 or ndarray, shape (...)
            One probability for each tolerance.

        Examples
        --------
        >>> count = laplace_mechanism(epsilon=1.0, sensitivity=1)(sum)
        >>> round(float(count.error_probability(3)), 3)
        0.05
        """
        return accuracy.error_probability(tolerance, epsilon=self.epsilon, **self._noise)

    def tolerance_for(self, delta: npt.ArrayLike) -> accuracy.Result:
        """Return the tolerance that the error exceeds with a given probability.

        Parameters
        ----------
        delta : array_like, shape (...)
            Probabilities; as for `accuracy.tolerance_for`.

        Returns
        -------
        float64 or ndarray, shape (...)
            One tolerance for each probability.

        Examples
        --------
        >>> count = laplace_mechanism(epsilon=1.0, sensitivity=1)(sum)
        >>> round(float(count.tolerance_for(0.05)), 3)
        2.996
        """
        return accuracy.tolerance_for(delta, epsilon=self.epsilon, **self._noise)

    def epsilon_for(self, tolerance: npt.ArrayLike, delta: npt.ArrayLike) -> accuracy.Result:
        """Return the epsilon with which a tolerance is exceeded with a given probability.

        Parameters
        ----------
        tolerance, delta : array_like, shape (...)
            Errors and probabilities, which broadcast; as for `accuracy.epsilon_for`.

        Returns
        -------
        float64 or ndarray, shape (...)
            One level for each pair.

        Examples
        --------
        >>> count = laplace_mechanism(epsilon=1.0, sensitivity=1)(sum)
        >>> round(float(count.epsilon_for(3, 0.05)), 3)
        0.999
        """
        return accuracy.epsilon_for(tolerance, delta, **self._noise)

    def _is_plain_number(self, value: Any) -> bool:
        """Tell an answer that the addition of noise is the first to round."""
        if self.dimension is not None or self.scale == 0:
            return False
        if type(value) is int:
            return -_safety.LARGEST_EXACT <= value <= _safety.LARGEST_EXACT
        if type(value) is float or type(value) is np.float64:
            # Neither nan nor inf passes: their last bit is nan or inf.
            return math.ulp(value) <= LAST_BIT * self.sensitivity
        return False

    def _check_size(self, name: str, answer: npt.NDArray[Any]) -> None:
        """Refuse another number of coordinates than the declared one, without saying which."""
        if self.dimension is None and answer.ndim:
            raise ValueError(
                f"laplace_mechanism: {name} must be one number if no dimension is declared, got an "
                "array; pass laplace_mechanism(..., dimension=10) for ten numbers: the error grows "
                "with it, and it must not depend on the data"
            )
        if self.dimension is not None and answer.size != self.dimension:
            raise ValueError(
                f"laplace_mechanism: {name} must have the declared dimension {self.dimension}, "
                "got another"
            )


def _keyword_only(decorator: Callable[P, R]) -> Callable[P, R]:
    """Say what is wrong with a bare ``@laplace_mechanism``."""

    @functools.wraps(decorator)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        if args:
            raise TypeError(
                "laplace_mechanism: takes keywords only; write @laplace_mechanism(epsilon=..., "
                "sensitivity=...) above the query"
            )
        return decorator(*args, **kwargs)

    return checked


@_keyword_only
def laplace_mechanism(
    *,
    epsilon: Any,
    sensitivity: float,
    tolerance: float | None = None,
    level: float = 0.05,
    dimension: int | None = None,
    norm: str = "l1",
) -> Callable[[Callable[P, npt.ArrayLike]], LaplaceMechanism[P]]:
    r"""Return a decorator that makes an epsilon-private mechanism of a query.

    Parameters
    ----------
    epsilon : float, Fraction or str
        Level of differential privacy, positive; infinite for no noise and no privacy. Text such as
        ``"0.1"`` and fractions are rounded down to a float.
    sensitivity : float
        :math:`L_1` sensitivity of the query as the computer evaluates it, at least 0; 0 for a query
        that depends on no record, which needs no noise.
    tolerance : float, optional
        Error that the user can live with. If it is exceeded with a probability above `level`,
        decorating warns.
    level : float
        Probability above which there is a warning, in (0, 1).
    dimension : int, optional
        Number of coordinates of the answer, the same for every database. Without it the answer
        must be one number.
    norm : {"l1", "linf"}
        Error of several coordinates: the sum, or the largest, of the absolute errors.

    Returns
    -------
    callable
        Takes a query and returns its `LaplaceMechanism`, which keeps the query's name,
        documentation and ``__wrapped__``. Called, it passes its arguments on to the query, all but
        the keyword `rng`, the source of the noise; a seed that somebody can guess is no privacy.

    Raises
    ------
    ValueError
        A number is not positive (`sensitivity`: negative) or, `epsilon` apart, not finite; `level`
        is not in (0, 1), `norm` is unknown, or the scale is not in the range of normal floats.
    TypeError
        An argument is no number, or what is decorated cannot be called, is a generator or a
        coroutine, or has a parameter `rng` of its own.
    UncertifiedError
        The scale, as a float, is too small for epsilon.

    Warns
    -----
    ToleranceWarning
        The tolerance is exceeded with a probability above `level`; the message says with which,
        and an epsilon that would do.

    Notes
    -----
    The promise: the density of the noisy answer changes by a factor :math:`e^{\varepsilon}` at
    most, against an attacker who knows everything but one record. It does not cover a sensitivity
    that is stated too small, the shape of the answer, how long the query takes, exceptions, the
    low bits of the noise, or a second answer: levels of repeated answers add up.

    The probability of the warning depends on no data, so it costs no privacy. It does not know the
    range of the query: a tolerance of half the range needs no data at all.
    With the scale 0 (infinite `epsilon`, or `sensitivity` 0) the answer is the query's own.

    References
    ----------
    Study note, appendix (the mechanism as a decorator) and chapter 8, end (the warning).

    Examples
    --------
    >>> import numpy as np
    >>> @laplace_mechanism(epsilon=1.0, sensitivity=1 / 4)
    ... def mean(database):
    ...     "Mean of four numbers in [0, 1]."
    ...     return np.mean(database)
    >>> mean.scale, float(mean.error_probability(0.5).round(4))
    (0.25, 0.1353)
    >>> type(mean([0.2, 0.4, 0.9, 0.5]))
    <class 'float'>
    >>> mean.__name__, mean.__doc__
    ('mean', 'Mean of four numbers in [0, 1].')

    A histogram of three public categories; one record moves two of its counts:

    >>> @laplace_mechanism(epsilon=1.0, sensitivity=2, dimension=3)
    ... def histogram(people, categories=("cold", "flu", "other")):
    ...     return [people.count(category) for category in categories]
    >>> histogram(["flu", "cold", "flu"]).shape
    (3,)
    """
    eps, size, count = _checked_level(epsilon, sensitivity, dimension, norm)
    rare = checks.real("laplace_mechanism", "level", level)
    checks.bounded("laplace_mechanism", "level", rare, "be in (0, 1)", lambda x: 0 < x < 1)
    limit = (
        None if tolerance is None else checks.positive("laplace_mechanism", "tolerance", tolerance)
    )

    def decorate(query: Callable[P, npt.ArrayLike]) -> LaplaceMechanism[P]:
        mechanism = _named_after(query, LaplaceMechanism(query, eps, size, count, norm))
        if limit is not None and mechanism.error_probability(limit) > rare:
            warnings.warn(_advice(mechanism, limit, rare), ToleranceWarning, stacklevel=2)
        return mechanism

    return decorate


# --- making a mechanism ------------------------------------------------------------------------


def _checked_level(
    epsilon: Any, sensitivity: Any, dimension: Any, norm: str
) -> tuple[float, float, int | None]:
    """Return the level, the sensitivity and the dimension if the scale keeps the level."""
    eps = privacy_level("laplace_mechanism", "epsilon", epsilon)
    size = checks.non_negative("laplace_mechanism", "sensitivity", sensitivity)
    count = (
        None
        if dimension is None
        else checks.integer("laplace_mechanism", "dimension", dimension, low=1)
    )
    checks.choice("laplace_mechanism", "norm", norm, accuracy.NORMS)
    if size == 0 or eps == math.inf:
        return eps, size, count
    scale = checks.positive("laplace_mechanism", "sensitivity / epsilon", size / eps)
    rule = f"be in {LEAST_SCALE:.4g}..{LARGEST_SCALE:g}"
    in_range = LEAST_SCALE <= scale <= LARGEST_SCALE
    checks.bounded("laplace_mechanism", "sensitivity / epsilon", scale, rule, lambda _: in_range)
    # A second time, in fractions: the largest logarithm of a ratio of densities, in epsilons.
    loss = Fraction(size) / (Fraction(scale) * Fraction(eps))
    _safety.certify(
        "laplace_mechanism", "the privacy loss at this scale, over epsilon,", float(loss), 1.0
    )
    return eps, size, count


def _check_query(query: Any) -> None:
    """Refuse what does not return a number when it is called, and what wants the noise's name."""
    if not callable(query):
        raise TypeError(f"laplace_mechanism: the query must be callable, got {query!r}")
    called: Any = inspect.unwrap(query)
    own: Any = getattr(type(called), "__call__", None)  # noqa: B004 - of an object with a call
    kinds: dict[str, Callable[[Any], bool]] = {
        "a coroutine": inspect.iscoroutinefunction,
        "a generator": inspect.isgeneratorfunction,
        "an asynchronous generator": inspect.isasyncgenfunction,
    }
    for kind, is_kind in kinds.items():
        if is_kind(called) or is_kind(own):
            raise TypeError(
                f"laplace_mechanism: the query must return its answer, but it makes {kind}"
            )
    try:
        parameters = inspect.signature(query).parameters
    except (TypeError, ValueError):  # some functions written in C do not say
        return
    if "rng" in parameters:
        raise TypeError(
            "laplace_mechanism: the query must have no parameter rng, the mechanism's source of "
            "noise; give it another name"
        )


def _named_after(query: Any, mechanism: LaplaceMechanism[P]) -> LaplaceMechanism[P]:
    """Give the mechanism the query's name and documentation, and return it."""
    # The query's own attributes stay with it: a mechanism's would overwrite the fields.
    mechanism.__dict__["__wrapped__"] = query
    for name in functools.WRAPPER_ASSIGNMENTS:
        if hasattr(query, name):
            mechanism.__dict__[name] = getattr(query, name)
    return mechanism


def _rebuilt(query: Any, *figures: Any) -> LaplaceMechanism[Any]:
    """Return what was pickled with its query."""
    return _named_after(query, LaplaceMechanism(query, *figures))


def _named(module: Any, qualname: Any) -> Any:
    """Return what a module has under a qualified name, ``None`` if nothing."""
    value = sys.modules.get(module) if isinstance(module, str) else None
    for name in str(qualname).split("."):
        # Not `getattr`: of a class it would return the method that `__get__` makes.
        value = inspect.getattr_static(value, name, None)
    return value.__func__ if isinstance(value, staticmethod) else value


def _advice(mechanism: LaplaceMechanism[Any], limit: float, rare: float) -> str:
    """Return the warning, with an epsilon that does as it is printed."""
    risk = float(mechanism.error_probability(limit))
    needed = float(mechanism.epsilon_for(limit, rare))
    printed = ""
    for digits in range(4, 18):
        printed = f"{_safety.round_up(needed, digits):.{digits}g}"
        noise: dict[str, Any] = mechanism._noise | {"epsilon": float(printed)}
        if accuracy.error_probability(limit, **noise) <= rare:
            break
    else:  # pragma: no cover - the search of `epsilon_for` ends where this passes
        raise _safety.UncertifiedError(
            f"laplace_mechanism: no epsilon was found for tolerance {limit:g}"
        )
    return (
        f"laplace_mechanism: P(error > {limit:g}) = {risk:.4g} exceeds {rare:g} at epsilon = "
        f"{mechanism.epsilon:g}; epsilon = {printed} would do"
    )


# --- adding noise ------------------------------------------------------------------------------


def _sum(
    name: str, answer: npt.NDArray[Any], noise: checks.FloatArray, sensitivity: float
) -> checks.FloatArray:
    """Return the answer plus the noise, rounded once, in the range of floats."""
    plain = answer.dtype.kind == "f" and answer.dtype.itemsize <= 8
    if answer.dtype.kind == "f":
        _refuse_coarse(name, answer, sensitivity)
    if answer.dtype.kind in "iu":
        plain = not answer.size or bool(
            answer.max() <= _safety.LARGEST_EXACT and answer.min() >= -_safety.LARGEST_EXACT
        )
    if plain:
        # The conversion is exact, so the addition is the only rounding.
        with np.errstate(over="ignore"):
            result = np.asarray(answer.astype(np.float64) + noise)
        if not np.isfinite(result).all():
            result = np.clip(result, -LARGEST, LARGEST)
        return result
    result = np.empty(answer.shape)
    for k, (entry, added) in enumerate(zip(answer.flat, noise.flat)):
        if not isinstance(entry, (numbers.Rational, np.integer)):
            _refuse_coarse(name, _as_float(entry), sensitivity)
        result.flat[k] = _nearest(_exact(entry) + Fraction(float(added)))
    return result


def _without_noise(name: str, answer: npt.NDArray[Any]) -> checks.FloatArray:
    """Return the answer as floats; an integer that is none of them is refused."""
    result = np.empty(answer.shape)
    for k, entry in enumerate(answer.flat):
        exact = _exact(entry)
        result.flat[k] = _nearest(exact)
        whole = isinstance(entry, (numbers.Integral, np.integer))
        if whole and exact != Fraction(float(result.flat[k])):
            raise ValueError(
                f"laplace_mechanism: {name} must hold integers that a float holds exactly"
            )
    return result


def _refuse_coarse(name: str, values: npt.NDArray[Any], sensitivity: float) -> None:
    """Refuse floats that the query has rounded to more than a part of the sensitivity."""
    if not values.size:
        return
    # Twice that of the half: NumPy's spacing of the largest float is infinite.
    if 2 * np.float64(np.spacing(max(values.max(), -values.min()) / 2)) <= LAST_BIT * sensitivity:
        return  # the others have smaller last bits
    last_bit = 2 * np.spacing(np.abs(values) / 2).astype(np.float64)
    # Two whole numbers that were rounded, at most this far apart, are one sensitivity apart.
    apart = np.floor(sensitivity + last_bit)
    near = (sensitivity >= 1) & (apart <= sensitivity * (1 + LAST_BIT))
    whole = (values == np.rint(values)) & near
    if np.any((last_bit > LAST_BIT * sensitivity) & ~whole):
        raise ValueError(
            f"laplace_mechanism: {name} must have a last bit of at most 2**-20 sensitivities, for "
            "the query has rounded it before the noise; return integers or fractions, which are "
            f"added exactly, or floats of more digits than {values.dtype}"
        )


def _as_float(entry: Any) -> npt.NDArray[Any]:
    """Return a real number as a NumPy float, of its own width if it is one."""
    if isinstance(entry, np.floating):
        return np.asarray(entry)
    return np.asarray(float(entry))


def _exact(entry: Any) -> Fraction:
    """Return a real number as a fraction: a float, of whatever width, is one exactly."""
    if isinstance(entry, np.integer):
        return Fraction(int(entry))
    if isinstance(entry, numbers.Rational):
        return Fraction(int(entry.numerator), int(entry.denominator))
    if isinstance(entry, np.floating):
        return Fraction(*entry.as_integer_ratio())
    return Fraction(float(entry))


def _nearest(number: Fraction) -> float:
    """Return the float that is nearest, the largest one beyond all."""
    try:
        return float(number)
    except OverflowError:
        return LARGEST if number > 0 else -LARGEST
