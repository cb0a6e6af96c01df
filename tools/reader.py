r"""The one reader of what papers claim and of what notebooks showed.

``book/claims/<part>.yml`` lists the claims of a paper, without verdicts. Executing a notebook
writes what it showed into ``book/evidence/<part>/<notebook>.json``: the records of its checks,
stored values, exercises, figures, terms, which objects of the package each claim rests on, and the
modules of the package that were loaded, with a digest of their code. All pages, exports and tests
ask this module.

*No verdict outlives its code.* `stale` compares the digests with the code as it is: a notebook is
stale if a module that it loaded (itself or through others) has changed by more than docstrings and
comments, or the data beside it has, or if its own cells are not those that ran; the comparisons
with others, if a module that they loaded has changed so. What exercises ask, answer and hint
decides no claim and makes nothing stale here; `notebooks` compares what their cells print.

A claim is *fully verified* when it is verified, with a limit or without, and so is everything that
it rests on, apart from assumptions and the like, which no computation can touch (*read*), and
corrected slips: what rests on a slip uses it as put right, as every reader does.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import io
import json
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from privlib.notebook.claims import (
    PARTS,
    Check,
    Record,
    Verdict,
    anchor,
    carrying,
    part_of,
    reach_of,
    strongest,
    verdict_of,
)

KINDS = (
    "definition", "assumption", "equation", "theorem", "algorithm", "example", "table", "figure",
    "number", "remark", "beyond",
)  # fmt: skip
LEVELS = ("Warm-up", "Standard", "Research")
WORK = "exercise"  # tag of the cells that readers work in
DECIDES_NOTHING = {"privlib.notebook.exercises"}  # modules that no verdict rests on
UNSTATED = "not stated"  # how far a verdict reaches, where no check is marked as carrying it

# --- what the papers claim --------------------------------------------------------------------


@dataclass(frozen=True)
class Claim:
    """One claim of ``book/claims/<part>.yml``: what the paper says, no verdict."""

    id: str
    where: str
    kind: str
    says: str
    ja: str = ""
    uses: tuple[str, ...] = ()
    weight: str = "error"
    reading: str = ""
    read: str = ""
    root: str = ""
    """Id of the erratum from which this one follows."""
    source: str = ""
    """Who had a result beyond the paper first (Markdown)."""
    at: str = ""
    """Paragraph and line, or sentence, in the text as we have it; several apart by ``; ``."""

    @property
    def place(self) -> str:
        """Section, number and paragraph, as readers of the paper find it."""
        texts = [piece.partition("line")[0].rstrip(", ") for piece in self.at.split("; ")]
        several = re.search(r"\bsections\b| and ", self.where)  # then each piece is of its own one
        new = (t for t in (texts if several else dict.fromkeys(texts)) if t)
        found = "; ".join(t for t in new if "¶" in t or t.split()[0] not in self.where)
        return f"{self.where}, {found}" if found else self.where

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """First and last line of each place in the converted text; none where sentences count."""
        pairs = re.findall(r"lines? (\d+)(?:–(\d+))?", self.at)
        return tuple((int(first), int(last or first)) for first, last in pairs)


@dataclass(frozen=True)
class Status:
    """What the evidence makes of a claim.

    Attributes
    ----------
    claim : Claim
    verdict : str or None
        One of `VERDICTS`; ``None`` if there is no evidence.
    method : str
        Method of the check that decides how far the verdict reaches; the strongest used where
        none is marked as carrying the claim.
    reach : str
        How far the verdict reaches, one of `REACHES`; `UNSTATED` where no check is marked as the
        one that carries the claim; empty if the verdict is none that reaches (*read* and the like).
    evidence : tuple of (str, Record)
        Notebook (path relative to the book's root, without suffix) and record.
    fully : bool
        Verified, with a limit or without, and so is everything that it rests on (what is *read*
        apart, and corrected slips).
    outside : tuple of (str, str, str, str)
        Comparisons with others that test it: id of the case, source, outcome, both their numbers.
    """

    claim: Claim
    verdict: Verdict | None
    method: str
    evidence: tuple[tuple[str, Record], ...]
    fully: bool = field(default=False)
    reach: str = field(default="")
    outside: tuple[tuple[str, str, str, str], ...] = field(default=())

    @property
    def checks(self) -> tuple[Check, ...]:
        """All checks from all notebooks."""
        return tuple(check for _, record in self.evidence for check in record.checks)

    @property
    def carrying(self) -> tuple[Check, ...]:
        """The checks that carry the claim."""
        return tuple(carrying(self.checks))

    @property
    def is_erratum(self) -> bool:
        """Whether a claim of a paper needs repair; results beyond it never do."""
        return self.verdict in ("corrected", "refuted") and self.claim.kind != "beyond"

    @property
    def texts(self) -> dict[str, str]:
        """The printed form, the corrected one and the consequence, from whichever notebook."""
        records = [record for _, record in self.evidence]
        return {
            name: next((value for record in records if (value := getattr(record, name))), "")
            for name in ("printed", "corrected", "consequence")
        }

    @property
    def limits(self) -> tuple[str, ...]:
        """Where the claim stops."""
        return tuple(check.text for check in self.checks if check.side == "limit")


def loader() -> Any:
    """Return yaml's safe loader, in C where there is one."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


_PLACE = (
    r"(?:(?:(?:title|[A-Za-z]+ \d+(?:\.\d+)*), )?(?:¶\d+(?:–\d+)?, )?lines? \d+(?:–\d+)?"
    r"|sentences? \d+(?:–\d+)?)"
)
_AT = re.compile(rf"{_PLACE}(?:; {_PLACE})*")


def load_claims(path: Path) -> tuple[Claim, ...]:
    """Read and validate ``book/claims/<part>.yml``.

    Raises
    ------
    ValueError
        If an id is malformed, doubled or of another part, a field or kind is unknown, `uses` names
        an unknown claim or makes a circle, `root` is unknown or has a root itself, a claim of the
        paper has a `source`, `at` is malformed, or a required field is missing.
    """
    import yaml

    part = path.stem
    claims: dict[str, Claim] = {}
    for item in yaml.load(path.read_text(encoding="utf-8"), Loader=loader())["claims"]:
        try:
            claim = Claim(**{**item, "uses": tuple(item.get("uses", ()))})
        except TypeError as error:
            raise ValueError(f"load_claims: {path.name}: {item.get('id')}: {error}") from None
        if part_of(claim.id) != part:
            raise ValueError(f"load_claims: {path.name}: {claim.id} belongs to {part_of(claim.id)}")
        if claim.id in claims:
            raise ValueError(f"load_claims: {path.name}: {claim.id} stands twice")
        if claim.kind not in KINDS:
            raise ValueError(f"load_claims: {claim.id}: kind must be one of {KINDS}")
        if claim.weight not in ("error", "slip"):
            raise ValueError(f"load_claims: {claim.id}: weight must be 'error' or 'slip'")
        if claim.at and not _AT.fullmatch(claim.at):
            raise ValueError(
                f"load_claims: {claim.id}: at must be like '¶2, line 114', 'sentence 12' or"
                f" 'Table 3, lines 210–212', several apart by '; ', got {claim.at!r}"
            )
        claims[claim.id] = claim
    for claim in claims.values():
        if unknown := [use for use in claim.uses if use not in claims]:
            raise ValueError(f"load_claims: {claim.id}: uses unknown claims {unknown}")
        if claim.root and (claim.root not in claims or claims[claim.root].root):
            raise ValueError(
                f"load_claims: {claim.id}: root must be a claim without a root, got {claim.root}"
            )
        if claim.source and claim.kind != "beyond":
            raise ValueError(
                f"load_claims: {claim.id}: only a result beyond the paper has a source"
            )
    topological(claims.values())
    return tuple(claims.values())


def topological(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Order the claims so that each comes after what it rests on.

    Raises
    ------
    ValueError
        If `uses` leads round in a circle.
    """
    from graphlib import CycleError, TopologicalSorter

    by_id = {claim.id: claim for claim in claims}
    try:
        order = TopologicalSorter({c.id: c.uses for c in by_id.values()}).static_order()
        return tuple(by_id[claim_id] for claim_id in order)
    except CycleError as error:
        told = " rests on ".join(reversed(error.args[1]))
        raise ValueError(f"topological: uses leads round in a circle: {told}") from None


def assess(
    claims: Sequence[Claim], evidence: Mapping[str, Sequence[tuple[str, Record]]]
) -> dict[str, Status]:
    """Derive the status of every claim, in the order of `claims`.

    Raises
    ------
    ValueError
        If there is evidence for an unknown claim, or a claim is marked as judged by reading alone
        and has evidence too.
    """
    if strangers := sorted(set(evidence) - {claim.id for claim in claims}):
        raise ValueError(f"assess: evidence for unknown claims {strangers}")
    found_so_far: dict[str, Status] = {}
    sound: set[str] = set()  # what a fully verified claim may rest on
    for claim in topological(claims):
        found = tuple(evidence.get(claim.id, ()))
        if found and claim.read:
            raise ValueError(f"assess: {claim.id} is marked 'read' but has evidence")
        checks = [check for _, record in found for check in record.checks]
        verdict: Verdict | None = "read" if claim.read else verdict_of(checks) if checks else None
        good = verdict in ("verified", "verified, with a limit")
        mended = verdict == "corrected" and claim.weight == "slip"
        well_based = sound.issuperset(claim.uses)
        if verdict == "read" or ((good or mended) and well_based):
            sound.add(claim.id)
        fully = good and well_based
        reach = reach_of(checks) or UNSTATED if good or verdict in ("corrected", "refuted") else ""
        method = strongest([c for c in carrying(checks) if c.reach == reach] or checks)
        found_so_far[claim.id] = Status(claim, verdict, method, found, fully, reach)
    return {claim.id: found_so_far[claim.id] for claim in claims}


def parts(root: Path) -> tuple[str, ...]:
    """Return the parts that have claims, in the order of the book."""
    return tuple(p for p in PARTS.values() if (root / f"book/claims/{p}.yml").exists())


def statuses(root: Path, part: str) -> dict[str, Status]:
    """Return the statuses of a part from its claims and the evidence of its notebooks."""
    found: dict[str, list[tuple[str, Record]]] = {}
    for notebook in notebooks(root, part):
        for record in notebook.claims:
            found.setdefault(record.id, []).append((notebook.name, record))
    assessed = assess(load_claims(root / "book" / "claims" / f"{part}.yml"), found)
    others = outside(root)
    return {k: replace(v, outside=others[k]) if k in others else v for k, v in assessed.items()}


def few(numbers: Sequence[float]) -> str:
    """Write the first three of some numbers, and how many they are if there are more."""
    told = [f"{0.0 if abs(x) < 1e-12 else x:.6g}" for x in numbers]
    return ", ".join(told[:3]) + (f", … ({len(told)})" if told[3:] else "")


COMPARED = "benchmarks/results/outside.json"


def compared(root: Path) -> Mapping[str, Any]:
    """Return what the comparisons with others stored, nothing where there are none."""
    path = root / COMPARED
    text = path.read_text(encoding="utf-8") if path.exists() else "{}"
    found: Mapping[str, Any] = json.loads(text)
    return found


def outside(root: Path) -> dict[str, tuple[tuple[str, str, str, str], ...]]:
    """Return the comparisons with others in which each claim is tested."""
    found: dict[str, list[tuple[str, str, str, str]]] = {}
    for case in compared(root).get("cases", ()):
        numbers = f"theirs {few(case['theirs'])}; ours {few(case['ours'])}"
        for claim_id in case["claims"]:
            test = (case["id"], case["source"], case["outcome"], numbers)
            found.setdefault(claim_id, []).append(test)
    return {claim_id: tuple(tests) for claim_id, tests in found.items()}


_BADGE = re.compile(r'(<div class="claim-badge" id="([^"]+)".*?<small>[^<]*)</small>')


def with_others(body: str, root: Path) -> str:
    """Return a page whose badges say whether others agree, and lead to where that stands."""
    words = {  # the first that is true of a claim is said
        "agree": "others agree",
        "bound holds, loose": "a bound of others holds",
        "theirs is wrong": "others differ, and are wrong",
    }
    first = [*words].index
    tests = {anchor(k): min(t, key=lambda one: first(one[2])) for k, t in outside(root).items()}

    def told(badge: re.Match[str]) -> str:
        if badge[2] not in tests:
            return badge[0]
        case, source, outcome, numbers = tests[badge[2]]
        title = escape(f"{source}: {numbers}")
        link = f'<a title="{title}" href="../../book/outside.html#outside-{case}">'
        return f"{badge[1]}, {link}{words[outcome]}</a></small>"

    return _BADGE.sub(told, body)


# --- what the notebooks showed ----------------------------------------------------------------


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
        Path from the book's root, without suffix: ``notebooks/part/NN-slug``.
    title, minutes, cells
        Heading, stated reading time, number of code cells.
    claims : tuple of Record
    serves : mapping of claim id to tuple of str
        Objects of the package that a claim's checks rest on.
    uses : tuple of str
        Objects of the package that the notebook names.
    stored : mapping of str to value
        What ``glue`` stored.
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
    stored: Mapping[str, Any] = field(default_factory=dict)
    exercises: tuple[Exercise, ...] = ()
    figures: tuple[Figure, ...] = ()
    terms: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    modules: Mapping[str, str] = field(default_factory=dict)

    @property
    def part(self) -> str:
        """Part of the book."""
        return self.name.split("/")[1]

    @property
    def number(self) -> int:
        """Number within the part."""
        return int(self.name.rpartition("/")[2].partition("-")[0])

    def to_json(self) -> str:
        """Return the evidence as readable JSON, the same text for the same evidence."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Evidence:
        """Read what `to_json` wrote."""
        data = json.loads(text)
        data["claims"] = tuple(Record.from_dict(record) for record in data["claims"])
        data["exercises"] = tuple(Exercise(**e) for e in data["exercises"])
        data["figures"] = tuple(Figure(**f) for f in data["figures"])
        data["serves"] = {claim: tuple(objects) for claim, objects in data["serves"].items()}
        data["uses"] = tuple(data["uses"])
        return cls(**data)


def path_of(root: Path, name: str) -> Path:
    """Return where the evidence of the notebook `name` stands."""
    return root / "book" / "evidence" / f"{name.removeprefix('notebooks/')}.json"


@cache
def _read(path: Path, _modified: int) -> Evidence:
    return Evidence.from_json(path.read_text(encoding="utf-8"))


def notebook(root: Path, name: str) -> Evidence:
    """Return the evidence of the notebook `name` (``notebooks/part/NN-slug``).

    Raises
    ------
    ValueError
        If there is none.
    """
    path = path_of(root, name)
    if not path.exists():
        raise ValueError(f"no evidence of a notebook {name}; `make notebooks` writes it")
    return _read(path, path.stat().st_mtime_ns)


def notebooks(root: Path, part: str | None = None) -> tuple[Evidence, ...]:
    """Return the evidence of every notebook of a part, or of the book, in its order."""
    chosen = PARTS.values() if part is None else [part]
    paths = [
        p for name in chosen for p in sorted((root / "book" / "evidence" / name).glob("*.json"))
    ]
    return tuple(_read(path, path.stat().st_mtime_ns) for path in paths)


# --- is it still so? ----------------------------------------------------------------------------


_DOCUMENTED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_of(source: str) -> str:
    r"""Return Python code without docstrings, comments and blank lines.

    Examples
    --------
    >>> code_of('def f(x):\n    "Double it."\n\n    return 2 * x  # really\n')
    'def f(x):\n    return 2 * x'
    """
    lines = [line.encode() for line in source.splitlines()]  # columns of ast count bytes
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = token.line[:column].encode()
    tree = ast.parse(source)
    inside: list[Any] = [tree]
    documented = set()
    while inside:  # docstrings stand in the bodies of modules, classes and functions only
        node = inside.pop()
        inside += [n for n in node.body if isinstance(n, _DOCUMENTED)]
        if ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            documented.add(text.value)
            first, last = text.lineno - 1, text.end_lineno - 1
            rest = lines[last][text.end_col_offset :]
            lines[first : last + 1] = [lines[first][: text.col_offset], *[b""] * (last - first)]
            lines[last] += rest
    strings = [n for n in ast.walk(tree) if isinstance(n, (ast.Constant, ast.JoinedStr))]
    spans = [(n.lineno, n.end_lineno or n.lineno) for n in strings if n not in documented]
    within = {row for start, end in spans for row in range(start, end)}
    texts = ((k in within, line.decode()) for k, line in enumerate(lines, 1))
    return "\n".join(t if string else t.rstrip() for string, t in texts if string or t.strip())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def code_digest(codes: Iterable[str]) -> str:
    """Return the digest of code cells as they stand."""
    return _digest("\x00".join(codes))


@cache
def _module_digest(paths: tuple[Path, ...], _modified: tuple[int, ...]) -> str:
    code, *data = [path.read_text(encoding="utf-8") for path in paths]
    return code_digest([code_of(code), *data])


def module_digest(root: Path, module: str) -> str:
    """Return the digest of the code of a module of the package, empty if there is no such file.

    Data and styles that stand beside a module, under its name, are part of its code.
    """
    stem = root.joinpath(*module.split("."))
    for path in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
        if path.exists():
            beside = (path.with_suffix(suffix) for suffix in (".json", ".mplstyle"))
            files = (path, *(data for data in beside if data.exists()))
            return _module_digest(files, tuple(file.stat().st_mtime_ns for file in files))
    return ""


def package_digests(root: Path) -> dict[str, str]:
    """Return the digest of every module of the package."""
    paths = (root / "privlib").rglob("*.py")
    words = (path.relative_to(root).with_suffix("").parts for path in paths)
    names = (".".join(w).removesuffix(".__init__") for w in words)
    return {name: module_digest(root, name) for name in names}


def orphans(root: Path) -> list[str]:
    """Return the notebooks that left evidence and are no more."""
    return [e.name for e in notebooks(root) if not (root / f"{e.name}.ipynb").exists()]


def changed_since(root: Path, modules: Mapping[str, str]) -> list[str]:
    """Return the names of the modules whose code has not the digest that was stored."""
    counted = {name: old for name, old in modules.items() if name not in DECIDES_NOTHING}
    return [name for name, old in counted.items() if module_digest(root, name) != old]


def stale(root: Path, only: str = "") -> dict[str, list[str]]:
    """Return the notebooks whose evidence is not that of the code as it is, each with what changed.

    Among them are the comparisons with others, under the name of the file that stores them.

    Parameters
    ----------
    root : Path
        The book's root, with ``notebooks``, ``book/evidence`` and ``privlib``.
    only : str, optional
        Look at this notebook alone.

    Returns
    -------
    dict of str to list of str
        Notebook -> names of changed modules, ``"its cells"``, ``"never executed"``, or
        ``"no such notebook"`` where only evidence is left.
    """
    found = {} if only else {name: ["no such notebook"] for name in orphans(root)}
    if not only and (changed := changed_since(root, compared(root).get("modules", {}))):
        found[COMPARED] = changed
    for path in sorted(root.glob(f"{only or 'notebooks/*/*'}.ipynb")):
        name = path.relative_to(root).as_posix().removesuffix(".ipynb")
        if not path_of(root, name).exists():
            found[name] = ["never executed"]
            continue
        evidence = notebook(root, name)
        changed = changed_since(root, evidence.modules)
        if _cells_digest(path, path.stat().st_mtime_ns) != evidence.code:
            changed.append("its cells")
        if changed:
            found[name] = changed
    return found


def cells_of(path: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook file."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


@cache
def _cells_digest(path: Path, _modified: int) -> str:
    cells = cells_of(path)
    return code_digest("".join(c["source"]) for c in told_by(cells))


def told_by(cells: Iterable[Any]) -> list[Any]:
    """Return the code cells of a notebook but those to work in.

    What one types there tells nothing of a claim, and no check rests on it.

    Parameters
    ----------
    cells : iterable of mappings
        As they stand in the ``.ipynb`` file, or nodes of `nbformat`.
    """
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    return [cell for cell in code if WORK not in cell["metadata"].get("tags", ())]


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
