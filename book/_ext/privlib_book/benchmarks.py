"""Measured ratios and growth, from the files that the benchmarks wrote."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from typing import Any, cast

from docutils import nodes

from privlib.kit.evidence import PARTS

from .base import Directive

MARKERS = "osD^vP"
MARK = "†"
REMARK = f"{MARK} Spread above a fifth: the machine was busy or the call is short."
UNSTEADY = 0.2
MISSING = "Not measured yet: `make bench` does it."


class Report(Directive):
    """What shows a result file: its tables, curves, peers, and the machine."""

    def report(self, part: str) -> dict[str, Any] | None:
        """Read a result file, ``None`` if there is none yet; the page follows its changes.

        A missing file is no error: the first `make bench` builds the book before it has any.
        """
        path = self.root / "benchmarks" / "results" / f"{part}.json"
        self.env.note_dependency(str(path))
        if not path.exists():
            return None
        report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return report

    def result(
        self, table: dict[str, Any], name: str, shown_as: Callable[[object], str] | None = None
    ) -> list[nodes.Node]:
        """Show one table with its title and remarks."""
        cell = shown_as or number
        columns = table["columns"]
        marked = [[unsteady(c, v) for c, v in zip(columns, row)] for row in table["rows"]]
        rows = [
            (f"{name}-{k}", [cell(v) + f" {MARK}" * mark for v, mark in zip(row, marks)])
            for k, (row, marks) in enumerate(zip(table["rows"], marked))
        ]
        first = table["rows"][0] if table["rows"] else columns
        widths = [30 if isinstance(value, str) else 12 for value in first]
        head = [f"*{c}*" if c else " " for c in table["columns"]]
        shown = [nodes.rubric("", table["title"]), self.table(head, rows, widths, ["measured"])]
        if any(map(any, marked)):
            shown.append(nodes.paragraph("", REMARK))
        if table["note"]:
            shown.append(nodes.paragraph("", f"{table['note'][0].upper()}{table['note'][1:]}."))
        if table.get("limit"):
            label = nodes.strong("", "What limits it: ")
            shown.append(nodes.paragraph("", "", label, nodes.Text(f"{table['limit']}.")))
        return shown

    def curve(self, curve: dict[str, Any]) -> nodes.Node:
        """Draw one curve on log axes; what it shows is also said in words."""
        shown = nodes.figure()
        uri = "data:image/svg+xml;base64," + base64.b64encode(_draw(curve)).decode()
        shown += nodes.image("", uri=uri, alt=_in_words(curve))
        shown += nodes.caption("", curve["title"])
        return shown


class Benchmarks(Report):
    """The measured ratios of a part, from the file that the benchmark wrote."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        part = self.arguments[0]
        if part not in PARTS.values():
            raise self.error(f"{self.name}: no part {part}; there are {', '.join(PARTS.values())}")
        report = self.report(part)
        if report is None:
            return self.parse_text_to_nodes(MISSING)
        shown: list[nodes.Node] = []
        for number, table in enumerate(report["tables"]):
            shown += self.result(table, f"benchmark-{part}-{number}")
        shown += [self.curve(curve) for curve in report.get("curves", ())]
        for peer in report.get("peers", ()):
            if peer["error"]:
                who = f"{peer['name']} {peer['version']}".strip()
                shown.append(nodes.paragraph("", f"Not measured: {who}: {peer['error']}"))
        return [*shown, nodes.paragraph("", measured(report))]


def measured(report: dict[str, Any]) -> str:
    """Say where and when a report was measured, and beside which software."""
    facts = [f"{k} {v}" for k, v in report["machine"].items() if k != "threads"]
    facts += [f"{k}={v}" for k, v in report["machine"].get("threads", {}).items()]
    peers = [f"{p['name']} {p['version']}" for p in report.get("peers", ()) if not p["error"]]
    beside = f"; beside {', '.join(peers)}" if peers else ""
    return f"Measured on: {', '.join(facts)}{beside}."


def unsteady(column: str, value: object) -> bool:
    """Whether a cell is a spread that the page marks."""
    return column.endswith("spread") and isinstance(value, float) and value > UNSTEADY


def number(value: object) -> str:
    """Write a value of a result file as Markdown."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    text = str(value) or " "
    return text if " " in text else f"`{text}`"  # a name in code, or words


def _label(series: dict[str, Any]) -> str:
    exponent = series["exponent"]
    return str(series["name"]) + ("" if exponent is None else f", exponent {exponent:.2f}")


def _in_words(curve: dict[str, Any]) -> str:
    """Describe the first and the last point of each line."""
    lines = [
        f"{_label(s)}: from {s['y'][0]:.3g} at {s['x'][0]:,} to {s['y'][-1]:.3g} at {s['x'][-1]:,}"
        for s in curve["series"]
    ]
    return f"{curve['y']} against {curve['x']}, both axes logarithmic. {'; '.join(lines)}."


def _draw(curve: dict[str, Any]) -> bytes:
    """Return the SVG of a curve, the same bytes for the same numbers."""
    from matplotlib import rc_context  # slow to import, and only pages with curves need it
    from matplotlib.figure import Figure

    from privlib.kit import plots

    with rc_context(cast("Any", plots.STYLE)):
        figure = Figure(figsize=(7.0, 3.2))
        ax = figure.add_subplot()
        for series, marker in zip(curve["series"], MARKERS * len(curve["series"])):
            ax.plot(series["x"], series["y"], marker=marker, label=_label(series))
        ax.set(xscale="log", yscale="log", xlabel=curve["x"], ylabel=curve["y"])
        sizes = sorted({x for series in curve["series"] for x in series["x"]})
        if max(sizes) < 1e5:  # few and near each other: powers of ten alone would say little
            ax.set_xticks(sizes, [f"{x:,}" for x in sizes])
            ax.xaxis.minorticks_off()
        ax.legend()
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()
