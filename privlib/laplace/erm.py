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
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from privlib import _checks as checks
from privlib._checks import FloatArray

Curve = Callable[[FloatArray, FloatArray], FloatArray]

TOL = 1e-10


@dataclass(frozen=True)
class Loss:
    r"""A convex loss of the label *y* and the score *z*; `LOSSES` has the three of the book.

    Attributes
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
    classes : bool
        The labels are -1 and 1; otherwise numbers in [-1, 1].
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
    return 1 / (2 * math.sqrt(strength)) if strength <= 1 else 1 / (1 + strength)


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
        A number is not positive.
    TypeError
        An argument does not hold numbers, or `n` does not hold integers.

    Notes
    -----
    The derivation is in the module. Attained: all records but one at :math:`x = 0` and the last
    in the linear part of the hinge, once with each label. The logistic loss comes as near as one
    likes, with two features, many records along the first and one that turns along the second.

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
    return np.asarray(2 * bound / (size * strength))[()]


def budget(
    n: int, *, epsilon: float, regularization: float, curvature: float, tight: bool = False
) -> tuple[float, float]:
    r"""Return what objective perturbation spends on its noise, and its extra regularisation.

    Parameters
    ----------
    n : int
        Number of records.
    epsilon : float
        Level of privacy, positive.
    regularization : float
        :math:`\Lambda`, positive.
    curvature : float
        Bound *c* of the second derivative of the loss, positive.
    tight : bool
        Charge the determinant once, not twice.

    Returns
    -------
    tuple of float
        :math:`\varepsilon'` for the noise, and the :math:`\Delta` to add to :math:`\Lambda`.

    Raises
    ------
    ValueError
        A number is not positive.
    TypeError
        An argument is not a number, or `n` is not an integer.

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
    size = checks.integer("budget", "n", n, low=1)
    eps = checks.positive("budget", "epsilon", epsilon)
    strength = checks.positive("budget", "regularization", regularization)
    c = checks.positive("budget", "curvature", curvature)
    times = 1 if tight else 2
    left = eps - times * math.log1p(c / (size * strength))
    if left > 0:
        return left, 0.0
    return eps / 2, c / (size * math.expm1(eps / (2 * times))) - strength


def spherical_laplace(
    dimension: int, *, scale: float, rng: Any = None, size: int | None = None
) -> FloatArray:
    r"""Return vectors with a density proportional to ``exp(-norm / scale)``.

    Parameters
    ----------
    dimension : int
        Number of coordinates *d*.
    scale : float
        Scale of the noise, positive.
    rng : None, int or numpy.random.Generator
        Source of the noise, or its seed.
    size : int, optional
        Number of vectors; ``None`` for one.

    Returns
    -------
    ndarray, shape (d,) or (size, d)
        The noise.

    Raises
    ------
    ValueError
        `dimension` is not positive, `size` is negative, or `scale` is not positive.
    TypeError
        `rng` is neither a generator nor a seed, or an integer is none.

    Notes
    -----
    The sphere of radius *r* has an area proportional to :math:`r^{d-1}`: the norm is Gamma(*d*),
    the direction uniform, that of a standard normal vector.

    Examples
    --------
    >>> spherical_laplace(2, scale=1.0, rng=0).shape
    (2,)
    """
    d = checks.integer("spherical_laplace", "dimension", dimension, low=1)
    spread = checks.positive("spherical_laplace", "scale", scale)
    rng = checks.generator("spherical_laplace", rng)
    count = [] if size is None else [checks.integer("spherical_laplace", "size", size, low=0)]
    direction = rng.standard_normal((*count, d))
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    return np.asarray(direction * rng.gamma(d, spread, (*count, 1)))


def clip_rows(X: npt.ArrayLike, *, bound: float = 1.0) -> Any:
    """Return the records, those longer than `bound` shortened to it.

    Parameters
    ----------
    X : array_like, shape (n, d)
        Records.
    bound : float
        Largest Euclidean norm, positive.

    Returns
    -------
    ndarray or DataFrame, shape (n, d)
        Each record times ``min(1, bound / norm)``. A record depends on itself alone, so
        neighbours stay neighbours: clipping costs no privacy.

    Raises
    ------
    ValueError
        `X` has not two axes or holds a number that is not finite; `bound` is not positive.
    TypeError
        `X` does not hold numbers.

    Examples
    --------
    >>> clip_rows([[3, 4], [0.3, 0.4]])
    array([[0.6, 0.8],
           [0.3, 0.4]])
    """
    records = checks.reals("clip_rows", "X", X, ndim=2)
    limit = checks.positive("clip_rows", "bound", bound)
    peak = np.abs(records).max(axis=1, keepdims=True, initial=min(limit, 1))
    unit = np.where((peak > 1e100) | (limit < 1e-100), peak, 1)  # the squares stay in range
    shape = records / unit
    norms = np.linalg.norm(shape, axis=1, keepdims=True)
    clipped = shape * (limit / np.maximum(norms, limit / unit))
    return checks.labelled(np.where(norms > limit / unit, clipped, records), X)


@dataclass(frozen=True, eq=False)
class LinearModel:
    r"""Weights of a linear model and how they came about.

    Attributes
    ----------
    weights : ndarray, shape (d,)
        The weights *w* of the scores ``X @ w``. Only these (and what was public before) may be
        published.
    epsilon : float
        Level of privacy of `weights`; infinite without noise.
    noise_scale : float
        Scale of the spherical noise, in the weights or in the objective; 0 without.
    extra_regularization : float
        What objective perturbation added to :math:`\Lambda`.
    gradient_norm : float
        Norm of the gradient of what was minimised, at what was found. Depends on the data.
    """

    weights: FloatArray
    epsilon: float = math.inf
    noise_scale: float = 0.0
    extra_regularization: float = 0.0
    gradient_norm: float = field(default=0.0, repr=False)


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
    return _minimise("minimise", X, y, loss, regularization, linear, tol)


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
    X, y, regularization, loss, tol
        What is minimised, and how exactly, see `minimise`.
    epsilon : float
        Level of differential privacy, positive; neighbours differ in one record.
    rng : None, int or numpy.random.Generator
        Source of the noise, or its seed.

    Returns
    -------
    LinearModel
        With ``noise_scale = (sensitivity + 2 * tol / regularization) / epsilon``.

    Raises
    ------
    ValueError
        `epsilon` is not positive, or `minimise` refuses its arguments.
    TypeError
        An argument does not hold numbers, or `rng` is neither a generator nor a seed.
    RuntimeError
        The bound `tol` is not reached in double precision.

    Notes
    -----
    Any two results of `minimise` are as close as the two minimisers plus twice
    ``tol / regularization``. That is added to the sensitivity, so the guarantee does not
    rest on exact minimisation (it does rest on real arithmetic in the noise).
    The slope of the squared loss is bounded on the scores that minimisers can have, which is
    where the derivation uses it: :math:`L = 1 +` `ridge_radius`.

    References
    ----------
    Chaudhuri, Monteleoni, Sarwate (2011), Algorithm 1.

    Examples
    --------
    >>> model = output_perturbation([[0.6], [-0.8]], [1, -1], epsilon=1, regularization=1, rng=0)
    >>> round(model.noise_scale, 6), model.weights.shape
    (1.0, (1,))
    """
    where = "output_perturbation"
    rng = checks.generator(where, rng)
    eps = checks.positive(where, "epsilon", epsilon)
    chosen = _loss(where, loss)
    exact = _minimise(where, X, y, chosen, regularization, None, tol)
    slope = chosen.lipschitz if chosen != LOSSES["squared"] else 1 + ridge_radius(regularization)
    reach = sensitivity(len(np.asarray(y)), regularization=regularization, lipschitz=slope)
    scale = float(reach + 2 * tol / regularization) / eps
    noise = spherical_laplace(exact.weights.size, scale=scale, rng=rng)
    return LinearModel(exact.weights + noise, eps, scale, gradient_norm=exact.gradient_norm)


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
    X, y, regularization, loss, tol
        What is minimised, and how exactly, see `minimise`; the loss must have a bounded slope, so
        not the squared loss.
    epsilon : float
        Level of differential privacy, positive; neighbours differ in one record.
    tight : bool
        Charge the determinant once instead of twice, see the module and `budget`.
    rng : None, int or numpy.random.Generator
        Source of the noise, or its seed.

    Returns
    -------
    LinearModel
        With ``noise_scale = 2 * lipschitz / spent``, the scale of *b*.

    Raises
    ------
    ValueError
        `epsilon` is not positive, the loss has no global bound of its slope, or `minimise` refuses
        its arguments.
    TypeError
        An argument does not hold numbers, or `rng` is neither a generator nor a seed.
    RuntimeError
        The bound `tol` is not reached in double precision.

    Notes
    -----
    The proof takes the exact minimiser. Here the gradient is at most `tol` (relative), which
    the guarantee does not cover: the output then carries traces below that size.
    The noise may lead to any *w*, so a bound of the slope at minimisers alone, which is enough
    for output perturbation, is of no use.

    References
    ----------
    Chaudhuri, Monteleoni, Sarwate (2011), Algorithm 2 and Theorem 9.

    Examples
    --------
    >>> data = [[0.6], [-0.8]], [1, -1]
    >>> model = objective_perturbation(*data, epsilon=1, regularization=1, rng=0)
    >>> round(model.noise_scale, 4), model.extra_regularization
    (2.6163, 0.0)
    """
    where = "objective_perturbation"
    rng = checks.generator(where, rng)
    eps = checks.positive(where, "epsilon", epsilon)
    chosen = _loss(where, loss)
    if not math.isfinite(chosen.lipschitz):
        raise ValueError(
            f"{where}: loss must have a bounded slope, got {chosen.name} (use output_perturbation)"
        )
    records, labels = _data(where, X, y, chosen)
    n, d = records.shape
    strength = checks.positive(where, "regularization", regularization)
    spent, extra = budget(
        n, epsilon=eps, regularization=strength, curvature=chosen.curvature, tight=tight
    )
    scale = 2 * chosen.lipschitz / spent
    b = spherical_laplace(d, scale=scale, rng=rng)
    found = _minimise(where, records, labels, chosen, strength + extra, b / n, tol)
    return LinearModel(found.weights, eps, scale, extra, found.gradient_norm)


# ---------------------------------------------------------------------------------------------


def _minimise(
    where: str, X: Any, y: Any, loss: Any, regularization: Any, linear: Any, tol: Any
) -> LinearModel:
    """Check everything, then Newton's method."""
    from scipy.optimize import brentq  # a third of the import time, and needed here only

    chosen = _loss(where, loss)
    records, labels = _data(where, X, y, chosen)
    strength = checks.positive(where, "regularization", regularization)
    n, d = records.shape
    push = checks.reals(where, "linear", np.zeros(d) if linear is None else linear, shape=(d,))
    limit = checks.positive(where, "tol", tol) * (1 + float(np.linalg.norm(push)))

    def gradient(w: FloatArray) -> FloatArray:
        slopes = chosen.derivative(labels, records @ w)
        return np.asarray(records.T @ slopes / n + strength * w + push)

    def along(t: float, w: FloatArray, step: FloatArray) -> float:  # increases with t
        return float(gradient(w + t * step) @ step)

    w = np.zeros(d)
    for _ in range(100):
        g = gradient(w)
        if (norm := float(np.linalg.norm(g))) <= limit:
            return LinearModel(w, gradient_norm=norm)
        curved = chosen.second_derivative(labels, records @ w)
        hessian = (records.T * curved) @ records / n + strength * np.eye(d)
        try:  # both refuse a matrix that is singular to rounding
            step = cho_solve(cho_factor(hessian), -g)
            w = w + step * (1 if along(1, w, step) <= 0 else brentq(along, 0, 1, args=(w, step)))
        except ValueError:  # LinAlgError is one
            break
    raise RuntimeError(f"{where}: the gradient's norm is {norm:.3g}, above {limit:.3g}")


def _loss(where: str, loss: Any) -> Loss:
    """Return the loss of that name, or the loss itself."""
    return loss if isinstance(loss, Loss) else LOSSES[checks.choice(where, "loss", loss, [*LOSSES])]


def _data(where: str, X: Any, y: Any, loss: Loss) -> tuple[FloatArray, FloatArray]:
    """Return records and labels that the guarantee covers."""
    records = checks.reals(where, "X", X, ndim=2)
    if 0 in records.shape:
        raise ValueError(f"{where}: X must have a record and a column, got shape {records.shape}")
    rule, fits = ("-1 or 1", np.equal) if loss.classes else ("in [-1, 1]", np.less_equal)
    length = records.shape[:1]
    labels = checks.reals(where, "y", y, rule, lambda v: fits(abs(v), 1), shape=length)
    norms = np.linalg.norm(records, axis=1)
    if norms.max() > 1 + 1e-12:  # what rounding may add to a record of norm 1
        raise ValueError(
            f"{where}: every record must have a norm of at most 1, got {norms.max()} (clip_rows)"
        )
    return records, labels
