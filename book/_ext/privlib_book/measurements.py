"""What was measured and counted: benchmarks, and the state of the book at its build."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import edition

from .base import Page, shows

MARK = "†"
UNSTEADY = 0.2
# Those that a reader may want to compare with; the pins of all are counted below.
PACKAGES = (
    "privlib", "jupyter-book", "sphinx", "myst-nb", "numpy", "scipy", "sympy", "networkx",
    "matplotlib", "plotly", "opendp", "pot", "pynacl", "dask", "pytest",
)  # fmt: skip
_OURS = re.compile(r"privlib|ours|subsets|generating|gaussian\.")  # own routes are no peers
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)


def report(page: Page, name: str) -> dict[str, Any]:
    """Read a file that ``make bench`` wrote; one without tables if there is none yet."""
    path = page.depends_on(page.root / "benchmarks" / "results" / f"{name}.json")
    # No error without one: the first `make bench` builds the book before it has any.
    return dict(json.loads(path.read_text(encoding="utf-8") if path.exists() else '{"tables": []}'))


def number(value: object) -> str:
    """Write a value of a result file as Markdown: a number, a name in code, or words."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    text = str(value)
    return text if " " in text or not text else f"`{text}`"


def marked(table: Mapping[str, Any]) -> list[list[tuple[Any, str]]]:
    """Return the rows of a table, each value with the mark of spreads above a fifth."""

    def mark(column: str, value: object) -> str:
        wide = isinstance(value, float) and value > UNSTEADY
        return f" {MARK}" if column.endswith("spread") and wide else ""

    return [[(v, mark(c, v)) for c, v in zip(table["columns"], row)] for row in table["rows"]]


@shows("benchmarks")
def benchmarks(page: Page) -> Mapping[str, Any]:
    """Show the measured ratios of a part with their spread."""
    found = report(page, page.part)
    tables = [(t, f"benchmark-{page.part}-{k}", marked(t)) for k, t in enumerate(found["tables"])]
    return {"report": found, "tables": tables, "number": number}


def ratios(table: Mapping[str, Any]) -> dict[str, list[float]]:
    """Return how many times as long as ours others take, with the lowest and the highest pair.

    Of several sizes the largest that was measured and not extrapolated.
    """
    heads, found = table["columns"], {}
    for k, head in enumerate(heads):
        whose, _, base = head.partition(" / ")
        for row in table["rows"] if base in ("ours", "this") and "" in heads else ():
            label, at, three = row[heads.index("")], heads.index(""), row[k : k + 3]
            sizes = "".join(f", {n} = {v:,}" for n, v in zip(heads[:at], row[:at]))
            if base == "ours" and not _OURS.match(label) and isinstance(three[1], float):
                found[label] = (label + sizes, *three)
            elif base == "this" and label.startswith(whose):  # the first row is ours
                found[label] = (label, *table["rows"][0][k : k + 3])
    return {label: list(three) for label, *three in found.values()}


@shows("benchmarks-picture")
def picture(page: Page) -> Mapping[str, Any]:
    """Show all measured ratios on one axis, ours = 1."""
    tables = [(p, k, t) for p in page.parts for k, t in enumerate(report(page, p)["tables"])]
    every = [(*one, found) for one in tables if (found := ratios(one[2]))]
    ends = [math.log10(x) for *_, found in every for three in found.values() for x in three] or [0]
    low, high = math.floor(min(ends)), math.ceil(max(ends))
    return {"every": every, "log": math.log10, "low": low, "high": high}


@shows("outside")
def outside(page: Page) -> Mapping[str, Any]:
    """Show a part's cases beside the numbers of others, all counts, or what came of differences."""
    return {"cases": report(page, "outside").get("cases", ())}


# --- the state of the book ------------------------------------------------------------------------


def timed(page: Page, *names: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each table of times with the kind of thing that it times."""
    for table in (table for name in names for table in report(page, name)["tables"]):
        yield table["title"].partition(",")[0].lower().removeprefix("the "), table


def linked(value: object) -> str:
    """Write a value as Markdown, the name of a notebook as a link to it."""
    if isinstance(value, str) and re.fullmatch(r"[a-z]+/\d\d-[\w.-]+", value):
        return f"[{value}](/notebooks/{value}.ipynb)"
    return number(value)


def facts(name: str, head: list[str], rows: list[list[str]]) -> dict[str, Any]:
    """Return a table of Markdown cells for the template of a status table."""
    return {"head": head, "rows": [(f"status-{name}-{k}", row) for k, row in enumerate(rows)]}


def tests(root: Path) -> dict[str, int]:
    """Count what is run as a test beside the notebooks."""

    def lines(folder: str, start: str) -> int:
        begun = re.compile(rf"^\s*{start}", re.MULTILINE)
        return sum(len(begun.findall(p.read_text("utf-8"))) for p in (root / folder).rglob("*.py"))

    return {
        "test functions": lines("tests", "def test_"),
        "examples in docstrings, run as tests": lines("privlib", ">>> "),
    }


@shows("status-counts")
def counts(page: Page) -> Mapping[str, Any]:
    """Say what the book consists of, counted in its files."""
    notebooks, every = page.notebooks(), [status for _, status in page.every_status()]
    papers = [s for s in every if s.claim.kind != "beyond"]
    found = {
        "notebooks": len(notebooks),
        "code cells that the tests execute again": sum(n.cells for n in notebooks),
        "claims of the papers with a verdict": sum(s.verdict is not None for s in papers),
        "claims of the papers without a verdict": sum(s.verdict is None for s in papers),
        "results beyond the papers": len(every) - len(papers),
        "checks behind the verdicts": sum(len(s.checks) for s in every),
        **page.ask(tests),
    }
    return facts("counts", ["what", "number"], [[k, f"{v:,}"] for k, v in found.items()])


@shows("status-budgets")
def budgets(page: Page) -> Mapping[str, Any]:
    """Set the slowest of each kind against its budget."""
    rows = []
    for kind, table in timed(page, "book", "tests"):
        judged = [row for row in table["rows"] if row[4]]
        if not judged:
            rows.append([kind, "", "", "", "not measured yet"])
            continue
        worst = max(judged, key=lambda row: row[1] / row[3])
        missed = sum(row[4] == "missed" for row in judged)
        verdict = f"**missed** by {missed} of {len(judged)}" if missed else "met"
        rows.append([kind, linked(worst[0]), number(worst[1]), number(worst[3]), verdict])
    if not report(page, "tests")["tables"]:
        rows.append(["test command", "", "", "", "not measured yet"])
    return facts("budgets", ["what", "slowest", "seconds", "budget", "verdict"], rows)


@shows("status-mutation")
def mutation(page: Page) -> Mapping[str, Any]:
    """Say how many checks of each part were seen to fail when something was changed on purpose."""
    path = page.depends_on(page.root / "tools" / "mutation" / "summary.json")
    found = json.loads(path.read_text(encoding="utf-8"))
    return {"rows": [(f"mutation-{part}", (part, told)) for part, told in found.items()]}


@shows("status-times")
def times(page: Page) -> Mapping[str, Any]:
    """Show all single times, and the machine; the tests are measured apart, as they take long."""

    def measured(name: str) -> tuple[list[Any], dict[str, Any]]:
        tables = [(t, f"time-{kind.replace(' ', '-')}", marked(t)) for kind, t in timed(page, name)]
        return tables, report(page, name)

    return {"number": linked, "all": [measured("book"), measured("tests")]}


@shows("status-versions")
def versions(page: Page) -> Mapping[str, Any]:
    """Name the versions of this build, and say how many of all pins they meet."""
    pins = _PIN.findall(page.depends_on(page.root / "requirements.txt").read_text("utf-8"))
    has = page.ask(edition.installed)
    met = sum(has.get(re.sub("[._]", "-", name).lower()) == pinned for name, pinned in pins)
    rows = [[name, has.get(name, "not installed")] for name in ("Python", *PACKAGES)]
    rows.append(["revision of the book", page.ask(revision)])
    return {**facts("versions", ["what", "version"], rows), "met": met, "pins": len(pins)}


def revision(root: Path) -> str:
    """Return the commit that is built, and whether files differ from it."""
    name, *more = edition.commit(root)[0].split(" ", 1)
    return " ".join([f"`{name}`", *more]) if name else "unknown (no git history here)"
