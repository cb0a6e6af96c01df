"""How fast the ten functions that matter are, each beside what one would otherwise use.

``make bench`` runs this and writes ``speed.json``, from which the book's page is made. Both
sides run in turn, several times; a ratio is the median over pairs of neighbouring runs, with the
lowest and the highest pair. Where both compute the same, their answers are compared first.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any

import networkx as nx
import numpy as np
import scipy
import sympy as sp
from scipy import linalg, optimize

from privlib.correlated import FiniteDistribution, GaussianModel
from privlib.disclosure import apply_pram, match_probability, retention_matrix
from privlib.laplace import erm
from privlib.laplace.mechanism import laplace_mechanism
from privlib.location import flow
from privlib.research.markov_chain import MarkovChain
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch

RESULTS = Path(__file__).parent / "speed.json"
RUNS = 7


@dataclass(frozen=True)
class Case:
    """A function of the package and its peer."""

    function: str
    task: str
    peer: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    same: bool = True
    """Whether both answers are numbers that must agree."""


def noise_for_an_array() -> Case:
    """Laplace noise for 50,000 numbers."""
    data, rng = np.arange(50_000.0), np.random.default_rng(1)
    decorate = laplace_mechanism(epsilon=1.0, sensitivity=1.0, dimension=data.size)
    mechanism = decorate(lambda values: values)

    def ours() -> Any:
        return mechanism(data, rng=rng)

    def theirs() -> Any:
        return data + rng.laplace(0.0, 1.0, data.shape)

    return Case(
        "laplace.laplace_mechanism",
        "50,000 numbers",
        "numpy, Generator.laplace",
        ours,
        theirs,
        same=False,
    )


def logistic_regression() -> Case:
    """The regularised minimiser, without noise."""
    rng = np.random.default_rng(2)
    X = erm.clip_rows(rng.normal(size=(20_000, 10)) / 4)
    y = np.where(X[:, 0] + rng.normal(size=len(X)) / 4 > 0, 1.0, -1.0)
    strength = 0.01

    def loss(w: Any) -> tuple[float, Any]:
        scores = y * (X @ w)
        slopes = -y / (1 + np.exp(scores))
        value = np.logaddexp(0, -scores).mean() + strength / 2 * w @ w
        return float(value), X.T @ slopes / len(y) + strength * w

    def theirs() -> Any:
        options = {"gtol": 1e-9, "ftol": 0.0, "maxiter": 1000}
        start = np.zeros(X.shape[1])
        return optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options=options).x

    def ours() -> Any:
        return erm.minimise(X, y, regularization=strength).weights

    return Case("laplace.erm.minimise", "20,000 records, 10 columns", "scipy, L-BFGS", ours, theirs)


def all_weak_attackers() -> Case:
    """The coefficients of all weak attackers of a network of 2,000 people."""
    graph = nx.barabasi_albert_graph(2000, 5, seed=1)
    P = nx.laplacian_matrix(graph).toarray() + np.eye(2000)

    def ours() -> Any:  # a model keeps what it has computed, so each run makes one
        return GaussianModel(precision=P, width=1.0).leakage_coefficients()

    def theirs() -> Any:
        inverse = np.linalg.inv(P)
        return inverse.sum(axis=1) / inverse.diagonal() - 1

    return Case(
        "correlated.GaussianModel.leakage_coefficients", "2,000 people", "numpy, linalg.inv",
        ours, theirs,
    )  # fmt: skip


def noise_of_a_chain() -> Case:
    """The noise for a Markov chain of ten steps, beside its joint distribution."""
    P, n = np.array([[0.9, 0.1], [0.3, 0.7]]), 10
    first = np.array([0.75, 0.25])
    joint = first
    for _ in range(n - 1):
        joint = joint[..., None] * P

    def ours() -> Any:
        return MarkovChain(P, n, initial=first).noise_scale(1.0)

    def theirs() -> Any:
        return FiniteDistribution(joint).noise_scale(1.0)

    return Case(
        "research.MarkovChain.noise_scale", "10 steps of 2 states",
        "FiniteDistribution, 1,024 databases", ours, theirs,
    )  # fmt: skip


def rewriting() -> Case:
    """PRAM of a million records."""
    rng = np.random.default_rng(3)
    A = retention_matrix(0.7, 4)
    codes = rng.integers(0, 4, 1_000_000)

    def ours() -> Any:
        return apply_pram(codes, A, rng=rng)

    def theirs() -> Any:
        shown = np.empty_like(codes)
        for value in range(4):
            here = codes == value
            shown[here] = rng.choice(4, here.sum(), p=np.asarray(A, dtype=float)[value])
        return shown

    return Case(
        "disclosure.apply_pram", "1,000,000 records, 4 categories", "numpy, choice by category",
        ours, theirs, same=False,
    )  # fmt: skip


def exact_match() -> Case:
    """The exact probability that a released record is a given person's."""
    A = retention_matrix(Fraction(1, 2), 3)
    table, release = [0, 1, 1, 2, 2, 2, 0, 1], [0, 1, 2, 2]

    def weight(people: list[int], slots: list[int]) -> Fraction:
        not_released = len(people) - len(slots)
        rows = []
        for person in people:
            row = [sp.Rational(A[table[person], shown]) for shown in slots]
            rows.append(row + [1] * not_released)
        return Fraction(str(sp.Matrix(rows).per())) / int(sp.factorial(not_released))

    def ours() -> float:
        return float(match_probability(table, release, transition=A, record=0, slot=0))

    def theirs() -> float:
        people = list(range(len(table)))
        target = A[table[0], release[0]] * weight(people[1:], release[1:])
        return float(target / weight(people, release))

    return Case("disclosure.match_probability", "8 people, 4 released", "sympy, permanents",
                ours, theirs)  # fmt: skip


def likeliest_movement() -> Case:
    """The likeliest movement between two histograms of 20 places."""
    rng = np.random.default_rng(4)
    P = rng.dirichlet(np.ones(20), size=20)
    before, after = rng.multinomial(2000, np.full(20, 0.05), size=2)
    cost = np.rint(-np.log(P) * 2**20).astype(np.int64)
    graph = nx.DiGraph()
    for i in range(20):
        graph.add_node(("from", i), demand=-int(before[i]))
        graph.add_node(("to", i), demand=int(after[i]))
        for j in range(20):
            graph.add_edge(("from", i), ("to", j), weight=int(cost[i, j]))

    def ours() -> float:
        counts = flow.most_likely_movement(before, after, transition=P).counts
        return float((np.asarray(counts) * -np.log(P)).sum())

    def theirs() -> float:
        return float(nx.network_simplex(graph)[0]) / 2**20

    return Case("location.most_likely_movement", "20 places, 2,000 people",
                "networkx, network simplex", ours, theirs)  # fmt: skip


def savings() -> Case:
    """What one person less saves, for each pair of places, beside a solve a pair."""
    rng = np.random.default_rng(5)
    P = rng.dirichlet(np.ones(8), size=8)
    before, after = rng.multinomial(80, np.full(8, 0.125), size=2)
    cost = -np.log(P)

    def ours() -> Any:
        return flow.unit_savings(flow.most_likely_movement(before, after, transition=P), P)

    def total(rows: Any, columns: Any) -> float:
        ones = np.ones(8)
        equal = np.vstack([np.kron(np.eye(8), ones), np.kron(ones, np.eye(8))])
        sides = np.concatenate([rows, columns])
        return float(optimize.linprog(cost.ravel(), A_eq=equal, b_eq=sides).fun)

    def theirs() -> Any:
        whole = total(before, after)
        found = np.full((8, 8), np.nan)
        for i in range(8):
            for j in range(8):
                if before[i] and after[j]:
                    found[i, j] = whole - total(before - np.eye(8)[i], after - np.eye(8)[j])
        return found

    return Case("location.flow.unit_savings", "8 places, 64 pairs", "scipy, linprog for each pair",
                ours, theirs)  # fmt: skip


def reports_in_rows() -> Case:
    """Reports of 100,000 users in count mean sketches, made and added up."""
    scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=1)
    items, rng = np.arange(100_000) % 43, np.random.default_rng(6)
    flip = 1 / (1 + np.exp(0.5))

    def ours() -> Any:
        return scheme.aggregate(scheme.privatize(items, rng=rng))

    def theirs() -> Any:  # one-hot rows with every cell flipped at random
        total = np.zeros((1024, 128))
        for item in items:
            row = -np.ones(128)
            row[item] = 1
            row[rng.random(128) < flip] *= -1
            total[rng.integers(1024)] += row
        return total

    return Case(
        "sketch.CountMeanSketch", "100,000 users", "numpy, a row a user in a loop",
        ours, theirs, same=False,
    )  # fmt: skip


def reports_of_one_sign() -> Case:
    """Reports of 100,000 users of one Hadamard coefficient each, made and added up."""
    scheme = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=1)
    items, rng = np.arange(100_000) % 43, np.random.default_rng(6)
    flip = 1 / (1 + np.exp(1.0))
    signs = linalg.hadamard(128)

    def ours() -> Any:
        return scheme.aggregate(scheme.privatize(items, rng=rng))

    def theirs() -> Any:  # one sign of the item's column, flipped at random
        total = np.zeros((1024, 128))
        for item in items:
            coefficient = rng.integers(128)
            sign = signs[coefficient, item]
            if rng.random() < flip:
                sign = -sign
            total[rng.integers(1024), coefficient] += sign
        return total

    return Case(
        "sketch.HadamardCountMeanSketch", "100,000 users", "numpy, a sign a user in a loop",
        ours, theirs, same=False,
    )  # fmt: skip


def cases() -> list[Case]:
    """Return all ten."""
    return [
        noise_for_an_array(), logistic_regression(), all_weak_attackers(), noise_of_a_chain(),
        rewriting(), exact_match(), likeliest_movement(), savings(),
        reports_in_rows(), reports_of_one_sign(),
    ]  # fmt: skip


def measured(case: Case, runs: int = RUNS) -> dict[str, Any]:
    """Time both sides in turn; raise if their answers differ."""
    answers = case.ours(), case.theirs()
    if case.same:
        np.testing.assert_allclose(*answers, rtol=1e-4, atol=1e-6)
    pairs = []
    for _ in range(runs):
        start = time.perf_counter()
        case.ours()
        middle = time.perf_counter()
        case.theirs()
        pairs.append((middle - start, time.perf_counter() - middle))
    ratios = sorted(theirs / ours for ours, theirs in pairs)
    return {
        "function": case.function, "task": case.task, "peer": case.peer,
        "milliseconds": 1000 * median(ours for ours, _ in pairs),
        "ratio": median(ratios), "lowest": ratios[0], "highest": ratios[-1],
    }  # fmt: skip


def main() -> None:
    """Measure, print and store."""
    rows = []
    for case in cases():
        row = measured(case)
        rows.append(row)
        print(f"{case.function}: {row['milliseconds']:.3g} ms")
        print(f"  {case.peer}: {row['ratio']:.3g} times as long")
    machine = {
        "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
        "system": platform.platform(), "date": time.strftime("%Y-%m-%d"), "runs": RUNS,
    }  # fmt: skip
    text = json.dumps({"machine": machine, "rows": rows}, indent=1)
    RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
