"""Tests of `privlib.sketch.count_mean` and of what both schemes share, by enumeration."""

from __future__ import annotations

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy import stats

from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch
from privlib.sketch import scheme as shared
from privlib.sketch.data import shop_counts
from privlib.sketch.hashing import ExplicitFamily, TabulationFamily

P = Fraction(3, 4)  # keep with 3/4: epsilon = 2 log 3, c = 2
EPSILON = 2 * math.log(3)
BOTH = [CountMeanSketch, HadamardCountMeanSketch]


def moments_of(scheme, counts, item):
    """Exact mean and variance of one estimate, the family fixed."""
    i, every = list(counts).index(item), scheme.moments(counts)
    return shared.Moments(float(every.mean[i]), float(every.variance[i]))


def families(items, k, m):
    """All hash families."""
    for values in itertools.product(range(m), repeat=k * len(items)):
        yield {d: values[i * k : (i + 1) * k] for i, d in enumerate(items)}


def law(table, d, k, m):
    """All reports of a user with item d and their probabilities, as the paper states them."""
    for j, signs in itertools.product(range(k), itertools.product((-1, 1), repeat=m)):
        probability = Fraction(1, k)
        for position, sign in enumerate(signs):
            true = 1 if position == table[d][j] else -1
            probability *= P if sign == true else 1 - P
        yield (j, signs), probability


def printed_estimate(reports, table, item, k, m, c):
    """The paper's aggregation, line by line, in fractions."""
    M = [[Fraction(0)] * m for _ in range(k)]
    for j, signs in reports:
        for position, sign in enumerate(signs):
            M[j][position] += k * (Fraction(c) / 2 * sign + Fraction(1, 2))
    mean = sum(M[j][table[item][j]] for j in range(k)) / Fraction(k)
    return Fraction(m, m - 1) * (mean - Fraction(len(reports), m))


def moments(table, users, item, k, m, c):
    """Exact mean and variance over all outputs of all users."""
    mean = square = Fraction(0)
    for outcome in itertools.product(*(law(table, d, k, m) for d in users)):
        probability = math.prod(p for _, p in outcome)
        value = printed_estimate([z for z, _ in outcome], table, item, k, m, c)
        mean += probability * value
        square += probability * value**2
    return mean, square - mean**2


CASES = [(2, 2, "aab", 2), (1, 3, "ab", 2), (1, 2, "aabb", 2),
         pytest.param(2, 2, "abc", 2, marks=pytest.mark.slow)]  # fmt: skip


@pytest.mark.parametrize(("k", "m", "users", "c"), CASES)
def test_moments_over_all_outputs_and_all_families(k, m, users, c):
    items = sorted(set(users))
    counts = {d: users.count(d) for d in items}
    means, squares, number = Fraction(0), Fraction(0), 0
    for table in families(items, k, m):
        scheme = CountMeanSketch.with_family(EPSILON, ExplicitFamily(table, m))
        mean, variance = moments(table, users, "a", k, m, c)
        got = moments_of(scheme, counts, "a")
        assert got.mean == pytest.approx(float(mean), rel=1e-12, abs=1e-12)
        assert got.variance == pytest.approx(float(variance), rel=1e-12, abs=1e-12)
        means, squares, number = means + mean, squares + variance + mean**2, number + 1
    assert means / number == users.count("a")  # unbiased over a random family, exactly
    total = squares / number - (means / number) ** 2
    assert scheme.variance(counts, "a") == pytest.approx(float(total), rel=1e-12)
    a = 3
    n, f = len(users), users.count("a")
    others = sum(counts[d] ** 2 for d in items[1:])
    closed = Fraction(m, m - 1) ** 2 * n * Fraction(a, (a - 1) ** 2)
    closed += ((1 - Fraction(1, k)) * (n - f) + Fraction(1, k) * others) / (m - 1)
    assert closed == total


def test_the_estimator_is_the_printed_one_on_every_set_of_reports():
    k, m = 2, 3
    table = {"a": (0, 2), "b": (1, 2)}
    scheme = CountMeanSketch.with_family(EPSILON, ExplicitFamily(table, m))
    every = [z for z, _ in law(table, "a", k, m)]
    for reports in itertools.combinations(every, 2):
        packed = scheme.pack([j for j, _ in reports], [v for _, v in reports])
        sketch = scheme.aggregate(packed)
        for d in "ab":
            expected = printed_estimate(reports, table, d, k, m, 2)
            assert sketch.estimate(d)[0] == pytest.approx(float(expected), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("m", [2, 3])
def test_every_report_is_private_and_the_bound_is_reached(m):
    table = {"a": (0, 0), "b": (1, 0)}
    worst = max(p / q for (_, p), (_, q) in zip(law(table, "a", 2, m), law(table, "b", 2, m)))
    assert worst == 9 == pytest.approx(math.exp(EPSILON))
    assert all(sum(p for _, p in law(table, d, 2, m)) == 1 for d in "ab")


def test_reports_have_the_law_of_the_paper():
    k, m, n = 2, 3, 400_000
    table = {"a": (0, 2), "b": (1, 2)}
    scheme = CountMeanSketch.with_family(EPSILON, ExplicitFamily(table, m))
    assert (scheme.keep, scheme.flip, scheme.debias_factor) == pytest.approx((0.75, 0.25, 2.0))
    for d in "ab":
        rows, signs = scheme.unpack(scheme.privatize([d] * n, np.random.default_rng(3)))
        code = rows * 8 + (signs > 0) @ [4, 2, 1]
        expected = {j * 8 + sum(b << (2 - i) for i, b in enumerate(v == 1 for v in z)): float(p)
                    for (j, z), p in law(table, d, k, m)}  # fmt: skip
        seen = np.bincount(code, minlength=16)
        p = np.array([expected[i] for i in range(16)])
        assert stats.chisquare(seen, n * p).pvalue > 1e-4


def test_simulation_has_the_law_of_the_reports_in_a_small_case():
    table = {"a": (0,), "b": (1,)}
    scheme = CountMeanSketch.with_family(EPSILON, ExplicitFamily(table, 2))
    exact = {}
    for (z1, p1), (z2, p2) in itertools.product(law(table, "a", 1, 2), law(table, "b", 1, 2)):
        key = tuple(x + y for x, y in zip(z1[1], z2[1]))
        exact[key] = exact.get(key, 0) + p1 * p2
    rng = np.random.default_rng(0)
    seen = dict.fromkeys(exact, 0)
    for _ in range(4000):
        seen[tuple(scheme.simulate({"a": 1, "b": 1}, rng).signed[0].tolist())] += 1
    expected = [4000 * float(p) for p in exact.values()]
    assert stats.chisquare(list(seen.values()), expected).pvalue > 1e-4


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("way", ["reports", "simulate", "cells"])
def test_estimates_have_the_exact_moments(kind, way):
    counts = {d: f // 20 for d, f in shop_counts().items()}
    users = np.repeat(list(counts), list(counts.values()))
    scheme = kind(1.0, hashes=32, width=16, seed=4)
    if way == "cells" and kind is CountMeanSketch:
        counts = {d: f * 10**5 for d, f in counts.items()}  # the cost does not depend on n
    rng = np.random.default_rng(9)

    def run():
        if way == "reports":
            return scheme.aggregate(scheme.privatize(users, rng))
        if way == "cells" and kind is HadamardCountMeanSketch:
            return scheme._by_cells(list(counts), np.array([*counts.values()]), rng)
        return scheme.simulate(counts, rng)

    runs = 400
    z = np.array([run().estimate(list(counts)) for _ in range(runs)])
    exact = scheme.moments(counts)
    z = (z - exact.mean) / exact.sd
    # A mean that is wrong by 5 % of a standard deviation, a variance by 5 %: over 4 sd.
    assert np.abs(z.mean(axis=0)).max() * math.sqrt(runs) < 4
    assert abs(np.square(z).mean() - 1) < 0.045
    assert np.square(z).mean(axis=0).max() < 1.5


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOTH)
def test_families_at_random_have_the_exact_variance(kind):
    counts = {"a": 300, "b": 120, "c": 60, "d": 20}
    rng = np.random.default_rng(2)
    runs = 2500
    scheme = kind(3.0, hashes=3, width=8, seed=0)
    estimates = np.array(
        [kind(3.0, hashes=3, width=8, seed=s).simulate(counts, rng).estimate([*counts])
         for s in range(runs)]
    )  # fmt: skip
    z = (estimates - [*counts.values()]) / np.sqrt(scheme.variances(counts))
    assert np.abs(z.mean(axis=0)).max() * math.sqrt(runs) < 4
    assert abs(np.square(z).mean() - 1) < 0.045


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("users", [1, 3, 13])
def test_each_user_of_a_small_group_gets_noise(kind, users):
    # A lone report, or the last of an odd number, must be as noisy as all others.
    scheme = kind.with_family(2 * EPSILON, ExplicitFamily({"a": [0]}, 2))
    rng = np.random.default_rng(6)
    runs = 3000
    signs = np.array(
        [scheme.unpack(scheme.privatize(["a"] * users, rng))[-1].reshape(users, -1)[:, 0]
         for _ in range(runs)]
    )  # fmt: skip
    # At h(a) = 0 the true sign is +1: for CMS the mark, for HCMS H[l, 0] in either column.
    flipped = (signs < 0).mean(axis=0)
    assert np.abs(flipped - scheme.flip).max() < 4 * math.sqrt(scheme.flip / runs)


# --- the paper's examples ------------------------------------------------------------------


def test_examples_1_and_2():
    family = ExplicitFamily({"male": [0, 0], "female": [1, 1]}, 2)
    scheme = CountMeanSketch.with_family(math.inf, family)
    one = ExplicitFamily({"male": [0, 0, 1, 0]}, 2)
    honest = CountMeanSketch.with_family(math.inf, one)
    rows, signs = honest.unpack(honest.privatize(["male"] * 50, np.random.default_rng(0)))
    assert {tuple(v) for j, v in zip(rows, signs.tolist()) if j == 2} == {(-1, 1)}  # Example 1
    reports = scheme.pack([0, 1, 0, 1], [[1, -1], [1, -1], [-1, 1], [-1, 1]])
    sketch = scheme.aggregate(reports)
    added = [scheme.aggregate(reports[i : i + 1]).matrix.sum(axis=0).tolist() for i in range(4)]
    assert added == [[2, 0], [2, 0], [0, 2], [0, 2]]
    assert sketch.matrix.tolist() == sketch.coordinates.tolist() == [[2, 2], [2, 2]]
    assert sketch.estimate(["male", "female"]).tolist() == [0, 0]


# --- sketches ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", BOTH)
@settings(max_examples=25)
@given(data=st.data())
def test_order_and_division_change_nothing(kind, data):
    scheme = kind(1.0, hashes=5, width=8, seed=1)
    users = data.draw(st.lists(st.sampled_from("abc"), max_size=60))
    reports = scheme.privatize(users, np.random.default_rng(0))
    whole = scheme.aggregate(reports)
    shuffled = reports[data.draw(st.permutations(range(len(users))))]
    pieces = np.array_split(shuffled, data.draw(st.integers(1, 7)))
    assert scheme.aggregate(shuffled) == whole
    assert scheme.aggregate(iter(pieces)) == whole
    assert sum(map(scheme.aggregate, pieces)) == whole
    assert scheme.aggregate(np.concatenate(pieces)) == whole
    assert whole.n == len(users)


@pytest.mark.parametrize("kind", BOTH)
def test_large_arrays_are_worked_on_in_chunks(kind, monkeypatch):
    scheme = kind(1.0, hashes=5, width=16, seed=1)
    reports = scheme.privatize(np.arange(1000) % 7, np.random.default_rng(0))
    whole = scheme.aggregate(reports)
    monkeypatch.setattr(shared, "CHUNK", 64)
    assert scheme.aggregate(reports) == whole
    bad = reports.copy()
    bad["scheme"][333] += 1
    with pytest.raises(ValueError, match="scheme of report 333 must be"):
        scheme.aggregate(bad)
    with pytest.raises(ValueError, match="scheme of report 1333 must be"):
        scheme.aggregate([reports, bad])


@pytest.mark.parametrize("kind", BOTH)
def test_estimates_of_many_items_and_in_any_order(kind, monkeypatch):
    scheme = kind(2.0, hashes=6, width=8, seed=1)
    sketch = scheme.simulate({"a": 40, "b": 5}, np.random.default_rng(0))
    both = sketch.estimate(["a", "b", "a"])
    assert both[0] == both[2] == sketch.estimate("a")[0]
    assert sketch.estimate([]).shape == (0,)
    monkeypatch.setattr(shared, "LOOKUP_CELLS", 6)  # one item at a time
    np.testing.assert_array_equal(sketch.estimate(["a", "b", "a"]), both)
    exact = scheme.moments({"a": 40, "b": 5})
    assert moments_of(scheme, {"a": 40, "b": 5}, "b").mean == exact.mean[1]
    assert moments_of(scheme, {"a": 40, "b": 5}, "b").sd == exact.sd[1]
    assert scheme.aggregate([]).estimate("a").tolist() == [0.0]


def test_sketches_compare_and_add():
    scheme = CountMeanSketch(1.0, hashes=2, width=4, seed=0)
    other = CountMeanSketch(1.0, hashes=2, width=4, seed=1)
    sketch = scheme.simulate({"a": 9}, np.random.default_rng(0))
    assert sketch == scheme.simulate({"a": 9}, np.random.default_rng(0))
    assert sketch != Sketch(scheme, -sketch.signed, sketch.counts)
    assert sketch != Sketch(scheme, sketch.signed, sketch.counts + 2)
    assert sketch != Sketch(other, sketch.signed, sketch.counts)
    assert sketch != 0
    assert sum([sketch]) is sketch
    again = scheme.simulate({"a": 9}, np.random.default_rng(0))
    assert (sketch + again).n == 18
    with pytest.raises(ValueError, match="cannot add"):
        sketch + other.simulate({"a": 9}, np.random.default_rng(0))
    for wrong in (1, 0.0):
        with pytest.raises(TypeError):
            wrong + sketch
        with pytest.raises(TypeError):
            sketch + wrong
    with pytest.raises(TypeError, match="unhashable"):
        hash(sketch)
    with pytest.raises(ValueError, match="read-only"):
        sketch.signed[0, 0] = 1


@pytest.mark.parametrize(
    ("signed", "counts", "words"),
    [(np.zeros((2, 4)), np.zeros(2, int), "signed must be int64"),
     (np.zeros((4, 2), int), np.zeros(2, int), "signed must be int64 of shape"),
     (np.zeros((2, 4), int), np.zeros(3, int), "counts must be int64 of shape"),
     (np.zeros((2, 4), int), np.array([1, -1]), "counts must not be negative")],
)  # fmt: skip
def test_bad_sketches(signed, counts, words):
    with pytest.raises(ValueError, match=words):
        Sketch(CountMeanSketch(1.0, hashes=2, width=4, seed=0), signed, counts)


# --- parameters ----------------------------------------------------------------------------


def test_parameters_and_sizes():
    scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=7)
    a = math.exp(0.5)
    assert scheme.debias_factor == pytest.approx((a + 1) / (a - 1), rel=1e-14)
    assert scheme.keep / scheme.flip == pytest.approx(a, rel=1e-14)
    assert (scheme.report_bits, scheme.factor, scheme.name) == (138, 128 / 127, "CMS")
    assert (scheme.epsilon, scheme.hashes, scheme.width, scheme.seed) == (1.0, 1024, 128, 7)
    assert CountMeanSketch(1.0, hashes=1, width=5, seed=7).report_bits == 5
    assert scheme.fingerprint == 3929145674
    assert (scheme.signs, scheme.n_coordinates) == (128, 1)
    infinite = CountMeanSketch(math.inf, hashes=2, width=2, seed=0)
    assert (infinite.flip, infinite.keep, infinite.debias_factor) == (0, 1, 1)
    given_family = CountMeanSketch.with_family(1.0, ExplicitFamily({"a": [0]}, 2))
    assert given_family.seed is None


@pytest.mark.parametrize("kind", BOTH)
def test_schemes_are_values(kind):
    scheme = kind(1.0, hashes=4, width=8, seed=0)
    same = kind.with_family(1, TabulationFamily(4, 8, seed=0))
    assert scheme == same == pickle.loads(pickle.dumps(scheme))
    assert hash(scheme) == hash(same)
    others = [
        kind(1.5, hashes=4, width=8, seed=0), kind(1.0, hashes=5, width=8, seed=0),
        kind(1.0, hashes=4, width=16, seed=0), kind(1.0, hashes=4, width=8, seed=1),
        kind.with_family(1.0, ExplicitFamily({"a": [0] * 4}, 8)),
        next(k for k in BOTH if k is not kind)(1.0, hashes=4, width=8, seed=0),
    ]  # fmt: skip
    assert all(scheme != other for other in others)
    assert len({scheme.fingerprint, *(other.fingerprint for other in others)}) == 7
    assert eval(repr(scheme)) == scheme
    assert "ExplicitFamily(<1 items>" in repr(others[4])
    with pytest.raises(AttributeError):
        scheme.epsilon = 2.0


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("epsilon", "error", "words"),
    [(0, ValueError, "epsilon must be positive"), (-math.inf, ValueError, "epsilon must be fin"),
     (math.nan, ValueError, "epsilon"), ("1", TypeError, "epsilon"), (True, TypeError, "epsilon"),
     (1e-17, ValueError, "epsilon must be inf or a level that flips in doubles keep")],
)  # fmt: skip
def test_bad_epsilon(kind, epsilon, error, words):
    with pytest.raises(error, match=f"{kind.__name__}: {words}"):
        kind(epsilon, hashes=2, width=2, seed=0)


@pytest.mark.parametrize("kind", BOTH)
def test_other_bad_parameters(kind):
    with pytest.raises(TypeError, match="family must be a family"):
        kind.with_family(1.0, {"a": [0]})


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(
    ("counts", "error", "words"),
    [({}, ValueError, "at least one item"), ([3], TypeError, "must map items"),
     ({"a": -1}, ValueError, r"counts\['a'\] must be at least 0"),
     ({"a": 1.0}, TypeError, "must be an integer"), ({1.5: 1}, TypeError, "counts must hold"),
     ({"a": 2**53}, ValueError, r"less than 2\^53")],
)  # fmt: skip
def test_bad_counts(kind, counts, error, words):
    scheme = kind(1.0, hashes=2, width=2, seed=0)
    with pytest.raises(error, match=words):
        scheme.simulate(counts, np.random.default_rng(0))
    with pytest.raises(error, match=words):
        scheme.moments(counts)
    with pytest.raises(error, match=words):
        scheme.variance(counts, "a")


@pytest.mark.parametrize("kind", BOTH)
def test_bad_requests(kind):
    scheme = kind(1.0, hashes=2, width=2, seed=0)
    with pytest.raises(ValueError, match="item must be one of counts, got 'b'"):
        scheme.variance({"a": 1}, "b")
    with pytest.raises(ValueError, match="family must be one of fixed, random"):
        scheme.moments({"a": 1}, family="any")
    with pytest.raises(TypeError, match="rng must be"):
        scheme.privatize(["a"], "0")
    with pytest.raises(TypeError, match="rng must be"):
        scheme.simulate({"a": 1}, 1.5)
    explicit = kind.with_family(1.0, ExplicitFamily({"a": [0]}, 2))
    with pytest.raises(ValueError, match="which item number 0 is not"):
        explicit.privatize(["b"], np.random.default_rng(0))


@pytest.mark.parametrize("kind", BOTH)
def test_results_are_arrays_in_the_order_given_and_seeds_are_enough(kind):
    scheme = kind(4.0, hashes=16, width=8, seed=1)
    users = pd.Series(["x", "y", "x", "x"] * 50, index=range(200, 400))
    reports = scheme.privatize(users, rng=3)
    np.testing.assert_array_equal(
        reports, scheme.privatize(users.tolist(), np.random.default_rng(3))
    )
    assert (scheme.privatize(users) != scheme.privatize(users)).any()  # fresh entropy
    sketch, counts = scheme.aggregate(reports), users.value_counts()
    plain = sketch.estimate(["x", "y"])
    np.testing.assert_array_equal(sketch.estimate(np.array(["x", "y"], dtype=object)), plain)
    by_index = sketch.estimate(counts.index)
    assert type(by_index) is np.ndarray
    assert by_index.tolist() == plain.tolist()
    by_series = sketch.estimate(pd.Series(["y", "x"], index=["second", "first"]))
    assert type(by_series) is np.ndarray
    assert by_series.tolist() == [plain[1], plain[0]]
    for family in ("fixed", "random"):
        exact = scheme.moments({"x": 150, "y": 50}, family=family)
        of_series = scheme.moments(counts, family=family)
        for got, expected in ((of_series.mean, exact.mean), (of_series.sd, exact.sd)):
            assert type(got) is np.ndarray
            assert got.tolist() == expected.tolist()
    assert scheme.variance(counts, "y") == scheme.variances(counts)[1]
    assert scheme.simulate(counts, 7) == scheme.simulate({"x": 150, "y": 50}, 7)
    numbered = kind(4.0, hashes=16, width=8, seed=1).simulate({np.int64(5): np.uint8(9)}, 1)
    assert numbered.estimate(5).tolist() == numbered.estimate(np.array([5], "u2")).tolist()


# --- reports -------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [2, 8, 11, 128])
def test_packing_is_undone(width):
    scheme = CountMeanSketch(1.0, hashes=300, width=width, seed=0)
    rng = np.random.default_rng(0)
    rows, signs = rng.integers(300, size=40), 2 * rng.integers(2, size=(40, width)) - 1
    reports = scheme.pack(rows, signs)
    assert reports.dtype == scheme.report_dtype
    back = scheme.unpack(reports)
    np.testing.assert_array_equal(back[0], rows)
    np.testing.assert_array_equal(back[1], signs)
    expected = np.zeros((300, width), dtype=int)
    np.add.at(expected, rows, signs)
    np.testing.assert_array_equal(scheme.aggregate(reports).signed, expected)


@pytest.mark.parametrize(
    ("rows", "signs", "error", "words"),
    [([2], [[1, 1]], ValueError, "rows must be at most 1, got 2"),
     ([0, -1], [[1, 1]] * 2, ValueError, "rows must be at least 0, got -1"),
     ([0.0], [[1, 1]], TypeError, "rows must hold integers"),
     ([[0]], [[1, 1]], ValueError, r"rows must have 1 dimension"),
     ([0], [[1, 0]], ValueError, "signs must be -1 or 1"),
     ([0], [[1.0, 1.0]], TypeError, "signs must hold integers"),
     ([0], [1, 1], ValueError, "signs must have 2 dimension"),
     ([0], [[1, 1, 1]], ValueError, r"signs must have shape \(1, 2\), got \(1, 3\)")],
)  # fmt: skip
def test_bad_contents(rows, signs, error, words):
    scheme = CountMeanSketch(1.0, hashes=2, width=2, seed=0)
    with pytest.raises(error, match=words):
        scheme.pack(rows, signs)


def test_bad_reports():
    scheme = CountMeanSketch(1.0, hashes=3, width=4, seed=0)
    good = scheme.privatize(["a"] * 5, np.random.default_rng(0))
    row, spare = good.copy(), good.copy()
    row["row"][4] = 3
    spare["bits"][2] = 1 << 4
    for wrong, words in (
        (row, "row of report 4 must be in 0..2, got 3"),
        (spare, "bits of report 2 must be 0 beyond the width 4"),
        (good["row"], "reports must be an array of"),
        (good[:, None], "one dimension"),
        ([[1, 2]], "reports must be an array of .* got list"),
        (5, "reports must be an array or arrays, got int"),
        (HadamardCountMeanSketch(1.0, hashes=3, width=4, seed=0).privatize(
            ["a"], np.random.default_rng(0)), "reports must be an array of"),
        (CountMeanSketch(1.1, hashes=3, width=4, seed=0).privatize(
            ["a"], np.random.default_rng(0)), "scheme of report 0 must be .* epsilon and family"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            scheme.aggregate(wrong)


def test_moments_unpack_into_mean_and_variance():
    scheme = CountMeanSketch(1.0, hashes=8, width=4, seed=0)
    moments = moments_of(scheme, {"a": 5, "b": 2}, "a")
    mean, variance = moments
    assert (mean, variance) == (moments.mean, moments.variance)
    assert variance > 0


@pytest.mark.parametrize("kind", BOTH)
def test_flips_give_the_level_that_was_asked_or_it_is_refused(kind):
    for epsilon in [10.0**e for e in range(-6, 3)] + [3e-6, 0.3, 700.0]:
        q = Fraction(kind(epsilon, hashes=2, width=2, seed=0).flip)  # as it is drawn
        with mp.workdps(400):
            odds = mp.mpf(q.denominator - q.numerator) / q.numerator
            level = kind.sensitivity * mp.log(odds)
            assert abs(level - mp.mpf(epsilon)) <= 1.001e-9 * epsilon
    for epsilon in (1e-20, 1.2e-16, 3e-16, 1e-15, 1e-12, 1500.0, 5000, 1e9):
        with pytest.raises(ValueError, match="epsilon must be inf or a level that flips in"):
            kind(epsilon, hashes=2, width=2, seed=0)
    assert kind(math.inf, hashes=2, width=2, seed=0).flip == 0


def test_the_variance_is_that_of_an_item():
    scheme = CountMeanSketch(1.0, hashes=4, width=8, seed=0)
    own = scheme.variance({1: 3, 2: 4}, 1)
    assert scheme.variance({1: 3, 2: 4}, np.int64(1)) == own != scheme.variance({1: 3, 2: 4}, 2)
    for wrong in (True, 1.0, np.float64(1), None, [1]):
        with pytest.raises(TypeError, match=r"variance: item must hold str or int, got"):
            scheme.variance({1: 3, 2: 4}, wrong)


@pytest.mark.parametrize("kind", BOTH)
def test_small_levels_are_kept_from_one_in_a_million_on(kind):
    """Below it the flips, doubles near 1/2, may miss the level by more than its ninth digit."""
    family = ExplicitFamily({"a": (0,), "b": (1,)}, 4)
    for epsilon in np.random.default_rng(3).uniform(1e-6, 1e-5, 4000).tolist():
        flip = kind.with_family(epsilon, family).flip
        with mp.workdps(40):
            level = kind.sensitivity * mp.log((1 - mp.mpf(flip)) / flip)
            assert abs(level / epsilon - 1) < 1.1e-9
    refused = 0
    for epsilon in np.geomspace(1e-7, 1e-6, 500).tolist():
        try:
            kind.with_family(epsilon, family)
        except ValueError:
            refused += 1
    assert 0 < refused < 500


def test_signs_of_a_report_are_a_sequence_without_a_mask():
    scheme = CountMeanSketch(1.0, hashes=2, width=2, seed=0)
    hidden = np.ma.masked_array([1, -1], mask=[False, True])
    for signs, rule in ((5, "be a sequence of -1 and 1, got int"), (hidden, "be without a mask")):
        with pytest.raises(TypeError, match=rf"CountMeanSketch\.report_of: signs must {rule}"):
            scheme.report_of(signs, 0, column=0)
