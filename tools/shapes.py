"""The shapes of the book's schematic drawings, written as SVG.

One visual language for every part: a person, whoever holds data (a drum), a mechanism (a box with
the density of noise), a release (a sheet), an attacker (with a hat). Black arrows are data on their
way, orange ones are what an attacker sees, dashed ones what an attacker knows before. What lies in
a grey area stays secret. No shape rests on its colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

INK, QUIET, LINE = "#1a1a1a", "#444444", "#444444"
BLUE, ORANGE, GREEN = "#0072B2", "#C44F00", "#00795A"  # the book's, dark enough for text
PALE = {"blue": "#e3eff8", "gold": "#fdf1d6", "green": "#e2f3ec", "orange": "#fbe6da"}
SECRET = "#eeeeee"
TEXT = {720: 16, 344: 15}  # size by width: pixels at full width, on a desk and on a telephone
Point = tuple[float, float]
Look = dict[str, Any]


class Drawing:
    """A drawing on white that grows shape by shape.

    Parameters
    ----------
    width : {720, 344}
        For a desk and for a telephone; at full width one unit is about one pixel.
    height : int
        Likewise.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.pieces: list[str] = []

    def svg(self) -> str:
        """Return the file."""
        arrows = "".join(
            f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="11" '
            f'markerHeight="11" markerUnits="userSpaceOnUse" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>'
            for name, colour in (("data", LINE), ("seen", ORANGE))
        )
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" '
            f'font-family="Helvetica, Arial, sans-serif" font-size="{TEXT[self.width]}">'
        )
        paper = f'<rect width="{self.width}" height="{self.height}" fill="#fff"/>'
        return "\n".join([head, f"<defs>{arrows}</defs>", paper, *self.pieces, "</svg>\n"])

    def add(self, name: str, content: str = "", **attributes: Any) -> None:
        """Add an element; in the names of attributes ``_`` stands for a hyphen."""
        said = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in attributes.items())
        self.pieces.append(f"<{name}{said}>{content}</{name}>" if content else f"<{name}{said}/>")

    # --- words and arrows -------------------------------------------------------------------------

    def text(self, at: Point, *lines: str, anchor: str = "middle", colour: str = QUIET,
             bold: bool = False) -> None:  # fmt: skip
        """Write lines, the first with its foot at a point."""
        x, y = at
        for k, line in enumerate(lines):
            weight: Look = {"font_weight": "bold"} if bold else {}
            self.add(
                "text", escape(line), x=x, y=y + 19 * k, text_anchor=anchor, fill=colour, **weight
            )

    def label(self, at: Point, name: str, *lines: str, anchor: str = "middle") -> None:
        """Write a name in bold and lines below it."""
        self.text(at, name, anchor=anchor, colour=INK, bold=True)
        self.text((at[0], at[1] + 19), *lines, anchor=anchor)

    def arrow(self, *points: Point, kind: str = "data", blunt: bool = False) -> None:
        """Lead from point to point: ``data`` on its way, what is ``seen``, what is ``known``."""
        colour = LINE if kind == "data" else ORANGE
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        how: Look = {"stroke_dasharray": "7 5"} if kind == "known" else {}
        if not blunt:
            how["marker_end"] = f"url(#{'data' if kind == 'data' else 'seen'})"
        self.add("path", d=path, fill="none", stroke=colour, stroke_width=2, **how)

    def secret(self, x: float, y: float, width: float, height: float, title: str) -> None:
        """Shade what no attacker sees."""
        self.add("rect", x=x, y=y, width=width, height=height, rx=10, fill=SECRET)
        self.text((x + 12, y + 21), title, anchor="start")

    # --- who and what -----------------------------------------------------------------------------

    def person(self, at: Point, fill: str = BLUE, stroke: str = BLUE) -> None:
        """Head and shoulders, 40 high, around a point."""
        x, y = at
        how: Look = {"fill": fill, "stroke": stroke, "stroke_width": 1.5}
        self.add("circle", cx=x, cy=y - 10, r=8.5, **how)
        body = f"M{x - 16:g} {y + 20:g}v-5a16 13 0 0 1 32 0v5z"
        self.add("path", d=body, **how)

    def other(self, at: Point) -> None:
        """A person who is not the one that it is about."""
        self.person(at, fill=PALE["blue"])

    def attacker(self, at: Point) -> None:
        """A person with a hat, in orange."""
        x, y = at
        self.person(at, fill=PALE["orange"], stroke=ORANGE)
        hat = f"M{x - 17:g} {y - 14:g}h34M{x - 9:g} {y - 15:g}v-9h18v9z"
        self.add("path", d=hat, fill=ORANGE, stroke=ORANGE, stroke_width=3, stroke_linecap="round")

    def holder(self, at: Point) -> None:
        """Whoever holds the data: a drum, 60 wide and 64 high."""
        x, y = at
        side = f"M{x - 30:g} {y - 22:g}v44a30 10 0 0 0 60 0v-44"
        how: Look = {"fill": PALE["blue"], "stroke": BLUE, "stroke_width": 2}
        self.add("path", d=side, **how)
        self.add("ellipse", cx=x, cy=y - 22, rx=30, ry=10, **how)

    def mechanism(self, at: Point, *, moves: bool = False) -> None:
        """A box, 84 by 60, with the density of noise, or with an arrow if it adds no noise."""
        x, y = at
        how: Look = {"stroke": "#8a6100", "stroke_width": 2}
        self.add("rect", x=x - 42, y=y - 30, width=84, height=60, rx=8, fill=PALE["gold"], **how)
        inside = (
            f"M{x - 26:g} {y - 14:g}v32h14v-32zM{x + 12:g} {y - 2:g}v20h14v-20zM{x - 6:g} {y:g}h12"
            f"M{x + 1:g} {y - 5:g}l6 5l-6 5"
            if moves
            else f"M{x - 32:g} {y + 19:g}Q{x - 6:g} {y + 14:g} {x:g} {y - 19:g}"
            f"Q{x + 6:g} {y + 14:g} {x + 32:g} {y + 19:g}"
        )
        self.add("path", d=inside, fill="none", **how)

    def release(self, at: Point, width: float = 56, height: float = 66) -> None:
        """A sheet with a folded corner."""
        left, top = at[0] - width / 2, at[1] - height / 2
        how: Look = {
            "fill": PALE["green"],
            "stroke": GREEN,
            "stroke_width": 2,
            "stroke_linejoin": "round",
        }
        sheet = f"M{left:g} {top:g}h{width - 14:g}l14 14v{height - 14:g}h{-width:g}z"
        self.add("path", d=sheet, **how)
        self.add("path", d=f"M{left + width - 14:g} {top:g}v14h14", **how)

    def lines(self, at: Point) -> None:
        """Lines of writing on a sheet."""
        x, y = at
        strokes = f"M{x - 16:g} {y - 8:g}h24M{x - 16:g} {y + 4:g}h32M{x - 16:g} {y + 16:g}h32"
        self.add("path", d=strokes, stroke=GREEN, stroke_width=2.5, fill="none")

    def bars(self, at: Point, heights: Sequence[float], colour: str = BLUE) -> None:
        """A histogram with its foot at a point, its bars 16 wide; one unit is 16 high."""
        left = at[0] - 11 * len(heights)
        for k, height in enumerate(heights):
            x, high = left + 22 * k + 3, 16 * height
            self.add("rect", x=x, y=f"{at[1] - high:g}", width=16, height=f"{high:g}", fill=colour)
        self.add("path", d=f"M{left} {at[1]}h{22 * len(heights)}", stroke=INK, stroke_width=1.5)

    def grid(self, at: Point, rows: Sequence[str], names: Sequence[str] = (), *, size: int = 20,
             changed: Sequence[Point] = ()) -> None:  # fmt: skip
        """A table around a point: a letter a cell, names to its left, changed cells in gold."""
        left, top = at[0] - size * len(rows[0]) / 2, at[1] - size * len(rows) / 2
        for i, row in enumerate(rows):
            foot = top + size * (i + 1) - size / 2 + 5
            for j, letter in enumerate(row):
                fill = "#f7c65b" if (i, j) in changed else "#fff"
                self.add("rect", x=f"{left + size * j:g}", y=f"{top + size * i:g}", width=size,
                         height=size, fill=fill, stroke=BLUE, stroke_width=1)  # fmt: skip
                if letter.strip():
                    middle = f"{left + size * (j + 0.5):g}", f"{foot:g}"
                    self.add("text", escape(letter), x=middle[0], y=middle[1], fill=INK,
                             text_anchor="middle")  # fmt: skip
            if names:
                self.text((left - 7, foot), names[i], anchor="end", colour=INK)
