"""Tests of `privlib.sketch.defences` against enumeration, other algorithms and simulation."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
from privlib.sketch.data import shop_counts
from privlib.sketch.defences import (
    column_scores,
    norm_sub,
    power,
    total_moments,
    total_score,
    weight_scores,
)
from privlib.sketch.poisoning import fake_reports

from .small_schemes import SCHEMES, default, one_gain, output_chances, small


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=8),
    st.one_of(st.just(0.0), st.floats(0, 1e3)),
)
@settings(max_examples=150)
def test_norm_sub_is_the_projection_onto_the_simplex(values, total):
    """The oracle finds the shift by root finding, not by sorting."""
    x = np.array(values)
    got = norm_sub(x, total)
    shift = optimize.brentq(
        lambda d: np.maximum(x - d, 0).sum() - total, x.min() - total - 1, x.max() + 1, xtol=1e-12
    )
    np.testing.assert_allclose(got, np.maximum(x - shift, 0), atol=1e-7)
    assert got.sum() == pytest.approx(total, abs=1e-9)
    assert (got >= 0).all()


@given(st.lists(st.integers(-(10**17), 10**17), min_size=1, max_size=5), st.integers(0, 9))
@example([10**17, 1, -(10**17)], 5)
def test_norm_sub_of_huge_estimates_is_that_of_fractions(values, total):
    """In fractions: of all sets of items, the one whose shift leaves it and nothing else."""
    x = [Fraction(float(value)) for value in values]
    for size in range(1, len(x) + 1):
        top = sorted(x, reverse=True)[:size]
        shift = (sum(top) - total) / size
        if all(v > shift for v in top) and sum(v > shift for v in x) == size:
            break
    expected = [float(max(v - shift, 0)) for v in x] if total else [0.0] * len(x)
    np.testing.assert_allclose(norm_sub([float(v) for v in x], total), expected, rtol=1e-9)


def test_norm_sub_of_a_batch_is_row_by_row():
    x = np.random.default_rng(1).normal(2, 5, (3, 4, 6))
    batch = norm_sub(x, 10)
    for i, j in np.ndindex(3, 4):
        np.testing.assert_array_equal(batch[i, j], norm_sub(x[i, j], 10))
    np.testing.assert_array_equal(norm_sub([1.0, 2.0], 3), [1.0, 2.0])  # consistent: unchanged


def test_weight_scores_have_the_honest_moments():
    """All outputs of a small scheme give mean 0 and variance 1; printed attack: -8.67."""
    scheme = small(CountMeanSketch, 0.9)
    table = list(output_chances(scheme, "ria", ["b"]))
    rows, signs = zip(*[report for report, _ in table])
    weights = np.array([w for _, w in table])
    scores = weight_scores(scheme, scheme.pack(rows, np.array(signs)))
    assert scores @ weights == pytest.approx(0, abs=1e-12)
    assert scores**2 @ weights == pytest.approx(1, rel=1e-12)
    scheme = default(CountMeanSketch)
    fake = fake_reports(scheme, "mga", targets=["A2"], n_fake=4, rng=np.random.default_rng(0))
    p = math.exp(0.5) / (1 + math.exp(0.5))
    z = (1 - p - 127 * (1 - p)) / math.sqrt(128 * p * (1 - p))
    np.testing.assert_allclose(weight_scores(scheme, fake), z, rtol=1e-12)
    assert weight_scores(scheme, fake[:0]).shape == (0,)


def test_weight_scores_in_chunks(monkeypatch):
    scheme = CountMeanSketch(1.0, hashes=4, width=9, seed=0)
    reports = scheme.privatize(np.arange(50), np.random.default_rng(0))
    whole = weight_scores(scheme, reports)
    monkeypatch.setattr("privlib.sketch.defences._AT_ONCE", 7)
    np.testing.assert_array_equal(weight_scores(scheme, reports), whole)


def test_column_scores_have_the_honest_moments_and_show_the_printed_attack():
    scheme, rng = default(HadamardCountMeanSketch), np.random.default_rng(8)
    honest = scheme.privatize(rng.integers(43, size=49742), rng)
    scores = column_scores(scheme, honest)
    assert scores.sum() == pytest.approx(0, abs=1e-9)
    # Multinomial: the squares sum to m - 1 times n/m (1 - 1/m) in the mean over sd^2: m.
    assert 85 < (scores**2).sum() < 180
    attacked = np.concatenate(
        [honest, fake_reports(scheme, "mga", targets=["A2"], n_fake=502, rng=rng)]
    )
    columns = attacked["column"].astype(int)
    load, n = int((columns == 0).sum()), columns.size
    expected = (load - n / 128) / math.sqrt(n / 128 * 127 / 128)
    assert column_scores(scheme, attacked)[0] == pytest.approx(expected, rel=1e-12)
    assert expected > 20
    hidden = fake_reports(scheme, "mga", targets=["A2"], n_fake=502, rng=rng, hidden=True)
    assert np.abs(column_scores(scheme, np.concatenate([honest, hidden]))).max() < 4.5


@pytest.mark.parametrize("kind", SCHEMES)
def test_total_moments_by_enumeration(kind):
    scheme, counts = small(kind, 0.8), {"a": 5, "b": 0, "c": 2}
    mean = variance = 0.0
    for item, users in counts.items():
        pairs = [
            (one_gain(scheme, out, "abc"), w) for out, w in output_chances(scheme, "ria", [item])
        ]
        one = sum(g * w for g, w in pairs)
        mean += users * one
        variance += users * sum((g - one) ** 2 * w for g, w in pairs)
    got = total_moments(scheme, counts)
    assert got.mean == pytest.approx(mean, rel=1e-12)
    assert got.variance == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("kind", SCHEMES)
@pytest.mark.slow
def test_total_moments_of_the_shop_data_by_simulation(kind):
    scheme, counts = kind(1.0, hashes=256, width=64, seed=5), shop_counts()
    rng, runs = np.random.default_rng(2), 300
    items = list(counts)
    totals = np.array([scheme.simulate(counts, rng).estimate(items).sum() for _ in range(runs)])
    moments = total_moments(scheme, counts)
    assert abs(totals.mean() - moments.mean) < 3.5 * moments.sd / math.sqrt(runs)
    low, high = stats.chi2.ppf([0.001, 0.999], runs - 1) / (runs - 1)
    assert low < totals.var(ddof=1) / moments.variance < high
    # The estimates are positively correlated: independence would give a smaller spread.
    independent = scheme.moments(counts).variance.sum()
    assert moments.variance / independent == pytest.approx(1 + 42 / 64, abs=0.05)


def test_total_score_is_scaled_to_the_sketch():
    scheme, rng = default(CountMeanSketch), np.random.default_rng(4)
    counts = {"x": 900, "y": 100}
    sketch = scheme.simulate({"x": 1800, "y": 200}, rng)
    twice = total_moments(scheme, {"x": 1800, "y": 200})
    expected = (sketch.estimate(["x", "y"]).sum() - twice.mean) / twice.sd
    assert total_score(sketch, counts) == pytest.approx(expected, rel=1e-9)
    fake = scheme.aggregate(fake_reports(scheme, "mga", targets=["x", "y"], n_fake=300, rng=rng))
    assert total_score(sketch + fake, counts) > expected + 4


@given(st.floats(-6, 6), st.floats(0.001, 0.4), st.integers(1, 200))
@settings(max_examples=50)
def test_power_is_the_normal_tail(shift, level, tests):
    z = stats.norm.isf(level / tests / 2)
    expected = stats.norm.sf(z - shift) + stats.norm.cdf(-z - shift)
    assert power(shift, level=level, tests=tests) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", SCHEMES)
def test_what_pandas_brings_is_understood(kind):
    scheme = kind(1.0, hashes=8, width=8, seed=2)
    counts = pd.Series({"x": 60, "y": 40})
    plain = fake_reports(scheme, "ria", targets=["x", "y"], n_fake=30, rng=1)
    assert total_moments(scheme, counts).mean == total_moments(scheme, counts.to_dict()).mean
    sketch = scheme.aggregate(plain)
    assert total_score(sketch, counts) == total_score(sketch, counts.to_dict())
    estimates = sketch.estimate(counts.index)
    assert type(estimates) is np.ndarray
    consistent = norm_sub(pd.Series(estimates), 30)
    assert type(consistent) is np.ndarray
    assert consistent.tolist() == norm_sub(estimates, 30).tolist()
    with pytest.raises(ValueError, match="estimates is read by position"):
        norm_sub(pd.Series(estimates, index=counts.index), 30)


def noiseless(epsilon, hashes):
    scheme = CountMeanSketch(epsilon, hashes=hashes, width=2, seed=1)
    return total_score(scheme.aggregate(scheme.privatize(["x", "y"], 1)), {"x": 1, "y": 1})


PLAIN = CountMeanSketch(1.0, hashes=4, width=8, seed=0)
HADAMARD = HadamardCountMeanSketch(1.0, hashes=4, width=8, seed=0)
FAKE = HADAMARD.privatize(["x", "y"], np.random.default_rng(0))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda c, h: norm_sub([1, 2], -1), ValueError, "norm_sub: total must not be negative"),
        (lambda c, h: norm_sub([], 1), ValueError, r"norm_sub: .* got shape \(0,\)"),
        (lambda c, h: norm_sub(3, 1), ValueError, r"norm_sub: .* got shape \(\)"),
        (lambda c, h: norm_sub([1, math.nan], 1), ValueError, "norm_sub: estimates must be finite"),
        (lambda c, h: norm_sub(["x"], 1), TypeError, "norm_sub: estimates must hold real numbers"),
        (lambda c, h: weight_scores(h, FAKE), TypeError, "weight_scores: scheme must be CMS"),
        (lambda c, h: weight_scores(c, FAKE), ValueError, "reports"),
        (
            lambda c, h: weight_scores(CountMeanSketch(math.inf, hashes=2, width=2, seed=0), FAKE),
            ValueError, "weight_scores: epsilon must be finite",
        ),
        (lambda c, h: column_scores(c, FAKE), TypeError, "column_scores: scheme must be HCMS"),
        (lambda c, h: column_scores(h, FAKE[:0]), ValueError, "at least one report, got none"),
        (lambda c, h: total_moments(c, {}), ValueError, "total_moments"),
        (lambda c, h: total_moments(c, {"x": -1}), ValueError, "total_moments"),
        (lambda c, h: total_moments(c, {"x": 0.5}), TypeError, "total_moments"),
        (lambda c, h: total_moments(0, {"x": 1}), TypeError, "total_moments: scheme"),
        (lambda c, h: total_score(h.aggregate(FAKE), {"x": 0}), ValueError, "at least one user"),
        (lambda c, h: total_score(h.aggregate(FAKE[:0]), {"x": 1}), ValueError, "at least one"),
        (lambda c, h: noiseless(math.inf, 1), ValueError, "total_score: variance .* be positive"),
        (lambda c, h: noiseless(800, 2), ValueError, "total_score: variance .* be positive"),
        (lambda c, h: power(math.inf), ValueError, "power: shift must be finite"),
        (lambda c, h: power(1.0, level=1.0), ValueError, r"power: level must be in \(0, 1\)"),
        (lambda c, h: power(1.0, tests=0), ValueError, "power: tests must be at least 1"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call(PLAIN, HADAMARD)


def test_moments_print_in_one_line():
    assert repr(PLAIN.moments(dict.fromkeys(range(1000), 1))) == "Moments(1000 items)"
    assert repr(total_moments(PLAIN, {"x": 1})).startswith("Moments(mean 1, variance ")
