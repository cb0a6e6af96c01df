"""Never above the promise, or an error: levels, risks and releases at the edges.

The oracles are enumerations in fractions (who stands behind which slot, which release comes of
which table), sums of binomials, and mpmath with 80 digits. What is drawn is nasty: one to three
categories, ties, equal rows, entries of 1e-320, fractions that no float holds, sums that miss 1.
"""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import time
from collections import Counter, defaultdict
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import sparse, special, stats

from privlib import UncertifiedError
from privlib.disclosure import (
    _permanents,
    _rewriting,
    anonymity,
    bounds,
    design,
    intervals,
    linkage,
    local_dp,
    posterior,
    pram,
    ratios,
    sampling,
)
from privlib.research import knowledge_models, pram_estimation

REFUSED = (ValueError, TypeError)
HALF = pram.retention_matrix(Fraction(1, 2), 2)


# ---------------------------------------------------------------------------------------------
# What is drawn, and the oracles
# ---------------------------------------------------------------------------------------------


def nasty_matrix(rng, *, exact=None, rows=None):
    """Return a row-stochastic matrix without zeros, of floats or fractions, often degenerate."""
    exact = bool(rng.integers(2)) if exact is None else exact
    size = int(rng.integers(1, 4)) if rows is None else rows
    columns = int(rng.integers(1, 4))
    kind = rng.integers(5)
    if exact:
        top = 10 ** int(rng.choice([1, 3, 40, 400]))
        weights = [[Fraction(1 + int(rng.integers(9)) % 3) for _ in range(columns)]
                   for _ in range(size)]  # fmt: skip
        for row in weights:
            if kind == 0:
                row[int(rng.integers(columns))] /= top
        A = np.array([[entry / sum(row) for entry in row] for row in weights], dtype=object)
    else:
        A = rng.random((size, columns)) + 1e-3
        if kind == 0:
            A = np.power(10.0, -rng.uniform(0, 320, (size, columns)))
            A[:, 0] = 1
        if kind == 1:
            A = rng.integers(1, 4, (size, columns)).astype(float)
        if kind == 2:  # nearly the same rows
            A = 1 + rng.choice([0, 1e-8, 1e-15], (size, columns))
        A /= A.sum(axis=1, keepdims=True)
        if kind == 3:  # within the tolerance of sums
            A *= 1 + rng.uniform(-9e-10, 9e-10, (size, 1))
        A = np.maximum(A, 5e-324)
    if rng.integers(4) == 0 and size > 1:
        A[1] = A[0]
    if rng.integers(4) == 0:
        A = np.column_stack([A, np.array([0 * A[0, 0]] * size, dtype=A.dtype)])
    return A


def fractions_of(A):
    """Return a matrix as it is, and with rows of sum 1, without columns of zeros."""
    plain = [[Fraction(entry) for entry, used in zip(row, A.any(axis=0)) if used] for row in A]
    return [plain, [[entry / sum(row) for entry in row] for row in plain]]


def minima(A):
    """Return gamma and g2 from their definitions, over all quadruples."""
    rows, columns = range(len(A)), range(len(A[0]))
    ratio = {(u, v, a): A[u][a] / A[v][a] for u in rows for v in rows for a in columns}
    pairs = itertools.product(rows, rows, columns, columns)
    g2 = min(ratio[u, v, a] / ratio[u, v, b] for u, v, a, b in pairs)
    return min(ratio.values()), g2


def is_safe(found, true):
    """Whether a level is not above the true one, and below it by no more than sums may miss 1."""
    if found > 1e307:  # no float beyond
        return found <= true
    return true * (1 - Fraction(1, 10**8)) <= Fraction(found) <= true


def behind(table, release, A, record):
    """Return the chance that a record is behind slot 0, and that it was sampled."""
    total = hit = taken = Fraction(0)
    for chosen in itertools.permutations(range(len(table)), len(release)):
        weight = Fraction(1)
        for r, shown in zip(chosen, release):
            weight *= A[table[r]][shown]
        total += weight
        hit += weight * (chosen[0] == record)
        taken += weight * (record in chosen)
    return hit / total, taken / total


# ---------------------------------------------------------------------------------------------
# Levels of matrices
# ---------------------------------------------------------------------------------------------


def test_levels_are_not_above_their_definition():
    rng = np.random.default_rng(45)
    for _ in range(400):
        A = nasty_matrix(rng)
        n = int(rng.choice([1, 2, 3, 50, 2**31 + 3, 10**8, 2**62, 10**30]))
        s = int(rng.integers(1, min(n, 2**62) + 1))
        if n > 2**53 and rng.integers(2):
            s = n - int(rng.integers(5))
        m, f = int(rng.integers(1, min(n, 5) + 1)), int(rng.integers(1, min(s, 5) + 1))
        level = anonymity.pk_level(A, n, n_sampled=s, alike=m, shown=f)
        told = anonymity.pk_level_response_knowledge(A, n, n_sampled=s, shown=f)
        low, high = anonymity.membership_interval(A, n, n_sampled=s)
        for true in fractions_of(A):
            gamma, g2 = minima(true)
            sampled = min(s - f, n - max(m, f))
            right = max(m, f) + (n - max(m, f) - sampled) * gamma + sampled * g2
            assert is_safe(level, right), (A, n, s)
            assert is_safe(told, f + (s - f) * g2)
            assert Fraction(low) <= s * gamma / (s * gamma + n - s)
            assert Fraction(high) >= s / (s + (n - s) * gamma)
        if A.dtype == object:
            assert isinstance(level, Fraction)
            assert level == right
        else:
            assert isinstance(level, float)


def test_levels_against_every_attack_on_small_tables():
    """Who stands behind a slot, by enumeration of all injections."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        A = nasty_matrix(rng)
        columns = np.flatnonzero(A.any(axis=0))
        n = int(rng.integers(1, 5))
        s = int(rng.integers(1, n + 1))
        low, high = anonymity.membership_interval(A, n, n_sampled=s)
        exact = [[Fraction(entry) for entry in row] for row in A]
        for table in itertools.product(range(len(A)), repeat=n):
            for release in itertools.product(columns.tolist(), repeat=s):
                chance, taken = behind(table, release, exact, 0)
                m, f = table.count(table[0]), release.count(release[0])
                levels = [anonymity.pk_level(A, n, n_sampled=s, alike=m, shown=f)]
                levels.append(anonymity.pk_level(A, n, n_sampled=s))
                assert chance * Fraction(max(levels)) <= 1 + Fraction(1, 10**9)
                told = anonymity.pk_level_response_knowledge(A, n, n_sampled=s, shown=f)
                assert chance / taken * Fraction(told) <= 1 + Fraction(1, 10**9)
                assert Fraction(low) <= taken * (1 + Fraction(1, 10**9))
                assert taken <= Fraction(high) * (1 + Fraction(1, 10**9))
            if rng.integers(3):
                break


def test_the_attack_of_the_worst_case_is_carried_out():
    rng = np.random.default_rng(2)
    for _ in range(60):
        A = nasty_matrix(rng, exact=False)
        n = int(rng.integers(1, 6))
        s = int(rng.integers(1, min(n, 4) + 1))
        worst = anonymity.homogeneous_worst_case(A, n, n_sampled=s)
        exact = [[Fraction(entry) for entry in row] for row in A]
        chance, _ = behind(worst.table.tolist(), worst.release.tolist(), exact, 0)
        assert is_safe(worst.level, 1 / chance)
        assert worst.level >= anonymity.pk_level(A, n, n_sampled=s)
    with pytest.raises(ValueError, match="n must be at most 100000000, got 100000000000"):
        anonymity.homogeneous_worst_case(HALF, 10**11)


def test_fractions_beyond_floats_do_not_make_a_level():
    tiny = Fraction(1, 10**400)
    A = [[1 - tiny, tiny], [tiny, 1 - tiny]]
    level = anonymity.pk_level(A, 10**6)
    assert isinstance(level, Fraction)
    assert level == 1 + (10**6 - 1) * (tiny / (1 - tiny)) ** 2
    assert anonymity.conditional_poisson_pk_level(A, [1, 2, 3], n_sampled=1).tolist() == [1, 1, 1]
    assert local_dp.local_dp_epsilon(A) == pytest.approx(400 * math.log(10), rel=1e-14)
    with pytest.raises(ValueError, match="transition must not be so small that its float is 0"):
        pram.apply_pram([0, 1], A)  # it would never show what the level counts on
    with pytest.raises(ValueError, match="transition must not be so small that its float is 0"):
        design.estimate_shares([0, 1], A, n=2)
    with pytest.raises(ValueError, match="transition must not be so small that its float is 0"):
        design.publish([0, 1], n_sampled=1, transition=A)


def test_stratified_levels_by_enumeration():
    rng = np.random.default_rng(3)
    for sizes, samples in [((2, 2), (1, 1)), ((3, 1), (2, 1)), ((1, 3), (1, 1)), ((2, 1), (1, 1))]:
        for _ in range(6):
            A = nasty_matrix(rng, exact=False, rows=2)
            exact = [[Fraction(entry) for entry in row] for row in A]
            strata = np.repeat([0, 1], sizes)
            levels = {
                how: anonymity.stratified_pk_level(A, sizes, samples=samples, labels=how)
                for how in anonymity.LABELS
            }
            table = rng.integers(2, size=sum(sizes)).tolist()
            slots = np.repeat([0, 1], samples)
            columns = np.flatnonzero(A.any(axis=0))
            release = rng.choice(columns, size=sum(samples)).tolist()
            seen = defaultdict(Fraction)
            for chosen in itertools.permutations(range(len(table)), len(release)):
                where = strata[list(chosen)]
                if Counter(where.tolist()) != Counter(slots.tolist()):
                    continue
                weight = Fraction(1)
                for r, shown in zip(chosen, release):
                    weight *= exact[table[r]][shown]
                seen["hidden"] += weight
                seen["hidden", chosen[0]] += weight
                if (where == slots).all():
                    seen["released"] += weight
                    seen["released", chosen[0]] += weight
            for how, found in levels.items():
                for r, stratum in enumerate(strata):
                    chance = seen[how, r] / seen[how]
                    assert chance * Fraction(found[stratum]) <= 1 + Fraction(1, 10**9)


def test_unequal_probabilities_from_denormals_to_the_largest_floats():
    rng = np.random.default_rng(4)
    for _ in range(80):
        A = nasty_matrix(rng, rows=2)
        n = int(rng.integers(1, 6))
        s = int(rng.integers(1, n + 1))
        reach = rng.choice([0, 1, 300])
        odds = np.power(10.0, rng.uniform(-reach, reach, n))
        if reach == 300:
            odds[rng.integers(n)] = rng.choice([1e-320, 1e308])
        levels = anonymity.conditional_poisson_pk_level(A, odds, n_sampled=s)
        weights = [Fraction(w) for w in odds.tolist()]
        for r, found in enumerate(levels.tolist()):
            others = sorted(weights[:r] + weights[r + 1 :])[: n - s]
            for true in fractions_of(A):
                gamma, g2 = minima(true)
                right = 1 + gamma * sum(others) / weights[r] + (s - 1) * g2
                assert math.isfinite(found)
                assert is_safe(found, right)


def test_equal_odds_of_any_size_are_a_simple_random_sample():
    third = [[0.75, 0.25], [0.25, 0.75]]
    for odds in (1e308, 1.0, 1e-320):
        levels = anonymity.conditional_poisson_pk_level(third, [odds] * 4, n_sampled=1)
        assert levels == pytest.approx(2, rel=1e-14)
    named = pd.Series([1.0, 3.0, 2.0], index=["eve", "ann", "bob"])
    levels = anonymity.conditional_poisson_pk_level(third, named, n_sampled=2)
    assert type(levels) is np.ndarray
    assert (
        levels.tolist()
        == anonymity.conditional_poisson_pk_level(third, named.tolist(), n_sampled=2).tolist()
    )


def test_the_map_is_not_above_any_posterior_of_its_attackers():
    """Her unknown people are draws from q; each cell by enumeration of their values, too."""
    rng = np.random.default_rng(5)
    for _ in range(25):
        A = nasty_matrix(rng, exact=False, rows=2)
        n, s = int(rng.integers(2, 5)), 0
        s = int(rng.integers(1, n + 1))
        n0 = int(rng.integers(1, n + 1))
        cells = knowledge_models.pk_level_map(A, n, n_known=n0, n_sampled=s, shown=1)
        exact = [[Fraction(entry) for entry in row] for row in A]
        known = rng.integers(2, size=n0).tolist()
        # The target's value has at least 1/n0 of the prior.
        rest = Fraction(int(rng.integers(0, 5)), 4) * Fraction(n0 - 1, n0)
        q = [1 - rest, rest] if known[0] == 0 else [rest, 1 - rest]
        columns = np.flatnonzero(A.any(axis=0)).tolist()
        mixed = [sum(q[u] * exact[u][a] for u in (0, 1)) for a in range(A.shape[1])]
        rows = [*exact, mixed]
        table = known + [2] * (n - n0)
        for size, column in ((n, 2), (s, 3)):
            release = rng.choice(columns, size=size).tolist()
            chance, _ = behind(table, release, rows, 0)
            assert chance * Fraction(cells[0, column]) <= 1 + Fraction(1, 10**9)
        assert cells[1, 2] == anonymity.pk_level(A, n)
        assert cells[1, 3] == anonymity.pk_level(A, n, n_sampled=s)
        assert cells[2, 3] == anonymity.pk_level_response_knowledge(A, n, n_sampled=s)


def test_the_map_is_exact_for_fractions_and_rounded_down_for_floats():
    rng = np.random.default_rng(6)
    for _ in range(400):
        A = nasty_matrix(rng, exact=False)
        n = int(rng.choice([1, 5, 1000, 10**8]))
        n0, s = int(rng.integers(1, n + 1)), int(rng.integers(1, n + 1))
        if n > 1 and rng.integers(2):  # where the mixtures decide
            n0, s = 2, n - int(rng.integers(2))
        f = int(rng.integers(1, s + 1))
        floats = knowledge_models.pk_level_map(A, n, n_known=n0, n_sampled=s, shown=f)
        for true in fractions_of(A):
            as_objects = np.array(true, dtype=object)
            if any(sum(row) != 1 for row in true):
                continue
            cells = knowledge_models.pk_level_map(as_objects, n, n_known=n0, n_sampled=s, shown=f)
            for found, right in zip(floats.flat, cells.flat):
                assert is_safe(found, Fraction(right))


def test_the_map_of_ratios_beyond_the_floats():
    A = np.array([[1.0, 5e-324], [5e-324, 1.0]])
    for n0 in (1, 2, 50):
        cells = knowledge_models.pk_level_map(A, 50, n_known=n0, n_sampled=7, shown=2)
        assert np.isfinite(cells).all()
        assert cells[0, 2] <= (50 if n0 == 1 else 1 + 49 / n0)
        assert cells[1, 2] == 1


def test_tightness_does_not_underflow():
    rows = [(1e-170, 1e-300), (1e-5, 1e-250), (1e-200, 1e-1)]
    A = np.array([[a, b, 1 - a - b] for a, b in rows])
    assert not anonymity.is_tight(A)
    rng = np.random.default_rng(7)
    for _ in range(300):
        logs = -rng.uniform(0, 310, (3, 2))
        A = np.column_stack([10.0**logs, np.zeros(3)])
        A /= np.maximum(A.sum(axis=1, keepdims=True), 1)
        A[:, 2] = 1 - A[:, 0] - A[:, 1]
        if (A <= 0).any():
            continue
        true = fractions_of(A)[0]
        gamma, g2 = minima(true)
        tight = any(
            min(ratios) <= gamma * (1 + Fraction(1, 10**12))
            and min(ratios) / max(ratios) <= g2 * (1 + Fraction(1, 10**12))
            for u in range(3)
            for v in range(3)
            for ratios in [[x / y for x, y in zip(true[u], true[v])]]
        )
        assert anonymity.is_tight(A) == tight


# ---------------------------------------------------------------------------------------------
# Epsilon
# ---------------------------------------------------------------------------------------------


def test_the_level_of_local_privacy_is_rounded_up():
    rng = np.random.default_rng(8)
    with mpmath.workdps(80):
        for _ in range(300):
            A = nasty_matrix(rng)
            found = local_dp.local_dp_epsilon(A)
            for true in fractions_of(A):
                ratio = 1 / minima(true)[0]
                right = mpmath.log1p(mpmath.mpf(ratio.numerator - ratio.denominator)
                                     / ratio.denominator)  # fmt: skip
                assert found >= right
                assert found <= right + mpmath.mpf(4e-9)  # sums of rows may miss 1 by 1e-9
                if A.dtype == object:
                    assert found <= right * (1 + mpmath.mpf(1e-15))
            assert math.copysign(1, found) == 1  # not -0.0
        near = Fraction(1, 10**25)  # large denominators, nearly no information
        A = [[Fraction(1, 2) + near, Fraction(1, 2) - near], [Fraction(1, 2)] * 2]
        right = -mpmath.log1p(-mpmath.mpf(2) / 10**25)
        assert right <= local_dp.local_dp_epsilon(A) <= right * (1 + mpmath.mpf(1e-15))


def test_the_level_that_local_privacy_guarantees_is_rounded_down():
    rng = np.random.default_rng(9)
    with mpmath.workdps(80):
        for _ in range(300):
            epsilon = float(rng.choice([0, 1e-8, rng.random(), rng.uniform(0, 50), 800, 1e4]))
            n = int(rng.choice([1, 2, 1000, 2**31, 10**30]))
            s = int(rng.integers(1, min(n, 10**6) + 1))
            found = local_dp.local_dp_pk_level(epsilon, n, n_sampled=s)
            gamma = mpmath.exp(-mpmath.mpf(epsilon))
            right = 1 + (n - s) * gamma + (s - 1) * gamma**2
            assert found <= right
            assert found >= right * (1 - mpmath.mpf(1e-15))
    assert local_dp.local_dp_pk_level(math.inf, 100) == 1
    assert local_dp.local_dp_pk_level(0, 100) == 100


def test_amplification_is_rounded_up_and_never_nothing():
    rng = np.random.default_rng(10)
    with mpmath.workdps(80):
        for _ in range(2000):
            epsilon = float(10 ** rng.uniform(-9, 4))
            p = float(10 ** rng.uniform(-300, 0)) if rng.integers(2) else float(rng.random())
            found = local_dp.amplified_epsilon(epsilon, p)
            right = mpmath.log1p(mpmath.mpf(p) * mpmath.expm1(mpmath.mpf(epsilon)))
            assert found >= right > 0
            assert found <= right * (1 + mpmath.mpf(1e-15)) + mpmath.mpf(5e-324)
    assert local_dp.amplified_epsilon(1, 1e-17) == pytest.approx(1e-17 * math.expm1(1), rel=1e-14)
    assert local_dp.amplified_epsilon(2.0, Fraction(1, 10**400)) > 0
    assert local_dp.amplified_epsilon(math.inf, 0.1) == math.inf
    assert local_dp.amplified_epsilon(0, 0.1) == 0
    assert local_dp.amplified_epsilon(3, 1) == 3
    assert local_dp.amplified_epsilon(1e300, 0.5) >= 1e300


def test_two_mechanisms_on_one_sample_do_not_add_up():
    """One of two people is drawn; her bit is released twice by randomised response."""
    epsilon = 1.0
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))

    def chance(table, times):
        return sum((keep if bit else 1 - keep) ** times for bit in table) / len(table)

    twice = math.log(chance([1, 0], 2) / chance([0, 0], 2))
    assert local_dp.amplified_epsilon(2 * epsilon, 0.5) == pytest.approx(twice, rel=1e-12)
    assert twice > 2 * local_dp.amplified_epsilon(epsilon, 0.5)
    assert "same* sample do not\n    add up" in local_dp.amplified_epsilon.__doc__


def test_the_distance_of_counts_over_all_sets():
    rng = np.random.default_rng(11)
    with mpmath.workdps(80):
        for _ in range(200):
            A = nasty_matrix(rng)
            if len(A) < 2:
                continue
            if rng.integers(2) and A.shape[1] > 1:
                A[0] = 0 * A[0]
                A[0, int(rng.integers(A.shape[1]))] += 1
            epsilon = float(rng.choice([0, 1e-8, rng.random(), 3, 40, 800, 1e4]))
            found = pram_estimation.neighbour_delta(A, epsilon)
            factor = mpmath.exp(mpmath.mpf(epsilon))
            right = mpmath.mpf(0)
            rows = [[mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator for x in row]
                    for row in A]  # fmt: skip
            for i, k in itertools.permutations(range(len(A)), 2):
                if abs(i - k) == 1:
                    for inside in itertools.product((0, 1), repeat=A.shape[1]):
                        high = sum((x for x, one in zip(rows[i], inside) if one), mpmath.mpf(0))
                        low = sum((x for x, one in zip(rows[k], inside) if one), mpmath.mpf(0))
                        right = max(right, high - factor * low)
            value = mpmath.mpf(Fraction(found).numerator) / Fraction(found).denominator
            assert value >= right - mpmath.mpf(10) ** -60
            assert value <= right * (1 + mpmath.mpf(1e-9)) + mpmath.mpf(5e-324)
            assert not isinstance(found, float) or math.copysign(1, found) == 1


def test_distance_at_infinity_and_of_rows_that_are_no_neighbours():
    P = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    assert pram_estimation.neighbour_delta(P, math.inf) == 0.5
    same = [[0.5, 0.5], [0.5, 0.5]]
    assert math.copysign(1, pram_estimation.neighbour_delta(same, 1.0)) == 1
    assert math.copysign(1, local_dp.local_dp_epsilon(same)) == 1
    frame = pd.DataFrame(same, index=[0, 5])
    with pytest.raises(ValueError, match="each one more than the one before"):
        pram_estimation.neighbour_delta(frame)
    with pytest.raises(ValueError, match=r"in the same order, got \[1, 0\]"):
        pram_estimation.neighbour_delta(pd.DataFrame(same, index=[1, 0]))
    with pytest.raises(ValueError, match=r"0 to 1, must be in order"):
        pram_estimation.neighbour_delta(pd.DataFrame(same, index=[1, 0], columns=["a", "b"]))
    assert pram_estimation.neighbour_delta(frame.set_axis([4, 5])) == 0
    with pytest.raises(ValueError, match="epsilon must"):
        pram_estimation.neighbour_delta(P, math.nan)


# ---------------------------------------------------------------------------------------------
# Sampling alone
# ---------------------------------------------------------------------------------------------


def polya_risk(n, n0, s, values, alpha):
    """Return the largest risk of any record over tables and releases, for a Dirichlet prior.

    Her unknown people have values one after the other with the chances of an urn.
    """
    worst_known = worst_unknown = Fraction(0)
    for known in itertools.product(range(values), repeat=n0):
        start = Counter(known)
        weights = {}
        for unknown in itertools.product(range(values), repeat=n - n0):
            seen, weight = Counter(start), Fraction(1)
            for i, value in enumerate(unknown):
                weight *= (seen[value] + alpha) / (n0 + i + alpha * values)
                seen[value] += 1
            weights[known + unknown] = weight
        for release in itertools.combinations_with_replacement(range(values), s):
            for first in set(release):
                rest = list(release)
                rest.remove(first)
                total, hits = Fraction(0), [Fraction(0)] * n
                for table, weight in weights.items():
                    for chosen in itertools.permutations(range(n), s):
                        if [table[r] for r in chosen] == [first, *rest]:
                            total += weight
                            hits[chosen[0]] += weight
                if total:
                    worst_known = max([worst_known, *(hit / total for hit in hits[:n0])])
                    worst_unknown = max([worst_unknown, *(hit / total for hit in hits[n0:])])
    return worst_known, worst_unknown


@pytest.mark.parametrize(("n", "n0"), [(2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (2, 2)])
def test_the_largest_sample_covers_every_record_of_a_learning_attacker(n, n0):
    tiny = Fraction(1, 10**9)
    risks = {s: max(polya_risk(n, n0, s, 3, tiny)) for s in range(1, min(n, 3) + 1)}
    for k in (1, Fraction(3, 2), 1.9999, 2, Fraction(5, 2), 3, 4):
        try:
            size = sampling.max_sample_size(n, n0, k=k, attacker="learning")
        except ValueError:
            continue
        if size in risks:
            assert risks[size] * Fraction(k) <= 1 + Fraction(1, 10**6)


def test_unknown_records_are_named_where_they_are_not_covered():
    with pytest.raises(ValueError, match=r"k must be at most n - n_known = 1 \(unreachable"):
        sampling.max_sample_size(3, 2, k=1.5, attacker="learning")
    with pytest.raises(ValueError, match=r"n - n_known = 9 \(unreachable"):
        sampling.max_sample_size(10, 1, k=9.5, attacker="learning")
    assert sampling.max_sample_size(10, 1, k=9, attacker="learning") == 1
    assert sampling.max_sample_size(3, 2, k=1, attacker="learning") == 3
    assert sampling.max_sample_size(3, 3, k=1, attacker="learning") == 3
    assert "unknown" in sampling.learning_attacker_risk.__doc__
    assert "unknown" in sampling.max_sample_size.__doc__


def test_the_risk_of_a_learning_attacker_at_every_size_of_its_prior():
    rng = np.random.default_rng(12)
    assert sampling.learning_attacker_risk(
        10, 2, n_sampled=3, concentration=1e308, categories=100
    ) == pytest.approx(1 / (1 + 6 / 100))
    for _ in range(500):
        n = int(rng.choice([1, 2, 10, 10**6, 10**20]))
        n0 = int(rng.integers(1, min(n, 50) + 1))
        s = int(rng.integers(1, min(n, 10**6) + 1))
        alpha = float(10 ** rng.uniform(-320, 308))
        values = int(rng.choice([1, 2, 10**6, 10**400]))
        risk = sampling.learning_attacker_risk(
            n, n0, n_sampled=s, concentration=alpha, categories=values
        )
        a, left = Fraction(alpha), max(n - n0 - s + 1, 0)
        right = 1 / (1 + left * (1 + a) / (n0 + a * values + s - 1))
        assert right <= Fraction(risk) <= right * (1 + Fraction(1, 10**15)) + Fraction(5e-324)


def test_risks_of_equation_1_by_enumeration():
    """All known people, all releases that she holds possible, all records."""
    for n, n0 in [(2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2)]:
        for s in range(1, n + 1):
            worst = Fraction(0)
            for known in itertools.product(range(n0), repeat=n0):
                q = {v: Fraction(known.count(v), n0) for v in set(known)}
                seen = defaultdict(Fraction)
                for unknown in itertools.product(q, repeat=n - n0):
                    weight = math.prod((q[v] for v in unknown), start=Fraction(1))
                    table = known + unknown
                    for chosen in itertools.permutations(range(n), s):
                        release = tuple(table[r] for r in chosen)
                        seen[release] += weight
                        seen[release, chosen[0]] += weight
                for (release, *_), weight in list(seen.items()):
                    if isinstance(release, tuple):
                        worst = max(worst, weight / seen[release])
            assert worst <= sampling.worst_case_risk(n, n0, n_sampled=s)
            assert worst <= sampling.identification_risk(n, n0, n_sampled=s)


def test_bernoulli_samples_by_adding_up_binomials():
    rng = np.random.default_rng(13)
    for _ in range(200):
        n = int(rng.integers(1, 40))
        p = float(rng.choice([rng.random(), 10 ** -rng.uniform(0, 12), 1 - 2.0**-50]))
        failure = float(rng.choice([rng.random(), 10 ** -rng.uniform(0, 300), 0.0]))
        result = sampling.bernoulli_risk(n, 1, p=p, failure=failure)
        q, tail = Fraction(p), Fraction(0)
        tails = {n: tail}
        for m in range(n, 0, -1):
            tail += math.comb(n, m) * q**m * (1 - q) ** (n - m)
            tails[m - 1] = tail
        size = min(m for m in range(1, n + 1) if tails[m] <= Fraction(failure))
        assert result.size == size
        assert (
            tails[size]
            <= Fraction(result.failure)
            <= tails[size] * (1 + Fraction(1, 10**9)) + (Fraction(5e-324))
        )
        assert result.risk == sampling.identification_risk(n, 1, n_sampled=size)


@pytest.mark.parametrize("n", [2**31 - 1, 2**31, 2**31 + 1, 10**10, 2**32 + 5, 10**12, 10**14])
@pytest.mark.parametrize("p", [0.1, Fraction(1, 3), 1e-9])
def test_bernoulli_samples_beyond_the_integers_of_c(n, p):
    """The incomplete beta function takes floats: no integer wraps round."""
    result = sampling.bernoulli_risk(n, 10, p=p, failure=1e-6)
    tail = special.betainc(result.size + 1, n - result.size, float(p))
    assert tail <= 1e-6 * (1 + 1e-7)
    below = special.betainc(result.size - 1, n - result.size + 2, float(p))
    assert below > 1e-6 * (1 - 1e-7)  # two records fewer are too few
    assert tail <= result.failure * (1 + 1e-7)
    assert result.risk > result.expected_risk
    assert result.size > n * p


def test_bernoulli_samples_of_any_number_of_people():
    for n in (10**20, 10**40):
        result = sampling.bernoulli_risk(n, 10, p=Fraction(1, 2), failure=1e-6)
        deviations = Fraction(result.size - n // 2) / (math.isqrt(n) // 2)
        assert float(deviations) == pytest.approx(stats.norm.isf(1e-6), rel=1e-6)
        assert result.failure <= 1e-6
    rare = sampling.bernoulli_risk(10**30, 10, p=1e-29, failure=1e-300)
    right = int(stats.poisson.isf(1e-300, 10)) if stats.poisson.isf(1e-300, 10) > 0 else None
    assert right is None or abs(rare.size - right) <= 2
    assert stats.poisson.logsf(rare.size, 10) <= math.log(1e-300) + 1e-6


def test_the_bound_of_the_tail_leaves_one_record_of_doubt():
    for n in (1, 2, 7, 30):
        for p in (Fraction(1, 10), Fraction(1, 2), Fraction(97, 100)):
            tails = [
                sum(
                    (math.comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(m + 1, n + 1)),
                    Fraction(0),
                )
                for m in range(n + 1)
            ]
            for m in range(n):
                bound = bounds.to_fraction(sampling._tail_bound(m, n, p))
                above = bounds.to_fraction(sampling._tail_bound(m + 1, n, p))
                assert above * (1 - Fraction(1, 10**30)) <= tails[m] <= bound


# ---------------------------------------------------------------------------------------------
# Designs
# ---------------------------------------------------------------------------------------------


def test_retention_reaches_the_level_in_fractions_and_in_floats():
    rng = np.random.default_rng(14)
    for _ in range(400):
        n = int(rng.choice([1, 2, 3, 1000, 10**8, 2**31, 2**62]))
        s = int(rng.integers(1, n + 1))
        N = int(rng.choice([2, 3, 4, 5, 1000, 10**30]))
        k = 1 + (n - 1) * float(rng.choice([0, 1e-15, rng.random() ** 8, 1]))
        if Fraction(k) > n:
            continue
        rho = design.retention_for_k(n, k, categories=N, n_sampled=s)
        ratio = (1 - Fraction(rho)) / N
        gamma = ratio / (Fraction(rho) + ratio)
        assert 1 + (n - s) * gamma + (s - 1) * gamma**2 >= Fraction(k)
        if N <= 5 and rho < 1:
            assert anonymity.pk_level(pram.retention_matrix(Fraction(rho), N), n, n_sampled=s) >= k
            if k < n:
                assert anonymity.pk_level(pram.retention_matrix(rho, N), n, n_sampled=s) >= k
    assert design.retention_for_k(10, 1, categories=3) == 1
    assert design.retention_for_k(10, 10, categories=3) == 0


def test_the_best_thinning_has_its_level():
    for n, k, N in [(50, 3, 2), (1000, 10.5, 10), (1000, Fraction(21, 2), 10**12)]:
        best = design.best_thinning(n, k, categories=N, share=0.1)
        ratio = (1 - Fraction(best.keep)) / N
        gamma = ratio / (Fraction(best.keep) + ratio)
        s = best.n_sampled
        assert 1 + (n - s) * gamma + (s - 1) * gamma**2 >= Fraction(k)


def test_what_a_label_prints_is_rounded_to_the_safe_side():
    rng = np.random.default_rng(15)
    for _ in range(60):
        n = int(rng.integers(2, 9))
        table = rng.integers(3, size=n)
        keep = float(rng.random() * 0.9)
        published = design.publish(
            table, n_sampled=int(rng.integers(2, n + 1)), transition=pram.retention_matrix(keep, 3),
            rng=rng,
        )  # fmt: skip
        label = design.risk_report(published, table=table)
        rows = [row.split("  (no protection")[0] for row in str(label).splitlines()[-8:]]
        lines = {row[:22].strip(): row[22:].split(" to ") for row in rows}
        assert float(lines["k table known"][0]) <= label.k_table_known
        assert float(lines["k participants known"][0]) <= label.k_participants_known
        assert float(lines["participation"][0]) <= label.participation[0]
        assert float(lines["participation"][1]) >= label.participation[1]
        assert float(lines["best guess"][1]) >= label.best_guess[1]
        assert float(lines["error of a share"][0]) >= label.error_of_a_share
        assert label.best_guess[1] * label.k_table_known <= 1 + 1e-9


def test_a_label_says_if_unless_the_package_made_the_release():
    A = pram.retention_matrix(0.5, 3)
    published = design.publish([0, 1, 1, 2, 2, 2], n_sampled=4, transition=A)
    assert str(published.risk_report()).startswith("A simple random sample, shuffled")
    assert published.risk_report() == design.risk_report(published)
    bare = design.risk_report(published.release, A, population_size=6)
    assert str(bare).startswith("True if the sample was simple, random and shuffled")
    assert (bare.k_table_known, bare.published) == (published.risk_report().k_table_known, False)
    for text in (str(bare), str(published.risk_report())):
        assert "all that is published of a person: the whole line" in text
    assert "**the whole line**" in design.risk_report.__doc__
    for more in ({"transition": A}, {"population_size": 6}):
        with pytest.raises(TypeError, match="a Publication has its own"):
            design.risk_report(published, **more)
    with pytest.raises(TypeError, match="population_size must be given"):
        design.risk_report(published.release, A)
    with pytest.raises(TypeError, match="transition must be given"):
        design.risk_report(published.release, population_size=6)


def test_a_label_with_a_table_that_is_not_the_population_is_refused():
    A = pram.retention_matrix(Fraction(1, 2), 2)
    with pytest.raises(ValueError, match="table must have population_size = 100 records, got 5"):
        design.risk_report([0, 0, 1], A, population_size=100, table=[0, 0, 1, 1, 1])
    published = design.publish([0, 0, 1, 1, 1], n_sampled=3, transition=A)
    with pytest.raises(ValueError, match="table must have population_size = 5 records, got 4"):
        design.risk_report(published, table=[0, 0, 1, 1])
    with pytest.raises(ValueError, match="release must be possible for the table"):
        design.risk_report([0, 0, 1], np.eye(2), population_size=3, table=[0, 1, 1])
    with pytest.raises(ValueError, match=r"n_sampled must be in 1\.\.2, got 3"):
        design.risk_report([0, 0, 1], A, population_size=2)


def test_a_label_of_lines_with_names_is_refused():
    A = pram.retention_matrix(0.5, ["ill", "well"])
    named = pd.Series(["ill", "well", "ill"], index=["ann", "bob", "cy"])
    with pytest.raises(ValueError, match=r"reset_index\(drop=True\)") as refused:
        design.risk_report(named, A, population_size=9)
    assert "ann" not in str(refused.value)
    fine = design.risk_report(named.reset_index(drop=True), A, population_size=9)
    assert fine == design.risk_report(["ill", "well", "ill"], A, population_size=9)


# ---------------------------------------------------------------------------------------------
# Releases
# ---------------------------------------------------------------------------------------------


def test_published_samples_are_simple_random_and_shuffled():
    rng = np.random.default_rng(16)
    ways = Counter(
        tuple(design.publish([0, 1, 2, 3], n_sampled=2, transition=np.eye(4), rng=rng).release)
        for _ in range(3000)
    )
    assert set(ways) == set(itertools.permutations(range(4), 2))
    assert stats.chisquare(list(ways.values())).pvalue > 1e-4
    A = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    shown = Counter(
        tuple(design.publish([0, 1], n_sampled=1, transition=A, rng=rng).release)
        for _ in range(3000)
    )
    expected = [3000 * A[:, a].mean() for a in range(3)]
    assert stats.chisquare([shown[a,] for a in range(3)], expected).pvalue > 1e-4


def test_what_is_published_has_no_index_and_cannot_be_changed():
    people = pd.Series(["ill", "well"] * 20, index=[f"person {i}" for i in range(40)])
    A = pram.retention_matrix(0.3, ["ill", "well"])
    made = [
        design.publish(people, n_sampled=20, transition=A),
        design.publish(people.astype("category"), n_sampled=20, transition=A),
        design.publish(people.astype("category").array, n_sampled=20, transition=A),
        design.publish(people.tolist(), n_sampled=20, transition=A),
    ]
    for published in made:
        assert type(published.release) is np.ndarray
        assert set(published.release.tolist()) <= {"ill", "well"}
        assert published.shown_categories == ("ill", "well")
        assert published.risk_report().records == 40
        with pytest.raises(ValueError, match="read-only"):
            published.release[0] = "well"
        with pytest.raises(ValueError, match="read-only"):
            published.transition[0, 0] = 1
        with pytest.raises(AttributeError):
            published.n_sampled = 3
        for twin in (pickle.loads(pickle.dumps(published)), copy.deepcopy(published)):
            assert twin.risk_report() == published.risk_report()
            assert twin.release.tolist() == published.release.tolist()
            with pytest.raises(ValueError, match="read-only"):
                twin.release[0] = "well"
        assert "ill" not in repr(published)
    matrix = np.array([[0.75, 0.25], [0.25, 0.75]])
    codes = design.publish([0, 1, 1], n_sampled=2, transition=matrix)
    matrix[:] = np.eye(2)
    assert codes.transition.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    graph = design.publish([0, 1, 1], n_sampled=2, transition=sparse.csr_array(codes.transition))
    assert graph.transition.tolist() == codes.transition.tolist()


def test_what_cannot_be_published_is_refused():
    A = pram.retention_matrix(0.5, 2)
    with pytest.raises(ValueError, match=r"of several columns make one of joint codes.*np\.kron"):
        design.publish([[0, 1], [1, 0]], n_sampled=1, transition=A)
    with pytest.raises(ValueError, match=r"got shape \(2, 2\); of several columns"):
        pram.apply_pram(pd.DataFrame({"a": [0, 1], "b": [1, 0]}), A)
    with pytest.raises(ValueError, match=r"n_sampled must be in 1\.\.3, got 4"):
        design.publish([0, 1, 1], n_sampled=4, transition=A)
    with pytest.raises(ValueError, match=r"n_sampled must be in 1\.\.3, got 0"):
        design.publish([0, 1, 1], n_sampled=0, transition=A)
    for missing in ([0.0, math.nan], pd.Series([0, None]), pd.Series([0, pd.NA], dtype="Int64")):
        with pytest.raises(ValueError, match='a category of their own, such as "missing"'):
            design.publish(missing, n_sampled=1, transition=A)
    labels = pram.retention_matrix(0.5, ["yes", "no"])
    for missing in (["yes", None], pd.Series(["yes", math.nan]), ["yes", pd.NaT]):
        with pytest.raises(ValueError, match='a category of their own, such as "missing"'):
            pram.apply_pram(missing, labels)
    with pytest.raises(ValueError, match="every row of transition must sum to 1"):
        design.publish([0], n_sampled=1, transition=[[0.5, 0.4]])
    # That somebody has the rare value must not be told by the categories.
    happen = pd.Series(["flu", "flu", "hiv"]).astype("category")
    with pytest.raises(ValueError, match="transition must have labels for a categorical table"):
        design.publish(happen, n_sampled=2, transition=A)
    public = pram.retention_matrix(0.5, ["flu", "hiv", "none"])
    assert design.publish(happen, n_sampled=2, transition=public).shown_categories == (
        "flu",
        "hiv",
        "none",
    )


def test_no_message_quotes_a_value_of_the_table():
    secret = "syphilis"
    A = pram.retention_matrix(0.5, ["yes", "no"])
    calls = [
        lambda: pram.apply_pram(["yes", secret], A),
        lambda: pram.apply_pram(["yes", secret], A.to_numpy()),
        lambda: pram.apply_pram([0, 987654], A.to_numpy()),
        lambda: pram.apply_pram([0.5, 987654.25], A.to_numpy()),
        lambda: design.publish(["yes", secret], n_sampled=1, transition=A),
        lambda: design.risk_report(["yes"], A, population_size=2, table=["yes", secret]),
        lambda: posterior.match_matrix(["yes", secret], ["yes"], transition=A),
        lambda: linkage.linkage_beliefs([0, -987654], 1, n_sampled=1, categories=2, draws=1),
        lambda: linkage.linkage_beliefs([secret], 1, n_sampled=1, categories=2, draws=1),
        lambda: pram.apply_pram([["yes", secret]], A),
        lambda: pram.apply_pram(["yes", {"why": secret}], A),
    ]
    for call in calls:
        with pytest.raises(REFUSED) as refused:
            call()
        assert secret not in str(refused.value)
        assert "987654" not in str(refused.value)


def test_a_required_sample_size_is_no_default():
    A = pram.retention_matrix(0.5, 2)
    calls = {
        "publish": lambda: design.publish([0, 1, 1, 0], n_sampled=None, transition=A),
        "conditional_poisson_pk_level": lambda: anonymity.conditional_poisson_pk_level(
            A, [1, 1, 2], n_sampled=None
        ),
        "linkage_beliefs": lambda: linkage.linkage_beliefs(
            [0, 1, 1], 1, n_sampled=None, categories=2, draws=2, rng=1
        ),
        "identification_risk": lambda: sampling.identification_risk(9, 2, n_sampled=None),
        "worst_case_risk": lambda: sampling.worst_case_risk(9, 2, n_sampled=None),
        "learning_attacker_risk": lambda: sampling.learning_attacker_risk(9, 2, n_sampled=None),
        "pk_level_map": lambda: knowledge_models.pk_level_map(
            A, 9, n_known=2, n_sampled=None, shown=1
        ),
    }
    for name, call in calls.items():
        with pytest.raises(TypeError, match=f"^{name}: n_sampled must be an integer") as error:
            call()
        assert "pass n_sampled=len(records) if all are meant" in str(error.value)
    # Where the documentation says that all are meant, they are.
    assert anonymity.pk_level(A, 4) == anonymity.pk_level(A, 4, n_sampled=4)


@pytest.mark.parametrize("ending", ["\0", "\0\0"])
@pytest.mark.parametrize("kind", [str, bytes])
def test_a_nul_at_the_end_of_a_label_is_not_lost(kind, ending):
    a, b = ("a", "b") if kind is str else (b"a", b"b")
    other = a + ending if kind is str else a + ending.encode()
    flip = [[0.0, 1.0], [1.0, 0.0]]
    keep = pd.DataFrame(np.eye(2), [a, b], [a, b])
    lines = {"x": [other, b]}
    by_line = {"transitions": {"x": keep}, "population_size": 2}
    for call in (
        lambda: pram.apply_pram([other, b], flip, categories=[a, b]),
        lambda: pram.apply_pram((b, other), keep),
        lambda: pram.apply_pram([a, b], flip, categories=[other, b]),
        lambda: design.publish([other, b], n_sampled=2, transition=keep),
        lambda: design.risk_report([other, b], keep, population_size=2),
        lambda: design.risk_report(lines, **by_line),
        lambda: design.risk_report({"x": [a, b]}, table=lines, **by_line),
        lambda: design.estimate_shares([other, b], keep, n=2),
        lambda: intervals.share_intervals([other, b], keep),
        lambda: posterior.match_probability([other, b], [a], transition=keep, record=0, slot=0),
    ):
        with pytest.raises(ValueError, match="must be among the categories, got 1 of 2"):
            call()
    # Two labels that differ by it are two labels, in what comes in and in what comes out.
    assert pram.apply_pram([a, other, a], flip, categories=[a, other]).tolist() == [other, a, other]
    both = pd.DataFrame(np.eye(2), [a, other], [a, other])
    release = design.publish([a, other, other], n_sampled=3, transition=both).release
    assert Counter(release.tolist()) == {a: 1, other: 2}
    # Others come out as before.
    assert pram.apply_pram([a, b], flip, categories=[a, b]).dtype == np.array([a, b]).dtype


def test_bytes_beside_numbers_stay_what_they_are():
    flip = [[0.0, 1.0], [1.0, 0.0]]
    assert pram.apply_pram([b"1", 1], flip, categories=[b"1", 1]).tolist() == [1, b"1"]


def test_labels_of_several_kinds_stay_what_they_are():
    A = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], index=[1, "a"], columns=[1, "a"])
    shown = pram.apply_pram([1, "a", "a"], A)
    assert shown.tolist() == ["a", 1, 1]
    assert pram.apply_pram([1, "a"], [[0, 1], [1, 0]], categories=[1, "a"]).tolist() == ["a", 1]
    days = pd.to_datetime(["2020-01-01", "2020-02-01"])
    flip = pd.DataFrame([[0.0, 1.0], [1.0, 0.0]], index=days, columns=days)
    assert list(pram.apply_pram(pd.Series(days), flip)) == [days[1], days[0]]
    assert list(pram.apply_pram(days.to_numpy(), flip)) == [days[1], days[0]]


class Fixed(np.random.Generator):
    """Uniform numbers that are given, and bits that are given after them."""

    def __init__(self, uniform, bits):
        super().__init__(np.random.PCG64(1))
        self.uniform, self.bits = uniform, bits

    def random(self, size):
        return np.full(size, self.uniform)

    def integers(self, _):
        return self.bits


def test_entries_below_the_last_bit_of_a_uniform_number_have_their_probability():
    tiny = 1e-20
    A = [[1 - tiny, tiny], [tiny, 1 - tiny]]
    # A uniform number of 1/2 with the next bits 0 is at the very limit of the second column.
    assert pram.apply_pram([0], A, rng=Fixed(0.5, 0)).tolist() == [1]
    assert pram.apply_pram([0], A, rng=Fixed(0.5, 2**62)).tolist() == [0]  # past 1e-20
    assert pram.apply_pram([1], A, rng=Fixed(0.0, 0)).tolist() == [0]
    assert pram.apply_pram([1], A, rng=Fixed(0.0, 2**62)).tolist() == [1]
    limit = (np.array([0, 1e-20, 2e-20]) * 2 ** (53 + 63)).astype(object)
    bits = [int(x) for x in limit]
    shown = [pram.apply_pram([1], A, rng=Fixed(0.0, b)).tolist()[0] for b in bits]
    assert shown == [0, 0, 1]  # a column is half as wide: 2e-20 is the limit of the draw
    rng = np.random.default_rng(17)
    drawn = pram.apply_pram(np.ones(10**6, dtype=int), A, rng=rng)
    assert drawn.all()


def test_the_tables_of_a_rewriting_are_added_up():
    rng = np.random.default_rng(18)
    for _ in range(200):
        A = nasty_matrix(rng, exact=False)
        pram.apply_pram(np.zeros(1, dtype=int), A)
        share, alias = _rewriting.alias_tables(A)
        share = np.where(share < 1, share, 0.99)
        if A.shape[1] > 1 and (alias.reshape(A.shape) != np.arange(A.shape[1])).any():
            with pytest.raises(UncertifiedError, match=r"probability of a shown category|an entry"):
                _rewriting.certify_tables("apply_pram", A, np.roll(share, 1) * 0.9, alias)


# ---------------------------------------------------------------------------------------------
# Labels are not positions
# ---------------------------------------------------------------------------------------------


def test_counts_in_the_order_of_frequency_are_refused():
    shown = pd.Series([2] * 70 + [0] * 20 + [1] * 10)
    A = pram.retention_matrix(0.8, 3)
    named = pram.retention_matrix(0.8, ["a", "b", "c"])
    for counts in (shown.value_counts(), shown.map({0: "a", 1: "b", 2: "c"}).value_counts()):
        for matrix in (A, named):
            with pytest.raises(ValueError, match=r"counts\.reindex\(categories, fill_value=0\)"):
                pram_estimation.mle_proportions(counts, matrix)
            with pytest.raises(ValueError, match=r"shares\.reindex\(categories, fill_value=0\)"):
                pram_estimation.invariant_matrix(matrix, counts)
            with pytest.raises(ValueError, match=r"shares\.reindex\(categories, fill_value=0\)"):
                design.share_variance(counts / 100, matrix, n=200, n_sampled=100)
    right = pram_estimation.mle_proportions(np.bincount(shown), A)[0]
    ordered = shown.value_counts().reindex(range(3), fill_value=0)
    assert pram_estimation.mle_proportions(ordered, A)[0].tolist() == right.tolist()
    with pytest.raises(TypeError, match=r"counts must have an order.* got a Counter"):
        pram_estimation.mle_proportions(Counter(shown.tolist()), A)
    by_name = pram_estimation.mle_proportions(Counter({"c": 70, "a": 20, "b": 10}), named)[0]
    assert by_name.tolist() == right.tolist()


def test_matrices_whose_labels_are_out_of_order_are_refused():
    A = pd.DataFrame(pram.retention_matrix(0.8, 3))
    assert anonymity.pk_level(A, 5) == anonymity.pk_level(A.to_numpy(), 5)
    for turned in (A.iloc[[2, 0, 1], [2, 0, 1]], A.iloc[[2, 0, 1]], A.iloc[:, [1, 0, 2]]):
        for call in (
            lambda x: pram.apply_pram([0, 1, 2], x),
            lambda x: pram_estimation.mle_proportions([1, 2, 3], x),
            lambda x: design.estimate_shares([0, 1, 2], x, n=5),
            lambda x: posterior.match_matrix([0, 1, 2], [1], transition=x, by="value"),
            lambda x: design.publish([0, 1, 2], n_sampled=1, transition=x),
        ):
            with pytest.raises(ValueError, match=r"in (the same )?order"):
                call(turned)
    words = pd.DataFrame(A.to_numpy(), index=list("abc"), columns=list("bca"))
    with pytest.raises(ValueError, match=r"pass transition\[transition.index\]"):
        design.estimate_shares(list("abc"), words, n=5)
    fine = design.estimate_shares(list("abc"), words[words.index], n=5)
    assert np.isfinite(fine.estimate).all()
    values = pd.Series(pd.Categorical([0, 1], categories=[1, 0]))
    with pytest.raises(ValueError, match="the categories of the table"):
        posterior.match_matrix(values, values, transition=pram.retention_matrix(0.5, 2))


# ---------------------------------------------------------------------------------------------
# Work that is too large, and sizes of machines
# ---------------------------------------------------------------------------------------------


def test_too_much_work_is_refused_before_it_starts():
    started = time.process_time()
    many = 300
    A = pram.retention_matrix(0.5, many)
    rng = np.random.default_rng(19)
    table = rng.integers(many, size=20_000)
    with pytest.raises(ValueError, match="steps of method 'rook'"):
        posterior.match_matrix(table, table[:10_000], transition=A, by="value")
    few = pram.retention_matrix(Fraction(1, 2), 4)
    with pytest.raises(ValueError, match="steps of method 'rook'"):
        posterior.match_probability(
            np.arange(40_000) % 4, np.arange(20_000) % 4, transition=few, record=0, slot=0
        )
    with pytest.raises(ValueError, match="steps of method 'permanent'"):
        posterior.match_probability(
            np.arange(10**6) % 2, np.arange(16) % 2, transition=HALF, record=0, slot=0,
            method="permanent",
        )  # fmt: skip
    with pytest.raises(ValueError, match=r'entries of the matrix must be at most.*by="value"'):
        posterior.match_matrix(np.zeros(10**6, int), np.zeros(10**4, int), transition=[[1.0]])
    with pytest.raises(ValueError, match="n times draws must be at most"):
        linkage.linkage_beliefs([0, 1], 1, n_sampled=1, categories=2, draws=10**12)
    with pytest.raises(ValueError, match="entries of the matrix must be at most"):
        pram.retention_matrix(0.5, 10**6)
    assert time.process_time() - started < 3


def test_equal_categories_share_their_rook_polynomials(monkeypatch):
    rng = np.random.default_rng(20)
    calls = []
    rook = _permanents.rook
    monkeypatch.setattr(_permanents, "rook", lambda *given: calls.append(1) or rook(*given))
    for A in (
        pram.retention_matrix(Fraction(1, 3), 6),
        np.diag([Fraction(k, 20) for k in range(1, 7)])
        + np.outer([1 - Fraction(k, 20) for k in range(1, 7)], [Fraction(1, 6)] * 6),
    ):
        table, release = rng.integers(6, size=12), rng.integers(6, size=5)
        if not (A[0, 1:] == A[1, 2]).all():
            continue
        found = posterior.match_matrix(table, release, transition=A, by="value")
        plain = posterior.match_matrix(table, release, transition=A, by="value",
                                       method="generating")  # fmt: skip
        assert (found == plain).all()
    calls.clear()
    posterior.match_matrix(np.arange(40), np.arange(20), transition=pram.retention_matrix(0.5, 40))
    assert len(calls) <= 6  # shown or not, the same or not, and all


def test_codes_of_any_size_take_no_memory():
    claims = linkage.linkage_beliefs(
        [10**9, 2**62, 7, 10**9], 2, n_sampled=2, categories=2**62, draws=5, rng=1
    )
    plain = linkage.linkage_beliefs([1, 2, 0, 1], 2, n_sampled=2, categories=2**62, draws=5, rng=1)
    assert claims.right.tolist() == plain.right.tolist()
    assert claims.people.tolist() == plain.people.tolist()
    named = pd.Series([0, 1, 2], index=["ann", "bob", "cy"])
    assert linkage.linkage_beliefs(named, 1, n_sampled=2, categories=3, draws=9, rng=1).draw.size


# ---------------------------------------------------------------------------------------------
# The second route does see what is wrong
# ---------------------------------------------------------------------------------------------


def test_a_ratio_that_is_lost_is_noticed(monkeypatch):
    A = np.array([[0.6, 0.3, 0.1], [0.1, 0.4, 0.5], [0.7, 0.1, 0.2]])
    extremes = ratios.of_pairs

    def lossy(*given):  # as if one pair of rows had been left out
        low, high, *places = extremes(*given)
        return (np.minimum(low * 1.01, 1), high, *places)

    monkeypatch.setattr(ratios, "of_pairs", lossy)
    for call in (
        lambda: anonymity.pk_level(A, 20),
        lambda: anonymity.pk_level(A, 20, n_sampled=5, shown=2),
        lambda: anonymity.pk_level_response_knowledge(A, 20),
        lambda: anonymity.membership_interval(A, 20, n_sampled=5),
        lambda: anonymity.stratified_pk_level(A, [9, 9], samples=[2, 3]),
        lambda: anonymity.stratified_pk_level(A, [9, 9], samples=[2, 3], labels="hidden"),
        lambda: anonymity.conditional_poisson_pk_level(A, [1, 2, 3], n_sampled=1),
        lambda: knowledge_models.pk_level_map(A, 20, n_known=3, n_sampled=5, shown=1),
    ):
        with pytest.raises(UncertifiedError):
            call()


def test_logarithms_that_are_lost_are_noticed(monkeypatch):
    monkeypatch.setattr(bounds, "mpf_up", lambda value: float(value) * 0.999)
    with pytest.raises(UncertifiedError, match="local_dp_epsilon"):
        local_dp.local_dp_epsilon([[0.75, 0.25], [0.25, 0.75]])
    with pytest.raises(UncertifiedError, match="amplified_epsilon"):
        local_dp.amplified_epsilon(1, 0.5)
    with pytest.raises(UncertifiedError, match="amplified_epsilon"):
        local_dp.amplified_epsilon(1e-3, 1e-5)
    monkeypatch.setattr(bounds, "exp_down", lambda x: Fraction(math.exp(x) * 1.001))
    with pytest.raises(UncertifiedError, match="local_dp_pk_level"):
        local_dp.local_dp_pk_level(1.0, 10)
    with pytest.raises(UncertifiedError, match="neighbour_delta"):
        pram_estimation.neighbour_delta([[0.9, 0.1], [0.1, 0.9]], 1.0)


def test_a_permanent_that_is_wrong_is_noticed(monkeypatch):
    calls = itertools.count()
    rook = _permanents.rook
    monkeypatch.setattr(_permanents, "rook", lambda *given: rook(*given) + 0.01 * next(calls))
    A = pram.retention_matrix(0.5, 3)
    with pytest.raises(UncertifiedError, match=r"behind a slot|somebody"):
        posterior.match_matrix([0, 1, 1, 2], [0, 1], transition=A)
    with pytest.raises(UncertifiedError, match="risk_report: "):
        design.risk_report([0, 1], A, population_size=4, table=[0, 1, 1, 2])


def test_a_sample_size_that_is_too_large_is_noticed(monkeypatch):
    monkeypatch.setattr(sampling, "_first", lambda good, n: 120)
    with pytest.raises(UncertifiedError, match="probability of a larger sample"):
        sampling.bernoulli_risk(1000, 10, p=0.1, failure=1e-6)
    monkeypatch.setattr(sampling, "identification_risk", lambda *given, **more: Fraction(1, 2))
    with pytest.raises(UncertifiedError, match="max_sample_size"):
        sampling.max_sample_size(1000, 10, k=10)


def test_a_retention_that_misses_its_level_is_noticed(monkeypatch):
    monkeypatch.setattr(design, "_retention_level", lambda *given: Fraction(10**9))
    monkeypatch.setattr(design, "_retention", lambda *given: 0.49)
    for N in (3, 10):
        with pytest.raises(UncertifiedError, match="retention_for_k: the level must be at least k"):
            design.retention_for_k(1000, 200, categories=N)


def test_an_invariant_matrix_is_one():
    R = pram_estimation.invariant_matrix([[0.75, 0.25], [0.25, 0.75]], [3, 1])
    assert np.allclose(R.sum(axis=1), 1)
    assert np.allclose([0.75, 0.25] @ R, [0.75, 0.25])


def test_shares_that_need_no_spread_have_none():
    variance = design.share_variance([1.0, 0.0], np.eye(2), n=10, n_sampled=5)
    assert (variance >= 0).all()
    with pytest.raises(ValueError, match="join regions or categories that have so few"):
        design.estimate_shares([0], pram.retention_matrix(0.5, 2), n=3)
    assert "may be negative" in design.estimate_shares.__doc__


def test_every_source_of_private_noise_warns_of_seeds():
    for function in (pram.apply_pram, design.publish):
        assert "never for a release" in " ".join(function.__doc__.split())
        assert "rng=" not in function.__doc__.split("Examples")[1]
