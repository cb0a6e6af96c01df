"""The page of ten findings takes its numbers, pictures and verdicts from the notebooks."""

from __future__ import annotations

import re

import pytest
from ledger import evidence as ledger_evidence
from ledger import verdicts
from offline_page import OfflinePage
from privlib_book import notebooks

from privlib.notebook.claims import PARTS, STRENGTHS, VERDICTS, part_of


@pytest.fixture(scope="module")
def sections(root):
    text = (root / "book" / "findings.md").read_text(encoding="utf-8")
    return re.findall(r"^## (\d+)\. .+?\n(.+?)(?=^## )", text, re.DOTALL | re.MULTILINE)


def test_ten_findings_of_all_parts(sections):
    assert [int(number) for number, _ in sections] == list(range(1, 11))
    heads = [re.search(r"^\*(.+?): (.+?)\.\*", body, re.MULTILINE).groups() for _, body in sections]
    assert len({part for _, part in heads}) == len(PARTS)


def test_each_finding_has_a_picture_and_verdicts(sections, root):
    known = {p: verdicts.statuses(root, p) for p in PARTS.values()}
    for number, body in sections:
        name, label = re.search(r"\{notebook-figure\} (\S+) (\S+)", body).groups()
        (figure,) = (f for f in ledger_evidence.notebook(root, name).figures if f.label == label)
        assert ledger_evidence.picture(root, name, label).startswith(b"\x89PNG"), number
        assert len(figure.alt) > 20, number
        assert figure.caption, number
        ids = re.search(r"\{verdicts\} (.+)", body)[1].split()
        part = name.split("/")[1]
        for claim_id in ids:
            assert part_of(claim_id) == part, number
            assert known[part][claim_id].evidence, claim_id


def test_no_result_is_typed(sections):
    """Digits stand in formulas, names and settings alone; the rest comes from the notebooks."""
    settings = r"30 cells|1,024 hash functions|with 64 they|\bV\d"
    for number, body in sections:
        told = r"```.*?```|\{(?:stored|cite:p)\}`[^`]*`|\$[^$]*\$"
        prose = re.sub(told, "", body, flags=re.DOTALL)
        assert not re.search(r"\d", re.sub(settings, "", prose)), number


def test_what_is_stored_is_what_the_notebook_computed(root):
    name = "notebooks/laplace/05-when-the-noise-leaks"
    page = (root / f"{name}.md").read_text(encoding="utf-8")
    percent = notebooks.number_of(root, name, "excluded[0]:.0%")
    assert f"{percent}<!-- {{excluded[0]:.0%}} -->" in page


def test_how_to_read_explains_each_verdict_and_each_strength(root):
    text = (root / "book" / "how-to-read.md").read_text(encoding="utf-8")
    for word in (*VERDICTS, *STRENGTHS):
        assert f"\n| **{word}** | " in text, word


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("05-when-the-noise-leaks", r"the text of .* has no number \{nothing\}"),
        ("no-such", "no evidence of a notebook"),
    ],
)
def test_a_wrong_name_is_an_error(root, name, match):
    with pytest.raises(ValueError, match=match):
        notebooks.number_of(root, f"notebooks/laplace/{name}", "nothing")


def test_each_tile_leads_to_the_claims_that_it_counts(browser, html, root):
    visitor = OfflinePage(browser, html)
    page = visitor.open("book/intro")
    tiles = page.locator(".claim-tiles a").evaluate_all(
        "tiles => tiles.map(t => [t.href, Number(t.querySelector('b').textContent)])"
    )
    found = [s for part in PARTS.values() for s in verdicts.statuses(root, part).values()]
    assert len(tiles) == 2 + len({s.verdict for s in found if s.claim.kind != "beyond"})
    assert all(number > 0 for _, number in tiles)
    for address, number in (tiles[-3], tiles[-1]):  # a verdict; results beyond the papers
        page.goto(address, wait_until="domcontentloaded")
        page.wait_for_selector(".claims-filter:not([hidden])")
        rows = page.locator("table.claims tbody tr:has(.claim-key)")
        assert rows.filter(visible=True).count() == number, address
    visitor.context.close()
