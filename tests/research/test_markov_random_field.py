"""Tests of `privlib.research.markov_random_field`: enumeration, transfer matrices."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath as mp
import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privlib import UncertifiedError
from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.research import markov_random_field
from privlib.research.markov_chain import MarkovChain
from privlib.research.markov_random_field import MarkovRandomField

ATLAS = nx.graph_atlas_g()[1:]
SMALL = [graph for graph in ATLAS if len(graph) <= 4]


def weights_by_database(factors, sizes):
    """The weight of every database, an array with an axis for each tuple."""
    x = np.indices(sizes)
    factors = {scope: np.asarray(table) for scope, table in factors.items()}
    return math.prod(table[tuple(x[j] for j in scope)] for scope, table in factors.items())


def joint(factors, sizes):
    """The joint distribution as a table of floats."""
    distribution = weights_by_database(factors, sizes).astype(float)
    return distribution / distribution.sum()


def random_factors(graph, rng, sizes):
    """Integer potentials of every tuple and every edge."""
    scopes = [(i,) for i in graph] + list(graph.edges)
    return {s: rng.integers(1, 9, [sizes[j] for j in s]).astype(object) for s in scopes}


def check_against_enumeration(graph, rng):
    n = len(graph)
    sizes = [2] * n
    factors = random_factors(graph, rng, sizes)
    field = MarkovRandomField(factors)
    target = int(rng.integers(n))
    known = [j for j in range(n) if j != target and rng.random() < 0.3]
    values = {j: int(rng.integers(2)) for j in known}
    levels, distribution = field.joint_distribution(target, values)
    expected = {}
    for x, weight in np.ndenumerate(weights_by_database(factors, sizes)):
        if all(x[j] == value for j, value in values.items()):
            expected[x[target], sum(x)] = expected.get((x[target], sum(x)), 0) + weight
    total = sum(expected.values())
    found = {
        (a, level): p for a in (0, 1) for level, p in zip(levels.tolist(), distribution[a]) if p
    }
    assert found == {cell: Fraction(weight, total) for cell, weight in expected.items()}
    leakage = FiniteDistribution(joint(factors, sizes)).leakage(target, known, scale=1.5)
    assert field.leakage(target, known, scale=1.5) == pytest.approx(leakage, rel=1e-11)


def test_every_graph_of_up_to_five_tuples():
    rng = np.random.default_rng(1)
    for graph in ATLAS:
        if len(graph) <= 5:
            check_against_enumeration(graph, rng)


@pytest.mark.slow
def test_every_graph_of_six_and_seven_tuples():
    rng = np.random.default_rng(2)
    graphs = [graph for graph in ATLAS if len(graph) > 5]
    assert len(graphs) == 156 + 1044
    for graph in graphs:
        check_against_enumeration(graph, rng)


@settings(max_examples=20)
@given(st.integers(0, 10**6))
@example(116)  # two sums, 4 apart
def test_several_values_larger_scopes_and_weights(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, 5).tolist()
    scopes = [(0, 1, 2), (3, 2), (3,), (4, 0), (1, 4)]
    factors = {s: rng.random([sizes[j] for j in s]) + 0.1 for s in scopes}
    values = [rng.integers(-3, 4, size).tolist() for size in sizes]
    field = MarkovRandomField(factors, values=values)
    distribution = FiniteDistribution(joint(factors, sizes), values=values)
    scale = float(rng.choice([0.3, 2.0, 40.0]))
    for (target, known), leakage in distribution.all_leakages(scale=scale).items():
        ours = field.leakage(target, known, scale=scale)
        assert ours == pytest.approx(leakage, rel=1e-9, abs=1e-12)
    known_values = {1: sizes[1] - 1, 4: 0}
    levels, table = field.joint_distribution(2, known_values)
    expected = np.zeros(table.shape)
    for x in itertools.product(*map(range, sizes)):
        if all(x[j] == value for j, value in known_values.items()):
            total = sum(values[j][a] for j, a in enumerate(x))
            # Levels are a unit apart: more than 1 where all differences share a divisor.
            expected[x[2], levels.tolist().index(total)] += distribution.joint[x]
    np.testing.assert_allclose(table, expected / expected.sum(), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("scale", [0.2, 1.0, 10.0])
def test_only_connected_sets_matter(scale):
    """Nobody leaks more than who knows all outside the target's component of the unknown."""
    rng = np.random.default_rng(3)
    for graph in SMALL:
        n = len(graph)
        factors = random_factors(graph, rng, [2] * n)
        table = FiniteDistribution(joint(factors, [2] * n)).all_leakages(scale=scale)
        for target, known in adversaries(n):
            unknown = graph.subgraph(set(graph) - set(known))
            component = nx.node_connected_component(unknown, target)
            outside = tuple(sorted(set(graph) - component))
            assert table[target, known] <= table[target, outside] * (1 + 1e-10)
        worst = MarkovRandomField(factors).worst_adversary(scale=scale)
        assert worst.leakage == pytest.approx(max(table.values()), rel=1e-10)
        assert table[worst.adversary] == pytest.approx(worst.leakage, rel=1e-10)


def test_what_lies_outside_the_boundary_changes_nothing():
    near = MarkovRandomField({(i, i + 1): [[5, 1], [1, 5]] for i in range(6)})
    factors = {(i, i + 1): [[5, 1], [1, 5]] for i in range(6)}
    far = MarkovRandomField({**factors, (0, 7): [[1, 9], [3, 1]], (6, 7): [[2, 1], [7, 1]]})
    assert near.leakage(3, [0, 6], scale=1) == pytest.approx(
        far.leakage(3, [0, 6, 7], scale=1), rel=1e-13
    )
    assert near.leakage(3, [], scale=1) != pytest.approx(far.leakage(3, [], scale=1))


@pytest.mark.parametrize(("stay", "scale"), [(0.9, 1), (0.7, 0.2), (0.3, 3)])
def test_agrees_with_the_chain(stay, scale):
    factors = {(i, i + 1): [[stay, 1 - stay], [1 - stay, stay]] for i in range(8)}
    worst = MarkovRandomField(factors).worst_adversary(scale=scale)
    expected = MarkovChain(stay, 9).worst_adversary(scale=scale)
    assert worst.leakage == pytest.approx(expected.leakage, rel=1e-12)


def generating_function(pair, width, length, z, clamped):
    """Weighted number of colourings of a grid, by rows: a transfer matrix on 2**width states."""
    states = np.array(list(itertools.product((0, 1), repeat=width)))
    across = np.array(pair)[states[None, :], states[:, None]].prod(axis=2)  # new row, old row
    within = np.array(pair)[states[:, :-1], states[:, 1:]].prod(axis=1) * z ** states.sum(axis=1)
    vector, log = np.ones(len(states)), 0.0
    for row in range(length):
        if row:
            vector = across @ vector
        vector = vector * within * (states[:, clamped[1]] == clamped[2] if row == clamped[0] else 1)
        log += math.log(vector.max())
        vector /= vector.max()
    return log + math.log(vector.sum())


@pytest.mark.parametrize(
    ("width", "length"), [(2, 200), (5, 20), pytest.param(8, 25, marks=pytest.mark.slow)]
)
def test_long_grids_by_transfer_matrices(width, length):
    pair, spot = [[3.0, 2.0], [1.5, 4.0]], (length // 2, width // 2)
    graph = nx.relabel_nodes(
        nx.grid_2d_graph(length, width), lambda node: node[0] * width + node[1]
    )
    field = MarkovRandomField({tuple(sorted(edge)): pair for edge in graph.edges})
    levels, distribution = field.joint_distribution(spot[0] * width + spot[1])
    for z in (0.3, 1.0, 1.1):
        ours = np.log(distribution @ z ** levels.astype(float))
        theirs = [generating_function(pair, width, length, z, (*spot, a)) for a in (0, 1)]
        assert ours[1] - ours[0] == pytest.approx(theirs[1] - theirs[0], abs=1e-9)


@pytest.mark.slow
def test_a_thousand_tuples_on_a_tree():
    tree = nx.random_labeled_tree(1000, seed=1)
    field = MarkovRandomField({edge: [[3.0, 2.0], [2.0, 3.0]] for edge in tree.edges})
    levels, distribution = field.joint_distribution(0)
    rows = distribution / distribution.sum(axis=1, keepdims=True)
    slope = (rows[1] - rows[0]) @ levels  # 1 + sum of rho^distance, for flips of chance 2/5
    distances = nx.single_source_shortest_path_length(tree, 0).values()
    assert slope == pytest.approx(sum(0.2**d for d in distances), rel=1e-9)
    assert field.leakage(0, scale=1e9) * 1e9 == pytest.approx(slope, rel=1e-6)


# --- hardness: the leakage holds a partition function -------------------------------------------


def ising(graph, agree=2):
    """Sum over databases of agree**(edges whose ends agree)."""
    return sum(
        agree ** sum(x[u] == x[v] for u, v in graph.edges)
        for x in itertools.product((0, 1), repeat=len(graph))
    )


def with_target(graph, c):
    """The Ising model of a graph and one more tuple, linked to all others."""
    n = len(graph)
    factors = {edge: [[2, 1], [1, 2]] for edge in graph.edges}
    return MarkovRandomField({**factors, **{(n, j): [[1, 1 / c], [1, c]] for j in range(n)}})


CONNECTED = [g for g in ATLAS if 2 <= len(g) <= 5 and nx.is_connected(g)]


def test_one_leakage_holds_the_partition_function():
    """By the reduction at the head of the module: c = 1/y = 2**B, rounded to an integer."""
    for graph in CONNECTED:
        n, m = len(graph), graph.number_of_edges()
        bits = n + (m + 3) // 2
        leakage = with_target(graph, Fraction(2) ** bits).leakage(n, scale=1 / (bits * math.log(2)))
        log_z = (m + bits * (n + 1)) * math.log(2) - leakage
        assert round(math.exp(log_z)) == ising(graph)


def test_moderate_noise_holds_it_too():
    """n leakages at moderate c and y give the polynomial N(z)/N(1/4), by interpolation."""
    graph = nx.lollipop_graph(4, 2)
    n, m = len(graph), graph.number_of_edges()
    points, ratios = [Fraction(1, 4)], [Fraction(1)]
    for k in range(n):
        u, v = Fraction(1, 2), 1 + Fraction(k, 8)  # y = uv < 1, c = v/u
        y, c = u * v, v / u
        levels, distribution = with_target(graph, c).joint_distribution(n)
        low, high = (
            sum(p * y ** int(s) for s, p in zip(levels, row)) / sum(row) for row in distribution
        )
        field = with_target(graph, c)
        assert field.leakage(n, scale=-1 / math.log(y)) == pytest.approx(
            math.log(low / high), rel=1e-11
        )
        points.append(v**2)  # low/high = c**n / y * N(1/4) / N(v**2)
        ratios.append(c**n / y / (low / high))
    constant = sum(  # Lagrange at 0
        r * math.prod(-q / (p - q) for q in points if q != p) for p, r in zip(points, ratios)
    )
    at_one = ratios[points.index(1)]
    assert at_one / constant * 2**m == ising(graph)


def test_the_distribution_of_the_sum_holds_the_partition_function():
    graph = nx.petersen_graph()
    field = MarkovRandomField({edge: [[2, 1], [1, 2]] for edge in graph.edges})
    levels, distribution = field.joint_distribution(0)
    assert levels[0] == 0
    assert Fraction(2) ** 15 / distribution[0, 0] == ising(graph)


# --- arguments ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ({(0, 0): [[1, 1], [1, 1]]}, "distinct tuples"),
        ({(-1, 0): [[1, 1], [1, 1]]}, "distinct tuples"),
        ({(0,): [1, 0]}, "positive"),
        ({(0,): [[1, 1]]}, "shape"),
        ({(0, 1): [[1, 1, 1], [1, 1, 1]]}, "shape"),
    ],
)
def test_refuses_factors(factors, message):
    with pytest.raises(ValueError, match=message):
        MarkovRandomField(factors)


def test_tuples_without_a_factor_are_uniform():
    levels, distribution = MarkovRandomField({}, values=[[0, 1], [0, 2, 2]]).joint_distribution(0)
    assert levels.tolist() == [0, 1, 2, 3]
    assert distribution.tolist() == [
        [Fraction(1, 6), 0, Fraction(1, 3), 0],
        [0, Fraction(1, 6), 0, Fraction(1, 3)],
    ]


def test_levels_of_large_values_are_exact():
    """Up to the largest values admitted, against the integers of Python; beyond, refused."""
    factors, most = {(0, 1): [[9, 1], [1, 9]]}, 2**61 - 1
    for end in (most, 1 - most):
        levels, distribution = MarkovRandomField(factors, [[end - 1, end]] * 2).joint_distribution(
            0
        )
        assert levels.tolist() == [2 * end - 2, 2 * end - 1, 2 * end]
        assert distribution[0].tolist() == [Fraction(9, 20), Fraction(1, 20), 0]
    shifted, plain = (MarkovRandomField(factors, v) for v in ([[most - 1, most]] * 2, None))
    assert shifted.leakage(0, scale=1) == plain.leakage(0, scale=1)
    for row in ([-(2**63), 0], [-(2**62), 2**62], [2**62, 2**62 + 1], [-most - 1, 0]):
        with pytest.raises(ValueError, match=r"MarkovRandomField: values must be at (least|most) "):
            MarkovRandomField(factors, [row, row])


def test_refuses_other_arguments():
    field = MarkovRandomField({(0, 1): [[2, 1], [1, 2]]})
    with pytest.raises(ValueError, match="distinct tuples"):
        MarkovRandomField(field.factors, values=[[0, 1]])
    with pytest.raises(TypeError, match="values"):
        MarkovRandomField(field.factors, values=[[0, 1], [0, 0.5]])
    with pytest.raises(ValueError, match="scale must be positive"):
        field.leakage(0, scale=0)
    with pytest.raises(ValueError, match="overflow"):
        field.leakage(0, scale=1e-310)
    with pytest.raises(ValueError, match="target"):
        field.leakage(2, scale=1)
    with pytest.raises(ValueError, match="known_values"):
        field.joint_distribution(0, {1: 2})
    complete = MarkovRandomField({edge: [[2.0, 1], [1, 2]] for edge in nx.complete_graph(30).edges})
    with pytest.raises(ValueError, match="number of tuples must be at most 16"):
        complete.worst_adversary(scale=1)
    with pytest.raises(ValueError, match="entries must be at most"):
        complete.leakage(0, scale=1)


# --- the noise that is enough -------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.05, 1, 7.0, 60])
def test_noise_scale_is_that_of_the_joint_distribution(epsilon):
    rng = np.random.default_rng(4)
    for graph in SMALL:
        n = len(graph)
        factors = random_factors(graph, rng, [2] * n)
        found = MarkovRandomField(factors).noise_scale(epsilon)
        expected = FiniteDistribution(joint(factors, [2] * n)).noise_scale(epsilon)
        assert found == pytest.approx(expected, rel=1e-9)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([1e-3, 0.4, 2, 30]))
def test_at_the_noise_scale_nobody_leaks_more_and_with_less_noise_somebody_does(seed, epsilon):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, 4).tolist()
    scopes = [(0, 1, 2), (3, 2), (3,), (1, 3)]
    factors = {s: rng.random([sizes[j] for j in s]) ** 3 + 1e-4 for s in scopes}
    values = [(rng.integers(-3, 4, size) * 5).tolist() for size in sizes]
    field = MarkovRandomField(factors, values=values)
    scale = field.noise_scale(epsilon)
    if all(len(set(row)) == 1 for row in values):
        assert scale == 0
        return
    distribution = FiniteDistribution(joint(factors, sizes), values=values)
    assert max(distribution.all_leakages(scale=scale).values()) <= epsilon * (1 + 1e-9)
    less = scale * (1 - 1e-6)
    assert field.worst_adversary(scale=less).leakage > epsilon * (1 - 1e-12)


@pytest.mark.parametrize("stay", [0.3, 0.75, 0.9])
def test_noise_scale_agrees_with_the_chain(stay):
    factors = {(i, i + 1): [[stay, 1 - stay], [1 - stay, stay]] for i in range(6)}
    expected = MarkovChain(stay, 7).noise_scale(0.7)
    assert MarkovRandomField(factors).noise_scale(0.7) == pytest.approx(expected, rel=2e-6)


def test_noise_scale_at_its_ends():
    pair = {(0, 1): [[2, 1], [1, 2]]}
    field = MarkovRandomField(pair)
    assert field.noise_scale(math.inf) == 0
    assert MarkovRandomField(pair, values=[[3, 3], [4, 4]]).noise_scale(1) == 0  # one value only
    large = MarkovRandomField(pair, values=[[0, 10**15], [0, 10**15]])
    assert large.noise_scale(1) == pytest.approx(field.noise_scale(1) * 1e15, rel=1e-12)
    for epsilon in (1e-250, 1e250):
        scale = field.noise_scale(epsilon)
        assert field.worst_adversary(scale=scale).leakage <= epsilon * (1 + 1e-9)
    for epsilon in (0, -1, math.nan):
        with pytest.raises(ValueError, match=r"^noise_scale: epsilon must"):
            field.noise_scale(epsilon)
    with pytest.raises(ValueError, match="epsilon must be large enough for a scale below 1e308"):
        large.noise_scale(1e-300)
    complete = MarkovRandomField({edge: [[2.0, 1], [1, 2]] for edge in nx.complete_graph(30).edges})
    with pytest.raises(ValueError, match=r"^noise_scale: the number of tuples must be at most 16"):
        complete.noise_scale(1)


def test_a_noise_scale_that_leaks_more_is_not_returned(monkeypatch):
    field = MarkovRandomField({(0, 1): [[2, 1], [1, 2]]})
    monkeypatch.setattr(markov_random_field, "smallest_scale", lambda *_: 0.9)
    with pytest.raises(UncertifiedError, match="the leakage at this scale must be at most 1"):
        field.noise_scale(1)


def test_certify_is_true_or_false():
    field = MarkovRandomField({(0, 1): [[2, 1], [1, 2]]})
    with pytest.raises(TypeError, match="leakage: certify must be True or False, got 'False'"):
        field.leakage(0, scale=1.0, certify="False")
    message = "worst_adversary: certify must be True or False, got 'False'"
    with pytest.raises(TypeError, match=message):
        field.worst_adversary(scale=1.0, certify="False")


def test_a_leakage_is_not_too_small_where_factors_are_huge():
    pairs = [
        [7.95942268645472e106, 4.304560098372135e43, 2.3561043585712955e126],
        [7.959422690861341e106, 4.3045601051349234e43, 2.356104361363207e126],
    ]
    single = [8.121493088552111e-109, 1.678539353156407e-44, 1.935578939036869e-127]
    scale = 22.658787253096094
    field = MarkovRandomField({(0, 1): pairs, (1,): single}, values=[[0, 0], [0, 1, 2]])
    got = field.leakage(0, scale=scale)
    with mp.workdps(60):
        largest = mp.mpf(0)
        for output in range(3):
            logs = []
            for row in pairs:
                masses = [mp.mpf(pair) * mp.mpf(one) for pair, one in zip(row, single)]
                decays = [mp.exp(-mp.mpf(abs(j - output)) / mp.mpf(scale)) for j in range(3)]
                logs.append(mp.log(mp.fdot(masses, decays) / mp.fsum(masses)))
            largest = max(largest, abs(logs[0] - logs[1]))
        exact = float(largest)
    assert exact * (1 - 1e-9) <= got <= exact + 1e-12


@pytest.mark.parametrize("known", [5, "x", np.array(3)])
def test_known_values_are_a_mapping(known):
    field = MarkovRandomField({(0, 1): [[2, 1], [1, 2]]})
    message = "joint_distribution: known_values must map tuples to positions of their values"
    with pytest.raises(TypeError, match=message):
        field.joint_distribution(0, known)
