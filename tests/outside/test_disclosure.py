"""Sampling and PRAM: our numbers beside those of others."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import opendp.prelude as dp
import pytest
import sympy
from scipy import optimize

from privlib.disclosure import anonymity, design, local_dp, posterior, pram, sampling
from privlib.research import pram_estimation
from tests.outside.comparing import CASES, ROOT, compare, of_part, ours, theirs, truth

dp.enable_features("contrib")


@pytest.mark.parametrize("case", of_part("disclosure"), ids=str)
def test_others_agree(case):
    compare(case)


# --- individual risk ------------------------------------------------------------------------------

SAMPLE = (
    (2, 3, 1, 18.0), (3, 3, 3, 45.5), (2, 3, 1, 39.0), (2, 3, 2, 17.0),
    (3, 3, 1, 92.0), (3, 3, 1, 8.0), (1, 4, 1, 123.5), (2, 3, 1, 51.0),
)  # fmt: skip
"""The eight records of sdcMicro's test: three attributes and a weight."""
MISSING = ((2, 2), (6, 2), (7, 0))  # in which record which attribute is missing


def frequencies(missing=()):
    """How often each record's values are in the sample, and the sum of their weights.

    A missing value goes with every other.
    """
    keys = np.array([row[:3] for row in SAMPLE], dtype=float)
    weights = np.array([row[3] for row in SAMPLE])
    for record, attribute in missing:
        keys[record, attribute] = np.nan
    alike = keys[:, None] == keys[None]
    alike |= np.isnan(keys)[:, None]
    alike |= np.isnan(keys)[None]
    equal = alike.all(axis=2)
    return equal.sum(axis=1), equal @ weights


@ours("individual-risk")
def risk_of_eight_records(case):
    f, F = frequencies()
    return sampling.benedetti_franconi_risk(f, f / F)


@ours("individual-risk-with-missing-values")
def risk_where_values_are_missing(case):
    f, F = frequencies(MISSING)
    return sampling.benedetti_franconi_risk(f, f / F)


@ours("risk-in-a-census")
def match_probabilities_in_a_census(case):
    _, codes = np.unique([row[:3] for row in SAMPLE], axis=0, return_inverse=True)
    nothing_rewritten = np.eye(codes.max() + 1, dtype=int)
    result = []
    for k in range(len(codes)):
        result.append(
            posterior.match_probability(
                codes, codes, transition=nothing_rewritten, record=k, slot=k
            )
        )
    return result


@ours("twelve-of-thirteen")
def risk_of_twelve_of_thirteen(case):
    return [sampling.benedetti_franconi_risk(12, 12 / 13)]


@truth("twelve-of-thirteen")
def twelve_by_fractions(case):
    """The risk of twelve of thirteen by its series in fractions; the rest is below 1e-40."""
    p = Fraction(12, 13)
    term = Fraction(1)
    total = Fraction(1)
    for k in range(1, 40):
        term *= k * (1 - p) / (12 + k)
        total += term
    return [p / 12 * total]


GRID = tuple(product((40, 30, 20, 12, 8, 5, 3, 2, 1), (0.99, 0.9, 0.7, 0.5, 0.3, 0.1, 0.01)))
RATES = [f / (f / p) for f, p in GRID]  # as sdcMicro computes them from f and the sum of weights


@ours("alternating-sum")
def risk_by_a_series_with_positive_terms(case):
    return sampling.benedetti_franconi_risk([f for f, _ in GRID], RATES)


def exact_risk(f, p):
    """The risk by the hypergeometric function, with the digits that mpmath works with."""
    return mpmath.mpf(p) / f * mpmath.hyp2f1(1, 1, f + 1, 1 - mpmath.mpf(p))


@truth("alternating-sum")
def risk_with_50_digits(case):
    with mpmath.workdps(50):
        return [float(exact_risk(f, p)) for (f, _), p in zip(GRID, RATES, strict=True)]


@ours("example-of-its-manual")
def risk_of_the_manuals_records(case):
    f = np.array([2, 2, 2, 1, 1, 1, 1, 2])
    return sampling.benedetti_franconi_risk(f, f / [110, 84.5, 84.5, 17, 541, 8, 5, 110])


@ours("practice-guide")
def risk_in_the_practice_guide(case):
    f = np.array([2, 1, 2, 1])
    return sampling.benedetti_franconi_risk(f, f / [360, 215, 152, 186])


# --- PRAM -----------------------------------------------------------------------------------------

ROOFS = [814, 3697, 19, 34, 16]
"""Homes by roof in sdcMicro's test data."""
DRAWS = np.array(
    [0.28757752012461424, 0.78830513544380665, 0.40897692181169987, 0.88301740400493145,
     0.9404672842938453]
)  # fmt: skip
"""What R's runif draws after set.seed(123)."""


@ours("drawn-matrix")
def invariant_matrix_of_the_roofs(case):
    stay = 0.8 + 0.2 * DRAWS
    spread = np.repeat((1 - stay)[:, None] / 4, 5, axis=1)
    np.fill_diagonal(spread, stay)
    return (pram_estimation.invariant_matrix(spread, ROOFS) + np.eye(5)) / 2


@ours("amplified")
def levels_after_sampling(case):
    result = []
    for epsilon, sampled in ((1.0, 0.8), (1.0, 0.6), (2.0, 0.7)):
        result.append(local_dp.amplified_epsilon(epsilon, sampled))
    return result


@ours("amplified-otherwise")
def scale_and_loss_after_sampling(case):
    def excess(scale):
        return local_dp.amplified_epsilon(1 / scale, 0.8) - 1

    scale = optimize.brentq(excess, 0.5, 2.0, xtol=1e-14)
    return [scale, local_dp.amplified_epsilon(0.6, 0.6)]


TABLES = ((2, 0.8), (5, 0.5), (40, 0.95))  # categories, and how likely a value is shown as it is


@ours("level-of-a-rewritten-table")
def levels_of_rewritten_tables(case):
    levels = []
    gammas = []
    for categories, shown in TABLES:
        keep = (shown * categories - 1) / (categories - 1)  # without a draw
        matrix = pram.retention_matrix(keep, categories)
        levels.append(local_dp.local_dp_epsilon(matrix))
        gammas.append(-math.log(anonymity.ratio_minima(matrix).gamma))
    return levels + gammas


@theirs("level-of-a-rewritten-table")
def levels_by_opendp(case):
    levels = []
    for categories, shown in TABLES:
        response = dp.m.make_randomized_response(list(range(categories)), shown)
        levels.append(response.map(1))
    return levels + levels


def matrix_of_randomized_response(epsilon):
    """Randomised response on five values, where a value is shown as it is with e^ε/(e^ε + 4)."""
    keep = math.expm1(epsilon) / (math.exp(epsilon) + 4)  # without a draw
    return pram.retention_matrix(keep, 5)


@ours("rewritten-values")
def shares_after_rewriting(case):
    counts = case.given["counts"]
    values = np.repeat(np.arange(5), counts)
    shown = pram.apply_pram(values, matrix_of_randomized_response(case.given["epsilon"]), rng=4)
    return np.bincount(shown, minlength=5) / len(values)


@ours("shares-from-reports")
def shares_before_rewriting(case):
    release = np.repeat(np.arange(5), case.given["counts"])
    matrix = matrix_of_randomized_response(case.given["epsilon"])
    return design.estimate_shares(release, matrix, n=len(release)).estimate


@ours("most-likely-shares")
def unbiased_shares(case):
    release = np.repeat(range(4), case.given["counts"])
    return design.estimate_shares(release, case.given["matrix"], n=len(release)).estimate


# --- matching -------------------------------------------------------------------------------------

TABLE = [0, 0, 1, 1, 2, 2]
RELEASE = [0, 1, 2, 2]
REWRITING = [
    [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
    [Fraction(1, 8), Fraction(5, 8), Fraction(1, 4)],
    [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)],
]
PAIRS = tuple(product((0, 2, 5), (0, 2)))  # records and released records


@ours("match-by-permanents")
def match_probabilities(case):
    result = []
    for record, slot in PAIRS:
        result.append(
            posterior.match_probability(
                TABLE, RELEASE, transition=REWRITING, record=record, slot=slot, method="generating"
            )
        )
    return result


@theirs("match-by-permanents")
def permanents_by_sympy(case):
    """Permanents of the whole matrix, and of it without the record and the released record."""
    rows = []
    for value in TABLE:
        row = [sympy.Rational(REWRITING[value][shown]) for shown in RELEASE]
        not_released = [1] * (len(TABLE) - len(RELEASE))
        rows.append(row + not_released)
    whole = sympy.Matrix(rows)
    result = []
    for record, slot in PAIRS:
        others = whole.minor_submatrix(record, slot)
        result.append(whole[record, slot] * others.per() / whole.per())
    return result


# --- what the pages say of where we differ --------------------------------------------------------


def test_the_stories_have_their_numbers():
    case = CASES["alternating-sum"]
    largest = int(np.argmax(np.abs(case.theirs)))
    f, p = GRID[largest]
    digits, power = f"{case.theirs[largest]:.1e}".split("e")
    assert f"**A risk of ${digits} \\cdot 10^{{{int(power)}}}$.**" in case.story
    assert f"at $f = {f}$, $p = {p}$ the number above is left" in case.story
    assert f"the risk is {case.ours[largest]:.6f}" in case.story
    outside, off = outside_and_off(case.theirs, case.ours)
    assert f"Of the {len(GRID)} pairs compared {outside} leave [0, 1], and {off} are off" in (
        case.story
    )
    case = CASES["twelve-of-thirteen"]
    assert f"says {case.theirs[0]:.4f}, a negative risk; it is {case.ours[0]:.4f}" in case.story


def outside_and_off(found, true):
    """How many risks are no probabilities, and how many are off by more than 1 %."""
    found = np.array(found)
    no_probability = (found < 0) | (found > 1)
    off = np.abs(found / true - 1) > 0.01
    return no_probability.sum(), off.sum()


REPORT = (ROOT / "book" / "reports.md").read_text(encoding="utf-8")


def test_the_report_has_the_numbers_of_the_answers():
    (twelve,) = CASES["twelve-of-thirteen"].theirs
    grid = CASES["alternating-sum"].theirs
    with mpmath.workdps(50):
        true = exact_risk(12, mpmath.mpf(12) / 13)
        assert f"with 20 digits it is {mpmath.nstr(true, 20)}." in REPORT
        risks = [float(exact_risk(f, p)) for (f, _), p in zip(GRID, RATES, strict=True)]
    assert f"**Printed:** `{twelve:.7g}`. **Expected:** `{float(true):.7g}`" in REPORT
    assert f"{(12 / 13) / (12 - 1 / 13):.7g} here" in REPORT
    at = dict(zip(GRID, grid, strict=True))
    assert f"{at[40, 0.99]:.1e}" == "1.8e+73"
    assert "$1.8 \\cdot 10^{73}$" in REPORT
    assert f"{at[30, 0.7]:.1e}" == "-1.4e+04"
    assert "$-1.4 \\cdot 10^{4}$" in REPORT
    assert outside_and_off(grid, risks) == (11, 13)
    assert len(grid) == 63
    assert "eleven are outside of $[0, 1]$ and thirteen off" in REPORT
    assert f"digits: {11 * np.log10(25):.1f} in the example" in REPORT
    assert 4 * np.log10(1.06 / 0.94) < 0.5
    sampled, weights = frequencies()
    assert max(sampled) <= 5
    assert max(sampled / weights) < 0.06


def test_the_repair_of_the_report_is_the_one_that_was_run():
    answers = CASES["alternating-sum"].more
    assert f"```r\n{answers['repair']}```" in REPORT
    with mpmath.workdps(50):
        for (f, _), p, repaired in zip(GRID, RATES, answers["repaired"], strict=True):
            assert abs(mpmath.mpf(repaired) / exact_risk(f, p) - 1) < 2e-15
    printed = CASES["individual-risk"].theirs
    np.testing.assert_allclose(answers["eight records, repaired"], printed, rtol=0, atol=5.1e-9)
