"""Exercises: every notebook has all levels, each exercise a title, each solution an assertion.

Reads the Markdown faces with its own few lines, not with the code of the book's directives.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from conftest import Visitor

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(ROOT.glob("notebooks/*/*.md"))
OPTIONS = r"(?:---\n.*?\n---\n)?(?::\w[^\n]*\n)*"  # in either of MyST's two forms
CELL = rf"```\{{code-cell\}}\n{OPTIONS}(.*?)\n```"
LEVELS = ["Warm-up", "Standard", "Research"]
FENCE = re.compile(r"^```\{(exercise|solution)-(start|end)\} ?(.*)$")


def exercises(path):
    """Read a notebook line by line: [label, title, text, solution] of each exercise."""
    found, inside = [], None
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    for line in lines:
        fence = FENCE.match(line)
        if fence is None:
            if inside is not None:
                found[-1][2 if inside == "exercise" else 3].append(line)
        elif fence[2] == "end":
            assert inside == fence[1], f"{path.name}: {line} closes nothing"
            inside = None
        else:
            assert inside is None, f"{path.name}: {line} inside another"
            inside, option, close = fence[1], next(lines), next(lines)
            assert close == "```", f"{path.name}: one option below {line}"
            if inside == "exercise":
                assert option.startswith(":label: ex-"), option
                found.append([option.removeprefix(":label: "), fence[3], [], []])
            else:
                assert option == ":class: dropdown", f"{path.name}: {line} is not folded"
                assert fence[3] == found[-1][0], f"{path.name}: {line} after {found[-1][0]}"
                assert not found[-1][3], f"{path.name}: two solutions of {fence[3]}"
    assert inside is None, f"{path.name}: an exercise without end"
    return found


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def found(request):
    return exercises(request.param)


def test_three_to_five_at_all_levels_in_order(found):
    levels = [re.match(r"\*\*([\w-]+)\.\*\* \S", text[0])[1] for _, _, text, _ in found]
    assert 3 <= len(levels) <= 5
    assert set(levels) == set(LEVELS)
    assert levels == sorted(levels, key=LEVELS.index)


def asserted(code):
    """Assertions of a cell that are no comparison of constants."""
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Assert)]
    return [
        node
        for node in found
        if any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(node.test))
    ]


def test_every_solution_explains_runs_and_asserts(found):
    for label, _, _, lines in found:
        solution = "\n".join(lines)
        cells = re.findall(CELL, solution, re.DOTALL)
        prose = re.sub(r"```\{code-cell\}\n.*?\n```", "", solution, flags=re.DOTALL)
        assert len(prose.split()) >= 5, f"{label}: a solution says why"
        assert any(asserted(code) for code in cells), f"{label}: nothing asserted"


def test_a_constant_assertion_does_not_count():
    assert not asserted("assert 2 + 2 == 4")
    assert asserted("x = 4\nassert x == 4")


def test_labels_and_titles_are_unique():
    every = [exercise for path in NOTEBOOKS for exercise in exercises(path)]
    for column in (0, 1):
        doubled = [name for name, n in Counter(e[column] for e in every).items() if n > 1]
        assert not doubled


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
    assert len(re.findall(r"^## Week \d", plan, re.MULTILINE)) == 7


def test_the_reading_plan_sets_exercises_of_its_week():
    plan = (ROOT / "book" / "seminar.md").read_text(encoding="utf-8")
    part_of = {e[0]: path.parent.name for path in NOTEBOOKS for e in exercises(path)}
    level = {e[0]: e[2][0].split("**")[1][:-1] for p in NOTEBOOKS for e in exercises(p)}
    weeks = re.split(r"^## Week ", plan, flags=re.MULTILINE)[1:]
    for number, week in enumerate(weeks, start=1):
        labels = re.search(r"```\{exercise-list\} (.*?)\n```", week, re.DOTALL)[1].split()
        assert [level[label] for label in labels] == LEVELS, f"week {number}"
        read = re.search(r"```\{reading-list\}\n(.*?)\n```", week, re.DOTALL)[1]
        assert {part_of[label] for label in labels} <= {n.split("/")[0] for n in read.split()}


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
