"""No promise of the finite distributions, chains and fields is better than the truth.

The oracle goes through the databases one by one: probabilities and values of the query are
fractions, densities have sixty digits. What is promised is never below it, or there is an error.
"""

from __future__ import annotations

import itertools
import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest

import privlib
from privlib.correlated import FiniteDistribution, finite
from privlib.research import markov_chain, markov_random_field
from privlib.research.markov_chain import MarkovChain, projective_diameter
from privlib.research.markov_random_field import MarkovRandomField

TINY = Fraction(1, 10**324)  # its float is 0
REFUSED = (ValueError, TypeError)
SLACK = 1e-9


# --- the oracle ----------------------------------------------------------------------------------


def kernel(distance, scale):
    with mpmath.workdps(60):
        return mpmath.exp(-mpmath.mpf(distance.numerator) / distance.denominator / scale)


def leakage_of(joint, query, target, known, scale, reading="positive"):
    """The leakage of one adversary: `joint` and `query` map databases to fractions."""
    with mpmath.workdps(60):
        scale = mpmath.mpf(Fraction(scale).numerator) / Fraction(scale).denominator
        n = len(next(iter(joint)))
        certain = reading == "kernel" and len(known) == n - 1
        groups = {}
        for x, p in joint.items():
            if p > 0 or certain:
                group = groups.setdefault(tuple(x[j] for j in known), {})
                group.setdefault(x[target], []).append((1 if certain else p, query[x]))
        outputs = sorted(set(query.values()))
        best = mpmath.mpf(0)
        for group in groups.values():
            for t in outputs:
                densities = []
                for distribution in group.values():
                    mass = sum(Fraction(p) for p, _ in distribution)
                    shares = [Fraction(p) / mass for p, _ in distribution]
                    densities.append(sum(
                        mpmath.mpf(s.numerator) / s.denominator * kernel(abs(t - q), scale)
                        for s, (_, q) in zip(shares, distribution)
                    ))  # fmt: skip
                best = max(best, mpmath.log(max(densities) / min(densities)))
        return best


def everybody(n):
    for target in range(n):
        others = [j for j in range(n) if j != target]
        for size in range(n):
            for known in itertools.combinations(others, size):
                yield target, known


def level_of(joint, query, scale, reading="positive"):
    n = len(next(iter(joint)))
    return max(leakage_of(joint, query, i, K, scale, reading) for i, K in everybody(n))


def noiseless_level(joint, query):
    """The leakage without noise, by the reading "positive"."""
    n, best = len(next(iter(joint))), 0.0
    for target, known in everybody(n):
        groups = {}
        for x, p in joint.items():
            if p > 0:
                group = groups.setdefault(tuple(x[j] for j in known), {})
                distribution = group.setdefault(x[target], {})
                distribution[query[x]] = distribution.get(query[x], 0) + p
        for group in groups.values():
            distributions = [
                {v: p / sum(distribution.values()) for v, p in distribution.items()}
                for distribution in group.values()
            ]
            for one, two in itertools.permutations(distributions, 2):
                for v, p in one.items():
                    ratio = p / two[v] if v in two else None
                    best = math.inf if ratio is None else max(best, float(mpmath.log(
                        mpmath.mpf(ratio.numerator) / ratio.denominator)))  # fmt: skip
    return best


def exactly(array):
    return {x: Fraction(v) for x, v in np.ndenumerate(np.asarray(array, dtype=object))}


# --- a nasty generator ---------------------------------------------------------------------------

RARE = [5e-324, 1e-320, 1e-310, 1e-200, 1e-100, 1e-20, 1e-9]
SHAPES = [(1,), (2,), (3,), (1, 2), (2, 2), (2, 3), (2, 2, 2), (2, 1, 2)]


def nasty_distribution(rng):
    """Zeros, ties, copies of rows, and probabilities that are as small as floats can be."""
    shape = SHAPES[rng.integers(len(SHAPES))]
    distribution = rng.integers(0, 4, shape).astype(float)
    if rng.random() < 0.3:
        distribution[...] = 1.0
    distribution[(0,) * len(shape)] += 1
    for _ in range(rng.integers(0, 3)):
        cell = tuple(int(rng.integers(k)) for k in shape)
        if distribution.sum() > distribution[cell]:
            distribution[cell] = RARE[rng.integers(len(RARE))]
    if len(shape) > 1 and rng.random() < 0.3:
        distribution[-1] = distribution[0]
    return distribution / distribution.sum()


def nasty_query(rng, shape):
    kind = rng.integers(6)
    if kind == 0:
        return rng.integers(-2, 3, shape).astype(float)
    if kind == 1:
        return np.full(shape, 7.25)
    if kind == 2:
        return rng.choice([0, 5e-324, 1e-300, 1e300], shape)
    if kind == 3:
        return 1e15 + 0.125 * rng.integers(0, 4, shape)
    if kind == 4:
        return rng.integers(2**53, 2**53 + 4, shape) * 2.0
    return rng.choice([0.1 + 0.2, 0.3, 1.0, 1000.0], shape)


EPSILONS = [1e-8, 1e-3, 0.5, 1.0, 30.0, 1e4]


@pytest.mark.parametrize("seed", range(60))
def test_noise_of_a_nasty_distribution_is_never_too_little(seed):
    rng = np.random.default_rng(seed)
    distribution = nasty_distribution(rng)
    query = nasty_query(rng, distribution.shape)
    epsilon = EPSILONS[seed % len(EPSILONS)]
    reading = ("positive", "kernel")[seed % 2]
    model = FiniteDistribution(distribution, query=query, conditions=reading)
    try:
        scale = model.noise_scale(epsilon)
    except REFUSED:
        return
    joint, asked = exactly(distribution), exactly(query)
    if scale == 0:
        assert noiseless_level(joint, asked) <= epsilon * (1 + SLACK)
    else:
        assert level_of(joint, asked, scale, reading) <= epsilon * (1 + SLACK)
        assert level_of(joint, asked, scale * (1 - 1e-6), reading) > epsilon * (1 - 1e-4)


@pytest.mark.parametrize("seed", range(60))
def test_leakages_of_a_nasty_distribution_are_never_too_small(seed):
    rng = np.random.default_rng(1000 + seed)
    distribution = nasty_distribution(rng)
    query = nasty_query(rng, distribution.shape)
    reading = ("positive", "kernel")[seed % 2]
    model = FiniteDistribution(distribution, query=query, conditions=reading)
    span = max(float(np.ptp(query)), 1e-300)
    scale = span * 10.0 ** rng.integers(-2, 9)
    joint, asked = exactly(distribution), exactly(query)
    try:
        table = model.all_leakages(scale=scale)
    except REFUSED:
        return
    for who, leakage in table.items():
        exact = leakage_of(joint, asked, *who, scale, reading)
        assert exact <= leakage * (1 + SLACK) + 1e-50  # sixty digits
        assert leakage <= exact * (1 + 1e-6) + 1e-12
        assert model.leakage(*who, scale=scale) == leakage
    assert model.worst_adversary(scale=scale).leakage == max(table.values())


@pytest.mark.parametrize("seed", range(25))
def test_the_distance_of_a_nasty_distribution_is_enough_noise(seed):
    """Noise of the distance over epsilon keeps epsilon, to what tails hide in rounding."""
    rng = np.random.default_rng(2000 + seed)
    distribution = nasty_distribution(rng)
    query = nasty_query(rng, distribution.shape)
    try:
        distance = FiniteDistribution(distribution, query=query).wasserstein_distance(known=True)
    except REFUSED:
        return
    joint, asked = exactly(distribution), exactly(query)
    for epsilon in (0.1, 3.0):
        if distance > 1e-300:
            assert level_of(joint, asked, distance / epsilon) <= epsilon + 1e-12
    if distance == 0:
        assert noiseless_level(joint, asked) <= 1e-12


@pytest.mark.parametrize("seed", range(20))
def test_the_dp_level_is_never_too_small(seed):
    rng = np.random.default_rng(3000 + seed)
    distribution = nasty_distribution(rng)
    query = nasty_query(rng, distribution.shape)
    asked, change = exactly(query), Fraction(0)
    for x, y in itertools.product(asked, repeat=2):
        if sum(a != b for a, b in zip(x, y)) == 1:
            change = max(change, abs(asked[x] - asked[y]))
    scale = 2.0 ** int(rng.integers(-3, 4)) * max(float(np.ptp(query)), 1.0)
    level = FiniteDistribution(distribution, query=query).dp_level(scale=scale)
    assert change / Fraction(scale) <= Fraction(level) * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("seed", range(12))
def test_several_numbers_are_never_better_than_the_truth(seed):
    rng = np.random.default_rng(4000 + seed)
    distribution = nasty_distribution(rng)
    numbers = rng.integers(0, 3, (*distribution.shape, 2)).astype(float)
    epsilon = EPSILONS[seed % len(EPSILONS)]
    scale = FiniteDistribution(distribution, query=numbers).noise_scale(epsilon)
    if scale == 0:
        return
    corners = list(itertools.product(*(sorted(set(column)) for column in numbers.reshape(-1, 2).T)))
    with mpmath.workdps(60):
        for target, known in everybody(distribution.ndim):
            groups = {}
            for x, p in np.ndenumerate(distribution):
                if p > 0:
                    group = groups.setdefault(tuple(x[j] for j in known), {})
                    group.setdefault(x[target], []).append((mpmath.mpf(p), numbers[x]))
            for group, corner in itertools.product(groups.values(), corners):
                densities = [
                    sum(p * mpmath.exp(-mpmath.mpf(np.abs(corner - f).sum()) / scale)
                        for p, f in row) / sum(p for p, _ in row)
                    for row in group.values()
                ]  # fmt: skip
                ratio = mpmath.log(max(densities) / min(densities))
                assert ratio <= epsilon * (1 + SLACK)


# --- what was found, input by input --------------------------------------------------------------


def test_a_possible_database_is_never_taken_for_an_impossible_one():
    """Probabilities whose float is 0: exact where there is a closed form, else refused."""
    half = Fraction(1, 2)
    joint = np.array([[half - TINY, TINY], [TINY, half - TINY]])
    distribution = FiniteDistribution(joint, query=[[0, 1000], [1000, 0]])
    assert distribution.leakage(0, [1], scale=1) == 1000
    for promise in (
        distribution.noise_scale,
        lambda e: distribution.worst_adversary(scale=e),
        lambda e: distribution.all_leakages(scale=e),
        lambda _: distribution.wasserstein_distance(),
        lambda e: distribution.dp_level(scale=e),
    ):
        with pytest.raises(ValueError, match="joint must not be so small that its float is 0"):
            promise(1.0)
    alone = FiniteDistribution([TINY, 1 - TINY])
    assert alone.leakage(0, scale=1) == 1
    with pytest.raises(ValueError, match="float is 0"):
        alone.noise_scale(1.0)
    for small in (5e-324, 1e-320, 1e-300):
        assert FiniteDistribution([small, 1 - small]).noise_scale(1.0) == pytest.approx(1, rel=1e-9)
        near = FiniteDistribution([[0.5, small], [small, 0.5]], query=[[0, 1000], [1000, 0]])
        assert near.leakage(0, [1], scale=1) == 1000


def test_a_quotient_of_denormal_numbers_keeps_its_digits():
    """5e-324 divided by 0.6 is no float; its logarithm is."""
    distribution = np.array([[5e-324, 0.6], [0.2, 0.2]])
    exact = leakage_of(exactly(distribution), exactly([[0, 1], [0, 1]]), 0, (), 1e-6)
    found = FiniteDistribution(distribution, query=[[0, 1], [0, 1]]).leakage(0, scale=1e-6)
    assert found == pytest.approx(float(exact), rel=1e-14)


@pytest.mark.parametrize("large", [2**53, 2**60, 10**18, 10**30])
def test_sums_beyond_the_integers_of_floats(large):
    """The float of 2**53 + 1 is 2**53: the query would not change."""
    distribution = FiniteDistribution(
        [[0.25, 0.25], [0.25, 0.25]], values=[[large, large + 1], [0, 1]]
    )
    assert distribution.noise_scale(1.0) == pytest.approx(1.0, rel=1e-9)
    assert distribution.dp_level(scale=1) == 1
    assert distribution.wasserstein_distance() == 1
    fixed = FiniteDistribution([[0.5, 0.5]], values=[[large], [0, 1]])
    assert fixed.noise_scale(1.0) == pytest.approx(1.0, rel=1e-9)
    assert fixed.leakage(1, scale=2) == pytest.approx(0.5, rel=1e-12)
    asked = FiniteDistribution([0.5, 0.5], query=[large, large + 1])
    assert asked.noise_scale(1.0) == pytest.approx(1.0, rel=1e-9)


def test_values_that_only_a_float_joins():
    for query in ([1e15, 1e15 + 0.125], [0.1 + 0.2, 0.3], [1e-290, 0.0]):
        distribution = FiniteDistribution([0.5, 0.5], query=query)
        assert distribution.noise_scale(0.5) == pytest.approx(
            2 * abs(query[0] - query[1]), rel=1e-9
        )
    third = FiniteDistribution(
        [0.5, 0.5], query=[Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)]
    )
    assert third.noise_scale(1.0) == pytest.approx(1e-30, rel=1e-9)
    with pytest.raises(ValueError, match="equal or differ by what a float can hold"):
        FiniteDistribution([0.5, 0.5], query=[Fraction(0), Fraction(1, 10**400)])


def test_a_query_whose_range_is_no_float_is_refused():
    rule = (
        "^FiniteDistribution: the values of the query must be within the range of floats "
        "of one another"
    )
    for given in ({"values": [[-1e308, 1e308]]}, {"query": [-1e308, 1e308]},
                  {"weights": [3.0], "values": [[0, 1e308]]}):  # fmt: skip
        with pytest.raises(ValueError, match=rule):
            FiniteDistribution([0.5, 0.5], **given)
    two = [[0.25, 0.25], [0.25, 0.25]]
    with pytest.raises(ValueError, match=rule):
        FiniteDistribution(two, values=[[0, 1e308], [0, 1e308]])
    numbers = np.zeros((2, 2, 2))
    numbers[1, 1] = 1e308
    with pytest.raises(ValueError, match=rule):
        FiniteDistribution(two, query=numbers).noise_scale(1.0)


def test_conditional_distributions_that_nearly_agree_keep_their_leakage():
    """Much noise, and a target that hardly matters: the difference of nearly equal numbers."""
    for near in (1e-7, 1e-10, 1e-13):
        distribution = np.array([[0.25 + near, 0.25], [0.25, 0.25 + 2 * near]])
        distribution /= distribution.sum()
        query = [[0, 40_000_000], [0, 40_000_000]]
        exact = leakage_of(exactly(distribution), exactly(query), 0, (), 10**8)
        found = FiniteDistribution(distribution, query=query).leakage(0, scale=1e8)
        assert exact <= found * (1 + 1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_rounding_is_added_where_it_may_be_more_than_the_slack(seed):
    """Two rows that differ by 1e-11: floats alone are below the truth in every second case."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(5))
    distribution = np.stack([shares, shares * (1 + 1e-11 * rng.normal(size=5))])
    distribution /= distribution.sum()
    query = np.tile(rng.integers(0, 40_000_000, 5), (2, 1))
    exact = leakage_of(exactly(distribution), exactly(query), 0, (), 10**8)
    found = FiniteDistribution(distribution, query=query).leakage(0, scale=1e8)
    assert exact <= found * (1 + SLACK) <= exact * 1.5


def test_epsilon_at_its_ends():
    distribution = FiniteDistribution([[0.49, 0.01], [0.01, 0.49]])
    assert distribution.noise_scale(math.inf) == 0
    assert distribution.noise_scale(1e-8) == pytest.approx(196e6, rel=1e-6)
    assert distribution.noise_scale(1e4) == pytest.approx(1e-4, rel=0.01)
    for bad in (0, -1, math.nan, -math.inf, "1", True, None):
        with pytest.raises(REFUSED, match=r"^noise_scale: epsilon must be"):
            distribution.noise_scale(bad)
    with pytest.raises(ValueError, match="epsilon must be small enough"):
        FiniteDistribution([0.5, 0.5], values=[[0, 5e-324]]).noise_scale(1e4)
    with pytest.raises(ValueError, match="epsilon must be large enough"):
        FiniteDistribution([0.5, 0.5], values=[[0, 1e300]]).noise_scale(1e-10)


def test_an_epsilon_that_the_query_alone_hardly_exceeds():
    """Scales at which the noise is nothing beside the values: no endless search."""
    joint = [[0.2, 0.3], [0.3, 0.2]]
    hint = FiniteDistribution(joint, query=[[0, 1], [0, 1]])
    limit = math.log(1.5)
    weak = hint.leakage(0, scale=1e-3)
    assert weak == pytest.approx(limit)
    noisy = np.array([[0.3, 0.2], [0.2, 0.3]]) / 2
    both = np.stack([noisy, noisy[::-1]], axis=-1)
    distribution = FiniteDistribution(both, query=np.zeros((2, 2, 2)) + np.array([0, 1]))
    for epsilon in (limit * (1 - 1e-12), limit, limit * (1 + 1e-12)):
        assert distribution.noise_scale(epsilon) >= 0


@pytest.mark.parametrize("reading", ["positive", "kernel"])
def test_one_database_is_certain(reading):
    distribution = FiniteDistribution([[1.0, 0], [0, 0]], conditions=reading)
    assert distribution.noise_scale(0.5) == (0 if reading == "positive" else 2)
    assert FiniteDistribution([1.0], conditions=reading).noise_scale(1e-8) == 0
    constant = FiniteDistribution([[0.5, 0], [0, 0.5]], query=[[3, 3], [3, 3]], conditions=reading)
    assert constant.noise_scale(1e-8) == 0


def test_nobody_changes_a_distribution_afterwards():
    joint = np.array([[0.4, 0.1], [0.1, 0.4]])
    rows = [row.tolist() for row in joint]
    exact = np.array([[Fraction(2, 5), Fraction(1, 10)], [Fraction(1, 10), Fraction(2, 5)]])
    query, weights, values = np.array([[0.0, 1], [1, 2]]), np.array([1.0, 2]), [[0.0, 1], [0, 3]]
    nested = [np.array([0.0, 1]), np.array([0, 3])]
    models = [
        FiniteDistribution(joint),
        FiniteDistribution(rows),
        FiniteDistribution(exact),
        FiniteDistribution(joint, query=query),
        FiniteDistribution(joint, weights=weights),
        FiniteDistribution(joint, values=values),
        FiniteDistribution(joint, values=nested),
        FiniteDistribution(exact, query=query),
    ]
    before = [model.noise_scale(0.5) for model in models]
    symbolic = models[2].leakage(0, scale=1), models[7].leakage(0, scale=1)
    joint[:] = 0.25
    rows[0][0] = rows[1][1] = 0.25
    exact[:] = Fraction(1, 4)
    query *= 3
    weights *= 3
    values[0][1] = 50.0
    nested[1] *= 9
    assert [model.noise_scale(0.5) for model in models] == before
    assert (models[2].leakage(0, scale=1), models[7].leakage(0, scale=1)) == symbolic
    for model in models:
        for array in (model.joint, model.query, model.weights):
            if array is not None:
                with pytest.raises(ValueError, match="read-only"):
                    array[...] = array[...]
    again = pickle.loads(pickle.dumps(models[3]))
    assert again.noise_scale(0.5) == before[3]


def test_what_a_result_is_changed_to_does_not_come_back():
    distribution = FiniteDistribution([[0.49, 0.01], [0.01, 0.49]])
    table = distribution.all_leakages(scale=1)
    table[0, ()] = 0.0
    belief = distribution.posterior(0, {}, output=0, scale=10)
    belief[:] = 0
    assert distribution.all_leakages(scale=1)[0, ()] > 0
    assert distribution.posterior(0, {}, output=0, scale=10).sum() == pytest.approx(1)


def test_labels_that_are_no_numbers_or_say_nothing():
    table = pd.DataFrame([[0.3, 0.2], [0.1, 0.4]])
    for labels in (["no", "yes"], [False, True], pd.to_datetime(["2020-01-01", "2020-01-02"])):
        with pytest.raises(TypeError, match="FiniteDistribution: values must be given"):
            FiniteDistribution(table.set_axis(labels, axis=1))
        assert (
            FiniteDistribution(table.set_axis(labels, axis=1), values=[[0, 1]] * 2).dp_level(
                scale=1
            )
            == 1
        )
    for axis in (0, 1):
        with pytest.raises(ValueError, match="labels of joint must be distinct, got 5 twice"):
            FiniteDistribution(table.set_axis([5, 5], axis=axis))
        with pytest.raises(ValueError, match="labels of joint must not be missing, got nan"):
            FiniteDistribution(table.set_axis([0, math.nan], axis=axis))
    people = pd.DataFrame({"a": [0, 1, 1], "b": [0, math.nan, 2]})
    counts = people.value_counts(normalize=True, dropna=False)
    with pytest.raises(ValueError, match="labels of joint must not be missing"):
        FiniteDistribution(counts)
    twice = pd.Series([0.5, 0.25, 0.25], pd.MultiIndex.from_tuples([(0, 0), (0, 1), (0, 1)]))
    with pytest.raises(ValueError, match=r"must be distinct, got \(0, 1\) twice"):
        FiniteDistribution(twice)
    levels = pd.DataFrame([[0.5, 0.5]], columns=pd.MultiIndex.from_tuples([(0, 0), (0, 1)]))
    with pytest.raises(ValueError, match="a table of two tuples without levels"):
        FiniteDistribution(levels)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[::5])
def test_the_order_of_a_series_changes_nothing(order):
    """What value_counts sorts by size; the labels are the numbers."""
    series = pd.Series([0.4, 0.3, 0.2, 0.1], pd.MultiIndex.from_product([[0, 5], [1, 7]]))
    plain = FiniteDistribution([[0.4, 0.3], [0.2, 0.1]], values=[[0, 5], [1, 7]])
    turned = series.iloc[list(order)]
    assert FiniteDistribution(turned).all_leakages(scale=3) == plain.all_leakages(scale=3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"values": 5}, "values must be a sequence"),
        ({"values": "01"}, "values must be a sequence"),
        ({"values": [{0, 1}, {0, 1}]}, "values must be in order, got a set"),
        ({"joint": {0: 0.5}}, "joint must be in order, got a dict"),
        ({"weights": {"a": 1}}, "weights must be in order, got a dict"),
        ({"query": [[0, 1], [2]]}, "query must be a rectangular array"),
        ({"query": [["0", "1"], ["1", "2"]]}, "query must hold real numbers"),
        ({"values": [[0, None], [0, 1]]}, "values must be a real number"),
        ({"joint": [[0.5, None], [0.25, 0.25]], "scale": 1.0}, "joint must be"),
    ],
)
def test_what_is_no_distribution_says_so(given, message):
    arguments = {"joint": [[0.25, 0.25], [0.25, 0.25]]} | given
    scale = arguments.pop("scale", 1.0)
    with pytest.raises(REFUSED, match=f"^FiniteDistribution: {message}"):
        FiniteDistribution(**arguments).all_leakages(scale=scale)


def test_work_that_is_too_large_is_refused_before_it_starts():
    with pytest.raises(ValueError, match="all_leakages: the number of adversaries times"):
        FiniteDistribution(np.full((2,) * 17, 2.0**-17)).all_leakages(scale=1)
    many = FiniteDistribution(np.full(20_000, 1 / 20_000))
    with pytest.raises(ValueError, match="entries of the table of what one adversary compares"):
        many.leakage(0, scale=1)
    weeks = np.zeros((3, 3, 20))
    weeks += np.random.default_rng(0).normal(size=weeks.shape)
    with pytest.raises(ValueError, match="whatever the distribution, noise of the scale"):
        FiniteDistribution(np.full((3, 3), 1 / 9), query=weeks).noise_scale(1.0)


def test_a_result_that_fails_its_check_is_not_returned(monkeypatch):
    distribution = FiniteDistribution([[0.4, 0.1], [0.1, 0.4]])
    inner = finite._largest_log_ratio
    monkeypatch.setattr(finite, "_largest_log_ratio", lambda *given: 0.9 * inner(*given))
    promises = (
        lambda: distribution.noise_scale(1.0),
        lambda: distribution.worst_adversary(scale=2),
        lambda: distribution.leakage(0, scale=2),
        lambda: distribution.all_leakages(scale=2),
    )
    for promise in promises:
        with pytest.raises(privlib.UncertifiedError, match="must be at most"):
            promise()
    assert distribution.leakage(0, scale=2, certify=False) > 0  # by keyword, never by default
    assert distribution.worst_adversary(scale=2, certify=False).leakage > 0
    monkeypatch.setattr(finite, "_furthest", lambda *_: 0.5)
    with pytest.raises(privlib.UncertifiedError, match="wasserstein_distance: the leakage with"):
        distribution.wasserstein_distance()
    monkeypatch.setattr(finite, "_furthest", lambda *_: 0.0)
    with pytest.raises(privlib.UncertifiedError, match="wasserstein_distance: the leakage without"):
        distribution.wasserstein_distance()


# --- chains --------------------------------------------------------------------------------------


def nasty_chain(rng):
    """One to three states, with zeros, ties, rare moves and states that nobody reaches."""
    k = int(rng.integers(1, 4))
    rows = rng.integers(0, 4, (k + 1, k)).astype(float)
    for _ in range(rng.integers(0, 4)):
        rows[rng.integers(k + 1), rng.integers(k)] = RARE[rng.integers(len(RARE))]
    for row in rows:
        if row.sum() < 1e-8:
            row[rng.integers(k)] = 1
    rows /= rows.sum(axis=1, keepdims=True)
    return rows[:-1], rows[-1]


def paths(P, first, n, values):
    """The joint distribution and the query of a chain, in fractions; rows sum to 1 exactly."""
    joint, query = {}, {}
    moves = [[Fraction(p) / sum(map(Fraction, row)) for p in row] for row in P]
    for x in itertools.product(range(len(P)), repeat=n):
        p = Fraction(first[x[0]])
        for a, b in itertools.pairwise(x):
            p *= moves[a][b]
        joint[x] = p
        query[x] = Fraction(sum(int(values[a]) for a in x))
    return joint, query


@pytest.mark.parametrize("seed", range(40))
def test_noise_and_level_of_a_nasty_chain(seed):
    rng = np.random.default_rng(5000 + seed)
    P, first = nasty_chain(rng)
    k, n = len(P), int(rng.integers(1, 5 if len(P) < 3 else 4))
    values = [list(range(k)), rng.integers(-3, 4, k).tolist(),
              (rng.integers(0, 3, k) * 10**6).tolist()][seed % 3]  # fmt: skip
    epsilon = EPSILONS[seed % len(EPSILONS)]
    given = {"initial": first, "values": values}
    joint, query = paths(P, first, n, values)
    scale = MarkovChain(P, n, **given).noise_scale(epsilon)
    if scale == 0:
        assert noiseless_level(joint, query) <= epsilon * (1 + SLACK)
    else:
        assert level_of(joint, query, scale) <= epsilon * (1 + SLACK)
        assert level_of(joint, query, scale * (1 - 1e-5)) > epsilon * (1 - 1e-3)
    more = 1.7 * max(scale, 1e-3)
    level = MarkovChain(P, n, **given).worst_adversary(scale=more).leakage
    assert level_of(joint, query, more) <= level * (1 + SLACK) + 1e-50


@pytest.mark.parametrize("seed", range(20))
def test_the_distance_along_a_nasty_chain_is_enough_noise(seed):
    rng = np.random.default_rng(6000 + seed)
    P, first = nasty_chain(rng)
    n, values = int(rng.integers(1, 4)), rng.integers(0, 4, len(P)).tolist()
    distance = MarkovChain(P, n, initial=first, values=values).wasserstein_distance(known=True)
    joint, query = paths(P, first, n, values)
    for epsilon in (0.1, 3.0):
        if distance:
            assert level_of(joint, query, distance / epsilon) <= epsilon + 1e-10
        else:
            assert noiseless_level(joint, query) <= 1e-10


def quilt_noise(joint, states, epsilon):
    """The quilt mechanism by its definition, in fractions."""
    n = len(next(iter(joint)))
    noise = []
    for i in range(n):
        best = n / epsilon
        for left, right in itertools.product(range(-1, i), range(i + 1, n + 1)):
            quilt = [j for j in (left, right) if 0 <= j < n]
            distributions = {v: {} for v in range(states)}
            for x, p in joint.items():
                at = tuple(x[j] for j in quilt)
                distributions[x[i]][at] = distributions[x[i]].get(at, 0) + p
            distributions = [
                distribution
                for distribution in distributions.values()
                if sum(distribution.values())
            ]
            influence = 0.0
            for one, two in itertools.permutations(distributions, 2):
                for at, p in one.items():
                    q = two.get(at, 0)
                    if p and not q:
                        influence = math.inf
                    elif p:
                        ratio = (p / sum(one.values())) / (q / sum(two.values()))
                        logs = mpmath.log(ratio.numerator) - mpmath.log(ratio.denominator)
                        influence = max(influence, float(logs))
            inside = min(n, right) - (left + 1 if left >= 0 else 0)
            if influence < epsilon:
                best = min(best, inside / (epsilon - influence))
        noise.append(best)
    return max(noise)


@pytest.mark.parametrize("seed", range(30))
def test_quilts_of_a_nasty_chain_by_their_definition(seed):
    rng = np.random.default_rng(7000 + seed)
    P, first = nasty_chain(rng)
    n, epsilon = int(rng.integers(1, 5)), (0.5, 3.0, 800.0)[seed % 3]
    joint, _ = paths(P, first, n, [0] * len(P))
    found = MarkovChain(P, n, initial=first).markov_quilt_scale(epsilon)
    assert found == pytest.approx(quilt_noise(joint, len(P), epsilon), rel=1e-9)


def test_products_of_rare_moves_do_not_vanish():
    """2e-200 squared is no float: the only way there was taken for none."""
    P = [[0.5, 0, 0.5], [1, 2e-200, 2e-200], [0.5, 0, 0.5]]
    scale = MarkovChain(P, 4, initial=[1 / 3] * 3).markov_quilt_scale(1)
    assert scale == pytest.approx(4.0, rel=1e-12)
    once = [[1 - 1e-200, 1e-200, 0], [0.5, 0.5 - 1e-200, 1e-200], [0, 0.5, 0.5]]
    # The last state has the share 4e-400 of the stationary distribution, and is possible.
    logs = markov_chain._chains("f", once, 3, None, None)[0].first
    assert logs[2] == pytest.approx(math.log(4) - 400 * math.log(10), rel=1e-12)
    assert MarkovChain(once, 1).noise_scale(1) == pytest.approx(2.0, rel=1e-6)
    assert projective_diameter([[1e-200, 1], [1, 1e-200]], 2) < math.inf


@pytest.mark.parametrize("tiny", [Fraction(1, 10**400), Fraction(1, 10**324)])
def test_rare_moves_that_no_float_holds_are_refused(tiny):
    sure = 1 - tiny
    moves = [[tiny, sure], [sure, tiny]]
    for transition, first in (
        (moves, None), (np.array(moves), None), (sure, [1, 0]), (tiny, None),
        ([[tiny, 1.0], [1.0, 0.0]], None), (0.5, [tiny, sure]), (0.5, [tiny, 1.0]),
    ):  # fmt: skip
        for ask in (
            lambda t, f: MarkovChain(t, 4, initial=f).noise_scale(1),
            lambda t, f: MarkovChain(t, 4, initial=f).worst_adversary(scale=1),
            lambda t, f: MarkovChain(t, 4, initial=f).markov_quilt_scale(1),
            lambda t, f: MarkovChain(t, 4, initial=f).wasserstein_distance(),
        ):
            with pytest.raises(ValueError, match="must not be so small that its float is 0"):
                ask(transition, first)
    for rare in (1e-300, 1e-320, 5e-324):
        found = MarkovChain([[rare, 1], [1, rare]], 4).noise_scale(1)
        assert found == pytest.approx(1.0, rel=1e-8)


def random_walk(size, back):
    P = np.zeros((size, size))
    for x in range(size):
        P[x, max(x - 1, 0)] += back
        P[x, min(x + 1, size - 1)] += 1 - back
    return P


@pytest.mark.parametrize("back", [0.5, 0.9, 0.99, 1 - 1e-12, 1e-9])
@pytest.mark.parametrize("size", [2, 24, 60])
def test_stationary_distributions_keep_their_relative_precision(size, back):
    """Detailed balance in fractions; masses down to 1e-700."""
    P = random_walk(size, back)
    first = markov_chain._chains("f", P, 3, None, None)[0].first
    # The last state first, so that a rare one is eliminated last, and so on.
    turned = markov_chain._chains("f", P[::-1, ::-1], 3, None, None)[0].first[::-1]
    with mpmath.workdps(50):
        up, down = mpmath.mpf(P[0, 1]), mpmath.mpf(P[1, 0])
        shares = [(up / down) ** x for x in range(size)]
        logs = [float(mpmath.log(share / sum(shares))) for share in shares]
    np.testing.assert_allclose(first, logs, rtol=1e-13, atol=1e-11)
    np.testing.assert_allclose(turned, logs, rtol=1e-13, atol=1e-11)


@pytest.mark.parametrize("size", [1, 2, 40, 160, 200])
def test_a_stationary_distribution_that_is_not_unique_is_refused(size):
    P = np.zeros((2 * size, 2 * size))
    P[:size, :size] = 1 / size
    P[size:, size:] = 1 / size
    with pytest.raises(ValueError, match="not unique: 2 sets of states are never left"):
        MarkovChain(P, 2).markov_quilt_scale(1)
    P[0] = 1 / (2 * size)  # the first block can be left now
    if size < 100:
        logs = markov_chain._chains("f", P, 2, None, None)[0].first
        assert (logs[:size] == -np.inf).all()
        np.testing.assert_allclose(np.exp(logs[size:]), 1 / size)


def test_values_count_in_units_of_their_common_divisor():
    plain = MarkovChain(0.9, 5).noise_scale(1)
    for unit in (3, 10_000, 2**40, 2**62):
        assert MarkovChain(0.9, 5, values=[-unit, 0]).noise_scale(1) == pytest.approx(
            unit * plain, rel=1e-12
        )
        assert MarkovChain(0.9, 5, values=[7 - unit, 7]).worst_adversary(scale=3 * unit) == (
            MarkovChain(0.9, 5).worst_adversary(scale=3)
        )
        assert MarkovChain(0.9, 5, values=[0, unit]).wasserstein_distance() == unit * (
            MarkovChain(0.9, 5).wasserstein_distance()
        )


def test_little_noise_is_not_taken_for_none():
    """States 0 and 1 differ by 1, beside a million: noise far below that of independent tuples."""
    P = np.array([[0.5, 0.5 - 1e-7, 1e-7]] * 2 + [[0.25, 0.25, 0.5]])
    values, epsilon = [0, 1, 10**4], 1e-8
    found = MarkovChain(P, 1, initial=[0.5, 0.5, 0], values=values).noise_scale(epsilon)
    assert 1 / epsilon <= found <= 1.0001 / epsilon


def test_a_bracket_that_holds_no_scale(monkeypatch):
    """Found with a reach of one: what is certified beyond exceeded epsilon by itself."""
    monkeypatch.setattr(markov_chain, "_REACH", 1)
    P = [[0, 0, 1], [0.5, 0, 0.5], [0.000999, 0.999001, 0]]
    # At so little noise only what is certified relative to epsilon keeps below it.
    (made,) = markov_chain._chains("f", P, 34, [5e-10, 0.5, 0.5 - 5e-10], [0, 0, 2])
    for scale in (1e-14, 1e-6):
        found = markov_chain._level("f", made, scale, 1e-6, ceiling=5.0)
        assert found.extra <= 1e-6 * 5.0
    given = {"initial": [5e-10, 0.5, 0.5 - 5e-10], "values": [0, 0, 2]}
    scale = MarkovChain(P, 34, **given).noise_scale(5)
    monkeypatch.setattr(markov_chain, "_REACH", 32)
    assert MarkovChain(P, 34, **given).worst_adversary(scale=scale, rtol=0).leakage <= 5 * (
        1 + SLACK
    )


def test_epsilon_of_chains_at_its_ends():
    for method in (MarkovChain.noise_scale, MarkovChain.markov_quilt_scale):
        assert method(MarkovChain(0.9, 5), math.inf) == 0
        assert method(MarkovChain(0.9, 3), 1e4) == pytest.approx(1e-4, rel=1e-2)
        for bad in (0, -1, math.nan, -math.inf, "1", True):
            with pytest.raises(REFUSED, match=f"^{method.__name__}: epsilon must be"):
                method(MarkovChain(0.9, 5), bad)
    assert MarkovChain(0.9, 5).noise_scale(1e-8) == pytest.approx(
        1e8 * (1 + 2 * (0.8 + 0.64)), rel=1e-6
    )


def test_what_is_left_out_of_a_long_chain_is_in_its_level():
    """The level is never below that of all intervals; above it by what was asked for."""
    for stay, scale in ((0.75, 20), (0.9, 1), (0.9, 20)):
        every = MarkovChain(stay, 70).worst_adversary(scale=scale, rtol=0).leakage
        for rtol in (1e-6, 1e-3):
            level = MarkovChain(stay, 70).worst_adversary(scale=scale, rtol=rtol).leakage
            assert every * (1 - 1e-12) <= level <= every * (1 + rtol)


def test_rows_that_miss_1_a_little_are_made_to_sum_to_1():
    """A thousand steps made a relative 1e-6 of the 1e-9 that are forgiven."""
    off = np.array([[0.9, 0.1], [0.4, 0.6]]) * np.array([[1 + 9e-10], [1 - 9e-10]])
    exact = MarkovChain([[0.9, 0.1], [0.4, 0.6]], 30).worst_adversary(scale=2).leakage
    assert MarkovChain(off, 30).worst_adversary(scale=2).leakage == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: MarkovChain(0.9, 10**7).worst_adversary(scale=1),
        lambda: MarkovChain(0.9, 2**70).noise_scale(1),
        lambda: MarkovChain(0.9, 10**5).wasserstein_distance(),
        lambda: MarkovChain(1.0, 10**4, initial=[0.5, 0.5]).noise_scale(1),
        lambda: MarkovChain(np.full((160, 160), 1 / 160), 5).noise_scale(1),
        lambda: MarkovChain(np.full((3, 3), 1 / 3), 5, values=[0, 1, 10**9]).noise_scale(1),
        lambda: MarkovChain(np.full((200, 200), 1 / 200), 10**6).markov_quilt_scale(1),
        lambda: MarkovRandomField({(0, 10**9): [[1, 2], [2, 1]]}),
        lambda: MarkovRandomField({}, values=[[0, 1, 2**40]] * 2).leakage(0, scale=1),
    ],
)
def test_work_without_end_is_refused(ask):
    with pytest.raises(ValueError, match=r"must be (at most|in)"):
        ask()


def test_a_chain_that_fails_its_check_returns_nothing(monkeypatch):
    inner = markov_chain.leakages_of_sums
    monkeypatch.setattr(
        markov_chain,
        "leakages_of_sums",
        lambda distributions, scale, **lost: 0.9 * inner(distributions, scale, **lost),
    )
    for promise in (lambda: MarkovChain(0.9, 5).worst_adversary(scale=2),
                    lambda: MarkovChain(0.9, 5).leakage(2, [4], scale=2),
                    lambda: MarkovChain(0.9, 5).noise_scale(1)):  # fmt: skip
        with pytest.raises(privlib.UncertifiedError, match="must be at most"):
            promise()
    monkeypatch.setattr(
        markov_chain,
        "leakages_of_sums",
        lambda distributions, scale, **lost: 1.1 * inner(distributions, scale, **lost),
    )
    with pytest.raises(privlib.UncertifiedError, match="wasserstein_distance: the leakage with"):
        MarkovChain(1.0, 5, initial=[0.5, 0.5]).wasserstein_distance()
    quilts = markov_chain._quilts
    monkeypatch.setattr(markov_chain, "_quilts", lambda *given: [
        quilt._replace(noise=0.9 * quilt.noise) for quilt in quilts(*given)])  # fmt: skip
    with pytest.raises(privlib.UncertifiedError, match="markov_quilt_scale: the noise for tuple"):
        MarkovChain(0.9, 5).markov_quilt_scale(1)


# --- fields --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_leakages_of_a_nasty_field(seed):
    rng = np.random.default_rng(8000 + seed)
    n = int(rng.integers(1, 4))
    sizes = rng.integers(1, 4, n).tolist()
    scopes = [(j,) for j in range(n)] + list(itertools.combinations(range(n), 2))
    rare = [5e-324, 1e-300, 1e-150, 1.0, 2.0, 1e150, 1e308]
    factors = {s: rng.choice(rare, [sizes[j] for j in s]) for s in scopes}
    if seed % 3 == 0:
        factors = {s: [[Fraction(1, 10**400), 3], [1, 2]] if len(s) == 2 else [1, TINY]
                   for s in scopes}  # fmt: skip
        sizes = [2] * n
    spread = int(rng.choice([1, 10**5, 2**40]))
    values = [(spread * rng.integers(-3, 4, size)).tolist() for size in sizes]
    weights, query = {}, {}
    for x in itertools.product(*map(range, sizes)):
        weights[x] = Fraction(1)
        for s, table in factors.items():
            weights[x] *= Fraction(np.asarray(table, dtype=object)[tuple(x[j] for j in s)])
        query[x] = Fraction(sum(values[j][a] for j, a in enumerate(x)))
    field = MarkovRandomField(factors, values=values)
    scale = spread * float(rng.choice([0.3, 4.0, 1e4]))
    level = field.worst_adversary(scale=scale).leakage
    exact = level_of(weights, query, scale)
    assert exact <= level * (1 + SLACK) + 1e-50
    assert level <= exact * (1 + 1e-6) + 1e-10
    for who in everybody(n):
        found = field.leakage(*who, scale=scale)
        assert leakage_of(weights, query, *who, scale) <= found * (1 + SLACK) + 1e-50


def test_values_far_apart_take_no_more_than_near_ones():
    tie = {(0, 1): [[2, 1], [1, 2]]}
    plain = MarkovRandomField(tie)
    for unit in (3, 100_000, 2**60):
        field = MarkovRandomField(tie, values=[[0, unit]] * 2)
        assert field.leakage(0, scale=unit) == plain.leakage(0, scale=1)
        levels, distribution = field.joint_distribution(0)
        assert levels.tolist() == [0, unit, 2 * unit]
        assert distribution.tolist() == plain.joint_distribution(0)[1].tolist()
    apart = MarkovRandomField(tie, values=[[0, 99_991], [0, 100_000]])
    joint = {x: Fraction(2 if x[0] == x[1] else 1, 6) for x in itertools.product((0, 1), repeat=2)}
    query = {x: Fraction(99_991 * x[0] + 100_000 * x[1]) for x in joint}
    exact = leakage_of(joint, query, 0, (), 10**5)
    assert exact <= apart.leakage(0, scale=1e5) <= exact * (1 + 1e-9)


@pytest.mark.parametrize(
    ("factors", "values", "message"),
    [
        ({(0.0, 1.0): [[1, 1], [1, 1]]}, None, "factors must have tuples of integers as keys"),
        ({0: [1, 1]}, None, "factors must have tuples of integers as keys"),
        ({(): 1}, None, "factors must have tuples of integers as keys"),
        ({("a", "b"): [[1, 1], [1, 1]]}, None, "factors must have tuples of integers as keys"),
        ({(True, 0): [[1, 1], [1, 1]]}, None, "factors must have tuples of integers as keys"),
        ([((0,), [1, 1])], None, "factors must map tuples of integers"),
        ({(0,): [Fraction(1, 10**400), 0.5]}, None, r"factors\[\(0,\)\] must not be so small"),
        ({(0,): [1, "2"]}, None, r"factors\[\(0,\)\] must hold real numbers"),
        ({(0,): pd.Series([1, 2], [1, 0])}, None, r"factors\[\(0,\)\] is read by position"),
        ({}, [[]], "values must have a value for each tuple"),
        ({}, [], "values must have at least one tuple"),
        ({}, 5, "values must be a sequence of sequences"),
        ({}, [5], "values must be a sequence of sequences"),
        ({}, ["01"], "values must be a sequence of sequences"),
        ({}, [pd.Series([1, 2], [1, 0])], "values is read by position"),
    ],
)
def test_what_is_no_field_says_so(factors, values, message):
    with pytest.raises(REFUSED, match=f"^MarkovRandomField: {message}"):
        MarkovRandomField(factors, values=values)


def test_nobody_changes_a_field_afterwards():
    floats, whole = np.array([[3.0, 2], [2, 3]]), [[3, 2], [2, 3]]
    exact = np.array([[Fraction(3), Fraction(2)], [Fraction(2), Fraction(3)]])
    values, row = [[0, 1], [0, 1]], np.array([0, 1])
    given = {(0, 1): floats}
    fields = [
        MarkovRandomField(given),
        MarkovRandomField({(0, 1): whole}),
        MarkovRandomField({(0, 1): exact}),
        MarkovRandomField(given, values=values),
        MarkovRandomField(given, values=[row, row]),
    ]
    before = [field.leakage(0, scale=2) for field in fields]
    floats[:] = [[9, 1], [1, 9]]
    whole[0][0] = 90
    exact[0, 0] = Fraction(90)
    values[0][1] = 7
    row[1] = 7
    given[0, 1] = [[9, 1], [1, 9]]
    assert [field.leakage(0, scale=2) for field in fields] == before
    again = [MarkovRandomField(field.factors, values=field.values) for field in fields]
    assert [field.leakage(0, scale=2) for field in again] == before
    with pytest.raises(ValueError, match="read-only"):
        fields[0].factors[0, 1][0, 0] = 5
    distribution = fields[1].joint_distribution(0)[1]
    distribution[:] = 0
    assert fields[1].joint_distribution(0)[1].sum() == 1
    assert pickle.loads(pickle.dumps(fields[0])).leakage(0, scale=2) == before[0]


def test_a_distribution_of_which_floats_lose_a_part_is_not_returned():
    floats = {(0, 1): [[1e-200, 1.0], [1.0, 1.0]], (0,): [1e-200, 1.0]}
    with pytest.raises(ValueError, match=r"joint_distribution: no probability .* float is 0"):
        MarkovRandomField(floats).joint_distribution(0)
    exact = {s: np.vectorize(Fraction, otypes=[object])(table) for s, table in floats.items()}
    assert (MarkovRandomField(exact).joint_distribution(0)[1][0, :2] > 0).all()


def test_a_field_that_fails_its_check_returns_nothing(monkeypatch):
    ring = MarkovRandomField({(i, (i + 1) % 4): [[9, 1], [1, 9]] for i in range(4)})
    wide = MarkovRandomField({(i, i + 1): [[9.0, 1], [1, 9]] for i in range(30)})
    inner = markov_random_field.leakages_of_sums
    monkeypatch.setattr(
        markov_random_field,
        "leakages_of_sums",
        lambda distributions, scale, **lost: 0.9 * inner(distributions, scale, **lost),
    )
    for field in (ring, wide):
        with pytest.raises(privlib.UncertifiedError, match="leakage: the leakage about tuple"):
            field.leakage(0, scale=2)
    with pytest.raises(privlib.UncertifiedError, match="worst_adversary: the leakage about tuple"):
        ring.worst_adversary(scale=2)


# --- order at any depth, and closed forms of a wide query ---------------------------------------


def test_labels_deep_inside_lists_are_seen():
    turned = pd.Series([0.2, 0.05], index=[1, 0])
    joint = [[turned, [0.1, 0.15]], [[0.2, 0.05], [0.1, 0.15]]]
    with pytest.raises(ValueError, match="read by position"):
        FiniteDistribution(joint)
    with pytest.raises(ValueError, match="read by position"):
        FiniteDistribution([0.5, 0.5], query=[[[0], pd.Series([1], index=[7])]])
    factors = {(0, 1, 2): [[turned, [0.1, 0.15]], [[0.2, 0.05], [0.1, 0.15]]]}
    with pytest.raises(ValueError, match="read by position"):
        MarkovRandomField(factors)


def test_values_without_an_order_of_the_tuples_are_refused():
    joint, factors = [[0.4, 0.1], [0.2, 0.3]], {(0, 1): [[3, 1], [1, 2]]}
    turned = pd.Series([[0, 5], [0, 1]], index=[1, 0])
    unordered = [
        {(0, 1), (0, 5)},
        frozenset({(0, 1), (0, 5)}),
        {(0, 1): 1, (0, 5): 2},
        [{0, 5}, [0, 1]],
        [{0: 5, 1: 7}, [0, 1]],
        {0: [0, 5], 1: [0, 1]}.keys(),
    ]
    for values in unordered:
        with pytest.raises(TypeError, match="must be in order"):
            FiniteDistribution(joint, values=values)
        with pytest.raises(TypeError, match="must be in order"):
            MarkovRandomField(factors, values=values)
    with pytest.raises(ValueError, match="read by position"):
        FiniteDistribution(joint, values=turned)
    with pytest.raises(ValueError, match="read by position"):
        MarkovRandomField(factors, values=turned)


def test_known_values_may_be_a_series_of_tuples():
    field = MarkovRandomField({(0, 1): [[3, 1], [1, 2]], (1, 2): [[3, 1], [1, 2]]})
    given = field.joint_distribution(0, pd.Series([1, 0], index=[2, 1]))[1]
    assert given.tolist() == field.joint_distribution(0, {1: 0, 2: 1})[1].tolist()


def test_a_class_without_a_chain_is_refused():
    with pytest.raises(ValueError, match="got no matrix"):
        MarkovChain(np.empty((0, 2, 2)), 5).noise_scale(1)


def test_closed_forms_of_a_wide_query_take_no_minutes():
    third, sixth = Fraction(1, 3), Fraction(1, 6)
    joint = np.array([[third, sixth], [sixth, third]])
    wide = FiniteDistribution(joint, values=[[0, 1], [0, 60]])
    plain = FiniteDistribution(joint.astype(float), values=[[0, 1], [0, 60]])
    found = float(wide.leakage(0, scale=20))
    assert found == pytest.approx(plain.leakage(0, scale=20), rel=1e-9)
    for far in (10**6, 10**15, Fraction(123457, 10**6)):
        distribution = FiniteDistribution(joint, values=[[0, 1], [0, far]])
        with pytest.raises(ValueError, match="for a closed form"):
            distribution.leakage(0, scale=1)
        assert (
            FiniteDistribution(joint.astype(float), values=[[0, 1], [0, far]]).leakage(0, scale=1)
            > 0
        )


@pytest.mark.filterwarnings("error")
def test_an_epsilon_whose_quilts_no_float_holds_is_refused():
    with pytest.raises(ValueError, match="epsilon must be large enough"):
        MarkovChain(0.9, 5).markov_quilt_scale(5e-324)
    assert MarkovChain(0.9, 5).markov_quilt_scale(1e-300) == pytest.approx(5e300)


@pytest.mark.filterwarnings("error")
def test_an_output_beyond_all_floats_is_refused_without_a_warning():
    with pytest.raises(ValueError, match="output must not be so far"):
        FiniteDistribution([[0.4, 0.1], [0.2, 0.3]]).posterior(0, {1: 0}, output=1e308, scale=1e-3)


@pytest.mark.parametrize("name", ["joint", "values", "weights", "query"])
def test_what_stands_under_a_mask_is_not_read(name):
    given = {"joint": [[0.4, 0.1], [0.1, 0.4]]}
    if name == "values":
        given["values"] = [[0, 1], np.ma.masked_array([0, 1], mask=[True, False])]
    elif name == "weights":
        given["weights"] = np.ma.masked_array([1, 2], mask=[False, True])
    else:
        given[name] = np.ma.masked_array(given["joint"], mask=[[True, False], [False, False]])
    joint = given.pop("joint")
    with pytest.raises(TypeError, match=f"FiniteDistribution: {name} must be without a mask"):
        FiniteDistribution(joint, **given)


@pytest.mark.parametrize("text", [b"ab", bytearray(b"ab")])
def test_bytes_are_no_weights(text):
    with pytest.raises(TypeError, match="FiniteDistribution: weights must hold numbers, got byte"):
        FiniteDistribution([[0.4, 0.1], [0.1, 0.4]], weights=text)
