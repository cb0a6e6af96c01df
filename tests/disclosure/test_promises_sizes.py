"""Sizes, labels and digits at the edges of `privlib.disclosure`: nobody waits, nothing is lost."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np
import pytest

from privlib.disclosure import (
    anonymity,
    apply_pram,
    bounds,
    match_matrix,
    match_probability,
    membership_interval,
    pk_level,
    publish,
    ratios,
    retention_matrix,
    risk_report,
    sampling,
)
from privlib.disclosure.anonymity import conditional_poisson_pk_level
from privlib.disclosure.local_dp import local_dp_epsilon
from privlib.research import pram_estimation

pd = pytest.importorskip("pandas")
nx = pytest.importorskip("networkx")

HUGE = 10**400
HALF = retention_matrix(Fraction(1, 2), 2)
FLOATS = HALF.astype(float)
FLIP = [[Fraction(1, 4), Fraction(3, 4)], [Fraction(3, 4), Fraction(1, 4)]]


@pytest.mark.parametrize("s", [1, 7, HUGE // 2, HUGE - 1, HUGE])
def test_membership_among_more_people_than_floats_count(s):
    low, high = membership_interval(HALF, HUGE, n_sampled=s)
    gamma, left = Fraction(1, 3), HUGE - s
    assert low == s * gamma / (s * gamma + left)
    assert high == s / (s + left * gamma)
    below, above = membership_interval(FLOATS, HUGE, n_sampled=s)
    assert Fraction(below) <= low
    assert high <= Fraction(above) <= 1


@pytest.mark.parametrize("digits", [318, 320, 321, 322, 323, 330, 1000])
def test_membership_with_fractions_below_the_floats(digits):
    small = Fraction(3, 10**digits)
    A = [[small, 1 - small], [Fraction(1, 2), Fraction(1, 2)]]
    low, high = membership_interval(A, 10, n_sampled=9)
    assert low == 9 * 2 * small / (9 * 2 * small + 1)
    assert high == 9 / (9 + 2 * small)


def test_a_membership_that_is_wrong_is_noticed(monkeypatch):
    good = bounds.log_extremes

    def lost(A):
        low, high = good(A)
        return low - 1e-6, high

    monkeypatch.setattr(bounds, "log_extremes", lost)
    with pytest.raises(ValueError, match="second computation"):
        membership_interval(HALF, 10, n_sampled=3)


def test_a_label_prints_every_digit_of_its_counts():
    text = str(risk_report([0] * 5 + [1] * 9, FLOATS, population_size=1234567))
    assert "records               1234567\n" in text
    text = str(risk_report([0] * 1234567, np.eye(2), population_size=1234567))
    assert text.count("1234567\n") == 3
    assert str(HUGE) in str(risk_report([0, 0, 1, 1], FLOATS, population_size=HUGE))


def test_bernoulli_samples_at_the_ends_of_numbers():
    tenth = Fraction(1, 10)
    assert sampling._tail_bound(HUGE // 2, HUGE, tenth) < 1e-300
    assert sampling._tail_bound(HUGE // 20, HUGE, tenth) >= 1
    assert 0.4 < sampling._tail_bound(HUGE // 10, HUGE, tenth) < 0.51
    almost = sampling.bernoulli_risk(10, 3, p=1 - Fraction(1, HUGE), failure=1e-9)
    assert (almost.size, almost.risk) == (10, 1)
    hardly = sampling.bernoulli_risk(10, 3, p=Fraction(1, HUGE), failure=1e-9)
    assert (hardly.size, hardly.risk) == (1, Fraction(3, 10))


@pytest.mark.parametrize("digits", [40, 60, 61, 80, 120])
def test_the_tail_of_very_many_people_keeps_its_digits(digits):
    n = 10**digits
    for rate in (Fraction(1, 10), Fraction(1, 3)):
        result = sampling.bernoulli_risk(n, 3, p=rate, failure=1e-9)
        deviations = (result.size - n * rate) / math.isqrt(int(n * rate * (1 - rate)))
        assert 5.997 < float(deviations) < 5.999  # of the normal distribution
        assert 0.999e-9 < result.failure <= 1e-9


@pytest.mark.parametrize(
    ("matrix", "n", "s"),
    [
        (FLIP, 2000, 1000),
        (retention_matrix(Fraction(1, 10**330), 2), 1000, 500),
        (retention_matrix(Fraction(1, 10**3000), 2), 300, 150),
    ],
)
def test_exact_permanents_with_many_digits_are_refused_before_the_work(matrix, n, s):
    start = time.perf_counter()
    with pytest.raises(ValueError, match="steps of method"):
        match_probability([0, 1] * (n // 2), [0, 1] * (s // 2), transition=matrix, record=0, slot=0)
    assert time.perf_counter() - start < 2


def test_a_matrix_of_a_thousand_rows_is_refused_before_the_work():
    A = np.random.default_rng(1).dirichlet([1, 1], 1000)
    start = time.perf_counter()
    with pytest.raises(ValueError, match="steps of method 'generating'"):
        match_matrix(np.arange(1000), [0, 1] * 9, transition=A, by="value")
    assert time.perf_counter() - start < 2


def test_ordinary_permanents_are_still_done():
    for given, n, s in [(FLIP, 100, 50), (retention_matrix(Fraction(0.8), 2), 150, 75)]:
        matrix = np.array(given)
        exact = match_probability([0, 1] * n, [0, 1] * s, transition=matrix, record=0, slot=0)
        floats = match_probability(
            [0, 1] * n, [0, 1] * s, transition=matrix.astype(float), record=0, slot=0
        )
        assert float(exact) == pytest.approx(floats, rel=1e-9)


def test_integers_as_categories_out_of_order_are_no_codes():
    release = pd.Categorical([2, 2, 2, 0], categories=[2, 1, 0])
    with pytest.raises(ValueError, match="must be in order"):
        risk_report(release, np.eye(3), population_size=10)
    with pytest.raises(ValueError, match="must be in order"):
        match_matrix([0, 1, 2, 2, 2], release, transition=np.eye(3))
    A = [[0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]]
    with pytest.raises(ValueError, match="must be in order"):
        apply_pram(pd.Series(release), A)


def test_categories_without_an_order_are_refused():
    with pytest.raises(TypeError, match="must have an order"):
        apply_pram(["a", "b"], FLOATS, categories={"a", "b"})
    with pytest.raises(TypeError, match="must have an order"):
        apply_pram(["a", "b"], FLOATS, categories=frozenset("ab"))


@pytest.mark.parametrize(
    "labels",
    [
        [("a", 1), ("b",)],
        [("a", 1), ("b", 2)],
        [2**53 + 1, 0.5],
        [2**53 + 1, float(2**53)],
    ],
)
def test_labels_come_out_as_they_went_in(labels):
    index = pd.Index(labels, tupleize_cols=False, dtype=object)
    matrix = pd.DataFrame(np.eye(2), index=index, columns=index)
    publication = publish(pd.Series(labels * 3, dtype=object), n_sampled=6, transition=matrix)
    shown = publication.release.tolist()
    assert sorted(map(repr, shown)) == sorted(map(repr, labels * 3))
    assert publication.risk_report().fewest_equal_lines == 3


def test_weights_of_a_graph_do_not_become_zero():
    small = Fraction(1, HUGE)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from(
        [("a", "a", 1 - small), ("a", "b", small), ("b", "a", 0.5), ("b", "b", 0.5)]
    )
    with pytest.raises(ValueError, match="its float is 0"):
        apply_pram(["a", "b"], graph)
    with pytest.raises(ValueError, match="its float is 0"):
        match_probability(["a", "b"], ["b"], transition=graph, record=0, slot=0)


@pytest.mark.parametrize("rare", [1e-320, 1e-30, 1e-12, 1e-8])
def test_a_rare_category_does_not_vanish_from_an_invariant_matrix(rare):
    shares = np.array([rare, 1e8 if rare < 1e-300 else 1.0])
    try:
        R = pram_estimation.invariant_matrix(FLOATS, shares)
    except ValueError:
        assert rare < 1e-300
        return
    kept = sum(Fraction(share) * Fraction(row[0]) for share, row in zip(shares, R))
    assert abs(kept / Fraction(rare) - 1) < 1e-9


def test_an_invariant_matrix_that_loses_a_share_is_noticed():
    with pytest.raises(ValueError, match="relative change of a share"):
        pram_estimation.invariant_matrix(FLOATS, [1e-320, 1e308])


def test_exact_sums_of_floats():
    rng = np.random.default_rng(2)
    for scale in (1e-310, 1, 1e300):
        array = np.concatenate([rng.random(500) * scale, [5e-324, 1.0]])
        assert bounds.exact_sum(array) == sum(map(Fraction, array.tolist()))
    assert bounds.exact_sum(np.empty(0)) == 0


def test_unequal_probabilities_of_many_people_do_not_take_long():
    odds = np.random.default_rng(3).random(100_000) + 0.1
    start = time.perf_counter()
    levels = conditional_poisson_pk_level(FLOATS, odds, n_sampled=1000)
    assert time.perf_counter() - start < 0.8
    least = odds.argmax()
    left = np.delete(np.sort(odds), -1)[: odds.size - 1000]
    exact = 1 + Fraction(1, 3) * sum(map(Fraction, left.tolist())) / Fraction(odds[least])
    exact += Fraction(999, 9)
    assert Fraction(levels[least]) <= exact
    assert float(levels[least]) == pytest.approx(float(exact), rel=1e-12)


def test_the_distance_of_many_equal_rows_does_not_take_long():
    A = np.zeros((300, 304))
    for i in range(300):
        A[i, i : i + 5] = [0.1, 0.2, 0.4, 0.2, 0.1]
    start = time.perf_counter()
    assert pram_estimation.neighbour_delta(A) == pytest.approx(0.4)
    assert time.perf_counter() - start < 1
    assert pk_level(FLOATS, 300) > 1


@pytest.mark.parametrize("keep", [Fraction(1, 2), 0.5])
def test_ratios_that_would_take_hours_are_refused_at_once(keep, monkeypatch):
    """Time is the cube of the number of categories; fractions are slower a thousand times."""
    limit = "MAX_EXACT_RATIOS" if isinstance(keep, Fraction) else "MAX_RATIOS"
    transition = retention_matrix(keep, 10)
    monkeypatch.setattr(ratios, limit, 1000)
    assert pk_level(transition, 20) > 1
    monkeypatch.setattr(ratios, limit, 999)
    calls = [
        lambda: pk_level(transition, 20),
        lambda: anonymity.ratio_minima(transition),
        lambda: anonymity.is_tight(transition),
        lambda: anonymity.homogeneous_worst_case(transition, 20),
    ]
    monkeypatch.setattr(ratios, "MAX_RATIOS", 999)
    calls.append(lambda: local_dp_epsilon(transition))  # in floats whatever the entries are
    for call in calls:
        with pytest.raises(ValueError, match=r"must be at most 999, got 1000; merge categories"):
            call()


def test_a_matrix_of_thousands_of_categories_is_refused_at_once():
    with pytest.raises(ValueError, match=r"pk_level: ratios .* must be at most 20000000000"):
        pk_level(retention_matrix(0.5, 3000), 10**4, n_sampled=10)
