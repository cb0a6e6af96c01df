"""Errata: printed, corrected, counterexample, consequence; errors and slips apart."""

from __future__ import annotations

import html

from docutils import nodes

from privlib.claims import Status
from privlib.ledger import anchor

from .base import Cell, Directive, pill, raw


class Errata(Directive):
    """Corrected and refuted claims of all parts; slips apart from errors, our results never."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        weight = self.arguments[0].rstrip("s") if self.arguments else "error"
        rows = []
        for part in self.parts:
            for status in self.statuses(part).values():
                entry = status.entry
                wrong = status.verdict in ("corrected", "refuted")
                if wrong and entry.kind != "beyond" and entry.weight == weight:
                    rows.append((f"errata-{anchor(entry.id)}", self._cells(part, status)))
        if not rows:
            return [nodes.paragraph("", "None.")]
        head = ["claim", "printed", "corrected", "counterexample", "consequence"]
        widths = [14, 18, 20, 26, 22]
        if weight == "slip":  # a slip has no consequence worth a column
            head, widths = head[:4], widths[:4]
            rows = [(row, cells[:4]) for row, cells in rows]
        return [self.table(head, rows, widths, ["claims-errata"])]

    def _cells(self, part: str, status: Status) -> list[Cell]:
        records = [record for _, record in status.evidence]
        text = {
            key: next((value for r in records if (value := getattr(r, key))), "")
            for key in ("printed", "corrected", "consequence")
        }
        link = f'<a href="ledger/{part}.html#{anchor(status.entry.id)}">{status.entry.id}</a>'
        shown = [html.escape(c.text) for c in status.checks if c.side == "differs"]
        cases = "".join(f"<li>{case}</li>" for case in shown[:2])  # the smallest come first
        reading = f"\n\n*Reading:* {status.entry.reading}" if status.entry.reading else ""
        return [
            raw(f"<p>{link}<br>{pill(status.verdict)}<br>{html.escape(status.entry.where)}</p>"),
            text["printed"] + reading,
            text["corrected"],
            raw(f"<ul>{cases}</ul>"),
            text["consequence"],
        ]
