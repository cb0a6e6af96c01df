"""Tests of `privlib.research.staircase`: against integrals, its loss, its optimality."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from privlib.research.staircase import Staircase

DISTRIBUTIONS = [
    (1.0, 1.0, None),
    (3.0, 2.5, None),
    (0.2, 0.1, 0.5),
    (1.5, 1.0, 0.0),
    (1.5, 1.0, 1.0),
]


def pieces(distribution, units):
    """Points at which the density may jump, from 0 on."""
    ends = [0.0, distribution.step] if 0 < distribution.step < 1 else [0.0]
    return [distribution.sensitivity * (i + e) for i in range(units) for e in ends]


def integral(distribution, of, units):
    """Integral over the positive side, piece by piece."""
    edges = pieces(distribution, units)
    return sum(integrate.fixed_quad(of, a, b, n=3)[0] for a, b in itertools.pairwise(edges))


@pytest.mark.parametrize(("epsilon", "sensitivity", "step"), DISTRIBUTIONS)
def test_the_density_integrates_to_one_and_to_the_stated_error(epsilon, sensitivity, step):
    distribution = Staircase(epsilon=epsilon, sensitivity=sensitivity, step=step)
    units = math.ceil(45 / epsilon) + 2
    assert 2 * integral(distribution, distribution.pdf, units) == pytest.approx(1, rel=1e-12, abs=0)
    error = 2 * integral(distribution, lambda x: x * distribution.pdf(x), units)
    assert distribution.error == pytest.approx(error, rel=1e-12, abs=0)


@pytest.mark.parametrize(("epsilon", "sensitivity", "step"), DISTRIBUTIONS)
def test_the_distribution_function_is_the_integral_of_the_density(epsilon, sensitivity, step):
    distribution = Staircase(epsilon=epsilon, sensitivity=sensitivity, step=step)
    for x in sensitivity * np.array([0.05, 0.31, 0.9, 1.2, 3.77]):
        edges = [e for e in pieces(distribution, 5) if e < x] + [x]
        inside = sum(
            integrate.fixed_quad(distribution.pdf, a, b, n=2)[0]
            for a, b in itertools.pairwise(edges)
        )
        assert distribution.cdf(x) == pytest.approx(0.5 + inside, rel=1e-12, abs=0)
        assert distribution.cdf(-x) == pytest.approx(0.5 - inside, rel=1e-10, abs=0)
    assert distribution.cdf(0) == pytest.approx(0.5, rel=1e-14, abs=0)
    assert distribution.cdf([[-1e6, 1e6]]).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(("epsilon", "sensitivity", "step"), DISTRIBUTIONS)
def test_the_loss_within_the_sensitivity_is_epsilon_exactly(epsilon, sensitivity, step):
    distribution = Staircase(epsilon=epsilon, sensitivity=sensitivity, step=step)
    x = np.linspace(-4, 4, 1601) * sensitivity + 1e-7
    shifts = np.linspace(-1, 1, 81) * sensitivity
    loss = np.log(distribution.pdf(x)) - np.log(distribution.pdf(x + shifts[:, None]))
    assert np.abs(loss).max() == pytest.approx(epsilon, rel=1e-12, abs=0)
    beyond = np.log(distribution.pdf(x)) - np.log(distribution.pdf(x + 1.3 * sensitivity))
    assert step in (0.0, 1.0) or np.abs(beyond).max() > 1.5 * epsilon


@pytest.mark.parametrize("epsilon", [1e-3, 0.4, 1.0, 3.0, 5.0, 40.0])
def test_the_best_step_is_the_best_and_the_gain_is_the_stated_one(epsilon):
    distribution = Staircase(epsilon=epsilon, sensitivity=2.0)
    assert distribution.step == pytest.approx(1 / (1 + math.exp(epsilon / 2)), rel=1e-14, abs=0)
    gain = distribution.error / (2.0 / epsilon)
    assert gain == pytest.approx((epsilon / 2) / math.sinh(epsilon / 2), rel=1e-12, abs=0)
    others = [Staircase(epsilon=epsilon, sensitivity=2.0, step=s) for s in np.linspace(0, 1, 101)]
    assert distribution.error <= min(other.error for other in others) * (1 + 1e-14)


@pytest.mark.parametrize(
    ("epsilon", "error"), [(1, "0.9595"), (3, "0.2348"), (5, "0.0826")]
)  # by a sum over a grid, made without this module
def test_published_numbers(epsilon, error):
    assert f"{Staircase(epsilon=epsilon).error:.4f}" == error


def least_error(m, b):
    """Least error of private densities, symmetric and constant on cells of 1/m, by an LP.

    Unknown are the heights on [0, 2) and, of what lies beyond, mass T and first moment C. From
    f(x) <= b f(x + 1) they are at least what the last constraints say.
    """
    k = 2 * m
    rows = []
    for i, j in itertools.product(range(k), repeat=2):
        if 0 < abs(i - j) <= m or (i != j and i + j + 1 <= m):  # on one side, or across 0
            rows.append(np.zeros(k + 2))
            rows[-1][[i, j]] = 1, -b
    middle = (np.arange(k) + 0.5) / m
    last = np.arange(k) >= m
    rows.append(np.array([*last, 1 - b, 0]))  # last unit + T <= b T
    rows.append(np.array([*(last * middle), b, 1 - b]))  # its moment + C <= b (C - T)
    found = optimize.linprog(
        [*middle, 0, 1], A_ub=np.array(rows), b_ub=np.zeros(len(rows)),
        A_eq=[[*np.ones(k), 1, 0]], b_eq=[1],
    )  # fmt: skip
    return found.fun


@pytest.mark.parametrize(
    ("m", "b", "attained"), [(3, 4, True), (4, 9, True), (6, 4, True), (5, 4, False)]
)
def test_a_linear_programme_over_all_private_densities_finds_nothing_better(m, b, attained):
    """At e^epsilon = 4 the best step is 1/3, at 9 it is 1/4: on some grids, off others."""
    error = Staircase(epsilon=math.log(b)).error
    if attained:
        assert least_error(m, b) == pytest.approx(error, rel=1e-9, abs=0)
    else:
        assert error * 1.0001 < least_error(m, b) < 1.01 * error


@pytest.mark.parametrize(("epsilon", "sensitivity", "step"), DISTRIBUTIONS)
def test_samples_follow_the_distribution(epsilon, sensitivity, step):
    distribution = Staircase(epsilon=epsilon, sensitivity=sensitivity, step=step)
    sample = distribution.sample((50, 2000), rng=3)
    assert sample.shape == (50, 2000)
    assert stats.kstest(sample.ravel(), distribution.cdf).pvalue > 1e-4
    wrong = Staircase(epsilon=epsilon * 1.05, sensitivity=sensitivity, step=step)
    assert stats.kstest(sample.ravel(), wrong.cdf).pvalue < 1e-4
    spread = sample.std() / math.sqrt(sample.size)
    assert abs(np.abs(sample).mean() - distribution.error) < 4.5 * spread
    assert abs(sample.mean()) < 4.5 * spread


def test_step_one_half_is_discrete_laplace_plus_uniform():
    rng = np.random.default_rng(4)
    count, q = 100_000, math.exp(-0.8)
    integers = rng.geometric(1 - q, count) - rng.geometric(1 - q, count)
    tulap = integers + rng.uniform(-0.5, 0.5, count)
    assert stats.kstest(tulap, Staircase(epsilon=0.8, step=0.5).cdf).pvalue > 1e-4


def test_one_number_and_the_seed():
    distribution = Staircase(epsilon=1.0)
    one = distribution.sample(rng=7)
    assert isinstance(one, float)
    assert distribution.sample(rng=7) == one
    assert distribution == Staircase(epsilon=1.0, step=distribution.step)


def test_the_ends_of_the_range():
    tiny = Staircase(epsilon=1e-9)
    assert tiny.error == pytest.approx(1e9, rel=1e-9, abs=0)
    assert math.isfinite(tiny.sample(rng=0))
    sharp = Staircase(epsilon=700)
    assert 0 < sharp.error < 1e-150
    assert math.isfinite(sharp.sample(rng=0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 0}, "Staircase: epsilon must be positive, got 0"),
        ({"epsilon": 701}, r"Staircase: epsilon must be in 1e-17\.\.700, got 701"),
        ({"epsilon": 1e-20}, r"Staircase: epsilon must be in 1e-17\.\.700, got 1e-20"),
        ({"epsilon": 1e-10, "sensitivity": 1e300}, "sensitivity / epsilon must be finite, got inf"),
        ({"epsilon": 1, "sensitivity": -1}, "Staircase: sensitivity must be positive"),
        ({"epsilon": 1, "step": 1.5}, r"Staircase: step must be a probability in \[0, 1\]"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        Staircase(**arguments)
    with pytest.raises(TypeError, match="rng must be"):
        Staircase(epsilon=1).sample(rng="seed")


@pytest.mark.filterwarnings("error")
def test_numbers_of_every_kind_are_the_same_noise():
    noise, x = Staircase(epsilon=1.0, sensitivity=2.0, step=0.25), [-3.0, 0.0, 0.4, 9.9]
    q = math.exp(-1)
    mass = (0.25 + 0.75 * q) / (1 - q)  # by hand: t = 1.5, 0, 0.2, 4.95
    heights = np.array([q**2, 1, 1, q**5]) / (2 * 2 * mass)
    for kind in (np.uint8, np.int16, np.float32, Fraction, int):
        other = Staircase(epsilon=kind(1), sensitivity=kind(2), step=Fraction(1, 4))
        assert other == noise
        assert isinstance(other.epsilon, float)
        assert other.pdf(x) == pytest.approx(heights, rel=1e-14)
        assert other.cdf(x).tolist() == noise.cdf(x).tolist()
        assert other.sample(5, rng=1).tolist() == noise.sample(5, rng=1).tolist()


@pytest.mark.filterwarnings("error")
def test_points_beyond_all_noise():
    for epsilon in (1e-17, 1.0, 700.0):
        noise = Staircase(epsilon=epsilon, sensitivity=1e-200)
        assert noise.cdf([-1e200, 1e200]).tolist() == [0.0, 1.0]
    assert Staircase(epsilon=1.0, sensitivity=1e-200).pdf([1e200]) == 0


def test_the_least_epsilon_is_sampled_without_a_clip():
    noise = np.abs(Staircase(epsilon=1e-17).sample(100_000, rng=5))
    assert noise.mean() == pytest.approx(
        1e17, rel=0.015
    )  # an exponential distribution: 4.5 deviations
    assert noise.max() < 2e18
