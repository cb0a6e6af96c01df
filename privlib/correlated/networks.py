r"""From graphs to precision matrices.

A weighted graph with weights :math:`w_{ij} \ge 0` has the Laplacian :math:`L = D - W`, where *D*
holds the degrees :math:`w_i = \sum_j w_{ij}`. The Gaussian correlation model on it has density
proportional to

.. math:: \exp\Bigl(-\tfrac12 \sum_{i<j} w_{ij} (x_i - x_j)^2
          - \tfrac12 \sum_i \tau_i x_i^2\Bigr), \qquad P = L + \mathrm{diag}(\tau).

:math:`x^\top P x = 0` forces *x* to be constant on each component and zero wherever
:math:`\tau_i > 0`: *P* is positive definite exactly if every component has a tuple with a
positive prior. Without any prior (:math:`\tau = 0`) the law is improper, :math:`L 1 = 0`, and the
conditional laws given one tuple are proper exactly if the graph is connected.

The random networks of the experiments take nd/2 of the n(n-1)/2 pairs, which gives average degree
*d* but not a connected graph: n = 100, d = 2 leaves about a fifth of the tuples outside the largest
component.

**Preferential attachment by copying.** Write the edges of a graph as a list of slots, two slots
an edge, one for each endpoint. A vertex of degree *d* occupies *d* slots, so a uniformly random
slot names a vertex with probability proportional to its degree. A new edge therefore only has
to say *which earlier slot it copies*, and all these choices are independent of what the slots
contain: they can be drawn at once. What remains is to follow each chain of copies to the slot
that names its vertex itself, and pointer doubling (``p = p[p]``) does that for all chains
together in :math:`O(\log \log n)` rounds, chains being of logarithmic length.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sps

from privlib import _checks as checks
from privlib.correlated import _validation as validation

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["precision", "preferential_attachment", "random_network"]

FloatArray = npt.NDArray[np.float64]


def _pairs(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Decode ``code = j (j - 1) / 2 + i``, ``0 <= i < j``, exactly; shape (edges, 2)."""
    # The real root is (1 + sqrt(1 + 8 code)) / 2; half a unit more is never low, integers decide.
    j = (1 + np.sqrt(1 + 8.0 * codes) / 2).astype(np.int64)
    j -= j * (j - 1) // 2 > codes
    return np.column_stack([codes - j * (j - 1) // 2, j])


def random_network(n: int, degree: float, rng: np.random.Generator) -> nx.Graph:
    r"""Draw a graph of average degree `degree`, uniformly among those with nd/2 edges.

    Parameters
    ----------
    n : int
        Number of tuples, at least 1.
    degree : float
        Average degree d; n d must be an even integer and d at most n - 1.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    networkx.Graph
        Nodes ``0..n-1`` in order and nd/2 edges of weight 1 (no attribute).

    Raises
    ------
    ValueError
        If n d is not an even integer or d is not in [0, n - 1].
    TypeError
        If an argument has the wrong type.

    Notes
    -----
    The pairs are numbered and nd/2 numbers drawn without replacement, which takes memory in
    proportion to the edges, not to n^2. The graph may be disconnected; `precision` then asks for
    a prior.

    References
    ----------
    Section 6.1.

    Examples
    --------
    >>> graph = random_network(10, 4, np.random.default_rng(1))
    >>> graph.number_of_nodes(), graph.number_of_edges()
    (10, 20)
    """
    import networkx as nx

    where = "random_network"
    n = checks.integer(where, "n", n, low=1)
    d = checks.non_negative(where, "degree", degree)
    rng = checks.generator(where, rng)
    edges = round(n * d / 2)
    if not math.isclose(2 * edges, n * d, rel_tol=1e-12):
        raise ValueError(f"{where}: n * degree must be an even integer, got {n} * {degree}")
    if d > n - 1:
        raise ValueError(f"{where}: degree must be at most n - 1 = {n - 1}, got {degree}")
    codes = np.empty(0, dtype=np.int64)
    if edges:
        codes = rng.choice(n * (n - 1) // 2, size=edges, replace=False, shuffle=False)
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(_pairs(np.sort(codes)).tolist())
    return graph


def _priors(where: str, nodes: list[Any], prior: Any) -> FloatArray:
    """Return the priors in the order of the nodes."""
    if isinstance(prior, Mapping):
        missing = [node for node in nodes if node not in prior]
        unknown = [node for node in prior if node not in set(nodes)]
        if missing or unknown:
            raise ValueError(
                f"{where}: prior must have one entry for each node, "
                f"got {len(missing)} missing and {len(unknown)} unknown: {(missing + unknown)[:3]}"
            )
        prior = [prior[node] for node in nodes]
    tau: FloatArray = validation.numbers(where, "prior", prior)
    if tau.shape not in {(), (len(nodes),)}:
        raise ValueError(
            f"{where}: prior must be a number or have shape ({len(nodes)},), got {tau.shape}"
        )
    if (tau < 0).any():
        raise ValueError(f"{where}: prior must not be negative, got {tau.min()}")
    return np.broadcast_to(tau, (len(nodes),))


def _weights(where: str, graph: nx.Graph, weight: str, *, signed: bool) -> None:
    """Refuse weights that are no finite numbers, or negative ones unless `signed`."""
    for u, v, value in graph.edges(data=weight, default=1):
        if not isinstance(value, numbers.Real) or isinstance(value, bool):
            raise TypeError(f"{where}: weights must be real numbers, got {value!r} on {(u, v)}")
        if not math.isfinite(value):
            raise ValueError(f"{where}: weights must be finite, got {value!r} on {(u, v)}")
        if value < 0 and not signed:
            raise ValueError(
                f"{where}: weights must not be negative (Definition 5.1), got {value!r} on "
                f"{(u, v)}; signed=True admits them, Theorem 5.2 then does not apply"
            )
        if u == v:
            raise ValueError(f"{where}: graph must not have self loops, got one at {u!r}")


def precision(
    graph: nx.Graph,
    prior: Any,
    *,
    weight: str = "weight",
    sparse: bool = False,
    signed: bool = False,
) -> Any:
    r"""Precision matrix :math:`P = L + \mathrm{diag}(\tau)` of the model on a graph.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected graph without self loops.
    prior : float, array_like of shape (n,), or mapping from nodes to floats
        Priors :math:`\tau_i \ge 0`, an array in the order of ``list(graph)``.
    weight : str
        Edge attribute that holds the weight; edges without it weigh 1.
    sparse : bool
        Return a ``scipy.sparse.csc_array`` instead of an array.
    signed : bool
        Admit negative weights. The matrix need not be positive definite then, and the functions
        of `gaussian` tell.

    Returns
    -------
    ndarray or csc_array, shape (n, n)
        Rows in the order of ``list(graph)``. With prior 0 on a connected graph: the (singular)
        Laplacian.

    Raises
    ------
    ValueError
        If the graph is empty or has self loops, a weight is negative (without `signed`) or not
        finite, a prior is negative, not finite or missing, or a component has no prior (but
        for a connected graph without prior).
    TypeError
        If the graph is directed, a multigraph or no networkx graph; if a weight or prior is no
        number.

    References
    ----------
    Definition 5.1, equation (10); Section 5.5 for the prior.

    Examples
    --------
    >>> import networkx as nx
    >>> precision(nx.path_graph(3), 0.5)
    array([[ 1.5, -1. ,  0. ],
           [-1. ,  2.5, -1. ],
           [ 0. , -1. ,  1.5]])
    """
    import networkx as nx
    from scipy.sparse.csgraph import connected_components

    where = "precision"
    if not isinstance(graph, nx.Graph) or graph.is_directed() or graph.is_multigraph():
        raise TypeError(
            f"{where}: graph must be an undirected networkx.Graph, got {type(graph).__name__}"
        )
    nodes = list(graph)
    if not nodes:
        raise ValueError(f"{where}: graph must have at least one node, got none")
    tau = _priors(where, nodes, prior)
    _weights(where, graph, weight, signed=signed)
    W = nx.to_scipy_sparse_array(graph, nodelist=nodes, weight=weight, dtype=float, format="csc")
    W.eliminate_zeros()  # an edge of weight 0 links nothing
    count, component = connected_components(W, directed=False)
    bare = np.bincount(component, weights=tau > 0) == 0
    if bare.any() and (count > 1):
        node = nodes[int(np.flatnonzero(bare[component])[0])]
        raise ValueError(
            f"{where}: prior must be positive somewhere in every component of a disconnected "
            f"graph, got none in the component of node {node!r}"
        )
    degrees = W.sum(axis=0)
    if sparse:
        return sps.csc_array(sps.diags_array(degrees + tau, format="csc") - W)
    P = -W.toarray() + 0.0  # no negative zeros
    np.fill_diagonal(P, degrees + tau)
    return P


def preferential_attachment(n: int, m: int, rng: np.random.Generator) -> sps.csr_array:
    r"""Adjacency matrix of a preferential-attachment graph.

    The vertices 0..m start as a star with centre *m*; each later vertex *v* draws *m* targets
    among 0..v-1, independently, with probability proportional to their degree before *v* came.

    Parameters
    ----------
    n : int
        Number of vertices, at least ``m + 1``.
    m : int
        Targets drawn by each new vertex, at least 1.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    scipy.sparse.csr_array, shape (n, n)
        Symmetric, entries 0 and 1, empty diagonal; connected.

    Raises
    ------
    TypeError
        If `n` or `m` is not an integer, or `rng` not a generator.
    ValueError
        If ``m < 1`` or ``n < m + 1``.

    Notes
    -----
    "Degree" counts a target drawn twice by one vertex twice, while the matrix holds that edge
    once: there are ``m (n - m)`` draws and, for large *n*, a few of order
    :math:`m^2 \log^2 n` fewer edges. For ``m = 1`` the graph is a tree.

    Examples
    --------
    >>> graph = preferential_attachment(1000, 1, np.random.default_rng(1))
    >>> graph.shape, graph.nnz // 2
    ((1000, 1000), 999)
    """
    where = "preferential_attachment"
    m = checks.integer(where, "m", m, low=1)
    n = checks.integer(where, "n", n, low=m + 1)
    rng = checks.generator(where, rng)

    # Slots 2e and 2e + 1 hold the two endpoints of edge e; a slot points to itself or is a copy.
    source = np.concatenate([np.arange(m), np.repeat(np.arange(m + 1, n), m)])
    pointer = np.arange(2 * source.size)
    earlier = 2 * m * (source[m:] - m)  # slots filled before this vertex came
    pointer[2 * m + 1 :: 2] = rng.integers(0, earlier)
    while True:
        followed = pointer[pointer]
        if np.array_equal(followed, pointer):
            break
        pointer = followed
    content = np.empty(pointer.size, dtype=np.int64)
    content[0::2] = source
    content[1 : 2 * m : 2] = m  # the centre of the star; later odd slots are never read
    endpoint = content[pointer].reshape(-1, 2)

    half = sps.coo_array((np.ones(len(endpoint)), endpoint.T), shape=(n, n)).tocsr()
    adjacency = (half + half.T).tocsr()
    adjacency.data[:] = 1.0
    return adjacency
