"""Tests of `privlib.disclosure.design`: enumerated designs and estimators, optima, bad input."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlib.disclosure import anonymity, design, pram

RATIONAL = {
    "two": [[Fraction(3, 5), Fraction(2, 5)], [Fraction(1, 7), Fraction(6, 7)]],
    "wide": [
        [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)],
        [Fraction(1, 8), Fraction(1, 8), Fraction(3, 4)],
    ],
    "three": [[Fraction(c, 10) for c in row] for row in [[6, 3, 1], [1, 4, 5], [7, 1, 2]]],
    "retention": pram.retention_matrix(Fraction(1, 2), 3).tolist(),
}


# --- the largest retention for a level --------------------------------------------------------


@settings(max_examples=200)
@given(st.integers(2, 10**6), st.floats(0, 1), st.floats(0, 1), st.integers(2, 50))
def test_retention_reaches_the_level_and_no_more_would(n, a, b, N):
    k, s = 1 + a * (n - 1), 1 + round(b * (n - 1))
    k = min(k, n)
    rho = design.retention_for_k(n, k, n_sampled=s, categories=N)
    assert 0 <= rho <= 1

    def level(rho):  # independent of the module: Theorem 5.1 with the entries of the matrix
        own, other = rho + (1 - rho) / N, (1 - rho) / N
        return 1 + (n - s) * (other / own) + (s - 1) * (other / own) ** 2

    assert level(Fraction(rho)) >= Fraction(k)
    more = Fraction(rho) + Fraction(1, 10**12)
    assert more > 1 or level(more) < Fraction(k)


def test_retention_at_its_limits():
    assert design.retention_for_k(9, 1, n_sampled=3, categories=4) == 1
    assert design.retention_for_k(1, 1, n_sampled=1, categories=4) == 1
    assert design.retention_for_k(9, 9, n_sampled=3, categories=4) == pytest.approx(0, abs=1e-15)
    assert design.retention_for_k(9, 9, n_sampled=9, categories=4) == pytest.approx(0, abs=1e-15)
    for s, gamma in [(1, 4 / 9), (10, math.sqrt(4 / 9))]:
        rho = (1 - gamma) / (1 + 2 * gamma)
        assert design.retention_for_k(10, 5, n_sampled=s, categories=3) == pytest.approx(
            rho, rel=1e-14
        )
    levels = [
        design.retention_for_k(1000, 10, n_sampled=s, categories=10) for s in (1000, 500, 100, 10)
    ]
    assert np.round(levels, 4).tolist() == [0.4881, 0.8474, 0.9083, 0.9160]


# --- strata -----------------------------------------------------------------------------------


def stratified_levels(A, sizes, samples, labels):
    """Smallest exact total / matched for every stratum, over all tables and releases."""
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    n, s = stratum.size, sum(samples)
    orders = [
        order
        for order in itertools.permutations(range(n), s)
        if np.bincount(stratum[list(order)], minlength=len(sizes)).tolist() == list(samples)
    ]
    if labels == "released":  # the slots come sorted by stratum
        orders = [order for order in orders if (np.diff(stratum[list(order)]) >= 0).all()]
    orders = np.array(orders)
    scale = math.lcm(*(entry.denominator for row in A for entry in row))
    whole = np.array([[int(entry * scale) for entry in row] for row in A], dtype=np.int64)
    tables = np.array(list(itertools.product(range(len(A)), repeat=n)))
    releases = np.array(list(itertools.product(range(len(A[0])), repeat=s)))
    weights = np.ones((len(tables), len(releases), len(orders)), dtype=np.int64)
    for slot in range(s):
        weights *= whole[tables[:, orders[:, slot]][:, None, :], releases[None, :, slot, None]]
    total = weights.sum(axis=2)
    levels = []
    for h in range(len(sizes)):
        r = int(np.flatnonzero(stratum == h)[0])  # records of a stratum are exchangeable
        best = []
        for slot in range(s):
            matched = weights[:, :, orders[:, slot] == r].sum(axis=2)
            if not matched.any():
                continue  # a slot of another stratum
            ratio = total / matched
            near = ratio <= ratio.min() * (1 + 1e-9)
            best += [Fraction(int(t), int(m)) for t, m in zip(total[near], matched[near])]
        levels.append(min(best))
    return levels


DESIGNS = [
    ((2, 2), (1, 1)),
    ((3, 2), (1, 2)),
    ((3, 1), (2, 1)),
    ((2, 1, 1), (1, 1, 1)),
    ((3,), (2,)),
]


@pytest.mark.parametrize("name", RATIONAL)
@pytest.mark.parametrize("labels", ["released", "hidden"])
def test_every_table_of_small_strata(name, labels):
    A = RATIONAL[name]
    for sizes, samples in DESIGNS:
        truth = stratified_levels(A, sizes, samples, labels)
        bound = anonymity.stratified_pk_level(A, sizes, samples=samples, labels=labels)
        assert all(isinstance(level, Fraction) for level in bound)
        assert all(b <= t for b, t in zip(bound, truth))
        if labels == "released":
            for b, t, n, s in zip(bound, truth, sizes, samples):
                if anonymity.is_tight(A) or s in (1, n):
                    assert b == t
        if len(sizes) == 1:
            assert bound[0] == anonymity.pk_level(A, sizes[0], n_sampled=samples[0])


def test_hidden_strata_are_attained_with_three_categories():
    A = RATIONAL["retention"]
    assert stratified_levels(A, (3, 2), (1, 2), "hidden") == [Fraction(15, 8), Fraction(9, 8)]
    bound = anonymity.stratified_pk_level(A, [3, 2], samples=[1, 2], labels="hidden")
    assert bound.tolist() == [Fraction(15, 8), Fraction(9, 8)]


def test_strata_in_floats():
    gamma = 0.05
    A = pram.retention_matrix((1 - gamma) / (1 + gamma), 2)
    hidden = anonymity.stratified_pk_level(A, [900, 100], samples=[50, 50], labels="hidden")
    released = anonymity.stratified_pk_level(A, [900, 100], samples=[50, 50])
    assert hidden.dtype == released.dtype == np.float64
    assert hidden.tolist() == pytest.approx([45.8725, 3.8725], abs=1e-9)
    assert released.tolist() == pytest.approx([43.6225, 3.6225], abs=1e-9)
    assert anonymity.pk_level(A, 1000, n_sampled=100) == pytest.approx(46.2475, abs=1e-9)


@pytest.mark.parametrize("name", RATIONAL)
@pytest.mark.parametrize("odds", [(1, 1, 1), (1, 2, 5), (7, 1, 1, 2)])
def test_unequal_probabilities(name, odds):
    A, n = RATIONAL[name], len(odds)
    for s in range(1, n + 1):
        bound = anonymity.conditional_poisson_pk_level(A, odds, n_sampled=s)
        orders = np.array(list(itertools.permutations(range(n), s)))
        design_weight = np.prod(np.array(odds)[orders], axis=1)
        for r in range(n):
            smallest = math.inf
            for table in itertools.product(range(len(A)), repeat=n):
                for release in itertools.product(range(len(A[0])), repeat=s):
                    rows = np.array(A, dtype=float)[np.array(table)[orders], list(release)]
                    weight = design_weight * rows.prod(axis=1)
                    smallest = min(smallest, weight.sum() / weight[orders[:, 0] == r].sum())
            assert bound[r] <= smallest * (1 + 1e-12)
            if anonymity.is_tight(A) and (s == n or s == 1):
                assert bound[r] == pytest.approx(smallest, rel=1e-12)
    if len(set(odds)) == 1:
        assert bound == pytest.approx(float(anonymity.pk_level(A, n)), rel=1e-12)


def test_unequal_probabilities_by_hand():
    A = pram.retention_matrix(0.5, 2)  # gamma = 1/3, g2 = 1/9
    bound = anonymity.conditional_poisson_pk_level(A, [4.0, 1.0, 3.0, 2.0, 2.0], n_sampled=3)
    sums = np.array([1 + 2, 2 + 2, 1 + 2, 1 + 2, 1 + 2])  # two smallest of the others
    expected = 1 + sums / [4, 1, 3, 2, 2] / 3 + 2 / 9
    assert bound == pytest.approx(expected, rel=1e-14)


# --- accuracy ---------------------------------------------------------------------------------


def moments_of_the_estimator(table, s, A):
    """Mean and variance of the estimates, and mean of their estimated variances: enumerated."""
    n = len(table)
    mean = square = spread = 0.0
    for chosen in itertools.combinations(range(n), s):
        for release in itertools.product(range(len(A[0])), repeat=s):
            chance = math.prod(A[table[t]][a] for t, a in zip(chosen, release))
            chance = float(chance) / math.comb(n, s)
            shares = design.estimate_shares(release, A, n=n)
            mean = mean + chance * shares.estimate
            square = square + chance * shares.estimate**2
            spread = spread + chance * shares.variance
    return mean, square - mean**2, spread


@pytest.mark.parametrize("name", RATIONAL)
@pytest.mark.parametrize(("n", "s"), [(4, 2), (4, 3), (5, 2), (3, 3), (2, 2)])
def test_estimates_are_unbiased_and_their_variance_exact(name, n, s):
    A = RATIONAL[name]
    for table in [(0, 1, 1, 0, 1)[:n], (1, 1, 1, 1, 1)[:n], (0, len(A) - 1, 1, 1, 0)[:n]]:
        pi = np.bincount(table, minlength=len(A)) / n
        mean, variance, spread = moments_of_the_estimator(table, s, A)
        assert mean == pytest.approx(pi, abs=1e-12)
        assert design.share_variance(pi, A, n=n, n_sampled=s) == pytest.approx(variance, abs=1e-12)
        assert spread == pytest.approx(variance, abs=1e-12)


def test_variance_of_retention_has_its_closed_form():
    n, s, N, rho = 50, 20, 4, 0.6
    pi = np.array([0.1, 0.2, 0.3, 0.4])
    a, b = rho + (1 - rho) / N, (1 - rho) / N
    rewriting = pi * a * (1 - a) + (1 - pi) * b * (1 - b)
    spread = pi * (1 - pi) * n / (n - 1)
    expected = (rewriting + rho**2 * (1 - s / n) * spread) / (s * rho**2)
    A = pram.retention_matrix(rho, N)
    assert design.share_variance(pi, A, n=n, n_sampled=s) == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_a_simulation_agrees():
    rng = np.random.default_rng(20)
    n, s, A = 400, 150, np.array(RATIONAL["three"], dtype=float)
    table = np.repeat([0, 1, 2], [40, 160, 200])
    estimates = np.array(
        [
            design.estimate_shares(
                pram.apply_pram(rng.choice(table, s, replace=False), A, rng=rng), A, n=n
            ).estimate
            for _ in range(4000)
        ]
    )
    variance = design.share_variance([0.1, 0.4, 0.5], A, n=n, n_sampled=s)
    assert (np.abs(estimates.mean(axis=0) - [0.1, 0.4, 0.5]) < 4 * np.sqrt(variance / 4000)).all()
    assert (np.abs(estimates.var(axis=0) / variance - 1) < 4 * math.sqrt(2 / 4000)).all()


@pytest.mark.parametrize(
    ("n", "k", "N", "pi"), [(60, 4, 3, 0.2), (100, 10, 2, 0.5), (40, 30, 9, 0.9)]
)
def test_best_thinning_against_every_sample_size(n, k, N, pi):
    shares = np.array([pi, *[(1 - pi) / (N - 1)] * (N - 1)])
    variances = []
    for s in range(1, n + 1):
        rho = design.retention_for_k(n, k, n_sampled=s, categories=N)
        variances.append(
            design.share_variance(shares, pram.retention_matrix(rho, N), n=n, n_sampled=s)[0]
        )
    best = design.best_thinning(n, k, categories=N, share=pi)
    assert best.n_sampled == 1 + int(np.argmin(variances))
    assert best.drop == n - best.n_sampled
    assert best.variance_ratio == pytest.approx(min(variances) / variances[-1], rel=1e-9)
    assert best.keep == design.retention_for_k(n, k, n_sampled=best.n_sampled, categories=N)


def variance_after_dropping(q):
    """Variance of a share 1/10 of 10 categories at level 10, of a million records less `q`."""
    n, s, k, N, pi = 10**6, 10**6 - q, 10, 10, mpmath.mpf(1) / 10
    gamma = (-q + mpmath.sqrt(q**2 + 4 * (s - 1) * (k - 1))) / (2 * (s - 1))
    rho = (1 - gamma) / (1 + (N - 1) * gamma)
    a, b = rho + (1 - rho) / N, (1 - rho) / N
    spread = mpmath.mpf(q) / (n - 1) * pi * (1 - pi)
    return ((pi * a * (1 - a) + (1 - pi) * b * (1 - b)) / rho**2 + spread) / s


def test_thinning_approaches_its_asymptotics():
    errors = []
    for n in (10**4, 10**5, 10**6):
        best = design.best_thinning(n, 10, categories=10, share=0.1)
        errors.append(abs(best.drop / best.asymptotic_drop - 1))
        assert best.variance_ratio == pytest.approx(best.asymptotic_ratio, rel=2 * errors[-1])
    assert errors[0] > errors[1] > errors[2] < 0.01
    assert round(best.asymptotic_drop) == 12388
    with mpmath.workdps(40):  # neighbours differ by 1e-9: are floats enough?
        assert best.drop == min(range(12240, 12300), key=variance_after_dropping)
    # The asymptotic problem by search: gamma + beta q / n with k - 1 = q gamma + n gamma^2.
    beta, n = 0.1 * 0.9 / 1.8, 10**6
    q = np.arange(0, 50_000)
    gamma = (-q + np.sqrt(q.astype(float) ** 2 + 4 * n * 9)) / (2 * n)
    cost = gamma + beta * q / n
    assert abs(int(cost.argmin()) - best.asymptotic_drop) < 1
    assert cost.min() / cost[0] == pytest.approx(best.asymptotic_ratio, rel=1e-9)


def test_a_small_sample_is_usually_worse_at_equal_level():
    ratios = []
    for n, N, pi in [(1000, 10, 0.1), (10**4, 10, 0.1), (10**6, 10, 0.1), (1000, 100, 0.01)]:
        shares = np.array([pi, *[(1 - pi) / (N - 1)] * (N - 1)])
        part, whole = (
            design.share_variance(
                shares,
                pram.retention_matrix(design.retention_for_k(n, 10, n_sampled=s, categories=N), N),
                n=n,
                n_sampled=s,
            )[0]
            for s in (n // 10, n)
        )
        ratios.append(part / whole)
    assert ratios == pytest.approx([3.48, 12.9, 147, 0.30], rel=0.02)


# --- bad input --------------------------------------------------------------------------------

HALF = [[0.75, 0.25], [0.25, 0.75]]
SAME = [[0.5, 0.5], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: design.retention_for_k(10, 11, n_sampled=5, categories=2),
            r"at most n = 10 \(unreachable\), got 11",
        ),
        (
            lambda: design.retention_for_k(10, 0.5, n_sampled=5, categories=2),
            "k must be at least 1, got 0.5",
        ),
        (
            lambda: design.retention_for_k(10, 2, n_sampled=11, categories=2),
            r"n_sampled must be in 1\.\.10, got 11",
        ),
        (
            lambda: design.retention_for_k(10, 2, n_sampled=5, categories=1),
            "categories must be at least 2, got 1",
        ),
        (
            lambda: anonymity.stratified_pk_level(HALF, [3, 2], samples=[1]),
            "sizes and samples must have one number for each stratum, got 2 and 1",
        ),
        (
            lambda: anonymity.stratified_pk_level(HALF, [3, 2], samples=[1, 3]),
            "samples must be at most the size of the stratum, got 3",
        ),
        (
            lambda: anonymity.stratified_pk_level(HALF, [3], samples=[0]),
            "samples must be at least 1, got 0",
        ),
        (
            lambda: anonymity.stratified_pk_level(HALF, [], samples=[]),
            "one number for each stratum, got 0 and 0",
        ),
        (
            lambda: anonymity.stratified_pk_level(HALF, [3], samples=[1], labels="none"),
            "labels must be one of released, hidden, got 'none'",
        ),
        (
            lambda: anonymity.stratified_pk_level(np.eye(2), [3], samples=[1]),
            "transition must not have zeros",
        ),
        (
            lambda: anonymity.conditional_poisson_pk_level(HALF, [1, 0], n_sampled=1),
            "odds must be positive, got 0",
        ),
        (
            lambda: anonymity.conditional_poisson_pk_level(HALF, [1, math.inf], n_sampled=1),
            "odds must be finite, got inf",
        ),
        (
            lambda: anonymity.conditional_poisson_pk_level(HALF, [], n_sampled=1),
            "n must be at least 1, got 0",
        ),
        (
            lambda: anonymity.conditional_poisson_pk_level(HALF, [1, 1], n_sampled=3),
            r"n_sampled must be in 1\.",
        ),
        (lambda: design.estimate_shares([0, 1], SAME, n=4), "independent rows .* got rank 1 for 2"),
        (lambda: design.estimate_shares([0, 2], HALF, n=4), "release must be in 0..1, got 1 of 2"),
        (lambda: design.estimate_shares([0, 1], HALF, n=1), "n must be at least 2, got 1"),
        (
            lambda: design.estimate_shares([0], HALF, n=4),
            "at least 2 records if n is more .*, got 1",
        ),
        (
            lambda: design.share_variance([0.5, 0.6], HALF, n=4, n_sampled=2),
            "shares must sum to 1, got 1.1",
        ),
        (
            lambda: design.share_variance([1.0], HALF, n=4, n_sampled=2),
            r"shares must have shape \(2,\), got \(1,\)",
        ),
        (
            lambda: design.share_variance(
                [0.6, 0.6, -0.2], pram.retention_matrix(0.5, 3), n=4, n_sampled=2
            ),
            r"shares must be without negative entries, got -0.2",
        ),
        (
            lambda: design.share_variance([1.5, -0.5], HALF, n=4, n_sampled=2),
            r"shares must be without negative entries, got -0.5",
        ),
        (
            lambda: design.share_variance([0.5, 0.5], HALF, n=4, n_sampled=5),
            r"n_sampled must be in 1\.\.4",
        ),
        (
            lambda: design.best_thinning(10, 10, categories=2, share=0.5),
            "k must be between 1 and n = 10, not so near 1 or n that .* apart, got 10",
        ),
        (
            lambda: design.best_thinning(10, 1, categories=2, share=0.5),
            "k must be between 1 and n = 10, not so near 1 or n that .* apart, got 1",
        ),
        (lambda: design.best_thinning(2, 1.5, categories=2, share=0.5), "n must be in 3.*, got 2"),
        (
            lambda: design.best_thinning(10, 3, categories=2, share=1.0),
            r"share must be in \(0, 1\), got 1.0",
        ),
        (
            lambda: design.best_thinning(10, 3, categories=1, share=0.5),
            r"categories must be in 2\.\.9223372036854775807, got 1",
        ),
        (
            lambda: design.best_thinning(10, 3, categories=10**400, share=0.5),
            r"categories must be in 2\.\.9223372036854775807, got about 2",
        ),
    ],
)
def test_bad_values_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: design.retention_for_k(10, "2", n_sampled=5, categories=2),
            "k must be a real number",
        ),
        (
            lambda: design.retention_for_k(10.0, 2, n_sampled=5, categories=2),
            "n must be an integer",
        ),
        (
            lambda: anonymity.stratified_pk_level(HALF, [3.0], samples=[1]),
            "sizes must hold integers",
        ),
        (
            lambda: anonymity.conditional_poisson_pk_level(HALF, ["a"], n_sampled=1),
            "odds must hold real",
        ),
        (lambda: design.estimate_shares([0.5], HALF, n=4), "release must hold integer codes"),
        (
            lambda: design.share_variance(["a", "b"], HALF, n=4, n_sampled=2),
            "shares must hold real numbers",
        ),
        (
            lambda: design.best_thinning(10, 3, categories=2, share="x"),
            "share must be a real number",
        ),
    ],
)
def test_bad_types_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_one_record_needs_no_spread():
    shares = design.estimate_shares([1], HALF, n=1)
    assert shares.estimate == pytest.approx([-0.5, 1.5])
    assert design.share_variance([0, 1], HALF, n=1, n_sampled=1) == pytest.approx([0.75, 0.75])
    assert design.share_variance([0, 1], HALF, n=1, n_sampled=1).sum() == pytest.approx(
        2 * 0.75 * 0.25 / 0.5**2
    )


# --- the label --------------------------------------------------------------------------------


@pytest.mark.parametrize("s", [2, 3, 4])
def test_the_label_bounds_every_table_behind_the_release(s):
    """Levels, membership and guesses by listing all arrangements of every table of four."""
    A = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
    for shown in itertools.product(range(2), repeat=s):
        lowest, told, members = [], [], []
        for table in itertools.product(range(2), repeat=4):
            found = design.risk_report(shown, A, population_size=4, table=table)
            assert found.fewest_equal_lines == min(shown.count(v) for v in set(shown))
            total, behind = Fraction(0), Counter()
            for order in itertools.permutations(range(4), s):
                weight = math.prod((A[table[r]][v] for r, v in zip(order, shown)))
                total += weight
                behind.update({(r, j): weight for j, r in enumerate(order)})
            best = [max(behind[r, j] for r in range(4)) / total for j in range(s)]
            assert found.best_guess == (sum(best) / s, max(best))
            lowest.append(1 / max(best))
            for r in range(4):
                member = sum(behind[r, j] for j in range(s)) / total
                members.append(member)
                told += [member * total / behind[r, j] for j in range(s)]
        assert found.k_table_known <= min(lowest)
        assert found.k_participants_known <= min(told)
        low, high = found.participation
        assert low <= min(members) <= max(members) <= high
        f = found.fewest_equal_lines
        assert found.k_table_known == anonymity.pk_level(A, 4, n_sampled=s, shown=f)
        assert found.k_participants_known == anonymity.pk_level_response_knowledge(
            A, 4, n_sampled=s, shown=f
        )
        expected = max(design.estimate_shares(shown, A, n=4).variance.max(), 0) ** 0.5
        assert found.error_of_a_share == expected


def test_the_label_of_a_sample_as_it_is():
    """The least frequency is the k of k-anonymity, whoever attacks."""
    release = ["a", "a", "b", "b", "b", "c", "c"]
    pandas = pytest.importorskip("pandas")
    names = list("abc")
    frame = pandas.DataFrame(np.eye(3), names, names)
    found = design.risk_report(release, frame, population_size=9, table=[*release, "a", "c"])
    assert (found.records, found.lines, found.fewest_equal_lines) == (9, 7, 2)
    assert found.k_table_known == found.k_participants_known == 2
    assert found.participation == (0, 1)
    assert found.best_guess == pytest.approx((1 / 3, 1 / 3))
    whole = design.risk_report(release, frame, population_size=7)
    assert whole.participation == (1, 1)
    assert (whole.best_guess, whole.error_of_a_share) == ((), 0)
    text = str(whole).splitlines()
    assert text[0].startswith("True if the sample was simple, random and shuffled")
    assert "the whole line" in text[2]
    assert [line.split() for line in text[-3:]] == [
        ["participation", "1", "to", "1"],
        ["best", "guess", "not", "computed"],
        ["error", "of", "a", "share", "0"],
    ]
    assert len({line.index(line.split("  ")[-1].strip()) for line in text[3:6]}) == 1  # a column


def test_a_category_that_no_row_shows_does_not_change_the_label():
    A = [[Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(1, 4), Fraction(3, 4), 0]]
    found = design.risk_report([0, 1], A, population_size=3)
    assert found.k_table_known == Fraction(11, 6)  # by enumeration, see test_pram
    assert found.k_participants_known == Fraction(4, 3)
    assert found.participation == (Fraction(1, 2), Fraction(4, 5))
    beside = design.risk_report([0, 1], [[Fraction(1), Fraction(0)], A[1][:2]], population_size=3)
    assert (beside.k_table_known, beside.participation) == (1, (0, 1))


def test_the_label_refuses_what_it_cannot_describe():
    A = pram.retention_matrix(0.5, 2)
    with pytest.raises(ValueError, match=r"risk_report: n_sampled must be in 1\.\.3, got 4"):
        design.risk_report([0, 1, 1, 0], A, population_size=3)
    with pytest.raises(ValueError, match=r"risk_report: release must be in 0\.\.1, got 1 of 2"):
        design.risk_report([0, 2], A, population_size=3)


def test_thinning_keeps_the_level_of_a_fraction():
    """Theorem 5.1 in fractions; no float is the level."""
    k, n, N = Fraction(3618, 61), 129, 15
    for share in (0.3, 0.4, 0.5, 0.6):
        best = design.best_thinning(n, k, categories=N, share=share)
        rho, s = Fraction(best.keep), best.n_sampled
        gamma = (1 - rho) / (1 + (N - 1) * rho)
        assert 1 + (n - s) * gamma + (s - 1) * gamma**2 >= k


@pytest.mark.filterwarnings("error")
def test_levels_and_sizes_that_rounding_would_hide_are_refused():
    tables = {"categories": 2, "share": 0.1}
    huge = 10**400
    for k in (math.nextafter(1000, 0), 1000 - Fraction(1, huge), huge, 1 + Fraction(1, huge)):
        with pytest.raises(ValueError, match="best_thinning: k must be between 1 and n = 1000"):
            design.best_thinning(1000, k, **tables)
    near = design.best_thinning(1000, 1000 - 1e-5, **tables)
    # 1 - gamma is between 1e-5 / (2 n) and 1e-5 / n, and twice the retention of two categories.
    assert 1e-8 / 4 < near.keep < 1e-8 / 2
    assert 0 < near.variance_ratio <= 1
    for n in (2**63, 10**19, huge):
        with pytest.raises(ValueError, match="retention_for_k: n must be at most 92233720368547"):
            design.retention_for_k(n, 5, categories=2, n_sampled=10**3)
    assert design.retention_for_k(2**63 - 1, 5, categories=2, n_sampled=10**3) < 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("n", "k", "N", "pi"),
    [
        (10, 2, 10**10, 0.5),
        (100, 90, 10**9, 0.3),
        (50, 7, 2**63 - 1, 0.9),
        (9, 9 - 1e-6, 2**60, 0.2),
    ],
)
def test_many_categories_need_little_retention(n, k, N, pi):
    """The variance of `_retention_variance`'s formula, with 60 digits, at every sample size."""
    with mpmath.workdps(60):
        least = []
        for s in range(1, n + 1):
            free, share, slope = n - s, mpmath.mpf(pi), mpmath.mpf(k) - 1
            gamma = 2 * slope / (free + mpmath.sqrt(free**2 + 4 * (s - 1) * slope))
            rho = (1 - gamma) / (1 + (N - 1) * gamma)
            b = (1 - rho) / N
            a = rho + b
            rewriting = (share * a * (1 - a) + (1 - share) * b * (1 - b)) / rho**2
            sampling = (1 - mpmath.mpf(s) / n) * n / (n - 1) * share * (1 - share)
            least.append(((rewriting + sampling) / s, s, rho))
        lowest, s, rho = min(least)
        ratio = lowest / least[-1][0]
    best = design.best_thinning(n, k, categories=N, share=pi)
    assert best.n_sampled == s
    assert best.keep == pytest.approx(float(rho), rel=1e-7)
    assert best.variance_ratio == pytest.approx(float(ratio), rel=1e-6)
    gamma = (1 - Fraction(best.keep)) / (1 + (N - 1) * Fraction(best.keep))
    assert 1 + (n - s) * gamma + (s - 1) * gamma**2 >= k  # Theorem 5.1, in fractions


def test_labels_of_a_matrix_that_repeat_are_refused():
    A = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], index=["a", "a"])
    with pytest.raises(ValueError, match=r"share_variance: categories must be 2 distinct labels"):
        design.share_variance({"a": 0.5}, A, n=5)
    plain = design.share_variance([0.5, 0.5], A, n=5)  # by place, not by label
    assert plain.tolist() == design.share_variance([0.5, 0.5], A.to_numpy(), n=5).tolist()


def test_rows_that_floats_cannot_tell_apart():
    h, d = Fraction(1, 2), Fraction(1, 10**17)
    with pytest.raises(ValueError, match=r"floats show it\), got rank 1 for 2 rows"):
        design.estimate_shares([0, 0, 1], [[h + d, h - d], [h, h]], n=3)
