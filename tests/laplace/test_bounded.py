"""Bounded counts, sums and means: sensitivities by enumeration, noise by its distribution."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from privlib.laplace import bounded, discrete
from privlib.laplace.bounded import private_count, private_mean, private_sum, sum_noise_scale


def exact_sums(values, grid):
    """All sums of databases of up to two of the values, without noise, by the size."""
    return {
        n: {data: private_sum(data, epsilon=math.inf, **grid)
            for data in itertools.product(values, repeat=n)}
        for n in range(3)
    }  # fmt: skip


@pytest.mark.parametrize(
    "grid",
    [
        {"lower": 0, "upper": 10},
        {"lower": -7, "upper": 3},
        {"lower": 4, "upper": 6},
        {"lower": -3, "upper": -1},
        {"lower": Fraction(-1, 2), "upper": 1, "granularity": Fraction(1, 4)},
        {"lower": 0.1, "upper": 0.7, "granularity": 0.1},
        {"lower": 0, "upper": 300, "granularity": 100},
    ],
)
def test_the_scale_is_the_largest_change_by_enumeration(grid):
    """Neighbours of all databases of up to two records, some far outside of the bounds."""
    nasty = [-1e300, -3, -1, -0.26, 0.0, 0.149999, 0.15, 0.5, 3.5, 49.5, 1e17, math.inf, -math.inf]
    nasty += [grid["lower"], grid["upper"], 149.99, 10**400, Fraction(1, 3)]
    sums = exact_sums(nasty, grid)
    replaced = max(abs(a - b) for n in (1, 2) for one, a in sums[n].items()
                   for other, b in sums[n].items()
                   if sum(x != y for x, y in zip(one, other)) <= 1)  # fmt: skip
    added = max(abs(value - sums[n - 1][data[:-1]]) for n in (1, 2)
                for data, value in sums[n].items())  # fmt: skip
    for neighbours, largest in (("replace", replaced), ("add-remove", added)):
        scale = sum_noise_scale(epsilon=0.5, neighbours=neighbours, **grid)
        assert scale == pytest.approx(float(largest) / 0.5, rel=1e-12)
        assert Fraction(scale) >= Fraction(float(largest)) * 2 * (1 - Fraction(1, 10**12))


def test_clamping_and_rounding_by_hand():
    ages = [3, 31, 64, 212, -5]
    assert private_sum(ages, lower=0, upper=100, epsilon=math.inf) == 3 + 31 + 64 + 100 + 0
    warm = private_sum([36.64, 37.26, 99], lower=35, upper=42, granularity=0.1, epsilon=math.inf)
    assert warm == 115.9  # 36.6 + 37.3 + 42
    exact = private_sum([Fraction(1, 3)], lower=0, upper=1, granularity=Fraction(1, 2), epsilon=1e9)
    assert exact == Fraction(1, 2)
    assert isinstance(exact, Fraction)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_missing_values_are_refused_or_counted_as_said(missing):
    with pytest.raises(ValueError, match="values must have no missing entries"):
        private_sum([1, missing], lower=0, upper=5, epsilon=1)
    assert private_sum([1, missing], lower=0, upper=5, epsilon=math.inf, missing=3) == 4
    masked = np.ma.masked_array([1, 2], [False, True])
    assert private_sum(masked, lower=0, upper=5, epsilon=math.inf, missing=5) == 6


def test_a_series_is_read_without_its_index():
    people = pd.Series([4, 9], index=["Ann", "Bob"])
    assert private_sum(people, lower=0, upper=5, epsilon=math.inf) == 9
    assert private_count(people > 4, epsilon=math.inf) == 1


@pytest.mark.parametrize(
    ("query", "scale", "centre"),
    [
        (lambda: private_count([True, False, True], epsilon=0.5), 2, 2),
        (lambda: private_sum([1, 9], lower=0, upper=4, epsilon=2.0), 2, 5),
        (
            lambda: private_sum([1, 9], lower=-6, upper=4, epsilon=3.0, neighbours="add-remove"),
            2,
            5,
        ),
        (lambda: round(private_mean([1, 9], lower=0, upper=4, epsilon=2.0) * 2), 2, 5),
    ],
)
def test_the_noise_has_the_distribution_that_is_promised(query, scale, centre):
    """Chi-squared against the closed form; 4,000 draws without a seed, level one in a million."""
    draws = np.array([query() for _ in range(4000)]) - centre
    inner = np.arange(-6, 7)
    chances = discrete.pmf(inner, scale)
    expected = np.append(chances, 1 - chances.sum()) * draws.size
    seen = [int((draws == k).sum()) for k in inner]
    seen.append(draws.size - sum(seen))
    assert stats.chisquare(seen, expected).pvalue > 1e-6


def test_the_mean_with_a_private_number_splits_the_level(monkeypatch):
    asked = []

    def noise(value, *, scale):
        asked.append((value, scale))
        return value

    monkeypatch.setattr(bounded, "discrete_laplace", noise)
    mean = private_mean([1, 2, 9], lower=0, upper=4, epsilon=1.0, neighbours="add-remove")
    # Centred at 2: -1, 0 and 2. Sensitivities 2 and 1, each at the level 1/2.
    assert asked == [(1, Fraction(4)), (3, Fraction(2))]
    assert mean == pytest.approx(2 + 1 / 3)
    assert private_mean([], lower=0, upper=4, epsilon=1.0, neighbours="add-remove") == 2.0
    asked.clear()
    assert private_mean([5, 5], lower=0, upper=5, epsilon=1.0, neighbours="add-remove") == 5
    assert asked[0][1] == 6  # 0..5 around 2: three steps


def test_an_answer_stays_near_the_truth_at_much_budget():
    values = np.linspace(0, 1, 1001)
    mean = private_mean(values, lower=0, upper=1, granularity=0.001, epsilon=1e6)
    assert mean == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"lower": 5, "upper": 5}, "lower must be less than upper"),
        ({"lower": 0, "upper": 5, "granularity": 0}, "granularity must be positive"),
        ({"lower": 0, "upper": 5, "granularity": 2}, "upper must be a multiple of granularity = 2"),
        ({"lower": 0.05, "upper": 5, "granularity": 0.1}, "lower must be a multiple"),
        ({"lower": 0, "upper": 10**16}, "upper must be less than 2\\*\\*53 granularities"),
        ({"lower": 0, "upper": math.inf}, "upper must be finite"),
        ({"lower": 0, "upper": 5, "epsilon": 0}, "epsilon must be positive"),
        ({"lower": 0, "upper": 5, "neighbours": "swap"}, "neighbours must be one of"),
        (
            {"lower": 0, "upper": 10**310, "granularity": 10**309},
            "granularity must be in 2.23e-308",
        ),
        ({"lower": 0, "upper": 1, "granularity": Fraction(1, 10**400)}, "granularity must be in"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    given = {"values": [1], "epsilon": 1.0, **arguments}
    for query in (private_sum, private_mean):
        with pytest.raises(ValueError, match=f"^{query.__name__}: {message}"):
            query(**given)


@pytest.mark.parametrize("values", [["777"], "777", {777: 1}, {777}, [[777]], [True], [777j],
                                    [True, 777], np.array(["777"]),
                                    np.array([777], dtype="M8[D]")])  # fmt: skip
def test_what_is_no_number_is_refused_unquoted(values):
    with pytest.raises(TypeError, match=r"^private_sum: values must") as caught:
        private_sum(values, lower=0, upper=5, epsilon=1.0)
    assert "777" not in str(caught.value)


@pytest.mark.parametrize("holds", [[1, 0], [True, None], ["yes"], [True, np.nan]])
def test_only_true_and_false_are_counted(holds):
    with pytest.raises(TypeError, match=r"^private_count: holds must be true or false"):
        private_count(holds, epsilon=1.0)


def test_an_empty_table_has_no_mean_if_its_size_is_public():
    assert private_sum([], lower=0, upper=5, epsilon=math.inf) == 0
    with pytest.raises(ValueError, match="private_mean: values must not be empty"):
        private_mean([], lower=0, upper=5, epsilon=1.0)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_large_sums_are_clamped_and_tell_no_number_of_records(neighbours):
    """A refusal at 257 records and an answer at 256 would tell the two tables apart."""
    bounds = {"lower": 0, "upper": 2**53 - 1, "neighbours": neighbours, "epsilon": math.inf}
    for n in (256, 257, 5000):
        assert private_sum([0] * n, **bounds) == 0
        if n < 5000:  # beyond, the mean is clamped as well
            assert private_mean([0] * n, **bounds) == 0
    assert private_sum([2**53] * 300, **bounds) == 300 * (2**53 - 1)
    assert private_sum([2**53] * 5000, **bounds) == 2**62
    unit = {"lower": 0, "upper": 1e288, "granularity": 1e287, "neighbours": neighbours}
    assert math.isfinite(private_sum([1e300] * 1000, **unit, epsilon=1e-9))


@pytest.mark.parametrize("epsilon", ["0.1", Fraction(1, 10)])
def test_text_and_fractions_are_levels(epsilon, monkeypatch):
    """The scale of the noise belongs to a level that is not above the one asked for."""
    asked = []

    def noise(value, *, scale):
        asked.append(scale)
        return value

    monkeypatch.setattr(bounded, "discrete_laplace", noise)
    private_count([True], epsilon=epsilon)
    private_sum([1], lower=0, upper=1, epsilon=epsilon)
    assert len(asked) == 2
    assert all(10 <= scale < 10 * (1 + Fraction(1, 2**50)) for scale in asked)
    assert sum_noise_scale(lower=0, upper=1, epsilon=epsilon) >= 10


def recorded_loss(query, one, other, monkeypatch):
    """Privacy loss between two groups, from the exact numbers and scales that the noise gets."""
    asked = []

    def noise(value, *, scale):
        asked.append((value, scale))
        return value

    monkeypatch.setattr(bounded, "discrete_laplace", noise)
    query(one)
    first = list(asked)
    asked.clear()
    query(other)
    assert [scale for _, scale in first] == [scale for _, scale in asked]
    return sum(abs(a - b) / scale for (a, scale), (b, _) in zip(first, asked))


@pytest.mark.parametrize("grid", [(0, 5), (2, 5), (-3, 4), (-5, -2)])
def test_a_group_keeps_the_level_whether_a_member_moves_or_changes(grid, monkeypatch):
    """All groups of up to two members; a change of a member is a replacement in the table."""
    lower, upper = grid
    values = range(lower, upper + 1)
    groups = [list(g) for n in range(3) for g in itertools.product(values, repeat=n)]
    bounds = {"lower": lower, "upper": upper, "epsilon": 1.0}
    worst = {"mean": 0, "sum": 0, "filtered sum": 0}
    for group in groups:
        others = [group[:-1]] if group else []
        others += [[*group[:-1], value] for value in values] if group else []
        for other in others:
            for name, query, neighbours in (
                ("mean", private_mean, "add-remove"),
                ("sum", private_sum, "add-remove"),
                ("filtered sum", private_sum, "replace"),
            ):
                loss = recorded_loss(
                    lambda data: query(data, neighbours=neighbours, **bounds),  # noqa: B023
                    group, other, monkeypatch,
                )  # fmt: skip
                worst[name] = max(worst[name], loss)
    assert worst["mean"] == 1
    if lower <= 0 <= upper:
        assert worst["filtered sum"] == 1
    else:
        assert worst["sum"] == 1
        assert worst["filtered sum"] > 1  # what the docstring warns of


def test_a_filtered_column_is_told_that_its_size_is_private():
    people = pd.DataFrame({"region": list("nnnw"), "income": [1, 2, 3, 4]})
    west = people.income[people.region == "w"]
    bounds = {"lower": 0, "upper": 5, "epsilon": 1.0}
    with pytest.warns(UserWarning, match=r"private_mean: the index of values has gaps") as caught:
        private_mean(west, **bounds)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=r"private_sum: the index of values has gaps"):
        private_sum(west, lower=1, upper=5, epsilon=1.0)


def test_a_whole_column_is_not_told(recwarn):
    people = pd.DataFrame({"region": list("nnnw"), "income": [1, 2, 3, 4]})
    west = people.income[people.region == "w"]
    bounds = {"lower": 0, "upper": 5, "epsilon": 1.0}
    for whole in (people.income, people.income[::-1], people.income.set_axis([1, 2, 3, 4]),
                  people.income.set_axis(list("abcd")), west.to_numpy()):  # fmt: skip
        private_mean(whole, **bounds)
    private_mean(west, neighbours="add-remove", **bounds)
    private_sum(west, **bounds)
    assert not recwarn.list
