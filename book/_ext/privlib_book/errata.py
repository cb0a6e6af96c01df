"""Errata: printed, corrected, counterexample, consequence; errors and slips apart."""

from __future__ import annotations

import html
import posixpath

from docutils import nodes

from privlib.kit.evidence import anchor
from privlib.kit.reader import Status

from .base import Cell, Directive, pill, raw
from .export import is_erratum, papers, texts
from .filters import key

_MANY = 2  # counterexamples that are shown at once; the smallest come first


class Errata(Directive):
    """Corrected and refuted claims of all parts; slips apart from errors, our results never."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        weight = self.arguments[0].rstrip("s") if self.arguments else "error"
        if weight not in ("error", "slip"):
            raise self.error(f"{self.name}: errors or slips, got {self.arguments[0]!r}")
        rows = [
            (f"errata-{anchor(status.entry.id)}", self._cells(part, status))
            for part in self.parts
            for status in self.statuses(part).values()
            if is_erratum(status) and status.entry.weight == weight
        ]
        if not rows:
            return [nodes.paragraph("", "None.")]
        head = ["claim", "printed", "corrected", "counterexample", "consequence"]
        widths, classes = [15, 21, 21, 22, 21], ["claims-errata"]
        if weight == "slip":  # a slip has no consequence
            head, widths = head[:4], widths[:4]
            rows = [(row, cells[:4]) for row, cells in rows]
            classes.append("claims-slips")
        return [self.table(head, rows, widths, classes)]

    def _cells(self, part: str, status: Status) -> list[Cell]:
        text, name = texts(status), anchor(status.entry.id)
        ledger = f'<a class="claim-id" href="{self.uri(f"book/ledger/{part}")}#{name}">'
        cells = ", ".join(
            f'<a href="{self.uri(notebook)}#{name}">{notebook.rpartition("/")[2].split("-")[0]}</a>'
            for notebook, _ in status.evidence
        )
        shown = [f"<li>{html.escape(c.text)}</li>" for c in status.checks if c.side == "differs"]
        cases = f"<ul>{''.join(shown[:_MANY])}</ul>"
        if more := shown[_MANY:]:
            cases += (
                f"<details><summary>{len(more)} more</summary><ul>{''.join(more)}</ul></details>"
            )
        reading = f"\n\n*Reading:* {status.entry.reading}" if status.entry.reading else ""
        return [
            raw(
                f"<p>{ledger}{status.entry.id}</a>{key(part, status)}<br>{pill(status.verdict)}<br>"
                f"{part}, {html.escape(status.entry.where)}<br><small>notebook {cells}</small></p>"
            ),
            text["printed"] + reading,
            text["corrected"],
            raw(cases),
            text["consequence"],
        ]


class Exports(Directive):
    """Links to the files that `export` writes: ``{claims-exports}``."""

    def run(self) -> list[nodes.Node]:
        source = papers(self.root)
        self.env.note_dependency(str(self.root / "book" / "references.bib"))
        rows: list[tuple[str, tuple[str, ...]]] = [
            ("every erratum of every paper", ("errata.csv", "errata.json")),
            ("every claim, with verdict and evidence", ("ledger.csv", "ledger.json")),
        ]
        for part in self.parts:
            paper = source[part]
            by = ", ".join(paper["authors"]) or "author not stated"
            rows.append((f"errata of {paper['title']} ({by})", (f"errata-{part}.json",)))
        folder = posixpath.relpath("book/exports", posixpath.dirname(self.env.docname))
        items = "".join(
            f"<li>{html.escape(what)}: "
            + ", ".join(f'<a href="{folder}/{n}" download>{n}</a>' for n in names)
            + "</li>"
            for what, names in rows
        )
        return [raw(f'<ul class="claims-exports">{items}</ul>')]
