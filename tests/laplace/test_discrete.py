"""Tests of `privlib.laplace.discrete`: the exact law, the sampler's grid, the attack."""

from __future__ import annotations

import math
import sys

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from privlib.laplace import discrete


class AllZero(np.random.Generator):
    """A generator whose uniform numbers are all 0."""

    def random(self, size=None):
        return 0.0 if size is None else np.zeros(size)


@pytest.mark.parametrize("scale", [0.05, 0.5, 1.0, 7.3])
def test_pmf_is_the_law_of_a_difference_of_geometric_variables(scale):
    with mpmath.workdps(40):
        p = mpmath.exp(-1 / mpmath.mpf(scale))
        terms = int(100 * scale) + 50
        for k in (0, 1, -1, 4):
            exact = mpmath.fsum(
                (1 - p) ** 2 * p ** (j + max(k, 0)) * p ** (j + max(-k, 0)) for j in range(terms)
            )
            assert discrete.pmf(k, scale) == pytest.approx(float(exact), rel=1e-13, abs=0)
    k = np.arange(-terms, terms + 1)
    assert discrete.pmf(k, scale).sum() == pytest.approx(1, rel=1e-13, abs=0)


def test_pmf_ratio_is_bounded_by_the_shift_and_attains_it():
    k = np.arange(-50, 51)
    ratio = np.log(discrete.pmf(k, 2.0)) - np.log(discrete.pmf(k - 3, 2.0))
    assert np.abs(ratio).max() == pytest.approx(1.5, rel=1e-12, abs=0)


def test_pmf_at_the_ends():
    assert discrete.pmf(0, 1e-300) == 1
    assert discrete.pmf(1, 1e-320) == 0
    assert discrete.pmf([[0], [10**9]], [1.0, 1e9]).shape == (2, 2)
    assert discrete.pmf(10**9, 1e9) == pytest.approx(math.exp(-1) / 2e9, rel=1e-9, abs=0)


def test_without_noise():
    np.testing.assert_array_equal(discrete.pmf([-1, 0, 1], 0), [0, 1, 0])
    np.testing.assert_array_equal(discrete.discrete_laplace([3, -7], scale=0), [3, -7])
    assert discrete.error_probability(0, 0) == 0
    assert discrete.tolerance_for(5e-324, 0) == 0
    assert discrete.tolerance_for(5e-324, 1.0) == 744
    assert discrete.tolerance_for(0.05, [0, 1e-320, 0.1]).tolist() == [0, 0, 0]


@pytest.mark.parametrize("scale", [0.05, 0.5, 1.0, 7.3, 200.0])
def test_errors_beyond_a_tolerance_by_summing_the_law(scale):
    reach = int(60 * scale) + 60
    with mpmath.workdps(40):
        q = mpmath.exp(-1 / mpmath.mpf(scale))
        law = [(1 - q) / (1 + q) * q**k for k in range(reach)]
        beyond = [2 * mpmath.fsum(law[a + 1 :]) for a in range(6)]
    found = discrete.error_probability(np.arange(6), scale)
    np.testing.assert_allclose(found, [float(b) for b in beyond], rtol=1e-11)
    np.testing.assert_array_equal(found, discrete.error_probability(np.arange(6) + 0.9, scale))


@pytest.mark.parametrize("scale", [0.05, 0.4, 1.0, 3.7, 40.0])
def test_the_tolerance_is_the_least_one(scale):
    deltas = np.r_[1e-12, 1e-3, np.linspace(0.01, 1, 100)]
    with mpmath.workdps(40):  # search from 0 on, by the sum of the geometric series
        q = mpmath.exp(-1 / mpmath.mpf(scale))
        least = []
        for delta in deltas:
            a = 0
            while 2 * q ** (a + 1) / (1 + q) > mpmath.mpf(float(delta)):
                a += 1
            least.append(a)
    found = discrete.tolerance_for(deltas, scale)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, least)
    assert isinstance(discrete.tolerance_for(0.05, scale), np.int64)


@given(st.integers(0, 10**6), st.floats(0.01, 1e5))
def test_a_tolerance_comes_back_from_its_own_probability(a, scale):
    """A tie: the floats of the formula may fall on either side of the integer."""
    delta = discrete.error_probability(a, scale)
    assume(delta > 1e-290)
    assume(delta < discrete.error_probability(max(a - 1, 0), scale) or a == 0)
    assert discrete.tolerance_for(delta, scale) == a


def test_opendp_samples_this_law():
    """No seed by design: the threshold is one in a thousand million; 5 % are ten deviations."""
    count, scale, reach = 50_000, 3.0, 20
    noise = discrete.discrete_laplace(np.full((count // 100, 100), 7), scale=scale) - 7
    assert noise.shape == (count // 100, 100)
    cells = np.clip(noise.ravel(), -reach, reach)
    seen = np.bincount(cells + reach, minlength=2 * reach + 1)

    def pvalue(size):
        law = discrete.pmf(np.arange(-reach, reach + 1), size)
        law[[0, -1]] += (1 - law.sum()) / 2
        return stats.chisquare(seen, count * law).pvalue

    assert pvalue(scale) > 1e-9
    assert pvalue(scale * 1.08) < 1e-9


def test_opendp_scalars_and_empty_arrays():
    assert type(discrete.discrete_laplace(3, scale=1e-3)) is int
    assert discrete.discrete_laplace(3, scale=1e-3) == 3
    assert discrete.discrete_laplace([], scale=1.0).shape == (0,)
    top = discrete.discrete_laplace([2**63 - 1] * 20, scale=1e6)
    assert (top > 2**62).all()  # kept in range: no overflow to negative numbers


def test_without_opendp(monkeypatch):
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(ImportError, match=r"^discrete_laplace: needs opendp; pip install opendp"):
        discrete.discrete_laplace(1, scale=1.23456)  # a scale of which no sampler is kept


def test_labels_of_pandas_are_refused():
    counts = pd.Series(["b", "a", "b", "c"]).value_counts()
    with pytest.raises(ValueError, match=r"^discrete_laplace: values must not carry labels out"):
        discrete.discrete_laplace(counts, scale=1e-3)
    public = counts.reindex(["a", "b", "c"], fill_value=0).to_numpy()
    noisy = discrete.discrete_laplace(public, scale=1e-3)
    assert type(noisy) is np.ndarray
    assert noisy.tolist() == [1, 2, 1]


@pytest.mark.parametrize("scale", [0.3, 4.0])
def test_naive_sampler_is_laplace_to_the_eye(scale):
    noise = discrete.naive_sampler(200_000, scale=scale, rng=np.random.default_rng(2))
    assert stats.kstest(noise, stats.laplace(scale=scale).cdf).pvalue > 0.01
    assert stats.kstest(noise, stats.laplace(scale=scale * 1.05).cdf).pvalue < 1e-6


def test_naive_sampler_stays_on_its_grid():
    """exp(-|noise| / scale) is a multiple of 2**-52, up to the rounding of the logarithm."""
    noise = discrete.naive_sampler((50, 40), scale=1.0, rng=np.random.default_rng(2))
    assert noise.shape == (50, 40)
    for x in noise[0]:
        with mpmath.workdps(40):
            j = mpmath.exp(-abs(mpmath.mpf(x))) * 2**52
            assert abs(j - mpmath.nint(j)) < 0.4
    again = discrete.naive_sampler(scale=1.0, rng=2)
    assert type(again) is float
    assert again == noise[0, 0]
    u = np.random.default_rng(2).random() - 0.5
    assert again == pytest.approx(-math.copysign(1, u) * math.log(1 - 2 * abs(u)), rel=1e-14, abs=0)


def test_naive_sampler_can_be_infinite():
    rng = AllZero(np.random.PCG64())
    assert discrete.naive_sampler(scale=1.0, rng=rng) == -math.inf


def brute(y, f, scale, window=400):
    """Run the sampler on hundreds of grid points around the inverse, by 40 digits."""
    with mpmath.workdps(40):
        difference = mpmath.mpf(float(y)) - mpmath.mpf(float(f))
        centre = int(mpmath.nint(2**52 * mpmath.exp(-abs(difference) / mpmath.mpf(scale))))
    j = [k for k in range(centre - window, centre + window + 1) if 1 <= k <= 2**52]
    u = 0.5 - np.array(j) * 2.0**-53
    noise = scale * np.log(1 - 2 * u)  # of negative sign
    return bool((f + noise == y).any() or (f - noise == y).any())


@pytest.mark.parametrize("scale", [1e-3, 0.7, 1.0, 30.0])
@pytest.mark.parametrize("answer", [0.0, 0.1, -3.0, 1e4])
def test_attack_decides_as_brute_force_does(answer, scale):
    rng = np.random.default_rng(9)
    candidates = answer + scale * np.array([0.0, 0.1, 1.0, -2.5])
    outputs = candidates[0] + discrete.naive_sampler(40, scale=scale, rng=rng)
    outputs = np.concatenate([outputs, np.nextafter(outputs, np.inf), candidates])
    found = discrete.mironov_attack(outputs, candidates, scale=scale)
    assert found.shape == (84, 4)
    expected = [[brute(y, f, scale) for f in candidates] for y in outputs]
    np.testing.assert_array_equal(found, expected)


def test_attack_never_excludes_the_truth_and_mostly_the_rest():
    rng = np.random.default_rng(1)
    for scale in (0.5, 1.0, 10.0):
        outputs = 1 + discrete.naive_sampler((100, 100), scale=scale, rng=rng)
        possible = discrete.mironov_attack(outputs, [0, 1, 2], scale=scale)
        assert possible[..., 1].all()
        assert possible[..., 0].mean() < 0.25
        assert possible[..., 2].mean() < 0.5


def test_attack_learns_nothing_below_the_spacing_of_doubles():
    outputs = 2.0**60 + np.array([0, 256, -256.0])
    assert discrete.mironov_attack(outputs, [2.0**60, 2.0**60 + 256], scale=100.0).all()


def test_attack_refuses_what_is_out_of_reach():
    """The largest noise is 52 ln 2 scales."""
    limit = 52 * math.log(2)
    y = np.log(2.0**-52)
    np.testing.assert_array_equal(
        discrete.mironov_attack([y, -y, limit * 1.01, 1e300], 0.0, scale=1.0),
        [True, True, False, False],
    )
    assert not discrete.mironov_attack(1e308, -1e308, scale=1e-300)


def test_attack_shapes():
    outputs = 5 + discrete.naive_sampler((3, 4), scale=1.0, rng=np.random.default_rng(0))
    whole = discrete.mironov_attack(outputs, [4.0, 5.0], scale=1.0)
    assert whole.shape == (3, 4, 2)
    np.testing.assert_array_equal(discrete.mironov_attack(outputs, 5, scale=1.0), whole[..., 1])
    assert discrete.mironov_attack([], [1, 2], scale=1.0).shape == (0, 2)


def test_bad_arguments():
    rng = np.random.default_rng(0)
    with pytest.raises(TypeError, match=r"^pmf: k must hold integers, got float"):
        discrete.pmf(0.5, 1.0)
    with pytest.raises(ValueError, match=r"^pmf: scale must be at least 0, got -1"):
        discrete.pmf(0, -1)
    with pytest.raises(
        TypeError, match=r"^discrete_laplace: values must hold integers, got float64"
    ):
        discrete.discrete_laplace(1.0, scale=1.0)
    with pytest.raises(ValueError, match=r"^discrete_laplace: scale must not be negative, got -1"):
        discrete.discrete_laplace(1, scale=-1)
    with pytest.raises(
        ValueError, match=r"^error_probability: tolerance must be at least 0, got -"
    ):
        discrete.error_probability(-1, 1.0)
    with pytest.raises(ValueError, match=r"^error_probability: scale must be at least 0, got -1"):
        discrete.error_probability(1, -1.0)
    for delta in (0, 1.5):
        with pytest.raises(ValueError, match=r"^tolerance_for: delta must be in \(0, 1\], got"):
            discrete.tolerance_for(delta, 1.0)
    with pytest.raises(ValueError, match=r"^tolerance_for: scale must be finite, got inf"):
        discrete.tolerance_for(0.5, math.inf)
    with pytest.raises(ValueError, match=r"^tolerance_for: the result must be below 2\*\*53, got"):
        discrete.tolerance_for(0.5, 1e17)
    with pytest.raises(
        ValueError, match=r"^discrete_laplace: values must be in -2\*\*63\.\.2\*\*63 - 1$"
    ):
        discrete.discrete_laplace([2**63], scale=1)
    with pytest.raises(TypeError, match=r"^naive_sampler: rng must be None, an integer seed or"):
        discrete.naive_sampler(scale=1.0, rng=3.0)
    with pytest.raises(ValueError, match=r"^naive_sampler: scale must be positive"):
        discrete.naive_sampler(scale=-1.0, rng=rng)
    with pytest.raises(ValueError, match=r"^mironov_attack: outputs must be finite, got inf"):
        discrete.mironov_attack([math.inf], [0], scale=1)
    with pytest.raises(ValueError, match=r"^mironov_attack: candidates must have one axis"):
        discrete.mironov_attack([1.0], [[0.0]], scale=1)


@pytest.mark.parametrize("seed", range(3))
def test_tolerances_at_large_scales_are_the_least(seed):
    rng = np.random.default_rng(seed)
    p = np.append(10 ** rng.uniform(-300, 0, 4000), 2.526542394786398e-272)
    scale = np.append(10 ** rng.uniform(8, 12.9, 4000), 6871925649128.566)
    a = discrete.tolerance_for(p, scale)
    assert (discrete.error_probability(a, scale) <= p).all()
    assert ((a == 0) | (discrete.error_probability(np.maximum(a - 1, 0), scale) > p)).all()
    assert discrete.tolerance_for(p[-1], scale[-1]) == a[-1]
    with mpmath.workdps(60):  # the real number, from the series' sum
        for one, R, found in zip(p[:200], scale, a):
            q = mpmath.exp(-1 / mpmath.mpf(R))
            x = mpmath.mpf(R) * mpmath.log(2 / ((1 + q) * mpmath.mpf(one)))
            assert abs(found - (mpmath.ceil(x) - 1)) <= 1 + (x + R) * 2**-50


def test_tolerances_end_at_any_scale():
    assert discrete.tolerance_for(1, [0, 1e-300, 1e16, 1e300]).tolist() == [0, 0, 0, 0]
    almost = 1 - 2.0**-53  # Pr(|k| > a) is 1 - a / R or so, and rounded
    a = discrete.tolerance_for(almost, [1e10, 1e15, 1e20, 1e30])
    assert (discrete.error_probability(a, [1e10, 1e15, 1e20, 1e30]) <= almost).all()
    assert a[0] == 0
    assert a[2] == pytest.approx(1e20 * 2.0**-53, rel=0.6)
    for delta, scale in ((almost, 1e40), (0.5, 1e300), (5e-324, 1e308)):
        with pytest.raises(ValueError, match=r"tolerance_for: the result must be below 2\*\*53"):
            discrete.tolerance_for(delta, scale)


@pytest.mark.parametrize("size", [10**12, (10**6, 10**6), 2**70])
def test_too_much_naive_noise_is_refused_before_it_is_drawn(size):
    with pytest.raises(ValueError, match="naive_sampler: the size must be at most"):
        discrete.naive_sampler(size, scale=1.0)


@pytest.mark.parametrize("size", [2.0, "2", True, (2, 1.5)])
def test_the_size_of_naive_noise_is_made_of_integers(size):
    with pytest.raises(TypeError, match="naive_sampler: size must be an integer"):
        discrete.naive_sampler(size, scale=1.0)


def test_too_many_pairs_of_output_and_candidate_are_refused():
    with pytest.raises(ValueError, match="mironov_attack: outputs times candidates must be at"):
        discrete.mironov_attack(np.zeros(10**5), np.zeros(10**5), scale=1.0)


@pytest.mark.parametrize("zero", [-0.0, np.float64(-0.0), np.array(-0.0), [-0.0, -0.0]])
def test_a_negative_zero_is_no_noise_either(zero):
    # The integer 0 for certain: by definition, whatever the sign of the zero.
    for got, exact in (
        (discrete.pmf([0, 1], zero), [1, 0]),
        (discrete.error_probability([0, 1], zero), [0, 0]),
        (discrete.error_probability([zero, 1] if np.ndim(zero) == 0 else zero, 0.0), [0, 0]),
        (discrete.tolerance_for([0.5, 1e-9], zero), [0, 0]),
    ):
        assert np.asarray(got).tolist() == exact
        assert not np.signbit(got).any()


def test_a_negative_zero_adds_no_noise():
    assert discrete.discrete_laplace([3, -4], scale=-0.0).tolist() == [3, -4]
