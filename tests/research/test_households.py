"""Tests of `privlib.research.households`: every graph of infections, every attacker, many chances.

The oracles share no code with the module: a household is the sum over all graphs of who would
infect whom, or over its generations in fractions, and an attacker compares densities person by
person.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import privlib
from privlib.correlated import FiniteDistribution
from privlib.research import households
from privlib.research.households import GAP, Households, household

chances = st.floats(0.0, 0.98)


# --- the oracles ---------------------------------------------------------------------------------


def joint_of_graphs(size, outside, within):
    """The joint distribution: all directed graphs of infections, all sets of first cases."""
    pairs = [(a, b) for a in range(size) for b in range(size) if a != b]
    open_ = np.array(list(product((False, True), repeat=len(pairs))), dtype=bool)
    chance = np.where(open_, within, 1 - within).prod(axis=1)
    joint = np.zeros((2,) * size)
    for first in product((False, True), repeat=size):
        ill = np.tile(np.array(first), (len(open_), 1))
        for _ in range(size):
            for edge, (a, b) in enumerate(pairs):
                ill[:, b] |= ill[:, a] & open_[:, edge]
        of_first = np.where(first, outside, 1 - outside).prod()
        np.add.at(joint, tuple(ill.T.astype(int)), chance * of_first)
    return joint


def joint_of_generations(size, outside, within):
    """The joint distribution in fractions: one generation of cases after the other."""
    outside = Fraction(outside)
    avoid = 1 - Fraction(within)

    @cache
    def ends(infectious, healthy):
        """The distribution of how many of the healthy fall ill in the end."""
        if infectious == 0 or healthy == 0:
            return {0: Fraction(1)}
        escape = avoid**infectious
        whole = {}
        for new in range(healthy + 1):
            chance = math.comb(healthy, new) * (1 - escape) ** new * escape ** (healthy - new)
            for later, share in ends(new, healthy - new).items():
                whole[new + later] = whole.get(new + later, 0) + chance * share
        return whole

    total = [Fraction(0)] * (size + 1)
    for first in range(size + 1):
        chance = math.comb(size, first) * outside**first * (1 - outside) ** (size - first)
        for later, share in ends(first, size - first).items():
            total[first + later] += chance * share
    ill = np.indices((2,) * size).sum(axis=0)
    return np.array([float(total[j] / math.comb(size, j)) for j in range(size + 1)])[ill]


def leakage_by_hand(joint, scale, density):
    """The largest log ratio over all targets, all known people and values, and outputs."""
    size = joint.ndim
    best = 0.0
    people = range(size)
    for target in people:
        others = [person for person in people if person != target]
        for count in range(size):
            for known in combinations(others, count):
                groups = {}
                for database in product((0, 1), repeat=size):
                    seen = tuple(database[person] for person in known)
                    group = groups.setdefault(seen, ([], []))
                    group[database[target]].append((joint[database], sum(database)))
                for group in groups.values():
                    masses = [sum(p for p, _ in one) for one in group]
                    if min(masses) == 0:
                        continue
                    for output in density.outputs(size):
                        values = [
                            sum(p * density(output - s, scale) for p, s in one) / mass
                            for one, mass in zip(group, masses)
                        ]
                        best = max(best, abs(math.log(values[0] / values[1])))
    return best


class Laplace:
    def __call__(self, distance, scale):
        return math.exp(-abs(distance) / scale) / (2 * scale)

    def outputs(self, size):
        return np.linspace(-2, size + 2, 4 * (size + 4) + 1)


class DiscreteLaplace:
    def __call__(self, distance, scale):
        return math.exp(-abs(distance) / scale) * math.tanh(1 / (2 * scale))

    def outputs(self, size):
        return range(-20, size + 21)


def worst_of(joint, scale):
    """The leakage of exchangeable members: only the number of known people matters."""
    model = FiniteDistribution(joint)
    known = [range(1, 1 + count) for count in range(joint.ndim)]
    return max(model.leakage(0, who, scale=scale, certify=False) for who in known)


def some_chances(rng, class_, count):
    """Corners of the ranges, their sides, and points between, also near the small ends."""
    points = list(product(class_.outside, class_.within))
    for _ in range(count):
        point = []
        for low, high in (class_.outside, class_.within):
            where = rng.choice(
                ["low", "high", "between", "near the low end"], p=[0.2, 0.2, 0.4, 0.2]
            )
            spread = {"low": 0.0, "high": 1.0, "between": rng.random()}
            share = spread.get(where, 10 ** (-6 * rng.random()))
            point.append(min(max(low + share * (high - low), low), high))
        points.append(tuple(point))
    return [point for point in points if point[0] > 0]


# --- one household -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("outside", "within"),
    [(0.1, 0.5), (0.3, 0.05), (0.02, 0.9), (0.2, 0.0), (0.2, 1.0), (0.0, 0.5), (1.0, 0.5)],
)
def test_the_model_is_the_sum_over_all_graphs_of_infections(size, outside, within):
    ours = household(size, outside=outside, within=within).joint
    np.testing.assert_allclose(ours, joint_of_graphs(size, outside, within), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("size", [2, 5, 6, 10])
@pytest.mark.parametrize(("outside", "within"), [(0.1, 0.5), (1e-7, 1e-5), (0.4, 0.99)])
def test_the_model_is_the_sum_over_generations(size, outside, within):
    ours = household(size, outside=outside, within=within).joint
    theirs = joint_of_generations(size, outside, within)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


# --- a class -------------------------------------------------------------------------------------

CLASSES = [
    ((0.05, 0.2), (0.1, 0.5)),
    ((0.01, 0.1), (0.05, 0.2)),
    ((0.3, 0.6), (0.1, 0.2)),
    ((0.001, 0.5), (0.0, 0.1)),
    ((0.0, 0.05), (0.0, 0.1)),
    ((0.0, 0.1), (0.3, 0.4)),
    ((0.1, 0.8), (0.0, 0.01)),
    ((1e-9, 0.02), (1e-6, 0.3)),
    ((0.02, 0.9), (0.5, 0.999)),
]


@pytest.mark.parametrize(("outside", "within"), CLASSES)
@pytest.mark.parametrize("scale", [0.5, 2.5, 40.0])
def test_no_household_leaks_more_than_the_bound_and_one_leaks_as_much(outside, within, scale):
    class_ = Households([1, 2, 4, 6], outside=outside, within=within)
    worst = class_.leakage(scale)
    rng = np.random.default_rng(int(1000 * (outside[1] + within[1] + scale)))
    best = 0.0
    for chance_out, chance_in in some_chances(rng, class_, 40):
        for size in class_.sizes:
            joint = joint_of_generations(size, chance_out, chance_in)
            best = max(best, worst_of(joint, scale))
    assert best <= worst.bound
    assert best >= 0.97 * worst.bound
    assert worst.bound <= worst.found * (1 + 1.01 * GAP)
    assert worst.bound <= 6 / scale * (1 + 1e-15)
    joint = joint_of_generations(worst.size, worst.outside, worst.within)
    assert worst_of(joint, scale) == pytest.approx(worst.found, rel=1e-9)
    assert outside[0] <= worst.outside <= outside[1]
    assert within[0] <= worst.within <= within[1]
    assert worst.size in class_.sizes


@pytest.mark.parametrize(("outside", "within"), CLASSES)
@pytest.mark.parametrize("epsilon", [0.02, 1.0, 4.0])
def test_the_scale_is_enough_for_every_household_and_not_much_more(outside, within, epsilon):
    class_ = Households(range(1, 7), outside=outside, within=within)
    scale = class_.noise_scale(epsilon)
    rng = np.random.default_rng(int(1000 * (outside[1] + within[1] + epsilon)))
    for chance_out, chance_in in some_chances(rng, class_, 20):
        for size in (3, 6):
            joint = joint_of_generations(size, chance_out, chance_in)
            assert worst_of(joint, scale) <= epsilon
    worst = class_.leakage(scale)
    joint = joint_of_generations(worst.size, worst.outside, worst.within)
    assert worst_of(joint, 0.98 * scale) > epsilon
    assert worst.bound <= epsilon * (1 + 1e-12)
    assert 1 / epsilon <= scale <= 6 / epsilon * (1 + 1e-15)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=3),
    st.tuples(st.floats(0.0, 0.9), st.floats(1e-6, 0.9)),
    st.tuples(chances, chances),
    st.floats(0.5, 20.0),
    st.integers(0, 10**6),
)
def test_random_classes(sizes, outside, within, scale, seed):
    class_ = Households(sizes, outside=sorted(outside), within=sorted(within))
    try:
        bound = class_.leakage(scale).bound
    except privlib.UncertifiedError:  # of a wide class it may not be sure
        reject()
    rng = np.random.default_rng(seed)
    for chance_out, chance_in in some_chances(rng, class_, 4):
        if chance_out < 1e-9:
            continue
        for size in class_.sizes:
            joint = joint_of_generations(size, chance_out, chance_in)
            assert worst_of(joint, scale) <= bound


@pytest.mark.parametrize("scale", [0.05, 0.125])
def test_a_level_of_hardly_any_noise_is_refused_where_it_is_not_certain(scale):
    with pytest.raises(privlib.UncertifiedError, match="rectangles of chances are not enough"):
        Households([3], outside=(0, 0.5), within=(0, 0.5)).leakage(scale)


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.7, 3.0])
def test_all_attackers_by_hand_with_either_noise(size, scale):
    """Every subset of the household, outputs between the kinks, and integers with discrete noise.

    Discrete noise leaks as much as the Laplace noise of its scale, and no more.
    """
    class_ = Households([size], outside=(0.05, 0.2), within=(0.1, 0.5))
    worst = class_.leakage(scale)
    joint = joint_of_graphs(size, worst.outside, worst.within)
    laplace = leakage_by_hand(joint, scale, Laplace())
    discrete = leakage_by_hand(joint, scale, DiscreteLaplace())
    assert laplace == pytest.approx(worst.found, rel=1e-9)
    assert discrete == pytest.approx(laplace, rel=1e-9)
    for chance_out, chance_in in product((0.05, 0.1, 0.2), (0.1, 0.3, 0.5)):
        joint = joint_of_graphs(size, chance_out, chance_in)
        assert leakage_by_hand(joint, scale, Laplace()) <= worst.bound * (1 + 1e-12)


def test_other_households_only_add_noise():
    one = joint_of_graphs(2, 0.1, 0.4)
    both = FiniteDistribution(np.multiply.outer(one, joint_of_graphs(2, 0.2, 0.3)))
    alone = FiniteDistribution(one).worst_adversary(scale=1.5).leakage
    leaks = both.all_leakages(scale=1.5)
    to_first = {who: leak for who, leak in leaks.items() if who.target < 2}
    assert max(to_first.values()) == pytest.approx(alone, rel=1e-12)
    assert to_first[0, (2, 3)] == pytest.approx(alone, rel=1e-12)
    assert to_first[0, ()] <= to_first[0, (2, 3)] * (1 + 1e-12)


def test_a_class_of_one_is_its_member():
    class_ = Households([4], outside=(0.1, 0.1), within=(0.2, 0.2))
    member = household(4, outside=0.1, within=0.2)
    needed = member.noise_scale(1)
    assert needed <= class_.noise_scale(1) <= needed * 1.01
    leak = member.worst_adversary(scale=2).leakage
    assert class_.leakage(2.0).bound == pytest.approx(leak, rel=GAP)


@pytest.mark.parametrize(
    ("size", "outside", "within", "epsilon"),
    [(5, (0.094, 0.703), (0.442, 0.544), 8.8), (6, (0.48, 0.565), (0.268, 0.807), 16.1)],
)
def test_a_worse_household_that_is_found_on_the_way_counts(size, outside, within, epsilon):
    class_ = Households([size], outside=outside, within=within)
    scale = class_.noise_scale(epsilon)
    assert class_.leakage(scale).bound <= epsilon * (1 + 1e-12)
    assert class_.leakage(0.95 * scale).found > epsilon


def test_an_attacker_who_knows_an_ill_member_may_be_the_worst():
    outside, within, scale = 0.25, 0.635, 0.3
    model = FiniteDistribution(joint_of_generations(7, outside, within))
    one_ill = worst_of(model.joint, scale)
    nobody_known = model.leakage(0, [], scale=scale, certify=False)
    class_ = Households([7], outside=(outside, outside), within=(within, within))
    assert class_.leakage(scale).found == pytest.approx(one_ill, rel=1e-9)
    weights = model.joint[(0, 1) + (0,) * 5], model.joint[(1, 1) + (0,) * 5]
    assert min(weights) > 0
    assert one_ill > 1.05 * nobody_known


def test_larger_classes_need_no_less():
    small = Households([2, 3], outside=(0.05, 0.1), within=(0.1, 0.2))
    large = Households([2, 3, 5], outside=(0.01, 0.2), within=(0.1, 0.3))
    assert small.noise_scale(1) < large.noise_scale(1)
    assert small.leakage(2.0).found <= large.leakage(2.0).bound


# --- the ends ------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.07, 1.0, 0.3])
def test_the_bound_for_a_group_is_never_exceeded(epsilon):
    """Not even by the last digit more than what is needed for a float."""
    group = 6 / Fraction(epsilon)
    for within in [(0.0, 1.0), (1.0, 1.0), (0.9, 0.99)]:
        scale = Households([3, 6], outside=(0.0, 0.2), within=within).noise_scale(epsilon)
        assert Fraction(math.nextafter(scale, 0)) < group
        assert scale >= 5.8 / epsilon
        if within[1] == 1:
            assert Fraction(scale) >= group
    assert Households([1], outside=(0.1, 0.2), within=(0, 1)).noise_scale(1) == 1


def test_nobody_infects_anybody():
    class_ = Households([6], outside=(0.01, 0.3), within=(0, 0))
    assert class_.noise_scale(0.5) == 2
    assert class_.leakage(2.0).bound == pytest.approx(0.5, rel=2 * GAP)
    assert FiniteDistribution(joint_of_generations(6, 0.3, 0)).noise_scale(0.5) == pytest.approx(2)


def test_who_is_nearly_never_infected_from_outside():
    """The limit is covered: rare outbreaks tell as much as frequent ones."""
    class_ = Households([4], outside=(0.0, 0.01), within=(0.0, 0.4))
    scale = class_.noise_scale(1)
    for chance_out in (1e-2, 1e-4, 1e-6, 1e-8):
        assert worst_of(joint_of_generations(4, chance_out, 0.4), scale) <= 1
    assert worst_of(joint_of_generations(4, 1e-8, 0.4), scale) >= 0.99


def test_without_privacy_there_is_no_noise():
    assert Households([3], outside=(0.1, 0.2), within=(0, 0.5)).noise_scale(math.inf) == 0


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_series_needs_twice_the_group(size):
    """The last paragraph of the notes: all members fall ill in one week, the first or the second.

    In units: never, first week, second week.
    """
    joint = np.zeros((3,) * size)
    series = np.zeros((3,) * size + (2,))
    for state, chance in zip(range(3), (0.2, 0.4, 0.4)):
        joint[(state,) * size] = chance
    for weeks in product(range(3), repeat=size):
        series[weeks] = [weeks.count(1), weeks.count(2)]
    model = FiniteDistribution(joint, query=series)
    assert model.worst_adversary(scale=2 * size).leakage == pytest.approx(1)


# --- the certificate -----------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 5), st.integers(0, 10**6))
def test_the_largest_average_is_at_a_corner(count, seed):
    rng = np.random.default_rng(seed)
    lower = rng.random(count)
    upper = lower + rng.random(count)
    values = rng.normal(size=count)
    corners = []
    for ends in product((0, 1), repeat=count):
        weights = np.where(ends, upper, lower)
        corners.append(weights @ values / weights.sum())
    ours = households._largest_average(lower[:, None], upper[:, None], values)
    assert ours[0] == pytest.approx(max(corners))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 5),
    st.tuples(st.floats(0, 0.9), st.floats(1e-3, 0.9)),
    st.tuples(chances, chances),
    st.sampled_from([0.4, 3.0, 100.0]),
    st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_a_rectangle_bounds_what_is_in_it(size, outside, within, scale, share):
    low, high = sorted(outside)
    least, most = sorted(within)
    cell = np.array([[low / (1 - low), high / (1 - high), least, most]])
    bound = households._bounds(size, cell, scale)[0]
    chance_out = max(low + share[0] * (high - low), 1e-9)
    chance_in = least + share[1] * (most - least)
    joint = joint_of_generations(size, min(chance_out, high), min(chance_in, most))
    assert worst_of(joint, scale) <= bound * (1 + 1e-9)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(2, 6),
    st.tuples(st.sampled_from([0.0, 0.01, 0.3]), st.sampled_from([0.02, 0.4, 0.9])),
    st.tuples(st.sampled_from([0.0, 0.01, 0.3]), st.sampled_from([0.02, 0.4, 0.9])),
    st.tuples(st.floats(1e-3, 1), st.floats(0, 1)),
    st.data(),
)
def test_weights_lie_between_their_ends(size, outside, within, share, data):
    """But for a common factor, and also where both chances begin at 0."""
    low, high = sorted(outside)
    least, most = sorted(within)
    cell = np.array([[low / (1 - low), high / (1 - high), least, most]])
    unknown = data.draw(st.integers(1, size - 1))
    least_ill = data.draw(st.integers(0, size - unknown))
    odds, chances_within = cell[:, :2], cell[:, 2:]
    smallest = households._all_ill(size, odds[:, 0], chances_within[:, 0])
    largest = households._all_ill(size, odds[:, 1], chances_within[:, 1])
    lower, upper = households._ends(size, cell, smallest, largest, least_ill, unknown)
    joint = joint_of_generations(
        size, low + share[0] * (high - low), least + share[1] * (most - least)
    )
    weights = np.empty(unknown + 1)
    for t in range(unknown + 1):
        ill = least_ill + t
        weights[t] = math.comb(unknown, t) * joint[(1,) * ill + (0,) * (size - ill)]
    assert (lower <= upper).all()
    possible = weights > 0
    least_factor = (lower[possible, 0] / weights[possible]).max()
    largest_factor = (upper[possible, 0] / weights[possible]).min()
    assert least_factor <= largest_factor * (1 + 1e-9)


def test_halves_are_the_whole():
    cells = np.array([[0.0, 0.5, 0.0, 0.9], [0.1, 0.2, 0.3, 0.4], [0.1, 0.1, 0.0, 1.0]])
    halves = households._halves(cells)
    area = (cells[:, 1] - cells[:, 0]) * (cells[:, 3] - cells[:, 2])
    of_halves = (halves[:, 1] - halves[:, 0]) * (halves[:, 3] - halves[:, 2])
    np.testing.assert_allclose(of_halves[:3] + of_halves[3:], area)
    assert (halves[:3, [0, 2]] == cells[:, [0, 2]]).all()
    assert (halves[3:, [1, 3]] == cells[:, [1, 3]]).all()


def test_too_many_rectangles_are_refused(monkeypatch):
    monkeypatch.setattr(households, "MOST_CELLS", 4)
    class_ = Households([4], outside=(0.05, 0.2), within=(0.1, 0.5))
    with pytest.raises(privlib.UncertifiedError, match=r"narrower.*bound for a group"):
        class_.noise_scale(1)


def test_a_leakage_that_a_second_computation_contradicts_is_refused(monkeypatch):
    worse = household(4, outside=0.05, within=0.9)
    monkeypatch.setattr(households, "household", lambda *_, **__: worse)
    class_ = Households([4], outside=(0.05, 0.2), within=(0.1, 0.5))
    with pytest.raises(privlib.UncertifiedError, match=r"^noise_scale: the leakage of the worst"):
        class_.noise_scale(1)
    with pytest.raises(privlib.UncertifiedError, match=r"^leakage: the leakage of the worst"):
        class_.leakage(2.0)


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "outside", "within", "error", "message"),
    [
        ([], (0.1, 0.2), (0, 0.5), ValueError, "sizes must name at least one size"),
        ([0, 2], (0.1, 0.2), (0, 0.5), ValueError, "sizes must be at least 1, got 0"),
        ([11], (0.1, 0.2), (0, 0.5), ValueError, "sizes must be at most 10, got 11"),
        ([2.5], (0.1, 0.2), (0, 0.5), TypeError, "sizes must hold integers"),
        (6, (0.1, 0.2), (0, 0.5), ValueError, "sizes must have 1 dimension"),
        ([2], 0.1, (0, 0.5), TypeError, "outside must be a pair of chances.*got 0.1"),
        ([2], (0.1, 0.2), "no", TypeError, "within must be a pair of chances.*got 'no'"),
        ([2], (0.1, 0.2, 0.3), (0, 0.5), TypeError, "outside must be a pair of chances"),
        ([2], (0.2, 0.1), (0, 0.5), ValueError, "outside must begin with the smaller"),
        ([2], (0.1, 0.2), (0.5, 0.4), ValueError, "within must begin with the smaller"),
        ([2], (-0.1, 0.2), (0, 0.5), ValueError, r"outside must be a probability.*got -0.1"),
        ([2], (0.1, 0.2), (0, 1.5), ValueError, r"within must be a probability.*got 1.5"),
        ([2], (0.1, math.nan), (0, 0.5), ValueError, "outside must be finite, got nan"),
        ([2], (0.1, "0.2"), (0, 0.5), TypeError, "outside must be a real number, got '0.2'"),
        ([2], (0, 0), (0, 0.5), ValueError, r"largest chance of outside.*\(0, 1\), got 0.0"),
        ([2], (0.1, 1), (0, 0.5), ValueError, r"largest chance of outside.*\(0, 1\), got 1.0"),
    ],
)
def test_classes_that_are_refused(sizes, outside, within, error, message):
    with pytest.raises(error, match=f"^Households: .*{message}"):
        Households(sizes, outside=outside, within=within)


@pytest.mark.parametrize("value", [0, -1.0, math.nan, 1e9, 1e-300])
def test_levels_and_scales_that_are_refused(value):
    class_ = Households([3], outside=(0.1, 0.2), within=(0, 0.5))
    with pytest.raises(ValueError, match=r"^noise_scale: epsilon must"):
        class_.noise_scale(value)
    with pytest.raises(ValueError, match=r"^leakage: scale must"):
        class_.leakage(value if value != 1e9 else math.inf)
    with pytest.raises(TypeError, match=r"^leakage: scale must be a real number"):
        class_.leakage("1")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"size": 11, "outside": 0.1, "within": 0.1}, ValueError, "size must be in 1..10, got 11"),
        ({"size": 2.0, "outside": 0.1, "within": 0.1}, TypeError, "size must be an integer"),
        ({"size": 2, "outside": 1.1, "within": 0.1}, ValueError, "outside must be a probability"),
        ({"size": 2, "outside": 0.1, "within": "x"}, TypeError, "within must be a real number"),
    ],
)
def test_households_that_are_refused(arguments, error, message):
    with pytest.raises(error, match=f"^household: {message}"):
        household(**arguments)


def test_sizes_are_kept_once_and_the_class_cannot_be_changed():
    class_ = Households([3, 1, 3], outside=[0.1, 0.2], within=np.array([0.0, 0.5]))
    assert class_ == Households((1, 3), outside=(0.1, 0.2), within=(0.0, 0.5))
    assert repr(class_) == "Households(sizes=(1, 3), outside=(0.1, 0.2), within=(0.0, 0.5))"
    with pytest.raises(AttributeError):
        class_.outside = (0.0, 0.1)


@pytest.mark.parametrize("pair", [np.array(0.1), np.array([[0.1, 0.2]] * 2), 0.1, [0.1]])
def test_a_range_is_a_pair(pair):
    with pytest.raises(TypeError, match="Households: outside must be a pair of chances"):
        households.Households([1, 2], outside=pair, within=(0.1, 0.2))
