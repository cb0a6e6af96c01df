"""What rests on what: a graph of the claims of a part, drawn as SVG."""

from __future__ import annotations

import html

from docutils import nodes

from privlib.claims import Status, topological
from privlib.ledger import COLOURS, VERDICTS, anchor

from .base import Directive, pill, raw


class ClaimsGraph(Directive):
    """Claims as boxes coloured by verdict, each below everything that it rests on."""

    required_arguments = 1
    BOX, HEIGHT, ACROSS = 112, 24, 7  # a box; boxes in a line (the page is this wide)
    GAP, LINE, LEVEL = 8, 34, 30  # between boxes; between lines; extra between levels

    def run(self) -> list[nodes.Node]:
        statuses = self.statuses(self.arguments[0])
        linked = {use for s in statuses.values() for use in s.entry.uses}
        linked |= {claim_id for claim_id, s in statuses.items() if s.entry.uses}
        return [raw(self._svg({k: s for k, s in statuses.items() if k in linked}))]

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
        legend = " ".join(pill(verdict) for verdict in VERDICTS)
        return (
            f'<p class="claim-legend">{legend}</p><div class="claim-graph">'
            f'<svg role="group" aria-label="Dependency graph of the claims" width="{width}" '
            f'height="{y}" viewBox="0 0 {width} {y}"><g class="edges">{"".join(lines)}</g>'
            f"{''.join(boxes)}</svg></div>"
        )
