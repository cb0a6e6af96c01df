"""Tests of `privlib.research.binomial_test`: level, privacy, power."""

from __future__ import annotations

import itertools
import math
import re
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from privlib.research.binomial_test import binomial_test
from privlib.research.staircase import Staircase

SHARES = st.floats(0.02, 0.98)


@given(st.integers(1, 60), SHARES, st.floats(0.05, 4), st.floats(1e-4, 0.6))
def test_level_is_exact_and_the_test_is_private(n, null, epsilon, level):
    test = binomial_test(n, null, epsilon=epsilon, level=level)
    assert test.power(null) == pytest.approx(level, rel=1e-8, abs=0)
    limit = math.exp(epsilon) * (1 + 1e-9)
    for chance in (test.chances, 1 - test.chances):
        for a, b in pairwise(chance):
            assert max(a - limit * b, b - limit * a) <= 1e-14
    assert np.all(np.diff(test.chances) >= 0)


@pytest.mark.parametrize(
    ("n", "null", "epsilon", "level"),
    [(20, 0.2, math.log(2), 0.05), (7, 0.5, 0.3, 0.1), (12, 0.7, 2.0, 0.01), (1, 0.4, 1.0, 0.3)],
)
def test_no_private_test_has_more_power(n, null, epsilon, level):
    test = binomial_test(n, null, epsilon=epsilon, level=level)
    b, rows, limits = math.exp(epsilon), [], []
    for i in range(n + 1):
        for j in (i - 1, i + 1):
            if 0 <= j <= n:
                row = np.zeros(n + 1)
                row[i], row[j] = 1, -b
                rows += [row, -row]
                limits += [0.0, b - 1]
    counts = np.arange(n + 1)
    rows.append(stats.binom.pmf(counts, n, null))
    limits.append(level)
    for share in (null + 0.02, (1 + null) / 2, 0.99):
        gain = stats.binom.pmf(counts, n, share)
        best = optimize.linprog(-gain, A_ub=np.array(rows), b_ub=limits, bounds=(0, 1))
        assert test.power(share) == pytest.approx(-best.fun, rel=1e-7, abs=0)


def test_the_noisy_count_decides_as_the_chances_say():
    test = binomial_test(20, 0.2, epsilon=1.0)
    draws = 100_000
    for count in (4, 8, 12):
        released = test.release(np.full(draws, count), rng=count)
        yes = np.mean(released >= test.threshold)
        spread = math.sqrt(test.chances[count] * (1 - test.chances[count]) / draws)
        assert abs(yes - test.chances[count]) < 4 * spread
        small = test.p_value(released) <= test.level
        assert np.array_equal(small, released >= test.threshold)


def test_p_values_are_uniform_under_the_null_and_at_most_the_level_from_the_threshold_on():
    test = binomial_test(30, 0.3, epsilon=0.5, level=0.1)
    assert test.p_value(test.threshold) == pytest.approx(0.1, rel=1e-10, abs=0)
    counts = np.random.default_rng(5).binomial(30, 0.3, size=50_000)
    p = test.p_value(test.release(counts, rng=6))
    assert stats.kstest(p, "uniform").pvalue > 1e-4


def test_shapes_and_the_strong_noise_limit():
    test = binomial_test(5, 0.5, epsilon=50.0, level=1 / 32)  # nearly the test without noise
    assert test.chances.round(6).tolist() == [0, 0, 0, 0, 0, 1]
    assert test.power([[0.1, 0.5], [0.9, 1.0]]).shape == (2, 2)
    assert isinstance(test.power(0.5), float)
    assert isinstance(float(test.release(3, rng=0)), float)
    assert test.noise == Staircase(epsilon=50.0, step=0.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0.5, 1, 0.05), "binomial_test: n must be at least 1, got 0"),
        ((5, 0.0, 1, 0.05), r"binomial_test: null must be in \(0, 1\), got 0.0"),
        ((5, 0.5, 1, 1), r"binomial_test: level must be in \(0, 1\), got 1"),
        ((5, 0.5, 0, 0.5), "epsilon must be positive"),
    ],
)
def test_bad_arguments(arguments, message):
    n, null, epsilon, level = arguments
    with pytest.raises(ValueError, match=message):
        binomial_test(n, null, epsilon=epsilon, level=level)


def test_bad_counts_and_shares():
    test = binomial_test(5, 0.5, epsilon=1)
    with pytest.raises(ValueError, match=r"^release: count must hold integers in 0\.\.5$"):
        test.release(6)
    with pytest.raises(ValueError, match=r"power: share must be in \[0, 1\], got 1.5"):
        test.power(1.5)


def test_numbers_of_every_kind_make_the_same_test():
    test = binomial_test(4, 0.5, epsilon=1.0, level=0.0625)
    for one, kind in itertools.product((np.uint8(1), 1, np.float32(1)), (Fraction, np.float32)):
        other = binomial_test(4, kind(0.5), epsilon=one, level=kind(0.0625))
        assert (other.null, other.level, other.noise) == (0.5, 0.0625, test.noise)
        assert {type(other.null), type(other.level), type(other.noise.epsilon)} == {float}
        assert other.chances.tolist() == test.chances.tolist()
        assert other.p_value([3.3]).tolist() == test.p_value([3.3]).tolist()
    assert binomial_test(4, 0.5, epsilon=Fraction(1), level=0.0625).noise == test.noise


@pytest.mark.parametrize(
    ("n", "epsilon", "level"), [(4, 118, 5.8e-18), (17, 294, 5.9e-20), (17, 294, 2e-16)]
)
def test_levels_between_two_thresholds_in_floats_are_refused(n, epsilon, level):
    with pytest.raises(ValueError, match=r"level must be one that a threshold in floats reaches"):
        binomial_test(n, 0.592, epsilon=epsilon, level=level)


@pytest.mark.parametrize(("n", "null", "level"), [(1, 0.592, 1e-11), (10**5, 1 - 1e-7, 3e-8)])
def test_the_edge_of_the_levels_grows_with_the_number_of_people(n, null, level):
    """Refused below 1e-10 n only, and the message tells the two levels apart."""
    edge = 1e-10 * n
    for epsilon in (50.0, 300.0):
        assert binomial_test(n, null, epsilon=epsilon, level=edge).level == edge
    with pytest.raises(ValueError, match=r"reaches \(not .*\) at this epsilon") as caught:
        binomial_test(n, null, epsilon=50, level=level)
    reached, got = re.search(r"not (\S+)\) .* got (\S+)$", str(caught.value)).groups()
    assert float(got) == level
    assert 1e-6 < abs(float(reached) / level - 1) < 1e-3


@pytest.mark.parametrize("epsilon", [0.5, 5.0, 50.0, 294.0])
def test_the_level_is_reached_or_refused(epsilon):
    """By a sum in fractions, of the chances that the test states."""
    share = Fraction(0.592)
    distribution = [math.comb(9, k) * share**k * (1 - share) ** (9 - k) for k in range(10)]
    reached = 0
    for level in np.logspace(-18, -0.1, 40):
        try:
            test = binomial_test(9, 0.592, epsilon=epsilon, level=level)
        except ValueError:
            assert level < 1e-10
            continue
        reached += 1
        said = sum(p * Fraction(c) for p, c in zip(distribution, test.chances.tolist()))
        assert float(said) == pytest.approx(level, rel=2.001e-6, abs=0)
        assert said <= Fraction(float(level)) * (1 + Fraction(1, 10**9))  # never above
    assert reached > 20
