"""What pages take from the executed notebooks: values, figures, exercises, terms.

A page of prose never repeats a number or a picture of a notebook by hand. It asks for it by name,
and gets what the last execution stored; a name that no notebook has is an error of the build.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import glossary
from docutils import nodes
from glossary import Term
from ledger import evidence, japanese, layout
from ledger.evidence import LEVELS, Evidence, Figure
from markupsafe import Markup
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from privlib.notebook.claims import PARTS, anchor

from .base import Page, ask, shows
from .ledger import bilingual

# A sentence ends before a capital, a formula or emphasis, and never inside a formula.
_SENTENCE = re.compile(r"(?:\$[^$]*\$|[^$])+?[.?!](?=\s+[A-Z$*]|\s*$)")


# --- values and figures ---------------------------------------------------------------------------


def number_of(root: Path, name: str, source: str) -> str:
    """Return a number as it stands in the text of a notebook.

    Parameters
    ----------
    root : Path
    name : str
        ``notebooks/part/NN-slug``.
    source : str
        What stands in the comment behind the number, without the braces.

    Raises
    ------
    ValueError
        If there is no evidence of such a notebook, or its text has no such number.
    """
    numbers = evidence.notebook(root, name).numbers
    if source not in numbers:
        raise ValueError(f"the text of {name} has no number {{{source}}}")
    return numbers[source]


class Stored(SphinxRole):
    """``{stored}`notebooks/part/name source` ``: a number of a notebook's text, on another page."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Put the value into the text."""
        name, _, source = self.text.partition(" ")
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(evidence.path_of(root, name)))
        try:
            return [nodes.Text(number_of(root, name, source))], []
        except ValueError as error:
            message = self.inliner.reporter.error(f"stored: {error}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]


class _WithPictures(Page):
    """A directive that shows what notebooks drew."""

    def kept(self, content: bytes, suffix: str) -> str:
        """Write a file that goes with the page; return its path as seen from the root."""
        digest = hashlib.sha256(content).hexdigest()[:16]
        path = Path(self.env.doctreedir).parent / "notebook-figures" / f"{digest}{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return Path(os.path.relpath(path, self.root)).as_posix()

    def picture(self, notebook: str, label: str, **how: str) -> tuple[nodes.image, Figure]:
        uri = "/" + self.kept(evidence.picture(self.root, notebook, label), ".png")
        figure = next(f for f in evidence.notebook(self.root, notebook).figures if f.label == label)
        return nodes.image(uri=uri, alt=figure.alt, **how), figure


class NotebookFigure(_WithPictures):
    """A figure of a notebook on another page, with its caption and a link to where it is drawn."""

    def run(self) -> list[nodes.Node]:
        name, label = self.words
        self.depends_on(evidence.path_of(self.root, name))
        try:
            picture, figure = self.picture(name, label, width="100%")
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from None
        shown = nodes.figure("", picture, align="center")
        # A plain link: the target's label is not among the ids that MyST can resolve across pages.
        link = nodes.reference("", "Drawn here.", refuri=f"{self.uri(name)}#{label}")
        words = self.parse_text_to_nodes(figure.caption)[0].children
        shown += nodes.caption("", "", *words, nodes.Text(" "), link)
        return [shown]


class Gallery(_WithPictures):
    """Every live figure of a part; a line ``name: words`` is what stands above one here."""

    def run(self) -> list[nodes.Node]:
        every = [(notebook, f) for notebook in self.pages(self.part) for f in notebook.figures]
        return [self._section(notebook, figure) for notebook, figure in every if figure.live]

    def _section(self, notebook: Evidence, figure: Figure) -> nodes.section:
        live = evidence.live_markup(self.root, notebook.name, figure.label)
        context = {"live": Markup(live), "notebook": notebook}
        context |= {"picture": self.picture(notebook.name, figure.label)[0], "figure": figure}
        shown = self.render("interactive-gallery", **context)
        words = [c for p in self.parse_text_to_nodes(figure.section) for c in p.children]
        name = figure.label.removeprefix("fig-")
        return nodes.section("", nodes.title("", "", *words), *shown, ids=[f"gallery-{name}"])


class Results(_WithPictures):
    """Results of the research notes: a line ``label of a figure: result``, strongest first."""

    def run(self) -> list[nodes.Node]:
        notes = [notebook for notebook in self.pages() if layout.is_note(notebook.name)]
        drawn_in = {figure.label: notebook for notebook in notes for figure in notebook.figures}
        rows = []
        for line in self.content:
            label, _, result = line.partition(": ")
            if label not in drawn_in:
                raise self.error(f"{self.name}: no research note has a figure {label!r}")
            notebook = drawn_in[label]
            rows.append((label, self.picture(notebook.name, label)[0], result, notebook))
        shown = {notebook.name for _, _, _, notebook in rows}
        missing = [notebook.name for notebook in notes if notebook.name not in shown]
        if missing:
            raise self.error(f"{self.name}: no line for {', '.join(missing)}")
        return self.render("research-results", rows=rows)


def add_scripts(app: Sphinx, _: str, __: str, context: dict[str, Any], doctree: object) -> None:
    """Load plotly and our script on pages with a live figure, and nowhere else."""
    if '<div class="privlib-interactive"' in context.get("body", ""):
        for script in ("vendor/plotly-cartesian.min.js", "figures.js"):
            app.add_js_file(script, loading_method="defer")


# --- exercises and reading ------------------------------------------------------------------------


def beginning(text: str) -> str:
    """Return the first sentence; if it is a short one, those after it until there is enough."""
    flat, end = " ".join(text.split()), 0
    for sentence in _SENTENCE.finditer(flat):
        end = sentence.end()
        if end >= 120:  # characters
            break
    return flat[:end] or flat


@shows("exercise-count")
def exercise_count(page: Page) -> Mapping[str, Any]:
    """Count the exercises of each part by level."""
    every = [(n.part, e.level) for n in page.pages() for e in n.exercises]
    counts = {p: [every.count((p, level)) for level in LEVELS] for p in PARTS.values()}
    rows = [(f"{{ref}}`exercises-{part}`", row) for part, row in counts.items()]
    rows.append(("together", [sum(column) for column in zip(*counts.values())]))
    return {"levels": LEVELS, "rows": [(f"exercise-count-{k}", r) for k, r in enumerate(rows)]}


@shows("exercise-index")
def exercise_index(page: Page) -> Mapping[str, Any]:
    """Show the exercises of a part by level."""
    every = [(notebook, e) for notebook in page.pages(page.part) for e in notebook.exercises]
    every.sort(key=lambda pair: LEVELS.index(pair[1].level))
    return {"rows": [(f"index-{p[1].label}", p) for p in every], "beginning": beginning}


@shows("exercise-list")
def exercise_list(page: Page) -> Mapping[str, Any]:
    """Show exercises by label, each with its page, number, title and level."""
    known = {e.label: (notebook, e) for notebook in page.pages() for e in notebook.exercises}
    if unknown := [label for label in page.words if label not in known]:
        raise ValueError(f"no exercise {', '.join(unknown)}")
    return {"exercises": [known[label] for label in page.words]}


def _pages_named(page: Page, name: str) -> list[Evidence]:
    """Return the page ``part/NN-slug`` or the note ``research/part-topic``, or a whole course."""
    found = []
    for notebook in page.pages():
        course = "" if layout.is_note(notebook.name) else notebook.part
        if name in (course, notebook.name.removeprefix("notebooks/")):
            found.append(notebook)
    return found


@shows("reading-list")
def reading_list(page: Page) -> Mapping[str, Any]:
    """Show notebooks (``part/slug`` or a whole part) with their minutes, and the sum of these."""
    chosen: list[Evidence] = []
    for name in page.content:
        named = _pages_named(page, name)
        if not named:
            raise ValueError(f"no notebook {name}")
        chosen += named
    return {"notebooks": chosen, "total": sum(n.minutes for n in chosen)}


def afternoon(root: Path) -> list[str]:
    """Return the notebooks of the afternoon, in the order of the list on the first page."""
    text = (root / "book" / "intro.md").read_text(encoding="utf-8")
    listed = text.partition("## An afternoon\n")[2].partition("```{reading-list}\n")[2]
    return [f"notebooks/{name}" for name in listed.partition("\n```")[0].split()]


def go_on_with_afternoon(app: Sphinx, doctree: nodes.document) -> None:
    """End each page of the afternoon with a line that leads to the next of them."""
    name = app.env.docname
    if not name.startswith("notebooks/") or layout.is_evidence(name):
        return
    pages = ask(app.env, afternoon)
    if name not in pages:
        return
    plan = f"{app.builder.get_relative_uri(name, app.config.root_doc)}#an-afternoon"
    line = nodes.paragraph("", "", classes=["afternoon"])
    line += nodes.reference("", "", nodes.emphasis("", "An afternoon"), refuri=plan, internal=True)
    if name != pages[-1]:
        line += nodes.Text(" goes on with ")
        following = pages[pages.index(name) + 1]
    else:
        line += nodes.Text(" ends here. The whole course in its order: ")
        following = "book/seminar"
    line += _link_to_page(name, following)
    list(doctree.findall(nodes.section))[-1].append(line)


def _link_to_page(name: str, other: str) -> addnodes.pending_xref:
    """Return a link from a page to another one with its title, which may not have been read yet."""
    how = {"refdomain": "std", "reftype": "doc", "reftarget": f"/{other}", "refdoc": name}
    return addnodes.pending_xref("", nodes.inline(), refexplicit=False, refwarn=True, **how)


@shows("evidence-list")
def evidence_list(page: Page) -> Mapping[str, Any]:
    """List the notebooks of evidence, with the pages that they belong to."""
    every = page.notebooks()
    titles = {notebook.name: notebook.title for notebook in every}
    own = [notebook for notebook in every if layout.is_evidence(notebook.name)]
    return {"rows": [(notebook, titles[layout.page_of(notebook.name)]) for notebook in own]}


# --- the glossary ---------------------------------------------------------------------------------


def terms(page: Page) -> tuple[Term, ...]:
    """Read the glossary for a page."""
    page.depends_on(page.root / "book" / "glossary.yml")
    return glossary.read(page.root)


def first_use(page: Page, term: Term, part: str) -> tuple[str, str]:
    """Return name and address of a part's first use; no address if only the paper has the term."""
    for notebook in page.pages(part):
        if places := [notebook.terms[form] for form in term.ja if form in notebook.terms]:
            place = places[0].removeprefix("# ")
            target = nodes.make_id(place) if place != places[0] else place
            address = page.uri(notebook.name) + f"#{target}" * bool(place)
            return layout.called(notebook.name), address
    whole = re.compile(rf"(?<!\w)(?<![^\Wε]-)(?:{'|'.join(map(re.escape, term.ja))})(?!\w)")
    for claim_id, status in page.statuses(part).items():
        if whole.search(status.claim.ja):
            return f"{part}, ledger", f"{page.uri(f'book/ledger/{part}')}#{anchor(claim_id)}"
    return part, ""


def meanings(page: Page) -> Mapping[str, str]:
    """Return what the terms mean, in Japanese."""
    page.depends_on(page.root / "book" / "claims" / "ja" / "glossary.yml")
    return japanese.meanings(page.root)


@shows("glossary-table")
def glossary_table(page: Page) -> Mapping[str, Any]:
    """List Japanese terms, in the order of the readings, with where they stand first."""

    def plain(term: Term) -> str:
        text = unicodedata.normalize("NFKD", term.reading or term.ja[0])
        return text.encode("ascii", "ignore").decode().lower()

    rows = []
    for term in sorted(terms(page), key=plain):
        uses = [first_use(page, term, part) for part in term.parts]
        rows.append((term.id, (term, uses)))
    return {"rows": rows, "meanings": meanings(page), **bilingual(page, ())}


@shows("glossary-english")
def glossary_english(page: Page) -> Mapping[str, Any]:
    """List English terms with the meaning again: nobody need know the kanji."""
    pairs = [(en, term) for term in terms(page) for en in term.en]
    rows = [("", pair) for pair in sorted(pairs, key=lambda p: p[0].casefold())]
    return {"rows": rows, "meanings": meanings(page), **bilingual(page, ())}


@shows("course-in-japanese")
def course_in_japanese(page: Page) -> Mapping[str, Any]:
    """Show the pages of a part, each with a title and a few sentences in Japanese."""
    page.depends_on(page.root / "book" / "claims" / "ja" / "pages.yml")
    known = japanese.pages(page.root)
    rows = []
    for notebook in page.pages(page.part):
        name = notebook.name.removeprefix("notebooks/")
        if name in known:
            rows.append((notebook.name, layout.number_of(notebook.name), known[name]))
    return {"rows": rows}
