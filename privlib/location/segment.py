r"""Which weights of the prediction keep the bound: the segment of Algorithm 1 without a grid.

With :math:`x(\alpha) = (1 - \alpha)\, x + \alpha\, \tilde\pi` and
:math:`G_{ij}(\alpha) = C(\pi, x(\alpha)) - C(\pi - e_i, x(\alpha) - e_j)`, a difference of two
convex functions, the condition

.. math:: G_{ij}(\alpha) - G_{ij}(1) \le \varepsilon \qquad \text{for all } i, j

can hold, fail and hold again. Both costs are piecewise linear with breakpoints that the duals
find exactly, hence so are all feasible :math:`\alpha` and the smallest one, without a grid. For
an infinitesimal unit :math:`G_{ij}(\alpha)` is the least :math:`u_i + v_j` over the optimal
duals, which do not change between two breakpoints of *C*: the gain is a step function.

For the class MK with the natural prior the gain is :math:`x_j(\alpha) / \tilde\pi_j`, linear in
:math:`\alpha`, and with :math:`\rho = x / \tilde\pi`

.. math:: \alpha_{\min} = \max_{j:\, \rho_j > e^\varepsilon}
          \frac{\rho_j - e^\varepsilon}{\rho_j - 1}.

**The breakpoints.** A transportation problem whose right-hand side moves along the segment,

.. math:: C(\alpha) = \max \{ \pi^\top u + x(\alpha)^\top v : u_i + v_j \le w_{ij} \},

is a maximum of finitely many linear functions of :math:`\alpha`: convex and piecewise linear.
Every optimal dual gives a line that touches it from below. Where the lines of the two ends of an
interval meet, either the curve meets them too, and that is a breakpoint, or a new line has been
found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, FloatArray
from privlib.location import flow, gain
from privlib.location import validation as valid

# What users may call; the other public names serve the modules of this part.
__all__ = ["feasible_intervals"]

Line = tuple[float, float]  # value and slope at a point
Curve = tuple[FloatArray, FloatArray]  # breakpoints and values
Guess = tuple[int | None, int, float]  # from, to, and a weight before which it is impossible

EPS = float(np.finfo(np.float64).eps)
BRIDGE = 1e-11  # rounding of the logarithm of a bridge's gain
SLACK = 1e-9  # of a level: what comparing a gain with its bound forgives, besides rounding
TOLERANCE = 1e-12  # of a value, relative to the largest cost that the masses can have
APART = 1e-10  # bends that are nearer to each other or to an end are not told apart
# How far inside of an end that was computed a weight is tried until its gain keeps the bound.
INWARD = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9)
# For the infinitesimal unit, whose gain jumps at an end: there, or further in than bends are told
# apart.
CLEAR = (0.0, 5e-10, 5e-9)


@gain.quoting_no_truth
def feasible_intervals(
    before: npt.ArrayLike,
    true: npt.ArrayLike,
    *,
    transition: Any,
    epsilon: float,
    adversary: str = "NPK",
    definition: str = "printed",
    unit: str = "person",
) -> FloatArray:
    r"""Return all weights of the prediction with which no gain exceeds :math:`e^\varepsilon`.

    Parameters
    ----------
    before : array_like, shape (L,)
        What the check takes for :math:`\pi(t-1)`.
    true : array_like, shape (L,)
        The true histogram :math:`\pi(t)`.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic.
    epsilon : float
        Level, in 0..700, or infinity.
    adversary : {"NPK", "OPK", "MK"}
        Class of attackers.
    definition : {"printed", "exact"}
        The exact definition exists for the class MK only.
    unit : {"person", "infinitesimal"}
        Unit of the savings in the printed definition: the paper's whole person, or an infinitely
        small share of one.

    Returns
    -------
    ndarray, shape (k, 2)
        Ends of disjoint closed intervals in ascending order. The last one ends at 1. The bound
        is kept at every end. Rounding can put an end outside, and so can a guess that becomes
        possible just there (a state reaches one person, or the others can make the rest without
        her). Such an end is moved inside, by 5e-9 at most.

    Raises
    ------
    ValueError
        The definition has no exact breakpoints, or somebody is in a state that no transition
        leaves.
    UndefinedGainError
        A gain between the truth and the forecast is not defined, because a state holds less than
        one person (with the unit ``"person"``) or because no movement leads to the truth.
    UncertifiedError
        Near an end that was computed no weight keeps the bound.

    Notes
    -----
    The costs along the segment are convex and piecewise linear, and their breakpoints are where
    touching lines meet. A single weight between two infeasible stretches is not reported (but
    0 and 1 are): no rounded number keeps it. So the first end reported may lie above the smallest
    feasible weight. Breakpoints closer than :math:`10^{-10}` are one.

    The gains at the ends are computed anew from the masses there, as `private_histogram` does,
    which names the attackers that are not covered.

    References
    ----------
    The loop condition of Algorithm 1.

    Examples
    --------
    Four states, and two intervals:

    >>> import numpy as np
    >>> P = np.array([[2, 7, 2, 9], [13, 2, 1, 4], [5, 2, 7, 6], [1, 1, 5, 13]]) / 20
    >>> before, x = [6, 7, 6, 8], [6, 9, 8, 4]
    >>> feasible_intervals(before, x, transition=P, epsilon=0.7).round(4)
    array([[0.4745, 0.5251],
           [0.6125, 1.    ]])
    """
    segment = Segment.make(
        "feasible_intervals",
        before,
        true,
        transition=transition,
        epsilon=epsilon,
        adversary=adversary,
        definition=definition,
        unit=unit,
    )
    inside = []
    for low, high in segment.feasible_weights().tolist():
        first, _ = segment.inside(low, high)
        last = high
        if high < 1:  # the prediction itself has the gain 1
            last, _ = segment.inside(high, low)
        inside.append([first, last])
    return np.array(inside)


@dataclass(frozen=True, eq=False)
class Segment:
    """The releases between a truth and its prediction, and the bound that they are to keep.

    `level` is the bound of a gain as a logarithm; `where` is the function that errors name.
    """

    where: str
    before: Array
    true: Array
    P: Any
    level: float
    adversary: str
    definition: str
    unit: str

    @classmethod
    def make(
        cls,
        where: str,
        before: Any,
        true: Any,
        *,
        transition: Any,
        epsilon: Any,
        adversary: str,
        definition: str,
        unit: str,
    ) -> Segment:
        """Check all arguments, and that some movement joins the histograms."""
        pi, x, P = valid.step(where, before, true, transition, whole=False, name="true")
        checks.choice(where, "adversary", adversary, gain.ADVERSARIES)
        checks.choice(where, "definition", definition, gain.DEFINITIONS)
        checks.choice(where, "unit", unit, gain.UNITS)
        if definition == "exact" and adversary != "MK":
            raise ValueError(
                f"{where}: definition='exact' needs adversary='MK': no candidate is whole, "
                f"got {adversary!r}"
            )
        level = valid.privacy_level(where, epsilon)
        if adversary == "MK" and definition != "printed":
            gain.require_movement(where, pi, x, P)
        return cls(where, pi, x, P, level, adversary, definition, unit)

    @cached_property
    def prediction(self) -> FloatArray:
        """The end of the segment."""
        return gain.predicted_masses(self.before, valid.floats(self.where, self.P))

    @cached_property
    def table(self) -> Callable[..., Any]:
        """The function from a release to the gains of all guesses."""
        return gain.table_function(
            self.where, self.before, self.P, self.adversary, self.definition, self.unit
        )

    @cached_property
    def rounding(self) -> float:
        """How far rounding may move the logarithm of a gain."""
        P = valid.floats(self.where, self.P)
        occupied = self.before > 0
        sums = np.asarray(P.sum(axis=1)).ravel()[occupied]
        rows = 2 * float(np.abs(sums - 1).max())  # off by 1e-9 at most
        if self.definition == "bridge":
            return rows + 10 * BRIDGE
        if self.definition == "exact":
            return rows + 4 * EPS * self.before.size
        entries = P.data if sparse.issparse(P) else P[occupied]
        dearest = -math.log(entries[entries > 0].min())
        # A whole person is a difference of two costs, which grow with the people.
        terms = 64.0 + self.before.size
        if self.unit == "person":
            terms = 64.0 + float(self.before.sum())
        return rows + 4 * EPS * terms * (1 + dearest)

    @property
    def allowed(self) -> float:
        """What the logarithm of a computed gain may be at most."""
        return self.level * (1 + SLACK) + self.rounding

    def at(self, alpha: float) -> Array:
        """Return the candidate with the weight `alpha` of the prediction."""
        if alpha == 1:
            return self.prediction
        return (1 - alpha) * self.true + alpha * self.prediction

    def largest(self, alpha: float, *, certify: bool = False) -> float:
        """Return the largest gain of a candidate."""
        states = range(self.before.size)
        x = valid.histogram(self.where, "candidate", self.at(alpha), states, whole=False)
        gains = self.table(x, certify=certify)
        return float(gain.largest_defined(self.where, gains))

    def inside(self, end: float, other: float) -> tuple[float, float]:
        """Return a weight at `end` or just inside, towards `other`, and its gain: allowed."""
        half = abs(other - end) / 2
        sign = 1.0 if other > end else -1.0
        tries: tuple[float, ...] = INWARD
        if self.unit == "infinitesimal":
            tries = CLEAR
        if half == 0:
            tries = (0.0,)
        largest = math.inf
        for inward in tries:
            alpha = end + sign * min(inward, half)
            largest = self.largest(alpha, certify=True)
            if log_gain(largest) <= self.allowed:
                return alpha, largest
        raise _safety.UncertifiedError(
            f"{self.where}: near the weight {end:.9g} the logarithm of the largest gain must be at "
            f"most {self.allowed:.9g}, but a second computation gives {log_gain(largest):.9g}; "
            "nothing is returned"
        )

    def feasible_weights(self) -> FloatArray:
        """Return the ends of the intervals of feasible weights as computed, shape (k, 2)."""
        if self.definition == "bridge":
            raise ValueError(
                f"{self.where}: definition='bridge' has no exact breakpoints, give a step"
            )
        if self.definition == "exact":
            return self._feasible_for_shares()
        # Half of what is allowed at the ends, where the gains are computed anew.
        bound = self.level * (1 + SLACK / 2) + self.rounding / 2
        try:
            if self.unit == "infinitesimal":
                return self._feasible_pieces(bound)
            return self._feasible_for_persons(bound)
        except flow.InfeasibleError as error:
            raise gain.UndefinedGainError(f"{error}: the gain is not defined") from error

    def _feasible_for_shares(self) -> FloatArray:
        """Return the feasible weights of the exact gain of MK, which is linear in the weight."""
        end = self.prediction
        ratio = np.divide(self.true, end, out=np.ones(end.size), where=end > 0)
        bound = math.exp(self.level)
        far = ratio[ratio > bound]
        least = ((far - bound) / (far - 1)).max(initial=0.0)
        return np.array([[least, 1.0]])

    def _feasible_pieces(self, bound: float) -> FloatArray:
        """Return the feasible weights where the gain is a step function; `bound` is a logarithm."""
        grid, _ = self._curve(self._costs)
        pieces = []
        # The ends of the segment are exact histograms: they count even alone.
        if log_gain(self.largest(0.0)) <= bound:
            pieces.append([0.0, 0.0])
        for low, high in zip(grid[:-1].tolist(), grid[1:].tolist()):
            if log_gain(self.largest((low + high) / 2)) <= bound:
                pieces.append([low, high])
        pieces.append([1.0, 1.0])
        return _merged(np.array(pieces))

    def _feasible_for_persons(self, bound: float) -> FloatArray:
        """Return the feasible weights if every guess saves the cost of a whole person."""
        everybody = self._curve(self._costs)
        curves = [self._curve(self._costs, *guess) for guess in self._guesses(self._costs)]
        grid = np.unique(np.concatenate([at for at, _ in (everybody, *curves)]))
        costs_without = np.array([np.interp(grid, at, values) for at, values in curves])
        saved = np.interp(grid, *everybody) - costs_without
        over = saved - saved[:, -1:]
        left = over[:, :-1].copy()
        right = over[:, 1:].copy()
        # Before its start a guess is impossible: gain 0.
        starts = np.array([at[0] for at, _ in curves])
        early = grid[:-1] < starts[:, None]
        left[early] = -np.inf
        right[early] = -np.inf
        return _within(grid, left, right, bound)

    @cached_property
    def _costs(self) -> FloatArray:
        """Costs of the transitions, infinite where there is none."""
        return flow.arc_costs(valid.dense(self.P))

    def _guesses(self, cost: FloatArray) -> list[Guess]:
        """Return the guesses (from, to) and the weight from which a person is there, 1 at most."""
        x = self.true
        end = self.prediction
        gain.require_enough(self.where, 1.0, before=self.before, prediction=end)
        start = np.where(x < 1, np.inf, 0.0)
        grows = (x < 1) & (end > x)
        start[grows] = (1 - x[grows]) / (end[grows] - x[grows])
        if self.adversary == "MK":
            return [(None, int(j), float(start[j])) for j in np.flatnonzero(start <= 1)]
        possible = (self.before[:, None] > 0) & np.isfinite(cost) & (start <= 1)
        return [(int(i), int(j), float(start[j])) for i, j in np.argwhere(possible)]

    def _curve(
        self, cost: FloatArray, i: int | None = None, j: int | None = None, start: float = 0.0
    ) -> Curve:
        """Return breakpoints and values of C, with a person from i and j taken away.

        From the weight on, not below `start`, with which the others can make the candidate.
        """

        def line(alpha: float, prices: FloatArray = cost) -> Line:
            problem = flow.without_person(self.before, self.at(alpha), prices, i=i, j=j)
            value, v = flow.least_cost(self.where, *problem, certify=False)
            return value, float((self.prediction - self.true) @ v[: self.true.size])

        walls = np.isinf(cost).astype(np.float64)
        if i is not None and walls.any():
            # How many cannot be routed: a convex curve that is 0 from some weight on. Newton's
            # steps lead to that weight.
            tiny = flow.MASS / 4 * self.true.sum()
            while start < 1:
                missing, slope = line(start, walls)
                if missing <= tiny:
                    break
                start = min(start + missing / max(missing, -slope), 1.0)
        return _breakpoints(line, start)


def log_gain(largest: float) -> float:
    """Return the logarithm of a gain, which may be 0 or infinite."""
    return math.log(largest) if largest > 0 else -math.inf


def _breakpoints(line: Callable[[float], Line], start: float = 0.0) -> Curve:
    """Return the breakpoints in [start, 1], ends included, of a convex curve and its values there.

    `line` gives value and slope of a line that touches the curve from below.
    """
    ends = {start: line(start), 1.0: line(1.0)}
    scale = 1 + max(abs(value) + abs(slope) for value, slope in ends.values())
    at_ends = {at: value for at, (value, _) in ends.items()}
    todo = [(start, 1.0)]
    while todo:
        lo, hi = todo.pop()
        f, df = ends[lo]
        g, dg = ends[hi]
        if dg - df <= TOLERANCE * scale:
            continue
        at = (f - g + hi * dg - lo * df) / (dg - df)
        if not lo + APART < at < hi - APART:
            continue
        value, slope = line(at)
        at_ends[at] = value
        if value > f + df * (at - lo) + TOLERANCE * scale:
            ends[at] = value, slope
            todo.append((lo, at))
            todo.append((at, hi))
    grid = np.array(sorted(at_ends))
    values = np.array([at_ends[at] for at in grid])
    # Where a new line was found need not be a bend.
    bend = np.diff(np.diff(values) / np.diff(grid)) > 1e3 * TOLERANCE * scale
    keep = np.concatenate([[True], bend, [True]])[-grid.size :]  # one end, if start is 1
    return grid[keep], values[keep]


def _within(grid: FloatArray, left: FloatArray, right: FloatArray, bound: float) -> FloatArray:
    """Return where all of several piecewise linear curves are at most `bound`, shape (k, 2).

    `left` and `right`, shape (curves, pieces), are the heights at the ends of the pieces of the
    grid. Intervals that touch are one.
    """
    width = np.diff(grid)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = grid[:-1] + width * (bound - left) / (right - left)
    good_left = left <= bound
    good_right = right <= bound
    # A curve keeps the bound from the left end, or from its crossing, or nowhere on the piece.
    lows = np.where(good_right, crossing, np.inf)
    lows = np.where(good_left, grid[:-1], lows)
    highs = np.where(good_left, crossing, -np.inf)
    highs = np.where(good_right, grid[1:], highs)
    low = lows.max(axis=0)
    high = highs.min(axis=0)
    return _merged(np.column_stack([low, high])[low <= high])


def _merged(pieces: FloatArray) -> FloatArray:
    """Return sorted closed intervals with those that touch made one."""
    if not len(pieces):
        return pieces
    begins = np.append(True, pieces[1:, 0] > pieces[:-1, 1] + 1e-12)
    ends = np.append(begins[1:], True)
    return np.column_stack([pieces[begins, 0], pieces[ends, 1]])
