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

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from privlib.location import _validation as checks

Array = npt.NDArray[Any]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Block = tuple[IntArray, IntArray, FloatArray]

_MASS = 1e-13  # relative to the total: what a floating point flow calls nothing
_ITERATIONS = 10_000_000
_ROWS = 64  # of the distances at a time: what is written stays in the cache until it is read


class InfeasibleError(ValueError):
    """No movement along possible transitions joins the two histograms.

    Attributes
    ----------
    shortfall : float
        How many people the best routing leaves behind.
    """

    def __init__(self, message: str, shortfall: float) -> None:
        super().__init__(message)
        self.shortfall = shortfall


@dataclass(frozen=True, eq=False)
class Movement:
    """A most likely movement.

    Attributes
    ----------
    counts : array or scipy.sparse.csr_matrix, shape (L, L)
        Who goes where: integers for integer histograms, else real masses. Sparse for a sparse
        transition matrix.
    cost : float
        Minus the logarithm of the largest product of transition probabilities.
    """

    counts: Any
    cost: float


def _costs(transition: Array) -> FloatArray:
    """Return -log of a dense transition matrix, infinite where it is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(np.asarray(transition, dtype=np.float64)))


def _transport(before: Array, after: Array, cost: FloatArray) -> FloatArray:
    """Return a cheapest plan between positive masses; forbidden arcs carry what must use them."""
    if min(cost.shape) == 1:  # the only plan
        return np.asarray(before[:, None] if cost.shape[1] == 1 else after[None, :], dtype=float)
    import ot  # here: it takes two seconds, and is an optional extra

    allowed = np.isfinite(cost)
    most = cost[allowed].max(initial=0.0)
    # Dearer than any detour through allowed arcs, so used by as little mass as possible.
    prices = np.where(allowed, cost, 1.0 + sum(cost.shape) * most)
    plan, log = ot.emd(
        np.asarray(before, dtype=float), np.asarray(after, dtype=float), prices,
        numItermax=_ITERATIONS, log=True,
    )  # fmt: skip
    if log["warning"] is not None:
        raise ArithmeticError(f"transport solver: {log['warning']}")
    return np.asarray(plan, dtype=np.float64)


def _split(part: Any) -> tuple[tuple[IntArray, IntArray, FloatArray], list[Block], Array, Array]:
    """Return the connected parts of a sparse network of sources (rows) and sinks (columns).

    First the arcs (rows, columns, costs) of all parts with one source or one sink, where the flow
    is forced; then the other parts as (rows, columns, dense costs); then the part of every row
    and of every column.
    """
    size = part.shape[0]
    links = sparse.bmat([[None, part], [part.T, None]])
    count, label = csgraph.connected_components(links, directed=False)
    of_row, of_column = label[:size], label[size:]
    arcs = part.tocoo()
    single = (np.bincount(of_row, minlength=count) <= 1) | (
        np.bincount(of_column, minlength=count) <= 1
    )
    easy = single[of_row[arcs.row]]
    forced = (arcs.row[easy], arcs.col[easy], -np.log(arcs.data[easy]))
    blocks = []
    for k in np.flatnonzero(~single):
        rows, columns = np.flatnonzero(of_row == k), np.flatnonzero(of_column == k)
        blocks.append((rows, columns, _costs(part[rows][:, columns].toarray())))
    return forced, blocks, of_row, of_column


def _sparse_plan(before: Array, after: Array, part: Any) -> Any:
    """Return the cheapest plan of a sparse network block by block, or None if a block is torn."""
    forced, blocks, of_row, of_column = _split(part)
    size = 1 + max(of_row.max(), of_column.max())
    out, into = np.bincount(of_row, before, size), np.bincount(of_column, after, size)
    if (np.abs(out - into) > checks.SUM_TOLERANCE * np.maximum(1, out)).any():
        return None
    i, j, _ = forced
    one_source = np.bincount(of_row, minlength=size)[of_row[i]] == 1
    entries = [(i, j, np.where(one_source, after[j], before[i]).astype(float))]
    for rows, columns, cost in blocks:
        plan = _transport(before[rows], after[columns], cost)
        if plan[np.isinf(cost)].sum() > _MASS * before.sum():
            return None
        r, c = np.nonzero(plan * np.isfinite(cost))
        entries.append((rows[r], columns[c], plan[r, c]))
    r, c, mass = (np.concatenate(column) for column in zip(*entries))
    return sparse.csr_matrix((mass, (r, c)), shape=part.shape)


def _clean(plan: Any, *, whole: bool) -> Any:
    """Round the plan of whole histograms to integers; a vertex is whole up to rounding."""
    if not whole:
        return plan
    data = plan.data if sparse.issparse(plan) else plan
    if np.abs(data - np.rint(data)).max(initial=0.0) > 1e-6:
        raise ArithmeticError("transport solver: the plan between whole histograms is not whole")
    if sparse.issparse(plan):
        plan.data = np.rint(plan.data)
        plan.eliminate_zeros()
        return plan.astype(np.int64)
    return np.rint(plan).astype(np.int64)


def max_flow(before: npt.ArrayLike, after: npt.ArrayLike, transition: Any) -> int:
    """Return how many people can be routed along possible transitions.

    Parameters
    ----------
    before, after : array_like of int, shape (L,)
        Histograms with the same total *N*.
    transition : array_like or sparse matrix, shape (L, L)
        Row-stochastic; only its zeros matter.

    Returns
    -------
    int
        The value of the maximum flow; *N* exactly when some movement joins the histograms.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule.

    References
    ----------
    The network of section 4.1 with the capacities of equation (4).

    Examples
    --------
    >>> max_flow([1, 0], [0, 1], [[1, 0], [0, 1]])
    0
    >>> max_flow([1, 1], [0, 2], [[0.5, 0.5], [0, 1]])
    2
    """
    first, second, matrix = checks.pair("max_flow", before, after, transition)
    return _max_flow(first, second, checks.floats(matrix))


def _max_flow(before: IntArray, after: IntArray, transition: Any) -> int:
    size = before.size
    if before.sum() > np.iinfo(np.int32).max:
        raise ValueError(f"max_flow: at most 2**31 - 1 people, got {before.sum()}")
    arcs = sparse.coo_matrix(transition)
    source, sink = 2 * size, 2 * size + 1
    state = np.arange(size)
    tail = np.concatenate([np.full(size, source), arcs.row, state + size])
    head = np.concatenate([state, arcs.col + size, np.full(size, sink)])
    room = np.concatenate([before, np.minimum(before[arcs.row], after[arcs.col]), after])
    network = sparse.csr_matrix((room.astype(np.int32), (tail, head)), shape=(sink + 1, sink + 1))
    return int(csgraph.maximum_flow(network, source, sink).flow_value)


def most_likely_movement(
    before: npt.ArrayLike, after: npt.ArrayLike, transition: Any, *, as_printed: bool = False
) -> Movement:
    r"""Return the movement of largest product of transition probabilities.

    Parameters
    ----------
    before, after : array_like, shape (L,)
        Histograms with the same total: people, or real masses (as Algorithm 1 publishes).
    transition : array_like or sparse matrix, shape (L, L)
        Row-stochastic. A sparse one is solved part by connected part.
    as_printed : bool
        Take a minimum-cost *maximum* flow whatever its value, as the theorem says.

    Returns
    -------
    Movement
        Its `cost` is :math:`C(\pi, x)`. The factor *N*! of equation (3) is left out.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule.
    InfeasibleError
        Somebody cannot be routed along positive transitions (not with `as_printed`).
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
    >>> best = most_likely_movement([2, 2, 1], [1, 2, 2], P)
    >>> best.counts
    array([[1, 0, 1],
           [0, 2, 0],
           [0, 0, 1]])
    >>> best.cost
    4.1588831
    """
    where = "most_likely_movement"
    first, second, matrix = checks.pair(where, before, after, transition, integer=False)
    return _best(where, first, second, checks.floats(matrix), as_printed=as_printed)


def _best(
    where: str, before: Array, after: Array, matrix: Any, *, as_printed: bool = False
) -> Movement:
    """Return the most likely movement of checked arguments."""
    rows, columns = np.flatnonzero(before > 0), np.flatnonzero(after > 0)
    scattered = sparse.issparse(matrix)
    part = matrix[rows][:, columns] if scattered else matrix[np.ix_(rows, columns)]
    plan = _sparse_plan(before[rows], after[columns], part) if scattered else None
    if plan is None:
        dense = part.toarray() if scattered else part
        cost = _costs(dense)
        plan = _transport(before[rows], after[columns], cost)
        missing = float(plan[np.isinf(cost)].sum())
        if missing > _MASS * before.sum() and not as_printed:
            raise InfeasibleError(
                f"{where}: no movement along possible transitions joins the histograms, "
                f"{missing:.6g} of {before.sum():.6g} cannot be routed",
                missing,
            )
        plan = np.where(np.isinf(cost), 0.0, plan)
    whole = before.dtype.kind == after.dtype.kind == "i"
    plan = sparse.coo_matrix(_clean(plan, whole=whole))
    where_to = (rows[plan.row], columns[plan.col])
    paid = float(-np.log(np.asarray(matrix[where_to], dtype=float)).ravel() @ plan.data)
    if scattered:
        return Movement(sparse.csr_matrix((plan.data, where_to), shape=matrix.shape), paid + 0.0)
    counts = np.zeros(matrix.shape, dtype=plan.dtype)
    counts[where_to] = plan.data
    return Movement(counts, paid + 0.0)


def _residual_savings(plan: Array, cost: FloatArray) -> FloatArray:
    """Return G of the most likely `plan` between occupied states."""
    if cost.shape[0] < cost.shape[1]:
        return _residual_savings(plan.T, cost.T).T
    used = (plan > _MASS * plan.sum()) & np.isfinite(cost)
    used[np.arange(plan.shape[0]), plan.argmax(axis=1)] = True  # however small a mass may be
    used[plan.argmax(axis=0), np.arange(plan.shape[1])] = True
    sink, source = np.nonzero(used.T)
    detours = cost[source] - cost[source, sink][:, None]
    starts = np.searchsorted(sink, np.arange(plan.shape[1]))
    distance = np.ascontiguousarray(np.minimum.reduceat(detours, starts, axis=0).T)
    lower = _potentials(distance, 1e-10 * (1 + cost[used].max()))
    # Reduced lengths are not negative, so that rounding errors cannot feed on cycles.
    distance = np.maximum(distance + lower[:, None] - lower, 0.0)
    detour = np.empty((_ROWS, distance.shape[0]))
    for k in range(distance.shape[0]):  # Floyd and Warshall; row k stays as it is
        for start in range(0, distance.shape[0], _ROWS):
            part = distance[start : start + _ROWS]
            via = np.add(part[:, k, None], distance[k], out=detour[: part.shape[0]])
            np.minimum(part, via, out=part)
    distance -= lower[:, None] - lower
    source, sink = np.arange(plan.shape[0]), plan.argmax(axis=1)
    return np.asarray(cost[source, sink][:, None] - distance[sink])


def _potentials(length: FloatArray, tolerance: float) -> FloatArray:
    """Return p with p[l] <= p[k] + length[k, l] up to the tolerance (Bellman and Ford)."""
    p = np.zeros(length.shape[0])
    for _ in range(length.shape[0] + 1):
        lower = np.minimum(p, (p[:, None] + length).min(axis=0))
        if (p - lower).max() <= tolerance:
            return p
        p = lower
    raise ValueError("unit_savings: movement must be a most likely one, got one with a detour")


def unit_savings(movement: Movement, transition: Any) -> Any:
    r"""Return what one person less from *i* to *j* saves, for all pairs at once.

    Parameters
    ----------
    movement : Movement
        A most likely movement.
    transition : array_like or sparse matrix, shape (L, L)
        The transition matrix that it was found for.

    Returns
    -------
    array of float, shape (L, L), or scipy.sparse.csr_matrix
        :math:`G_{ij} = C(\pi, x) - C(\pi - e_i, x - e_j)`; minus infinity where the smaller
        histograms cannot be joined, ``nan`` where *i* or *j* is empty. For a sparse transition
        the stored entries are the pairs of occupied states in one connected part; other pairs of
        occupied states stand for minus infinity.

    Raises
    ------
    TypeError, ValueError
        An argument breaks its rule, or `movement` is not a most likely one.

    Notes
    -----
    Shortest residual paths (see the head of the module): :math:`O(L^3)` in *L* vectorised steps,
    on the smaller side of the network. Exact for whole histograms. For real masses it is the
    one-sided derivative, the limit of the saving of a mass :math:`\delta` over :math:`\delta`;
    the saving of a whole unit is at most that, because *C* is convex.

    Examples
    --------
    >>> P = [[0.9, 0.1], [0.2, 0.8]]
    >>> unit_savings(most_likely_movement([2, 2], [3, 1], P), P)
    array([[ 0.10536052, -1.28093385],
           [ 1.60943791,  0.22314355]])
    """
    if not isinstance(movement, Movement):
        raise TypeError(f"unit_savings: movement must be a Movement, got {movement!r}")
    matrix = checks.floats(checks.transition("unit_savings", transition))
    counts = movement.counts
    if counts.shape != matrix.shape or sparse.issparse(counts) != sparse.issparse(matrix):
        raise ValueError(
            "unit_savings: movement and transition must have the same shape and both be dense "
            f"or both sparse, got shapes {counts.shape} and {matrix.shape}"
        )
    return _savings(counts, matrix)


def _savings(counts: Any, matrix: Any) -> Any:
    """Return G of checked arguments."""
    rows = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel() > 0)
    columns = np.flatnonzero(np.asarray(counts.sum(axis=0)).ravel() > 0)
    if not sparse.issparse(matrix):
        inner = np.ix_(rows, columns)
        result = np.full(matrix.shape, np.nan)
        result[inner] = _residual_savings(counts[inner], _costs(matrix[inner]))
        return result
    plan = counts[rows][:, columns]
    forced, blocks, _, _ = _split(matrix[rows][:, columns])
    entries = [forced]
    for r, c, cost in blocks:
        inside = _residual_savings(plan[r][:, c].toarray(), cost)
        at = np.indices(inside.shape).reshape(2, -1)
        entries.append((r[at[0]], c[at[1]], inside.ravel()))
    i, j, savings = (np.concatenate(column) for column in zip(*entries))
    return sparse.csr_matrix((savings, (rows[i], columns[j])), shape=matrix.shape)
