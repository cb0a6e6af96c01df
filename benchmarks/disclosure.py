"""How fast the exact posterior is, and the rewriting of a table.

``python -m benchmarks.disclosure`` is a smoke run of some seconds; ``--full`` measures at the sizes
that the README speaks of. Posteriors are compared as fractions, with no tolerance; rewritten tables
by the counts of their pairs of true and shown values, which must follow the matrix.

The package pram runs in an environment of its own (see `benchmarks.peers`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy
from scipy.stats import chi2

from benchmarks import harness, peers
from privlib.disclosure import posterior, pram

SEED = 1
CATEGORIES = 4
KEEP = Fraction(1, 2)
LEVEL = 1e-6  # p-values below it, or above one minus it, are disagreements
RTOL = 1e-9  # of the posterior in floats against the one in fractions
PRAM = "pram 0.2.0"
PINS = ("pram==0.2.0", "pandas==2.2.3", "numpy==2.2.6")
MINIMUM, ALPHA = 0.8, 0.5  # the defaults of pram, of which it makes its matrix
LABELS = np.array(["north", "east", "south", "west"])

Array = npt.NDArray[Any]
Problem = tuple[Array, Array]


def matrix() -> Array:
    return np.asarray(pram.retention_matrix(KEEP, CATEGORIES))


def problem(n: int, s: int) -> Problem:
    """Draw a table of n records and a release of s of them."""
    rng = np.random.default_rng([SEED, n, s])
    table = rng.integers(CATEGORIES, size=n)
    sample = rng.permutation(table)[:s]
    return table, pram.apply_pram(sample, matrix().astype(float), rng=rng)


def by_permutations(table: Array, release: Array, A: Array) -> Fraction:
    """Return the probability of record 0 behind slot 0, summed over all injections."""
    rows = [[A[u, v] for u in table] for v in release]
    total = matched = Fraction(0)
    for chosen in itertools.permutations(range(len(table)), len(release)):
        weight = Fraction(1)
        for row, record in zip(rows, chosen):
            weight *= row[record]
        total += weight
        matched += weight if chosen[0] == 0 else 0
    return matched / total


def by_sympy(table: Array, release: Array, A: Array) -> Fraction:
    """Return the same as a ratio of two permanents of sympy."""
    rows = [
        [sympy.Rational(A[u, v].numerator, A[u, v].denominator) for u in table] for v in release
    ]
    whole = sympy.Matrix(rows)
    rest = whole[1:, 1:] if len(release) > 1 else sympy.Matrix([[1]])
    found = rows[0][0] * rest.per() / whole.per()
    return Fraction(int(found.p), int(found.q))


def against_permanents(plan: dict[tuple[int, int], list[str]], runs: int) -> harness.Table:
    """One probability by the routes that see every record, and by the counts of categories."""
    A, rows = matrix(), []
    routes: dict[str, Callable[..., Fraction]] = {
        "itertools": by_permutations,
        f"sympy {sympy.__version__}, Matrix.per": by_sympy,
        "subsets": partial(_method, "permanent"),
        "generating": partial(_method, "generating"),
    }
    for (n, s), names in plan.items():
        tau, shown = problem(n, s)
        calls: dict[str, Callable[[], Any]] = {"ours": partial(_method, "auto", tau, shown, A)}
        calls |= {
            name: partial(call, tau, shown, A)
            for name, call in routes.items()
            if name.split()[0] in names
        }
        timings, answers = harness.compare(calls, runs=runs)
        if set(map(type, answers.values())) != {Fraction} or len(set(answers.values())) != 1:
            raise AssertionError(f"posteriors differ at n = {n}, s = {s}: {answers}")
        for name, timing in timings.items():
            ratio = harness.ratio(timing, timings["ours"])
            rows.append([n, s, name, 1000 * timing.median, timing.spread, *ratio])
    return harness.Table(
        f"Posterior of one record and one slot, {CATEGORIES} categories, exact, "
        f"{harness.alternating(runs)}",
        ["n", "s", "", "median ms", "spread", "this / ours", "lowest", "highest"],
        rows,
        "all answers are the same fraction; itertools: sum over all injections; subsets: "
        "privlib's recursion over the subsets of slots; generating: privlib's route for a matrix "
        "of any form; there are n!/(n − s)! injections and 2 to the power s subsets",
        f"own time of ours by function at n = {n}, s = {s}: {harness.hot_spots(calls['ours'])}",
    )


def _method(method: str, table: Array, release: Array, A: Array) -> Any:
    return posterior.match_probability(
        table, release, transition=A, record=0, slot=0, method=method
    )


def growth(sizes: list[int], exact: int, runs: int) -> tuple[harness.Table, harness.Curve]:
    """The posterior up to large tables, in fractions and in logarithms of floats."""
    A, rows = matrix(), []
    seconds: dict[str, list[tuple[int, float]]] = {"fractions": [], "floats": []}
    for n in sizes:
        tau, shown = problem(n, n // 10)
        calls: dict[str, Callable[[], Any]] = {
            "floats": partial(_method, "auto", tau, shown, A.astype(float))
        }
        if n <= exact:
            calls["fractions"] = partial(_method, "auto", tau, shown, A)
        timings, answers = harness.compare(calls, runs=runs)
        if n <= exact:
            np.testing.assert_allclose(answers["floats"], float(answers["fractions"]), rtol=RTOL)
        columns = posterior.match_matrix(tau, shown, transition=A.astype(float), by="value")
        each = np.bincount(tau, minlength=CATEGORIES) @ columns
        np.testing.assert_allclose(each[np.unique(shown)], 1, rtol=RTOL)
        row: list[Any] = [n, n // 10]
        for name in seconds:
            if name not in timings:
                row += ["-", "-"]
                continue
            row += [1000 * timings[name].median, timings[name].spread]
            seconds[name].append((n, timings[name].median))
        rows.append(row)
    series = [harness.Series.fitted(name, *zip(*points)) for name, points in seconds.items()]
    n = max(size for size, _ in seconds["fractions"])
    tau, shown = problem(n, n // 10)
    spots = harness.hot_spots(partial(_method, "auto", tau, shown, A))
    tau, shown = problem(sizes[-1], sizes[-1] // 10)
    floats = harness.hot_spots(partial(_method, "auto", tau, shown, A.astype(float)))
    table = harness.Table(
        f"Posterior of one record and one slot, a tenth of n sampled, {harness.alternating(runs)}",
        ["n", "s", "fractions ms", "spread", "floats ms", "spread"],
        rows,
        f"floats agree with the fractions to {RTOL:g}, and the probabilities of all records for a "
        "slot add up to 1",
        f"{'; '.join(f'{x.name} grow with exponent {x.growth}' for x in series)}; time of "
        f"the fractions: {spots}; of the floats: {floats}",
    )
    return table, harness.Curve("Exact posterior", "n", "seconds", series)


def one_by_one(codes: Array, A: Array, rng: np.random.Generator) -> Array:
    """Rewrite a table by a loop over its records."""
    return np.array([rng.choice(len(row), p=row) for row in A[codes]])


def by_category(codes: Array, A: Array, rng: np.random.Generator) -> Array:
    """Rewrite a table by one call of NumPy for each category."""
    shown = np.empty_like(codes)
    for u, row in enumerate(A):
        here = codes == u
        shown[here] = rng.choice(len(row), size=int(here.sum()), p=row)
    return shown


def by_search(codes: Array, A: Array, rng: np.random.Generator) -> Array:
    """Rewrite a table by comparing a uniform number with the running sums of its row."""
    limits = A.cumsum(axis=1)[:, :-1]
    return np.asarray((rng.random(codes.size)[:, None] >= limits[codes]).sum(axis=1))


def follows(name: str, counts: Array, A: Array) -> float:
    """Return the p-value of the counts of (true, shown) pairs under the matrix, or raise."""
    expected = counts.sum(axis=1, keepdims=True) * A
    statistic = ((counts - expected) ** 2 / expected).sum()
    p = float(chi2.sf(statistic, A.shape[0] * (A.shape[1] - 1)))
    if not LEVEL < p < 1 - LEVEL:
        raise AssertionError(f"{name} does not follow the matrix: p = {p:.3g}")
    return p


def pairs_of(codes: Array, shown: Array) -> Array:
    """Return the counts of (true, shown) pairs."""
    if shown.dtype.kind == "U":
        order = np.argsort(LABELS)
        shown = order[np.searchsorted(LABELS[order], shown)]
    flat = np.bincount(CATEGORIES * codes + shown, minlength=CATEGORIES**2)
    return flat.reshape(CATEGORIES, CATEGORIES)


def in_our_order(table: Any) -> Array:
    """Return a table over the sorted labels, as the peer has it, in the order of the codes."""
    rank = np.argsort(np.argsort(LABELS))
    ordered: Array = np.asarray(table)[np.ix_(rank, rank)]
    return ordered


def rewriting(n: int, runs: int, *, install: bool) -> tuple[harness.Table, list[harness.Peer]]:
    """A table rewritten by us, by loops, by NumPy, and by the package pram."""
    codes = np.random.default_rng([SEED, n]).choice(CATEGORIES, size=n, p=[0.4, 0.3, 0.2, 0.1])
    words = LABELS[codes]
    work = {"seed": SEED, "values": words.tolist(), "m": MINIMUM, "alpha": ALPHA}
    peer = peers.start("pram", "pram_peer.py", work, install=PINS, create=install)
    A = matrix().astype(float)
    if isinstance(peer, peers.Process):
        A = in_our_order(peer.ask("matrix")["answer"])  # it takes none, it makes one
    rng = np.random.default_rng(SEED)
    ours = "privlib, codes"
    calls: dict[str, Callable[[], Array]] = {
        ours: lambda: pram.apply_pram(codes, A, rng=rng),
        "privlib, labels": lambda: pram.apply_pram(words, A, rng=rng, categories=LABELS),
        "numpy, one choice a category": lambda: by_category(codes, A, rng),
        "numpy, running sums": lambda: by_search(codes, A, rng),
        "loop of numpy.random.Generator.choice": lambda: one_by_one(codes, A, rng),
    }
    theirs = peers.label(PRAM, peer)
    clocks: dict[str, Callable[[], float]] = {}
    failed: dict[str, str] = {}
    if isinstance(peer, peers.Process):
        calls[theirs], clocks[theirs] = lambda: in_our_order(peer.run("run")), peer.clock
    timings, answers = harness.compare(calls, runs=runs, clocks=clocks, failed=failed)
    if isinstance(peer, peers.Process):
        peer.__exit__()
    rows: list[list[Any]] = []
    for name, timing in timings.items():
        counts = answers[name] if name == theirs else pairs_of(codes, answers[name])
        p = follows(name, counts, A)
        ratio = harness.ratio(timing, timings[ours])
        rows.append([name, 1000 * timing.median, timing.spread, *ratio, p])
    ahead = any(row[0].startswith("numpy") and row[3] < 1 for row in rows)
    note = "p: chi-square of the pairs of true and shown values of the first run"
    if not isinstance(peer, peers.Process):
        failed[PRAM] = peer
    rows += [[name, *["-"] * 6] for name in failed]
    note += harness.left_out(failed)
    table = harness.Table(
        f"PRAM of {n:,} records, {CATEGORIES} categories, {harness.alternating(runs)}",
        ["", "median ms", "spread", "this / ours", "lowest", "highest", "p"],
        rows, note, where_it_goes(codes, A, ahead=ahead),
    )  # fmt: skip
    return table, [peers.met(PRAM, peer)]


def where_it_goes(codes: Array, A: Array, *, ahead: bool) -> str:
    """Say what of our time is left for one record, and when only the uniform numbers are drawn."""
    rng = np.random.default_rng(SEED)
    timings, _ = harness.compare(
        {
            "all": lambda: pram.apply_pram(codes, A, rng=rng),
            "draws": lambda: rng.random(codes.size),
            "one": lambda: pram.apply_pram(codes[:1], A, rng=rng),
        }
    )
    share = timings["draws"].median / timings["all"].median
    each = timings["all"].median / codes.size * 1e9
    return (
        f"ours takes {each:.3g} ns a record, {share:.0%} of it for the uniform number; "
        f"{1e6 * timings['one'].median:.3g} µs of a call, "
        "checks and tables of the matrix, do not depend on the number of records"
        + (": where NumPy is faster, it does without them" if ahead else "")
    )


def large_tables(sizes: list[int], runs: int) -> tuple[harness.Table, harness.Curve]:
    """Our rewriting against NumPy's at growing size."""
    A, rows = matrix().astype(float), []
    names = ("privlib", "numpy, one choice a category", "numpy, running sums")
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for n in sizes:
        codes = np.random.default_rng([SEED, n]).integers(CATEGORIES, size=n)
        rng = np.random.default_rng(SEED)
        calls = dict(
            zip(
                names,
                (
                    partial(pram.apply_pram, codes, A, rng=rng),
                    partial(by_category, codes, A, rng),
                    partial(by_search, codes, A, rng),
                ),
            )
        )
        timings, answers = harness.compare(calls, runs=runs)
        for name, timing in timings.items():
            follows(name, pairs_of(codes, answers[name]), A)
            seconds[name].append(timing.median)
            ratio = harness.ratio(timing, timings["privlib"])
            rows.append([n, name, timing.median / n * 1e9, timing.spread, *ratio])
    medians = zip(*(seconds[name] for name in names))
    ahead = any(min(others) < mine for mine, *others in medians)
    series = [harness.Series.fitted(name, sizes, times) for name, times in seconds.items()]
    table = harness.Table(
        f"PRAM at growing size, {CATEGORIES} categories, {harness.alternating(runs)}",
        ["records", "", "ns a record", "spread", "this / ours", "lowest", "highest"],
        rows, f"the pairs of true and shown values of the first run follow the matrix at {LEVEL:g}",
        where_it_goes(
            np.random.default_rng(SEED).integers(CATEGORIES, size=sizes[-1]), A, ahead=ahead
        ),
    )  # fmt: skip
    return table, harness.Curve("Rewriting a table", "records", "seconds", series)


def main() -> None:
    arguments = harness.parser("disclosure", __doc__).parse_args()
    full, runs = arguments.full, arguments.runs
    small = ["itertools", "sympy", "subsets", "generating"]
    plan = {(5, 3): small, (7, 4): small, (16, 8): ["subsets", "generating"]}
    if full:
        plan = {
            (6, 4): small,
            (8, 6): small,
            (12, 8): ["sympy", "subsets", "generating"],
            (24, 12): ["subsets", "generating"],
            (40, 20): ["generating"],
        }
    sizes = [100, 300, 1000, 3000, 10_000] if full else [30, 100, 300]
    posteriors, curve = growth(sizes, sizes[-1], runs)
    rewritten, met = rewriting(20_000 if full else 2_000, runs, install=full)
    large, more = large_tables([10**4, 10**5, 10**6, 10**7] if full else [10**4, 10**5], runs)
    harness.report(
        [against_permanents(plan, runs), posteriors, rewritten, large],
        arguments.json,
        curves=[curve, more],
        peers=[harness.Peer("sympy", sympy.__version__), *met],
    )


if __name__ == "__main__":
    main()
