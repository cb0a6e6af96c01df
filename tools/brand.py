"""Draw the book's mark, logo, favicon and social card, and write them to ``book/_static``.

The mark is two neighbouring Laplace densities, the outputs of a mechanism on two databases that
differ in one record. Their logarithms never differ by more than the privacy level. Where the two
cross they draw a check mark: this book checks.

``python tools/brand.py`` writes the files; ``--check`` changes nothing and fails if a committed
file is not what the code draws (SVG byte for byte, PNG up to a few pixels that fonts may move).
"""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath
from PIL import Image

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
BLUE, GOLD, PALE = "#0072b2", "#f0e442", "#cfe6f5"  # Okabe and Ito's blue and yellow
SIDE, BASE, PEAK = 64, 53.0, 11.0  # the square; where the densities stand and how high they reach
CENTRES, SCALE = (20.0, 44.0), 12.0
TOLERANCE = 6.0  # root mean square of 255, as for the pictures of the notebooks

Points = npt.NDArray[np.float64]


def density(x: npt.ArrayLike, centre: float) -> npt.NDArray[np.float64]:
    """Laplace density with its peak at 1."""
    heights: Points = np.exp(-np.abs(np.asarray(x, dtype=np.float64) - centre) / SCALE)
    return heights


def curve(start: float, stop: float, *, left: bool) -> Points:
    """Points of the left or right density of the mark, the corner always among them."""
    centre = CENTRES[0] if left else CENTRES[1]
    x = np.unique([*np.arange(start, stop, 1.0), stop, np.clip(centre, start, stop)])
    return np.column_stack([x, BASE - (BASE - PEAK) * density(x, centre)])


def strokes() -> list[tuple[Points, str, float]]:
    """Lines of the mark: points, colour, width."""
    middle = sum(CENTRES) / 2
    check = np.vstack([curve(CENTRES[0] + 5, middle, left=True),
                       curve(middle, CENTRES[1], left=False)[1:]])  # fmt: skip
    return [
        (curve(6, 58, left=True), PALE, 3.0),
        (curve(6, 58, left=False), PALE, 3.0),
        (check, GOLD, 6.5),
    ]


def mark() -> str:
    """Return the mark as SVG elements for a square of 64 units."""
    lines = [f'<rect width="{SIDE}" height="{SIDE}" rx="12" fill="{BLUE}"/>']
    for points, colour, width in strokes():
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        lines.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
            'stroke-linecap="round" stroke-linejoin="round"/>'
        )
    return "\n".join(lines)


def letters(text: str, size: float, *, left: float, base: float) -> str:
    """Outline of a text, so that the logo needs no font where it is shown."""
    outline = TextPath(
        (0, 0), text, size=size, prop=FontProperties(family="DejaVu Sans", weight="bold")
    )
    names = {Outline.MOVETO: "M", Outline.LINETO: "L", Outline.CURVE3: "Q", Outline.CURVE4: "C"}
    drawn = []
    for values, code in outline.iter_segments(curves=True, simplify=False):
        if code == Outline.CLOSEPOLY:
            drawn.append("Z")
        else:
            pairs = np.asarray(values, dtype=np.float64).reshape(-1, 2) * (1, -1) + (left, base)
            drawn.append(names[code] + " ".join(f"{v:.1f}" for v in pairs.ravel()))
    return "".join(drawn)


def svg(width: int, content: str, title: str) -> bytes:
    """Wrap elements into a file."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {SIDE}" '
        f'width="{width}" height="{SIDE}">\n<title>{title}</title>\n{content}\n</svg>\n'
    ).encode()


def logo(colour: str) -> bytes:
    """Mark and name; the name in a colour for a light or a dark page."""
    name = letters("privlib", 44, left=76, base=47)
    return svg(252, f'{mark()}\n<path d="{name}" fill="{colour}"/>', "privlib")


def card() -> bytes:
    """Social card, 1200 x 630 pixels."""
    with mpl.rc_context({"font.family": "DejaVu Sans"}):
        figure = Figure(figsize=(12, 6.3), dpi=100, facecolor=BLUE)
        ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 1200), ylim=(630, 0))
        ax.axis("off")
        # The mark without its frame, wide and low, as the ground of the card.
        for points, colour, width in strokes():
            x = 600 + (points[:, 0] - 32) * 22
            y = 605 - (BASE - points[:, 1]) * 6.0
            ax.plot(x, y, color=colour, linewidth=1.5 * width, solid_capstyle="round",
                    solid_joinstyle="round", alpha=0.95)  # fmt: skip
        ax.text(72, 150, "privlib", color="white", fontsize=84, weight="bold", va="baseline")
        lines = "Four papers and a study note on data privacy,\n"
        lines += "re-derived, checked and corrected in code that runs"
        ax.text(76, 196, lines, color="white", fontsize=28, va="top", linespacing=1.35)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", facecolor=BLUE)
    return buffer.getvalue()


def files() -> dict[str, bytes]:
    """Draw everything; return the files by name."""
    return {
        "favicon.svg": svg(SIDE, mark(), "privlib"),
        "logo-light.svg": logo("#1b2a36"),
        "logo-dark.svg": logo("#f2f5f7"),
        "social-card.png": card(),
    }


def differs(drawn: bytes, stored: Path) -> bool:
    """Say whether a stored file is missing or shows something else than what was drawn."""
    if not stored.exists():
        return True
    if stored.suffix != ".png":
        return stored.read_bytes() != drawn
    new, old = (
        np.asarray(Image.open(source).convert("RGB"), dtype=np.float64)
        for source in (io.BytesIO(drawn), stored)
    )
    return new.shape != old.shape or float(np.sqrt(np.mean((new - old) ** 2))) > TOLERANCE


def main(arguments: list[str] | None = None, folder: Path = STATIC) -> int:
    """Write the files, or compare them with what is stored."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args(arguments).check
    stale = [name for name, drawn in files().items() if differs(drawn, folder / name)]
    for name in stale:
        if check:
            print(f"brand: {name} is not what tools/brand.py draws")
        else:
            (folder / name).write_bytes(files()[name])
            print(f"brand: wrote {name}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
