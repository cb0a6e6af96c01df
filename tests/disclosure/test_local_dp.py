"""Tests of `privlib.disclosure.local_dp`: every table and release enumerated, bad input."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from privlib.disclosure import anonymity, local_dp, pram

from .small_tables import SHAPES, enumerate_weights, minima_by_definition, random_matrix

ZERO = [[1.0, 0.0], [0.5, 0.5]]


def test_gamma_is_the_local_guarantee():
    rng = np.random.default_rng(9)
    for shape in SHAPES:
        A = random_matrix(rng, *shape)
        smallest_epsilon = max(
            math.log(A[v][a] / A[u][a])
            for u, v in itertools.permutations(range(shape[0]), 2)
            for a in range(shape[1])
        )
        epsilon = local_dp.local_dp_epsilon(A)
        assert epsilon == pytest.approx(smallest_epsilon, rel=1e-12)
        assert local_dp.local_dp_epsilon(np.array(A, dtype=float)) == pytest.approx(epsilon)
        for n, s in [(5, 2), (4, None)]:
            assert local_dp.local_dp_pk_level(epsilon, n, n_sampled=s) <= anonymity.pk_level(
                A, n, n_sampled=s
            ) * (1 + 1e-12)
    A = pram.retention_matrix(Fraction(2, 7), 4)
    level = local_dp.local_dp_pk_level(local_dp.local_dp_epsilon(A), 50, n_sampled=20)
    assert level == pytest.approx(float(anonymity.pk_level(A, 50, n_sampled=20)), rel=1e-12)
    tiny = pram.retention_matrix(1 - Fraction(1, 10**400), 2)  # gamma below every float
    assert local_dp.local_dp_epsilon(tiny) == pytest.approx(400 * math.log(10) + math.log(2))


def output_ratio(A, n, s):
    """Largest ratio of the laws of the release of two tables that differ in record 0."""
    _, weights = enumerate_weights(A, n, s)
    probability = weights.sum(axis=2).astype(object)
    tables = list(itertools.product(range(len(A)), repeat=n))
    place = {table: i for i, table in enumerate(tables)}
    ratios = [
        Fraction(int(x), int(y))
        for table in tables
        for value in range(len(A))
        for x, y in zip(probability[place[table]], probability[place[(value, *table[1:])]])
    ]
    return max(ratios)


@pytest.mark.parametrize(("n", "s", "N"), [(2, 1, 2), (3, 2, 2), (4, 1, 2), (3, 2, 3), (3, 3, 2)])
def test_amplification_is_exact_for_retention(n, s, N):
    A = pram.retention_matrix(Fraction(2, 5), N).tolist()
    epsilon = local_dp.local_dp_epsilon(A)
    truth = math.log(output_ratio(A, n, s))
    assert local_dp.amplified_epsilon(epsilon, s / n) == pytest.approx(truth, rel=1e-12)


@pytest.mark.parametrize(("n", "s"), [(2, 1), (3, 1), (3, 2), (3, 3), (4, 2)])
def test_amplification_is_exact_for_every_matrix(n, s):
    rng = np.random.default_rng([n, s])
    for shape in SHAPES[: 3 if n == 4 else 4]:
        A = random_matrix(rng, *shape)
        gamma, _ = minima_by_definition(A)
        truth = output_ratio(A, n, s)
        assert truth == 1 + Fraction(s, n) * (1 / gamma - 1)
        found = local_dp.amplified_epsilon(local_dp.local_dp_epsilon(A), s / n)
        assert found == pytest.approx(math.log(truth), rel=1e-12)


def test_amplification_at_its_limits():
    assert local_dp.amplified_epsilon(3, 1) == 3
    assert local_dp.amplified_epsilon(0, 0.3) == 0
    assert local_dp.amplified_epsilon(1e-12, 0.25) == pytest.approx(0.25e-12, rel=1e-9)
    assert local_dp.amplified_epsilon(2000, 0.01) == pytest.approx(2000 + math.log(0.01), rel=1e-12)
    below, above = (local_dp.amplified_epsilon(x, 0.1) for x in (1 - 1e-12, 1 + 1e-12))
    assert below == pytest.approx(above, rel=1e-10)  # the two branches meet


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: local_dp.local_dp_epsilon(ZERO), "local_dp_epsilon: transition must not"),
        (lambda: local_dp.local_dp_pk_level(-1, 5), "epsilon must not be negative, got -1"),
        (lambda: local_dp.amplified_epsilon(-1, 0.5), "epsilon must not be negative, got -1"),
        (
            lambda: local_dp.amplified_epsilon(1, 0),
            r"amplified_epsilon: p must be in \(0, 1\], got 0",
        ),
    ],
)
def test_bad_values_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: local_dp.local_dp_pk_level("1", 5), "epsilon must be a real number"),
        (lambda: local_dp.amplified_epsilon(1, "p"), "p must be a real number"),
    ],
)
def test_bad_types_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()
