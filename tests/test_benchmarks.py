"""The benchmarks: smoke runs in which both sides agree, the harness, what the book shows."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import harness
from benchmarks.frequencies import agreement
from benchmarks.oracles import levels

ROOT = Path(__file__).resolve().parent.parent
PARTS = sorted(
    path.stem
    for path in (ROOT / "benchmarks").glob("*.py")
    if "harness.parser(" in path.read_text(encoding="utf-8")
)


@pytest.fixture
def shown(monkeypatch):
    """The part of the book's extension that shows results."""
    monkeypatch.syspath_prepend(ROOT / "book" / "_ext")
    return importlib.import_module("privlib_book.benchmarks")


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


@pytest.mark.parametrize("part", PARTS)
def test_a_smoke_run_says_that_both_sides_agree(part, tmp_path):
    path = tmp_path / "report.json"
    command = [sys.executable, "-m", f"benchmarks.{part}", "--runs", "2", "--json", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    report = json.loads(path.read_text(encoding="utf-8"))
    assert report["agreed"] is True
    well_formed(report)


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks/results").glob("*.json")), ids=str)
def test_stored_results_are_well_formed_and_name_no_folder(path):
    text = path.read_text(encoding="utf-8")
    well_formed(json.loads(text))
    assert str(ROOT) not in text
    assert "/home/" not in text
    assert "/tmp/" not in text


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


def test_an_exponent_is_the_slope_on_log_axes():
    sizes = [10, 100, 1000]
    line = harness.Series.fitted("cubes", sizes, [7e-9 * n**3 for n in sizes])
    assert line.exponent == pytest.approx(3)


def test_hot_spots_name_the_function_that_takes_the_time():
    def spins():
        return sum(k * k for k in range(20_000))

    text = harness.hot_spots(spins, top=1, seconds=0.0)
    assert text.startswith("test_benchmarks.<genexpr>")
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


def test_a_curve_is_drawn_alike_each_time_and_told_in_words(shown):
    line = harness.Series.fitted("ours", [10, 1000], [0.5, 50.0])
    curve = json.loads(
        json.dumps({"title": "t", "x": "n", "y": "seconds", "series": [line.__dict__]})
    )
    assert shown._draw(curve) == shown._draw(curve)
    assert b"<dc:date>" not in shown._draw(curve)
    assert shown._in_words(curve) == (
        "seconds against n, both axes logarithmic. "
        "ours, exponent 1.00: from 0.5 at 10 to 50 at 1,000."
    )


def test_a_result_says_where_it_was_measured(shown):
    report = {
        "machine": {"date": "2026-01-01", "cores": 2, "threads": {"OMP_NUM_THREADS": "1"}},
        "peers": [
            {"name": "a", "version": "1.0", "error": ""},
            {"name": "b", "version": "2.0", "error": "no"},
        ],
    }
    assert shown.measured(report) == (
        "Measured on: date 2026-01-01, cores 2, OMP_NUM_THREADS=1; beside a 1.0."
    )
