"""The budget: exact, refuses before it spends, cannot be copied, adds up in threads."""

from __future__ import annotations

import copy
import pickle
import threading
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privlib.correlated import FiniteDistribution
from privlib.laplace import BudgetExceededError, PrivacyBudget


def test_ten_tenths_are_one():
    budget = PrivacyBudget(1)
    for week in range(10):
        # The float 0.1 is above 1/10, so the one below it is returned.
        assert 0.0999999 < budget.spend(0.1, f"week {week}") < 0.1
    assert budget.remaining == 0
    with pytest.raises(
        BudgetExceededError, match="at most what is left of the budget, 0, got 1/100"
    ):
        budget.spend("1/100", "one more")
    assert len(budget.entries) == 10


def test_what_is_refused_is_not_spent_and_names_what():
    budget = PrivacyBudget("0.5")
    budget.spend(Fraction(1, 5), "a")
    with pytest.raises(ValueError, match=r"3/10, got 31/100 for 'b'"):
        budget.spend("0.31", "b")
    assert budget.remaining == Fraction(3, 10)
    assert budget.entries == (("a", "1/5"),)


@given(st.lists(st.fractions(min_value=Fraction(1, 10**6), max_value=2), max_size=20))
def test_the_returned_levels_never_exceed_the_total(levels):
    """With another sum: what the mechanisms get, as floats, added exactly."""
    budget = PrivacyBudget(3)
    returned = []
    for level in levels:
        try:
            number = budget.spend(level, "query")
        except BudgetExceededError:
            assert sum(map(Fraction, returned)) + level > 3 - Fraction(1, 10**9)
            continue
        assert 0 <= level - Fraction(number) <= level * Fraction(1, 2**51)
        returned.append(number)
    assert sum(map(Fraction, returned)) <= 3


@pytest.mark.parametrize("number", ["0.1", "1e-3", "1/3", 2, 0.3, Decimal("0.7"), np.float32(0.5),
                                    np.int64(3)])  # fmt: skip
def test_levels_are_read_as_they_are_written(number):
    exact = Fraction(repr(number)) if isinstance(number, float) else Fraction(str(number))
    assert PrivacyBudget(number).epsilon == exact


@pytest.mark.parametrize("number", [0, -1, "-1", "nan", "inf", float("inf"), float("nan"), "x", "",
                                    "1/0", "1e999999999", "1e-999999999", "1" * 5000,
                                    Decimal("NaN"), Fraction(1, 10**400), 10**400])  # fmt: skip
def test_a_level_that_is_none_is_refused(number):
    with pytest.raises(ValueError, match=r"^PrivacyBudget: epsilon must"):
        PrivacyBudget(number)


@pytest.mark.parametrize("number", [None, True, [1], 1j, np.bool_(True)])
def test_a_level_of_another_type_is_refused(number):
    with pytest.raises(TypeError, match=r"^PrivacyBudget: epsilon must be"):
        PrivacyBudget(number)


def test_a_purpose_must_be_text():
    budget = PrivacyBudget(1)
    with pytest.raises(TypeError, match=r"^PrivacyBudget\.spend: what must be a string"):
        budget.spend(1, 3)
    with pytest.raises(ValueError, match="what must be one line of text, not empty"):
        budget.spend(1, "  ")
    assert budget.remaining == 1


def test_copies_would_spend_twice():
    budget = PrivacyBudget(1)
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            make(budget)


def test_another_process_goes_on_where_this_one_stopped():
    first = PrivacyBudget(1)
    first.spend("1/3", "week 1")
    second = PrivacyBudget(1, spent=first.entries)
    assert second.remaining == Fraction(2, 3)
    assert repr(second) == "PrivacyBudget(epsilon=1, remaining=2/3)"
    with pytest.raises(BudgetExceededError, match="PrivacyBudget: epsilon must be at most"):
        PrivacyBudget("1/4", spent=first.entries)
    for wrong in (["ab"], [3], [("a", 1, 2)]):
        with pytest.raises(TypeError, match="spent must hold pairs"):
            PrivacyBudget(1, spent=wrong)


def test_threads_do_not_spend_the_same_twice():
    budget = PrivacyBudget(1)
    refused = []

    def work():
        for _ in range(200):
            try:
                budget.spend("1/500", "query")
            except BudgetExceededError:
                refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(budget.entries), len(refused), budget.remaining) == (500, 300, 0)


def test_levels_of_correlated_data_do_not_add_up():
    """What the docstring warns of: two releases leak more than twice what one does."""
    pair = FiniteDistribution([[0.4995, 0.0005], [0.45, 0.05]])
    one = pair.worst_adversary(scale=1).leakage
    merged = pair.worst_adversary(scale=1 / 2).leakage
    # Two releases as one query with two coordinates: a second route to the merged level.
    table = np.add.outer([0, 1], [0, 1])
    twice = FiniteDistribution(pair.joint, query=np.stack([table, table], axis=-1))
    assert twice.worst_adversary(scale=1).leakage == pytest.approx(merged, rel=1e-9)
    assert merged > 2 * one


def test_long_fractions_are_refused_and_long_sums_are_shown_as_floats():
    budget = PrivacyBudget(10)
    with pytest.raises(ValueError, match="has at most 4000 digits"):
        budget.spend(Fraction(3**10_000, 3**10_000 + 1), "x")
    for i in range(600):
        budget.spend(f"1/{10**9 + 2 * i + 1}", "x")
    assert "remaining=about 9.99" in repr(budget)
    with pytest.raises(BudgetExceededError, match=r"about 9\.99"):
        budget.spend(11, "y")
    assert len(budget.entries) == 600
