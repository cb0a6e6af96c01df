"""The benchmarks: both sides of each case agree, and the page shows what was measured."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import speed

CASES = speed.cases()


def test_there_are_ten_of_different_functions():
    assert len(CASES) == len({case.function for case in CASES}) == 10


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function)
def test_both_sides_agree(case):
    row = speed.measured(case, runs=1)
    assert row["lowest"] == row["ratio"] == row["highest"] > 0


def test_other_answers_are_an_error():
    case = speed.Case("f", "task", "peer", lambda: np.ones(2), lambda: np.zeros(2))
    with pytest.raises(AssertionError):
        speed.measured(case, runs=1)


def test_the_page_has_each_function(html):
    stored = json.loads(speed.RESULTS.read_text(encoding="utf-8"))["rows"]
    page = (html / "book/benchmarks.html").read_text(encoding="utf-8")
    assert [row["function"] for row in stored] == [case.function for case in CASES]
    for row in stored:
        assert f"{row['ratio']:.3g} times" in page
