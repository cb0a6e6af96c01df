"""What surrounds the text of every page: description, social tags, downloads, the first page.

A page's description is the one of its front matter (``myst: html_meta: description``), else its
opening paragraph: whole sentences, as many as fit. The tags for social networks repeat it
(sphinxext-opengraph). They need the site's address; the book has no fixed one, so it comes from
``$PRIVLIB_BOOK_URL``, and without it no address is written.
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
from sphinxext.opengraph import get_meta_description, make_tag

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
    "py-modindex": "Alphabetical list of the modules of privlib, with links to their reference.",
}
_TAG = re.compile(r"<[^>]+>")
_KEPT = re.compile(r'<title>.*?</title>|<meta (?:[^>]*name="description"|property="og:)[^>]*>')
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


def describe(
    app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the description, and what sphinxext-opengraph is to say of the page; runs before it."""
    title = html.unescape(_TAG.sub("", context.get("title", ""))) or pagename.capitalize()
    text = get_meta_description(context.get("metatags", ""))
    if not text:
        text = (
            opening(doctree, title)
            if doctree is not None
            else _SPECIAL.get(pagename, f"{title}: an index of the book privlib, with links.")
        )
        context["metatags"] = context.get("metatags", "") + make_tag(
            "description", html.escape(text), "name"
        )
    address = app.config.ogp_site_url
    card = f"{address}{CARD}" if address else context["pathto"](CARD, 1)
    if doctree is not None:
        context["meta"] = {
            **(context.get("meta") or {}),
            "og:description": html.escape(text),
            "og:image": card,
            "og:image:alt": CARD_ALT,
        }
    else:
        tags = {
            "og:title": title,
            "og:type": "website",
            "og:description": text,
            "og:image": card,
            "og:image:alt": CARD_ALT,
        }
        context["metatags"] += "\n".join(make_tag(k, html.escape(v)) for k, v in tags.items())


def drop_address(
    app: Sphinx, _pagename: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Without an address of the site, say none; runs after sphinxext-opengraph."""
    if not app.config.ogp_site_url:
        context["metatags"] = _URL.sub("", context["metatags"])


def offer_faces(
    app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Offer a notebook's three faces in the theme's download menu; other pages: their source."""
    if doctree is None or not app.env.doc2path(pagename).endswith(".ipynb"):
        return
    name = pagename.rpartition("/")[2]
    links = []
    for suffix, tooltip in FACES.items():
        source = Path(app.srcdir) / f"{pagename}{suffix}"
        target = Path(app.outdir) / "_sources" / f"{pagename}{suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        links.append(
            {
                "type": "link",
                # The theme's template writes the address as it is, so the attribute can follow it.
                "url": f'{context["pathto"]("_sources", 1)}/{pagename}{suffix}" '
                f'download="{name}{suffix}',
                "text": suffix,
                "tooltip": tooltip,
                "icon": "fas fa-file-code" if suffix == ".py" else "fas fa-file",
                "label": f"download-face-{suffix[1:]}",
            }
        )
    for button in context.get("header_buttons", []):
        if button.get("label") == "download-buttons":
            kept = [b for b in button["buttons"] if b["type"] == "javascript"]
            button["buttons"] = [*links, *kept]


def name_arrows(page: str) -> str:
    """Name the arrows that open a part in the sidebar; the theme leaves them without a name."""
    return page.replace(
        '<summary><span class="toctree-toggle"',
        '<summary aria-label="Pages of this part"><span class="toctree-toggle"',
    )


def write_first_page(app: Sphinx, error: Exception | None) -> None:
    """Send readers of ``index.html`` on, with a title, a description and a link."""
    if error is not None or app.builder.format != "html":
        return
    root = f"{app.config.root_doc}.html"
    page = Path(app.outdir) / root
    head = page.read_text(encoding="utf-8").partition("</head>")[0]
    tags = "\n".join(_KEPT.findall(head)).replace(f'"../{CARD}"', f'"{CARD}"')
    (Path(app.outdir) / "index.html").write_text(
        f'<!DOCTYPE html>\n<html lang="{app.config.language}">\n<head>\n<meta charset="utf-8">\n'
        f'{tags}\n<meta http-equiv="refresh" content="0; url={root}">\n</head>\n'
        f'<body><p><a href="{root}">Read the book.</a></p></body>\n</html>\n',
        encoding="utf-8",
    )


def setup(app: Sphinx) -> None:
    """Connect to the build, before and after the theme and sphinxext-opengraph (500)."""
    app.connect("config-inited", set_address)
    app.connect("html-page-context", describe, priority=400)
    app.connect("html-page-context", drop_address, priority=600)
    app.connect("html-page-context", offer_faces, priority=900)
    app.connect("build-finished", write_first_page, priority=900)
