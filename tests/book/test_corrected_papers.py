"""The repaired papers: order and completeness, how objects stand, and the two languages."""

from __future__ import annotations

import html as markup
import json
import re
from collections import Counter
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace

import pytest
import works
from ledger import corrected_papers, differences, japanese, verdicts
from ledger.claims import Claim
from privlib_book.reading import unbroken

from privlib.notebook.claims import PARTS, VERDICTS, Check, Record, anchor

ROOT = Path(__file__).resolve().parents[2]
STATUSES = {part: verdicts.statuses(ROOT, part) for part in PARTS.values()}
PAPERS = {
    part: corrected_papers.arrange(statuses.values(), corrected_papers.outline(ROOT, part))
    for part, statuses in STATUSES.items()
}
WRONG = [status for found in STATUSES.values() for status in found.values() if status.is_erratum]
CHANGED = r"\class{changed}{"


def read(html, part):
    return (html / f"book/repaired/{part}.html").read_text(encoding="utf-8")


def claim(claim_id, where, at, kind="remark", **fields):
    return Claim(claim_id, where, kind, "It holds.", at=at, **fields)


def status(verdict, weight="error", *sides):
    evidence = ()
    if sides:
        checks = tuple(Check(side, "exact", "a case") for side in ("supports", *sides))
        evidence = (("notebooks/correlated/01-x", Record("Y-1", checks)),)
    return verdicts.Status(
        claim("Y-1", "section 1", "line 1", weight=weight), verdict, "", evidence
    )


# --- order and completeness -----------------------------------------------------------------------


@pytest.mark.parametrize("part", PAPERS)
class TestOrder:
    def test_each_claim_of_the_paper_stands_once(self, part):
        shown = [row.claim.id for _, groups in PAPERS[part] for g in groups for row in g.rows]
        paper = [k for k, s in STATUSES[part].items() if s.claim.kind != "beyond"]
        assert Counter(shown) == Counter(paper)

    def test_each_object_has_one_heading_that_counts_all_of_its_claims(self, part):
        groups = [group for _, several in PAPERS[part] for group in several if group.name]
        assert len({group.name for group in groups}) == len(groups)
        paper = [s.claim for s in STATUSES[part].values() if s.claim.kind != "beyond"]
        names = corrected_papers.objects(paper)
        for group in groups:
            assert {row.claim.id for row in group.every} == {
                k for k, name in names.items() if name == group.name
            }
            assert sum(group.counts.values()) == len(group.every)

    def test_sections_and_what_stands_in_them_follow_the_text(self, part):
        sections = [section for section, _ in PAPERS[part]]
        assert [s.start for s in sections] == sorted({s.start for s in sections})
        for _, groups in PAPERS[part]:
            at = [[corrected_papers.position(row.claim, g.name) for row in g.rows] for g in groups]
            assert all(own == sorted(own) for own in at)
            assert [own[0] for own in at] == sorted(own[0] for own in at)

    def test_a_named_section_is_where_the_line_is(self, part):
        """The outline has the lines of the headings: other places would contradict them."""
        sections = corrected_papers.outline(ROOT, part)
        assert all(one.start < two.start for one, two in pairwise(sections))
        assert len({section.name for section in sections}) == len(sections)
        for row in STATUSES[part].values():
            first = row.claim.at.split("; ")[0]
            floats = re.match(r"Table|Figure|Algorithm|footnote|section|Example", first)
            if row.claim.kind == "beyond" or floats:
                continue
            at = corrected_papers.position(row.claim)
            by_name = corrected_papers.section_of(row.claim, sections, at)
            inside = [s.start <= at for s in sections].count(True) - 1
            assert by_name == inside, (row.claim.id, sections[inside].name)

    def test_objects_and_places_have_japanese_names(self, part):
        for _, groups in PAPERS[part]:
            for group in groups:
                names = [group.name, *(row.claim.place for row in group.rows)]
                for name in names:
                    left = re.findall(r"[a-z]{4,}", japanese.place(name))
                    assert not left, (name, japanese.place(name))

    def test_the_page_shows_them_in_this_order(self, part, html):
        page = read(html, part)
        ids = re.findall(r'<div class="repaired-claim" id="([^"]+)"', page)
        assert ids == [anchor(r.claim.id) for _, gs in PAPERS[part] for g in gs for r in g.rows]
        told = re.findall(
            r'repaired-name"><span class="in-en">(.*?)</span>.*?data-standing="(.*?)"',
            page,
        )
        assert told == [
            (g.name[0].upper() + g.name[1:], g.standing)
            for _, gs in PAPERS[part]
            for g in gs
            if g.name
        ]


def test_what_is_not_in_japanese_yet_is_shown_in_english(monkeypatch):
    ours = japanese.wording_of(ROOT, "location")
    wanting = {k: dict(row) for k, row in ours.items() if k != "M-G1"}
    del wanting["M-A3"]["corrected"]
    monkeypatch.setattr(japanese, "wording_of", lambda root, part: wanting)
    shown = japanese.texts_of(ROOT, "location", STATUSES["location"].values())
    assert shown["M-G1"]["says"] == STATUSES["location"]["M-G1"].claim.says
    assert shown["M-A3"]["corrected"] == STATUSES["location"]["M-A3"].texts["corrected"]
    assert shown["M-A3"]["says"] == ours["M-A3"]["says"]
    assert set(shown) == set(STATUSES["location"])


def test_each_object_has_an_address_of_its_own(html):
    found = corrected_papers.objects_of(ROOT, STATUSES.get, PAPERS)
    for part, groups in found.items():
        assert groups == [g for _, several in PAPERS[part] for g in several if g.name]
        page = read(html, part)
        ids = re.findall(r'\bid="([^"]+)"', page)
        headings = re.findall(r'<h3 class="repaired-object" id="([^"]+)"', page)
        assert headings == [group.id for group in groups]
        assert all(ids.count(name) == 1 for name in headings)
    by_claim = corrected_papers.by_claim(found)
    assert by_claim["M-G1"].id == "object-algorithm-1"
    assert by_claim["Y-P5.1"].id == "object-proposition-5-1"
    assert len(by_claim) == sum(len(g.every) for groups in found.values() for g in groups)


def test_a_corrected_algorithm_leads_to_its_repaired_listing(html):
    found = {}
    for part, groups in corrected_papers.objects_of(ROOT, STATUSES.get, PAPERS).items():
        for group in groups:
            if box := corrected_papers.listing(ROOT, group):
                found[part, group.name] = "{}.html#{}".format(*box)
    boxes = {
        "correlated": "04-all-adversaries.html#alg-04-halving",
        "location": "03-publishing-a-histogram.html#alg-lo-03-private",
    }
    assert found == {(k, "Algorithm 1"): f"notebooks/{k}/{box}" for k, box in boxes.items()}
    for (part, _), address in found.items():
        assert f'href="../../{address}"' in read(html, part)
        page, _, label = address.partition("#")
        assert f'id="{label}"' in (html / page).read_text(encoding="utf-8")


def test_an_object_elsewhere_is_counted_where_it_is_at_home():
    rows = [
        SimpleNamespace(claim=claim("a", "section 1, Figure 2", "¶1, line 3")),
        SimpleNamespace(claim=claim("b", "section 1", "¶1, line 2")),
        SimpleNamespace(claim=claim("c", "Figure 2", "Figure 2, line 9", "figure")),
        SimpleNamespace(claim=claim("d", "section 2", "¶2, line 12; ¶1, line 1")),
        SimpleNamespace(claim=claim("e", "ours", "", "beyond")),
    ]
    sections = [
        corrected_papers.Section(1, "section 1", "", "", ""),
        corrected_papers.Section(8, "section 2", "", "", ""),
    ]
    shown = [
        (section.name, [(g.name, "".join(r.claim.id for r in g.rows)) for g in groups])
        for section, groups in corrected_papers.arrange(rows, sections)
    ]
    assert shown == [("section 1", [("", "ba")]), ("section 2", [("Figure 2", "c"), ("", "d")])]


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("section 5.1, Definition 5.1, (10), (11)", "Definition 5.1"),
        ("section 5.4, after Theorem 5.2", ""),
        ("section 1.1, case (1)", ""),
        ("section 4.4, proof of Claim 4.1", "proof of Claim 4.1"),
        ("Figures 4, 5 and 6", "Figures 4, 5 and 6"),
        ("Algorithm 1, lines 8-17", "Algorithm 1"),
        ("Figure 5(a)", "Figure 5"),
        ("section 5.2, (18), (20)", "equations (18), (20)"),
        ("abstract (English)", ""),
    ],
)
def test_the_object_that_a_place_names(where, name):
    assert corrected_papers.objects([claim("a", where, "line 1")]) == {"a": name}


def test_a_claim_without_a_place_is_named():
    with pytest.raises(ValueError, match=r"^a: no line or sentence"):
        corrected_papers.position(claim("a", "section 1", "¶1"))
    sections = [corrected_papers.Section(1, "section 1", "", "", "")]
    with pytest.raises(ValueError, match=r"^a: no section 9"):
        corrected_papers.section_of(claim("a", "section 9", "line 1"), sections, 1)


# --- how an object stands -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcomes", "stands"),
    [
        ("verified", "stands"),
        ("verified, not checkable", "stands"),
        ("verified, limit", "stands, within limits"),
        ("verified, limit, not reproducible", "stands as far as it could be checked"),
        ("verified, misprint, not reproducible", "stands, with a misprint corrected"),
        ("misprint", "stands, with a misprint corrected"),
        ("misprint, error", "does not stand as printed; its correction does"),
        ("error, not reproducible, limit", "does not stand as printed; its correction does"),
        ("error, open", "not judged yet"),
        ("not checkable", "not checkable"),
        ("not checkable, not reproducible", "not checkable"),
        ("not reproducible", "not reproducible"),
    ],
)
def test_the_gravest_claim_decides(outcomes, stands):
    made = {
        "misprint": ("corrected", "misprint"), "error": ("corrected", "error"),
        "limit": ("verified", "error", "limit"), "open": (None,),
    }  # fmt: skip
    rows = [status(*made.get(name, (name,))) for name in outcomes.split(", ")]
    assert corrected_papers.standing(rows) == stands
    assert corrected_papers.standing(rows[::-1]) == stands


def test_a_sentence_on_the_whole_is_never_better_than_its_parts():
    """Read from the other side: what each standing rules out among the claims."""
    kinds = [*product(VERDICTS, ("misprint", "error")), ("verified", "error", "limit")]
    for pair in product(kinds, repeat=2):
        standing = corrected_papers.standing([status(*kind) for kind in pair])
        verdicts = {verdict for verdict, *_ in pair}
        assert standing.startswith("does not") == (("corrected", "error") in pair)
        if standing == "stands":
            assert verdicts <= {"verified", "not checkable"}
            assert "verified" in verdicts
            assert not any("limit" in kind for kind in pair)


# --- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PAPERS)
def test_a_row_has_both_languages_both_forms_and_its_cell(part, html):
    page = read(html, part)
    rows = re.split(r'<div class="repaired-claim" id="', page)[1:]
    own = japanese.wording_of(ROOT, part)
    shown = [row for _, groups in PAPERS[part] for group in groups for row in group.rows]
    linked = partial(works.linked, library="../references.html", known=works.citations(ROOT))

    def cite(words):
        return linked(unbroken(words))

    for text, s in zip(rows, shown, strict=True):
        if s.claim.id not in own:  # the Japanese of a new claim may come later
            continue
        for english, ours in ((s.claim.says, own[s.claim.id]["says"]),):
            assert f'<p class="in-en">{differences.prose(english, cite=cite)}' in text
            late = differences.prose(ours, cite=cite, late=True)
            assert f'<p class="in-ja" lang="ja">{late}' in text
        assert ('class="repaired-printed"' in text) == s.is_erratum
        assert ("Consequence:" in text) == bool(s.is_erratum and s.texts["consequence"])
        links = set(map(markup.unescape, re.findall(r'href="([^"]*)"', text)))
        for notebook, _ in s.evidence:
            assert f"../../{notebook}.html#{anchor(s.claim.id)}" in links
        assert f"../ledger/{part}.html#{anchor(s.claim.id)}" in links


def test_counted_names_read_right_after_one_and_after_more():
    names = [*corrected_papers.OUTCOMES, *corrected_papers.STANDINGS]
    assert [corrected_papers.after(1, name) for name in names] == names
    assert [two for name in names if (two := corrected_papers.after(2, name)) != name] == [
        "misprints corrected",
        "errors corrected",
        "do not stand as printed; their corrections do",
        "stand, with misprints corrected",
        "stand as far as they could be checked",
        "stand, within limits",
        "stand",
    ]


def test_the_first_page_counts_what_the_pages_show(html):
    page = read(html, "index")
    for part in PAPERS:
        row = re.search(rf'<tr[^>]*id="repaired-{part}">(.*?)</tr>', page, re.DOTALL)[1]
        groups = [g for _, several in PAPERS[part] for g in several if g.name]
        numbers = [int(n) for n in re.findall(r"<li>(?:<span[^>]*>[^<]*</span>)?(\d+) ", row)]
        paper = sum(s.claim.kind != "beyond" for s in STATUSES[part].values())
        assert sum(numbers) == len(groups) + paper
        assert f"<p>{len(groups)}</p>" in row


def test_the_pages_are_linked_and_their_statements_stay_out_of_the_search(html):
    for page in ("intro", "ledger/index"):
        text = (html / f"book/{page}.html").read_text(encoding="utf-8")
        assert "repaired/index.html" in text.split("<article", 1)[1]
    for part in PAPERS:
        for page in (f"book/{part}.html", f"book/ledger/{part}.html"):
            text = (html / page).read_text(encoding="utf-8").split("<article", 1)[1]
            assert f"repaired/{part}.html" in text
    index = (html / "searchindex.js").read_text(encoding="utf-8")
    assert "book/ledger/laplace" in index
    names = json.loads(re.search(r'"docnames": ?(\[.*?\])', index)[1])
    terms = json.loads(re.search(r'"terms": ?(\{.*?\})', index)[1])
    assert names.index("book/repaired/laplace") not in places(terms, "sampler")


def places(terms, word):
    """Return the pages that the index has for a word."""
    found = terms.get(word, [])
    return found if isinstance(found, list) else [found]


VISIBLE = """language => [...document.querySelectorAll(`.in-${language}`)]
  .filter(e => e.checkVisibility()).length"""


def opened(browser, address):
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    page.goto(address)
    page.wait_for_function("document.documentElement.dataset.set")
    return page


def test_the_switch_shows_one_language_and_sets_its_formulas_then(browser, html):
    address = (html / "book/repaired/laplace.html").as_uri()
    page = opened(browser, address)
    page.wait_for_function("document.querySelector('.in-en mjx-container')")
    assert page.evaluate(VISIBLE, "en") > 50
    assert page.evaluate(VISIBLE, "ja") == 0
    assert page.locator(".in-ja mjx-container").count() == 0
    late = page.locator(".in-ja code.tex").count()
    page.click(".languages >> text=日本語")
    page.wait_for_function("document.documentElement.dataset.set === 'ja'")
    assert page.url.endswith("#ja")
    assert page.evaluate(VISIBLE, "en") == 0
    assert page.evaluate(VISIBLE, "ja") > 50
    assert page.locator(".in-ja mjx-container").count() == late > 20
    assert page.locator("mjx-merror").count() == 0
    assert page.locator(".languages [aria-current]").inner_text() == "日本語"
    assert page.title().startswith("修正版：学習ノート — ")
    page.evaluate("location.hash = '#claim-N-2'")  # another place of the page: still Japanese
    assert page.evaluate(VISIBLE, "en") == 0
    page.click(".languages >> text=English")
    page.wait_for_function("document.documentElement.dataset.set === 'en'")
    assert page.title().startswith("Repaired: the study note — ")
    assert page.evaluate(VISIBLE, "ja") == 0
    page.close()
    page = opened(browser, f"{address}?lang=ja#claim-N-2")
    assert page.evaluate(VISIBLE, "en") == 0
    page.close()


HEADS = """() => [...document.querySelectorAll(
  "article :is(h1, h2, h3, table.claims th, .claim-pill, .claim-strength)"
)].filter(e => e.checkVisibility()).map(e => e.innerText)"""


@pytest.mark.parametrize(
    "name", ["errata", "glossary", "repaired/index", *(f"repaired/{p}" for p in PAPERS)]
)
def test_titles_heads_and_kinds_follow_the_switch(browser, html, name):
    page = opened(browser, f"{(html / f'book/{name}.html').as_uri()}#ja")
    japanese = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")
    found = page.evaluate(HEADS)
    assert len(found) > 4
    assert not [text for text in [*found, page.title()] if not japanese.search(text)]
    page.close()
