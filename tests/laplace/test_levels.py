"""Levels of privacy: text and fractions are read exactly, and never as more than they are."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy

from privlib.laplace import histogram, laplace_mechanism
from privlib.laplace._levels import privacy_level
from privlib.laplace.erm import budget


@pytest.mark.parametrize(
    ("value", "exact"),
    [("0.2", Fraction(1, 5)), ("1/3", Fraction(1, 3)), (Decimal("0.1"), Fraction(1, 10)),
     (Fraction(1, 10), Fraction(1, 10)), (sympy.Rational(1, 10), Fraction(1, 10)), ("2", 2)],
)  # fmt: skip
def test_a_level_is_never_read_as_more_than_it_is(value, exact):
    level = privacy_level("f", "epsilon", value)
    assert exact * (1 - Fraction(1, 2**52)) < Fraction(level) <= exact


@pytest.mark.parametrize("value", [0.1, 1, np.float64(0.1), math.inf])
def test_floats_and_integers_stay_as_they_are(value):
    assert privacy_level("f", "epsilon", value) == value


@pytest.mark.parametrize(
    "value", ["x", "", "inf", "nan", "-1", "0", "1e999999999", Decimal("Infinity"), Fraction(0), 0]
)
def test_what_is_no_level_is_refused(value):
    with pytest.raises(ValueError, match="f: epsilon must be"):
        privacy_level("f", "epsilon", value)


@pytest.mark.parametrize("value", [None, True, [1], b"1"])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(TypeError, match="f: epsilon must be"):
        privacy_level("f", "epsilon", value)


def test_the_functions_of_the_part_take_text():
    assert histogram(["a"], categories=["a", "b"], epsilon="1/2").shape == (2,)
    assert laplace_mechanism(epsilon="0.2", sensitivity=1)(len).epsilon <= Fraction(1, 5)
    assert budget(5, epsilon="0.1", regularization=1, curvature=1) == budget(
        5, epsilon=math.nextafter(0.1, 0), regularization=1, curvature=1
    )
