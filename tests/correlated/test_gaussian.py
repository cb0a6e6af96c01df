"""The Gaussian model against covariances, spanning forests, closed forms and high precision."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from statistics import NormalDist

import mpmath as mp
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sps
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from privlib.correlated import gaussian
from privlib.correlated.adversary import Adversary, WorstCase, adversaries
from privlib.correlated.gaussian import GaussianModel
from privlib.correlated.networks import precision

SIGNED = [[3, -1, 1], [-1, 2, 0], [1, 0, 2]]

# ---------------------------------------------------------------------------------------------
# Oracles: exact rational arithmetic on the covariance side, no code shared with privlib
# ---------------------------------------------------------------------------------------------


def invert(A):
    """Inverse by Gauss-Jordan elimination in Fractions."""
    n = len(A)
    rows = [
        [Fraction(v) for v in row] + [Fraction(int(i == j)) for j in range(n)]
        for i, row in enumerate(A)
    ]
    for c in range(n):
        pivot = next(r for r in range(c, n) if rows[r][c] != 0)
        rows[c], rows[pivot] = rows[pivot], rows[c]
        rows[c] = [v / rows[c][c] for v in rows[c]]
        for r in range(n):
            if r != c and rows[r][c] != 0:
                f = rows[r][c]
                rows[r] = [v - f * w for v, w in zip(rows[r], rows[c])]
    return [row[n:] for row in rows]


def condition(S, known):
    """Covariance given the tuples in `known`, one at a time (the regression recursion)."""
    S = [row[:] for row in S]
    n = len(S)
    for k in known:
        S = [[S[a][b] - S[a][k] * S[k][b] / S[k][k] for b in range(n)] for a in range(n)]
    return S


def regression(P, i, known=(), a=None):
    """Coefficient of x_i in E[a'x | x_i, x_K] and Var[a'x | x_i, x_K], from the covariance."""
    n = len(P)
    a = [1] * n if a is None else a
    S = condition(invert(P), known)
    slope = sum(a[u] * S[u][i] for u in range(n)) / S[i][i]
    rest = condition(S, [i])
    return slope, sum(a[u] * a[v] * rest[u][v] for u in range(n) for v in range(n))


def spd(n, seed, high=3):
    """A random integer matrix of both signs, strictly diagonally dominant."""
    rng = np.random.default_rng(seed)
    A = np.triu(rng.integers(-high, high + 1, size=(n, n)), 1)
    A = A + A.T
    return A + np.diag(np.abs(A).sum(axis=1) + rng.integers(1, 4, size=n))


def m_matrix(n, seed, *, prior=None):
    """A random weighted graph with distinct priors."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.integers(0, 4, size=(n, n)), 1)
    W = W + W.T
    tau = rng.integers(1, 5, size=n) if prior is None else np.full(n, prior)
    return np.diag(W.sum(axis=1) + tau) - W


def unweighted(graph):
    bare = nx.create_empty_copy(graph)
    bare.add_edges_from(graph.edges())
    return bare


# ---------------------------------------------------------------------------------------------
# Proposition 5.1
# ---------------------------------------------------------------------------------------------


def merged_by_covariance(P, unknown, rest):
    """Precision of (mean of the unknown, the rest) through the covariance."""
    S = invert(P)
    u = len(unknown)
    B = [[Fraction(int(k in unknown), u) for k in range(len(P))]]
    B += [[Fraction(int(k == c)) for k in range(len(P))] for c in rest]
    n = len(P)
    BS = [[sum(row[k] * S[k][c] for k in range(n)) for c in range(n)] for row in B]
    return invert([[sum(x[k] * y[k] for k in range(n)) for y in B] for x in BS])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [spd, m_matrix])
def test_combine_is_the_precision_of_the_mean(make, seed):
    P = make(6, seed).tolist()
    order = np.random.default_rng(seed).permutation(6).tolist()
    first, *merge = order[:4]
    rest = sorted(set(range(6)) - {first})
    A = np.array(merged_by_covariance(P, [first], rest), dtype=object)
    block = [first]
    for j in merge:
        position = 1 + rest.index(j)
        floats = gaussian.combine(A.astype(float), position, m=len(block))
        matrix = gaussian.combine(sp.Matrix(A), position, m=len(block))
        A = gaussian.combine(A, position, m=len(block))
        block.append(j)
        rest.remove(j)
        expected = merged_by_covariance(P, block, rest)
        assert A.tolist() == expected
        assert matrix == sp.Matrix(expected)
        assert isinstance(matrix, sp.MatrixBase)
        assert all(isinstance(v, Fraction) for v in A.flat)
        np.testing.assert_allclose(floats, np.array(expected, dtype=float), rtol=1e-13, atol=1e-14)
        np.testing.assert_array_equal(floats, floats.T)


@pytest.mark.slow
def test_combine_for_symbolic_m_is_a_completed_square():
    names = {(i, j): sp.Symbol(f"p{min(i, j)}{max(i, j)}") for i in range(4) for j in range(4)}
    P = sp.Matrix(4, 4, lambda i, j: names[i, j])
    m, x0, y, z1, z2 = sp.symbols("m x0 y z1 z2")
    v = sp.Matrix([x0, (m + 1) * y - m * x0, z1, z2])
    q = sp.expand((v.T * P * v)[0])
    minimum = q.subs(x0, sp.solve(sp.diff(q, x0), x0)[0])
    expected = sp.hessian(minimum, (y, z1, z2)) / 2
    assert (gaussian.combine(P, 1, m=m) - expected).applyfunc(sp.simplify) == sp.zeros(3)


def test_combine_with_an_empty_block_copies_the_tuple():
    P = sp.diag(7, sp.Matrix(SIGNED))
    swapped = sp.Matrix(SIGNED).extract([1, 0, 2], [1, 0, 2])
    assert gaussian.combine(P, 2, m=0) == swapped
    np.testing.assert_array_equal(
        gaussian.combine(np.array(P, dtype=float), 2, m=0), np.array(swapped, dtype=float)
    )


def test_combine_leaves_definition_5_1():
    path = sp.Matrix(
        np.diag([2, 2, 1, 1])
        - nx.to_numpy_array(nx.Graph([(0, 1), (0, 2), (1, 3)]), nodelist=range(4), dtype=int)
    )
    assert gaussian.combine(path, 1, m=1)[1, 2] == sp.Rational(1, 6)  # weight -1/6


@pytest.mark.slow
def test_equal_expressions_count_as_symmetric():
    x = sp.Symbol("x")
    P = sp.Matrix([[9, (x + 1) ** 2], [x**2 + 2 * x + 1, 9]])
    assert (
        sp.simplify(GaussianModel(precision=P, width=1).leakage_coefficient(0) + (x + 1) ** 2 / 9)
        == 0
    )


def test_combine_leaves_its_argument_alone():
    P = np.array(SIGNED, dtype=float)
    gaussian.combine(P, 1, m=1)
    np.testing.assert_array_equal(P, SIGNED)
    kept = sp.ImmutableMatrix(SIGNED)
    assert isinstance(gaussian.combine(kept, 1, m=1), sp.ImmutableMatrix)


# ---------------------------------------------------------------------------------------------
# Algorithm 1
# ---------------------------------------------------------------------------------------------

TABLE = [  # graph, printed, leaf, leaf and m
    (nx.star_graph(2), 10 / 3, 1, 3 / 5),
    (nx.star_graph(4), 5.6, 1.5142857, 5 / 7),
    (nx.path_graph(4), 4.875, 2.525, 1.1),
    (unweighted(nx.karate_club_graph()), 22.3879, 15.1739, 9.7100),
]


def literal(L, m):
    """The paper's pseudocode line by line, 1-based, in Fractions, by covariances."""
    n = len(L)
    if n <= 2:
        return Fraction(L[0][0]) / -Fraction(L[0][1])

    def merge(A, i, m):  # (m x_0 + x_i)/(m + 1) on the covariance side
        S = invert(A)
        keep = [k for k in range(1, len(A)) if k != i - 1]
        B = [[Fraction(0)] * len(A)] + [
            [Fraction(int(k == c)) for k in range(len(A))] for c in keep
        ]
        B[0][0], B[0][i - 1] = Fraction(m, m + 1), Fraction(1, m + 1)
        r = range(len(A))
        BS = [[sum(row[k] * S[k][c] for k in r) for c in r] for row in B]
        return invert([[sum(x[k] * y[k] for k in r) for y in B] for x in BS])

    k = math.ceil((n + 1) / 2)
    first = L
    for i in range(k, 1, -1):
        first = merge(first, i, m)
        m += 1
    one = literal(first, m)
    second = L
    for i in range(n, k, -1):
        second = merge(second, i, m)
        m += 1
    return max(one, literal(second, m))


@pytest.mark.parametrize(("graph", "printed", "leaf", "leaf_m"), TABLE)
def test_algorithm1_defects_one_by_one(graph, printed, leaf, leaf_m):
    P = precision(graph, 1.0)
    assert gaussian.algorithm1(P, repairs=()) == pytest.approx(printed, rel=1e-5)
    assert gaussian.algorithm1(P, repairs=["leaf"]) == pytest.approx(leaf, rel=1e-5)
    assert gaussian.algorithm1(P, repairs=["leaf", "m"]) == pytest.approx(leaf_m, rel=1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_algorithm1_as_printed_is_the_text(seed):
    n = 3 + seed
    P = np.ones((n, n), dtype=int) * -1 + np.diag(np.arange(n) + n + 1 + seed)
    exact = gaussian.algorithm1(sp.Matrix(P), repairs=())
    assert exact == sp.Rational(literal(P.tolist(), 1))
    assert gaussian.algorithm1(P, repairs=()) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("make", [spd, m_matrix])
def test_algorithm1_repaired_equals_the_regression(make, n):
    P = make(n, n)
    expected = [regression(P.tolist(), i)[0] - 1 for i in range(n)]
    assert gaussian.algorithm1(sp.Matrix(P)).tolist() == [sp.Rational(v) for v in expected]
    np.testing.assert_allclose(
        gaussian.algorithm1(P), np.array(expected, dtype=float), rtol=1e-12, atol=1e-14
    )


def test_algorithm1_underreports_without_the_dummy():
    graph = unweighted(nx.karate_club_graph())
    order = [33, *range(33)]
    P = precision(graph, 1.0)
    nodes = list(graph)
    index = [nodes.index(v) for v in order]
    P = P[np.ix_(index, index)]
    assert gaussian.algorithm1(P, repairs=["leaf", "m"]) == pytest.approx(9.245, abs=5e-4)
    assert gaussian.algorithm1(P).max() == pytest.approx(9.710, abs=5e-4)
    star = sp.Matrix([[3, -1, -1], [-1, 2, 0], [-1, 0, 2]])
    assert gaussian.algorithm1(star, repairs=["leaf", "m"]) == sp.Rational(3, 5)
    assert gaussian.algorithm1(star).tolist() == [1, sp.Rational(3, 5), sp.Rational(3, 5)]


@pytest.mark.parametrize("graph", [nx.path_graph(5), nx.cycle_graph(6), nx.star_graph(6)])
def test_algorithm1_without_prior(graph):
    L = precision(graph, 0)
    n = len(L)
    assert gaussian.algorithm1(L, repairs=()) == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(gaussian.algorithm1(L), n - 1, rtol=1e-12)


EDGELESS = sp.diag(0, sp.Matrix([[2, -1, -1], [-1, 1, 0], [-1, 0, 1]]))


@pytest.mark.parametrize("P", [EDGELESS, np.array(EDGELESS.tolist(), dtype=float)])
@pytest.mark.parametrize("repairs", [["leaf"], ["leaf", "m"], gaussian.REPAIRS])
def test_algorithm1_needs_a_pivot_of_the_block(P, repairs):
    """A tuple without edge and prior has no distribution: whatever is merged with it has none."""
    with pytest.raises(ValueError, match="algorithm1: the block's row needs a positive pivot, got"):
        gaussian.algorithm1(P, repairs=repairs)


def test_algorithm1_with_symbols():
    tau = sp.Symbol("tau", positive=True)
    P = sp.Matrix(precision(nx.path_graph(3), 0).astype(int)) + tau * sp.eye(3)
    middle = gaussian.algorithm1(P)[1]
    assert sp.simplify(middle - 2 / (1 + tau)) == 0


# ---------------------------------------------------------------------------------------------
# Coefficients
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [spd, m_matrix])
@pytest.mark.parametrize("seed", range(3))
def test_every_adversary_equals_the_regression(make, seed):
    P = make(5, seed)
    a = np.random.default_rng(seed).integers(-3, 4, size=5)
    table = GaussianModel(precision=P, width=1).all_coefficients()
    weighted = GaussianModel(precision=P, weights=a, width=1).all_coefficients()
    exact = GaussianModel(precision=sp.Matrix(P), weights=a.tolist(), width=1).all_coefficients()
    assert table.shape == (5, 16)
    for i, known in adversaries(5):
        slope, variance = regression(P.tolist(), i, known)
        others = [j for j in range(5) if j != i]
        column = sum(1 << others.index(j) for j in known)
        assert GaussianModel(precision=P, width=1).leakage_coefficient(i, known) == pytest.approx(
            float(slope - 1), rel=1e-12, abs=1e-14
        )
        assert GaussianModel(precision=sp.Matrix(P), width=1).leakage_coefficient(
            i, known
        ) == sp.Rational(slope - 1)
        assert table[i, column] == pytest.approx(float(slope - 1), rel=1e-12, abs=1e-14)
        slope_a = regression(P.tolist(), i, known, a.tolist())[0] - int(a[i])
        assert weighted[i, column] == pytest.approx(float(slope_a), rel=1e-12, abs=1e-14)
        assert exact[i, column] == sp.Rational(slope_a)
        mu = GaussianModel(precision=P, width=2.0).gaussian_noise_mu(i, known, sigma=0.7)
        assert mu == pytest.approx(
            2 * abs(float(slope)) / math.sqrt(0.49 + float(variance)), rel=1e-12
        )
    np.testing.assert_allclose(
        GaussianModel(precision=P, width=1).leakage_coefficients(), table[:, 0], rtol=1e-12
    )
    np.testing.assert_allclose(
        GaussianModel(precision=P, weights=a, width=1).leakage_coefficients(),
        weighted[:, 0],
        rtol=1e-12,
        atol=1e-13,
    )
    assert (
        GaussianModel(precision=sp.Matrix(P), weights=a, width=1).leakage_coefficients().tolist()
        == exact[:, 0].tolist()
    )


def rooted_forests(graph, tau):
    """Weight of all rooted spanning forests, and of those with each vertex as a root."""
    nodes, edges = list(graph), list(graph.edges())
    total, root = Fraction(0), dict.fromkeys(nodes, Fraction(0))
    for size in range(len(nodes)):
        for chosen in itertools.combinations(edges, size):
            forest = nx.Graph(chosen)
            forest.add_nodes_from(nodes)
            trees = list(nx.connected_components(forest))
            if len(trees) != len(nodes) - size:
                continue  # a cycle
            weight = math.prod(tau * len(tree) for tree in trees)
            total += weight
            for tree in trees:
                for v in tree:
                    root[v] += weight / len(tree)
    return [root[v] / total for v in nodes]


@pytest.mark.parametrize("tau", [Fraction(1, 3), Fraction(2)])
@pytest.mark.parametrize(
    "graph",
    [
        nx.house_graph(),
        nx.complete_graph(4),
        nx.path_graph(5),
        nx.disjoint_union(nx.cycle_graph(3), nx.path_graph(2)),
    ],
)
def test_one_plus_l_is_the_reciprocal_of_a_root_probability(graph, tau):
    roots = rooted_forests(graph, tau)
    P = sp.Matrix(nx.laplacian_matrix(graph).toarray()) + sp.Rational(tau) * sp.eye(len(graph))
    expected = [sp.Rational(1 / p) - 1 for p in roots]
    assert GaussianModel(precision=P, width=1).leakage_coefficients().tolist() == expected
    assert gaussian.algorithm1(P).tolist() == expected
    np.testing.assert_allclose(
        gaussian.leakage_sweep(precision(graph, 1) - np.eye(len(graph)), [float(tau)])[0],
        [float(v) for v in expected],
        rtol=1e-12,
    )


@pytest.mark.parametrize("tau", [1e-3, 0.5, 20.0])
def test_families(tau):
    n = 9
    complete = GaussianModel(
        precision=precision(nx.complete_graph(n), tau), width=1
    ).leakage_coefficients()
    np.testing.assert_allclose(complete, (n - 1) / (1 + tau), rtol=1e-12)
    star = GaussianModel(
        precision=precision(nx.star_graph(n - 1), tau), width=1
    ).leakage_coefficients()
    assert star[0] == pytest.approx((n - 1) / (1 + tau), rel=1e-12)
    theta = math.acosh(1 + tau / 2)
    cycle = GaussianModel(
        precision=precision(nx.cycle_graph(n), tau), width=1
    ).leakage_coefficients()
    np.testing.assert_allclose(
        cycle, 2 * math.sinh(theta) * math.tanh(n * theta / 2) / tau - 1, rtol=1e-11
    )


def test_infinite_path():
    P = precision(nx.path_graph(401), 0.5)
    assert GaussianModel(precision=P, width=1).leakage_coefficients()[200] == pytest.approx(
        math.sqrt(9) - 1, rel=1e-12
    )


def test_no_prior_gives_n_minus_one_for_weak_adversaries():
    L = precision(nx.karate_club_graph(), 0)
    assert GaussianModel(precision=L, width=1).leakage_coefficient(5) == pytest.approx(
        33, rel=1e-12
    )
    assert (
        GaussianModel(precision=L, width=1).leakage_coefficient(5, [j for j in range(34) if j != 5])
        == 0
    )
    cycle = precision(nx.cycle_graph(5), 0)
    assert GaussianModel(precision=cycle, width=1).worst_adversary(scale=1).adversary.known == ()
    np.testing.assert_allclose(
        GaussianModel(precision=cycle, width=1).all_coefficients()[:, 0], 4, rtol=1e-12
    )


def random_laplacian(n, seed):
    W = np.triu(np.random.default_rng(seed).random((n, n)), 1)
    W = W + W.T
    return np.diag(W.sum(axis=1)) - W


@pytest.mark.parametrize("seed", range(10))
def test_ties_up_to_rounding_go_to_the_first_tuple(seed):
    worst = GaussianModel(precision=random_laplacian(7, seed), width=1).worst_adversary(scale=1)
    assert worst.adversary == (0, ())
    assert worst.leakage == pytest.approx(7, rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_rounding_does_not_make_a_laplacian_positive_definite(seed):
    with pytest.raises(ValueError, match="no positive pivot"):
        GaussianModel(precision=random_laplacian(12, seed), width=1).leakage_coefficients()


@pytest.fixture(scope="module")
def karate():
    L = precision(unweighted(nx.karate_club_graph()), 0)
    oracle = {}
    for tau in (1e-12, 1e-6, 1.0):
        P = [[Fraction(v) for v in row] for row in L.tolist()]
        for i in range(34):
            P[i][i] += Fraction(tau)
        S = invert(P)
        oracle[tau] = np.array([float(sum(S[i]) / S[i][i] - 1) for i in range(34)])
    return L, oracle


@pytest.mark.slow
def test_tiny_priors_keep_their_digits(karate):
    L, oracle = karate
    sweep = gaussian.leakage_sweep(L, list(oracle))
    for row, (tau, expected) in zip(sweep, oracle.items()):
        np.testing.assert_allclose(row, expected, rtol=1e-12)
        # The matrix as stored: its own rounding of d_i + tau moves P, not the algorithm.
        if tau >= 1e-6:
            P = L + tau * np.eye(34)
            np.testing.assert_allclose(
                GaussianModel(precision=P, width=1).leakage_coefficients(), expected, rtol=1e-9
            )


@pytest.mark.slow
def test_one_factor_is_accurate_for_the_matrix_it_is_given(karate):
    L, _ = karate
    for tau in (1e-12, 1e-9, 1.0):
        P = L + tau * np.eye(34)
        S = invert([[Fraction(v) for v in row] for row in P.tolist()])
        expected = np.array([float(sum(S[i]) / S[i][i] - 1) for i in range(34)])
        np.testing.assert_allclose(
            GaussianModel(precision=P, width=1).leakage_coefficients(), expected, rtol=1e-12
        )
        np.testing.assert_allclose(gaussian.algorithm1(P), expected, rtol=1e-12)


def test_sweep_on_a_disconnected_graph_with_isolated_tuples():
    graph = nx.disjoint_union(nx.path_graph(4), nx.complete_graph(3))
    graph.add_nodes_from([7, 8])
    L = precision(graph, 1) - np.eye(9)
    priors = [1e-12, 1e-3, 1.0, 1e6]
    for tau, row in zip(priors, gaussian.leakage_sweep(L, priors)):
        P = [[Fraction(v) for v in r] for r in L.tolist()]
        for i in range(9):
            P[i][i] += Fraction(tau)
        expected = [float(regression(P, i)[0] - 1) for i in range(9)]
        np.testing.assert_allclose(row, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(gaussian.leakage_sweep(np.zeros((2, 2)), [3.0]), [[0, 0]])
    assert gaussian.leakage_sweep(L, []).shape == (0, 9)


# ---------------------------------------------------------------------------------------------
# Largest degree is not largest leakage
# ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_double_broom():
    tau = sp.Symbol("tau", positive=True)
    graph = nx.Graph([(1, 2), (2, 3), (1, 4), (1, 5), (3, 6), (3, 7)])
    L = sp.Matrix(nx.laplacian_matrix(graph, nodelist=range(1, 8)).toarray())
    leakage = GaussianModel(precision=L + tau * sp.eye(7), width=1).leakage_coefficients()
    assert leakage[0] == leakage[2]
    difference = sp.factor(leakage[1] - leakage[0])
    numerator = sp.fraction(difference)[0]
    assert sp.rem(numerator, tau**2 + 4 * tau - 1, tau) == 0
    assert sp.real_roots(sp.Poly(numerator, tau))[-1] == sp.sqrt(5) - 2
    assert difference.subs(tau, sp.Rational(23, 100)) > 0 > difference.subs(tau, sp.Rational(6, 25))
    at = [leakage[k].subs(tau, sp.Rational(1, 10)) for k in (1, 0)]
    assert [round(float(v), 5) for v in at] == [4.39716, 4.24161]


def test_weights_let_degree_three_beat_degree_four():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(1, 4, 1), (2, 3, 3), (2, 4, 1), (3, 4, 1)])
    values = {}
    for tau in (1, 2, 3):
        P = precision(graph, tau)
        values[tau] = dict(zip(graph, GaussianModel(precision=P, width=1).leakage_coefficients()))
    assert values[1][4] == pytest.approx(3 / 2)
    assert values[1][2] == pytest.approx(47 / 33)
    assert values[2][4] == pytest.approx(values[2][2])
    assert values[3][4] < values[3][2]


# ---------------------------------------------------------------------------------------------
# What networkx, scipy and pandas bring
# ---------------------------------------------------------------------------------------------


def test_a_graph_makes_a_model():
    graph = nx.karate_club_graph()
    ties = GaussianModel.from_graph(graph, 0.2, weight="none", width=2, weights=3)
    expected = GaussianModel(precision=precision(graph, 0.2, weight="none"), width=2, weights=3)
    np.testing.assert_array_equal(ties.leakage_coefficients(), expected.leakage_coefficients())
    assert ties.noise_scale(1) == expected.noise_scale(1)
    signed = nx.Graph([(0, 1, {"weight": -1}), (0, 2)])
    model = GaussianModel.from_graph(signed, 3, signed=True, width=1)
    np.testing.assert_array_equal(model.precision, [[3, 1, -1], [1, 2, 0], [-1, 0, 4]])


def test_a_matrix_of_weights_makes_a_model():
    graph = nx.karate_club_graph()
    thin = GaussianModel.from_graph(nx.to_scipy_sparse_array(graph), 0.2, width=1)
    model = GaussianModel.from_graph(graph, 0.2, width=1)
    np.testing.assert_allclose(thin.precision, model.precision, rtol=1e-15)


def test_leakage_coefficients_are_cov_over_var():
    C = np.array([[2.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 0.7]])
    a = np.array([1.0, -2.0, 0.5])
    for weights in (np.ones(3), a):
        model = GaussianModel(precision=np.linalg.inv(C), weights=weights, width=1)
        expected = C @ weights / np.diag(C)
        found = weights + model.leakage_coefficients()
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    exact = GaussianModel(precision=sp.Matrix([[2, -1], [-1, 2]]), width=1).leakage_coefficients()
    assert exact.tolist() == [sp.Rational(1, 2)] * 2


def test_a_graph_is_swept():
    graph = nx.disjoint_union(nx.path_graph(4), nx.complete_graph(3))
    L = precision(graph, 1) - np.eye(7)
    expected = gaussian.leakage_sweep(L, [0.1, 2.0])
    np.testing.assert_allclose(gaussian.leakage_sweep(graph, [0.1, 2.0]), expected, rtol=1e-12)


def test_a_sparse_matrix_serves_as_a_dense_one():
    P = precision(nx.path_graph(4), 0.5)
    sparse = GaussianModel(precision=precision(nx.path_graph(4), 0.5, sparse=True), width=1)
    np.testing.assert_array_equal(
        sparse.leakage_coefficients(), GaussianModel(precision=P, width=1).leakage_coefficients()
    )
    np.testing.assert_array_equal(
        gaussian.combine(sps.coo_matrix(P), 1, m=1), gaussian.combine(P, 1, m=1)
    )


def test_a_table_with_labels_is_its_array():
    P = m_matrix(3, 2)
    names = ["ann", "bob", "eve"]
    table = pd.DataFrame(P, index=names, columns=names)
    model, plain = GaussianModel(precision=table, width=1), GaussianModel(precision=P, width=1)
    for found, expected in (
        (model.leakage_coefficients(), plain.leakage_coefficients()),
        (model.comparison_bound(), plain.comparison_bound()),
        (gaussian.algorithm1(table), gaussian.algorithm1(P)),
    ):
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, expected)
    assert model.noise_scale(0.5, method="bound") == plain.noise_scale(0.5, method="bound")
    assert model.worst_adversary(scale=1) == plain.worst_adversary(scale=1)


def test_a_result_may_be_changed_without_changing_the_model():
    model = GaussianModel(precision=GOOD, width=1)
    model.leakage_coefficients()[:] = 0
    np.testing.assert_allclose(model.leakage_coefficients(), [0.5, 0.5])


def test_the_query_and_the_ranges_reach_every_method():
    """Twice the query and three times the range: six times the shift, twice the spread."""
    P = spd(4, 1)
    plain, scaled = (
        GaussianModel(precision=P, width=1),
        GaussianModel(precision=P, weights=2, width=3),
    )
    assert scaled.leakage_coefficient(1, [0]) == pytest.approx(
        2 * plain.leakage_coefficient(1, [0])
    )
    np.testing.assert_allclose(scaled.all_coefficients(), 2 * plain.all_coefficients())
    assert scaled.noise_scale(1) == pytest.approx(6 * plain.noise_scale(1))
    mu = scaled.gaussian_noise_mu(1, [0], sigma=2)
    assert mu == pytest.approx(3 * plain.gaussian_noise_mu(1, [0], sigma=1))
    delta = scaled.laplace_delta(1, [0], epsilon=0.1, scale=2)
    wide = GaussianModel(precision=P, width=3).laplace_delta(1, [0], epsilon=0.1, scale=1)
    assert delta == pytest.approx(wide, rel=1e-12)


def test_exact_models_give_scales_and_bounds_in_floats():
    exact, floats = (
        GaussianModel(precision=kind(SIGNED), width=2) for kind in (sp.Matrix, np.array)
    )
    assert exact.noise_scale(0.5) == floats.noise_scale(0.5) == 6
    big = sp.Matrix(spd(4, 1))
    np.testing.assert_array_equal(
        GaussianModel(precision=big, width=1).comparison_bound(),
        GaussianModel(precision=spd(4, 1), width=1).comparison_bound(),
    )
    with pytest.raises(TypeError, match="GaussianModel: precision must be a real number, got t"):
        GaussianModel(
            precision=sp.Matrix([[2, 1], [1, 2]]) + sp.Symbol("t") * sp.eye(2), width=1
        ).noise_scale(1)


# ---------------------------------------------------------------------------------------------
# Theorem 5.2 and beyond it
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [spd, m_matrix])
@pytest.mark.slow
def test_forgetting_a_tuple_step_by_step(make):
    P = sp.Matrix(make(5, 11))
    S = invert(P.tolist())
    for i, known in adversaries(5):
        for j in known:
            fewer = [k for k in known if k != j]
            C = condition(S, fewer)
            b = sp.Rational(C[j][i] / C[i][i])
            step = b * (1 + GaussianModel(precision=P, width=1).leakage_coefficient(j, [*fewer, i]))
            before = GaussianModel(precision=P, width=1).leakage_coefficient(i, known)
            assert (
                GaussianModel(precision=P, width=1).leakage_coefficient(i, fewer) == before + step
            )
            if make is m_matrix:
                assert step >= 0


def test_positive_entries_make_an_intermediate_adversary_the_worst():
    two = sp.Matrix([[3, 1], [1, 3]]) / 2
    assert GaussianModel(precision=two, width=1).leakage_coefficient(0) == -sp.Rational(1, 3)
    factors = {
        K: 1 + GaussianModel(precision=sp.Matrix(SIGNED), width=1).leakage_coefficient(0, K)
        for K in [(), (1,), (2,), (1, 2)]
    }
    assert factors == {(): 1, (1,): sp.Rational(1, 2), (2,): sp.Rational(3, 2), (1, 2): 1}
    worst = GaussianModel(precision=sp.Matrix(SIGNED), width=1).worst_adversary(scale=1)
    assert worst == WorstCase(Adversary(0, (2,)), sp.Rational(3, 2))
    assert GaussianModel(precision=SIGNED, width=1).worst_adversary(scale=1) == WorstCase(
        Adversary(0, (2,)), 1.5
    )


@pytest.mark.parametrize("seed", range(5))
def test_worst_adversary_and_noise_scale_by_brute_force(seed):
    P = spd(5, 100 + seed)
    rng = np.random.default_rng(seed)
    a, M = rng.integers(-2, 3, size=5), rng.integers(1, 4, size=5)
    a[0] = 2
    best = max(
        (abs(regression(P.tolist(), i, K, a.tolist())[0]) * int(M[i]), -len(K))
        for i, K in adversaries(5)
    )
    worst = GaussianModel(precision=P, weights=a, width=M).worst_adversary(scale=1)
    assert worst.leakage == pytest.approx(float(best[0]), rel=1e-12)
    assert len(worst.adversary.known) == -best[1]
    exact = GaussianModel(precision=sp.Matrix(P), weights=a.tolist(), width=M).worst_adversary(
        scale=1
    )
    assert exact.adversary == worst.adversary
    assert exact.leakage == sp.Rational(best[0])
    half = GaussianModel(precision=sp.Matrix(P), weights=a.tolist(), width=M).worst_adversary(
        scale=2
    )
    assert half == WorstCase(exact.adversary, exact.leakage / 2)
    scale = GaussianModel(precision=P, width=M, weights=a).noise_scale(0.5)
    assert scale == pytest.approx(2 * float(best[0]), rel=1e-12)
    bound = GaussianModel(precision=P, width=M, weights=a).noise_scale(0.5, method="bound")
    assert bound >= scale * (1 - 1e-12)
    table = np.abs(GaussianModel(precision=P, weights=a, width=1).all_coefficients())
    limit = GaussianModel(precision=P, weights=a, width=1).comparison_bound()
    assert (table <= limit[:, None] * (1 + 1e-12)).all()


@pytest.mark.parametrize("seed", range(3))
def test_weak_adversaries_suffice_for_m_matrices(seed):
    P = m_matrix(6, seed)
    weak = GaussianModel(precision=P, width=1).leakage_coefficients()
    assert GaussianModel(precision=P, width=3).noise_scale(2) == pytest.approx(
        1.5 * (1 + weak.max())
    )
    assert GaussianModel(precision=P, width=1).worst_adversary(scale=1).adversary.known == ()
    np.testing.assert_allclose(
        GaussianModel(precision=P, width=1).comparison_bound(), weak, rtol=1e-12
    )
    both = GaussianModel(precision=P, width=3).noise_scale(2, method="bound")
    assert both == pytest.approx(1.5 * (1 + weak.max()))
    down = GaussianModel(precision=P, width=3, weights=-np.ones(6)).noise_scale(2)
    assert down == pytest.approx(both)


def test_noise_scale_beyond_the_enumeration():
    n = 20
    P = 30 * np.eye(n)
    P[0, 1] = P[1, 0] = 1.0
    with pytest.raises(ValueError, match=r"Theorem 5.2.*worst_adversary.*got n = 20.*bound"):
        GaussianModel(precision=P, width=1).noise_scale(1)
    assert GaussianModel(precision=P, width=1).noise_scale(1, method="bound") == pytest.approx(
        31 / 30
    )
    M = 2 * np.eye(n) - np.eye(n, k=1) / 2 - np.eye(n, k=-1) / 2
    with pytest.raises(ValueError, match="weights have one sign"):
        GaussianModel(precision=M, weights=[-1] + [1] * (n - 1), width=1).noise_scale(1)
    noisy = M.copy()
    noisy[0, 5] = noisy[5, 0] = 1e-15  # rounding, not a weight
    assert GaussianModel(precision=noisy, width=1).noise_scale(1) == pytest.approx(
        GaussianModel(precision=M, width=1).noise_scale(1)
    )


# ---------------------------------------------------------------------------------------------
# The output distribution
# ---------------------------------------------------------------------------------------------


def density(t, scale, sigma):
    """Laplace convolved with normal, the textbook formula in 60 digits."""
    with mp.workdps(60):
        t, b, s = mp.mpf(t), mp.mpf(scale), mp.mpf(sigma)
        e = mp.exp(s**2 / (2 * b**2)) / (4 * b)
        return e * (
            mp.exp(t / b) * mp.erfc((s / b + t / s) / mp.sqrt(2))
            + mp.exp(-t / b) * mp.erfc((s / b - t / s) / mp.sqrt(2))
        )


@pytest.mark.parametrize(("scale", "sigma"), [(1, 1), (0.3, 2), (2, 0.1), (1, 30)])
def test_output_density_against_high_precision(scale, sigma):
    t = np.array([-80.0, -20, -3.7, -0.5, 0, 0.2, 1, 8, 40])
    logs = gaussian._log_density(t + 2.5 - 2.5, scale, sigma)
    for x, value in zip(t + 2.5 - 2.5, logs):
        assert value == pytest.approx(float(mp.log(density(x, scale, sigma))), rel=1e-12, abs=1e-13)
    np.testing.assert_allclose(
        gaussian.output_density(t, 0.0, scale=scale, sigma=sigma),
        [float(density(x, scale, sigma)) for x in t],
        rtol=2e-12,
        atol=1e-300,
    )


def test_output_density_is_the_convolution():
    s = np.linspace(-12, 12, 240_001)
    normal = np.exp(-(s**2) / 2 / 1.5**2) / math.sqrt(2 * math.pi) / 1.5
    for r in (-3.0, 0.0, 1.25):
        integrand = normal * np.exp(-np.abs(r - s) / 0.8) / 1.6
        assert gaussian.output_density(r, 0, scale=0.8, sigma=1.5) == pytest.approx(
            np.trapezoid(integrand, s), rel=1e-7
        )


def test_output_density_without_uncertainty_is_laplace():
    r = np.array([-1.0, 0.0, 2.0])
    np.testing.assert_allclose(
        gaussian.output_density(r, 0.5, scale=2.0, sigma=0), np.exp(-np.abs(r - 0.5) / 2) / 4
    )
    ratio = gaussian.log_ratio(r, 2.0, scale=2.0, sigma=0)
    np.testing.assert_allclose(ratio, [1, 1, -1])


@pytest.mark.filterwarnings("error")
def test_log_ratio_approaches_its_bound_without_reaching_or_overflowing():
    t = np.array([-2.0, -5.0, 1.0, 4.0])
    expected = [float(mp.log(density(x, 1, 1) / density(x - 2, 1, 1))) for x in t]
    np.testing.assert_allclose(
        gaussian.log_ratio(t, 2, scale=1, sigma=1), expected, rtol=1e-13, atol=1e-15
    )
    assert round(expected[0], 8) == 1.91171533
    assert round(expected[1], 8) == 1.99999006
    far = gaussian.log_ratio([-1e300, -1e8, 1e8, 1e300], 2, scale=1, sigma=1)
    np.testing.assert_allclose(far, [0, 2, -2, 0], atol=1e-7)  # at 1e300 the shift itself is lost
    assert np.isfinite(gaussian._log_density(np.array([1e200, 0.0]), 1e-3, 1e-200)).all()
    assert np.isfinite(gaussian._log_density(np.array([0.0, 5.0]), 1e-3, 1e3)).all()
    with mp.workdps(60):
        gap = 2 - mp.log(density(-10, 1, 1) / density(-12, 1, 1))
    assert 1.9e-20 < gap < 2.1e-20


@pytest.mark.parametrize("sigma", [0.2, 1.0, 5.0])
def test_log_ratio_is_monotone_and_inside(sigma):
    r = np.linspace(-6, 9, 301)
    ratio = gaussian.log_ratio(r, 3, scale=2, sigma=sigma)
    assert (np.diff(ratio) <= 1e-14).all()
    assert (np.abs(ratio) <= 1.5 * (1 + 1e-14)).all()


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 1.09])
@pytest.mark.parametrize("known", [(), (1,)])
def test_laplace_delta_by_quadrature(epsilon, known):
    P = [[1.1, -0.1], [-0.1, 1.1]]
    got = GaussianModel(precision=P, width=1).laplace_delta(0, known, epsilon=epsilon, scale=1)
    if known:
        assert got == pytest.approx(max(0.0, 1 - math.exp((epsilon - 1) / 2)), abs=1e-15)
        return
    shift, sigma = 12 / 11, math.sqrt(1 / 1.1)
    r = np.linspace(-45, 45, 900_001)
    step = r[1] - r[0]
    g = np.exp(gaussian._log_density(r, 1, sigma))
    h = np.exp(gaussian._log_density(r - shift, 1, sigma))
    assert g.sum() * step == pytest.approx(1, rel=1e-9)
    positive = np.maximum(g - math.exp(epsilon) * h, 0)
    assert got == pytest.approx(positive.sum() * step, rel=1e-6, abs=1e-9)


@pytest.mark.slow
def test_laplace_delta_in_high_precision_near_its_end():
    P = [[1.1, -0.1], [-0.1, 1.1]]
    shift, sigma = mp.mpf(1.1 + 0.1) / mp.mpf(1.1), 1 / mp.sqrt(mp.mpf(1.1))
    with mp.workdps(30):
        end = mp.findroot(
            lambda t: mp.log(density(t, 1, sigma) / density(t - shift, 1, sigma)) - mp.mpf("1.0"),
            -1.0,
        )
        expected = mp.quad(
            lambda t: density(t, 1, sigma) - mp.e * density(t - shift, 1, sigma),
            [end - 30, end - 10, end - 4, end - 1, end],
        )
    got = GaussianModel(precision=P, width=1).laplace_delta(0, epsilon=1.0, scale=1)
    assert got == pytest.approx(float(expected), rel=1e-10)


@pytest.mark.parametrize(
    ("sigma", "width", "scale", "epsilon"),
    [
        (0.1, 8.0, 1.0, 0.4),
        (0.01, 3.0, 1.0, 0.4),
        (5.0, 2.0, 1.0, 0.4),
        (0.02, 1.0, 1e-3, 800.0),  # exp(epsilon) overflows
    ],
)
def test_laplace_delta_for_narrow_and_wide_sums(sigma, width, scale, epsilon):
    P = np.diag([1.0, sigma**-2])  # independent: the strong adversary's shift, blurred
    got = GaussianModel(precision=P, width=width).laplace_delta(0, epsilon=epsilon, scale=scale)
    spread = 12 * sigma + 40 * scale
    r = np.linspace(-spread, spread, 1_200_001)
    log_g = gaussian._log_density(r, scale, sigma)
    log_h = gaussian._log_density(r - width, scale, sigma) + epsilon
    inside = log_g > log_h
    expected = (np.exp(log_g[inside]) - np.exp(log_h[inside])).sum() * (r[1] - r[0])
    assert 0 < got < 1
    assert got == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("scale", [1e-5, 1e-12, 1e-17, 1e-20, 1e-100, 1e-150])
def test_laplace_delta_of_hardly_any_noise_is_that_of_the_normal_part(scale):
    """The tuples that nobody knows are then the only noise: a difference of two normals."""
    P = [[2.0, -1.0], [-1.0, 2.0]]
    got = GaussianModel(precision=P, width=1).laplace_delta(0, epsilon=0.2, scale=scale)
    mu = 1.5 * math.sqrt(2)  # the sum moves by 1.5, and has the variance 1/2 for this attacker
    phi = NormalDist().cdf
    normal = phi(mu / 2 - 0.2 / mu) - math.exp(0.2) * phi(-mu / 2 - 0.2 / mu)
    assert got == pytest.approx(normal, rel=1e-6 if scale == 1e-5 else 1e-13)


def test_a_delta_of_zero_is_checked(monkeypatch):
    monkeypatch.setattr(gaussian, "_log_ratio", lambda *arguments: np.array(-1.0))
    model = GaussianModel(precision=[[2.0, -1.0], [-1.0, 2.0]], width=1)
    with pytest.raises(ValueError, match="delta on a half-line nearby"):
        model.laplace_delta(0, epsilon=0.2, scale=1)


@pytest.mark.parametrize(("scale", "sigma"), [(1e-20, 1.0), (1e-20, 1e-3), (1e-290, 1.0)])
def test_density_and_ratio_of_hardly_any_noise(scale, sigma):
    t = np.array([-3.0, -0.5, 0.0, 0.25, 2.0]) * sigma
    expected = [NormalDist(0, sigma).pdf(x) for x in t]
    got = gaussian.output_density(t, 0, scale=scale, sigma=sigma)
    np.testing.assert_allclose(got, expected, rtol=1e-12)
    ratio = gaussian.log_ratio(t, sigma, scale=scale, sigma=sigma)
    np.testing.assert_allclose(ratio, 0.5 - t / sigma, rtol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("function", [gaussian.output_density, gaussian.log_ratio])
@pytest.mark.parametrize(
    ("scale", "sigma"), [(5e-324, 1), (1e-300, 1e10), (1, 1e308), (5e-324, 0), (1e-310, 0)]
)
def test_what_floats_cannot_hold_is_refused(function, scale, sigma):
    with pytest.raises(ValueError, match=r"choose other units|must be at most 1e300"):
        function([0.0, 1.0], 1.0, scale=scale, sigma=sigma)


def test_laplace_delta_at_the_ends():
    P = [[1.1, -0.1], [-0.1, 1.1]]

    def delta(epsilon, scale=1):
        return GaussianModel(precision=P, width=1).laplace_delta(0, epsilon=epsilon, scale=scale)

    assert delta(12 / 11 + 1e-9) == 0
    assert 0 <= delta(np.nextafter(1.2 / 1.1, 0)) < 1e-15
    assert delta(0.0) == pytest.approx(delta(1e-9), rel=1e-6)
    assert delta(800.0, scale=1e-3) == 0  # a tail of 700 standard deviations
    opposite = np.array([[2.0, 1.0], [1.0, 1.0]])  # 1 + l = 0: the sum says nothing
    assert GaussianModel(precision=opposite, width=1).laplace_delta(0, epsilon=0.0, scale=1) == 0


def test_theorem_5_2_does_not_extend():
    P = precision(nx.Graph([(0, 1, {"weight": 0.1})]), 1.0)
    mu = [GaussianModel(precision=P, width=1).gaussian_noise_mu(0, K, sigma=1) for K in ((), (1,))]
    assert [round(v, 4) for v in mu] == [0.7895, 1.0]
    delta = [
        GaussianModel(precision=P, width=1).laplace_delta(0, K, epsilon=0.5, scale=1)
        for K in ((), (1,))
    ]
    assert [round(v, 4) for v in delta] == [0.1184, 0.2212]
    graph = nx.Graph()
    graph.add_weighted_edges_from([(1, 2, 2), (1, 3, 0.05), (2, 3, 0.05)])
    mus = [
        GaussianModel(precision=precision(graph, 1.0), width=1).gaussian_noise_mu(0, K, sigma=1)
        for K in ((), (2,), (1, 2))
    ]
    assert [round(v, 4) for v in mus] == [1.1503, 1.4369, 1.0]


# ---------------------------------------------------------------------------------------------
# Properties
# ---------------------------------------------------------------------------------------------

graphs = st.integers(2, 7).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.integers(0, 3), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2),
    )
)
priors = st.sampled_from([1e-3, 0.1, 1.0, 10.0])


def weighted(n, entries):
    W = np.zeros((n, n))
    W[np.triu_indices(n, 1)] = entries
    return W + W.T


@settings(max_examples=40)
@given(graphs, priors, st.randoms())
def test_relabelling(graph, tau, random):
    W = weighted(*graph)
    P = np.diag(W.sum(axis=1) + tau) - W
    order = random.sample(range(len(P)), len(P))
    moved = P[np.ix_(order, order)]
    leakage = GaussianModel(precision=P, width=1).leakage_coefficients()
    np.testing.assert_allclose(
        GaussianModel(precision=moved, width=1).leakage_coefficients(),
        leakage[order],
        rtol=1e-10,
        atol=1e-12,
    )
    np.testing.assert_allclose(gaussian.algorithm1(moved), leakage[order], rtol=1e-10, atol=1e-12)
    sweep = gaussian.leakage_sweep(np.diag(W.sum(axis=1)) - W, [tau])[0]
    np.testing.assert_allclose(sweep, leakage, rtol=1e-10, atol=1e-12)


@settings(max_examples=40)
@given(graphs, priors)
def test_degree_bounds_and_monotonicity(graph, tau):
    W = weighted(*graph)
    L = np.diag(W.sum(axis=1)) - W
    n = len(W)
    sweep = gaussian.leakage_sweep(L, [tau, 2 * tau])
    slack = 1e-11 * (1 + np.abs(sweep[0]))
    assert (sweep[0] >= (W / (W + tau)).sum(axis=1) - slack).all()
    assert (sweep[0] <= np.minimum(n - 1, W.sum(axis=1) / tau) + slack).all()
    assert (sweep[1] <= sweep[0] + slack).all()
    heavier = L.copy()
    heavier[:2, :2] += [[1, -1], [-1, 1]]
    more = GaussianModel(precision=heavier + tau * np.eye(n), width=1).leakage_coefficients()
    assert (more >= sweep[0] - slack).all()
    assert more[0] > sweep[0][0]


# ---------------------------------------------------------------------------------------------
# Bad input
# ---------------------------------------------------------------------------------------------

GOOD = [[2.0, -1.0], [-1.0, 2.0]]
LAPLACIAN = [[1.0, -1.0], [-1.0, 1.0]]
INDEFINITE = [[1.0, -2.0], [-2.0, 1.0]]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: gaussian.combine(np.eye(5), 7, m=1),
            ValueError,
            "combine: j must be in 1..n-1, got 7 for a 5x5 matrix",
        ),
        (lambda: gaussian.combine(np.eye(5), 0, m=1), ValueError, "in 1..n-1, got 0"),
        (lambda: gaussian.combine(np.eye(5), 1.0, m=1), TypeError, "combine: j must be an integer"),
        (lambda: gaussian.combine(np.eye(5), 1, m=-1), ValueError, "combine: m must be at least 0"),
        (
            lambda: gaussian.combine(np.eye(5), 1, m=sp.Symbol("m")),
            TypeError,
            "m must be an integer",
        ),
        (lambda: gaussian.combine([[1.0]], 1, m=1), ValueError, "got a 1x1 matrix"),
        (
            lambda: gaussian.combine(INDEFINITE, 1, m=1),
            ValueError,
            "combine: .*negative eigenvalue",
        ),
        (lambda: gaussian.combine([[-1.0, 0], [0, -1]], 1, m=1), ValueError, "combine: .*definite"),
        (lambda: gaussian.combine(sp.zeros(2), 1, m=1), ValueError, "combine: .*definite"),
        (
            lambda: gaussian.combine(sp.Matrix([[1, 2], [3, 1]]), 1, m=1),
            ValueError,
            "symmetric, got 2",
        ),
        (
            lambda: gaussian.combine(np.array([[1, 0.5], [0.5, 1]], dtype=object), 1, m=1),
            TypeError,
            "exact entries, got the float 0.5",
        ),
        (
            lambda: GaussianModel(precision=[[1.0, 0.5], [0.2, 1.0]], width=1),
            ValueError,
            r"GaussianModel: precision must be symmetric, got 0.5 at \(0, 1\)",
        ),
        (
            lambda: GaussianModel(precision=INDEFINITE, width=1).leakage_coefficients(),
            ValueError,
            "positive definite",
        ),
        (
            lambda: GaussianModel(precision=LAPLACIAN, width=1).leakage_coefficients(),
            ValueError,
            r"n - 1, eq. \(29\)",
        ),
        (
            lambda: GaussianModel(
                precision=precision(nx.path_graph(30), 0), width=1
            ).leakage_coefficients(),
            ValueError,
            "eq",
        ),
        (
            lambda: GaussianModel(
                precision=sp.Matrix([[1, -1], [-1, 1]]), width=1
            ).leakage_coefficients(),
            ValueError,
            "singular",
        ),
        (
            lambda: GaussianModel(precision=[[1.0, np.nan], [np.nan, 1.0]], width=1),
            ValueError,
            "finite",
        ),
        (
            lambda: GaussianModel(precision=np.array([[np.inf]]), width=1),
            ValueError,
            "finite, got inf",
        ),
        (lambda: GaussianModel(precision=[["a"]], width=1), TypeError, "real numbers"),
        (lambda: GaussianModel(precision=np.eye(3)[:2], width=1), ValueError, r"square.*\(2, 3\)"),
        (lambda: GaussianModel(precision=np.zeros((0, 0)), width=1), ValueError, "non-empty"),
        (lambda: GaussianModel(precision=GOOD, weights=[1], width=1), ValueError, r"shape \(2,\)"),
        (
            lambda: GaussianModel(precision=sp.eye(2), weights=[1], width=1),
            ValueError,
            r"shape \(2,\)",
        ),
        (
            lambda: GaussianModel(precision=nx.path_graph(3), width=1),
            TypeError,
            r"got a Graph; pass networks.precision\(graph",
        ),
        (lambda: gaussian.combine(nx.path_graph(3), 1, m=1), TypeError, "combine: .* got a Graph"),
        (
            lambda: GaussianModel(precision=sps.eye_array(20_000), width=1),
            ValueError,
            "sparse.max_leakage_bounds takes",
        ),
        (
            lambda: GaussianModel(precision=GOOD, width=1).worst_adversary(scale=0),
            ValueError,
            "scale must be positive",
        ),
        (
            lambda: GaussianModel(precision=GOOD, width=1).leakage_coefficient(0, [0]),
            ValueError,
            "not contain the target 0",
        ),
        (
            lambda: GaussianModel(precision=GOOD, width=1).leakage_coefficient(2),
            ValueError,
            "target must be in 0..1, got 2",
        ),
        (
            lambda: GaussianModel(precision=INDEFINITE, width=1).leakage_coefficient(0),
            ValueError,
            "negative eigenvalue",
        ),
        (
            lambda: GaussianModel(
                precision=sp.Matrix([[1, 2], [2, 1]]), width=1
            ).leakage_coefficient(0),
            ValueError,
            "semidefinite",
        ),
        (
            lambda: GaussianModel(precision=np.zeros((2, 2)), width=1).leakage_coefficient(0),
            ValueError,
            "unknown tuples",
        ),
        (
            lambda: gaussian.algorithm1(GOOD, repairs=["speed"]),
            ValueError,
            "repairs must be one of",
        ),
        (lambda: gaussian.algorithm1([[1.0]], repairs=()), ValueError, "at least 2 rows"),
        (lambda: gaussian.algorithm1(np.eye(3), repairs=()), ValueError, "got w01 = 0"),
        (lambda: gaussian.algorithm1(INDEFINITE), ValueError, "negative eigenvalue"),
        (
            lambda: gaussian.leakage_sweep(GOOD, [1.0]),
            ValueError,
            "must sum to 0, got a sum of 1.0",
        ),
        (
            lambda: gaussian.leakage_sweep(-np.array(LAPLACIAN), [1.0]),
            ValueError,
            "not be positive",
        ),
        (lambda: gaussian.leakage_sweep(LAPLACIAN, [0.0]), ValueError, "priors must be positive"),
        (
            lambda: gaussian.leakage_sweep(LAPLACIAN, 1.0),
            ValueError,
            r"1 dimension\(s\), got shape \(\)",
        ),
        (lambda: gaussian.leakage_sweep(LAPLACIAN, [np.inf]), ValueError, "priors must be finite"),
        (
            lambda: GaussianModel(precision=np.eye(17), width=1).all_coefficients(),
            ValueError,
            "up to n = 16, got n = 17",
        ),
        (
            lambda: GaussianModel(precision=np.zeros((3, 3)), width=1).all_coefficients(),
            ValueError,
            "GaussianModel: .*defin.* unknown",
        ),
        (
            lambda: GaussianModel(
                precision=sp.Matrix(SIGNED) + sp.Symbol("t") * sp.eye(3), width=1
            ).worst_adversary(scale=1),
            ValueError,
            "got symbols",
        ),
        (lambda: GaussianModel(precision=sp.eye(2), width=0), ValueError, "width must be positive"),
        (lambda: GaussianModel(precision=GOOD, width=[1, 2, 3]), ValueError, r"shape \(2,\)"),
        (
            lambda: GaussianModel(
                precision=[[1, 0.9, 0.9], [0.9, 1, 0.9], [0.9, 0.9, 1]], width=1
            ).comparison_bound(),
            ValueError,
            "H-matrix",
        ),
        (
            lambda: GaussianModel(precision=GOOD, width=1).noise_scale(0),
            ValueError,
            "epsilon must be positive",
        ),
        (lambda: GaussianModel(precision=GOOD, width=-1), ValueError, "width must be positive"),
        (
            lambda: GaussianModel(precision=GOOD, width=1).noise_scale(1, method="x"),
            ValueError,
            "one of",
        ),
        (
            lambda: GaussianModel(precision=LAPLACIAN, width=1).noise_scale(1),
            ValueError,
            r"GaussianModel: .*\(29\)",
        ),
        (
            lambda: gaussian.output_density(0, 0, scale=-1, sigma=1),
            ValueError,
            "output_density: scale must be positive, got -1",
        ),
        (lambda: gaussian.log_ratio(0, 1, scale=1, sigma=-1), ValueError, "sigma"),
        (
            lambda: gaussian.output_density(np.nan, 0, scale=1, sigma=1),
            ValueError,
            "r must be finite",
        ),
        (
            lambda: GaussianModel(precision=GOOD, width=1).gaussian_noise_mu(0, [1], sigma=0),
            ValueError,
            "sigma must be positive if all tuples are known",
        ),
        (
            lambda: GaussianModel(precision=GOOD, width=1).laplace_delta(0, epsilon=-1, scale=1),
            ValueError,
            "epsilon",
        ),
        (
            lambda: GaussianModel(precision=GOOD, width=1).laplace_delta(0, epsilon=1, scale=0),
            ValueError,
            "scale",
        ),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---------------------------------------------------------------------------------------------
# The leakage of one adversary
# ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_the_leakage_is_the_supremum_of_the_log_ratio(seed):
    """Far out the log ratio of the two output densities comes as near as one likes."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=(4, 4))
    P = factor @ factor.T + np.eye(4)
    width = rng.uniform(0.5, 2, 4)
    weights = rng.normal(size=4)
    model = GaussianModel(precision=P, width=width, weights=weights)
    scale = 0.7
    for target, known in adversaries(4):
        slope, variance = regression(P.tolist(), target, known, weights.tolist())
        shift = width[target] * abs(float(slope))
        leakage = model.leakage(target, known, scale=scale)
        assert leakage == pytest.approx(shift / scale, rel=1e-9)
        far = -60 * (1 + float(variance))
        sigma = math.sqrt(max(float(variance), 0.0))
        ratio = gaussian.log_ratio(far, shift, scale=scale, sigma=sigma)
        assert ratio <= leakage * (1 + 1e-9)
        assert ratio == pytest.approx(leakage, rel=1e-6)


def test_the_worst_adversary_is_the_one_with_the_largest_leakage():
    model = GaussianModel(precision=SIGNED, width=[1, 2, 1], weights=[1, -1, 2])
    table = {who: model.leakage(*who, scale=3) for who in adversaries(3)}
    worst = model.worst_adversary(scale=3)
    assert worst.leakage == pytest.approx(max(table.values()), rel=1e-12)
    assert table[worst.adversary] == pytest.approx(worst.leakage, rel=1e-12)
    assert model.noise_scale(1) == pytest.approx(3 * worst.leakage, rel=1e-12)


def test_the_leakage_of_an_exact_model_is_exact():
    model = GaussianModel(precision=sp.Matrix(SIGNED), width=1)
    assert model.leakage(0, [2], scale=1) == sp.Rational(3, 2)
    assert model.leakage(0, [2], scale=0.5) == 3
    assert model.leakage(0, [2], scale=Fraction(1, 3)) == sp.Rational(9, 2)
    eps = sp.Symbol("eps", positive=True)
    assert model.leakage(0, [2], scale=1 / eps) == 3 * eps / 2
    for who in adversaries(3):
        floats = GaussianModel(precision=SIGNED, width=1).leakage(*who, scale=2)
        assert float(model.leakage(*who, scale=2)) == pytest.approx(floats, rel=1e-12)
    for scale in (0, -1, sp.Symbol("x"), -eps, sp.oo):
        with pytest.raises(ValueError, match=r"^leakage: scale must be positive"):
            model.leakage(0, scale=scale)


def test_a_leakage_that_cancels_is_not_understated():
    """a + l is 1e-9 of either: floats alone would keep no digit of it."""
    P = np.array([[2.0, 1.0 - 1e-9], [1.0 - 1e-9, 1.0]])
    model = GaussianModel(precision=P, width=1)
    exact = 1 - Fraction(P[0, 1]) / Fraction(P[1, 1])
    assert model.leakage(0, scale=1) == pytest.approx(float(exact), rel=1e-12)
    doubtful = P.copy()
    doubtful[0, 1] += 1e-11  # an asymmetry is doubt, and doubt is added
    leakage = GaussianModel(precision=doubtful, width=1).leakage(0, scale=1)
    assert leakage >= float(1 - Fraction(P[0, 1]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 3}, "target must be"),
        ({"known": [0]}, "known must not contain the target"),
        ({"scale": 0}, "scale must be positive"),
        ({"scale": 1e-300}, "the leakage must be within the range of floats"),
    ],
)
def test_leakage_refuses_what_does_not_fit(arguments, message):
    model = GaussianModel(precision=SIGNED, width=1)
    with pytest.raises(ValueError, match=f"^leakage: {message}"):
        model.leakage(**({"target": 0, "scale": 1} | arguments))
