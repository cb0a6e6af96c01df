"""Graphs to precision matrices, and the random networks of the experiments."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sps

from privlib.correlated import networks


def by_hand(graph, tau):
    """L + diag(tau) edge by edge, as the quadratic form sum w (x_u - x_v)^2."""
    nodes = list(graph)
    P = np.diag(np.broadcast_to(np.asarray(tau, dtype=float), (len(nodes),)))
    for u, v, w in graph.edges(data="weight", default=1):
        e = np.zeros(len(nodes))
        e[nodes.index(u)], e[nodes.index(v)] = 1, -1
        P = P + w * np.outer(e, e)
    return P


# ---------------------------------------------------------------------------------------------
# Precision matrices
# ---------------------------------------------------------------------------------------------


@pytest.fixture
def weighted():
    graph = nx.Graph()
    graph.add_weighted_edges_from([("c", "a", 2.5), ("a", "b", 1), ("b", "d", 0.25)])
    graph.add_edge("d", "c")
    return graph


@pytest.mark.parametrize("tau", [0, 0.5, [1.0, 2.0, 0.0, 4.0]])
def test_precision_edge_by_edge(weighted, tau):
    expected = by_hand(weighted, tau)
    P = networks.precision(weighted, tau)
    np.testing.assert_allclose(P, expected, rtol=1e-15)
    assert not np.signbit(P[P == 0]).any()
    S = networks.precision(weighted, tau, sparse=True)
    assert isinstance(S, sps.csc_array)
    np.testing.assert_array_equal(S.toarray(), P)


def test_prior_by_node(weighted):
    tau = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}
    expected = by_hand(weighted, [3.0, 1.0, 2.0, 4.0])  # list(graph) is c, a, b, d
    np.testing.assert_allclose(networks.precision(weighted, tau), expected)


def test_other_weight_attribute():
    graph = nx.Graph([(0, 1, {"strength": 3, "weight": 9})])
    np.testing.assert_array_equal(
        networks.precision(graph, 1, weight="strength"), [[4, -3], [-3, 4]]
    )
    np.testing.assert_array_equal(networks.precision(graph, 1, weight="none"), [[2, -1], [-1, 2]])


def test_signed_weights():
    graph = nx.Graph([(0, 1, {"weight": 1}), (0, 2, {"weight": -1})])
    P = networks.precision(graph, [3, 1, 3], signed=True)
    np.testing.assert_array_equal(P, [[3, -1, 1], [-1, 2, 0], [1, 0, 2]])


def test_every_component_needs_one_prior():
    graph = nx.Graph([(0, 1), (2, 3)])
    P = networks.precision(graph, [1, 0, 0, 1])
    np.linalg.cholesky(P)
    with pytest.raises(ValueError, match="in the component of node 2"):
        networks.precision(graph, [1, 1, 0, 0])


KEPT = {(0, 1), (1, 2)}
BOTH = nx.DiGraph([(0, 1, {"weight": 2}), (1, 0, {"weight": 5}), (2, 1, {"weight": 0.5})])


@pytest.mark.parametrize(
    "graph",
    [
        nx.subgraph_view(nx.path_graph(4), filter_edge=lambda u, v: (u, v) in KEPT),
        BOTH.to_undirected(as_view=True),
        nx.karate_club_graph().subgraph(range(0, 34, 3)),
        nx.relabel_nodes(nx.karate_club_graph(), str),
        nx.Graph([("b", "a", {"weight": 0}), ("b", "c", {"weight": np.float32(0.1)})]),
        nx.empty_graph(3),
    ],
    ids=["edges one way", "links both ways", "subgraph", "names", "no weight", "no edges"],
)
def test_the_matrix_is_that_of_networkx(graph):
    W = nx.to_scipy_sparse_array(graph).toarray()  # every edge from both ends
    expected = np.diag(W.sum(axis=0) + 0.5) - W
    for sparse in (False, True):
        P = networks.precision(graph, 0.5, sparse=sparse)
        np.testing.assert_allclose(P.toarray() if sparse else P, expected, rtol=1e-15)


@pytest.mark.parametrize("kind", [sps.csr_array, sps.csr_matrix, sps.coo_array])
def test_a_matrix_of_weights_serves_as_a_graph(kind):
    tree = networks.preferential_attachment(30, 2, rng=3)
    expected = np.diag(tree.sum(axis=0) + 0.5) - tree.toarray()
    np.testing.assert_allclose(networks.precision(kind(tree), 0.5), expected, rtol=1e-15)
    weights = kind(np.array([[0, 2.5, 0], [2.5, 0, -1], [0, -1, 0]]))
    np.testing.assert_array_equal(
        networks.precision(weights, [1, 2, 3], signed=True),
        [[3.5, -2.5, 0], [-2.5, 3.5, 1], [0, 1, 2]],
    )
    thin = networks.precision(kind(tree), 0.5, sparse=True)
    np.testing.assert_allclose(thin.toarray(), expected, rtol=1e-15)


@pytest.mark.parametrize("weights", [[[0, 1], [2, 0]], [[0, 1, 0], [1, 0, 0]], [[0, 0], [1, 0]]])
def test_a_matrix_of_weights_must_be_symmetric(weights):
    with pytest.raises(ValueError, match="precision: graph must be symmetric as a matrix, got"):
        networks.precision(sps.csr_array(np.array(weights, dtype=float)), 1)


def loop():
    return nx.Graph([(0, 0), (0, 1)])


def linked(weight):
    return nx.Graph([(0, 1, {"weight": weight})])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: networks.precision(nx.Graph([(0, 1), (2, 3)]), 0), ValueError,
         "prior must be positive somewhere in every component of a disconnected graph"),
        (lambda: networks.precision(linked(0), 0), ValueError, "component of node 0"),
        (lambda: networks.precision(linked(-1), 1), ValueError,
         r"weights must not be negative \(Definition 5.1; .*, got -1 on \(0, 1\)"),
        (lambda: networks.precision(linked(float("nan")), 1), ValueError, "weights must be finite"),
        (lambda: networks.precision(linked("x"), 1), TypeError, "weights must be real.*'x'"),
        (lambda: networks.precision(loop(), 1), ValueError, r"self loops, got 1 on \(0, 0\)"),
        (lambda: networks.precision(nx.Graph(), 1), ValueError, "at least one node"),
        (lambda: networks.precision(nx.DiGraph([(0, 1)]), 1), TypeError, "got DiGraph"),
        (lambda: networks.precision(nx.MultiGraph([(0, 1)]), 1), TypeError, "got MultiGraph"),
        (lambda: networks.precision(np.eye(2), 1), TypeError, "got ndarray; networkx.from_n"),
        (lambda: networks.precision(linked(1), -1), ValueError, "prior must be at least 0, got -1"),
        (lambda: networks.precision(linked(1), np.inf), ValueError, "prior must be finite"),
        (lambda: networks.precision(linked(1), [1, 2, 3]), ValueError, r"shape \(2,\), got \(3,\)"),
        (lambda: networks.precision(linked(1), {0: 1}), ValueError, "1 missing and 0 unknown"),
        (lambda: networks.precision(linked(1), {0: 1, 1: 1, 2: 1}), ValueError, "and 1 unknown"),
        (lambda: networks.precision(linked(1), "1"), TypeError, "prior must hold real numbers"),
    ],
)  # fmt: skip
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
