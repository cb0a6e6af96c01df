"""Tests of `privlib.correlated.chain`: enumeration of all adversaries, limits, bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sps
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privlib.correlated import chain
from privlib.correlated.finite import FiniteLaw


def joint_law(transition, n, initial):
    """The joint law as products along paths."""
    joint = np.zeros((2,) * n)
    for x in itertools.product((0, 1), repeat=n):
        joint[x] = initial[x[0]] * math.prod(transition[a][b] for a, b in itertools.pairwise(x))
    return joint


def path_oracle(transition, initial, n, adversary, scale):
    """Leakage of one adversary by exact fractions over all paths, outputs at the integers."""
    P = [[Fraction(p) for p in row] for row in transition]
    start = [Fraction(p) for p in initial]
    laws = {}
    for x in itertools.product((0, 1), repeat=n):
        p = start[x[0]] * math.prod(P[a][b] for a, b in itertools.pairwise(x))
        if p:
            given_known = tuple(x[j] for j in adversary.known)
            law = laws.setdefault(given_known, {}).setdefault(x[adversary.target], {})
            law[sum(x)] = law.get(sum(x), 0) + p
    best = 0.0
    for pair in laws.values():
        for t in range(n + 1):
            density = [
                sum(
                    float(p / sum(law.values())) * math.exp(-abs(t - s) / scale)
                    for s, p in law.items()
                )
                for law in pair.values()
            ]
            best = max(best, math.log(max(density) / min(density)))
    return best


def stationary(P):
    total = P[0][1] + P[1][0]
    return [P[1][0] / total, P[0][1] / total]


probabilities = st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.8, 0.95, 1.0])


@settings(max_examples=80, deadline=None)
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
    worst = chain.worst_adversary(P, n, scale=scale, initial=initial)
    table = FiniteLaw(joint_law(P, n, initial)).all_leakages(scale=scale)
    assert worst.leakage == pytest.approx(max(table.values()), rel=1e-10, abs=1e-13)
    # and the adversary named is one who attains it
    assert table[worst.adversary] == pytest.approx(worst.leakage, rel=1e-10, abs=1e-13)
    # and knows everything outside an interval around its target, nothing inside it
    target, known = worst.adversary
    unknown = sorted(set(range(n)) - set(known))
    assert target in unknown
    assert unknown == list(range(unknown[0], unknown[-1] + 1))


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from([0.05, 0.3, 0.5, 0.9]),
    st.sampled_from([0.1, 0.4, 0.7]),
    st.sampled_from([0.3, 2.0]),
)
def test_default_initial_is_stationary(p01, p10, scale):
    P = [[1 - p01, p01], [p10, 1 - p10]]
    one = chain.worst_adversary(P, 5, scale=scale)
    two = chain.worst_adversary(P, 5, scale=scale, initial=stationary(P))
    assert one.leakage == pytest.approx(two.leakage, rel=1e-12)


@pytest.mark.parametrize(("scale", "amplification"), [(10, 7.9147), (1, 5.2207)])
def test_twenty_tuples_that_stay_with_probability_09(scale, amplification):
    worst = chain.worst_adversary(0.9, 20, scale=scale)
    assert worst.leakage * scale == pytest.approx(amplification, abs=5e-5)


@pytest.mark.parametrize("scale", [0.05, 1, 30])
def test_the_named_adversary_by_fractions_over_all_paths(scale):
    P, start, n = [["0.9", "0.1"], ["0.3", "0.7"]], ["0.75", "0.25"], 11
    worst = chain.worst_adversary(np.array(P, dtype=float), n, scale=scale)
    assert worst.leakage == pytest.approx(
        path_oracle(P, start, n, worst.adversary, scale), rel=1e-12
    )


def test_the_worst_adversary_may_be_intermediate():
    worst = chain.worst_adversary(0.9, 10, scale=1)
    assert worst.leakage == pytest.approx(4.69298, abs=5e-6)
    assert worst.adversary == (4, (0, 9))
    joint = joint_law([[0.9, 0.1], [0.1, 0.9]], 10, [0.5, 0.5])
    weak = max(FiniteLaw(joint).bdp_leakage(i, scale=1) for i in range(10))
    assert weak == pytest.approx(4.40134, abs=5e-6)
    assert FiniteLaw(joint).bdp_leakage(4, [0, 9], scale=1) == pytest.approx(
        worst.leakage, rel=1e-12
    )

    short = chain.worst_adversary(0.9, 4, scale=0.2)
    assert short.adversary == (1, (3,))
    assert short.leakage == pytest.approx(10.4239, abs=5e-5)
    joint = joint_law([[0.9, 0.1], [0.1, 0.9]], 4, [0.5, 0.5])
    weak = max(FiniteLaw(joint).bdp_leakage(i, scale=0.2) for i in range(4))
    assert weak == pytest.approx(9.3293, abs=5e-5)


@pytest.mark.parametrize("n", [2, 5, 20, 60])
def test_anticorrelated_chain_is_not_amplified(n):
    assert chain.worst_adversary(0.3, n, scale=2).leakage == pytest.approx(1 / 2, rel=1e-12)


@pytest.mark.parametrize("stay", [0.6, 0.8, 0.9])
def test_much_noise_gives_the_change_of_the_mean(stay):
    """Amplification tends to the largest change of E[s | x_i, x_K] as the noise grows."""
    rho, n = 2 * stay - 1, 61
    worst = chain.worst_adversary(stay, n, scale=1e9)
    mean = 1 + 2 * sum(rho**k for k in range(1, n // 2 + 1))
    assert worst.leakage * 1e9 == pytest.approx(mean, rel=1e-6)
    assert worst.leakage * 1e9 == pytest.approx((1 + rho) / (1 - rho), rel=1e-3 + rho ** (n // 2))
    if stay > 0.6:  # there rho**30 is below the precision that makes equals
        assert worst.adversary == (n // 2, ())


def test_a_long_chain_leaks_what_a_shorter_one_does():
    """The worst interval of a long chain does not depend on what lies far outside."""
    long, short = (chain.worst_adversary(0.9, n, scale=1) for n in (60, 30))
    assert long.leakage == pytest.approx(short.leakage, rel=1e-12)


def test_the_work_is_cubic(monkeypatch):
    """n steps of the table for the left parts and n for the right, each on O(n^2) entries."""
    entries = []

    def counted(table, steps, inner=chain._step):
        entries.append(table.size)
        return inner(table, steps)

    monkeypatch.setattr(chain, "_step", counted)
    n = 12
    chain.worst_adversary(0.9, n, scale=1)
    assert len(entries) == 2 * n
    assert max(entries) <= 12 * n * (n + 1)


def test_probabilities_below_the_smallest_float():
    """With next to no noise the leakage is a log ratio of probabilities as small as p**n."""
    n, p = 60, 1e-8
    P = [[1 - p, p], [1 - p, p]]  # independent tuples: no amplification, exactly
    worst = chain.worst_adversary(P, n, scale=1e-3)
    assert worst.leakage == pytest.approx(1000, rel=1e-12)


def test_chain_in_lockstep():
    """Perfect correlation: nobody known is the worst, and leaks as much as group privacy."""
    worst = chain.worst_adversary(1.0, 7, scale=2, initial=[0.3, 0.7])
    assert worst.leakage == pytest.approx(3.5, rel=1e-14)
    assert worst.adversary.known == ()
    alternating = chain.worst_adversary(0.0, 7, scale=2)
    assert alternating.leakage == pytest.approx(0.5, rel=1e-14)  # 3 ones against 4
    fixed = chain.worst_adversary(1.0, 7, scale=2, initial=[1, 0])
    assert (fixed.leakage, fixed.adversary) == (0, (0, (1, 2, 3, 4, 5, 6)))


def test_one_tuple():
    worst = chain.worst_adversary(0.9, 1, scale=4)
    assert (worst.leakage, worst.adversary) == (0.25, (0, ()))
    assert chain.worst_adversary(0.9, 1, scale=4, initial=[1, 0]).leakage == 0
    assert chain.worst_adversary(0.9, 1, scale=4, initial=[1, 0]).adversary == (0, ())


@pytest.mark.parametrize(
    "kind",
    [np.array, sps.csr_array, sps.coo_matrix, pd.DataFrame, lambda P: np.array(P) * Fraction(1)],
)
def test_other_kinds_of_matrices(kind):
    P = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 2)]]
    given = P if kind.__name__ == "<lambda>" else np.array(P, dtype=float)
    expected = chain.worst_adversary([[0.75, 0.25], [0.5, 0.5]], 5, scale=2)
    assert chain.worst_adversary(kind(given), 5, scale=2) == expected
    assert chain.markov_bound(kind(given), epsilon=1) == pytest.approx(1 + 4 * math.log(3))


def test_a_graph_of_transitions():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 0, 0.75), (0, 1, 0.25), (1, 0, 0.5), (1, 1, 0.5)])
    expected = chain.worst_adversary([[0.75, 0.25], [0.5, 0.5]], 5, scale=2)
    assert chain.worst_adversary(graph, 5, scale=2) == expected
    assert chain.worst_adversary(np.float64(0.75), np.int64(5), scale=2) == (
        chain.worst_adversary(0.75, 5, scale=2)
    )


@pytest.mark.parametrize("stay", [0.7, 0.9])
@pytest.mark.parametrize("scale", [1, 10])
def test_published_bound_holds_and_is_loose(stay, scale):
    bound = chain.markov_bound(stay, epsilon=1 / scale)
    assert bound == pytest.approx(1 / scale + 4 * math.log(stay / (1 - stay)))
    assert chain.worst_adversary(stay, 20, scale=scale).leakage < bound
    assert chain.markov_bound([[stay, 1 - stay], [1 - stay, stay]], epsilon=1 / scale) == (
        pytest.approx(bound)
    )


def test_published_bound_of_other_matrices():
    P = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.1, 0.1, 0.8]]
    assert chain.markov_bound(P, epsilon=0.5) == pytest.approx(0.5 + 4 * math.log(8))
    assert chain.markov_bound(np.full((4, 4), 0.25), epsilon=0.5) == 0.5


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"transition": 1.2}, r"transition must be a probability in \[0, 1\], got 1.2"),
        ({"transition": math.nan}, "transition must be finite"),
        ({"transition": [0.5, 0.5]}, "transition must be a non-empty square matrix"),
        ({"transition": [[0.5, 0.5]]}, "transition must be a non-empty square matrix"),
        ({"transition": np.zeros((0, 0)).tolist()}, "transition must be a non-empty square matrix"),
        ({"transition": np.full((3, 3), 1 / 3)}, r"transition must be 2 x 2, got shape \(3, 3\)"),
        ({"transition": [[0.5, 0.6], [0.5, 0.5]]}, "every row of transition must sum to 1"),
        ({"transition": [[1.5, -0.5], [0.5, 0.5]]}, "transition must be without negative"),
        ({"transition": 1.0}, "initial must be given"),
        ({"n": 0}, "n must be at least 1, got 0"),
        ({"scale": -2}, "scale must be positive, got -2"),
        ({"scale": 1e-320}, "scale must not be so small"),
        ({"initial": [1, 0, 0]}, r"initial must have shape \(2,\)"),
        ({"initial": [0.5, 0.6]}, "initial must be a distribution"),
        ({"initial": [1.5, -0.5]}, "initial must be a distribution"),
        ({"initial": [math.nan, 1]}, "initial must be finite"),
    ],
)
def test_bad_values(kwargs, message):
    arguments = {"transition": 0.9, "n": 3, "scale": 1.0} | kwargs
    positional = [arguments.pop(name) for name in ("transition", "n")]
    with pytest.raises(ValueError, match=f"^worst_adversary: {message}"):
        chain.worst_adversary(*positional, **arguments)


def test_other_bad_arguments():
    with pytest.raises(TypeError, match=r"worst_adversary: n must be an integer, got 3\.0"):
        chain.worst_adversary(0.9, 3.0, scale=1)
    with pytest.raises(TypeError, match="worst_adversary: transition must be a real number"):
        chain.worst_adversary("0.9", 3, scale=1)
    with pytest.raises(ValueError, match="markov_bound: transition must have positive entries"):
        chain.markov_bound(1.0, epsilon=1)
    with pytest.raises(ValueError, match="markov_bound: epsilon must be positive, got 0"):
        chain.markov_bound(0.9, epsilon=0)
