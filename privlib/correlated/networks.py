r"""From graphs to precision matrices.

A weighted graph with weights :math:`w_{ij} \ge 0` has the Laplacian :math:`L = D - W`, where *D*
holds the degrees :math:`w_i = \sum_j w_{ij}`. The Gaussian correlation model on it has density
proportional to

.. math:: \exp\Bigl(-\tfrac12 \sum_{i<j} w_{ij} (x_i - x_j)^2
          - \tfrac12 \sum_i \tau_i x_i^2\Bigr), \qquad P = L + \mathrm{diag}(\tau).

:math:`x^\top P x = 0` forces *x* to be constant on each component and zero wherever
:math:`\tau_i > 0`: *P* is positive definite exactly if every component has a tuple with a
positive prior. Without any prior (:math:`\tau = 0`) the distribution is improper, :math:`L 1 = 0`,
and the conditional distributions given one tuple are proper exactly if the graph is connected.

The random networks of the experiments take nd/2 of the n(n-1)/2 pairs, as
``networkx.gnm_random_graph`` does, which gives average degree *d* but not a connected graph:
n = 100, d = 2 leaves about a fifth of the tuples outside the largest component.

**Preferential attachment by copying.** Write the edges of a graph as a list of slots, two slots
an edge, one for each endpoint. A vertex of degree *d* occupies *d* slots, so a uniformly random
slot names a vertex with probability proportional to its degree. A new edge therefore only has
to say *which earlier slot it copies*, and all these choices are independent of what the slots
contain: they can be drawn at once. What remains is to follow each chain of copies to the slot
that names its vertex itself, and pointer doubling (``p = p[p]``) does that for all chains
together in :math:`O(\log \log n)` rounds, chains being of logarithmic length.
"""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sps

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray

if TYPE_CHECKING:
    import networkx as nx


LARGEST_DENSE = 20_000
"""Most tuples of a precision matrix that is not sparse (3 GB)."""
LARGEST_DRAWS = 10**8
"""Most edges that `preferential_attachment` draws."""


def _priors(where: str, nodes: list[Any], prior: Any) -> FloatArray:
    """Return the priors in the order of the nodes."""
    if checks.is_pandas(prior):
        _safety.positions(where, "prior", prior)  # its labels are read by nobody
    elif hasattr(prior, "keys"):
        own = dict.fromkeys(prior.keys())
        missing = [node for node in nodes if node not in own]
        unknown = sorted(own.keys() - nodes, key=str)
        if missing or unknown:
            got = f"{len(missing)} missing and {len(unknown)} unknown: {(missing + unknown)[:3]}"
            raise ValueError(f"{where}: prior must have one entry for each node, got {got}")
        prior = [prior[node] for node in nodes]
    tau = checks.non_negatives(where, "prior", prior)
    if tau.shape not in {(), (len(nodes),)}:
        rule = f"prior must be a number or have shape ({len(nodes)},)"
        raise ValueError(f"{where}: {rule}, got {tau.shape}")
    return np.broadcast_to(tau, (len(nodes),))


def _edge_weight(where: str, u: Any, v: Any, weight: Any) -> float:
    """Return the weight of one edge; text, even of digits, is none."""
    number = isinstance(weight, (numbers.Real, np.integer, np.floating))
    if isinstance(weight, checks.REFUSED) or not number:
        raise TypeError(f"{where}: weights must be real numbers, got {weight!r} on {(u, v)}")
    if isinstance(weight, (float, np.floating)):
        return float(weight)  # whether it is finite is looked at for all edges together
    return _safety.exact_float(where, f"the weight on {(u, v)}", weight)


def _weights(where: str, graph: nx.Graph, weight: str | None, *, signed: bool) -> sps.csc_array:
    """Return the matrix of weights; refuse loops, and negative weights unless `signed`."""
    nodes, n = list(graph), len(graph)
    index = {node: k for k, node in enumerate(nodes)}
    links = [(u, v, w) for u, v, w in graph.edges(data=weight, default=1)]
    size = np.array([_edge_weight(where, u, v, w) for u, v, w in links], dtype=np.float64)
    first = np.array([index[u] for u, _, _ in links], dtype=np.int64)
    second = np.array([index[v] for _, v, _ in links], dtype=np.int64)
    pairs = sps.coo_array((size, (first, second)), shape=(n, n))
    for bad, rule in (
        (~np.isfinite(size), "weights must be finite"),
        (first == second, "graph must not have self loops"),
        (
            (size < 0) & (not signed),
            "weights must not be negative (Definition 5.1; signed=True admits them)",
        ),
    ):
        if bad.any():
            k = int(bad.argmax())
            raise ValueError(f"{where}: {rule}, got {size[k]:g} on {links[k][:2]}")
    W = sps.csc_array(pairs + pairs.T)
    W.eliminate_zeros()  # an edge of weight 0 links nothing
    return W


def _require_undirected(where: str, graph: Any) -> None:
    """Refuse what is no simple undirected graph."""
    import networkx as nx

    if not isinstance(graph, nx.Graph) or graph.is_directed() or graph.is_multigraph():
        got = f"{type(graph).__name__}; networkx.from_numpy_array makes one"
        raise TypeError(f"{where}: graph must be an undirected networkx.Graph, got {got}")


def weights_of_graph(where: str, graph: nx.Graph) -> sps.csc_array:
    """Return the weights of a graph with at least one node, checked as for a precision.

    Parameters
    ----------
    where : str
        Name of the function that asks, for its messages.
    graph : networkx.Graph
        Undirected, without self loops; edges without a weight have 1.

    Returns
    -------
    scipy.sparse.csc_array, shape (n, n)
        Symmetric, in the order of the nodes.

    Raises
    ------
    ValueError
        The graph has no node or a self loop, or a weight is negative or not finite.
    TypeError
        The graph is directed or has several edges between two nodes, or a weight is no number.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.path_graph(3)
    >>> graph.edges[0, 1]["weight"] = 2.5
    >>> weights_of_graph("from_graph", graph).toarray().tolist()
    [[0.0, 2.5, 0.0], [2.5, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    _require_undirected(where, graph)
    if not len(graph):
        raise ValueError(f"{where}: graph must have at least one node, got none")
    return _weights(where, graph, "weight", signed=False)


def _matrix_of_weights(where: str, graph: Any, *, signed: bool) -> sps.csc_array:
    """Return a sparse matrix of weights, checked as a graph is; entries given twice are added."""
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError(f"{where}: graph must be symmetric as a matrix, got {graph.shape}")
    if graph.dtype.kind not in "iufb":
        raise TypeError(f"{where}: weights must be real numbers, got {graph.dtype}")
    W = sps.csc_array(graph, copy=True)
    W.sum_duplicates()
    W.data = _safety.exact_floats(where, "weights", W.data)
    checks.refuse(where, "weights", W.data, "finite", np.isfinite(W.data))
    if (W != W.T).nnz:
        raise ValueError(f"{where}: graph must be symmetric as a matrix, got {W.shape}")
    loops = W.diagonal()
    if loops.any():
        k = int(np.flatnonzero(loops)[0])
        raise ValueError(f"{where}: graph must not have self loops, got {loops[k]:g} on {(k, k)}")
    if not signed:
        rule = "not negative (Definition 5.1; signed=True admits them)"
        checks.refuse(where, "weights", W.data, rule, W.data >= 0)
    W.eliminate_zeros()
    return W


def precision(
    graph: nx.Graph,
    prior: Any,
    *,
    weight: str | None = "weight",
    sparse: bool = False,
    signed: bool = False,
) -> Any:
    r"""Precision matrix :math:`P = L + \mathrm{diag}(\tau)` of the model on a graph.

    Parameters
    ----------
    graph : networkx.Graph, or scipy.sparse matrix of shape (n, n)
        Undirected graph without self loops, or its symmetric matrix of weights (such as
        `preferential_attachment` returns), whose rows are the nodes ``0, ..., n - 1``. Nodes that
        are these numbers in another order are refused: results would be read by label.
    prior : float, array_like of shape (n,), or mapping from nodes to floats
        Priors :math:`\tau_i \ge 0`, an array in the order of ``list(graph)``. A Series is such an
        array, and has the index 0, ..., n - 1; ``prior.to_dict()`` is a mapping.
    weight : str or None
        Edge attribute that holds the weight; edges without it weigh 1, and so do all for ``None``.
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
        If the graph is empty or has self loops, a matrix is not symmetric, a weight is negative
        (without `signed`) or not finite, a prior is negative, not finite or missing, a component
        has no prior (but for a connected graph without prior), the matrix would be too large
        without `sparse`, or the diagonal is so large that a prior is lost in its rounding.
    TypeError
        If the graph is directed, a multigraph or no networkx graph, or a weight or prior no number
        (text is none, even of digits).

    Notes
    -----
    The diagonal :math:`d_i + \tau_i` is rounded. A prior below :math:`2^{-53} d_i` would vanish,
    and a component whose priors all vanish would be one without prior; this is refused.

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
    >>> precision(preferential_attachment(3, 1, rng=1), 0.5).sum(axis=0)
    array([0.5, 0.5, 0.5])
    """
    from scipy.sparse.csgraph import connected_components

    where = "precision"
    if sps.issparse(graph):
        W = _matrix_of_weights(where, graph, signed=signed)
        nodes: list[Any] = list(range(W.shape[0]))
    else:
        _require_undirected(where, graph)
        _safety.square_labels(where, "graph", graph)
        nodes = list(graph)
        if nodes:
            W = _weights(where, graph, weight, signed=signed)
    n = len(nodes)
    if not nodes:
        raise ValueError(f"{where}: graph must have at least one node, got none")
    if not sparse:
        _safety.limit(where, "the number of tuples", n, LARGEST_DENSE, "pass sparse=True")
    tau = _priors(where, nodes, prior)
    count, component = connected_components(W, directed=False)
    bare = np.bincount(component, weights=tau > 0) == 0
    if bare.any() and (count > 1):
        node = nodes[int(np.flatnonzero(bare[component])[0])]
        rule = "prior must be positive somewhere in every component of a disconnected graph"
        raise ValueError(f"{where}: {rule}, got none in the component of node {node!r}")
    degrees = W.sum(axis=0)
    diagonal = degrees + tau
    # Of each component at least one prior must survive the sum, unless there was none.
    survives = (diagonal != degrees) | (tau == 0)
    lost = (np.bincount(component, weights=survives & (tau > 0)) == 0) & ~bare
    if lost.any():
        k = int(np.flatnonzero(lost[component] & (tau > 0))[0])
        rule = "prior must not be lost in the rounding of the diagonal, degree + prior"
        raise ValueError(f"{where}: {rule}, got {tau[k]:g} on degree {degrees[k]:g}")
    if sparse:
        return sps.csc_array(sps.diags_array(diagonal, format="csc") - W)
    P = -W.toarray() + 0.0  # no negative zeros
    np.fill_diagonal(P, diagonal)
    return P


def preferential_attachment(n: int, m: int, *, rng: Any = None) -> sps.csr_array:
    r"""Adjacency matrix of a preferential-attachment graph.

    The vertices 0..m start as a star with centre *m*; each later vertex *v* draws *m* targets
    among 0..v-1, independently, with probability proportional to their degree before *v* came.

    Parameters
    ----------
    n : int
        Number of vertices, at least ``m + 1``.
    m : int
        Targets drawn by each new vertex, at least 1.
    rng : None, int or numpy.random.Generator
        Source of randomness, or its seed.

    Returns
    -------
    scipy.sparse.csr_array, shape (n, n)
        Symmetric, entries 0 and 1, empty diagonal; connected.

    Raises
    ------
    TypeError, ValueError
        If `n` or `m` is not an integer, ``m < 1`` or ``n < m + 1``, or more than 1e8 edges would be
        drawn.

    Notes
    -----
    "Degree" counts a target drawn twice by one vertex twice, while the matrix holds that edge
    once: there are ``m (n - m)`` draws and, for large *n*, a few of order
    :math:`m^2 \log^2 n` fewer edges. For ``m = 1`` the graph is a tree.

    Examples
    --------
    >>> graph = preferential_attachment(1000, 1, rng=1)
    >>> graph.shape, graph.nnz // 2
    ((1000, 1000), 999)
    """
    where = "preferential_attachment"
    m = checks.integer(where, "m", m, low=1)
    n = checks.integer(where, "n", n, low=m + 1)
    _safety.limit(where, "the number of edges m (n - m)", m * (n - m), LARGEST_DRAWS)
    rng = checks.generator(where, rng)

    # Slots 2e and 2e + 1 hold the two endpoints of edge e; a slot points to itself or is a copy.
    source = np.concatenate([np.arange(m), np.repeat(np.arange(m + 1, n), m)])
    pointer = np.arange(2 * source.size)
    earlier = 2 * m * (source[m:] - m)  # slots filled before this vertex came
    pointer[2 * m + 1 :: 2] = rng.integers(0, earlier)
    while not np.array_equal(followed := pointer[pointer], pointer):
        pointer = followed
    content = np.empty(pointer.size, dtype=np.int64)
    content[0::2] = source
    content[1 : 2 * m : 2] = m  # the centre of the star; later odd slots are never read
    endpoint = content[pointer].reshape(-1, 2)

    half = sps.coo_array((np.ones(len(endpoint)), endpoint.T), shape=(n, n)).tocsr()
    adjacency = (half + half.T).tocsr()
    adjacency.data[:] = 1.0
    return adjacency
