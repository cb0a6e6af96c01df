"""How fast all gains of a release are, from one solve, and the smallest weight without a grid.

``python -m benchmarks.location`` is a smoke run of some seconds; ``--full`` measures at the sizes
that the README speaks of. What a person saves is compared with shortest paths by scipy from one
solve of POT, and with solving again without her, by three other solvers; the smallest weight with
the steps of Algorithm 1; the best event-level release with libqif's programme.

OR-tools and libqif run in environments of their own (see `benchmarks.peers`).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
from scipy.sparse import csgraph

from benchmarks import harness, outside, peers
from privlib.location import flow, mechanism, release

SEED = 1
PEOPLE = 100  # a place
SCALE = 10**9  # of costs as integers: OR-tools takes no floats, networkx may not end on them
NETWORKX, ORTOOLS = f"networkx {nx.__version__}", "OR-tools 9.15.6755"
POT = f"POT {version('POT')}"
OURS, DUALS = "privlib", "POT and scipy"
PINS = ("ortools==9.15.6755", "numpy==2.4.6", "protobuf==6.33.6")
EPSILON = 0.25
SAME = 1e-9  # two least losses this near are equal
SLACK = 1e-9  # a weight this far outside of an interval counts as its end

Pairs = list[tuple[int | None, int | None]]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Town:
    """People who moved, whole costs, and what a rounded cost can be off by."""

    before: IntArray
    after: IntArray
    transition: FloatArray
    cost: IntArray

    @property
    def error(self) -> float:
        """Bound on the error of a saving with whole costs: half a unit a person, twice."""
        return float(self.before.sum()) / SCALE

    @classmethod
    def of(cls, size: int) -> Town:
        """Draw a town of `size` places in which everybody may go everywhere."""
        rng = np.random.default_rng([SEED, size])
        transition = rng.dirichlet(np.ones(size), size)
        before = rng.multinomial(PEOPLE * size, np.ones(size) / size)
        after = sum(rng.multinomial(n, row) for n, row in zip(before, transition))
        cost = np.rint(-np.log(transition) * SCALE).astype(np.int64)
        return cls(before, np.asarray(after), transition, cost)

    def without(self, i: int | None, j: int | None) -> tuple[IntArray, IntArray]:
        """Return the histograms with one person less from i to j."""
        before, after = self.before.copy(), self.after.copy()
        if i is not None and j is not None:
            before[i] -= 1
            after[j] -= 1
        return before, after


def with_networkx(town: Town) -> Callable[[Pairs], list[int]]:
    """Return the costs of pairs by networkx, on a graph that is built once."""
    size = len(town.before)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(2 * size))
    graph.add_weighted_edges_from(
        (i, size + j, cost)
        for i, row in enumerate(town.cost.tolist())
        for j, cost in enumerate(row)
    )

    def costs(pairs: Pairs) -> list[int]:
        found = []
        for pair in pairs:
            before, after = town.without(*pair)
            demand = np.concatenate([-before, after]).tolist()
            nx.set_node_attributes(graph, dict(enumerate(demand)), "demand")
            found.append(nx.network_simplex(graph)[0])
        return found

    return costs


def with_pot(town: Town) -> Callable[[Pairs], list[float]]:
    """Return the costs of pairs by the network simplex of POT, on floats."""
    import ot

    prices = -np.log(town.transition)

    def costs(pairs: Pairs) -> list[float]:
        found = []
        for pair in pairs:
            before, after = town.without(*pair)
            plan = ot.emd(before.astype(float), after.astype(float), prices, numItermax=10**7)
            found.append(float((plan * prices).sum()))
        return found

    return costs


def solvers(town: Town, peer: Any, *, slow: bool) -> dict[str, tuple[Callable[[Pairs], Any], int]]:
    """Return who solves again, and the size of the unit of each one's costs."""
    found: dict[str, tuple[Callable[[Pairs], Any], int]] = {POT: (with_pot(town), 1)}
    if isinstance(peer, peers.Process):
        work = {
            "before": town.before.tolist(), "after": town.after.tolist(),
            "cost": town.cost.tolist(),
        }  # fmt: skip
        peer.run(work)
        found[ORTOOLS] = (lambda pairs: peer.run({"pairs": pairs}), SCALE)
    if slow:
        found[NETWORKX] = (with_networkx(town), SCALE)
    return found


def with_duals(town: Town) -> Callable[[], tuple[float, FloatArray]]:
    """Return the cost and all savings by one solve of POT and the shortest paths of scipy.

    The duals of the solver make all lengths of the residual network non-negative: those of arcs in
    use are 0, both ways. A person less gives back the shortest way from her sink to her source.
    """
    import ot

    prices = -np.log(town.transition)
    before, after = town.before.astype(float), town.after.astype(float)
    size = before.size

    def savings() -> tuple[float, FloatArray]:
        plan, log = ot.emd(before, after, prices, numItermax=10**7, log=True)
        worth = log["u"][:, None] + log["v"]
        lengths = np.full((2 * size, 2 * size), np.inf)
        lengths[:size, size:] = np.maximum(prices - worth, 0.0)
        lengths[size:, :size] = np.where(plan.T > 0, 0.0, np.inf)
        network = csgraph.csgraph_from_dense(lengths, null_value=np.inf)  # 0 is a length
        back = csgraph.floyd_warshall(network)[size:, :size]
        return float((plan * prices).sum()), worth - back.T

    return savings


def ours(town: Town) -> tuple[float, FloatArray]:
    """Return the cost and all savings."""
    movement = flow.most_likely_movement(town.before, town.after, transition=town.transition)
    return movement.cost, flow.unit_savings(movement, town.transition)


def chosen_pairs(size: int, number: int) -> Pairs:
    """Return all pairs, or as many as are asked for, drawn at random."""
    drawn = np.random.default_rng([SEED, size]).permutation(size**2)[:number]
    return [(int(k) // size, int(k) % size) for k in drawn]


def gains(
    plan: dict[int, dict[str, int]], runs: int, peer: Any
) -> tuple[list[harness.Table], harness.Curve]:
    """Time all savings: by one solve, ours and others', and by solving again for each pair."""
    growth: list[list[Any]] = []
    rows: list[list[Any]] = []
    split: list[str] = []
    compared: list[str] = []
    failed: dict[str, str] = {}
    ortools = peers.label(ORTOOLS, peer)
    for size, numbers in plan.items():
        town = Town.of(size)
        movement = flow.most_likely_movement(town.before, town.after, transition=town.transition)
        pairs = {name: chosen_pairs(size, number) for name, number in numbers.items()}
        try:
            again = solvers(town, peer, slow=NETWORKX in numbers)
            bases = {name: call([(None, None)])[0] for name, (call, _) in again.items()}
        except peers.PeerUnavailableError as stopped:  # only OR-tools is a peer
            failed[ORTOOLS] = str(stopped)
            again = solvers(town, None, slow=NETWORKX in numbers)
            bases = {name: call([(None, None)])[0] for name, (call, _) in again.items()}
        calls: dict[str, Callable[[], Any]] = {OURS: partial(ours, town), DUALS: with_duals(town)}
        calls["solve"] = partial(
            flow.most_likely_movement, town.before, town.after, transition=town.transition
        )
        calls["savings"] = partial(flow.unit_savings, movement, town.transition)
        calls |= {name: partial(call, pairs[name]) for name, (call, _) in again.items()}
        missed: dict[str, str] = {}
        timings, answers = harness.compare(
            calls, runs=runs, failed=missed,
            clocks={ORTOOLS: peer.clock} if isinstance(peer, peers.Process) else {},
        )  # fmt: skip
        failed |= missed
        cost, savings = answers[OURS]
        agree(cost, savings, every_pair(size), *answers[DUALS], error=0.0)
        met = [name for name in again if name in answers]
        for name in met:
            unit = again[name][1]
            base = bases[name] / unit
            found = base - np.array(answers[name]) / unit
            error = 0.0 if unit == 1 else town.error
            agree(cost, savings, pairs[name], base, found, error=error)
        compared.append(
            f"L = {size}: all {size**2:,} with {DUALS}, "
            + ", ".join(f"{len(pairs[name]):,} with {shown(name, ortools)}" for name in met)
        )
        for name in (OURS, DUALS):
            one = timings[name]
            ratio = harness.ratio(one, timings[OURS])
            growth.append([size, name, 1000 * one.median, one.spread, *ratio])
        share = timings["solve"].median / timings[OURS].median
        split.append(f"{share:.0%} at L = {size}")
        for name in met:
            number, one = len(pairs[name]), timings[name]
            each = 1000 * one.median / number
            row = [size, shown(name, ortools), number, each, one.spread, each * size**2 / 1000]
            if number == size**2:
                rows.append([*row, "measured", *harness.ratio(one, timings[OURS])])
            else:
                times = one.median * size**2 / number / timings[OURS].median
                rows.append([*row, "extrapolated", times, "-", "-"])
        missing = [name for name in (NETWORKX, ORTOOLS) if name not in met]
        rows += [[size, shown(name, ortools), 0, *["-"] * 7] for name in missing]
    run = max((row[0] for row in rows if row[6] == "measured"), default=0)
    lines = {name: [(row[0], row[2] / 1000) for row in growth if row[1] == name]
             for name in (OURS, DUALS)}  # fmt: skip
    for name in (POT, ortools, NETWORKX):
        points = [(row[0], row[5]) for row in rows if row[1] == name and row[2]]
        lines[f"{name}, solving again"] = points
    curve = harness.Curve(
        f"All savings; solving again is measured up to L = {run}, extrapolated beyond",
        "L",
        "seconds",
        [
            harness.Series.fitted(name, *zip(*points))
            for name, points in lines.items()
            if len(points) > 1
        ],
    )
    first = harness.Table(
        f"All L² savings of a person from one solve, {PEOPLE} people a place, "
        f"{harness.alternating(runs)}",
        ["L", "", "ms", "spread", "this / ours", "lowest", "highest"],
        growth,
        f"{DUALS}: scipy's Floyd and Warshall on the residual network, dense, with lengths reduced "
        "by the duals of POT's solve; both give the same savings, all pairs compared; our solve is "
        f"that of POT with checks before and after it; its share of our time is {', '.join(split)}",
        limit(size, timings["savings"].median),
    )
    second = harness.Table(
        f"The same savings by solving each pair anew, {harness.alternating(runs)}",
        ["L", "", "solves a run", "ms a solve", "spread", "all L² s", "", "this / ours", "lowest",
         "highest"],
        rows, solving_again(peer, compared, failed),
    )  # fmt: skip
    return [first, second], curve


def every_pair(size: int) -> Pairs:
    """Return all pairs, row by row."""
    return [(k // size, k % size) for k in range(size**2)]


def shown(name: str, ortools: str) -> str:
    """Return the name of a solver with the version that it reports."""
    return ortools if name == ORTOOLS else name


def agree(
    cost: float, savings: FloatArray, pairs: Pairs, base: float, found: FloatArray, *, error: float
) -> None:
    """Compare the cost and the savings of pairs, to an `error` of rounded costs and of floats."""
    bound = error + 1e-11 * abs(base)
    if not abs(cost - base) <= bound:
        raise AssertionError(f"least cost {cost!r} here, {base!r} there")
    worst = np.abs(savings[tuple(np.array(pairs).T)] - found.ravel()).max()
    if not worst <= bound:
        raise AssertionError(f"a saving differs by {worst:.3g}, more than {bound:.3g}")


def limit(size: int, seconds: float) -> str:
    """Say what bounds the savings: additions in the cache, against the pace of this machine."""
    rows = 64
    part, via = np.ones((rows, size)), np.empty((rows, size))
    column = np.ones((rows, 1))
    times = []
    for _ in range(200):
        start = time.perf_counter()
        np.add(column, part[0], out=via)
        np.minimum(part, via, out=part)
        times.append(time.perf_counter() - start)
    floor = statistics.median(times) * size / rows * size
    return (
        f"at L = {size} the savings are 2L³ additions and comparisons, at "
        f"{2 * size**3 / seconds / 1e9:.2g} billion a second; the same operations alone, on rows "
        f"that stay in the cache, take {floor / seconds:.0%} of that time"
    )


def solving_again(peer: Any, compared: Sequence[str], failed: Mapping[str, str]) -> str:
    """Return the note on how the others solve."""
    note = (
        "what a user without the duals would do: one problem a pair, L² of them; a pair's saving "
        "agrees with the difference of two costs, for whole costs (OR-tools, networkx) within "
        f"their rounding to 1/{SCALE:.0e}, else to 1e-11 of the cost; pairs compared: "
        f"{'; '.join(compared)}; networks are built once and not counted, OR-tools takes its own "
        "time; extrapolated: mean time of the solves that were run, times L²"
    ) + harness.left_out(failed)
    return note if isinstance(peer, peers.Process) else f"{note}; {ORTOOLS} not measured: {peer}"


def crowd(size: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Draw a town whose people went elsewhere than the prediction says, so that gains are large."""
    rng = np.random.default_rng([SEED, size])
    P = rng.dirichlet(np.ones(size), size)
    before = rng.multinomial(PEOPLE * size, np.ones(size) / size)
    after = rng.multinomial(PEOPLE * size, rng.dirichlet(np.full(size, 20.0)))
    return before, after, P


def smallest_weight(plan: dict[int, list[float]], unit: str, runs: int) -> harness.Table:
    """The exact smallest weight against the steps of Algorithm 1."""
    rows: list[list[Any]] = []
    slower: list[str] = []
    for size, steps in plan.items():
        before, after, P = crowd(size)
        publish = partial(
            release.private_histogram, before, after, transition=P, epsilon=EPSILON, unit=unit
        )  # fmt: skip
        calls: dict[str, Callable[[], Any]] = {"exact": publish}
        calls |= {f"step {step:g}": partial(publish, step=step) for step in steps}
        timings, answers = harness.compare(calls, runs=runs)
        feasible = release.feasible_intervals(
            before, after, transition=P, epsilon=EPSILON, unit=unit
        )
        exact = answers["exact"].alpha
        assert exact == feasible[0, 0]
        own = timings["exact"]
        rows.append([size, "exact", own.median, own.spread, exact, "-", *["-"] * 3])
        for step in steps:
            name = f"step {step:g}"
            timing, found = timings[name], answers[name]
            if timing.median < own.median:
                slower.append(f"{name} at L = {size}")
            grid = np.minimum(np.arange(round(1 / step) + 1) * step, 1.0)[:, None]
            inside = ((feasible[:, 0] - SLACK <= grid) & (grid <= feasible[:, 1] + SLACK)).any(1)
            assert found.alpha == grid[inside][0, 0], f"{name}: {found.alpha}, {feasible}"
            rows.append(
                [size, name, timing.median, timing.spread, found.alpha, len(found.alphas),
                 *harness.ratio(timing, own)]
            )  # fmt: skip
    return harness.Table(
        f"Smallest weight of the prediction, epsilon = {EPSILON:g}, unit {unit}, "
        f"{harness.alternating(runs)}",
        ["L", "", "median s", "spread", "weight", "gains computed", "this / exact", "lowest",
         "highest"],
        rows,
        "every weight by steps is the first one of its grid inside the exact intervals; "
        + (f"the loop is faster, and its weight larger, with {', '.join(slower)}" if slower
           else "the exact search is faster than every loop here"),
        f"own time of the exact search by function at L = {size}: {harness.hot_spots(publish)}",
    )  # fmt: skip


def by_libqif(problem: dict[str, Any], *, create: bool) -> peers.Process | str:
    """Return libqif at work on one programme, or why it is not."""
    name = outside.QIF.name.replace(" ", "-")
    work, install = {"town": [problem]}, outside.QIF.install
    return peers.start(name, "outside_peer.py", work, install=install, create=create)


def programmes(
    crowds: Sequence[Sequence[int]], runs: int, start: Callable[[dict[str, Any]], Any]
) -> tuple[harness.Table, harness.Peer]:
    """Time the best event-level release: our linear programme and libqif's, same instance."""
    rows: list[list[Any]] = []
    wanted, missed = outside.QIF.name, ""
    seen = harness.Peer("libqif", wanted.rpartition(" ")[2])
    worst = 0.0
    for before in crowds:
        calls: dict[str, Callable[[], Any]] = {
            OURS: partial(mechanism.event_level_mechanism, before, outside.THREE, epsilon=1.0)
        }
        size = [sum(before), len(mechanism.histograms(sum(before), len(before)))]
        peer = start(outside.event_problem(before, 1.0, outside.THREE))
        seen, met = peers.met(wanted, peer), not isinstance(peer, str)
        failed: dict[str, str] = {}
        if met:
            calls[wanted] = partial(peer.run, "town")
        clocks = {wanted: peer.clock} if met else {}
        timings, answers = harness.compare(calls, runs=runs, clocks=clocks, failed=failed)
        if met:
            peer.__exit__()
        if wanted in answers:
            ours, (theirs,) = answers[OURS].loss, answers[wanted]
            worst = max(worst, abs(ours - theirs))
            if not worst <= SAME:
                raise AssertionError(f"least loss {ours!r} here, {theirs!r} there")
        rows += [[*size, *row] for row in harness.ratio_rows(timings, OURS)]
        missed = failed.get(wanted, "" if met else str(peer))
    note = (
        f"the expected errors differ by at most {worst:.0e}; ours ends with the largest gain of "
        "an attacker, libqif's with the channel; libqif takes its own time, without the passing "
        "of the problem, but with the calls of Python functions that say its distances and losses"
    )
    return harness.Table(
        "Least expected error of a histogram under event-level differential privacy, three "
        f"places, epsilon = 1, {harness.alternating(runs)}",
        ["people", "histograms", *harness.RATIO_COLUMNS],
        rows,
        note + (harness.left_out({wanted: missed}) if missed else ""),
    ), seen


def main() -> None:
    arguments = harness.parser("location", __doc__).parse_args()
    full, runs = arguments.full, arguments.runs
    every = {POT: 10**6, ORTOOLS: 10**6, NETWORKX: 10**6}
    plan = {14: every, 30: {POT: 100, ORTOOLS: 20, NETWORKX: 5}}
    if full:
        plan = {
            14: every,
            50: {POT: 500, ORTOOLS: 100, NETWORKX: 40},
            100: {POT: 200, ORTOOLS: 50, NETWORKX: 10},
            300: {POT: 20, ORTOOLS: 5, NETWORKX: 1},
            1000: {POT: 2, ORTOOLS: 1},
        }
    peer = peers.start("ortools", "ortools_peer.py", {}, install=PINS, create=full)
    tables, curve = gains(plan, runs, peer)
    met = [harness.Peer("networkx", nx.__version__), harness.Peer("POT", version("POT"))]
    met.append(peers.met(ORTOOLS, peer))
    if isinstance(peer, peers.Process):
        peer.__exit__()
    coarse = [0.1, 0.01]
    fine = [*coarse, 0.001]
    tables += [
        smallest_weight(
            {14: fine, 30: fine, 100: coarse} if full else {6: coarse}, "infinitesimal", runs
        ),
        smallest_weight({6: fine, 14: coarse} if full else {4: coarse}, "person", runs),
    ]
    crowds = outside.CROWDS if full else outside.CROWDS[:1]
    least, seen = programmes(crowds, runs, partial(by_libqif, create=full))
    harness.report([*tables, least], arguments.json, curves=[curve], peers=[*met, seen])


if __name__ == "__main__":
    main()
