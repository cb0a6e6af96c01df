r"""Large random graphs as sparse matrices, without a Python loop over nodes or edges.

**Preferential attachment by copying.** Write the edges of a graph as a list of slots, two slots
an edge, one for each endpoint. A vertex of degree *d* occupies *d* slots, so a uniformly random
slot names a vertex with probability proportional to its degree. A new edge therefore only has
to say *which earlier slot it copies*, and all these choices are independent of what the slots
contain: they can be drawn at once. What remains is to follow each chain of copies to the slot
that names its vertex itself, and pointer doubling (``p = p[p]``) does that for all chains
together in :math:`O(\log \log n)` rounds, chains being of logarithmic length.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sps

from privlib import _checks


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
    m = _checks.integer(where, "m", m, low=1)
    n = _checks.integer(where, "n", n, low=m + 1)
    rng = _checks.generator(where, rng)

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
