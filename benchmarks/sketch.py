"""How fast the count mean sketches are, and what enforced noise costs.

``python -m benchmarks.sketch`` is a smoke run of some seconds; ``--full`` measures at the sizes
that the README speaks of. Every table rests on answers that were compared first: estimates with the
exact moments of the hash family that made them, sketches with each other bit for bit.

pure-ldp runs in an environment of its own (`benchmarks.pure_ldp`), which ``--full`` makes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import binom

from benchmarks import harness, oracles
from benchmarks.frequencies import (
    CHUNK,
    EPSILON,
    HASHES,
    LEVEL,
    SCHEMES,
    SEED,
    WIDTH,
    Estimates,
    agreement,
    chunk,
    chunk_counts,
    chunks,
    recorded,
    scheme_of,
    workload,
)  # fmt: skip
from benchmarks.peers import label, met
from benchmarks.pure_ldp import PEER, Peer, start
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hashing import TabulationFamily

AT_LEAST = {"CMS": 25.0, "HCMS": 75.0}  # times faster than the peer


@dataclass
class Bounds:
    """What the full run must reach; misses are reported after everything was measured."""

    judged: bool
    missed: list[str] = field(default_factory=list)

    def check(self, text: str, *, met: bool) -> str:
        """Return a remark for a note."""
        if not self.judged:
            return f"{text}: not judged in a smoke run"
        if not met:
            self.missed.append(text)
        return f"{text}: {'met' if met else 'MISSED'}"


def report_path(
    n: int, runs: int, repeats: int, bounds: Bounds, *, install: bool
) -> tuple[list[harness.Table], harness.Peer]:
    """Client, server and 43 estimates: ours on three kinds of input, and pure-ldp."""
    counts = workload(n)
    names = list(counts)
    codes = np.repeat(np.arange(len(names)), list(counts.values()))
    np.random.default_rng(SEED).shuffle(codes)
    work = {
        "seed": SEED, "epsilon": EPSILON, "hashes": HASHES, "width": WIDTH,
        "runs": harness.OFTEN * runs + 1, "items": names, "codes": codes.tolist(),
    }  # fmt: skip
    strings = np.array(names)[codes]
    inputs: dict[str, tuple[Any, Any]] = {
        "privlib, array of int": (codes, np.arange(len(names))),
        "privlib, array of str": (strings, names),
        "privlib, list of str": (strings.tolist(), names),
    }
    peer = start(work, install=install)
    with ExitStack() as stack:
        if isinstance(peer, Peer):
            stack.enter_context(peer)
        tables = [
            _report_path(kind, counts, inputs, runs, repeats, peer, bounds) for kind in SCHEMES
        ]
        return tables, met(PEER, peer)


def _report_path(
    kind: Any,
    counts: Mapping[str, int],
    inputs: Mapping[str, tuple[Any, Any]],
    runs: int,
    repeats: int,
    peer: Peer | str,
    bounds: Bounds,
) -> harness.Table:
    scheme, rng, n = scheme_of(kind), np.random.default_rng(SEED), sum(counts.values())
    start = time.perf_counter()
    TabulationFamily(HASHES, WIDTH, seed=SEED + 1 + SCHEMES.index(kind)).positions(["A1"])
    tables = time.perf_counter() - start

    def ours(users: Any, asked: Any) -> Any:
        return scheme.aggregate(scheme.privatize(users, rng)).estimate(asked)

    first = next(iter(inputs))
    calls: dict[str, Callable[[], Any]] = {
        name: partial(ours, *both) for name, both in inputs.items()
    }
    judges = {
        name: (scheme, counts if isinstance(asked, list) else dict(enumerate(counts.values())))
        for name, (_, asked) in inputs.items()
    }
    theirs = label(PEER, peer)
    clocks: dict[str, Callable[[], float]] = {}
    failed: dict[str, str] = {}
    if isinstance(peer, Peer):
        calls[theirs], clocks[theirs] = partial(peer.estimates, kind.name), peer.clock
        judges[theirs] = kind.with_family(EPSILON, peer.family), counts
    else:
        failed[PEER] = peer
    estimates: dict[str, Estimates] = {name: [] for name in calls}
    timings, _ = harness.compare(
        {name: recorded(call, estimates[name]) for name, call in calls.items()},
        runs=runs, clocks=clocks, failed=failed,
    )  # fmt: skip
    rows: list[list[Any]] = []
    for name, timing in timings.items():
        if name != theirs:  # more of what is cheap, for a check with power
            estimates[name] += [calls[name]() for _ in range(repeats)]
        if theirs in timings:
            ratios: list[Any] = list(harness.ratio(timings[theirs], timing))
        else:
            ratios = ["-"] * 3
        judged = agreement(*judges[name], estimates[name])
        rows.append([name, timing.median, timing.spread, *ratios, len(estimates[name]), *judged])
    note = f"the tables of the hash family are drawn once, in {tables:.2g} s, and not counted; "
    if theirs in timings:
        note += f"{theirs} takes its own time, without the passing of its answers; "
        least, bound = min(row[3] for row in rows[:2]), AT_LEAST[kind.name]
        text = f"{kind.name} on arrays at least {bound:g} times as fast as {theirs} ({least:.1f})"
        note += bounds.check(text, met=least >= bound)
    else:
        rows += [[name, *["-"] * 8] for name in failed]
        note = note.removesuffix("; ") + harness.left_out(failed)
    return harness.Table(
        f"Report path, {kind.name}, {n:,} users, 43 items, k = {HASHES}, m = {WIDTH}, "
        f"epsilon = {EPSILON:g}, {harness.alternating(runs)}",
        ["", "median s", "spread", "pure-ldp / this", "lowest", "highest",
         "estimates", "p means", "p runs"],
        rows, note,
        f"{n / timings[first].median / 1e6:.3g} million users a second; own time by function: "
        + harness.hot_spots(calls[first]),
    )  # fmt: skip


def simulation(sizes: list[int], runs: int) -> tuple[harness.Table, harness.Curve]:
    """The sketch of n users without their reports."""
    rows, seconds = [], []
    rng = np.random.default_rng(SEED)
    schemes = {kind.name: scheme_of(kind) for kind in SCHEMES}
    for n in sizes:
        counts = workload(n)
        estimates: dict[str, Estimates] = {name: [] for name in schemes}

        def draw(scheme: Any, counts: dict[str, int] = counts) -> Any:
            sketch = scheme.simulate(counts, rng)
            assert sketch.n == sum(counts.values())
            return sketch.estimate(list(counts))

        timings, _ = harness.compare(
            {name: recorded(partial(draw, s), estimates[name]) for name, s in schemes.items()},
            runs=runs,
        )
        row: list[Any] = [n]
        for name, scheme in schemes.items():
            judged = agreement(scheme, counts, estimates[name])
            row += [timings[name].median, timings[name].spread, *judged]
        rows.append(row)
        seconds.append([timings[name].median for name in schemes])
    last = zip(schemes, seconds[0], seconds[-1])
    growth = ", ".join(f"{name} {late / early:.2f}" for name, early, late in last)
    lines = [harness.Series(name, sizes, times) for name, times in zip(schemes, zip(*seconds))]
    table = harness.Table(
        f"Simulated sketches and 43 estimates, {harness.alternating(runs)}",
        ["n"]
        + [f"{name} {what}" for name in schemes for what in ("s", "spread", "p means", "p runs")],
        rows,
        f"time at n = {sizes[-1]:,} over time at n = {sizes[0]:,}: {growth}; every estimate has "
        "the exact mean and variance",
        f"numpy draws a binomial number in {binomial_times(rng)}; HCMS draws {2 * WIDTH} of them "
        f"at each of {WIDTH.bit_length() - 1} levels in each of {HASHES} rows; "
        f"own time by function at n = {sizes[-1]:,}: "
        + harness.hot_spots(partial(schemes["HCMS"].simulate, workload(sizes[-1]), rng)),
    )
    return table, harness.Curve("Simulated sketches", "users", "seconds", lines)


def binomial_times(rng: np.random.Generator, number: int = 20_000) -> str:
    """Say how long a binomial draw takes, by its mean."""
    means = (1, 25, 10**6)
    calls = {m: partial(rng.binomial, 4 * m, 0.25, number) for m in means}
    timings, _ = harness.compare({f"{m:,}": call for m, call in calls.items()})
    each = (f"{1e9 * t.median / number:.3g} ns (mean {m})" for m, t in timings.items())
    return ", ".join(each)


def agreement_of_chunks(sketch: Sketch, number: int) -> list[float]:
    """Check one sketch of all chunks."""
    counts = {item: number * count for item, count in chunk_counts().items()}
    assert sketch.n == number * CHUNK
    return agreement(sketch.scheme, counts, [sketch.estimate(list(counts))])


def stream(number: int) -> dict[str, Any]:
    """Make and aggregate reports chunk by chunk; for a process of its own."""
    scheme = scheme_of(HadamardCountMeanSketch)
    start = time.perf_counter()
    sketch = scheme.aggregate(chunks(scheme, number))
    seconds, memory = time.perf_counter() - start, harness.peak_memory()
    p, _ = agreement_of_chunks(sketch, number)  # one run: both p are the same
    where = harness.hot_spots(lambda: scheme.aggregate(chunk(scheme, 0)))
    return {"seconds": seconds, "memory": memory / harness.GIB, "p": p, "where": where}


def memory_use(number: int, runs: int, bounds: Bounds) -> harness.Table:
    """Peak memory of a server that reads chunks, every run in a process of its own."""
    results = [
        harness.in_subprocess("benchmarks.sketch", "--stream", str(number)) for _ in range(runs)
    ]
    timing = harness.Timing.of([result["seconds"] for result in results])
    memory = max(result["memory"] for result in results)
    last = results[-1]
    return harness.Table(
        f"HCMS reports made and aggregated in chunks of {CHUNK:,}, {runs} runs",
        ["reports", "median s", "spread", "peak GiB", "p"],
        [[number * CHUNK, timing.median, timing.spread, memory, last["p"]]],
        "peak memory is the whole process, interpreter and libraries included; "
        + bounds.check("less than 1 GiB", met=memory < 1),
        f"{number * CHUNK / timing.median / 1e6:.3g} million reports a second in one process, "
        f"their making included; own time by function: {last['where']}",
    )


@contextmanager
def _environment() -> Iterator[None]:
    """Leave the environment variables as they were."""
    kept = dict(os.environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def of_workers(number: int) -> str:
    """Say how many."""
    return f"{number} worker{'s' * (number > 1)}"


def dask_workers(
    number: int, runs: int, workers: Sequence[int]
) -> tuple[harness.Table, harness.Curve]:
    """The same sketch by Dask on worker processes, equal bit for bit."""
    import distributed as dask_distributed
    from dask.delayed import delayed

    from privlib.sketch import distributed

    Client: Any = dask_distributed.Client
    LocalCluster: Any = dask_distributed.LocalCluster
    make = delayed(chunk, pure=False)
    rows: list[list[Any]] = []
    lines, gains = [], []
    with ExitStack() as stack:
        stack.enter_context(_environment())  # Dask limits the threads of its children in ours
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        clients = []
        for size in workers:
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=size, threads_per_worker=1, processes=True, host="127.0.0.1",
                    dashboard_address="127.0.0.1:0", local_directory=folder,
                )
            )  # fmt: skip
            clients.append(stack.enter_context(Client(cluster, set_as_default=False)))

        def by_dask(client: Any, scheme: Any) -> Sketch:
            with client.as_current():
                return distributed.aggregate(scheme, [make(scheme, i) for i in range(number)])

        for kind in SCHEMES:
            scheme = scheme_of(kind)
            name = f"{kind.name}, "
            alone = f"{name}no Dask"
            named = {f"{name}{of_workers(w)}": c for w, c in zip(workers, clients)}
            calls = {who: partial(by_dask, client, scheme) for who, client in named.items()}
            calls[alone] = partial(lambda s: s.aggregate(chunks(s, number)), scheme)
            timings, answers = harness.compare(calls, runs=runs)
            assert all(answer == answers[alone] for answer in answers.values())
            agreement_of_chunks(answers[alone], number)
            one = next(iter(named))
            rows += [
                [who, timing.median, timing.spread, *harness.ratio(timings[one], timing)]
                for who, timing in timings.items()
            ]
            times = [timings[who].median for who in named]
            lines.append(harness.Series(kind.name, list(workers), times))
            work, with_dask = (1000 * timings[who].median / number for who in (alone, one))
            gains.append(
                f"{kind.name}: {with_dask:.3g} ms a partition on {of_workers(workers[0])}, "
                f"{work:.3g} ms without Dask, {of_workers(workers[-1])} "
                f"{times[0] / times[-1]:.2f} times as fast as {workers[0]}"
            )
    table = harness.Table(
        f"Dask, {number * CHUNK:,} reports made and aggregated on worker processes, "
        f"{number} partitions, {harness.alternating(runs)}",
        ["", "median s", "spread", f"{of_workers(workers[0])} / this", "lowest", "highest"],
        rows,
        "all sketches of a scheme are equal bit for bit; starting the workers is not counted",
        f"what Dask itself costs a partition; {'; '.join(gains)}",
    )
    return table, harness.Curve("Dask: reports on worker processes", "workers", "seconds", lines)


def _kept(scheme: Any, item: str, report: Any) -> int:
    """Number of signs of a report that the noise left alone, from the definition of the codes."""
    row, *column, signs = (int(x[0]) if x.ndim == 1 else x[0] for x in scheme.unpack(report))
    position = int(scheme.family.positions([item])[0, row])
    if column:
        return int(signs == (-1) ** (column[0] & position).bit_count())
    return int(np.count_nonzero(signs == np.where(np.arange(scheme.width) == position, 1, -1)))


def _refuses(protocol: Any, item: str) -> None:
    """A changed last byte of a proof must be noticed."""
    from privlib.sketch import verifiable

    client = verifiable.Client(protocol, b"forged")
    server = verifiable.Server(protocol)
    response = client.respond(server.challenge(b"forged", client.commit(item)))
    try:
        server.accept(b"forged", response[:-1] + bytes([response[-1] ^ 1]))
    except verifiable.ProofError:
        return
    raise AssertionError("a forged proof was accepted")


def verifiable_noise(sessions: int, runs: int) -> harness.Table:
    """What a report costs whose noise is proved, and a batch of oblivious transfers."""
    from privlib.sketch import verifiable
    from privlib.sketch.slots import slot_epsilon

    item, domain = "A18", list(shop_counts())
    variants: list[tuple[str, Any, int, int, int]] = [
        ("HCMS, 8 of 11", HadamardCountMeanSketch, 11, 8, sessions),
        ("HCMS, 19 of 26", HadamardCountMeanSketch, 26, 19, sessions),
        ("HCMS, 8 of 11, item committed", HadamardCountMeanSketch, 11, 8, sessions),
        ("CMS, 5 of 8", CountMeanSketch, 8, 5, 1),
    ]
    rows = []
    for name, kind, slots, true, batch in variants:
        epsilon = slot_epsilon(slots, true, bits=kind.sensitivity)
        scheme = kind(epsilon, hashes=HASHES, width=WIDTH, seed=SEED)
        bits = WIDTH if kind is CountMeanSketch else 1
        protocol = verifiable.Protocol(
            scheme, slots=slots, true=true, domain=domain if "item" in name else None
        )
        session = partial(verifiable.report, protocol, item)
        if "item" in name:
            # two commitments; row, coordinate, coin; sign and a clause an item and a slot
            size = 64 + 10 + 1 + 48 * (slots + len(domain))
        else:
            # row and coordinate; commitment, coin, sign and a clause a slot for each sign
            size = 8 + bits * (32 + 2 + 1 + 48 * slots)
            _refuses(protocol, item)
        session()  # draws tables
        seen = [session() for _ in range(runs * batch)]
        assert all(transcript.size == size for transcript in seen)
        kept = sum(_kept(scheme, item, transcript.report) for transcript in seen)
        law = binom(len(seen) * bits, true / slots)
        assert law.ppf(LEVEL) <= kept <= law.isf(LEVEL), f"{name}: {kept} signs kept"
        # A run is a batch, so that one interrupted session does not make the spread.
        seconds = np.array([t.seconds for t in seen]).reshape(runs, batch, 2).mean(axis=1)
        rows.append(_cost(name, batch, seconds, size, seen[0].exponentiations))
    rows.append(transfers(runs))
    each = [
        1000 * ms / powers for row in rows for ms, powers in ((row[2], row[7]), (row[4], row[8]))
    ]
    return harness.Table(
        f"Enforced noise, time of one report, m = {WIDTH}, {runs} runs; both sides in one process",
        ["", "reports a run", "client ms", "spread", "server ms", "spread", "bytes",
         "client exponentiations", "server exponentiations"],
        rows,
        f"kept signs within the binomial law of the slots at level {LEVEL:g}; "
        "forged proofs refused",
        "exponentiations in libsodium's group: client and server take from "
        f"{min(each):.3g} to {max(each):.3g} us for each, in all rows",
    )  # fmt: skip


def _cost(
    name: str, batch: int, seconds: npt.ArrayLike, size: int, powers: tuple[int, int]
) -> list[Any]:
    sides = [harness.Timing.of(side) for side in np.asarray(seconds).T.tolist()]
    times = [value for side in sides for value in (1000 * side.median, side.spread)]
    return [name, batch, *times, size, *powers]


def transfers(runs: int, batch: int = WIDTH) -> list[Any]:
    """A batch of 1-of-2 transfers under one key of the sender, who is the client."""
    from privlib.sketch import transfer
    from privlib.sketch._group import Meter

    choices = np.random.default_rng(SEED).integers(2, size=batch).tolist()
    seconds = []
    for _ in range(runs):
        client, server = Meter(), Meter()
        with client.measure():
            sender = transfer.Sender()
        size = len(sender.first)
        for i, choice in enumerate(choices):
            with server.measure():
                receiver = transfer.Receiver(sender.first, i, choice=choice)
            messages = [bytes([slot, i]).ljust(transfer.PAYLOAD) for slot in range(2)]
            with client.measure():
                offers = sender.offer(receiver.second, i, messages=messages)
            with server.measure():
                opened = receiver.open(offers)
            assert opened == messages[choice]
            size += len(receiver.second) + len(offers)
        assert size == 32 + batch * (32 + 2 * transfer.PAYLOAD)
        seconds.append((client.seconds, server.seconds))
    powers = client.exponentiations, server.exponentiations
    return _cost(f"oblivious transfer 1 of 2, batch of {batch}", 1, seconds, size, powers)


def main() -> None:
    parser = harness.parser("sketch", __doc__)
    parser.add_argument("--stream", type=int, metavar="CHUNKS", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.stream is not None:
        print(json.dumps(stream(arguments.stream)))
        return
    full, runs = arguments.full, arguments.runs
    bounds = Bounds(judged=full)
    number = 10**7 // CHUNK if full else 4
    paths, peer = report_path(10**5 if full else 10**4, runs, 20 * runs, bounds, install=full)
    errors, peers = oracles.accuracy(10**4 if full else 10**3, 20 if full else 3, install=full)
    simulated, growth = simulation([10**i for i in range(3, 10)] if full else [10**3, 10**9], runs)
    workers = sorted({1, 2, os.cpu_count() or 1}) if full else [2]
    shared, scaling = dask_workers(number, runs if full else 1, workers)
    tables = [
        *paths,
        errors,
        simulated,
        memory_use(number, runs if full else 1, bounds),
        shared,
        verifiable_noise(40 if full else 20, runs if full else 1),
    ]
    peers = [p for p in peers if p.name != peer.name] + [peer]
    harness.report(tables, arguments.json, curves=[growth, scaling], peers=peers)
    if bounds.missed:
        sys.exit("missed: " + "; ".join(bounds.missed))


if __name__ == "__main__":
    main()
