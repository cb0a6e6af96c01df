"""How fast the count mean sketches are, and what enforced noise costs.

``python -m benchmarks.sketch`` is a smoke run of some seconds; ``--full`` measures at the sizes
that the README speaks of. Every table rests on answers that were compared first: estimates with the
exact moments of the hash family that made them, sketches with each other bit for bit.

pure-ldp runs in an environment of its own, which ``--full`` makes in the per-user cache;
``PRIVLIB_PURE_LDP`` may name the Python of an existing one.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.stats import binom, chi2

from benchmarks import harness
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hashing import ExplicitFamily, TabulationFamily

SEED = 1
EPSILON, HASHES, WIDTH = 1.0, 1024, 128
SCHEMES: tuple[type[CountMeanSketch | HadamardCountMeanSketch], ...] = (
    CountMeanSketch,
    HadamardCountMeanSketch,
)
LEVEL = 1e-5  # p-values below it, or above one minus it, are disagreements
CHUNK = 250_000
PEER = "pure-ldp 1.2.0"
PINS = ("pure-ldp==1.2.0", "numpy==2.2.6", "xxhash==3.8.2", "scikit-learn", "statsmodels")
AT_LEAST = {"CMS": 25.0, "HCMS": 75.0}  # times faster than the peer

Estimates = list[npt.NDArray[np.float64]]


class PeerUnavailableError(RuntimeError):
    """pure-ldp is not at hand and could not be installed."""


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


def scheme_of(kind: type[CountMeanSketch | HadamardCountMeanSketch]) -> Any:
    return kind(EPSILON, hashes=HASHES, width=WIDTH, seed=SEED)


def workload(n: int) -> dict[str, int]:
    """Draw n users with the shares of the 43 shop items."""
    shop = shop_counts()
    shares = np.array(list(shop.values())) / sum(shop.values())
    drawn = np.random.default_rng(SEED).multinomial(n, shares)
    return dict(zip(shop, drawn.tolist()))


def agreement(scheme: Any, counts: Mapping[Any, int], estimates: Estimates) -> list[float]:
    """Compare estimates of several runs with the exact moments of this family.

    Returns the p-values of two chi-squares: of the means (a wrong mean shows) and of all runs (a
    wrong variance shows). Estimates of two items correlate by about 1/m only, which the chi-squares
    do not feel.
    """
    moments = scheme.moments(counts)
    z = (np.array(estimates) - moments.mean) / moments.sd
    means = z.mean(axis=0) * math.sqrt(len(z))
    centre, spread = (float(chi2.sf((x**2).sum(), x.size)) for x in (means, z))
    if not (LEVEL < centre < 1 - LEVEL and LEVEL < spread < 1 - LEVEL):
        raise AssertionError(
            f"estimates of {scheme!r} disagree with their exact moments: "
            f"p = {centre:.3g} of the means, {spread:.3g} of all runs"
        )
    return [centre, spread]


class Peer:
    """A process that runs pure-ldp on a workload, as often as it is told."""

    def __init__(self, python: Path, work: Mapping[str, Any]) -> None:
        self.family: Any = None
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed with the process)
        self._process = subprocess.Popen(
            [str(python), "-I", str(Path(__file__).with_name("pure_ldp_peer.py"))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True,
        )  # fmt: skip
        ready = self._ask(json.dumps(work))
        if ready["packages"]["pure-ldp"] != PEER.split()[1]:
            self.__exit__()
            raise PeerUnavailableError(f"{python} has pure-ldp {ready['packages']['pure-ldp']}")
        self.packages = ", ".join(f"{name} {number}" for name, number in ready["packages"].items())
        self.family = ExplicitFamily(dict(zip(work["items"], ready["positions"])), WIDTH)

    def _ask(self, line: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(line, file=self._process.stdin, flush=True)
            return json.loads(self._process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError) as error:
            self._process.kill()
            self._process.wait()
            self._errors.seek(0)
            said = self._errors.read().strip().splitlines() or ["no message"]
            self.__exit__()
            raise PeerUnavailableError(f"it does not run: {said[-1]}") from error

    def run(self, name: str) -> npt.NDArray[np.float64]:
        """Return the estimates of one run."""
        return np.array(self._ask(name))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # closes its input, so its loop over lines ends
        self._errors.close()


def peer_python(*, install: bool) -> Path:
    """Return the Python of pure-ldp's environment, which is made on demand."""
    given = os.environ.get("PRIVLIB_PURE_LDP")
    if given:
        if not Path(given).is_file():
            raise PeerUnavailableError(f"PRIVLIB_PURE_LDP names no file: {given}")
        return Path(given)
    import pooch

    home = Path(pooch.os_cache("privlib")) / "pure-ldp-1.2.0"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = home / ".ready"
    if ready.exists():
        return python
    if not install:
        raise PeerUnavailableError("no environment yet; --full makes it")
    venv.create(home, with_pip=True, clear=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINS]
    done = subprocess.run(pip, check=False, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        raise PeerUnavailableError(f"it does not install: {said[-1]}")
    ready.touch()
    return python


def start_peer(work: Mapping[str, Any], *, install: bool) -> Peer | str:
    """Return the running peer, or why there is none."""
    try:
        return Peer(peer_python(install=install), work)
    except (PeerUnavailableError, OSError, subprocess.SubprocessError) as error:
        return str(error)


def recorded(call: Callable[[], Any], into: Estimates) -> Callable[[], Any]:
    """Keep what each run returns."""

    def run() -> None:
        into.append(call())

    return run


def report_path(
    n: int, runs: int, repeats: int, bounds: Bounds, *, install: bool
) -> list[harness.Table]:
    """Client, server and 43 estimates: ours on three kinds of input, and pure-ldp."""
    counts = workload(n)
    names = list(counts)
    codes = np.repeat(np.arange(len(names)), list(counts.values()))
    np.random.default_rng(SEED).shuffle(codes)
    work = {
        "seed": SEED, "epsilon": EPSILON, "hashes": HASHES, "width": WIDTH, "runs": runs + 1,
        "items": names, "codes": codes.tolist(),
    }  # fmt: skip
    strings = np.array(names)[codes]
    inputs: dict[str, tuple[Any, Any]] = {
        "privlib, array of int": (codes, np.arange(len(names))),
        "privlib, array of str": (strings, names),
        "privlib, list of str": (strings.tolist(), names),
    }
    peer = start_peer(work, install=install)
    with ExitStack() as stack:
        if isinstance(peer, Peer):
            stack.enter_context(peer)
        return [_report_path(kind, counts, inputs, runs, repeats, peer, bounds) for kind in SCHEMES]


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
    TabulationFamily(HASHES, WIDTH, SEED + 1 + SCHEMES.index(kind)).positions(["A1"])
    tables = time.perf_counter() - start

    def ours(users: Any, asked: Any) -> Any:
        return scheme.aggregate(scheme.privatize(users, rng)).estimate(asked)

    calls: dict[str, Callable[[], Any]] = {
        name: partial(ours, *both) for name, both in inputs.items()
    }
    judges = {
        name: (scheme, counts if isinstance(asked, list) else dict(enumerate(counts.values())))
        for name, (_, asked) in inputs.items()
    }
    if isinstance(peer, Peer):
        calls[PEER] = partial(peer.run, kind.name)
        judges[PEER] = kind.with_family(EPSILON, peer.family), counts
    estimates: dict[str, Estimates] = {name: [] for name in calls}
    timings, _ = harness.compare(
        {name: recorded(call, estimates[name]) for name, call in calls.items()}, runs=runs
    )
    rows: list[list[Any]] = []
    for name, timing in timings.items():
        if name != PEER:  # more of what is cheap, for a check with power
            estimates[name] += [calls[name]() for _ in range(repeats)]
        if PEER in timings:
            other = timings[PEER]
            ratios: list[Any] = [
                other.median / timing.median,
                other.fastest / timing.slowest,
                other.slowest / timing.fastest,
            ]
        else:
            ratios = ["-"] * 3
        judged = agreement(*judges[name], estimates[name])
        rows.append([name, timing.median, timing.spread, *ratios, len(estimates[name]), *judged])
    note = f"the tables of the hash family are drawn once, in {tables:.2g} s, and not counted; "
    if isinstance(peer, Peer):
        least, bound = min(row[3] for row in rows[:2]), AT_LEAST[kind.name]
        text = f"{kind.name} on arrays at least {bound:g} times as fast as {PEER} ({least:.1f})"
        note += f"{bounds.check(text, met=least >= bound)}; peer: {peer.packages}"
    else:
        rows.append([PEER, *["-"] * 8])
        note += f"{PEER} not measured: {peer}"
    return harness.Table(
        f"Report path, {kind.name}, {n:,} users, 43 items, k = {HASHES}, m = {WIDTH}, "
        f"epsilon = {EPSILON:g}, {runs} alternating runs",
        ["", "median s", "spread", "pure-ldp / this", "at least", "at most",
         "estimates", "p means", "p runs"],
        rows, note,
    )  # fmt: skip


def simulation(sizes: list[int], runs: int) -> harness.Table:
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
    return harness.Table(
        f"Simulated sketches and 43 estimates, {runs} alternating runs",
        ["n"]
        + [f"{name} {what}" for name in schemes for what in ("s", "spread", "p means", "p runs")],
        rows,
        f"time at n = {sizes[-1]:,} over time at n = {sizes[0]:,}: {growth}",
    )


def chunk_counts() -> dict[int, int]:
    return dict(enumerate(workload(CHUNK).values()))


def chunk(scheme: Any, seed: int) -> Any:
    """Reports of the users of one chunk, from its own seed wherever it is made."""
    counts = chunk_counts()
    users = np.repeat(np.fromiter(counts, int), np.fromiter(counts.values(), int))
    return scheme.privatize(users, np.random.default_rng([SEED, seed]))


def chunks(scheme: Any, number: int) -> Iterable[Any]:
    return (chunk(scheme, seed) for seed in range(number))


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
    return {"seconds": seconds, "memory": memory / harness.GIB, "p": p}


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
    )


def dask_workers(number: int, runs: int) -> harness.Table:
    """The same sketch by Dask on worker processes, equal bit for bit."""
    import distributed as dask_distributed
    from dask.delayed import delayed

    from privlib.sketch import distributed

    Client: Any = dask_distributed.Client
    LocalCluster: Any = dask_distributed.LocalCluster
    make = delayed(chunk, pure=False)
    rows: list[list[Any]] = []
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        clients = []
        for workers in (1, 2):
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1",
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
            alone, one, two = (name + who for who in ("no Dask", "1 worker", "2 workers"))
            timings, answers = harness.compare(
                {
                    alone: lambda s=scheme: s.aggregate(chunks(s, number)),  # type: ignore[misc]
                    one: partial(by_dask, clients[0], scheme),
                    two: partial(by_dask, clients[1], scheme),
                },
                runs=runs,
            )
            assert answers[alone] == answers[one] == answers[two]
            agreement_of_chunks(answers[alone], number)
            rows += harness.comparison_rows(timings, one)
    return harness.Table(
        f"Dask, {number * CHUNK:,} reports made and aggregated on worker processes, "
        f"{number} partitions, {runs} alternating runs",
        ["", "median s", "spread", "1 worker / this"],
        rows,
        "all three sketches of a scheme are equal bit for bit; starting the workers is not counted",
    )


def _kept(scheme: Any, item: str, report: Any) -> int:
    """Number of signs of a report that the noise left alone, from the definition of the codes."""
    row, *column, signs = (int(x[0]) if x.ndim == 1 else x[0] for x in scheme.unpack(report))
    position = int(scheme.family.positions([item])[0, row])
    if column:
        return int(signs == (-1) ** (column[0] & position).bit_count())
    return int(np.count_nonzero(signs == np.where(np.arange(scheme.width) == position, 1, -1)))


def _refuses(parameters: Any, scheme: Any, item: str) -> None:
    """A changed last byte of a proof must be noticed."""
    from privlib.sketch import verifiable

    client = verifiable.Client(parameters, scheme, b"forged")
    server = verifiable.Server(parameters, scheme)
    response = client.respond(server.challenge(b"forged", client.commit(item)))
    try:
        server.accept(b"forged", response[:-1] + bytes([response[-1] ^ 1]))
    except verifiable.ProofError:
        return
    raise AssertionError("a forged proof was accepted")


def verifiable_noise(sessions: int, runs: int) -> harness.Table:
    """What a report costs whose noise is proved, and a batch of oblivious transfers."""
    from privlib.sketch import verifiable

    item, domain = "A18", list(shop_counts())
    variants: list[tuple[str, Any, int, int, int]] = [
        ("HCMS, 8 of 11", HadamardCountMeanSketch, 11, 8, sessions),
        ("HCMS, 19 of 26", HadamardCountMeanSketch, 26, 19, sessions),
        ("HCMS, 8 of 11, item committed", HadamardCountMeanSketch, 11, 8, sessions),
        ("CMS, 5 of 8", CountMeanSketch, 8, 5, 1),
    ]
    rows = []
    for name, kind, slots, true, batch in variants:
        parameters = verifiable.Parameters(slots, true)
        scheme = kind(parameters.epsilon(kind), hashes=HASHES, width=WIDTH, seed=SEED)
        bits = WIDTH if kind is CountMeanSketch else 1
        if "item" in name:
            session = partial(verifiable.item_report, parameters, scheme, item, domain)
            # two commitments; row, coordinate, coin; sign and a clause an item and a slot
            size = 64 + 10 + 1 + 48 * (slots + len(domain))
        else:
            session = partial(verifiable.report, parameters, scheme, item)
            # row and coordinate; commitment, coin, sign and a clause a slot for each sign
            size = 8 + bits * (32 + 2 + 1 + 48 * slots)
            _refuses(parameters, scheme, item)
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
    return harness.Table(
        f"Enforced noise, time of one report, m = {WIDTH}, {runs} runs; both sides in one process",
        ["", "reports a run", "client ms", "spread", "server ms", "spread", "bytes",
         "client exponentiations", "server exponentiations"],
        rows,
        f"kept signs within the binomial law of the slots at level {LEVEL:g}; "
        "forged proofs refused",
    )  # fmt: skip


def _cost(
    name: str, batch: int, seconds: npt.ArrayLike, size: int, powers: tuple[int, int]
) -> list[Any]:
    sides = [harness.Timing.of(side) for side in np.asarray(seconds).T.tolist()]
    times = [value for side in sides for value in (1000 * side.median, side.spread)]
    return [name, batch, *times, size, *powers]


def transfers(runs: int, batch: int = WIDTH) -> list[Any]:
    """A batch of 1-of-2 transfers under one key of the sender, who is the client."""
    from privlib.sketch import transfer, verifiable

    choices = np.random.default_rng(SEED).integers(2, size=batch).tolist()
    seconds = []
    for _ in range(runs):
        client, server = verifiable.Meter(), verifiable.Meter()
        sender = client(transfer.Sender)
        size = len(sender.first)
        for i, choice in enumerate(choices):
            receiver = server(transfer.Receiver, sender.first, i, choice=choice)
            messages = [bytes([slot, i]).ljust(transfer.PAYLOAD) for slot in range(2)]
            offers = client(sender.offer, receiver.second, i, messages)
            assert server(receiver.open, offers) == messages[choice]
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
    again = 2 * runs + 1 if full else runs  # milliseconds want more runs for a steady median
    tables = [
        *report_path(10**5 if full else 10**4, again, 20 * runs, bounds, install=full),
        simulation([10**i for i in range(3, 10)] if full else [10**3, 10**6, 10**9], runs),
        memory_use(number, runs if full else 1, bounds),
        dask_workers(number, runs if full else 1),
        verifiable_noise(40 if full else 20, runs if full else 1),
    ]
    harness.report(tables, arguments.json)
    if bounds.missed:
        sys.exit("missed: " + "; ".join(bounds.missed))


if __name__ == "__main__":
    main()
