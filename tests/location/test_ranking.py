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


def without_ties(data, least=0):
    """Counts of some items, and a released ranking of them, in whole numbers that all differ."""
    size = data.draw(st.integers(2, 9))
    whole = st.lists(st.integers(least, 60), min_size=size, max_size=size, unique=True)
    return data.draw(whole), data.draw(whole)


def over_orders(score, true, released):
    """Mean of a score that lists ties in the order of the items, over all orders of the items."""
    total, number = 0, 0
    for listed in itertools.permutations(range(len(true))):
        total += score([true[i] for i in listed], [released[i] for i in listed])
        number += 1
    return total / number


def printed_ndcg(true, released, k):
    """The printed sums, exact powers of two, literally; ties in the order of the items."""
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
    true, released = without_ties(data, -5)
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
        # Of the items that are wrongly last the later ones come first.
        wrong = -true[m:190][::-1]
        released = np.concatenate([true[:m] + 1000, wrong, true[190:]])
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
    true, released = without_ties(data, -5)
    k = data.draw(st.integers(1, len(true)))
    common = set(order(true)[:k]) & set(order(released)[:k])
    assert ranking.precision_at(true, released, k=k) == pytest.approx(len(common) / k)


def shared(true, released, k):
    return len(set(order(true)[:k]) & set(order(released)[:k])) / k


def discounted(true, released, k, gain):
    if gain == "printed":
        return printed_ndcg(true, released, k)
    rank = {item: place for place, item in enumerate(order(true))}
    relevance = [max(k - place, 0) for place in range(len(true))]
    gains = [2**r - 1 if gain == "exponential" else r for r in relevance]
    dcg = sum(gains[rank[i]] / math.log2(2 + n) for n, i in enumerate(order(released)[:k]))
    return dcg / sum(gains[n] / math.log2(2 + n) for n in range(k))


few = st.lists(st.integers(0, 2), min_size=1, max_size=6)


@settings(max_examples=60)
@given(st.data())
def test_ties_are_the_mean_over_all_orders_of_the_items(data):
    true = data.draw(few)
    size = len(true)
    released = data.draw(st.lists(st.sampled_from([0, 0.5, -1]), min_size=size, max_size=size))
    k = data.draw(st.integers(1, size))
    for gain in ("exponential", "linear", "printed"):
        mean = over_orders(lambda t, r, g=gain: discounted(t, r, k, g), true, released)
        assert ranking.ndcg(true, released, k=k, gain=gain) == pytest.approx(mean, rel=1e-11)
    mean = over_orders(lambda t, r: shared(t, r, k), true, released)
    assert ranking.precision_at(true, released, k=k) == pytest.approx(mean, rel=1e-11)


@settings(max_examples=60)
@given(st.data())
def test_the_order_of_the_items_says_nothing(data):
    true = data.draw(counts)
    released = data.draw(st.lists(st.integers(0, 5), min_size=len(true), max_size=len(true)))
    k = data.draw(st.integers(1, len(true)))
    listed = data.draw(st.permutations(range(len(true))))
    pairs = [(true, released), ([true[i] for i in listed], [released[i] for i in listed])]
    for score in (ranking.ndcg, ranking.precision_at):
        one, other = (score(*pair, k=k) for pair in pairs)
        assert one == pytest.approx(other, rel=1e-11)
        assert score(true, true, k=k) == pytest.approx(1, rel=1e-12)
        assert 0 <= one <= 1


def test_a_release_that_says_nothing_is_right_by_chance():
    true = np.arange(2000, 0, -1)
    for k in (1, 3, 500, 2000):
        assert ranking.precision_at(true, np.zeros(2000), k=k) == pytest.approx(k / 2000)
    # Large tie groups that share a part: no sum over orders, but simulated ones.
    rng = np.random.default_rng(8)
    true = np.repeat([3, 2, 1, 0], [5, 40, 300, 900])
    released = rng.permutation(np.repeat([9, 5, 0], [30, 400, 815]))
    scores = []
    for _ in range(400):
        listed = rng.permutation(len(true))
        scores.append(shared(true[listed].tolist(), released[listed].tolist(), 100))
    error = np.std(scores) / math.sqrt(len(scores))
    value = ranking.precision_at(true, released, k=100)
    assert value == pytest.approx(np.mean(scores), abs=4 * error)


def test_two_series_of_the_same_items_in_the_same_order():
    true = pd.Series(list("aaaabbbccd")).value_counts()
    shown = pd.Series([5.5, 6, 0, 1], index=list("abcd"))
    for k in range(1, 5):
        assert ranking.ndcg(true, shown, k=k) == ranking.ndcg([4, 3, 2, 1], [5.5, 6, 0, 1], k=k)
    plain = pd.Series([4, 3, 2, 1]), pd.Series([5.5, 6, 0, 1])
    assert ranking.ndcg(*plain, k=2) == ranking.ndcg(true, shown, k=2)
    assert type(ranking.precision_at(true, shown, k=2)) is float


def test_labels_in_another_order_are_refused():
    true = pd.Series([4, 3, 2, 1], index=list("abcd"))
    for other in (true[::-1], true[:3], pd.Series([1, 2, 3, 4]), true.rename({"a": "e"})):
        with pytest.raises(ValueError, match=r"ndcg: .*same order.*reindex"):
            ranking.ndcg(true, other, k=1)
    with pytest.raises(ValueError, match=r"true_counts is read by position.*reindex"):
        ranking.ndcg(true, [4, 3, 2, 1], k=1)
    with pytest.raises(ValueError, match="true_counts must have each item once"):
        ranking.ndcg(*[true.set_axis(list("abca"))] * 2, k=1)
    with pytest.raises(TypeError, match="precision_at: released_counts is read by position"):
        ranking.precision_at([4, 3], Counter("aab"), k=1)
    with pytest.raises(ValueError, match="got a table"):
        ranking.ndcg(true.to_frame(), true, k=1)


def test_too_many_ties_are_refused_before_the_sum():
    true = np.repeat([2, 1], [6000, 4000])
    released = np.repeat([1, 0, 1], [3000, 4000, 3000])
    with pytest.raises(ValueError, match="terms of the sum over ties must be at most"):
        ranking.ndcg(true, released, k=5000, gain="linear")


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
