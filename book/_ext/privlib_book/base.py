"""What the directives share: the book's root, the statuses of claims, tables, pills."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from privlib.kit import reader
from privlib.kit.evidence import COLOURS, MARKS, PARTS
from privlib.kit.reader import Status

Cell: TypeAlias = str | nodes.Node | Sequence[nodes.Node]


@cache
def statuses(root: Path, part: str) -> dict[str, Status]:
    """Statuses of a part, derived once for each build."""
    return reader.statuses(root, part)


def parts(root: Path) -> list[str]:
    """Return the parts that have claims, in the order of the book."""
    return [part for part in PARTS.values() if (root / f"book/claims/{part}.yml").exists()]


class Directive(SphinxDirective):
    """What the directives share: the book's root, dependencies, tables."""

    has_content = False

    @property
    def root(self) -> Path:
        return Path(self.env.srcdir)

    @property
    def parts(self) -> list[str]:
        return parts(self.root)

    def statuses(self, part: str) -> dict[str, Status]:
        """Derive the statuses of a part; the page is rebuilt when a source of them changes."""
        if part not in self.parts:
            raise self.error(f"{self.name}: no book/claims/{part}.yml; there are {self.parts}")
        sources = [self.root / f"book/claims/{part}.yml"]
        for path in sources + sorted((self.root / "notebooks" / part).glob("*.ipynb")):
            self.env.note_dependency(str(path))
        return statuses(self.root, part)

    def uri(self, page: str) -> str:
        """Return the address of a page of the book, relative to the page that is being read."""
        return str(self.env.app.builder.get_relative_uri(self.env.docname, page))

    def table(
        self,
        head: Sequence[str],
        rows: Sequence[tuple[str, Sequence[Cell]]],
        widths: Sequence[int],
        classes: Sequence[str] = (),
    ) -> nodes.Node:
        """Build a table from (row id, cells); a cell is Markdown or ready nodes."""
        group = nodes.tgroup("", *(nodes.colspec(colwidth=w) for w in widths), cols=len(widths))
        group += nodes.thead("", self._row(head))
        group += nodes.tbody("", *(self._row(cells, ids) for ids, cells in rows))
        return nodes.table("", group, classes=["claims", *classes])

    def _row(self, cells: Sequence[Cell], ids: str = "") -> nodes.row:
        row = nodes.row()
        if ids:
            row["ids"].append(ids)
        for cell in cells:
            content = self.parse_text_to_nodes(cell) if isinstance(cell, str) else cell
            row += nodes.entry("", *([content] if isinstance(content, nodes.Node) else content))
        return row


def raw(markup: str) -> nodes.raw:
    """Put ready HTML on the page."""
    return nodes.raw("", markup, format="html")


def pill(verdict: str | None, text: str = "") -> str:
    """Return the HTML of a verdict: its mark and name on its colour."""
    name = verdict or "open"
    return (
        f'<span class="claim-pill" style="background:{COLOURS.get(name, "#444")}">'
        f"{MARKS.get(name, '·')} {html.escape(text or name)}</span>"
    )
