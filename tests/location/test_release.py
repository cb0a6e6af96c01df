"""Algorithm 1 and the walk along bridges."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, sparse

from privlib.location import gain, release, segment

from .segment_oracles import (
    EXAMPLE,
    FOUR,
    PI4,
    SWAP,
    TOWN,
    X4,
    situation,
)


def test_prediction_is_exact_for_fractions_and_sparse_matrices():
    third = Fraction(1, 3)
    P = [[third, 2 * third], [Fraction(1), Fraction(0)]]
    assert release.prediction([1, 2], P).tolist() == [Fraction(7, 3), Fraction(2, 3)]
    dense = release.prediction([1.5, 2.5], SWAP)
    assert dense.tolist() == pytest.approx([2.4, 1.6])
    assert release.prediction([1.5, 2.5], sparse.csr_matrix(SWAP)).tolist() == dense.tolist()


def test_what_is_taken_away_is_a_whole_person_unless_told():
    for call in (release.private_histogram, segment.feasible_intervals):
        options = {"transition": EXAMPLE, "epsilon": 0.5}
        whole, small, unnamed = (
            np.ravel(getattr(found, "alpha", found))[0]
            for found in (
                call([2, 2, 1], [1, 2, 2], **options, **unit)
                for unit in ({"unit": "person"}, {"unit": "infinitesimal"}, {})
            )
        )
        assert unnamed == whole == pytest.approx(0.4587, abs=5e-5)
        assert small != whole


def test_a_smaller_step_can_give_a_larger_weight():
    alphas = [
        release.private_histogram(
            PI4, X4, transition=FOUR, epsilon=0.7, step=s, unit="person"
        ).alpha
        for s in (0.25, 0.2, 0.3)
    ]
    assert alphas == pytest.approx([0.5, 0.8, 0.9])


def scaled(before, x, P, rounds=20_000):
    """Coordinates s of the bridge by alternating scaling, with the mean of c equal to 1."""
    s = np.ones(len(x))
    for _ in range(rounds):
        s = x / (np.divide(before, P @ s) @ P)
    return s / (before @ (P @ s) / before.sum())


def from_coordinates(before, s, P):
    return before / (P @ s) @ (P * s)


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize(("seed", "states"), [(0, 2), (1, 3), (2, 4), (3, 5)])
def test_the_bridge_walk_stops_at_the_first_point_that_is_allowed(seed, states, two_sided):
    P, before, x, _ = situation(seed, states, 30)
    x = np.maximum(x, 1)
    x[x.argmax()] -= x.sum() - before.sum()
    s, level = scaled(before, x, P), 0.15
    found = release.bridge_histogram(before, x, transition=P, epsilon=level, two_sided=two_sided)
    assert found.histogram.sum() == pytest.approx(before.sum())

    def worst(v):
        odds = (s + v) / (P @ (s + v))[:, None]
        return np.log(np.maximum(odds, 1 / odds) if two_sided else odds).max()

    values = [worst(v) for v in np.linspace(0, 50, 300)]
    assert (np.diff(values) <= 1e-12).all()  # monotone, so one crossing
    assert values[0] > level > values[-1]
    v = optimize.brentq(lambda v: worst(v) - level, 0, 50, xtol=1e-13)
    assert found.alpha == pytest.approx(v / (1 + v), rel=1e-6)
    np.testing.assert_allclose(found.histogram, from_coordinates(before, s + v, P), rtol=1e-6)
    odds = (s + v) / (P @ (s + v))[:, None]
    assert found.gain == pytest.approx(odds.max())
    assert (found.histogram <= math.exp(level) * (before @ P) * (1 + 1e-9)).all()  # class MK


def test_the_bridge_walk_publishes_what_is_allowed_and_the_prediction_at_level_0():
    before, x = [3, 3, 3], [4, 3, 2]
    kept = release.bridge_histogram(before, x, transition=TOWN, epsilon=2)
    assert kept.alpha == 0
    assert kept.histogram.tolist() == x
    assert kept.gain == pytest.approx(
        gain.max_gain(before, x, transition=TOWN, definition="bridge")
    )
    none = release.bridge_histogram(before, x, transition=TOWN, epsilon=0)
    assert none.alpha == pytest.approx(1)
    assert none.gain == pytest.approx(1)
    np.testing.assert_allclose(none.histogram, release.prediction(before, TOWN))


def test_the_bridge_walk_in_parts():
    # One part has one source: there it is Algorithm 1 with the closed form of class MK.
    P = np.zeros((5, 5))
    P[0, :2], P[1, :2], P[2, 2:] = [0.9, 0.1], [0.5, 0.5], [0.7, 0.2, 0.1]
    P[3, 3] = P[4, 4] = 1
    before, x, bound = np.array([6, 4, 10, 0, 0]), np.array([3, 7, 2, 8, 0]), math.e
    found = release.bridge_histogram(before, x, transition=P, epsilon=1)
    rho = x[2:] / (10 * P[2, 2:])
    weight = ((rho - bound) / (rho - 1))[rho > bound].max()
    end = before @ P
    np.testing.assert_allclose(found.histogram[2:], (1 - weight) * x[2:] + weight * end[2:])
    alone = release.bridge_histogram([6, 4], [3, 7], transition=P[:2, :2], epsilon=1)
    np.testing.assert_allclose(found.histogram[:2], alone.histogram)
    assert found.alpha == pytest.approx(max(weight, alone.alpha))
    again = release.bridge_histogram(before, x, transition=sparse.csr_array(P), epsilon=1)
    np.testing.assert_allclose(again.histogram, found.histogram)
    with pytest.raises(gain.UndefinedGainError, match="cannot be routed"):
        release.bridge_histogram(before, [3, 6, 2, 9, 0], transition=P, epsilon=1)


def test_the_bridge_walk_from_a_histogram_that_forbids_a_move():
    # Nobody can have gone from 0 to 1, since 1 has kept its own: s is at infinity.
    P, before, x = np.array([[0.5, 0.5], [0.0, 1.0]]), [4, 4], [4, 4]
    kept = release.bridge_histogram(before, x, transition=P, epsilon=0.7)
    assert kept.histogram.tolist() == x
    assert kept.gain == pytest.approx(2)
    found = release.bridge_histogram(before, x, transition=P, epsilon=0.5)
    odds = gain.gain_table(before, found.histogram, transition=P, definition="bridge")
    assert np.nanmax(odds) == pytest.approx(math.exp(0.5), rel=1e-6)
    assert found.histogram[0] == pytest.approx(2 * math.exp(0.5), rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.4, 3.0])
def test_mk_with_its_natural_prior_has_a_closed_form(epsilon):
    P, before, x, _ = situation(8, 4, 30)
    found = release.private_histogram(
        before, x, transition=P, epsilon=epsilon, adversary="MK", definition="exact"
    )
    fine = np.linspace(0, 1, 20001)[:, None]
    end = before @ P
    top = (((1 - fine) * x + fine * end) / end).max(axis=1)
    first = fine[np.argmax(top <= math.exp(epsilon) * (1 + 1e-9)), 0]
    assert found.alpha == pytest.approx(first, abs=6e-5)
    assert found.alpha <= first + 1e-9
    assert found.gain <= math.exp(epsilon) + 1e-9


def test_mk_with_its_natural_prior_where_nobody_can_be_in_a_place():
    P = np.array([[0.6, 0.4, 0], [0.3, 0.7, 0], [0.5, 0.5, 0]])
    found = release.private_histogram(
        [4, 2, 2], [8, 0, 0], transition=P, epsilon=0.1, adversary="MK", definition="exact"
    )
    # 4 are expected in the first place: there the gain is (1 - a) 8 / 4 + a.
    assert found.alpha == pytest.approx(2 - math.exp(0.1))
    assert found.histogram[2] == 0


def test_the_bridge_takes_real_masses_with_a_step():
    P, before, x, _ = situation(3, 3, 30)
    found = release.private_histogram(
        before, x, transition=P, epsilon=0.1, step=0.1, definition="bridge"
    )
    assert 0 < found.alpha < 1
    assert (found.gains[:-1] > math.exp(0.1)).all()
    assert found.gains[-1] <= math.exp(0.1)


def test_sparse_and_dense_transitions_give_the_same_release():
    P, before, x, _ = situation(3, 5, 40)
    for step in (0.1, None):
        dense = release.private_histogram(
            before, x, transition=P, epsilon=0.3, unit="infinitesimal", step=step
        )
        thin = release.private_histogram(
            before, x, transition=sparse.csr_matrix(P), epsilon=0.3, unit="infinitesimal", step=step
        )
        assert dense.alpha == pytest.approx(thin.alpha, rel=1e-9)
        assert dense.alpha > 0
        np.testing.assert_allclose(dense.histogram, thin.histogram)


def test_states_that_cannot_be_reached_are_left_out():
    P = np.array([[0.5, 0.5, 0], [0.3, 0.7, 0], [0.2, 0.3, 0.5]])
    found = segment.feasible_intervals(
        [6, 4, 0], [1, 9, 0], transition=P, epsilon=0.2, unit="infinitesimal"
    )
    small = segment.feasible_intervals(
        [6, 4], [1, 9], transition=P[:2, :2], epsilon=0.2, unit="infinitesimal"
    )
    np.testing.assert_allclose(found, small)


@pytest.mark.parametrize("unit", ["person", "infinitesimal"])
def test_a_gain_that_meets_its_bound_is_allowed(unit):
    # From one place every printed gain is 1, up to rounding: the level 0 allows the truth.
    options = {"transition": [[0.7, 0.3], [0.4, 0.6]], "epsilon": 0, "unit": unit}
    found = segment.feasible_intervals([100, 0], [52, 48], **options)
    assert found.tolist() == [[0, 1]]
    for step in (None, 0.1):
        truth = release.private_histogram([100, 0], [52, 48], step=step, **options)
        assert truth.alpha == 0
        assert truth.histogram.tolist() == [52, 48]


def test_the_walk_ends_at_the_prediction():
    options = {"epsilon": 1, "step": 0.1, "unit": "person"}
    repaired = release.private_histogram([8, 2], [5, 5], transition=SWAP, **options)
    assert repaired.alpha == 1
    assert repaired.gain == 1
    np.testing.assert_allclose(repaired.histogram, [2.6, 7.4])
    assert len(repaired.alphas) == 11


BAD = [
    (lambda: release.private_histogram([2, 2], [1, 2], transition=SWAP, epsilon=1), "same total"),
    (
        lambda: release.private_histogram([2, 2], [2, 2], transition=SWAP, epsilon=-1),
        "epsilon must not be",
    ),
    (
        lambda: release.private_histogram([2, 2], [2, 2], transition=SWAP, epsilon=701),
        "private_histogram: epsilon must be at most 700, got 701",
    ),
    (
        lambda: release.bridge_histogram([2, 2], [2, 2], transition=SWAP, epsilon=701),
        "bridge_histogram: epsilon must be at most 700, got 701",
    ),
    (
        lambda: release.private_histogram([2, 2], [2, 2], transition=SWAP, epsilon=1, step=1),
        r"private_histogram: step must be in \(0, 1\), got 1",
    ),
    (
        lambda: release.private_histogram(
            [2, 2], [2, 2], transition=SWAP, epsilon=1, adversary="ANY"
        ),
        "adversary must be one of NPK, OPK, MK",
    ),
    (
        lambda: release.private_histogram(
            [2, 2], [2, 2], transition=SWAP, epsilon=1, definition="exact"
        ),
        "definition='exact' needs adversary='MK'",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_solver_that_gives_up_is_reported(monkeypatch):
    monkeypatch.setattr("privlib.location.flow.ITERATIONS", 1)
    with (
        pytest.warns(UserWarning, match="numItermax"),
        pytest.raises(ArithmeticError, match="transport solver failed"),
    ):
        segment.feasible_intervals(PI4, X4, transition=FOUR, epsilon=0.7)


def test_a_release_prints_its_sizes():
    found = release.private_histogram(PI4, X4, transition=FOUR, epsilon=0.5, step=0.01)
    tried = found.alphas.size
    assert repr(found) == (
        f"Release(4 states, alpha {found.alpha:.4g}, gain {found.gain:.4g}, {tried} weights tried)"
    )


@pytest.mark.parametrize("name", ["two_sided", "certify"])
def test_flags_of_the_walk_are_true_or_false(name):
    message = f"bridge_histogram: {name} must be True or False, got 'False'"
    with pytest.raises(TypeError, match=message):
        release.bridge_histogram(
            [2, 2], [1, 3], transition=[[0.5, 0.5]] * 2, epsilon=1.0, **{name: "False"}
        )


def test_a_step_without_digits_is_refused():
    with pytest.raises(ValueError, match=r"private_histogram: step must be at least 2\.23e-308"):
        release.private_histogram(
            [2, 2], [1, 3], transition=[[0.5, 0.5]] * 2, epsilon=1.0, step=5e-324
        )
