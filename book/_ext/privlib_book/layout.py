"""Where to draw the boxes and lines of a directed acyclic graph, after Sugiyama and Gansner.

1. *Rows*: every node below its parents, the lines as short as possible (a linear program).
2. A row wider than the page is split in two or more.
3. A line that passes a row gets a *waypoint* there, so that it runs between the boxes; lines from
   one node share their waypoints, like branches of one trunk.
4. *Order* within the rows: barycentre sweeps, then swaps of neighbours; fewest crossings win.
5. *Places*: least sideways movement of the lines, boxes apart (a linear program again).

Parts of the graph that are not connected are laid out one by one and set side by side.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import networkx as nx
import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

Node: TypeAlias = str | tuple[str, int]  # a box, or the waypoint of the lines from a box in a row
Rows: TypeAlias = list[list[Node]]
Trunks: TypeAlias = dict[tuple[str, str], list[Node]]  # (parent, child) -> what its line passes
Segments: TypeAlias = list[tuple[Node, Node]]

WAYPOINT = 6.0  # width that a passing line takes
GAP_X, GAP_Y, HEIGHT = 10.0, 40.0, 26.0  # between boxes, between rows, of a box
APART = 36.0  # between components


@dataclass(frozen=True)
class Drawing:
    """Places of a drawing.

    Attributes
    ----------
    width, height : float
    boxes : dict
        Node -> (left, top, width); all boxes are `HEIGHT` high.
    lines : dict
        (parent, child) -> points (x, top, bottom) from the parent's row to the child's; between
        the rows the line is free, within the rows of its waypoints it runs straight down.
    """

    width: float
    height: float
    boxes: dict[str, tuple[float, float, float]]
    lines: dict[tuple[str, str], list[tuple[float, float, float]]]


def draw(graph: nx.DiGraph, widths: Mapping[str, float], page: float) -> Drawing:
    """Lay out an acyclic graph on a page of the given width.

    Parameters
    ----------
    graph : networkx.DiGraph
        Edges go from what is drawn above to what is drawn below. Edges that follow from others
        should be left out by the caller (transitive reduction).
    widths : mapping
        Node -> width of its box.
    page : float
        Width that no row should exceed.

    Raises
    ------
    ValueError
        If the graph has a cycle or a box is wider than the page.
    """
    if not nx.is_directed_acyclic_graph(graph):
        raise ValueError("draw: the graph has a cycle")
    if any(widths[node] > page for node in graph):
        raise ValueError(f"draw: a box is wider than the page ({page:g})")
    order = {node: k for k, node in enumerate(graph)}
    groups = sorted(
        nx.weakly_connected_components(graph), key=lambda g: (-len(g), min(order[n] for n in g))
    )
    boxes: dict[str, tuple[float, float, float]] = {}
    lines: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    left = top = shelf = widest = 0.0
    for group in groups:
        part = nx.DiGraph()
        part.add_nodes_from(sorted(group, key=order.__getitem__))
        part.add_edges_from(e for e in graph.edges if e[0] in group)
        one = _component(part, widths, page)
        if left and left + one.width > page:
            left, top, shelf = 0.0, top + shelf + APART, 0.0
        boxes |= {n: (x + left, y + top, w) for n, (x, y, w) in one.boxes.items()}
        lines |= {
            e: [(x + left, y0 + top, y1 + top) for x, y0, y1 in points]
            for e, points in one.lines.items()
        }
        widest, shelf = max(widest, left + one.width), max(shelf, one.height)
        left += one.width + APART
    return Drawing(widest, top + shelf, boxes, lines)


def _component(graph: nx.DiGraph, widths: Mapping[str, float], page: float) -> Drawing:
    level = _levels(graph)
    for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3):  # what the waypoints leave to the boxes
        depth = _split(graph, level, widths, share * page)
        rows, trunks = _rows(graph, depth)
        size = {n: widths[n] if isinstance(n, str) else WAYPOINT for row in rows for n in row}
        if all(sum(size[n] + GAP_X for n in row) - GAP_X <= page for row in rows):
            break
    segments = _segments(trunks)
    rows = _ordered(rows, segments)
    x = _places(rows, segments, size, max(page, *(sum(size[n] + GAP_X for n in r) for r in rows)))
    least = min(x[n] - size[n] / 2 for n in x)
    most = max(x[n] + size[n] / 2 for n in x)
    tops = {n: k * (HEIGHT + GAP_Y) for k, row in enumerate(rows) for n in row}
    boxes = {n: (x[n] - size[n] / 2 - least, tops[n], size[n]) for n in graph}
    lines = {
        edge: [(x[n] - least, tops[n], tops[n] + HEIGHT) for n in points]
        for edge, points in trunks.items()
    }
    return Drawing(most - least, max(tops.values()) + HEIGHT, boxes, lines)


class _Program:
    """A linear program over named variables: least cost, every constraint at least its bound."""

    def __init__(self) -> None:
        self.cost: dict[Hashable, float] = {}
        self.limits: dict[Hashable, tuple[float, float | None]] = {}
        self._constraints: list[tuple[dict[Hashable, float], float]] = []

    def at_least(self, terms: dict[Hashable, float], bound: float) -> None:
        self._constraints.append((terms, bound))

    def solve(self) -> dict[Hashable, float]:
        index: dict[Hashable, int] = {name: k for k, name in enumerate(self.cost)}
        entries = [
            (row, index[name], -value)
            for row, (terms, _) in enumerate(self._constraints)
            for name, value in terms.items()
        ]
        rows, columns, values = np.array(entries, dtype=np.float64).reshape(-1, 3).T
        places = (rows.astype(np.int64), columns.astype(np.int64))
        shape = (len(self._constraints), len(index))
        found = linprog(
            list(self.cost.values()),
            A_ub=coo_array((values, places), shape=shape).tocsr(),
            b_ub=[-bound for _, bound in self._constraints],
            bounds=[self.limits.get(name, (0, None)) for name in self.cost],
            method="highs-ds",  # a vertex, so that whole-numbered problems have whole answers
        )
        if found.x is None:
            raise ValueError(f"layout: {found.message}")
        return {name: float(found.x[k]) for name, k in index.items()}


def _levels(graph: nx.DiGraph) -> dict[str, int]:
    """Give each node its row; the trunk of each parent is as short as possible."""
    if not graph.edges:
        return dict.fromkeys(graph, 0)
    program = _Program()
    for node in graph:
        program.cost[node] = -float(graph.out_degree(node) > 0)
    for node in graph:
        if graph.out_degree(node):
            program.cost["end", node] = 1.0
    for parent, child in graph.edges:
        program.at_least({child: 1.0, parent: -1.0}, 1.0)
        program.at_least({("end", parent): 1.0, child: -1.0}, 0.0)
    for node in graph:  # one that ends the chain stays near what it rests on
        program.cost[node] += 0.01 * graph.in_degree(node)
    level = program.solve()
    least = min(level[node] for node in graph)
    return {node: round(level[node] - least) for node in graph}


def _split(
    graph: nx.DiGraph, level: Mapping[str, int], widths: Mapping[str, float], room: float
) -> dict[str, int]:
    """Split rows wider than `room`; nodes of one row do not rest on each other."""
    depth: dict[str, int] = {}
    row = 0
    for number in range(max(level.values()) + 1):
        # Those that much rests on go down, those that rest on much stay up: shorter lines.
        nodes = [n for n in graph if level[n] == number]
        nodes.sort(key=lambda n: graph.out_degree(n) - graph.in_degree(n))
        total = sum(widths[n] + GAP_X for n in nodes) - GAP_X
        count = max(1, int(-(-total // room)))
        filled = 0.0
        for node in nodes:
            depth[node] = row + min(count - 1, int(filled * count / total))
            filled += widths[node] + GAP_X
        row += count
    return depth


def _rows(graph: nx.DiGraph, depth: Mapping[str, int]) -> tuple[Rows, Trunks]:
    rows: Rows = [[] for _ in range(max(depth.values()) + 1)]
    for node in graph:
        rows[depth[node]].append(node)
        last = max((depth[child] for child in graph[node]), default=0)
        for row in range(depth[node] + 1, last):
            rows[row].append((node, row))
    trunks: Trunks = {
        (u, v): [u, *((u, row) for row in range(depth[u] + 1, depth[v])), v] for u, v in graph.edges
    }
    return rows, trunks


def _segments(trunks: Trunks) -> Segments:
    """All pieces of lines from one row to the next, shared ones once."""
    pieces = [piece for points in trunks.values() for piece in pairwise(points)]
    return list(dict.fromkeys(pieces))


def _crossings(pairs: Sequence[tuple[int, int]]) -> int:
    """Count the crossings between two rows; a pair has the places of both ends."""
    if len(pairs) < 2:
        return 0
    a, b = np.array(sorted(pairs)).T
    return int(np.sum(np.triu((a[:, None] < a) & (b[:, None] > b))))


def _ordered(rows: Rows, segments: Segments) -> Rows:
    """Order the rows for few crossings."""
    up: dict[Node, list[Node]] = {n: [] for row in rows for n in row}
    down: dict[Node, list[Node]] = {n: [] for row in rows for n in row}
    for a, b in segments:
        up[b].append(a)
        down[a].append(b)

    def between(upper: Sequence[Node], lower: Sequence[Node]) -> int:
        at = {n: k for k, n in enumerate(lower)}
        return _crossings([(k, at[c]) for k, n in enumerate(upper) for c in down[n]])

    best, fewest = [list(row) for row in rows], float("inf")
    for sweep in range(30):
        downwards = sweep % 2 == 0
        near = up if downwards else down
        place = {n: k / len(row) for row in rows for k, n in enumerate(row)}
        for row in rows if downwards else reversed(rows):
            row.sort(
                key=lambda n: float(np.mean([place[m] for m in near[n]])) if near[n] else place[n]
            )
            place.update({n: (k + 0.5) / len(row) for k, n in enumerate(row)})
        _swap(rows, up, down)
        total = sum(between(a, b) for a, b in pairwise(rows))
        if total < fewest:
            best, fewest = [list(row) for row in rows], total
    return best


def _swap(
    rows: Rows, up: Mapping[Node, Sequence[Node]], down: Mapping[Node, Sequence[Node]]
) -> None:
    """Swap neighbours in a row as long as that removes crossings."""
    place = {n: k for row in rows for k, n in enumerate(row)}

    def crossed(left: Node, right: Node) -> int:
        return sum(
            place[a] > place[b] for side in (up, down) for a in side[left] for b in side[right]
        )

    for row in rows:
        for _ in range(len(row)):
            changed = False
            for k in range(len(row) - 1):
                if crossed(row[k], row[k + 1]) > crossed(row[k + 1], row[k]):
                    row[k], row[k + 1] = row[k + 1], row[k]
                    place[row[k]], place[row[k + 1]] = k, k + 1
                    changed = True
            if not changed:
                break


def _places(
    rows: Rows, segments: Segments, size: Mapping[Node, float], page: float
) -> dict[Node, float]:
    """Find the middles: least sideways movement, with long lines as straight as possible."""
    program = _Program()
    for row in rows:
        for node in row:
            program.cost[node] = 0.0
            program.limits[node] = (size[node] / 2, page - size[node] / 2)
        for a, b in pairwise(row):
            program.at_least({b: 1.0, a: -1.0}, (size[a] + size[b]) / 2 + GAP_X)
    for a, b in segments:
        weight = (1.0, 3.0, 8.0)[isinstance(a, tuple) + isinstance(b, tuple)]
        program.cost["shift", a, b] = weight
        program.at_least({("shift", a, b): 1.0, a: 1.0, b: -1.0}, 0.0)
        program.at_least({("shift", a, b): 1.0, a: -1.0, b: 1.0}, 0.0)
    found = program.solve()
    return {node: found[node] for row in rows for node in row}
