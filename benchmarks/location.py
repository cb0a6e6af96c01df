"""How fast all gains of a release are, from one solve, and the smallest weight without a grid.

``python -m benchmarks.location`` is a smoke run of some seconds; ``--full`` measures at the sizes
that the README speaks of. What a person saves is compared with solving again without her, by three
other solvers; the smallest weight with the steps of Algorithm 1.

OR-tools runs in an environment of its own (see `benchmarks.peers`).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from benchmarks import harness, peers
from privlib.location import flow, release

SEED = 1
PEOPLE = 100  # a place
SCALE = 10**9  # of costs as integers: OR-tools takes no floats, networkx may not end on them
NETWORKX, ORTOOLS, POT = f"networkx {nx.__version__}", "OR-tools 9.15.6755", "POT"
PINS = ("ortools==9.15.6755", "numpy==2.4.6", "protobuf==6.33.6")
EPSILON = 0.25
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


def ours(town: Town) -> tuple[flow.Movement, Any, float, float]:
    """Return the movement, all savings, and the seconds of both."""
    start = time.perf_counter()
    movement = flow.most_likely_movement(town.before, town.after, town.transition)
    middle = time.perf_counter()
    savings = flow.unit_savings(movement, town.transition)
    return movement, savings, middle - start, time.perf_counter() - middle


def chosen_pairs(size: int, number: int) -> Pairs:
    """Return all pairs, or as many as are asked for, drawn at random."""
    drawn = np.random.default_rng([SEED, size]).permutation(size**2)[:number]
    return [(int(k) // size, int(k) % size) for k in drawn]


def gains(
    plan: dict[int, dict[str, int]], runs: int, peer: Any
) -> tuple[list[harness.Table], harness.Curve]:
    """Time all savings by one solve and by solving again, for the pairs of the `plan`."""
    growth: list[list[Any]] = []
    rows: list[list[Any]] = []
    for size, numbers in plan.items():
        town = Town.of(size)
        others = solvers(town, peer, slow=NETWORKX in numbers)
        movement, savings, _, _ = ours(town)
        taken: dict[str, list[float]] = {name: [] for name in others}
        own: list[tuple[float, float]] = []
        for turn in range(runs + 1):  # the first one does not count
            own.append(ours(town)[2:])
            for name, (call, unit) in others.items():
                pairs = chosen_pairs(size, numbers[name])
                seconds, costs = clocked(call, pairs, name, peer)
                taken[name].append(seconds / len(pairs))
                if not turn:
                    base = call([(None, None)])[0] / unit
                    agree(town, movement, savings, pairs, base, np.array(costs) / unit)
        solve, residual, total = (
            harness.Timing.of(times) for times in zip(*((a, b, a + b) for a, b in own[1:]))
        )
        each = {name: harness.Timing.of(times[1:]) for name, times in taken.items()}
        fastest = min(each, key=lambda name: each[name].median)
        growth.append(
            [size, 1000 * solve.median, solve.spread, fastest, solve.median / each[fastest].median,
             1000 * residual.median, residual.spread, total.median]
        )  # fmt: skip
        for name, one in each.items():
            number = min(numbers[name], size**2)
            row = [size, name, number, 1000 * one.median, one.spread, one.median * size**2]
            how = "measured" if number == size**2 else "extrapolated"
            every = harness.Timing.of([seconds * size**2 for seconds in one.each])
            rows.append([*row, how, *harness.ratio(every, total)])
        missing = [name for name in (NETWORKX, ORTOOLS) if name not in others]
        rows += [[size, name, 0, *["-"] * 7] for name in missing]
    all_s = [row[7] for row in growth]
    run = max(row[0] for row in rows if row[6] == "measured")
    curve = harness.Curve(
        f"All savings; solving again is measured up to L = {run}, extrapolated beyond",
        "L",
        "seconds",
        [harness.Series.fitted("one solve and all savings", list(plan), all_s)]
        + [
            harness.Series.fitted(f"{name}, solving again", *zip(*points))
            for name in (POT, ORTOOLS, NETWORKX)
            if len(points := [(row[0], row[5]) for row in rows if row[1] == name and row[2]]) > 1
        ],
    )
    first = harness.Table(
        f"All L² savings of a person from one solve, {PEOPLE} people a place, "
        f"{runs} alternating runs",
        ["L", "solve ms", "spread", "fastest other solve", "ours / this", "savings ms", "spread",
         "all s"],
        growth, "our solve is that of POT, with checks before and after it",
        limit(growth[-1][0], growth[-1][5] / 1000),
    )  # fmt: skip
    second = harness.Table(
        f"The same savings by solving again, {runs} alternating runs",
        ["L", "", "solves a run", "ms a solve", "spread", "all L² s", "", "this / ours", "lowest",
         "highest"],
        rows, solving_again(peer),
        "the others solve L² problems where ours solves one; OR-tools scales costs, POT and "
        "networkx are network simplex methods, that of networkx in Python",
    )  # fmt: skip
    return [first, second], curve


def clocked(
    call: Callable[[Pairs], Any], pairs: Pairs, name: str, peer: Any
) -> tuple[float, list[float]]:
    """Return the seconds of a call, by the peer's own clock if it is one, and its answer."""
    start = time.perf_counter()
    answer = call(pairs)
    seconds = time.perf_counter() - start
    return (peer.seconds[-1] if name == ORTOOLS else seconds), answer


def agree(
    town: Town,
    movement: flow.Movement,
    savings: FloatArray,
    pairs: Pairs,
    base: float,
    costs: FloatArray,
) -> None:
    """Compare the cost and the savings with those of solving again, to the rounding of costs."""
    bound = town.error + 1e-11 * abs(base)
    if abs(movement.cost - base) > bound:
        raise AssertionError(f"least cost {movement.cost!r} here, {base!r} there")
    found = savings[tuple(np.array(pairs).T)]
    worst = np.abs(found - (base - costs)).max()
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
        f"that stay in the cache, take {floor / seconds:.0%} of that time; the rest is for rows "
        "that come from further away, and for the lengths and potentials before"
    )


def solving_again(peer: Any) -> str:
    """Return the note on how the others solve."""
    note = (
        "a pair's saving agrees with the difference of two costs within the rounding of costs to "
        f"1/{SCALE:.0e}; networks are built once and not counted; extrapolated: mean time of the "
        "solves that were run, times L²"
    )
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
            release.private_histogram, after, before, P, epsilon=EPSILON, unit=unit
        )  # fmt: skip
        calls: dict[str, Callable[[], Any]] = {"exact": publish}
        calls |= {f"step {step:g}": partial(publish, step=step) for step in steps}
        timings, answers = harness.compare(calls, runs=runs)
        feasible = release.feasible_intervals(after, before, P, epsilon=EPSILON, unit=unit)
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
        f"{runs} alternating runs",
        ["L", "", "median s", "spread", "weight", "gains computed", "this / exact", "lowest",
         "highest"],
        rows,
        "every weight by steps is the first one of its grid inside the exact intervals; "
        + (f"the loop is faster, and its weight larger, with {', '.join(slower)}" if slower
           else "the exact search is faster than every loop here"),
        "the loop computes a table of gains a step; the exact search solves at every breakpoint "
        f"of the costs, however many steps would do. At L = {size}: {harness.hot_spots(publish)}",
    )  # fmt: skip


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
    harness.report(tables, arguments.json, curves=[curve], peers=met)


if __name__ == "__main__":
    main()
