"""Algorithm 1, its feasible weights, its inversion, and the gain about a path.

The oracle of every cost is a linear programme of the definition, solved by HiGHS; that of the
infinitesimal gain is a second programme over the face of optimal duals.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from privlib.location import gain, mechanism, reconstruction, release, segment
from privlib.location.segment import _breakpoints, _within

EXAMPLE = [[1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 2, 1 / 4], [1 / 8, 3 / 8, 1 / 2]]
TOWN = [[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]]
FOUR = np.array([[2, 7, 2, 9], [13, 2, 1, 4], [5, 2, 7, 6], [1, 1, 5, 13]]) / 20
PI4, X4 = [6, 7, 6, 8], [6, 9, 8, 4]
SWAP = [[0.1, 0.9], [0.9, 0.1]]
LATE = [[8, 0, 1, 1], [5, 2, 0, 3], [3, 2, 3, 2], [7, 1, 0, 2]]  # tenths; a late guess binds


def least_cost(before, after, P, *, dual=False, slack=False):
    """C(before, after) by linear programming; with `dual` its constraints and cost too.

    With `slack` the sources need not send everybody: the cost of a maximum flow of less than N.
    """
    before, after, P = (np.asarray(a, dtype=float) for a in (before, after, P))
    n = len(before)
    sums = np.vstack([np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))])
    cost = -np.log(P).ravel()
    if slack:
        found = optimize.linprog(cost, A_ub=sums[:n], b_ub=before, A_eq=sums[n:], b_eq=after)
    else:
        found = optimize.linprog(cost, A_eq=sums, b_eq=np.append(before, after))
    assert found.status == 0
    return (found.fun, sums, cost) if dual else found.fun


def unit(n, k):
    return (np.arange(n) == k).astype(float)


def person_savings(before, after, P):
    """All C(before, after) - C(before - e_i, after - e_j), one programme each."""
    n = len(before)
    base = least_cost(before, after, P)
    return np.array([
        [base - least_cost(before - unit(n, i), after - unit(n, j), P) for j in range(n)]
        for i in range(n)
    ])  # fmt: skip


def possible_savings(before, after, P, adversary="NPK"):
    """As `person_savings`, where moves may be impossible; -inf for a guess that nobody can be.

    She may have no place where a whole person is, or the others cannot do without her. For the
    class MK, shape (1, n), she stays where it is cheapest.
    """
    before, after, P = (np.asarray(a, dtype=float) for a in (before, after, P))
    n = len(before)
    cost, bounds = -np.log(np.where(P > 0, P, 1)).ravel(), [(0, p and None) for p in P.ravel()]
    left, right = np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))

    def least(i, j):
        if after[j] < 1 or (adversary == "NPK" and not P[i, j]):
            return math.inf
        rows = {
            "A_eq": np.vstack([left, right]),
            "b_eq": [*before - unit(n, i), *after - unit(n, j)],
        }
        if adversary == "MK":
            rows = {"A_ub": left, "b_ub": before, "A_eq": right, "b_eq": after - unit(n, j)}
        found = optimize.linprog(cost, **rows, bounds=bounds)
        return found.fun if found.status == 0 else math.inf

    whole = optimize.linprog(
        cost, A_eq=np.vstack([left, right]), b_eq=[*before, *after], bounds=bounds
    ).fun
    guesses = range(1 if adversary == "MK" else n)
    return np.array([[whole - least(i, j) for j in range(n)] for i in guesses])


def infinitesimal_savings(before, after, P):
    """The least u_i + v_j over the optimal duals."""
    n = len(before)
    base, sums, cost = least_cost(before, after, P, dual=True)
    value = np.append(before, after)
    result = np.empty((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        found = optimize.linprog(
            np.append(unit(n, i), unit(n, j)),
            A_ub=np.vstack([sums.T, -value]), b_ub=np.append(cost, -base + 1e-9),
            bounds=(None, None),
        )  # fmt: skip
        result[i, j] = found.fun
    return result


def largest(savings, at, before, x, P, adversary="NPK"):
    """Largest gain of the point `at` of the segment, from scratch."""
    end = np.asarray(before, dtype=float) @ np.asarray(P)
    here, there = (savings(np.asarray(before, float), h, P) for h in ((1 - at) * x + at * end, end))
    if adversary == "MK":
        here, there = here.max(axis=0), there.max(axis=0)
    return math.exp((here - there).max())


def inside(intervals, at):
    return bool(((intervals[:, 0] <= at) & (at <= intervals[:, 1])).any())


def situation(seed, states, people):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(states), states)
    before = 1 + rng.multinomial(people, np.full(states, 1 / states))
    x = sum(rng.multinomial(n, row) for n, row in zip(before, P))
    return P, before, x, rng


def test_prediction_is_exact_for_fractions_and_sparse_matrices():
    third = Fraction(1, 3)
    P = [[third, 2 * third], [Fraction(1), Fraction(0)]]
    assert release.prediction([1, 2], P).tolist() == [Fraction(7, 3), Fraction(2, 3)]
    dense = release.prediction([1.5, 2.5], SWAP)
    assert dense.tolist() == pytest.approx([2.4, 1.6])
    assert release.prediction([1.5, 2.5], sparse.csr_matrix(SWAP)).tolist() == dense.tolist()


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


def test_path_gain_is_bayes_rule_over_all_histories():
    # Two releases, three people: every pair of named histories, in fractions.
    P = [[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(1, 5)] * 2 + [Fraction(3, 5)],
         [Fraction(2, 7), Fraction(1, 7), Fraction(4, 7)]]  # fmt: skip
    start = (0, 0, 2)
    first, second = (1, 1, 1), (0, 2, 1)
    joint, both = {}, {"first": Fraction(0), "second": Fraction(0)}
    for middle in set(itertools.permutations((0, 1, 2))):
        for end in set(itertools.permutations((1, 1, 2))):
            chance = math.prod(P[a][b] * P[b][c] for a, b, c in zip(start, middle, end))
            joint[middle[0], end[0]] = joint.get((middle[0], end[0]), 0) + chance
            both["second"] += chance
    one = {}
    for middle in set(itertools.permutations((0, 1, 2))):
        chance = math.prod(P[a][b] for a, b in zip(start, middle))
        one[middle[0]] = one.get(middle[0], 0) + chance
        both["first"] += chance
    histograms = [[2, 0, 1], first, second]
    for (b, c), chance in joint.items():
        found = np.exp(gain.path_gain([[0, b, c]], histograms, transition=P))[0]
        assert found[0] == pytest.approx(float(one[b] / both["first"] / P[0][b]), rel=1e-12)
        prior = P[0][b] * P[b][c]
        assert found[1] == pytest.approx(float(chance / both["second"] / prior), rel=1e-12)
    # A path that a histogram excludes.
    assert gain.path_gain([[0, 1, 0]], histograms, transition=P)[0, 1] == -math.inf


def test_path_gain_takes_many_people_and_both_definitions():
    P, before, _, rng = situation(4, 3, 57)
    people = np.repeat(np.arange(3), before)
    paths = [people]
    for _ in range(5):
        people = (rng.random(60)[:, None] > P[people].cumsum(axis=1)).sum(axis=1)
        paths.append(people)
    paths = np.array(paths).T
    histograms = np.array([np.bincount(column, minlength=3) for column in paths.T])
    exact = gain.path_gain(paths, histograms, transition=P)
    bridge = gain.path_gain(paths, histograms, transition=sparse.csr_matrix(P), definition="bridge")
    assert exact.shape == bridge.shape == (60, 5)
    assert np.abs(exact - bridge).max() < 0.2
    table = gain.gain_table(histograms[1], histograms[2], transition=P, definition="exact")
    np.testing.assert_allclose(
        np.diff(exact)[:, 0], np.log(table[paths[:, 1], paths[:, 2]]), rtol=1e-9
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
    (
        lambda: reconstruction.reconstruct_true([2, 2], [2, 2], transition=SWAP, step=0),
        r"reconstruct_true: step must be in \(0, 1\)",
    ),
    (lambda: gain.path_gain([[0, 1]], [[1, 0]], transition=SWAP), "paths must have shape"),
    (
        lambda: gain.path_gain([[0, 1, 1]], [[1, 0], [0, 1]], transition=SWAP),
        r"T >= 1, got \(1, 3\) and \(2, 2\)",
    ),
    (
        lambda: gain.path_gain([[0, 2]], [[1, 0], [0, 1]], transition=SWAP),
        "path_gain: paths must be at most 1, got 2",
    ),
    (
        lambda: gain.path_gain([[1, 1]], [[1, 0], [0, 1]], transition=SWAP),
        "path_gain: path 0 starts in state 1, where the first histogram has nobody",
    ),
    (
        lambda: gain.path_gain([[0, 1]], [[1, 0], [0, 1]], transition=SWAP, definition="printed"),
        "definition must be one of exact, bridge",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_paths_are_integers():
    with pytest.raises(TypeError, match="paths must hold integers"):
        gain.path_gain([[0.0, 1.0]], [[1, 0], [0, 1]], transition=SWAP)


def test_a_solver_that_gives_up_is_reported(monkeypatch):
    monkeypatch.setattr("privlib.location.flow.ITERATIONS", 1)
    with (
        pytest.warns(UserWarning, match="numItermax"),
        pytest.raises(ArithmeticError, match="transport solver failed"),
    ):
        segment.feasible_intervals(PI4, X4, transition=FOUR, epsilon=0.7)
