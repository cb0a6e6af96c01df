"""Exercises: every notebook has all levels in order; what an exercise lacks is named."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from ledger import evidence as ledger_evidence
from ledger import layout
from ledger.evidence import extract
from offline_page import OfflinePage

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ledger_evidence.pages(ROOT)
# A research note may do without exercises.
WITH_EXERCISES = [n for n in NOTEBOOKS if n.exercises or not layout.is_note(n.name)]


@pytest.fixture(scope="module")
def told():
    """By label: the part of the notebook, and the exercise."""
    return {e.label: (n.part, e) for n in NOTEBOOKS for e in n.exercises}


@pytest.mark.parametrize("notebook", WITH_EXERCISES, ids=lambda notebook: notebook.name)
def test_three_to_five_at_all_levels_in_order(notebook):
    levels = [exercise.level for exercise in notebook.exercises]
    assert 3 <= len(levels) <= 5
    assert set(levels) == set(ledger_evidence.LEVELS)
    assert levels == sorted(levels, key=ledger_evidence.LEVELS.index)


# --- what a reader relies on ----------------------------------------------------------------------

EXERCISE = """```{exercise-start} A title
:label: ex-one
```
**Warm-up.** How many?
```{exercise-end}
```"""
SOLUTION = "```{solution-start} ex-one\n:class: dropdown\n```\nTwo."
END = "```{solution-end}\n```"


def markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code(source, *tags):
    return {"cell_type": "code", "metadata": {"tags": [*tags]}, "source": source, "outputs": []}


WORK = code('from privlib.notebook import check\n\ncheck("one", ...)', ledger_evidence.WORK)
WHOLE = [
    markdown(EXERCISE), WORK, markdown(SOLUTION), code("x = 2\nassert x == 1 + 1"), markdown(END),
]  # fmt: skip


def read(cells):
    return extract(cells, "notebooks/laplace/01-a", modules={}, numbers={}).exercises


def test_a_whole_exercise_is_read():
    assert read(WHOLE) == (ledger_evidence.Exercise("ex-one", "A title", "Warm-up", "How many?"),)
    assert read([*WHOLE[:1], *WHOLE[2:]]) == read(WHOLE)  # one without a check


@pytest.mark.parametrize(
    ("place", "cells", "message"),
    [
        (0, [markdown(EXERCISE.replace("Warm-up", "Easy"))], "wrong level: \\['ex-one'\\]"),
        (0, [markdown(EXERCISE.replace(":label: ex-one\n", ""))], "1 begin, 0 are whole"),
        (1, [code('check("two", ...)', ledger_evidence.WORK)], 'has to end with check\\("one"'),
        (2, [markdown(SOLUTION.replace(":class: dropdown\n", ""))], "ex-one: no solution below it"),
        (2, [markdown(SOLUTION.replace("ex-one", "ex-two"))], "ex-one: no solution below it"),
        (2, [markdown(SOLUTION), WORK], "ex-one: the cell to work in stands above"),
        (3, [code("x = 2")], "ex-one: the solution asserts nothing"),
        (3, [code("assert 1 + 1 == 2")], "ex-one: the solution asserts nothing"),
        (4, [], "ex-one: no solution below it"),
    ],
)
def test_what_an_exercise_lacks_is_named(place, cells, message):
    with pytest.raises(ValueError, match=f"^notebooks/laplace/01-a: .*{message}"):
        read([*WHOLE[:place], *cells, *WHOLE[place + 1 :]])


# --- on the pages ---------------------------------------------------------------------------------


def test_labels_and_titles_are_unique():
    every = [exercise for notebook in NOTEBOOKS for exercise in notebook.exercises]
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
        notebook.name
        for name in named
        for notebook in NOTEBOOKS
        if name == notebook.name.removeprefix("notebooks/")
        or notebook.name.startswith(f"notebooks/{name}/")  # a whole part: its pages, not its notes
    )
    assert covered == Counter(notebook.name for notebook in NOTEBOOKS)


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
    visitor = OfflinePage(browser, html)
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
