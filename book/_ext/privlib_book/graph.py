"""What rests on what: a graph of the claims of a part, drawn as SVG (layout in `layout`)."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from itertools import pairwise

import networkx as nx
from docutils import nodes

from privlib.kit.evidence import COLOURS, MARKS, VERDICTS, anchor
from privlib.kit.reader import Status

from .base import Directive, pill, raw
from .layout import HEIGHT, draw

PAGE = 930  # what the column of text leaves to the drawing on a screen 1280 pixels wide
MARGIN = 6.0  # for outlines


def linked(statuses: Mapping[str, Status]) -> nx.DiGraph:
    """Return the claims that rest on others or that others rest on; edges lead to what rests."""
    graph = nx.DiGraph()
    uses = [(use, k) for k, status in statuses.items() for use in status.entry.uses]
    graph.add_nodes_from(k for k in statuses if any(k in edge for edge in uses))
    graph.add_edges_from(uses)
    return graph


class ClaimsGraph(Directive):
    """Claims as boxes with the mark and colour of the verdict, each below what it rests on."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        statuses = self.statuses(self.arguments[0])
        return [raw(svg(statuses, f"Dependency graph of the claims: {self.arguments[0]}"))]


def svg(statuses: Mapping[str, Status], name: str) -> str:
    """Return the legend, the drawing and the panel that shows the claim under the pointer."""
    graph = linked(statuses)
    drawing = draw(graph, {k: 34 + 7.2 * len(k) for k in graph}, PAGE)
    width, height = drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN
    lines = "".join(
        f'<path data-from="{anchor(a)}" data-to="{anchor(b)}" d="{_path(points)}"/>'
        for (a, b), points in drawing.lines.items()
    )
    boxes = "".join(
        _box(statuses[k], left + MARGIN, top + MARGIN, wide)
        for k, (left, top, wide) in drawing.boxes.items()
    )
    legend = " ".join(pill(verdict) for verdict in VERDICTS)
    return (
        f'<p class="claim-legend">{legend} <span class="claim-key-ours">our own result</span></p>'
        f'<div class="claim-graph-frame"><div class="claim-graph">'
        f'<svg role="group" aria-label="{html.escape(name)}" width="{width:g}" '
        f'height="{height:g}" viewBox="0 0 {width:g} {height:g}">'
        f'<g class="edges" aria-hidden="true">{lines}</g>{boxes}</svg></div>'
        '<div class="claim-panel" hidden></div></div>'
    )


def _box(status: Status, left: float, top: float, width: float) -> str:
    entry, verdict = status.entry, status.verdict or "open"
    ours = entry.kind == "beyond"
    words = f"{entry.id}: {'our own result, ' * ours}{verdict}. {entry.says}"
    return (
        f'<a href="#{anchor(entry.id)}" aria-label="{html.escape(words)}"'
        f"{' class=ours' * ours}><title>{html.escape(words)}</title>"
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{HEIGHT:g}" '
        f'rx="{13 if ours else 3}" fill="{COLOURS.get(verdict, "#444")}"/>'
        f'<text x="{left + width / 2:g}" y="{top + HEIGHT / 2 + 4.5:g}">'
        f"{MARKS.get(verdict, '·')} {html.escape(entry.id)}</text></a>"
    )


def _path(points: Sequence[tuple[float, float, float]]) -> str:
    """Draw a line: from row to row an S that leaves and arrives upright, straight in a row."""
    inside = [(x + MARGIN, top + MARGIN, bottom + MARGIN) for x, top, bottom in points]
    pieces = [f"M{inside[0][0]:.4g} {inside[0][2]:g}"]
    for (x0, _, y0), (x1, y1, y2) in pairwise(inside):
        half = (y0 + y1) / 2
        pieces.append(f"C{x0:.4g} {half:g} {x1:.4g} {half:g} {x1:.4g} {y1:g}V{y2:g}")
    return "".join(pieces).rpartition("V")[0]  # it ends on top of the box, not beneath
