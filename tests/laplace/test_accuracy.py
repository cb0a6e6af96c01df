"""Tests of `privlib.laplace.accuracy`: quadrature, long arithmetic, simulation, bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from privlib.laplace import accuracy

ONE = {"epsilon": 1.0, "sensitivity": 1.0}


def tail(t, d, norm):
    """The tail by 320 digits: a finite sum for the 1-norm, a power for the largest error."""
    with mpmath.workdps(320):
        t = mpmath.mpf(t)
        if norm == "l1":
            return mpmath.exp(-t) * mpmath.fsum(t**j / mpmath.factorial(j) for j in range(d))
        return 1 - (1 - mpmath.exp(-t)) ** d


@pytest.mark.parametrize("norm", ["l1", "linf"])
@pytest.mark.parametrize("d", [1, 2, 3, 10, 200])
@pytest.mark.parametrize("t", [1e-9, 0.01, 0.5, 0.7, 1.0, 5.0, 40.0, 600.0])
def test_against_long_arithmetic(t, d, norm):
    found = accuracy.error_probability(t, **ONE, dimension=d, norm=norm)
    assert found == pytest.approx(float(tail(t, d, norm)), rel=1e-11, abs=0)


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_two_coordinates_by_quadrature_of_the_densities(norm):
    """The mass of two Laplace variables inside the ball, by the density of one and of the other."""
    a, scale = 1.3, 0.8

    def density(r):
        return math.exp(-abs(r) / scale) / (2 * scale)

    def inside(r):  # mass of the other coordinate
        reach = a - abs(r) if norm == "l1" else a
        return quad(density, -reach, reach, points=[0])[0]

    mass = quad(lambda r: density(r) * inside(r), -a, a, points=[0])[0]
    found = accuracy.error_probability(a, epsilon=2.5, sensitivity=2, dimension=2, norm=norm)
    assert found == pytest.approx(1 - mass, rel=1e-7, abs=0)


@pytest.mark.parametrize(("norm", "d"), [("l1", 1), ("l1", 4), ("linf", 4)])
def test_by_simulation(norm, d):
    """A scale wrong by 5 % is more than four standard errors away."""
    rng, count, epsilon, sensitivity = np.random.default_rng(5), 200_000, 0.5, 3.0
    noise = np.abs(rng.laplace(0, sensitivity / epsilon, (count, d)))
    error = noise.sum(1) if norm == "l1" else noise.max(1)
    kwargs = {"sensitivity": sensitivity, "dimension": d, "norm": norm}
    for a in (5.0, 20.0):
        p = accuracy.error_probability(a, epsilon=epsilon, **kwargs)
        z = ((error > a).mean() - p) / math.sqrt(p * (1 - p) / count)
        assert abs(z) < 3
    wrong = accuracy.error_probability(20.0, epsilon=epsilon * 1.05, **kwargs)
    assert abs((error > 20).mean() - wrong) / math.sqrt(wrong * (1 - wrong) / count) > 4


@settings(max_examples=60)
@given(
    st.floats(-290, -0.001),
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.integers(1, 50),
    st.sampled_from(["l1", "linf"]),
)
def test_the_three_functions_are_inverses(log_delta, log_eps, log_size, d, norm):
    delta, epsilon, size = 10**log_delta, 10**log_eps, 10**log_size
    kwargs = {"sensitivity": size, "dimension": d, "norm": norm}
    a = accuracy.tolerance_for(delta, epsilon=epsilon, **kwargs)
    # an error of one part in 1e16 of the tolerance is up to 700 parts of a small delta
    assert accuracy.error_probability(a, epsilon=epsilon, **kwargs) == pytest.approx(
        delta, rel=1e-11
    )
    assert accuracy.epsilon_for(a, delta, **kwargs) == pytest.approx(epsilon, rel=1e-11, abs=0)


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("delta", [1e-30, 0.05, 0.5, 0.9, 1 - 2**-40])
def test_largest_error_against_long_arithmetic(d, delta):
    with mpmath.workdps(60):
        exact = -mpmath.log(1 - (1 - mpmath.mpf(delta)) ** (mpmath.mpf(1) / d))
    found = accuracy.tolerance_for(delta, **ONE, dimension=d, norm="linf")
    assert found == pytest.approx(float(exact), rel=1e-13, abs=0)
    assert found <= math.log(d / delta) + 1e-12  # the union bound


@pytest.mark.parametrize("d", [1, 2, 5, 10, 1000])
@pytest.mark.parametrize("delta", [1e-12, 0.05, 0.5])
def test_closed_bound_of_the_1_norm(d, delta):
    log = math.log(1 / delta)
    found = accuracy.tolerance_for(delta, **ONE, dimension=d)
    assert log * (1 - 1e-12) <= found <= d + math.sqrt(2 * d * log) + log


def test_figures_of_the_note():
    """n = 1000, epsilon = 0.001: an error above 1 has the probability 1/e, not 0.38."""
    p = accuracy.error_probability(1, epsilon=0.001, sensitivity=Fraction(1, 1000))
    assert p == pytest.approx(math.exp(-1), rel=1e-14, abs=0)
    assert accuracy.epsilon_for(0.01, 0.05, sensitivity=1e-3) == pytest.approx(0.29957, abs=5e-6)


def test_the_printed_theorem():
    """Exact for one number, too small for two: 2/e against 1/e."""
    t = np.array([0.3, 1.0, 4.0])
    printed = np.exp(-t)
    np.testing.assert_allclose(accuracy.error_probability(t, **ONE), printed, rtol=1e-13)
    exact = accuracy.error_probability(t, **ONE, dimension=2)
    np.testing.assert_allclose(exact / printed, 1 + t, rtol=1e-13)
    a = 3 / 2 * math.log(20)
    assert accuracy.error_probability(
        a, epsilon=2, sensitivity=3, dimension=10
    ) == pytest.approx(0.9989, abs=5e-5)  # fmt: skip


@pytest.mark.parametrize("norm", ["l1", "linf"])
def test_one_coordinate_unless_told_otherwise(norm):
    """Pr(error > a) = exp(-a epsilon / sensitivity), read in each of the three directions."""
    size = {"sensitivity": 3.0, "norm": norm}
    assert accuracy.error_probability(2, epsilon=0.5, **size) == pytest.approx(math.exp(-1 / 3))
    assert accuracy.tolerance_for(0.2, epsilon=0.5, **size) == pytest.approx(6 * math.log(5))
    assert accuracy.epsilon_for(2, 0.2, **size) == pytest.approx(1.5 * math.log(5))


def test_the_sum_of_errors_unless_told_otherwise():
    size, l1 = {"sensitivity": 3.0, "dimension": 2}, {"norm": "l1"}
    for function, rest in (
        (accuracy.error_probability, {"tolerance": 2, "epsilon": 0.5}),
        (accuracy.tolerance_for, {"delta": 0.2, "epsilon": 0.5}),
        (accuracy.epsilon_for, {"tolerance": 2, "delta": 0.2}),
    ):
        assert function(**rest, **size) == function(**rest, **size, **l1)


def test_the_ends():
    for norm in accuracy.NORMS:
        assert accuracy.error_probability(0, **ONE, dimension=3, norm=norm) == 1
        assert accuracy.error_probability(1e300, epsilon=1e20, sensitivity=1, norm=norm) == 0
        zero = accuracy.tolerance_for(1, **ONE, dimension=3, norm=norm)
        assert zero == 0
        assert math.copysign(1, zero) == 1


def test_without_noise_there_is_no_error():
    """The limits of a growing epsilon and of a vanishing sensitivity, alone and in arrays."""
    for norm, none in itertools.product(
        accuracy.NORMS, ({"epsilon": math.inf, "sensitivity": 2}, {"epsilon": 3, "sensitivity": 0})
    ):
        near = {key: min(max(value, 1e-9), 1e9) for key, value in none.items()}
        rest = {"dimension": 3, "norm": norm}
        assert accuracy.error_probability(0.0, **none, **rest) == 0
        assert accuracy.error_probability(1e-6, **none, **rest) == 0
        assert accuracy.error_probability(1e-6, **near, **rest) < 1e-100
        assert accuracy.tolerance_for(0.05, **none, **rest) == 0
        assert 0 < accuracy.tolerance_for(0.05, **near, **rest) < 1e-7
        assert accuracy.epsilon_for(0.5, 0.05, sensitivity=0, **rest) == 0
    mixed = accuracy.error_probability(1.0, epsilon=[1, math.inf], sensitivity=[[1.0], [0]])
    np.testing.assert_allclose(mixed, [[math.exp(-1), 0], [0, 0]], rtol=1e-14)


def test_arrays_broadcast_and_scalars_stay_scalars():
    found = accuracy.error_probability(
        [[1.0], [2.0]], epsilon=[1, 2, 3], sensitivity=1, dimension=[1, 2, 3], norm="linf"
    )
    assert found.shape == (2, 3)
    for i, k in np.ndindex(2, 3):
        one = accuracy.error_probability(
            i + 1.0, epsilon=k + 1, sensitivity=1, dimension=k + 1, norm="linf"
        )
        assert isinstance(one, float)
        assert found[i, k] == one


GOOD = {"epsilon": 1.0, "sensitivity": 1.0}


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"tolerance": -1}, ValueError, "tolerance must be at least 0, got -1.0"),
        ({"tolerance": [1, math.nan]}, ValueError, "tolerance must be finite, got nan"),
        ({"tolerance": "1"}, TypeError, "tolerance must hold real numbers"),
        ({"tolerance": [[1], [1, 2]]}, ValueError, "tolerance must be a rectangular array"),
        ({"tolerance": [None]}, TypeError, "tolerance must be a real number, got None"),
        ({"epsilon": 0}, ValueError, "epsilon must be positive, got 0.0"),
        ({"epsilon": -math.inf}, ValueError, "epsilon must be finite, got -inf"),
        ({"epsilon": [math.inf, math.nan]}, ValueError, "epsilon must be finite, got nan"),
        ({"epsilon": True}, TypeError, "epsilon must hold real numbers, got"),
        ({"epsilon": "inf"}, TypeError, "epsilon must hold real numbers, got"),
        ({"sensitivity": math.inf}, ValueError, "sensitivity must be finite, got inf"),
        ({"epsilon": [math.inf, 1e-200], "sensitivity": 1e200}, ValueError, "sensitivity / epsi"),
        ({"sensitivity": [1, -2]}, ValueError, "sensitivity must be at least 0, got -2.0"),
        ({"epsilon": 1e-200, "sensitivity": 1e200}, ValueError, "sensitivity / epsilon must be"),
        ({"epsilon": 1e200, "sensitivity": 1e-200}, ValueError, "sensitivity / epsilon must be"),
        ({"dimension": 0}, ValueError, "dimension must be at least 1, got 0"),
        ({"dimension": 2.0}, TypeError, "dimension must hold integers, got float"),
        ({"dimension": True}, TypeError, "dimension must hold integers, got bool"),
        ({"norm": "l2"}, ValueError, "norm must be one of l1, linf, got 'l2'"),
    ],
)
def test_bad_arguments(kwargs, error, message):
    arguments = GOOD | {"tolerance": 1.0} | kwargs
    with pytest.raises(error, match=f"^error_probability: {message}"):
        accuracy.error_probability(arguments.pop("tolerance"), **arguments)


def test_bad_probabilities_and_overflow():
    for delta in (0, 1.5, -0.1):
        with pytest.raises(ValueError, match=r"^tolerance_for: delta must be in \(0, 1\], got"):
            accuracy.tolerance_for(delta, **GOOD)
    with pytest.raises(ValueError, match=r"^epsilon_for: delta must be in \(0, 1\), got 1"):
        accuracy.epsilon_for(1, 1, sensitivity=1)
    with pytest.raises(ValueError, match=r"^epsilon_for: tolerance must be positive, got 0"):
        accuracy.epsilon_for(0, 0.5, sensitivity=1)
    with pytest.raises(ValueError, match=r"^epsilon_for: the result must be finite, got inf"):
        accuracy.epsilon_for(1e-200, 0.5, sensitivity=1e200)


FORECASTS = {
    "error_probability": {"tolerance": 1.0, "epsilon": 1.0, "sensitivity": 1.0},
    "tolerance_for": {"delta": 0.1, "epsilon": 1.0, "sensitivity": 1.0},
    "epsilon_for": {"tolerance": 1.0, "delta": 0.1, "sensitivity": 1.0},
}


@pytest.mark.parametrize("name", FORECASTS)
def test_certify_is_true_or_false(name):
    with pytest.raises(TypeError, match=f"{name}: certify must be True or False, got 'False'"):
        getattr(accuracy, name)(**FORECASTS[name], certify="False")


@pytest.mark.parametrize("name", FORECASTS)
def test_numbers_under_a_mask_are_not_read(name):
    for argument in FORECASTS[name]:
        hidden = np.ma.masked_array([0.5, 0.25], mask=[False, True])
        with pytest.raises(TypeError, match=f"{name}: {argument} must be without a mask"):
            getattr(accuracy, name)(**{**FORECASTS[name], argument: hidden})


def test_levels_are_numbers():
    records = np.zeros(2, dtype=[("epsilon", float)])
    with pytest.raises(TypeError, match="tolerance_for: epsilon must hold real numbers"):
        accuracy.tolerance_for(0.1, epsilon=records, sensitivity=1.0)


@pytest.mark.parametrize("norm", accuracy.NORMS)
def test_a_negative_zero_is_a_zero(norm):
    # A sensitivity of 0 takes no noise, so that no error exceeds anything and 0 is tolerated.
    for zero in (-0.0, np.array([-0.0, -0.0])):
        risk = accuracy.error_probability([0.5, 1], epsilon=1.0, sensitivity=zero, norm=norm)
        assert np.asarray(risk).tolist() == [0, 0]
        assert not np.signbit(risk).any()
        tolerance = accuracy.tolerance_for([0.5, 0.1], epsilon=1.0, sensitivity=zero, norm=norm)
        assert np.asarray(tolerance).tolist() == [0, 0]
        assert not np.signbit(tolerance).any()
    # An error exceeds 0 for certain, if there is noise.
    assert accuracy.error_probability(-0.0, **ONE) == 1
    needed = accuracy.epsilon_for(1.0, 0.5, sensitivity=-0.0)
    assert needed == accuracy.epsilon_for(1.0, 0.5, sensitivity=0.0)
    assert not np.signbit(needed)
