"""What an attacker learns from a sum with Laplace noise, from the distributions of the sum.

The rows of `distributions` are logarithms of probabilities that the sum is 0, 1, ..., one row for
each thing that the attacker may want to know.
"""

from __future__ import annotations

import math

import numpy as np

from privlib._checks import FloatArray

_UNIT = float(np.finfo(np.float64).eps)
_UNSURE = 1e-10  # rounding that is more than this share of a leakage is added to it
_FEW = 48  # atoms, of which all pairs are quicker than cumulative sums


def log_densities(distributions: FloatArray, scale: float) -> FloatArray:
    """Return log densities at the atoms ``0, 1, ...`` less a common constant.

    All pairs of atoms where they are few; else cumulative sums from either side.
    """
    atoms = np.arange(distributions.shape[-1]) / scale
    step = 1 / scale
    if atoms[-1] <= 0.5:  # nearly equal densities: keep the digits of their difference
        weights = np.exp(distributions)
        weights /= weights.sum(axis=-1, keepdims=True)
        if len(atoms) <= _FEW:
            return np.asarray(np.log1p(weights @ np.expm1(-np.abs(atoms[:, None] - atoms))))
        # A mass that is passed loses a share of what it adds to the density at each step.
        missing = np.zeros_like(weights)
        below = weights.cumsum(axis=-1)[..., :-1]
        above = weights[..., :0:-1].cumsum(axis=-1)[..., ::-1]
        passed = (below * np.exp(atoms[:-1])).cumsum(axis=-1) * math.expm1(step)
        missing[..., 1:] = passed * np.exp(-atoms[1:])
        passed = (above * np.exp(-atoms[:-1]))[..., ::-1].cumsum(axis=-1)[..., ::-1]
        missing[..., :-1] += passed * np.exp(atoms[:-1]) * -math.expm1(-step)
        return np.asarray(np.log1p(-missing))
    if len(atoms) <= _FEW and atoms[-1] <= 600:
        # What vanishes is nothing beside the largest term.
        return np.asarray(np.log(np.exp(distributions) @ np.exp(-np.abs(atoms[:, None] - atoms))))
    if atoms[-1] <= 200:
        middle = atoms - atoms[-1] / 2
        up = np.exp(middle)
        down = np.exp(-middle)
        weights = np.exp(distributions)
        densities = (weights * up).cumsum(axis=-1) * down
        back = (weights * down)[..., ::-1].cumsum(axis=-1)[..., ::-1]
        densities[..., :-1] += back[..., 1:] * up[:-1]
        return np.asarray(np.log(densities))
    up = np.logaddexp.accumulate(distributions + atoms, axis=-1) - atoms
    above = np.logaddexp.accumulate((distributions - atoms)[..., ::-1], axis=-1)[..., ::-1]
    up[..., :-1] = np.logaddexp(up[..., :-1], above[..., 1:] + atoms[:-1])
    return np.asarray(up)


def leakages_of_sums(distributions: FloatArray, scale: float, *, lost: float = 0.0) -> FloatArray:
    """Return the leakage of each of some intervals, of the sum itself if the scale is 0.

    Rounding that may be more than a share `_UNSURE` of it is added. What the masses have already
    `lost`, in their logarithms, counts among it.
    """
    count = distributions.shape[-1]
    if scale == 0:
        high = distributions.max(axis=1)
        low = distributions.min(axis=1)
        nowhere = high == -np.inf
        spread = np.where(nowhere, 0.0, high - np.where(nowhere, 0.0, low))
        size = np.where(np.isfinite(spread), -np.where(nowhere, 0.0, high), 0.0)
        rounding = 4 * _UNIT * (count + 16 + 2 * size + np.where(np.isfinite(spread), spread, 0))
        rounding += 2 * lost
    else:
        reach = (count - 1) / scale  # is added to logarithms and taken off again
        logs = log_densities(distributions, scale)
        spread = np.ptp(logs, axis=1)
        size = np.abs(logs).max(axis=1)
        # Densities that are nearly equal differ by what the masses move, times their distance.
        rounding = (4 * _UNIT * (count + 16) + 2 * lost) * size
        if reach > 0.5:
            rounding = 4 * _UNIT * (count + 16 + 2 * size + 2 * reach) + 2 * lost
    unsure = (spread > 0) & (rounding > _UNSURE * spread)
    added = np.where(unsure, rounding, 0.0)
    leaks = np.where(unsure, spread + added, spread)
    return np.asarray(leaks.max(axis=-1))


def leakage_by_recursion(distributions: FloatArray, scale: float) -> tuple[float, float]:
    """Return the largest leakage by going along the line, and its rounding.

    A second way for `leakages_of_sums`: one atom more adds its weight, and takes a factor from what
    was there before.
    """
    count = distributions.shape[-1]
    step = 1 / scale
    below = np.empty_like(distributions)
    above = np.empty_like(distributions)
    below[..., 0] = -np.inf
    above[..., -1] = -np.inf
    for k in range(1, count):
        below[..., k] = np.logaddexp(below[..., k - 1], distributions[..., k - 1]) - step
        after = count - 1 - k
        above[..., after] = (
            np.logaddexp(above[..., after + 1], distributions[..., after + 1]) - step
        )
    logs = np.logaddexp(np.logaddexp(below, above), distributions)
    rounding = 16 * _UNIT * (count + float(np.abs(logs).max()))
    return float(np.ptp(logs, axis=1).max()), rounding
