"""What every promise is checked with: slack, rounding to the safe side, exact numbers, labels."""

from __future__ import annotations

import copy
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import privlib
from privlib import _checks, _safety
from privlib.correlated import FiniteDistribution
from privlib.location import most_likely_movement
from privlib.location.flow import Movement
from privlib.location.paths import count_paths
from privlib.research.markov_chain import MarkovChain
from privlib.research.markov_random_field import MarkovRandomField

FINITE = st.floats(allow_nan=False, allow_infinity=False)


# --- certify -----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-300, 1e-8, 1.0, 1e8, 1e300])
def test_the_slack_scales_with_the_promise(size):
    _safety.certify("f", "the level", size * (1 + 0.9e-9), size)
    with pytest.raises(privlib.UncertifiedError, match="f: the level must be at most"):
        _safety.certify("f", "the level", size * (1 + 1.1e-9), size)


def test_nothing_is_forgiven_at_zero():
    _safety.certify("f", "the level", [0.0, -1.0, -np.inf], 0.0)
    with pytest.raises(privlib.UncertifiedError):
        _safety.certify("f", "the level", 5e-324, 0.0)
    _safety.certify("f", "the level", 1e-16, 0.0, unit=2e-16)


@pytest.mark.parametrize(("found", "allowed"), [(np.nan, 1.0), (1.0, np.nan), (np.inf, 1e308)])
def test_what_is_no_number_never_passes(found, allowed):
    with pytest.raises(privlib.UncertifiedError):
        _safety.certify("f", "the level", [0.0, found], allowed)


def test_an_infinite_promise_covers_everything():
    _safety.certify("f", "the level", [1e308, np.inf], np.inf)


def test_the_message_names_the_worst_entry():
    with pytest.raises(privlib.UncertifiedError, match=r"at most 1, .* gives 3 \(2 too much\)"):
        _safety.certify("f", "the level", [2.0, 3.0, 0.5], 1.0)
    assert issubclass(privlib.UncertifiedError, ValueError)


# --- rounding ----------------------------------------------------------------------------------


@given(FINITE, st.integers(1, 17))
def test_rounding_goes_to_the_safe_side_and_not_further(value, digits):
    up, down = _safety.round_up(value, digits), _safety.round_down(value, digits)
    assert down <= value <= up
    if value and math.isfinite(up) and math.isfinite(down):
        # One unit of the last digit asked for, by decimal arithmetic of its own.
        unit = Decimal(10) ** (Decimal(value).adjusted() - digits + 2)
        assert Decimal(up) - Decimal(down) <= unit + abs(Decimal(value)) * Decimal(2) ** -51


def test_four_digits():
    assert (_safety.round_up(4.60517), _safety.round_down(4.60517)) == (4.606, 4.605)
    assert (_safety.round_up(-4.60517), _safety.round_down(-4.60517)) == (-4.605, -4.606)
    assert _safety.next_up(1.0, 2) == 1 + 2 * np.finfo(float).eps


# --- exact numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (Fraction(1, 10**324), "its float is 0"),
        (-Fraction(1, 10**400), "its float is 0"),
        (Fraction(10**400), "within the range of floats"),
        (10**309, "within the range of floats"),
        (2**53 + 1, "an integer that a float holds"),
        (-(2**60) - 1, "an integer that a float holds"),
        (np.int64(2**60 + 1), "an integer that a float holds"),
        (np.uint64(2**64 - 1), "an integer that a float holds"),
    ],
)
def test_a_number_that_floats_would_change_is_refused(value, rule):
    for call in (_checks.real, _checks.reals):
        for given_ in (value, [value]) if call is _checks.reals else (value,):
            with pytest.raises(ValueError, match=rule) as caught:
                call("f", "x", given_)
            assert len(str(caught.value)) < 300


@given(st.integers(-(2**63), 2**63 - 1))
def test_an_integer_passes_as_itself_or_not_at_all(value):
    try:
        number = _checks.reals("f", "x", np.array([value]))[0]
    except ValueError:
        assert Fraction(float(value)) != value
    else:
        assert Fraction(number) == value


def test_what_floats_hold_passes():
    assert _checks.real("f", "x", 2**60) == 2.0**60
    assert _checks.real("f", "x", Fraction(1, 3)) == 1 / 3
    assert _checks.reals("f", "x", [0, 5e-324, 2**62]).tolist() == [0, 5e-324, 2.0**62]


def test_integers_of_python_stay_integers():
    numbers = _checks.integers("f", "x", np.array([2**62 + 1, 3], dtype=object))
    assert numbers.tolist() == [2**62 + 1, 3]
    with pytest.raises(ValueError, match="in -2"):
        _checks.integers("f", "x", [2**70, 1])
    with pytest.raises(TypeError, match="hold integers"):
        _checks.integers("f", "x", np.array([1, True], dtype=object))


# --- sizes and labels --------------------------------------------------------------------------


def test_work_that_is_too_large_is_refused():
    _safety.limit("f", "the number of cells", 10, 10)
    with pytest.raises(ValueError, match="cells must be at most 10, got 100000000000; take fewer"):
        _safety.limit("f", "the number of cells", 10**11, 10, "take fewer")


COUNTS = pd.Series([2] * 7 + [0] * 2 + [1]).value_counts()


@pytest.mark.parametrize(
    "value",
    [
        COUNTS,
        pd.Series([1, 2], ["a", "b"]),
        pd.Series([1.0, 2.0], [1, 2]),
        pd.Series([1.0, 2.0], [0, 0]),
        pd.DataFrame([[1, 2]], [0], ["a", "b"]),
        pd.DataFrame([[1, 2], [3, 4]], [1, 0]),
        pd.DataFrame([[1, 2], [3, 4]], pd.MultiIndex.from_product([[0, 1], [0]])),
        [pd.Series([1, 2], [1, 0]), pd.Series([1, 2])],
    ],
)
def test_labels_are_not_read_as_positions(value):
    for call in (_checks.reals, _checks.integers):
        with pytest.raises(ValueError, match=r"read by position.*reindex\(.*\.to_numpy"):
            call("f", "x", value)


def test_positions_pass_and_so_do_records():
    series = COUNTS.sort_index()
    np.testing.assert_array_equal(_checks.integers("f", "x", series), [2, 1, 7])
    np.testing.assert_array_equal(_checks.reals("f", "x", pd.DataFrame([[1, 2]])), [[1, 2]])
    turned = pd.DataFrame({"height": [1.0, 2.0]}, index=[7, 3])
    np.testing.assert_array_equal(_checks.reals("f", "x", turned, records=True), [[1], [2]])


SQUARE = pd.DataFrame([[0.5, 0.5], [0.2, 0.8]])


@pytest.mark.parametrize(
    ("rows", "columns"), [("ab", "ba"), ("ab", "xy"), ("aa", "aa"), ([1, 0], [1, 0])]
)
def test_a_square_table_has_one_order_of_labels(rows, columns):
    table = SQUARE.set_axis(list(rows)).set_axis(list(columns), axis=1)
    with pytest.raises(ValueError, match="f: P"):
        _checks.stochastic("f", "P", table)


def test_a_square_table_with_names_passes():
    named = SQUARE.set_axis(list("ab")).set_axis(list("ab"), axis=1)
    np.testing.assert_array_equal(_checks.stochastic("f", "P", named), SQUARE)
    assert _safety.square_labels("f", "P", named) == ["a", "b"]
    assert _safety.square_labels("f", "P", SQUARE.to_numpy()) is None


def test_matrices_of_the_same_states_have_the_same_labels():
    named = SQUARE.set_axis(list("ab")).set_axis(list("ab"), axis=1)
    turned = named.loc[["b", "a"], ["b", "a"]]
    assert _safety.same_states("f", {"P": SQUARE.to_numpy()}) is None
    assert _safety.same_states("f", {"P": np.eye(2), "R": named, "S": named}) == ["a", "b"]
    with pytest.raises(ValueError, match=r"f: S must have the same labels as R.*S\.loc\[states"):
        _safety.same_states("f", {"P": np.eye(2), "R": named, "S": turned})


def test_a_graph_whose_nodes_are_positions_has_them_in_order():
    turned = nx.DiGraph([(1, 0), (0, 1)])  # its first node is 1
    with pytest.raises(ValueError, match="nodelist"):
        _checks.stochastic("f", "P", turned)


def test_records_of_two_tables_are_in_one_order():
    X, y = pd.DataFrame({"x": [1.0, 2.0]}, index=[7, 3]), pd.Series([1, -1], index=[7, 3])
    _safety.same_records("f", X=X, y=y)
    _safety.same_records("f", X=X, y=y.to_numpy())
    with pytest.raises(
        ValueError,
        match=r"X and y must have the same index in the same order; pass y\.loc\[X\.index\]$",
    ):
        _safety.same_records("f", X=X, y=y[::-1])
    with pytest.raises(ValueError, match=r"X and z must .* pass z\.loc\[X\.index\]$"):
        _safety.same_records("f", X=X, y=y, z=y[::-1])


def test_what_is_owned_is_a_copy_and_cannot_be_written_to():
    array = np.zeros(2)
    copy = _safety.owned(array)
    array[0] = 1
    assert copy.tolist() == [0, 0]
    with pytest.raises(ValueError, match="read-only"):
        copy[0] = 1


def test_a_number_of_thousands_of_digits_is_told_in_short():
    huge = 10**5000
    for call in (
        lambda: _checks.integer("f", "n", huge, high=10),
        lambda: _checks.integer("f", "n", -huge, low=0),
        lambda: _safety.limit("f", "the number of cells", huge, 10),
        lambda: _checks.bounded("f", "x", Fraction(huge), "be small", lambda x: x < 1),
    ):
        with pytest.raises(ValueError, match=r"^f: .*about -?2\*\*166\d\d"):
            call()


def test_a_fraction_beside_a_float_is_not_made_zero():
    assert _checks.reals("f", "x", [Fraction(1, 3), 0.5], exact=True).tolist() == [1 / 3, 0.5]
    with pytest.raises(ValueError, match="its float is 0"):
        _checks.reals("f", "x", [Fraction(1, 10**400), 0.5], exact=True)


def test_a_mask_is_not_ignored():
    masked = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    for call in (_checks.reals, _checks.integers):
        with pytest.raises(TypeError, match="f: x must be without a mask"):
            call("f", "x", masked)


@pytest.mark.parametrize("call", [_checks.reals, _checks.integers])
def test_a_mask_in_a_list_and_a_truth_value_among_numbers_are_not_ignored(call):
    masked = np.ma.masked_array([1, 2], mask=[False, True])
    lists = [[masked, masked], [[1, 2], masked], ([[1, 2]], [masked]), [1, np.ma.masked]]
    for rows in lists:
        with pytest.raises(TypeError, match="f: x must be without a mask"):
            call("f", "x", rows)
    for mixed in ([True, 3], (2, np.False_), [[True, 3], [1, 2]]):
        with pytest.raises(TypeError, match="f: x must hold numbers, got a truth value"):
            call("f", "x", mixed)
    assert call("f", "x", [[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]


def test_a_tiny_weight_of_a_graph_does_not_vanish():
    graph = nx.DiGraph()
    graph.add_edge(0, 0, weight=1 - Fraction(1, 10**400))
    graph.add_edge(0, 1, weight=Fraction(1, 10**400))
    graph.add_edge(1, 1, weight=1)
    with pytest.raises(ValueError, match="its float is 0"):
        _checks.stochastic("f", "P", graph)


@pytest.mark.parametrize("weight", ["0.5", b"1", True, np.True_, Decimal("0.5"), 1j, None, np.nan])
def test_a_weight_of_a_graph_is_a_number(weight):
    graph = nx.DiGraph()
    graph.add_edge("a", "a", weight=1.0)
    graph.add_edge("b", "a", weight=0.5)
    graph.add_edge("b", "b", weight=weight)
    with pytest.raises((TypeError, ValueError), match="f: a weight of matrix must be"):
        _checks.stochastic("f", "matrix", graph)


# --- copies ------------------------------------------------------------------------------------


def certified_objects():
    yield FiniteDistribution([[0.4, 0.1], [0.1, 0.4]])
    yield FiniteDistribution([[Fraction(2, 5), Fraction(1, 10)], [Fraction(1, 10), Fraction(2, 5)]])
    yield FiniteDistribution([[0.4, 0.1], [0.1, 0.4]], values=[[0, 5], [0, 1]], weights=[1, 2])
    yield MarkovChain([[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 7), Fraction(6, 7)]], 5)
    yield MarkovChain([[[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.3, 0.7]]], 4)
    yield MarkovChain([[0.9, 0.1], [0.2, 0.8]], 4, initial=[0.3, 0.7], values=[0, 3])
    yield MarkovRandomField({(0, 1): [[2, 1], [1, 2]], (1, 2): [[0.3, 1], [1, 0.5]]})


COPIES = [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_model_can_be_written_to_no_more_than_the_model(copied):
    for model in certified_objects():
        other = copied(model)
        assert other.worst_adversary(scale=3) == model.worst_adversary(scale=3)
        assert other.noise_scale(0.7) == model.noise_scale(0.7)
        arrays = [value for value in vars(other).values() if isinstance(value, np.ndarray)]
        assert arrays or isinstance(other, MarkovRandomField)
        for array in [*arrays, *(getattr(other, "factors", None) or {}).values()]:
            with pytest.raises(ValueError, match="read-only"):
                array[:] = 0


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_movement_or_of_paths_cannot_be_written_to(copied):
    rows = np.array([[0.5, 0.5], [0.2, 0.8]])
    movements = [
        most_likely_movement([2, 1], [1, 2], transition=transition)
        for transition in (rows, sparse.csr_array(rows))
    ]
    movements.append(Movement(sparse.coo_array([[1, 1], [0, 1]]), 1.0))
    movements.append(Movement(sparse.lil_array([[1, 1], [0, 1]]), 1.0))
    for movement in movements:
        other = copied(movement)
        assert other.cost == movement.cost
        with pytest.raises(ValueError, match="read-only"):
            other.counts[0, 0] = 5
    other = copied(count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2))
    for array in (other.grams, other.index):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
