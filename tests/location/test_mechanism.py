"""Channels and the programmes over them, against enumeration of everybody's moves by name."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from privlib.location import _programme
from privlib.location import mechanism as mech

EXAMPLE = [
    [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
    [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)],
    [Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)],
]
TOWN = [[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]]
HALVES = [[0.5, 0.5], [0.5, 0.5]]


def by_name(before, P):
    """Yield (positions before, positions after, probability) of all moves of named people."""
    start = np.repeat(np.arange(len(before)), before)
    for end in itertools.product(range(len(before)), repeat=len(start)):
        yield start, end, math.prod(P[i][j] for i, j in zip(start, end))


def counts(end, states):
    return tuple(int(n) for n in np.bincount(end, minlength=states))


def posterior_by_name(channel, before, P):
    """Gain about the first person of each state, by Bayes' rule over all named moves."""
    states = len(before)
    order = list(itertools.product(range(sum(before) + 1), repeat=states))
    order = sorted(x for x in order if sum(x) == sum(before))
    joint = {}
    for start, end, chance in by_name(before, P):
        for o, q in enumerate(channel[order.index(counts(end, states))]):
            joint[o] = joint.get(o, 0) + chance * q
            for i in set(start.tolist()):
                u = start.tolist().index(i)
                joint[o, i, end[u]] = joint.get((o, i, end[u]), 0) + chance * q
    return {
        key: value / joint[key[0]] / P[key[1]][key[2]]
        for key, value in joint.items()
        if isinstance(key, tuple) and joint[key[0]] and P[key[1]][key[2]]
    }


@pytest.mark.parametrize(("people", "states"), [(0, 1), (0, 3), (4, 1), (3, 2), (4, 3), (2, 5)])
def test_histograms_are_all_vectors_of_that_total(people, states):
    every = itertools.product(range(people + 1), repeat=states)
    assert [tuple(x) for x in mech.histograms(people, states)] == [
        x for x in every if sum(x) == people
    ]


def test_the_distribution_is_exact_for_fractions():
    distribution = mech.output_distribution([2, 2, 1], EXAMPLE)
    truth = {}
    for _, end, chance in by_name([2, 2, 1], EXAMPLE):
        truth[counts(end, 3)] = truth.get(counts(end, 3), 0) + chance
    inputs = [tuple(x) for x in mech.histograms(5, 3).tolist()]
    assert distribution.tolist() == [truth[x] for x in inputs]
    assert distribution[inputs.index((1, 2, 2))] == Fraction(265, 2048)
    assert distribution.sum() == 1


def test_publishing_the_truth_has_the_gain_of_expected_moves():
    inputs = mech.histograms(5, 3).tolist()
    gains = mech.mechanism_gain([2, 2, 1], EXAMPLE, channel=np.eye(21, dtype=int))
    table = gains[inputs.index([1, 2, 2])]
    moves = [[188, 146, 196], [64, 300, 166], [13, 84, 168]]
    for i, j in itertools.product(range(3), repeat=2):
        assert table[i, j] == Fraction(moves[i][j], 265) / ([2, 2, 1][i] * EXAMPLE[i][j])
    assert max(table.flat) == pytest.approx(1.4792, abs=5e-5)


def test_gains_of_a_channel_are_bayes_rule_over_named_moves():
    before, P = (
        [2, 0, 1],
        [
            [Fraction(1, 2), Fraction(1, 2), Fraction(0)],
            [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
            EXAMPLE[2],
        ],
    )
    rows = np.random.default_rng(5).integers(0, 5, (10, 4)) + np.eye(10, 4, dtype=int)
    channel = [[Fraction(int(n), int(sum(row) + 1)) for n in row] for row in rows]
    channel = [[*row, 1 - sum(row), Fraction(0)] for row in channel]
    gains = mech.mechanism_gain(before, P, channel=channel)
    truth = posterior_by_name(channel, before, P)
    assert gains.shape == (6, 3, 3)
    for key in itertools.product(range(6), range(3), range(3)):
        if key in truth:
            assert gains[key] == truth[key]
        else:  # no prior, no person or no such output
            assert gains[key] != gains[key] or gains[key] == 0
    assert all(g != g for g in gains[5].flat)
    assert all(g != g for g in gains[:, 1].flat)
    assert all(g != g for g in gains[:, 0, 2].flat)


def test_floats_and_fractions_agree():
    channel = np.random.default_rng(2).dirichlet(np.ones(7), 21)
    floats = np.array(EXAMPLE, dtype=float)
    from_floats = mech.mechanism_gain([2, 2, 1], floats, channel=channel)
    from_fractions = mech.mechanism_gain([2, 2, 1], EXAMPLE, channel=channel)
    np.testing.assert_allclose(from_floats, from_fractions.astype(float), rtol=1e-12)


def test_the_average_gain_over_outputs_is_one():
    channel = np.random.default_rng(3).dirichlet(np.ones(6), 21)
    gains = mech.mechanism_gain([2, 2, 1], np.array(EXAMPLE, dtype=float), channel=channel)
    chance = mech.output_distribution([2, 2, 1], np.array(EXAMPLE, dtype=float)) @ channel
    np.testing.assert_allclose(np.tensordot(chance, gains, 1), 1, rtol=1e-12)


# Mean L1 losses for nine people, three in each of three states.
LOSSES = [
    (0.1, 2.229, 3.030), (0.25, 1.763, 2.899), (0.5, 1.015, 2.699), (1.0, 0.165, 2.221),
    (2.0, 0.0001, 1.215),
]  # fmt: skip


@pytest.mark.parametrize(("epsilon", "adversarial", "event"), LOSSES)
def test_losses_of_the_two_programmes(epsilon, adversarial, event):
    best = mech.optimal_mechanism([3, 3, 3], TOWN, epsilon=epsilon)
    private = mech.event_level_mechanism([3, 3, 3], TOWN, epsilon=epsilon)
    assert best.loss == pytest.approx(adversarial, abs=6e-4 if adversarial > 0.01 else 6e-5)
    assert private.loss == pytest.approx(event, abs=6e-4)
    assert best.gain == pytest.approx(math.exp(epsilon), rel=1e-9)  # the constraint binds
    assert private.gain <= math.exp(epsilon) * (1 + 1e-9)
    # The loss is that of the channel, pair by pair.
    for found in (best, private):
        distance = np.abs(found.inputs[:, None] - found.outputs[None]).sum(axis=2)
        assert found.loss == pytest.approx(
            (found.input_distribution[:, None] * found.channel * distance).sum()
        )
        np.testing.assert_allclose(found.channel.sum(axis=1), 1, rtol=1e-9)


def test_gain_of_the_optimum_is_computed_anew_by_name():
    found = mech.optimal_mechanism([2, 1, 1], TOWN, epsilon=0.7)
    truth = posterior_by_name(found.channel, [2, 1, 1], TOWN)
    assert max(truth.values()) == pytest.approx(math.exp(0.7), rel=1e-8)
    assert found.gain == pytest.approx(max(truth.values()), rel=1e-10)


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.5, 0.69])
def test_one_person_in_two_states_has_closed_forms(epsilon):
    # Posterior at most e^eps / 2, against randomised response; an error costs 2 in L1.
    best = mech.optimal_mechanism([1, 0], HALVES, epsilon=epsilon)
    private = mech.event_level_mechanism([1, 0], HALVES, epsilon=epsilon)
    assert best.loss == pytest.approx(2 - math.exp(epsilon), abs=1e-8)
    assert private.loss == pytest.approx(2 / (1 + math.exp(epsilon)), abs=1e-8)


def test_a_level_beyond_the_prior_publishes_the_truth():
    best = mech.optimal_mechanism([1, 0], HALVES, epsilon=0.7)  # e^0.7 > 2
    assert best.loss == pytest.approx(0, abs=1e-9)
    assert best.gain == pytest.approx(2)


def test_optimum_agrees_with_the_programme_over_posteriors():
    # The joint distribution of (input, output) as variables, constraints from enumeration by name,
    # interior point in place of the simplex.
    before, P, epsilon = [2, 1, 1], TOWN, 0.4
    inputs = [tuple(x) for x in mech.histograms(4, 3).tolist()]
    distribution, joint = np.zeros(15), np.zeros((15, 3, 3))
    for start, end, chance in by_name(before, P):
        x = inputs.index(counts(end, 3))
        distribution[x] += chance
        for i in range(3):
            joint[x, i, end[start.tolist().index(i)]] += chance
    ratio = (joint / distribution[:, None, None] / np.array(P)).reshape(15, 9) - math.exp(epsilon)
    distance = np.abs(np.subtract.outer(inputs, inputs)[:, np.arange(3), :, np.arange(3)]).sum(0)
    found = optimize.linprog(
        distance.ravel(), np.kron(ratio.T, np.eye(15)), np.zeros(135),
        np.kron(np.eye(15), np.ones(15)), distribution, method="highs-ipm",
    )  # fmt: skip
    best = mech.optimal_mechanism(before, P, epsilon=epsilon)
    assert best.loss == pytest.approx(found.fun, abs=1e-7)


@pytest.mark.parametrize(
    ("p", "epsilon"), [(0.5, 0.2), (0.5, 1.5), (0.4, 0.3), (0.4, 0.8), (0.2, 0.4)]
)
def test_one_person_with_gains_bounded_on_both_sides(p, epsilon):
    # Posteriors of state 1 between lo and hi; two signals at the ends split the prior p.
    bound = math.exp(epsilon)
    hi, lo = min(p * bound, 1 - (1 - p) / bound), max(p / bound, 1 - (1 - p) * bound)
    weight = (p - lo) / (hi - lo)
    error = weight * min(hi, 1 - hi) + (1 - weight) * min(lo, 1 - lo)
    P = [[p, 1 - p], [0.5, 0.5]]
    both = mech.optimal_mechanism([1, 0], P, epsilon=epsilon, two_sided=True)
    assert both.loss == pytest.approx(2 * error, abs=1e-8)
    assert np.nanmin(both.gains) >= math.exp(-epsilon) * (1 - 1e-8)
    if p == 0.5:
        assert both.loss == pytest.approx(math.exp(-epsilon), abs=1e-8)


@pytest.mark.parametrize(("epsilon", "loss"), [(0.25, 1.857), (0.5, 1.139), (1.0, 0.364)])
def test_both_sides_cost_more_than_one_and_less_than_event_level_privacy(epsilon, loss):
    both = mech.optimal_mechanism([3, 3, 3], TOWN, epsilon=epsilon, two_sided=True)
    one = mech.optimal_mechanism([3, 3, 3], TOWN, epsilon=epsilon)
    event = mech.event_level_mechanism([3, 3, 3], TOWN, epsilon=epsilon)
    assert one.loss < both.loss < event.loss
    assert both.loss == pytest.approx(loss, abs=6e-4)
    truth = posterior_by_name(
        mech.optimal_mechanism([2, 1, 1], TOWN, epsilon=epsilon, two_sided=True).channel,
        [2, 1, 1], TOWN,
    )  # fmt: skip
    assert math.exp(-epsilon) - 1e-7 <= min(truth.values())
    assert max(truth.values()) <= math.exp(epsilon) + 1e-7


def test_an_estimate_of_another_total_can_be_nearer():
    # One person, three equal places, level 0.05: nobody anywhere is off by 1 in L1, always.
    best = mech.optimal_mechanism([1, 0, 0], np.full((3, 3), 1 / 3), epsilon=0.05)
    assert best.loss == pytest.approx(1.299, abs=6e-4)
    assert best.loss > 1


def test_event_level_privacy_holds_for_neighbours_and_only_costs():
    found = mech.event_level_mechanism([2, 1, 1], TOWN, epsilon=1.3)
    distance = np.abs(found.inputs[:, None] - found.inputs[None]).sum(axis=2)
    x, y = np.nonzero(distance == 2)
    assert (found.channel[x] <= math.exp(1.3) * found.channel[y] + 1e-9).all()
    assert (found.channel[x] > 1.5 * found.channel[y]).any()


def test_both_programmes_fall_with_epsilon_and_start_at_a_constant():
    distribution = mech.output_distribution([2, 1, 1], TOWN)
    inputs = mech.histograms(4, 3)
    constant = (distribution @ np.abs(inputs[:, None] - inputs[None]).sum(axis=2)).min()
    assert mech.event_level_mechanism([2, 1, 1], TOWN, epsilon=0).loss == pytest.approx(constant)
    for solve in (mech.optimal_mechanism, mech.event_level_mechanism):
        losses = [solve([2, 1, 1], TOWN, epsilon=e).loss for e in (0, 0.2, 0.5, 1)]
        assert losses[0] <= constant + 1e-9
        assert (np.diff(losses) < -1e-3).all()


def test_a_loss_of_ones_own():
    ones = 1.0 - np.eye(15)
    best = mech.optimal_mechanism([2, 1, 1], TOWN, epsilon=0.4, loss=ones)
    label = [best.inputs.tolist().index(o) for o in best.outputs.tolist()]
    right = sum(
        p * best.channel[x, label.index(x)]
        for x, p in enumerate(best.input_distribution)
        if x in label
    )
    assert best.loss == pytest.approx(1 - right)
    other = mech.optimal_mechanism([2, 1, 1], TOWN, epsilon=0.4)
    assert other.loss < (best.input_distribution @ (best.channel * np.abs(
        best.inputs[:, None] - best.outputs[None]).sum(axis=2)).sum(axis=1))  # fmt: skip


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.floats(0.05, 3))
def test_event_level_privacy_implies_adversarial_privacy(seed, epsilon):
    rng = np.random.default_rng(seed)
    states = int(rng.integers(2, 4))
    before = rng.multinomial(4, np.full(states, 1 / states))
    P = rng.dirichlet(np.full(states, 0.5), states)
    inputs = mech.histograms(4, states)
    # The exponential mechanism with a random score of sensitivity 1, half of it as the level.
    score = np.abs(inputs[:, None] - rng.uniform(-1, 5, (6, states))[None]).sum(axis=2) / 2
    channel = np.exp(-epsilon / 2 * score)
    channel /= channel.sum(axis=1, keepdims=True)
    gains = mech.mechanism_gain(before, P, channel=channel)
    assert np.nanmax(gains) <= math.exp(epsilon) * (1 + 1e-9)


def test_a_deterministic_mechanism_merges_equal_releases():
    releases = np.array([[1, 1], [1 + 1e-12, 1], [2, 0]])
    found = mech.deterministic_mechanism([2, 0], HALVES, releases=releases)
    assert found.outputs.tolist() == [[1, 1], [2, 0]]
    assert found.output_distribution.tolist() == [0.75, 0.25]
    assert found.loss == pytest.approx(0.25 * 2)
    # (2, 0) tells all; (1, 1) stands for the truths (0, 2) and (1, 1).
    np.testing.assert_allclose(found.gains[:, 0], [[2 / 3, 4 / 3], [2, 0]])
    np.testing.assert_allclose(found.worst, [4 / 3, 2])
    assert found.gain == 2
    assert found.violation(math.log(1.9)) == 0.25
    assert found.violation(math.log(2.1)) == 0
    assert found.violation(0.1) == 1


def test_a_deterministic_mechanism_is_exact_for_fractions():
    half = Fraction(1, 2)
    found = mech.deterministic_mechanism(
        [2, 0], [[half, half], [half, half]], releases=[[1, 1], [1, 1], [2, 0]]
    )
    assert found.gain == Fraction(2)
    assert found.worst.tolist() == [Fraction(4, 3), Fraction(2)]
    assert found.violation(0.6) == Fraction(1, 4)


def test_outputs_that_cannot_occur_have_no_gain():
    P = [[Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(1, 2)]]
    found = mech.deterministic_mechanism([2, 0], P, releases=np.diag([1, 2, 3])[:, :2])
    assert found.gain == 1
    assert [w == w for w in found.worst] == [p > 0 for p in found.output_distribution]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mech.histograms(-1, 2), "histograms: people must be at least 0, got -1"),
        (lambda: mech.histograms(3, 0), "histograms: states must be at least 1"),
        (lambda: mech.histograms(100, 10), "histograms: 100 people in 10 states have"),
        (lambda: mech.histograms(150, 4), "states have 585276 histograms, more than 500000"),
        (lambda: mech.output_distribution([0, 0], HALVES), "before must count somebody"),
        (
            lambda: mech.output_distribution([500] * 14, np.full((14, 14), 1 / 14)),
            "too many histograms",
        ),
        (
            lambda: mech.output_distribution([1.5, 0.5], HALVES),
            "before must be a histogram of whole",
        ),
        (lambda: mech.mechanism_gain([2, 0], HALVES, channel=np.eye(2)), "each of the 3"),
        (
            lambda: mech.mechanism_gain([2, 0], HALVES, channel=2 * np.eye(3)),
            "every row of channel must sum to 1, got 2.0 in row 0",
        ),
        (
            lambda: mech.mechanism_gain([2, 0], HALVES, channel=np.full((3, 1), np.nan)),
            "channel must be finite, got nan",
        ),
        (
            lambda: mech.mechanism_gain([2, 0], HALVES, channel=[[-1, 2]] * 3),
            "channel must be without negative entries, got -1",
        ),
        (
            lambda: mech.deterministic_mechanism([2, 0], HALVES, releases=np.ones((2, 2))),
            r"releases must have shape \(3, 2\), got \(2, 2\)",
        ),
        (lambda: mech.optimal_mechanism([2, 0], HALVES, epsilon=-1), "epsilon must not be neg"),
        (lambda: mech.event_level_mechanism([2, 0], HALVES, epsilon=-1), "epsilon must not be"),
        (lambda: mech.optimal_mechanism([2, 0], HALVES, epsilon=1, loss="L2"), "must be one of L1"),
        (
            lambda: mech.optimal_mechanism([2, 0], HALVES, epsilon=1, loss=np.eye(2)),
            r"loss must have shape \(3, 3\), got \(2, 2\)",
        ),
        (
            lambda: mech.optimal_mechanism([2, 0], HALVES, epsilon=16),
            "optimal_mechanism: epsilon must be at most 15, got 16",
        ),
        (
            lambda: mech.event_level_mechanism([2, 0], HALVES, epsilon=16),
            "event_level_mechanism: epsilon must be at most 15, got 16",
        ),
        (
            lambda: mech.optimal_mechanism([40, 0, 0], TOWN, epsilon=1),
            "at most 600 histograms can be enumerated, got 861",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_at_the_largest_level_the_truth_is_published():
    for loss in (
        mech.optimal_mechanism([2, 1], HALVES, epsilon=15).loss,
        mech.optimal_mechanism([2, 1], HALVES, epsilon=15, two_sided=True).loss,
        mech.event_level_mechanism([2, 1], HALVES, epsilon=15).loss,
    ):
        assert 0 <= loss < 1e-4


def test_wrong_types_are_named():
    with pytest.raises(TypeError, match="people must be an integer"):
        mech.histograms(2.0, 2)
    with pytest.raises(TypeError, match="channel must hold real numbers"):
        mech.mechanism_gain([2, 0], HALVES, channel=[["a"]] * 3)


def test_a_programme_that_is_not_solved_raises(monkeypatch):
    def give_up(*args, **options):
        return optimize.OptimizeResult(status=4, message="numerical trouble", x=None)

    monkeypatch.setattr(optimize, "linprog", give_up)
    with pytest.raises(
        mech.SolverError, match="the linear programme was not solved: numerical trouble"
    ):
        mech.optimal_mechanism([2, 0], HALVES, epsilon=1)


def test_rare_outputs_join_the_most_frequent_one(monkeypatch):
    every = mech.optimal_mechanism([2, 1, 1], TOWN, epsilon=0.4)
    monkeypatch.setattr(_programme, "RARE", 0.05)
    monkeypatch.setattr(mech, "NEAR_LEAST", 1.0)  # what is that rare costs more than rounding
    fewer = mech.optimal_mechanism([2, 1, 1], TOWN, epsilon=0.4)
    rare = every.output_distribution <= 0.05
    assert 0 < rare.sum() < len(rare)
    expected = every.output_distribution.copy()
    expected[expected.argmax()] += expected[rare].sum()
    np.testing.assert_allclose(fewer.output_distribution, expected[~rare])
    assert fewer.outputs.tolist() == every.outputs[~rare].tolist()


def test_floats_is_true_or_false():
    with pytest.raises(TypeError, match="f: floats must be True or False, got 'False'"):
        mech.AttackProblem.make("f", [2, 0], transition=[[0.5, 0.5]] * 2, floats="False")
