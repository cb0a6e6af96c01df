"""Certified maximum and sampled coefficients against exact and dense oracles."""

import re
from fractions import Fraction

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sps
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph
from scipy.stats import chi2, norm

from privlib.correlated.networks import preferential_attachment
from privlib.research import sparse_gaussian
from privlib.research.sparse_gaussian import leakage_estimates, max_leakage_bounds


def bounds_of(P, **options):
    bounds = max_leakage_bounds(P, **options)
    assert bounds.adversary.known == ()
    return bounds.low, bounds.high, bounds.adversary.target


# --- oracles ---------------------------------------------------------------------------------


def random_precision(rng, n, *, density=0.1, tau=None, weighted=True):
    """Random weighted graph (often disconnected at low density) with given or random priors."""
    edge = np.triu(rng.random((n, n)) < density, 1)
    w = np.where(edge, rng.exponential(size=(n, n)) if weighted else 1.0, 0.0)
    w += w.T
    tau = 10.0 ** rng.uniform(-2, 1, n) if tau is None else np.full(n, tau)
    return sps.csr_array(np.diag(w.sum(axis=1) + tau) - w)


def graph_precision(adjacency, tau):
    n = adjacency.shape[0]
    return sps.csr_array(csgraph.laplacian(sps.csr_array(adjacency)) + tau * sps.eye_array(n))


def dense_coefficients(P):
    """l = (inverse row sum)/(inverse diagonal) - 1, by dense inversion."""
    inverse = np.linalg.inv(P.toarray())
    return inverse.sum(axis=1) / np.diag(inverse) - 1


def exact_coefficients(P):
    """Exact l of the matrix as stored: Gauss-Jordan elimination over the rationals."""
    n = P.shape[0]
    rows = [
        [Fraction(float(x)) for x in row] + [Fraction(int(i == j)) for j in range(n)]
        for i, row in enumerate(P.toarray())
    ]
    for k in range(n):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k])]
    return [sum(row[n:]) / row[n + i] - 1 for i, row in enumerate(rows)]


def lanczos_rules(S, b, k, node):
    """k-point Gauss and (k + 1)-point Gauss-Radau rules for b' S^-1 b from the Lanczos matrix."""
    q, basis, alpha, beta = b / np.linalg.norm(b), [], [], []
    for _ in range(k):
        basis.append(q)
        r = S @ q
        alpha.append(q @ r)
        for v in basis * 2:  # full reorthogonalisation, twice
            r = r - (v @ r) * v
        beta.append(np.linalg.norm(r))
        q = r / beta[-1]
    T = np.diag(alpha) + np.diag(beta[:-1], 1) + np.diag(beta[:-1], -1)
    unit = np.eye(k)
    last = node + beta[-1] ** 2 * np.linalg.solve(T - node * np.eye(k), unit[-1])[-1]
    radau = np.block([[T, beta[-1] * unit[:, -1:]], [beta[-1] * unit[-1:], np.array([[last]])]])
    return tuple((b @ b) * np.linalg.inv(M)[0, 0] for M in (T, radau))


# --- the certified interval ------------------------------------------------------------------


@st.composite
def small_models(draw):
    n = draw(st.integers(1, 6))
    weight = st.one_of(st.just(0.0), st.sampled_from([1.0, 2.0, 1e-3, 1e3]), st.floats(0.1, 10))
    w = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            w[i, j] = w[j, i] = draw(weight)
    prior = st.sampled_from([1.0, 1e-6, 1e-2, 100.0])
    uniform = draw(st.booleans())
    tau = np.full(n, draw(prior)) if uniform else np.array([draw(prior) for _ in range(n)])
    return sps.csr_array(np.diag(w.sum(axis=1) + tau) - w)


STIFF = sps.csr_array([[1e3 + 1e-6, -1e3, 0], [-1e3, 1e3 + 1e-6, 0], [0, 0, 0.01]])


@pytest.mark.slow
@settings(max_examples=200)
@example(STIFF, 1e-6)
@given(small_models(), st.sampled_from([1e-2, 1e-4, 1e-6]))
def test_interval_contains_the_exact_maximum(P, rtol):
    exact = exact_coefficients(P)
    # The row sums of the stored matrix carry the rounding of its diagonal.
    tau = P @ np.ones(P.shape[0])
    blur = Fraction(float(32 * np.finfo(float).eps * np.max(P.diagonal() / tau)))
    try:
        low, high, index = bounds_of(P, rtol=rtol)
    except ValueError:
        assert rtol < 4 * blur  # refused is what rounding forbids, and nothing else
        return
    assert Fraction(low) <= max(exact) + blur * (1 + max(exact))
    assert Fraction(high) >= max(exact) - blur * (1 + max(exact))
    assert exact[index] >= Fraction(low) - blur * (1 + max(exact))
    assert 0 <= low <= high
    assert 1 + high <= (1 + rtol) * (1 + low) * (1 + 1e-15)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("tau", [None, 1e-3, 1.0])
@pytest.mark.parametrize("rtol", [1e-3, 1e-9])
def test_interval_on_random_graphs(seed, tau, rtol):
    rng = np.random.default_rng(seed)
    P = random_precision(rng, int(rng.integers(20, 200)), density=rng.choice([0.01, 0.1]), tau=tau)
    truth = dense_coefficients(P)
    low, high, index = bounds_of(P, rtol=rtol)
    assert low <= truth.max() * (1 + 1e-11)
    assert high >= truth.max() * (1 - 1e-11)
    assert truth[index] >= low * (1 - 1e-11)
    assert 1 + high <= (1 + rtol) * (1 + low) * (1 + 1e-15)


@pytest.mark.parametrize("tau", [1e-8, 1e-3, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("build", [nx.karate_club_graph, nx.les_miserables_graph])
@pytest.mark.parametrize("weight", [None, "weight"])
def test_interval_on_real_networks(build, tau, weight):
    adjacency = nx.to_scipy_sparse_array(build(), weight=weight, dtype=float)
    P = graph_precision(adjacency, tau)
    n = P.shape[0]
    # Spectral route: 1 + l_i = n / (1 + tau n sum_k v_ik^2 / (tau + lambda_k)), zero mode apart.
    value, vector = np.linalg.eigh(csgraph.laplacian(adjacency).toarray())
    rest = (vector[:, 1:] ** 2 / (tau + value[1:])).sum(axis=1)
    truth = n / (1 + n * tau * rest) - 1
    low, high, index = bounds_of(P, rtol=1e-10)
    assert low <= truth.max() * (1 + 1e-12)
    assert high >= truth.max() * (1 - 1e-12)
    assert truth[index] >= low * (1 - 1e-12)
    assert high - low <= 1e-10 * (1 + low)


def test_closed_forms():
    tau = 0.3
    n = 40
    star = nx.to_scipy_sparse_array(nx.star_graph(n - 1), dtype=float)
    complete = sps.csr_array(np.ones((n, n)) - np.eye(n))
    for adjacency in (star, complete):
        low, high, index = bounds_of(graph_precision(adjacency, tau), rtol=1e-10)
        assert index == 0 or adjacency is complete
        assert low <= (n - 1) / (1 + tau) * (1 + 1e-14)
        assert high >= (n - 1) / (1 + tau) * (1 - 1e-14)
    # All tuples of a cycle leak alike: every one is a candidate, in several blocks.
    cycle = nx.to_scipy_sparse_array(nx.cycle_graph(n), dtype=float)
    theta = np.arccosh(1 + tau / 2)
    truth = 2 * np.sinh(theta) * np.tanh(n * theta / 2) / tau - 1
    low, high, _ = bounds_of(graph_precision(cycle, tau), rtol=1e-10)
    assert low * (1 - 1e-14) <= truth <= high * (1 + 1e-14)
    assert high - low < 1e-9


def test_largest_degree_is_not_the_answer():
    broom = nx.Graph([(0, 1), (1, 2), (0, 3), (0, 4), (2, 5), (2, 6)])
    adjacency = nx.to_scipy_sparse_array(broom, nodelist=range(7), dtype=float)
    low, high, index = bounds_of(graph_precision(adjacency, 0.1), rtol=1e-9)
    assert index == 1
    assert (low + high) / 2 == pytest.approx(4.39716, abs=5e-6)
    assert bounds_of(graph_precision(adjacency, 1.0), rtol=1e-9)[2] in {0, 2}


def test_independent_tuples_and_a_single_one_leak_nothing():
    assert bounds_of(sps.csr_array([[2.0]]), rtol=1e-9)[0] == 0
    low, high, _ = bounds_of(sps.diags_array([1.0, 2.0, 5.0]), rtol=1e-9)
    assert low == 0
    assert 0 <= high < 1e-9


@pytest.mark.slow
def test_larger_graph_by_sparse_factorisation():
    P = graph_precision(preferential_attachment(3000, 3, rng=3), 0.05)
    solve = sps.linalg.splu(P.tocsc()).solve
    low, high, index = bounds_of(P, rtol=1e-8)
    hubs = np.argsort(-P.diagonal())[:50]
    units = np.zeros((3000, 50))
    units[hubs, np.arange(50)] = 1
    coefficients = 1 / (0.05 * solve(units)[hubs, np.arange(50)]) - 1
    assert low * (1 - 1e-11) <= coefficients.max() <= high * (1 + 1e-11)
    assert index == hubs[coefficients.argmax()]


# --- its ingredients -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_rules_equal_those_of_the_lanczos_matrix(seed):
    rng = np.random.default_rng(seed)
    P = random_precision(rng, 60, density=0.2)
    model = sparse_gaussian._model("test", P)
    b = rng.standard_normal((60, 2))
    run = sparse_gaussian._ConjugateGradients(model, b, solve=True)
    scale = 1 / np.sqrt(model.diagonal)
    S = scale[:, None] * P.toarray() * scale
    exact = np.einsum("ij,ij->j", b, np.linalg.solve(P.toarray(), b))
    node = 0.999 * (model.tau / model.diagonal).min()
    assert node < np.linalg.eigvalsh(S)[0]
    for k in range(1, 9):
        run.step()
        rules = [lanczos_rules(S, scale * column, k, node) for column in b.T]
        np.testing.assert_allclose(run.gauss, [gauss for gauss, _ in rules], rtol=1e-9)
        np.testing.assert_allclose(run.radau, [radau for _, radau in rules], rtol=1e-9)
        assert (run.gauss < exact).all()
        assert (exact < run.radau).all()
        np.testing.assert_allclose(run.size, model.diagonal @ run.x**2, rtol=1e-9)
        # The k-th iterate minimises the energy: b' x_k is the Gauss rule.
        np.testing.assert_allclose(np.einsum("ij,ij->j", b, run.x), run.gauss, rtol=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_bounds_of_all_tuples(seed):
    rng = np.random.default_rng(seed)
    tau = rng.choice([1e-4, 0.1, 3.0]) if seed % 2 else None
    P = random_precision(rng, 50, density=rng.choice([0.02, 0.3]), tau=tau)
    model = sparse_gaussian._model("test", P)
    cut, reach = sparse_gaussian._all_bounds(model)
    conductance = 1 / np.diag(np.linalg.inv(P.toarray()))
    assert (cut * model.total <= conductance * (1 + 1e-10)).all()
    assert (reach * model.total >= conductance * (1 - 1e-10)).all()
    if tau is not None:
        degree = P.diagonal() - tau
        assert (reach * 50 <= np.minimum(50, 1 + degree / tau) * (1 + 1e-10)).all()
    assert (reach < P.diagonal() / model.total * (1 - 1e-3)).any()


@pytest.mark.parametrize("tau", [1e-3, 1e-6, 1e-9, 1e-12])
def test_bounds_of_all_tuples_survive_cancellation(tau):
    """Two vertices: the trial vectors span everything, their Gram matrix is nearly singular."""
    P = sps.csr_array([[1 + tau, -1.0], [-1.0, 1 + 3 * tau]])
    model = sparse_gaussian._model("test", P)
    (a, b), (_, d) = [[Fraction(float(x)) for x in row] for row in P.toarray()]
    conductances = [(a * d - b * b) / d, (a * d - b * b) / a]
    for cut, reach, conductance in zip(*sparse_gaussian._all_bounds(model), conductances):
        scaled = conductance / (a + d + 2 * b)
        assert Fraction(float(cut)) <= scaled <= Fraction(float(reach))


def test_hubs_need_few_runs(monkeypatch):
    runs = []

    def counted(model, todo, max_steps, inner=sparse_gaussian._candidate_runs):
        runs.append(todo)
        return inner(model, todo, max_steps)

    monkeypatch.setattr(sparse_gaussian, "_candidate_runs", counted)
    P = graph_precision(preferential_attachment(5000, 3, rng=1), 1.0)
    _, _, index = bounds_of(P, rtol=1e-9)
    assert runs[0].tolist() == [index]
    assert sum(map(len, runs)) <= 3


def test_rounding_is_allowed_for_by_the_number_of_steps(monkeypatch):
    """As if each step had been many: so much wider, on both sides of what was wide enough."""
    P = random_precision(np.random.default_rng(2), 40, density=0.2)
    many, inner, last = 10**7, sparse_gaussian._candidate_runs, []

    def stretched(model, todo, max_steps):
        for run, steps in inner(model, todo, max_steps):
            last.append(steps)
            yield run, steps * many

    low, high, index = bounds_of(P, rtol=1e-6)
    monkeypatch.setattr(sparse_gaussian, "_candidate_runs", stretched)
    wide_low, wide_high, wide_index = bounds_of(P, rtol=1e-6)
    assert index == wide_index
    slack = last[-1] * many * np.finfo(float).eps
    assert slack > 1e-9
    assert (1 + low) / (1 + wide_low) >= 1 + 0.9 * slack
    assert (1 + wide_high) / (1 + high) >= 1 + 0.9 * slack


def stiff_precision(seed):
    """Integer weights over nine decades, and priors: floats hold the matrix, and its row sums."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    w = np.diag(np.rint(10 ** rng.uniform(0, 9, n - 1)), 1)
    if seed % 2:
        w = np.triu(rng.random((n, n)) < 0.5, 1) * np.rint(10 ** rng.uniform(0, 9, (n, n)))
    w += w.T
    prior = 1.0 if seed % 3 else rng.integers(1, 9, n)
    return sps.csr_array(np.diag(w.sum(axis=1) + prior) - w)


REPORTED = graph_precision(np.diag([8.6e8, 1.7e8, 1], 1) + np.diag([8.6e8, 1.7e8, 1], -1), 1.0)
WEAK = graph_precision(nx.to_scipy_sparse_array(nx.gnm_random_graph(8, 12, seed=7)), 1e-9)


def test_the_interval_holds_the_truth_or_is_refused():
    """Rounding in the runs grows with the size of what they solve: by the rationals, no slack."""
    refused = 0
    for P in [REPORTED, WEAK, *map(stiff_precision, range(30))]:
        truth = max(exact_coefficients(P))
        for rtol in (1e-9, 1e-7, 1e-5):
            try:
                low, high, _ = bounds_of(P, rtol=rtol)
            except ValueError:
                refused += 1
            else:
                assert Fraction(low) <= truth <= Fraction(high)
                assert 1 + high <= (1 + rtol) * (1 + low) * (1 + 1e-15)
    assert refused < 24  # a quarter of them, most at 1e-9


def test_what_rounding_alone_takes_is_said():
    with pytest.raises(ValueError, match=r"rtol=1e-09 was not .*, by rounding alone 4\..e-08$"):
        max_leakage_bounds(REPORTED)
    low, high, _ = bounds_of(REPORTED, rtol=1e-6)
    assert low < 2.4999999856019155 < high  # the exact maximum
    with pytest.raises(ValueError, match="rtol=1e-09 was not"):
        max_leakage_bounds(WEAK)


def test_a_tuple_that_rounding_holds_up_is_no_reason_to_refuse():
    """Tuple 6 comes first and converges too wide; tuple 4, the maximum, does not."""
    w = np.diag([96.0, 75, 4597, 259, 10421028, 16, 2410708762, 960519416], 1)
    P = graph_precision(w + w.T, 1.0)
    truth = exact_coefficients(P)
    low, high, index = bounds_of(P, rtol=1e-7)
    assert index == truth.index(max(truth)) == 4
    assert Fraction(low) <= max(truth) <= Fraction(high)
    assert 1 + high <= (1 + 1e-7) * (1 + low)
    # What a refusal says holds: so many steps give that width, fewer more, and no more less.
    said = r"in (\d+) steps \(max_steps=(\d+)\), relative width (\S+), by rounding alone (\S+)$"

    def refusal(**options):
        with pytest.raises(ValueError, match=said) as refused:
            max_leakage_bounds(P, **options)
        return [float(x) for x in re.search(said, str(refused.value)).groups()]

    steps, most, width, alone = refusal(rtol=1e-9)
    assert steps < most == 5000
    assert 0.9 * width < alone <= width < 1e-7
    assert refusal(rtol=1e-9, max_steps=int(steps)) == [steps, steps, width, alone]
    assert refusal(rtol=1e-9, max_steps=2)[2] > 2 * width
    bounds_of(P, rtol=1.05 * width)  # of the two digits that are said
    refusal(rtol=0.95 * width)


def test_a_weak_prior_alone_is_no_reason_to_refuse():
    """On a connected graph u has no part of the mode that the prior holds, nor has the loss."""
    graph = nx.connected_watts_strogatz_graph(24, 6, 0.3, seed=1)
    P = graph_precision(nx.to_scipy_sparse_array(graph, dtype=float), 2.0**-30)
    assert (P.diagonal() * 2.0**30).max() * np.finfo(float).eps > 1e-6
    truth = max(exact_coefficients(P))
    low, high, _ = bounds_of(P, rtol=1e-9)
    assert Fraction(low) <= truth <= Fraction(high)


def test_more_steps_than_needed_do_no_harm():
    """In a block, one column waits for the others; no residual gets so small that 0/0 follows."""
    model = sparse_gaussian._model("test", REPORTED)
    B = np.eye(4) - model.tau[:, None] / model.total
    run = sparse_gaussian._ConjugateGradients(model, B, solve=False)
    for _ in range(300):
        run.step()
    least = 4 / (1 + model.total * run.gauss)
    truth = [float(1 + exact) for exact in exact_coefficients(REPORTED)]
    np.testing.assert_allclose(least, truth, rtol=1e-7)


def test_the_upper_rule_restarts_when_rounding_spoils_it():
    P = random_precision(np.random.default_rng(2), 40)
    run = sparse_gaussian._ConjugateGradients(
        sparse_gaussian._model("test", P), np.eye(40)[:, :3], solve=False
    )
    truth = np.diag(np.linalg.inv(P.toarray()))[:3]
    run._weight[1] = 0.0
    for _ in range(10):
        run.step()
        assert (run._weight > 0).all()
        assert (truth <= run.radau * (1 + 1e-14)).all()
    np.testing.assert_allclose(run.radau, truth, rtol=1e-2)


@pytest.mark.parametrize("tau", [None, 0.01])
def test_row_sums_of_the_covariance(tau):
    P = random_precision(np.random.default_rng(8), 120, tau=tau)
    model = sparse_gaussian._model("test", P)
    sy, error = sparse_gaussian._total_covariance("test", model, 1e-12, 1000)
    truth = model.total * np.linalg.solve(P.toarray(), np.ones(120))
    assert error < 1e-9
    assert (abs(sy / truth - 1) <= error + 1e-11).all()


@pytest.mark.parametrize(("blur", "tolerance"), [(None, 1e-12), (1e-4, 1e-3)])
def test_row_sums_of_the_covariance_admit_their_error(monkeypatch, blur, tolerance):
    """Once with a careless solver, once with priors that pass for uniform and are not."""
    monkeypatch.setattr(sparse_gaussian, "_RESIDUAL", 1e-3)
    rng = np.random.default_rng(8)
    P = random_precision(rng, 120, tau=blur and 1.0)
    if blur:
        P = P + sps.diags_array(blur * rng.random(120))
    model = sparse_gaussian._model("test", P)
    sy, error = sparse_gaussian._total_covariance("test", model, tolerance, 1000)
    truth = model.total * np.linalg.solve(P.toarray(), np.ones(120))
    worst = abs(sy / truth - 1).max()
    assert 1e-6 < worst <= error / (1 - error)
    assert error < 0.5


def exact_total_covariance(P):
    """s y, y = P^-1 1, of the matrix as stored, over the rationals."""
    P = [[Fraction(float(x)) for x in row] for row in P.toarray()]
    total = sum(map(sum, P))
    rows = [[*row, Fraction(1)] for row in P]
    for k in range(len(rows)):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i, row in enumerate(rows):
            if i != k:
                rows[i] = [x - row[k] * y for x, y in zip(row, rows[k])]
    return [total * row[-1] for row in rows]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("tau", [None, 1.0, 0.3])
def test_the_error_of_the_row_sums_covers_rounding(seed, tau):
    """Where nothing else errs, rounding does: the bound holds for the matrix as stored."""
    P = random_precision(np.random.default_rng(seed), 7, density=0.6, tau=tau)
    sy, error = sparse_gaussian._total_covariance(
        "test", sparse_gaussian._model("test", P), 1e-12, 1000
    )
    pairs = list(zip(exact_total_covariance(P), sy))
    assert max(abs(Fraction(float(y)) / truth - 1) for truth, y in pairs) <= Fraction(error)
    assert error < 1e-9


# --- estimates -------------------------------------------------------------------------------


def many_small_graphs(rng, count, tau):
    """Return `count` disjoint weighted graphs on 4 vertices and their exact coefficients."""
    w = rng.exponential(size=(count, 4, 4))
    w = np.triu(w, 1)
    w += w.transpose(0, 2, 1)
    priors = tau * rng.uniform(0.5, 2, (count, 4))
    blocks = np.eye(4) * (w.sum(axis=2) + priors)[:, :, None] - w
    inverse = np.linalg.inv(blocks)
    truth = inverse.sum(axis=2) / np.einsum("kii->ki", inverse)
    return sps.csr_array(sps.block_diag(list(blocks))), truth.ravel() - 1, inverse


@pytest.mark.slow
@pytest.mark.parametrize(("tau", "samples"), [(0.2, 600), (3.0, 600), (0.2, 2)])
def test_estimates_have_the_chi_square_distribution(tau, samples):
    count = 1000
    P, truth, inverse = many_small_graphs(np.random.default_rng(1), count, tau)
    result = leakage_estimates(P, samples=samples, rng=np.random.default_rng(2))
    # One tuple a graph: the graphs are independent (but for the deflated mode, of weight 1/s).
    first = slice(0, None, 4)
    estimate = inverse.sum(axis=2).ravel() / (1 + result.coefficients)
    variance = np.einsum("kii->ki", inverse).ravel()
    diagonal, priors = P.diagonal(), P @ np.ones(4 * count)
    known = 1 / diagonal + (1 - priors / diagonal) ** 2 / priors.sum()
    ratio = ((estimate - known) / (variance - known))[first]
    # samples * ratio is chi-square: mean 1, variance 2/samples.
    z_mean = (ratio.mean() - 1) / np.sqrt(2 / (samples * count))
    assert abs(z_mean) < 4  # a factor of 1.05 is 27 standard errors
    assert abs(ratio.var() / (2 / samples) - 1) < 4 * np.sqrt((2 + 12 / samples) / count)
    inside = ((result.low <= truth) & (truth <= result.high))[first]
    assert abs(inside.mean() - 0.95) < 4 * np.sqrt(0.95 * 0.05 / count)
    below, above = (truth < result.low)[first].mean(), (truth > result.high)[first].mean()
    assert max(below, above) < 0.025 + 4 * np.sqrt(0.025 / count)
    # The ends of the interval, and the standard error as its half-width for many samples.
    sampled, total = estimate - known, inverse.sum(axis=2).ravel()
    low, high = (total / (known + samples * sampled / chi2.ppf(q, samples)) for q in (0.025, 0.975))
    np.testing.assert_allclose(1 + result.low, low, rtol=1e-6)
    np.testing.assert_allclose(1 + result.high, high, rtol=1e-6)
    if samples > 100:
        half_width = (result.high - result.low) / 2 / norm.ppf(0.975)
        np.testing.assert_allclose(result.standard_error, half_width, rtol=0.01)
        score = ((result.coefficients - truth) / result.standard_error)[first]
        assert abs(score.std() - 1) < 4 * np.sqrt(0.5 / count)
    assert (result.low < result.coefficients).all()
    assert (result.coefficients < result.high).all()


def test_confidence_level():
    P, truth, _ = many_small_graphs(np.random.default_rng(3), 1000, 1.0)
    result = leakage_estimates(P, samples=40, rng=np.random.default_rng(4), confidence=0.5)
    inside = ((result.low <= truth) & (truth <= result.high))[::4]
    assert abs(inside.mean() - 0.5) < 4 * np.sqrt(0.25 / 1000)


@pytest.mark.parametrize(("tau", "bound"), [(1.0, 0.02), (0.05, 0.05), (1e-8, 1e-6)])
def test_known_parts_are_not_sampled(tau, bound):
    """A weak prior leaves one dominant mode; deflation keeps it out of the sampling error."""
    adjacency = preferential_attachment(400, 3, rng=5)
    P = graph_precision(adjacency, tau)
    value, vector = np.linalg.eigh(csgraph.laplacian(adjacency).toarray())
    rest = (vector[:, 1:] ** 2 / (tau + value[1:])).sum(axis=1)
    truth = 400 / (1 + 400 * tau * rest) - 1
    result = leakage_estimates(P, samples=200, rng=np.random.default_rng(6))
    relative = (result.coefficients - truth) / (1 + truth)
    assert np.sqrt((relative**2).mean()) < bound  # plain sampling: sqrt(2/200) = 0.1
    assert ((result.low <= truth) & (truth <= result.high)).mean() > 0.85


@pytest.mark.slow
def test_estimates_are_reproducible_and_blocks_do_not_matter(monkeypatch):
    P = random_precision(np.random.default_rng(0), 30)
    one, two = (leakage_estimates(P, samples=7, rng=rng) for rng in (0, np.random.default_rng(0)))
    assert (leakage_estimates(P, samples=7).coefficients != one.coefficients).any()
    np.testing.assert_array_equal(one.coefficients, two.coefficients)
    monkeypatch.setattr(sparse_gaussian, "_BLOCK_ENTRIES", 1)
    truth = dense_coefficients(P)
    single = leakage_estimates(P, samples=900, rng=np.random.default_rng(0))
    assert (abs(single.coefficients - truth) < 5 * single.standard_error + 1e-12).all()
    low, high, _ = bounds_of(P, rtol=1e-9)
    assert low <= truth.max() * (1 + 1e-12) <= high * (1 + 2e-12)


def test_estimates_without_edges_are_exact():
    result = leakage_estimates(sps.eye_array(3) * 2.0, samples=2, rng=np.random.default_rng(0))
    np.testing.assert_allclose(result.coefficients, 0, atol=1e-14)
    np.testing.assert_allclose(result.high - result.low, 0, atol=1e-14)


# --- bad input -------------------------------------------------------------------------------

GOOD = sps.csr_array([[2.0, -1.0], [-1.0, 2.0]])


def both(P):
    yield lambda: max_leakage_bounds(P, rtol=1e-6)
    yield lambda: leakage_estimates(P, samples=4, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("matrix", "error", "match"),
    [
        (
            nx.path_graph(2),
            TypeError,
            r"got a Graph; pass networks.precision\(graph, tau, sparse=T",
        ),
        ([["a"]], TypeError, "precision must hold real numbers"),
        (GOOD.astype(complex), TypeError, "must hold real numbers, got complex128"),
        (sps.csr_array((2, 3)), ValueError, r"square matrix, got shape \(2, 3\)"),
        (sps.csr_array((0, 0)), ValueError, "must be a non-empty square matrix"),
        (sps.csr_array([[2.0, np.nan], [np.nan, 2.0]]), ValueError, "must be finite"),
        (sps.csr_array([[2.0, -1.0], [-0.5, 2.0]]), ValueError, r"symmetric.*differ by 0\.5"),
        (
            sps.csr_array([[2.0, 1.0], [1.0, 2.0]]),
            ValueError,
            "off-diagonal entries of precision must be at most 0, got 1",
        ),
        (
            sps.csr_array([[1.0, -1.0], [-1.0, 2.0]]),
            ValueError,
            "row sums of precision must be above rounding .*, got 0",
        ),
        (sps.csr_array([[1.0, -2.0], [-2.0, 4.0]]), ValueError, "row sums .* got -1"),
    ],
)
def test_bad_matrices(matrix, error, match):
    for call in both(matrix):
        with pytest.raises(error, match=match):
            call()


@pytest.mark.parametrize(
    ("kwargs", "error", "match"),
    [
        ({"rtol": 0.0}, ValueError, r"max_leakage_bounds: rtol must be in \(0, 1\), got 0.0"),
        ({"rtol": 1.0}, ValueError, r"in \(0, 1\), got 1.0"),
        ({"rtol": float("nan")}, ValueError, "rtol must be finite"),
        ({"rtol": "tight"}, TypeError, "rtol must be a real number"),
        ({"rtol": 1e-17}, ValueError, r"rtol must be at least .* got 1e-17"),
        ({"max_steps": 0}, ValueError, "max_steps must be at least 1"),
        ({"max_steps": 2.5}, TypeError, "max_steps must be an integer"),
    ],
)
def test_bad_arguments_of_the_bounds(kwargs, error, match):
    with pytest.raises(error, match=match):
        max_leakage_bounds(GOOD, **kwargs)


@pytest.mark.parametrize(
    ("kwargs", "error", "match"),
    [
        ({"samples": 1}, ValueError, "leakage_estimates: samples must be at least 2, got 1"),
        ({"samples": 10.0}, TypeError, "samples must be an integer"),
        ({"rng": -1}, ValueError, "rng must be a non-negative seed, got -1"),
        ({"rng": "1"}, TypeError, "rng must be None, an integer seed or a numpy.random.Generator"),
        ({"confidence": 1.0}, ValueError, r"confidence must be in \(0, 1\), got 1.0"),
        ({"max_steps": -1}, ValueError, "max_steps must be at least 1"),
    ],
)
def test_bad_arguments_of_the_estimates(kwargs, error, match):
    with pytest.raises(error, match=match):
        leakage_estimates(GOOD, **({"samples": 4, "rng": np.random.default_rng(0)} | kwargs))


def test_too_few_steps_are_reported():
    path = graph_precision(nx.to_scipy_sparse_array(nx.path_graph(50), dtype=float), 0.01)
    said = r"rtol=1e-09 was not reached in 3 steps \(max_steps=3\), relative width"
    with pytest.raises(ValueError, match=said):
        max_leakage_bounds(path, rtol=1e-9, max_steps=3)
    with pytest.raises(ValueError, match=r"leakage_estimates: max_steps=3 .*relative residual"):
        leakage_estimates(path, samples=2, rng=np.random.default_rng(0), max_steps=3)


def test_input_is_not_changed_and_any_format_serves():
    P = random_precision(np.random.default_rng(4), 20)
    before = P.copy()
    expected = bounds_of(P, rtol=1e-9)
    for form in ("csc", "coo", "lil", "dok", "dia", "bsr"):
        assert bounds_of(P.asformat(form), rtol=1e-9) == pytest.approx(expected)
    assert bounds_of(sps.csr_matrix(P), rtol=1e-9) == expected
    assert (
        bounds_of(P.toarray(), rtol=1e-9)
        == bounds_of(pd.DataFrame(P.toarray()), rtol=1e-9)
        == expected
    )
    assert (before != P).nnz == 0


# --- the generator ---------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "m"), [(2, 1), (5, 4), (30, 1), (200, 5)])
def test_preferential_attachment_is_a_connected_simple_graph(n, m):
    graph = preferential_attachment(n, m, rng=n)
    assert (graph != graph.T).nnz == 0
    assert not graph.diagonal().any()
    assert set(graph.data) == {1.0}
    assert csgraph.connected_components(graph)[0] == 1
    assert n - 1 <= graph.nnz // 2 <= m * (n - m)
    assert (m > 1) or graph.nnz // 2 == n - 1


def test_preferential_attachment_has_its_degree_distribution():
    """m = 1: a fraction 4/(d (d + 1) (d + 2)) of vertices has degree d (uniform choice: 2^-d)."""
    n = 200_000
    graph = preferential_attachment(n, 1, rng=1)
    share = np.bincount(np.diff(graph.indptr)) / n
    for d in (1, 2, 3, 4):
        assert abs(share[d] - 4 / (d * (d + 1) * (d + 2))) < 0.004
    assert np.diff(graph.indptr).max() > 200


@pytest.mark.parametrize(
    ("args", "error", "match"),
    [
        ((5, 0), ValueError, "m must be at least 1, got 0"),
        ((3, 3), ValueError, "n must be at least 4, got 3"),
        ((3.0, 1), TypeError, "n must be an integer"),
    ],
)
def test_bad_arguments_of_the_generator(args, error, match):
    with pytest.raises(error, match=match):
        preferential_attachment(*args, rng=0)
    with pytest.raises(TypeError, match="rng must be"):
        preferential_attachment(3, 1, rng="0")


def test_the_scale_of_a_matrix_does_not_matter_and_ends_at_1e100():
    P = nx.laplacian_matrix(nx.path_graph(30)).astype(float) + 0.1 * sps.eye_array(30)
    inverse = np.linalg.inv(P.toarray())
    coefficients = inverse.sum(axis=1) / np.diag(inverse) - 1
    for scale in (1e-250, 1.0, 1e99):
        bounds = max_leakage_bounds(sps.csr_array(scale * P))
        truth = pytest.approx(coefficients.max(), rel=1e-9)
        assert (bounds.low, bounds.high) == (truth, truth)
    for scale in (1e101, 1e160, 1e295):
        with pytest.raises(ValueError, match="precision must be finite, at most 1e100"):
            max_leakage_bounds(sps.csr_array(scale * P))
