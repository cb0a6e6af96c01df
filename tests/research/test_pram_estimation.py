"""Tests of `privlib.research.pram_estimation`: closed forms, a solver, enumeration, bad input."""

from __future__ import annotations

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from privlib.disclosure import anonymity, design, pram
from privlib.research.pram_estimation import invariant_matrix, mle_proportions, neighbour_delta

COIN = np.array([[0.8, 0.2], [0.2, 0.8]])
DUTCH = np.array([68, 52, 103, 189])  # van den Hout and van der Heijden (2002)


def random_matrix(rng, rows, columns, *, low=1):
    weights = rng.integers(low, 10, size=(rows, columns)) + np.eye(rows, columns, dtype=int) * 9
    return [[Fraction(int(w), int(row.sum())) for w in row] for row in weights]


def water_filling(counts, keep):
    """Most likely shares under retention, in fractions: a shown share is b at least."""
    size = len(counts)
    b = (1 - keep) / size
    order = sorted(range(size), key=lambda a: -counts[a])
    for top in range(size, 0, -1):  # how many shares are not 0
        scale = (1 - (size - top) * b) / sum(counts[a] for a in order[:top])
        if scale * counts[order[top - 1]] > b:
            break
    shown = [max(b, scale * counts[a]) if a in order[:top] else b for a in range(size)]
    return [(x - b) / keep for x in shown]


# --- most likely shares -----------------------------------------------------------------------


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, 300), min_size=2, max_size=6).filter(any),
    st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=20),
)
def test_retention_has_a_closed_form(counts, keep):
    expected = [float(x) for x in water_filling(counts, keep)]
    A = pram.retention_matrix(keep, len(counts))
    shares, missing = mle_proportions(counts, A, gap=1e-13, rounds=2_000)
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert shares.min() >= 0
    shown = [c > 0 for c in counts]  # near the maximum the likelihood is flat: compare it
    log_shown = np.log(np.array([expected, shares]) @ A.astype(float))[:, shown]
    best, found = log_shown @ np.array(counts)[shown] / sum(counts)
    assert -1e-13 <= best - found <= missing + 1e-13 <= 1e-2
    if missing <= 1e-12:
        assert np.allclose(shares, expected, atol=2e-5)


@pytest.mark.parametrize("seed", range(8))
def test_a_solver_finds_no_better_shares(seed):
    rng = np.random.default_rng(seed)
    A = np.array(random_matrix(rng, 3, 4, low=0), dtype=float)
    counts = rng.multinomial(60, rng.dirichlet([0.5] * 4))
    counts[~A.any(axis=0)] = 0
    shares, missing = mle_proportions(counts, A)

    def loss(shares):
        return -np.log(np.maximum(shares @ A, 1e-300))[counts > 0] @ counts[counts > 0] / 60

    solved = optimize.minimize(
        loss, [1 / 3] * 3, bounds=[(0, 1)] * 3, tol=1e-12,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
    )  # fmt: skip
    assert loss(shares) <= loss(solved.x) + 1e-9
    assert loss(shares) - loss(solved.x) <= missing + 1e-9


def test_the_unbiased_estimate_is_found_where_it_is_possible():
    counts = np.array([120, 90, 95, 107])
    both = np.kron(COIN, COIN)
    shares, missing = mle_proportions(counts, both, gap=1e-14)
    unbiased = design.estimate_shares(np.repeat(range(4), counts), both, n=412).estimate
    assert missing <= 1e-14
    assert np.allclose(shares, unbiased, atol=1e-12)


def test_a_published_table_whose_unbiased_estimate_is_impossible():
    both = np.kron(COIN, COIN)
    assert np.linalg.solve(both.T, DUTCH)[1] == pytest.approx(-10.3, abs=0.05)
    shares, missing = mle_proportions(DUTCH, both)
    assert shares[1] < 1e-9
    assert missing <= 1e-10
    # rrLogit 1.0.1, tests/unemployment.Rout.save: shares with a prior, and their log likelihood
    theirs = np.log([0.1586, 0.0162, 0.1969, 0.6283] @ both) @ DUTCH
    assert theirs == pytest.approx(-520.8335, abs=2e-3)
    assert 0.3 < np.log(shares @ both) @ DUTCH - theirs < 0.5


def test_two_categories_are_clipped_and_multiples_are_the_same():
    for yes in range(11):
        unbiased = (yes / 10 - 0.2) / 0.6
        shares, missing = mle_proportions([yes, 10 - yes], COIN, rounds=3000)
        assert shares[0] == pytest.approx(min(max(unbiased, 0), 1), abs=1e-3)
        assert np.array_equal(
            mle_proportions([3 * yes, 30 - 3 * yes], COIN, rounds=3000)[0], shares
        )
    assert missing <= 1e-10


def test_the_bound_holds_after_each_number_of_rounds():
    both = np.kron(COIN, COIN)
    top = np.log(mle_proportions(DUTCH, both, gap=1e-15)[0] @ both) @ DUTCH / 412
    last = -np.inf
    for rounds in range(30):
        shares, missing = mle_proportions(DUTCH, both, rounds=rounds)
        here = np.log(shares @ both) @ DUTCH / 412
        assert last < here <= top <= here + missing
        last = here


def test_a_category_that_nobody_shows():
    A = [[0.5, 0.5, 0.0], [0.25, 0.75, 0.0]]
    shares, missing = mle_proportions([40, 60, 0], A)
    assert missing <= 1e-10
    assert np.allclose(shares @ A, [0.4, 0.6, 0])
    with pytest.raises(ValueError, match="counts must be 0 where no row shows it, got 1"):
        mle_proportions([40, 60, 1], A)


@pytest.mark.parametrize(
    ("counts", "keywords", "message"),
    [
        ([1, 2, 3], {}, r"counts must have shape \(2,\), got \(3,\)"),
        ([1, -2], {}, "counts must be at least 0, got -2"),
        ([0, 0], {}, "the sum of counts must be positive, got 0"),
        ([1, 2], {"gap": 0}, "gap must be positive, got 0"),
        ([1, 2], {"rounds": -1}, "rounds must be at least 0, got -1"),
    ],
)
def test_what_most_likely_shares_refuses(counts, keywords, message):
    with pytest.raises(ValueError, match=f"mle_proportions: {message}"):
        mle_proportions(counts, COIN, **keywords)
    with pytest.raises(ValueError, match="every row of transition must sum to 1"):
        mle_proportions([1, 2], [[0.5, 0.4], [0.5, 0.5]])


# --- invariant matrices -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_an_invariant_matrix_keeps_the_shares_and_never_lowers_a_level(seed):
    rng = np.random.default_rng(seed)
    size, columns = rng.integers(2, 5, size=2)
    A = random_matrix(rng, size, columns)
    pi = [Fraction(int(x)) for x in rng.integers(1, 20, size=size)]
    R = invariant_matrix(A, pi)
    for w in range(size):
        assert sum(pi[u] * R[u, w] for u in range(size)) == pi[w]
        assert sum(R[w]) == 1
    for u, w in itertools.product(range(size), repeat=2):
        by_hand = Fraction(0)  # shown as b, then drawn by Bayes' rule
        for b in range(columns):
            by_hand += A[u][b] * pi[w] * A[w][b] / sum(pi[t] * A[t][b] for t in range(size))
        assert R[u, w] == by_hand
        assert pi[u] * R[u, w] == pi[w] * R[w, u]
    before, after = anonymity.ratio_minima(A), anonymity.ratio_minima(R)
    assert after.gamma >= before.gamma
    assert after.g2 >= before.g2
    floats = np.array(A, dtype=float), [float(x) for x in pi]
    for mixed in ((floats[0], floats[1]), (floats[0], pi), (A, floats[1])):
        assert invariant_matrix(*mixed).dtype == np.float64
        assert np.allclose(invariant_matrix(*mixed), R.astype(float))


def test_a_category_that_is_never_shown_does_no_harm():
    half = Fraction(1, 2)
    R = invariant_matrix([[half, half, 0], [0, 1, 0]], [1, 1])
    assert R.tolist() == [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]]


def test_what_invariant_matrix_refuses():
    with pytest.raises(ValueError, match=r"invariant_matrix: shares must have shape \(2,\)"):
        invariant_matrix(COIN, [1, 2, 3])
    with pytest.raises(ValueError, match="invariant_matrix: shares must be positive, got 0"):
        invariant_matrix(COIN, [1, 0])
    with pytest.raises(ValueError, match="every row of transition must sum to 1"):
        invariant_matrix([[0.5, 0.4], [0.5, 0.5]], [1, 1])


# --- neighbouring counts ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_delta_is_the_worst_of_all_sets(seed):
    P = random_matrix(np.random.default_rng(seed), 4, 5, low=0)
    floats = np.array(P, dtype=float)
    sets = [list(s) for r in range(6) for s in itertools.combinations(range(5), r)]
    for epsilon, factor in [(0, 1), (0.7, np.exp(0.7))]:
        worst = max(
            sum(floats[i][j] for j in s) - factor * sum(floats[k][j] for j in s)
            for i in range(4) for k in (i - 1, i + 1) if 0 <= k < 4 for s in sets
        )  # fmt: skip
        assert float(neighbour_delta(P, epsilon)) == pytest.approx(worst, abs=1e-12)
        assert neighbour_delta(floats, epsilon) == pytest.approx(worst, abs=1e-12)
    assert isinstance(neighbour_delta(P), Fraction)


@pytest.mark.parametrize("D", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_truncated_geometric_distribution_has_the_least_delta(D, epsilon):
    steps = np.exp((D - abs(np.arange(-D, D + 1))) * epsilon)
    least = 1 / steps.sum()

    def shifted(distribution):
        return np.array([[*distribution, 0], [0, *distribution]])

    assert neighbour_delta(shifted(steps / steps.sum()), epsilon) == pytest.approx(least)
    rng = np.random.default_rng(D)
    for distribution in rng.dirichlet([1] * (2 * D + 1), size=50):
        assert neighbour_delta(shifted(distribution), epsilon) >= least - 1e-12


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("epsilon", [5, 699.5, 709, 709.9, 710, 712.5, 725, 745, 1e4, 1e300])
def test_delta_where_the_factor_leaves_the_range_of_floats(epsilon):
    rows = [
        [[1.0, 0.0], [0.0, 1.0]],
        [[0.9, 0.1, 0], [0, 0.1, 0.9]],
        [[0.5, 0.5, 0], [0.5, 1e-310, 0.5], [0.5, 5e-324, 0.5], [1.0, 1e-308, 0]],
    ]
    for P in rows:
        with mpmath.workdps(400):
            worst = max(
                sum(max(mpmath.mpf(p) - mpmath.exp(epsilon) * mpmath.mpf(q), 0) for p, q in pair)
                for one, other in itertools.pairwise(P)
                for pair in (list(zip(one, other)), list(zip(other, one)))
            )
        assert neighbour_delta(P, epsilon) == pytest.approx(float(worst), rel=1e-12)
        exact = [[Fraction(x) for x in row] for row in P[:2]]
        if all(sum(row) == 1 for row in exact):
            assert neighbour_delta(exact, epsilon) == neighbour_delta(P[:2], epsilon)


def test_equal_rows_and_rows_without_common_values():
    assert neighbour_delta([[0.5, 0.5]] * 3) == 0
    exact = neighbour_delta([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]])
    assert exact == 1
    assert isinstance(exact, Fraction)


def test_what_neighbour_delta_refuses():
    with pytest.raises(ValueError, match="neighbour_delta: number of rows must be at least 2"):
        neighbour_delta([[1.0]])
    with pytest.raises(ValueError, match="neighbour_delta: epsilon must not be negative, got -1"):
        neighbour_delta(COIN, -1)
    with pytest.raises(ValueError, match="every row of transition must sum to 1"):
        neighbour_delta([[0.5, 0.4], [0.5, 0.5]])


@pytest.mark.filterwarnings("error")
def test_probabilities_near_the_smallest_float():
    """Only people of the first category show a 1, so the more of them the likelier."""
    exact = [Fraction(1, 10**digits) for digits in (400, 320, 305, 200)]
    for tiny in (1e-310, 1e-200, 5e-324, *exact):
        most = 1 - tiny
        shares, missing = mle_proportions([5, 1], [[most, tiny], [1, 0]])
        assert shares == pytest.approx([1, 0], abs=1e-8)
        assert 0 <= missing <= 1e-10
        start, bound = mle_proportions([5, 1], [[most, tiny], [1, 0]], rounds=0)
        assert start.tolist() == [0.5, 0.5]
        assert bound == pytest.approx(1 / 6, rel=1e-12)  # 5/6 + 1/6 / (1/2) - 1
        # Who shows 1 is of the first category; who shows 0 of either, by the shares.
        matrix = invariant_matrix([[most, tiny], [1, 0]], [0.25, 0.75])
        assert matrix == pytest.approx(np.array([[0.25, 0.75], [0.25, 0.75]]), abs=1e-12)
    unseen = Fraction(1, 10**400)  # a column without anybody is still refused
    with pytest.raises(ValueError, match="counts must be 0 where no row shows it, got 1"):
        mle_proportions([5, 1, 1], [[1 - unseen, unseen, 0], [1, 0, 0]])


def test_labels_of_a_matrix_that_repeat_are_refused():
    """Three people would count twice."""
    rows = [[0.9, 0.1], [0.2, 0.8]]
    with pytest.raises(ValueError, match=r"categories must be 2 distinct labels, got \['x', 'x'\]"):
        mle_proportions({"x": 3}, pd.DataFrame(rows, ["a", "b"], ["x", "x"]))
    for labels in (["a", "a"], [np.nan, np.nan], [("a", 1), ("a", 1)]):
        named = pd.DataFrame(rows, index=pd.Index(labels))
        with pytest.raises(ValueError, match=r"invariant_matrix: .*categories"):
            invariant_matrix(named, {named.index[0]: 3})


def test_a_mapping_goes_by_labels():
    named = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], ["a", "b"], ["x", "y"])
    shares, _ = mle_proportions({"y": 6, "x": 4}, named)
    assert shares.tolist() == mle_proportions([4, 6], named)[0].tolist()
    assert mle_proportions({"x": 4}, named)[0].tolist() == pytest.approx([1, 0], abs=1e-6)
    square = named.set_axis(["a", "b"], axis=1)
    turned = invariant_matrix(square, {"b": 3, "a": 1})
    assert turned.tolist() == invariant_matrix(square, [1, 3]).tolist()
    assert mle_proportions({"x": 4, "z": 0}, named)[0].tolist() == pytest.approx([1, 0], abs=1e-6)
    with pytest.raises(ValueError, match="counts must be labelled by categories, got z"):
        mle_proportions({"z": 1, "x": 4}, named)
    # An index finds more than what it holds: days by their text, pairs by their first half.
    for labels, wrong in (
        (pd.to_datetime(["2020-01-01", "2020-02-01"]), "2020-02-01"),
        (pd.MultiIndex.from_tuples([("u", "p"), ("u", "q")]), "u"),
    ):
        with pytest.raises(ValueError, match=f"labelled by categories, got {wrong}"):
            mle_proportions({labels[0]: 4, wrong: 6}, named.set_axis(labels, axis=1))
    with pytest.raises(ValueError, match=r"categories must be 2 distinct labels, got \['x', 'x'\]"):
        mle_proportions({"x": 3}, named.set_axis(["x", "x"], axis=1))
