"""Exercises that answer back.

The notebooks themselves show that the checks accept the right answers: each folded solution passes
what it computed to the check of its exercise, and the run of the notebooks compares what it prints.
Here every check refuses an answer that is a little off, and what an answer may be.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from fractions import Fraction
from math import exp
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from ledger import evidence as ledger_evidence
from ledger.evidence import check_calls

from privlib.notebook import check
from privlib.notebook.exercises import ENTRIES, WITHOUT, wanted

ROOT = Path(__file__).resolve().parents[2]
in_repository = pytest.mark.skipif(
    not (ROOT / "notebooks").exists(), reason="a source archive has no notebooks"
)


def said(capsys, label, answer):
    capsys.readouterr()
    check(label, answer)
    return capsys.readouterr().out


# --- every check accepts its answer and no other --------------------------------------------------


def moved(answer, entry):
    """Return answers that are wrong: a number or a formula a little off, every other choice."""
    if entry["kind"] == "choice":
        return [word for word in entry["of"] if word != answer]
    if answer == "0":
        return ["0.01", "-0.01"]
    share = 10 ** (1 - entry.get("digits", 6))  # of the number: a unit of its last digit or more
    return [f"({answer}) * {1 + 2 * share}", f"({answer}) * {1 - 2 * share}", f"-({answer})"]


@pytest.mark.parametrize("label", ENTRIES)
def test_an_answer_that_is_a_little_off_gets_the_hint(capsys, label):
    entry = ENTRIES[label]
    several = isinstance(entry["answer"], list)
    right = entry["answer"] if several else [entry["answer"]]
    assert said(capsys, label, entry["answer"]) == "Right.\n"
    for place, answer in enumerate(right):
        for wrong in moved(answer, entry):
            given = [*right[:place], wrong, *right[place + 1 :]]
            told = said(capsys, label, given if several else wrong)
            assert told == f"Not yet. Hint: {entry['hint']}\n", wrong


# --- in the notebooks -----------------------------------------------------------------------------


def is_computed(answer):
    """Whether an answer names something; a value that is typed shows nothing."""
    return any(isinstance(node, ast.Name) for node in ast.walk(ast.parse(answer)))


@pytest.fixture(scope="module")
def checked():
    """For each call of `check` in a notebook: label, answer, and what its cell printed."""
    found = []
    for path in sorted(ROOT.glob("notebooks/**/*.ipynb")):
        for cell in ledger_evidence.cells_of(path):
            source = "".join(cell["source"])
            if cell["cell_type"] != "code" or "check(" not in source:
                continue
            printed = "".join("".join(output.get("text", "")) for output in cell["outputs"])
            found += [(label, answer, printed) for label, answer in check_calls(source)]
    return found


@in_repository
def test_each_exercise_has_a_check_or_a_reason_for_none(checked):
    exercises = [
        e.label.removeprefix("ex-") for n in ledger_evidence.notebooks(ROOT) for e in n.exercises
    ]
    assert Counter(exercises) == Counter([*ENTRIES, *WITHOUT])
    asking = [label for label, answer, _ in checked if answer == "..."]
    assert Counter(asking) == Counter([*ENTRIES])


@in_repository
def test_each_solution_computes_what_its_check_accepts(checked):
    solved = [(label, printed) for label, answer, printed in checked if is_computed(answer)]
    assert Counter(label for label, _ in solved) == Counter([*ENTRIES])
    assert len(checked) == len(solved) + len(ENTRIES)  # the cells to work in
    for label, printed in solved:
        assert "Right." in printed, label
        assert "Not yet." not in printed, label


def test_cells_to_work_in_show_what_is_wanted(checked):
    for label, answer, printed in checked:
        if not is_computed(answer):
            assert printed == f"{wanted(label)}\n"


def test_a_value_that_is_typed_is_not_computed():
    typed = ["...", "2000", "('no', [1, 2])", "'k * exp(eps)'"]
    computed = ["needed", "(1, streamed(1))", "'yes' if gain > 1 else 'no'", "lambda n: 1 / n"]
    assert not any(is_computed(text) for text in typed)
    assert all(is_computed(text) for text in computed)


# --- what is stored of them -----------------------------------------------------------------------

FIELDS = {"number": set(), "formula": {"in"}, "choice": {"of"}}


@pytest.mark.parametrize("label", ENTRIES)
def test_entries_are_whole_and_hints_give_nothing_away(label):
    entry = ENTRIES[label]
    needed = {"ask", "kind", "answer", "hint"} | FIELDS[entry["kind"]]
    assert needed <= set(entry) <= needed | {"digits"}
    assert not entry["ask"].endswith(".")
    assert entry["hint"][-1] in ".?"
    assert len(entry["hint"]) < 200
    right = entry["answer"] if isinstance(entry["answer"], list) else [entry["answer"]]
    if entry["kind"] == "choice":
        assert set(right) <= set(entry["of"])
    else:  # not written out; a single digit may be there for another reason
        plain = re.sub(r"\s", "", entry["hint"])
        assert not any(len(a) > 2 and re.sub(r"\s", "", a) in plain for a in right)


# --- what an answer may be ------------------------------------------------------------------------

k, eps = sp.symbols("k varepsilon")


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("lap-01-group", "exp(k * ε)"),
        ("lap-01-group", "exp(epsilon) ** k"),
        ("lap-01-group", sp.exp(k * eps)),
        ("lap-01-group", lambda k, eps: np.exp(k * eps)),
        # as on paper
        ("lap-01-group", "e^(k eps)"),
        ("lap-01-group", "e ^ (k·ε)"),
        ("lap-01-group", "(e^ε)^k"),
        ("lap-02-tolerance", "2 eps"),
        ("lap-02-tolerance", "2eps"),
        ("lap-02-tolerance", "eps (3 − 1)"),
        ("lap-02-tolerance", "2 eps ln e"),
        ("lap-01-coin", ("ln 3", ".75")),
        ("lap-02-median", "10 ln(2)"),
        ("lap-02-median", "20 ln 2 - 10 log(2)"),
        ("lap-hundred-careless", "1/n"),
        ("lap-03-size", 2000),
        ("lap-03-size", 2000.0),
        ("lap-03-size", np.int64(2000)),
        ("lap-03-size", Fraction(4000, 2)),
        ("lap-03-size", sp.Integer(2000)),
        ("lap-03-size", "60 / 0.03"),
        ("lap-03-size", "-2 * (0 - 1000)"),
        ("lap-02-median", 6.93),
        ("lap-02-median", 10 * sp.log(2)),
        ("lap-02-median", "10 * ln(2)"),
        ("di-04-suppress", np.array([11, 5, 2, 5, 5, 1])),
        ("di-04-suppress", sp.Matrix([11, 5, 2, 5, 5, 1])),
        # however a word is typed
        ("lo-06-score", "Second"),
        ("03-order", "No"),
        ("06-missing", " NEVER"),
        ("08-boundary", ("alternate", "Agree")),
        ("lo-06-other-day", np.array(["Yes", "yes"])),
        ("di-02-population", (0.0, "100")),
        # as the solutions print them
        ("lap-01-small", (0.468, 26.4)),
        ("lap-05-square", 0.26),
        ("lo-04-budget", (9360, 43.7)),
        ("lo-05-wrong", (3.25, 1.82)),
        ("lo-05-wrong", (3.252, 1.826)),  # another of the best event-level releases
        ("sk-01-many", 0.00091),
        ("sk-04-rows", (1.05, 4.26)),
        ("sk-09-ceiling", (0.999, 0.731)),
    ],
)
def test_answers_of_many_types_are_right(capsys, label, answer):
    assert said(capsys, label, answer) == "Right.\n"


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("lap-03-size", math.nan),
        ("lap-03-size", math.inf),
        ("lap-03-size", sp.nan),
        ("lap-03-size", 2000.1),
        ("lap-02-median", 6.8),
        ("lap-02-median", -6.93),
        ("lap-01-group", lambda k, eps: math.nan),
        ("lap-01-group", 3),
        ("di-04-blind", ("1/s", "1/n", "s/n")),
        ("lo-02-lost", (0, 6)),
        ("lap-05-square", 0.25),
        ("lap-05-square", 0.27),
        ("sk-01-many", 0.001),
    ],
)
def test_what_is_not_a_number_or_off_is_wrong(capsys, label, answer):
    assert said(capsys, label, answer).startswith("Not yet. Hint: ")


@pytest.mark.parametrize(
    ("label", "answer", "digits"),
    [
        ("lap-01-small", [0.5, 26], 3),
        ("lap-01-small", [0.468, "26"], 3),
        ("lap-02-median", 7, 3),
        ("lap-02-median", 6.9, 3),
    ],
)
def test_a_number_with_too_few_digits_is_told_so(capsys, label, answer, digits):
    told = said(capsys, label, answer)
    assert told == f"Not yet. Right as far as it goes, but {digits} digits are asked for.\n"


def test_a_wrong_number_beside_a_short_one_gets_the_hint(capsys):
    assert said(capsys, "lap-01-small", [0.5, 30.5]).startswith("Not yet. Hint: ")


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("03-inside", "31.2%"),
        ("03-inside", " 31.2 % "),
        ("lap-02-median", "7%"),
        ("lo-02-lost", (6, "50%")),
        ("lap-01-group", "100% * exp(k * eps)"),
    ],
)
def test_an_answer_in_percent_is_asked_for_as_a_number(capsys, label, answer):
    assert said(capsys, label, answer).startswith("Not yet. Write a number without %: 0.25 for a")


def test_a_percent_sign_is_no_choice():
    with pytest.raises(ValueError, match='answer must be "yes" or "no", got \'50%\''):
        check("03-order", "50%")


@pytest.mark.parametrize(
    ("label", "answer", "error", "message"),
    [
        ("lap-99", 1, ValueError, "label must be that of an exercise with a check, got 'lap-99'"),
        ("lap-03-size", None, TypeError, "answer must be a number, got None"),
        ("lap-03-size", True, TypeError, "answer must be a number, got True"),
        ("lap-03-size", 1j, TypeError, "answer must be a number, got 1j"),
        ("lap-03-size", "about 5", ValueError, "answer must be a number, got invalid syntax"),
        ("lap-03-size", "n", ValueError, "answer must be a number, got 'n', which is none of"),
        ("lap-03-size", sp.Symbol("n"), ValueError, "answer must be a number, got 'n'"),
        ("lap-03-size", "__import__('os')", ValueError, "which is none of"),
        ("lap-03-size", "1 if 1 else 2", ValueError, "which is none of"),
        ("lap-03-size", "9**9**9", ValueError, "answer must be a number, got"),
        ("lap-03-size", "9**-9**9 - (9**9999)**9999", ValueError, "answer must be a number, got"),
        ("lap-01-group", "k**k**k**k**k", ValueError, "answer must be a formula in k, eps, got"),
        ("lap-01-group", "1/2 eps", ValueError, "'1/2 eps', which may mean two things: write"),
        ("lap-01-group", "ln 1/2", ValueError, "'ln 1/2', which may mean two things"),
        ("lap-01-group", "ln k^2", ValueError, r"'ln k\^2', which may mean two things"),
        ("lap-01-group", "ln sqrt 2", ValueError, "invalid syntax in 'ln sqrt 2': write"),
        ("lap-01-group", "k l", ValueError, "invalid syntax in 'k l': write a product"),
        ("lap-01-group", "k, eps", ValueError, "a formula in k, eps"),
        ("lap-01-group", "exp(l)", ValueError, "got 'l', which is none of .*k, eps"),
        ("lap-01-group", "1 / (k - k)", ValueError, "answer must be a formula in k, eps"),
        ("lap-01-group", "log(0 - k)", ValueError, "answer must be a formula in k, eps"),
        ("lap-01-group", lambda: 1, TypeError, "answer must be a formula in k, eps, got <function"),
        ("lap-01-group", lambda k, eps: "a", TypeError, "in k, eps, got 'a'"),
        ("lo-02-lost", 6, TypeError, "answer must be 2 answers in brackets, each a number, got 6"),
        ("lo-02-lost", (6, 0, 0), TypeError, r"2 answers in brackets, .*got \(6, 0, 0\)"),
        ("lo-02-lost", {6, 0}, TypeError, "2 answers in brackets, each a number"),
        ("lo-06-score", "third", ValueError, 'answer must be "first" or "second", got \'third\''),
        ("lo-06-score", 2, ValueError, 'answer must be "first" or "second", got 2'),
    ],
)
def test_what_is_no_answer_is_named(label, answer, error, message):
    with pytest.raises(error, match=f"^check: .*{message}"):
        check(label, answer)


def test_formulas_are_compared_exactly_at_the_same_points_every_time():
    asked = []

    def formula(k, eps):
        asked.append((k, eps))
        return exp(k * eps)

    check("lap-01-group", formula)
    check("lap-01-group", formula)
    assert asked[:6] == asked[6:]
    assert len(set(asked[:6])) == 6
    assert all(isinstance(k, int) and 2 <= k <= 6 and 0.1 < eps < 1.5 for k, eps in asked)


def test_the_pages_show_the_cells_to_work_in(html):
    shown = 0
    for path in (html / "notebooks").glob("*/*.html"):
        page = path.read_text(encoding="utf-8")
        cells = re.findall(
            r'<div class="cell tag_exercise.+?\n</div>\n</div>\n</div>\n', page, re.DOTALL
        )
        assert all("No answer yet. Wanted: " in cell for cell in cells), path.stem
        shown += len(cells)
    assert shown == len(ENTRIES)
