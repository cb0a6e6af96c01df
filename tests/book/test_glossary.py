"""Glossary: covers every Japanese term of the claims, the notebooks and the pages of the book."""

from __future__ import annotations

import re
from pathlib import Path

import glossary
import pytest
import yaml
from docutils.nodes import make_id
from ledger import claims as ledger_claims
from offline_page import OfflinePage

ROOT = Path(__file__).resolve().parents[2]
PARTS = ["laplace", "correlated", "disclosure", "location", "sketch"]
TERMS = yaml.safe_load((ROOT / "book" / "glossary.yml").read_text(encoding="utf-8"))
JAPANESE = re.compile(r"[\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
NAMES = {  # people, institutions, titles: no terms
    "株式会社ナイトレイ", "東京大学", "柴崎・関本研究室", "マイクロジオデータ研究会",
    "人の流れプロジェクト", "東京大学空間情報科学研究センター",
}  # fmt: skip


IN_JAPANESE = re.compile(  # whole texts, which hold more than terms
    r'^(:{3,})\{container\} in-ja .*?^\1$|<a [^>]*lang="ja".*?</a>', re.DOTALL | re.MULTILINE
)


def forms():
    return {form for term in TERMS for form in term["ja"]}


def numbered(term):
    """Drop what is no part of a term: the number of a theorem, ε in front."""
    return re.sub(r"^ε-| \d+(\.\d+)*$", "", term)


@pytest.mark.parametrize("part", PARTS)
def test_every_term_of_the_claims_is_covered(part):
    claims = yaml.safe_load((ROOT / f"book/claims/{part}.yml").read_text(encoding="utf-8"))
    terms = {
        numbered(term.strip())
        for claim in claims["claims"]
        for term in claim.get("ja", "").split(",")
        if term.strip()
    }
    assert terms
    assert not terms - forms()


@pytest.mark.parametrize("part", PARTS)
def test_every_japanese_string_of_the_notebooks_is_covered(part):
    for path in sorted(ROOT.glob(f"notebooks/{part}/*.md")):
        strings = set(JAPANESE.findall(path.read_text(encoding="utf-8")))
        covered = {run for form in forms() for run in JAPANESE.findall(form)}
        assert not strings - covered - NAMES, path.name


def test_every_japanese_string_of_the_pages_is_covered():
    covered = {run for form in forms() for run in JAPANESE.findall(form)}
    for path in [ROOT / "README.md", *sorted(ROOT.glob("book/**/*.md"))]:
        text = path.read_text(encoding="utf-8")
        if "\nlang: ja\n" in text:
            continue
        strings = set(JAPANESE.findall(IN_JAPANESE.sub("", text)))
        assert not strings - covered - NAMES, path.name


def test_every_entry_is_complete_and_there_once():
    seen = set()
    for term in TERMS:
        assert set(term) - {"reading", "also"} == {"ja", "en", "means", "parts"}
        assert set(term.get("also", ["CMS"])).isdisjoint(term["ja"] + term["en"]), term
        assert term.get("also", ["CMS"]), term
        assert all([term["ja"], term["en"], term["parts"]]), term
        assert term["means"].endswith("."), term
        assert term["parts"] == [p for p in PARTS if p in term["parts"]], term
        assert not seen & set(term["ja"]), term
        seen |= set(term["ja"])
        written = any(JAPANESE.search(form) for form in term["ja"])
        assert written == ("reading" in term), f"{term['ja']}: a reading for Japanese letters only"
        if written:
            assert re.fullmatch(r"[a-zāīūēō' ,()/-]+", term["reading"]), term


def test_no_two_entries_have_one_address():
    addresses = [make_id(term.get("reading", term["ja"][0])) for term in TERMS]
    assert len(set(addresses)) == len(addresses)


def test_a_term_is_listed_for_every_part_that_uses_it():
    for part in PARTS:
        text = "".join(p.read_text(encoding="utf-8") for p in ROOT.glob(f"notebooks/{part}/*.md"))
        used = set(JAPANESE.findall(text))
        for term in TERMS:
            if used & set(term["ja"]):
                assert part in term["parts"], f"{term['ja']} stands in {part}"


def test_no_meaning_points_at_another_entry():
    """Each entry can be read alone, in either order."""
    for term in TERMS:
        assert not re.match(r"(The same|It)\b", term["means"]), term


def test_the_english_list_has_every_term_with_its_meaning(html):
    text = (html / "book/glossary.html").read_text(encoding="utf-8")
    table = re.search(r'<table class="[^"]*\bglossary-english\b.*?</table>', text, re.DOTALL)[0]
    rows = re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2], re.DOTALL)
    words = [[re.sub(r"<[^>]*>", "", c).strip() for c in re.findall(r"<td>.*?</td>", r, re.DOTALL)]
             for r in rows]  # fmt: skip
    assert sorted(w[0] for w in words) == sorted(en for term in TERMS for en in term["en"])
    assert [w[0].casefold() for w in words] == sorted(w[0].casefold() for w in words)
    assert all(re.search(r"\.\s*[^.]+。$", means) for _, means, _ in words)  # in both languages
    assert len(next(means for en, means, _ in words if en == "sensitivity")) > 20
    for row in rows:
        target = re.search(r'href="#(term-[^"]+)"', row)[1]
        assert f'id="{target}"' in text


def test_the_lists_can_be_filtered(browser, html):
    visitor = OfflinePage(browser, html)
    page = visitor.open("book/glossary")
    tables = (
        page.locator("table.glossary tbody tr"),
        page.locator("table.glossary-english tbody tr"),
    )
    every = [rows.count() for rows in tables]
    box, told = page.get_by_label("Show entries with"), page.locator(".glossary-filter output")

    def shown(text):
        box.fill(text)
        return [rows.filter(visible=True).count() for rows in tables]

    sensitivity = shown("sensitivity")
    assert all(0 < few < many for few, many in zip(sensitivity, every))
    assert told.inner_text() == f"{sensitivity[0]} Japanese, {sensitivity[1]} English"
    kanji = shown("敏感度")
    assert 0 < kanji[0] <= sensitivity[0]
    assert shown("KŌGEKISHA") == shown("kogekisha") != [0, 0]  # macrons and case do not matter
    assert shown("no such term") == [0, 0]
    # A link shows its entry, whatever is filtered.
    term = page.locator("table.glossary tbody tr").first.get_attribute("id")
    page.evaluate("id => { location.hash = id; }", term)
    page.wait_for_function("!document.querySelector('.glossary-filter input').value")
    assert shown("") == every
    assert told.inner_text() == ""
    visitor.context.close()


def test_a_claim_is_found_by_its_authors_and_by_every_name_of_its_terms():
    claim = ledger_claims.Claim(
        "Y-1", "1", "remark", "For the weak attackers, not meanwhile.", "有用性"
    )
    told = glossary.names(ROOT, "correlated", claim)
    assert told.startswith("correlated ")
    assert "Yang" in told
    assert "弱い攻撃者" in told
    assert "utility" in told
    assert "平均値" not in told  # the mean, which only begins a word
    assert glossary.names(ROOT, "laplace", claim).startswith("laplace study note ")


def test_a_term_has_its_other_names_too_and_abbreviations_in_brackets():
    term = glossary.Term(("紛失通信",), ("oblivious transfer",), "", ("sketch",), also=("OT",))
    assert term.names == ("oblivious transfer", "紛失通信", "OT")
    assert term.named.search("by OT.")
    assert not term.named.search("a protocol")
    term = glossary.Term(("X",), ("random item attack (RIA)", "a (sort of) b"), "", ("sketch",))
    assert term.names == ("random item attack (RIA)", "a (sort of) b", "X", "RIA")
    claim = ledger_claims.Claim("S-1", "1", "remark", "OT-CMS is safer.", "")
    assert "count mean sketch" in glossary.names(ROOT, "sketch", claim)


def test_no_two_entries_have_one_other_name():
    every = [name.casefold() for term in glossary.read(ROOT) for name in term.also]
    assert len(every) > 8
    assert len(set(every)) == len(every)
