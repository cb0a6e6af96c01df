"""What an executed notebook showed: taken from its cells once, stored, and read by everything else.

Records of checks, numbers in the text, exercises, figures, the words of the glossary, and which
objects of the package each claim rests on. `extract` takes them from the cells of a notebook when
it was executed; the notebook keeps them in its own metadata, under ``privlib``; `notebook` and
`notebooks` read them again.
"""

from __future__ import annotations

import ast
import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from prose_numbers import without_sources

from ledger import layout
from ledger.dataflow import Flow, chains, read_for, sites
from ledger.digests import code_digest
from privlib.notebook.claims import Record

LEVELS = ("Warm-up", "Standard", "Research")
WORK = "exercise"  # tag of the cells that readers work in
METADATA = "privlib"  # where the metadata of a notebook keep its evidence


@dataclass(frozen=True)
class Exercise:
    """One exercise, without its solution."""

    label: str
    title: str
    level: str
    text: str


@dataclass(frozen=True)
class Figure:
    """A figure: label, caption, alternative text; `live` if one with sliders takes its place."""

    label: str
    caption: str
    alt: str
    live: bool = False
    section: str = ""
    """Title of the section it stands in."""
    lead: str = ""
    """First sentence of that section."""


@dataclass(frozen=True)
class Evidence:
    """What one executed notebook showed.

    Attributes
    ----------
    name : str
        Path from the book's root, without suffix (see `layout`).
    title, minutes, cells
        Heading, stated reading time, number of code cells.
    claims : tuple of Record
    serves : mapping of claim id to tuple of str
        Objects of the package that a claim's checks rest on.
    uses : tuple of str
        Objects of the package that the notebook names.
    numbers : mapping of str to str
        The numbers in the text: what stands in the comment behind one (see `prose_numbers`), and
        its value.
    exercises, figures : tuple
    terms : mapping of str to str
        Words of the glossary, each with where it stands first: the label of a box, ``#`` and the
        title of a section, or nothing (in code, or above all sections).
    code : str
        Digest of the code cells that ran.
    modules : mapping of str to str
        Modules of the package that were loaded, with the digest of their code then.
    """

    name: str
    title: str
    minutes: int
    cells: int
    claims: tuple[Record, ...] = ()
    serves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    uses: tuple[str, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)
    exercises: tuple[Exercise, ...] = ()
    figures: tuple[Figure, ...] = ()
    terms: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    modules: Mapping[str, str] = field(default_factory=dict)

    @property
    def part(self) -> str:
        """Part of the book."""
        return layout.part_of(self.name)

    @property
    def number(self) -> int:
        """Number within the part, 0 for a note."""
        return layout.number_of(self.name)

    def as_metadata(self) -> dict[str, Any]:
        """Return the evidence as a notebook's metadata have it: plain JSON, no tuples."""
        metadata: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return metadata

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, Any]) -> Evidence:
        """Read what `as_metadata` wrote."""
        data = dict(metadata)
        data["claims"] = tuple(Record.from_dict(record) for record in data["claims"])
        data["exercises"] = tuple(Exercise(**e) for e in data["exercises"])
        data["figures"] = tuple(Figure(**f) for f in data["figures"])
        data["serves"] = {claim: tuple(objects) for claim, objects in data["serves"].items()}
        data["uses"] = tuple(data["uses"])
        return cls(**data)


# --- from the cells of a notebook -----------------------------------------------------------------


def cells_of(path: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook file."""
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return cells


def code_cells(cells: Iterable[Any]) -> list[Any]:
    """Return the code cells of a notebook but those to work in.

    What a reader types there says nothing of a claim, and no check rests on it.

    Parameters
    ----------
    cells : iterable of mappings
        As they stand in the ``.ipynb`` file, or nodes of `nbformat`.
    """
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    return [cell for cell in code if WORK not in cell["metadata"].get("tags", ())]


def extract(
    cells: Sequence[Mapping[str, Any]],
    name: str,
    *,
    modules: Mapping[str, str],
    numbers: Mapping[str, str],
    forms: tuple[str, ...] = (),
) -> Evidence:
    """Return what the cells of an executed notebook show.

    Parameters
    ----------
    cells : sequence of mappings
        As they stand in the ``.ipynb`` file.
    name : str
        ``notebooks/part/NN-slug``.
    modules : mapping of str to str
        Modules of the package that were loaded, with the digests of their code.
    numbers : mapping of str to str
        The numbers in the text: what stands in the comment behind one, and its value.
    forms : tuple of str, optional
        Words of the glossary to look for.

    Raises
    ------
    ValueError
        If an exercise lacks its title, label, level or folded solution, a solution asserts nothing,
        a check stands elsewhere than before the solution, or a live figure does not follow its
        static one in a section that opens with a plain sentence.
    """
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    ran = code_cells(cells)
    codes = ["".join(cell["source"]) for cell in ran]
    prose = "\n\n".join(texts)
    minutes = MINUTES.search(prose)
    records = tuple(record for cell in cells for record in records_in(cell))
    uses, behind = _objects(codes, [[record.id for record in records_in(cell)] for cell in ran])
    serves = {}
    for record in records:
        if behind.get(record.id):
            serves[record.id] = tuple(sorted(behind[record.id]))
    return Evidence(
        name=name,
        title=prose.partition("\n")[0].removeprefix("# "),
        minutes=int(minutes[1]) if minutes else 0,
        cells=sum(cell["cell_type"] == "code" for cell in cells),
        claims=records,
        serves=serves,
        uses=tuple(sorted(uses)),
        numbers=numbers,
        exercises=_exercises(cells, prose, name),
        figures=tuple(_figures(cells, name)),
        terms=_terms(codes, forms) | _terms(texts, forms),
        code=code_digest(codes),
        modules=modules,
    )


def records_in(cell: Mapping[str, Any]) -> list[Record]:
    """Return the records of checks that a cell shows."""
    records = []
    for output in cell.get("outputs", ()):
        stored = output.get("metadata", {}).get("privlib", {}).get("claims", ())
        records += [Record.from_dict(record) for record in stored]
    return records


MINUTES = re.compile(r"\*\*Time:\*\* (\d+) minutes")
_EXERCISE = re.compile(
    r"```\{exercise-start\} (?P<title>.+)\n:label: (?P<label>\S+)\n```\n"
    r"\*\*(?P<level>[\w-]+)\.\*\* (?P<text>(?:.|\n)+?)\n```\{exercise-end\}"
)


def _exercises(cells: Sequence[Mapping[str, Any]], prose: str, name: str) -> tuple[Exercise, ...]:
    found = tuple(Exercise(**match.groupdict()) for match in _EXERCISE.finditer(prose))
    wrong = [e.label for e in found if e.level not in LEVELS]
    if wrong or len(found) != prose.count("{exercise-start}"):
        raise ValueError(
            f"{name}: every exercise needs a title, a label and a level of {LEVELS}; "
            f"{prose.count('{exercise-start}')} begin, {len(found)} are whole, wrong level: {wrong}"
        )
    for exercise in found:
        if fault := _fault(cells, exercise.label):
            raise ValueError(f"{name}: {exercise.label}: {fault}")
    return found


def _fault(cells: Sequence[Mapping[str, Any]], label: str) -> str:
    """Say what a reader of an exercise would miss: a folded solution, a check above it."""
    pieces = []
    for number, cell in enumerate(cells):
        text = "".join(cell["source"])
        pieces.append(text if cell["cell_type"] == "markdown" else f"\0{number}\0")
    page = "\n\n".join(pieces)  # with the number of each code cell where it stands
    below = page.partition(f":label: {label}\n")[2].partition("{exercise-start}")[0]
    opening = f"{{solution-start}} {label}\n:class: dropdown\n"
    before, _, rest = below.partition(opening)
    solution, end, _ = rest.partition("{solution-end}")
    if not end:
        return f"no solution below it that begins with {opening!r}"
    own = label.removeprefix("ex-")
    for number in re.findall(r"\0(\d+)\0", before):
        if own not in dict(check_calls("".join(cells[int(number)]["source"]))):
            return f'the cell below it has to end with check("{own}", ...)'
    asserted = False
    for number in re.findall(r"\0(\d+)\0", solution):
        if WORK in cells[int(number)]["metadata"].get("tags", ()):
            return "the cell to work in stands above the solution, not in it"
        asserted = asserted or _asserts("".join(cells[int(number)]["source"]))
    return "" if asserted else "the solution asserts nothing that it computed"


def check_calls(code: str) -> Iterator[tuple[str, str]]:
    r"""Yield the label and the answer of each ``check("label", answer)`` in a code cell.

    Examples
    --------
    >>> list(check_calls('check("lap-03-size", ...)\ncheck("lap-03-size", 2 * n)'))
    [('lap-03-size', '...'), ('lap-03-size', '2 * n')]
    """
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(ast.Name("check"), [ast.Constant(str(label)), answer]):
                yield label, ast.unparse(answer)


def _asserts(code: str) -> bool:
    r"""Whether code asserts something that names a value.

    Examples
    --------
    >>> _asserts("x = 4\nassert x == 4"), _asserts("assert 2 + 2 == 4")
    (True, False)
    """
    asserted = [node.test for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Assert)]
    return any(isinstance(part, ast.Name) for test in asserted for part in ast.walk(test))


def _figures(cells: Sequence[Mapping[str, Any]], name: str) -> Iterator[Figure]:
    """Yield the figures; the live one stands in a cell after its static one."""
    section, last = "", None
    for cell in cells:
        if cell["cell_type"] == "markdown":
            text = f"# {section}\n{''.join(cell['source'])}"
            section = re.split(r"^#+ ", text, flags=re.MULTILINE)[-1]
        meta = cell.get("metadata", {}).get("mystnb", {})
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                if last:
                    yield last
                figure = meta.get("figure", {})
                caption = without_sources(figure.get("caption", ""))
                alt = without_sources(meta.get("image", {}).get("alt", ""))
                last = Figure(figure.get("name", ""), caption, alt)
            elif live := output.get("metadata", {}).get("privlib", {}).get("live"):
                if last is None or last.label != f"fig-{live}" or last.live:
                    raise ValueError(f"{name}: no figure fig-{live} before the live one {live}")
                title, _, text = section.partition("\n")
                lead = re.match(r".+?[.?!](?=\s)", text.strip() + "\n", re.DOTALL)
                if lead is None or re.search(r"\{\w+|\]\(", lead[0]):
                    raise ValueError(
                        f"{name}: section {title!r} must open with a sentence without roles, links"
                    )
                last = replace(last, live=True, section=title, lead=lead[0])
    if last:
        yield last


_BOX = re.compile(
    r"^(?P<fence>`{3,})\{prf:[^\n]*\n:label: (?P<label>\S+)\n.*?^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^##+ (?P<title>[^\n`$*{\[]+)$", re.MULTILINE)


@cache
def _term_pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    """Match a term that is not a piece of a longer one; "ε-" in front is no piece of it."""
    longest = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?<![^\Wε]-)(?:{longest})(?!\w)")


def _terms(texts: Sequence[str], forms: tuple[str, ...]) -> dict[str, str]:
    """Return where each form stands first: the label of its box, or the title of its section."""
    if not forms:
        return {}
    first: dict[str, str] = {}
    heading = ""  # of the section that a text begins in
    for text in texts:
        boxes = list(_BOX.finditer(text))
        titles = list(_HEADING.finditer(text))
        for term in _term_pattern(forms).finditer(text):
            place = heading
            for title in titles:
                if title.start() < term.start():
                    place = f"# {title['title']}"
            for box in boxes:
                if box.start() <= term.start() < box.end():
                    place = box["label"]
            first.setdefault(term[0], place)
        if titles:
            heading = f"# {titles[-1]['title']}"
    return first


# --- which claims rest on which objects of the package ------------------------------------------


# What makes the checks and the pictures.
_MEANS = re.compile(r"privlib\.notebook\.(claim|misprints|plots)\b")


def _objects(
    codes: Sequence[str], ids: Sequence[Iterable[str]]
) -> tuple[set[str], dict[str, set[str]]]:
    """Return the objects of the package that a notebook names, and those behind each claim.

    A claim rests on an object of the package if its ``with claim(...)`` block, or its row of a
    ``misprints`` table, reads the object, or a name that was set, changed or defined by a statement
    that does. A value counts even where the check needed only a part of it. Of the claims that each
    cell shows (`ids`), those that no block spells out are of its blocks with computed ids.
    """
    trees = [ast.parse(code) for code in codes]
    imported = _imported(trees)
    names = set().union(*map(chains, trees))
    flow = Flow(codes, apart=True)
    places = list(sites(flow))
    spelled = {site.claim_id for site in places}
    behind: dict[str, set[str]] = {}
    for site in places:
        claim_ids = {site.claim_id}
        if not site.claim_id:
            claim_ids = set(ids[flow.statements[site.end].cell - 1]) - spelled
        objects = _of_package(read_for(flow, site), imported)
        for claim_id in claim_ids:
            behind.setdefault(claim_id, set()).update(objects)
    return _of_package(names, imported), behind


def _imported(trees: Iterable[ast.AST]) -> dict[str, str]:
    """Return the names that code imports from the package, each with its dotted path."""
    paths = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("privlib"):
                for alias in node.names:
                    paths[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return paths


def _of_package(names: Iterable[str], imported: Mapping[str, str]) -> set[str]:
    """Return the dotted paths of those names that are objects of the package."""
    paths = set()
    for name in names:
        first, dot, rest = name.partition(".")
        if first in imported:
            paths.add(f"{imported[first]}{dot}{rest}")
    return {path for path in paths if not _MEANS.match(path)}


# --- stored, and read again -----------------------------------------------------------------------


def path_of(root: Path, name: str) -> Path:
    """Return the file that the evidence of the notebook `name` stands in: its ``.ipynb``."""
    return root / f"{name}.ipynb"


@cache
def _read(path: Path, _modified: int) -> Evidence | None:
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
    if METADATA not in metadata:
        return None
    return Evidence.from_metadata(metadata[METADATA])


def stored(root: Path, name: str) -> Evidence | None:
    """Return the evidence of the notebook `name`, ``None`` if it was never executed."""
    path = path_of(root, name)
    if not path.exists():
        return None
    return _read(path, path.stat().st_mtime_ns)


def notebook(root: Path, name: str) -> Evidence:
    """Return the evidence of the notebook `name` (``notebooks/part/NN-slug``).

    Raises
    ------
    ValueError
        If there is none.
    """
    evidence = stored(root, name)
    if evidence is None:
        raise ValueError(f"no evidence of a notebook {name}; `make notebooks` writes it")
    return evidence


def notebooks(root: Path, part: str | None = None) -> tuple[Evidence, ...]:
    """Return what every notebook of a part, or of the book, showed, in reading order."""
    found = []
    for name in layout.names(root):
        if part is None or layout.part_of(name) == part:
            evidence = stored(root, name)
            if evidence is not None:
                found.append(evidence)
    return tuple(found)


def pages(root: Path, part: str | None = None) -> tuple[Evidence, ...]:
    """Return what every page and note showed, in reading order."""
    return tuple(one for one in notebooks(root, part) if not layout.is_evidence(one.name))


# --- pictures, which stay in the notebook -------------------------------------------------------


def picture(root: Path, name: str, label: str) -> bytes:
    """Return the PNG of a figure of a notebook.

    Raises
    ------
    ValueError
        If the notebook has no figure with this label.
    """
    for cell in cells_of(root / f"{name}.ipynb"):
        if cell["metadata"].get("mystnb", {}).get("figure", {}).get("name") == label:
            for output in cell["outputs"]:
                if "image/png" in output.get("data", {}):
                    return base64.b64decode("".join(output["data"]["image/png"]))
    raise ValueError(f"notebook {name} has no figure {label!r}")


def live_markup(root: Path, name: str, label: str) -> str:
    """Return the HTML of the live figure that takes the place of the figure `label`.

    Raises
    ------
    ValueError
        If the notebook has no such live figure.
    """
    for cell in cells_of(root / f"{name}.ipynb"):
        for output in cell.get("outputs", ()):
            if f"fig-{output.get('metadata', {}).get('privlib', {}).get('live')}" == label:
                return "".join(output["data"]["text/html"])
    raise ValueError(f"notebook {name} has no live figure {label!r}")
