r"""A notebook for any Jupyter, VS Code or Colab: what only this book shows is written out.

The notebooks of the book use directives and roles of MyST, which other programs show as they are
typed. `plain` returns the same notebook without them: definitions, theorems and exercises under
bold headings, citations as author and year, references as names or links, captions below their
figures, the solutions at the end. Its first code cell installs what it needs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import prose_numbers
import works
from ledger import layout
from ledger.evidence import METADATA

KINDS = {
    "prf:definition": "Definition", "prf:theorem": "Theorem", "prf:proposition": "Proposition",
    "prf:lemma": "Lemma", "prf:corollary": "Corollary", "prf:algorithm": "Algorithm",
    "prf:remark": "Remark", "prf:example": "Example", "prf:proof": "Proof",
}  # fmt: skip
_FENCE = re.compile(
    r"^(?P<fence>`{3,})\{(?P<name>[\w:-]+)\}[ ]*(?P<title>[^\n]*)\n"
    r"(?P<options>(?::[\w-]+:[^\n]*\n)*)\n?(?P<body>(?:.*\n)*?)(?P=fence)[ ]*$",
    re.MULTILINE,
)
_TARGET = re.compile(r"^\((?P<label>[\w-]+)\)=\n", re.MULTILINE)
_EQUATION = re.compile(r"\$\$[ ]*\((?P<label>eq-[\w-]+)\)[ ]*$", re.MULTILINE)
_CITE = re.compile(r"\{cite:(?P<form>[pt])\}`(?P<keys>[^`]*)`")
_ROLE = re.compile(
    r"\{(?P<role>prf:ref|ref|numref|eq|doc)\}"
    r"`(?:(?P<text>[^`<]*?) ?<(?P<aim>[^>`]*)>|(?P<bare>[^`<]*))`"
)
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<aim>[^()\s]*)\)")
_PART = re.compile(r"^`{3,}\{(?P<name>(?:exercise|solution)-(?:start|end))\}", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """Where a label of the book stands: its page, and what it is called there."""

    page: str
    name: str


@dataclass
class Book:
    """What one page has to know of the others.

    Attributes
    ----------
    root : Path
        The book's root.
    address : str
        Of the published book, empty or ending in a slash; without it links to other pages become
        text.
    install : str
        What ``pip install`` has to be told to get the package with all that a notebook needs.
    """

    root: Path
    address: str
    install: str
    places: dict[str, Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find the labels of all notebooks."""
        for path in sorted(self.root.glob("notebooks/**/*.md")):
            page = path.relative_to(self.root).with_suffix("").as_posix()
            for label, name in labels(path.read_text(encoding="utf-8")).items():
                self.places[label] = Place(page, name)


def labels(text: str) -> dict[str, str]:
    r"""Return the labels of a page, each with the name of what it stands at.

    What is numbered is numbered within the page: "Definition 2", "Figure 1", "Exercise 3".

    Examples
    --------
    >>> labels("```{prf:theorem} Sums\n:label: thm-sum\nText.\n```\n")
    {'thm-sum': 'Theorem 1'}
    """
    found: dict[str, str] = {}
    counts: dict[str, int] = {}

    def numbered(kind: str) -> str:
        counts[kind] = counts.get(kind, 0) + 1
        return f"{kind} {counts[kind]}"

    pattern = re.compile(
        r"^`{3,}\{(?P<directive>prf:\w+|exercise-start)\}[^\n]*\n(?::label: (?P<label>[\w-]+)\n)?"
        r"|^ *name: (?P<figure>fig-[\w-]+)$"
        r"|\$\$[ ]*\((?P<equation>eq-[\w-]+)\)[ ]*$"
        r"|^\((?P<target>[\w-]+)\)=\n+#+ (?P<title>[^\n]*)$",
        re.MULTILINE,
    )
    for match in pattern.finditer(text):
        if match["directive"]:
            kind = KINDS.get(match["directive"], "Exercise")
            name = numbered(kind) if kind != "Proof" else kind
            if match["label"]:
                found[match["label"]] = name
        elif match["figure"]:
            found[match["figure"]] = numbered("Figure")
        elif match["equation"]:
            found[match["equation"]] = f"({numbered('Equation').removeprefix('Equation ')})"
        else:
            found[match["target"]] = match["title"]
    return found


def plain(notebook: Any, name: str, book: Book) -> Any:
    """Return a notebook that any program shows as the book does.

    Parameters
    ----------
    notebook : NotebookNode
        As executed.
    name : str
        ``notebooks/part/NN-slug``.
    book : Book
    """
    page = _Page(name, book)
    cells: list[Any] = []
    solutions: list[Any] = []
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            copy = deepcopy(cell)
            _point_to_the_site(copy, book)
            (solutions if page.in_solution else cells).append(copy)
            if caption := page.caption(copy):
                cells.append(nbformat.v4.new_markdown_cell(caption))
            continue
        for in_solution, text in page.pieces(cell.source):
            if text.strip():
                target = solutions if in_solution else cells
                target.append(nbformat.v4.new_markdown_cell(text.strip()))
    if solutions:
        cells += [nbformat.v4.new_markdown_cell("## Solutions"), *solutions]
    cells.insert(1, _installation(book))
    metadata = deepcopy(notebook.metadata)
    metadata.pop(METADATA, None)  # what the notebook showed when the book was built
    copy = nbformat.v4.new_notebook(metadata=metadata, cells=cells)
    for number, cell in enumerate(copy.cells):
        cell["id"] = f"cell-{number}"
    return copy


def _installation(book: Book) -> Any:
    source = f"%pip install --quiet {book.install}"
    return nbformat.v4.new_code_cell(source, metadata={"tags": ["installation"]})


def _point_to_the_site(cell: Any, book: Book) -> None:
    """Let the badges of a cell lead to the ledger of the published book."""
    for output in cell.get("outputs", ()):
        html = output.get("data", {}).get("text/html")
        if html is not None:
            output["data"]["text/html"] = html.replace("../../book/", f"{book.address}book/")


class _Page:
    """One page on its way from MyST to plain Markdown."""

    def __init__(self, name: str, book: Book) -> None:
        self.name = name
        self.book = book
        self.in_solution = False
        self.known = works.citations(book.root)

    def pieces(self, text: str) -> list[tuple[bool, str]]:
        """Cut a cell where a solution begins or ends; return (whether in one, plain text)."""
        result: list[tuple[bool, str]] = []
        start = 0
        for match in _PART.finditer(text):
            end = text.find("```", match.end()) + len("```")
            if match["name"] == "solution-start":
                result.append((self.in_solution, self.text(text[start : match.start()])))
                title = text[match.end() : text.find("\n", match.end())].strip()
                self.in_solution = True
                result.append((True, f"### Solution of {self.name_of(title).lower()}"))
                start = end
            elif match["name"] == "solution-end":
                result.append((self.in_solution, self.text(text[start : match.start()])))
                self.in_solution = False
                start = end
        result.append((self.in_solution, self.text(text[start:])))
        return result

    def text(self, text: str) -> str:
        """Return plain Markdown for MyST."""
        text = prose_numbers.without_sources(text)
        text = re.sub(r"^%[^\n]*\n", "", text, flags=re.MULTILINE)
        text = _TARGET.sub("", text)
        text = self._exercises(text)
        while _FENCE.search(text):
            text = _FENCE.sub(self._block, text)
        text = _EQUATION.sub(lambda m: rf"\tag{{{self.name_of(m['label'])[1:-1]}}} $$", text)
        text = _CITE.sub(self._citation, text)
        text = _ROLE.sub(self._reference, text)
        return _LINK.sub(self._link, text)

    def _exercises(self, text: str) -> str:
        start = re.compile(r"^```\{exercise-start\} ([^\n]*)\n:label: (\S+)\n```\n", re.MULTILINE)
        text = start.sub(lambda m: f"**{self.name_of(m[2])} ({m[1]}).** ", text)
        return re.sub(r"^```\{exercise-end\}\n```\n?", "", text, flags=re.MULTILINE)

    def _block(self, match: re.Match[str]) -> str:
        """Return an admonition, definition or theorem as a quotation under a bold heading."""
        label = re.search(r":label: (\S+)", match["options"])
        title = match["title"].strip()
        if match["name"] == "evidence":
            checks = self._to_page("the checks", layout.evidence_of(self.name))
            return f"*Claims {', '.join(match['title'].split())}: {checks}.*"
        if match["name"] == "math":
            return f"$$\n{match['body'].strip()}\n$$"
        if match["name"] in KINDS:
            kind = self.name_of(label[1]) if label else KINDS[match["name"]]
            title = f"{kind} ({title})." if title else f"{kind}."
        lines = [f"**{title}**", "", *match["body"].strip().splitlines()]
        return "\n".join(f"> {line}".rstrip() for line in lines)

    def _citation(self, match: re.Match[str]) -> str:
        cited = []
        for key in match["keys"].split(","):
            who, year, link = self.known[key.strip()]
            if match["form"] == "t":
                words = f"{who} ({year})" if year else who
            else:
                words = f"{who}, {year}" if year else who
            cited.append(f"[{words}]({link})" if link else words)
        return ", ".join(cited) if match["form"] == "t" else f"({'; '.join(cited)})"

    def name_of(self, label: str) -> str:
        """Return what a label's place is called, for example "Definition 2".

        Raises
        ------
        ValueError
            If no page has the label.
        """
        if label not in self.book.places:
            raise ValueError(f"{self.name}: no page has the label {label!r}")
        return self.book.places[label].name

    def _reference(self, match: re.Match[str]) -> str:
        if match["role"] == "doc":
            aim = match["aim"] or match["bare"]
            path = aim.removeprefix("/") if aim.startswith("/") else self._beside(aim)
            return self._to_page(match["text"] or self._title(path), path)
        label = match["aim"] or match["bare"]
        words = match["text"] or self.name_of(label)
        page = self.book.places[label].page if label in self.book.places else self.name
        return words if page == self.name else self._to_page(words, page)

    def _link(self, match: re.Match[str]) -> str:
        """Let a link to another page of the book lead to the site, or be text without a site."""
        path, _, anchor = match["aim"].partition("#")
        if "://" in path or not path.endswith((".md", ".ipynb")):
            # What has no suffix is a label of this page.
            return match["text"] if match["aim"] in self.book.places else match[0]
        page = self._beside(path.removesuffix(".md").removesuffix(".ipynb"))
        return self._to_page(match["text"] or self._title(page), page, anchor)

    def _beside(self, path: str) -> str:
        """Return a page that is named as seen from this one, as seen from the root."""
        here = self.book.root / Path(self.name).parent / path
        return here.resolve().relative_to(self.book.root.resolve()).as_posix()

    def _title(self, page: str) -> str:
        path = self.book.root / f"{page}.md"
        heading = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        return heading[1] if heading else page

    def _to_page(self, words: str, page: str, anchor: str = "") -> str:
        if not self.book.address:
            return words
        return f"[{words}]({self.book.address}{page}.html{'#' + anchor if anchor else ''})"

    def caption(self, cell: Mapping[str, Any]) -> str:
        """Return the caption of the figure that a cell draws, empty if it draws none."""
        figure = cell.get("metadata", {}).get("mystnb", {}).get("figure", {})
        if not figure:
            return ""
        return f"**{self.name_of(figure['name'])}.** {self.text(figure['caption']).strip()}"
