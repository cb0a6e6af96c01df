"""Parts in the new form: a page is read, the evidence stands behind it.

``NEW_FORM`` in ``conftest.py`` names the parts that have been brought into it. The rules are tried
on cells of our own besides, so that they are known to bite.
"""

from __future__ import annotations

import ast
import re
from fractions import Fraction
from pathlib import Path

import pytest
import reader
from extract import HIDDEN, NOT_READ, minutes_of, reading

from conftest import NEW_FORM

ROOT = Path(__file__).resolve().parent.parent
LONGEST, SHOWN = 15, 6.0  # lines of a shown cell; shown lines for a hundred words
NOTEBOOKS = [found for part in NEW_FORM for found in reader.notebooks(ROOT, part)]
STATUSES = [status for part in NEW_FORM for status in reader.statuses(ROOT, part).values()]
each_part = pytest.mark.parametrize("part", NEW_FORM)
each_notebook = pytest.mark.parametrize("found", NOTEBOOKS, ids=[n.name for n in NOTEBOOKS])


def cells(found):
    return reader.cells_of(ROOT / f"{found.name}.ipynb")


def shown(cells):
    """The code cells that a reader sees unfolded and is to read, as (source, outputs)."""
    return [
        ("".join(cell["source"]), cell.get("outputs", ()))
        for cell in cells
        if cell["cell_type"] == "code" and not NOT_READ & set(cell["metadata"].get("tags", ()))
    ]


def lines(source):
    return sum(bool(line.strip()) for line in source.splitlines())


def faults(cells):
    """What stands in shown cells and should be folded."""
    for source, outputs in shown(cells):
        tree = ast.walk(ast.parse(source))
        called = {getattr(n.func, "id", "") for n in tree if isinstance(n, ast.Call)}
        if called & {"claim", "slips"}:
            yield "a claim", source
        if any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source))):
            yield "an assertion", source
        if lines(source) > LONGEST:
            yield "too many lines", source
        told = (o.get("metadata", {}).get("privlib", {}) for o in outputs)
        if any("image/png" in o.get("data", {}) for o in outputs) or any("live" in t for t in told):
            yield "a drawing", source


def code(source, *tags, **output):
    outputs = [{"data": {}, "metadata": {}} | output] * bool(output)
    meta = {"tags": list(tags)}
    return {"cell_type": "code", "source": source, "metadata": meta, "outputs": outputs}


@pytest.mark.parametrize(
    ("cell", "fault"),
    [
        (code('with claim("N-1") as c:\n    c.exact(1, 1)'), "a claim"),
        (code("slips([])"), "a claim"),
        (code("assert x"), "an assertion"),
        (code("\n".join("x = 1" for _ in range(LONGEST + 1))), "too many lines"),
        (code("draw()", data={"image/png": ""}), "a drawing"),
        (code("show()", metadata={"privlib": {"live": "a"}}), "a drawing"),
    ],
)
def test_the_rules_for_shown_cells_bite(cell, fault):
    assert [what for what, _ in faults([cell])] == [fault]
    cell["metadata"]["tags"] = ["evidence", "hide-input"]
    assert not list(faults([cell]))
    assert not list(faults([code("x = 1\n\n" * LONGEST), code("print(claim)")]))


@each_notebook
def test_shown_cells_are_story(found):
    assert not list(faults(cells(found)))


@each_part
def test_a_part_shows_little_code(part):
    """Of all words, headings and directives counted, as of all that stands in text cells."""
    words = code = 0
    for found in reader.notebooks(ROOT, part):
        for cell in cells(found):
            if cell["cell_type"] == "markdown":
                words += len("".join(cell["source"]).split())
        code += sum(lines(source) for source, _ in shown(cells(found)))
    assert code <= SHOWN * words / 100


@each_notebook
def test_folded_cells_are_folded_in_jupyterlab_too(found):
    for cell in cells(found):
        if HIDDEN & set(cell["metadata"].get("tags", ())):
            assert cell["metadata"]["jupyter"] == {"source_hidden": True}
            assert cell["metadata"]["mystnb"]["code_prompt_show"].startswith("Show ")


@each_notebook
def test_minutes_are_honest(found):
    count = reading(cells(found))
    takes = round(minutes_of(count))
    assert abs(found.minutes - takes) <= 2, (found.minutes, takes, count)


@each_part
def test_every_result_beyond_the_paper_names_its_source(part):
    beyond = [s.claim for s in reader.statuses(ROOT, part).values() if s.claim.kind == "beyond"]
    assert not [claim.id for claim in beyond if not claim.source]


@each_part
def test_every_verdict_says_how_far_it_reaches(part):
    statuses = reader.statuses(ROOT, part).values()
    assert not [s.claim.id for s in statuses if s.reach == reader.UNSTATED]


# --- the printed value of an erratum is a printed one ---------------------------------------------

GIVES = re.compile(r"the printed form gives (.+), the truth is ")


def numbers(text):
    """The numbers in a text, fractions as such; thousands may be set apart by commas."""
    text = re.sub(r"\\[dt]?frac\{?(\d+)\}?\{?(\d+)\}?", r" \1/\2 ", text)
    text = re.sub(r"(?<=\d)(?:\{,\}|,)(?=\d{3}\b)", "", text).replace("−", "-")
    found = re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?(?:/\d+)?", text)
    return {Fraction(a.partition("/")[0]) / int(a.partition("/")[2] or 1) for a in found}


def plain(text):
    return re.sub(r"[\s${}]|\\(?:left|right|[,; ])", "", text).replace(r"\dfrac", r"\frac")


def is_printed(value, printed):
    """Whether a value stands in a printed text: its numbers do, or it is written so."""
    if re.search(r"[a-z]", plain(value).replace(r"\frac", ""), re.IGNORECASE):
        return plain(value) in plain(printed)
    return bool(numbers(value)) and numbers(value) <= numbers(printed)


@pytest.mark.parametrize(
    ("value", "printed", "stands"),
    [
        ("1", "a share of $1$", True),
        (r"$\frac{10}{3}$", "$10/3$", True),
        (r"$\frac{10}{3}$", r"$\tfrac{10}{3}$", True),
        (r"$\left[ \frac{1}{2}, \  1\right]$", r"$(\frac12, 1)$", True),
        ("0.38", "about 0.38 of all", True),
        ("1234", "1,234 people", True),
        (r"$x + 1$", "the sum is $x+1$", True),
        (r"$e^{-1}$", "the probability is $e^{-1}$", True),
        ("2", "a share of $1$", False),
        ("1", "a share of 10", False),
        ("$x + 1$", "a share of 1", False),
        ("0.4", "about 0.38 of all", False),
        (r"$\frac{1}{3}$", "$1$ and $3$", False),
        ("True", "it is so", False),
    ],
)
def test_what_is_printed(value, printed, stands):
    assert is_printed(value, printed) is stands


@pytest.mark.parametrize("status", STATUSES, ids=[s.claim.id for s in STATUSES])
def test_the_printed_value_of_an_erratum_is_printed(status):
    if status.is_erratum and status.claim.kind in ("number", "table", "example"):
        printed = " ".join(record.printed for _, record in status.evidence)
        for check in status.checks:
            if check.side == "differs" and (value := GIVES.search(check.text)):
                assert is_printed(value[1], printed), (value[1], printed)
