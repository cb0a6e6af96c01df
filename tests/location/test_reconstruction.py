"""The truth behind a release of Algorithm 1, and an attacker who knows the algorithm."""

from __future__ import annotations

import numpy as np
import pytest

from privlib.location import mechanism, reconstruction, release

from .segment_oracles import (
    SWAP,
    TOWN,
    situation,
)


@pytest.mark.slow
def test_algorithm_1_against_an_attacker_who_knows_it():
    inputs = mechanism.histograms(9, 3)
    releases = [
        release.private_histogram(
            [3, 3, 3], x, transition=TOWN, epsilon=1, unit="infinitesimal", step=0.01
        ).histogram
        for x in inputs
    ]
    known = mechanism.deterministic_mechanism([3, 3, 3], TOWN, releases=releases)
    assert len(inputs) == len(known.outputs) == 55
    assert known.gain == pytest.approx(10)
    assert known.violation(1) == pytest.approx(0.1753, abs=5e-5)
    raw = mechanism.deterministic_mechanism([3, 3, 3], TOWN, releases=inputs)
    assert known.gain == pytest.approx(raw.gain)  # it hides nothing
    optimum = mechanism.optimal_mechanism([3, 3, 3], TOWN, epsilon=1)
    assert optimum.loss < 0.2 < 1.4 < known.loss < 1.5


@pytest.mark.parametrize("alpha", [0, 0.05, 0.4, 0.65, 0.95])
def test_points_of_the_segment_are_inverted(alpha):
    P, before, x, _ = situation(int(alpha * 100), 14, 669)
    end = before @ P
    point = (1 - alpha) * x + alpha * end
    for step in (0.05, None):
        (hit,) = reconstruction.reconstruct_true(before, point, transition=P, step=step)
        assert hit[0] == pytest.approx(alpha)
        assert hit[1].tolist() == x.tolist()
        assert reconstruction.reconstruct_true(before, end, transition=P, step=step) == []


@pytest.mark.parametrize("step", [None, 0.1])
def test_what_is_published_as_the_prediction_may_be_the_truth(step):
    options = {"transition": [[0.75, 0.25], [0.25, 0.75]]}
    found = release.private_histogram([2, 2], [2, 2], epsilon=0.1, step=step, **options)
    assert (found.alpha, found.histogram.tolist()) == (0, [2, 2])
    ((alpha, x),) = reconstruction.reconstruct_true([2, 2], found.histogram, step=step, **options)
    assert (alpha, x.tolist()) == (0, [2, 2])
    # Not if the prediction is no whole histogram.
    assert reconstruction.reconstruct_true([3, 0], [2.25, 0.75], step=step, **options) == []


def test_several_truths_may_share_a_release():
    stay = {"transition": [[0.8, 0.2], [0.2, 0.8]], "step": 0.05}
    for k in (4, 7, 8):  # (1 − α) k + 10 α = 9.7
        found = release.private_histogram([10, 10], [k, 20 - k], epsilon=1, **stay)
        np.testing.assert_allclose(found.histogram, [9.7, 10.3], rtol=1e-12)
        assert (1 - found.alpha) * k + found.alpha * 10 == pytest.approx(9.7)
    hits = reconstruction.reconstruct_true([10, 10], [9.7, 10.3], **stay)
    assert {4, 7, 8} <= {int(x[0]) for _, x in hits}


def test_what_algorithm_1_publishes_is_inverted():
    P, before, x, _ = situation(4, 14, 669)
    for step in (0.05, None):  # a multiple of the step, or the exact smallest weight
        found = release.private_histogram(
            before, x, transition=P, epsilon=0.1, unit="infinitesimal", step=step
        )
        assert 0.5 < found.alpha < 1
        (hit,) = reconstruction.reconstruct_true(before, found.histogram, transition=P, step=step)
        assert hit[0] == pytest.approx(found.alpha)
        assert hit[1].tolist() == x.tolist()
    # Not without the digits, and not with another step.
    stepped = release.private_histogram(
        before, x, transition=P, epsilon=0.1, unit="infinitesimal", step=0.05
    ).histogram
    assert not reconstruction.reconstruct_true(before, stepped.round(3), transition=P, step=0.05)
    assert not reconstruction.reconstruct_true(before, stepped, transition=P, step=0.07)


def test_inversion_lists_every_candidate():
    # Halves everywhere: several weights leave whole numbers.
    halves = [[0.5, 0.5], [0.5, 0.5]]
    hits = reconstruction.reconstruct_true([4, 6], [4, 6], transition=halves, step=0.25)
    assert [(a, x.tolist()) for a, x in hits] == [(0.0, [4, 6]), (0.5, [3, 7]), (0.75, [1, 9])]
    # 0.9 would leave (-5, 15): whole numbers, but no histogram.
    assert [
        a for a, _ in reconstruction.reconstruct_true([4, 6], [4, 6], transition=halves, step=0.1)
    ] == pytest.approx([0, 0.5, 0.8])
    every = reconstruction.reconstruct_true([4, 6], [4, 6], transition=halves)
    assert [x.tolist() for _, x in every] == [[4, 6], [3, 7], [2, 8], [1, 9], [0, 10]]
    for a, x in every:
        np.testing.assert_allclose((1 - a) * x + a * 5, [4, 6])


BAD = [
    (
        lambda: reconstruction.reconstruct_true([2, 2], [2, 2], transition=SWAP, step=0),
        r"reconstruct_true: step must be in \(0, 1\)",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("step", [5e-324, 1e-310])
def test_a_step_without_digits_is_refused(step):
    with pytest.raises(ValueError, match=r"reconstruct_true: step must be at least 2\.23e-308"):
        reconstruction.reconstruct_true([2, 2], [1.5, 2.5], transition=[[0.5, 0.5]] * 2, step=step)


def test_a_small_step_is_too_many_numbers():
    with pytest.raises(ValueError, match="reconstruct_true: numbers to look at must be at most"):
        reconstruction.reconstruct_true(
            [2, 2], [1.5, 2.5], transition=[[0.5, 0.5]] * 2, step=1e-307
        )
