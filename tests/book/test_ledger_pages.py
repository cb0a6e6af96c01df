"""The ledger pages: every claim a row, filters, errata, exports.

What a page should show is computed from the YAML and the evidence, never from another page.
"""

from __future__ import annotations

import csv
import functools
import html as markup
import json
import re
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import glossary
import jsonschema
import pytest
from ledger import claims as ledger_claims
from ledger import corrected_papers, exports, verdicts
from offline_page import NARROW, OfflinePage
from privlib_book import base
from privlib_book.base import typeset

from privlib.notebook.claims import PARTS, STRENGTHS, VERDICTS, Check, Record, anchor

ROOT = Path(__file__).resolve().parents[2]
STATUSES = {part: verdicts.statuses(ROOT, part) for part in PARTS.values()}
EVERY = [(part, status) for part in STATUSES for status in STATUSES[part].values()]
WRONG = [
    (part, status)
    for part, status in EVERY
    if status.claim.kind != "beyond" and {check.side for check in status.checks} >= {"differs"}
    and not {"missing", "source incomplete"} & {check.side for check in status.checks}
]  # fmt: skip

LIMITED = [
    status.claim.id
    for _, status in EVERY
    if status.verdict == "verified" and status.limits and status.claim.kind != "beyond"
]


def read(html, page):
    return (html / f"{page}.html").read_text(encoding="utf-8")


def rows(text, table):
    """Row id -> its HTML, of all tables with a class."""
    found = {}
    for body in re.findall(
        rf'<table class="[^"]*\b{table}\b.*?<tbody>(.*?)</tbody>', text, re.DOTALL
    ):
        for row in re.findall(r"<tr.*?</tr>", body, re.DOTALL):
            found[re.search(r'<tr[^>]* id="([^"]*)"', row)[1]] = row
    return found


def links(text):
    return [markup.unescape(link) for link in re.findall(r'href="([^"]*)"', text)]


def resolves(html, page, link):
    """Whether a link of a page leads to a file and to an id in it."""
    parts = urlsplit(link)
    target = html / f"{page}.html"
    if parts.path:
        target = (target.parent / unquote(parts.path)).resolve()
    text = target.read_text(encoding="utf-8") if target.exists() else ""
    return bool(text) and (not parts.fragment or f'id="{parts.fragment}"' in text)


# --- rows ----------------------------------------------------------------------------------------


def test_every_claim_is_a_row_of_both_tables(html):
    assert list(rows(read(html, "book/ledger/index"), "claims-all")) == [
        anchor(status.claim.id) for _, status in EVERY
    ]
    for part, statuses in STATUSES.items():
        shown = rows(read(html, f"book/ledger/{part}"), "claims-ledger")
        assert list(shown) == [anchor(name) for name in statuses]


def test_every_row_leads_to_its_evidence(html):
    """From the landing page to any verdict in two clicks: ledger, then the cell."""
    assert any(urlsplit(k).path == "ledger/index.html" for k in links(read(html, "book/intro")))
    shown = rows(read(html, "book/ledger/index"), "claims-all")
    texts = {path: path.read_text("utf-8") for path in (html / "notebooks").rglob("*.html")}
    for part, status in EVERY:
        name = anchor(status.claim.id)
        wanted = {f"../../{notebook}.html#{name}" for notebook, _ in status.evidence}
        own = f"{part}.html#{name}"
        found = {link for link in links(shown[name]) if "#object-" not in link}
        assert found == wanted | {own}, name
        for notebook, _ in status.evidence:
            assert f'id="{name}"' in texts[html / f"{notebook}.html"]
        assert f" {status.verdict}</span>" in shown[name]
        assert bool(status.evidence) != bool(status.claim.not_checkable)
        assert ("reason</a>" in shown[name]) == bool(status.claim.not_checkable)


def test_a_row_says_where_its_claim_stands(html):
    for part, statuses in STATUSES.items():
        page = rows(read(html, f"book/ledger/{part}"), "claims-ledger")
        for name, status in statuses.items():
            row = page[anchor(name)]
            assert markup.escape(status.claim.place, quote=False) in markup.unescape(row)
            told = re.search(r'class="claim-place">(.*?)</p>', row, re.DOTALL)
            lines = re.findall(r"lines? (\d+)(?:–(\d+))?", told[1]) if told else []
            assert [(int(a), int(b or a)) for a, b in lines] == list(status.claim.lines)


WHOLES = corrected_papers.objects_of(ROOT, STATUSES.get, ledger_claims.parts(ROOT))


def test_a_row_about_a_printed_object_leads_to_it_as_a_whole(html):
    of_claim = corrected_papers.by_claim(WHOLES)
    for part, statuses in STATUSES.items():
        page = rows(read(html, f"book/ledger/{part}"), "claims-ledger")
        for name in statuses:
            told = [a for a in links(page[anchor(name)]) if "#object-" in a]
            wanted = f"../repaired/{part}.html#{of_claim[name].id}" if name in of_claim else ""
            assert told == [wanted] * bool(wanted), name
            if name in of_claim:
                assert f"as a whole</a>: {of_claim[name].standing}<" in page[anchor(name)]


def test_a_row_shows_the_correction_and_leads_to_its_erratum(html):
    corrected = 0
    for part, statuses in STATUSES.items():
        page = rows(read(html, f"book/ledger/{part}"), "claims-ledger")
        for name, status in statuses.items():
            row = page[anchor(name)]
            told = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", row, re.DOTALL)
            erratum = f"../errata.html#errata-{anchor(name)}"
            assert (erratum in links(row)) == status.is_erratum, name
            if not status.is_erratum:
                assert not told, name
                continue
            corrected += 1
            assert [word for word, _ in told] == [k for k, v in status.texts.items() if v], name
            assert all(re.sub(r"<[^>]*>|\s", "", text) for _, text in told), name
            assert resolves(html, f"book/ledger/{part}", erratum)
    assert corrected == len(WRONG)


def test_a_row_says_which_side_each_check_took(html):
    said = {"supports": "supports", "differs": "the printed form fails"}
    seen = Counter()
    for part, statuses in STATUSES.items():
        page = rows(read(html, f"book/ledger/{part}"), "claims-ledger")
        for name, status in statuses.items():
            listed = re.findall(r"<li([^>]*)><small>[^<]*<span>(.*?)</span>", page[anchor(name)])
            listed = [
                ((re.findall(r"check-(?!decisive)([\w-]+)", kinds) or ["supports"])[0], words)
                for kinds, words in listed
            ]
            listed = [(side.replace("-", " "), words) for side, words in listed]
            sides = [check.side for check in status.checks if check.side != "limit"]
            assert [side for side, _ in listed] == sides, name
            assert all(words == said.get(side, words) for side, words in listed), name
            seen.update(side for side, _ in listed)
    assert seen["supports"] > seen["differs"] > len(WRONG) / 2


def test_the_overview_counts_what_the_notebooks_say(html):
    shown = {s.verdict for _, s in EVERY if s.claim.kind != "beyond"}
    strengths = {s.strength for _, s in EVERY if s.claim.kind != "beyond"}
    for page in ("book/ledger/index", "book/intro"):
        names = ("overview", "strength")
        tables = {name: rows(read(html, page), f"claims-{name}") for name in names}
        for name, table in tables.items():
            assert list(table) == [f"{name}-{part}" for part in [*STATUSES, "all"]]
        for part in [*STATUSES, "all"]:
            found = [s for p, s in EVERY if part in (p, "all")]
            paper = [s for s in found if s.claim.kind != "beyond"]
            count = Counter(s.verdict for s in paper)
            strength = Counter(s.strength for s in paper)
            wanted = [len(paper), *(count[v] for v in VERDICTS if v in shown)]
            wanted.append(sum(s.verdict == "verified" and bool(s.limits) for s in paper))
            wanted += [sum(s.fully for s in paper), len(found) - len(paper)]
            known = [s for s in (*STRENGTHS, verdicts.UNSTATED) if s in strengths]
            strong = [strength[name] for name in known]
            for name, row in (("overview", wanted), ("strength", strong)):
                cells = re.findall(r"<td>(.*?)</td>", tables[name][f"{name}-{part}"], re.DOTALL)
                numbers = [int(re.sub(r"<[^>]*>|\s", "", cell)) for cell in cells[1:]]
                assert numbers == row
                for cell, number in zip(cells[1:], numbers):
                    for link in links(cell):  # the link asks for as many as it says
                        assert resolves(html, page, link)
                        asked = dict(parse_qsl(urlsplit(link).query))
                        assert len(expected(asked)) == number
                    assert bool(links(cell)) == (number > 0)
            assert sum(strong) == count["verified"] + count["corrected"]


# --- filter --------------------------------------------------------------------------------------


named = functools.cache(functools.partial(glossary.names, ROOT))


def expected(asked):
    """Ids of the rows that fit, from the YAML and the notebooks."""
    found = []
    for part, status in EVERY:
        entry = status.claim
        words = f"{entry.id} {entry.where} {entry.kind} {entry.says} {entry.reading} {entry.ja}"
        words += " " + named(part, entry)
        words = unicodedata.normalize("NFKC", words).lower()
        verdict = asked.get("verdict", status.verdict)
        judged = {
            "fully verified": status.fully,
            "with a limit": status.verdict == "verified" and bool(status.limits),
        }
        fits = (
            asked.get("part", part) == part
            and judged.get(verdict, status.verdict == verdict)
            and asked.get("method", status.method or "none") == (status.method or "none")
            and asked.get("strength", status.strength) == status.strength
            and asked.get("kind") in (None, "beyond" if entry.kind == "beyond" else "paper")
            and all(word in words for word in asked.get("q", "").lower().split())
        )
        if fits:
            found.append(anchor(entry.id))
    return found


SHOWN = "[...document.querySelectorAll('table.claims tbody tr:has(.claim-key)')]"


def shown(page):
    return page.eval_on_selector_all(
        "table.claims tbody tr:has(.claim-key)",
        "rows => rows.filter(r => r.checkVisibility()).map(r => r.id)",
    )


@pytest.fixture(scope="module")
def visitor(browser, html):
    made = OfflinePage(browser, html)
    yield made
    made.context.close()


@pytest.fixture
def open_page(visitor):
    """Open a page and wait for its filter; after the test nothing must have gone wrong on it."""

    def opened(name, query=""):
        page = visitor.open(name, query)
        page.wait_for_selector("form.claims-filter:visible")
        return page

    yield opened
    assert not visitor.wrong


ASKED = [
    {},
    {"verdict": "corrected", "part": "sketch"},
    {"verdict": "fully verified"},
    {"verdict": "with a limit"},
    {"verdict": "with a limit", "strength": "exhaustive", "kind": "paper"},
    {"verdict": "not reproducible"},
    {"method": "statistical"},
    {"strength": "sampled"},
    {"strength": "proved", "kind": "paper"},
    {"method": "none", "kind": "paper"},
    {"kind": "beyond", "part": "location"},
    {"q": "紛失通信"},
    {"q": "leakage", "part": "correlated"},
    {"q": "kikuchi", "verdict": "corrected"},
    {"q": "s-4.8"},
    {"q": "no such words anywhere"},
]


def test_the_filter_shows_what_fits_and_keeps_it_in_the_address(open_page):
    page = open_page("book/ledger/index")
    for asked in ASKED:
        page.click(".claims-filter button")
        for name, value in asked.items():
            if name == "q":
                page.fill(".claims-search input", value)
            else:
                page.select_option(f"select[name={name}]", value)
        wanted = expected(asked)
        page.wait_for_function(
            "n => document.querySelector('.claims-status').textContent.startsWith(n)",
            arg=f"{len(wanted)} of {len(EVERY)} rows",
        )
        found = shown(page)
        assert (sorted(found) if "q" in asked else found) == (
            sorted(wanted) if "q" in asked else wanted
        ), asked
        assert dict(parse_qsl(urlsplit(page.url).query)) == asked
    assert all(expected(asked) for asked in ASKED[:-1])
    # What no row has is not offered, and the words do not speak of it.
    offered = page.locator("select[name=strength] option")
    options = offered.evaluate_all("all => all.map(o => o.value)")
    assert (verdicts.UNSTATED in options) == bool(expected({"strength": verdicts.UNSTATED}))
    assert ("not stated" in page.inner_text("article")) == (verdicts.UNSTATED in options)
    page.click(".claims-filter button")
    page.wait_for_function(f"() => !{SHOWN}.some(row => row.hidden)")
    assert shown(page) == expected({})  # in the order of the papers again


PLACES = [
    (["Theorem 5.3", "theorem5.3", "Thm. 5.3", "th 5.3", "Is Theorem 5.3 right?"], "Y-Th5.3"),
    (["Yang, Sato, Nakagawa Theorem 5.3", "Is Theorem 5.3 (Yang) true?"], "Y-Th5.3"),
    (["定理5.3", "定理 5.3", "楊の定理5.3は正しいか？", "楊・佐藤・中川 定理 5.3"], "Y-Th5.3"),
    (["Prop. 5.1", "Proposition 5.1"], "Y-P5.1"),
    (["the Definition 4.1 of Kikuchi", "Def. 4.1, Kikuchi"], "K-4.2"),
    (["Table 3", "tab. 3"], "Y-T3"),
    (["Alg. 1", "algorithm1"], "Y-A1"),
    (["(29)", "eq. 29", "Equation (29)", "式29"], "Y-E29"),
    (["eq. (11)", "式(11)"], "Y-D5.1"),
    (["Y-Th5.3", "y-th5.3"], "Y-Th5.3"),
]


def test_a_place_is_found_however_it_is_asked_for_and_comes_first(open_page):
    page = open_page("book/ledger/index")
    for questions, first in PLACES:
        for question in questions:
            page.fill(".claims-search input", question)
            found = shown(page)
            assert found[:1] == [anchor(first)], question
            assert len(found) < 60, question


def test_other_places_with_the_same_words_come_later_and_go_back(open_page):
    """K-5.3 is of section 5.1: its id has the number, and its place the word."""
    page = open_page("book/ledger/index", "?q=Theorem+5.3")
    assert shown(page) == [anchor("Y-Th5.3"), anchor("K-5.3")]
    page.fill(".claims-search input", "section 5.1")
    found = shown(page)
    place = re.compile(r"section 5\.1(?!\.?\d)")
    exact = [anchor(s.claim.id) for _, s in EVERY if place.search(s.claim.where)]
    assert found[: len(exact)] == exact
    assert len(found) > len(exact)
    page.click(".claims-filter button")
    page.wait_for_function(f"() => !{SHOWN}.some(row => row.hidden)")
    assert shown(page) == expected({})


def test_when_nothing_is_found_the_page_says_what_to_try(open_page):
    page = open_page("book/ledger/index")
    for question, advice in (
        ("Theorem 77.7", "Try the place as it is printed"),
        ("定理77.7", "「Show all」を押すと"),
    ):
        page.fill(".claims-search input", question)
        told = page.inner_text(".claims-status")
        assert told.startswith(f"0 of {len(EVERY)} rows match.")
        assert advice in told
    page.fill(".claims-search input", "Theorem 5.3")
    assert page.inner_text(".claims-status") == f"2 of {len(EVERY)} rows match."


def test_the_common_ledger_says_how_a_claim_was_read(html):
    shown_rows = rows(read(html, "book/ledger/index"), "claims-all")
    for _, status in EVERY:
        row = shown_rows[anchor(status.claim.id)]
        assert ("<em>Reading:</em>" in row) == bool(status.claim.reading), status.claim.id


def test_terms_of_the_glossary_are_found_in_both_languages(open_page):
    page = open_page("book/ledger/index")
    weak = {anchor(s.claim.id) for _, s in EVERY if "弱い攻撃者" in s.claim.ja}
    for question in ("weak adversary", "弱い攻撃者", "weak attacker"):
        page.fill(".claims-search input", question)
        assert len(shown(page)) > 4, question
        assert weak <= set(shown(page)), question


def test_sections_that_the_filter_leaves_empty_go_and_errata_are_counted_apart(open_page):
    page = open_page("book/errata")
    sections = ("errors", "misprints", "limits-of-verified-claims", "as-files")
    seen = "ids => ids.filter(id => document.getElementById(id).checkVisibility())"
    assert page.evaluate(seen, sections) == list(sections)
    wrong = sum(status.is_erratum for _, status in EVERY)
    limited = page.locator("table.claims-limits tbody tr").count()
    told = f"{wrong + limited} of {wrong + limited} rows match."
    assert page.inner_text(".claims-status") == told
    filled = "ids => ids.filter(id => document.querySelector(`#${id} tbody tr:not([hidden])`))"
    kept = set()
    for question in ("Kikuchi", "counterexample", "Hadamard", "Table 3", "S-idx"):
        page.fill(".claims-search input", question)
        wanted = page.evaluate(filled, sections)
        assert page.evaluate(seen, sections) == wanted, question
        kept.add(tuple(wanted))
    assert len(kept) > 1
    page.fill(".claims-search input", "zzzyx")
    assert page.evaluate(seen, sections) == ["as-files"]


def test_parts_have_their_long_names_where_the_short_one_stands_alone(html):
    for name in ("book/intro", "book/ledger/index"):
        page = (html / f"{name}.html").read_text(encoding="utf-8")
        for part in ledger_claims.parts(ROOT):
            source = (ROOT / "book" / "ledger" / f"{part}.md").read_text(encoding="utf-8")
            long = re.search(r"^# Ledger: (.*)$", source, re.MULTILINE)[1]
            assert page.count(f">{part}</a><br><small>{long}</small>") == 2, (name, part)
        if name != "book/intro":
            assert f'<option value="{part}">{part} — {long}</option>' in page


def test_an_address_opens_the_page_as_filtered(open_page):
    for asked in ({"verdict": "corrected", "part": "sketch"}, {"q": "紛失通信"}):
        page = open_page("book/ledger/index", f"?{urlencode(asked)}")
        assert shown(page) == expected(asked)
        page.emulate_media(media="print")
        assert shown(page) == expected(asked)
        assert not page.locator(".claims-filter").is_visible()
        page.emulate_media(media="screen")
    page = open_page("book/ledger/index", "?verdict=nonsense")
    assert len(shown(page)) == len(EVERY)


def test_the_target_of_an_address_is_never_hidden(open_page):
    verified = next(k for k, s in STATUSES["sketch"].items() if s.verdict == "verified")
    own = [anchor(name) for name in STATUSES["sketch"]]
    page = open_page("book/ledger/sketch", f"?verdict=corrected#{anchor(verified)}")
    assert shown(page) == own
    assert urlsplit(page.url).query == ""
    page.select_option("select[name=verdict]", "corrected")
    assert shown(page) == [name for name in own if name in expected({"verdict": "corrected"})]
    page.evaluate("id => { location.hash = ''; location.hash = id; }", anchor(verified))
    page.wait_for_function("id => !document.getElementById(id).hidden", arg=anchor(verified))
    assert shown(page) == own


def test_without_javascript_all_rows_and_no_dead_controls(browser, html):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((html / "book/ledger/index.html").as_uri(), wait_until="load")
    assert page.locator("table.claims-all tbody tr:visible").count() == len(EVERY)
    assert page.locator("form.claims-filter:visible").count() == 0
    page.goto((html / "book/ledger/laplace.html").as_uri(), wait_until="load")
    assert page.locator("form.claims-filter:visible").count() == 0
    context.close()


# --- small screens -------------------------------------------------------------------------------

# Words of a table that stand on two lines: each is a piece of text without a place to break.
BROKEN = """table => {
  const found = new Set(), range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector(table), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const holder = node.parentElement;
    if (!holder.checkVisibility() || holder.closest("mjx-container")) continue;
    for (const match of node.data.matchAll(/[A-Za-z]+/g)) {
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const tops = [...range.getClientRects()].map(r => Math.round(r.top));
      if (new Set(tops).size > 1) found.add(match[0]);
    }
  }
  return [...found];
}"""


@pytest.fixture(scope="module")
def phone(browser, html):
    """A touch screen 390 pixels wide."""
    made = OfflinePage(browser, html, has_touch=True, is_mobile=True)
    yield made
    made.context.close()


@pytest.mark.parametrize(
    ("name", "table"), [("index", "claims-all"), *((part, "claims-ledger") for part in STATUSES)]
)
def test_no_word_is_broken_and_a_phone_shows_the_verdict(phone, name, table):
    page = phone.open(f"book/ledger/{name}", screen=NARROW)
    assert page.evaluate(BROKEN, f"table.{table}") == []
    pills = page.eval_on_selector_all(
        f"table.{table} tbody .claim-pill",
        "found => found.map(p => p.getBoundingClientRect().right)",
    )
    assert len(pills) == page.locator(f"table.{table} tbody tr").count()
    assert max(pills) <= 390
    page.set_viewport_size({"width": 680, "height": 900})  # A4 without its margins
    page.emulate_media(media="print")
    assert page.evaluate(BROKEN, f"table.{table}") == []
    page.emulate_media(media="screen")


# --- errata and exports --------------------------------------------------------------------------


def test_errata_are_the_papers_errors_first_then_misprints(html):
    text = read(html, "book/errata")
    found = [name.removeprefix("errata-") for name in rows(text, "claims-errata")
             if name.startswith("errata-")]  # fmt: skip
    known = {status.claim.id: status for _, status in WRONG}
    root = {name: known.get(s.claim.root, s).claim for name, s in known.items()}
    roots = [name for name, claim in root.items() if claim.id == name]
    wanted = [
        anchor(name)
        for weight in ("error", "misprint")
        for first in roots
        if root[first].weight == weight
        for name in (first, *(k for k in known if root[k].id == first != k))
    ]
    assert found == wanted
    misprints = text.index('id="misprints"')
    for weight, section in (("error", text[:misprints]), ("misprint", text[misprints:])):
        count = sum(root[name].weight == weight for name in roots)
        assert f'<p class="in-en">{count} {weight}{"s" * (count != 1)}' in section
    for part, status in WRONG:
        name = anchor(status.claim.id)
        above = root[status.claim.id]
        assert (text.index(f'id="errata-{name}"') > misprints) == (above.weight == "misprint")
        row = rows(text, "claims-errata")[f"errata-{name}"]
        cells = {f"../{notebook}.html#{name}" for notebook, _ in status.evidence}
        follows = {f"#errata-{anchor(above.id)}"} if above.id != status.claim.id else set()
        assert cells | {f"ledger/{part}.html#{name}"} | follows == set(links(row))
        assert all(resolves(html, "book/errata", link) for link in links(row))
        for check in status.checks:
            assert check.side != "differs" or typeset(check.text) in row


@pytest.mark.parametrize(
    ("kind", "sides", "wanted"),
    [
        ("theorem", ["supports"], False),
        ("theorem", ["differs", "supports"], True),
        ("theorem", ["differs"], True),
        ("theorem", ["differs", "missing"], False),
        ("beyond", ["differs", "supports"], False),
        ("beyond", ["differs"], False),
    ],
)
def test_what_is_an_erratum(kind, sides, wanted):
    entry = ledger_claims.Claim("S-1.1", "section 1", kind, "A statement.")
    record = Record(
        entry.id, tuple(Check(side, "exact", "a case", "one example") for side in sides)
    )
    status = verdicts.assess([entry], {entry.id: [("notebooks/sketch/01", record)]})[entry.id]
    assert status.is_erratum is wanted
    item = exports.entry("sketch", status, "https://book.example/")
    assert item["weight"] == ("error" if wanted else "")
    assert item["evidence"][0]["link"] == (
        "https://book.example/notebooks/sketch/01.html#claim-S-1-1"
    )


def test_claims_with_a_limit_are_found_from_the_errata(html):
    found = rows(read(html, "book/errata"), "claims-limits")
    assert list(found) == [f"limit-{anchor(name)}" for name in LIMITED]
    statuses = {status.claim.id: status for _, status in EVERY}
    for name in LIMITED:
        for text in statuses[name].limits:
            assert typeset(text) in found[f"limit-{anchor(name)}"]


def status_of(claim, *checks):
    record = Record(claim.id, checks, "$p$", "$c$", "none")
    return verdicts.assess([claim], {claim.id: [("notebooks/laplace/01-x", record)]})[claim.id]


class Shown:
    """As much of a page as the templates need; Markdown is shown as it stands."""

    part, parts, words, root = "laplace", (), (), ROOT

    def __init__(self, *found):
        self.found = {status.claim.id: status for status in found}

    def uri(self, name):
        return f"{name}.html"

    def depends_on(self, path):
        return path

    def statuses(self, part):
        return self.found

    def every_status(self):
        return [("laplace", status) for status in self.found.values()]


def render(name, page):
    context = base.DIRECTIVES[name].gather(page)
    context |= {"ja": defaultdict(lambda: defaultdict(str))}  # these claims have no Japanese
    made = base.templates().get_template(f"{name}.html.jinja")
    return made.render(page=page, md=lambda text: f"<md>{text}</md>", **context)


def test_consequences_nest_beneath_their_root_and_are_not_counted():
    wrong = Check("differs", "exact", r"n = 1: the printed form gives $\frac{1}{2}$", "one example")
    first, second, third = (
        status_of(
            ledger_claims.Claim(f"N-{k}", "1", "theorem", "S.", root=root, weight=weight), wrong
        )
        for k, root, weight in ((1, "N-3", "misprint"), (2, "", "misprint"), (3, "", "error"))
    )
    page = Shown(first, second, third)
    shown = render("errata", page)
    assert list(rows(shown, "claims-errata")) == [
        "errata-claim-N-3", "errata-claim-N-1"]  # fmt: skip
    assert '<p class="in-en">1 error, and 1 consequence of them' in shown
    follows = rows(shown, "claims-errata")["errata-claim-N-1"]
    assert re.search(r'follows from</span>.* <a href="#errata-claim-N-3">', follows)
    assert r"gives \(\frac{1}{2}\)</span></li>" in shown
    page.words = ["misprints"]
    shown = render("errata", page)
    assert list(rows(shown, "claims-errata")) == ["errata-claim-N-2"]
    assert '<p class="in-en">1 misprint.</p>' in shown


def test_a_row_names_the_decisive_check_its_strength_and_the_limit():
    decisive = Check("supports", "exact", "up to five", "exhaustive", True)
    beside = Check("supports", "symbolic", "one", "proved")
    limit = Check("limit", "symbolic", "lists: $1/e$ would follow", "proved")
    stops = status_of(
        ledger_claims.Claim("N-1", "1", "theorem", "S.", at="line 500"), beside, decisive, limit
    )
    known = status_of(ledger_claims.Claim("N-B1", "1", "beyond", "S.", source="Laplace"), beside)
    page = Shown(stops, known)
    shown = rows(render("claims-table", page), "claims-ledger")
    row = shown["claim-N-1"]
    assert '<small class="claim-strength">exhaustive</small>' in row
    assert '<small class="claim-note">with a limit</small>' in row
    assert 'data-strength="exhaustive" data-limit="yes"' in row
    (marked,) = re.findall(r'<li class="[^"]*check-decisive.*?</li>', row, re.DOTALL)
    assert "decisive: exhaustive, exact" in marked
    assert "up to five" in marked
    listed = re.search(r"<details>.*?</details>", row, re.DOTALL)[0]
    assert "2 checks" in listed
    assert "lists:" not in listed
    assert r"<em>Limit:</em> lists: \(1/e\) would follow</p>" in row
    assert "Source" not in row
    assert "*Source:* Laplace" in shown["claim-N-B1"]
    limits = rows(render("claims-limits", page), "claims-limits")
    assert list(limits) == ["limit-claim-N-1"]
    assert r"lists: \(1/e\) would follow" in limits["limit-claim-N-1"]


def test_errata_are_filtered_by_part(open_page):
    page = open_page("book/errata", "?part=laplace")
    wanted = [f"errata-{anchor(s.claim.id)}" for p, s in WRONG if p == "laplace"]
    wanted += [f"limit-{anchor(name)}" for name in LIMITED if name.startswith("N-")]
    assert sorted(shown(page)) == sorted(wanted)


def load(html, name):
    document = json.loads((html / "book/exports" / name).read_text(encoding="utf-8"))
    schema = json.loads((html / "_static/ledger.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema, jsonschema.Draft202012Validator)
    return document


def test_exports_agree_with_the_ledger(html):
    ledger = load(html, "ledger.json")["entries"]
    assert [item["id"] for item in ledger] == [status.claim.id for _, status in EVERY]
    for item, (part, status) in zip(ledger, EVERY):
        entry = status.claim
        assert (item["part"], item["where"], item["kind"]) == (part, entry.where, entry.kind)
        assert (item["statement"], item["term"]) == (entry.says, entry.ja)
        assert (item["verdict"], item["method"]) == (status.verdict, status.method)
        assert (item["strength"], item["limits"]) == (status.strength, list(status.limits))
        assert (item["root"], item["source"]) == (entry.root, entry.source)
        assert (item["missing"], item["rebuilt"]) == (list(status.missing), status.rebuilt)
        decisive = [c["text"] for f in item["evidence"] for c in f["checks"] if c["decisive"]]
        assert decisive == [check.text for check in status.decisive]
        assert item["fully_verified"] is status.fully
        assert (item["reading"], item["reason"]) == (entry.reading, entry.not_checkable)
        assert (item["rests_on"], item["at"]) == (list(entry.uses), entry.at)
        assert len(item["outside"]) == len(status.outside)
        for told, (_, source, outcome, both) in zip(item["outside"], status.outside):
            assert told == f"{outcome}: {source}: {both}"
        assert [len(found["checks"]) for found in item["evidence"]] == [
            len(record.checks) for _, record in status.evidence
        ]
        for name in ("printed", "corrected", "consequence"):
            assert item[name] in {getattr(r, name) for _, r in status.evidence} | {""}
        for link in (item["row"], *(found["link"] for found in item["evidence"])):
            assert (html / urlsplit(link).path).exists()
            assert urlsplit(link).fragment == anchor(entry.id)


def test_exported_errata_have_no_result_of_ours_and_errors_first(html):
    ledger = {item["id"]: item for item in load(html, "ledger.json")["entries"]}
    errata = load(html, "errata.json")["entries"]
    assert {item["id"] for item in errata} == {status.claim.id for _, status in WRONG}
    assert all(item["kind"] != "beyond" for item in errata)
    weights = [item["weight"] for item in errata]
    assert weights == sorted(weights)  # error, then misprint
    assert set(weights) == {"error", "misprint"}
    assert all(item == ledger[item["id"]] for item in errata)
    assert all(item["printed"] and item["corrected"] and item["counterexamples"] for item in errata)
    assert all(item["consequence"] for item in errata if item["weight"] == "error")
    assert {name for name, item in ledger.items() if item["weight"]} == {i["id"] for i in errata}
    for part in STATUSES:
        document = load(html, f"errata-{part}.json")
        assert [paper["part"] for paper in document["papers"]] == [part]
        assert document["entries"] == [item for item in errata if item["part"] == part]
    assert load(html, "errata-disclosure.json")["papers"][0]["authors"] == ["Ryo Kikuchi"]


@pytest.mark.parametrize("name", ["ledger", "errata"])
def test_csv_says_the_same_as_json(html, name):
    path = html / "book" / "exports" / f"{name}.csv"
    assert not path.read_bytes().startswith(b"\xef\xbb\xbf")  # the first column is "id"
    with path.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    document = load(html, f"{name}.json")
    entries = document["entries"]
    assert len(table) == len(entries)
    for row, item in zip(table, entries):
        assert row.pop("cells").split() == [found["link"] for found in item.pop("evidence")]
        for field in ("fully_verified", "rebuilt"):
            assert (row.pop(field) == "yes") is item.pop(field)
        for field in ("counterexamples", "limits", "missing", "rests_on", "outside"):
            assert row.pop(field) == "\n".join(item.pop(field))
        for field, value in document["edition"].items():
            assert row.pop(f"edition_{field}") == value
        assert row == item
        # A spreadsheet would take such a cell for a formula.
        assert not any(value.startswith(("=", "+", "-", "@")) for value in row.values())


def test_exports_are_linked(html):
    found = re.findall(r'<a href="([^"]+)" download>', read(html, "book/errata"))
    written = {path.name for path in (html / "book" / "exports").iterdir()}
    assert {Path(link).name for link in found} == written | {"ledger.schema.json"}
    assert all((html / "book" / link).exists() for link in found)
