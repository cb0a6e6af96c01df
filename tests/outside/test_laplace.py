"""The Laplace mechanism and private learning: our numbers beside those of others."""

from __future__ import annotations

import math

import numpy as np
import opendp.prelude as dp
import pytest
from scipy import integrate, linalg, optimize, stats
from sklearn import linear_model

from privlib.correlated.finite import FiniteDistribution
from privlib.laplace import accuracy, discrete, erm
from privlib.laplace.mechanism import laplace_mechanism
from privlib.research.auditing import audit
from privlib.research.staircase import Staircase
from tests.outside.comparing import compare, of_part, ours, theirs, truth
from tests.outside.peers import labelled_records

dp.enable_features("contrib")


@pytest.mark.parametrize("case", of_part("laplace"), ids=str)
def test_others_agree(case):
    compare(case)


# --- the noise and its error ----------------------------------------------------------------------


@ours("noise-law")
def probabilities_of_the_noise(case):
    result = []
    for scale in case.given["scales"]:
        mechanism = laplace_mechanism(epsilon=2 / scale, sensitivity=2.0)(lambda answer: answer)
        for x in case.given["x"]:
            tail = mechanism.error_probability(abs(x)) / 2
            result.append(tail if x < 0 else 1 - tail)
    return result


@ours("variances")
def variances_of_the_noise(case):
    mechanism = laplace_mechanism(epsilon=1.0, sensitivity=1.0)(lambda answer: answer)
    # the second moment as an integral over the tail
    continuous = integrate.quad(lambda t: 2 * t * mechanism.error_probability(t), 0, np.inf)[0]
    k = np.arange(-200, 201)
    of_integers = np.sum(k**2 * discrete.pmf(k, 1 / math.log(2)))
    return [continuous, of_integers]


@ours("level-by-statdp")
def levels_asked_for(case):
    return case.given["epsilons"]


@theirs("level-by-statdp")
def levels_by_the_test_of_statdp(case):
    return [largest_rejected(epsilon) for epsilon in case.given["epsilons"]]


def largest_rejected(level, draws=100_000):
    """The largest ε that StatDP's test rejects for our mechanism, from answers 0 and 1.

    The event is an answer of at most 0. They thin the hits 200 times at random; here are 200
    quantiles instead.
    """
    mechanism = laplace_mechanism(epsilon=level, sensitivity=1.0, dimension=draws)(
        lambda answer: answer
    )
    rng = np.random.default_rng(7)
    hits = np.count_nonzero(mechanism(np.zeros(draws), rng=rng) <= 0)
    others = np.count_nonzero(mechanism(np.ones(draws), rng=rng) <= 0)
    quantiles = (np.arange(200) + 0.5) / 200

    def p_value(epsilon):
        kept = stats.binom.ppf(quantiles, hits, math.exp(-epsilon))
        return stats.hypergeom.sf(kept - 1, 2 * draws, draws, kept + others).mean()

    return optimize.brentq(lambda epsilon: p_value(epsilon) - 0.05, 0, 5)


SCALES = (0.1, 1.0, 2.0, 20.0)
PROBABILITIES = (0.001, 0.05, 0.1, 0.5)


@ours("tolerances")
def tolerances_and_scales(case):
    result = []
    for scale in SCALES:
        for probability in PROBABILITIES:
            result.append(accuracy.tolerance_for(probability, epsilon=1 / scale, sensitivity=1.0))
            epsilon = accuracy.epsilon_for(scale, probability, sensitivity=1.0)
            result.append(1 / epsilon)
    return result


@theirs("tolerances")
def tolerances_and_scales_by_opendp(case):
    result = []
    for scale in SCALES:
        for probability in PROBABILITIES:
            result.append(dp.laplacian_scale_to_accuracy(scale, probability))
            result.append(dp.accuracy_to_laplacian_scale(scale, probability))
    return result


PEOPLE = (100, 1_000, 10_000)


@ours("mean-to-a-hundredth")
def epsilon_for_a_hundredth(case):
    return [accuracy.epsilon_for(0.01, 0.05, sensitivity=1 / n) for n in PEOPLE]


@theirs("mean-to-a-hundredth")
def epsilon_by_opendp(case):
    return [1 / (n * dp.accuracy_to_laplacian_scale(0.01, 0.05)) for n in PEOPLE]


@ours("the-notes-example")
def error_of_the_notes_example(case):
    probability = accuracy.error_probability(1.0, epsilon=0.001, sensitivity=1 / 1000)
    return [probability, 1 - probability]


@theirs("the-notes-example")
def error_by_scipy(case):
    return [2 * stats.laplace.sf(1.0), stats.laplace.cdf(1.0) - stats.laplace.cdf(-1.0)]


@ours("sensitivity-of-the-mean")
def level_of_the_mean_at_scale_1(case):
    result = []
    for n in range(2, 7):
        bits = FiniteDistribution(np.full((2,) * n, 0.5**n), weights=[1 / n] * n)
        result.append(bits.dp_level(scale=1.0))
    return result


@theirs("sensitivity-of-the-mean")
def stability_of_the_mean_by_opendp(case):
    result = []
    for n in range(2, 7):
        numbers = dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False), size=n)
        mean = dp.t.make_mean(numbers, dp.symmetric_distance())
        result.append(mean.map(d_in=2))  # one leaves, one comes: a record is replaced
    return result


DIMENSIONS = (1, 3, 10)
ERRORS = (1.0, 4.0, 9.0)


@ours("vector-errors")
def tails_of_vectors(case):
    result = []
    for d in DIMENSIONS:
        for t in ERRORS:
            for norm in ("l1", "linf"):
                tail = accuracy.error_probability(
                    t, epsilon=1.0, sensitivity=1.0, dimension=d, norm=norm
                )
                result.append(tail)
    return result


@theirs("vector-errors")
def tails_of_vectors_by_scipy(case):
    result = []
    for d in DIMENSIONS:
        for t in ERRORS:
            result.append(stats.gamma.sf(t, d))
            result.append(1 - stats.expon.cdf(t) ** d)
    return result


@ours("first-names")
def error_of_ten_thousand_counts(case):
    return [
        accuracy.tolerance_for(0.05, epsilon=1.0, sensitivity=1.0, dimension=10_000, norm="linf")
    ]


@theirs("first-names")
def union_bound(case):
    return [math.log(10_000 / 0.05)]


# --- noise of integers, the staircase -------------------------------------------------------------


@ours("discrete-losses")
def log_ratios_of_integers(case):
    result = []
    for a, distance, x in ((1.0, 1, 0), (1.0, 1, 1), (0.3, 2, 0), (0.3, 2, 1), (0.3, 2, 2)):
        ratio = discrete.pmf(x, 1 / a) / discrete.pmf(x - distance, 1 / a)
        result.append(np.log(ratio))
    return result


@ours("discrete-deltas")
def excess_of_integers(case):
    k = np.arange(-400, 400)
    here = discrete.pmf(k, 2.0)
    there = discrete.pmf(k - 4, 2.0)
    result = []
    for epsilon in (0.5, 1.0, 2.0, -0.5):
        excess = np.maximum(here - np.exp(epsilon) * there, 0)
        result.append(excess.sum())
    return result


@ours("discrete-law")
def probabilities_of_integers(case):
    return [discrete.pmf(np.arange(-5, 6), scale) for scale in (0.5, 2.0, 10.0)]


@theirs("discrete-law")
def probabilities_of_integers_by_scipy(case):
    return [stats.dlaplace.pmf(np.arange(-5, 6), 1 / scale) for scale in (0.5, 2.0, 10.0)]


@ours("whole-tolerances")
def tolerances_of_integers(case):
    return [discrete.tolerance_for(a, scale) for scale in SCALES for a in PROBABILITIES]


@theirs("whole-tolerances")
def tolerances_of_integers_by_opendp(case):
    result = []
    for scale in SCALES:
        for probability in PROBABILITIES:
            reached = dp.discrete_laplacian_scale_to_accuracy(scale, probability)
            result.append(math.ceil(reached) - 1)
    return result


EPSILONS = (0.1, 1.0, 3.0, 10.0)


@ours("staircase-step")
def best_step(case):
    return [Staircase(epsilon=epsilon).step for epsilon in EPSILONS]


@theirs("staircase-step")
def step_by_their_formula(case):
    return [1 / (1 + math.exp(epsilon / 2)) for epsilon in EPSILONS]


@ours("integer-noise")
@ours("integer-noise-before")
def probabilities_of_distances(case):
    k = np.arange(case.given["distances"])
    both_signs = np.where(k == 0, 1, 2)
    return discrete.pmf(k, case.given["scale"]) * both_signs


@truth("integer-noise-before")
def distances_of_geometric_numbers(case):
    """The probabilities of the distances between two independent geometric numbers."""
    ratio = math.exp(-1 / case.given["scale"])
    geometric = (1 - ratio) * ratio ** np.arange(400.0)
    both = np.outer(geometric, geometric)
    result = [np.trace(both)]
    for k in range(1, case.given["distances"]):
        result.append(np.trace(both, k) + np.trace(both, -k))
    return result


# --- learning -------------------------------------------------------------------------------------


def records():
    """200 records of norm at most 1 with noisy labels."""
    rng = np.random.default_rng(5)
    X = erm.clip_rows(rng.normal(size=(200, 4)) / 4)
    scores = X @ [3.0, -2, 1, 0] + rng.normal(size=200) / 2
    return X, np.where(scores > 0, 1, -1)


PENALTIES = (0.01, 0.1)


@ours("logistic-weights")
def weights_without_privacy(case):
    X, y = records()
    return [erm.minimise(X, y, regularization=penalty).weights for penalty in PENALTIES]


@theirs("logistic-weights")
def weights_by_sklearn(case):
    X, y = records()
    result = []
    for penalty in PENALTIES:
        model = linear_model.LogisticRegression(
            C=1 / (200 * penalty), fit_intercept=False, solver="newton-cholesky", tol=1e-12
        )
        result.append(model.fit(X, y).coef_.ravel())
    return result


@ours("ridge-weights")
def ridge_without_privacy(case):
    X, y = records()
    result = []
    for penalty in PENALTIES:
        result.append(erm.minimise(X, y, loss="squared", regularization=penalty).weights)
    return result


@theirs("ridge-weights")
def ridge_by_sklearn(case):
    X, y = records()
    result = []
    for penalty in PENALTIES:
        model = linear_model.Ridge(alpha=200 * penalty, fit_intercept=False)
        result.append(model.fit(X, y).coef_.ravel())
    return result


SIZES = ((100, 0.1, 1.0), (1000, 0.01, 1.0), (50, 0.5, 0.3))  # n, penalty, ε


@ours("output-noise")
def scale_of_output_noise(case):
    return [erm.sensitivity(n, regularization=penalty) / epsilon for n, penalty, epsilon in SIZES]


@theirs("output-noise")
def scale_by_their_formula(case):
    return [2 / (penalty * n) / epsilon for n, penalty, epsilon in SIZES]


QUANTILES = (0.1, 0.5, 0.9)


@ours("spherical-noise")
def quantiles_of_the_norm(case):
    result = []
    for dimension in (3, 8):
        noise = erm.spherical_laplace(dimension, scale=1.0, rng=1, size=400_000)
        result.append(np.quantile(linalg.norm(noise, axis=1), QUANTILES))
    return result


@theirs("spherical-noise")
def quantiles_of_gamma(case):
    return [stats.gamma.ppf(QUANTILES, dimension) for dimension in (3, 8)]


@ours("objective-budget")
def budget_of_objective_perturbation(case):
    result = []
    for n, epsilon, penalty in case.given["budgets"]:
        result.append(erm.budget(n, epsilon=epsilon, regularization=penalty, curvature=0.25))
    return result


@ours("private-classifier")
@ours("noise-not-divided")
def accuracy_of_objective_perturbation(case):
    def weights(X, y, seed):
        options = {"epsilon": case.given["epsilon"], "regularization": case.given["penalty"]}
        return erm.objective_perturbation(X, y, **options, rng=seed).weights

    return accuracies(case, weights)


@truth("noise-not-divided")
def accuracy_of_the_proved_algorithm(case):
    """The accuracy where scipy minimises the objective of the proof, with noise drawn here."""
    epsilon, penalty = case.given["epsilon"], case.given["penalty"]

    def weights(X, y, seed):
        n = len(y)
        spent, extra = erm.budget(n, epsilon=epsilon, regularization=penalty, curvature=0.25)
        rng = np.random.default_rng(1000 + seed)
        direction = rng.normal(size=5)
        noise = direction / np.linalg.norm(direction) * rng.gamma(5, 2 / spent)

        def objective(w):
            margin = y * (X @ w)
            value = np.logaddexp(0, -margin).mean() + noise @ w / n + (penalty + extra) / 2 * w @ w
            slope = -X.T @ (y / (1 + np.exp(margin))) / n + noise / n + (penalty + extra) * w
            return value, slope

        return optimize.minimize(objective, np.zeros(5), jac=True, method="L-BFGS-B").x

    return accuracies(case, weights)


def accuracies(case, weights):
    """The mean accuracy over the seeds on records that were not learnt from, for each size."""
    largest = max(case.given["sizes"])
    X, y = labelled_records(largest)
    result = []
    for n in case.given["sizes"]:
        right = []
        for seed in range(case.given["seeds"]):
            predicted = np.sign(X[largest:] @ weights(X[:n], y[:n], seed))
            right.append(np.mean(predicted == y[largest:]))
        result.append(np.mean(right))
    return result


@ours("best-for-counts")
def error_of_geometric_noise(case):
    result = []
    for n, epsilon in case.given["counts"]:
        true = np.arange(n + 1)
        shown = np.arange(-200, 200 + n)
        prior = np.arange(1.0, n + 2) / np.arange(1.0, n + 2).sum()
        joint = prior[:, None] * discrete.pmf(shown - true[:, None], 1 / epsilon)
        errors = np.abs(true[:, None] - true)  # of each reading of each true count
        result.append((errors.T @ joint).min(axis=0).sum())
    return result


NOISE_SCALES = (2.0, 1.0, 0.5)


@ours("audited")
def lower_bounds_by_audits(case):
    result = []
    for scale in NOISE_SCALES:

        def release(x, rng, scale=scale):
            return x + stats.laplace.rvs(scale=scale, size=len(x), random_state=rng)

        result.append(audit(release, 0.0, 1.0, rng=1, draws=50_000).epsilon)
    return result


@theirs("audited")
def levels_of_the_noise(case):
    return [1 / scale for scale in NOISE_SCALES]


# --- what the page says of where we differ --------------------------------------------------------


def test_the_story_of_the_noise_has_its_numbers():
    (case,) = (case for case in of_part("laplace") if case.id == "integer-noise-before")
    for k in (2, 3):
        assert f"{case.theirs[k]:.2%}" in case.story
        assert f"{case.ours[k]:.2%}" in case.story
    assert f"a log ratio of {math.log(case.theirs[2] / case.theirs[3]):.3f}" in case.story
    assert f"promises {math.log(case.ours[2] / case.ours[3]):.3f}" in case.story


def test_the_story_of_the_classifier_has_its_numbers():
    (case,) = (case for case in of_part("laplace") if case.id == "noise-not-divided")
    small, large = case.given["sizes"]
    first, second = case.theirs
    assert f"{first:.1%} of new records rightly after {small:,} records" in case.story
    assert f"{second:.1%} after {large:,}" in case.story
    assert "has {:.1%} and {:.1%}, and so has diffprivlib 0.6.6".format(*case.ours) in case.story
