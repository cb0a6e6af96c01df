"""What was measured and counted: benchmarks, and the state of the book at its build."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import edition
from ledger.outside import COMPARED, compared

from .base import Page, shows

# Those that a reader may want to compare with; the pins of all are counted below.
PACKAGES = (
    "privlib-book", "jupyter-book", "sphinx", "myst-nb", "numpy", "scipy", "sympy", "networkx",
    "matplotlib", "plotly", "opendp", "pot", "pynacl", "dask", "pytest",
)  # fmt: skip
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)


@shows("benchmarks")
def benchmarks(page: Page) -> Mapping[str, Any]:
    """Show how long ten functions take, and how many times as long their peers."""
    path = page.depends_on(page.root / "benchmarks" / "speed.json")
    results = json.loads(path.read_text(encoding="utf-8"))
    rows = [(f"speed-{k}", row) for k, row in enumerate(results["rows"])]
    return {"rows": rows, "machine": results["machine"]}


@shows("outside")
def outside(page: Page) -> Mapping[str, Any]:
    """Show a part's cases beside the numbers of others, all counts, or what came of differences."""
    page.depends_on(page.root / COMPARED)
    optional = {"story": "", "within": ""}
    return {"cases": [optional | case for case in compared(page.root)]}


# --- the state of the book ------------------------------------------------------------------------


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
    numbers = {
        "notebooks": len(notebooks),
        "code cells that the tests execute again": sum(n.cells for n in notebooks),
        "claims of the papers with a verdict": sum(s.verdict is not None for s in papers),
        "claims of the papers without a verdict": sum(s.verdict is None for s in papers),
        "results beyond the papers": len(every) - len(papers),
        "checks behind the verdicts": sum(len(s.checks) for s in every),
        **page.ask(tests),
    }
    return facts("counts", ["what", "number"], [[k, f"{v:,}"] for k, v in numbers.items()])


@shows("status-mutation")
def mutation(page: Page) -> Mapping[str, Any]:
    """Say how many checks of each part were seen to fail when something was changed on purpose."""
    path = page.depends_on(page.root / "tools" / "mutation" / "summary.json")
    summary = json.loads(path.read_text(encoding="utf-8"))
    return {"rows": [(f"mutation-{part}", (part, counts)) for part, counts in summary.items()]}


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
