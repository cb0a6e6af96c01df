"""Draw the icons that the pages use, and no other, into ``book/_static/icons.css``.

The theme loads all of Font Awesome on every page, as a script of 1.5 MB, a style sheet and three
fonts, of which the book shows two dozen icons. This takes those out of the theme's own font. They
are a font of another name, as its licence asks (SIL OFL 1.1, reserved name "Font Awesome").

``python tools/icons.py`` writes the file; ``--check`` changes nothing and fails if the committed
file is not what the code draws. A test asks that no page shows an icon that is missing here.
"""

from __future__ import annotations

import argparse
import base64
import io
import re
from pathlib import Path

import pydata_sphinx_theme
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

TARGET = Path(__file__).resolve().parent.parent / "book" / "_static" / "icons.css"
THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
FAMILY = "privlib icons"
# Named by the templates of the theme and by ours.
NAMES = (
    "angle-left", "angle-right", "arrow-up", "bars", "chevron-down", "circle-half-stroke",
    "download", "ellipsis", "file", "file-code", "file-lines", "file-pdf", "home", "list",
    "magnifying-glass", "moon", "outdent", "pencil", "sun", "xmark",
)  # fmt: skip
HEAD = """/* Written by tools/icons.py. Icons of Font Awesome Free 6, copyright Fonticons, Inc.
 * (https://fontawesome.com), in a font of another name: SIL OFL 1.1, see
 * vendor/fontawesome/6.5.2/LICENSE.txt beside this file. */
"""
RULES = """:root { --fa-font-solid: normal 900 1em/1 "privlib icons"; }
.fa, .fas, .fa-solid { display: inline-block; font: var(--fa-font-solid); font-size: inherit; \
text-rendering: auto; -webkit-font-smoothing: antialiased; }
.fa-lg { font-size: 1.25em; line-height: .05em; vertical-align: -.075em; }
/* The theme hides what is no svg, and marks links to two hosts with logos that are not here. */
.search-button-field > i { display: inline-block !important; }
.bd-search .fa-solid.fa-magnifying-glass { margin-inline: .3em .6em; position: static; }
.bd-header-article .btn .fa-lg { font-size: 1.3rem; line-height: 1; vertical-align: middle; }
a.github::before, a.gitlab::before { content: none; }
"""


def codes() -> dict[str, str]:
    """Name of each icon -> its code point, in hexadecimal, as the theme's style sheet has it."""
    (sheet,) = THEME.glob("vendor/fontawesome/*/css/all.min.css")
    rules = re.findall(r'((?:\.fa-[\w-]+:before,?)+)\{content:"\\(\w+)"\}', sheet.read_text())
    return {name: code for names, code in rules for name in re.findall(r"\.fa-([\w-]+)", names)}


def font(wanted: set[int]) -> bytes:
    """Return the theme's font with the glyphs of some code points only, as WOFF."""
    (path,) = THEME.glob("vendor/fontawesome/*/webfonts/fa-solid-900.ttf")
    made = TTFont(path, recalcTimestamp=False)
    options = Options(layout_features=[], name_IDs=[0, 13, 14], hinting=False, notdef_outline=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=wanted)
    subsetter.subset(made)
    made.flavor = "woff"
    written = io.BytesIO()
    made.save(written)
    return written.getvalue()


def sheet() -> str:
    """Return the style sheet: the font, and a rule for each icon."""
    known = codes()
    theme = (THEME / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    shown = re.findall(r'--pst-icon-[\w-]+:"([^"\\]|\\\w+)"', theme)
    own = {ord(c) if len(c) == 1 else int(c[1:], 16) for c in shown}
    data = base64.b64encode(font(own | {int(known[name], 16) for name in NAMES})).decode()
    face = f"""@font-face {{ font-family: "{FAMILY}"; font-weight: 900; font-display: block;
  src: url("data:font/woff;base64,{data}") format("woff"); }}\n"""
    lines = [f'.fa-{name}::before {{ content: "\\{known[name]}"; }}\n' for name in NAMES]
    return HEAD + face + RULES + "".join(lines)


def main(arguments: list[str] | None = None, target: Path = TARGET) -> int:
    """Write the style sheet, or with ``--check`` say whether it is what the code draws."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing, fail if stale")
    drawn = sheet()
    if parser.parse_args(arguments).check:
        if not target.exists() or target.read_text(encoding="utf-8") != drawn:
            print(f"{target.name} is not what tools/icons.py draws")
            return 1
        return 0
    target.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
