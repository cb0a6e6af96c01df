"""Tests of `privlib.research.markov_chain`: enumeration of all adversaries, limits, bad input."""

from __future__ import annotations

import dataclasses
import itertools
import math
import pickle
from collections import Counter
from fractions import Fraction

import mpmath as mp
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sps
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privlib.correlated.finite import FiniteDistribution
from privlib.research import _leakages, markov_chain
from privlib.research.markov_chain import MarkovChain, projective_diameter


def joint_distribution(transition, n, initial):
    """The joint distribution as products along paths."""
    joint = np.zeros((2,) * n)
    for x in itertools.product((0, 1), repeat=n):
        joint[x] = initial[x[0]] * math.prod(transition[a][b] for a, b in itertools.pairwise(x))
    return joint


def path_oracle(transition, initial, n, adversary, scale):
    """Leakage of one adversary by exact fractions over all paths, outputs at the integers."""
    P = [[Fraction(p) for p in row] for row in transition]
    start = [Fraction(p) for p in initial]
    distributions = {}
    for x in itertools.product((0, 1), repeat=n):
        p = start[x[0]] * math.prod(P[a][b] for a, b in itertools.pairwise(x))
        if p:
            given_known = tuple(x[j] for j in adversary.known)
            distribution = distributions.setdefault(given_known, {}).setdefault(
                x[adversary.target], {}
            )
            distribution[sum(x)] = distribution.get(sum(x), 0) + p
    best = 0.0
    for pair in distributions.values():
        for t in range(n + 1):
            density = [
                sum(
                    float(p / sum(distribution.values())) * math.exp(-abs(t - s) / scale)
                    for s, p in distribution.items()
                )
                for distribution in pair.values()
            ]
            best = max(best, math.log(max(density) / min(density)))
    return best


def stationary(P):
    total = P[0][1] + P[1][0]
    return [P[1][0] / total, P[0][1] / total]


probabilities = st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.8, 0.95, 1.0])


@settings(max_examples=80)
@given(
    probabilities, probabilities, probabilities, st.integers(1, 6), st.sampled_from([0.2, 1, 4, 50])
)
@example(0.95, 0.05, 0.5, 6, 0.01)
@example(0.0, 0.0, 0.3, 5, 1)
@example(1.0, 1.0, 0.3, 5, 1)
@example(1.0, 0.0, 0.0, 5, 1)
def test_agrees_with_all_adversaries(p01, p10, first, n, scale):
    P = [[1 - p01, p01], [p10, 1 - p10]]
    initial = [1 - first, first]
    worst = MarkovChain(P, n, initial=initial).worst_adversary(scale=scale)
    table = FiniteDistribution(joint_distribution(P, n, initial)).all_leakages(scale=scale)
    assert worst.leakage == pytest.approx(max(table.values()), rel=1e-10, abs=1e-13)
    # and the adversary named is one who attains it
    assert table[worst.adversary] == pytest.approx(worst.leakage, rel=1e-10, abs=1e-13)
    # and knows everything outside an interval around its target, nothing inside it
    target, known = worst.adversary
    unknown = sorted(set(range(n)) - set(known))
    assert target in unknown
    assert unknown == list(range(unknown[0], unknown[-1] + 1))


@settings(max_examples=20)
@given(
    st.sampled_from([0.05, 0.3, 0.5, 0.9]),
    st.sampled_from([0.1, 0.4, 0.7]),
    st.sampled_from([0.3, 2.0]),
)
def test_default_initial_is_stationary(p01, p10, scale):
    P = [[1 - p01, p01], [p10, 1 - p10]]
    one = MarkovChain(P, 5).worst_adversary(scale=scale)
    two = MarkovChain(P, 5, initial=stationary(P)).worst_adversary(scale=scale)
    assert one.leakage == pytest.approx(two.leakage, rel=1e-12)


@pytest.mark.parametrize(("scale", "amplification"), [(10, 7.9147), (1, 5.2207)])
def test_twenty_tuples_that_stay_with_probability_09(scale, amplification):
    worst = MarkovChain(0.9, 20).worst_adversary(scale=scale)
    assert worst.leakage * scale == pytest.approx(amplification, abs=5e-5)


@pytest.mark.parametrize("scale", [0.05, 1, 30])
def test_the_named_adversary_by_fractions_over_all_paths(scale):
    P, start, n = [["0.9", "0.1"], ["0.3", "0.7"]], ["0.75", "0.25"], 11
    worst = MarkovChain(np.array(P, dtype=float), n).worst_adversary(scale=scale)
    assert worst.leakage == pytest.approx(
        path_oracle(P, start, n, worst.adversary, scale), rel=1e-12
    )


def test_the_worst_adversary_may_be_intermediate():
    worst = MarkovChain(0.9, 10).worst_adversary(scale=1)
    assert worst.leakage == pytest.approx(4.69298, abs=5e-6)
    assert worst.adversary == (4, (0, 9))
    joint = joint_distribution([[0.9, 0.1], [0.1, 0.9]], 10, [0.5, 0.5])
    weak = max(FiniteDistribution(joint).leakage(i, scale=1) for i in range(10))
    assert weak == pytest.approx(4.40134, abs=5e-6)
    assert FiniteDistribution(joint).leakage(4, [0, 9], scale=1) == pytest.approx(
        worst.leakage, rel=1e-12
    )

    short = MarkovChain(0.9, 4).worst_adversary(scale=0.2)
    assert short.adversary == (1, (3,))
    assert short.leakage == pytest.approx(10.4239, abs=5e-5)
    joint = joint_distribution([[0.9, 0.1], [0.1, 0.9]], 4, [0.5, 0.5])
    weak = max(FiniteDistribution(joint).leakage(i, scale=0.2) for i in range(4))
    assert weak == pytest.approx(9.3293, abs=5e-5)


@pytest.mark.parametrize("n", [2, 5, 20, 60])
def test_anticorrelated_chain_is_not_amplified(n):
    assert MarkovChain(0.3, n).worst_adversary(scale=2).leakage == pytest.approx(1 / 2, rel=1e-12)


@pytest.mark.parametrize("stay", [0.6, 0.8, 0.9])
def test_much_noise_gives_the_change_of_the_mean(stay):
    """Amplification tends to the largest change of E[s | x_i, x_K] as the noise grows."""
    rho, n = 2 * stay - 1, 61
    worst = MarkovChain(stay, n).worst_adversary(scale=1e9)
    mean = 1 + 2 * sum(rho**k for k in range(1, n // 2 + 1))
    assert worst.leakage * 1e9 == pytest.approx(mean, rel=1e-6)
    assert worst.leakage * 1e9 == pytest.approx((1 + rho) / (1 - rho), rel=1e-3 + rho ** (n // 2))
    if stay > 0.6:  # there rho**30 is below the precision that makes equals
        assert worst.adversary == (n // 2, ())


def test_a_long_chain_leaks_what_a_shorter_one_does():
    """The worst interval of a long chain does not depend on what lies far outside."""
    long, short = (MarkovChain(0.9, n).worst_adversary(scale=1) for n in (60, 30))
    assert long.leakage == pytest.approx(short.leakage, rel=1e-12)


def test_the_work_is_cubic(monkeypatch):
    """n steps of the table for the left parts and n for the right, each on O(n^2) entries."""
    entries = []

    def counted(table, made, inner=markov_chain._moved):
        entries.append(table.size)
        return inner(table, made)

    monkeypatch.setattr(markov_chain, "_moved", counted)
    n = 12
    MarkovChain(0.9, n).worst_adversary(scale=1)
    assert len(entries) == 2 * n
    assert max(entries) <= 12 * n * (n + 1)


def test_probabilities_below_the_smallest_float():
    """With next to no noise the leakage is a log ratio of probabilities as small as p**n."""
    n, p = 60, 1e-8
    P = [[1 - p, p], [1 - p, p]]  # independent tuples: no amplification, exactly
    worst = MarkovChain(P, n).worst_adversary(scale=1e-3)
    assert worst.leakage == pytest.approx(1000, rel=1e-12)


def test_chain_in_lockstep():
    """Perfect correlation: nobody known is the worst, and leaks as much as group privacy."""
    worst = MarkovChain(1.0, 7, initial=[0.3, 0.7]).worst_adversary(scale=2)
    assert worst.leakage == pytest.approx(3.5, rel=1e-14)
    assert worst.adversary.known == ()
    alternating = MarkovChain(0.0, 7).worst_adversary(scale=2)
    assert alternating.leakage == pytest.approx(0.5, rel=1e-14)  # 3 ones against 4
    fixed = MarkovChain(1.0, 7, initial=[1, 0]).worst_adversary(scale=2)
    assert (fixed.leakage, fixed.adversary) == (0, (0, (1, 2, 3, 4, 5, 6)))


def test_one_tuple():
    worst = MarkovChain(0.9, 1).worst_adversary(scale=4)
    assert (worst.leakage, worst.adversary) == (0.25, (0, ()))
    assert MarkovChain(0.9, 1, initial=[1, 0]).worst_adversary(scale=4).leakage == 0
    assert MarkovChain(0.9, 1, initial=[1, 0]).worst_adversary(scale=4).adversary == (0, ())


@pytest.mark.parametrize(
    "kind",
    [np.array, sps.csr_array, sps.coo_matrix, pd.DataFrame, lambda P: np.array(P) * Fraction(1)],
)
def test_other_kinds_of_matrices(kind):
    P = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 2)]]
    given = P if kind.__name__ == "<lambda>" else np.array(P, dtype=float)
    expected = MarkovChain([[0.75, 0.25], [0.5, 0.5]], 5).worst_adversary(scale=2)
    assert MarkovChain(kind(given), 5).worst_adversary(scale=2) == expected
    assert MarkovChain(kind(given), 2).markov_bound(1) == pytest.approx(1 + 4 * math.log(3))


def test_a_graph_of_transitions():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 0, 0.75), (0, 1, 0.25), (1, 0, 0.5), (1, 1, 0.5)])
    expected = MarkovChain([[0.75, 0.25], [0.5, 0.5]], 5).worst_adversary(scale=2)
    assert MarkovChain(graph, 5).worst_adversary(scale=2) == expected
    assert MarkovChain(np.float64(0.75), np.int64(5)).worst_adversary(scale=2) == (
        MarkovChain(0.75, 5).worst_adversary(scale=2)
    )


@pytest.mark.parametrize("stay", [0.7, 0.9])
@pytest.mark.parametrize("scale", [1, 10])
def test_published_bound_holds_and_is_loose(stay, scale):
    bound = MarkovChain(stay, 2).markov_bound(1 / scale)
    assert bound == pytest.approx(1 / scale + 4 * math.log(stay / (1 - stay)))
    assert MarkovChain(stay, 20).worst_adversary(scale=scale).leakage < bound
    assert MarkovChain([[stay, 1 - stay], [1 - stay, stay]], 2).markov_bound(1 / scale) == (
        pytest.approx(bound)
    )


def test_published_bound_of_other_matrices():
    P = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.1, 0.1, 0.8]]
    assert MarkovChain(P, 2).markov_bound(0.5) == pytest.approx(0.5 + 4 * math.log(8))
    assert MarkovChain(np.full((4, 4), 0.25), 2).markov_bound(0.5) == 0.5


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"transition": 1.2}, r"transition must be a probability in \[0, 1\], got 1.2"),
        ({"transition": math.nan}, "transition must be finite"),
        ({"transition": [0.5, 0.5]}, "transition must be a non-empty square matrix"),
        ({"transition": [[0.5, 0.5]]}, "transition must be a non-empty square matrix"),
        ({"transition": np.zeros((0, 0)).tolist()}, "transition must be a non-empty square matrix"),
        ({"transition": [np.eye(2), np.ones((2, 2))]}, "every row of transition must sum to 1"),
        ({"transition": [[0.5, 0.6], [0.5, 0.5]]}, "every row of transition must sum to 1"),
        ({"transition": [[1.5, -0.5], [0.5, 0.5]]}, "transition must be without negative"),
        ({"transition": 1.0}, "initial must be given"),
        ({"n": 0}, "n must be at least 1, got 0"),
        ({"scale": -2}, "scale must be positive, got -2"),
        ({"scale": 1e-320}, "scale must not be so small"),
        ({"initial": [1, 0, 0]}, r"initial must have shape \(2,\)"),
        ({"initial": [0.5, 0.6]}, "initial must sum to 1, got 1.1"),
        ({"initial": [1.5, -0.5]}, "initial must be without negative entries, got -0.5"),
        ({"initial": [math.nan, 1]}, "initial must be finite"),
    ],
)
def test_bad_values(kwargs, message):
    arguments = {"transition": 0.9, "n": 3, "scale": 1.0} | kwargs
    positional = [arguments.pop(name) for name in ("transition", "n")]
    where = "worst_adversary" if "scale" in kwargs else "MarkovChain"
    scale = arguments.pop("scale")
    with pytest.raises(ValueError, match=f"^{where}: {message}"):
        MarkovChain(*positional, **arguments).worst_adversary(scale=scale)


def test_other_bad_arguments():
    with pytest.raises(TypeError, match=r"MarkovChain: n must be an integer, got 3\.0"):
        MarkovChain(0.9, 3.0).worst_adversary(scale=1)
    with pytest.raises(TypeError, match="MarkovChain: transition must be a real number"):
        MarkovChain("0.9", 3).worst_adversary(scale=1)
    with pytest.raises(ValueError, match="markov_bound: transition must have positive entries"):
        MarkovChain(1.0, 2, initial=[1, 0]).markov_bound(1)
    with pytest.raises(ValueError, match="markov_bound: epsilon must be positive, got 0"):
        MarkovChain(0.9, 2).markov_bound(0)


# --- k states, classes, forgetting ------------------------------------------------------------


def joint_of(transition, n, initial):
    """The joint distribution of a chain on any number of states, axis by axis."""
    joint = np.asarray(initial, dtype=float)
    for _ in range(n - 1):
        joint = joint[..., None] * np.asarray(transition)
    return joint


def random_chain(seed, k, *, zeros=0.0):
    """A transition matrix and an initial distribution, some entries 0."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(k, 0.7), size=k + 1)
    rows = np.where(rng.random(rows.shape) < zeros, 0, rows)
    rows[:, 0] += rows.sum(axis=1) == 0
    rows /= rows.sum(axis=1, keepdims=True)
    return rows[:-1], rows[-1]


STATES = [
    (3, [0, 1, 2], 0.0), (3, [0, 0, 1], 0.3), (3, [5, -1, 2], 0.3), (2, [1, 0], 0.0),
    (4, [0, 2, 2, 1], 0.5), (1, [7], 0.0),
]  # fmt: skip


@pytest.mark.parametrize("scale", [0.3, 4.0])
@pytest.mark.parametrize(("k", "values", "zeros"), STATES)
def test_any_number_of_states_agrees_with_all_adversaries(k, values, zeros, scale):
    for seed in range(4):
        P, first = random_chain(seed, k, zeros=zeros)
        n = 4
        worst = MarkovChain(P, n, initial=first, values=values).worst_adversary(scale=scale)
        distribution = FiniteDistribution(joint_of(P, n, first), values=[values] * n)
        table = distribution.all_leakages(scale=scale)
        assert worst.leakage == pytest.approx(max(table.values()), rel=1e-9, abs=1e-13)
        assert table[worst.adversary] == pytest.approx(worst.leakage, rel=1e-9, abs=1e-13)


def test_stationary_distributions():
    for seed in range(5):
        P, _ = random_chain(seed, 4)
        (made,) = markov_chain._chains("f", P, 3, None, None)
        assert np.exp(made.first) == pytest.approx(np.linalg.matrix_power(P, 4000)[0], rel=1e-9)
    rows = [[1 - 1e-13, 1e-13, 0], [3e-13, 1 - 3e-13, 0], [0.5, 0, 0.5]]
    (made,) = markov_chain._chains("f", rows, 3, None, None)
    assert np.exp(made.first) == pytest.approx(
        [0.75, 0.25, 0], rel=1e-12
    )  # rare moves, one that is left


@pytest.mark.parametrize(("P", "first"), [random_chain(seed, 2 + seed % 2) for seed in range(8)])
@pytest.mark.parametrize("scale", [0.2, 2.0, 100.0])
def test_what_forgetting_certifies_holds(P, first, scale):
    """Intervals of reach r and their bound enclose the level, for every r."""
    n = 9
    (made,) = markov_chain._chains("f", P, n, first, None)
    full, exact, *_ = markov_chain._within(made, scale, n - 1)
    assert full.leakage == exact  # nothing is cut off
    for reach in range(n - 1):
        worst, bound, *_ = markov_chain._within(made, scale, reach)
        assert worst.leakage <= full.leakage * (1 + 1e-12)
        assert full.leakage <= bound * (1 + 1e-12)
        assert bound <= worst.leakage + 2 * projective_diameter(P, reach + 1) + 1e-12
    strong, bound, *_ = markov_chain._within(made, scale, 0)
    assert strong.leakage <= 1 / scale * (len(P) - 1) * (1 + 1e-12)  # reach 0: the strong ones


def test_the_bound_is_not_empty():
    """At reach 1 this chain leaks more than what is found, and less than the bound."""
    (made,) = markov_chain._chains("f", 0.9, 9, None, None)
    (worst, bound, *_), (full, *_) = (markov_chain._within(made, 10.0, reach) for reach in (1, 8))
    assert worst.leakage * 1.5 < full.leakage < bound


@pytest.mark.parametrize("stay", [0.75, 0.9])
@pytest.mark.parametrize("scale", [1, 20])
def test_cut_off_and_full_computation_agree(stay, scale, monkeypatch):
    full = MarkovChain(stay, 80).worst_adversary(scale=scale, rtol=0)
    for reach in (4, 32):
        monkeypatch.setattr(markov_chain, "_REACH", reach)
        cut = MarkovChain(stay, 80).worst_adversary(scale=scale, rtol=1e-4)
        # Never below the level, and above it by what was asked for.
        assert full.leakage * (1 - 1e-12) <= cut.leakage <= full.leakage * (1 + 1e-4)


@pytest.mark.parametrize("rows", [1, 12])
@pytest.mark.parametrize("scale", [0.3, 1.5, 20])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_not_looked_at_is_not_the_worst(seed, scale, rows, monkeypatch):
    """With and without leaving intervals out, on chains that forget at other speeds."""
    P, first = random_chain(seed, 2 + seed % 2)
    P = (1 - seed / 6) * P + seed / 6 * np.eye(len(P))  # the last ones stay where they are
    if seed == 4:  # the worst of these are inside, and their neighbours are not
        P, first = [[0.9, 0.1], [0.1, 0.9]], [0.5, 0.5]
    monkeypatch.setattr(markov_chain, "_ROWS", rows)
    seen = []

    def counted(distributions, size, inner=_leakages.log_densities):
        seen.append(len(distributions))
        return inner(distributions, size)

    monkeypatch.setattr(_leakages, "log_densities", counted)
    chain = MarkovChain(P, 25, initial=first)
    some, looks = chain.worst_adversary(scale=scale, rtol=0), sum(seen)
    monkeypatch.setattr(markov_chain._Influences, "up_to", lambda _, steps: np.full(steps, 1e300))
    seen.clear()
    every = chain.worst_adversary(scale=scale, rtol=0)
    assert some.leakage == pytest.approx(every.leakage, rel=1e-13)
    assert some.adversary == every.adversary
    assert looks < sum(seen)


def test_long_chains_take_no_more_than_what_they_remember(monkeypatch):
    reached = []

    inner = markov_chain._within

    def counted(made, scale, reach, *floor):
        reached.append(reach)
        return inner(made, scale, reach, *floor)

    monkeypatch.setattr(markov_chain, "_within", counted)
    long = MarkovChain([[0.9, 0.1], [0.4, 0.6]], 10_000).worst_adversary(scale=3)
    assert reached == [32]
    assert len(long.adversary.known) + 65 >= 10_000 > len(long.adversary.known)
    short = MarkovChain([[0.9, 0.1], [0.4, 0.6]], 60).worst_adversary(scale=3, rtol=0)
    assert long.leakage == pytest.approx(short.leakage, rel=1e-6)


@pytest.mark.slow
def test_a_chain_that_never_forgets_is_looked_at_whole():
    """Two blocks that alternate: no power of the matrix is positive."""
    P = [[0, 0, 1], [0, 0, 1], [0.3, 0.7, 0]]
    whole = MarkovChain(P, 40, initial=[0.3, 0.7, 0]).worst_adversary(scale=5)
    assert projective_diameter(P, 7) == math.inf
    assert whole == MarkovChain(P, 40, initial=[0.3, 0.7, 0]).worst_adversary(scale=5, rtol=0)


@pytest.mark.parametrize(
    ("P", "first", "n", "leakage"),
    [
        # Who knows nobody tells 50 from 51; whoever knows one knows all.
        (0.0, None, 101, 1),
        (1.0, [0.5, 0.5], 100, 100),
        ([[0, 0.5, 0.5], [0, 1, 0], [0, 0, 1]], [1, 0, 0], 70, 69),
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], [0.5, 0.5, 0], 37, 1),  # 36 and a 0, or 36 and a 1
    ],
)
def test_a_long_chain_in_which_each_known_tuple_fixes_the_rest(P, first, n, leakage):
    """What is near has nothing to compare, which says nothing about who knows nobody."""
    worst = MarkovChain(P, n, initial=first).worst_adversary(scale=50)
    assert worst.leakage == pytest.approx(leakage / 50, rel=1e-9)
    assert set(worst.adversary.known) <= {0}  # the first may be certain anyway
    scale = MarkovChain(P, n, initial=first).noise_scale(0.5)
    assert scale == pytest.approx(2 * leakage, rel=2e-6)


def test_projective_diameter():
    for stay, steps in itertools.product((0.6, 0.9), (1, 3, 10)):
        rho = (2 * stay - 1) ** steps
        expected = 2 * math.log((1 + rho) / (1 - rho))
        assert projective_diameter(stay, steps) == pytest.approx(expected, rel=1e-9)
    assert projective_diameter([[0.9, 0.1]] * 2, 1) == 0
    P = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.1, 0.1, 0.8]])
    ratios = [
        P[u, v] * P[w, x] / (P[u, x] * P[w, v])
        for u, w, v, x in itertools.product(range(3), repeat=4)
    ]
    assert projective_diameter(P, 1) == pytest.approx(math.log(max(ratios)))
    contraction = [math.tanh(projective_diameter(P, m) / 4) for m in (1, 2, 3)]
    assert contraction[2] <= contraction[0] * contraction[1] * (1 + 1e-12)
    assert 2 * projective_diameter(P, 1) < MarkovChain(P, 2).markov_bound(1) - 1


@pytest.mark.parametrize("k", [2, 3])
def test_noise_scale_is_that_of_the_joint_distribution(k):
    for seed, epsilon in itertools.product(range(3), (0.3, 2.0)):
        P, first = random_chain(seed, k)
        expected = FiniteDistribution(joint_of(P, 4, first)).noise_scale(epsilon)
        found = MarkovChain(P, 4, initial=first).noise_scale(epsilon)
        assert expected * (1 - 1e-9) <= found <= expected * (1 + 2e-6)


def test_noise_scale_at_its_ends():
    assert MarkovChain(1.0, 6, initial=[0.3, 0.7]).noise_scale(1) == pytest.approx(6, rel=2e-6)
    assert MarkovChain(1.0, 6, initial=[1, 0]).noise_scale(1) == 0  # nothing can be compared
    assert MarkovChain(0.9, 3, values=[4, 4]).noise_scale(1) == 0  # nothing is released
    # From the values alone one learns at most this, so next to no noise will do.
    assert MarkovChain([[0.5, 0.5]] * 2, 1).noise_scale(1) == pytest.approx(1, rel=2e-6)


def test_a_class_of_chains_is_as_bad_as_its_worst():
    P, Q = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.8, 0.2], [0.3, 0.7]])
    for first in (None, [0.3, 0.7]):
        both = MarkovChain([P, Q], 8, initial=first).worst_adversary(scale=3)
        each = [MarkovChain(R, 8, initial=first).worst_adversary(scale=3) for R in (P, Q)]
        assert both == max(each, key=lambda worst: worst.leakage)
        assert each[0] != each[1]
        for method in (MarkovChain.noise_scale, MarkovChain.markov_quilt_scale):
            scales = [method(MarkovChain(R, 8, initial=first), 3) for R in (P, Q)]
            assert method(MarkovChain(np.array([P, Q]), 8, initial=first), 3) == max(scales)
            assert scales[0] != scales[1]
    far = [MarkovChain(R, 8).wasserstein_distance() for R in (P, np.full((2, 2), 0.5))]
    assert MarkovChain([np.full((2, 2), 0.5), P], 8).wasserstein_distance() == far[0] > far[1]


# --- published mechanisms ---------------------------------------------------------------------


def quilt_oracle(joint, epsilon):
    """The quilt mechanism by its definition: all quilts, from the joint distribution."""
    n, noise = joint.ndim, []
    for i in range(n):
        scores = [n / epsilon]
        for left, right in itertools.product(range(-1, i), range(i + 1, n + 1)):
            quilt = [j for j in (left, right) if 0 <= j < n]
            table = joint.sum(axis=tuple(j for j in range(n) if j not in (i, *quilt)))
            table = np.moveaxis(table, sorted([i, *quilt]).index(i), 0).reshape(len(joint), -1)
            table = table[table.sum(axis=1) > 0]
            table = table / table.sum(axis=1, keepdims=True)
            influence = 0.0
            for one, two in itertools.permutations(table, 2):
                for a, b in zip(one, two):
                    if a > 0:
                        influence = max(influence, math.log(a / b) if b > 0 else math.inf)
            inside = (right if quilt and right < n else n) - (left + 1 if left >= 0 else 0)
            if influence < epsilon:
                scores.append(inside / (epsilon - influence))
        noise.append(min(scores))
    return max(noise)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
@pytest.mark.parametrize(("k", "zeros"), [(2, 0.0), (2, 0.4), (3, 0.0), (3, 0.4)])
def test_markov_quilt_mechanism_by_its_definition(k, zeros, epsilon):
    for seed in range(4):
        P, first = random_chain(seed, k, zeros=zeros)
        for n in (1, 2, 6):
            found = MarkovChain(P, n, initial=first).markov_quilt_scale(epsilon)
            assert found == pytest.approx(quilt_oracle(joint_of(P, n, first), epsilon), rel=1e-9)


@pytest.mark.slow
def test_markov_quilt_mechanism_of_long_chains():
    """Beyond a length it does not depend on it, and it is never better than independence."""
    P = [[0.9, 0.1], [0.4, 0.6]]
    lengths = [MarkovChain(P, n).markov_quilt_scale(1) for n in (30, 31, 100, 2000)]
    assert lengths == pytest.approx([lengths[0]] * 4, rel=1e-12)
    assert MarkovChain(P, 10).markov_quilt_scale(1) == 10  # nothing better than the group
    assert MarkovChain(P, 2000).markov_quilt_scale(0.1) > 10 * lengths[0]
    assert MarkovChain(0.5, 50).markov_quilt_scale(2) == pytest.approx(0.5, rel=1e-14)


def distance_oracle(first, second):
    """W-infinity of two distributions on integers, exactly, by coupling quantiles."""
    queues = [
        sorted([s, p] for s, p in distribution.items() if p) for distribution in (first, second)
    ]
    far = 0
    while all(queues):
        (s, p), (t, q) = queues[0][0], queues[1][0]
        far = max(far, abs(s - t))
        for queue in queues:
            queue[0][1] -= min(p, q)
            if queue[0][1] == 0:
                queue.pop(0)
    return far


def sum_distributions(P, first, n, values, target, known):
    """Exact distributions of the sum: one list for each value of the known tuples."""
    distributions = {}
    for x in itertools.product(range(len(P)), repeat=n):
        p = first[x[0]] * math.prod(P[a][b] for a, b in itertools.pairwise(x))
        if p:
            distribution = distributions.setdefault(tuple(x[j] for j in known), {}).setdefault(
                x[target], {}
            )
            total = sum(values[a] for a in x)
            distribution[total] = distribution.get(total, 0) + p
    for group in distributions.values():
        yield [
            {s: p / sum(distribution.values()) for s, p in distribution.items()}
            for distribution in group.values()
        ]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    ("P", "first", "values"),
    [
        ([["1/2", "1/2"], ["1/2", "1/2"]], ["1/2", "1/2"], [0, 1]),
        ([["9/10", "1/10"], ["4/10", "6/10"]], ["4/5", "1/5"], [0, 1]),
        ([["9/10", "1/10"], ["1/10", "9/10"]], ["1/2", "1/2"], [0, 3]),
        ([["1/10", "9/10"], ["9/10", "1/10"]], ["1", "0"], [0, 1]),
        ([["1/2", "1/2", "0"], ["0", "1/2", "1/2"], ["1/2", "0", "1/2"]], ["1/3"] * 3, [0, 1, 3]),
    ],
)
def test_wasserstein_distance_by_exact_coupling(P, first, values, known):
    P, first = [[Fraction(p) for p in row] for row in P], [Fraction(p) for p in first]
    n = 5
    far = 0
    for i in range(n):
        others = [j for j in range(n) if j != i]
        sets = itertools.chain.from_iterable(
            itertools.combinations(others, r) for r in (range(n) if known else [0])
        )
        for K in sets:
            for group in sum_distributions(P, first, n, values, i, K):
                pairs = itertools.combinations(group, 2)
                far = max([far, *(distance_oracle(*pair) for pair in pairs)])
    found = MarkovChain(P, n, initial=first, values=values).wasserstein_distance(known=known)
    assert found == far


def test_the_three_are_in_order():
    """The exact scale is at most the Wasserstein mechanism's, with all adversaries in both."""
    for stay in (0.3, 0.75, 0.9):
        distance = MarkovChain(stay, 9).wasserstein_distance(known=True)
        exact = MarkovChain(stay, 9).noise_scale(1)
        assert exact <= distance * (1 + 2e-6)
        assert distance <= 9


WIDE = {"transition": np.full((3, 3), 1 / 3)}


@pytest.mark.parametrize(
    ("function", "kwargs", "message"),
    [
        ("worst_adversary", {"values": [0, 1, 2]}, "values must have length 2, got 3"),
        ("worst_adversary", {"transition": [np.full((2, 2), 0.5)] * 2, "initial": [[1, 0]]},
         r"initial must have shape \(2,\)"),
        ("worst_adversary", {"rtol": -1}, "rtol must not be negative"),
        ("worst_adversary", WIDE | {"values": [-(2**63), 0, 1]},
         f"n times the range .* got {3 * 2**63 + 3}"),
        ("worst_adversary", WIDE | {"values": [0, 1, 2**60]},
         f"n times the range .* got {3 * 2**60}"),
        ("noise_scale", WIDE | {"values": [-(2**62), 2**62, 1]},
         "n times the range of values must"),
        ("wasserstein_distance", WIDE | {"values": [-(2**62), 2**62, 1]},
         "n times the range of values must"),
        ("noise_scale", {"epsilon": 1e300}, r"epsilon must be between .*, got 1e\+300"),
        ("noise_scale", {"epsilon": 1e-310}, "epsilon must be between .*, got 1e-310"),
        ("noise_scale", {"epsilon": 0}, "epsilon must be positive, got 0"),
        ("noise_scale", {"n": 0}, "n must be at least 1, got 0"),
        ("markov_quilt_scale", {"epsilon": -1}, "epsilon must be positive, got -1"),
        ("markov_quilt_scale", {"initial": [1, 1]}, "initial must sum to 1, got 2.0"),
        ("wasserstein_distance", {"transition": 1.5}, "transition must be a probability"),
        ("wasserstein_distance", {"transition": 1.0}, "initial must be given"),
    ],
)  # fmt: skip
def test_bad_values_of_the_others(function, kwargs, message):
    of_the_call = {"epsilon", "rtol"} & set(kwargs)
    where = function if of_the_call else "MarkovChain"
    arguments = {"transition": 0.9, "n": 3} | kwargs
    options = {name: arguments.pop(name) for name in of_the_call}
    if function == "worst_adversary":
        options["scale"] = 1.0
    elif "scale" in function:
        options.setdefault("epsilon", 1.0)
    with pytest.raises(ValueError, match=f"^{where}: {message}"):
        getattr(MarkovChain(**arguments), function)(**options)


def test_bad_steps():
    with pytest.raises(ValueError, match=r"^projective_diameter: steps must be at least 1, got 0"):
        projective_diameter(0.9, 0)
    with pytest.raises(TypeError, match="values must hold integers, got list"):
        MarkovChain(0.9, 3, values=[0.5, 1.0]).worst_adversary(scale=1)


@pytest.mark.parametrize("known", [0, 1, None, "no"])
def test_known_is_a_bool(known):
    with pytest.raises(TypeError, match=f"wasserstein_distance: known must be .*{known!r}"):
        MarkovChain(0.9, 3).wasserstein_distance(known=known)
    assert MarkovChain(0.9, 3).wasserstein_distance(known=np.True_) == 3


def test_what_values_have_in_common_does_not_matter():
    """Large integers are told apart, for only their differences count, and noise of any size."""
    for offset in (2**62, -(2**63), 2**63 - 2):
        values = [offset, offset + 1]
        assert MarkovChain(0.9, 3, values=values).worst_adversary(scale=1) == (
            MarkovChain(0.9, 3).worst_adversary(scale=1)
        )
    for epsilon in (1e-280, 1e280):  # much noise: 1 + 2 rho; hardly any: as if independent
        scale = MarkovChain(0.9, 3).noise_scale(epsilon) * epsilon
        assert scale == pytest.approx(2.6 if epsilon < 1 else 1, rel=1e-8)


ENDED = [[0.5, 0.5, 0], [0, 0.2, 0.8], [0, 0, 0]]  # nobody was seen to leave the last state


@pytest.mark.parametrize(
    "kind",
    [np.array, sps.csr_array, sps.coo_matrix,
     lambda P: nx.from_numpy_array(np.array(P), create_using=nx.DiGraph)],
)  # fmt: skip
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("MarkovChain", {"n": 4}),
        ("MarkovChain", {"n": 4, "initial": [1, 0, 0]}),
        ("projective_diameter", {"steps": 2}),
    ],
)
def test_a_state_that_nobody_leaves_is_refused_in_any_kind_of_matrix(kind, function, arguments):
    message = f"^{function}: every row of transition must sum to 1, got 0.0 in row 2"
    with pytest.raises(ValueError, match=message):
        getattr(markov_chain, function)(kind(ENDED), **arguments)


@pytest.mark.parametrize(
    ("P", "values"),
    [
        (0.9, None),
        ([[0.9, 0.1], [0.4, 0.6]], [2, 0]),
        ([[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.3, 0.7]], [0, 0, 1]),
        ([[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.3, 0.7]]], None),
    ],
)
@pytest.mark.parametrize("epsilon", [0.2, 1, 6])
def test_noise_scale_is_where_the_level_is_epsilon(P, values, epsilon):
    """All intervals, without a cut-off, on both sides of the scale."""
    scale = MarkovChain(P, 40, values=values).noise_scale(epsilon)
    enough, less = (
        MarkovChain(P, 40, values=values).worst_adversary(scale=s, rtol=0).leakage
        for s in (scale, scale * (1 - 3e-6))
    )
    assert enough <= epsilon * (1 + 1e-12)
    assert less > epsilon * (1 - 1e-12)


@pytest.mark.slow
def test_few_looks_at_all_intervals_find_the_noise_scale(monkeypatch):
    reached = []

    inner = markov_chain._within

    def counted(made, scale, reach, *floor):
        reached.append(reach)
        return inner(made, scale, reach, *floor)

    monkeypatch.setattr(markov_chain, "_within", counted)
    MarkovChain(0.9, 10_000).noise_scale(1)
    assert len(reached) < 12
    assert sum(reach > 32 for reach in reached) <= 3


def test_a_move_that_underflows_beside_the_peak():
    """State 0 is e**800 times as likely as what can move to state 2, and cannot move there."""
    P = [[0.5, 0.5, 0.0], [0.2, 0.3, 0.5], [0.0, 0.4, 0.6]]
    (made,) = markov_chain._chains("f", P, 5, None, None)
    table = np.array([[0.0, -3.0], [-800.0, -2.0], [-900.0, -np.inf]])
    moved = markov_chain._moved(table, made)
    with np.errstate(divide="ignore"):
        ways = np.vstack([np.zeros((1, 3)), np.log(P).T])
    expected = np.logaddexp.reduce(table + ways[:, :, None], axis=1)
    np.testing.assert_allclose(moved, expected, rtol=1e-14)
    assert moved[3, 0] == pytest.approx(-800 + math.log(0.5), rel=1e-14)


# --- one adversary ------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [0.2, 1.0, 30.0])
@pytest.mark.parametrize(("k", "values", "zeros"), STATES)
def test_each_adversary_leaks_what_the_joint_distribution_says(k, values, zeros, scale):
    """Known tuples anywhere: beside the target, far from it, in runs and with gaps."""
    n = 5 if k < 4 else 4
    for seed in range(3):
        P, first = random_chain(seed, k, zeros=zeros)
        chain = MarkovChain(P, n, initial=first, values=values)
        joint = FiniteDistribution(joint_of(P, n, first), values=[values] * n)
        for (target, known), leakage in joint.all_leakages(scale=scale).items():
            ours = chain.leakage(target, known, scale=scale)
            assert ours == pytest.approx(leakage, rel=1e-9, abs=1e-12)


def test_a_class_leaks_to_one_adversary_what_its_worst_member_does():
    P, Q = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([[0.8, 0.2], [0.3, 0.7]])
    both = MarkovChain([P, Q], 7).leakage(3, [1, 6], scale=2)
    each = [MarkovChain(R, 7).leakage(3, [1, 6], scale=2) for R in (P, Q)]
    assert both == max(each)
    assert each[0] != each[1]


@pytest.mark.parametrize(("scale", "rtol"), [(1, 1e-6), (10, 1e-6), (3, 0.1)])
def test_the_level_is_not_below_the_leakage_of_the_one_named(scale, rtol):
    chain = MarkovChain([[0.9, 0.1], [0.4, 0.6]], 200)
    worst = chain.worst_adversary(scale=scale, rtol=rtol)
    named = chain.leakage(*worst.adversary, scale=scale)
    assert named <= worst.leakage * (1 + 1e-12) <= named * (1 + rtol) * (1 + 1e-11)
    for target, known in [(0, []), (100, [99]), (100, [90, 110]), (199, [0])]:
        assert chain.leakage(target, known, scale=scale) <= worst.leakage * (1 + 1e-12)


def test_one_adversary_of_ten_thousand_tuples():
    chain = MarkovChain(0.9, 10_000)
    known = [*range(4995), *range(5005, 10_000)]
    near = MarkovChain(0.9, 12).leakage(6, [0, 11], scale=2)
    assert chain.leakage(5000, known, scale=2) == pytest.approx(near, rel=1e-10)


def test_leakage_refuses_what_does_not_fit():
    chain = MarkovChain(0.9, 60)
    with pytest.raises(ValueError, match=r"^leakage: target must be"):
        chain.leakage(60, scale=1)
    with pytest.raises(ValueError, match=r"^leakage: known must not contain the target"):
        chain.leakage(3, [3], scale=1)
    with pytest.raises(ValueError, match=r"^leakage: scale must be positive"):
        chain.leakage(3, scale=0)
    with pytest.raises(ValueError, match=r"^leakage: the entries of a table of the sum"):
        chain.leakage(1, range(0, 60, 2), scale=1)  # 30 known tuples beside unknown ones


def test_a_chain_is_frozen_and_short():
    rows = np.array([[0.9, 0.1], [0.4, 0.6]])
    first = np.array([0.5, 0.5])
    chain = MarkovChain(rows, 4, initial=first, values=[0, 2])
    before = chain.leakage(1, scale=1)
    rows[0] = first[:] = [0.1, 0.9]
    assert chain.leakage(1, scale=1) == before
    for array in (chain.transition, chain.initial, chain.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    again = pickle.loads(pickle.dumps(chain))
    assert again.worst_adversary(scale=1) == chain.worst_adversary(scale=1)
    assert repr(chain) == "MarkovChain(n=4, states=2)"
    assert repr(MarkovChain([rows, rows], 4)) == "MarkovChain(n=4, states=2, chains=2)"
    shorter = dataclasses.replace(chain, n=3)
    assert shorter.noise_scale(1) == MarkovChain(
        chain.transition, 3, initial=chain.initial, values=[0, 2]
    ).noise_scale(1)


def test_flags_are_true_or_false():
    chain = MarkovChain(0.9, 3)
    with pytest.raises(TypeError, match="leakage: certify must be True or False, got 'False'"):
        chain.leakage(0, scale=1.0, certify="False")
    for name in ("known", "certify"):
        message = f"wasserstein_distance: {name} must be True or False, got 'False'"
        with pytest.raises(TypeError, match=message):
            chain.wasserstein_distance(**{name: "False"})


# --- masses so small that their logarithms are large ---------------------------------------------


def leakage_by_paths(rows, initial, values, scale, target, known):
    """The definition with 60 digits: every path, every output at an atom."""
    k = len(initial)
    with mp.workdps(60):
        masses = {}
        for path in itertools.product(range(k), repeat=3):
            mass = mp.mpf(initial[path[0]])
            for state, following in itertools.pairwise(path):
                mass *= mp.mpf(rows[state][following])
            if mass:
                condition = None if known is None else path[known]
                sums = masses.setdefault(condition, {}).setdefault(path[target], Counter())
                sums[sum(values[state] for state in path)] += mass
        largest = mp.mpf(0)
        for given in masses.values():
            for output in {total for sums in given.values() for total in sums}:
                logs = []
                for sums in given.values():
                    terms = [m * mp.exp(-mp.mpf(abs(t - output)) / scale) for t, m in sums.items()]
                    logs.append(mp.log(sum(terms) / sum(sums.values())))
                largest = max(largest, max(logs) - min(logs))
        return float(largest)


@pytest.mark.parametrize("scale", [1e-7, 0.002, 0.05])
def test_a_leakage_is_not_too_small_where_there_is_hardly_any_noise(scale):
    """The sums move by whole units, so the outputs show them: the largest ratio of their masses."""
    d = 2.0**-32
    rows = [[0.5, 0.25, 0.25, 0], [0.5, 0.25 - d, 0.25 + d, 0], [0.25] * 4, [0.25] * 4]
    initial = [0.5, 0.5, 0, 0]
    chain = MarkovChain(rows, 3, initial=initial, values=[0, 0, 1, 1])
    exact = leakage_by_paths(rows, initial, [0, 0, 1, 1], scale, 0, None)
    got = chain.leakage(0, scale=scale)
    assert exact * (1 - 1e-9) <= got <= exact + 1e-7


@pytest.mark.parametrize(
    ("bits", "tiny", "factor", "scale"),
    [(26, 5e-271, 5, 2.0), (34, 3e-229, 2, 3.5), (40, 1e-290, 3, 0.6), (30, 1e-12, 2, 8.0)],
)
def test_a_leakage_is_not_too_small_where_masses_are_tiny(bits, tiny, factor, scale):
    """The target's values add the same: only the other tuple's conditional distribution leaks."""
    d = 2.0**-bits
    rows = [
        [0.5, 0.375, 0.125, tiny],
        [0.5, 0.375 - d, 0.125 + d, tiny],
        [0.5, 0.375, 0.125, factor * tiny],
        [0.25] * 4,
    ]
    initial = [0.5, 0.5, 0, 0]
    chain = MarkovChain(rows, 3, initial=initial, values=[0, 0, 1, 0])
    exact = leakage_by_paths(rows, initial, [0, 0, 1, 0], scale, 0, 2)
    got = chain.leakage(0, [2], scale=scale)
    assert exact * (1 - 1e-9) <= got <= exact + 1e-11
