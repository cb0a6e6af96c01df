"""What an executed notebook showed: taken from its cells once, when it was executed.

Records of checks, stored values, exercises, figures, the words of the glossary, and which objects
of the package each claim rests on. `notebooks` writes it into the notebook's evidence file;
everything else reads that, with `reader`. Run with the names of notebooks, this says how long they
take to read.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from flow import Flow, chains, read_for, sites
from reader import LEVELS, WORK, Evidence, Exercise, Figure, cells_of, code_digest, told_by

from privlib.notebook.claims import Record


def extract(
    cells: Sequence[Mapping[str, Any]],
    name: str,
    *,
    modules: Mapping[str, str],
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
    forms : tuple of str, optional
        Words of the glossary to look for.

    Raises
    ------
    ValueError
        If an exercise lacks its title, label, level or folded solution, a solution asserts nothing,
        a check stands elsewhere than before the solution, or a live figure does not follow its
        static one in a section that opens with a plain sentence.
    """
    texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]
    ran = told_by(cells)
    codes = ["".join(c["source"]) for c in ran]
    prose = "\n\n".join(texts)
    minutes = _MINUTES.search(prose)
    records = tuple(Record.from_dict(record) for cell in cells for record in _shown(cell))
    stored = {}
    for output in (o for c in cells for o in c.get("outputs", ())):
        if glued := output.get("metadata", {}).get("scrapbook", {}).get("name"):  # myst_nb.glue
            stored[glued] = _literal("".join(output["data"][_GLUED]))
    uses, behind = _objects(codes, [[record["id"] for record in _shown(cell)] for cell in ran])
    serves = {r.id: tuple(sorted(behind[r.id])) for r in records if behind.get(r.id)}
    return Evidence(
        name=name,
        title=prose.partition("\n")[0].removeprefix("# "),
        minutes=int(minutes[1]) if minutes else 0,
        cells=sum(c["cell_type"] == "code" for c in cells),
        claims=records,
        serves=serves,
        uses=tuple(sorted(uses)),
        stored=stored,
        exercises=_exercises(cells, prose, name),
        figures=tuple(_figures(cells, name)),
        terms=_terms(codes, forms) | _terms(texts, forms),
        code=code_digest(codes),
        modules=modules,
    )


def _shown(cell: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the records that a cell shows, as they are stored."""
    told = (o.get("metadata", {}).get("privlib", {}) for o in cell.get("outputs", ()))
    return [record for one in told for record in one.get("claims", ())]


def _literal(text: str) -> Any:
    """Return the value of a literal, the text of anything else."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


_MINUTES = re.compile(r"\*\*Time:\*\* (\d+) minutes")
_GLUED = "application/papermill.record/text/plain"
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
                told = meta.get("figure", {})
                alt = meta.get("image", {}).get("alt", "")
                last = Figure(told.get("name", ""), told.get("caption", ""), alt)
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


_BLOCK = re.compile(
    r"^(?P<fence>`{3,})\{prf:[^\n]*\n:label: (?P<label>\S+)\n.*?^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^##+ (?P<title>[^\n`$*{\[]+)$", re.MULTILINE)


@cache
def _whole(forms: tuple[str, ...]) -> re.Pattern[str]:
    """Match a term that is not a piece of a longer one; "ε-" in front is no piece of it."""
    longest = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?<![^\Wε]-)(?:{longest})(?!\w)")


def _terms(texts: Sequence[str], forms: tuple[str, ...]) -> dict[str, str]:
    """Return where each form stands first: the label of its box, or the title of its section."""
    found: dict[str, str] = {}
    heading = ""
    for text in texts if forms else ():
        blocks = [(m.start(), m.end(), m["label"]) for m in _BLOCK.finditer(text)]
        titles = [(m.start(), m["title"]) for m in _HEADING.finditer(text)]
        for match in _whole(forms).finditer(text):
            at = match.start()
            box = next((label for start, end, label in blocks if start <= at < end), "")
            above = [title for start, title in titles if start < at]
            found.setdefault(match[0], box or (f"# {above[-1]}" if above else heading))
        heading = f"# {titles[-1][1]}" if titles else heading
    return found


# --- how long a page takes ------------------------------------------------------------------------

WORDS_A_MINUTE = 200
SECONDS = {"formula": 15, "picture": 30, "code": 4}  # a displayed line; a figure or table; a line
# What is no code to read: folded, or a cell to work in.
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
NOT_READ = HIDDEN | {WORK}
_SOLUTION = re.compile(r"`{3,}\{solution-start\}.*?\{solution-end\}\s*`{3,}", re.DOTALL)
_DISPLAYED = re.compile(r"\$\$(.+?)\$\$|^(`{3,})\{math\}(.+?)^\2", re.DOTALL | re.MULTILINE)
_NOT_PROSE = re.compile(
    r"^ *[`:]{3,}(?:\{[\w:-]+\})?|^ *:[\w-]+:.*$|^%.*$|^ *\|[-:| ]+\|$|<!--(?:.|\n)*?-->|[#|*_>]+",
    re.MULTILINE,
)
_PICTURED = re.compile(r"^ *\|[-:| ]+\|$|\{(?:figure|list-table)\}", re.MULTILINE)
_SPACED = re.compile(r"\$[^$]+\$|\{[\w:-]+\}`[^`]*`")  # a formula or a role is one word


def reading(cells: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    r"""Count what a reader of an executed notebook meets; solutions and folded code are not read.

    Returns
    -------
    dict
        ``words`` of prose and exercises; ``formula``: displayed lines of mathematics, typed or
        derived; ``picture``: figures and tables; ``code``: shown lines that are not blank.

    Examples
    --------
    >>> told = {"cell_type": "markdown", "source": "Two $x + 1$ words.\n\n$$a = b$$"}
    >>> shown = {"cell_type": "code", "source": "x = 1\n\nprint(x)", "metadata": {}}
    >>> reading([told, shown])
    {'words': 3, 'formula': 1, 'picture': 0, 'code': 2}
    """
    count = dict.fromkeys(("words", "formula", "picture", "code"), 0)
    mark = "\0{}\0"  # where code stands, so that solutions can be cut out of the whole
    texts = ["".join(c["source"]) if c["cell_type"] == "markdown" else mark.format(k)
             for k, c in enumerate(cells)]  # fmt: skip
    prose = _SOLUTION.sub("", "\n\n".join(texts))
    for found in re.finditer(r"\0(\d+)\0", prose):
        cell = cells[int(found[1])]
        if cell["cell_type"] == "code" and not NOT_READ & set(cell["metadata"].get("tags", ())):
            count["code"] += sum(bool(x.strip()) for x in "".join(cell["source"]).splitlines())
        for output in cell.get("outputs", ()):
            html = "".join(output.get("data", {}).get("text/html", ""))
            derived = re.search(r'<table class="derivation\b.*?</table>', html, re.DOTALL)
            count["formula"] += derived[0].count("<tr") if derived else 0
            pictured = "image/png" in output.get("data", {})
            count["picture"] += pictured + html.count("<table") - bool(derived)
    prose = re.sub(r"\0\d+\0", "", prose)
    for found in _DISPLAYED.finditer(prose):
        count["formula"] += (found[1] or found[3]).strip().removesuffix(r"\\").count(r"\\") + 1
    count["picture"] += len(_PICTURED.findall(prose))
    prose = _NOT_PROSE.sub(" ", _SPACED.sub("x", _DISPLAYED.sub(" ", prose)))
    count["words"] = len(re.findall(r"\S*\w\S*", prose))
    return count


def minutes_of(count: Mapping[str, int]) -> float:
    """Return the minutes that it takes to read what `reading` counted.

    Examples
    --------
    >>> minutes_of({"words": 400, "formula": 4, "picture": 2, "code": 15})
    5.0
    """
    return count["words"] / WORDS_A_MINUTE + sum(s * count[k] for k, s in SECONDS.items()) / 60


# --- which claims rest on which objects of the package ------------------------------------------


# What makes the checks and the pictures.
_MEANS = re.compile(r"privlib\.notebook\.(claim|slips|plots)\b")


def _objects(
    codes: Sequence[str], ids: Sequence[Iterable[str]]
) -> tuple[set[str], dict[str, set[str]]]:
    """Return the objects of the package that a notebook names, and those behind each claim.

    A claim rests on an object of the package if its ``with claim(...)`` block, or its row of a
    ``slips`` table, reads the object or a name that was set, changed or defined by a statement that
    does. A value counts even where the check needed only a part of it. Of the claims that each cell
    shows (`ids`), those that no block spells out are of its blocks with computed ids.
    """
    trees = [ast.parse(code) for code in codes]
    aliases = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("privlib")
        for alias in node.names
    }

    def named(dotted: Iterable[str]) -> set[str]:
        words = (chain.partition(".") for chain in dotted)
        paths = {f"{aliases[root]}{dot}{rest}" for root, dot, rest in words if root in aliases}
        return {path for path in paths if not _MEANS.match(path)}

    flow = Flow(codes, apart=True)
    found = list(sites(flow))
    spelled = {site.claim_id for site in found}
    behind: dict[str, set[str]] = {}
    for site in found:
        shown = ids[flow.statements[site.end].cell - 1]
        for claim_id in [site.claim_id] if site.claim_id else set(shown) - spelled:
            behind.setdefault(claim_id, set()).update(named(read_for(flow, site)))
    return named(chain for tree in trees for chain in chains(tree)), behind


def main(paths: Sequence[str]) -> None:
    """Say how long executed notebooks take to read, and what was counted."""
    for path in paths:
        cells = cells_of(Path(path))
        count = reading(cells)
        stated = _MINUTES.search("".join("".join(c["source"]) for c in cells))
        told = ", ".join(f"{number} {what}" for what, number in count.items())
        print(
            f"{path}: {minutes_of(count):.1f} minutes, stated {stated[1] if stated else 0} ({told})"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
