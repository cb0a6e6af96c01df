"""Ledger pages: verdicts counted by part, and every claim with its evidence."""

from __future__ import annotations

import html
from collections import Counter

from docutils import nodes

from privlib.claims import Status
from privlib.ledger import VERDICTS, anchor

from .base import Cell, Directive, pill, raw


def _evidence(status: Status) -> nodes.raw:
    """Show the evidence, linked from a page two folders deep (``book/ledger/part``)."""
    if status.entry.read:
        return raw(f"<p>{html.escape(status.entry.read)}</p>")
    items = []
    for name, record in status.evidence:
        link = f"../../{name}.html#{anchor(record.id)}"
        checks = "".join(
            f"<li><small>{check.method or check.side}</small> {html.escape(check.text)}</li>"
            for check in record.checks
        )
        number = name.rpartition("/")[2].partition("-")[0]
        count = len(record.checks)
        items.append(
            f'<details><summary><a href="{link}">notebook {number}</a>: '
            f"{count} check{'s' * (count != 1)}</summary><ul>{checks}</ul></details>"
        )
    return raw("".join(items))


class ClaimsOverview(Directive):
    """Verdicts counted by part; our own results apart from the papers' claims."""

    def run(self) -> list[nodes.Node]:
        rows = []
        for part in self.parts:
            statuses = self.statuses(part).values()
            papers = [s for s in statuses if s.entry.kind != "beyond"]
            count = Counter(s.verdict for s in papers)
            beyond = len(statuses) - len(papers)
            cells = [f"[{part}](/book/ledger/{part}.md)", str(len(papers))]
            cells += [str(count[verdict]) for verdict in VERDICTS]
            cells += [str(sum(s.fully for s in papers)), str(beyond)]
            rows.append((f"overview-{part}", cells))
        head = ["part", "claims", *VERDICTS, "fully verified", "beyond the paper"]
        return [self.table(head, rows, [16] + [10] * (len(head) - 1))]


class ClaimsTable(Directive):
    """Every claim of a part, in the order of the paper."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        rows = []
        for status in self.statuses(self.arguments[0]).values():
            entry = status.entry
            name = f"<strong>{entry.id}</strong><br>{pill(status.verdict)}"
            if status.fully:
                name += "<br><small>fully verified</small>"
            term = f" ({entry.ja})" if entry.ja else ""
            says = f"{entry.says}{term}"
            if entry.reading:
                says += f"\n\n*Reading:* {entry.reading}"
            if entry.uses:
                uses = ", ".join(f'<a href="#{anchor(u)}">{u}</a>' for u in entry.uses)
                extra: list[nodes.Node] = [raw(f"<p><small>rests on {uses}</small></p>")]
            else:
                extra = []
            cells: list[Cell] = [
                raw(f"<p>{name}</p>"),
                f"{entry.where}  \n*{entry.kind}*",
                [*self.parse_text_to_nodes(says), *extra],
                [raw(f"<p><small>{status.method}</small></p>"), _evidence(status)],
            ]
            rows.append((anchor(entry.id), cells))
        head = ["claim", "where", "what the paper says", "evidence"]
        return [self.table(head, rows, [15, 15, 40, 30], ["claims-ledger"])]
