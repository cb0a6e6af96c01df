"""Most likely movements and savings, against linear programmes, integer networkx and re-solves."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from privlib.location import flow
from privlib.location.exact import movements
from privlib.location.flow import (
    InfeasibleError,
    Movement,
    max_flow,
    most_likely_movement,
    unit_savings,
)

SCALE = 10**9  # of integer costs: floats make networkx cycle


@pytest.fixture
def rng():
    return np.random.default_rng(20130715)


def instance(rng, size, people, *, zeros=0.0):
    """A random transition matrix and two histograms that some movement joins."""
    P = rng.dirichlet(np.full(size, 0.7), size=size)
    P[rng.random(P.shape) < zeros] = 0
    P[np.arange(size), np.arange(size)] += 0.05
    P /= P.sum(axis=1, keepdims=True)
    before = rng.multinomial(people, np.ones(size) / size)
    after = sum(rng.multinomial(n, row) for n, row in zip(before, P))
    return before, after, P


def least_cost(before, after, P):
    """C by HiGHS, infinite if infeasible."""
    size = len(before)
    with np.errstate(divide="ignore"):
        cost = -np.log(P)
    sums = [np.kron(np.eye(size), np.ones(size)), np.kron(np.ones(size), np.eye(size))]
    bounds = [(0, None if np.isfinite(w) else 0) for w in cost.ravel()]
    result = linprog(
        np.where(np.isfinite(cost), cost, 0).ravel(), A_eq=np.vstack(sums),
        b_eq=np.concatenate([before, after]), bounds=bounds,
    )  # fmt: skip
    return result.fun if result.status == 0 else np.inf


def networkx_cost(before, after, P):
    """Cost of a minimum-cost maximum flow with integer costs, and its value."""
    graph = nx.DiGraph()
    for i, n in enumerate(before):
        graph.add_edge("s", ("u", i), capacity=int(n), weight=0)
    for j, n in enumerate(after):
        graph.add_edge(("v", j), "e", capacity=int(n), weight=0)
    for i, j in np.argwhere(P > 0):
        graph.add_edge(("u", i), ("v", j), weight=round(-np.log(P[i, j]) * SCALE))
    found = nx.max_flow_min_cost(graph, "s", "e")
    return nx.cost_of_flow(graph, found) / SCALE, sum(found["s"].values())


def network(before, after, P):
    return nx.maximum_flow_value(
        nx.DiGraph(
            [("s", ("u", i), {"capacity": int(n)}) for i, n in enumerate(before)]
            + [(("v", j), "e", {"capacity": int(n)}) for j, n in enumerate(after)]
            + [(("u", i), ("v", j), {"capacity": 10**6}) for i, j in np.argwhere(P > 0)]
        ),
        "s",
        "e",
    )


@pytest.mark.parametrize("zeros", [0.0, 0.5])
def test_three_solvers_and_the_dual_agree(zeros, rng):
    for _ in range(15):
        size = int(rng.integers(1, 7))
        before, after, P = instance(rng, size, 30, zeros=zeros)
        best = most_likely_movement(before, after, transition=P)
        assert best.counts.dtype == np.int64
        assert (best.counts.sum(axis=1) == before).all()
        assert (best.counts.sum(axis=0) == after).all()
        assert not best.counts[P == 0].any()
        assert best.cost == pytest.approx(least_cost(before, after, P), rel=1e-9)
        cost, value = networkx_cost(before, after, P)
        assert best.cost == pytest.approx(cost, abs=1e-6)
        assert value == before.sum() == max_flow(before, after, transition=P)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_the_product_is_the_largest_of_all_movements(seed):
    rng = np.random.default_rng(seed)
    before, after, P = instance(rng, 3, 6, zeros=0.2)
    products = np.prod(P ** movements(before, after), axis=(1, 2))
    best = most_likely_movement(before, after, transition=P)
    assert np.exp(-best.cost) == pytest.approx(products.max(), rel=1e-9)
    assert np.prod(P**best.counts) == pytest.approx(products.max(), rel=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.4]))
def test_all_savings_of_a_person_equal_solving_again(seed, zeros):
    rng = np.random.default_rng(seed)
    before, after, P = instance(rng, int(rng.integers(2, 6)), 12, zeros=zeros)
    best = most_likely_movement(before, after, transition=P)
    savings = unit_savings(best, P)
    eye = np.eye(len(P), dtype=int)
    for i, j in itertools.product(range(len(P)), repeat=2):
        if not before[i] or not after[j]:
            assert np.isnan(savings[i, j])
        elif before.sum() > 1:
            expected = best.cost - least_cost(before - eye[i], after - eye[j], P)
            assert savings[i, j] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("shape", [(3, 6), (6, 3)])
def test_savings_are_the_same_from_either_side_of_the_network(shape, rng):
    P = rng.dirichlet(np.ones(6), size=6)
    before, after = np.zeros(6, dtype=int), np.zeros(6, dtype=int)
    before[: shape[0]] = rng.multinomial(36, np.ones(shape[0]) / shape[0]) + 1
    after[: shape[1]] = 1
    after[0] += before.sum() - after.sum()
    best = most_likely_movement(before, after, transition=P)
    savings = unit_savings(best, P)
    assert np.isfinite(savings).sum() == shape[0] * shape[1]
    eye = np.eye(6, dtype=int)
    for i, j in np.argwhere(np.isfinite(savings)):
        again = most_likely_movement(before - eye[i], after - eye[j], transition=P)
        assert savings[i, j] == pytest.approx(best.cost - again.cost, abs=1e-9)


@pytest.mark.slow
def test_savings_of_real_masses_are_derivatives_and_bound_those_of_a_unit(rng):
    gap = 0.0
    for _ in range(10):
        before, _, P = instance(rng, 4, 40)
        after = before @ rng.dirichlet(np.ones(4), size=4)
        before = before.astype(float)
        savings = unit_savings(most_likely_movement(before, after, transition=P), P)
        cost, step, eye = least_cost(before, after, P), 1e-4, np.eye(4)
        for i, j in np.argwhere(np.isfinite(savings)):
            if before[i] > 1 and after[j] > 1:
                little = least_cost(before - step * eye[i], after - step * eye[j], P)
                assert savings[i, j] == pytest.approx((cost - little) / step, abs=1e-5)
                unit = cost - least_cost(before - eye[i], after - eye[j], P)
                assert savings[i, j] >= unit - 1e-7
                gap = max(gap, savings[i, j] - unit)
    assert gap > 0.1  # so the two savings are not the same


def test_the_cost_is_homogeneous_and_savings_do_not_change_with_the_scale(rng):
    before, after, P = instance(rng, 5, 50)
    one, third = (most_likely_movement(s * before, s * after, transition=P) for s in (1, 1 / 3))
    assert third.cost == pytest.approx(one.cost / 3)
    np.testing.assert_allclose(unit_savings(third, P), unit_savings(one, P), atol=1e-9)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([5, 0, 0], [2, 1, 2]),
        ([2, 1, 2], [0, 5, 0]),
        ([2, 3, 0], [0, 1, 4]),
        ([5, 0, 0], [0, 0, 5]),
    ],
)
def test_least_costs_and_their_duals_with_empty_states(before, after, rng):
    P, before, after = rng.dirichlet(np.ones(3), size=3), np.array(before), np.array(after)
    value, v = flow.least_cost("here", before, after, -np.log(P))
    assert value == pytest.approx(least_cost(before, after, P))
    u = (-np.log(P) - v).min(axis=1)  # the best that goes with v
    assert before @ u + after @ v == pytest.approx(value)


def test_nobody_routed_is_reported():
    with pytest.raises(InfeasibleError, match="1 of 1 cannot be routed") as caught:
        most_likely_movement([1, 0], [0, 1], transition=np.eye(2))
    assert caught.value.shortfall == 1


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_the_shortfall_is_what_the_maximum_flow_leaves(seed):
    rng = np.random.default_rng(seed)
    P = (rng.random((5, 5)) < 0.3) + np.eye(5)
    P /= P.sum(axis=1, keepdims=True)
    before, after = rng.multinomial(12, np.ones(5) / 5), rng.multinomial(12, np.ones(5) / 5)
    routed = network(before, after, P)
    assert (
        max_flow(before, after, transition=P)
        == max_flow(before, after, transition=sparse.csr_matrix(P))
        == routed
    )
    for matrix in (P, sparse.csr_matrix(P)):
        if routed == 12:
            assert most_likely_movement(before, after, transition=matrix).counts.sum() == 12
        else:
            with pytest.raises(InfeasibleError) as caught:
                most_likely_movement(before, after, transition=matrix)
            assert caught.value.shortfall == pytest.approx(12 - routed)


def block_instance(rng, blocks):
    """Blocks of all shapes on a permuted set of states, as in networks of paths."""
    size = sum(max(shape) for shape in blocks)
    P = np.zeros((size, size))
    before, after = np.zeros(size, dtype=int), np.zeros(size, dtype=int)
    columns = rng.permutation(size)
    start = 0
    for r, c in blocks:
        rows, sinks = np.arange(start, start + r), columns[start : start + c]
        P[np.ix_(rows, sinks)] = rng.dirichlet(np.ones(c), size=r)
        before[rows] = rng.integers(1, 9, size=r)
        for i in rows:
            after += rng.multinomial(before[i], P[i])
        start += max(r, c)
    return before, after, P


def test_sparse_matrices_are_solved_block_by_block_with_the_same_answer(rng):
    before, after, P = block_instance(rng, [(1, 1), (1, 4), (3, 1), (3, 3), (2, 5), (4, 2)])
    thin = sparse.csr_matrix(P)  # with rows that nobody left
    P[P.sum(axis=1) == 0, 0] = 1  # the same, with somewhere to go
    for scale in (1, 1 / 7):
        one = most_likely_movement(scale * before, scale * after, transition=thin)
        two = most_likely_movement(scale * before, scale * after, transition=P)
        np.testing.assert_allclose(one.counts.toarray(), two.counts, atol=1e-9)
        assert one.cost == pytest.approx(two.cost)
        some, full = unit_savings(one, thin), unit_savings(two, P)
        assert sparse.issparse(some)
        arcs = some.tocoo()
        np.testing.assert_allclose(arcs.data, full[arcs.row, arcs.col], atol=1e-9)
        missing = np.ones(P.shape, dtype=bool)
        missing[arcs.row, arcs.col] = False
        assert not np.isfinite(full[missing]).any()
    assert one.counts.dtype == np.float64
    assert most_likely_movement(before, after, transition=thin).counts.dtype == np.int64


def test_a_block_that_does_not_balance_is_infeasible(rng):
    before, after, P = block_instance(rng, [(2, 2), (2, 2)])
    after[np.flatnonzero(P[0])[0]] += 1
    after[np.flatnonzero(P[2])[0]] -= 1
    with pytest.raises(InfeasibleError) as caught:
        most_likely_movement(before, after, transition=sparse.csr_matrix(P))
    assert caught.value.shortfall == 1
    with pytest.raises(InfeasibleError) as caught:
        most_likely_movement(before / 2, after / 2, transition=sparse.csr_matrix(P))
    assert caught.value.shortfall == pytest.approx(0.5)


@pytest.mark.parametrize("people", [1e-3, 1e8, 1e12])
def test_real_masses_of_any_size_are_moved(rng, people):
    """And totals that are the same but for rounding."""
    for size in rng.integers(2, 7, size=20):
        P = rng.dirichlet(np.ones(size), size=size)
        before, after = rng.dirichlet(np.ones(size), size=2)
        after *= 1 + 9e-10
        move = most_likely_movement(people * before, people * after, transition=P)
        np.testing.assert_allclose(move.counts.sum(axis=1), people * before, rtol=1e-8)
        assert move.cost / people == pytest.approx(least_cost(before, after, P), rel=1e-7)


def test_whole_histograms_of_few_and_very_many_are_moved_whole(rng):
    before, after = [300, 80, 3 * 10**10], [300, 3 * 10**10 + 1, 79]
    for _ in range(200):
        P = rng.dirichlet(np.ones(3), size=3)
        move = most_likely_movement(before, after, transition=P)
        assert move.counts.sum(axis=1).tolist() == before
        assert move.counts.sum(axis=0).tolist() == after
        assert move.cost == pytest.approx(least_cost(before, after, P), rel=1e-7)


@pytest.mark.slow
def test_a_thousand_places(rng):
    before, after, P = instance(rng, 1000, 2062)
    savings = unit_savings(most_likely_movement(before, after, transition=P), P)
    used = np.isfinite(savings)
    assert used.sum() == (before > 0).sum() * (after > 0).sum()
    with np.errstate(divide="ignore"):
        assert (savings[used] <= -np.log(P)[used] + 1e-9).all()  # dual feasible: no cheaper arc


BAD = [
    (([1, 2], [1, 1], np.eye(2)), ValueError, "before and after must have the same total"),
    (
        ([10**10, 1], [10**10 + 1, 1], np.full((2, 2), 0.5)),
        ValueError,
        "same total, got 10000000001 and 10000000002",
    ),
    (([0, 0], [0, 0], np.eye(2)), ValueError, "before must count somebody"),
    (([1, 2, 3], [1, 1], np.eye(2)), ValueError, r"before must have shape \(2,\), got \(3,\)"),
    (([1, -1], [0, 0], np.eye(2)), ValueError, "before must be at least 0, got -1"),
    (([1, np.nan], [0, 1], np.eye(2)), ValueError, "before must be finite, got nan"),
    ((["a", "b"], [0, 1], np.eye(2)), TypeError, "before must hold real numbers"),
    (([1, 0], [0, 1], [[1, 1], [0, 1]]), ValueError, r"row of transition must sum to 1, got 2"),
    (
        ([1, 0], [0, 1], [[1.5, -0.5], [0, 1]]),
        ValueError,
        "must be without negative entries, got -0.5",
    ),
    (([1, 0], [0, 1], [[np.nan, 1], [0, 1]]), ValueError, "transition must be finite, got nan"),
    (([1, 0], [0, 1], np.ones((2, 3))), ValueError, r"square matrix, got shape \(2, 3\)"),
    (([1, 0], [0, 1], [[1], [0, 1]]), ValueError, "transition must be a rectangular array"),
    (([1, 0], [0, 1], [["a", "b"], ["c", "d"]]), TypeError, "transition must hold real numbers"),
    (([1, 0], [0, 1], sparse.eye(2) * 2), ValueError, r"sum to 1, got 2.0 in row 0"),
    (([1, 0], [0, 1], -sparse.eye(2)), ValueError, "transition must be without negative entries"),
    (([1, 0], [0, 1], sparse.csr_matrix((2, 3))), ValueError, "square matrix"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD)
def test_bad_arguments_are_named(arguments, error, message):
    for function in (most_likely_movement, max_flow):
        with pytest.raises(error, match=f"{function.__name__}: .*{message}"):
            function(*arguments[:2], transition=arguments[2])


def test_masses_like_rounding_errors_are_refused():
    with pytest.raises(ValueError, match="before must be 0 or at least 1e-12 of the total"):
        most_likely_movement([1e-20, 1], [0.5, 0.5], transition=np.full((2, 2), 0.5))


def test_max_flow_wants_people_and_savings_a_movement():
    with pytest.raises(
        ValueError, match=r"max_flow: before must be a histogram of whole counts, got 0\.5"
    ):
        max_flow([0.5, 0.5], [0, 1], transition=np.eye(2))
    with pytest.raises(
        ValueError, match=r"max_flow: people must be in 1\.\.2147483647, got 2147483648"
    ):
        max_flow([2**31, 0], [2**31, 0], transition=np.eye(2))
    with pytest.raises(TypeError, match="movement must be a Movement, got 3"):
        unit_savings(3, np.eye(2))
    flip = Movement(np.array([[0, 1], [1, 0]]), 0.0)
    with pytest.raises(ValueError, match="must be a most likely one"):
        unit_savings(flip, [[0.9, 0.1], [0.1, 0.9]])
    with pytest.raises(ValueError, match="same shape"):
        unit_savings(flip, np.eye(3))
    with pytest.raises(ValueError, match="both be dense or both sparse"):
        unit_savings(flip, sparse.eye(2))


def test_rounding_errors_do_not_pass_for_detours():
    """Many equal costs and real masses: cycles of length zero, up to rounding, everywhere."""
    rng = np.random.default_rng(1)
    size, people = 200, 500
    stride = rng.integers(-60, 61, (10, people)) * (rng.random((10, people)) < 0.4)
    walk = (rng.integers(size, size=people) + np.cumsum(stride, axis=0)) % size
    moves = np.zeros((size, size))
    np.add.at(moves, (walk[:-1], walk[1:]), 1.0)
    np.fill_diagonal(moves, moves.diagonal() + (moves.sum(axis=1) == 0))
    learnt = moves / moves.sum(axis=1, keepdims=True)
    for k in (0, 4, 8):
        before, after = (np.bincount(walk[t], minlength=size) for t in (k, k + 1))
        halfway = (after + before @ learnt) / 2
        movement = most_likely_movement(before, halfway, transition=learnt)
        saved = unit_savings(movement, learnt)
        used = movement.counts > 1e-6
        np.testing.assert_allclose(saved[used], -np.log(learnt[used]), atol=1e-7)


def test_a_movement_prints_its_sizes():
    stay = most_likely_movement([40, 60], [60, 40], transition=[[0.5, 0.5], [0.5, 0.5]])
    assert repr(stay) == "Movement(100 people, 2 states, cost 69.31)"


def test_a_movement_under_a_mask_is_not_taken():
    counts = np.ma.masked_array([[1, 1], [0, 2]], mask=[[False, True], [False, False]])
    with pytest.raises(TypeError, match="Movement: counts must be without a mask"):
        Movement(counts, 1.0)


def test_certify_is_true_or_false():
    P = [[0.9, 0.1], [0.2, 0.8]]
    movement = most_likely_movement([2, 2], [3, 1], transition=P)
    with pytest.raises(TypeError, match="unit_savings: certify must be True or False, got 'False'"):
        unit_savings(movement, P, certify="False")
