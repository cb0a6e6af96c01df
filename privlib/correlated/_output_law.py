r"""The law of the output: Laplace noise on a normal sum.

Given :math:`x_i, x_K` the sum is normal, so the output :math:`r = s + \mathrm{Lap}(\lambda)`
has the density :math:`g(r - \mathrm E s)` with :math:`g = \mathrm{Lap}(\lambda) * N(0, \sigma^2)`,

.. math:: g(t) = \frac{1}{4\lambda} e^{\sigma^2 / 2\lambda^2} \left[
    e^{t/\lambda} \,\mathrm{erfc}\,\frac{\sigma/\lambda + t/\sigma}{\sqrt 2} +
    e^{-t/\lambda} \,\mathrm{erfc}\,\frac{\sigma/\lambda - t/\sigma}{\sqrt 2} \right].

:math:`|g'| < g/\lambda` and :math:`(\log g)' \to \mp 1/\lambda` at :math:`\pm\infty`: two such
densities :math:`\Delta` apart have a log ratio inside :math:`(-\Delta/\lambda, \Delta/\lambda)`
that tends to both ends and reaches neither, unless :math:`\sigma = 0`. Evaluated as written, the
formula overflows for :math:`\sigma \gg \lambda`; the functions below do not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import erfc, erfcx, ndtr

from privlib import _checks as checks
from privlib.correlated import _validation as validation

__all__ = ["excess", "log_density", "log_ratio", "output_density"]

FloatArray = npt.NDArray[np.float64]


def _bounded_part(t: FloatArray, scale: float, sigma: float) -> FloatArray:
    """Return log g(t) + |t|/scale for g = Laplace(scale) convolved with N(0, sigma^2)."""
    if sigma == 0:
        return np.full_like(t, -math.log(2 * scale))
    y = np.abs(t)
    with np.errstate(over="ignore", under="ignore"):  # squares of far tails: exp(-inf) = 0
        near = (sigma / scale - y / sigma) / math.sqrt(2)
        far = erfcx((sigma / scale + y / sigma) / math.sqrt(2))
        inside = near >= 0  # |t| <= sigma^2/scale: the normal factor leads, else the exponential
        tail = np.log(erfc(np.minimum(near, 0)) + np.exp(-(near**2)) * far)
        bulk = np.log(erfcx(np.maximum(near, 0)) + far)
        y = np.where(inside, y, 0)
        exponent = np.where(inside, y / scale - (y / sigma) ** 2 / 2, (sigma / scale) ** 2 / 2)
    return np.asarray(exponent + np.where(inside, bulk, tail) - math.log(4 * scale))


def _law(where: str, scale: float, sigma: float, **positions: Any) -> list[Any]:
    """Check the parameters of an output law; positions may be arrays."""
    checked = [validation.numbers(where, name, value) for name, value in positions.items()]
    return [
        checks.positive(where, "scale", scale),
        checks.non_negative(where, "sigma", sigma),
        *checked,
    ]


def log_density(r: Any, shift: Any, *, scale: float, sigma: float) -> FloatArray:
    r"""Logarithm of the density of :math:`N(\text{shift}, \sigma^2) + \mathrm{Lap}(\lambda)`.

    Parameters
    ----------
    r, shift : array_like
        Output, and mean of the sum given what the adversary knows; broadcast together.
    scale : float
        Laplace scale :math:`\lambda`.
    sigma : float
        Standard deviation of the sum given what the adversary knows; 0 allowed.

    Returns
    -------
    ndarray
        Log densities in the broadcast shape.

    Raises
    ------
    ValueError
        If `scale` is not positive, `sigma` is negative or an entry is not finite.
    TypeError
        If an argument holds no numbers.

    Notes
    -----
    With :math:`u_\pm = (\sigma/\lambda \pm |t|/\sigma)/\sqrt2` and the scaled complementary
    error function, :math:`g(t) = \frac{1}{4\lambda} e^{-t^2/2\sigma^2}
    (\mathrm{erfcx}\,u_+ + \mathrm{erfcx}\,u_-)`; for :math:`u_- < 0`, where erfcx overflows,
    :math:`\frac{1}{4\lambda} e^{\sigma^2/2\lambda^2 - |t|/\lambda} (\mathrm{erfc}\,u_- +
    e^{-u_-^2} \mathrm{erfcx}\,u_+)`. No term overflows and none is subtracted.

    References
    ----------
    Equations (17) and (23).

    Examples
    --------
    >>> round(float(log_density(0.0, 0.0, scale=1.0, sigma=0.0)), 6) == round(-math.log(2), 6)
    True
    """
    scale, sigma, r, shift = _law("log_density", scale, sigma, r=r, shift=shift)
    t = np.asarray(r - shift)
    return np.asarray(_bounded_part(t, scale, sigma) - np.abs(t) / scale)


def output_density(r: Any, shift: Any, *, scale: float, sigma: float) -> FloatArray:
    r"""Density of :math:`N(\text{shift}, \sigma^2) + \mathrm{Lap}(\lambda)` at `r`.

    Parameters
    ----------
    r, shift : array_like
        Output, and mean of the sum given what the adversary knows; broadcast together.
    scale : float
        Laplace scale :math:`\lambda`.
    sigma : float
        Standard deviation of the sum given what the adversary knows; 0 allowed.

    Returns
    -------
    ndarray
        Densities in the broadcast shape.

    Raises
    ------
    ValueError
        If `scale` is not positive, `sigma` is negative or an entry is not finite.
    TypeError
        If an argument holds no numbers.

    Notes
    -----
    The exponential of `log_density`; use that one in the tails.

    References
    ----------
    Equations (17) and (23); the density (23) has the factor 1/2 that Section 3.2 lacks.

    Examples
    --------
    >>> output_density([0.0, 3.0], 0.0, scale=1.0, sigma=1.0).round(6)
    array([0.261578, 0.040633])
    """
    scale, sigma, r, shift = _law("output_density", scale, sigma, r=r, shift=shift)
    return np.asarray(np.exp(log_density(r, shift, scale=scale, sigma=sigma)))


def log_ratio(r: Any, shift: Any, other: Any, *, scale: float, sigma: float) -> FloatArray:
    r"""Log ratio of the output densities at two values of the target.

    Parameters
    ----------
    r : array_like
        Output.
    shift, other : array_like
        Mean of the sum under the two values, :math:`(1 + l_A)(x_i - x_i')` apart.
    scale : float
        Laplace scale :math:`\lambda`.
    sigma : float
        Standard deviation of the sum given what the adversary knows; 0 allowed.

    Returns
    -------
    ndarray
        ``log p(r | shift) - log p(r | other)``.

    Raises
    ------
    ValueError
        If `scale` is not positive, `sigma` is negative or an entry is not finite.
    TypeError
        If an argument holds no numbers.

    Notes
    -----
    The Laplace tails :math:`-|t|/\lambda`, which grow without bound, are subtracted from each
    other first; what is left of each log density is bounded. Monotone in `r`, within
    :math:`\pm |\text{shift} - \text{other}|/\lambda`, and tends to these ends.

    References
    ----------
    Theorem 5.1, equation (25).

    Examples
    --------
    >>> log_ratio([-2.0, -5.0], 0.0, 2.0, scale=1.0, sigma=1.0).round(8)
    array([1.91171533, 1.99999006])
    """
    scale, sigma, r, shift, other = _law("log_ratio", scale, sigma, r=r, shift=shift, other=other)
    t, u = np.asarray(r - shift), np.asarray(r - other)
    leading = (np.abs(u) - np.abs(t)) / scale
    return np.asarray(leading + _bounded_part(t, scale, sigma) - _bounded_part(u, scale, sigma))


def excess(t: float, scale: float, sigma: float) -> float:
    """Return G(t) - scale g(t), with G and g the distribution and density of `log_density`."""
    u = (sigma / scale - t / sigma) / math.sqrt(2)
    if t < 0:
        normal = math.exp(-((t / sigma) ** 2) / 2)
        return normal / 2 * float(erfcx(-t / sigma / math.sqrt(2)) - erfcx(u))
    if u >= 0:
        lost = math.exp(-((t / sigma) ** 2) / 2) * float(erfcx(u)) / 2
    else:
        lost = math.exp((sigma / scale) ** 2 / 2 - t / scale) * float(erfc(u)) / 2
    return float(ndtr(t / sigma)) - lost
