"""Tests of `privlib.disclosure.pram`: every table and release enumerated, laws, bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from privlib.disclosure import posterior, pram

QUARTERS = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
LOOSE = [[Fraction(c, 10) for c in row] for row in [[6, 3, 1], [1, 4, 5], [7, 1, 2]]]
LOPSIDED = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
SHAPES = [(2, 2), (2, 3), (3, 2), (3, 3)]


def random_matrix(rng, rows, columns, high=9):
    counts = rng.integers(1, high + 1, size=(rows, columns))
    return [[Fraction(int(c), int(row.sum())) for c in row] for row in counts]


def enumerate_weights(A, n, s):
    """Weights of all injections for all tables and releases, as whole numbers over one scale.

    Returns the injections (P, s) and an array (tables, releases, P).
    """
    scale = lcm(*(entry.denominator for row in A for entry in row))
    whole = np.array([[int(entry * scale) for entry in row] for row in A], dtype=np.int64)
    assert int(whole.max()) ** s * math.perm(n, s) < 2**53
    tables = np.array(list(itertools.product(range(len(A)), repeat=n)))
    releases = np.array(list(itertools.product(range(len(A[0])), repeat=s)))
    orders = np.array(list(itertools.permutations(range(n), s)))
    weights = np.ones((len(tables), len(releases), len(orders)), dtype=np.int64)
    for slot in range(s):
        shown = tables[:, orders[:, slot]]  # (tables, P)
        weights *= whole[shown[:, None, :], releases[:, slot][None, :, None]]
    return orders, weights


def smallest(total, matched):
    """Smallest exact total / matched over two arrays of whole numbers."""
    ratio = total / matched
    near = ratio <= ratio.min() * (1 + 1e-9)
    return min(Fraction(int(t), int(m)) for t, m in zip(total[near], matched[near]))


def exhaustive_levels(A, n, s):
    """Exact levels: of Theorem 5.1, with response knowledge, 1 / membership, 1 / its opposite."""
    orders, weights = enumerate_weights(A, n, s)
    total = weights.sum(axis=2)
    levels, knowing, members, absent = [], [], [], []
    for r in range(n):
        sampled = weights[:, :, (orders == r).any(axis=1)].sum(axis=2)
        members.append(smallest(total, sampled))
        absent += [smallest(total, total - sampled)] if s < n else []
        for slot in range(s):
            matched = weights[:, :, orders[:, slot] == r].sum(axis=2)
            levels.append(smallest(total, matched))
            knowing.append(smallest(sampled, matched))
    return min(levels), min(knowing), min(members), min(absent, default=None)


def minima_by_definition(A):
    """Both minima, over u, v, u', v' as the theorem prints them."""
    rows, columns = range(len(A)), range(len(A[0]))
    gamma = min(A[u][a] / A[v][a] for u in rows for v in rows for a in columns)
    g2 = min(
        A[u][b] * A[v][a] / (A[u][a] * A[v][b])
        for u, v in itertools.product(rows, rows)
        for a, b in itertools.product(columns, columns)
    )
    return gamma, g2


def tight_by_definition(A):
    """Whether one (u, v, a) attains gamma and, with some b, g2."""
    gamma, g2 = minima_by_definition(A)
    rows, columns = range(len(A)), range(len(A[0]))
    return any(
        A[u][a] / A[v][a] == gamma
        and any(A[u][a] * A[v][b] / (A[v][a] * A[u][b]) == g2 for b in columns)
        for u, v, a in itertools.product(rows, rows, columns)
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
            bound = pram.pk_level(A, n, n_sampled=s)
            assert isinstance(bound, Fraction)
            assert bound == 1 + (n - s) * gamma + (s - 1) * g2
            assert bound <= level
            assert (bound == level) == (s in (1, n) or tight_by_definition(A))
            assert pram.pk_level_response_knowledge(A, n, n_sampled=s) == knowing  # always attained
            least = 1 - 1 / absent if s < n else 1
            interval = pram.membership_interval(A, n, n_sampled=s)
            assert interval == (least, 1 / member)  # always attained, both ends
            assert pram.membership_interval(A, n, n_sampled=s)[1] == 1 / member
            worst = pram.homogeneous_worst_case(A, n, n_sampled=s)
            assert bound <= level <= worst.level


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_category_that_no_row_shows_does_no_harm(at):
    for rest in (QUARTERS, LOPSIDED, LOOSE, [[Fraction(1, 3), Fraction(2, 3)]] * 2):
        A = [[*row[:at], Fraction(0), *row[at:]] for row in rest]
        minima, used = pram.ratio_minima(A), [a for a in range(len(A[0])) if a != at]
        assert (minima.gamma, minima.g2) == minima_by_definition(rest)
        for (u, v, a, b), least in [
            ((*minima.gamma_at, None), minima.gamma),
            (minima.g2_at, minima.g2),
        ]:
            assert {a, b} <= {*used, None}  # columns of the whole matrix
            other = 1 if b is None else A[u][b] / A[v][b]
            assert A[u][a] / A[v][a] / other == least
        level, knowing, *_ = exhaustive_levels(rest, 3, 2)
        worst = pram.homogeneous_worst_case(A, 3, n_sampled=2)
        assert set(worst.release.tolist()) <= set(used)
        assert pram.pk_level(A, 3, n_sampled=2) <= level <= worst.level
        assert pram.pk_level_response_knowledge(A, 3, n_sampled=2) == knowing
        exact = posterior.match_probability(
            worst.table, worst.release, transition=A, record=0, slot=0
        )
        assert 1 / exact == worst.level
        assert pram.is_tight(A) == tight_by_definition(rest)


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
    assert level == pram.pk_level(A, 3, n_sampled=2) == Fraction(11, 6)


def test_who_is_released_whole_was_sampled_with_certainty():
    rng = np.random.default_rng(18)
    for n in (1, 2, 3, 10, 977):
        for _ in range(50):
            A = rng.dirichlet([1, 1, 1], size=3)
            assert pram.membership_interval(A, n) == (1.0, 1.0)
            low, high = pram.membership_interval(A, n, n_sampled=max(1, n // 2))
            assert 0 <= low <= high <= 1
    assert pram.membership_interval([[0.75, 0.25], [0.25, 0.75]], 1, n_sampled=1) == (1.0, 1.0)


def test_no_sampling_is_the_default():
    for n in (1, 2, 7):
        assert pram.pk_level(LOOSE, n) == pram.pk_level(LOOSE, n, n_sampled=n)
        assert pram.homogeneous_worst_case(LOOSE, n).release.size == n


def test_levels_of_three_records():
    level, *_ = exhaustive_levels(QUARTERS, 3, 2)
    assert level == pram.pk_level(QUARTERS, 3, n_sampled=2) == Fraction(13, 9)
    assert exhaustive_levels(QUARTERS, 3, 3)[0] == pram.pk_level(QUARTERS, 3) == Fraction(11, 9)


@pytest.mark.parametrize("shape", SHAPES)
def test_when_the_bound_is_tight(shape):
    rng = np.random.default_rng([5, *shape])
    answers = set()
    for _ in range(40):
        A = random_matrix(rng, *shape, high=6)
        tight = tight_by_definition(A)
        answers.add(tight)
        assert pram.is_tight(A) == tight
        assert pram.is_tight(np.array(A, dtype=float)) == tight
        if shape == (3, 3):
            assert (exhaustive_levels(A, 3, 2)[0] == pram.pk_level(A, 3, n_sampled=2)) == tight
    assert answers == ({True, False} if shape == (3, 3) else {True})


def test_the_example_that_is_not_tight():
    assert exhaustive_levels(LOOSE, 3, 2)[0] == Fraction(33, 28)
    assert pram.pk_level(LOOSE, 3, n_sampled=2) == Fraction(247, 210)
    assert not pram.is_tight(LOOSE)


def test_worst_tables_have_the_level_that_they_are_said_to_have():
    rng = np.random.default_rng(6)
    for shape, n, s in [((3, 3), 6, 4), ((2, 3), 5, 5), ((3, 2), 5, 1), ((3, 3), 7, 3)]:
        A = random_matrix(rng, *shape)
        worst = pram.homogeneous_worst_case(A, n, n_sampled=s)
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
        minima = pram.ratio_minima(A)
        assert (minima.gamma, minima.g2) == (gamma, gamma**2)
        assert pram.is_tight(A)
        assert pram.is_tight(pram.retention_matrix(float(rho), N))
        assert pram.pk_level(A, 9, n_sampled=4) == 1 + 5 * gamma + 3 * gamma**2
        assert pram.homogeneous_worst_case(A, 9, n_sampled=4).level == pram.pk_level(
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
    minima = pram.ratio_minima(A)
    gamma, g2 = minima_by_definition(A)
    assert (minima.gamma, minima.g2) == (gamma, g2)
    u, v, a = minima.gamma_at
    assert A[u][a] / A[v][a] == gamma
    u, v, a, b = minima.g2_at
    assert A[u][a] * A[v][b] / (A[v][a] * A[u][b]) == g2
    # Strict if and only if 0 < gamma < 1, that is unless all rows are equal.
    assert gamma**2 <= g2 <= gamma <= 1
    assert (g2 < gamma) == (gamma < 1) == any(row != A[0] for row in A)
    floats = pram.ratio_minima(np.array(A, dtype=float))
    assert isinstance(floats.gamma, float)
    assert isinstance(floats.g2, float)
    assert (floats.gamma, floats.g2) == pytest.approx((float(gamma), float(g2)), rel=1e-12)


def test_attributes_that_are_rewritten_independently_multiply():
    rng = np.random.default_rng(8)
    A, B = random_matrix(rng, 2, 3), random_matrix(rng, 3, 2)
    both = np.kron(np.array(A, dtype=object), np.array(B, dtype=object))
    a, b, ab = (pram.ratio_minima(X) for X in (A, B, both))
    assert (ab.gamma, ab.g2) == (a.gamma * b.gamma, a.g2 * b.g2)


# --- differential privacy ---------------------------------------------------------------------


def test_gamma_is_the_local_guarantee():
    rng = np.random.default_rng(9)
    for shape in SHAPES:
        A = random_matrix(rng, *shape)
        smallest_epsilon = max(
            math.log(A[v][a] / A[u][a])
            for u, v in itertools.permutations(range(shape[0]), 2)
            for a in range(shape[1])
        )
        epsilon = pram.local_dp_epsilon(A)
        assert epsilon == pytest.approx(smallest_epsilon, rel=1e-12)
        assert pram.local_dp_epsilon(np.array(A, dtype=float)) == pytest.approx(epsilon)
        for n, s in [(5, 2), (4, None)]:
            assert pram.local_dp_pk_level(epsilon, n, n_sampled=s) <= pram.pk_level(
                A, n, n_sampled=s
            ) * (1 + 1e-12)
    A = pram.retention_matrix(Fraction(2, 7), 4)
    level = pram.local_dp_pk_level(pram.local_dp_epsilon(A), 50, n_sampled=20)
    assert level == pytest.approx(float(pram.pk_level(A, 50, n_sampled=20)), rel=1e-12)
    tiny = pram.retention_matrix(1 - Fraction(1, 10**400), 2)  # gamma below every float
    assert pram.local_dp_epsilon(tiny) == pytest.approx(400 * math.log(10) + math.log(2))


def output_ratio(A, n, s):
    """Largest ratio of the laws of the release of two tables that differ in record 0."""
    _, weights = enumerate_weights(A, n, s)
    probability = weights.sum(axis=2).astype(object)
    tables = list(itertools.product(range(len(A)), repeat=n))
    place = {table: i for i, table in enumerate(tables)}
    ratios = [
        Fraction(int(x), int(y))
        for table in tables
        for value in range(len(A))
        for x, y in zip(probability[place[table]], probability[place[(value, *table[1:])]])
    ]
    return max(ratios)


@pytest.mark.parametrize(("n", "s", "N"), [(2, 1, 2), (3, 2, 2), (4, 1, 2), (3, 2, 3), (3, 3, 2)])
def test_amplification_is_exact_for_retention(n, s, N):
    A = pram.retention_matrix(Fraction(2, 5), N).tolist()
    epsilon = pram.local_dp_epsilon(A)
    truth = math.log(output_ratio(A, n, s))
    assert pram.amplified_epsilon(epsilon, s / n) == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize(("n", "s"), [(2, 1), (3, 1), (3, 2), (3, 3), (4, 2)])
def test_amplification_is_exact_for_every_matrix(n, s):
    rng = np.random.default_rng([n, s])
    for shape in SHAPES[: 3 if n == 4 else 4]:
        A = random_matrix(rng, *shape)
        gamma, _ = minima_by_definition(A)
        truth = output_ratio(A, n, s)
        assert truth == 1 + Fraction(s, n) * (1 / gamma - 1)
        found = pram.amplified_epsilon(pram.local_dp_epsilon(A), s / n)
        assert found == pytest.approx(math.log(truth), rel=1e-12)


def test_amplification_at_its_limits():
    assert pram.amplified_epsilon(3, 1) == 3
    assert pram.amplified_epsilon(0, 0.3) == 0
    assert pram.amplified_epsilon(1e-12, 0.25) == pytest.approx(0.25e-12, rel=1e-9)
    assert pram.amplified_epsilon(2000, 0.01) == pytest.approx(2000 + math.log(0.01), rel=1e-12)
    below, above = (pram.amplified_epsilon(x, 0.1) for x in (1 - 1e-12, 1 + 1e-12))
    assert below == pytest.approx(above, rel=1e-10)  # the two branches meet


# --- rewriting --------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (4, 1), (1, 6), (10, 10)])
def test_rewriting_follows_the_matrix(shape):
    rng = np.random.default_rng([11, *shape])
    A = rng.dirichlet(np.full(shape[1], 0.5), size=shape[0])
    values = rng.integers(shape[0], size=600_000)
    shown = pram.apply_pram(values, A, rng=rng)
    counts = np.zeros(shape)
    np.add.at(counts, (values, shown), 1)
    expected = counts.sum(axis=1, keepdims=True) * A
    big = expected > 5
    chi2 = ((counts - expected) ** 2 / np.where(big, expected, 1))[big].sum()
    assert shape[1] == 1 or stats.chi2.sf(chi2, big.sum() - shape[0]) > 1e-3
    assert shown.shape == values.shape


def test_records_are_rewritten_independently():
    rng = np.random.default_rng(12)
    shown = pram.apply_pram(np.zeros(400_000, dtype=int), [[0.5, 0.5]], rng=rng)
    for lag in (1, 2, 1000):  # products of fair signs: mean 0, variance 1 / count
        signs = (2 * shown[lag:] - 1) * (2 * shown[:-lag] - 1)
        assert abs(signs.mean()) * math.sqrt(signs.size) < 4


def test_zeros_and_ones_are_kept_exactly():
    rng = np.random.default_rng(13)
    values = rng.integers(4, size=300_000)
    assert (pram.apply_pram(values, np.eye(4), rng=rng) == values).all()
    cycle = np.roll(np.eye(4), 1, axis=1).astype(int)
    assert (pram.apply_pram(values, cycle, rng=rng) == (values + 1) % 4).all()
    holes = [[Fraction(1, 3), 0, Fraction(2, 3)], [0, 1, 0]]
    shown = pram.apply_pram(values % 2, holes, rng=rng)
    assert set(zip((values % 2).tolist(), shown.tolist())) == {(0, 0), (0, 2), (1, 1)}


def test_labels_are_the_codes_by_name():
    labels = np.array(["tea", "coffee", "water"])  # not sorted
    values = np.random.default_rng(14).integers(3, size=1000)
    A = pram.retention_matrix(0.3, 3)
    codes = pram.apply_pram(values, A, rng=np.random.default_rng(1))
    named = pram.apply_pram(labels[values], A, rng=np.random.default_rng(1), categories=labels)
    assert (named == labels[codes]).all()


@pytest.mark.parametrize("n", [1, 1000, 2**18 + 3])
def test_rewriting_draws_one_number_for_each_record(n):
    rng, other = np.random.default_rng(15), np.random.default_rng(15)
    pram.apply_pram(np.zeros(n, dtype=int), pram.retention_matrix(0.5, 10), rng=rng)
    other.random(n)
    assert rng.bit_generator.state == other.bit_generator.state


def test_a_seed_is_a_generator():
    values, A = np.arange(1000) % 3, pram.retention_matrix(0.5, 3)
    seeded = pram.apply_pram(values, A, rng=7)
    assert (seeded == pram.apply_pram(values, A, rng=np.random.default_rng(7))).all()
    assert (seeded == pram.apply_pram(values, A, rng=np.int64(7))).all()
    assert (pram.apply_pram(values, A) != pram.apply_pram(values, A)).any()


# --- bad input --------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
ZERO = [[1.0, 0.0], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pram.retention_matrix(1.5, 2), r"retention_matrix: keep must be in \[0, 1\]"),
        (lambda: pram.retention_matrix(0.5, 0), "categories must be at least 1, got 0"),
        (lambda: pram.ratio_minima(ZERO), "ratio_minima: transition must not have zeros"),
        (
            lambda: pram.pk_level(ZERO, 3, n_sampled=2),
            "only k >= 1 is certain.*got 0 in row 0, column 1",
        ),
        (
            lambda: pram.pk_level(QUARTERS, 3, n_sampled=4),
            r"pk_level: n_sampled must be in 1\.\.3, got 4",
        ),
        (lambda: pram.pk_level(QUARTERS, 0), "n must be at least 1, got 0"),
        (lambda: pram.pk_level([[0.5, 0.6]], 3), "every row of transition must sum to 1"),
        (
            lambda: pram.pk_level(np.insert(ZERO, 0, 0, axis=1), 3),
            "zeros beside positive entries of a column.*got 0 in row 0, column 2",
        ),
        (
            lambda: pram.pk_level_response_knowledge(ZERO, 3, n_sampled=2),
            "response_knowledge: transition",
        ),
        (
            lambda: pram.membership_interval(QUARTERS, 3, n_sampled=0),
            "membership_interval: n_sampled must be",
        ),
        (lambda: pram.is_tight(ZERO), "is_tight: transition must not have zeros"),
        (lambda: pram.homogeneous_worst_case(ZERO, 3), "homogeneous_worst_case: transition"),
        (lambda: pram.local_dp_epsilon(ZERO), "local_dp_epsilon: transition must not"),
        (lambda: pram.local_dp_pk_level(-1, 5), "epsilon must not be negative, got -1"),
        (lambda: pram.amplified_epsilon(-1, 0.5), "epsilon must not be negative, got -1"),
        (lambda: pram.amplified_epsilon(1, 0), r"amplified_epsilon: p must be in \(0, 1\], got 0"),
        (lambda: pram.apply_pram([2], QUARTERS, rng=RNG), "values must be in 0..1, got 1 of 1"),
        (
            lambda: pram.apply_pram([-1], QUARTERS, rng=RNG),
            "values must be in 0..1, got 1 of 1",
        ),
        (lambda: pram.apply_pram([], QUARTERS, rng=RNG), "values must be a non-empty vector"),
        (
            lambda: pram.apply_pram(["c"], QUARTERS, rng=RNG, categories=["a", "b"]),
            "values must be among the categories, got 1 of 1",
        ),
        (
            lambda: pram.apply_pram([], QUARTERS, rng=RNG, categories=["a", "b"]),
            "values must be a non-empty vector",
        ),
        (
            lambda: pram.apply_pram(["a"], QUARTERS, rng=RNG, categories=["a", "a"]),
            "categories must be 2 distinct labels, got .'a', 'a'",
        ),
        (
            lambda: pram.apply_pram(["a"], QUARTERS, rng=RNG, categories=["a", "b", "b"]),
            r"categories must be 2 distinct labels, got \['a', 'b', 'b'\]",
        ),
        (
            lambda: pram.apply_pram(["a"], QUARTERS, rng=RNG, categories=["a"]),
            r"categories must be 2 distinct labels, got \[\'a\'\]",
        ),
        (
            lambda: pram.apply_pram(["a"], [[0.5, 0.3, 0.2]], rng=RNG, categories=["a"]),
            "transition must be square with categories",
        ),
        (
            lambda: pram.apply_pram(["a"], [[1], [1]], rng=RNG, categories=["a", "b"]),
            "transition must be square with categories",
        ),
    ],
)
def test_bad_values_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pram.retention_matrix("x", 2), "keep must be a real number"),
        (lambda: pram.retention_matrix(0.5, 2.0), "categories must be an integer"),
        (lambda: pram.pk_level(QUARTERS, 3, n_sampled=2.0), "n_sampled must be an integer"),
        (lambda: pram.apply_pram([0.5], QUARTERS, rng=RNG), "values must hold integer codes"),
        (lambda: pram.apply_pram([0], QUARTERS, rng=7.0), "rng must be None, an integer seed or a"),
        (lambda: pram.local_dp_pk_level("1", 5), "epsilon must be a real number"),
        (lambda: pram.amplified_epsilon(1, "p"), "p must be a real number"),
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
        bound = pram.pk_level(A, 4, n_sampled=s, alike=alike, shown=f)
        assert bound <= level
        if alike in (1, 4) or f == 4:  # the others all of one value, their slots as well
            assert bound == level
    for f, level in knowing.items():
        assert pram.pk_level_response_knowledge(A, 4, n_sampled=s, shown=f) == level


def test_doubles_out_of_range():
    with pytest.raises(ValueError, match="alike"):
        pram.pk_level(pram.retention_matrix(0.5, 2), 4, n_sampled=2, alike=5)
    for call in (pram.pk_level, pram.pk_level_response_knowledge):
        with pytest.raises(ValueError, match=r"shown must be in 1..2, got 3"):
            call(QUARTERS, 4, n_sampled=2, shown=3)
