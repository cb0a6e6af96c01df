"""Tests of `privlib.correlated.finite`: closed forms, an oracle on a grid, properties."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from privlib.correlated import _closed_form, finite
from privlib.correlated.adversary import Adversary, adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.research.markov_chain import MarkovChain

INDEPENDENT = [[0.1, 0.3], [0.15, 0.45]]
POSITIVE = [[0.49, 0.01], [0.01, 0.49]]
NEGATIVE = [[0.01, 0.49], [0.49, 0.01]]
TABLE_3 = {"a": INDEPENDENT, "b": POSITIVE, "c": NEGATIVE}
TWO_RELEASES = [
    [Fraction(999, 100000), Fraction(1, 100000)],
    [Fraction(891, 1000), Fraction(99, 1000)],
]
XOR = [[0, 1000], [1000, 0]]
XOR_DISTRIBUTION = [[0.5, 0], [0, 0.5]]
EPS = sympy.Symbol("eps", positive=True)
HALF = [[0.25, 0.25], [0.25, 0.25]]


def oracle(joint, target, known, scale, query, releases=1, grid=()):
    """BDPL by dictionaries over databases; outputs: all values of the query and a grid."""
    outputs = sorted({float(v) for v in query.values()} | set(grid))
    tuples = itertools.product(outputs, repeat=releases)
    repeated = {x: [q] * releases for x, q in query.items()}
    return by_outputs(joint, repeated, target, known, scale, list(tuples))


def by_outputs(joint, query, target, known, scale, outputs):
    """Largest log ratio over these outputs of several numbers, database by database."""
    best = 0.0
    for fixed in itertools.product(*({x[j] for x in joint} for j in known)):
        distributions = {}
        for x, p in joint.items():
            if p and all(x[j] == v for j, v in zip(known, fixed)):
                distributions.setdefault(x[target], []).append((p, query[x]))
        for ts in outputs:
            density = [
                sum(
                    p * math.exp(-sum(abs(t - q) for t, q in zip(ts, qs)) / scale)
                    for p, qs in distribution
                )
                / sum(p for p, _ in distribution)
                for distribution in distributions.values()
            ]
            best = max([best, *(math.log(a / b) for a in density for b in density)])
    return best


def dictionary(array):
    return {x: array[x] for x in np.ndindex(array.shape)}


@st.composite
def problems(draw, zeros=False):
    """A joint distribution in integers over its sum, and any query."""
    shape = tuple(draw(st.lists(st.integers(1, 3), min_size=1, max_size=3)))
    size = math.prod(shape)
    counts = draw(st.lists(st.integers(0 if zeros else 1, 9), min_size=size, max_size=size))
    counts[0] += not any(counts)
    joint = np.array([Fraction(c, sum(counts)) for c in counts]).reshape(shape)
    query = draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size))
    return joint, np.array(query, dtype=float).reshape(shape)


# --- Table 3 and other stated numbers --------------------------------------------------------


@pytest.mark.parametrize("eps", [0.1, 1.0, 5.0, 40.0])
def test_table_3_closed_forms(eps):
    y = math.exp(-eps)
    expected = {
        "a": eps,
        "b": math.log((49 + y) / (y + 49 * y**2)),
        "c": math.log((1 + 49 * y) / (49 * y + y**2)),
    }
    for name, joint in TABLE_3.items():
        for i in (0, 1):
            assert FiniteDistribution(joint).leakage(i, scale=1 / eps) == pytest.approx(
                expected[name], rel=1e-12
            )
            assert FiniteDistribution(joint).leakage(i, [1 - i], scale=1 / eps) == pytest.approx(
                eps
            )


def test_closed_forms_come_out_as_printed():
    e = sympy.exp(-EPS)
    expected = {
        "a": EPS,
        "b": sympy.log((49 + e) / (e + 49 * e**2)),
        "c": sympy.log((1 + 49 * e) / (49 * e + e**2)),
    }
    for name, joint in TABLE_3.items():
        closed = FiniteDistribution(joint).leakage(0, scale=1 / EPS)
        if name != "a":
            assert isinstance(closed, sympy.log)
        assert sympy.simplify(sympy.exp(closed) - sympy.exp(expected[name])) == 0
        assert FiniteDistribution(joint).leakage(0, [1], scale=1 / EPS) == EPS


def test_level_and_scale_of_table_3():
    worst = FiniteDistribution(POSITIVE).worst_adversary(scale=10)
    assert worst.adversary == Adversary(0)
    assert worst.leakage == pytest.approx(0.1959937256, abs=1e-10)
    assert FiniteDistribution(POSITIVE).all_leakages(scale=10)[0, (1,)] == pytest.approx(0.1)
    scale = FiniteDistribution(POSITIVE).noise_scale(0.1)
    assert scale == pytest.approx(19.59984, abs=5e-6)
    assert 1 / scale == pytest.approx(0.0510208, abs=5e-8)


def test_two_releases_leak_more_than_twice_as_much():
    joint = np.array(TWO_RELEASES, dtype=float)
    one = {lam: FiniteDistribution(joint).leakage(0, scale=lam) for lam in (1, 0.5)}
    two = {lam: FiniteDistribution(joint).leakage(0, scale=lam / 2) for lam in (1, 0.5)}
    assert one[1] == pytest.approx(1.156848, abs=5e-7)
    assert one[0.5] == pytest.approx(two[1], rel=1e-12)
    assert two[1] == pytest.approx(2.487660, abs=5e-7)
    assert two[0.5] == pytest.approx(5.797788, abs=5e-7)


def test_both_readings_of_impossible_conditions():
    for reading, expected in (("positive", 0), ("kernel", 1000)):
        distribution = FiniteDistribution(XOR_DISTRIBUTION, query=XOR, conditions=reading)
        table = distribution.all_leakages(scale=1)
        assert table[0, (1,)] == table[1, (0,)] == expected
        assert table[0, ()] == table[1, ()] == 0
        assert distribution.worst_adversary(scale=1).leakage == expected
        closed = distribution.leakage(0, [1], scale=1 / EPS)
        assert closed == expected * EPS
    assert FiniteDistribution(XOR_DISTRIBUTION, query=XOR).dp_level(scale=1) == 1000


def test_posteriors_of_section_4_4():
    strong = FiniteDistribution(POSITIVE).posterior(0, {1: 1}, output=9, scale=10)
    weak = FiniteDistribution(POSITIVE).posterior(0, {}, output=9, scale=10)
    np.testing.assert_allclose(strong, [0.018131, 0.981869], atol=5e-7)
    np.testing.assert_allclose(weak, [0.451158, 0.548842], atol=5e-7)


def test_posterior_moves_log_odds_by_the_leakage():
    rng = np.random.default_rng(7)
    joint = rng.dirichlet(np.ones(24)).reshape(2, 3, 4)
    for i, known in adversaries(3):
        moves = []
        for fixed in itertools.product(*(range(joint.shape[j]) for j in known)):
            values = dict(zip(known, fixed))
            axes = tuple(j for j in range(3) if j != i and j not in known)
            cell = tuple(
                slice(v, v + 1) if j in known else slice(None)
                for j, v in ((j, values.get(j, 0)) for j in range(3))
            )
            prior = joint[cell].sum(axis=axes).ravel()
            for t in range(7):
                odds = np.log(
                    FiniteDistribution(joint).posterior(i, values, output=t, scale=0.8) / prior
                )
                moves.append(np.ptp(odds))
        leak = FiniteDistribution(joint).leakage(i, known, scale=0.8)
        assert max(moves) == pytest.approx(leak, rel=1e-11)


# --- the oracle ------------------------------------------------------------------------------


@settings(max_examples=60)
@given(problems(zeros=True), st.sampled_from([0.3, 1.0, 7.0, 1e4]))
def test_against_the_oracle(problem, scale):
    joint, query = problem
    table = FiniteDistribution(joint.astype(float), query=query).all_leakages(scale=scale)
    assert list(table) == list(adversaries(joint.ndim))
    for (i, known), leak in table.items():
        expected = oracle(dictionary(joint), i, known, scale, dictionary(query))
        assert leak == pytest.approx(expected, rel=1e-9, abs=1e-13)
        assert FiniteDistribution(joint.astype(float), query=query).leakage(
            i, known, scale=scale
        ) == pytest.approx(leak, rel=1e-14)


@settings(max_examples=25)
@given(problems(), st.sampled_from([0.5, 2.0]))
def test_no_output_of_a_fine_grid_exceeds_the_breakpoints(problem, scale):
    joint, query = problem
    grid = np.linspace(query.min() - 2, query.max() + 2, 97)
    expected = oracle(dictionary(joint), 0, (), scale, dictionary(query), grid=grid)
    leak = FiniteDistribution(joint.astype(float), query=query).leakage(0, scale=scale)
    assert leak == pytest.approx(expected, rel=1e-10, abs=1e-13)


@settings(max_examples=25)
@given(problems(zeros=True), st.sampled_from([2, 3]), st.sampled_from([0.5, 3.0]))
def test_composition_against_the_oracle(problem, releases, scale):
    joint, query = problem
    grid = np.linspace(query.min() - 1, query.max() + 1, 6)  # products of outputs, not multisets
    for known in {(), tuple(range(1, joint.ndim))}:
        expected = oracle(dictionary(joint), 0, known, scale, dictionary(query), releases, grid)
        leak = FiniteDistribution(joint.astype(float), query=query).leakage(
            0, known, scale=scale / releases
        )
        assert leak == pytest.approx(expected, rel=1e-9, abs=1e-13)


def several(joint, numbers):
    """A distribution with a vector query, and the same query as a dictionary."""
    table = np.array(numbers, dtype=float).reshape(*joint.shape, -1)
    return FiniteDistribution(joint, query=table), {x: table[x] for x in np.ndindex(joint.shape)}


@given(problems(zeros=True), st.integers(0, 9), st.sampled_from([0.4, 2.0]))
@settings(max_examples=12)
@pytest.mark.slow
def test_several_numbers_are_worst_at_a_corner_of_their_grid(problem, seed, scale):
    joint, query = problem
    numbers = np.stack([query, np.random.default_rng(seed).integers(-1, 2, query.shape)], axis=-1)
    distribution, by_name = several(joint.astype(float), numbers)
    corners = list(itertools.product(*map(set, numbers.reshape(-1, 2).T)))
    fine = list(itertools.product(np.linspace(-4, 4, 9), repeat=2))
    named = dictionary(joint.astype(float))
    for who, leak in distribution.all_leakages(scale=scale).items():
        expected = by_outputs(named, by_name, *who, scale, corners)
        assert leak == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert by_outputs(named, by_name, *who, scale, fine) <= leak + 1e-9


def test_several_numbers_at_little_and_at_much_noise():
    joint = np.array([[0.3, 0.2], [0.1, 0.4]])
    distribution, _ = several(joint, [[[0, 0], [0, 1]], [[1, 0], [1, 1]]])
    assert distribution.dp_level(scale=4) == 0.25
    # Much: one unit, and by how much the other's mean moves, from 1/4 to 2/3 at most.
    assert distribution.noise_scale(1e-4) == pytest.approx(1e4 * (1 + 5 / 12), rel=1e-3)
    scale = distribution.noise_scale(1.5)
    assert distribution.worst_adversary(scale=scale).leakage == pytest.approx(1.5, abs=1e-9)
    # Little: one unit in the last place needs noise of its own size.
    same, _ = several(joint, [[[0.1 + 0.2, 1], [0.3, 1]], [[0.3, 1], [0.3, 1]]])
    assert same.noise_scale(1) == pytest.approx((0.1 + 0.2) - 0.3)


def test_what_is_believed_after_several_numbers():
    joint = np.array([[0.3, 0.2], [0.1, 0.4]])
    distribution, by_name = several(joint, [[[0, 0], [0, 2]], [[1, 0], [1, 2]]])
    t = np.array([0.3, 1.5])
    mass = {x: joint[x] * math.exp(-sum(map(abs, t - v)) / 0.7) for x, v in by_name.items()}
    one = np.array([mass[0, 0] + mass[0, 1], mass[1, 0] + mass[1, 1]])
    np.testing.assert_allclose(distribution.posterior(0, {}, output=t, scale=0.7), one / sum(one))
    known = np.array([mass[0, 1], mass[1, 1]])
    np.testing.assert_allclose(
        distribution.posterior(0, {1: 1}, output=t, scale=0.7), known / sum(known)
    )


def test_a_large_number_hides_no_small_one():
    """Each is rounded by its own size: no leakage of the second is lost beside the first."""
    distribution = FiniteDistribution(HALF, query=[[[0, 0], [0, 1]], [[1e16, 0], [1e16, 1]]])
    assert distribution.leakage(1, scale=1) == pytest.approx(1)


def test_a_grid_that_is_too_large_is_refused():
    query = np.random.default_rng(0).normal(size=(2, 2, 40))
    rule = f"at most 2\\*\\*20 combinations of the values of its numbers, got {4**40}"
    with pytest.raises(ValueError, match=rule):
        FiniteDistribution(HALF, query=query).leakage(0, scale=1)


def test_bad_queries_of_several_numbers():
    shape = r"query must have the joint's shape \(2, 2\), perhaps with a last axis"
    for query in (np.zeros((2, 2, 1, 1)), np.zeros((2, 2, 0)), np.zeros((2, 3, 2)), np.zeros(2)):
        with pytest.raises(ValueError, match=f"FiniteDistribution: {shape}"):
            FiniteDistribution(HALF, query=query)
    distribution = FiniteDistribution(HALF, query=np.zeros((2, 2, 3)))
    with pytest.raises(ValueError, match="one number a database for a closed form, got"):
        distribution.leakage(0, scale=1 / EPS)
    with pytest.raises(ValueError, match=r"posterior: output must have shape \(3,\), got \(\)"):
        distribution.posterior(0, {}, output=0, scale=1)


def test_blocks_of_outputs_do_not_matter(monkeypatch):
    joint = np.random.default_rng(3).dirichlet(np.ones(27)).reshape(3, 3, 3)
    whole = FiniteDistribution(joint).leakage(1, scale=1)
    monkeypatch.setattr(finite, "_BLOCK", 1)
    assert FiniteDistribution(joint).leakage(1, scale=1) == whole


def test_density_against_quadrature_and_simulation():
    """p(r <= t | x_1) from quadrature of the mixture, and from draws; the ratio is the leakage."""
    rng = np.random.default_rng(20150531)
    lam, t, size = 0.7, 0.0, 400_000
    joint = np.array(POSITIVE)

    def density(r, a):
        return sum(
            joint[a, b] / joint[a].sum() * math.exp(-abs(r - a - b) / lam) / (2 * lam)
            for b in (0, 1)
        )

    below = [quad(density, -60, t, args=(a,), epsabs=1e-13)[0] for a in (0, 1)]
    cells = rng.choice(4, size=size, p=joint.ravel())
    first, second = cells // 2, cells % 2
    released = first + second + rng.laplace(scale=lam, size=size)
    for a in (0, 1):
        hits = released[first == a] <= t
        error = math.sqrt(below[a] * (1 - below[a]) / hits.size)
        assert abs(hits.mean() - below[a]) < 4 * error
    # Below all values of the query the ratio is constant, so events show the supremum.
    leak = FiniteDistribution(POSITIVE).leakage(0, scale=lam)
    assert math.log(below[0] / below[1]) == pytest.approx(leak, rel=1e-9)


# --- closed forms ----------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=20)
@given(problems(zeros=True))
def test_closed_form_equals_numbers(problem):
    joint, query = problem
    for known in {(), tuple(range(1, joint.ndim))}:
        for reading in finite.READINGS:
            kwargs = {"query": query, "conditions": reading}
            closed = FiniteDistribution(joint, **kwargs).leakage(0, known, scale=1 / EPS)
            for eps in (0.03, 0.4, 1.7, 6.0):
                leak = FiniteDistribution(joint.astype(float), **kwargs).leakage(
                    0, known, scale=1 / eps
                )
                assert float(closed.subs(EPS, eps)) == pytest.approx(leak, rel=1e-9, abs=1e-12)


def test_closed_form_of_two_releases():
    closed = FiniteDistribution(TWO_RELEASES).leakage(0, scale=1 / (2 * EPS))
    assert float(closed.subs(EPS, 1)) == pytest.approx(2.487660, abs=5e-7)
    one = FiniteDistribution(TWO_RELEASES).leakage(0, scale=1 / (2 * EPS))
    assert sympy.simplify(sympy.exp(closed) - sympy.exp(one)) == 0


@pytest.mark.slow
def test_closed_form_keeps_what_cannot_be_decided():
    """With rho unknown both orders stay, and the maximum is right on either side."""
    rho = sympy.Symbol("rho", positive=True)
    joint = np.array([[(1 + rho) / 4, (1 - rho) / 4]] * 1 + [[(1 - rho) / 4, (1 + rho) / 4]])
    closed = FiniteDistribution(joint).leakage(0, scale=1 / EPS)
    for value in (Fraction(1, 10), Fraction(9, 10)):
        numeric = np.array([[1 + value, 1 - value], [1 - value, 1 + value]], dtype=float) / 4
        assert float(closed.subs({rho: value, EPS: 2})) == pytest.approx(
            FiniteDistribution(numeric).leakage(0, scale=0.5)
        )


@pytest.mark.slow
def test_closed_form_with_an_irrational_probability():
    p = sympy.sqrt(2) / 2
    joint = np.array([[p / 2, (1 - p) / 2], [(1 - p) / 2, p / 2]])
    closed = FiniteDistribution(joint).leakage(0, scale=1 / EPS)
    expected = FiniteDistribution(joint.astype(float)).leakage(0, scale=1 / 3)
    assert float(closed.subs(EPS, 3)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_closed_form_is_a_maximum_where_candidates_cross():
    """Noise decides which output is the worst: neither candidate dominates."""
    joint = np.array([[Fraction(c, 27) for c in row] for row in ([2, 7, 3], [4, 2, 9])])
    query = [[1, 1, 3], [3, 0, 0]]
    closed = FiniteDistribution(joint, query=query).leakage(0, scale=1 / EPS)
    assert isinstance(closed, sympy.Max)
    assert len(closed.args) > 1
    for eps in (0.01, 0.1, 0.3, 1, 3, 10):
        values = [float(a.subs(EPS, eps)) for a in closed.args]
        leak = FiniteDistribution(joint.astype(float), query=query).leakage(0, scale=1 / eps)
        assert max(values) == pytest.approx(leak, rel=1e-9)
    winners = {
        max(closed.args, key=lambda a, e=eps: float(a.subs(EPS, e)))
        for eps in (0.01, 0.1, 0.3, 1, 3, 10)
    }
    assert len(winners) > 1


def test_exact_joint_with_a_plain_scale():
    joint = [[Fraction(49, 100), Fraction(1, 100)], [Fraction(1, 100), Fraction(49, 100)]]
    closed = FiniteDistribution(joint).leakage(0, scale=10)
    y = sympy.exp(-sympy.Rational(1, 10))
    assert closed == sympy.log((49 + y) / (y + 49 * y**2))
    assert FiniteDistribution(joint).leakage(0, scale=sympy.Integer(10)) == closed
    assert FiniteDistribution(joint).leakage(0, scale=10.0) == closed
    assert FiniteDistribution(np.array(joint)).leakage(0, scale=Fraction(10)) == closed
    half = FiniteDistribution(joint, weights=[sympy.Rational(1, 2), 0.5]).leakage(0, scale=1 / EPS)
    assert half == FiniteDistribution(joint).leakage(0, scale=1 / EPS).subs(EPS, EPS / 2)


def test_constant_query_leaks_nothing_in_closed_form():
    assert FiniteDistribution(POSITIVE, weights=[0, 0]).leakage(0, scale=1 / EPS) == 0
    assert FiniteDistribution([[1.0]]).leakage(0, scale=1 / EPS) == 0
    assert FiniteDistribution([sympy.Float(0.5), 0.5]).leakage(0, scale=1 / EPS) == EPS


def test_domination_on_the_open_interval():
    """Pairs decided by hand: a root inside counts when the sign changes, one at an end never."""
    y = _closed_form._Y
    assert _closed_form._dominates(1 / y, sympy.Integer(1))
    assert not _closed_form._dominates(sympy.Integer(1), 1 / y)
    assert _closed_form._dominates(1 + (2 * y - 1) ** 2, sympy.Integer(1))  # they touch at 1/2
    assert not _closed_form._dominates(1 + (2 * y - 1) ** 3, sympy.Integer(1))
    assert not _closed_form._dominates(sympy.Integer(1), 1 + (2 * y - 1) ** 3)
    assert _closed_form._dominates(1 + y**2 * (1 - y) ** 3, sympy.Integer(1))
    assert not _closed_form._dominates(1 - y**2 * (1 - y) ** 3, sympy.Integer(1))
    assert _closed_form._dominates(y, y)


# --- properties ------------------------------------------------------------------------------


@settings(max_examples=50)
@given(problems(), st.sampled_from([0.2, 1.0, 20.0]))
def test_between_dp_and_group_privacy(problem, scale):
    joint, query = problem
    n = joint.ndim
    level = FiniteDistribution(joint.astype(float), query=query).dp_level(scale=scale)
    worst = FiniteDistribution(joint.astype(float), query=query).worst_adversary(scale=scale)
    assert worst.leakage >= level * (1 - 1e-12)
    table = FiniteDistribution(joint.astype(float), query=query).all_leakages(scale=scale)
    for (_, known), leak in table.items():
        assert leak <= (n - len(known)) * level * (1 + 1e-10) + 1e-15
    strong = max(leak for (_, known), leak in table.items() if len(known) == n - 1)
    assert strong == pytest.approx(level, rel=1e-12)


@settings(max_examples=50)
@given(problems(zeros=True), st.sampled_from([0.2, 1.0]), st.floats(1.001, 30))
def test_more_noise_leaks_no_more(problem, scale, factor):
    joint, query = problem[0].astype(float), problem[1]
    for (i, known), leak in (
        FiniteDistribution(joint, query=query).all_leakages(scale=scale).items()
    ):
        noisier = FiniteDistribution(joint, query=query).leakage(i, known, scale=scale * factor)
        assert noisier <= leak * (1 + 1e-12) + 1e-14


@settings(max_examples=40)
@given(problems(zeros=True), st.randoms(use_true_random=False))
def test_permuting_tuples_permutes_adversaries(problem, random):
    joint, query = problem[0].astype(float), problem[1]
    order = random.sample(range(joint.ndim), joint.ndim)
    table = FiniteDistribution(joint, query=query).all_leakages(scale=1.3)
    moved = FiniteDistribution(joint.transpose(order), query=query.transpose(order)).all_leakages(
        scale=1.3
    )
    for (i, known), leak in moved.items():
        original = table[order[i], tuple(sorted(order[j] for j in known))]
        assert leak == pytest.approx(original, rel=1e-11, abs=1e-14)


@settings(max_examples=40)
@given(problems(zeros=True), st.sampled_from([0.01, 0.5, 3.0, 1e6]))
def test_scaling_query_and_noise_together_changes_nothing(problem, factor):
    joint = problem[0].astype(float)
    weights = [0.5, -2.0, 1.25][: joint.ndim]
    values = [[-1.0, 0.5, 4.0][:k] for k in joint.shape]
    one = FiniteDistribution(joint, weights=weights, values=values).all_leakages(scale=0.9)
    scaled = [factor * w for w in weights]
    two = FiniteDistribution(joint, weights=scaled, values=values).all_leakages(scale=0.9 * factor)
    assert two == pytest.approx(one, rel=1e-10, abs=1e-13)


def test_weights_and_values_are_the_query():
    rng = np.random.default_rng(11)
    joint = rng.dirichlet(np.ones(12)).reshape(3, 4)
    values, weights = [[0, 2, 5], [1, 1.5, -2, 0]], [0.3, -1.1]
    query = np.add.outer(0.3 * np.array(values[0]), -1.1 * np.array(values[1]))
    assert FiniteDistribution(joint, values=values, weights=weights).all_leakages(
        scale=1
    ) == pytest.approx(FiniteDistribution(joint, query=query).all_leakages(scale=1), rel=1e-12)


def test_independent_tuples_leak_as_in_differential_privacy():
    marginals = [np.array(p) for p in ([0.2, 0.8], [0.5, 0.1, 0.4], [0.7, 0.3])]
    joint = np.einsum("a,b,c->abc", *marginals)
    for (i, _), leak in FiniteDistribution(joint).all_leakages(scale=0.4).items():
        assert leak == pytest.approx((joint.shape[i] - 1) / 0.4, rel=1e-12)


def test_perfect_correlation_reaches_group_privacy():
    n = 10
    joint = np.zeros((2,) * n)
    joint[(0,) * n] = joint[(1,) * n] = 0.5
    assert FiniteDistribution(joint).leakage(3, scale=10) == pytest.approx(1.0, rel=1e-14)
    assert FiniteDistribution(joint).leakage(3, scale=100) == pytest.approx(0.1, rel=1e-14)
    assert FiniteDistribution(joint).leakage(3, [0], scale=10) == 0
    assert FiniteDistribution(joint).noise_scale(0.1) == pytest.approx(100, rel=1e-11)


@pytest.mark.parametrize("scale", [1e-4, 1e-300])
def test_hardly_any_noise(scale):
    assert FiniteDistribution(POSITIVE).leakage(0, scale=scale) == pytest.approx(
        1 / scale + math.log(49), rel=1e-12
    )


@pytest.mark.parametrize("scale", [1e3, 1e9, 1e14])
def test_much_noise_keeps_relative_precision(scale):
    """log[(49 + y)/(y + 49 y^2)] = eps + log[(49 + y)/(1 + 49 y)], with 60 digits."""
    y = sympy.exp(-1 / sympy.Rational(scale))
    exact = sympy.log((49 + y) / (y + 49 * y**2)).evalf(60)
    assert FiniteDistribution(POSITIVE).leakage(0, scale=scale) == pytest.approx(
        float(exact), rel=1e-14
    )


def test_two_floats_are_two_values_however_near():
    """0.1 + 0.2 and 0.3 differ by 5.6e-17, and noise of that size hides it."""
    near = (0.1 + 0.2) - 0.3
    joint = np.array([[0.25, 0.25], [0.25, 0.25]])
    query = [[0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]]
    assert FiniteDistribution(joint, query=query).noise_scale(0.1) == pytest.approx(10 * near)
    # Sums of the same floats are made exactly, in whatever order.
    tenths = FiniteDistribution(np.full((2,) * 3, 1 / 8), weights=[0.1, 0.1, 0.1])
    assert len(tenths._levels[0].high) == 4
    same = FiniteDistribution([0.5, 0.5], weights=[0], values=[[0.1, 0.7]])
    assert same.noise_scale(0.1) == 0


@pytest.mark.parametrize("offset", [0.0, 1e14, 1e15, 1.7e15, -(2.0**53)])
@pytest.mark.parametrize("step", [1, 0.5])
def test_an_offset_changes_nothing(offset, step):
    """Of one tuple, known to nobody, the range over the scale is leaked, wherever it lies."""
    values = [offset / 2 * step + step * k for k in range(20)]
    distribution = FiniteDistribution(np.full(20, 1 / 20), values=[values])
    assert distribution.leakage(0, scale=19 * step) == pytest.approx(1, rel=1e-12)
    assert distribution.noise_scale(1) == pytest.approx(19 * step, rel=1e-10)
    assert distribution.wasserstein_distance() == 19 * step
    pair = FiniteDistribution(np.full(20, 1 / 20), query=np.transpose([values, np.zeros(20)]))
    assert pair.leakage(0, scale=19 * step) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("small", [1, 0.5, 0.1])
def test_a_large_tuple_hides_no_small_one(small):
    """Who knows the second of two independent tuples sees the first, however large that is."""
    distribution = FiniteDistribution(HALF, values=[[0, small], [0, 1e15]])
    assert distribution.leakage(0, [1], scale=1) == pytest.approx(small, rel=1e-12)
    assert distribution.leakage(0, scale=1) == pytest.approx(small, rel=1e-12)
    assert FiniteDistribution([0.5, 0.5], values=[[-1e15, -1e15 + 1]]).noise_scale(
        1
    ) == pytest.approx(1)


def test_a_fraction_elsewhere_joins_no_integers():
    distribution = FiniteDistribution([0, 0.5, 0.5], query=[0.1, 1e15, 1e15 + 1])
    assert distribution.leakage(0, scale=1) == pytest.approx(1, rel=1e-12)
    assert distribution.noise_scale(0.1) == pytest.approx(10, rel=1e-9)
    distribution = FiniteDistribution(np.full((2, 2), 0.25), query=[[1e15, 1e15 + 1], [0.1, 0.2]])
    assert distribution.leakage(1, [0], scale=1) == pytest.approx(1, rel=1e-12)
    large = FiniteDistribution(np.full((1, 1, 2), 0.5), values=[[1e308], [-1e308], [0, 0.5]])
    assert large.leakage(2, scale=1) == 0.5  # the sum is made exactly


def test_what_rounding_joins_is_no_chain():
    """A run of neighbours that rounding might join, but not its two ends."""
    values = 1e15 + 0.125 * np.arange(200)  # each as far from the next as floats can be near
    distribution = FiniteDistribution(np.full(200, 1 / 200), values=[values])
    assert distribution.leakage(0, scale=10) == pytest.approx(0.125 * 199 / 10, rel=1e-12)


# --- noise_scale -----------------------------------------------------------------------------


@settings(max_examples=30)
@given(problems(zeros=True), st.sampled_from([0.05, 0.7, 3.0]))
def test_noise_scale_is_the_smallest(problem, eps):
    distribution = FiniteDistribution(problem[0].astype(float), query=problem[1])
    scale = distribution.noise_scale(eps)
    if scale == 0:
        assert distribution.worst_adversary(scale=1e-6).leakage <= eps * (1 + 1e-9)
    else:
        assert distribution.worst_adversary(scale=scale).leakage == pytest.approx(eps, rel=1e-8)
        assert distribution.worst_adversary(scale=scale * (1 - 1e-4)).leakage > eps


def test_noise_scale_errs_on_the_private_side():
    distribution = FiniteDistribution(POSITIVE)
    for k in range(1, 60):
        assert (
            distribution.worst_adversary(scale=distribution.noise_scale(k / 37)).leakage <= k / 37
        )


def test_noise_scale_of_a_single_tuple():
    """1/epsilon, also where exp(log(1/epsilon)) rounds to less."""
    for k in range(350, 400):
        scale = FiniteDistribution([0.5, 0.5]).noise_scale(k / 37)
        assert scale == pytest.approx(37 / k, rel=1e-14)


def test_noise_scale_is_zero_when_the_query_itself_is_safe():
    joint = [[0.2, 0.3], [0.3, 0.2]]
    query = [[0, 1], [0, 1]]  # tuple 2 as it is: tuple 1 is only hinted at
    leak = math.log(3 / 2)
    assert FiniteDistribution(joint, query=[[1, 1], [1, 1]]).noise_scale(0.5) == 0
    assert FiniteDistribution(XOR_DISTRIBUTION, query=XOR).noise_scale(0.1) == 0
    assert FiniteDistribution(joint, query=query).noise_scale(leak) == pytest.approx(1 / leak)


# --- dp_level and all_leakages ---------------------------------------------------------------


def test_dp_level_counts_the_whole_domain():
    assert FiniteDistribution(HALF).dp_level(scale=0.5) == 2
    assert FiniteDistribution(np.full((2, 4), 1 / 8), weights=[5, 2]).dp_level(scale=1) == 6
    assert FiniteDistribution([0.5, 0.5], values=[[-3, 4]]).dp_level(scale=1) == 7
    certain = np.zeros((2, 3))
    certain[0, 0] = 1
    assert FiniteDistribution(certain).dp_level(scale=1) == 2
    assert FiniteDistribution(certain).worst_adversary(scale=1).leakage == 0
    assert FiniteDistribution(certain, conditions="kernel").worst_adversary(scale=1).leakage == 2
    assert FiniteDistribution(certain.tolist()).dp_level(scale=1) == 2


def test_labels_of_pandas_are_the_numbers():
    people = pd.DataFrame({"a": [0, 0, 5, 5, 5], "b": [1, 2, 1, 2, 2], "c": [0, 0, 0, 0, 3]})
    pair = pd.crosstab(people.a, people.b, normalize=True)
    plain = FiniteDistribution(pair.to_numpy(), values=[[0, 5], [1, 2]])
    for joint in (pair, people[["a", "b"]].value_counts(normalize=True)):
        distribution = FiniteDistribution(joint)
        assert [column.tolist() for column in distribution.values] == [[0, 5], [1, 2]]
        assert distribution.all_leakages(scale=3) == plain.all_leakages(scale=3)
        found = distribution.posterior(0, {1: 0}, output=1, scale=3)
        assert type(found) is np.ndarray
        np.testing.assert_allclose(found, plain.posterior(0, {1: 0}, output=1, scale=3))
    three = FiniteDistribution(people.value_counts(normalize=True))
    cube = np.zeros((2, 2, 2))
    for a, b, c in people.itertuples(index=False):
        cube[a // 5, b - 1, c // 3] += 1 / 5
    values = [[0, 5], [1, 2], [0, 3]]
    assert three.all_leakages(scale=1) == FiniteDistribution(cube, values=values).all_leakages(
        scale=1
    )
    one = FiniteDistribution(people.b.value_counts(normalize=True))
    assert one.dp_level(scale=1) == 1
    words = pd.crosstab(people.a, people.b.map({1: "no", 2: "yes"}), normalize=True)
    with pytest.raises(TypeError, match=r"FiniteDistribution: values must .*'no'"):
        FiniteDistribution(words)
    named = FiniteDistribution(words, values=[[0, 5], [1, 2]])
    assert named.all_leakages(scale=3) == plain.all_leakages(scale=3)


def test_one_tuple_alone():
    assert FiniteDistribution([0.5, 0.5]).all_leakages(scale=2) == {(0, ()): 0.5}
    assert FiniteDistribution([1.0]).worst_adversary(scale=2).leakage == 0


def test_sympy_is_not_imported_for_numbers():
    code = (
        "import sys; from privlib.correlated import finite; "
        "finite.FiniteDistribution([[.5, 0], [0, .5]]).leakage(0, scale=1); "
        "sys.exit('sympy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- bad input -------------------------------------------------------------------------------


def leakage_of(joint=HALF, target=0, known=(), scale=1.0, **distribution):
    return FiniteDistribution(joint, **distribution).leakage(target, known, scale=scale)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"scale": -1}, "^leakage: scale must be positive, got -1"),
        ({"scale": 0}, "^leakage: scale must be positive, got 0"),
        ({"scale": math.nan}, "^leakage: scale must be finite, got nan"),
        ({"scale": 1e-320}, "^leakage: scale must not be so small"),
        ({"target": 2}, r"^leakage: target must be in 0\.\.1, got 2"),
        ({"target": -1}, r"^leakage: target must be in 0\.\.1, got -1"),
        ({"known": [0]}, "^leakage: known must not contain the target 0"),
        ({"known": [1, 1]}, "^leakage: known must not repeat a tuple"),
        ({"known": [2]}, r"^leakage: known must be in 0\.\.1, got 2"),
        ({"joint": [[0.5, 0.6], [0, 0]]}, "^FiniteDistribution: joint must sum to 1, got 1.1"),
        (
            {"joint": [[1.5, -0.5], [0, 0]]},
            "^FiniteDistribution: joint must be without negative entries, got -0.5",
        ),
        (
            {"joint": [[math.nan, 0.5], [0.5, 0]]},
            "^FiniteDistribution: joint must be finite, got nan",
        ),
        (
            {"joint": [[0.5], [0.25, 0.25]]},
            "^FiniteDistribution: joint must be a rectangular array",
        ),
        ({"joint": 1.0}, "^FiniteDistribution: joint must have one axis"),
        ({"joint": np.zeros((2, 0))}, "^FiniteDistribution: joint must have one axis"),
        ({"values": [[0, 1]]}, "^FiniteDistribution: values must be 2 sequences"),
        (
            {"values": [[0, 1], [0, 1, 2]]},
            r"^FiniteDistribution: values must be 2 sequences of the lengths \(2, 2\)",
        ),
        (
            {"values": [[0, 1], [0, math.inf]]},
            "^FiniteDistribution: values must be finite, got inf",
        ),
        ({"weights": [1]}, r"^FiniteDistribution: weights must have length 2, got shape \(1,\)"),
        ({"weights": [[1, 2]]}, "^FiniteDistribution: weights must have length 2"),
        ({"query": [0, 1]}, r"^FiniteDistribution: query must have the joint's shape \(2, 2\)"),
        (
            {"query": XOR, "weights": [1, 1]},
            "^FiniteDistribution: query excludes values and weights",
        ),
        (
            {"query": XOR, "values": [[0, 1], [0, 1]]},
            "^FiniteDistribution: query excludes values and weights",
        ),
        ({"conditions": "any"}, "^FiniteDistribution: conditions must be one of"),
        (
            {"scale": sympy.Symbol("s")},
            r"^leakage: scale must be positive, got s \(declare symbols",
        ),
        ({"scale": -EPS}, "^leakage: scale must be positive"),
        ({"scale": sympy.oo}, "^leakage: scale must be positive"),
        (
            {"scale": 1 / EPS, "joint": [[0.5, 0.5 + 1e-10], [0, 0]]},
            "^FiniteDistribution: joint must sum to exactly 1",
        ),
        (
            {"scale": 1 / EPS, "joint": [[0.5, -0.5], [0.5, 0.5]]},
            "^FiniteDistribution: joint must be without negative",
        ),
        (
            {"scale": 1 / EPS, "weights": [1, math.nan]},
            "^FiniteDistribution: weights must be finite, got nan",
        ),
        (
            {"scale": 1 / EPS, "joint": sympy.Integer(1)},
            "^FiniteDistribution: joint must have one axis",
        ),
    ],
)
def test_bad_values(kwargs, message):
    with pytest.raises(ValueError, match=message):
        leakage_of(**kwargs)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"scale": "1"}, "^leakage: scale must be a real number"),
        ({"scale": True}, "^leakage: scale must be a real number"),
        ({"target": 0.0}, "^leakage: target must be an integer"),
        ({"known": "1"}, "^leakage: known must be a sequence"),
        ({"known": 1}, "^leakage: known must be a sequence"),
        ({"known": [True]}, "^leakage: known must be an integer"),
        ({"joint": [["a"]]}, "^FiniteDistribution: joint must hold real numbers"),
        ({"joint": [[0.5j, 1]]}, "^FiniteDistribution: joint must hold real numbers"),
        (
            {"joint": np.array(HALF, dtype=object), "weights": [1, sympy.pi]},
            "^FiniteDistribution: weights must be rational",
        ),
        (
            {"joint": np.array(HALF, dtype=object), "weights": [1, EPS]},
            "^FiniteDistribution: weights must be rational",
        ),
    ],
)
def test_bad_types(kwargs, message):
    with pytest.raises(TypeError, match=message):
        leakage_of(**kwargs)


def test_other_bad_arguments():
    with pytest.raises(ValueError, match="FiniteDistribution: conditions must be one of"):
        FiniteDistribution(HALF, conditions="").all_leakages(scale=1)
    with pytest.raises(ValueError, match="noise_scale: epsilon must be positive, got 0"):
        FiniteDistribution(HALF).noise_scale(0)
    with pytest.raises(ValueError, match=r"noise_scale: epsilon must be large enough .*got 1e-10"):
        FiniteDistribution([0.5, 0.5], values=[[0, 1e300]]).noise_scale(1e-10)
    assert FiniteDistribution([0.5, 0.5], query=[1e300, 1e300]).noise_scale(1e-10) == 0
    with pytest.raises(ValueError, match="posterior: known_values have probability zero"):
        FiniteDistribution([[1.0, 0.0], [0.0, 0.0]]).posterior(0, {1: 1}, output=0, scale=1)
    with pytest.raises(ValueError, match=r"posterior: known_values\[1\] must be in 0\.\.1"):
        FiniteDistribution(HALF).posterior(0, {1: 2}, output=0, scale=1)
    with pytest.raises(ValueError, match="posterior: known must not contain the target"):
        FiniteDistribution(HALF).posterior(0, {0: 0}, output=0, scale=1)
    with pytest.raises(TypeError, match="posterior: known_values must map"):
        FiniteDistribution(HALF).posterior(0, (1,), output=0, scale=1)
    with pytest.raises(ValueError, match="posterior: output must be finite"):
        FiniteDistribution(HALF).posterior(0, {}, output=math.nan, scale=1)


def bottleneck(one, other):
    """W_inf of two distributions in fractions: the least w at which mass can be matched within w.

    Hall's condition (Strassen): every set of values of one distribution has at most the mass of
    what lies within w of it in the other.
    """
    distances = sorted({abs(s - t) for s in one for t in other})
    for w in distances:
        sets = itertools.chain.from_iterable(
            itertools.combinations(one, r) for r in range(1, len(one) + 1)
        )
        if all(
            sum(one[s] for s in chosen)
            <= sum(q for t, q in other.items() if any(abs(s - t) <= w for s in chosen))
            for chosen in sets
        ):
            return w
    raise AssertionError


def wasserstein_oracle(joint, query, known_too):
    """The largest over targets, sets of known tuples, their values, and pairs of values."""
    n, far = len(next(iter(joint))), 0
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for size in range(n if known_too else 1):
            for known in itertools.combinations(others, size):
                groups = {}
                for x, p in joint.items():
                    if p:
                        distribution = groups.setdefault(tuple(x[j] for j in known), {})
                        distribution = distribution.setdefault(x[i], {})
                        distribution[query[x]] = distribution.get(query[x], 0) + p
                for group in groups.values():
                    distributions = [
                        {t: p / sum(g.values()) for t, p in g.items()} for g in group.values()
                    ]
                    far = max(
                        [
                            far,
                            *(
                                bottleneck(*pair)
                                for pair in itertools.combinations(distributions, 2)
                            ),
                        ]
                    )
    return far


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_wasserstein_distance_by_matching_in_fractions(seed, known):
    rng = np.random.default_rng(seed)
    shape = [(2, 2), (2, 3), (3, 2), (2, 2, 2), (2, 1, 3)][seed % 5]
    weights = rng.integers(0, 6, shape)
    weights[(0,) * len(shape)] += 1
    asked = rng.integers(-4, 9, shape)
    cells = list(np.ndindex(*shape))
    joint = {x: Fraction(int(weights[x]), int(weights.sum())) for x in cells}
    query = {x: int(asked[x]) for x in cells}
    distribution = FiniteDistribution(weights / weights.sum(), query=asked)
    assert distribution.wasserstein_distance(known=known) == wasserstein_oracle(joint, query, known)
    halves = FiniteDistribution(weights / weights.sum(), query=-asked / 2)
    assert (
        halves.wasserstein_distance(known=known)
        == distribution.wasserstein_distance(known=known) / 2
    )


def test_wasserstein_distance_of_the_flu_clique():
    """Song, Wang, Chaudhuri print the two distributions and W = 2."""
    infected = [Fraction(p, 20) for p in (2, 3, 10, 3, 2)]
    cells = list(itertools.product((0, 1), repeat=4))
    joint = {x: infected[sum(x)] / math.comb(4, sum(x)) for x in cells}
    given_first = [[2 * sum(joint[x] for x in cells if x[0] == v and sum(x) == s)
                    for s in range(5)] for v in (0, 1)]  # fmt: skip
    printed = [["0.2", "0.225", "0.5", "0.075", "0"], ["0", "0.075", "0.5", "0.225", "0.2"]]
    assert given_first == [[Fraction(p) for p in row] for row in printed]
    distribution = FiniteDistribution(np.reshape([float(joint[x]) for x in cells], (2,) * 4))
    assert distribution.wasserstein_distance() == 2
    assert bottleneck(*(dict(enumerate(row)) for row in given_first)) == 2


def test_wasserstein_distance_counts_what_is_unlikely():
    for p in (0.3, 1e-12, 1e-250):
        joint = [[0.5 - p / 2, p / 2], [0.5, 0]]
        moved = FiniteDistribution(joint, query=[[0, 7], [0, 0]])
        assert moved.wasserstein_distance() == 7
        assert FiniteDistribution(joint, query=[[0, -7], [0, 0]]).wasserstein_distance() == 7
    alone = FiniteDistribution([[0.5, 0.5], [0, 0]])
    assert alone.wasserstein_distance() == 1  # of the second; the first has one value only
    assert FiniteDistribution([1.0]).wasserstein_distance() == 0
    assert FiniteDistribution(XOR_DISTRIBUTION, query=XOR).wasserstein_distance(known=True) == 0
    kernel = FiniteDistribution(XOR_DISTRIBUTION, query=XOR, conditions="kernel")
    assert kernel.wasserstein_distance(known=True) == 1000


def test_wasserstein_distance_is_for_one_number():
    with pytest.raises(ValueError, match=r"wasserstein_distance: query .* got shape \(2, 2, 1\)"):
        FiniteDistribution(HALF, query=np.zeros((2, 2, 1))).wasserstein_distance()


@pytest.mark.parametrize("known", [False, True])
def test_wasserstein_distance_as_along_a_chain(known):
    P, first = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0.8, 0.2])
    joint = first
    for _ in range(5):
        joint = joint[..., None] * P
    expected = MarkovChain(P, 6).wasserstein_distance(known=known)
    distribution = FiniteDistribution(joint)
    assert distribution.wasserstein_distance(known=known) == expected
    assert distribution.noise_scale(1) <= FiniteDistribution(joint).wasserstein_distance(known=True)
