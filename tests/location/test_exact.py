"""The exact distribution by labelled enumeration, permanents and tables; the bridge."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse, special

from privlib.location import exact, flow
from privlib.location.exact import (
    bound_transition_probability,
    expected_movement,
    movements,
    transition_probability,
)
from privlib.location.flow import InfeasibleError

F = Fraction
EXAMPLE = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 8), F(3, 8), F(1, 2)]]
WITH_ZEROS = [[F(1, 3), F(2, 3), F(0)], [F(0), F(1, 5), F(4, 5)], [F(1, 2), F(0), F(1, 2)]]
PAIRS = [
    ([2, 2, 1], [1, 2, 2]),
    ([3, 0, 2], [0, 4, 1]),
    ([1, 1, 2], [2, 0, 2]),
    ([0, 0, 4], [1, 3, 0]),
]


@pytest.fixture
def rng():
    return np.random.default_rng(20130715)


def labelled(before, P):
    """All L^N labelled behaviours: distribution of the histogram, and expected counts times it."""
    size, distribution, counts = len(before), Counter(), {}
    origins = [i for i, n in enumerate(before) for _ in range(n)]
    for route in itertools.product(range(size), repeat=len(origins)):
        weight = math.prod((P[i][j] for i, j in zip(origins, route)), start=F(1))
        after = tuple(route.count(j) for j in range(size))
        distribution[after] += weight
        table = counts.setdefault(after, [[F(0)] * size for _ in range(size)])
        for i, j in zip(origins, route):
            table[i][j] += weight
    return distribution, counts


def tables(before, after):
    """Matrices of counts: all rows with the right sums, kept if the columns are right."""
    size = len(before)
    rows = [
        [row for row in itertools.product(range(n + 1), repeat=size) if sum(row) == n]
        for n in before
    ]
    for A in map(np.array, itertools.product(*rows)):
        if (A.sum(axis=0) == after).all():
            yield A


@pytest.mark.parametrize("P", [EXAMPLE, WITH_ZEROS])
@pytest.mark.parametrize("before", [[2, 2, 1], [3, 0, 2], [0, 0, 4]])
def test_the_distribution_is_that_of_labelled_persons(before, P):
    distribution, counts = labelled(before, P)
    floats = np.array(P, dtype=float)
    for after in itertools.product(range(sum(before) + 1), repeat=3):
        if sum(after) != sum(before):
            continue
        exact = transition_probability(before, after, transition=P)
        assert isinstance(exact, F)
        assert exact == distribution[after]
        assert transition_probability(before, after, transition=floats) == pytest.approx(
            float(exact), rel=1e-10
        )
        if not exact:
            assert transition_probability(before, after, transition=floats, log=True) == -math.inf
            assert transition_probability(before, after, transition=P, log=True) == -math.inf
            for matrix in (P, floats):
                with pytest.raises(InfeasibleError, match="cannot be routed"):
                    expected_movement(before, after, transition=matrix)
            continue
        assert transition_probability(before, after, transition=floats, log=True) == pytest.approx(
            math.log(exact), abs=1e-10
        )
        expected = [[entry / exact for entry in row] for row in counts[after]]
        movement = expected_movement(before, after, transition=P)
        assert movement.tolist() == expected
        np.testing.assert_allclose(
            expected_movement(before, after, transition=floats), movement.astype(float), atol=1e-10
        )
        np.testing.assert_allclose(
            expected_movement(before, after, transition=sparse.csr_matrix(floats)),
            movement.astype(float), atol=1e-10,
        )  # fmt: skip
    assert sum(distribution.values()) == 1


@pytest.mark.parametrize("P", [EXAMPLE, WITH_ZEROS])
@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_the_distribution_is_a_sum_over_tables_and_below_the_largest_product(before, after, P):
    all_tables = list(tables(before, after))
    products = [
        math.prod((p ** int(a) for p, a in zip(itertools.chain(*P), A.ravel())), start=F(1))
        for A in all_tables
    ]
    many = [
        math.prod(map(math.factorial, before))
        // math.prod(math.factorial(int(a)) for a in A.ravel())
        for A in all_tables
    ]
    truth = transition_probability(before, after, transition=P)
    bound = bound_transition_probability(before, after, transition=P)
    assert truth == sum(m * p for m, p in zip(many, products))
    assert bound == math.factorial(sum(before)) * max(products)
    floats = np.array(P, dtype=float)
    near = bound_transition_probability(before, after, transition=floats)
    assert near == pytest.approx(float(bound), rel=1e-10)
    ways = math.factorial(sum(before)) // math.prod(map(math.factorial, after))
    assert sum(many) == ways  # labelled behaviours, of which N! are too many
    assert truth <= bound / math.prod(map(math.factorial, after))


def test_example_4_1_in_exact_fractions():
    before, after = [2, 2, 1], [1, 2, 2]
    assert len(movements(before, after)) == 11
    assert transition_probability(before, after, transition=EXAMPLE) == F(265, 2048)
    assert bound_transition_probability(before, after, transition=EXAMPLE) == F(15, 8)
    assert (265 * expected_movement(before, after, transition=EXAMPLE)).tolist() == [
        [188, 146, 196], [64, 300, 166], [13, 84, 168]
    ]  # fmt: skip


def test_the_footnotes_identity_gives_probability_one():
    assert transition_probability([3, 4], [3, 4], transition=[[1, 0], [0, 1]]) == 1
    assert transition_probability([3, 4], [4, 3], transition=[[1, 0], [0, 1]]) == 0
    assert bound_transition_probability([3, 4], [4, 3], transition=[[1, 0], [0, 1]]) == 0
    assert bound_transition_probability([3, 4], [4, 3], transition=np.eye(2)) == 0
    assert bound_transition_probability([200, 0], [200, 0], transition=np.eye(2)) == math.inf


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_all_movements(before, after):
    ours = movements(before, after)
    theirs = sorted(A.ravel().tolist() for A in tables(before, after))
    assert ours.reshape(len(ours), -1).tolist() == theirs


def test_large_groups_neither_underflow_nor_cancel(rng):
    # Two states: a convolution of two binomials, summed in logarithms.
    P, before, after = np.array([[0.98, 0.02], [0.01, 0.99]]), [900, 700], [40, 1560]
    logs = [
        math.lgamma(901) - math.lgamma(a + 1) - math.lgamma(901 - a)
        + math.lgamma(701) - math.lgamma(41 - a) - math.lgamma(661 + a)
        + a * math.log(0.98) + (900 - a) * math.log(0.02)
        + (40 - a) * math.log(0.01) + (660 + a) * math.log(0.99)
        for a in range(41)
    ]  # fmt: skip
    direct = np.logaddexp.reduce(logs)
    assert direct < -2500
    assert transition_probability(before, after, transition=P, log=True) == pytest.approx(
        direct, rel=1e-10
    )
    from_first = expected_movement(before, after, transition=P)[0, 0]
    assert from_first == pytest.approx(np.exp(np.array(logs) - direct) @ np.arange(41), rel=1e-8)


def test_the_logarithm_of_a_huge_fraction():
    assert transition_probability(
        [2000, 0], [1, 1999], transition=[[F(1, 2), F(1, 2)], [0, 1]], log=True
    ) == pytest.approx(math.log(2000) - 2000 * math.log(2))


def test_the_bridge_has_the_right_margins_and_is_a_scaling(rng):
    P = rng.dirichlet(np.ones(6), size=6)
    before, after = rng.random(6) * 5, rng.random(6)
    after *= before.sum() / after.sum()
    bridge = expected_movement(before, after, transition=P, method="bridge")
    np.testing.assert_allclose(bridge.sum(axis=1), before, rtol=1e-9)
    np.testing.assert_allclose(bridge.sum(axis=0), after, rtol=1e-9)
    ratio = np.log(bridge / P)  # u_i + s_j: all 2 x 2 interactions vanish
    centred = ratio - ratio.mean(axis=0) - ratio.mean(axis=1)[:, None] + ratio.mean()
    np.testing.assert_allclose(centred, 0, atol=1e-9)


def test_the_bridge_agrees_with_sinkhorn_on_a_sparse_network(rng):
    P = np.triu(rng.random((5, 5))) + np.eye(5, k=-1)
    P /= P.sum(axis=1, keepdims=True)
    before = np.array([4.0, 0, 3, 2, 6])
    after = before @ (np.triu(P) / np.triu(P).sum(axis=1, keepdims=True))
    u = np.ones(5)
    for _ in range(20_000):
        s = np.divide(after, u @ P, out=np.zeros(5), where=u @ P > 0)
        u = np.divide(before, P @ s, out=np.zeros(5), where=P @ s > 0)
    oracle = u[:, None] * P * s
    np.testing.assert_allclose(
        expected_movement(before, after, transition=P, method="bridge"), oracle, atol=1e-6
    )


def test_the_bridge_where_some_arcs_can_never_be_used():
    # With nobody short of going up, the arc down is dead: Sinkhorn would crawl, pruning does not.
    P = np.array([[0.5, 0.5], [0.25, 0.75]])
    P_line = np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]])
    forced = expected_movement([2, 3, 0], [2, 3, 0], transition=P_line, method="bridge")
    np.testing.assert_allclose(forced, np.diag([2, 3, 0]), atol=1e-12)
    np.testing.assert_allclose(
        expected_movement([2, 3, 0], [2, 3, 0], transition=P_line), forced, atol=1e-12
    )
    with pytest.raises(InfeasibleError):
        expected_movement([0, 2, 0], [2, 0, 0], transition=P_line, method="bridge")
    assert expected_movement([2, 0], [1, 1], transition=P, method="bridge").tolist() == [
        [1, 1],
        [0, 0],
    ]


def test_the_bridge_of_places_that_hardly_exchange_anybody():
    # Two pairs of places, joined with probability 1e-9: ten people must cross all the same.
    P = np.full((4, 4), 1e-9)
    P[:2, :2] = P[2:, 2:] = 0.5 - 1e-9
    bridge = expected_movement([20, 20, 10, 10], [10, 20, 20, 10], transition=P, method="bridge")
    assert bridge[:2, 2:].sum() == pytest.approx(10, abs=1e-6)
    np.testing.assert_allclose(bridge[:2], [[5, 10, 10 / 3, 5 / 3]] * 2, rtol=1e-6)


def test_the_error_of_the_bridge_falls_with_the_number_of_people():
    P = np.array(EXAMPLE, dtype=float)
    errors = []
    for k in (1, 4, 16):
        before, after = np.array([2, 2, 1]) * k, np.array([1, 2, 2]) * k
        exact = expected_movement(before, after, transition=P)
        errors.append(
            np.abs(
                np.log(expected_movement(before, after, transition=P, method="bridge") / exact)
            ).max()
        )
    assert errors[0] > 0.05
    assert errors[1] < errors[0] / 3
    assert errors[2] < errors[1] / 3


def test_what_is_too_large_or_wrong_is_refused():
    wide = np.full((9, 9), 1 / 9)
    with pytest.raises(
        ValueError,
        match=r"transition_probability: the exact distribution needs at most 20000000 states",
    ):
        transition_probability([10] * 9, [10] * 9, transition=wide)
    with pytest.raises(ValueError, match="needs at most 500000 states, got"):
        expected_movement([10] * 9, [10] * 9, transition=wide)
    crowd = [5] * 8 + [10_000]  # few states, but one turn for everybody
    with pytest.raises(ValueError, match="needs at most 10000000000 steps, got 16863344640"):
        transition_probability(crowd, crowd, transition=wide)
    with pytest.raises(ValueError, match="movements: more than 2000000 matrices"):
        movements([30] * 6, [30] * 6)
    with pytest.raises(ValueError, match="method must be one of exact, bridge, got 'sinkhorn'"):
        expected_movement([1, 0], [1, 0], transition=np.eye(2), method="sinkhorn")
    with pytest.raises(
        ValueError, match="expected_movement: after must be a histogram of whole counts"
    ):
        expected_movement([1, 0], [0.5, 0.5], transition=[[0.5, 0.5], [0, 1]])
    with pytest.raises(ValueError, match="same total"):
        movements([1, 1], [1, 2])
    with pytest.raises(ValueError, match=r"after must have shape \(2,\), got \(3,\)"):
        movements([1, 1], [1, 1, 0])
    with pytest.raises(ValueError, match="every row of transition must sum to 1, got 5/6 in row 0"):
        transition_probability([1, 0], [1, 0], transition=[[F(1, 2), F(1, 3)], [0, 1]])


@pytest.mark.parametrize("seed", range(6))
def test_the_sum_arc_by_arc_is_the_dynamic_programme(seed):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(5), 5)
    P = np.where(P > 0.15, P, 0) + 0.1 * np.eye(5)
    P /= P.sum(axis=1, keepdims=True)
    before = rng.multinomial(14, np.ones(5) / 5)
    after = sum(rng.multinomial(n, row) for n, row in zip(before, P))
    expected = expected_movement(before, after, transition=P)
    np.testing.assert_allclose(exact._by_arcs("", before, after, P), expected, atol=1e-11)


def test_too_many_steps_are_left_to_the_sum_arc_by_arc(monkeypatch):
    P, before, after = np.array(EXAMPLE, dtype=float), [9, 8, 7], [7, 8, 9]
    expected = expected_movement(before, after, transition=P)
    steps = 8 * 9 * 24  # of the programme of one place; there are three
    monkeypatch.setattr(exact, "_product", None)
    monkeypatch.setattr(exact, "_STEPS", 3 * steps - 1)
    np.testing.assert_allclose(expected_movement(before, after, transition=P), expected)
    monkeypatch.setattr(exact, "_OPEN", 7)  # counted before anything is enumerated
    with pytest.raises(ValueError, match=r"needs at most 7 states, got \d+"):
        expected_movement(before, after, transition=P)
    monkeypatch.setattr(exact, "_STEPS", 3 * steps)
    with pytest.raises(TypeError, match="not callable"):  # still the programme
        expected_movement(before, after, transition=P)


def test_few_arcs_carry_many_places_exactly():
    # Pairs of places that exchange people, and a hub: the others' names are a binomial away.
    size, hub = 31, 30
    P = 0.5 * np.eye(size)
    for k in range(0, hub, 2):
        P[k, k + 1] = P[k + 1, k] = 0.3
    P[:hub, hub] = 0.2
    P[hub, :hub] = 0.5 / hub
    rng = np.random.default_rng(5)
    before = np.append(rng.integers(2, 7, hub), 400)
    after = sum(rng.multinomial(n, row) for n, row in zip(before, P))
    found = expected_movement(before, after, transition=P)
    np.testing.assert_allclose(found.sum(axis=0), after)
    np.testing.assert_allclose(found.sum(axis=1), before)

    # An oracle of its own: one pair after the other, states by how many the hub has sent.
    def pair(k):
        table = np.zeros((80, 2))  # by people from the hub: weight, and weight times a_k,k+1
        a, b = before[k], before[k + 1]
        for stay, go in itertools.product(range(a + 1), repeat=2):
            for other, back in itertools.product(range(b + 1), repeat=2):
                if stay + go > a or other + back > b:
                    continue
                into = after[k] - stay - back, after[k + 1] - other - go
                if min(into) < 0:
                    continue
                weight = 1.0
                for n, *parts in ((a, stay, go), (b, other, back)):
                    weight *= math.factorial(n) * 0.5 ** parts[0] * 0.3 ** parts[1]
                    rest = n - sum(parts)
                    weight *= 0.2**rest / math.prod(map(math.factorial, (*parts, rest)))
                weight /= math.factorial(into[0]) * math.factorial(into[1])
                table[sum(into)] += weight, weight * go
        return table

    tables = [pair(k) for k in range(0, hub, 2)]
    for at in (0, 7):
        total, mean = np.ones(1), np.ones(1)
        for k, table in enumerate(tables):
            total = np.convolve(total, table[:, 0])
            mean = np.convolve(mean, table[:, int(k == at)])
        sent = np.arange(total.size)
        logs = special.gammaln(401) - special.gammaln(401 - sent)
        chance = np.exp(logs + sent * math.log(0.5 / hub) + (400 - sent) * math.log(0.5))
        value = (chance * mean).sum() / (chance * total).sum()
        assert found[2 * at, 2 * at + 1] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("one", [1, 1.0, F(1)])
def test_one_place(one):
    assert transition_probability([5], [5], transition=[[one]]) == 1
    assert bound_transition_probability([5], [5], transition=[[one]]) == pytest.approx(
        120, rel=1e-14
    )
    for method in ("exact", "bridge"):
        assert expected_movement([5], [5], transition=[[one]], method=method).tolist() == [[5]]


def test_fractions_too_small_for_a_float():
    """Two people part: one goes with the chance t, the other stays with 1 - t."""
    t, u, half = F(1, 10**400), F(1, 10**450), F(1, 2)
    P = [[1 - t, t], [half, half]]
    pair = [2, 0], [1, 1]
    assert bound_transition_probability(*pair, transition=P) == transition_probability(
        *pair, transition=P
    )
    assert transition_probability(*pair, transition=P) == 2 * t * (1 - t)
    assert expected_movement(*pair, transition=P).tolist() == [[1, 1], [0, 0]]
    assert flow.max_flow(*pair, transition=P) == 2
    best = flow.most_likely_movement(*pair, transition=P)
    assert best.counts.tolist() == [[1, 1], [0, 0]]
    assert best.cost == pytest.approx(400 * math.log(10), rel=1e-14)
    savings = flow.unit_savings(best, P)
    assert savings[0] == pytest.approx([0, 400 * math.log(10)], rel=1e-14, abs=1e-12)
    # Both stay, with t and 1 - u, or both go, with 1 - t and u: the larger product counts.
    assert bound_transition_probability(
        [1, 1], [1, 1], transition=[[t, 1 - t], [u, 1 - u]]
    ) == 2 * t * (1 - u)
    assert bound_transition_probability(
        [1, 1], [1, 1], transition=[[u, 1 - u], [t, 1 - t]]
    ) == 2 * t * (1 - u)
    too_small = "transition must not be so small that its float is 0, got about 2"
    with pytest.raises(ValueError, match=too_small):
        expected_movement(*pair, transition=P, method="bridge")
    zero = [[F(1), F(0)], [half, half]]
    assert bound_transition_probability(*pair, transition=zero) == 0
    with pytest.raises(InfeasibleError):
        expected_movement(*pair, transition=zero)


def test_the_largest_product_bounds_the_probability_up_to_rounding():
    """The movement is found in floats, for which both rows are alike; the docstring says so."""
    h, d = F(1, 2), F(1, 10**17)
    P = [[h + d, h - d], [h, h]]
    bound = bound_transition_probability([1, 1], [1, 1], transition=P)
    assert bound in (2 * (h + d) * h, 2 * (h - d) * h)
    assert bound >= transition_probability([1, 1], [1, 1], transition=P) * (1 - F(1, 10**15))
    even = np.full((2, 2), 0.5)
    assert bound_transition_probability([2, 0], [1, 1], transition=even) >= 0.5 * (1 - 1e-15)


def test_log_is_true_or_false():
    message = "transition_probability: log must be True or False, got 'False'"
    with pytest.raises(TypeError, match=message):
        transition_probability([2, 0], [1, 1], transition=[[0.5, 0.5]] * 2, log="False")


def test_ragged_histograms_are_named():
    with pytest.raises(ValueError, match="movements: before must be a rectangular array"):
        movements([[1], [1, 2]], [1, 1])
