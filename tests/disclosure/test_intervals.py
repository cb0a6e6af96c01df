"""Intervals for shares: coverage by exact enumeration of the design, and every refusal."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
import sympy
from scipy import optimize, stats

from privlib.disclosure import estimate_shares, publish, retention_matrix, share_intervals
from privlib.disclosure.intervals import FEW


def shown_distribution(table, transition, s):
    """How many of s sampled, rewritten lines show each category: by convolution over people."""
    size = transition.shape[1]
    # chances[(sampled, counts)]: people one by one, each sampled or not, by the number sampled.
    chances = {(0, (0,) * size): Fraction(1)}
    for value in table:
        following = {}
        for (taken, counts), chance in chances.items():
            steps = [((taken, counts), chance)]
            if taken < s:
                for shown in range(size):
                    more = tuple(c + (a == shown) for a, c in enumerate(counts))
                    steps.append(((taken + 1, more), chance * transition[value, shown]))
            for key, weight in steps:
                following[key] = following.get(key, 0) + weight
        chances = following
    ways = sum(chance for (taken, _), chance in chances.items() if taken == s)
    return {c: chance / ways for (taken, c), chance in chances.items() if taken == s}


DESIGNS = [
    (retention_matrix(Fraction(4, 5), 2), [0] * 20 + [1] * 2, 9),
    (retention_matrix(Fraction(1, 2), 2), [0] * 11 + [1] * 1, 12),
    (retention_matrix(Fraction(1), 2), [0] * 25 + [1] * 5, 10),
    (np.array([[Fraction(9, 10), Fraction(1, 10)], [Fraction(2, 5), Fraction(3, 5)]]),
     [0] * 8 + [1] * 8, 7),
    (retention_matrix(Fraction(3, 5), 3), [0] * 7 + [1] * 3 + [2], 6),
    (np.array([[Fraction(x, 10) for x in row] for row in ((7, 2, 1), (1, 8, 1), (2, 2, 6))]),
     [0] * 5 + [1] * 3 + [2], 5),
]  # fmt: skip


@pytest.mark.parametrize(("transition", "table", "s"), DESIGNS)
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_the_coverage_is_at_least_the_level_exactly(transition, table, s, level):
    """Every release with its probability, in fractions; the true shares are in or out."""
    true = np.bincount(table, minlength=len(transition)) / len(table)
    covered = np.zeros(len(true))
    for counts, chance in shown_distribution(table, transition, s).items():
        found = share_intervals(np.repeat(np.arange(len(counts)), counts), transition, level=level)
        covered += float(chance) * ((found.low[0] <= true) & (true <= found.high[0]))
    assert (covered >= level - 1e-12).all()


def test_two_categories_are_the_interval_of_clopper_and_pearson():
    keep = 0.6
    shown = [1] * 13 + [0] * 37
    found = share_intervals(shown, retention_matrix(keep, 2), level=0.9)
    low, high = stats.binomtest(13, 50).proportion_ci(0.9, method="exact")
    linear = [(end - (1 - keep) / 2) / keep for end in (low, high)]
    assert found.low[0, 1] == pytest.approx(max(linear[0], 0), abs=1e-7)
    assert found.high[0, 1] == pytest.approx(linear[1], abs=1e-7)
    assert found.low[0, 0] == pytest.approx(1 - found.high[0, 1], abs=1e-7)


def test_several_weights_are_a_linear_programme():
    """The sort against a solver, on a matrix whose inverse has three weights in a column."""
    A = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])
    counts = np.array([14, 9, 5])
    found = share_intervals(np.repeat([0, 1, 2], counts), A, level=0.9)
    W = np.linalg.inv(A)
    for i, ends in enumerate(zip(found.low[0], found.high[0])):
        _, sets = np.unique(W[:, i].round(9), return_inverse=True)
        groups = [np.flatnonzero(sets == j) for j in range(sets.max() + 1)]
        share = 0.1 if len(groups) == 2 else 0.1 / len(groups)
        boxes = [stats.binomtest(int(counts[g].sum()), 28).proportion_ci(1 - share, "exact")
                 for g in groups]  # fmt: skip
        weights = [W[g[0], i] for g in groups]
        for sign, end in zip((1, -1), ends):
            solved = optimize.linprog([sign * w for w in weights], A_eq=[[1] * len(groups)],
                                      b_eq=[1], bounds=boxes)  # fmt: skip
            assert end == pytest.approx(np.clip(sign * solved.fun, 0, 1), abs=1e-6)


def test_estimates_are_those_of_estimate_shares_group_by_group():
    A = retention_matrix(0.8, ["no", "yes"])
    shown = pd.Series(["no", "yes", "no", "yes", "yes"])
    region = pd.Series(["east", "west", "west", "east", "west"])
    found = share_intervals(shown, A, by=region)
    assert found.groups == ("east", "west")
    assert found.lines.tolist() == [2, 3]
    for group, row in zip(found.groups, found.estimate):
        alone = estimate_shares(shown[region == group].to_numpy(), A, n=100).estimate
        assert row == pytest.approx(alone)
    assert found.few.all()
    assert repr(found) == "ShareIntervals(2 groups, 2 categories, level 0.95)"
    assert not found.low.flags.writeable


def test_where_few_lines_stand_is_flagged():
    found = share_intervals([0] * 50 + [1] * (FEW - 1), np.eye(2))
    assert found.few.tolist() == [[True, True]]
    found = share_intervals([0] * 50 + [1] * FEW + [2], np.eye(3))
    assert found.few.tolist() == [[False, False, True]]


def test_one_category_is_certain():
    found = share_intervals([0, 0], [[1.0]])
    assert (found.low.item(), found.high.item()) == (1, 1)


def test_a_release_of_publish_is_taken():
    A = retention_matrix(0.8, 3)
    made = publish([0, 1, 2] * 50, n_sampled=90, transition=A)
    found = share_intervals(made.release, A)
    assert (found.low <= found.estimate + 1e-9).all()
    assert (found.estimate <= found.high + 1e-9).all()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"level": 1}, ValueError, "level must be in \\[1/2, 1\\)"),
        ({"level": 0.4}, ValueError, "level must be"),
        ({"level": "95 %"}, TypeError, "level must be a real number"),
        ({"release": []}, ValueError, "release must be a non-empty vector"),
        ({"release": [0, 2, 1]}, ValueError, "release must be"),
        ({"transition": [[0.5, 0.5], [0.5, 0.5]]}, ValueError, "transition must have independent"),
        ({"by": ["a", "b"]}, ValueError, "by must have one group for each line"),
        ({"by": ["a", "b", None]}, ValueError, "by must have no missing group"),
        ({"by": ["a", "b", float("nan")]}, ValueError, "by must have no missing group"),
        ({"by": ["a", "b", []]}, ValueError, "by must have no missing group"),
        ({"by": [("a", 1), ("a", float("nan")), ("b", 1)]}, ValueError, "by must have no missing"),
        ({"by": [("a", None)] * 3}, ValueError, "by must have no missing group"),
        ({"by": [1, 2, Decimal("sNaN")]}, ValueError, "by must have no missing group"),
        ({"by": [np.array([1, 2])] * 3}, ValueError, "by must have no missing group"),
        ({"by": [True, 1, 0]}, ValueError, "by must write equal groups in one way, got True and 1"),
        ({"by": [2, 1, 1.0]}, ValueError, "by must write equal groups in one way, got 1 and 1.0"),
        ({"by": "abc"}, TypeError, "by must be one group for each line"),
    ],
)
def test_bad_arguments_are_named(change, error, message):
    given = {"release": [0, 1, 1], "transition": [[0.9, 0.1], [0.1, 0.9]], **change}
    with pytest.raises(error, match=f"^share_intervals: {message}"):
        share_intervals(given.pop("release"), given.pop("transition"), **given)


def test_dates_stay_dates():
    days = np.array(["2020-01-01", "2021-01-01", "2020-01-01"], dtype="M8[ns]")
    found = share_intervals([0, 1, 1], np.eye(2), by=days)
    assert found.groups == (np.datetime64("2020-01-01"), np.datetime64("2021-01-01"))
    assert found.lines.tolist() == [2, 1]
    days[1] = "NaT"
    with pytest.raises(ValueError, match="by must have no missing group"):
        share_intervals([0, 1, 1], np.eye(2), by=days)


@pytest.mark.parametrize("power", range(4, 52, 4))
def test_an_inverse_is_refused_or_nearer_than_the_limits_are_moved_for(power):
    """Nearly dependent rows, against the inverse in fractions of the same floats."""
    small = 2.0**-power
    A = np.array([[0.3, 0.5, 0.2], [0.2, 0.3, 0.5], [0.25 + small, 0.4 - small, 0.35]])
    exact = sympy.Matrix(3, 3, [sympy.Rational(*x.as_integer_ratio()) for x in A.flat]).inv()
    truth = np.array(exact.tolist(), dtype=float)
    error = np.abs(np.linalg.inv(A) - truth).max() / np.abs(truth).max()
    try:
        share_intervals([0, 1, 2], A)
        refused = False
    except ValueError:
        refused = True
    assert refused or error < 1e-8
    assert (power > 12) or not refused
    assert (power < 40) or refused


def test_a_group_of_another_index_is_refused():
    shown = pd.Series([0, 1], index=[0, 1])
    with pytest.raises(ValueError, match="share_intervals: release and by must have the same"):
        share_intervals(shown, np.eye(2), by=pd.Series(["a", "b"], index=[1, 0]))


def test_the_number_of_shown_lines_is_a_sum_of_independent_indicators():
    """The proposition: real zeros of the generating function, on random small designs."""
    rng = np.random.default_rng(3)
    for n, s in product((3, 5, 6), (2, 3)):
        q = rng.random(n)
        coefficients = np.zeros(s + 1)
        for taken in range(2**n):
            chosen = [q[j] for j in range(n) if taken >> j & 1]
            if len(chosen) == s:
                coefficients += np.poly(np.array([-(1 - p) / p for p in chosen])) * np.prod(chosen)
        assert np.abs(np.roots(coefficients).imag).max() < 1e-6
