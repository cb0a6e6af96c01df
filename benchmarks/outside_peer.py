"""The other side of `benchmarks.outside`: packages that need environments of their own.

Runs under the Python of such an environment and imports nothing of this project. The first line
has what to compute with, versions go out; then each line is a question, and its answer goes out.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import distributions
from typing import Any

Work = dict[str, Any]


def accuracy(work: Work) -> list[float]:
    """Mean accuracy on held-out records of diffprivlib's logistic regression, for each size."""
    numpy: Any = importlib.import_module("numpy")
    models: Any = importlib.import_module("diffprivlib.models")
    X, y = numpy.array(work["X"]), numpy.array(work["y"])
    test = slice(len(y) // 2, None)
    found = []
    for n in work["sizes"]:
        right = []
        for seed in range(work["seeds"]):
            model = models.LogisticRegression(
                epsilon=work["epsilon"], data_norm=1.0, C=1 / (n * work["penalty"]),
                fit_intercept=False, random_state=seed,
            )  # fmt: skip
            model.fit(X[:n], y[:n])
            right.append(float((model.predict(X[test]) == y[test]).mean()))
        found.append(sum(right) / len(right))
    return found


def budget(work: Work) -> list[list[float]]:
    """What diffprivlib's Vector mechanism spends on noise, and the penalty that it adds.

    Both are read from what the mechanism does: the scale of the noise is 2/ε', and the function
    that it returns for f = 0 has the noise in its linear part and the penalty in its square.
    """
    numpy: Any = importlib.import_module("numpy")
    mechanisms: Any = importlib.import_module("diffprivlib.mechanisms")

    class Source:
        """A source of randomness whose gamma numbers are their scale."""

        def standard_normal(self, shape: Any) -> Any:
            return numpy.ones(shape)

        def gamma(self, shape: float, scale: float, size: int) -> Any:
            return numpy.full(size, scale / size)

    found = []
    for n, epsilon, penalty in work["budgets"]:
        vector = mechanisms.Vector(
            epsilon=epsilon, function_sensitivity=0.25, data_sensitivity=1.0, dimension=1,
            alpha=n * penalty, n=n,
        )  # fmt: skip
        vector._rng = Source()
        noisy = vector.randomise(lambda w: 0.0)
        plus, minus = (float(noisy(numpy.array([w]))) for w in (1.0, -1.0))
        found.append([2 / (n * (plus - minus) / 2), plus + minus])
    return found


def constants(work: Work) -> list[Any]:
    """Flip probabilities and constants of pure-ldp's CMS and HCMS."""
    cms: Any = importlib.import_module("pure_ldp.frequency_oracles.apple_cms")
    return [
        [
            [
                cms.CMSClient(e, [len], 2, is_hadamard=h).prob,
                cms.CMSServer(e, 1, 2, is_hadamard=h).c,
            ]
            for e in work["epsilons"]
        ]
        for h in (False, True)
    ]


def sketch(work: Work, *, hadamard: bool) -> list[float]:
    """Sketch and estimates of given reports; men have the first hash value, women the second."""
    numpy: Any = importlib.import_module("numpy")
    module: Any = importlib.import_module("pure_ldp.frequency_oracles.apple_cms")
    server = module.CMSServer(60.0, 2, 2, is_hadamard=hadamard)
    server.hash_funcs = [["male", "female"].index] * 2
    added = []
    for report in work["hcms" if hadamard else "cms"]:
        before = server.sketch_matrix.copy()
        server.aggregate(tuple(report) if hadamard else (numpy.array(report[0]), report[1]))
        added += (server.sketch_matrix - before).ravel().tolist()
    estimates = [server.estimate(x, suppress_warnings=True) for x in ("male", "female")]
    return [*added, *server.sketch_matrix.ravel().tolist(), *map(float, estimates)]


def least_losses(problems: list[Work]) -> list[float]:
    """Least expected loss of a d-private channel by libqif, for a prior, distances and losses."""
    numpy: Any = importlib.import_module("numpy")
    qif: Any = importlib.import_module("qif")
    found = []
    for problem in problems:
        prior, far, loss = (numpy.array(problem[name]) for name in ("prior", "far", "loss"))
        between, lost = (lambda x, y, of=of: float(of[x, y]) for of in (far, loss))
        made = qif.mechanism.d_privacy.min_loss_given_d(prior, len(prior), between, lost)
        channel = numpy.array(made)
        found.append(float((prior[:, None] * channel * loss).sum()))
    return found


def leakages(problems: list[Work]) -> list[list[float]]:
    """g-leakage and capacity of channels by libqif."""
    numpy: Any = importlib.import_module("numpy")
    measure: Any = importlib.import_module("qif").measure
    found = []
    for problem in problems:
        wins, prior, C = (numpy.array(problem[name]) for name in ("wins", "prior", "channel"))
        won = measure.g_vuln.mult_leakage(wins, prior, C)
        found.append([float(won), float(measure.bayes_vuln.mult_capacity(C))])
    return found


def noise(work: Work) -> list[float]:
    """Share of OpenDP's integer noise at each distance from 0."""
    numpy: Any = importlib.import_module("numpy")
    opendp: Any = importlib.import_module("opendp.prelude")
    opendp.enable_features("contrib")
    domain = opendp.vector_domain(opendp.atom_domain(T="i64"))
    add = opendp.m.make_laplace(domain, opendp.l1_distance(T="i64"), scale=work["scale"])
    zeros, found = [0] * 100_000, numpy.zeros(1 + work["distances"])
    for _ in range(work["draws"] // len(zeros)):
        distances = numpy.minimum(numpy.abs(add(zeros)), work["distances"])
        found += numpy.bincount(distances, minlength=len(found))
    return [float(share) for share in found[:-1] / found.sum()]


QUESTIONS: dict[str, Callable[[Work], Any]] = {
    "accuracy": accuracy,
    "budget": budget,
    "constants": constants,
    "noise": lambda work: noise(work["noise"]),
    "cms": lambda work: sketch(work, hadamard=False),
    "hcms": lambda work: sketch(work, hadamard=True),
    "counts": lambda work: least_losses(work["counts"]),
    "histograms": lambda work: least_losses(work["histograms"]),
    "town": lambda work: least_losses(work["town"]),
    "leakages": lambda work: leakages(work["leakages"]),
}


def main() -> None:
    warnings.simplefilter("ignore")
    work = json.loads(sys.stdin.readline())
    wanted = ("diffprivlib", "opendp", "pure-ldp", "qif", "scikit-learn", "numpy")
    found = {d.name.lower().replace("_", "-"): d.version for d in distributions()}
    packages = {name: found[name] for name in wanted if name in found}
    print(json.dumps({"packages": packages}), flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        answer = QUESTIONS[json.loads(line)](work)
        seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "answer": answer}), flush=True)


if __name__ == "__main__":
    main()
