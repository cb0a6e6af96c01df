"""What surrounds the text of every page: description, social tags, downloads, the first page.

A page's description is the one of its front matter (``myst: html_meta: description``), else its
opening paragraph: whole sentences, as many as fit. The tags for social networks repeat it. They
need the site's address; the book has no fixed one, so it comes from ``$PRIVLIB_BOOK_URL``, and
without it no address is written.

What is made of this, and what the theme writes otherwise than we want, is in ``book/_templates``.
"""

from __future__ import annotations

import html
import os
import posixpath
import re
import shutil
from pathlib import Path
from typing import Any, TypeAlias

import edition
import nbformat
import plain_notebook
import yaml
from docutils import nodes
from ledger import layout
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.writers.html5 import HTML5Translator as Writer

import privlib
from privlib.notebook.claims import PARTS

CARD = "_static/social-card.png"
FORMATS = {
    ".ipynb": "Executed notebook, for Jupyter",
    ".md": "Markdown (MyST), for reading and editing",
    ".py": "Plain Python (percent script), for editors and debuggers",
}
RUNNABLE = "runnable"
OTHERS = {
    "python": "https://docs.python.org/3",
    "numpy": "https://numpy.org/doc/stable",
    "scipy": "https://docs.scipy.org/doc/scipy",
    "networkx": "https://networkx.org/documentation/stable",
    "sympy": "https://docs.sympy.org/latest",
}
"""Books whose functions ours links to, if the builder asks for it."""
SHORTEST, LONGEST = 50, 200  # characters of a description
_SPECIAL = {
    "search": "Search all pages of the book: notebooks, ledger, errata, notation and glossary.",
    "genindex": "Alphabetical index of the terms and functions that the book defines.",
}
_TAG = re.compile(r"<[^>]+>")
Context: TypeAlias = dict[str, Any]
Document: TypeAlias = nodes.document | None


def set_address(app: Sphinx, config: Config) -> None:
    """Read the site's address, with one slash at its end, and what other books are told of it."""
    config.html_baseurl = edition.address("PRIVLIB_BOOK_URL")
    config.version = config.release = privlib.__version__
    # Sphinx looks for it from the folder that the build was started in.
    config.html_search_scorer = str(Path(app.srcdir, "book", "_static", "scorer.js"))


def set_launchers(_: Sphinx, config: Config) -> None:
    """Let the theme write the buttons of Colab and Binder, where there is a repository.

    Both open the notebooks of the branch ``runnable``, which have their directives flattened
    (`plain_notebook`); the workflow that publishes the book writes it.
    """
    repository = edition.address("PRIVLIB_REPOSITORY_URL")
    if repository.startswith("https://github.com/"):  # all that Colab opens
        config.html_theme_options |= {
            "repository_url": repository.rstrip("/"),
            "repository_branch": RUNNABLE,
            "launch_buttons": {
                "colab_url": "https://colab.research.google.com",
                "binderhub_url": "https://mybinder.org",
                "notebook_interface": "jupyterlab",
            },
        }


def link_others(app: Sphinx) -> None:
    """Link the functions of other packages, if ``$PRIVLIB_INTERSPHINX`` asks for it.

    Sphinx then fetches five lists of names. Without it the build needs no network, and a name of
    another package is text.
    """
    if os.environ.get("PRIVLIB_INTERSPHINX"):
        app.setup_extension("sphinx.ext.intersphinx")
        mapping = {name: (url, None) for name, url in OTHERS.items()}

        def link(_: Sphinx, config: Config) -> None:
            config.intersphinx_mapping = mapping

        app.connect("config-inited", link)


def tell_edition(app: Sphinx, _: str, __: str, context: Context, doctree: object) -> None:
    """Say which edition the page belongs to; ``author.html`` writes it."""
    made = app.env.temp_data
    if "edition" not in made:
        made["edition"] = edition.edition(Path(app.srcdir))
    context["edition"] = made["edition"]


def opening(doctree: nodes.document, title: str) -> str:
    """Return the page's opening paragraphs, cut at the end of a sentence or at a word."""
    boxes = (nodes.Admonition, nodes.table, nodes.figure, nodes.footnote, nodes.list_item)
    text = ""
    for paragraph in doctree.findall(nodes.paragraph):
        parent = paragraph.parent
        while parent is not None and not isinstance(parent, boxes):
            parent = parent.parent
        if parent is None:
            # Formulas stand as they are typed, without their backslashes and braces.
            words = re.sub(r"[\\{}]", "", paragraph.astext()).split()
            text = " ".join([*text.split(), *words])
        if len(text) >= SHORTEST and not text.endswith(":"):
            break
    if len(text) < SHORTEST:
        text = f"{title}. {text} A page of privlib, a book on four papers and a note on privacy."
    if len(text) <= LONGEST:
        return text
    ends = [m.end() for m in re.finditer(r"[.?!](?= )", text) if SHORTEST <= m.end() <= LONGEST]
    return text[: ends[-1]] if ends else text[: LONGEST - 1].rpartition(" ")[0] + "…"


def describe(app: Sphinx, pagename: str, _: str, context: Context, doctree: Document) -> None:
    """Say what the page is; ``social.html`` writes it."""
    title = html.unescape(_TAG.sub("", context.get("title", ""))) or pagename.capitalize()
    if pagename == "index":  # it sends readers on to the first page, and says what that says
        doctree = app.env.get_doctree(app.config.root_doc)
        title = app.env.titles[app.config.root_doc].astext()
    metas = doctree.findall(nodes.meta) if doctree else ()
    given = next((str(m["content"]) for m in metas if m.get("name") == "description"), "")
    text = given or (opening(doctree, title) if doctree else _SPECIAL.get(pagename, ""))
    text = text or f"{title}: an index of the book privlib, with links."
    base = app.config.html_baseurl
    card = f"{base}{CARD}" if base else context["pathto"](CARD, 1)
    context["social"] = {"title": title, "description": text, "card": card}
    context["is_described"] = given and pagename != "index"  # by a tag of its front matter


def offer_downloads(app: Sphinx, pagename: str, _: str, context: Context, doctree: object) -> None:
    """Offer a notebook in three formats, and the source of other pages, in one menu.

    The ``.ipynb`` is made for any program that opens notebooks (see `plain_notebook`); the text
    formats are those of the repository.
    """
    if doctree is None:
        return
    root = Path(app.srcdir)
    suffixes = list(FORMATS) if pagename.startswith("notebooks/") else [".md"]
    for suffix in suffixes:
        source = root / f"{pagename}{suffix}"
        target = Path(app.outdir) / "_sources" / f"{pagename}{suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        if suffix == ".ipynb":
            notebook = plain_notebook.plain(nbformat.read(source, 4), pagename, book_of(app))
            nbformat.write(notebook, target)
        else:
            shutil.copyfile(source, target)
    link = context["pathto"]
    context["downloads"] = [
        (link(f"_sources/{pagename}{suffix}", 1), suffix, FORMATS[suffix]) for suffix in suffixes
    ]


def book_of(app: Sphinx) -> plain_notebook.Book:
    """Return what a downloaded notebook has to know of the book.

    It installs the package from the repository, or, as long as there is no address of one, from the
    folder that the book was built from.
    """
    made = app.env.temp_data
    if "plain book" not in made:
        root = Path(app.srcdir)
        repository = edition.edition(root).repository
        place = f"git+{repository.rstrip('/')}" if repository else root.resolve().as_uri()
        install = f'"privlib-book[notebooks] @ {place}"'
        made["plain book"] = plain_notebook.Book(root, app.config.html_baseurl, install)
    book: plain_notebook.Book = made["plain book"]
    return book


def number(app: Sphinx, doctree: nodes.document) -> None:
    """Begin a page's title with its part and number, wherever the title is shown."""
    name = app.env.docname
    if name.startswith("notebooks/") and layout.number_of(name) and not layout.is_evidence(name):
        title = next(doctree.findall(nodes.title))
        part = layout.part_of(name).capitalize()
        title.insert(0, nodes.Text(f"{part} {layout.number_of(name)} · "))


def number_within_page(_: Sphinx, env: BuildEnvironment) -> list[str]:
    """Number the figures, definitions, theorems and exercises of each page from 1.

    Sphinx counts them through the whole book, and a reader of page 3 would meet Theorem 32.
    """
    for kinds in env.toc_fignumbers.values():
        for places in kinds.values():
            for count, identifier in enumerate(places, start=1):
                places[identifier] = (count,)
    return []


MOVED = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>This page has moved</title>
<meta http-equiv="refresh" content="0; url={link}"><link rel="canonical" href="{link}">
<script>location.replace("{link}" + location.hash)</script></head>
<body><p>This page has moved: <a href="{link}">{link}</a></p></body></html>
"""


def write_moved(app: Sphinx, error: Exception | None) -> None:
    """Let the old addresses of pages lead to the new ones (``book/moved.yml``)."""
    if error is not None or app.builder.format != "html":
        return
    moved = yaml.safe_load(Path(app.srcdir, "book", "moved.yml").read_text(encoding="utf-8"))
    for old, new in moved.items():
        if new not in app.env.all_docs:
            raise ExtensionError(f"book/moved.yml: {old} leads to {new}, which is no page")
        target = Path(app.outdir) / f"{old}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        link = posixpath.relpath(f"{new}.html", posixpath.dirname(old))
        target.write_text(MOVED.format(link=link), encoding="utf-8")


def lead_on(app: Sphinx, pagename: str, _: str, context: Context, doctree: Document) -> None:
    """Let *Next* on the first page lead to the first part, past the pages that are asides."""
    pair = app.config.root_doc, f"book/{next(iter(PARTS.values()))}"
    for name, other, side in ((*pair, "next"), (*reversed(pair), "prev")):
        if pagename == name and doctree:
            link = app.builder.get_relative_uri(name, other)
            context[side] = {"link": link, "title": app.env.titles[other].astext()}


def visit_citation(writer: Writer, node: nodes.citation) -> None:
    """Begin an entry of the bibliography as an item of its list: docutils' role for it is gone."""
    Writer.visit_citation(writer, node)
    writer.body[-1] = writer.body[-1].replace("doc-biblioentry", "listitem")


def setup(app: Sphinx) -> None:
    """Connect to the build."""
    app.add_node(nodes.citation, override=True, html=(visit_citation, Writer.depart_citation))
    app.connect("config-inited", set_address)
    app.connect("config-inited", set_launchers)
    link_others(app)
    for tell in (tell_edition, describe, offer_downloads, lead_on):
        app.connect("html-page-context", tell)
    app.connect("env-get-updated", number_within_page, priority=900)  # after Sphinx has counted
    app.connect("doctree-read", number, priority=100)  # before titles are collected
