"""What surrounds the text of every page: description, social tags, downloads, the first page.

A page's description is the one of its front matter (``myst: html_meta: description``), else its
opening paragraph: whole sentences, as many as fit. The tags for social networks repeat it
(sphinxext-opengraph). They need the site's address; the book has no fixed one, so it comes from
``$PRIVLIB_BOOK_URL``, and without it no address is written.

What the theme writes otherwise than we want is in ``book/_templates``.
"""

from __future__ import annotations

import html
import os
import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

CARD = "_static/social-card.png"
CARD_ALT = "Two neighbouring Laplace densities; where they cross they draw a check mark."
FACES = {
    ".ipynb": "Executed notebook, for Jupyter",
    ".md": "Markdown (MyST), for reading and editing",
    ".py": "Plain Python (percent script), for editors and debuggers",
}
SHORTEST, LONGEST = 50, 200  # characters of a description
_SPECIAL = {
    "search": "Search all pages of the book: notebooks, ledger, errata, notation and glossary.",
    "genindex": "Alphabetical index of the terms and functions that the book defines.",
}
_TAG = re.compile(r"<[^>]+>")
_URL = re.compile(r'<meta property="og:url"[^>]*>\n?')


def set_address(_: Sphinx, config: Config) -> None:
    """Read the site's address, with one slash at its end."""
    address = os.environ.get("PRIVLIB_BOOK_URL", "").strip()
    if address and not re.match(r"https?://[^/]+", address):
        raise ValueError(f"PRIVLIB_BOOK_URL must begin with http:// or https://, got {address!r}")
    config.ogp_site_url = config.html_baseurl = address.rstrip("/") + "/" if address else ""


def _plain(node: nodes.Node) -> str:
    """Text of a paragraph; formulas as they are typed, without their backslashes and braces."""
    text = re.sub(r"[\\{}]", "", node.astext())
    return " ".join(text.split())


def opening(doctree: nodes.document, title: str) -> str:
    """Return the page's opening paragraphs, cut at the end of a sentence or at a word."""
    boxes = (nodes.Admonition, nodes.table, nodes.figure, nodes.footnote, nodes.list_item)
    text = ""
    for paragraph in doctree.findall(nodes.paragraph):
        parent = paragraph.parent
        while parent is not None and not isinstance(parent, boxes):
            parent = parent.parent
        if parent is None:
            text = f"{text} {_plain(paragraph)}".strip()
        if len(text) >= SHORTEST and not text.endswith(":"):
            break
    if len(text) < SHORTEST:
        text = f"{title}. {text} A page of the book privlib on five papers about data privacy."
    if len(text) <= LONGEST:
        return text
    ends = [m.end() for m in re.finditer(r"[.?!](?= )", text) if SHORTEST <= m.end() <= LONGEST]
    return text[: ends[-1]] if ends else text[: LONGEST - 1].rpartition(" ")[0] + "…"


def _given(doctree: nodes.document) -> str:
    """Return the description that the page's front matter gives."""
    metas = (m for m in doctree.findall(nodes.meta) if m.get("name") == "description")
    return next((m["content"] for m in metas), "")


def describe(
    app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the description, and what sphinxext-opengraph is to say of the page; runs before it."""
    title = html.unescape(_TAG.sub("", context.get("title", ""))) or pagename.capitalize()
    address, root = app.config.ogp_site_url, app.config.root_doc
    if pagename == "index":  # it sends readers on to the first page, and says what that says
        title = context["title"] = app.env.titles[root].astext()
        text = _given(app.env.get_doctree(root)) or opening(app.env.get_doctree(root), title)
    elif doctree is None:
        text = _SPECIAL.get(pagename, f"{title}: an index of the book privlib, with links.")
    else:
        text = _given(doctree) or opening(doctree, title)
    card = f"{address}{CARD}" if address else context["pathto"](CARD, 1)
    social = {"og:description": text, "og:image": card, "og:image:alt": CARD_ALT}
    tags = []
    if doctree is None:
        social |= {"og:title": title, "og:type": "website"}
        tags = [("property", name, value) for name, value in social.items()]
    else:
        context["meta"] = {
            **(context.get("meta") or {}),
            **{name: html.escape(value) for name, value in social.items()},
        }
    if doctree is None or not _given(doctree):
        tags.append(("name", "description", text))
    context["metatags"] = context.get("metatags", "") + "".join(
        f'<meta {kind}="{name}" content="{html.escape(value)}" />\n' for kind, name, value in tags
    )


def drop_address(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Without an address of the site, say none; runs after sphinxext-opengraph."""
    if not app.config.ogp_site_url:
        context["metatags"] = _URL.sub("", context["metatags"])


def offer_downloads(
    app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Offer a notebook's three faces, and the source of other pages, in one menu."""
    if doctree is None:
        return
    suffixes = list(FACES) if pagename.startswith("notebooks/") else [".md"]
    for suffix in suffixes:
        target = Path(app.outdir) / "_sources" / f"{pagename}{suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(app.srcdir) / f"{pagename}{suffix}", target)
    context["faces"] = [
        (context["pathto"](f"_sources/{pagename}{suffix}", 1), suffix, FACES[suffix])
        for suffix in suffixes
    ]


def setup(app: Sphinx) -> None:
    """Connect to the build, before and after the theme and sphinxext-opengraph (500)."""
    app.connect("config-inited", set_address)
    app.connect("html-page-context", describe, priority=400)
    app.connect("html-page-context", drop_address, priority=600)
    app.connect("html-page-context", offer_downloads, priority=900)
