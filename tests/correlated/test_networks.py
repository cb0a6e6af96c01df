"""Graphs to precision matrices, and the random networks of the experiments."""

from __future__ import annotations

import itertools
from collections import Counter

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sps
from scipy.stats import chisquare

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
# Random networks
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 8, 60])
def test_codes_number_all_pairs_once(n):
    pairs = networks._pairs(np.arange(n * (n - 1) // 2))
    assert sorted(map(tuple, pairs.tolist())) == list(itertools.combinations(range(n), 2))


@pytest.mark.parametrize("j", [2, 10**5, 94_906_267, 10**9, 2 * 10**9])
def test_codes_are_decoded_exactly_at_the_edges_of_a_row(j):
    start = j * (j - 1) // 2
    pairs = networks._pairs(np.array([start - 1, start, start + j - 1, start + j]))
    assert pairs.tolist() == [[j - 2, j - 1], [0, j], [j - 1, j], [0, j + 1]]


@pytest.mark.parametrize(
    ("n", "degree"), [(1, 0), (5, 0), (5, 4), (100, 2), (4, 1.5), (10, 0.2), (1000, 8)]
)
def test_average_degree(n, degree):
    graph = networks.random_network(n, degree, np.random.default_rng(3))
    assert list(graph) == list(range(n))
    assert graph.number_of_edges() == round(n * degree / 2)
    assert nx.number_of_selfloops(graph) == 0


def test_every_graph_is_equally_likely():
    rng = np.random.default_rng(20)
    draws = Counter(frozenset(networks.random_network(4, 1.5, rng).edges()) for _ in range(6000))
    assert len(draws) == 20  # 3 of 6 pairs
    assert chisquare(list(draws.values())).pvalue > 1e-3


def test_large_sparse_network_needs_little_memory():
    graph = networks.random_network(300_000, 0.02, np.random.default_rng(0))
    assert graph.number_of_edges() == 3000


def test_the_generator_decides():
    a, b, c = (networks.random_network(50, 4, np.random.default_rng(s)) for s in (1, 1, 2))
    assert nx.utils.edges_equal(a.edges(), b.edges())
    assert not nx.utils.edges_equal(a.edges(), c.edges())


def test_average_degree_two_is_not_connected():
    rng = np.random.default_rng(6)
    sizes = [
        len(max(nx.connected_components(networks.random_network(100, 2, rng)), key=len))
        for _ in range(200)
    ]
    assert np.mean(sizes) == pytest.approx(81, abs=2)


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
         r"weights must not be negative \(Definition 5.1\), got -1 on \(0, 1\)"),
        (lambda: networks.precision(linked(float("nan")), 1), ValueError, "weights must be finite"),
        (lambda: networks.precision(linked("x"), 1), TypeError, "weights must be real.*'x'"),
        (lambda: networks.precision(linked(True), 1), TypeError, "weights must be real"),
        (lambda: networks.precision(loop(), 1), ValueError, "self loops, got one at 0"),
        (lambda: networks.precision(nx.Graph(), 1), ValueError, "at least one node"),
        (lambda: networks.precision(nx.DiGraph([(0, 1)]), 1), TypeError, "got DiGraph"),
        (lambda: networks.precision(nx.MultiGraph([(0, 1)]), 1), TypeError, "got MultiGraph"),
        (lambda: networks.precision(np.eye(2), 1), TypeError, "got ndarray"),
        (lambda: networks.precision(linked(1), -1), ValueError, "prior must not be negative"),
        (lambda: networks.precision(linked(1), np.inf), ValueError, "prior must be finite"),
        (lambda: networks.precision(linked(1), [1, 2, 3]), ValueError, r"shape \(2,\), got \(3,\)"),
        (lambda: networks.precision(linked(1), {0: 1}), ValueError, "1 missing and 0 unknown"),
        (lambda: networks.precision(linked(1), {0: 1, 1: 1, 2: 1}), ValueError, "and 1 unknown"),
        (lambda: networks.precision(linked(1), "1"), TypeError, "prior must hold real numbers"),
        (lambda: networks.random_network(5, 1, np.random.default_rng(0)), ValueError,
         "random_network: n \\* degree must be an even integer, got 5 \\* 1"),
        (lambda: networks.random_network(4, 4, np.random.default_rng(0)), ValueError,
         "at most n - 1 = 3, got 4"),
        (lambda: networks.random_network(4, -1, np.random.default_rng(0)), ValueError, "degree"),
        (lambda: networks.random_network(0, 0, np.random.default_rng(0)), ValueError, "n must be"),
        (lambda: networks.random_network(4, 2, 7), TypeError, "numpy.random.Generator"),
    ],
)  # fmt: skip
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
