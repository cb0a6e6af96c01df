"""What a reader sees of a page: numbers that do not break, folds, figures in the dark, the index.

The texts stay as they are typed; this is done when a page is read or written.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from docutils import nodes
from ledger import layout
from sphinx import addnodes
from sphinx.application import Sphinx

NO_BREAK = "\N{NO-BREAK SPACE}"
# A number and its unit, or a name and its number; a percent sign follows its number directly.
_PERCENT = re.compile(r"(?<=\d)[ \u00a0\u202f]%")
_UNIT = re.compile(
    r"(?<=\d) (?=(?:B|kB|MB|GB|ms|s|min|h|bits?|bytes|px|mm|cm|m|km|points?)\b(?!['’]))"
)
_NUMBERED = re.compile(
    r"\b(Theorem|Proposition|Definition|Corollary|Algorithm|Equation|Section|Figure|Exercise|"
    r"equation|section|chapter|sentence|formula|Lemma|Table|Claim|page|line) (?=\(?[A-Z]?\d)"
)
_RELATION = re.compile(r"(?<=\w) ([=≤≥<>≈]) (?=[−-]?\d)")
_MINUS = re.compile(r"(?<![\w)\]}.-])-(?=\.?\d)")
_LABEL = '<summary aria-label="Toggle hidden content">'
_CELL = re.compile(r"<td(?P<how>[^>]*)>(?P<text>[^<]*)</td>")
_NUMBERS = re.compile(r'<table class="numbers[^>]*>.*?</table>', re.DOTALL)
_FIRST = re.compile(r"(<tr[^>]*>\s*<t[dh])(?=[^>]*>[^<]{1,28}</t[dh]>)")
_SHADES = re.compile(r"\b(?:black|white|dark\w*|light\w*|pale\w*|bright\w*)\b", re.IGNORECASE)
_LITERAL = (
    nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.image,
    nodes.title,  # which a search compares with what is typed
)  # fmt: skip


def unbroken(text: str) -> str:
    """Keep a number together with its unit, its name and its sign.

    Examples
    --------
    >>> unbroken("1.1 % of Theorem 5.3, 3 km, ε = 0.1, from -2 to 4").replace(NO_BREAK, "_")
    '1.1% of Theorem_5.3, 3_km, ε_=_0.1, from −2 to 4'
    """
    text = _PERCENT.sub("%", text)
    text = _UNIT.sub(NO_BREAK, text)
    text = _NUMBERED.sub(rf"\1{NO_BREAK}", text)
    text = _RELATION.sub(rf"{NO_BREAK}\1{NO_BREAK}", text)
    return _MINUS.sub("−", text)


def keep_together(_: Sphinx, doctree: nodes.document) -> None:
    """Do so in the words of a page, not in code, formulas, titles or what is written in HTML."""
    for text in list(doctree.findall(nodes.Text)):
        parent: Any = text.parent
        if isinstance(parent, nodes.reference) and text == parent.get("refuri"):
            continue
        while parent is not None and not isinstance(parent, _LITERAL):
            parent = parent.parent
        if parent is None and (new := unbroken(str(text))) != text:
            text.parent.replace(text, nodes.Text(new))


def _folded(node: Any) -> bool:
    return (
        isinstance(node, nodes.container)
        and node.get("nb_element") == "cell_code"
        and node.get("hide_mode") == "input"
    )


def merge_folds(_: Sphinx, doctree: nodes.document) -> None:
    """Show folded cells that follow each other, with nothing to see between them, as one fold."""
    for section in list(doctree.findall(nodes.Element)):
        for first, second in pairwise(list(section.children)):
            if _folded(first) and _folded(second) and len(first.children) == 1:
                source = second.children[0]
                for code in reversed(first.children[0].children):
                    source.insert(0, code)
                second["ids"] = [*first["ids"], *second["ids"]]
                section.remove(first)


def show_in_the_dark(_: Sphinx, doctree: nodes.document) -> None:
    """Mark pictures whose captions speak of light and dark: on a dark page these keep their paper.

    The others are inverted there by the style sheet, which keeps their hues. Alternative texts do
    not count: who hears them does not see which of the two is shown.
    """
    for image in doctree.findall(nodes.image):
        box = image.parent
        while box is not None and not isinstance(box, nodes.figure):
            box = box.parent
        captions = box.findall(nodes.caption) if box is not None else []
        if any(_SHADES.search(caption.astext()) for caption in captions):
            image["classes"].append("on-paper")


def index_definitions(app: Sphinx, doctree: nodes.document) -> None:
    """Put what a page of the course defines into the index, which the search asks first."""
    name = app.env.docname
    if not name.startswith("notebooks/") or not layout.number_of(name):
        return
    for box in list(doctree.findall(nodes.Element)):
        if box.get("realtype") != "definition" or not box["ids"]:
            continue
        title = box["title"].strip().removeprefix("(").removesuffix(")")  # of sphinx-proof
        title = re.sub(r"\$[^$]*\$-?", "", title)
        title = re.sub(r"\s*\([^()]*\)\s*$", "", title).strip()
        for term in filter(None, re.split(r", (?=\w)", title)):
            entry = ("single", term.replace(";", ","), box["ids"][0], "main", None)
            box.parent.insert(box.parent.index(box), addnodes.index(entries=[entry]))
            # The index of the book has been told of this page before.
            app.env.get_domain("index").data["entries"].setdefault(name, []).append(entry)


def written(body: str) -> str:
    """Finish the HTML of a page: what folds are called, and the cells of tables of numbers."""
    # The label would hide the visible words from screen readers.
    body = body.replace(_LABEL, "<summary>")

    def table(match: re.Match[str]) -> str:
        signed = _CELL.sub(lambda m: f"<td{m['how']}>{unbroken(m['text'])}</td>", match[0])
        return _FIRST.sub(r'\1 data-short=""', signed)

    return _NUMBERS.sub(table, body)


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    for finish in (keep_together, show_in_the_dark, index_definitions, merge_folds):
        app.connect("doctree-read", finish, priority=50)  # before titles and index are collected
