"""The Japanese statements say what the English ones say, in words of ours.

``book/claims/ja/<part>.yml`` has each claim of ``book/claims/<part>.yml`` in Japanese, field by
field, with the printed form, its correction and its consequence from the notebooks. Whether a
translation is faithful only a reader can tell; formulas, numbers and citations can be compared.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import yaml
from ledger import japanese as words
from ledger import layout, verdicts
from offline_page import OfflinePage

from privlib.notebook.claims import anchor

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "book" / "claims" / "ja"
TEXTS = {
    "correlated": "000*.txt", "laplace": "001*.txt", "disclosure": "002*.txt",
    "location": "003*.txt", "sketch": "004*.txt",
}  # fmt: skip
PARTS = list(TEXTS)
SENTENCES = ("says", "reading", "not_checkable", "consequence")
LONGEST = 24  # characters in a row that a field may share with its paper, formulas apart

FORMULA, ROLE = re.compile(r"\$[^$]+\$"), re.compile(r"\{[a-z:]+\}`[^`]*`")
CODE = re.compile(r"`[^`]*`")
JAPANESE = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")


def prose(text):
    """Return what stands between formulas, citations and code."""
    for pattern in (ROLE, FORMULA, CODE):
        text = pattern.sub("\0", text)
    return text


SPELLED = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "twenty": 20, "thirty": 30, "hundred": 100, "thousand": 1000, "twice": 2, "tenfold": 10,
    "third": 3, "quarter": 4, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "twentieth": 20,
    "second": 2, "half": 2,
}  # fmt: skip


def spelled(text):
    """Return the numbers that stand in a text as words, which the Japanese may give as digits."""
    found = {
        str(SPELLED.get(word.removesuffix("s"))) for word in re.findall(r"[a-z]+", text.lower())
    }
    if "million" in text:
        found.add("100")
    return found | {"0", "1"}  # the Japanese counts with them what the English leaves unsaid


def marks(text):
    """Count the formulas, citations, pieces of code and numbers of a text; 8 million is 800 万."""
    text = re.sub(r"(\d+) million", lambda found: f"{100 * int(found[1])} 万", text)
    found = Counter(ROLE.findall(text)) + Counter(FORMULA.findall(ROLE.sub("", text)))
    found += Counter(CODE.findall(FORMULA.sub("", ROLE.sub("", text))))
    return found + Counter(re.findall(r"\d+(?:[.,]\d+)*", prose(text)))


def squeezed(text):
    """Return letters and digits of a text, in one Unicode form and in small letters."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text)).lower()


def borrowed(text, paper):
    """Return the first stretch of a text that is longer than LONGEST and stands in the paper."""
    for piece in map(squeezed, prose(text).split("\0")):
        for start in range(len(piece) - LONGEST):
            if (stretch := piece[start : start + LONGEST + 1]) in paper:
                return stretch
    return ""


@cache
def english(part):
    found = {}
    for claim_id, status in verdicts.statuses(ROOT, part).items():
        claim = status.claim
        fields = {name: getattr(claim, name) for name in ("says", "reading", "not_checkable")}
        fields |= status.texts
        found[claim_id] = {name: text for name, text in fields.items() if text}
    return found


@cache
def japanese(part):
    return yaml.safe_load((FOLDER / f"{part}.yml").read_text(encoding="utf-8"))


def pairs(part):
    """Return name, English and Japanese of each field that both have."""
    ours = japanese(part)
    return [
        (f"{claim_id}, {name}", text, ours[claim_id][name])
        for claim_id, fields in english(part).items()
        for name, text in fields.items()
        if name in ours.get(claim_id, {})
    ]


@pytest.mark.parametrize("part", PARTS)
class TestThisBook:
    def test_claims_in_their_place_field_by_field(self, part):
        """All but a few: the Japanese of a new claim may come later, from somebody else."""
        text = (FOLDER / f"{part}.yml").read_text(encoding="utf-8")
        ours, fields = japanese(part), {k: list(found) for k, found in english(part).items()}
        here = [claim_id for claim_id in fields if claim_id in ours]
        assert re.findall(r"^([^\s#].*):$", text, re.MULTILINE) == here  # no other, none twice
        assert {claim_id: list(found) for claim_id, found in ours.items()} == {
            claim_id: fields[claim_id] for claim_id in here
        }
        assert len(here) >= 0.95 * len(fields), set(fields) - set(here)

    def test_formulas_numbers_and_citations_are_those_of_the_english(self, part):
        wrong = {}
        for name, en, ja in pairs(part):
            added = set(marks(ja) - marks(en)) - spelled(en)
            if marks(en) - marks(ja) or added:
                wrong[name] = (marks(en) - marks(ja), added)
        assert not wrong, "the English alone, the Japanese alone"

    def test_what_has_words_is_japanese(self, part):
        for name, en, ja in pairs(part):
            if re.search(r"[A-Za-z]{2}", prose(en)):
                assert JAPANESE.search(prose(ja)), name
            left = re.search(r"[A-Za-z]+(?:[ ,]+[A-Za-z]+){3}", prose(ja))
            assert not left, f"{name}: {left[0]!r} is English"

    def test_sentences_are_plain_statements(self, part):
        for name, _, ja in pairs(part):
            assert ja.endswith("。") == name.endswith(SENTENCES), f"{name}: full stop"
            foreign = re.search(
                r"です|ます。|ください|[，．]|(?<!\d),|,(?! ?\d)|\.(?!\w)", prose(ja)
            )
            assert not foreign, f"{name}: {foreign[0]!r}"

    def test_no_sentence_is_the_papers(self, part):
        """In the texts as they reached us, where these are at hand."""
        folder = os.environ.get("PRIVLIB_PAPERS")
        if not folder:
            pytest.skip("the papers' texts are not here: PRIVLIB_PAPERS names their folder")
        (path,) = Path(folder).glob(TEXTS[part])
        paper = squeezed(path.read_text(encoding="utf-8"))
        found = {name: borrowed(ja, paper) for name, _, ja in pairs(part)}
        assert not {name: stretch for name, stretch in found.items() if stretch}


def shown_checks(part):
    """Return the limits and counterexamples that pages in Japanese show, with their claims."""
    for claim_id, status in verdicts.statuses(ROOT, part).items():
        for check in status.checks:
            if check.side == "limit" or (check.side == "differs" and status.is_erratum):
                yield claim_id, check.text


@pytest.mark.parametrize("part", PARTS)
class TestChecks:
    def test_each_limit_and_counterexample_has_its_japanese(self, part):
        """One that is new or has other words is named: add it to ``ja/checks/<part>.yml``."""
        wanting = [
            (claim_id, words.parted(text)[0])
            for claim_id, text in shown_checks(part)
            if not words.check_in_japanese(ROOT, claim_id, text)
        ]
        assert not wanting

    def test_the_numbers_of_a_case_stay(self, part):
        for claim_id, cases in words.cases_of(ROOT, part).items():
            for en, ja in cases.items():
                assert JAPANESE.search(ja) or not re.search(r"[A-Za-z]{4}", en), (claim_id, ja)
                added = set(marks(ja)) - set(marks(en)) - spelled(en)
                assert not added, (claim_id, en, ja)

    def test_no_case_is_left_that_no_check_has(self, part):
        shown = {(claim_id, words.parted(text)[0]) for claim_id, text in shown_checks(part)}
        every = words.cases_of(ROOT, part)
        assert not {(k, case) for k, cases in every.items() for case in cases} - shown


def test_values_of_a_check_are_those_of_the_evidence():
    told = words.check_in_japanese(
        ROOT, "N-23", "ε = 1, no longer small: 2 would follow, $e$ is so"
    )
    assert told == "ε = 1（小さいとはいえない）：2 となるはずが、実際は $e$"
    assert not words.check_in_japanese(ROOT, "N-23", "ε = 7: 2 would follow, $e$ is so")


def test_the_glossary_has_its_meanings_in_japanese():
    terms = yaml.safe_load((ROOT / "book" / "glossary.yml").read_text(encoding="utf-8"))
    meanings = words.meanings(ROOT)
    assert not set(meanings) - {term["ja"][0] for term in terms}
    assert len(meanings) >= 0.95 * len(terms)
    assert all(text.endswith("。") for text in meanings.values())


def test_each_page_of_the_course_has_a_summary_in_japanese():
    pages = words.pages(ROOT)
    course = {f.removeprefix("notebooks/") for f in layout.names(ROOT) if layout.number_of(f)}
    course = {name for name in course if not name.startswith("evidence/")}
    assert not course - set(pages)
    for name, page in pages.items():
        assert set(page) == {"title", "says"}, name
        assert page["says"].endswith("。"), name
        assert not re.search(r"です|ます。", page["says"]), name


@pytest.mark.parametrize(
    ("en", "ja", "same"),
    [
        ("at most $1/k$ for 3 %", "3 % では高々 $1/k$", True),
        ("at most $1/k$ for 3 %", "3 % では高々 $k$", False),
        ("at most $1/k$ for 3 %", "30 % では高々 $1/k$", False),
        ("both $p$ and $p$", "$p$ はいずれも", False),
        ("4,580 homes, see equation (1)", "4,580 戸（式 (1) を参照）", True),
        ("0.5 in {cite:p}`smith2009`", "{cite:p}`smith2009` では 0.5", True),
        ("0.5 in {cite:p}`smith2009`", "{cite:t}`smith2009` では 0.5", False),
        ("8 million", "800 万", True),
        ("8 million", "80 万", False),
        ("`m` of $2$", "$2$ の `m`", True),
        ("`m` of $2$", "$2$ の `n`", False),
    ],
)
def test_marks_tell_texts_apart(en, ja, same):
    assert (marks(en) == marks(ja)) is same


def test_a_borrowed_stretch_is_found_across_spaces_and_commas():
    sentence = "標本の大きさが母集団の大きさに比べて十分に小さいとき、両者の差は無視できる"
    paper = squeezed(f"序文。{sentence}。")
    assert len(squeezed(sentence)) > LONGEST
    assert borrowed(f"すなわち {sentence[:14]} {sentence[14:].replace('、', ', ')}。", paper)
    assert not borrowed(sentence[:LONGEST], paper)
    assert not borrowed(f"{sentence[:20]} $n$ {sentence[20:]}", paper)  # a formula parts it


# --- the door: pages in Japanese, the reader's choice, the search ---------------------------------


def shown_language(page):
    return page.evaluate("document.documentElement.dataset.shown")


def test_the_first_page_leads_to_the_japanese_and_the_choice_is_kept(browser, html):
    visitor = OfflinePage(browser, html)
    page = visitor.open("book/errata")
    page.wait_for_function("document.documentElement.dataset.set")
    assert shown_language(page) == "en"
    page = visitor.open("book/intro")
    page.click("a[hreflang=ja]")
    assert page.title().startswith("日本語の案内")
    assert page.locator("article [lang=ja] h1").count() == 1
    page = visitor.open("book/repaired/laplace")
    page.wait_for_function("document.documentElement.dataset.set === 'ja'")
    page = visitor.open("book/seminar")  # has no Japanese: a line leads to what has
    assert page.locator(".other-language").inner_text() == "日本語の案内"
    page = visitor.open("book/how-to-read")
    assert page.locator(".other-language").inner_text() == "日本語で読む"
    page = visitor.open("book/errata")
    page.click(".languages >> text=English")
    page = visitor.open("book/glossary")
    page.wait_for_function("document.documentElement.dataset.set")
    assert shown_language(page) == "en"
    page = visitor.open("book/seminar")
    assert page.locator(".other-language").count() == 0
    visitor.context.close()


def test_a_browser_that_asks_for_japanese_is_offered_it(browser, html):
    visitor = OfflinePage(browser, html, locale="ja-JP")
    page = visitor.open("notebooks/laplace/01-attackers")
    assert page.locator(".other-language a").get_attribute("href") == "../../book/ja/index.html"
    page = visitor.open("book/errata")
    page.wait_for_function("document.documentElement.dataset.set")
    assert shown_language(page) == "en"  # offered, not imposed
    visitor.context.close()


def test_without_storage_the_switch_works_all_the_same(browser, html):
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new Error('refused'); } })"
    )
    page.goto((html / "book/repaired/laplace.html").as_uri())
    page.click(".languages >> text=日本語")
    page.wait_for_function("document.documentElement.dataset.set === 'ja'")
    assert not [error for error in errors if "page.js" in error]
    page.close()


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("菊池", "Repaired: Kikuchi"), ("ベイズ", "Repaired: Yang, Sato, Nakagawa"),
        ("修正版", "The repaired papers"), ("差分プライバシー", "Repaired: Yang, Sato, Nakagawa"),
        ("清水", "Repaired: Shimizu"), ("川本", "Repaired: Kawamoto, Sakuma"),
        ("佐久間", "Repaired: Kawamoto, Sakuma"), ("楊", "Repaired: Yang, Sato, Nakagawa"),
    ],
)  # fmt: skip
def test_the_search_finds_japanese_words(browser, html, query, page):
    tab = browser.new_page()
    tab.goto(f"{(html / 'search.html').as_uri()}?q={query}")
    tab.wait_for_selector(".search-summary:has-text('found'), #search-results p:has-text('found')")
    found = tab.locator("#search-results li a").all_inner_texts()
    assert any(title.startswith(page) for title in found), found
    tab.close()


def test_the_japanese_door_asks_the_ledger(browser, html):
    tab = browser.new_page()
    tab.goto((html / "book/ja/index.html").as_uri())
    tab.fill("#ask-claim", "楊 定理5.3")
    tab.click(".claims-ask button")
    tab.wait_for_function("document.querySelector('.claims-status')?.textContent")
    rows = tab.locator("table.claims tbody tr:not([hidden]) .claim-id").all_inner_texts()
    assert rows == ["Y-Th5.3"]
    tab.close()


@pytest.mark.parametrize("part", PARTS)
def test_a_correction_has_its_reason_in_japanese(html, part):
    """Its consequence, or the case in which the printed form fails."""
    page = (html / "book" / "repaired" / f"{part}.html").read_text(encoding="utf-8")
    claims = dict(re.findall(
        r'<div class="repaired-claim" id="([^"]*)">(.*?)(?=<div class="repaired-claim"|</article>)',
        page, re.DOTALL,
    ))  # fmt: skip
    wrong = [s for s in verdicts.statuses(ROOT, part).values() if s.is_erratum]
    assert wrong
    for status in wrong:
        text = claims[anchor(status.claim.id)]
        word = "帰結：" if status.texts["consequence"] else "反例："
        (reason,) = re.findall(rf"<p[^>]*>(?:(?!</p>).)*?{word}.*?</p>", text, re.DOTALL)
        reason = re.sub(r"<[^>]*>", "", reason.partition(word)[2])
        assert JAPANESE.search(reason), status.claim.id


def test_the_titles_of_the_neighbours_are_in_both_languages(browser, html):
    visitor = OfflinePage(browser, html)
    page = visitor.open("book/repaired/disclosure", "?lang=ja")
    page.wait_for_function("document.documentElement.dataset.set === 'ja'")
    titles = page.locator(".prev-next-title").all_inner_texts()
    assert titles == ["修正版：楊・佐藤・中川", "修正版：川本・佐久間"]
    page = visitor.open("book/repaired/disclosure", "#en")
    titles = page.locator(".prev-next-title").all_inner_texts()
    assert titles == ["Repaired: Yang, Sato, Nakagawa", "Repaired: Kawamoto, Sakuma"]
    visitor.context.close()


def test_links_to_evidence_say_that_it_is_in_english(html):
    for name in ("repaired/correlated", "errata"):
        page = (html / "book" / f"{name}.html").read_text(encoding="utf-8")
        links = re.findall(
            r'<a href="[^"]*notebooks/evidence/[^"]*#claim[^"]*">.*?</a>(.{0,50})', page
        )
        assert len(links) > 20
        assert all("（英語）" in after for after in links), name


@pytest.mark.parametrize(
    ("query", "claim"),
    [
        ("定理5.3", "Y-Th5.3"),
        ("命題 5.1", "Y-P5.1"),
        ("清水 表3", "S-T3.e"),
        ("菊池 定理5.1", "K-5.1"),
    ],
)
def test_the_ledger_is_searched_by_japanese_places(browser, html, query, claim):
    tab = browser.new_page()
    tab.goto(f"{(html / 'book/ledger/index.html').as_uri()}?q={query}")
    tab.wait_for_function("document.querySelector('.claims-status').textContent")
    rows = tab.locator("table.claims tbody tr:not([hidden]) .claim-id").all_inner_texts()
    assert claim in rows
    assert len(rows) < 60
    tab.close()
