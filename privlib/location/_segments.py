r"""The least cost along a segment of histograms, with all its breakpoints.

A transportation problem whose right-hand side moves along a segment,

.. math:: C(\alpha) = \max \{ \pi^\top u + x(\alpha)^\top v : u_i + v_j \le w_{ij} \},
          \qquad x(\alpha) = (1 - \alpha)\, x + \alpha\, \tilde\pi ,

is a maximum of finitely many linear functions of :math:`\alpha`: convex and piecewise linear.
Every optimal dual gives a line that touches it from below. Where the lines of the two ends of an
interval meet, either the curve meets them too, and that is a breakpoint, or a new line has been
found. So the breakpoints come out without a grid, to rounding errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib.location.flow import InfeasibleError

FloatArray = npt.NDArray[np.float64]
Line = tuple[float, float]  # value and slope at a point

TOLERANCE = 1e-12  # of a value, relative to the largest cost that the masses can have
ITERATIONS = 10_000_000  # of the network simplex; more than a thousand states need
APART = 1e-10  # bends that are nearer to each other or to an end are not told apart
_SMALL = 1e-12  # of a mass, relative to the total


def touching_line(
    where: str, before: FloatArray, after: FloatArray, slope: FloatArray, cost: FloatArray
) -> Line:
    """Return C(before, after) and its slope when `after` moves by `slope`.

    `cost` may hold inf. States without mass are left out of the programme and get the largest
    dual that is feasible, which is optimal because nothing is multiplied with it.
    """
    import ot

    rows, columns = before > 0, after > _SMALL * before.sum()
    inner = cost[np.ix_(rows, columns)]
    allowed = np.isfinite(inner)
    # A forbidden arc costs more than any detour along allowed ones.
    wall = (1 + 2 * inner[allowed].max(initial=0.0)) * (min(inner.shape) + 1)
    a, b = before[rows], after[columns]
    plan, log = ot.emd(
        a, b * (a.sum() / b.sum()), np.where(allowed, inner, wall), log=True, numItermax=ITERATIONS
    )
    if log["warning"]:
        raise ArithmeticError(f"{where}: the transport solver failed: {log['warning']}")
    missing = float(plan[~allowed].sum())
    if missing > _SMALL * a.sum():
        raise InfeasibleError(
            f"{where}: no movement along possible transitions joins the histograms, "
            f"{missing:.6g} of {a.sum():.6g} cannot be routed",
            missing,
        )
    u = log["u"]
    v = np.zeros(after.size)
    v[columns] = log["v"]
    # Arcs that are forbidden do not bind the duals of empty states.
    reach = np.where(np.isfinite(cost[rows]), cost[rows] - u[:, None], np.inf).min(axis=0)
    v[~columns] = np.where(np.isfinite(reach[~columns]), reach[~columns], 0.0)
    return float(a @ u + after @ v), float(slope @ v)


def breakpoints(line: Callable[[float], Line]) -> tuple[FloatArray, FloatArray]:
    """Return the breakpoints in [0, 1], ends included, of a convex curve and its values there."""
    ends = {0.0: line(0.0), 1.0: line(1.0)}
    scale = 1 + max(abs(value) + abs(slope) for value, slope in ends.values())
    found = {at: value for at, (value, _) in ends.items()}
    todo = [(0.0, 1.0)]
    while todo:
        lo, hi = todo.pop()
        (f, df), (g, dg) = ends[lo], ends[hi]
        if dg - df <= TOLERANCE * scale:
            continue
        at = (f - g + hi * dg - lo * df) / (dg - df)
        if not lo + APART < at < hi - APART:
            continue
        value, slope = line(at)
        found[at] = value
        if value > f + df * (at - lo) + TOLERANCE * scale:
            ends[at] = value, slope
            todo += [(lo, at), (at, hi)]
    grid = np.array(sorted(found))
    values = np.array([found[at] for at in grid])
    # Where a new line was found need not be a bend.
    bend = np.diff(np.diff(values) / np.diff(grid)) > 1e3 * TOLERANCE * scale
    keep = np.concatenate([[True], bend, [True]])
    return grid[keep], values[keep]


def within(grid: FloatArray, heights: FloatArray, bound: float) -> FloatArray:
    """Return where all of several piecewise linear curves are at most `bound`, shape (k, 2).

    `heights` has shape (curves, len(grid)). Intervals that touch are one.
    """
    left, right = heights[:, :-1], heights[:, 1:]
    width = np.diff(grid)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = grid[:-1] + width * (bound - left) / (right - left)
    lo = np.where(left <= bound, grid[:-1], np.where(right <= bound, crossing, np.inf)).max(axis=0)
    hi = np.where(right <= bound, grid[1:], np.where(left <= bound, crossing, -np.inf)).min(axis=0)
    return merged(np.column_stack([lo, hi])[lo <= hi])


def merged(pieces: FloatArray) -> FloatArray:
    """Return sorted closed intervals with those that touch made one."""
    if not len(pieces):
        return pieces
    new = np.append(True, pieces[1:, 0] > pieces[:-1, 1] + 1e-12)
    return np.column_stack([pieces[new, 0], pieces[np.append(new[1:], True), 1]])


def weights(P: Any) -> FloatArray:
    """Return -log P, with inf for impossible transitions."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(P) + 0.0, dtype=np.float64)
