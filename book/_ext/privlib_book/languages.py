"""The Japanese side of the book: pages in Japanese, links between the languages, words to search.

A page is in Japanese in one of two ways. Pages of claims hold both languages, and ``page.js`` shows
one (``class="languages"``). A page of prose has a page of its own: its front matter says
``lang: ja``, and ``english`` and ``japanese`` name the page in the other language.

The search of Sphinx splits texts where a word ends, and Japanese does not show that: a word of two
letters is found only if it stands alone. So a page with Japanese gets its words once more, alone,
where only the index sees them. Statements of the repaired papers stand in the ledger, too, and are
indexed there (``indexed: words`` in the front matter keeps them out).
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import glossary
from docutils import nodes
from ledger import exports, japanese
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator as Writer

_RUNS = re.compile(
    r"[\u4e00-\u9fff々]{2,}|[\u30a1-\u30fa\u30fc]{2,}"
)  # words of kanji, of katakana
_ALSO = {"ベイジアン": "ベイズ", "ラプラシアン": "ラプラス", "プライバシ": "プライバシー"}
_TAG = re.compile(r"<[^>]*>")
_JAPANESE = re.compile(r'<(\w+) class="in-ja"[^>]*>(.*?)</\1>', re.DOTALL)


class Unindexed(nodes.General, nodes.Element):  # type: ignore[misc]
    """HTML that the search does not read."""


class SearchWords(nodes.General, nodes.Element):  # type: ignore[misc]
    """Words that the search finds on a page and nobody sees."""


def visit_unindexed(writer: Writer, node: Unindexed) -> None:
    """Write the HTML as it is."""
    writer.body.append(node["html"])


def leave(_: Writer, __: nodes.Element) -> None:
    """Write nothing."""


def skip(_: Writer, __: nodes.Element) -> None:
    """Write nothing, and nothing of what is in it."""
    raise nodes.SkipNode


def japanese_of(doctree: nodes.document, *, whole: bool) -> Iterator[str]:
    """Return the Japanese texts of a page: all of it, or what stands beside the English."""
    for raw in doctree.findall(nodes.raw):
        for _, text in _JAPANESE.findall(raw.astext()):
            yield html.unescape(_TAG.sub("", text))
    if whole:
        yield doctree.astext()
    for box in doctree.findall(nodes.container):
        if "in-ja" in box["classes"]:
            yield box.astext()


def part_of_page(name: str) -> str:
    """Return the part that a page of the book is about: its own page, its ledger, its paper."""
    part = re.fullmatch(r"book/(?:ledger/|repaired/)?(\w+)", name)
    return part[1] if part and part[1] in japanese.PARTS else ""


def words_of(root: Path, name: str, texts: list[str]) -> set[str]:
    """Return the Japanese words by which a page is found."""
    part = part_of_page(name)
    if part:
        texts = [*texts, japanese.PARTS[part], japanese.AUTHORS[part]]
        texts.append(exports.papers(root)[part]["title"])
    text = "\n".join(texts)
    words = {form for term in glossary.read(root) for form in term.ja if form in text}
    words |= {
        name for names in japanese.AUTHORS.values() for name in names.split("・") if name in text
    }
    words |= {also for word, also in _ALSO.items() if word in text}
    return words | set(_RUNS.findall(text))


def add_words(app: Sphinx, doctree: nodes.document) -> None:
    """Give the search the Japanese words of a page, and its title, which leads to the Japanese."""
    name = app.env.docname
    metadata = app.env.metadata[name]
    texts = list(japanese_of(doctree, whole=metadata.get("lang") == "ja"))
    title = next(doctree.findall(nodes.title), None)
    english = title.astext() if title else ""
    words = sorted(words_of(Path(app.srcdir), name, [*texts, japanese.TITLES.get(english, "")]))
    if texts or part_of_page(name):
        box = SearchWords()
        if english in japanese.TITLES:
            box["ids"] = ["ja"]
            box += nodes.title("", japanese.TITLES[english])
        box += nodes.inline("", " ".join(words))
        doctree += box
    if metadata.get("indexed") == "words":
        for raw in list(doctree.findall(nodes.raw)):
            raw.replace_self(Unindexed(html=raw.astext()))


def other_language(app: Sphinx, name: str, body: str) -> str:
    """Return a page with its language and a link to its other language, where it has one."""
    metadata = app.env.metadata.get(name, {})
    link = ""
    for key, code, words in (("japanese", "ja", "日本語で読む"), ("english", "en", "In English")):
        if other := metadata.get(key):
            uri = app.builder.get_relative_uri(name, other)
            link = (
                f'<p class="other-language"><a href="{uri}" lang="{code}" hreflang="{code}">'
                f"{words}</a></p>\n"
            )
    body = body.replace("<h1>", f"{link}<h1>", 1)
    if language := metadata.get("lang"):
        body = f'<div lang="{language}">\n{body}</div>\n'
    return body


def title_neighbours(context: dict[str, Any]) -> None:
    """Give the links to the pages before and after a title in both languages."""
    for side in ("prev", "next"):
        if neighbour := context.get(side):
            context[f"{side}_title"] = japanese.in_both(neighbour["title"])


def check_others(_: Sphinx, env: BuildEnvironment) -> None:
    """Refuse a page whose other language is no page."""
    for name, metadata in env.metadata.items():
        for key in ("japanese", "english"):
            if (other := metadata.get(key)) and other not in env.all_docs:
                raise ExtensionError(f"{name}: {other} is no page")


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.add_node(Unindexed, html=(visit_unindexed, leave))
    app.add_node(SearchWords, html=(skip, leave))
    app.connect("doctree-read", add_words)
    app.connect("env-check-consistency", check_others)
