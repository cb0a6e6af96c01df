"""Notation: the names in code exist, the table of letters is complete, its letters are used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "notation.md").read_text(encoding="utf-8")
PARTS = {
    "Laplace mechanism": "laplace",
    "Correlated data": "correlated",
    "Sampling and PRAM": "disclosure",
    "Location histograms": "location",
    "Count sketches": "sketch",
}


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)[1]


@pytest.mark.parametrize("title", PARTS)
def test_names_in_code_exist(title):
    sources = "".join(p.read_text() for p in (ROOT / "privlib" / PARTS[title]).glob("*.py"))
    rows = re.findall(
        r"^\| \$.*\| ([^|]*) \|$|^\| \w.*\| ([^|]*) \|$", section(title), re.MULTILINE
    )
    names = re.findall(r"`(?:\w+\.)?([A-Za-z_]\w+)", "".join("".join(row) for row in rows))
    assert len(names) >= 5
    missing = [name for name in names if not re.search(rf"\b{name}\b", sources)]
    assert not missing


def test_every_letter_has_a_meaning_in_every_column():
    table = re.search(r"```\{list-table\}\n(.*?)```", PAGE, re.DOTALL)[1]
    rows = [re.split(r"\n  - ", row) for row in re.split(r"^\* - ", table, flags=re.MULTILINE)[1:]]
    assert {len(row) for row in rows} == {6}
    letters = [letter for row in rows[1:] for letter in row[0].strip().split(", ")]
    assert len(letters) == len(set(letters))
    # A letter is listed because it stands for two things at least.
    for row in rows[1:]:
        assert sum(len(cell.split(";")) for cell in row[1:] if cell.strip() != "–") >= 2, row[0]
