"""What rests on what: a layered drawing of the claims of a part.

1. *Rows*: a claim stands below everything that it rests on, the lines as short as possible (a
   linear program); a row wider than the page is split.
2. A line that passes a row gets a *waypoint* there, so that it runs between the boxes; the lines
   from one claim share their waypoints, like the branches of one trunk.
3. *Order* within the rows: sweeps by the mean place of the neighbours; fewest crossings win.
4. *Places*: each node as near to its neighbours as the order and the widths allow, which is an
   isotonic regression (`scipy.optimize.isotonic_regression`).

Groups of claims that have nothing to do with each other are set side by side.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from privlib.kit.evidence import anchor

from .base import Page, shows

if TYPE_CHECKING:
    import networkx as nx

Node: TypeAlias = Hashable  # a claim, or (claim, row): the waypoint of its lines in that row
Neighbours: TypeAlias = Mapping[Node, Sequence[Node]]
PAGE = 930.0  # what the column of text leaves to the drawing on a screen 1280 pixels wide
MARGIN = 6.0  # for outlines
WAYPOINT = 6.0  # width that a passing line takes
GAP_X, GAP_Y, HEIGHT = 10.0, 40.0, 26.0  # between boxes, between rows, of a box
APART = 36.0  # between groups
SWEEPS = 30
PULL = 1.0, 3.0, 8.0  # of a line between boxes, from a box to a waypoint, between waypoints


@dataclass
class Drawing:
    """Boxes (left, top, width) and lines, each through points (x, top, bottom) of its rows."""

    width: float = 0.0
    height: float = 0.0
    boxes: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    lines: dict[tuple[str, str], list[tuple[float, float, float]]] = field(default_factory=dict)

    def put(self, other: Drawing, left: float, top: float) -> None:
        """Set another drawing into this one."""
        self.boxes |= {n: (x + left, y + top, w) for n, (x, y, w) in other.boxes.items()}
        for edge, points in other.lines.items():
            self.lines[edge] = [(x + left, y0 + top, y1 + top) for x, y0, y1 in points]
        self.width = max(self.width, left + other.width)
        self.height = max(self.height, top + other.height)


def draw(graph: nx.DiGraph, widths: Mapping[str, float], page: float) -> Drawing:
    """Lay out an acyclic graph whose edges go down, no row wider than the page if each box fits."""
    import networkx as nx  # slow to import, and only pages with a graph need it

    order = {node: k for k, node in enumerate(graph)}
    groups = [sorted(g, key=order.__getitem__) for g in nx.weakly_connected_components(graph)]
    whole, left, top = Drawing(), 0.0, 0.0
    for group in sorted(groups, key=lambda g: (-len(g), order[g[0]])):
        part = nx.DiGraph()
        part.add_nodes_from(group)
        part.add_edges_from(edge for edge in graph.edges if edge[0] in part)
        one = _draw_group(part, widths, page)
        if left and left + one.width > page:
            left, top = 0.0, whole.height + APART
        whole.put(one, left, top)
        left += one.width + APART
    return whole


def _draw_group(graph: nx.DiGraph, widths: Mapping[str, float], page: float) -> Drawing:
    for share in np.arange(1.0, 0.2, -0.1):  # what the waypoints leave to the boxes
        row_of = _row_of(graph, widths, share * page)
        rows, trunks = _rows(graph, row_of)
        size = {n: widths.get(n, WAYPOINT) for row in rows for n in row}  # type: ignore[call-overload]
        if all(sum(size[n] + GAP_X for n in row) - GAP_X <= page for row in rows):
            break
    pieces = type(graph)(piece for points in trunks.values() for piece in pairwise(points))
    pieces.add_nodes_from(size)
    _order(rows, pieces)
    x = _places(rows, pieces, size, page)
    least = min(x[n] - size[n] / 2 for n in x)
    tops = {n: k * (HEIGHT + GAP_Y) for k, row in enumerate(rows) for n in row}
    return Drawing(
        max(x[n] + size[n] / 2 for n in x) - least,
        max(tops.values()) + HEIGHT,
        {n: (x[n] - size[n] / 2 - least, tops[n], size[n]) for n in graph},
        {e: [(x[n] - least, tops[n], tops[n] + HEIGHT) for n in p] for e, p in trunks.items()},
    )


def _row_of(graph: nx.DiGraph, widths: Mapping[str, float], room: float) -> dict[str, int]:
    """Put each claim below what it rests on, a level wider than the page split in rows."""
    level = _levels(graph) if graph.edges else dict.fromkeys(graph, 0)
    row_of, row = {}, 0
    for number in sorted(set(level.values())):
        nodes = [n for n in graph if level[n] == number]
        # Those that much rests on go down, those that rest on much stay up: shorter lines.
        nodes.sort(key=lambda n: graph.out_degree(n) - graph.in_degree(n))
        total, filled = sum(widths[n] + GAP_X for n in nodes), 0.0
        count = max(1, int(-(-(total - GAP_X) // room)))
        for n in nodes:
            row_of[n] = row + min(count - 1, int(filled * count / total))
            filled += widths[n] + GAP_X
        row += count
    return row_of


def _levels(graph: nx.DiGraph) -> dict[str, int]:
    """Give each claim a level below those that it rests on; all trunks together are shortest.

    The unknowns of the linear program are the levels and the ends of the trunks.
    """
    from scipy.optimize import linprog

    n, index = len(graph), {name: k for k, name in enumerate(graph)}
    a, b = np.array([(index[u], index[v]) for u, v in graph.edges]).T
    e, rows = len(a), np.arange(len(a))
    limits = np.zeros((2 * e, 2 * n))
    limits[rows, a], limits[rows, b] = 1, -1  # a child is below its parent,
    limits[e + rows, b], limits[e + rows, n + a] = 1, -1  # and the trunk ends at it or further down
    trunk = np.array([float(graph.out_degree(name) > 0) for name in graph])
    near = [0.01 * graph.in_degree(name) for name in graph]  # ends of chains stay up
    cost, least = np.concatenate([near - trunk, trunk]), np.repeat([-1.0, 0.0], e)
    found = linprog(cost, A_ub=limits, b_ub=least, bounds=(0, None), method="highs-ds").x
    return {name: round(found[k]) for name, k in index.items()}


def _rows(
    graph: nx.DiGraph, row_of: Mapping[str, int]
) -> tuple[list[list[Node]], dict[tuple[str, str], list[Node]]]:
    """Return the rows with their waypoints, and what each line passes."""
    rows: list[list[Node]] = [[] for _ in range(max(row_of.values()) + 1)]
    for n in graph:
        rows[row_of[n]].append(n)
        for row in range(row_of[n] + 1, max((row_of[child] for child in graph[n]), default=0)):
            rows[row].append((n, row))
    trunks = {
        (a, b): [a, *((a, row) for row in range(row_of[a] + 1, row_of[b])), b]
        for a, b in graph.edges
    }
    return rows, trunks


def _crossings(rows: Sequence[Sequence[Node]], pieces: nx.DiGraph) -> int:
    count = 0
    for upper, lower in pairwise(rows):
        at = {n: k for k, n in enumerate(lower)}
        ends = np.array(sorted((k, at[c]) for k, n in enumerate(upper) for c in pieces[n]))
        a, b = ends.reshape(-1, 2).T
        count += int(np.sum((a[:, None] < a) & (b[:, None] > b)))
    return count


def _order(rows: list[list[Node]], pieces: nx.DiGraph) -> None:
    """Order the rows for few crossings: sweeps by the mean, then swaps of neighbours."""
    best, fewest = [list(row) for row in rows], _crossings(rows, pieces)
    sides = [{n: [*near[n]] for n in pieces} for near in (pieces.pred, pieces.succ)]
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        near = sides[0 if down else 1]
        at = {n: k / len(row) for row in rows for k, n in enumerate(row)}
        for row in rows if down else reversed(rows):
            mean = {
                n: sum(at[m] for m in near[n]) / len(near[n]) if near[n] else at[n] for n in row
            }
            row.sort(key=mean.__getitem__)
            at |= {n: (k + 0.5) / len(row) for k, n in enumerate(row)}
        for row in rows:
            _swap(row, sides, at)
        total = _crossings(rows, pieces)
        if total < fewest:
            best, fewest = [list(row) for row in rows], total
    rows[:] = best


def _swap(row: list[Node], sides: Sequence[Neighbours], at: dict[Node, float]) -> None:
    """Swap neighbours in a row as long as that removes crossings."""

    def saved(left: Node, right: Node) -> int:
        ends = (([at[n] for n in near[left]], [at[n] for n in near[right]]) for near in sides)
        return sum((a > b) - (a < b) for x, y in ends for a in x for b in y)

    for _ in row:
        before = list(row)
        for k in range(len(row) - 1):
            a, b = row[k : k + 2]
            if saved(a, b) > 0:
                row[k : k + 2] = b, a
                at[a], at[b] = at[b], at[a]
        if row == before:
            break


def _places(
    rows: Sequence[Sequence[Node]], pieces: nx.DiGraph, size: Mapping[Node, float], page: float
) -> dict[Node, float]:
    """Find the middles: near to the neighbours, nearest where a long line is kept straight."""
    from scipy.optimize import isotonic_regression

    x: dict[Node, float] = {}
    offsets = []
    for row in rows:
        w = np.array([size[n] for n in row])
        offsets.append(np.concatenate([[0.0], np.cumsum((w[:-1] + w[1:]) / 2 + GAP_X)]))
        room = page - offsets[-1][-1] - (w[0] + w[-1]) / 2
        x |= dict(zip(row, w[0] / 2 + room / 2 + offsets[-1]))
    for sweep in range(SWEEPS):
        for k in range(len(rows)) if sweep % 2 == 0 else reversed(range(len(rows))):
            row, offset = rows[k], offsets[k]
            aim, weight = [], []
            for n in row:
                ways = [*pieces.pred[n], *pieces.succ[n]]
                pull = [PULL[isinstance(n, tuple) + isinstance(m, tuple)] for m in ways]
                aim.append(sum(p * x[m] for p, m in zip(pull, ways)) / sum(pull) if pull else x[n])
                weight.append(sum(pull) or 1.0)
            found = isotonic_regression(np.array(aim) - offset, weights=weight).x
            last = page - size[row[-1]] / 2 - offset[-1]
            x |= dict(zip(row, np.clip(found, size[row[0]] / 2, last) + offset))
    return {n: float(value) for n, value in x.items()}


@shows("claims-graph")
def claims_graph(page: Page) -> Mapping[str, Any]:
    """Draw what rests on what, each claim as a box with mark and colour of its verdict."""
    import networkx as nx

    statuses = page.statuses(page.part)
    uses = [(use, k) for k, status in statuses.items() for use in status.claim.uses]
    graph = nx.DiGraph()
    graph.add_nodes_from(k for k in statuses if any(k in edge for edge in uses))
    graph.add_edges_from(uses)
    drawing = Drawing()
    drawing.put(draw(graph, {k: 34 + 7.2 * len(k) for k in graph}, PAGE), MARGIN, MARGIN)
    lines = [(anchor(a), anchor(b), _path(points)) for (a, b), points in drawing.lines.items()]
    boxes = [(statuses[k], *box) for k, box in drawing.boxes.items()]
    size = {"width": drawing.width + MARGIN, "height": drawing.height + MARGIN}
    return {"part": page.part, "lines": lines, "boxes": boxes, "tall": HEIGHT, **size}


def _path(points: Sequence[tuple[float, float, float]]) -> str:
    """Draw a line: from row to row an S that leaves and arrives upright, straight in a row."""
    pieces = [f"M{points[0][0]:.4g} {points[0][2]:g}"]
    for (x0, _, y0), (x1, y1, y2) in pairwise(points):
        half = (y0 + y1) / 2
        pieces.append(f"C{x0:.4g} {half:g} {x1:.4g} {half:g} {x1:.4g} {y1:g}V{y2:g}")
    return "".join(pieces).rpartition("V")[0]  # it ends on top of the box, not beneath
