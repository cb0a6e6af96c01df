"""What a reader sees: numbers that do not break, folds, figures in the dark, the search."""

from __future__ import annotations

import csv
import re
from urllib.parse import quote

import pytest
from docutils import nodes
from docutils.utils import new_document
from offline_page import NARROW, OfflinePage, chromium
from privlib_book.base import typeset
from privlib_book.reading import NO_BREAK, show_in_the_dark, unbroken, written

import privlib

SEARCHED = "document.querySelector('#search-results p.search-summary')?.innerText"


@pytest.fixture(scope="module")
def visitor(html):
    with chromium() as browser:
        yield OfflinePage(browser, html, color_scheme="dark")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("73 % of 1.1 %", "73% of 1.1%"),
        ("about 3 km and 5 MB", "about 3_km and 5_MB"),
        ("a 5 star", "a 5 star"),
        ("Theorem 5.3 and Table 3(b)", "Theorem_5.3 and Table_3(b)"),
        ("at ε = 0.1", "at ε_=_0.1"),
        ("-0.0019", "−0.0019"),
        ("from -2 to -.5", "from −2 to −.5"),
        ("pages 3-5, 2026-11-29, SHA-512, 1e-9", "pages 3-5, 2026-11-29, SHA-512, 1e-9"),
    ],
)
def test_numbers_stay_with_units_names_and_signs(typed, shown):
    assert unbroken(typed).replace(NO_BREAK, "_") == shown


def test_cells_of_tables_of_numbers_have_minus_signs_and_short_heads_do_not_break():
    row = "<tr><td>Table 4, ε = 0.1</td><td>-0.5</td></tr>"
    table = f'<table class="numbers">{row}</table>'
    assert "<td>−0.5</td>" in written(table)
    assert '<td data-short="">Table' in written(table)
    assert written(f"<table>{row}</table>") == f"<table>{row}</table>"  # of a notebook's own


def test_what_a_check_says_keeps_its_signs_but_formulas_and_code_stay():
    said = typeset("at 10 %, -2 people, `x - 1 % 2`: $x = -2$")
    assert said == r"at 10%, −2 people, <code>x - 1 % 2</code>: \(x = -2\)"


def test_folds_are_called_by_their_visible_words_and_stand_alone(html):
    empty = re.compile(
        r'<details class="admonition hide[^>]*>(?:(?!</details>).)*</details>\s*</div>\s*'
        r'<div class="cell [^"]*docutils container">\s*<details class="admonition hide',
        re.DOTALL,
    )
    for path in html.glob("notebooks/*/*.html"):
        page = path.read_text(encoding="utf-8")
        assert "Toggle hidden content" not in page, path.stem
        assert not empty.search(page), path.stem


def test_a_figure_keeps_its_paper_in_the_dark_only_if_its_caption_speaks_of_shades():
    for alternative, caption, kept in (
        ("Bright dots", "The colour is the leakage.", False),
        ("Dots", "The pale dots are not sent.", True),
    ):
        image = nodes.image(alt=alternative)
        figure = nodes.figure("", image, nodes.caption(caption, caption))
        page = new_document("page")
        page += figure
        show_in_the_dark(None, page)
        assert ("on-paper" in image["classes"]) == kept


def test_a_figure_is_inverted_in_the_dark(visitor):
    page = visitor.open("notebooks/laplace/02-laplace-mechanism")
    seen = "img => getComputedStyle(img).filter"
    assert "invert(1)" in page.locator("figure img:not(.on-paper)").first.evaluate(seen)
    assert not visitor.wrong


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("Laplace distribution", "laplace"),
        ("k-anonymity", ""),
        ("histogram", ""),
        ("Pk-anonymity", "notebooks/disclosure"),
        ("Bayesian differential privacy", "notebooks/correlated"),
    ],
)
def test_the_search_leads_to_the_page_that_introduces_a_term(visitor, words, first):
    page = visitor.open("search", f"?q={quote(words)}")
    page.wait_for_function(SEARCHED)
    links = page.locator("#search-results ul.search li > a")
    pages = [link.get_attribute("href") or "" for link in links.all()]
    assert first in pages[0]
    course = [k for k, page in enumerate(pages) if page.startswith("notebooks/laplace")]
    evidence = [k for k, page in enumerate(pages) if "/evidence/" in page]
    assert not course or not evidence or course[0] < evidence[0]


@pytest.mark.parametrize("name", ["book/ledger/index", "book/ledger/location", "book/errata"])
def test_a_telephone_shows_thirty_rows_and_more_on_request(visitor, name):
    page = visitor.open(name, screen=NARROW)
    seen = """() => [...document.querySelectorAll('table.claims tbody tr:has(.claim-key)')]
      .filter(row => row.checkVisibility()).length"""
    every = page.locator("table.claims tbody tr:has(.claim-key)").count()
    assert page.evaluate(seen) == 30
    page.click(".claims-more button >> nth=0")
    assert page.evaluate(seen) == min(60, every)
    page.click(".claims-more button >> nth=1")
    assert page.evaluate(seen) == every
    assert not page.locator(".claims-more").is_visible()


def test_a_row_that_the_address_names_is_shown_on_a_telephone(visitor):
    page = visitor.open("book/ledger/location", screen=NARROW)
    last = page.locator("table.claims tbody tr:has(.claim-key)").last.get_attribute("id")
    page = visitor.open("book/ledger/location", f"#{last}", screen=NARROW)
    assert page.locator(f"#{last}").is_visible()


def test_paper_has_no_ledger_that_nobody_asked_for(visitor):
    page = visitor.open("book/ledger/index")
    seen = """() => [...document.querySelectorAll('table.claims-all tbody tr')]
      .filter(row => row.checkVisibility()).length"""
    assert page.evaluate(seen) > 300
    page.emulate_media(media="print")
    assert page.evaluate(seen) == 30
    page = visitor.open("book/errata")
    page.emulate_media(media="print")
    assert page.locator("tr.is-late-on-paper").last.is_visible()


def test_other_books_find_name_and_version_in_the_inventory(html):
    lines = (html / "objects.inv").read_bytes().split(b"\n", 3)
    assert lines[1] == b"# Project: privlib"
    assert lines[2] == f"# Version: {privlib.__version__}".encode()


def test_exports_as_csv_begin_with_the_name_of_a_column(html):
    for path in (html / "book" / "exports").glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            assert next(csv.reader(file))[0] == "id"


def test_without_a_repository_no_page_offers_to_run_elsewhere(html):
    page = (html / "notebooks" / "laplace" / "01-attackers.html").read_text(encoding="utf-8")
    assert "colab.research" not in page
    assert "mybinder" not in page


def test_formulas_of_first_lines_are_set_on_the_index_of_modules(html):
    assert ":math:" not in (html / "book" / "api" / "index.html").read_text(encoding="utf-8")
