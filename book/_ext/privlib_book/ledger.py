"""Ledger pages: verdicts counted by part, and every claim with its evidence."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable
from urllib.parse import urlencode

from docutils import nodes

from privlib.kit.evidence import VERDICTS, anchor
from privlib.kit.reader import Status

from .base import Cell, Directive, pill, raw
from .filters import key


def _number(notebook: str) -> str:
    return notebook.rpartition("/")[2].partition("-")[0]


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
        count = len(record.checks)
        items.append(
            f'<p><a href="{link}">notebook {_number(name)}</a></p>'
            f"<details><summary>{count} check{'s' * (count != 1)}</summary>"
            f"<ul>{checks}</ul></details>"
        )
    return raw("".join(items))


class ClaimsOverview(Directive):
    """Verdicts counted by part; our own results apart. Each count leads to the claims counted."""

    def run(self) -> list[nodes.Node]:
        rows, total = [], Counter[str]()
        for part in self.parts:
            count = counts(self.statuses(part).values())
            total += count
            name = f'<a href="{self.uri(f"book/ledger/{part}")}">{part}</a>'
            rows.append((f"overview-{part}", self._cells(name, count, part)))
        rows.append(("overview-all", self._cells("all", total, "")))
        head = ["part", "claims", *VERDICTS, "fully verified", "beyond the paper"]
        return [self.table(head, rows, [16] + [10] * (len(head) - 1), ["claims-overview"])]

    def _cells(self, name: str, count: Counter[str], part: str) -> list[Cell]:
        cells: list[Cell] = [raw(f"<p>{name}</p>")]
        for what in ("paper", *VERDICTS, "fully verified", "beyond"):
            asked = {"part": part, "verdict": what, "kind": "paper"}
            if what in ("paper", "beyond"):
                asked |= {"verdict": "", "kind": what}
            query = html.escape(urlencode({k: v for k, v in asked.items() if v}))
            link = (
                f'<a href="{self.uri("book/ledger/index")}?{query}#every-claim">{count[what]}</a>'
            )
            cells.append(raw(f"<p>{link if count[what] else 0}</p>"))
        return cells


def counts(statuses: Iterable[Status]) -> Counter[str]:
    """Count verdicts of the paper's claims, those fully verified, and our own results."""
    count: Counter[str] = Counter()
    for status in statuses:
        if status.entry.kind == "beyond":
            count["beyond"] += 1
            continue
        count.update(["paper", status.verdict or "open", *["fully verified"] * status.fully])
    return count


def _name(part: str, status: Status, *, link: str) -> nodes.raw:
    """Show the first cell of a row: id, verdict, and what the filter reads."""
    name = f'<a class="claim-id" href="{link}">{status.entry.id}</a>{key(part, status)}'
    name += f"<br>{pill(status.verdict)}"
    if status.fully:
        name += '<br><small class="claim-fully">fully verified</small>'
    return raw(f"<p>{name}</p>")


class ClaimsAll(Directive):
    """Every claim of all parts in one compact table; ids lead to the rows of the part pages."""

    def run(self) -> list[nodes.Node]:
        rows = [
            (anchor(status.entry.id), self._cells(part, status))
            for part in self.parts
            for status in self.statuses(part).values()
        ]
        head = ["claim", "what the paper says", "where", "part", "method", "evidence"]
        return [self.table(head, rows, [17, 34, 15, 11, 11, 12], ["claims-all"])]

    def _cells(self, part: str, status: Status) -> list[Cell]:
        entry = status.entry
        row = f"{self.uri(f'book/ledger/{part}')}#{anchor(entry.id)}"
        links = [
            f'<a href="{self.uri(name)}#{anchor(entry.id)}">notebook {_number(name)}</a>'
            for name, _ in status.evidence
        ] or [f'<a href="{row}">reason</a>']
        return [
            _name(part, status, link=row),
            f"{entry.says} ({entry.ja})" if entry.ja else entry.says,
            raw(f"<p>{html.escape(entry.where)}<br><em>{entry.kind}</em></p>"),
            raw(f"<p>{part}</p>"),
            raw(f"<p>{status.method or '–'}</p>"),
            raw(f"<p>{'<br>'.join(links)}</p>"),
        ]


class ClaimsTable(Directive):
    """Every claim of a part, in the order of the paper."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        part = self.arguments[0]
        rows = []
        for status in self.statuses(part).values():
            entry = status.entry
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
                _name(part, status, link=f"#{anchor(entry.id)}"),
                f"{entry.where}  \n*{entry.kind}*",
                [*self.parse_text_to_nodes(says), *extra],
                [raw(f"<p><small>{status.method}</small></p>"), _evidence(status)],
            ]
            rows.append((anchor(entry.id), cells))
        head = ["claim", "where", "what the paper says", "evidence"]
        return [self.table(head, rows, [15, 15, 40, 30], ["claims-ledger"])]
