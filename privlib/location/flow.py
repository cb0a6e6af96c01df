r"""The most likely movement between two histograms, and what one person less saves.

*N* people stand in *L* places, :math:`\pi_i` before and :math:`x_j` after. A movement is a matrix
of counts with these row and column sums, and its persons take their routes with probability
:math:`\prod_{ij} P_{ij}^{a_{ij}}`. With :math:`w_{ij} = -\log P_{ij}` the largest such product is
a transportation problem,

.. math:: C(\pi, x) = \min \Big\{ \sum_{ij} w_{ij} a_{ij} :
          \sum_j a_{ij} = \pi_i, \ \sum_i a_{ij} = x_j, \ a \ge 0 \Big\},

whose vertices are integral for integral data. It may have no solution: with *P* = identity nobody
leaves, :math:`(1, 0) \to (0, 1)` routes nobody, and a minimum-cost *maximum* flow then reports
cost 0, the cost of a certain event. So the value of the flow is part of the answer.

Removing one person from source *i* and sink *j* changes the optimal cost by a shortest path in
the residual network of *one* optimal movement,

.. math:: G_{ij} = C(\pi, x) - C(\pi - e_i, x - e_j)
          = w_{ib} - D(b, j) \quad \text{for any } b \text{ with } a_{ib} > 0,

where *D* are the shortest distances between sinks for the steps
:math:`b \to b'` of length :math:`\min_{a:\, a_{ab'} > 0} (w_{ab} - w_{ab'})`: a person on her way
from *a* to *b'* goes to *b* instead. (Two such *b* give the same, as they are joined by *i*
herself.) Whole flows have residual capacities of at least one, so this
is exact for a person; for real masses it is the saving per unit of an infinitely small mass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, FloatArray, IntArray
from privlib.location import validation as valid

# What users may call; the other public names serve the modules of this part.
__all__ = ["InfeasibleError", "Movement", "max_flow", "most_likely_movement", "unit_savings"]

Block = tuple[IntArray, IntArray, FloatArray, IntArray, tuple[IntArray, IntArray]]

MASS = 1e-13  # relative to the total: what a flow of real masses calls nothing
PRICE = 1e-11  # relative to the largest cost: rounding of a plan's duals
SMALL = 32  # states of a network without a graph of its own
ROWS = 64  # of a table that is worked on at a time
ITERATIONS = 10_000_000  # of the network simplex; more than a thousand states need


class InfeasibleError(ValueError):
    """No movement along possible transitions joins the two histograms.

    Parameters
    ----------
    where : str
        Name of the public function, for the message.
    shortfall : float
        How many people the best routing leaves behind, more than 0.
    people : float
        How many there are.

    Attributes
    ----------
    shortfall : float
        How many people the best routing leaves behind.

    Examples
    --------
    Nobody can leave her place, and two people would have to.

    >>> try:
    ...     most_likely_movement([3, 0], [1, 2], transition=[[1.0, 0.0], [0.0, 1.0]])
    ... except InfeasibleError as error:
    ...     error.shortfall
    2.0
    """

    def __init__(self, where: str, shortfall: float, people: float) -> None:
        super().__init__(
            f"{where}: no movement along possible transitions joins the histograms, "
            f"{shortfall:.6g} of {people:.6g} cannot be routed"
        )
        self.shortfall = shortfall


@dataclass(frozen=True, eq=False, repr=False)
class Movement(_safety.Rebuilt):
    """A most likely movement.

    Parameters
    ----------
    counts : ndarray or scipy.sparse.csr_array, shape (L, L)
        Who goes where: integers for integer histograms, else real masses; sparse for a sparse
        transition matrix or a graph. A copy that cannot be written to.
    cost : float
        Minus the logarithm of the largest product of transition probabilities, in nats.

    Examples
    --------
    >>> movement = most_likely_movement([2, 0], [1, 1], transition=[[0.5, 0.5], [0.5, 0.5]])
    >>> movement.counts.tolist(), movement.cost  # 2 ln 2
    ([[1, 1], [0, 0]], 1.3863)
    """

    counts: Any
    cost: float

    def __post_init__(self) -> None:
        """Take a copy, so that nobody changes a movement that was certified."""
        checks.not_masked("Movement", "counts", self.counts)
        if isinstance(self.counts, np.ndarray):
            object.__setattr__(self, "counts", _safety.owned(self.counts))
        elif sparse.issparse(self.counts):
            copy = sparse.csr_array(self.counts, copy=True)
            for array in (copy.data, copy.indices, copy.indptr):
                array.setflags(write=False)
            object.__setattr__(self, "counts", copy)

    def __repr__(self) -> str:
        states = self.counts.shape[0]
        people = float(self.counts.sum())
        return f"Movement({people:.15g} people, {states} states, cost {self.cost:.4g})"


def arc_costs(P: Array) -> FloatArray:
    """Return -log of a dense transition matrix, infinite where it is 0."""
    with np.errstate(divide="ignore"):
        costs = np.asarray(-np.log(np.asarray(P, dtype=np.float64)) + 0.0)
    for at in np.argwhere(np.isinf(costs) & (P != 0)):  # fractions too small for a float
        costs[*at] = math.log(P[*at].denominator) - math.log(P[*at].numerator)
    return costs


def _transport(
    where: str, before: Array, after: Array, cost: FloatArray, *, certify: bool = True
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return a cheapest plan between positive masses and its duals.

    A forbidden arc costs more than any detour, so it carries only what must use one.
    """
    if cost.shape[1] == 1:  # the only plan
        return before[:, None].astype(np.float64), cost[:, 0], np.zeros(1)
    if cost.shape[0] == 1:
        return after[None, :].astype(np.float64), np.zeros(1), cost[0]
    ot = checks.optional(where, "ot")
    allowed = np.isfinite(cost)
    wall = 1.0 + sum(cost.shape) * cost[allowed].max(initial=0.0)
    # The solver compares masses by an absolute bound, below what rounding leaves of ten million.
    _, halvings = np.frexp(before.sum())
    left = np.ldexp(before, -halvings)
    right = np.ldexp(after, -halvings)
    prices = np.where(allowed, cost, wall)
    plan, log = ot.emd(
        left, right, prices,
        numItermax=ITERATIONS, log=True, center_dual=False, check_marginals=False,
    )  # fmt: skip
    if log["warning"] is not None:
        raise ArithmeticError(f"{where}: the transport solver failed: {log['warning']}")
    if certify:
        _certify_plan(where, plan, left, right, prices, log["u"], log["v"])
    return np.ldexp(plan, halvings), log["u"], log["v"]


def _certify_plan(
    where: str, plan: Array, left: Array, right: Array, prices: Array, u: Array, v: Array
) -> None:
    """Raise unless the duals prove that the plan, of a total below 1, is a cheapest one.

    Its sums are the masses, no dual exceeds a price, and the cost is the value of the duals.
    """
    rounding = PRICE * (1 + float(prices.max()))
    reduced = prices - u[:, None] - v
    rows = np.abs(plan.sum(axis=1) - left) - checks.SUM_TOLERANCE * left
    columns = np.abs(plan.sum(axis=0) - right) - checks.SUM_TOLERANCE * right
    for promise, excess, forgiven in (
        ("the mass that the plan misses", max(rows.max(), columns.max()), MASS),
        ("the saving of another plan", -reduced.min(), rounding),
        ("the cost above the least", np.vdot(plan, reduced), rounding),
    ):
        if not excess <= forgiven:
            _safety.certify(where, promise, excess, 0.0, unit=forgiven)


def least_cost(
    where: str, before: Array, after: Array, cost: FloatArray, *, certify: bool = True
) -> tuple[float, FloatArray]:
    """Return C and its duals of `after`; the largest feasible ones of states without mass.

    Those are optimal too, because nothing is multiplied with them.
    """
    rows = before > 0
    columns = after > MASS * before.sum()
    inner = cost[np.ix_(rows, columns)]
    v = np.zeros(after.size)
    if not inner.size:
        return 0.0, v
    plan, u, v[columns] = _transport(where, before[rows], after[columns], inner, certify=certify)
    _all_routed(where, plan, inner, before, after)
    reach = (cost[rows] - u[:, None]).min(axis=0)  # inf where nobody can be: binds no dual
    v[~columns] = np.where(np.isfinite(reach), reach, 0.0)[~columns]
    return float(before[rows] @ u + after @ v), v


def counts_people(before: Array, after: Array) -> bool:
    """Tell whether both histograms count whole people."""
    return before.dtype.kind == after.dtype.kind == "i"


def _stranded(plan: Array, cost: FloatArray) -> float:
    """Return the mass that a plan sends along impossible transitions."""
    return float(plan[np.isinf(cost)].sum())


def _nothing(before: Array, after: Array) -> float:
    """Return the mass that rounding may strand: of whole people less than half of one."""
    return 0.5 if counts_people(before, after) else MASS * float(before.sum())


def _all_routed(where: str, plan: Array, cost: FloatArray, before: Array, after: Array) -> None:
    """Raise if a plan sends somebody along an impossible transition."""
    missing = _stranded(plan, cost)
    if missing > _nothing(before, after):
        raise InfeasibleError(where, missing, before.sum())


def without_person(
    before: Array, after: Array, cost: FloatArray, *, i: int | None, j: int | None
) -> tuple[Array, Array, FloatArray]:
    """Take a person away from i and j; with j alone, leave one unrouted at no cost."""
    states = np.arange(before.size)
    right = after - (states == j)
    if i is None and j is not None:
        return before, np.append(right, 1.0), np.column_stack([cost, np.zeros(before.size)])
    return before - (states == i), right, cost


@dataclass(frozen=True, eq=False)
class ConnectedParts:
    """The arcs between occupied states of a sparse network, by connected part.

    `at` are their places among the stored arcs of the matrix; in a part with one source or one
    sink the flow is forced; a network is torn if some part does not balance.
    """

    at: IntArray
    i: IntArray
    j: IntArray
    cost: FloatArray
    label: IntArray
    forced: npt.NDArray[np.bool_]
    one_source: npt.NDArray[np.bool_]
    torn: bool

    @classmethod
    def make(cls, before: Array, after: Array, *, P: Any) -> ConnectedParts:
        """Find them."""
        arcs = P.tocoo()
        size = before.size
        at = np.flatnonzero((before[arcs.row] > 0) & (after[arcs.col] > 0) & (arcs.data > 0))
        i = arcs.row[at]
        j = arcs.col[at]
        cost = -np.log(arcs.data[at])
        links = sparse.coo_array((np.ones(at.size), (i, j + size)), shape=(2 * size, 2 * size))
        count, label = csgraph.connected_components(links, directed=False)
        of_row = label[:size]
        of_column = label[size:]
        out = np.bincount(of_row, before, count)
        into = np.bincount(of_column, after, count)
        # Whole people balance exactly, real masses up to rounding of what is in their part.
        rounding = 0.0 if counts_people(before, after) else checks.SUM_TOLERANCE
        torn = np.abs(out - into) > rounding * np.maximum(out, into)
        sources = np.bincount(of_row, before > 0, count)[label[i]]
        sinks = np.bincount(of_column, after > 0, count)[label[i]]
        forced = np.minimum(sources, sinks) == 1
        return cls(at, i, j, cost, label[i], forced, sources == 1, bool(torn.any()))

    def blocks(self) -> Iterator[Block]:
        """Yield (rows, columns, costs; which arcs, and where they are in it) of the other parts."""
        free = np.flatnonzero(~self.forced)
        free = free[np.argsort(self.label[free], kind="stable")]
        for arcs in np.split(free, np.flatnonzero(np.diff(self.label[free])) + 1):
            if arcs.size:
                rows, r = np.unique(self.i[arcs], return_inverse=True)
                columns, c = np.unique(self.j[arcs], return_inverse=True)
                cost = np.full((rows.size, columns.size), np.inf)
                cost[r, c] = self.cost[arcs]
                yield rows, columns, cost, arcs, (r, c)


def cheapest_sparse_plan(
    where: str, before: Array, after: Array, P: Any, *, certify: bool = True
) -> tuple[Array, Array] | None:
    """Return the stored arcs of a sparse P, their masses in a cheapest plan and their savings.

    Found block by block; None if a block is torn. An arc from or to an empty state saves nan.
    """
    parts = ConnectedParts.make(before, after, P=P)
    if parts.torn:
        return None
    mass = np.zeros(P.nnz)
    saved = np.full(P.nnz, np.nan)
    here = parts.at[parts.forced]
    only = np.where(parts.one_source, after[parts.j], before[parts.i])
    mass[here] = only[parts.forced]
    saved[here] = parts.cost[parts.forced]
    for rows, columns, cost, arcs, place in parts.blocks():
        plan = _transport(where, before[rows], after[columns], cost, certify=certify)[0]
        if _stranded(plan, cost) > _nothing(before, after):
            return None
        moved: Array = plan
        if counts_people(before, after):
            moved = _people(where, plan)
        mass[parts.at[arcs]] = moved[place]
        saved[parts.at[arcs]] = _residual_savings(moved, cost, certify=certify)[place]
    return mass, saved


def max_flow(before: npt.ArrayLike, after: npt.ArrayLike, *, transition: Any) -> int:
    """Return how many people can be routed along possible transitions.

    Parameters
    ----------
    before, after : array_like of int, shape (L,)
        Histograms with the same total *N*, at most 2**31 - 1.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic; only its zeros matter.

    Returns
    -------
    int
        The value of the maximum flow; *N* exactly when some movement joins the histograms.

    References
    ----------
    The network of section 4.1 with the capacities of equation (4).

    Examples
    --------
    >>> max_flow([1, 0], [0, 1], transition=[[1, 0], [0, 1]])
    0
    >>> max_flow([1, 1], [0, 2], transition=[[0.5, 0.5], [0, 1]])
    2
    """
    first, second, P = valid.step("max_flow", before, after, transition)
    checks.integer("max_flow", "people", int(first.sum()), low=1, high=2**31 - 1)
    arcs = sparse.coo_array(P != 0)
    size = first.size
    _safety.limit("max_flow", "arcs of the network", int(arcs.nnz) + 2 * size, 2**31 - 1)
    source = 2 * size
    sink = 2 * size + 1
    state = np.arange(size)
    tail = np.concatenate([np.full(size, source), arcs.row, state + size])
    head = np.concatenate([state, arcs.col + size, np.full(size, sink)])
    room = np.concatenate([first, np.minimum(first[arcs.row], second[arcs.col]), second])
    network = sparse.csr_array((room.astype(np.int32), (tail, head)), shape=(sink + 1, sink + 1))
    solution = csgraph.maximum_flow(network, source, sink)
    value = int(solution.flow_value)
    # The arcs out of what can still be reached carry the value of the flow: none is larger.
    open_arcs = sparse.csr_array(network - solution.flow)
    open_arcs.data = np.where(open_arcs.data > 0, 1, 0)
    open_arcs.eliminate_zeros()
    near = np.zeros(sink + 1, dtype=bool)
    near[csgraph.breadth_first_order(open_arcs, source, return_predecessors=False)] = True
    cut = int(room[near[tail] & ~near[head]].astype(np.int64).sum())
    if near[sink] or cut != value:
        raise _safety.UncertifiedError(
            f"max_flow: the flow of {value} must equal the cut that closes the network, got {cut}"
        )
    return value


def most_likely_movement(
    before: npt.ArrayLike, after: npt.ArrayLike, *, transition: Any
) -> Movement:
    r"""Return the movement of largest product of transition probabilities.

    Parameters
    ----------
    before, after : array_like, shape (L,)
        Histograms with the same total: people, or real masses (as Algorithm 1 publishes).
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Row-stochastic. A sparse one (a graph is) is solved part by connected part.

    Returns
    -------
    Movement
        Its `cost` is :math:`C(\pi, x)`. The factor *N*! of equation (3) is left out.

    Raises
    ------
    InfeasibleError
        Somebody cannot be routed along positive transitions.
    UncertifiedError
        The duals of the solver do not prove that its plan is a cheapest one.
    ImportError
        POT is missing.

    Notes
    -----
    Network simplex of POT in which a forbidden arc costs more than any detour along possible
    arcs, so that as little mass as possible uses one; what does is the shortfall. The vertices of
    the polytope of movements are whole for whole histograms, and the solver ends at a vertex.

    References
    ----------
    Theorem 4.1 and equation (5); R. Flamary et al., "POT: Python Optimal Transport",
    *Journal of Machine Learning Research* 22 (2021).

    Examples
    --------
    >>> P = [[1/2, 1/4, 1/4], [1/4, 1/2, 1/4], [1/8, 3/8, 1/2]]
    >>> best = most_likely_movement([2, 2, 1], [1, 2, 2], transition=P)
    >>> best.counts
    array([[1, 0, 1],
           [0, 2, 0],
           [0, 0, 1]])
    >>> best.cost
    4.1588831
    """
    where = "most_likely_movement"
    first, second, P = valid.step(where, before, after, transition, whole=False)
    return movement_between(where, first, second, P)


def _people(where: str, plan: Array) -> IntArray:
    """Return a plan of whole people: a vertex is whole, up to rounding."""
    whole = np.rint(plan).astype(np.int64)
    if np.abs(whole - plan).max(initial=0.0) > 0.1:
        raise ArithmeticError(f"{where}: the plan between whole histograms is not whole")
    return whole


def movement_between(
    where: str, before: Array, after: Array, P: Any, *, certify: bool = True
) -> Movement:
    """Return the most likely movement of checked arguments."""
    scattered = sparse.issparse(P)
    sparse_plan = (
        cheapest_sparse_plan(where, before, after, P, certify=certify) if scattered else None
    )
    if sparse_plan is not None:
        mass = sparse_plan[0]
        at = np.array(P.tocoo().coords)
    else:
        rows = np.flatnonzero(before > 0)
        columns = np.flatnonzero(after > 0)
        cost = arc_costs(valid.dense(P[rows][:, columns]))
        plan = _transport(where, before[rows], after[columns], cost, certify=certify)[0]
        _all_routed(where, plan, cost, before, after)
        r, c = np.nonzero(np.where(np.isinf(cost), 0.0, plan))
        mass = plan[r, c]
        at = np.array([rows[r], columns[c]])
    if counts_people(before, after):
        mass = _people(where, mass)
    carrying = mass != 0
    i, j = at[:, carrying]
    mass = mass[carrying]
    paid = float(arc_costs(np.asarray(P[i, j])).ravel() @ mass) + 0.0
    if scattered:
        return Movement(sparse.csr_array((mass, (i, j)), shape=P.shape), paid)
    counts = np.zeros(P.shape, dtype=mass.dtype)
    counts[i, j] = mass
    return Movement(counts, paid)


def _residual_savings(plan: Array, cost: FloatArray, *, certify: bool = True) -> FloatArray:
    """Return G of the most likely `plan` between occupied states."""
    if cost.shape[0] < cost.shape[1]:
        return _residual_savings(plan.T, cost.T, certify=certify).T
    sources = np.arange(plan.shape[0])
    sinks = np.arange(plan.shape[1])
    # What rounding leaves on an arc of real masses grows with the number of sums.
    least = 0.0
    if plan.dtype.kind == "f":
        least = 2 * np.finfo(np.float64).eps * sum(plan.shape) * plan.sum()
    used = (plan > least) & np.isfinite(cost)
    used[sources, plan.argmax(axis=1)] = True  # however small a mass may be
    used[plan.argmax(axis=0), sinks] = True
    sink, source = np.nonzero(used.T)
    detours = cost[source] - cost[source, sink][:, None]
    length = np.minimum.reduceat(detours, np.searchsorted(sink, sinks), axis=0).T
    lower = _potentials(length, 1e-10 * (1 + cost[used].max()))
    # Reduced lengths are not negative, so that rounding errors cannot feed on cycles.
    reduced = np.maximum(length + lower[:, None] - lower, 0.0)
    if len(reduced) > SMALL:
        distance = csgraph.floyd_warshall(csgraph.csgraph_from_dense(reduced, null_value=np.inf))
    else:  # most blocks of paths: less than the graph costs to make
        distance = reduced
        for k in range(len(reduced)):
            distance = np.minimum(distance, distance[:, k, None] + distance[k])
        np.fill_diagonal(distance, 0.0)
    distance -= lower[:, None] - lower
    if certify:
        _certify_distances(length, distance, 1e-10 * (1 + float(cost[used].max())))
    sink = plan.argmax(axis=1)
    return np.asarray(cost[sources, sink][:, None] - distance[sink])


def _certify_distances(length: FloatArray, distance: FloatArray, rounding: float) -> None:
    """Raise unless every distance is 0 to itself and else the best first step and the rest.

    The distances to one sink are then optimal duals of the shortest ways there.
    """
    first = length.copy()
    np.fill_diagonal(first, np.inf)  # a step that goes nowhere proves nothing
    for start in range(0, len(length), ROWS):  # rows that stay in the cache
        here = slice(start, start + ROWS)
        distances = distance[here]
        best = np.full(distances.shape, np.inf)
        best[np.arange(len(best)), np.arange(start, start + len(best))] = 0.0
        way = np.empty(distances.shape)
        for k in range(len(length)):
            np.add(first[here, k, None], distance[k], out=way)
            np.minimum(best, way, out=best)
        both_infinite = best == distances  # no way, here and there
        near = (best <= distances + rounding) & (distances <= best + rounding)
        if not (both_infinite | near).all():
            raise _safety.UncertifiedError(
                "unit_savings: a residual distance is not the shortest one; nothing is returned"
            )


def _potentials(length: FloatArray, tolerance: float) -> FloatArray:
    """Return p with p[l] <= p[k] + length[k, l] up to the tolerance (Bellman and Ford)."""
    p = np.zeros(length.shape[0])
    for _ in range(length.shape[0] + 1):
        lower = np.minimum(p, (p[:, None] + length).min(axis=0))
        if (p - lower).max() <= tolerance:
            return p
        p = lower
    raise ValueError("unit_savings: movement must be a most likely one, got one with a detour")


def unit_savings(movement: Movement, transition: Any, *, certify: bool = True) -> Any:
    r"""Return what one person less from *i* to *j* saves, for all pairs at once.

    Parameters
    ----------
    movement : Movement
        A most likely movement.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        The transition matrix that it was found for.
    certify : bool
        Check that all residual distances are the shortest ones, by the equations of Bellman. Of
        a hundred states this costs once or twice as much as the savings themselves.

    Returns
    -------
    ndarray of float or scipy.sparse.csr_array, shape (L, L)
        :math:`G_{ij} = C(\pi, x) - C(\pi - e_i, x - e_j)`; minus infinity where the smaller
        histograms cannot be joined, ``nan`` where *i* or *j* is empty. For a sparse transition
        the stored entries are the pairs of occupied states in one connected part; other pairs of
        occupied states stand for minus infinity.

    Raises
    ------
    TypeError, ValueError
        `movement` is none, is of another shape or kind than `transition`, or is not a most
        likely one; `certify` is neither True nor False.
    UncertifiedError
        A residual distance is not the shortest one.

    Notes
    -----
    Shortest residual paths (see the head of the module): :math:`O(L^3)` by Floyd and Warshall,
    on the smaller side of the network. Exact for whole histograms. For real masses it is the
    one-sided derivative, the limit of the saving of a mass :math:`\delta` over :math:`\delta`;
    the saving of a whole unit is at most that, because *C* is convex.

    Examples
    --------
    >>> P = [[0.9, 0.1], [0.2, 0.8]]
    >>> unit_savings(most_likely_movement([2, 2], [3, 1], transition=P), P)
    array([[ 0.10536052, -1.28093385],
           [ 1.60943791,  0.22314355]])
    """
    where = "unit_savings"
    certify = checks.flag(where, "certify", certify)
    if not isinstance(movement, Movement):
        raise TypeError(f"{where}: movement must be a Movement, got {movement!r}")
    P = valid.states_of(where, transition)[0]
    counts = movement.counts
    if counts.shape != P.shape or sparse.issparse(counts) != sparse.issparse(P):
        raise ValueError(
            f"{where}: movement and transition must have the same shape and both be dense "
            f"or both sparse, got shapes {counts.shape} and {P.shape}"
        )
    if not sparse.issparse(counts):
        counts = np.asarray(counts)
    i, j = counts.nonzero()
    if (np.asarray(P[i, j]).ravel() == 0).any():
        raise ValueError(
            f"{where}: movement must be a most likely one, got people on a transition of "
            "probability 0"
        )
    return savings_table(counts, P, certify=certify)


def savings_table(counts: Any, P: Any, *, certify: bool = True) -> Any:
    """Return G of checked arguments."""
    before = np.asarray(counts.sum(axis=1)).ravel()
    after = np.asarray(counts.sum(axis=0)).ravel()
    if not sparse.issparse(P):
        inner = np.ix_(before > 0, after > 0)
        result = np.full(P.shape, np.nan)
        result[inner] = _residual_savings(counts[inner], arc_costs(P[inner]), certify=certify)
        return result
    parts = ConnectedParts.make(before, after, P=P)
    sources = [parts.i[parts.forced]]
    sinks = [parts.j[parts.forced]]
    values = [parts.cost[parts.forced]]
    for rows, columns, cost, *_ in parts.blocks():
        i, j = np.indices(cost.shape).reshape(2, -1)
        moved = counts[rows][:, columns].toarray()
        savings = _residual_savings(moved, cost, certify=certify)
        sources.append(rows[i])
        sinks.append(columns[j])
        values.append(savings.ravel())
    place = np.concatenate(sources), np.concatenate(sinks)
    return sparse.csr_array((np.concatenate(values), place), shape=P.shape)
