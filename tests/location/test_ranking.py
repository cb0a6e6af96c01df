"""Tests of `privlib.location.ranking`: the printed sums in fractions, all orders, pair counting."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlib.location import ranking

counts = st.lists(st.integers(0, 30), min_size=2, max_size=9)


def order(values):
    return sorted(range(len(values)), key=lambda i: (-values[i], i))


def printed_ndcg(true, released, k):
    """The printed sums, exact powers of two, literally."""
    rank = {item: place for place, item in enumerate(order(true), start=1)}

    def dcg(items):
        return sum(
            float(Fraction(2) ** (k - rank[item] - 1)) / math.log(1 + i)
            for i, item in enumerate(items[:k], start=1)
        )

    return dcg(order(released)) / dcg(order(true))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_the_printed_form(data):
    true = data.draw(counts)
    released = data.draw(st.lists(st.integers(-5, 30), min_size=len(true), max_size=len(true)))
    for k in range(1, len(true) + 1):
        value = ranking.ndcg(true, released, k)
        assert value == pytest.approx(printed_ndcg(true, released, k), rel=1e-12)
        assert 0 < value <= 1 + 1e-12
        same = order(true)[:k] == order(released)[:k]
        assert (abs(value - 1) < 1e-12) == same


@pytest.mark.parametrize("gain", ["exponential", "linear"])
def test_the_usual_forms_over_all_orders(gain):
    true = [9, 7, 5, 3, 1]
    for k in range(1, 6):
        ideal = None
        for permutation in itertools.permutations(true):
            rel = [max(k + 1 - (order(true).index(i) + 1), 0) for i in order(permutation)[:k]]
            g = [2**r - 1 if gain == "exponential" else r for r in rel]
            dcg = sum(x / math.log2(1 + i) for i, x in enumerate(g, start=1))
            ideal = dcg if ideal is None else ideal  # the first permutation is the true order
            value = ranking.ndcg(true, permutation, k, as_printed=False, gain=gain)
            assert value == pytest.approx(dcg / ideal, rel=1e-12, abs=1e-15)
            assert 0 <= value <= 1 + 1e-12


def test_the_printed_form_hardly_sees_beyond_the_first_places():
    """First m of 100 right, the others all wrong: 1 - NDCG is about 2^-m."""
    true = np.arange(300, 0, -1.0)
    for m in (5, 8, 10):
        released = np.concatenate([true[:m] + 1000, np.zeros(190 - m), true[190:]])
        value = ranking.ndcg(true, released, 100)
        assert 1 - value == pytest.approx(
            sum(2.0**-i / math.log(1 + i) for i in range(m + 1, 101))
            / sum(2.0**-i / math.log(1 + i) for i in range(1, 101)),
            rel=1e-9,
        )
        assert ranking.precision_at(true, released, 100) == m / 100
        assert ranking.ndcg(true, released, 100, as_printed=False, gain="linear") < 0.4


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_precision_and_kendall_by_definition(data):
    true = data.draw(counts)
    released = data.draw(st.lists(st.integers(-5, 30), min_size=len(true), max_size=len(true)))
    k = data.draw(st.integers(1, len(true)))
    common = set(order(true)[:k]) & set(order(released)[:k])
    assert ranking.precision_at(true, released, k) == pytest.approx(len(common) / k)
    top = order(true)[:k]
    pairs = list(itertools.combinations(top, 2))
    a = [np.sign(true[i] - true[j]) for i, j in pairs]
    b = [np.sign(released[i] - released[j]) for i, j in pairs]
    norm = math.sqrt(sum(map(abs, a)) * sum(map(abs, b)))
    if k >= 2 and norm:
        expected = sum(x * y for x, y in zip(a, b)) / norm
        assert ranking.kendall(true, released, k) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ranking.ndcg([1, 2], [1, 2, 3], 1), "ndcg: released_counts must have one entry"),
        (lambda: ranking.ndcg([], [], 1), "true_counts must be a non-empty list"),
        (lambda: ranking.ndcg([1, np.nan], [1, 2], 1), "true_counts must be .* finite"),
        (lambda: ranking.ndcg([1, 2], [1, 2], 3), r"ndcg: k must be in 1..2, got 3"),
        (lambda: ranking.ndcg([1, 2], [1, 2], 1, gain="cubic"), "gain must be 'exponential'"),
        (lambda: ranking.precision_at([1, 2], [1, 2], 0), r"k must be in 1..2, got 0"),
        (lambda: ranking.kendall([1, 2], [1, 2], 1), r"k must be in 2..2, got 1"),
        (lambda: ranking.kendall([1, 2], [3, 3], 2), "tau is undefined"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
