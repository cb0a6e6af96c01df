"""Exercises of the notebooks: an index by part and level; what a reading plan refers to.

Read from the executed notebooks when the book is built, so that the index cannot fall behind.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from privlib.kit.evidence import PARTS, anchor, part_of

from .base import Cell, Directive, raw, statuses

LEVELS = ("Warm-up", "Standard", "Research")
_EXERCISE = re.compile(
    r"```\{exercise-start\} (?P<title>.+)\n:label: (?P<label>\S+)\n```\n"
    r"\*\*(?P<level>[\w-]+)\.\*\* (?P<text>(?:.|\n)+?)\n```\{exercise-end\}"
)
_MINUTES = re.compile(r"\*\*Time:\*\* (\d+) minutes")
# A sentence ends before a capital, a formula or emphasis, and never inside a formula.
_SENTENCE = re.compile(r"(?:\$[^$]*\$|[^$])+?[.?!](?=\s+[A-Z$*]|\s*$)")
_ENOUGH = 120  # characters


@dataclass(frozen=True)
class Exercise:
    """One exercise, without its solution."""

    label: str
    title: str
    level: str
    text: str

    @property
    def beginning(self) -> str:
        """The first sentence; if it is a short one, those after it until there is enough."""
        flat, end = " ".join(self.text.split()), 0
        for sentence in _SENTENCE.finditer(flat):
            end = sentence.end()
            if end >= _ENOUGH:
                break
        return flat[:end] or flat


@dataclass(frozen=True)
class Notebook:
    """What the index shows of a notebook."""

    name: str
    """``part/slug``."""
    title: str
    minutes: int
    exercises: tuple[Exercise, ...]

    @property
    def number(self) -> str:
        return self.name.partition("/")[2].partition("-")[0].lstrip("0")


@cache
def notebooks(root: Path) -> tuple[Notebook, ...]:
    """All notebooks, in the order of the book; read once for each build."""
    return tuple(
        _read(path)
        for part in PARTS.values()
        for path in sorted((root / "notebooks" / part).glob("*.ipynb"))
    )


def _read(path: Path) -> Notebook:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    found = tuple(Exercise(**match.groupdict()) for match in _EXERCISE.finditer(text))
    minutes = _MINUTES.search(text)
    wrong = [e.label for e in found if e.level not in LEVELS]
    if wrong or minutes is None or len(found) != text.count("{exercise-start}"):
        raise ValueError(
            f"{path.name}: needs a line '**Time:** N minutes' and exercises with a title, a label "
            f"and a level of {LEVELS}; wrong level in {wrong}"
        )
    title = text.partition("\n")[0].removeprefix("# ")
    return Notebook(f"{path.parent.name}/{path.stem}", title, int(minutes[1]), found)


class _Exercises(Directive):
    """What the directives below share."""

    @property
    def notebooks(self) -> tuple[Notebook, ...]:
        for path in sorted((self.root / "notebooks").glob("*/*.ipynb")):
            self.env.note_dependency(str(path))
        try:
            return notebooks(self.root)
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from error

    def list(self, items: Sequence[str]) -> nodes.Node:
        """Build a bullet list from Markdown."""
        entries = (nodes.list_item("", *self.parse_text_to_nodes(item)) for item in items)
        return nodes.bullet_list("", *entries)


class ExerciseIndex(_Exercises):
    """The exercises of a part by level; without a part, how many there are of each."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        if not self.arguments:
            return [self._counts()]
        part = self.arguments[0]
        if part not in PARTS.values():
            raise self.error(f"{self.name}: no part {part}; there are {list(PARTS.values())}")
        rows = [
            (f"index-{exercise.label}", self._cells(notebook, exercise))
            for level in LEVELS
            for notebook in self.notebooks
            for exercise in notebook.exercises
            if notebook.name.startswith(f"{part}/") and exercise.level == level
        ]
        head = ["level", "exercise", "it begins", "notebook"]
        return [self.table(head, rows, [12, 30, 48, 10], ["exercise-index"])]

    def _cells(self, notebook: Notebook, exercise: Exercise) -> list[Cell]:
        return [
            raw(f"<p>{_level(exercise.level)}</p>"),
            f"{{numref}}`{{number}}. {exercise.title} <{exercise.label}>`",
            exercise.beginning,
            f"{{doc}}`{notebook.number} </notebooks/{notebook.name}>`",
        ]

    def _counts(self) -> nodes.Node:
        count = {
            (part, level): sum(
                exercise.level == level
                for notebook in self.notebooks
                if notebook.name.startswith(f"{part}/")
                for exercise in notebook.exercises
            )
            for part in PARTS.values()
            for level in LEVELS
        }
        lines = {f"{{ref}}`exercises-{part}`": [part] for part in PARTS.values()}
        lines["together"] = list(PARTS.values())
        rows: list[tuple[str, list[Cell]]] = []
        for name, parts in lines.items():
            numbers = [sum(count[part, level] for part in parts) for level in LEVELS]
            cells: list[Cell] = [name, *map(str, numbers), str(sum(numbers))]
            rows.append((f"exercise-count-{len(rows)}", cells))
        return self.table(["part", *LEVELS, "together"], rows, [40, 15, 15, 15, 15])


class ExerciseList(_Exercises):
    """Exercises by label, each with its number, title and level."""

    required_arguments = 1
    final_argument_whitespace = True  # the labels

    def run(self) -> list[nodes.Node]:
        known = {e.label: e for notebook in self.notebooks for e in notebook.exercises}
        labels = self.arguments[0].split()
        unknown = [label for label in labels if label not in known]
        if unknown:
            raise self.error(f"{self.name}: no exercise {', '.join(unknown)}")
        return [
            self.list(
                [
                    f"{{ref}}`{label}`, *{known[label].title}* ({known[label].level.lower()})"
                    for label in labels
                ]
            )
        ]


class ClaimRole(SphinxRole):
    """Link to a claim's row in the ledger, without its verdict."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        try:
            part = part_of(self.text)
            known = self.text in statuses(Path(self.env.srcdir), part)
        except ValueError:
            known = False
        if not known:
            message = self.inliner.reporter.error(f"claim: no claim {self.text}", line=self.lineno)
            return [], [message]
        row = self.env.app.builder.get_relative_uri(self.env.docname, f"book/ledger/{part}")
        target = f"{row}#{anchor(self.text)}"
        return [nodes.reference("", self.text, refuri=target, internal=True)], []


class ReadingList(_Exercises):
    """Notebooks (``part/slug`` or a whole part) with their minutes, and the sum of these."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        chosen: list[Notebook] = []
        for name in self.content:
            found = [n for n in self.notebooks if name in (n.name, n.name.partition("/")[0])]
            if not found:
                raise self.error(f"{self.name}: no notebook {name}")
            chosen += found
        items = [f"{{doc}}`{n.title} </notebooks/{n.name}>` ({n.minutes} min)" for n in chosen]
        total = sum(n.minutes for n in chosen)
        whole = f"{total // 60} h {total % 60:02d} min" if total >= 60 else f"{total} min"
        return [self.list(items), nodes.paragraph("", f"Together {whole} of reading.")]


def _level(level: str) -> str:
    """Return the HTML of a level."""
    return f'<span class="exercise-level" data-level="{level}">{html.escape(level)}</span>'
