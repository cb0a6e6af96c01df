"""How fast the Gaussian correlation model is: dense, swept, recursive, sparse.

``python -m benchmarks.correlated`` is a smoke run of some seconds; ``--full`` measures at the sizes
that the README speaks of. Every table rests on answers that were compared first.
"""

from __future__ import annotations

import argparse
import inspect
import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sps
from scipy.linalg import inv, lapack
from scipy.sparse import csgraph
from scipy.sparse.linalg import LinearOperator, cg

from benchmarks import harness
from privlib.correlated import gaussian, sparse
from privlib.correlated.networks import preferential_attachment

SEED = 1
FACEBOOK = (4039, 22)  # vertices, and the links a vertex that give about 88,000 edges
DENSE_RTOL = 1e-9


def laplacian(n: int, m: int) -> Any:
    """Laplacian of a preferential-attachment graph."""
    return csgraph.laplacian(preferential_attachment(n, m, rng=SEED))


def dense_laplacian(*, full: bool) -> tuple[str, Any]:
    """For ``--full`` the Facebook network (fetched if need be), else a graph of its kind."""
    if not full:
        return "preferential attachment", laplacian(600, 10).toarray()
    import networkx as nx

    from privlib.kit import datasets

    try:
        graph = datasets.facebook()
    except datasets.DataUnavailableError:
        return "preferential attachment", laplacian(*FACEBOOK).toarray()
    L = nx.laplacian_matrix(graph, nodelist=range(len(graph)))
    return "Facebook", L.toarray().astype(float)


def dense(name: str, L: Any, runs: int) -> harness.Table:
    """All coefficients: ours, the two LAPACK calls that it cannot do without, plain inverses."""
    P = L + np.eye(len(L))

    def lapack_floor() -> Any:
        factor = lapack.dpotrf(P.T, lower=1, clean=1)[0]  # of Fortran's order: copied once
        return lapack.dtrtri(factor, lower=1, overwrite_c=1)[0]

    def from_inverse(invert: Callable[[Any], Any]) -> Any:
        inverse = invert(P)
        return inverse.sum(axis=1) / inverse.diagonal() - 1

    # scipy before 1.17 cannot be told that the matrix is positive definite.
    definite = {"assume_a": "pos"} if "assume_a" in inspect.signature(inv).parameters else {}
    ours = "GaussianModel.leakage_coefficients"
    timings, answers = harness.compare(
        {
            ours: partial(closed_form, P),
            "dpotrf + dtrtri": lapack_floor,
            "scipy.linalg.inv": lambda: from_inverse(partial(inv, **definite)),
            "numpy.linalg.inv": lambda: from_inverse(np.linalg.inv),
        },
        runs=runs,
    )
    # Uniform prior 1: 1 + l_i is the reciprocal of the column's sum of squares.
    triangle = np.tril(answers["dpotrf + dtrtri"])
    np.testing.assert_allclose(1 + answers[ours], 1 / (triangle**2).sum(axis=0), rtol=DENSE_RTOL)
    for peer in ("scipy.linalg.inv", "numpy.linalg.inv"):
        np.testing.assert_allclose(answers[ours], answers[peer], rtol=DENSE_RTOL)
    work = 2 / 3 * len(L) ** 3
    return harness.Table(
        f"All coefficients, {name}, n = {len(L)}, {harness.alternating(runs)}",
        harness.RATIO_COLUMNS,
        harness.ratio_rows(timings, ours),
        f"largest coefficient {answers[ours].max():.6f}; equal to {DENSE_RTOL:g}, relative",
        harness.arithmetic("factor and triangular inverse", work, timings[ours].median),
    )


def sweep(name: str, L: Any, runs: int) -> harness.Table:
    """Fifty priors for the price of one eigendecomposition."""
    priors = np.geomspace(1e-4, 1e2, 50)
    ours, eigen = "gaussian.leakage_sweep, 50 priors", "one numpy.linalg.eigh"
    timings, answers = harness.compare(
        {
            ours: lambda: gaussian.leakage_sweep(L, priors),
            eigen: lambda: np.linalg.eigh(L),
        },
        runs=runs,
    )
    values, vectors = answers[eigen]
    # The graph is connected: the first eigenvector is constant and is set apart exactly.
    modes = (vectors[:, 1:] ** 2) @ (1 / (values[1:, None] + priors))
    expected = 1 / (1 / len(L) + priors * modes) - 1
    np.testing.assert_allclose(answers[ours], expected.T, rtol=DENSE_RTOL)
    return harness.Table(
        f"A sweep, {name}, n = {len(L)}, {harness.alternating(runs)}",
        harness.RATIO_COLUMNS,
        harness.ratio_rows(timings, ours),
        f"equal to the sum over the eigenpairs, to {DENSE_RTOL:g}",
        f"one eigendecomposition alone takes {harness.ratio(timings[eigen], timings[ours])[0]:.0%} "
        "of our time; "
        + harness.arithmetic(
            "the operations of its reduction to tridiagonal form",
            4 / 3 * len(L) ** 3,
            timings[eigen].median,
        ),
    )


def closed_form(P: Any) -> Any:
    """All coefficients, the checks of the matrix included."""
    return gaussian.GaussianModel(precision=P, width=1).leakage_coefficients()


def recursive(sizes: list[int], runs: int) -> tuple[harness.Table, harness.Curve]:
    """The paper's Algorithm 1, repaired, against the closed form."""
    rows = []
    times: dict[str, list[float]] = {"recursion": [], "closed form": []}
    for n in sizes:
        P = laplacian(n, 5).toarray() + np.eye(n)
        timings, answers = harness.compare(
            {
                "recursion": partial(gaussian.algorithm1, P),
                "closed form": partial(closed_form, P),
            },
            runs=runs,
        )
        np.testing.assert_allclose(answers["recursion"], answers["closed form"], rtol=DENSE_RTOL)
        recursion, closed = timings["recursion"], timings["closed form"]
        for name, timing in timings.items():
            times[name].append(timing.median)
        rows.append([n, recursion.median, recursion.spread, *harness.ratio(recursion, closed)])
    lines = [harness.Series.fitted(name, sizes, seconds) for name, seconds in times.items()]
    moved = 8 * 14 / 9 * sizes[-1] ** 3  # a rank-one update reads and writes an entry for 2 flops
    table = harness.Table(
        f"Algorithm 1, repaired, {harness.alternating(runs)}",
        ["n", "median s", "spread", "this / closed form", "lowest", "highest"],
        rows,
        f"fitted exponent {lines[0].growth} (Theorem 5.3: 3); equal to the closed form to "
        f"{DENSE_RTOL:g}",
        "the recursion is rank-one updates, 8 bytes moved for each flop: "
        + harness.traffic(f"n = {sizes[-1]:,}", moved, times["recursion"][-1]),
    )
    title = "All coefficients: the recursion and the closed form"
    return table, harness.Curve(title, "n", "seconds", lines)


def certify(n: int) -> dict[str, Any]:
    """One certified maximum, checked by scipy's own solver; for a process of its own."""
    P = sps.csr_array(laplacian(n, 5) + sps.eye_array(n))
    start = time.perf_counter()
    bounds = sparse.max_leakage_bounds(P, rtol=1e-9)
    seconds, memory = time.perf_counter() - start, harness.peak_memory()
    low, high, index = bounds.low, bounds.high, bounds.adversary.target

    # For any x: u'P^-1 u lies within |r|^2/tau above 2u'x - x'Px; tau = 1, u = e_i - 1/n.
    u = np.full(n, -1.0 / n)
    u[index] += 1.0
    diagonal = P.diagonal()
    jacobi = LinearOperator((n, n), matvec=lambda v: v.ravel() / diagonal)
    x, _ = cg(P, u, rtol=1e-8, atol=0.0, M=jacobi)
    residual = u - P @ x
    least = u @ x + x @ residual
    slack = 1e-12 * high
    where = harness.hot_spots(lambda: sparse.max_leakage_bounds(P, rtol=1e-9))
    assert 1 / (1 / n + least) - 1 >= low - slack
    assert 1 / (1 / n + least + residual @ residual) - 1 <= high + slack
    return {
        "edges": (P.nnz - n) // 2,
        "seconds": seconds,
        "memory": memory / harness.GIB,
        "low": low,
        "width": (high - low) / (1 + low),
        "where": where,
    }


def certified(sizes: list[int], runs: int) -> tuple[harness.Table, list[harness.Curve]]:
    """The certified maximum at growing size, every run in a process of its own."""
    rows, seconds, memories = [], [], []
    for n in sizes:
        results = [
            harness.in_subprocess("benchmarks.correlated", "--certify", str(n)) for _ in range(runs)
        ]
        timing = harness.Timing.of([result["seconds"] for result in results])
        last = results[-1]
        seconds.append(timing.median)
        memories.append(max(result["memory"] for result in results))
        rows.append(
            [n, last["edges"], timing.median, timing.spread, memories[-1], last["low"],
             last["width"]]
        )  # fmt: skip
    time_line = harness.Series.fitted("certified maximum", sizes, seconds)
    memory_line = harness.Series.fitted("whole process", sizes, memories)
    table = harness.Table(
        f"Certified maximum, preferential attachment, tau = 1, rtol = 1e-9, {runs} runs",
        ["n", "edges", "median s", "spread", "peak GiB", "max l at least", "rel. width"],
        rows,
        f"fitted exponent of time {time_line.growth}, of memory {memory_line.growth}; "
        "peak memory is the whole process, interpreter and graph construction included; every "
        "interval holds the value of scipy.sparse.linalg.cg",
        f"own time by function at n = {sizes[-1]:,}: {last['where']}",
    )
    return table, [
        harness.Curve("Certified maximum: time", "n", "seconds", [time_line]),
        harness.Curve("Certified maximum: memory", "n", "peak GiB", [memory_line]),
    ]


def main() -> None:
    parser = harness.parser("correlated", __doc__)
    parser.add_argument("--certify", type=int, metavar="N", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.certify is not None:
        print(json.dumps(certify(arguments.certify)))
        return
    full, runs = arguments.full, arguments.runs
    name, L = dense_laplacian(full=full)
    algorithm, halving = recursive([250, 500, 1000, 2000] if full else [60, 120, 240], runs)
    maxima, growth = certified(
        [10**4, 10**5, 10**6] if full else [10**3, 10**4], runs if full else 1
    )
    harness.report(
        [dense(name, L, runs), sweep(name, L, runs), algorithm, maxima],
        arguments.json,
        curves=[halving, *growth],
    )


if __name__ == "__main__":
    main()
