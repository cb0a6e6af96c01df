"""Sphinx directives of the book: ledger tables, dependency graph, errata, benchmark results.

Everything that they show is derived at build time from ``book/claims/*.yml``, the outputs stored in
the executed notebooks, and ``benchmarks/results/*.json``; nothing is typed into a page.

=====================  =======================================================================
directive              shows
=====================  =======================================================================
``claims-overview``    verdicts counted by part
``claims-table PART``  every claim of a part with its verdict and links to its evidence
``claims-graph PART``  what rests on what, coloured by verdict
``errata [slips]``     printed -> corrected -> counterexample -> consequence, errors or slips
``benchmarks PART``    measured ratios with their spread
=====================  =======================================================================
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from privlib import claims
from privlib.claims import Status, topological
from privlib.ledger import COLOURS, MARKS, PARTS, VERDICTS, anchor

_PRELOAD = re.compile(r'\s*<link rel="preload" as="font"[^>]*>')

Cell: TypeAlias = str | nodes.Node | Sequence[nodes.Node]


@cache
def _statuses(root: Path, part: str) -> dict[str, Status]:
    return claims.statuses(root, part)


class _Directive(SphinxDirective):
    """What the directives share: the book's root, dependencies, tables."""

    has_content = False

    @property
    def root(self) -> Path:
        return Path(self.env.srcdir)

    @property
    def parts(self) -> list[str]:
        """Parts that have claims, in the order of the book."""
        return [p for p in PARTS.values() if (self.root / f"book/claims/{p}.yml").exists()]

    def statuses(self, part: str) -> dict[str, Status]:
        """Derive the statuses of a part; the page is rebuilt when a source of them changes."""
        if part not in self.parts:
            raise self.error(f"{self.name}: no book/claims/{part}.yml; there are {self.parts}")
        sources = [self.root / f"book/claims/{part}.yml"]
        for path in sources + sorted((self.root / "notebooks" / part).glob("*.ipynb")):
            self.env.note_dependency(str(path))
        return _statuses(self.root, part)

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


def _raw(markup: str) -> nodes.raw:
    return nodes.raw("", markup, format="html")


def _pill(verdict: str | None, text: str = "") -> str:
    name = verdict or "open"
    return (
        f'<span class="claim-pill" style="background:{COLOURS.get(name, "#444")}">'
        f"{MARKS.get(name, '·')} {html.escape(text or name)}</span>"
    )


def _evidence(status: Status) -> nodes.raw:
    """Show the evidence, linked from a page two folders deep (``book/ledger/part``)."""
    if status.entry.read:
        return _raw(f"<p>{html.escape(status.entry.read)}</p>")
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
    return _raw("".join(items))


class ClaimsOverview(_Directive):
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


class ClaimsTable(_Directive):
    """Every claim of a part, in the order of the paper."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        rows = []
        for status in self.statuses(self.arguments[0]).values():
            entry = status.entry
            name = f"<strong>{entry.id}</strong><br>{_pill(status.verdict)}"
            if status.fully:
                name += "<br><small>fully verified</small>"
            term = f" ({entry.ja})" if entry.ja else ""
            says = f"{entry.says}{term}"
            if entry.reading:
                says += f"\n\n*Reading:* {entry.reading}"
            if entry.uses:
                uses = ", ".join(f'<a href="#{anchor(u)}">{u}</a>' for u in entry.uses)
                extra: list[nodes.Node] = [_raw(f"<p><small>rests on {uses}</small></p>")]
            else:
                extra = []
            cells: list[Cell] = [
                _raw(f"<p>{name}</p>"),
                f"{entry.where}  \n*{entry.kind}*",
                [*self.parse_text_to_nodes(says), *extra],
                [_raw(f"<p><small>{status.method}</small></p>"), _evidence(status)],
            ]
            rows.append((anchor(entry.id), cells))
        head = ["claim", "where", "what the paper says", "evidence"]
        return [self.table(head, rows, [15, 15, 40, 30], ["claims-ledger"])]


class Errata(_Directive):
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
            _raw(f"<p>{link}<br>{_pill(status.verdict)}<br>{html.escape(status.entry.where)}</p>"),
            text["printed"] + reading,
            text["corrected"],
            _raw(f"<ul>{cases}</ul>"),
            text["consequence"],
        ]


class ClaimsGraph(_Directive):
    """Claims as boxes coloured by verdict, each below everything that it rests on."""

    required_arguments = 1
    BOX, HEIGHT, ACROSS = 112, 24, 7  # a box; boxes in a line (the page is this wide)
    GAP, LINE, LEVEL = 8, 34, 30  # between boxes; between lines; extra between levels

    def run(self) -> list[nodes.Node]:
        statuses = self.statuses(self.arguments[0])
        linked = {use for s in statuses.values() for use in s.entry.uses}
        linked |= {claim_id for claim_id, s in statuses.items() if s.entry.uses}
        return [_raw(self._svg({k: s for k, s in statuses.items() if k in linked}))]

    @staticmethod
    def levels(statuses: dict[str, Status]) -> list[list[str]]:
        """Put each claim one level below the lowest that it rests on, beneath its sources."""
        depth: dict[str, int] = {}
        for entry in topological([s.entry for s in statuses.values()]):
            depth[entry.id] = max((depth[u] + 1 for u in entry.uses), default=0)
        levels: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
        for claim_id in statuses:
            levels[depth[claim_id]].append(claim_id)
        place: dict[str, float] = {}
        for level in levels:
            middle = {}
            for claim_id in level:
                uses = statuses[claim_id].entry.uses
                middle[claim_id] = sum(place[use] for use in uses) / (len(uses) or 1)
            level.sort(key=middle.__getitem__)
            place.update({c: (k + 0.5) / len(level) for k, c in enumerate(level)})
        return levels

    def _svg(self, statuses: dict[str, Status]) -> str:
        at: dict[str, tuple[float, float]] = {}
        width, y = self.ACROSS * (self.BOX + self.GAP), self.GAP
        for level in self.levels(statuses):
            count = -(-len(level) // self.ACROSS)  # lines that the level needs
            for line in range(count):
                shown = level[line::count]  # neighbours stay neighbours, one below the other
                left = (width - len(shown) * (self.BOX + self.GAP) + self.GAP) / 2
                for k, claim_id in enumerate(shown):
                    at[claim_id] = (left + k * (self.BOX + self.GAP), y)
                y += self.LINE
            y += self.LEVEL
        lines, boxes = [], []
        for claim_id, (x, top) in at.items():
            status = statuses[claim_id]
            for use in status.entry.uses:
                x0, y0 = at[use][0] + self.BOX / 2, at[use][1] + self.HEIGHT
                x1, bend = x + self.BOX / 2, max(20.0, (top - y0) / 2)
                lines.append(
                    f'<path d="M{x0:g} {y0:g}C{x0:g} {y0 + bend:g} {x1:g} {top - bend:g} '
                    f'{x1:g} {top:g}"/>'
                )
            colour = COLOURS.get(status.verdict or "", "#444")
            label = html.escape(f"{claim_id}: {status.verdict}. {status.entry.says}", quote=True)
            boxes.append(
                f'<a href="#{anchor(claim_id)}"><title>{label}</title>'
                f'<rect x="{x:g}" y="{top:g}" width="{self.BOX}" height="{self.HEIGHT}" rx="4" '
                f'fill="{colour}"/><text x="{x + self.BOX / 2:g}" y="{top + 16:g}">'
                f"{html.escape(claim_id)}</text></a>"
            )
        legend = " ".join(_pill(verdict) for verdict in VERDICTS)
        return (
            f'<p class="claim-legend">{legend}</p><div class="claim-graph">'
            f'<svg role="img" aria-label="Dependency graph of the claims" width="{width}" '
            f'height="{y}" viewBox="0 0 {width} {y}"><g class="edges">{"".join(lines)}</g>'
            f"{''.join(boxes)}</svg></div>"
        )


class Benchmarks(_Directive):
    """The measured ratios of a part, from the file that the benchmark wrote."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = self.root / "benchmarks" / "results" / f"{self.arguments[0]}.json"
        self.env.note_dependency(str(path))
        if not path.exists():
            raise self.error(f"{self.name}: no {path.name}; run make bench")
        report = json.loads(path.read_text(encoding="utf-8"))
        shown: list[nodes.Node] = []
        for number, table in enumerate(report["tables"]):
            rows = [
                (f"benchmark-{number}-{k}", [_number(value) for value in row])
                for k, row in enumerate(table["rows"])
            ]
            widths = [30 if isinstance(value, str) else 12 for value in table["rows"][0]]
            shown.append(nodes.rubric("", table["title"]))
            shown.append(
                self.table([f"*{c}*" if c else " " for c in table["columns"]], rows, widths)
            )
            if table["note"]:
                shown.append(nodes.paragraph("", f"{table['note'][0].upper()}{table['note'][1:]}."))
        facts = ", ".join(
            f"{key} {value}" for key, value in report["machine"].items() if key != "threads"
        )
        return [*shown, nodes.paragraph("", f"Measured on: {facts}.")]


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else f"`{value}`"


def _drop_font_preloads(app: Sphinx, error: Exception | None) -> None:
    """Remove the theme's font preloads: from ``file://`` a browser refuses them, with an error.

    The fonts still load through the style sheet, where they are wanted.
    """
    if error is None and app.builder.format == "html":
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            page.write_text(_PRELOAD.sub("", text), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    for name, directive in {
        "claims-overview": ClaimsOverview,
        "claims-table": ClaimsTable,
        "claims-graph": ClaimsGraph,
        "errata": Errata,
        "benchmarks": Benchmarks,
    }.items():
        app.add_directive(name, directive)
    app.connect("build-finished", _drop_font_preloads)
    app.connect("builder-inited", lambda _: _statuses.cache_clear())
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
