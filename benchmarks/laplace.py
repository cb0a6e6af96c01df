"""How much a call of the Laplace mechanism costs, and how much noise a second it makes.

``python -m benchmarks.laplace`` is a smoke run of some seconds; ``--full`` measures at the sizes
that the README speaks of. All noise is tested against the law that it claims to follow. That is
all that they share: the floats of NumPy, which `LaplaceMechanism` adds, are not for releases
(`privlib.laplace.discrete` shows the attack), those of OpenDP are; diffprivlib stands between.

diffprivlib runs in an environment of its own (see `benchmarks.peers`).
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from benchmarks import harness, peers
from privlib.laplace import discrete
from privlib.laplace.mechanism import laplace

SEED = 1
EPSILON, SENSITIVITY = 0.5, 2.0
SCALE = SENSITIVITY / EPSILON
LEVEL = 1e-6  # p-values below it are disagreements
OURS, INTEGERS = "privlib, laplace", "privlib, discrete_laplace"
DIFFPRIVLIB = "diffprivlib 0.6.6"
PINS = ("diffprivlib==0.6.6", "scikit-learn==1.6.1", "scipy==1.14.1", "numpy==2.2.6")
PROMISES = (
    "; the floats of NumPy, which ours adds, are not for real releases; those of OpenDP are exact "
    "and from the secure source of the system, which takes time"
)

Array = npt.NDArray[Any]
Calls = dict[str, Callable[[], Any]]


def opendp() -> Any:
    found: Any = importlib.import_module("opendp.prelude")
    found.enable_features("contrib")
    return found


def follows(name: str, noise: Array) -> float:
    """Return the p-value of the noise under the law of the scale, or raise."""
    if noise.dtype.kind == "i":
        edge = int(SCALE * np.log(noise.size * discrete.pmf(0, SCALE) / 5))  # 5 in each cell
        inner = np.atleast_1d(discrete.pmf(np.arange(-edge, edge + 1), SCALE))
        tail = (1 - inner.sum()) / 2
        expected = noise.size * np.array([tail, *inner, tail])
        clipped = np.clip(noise, -edge - 1, edge + 1) + edge + 1
        counts = np.bincount(clipped, minlength=expected.size)
        p = float(stats.chisquare(counts, expected).pvalue)
    else:
        p = float(stats.kstest(noise, stats.laplace(scale=SCALE).cdf).pvalue)
    if not p > LEVEL:
        raise AssertionError(f"the noise of {name} does not follow its law: p = {p:.3g}")
    return p


def contestants(n: int) -> tuple[Calls, Calls]:
    """Return the calls that make n numbers one at a time, and those that make them at once."""
    dp, rng = opendp(), np.random.default_rng(SEED)
    mechanism = laplace(epsilon=EPSILON, sensitivity=SENSITIVITY)(lambda answer: answer)
    vector = laplace(epsilon=EPSILON, sensitivity=SENSITIVITY, dimension=n)(lambda answer: answer)
    real, whole = dp.atom_domain(T="f64", nan=False), dp.atom_domain(T="i64")
    one = dp.m.make_laplace(real, dp.absolute_distance(T="f64"), scale=SCALE)
    one_whole = dp.m.make_laplace(whole, dp.absolute_distance(T="i64"), scale=SCALE)
    many = dp.m.make_laplace(dp.vector_domain(real), dp.l1_distance(T="f64"), scale=SCALE)
    many_whole = dp.m.make_laplace(dp.vector_domain(whole), dp.l1_distance(T="i64"), scale=SCALE)
    zeros, zeros_whole = np.zeros(n), np.zeros(n, dtype=np.int64)
    listed, listed_whole = zeros.tolist(), zeros_whole.tolist()
    name = f"OpenDP {version('opendp')}"
    single: Calls = {
        OURS: lambda: [mechanism(0.0, rng=rng) for _ in range(n)],
        "numpy, Generator.laplace": lambda: [rng.laplace(0.0, SCALE) for _ in range(n)],
        f"{name}, floats": lambda: [one(0.0) for _ in range(n)],
        INTEGERS: lambda: [discrete.discrete_laplace(0, scale=SCALE) for _ in range(n)],
        f"{name}, integers": lambda: [one_whole(0) for _ in range(n)],
    }
    array: Calls = {
        OURS: lambda: vector(zeros, rng=rng),
        "numpy, Generator.laplace": lambda: rng.laplace(0.0, SCALE, n),
        f"{name}, floats": lambda: many(listed),
        INTEGERS: lambda: discrete.discrete_laplace(zeros_whole, scale=SCALE),
        f"{name}, integers": lambda: many_whole(listed_whole),
    }
    return single, array


def measured(
    title: str, n: int, calls: Mapping[str, Callable[[], Any]], runs: int, peer: Any, notes: str
) -> harness.Table:
    """Time the calls in turn and test what they return."""
    entries = dict(calls)
    clocks: dict[str, Callable[[], float]] = {}
    failed: dict[str, str] = {}
    if isinstance(peer, peers.Process):
        name = peers.label(DIFFPRIVLIB, peer)
        # Beside the floats that it is set against.
        set_apart = [key for key in entries if "integers" in key or key == INTEGERS]
        entries[name], clocks[name] = lambda: peer.run(n), peer.clock
        entries |= {key: entries.pop(key) for key in set_apart}
    timings, answers = harness.compare(entries, runs=runs, clocks=clocks, failed=failed)
    rows: list[list[Any]] = []
    for name, timing in timings.items():
        p = follows(name, np.asarray(answers[name]))
        whole = np.asarray(answers[name]).dtype.kind == "i"
        ratio = harness.ratio(timing, timings[INTEGERS if whole else OURS])
        rows.append([name, 1e6 * timing.median / n, timing.spread, *ratio, p])
    return harness.Table(
        f"{title}, {harness.alternating(runs)}",
        ["", "µs a number", "spread", "this / ours", "lowest", "highest", "p"],
        rows, "integers are set against integers, floats against floats; our integers are those of "
        "OpenDP, with our checks around them; p: Kolmogorov-Smirnov "
        "for floats, chi-square for integers, of the noise of the first run"
        + PROMISES + harness.left_out(failed), notes,
    )  # fmt: skip


def newest(path: Path | str, name: str) -> str:
    """Say if diffprivlib imports beside the scikit-learn of this environment."""
    if isinstance(path, str):
        return ""
    ask = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    place = subprocess.run([str(path), "-c", ask], check=True, capture_output=True, text=True)
    code = f"import sys; sys.path.append({place.stdout.strip()!r}); import diffprivlib"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    beside = f"beside scikit-learn {version('scikit-learn')}"
    if not done.returncode:
        return f"; {name} imports {beside} too"
    own = next(pin for pin in PINS if pin.startswith("scikit-learn"))
    return (
        f"; {name} runs in an environment of its own with {own.replace('==', ' ')}, as it does not "
        f"import {beside} ({peers.last_line(done.stderr)})"
    )


def main() -> None:
    arguments = harness.parser("laplace", __doc__).parse_args()
    full, runs = arguments.full, arguments.runs
    number, size = (5_000, 50_000) if full else (200, 1_000)
    path = peers.python("diffprivlib", install=PINS, create=full)
    work = {"epsilon": EPSILON, "sensitivity": SENSITIVITY}
    peer = peers.start("diffprivlib", "diffprivlib_peer.py", work, install=PINS, create=full)
    single, _ = contestants(number)
    _, array = contestants(size)
    call = f"a call of ours: {harness.hot_spots(single[OURS])}"
    timings, _ = harness.compare(
        {"all": array[OURS], "noise": array["numpy, Generator.laplace"]}, runs=runs
    )
    share = timings["noise"].median / timings["all"].median
    exact = harness.hot_spots(array[INTEGERS], top=2)
    tables = [
        measured(
            f"{number:,} calls of one mechanism", number, single, runs, peer,
            f"{call}. NumPy checks nothing: its line is the noise alone",
        ),
        measured(
            f"Noise for an array of {size:,}", size, array, runs, None,
            f"{share:.0%} of the time of our floats is the noise itself; our integers: {exact}",
        ),
    ]  # fmt: skip
    if isinstance(peer, peers.Process):
        peer.__exit__()
        extra = newest(path, peers.label(DIFFPRIVLIB, peer))
    else:
        extra = f"; {DIFFPRIVLIB} not measured: {peer}"
    tables[0] = replace(tables[0], note=tables[0].note + extra)
    harness.report(
        tables,
        arguments.json,
        peers=[harness.Peer("OpenDP", version("opendp")), peers.met(DIFFPRIVLIB, peer)],
    )


if __name__ == "__main__":
    main()
