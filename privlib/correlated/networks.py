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

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sps

from privlib import _checks as checks
from privlib._checks import FloatArray

if TYPE_CHECKING:
    import networkx as nx


def _priors(where: str, nodes: list[Any], prior: Any) -> FloatArray:
    """Return the priors in the order of the nodes."""
    if hasattr(prior, "keys"):
        own = dict.fromkeys(prior.keys())  # a Series is a mapping as well, with another iterator
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


def _weights(where: str, graph: nx.Graph, weight: str, *, signed: bool) -> sps.csc_array:
    """Return the matrix of weights; refuse loops, and negative weights unless `signed`."""
    nodes, n = list(graph), len(graph)
    index = {node: k for k, node in enumerate(nodes)}
    links = ((index[u], index[v], w) for u, v, w in graph.edges(data=weight, default=1))
    try:  # what networkx does for the same matrix, with fewer copies
        found = np.fromiter(links, dtype="i8,i8,f8")
    except (TypeError, ValueError) as error:
        raise TypeError(f"{where}: weights must be real numbers, {error}") from error
    pairs = sps.coo_array((found["f2"], (found["f0"], found["f1"])), shape=(n, n))
    for bad, rule in (
        (~np.isfinite(pairs.data), "weights must be finite"),
        (pairs.row == pairs.col, "graph must not have self loops"),
        (
            (pairs.data < 0) & (not signed),
            "weights must not be negative (Definition 5.1; signed=True admits them)",
        ),
    ):
        if bad.any():
            k = int(bad.argmax())
            link = nodes[pairs.row[k]], nodes[pairs.col[k]]
            raise ValueError(f"{where}: {rule}, got {pairs.data[k]:g} on {link}")
    W = sps.csc_array(pairs + pairs.T)
    W.eliminate_zeros()  # an edge of weight 0 links nothing
    return W


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
    graph : networkx.Graph, or scipy.sparse matrix of shape (n, n)
        Undirected graph without self loops, or its symmetric matrix of weights (such as
        `preferential_attachment` returns), whose rows are the nodes ``0, ..., n - 1``.
    prior : float, array_like of shape (n,), or mapping (or Series) from nodes to floats
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
        If the graph is empty or has self loops, a matrix is not symmetric, a weight is negative
        (without `signed`) or not finite, a prior is negative, not finite or missing, or a
        component has no prior (but for a connected graph without prior).
    TypeError
        If the graph is directed, a multigraph or no networkx graph, or a weight or prior no number.

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
    import networkx as nx
    from scipy.sparse.csgraph import connected_components

    where = "precision"
    if sps.issparse(graph):
        if graph.shape[0] != graph.shape[-1] or (graph != graph.T).nnz:
            raise ValueError(f"{where}: graph must be symmetric as a matrix, got {graph.shape}")
        graph = nx.from_scipy_sparse_array(graph)
    if not isinstance(graph, nx.Graph) or graph.is_directed() or graph.is_multigraph():
        got = f"{type(graph).__name__}; networkx.from_numpy_array makes one"
        raise TypeError(f"{where}: graph must be an undirected networkx.Graph, got {got}")
    nodes = list(graph)
    if not nodes:
        raise ValueError(f"{where}: graph must have at least one node, got none")
    tau = _priors(where, nodes, prior)
    W = _weights(where, graph, weight, signed=signed)
    count, component = connected_components(W, directed=False)
    bare = np.bincount(component, weights=tau > 0) == 0
    if bare.any() and (count > 1):
        node = nodes[int(np.flatnonzero(bare[component])[0])]
        rule = "prior must be positive somewhere in every component of a disconnected graph"
        raise ValueError(f"{where}: {rule}, got none in the component of node {node!r}")
    degrees = W.sum(axis=0)
    if sparse:
        return sps.csc_array(sps.diags_array(degrees + tau, format="csc") - W)
    P = -W.toarray() + 0.0  # no negative zeros
    np.fill_diagonal(P, degrees + tau)
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
        If `n` or `m` is not an integer, ``m < 1`` or ``n < m + 1``.

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
