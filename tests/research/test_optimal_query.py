"""Tests of `privlib.research.optimal_query`: a general solver, the dual by hand."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from privlib.correlated.gaussian import GaussianModel
from privlib.research.optimal_query import best_release


def club(prior=1.0):
    graph = nx.karate_club_graph()
    return GaussianModel(
        precision=nx.laplacian_matrix(graph, weight=None).toarray() + prior * np.eye(34), width=1
    )


def random_model(seed, n=6):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
    P = np.diag((upper + upper.T).sum(axis=0) + rng.random(n) + 0.05) - upper - upper.T
    return GaussianModel(
        precision=P, width=rng.random(n) + 0.2, weights=rng.integers(0, 3, n) + 0.1
    )


def parts(model, epsilon):
    """Covariance, weights of the query, and the bounds of the leakages, for scale 1."""
    C = np.linalg.inv(model.precision)
    w = np.broadcast_to(np.asarray(model.weights, dtype=float), len(C))
    return C, w, epsilon * C.diagonal() / model.width


def mean_squared_error(C, w, a, scale):
    return (w - a) @ C @ (w - a) + 2 * scale**2


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 5.0]))
def test_private_against_every_adversary_and_no_error_below_the_bound(seed, epsilon):
    model = random_model(seed)
    best = best_release(model, epsilon)
    C, w, psi = parts(model, epsilon)
    released = GaussianModel(precision=model.precision, width=model.width, weights=best.weights)
    assert released.worst_adversary(scale=best.scale).leakage == pytest.approx(epsilon, rel=1e-9)
    assert best.weights.min() >= 0
    assert best.error == pytest.approx(mean_squared_error(C, w, best.weights, best.scale))
    assert best.bound <= best.error * (1 + 1e-10)
    assert best.bound == pytest.approx(best.error, rel=1e-7)
    rng = np.random.default_rng(seed)  # any private release has an error above the bound
    for a in best.weights + rng.random((50, 6)) * rng.choice([0.01, 0.3], (50, 1)):
        scale = (C @ a / psi).max()
        assert mean_squared_error(C, w, a, scale) >= best.bound * (1 - 1e-10)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from([0.3, 2.0]))
def test_a_general_solver_finds_the_same(seed, epsilon):
    model = random_model(seed)
    C, w, psi = parts(model, epsilon)
    found = minimize(
        lambda z: mean_squared_error(C, w, z[:-1], z[-1]),
        np.append(w, (C @ w / psi).max()),
        jac=lambda z: np.append(-2 * C @ (w - z[:-1]), 4 * z[-1]),
        bounds=[(0, None)] * 7,
        constraints={
            "type": "ineq",
            "fun": lambda z: z[-1] * psi - C @ z[:-1],
            "jac": lambda z: np.column_stack([-C, psi]),
        },
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    best = best_release(model, epsilon)
    assert best.error == pytest.approx(found.fun, rel=1e-5)
    np.testing.assert_allclose(best.weights, found.x[:-1], atol=2e-3)


def test_the_dual_by_hand():
    """The Lagrangian is at its minimum where the head of the module says, and gives the bound."""
    model = club()
    best = best_release(model, 3.0)
    mu, nu = best.leakage_multipliers, best.sign_multipliers
    assert min(mu.min(), nu.min()) >= 0
    C, w, psi = parts(model, 3.0)
    H = np.zeros((35, 35))  # of the Lagrangian in (a, scale)
    H[:34, :34], H[34, 34] = 2 * C, 4
    linear = np.append(-2 * C @ w + 2 * C @ mu - 2 * nu, -2 * psi @ mu)
    z = np.linalg.solve(H, -linear)
    assert w @ C @ w + linear @ z / 2 == pytest.approx(best.bound, rel=1e-10)


def test_the_karate_club():
    """Plain, shrunk by the reader, and at the optimum."""
    model = club()
    plain = 2 * model.noise_scale(3.0) ** 2
    prior = np.linalg.inv(model.precision).sum()
    best = best_release(model, 3.0)
    assert prior == pytest.approx(34)
    assert plain == pytest.approx(25.490, abs=5e-4)
    assert prior * plain / (prior + plain) == pytest.approx(14.568, abs=5e-4)
    assert best.error == pytest.approx(13.094, abs=5e-4)
    assert np.flatnonzero(best.weights == 0).tolist() == [0, 33]  # the instructor, the president
    # The answer needs no shrinking, and never beats the limits.
    C = np.linalg.inv(model.precision)
    assert best.weights @ C @ best.weights + 2 * best.scale**2 == pytest.approx(
        best.weights @ C.sum(axis=1)
    )


def test_weights_of_both_signs_may_do_better():
    """A limit of the result: all adversaries of a star, whose centre is subtracted."""
    P = nx.laplacian_matrix(nx.star_graph(4)).toarray() + np.eye(5)
    assert best_release(GaussianModel(precision=P, width=1), 2.0).error == pytest.approx(2)
    a = np.array([-0.8, 1, 1, 1, 1])
    assert GaussianModel(precision=P, weights=a, width=1).worst_adversary(
        scale=0.6
    ).leakage == pytest.approx(2)
    assert mean_squared_error(np.linalg.inv(P), np.ones(5), a, 0.6) == pytest.approx(1.8)


def test_independent_tuples_have_a_closed_form():
    """With P = p I all weights are one c, and the error is that of shrinking."""
    n, p, epsilon = 7, 2.0, 1.5
    best = best_release(GaussianModel(precision=p * np.eye(n), width=1), epsilon)
    prior, noise = n / p, 2 / epsilon**2
    np.testing.assert_allclose(best.weights, prior / (prior + noise))
    assert best.error == pytest.approx(prior * noise / (prior + noise))


@pytest.mark.parametrize("prior", [1e-4, 1.0, 1e3])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 100.0])
def test_never_worse_than_shrinking_and_tight(prior, epsilon):
    model = club(prior)
    best = best_release(model, epsilon)
    noise = 2 * model.noise_scale(epsilon) ** 2
    spread = np.linalg.inv(model.precision).sum()
    assert best.error <= spread * noise / (spread + noise) * (1 + 1e-9)
    assert best.bound == pytest.approx(best.error, rel=1e-8)


def test_a_question_without_weights_is_answered_without_noise(recwarn):
    best = best_release(
        GaussianModel(precision=[[2.0, -1], [-1, 2.0]], weights=[0, 0], width=1), 1.0
    )
    assert (best.scale, best.error, best.bound, *best.weights) == (0, 0, 0, 0, 0)
    assert not recwarn.list


def test_labels_and_refusals():
    names = ["a", "b"]
    frame = pd.DataFrame([[2.0, -1], [-1, 2.0]], index=names, columns=names)
    weights = best_release(GaussianModel(precision=frame, width=1), 1.0).weights
    assert type(weights) is np.ndarray
    for precision in (np.eye(2), nx.path_graph(2)):
        with pytest.raises(TypeError, match="model must be a GaussianModel, got "):
            best_release(precision, 1.0)
    with pytest.raises(ValueError, match="no off-diagonal > 0"):
        best_release(GaussianModel(precision=[[2.0, 1], [1, 2.0]], width=1), 1.0)
    with pytest.raises(ValueError, match="no weight < 0"):
        best_release(GaussianModel(precision=[[2.0, -1], [-1, 2.0]], weights=[1, -1], width=1), 1.0)
    with pytest.raises(ValueError, match="positive definite"):
        best_release(GaussianModel(precision=[[1.0, -1], [-1, 1.0]], width=1), 1.0)
    with pytest.raises(ValueError, match="epsilon must be positive"):
        best_release(GaussianModel(precision=np.eye(2), width=1), 0)
