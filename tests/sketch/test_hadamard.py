"""Tests of `privlib.sketch.hadamard`: the transform, and the scheme by enumeration."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import linalg, stats

from privlib.sketch import HadamardCountMeanSketch, Sketch
from privlib.sketch.hadamard import hadamard_matrix, walsh_hadamard
from privlib.sketch.hashing import ExplicitFamily

P = Fraction(3, 4)
EPSILON = math.log(3)  # keep with 3/4, c = 2
# (e^(epsilon/2) + 1) / (e^(epsilon/2) - 1) at epsilon = log 3, which is what the paper prints
PRINTED = (math.sqrt(3) + 1) / (math.sqrt(3) - 1)


def sylvester(m):
    """The paper's recursion, from (1)."""
    H = [[1]]
    while len(H) < m:
        H = [row + row for row in H] + [row + [-x for x in row] for row in H]
    return H


def law(table, d, k, m):
    H = sylvester(m)
    for j, column, sign in itertools.product(range(k), range(m), (-1, 1)):
        true = H[column][table[d][j]]
        yield (j, column, sign), Fraction(1, k * m) * (P if sign == true else 1 - P)


def printed_estimate(reports, table, item, k, m, c):
    """The paper's aggregation in the given arithmetic: cells, transform, mean of the entries."""
    H = sylvester(m)
    M = [[0] * m for _ in range(k)]
    for j, column, sign in reports:
        M[j][column] += k * c * sign
    entries = [sum(M[j][i] * H[table[item][j]][i] for i in range(m)) for j in range(k)]
    return Fraction(m, m - 1) * (sum(entries) / Fraction(k) - Fraction(len(reports), m))


def moments(table, users, item, k, m):
    """Exact mean and variance at c = 2; the estimate is affine in c, which gives any other."""
    mean = square = Fraction(0)
    for outcome in itertools.product(*(law(table, d, k, m) for d in users)):
        probability = math.prod(p for _, p in outcome)
        value = printed_estimate([z for z, _ in outcome], table, item, k, m, Fraction(2))
        mean += probability * value
        square += probability * value**2
    return mean, square - mean**2


def families(items, k, m):
    for values in itertools.product(range(m), repeat=k * len(items)):
        yield {d: values[i * k : (i + 1) * k] for i, d in enumerate(items)}


@pytest.mark.parametrize(
    ("k", "m", "users"),
    [
        (2, 2, "aab"),
        (1, 4, "ab"),
        (1, 2, "aabb"),
        pytest.param(2, 2, "abc", marks=pytest.mark.slow),
    ],
)
def test_moments_over_all_outputs_and_all_families(k, m, users):
    items = sorted(set(users))
    counts = {d: users.count(d) for d in items}
    n, F = len(users), Fraction(m, m - 1)
    means, squares, number = Fraction(0), Fraction(0), 0
    for table in families(items, k, m):
        family = ExplicitFamily(table, m)
        scheme = HadamardCountMeanSketch.with_family(EPSILON, family)
        mean, variance = moments(table, users, "a", k, m)
        got = scheme.moments(counts)
        assert got.mean[0] == pytest.approx(float(mean), rel=1e-12, abs=1e-12)
        assert got.variance[0] == pytest.approx(float(variance), rel=1e-12, abs=1e-12)
        means, squares, number = means + mean, squares + variance + mean**2, number + 1
    f = users.count("a")
    assert means / number == f
    total = squares / number - Fraction(f) ** 2
    assert scheme.variance(counts, "a") == pytest.approx(float(total), rel=1e-12)
    assert scheme.moments(counts, family="random").mean[0] == pytest.approx(f, rel=1e-12)
    others = sum(counts[d] ** 2 for d in items[1:])
    closed = F**2 * (4 * n - f) + Fraction(others, k * (m - 1))
    closed -= (n - f) * (Fraction(1, (m - 1) ** 2) + Fraction(1, k * (m - 1)))
    assert closed == total


@pytest.mark.parametrize("as_printed", [False, True])
def test_the_estimator_is_the_printed_one_on_every_set_of_reports(as_printed):
    k, m = 2, 4
    table = {"a": (0, 3), "b": (1, 3)}
    family = ExplicitFamily(table, m)
    scheme = HadamardCountMeanSketch.with_family(EPSILON, family)
    # The printed constant at epsilon is the right one at epsilon / 2.
    reader = HadamardCountMeanSketch.with_family(EPSILON / 2, family) if as_printed else scheme
    c = PRINTED if as_printed else 2
    every = [z for z, _ in law(table, "a", k, m)]
    for reports in itertools.combinations(every, 2):
        rows, columns, signs = zip(*reports)
        sketch = scheme.aggregate(scheme.pack(rows, signs, columns=columns))
        sketch = Sketch(reader, sketch.signed, sketch.counts)
        for d in "ab":
            expected = float(printed_estimate(reports, table, d, k, m, c))
            assert sketch.estimate(d)[0] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_every_report_is_private_and_the_bound_is_reached():
    table = {"a": (0, 0), "b": (1, 0)}
    ratios = [p / q for (_, p), (_, q) in zip(law(table, "a", 2, 4), law(table, "b", 2, 4))]
    assert max(ratios) == 3 == pytest.approx(math.exp(EPSILON))
    assert all(sum(p for _, p in law(table, d, 2, 4)) == 1 for d in "ab")


def test_reports_have_the_law_of_the_paper():
    k, m, n = 2, 4, 400_000
    table = {"a": (0, 3), "b": (1, 3)}
    scheme = HadamardCountMeanSketch.with_family(EPSILON, ExplicitFamily(table, m))
    assert (scheme.keep, scheme.flip, scheme.debias_factor) == pytest.approx((0.75, 0.25, 2.0))
    for d in "ab":
        rows, columns, signs = scheme.unpack(scheme.privatize([d] * n, np.random.default_rng(3)))
        seen = np.bincount((rows * m + columns) * 2 + (signs > 0), minlength=16)
        assert stats.chisquare(seen, [n * float(p) for _, p in law(table, d, k, m)]).pvalue > 1e-4


@pytest.mark.parametrize("way", ["simulate", "_by_cells"])
def test_simulation_has_the_law_of_the_reports_in_a_small_case(way):
    table = {"a": (0,), "b": (1,)}
    scheme = HadamardCountMeanSketch.with_family(EPSILON, ExplicitFamily(table, 2))
    exact = {}
    pairs = itertools.product(*(law(table, d, 1, 2) for d in "ab"))
    for ((_, l1, s1), p1), ((_, l2, s2), p2) in pairs:
        key = tuple(s1 * (l1 == i) + s2 * (l2 == i) for i in range(2))
        exact[key] = exact.get(key, 0) + p1 * p2
    rng = np.random.default_rng(0)
    seen = dict.fromkeys(exact, 0)
    for _ in range(4000):
        sketch = (
            scheme.simulate({"a": 1, "b": 1}, rng)
            if way == "simulate"
            else scheme._by_cells(["a", "b"], np.array([1, 1]), rng)
        )
        seen[tuple(sketch.signed[0].tolist())] += 1
    expected = [4000 * float(p) for p in exact.values()]
    assert stats.chisquare(list(seen.values()), expected).pvalue > 1e-4


def test_simulation_of_many_users_takes_the_cells():
    scheme = HadamardCountMeanSketch(1.0, hashes=4, width=8, seed=0)
    counts = {"a": 9 * 10**8, "b": 10**8}
    sketch = scheme.simulate(counts, np.random.default_rng(0))
    exact = scheme.moments(counts)
    assert sketch.n == 10**9
    assert (np.abs(sketch.estimate(["a", "b"]) - exact.mean) < 4 * exact.sd).all()


def test_example_4():
    table = {"male": (0, 0), "female": (1, 1)}
    scheme = HadamardCountMeanSketch.with_family(math.inf, ExplicitFamily(table, 2))
    sketch = scheme.aggregate(scheme.pack([0, 0, 1, 1], [1, 1, 1, 1], columns=[0, 1, 0, 0]))
    assert sketch.coordinates.tolist() == [[2, 2], [4, 0]]
    assert sketch.matrix.tolist() == [[4, 0], [4, 4]]
    assert sketch.estimate(["male", "female"]).tolist() == [4, 0]


def test_parameters_and_sizes():
    scheme = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=7)
    e, a = math.e, math.exp(0.5)
    assert scheme.debias_factor == pytest.approx((e + 1) / (e - 1), rel=1e-14)
    assert (scheme.report_bits, scheme.name, scheme.report_dtype.itemsize) == (18, "HCMS", 9)
    assert HadamardCountMeanSketch(1.0, hashes=1, width=2, seed=7).report_bits == 2
    assert scheme.fingerprint == 2162691135
    half = HadamardCountMeanSketch(0.5, hashes=1024, width=128, seed=7)
    assert half.debias_factor == pytest.approx((a + 1) / (a - 1), rel=1e-14)  # as printed for 1
    assert (scheme.signs, scheme.n_coordinates) == (1, 128)
    wide = HadamardCountMeanSketch(1.0, hashes=1, width=1 << 17, seed=0)
    columns = wide.privatize(range(100), np.random.default_rng(0))["column"]
    assert columns.max() >= 1 << 16


@pytest.mark.parametrize("width", [3, 6, 100])
def test_the_width_is_a_power_of_two(width):
    with pytest.raises(ValueError, match=f"width must be a power of two, got {width}"):
        HadamardCountMeanSketch(1.0, hashes=2, width=width, seed=0)


@pytest.mark.parametrize("m", [1, 2, 4, 8, 128])
def test_the_matrix_is_sylvesters(m):
    H = hadamard_matrix(m)
    assert H.dtype == np.int8
    assert H.tolist() == sylvester(m) == linalg.hadamard(m).tolist()
    large = H.astype(int)
    np.testing.assert_array_equal(large @ large.T, m * np.eye(m))


@pytest.mark.parametrize("m", [1, 2, 8, 64])
def test_the_transform_is_the_matrix(m):
    whole = np.random.default_rng(m).integers(-(2**40), 2**40, (3, m))
    before = whole.copy()
    got = walsh_hadamard(whole)
    assert got.dtype == np.int64
    np.testing.assert_array_equal(got, whole @ linalg.hadamard(m))
    np.testing.assert_array_equal(walsh_hadamard(got), m * whole)
    np.testing.assert_array_equal(whole, before)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [(lambda: hadamard_matrix(3), ValueError, "m must be a power of two, got 3"),
     (lambda: hadamard_matrix(0), ValueError, "m must be at least 1"),
     (lambda: hadamard_matrix(2.0), TypeError, "m must be an integer")],
)  # fmt: skip
def test_bad_arguments_of_the_transform(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("rows", "columns", "signs", "error", "words"),
    [([2], [0], [1], ValueError, "rows must be at most 1, got 2"),
     ([0], [4], [1], ValueError, "columns must be at most 3, got 4"),
     ([0], [0], [0], ValueError, "signs must be -1 or 1"),
     ([0, 1], [0, 1], [1], ValueError, "equally many, got 2, 1, 2"),
     ([0], ["a"], [1], TypeError, "columns must hold integers")],
)  # fmt: skip
def test_bad_contents(rows, columns, signs, error, words):
    with pytest.raises(error, match=words):
        HadamardCountMeanSketch(1.0, hashes=2, width=4, seed=0).pack(rows, signs, columns=columns)


def test_bad_reports():
    scheme = HadamardCountMeanSketch(1.0, hashes=3, width=4, seed=0)
    good = scheme.privatize(["a"] * 5, np.random.default_rng(0))
    for name, value, words in (
        ("row", 3, "row of report 2 must be in 0..2, got 3"),
        ("column", 4, "column of report 2 must be in 0..3, got 4"),
        ("sign", 0, "sign of report 2 must be -1 or 1, got 0"),
        ("sign", 2, "sign of report 2 must be -1 or 1, got 2"),
    ):
        bad = good.copy()
        bad[name][2] = value
        with pytest.raises(ValueError, match=words):
            scheme.aggregate(bad)
        with pytest.raises(ValueError, match=words):
            scheme.unpack(bad)
