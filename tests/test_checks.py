"""Argument checks: right type and range pass through, anything else is named."""

from __future__ import annotations

import numpy as np
import pytest

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


@pytest.mark.parametrize("value", ["1", None, True, np.bool_(True), 1j, [1]])
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


def test_generators():
    rng = np.random.default_rng(0)
    assert _checks.generator("f", rng) is rng
    for value in (0, None, np.random, np.random.RandomState(0)):
        with pytest.raises(TypeError, match=r"f: rng must be a numpy\.random\.Generator"):
            _checks.generator("f", value)
