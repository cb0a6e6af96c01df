"""What is asked of packages that the tests do not need: ``python tests/outside/peers.py QUESTION``.

Runs in an environment that has the package of a case (its field ``install``), under its own Python,
and imports nothing of this project. What the case gives comes in as JSON, the answer goes out as
JSON. `tests.outside.record` does this for every case.
"""

from __future__ import annotations

import inspect
import json
import math
import sys
import warnings
from collections import defaultdict
from importlib import import_module
from itertools import product

import numpy as np


def labelled_records(n):
    """2 n records of norm at most 1 that a plane separates, but for noise; half of them to test."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2 * n, 5))
    X /= np.maximum(1, np.linalg.norm(X, axis=1))[:, None]
    scores = X @ [2.0, -1, 1, 0, 0] + rng.normal(size=2 * n) / 3
    return X, np.where(scores > 0, 1, -1)


# --- diffprivlib ----------------------------------------------------------------------------------


def accuracy(given):
    """Mean accuracy on held-out records of diffprivlib's logistic regression, for each size."""
    models = import_module("diffprivlib.models")
    largest = max(given["sizes"])
    X, y = labelled_records(largest)
    result = []
    for n in given["sizes"]:
        right = []
        for seed in range(given["seeds"]):
            model = models.LogisticRegression(
                epsilon=given["epsilon"], data_norm=1.0, C=1 / (n * given["penalty"]),
                fit_intercept=False, random_state=seed,
            )  # fmt: skip
            model.fit(X[:n], y[:n])
            right.append(np.mean(model.predict(X[largest:]) == y[largest:]))
        result.append(np.mean(right))
    return result


class FixedSource:
    """A source of randomness whose gamma numbers are their scale."""

    def standard_normal(self, shape):
        return np.ones(shape)

    def gamma(self, shape, scale, size):
        return np.full(size, scale / size)


def budget(given):
    """What diffprivlib's Vector mechanism spends on noise, and the penalty that it adds.

    Both are read from what the mechanism does: the scale of the noise is 2/ε', and the function
    that it returns for f = 0 has the noise in its linear part and the penalty in its square.
    """
    mechanisms = import_module("diffprivlib.mechanisms")
    result = []
    for n, epsilon, penalty in given["budgets"]:
        vector = mechanisms.Vector(
            epsilon=epsilon, function_sensitivity=0.25, data_sensitivity=1.0, dimension=1,
            alpha=n * penalty, n=n,
        )  # fmt: skip
        vector._rng = FixedSource()
        noisy = vector.randomise(lambda w: 0.0)
        plus = noisy(np.array([1.0]))
        minus = noisy(np.array([-1.0]))
        result.append(2 / (n * (plus - minus) / 2))
        result.append(plus + minus)
    return result


# --- OpenDP, of other versions --------------------------------------------------------------------


def noise(given):
    """Share of OpenDP's integer noise at each distance from 0."""
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib")
    integers = dp.vector_domain(dp.atom_domain(T="i64"))
    add = dp.m.make_laplace(integers, dp.l1_distance(T="i64"), scale=given["scale"])
    zeros = [0] * 100_000
    counts = np.zeros(1 + given["distances"])  # the last is for all that are farther
    for _ in range(given["draws"] // len(zeros)):
        distances = np.minimum(np.abs(add(zeros)), given["distances"])
        counts += np.bincount(distances, minlength=len(counts))
    return counts[:-1] / counts.sum()


# --- pure-ldp -------------------------------------------------------------------------------------


def constants(given):
    """Flip probabilities and constants of pure-ldp's CMS and HCMS."""
    cms = import_module("pure_ldp.frequency_oracles.apple_cms")
    result = []
    for hadamard in (False, True):
        for epsilon in given["epsilons"]:
            result.append(cms.CMSClient(epsilon, [len], 2, is_hadamard=hadamard).prob)
            result.append(cms.CMSServer(epsilon, 1, 2, is_hadamard=hadamard).c)
    return result


def sketch(given):
    """Sketch and estimates of given reports; men have the first hash value, women the second."""
    cms = import_module("pure_ldp.frequency_oracles.apple_cms")
    server = cms.CMSServer(60.0, 2, 2, is_hadamard=given["hadamard"])
    server.hash_funcs = [["male", "female"].index] * 2
    result = []
    for report in given["reports"]:
        before = server.sketch_matrix.copy()
        if given["hadamard"]:
            server.aggregate(tuple(report))
        else:
            signs, row = report
            server.aggregate((np.array(signs), row))
        result.extend((server.sketch_matrix - before).ravel())
    result.extend(server.sketch_matrix.ravel())
    for item in ("male", "female"):
        result.append(server.estimate(item, suppress_warnings=True))
    return result


# --- libqif ---------------------------------------------------------------------------------------


def least_loss(prior, distances, losses):
    """Least expected loss of a channel that is private for these distances, by libqif."""
    qif = import_module("qif")
    channel = qif.mechanism.d_privacy.min_loss_given_d(
        prior,
        len(prior),
        lambda x, y: float(distances[x, y]),
        lambda x, y: float(losses[x, y]),
    )
    return np.sum(prior[:, None] * np.array(channel) * losses)


def counts(given):
    """Least mean absolute error of a count from 0 to n."""
    result = []
    for n, epsilon in given["counts"]:
        prior = np.arange(1.0, n + 2) / np.arange(1.0, n + 2).sum()
        errors = np.abs(np.subtract.outer(range(n + 1), range(n + 1)))
        result.append(least_loss(prior, epsilon * errors, errors))
    return result


def next_histograms(before, moves):
    """Histograms of people after a step, with their probabilities: person by person."""
    law = {(0,) * len(moves): 1.0}
    for place, people in enumerate(before):
        for _ in range(people):
            longer = defaultdict(float)
            for histogram, probability in law.items():
                for goal, chance in enumerate(moves[place]):
                    moved = list(histogram)
                    moved[goal] += 1
                    longer[tuple(moved)] += probability * chance
            law = longer
    return law


def event_level(given):
    """Least expected error of a histogram under event-level differential privacy."""
    result = []
    for before, epsilon in given["histograms"]:
        law = next_histograms(before, given["moves"])
        histograms = np.array(list(law))
        apart = np.abs(histograms[:, None] - histograms).sum(axis=2)
        result.append(least_loss(np.array(list(law.values())), epsilon * apart / 2, apart))
    return result


def leakages(given):
    """g-leakage of a person's place and capacity, of three people's histogram and of reports.

    The person starts at place 0, one other starts at each other place.
    """
    measure = import_module("qif").measure
    moves = np.array(given["moves"])
    wins = np.array(given["wins"], dtype=float)
    honest = math.exp(given["epsilon"])
    answer = (np.ones((3, 3)) + (honest - 1) * np.eye(3)) / (honest + 2)

    histograms = [x for x in product(range(4), repeat=3) if sum(x) == 3]
    true = np.zeros((3, len(histograms)))
    for place in range(3):
        for second, third in product(range(3), repeat=2):
            histogram = [0, 0, 0]
            for person in (place, second, third):
                histogram[person] += 1
            chance = moves[1, second] * moves[2, third]
            true[place, histograms.index(tuple(histogram))] += chance
    reports = np.zeros((len(histograms), len(histograms)))
    for row, histogram in enumerate(histograms):
        for shown, probability in next_histograms(histogram, answer).items():
            reports[row, histograms.index(shown)] = probability

    result = []
    for channel in (true, true @ reports):
        result.append(measure.g_vuln.mult_leakage(wins, moves[0], channel))
        result.append(measure.bayes_vuln.mult_capacity(channel))
    return result


# --- multi-freq-ldpy ------------------------------------------------------------------------------


def oracle(name):
    """A module of multi-freq-ldpy."""
    return import_module(f"multi_freq_ldpy.pure_frequency_oracles.{name}")


def plain(client):
    """A client without its compiler, so that numpy's seed counts."""
    return inspect.unwrap(client)


def grr_shares(given):
    """Shares of the values that the clients of generalised randomised response show."""
    client = plain(oracle("GRR").GRR_Client)
    np.random.seed(4)  # noqa: NPY002  (their clients draw from it)
    values = np.repeat(np.arange(5), given["counts"])
    shown = [client(int(value), 5, given["epsilon"]) for value in values]
    return np.bincount(shown, minlength=5) / len(shown)


def grr_estimate(given):
    """Shares before, from values that randomised response has rewritten."""
    shown = np.repeat(np.arange(5), given["counts"])
    return oracle("GRR").GRR_Aggregator_MI(shown, 5, given["epsilon"])


def most_likely(given):
    """The most likely shares, by the iterative Bayesian update."""
    estimators = import_module("multi_freq_ldpy.estimators.Histogram_estimator")
    shares = np.array(given["counts"]) / sum(given["counts"])
    matrix = np.array(given["matrix"])
    return estimators.IBU(len(shares), matrix, shares, 5_000, 1e-14, "max_abs")


def unary_shares(given):
    """Shares of ones that the clients of symmetric unary encoding send."""
    client = plain(oracle("UE").UE_Client)
    np.random.seed(4)  # noqa: NPY002  (their clients draw from it)
    values = np.repeat(np.arange(5), given["counts"])
    return np.mean([client(int(value), 5, given["epsilon"], False) for value in values], axis=0)


def unary_estimate(given):
    """Shares before, from reports of symmetric unary encoding."""
    users = np.arange(given["users"])
    bits = users[:, None] < np.array(given["ones"])
    return oracle("UE").UE_Aggregator_MI(bits, given["epsilon"], False)


def variances(given):
    """Variance for one user of an absent item: symmetric unary encoding or Hadamard response.

    For the second one also how many times that of the first it is.
    """
    variance = oracle("Variance_PURE").VAR_Pure
    result = []
    for epsilon in given["epsilons"]:
        unary = variance(1 / (1 + math.exp(-epsilon / 2)), 1 / (1 + math.exp(epsilon / 2)))
        response = variance(1 / (1 + math.exp(-epsilon)), 0.5)
        if given["hadamard"]:
            result.extend([response, response / unary])
        else:
            result.append(unary)
    return result


def supports(given):
    """How often reports of GRR, OUE and OLH support the sender's item, and another one."""
    items, epsilon, users = given["items"], given["epsilon"], given["users"]
    value_client = plain(oracle("GRR").GRR_Client)
    unary_client = plain(oracle("UE").UE_Client)
    np.random.seed(11)  # noqa: NPY002  (their clients draw from it)
    values = np.array([value_client(0, items, epsilon) for _ in range(users)])
    bits = np.array([unary_client(0, items, epsilon, True) for _ in range(users)])
    buckets = round(math.exp(epsilon)) + 1
    hashed = np.random.default_rng(11).integers(buckets, size=(users, 2))  # of items 0 and 1
    answers = np.array([value_client(int(own), buckets, epsilon) for own in hashed[:, 0]])
    result = []
    for supported in (values[:, None] == [0, 1], bits[:, :2], answers[:, None] == hashed):
        result.extend(supported.mean(axis=0))
    return result


def one_fake(given):
    """How the counts of GRR's server change with one report more, of the target."""
    estimate = oracle("GRR").GRR_Aggregator_MI
    items, epsilon = len(given["counts"]), given["epsilon"]
    honest = np.repeat(np.arange(items), given["counts"]).tolist()
    both = [*honest, given["target"]]
    before = len(honest) * estimate(honest, items, epsilon)
    after = len(both) * estimate(both, items, epsilon)
    return after - before


QUESTIONS = (
    accuracy, budget, noise, constants, sketch, counts, event_level, leakages, grr_shares,
    grr_estimate, most_likely, unary_shares, unary_estimate, variances, supports, one_fake,
)  # fmt: skip


def main():
    warnings.simplefilter("ignore")
    (wanted,) = (question for question in QUESTIONS if question.__name__ == sys.argv[1])
    answer = wanted(json.load(sys.stdin))
    print(json.dumps(np.ravel(answer).tolist()))


if __name__ == "__main__":
    main()
