"""Exercises: every notebook has all levels, each exercise a title, each solution an assertion.

Labels, titles and levels are those of the reader, which is held against the Markdown formats as
`conftest.exercises` reads them; solutions are known there alone.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from ledger import evidence as ledger_evidence

from conftest import Visitor, exercises

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(ROOT.glob("notebooks/*/*.md"))
OPTIONS = r"(?:---\n.*?\n---\n)?(?::\w[^\n]*\n)*"  # in either of MyST's two forms
CELL = rf"```\{{code-cell\}}\n{OPTIONS}(.*?)\n```"


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def found(request):
    return exercises(request.param)


@pytest.fixture(scope="module")
def told():
    """By label, as the reader has it: the part of the notebook, and the exercise."""
    return {e.label: (n.part, e) for n in ledger_evidence.notebooks(ROOT) for e in n.exercises}


def test_the_reader_has_every_exercise_as_it_is_written():
    for path in NOTEBOOKS:
        name = path.relative_to(ROOT).with_suffix("").as_posix()
        told = ledger_evidence.notebook(ROOT, name).exercises
        assert [(e.label, e.title, f"**{e.level}.** {e.text}") for e in told] == [
            (e.label, e.title, "\n".join(e.text)) for e in exercises(path)
        ], name


def test_three_to_five_at_all_levels_in_order(found, told):
    levels = [told[one.label][1].level for one in found]
    assert 3 <= len(levels) <= 5
    assert set(levels) == set(ledger_evidence.LEVELS)
    assert levels == sorted(levels, key=ledger_evidence.LEVELS.index)


def asserted(code):
    """Assertions of a cell that are no comparison of constants."""
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Assert)]
    return [
        node
        for node in found
        if any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(node.test))
    ]


def test_every_solution_explains_runs_and_asserts(found):
    for label, _, _, _, lines in found:
        solution = "\n".join(lines)
        cells = re.findall(CELL, solution, re.DOTALL)
        prose = re.sub(r"```\{code-cell\}\n.*?\n```", "", solution, flags=re.DOTALL)
        assert len(prose.split()) >= 5, f"{label}: a solution says why"
        assert any(asserted(code) for code in cells), f"{label}: nothing asserted"


def test_a_constant_assertion_does_not_count():
    assert not asserted("assert 2 + 2 == 4")
    assert asserted("x = 4\nassert x == 4")


def test_labels_and_titles_are_unique():
    every = [exercise for n in ledger_evidence.notebooks(ROOT) for exercise in n.exercises]
    for column in ("label", "title"):
        counted = Counter(getattr(exercise, column) for exercise in every)
        assert not [name for name, number in counted.items() if number > 1]


def test_the_reading_plan_names_every_notebook_once():
    plan = (ROOT / "book" / "seminar.md").read_text(encoding="utf-8")
    named = [
        name
        for block in re.findall(r"```\{reading-list\}\n(.*?)\n```", plan, re.DOTALL)
        for name in block.split()
    ]
    covered = Counter(
        f"{path.parent.name}/{path.stem}"
        for name in named
        for path in NOTEBOOKS
        if name in (path.parent.name, f"{path.parent.name}/{path.stem}")
    )
    assert set(covered) == {f"{path.parent.name}/{path.stem}" for path in NOTEBOOKS}
    assert set(covered.values()) == {1}


def test_the_reading_plan_sets_exercises_of_its_week(told):
    plan = (ROOT / "book" / "seminar.md").read_text(encoding="utf-8")
    weeks = re.split(r"^## Week ", plan, flags=re.MULTILINE)[1:]
    assert len(weeks) == 7  # as its title says
    for number, week in enumerate(weeks, start=1):
        labels = re.search(r"```\{exercise-list\} (.*?)\n```", week, re.DOTALL)[1].split()
        levels = tuple(told[label][1].level for label in labels)
        assert levels == ledger_evidence.LEVELS, f"week {number}"
        read = re.search(r"```\{reading-list\}\n(.*?)\n```", week, re.DOTALL)[1]
        assert {told[label][0] for label in labels} <= {n.split("/")[0] for n in read.split()}


def test_exercises_can_be_filtered_by_level(browser, html):
    visitor = Visitor(browser, html, formulas=False)
    page = visitor.open("book/exercises")
    rows = page.locator("table.exercise-index tbody tr")
    total, warm = rows.count(), page.locator("tbody [data-level=Warm-up]").count()
    for level in ("Standard", "Research"):
        page.get_by_label(level, exact=True).uncheck()
    assert rows.filter(visible=True).count() == warm
    assert page.locator(".exercise-filter output").inner_text() == f"{warm} of {total} exercises"
    page.get_by_label("Research", exact=True).focus()
    page.keyboard.press("Space")
    assert page.locator("tbody [data-level=Research]:visible").count() > 0
    visitor.context.close()
