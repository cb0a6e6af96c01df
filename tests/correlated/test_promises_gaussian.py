"""The Gaussian model never promises more privacy than is true: fractions, enumeration, sabotage.

Every oracle works in fractions on the matrix as it was given, or in closed form.
"""

from __future__ import annotations

import copy
import itertools
import math
import pickle
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sps
import sympy as sp
from scipy import integrate, stats
from scipy.sparse import csgraph

from privlib import UncertifiedError
from privlib.correlated import GaussianModel, gaussian, matrices, networks
from privlib.research import sparse_gaussian
from privlib.research.optimal_query import best_release

REFUSED = (ValueError, TypeError)
DIGITS = Fraction(1, 10**9)
F = Fraction


# --- oracles ---------------------------------------------------------------------------------


def solved(A, B):
    """A^-1 B in fractions by Gauss-Jordan elimination; None if a pivot is not positive."""
    rows = [[F(v) for v in left] + [F(v) for v in right] for left, right in zip(A, B)]
    for k, row in enumerate(rows):
        if row[k] <= 0:
            return None
        rows[k] = [v / row[k] for v in row]
        for i, other in enumerate(rows):
            if i != k and other[k]:
                factor = other[k]
                rows[i] = [v - factor * w for v, w in zip(other, rows[k])]
    return [row[len(A) :] for row in rows]


def identity(n):
    return [[int(i == j) for j in range(n)] for i in range(n)]


def coefficient(P, a, i, known):
    """a_i + l_A in fractions; None if the unknown have no distribution."""
    U = [j for j in range(len(P)) if j != i and j not in known]
    value = F(a[i])
    if U:
        shares = solved([[P[u][v] for v in U] for u in U], [[-F(P[u][i])] for u in U])
        if shares is None:
            return None
        value += sum(F(a[u]) * share[0] for u, share in zip(U, shares))
    return value


def largest(P, a, width):
    """The largest M_i |a_i + l_A| of all adversaries, in fractions."""
    best = F(0)
    for i in range(len(P)):
        others = [j for j in range(len(P)) if j != i]
        for size in range(len(P)):
            for known in itertools.combinations(others, size):
                value = coefficient(P, a, i, known)
                if value is None:
                    return None
                best = max(best, F(width[i]) * abs(value))
    return best


def nasty(rng):
    """A model of 1 to 4 tuples: weak and strong links, lost priors, other units, tiny signs."""
    n, kind = int(rng.integers(1, 5)), int(rng.integers(0, 6))
    W = np.triu(rng.choice([0, 0, 1, 2.5, 1e-3, 1e8, 1e-8], size=(n, n)), 1)
    if kind in (0, 2):
        W *= rng.choice([1, 1, -1], size=(n, n))
    W += W.T
    tau = 10.0 ** rng.integers(-15, 5, size=n)
    P = np.diag(np.abs(W).sum(axis=1) * (rng.uniform(0.6, 1.1) if kind == 2 else 1) + tau) - W
    if kind == 3:  # other units: no row is like another
        units = 2.0 ** rng.integers(-20, 21, size=n)
        P = P * np.outer(units, units)
    if kind == 4 and n > 1:  # a positive entry that a global threshold does not see
        P[0, 1] = P[1, 0] = 10.0 ** rng.integers(-16, -3)
    if kind == 5 and n > 1:  # two tuples that are one
        P[0], P[:, 0] = P[1], P[:, 1]
        P[0, 0] = P[1, 1] * (1 + 10.0 ** rng.integers(-14, 0))
    signs = [1, 1, 2, 0, 0.3, 1e-5, -1 if kind == 0 else 1]
    a = rng.choice(signs, size=n).astype(float)
    width = 10.0 ** rng.integers(-9, 10, size=n)
    return P, a, width, 10.0 ** rng.integers(-8, 5)


# --- the scale -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_no_adversary_learns_more_than_the_level_or_there_is_no_scale(seed):
    rng, taken = np.random.default_rng(seed), 0
    for _ in range(80):
        P, a, width, epsilon = nasty(rng)
        model = GaussianModel(precision=P, weights=a, width=width)
        truth = largest(P.tolist(), a.tolist(), width.tolist())
        proper = solved(P.tolist(), identity(len(P))) is not None
        for method in ("exact", "bound"):
            try:
                scale = model.noise_scale(epsilon, method=method)
            except ValueError:
                continue
            assert proper
            assert truth <= F(scale) * F(epsilon) * (1 + 2 * DIGITS)
            if method == "exact":
                taken += 1
                assert F(scale) * F(epsilon) <= truth * (1 + 2 * DIGITS)
        try:
            worst = model.worst_adversary(scale=epsilon)
        except ValueError:
            continue
        i, known = worst.adversary
        assert truth <= F(worst.leakage) * F(epsilon) * (1 + 2 * DIGITS)
        attained = F(width[i]) * abs(coefficient(P.tolist(), a.tolist(), i, known))
        assert F(worst.leakage) * F(epsilon) <= attained * (1 + 2 * DIGITS)
    assert taken > 40


@pytest.mark.parametrize("seed", range(3))
def test_coefficients_have_the_digits_that_are_promised(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(60):
        P, a, width, _ = nasty(rng)
        n = len(P)
        model = GaussianModel(precision=P, weights=a, width=width)
        entries = P.tolist(), a.tolist()
        truth = [coefficient(*entries, i, ()) for i in range(n)]
        try:
            weak = a + model.leakage_coefficients()
        except ValueError:
            weak = []
        for found, exact in zip(weak, truth):
            assert abs(F(found) - exact) <= F(1e-8) * max(abs(exact), F(1e-6))
        try:
            bound = model.comparison_bound()
        except ValueError:
            bound = None
        for i in range(n):
            others = [j for j in range(n) if j != i]
            known = [j for j in others if rng.random() < 0.5]
            exact = coefficient(*entries, i, known)
            try:
                found = a[i] + model.leakage_coefficient(i, known)
                mu = model.gaussian_noise_mu(i, known, sigma=1.0)
            except ValueError:
                continue
            assert abs(F(found) - exact) <= DIGITS * (abs(exact) + F(abs(a[i])))
            assert mu <= width[i] * float(abs(exact)) * (1 + 1e-8)
            if bound is not None:
                assert abs(exact - F(a[i])) <= F(bound[i]) * (1 + DIGITS) + F(1e-9) * F(abs(a[i]))


def test_exact_models_promise_no_less():
    rng = np.random.default_rng(7)
    for _ in range(60):
        n = int(rng.integers(1, 4))
        W = np.array([[F(int(rng.integers(0, 3)))] * n for _ in range(n)])
        W = np.triu(W, 1)
        W = W + W.T
        tau = [F(1, 10 ** int(rng.choice([0, 3, 20, 40]))) for _ in range(n)]
        P = np.diag([sum(W[i]) + tau[i] for i in range(n)]) - W
        width = [F(1, 3)] * n
        truth = largest(P.tolist(), [1] * n, width)
        scale = GaussianModel(precision=P, width=width).noise_scale(F(1, 7))
        assert abs(F(scale) / 7 - truth) <= DIGITS * truth  # priors beyond the digits of floats


def test_exact_entries_that_floats_blur():
    """Two tuples that are one, hardly linked to the third: what it says of them is b/(b + tau)."""
    b, tau = F(1, 3 * 10**13), F(1, 7 * 10**13)
    W = np.array([[0, b, b], [b, 0, F(1)], [b, F(1), 0]], dtype=object)
    P = np.diag(W.sum(axis=1) + np.array([F(1), tau, tau])) - W
    truth = 1 + 2 * b / (b + tau)
    model = GaussianModel(precision=P, width=[1, F(1, 100), F(1, 100)])
    assert abs(F(model.noise_scale(1)) - truth) <= DIGITS * truth
    blur = 1 + 2 / (b + tau)  # of the noise and of the two, who are nearly one
    squared = F(model.gaussian_noise_mu(0, sigma=1)) ** 2
    assert abs(squared - truth**2 / blur) <= DIGITS * squared
    for call in (lambda: best_release(model, 1.0),
                 lambda: model.noise_scale(1, method="bound"), model.comparison_bound):  # fmt: skip
        with pytest.raises(UncertifiedError):
            call()


def test_two_cliques_with_a_positive_link():
    """16 tuples, nearly singular: somebody who knows one tuple of the other clique learns most."""
    clique = (8 * np.eye(8) - np.ones((8, 8))) / 8 + 1.1e-13 * np.eye(8)
    P = np.kron(np.eye(2), clique)
    P[0, 8] = P[8, 0] = 8e-13
    model = GaussianModel(precision=P, width=1)
    for promise in (lambda: model.noise_scale(1), lambda: best_release(model, 1).scale,
                    lambda: model.worst_adversary(scale=1).leakage):  # fmt: skip
        try:
            found = promise()
        except ValueError:
            continue
        assert found >= 7.9999


@pytest.mark.parametrize("link", [1e-15, 1e-13, 1e-9, 1e-3])
@pytest.mark.parametrize("n", [3, 16, 17, 40])
def test_a_positive_entry_is_never_overlooked(n, link):
    P = np.eye(n) * 2.0 - np.eye(n, k=1) / 2 - np.eye(n, k=-1) / 2
    P[0, 2] = P[2, 0] = link
    model = GaussianModel(precision=P, width=1)
    weak = 1 + model.leakage_coefficients().max()
    bound = 1 + model.comparison_bound().max()
    if n <= 16:
        assert model.noise_scale(1.0) >= model.worst_adversary(scale=1).leakage * (1 - 1e-9)
        return
    try:
        scale = model.noise_scale(1.0)
    except ValueError:
        assert bound > weak * (1 + 1e-9)
    else:
        assert bound <= scale <= weak * (1 + 1e-9)  # holds for everybody, and costs nothing


@pytest.mark.parametrize("n", [17, 40])
def test_where_a_positive_entry_matters_there_is_no_scale(n):
    P = 30.0 * np.eye(n)
    P[0, 1] = P[1, 0] = 1e-3
    with pytest.raises(ValueError, match=r"Theorem 5\.2"):
        GaussianModel(precision=P, width=1).noise_scale(1.0)


def test_a_zero_that_is_negative_is_no_positive_entry():
    P = np.array([[2.0, -0.0], [0.0, 2.0]])
    assert GaussianModel(precision=P, width=1).noise_scale(1) == 1


def test_infinite_epsilon_asks_for_no_noise():
    model = GaussianModel(precision=[[2.0, -1], [-1, 2]], width=1)
    assert model.noise_scale(math.inf) == model.noise_scale(np.inf, method="bound") == 0
    best = best_release(model, math.inf)
    assert (best.scale, best.error, best.weights.tolist()) == (0, 0, [1, 1])
    assert model.laplace_delta(0, epsilon=math.inf, scale=1) == 0
    for bad in (0, -1, math.nan, -math.inf, True, "1", None):
        for call in (model.noise_scale, lambda eps: best_release(model, eps)):
            with pytest.raises(REFUSED, match="epsilon must"):
                call(bad)


def test_scales_end_where_floats_do():
    for width in (1e-60, 1.0, 1e60):
        model = GaussianModel(precision=[[2.0, -1], [-1, 2]], width=width)
        for epsilon in (1e-300, 1e-250, 1e-8, 1e4, 1e250, 1e300):
            size = 1.5 * width / epsilon
            if not 1e-280 < size < 1e280:
                with pytest.raises(ValueError, match="within the range of floats"):
                    model.noise_scale(epsilon)
                continue
            scale = model.noise_scale(epsilon)
            assert F(scale) * F(epsilon) >= F(3, 2) * F(width) * (1 - DIGITS)
        for scale in (1e-300, 1e300):
            try:
                leakage = model.worst_adversary(scale=scale).leakage
            except ValueError:
                continue
            assert F(leakage) * F(scale) >= F(3, 2) * F(width) * (1 - DIGITS)
    for numbers in (1e61, 1e308, 1e-61, 5e-324, math.nan, math.inf, -1, 0):
        with pytest.raises(ValueError, match="width must be"):
            GaussianModel(precision=np.eye(2), width=[1, numbers])
    for entry in (1e61, 1e-61, 5e-324, math.nan):
        with pytest.raises(ValueError, match="precision must be"):
            GaussianModel(precision=[[entry, 0], [0, 1.0]], width=1)


# --- matrices that are none ------------------------------------------------------------------

HALVES = [F(1), F(-2)], [F(-2), F(1)]
INDEFINITE = [
    np.array(HALVES),
    sp.Matrix(HALVES),
    np.array([[1.0, -2], [-2, 1]]),
    np.array([[1e16, 0, 0], [0, 1, -2], [0, -2, 1.0]]),
    np.array([[1e-16, 0, 0], [0, 1, -2], [0, -2, 1.0]]),
    np.array([[1, -2e-8, 0], [-2e-8, 1e-16, 0], [0, 0, 1.0]]),
    np.array([[F(10**40), 0, 0], [0, F(1), F(-2)], [0, F(-2), F(1)]]),
    sp.Matrix([[sp.sqrt(2), -2], [-2, sp.sqrt(2)]]),
    np.array([[F(-1)]]),
    np.array([[0.0, 1], [1, 0.0]]),
    np.diag([1.0, -1e-30]),
    (lambda t: sp.Matrix([[t, -2 * t], [-2 * t, t]]))(sp.Symbol("t", positive=True)),
]


@pytest.mark.parametrize("P", INDEFINITE, ids=range(len(INDEFINITE)))
def test_indefinite_matrices_are_refused_by_everybody(P):
    for call in (
        lambda model: model.leakage_coefficients(),
        lambda model: model.leakage_coefficient(0),
        lambda model: model.leakage_coefficient(len(model.precision) - 1),
        lambda model: model.all_coefficients(),
        lambda model: model.worst_adversary(scale=1),
        lambda model: model.noise_scale(1),
        lambda model: model.noise_scale(1, method="bound"),
        lambda model: model.gaussian_noise_mu(0, sigma=1),
        lambda model: model.laplace_delta(0, epsilon=0.5, scale=1),
        lambda model: best_release(model, 1),
        lambda model: gaussian.algorithm1(model.precision),
        lambda model: GaussianModel.from_covariance(model.precision, width=1),
    ):
        with pytest.raises(REFUSED):
            call(GaussianModel(precision=P, width=1))


def test_a_singular_matrix_has_no_weak_adversaries_even_exactly():
    for P in (
        np.array([[F(1), F(-1)], [F(-1), F(1)]]),
        sp.Matrix([[1, 1], [1, 1]]),
        np.array([[F(0)]]),
        [[1.0, -1], [-1, 1]],
        [[1e20, 0, 0], [0, 1, 1], [0, 1, 1]],
    ):
        model = GaussianModel(precision=P, width=1)
        for call in (model.leakage_coefficients, lambda m=model: m.noise_scale(1)):
            with pytest.raises(ValueError, match="positive definite"):
                call()


@pytest.mark.parametrize(
    "P",
    [
        [[1e11, 0, 0], [0, 2, -1.5], [0, 0, 2]],
        [[1e11, 0, 0], [0, 2, 0], [0, -1.5, 2]],
        [[1e30, 0], [1e5, 1e-10]],
        [[1.0, 0.5], [0.5 + 1e-9, 1.0]],
    ],
)
def test_symmetry_is_asked_of_each_pair(P):
    for call in (lambda: GaussianModel(precision=P, width=1), lambda: gaussian.algorithm1(P),
                 lambda: GaussianModel.from_covariance(P, width=1),
                 lambda: gaussian.combine(P, 1, m=1)):  # fmt: skip
        with pytest.raises(ValueError, match="must be symmetric, got"):
            call()


def test_what_two_triangles_leave_open_is_refused():
    """Nearly symmetric and nearly singular: the two triangles are two models."""
    prior = 1e-9
    P = np.array([[1 + prior, -1], [-1 + 5e-11, 1 + prior]])
    with pytest.raises(UncertifiedError, match="so nearly singular, or so little symmetric"):
        GaussianModel(precision=P, width=1).noise_scale(1)
    gentle = np.array([[2, -1], [-1 + 1e-13, 2]])
    assert GaussianModel(precision=gentle, width=1).noise_scale(1) == pytest.approx(1.5, rel=1e-12)


# --- the check itself ------------------------------------------------------------------------


def ring(n=12, prior=0.3):
    return networks.precision(nx.cycle_graph(n), prior)


@pytest.mark.parametrize("factor", [0.5, 1 - 1e-6, 1 + 1e-6])
@pytest.mark.parametrize("n", [12, 40])
def test_a_wrong_solution_is_not_returned(monkeypatch, factor, n):
    """Not even one that is off by a millionth; found another way it may be."""
    units = np.linspace(1, 2, n)  # not dominant: 40 tuples cannot be eliminated either
    P = networks.precision(nx.cycle_graph(n), 0.3) * np.outer(units, units)
    calls = (
        lambda m: m.noise_scale(1),
        lambda m: m.noise_scale(1, method="bound"),
        lambda m: m.leakage_coefficients(),
        lambda m: m.comparison_bound(),
        lambda m: m.leakage_coefficient(0),
        lambda m: m.gaussian_noise_mu(0, sigma=1),
        lambda m: best_release(m, 1.0).scale,
        lambda m: gaussian.algorithm1(m.precision),
    )
    model = GaussianModel(precision=P, width=1, weights=1 + np.arange(n) % 2)
    expected = [call(model) for call in calls]
    inner = matrices.cho_solve
    monkeypatch.setattr(matrices, "cho_solve", lambda *a, **k: inner(*a, **k) * factor)
    refused = 0
    for call, right in zip(calls, expected):
        try:
            found = call(GaussianModel(precision=P, width=1, weights=1 + np.arange(n) % 2))
        except UncertifiedError:
            refused += 1
        else:
            np.testing.assert_allclose(found, right, rtol=1e-9)
    assert refused >= (len(calls) if n == 40 else 0)


def test_a_wrong_factor_is_not_believed(monkeypatch):
    inner = matrices.lapack.dtrtri
    model = GaussianModel(precision=ring(1200), width=1)

    class Wrong:
        dtrtri = staticmethod(lambda *a, **k: (inner(*a, **k)[0] * (1 + 1e-7), 0))

        def __getattr__(self, name):
            return getattr(gaussian.matrices.np, name, None) or getattr(_lapack, name)

    _lapack = matrices.lapack
    monkeypatch.setattr(matrices, "lapack", Wrong())
    with pytest.raises(UncertifiedError):
        model.noise_scale(1)


def test_a_wrong_enumeration_is_computed_anew_or_refused(monkeypatch):
    inner = np.linalg.solve
    P = np.array([[3.0, -1, 1], [-1, 2, 0], [1, 0, 2]])
    monkeypatch.setattr(np.linalg, "solve", lambda A, b: inner(A, b) * 0.9)
    assert GaussianModel(precision=P, width=1).worst_adversary(scale=1).leakage == pytest.approx(
        1.5
    )
    table = GaussianModel(precision=P, width=1).all_coefficients()
    assert table[0] == pytest.approx([0, -0.5, 0.5, 0])
    rng = np.random.default_rng(0)
    A = rng.normal(size=(14, 14))
    with pytest.raises(UncertifiedError):
        GaussianModel(precision=A @ A.T + np.eye(14), width=1).noise_scale(1)


def test_algorithm_1_is_compared_with_theorem_5_1(monkeypatch):
    inner = gaussian._branch
    wrong = lambda *a: [leaf * (1 + 1e-6) for leaf in inner(*a)]  # noqa: E731
    monkeypatch.setattr(gaussian, "_branch", wrong)
    exact = sp.Matrix([[2, -1], [-1, 2]])
    for P in (ring(), networks.precision(nx.cycle_graph(6), 0)):
        with pytest.raises(UncertifiedError, match=r"Theorem 5\.1"):
            gaussian.algorithm1(P)
    monkeypatch.setattr(
        gaussian, "_branch", lambda *a: [leaf + sp.Rational(1, 9) for leaf in inner(*a)]
    )
    with pytest.raises(UncertifiedError, match=r"Theorem 5\.1"):
        gaussian.algorithm1(exact)


def test_a_wrong_eigendecomposition_is_noticed(monkeypatch):
    inner = gaussian.eigh

    def wrong(*a, **k):
        values, vectors = inner(*a, **k)
        return values * (1 + 1e-6), vectors

    monkeypatch.setattr(gaussian, "eigh", wrong)
    with pytest.raises(UncertifiedError, match="eigendecomposition"):
        gaussian.leakage_sweep(nx.karate_club_graph(), [1.0])


@pytest.mark.slow
def test_nearly_singular_matrices_keep_their_digits_or_are_refused():
    """Eliminated without a subtraction at 40 tuples, beyond what is solved in integers."""
    for prior in (1e-6, 1e-9, 1e-12):
        P = networks.precision(nx.karate_club_graph(), prior, weight="none")
        truth = solved(P.tolist(), [[1, *row] for row in identity(34)])
        exact = [row[0] / row[1 + i] for i, row in enumerate(truth)]
        model = GaussianModel(precision=P, width=1)
        for found, value in zip(1 + model.leakage_coefficients(), exact):
            assert abs(F(found) - value) <= F(1e-11) * value
        assert abs(F(model.noise_scale(1)) - max(exact)) <= F(1e-11) * max(exact)
    # The same network in other units is no longer dominant, and too large for integers.
    units = np.linspace(1, 3, 34)
    with pytest.raises(UncertifiedError, match="raise the prior"):
        GaussianModel(precision=P * np.outer(units, units), width=1).noise_scale(1)


# --- from a covariance -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_a_covariance_makes_its_own_model(seed):
    rng = np.random.default_rng(seed)
    for _ in range(30):
        n = int(rng.integers(1, 5))
        A = rng.integers(-3, 4, size=(n, n)) + 4 * np.eye(n, dtype=int)
        C = A @ A.T
        if solved(C.tolist(), identity(n)) is None:
            continue
        units = 10.0 ** rng.integers(-6, 7, size=n)
        width = 10.0 ** rng.integers(-3, 3, size=n)
        covariance = C * np.outer(units, units)
        covariance = (covariance + covariance.T) / 2
        P = solved(covariance.tolist(), identity(n))
        truth = largest(P, [1] * n, width.tolist())
        try:
            model = GaussianModel.from_covariance(covariance, width=width)
            scale = model.noise_scale(1)
        except ValueError:
            continue
        assert abs(F(scale) - truth) <= 2 * DIGITS * truth
        exact = GaussianModel.from_covariance(
            np.array([[F(v) for v in row] for row in covariance.tolist()]), width=width
        )
        assert [[F(int(v.p), int(v.q)) for v in row] for row in exact.precision] == P


def test_equal_correlations_by_hand():
    for n, rho, scale in ((2, 0.5, 1.5), (5, 0.6, 3.4), (10, 0.6, 6.4), (300, 0.6, 180.4)):
        C = (1 - rho) * np.eye(n) + rho
        found = GaussianModel.from_covariance(C, width=2).noise_scale(2)
        assert found == pytest.approx(scale, rel=1e-9)
        names = [f"person {k}" for k in range(n)]
        table = pd.DataFrame(C, names, names)
        assert GaussianModel.from_covariance(table, width=2).noise_scale(2) == found


def test_a_covariance_that_says_too_little_is_refused():
    rng = np.random.default_rng(0)
    few = np.cov(rng.normal(size=(20, 300)), rowvar=False)
    with pytest.raises(ValueError, match=r"singular up to rounding; .* use a graph"):
        GaussianModel.from_covariance(few, width=1)
    close = np.array([[1, 1 - 1e-14], [1 - 1e-14, 1]])
    with pytest.raises(ValueError, match="singular"):
        GaussianModel.from_covariance(close, width=1)
    nearly = 1e-9 * np.eye(20) + 1
    with pytest.raises(UncertifiedError, match="determine its inverse only up to"):
        GaussianModel.from_covariance(nearly, width=1)
    with pytest.raises(ValueError, match="covariance must be positive definite"):
        GaussianModel.from_covariance(np.array([[F(1), F(1)], [F(1), F(1)]]), width=1)
    with pytest.raises(ValueError, match="covariance must be positive definite, got the variance"):
        GaussianModel.from_covariance([[0.0, 0], [0, 1]], width=1)
    many = np.cov(rng.normal(size=(400, 40)), rowvar=False)
    with pytest.raises(ValueError, match=r"for an estimated covariance, .*use a graph"):
        GaussianModel.from_covariance(many, width=1).noise_scale(1)


def nasty_covariance(rng):
    """A covariance, weights that nearly cancel, widths: of one to five tuples."""
    n, kind = int(rng.integers(1, 6)), int(rng.integers(4))
    X = rng.standard_normal((n, n + 2)) * 10.0 ** rng.integers(-3, 1, size=(n, 1))
    C = X @ X.T
    if kind == 1:  # what all have in common
        C = C + 10.0 ** rng.integers(0, 4)
    if kind == 2:  # of a graph
        W = np.triu(rng.random((n, n)), 1) * (rng.random((n, n)) < 0.5)
        W += W.T
        C = np.linalg.inv(np.diag(W.sum(axis=1) + 10.0 ** rng.integers(-4, 1)) - W)
    if kind == 3:
        units = 10.0 ** rng.integers(-8, 9, size=n)
        C = C * units * units[:, None]
    C = (C + C.T) / 2
    a = np.ones(n)
    if rng.random() < 0.7:
        a = rng.standard_normal(n)
    if n > 1 and rng.random() < 0.5:
        a[0] = -(C[0, 1:] @ a[1:]) / C[0, 0] * (1 + 10.0 ** rng.integers(-12, 0))
    return C, a, 10.0 ** rng.integers(-3, 4, size=n)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("in_integers", [True, False])
def test_the_rounding_of_an_inverse_is_not_promised_away(seed, in_integers, monkeypatch):
    """With 1e-10 to spare, whatever cancels: of the covariance, not of its rounded inverse."""
    if not in_integers:
        monkeypatch.setattr(matrices, "MAX_INTEGER", 0)
        monkeypatch.setattr(gaussian, "_CANDIDATES", 0)
    rng, taken = np.random.default_rng(seed), 0
    for _ in range(60):
        C, a, width = nasty_covariance(rng)
        n = len(C)
        try:
            model = GaussianModel.from_covariance(C, width=width, weights=1).with_weights(a)
        except ValueError:
            continue
        P = solved(C.tolist(), identity(n))
        for i in range(n):
            known = [j for j in range(n) if j != i and rng.random() < 0.4]
            truth = F(float(width[i])) * abs(coefficient(P, a.tolist(), i, known))
            try:
                leakage = model.leakage(i, known, scale=1)
            except UncertifiedError:
                continue
            taken += 1
            assert truth <= F(leakage) * (1 + F(2, 10**10))
            if in_integers:
                assert F(leakage) <= truth * (1 + 2 * DIGITS)
        truth = largest(P, a.tolist(), width.tolist())
        for promise in (
            lambda model=model: model.noise_scale(1),
            lambda model=model: model.noise_scale(1, method="bound"),
            lambda model=model: model.worst_adversary(scale=1).leakage,
        ):
            try:
                found = promise()
            except ValueError:
                continue
            assert truth <= F(found) * (1 + F(2, 10**10))
    assert taken > 100


def test_two_tuples_whose_weights_nearly_cancel():
    """What x_0 tells is 0.9 - 0.9000001 and no more: nine digits are lost in floats."""
    C, a = [[1, 0.9], [0.9, 1]], [-0.9000001, 1]
    truth = abs(F(a[0]) + F(0.9))
    model = GaussianModel.from_covariance(C, width=1, weights=a)
    for copied in (model, model.with_weights(a), pickle.loads(pickle.dumps(model))):
        found = F(copied.leakage(0, scale=1))
        assert truth * (1 - F(1, 10**15)) <= found <= truth * (1 + DIGITS)
    skewed = GaussianModel.from_covariance([[1, 0.9], [0.9 * (1 + 1e-15), 1]], width=1, weights=a)
    assert truth <= F(skewed.leakage(0, scale=1)) <= truth * (1 + F(1, 10**4))


def test_units_that_are_far_apart_do_not_matter():
    """Ages beside salaries: the sum blurs the slope of an age, but not in integers."""
    C = np.array([[1.0, 3e5], [3e5, 1e12]])
    model = GaussianModel.from_covariance(C, width=[10, 1e6])
    assert model.leakage(0, [1], scale=1) == pytest.approx(10)
    assert model.leakage(0, scale=1e6) == pytest.approx(10 * (1 + 3e5) / 1e6, rel=1e-9)


def test_entries_that_two_triangles_leave_positive_are_not_negative():
    """0 is the mean of both; one triangle says that somebody else is the worst."""
    n = 17
    P = np.eye(n)
    P[0, 1], P[1, 0] = 4e-11, -4e-11
    P[1, 2] = P[2, 1] = -0.5
    model = GaussianModel(precision=P, width=[1e6] + [1] * (n - 1), weights=[1e-10] + [1] * (n - 1))
    with pytest.raises(ValueError, match=r"Theorem 5\.2|rounding"):
        model.noise_scale(1)


# --- the interface ---------------------------------------------------------------------------


def test_a_matrix_must_be_named_and_a_width_given():
    P = [[2.0, -1], [-1, 2]]
    for call in (lambda: GaussianModel(P), lambda: GaussianModel(P, width=1),
                 lambda: GaussianModel(P, 1, 1)):  # fmt: skip
        with pytest.raises(TypeError, match=r"precision=P.*from_covariance\(S"):
            call()
    with pytest.raises(TypeError, match="width must be given: the largest change"):
        GaussianModel(precision=P)
    with pytest.raises(TypeError, match="width"):
        GaussianModel.from_graph(nx.path_graph(2), 1.0)
    with pytest.raises(TypeError, match="width"):
        GaussianModel.from_covariance(P)


def test_nobody_changes_a_model_afterwards():
    P = np.array([[2.0, -1], [-1, 2]])
    exact = np.array([[F(2), F(-1)], [F(-1), F(2)]])
    for matrix in (P, exact, sps.csr_array(P)):
        width, weights = np.array([1.0, 2]), np.array([1, 2], dtype=object)
        asked = []
        for early in (False, True):
            model = GaussianModel(precision=matrix, width=width, weights=weights)
            if early:
                asked.append(model.noise_scale(1))
            if sps.issparse(matrix):
                kept, matrix.data[:] = matrix.data.copy(), 1
            else:
                kept, matrix[:] = matrix.copy(), 1
            width[:], weights[:] = 100, 100
            asked.append(model.noise_scale(1))
            if sps.issparse(matrix):
                matrix.data[:] = kept
            else:
                matrix[:] = kept
            width[:], weights[:] = [1, 2], [1, 2]
        assert len(set(asked)) == 1
        for model_ in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert model_.noise_scale(1) == asked[0]
            for array in (model_.precision, model_.width, model_.weights):
                with pytest.raises(ValueError, match="read-only"):
                    array.flat[0] = 7
    assert repr(model) == "GaussianModel(n=2)"


@pytest.mark.parametrize("bad", ["1", b"1", True, None, 1j, math.nan, "__import__('os')", [1, "2"]])
@pytest.mark.parametrize("kind", [list, sp.Matrix])
def test_what_is_no_number_is_refused_and_never_evaluated(bad, kind):
    P = kind([[2, -1], [-1, 2]])
    for name in ("width", "weights"):
        with pytest.raises(REFUSED, match=name):
            GaussianModel(precision=P, **{"width": 1, name: bad})
    if not isinstance(bad, (list, bool)):  # numpy makes True an integer
        for entries in ([[bad, 0], [0, 1]], np.array([[bad, 0], [0, 1]], dtype=object)):
            with pytest.raises(REFUSED, match="precision"):
                GaussianModel(precision=entries, width=1)


def test_integers_beyond_floats_are_exact_or_refused():
    big = 2**53 + 1
    with pytest.raises(ValueError, match="an integer that a float holds exactly"):
        GaussianModel(precision=[[big, 0], [0, 1]], width=1)
    exact = GaussianModel(precision=np.array([[big, -1], [-1, 1]], dtype=object), width=1)
    assert exact.leakage_coefficient(1) == sp.Rational(1, big)
    with pytest.raises(ValueError, match="float is 0"):
        GaussianModel(precision=np.eye(2), width=F(1, 10**400))
    tiny = GaussianModel(precision=np.array([[F(1)]]), width=1, weights=[F(1, 10**400)])
    with pytest.raises(ValueError, match="float is 0"):
        tiny.noise_scale(1)


# --- graphs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", ["2", b"2", None, [1], True, 1j])
def test_weights_of_a_file_are_text_and_no_numbers(bad):
    graph = nx.Graph([("a", "b", {"weight": 1.5}), ("b", "c", {"weight": bad})])
    for call in (lambda: networks.precision(graph, 1.0),
                 lambda: GaussianModel.from_graph(graph, 1.0, width=1)):  # fmt: skip
        with pytest.raises(TypeError, match="weights must be real numbers"):
            call()


def test_graphs_that_are_none():
    good = nx.path_graph(3)
    for graph in (nx.DiGraph(good), nx.MultiGraph(good), nx.to_numpy_array(good)):
        with pytest.raises(TypeError, match=r"must be an undirected networkx.Graph"):
            GaussianModel.from_graph(graph, 1.0, width=1)
    looped = good.copy()
    looped.add_edge(0, 0)
    thin = nx.to_scipy_sparse_array(looped)
    for graph in (looped, thin):
        with pytest.raises(ValueError, match="must not have self loops"):
            GaussianModel.from_graph(graph, 1.0, width=1)
    for weight in (math.nan, math.inf, 10**400):
        graph = nx.Graph([(0, 1, {"weight": weight})])
        with pytest.raises(ValueError, match="weight"):
            networks.precision(graph, 1.0)
    with pytest.raises(ValueError, match="weights must be not negative"):
        networks.precision(sps.csr_array(np.array([[0, -1.0], [-1, 0]])), 1.0)


def test_entries_of_a_matrix_that_are_given_twice_are_added():
    """As scipy means it; a graph would keep the last."""
    rows, columns, data = [0, 1, 0, 1], [1, 0, 1, 0], [1.0, 1, 2, 2]
    W = sps.coo_array((data, (rows, columns)), shape=(2, 2))
    assert networks.precision(W, 1.0).tolist() == [[4, -3], [-3, 4]]


def test_priors_that_rounding_swallows_are_refused():
    graph = nx.Graph([(0, 1, {"weight": 1e20})])
    with pytest.raises(ValueError, match="lost in the rounding of the diagonal"):
        networks.precision(graph, 1.0)
    apart = nx.Graph([(0, 1, {"weight": 1e20}), (2, 3)])
    with pytest.raises(ValueError, match="lost in the rounding of the diagonal"):
        networks.precision(apart, 1.0, sparse=True)
    assert networks.precision(graph, 0).tolist() == [[1e20, -1e20], [-1e20, 1e20]]


def test_too_much_work_is_refused_before_it_starts():
    big = sps.csr_array((50_000, 50_000))
    with pytest.raises(ValueError, match=r"number of tuples must be at most .*sparse=True"):
        networks.precision(big, 1.0)
    with pytest.raises(ValueError, match="at most 100000000"):
        networks.preferential_attachment(10**12, 5)
    with pytest.raises(ValueError, match="samples must be at most"):
        sparse_gaussian.leakage_estimates(sps.eye_array(2), samples=10**12)
    with pytest.raises(ValueError, match="enumerated only up to n = 16"):
        GaussianModel(precision=np.eye(40), width=1).all_coefficients()
    with pytest.raises(ValueError, match="m must be at most"):
        gaussian.combine(np.eye(3), 1, m=10**400)


# --- the release -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_a_release_is_private_and_no_worse_than_silence(seed):
    rng, taken = np.random.default_rng(1000 + seed), 0
    for _ in range(60):
        P, a, width, epsilon = nasty(rng)
        try:
            best = best_release(GaussianModel(precision=P, weights=a, width=width), epsilon)
        except ValueError:
            continue
        taken += 1
        learnt = largest(P.tolist(), best.weights.tolist(), width.tolist())
        assert learnt <= F(best.scale) * F(epsilon) * (1 + 2 * DIGITS)
        C = solved(P.tolist(), identity(len(P)))

        def form(d, C=C):
            n = len(C)
            return sum(d[i] * C[i][j] * d[j] for i in range(n) for j in range(n))

        asked = [F(v) for v in a.tolist()]
        left_out = [x - F(v) for x, v in zip(asked, best.weights.tolist())]
        error = form(left_out) + 2 * F(best.scale) ** 2
        assert abs(error - F(best.error)) <= F(1e-6) * error
        silence = form(asked)
        noise = 2 * (largest(P.tolist(), a.tolist(), width.tolist()) / F(epsilon)) ** 2
        shrunk = silence * noise / (silence + noise) if silence + noise else F(0)
        assert error <= min(silence, shrunk) * (1 + F(1e-6))
        assert best.bound <= float(error) * (1 + 1e-6)
    assert taken > 20


def test_one_stiff_tuple_hides_no_positive_entry():
    P = np.array([[1, 0.95, 0, 0], [0.95, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1e13]])
    width = [1, 1, 1e-6, 1e-9]
    for stiff in (1e13, 1e-13, 1e30):
        P[3, 3] = stiff
        with pytest.raises(ValueError, match="no off-diagonal > 0"):
            best_release(GaussianModel(precision=P, width=width), 1.0)


def test_little_privacy_and_much():
    P = [[101, -100], [-100, 101]]
    model = GaussianModel(precision=P, width=[1000, 1])
    truth = float(sum(sum(row) for row in solved(P, identity(2))))
    best = best_release(model, 1e-8)
    assert best.error <= truth * (1 + 1e-9)
    assert best.bound >= truth * (1 - 1e-9)
    for epsilon in (1e-200, 1e-308):
        with pytest.raises(ValueError, match=r"epsilon must be so large|range of floats"):
            best_release(model, epsilon)
    wide = GaussianModel(
        precision=networks.precision(
            nx.Graph([(0, 1, {"weight": 1e4}), (1, 2, {"weight": 3}), (2, 3, {"weight": 1e-3}),
                      (3, 4), (4, 5, {"weight": 1e4})]), 0.9),
        width=[1e6, 3, 1, 1e6, 3, 1], weights=[1e-8, 1, 1e6, 1, 1e-3, 1e6],
    )  # fmt: skip
    for epsilon in 10.0 ** np.arange(-8, 5):
        best = best_release(wide, epsilon)
        assert best.error * (1 - 2e-6) <= best.bound <= best.error * (1 + 1e-6)


def test_a_wrong_solver_costs_the_release_nothing_but_the_answer(monkeypatch):
    import privlib.research.optimal_query as module

    P = networks.precision(nx.star_graph(4), 1.0)
    model = GaussianModel(precision=P, width=1)
    rng = np.random.default_rng(3)
    for _ in range(20):
        mu, nu = rng.random(5) * rng.choice([0, 1, 30]), rng.random(5) * (rng.random(5) < 0.3)
        monkeypatch.setattr(module._Problem, "solve", lambda self, mu=mu, nu=nu: (mu, nu))
        with pytest.raises(UncertifiedError, match="by its bound"):
            best_release(model, 1.0)
    # Near the optimum, the scale is found for what is released, not for what was meant.
    monkeypatch.undo()
    good = best_release(model, 1.0)
    off = good.leakage_multipliers * (1 + 1e-8 * rng.standard_normal(5))
    monkeypatch.setattr(module._Problem, "solve", lambda self: (off, good.sign_multipliers))
    best = best_release(model, 1.0)
    released = GaussianModel(precision=P, width=1, weights=best.weights)
    assert released.worst_adversary(scale=best.scale).leakage <= 1 + 1e-9


# --- single adversaries ----------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 1e-8, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("scale", [1e-2, 0.7, 50.0])
@pytest.mark.parametrize("variance", [1e-6, 1.0, 1e4])
def test_delta_is_what_an_integral_says(epsilon, scale, variance):
    model = GaussianModel(precision=np.diag([1.0, 1 / variance]), width=1.5)
    found = model.laplace_delta(0, epsilon=epsilon, scale=scale)
    sigma = math.sqrt(variance)

    def density(t):
        return gaussian.output_density(t, 0.0, scale=scale, sigma=sigma)

    reach = 40 * scale + 12 * sigma
    near = np.unique(np.concatenate([
        centre + np.sign(k) * np.geomspace(1e-9 * reach, reach, 60_000)
        for centre in (0.0, 0.75, 1.5) for k in (-1, 1)
    ]))  # fmt: skip
    excess = np.maximum(density(near) - math.exp(epsilon) * density(near - 1.5), 0)
    assert found == pytest.approx(integrate.trapezoid(excess, near), rel=2e-4, abs=1e-7)
    assert found <= max(-math.expm1((epsilon - 1.5 / scale) / 2), 0) * (1 + 1e-12)


def test_mu_has_no_overflow_and_no_zero():
    model = GaussianModel(precision=np.eye(2), width=3)
    assert model.gaussian_noise_mu(0, [1], sigma=1e150) == pytest.approx(3e-150, rel=1e-9)
    with pytest.raises(ValueError, match="at most 1e150"):
        model.gaussian_noise_mu(0, [1], sigma=1e200)
    tail = stats.norm.cdf(-model.gaussian_noise_mu(0, [1], sigma=2.0) / 2)
    assert tail == pytest.approx(stats.norm.cdf(-0.75))


# --- large networks --------------------------------------------------------------------------


def test_bounds_hold_the_exact_maximum_or_are_refused():
    """Disconnected, stiff, with priors of many sizes: by the rationals, without slack."""
    rng, taken = np.random.default_rng(5), 0
    for _ in range(150):
        n = int(rng.integers(1, 6))
        w = np.triu(rng.choice([0, 0, 1, 2.0**10, 2.0**-10, 0.37, 1e6], size=(n, n)), 1)
        w += w.T
        tau = rng.choice([1, 2.0**-30, 2.0**-12, 100, 1e-7], size=n)
        P = np.diag(w.sum(axis=1) + tau) - w
        truth = solved(P.tolist(), [[1, *row] for row in identity(n)])
        if truth is None:
            with pytest.raises(ValueError, match="row sums"):
                sparse_gaussian.max_leakage_bounds(P)
            continue
        exact = max(row[0] / row[1 + i] for i, row in enumerate(truth)) - 1
        for rtol in (1e-3, 1e-9):
            try:
                bounds = sparse_gaussian.max_leakage_bounds(sps.csr_array(P), rtol=rtol)
            except ValueError:
                continue
            taken += 1
            assert F(bounds.low) <= exact <= F(bounds.high)
    assert taken > 150


def test_bounds_on_a_hundred_thousand_tuples():
    """Stars of many sizes, apart from each other: (n - 1)/(1 + tau) is known."""
    sizes = [3, 50, 999, 98_948]
    stars = sps.block_diag([nx.to_scipy_sparse_array(nx.star_graph(k), dtype=float) for k in sizes])
    for tau in (1e-6, 0.5, 30.0):
        P = sps.csr_array(csgraph.laplacian(sps.csr_array(stars)) + tau * sps.eye_array(100_004))
        bounds = sparse_gaussian.max_leakage_bounds(P, rtol=1e-6)
        # The row sums are those of the rounded diagonal.
        exact = max(sizes) / (1 + tau)
        assert bounds.low <= exact * (1 + 1e-6)
        assert bounds.high >= exact * (1 - 1e-6)
        assert bounds.low <= bounds.high
        assert bounds.adversary.target == 4 + 51 + 1000


def test_row_sums_survive_the_diagonal():
    w, tau = 2.0**40, 2.0**-8
    P = sps.csr_array([[w + tau, -w], [-w, w + tau]])
    model = sparse_gaussian._model("test", P)
    assert model.tau.tolist() == [tau, tau]
    rng = np.random.default_rng(0)
    w = np.triu(10.0 ** rng.uniform(-6, 6, size=(30, 30)), 1)
    w += w.T
    dense = np.diag(w.sum(axis=1) + 1e-6) - w
    model = sparse_gaussian._model("test", sps.csr_array(dense))
    for row, found in zip(dense.tolist(), model.tau):
        exact = sum(map(F, row))
        assert abs(F(float(found)) - exact) <= F(2**-60) * F(max(row)) + F(2**-50) * exact


def test_bounds_refuse_what_they_cannot_hold():
    with pytest.raises(ValueError, match=r"symmetric, got .*pass \(P \+ P\.T\) / 2"):
        sparse_gaussian.max_leakage_bounds([[1e16, 0, 0], [0, 2, -1], [0, -1 - 1e-9, 2]])
    exact = np.array([[F(2) + F(1, 10**18), F(-1)], [F(-1), F(1) + F(1, 10**18)]])
    with pytest.raises(ValueError, match="row sums of precision"):
        sparse_gaussian.max_leakage_bounds(exact)
    with pytest.raises(ValueError, match="row sums of precision must be above rounding"):
        sparse_gaussian.max_leakage_bounds([[1.0, -1], [-1, 2]])
    with pytest.raises(ValueError, match="an integer that a float holds"):
        sparse_gaussian.max_leakage_bounds(sps.csr_array(np.array([[2**53 + 1, 0], [0, 1]])))


@pytest.mark.parametrize("excess", [1e-3, 1e-6])
def test_a_wrong_recurrence_is_noticed(monkeypatch, excess):
    inner = sparse_gaussian._ConjugateGradients.step

    def wrong(self):
        inner(self)
        self.gauss = self.gauss * (1 + excess)

    P = sps.csr_array(csgraph.laplacian(networks.preferential_attachment(400, 3, rng=1)))
    P = sps.csr_array(P + sps.eye_array(400))
    right = sparse_gaussian.max_leakage_bounds(P, rtol=1e-9)
    assert right.low <= right.high
    monkeypatch.setattr(sparse_gaussian._ConjugateGradients, "step", wrong)
    with pytest.raises(UncertifiedError, match="upper end"):
        sparse_gaussian.max_leakage_bounds(P, rtol=1e-9)


def test_a_wrong_bound_of_the_others_is_noticed(monkeypatch):
    inner = sparse_gaussian._all_bounds
    P = sps.csr_array(csgraph.laplacian(networks.preferential_attachment(400, 3, rng=1)))
    P = sps.csr_array(P + sps.eye_array(400))

    def wrong(model):
        cut, reach = inner(model)
        return cut, np.where(reach < reach.max() * 0.9, reach * 0.9, reach)

    monkeypatch.setattr(sparse_gaussian, "_all_bounds", wrong)
    with pytest.raises(UncertifiedError, match="without a run"):
        sparse_gaussian.max_leakage_bounds(P, rtol=1e-3)


# --- what cancels, and what a unit hides --------------------------------------------------------


def test_what_cancels_in_floats_counts_at_its_width():
    """E[x_0 + x_1 | x_0] = x_0 (1 - P_01/P_11): 2^-51/3 of it is left, and the width is 1e60."""
    step = 2.0**-51
    model = GaussianModel(precision=[[10.0, 3 - step], [3 - step, 3]], width=[1e60, 1])
    slope = 1 - (3 - F(step)) / 3
    mu = F(model.gaussian_noise_mu(0, sigma=1e10))
    truth = F(1e60) * slope / F(10) ** 10
    assert truth * (1 - DIGITS) <= mu <= truth * (1 + DIGITS)
    scale = float(F(1e60) * slope)  # one unit of the noise: what the normal part blurs is nothing
    delta = model.laplace_delta(0, epsilon=0.5, scale=scale)
    assert delta == pytest.approx(-math.expm1(-0.25), rel=1e-9)


def test_exact_weights_cancel_exactly():
    """Weights of 1/3 are no floats: what is left of x_0 (1/3 - 1/3 / (1 + 1e-18))."""
    third, small = F(1, 3), F(1, 10**18)
    P = np.array([[F(10), F(1)], [F(1), 1 + small]])
    model = GaussianModel(precision=P, width=[2**199, 1], weights=[third, third])
    shift = 2**199 * (third - third / (1 + small))
    variance = third**2 / (1 + small)
    mu = F(model.gaussian_noise_mu(0, sigma=1))
    squared = shift**2 / (1 + variance)
    assert squared * (1 - DIGITS) <= mu**2 <= squared * (1 + DIGITS)
    delta = model.laplace_delta(0, epsilon=0.5, scale=float(shift))
    assert delta == pytest.approx(-math.expm1(-0.25), rel=1e-9)
    assert model.gaussian_noise_mu(0, [1], sigma=1) == pytest.approx(2.0**199 / 3)


def test_weak_coefficients_keep_their_digits_beside_large_ones():
    """x_0 hardly hears of x_2, whose spread is 1e9 times as large as the coefficient of x_0."""
    rng = np.random.default_rng(3)
    seen = 0
    for _ in range(300):
        n = int(rng.integers(3, 5))
        v = rng.integers(-2, 3, n).astype(float)
        P = np.outer(v, v) + np.eye(n) * 10.0 ** rng.uniform(-12, -6)
        units = 2.0 ** rng.integers(-40, 40, n)
        P = P * np.outer(units, units)
        weights = 10.0 ** rng.uniform(-10, 10, n)
        model = GaussianModel(precision=P, width=1, weights=weights)
        exact = [[F(float(x)) for x in row] for row in P]
        a = [F(float(x)) for x in weights]
        try:
            found, table = model.leakage_coefficients(), model.all_coefficients()
        except ValueError:
            continue
        seen += 1
        for i in range(n):
            truth = coefficient(exact, a, i, ()) - a[i]
            size = max(abs(a[i]), abs(a[i] + truth))
            assert abs(F(float(found[i])) - truth) <= 2 * DIGITS * size
            reach = abs(a[i]) + F(float(np.abs(table[i]).max()))
            assert abs(F(float(table[i, 0])) - truth) <= 2 * DIGITS * reach
    assert seen > 100


def test_who_is_linked_to_nobody_is_not_asked_for_digits():
    P = np.diag([1.0, 2.0, 3.0])
    weights = [0.0, 1e20, 1e-20]
    assert not GaussianModel(precision=P, width=1, weights=weights).all_coefficients().any()
    assert not GaussianModel(precision=P, width=1, weights=weights).comparison_bound().any()


def test_a_matrix_that_rounding_makes_indefinite_has_no_scale():
    P = np.array([
        [0.007726612403181273, 0.26370345395658257, 0.26370345395658257, -0.1758023026377217],
        [0.26370345395658257, 9.000839361540484, 9.05794347385112, -5.97102826307444],
        [0.26370345395658257, 9.05794347385112, 13.00010544729989, -4.010268753570404],
        [-0.1758023026377217, -5.97102826307444, -4.010268753570404, 6.000000003950585],
    ])  # fmt: skip
    with pytest.raises(ValueError, match="positive definite"):
        GaussianModel(precision=P, width=[9e10, 5.7, 4.3, 3e-15]).noise_scale(1)


@pytest.mark.parametrize("link", [1e-20, 1e-17, 1e-14])
def test_a_bound_is_not_below_what_it_bounds(link):
    model = GaussianModel(precision=[[1.0, -link], [-link, 1.0]], width=1)
    assert (model.comparison_bound() >= np.abs(model.all_coefficients()).max(axis=1)).all()


@pytest.mark.parametrize("scale", [F(1, 10**400), F(10) ** 400, 10**400])
def test_a_scale_beyond_floats_is_refused_by_name(scale):
    model = GaussianModel(precision=[[2.0, -1], [-1, 2]], width=1)
    with pytest.raises(ValueError, match="worst_adversary: the leakage must be within the range"):
        model.worst_adversary(scale=scale)


@pytest.mark.parametrize("power", [-1040, -1000, -530, -525, -300, 0, 300])
def test_bounds_do_not_depend_on_the_unit(power):
    """Squares of entries below 1e-154 underflow."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(1, 6))
        W = np.triu(rng.integers(0, 2, (n, n)), 1)
        W = W + W.T
        P = np.ldexp((np.diag(W.sum(axis=0) + rng.integers(1, 9, n)) - W).astype(float), power)
        exact = [[F(float(x)) for x in row] for row in P]
        truth = max(coefficient(exact, [1] * n, i, ()) for i in range(n)) - 1
        bounds = sparse_gaussian.max_leakage_bounds(sps.csr_array(P), rtol=1e-6)
        assert bounds.low <= truth * (1 + F(1, 10**12))
        assert truth <= bounds.high * (1 + 1e-12)
        assert bounds.high <= float(truth) + 1e-5 * (1 + float(truth))


def test_rows_of_different_lengths_are_named_for_sparse_bounds_too():
    with pytest.raises(ValueError, match="max_leakage_bounds: precision must be a rectangular"):
        sparse_gaussian.max_leakage_bounds([[1, 2], [3]])


def test_a_sweep_takes_the_graphs_that_a_precision_takes():
    text, loop = nx.Graph(), nx.Graph([(0, 0), (0, 1)])
    text.add_edge("a", "b", weight="3")
    with pytest.raises(TypeError, match="leakage_sweep: weights must be real numbers, got '3'"):
        gaussian.leakage_sweep(text, [1.0])
    with pytest.raises(ValueError, match="leakage_sweep: graph must not have self loops"):
        gaussian.leakage_sweep(loop, [1.0])
    for graph in (nx.DiGraph([(0, 1)]), nx.MultiGraph([(0, 1), (0, 1)])):
        with pytest.raises(TypeError, match="leakage_sweep: graph must be an undirected"):
            gaussian.leakage_sweep(graph, [1.0])


def test_no_number_of_sympy_is_none():
    with pytest.raises(TypeError, match="exact real entries, got nan"):
        GaussianModel(precision=sp.Matrix([[sp.nan, 0], [0, 1]]), width=1)
