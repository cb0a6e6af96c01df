"""Tests of `privlib.laplace.mechanism`: the law of the answers, metadata, the warning."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from privlib.laplace import mechanism
from privlib.laplace.mechanism import ToleranceWarning, laplace_mechanism


def mean(database):
    """Mean of a database."""
    return np.mean(database)


def identity(database):
    return database


@pytest.mark.parametrize("shape", [(200_000,), (400, 500)])
def test_the_noise_is_laplace_of_scale_sensitivity_over_epsilon(shape):
    answers = np.arange(math.prod(shape), dtype=float).reshape(shape) * 1e-3
    private = laplace_mechanism(epsilon=2.0, sensitivity=3.0, dimension=200_000)(identity)
    noisy = private(answers, rng=np.random.default_rng(3))
    assert noisy.shape == shape
    noise = (noisy - answers).ravel()
    assert stats.kstest(noise, stats.laplace(scale=1.5).cdf).pvalue > 0.01
    assert stats.kstest(noise, stats.laplace(scale=1.5 * 1.05).cdf).pvalue < 1e-6
    assert abs(np.corrcoef(noise[:-1], noise[1:])[0, 1]) < 4 / math.sqrt(noise.size)


def test_densities_of_neighbours_differ_by_e_to_the_epsilon_exactly():
    """Two databases whose means differ by the sensitivity; the bound is attained outside."""
    private = laplace_mechanism(epsilon=0.7, sensitivity=1 / 4)(mean)
    law = [stats.laplace(loc=mean(d), scale=private.scale) for d in ([0, 1, 1, 0], [1, 1, 1, 0])]
    y = np.linspace(-1, 2, 1001)
    ratio = law[0].logpdf(y) - law[1].logpdf(y)
    assert np.abs(ratio).max() == pytest.approx(0.7, rel=1e-12)


def test_scalar_answers_are_floats_and_follow_the_generator():
    private = laplace_mechanism(epsilon=1.0, sensitivity=0.25)(mean)
    rng = np.random.default_rng(11)
    first, second = private([0, 1], rng=rng), private([0, 1], rng=rng)
    assert type(first) is float
    assert first != second
    assert private([0, 1], rng=np.random.default_rng(11)) == first
    assert private([0, 1], rng=11) == first
    assert private([0, 1]) != private([0, 1])


def test_answers_of_pandas_are_arrays_and_carry_no_labels_out():
    private = laplace_mechanism(epsilon=1.0, sensitivity=1.0, dimension=3)(identity)
    counts = pd.Series(["b", "a", "b", "c"], name="item").value_counts()
    with pytest.raises(
        ValueError, match=r"answer of identity must not carry labels out: its index"
    ):
        private(counts)
    public = counts.reindex(["a", "b", "c"], fill_value=0).to_numpy()
    noisy = private(pd.Series(public), rng=3)
    assert type(noisy) is np.ndarray
    np.testing.assert_array_equal(noisy, private(public, rng=3))
    table = pd.DataFrame({"x": [1.0, 2.0], "y": [3, 4]})
    square = laplace_mechanism(epsilon=1.0, sensitivity=1.0, dimension=4)(identity)
    with pytest.raises(ValueError, match="labels out: its columns must be 0, 1"):
        square(table)
    assert square(table.to_numpy()).shape == (2, 2)
    size = laplace_mechanism(epsilon=1.0, sensitivity=1.0)(len)
    assert type(size(table)) is float
    with pytest.raises((TypeError, ValueError), match="answer of identity must"):
        private(pd.Series([1, 2, None], dtype="Int64"))


def test_it_keeps_the_name_of_the_query_and_its_own_figures():
    private = laplace_mechanism(epsilon=2.0, sensitivity=3.0)(mean)
    assert (private.__name__, private.__doc__) == ("mean", "Mean of a database.")
    assert (private.__wrapped__, private.query) == (mean, mean)
    assert private.scale == 1.5
    again = laplace_mechanism(epsilon=1.0, sensitivity=3.0)(
        private
    )  # noise on noise keeps both figures
    assert (again.scale, again.__wrapped__.scale) == (3.0, 1.5)
    assert again.__name__ == "mean"
    with pytest.raises(AttributeError):
        private.epsilon = 3.0


def test_accuracy_is_that_of_the_noise():
    rng, count = np.random.default_rng(8), 200_000
    private = laplace_mechanism(epsilon=2.0, sensitivity=3.0, dimension=3)(identity)
    noise = rng.laplace(0, 1.5, (count, 3))
    for norm, error in (("l1", np.abs(noise).sum(1)), ("linf", np.abs(noise).max(1))):
        private = laplace_mechanism(epsilon=2.0, sensitivity=3.0, dimension=3, norm=norm)(identity)
        p = private.error_probability(6.0)
        assert abs((error > 6).mean() - p) < 3 * math.sqrt(p * (1 - p) / count)
        assert private.error_probability(private.tolerance_for(0.2)) == pytest.approx(0.2)
        assert private.epsilon_for(private.tolerance_for(0.2), 0.2) == pytest.approx(2.0)


def test_without_a_dimension_the_answer_is_one_number():
    private = laplace_mechanism(epsilon=2.0, sensitivity=3.0)(identity)
    with pytest.raises(ValueError, match="must be one number if no dimension is declared"):
        private([1.0, 2.0])
    assert private.error_probability(6.0) == pytest.approx(math.exp(-4), rel=1e-14)
    assert private.tolerance_for(0.05) == pytest.approx(1.5 * math.log(20), rel=1e-14)


def test_the_warning_says_what_would_do():
    with pytest.warns(ToleranceWarning, match=r"P\(error > 0.01\) = 0.3679 exceeds 0.05") as seen:
        laplace_mechanism(epsilon=0.1, sensitivity=1e-3, tolerance=0.01)(mean)
    assert "epsilon = 0.2996 would do" in str(seen[0].message)
    assert seen[0].filename == __file__
    with pytest.warns(ToleranceWarning, match=r"= 0.7358 exceeds 0.5"):  # 2/e
        laplace_mechanism(epsilon=1, sensitivity=1, tolerance=1, level=0.5, dimension=2)(identity)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        laplace_mechanism(epsilon=0.2996, sensitivity=1e-3, tolerance=0.01)(mean)
        laplace_mechanism(epsilon=0.1, sensitivity=1e-3, tolerance=0.01, level=0.37)(mean)
        laplace_mechanism(epsilon=0.1, sensitivity=1e-3)(mean)


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"epsilon": 0}, ValueError, "epsilon must be positive, got 0"),
        ({"epsilon": -math.inf}, ValueError, "epsilon must be finite, got -inf"),
        ({"epsilon": math.nan}, ValueError, "epsilon must be finite, got nan"),
        ({"epsilon": [math.inf]}, TypeError, "epsilon must be a real number, got"),
        ({"sensitivity": -1}, ValueError, "sensitivity must not be negative, got -1"),
        ({"sensitivity": math.inf}, ValueError, "sensitivity must be finite, got inf"),
        ({"sensitivity": "1"}, TypeError, "sensitivity must be a real number, got '1'"),
        ({"epsilon": 1e-300, "sensitivity": 1e300}, ValueError, "sensitivity / epsilon must be"),
        ({"epsilon": 1e10, "sensitivity": 1e-300}, ValueError, "sensitivity / epsilon must be in"),
        ({"tolerance": -1}, ValueError, "tolerance must be positive, got -1"),
        ({"level": 0}, ValueError, r"level must be in \(0, 1\), got 0"),
        ({"level": 1}, ValueError, r"level must be in \(0, 1\), got 1"),
        ({"dimension": 0}, ValueError, "dimension must be at least 1, got 0"),
        ({"norm": "l3"}, ValueError, "norm must be one of l1, linf, got 'l3'"),
    ],
)
def test_bad_arguments(kwargs, error, message):
    with pytest.raises(error, match=f"^laplace_mechanism: {message}"):
        laplace_mechanism(**({"epsilon": 1.0, "sensitivity": 1.0} | kwargs))


@pytest.mark.parametrize(
    "limit", [{"epsilon": math.inf}, {"epsilon": np.float64("inf")}, {"sensitivity": 0}]
)
def test_without_noise_the_answer_is_the_querys_own(limit):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no tolerance is exceeded
        options = {"epsilon": 1.0, "sensitivity": 1.0} | limit
        open_ = laplace_mechanism(**options, tolerance=1e-9, dimension=4)(identity)
    assert open_.scale == 0
    answers = np.array([[0.1, -2.0], [1e300, -0.0]])
    for seed in range(20):
        np.testing.assert_array_equal(open_(answers, rng=seed), answers)
    assert laplace_mechanism(**options)(identity)(0.1) == 0.1
    assert open_.error_probability(0.0) == 0
    assert open_.tolerance_for(0.05) == 0


def test_bad_calls():
    rng = np.random.default_rng(0)
    with pytest.raises(TypeError, match=r"^laplace_mechanism: the query must be callable, got 3"):
        laplace_mechanism(epsilon=1, sensitivity=1)(3)
    private = laplace_mechanism(epsilon=1, sensitivity=1, dimension=2)(identity)
    assert private([1, 2], rng=rng).shape == (2,)
    with pytest.raises(
        TypeError, match=r"^laplace_mechanism: rng must be None, an integer seed or a numpy"
    ):
        private([1, 2], rng="0")
    with pytest.raises(ValueError, match=r"answer of identity must have the declared dimension 2"):
        private([1, 2, 3], rng=rng)
    with pytest.raises(ValueError, match=r"answer of identity must be finite$"):
        private([1, math.nan], rng=rng)
    with pytest.raises(TypeError, match="answer of identity must hold real numbers"):
        private("ab", rng=rng)
    nameless = mechanism.LaplaceMechanism(identity, 1.0, 1.0)
    with pytest.raises(ValueError, match="answer of the query must be finite"):
        nameless(math.inf, rng=rng)
