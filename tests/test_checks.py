"""Argument checks: right type and range pass through, anything else is named.

And the checks of the ledger: none of them supports or differs where there is nothing to compare.
"""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import sympy as sp
from scipy import sparse

from privlib import _checks
from privlib.notebook import _comparison, claim
from privlib.notebook.claims import CheckFailedError


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


def test_a_weight_of_a_graph_that_would_vanish_is_refused_by_the_function_that_was_called():
    graph = nx.DiGraph()
    graph.add_edge(0, 1, weight=Fraction(1, 10**400))
    for call in (_checks.stochastic, _checks.weights_of):
        with pytest.raises(ValueError, match=r"^f: a weight of P must not be so small"):
            call("f", "P", graph)


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
        (lambda: _checks.integers("f", "x", [[1], [1, 2]]), ValueError, "^f: x .*rectangular"),
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


def test_a_span_of_time_is_no_number():
    with pytest.raises(TypeError, match="f: x must be a real number"):
        _checks.real("f", "x", np.timedelta64(3))


def test_a_huge_integer_and_a_complex_matrix_are_refused_by_name():
    with pytest.raises(ValueError, match="f: x must be within the range of floats"):
        _checks.real("f", "x", 10**400)
    with pytest.raises(TypeError, match="f: P must hold real numbers, got complex128"):
        _checks.stochastic("f", "P", sparse.csr_array([[1 + 1j]]))


def test_a_missing_package_is_named_as_it_is_installed(monkeypatch):
    assert _checks.optional("f", "json").loads("1") == 1
    with pytest.raises(ImportError, match=r"f: needs no_such; pip install no_such"):
        _checks.optional("f", "no_such.module")
    monkeypatch.delitem(sys.modules, "nacl.bindings", raising=False)
    monkeypatch.setitem(sys.modules, "nacl", None)
    with pytest.raises(ImportError, match=r"f: needs pynacl; pip install pynacl"):
        _checks.optional("f", "nacl.bindings")


# --- the checks of the ledger ----------------------------------------------------------------

x, p = sp.Symbol("x"), sp.Symbol("p", positive=True)
n, even = sp.Symbol("n", integer=True, positive=True), sp.Symbol("m", even=True, negative=True)
SEVENTHS = sp.cos(sp.pi / 7) - sp.cos(2 * sp.pi / 7) + sp.cos(3 * sp.pi / 7)  # = 1/2
ONE_HALF = sp.Rational(1, 2)
real, z = sp.Symbol("r", real=True), sp.Symbol("z", imaginary=True)
SQUARE, OTHER = sp.MatrixSymbol("A", 2, 2), sp.MatrixSymbol("B", 2, 2)
GOLDEN = sp.cbrt(2 + sp.sqrt(5)) + sp.cbrt(sp.sqrt(5) - 2)  # φ³ = 2 + √5, so this is φ + 1/φ = √5


def silent():
    return claim("Y-1.a", show=False)


@pytest.mark.parametrize(
    ("printed", "truth"),
    [
        (SEVENTHS, sp.Rational(1, 2)),
        ([1, SEVENTHS], [1, sp.Rational(1, 2)]),
        (sp.Matrix([SEVENTHS]), sp.Matrix([sp.Rational(1, 2)])),
        (10**80 * SEVENTHS, sp.Integer(10) ** 80 / 2),
        (x + SEVENTHS, x + sp.Rational(1, 2)),
        ({SEVENTHS}, {sp.Rational(1, 2)}),
        (GOLDEN, sp.sqrt(5)),
        (sp.nan, 1),
        (sp.nan, sp.nan),
        (sp.Function("f")(x), sp.Function("g")(x)),  # nobody says what these are
        ([0.5, 0.5], 0.5),
        (np.array([0.5]), 0.5),
        (0.5, np.array([0.5])),
        ([1], 1),
        ([1, 2], [1, 2, 3]),
        ([1.0, 2.0], [1.0, 2.0, 3.0]),
        (sp.Matrix([1]), sp.Matrix([1, 1])),
        ([], 1.0),
        (float("nan"), 1.0),
        (sp.Eq(SEVENTHS, ONE_HALF), True),  # sympy leaves these relations open
        (sp.Ne(SEVENTHS, ONE_HALF), False),
        (sp.Ge(SEVENTHS, ONE_HALF), sp.true),
        (sp.Eq(x, 1), True),
        (sp.Tuple(SEVENTHS, 1), sp.Tuple(ONE_HALF, 1)),
        (sp.Tuple(SEVENTHS, 1), (ONE_HALF, 1)),
        (sp.Interval(0, SEVENTHS), sp.Interval(0, ONE_HALF)),
        (sp.FiniteSet(1, 2 * SEVENTHS), sp.FiniteSet(1)),
        (sp.FiniteSet(x, 1), sp.FiniteSet(x)),  # x may be 1
        ({(SEVENTHS, 1)}, {(ONE_HALF, 1)}),
        ({frozenset([SEVENTHS])}, {frozenset([ONE_HALF])}),
        ({1: SEVENTHS}, {1: ONE_HALF}),
        ({SEVENTHS: 1}, {ONE_HALF: 1}),
        ({1: [{SEVENTHS}]}, {1: [{ONE_HALF}]}),
        ({1}, 1),
        ("1", 1),
        ("x", x),
        ("a b", x),
        (None, x),
        ({1: 2}, {1}),
        (sp.Tuple(1), 1),
        (SQUARE, OTHER),  # no number is put for a matrix
        (SQUARE, sp.MatrixSymbol("C", 3, 3)),
        (SQUARE[0, 0], OTHER[0, 0]),
        (SQUARE, x),
        (sp.sin, sp.cos),
    ],
)
def test_what_is_not_seen_to_differ_is_no_counterexample_and_no_limit(printed, truth):
    for sides in ((printed, truth), (truth, printed)):
        with silent() as c:
            c.exact(1, 1)
            with pytest.raises(CheckFailedError):
                c.differs(*sides)
            with pytest.raises(CheckFailedError):
                c.limit(*sides, "x")
        assert len(c.record.checks) == 1


@pytest.mark.parametrize(
    ("printed", "truth", "method"),
    [
        (SEVENTHS, sp.Rational(1, 2) + sp.Rational(1, 10**40), "exact"),
        (sp.log(sp.log(3)), sp.log(3), "exact"),
        (sp.oo, 1, "exact"),
        (sp.true, sp.false, "exact"),
        (x, x + 1, "symbolic"),
        (sp.sqrt(p**2 + 1), p, "symbolic"),
        (n, n - 1, "symbolic"),
        ((-1) ** n, 1, "symbolic"),
        (even, even + 2, "symbolic"),
        ([x, 1], [x, 2], "symbolic"),
        (sp.Matrix([x, 1]), sp.Matrix([x, p]), "symbolic"),
        ({-1, 0, 1}, {-1, 1}, "exact"),
        ((4, 2), (2, 2), "exact"),
        ("CMS", "HCMS", "exact"),
        ([0.5, 0.75], 0.5, "numeric"),
        (np.array([1.0, 2.0]), [1.0, 3.0], "numeric"),
        (sp.Abs(real), real, "symbolic"),
        (sp.Min(real, 1), real, "symbolic"),
        (sp.Heaviside(real - 3), 0, "symbolic"),
        (sp.Piecewise((1, real > 1), (real, True)), real, "symbolic"),
        (sp.floor(real), 0, "symbolic"),
        (sp.sqrt(x**2), x, "symbolic"),
        (sp.sqrt(x * real), sp.sqrt(x) * sp.sqrt(real), "symbolic"),  # both negative
        (sp.Abs(x + real), sp.Abs(x) + sp.Abs(real), "symbolic"),  # one negative
        (sp.FiniteSet(1, 2), sp.FiniteSet(1), "exact"),
        (sp.Interval(0, 1), sp.Interval(0, 2), "exact"),
        (sp.Interval(0, 1), sp.FiniteSet(0, 1), "exact"),
        (sp.Tuple(ONE_HALF, 1), (ONE_HALF, 2), "exact"),
        ({1: ONE_HALF}, {1: SEVENTHS + 1}, "exact"),
        ({1: Fraction(1, 2)}, {2: Fraction(1, 2)}, "exact"),
        (frozenset([1]), {2}, "exact"),
        (1, Fraction(1, 2), "exact"),
        (np.bool_(1), False, "exact"),
    ],
)
def test_what_differs_is_still_seen(printed, truth, method):
    with silent() as c:
        c.differs(printed, truth)
        c.limit(truth, printed, "there")
    assert [check.method for check in c.record.checks] == [method] * 2


def test_a_difference_keeps_to_what_the_symbols_may_be():
    assert (x - sp.Abs(x)).subs(x, -1) == -2  # for some values it is not 0 ...
    with silent() as c:
        c.exact(1, 1)
        with pytest.raises(CheckFailedError):  # ... but for those that a positive symbol has
            c.differs(sp.log(p * n), sp.log(p) + sp.log(n))


@pytest.mark.parametrize(
    ("nothing", "elsewhere"),
    [  # 0 for all that the symbols may be, and where it is not
        (sp.log(p * n) - sp.log(p) - sp.log(n), {p: -1, n: -1}),  # 0 + 0 - 2 iπ
        (sp.sin(sp.pi * n * (n + 1) / 2), {n: ONE_HALF}),  # sin(3π/8)
        (sp.sin(sp.pi * even * (even + 2) / 8), {even: 1}),  # sin(3π/8)
        (z**2 + sp.Abs(z) ** 2, {z: 1}),
        (
            (SEVENTHS - ONE_HALF) / (97 * x - 5),
            {x: sp.Rational(5, 97)},
        ),  # a pole, of a factor that is 0
    ],
)
def test_the_points_at_which_one_looks_keep_to_the_assumptions(nothing, elsewhere):
    assert nothing != 0  # sympy does not see it by itself
    assert nothing.subs(elsewhere).is_zero is not True
    assert not _comparison._elsewhere(nothing)
    # (No number that is put for a symbol is imaginary.)
    assert _comparison._elsewhere(nothing + 1) is not nothing.has(z)


def test_tuples_of_sympy_are_lists_and_equal_dicts_stay_equal():
    with silent() as c:
        c.exact(sp.Tuple(ONE_HALF, 1), (ONE_HALF, 1))
        c.exact([Fraction(1, 2), 1], sp.Tuple(ONE_HALF, 1))
        c.exact({1: ONE_HALF, 2: [1]}, {2: [1], 1: Fraction(1, 2)})
        c.exact(sp.FiniteSet(1, 2), {1, 2})
        for sides in ((sp.Tuple(1, 2), (1, 3)), (sp.Tuple(1), (1, 1)), ({1: 1}, {1: 2}), ("x", x)):
            with pytest.raises(CheckFailedError):
                c.exact(*sides)
    assert len(c.record.checks) == 4


def test_tolerances_may_be_fractions():
    with silent() as c:
        c.at_most(Fraction(1, 3), Fraction(1, 4), slack=Fraction(1, 2))
        c.close(1.0, 1.25, rtol=Fraction(1, 2), atol=Fraction(1, 8))
        with pytest.raises(CheckFailedError, match="at_most"):
            c.at_most(Fraction(1, 3), Fraction(1, 4), slack=Fraction(1, 13))  # 1/12 is more
        with pytest.raises(CheckFailedError, match=r"beyond rtol=1/8, atol=0"):
            c.close(1.0, 1.25, rtol=Fraction(1, 8))  # 1/4 > 1.25/8
        c.sampled(1.0, 2.0, stderr=1.0, threshold=Fraction(3, 2))
        with pytest.raises(CheckFailedError, match=r"\|z\| = 1\.00 > 0\.5"):
            c.sampled(1.0, 2.0, stderr=1.0, threshold=Fraction(1, 2))
    assert [check.text.partition("(")[2] for check in c.record.checks] == [
        "slack 1/2)", "rtol 1/2, atol 1/8)", "|z| = 1.0, allowed 1.5)",
    ]  # fmt: skip


def test_truth_values_are_no_numbers_and_words_no_truth_values():
    with silent() as c:
        c.exact(1, 1)
        with pytest.raises(TypeError, match="a side must be a real number, got True"):
            c.at_most(True, True)
        for word in ("True", "False"):
            with pytest.raises(TypeError, match="condition must be a bool"):
                c.holds(word, "a word")
    assert len(c.record.checks) == 1


@pytest.mark.parametrize("negative", [{"rtol": -1.0}, {"atol": -1.0}, {"atol": float("nan")}])
def test_tolerances_are_numbers_from_0_on(negative):
    (name,) = negative
    with silent() as c:
        c.exact(1, 1)
        for check in (c.differs, c.close):
            with pytest.raises(ValueError, match=f"claim Y-1.a: {name} must"):
                check(1.0, 2.0, **negative)


@pytest.mark.parametrize(
    "check",
    [
        lambda c: c.close([], 3.0),
        lambda c: c.close(np.zeros((0, 5)), 1.0),
        lambda c: c.at_most([], 0),
        lambda c: c.at_most(1.0, []),
        lambda c: c.sampled([], 0.0, stderr=1.0),
        lambda c: c.sampled(1.0, 500.0, stderr=1.0, threshold=float("nan")),
        lambda c: c.sampled(1.0, 500.0, stderr=1.0, threshold=float("inf")),
        lambda c: c.at_most(1.0, 0.0, slack=float("inf")),
        lambda c: c.at_most(1.0, 0.0, slack=float("nan")),
        lambda c: c.exact(sp.nan, sp.nan),
        lambda c: c.exact([1, sp.nan], [1, sp.nan]),
        lambda c: c.exact(sp.Matrix([sp.nan]), sp.Matrix([sp.nan])),
    ],
)
def test_what_cannot_fail_supports_nothing(check):
    with silent() as c:
        c.exact([], [], "no counterexample was found")  # that could have failed
        with pytest.raises(CheckFailedError):
            check(c)
    assert len(c.record.checks) == 1


TINY = Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("small", "large"),
    [
        ([Fraction(1, 3)], [Fraction(1, 3) + TINY]),
        ([2**53], [2**53 + 1]),
        (np.array([2**53]), np.array([2**53 + 1])),
        ([2**53, Fraction(1, 3)], [2**53, sp.Rational(1, 3) + TINY]),
        ([[1, 2], [3, 4]], 4 + TINY),
        ([2**2000], 2**2000 + 1),
        ([np.int64(2**53)], 2**53 + TINY),
    ],
)
def test_rationals_are_compared_as_rationals_however_many(small, large):
    with silent() as c:
        c.at_most(small, large)
        c.at_most(small, small)
        with pytest.raises(CheckFailedError, match="at_most"):
            c.at_most(large, small)
    assert {check.method for check in c.record.checks} == {"numeric"}  # as it was written before


def test_shapes_that_numpy_would_stretch_are_refused():
    with silent() as c:
        c.at_most([[1.0, 2.0], [1.0, 2.0]], 2.0)
        for check in (c.at_most, c.close):
            with pytest.raises(CheckFailedError, match="of other shapes"):
                check([[1.0, 2.0], [1.0, 2.0]], [1.0, 2.0])


@pytest.mark.parametrize("value", [True, False, np.bool_(True), np.bool_(False)])
def test_flags_pass(value):
    found = _checks.flag("f", "x", value)
    assert type(found) is bool
    assert found == value


@pytest.mark.parametrize("value", ["False", 0, 1, 0.5, None, np.int64(1), np.array(True), [True]])
def test_what_is_no_flag_is_refused(value):
    with pytest.raises(TypeError, match=r"^f: x must be True or False, got "):
        _checks.flag("f", "x", value)


def test_a_zero_has_no_sign():
    for zero in (-0.0, np.float64(-0.0), np.float32(-0.0)):
        for check in (_checks.non_negative, _checks.probability):
            assert math.copysign(1, check("f", "x", zero)) == 1
        for given in (zero, [zero, 1.0], np.array([[zero]])):
            found = _checks.non_negatives("f", "x", given)
            assert found.shape == np.shape(given)
            assert not np.signbit(found).any()
    given = np.array([-0.0])
    _checks.non_negatives("f", "x", given)
    assert np.signbit(given).all()  # the caller's array is as it was
