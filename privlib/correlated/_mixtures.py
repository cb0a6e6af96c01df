r"""The two mixtures of Laplace densities that an adversary compares, in floats.

Given what the adversary knows and a value of the target, the query has a conditional law with
finitely many atoms, and the release a density that mixes Laplace densities at these atoms. The
largest log ratio of two such densities sits at an atom (see `privlib.correlated.finite`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_BLOCK = 1 << 22  # largest number of floats in one temporary of `_log_densities`


class Mixtures(NamedTuple):
    """Laws of the query given ``(x_K, x_i)``; one row for each value of the known tuples."""

    weights: FloatArray  # (rows, values of x_i, atoms)
    feasible: npt.NDArray[np.bool_]  # (rows, values of x_i)
    atoms: FloatArray  # (rows, atoms), the last one repeated where a row has fewer


def conditionals(
    law: FloatArray,
    table: FloatArray,
    i: int,
    known: tuple[int, ...],
    unknown: tuple[int, ...],
    *,
    kernel: bool,
) -> Mixtures | None:
    """Return the conditional laws of the query, or None if there is nothing to compare."""
    if kernel and not unknown:
        law = np.ones_like(law)  # with nobody unknown the condition fixes the query by itself
    order = (*known, i, *unknown)
    rows = math.prod(law.shape[j] for j in known)
    size = law.shape[i]
    prob = law.transpose(order).reshape(rows, size, -1)
    value = table.transpose(order).reshape(rows, size, -1)
    comparable = (prob.sum(axis=2) > 0).sum(axis=1) >= 2
    if not comparable.any():
        return None
    prob, value = prob[comparable], value[comparable]
    rows = len(prob)
    mass = prob.sum(axis=2)
    flat, weight = value.reshape(rows, -1), prob.reshape(rows, -1)
    # A value of probability zero is no breakpoint: replace it by one of the row that is.
    likely = np.take_along_axis(flat, weight.argmax(axis=1)[:, None], axis=1)
    flat = np.where(weight > 0, flat, likely)
    by_value = flat.argsort(axis=1, kind="stable")
    ordered = np.take_along_axis(flat, by_value, axis=1)
    # Sums that differ by rounding alone (0.1 + 0.2 and 0.3) are one value.
    rounding = 8 * np.finfo(float).eps * np.abs(table).max()
    steps = np.diff(ordered, axis=1, prepend=ordered[:, :1]) > rounding
    ranks_in_order = steps.cumsum(axis=1)
    rank = np.empty_like(by_value)
    np.put_along_axis(rank, by_value, ranks_in_order, axis=1)
    count = int(ranks_in_order.max()) + 1
    atoms = np.repeat(ordered[:, -1:], count, axis=1)
    np.put_along_axis(atoms, ranks_in_order, ordered, axis=1)
    group = np.arange(rows * size).reshape(rows, size, 1)
    cells = group * count + rank.reshape(rows, size, -1)
    summed = np.bincount(cells.ravel(), weights=prob.ravel(), minlength=rows * size * count)
    conditional = summed.reshape(rows, size, count) / np.where(mass > 0, mass, 1.0)[:, :, None]
    return Mixtures(conditional, mass > 0, atoms)


def largest_log_ratio(given: Mixtures | None, scale: float) -> float:
    """Return the largest log ratio over rows, pairs of values and outputs."""
    if given is None:
        return 0.0
    block = max(1, _BLOCK // given.weights.size)
    best = 0.0
    for start in range(0, given.atoms.shape[1], block):
        logs = _log_densities(given, given.atoms[:, start : start + block], scale)
        feasible = given.feasible[:, :, None]
        high = np.where(feasible, logs, -np.inf).max(axis=1)
        low = np.where(feasible, logs, np.inf).min(axis=1)
        best = max(best, float((high - low).max()))
    return best


def _log_densities(given: Mixtures, outputs: FloatArray, scale: float) -> FloatArray:
    """Return log densities, shape (rows, values of x_i, outputs), less a common constant."""
    distance = np.abs(outputs[:, :, None] - given.atoms[:, None, :]) / scale
    weights = given.weights[:, :, None, :]
    if distance.max() <= 0.5:  # the densities are nearly 1: keep the digits of their difference
        return np.asarray(np.log1p((weights * np.expm1(-distance)[:, None]).sum(axis=3)))
    with np.errstate(divide="ignore"):
        terms = np.log(weights) - distance[:, None]
        peak = terms.max(axis=3, keepdims=True)
        peak = np.where(np.isfinite(peak), peak, 0.0)
        return np.asarray(np.log(np.exp(terms - peak).sum(axis=3)) + peak[..., 0])


def noiseless(given: Mixtures | None) -> float:
    """Return the leakage of the query itself: the limit as the scale tends to 0."""
    if given is None:
        return 0.0
    atoms = given.atoms.shape[1]
    real = np.ones_like(given.atoms, dtype=bool)
    real[:, 1:] = np.diff(given.atoms, axis=1) > 0
    with np.errstate(divide="ignore"):
        logs = np.log(given.weights)
    feasible = np.broadcast_to(given.feasible[:, :, None], (*given.feasible.shape, atoms))
    high = np.where(feasible, logs, -np.inf).max(axis=1)
    low = np.where(feasible, logs, np.inf).min(axis=1)
    return float((high[real] - low[real]).max())
