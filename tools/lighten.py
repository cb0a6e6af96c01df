"""Make the pages light: of what others write into them, keep only what a reader gets to see.

Style sheets: Bootstrap, the theme, Sphinx and MyST-NB have rules for some 2,300 classes; the book
shows a few hundred. When all pages are written, each sheet is written again into ``_static/light``
without the rules and variables that no page and no script can ask for.
``book/_templates/layout.html`` loads these.

Code: Pygments puts an element around each word, sign and space. `Sparse` leaves out what looks like
plain text in both themes, and gives up the colour of operators; that halves the pages of the
notebooks.

Scripts: a page does without those that have nothing to do there.

Frames of live figures: a page that shows figures of others has the first frame of each, and loads
the others when the reader moves a control.

Pictures: a browser loads one when it comes near. Its size stands in the page, so that the text
below stays where it is. In 256 colours one weighs a third, and looks the same.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pictures import in_palette
from pygments.formatters import HtmlFormatter
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Token

STYLES = ("a11y-high-contrast-light", "a11y-high-contrast-dark")  # the theme's
SHEETS = (
    "basic.css", "styles/theme.css", "styles/bootstrap.css", "styles/pydata-sphinx-theme.css",
    "styles/sphinx-book-theme.css", "proof.css", "pygments.css", "mystnb.*.css",
)  # fmt: skip
# Ours, of which only the comments and the indentation stay away.
OWN = (
    "icons", "privlib", "notebook", "ledger", "repaired", "api", "exercises", "benchmarks",
    "finish", "phone",
)  # fmt: skip
# What a page has -> the scripts of all pages that it needs for that.
NEEDED = {
    "claims-filter": ("find.js", "ledger.js"),
    '<table class="claims glossary': ("glossary.js",),
    '<p class="languages"': ("language.js",),
    '<div class="highlight': ("clipboard.min.js", "copybutton.js"),
    " dropdown": ("togglebutton.js",),
}
_CLASS = re.compile(r"\.(-?[a-zA-Z_](?:[\w-]|\\.)*)")
_ATTRIBUTE = re.compile(r'class="([^"]*)"')
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_HEAD = re.compile(r"[^{};]*")
# What a rule asks to be absent says nothing about what is used.
_WITHOUT = re.compile(r":not\((?:[^()]|\([^()]*\))*\)")
_PICTURE = re.compile(r'<img (?=[^>]*src="[^"]*/_images/([^"/]+\.png)")(?![^>]*loading=)')
# A variable of style sheets where it is set, and where it is asked for.
_SET = re.compile(r"""(?<=[{;])--([\w-]+)\s*:(?:"[^"]*"|'[^']*'|[^;}"'])*;?""")
_ASKED = re.compile(r"var\(\s*--([\w-]+)")
_STRING = re.compile(r"\"[^\"]*\"|'[^']*'|url\([^)]*\)|\[[^]]*\]")


def plain() -> set[str]:
    """Return the classes of words in code that look like names, in both themes."""
    styles = [get_style_by_name(name) for name in STYLES]
    return {
        short
        for token, short in STANDARD_TYPES.items()
        if token in Token.Name or token in Token.Text or token in Token.Punctuation
        if all(s.style_for_token(token) == s.style_for_token(Token.Name) for s in styles)
    }


class Sparse(HtmlFormatter):  # type: ignore[misc]
    """Highlighted code with elements only where a colour differs, except that of operators."""

    _plain = plain() | {"o"}  # operators, as many as names

    def format_unencoded(self, tokensource: Iterable[tuple[Any, str]], outfile: Any) -> None:
        """Write the words; those without a colour of their own count as text."""
        known, plain = STANDARD_TYPES.get, self._plain
        told = ((Token.Text if known(kind) in plain else kind, text) for kind, text in tokensource)
        super().format_unencoded(told, outfile)


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield each statement of a style sheet: what stands before its braces, and within them."""
    at = 0
    while at < len(text):
        head = _HEAD.match(text, at)
        assert head is not None  # it matches the empty text too
        at = head.end()
        if at == len(text) or text[at] in "};":  # such as @charset "UTF-8";
            yield head[0], ""
            at += 1
            continue
        depth, start = 0, at + 1
        while True:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
            if not depth:
                break
        yield head[0], text[start : at - 1]


def split(selectors: str) -> list[str]:
    """Return the selectors of a list; a comma within brackets parts none."""
    found, depth = [""], 0
    for sign in selectors:
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            found.append("")
        else:
            found[-1] += sign
    return found


def lighter(text: str, used: set[str]) -> str:
    """Return a style sheet without the rules for classes that are not in `used`."""
    kept = []
    for head, body in blocks(re.sub(r"/\*[^!].*?\*/", "", text, flags=re.DOTALL)):
        rule = re.sub(r"/\*.*?\*/", "", head, flags=re.DOTALL).strip()
        if rule.startswith(("@media", "@supports", "@layer", "@container")):
            if inner := lighter(body, used):
                kept.append(f"{head.strip()}{{{inner}}}")
        elif rule.startswith("@"):
            kept.append(f"{head.strip()}{{{body}}}" if body else f"{head.strip()};")
        elif body:
            asked = {
                s: set(_CLASS.findall(_STRING.sub("", _WITHOUT.sub("", s)))) for s in split(rule)
            }
            wanted = [s.strip() for s, classes in asked.items() if classes <= used]
            if wanted:
                notice = "".join(re.findall(r"/\*!.*?\*/", head, re.DOTALL))
                kept.append(f"{notice}{','.join(wanted)}{{{body}}}")
    return "".join(kept)


def late(body: str, pictures: Mapping[str, Path]) -> str:
    """Return a page whose pictures have their size and wait until they come near.

    Parameters
    ----------
    body : str
        HTML.
    pictures : mapping
        Name of the picture in ``_images`` -> the PNG file.
    """

    def sized(found: re.Match[str]) -> str:
        with pictures[found[1]].open("rb") as file:  # the header of a PNG file says its size
            width, height = struct.unpack(">16x2I", file.read(24))
        return f'{found[0]}loading="lazy" width="{width}" height="{height}" '

    return _PICTURE.sub(sized, body)


def idle(body: str) -> set[str]:
    """Return those of the scripts of all pages that have nothing to do on a page."""
    return {name for mark, names in NEEDED.items() if mark not in body for name in names}


def without_frames(live: str, keep: Callable[[bytes], str]) -> str:
    """Return the HTML of a live figure with its first frame, and the address of a script for all.

    Parameters
    ----------
    live : str
        As the notebook stored it.
    keep : callable
        Takes the script, keeps it and returns its address, from where the figure is shown.
    """

    def compact(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    before, data, after = re.split(r"(?<=json\">)(.*?)(?=</script>)", live, flags=re.DOTALL)
    told = json.loads(data)
    first = 0  # in the product of all sliders, the last one fastest
    for slider in told["sliders"]:
        first = first * len(slider["readouts"]) + slider["start"]
    script = f"privlib.frames[{compact(told['name'])}] = {compact(told['frames'])};\n"
    told["first"], told["frames"] = told["frames"][first], keep(script.encode())
    return before + compact(told).replace("</", "<\\/") + after


def used(html: Path) -> set[str]:
    """Return the classes and variables of all pages of a built book, all words of its scripts."""
    found: set[str] = set()
    for page in html.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        found.update(" ".join(_ATTRIBUTE.findall(text)).split(), _ASKED.findall(text))
    for script in (html / "_static").rglob("*.js"):
        if not {"mathjax", "vendor"} & set(script.parts) and "plotly" not in script.name:
            found.update(_WORD.findall(script.read_text(encoding="utf-8")))
    return found


def lighten(html: Path) -> None:
    """Write a built book's lighter style sheets into its ``_static/light``, its pictures anew."""
    for path in html.glob("_images/*.png"):
        before = path.read_bytes()
        if len(after := in_palette(before)) < len(before):
            path.write_bytes(after)
    static, known = html / "_static", used(html)
    folder = static / "light"
    folder.mkdir(exist_ok=True)
    kept = {}
    for sheet in (sheet for pattern in SHEETS for sheet in static.glob(pattern)):
        text = sheet.read_text(encoding="utf-8").replace("../basic.css", "basic.css")
        kept[folder / sheet.name] = lighter(text, known)
    others = [sheet.read_text(encoding="utf-8") for sheet in static.glob("*.css")]
    known.update(_ASKED.findall("".join([*kept.values(), *others])))
    for sheet, text in kept.items():
        sheet.write_text(_SET.sub(lambda s: s[0] if s[1] in known else "", text), encoding="utf-8")
    for sheet in (static / f"{name}.css" for name in OWN if (static / f"{name}.css").exists()):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        sheet.write_text(re.sub(r"\s*\n\s*", "\n", text).strip(), encoding="utf-8")
