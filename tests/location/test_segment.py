"""The feasible weights, against linear programmes and finer and finer steps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlib.location import gain, release, segment
from privlib.location.segment import _breakpoints, _within

from .segment_oracles import (
    EXAMPLE,
    FOUR,
    LATE,
    PI4,
    SWAP,
    X4,
    infinitesimal_savings,
    inside,
    largest,
    least_cost,
    person_savings,
    possible_savings,
    situation,
    unit,
)


@pytest.mark.slow
def test_the_feasible_weights_are_two_intervals():
    found = segment.feasible_intervals(PI4, X4, transition=FOUR, epsilon=0.7, unit="person")
    np.testing.assert_allclose(found, [[0.474532, 0.525073], [0.612500, 1]], atol=5e-7)
    # A little inside and a little outside of every end, from linear programmes.
    x = np.array(X4)
    for at, feasible in [(found[0, 0], 1), (found[0, 1], -1), (found[1, 0], 1)]:
        for side in (1, -1):
            top = largest(person_savings, at + 1e-5 * side, PI4, x, FOUR)
            assert (top <= math.exp(0.7)) == (side == feasible)


@pytest.mark.parametrize(("epsilon", "smallest"), [(0.25, 0.7293), (0.5, 0.4587), (0.75, 0.1880)])
def test_smallest_weights_of_the_papers_example(epsilon, smallest):
    found = release.private_histogram(
        [2, 2, 1], [1, 2, 2], transition=EXAMPLE, epsilon=epsilon, unit="person"
    )
    assert found.alpha == pytest.approx(smallest, abs=5e-5)
    assert found.gain == pytest.approx(math.exp(epsilon), rel=1e-7)  # the constraint binds
    assert found.histogram.sum() == pytest.approx(5)
    steps = release.private_histogram(
        [2, 2, 1], [1, 2, 2], transition=EXAMPLE, epsilon=epsilon, step=5e-3, unit="person"
    )
    assert found.alpha <= steps.alpha + 1e-9 <= found.alpha + 5e-3 + 1e-9


@pytest.mark.parametrize("adversary", ["NPK", "MK"])
@pytest.mark.parametrize("seed", range(4))
def test_person_intervals_against_linear_programmes(seed, adversary):
    P, before, x, rng = situation(seed, 3, 12)
    x = np.maximum(x, 1)
    x[x.argmax()] -= x.sum() - before.sum()
    low = np.minimum(before @ P, x).min()
    if low < 1:
        P = 0.5 * P + 0.5 / 3
    found = segment.feasible_intervals(
        before, x, transition=P, epsilon=0.3, unit="person", adversary=adversary
    )
    for at in [*rng.uniform(0, 1, 8), max(found[0, 0] - 1e-5, 0), found[0, 0] + 1e-5]:
        if at > 1:
            continue
        end = before @ P
        point = (1 - at) * x + at * end
        if adversary == "MK":  # a person's mass stays unrouted, wherever it is cheapest

            def savings(h, left=before, P=P):
                base = least_cost(left, h, P)
                return [base - least_cost(left, h - unit(3, j), P, slack=True) for j in range(3)]

            top = np.subtract(savings(point), savings(end)).max()
        else:
            top = math.log(largest(person_savings, at, before, x, P))
        assert inside(found, at) == (top <= 0.3 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("adversary", ["NPK", "MK"])
def test_a_guess_binds_from_the_weight_on_that_has_a_whole_person(adversary):
    before, x, end = [6, 0, 4, 3], np.array([2, 7, 0, 4]), np.array([8.1, 1.1, 1.8, 2])
    P = np.array(LATE) / 10
    options = {"transition": P, "unit": "person", "adversary": adversary}
    found = segment.feasible_intervals(before, x, epsilon=0.6, **options)
    assert len(found) == (2 if adversary == "NPK" else 1)
    grid = np.linspace(0, 1, 1001)
    met = [gain.max_gain(before, (1 - t) * x + t * end, **options) <= math.exp(0.6) for t in grid]
    # A piece ends where a guess becomes possible, and its last point may be broken already.
    skip = np.isin(grid, found.round(9))
    assert [inside(found, t) for t in grid[~skip]] == np.array(met)[~skip].tolist()
    stepped = release.private_histogram(before, x, epsilon=0.6, step=0.001, **options)
    best = release.private_histogram(before, x, epsilon=0.6, **options)
    assert 0 <= stepped.alpha - best.alpha < 0.001 + 1e-9


def test_a_guess_that_becomes_possible_at_the_prediction_only_binds_nothing():
    # From (5, 0) the prediction is (4, 1): one person at 1 at the very end of the walk.
    P = [[0.8, 0.2], [0.5, 0.5]]
    for adversary in ("NPK", "MK"):
        found = segment.feasible_intervals(
            [5, 0], [5, 0], transition=P, epsilon=0.1, unit="person", adversary=adversary
        )
        assert found.tolist() == [[0, 1]]


def test_a_guess_that_has_no_prior_is_noticed_where_it_is_possible_at_the_prediction_only():
    P = np.array([[0, 0, 1], [5, 1, 0], [0, 1, 5]]) / [[1], [6], [6]]
    for call in (segment.feasible_intervals, release.private_histogram):
        with pytest.raises(gain.UndefinedGainError):
            call([5, 4, 2], [4, 0, 7], transition=P, epsilon=0.5)


def test_a_guess_is_late_where_the_others_cannot_do_without_her():
    # "From 1 to 2" leaves (3, 4) to make (4 - 2a, 3 + 2a), and only the three can be at 1.
    P = [[0.5, 0.5], [0, 1]]
    options = {"transition": P, "epsilon": 0.1}
    assert segment.feasible_intervals([4, 4], [4, 4], **options).tolist() == [[0, 1]]
    for step in (None, 0.25):
        found = release.private_histogram([4, 4], [4, 4], step=step, **options)
        assert (found.alpha, found.gain) == (0, pytest.approx(1))
    end = np.array([2, 6])
    for at in (0.4, 0.49, 0.51, 0.6):
        point = (1 - at) * np.array([4, 4]) + at * end
        assert (gain.gain_table([4, 4], point, transition=P)[0, 1] > 0) == (at > 0.5)
    # Here she can be spared at the very end of the walk, at (1, 7).
    assert segment.feasible_intervals([2, 6], [2, 6], **options).tolist() == [[0, 1]]
    nearly = {**options, "transition": [[0.5, 0.5 + 1e-10], [0, 1]]}  # a row that rounding moved
    assert np.allclose(segment.feasible_intervals([4, 4], [4, 4], **nearly), [[0, 1]])
    P = [[0.6, 0.4], [0, 1]]  # and here never
    for call in (segment.feasible_intervals, release.private_histogram):
        with pytest.raises(gain.UndefinedGainError, match=r"cannot be (routed|joined)"):
            call([2, 2], [2, 2], transition=P, epsilon=0.1)


@pytest.mark.parametrize(
    ("adversary", "before", "x", "moves", "guess", "start", "epsilon"),
    [  # Where she goes there was nobody, or a fifth of one; for MK her gain grows from 1.
        ("NPK", [6, 0, 4, 3], [2, 7, 0, 4], LATE, (0, 2), 5 / 9, 0.6),
        ("NPK", [6, 0, 4, 3], [2, 6.8, 0.2, 4], LATE, (0, 2), 1 / 2, 0.7),
        ("MK", [3, 5, 7, 3], [0, 0, 3, 15],
         [[5, 23, 68, 4], [0, 0, 0, 100], [77, 0, 0, 23], [0, 90, 0, 10]], (0, 0), 1 / 5.54, 0.05),
        # The others could not do without her.
        ("NPK", [1, 3, 4, 3], [0, 0, 7, 4],
         [[5, 0, 3, 2], [2, 5, 0, 3], [0, 4, 6, 0], [0, 8, 2, 0]], (0, 2), 5 / 9, 1.4),
    ],
)  # fmt: skip
def test_a_late_guess_may_be_the_one_that_binds(adversary, before, x, moves, guess, start, epsilon):
    x, P = np.array(x), np.array(moves) / sum(moves[0])
    end = before @ P
    prior = possible_savings(before, end, P, adversary)
    found = segment.feasible_intervals(
        before, x, transition=P, epsilon=epsilon, unit="person", adversary=adversary
    )
    others = []  # the largest gain of the others where hers is too large
    for at in [*np.linspace(start - 0.05, 1, 25), start + 1e-6]:
        over = possible_savings(before, (1 - at) * x + at * end, P, adversary)
        over -= np.where(np.isfinite(prior), prior, 0)
        assert np.isneginf(over[guess]) == (at < start)
        assert inside(found, at) == (over.max() <= epsilon + 1e-9)
        hers, over[guess] = over[guess], -np.inf
        others += [over.max()] if hers > epsilon else []
    # In no town that was tried for MK was hers alone too large.
    assert min(others) < epsilon or adversary == "MK"


@pytest.mark.parametrize("seed", range(6))
def test_person_intervals_with_impossible_moves(seed):
    # Some guess is late in each: the others cannot make the truth without her.
    rng, late = np.random.default_rng(seed), 0
    while late < 5:
        P = np.where(rng.random((3, 3)) < 0.4, 0, rng.dirichlet(np.ones(3), 3))
        before = rng.integers(1, 6, 3)
        if (P.sum(axis=1) == 0).any() or (P > 0).all():
            continue
        P /= P.sum(axis=1, keepdims=True)
        x, end = sum(rng.multinomial(n, row) for n, row in zip(before, P)), before @ P
        if ((end > 0) & (end < 1)).any():
            continue

        if not ((P > 0) & (x >= 1) & np.isinf(possible_savings(before, x, P))).any():
            continue
        prior = possible_savings(before, end, P)
        if not np.isfinite(prior[P > 0]).all():
            continue
        late += 1
        epsilon = rng.choice([0.05, 0.2, 0.5])
        found = segment.feasible_intervals(before, x, transition=P, epsilon=epsilon)
        for at in rng.random(4):
            saved = possible_savings(before, (1 - at) * x + at * end, P)
            top = (saved - np.where(P > 0, prior, 0)).max()
            assert inside(found, at) == (top <= epsilon + 1e-9)


@pytest.mark.parametrize("adversary", ["NPK", "MK"])
@pytest.mark.parametrize(("seed", "states"), [(0, 2), (1, 3), (2, 3), (3, 4)])
def test_infinitesimal_intervals_against_the_face_of_duals(seed, states, adversary):
    P, before, x, rng = situation(seed, states, 15)
    found = segment.feasible_intervals(
        before, x, transition=P, epsilon=0.3, unit="infinitesimal", adversary=adversary
    )
    assert found[-1, 1] == 1
    near = [found[0, 0] + 1e-4, found[0, 0] - 1e-4]
    for at in [*rng.uniform(0.01, 0.99, 5), *near]:
        if 0 < at < 1:
            top = largest(infinitesimal_savings, at, before, x, P, adversary)
            assert inside(found, at) == (top <= math.exp(0.3) * (1 + 1e-6))


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 6), st.floats(0.05, 1.5))
@pytest.mark.slow
def test_no_step_finds_less_than_the_smallest_weight(seed, states, epsilon):
    P, before, x, _ = situation(seed, states, 40)
    best = release.private_histogram(before, x, transition=P, epsilon=epsilon, unit="infinitesimal")
    assert best.gain <= math.exp(epsilon) * (1 + 1e-8)
    intervals = segment.feasible_intervals(
        before, x, transition=P, epsilon=epsilon, unit="infinitesimal"
    )
    assert best.alpha == intervals[0, 0]
    steps = release.private_histogram(
        before, x, transition=P, epsilon=epsilon, unit="infinitesimal", step=0.03
    )
    assert best.alpha <= steps.alpha + 1e-9
    # The first multiple of the step that is feasible, told by the intervals alone.
    grid = np.minimum(np.arange(35) * 0.03, 1)
    first = next(a for a in grid if inside(intervals + np.array([-1e-9, 1e-9]), a))
    assert steps.alpha == pytest.approx(first)
    assert (
        steps.gains[-1] <= math.exp(epsilon) * (1 + 1e-8) < np.append(steps.gains[:-1], 9e9).min()
    )
    np.testing.assert_allclose(
        steps.histogram, (1 - steps.alpha) * x + steps.alpha * (before @ P), atol=1e-9
    )


def test_breakpoints_of_a_known_curve():
    lines = np.array([[3.0, -5.0], [1.5, -1.0], [0.7, 0.0], [-2.0, 3.0]])  # value at 0, slope

    def line(at):
        values = lines @ [1, at]
        k = values.argmax()
        return float(values[k]), float(lines[k, 1])

    grid, values = _breakpoints(line)
    # 3 - 5a = 1.5 - a, 1.5 - a = 0.7, 0.7 = 3a - 2
    assert grid == pytest.approx([0, 0.375, 0.8, 0.9, 1])
    np.testing.assert_allclose(values, [(lines @ [1, at]).max() for at in grid])
    straight, _ = _breakpoints(lambda at: (2 + 3 * at, 3.0))
    assert straight.tolist() == [0, 1]


def test_within_finds_crossings_and_merges():
    grid = np.array([0.0, 0.5, 1.0])

    def within(*heights):
        table = np.array(heights, dtype=float)
        return _within(grid, table[:, :-1], table[:, 1:], 1.0)

    assert within([0, 2, 0]).tolist() == [[0, 0.25], [0.75, 1]]
    assert within([0, 1, 0]).tolist() == [[0, 1]]
    assert within([0, 2, 0], [2, 0, 0]).tolist() == [[0.25, 0.25], [0.75, 1]]
    assert within([2, 2, 2]).shape == (0, 2)


BAD = [
    (
        lambda: segment.feasible_intervals(
            [2, 2], [2, 2], transition=SWAP, epsilon=1, definition="bridge"
        ),
        "definition='bridge' has no exact breakpoints, give a step",
    ),
    (
        lambda: segment.feasible_intervals([4, 0], [4, 0], transition=SWAP, epsilon=1),
        "prediction has the mass 0.4 in state 0",
    ),
    (
        lambda: segment.feasible_intervals(
            [2, 0], [0, 2], transition=np.eye(2), epsilon=1, unit="infinitesimal"
        ),
        "cannot be routed from before .*: the gain is not defined",
    ),
    (
        lambda: segment.feasible_intervals(
            [2, 0], [0, 2], transition=np.eye(2), epsilon=1, adversary="MK", definition="exact"
        ),
        "cannot be routed from before .*: the gain is not defined",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
