"""Tests of `privlib.research.auditing`: honest mechanisms, planted faults, and the counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from privlib.laplace.discrete import mironov_attack, naive_sampler
from privlib.research.auditing import audit
from privlib.research.staircase import Staircase


def laplace(scale):
    return lambda counts, rng: counts + rng.laplace(0.0, scale, counts.shape)


def geometric(epsilon):
    p = 1 - math.exp(-epsilon)
    return lambda v, rng: v + rng.geometric(p, v.shape) - rng.geometric(p, v.shape)


def staircase(epsilon):
    return lambda v, rng: v + Staircase(epsilon=epsilon).sample(v.shape, rng=rng)


def coin(epsilon):
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    return lambda bits, rng: bits ^ (rng.random(bits.shape) > truth)


@pytest.mark.parametrize("make", [lambda e: laplace(1 / e), geometric, staircase, coin])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_the_bound_is_below_the_truth_and_near(make, epsilon):
    value = (False, True) if make is coin else (0, 1)
    found = audit(make(epsilon), *value, rng=1, confidence=0.999)
    assert 0.8 * epsilon < found.epsilon <= epsilon
    assert found.confidence == 0.999


@pytest.mark.parametrize("pair", [(0, 1), (1, 0)])
def test_a_one_sided_leak_is_found_in_both_orders(pair):
    """Input 1 gives 7 once in a hundred, input 0 never; all else is alike."""

    def mechanism(values, rng):
        answers = rng.integers(0, 5, values.shape)
        return np.where((values == 1) & (rng.random(values.shape) < 0.01), 7, answers)

    found = audit(mechanism, *pair, rng=2)
    assert found.epsilon > 4
    assert found.swapped == (pair == (0, 1))
    assert found.hits[0] > 800
    assert found.hits[1] == 0
    assert found.event[0, 0] < 7 <= found.event[-1, 1]


def test_a_rare_leak_in_the_tail_is_found():
    """Input 1 adds 100 once in a thousand; the tail beyond holds one draw in a thousand."""

    def mechanism(values, rng):
        rare = 100 * (rng.random(values.shape) < 0.001)
        return values * rare + rng.laplace(0.0, 1.0, values.shape)

    assert audit(mechanism, 0, 1, rng=3).epsilon > 2


def test_sets_of_values_are_found_where_no_threshold_tells():
    """Parity tells the inputs apart and no threshold does."""

    def mechanism(values, rng):
        even = rng.random(values.shape) < np.where(values == 1, 0.75, 0.25)
        return 2 * rng.integers(0, 50, values.shape) + ~even

    found = audit(mechanism, 0, 1, rng=3)
    assert 1.0 < found.epsilon < math.log(3)
    odd, even = found.event.T[::-1]
    assert np.all(odd % 2 == 1)
    assert np.all(odd - even == 1)


def test_the_counts_are_those_of_the_event_and_the_bound_is_theirs():
    seen = []

    def mechanism(values, rng):
        seen.append(values + rng.laplace(0.0, 0.5, values.shape))
        return seen[-1]

    found = audit(mechanism, 0.0, 1.0, rng=4, draws=20_001, confidence=0.9)
    assert found.draws == 10_001
    low, high = found.event.T
    sides = seen[::-1] if found.swapped else seen
    hits = [
        int(((side[10_000:, None] > low) & (side[10_000:, None] <= high)).sum()) for side in sides
    ]
    assert tuple(hits) == found.hits
    p = stats.binomtest(hits[0], 10_001).proportion_ci(0.9, method="exact").low
    q = stats.binomtest(hits[1], 10_001).proportion_ci(0.9, method="exact").high
    assert found.epsilon == pytest.approx(math.log(p / q), rel=1e-9, abs=0)


def test_databases_are_copied_along_the_first_axis():
    def mean(databases, rng):
        assert databases.shape == (1000, 4)
        return databases.mean(axis=1) + rng.laplace(0, 0.25, len(databases))

    assert audit(mean, [0, 1, 1, 0], [1, 1, 1, 0], rng=5, draws=1000).epsilon < 1


@pytest.mark.parametrize(
    ("mechanism", "epsilon"),
    [
        (laplace(0.5), 1.0),  # half the scale that epsilon 1 asks for
        (lambda v, rng: 2 * v + rng.laplace(0.0, 1.0, v.shape), 1.0),  # sensitivity 2 forgotten
        (lambda v, rng: np.round(v + rng.laplace(0.0, 1.0, v.shape)) + 1e-9 * v, 1.0),
    ],
)
def test_planted_faults_are_found(mechanism, epsilon):
    assert audit(mechanism, 0.0, 1.0, rng=6).epsilon > 1.5 * epsilon


def test_the_low_bits_of_the_naive_sampler_are_found():
    def leak(values, rng):
        released = values + naive_sampler(values.shape, scale=10.0, rng=rng)
        return mironov_attack(released, 1.0, scale=10.0)

    assert audit(leak, 0.0, 1.0, rng=7).epsilon > 8


def test_an_honest_mechanism_is_accused_no_more_often_than_stated():
    """600 audits at confidence 0.7, where accusations would be common if the halves leaked."""
    rng = np.random.default_rng(8)
    mechanism = geometric(1.0)
    accused = sum(
        audit(mechanism, 0, 1, rng=rng, draws=400, confidence=0.7).epsilon > 1 for _ in range(600)
    )
    assert accused <= stats.binom.isf(1e-3, 600, 0.3)
    assert accused > 10  # it is not merely timid


def test_a_mechanism_that_ignores_its_input_gets_no_bound():
    for answers in (lambda v, rng: rng.random(v.shape), lambda v, rng: np.zeros(v.shape)):
        assert audit(answers, 0, 1, rng=9, draws=2000, confidence=0.999).epsilon == 0


def test_the_least_audit():
    found = audit(lambda v, rng: v, 0, 1, rng=0, draws=4, confidence=0.5)
    assert found.draws == 2
    assert found.epsilon == 0 or math.isfinite(found.epsilon)


@pytest.mark.parametrize(
    ("mechanism", "kind", "message"),
    [
        (lambda v, rng: 1.0, ValueError, r"must have shape \(100,\), got \(\)"),
        (lambda v, rng: v + math.nan, ValueError, "what the mechanism returns must be finite"),
        (lambda v, rng: np.full(v.shape, "yes"), TypeError, "must hold real numbers"),
    ],
)
def test_bad_answers(mechanism, kind, message):
    with pytest.raises(kind, match=message):
        audit(mechanism, 0.0, 1.0, rng=0, draws=100)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"draws": 3}, "audit: draws must be at least 4, got 3"),
        ({"confidence": 1}, r"audit: confidence must be in \(0, 1\), got 1"),
        ({"confidence": 1.2}, "audit: confidence must be a probability"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        audit(laplace(1.0), 0.0, 1.0, rng=0, **arguments)


def test_what_is_under_a_mask_is_not_audited():
    def noisy(copies, rng):
        return copies.sum(axis=1) + rng.laplace(0.0, 1.0, len(copies))

    hidden = np.ma.masked_array([0.0, 1.0], mask=[False, True])
    for name in ("x", "y"):
        databases = {"x": [0.0, 1.0], "y": [1.0, 1.0], name: hidden}
        with pytest.raises(TypeError, match=f"audit: {name} must be without a mask"):
            audit(noisy, **databases, draws=100)
    with pytest.raises(TypeError, match="what the mechanism returns must be without a mask"):
        audit(lambda copies, rng: np.ma.masked_array(copies), 0.0, 1.0, draws=100)
