"""Tests of `privlib.disclosure.anonymity`: every table and release enumerated, bad input."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlib.disclosure import anonymity, posterior, pram

from .small_tables import (
    LOOSE,
    LOPSIDED,
    QUARTERS,
    SHAPES,
    enumerate_weights,
    exhaustive_levels,
    minima_by_definition,
    random_matrix,
    smallest,
    tight_by_definition,
)

# --- Theorem 5.1 ------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_theorem_over_every_table_release_record_and_slot(shape, seed):
    rng = np.random.default_rng([seed, *shape])
    A = random_matrix(rng, *shape)
    gamma, g2 = minima_by_definition(A)
    for n in range(1, 5):
        for s in range(1, n + 1):
            level, knowing, member, absent = exhaustive_levels(A, n, s)
            bound = anonymity.pk_level(A, n, n_sampled=s)
            assert isinstance(bound, Fraction)
            assert bound == 1 + (n - s) * gamma + (s - 1) * g2
            assert bound <= level
            assert (bound == level) == (s in (1, n) or tight_by_definition(A))
            assert (
                anonymity.pk_level_response_knowledge(A, n, n_sampled=s) == knowing
            )  # always attained
            least = 1 - 1 / absent if s < n else 1
            interval = anonymity.membership_interval(A, n, n_sampled=s)
            assert interval == (least, 1 / member)  # always attained, both ends
            assert anonymity.membership_interval(A, n, n_sampled=s)[1] == 1 / member
            worst = anonymity.homogeneous_worst_case(A, n, n_sampled=s)
            assert bound <= level <= worst.level


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_category_that_no_row_shows_does_no_harm(at):
    for rest in (QUARTERS, LOPSIDED, LOOSE, [[Fraction(1, 3), Fraction(2, 3)]] * 2):
        A = [[*row[:at], Fraction(0), *row[at:]] for row in rest]
        minima, used = anonymity.ratio_minima(A), [a for a in range(len(A[0])) if a != at]
        assert (minima.gamma, minima.g2) == minima_by_definition(rest)
        for (u, v, a, b), least in [
            ((*minima.gamma_at, None), minima.gamma),
            (minima.g2_at, minima.g2),
        ]:
            assert {a, b} <= {*used, None}  # columns of the whole matrix
            other = 1 if b is None else A[u][b] / A[v][b]
            assert A[u][a] / A[v][a] / other == least
        level, knowing, *_ = exhaustive_levels(rest, 3, 2)
        worst = anonymity.homogeneous_worst_case(A, 3, n_sampled=2)
        assert set(worst.release.tolist()) <= set(used)
        assert anonymity.pk_level(A, 3, n_sampled=2) <= level <= worst.level
        assert anonymity.pk_level_response_knowledge(A, 3, n_sampled=2) == knowing
        exact = posterior.match_probability(
            worst.table, worst.release, transition=A, record=0, slot=0
        )
        assert 1 / exact == worst.level
        assert anonymity.is_tight(A) == tight_by_definition(rest)


def test_levels_beside_an_empty_category():
    # enumerated with the column: what cannot be released has no probability
    A = [[Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(1, 4), Fraction(3, 4), 0]]
    orders, weights = enumerate_weights(A, 3, 2)
    total, ever = weights.sum(axis=2), weights.sum(axis=2) > 0
    level = min(
        smallest(total[ever], weights[:, :, orders[:, slot] == r].sum(axis=2)[ever])
        for r in range(3)
        for slot in range(2)
    )
    assert level == anonymity.pk_level(A, 3, n_sampled=2) == Fraction(11, 6)


def test_who_is_released_whole_was_sampled_with_certainty():
    rng = np.random.default_rng(18)
    for n in (1, 2, 3, 10, 977):
        for _ in range(50):
            A = rng.dirichlet([1, 1, 1], size=3)
            assert anonymity.membership_interval(A, n) == (1.0, 1.0)
            low, high = anonymity.membership_interval(A, n, n_sampled=max(1, n // 2))
            assert 0 <= low <= high <= 1
    assert anonymity.membership_interval([[0.75, 0.25], [0.25, 0.75]], 1, n_sampled=1) == (1.0, 1.0)


def test_no_sampling_is_the_default():
    for n in (1, 2, 7):
        assert anonymity.pk_level(LOOSE, n) == anonymity.pk_level(LOOSE, n, n_sampled=n)
        assert anonymity.homogeneous_worst_case(LOOSE, n).release.size == n


def test_levels_of_three_records():
    level, *_ = exhaustive_levels(QUARTERS, 3, 2)
    assert level == anonymity.pk_level(QUARTERS, 3, n_sampled=2) == Fraction(13, 9)
    assert (
        exhaustive_levels(QUARTERS, 3, 3)[0] == anonymity.pk_level(QUARTERS, 3) == Fraction(11, 9)
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_when_the_bound_is_tight(shape):
    rng = np.random.default_rng([5, *shape])
    answers = set()
    for _ in range(40):
        A = random_matrix(rng, *shape, high=6)
        tight = tight_by_definition(A)
        answers.add(tight)
        assert anonymity.is_tight(A) == tight
        assert anonymity.is_tight(np.array(A, dtype=float)) == tight
        if shape == (3, 3):
            assert (exhaustive_levels(A, 3, 2)[0] == anonymity.pk_level(A, 3, n_sampled=2)) == tight
    assert answers == ({True, False} if shape == (3, 3) else {True})


def test_the_example_that_is_not_tight():
    assert exhaustive_levels(LOOSE, 3, 2)[0] == Fraction(33, 28)
    assert anonymity.pk_level(LOOSE, 3, n_sampled=2) == Fraction(247, 210)
    assert not anonymity.is_tight(LOOSE)


def test_worst_tables_have_the_level_that_they_are_said_to_have():
    rng = np.random.default_rng(6)
    for shape, n, s in [((3, 3), 6, 4), ((2, 3), 5, 5), ((3, 2), 5, 1), ((3, 3), 7, 3)]:
        A = random_matrix(rng, *shape)
        worst = anonymity.homogeneous_worst_case(A, n, n_sampled=s)
        match = posterior.match_probability(
            worst.table, worst.release, transition=A, record=0, slot=0, method="permanent"
        )
        assert match == 1 / worst.level
        # No other homogeneous table is worse.
        for v, u, a, b in itertools.product(*map(range, (shape[0], shape[0], shape[1], shape[1]))):
            table, release = [v] + [u] * (n - 1), [a] + [b] * (s - 1)
            assert (
                posterior.match_probability(table, release, transition=A, record=0, slot=0) <= match
            )


def test_retention_has_the_closed_form_and_is_attained():
    for rho, N in itertools.product([Fraction(0), Fraction(1, 3), Fraction(9, 10)], (2, 3, 5)):
        A = pram.retention_matrix(rho, N)
        gamma = (1 - rho) / (1 + (N - 1) * rho)
        minima = anonymity.ratio_minima(A)
        assert (minima.gamma, minima.g2) == (gamma, gamma**2)
        assert anonymity.is_tight(A)
        assert anonymity.is_tight(pram.retention_matrix(float(rho), N))
        assert anonymity.pk_level(A, 9, n_sampled=4) == 1 + 5 * gamma + 3 * gamma**2
        assert anonymity.homogeneous_worst_case(A, 9, n_sampled=4).level == anonymity.pk_level(
            A, 9, n_sampled=4
        )


# --- the two minima ---------------------------------------------------------------------------


@st.composite
def matrices(draw):
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    A = []
    for _ in range(rows):
        row = draw(st.lists(st.integers(1, 30), min_size=columns, max_size=columns))
        A.append([Fraction(value, sum(row)) for value in row])
    return A


@settings(max_examples=150)
@given(matrices())
def test_minima_of_any_matrix(A):
    minima = anonymity.ratio_minima(A)
    gamma, g2 = minima_by_definition(A)
    assert (minima.gamma, minima.g2) == (gamma, g2)
    u, v, a = minima.gamma_at
    assert A[u][a] / A[v][a] == gamma
    u, v, a, b = minima.g2_at
    assert A[u][a] * A[v][b] / (A[v][a] * A[u][b]) == g2
    # Strict if and only if 0 < gamma < 1, that is unless all rows are equal.
    assert gamma**2 <= g2 <= gamma <= 1
    assert (g2 < gamma) == (gamma < 1) == any(row != A[0] for row in A)
    floats = anonymity.ratio_minima(np.array(A, dtype=float))
    assert isinstance(floats.gamma, float)
    assert isinstance(floats.g2, float)
    assert (floats.gamma, floats.g2) == pytest.approx((float(gamma), float(g2)), rel=1e-12)


def test_attributes_that_are_rewritten_independently_multiply():
    rng = np.random.default_rng(8)
    A, B = random_matrix(rng, 2, 3), random_matrix(rng, 3, 2)
    both = np.kron(np.array(A, dtype=object), np.array(B, dtype=object))
    a, b, ab = (anonymity.ratio_minima(X) for X in (A, B, both))
    assert (ab.gamma, ab.g2) == (a.gamma * b.gamma, a.g2 * b.g2)


# --- bad input --------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
ZERO = [[1.0, 0.0], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anonymity.ratio_minima(ZERO), "ratio_minima: transition must not have zeros"),
        (
            lambda: anonymity.pk_level(ZERO, 3, n_sampled=2),
            "only k >= 1 is certain.*got 0 in row 0, column 1",
        ),
        (
            lambda: anonymity.pk_level(QUARTERS, 3, n_sampled=4),
            r"pk_level: n_sampled must be in 1\.\.3, got 4",
        ),
        (lambda: anonymity.pk_level(QUARTERS, 0), "n must be at least 1, got 0"),
        (lambda: anonymity.pk_level([[0.5, 0.6]], 3), "every row of transition must sum to 1"),
        (
            lambda: anonymity.pk_level(np.insert(ZERO, 0, 0, axis=1), 3),
            "zeros beside positive entries of a column.*got 0 in row 0, column 2",
        ),
        (
            lambda: anonymity.pk_level_response_knowledge(ZERO, 3, n_sampled=2),
            "response_knowledge: transition",
        ),
        (
            lambda: anonymity.membership_interval(QUARTERS, 3, n_sampled=0),
            "membership_interval: n_sampled must be",
        ),
        (lambda: anonymity.is_tight(ZERO), "is_tight: transition must not have zeros"),
        (lambda: anonymity.homogeneous_worst_case(ZERO, 3), "homogeneous_worst_case: transition"),
    ],
)
def test_bad_values_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anonymity.pk_level(QUARTERS, 3, n_sampled=2.0), "n_sampled must be an integer"),
    ],
)
def test_bad_types_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("s", [1, 2, 3, 4])
@pytest.mark.parametrize("A", [QUARTERS, LOPSIDED])
def test_a_double_counts_as_one(A, s):
    """Every record and slot of every table of four; doubles in the table and in the release."""
    orders, weights = enumerate_weights(A, 4, s)
    tables = list(itertools.product(range(2), repeat=4))
    least, knowing = {}, {}
    for (i, table), (j, shown) in itertools.product(
        enumerate(tables), enumerate(itertools.product(range(2), repeat=s))
    ):
        w = weights[i, j]
        for r, slot in itertools.product(range(4), range(s)):
            mine = int(w[orders[:, slot] == r].sum())
            joined = int(w[(orders == r).any(axis=1)].sum())
            alike, f = table.count(table[r]), shown.count(shown[slot])
            level = Fraction(int(w.sum()), mine)
            least[alike, f] = min(level, least.get((alike, f), level))
            knowing[f] = min(Fraction(joined, mine), knowing.get(f, Fraction(joined, mine)))
    for (alike, f), level in least.items():
        bound = anonymity.pk_level(A, 4, n_sampled=s, alike=alike, shown=f)
        assert bound <= level
        if alike in (1, 4) or f == 4:  # the others all of one value, their slots as well
            assert bound == level
    for f, level in knowing.items():
        assert anonymity.pk_level_response_knowledge(A, 4, n_sampled=s, shown=f) == level


def test_doubles_out_of_range():
    with pytest.raises(ValueError, match="alike"):
        anonymity.pk_level(pram.retention_matrix(0.5, 2), 4, n_sampled=2, alike=5)
    for call in (anonymity.pk_level, anonymity.pk_level_response_knowledge):
        with pytest.raises(ValueError, match=r"shown must be in 1..2, got 3"):
            call(QUARTERS, 4, n_sampled=2, shown=3)


def test_a_worst_case_prints_its_sizes():
    worst = anonymity.homogeneous_worst_case(QUARTERS, 1000, n_sampled=20)
    assert repr(worst) == f"WorstCase(level {float(worst.level):.4g}, 1000 records, 20 slots)"
