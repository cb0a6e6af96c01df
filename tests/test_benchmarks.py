"""The benchmarks: smoke runs in which both sides agree, the harness, what the book shows."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import edition
import numpy as np
import pytest
from privlib_book import base, measurements

from benchmarks import (
    book,
    correlated,
    disclosure,
    harness,
    laplace,
    location,
    outside,
    peers,
    sketch,
)
from benchmarks.frequencies import agreement
from benchmarks.oracles import levels
from conftest import HANGS
from privlib.correlated import gaussian, sparse
from privlib.disclosure import posterior, pram
from privlib.location import flow, mechanism, release
from privlib.sketch import Sketch

ROOT = Path(__file__).resolve().parent.parent
PARTS = sorted(
    path.stem
    for path in (ROOT / "benchmarks").glob("*.py")
    if "harness.parser(" in path.read_text(encoding="utf-8")
)


def well_formed(report):
    """Rows fit their columns, lines have as many x as y, all positive (the axes are log)."""
    for table in report["tables"]:
        assert table["rows"], table["title"]
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}, table["title"]
        assert not table["note"].endswith(".")  # the page adds it
    for curve in report.get("curves", ()):
        for line in curve["series"]:
            assert len(line["x"]) == len(line["y"]) > 0
            assert min(*line["x"], *line["y"]) > 0
    for peer in report.get("peers", ()):
        assert peer["name"]
        assert peer["version"] or peer["error"]


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_smoke_run_says_that_both_sides_agree(part, tmp_path):
    path = tmp_path / "report.json"
    command = [sys.executable, "-m", f"benchmarks.{part}", "--runs", "2", "--json", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    report = json.loads(path.read_text(encoding="utf-8"))
    well_formed(report)


MEASURED = [  # what others have found has its own tests
    p for p in sorted((ROOT / "benchmarks/results").glob("*.json")) if p.stem != "outside"
]


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.stem)
def test_stored_results_are_well_formed(path):
    well_formed(json.loads(path.read_text(encoding="utf-8")))


def test_the_book_shows_every_part_and_make_measures_it():
    page = (ROOT / "book/benchmarks.md").read_text(encoding="utf-8")
    commands = (ROOT / "Makefile").read_text(encoding="utf-8")
    (listed,) = (x for x in commands.splitlines() if x.startswith("BENCHMARKS"))
    assert set(PARTS) <= set(listed.partition(":=")[2].split())
    for part in set(PARTS) - {"book"}:  # which the status page shows
        assert f"```{{benchmarks}} {part}\n" in page


def test_a_ratio_pairs_the_runs_as_they_alternated():
    slow, fast = harness.Timing.of([2.0, 40.0, 6.0]), harness.Timing.of([1.0, 10.0, 2.0])
    assert harness.ratio(slow, fast) == [3.0, 2.0, 4.0]
    rows = harness.ratio_rows({"ours": fast, "theirs": slow}, "ours")
    assert [row[0] for row in rows] == ["ours", "theirs"]
    assert rows[0][3:] == [1.0, 1.0, 1.0]
    assert {len(row) for row in rows} == {len(harness.RATIO_COLUMNS)}
    with pytest.raises(ValueError, match="2 and 3 runs do not pair up"):
        harness.ratio(harness.Timing.of([1.0, 2.0]), fast)


def test_a_short_call_runs_more_often_and_its_turns_are_paired(monkeypatch):
    clock = iter([9.0, 9.0, 0.01, 1.0, 0.02, 0.03, 0.04, 4.0, 0.04, 0.04])
    tick = clock.__next__
    calls = {"short": lambda: "a", "long": lambda: "b"}
    timings, answers = harness.compare(calls, runs=2, often=3, clocks=dict.fromkeys(calls, tick))
    assert answers == {"short": "a", "long": "b"}
    assert timings["short"].each == (0.01, 0.02, 0.03, 0.04, 0.04, 0.04)
    assert timings["long"].each == (1.0, 4.0)
    assert harness.ratio(timings["long"], timings["short"])[1:] == pytest.approx([50, 100])


def test_a_spread_above_a_fifth_is_marked_where_it_is_shown():
    table = harness.Table("t", ["", "spread"], [["a", 0.19], ["b", 0.21]])
    assert harness.render(table).splitlines()[2:] == ["  a    0.19", "  b  0.21 †", harness.REMARK]
    assert measurements.UNSTEADY == harness.UNSTEADY
    assert measurements.MARK == harness.MARK


def test_a_peer_that_stops_is_left_out_and_says_why():
    turns = iter([1, 2])

    def stops():
        if next(turns, None) is None:
            raise peers.PeerUnavailableError("it broke")

    failed = {}
    timings, answers = harness.compare({"a": lambda: 1, "b": stops}, failed=failed)
    assert list(timings) == list(answers) == ["a"]
    assert harness.left_out(failed) == "; b not measured: it broke"
    turns = iter([])
    with pytest.raises(peers.PeerUnavailableError, match="it broke"):
        harness.compare({"b": stops})


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Make a peer of a script's loop."""
    made = []

    def peer(loop):
        head = "import sys, time\nsys.stdin.readline()\n"
        path = tmp_path / "peer.py"
        path.write_text(f'{head}print(\'{{"packages": {{"a": "1.5"}}}}\', flush=True)\n{loop}')
        made.append(peers.Process(Path(sys.executable), str(path), {}))
        return made[-1]

    yield peer
    for each in made:
        each.__exit__()


@pytest.mark.parametrize(
    ("loop", "patience", "said"),
    [
        ("time.sleep(6000)", 0.5, "no answer in 0.5 s"),
        ("sys.exit('boom')", HANGS, "it does not run: boom"),
    ],
)
def test_a_peer_that_hangs_or_dies_is_reported(loop, patience, said, script, monkeypatch):
    peer = script(loop)
    assert peers.label("a 1.0", peer) == "a 1.5"
    monkeypatch.setattr(peers, "PATIENCE", patience)
    with pytest.raises(peers.PeerUnavailableError, match=said):
        peer.run()
    with pytest.raises(peers.PeerUnavailableError, match="stopped before"):
        peer.run()


def changed(monkeypatch, owner, name, change):
    """Let a function return something else than it does."""
    real = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda *a, **k: change(real(*a, **k)))


SOLVES = {location.POT: 5, location.ORTOOLS: 5, location.NETWORKX: 1}
LAPLACIAN = correlated.laplacian(40, 3).toarray()


@pytest.mark.parametrize(
    ("owner", "name", "change", "part"),
    [
        (gaussian.GaussianModel, "leakage_coefficients", lambda x: x * (1 + 1e-6),
         lambda: correlated.dense("graph", LAPLACIAN, 1)),
        (correlated.lapack, "dtrtri", lambda x: (x[0] * (1 + 1e-6), x[1]),
         lambda: correlated.dense("graph", LAPLACIAN, 1)),
        (gaussian, "leakage_sweep", lambda x: x * (1 + 1e-6),
         lambda: correlated.sweep("graph", LAPLACIAN, 1)),
        (gaussian, "algorithm1", lambda x: x * (1 + 1e-6),
         lambda: correlated.recursive([20, 30], 1)),
        (sparse, "max_leakage_bounds",
         lambda x: sparse.LeakageBounds(x.low * 1.01, x.high * 1.01, x.adversary),
         lambda: correlated.certify(100)),
        (laplace, "contestants", lambda x: ({k: lambda f=f: [2.0 * y for y in f()]
                                             for k, f in x[0].items()}, x[1]),
         lambda: laplace.measured("t", 500, laplace.contestants(500)[0], 1, None, "")),
        (disclosure, "by_sympy", lambda x: x + 1,
         lambda: disclosure.against_permanents({(5, 3): ["sympy"]}, 1)),
        (posterior, "match_probability", lambda x: x * (1 + 1e-6) if isinstance(x, float) else x,
         lambda: disclosure.growth([30], 30, 1)),
        (disclosure, "by_search", lambda x: 0 * x, lambda: disclosure.large_tables([2000], 1)),
        (pram, "apply_pram", lambda x: 0 * x, lambda: disclosure.large_tables([2000], 1)),
        (flow, "unit_savings", lambda x: x + 1e-6,
         lambda: location.gains({14: SOLVES}, 1, "none")),
        (location, "with_duals", lambda f: lambda: (f()[0], f()[1] + 1e-6),
         lambda: location.gains({14: SOLVES}, 1, "none")),
        (location, "with_pot", lambda f: lambda pairs: [1.0 + x for x in f(pairs)],
         lambda: location.gains({14: SOLVES}, 1, "none")),
        (release, "feasible_intervals", lambda x: x + 1e-3,
         lambda: location.smallest_weight({4: [0.1]}, "person", 1)),
        (Sketch, "estimate", lambda x: 1.5 * x, lambda: sketch.simulation([1000], 1)),
    ],
)  # fmt: skip
def test_a_part_stops_when_one_side_gives_another_answer(owner, name, change, part, monkeypatch):
    changed(monkeypatch, owner, name, change)
    with pytest.raises(AssertionError):
        part()


@pytest.mark.parametrize("off", [0.0, 1e-6])
def test_least_losses_are_compared_with_those_of_another_programme(off, script):
    least = mechanism.event_level_mechanism([1, 1, 1], outside.THREE, epsilon=1.0).loss + off
    answer = f'{{"seconds": 0.5, "answer": [{least!r}]}}'
    peer = script(f"for line in sys.stdin: print('{answer}', flush=True)")
    if off:
        with pytest.raises(AssertionError, match="least loss"):
            location.programmes([(1, 1, 1)], 1, lambda _: peer)
        return
    table, seen = location.programmes([(1, 1, 1)], 1, lambda _: peer)
    assert seen.version.startswith("1.5")
    assert [row[:3] for row in table.rows] == [[3, 10, "privlib"], [3, 10, outside.QIF.name]]
    assert table.rows[1][3] == 0.5
    table, seen = location.programmes([(1, 1, 1)], 1, lambda _: "no network")
    assert len(table.rows) == 1
    assert "not measured: no network" in table.note
    assert seen.error == "no network"


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_what_the_test_command_runs_is_told_by_make():
    lint, units, cells = book.commands().values()
    assert "mypy" in lint
    assert f"-m pytest -n {book.JOBS}" in units
    assert "--nbval" in cells


def test_an_exponent_is_the_slope_on_log_axes():
    sizes = [10, 100, 1000]
    line = harness.Series.fitted("cubes", sizes, [7e-9 * n**3 for n in sizes])
    assert line.exponent == pytest.approx(3)


def test_hot_spots_name_the_function_that_takes_the_time():
    def spins():  # calls nothing, so that no other function can take a part of the time
        for k in range(200_000):
            k * k

    text = harness.hot_spots(spins, top=1, seconds=0.0)
    assert text.startswith("test_benchmarks.spins")
    assert text.endswith("%")


def test_the_limit_follows_from_the_rate(monkeypatch):
    monkeypatch.setattr(harness, "product_rate", lambda: 100e9)
    assert harness.arithmetic("steps", 60e9, 1.0).startswith("arithmetic: steps are 60 Gflop")
    assert harness.arithmetic("steps", 40e9, 1.0).startswith("not arithmetic")
    monkeypatch.setattr(harness, "bandwidth", lambda: 30e9)
    assert harness.traffic("n", 20e9, 2.0) == (
        "n: 10 GB/s; a copy of a large array reaches 30 here"
    )


def test_all_oracles_are_equally_private():
    """The largest ratio of the probabilities of one report, from two users, is e for each."""
    law, subset = levels(7), 2  # a set of 2 from 7 items
    ratios = {
        "randomised response": law["randomised response"].P / law["randomised response"].Q,
        "OLH": 3 * law["OLH"].P / (1 - law["OLH"].P),  # the value sent has 3 alternatives
        "Hadamard response": law["Hadamard response"].P / (1 - law["Hadamard response"].P),
        "subset selection": (7 - subset) / subset * law["subset selection"].P
        / (1 - law["subset selection"].P),
    }  # fmt: skip
    for name in ("SUE", "OUE"):  # two bits differ
        P, Q = law[name].P, law[name].Q
        ratios[name] = P * (1 - Q) / (Q * (1 - P))
    assert set(ratios) == set(law)
    assert list(ratios.values()) == pytest.approx([np.e] * len(ratios))


@pytest.mark.parametrize("name", list(levels(7)))
def test_agreement_accepts_the_law_and_refuses_a_near_one(name):
    law, counts = levels(7)[name], dict(zip("abcdefg", (500, 100, 50, 50, 20, 20, 0)))
    f, n = np.array(list(counts.values())), sum(counts.values())
    rng = np.random.default_rng(5)
    runs = [
        law.estimates(rng.binomial(f, law.P) + rng.binomial(n - f, law.Q), n) for _ in range(300)
    ]
    agreement(law, counts, runs)
    with pytest.raises(AssertionError, match="disagree"):  # a wrong variance
        agreement(law, counts, [f + 1.1 * (run - f) for run in runs])
    with pytest.raises(AssertionError, match="disagree"):  # a wrong mean
        agreement(law, counts, [run + 0.35 * law.moments(counts).sd for run in runs])


def status_page(tmp_path, **reports):
    """What a directive knows, with these reports as the only results."""
    folder = tmp_path / "benchmarks" / "results"
    folder.mkdir(parents=True)
    for name, tables in reports.items():
        (folder / f"{name}.json").write_text(json.dumps({"tables": tables}), encoding="utf-8")
    return SimpleNamespace(root=tmp_path, depends_on=lambda path: path)


def test_the_status_page_takes_tables_without_rows_and_says_what_is_not_measured(tmp_path):
    full = [["a", 1.0, "", 2.0, "met"], ["b", 3.0, "", 2.0, "missed"]]
    tables = [{"title": "The empty, 1 run", "rows": []}, {"title": "Full, 1 run", "rows": full}]
    shown = measurements.budgets(status_page(tmp_path, book=tables))
    assert [(row[0], row[-1]) for _, row in shown["rows"]] == [
        ("empty", "not measured yet"),
        ("full", "**missed** by 1 of 2"),
        ("test command", "not measured yet"),
    ]
    assert shown["rows"][1][1][1:4] == ["`b`", "3", "2"]


def test_a_folder_below_a_repository_has_no_revision_of_its_own(monkeypatch, tmp_path):
    told = SimpleNamespace(stdout="up\n")
    monkeypatch.setattr(edition.subprocess, "run", lambda *_, **__: told)
    assert measurements.revision(tmp_path) == "unknown (no git history here)"


def test_a_wide_spread_is_marked_and_a_table_may_be_empty():
    table = {"columns": ["", "s", "spread"], "rows": [["a", 0.3, 0.3], ["b", 0.3, 0.1]]}
    assert [[mark for _, mark in row] for row in measurements.marked(table)] == [
        ["", "", " †"],
        ["", "", ""],
    ]
    assert measurements.marked({"columns": ["", "s"], "rows": []}) == []


def test_a_notebook_that_prints_something_else_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(book, "ROOT", tmp_path)
    monkeypatch.setattr(book, "missing_data", lambda _: "")
    monkeypatch.setattr(book, "ProcessPoolExecutor", ThreadPoolExecutor)
    monkeypatch.setattr(book, "executed", lambda stem: 2.0 if stem.name == "a" else "b is wrong")
    stems = [tmp_path / "notebooks" / name for name in "ab"]
    table, wrong = book.chapters(stems)
    assert wrong == ["b is wrong"]
    assert table.note == "2 s; 1 of 2 print what is stored; b is wrong"


def test_dask_leaves_the_environment_as_it_was(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with sketch._environment():
        os.environ["OMP_NUM_THREADS"] = "1"
        os.environ["MKL_NUM_THREADS"] = "1"
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ


def test_a_curve_is_drawn_alike_each_time_and_told_in_words(tmp_path):
    line = harness.Series.fitted("ours", [10, 1000], [0.5, 50.0])
    curve = harness.Curve("t", "n", "seconds", [line])
    told = [harness.drawn(curve, tmp_path / name) for name in ("a.svg", "b.svg")]
    first, second = ((tmp_path / name).read_bytes() for name in ("a.svg", "b.svg"))
    assert first == second
    assert b"<dc:date>" not in first
    assert told[0]["file"] == "a.svg"
    assert told[0]["series"][0]["y"] == [0.5, 50.0]
    assert told[0]["words"] == (
        "seconds against n, both axes logarithmic. "
        "ours, exponent 1.00: from 0.5 at 10 to 50 at 1,000."
    )


def test_every_stored_curve_is_drawn():
    results = ROOT / "benchmarks" / "results"
    for path in results.glob("*.json"):
        for curve in json.loads(path.read_text(encoding="utf-8")).get("curves", ()):
            assert (results / curve["file"]).exists()
            assert curve["words"].endswith(".")


def test_a_result_says_where_it_was_measured():
    report = {
        "machine": {"date": "2026-01-01", "cores": 2, "threads": {"OMP_NUM_THREADS": "1"}},
        "peers": [
            {"name": "a", "version": "1.0", "error": ""},
            {"name": "b", "version": "2.0", "error": "no"},
        ],
    }
    words = "{% from 'measured.html.jinja' import where %}{{ where(report) }}"
    made = base.templates().from_string(words)
    assert made.render(report=report).strip() == (
        "<p>Measured on: date 2026-01-01, cores 2, OMP_NUM_THREADS=1; beside a 1.0.</p>"
    )
    assert "Not measured yet" in made.render(report={"tables": []})


def test_a_ratio_of_the_picture_is_the_largest_measured_size_and_none_of_ours():
    heads = ["L", "", "all s", "", "this / ours", "lowest", "highest"]
    rows = [
        [14, "privlib", 1.0, "measured", 1.0, 1.0, 1.0],
        [14, "POT", 2.0, "measured", 9.0, 8.0, 11.0],
        [50, "POT", 9.0, "measured", 12.0, 10.0, 14.0],
        [100, "POT", 99.0, "extrapolated", 500.0, "-", "-"],
        [14, "subsets", 1.0, "measured", 1.2, 1.0, 1.3],
    ]
    table = {"columns": heads, "rows": rows}
    assert measurements.ratios(table) == {"POT, L = 50": [12.0, 10.0, 14.0]}
    heads = ["", "s", "pure-ldp / this", "lowest", "highest"]
    rows = [["privlib, int", 1.0, 60.0, 58.0, 64.0], ["pure-ldp 1.2.0", 60.0, 1.0, 1.0, 1.0]]
    table = {"columns": heads, "rows": rows}
    assert measurements.ratios(table) == {"pure-ldp 1.2.0": [60.0, 58.0, 64.0]}
    workers = ["", "s", "1 worker / this", "lowest", "highest"]
    assert measurements.ratios({"columns": workers, "rows": rows}) == {}
    closed = {"columns": ["n", "s", "this / closed form"], "rows": [[1, 2, 3]]}
    assert measurements.ratios(closed) == {}


def test_the_page_opens_with_one_picture_of_all_ratios(html):
    text = (html / "book/benchmarks.html").read_text(encoding="utf-8")
    drawings = re.findall(r"<svg class=\"ratios .*?</svg>", text, re.DOTALL)
    assert len(drawings) == 2  # for a wide and a narrow screen
    assert text.index('<svg class="ratios ') < text.index("<table")
    wanted = {}
    for part in PARTS:
        path = ROOT / "benchmarks" / "results" / f"{part}.json"
        report = json.loads(path.read_text(encoding="utf-8"))
        for table in report["tables"]:
            for column, row in ((c, r) for c in table["columns"] for r in table["rows"]):
                if column == "this / ours":
                    at = table["columns"].index(column)
                    name = next(v for v in row if isinstance(v, str))
                    if isinstance(row[at + 1], float) and row[at : at + 3] != [1.0, 1.0, 1.0]:
                        wanted.setdefault((table["title"], name), []).append(row[at])
    for drawing in drawings:
        assert 'role="img"' in drawing
        assert len(re.search(r"<desc[^>]*>(.*?)</desc>", drawing, re.DOTALL)[1]) > 500
        marks = [float(x) for x in re.findall(r'<circle[^>]* cx="([\d.]+)"', drawing)]
        values = re.findall(r'class="ratios-value"[^>]*>([\d.,]+)<', drawing)
        assert len(marks) == len(values) >= 20
        numbers = [float(value.replace(",", "")) for value in values]
        last = [values[-1] for (_, name), values in wanted.items()
                if not re.match("privlib|subsets|generating", name)]  # fmt: skip
        for value in last:
            assert any(abs(number - value) < 0.06 * value for number in numbers), value
        order = sorted(zip(numbers, marks))
        places = [mark for _, mark in order]
        assert all(a <= b + 3 for a, b in pairwise(places))  # an axis, the same for all
        one = float(re.search(r'class="ratios-one" x1="([\d.]+)"', drawing)[1])
        assert all((mark > one) == (number > 1) for number, mark in order if abs(number - 1) > 0.02)
