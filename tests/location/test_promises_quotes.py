"""Errors quote nothing of the truth, times keep their order, copies stay closed."""

from __future__ import annotations

import copy
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from privlib.location import gain, ngram, paths, release, segment

CHAIN = [[0.9, 0.1, 0.0], [0.0, 0.5, 0.5], [0.0, 1.0, 0.0]]


@pytest.mark.parametrize("adversary", ["NPK", "MK"])
@pytest.mark.parametrize("definition", ["printed", "exact", "bridge", "walk", "intervals"])
def test_an_unreachable_truth_is_not_counted_in_the_error(definition, adversary):
    before, true = [20, 17, 0], [3, 5, 29]  # 12 more than can come to the last place
    options = {"transition": CHAIN, "epsilon": 0.5}
    if definition == "walk":
        function = release.bridge_histogram
    elif definition == "intervals":
        function = segment.feasible_intervals
        options["adversary"] = adversary
    else:
        function = release.private_histogram
        options |= {
            "definition": definition,
            "adversary": "MK" if definition == "exact" else adversary,
            "step": 0.1,
        }
    with pytest.raises(gain.UndefinedGainError, match="routed") as caught:
        function(before, true, **options)
    assert "12" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize(
    ("true", "secret"),
    [
        ([41, -7, 3], "7"),
        ([2**53 + 3, 1, 1], "9007199254740995"),
        (np.array(["HIV", 1, 2], dtype=object), "HIV"),
        (pd.Series([1, 2, 2], index=["flu", "HIV", "none"]), "HIV"),
        ([pd.Series([1], index=["HIV"]), 2, 2], "HIV"),
    ],
)
@pytest.mark.parametrize("function", [release.private_histogram, release.bridge_histogram])
def test_a_truth_that_is_refused_is_not_quoted(function, true, secret):
    with pytest.raises((TypeError, ValueError), match="true") as caught:
        function([2, 2, 1], true, transition=np.full((3, 3), 1 / 3), epsilon=0.5)
    assert secret not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_times_in_another_order_are_refused():
    walks = np.array([[0, 1, 1], [1, 1, 0]])
    mixed = pd.DataFrame(walks, columns=[2, 0, 1])
    days = pd.DataFrame(walks, columns=pd.to_datetime(["2020-01-03", "2020-01-01", "2020-01-02"]))
    rows = [pd.Series(walks[0], index=[2, 1, 0]), pd.Series(walks[1])]
    for table in (mixed, days, rows):
        with pytest.raises(ValueError, match="times in ascending order"):
            paths.count_paths(table, 2)
        with pytest.raises(ValueError, match="times in ascending order"):
            ngram.ngram_dp(table, epsilon=1, n_max=2, l_max=4, symbols=2)
    for table in (
        mixed.sort_index(axis=1),
        days.sort_index(axis=1),
        pd.DataFrame(walks, columns=["t8", "t9", "t10"], index=[7, 7]),
    ):
        expected = paths.count_paths(np.asarray(table), 2).index
        assert (paths.count_paths(table, 2).index == expected).all()
        ngram.ngram_dp(table, epsilon=1, n_max=2, l_max=4, symbols=2)


def test_a_copy_of_a_release_cannot_be_written_to():
    found = release.private_histogram(
        [2, 2], [1, 3], transition=[[0.5, 0.5], [0.4, 0.6]], epsilon=1
    )
    for other in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (other.histogram == found.histogram).all()
        with pytest.raises(ValueError, match="read-only"):
            other.histogram[0] = 0


def test_no_warning_where_no_privacy_is_asked_for():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = release.bridge_histogram(
            [0, 1], [0, 1], transition=[[0.1, 0.9], [0.2, 0.8]], epsilon=math.inf, two_sided=True
        )
    assert found.histogram.tolist() == [0, 1]


def test_a_guess_that_floats_round_to_nobody_is_not_two_sided():
    tiny = [[1 - 1e-25, 1e-25], [0.5, 0.5]]
    for certify in (True, False):
        with pytest.raises(ValueError, match="least gain"):
            release.bridge_histogram(
                [3, 0], [3, 0], transition=tiny, epsilon=700, two_sided=True, certify=certify
            )
