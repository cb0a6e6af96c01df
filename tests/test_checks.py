"""Argument checks: right type and range pass through, anything else is named."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from privlib import _checks


@pytest.mark.parametrize("value", [1, 1.5, np.float64(1.5), np.int64(1)])
def test_numbers_pass(value):
    for check in (_checks.real, _checks.positive, _checks.non_negative):
        assert check("f", "x", value) == value


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (_checks.real, float("nan"), "f: x must be finite, got nan"),
        (_checks.real, np.inf, "finite"),
        (_checks.positive, 0, "f: x must be positive, got 0"),
        (_checks.non_negative, -1.5, "f: x must not be negative, got -1.5"),
        (_checks.probability, 1.1, r"f: x must be a probability in \[0, 1\], got 1.1"),
        (_checks.probability, -0.1, "probability"),
    ],
)
def test_values_out_of_range(check, value, message):
    with pytest.raises(ValueError, match=message):
        check("f", "x", value)


NOT_REAL = ["1", None, True, np.bool_(True), 1j, np.complex128(1), [1], np.timedelta64(3)]


@pytest.mark.parametrize("value", NOT_REAL)
def test_what_is_not_a_number(value):
    with pytest.raises(TypeError, match="f: x must be a real number"):
        _checks.real("f", "x", value)
    with pytest.raises(TypeError, match="f: x must be an integer"):
        _checks.integer("f", "x", value)


def test_probability_passes():
    assert _checks.probability("f", "x", 0.25) == 0.25


def test_integers():
    assert _checks.integer("f", "x", np.int32(3), low=0, high=3) == 3
    assert _checks.integer("f", "x", -3) == -3
    with pytest.raises(ValueError, match=r"f: x must be in 0\.\.3, got 4"):
        _checks.integer("f", "x", 4, low=0, high=3)
    with pytest.raises(ValueError, match="f: x must be at least 1, got 0"):
        _checks.integer("f", "x", 0, low=1)
    with pytest.raises(TypeError, match="integer"):
        _checks.integer("f", "x", 1.0)


def test_randomness_is_what_numpy_makes_of_it():
    rng = np.random.default_rng(0)
    assert _checks.generator("f", rng) is rng
    for seed in (7, np.int32(7)):
        assert _checks.generator("f", seed).random() == np.random.default_rng(7).random()
    assert _checks.generator("f", None).random() != _checks.generator("f", None).random()
    for value in (np.random, np.random.RandomState(0), True, 1.0, "7", np.timedelta64(7)):
        with pytest.raises(TypeError, match="f: rng must be None, an integer seed or a"):
            _checks.generator("f", value)
    with pytest.raises(ValueError, match="f: rng must be a non-negative seed, got -1"):
        _checks.generator("f", -1)


def test_arrays_keep_what_is_rational_if_asked():
    exact = _checks.reals("f", "x", [[1, Fraction(1, 3)]], exact=True)
    assert exact.dtype == object
    assert exact.tolist() == [[Fraction(1), Fraction(1, 3)]]
    assert all(isinstance(entry, Fraction) for entry in exact.flat)
    assert _checks.reals("f", "x", [1, 2]).dtype == np.float64
    assert _checks.reals("f", "x", [1, 0.5], exact=True).dtype == np.float64


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: _checks.reals("f", "x", [[1], [1, 2]]), ValueError, "rectangular"),
        (lambda: _checks.reals("f", "x", ["a"]), TypeError, "real numbers"),
        (lambda: _checks.reals("f", "x", [True]), TypeError, "real numbers"),
        (lambda: _checks.reals("f", "x", [1.0, np.nan]), ValueError, "finite, got nan"),
        (lambda: _checks.reals("f", "x", [1], shape=(2,)), ValueError, r"shape \(2,\)"),
        (lambda: _checks.reals("f", "x", 1.0, ndim=1), ValueError, "1 dimension"),
        (lambda: _checks.positives("f", "x", [1, 0]), ValueError, "positive, got 0"),
        (lambda: _checks.non_negatives("f", "x", [-1]), ValueError, "at least 0, got -1"),
        (lambda: _checks.integers("f", "x", [1.0]), TypeError, "hold integers"),
        (lambda: _checks.integers("f", "x", [0, 4], high=3), ValueError, "at most 3, got 4"),
        (lambda: _checks.integers("f", "x", [0], low=1), ValueError, "at least 1, got 0"),
        (lambda: _checks.integers("f", "x", 1, ndim=1), ValueError, "1 dimension"),
        (lambda: _checks.integers("f", "x", [2**63]), ValueError, "below"),
    ],
)
def test_arrays_that_cannot_be_meant(call, error, message):
    with pytest.raises(error, match=message):
        call()


HALF = [[0.5, 0.5], [1.0, 0.0]]


def test_one_rule_for_row_stochastic_matrices():
    exact = _checks.stochastic("f", "P", [[Fraction(1, 3), Fraction(2, 3)], [1, 0]])
    assert exact.dtype == object
    assert exact.sum(axis=1).tolist() == [1, 1]
    np.testing.assert_array_equal(_checks.stochastic("f", "P", HALF), HALF)
    graph = nx.DiGraph([(0, 0, {"weight": 0.5}), (0, 1, {"weight": 0.5}), (1, 0)])
    for matrix in (sparse.csr_matrix(HALF), sparse.coo_array(HALF), graph):
        csr = _checks.stochastic("f", "P", matrix)
        assert csr.format == "csr"
        np.testing.assert_array_equal(csr.toarray(), HALF)
    assert _checks.stochastic("f", "P", sparse.csr_array((2, 2))).nnz == 0  # nobody was seen
    assert _checks.stochastic("f", "P", [[0.5, 0.5]], any_shape=True).shape == (1, 2)
    np.testing.assert_array_equal(_checks.stochastic("f", "P", pd.DataFrame(HALF)), HALF)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0.5, 0.5]], "square"),
        ([], "square"),
        ([[1.5, -0.5], [0, 1]], "f: P must be without negative entries, got -0.5"),
        ([[0.5, 0.5], [0.5, 0.4]], r"every row of P must sum to 1, got 0.9 in row 1"),
        ([[1, np.nan], [0, 1]], "finite"),
        (sparse.csr_array([[0.5, 0.4], [0, 1]]), "sum to 1, got 0.9 in row 0"),
        (sparse.csr_array([[0.5, np.nan], [0, 1]]), "negative entries, got nan"),
    ],
)
def test_other_matrices_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        _checks.stochastic("f", "P", matrix)
    if not sparse.issparse(matrix):
        hundred = [[Fraction(x) * 100 / 100 if x == x else x for x in row] for row in matrix]
        with pytest.raises(ValueError, match=message.split(",")[0].split("got")[0]):
            _checks.stochastic("f", "P", hundred)


def test_fractions_sum_to_one_exactly():
    tiny = Fraction(1, 10**12)
    assert _checks.stochastic("f", "P", [[0.5, 0.5 + 1e-12], [0.0, 1.0]]).dtype == np.float64
    with pytest.raises(ValueError, match="sum to 1"):
        _checks.stochastic("f", "P", [[Fraction(1, 2), Fraction(1, 2) + tiny], [0, 1]])


def test_labels_of_pandas_stay():
    series, frame = pd.Series([1, 2], index=["a", "b"]), pd.DataFrame(HALF, list("ab"), list("cd"))
    assert _checks.labelled(np.array([3.0, 4.0]), series).to_dict() == {"a": 3.0, "b": 4.0}
    assert _checks.labelled(np.ones((2, 2)), frame).loc["a", "d"] == 1
    assert _checks.labelled(np.ones(2), frame).index.tolist() == ["a", "b"]
    assert _checks.labelled(np.ones(3), series).shape == (3,)
    assert isinstance(_checks.labelled(np.ones(2), [1, 2]), np.ndarray)


def test_labels_are_put_in_the_order_of_an_axis_or_refused():
    series = pd.Series([1, 2, 3], index=["b", "c", "a"])
    assert _checks.aligned("f", "x", series, list("abc")).tolist() == [3, 1, 2]
    frame = pd.DataFrame([[1, 2], [3, 4]], ["b", "a"], ["d", "c"])
    both = _checks.aligned("f", "x", frame, ["a", "b"], ["c", "d"])
    assert both.to_numpy().tolist() == [[4, 3], [2, 1]]
    for plain in ([1, 2, 3], np.ones(3), 1.0, None):
        assert _checks.aligned("f", "x", plain, list("abc")) is plain
    assert _checks.aligned("f", "x", series, None) is series
    for labels in (list("abx"), list("abcd"), [0, 1, 2]):
        with pytest.raises(ValueError, match=r"f: x must have the labels"):
            _checks.aligned("f", "x", series, labels)


def test_a_span_of_time_is_no_number():
    with pytest.raises(TypeError, match="f: x must be a real number"):
        _checks.real("f", "x", np.timedelta64(3))


def test_a_huge_integer_and_a_complex_matrix_are_refused_by_name():
    with pytest.raises(ValueError, match="f: x must be finite"):
        _checks.real("f", "x", 10**400)
    with pytest.raises(TypeError, match="f: P must hold real numbers, got complex128"):
        _checks.stochastic("f", "P", sparse.csr_array([[1 + 1j]]))


def test_a_missing_extra_is_named():
    assert _checks.optional("f", "json", "notebooks").loads("1") == 1
    with pytest.raises(ImportError, match=r"f: needs no_such; pip install 'privlib\[transfer\]'"):
        _checks.optional("f", "no_such.module", "transfer")
