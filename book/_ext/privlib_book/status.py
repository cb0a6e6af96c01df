"""The state of the book at its build: what was counted, how long things take, in which versions."""

from __future__ import annotations

import ast
import doctest
import json
import platform
import re
import subprocess
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from docutils import nodes

from .benchmarks import MISSING, Report, measured, number

# Those that a reader may want to compare with; the pins of all are counted below.
PACKAGES = (
    "privlib", "jupyter-book", "sphinx", "myst-nb", "numpy", "scipy", "sympy", "networkx",
    "matplotlib", "plotly", "opendp", "pot", "pynacl", "dask", "pytest",
)  # fmt: skip
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)


class BuildStatus(Report):
    """One part of the status page: ``counts``, ``budgets``, ``times`` or ``versions``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_reread()  # the revision changes while no source of the page does
        parts: dict[str, Callable[[], list[nodes.Node]]] = {
            "counts": self.counts,
            "budgets": self.budgets,
            "times": self.times,
            "versions": self.versions,
        }
        if self.arguments[0] not in parts:
            raise self.error(f"{self.name}: no {self.arguments[0]}; there are {', '.join(parts)}")
        return parts[self.arguments[0]]()

    def rows(self, head: list[str], facts: list[list[str]], widths: list[int]) -> list[nodes.Node]:
        """Show a table of ready Markdown cells."""
        name = f"status-{self.arguments[0]}"
        return [self.table(head, [(f"{name}-{k}", row) for k, row in enumerate(facts)], widths)]

    def counts(self) -> list[nodes.Node]:
        """What the book consists of, counted in its files."""
        notebooks = sorted((self.root / "notebooks").glob("*/*.ipynb"))
        found = [s for part in self.parts for s in self.statuses(part).values()]
        papers = [s for s in found if s.entry.kind != "beyond"]
        facts = {
            "notebooks": len(notebooks),
            "code cells that the tests execute again": sum(map(_code_cells, notebooks)),
            "claims of the papers with a verdict": sum(s.verdict is not None for s in papers),
            "claims of the papers without a verdict": sum(s.verdict is None for s in papers),
            "results of our own": len(found) - len(papers),
            "checks behind the verdicts": sum(len(s.checks) for s in found),
            "test functions": sum(1 for _ in _functions(self.root / "tests")),
            "examples in docstrings, run as tests": sum(_examples(self.root / "privlib")),
        }
        return self.rows(["what", "number"], [[k, f"{v:,}"] for k, v in facts.items()], [60, 15])

    def budgets(self) -> list[nodes.Node]:
        """The slowest of each kind against its budget."""
        facts = []
        for kind, table in self._tables():
            judged = [row for row in table["rows"] if row[4]]
            if not judged:
                facts.append([kind, *[" "] * 3, "not measured yet"])
                continue
            worst = max(judged, key=lambda row: row[1] / row[3])
            missed = sum(row[4] == "missed" for row in judged)
            verdict = f"**missed** by {missed} of {len(judged)}" if missed else "met"
            facts.append(
                [kind, self._linked(worst[0]), number(worst[1]), number(worst[3]), verdict]
            )
        if not facts:
            return self.parse_text_to_nodes(MISSING)
        if self.report("tests") is None:
            facts.append(["test command", *[" "] * 3, "not measured yet"])
        head = ["what", "slowest", "seconds", "budget", "verdict"]
        return self.rows(head, facts, [16, 34, 12, 10, 16])

    def times(self) -> list[nodes.Node]:
        """All single times, and the machine."""
        shown: list[nodes.Node] = []
        for kind, table in self._tables():
            shown += self.result(table, f"time-{kind.replace(' ', '-')}", self._linked)
        report = self.report("book")
        if report is None:
            return shown + self.parse_text_to_nodes(MISSING)
        return [*shown, nodes.paragraph("", measured(report))]

    def versions(self) -> list[nodes.Node]:
        """Versions of this build, and how many of all pins they meet."""
        pins = _PIN.findall((self.root / "requirements.txt").read_text(encoding="utf-8"))
        met = sum(_version(name) == pinned for name, pinned in pins)
        facts = [["Python", platform.python_version()]]
        facts += [[name, _version(name)] for name in PACKAGES]
        facts += [["revision of the book", _revision(self.root)]]
        pinned = f"{met} of the {len(pins)} pinned packages are installed in the pinned version."
        return [*self.rows(["what", "version"], facts, [40, 35]), nodes.paragraph("", pinned)]

    def _tables(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each table of times with the kind of thing that it times."""
        for part in ("book", "tests"):  # the tests are measured apart: they take long
            for table in (self.report(part) or {"tables": []})["tables"]:
                yield table["title"].partition(",")[0].lower().removeprefix("the "), table

    def _linked(self, value: object) -> str:
        """Make the name of a notebook a link to it."""
        if (self.root / "notebooks" / f"{value}.ipynb").is_file():
            return f"[{value}](/notebooks/{value}.ipynb)"
        return number(value)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _revision(root: Path) -> str:
    """Return the commit that is built, and whether files differ from it."""

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")).resolve() != root.resolve():
            return "unknown (no git history here)"  # that of a folder above
        changed = " with changes" if git("status", "--porcelain") else ""
        return f"`{git('rev-parse', '--short=12', 'HEAD')}`{changed}"
    except (OSError, subprocess.CalledProcessError):
        return "unknown (no git history here)"


def _code_cells(notebook: Path) -> int:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return sum(cell["cell_type"] == "code" for cell in cells)


def _trees(folder: Path) -> Iterator[ast.Module]:
    for path in sorted(folder.rglob("*.py")):
        yield ast.parse(path.read_text(encoding="utf-8"))


def _functions(folder: Path) -> Iterator[ast.FunctionDef]:
    """Yield the tests of a folder; one with parameters counts once."""
    for tree in _trees(folder):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node


def _examples(folder: Path) -> Iterator[int]:
    """Yield the number of examples of each docstring."""
    parser = doctest.DocTestParser()
    for tree in _trees(folder):
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                yield len(parser.get_examples(ast.get_docstring(node) or ""))
