"""Tests of `privlib.disclosure.pram`: the distribution of what is shown, labels, bad input."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privlib.disclosure import pram

from .small_tables import QUARTERS

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (4, 1), (1, 6), (10, 10)])
def test_rewriting_follows_the_matrix(shape):
    rng = np.random.default_rng([11, *shape])
    A = rng.dirichlet(np.full(shape[1], 0.5), size=shape[0])
    values = rng.integers(shape[0], size=600_000)
    shown = pram.apply_pram(values, A, rng=rng)
    counts = np.zeros(shape)
    np.add.at(counts, (values, shown), 1)
    expected = counts.sum(axis=1, keepdims=True) * A
    big = expected > 5
    chi2 = ((counts - expected) ** 2 / np.where(big, expected, 1))[big].sum()
    assert shape[1] == 1 or stats.chi2.sf(chi2, big.sum() - shape[0]) > 1e-3
    assert shown.shape == values.shape


def test_records_are_rewritten_independently():
    rng = np.random.default_rng(12)
    shown = pram.apply_pram(np.zeros(400_000, dtype=int), [[0.5, 0.5]], rng=rng)
    for lag in (1, 2, 1000):  # products of fair signs: mean 0, variance 1 / count
        signs = (2 * shown[lag:] - 1) * (2 * shown[:-lag] - 1)
        assert abs(signs.mean()) * math.sqrt(signs.size) < 4


def test_zeros_and_ones_are_kept_exactly():
    rng = np.random.default_rng(13)
    values = rng.integers(4, size=300_000)
    assert (pram.apply_pram(values, np.eye(4), rng=rng) == values).all()
    cycle = np.roll(np.eye(4), 1, axis=1).astype(int)
    assert (pram.apply_pram(values, cycle, rng=rng) == (values + 1) % 4).all()
    holes = [[Fraction(1, 3), 0, Fraction(2, 3)], [0, 1, 0]]
    shown = pram.apply_pram(values % 2, holes, rng=rng)
    assert set(zip((values % 2).tolist(), shown.tolist())) == {(0, 0), (0, 2), (1, 1)}


def test_labels_are_the_codes_by_name():
    labels = np.array(["tea", "coffee", "water"])  # not sorted
    values = np.random.default_rng(14).integers(3, size=1000)
    A = pram.retention_matrix(0.3, 3)
    codes = pram.apply_pram(values, A, rng=np.random.default_rng(1))
    named = pram.apply_pram(labels[values], A, rng=np.random.default_rng(1), categories=labels)
    assert (named == labels[codes]).all()


@pytest.mark.parametrize("n", [1, 1000, 2**18 + 3])
def test_rewriting_draws_one_number_for_each_record(n):
    rng, other = np.random.default_rng(15), np.random.default_rng(15)
    pram.apply_pram(np.zeros(n, dtype=int), pram.retention_matrix(0.5, 10), rng=rng)
    other.random(n)
    assert rng.bit_generator.state == other.bit_generator.state


def test_a_seed_is_a_generator():
    values, A = np.arange(1000) % 3, pram.retention_matrix(0.5, 3)
    seeded = pram.apply_pram(values, A, rng=7)
    assert (seeded == pram.apply_pram(values, A, rng=np.random.default_rng(7))).all()
    assert (seeded == pram.apply_pram(values, A, rng=np.int64(7))).all()
    assert (pram.apply_pram(values, A) != pram.apply_pram(values, A)).any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pram.retention_matrix(1.5, 2), r"retention_matrix: keep must be in \[0, 1\]"),
        (lambda: pram.retention_matrix(0.5, 0), "categories must be at least 1, got 0"),
        (lambda: pram.apply_pram([2], QUARTERS, rng=RNG), "values must be in 0..1, got 1 of 1"),
        (
            lambda: pram.apply_pram([-1], QUARTERS, rng=RNG),
            "values must be in 0..1, got 1 of 1",
        ),
        (lambda: pram.apply_pram([], QUARTERS, rng=RNG), "values must be a non-empty vector"),
        (
            lambda: pram.apply_pram(["c"], QUARTERS, rng=RNG, categories=["a", "b"]),
            "values must be among the categories, got 1 of 1",
        ),
        (
            lambda: pram.apply_pram([], QUARTERS, rng=RNG, categories=["a", "b"]),
            "values must be a non-empty vector",
        ),
        (
            lambda: pram.apply_pram(["a"], QUARTERS, rng=RNG, categories=["a", "a"]),
            "categories must be 2 distinct labels, got .'a', 'a'",
        ),
        (
            lambda: pram.apply_pram(["a"], QUARTERS, rng=RNG, categories=["a", "b", "b"]),
            r"categories must be 2 distinct labels, got \['a', 'b', 'b'\]",
        ),
        (
            lambda: pram.apply_pram(["a"], QUARTERS, rng=RNG, categories=["a"]),
            r"categories must be 2 distinct labels, got \[\'a\'\]",
        ),
        (
            lambda: pram.apply_pram(["a"], [[0.5, 0.3, 0.2]], rng=RNG, categories=["a"]),
            "transition must be square with categories",
        ),
        (
            lambda: pram.apply_pram(["a"], [[1], [1]], rng=RNG, categories=["a", "b"]),
            "transition must be square with categories",
        ),
    ],
)
def test_bad_values_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pram.retention_matrix("x", 2), "keep must be a real number"),
        (lambda: pram.retention_matrix(0.5, 2.0), "categories must be an integer"),
        (lambda: pram.apply_pram([0.5], QUARTERS, rng=RNG), "values must hold integer codes"),
        (lambda: pram.apply_pram([0], QUARTERS, rng=7.0), "rng must be None, an integer seed or a"),
    ],
)
def test_bad_types_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()
