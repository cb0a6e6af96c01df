"""Tests of `privlib.location.ranking`: the printed sums in fractions, all orders, labels."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
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


@settings(max_examples=100)
@given(st.data())
def test_the_printed_form(data):
    true = data.draw(counts)
    released = data.draw(st.lists(st.integers(-5, 30), min_size=len(true), max_size=len(true)))
    for k in range(1, len(true) + 1):
        value = ranking.ndcg(true, released, k=k, gain="printed")
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
            value = ranking.ndcg(true, permutation, k=k, gain=gain)
            assert value == pytest.approx(dcg / ideal, rel=1e-12, abs=1e-15)
            assert 0 <= value <= 1 + 1e-12


def test_the_printed_form_hardly_sees_beyond_the_first_places():
    """First m of 100 right, the others all wrong: 1 - NDCG is about 2^-m."""
    true = np.arange(300, 0, -1.0)
    for m in (5, 8, 10):
        released = np.concatenate([true[:m] + 1000, np.zeros(190 - m), true[190:]])
        value = ranking.ndcg(true, released, k=100, gain="printed")
        assert 1 - value == pytest.approx(
            sum(2.0**-i / math.log(1 + i) for i in range(m + 1, 101))
            / sum(2.0**-i / math.log(1 + i) for i in range(1, 101)),
            rel=1e-9,
        )
        assert ranking.precision_at(true, released, k=100) == m / 100
        assert ranking.ndcg(true, released, k=100, gain="linear") < 0.4


@settings(max_examples=60)
@given(st.data())
def test_precision_by_definition(data):
    true = data.draw(counts)
    released = data.draw(st.lists(st.integers(-5, 30), min_size=len(true), max_size=len(true)))
    k = data.draw(st.integers(1, len(true)))
    common = set(order(true)[:k]) & set(order(released)[:k])
    assert ranking.precision_at(true, released, k=k) == pytest.approx(len(common) / k)


def test_counts_with_labels_are_matched_by_label():
    true = pd.Series(list("aaaabbbccd")).value_counts()
    shown = pd.Series([1, 6, 5], index=["e", "b", "a"])  # c and d are not mentioned
    plain = [4, 3, 2, 1, 0], [5, 6, 0, 0, 1]  # a b c d e
    for other in (shown, Counter(shown.to_dict())):
        for k in range(1, 6):
            assert ranking.ndcg(true, other, k=k) == ranking.ndcg(*plain, k=k)
            assert ranking.precision_at(true, other, k=k) == ranking.precision_at(*plain, k=k)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ranking.ndcg([1, 2], [1, 2, 3], k=1),
            r"ndcg: released_counts must have shape \(2,\)",
        ),
        (lambda: ranking.ndcg([], [], k=1), "true_counts must have at least one item"),
        (lambda: ranking.ndcg([1, np.nan], [1, 2], k=1), "true_counts must be finite, got nan"),
        (lambda: ranking.ndcg([1, 2], [1, 2], k=3), r"ndcg: k must be in 1..2, got 3"),
        (
            lambda: ranking.ndcg([1, 2], [1, 2], k=1, gain="cubic"),
            "gain must be one of exponential, linear, printed, got 'cubic'",
        ),
        (lambda: ranking.precision_at([1, 2], [1, 2], k=0), r"k must be in 1..2, got 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_terms_fall_in_the_ideal_sum_but_not_in_every_one():
    """The printed gain: the module says so of the ideal sum alone."""
    ideal = [2.0**-i / math.log(1 + i) for i in range(1, 60)]
    assert all(2 * b < a for a, b in itertools.pairwise(ideal))
    # Released order 3, 1, 2: the first term is 2^-3 / ln 2, the second 2^-1 / ln 3, more than twice
    terms = [2.0**-r / math.log(1 + i) for i, r in enumerate((3, 1, 2), 1)]
    assert terms[1] > 2 * terms[0]
    value = ranking.ndcg([9, 5, 1], [5, 4, 8], k=3, gain="printed")
    assert value == pytest.approx(sum(terms) / sum(ideal[:3]), rel=1e-14)
