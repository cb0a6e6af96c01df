"""Fair timing: alternating runs, medians with their spread, and a check that both sides agree.

A comparison that does not also compare the answers measures nothing, so `compare` returns what
every contestant computed, and the caller asserts.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any, cast

import numpy as np
import scipy

GIB = 2**30
SHORT, OFTEN = 0.05, 5  # seconds below which a call runs so many times as often
UNSTEADY = 0.2  # a spread above it is marked
MARK = "†"
REMARK = f"{MARK} spread above a fifth: the machine was busy or the call is short"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def parser(part: str, description: str | None) -> argparse.ArgumentParser:
    """Return the command line that every benchmark has; note the machine before anything runs."""
    machine()
    options = argparse.ArgumentParser(prog=f"python -m benchmarks.{part}", description=description)
    options.add_argument("--full", action="store_true", help="the published sizes (minutes)")
    options.add_argument("--json", type=Path, metavar="FILE", help="also write the report here")
    options.add_argument("--runs", type=int, default=5, help="runs of each measurement")
    return options


@dataclass(frozen=True)
class Timing:
    """Wall-clock seconds of several runs."""

    median: float
    fastest: float
    slowest: float
    runs: int
    each: tuple[float, ...] = ()

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        """Summarise the times of single runs."""
        return cls(median(seconds), min(seconds), max(seconds), len(seconds), tuple(seconds))

    @property
    def spread(self) -> float:
        """Range over median."""
        return (self.slowest - self.fastest) / self.median


@dataclass(frozen=True)
class Table:
    """One result: a title, named columns, rows of numbers and words.

    `note` says what was checked, `limit` what limits the speed, with the number that shows it.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    limit: str = ""


@dataclass(frozen=True)
class Series:
    """One line of a curve, with its slope on the two log axes (``None``: not fitted)."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    exponent: float | None = None

    @classmethod
    def fitted(cls, name: str, x: Sequence[float], y: Sequence[float]) -> Series:
        """Return the series with its exponent, by least squares."""
        return cls(name, list(x), list(y), fitted_exponent(x, y))

    @property
    def growth(self) -> str:
        """The exponent in words, with that of the last step: lines that bend do not hide it."""
        last = fitted_exponent(self.x[-2:], self.y[-2:])
        return f"{self.exponent:.2f} over all sizes, {last:.2f} in the last step"


@dataclass(frozen=True)
class Curve:
    """What grows with what, on log axes."""

    title: str
    x: str
    y: str
    series: Sequence[Series]


@dataclass(frozen=True)
class Peer:
    """Other software that a benchmark met, or the error that it met instead."""

    name: str
    version: str = ""
    error: str = ""


class PeerUnavailableError(RuntimeError):
    """A peer is not at hand, could not be installed, or stopped."""


def compare(
    contestants: Mapping[str, Callable[[], Any]],
    *,
    runs: int = 5,
    often: int = OFTEN,
    clocks: Mapping[str, Callable[[], float]] | None = None,
    failed: dict[str, str] | None = None,
) -> tuple[dict[str, Timing], dict[str, Any]]:
    """Time each callable `runs` times in turn, after one run that does not count.

    Alternating spreads a slow minute of the machine over all contestants. Those that
    take less than `SHORT` run `often` times in each turn.

    `clocks` says how long the last call of a contestant took, by its own clock. A peer that stops
    is left out of both answers, and what it said stands in `failed`; without `failed` it raises.
    """
    clocks = clocks or {}
    answers: dict[str, Any] = {}
    seconds: dict[str, list[float]] = {name: [] for name in contestants}

    def turn(name: str) -> float:
        start = time.perf_counter()
        answer = contestants[name]()
        taken = time.perf_counter() - start
        answers.setdefault(name, answer)
        return clocks[name]() if name in clocks else taken

    def turns(names: Sequence[str], *, counted: bool = True) -> None:
        for name in names:
            if failed is not None and name in failed:
                continue
            try:
                taken = turn(name)
            except PeerUnavailableError as error:
                if failed is None:
                    raise
                failed[name] = str(error)
            else:
                seconds[name] += [taken] * counted

    everybody = list(contestants)
    turns(everybody, counted=False)
    short: list[str] = []
    for k in range(runs):
        turns(everybody)
        if not k:
            short = [name for name, times in seconds.items() if times and times[0] < SHORT]
        for _ in range(often - 1):
            turns(short)
    there = [name for name in contestants if failed is None or name not in failed]
    return {n: Timing.of(seconds[n]) for n in there}, {n: answers[n] for n in there}


def alternating(runs: int) -> str:
    """Say in a title how often `compare` runs what."""
    return f"{runs} alternating runs, {OFTEN * runs} if short"


def left_out(failed: Mapping[str, str]) -> str:
    """Say in a note which peers stopped."""
    return "".join(f"; {name} not measured: {said}" for name, said in failed.items())


RATIO_COLUMNS = ("", "median s", "spread", "this / ours", "lowest", "highest")


def ratio(this: Timing, ours: Timing) -> list[float]:
    """Median, lowest and highest ratio of the runs of two contestants, paired as they alternated.

    Above 1: `ours` is faster. Where one ran several times a turn, the median of the turn counts.

    Raises
    ------
    ValueError
        If one did not run, or not a whole number of times as often as the other.
    """
    numbers = len(this.each), len(ours.each)
    least = min(numbers)
    if not least or max(numbers) % least:
        raise ValueError(f"ratio: {numbers[0]} and {numbers[1]} runs do not pair up")
    first, second = (
        [median(x.each[k : k + len(x.each) // least])
         for k in range(0, len(x.each), len(x.each) // least)]
        for x in (this, ours)
    )  # fmt: skip
    pairs = [a / b for a, b in zip(first, second)]
    return [median(pairs), min(pairs), max(pairs)]


def ratio_rows(timings: Mapping[str, Timing], ours: str) -> list[list[Any]]:
    """Rows for `RATIO_COLUMNS`: how many times as long as `ours` does each contestant take."""
    return [
        [name, timing.median, timing.spread, *ratio(timing, timings[ours])]
        for name, timing in timings.items()
    ]


def fitted_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Slope of log seconds against log size, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def peak_memory() -> int:
    """Return the largest resident set of this process so far, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss of a child starts at what its parent had when it forked
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def in_subprocess(module: str, *arguments: str) -> Any:
    """Run ``python -m module arguments`` and parse the JSON that it prints; own peak memory."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(f"{module} {' '.join(arguments)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def _processor() -> str:
    """Return the name of the processor, where the system tells it."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]} ({platform.machine()})" if names else platform.machine()


@cache
def machine() -> dict[str, Any]:
    """Return what the timings depend on, as it was at the first call."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": {name: os.environ[name] for name in THREADS if name in os.environ},
        "system": platform.system(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
    }


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def unsteady(column: str, value: Any) -> bool:
    """Whether a cell is a spread above `UNSTEADY`."""
    return column.endswith("spread") and isinstance(value, float) and value > UNSTEADY


def render(table: Table) -> str:
    """Return the table as aligned text."""
    marked = [[unsteady(c, v) for c, v in zip(table.columns, row)] for row in table.rows]
    cells = [
        [_cell(value) + f" {MARK}" * mark for value, mark in zip(row, marks)]
        for row, marks in zip(table.rows, marked)
    ]
    lines = [list(table.columns), *cells]
    widths = [max(map(len, column)) for column in zip(*lines)]
    body = [
        "  ".join([line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:]))])
        for line in lines
    ]
    busy = REMARK if any(map(any, marked)) else ""
    remarks = filter(None, [busy, table.note, table.limit and f"limit: {table.limit}"])
    return "\n".join([table.title, *(f"  {line}" for line in body), *remarks])


def hot_spots(call: Callable[[], Any], top: int = 3, seconds: float = 0.3) -> str:
    """Where the time goes: the Python and C functions with the largest shares of their own time.

    LAPACK routines of scipy and numpy's ufuncs are counted with the function that calls them. A
    short call is repeated for some `seconds`.
    """
    profiler = cProfile.Profile()
    end = time.perf_counter() + seconds
    while True:
        profiler.runcall(call)
        if time.perf_counter() > end:
            break
    entries = profiler.getstats()
    total = sum(entry.inlinetime for entry in entries)
    largest = sorted(entries, key=lambda entry: -entry.inlinetime)[:top]
    return ", ".join(f"{_who(e.code)} {e.inlinetime / total:.0%}" for e in largest)


def _who(code: Any) -> str:
    if isinstance(code, str):
        # A C function: <built-in method scipy.f> or <method 'f' of 'numpy.ufunc' objects>.
        words = code.strip("<>").replace("'", "").removesuffix(" objects").split()
        return ".".join(reversed(words[1:])).replace(".of.", ".") if "of" in words else words[-1]
    return f"{Path(code.co_filename).stem}.{code.co_name}"


def product_rate(n: int = 1500) -> float:
    """Floating-point operations a second of a matrix product here: what arithmetic can reach."""
    A = np.random.default_rng(0).random((n, n))
    return 2 * n**3 / _best(lambda: A @ A)


def bandwidth(size: int = 2**27) -> float:
    """Bytes a second that a copy of a large array reads and writes: what memory can reach."""
    source = np.ones(size // 8)
    target = np.empty_like(source)
    return 2 * size / _best(lambda: np.copyto(target, source))


def arithmetic(what: str, flops: float, seconds: float) -> str:
    """How near work of a known size comes to a matrix product on this machine."""
    rate, best = flops / seconds, product_rate()
    bound = "arithmetic" if rate > best / 2 else "not arithmetic"
    return (
        f"{bound}: {what} are {flops / 1e9:.3g} Gflop, at {rate / 1e9:.3g} Gflop/s; a matrix "
        f"product reaches {best / 1e9:.3g} here"
    )


def traffic(what: str, volume: float, seconds: float) -> str:
    """How near work that moves a known number of bytes comes to a copy in memory."""
    rate, best = volume / seconds, bandwidth()
    return f"{what}: {rate / 1e9:.3g} GB/s; a copy of a large array reaches {best / 1e9:.3g} here"


def _best(call: Callable[[], Any], runs: int = 5) -> float:
    """Fastest of some runs: the rate that the machine can reach, not the usual one."""
    timings, _ = compare({"": call}, runs=runs, often=1)
    return timings[""].fastest


def report(
    tables: Sequence[Table],
    path: Path | None = None,
    *,
    curves: Sequence[Curve] = (),
    peers: Sequence[Peer] = (),
) -> None:
    """Print the tables and, if `path` is given, write all with the machine's facts as JSON."""
    facts = machine()
    print(", ".join(f"{key} {value}" for key, value in facts.items()), end="\n\n")
    print("\n\n".join(map(render, tables)))
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "machine": facts,
            "tables": [asdict(table) for table in tables],
            "curves": [drawn(curve, path.with_name(f"{path.stem}-{k}.svg"))
                       for k, curve in enumerate(curves)],
            "peers": [asdict(peer) for peer in peers],
        }  # fmt: skip
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def drawn(curve: Curve, path: Path) -> dict[str, Any]:
    """Draw a curve into an SVG file, the same bytes for the same numbers; return it as plain data.

    The data name the file and say in words what it shows, first and last point of each line.
    """
    from matplotlib import rc_context  # slow to import, and only reports with curves need it
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator

    from privlib.kit import plots

    labels = [
        line.name + ("" if line.exponent is None else f", exponent {line.exponent:.2f}")
        for line in curve.series
    ]
    with rc_context(cast("Any", plots.STYLE)):
        figure = Figure(figsize=(7.0, 3.2))
        ax = figure.add_subplot()
        for line, label, marker in zip(curve.series, labels, cycle("osD^vP")):
            ax.plot(line.x, line.y, marker=marker, label=label)
        ax.set(xscale="log", yscale="log", xlabel=curve.x, ylabel=curve.y)
        sizes = sorted({x for line in curve.series for x in line.x})
        if max(sizes) < 1e5:  # few and near each other: powers of ten alone would say little
            ax.set_xticks(sizes, [f"{x:,}" for x in sizes])
            ax.xaxis.set_minor_locator(NullLocator())
        ax.legend()
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    lines = [
        f"{label}: from {s.y[0]:.3g} at {s.x[0]:,} to {s.y[-1]:.3g} at {s.x[-1]:,}"
        for label, s in zip(labels, curve.series)
    ]
    words = f"{curve.y} against {curve.x}, both axes logarithmic. {'; '.join(lines)}."
    return {**asdict(curve), "file": path.name, "words": words}
