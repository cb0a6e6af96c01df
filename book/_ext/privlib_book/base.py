"""What the directives share: templates, statuses, dependencies, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

import jinja2
import ledger.claims
import ledger.evidence
import ledger.verdicts
from docutils import nodes
from ledger import layout
from ledger.evidence import Evidence
from ledger.outside import COMPARED, first_numbers
from ledger.verdicts import UNSTATED, Status
from markupsafe import Markup
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from privlib.notebook._comparison import markup
from privlib.notebook.claims import (
    COLOURS,
    MARKS,
    METHODS,
    PARTS,
    STRENGTHS,
    VERDICTS,
    anchor,
    part_of,
)

from .reading import unbroken

statuses = cache(ledger.verdicts.statuses)
DIRECTIVES: dict[str, type[Page]] = {}


def typeset(text: str) -> Markup:
    r"""Return what a check says as HTML, with numbers that do not break from their units and signs.

    Examples
    --------
    >>> str(typeset("at 10 %: -2 for $x - 2$"))
    'at 10%: −2 for \\(x - 2\\)'
    """
    # Formulas and code, as they are, are the pieces with an odd number.
    pieces = re.split(r"(\\\(.*?\\\)|<code>.*?</code>)", markup(text))
    for number in range(0, len(pieces), 2):
        pieces[number] = unbroken(pieces[number])
    return Markup("".join(pieces))


@cache
def templates() -> jinja2.Environment:
    """Return the templates of the pages; what they show is escaped unless it is `Markup`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    environment.globals.update(
        METHODS=METHODS, MARKS=MARKS, COLOURS=COLOURS, PARTS=PARTS, anchor=anchor
    )
    environment.globals.update(STRENGTHS=(*STRENGTHS, UNSTATED), VERDICTS=VERDICTS)
    environment.globals["first_numbers"] = first_numbers
    environment.globals["called"] = layout.called
    environment.globals["is_note"] = layout.is_note
    environment.globals["page_of"] = layout.page_of
    environment.globals["part_of"] = part_of
    environment.filters |= {"query": urlencode, "typeset": typeset}
    return environment


def ask(env: BuildEnvironment, question: Callable[[Path], Any]) -> Any:
    """Answer a question for the page that is being read, which is read again if it has another."""
    asked = vars(env).setdefault("privlib_asked", {}).setdefault(env.docname, {})
    asked[question] = question(Path(env.srcdir))
    return asked[question]


class Page(SphinxDirective):
    """A directive that shows a template, filled with what `gather` returns.

    In the template ``md(text)`` is Markdown, or a node as it is, ``page.uri(name)`` the address of
    a page.
    """

    optional_arguments, final_argument_whitespace, has_content = 1, True, True
    gather: ClassVar[Callable[..., Mapping[str, Any]]]
    builder: ClassVar[Builder]

    def run(self) -> list[nodes.Node]:
        try:
            return self.render(self.name, **type(self).gather(self))
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from error

    def render(self, template: str, **context: Any) -> list[nodes.Node]:
        """Return a filled template: HTML, with nodes and those of its Markdown in between."""
        texts: list[object] = []

        def md(text: object) -> Markup:
            texts.append(text)
            return Markup(f"\0{len(texts) - 1}\0")

        filled = templates().get_template(f"{template}.html.jinja")
        shown: list[nodes.Node] = []
        for k, piece in enumerate(filled.render(page=self, md=md, **context).split("\0")):
            if k % 2:
                t = texts[int(piece)]
                shown += [t] if isinstance(t, nodes.Node) else self.parse_text_to_nodes(str(t))
            elif piece.strip():
                shown.append(nodes.raw("", piece, format="html"))
        return shown

    @property
    def root(self) -> Path:
        return Path(self.env.srcdir)

    @property
    def words(self) -> list[str]:
        """The words of the argument."""
        return self.arguments[0].split() if self.arguments else []

    @property
    def parts(self) -> tuple[str, ...]:
        return ledger.claims.parts(self.root)

    @property
    def part(self) -> str:
        """The part that the argument names."""
        name = " ".join(self.words)
        if name not in PARTS.values():
            raise ValueError(f"no part {name!r}; there are {', '.join(PARTS.values())}")
        return name

    def uri(self, name: str) -> str:
        """Return the address of a page of the book from the page that is being read."""
        return self.builder.get_relative_uri(self.env.docname, name)

    def depends_on(self, path: Path) -> Path:
        """Read the page again when a file changes."""
        self.env.note_dependency(str(path))
        return path

    def ask(self, question: Callable[[Path], Any]) -> Any:
        """Return the answer of a module's function; if it is another, the page is read again."""
        return ask(self.env, question)

    def notebooks(self, part: str | None = None) -> tuple[Evidence, ...]:
        """Return what the notebooks of a part, or of all, showed: pages, notes and evidence."""
        notebooks = ledger.evidence.notebooks(self.root, part)
        noted = self.env.temp_data.setdefault("privlib:noted", set())
        if part not in noted:  # once a page
            self.ask(evidence)
            for notebook in notebooks:
                self.depends_on(ledger.evidence.path_of(self.root, notebook.name))
            noted.add(part)
        return notebooks

    def pages(self, part: str | None = None) -> tuple[Evidence, ...]:
        """Return what the pages and notes of a part, or of all, showed."""
        return tuple(one for one in self.notebooks(part) if not layout.is_evidence(one.name))

    def statuses(self, part: str) -> dict[str, Status]:
        """Return the statuses of the claims of a part."""
        self.depends_on(self.root / "book" / "claims" / f"{part}.yml")
        self.depends_on(self.root / COMPARED)
        self.notebooks(part)
        return statuses(self.root, part)

    def every_status(self) -> list[tuple[str, Status]]:
        """Return all claims with their parts."""
        return [(part, status) for part in self.parts for status in self.statuses(part).values()]


def shows(name: str) -> Callable[[Callable[[Page], Mapping[str, Any]]], Any]:
    """Make a function that gathers what a template needs the directive of the same name."""

    def register(gather: Callable[[Page], Mapping[str, Any]]) -> Any:
        DIRECTIVES[name] = type("Page", (Page,), {"gather": gather, "__doc__": gather.__doc__})
        return gather

    return register


def evidence(root: Path) -> list[str]:
    """Return the names of all notebooks that left evidence: a new one is no dependency yet."""
    return [notebook.name for notebook in ledger.evidence.notebooks(root)]


def answered_otherwise(app: Sphinx, env: Any, *_: object) -> list[str]:
    """Return the pages that asked something which has another answer now; they ask anew."""
    asked, root = vars(env).get("privlib_asked", {}), Path(app.srcdir)
    changed = []
    for name, answers in asked.items():
        if any(question(root) != answer for question, answer in answers.items()):
            changed.append(name)
    for name in changed:
        del asked[name]
    return changed


def prepare(app: Sphinx) -> None:
    """Forget the last build."""
    Page.builder = app.builder
    statuses.cache_clear()
