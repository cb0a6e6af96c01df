r"""Regularised learning from private records: output and objective perturbation.

*n* records :math:`(x_i, y_i)` with :math:`\|x_i\|_2 \le 1`; neighbours differ in one record. For
a convex loss :math:`\ell(y, z)` of the linear score :math:`z = w^T x`

.. math:: J(w) = \frac1n \sum_i \ell(y_i, w^T x_i) + \frac\Lambda2 \|w\|^2,
          \qquad \hat w = \arg\min J .

**Convention.** The note regularises with :math:`(\lambda / n)\,\mathrm{Reg}(w)`. For
:math:`\mathrm{Reg} = \|w\|^2 / 2` that is :math:`\Lambda = \lambda / n`, for
:math:`\mathrm{Reg} = \|w\|^2` it is :math:`\Lambda = 2 \lambda / n`.

**Sensitivity.** *J* is :math:`\Lambda`-strongly convex. Let :math:`w, w'` minimise *J* and the
:math:`J'` of a neighbour. As :math:`\nabla J(w) = 0 = \nabla J'(w')`,

.. math:: \Lambda \|w - w'\|^2 \le (\nabla J'(w) - \nabla J'(w'))^T (w - w')
          = (\nabla J'(w) - \nabla J(w))^T (w - w'),

and the two gradients differ in one record: :math:`\|w - w'\| \le 2L / (n \Lambda)` if
:math:`|\partial_z \ell| \le L` at :math:`w`. In the note's :math:`\lambda` this is
:math:`2L/\lambda`, which does not shrink with *n*: to regularise by :math:`\lambda / n` is to
regularise less the more records there are.

**Output perturbation** adds *b* with a density proportional to
:math:`e^{-\varepsilon \|b\| / S}`, *S* the sensitivity.

**Objective perturbation** minimises :math:`J(w) + b^T w / n`. The output determines the noise,
:math:`b(w) = -n \nabla J(w)`, so with the density :math:`e^{-\beta \|b\|}` of the noise that of the
output is :math:`e^{-\beta \|b(w)\|} \det(n \nabla^2 J(w))` up to a constant. The noises of
neighbours differ by at most :math:`2L`, the first factor by :math:`e^{2 L \beta}`. The matrices
differ in two terms :math:`\ell'' x x^T` of rank one, :math:`0 \le \ell'' \le c`, over
:math:`M \succeq n \Lambda I`, and :math:`\det(M + \ell'' x x^T)` is
:math:`\det M` times :math:`1 + \ell'' x^T M^{-1} x`. Taking a record out and putting one in
changes the determinant at most by

.. math:: \frac{\det(M + \ell''_1 x x^T)}{\det(M + \ell''_2 x' x'^T)}
          \le 1 + \frac{c}{n \Lambda} .

The published algorithm charges the square of that, :math:`1 + 2c/(n\Lambda) + c^2/(n\Lambda)^2`;
one factor is enough (``tight=True``) and cannot be improved: for every *n*, :math:`\Lambda` and *c*
it is attained with one feature and a hinge whose curved part begins at a score
:math:`z_0 \ge 1/(n\Lambda)` (that of `huber_hinge` begins at :math:`1 - 1/(2c)`).
(One factor for a record that is added or removed is in Kifer, Smith and Thakurta, 2012; here a
record is replaced, for which the program of Awan and Wang charges one as well.)

A loss with a kink in :math:`\ell'` (the Huber hinge) is covered: :math:`b(w)` is Lipschitz and one
to one, and the change of variables holds outside a set of measure zero.

All this is about exact minimisers, see `minimise`, and about real arithmetic.

**Rounding.** A record whose norm is 1 has another norm in floats, so records are accepted up to
:math:`1 + 10^{-12}`. Sensitivity, curvature and noise are those of that length; a minimiser in
floats is charged for the gradient that is left, and for the rounding of that gradient.

**What no level covers.** That the number of records, the number of features, the bounds and all
settings are public; that a fit fails (see the errors) on some data and not on others; a second
answer from the same records (levels add up); and noise from a seed that somebody can guess.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray
from privlib.laplace._answers import not_masked, together
from privlib.laplace._levels import privacy_level

Curve = Callable[[FloatArray, FloatArray], FloatArray]

TOL = 1e-10

UNIT = 2.0**-53
"""By how much, relatively, one operation in floats may be off."""

NORM_SLACK = 1e-12
"""By how much the norm of a record may exceed 1."""

SMALLEST = 1e-290
"""Least scale of noise whose floats have all their digits."""

LARGEST = 1e290
"""Largest scale of noise whose floats are finite."""


@dataclass(frozen=True)
class Loss:
    r"""A convex loss of the label *y* and the score *z*; `LOSSES` has the three of the book.

    Parameters
    ----------
    name : str
        Stands for the loss in messages and in its ``repr``.
    value : callable
        The loss, of arrays *y* and *z* of one shape.
    derivative, second_derivative : callable
        Its derivatives in *z*, of the same arrays.
    lipschitz : float
        *L*, the largest :math:`|\partial_z \ell|`; infinite for the squared loss.
    curvature : float
        *c*, the largest :math:`\partial_z^2 \ell`.
    classes : bool, optional
        The labels are -1 and 1; otherwise numbers in [-1, 1].

    Notes
    -----
    The promise of a private fit rests on `lipschitz` and `curvature`: a loss with a larger
    slope anywhere gets too little noise. The fits compare both with the derivatives on a grid of
    scores, and at the scores of the records, and refuse a loss that fails there. That is no proof.

    Examples
    --------
    >>> logistic = LOSSES["logistic"]
    >>> logistic.lipschitz, logistic.curvature
    (1.0, 0.25)
    >>> float(logistic.value(np.array(1.0), np.array(0.0)))  # ln 2
    0.6931
    """

    name: str
    value: Curve = field(repr=False)
    derivative: Curve = field(repr=False)
    second_derivative: Curve = field(repr=False)
    lipschitz: float
    curvature: float
    classes: bool = True


def huber_hinge(h: float = 0.5) -> Loss:
    r"""Return the hinge loss with a parabola of half width `h` in place of its corner.

    Parameters
    ----------
    h : float
        Half width, positive.

    Returns
    -------
    Loss
        With L = 1 and c = 1/(2h).

    Raises
    ------
    ValueError
        `h` is not a positive finite number.

    Notes
    -----
    With the margin :math:`m = yz`: 0 for :math:`m > 1 + h`, :math:`1 - m` for :math:`m < 1 - h`,
    and :math:`(1 + h - m)^2 / 4h` in between.

    References
    ----------
    Chaudhuri, Monteleoni, Sarwate (2011), equation (7).

    Examples
    --------
    >>> huber_hinge(0.5).curvature
    1.0
    """
    width = checks.positive("huber_hinge", "h", h)

    def inside(y: FloatArray, z: FloatArray) -> FloatArray:  # 0 above, 2h below the parabola
        return np.clip(1 + width - y * z, 0, 2 * width)

    return Loss(
        "huber",
        lambda y, z: inside(y, z) ** 2 / (4 * width) + np.maximum(1 - width - y * z, 0),
        lambda y, z: -y * inside(y, z) / (2 * width),
        lambda y, z: (np.abs(1 - y * z) <= width) / (2 * width),
        lipschitz=1.0,
        curvature=1 / (2 * width),
    )


#: The losses by name: :math:`\ln(1 + e^{-yz})`, `huber_hinge`, and :math:`(y - z)^2 / 2`.
LOSSES = {
    "logistic": Loss(
        "logistic",
        lambda y, z: np.logaddexp(0, -y * z),
        lambda y, z: -y * expit(-y * z),
        lambda y, z: expit(z) * expit(-z),
        lipschitz=1.0,
        curvature=0.25,
    ),
    "huber": huber_hinge(),
    "squared": Loss(
        "squared",
        lambda y, z: (z - y) ** 2 / 2,
        lambda y, z: z - y,
        lambda y, z: np.ones_like(z),
        lipschitz=math.inf,
        curvature=1.0,
        classes=False,
    ),
}


def ridge_radius(regularization: float) -> float:
    r"""Return the largest norm that a solution of ridge regression can have.

    Parameters
    ----------
    regularization : float
        :math:`\Lambda`, positive.

    Returns
    -------
    float
        :math:`1 / (2 \sqrt\Lambda)` for :math:`\Lambda \le 1`, else :math:`1 / (1 + \Lambda)`.

    Raises
    ------
    ValueError
        `regularization` is not a positive finite number.

    Notes
    -----
    With records of norm at most 1 and labels in [-1, 1]. Put :math:`w = \rho u` with a unit
    vector *u* and :math:`a_i = u^T x_i`. Stationarity times *u* is
    :math:`\rho (\Lambda + \overline{a^2}) = \overline{y a} \le r`, :math:`r^2 = \overline{a^2}`,
    so :math:`\rho \le r / (\Lambda + r^2)` with some :math:`r \le 1`; the maximum is at
    :math:`r = \min(1, \sqrt\Lambda)`, and one record attains it. The scores are then at most
    :math:`\rho` and the slopes :math:`|z - y|` at most :math:`1 + \rho`. (The objective at 0 alone
    would give :math:`1/\sqrt\Lambda`.)

    Examples
    --------
    >>> ridge_radius(0.25), ridge_radius(3)
    (1.0, 0.25)
    """
    strength = checks.positive("ridge_radius", "regularization", regularization)
    exact = Fraction(strength)
    if strength <= 1:
        radius = 1 / (2 * math.sqrt(strength))
        while 4 * exact * Fraction(radius) ** 2 < 1:  # rounded down: as a bound it is rounded up
            radius = math.nextafter(radius, math.inf)
    else:
        radius = 1 / (1 + strength)
        while (1 + exact) * Fraction(radius) < 1:
            radius = math.nextafter(radius, math.inf)
    # Another route: no r in (0, 1] gives more than r / (Lambda + r^2).
    r = np.concatenate([np.linspace(0.01, 1, 100), [min(1.0, math.sqrt(strength))]])
    _safety.certify("ridge_radius", "the norm of a solution", r / (strength + r * r), radius)
    return radius


def sensitivity(
    n: npt.ArrayLike, *, regularization: npt.ArrayLike, lipschitz: npt.ArrayLike = 1.0
) -> np.float64 | FloatArray:
    r"""Return the :math:`L_2` sensitivity of the regularised minimiser.

    Parameters
    ----------
    n : array_like of int, shape (...)
        Number of records. All array arguments broadcast.
    regularization : array_like, shape (...)
        :math:`\Lambda` of :math:`(\Lambda/2) \|w\|^2`, positive; the note's is
        :math:`\lambda / n` or :math:`2 \lambda / n`, see the module.
    lipschitz : array_like, shape (...)
        Bound *L* of the slope of the loss.

    Returns
    -------
    float or ndarray, shape (...)
        :math:`2L / (n \Lambda)`.

    Raises
    ------
    ValueError
        A number is not positive, or the sensitivity is beyond the range of floats.
    TypeError
        An argument does not hold numbers, or `n` does not hold integers.

    Notes
    -----
    Rounded up. It is about exact minimisers and records of norm at most 1; `output_perturbation`
    adds what rounding takes. The derivation is in the module. Attained: all records but one at
    :math:`x = 0` and the last in the linear part of the hinge, once with each label. The logistic
    loss comes as near as one likes, with two features, many records along the first and one that
    turns along the second.

    References
    ----------
    Chaudhuri, Monteleoni, Sarwate (2011), Corollary 8; study note, chapter 9 (the objective).

    Examples
    --------
    >>> n = np.array([100, 10000])
    >>> sensitivity(n, regularization=0.1), sensitivity(n, regularization=10 / n)
    (array([0.2  , 0.002]), array([0.2, 0.2]))
    """
    where = "sensitivity"
    size = checks.integers(where, "n", n, low=1)
    bound = checks.positives(where, "lipschitz", lipschitz)
    strength = checks.positives(where, "regularization", regularization)
    together(where, n=size, regularization=strength, lipschitz=bound)
    # Digits and exponents apart, so that nothing on the way is 0 or infinite.
    top, top_power = np.frexp(bound)
    bottom, bottom_power = np.frexp(strength)
    digits = top / bottom / size
    with np.errstate(over="ignore"):
        reach = np.ldexp(digits, top_power - bottom_power + 1)
    reach = np.asarray(_safety.next_up(reach, 3))  # one for each rounding
    if not np.isfinite(reach).all():
        raise ValueError(
            f"{where}: lipschitz / (n * regularization) must be within the range of floats"
        )
    # Another route: the logarithm of 2 L, the swing of the sum of gradients, over n Lambda.
    needed = np.log2(bound) + 1 - np.log2(size.astype(np.float64)) - np.log2(strength)
    promise = "the logarithm of the sensitivity"
    _safety.certify(where, promise, needed, np.log2(reach), slack=0, unit=1e-12)
    return reach[()]


def budget(
    n: int, *, epsilon: float, regularization: float, curvature: float, tight: bool = False
) -> tuple[float, float]:
    r"""Return what objective perturbation spends on its noise, and its extra regularisation.

    Parameters
    ----------
    n : int
        Number of records.
    epsilon : float
        Level of privacy, at least 1e-300; infinite: nothing is spent.
    regularization : float
        :math:`\Lambda`, positive.
    curvature : float
        Bound *c* of the second derivative of the loss, positive.
    tight : bool
        Charge the determinant once, not twice.

    Returns
    -------
    tuple of float
        :math:`\varepsilon'` for the noise, and the :math:`\Delta` to add to :math:`\Lambda`;
        the first is rounded down, the second up.

    Raises
    ------
    ValueError
        A number is not positive or out of its range, or no :math:`\Delta` in floats is enough.
    TypeError
        An argument is not a number, `n` is not an integer, or `tight` is neither True nor False.

    Notes
    -----
    :math:`\varepsilon' = \varepsilon - k \ln(1 + c/(n\Lambda))`, *k* = 2 as published, 1 if tight.
    If that leaves nothing, :math:`\Lambda` is raised until the determinant takes half:
    :math:`\Lambda + \Delta = c / (n (e^{\varepsilon / 2k} - 1))` and
    :math:`\varepsilon' = \varepsilon / 2`.

    References
    ----------
    Chaudhuri, Monteleoni, Sarwate (2011), Algorithm 2.

    Examples
    --------
    >>> spent, extra = budget(5, epsilon=1, regularization=1, curvature=1)
    >>> round(spent, 4), extra
    (0.6354, 0.0)
    >>> spent, extra = budget(5, epsilon=0.1, regularization=1, curvature=1)
    >>> spent, round(extra, 4)
    (0.05, 6.9004)
    """
    where = "budget"
    tight = checks.flag(where, "tight", tight)
    size = checks.integer(where, "n", n, low=1, high=2**63 - 1)
    eps = privacy_level(where, "epsilon", epsilon)
    checks.bounded(where, "epsilon", eps, "be at least 1e-300", lambda e: e >= 1e-300)
    strength = checks.positive(where, "regularization", regularization)
    c = checks.positive(where, "curvature", curvature)
    if math.isinf(eps):
        return math.inf, 0.0
    times = 1 if tight else 2
    # By logarithms, which neither overflow nor vanish.
    ratio = math.log(c) - math.log(size) - math.log(strength)
    left = eps - times * float(np.logaddexp(0, ratio))
    spent = left - 1e-14 * eps  # what the difference may be off
    extra = 0.0
    if spent <= 0:
        spent = eps / 2
        half = eps / (2 * times)
        needed = math.log(c) - math.log(size) - (half + math.log(-math.expm1(-half)))
        if needed > math.log(sys.float_info.max) - 1:
            raise ValueError(
                f"{where}: at epsilon {eps:g} no regularization in floats is enough for curvature "
                f"{c:g} and {size} record(s)"
            )
        # Two units more, for next to 0 those are more than all relative errors.
        total = float(_safety.next_up(math.exp(needed) * (1 + 1e-12), 2))
        extra = max(total - strength, 0.0)
        while strength + extra < total:
            extra = math.nextafter(extra, math.inf)
    _certify_budget(where, size, (strength + extra, c, times), spent, eps)
    return spent, extra


def _certify_budget(
    where: str, size: int, terms: tuple[float, float, int], spent: float, eps: float
) -> None:
    """Add up what noise and determinant take, in decimals, and compare with epsilon."""
    strength, c, times = terms
    context = Context(prec=60)
    whole = context.multiply(Decimal(size), Decimal(strength))
    ratio = context.divide(Decimal(c), whole)
    # ln(1 + x) is at most x, which is exact enough where 1 + x could not be told from 1.
    factor = ratio if ratio < Decimal("1e-25") else context.ln(context.add(1, ratio))
    total = context.add(Decimal(spent), context.multiply(times, factor))
    _safety.certify(where, "the level that noise and determinant take", float(total), eps)


def spherical_laplace(
    dimension: int, *, scale: float, rng: Any = None, size: int | None = None
) -> FloatArray:
    r"""Return vectors with a density proportional to ``exp(-norm / scale)``.

    Parameters
    ----------
    dimension : int
        Number of coordinates *d*.
    scale : float
        Scale of the noise, in 1e-290..1e290: there the numbers are finite and have all digits.
    rng : None, int or numpy.random.Generator
        Source of the noise, or its seed. Whoever can guess the seed can subtract the noise.
    size : int, optional
        Number of vectors; ``None`` for one.

    Returns
    -------
    ndarray, shape (d,) or (size, d)
        The noise.

    Raises
    ------
    ValueError
        `dimension` is not positive, `size` is negative, `scale` is out of its range, or more than
        1e9 numbers are asked for.
    TypeError
        `rng` is neither a generator nor a seed, or an integer is none.

    Notes
    -----
    The sphere of radius *r* has an area proportional to :math:`r^{d-1}`: the norm is Gamma(*d*),
    the direction uniform, that of a standard normal vector.

    Examples
    --------
    >>> spherical_laplace(2, scale=1.0).shape
    (2,)
    """
    where = "spherical_laplace"
    d = checks.integer(where, "dimension", dimension, low=1)
    spread = checks.positive(where, "scale", scale)
    rule = f"be in {SMALLEST:g}..{LARGEST:g}"
    checks.bounded(where, "scale", spread, rule, lambda v: SMALLEST <= v <= LARGEST)
    rng = checks.generator(where, rng)
    count = [] if size is None else [checks.integer(where, "size", size, low=0)]
    _safety.limit(where, "size times dimension", d * math.prod(count), 10**9)
    direction = rng.standard_normal((*count, d))
    length = np.linalg.norm(direction, axis=-1, keepdims=True)
    # Normal numbers that are all 0, which floats allow, have no direction: take the first axis.
    direction[..., :1] += length == 0
    direction /= np.where(length == 0, 1, length)
    return np.asarray(direction * rng.gamma(d, spread, (*count, 1)))


def clip_rows(X: npt.ArrayLike, *, bound: float = 1.0) -> FloatArray:
    """Return the records, those longer than `bound` shortened to it.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Records. Labels of a table are dropped.
    bound : float
        Largest Euclidean norm, at least 1e-300.

    Returns
    -------
    ndarray, shape (n, d)
        Each record times ``min(1, bound / norm)``. A record depends on itself alone, so
        neighbours stay neighbours: clipping costs no privacy. No norm exceeds `bound`, in exact
        arithmetic: a record that is shortened ends about ``(d + 8) * 1e-16`` of `bound` within it.

    Raises
    ------
    ValueError
        `X` has not two axes or holds a number that is not finite; `bound` is too small.
    TypeError
        `X` does not hold numbers.

    Notes
    -----
    The bound must be public: the largest norm of private records is an answer of its own.

    Examples
    --------
    >>> clip_rows([[3, 4], [0.3, 0.4]])
    array([[0.6, 0.8],
           [0.3, 0.4]])
    """
    where = "clip_rows"
    records = _private(where, "X", X, ndim=2)
    limit = checks.positive(where, "bound", bound)
    checks.bounded(where, "bound", limit, "be at least 1e-300", lambda v: v >= 1e-300)
    margin = (records.shape[1] + 8) * UNIT  # more than a norm in floats can be off
    # Every record times a power of two, which is exact: the squares stay in range.
    _, power = np.frexp(np.abs(records).max(axis=1, keepdims=True, initial=0))
    factor = 2.0 ** -np.clip(power, -1000, 1000)
    with np.errstate(over="ignore", under="ignore"):
        shape = records * factor
        own_limit = limit * factor
    norms = np.linalg.norm(shape, axis=1, keepdims=True)
    long = norms > own_limit
    close = (np.abs(norms - own_limit) <= 2 * margin * norms).ravel()
    long[close, 0] = _longer(shape[close], own_limit[close])
    shorter = shape * ((limit * (1 - margin)) / np.where(long, norms, limit))
    clipped = np.where(long, shorter, records)
    # Another route: the squares of what is returned, in units of the bound.
    with np.errstate(under="ignore"):
        units = clipped / limit
        squares = np.einsum("ij,ij->i", units, units)
    _safety.certify(where, "the squared norm of a record", squares, 1, slack=4 * margin)
    return clipped


def _longer(rows: FloatArray, bounds: FloatArray) -> npt.NDArray[np.bool_]:
    """Tell, exactly, which rows are longer than their bounds; entries are at most about 1."""
    # A number is the sum of two of half its digits, whose products are exact (Veltkamp).
    entries = np.hstack([rows, bounds])
    spread = entries * (2.0**27 + 1)
    high = spread - (spread - entries)
    low = entries - high
    terms = np.hstack([high * high, 2 * high * low, low * low])
    terms[:, entries.shape[1] - 1 :: entries.shape[1]] *= -1
    excess = terms.sum(axis=1, dtype=np.longdouble)
    size = np.abs(terms).sum(axis=1)
    unsure = np.abs(excess) <= terms.shape[1] * float(np.finfo(np.longdouble).eps) * size
    longer = np.asarray(excess > 0)
    # `fsum` adds exactly and rounds once, so that its sign is right.
    longer[unsure] = [math.fsum(row) > 0 for row in terms[unsure].tolist()]
    return longer


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel:
    r"""Weights of a linear model and how they came about.

    Parameters
    ----------
    weights : ndarray, shape (d,)
        The weights *w* of the scores ``X @ w``. Only these (and what was public before) may be
        published.
    epsilon : float, optional
        Level of privacy of `weights`; infinite without noise.
    noise_scale : float, optional
        Scale of the spherical noise, in the weights or in the objective; 0 without.
    extra_regularization : float, optional
        What objective perturbation added to :math:`\Lambda`.
    gradient_norm : float, optional
        Norm of the gradient of what was minimised, at what was found. It depends on the data: a
        private model has `tol` in its place.

    Examples
    --------
    >>> model = output_perturbation([[0.6], [-0.8]], [1, -1], epsilon=1, regularization=1, rng=1)
    >>> model
    LinearModel(1 weights, epsilon 1, noise scale 1)
    >>> (np.array([[0.6], [-0.8]]) @ model.weights).shape
    (2,)
    """

    weights: FloatArray
    epsilon: float = math.inf
    noise_scale: float = 0.0
    extra_regularization: float = 0.0
    gradient_norm: float = 0.0

    def __post_init__(self) -> None:
        checks.not_masked("LinearModel", "weights", self.weights)
        vars(self).update(weights=_safety.owned(self.weights))

    def __reduce__(self) -> Any:
        """Return how to make it again, so that a copy can be written to no more than this."""
        return type(self), tuple(vars(self).values())

    def __repr__(self) -> str:
        # Without the norm of the gradient, which depends on the data.
        return (
            f"LinearModel({self.weights.size} weights, epsilon {self.epsilon:g}, "
            f"noise scale {self.noise_scale:.4g})"
        )


def minimise(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    loss: Loss | str = "logistic",
    regularization: float,
    linear: npt.ArrayLike | None = None,
    tol: float = TOL,
) -> LinearModel:
    r"""Return the minimiser of the regularised empirical loss, without privacy.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Records, each of norm at most 1 (`clip_rows` shortens longer ones).
    y : array_like, shape (n,)
        Labels: -1 and 1, or numbers in [-1, 1] for the squared loss.
    loss : Loss or {"logistic", "huber", "squared"}
        The loss.
    regularization : float
        :math:`\Lambda`, positive.
    linear : array_like, shape (d,), optional
        A vector *v*: minimise :math:`J(w) + v^T w`.
    tol : float
        Bound of the gradient's norm at the result, relative to 1 + the norm of `linear`.

    Returns
    -------
    LinearModel
        With `gradient_norm` at most ``tol * (1 + norm(linear))``.

    Raises
    ------
    ValueError
        Shapes do not fit, there is no record, a record is longer than 1, a label is not allowed,
        `regularization` or `tol` is not positive, or the loss is unknown.
    TypeError
        An argument does not hold numbers.
    RuntimeError
        The bound is not reached in double precision.

    Notes
    -----
    Without noise: neither the weights nor `gradient_norm` may be published.

    Newton's method, shortened where the objective would rise; the search along a step looks only
    at slopes, which keep their digits where values of the objective no longer do. (The minimisers
    of SciPy compare values and stop short of `tol`, which the guarantees below are stated in.)
    There is no intercept (append a constant column, inside the norm). By strong convexity the
    minimiser is within ``gradient_norm / regularization``.

    Examples
    --------
    >>> fitted = minimise([[1.0], [-1.0]], [1, 1], loss="squared", regularization=1)
    >>> fitted.weights.round(6) + 0.0
    array([0.])
    """
    where = "minimise"
    chosen = _loss(where, loss)
    records, labels = _data(where, X, y, chosen)
    strength = checks.positive(where, "regularization", regularization)
    push = np.zeros(records.shape[1])
    if linear is not None:
        push = checks.reals(where, "linear", linear, shape=push.shape)
    precision = checks.positive(where, "tol", tol)
    weights, norm = _minimise(where, records, labels, chosen, strength, push, precision)
    return LinearModel(weights, gradient_norm=norm)


def output_perturbation(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    epsilon: float,
    regularization: float,
    loss: Loss | str = "logistic",
    tol: float = TOL,
    rng: Any = None,
) -> LinearModel:
    r"""Return the minimiser plus noise: an epsilon-private model.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Records, each of norm at most 1 (`clip_rows` shortens longer ones).
    y : array_like, shape (n,)
        Labels: -1 and 1, or numbers in [-1, 1] for the squared loss.
    epsilon : float
        Level of differential privacy, positive; neighbours differ in one record. Infinite: no
        noise.
    regularization : float
        :math:`\Lambda`, positive.
    loss : Loss or {"logistic", "huber", "squared"}
        The loss.
    tol : float
        How exactly it is minimised, see `minimise`.
    rng : None, int or numpy.random.Generator
        Source of the noise, or its seed. Whoever can guess the seed can subtract the noise.

    Returns
    -------
    LinearModel
        With ``noise_scale = (sensitivity + 2 * gap / regularization) / epsilon``, where ``gap`` is
        `tol` and a bound of the rounding in the gradient, about ``1e-14 * curvature * lipschitz /
        regularization``.

    Raises
    ------
    ValueError
        `epsilon` is not positive, the noise would be beyond the range of floats or lost in the
        rounding of the weights (``n * epsilon`` beyond 1e13), the loss breaks its own bounds, or
        `minimise` refuses its arguments.
    TypeError
        An argument does not hold numbers, or `rng` is neither a generator nor a seed.
    RuntimeError
        The bound `tol` is not reached in double precision.
    privlib.UncertifiedError
        What was found does not pass the checks below.

    Notes
    -----
    Any two results of `minimise` are as close as the two minimisers plus twice
    ``tol / regularization``. That is added to the sensitivity, so the guarantee does not
    rest on exact minimisation (it does rest on real arithmetic in the noise, and on the bounds
    that a `Loss` of one's own states).
    The slope of the squared loss is bounded on the scores that minimisers can have, which is
    where the derivation uses it: :math:`L = 1 +` `ridge_radius`.

    Before it returns, the level is computed in fractions from the scale; the gradient is summed
    again, in another order; and the slope at every record is compared with *L*.

    References
    ----------
    Chaudhuri, Monteleoni, Sarwate (2011), Algorithm 1.

    Examples
    --------
    >>> model = output_perturbation([[0.6], [-0.8]], [1, -1], epsilon=1, regularization=1)
    >>> round(model.noise_scale, 6), model.weights.shape
    (1.0, (1,))
    """
    where = "output_perturbation"
    rng = checks.generator(where, rng)
    eps = privacy_level(where, "epsilon", epsilon)
    chosen = _loss(where, loss)
    strength = checks.positive(where, "regularization", regularization)
    precision = checks.positive(where, "tol", tol)
    records, labels = _data(where, X, y, chosen)
    n, d = records.shape
    length = _longest(d)
    if chosen == LOSSES["squared"]:
        radius = length * ridge_radius(strength)
        slope = 1 + length * radius
    else:
        slope = checks.positive(where, "lipschitz", chosen.lipschitz)
        radius = slope * length / strength
    _keeps_bounds(where, chosen)
    weights, _ = _minimise(where, records, labels, chosen, strength, np.zeros(d), precision)
    if math.isinf(eps):
        return LinearModel(weights, gradient_norm=precision)
    gap = precision + _rounding(chosen, slope, radius, d)
    reach = float(sensitivity(n, regularization=strength, lipschitz=slope * length))
    reach += 2 * gap / strength
    scale = reach / eps * (1 + 16 * UNIT)
    _carried(where, scale, radius)
    _certify_weights(
        where, records, labels, loss=chosen, weights=weights,
        strength=strength, push=np.zeros(d), gap=gap, bound=slope,
    )  # fmt: skip
    # Another route to the level: the strong convexity of the module's head, in fractions.
    swing = 2 * Fraction(slope) * (1 + Fraction(NORM_SLACK)) / n
    level = (swing + 2 * Fraction(precision)) / Fraction(strength) / Fraction(scale)
    _safety.certify(where, "the level of the noise", float(level), eps, slack=0)
    noise = spherical_laplace(d, scale=scale, rng=rng)
    return LinearModel(weights + noise, eps, scale, gradient_norm=precision)


def objective_perturbation(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    epsilon: float,
    regularization: float,
    loss: Loss | str = "logistic",
    tight: bool = False,
    tol: float = TOL,
    rng: Any = None,
) -> LinearModel:
    r"""Return the minimiser of a noisy objective: an epsilon-private model.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Records, each of norm at most 1 (`clip_rows` shortens longer ones).
    y : array_like, shape (n,)
        Labels: -1 and 1.
    epsilon : float
        Level of differential privacy, positive; neighbours differ in one record. Infinite: no
        noise.
    regularization : float
        :math:`\Lambda`, positive.
    loss : Loss or {"logistic", "huber"}
        The loss; it must have a bounded slope, so not the squared loss.
    tight : bool
        Charge the determinant once instead of twice, see the module and `budget`.
    tol : float
        How exactly it is minimised, see `minimise`.
    rng : None, int or numpy.random.Generator
        Source of the noise, or its seed. Whoever can guess the seed can solve for the data.

    Returns
    -------
    LinearModel
        With ``noise_scale = 2 * lipschitz / spent``, the scale of *b* (rounded up).

    Raises
    ------
    ValueError
        `epsilon` is not positive, the noise would be beyond the range of floats, the loss has no
        global bound of its slope or breaks its own bounds, `tol` is too coarse for so many records
        (``100 * n * tol`` beyond `lipschitz`), or `minimise` refuses its arguments.
    TypeError
        An argument does not hold numbers, `rng` is neither a generator nor a seed, or `tight` is
        neither True nor False.
    RuntimeError
        The bound of the gradient is not reached in double precision, as at an `epsilon` below
        about 1e-13 times the number of features.
    privlib.UncertifiedError
        What was found does not pass the checks below.

    Notes
    -----
    **Not covered.** The proof takes the exact minimiser, with one charge of the determinant or
    two. Here the gradient is at most `tol` (relative) and at most a hundredth of what one record
    can do, however large the noise is; that is not part of the level: the output carries traces
    below that size.
    The noise may lead to any *w*, so a bound of the slope at minimisers alone, which is enough
    for output perturbation, is of no use.

    Before it returns, what noise and determinant take is added up in decimals; the gradient is
    summed again, in another order; and the slope at every record is compared with *L*.

    References
    ----------
    Chaudhuri, Monteleoni, Sarwate (2011), Algorithm 2 and Theorem 9.

    Examples
    --------
    >>> data = [[0.6], [-0.8]], [1, -1]
    >>> model = objective_perturbation(*data, epsilon=1, regularization=1)
    >>> round(model.noise_scale, 4), model.extra_regularization
    (2.6163, 0.0)
    """
    where = "objective_perturbation"
    tight = checks.flag(where, "tight", tight)
    rng = checks.generator(where, rng)
    eps = privacy_level(where, "epsilon", epsilon)
    chosen = _loss(where, loss)
    if not math.isfinite(chosen.lipschitz):
        raise ValueError(
            f"{where}: loss must have a bounded slope, got {chosen.name} (use output_perturbation)"
        )
    _keeps_bounds(where, chosen)
    strength = checks.positive(where, "regularization", regularization)
    precision = checks.positive(where, "tol", tol)
    records, labels = _data(where, X, y, chosen)
    n, d = records.shape
    if math.isinf(eps):
        weights, _ = _minimise(where, records, labels, chosen, strength, np.zeros(d), precision)
        return LinearModel(weights, gradient_norm=precision)
    if 100 * n * precision > chosen.lipschitz:
        largest = _safety.round_down(chosen.lipschitz / (100 * n))
        raise ValueError(
            f"{where}: tol must be at most {largest:g} for {n} records, got {precision:g}"
        )
    length = _longest(d)
    curvature = chosen.curvature * length**2
    spent, extra = budget(n, epsilon=eps, regularization=strength, curvature=curvature, tight=tight)
    scale = 2 * chosen.lipschitz * length / spent * (1 + 4 * UNIT)
    _carried(where, scale, 0.0)
    # Another route to the level of the noise: the swing of one record in fractions.
    swing = 2 * Fraction(chosen.lipschitz) * (1 + Fraction(NORM_SLACK))
    _safety.certify(where, "the level of the noise", float(swing / Fraction(scale)), spent, slack=0)
    push = spherical_laplace(d, scale=scale, rng=rng) / n
    total = strength + extra
    # Where the noise is large, `tol` times its length is more than a record can do.
    most = chosen.lipschitz / (100 * n)
    weights, _ = _minimise(where, records, labels, chosen, total, push, precision, most)
    length_of_push = float(np.linalg.norm(push))
    reached = float(np.linalg.norm(weights))
    gap = min(precision * (1 + length_of_push), most)
    gap += _rounding(chosen, chosen.lipschitz + total * reached + length_of_push, reached, d)
    _certify_weights(
        where, records, labels, loss=chosen, weights=weights,
        strength=total, push=push, gap=gap, bound=chosen.lipschitz,
    )  # fmt: skip
    return LinearModel(weights, eps, scale, extra, gradient_norm=precision)


# --- minimising --------------------------------------------------------------------------------


def _minimise(
    where: str,
    records: FloatArray,
    labels: FloatArray,
    chosen: Loss,
    strength: float,
    push: FloatArray,
    tol: float,
    most: float = math.inf,
) -> tuple[FloatArray, float]:
    """Return the minimiser by Newton's method, and the norm of the gradient there.

    The norm is at most `tol` relative to 1 + the norm of `push`, and at most `most`.
    """
    from scipy.optimize import brentq  # a third of the import time, and needed here only

    n, d = records.shape
    limit = min(tol * (1 + float(np.linalg.norm(push))), most)

    def gradient(w: FloatArray) -> FloatArray:
        slopes = chosen.derivative(labels, records @ w)
        return np.asarray(records.T @ slopes / n + strength * w + push)

    def along(t: float, w: FloatArray, step: FloatArray) -> float:  # increases with t
        return float(gradient(w + t * step) @ step)

    w = np.zeros(d)
    for _ in range(100):
        g = gradient(w)
        norm = float(np.linalg.norm(g))
        if norm <= limit:
            return w, norm
        curved = chosen.second_derivative(labels, records @ w)
        hessian = (records.T * curved) @ records / n + strength * np.eye(d)
        try:  # both refuse a matrix that is singular to rounding
            step = cho_solve(cho_factor(hessian), -g)
            if along(1, w, step) <= 0:
                w = w + step
            else:
                w = w + step * brentq(along, 0, 1, args=(w, step))
        except ValueError:  # LinAlgError is one
            break
    # Not how far it is, which the data decide.
    bound = f"tol = {tol:g}"
    if most < math.inf:
        bound += ", and a hundredth of what one record can do,"
    raise RuntimeError(f"{where}: the gradient does not come below {bound} in double precision")


def _rounding(loss: Loss, slope: float, radius: float, d: int) -> float:
    """Return a bound of the rounding in a gradient at weights of about that norm, summed in pairs.

    A score is off by d units of `radius`, a slope by `curvature` times that, a sum in pairs by
    fewer than 64 units. Doubled, as what is returned is not quite the minimiser.
    """
    return 2 * UNIT * (d + 64) * (4 * slope + 2 * loss.curvature * radius)


def _certify_weights(
    where: str,
    records: FloatArray,
    labels: FloatArray,
    *,
    loss: Loss,
    weights: FloatArray,
    strength: float,
    push: FloatArray,
    gap: float,
    bound: float,
) -> None:
    """Compare what the noise rests on with weights: their gradient, and the slope at each record.

    The gradient is summed again, in pairs; it must not be longer than `gap`, nor a slope steeper
    than `bound`.
    """
    scores = np.einsum("ij,j->i", records, weights)
    slopes = loss.derivative(labels, scores)
    # One feature a line in memory, for that is where numpy sums in pairs.
    sums = np.multiply(records.T, slopes, order="C").sum(axis=1)
    gradient = sums / len(labels) + strength * weights + push
    if not np.linalg.norm(gradient) <= gap:
        raise _safety.UncertifiedError(
            f"{where}: the gradient, summed again, is larger than the noise allows for; nothing "
            "is returned (a larger regularization or tol may help)"
        )
    if not (np.abs(slopes) <= bound * (1 + _safety.SLACK)).all():
        raise _safety.UncertifiedError(
            f"{where}: the loss {loss.name} has a slope above {bound:g}, the bound that the noise "
            "rests on; nothing is returned"
        )


def _carried(where: str, scale: float, radius: float) -> None:
    """Refuse noise that floats do not carry, alone or beside weights of that norm."""
    if not SMALLEST <= scale <= LARGEST:
        raise ValueError(
            f"{where}: the noise scale must be in {SMALLEST:g}..{LARGEST:g}, got {scale:g}; change "
            "epsilon or regularization"
        )
    if scale < 2.0**-45 * radius:
        raise ValueError(
            f"{where}: n * epsilon must be at most about 1e13, beyond which the noise is lost in "
            f"the rounding of the weights, got the noise scale {scale:g}; pass epsilon=inf for no "
            "privacy"
        )


# --- what comes in -----------------------------------------------------------------------------


def _longest(d: int) -> float:
    """Return the largest norm of a record that `_data` accepts, with the rounding of its norm."""
    return 1 + NORM_SLACK + (d + 8) * UNIT


def _loss(where: str, loss: Any) -> Loss:
    """Return the loss of that name, or the loss itself."""
    if not isinstance(loss, Loss):
        return LOSSES[checks.choice(where, "loss", loss, [*LOSSES])]
    checks.flag(where, "loss.classes", loss.classes)
    return loss


def _keeps_bounds(where: str, loss: Loss) -> None:
    """Refuse a loss that breaks its own bounds on a grid of scores."""
    fault = _fault_of(loss)
    if fault:
        raise ValueError(f"{where}: loss must {fault}")


@functools.lru_cache(maxsize=64)
def _fault_of(loss: Loss) -> str:
    """Compare a loss with the bounds that it states, on a grid; return the rule that it breaks."""
    for name in ("lipschitz", "curvature"):
        bound = getattr(loss, name)
        infinite = name == "lipschitz" and isinstance(bound, float) and bound == math.inf
        if not infinite:
            checks.positive("Loss", name, bound)
    wide = np.logspace(-4, 4, 81)
    z = np.unique(np.concatenate([-wide, np.linspace(-3, 3, 241), wide]))
    for label in (-1.0, 1.0) if loss.classes else (-1.0, -0.5, 0.0, 0.5, 1.0):
        y = np.full(z.shape, label)
        slopes = np.asarray(loss.derivative(y, z), dtype=np.float64)
        bends = np.asarray(loss.second_derivative(y, z), dtype=np.float64)
        if slopes.shape != z.shape or bends.shape != z.shape:
            return "have derivatives of the shape of their arguments"
        if not (np.isfinite(slopes).all() and np.isfinite(bends).all()):
            return "have finite derivatives"
        if not (np.abs(slopes) <= loss.lipschitz * (1 + _safety.SLACK)).all():
            return f"have no slope above its lipschitz, {loss.lipschitz:g}"
        # Between two scores the slope rises by at most the curvature; rounding is a few units.
        rises = np.diff(slopes)
        noise = 16 * UNIT * (np.abs(slopes[1:]) + np.abs(slopes[:-1]))
        if (rises < -noise).any() or (bends < 0).any():
            return "be convex"
        steep = rises > loss.curvature * (1 + _safety.SLACK) * np.diff(z) + noise
        if steep.any() or (bends > loss.curvature * (1 + _safety.SLACK)).any():
            return f"have no second derivative above its curvature, {loss.curvature:g}"
    return ""


def _private(where: str, name: str, value: Any, **rules: Any) -> FloatArray:
    """Return private numbers as an array; a message says the rule, and none of the numbers."""
    not_masked(where, name, value)
    try:
        return checks.reals(where, name, value, records=True, **rules)
    except (TypeError, ValueError) as error:
        rule, _, ending = str(error).partition(", got ")
        public = ending.startswith(("shape", "(", "a sparse matrix"))
        message = f"{rule}, got {ending}" if public else rule
        kind = type(error)
    raise kind(message)  # out here it carries no trace of the first message


def same_people(where: str, X: Any, *, y: Any) -> None:
    """Refuse records and labels of different people, without naming them.

    Parameters
    ----------
    where : str
        Name of the public function, for the message.
    X, y : array_like, DataFrame or Series
        Records and labels, one row a person. Only what pandas makes has an index to compare.

    Raises
    ------
    ValueError
        Both have an index, and the two differ.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [0.3, 0.5]}, index=["Ada", "Ben"])
    >>> same_people("fit", X, y=[1, -1])
    >>> same_people("fit", X, y=pd.Series([1, -1], index=["Ben", "Ada"]))
    Traceback (most recent call last):
        ...
    ValueError: fit: X and y must have the same index in the same order; pass y.loc[X.index]
    """
    try:
        _safety.same_records(where, X=X, y=y)
        return
    except ValueError:
        pass  # its message quotes the index, which may be the names of people
    raise ValueError(
        f"{where}: X and y must have the same index in the same order; pass y.loc[X.index]"
    )


def _data(where: str, X: Any, y: Any, loss: Loss) -> tuple[FloatArray, FloatArray]:
    """Return records and labels that the guarantee covers."""
    same_people(where, X, y=y)
    records = _private(where, "X", X, ndim=2)
    if 0 in records.shape:
        raise ValueError(f"{where}: X must have a record and a column, got shape {records.shape}")
    labels = _private(where, "y", y, shape=records.shape[:1])
    sizes = np.abs(labels)
    if loss.classes and not (sizes == 1).all():
        raise ValueError(f"{where}: y must be -1 or 1")
    if not (sizes <= 1).all():
        raise ValueError(f"{where}: y must be in [-1, 1]")
    with np.errstate(over="ignore"):
        norms = np.linalg.norm(records, axis=1)
    if not (norms <= 1 + NORM_SLACK).all():
        raise ValueError(f"{where}: every record must have a norm of at most 1 (use clip_rows)")
    return records, labels
