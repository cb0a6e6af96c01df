"""Tests of `privlib.sketch.poisoning` against enumeration, the printed tables and simulation."""

from __future__ import annotations

import itertools
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
from privlib.sketch.hashing import ExplicitFamily
from privlib.sketch.poisoning import (
    ATTACKS,
    best_pairs,
    column_scores,
    equal_sign_pairs,
    fake_reports,
    frequency_gain,
    gain_variance,
    n_fake_users,
    norm_sub,
    power,
    total_moments,
    total_score,
    weight_scores,
)

SCHEMES = [CountMeanSketch, HadamardCountMeanSketch]
INPUTS = ["ria", "all_ones"]  # the attacks whose noise is honest


def small(kind, epsilon=1.0, *, width=4, rows=((0, 1, 1), (2, 2, 3))):
    """Three items a, b, c on two rows; a and b meet on the second, b and c on the first."""
    table = {item: [row[i] for row in rows] for i, item in enumerate("abc")}
    return kind.with_family(epsilon, ExplicitFamily(table, width))


def default(kind, epsilon=1.0):
    return kind(epsilon, hashes=1024, width=128, seed=1)


def sylvester(column, position):
    return -1 if (int(column) & int(position)).bit_count() % 2 else 1


def outputs(scheme):
    """Every possible report, as what goes into pack."""
    if scheme.name == "CMS":
        for row in range(scheme.hashes):
            for v in itertools.product((-1, 1), repeat=scheme.width):
                yield row, v
    else:
        yield from itertools.product(range(scheme.hashes), range(scheme.width), (-1, 1))


def one_gain(scheme, report, targets):
    """What one report adds to the targets, by the definition of the estimator, in plain Python."""
    k, m, c = scheme.hashes, scheme.width, scheme.debias_factor
    total = 0.0
    for t in targets:
        h = [int(x) for x in scheme.family.positions([t])[0]]
        matrix_mean = 0.0
        for row in range(k):
            if row == report[0]:
                if scheme.name == "CMS":
                    entry = k * (c / 2 * report[1][h[row]] + 1 / 2)
                else:
                    entry = k * c * report[2] * sylvester(report[1], h[row])
                matrix_mean += entry / k
        total += m / (m - 1) * (matrix_mean - 1 / m)
    return total


def law(scheme, attack, targets):
    """Probability of every output under an attack, by its description."""
    k, m, q = scheme.hashes, scheme.width, scheme.flip
    p = 1 - q
    at = {t: [int(x) for x in scheme.family.positions([t])[0]] for t in targets}
    for report in outputs(scheme):
        row = report[0]
        if attack == "rpa":
            weight = 1 / k / (2**m if scheme.name == "CMS" else 2 * m)
        elif scheme.name == "CMS":
            ones = [{at[t][row]} for t in targets] if attack == "ria" else [set(range(m))]
            weight = sum(
                math.prod(p if (x == 1) == (i in one) else q for i, x in enumerate(report[1]))
                for one in ones
            ) / (len(ones) * k)
        elif attack == "ria":
            weight = sum(
                p if report[2] == sylvester(report[1], at[t][row]) else q for t in targets
            ) / (len(targets) * k * m)
        else:
            weight = (report[1] == 0) * (p if report[2] == 1 else q) / k
        yield report, weight


@pytest.mark.parametrize("kind", SCHEMES)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0, math.inf])
@pytest.mark.parametrize("targets", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_mga_and_demotion_are_the_best_and_worst_of_all_outputs(kind, epsilon, targets):
    scheme = small(kind, epsilon)
    gains = [one_gain(scheme, report, targets) for report in outputs(scheme)]
    for attack, extreme in (("mga", max(gains)), ("demotion", min(gains))):
        assert frequency_gain(scheme, attack, n_fake=1, targets=targets) == pytest.approx(
            extreme, rel=1e-12
        )
        assert frequency_gain(scheme, attack, n_fake=1, targets=len(targets)) == pytest.approx(
            extreme, rel=1e-12
        )
        assert gain_variance(scheme, attack, n_fake=9, targets=targets) == 0


@pytest.mark.parametrize("kind", SCHEMES)
@pytest.mark.parametrize("attack", ["rpa", *INPUTS])
@pytest.mark.parametrize("targets", [["a"], ["a", "b"], ["c", "b", "a"]])
def test_mean_and_variance_for_one_family_by_enumeration_of_all_outputs(kind, attack, targets):
    scheme = small(kind, 0.8)
    table = list(law(scheme, attack, targets))
    gains = np.array([one_gain(scheme, report, targets) for report, _ in table])
    weights = np.array([weight for _, weight in table])
    assert weights.sum() == pytest.approx(1, rel=1e-12)
    mean = gains @ weights
    variance = (gains - mean) ** 2 @ weights
    assert frequency_gain(scheme, attack, n_fake=7, targets=targets) == pytest.approx(
        7 * mean, rel=1e-11
    )
    assert gain_variance(scheme, attack, n_fake=7, targets=targets) == pytest.approx(
        7 * variance, rel=1e-11
    )


@pytest.mark.parametrize("kind", SCHEMES)
@pytest.mark.parametrize("attack", ["rpa", *INPUTS])
@pytest.mark.parametrize("r", [1, 2, 3])
def test_mean_and_variance_over_all_hash_families_by_enumeration(kind, attack, r):
    """Both rows, all functions; the law of total variance with n' = 5 fakes that share one."""
    n_fake, width, targets = 5, 2, list("abc"[:r])
    means, variances = [], []
    for flat in itertools.product(range(width), repeat=2 * r):
        table = {t: flat[2 * i : 2 * i + 2] for i, t in enumerate(targets)}
        scheme = kind.with_family(0.8, ExplicitFamily(table, width))
        pairs = [(one_gain(scheme, out, targets), w) for out, w in law(scheme, attack, targets)]
        mean = sum(g * w for g, w in pairs)
        means.append(n_fake * mean)
        variances.append(n_fake * sum((g - mean) ** 2 * w for g, w in pairs))
    total = np.mean(variances) + np.var(means)
    assert frequency_gain(scheme, attack, n_fake=n_fake, targets=r) == pytest.approx(
        np.mean(means), rel=1e-11
    )
    assert gain_variance(scheme, attack, n_fake=n_fake, targets=r) == pytest.approx(
        total, rel=1e-11
    )


def test_ria_gains_one_per_fake_for_every_number_of_targets_exactly():
    """In fractions, over all families of one row: no float in sight."""
    for m, r in ((2, 3), (3, 2), (4, 3)):
        share = Fraction(0)
        for row in itertools.product(range(m), repeat=r):
            share += Fraction(sum(x == y for x in row for y in row), r * m**r)
        gain = Fraction(m, m - 1) * (share - Fraction(r, m))
        assert gain == 1
        for kind in SCHEMES[: 1 if m == 3 else 2]:
            scheme = kind(1.0, hashes=3, width=m, seed=0)
            assert frequency_gain(scheme, "ria", n_fake=1, targets=r) == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize("kind", SCHEMES)
def test_enforced_noise_with_free_input_gains_r_per_fake(kind):
    scheme = default(kind, 0.7)
    for r in (1, 8, 16):
        assert frequency_gain(scheme, "all_ones", n_fake=502, targets=r) == pytest.approx(
            502 * r, rel=1e-12
        )


# Printed values of Tables 4 to 6 (users / 100) and 7 (users), maximal gain only.
MGA = [
    ("epsilon", (0.1, 0.4, 0.8, 1.0, 2.0), [(103.70, 101.24), (27.87, 25.58), (15.31, 13.28),
                                            (12.82, 10.91), (7.96, 6.60)]),
    ("beta", (0.01, 0.02, 0.04, 0.08, 0.1), [(12.82, 10.91), (25.92, 22.06), (52.91, 45.03),
                                             (110.44, 93.99), (141.11, 120.09)]),
    ("r", (1, 2, 4, 8, 16), [(12.82, 10.91), (25.64, 21.82), (51.28, 43.64),
                             (102.55, 87.27), (205.11, 174.54)]),
    ("table 7", (0.01, 0.02, 0.04, 0.08, 0.1), [(38.30, 32.6), (76.61, 65.19), (158.33, 134.73),
                                                (331.97, 282.51), (423.90, 360.74)]),
]  # fmt: skip


@pytest.mark.parametrize(("axis", "values", "printed"), MGA, ids=[row[0] for row in MGA])
def test_printed_maximal_gains_to_the_last_digit(axis, values, printed):
    n = 1496 if axis == "table 7" else 49742
    for value, row in zip(values, printed):
        epsilon = value if axis == "epsilon" else 1.0
        beta = value if axis in ("beta", "table 7") else 0.01
        for kind, cell in zip(SCHEMES, row):
            scheme = default(kind, epsilon)
            gain = frequency_gain(
                scheme, "mga", n_fake=n_fake_users(n, beta), targets=value if axis == "r" else 1
            )
            gain /= 1 if axis == "table 7" else 100
            slack = 0.01 if (kind.__name__[0], value) == ("H", 0.4) else 0
            # The one cell beyond rounding: 25.58 is printed where the form gives 25.59.
            assert abs(gain - cell) <= 0.00501 + slack
            assert (abs(gain - cell) > 0.00501) == (slack > 0)


VARIANTS = [(attack, False) for attack in ATTACKS] + [(attack, True) for attack in ATTACKS[2:]]


@pytest.mark.parametrize("kind", SCHEMES)
@pytest.mark.parametrize(("attack", "hidden"), VARIANTS)
def test_reports_gain_what_the_closed_form_says(kind, attack, hidden):
    """Through pack, aggregate and estimate; the spread of 400 runs against the closed form."""
    scheme = kind(1.0, hashes=8, width=8, seed=2)
    targets, rng, runs, n_fake = ["x", "y", 3], np.random.default_rng(7), 400, 40
    gains = np.array([
        scheme.aggregate(forged(scheme, attack, targets, n_fake, rng, hidden=hidden))
        .estimate(targets).sum()
        for _ in range(runs)
    ])  # fmt: skip
    mean = frequency_gain(scheme, attack, n_fake=n_fake, targets=targets)
    if attack in ("mga", "demotion"):
        np.testing.assert_allclose(gains, mean, rtol=1e-12)
    else:
        variance = gain_variance(scheme, attack, n_fake=n_fake, targets=targets)
        assert abs(gains.mean() - mean) < 3.5 * math.sqrt(variance / runs)
        low, high = stats.chi2.ppf([0.001, 0.999], runs - 1) / (runs - 1)
        assert low < gains.var(ddof=1) / variance < high


@pytest.mark.parametrize("kind", SCHEMES)
def test_gains_come_on_top_of_honest_reports(kind):
    """Before and after with the same honest users: the difference is the gain, -n'/m and all."""
    scheme, rng = default(kind), np.random.default_rng(3)
    honest = scheme.simulate(shop_counts(), rng)
    fake = scheme.aggregate(fake_reports(scheme, "mga", targets=["A2", "A43"], n_fake=502, rng=rng))
    gain = ((honest + fake).estimate(["A2", "A43"]) - honest.estimate(["A2", "A43"])).sum()
    assert gain == pytest.approx(frequency_gain(scheme, "mga", n_fake=502, targets=2), rel=1e-9)


def test_shapes_of_the_cms_fakes():
    scheme, rng = CountMeanSketch(1.0, hashes=16, width=64, seed=4), np.random.default_rng(1)
    targets, n = ["x", "y"], 5000
    positions = scheme.family.positions(targets)

    def cells(attack, **how):
        rows, signs = scheme.unpack(
            fake_reports(scheme, attack, targets=targets, n_fake=n, rng=rng, **how)
        )
        assert stats.chisquare(np.bincount(rows, minlength=16)).pvalue > 1e-3
        aim = np.zeros((n, 64), dtype=bool)
        np.put_along_axis(aim, positions[:, rows].T, True, axis=1)
        return signs[aim], signs[~aim]

    for attack, sign in (("mga", 1), ("demotion", -1)):
        on, off = cells(attack)
        assert (on == sign).all()
        assert (off == -sign).all()
        on, off = cells(attack, hidden=True)
        assert (on == sign).all()
        assert abs((off > 0).mean() - scheme.flip) < 4 * math.sqrt(0.25 / off.size)
    on, off = cells("all_ones")
    for part in (on, off):
        assert abs((part > 0).mean() - scheme.keep) < 4 * math.sqrt(0.25 / part.size)
    on, off = cells("all_ones", hidden=True)
    assert abs((on > 0).mean() - scheme.keep) < 4 * math.sqrt(0.25 / on.size)
    assert abs((off > 0).mean() - scheme.flip) < 4 * math.sqrt(0.25 / off.size)
    on, off = cells("rpa")
    assert abs(np.concatenate([on, off]).mean()) < 4 / math.sqrt(n * 64)


def test_shapes_of_the_hcms_fakes():
    scheme = HadamardCountMeanSketch(1.0, hashes=16, width=64, seed=4)
    rng, targets, n = np.random.default_rng(1), ["x", "y", "z"], 6000
    for attack, sign in (("mga", 1), ("demotion", -1)):
        rows, columns, signs = scheme.unpack(
            fake_reports(scheme, attack, targets=targets, n_fake=n, rng=rng)
        )
        assert not columns.any()
        assert (signs == sign).all()
        assert stats.chisquare(np.bincount(rows, minlength=16)).pvalue > 1e-3
    rows, columns, signs = scheme.unpack(
        fake_reports(scheme, "all_ones", targets=targets, n_fake=n, rng=rng)
    )
    assert not columns.any()
    assert abs((signs > 0).mean() - scheme.keep) < 4 * math.sqrt(0.25 / n)
    rows, columns, signs = scheme.unpack(
        fake_reports(scheme, "rpa", targets=targets, n_fake=n, rng=rng)
    )
    table = np.bincount(columns * 2 + (signs > 0), minlength=128)
    assert stats.chisquare(table).pvalue > 1e-3
    # Hidden: every pair with equal signs, none else, each as often.
    at = scheme.family.positions(targets)
    pairs = {
        (row, column): sylvester(column, at[0, row])
        for row in range(16) for column in range(1, 64)
        if len({sylvester(column, at[t, row]) for t in range(3)}) == 1
    }  # fmt: skip
    assert len(pairs) == equal_sign_pairs(scheme, targets).sum()
    rows, columns, signs = scheme.unpack(
        fake_reports(scheme, "mga", targets=targets, n_fake=20 * len(pairs), rng=rng, hidden=True)
    )
    seen = dict.fromkeys(pairs, 0)
    for row, column, sign in zip(rows.tolist(), columns.tolist(), signs.tolist()):
        assert sign == pairs[row, column]
        seen[row, column] += 1
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3


def test_a_hidden_fake_of_one_target_is_an_honest_report_without_its_noise():
    scheme = HadamardCountMeanSketch(1.0, hashes=16, width=8, seed=4)
    rows, columns, signs = scheme.unpack(
        fake_reports(scheme, "mga", targets=["x"], n_fake=9000, rng=1, hidden=True)
    )
    at = scheme.family.positions(["x"])[0]
    assert signs.tolist() == [sylvester(i, at[j]) for j, i in zip(rows.tolist(), columns.tolist())]
    assert stats.chisquare(np.bincount(rows * 8 + columns, minlength=128)).pvalue > 1e-3


def rank_gf2(words):
    """Rank over GF(2) of integers read as bit vectors."""
    rank, words = 0, list(words)
    while any(words):
        pivot = max(words)
        bit = 1 << pivot.bit_length() - 1
        words = [w ^ pivot if w & bit else w for w in words]
        rank += 1
    return rank


@given(st.integers(1, 6), st.integers(1, 7), st.integers(0, 2**32))
@settings(max_examples=40)
def test_equal_sign_pairs_are_the_orthogonal_space_of_the_differences(log_m, r, seed):
    """Another route: the columns with equal signs annihilate all differences of positions."""
    scheme = HadamardCountMeanSketch(1.0, hashes=5, width=2**log_m, seed=seed)
    targets = list(range(r))
    at = scheme.family.positions(targets)
    counts = [
        2 ** (log_m - rank_gf2([int(x ^ at[0, row]) for x in at[:, row]])) - 1 for row in range(5)
    ]
    assert equal_sign_pairs(scheme, targets).tolist() == counts


def test_the_number_of_pairs_halves_with_every_target():
    scheme = default(HadamardCountMeanSketch)
    for r in (1, 2, 4, 8):
        pairs = equal_sign_pairs(scheme, [f"A{i}" for i in range(1, r + 1)])
        mean = 1024 * 127 * 2.0 ** (1 - r)
        assert pairs.sum() == pytest.approx(mean, rel=0.05)
        assert r > 7 or (pairs > 0).all()


def test_no_pair_no_hidden_attack():
    scheme = small(HadamardCountMeanSketch, width=4, rows=((0, 1, 2), (2, 1, 3)))
    assert equal_sign_pairs(scheme, list("abc")).tolist() == [0, 0]
    rng = np.random.default_rng(0)
    for attack in ("mga", "demotion", "all_ones"):
        with pytest.raises(ValueError, match="fake_reports: hidden needs a row and a column > 0"):
            fake_reports(scheme, attack, targets=list("abc"), n_fake=3, rng=rng, hidden=True)


def test_best_pairs_against_exhaustive_search():
    scheme = HadamardCountMeanSketch(1.0, hashes=6, width=8, seed=3)
    targets, others = ["t", "u"], ["a", "b", "c", 4]
    full = frequency_gain(scheme, "mga", n_fake=1, targets=targets)
    harms = sorted(
        one_gain(scheme, out, others) for out in outputs(scheme)
        if one_gain(scheme, out, targets) == pytest.approx(full, rel=1e-12)
    )  # fmt: skip
    for size in (0, 1, 5, len(harms)):
        reports = best_pairs(scheme, targets, others=others, n_fake=size)
        chosen = list(zip(*scheme.unpack(reports)))
        assert len(set(chosen)) == size
        got = [one_gain(scheme, tuple(map(int, out)), others) for out in chosen]
        assert got == pytest.approx(harms[:size], rel=1e-9, abs=1e-9)
        assert sum(
            one_gain(scheme, tuple(map(int, out)), targets) for out in chosen
        ) == pytest.approx(full * size, rel=1e-12)
    reports = best_pairs(scheme, targets, others=others, n_fake=len(harms) + 2)
    np.testing.assert_array_equal(reports[-2:], reports[:2])  # then from the beginning


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


def test_weight_scores_have_the_honest_law():
    """All outputs of a small scheme give mean 0 and variance 1; printed attack: -8.67."""
    scheme = small(CountMeanSketch, 0.9)
    table = list(law(scheme, "ria", ["b"]))
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
    monkeypatch.setattr("privlib.sketch.poisoning._AT_ONCE", 7)
    np.testing.assert_array_equal(weight_scores(scheme, reports), whole)


def test_column_scores_have_the_honest_law_and_show_the_printed_attack():
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
        pairs = [(one_gain(scheme, out, "abc"), w) for out, w in law(scheme, "ria", [item])]
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


def test_fakes_are_counted_in_exact_arithmetic():
    assert [n_fake_users(90, b) for b in ("0.1", Fraction(1, 10), 0.1)] == [10, 10, 10]
    assert n_fake_users(1000, 0) == 0
    assert n_fake_users(7, "1/2") == 7
    assert [n_fake_users(n, 0.2) for n in range(2000)] == [n // 4 for n in range(2000)]
    assert math.floor(172 * 0.2 / (1 - 0.2)) == 42  # what doubles make of 43


def gain(scheme, attack, n_fake, targets):
    return frequency_gain(scheme, attack, n_fake=n_fake, targets=targets)


def spread(scheme, attack, n_fake, targets):
    return gain_variance(scheme, attack, n_fake=n_fake, targets=targets)


def forged(scheme, attack, targets, n_fake, rng, **how):
    return fake_reports(scheme, attack, targets=targets, n_fake=n_fake, rng=rng, **how)


def noiseless(epsilon, hashes):
    scheme = CountMeanSketch(epsilon, hashes=hashes, width=2, seed=1)
    return total_score(scheme.aggregate(scheme.privatize(["x", "y"], 1)), {"x": 1, "y": 1})


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda c, h: n_fake_users(-1, 0.1), ValueError, "n_fake_users: n must be at least 0"),
        (lambda c, h: n_fake_users(5, 1.0), ValueError, r"beta must be in \[0, 1\), got 1.0"),
        (lambda c, h: n_fake_users(5, "x"), ValueError, "beta must be a number, got 'x'"),
        (lambda c, h: n_fake_users(5, "1/0"), ValueError, "n_fake_users: beta must be a number"),
        (lambda c, h: n_fake_users(5, None), TypeError, "n_fake_users: beta must be a real number"),
        (lambda c, h: n_fake_users(5, math.nan), ValueError, "n_fake_users: beta must be finite"),
        (lambda c, h: gain(c, "mgb", 1, 1), ValueError, "frequency_gain: attack must be"),
        (lambda c, h: gain("c", "mga", 1, 1), TypeError, "scheme must be CMS or HCMS"),
        (lambda c, h: gain(c, "mga", -1, 1), ValueError, "n_fake must be at least 0"),
        (lambda c, h: gain(c, "mga", 1, 0), ValueError, "targets must be at least 1"),
        (lambda c, h: gain(c, "mga", 1, True), TypeError, "targets must be an integer"),
        (lambda c, h: gain(c, "mga", 1, "A2"), TypeError, "sequence of items, got 'A2'"),
        (lambda c, h: gain(c, "mga", 1, [1.5]), TypeError, "targets must hold .* of type float"),
        (lambda c, h: gain(c, "mga", 1, []), ValueError, "at least one item, each once"),
        (lambda c, h: gain(c, "mga", 1, ["x", "x"]), ValueError, "each once"),
        (lambda c, h: gain(c, "mga", 1, ["x", True]), TypeError, "of type bool as number 1"),
        (lambda c, h: spread(None, "mga", 1, 1), TypeError, "gain_variance: scheme must be"),
        (lambda c, h: spread(c, "x", 1, 1), ValueError, "gain_variance: attack must be"),
        (lambda c, h: spread(c, "mga", 1.5, 1), TypeError, "gain_variance: n_fake"),
        (lambda c, h: forged(3, "mga", ["x"], 1, RNG), TypeError, "fake_reports: scheme"),
        (lambda c, h: forged(c, "x", ["x"], 1, RNG), ValueError, "fake_reports: attack"),
        (lambda c, h: forged(c, "mga", 3, 1, RNG), TypeError, "fake_reports: targets"),
        (lambda c, h: forged(c, "mga", ["x"], -1, RNG), ValueError, "fake_reports: n_fake"),
        (lambda c, h: forged(c, "mga", ["x"], 1, "7"), TypeError, "fake_reports: rng"),
        (lambda c, h: forged(c, "ria", ["x"], 1, RNG, hidden=True), ValueError, "hidden is"),
        (lambda c, h: forged(c, "rpa", ["x"], 1, RNG, hidden=True), ValueError, "got 'rpa'"),
        (lambda c, h: equal_sign_pairs(c, ["x"]), TypeError, "equal_sign_pairs: scheme"),
        (lambda c, h: best_pairs(c, ["x"], others=["y"], n_fake=1), TypeError, "scheme must"),
        (lambda c, h: best_pairs(h, ["x"], others="y", n_fake=1), TypeError, "best_pairs: others"),
        (lambda c, h: best_pairs(h, ["x"], others=["y", "x"], n_fake=1), ValueError, "no target"),
        (lambda c, h: best_pairs(h, ["x"], others=["y"], n_fake=-1), ValueError, "n_fake"),
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


RNG = np.random.default_rng(0)
PLAIN = CountMeanSketch(1.0, hashes=4, width=8, seed=0)
HADAMARD = HadamardCountMeanSketch(1.0, hashes=4, width=8, seed=0)
FAKE = HADAMARD.privatize(["x", "y"], np.random.default_rng(0))


@pytest.mark.parametrize("kind", SCHEMES)
def test_what_pandas_brings_is_understood(kind):
    scheme = kind(1.0, hashes=8, width=8, seed=2)
    counts = pd.Series({"x": 60, "y": 40})
    plain = fake_reports(scheme, "ria", targets=["x", "y"], n_fake=30, rng=1)
    for targets in (counts.index, pd.Series(["x", "y"]), np.array(["x", "y"], dtype=object)):
        again = fake_reports(
            scheme, "ria", targets=targets, n_fake=30, rng=np.random.default_rng(1)
        )
        np.testing.assert_array_equal(again, plain)
        gain = frequency_gain(scheme, "ria", n_fake=30, targets=targets)
        assert gain == frequency_gain(scheme, "ria", n_fake=30, targets=["x", "y"])
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


@pytest.mark.parametrize("kind", SCHEMES)
def test_no_fakes_no_gain(kind):
    scheme = kind(1.0, hashes=4, width=8, seed=0)
    for attack, hidden in VARIANTS:
        assert frequency_gain(scheme, attack, n_fake=0, targets=["x"]) == 0
        assert gain_variance(scheme, attack, n_fake=0, targets=2) == 0
        reports = fake_reports(
            scheme, attack, targets=np.array(["x"]), n_fake=0, rng=RNG, hidden=hidden
        )
        assert reports.shape == (0,)
        assert reports.dtype == scheme.report_dtype
