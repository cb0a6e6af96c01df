"""Tests of `privlib.laplace.erm`: derivatives, minimisers, sensitivities, density ratios."""

from __future__ import annotations

import dataclasses
import math

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import optimize, sparse, stats
from sklearn import linear_model

from privlib.laplace import erm

LOGISTIC, SQUARED = erm.LOSSES["logistic"], erm.LOSSES["squared"]
LOSSES = [LOGISTIC, erm.huber_hinge(0.5), erm.huber_hinge(0.1), SQUARED]


def draw(rng, n, d, loss, reach=1.0):
    """Records of norms up to `reach` and labels that the loss allows."""
    X = rng.standard_normal((n, d))
    X *= (reach * rng.random((n, 1)) ** (1 / d)) / np.linalg.norm(X, axis=1, keepdims=True)
    y = rng.choice([-1.0, 1.0], n) if loss.classes else rng.uniform(-1, 1, n)
    return X, y


def objective(w, X, y, loss, regularization):
    """The objective from the definitions of the losses, by `math` and one record at a time."""
    total = 0.0
    for x, label in zip(X, y):
        z = float(np.dot(x, w))
        if loss.name == "logistic":
            total += math.log(1 + math.exp(-label * z))
        elif loss.name == "squared":
            total += (label - z) ** 2 / 2
        else:
            h, m = 1 / (2 * loss.curvature), label * z
            total += 0 if m > 1 + h else 1 - m if m < 1 - h else (1 + h - m) ** 2 / (4 * h)
    return total / len(y) + regularization / 2 * float(np.dot(w, w))


# --- losses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_and_their_derivatives(loss):
    z = np.linspace(-6, 6, 2401) + 1e-4  # no point within 1e-5 of a corner of the slope
    step = 1e-5
    for label in (-1.0, 1.0) if loss.classes else (-0.4, 0.9):
        y = np.full_like(z, label)
        by_hand = [objective([t], [[1.0]], [label], loss, 0) for t in z]
        np.testing.assert_allclose(loss.value(y, z), by_hand, rtol=1e-12, atol=1e-15)
        slope = (loss.value(y, z + step) - loss.value(y, z - step)) / (2 * step)
        np.testing.assert_allclose(loss.derivative(y, z), slope, atol=1e-8)
        bend = (loss.derivative(y, z + step) - loss.derivative(y, z - step)) / (2 * step)
        np.testing.assert_allclose(loss.second_derivative(y, z), bend, atol=1e-8)
        assert (loss.second_derivative(y, z) >= 0).all()
        assert loss.second_derivative(y, z).max() == pytest.approx(loss.curvature, rel=1e-6)
        if loss.classes:
            assert np.abs(loss.derivative(y, z)).max() == pytest.approx(loss.lipschitz, rel=3e-3)
            assert np.abs(loss.derivative(y, z)).max() <= loss.lipschitz


def test_losses_by_name():
    """The constants of the paper: c = 1/4 and c = 1/(2h) with h = 1/2."""
    constants = {name: (loss.lipschitz, loss.curvature) for name, loss in erm.LOSSES.items()}
    assert constants == {"logistic": (1, 0.25), "huber": (1, 1), "squared": (math.inf, 1)}
    assert erm.huber_hinge().curvature == 1
    assert [loss.name for loss in erm.LOSSES.values()] == [*erm.LOSSES]


def test_logistic_loss_does_not_overflow():
    y, z = np.array([1.0, -1.0]), np.array([-1e4, -1e4])
    loss = LOGISTIC
    np.testing.assert_array_equal(loss.value(y, z), [1e4, 0])
    np.testing.assert_array_equal(loss.derivative(y, z), [-1, 0])
    np.testing.assert_array_equal(loss.second_derivative(y, z), [0, 0])


# --- minimisers ------------------------------------------------------------------------------


@pytest.mark.parametrize("regularization", [1e-3, 0.05, 2.0])
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{loss.name}-{loss.curvature}")
def test_minimiser_has_a_stationary_objective(loss, regularization):
    rng = np.random.default_rng(4)
    X, y = draw(rng, 30, 3, loss)
    found = erm.minimise(X, y, loss=loss, regularization=regularization)
    value = objective(found.weights, X, y, loss, regularization)
    rival = optimize.minimize(objective, np.zeros(3), (X, y, loss, regularization), "L-BFGS-B")
    assert value <= rival.fun + 1e-12
    for step in 1e-4 * np.vstack([np.eye(3), -np.eye(3)]):
        assert objective(found.weights + step, X, y, loss, regularization) > value
    assert found.gradient_norm <= erm.TOL


def test_minimiser_agrees_with_scikit_learn():
    rng = np.random.default_rng(6)
    X, y = draw(rng, 80, 4, LOGISTIC)
    strength, n = 0.02, len(y)
    theirs = linear_model.LogisticRegression(
        C=1 / (n * strength), fit_intercept=False, tol=1e-10, max_iter=1000
    ).fit(X, y)
    ours = erm.minimise(X, y, regularization=strength)
    np.testing.assert_allclose(ours.weights, theirs.coef_[0], atol=1e-6)
    np.testing.assert_allclose(X @ ours.weights, theirs.decision_function(X), atol=1e-6)

    labels = rng.uniform(-1, 1, n)
    ridge = linear_model.Ridge(alpha=n * strength, fit_intercept=False).fit(X, labels)
    ours = erm.minimise(X, labels, loss="squared", regularization=strength)
    np.testing.assert_allclose(ours.weights, ridge.coef_, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{loss.name}-{loss.curvature}")
def test_minimiser_with_a_linear_term(loss):
    """By its own gradient: the mean slope plus the penalty is minus the linear term."""
    rng = np.random.default_rng(7)
    for size in (1e-3, 1.0, 1e4):
        X, y = draw(rng, 12, 2, loss)
        v = size * rng.standard_normal(2)
        w = erm.minimise(X, y, loss=loss, regularization=0.01, linear=v).weights
        push = (X * loss.derivative(y, X @ w)[:, None]).mean(0) + 0.01 * w
        np.testing.assert_allclose(push, -v, atol=2e-10 * (1 + size))


def test_minimiser_of_a_narrow_parabola():
    """Plain Newton steps cycle here; the shortened ones do not."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        loss = erm.huber_hinge(1e-4)
        X, y = draw(rng, 25, 5, loss)
        assert erm.minimise(X, y, loss=loss, regularization=1e-4).gradient_norm <= 1e-10


def test_unreachable_tolerance():
    X, y = draw(np.random.default_rng(0), 50, 5, LOGISTIC)
    with pytest.raises(RuntimeError, match=r"^minimise: the gradient does not come below .* 1e-40"):
        erm.minimise(X, y, regularization=1e-3, tol=1e-40)
    with pytest.raises(RuntimeError, match=r"^minimise: the gradient does not come below .* 1e-10"):
        erm.minimise([[0.3, 0.1], [0.3, 0.1]], [1, 1], loss="squared", regularization=1e-30)


# --- sensitivity -----------------------------------------------------------------------------


@pytest.mark.parametrize("regularization", [0.01, 0.25, 1.0, 5.0])
def test_ridge_radius_holds_and_is_attained(regularization):
    rng = np.random.default_rng(1)
    radius = erm.ridge_radius(regularization)
    for _ in range(200):
        X, y = draw(rng, int(rng.integers(1, 5)), int(rng.integers(1, 4)), SQUARED)
        w = erm.minimise(X, np.sign(y), loss="squared", regularization=regularization).weights
        assert np.linalg.norm(w) <= radius * (1 + 1e-9)
    x = min(1.0, math.sqrt(regularization))
    worst = erm.minimise([[x]], [1.0], loss="squared", regularization=regularization)
    assert worst.weights[0] == pytest.approx(radius, rel=1e-9)
    assert radius <= 1 / math.sqrt(regularization)  # what the objective at 0 would give


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: f"{loss.name}-{loss.curvature}")
def test_sensitivity_bounds_random_neighbours(loss):
    rng = np.random.default_rng(2)
    for _ in range(150):
        n, d = int(rng.integers(1, 8)), int(rng.integers(1, 4))
        strength = 10 ** rng.uniform(-2, 1)
        slope = loss.lipschitz if loss.classes else 1 + erm.ridge_radius(strength)
        X, y = draw(rng, n, d, loss, reach=rng.random())
        X[0] /= max(np.linalg.norm(X[0]), 1e-9)
        other, label = X.copy(), y.copy()
        other[0], label[0] = -X[0], y[0] if rng.random() < 0.5 else -y[0]
        pair = [
            erm.minimise(A, b, loss=loss, regularization=strength).weights
            for A, b in ((X, y), (other, label))
        ]
        bound = erm.sensitivity(n, regularization=strength, lipschitz=slope)
        assert np.linalg.norm(pair[0] - pair[1]) <= bound * (1 + 1e-9)


def swing(loss, n, strength):
    """Distance of the minimisers of n - 1 records at 0 and one at 1 with either label."""
    X = np.zeros((n, 1))
    X[0] = 1
    y = np.ones(n)
    pair = [
        erm.minimise(X, sign * y, loss=loss, regularization=strength).weights for sign in (1, -1)
    ]
    return abs(pair[0][0] - pair[1][0])


def test_sensitivity_is_attained():
    """In the linear part of the hinge exactly, for the logistic loss half of it."""
    bound = erm.sensitivity(5, regularization=2.0)
    assert bound == pytest.approx(0.2, rel=1e-15)
    assert swing("huber", 5, 2.0) == pytest.approx(bound, rel=1e-9)
    assert swing("logistic", 50, 2.0) == pytest.approx(bound / 10 / 2, rel=0.01)


def test_logistic_loss_comes_near_the_bound():
    """Many records along the first feature, two opposite ones that strain along the second."""
    n, strength, found = 20_000, 1e-3, []
    for side in (1, -1):
        X, y = np.zeros((n, 2)), np.ones(n)
        X[:, 0] = 1
        X[0], y[0] = [0.3, side * math.sqrt(1 - 0.3**2)], -1
        found.append(erm.minimise(X, y, regularization=strength).weights)
    part = np.linalg.norm(found[0] - found[1]) / erm.sensitivity(n, regularization=strength)
    assert 0.75 < part < 1


@pytest.mark.parametrize("factor", [1, 2])
def test_the_parametrisation_of_the_note(factor):
    """(lambda / n) Reg, Reg = (factor / 2) |w|^2: the same swing for every n."""
    strength = 10.0
    for n in (1, 4, 16):
        bound = erm.sensitivity(n, regularization=factor * strength / n)
        assert bound == pytest.approx(2 / (factor * strength), rel=1e-15)
        assert swing("huber", n, factor * strength / n) == pytest.approx(bound, rel=1e-8)


def test_sensitivity_broadcasts():
    table = erm.sensitivity([[10], [100]], regularization=[0.1, 1.0], lipschitz=2)
    np.testing.assert_allclose(table, [[4, 0.4], [0.4, 0.04]], rtol=1e-15)
    assert erm.sensitivity([1, 2, 3], regularization=4).shape == (3,)


# --- noise -----------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 7])
def test_spherical_noise(d):
    rng, count, scale = np.random.default_rng(3), 100_000, 1.7
    noise = erm.spherical_laplace(d, scale=scale, rng=rng, size=count)
    radius = np.linalg.norm(noise, axis=1)
    assert stats.kstest(radius, stats.gamma(d, scale=scale).cdf).pvalue > 0.01
    assert stats.kstest(radius, stats.gamma(d, scale=scale * 1.05).cdf).pvalue < 1e-5
    unit = noise / radius[:, None]
    assert np.abs(unit.mean(0)).max() < 4 / math.sqrt(d * count)
    np.testing.assert_allclose(unit.T @ unit / count, np.eye(d) / d, atol=5 / math.sqrt(count))
    assert abs(np.corrcoef(radius, unit[:, 0])[0, 1]) < 4 / math.sqrt(count)
    if d == 1:
        assert stats.kstest(noise[:, 0], stats.laplace(scale=scale).cdf).pvalue > 0.01


def test_output_perturbation_adds_noise_of_the_stated_scale():
    """The noise is that of the generator; the scale is the sensitivity's over epsilon."""
    for loss in LOSSES:
        X, y = draw(np.random.default_rng(5), 20, 3, loss)
        exact = erm.minimise(X, y, loss=loss, regularization=0.1)
        model = erm.output_perturbation(
            X, y, loss=loss, epsilon=0.5, regularization=0.1, rng=np.random.default_rng(8)
        )
        slope = 1 if loss.classes else 1 + 1 / (2 * math.sqrt(0.1))
        assert model.noise_scale == pytest.approx(2 * slope / (20 * 0.1 * 0.5), rel=1e-8)
        b = erm.spherical_laplace(3, scale=model.noise_scale, rng=np.random.default_rng(8))
        np.testing.assert_allclose(model.weights - exact.weights, b, rtol=1e-9)
        assert (model.epsilon, exact.epsilon) == (0.5, math.inf)


def test_output_perturbation_pays_for_an_inexact_minimiser():
    X, y = draw(np.random.default_rng(5), 20, 3, LOGISTIC)
    kwargs = {"epsilon": 0.5, "regularization": 0.1}
    rough, fine = (
        erm.output_perturbation(X, y, tol=t, rng=np.random.default_rng(1), **kwargs)
        for t in (1e-2, 1e-12)
    )
    assert rough.noise_scale - fine.noise_scale == pytest.approx(2 * 1e-2 / 0.1 / 0.5, rel=1e-6)


# --- objective perturbation ------------------------------------------------------------------


@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("n", [1, 10, 1000])
def test_budget_adds_up(n, epsilon, tight):
    """What the noise spends and what the determinant takes make epsilon, never more."""
    c, strength = 0.25, 0.1
    spent, extra = erm.budget(n, epsilon=epsilon, regularization=strength, curvature=c, tight=tight)
    assert spent > 0
    assert extra >= 0
    ratio = c / (n * (strength + extra))
    taken = math.log(1 + ratio) if tight else math.log(1 + 2 * ratio + ratio**2)
    assert spent + taken == pytest.approx(epsilon, rel=1e-12)
    assert (extra > 0) == (spent == epsilon / 2)


@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize("loss", LOSSES[:3], ids=lambda loss: f"{loss.name}-{loss.curvature}")
def test_objective_perturbation_solves_for_the_noise_drawn(loss, tight):
    """The output gives the noise back: minus n times the gradient is b."""
    X, y = draw(np.random.default_rng(5), 20, 3, loss)
    for epsilon in (0.05, 2.0):
        model = erm.objective_perturbation(
            X, y, loss=loss, epsilon=epsilon, regularization=0.1, tight=tight,
            rng=np.random.default_rng(8),
        )  # fmt: skip
        spent, extra = erm.budget(
            20, epsilon=epsilon, regularization=0.1, curvature=loss.curvature, tight=tight
        )
        assert model.noise_scale == pytest.approx(2 / spent, rel=1e-11)
        assert model.noise_scale > 2 / spent  # records may be longer than 1 by rounding
        assert model.extra_regularization == pytest.approx(extra, rel=1e-11)
        w = model.weights
        b = -(X * loss.derivative(y, X @ w)[:, None]).sum(0) - 20 * (0.1 + extra) * w
        drawn = erm.spherical_laplace(3, scale=2 / spent, rng=np.random.default_rng(8))
        np.testing.assert_allclose(b, drawn, atol=1e-7)


def test_the_published_charge_unless_told_otherwise():
    data = {"epsilon": 2.0, "regularization": 0.1}
    spent, _ = erm.budget(2, **data, curvature=0.25)
    assert spent == pytest.approx(2 - 2 * math.log(1 + 0.25 / (2 * 0.1)), rel=1e-12)
    model = erm.objective_perturbation([[0.6], [0.8]], [1, -1], **data, rng=0)
    assert model.noise_scale == pytest.approx(2 / spent, rel=1e-11)


def log_densities(w, x, y, h, strength, beta):
    """Log density of the output with one feature, by change of variables, derivative by steps.

    `h` is the half width of the hinge's parabola, None for the logistic loss.
    """

    def noise(w):
        margin = y * np.multiply.outer(w, x)
        if h is None:
            slope = (np.tanh(margin / 2) - 1) / 2
        else:
            slope = np.interp(margin, [1 - h, 1 + h], [-1, 0])
        return -(slope * y * x).sum(-1) - len(x) * strength * w

    step = 1e-6
    rate = (noise(w - step) - noise(w + step)) / (2 * step)
    return np.log(beta / 2) - beta * np.abs(noise(w)) + np.log(rate)


def worst_ratio(loss, n, epsilon, strength, spent, extra, seed=0):
    """The largest log ratio of densities over outputs and neighbours with one feature."""
    h = None if loss.name == "logistic" else 1 / (2 * loss.curvature)
    rng = np.random.default_rng(seed)
    w = np.linspace(-30, 30, 4001) + 1e-5 * math.pi
    if h is not None:  # the corners of the slope at x = 1, from both sides
        corners = np.array([1 - h, 1 + h, -1 + h, -1 - h])
        w = np.concatenate([w, corners - 3e-6, corners + 3e-6])
    worst = 0.0
    for trial in range(30):
        x, y = rng.uniform(-1, 1, n), rng.choice([-1.0, 1.0], n)
        if trial < 4:
            x[1:] = 0  # nothing but the strength and the record that changes
        x[0], y[0] = 1, 1
        laws = [log_densities(w, x, y, h, strength + extra, spent / 2)]
        for value, label in ((0.0, 1.0), (1.0, -1.0), (-0.5, -1.0)):
            other, sign = x.copy(), y.copy()
            other[0], sign[0] = value, label
            laws.append(log_densities(w, other, sign, h, strength + extra, spent / 2))
        worst = max([worst, *(np.abs(laws[0] - law).max() for law in laws[1:])])
    return worst


@pytest.mark.parametrize(("n", "epsilon"), [(5, 1.0), (5, 0.1), (2, 2.0)])
@pytest.mark.parametrize("loss", LOSSES[:3], ids=lambda loss: f"{loss.name}-{loss.curvature}")
def test_density_ratio_stays_within_epsilon(loss, n, epsilon):
    for tight in (False, True):
        arguments = {"epsilon": epsilon, "regularization": 1.0}
        spent, extra = erm.budget(n, **arguments, curvature=loss.curvature, tight=tight)
        assert worst_ratio(loss, n, epsilon, 1.0, spent, extra) <= epsilon * (1 + 1e-7)


def test_one_factor_of_the_determinant_is_what_it_costs():
    """Without correction 1.1823, as published 0.8177, with one factor the whole epsilon."""
    loss, n = erm.huber_hinge(0.5), 5
    found = {}
    for tight in (False, True):
        spent, extra = erm.budget(n, epsilon=1.0, regularization=1.0, curvature=1.0, tight=tight)
        assert extra == 0
        found[tight] = worst_ratio(loss, n, 1.0, 1.0, spent, extra)
    assert worst_ratio(loss, n, 1.0, 1.0, 1.0, 0.0) == pytest.approx(1 + math.log(1.2), abs=1e-4)
    assert found[False] == pytest.approx(1 - math.log(1.2), abs=1e-4)
    assert found[True] == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("d", [2, 4])
def test_determinants_of_neighbours_differ_by_one_factor(d):
    rng, n, strength, c = np.random.default_rng(3), 4, 0.2, 1.0
    bound = math.log1p(c / (n * strength))
    ratios = []
    for _ in range(300):
        X, _ = draw(rng, n + 1, d, LOGISTIC)
        X[-2:] /= np.linalg.norm(X[-2:], axis=1, keepdims=True)
        bends = c * rng.integers(0, 2, n + 1)
        terms = np.einsum("i,ij,ik->ijk", bends, X, X)
        base = n * strength * np.eye(d) + terms[: n - 1].sum(0)
        logs = [np.linalg.slogdet(base + terms[k])[1] for k in (n - 1, n)]
        ratios.append(abs(logs[0] - logs[1]))
    assert max(ratios) <= bound * (1 + 1e-12)
    assert max(ratios) > 0.5 * bound


def test_objective_noise_hurts_less():
    """With many records both come near the minimiser, the noisy objective nearer."""
    X, y = draw(np.random.default_rng(5), 2000, 3, LOGISTIC)
    exact = erm.minimise(X, y, regularization=0.01).weights
    rng = np.random.default_rng(1)
    far = [
        np.mean([
            np.linalg.norm(
                fit(X, y, epsilon=1.0, regularization=0.01, rng=rng).weights - exact
            ) for _ in range(40)
        ])
        for fit in (erm.output_perturbation, erm.objective_perturbation)
    ]  # fmt: skip
    assert far[1] < far[0] / 2


# --- models and bad input --------------------------------------------------------------------


def test_clip_rows():
    X = np.random.default_rng(0).standard_normal((500, 3)) * 2
    clipped = erm.clip_rows(X, bound=0.7)
    norms = np.linalg.norm(X, axis=1)
    np.testing.assert_array_equal(clipped[norms <= 0.7], X[norms <= 0.7])
    np.testing.assert_allclose(np.linalg.norm(clipped[norms > 0.7], axis=1), 0.7, rtol=1e-14)
    np.testing.assert_allclose(np.abs(np.cross(X, clipped)).max(), 0, atol=1e-14)
    erm.minimise(erm.clip_rows(X * 1e3), np.ones(500), regularization=1)  # passes the check
    assert (erm.clip_rows(np.zeros((2, 3))) == 0).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("bound", [1e-300, 1e-200, 1e-170, 1e-10, 1.0, 1e10, 1e155, 1e200, 1e308])
def test_clip_rows_of_any_size(bound):
    rng = np.random.default_rng(20)
    X = rng.standard_normal((200, 3)) * 10 ** rng.uniform(-300, 307, (200, 1))
    X[:5] = [[1e155, 1e155, 0], [-2e200, 0, 0], [1.7e308] * 3, [0, 0, 0], [1e-170, 1e-170, 0]]
    clipped = erm.clip_rows(X, bound=bound)
    with mpmath.workdps(30):
        for row, found in zip(X, clipped):
            norm = mpmath.sqrt(sum(mpmath.mpf(x) ** 2 for x in row))
            share = min(1, bound / norm) if norm else 1
            expected = [float(share * mpmath.mpf(x)) for x in row]
            np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-320)
    np.testing.assert_allclose(erm.clip_rows(X[:2, :2]), [[0.5**0.5] * 2, [-1, 0]], rtol=2e-15)
    assert erm.clip_rows(np.zeros((2, 0)), bound=bound).shape == (2, 0)


def test_a_record_within_a_large_bound_stays_as_it_is():
    X = np.vstack([[1e-150, 1e200], np.random.default_rng(3).standard_normal((1000, 2)) * 1e120])
    np.testing.assert_array_equal(erm.clip_rows(X, bound=1e308), X)


def test_tables_of_pandas():
    table = pd.DataFrame({"a": [3.0, 0.3], "b": [4.0, 0.4]}, index=["p", "q"])
    clipped = erm.clip_rows(table)
    assert type(clipped) is np.ndarray  # who is behind a record does not travel on
    np.testing.assert_allclose(clipped, [[0.6, 0.8], [0.3, 0.4]], rtol=2e-15)
    labels = pd.Series([1, -1], index=table.index)
    for rng in (5, np.random.default_rng(5)):  # a seed is as good as its generator
        records = pd.DataFrame(clipped, index=table.index)
        model = erm.output_perturbation(records, labels, epsilon=1, regularization=1, rng=rng)
        again = erm.output_perturbation(clipped, [1, -1], epsilon=1, regularization=1, rng=5)
        np.testing.assert_array_equal(model.weights, again.weights)
    free = [erm.objective_perturbation(clipped, labels, epsilon=1, regularization=1) for _ in "ab"]
    assert (free[0].weights != free[1].weights).all()


def test_sparse_records_are_refused_with_what_to_pass():
    records = sparse.csr_array(np.eye(2))
    with pytest.raises(TypeError, match=r"^minimise: X must be dense, .*; pass its toarray\(\)"):
        erm.minimise(records, [1, -1], regularization=1)


def test_only_the_squared_loss_has_the_bound_of_ridge_regression():
    """A loss of the same name with ten times the slope has no such bound."""
    steep = dataclasses.replace(SQUARED, derivative=lambda y, z: 10 * (z - y))
    with pytest.raises(ValueError, match="lipschitz must be finite, got inf"):
        erm.output_perturbation(**DATA, loss=steep, epsilon=1, rng=0)


DATA = {"X": [[0.6, 0.8], [0.1, 0]], "y": [1, -1], "regularization": 0.1}


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"X": [[1.0, 0.1], [0, 0]]},
            r"every record must have a norm of at most 1 \(use clip",
        ),
        ({"X": [1.0, 0.1]}, r"X must have 2 dimension\(s\), got shape \(2,\)"),
        ({"X": np.zeros((0, 2)), "y": []}, "X must have a record and a column"),
        ({"X": [[math.nan, 0], [0, 0]]}, "X must be finite$"),
        ({"y": [0, 1]}, "y must be -1 or 1$"),
        ({"y": [1.5, 1], "loss": "squared"}, r"y must be in \[-1, 1\]$"),
        ({"y": [1]}, r"y must have shape \(2,\), got \(1,\)"),
        ({"y": [[1], [1]]}, r"y must have shape \(2,\)"),
        ({"regularization": 0}, "regularization must be positive, got 0"),
        ({"tol": 0}, "tol must be positive, got 0"),
        ({"loss": "hinge"}, "loss must be one of logistic, huber, squared, got 'hinge'"),
    ],
)
@pytest.mark.parametrize("name", ["minimise", "output_perturbation", "objective_perturbation"])
def test_bad_data(name, kwargs, message):
    arguments = DATA | kwargs
    if name != "minimise":
        arguments |= {"epsilon": 1.0, "rng": np.random.default_rng(0)}
    if name == "objective_perturbation" and arguments.get("loss") == "squared":
        message = r"loss must have a bounded slope, got squared \(use output_perturbation\)"
    with pytest.raises(ValueError, match=f"^{name}: {message}"):
        getattr(erm, name)(arguments.pop("X"), arguments.pop("y"), **arguments)


def test_other_bad_arguments():
    rng = np.random.default_rng(0)
    for fit in (erm.output_perturbation, erm.objective_perturbation):
        with pytest.raises(TypeError, match=f"^{fit.__name__}: rng must be"):
            fit(**DATA, epsilon=1, rng="0")
        with pytest.raises(ValueError, match=f"^{fit.__name__}: epsilon must be positive, got 0"):
            fit(**DATA, epsilon=0, rng=rng)
    with pytest.raises(ValueError, match=r"^minimise: linear must have shape \(2,\), got \(3,\)"):
        erm.minimise(**DATA, linear=[1, 2, 3])
    with pytest.raises(ValueError, match=r"^sensitivity: regularization must be positive, got 0"):
        erm.sensitivity(3, regularization=[1, 0])
    with pytest.raises(ValueError, match=r"^sensitivity: lipschitz must be finite, got inf"):
        erm.sensitivity(3, regularization=1, lipschitz=math.inf)
    with pytest.raises(ValueError, match=r"^sensitivity: n must be at least 1, got 0"):
        erm.sensitivity(0, regularization=1)
    with pytest.raises(ValueError, match=r"^huber_hinge: h must be positive, got 0"):
        erm.huber_hinge(0)
    with pytest.raises(ValueError, match=r"^ridge_radius: regularization must be positive"):
        erm.ridge_radius(-1)
    with pytest.raises(ValueError, match=r"^budget: curvature must be positive, got 0"):
        erm.budget(3, epsilon=1, regularization=1, curvature=0)
    with pytest.raises(ValueError, match=r"^spherical_laplace: dimension must be at least 1"):
        erm.spherical_laplace(0, scale=1, rng=rng)
    with pytest.raises(ValueError, match=r"^clip_rows: bound must be positive, got 0"):
        erm.clip_rows([[1.0]], bound=0)


def test_a_model_prints_no_weights():
    model = erm.minimise(np.eye(3), [1, -1, 1], regularization=1.0)
    assert repr(model) == "LinearModel(3 weights, epsilon inf, noise scale 0)"


def test_tight_is_true_or_false():
    with pytest.raises(TypeError, match="budget: tight must be True or False, got 'False'"):
        erm.budget(5, epsilon=1, regularization=1, curvature=1, tight="False")
    with pytest.raises(TypeError, match="objective_perturbation: tight must be True or False"):
        erm.objective_perturbation(
            [[0.6], [-0.8]], [1, -1], epsilon=math.inf, regularization=1, tight="False"
        )


def test_classes_of_a_loss_are_true_or_false():
    loss = dataclasses.replace(erm.LOSSES["logistic"], classes="False")
    with pytest.raises(TypeError, match=r"minimise: loss\.classes must be True or False"):
        erm.minimise([[0.6], [-0.8]], [1, -1], regularization=1, loss=loss)


def test_weights_under_a_mask_are_no_model():
    with pytest.raises(TypeError, match="LinearModel: weights must be without a mask"):
        erm.LinearModel(np.ma.masked_array([1.0, 2.0], mask=[False, True]))
