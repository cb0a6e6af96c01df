"""How long a reader waits: importing the package, building the book, running notebooks and tests.

``python -m benchmarks.book`` is a smoke run of some seconds; ``--full`` measures everything but
the tests, ``--tests`` the tests and nothing else (minutes). Each time stands beside its budget. A
notebook counts only if it prints what its stored outputs say.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import psutil

from benchmarks import harness
from privlib.kit.evidence import PARTS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from notebook_data import missing_data

import notebooks

ROOT = Path(__file__).resolve().parent.parent
JOBS = 2
# Budgets in seconds; that of the tests is one for the clock and one for the processor.
IMPORT, BUILD, NOTEBOOK, TESTS = 0.6, 60.0, 40.0, 720.0
COLUMNS = ("", "median s", "spread", "budget s", "verdict")
HEAVY = ("matplotlib", "plotly", "dask", "pandas", "IPython")
# What these are for is in the list, or loads it: scikit-learn loads pandas where there is one.
ON_PURPOSE = ("privlib.kit.plots", "privlib.laplace.estimators", "privlib.sketch.distributed")


def judged(name: str, timing: harness.Timing, budget: float) -> list[Any]:
    """One row of `COLUMNS`; the median decides."""
    verdict = "met" if timing.median <= budget else "missed"
    return [name, timing.median, timing.spread if timing.runs > 1 else "", budget, verdict]


def modules(folder: str) -> list[str]:
    """Public modules of a folder of the package, without those that are heavy on purpose."""
    found = sorted(p for p in (ROOT / "privlib" / folder).glob("*.py") if p.name[0] != "_")
    names = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in found]
    return [name for name in names if name not in ON_PURPOSE]


def fresh(code: str, *options: str) -> str:
    """Run code in an interpreter of its own; return what it wrote on both streams."""
    command = [sys.executable, *options, "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return done.stdout + done.stderr


def one_import(name: str) -> float:
    """Seconds of an import in a fresh interpreter, whose own start does not count."""
    seconds, *heavy = fresh(
        f"import sys, time; start = time.perf_counter(); import {name}; "
        f"print(time.perf_counter() - start, *[m for m in {HEAVY} if m in sys.modules])"
    ).split()
    assert not heavy, f"importing {name} loads {heavy}"
    return float(seconds)


def owners(module: str) -> str:
    """Which packages an import spends its time in, by the interpreter's own account."""
    own: Counter[str] = Counter()
    for line in fresh(f"import {module}", "-X", "importtime").splitlines():
        micros, _, name = line.removeprefix("import time:").split("|")
        if micros.strip().isdigit():
            own[name.strip().partition(".")[0]] += int(micros)
    for package in [p for p in own if p in sys.stdlib_module_names]:
        own["the standard library"] += own.pop(package)
    largest = own.most_common(3)
    return ", ".join(f"{name} {micros / own.total():.0%}" for name, micros in largest)


def import_time(names: Sequence[str], runs: int) -> harness.Table:
    """Time the imports in turn; one round first that does not count (it fills the file cache)."""
    rounds = [[one_import(name) for name in names] for _ in range(runs + 1)][1:]
    rows = [
        judged(name, harness.Timing.of(times), IMPORT) for name, times in zip(names, zip(*rounds))
    ]
    worst = max(rows, key=lambda row: row[1])
    return harness.Table(
        f"Import in a fresh interpreter, {runs} alternating runs",
        COLUMNS,
        rows,
        "the start of the interpreter is not counted; of each part the package and its slowest "
        f"module; none loads any of {', '.join(HEAVY)}",
        f"time of {worst[0]} by package: {owners(worst[0])}",
    )


def build(runs: int) -> harness.Table:
    """The strict book build, everything anew, into an empty folder."""
    command = [str(Path(sys.executable).parent / "jupyter-book"), "build", str(ROOT)]

    def run() -> None:
        with tempfile.TemporaryDirectory() as out:
            options = ["--path-output", out, "--all", "-W", "--keep-going", "-q"]
            done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
            assert (Path(out) / "_build/html/index.html").exists()

    timing = harness.Timing.of([_seconds(run) for _ in range(runs)])
    return harness.Table(
        f"The book, {runs} builds, warnings are errors, from the executed notebooks",
        COLUMNS,
        [judged("jupyter-book build", timing, BUILD)],
        "every page anew into an empty folder, as after a clean checkout",
    )


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def printed(notebook: Any) -> list[str]:
    """What the cells print, but for those whose output may differ between runs."""
    return [
        output.text
        for cell in notebook.cells
        if "nbval-ignore-output" not in cell.metadata.get("tags", [])
        for output in cell.get("outputs", [])
        if output.output_type == "stream"
    ]


def executed(stem: Path) -> float | str:
    """Execute a notebook, store nothing, compare what it prints with what is stored.

    Returns the seconds, or what went wrong.
    """
    try:
        again, _, seconds = notebooks.run(stem)
    except Exception as error:  # noqa: BLE001  (whatever the notebook or its kernel raised)
        return f"{stem.name} failed: {type(error).__name__}"
    stored = notebooks.read(notebooks.face(stem, ".ipynb"))
    if printed(again) != printed(stored):
        return f"{stem.name} prints something else than is stored"
    return seconds


def chapters(stems: Sequence[Path]) -> tuple[harness.Table, list[str]]:
    """Every notebook once, kernel start included, as many at a time as `make` runs.

    Returns also what went wrong.
    """
    without = [stem for stem in stems if missing_data(notebooks.face(stem, ".ipynb"))]
    missing = [f"not measured, as its data are not to be had: {stem.name}" for stem in without]
    stems = [stem for stem in stems if stem not in without]
    rows: list[list[Any]] = []
    wrong: list[str] = []
    with ProcessPoolExecutor(JOBS) as pool:
        for number, (stem, outcome) in enumerate(zip(stems, pool.map(executed, stems)), 1):
            name = stem.relative_to(ROOT / "notebooks").as_posix()
            if isinstance(outcome, str):
                wrong.append(outcome)
            else:
                rows.append(judged(name, harness.Timing.of([outcome]), NOTEBOOK))
            said = outcome if isinstance(outcome, str) else f"{outcome:.1f} s"
            print(f"book: [{number}/{len(stems)}] {name} {said}", file=sys.stderr, flush=True)
    total = f"{sum(row[1] for row in rows):.0f} s; {len(rows)} of {len(stems)} print what is stored"
    table = harness.Table(
        f"Notebooks, executed from a fresh kernel, {JOBS} at a time, once each",
        COLUMNS,
        rows,
        "; ".join([total, *missing, *wrong]),
    )
    return table, wrong


def commands() -> dict[str, str]:
    """Return what `make test` runs, by what it says before it, as make itself tells it."""
    here = [f"VENV={sys.prefix}", f"--old-file={sys.prefix}/.ready"]  # this environment, as it is
    asked = ["make", "--dry-run", "--no-print-directory", f"JOBS={JOBS}", *here, "test"]
    told = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    steps: dict[str, str] = {}
    says = ""
    for line in told.splitlines():
        if line.startswith("echo "):
            says = line.removeprefix("echo ").strip('"').removeprefix("test: ")
        elif says:
            steps[says] = line
    return steps


def machine() -> float:
    """Processor seconds that programmes have had on this machine, and the system for them."""
    spent = psutil.cpu_times()
    return float(spent.user + spent.system)


def tests() -> harness.Table:
    """What `make test` runs, step by step."""
    seconds = {}
    before, busy = os.times(), machine()
    for name, command in commands().items():
        print(f"book: {name}", file=sys.stderr, flush=True)
        start = time.perf_counter()
        done = subprocess.run(
            command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False
        )
        seconds[name] = time.perf_counter() - start
        if done.returncode:
            raise RuntimeError(f"{name} failed:\n{done.stdout[-2000:]}")
    after = os.times()
    processor = sum(after[2:4]) - sum(before[2:4])  # of the children
    whole = machine() - busy
    return harness.Table(
        f"The test command, once, {JOBS} processes",
        COLUMNS,
        [
            *([name, value, "", "", ""] for name, value in seconds.items()),
            judged("all, elapsed", harness.Timing.of([sum(seconds.values())]), TESTS),
            judged("all, processor time of the machine", harness.Timing.of([whole]), TESTS),
            ["of it, as a shell has it", processor, "", "", ""],
        ],
        "every step passed; a shell has the time of what it waited for, without notebooks' "
        "kernels that are forks and most of the browser",
    )


def main() -> None:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as make does, for the kernels and tests
    parser = harness.parser("book", __doc__)
    parser.add_argument("--tests", action="store_true", help="measure the tests, nothing else")
    arguments = parser.parse_args()
    if arguments.tests:
        harness.report([tests()], arguments.json)
        return
    stems, names = notebooks.stems(), ["privlib"]
    tables = []
    if arguments.full:
        for part in PARTS.values():
            names += [f"privlib.{part}", max(modules(part), key=one_import)]
        tables += [import_time(names, arguments.runs), build(3)]
    else:
        stems = stems[:1]
        tables += [import_time([*names, "privlib.sketch"], 2)]
    table, wrong = chapters(stems)
    harness.report([*tables, table], arguments.json)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
