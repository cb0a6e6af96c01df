"""The ledger pages: every claim a row, filters, graphs, errata, exports.

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

import export
import glossary
import jsonschema
import networkx as nx
import numpy as np
import pytest
import reader
import repaired
from privlib_book import base, graph

from conftest import NARROW, TWO_FRAMES, Visitor
from privlib.kit._comparison import markup as typeset
from privlib.kit.evidence import PARTS, REACHES, VERDICTS, Check, Record, anchor

ROOT = Path(__file__).resolve().parent.parent
STATUSES = {part: reader.statuses(ROOT, part) for part in PARTS.values()}
EVERY = [(part, status) for part in STATUSES for status in STATUSES[part].values()]
WRONG = [
    (part, status)
    for part, status in EVERY
    if status.claim.kind != "beyond" and {check.side for check in status.checks} >= {"differs"}
    and "missing" not in {check.side for check in status.checks}
]  # fmt: skip

LIMITED = [
    status.claim.id
    for _, status in EVERY
    if status.verdict == "verified, with a limit" and status.claim.kind != "beyond"
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
        assert bool(status.evidence) != bool(status.claim.read)
        assert ("reason</a>" in shown[name]) == bool(status.claim.read)


def test_a_row_says_where_its_claim_stands(html):
    for part, statuses in STATUSES.items():
        page = rows(read(html, f"book/ledger/{part}"), "claims-ledger")
        for name, status in statuses.items():
            row = page[anchor(name)]
            assert markup.escape(status.claim.place, quote=False) in markup.unescape(row)
            told = re.search(r'class="claim-place">(.*?)</p>', row, re.DOTALL)
            lines = re.findall(r"lines? (\d+)(?:–(\d+))?", told[1]) if told else []
            assert [(int(a), int(b or a)) for a, b in lines] == list(status.claim.lines)


WHOLES = repaired.objects_of(ROOT, STATUSES.get, reader.parts(ROOT))


def test_a_row_about_a_printed_object_leads_to_it_as_a_whole(html):
    of_claim = repaired.by_claim(WHOLES)
    for part, statuses in STATUSES.items():
        page = rows(read(html, f"book/ledger/{part}"), "claims-ledger")
        for name in statuses:
            told = [a for a in links(page[anchor(name)]) if "#object-" in a]
            wanted = f"../repaired/{part}.html#{of_claim[name].id}" if name in of_claim else ""
            assert told == [wanted] * bool(wanted), name
            if name in of_claim:
                assert f"as a whole</a>: {of_claim[name].standing}<" in page[anchor(name)]


def test_a_question_that_names_an_object_is_told_how_it_stands_as_a_whole(open_page):
    def told(question):
        page.fill(".claims-search input", question)
        return page.locator(".claims-wholes li:visible").all_inner_texts()

    page = open_page("book/ledger/index")
    assert told("") == []
    stands = {(p, g.name): g.standing for p, groups in WHOLES.items() for g in groups}
    kawamoto = "Algorithm 1 of Kawamoto, Sakuma as a whole: " + stands["location", "Algorithm 1"]
    asked = ("Kawamoto Alg. 1", "Is Kawamoto's Algorithm 1 right?", "location アルゴリズム1")
    for question in asked:
        assert told(question) == [kawamoto], question
    href = page.locator(".claims-wholes li:visible a").get_attribute("href")
    assert href == "../repaired/location.html#object-algorithm-1"
    yang = "Theorem 5.2 of Yang, Sato, Nakagawa as a whole: " + stands["correlated", "Theorem 5.2"]
    assert told("定理5.2") == [yang]
    assert len(told("Table 3")) == sum(name == "Table 3" for _, name in stands)
    page.select_option("select[name=part]", "sketch")
    assert [text.split(" as ")[0] for text in told("Table 3")] == ["Table 3 of Shimizu"]
    page.select_option("select[name=part]", "")
    names = [text.split(" of ")[0] for text in told("Figure 5")]
    assert names == ["Figure 5", "Figures 4, 5 and 6"]
    for question in ("Algorithm 1 noise", "Algorithm", "noise", "section 4.1", "M-M2"):
        assert told(question) == [], question
    assert [text.split(" of ")[0] for text in told("Claim 4.1")] == ["Claim 4.1"]
    assert [text.split(" of ")[0] for text in told("proof of Claim 4.1")] == ["Proof"]
    page = open_page("book/ledger/location")
    assert told("Algorithm 1") == [kawamoto]


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
                ((re.findall(r"check-(?!carries)(\w+)", kinds) or ["supports"])[0], words)
                for kinds, words in listed
            ]
            sides = [check.side for check in status.checks if check.side != "limit"]
            assert [side for side, _ in listed] == (sides if not status.claim.read else []), name
            assert all(words == said.get(side, words) for side, words in listed), name
            seen.update(side for side, _ in listed)
    assert seen["supports"] > seen["differs"] > len(WRONG) / 2


def test_the_overview_counts_what_the_notebooks_say(html):
    shown = {s.verdict for _, s in EVERY if s.claim.kind != "beyond"}
    reaches = {s.reach for _, s in EVERY if s.claim.kind != "beyond"}
    for page in ("book/ledger/index", "book/intro"):
        tables = {name: rows(read(html, page), f"claims-{name}") for name in ("overview", "reach")}
        for name, table in tables.items():
            assert list(table) == [f"{name}-{part}" for part in [*STATUSES, "all"]]
        for part in [*STATUSES, "all"]:
            found = [s for p, s in EVERY if part in (p, "all")]
            paper = [s for s in found if s.claim.kind != "beyond"]
            count = Counter(s.verdict for s in paper)
            reach = Counter(s.reach for s in paper)
            wanted = [len(paper), *(count[v] for v in VERDICTS if v in shown)]
            wanted += [sum(s.fully for s in paper), len(found) - len(paper)]
            far = [reach[r] for r in (*REACHES, reader.UNSTATED) if r in reaches]
            for name, row in (("overview", wanted), ("reach", far)):
                cells = re.findall(r"<td>(.*?)</td>", tables[name][f"{name}-{part}"], re.DOTALL)
                numbers = [int(re.sub(r"<[^>]*>|\s", "", cell)) for cell in cells[1:]]
                assert numbers == row
                for cell, number in zip(cells[1:], numbers):
                    for link in links(cell):  # the link asks for as many as it says
                        assert resolves(html, page, link)
                        asked = dict(parse_qsl(urlsplit(link).query))
                        assert len(expected(asked)) == number
                    assert bool(links(cell)) == (number > 0)
            judged = {"verified", "verified, with a limit", "corrected", "refuted"}
            assert sum(far) == sum(count[v] for v in judged)


# --- filter --------------------------------------------------------------------------------------


named = functools.cache(functools.partial(glossary.names, ROOT))


def expected(asked):
    """Ids of the rows that fit, from the YAML and the notebooks."""
    found = []
    for part, status in EVERY:
        entry = status.claim
        words = f"{entry.id} {entry.where} {entry.kind} {entry.says} {entry.ja}"
        words += " " + named(part, entry)
        words = unicodedata.normalize("NFKC", words).lower()
        verdict = asked.get("verdict", status.verdict)
        fits = (
            asked.get("part", part) == part
            and (status.fully if verdict == "fully verified" else status.verdict == verdict)
            and asked.get("method", status.method or "none") == (status.method or "none")
            and asked.get("reach", status.reach) == status.reach
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
    made = Visitor(browser, html, formulas=False)
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
    {"verdict": "refuted"},
    {"method": "statistical"},
    {"reach": "sampled"},
    {"reach": "proved", "kind": "paper"},
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
    assert expected(ASKED[1])
    assert expected(ASKED[7])
    papers, beyond = (len(expected({"kind": kind})) for kind in ("paper", "beyond"))
    counted = f"({papers} claims, {beyond} results beyond the papers)"
    assert counted in page.inner_text(".claims-status")
    # What no row has is not offered, and the words do not speak of it.
    options = page.locator("select[name=reach] option").evaluate_all("all => all.map(o => o.value)")
    assert (reader.UNSTATED in options) == bool(expected({"reach": reader.UNSTATED}))
    assert ("Not stated" in page.inner_text("article")) == (reader.UNSTATED in options)
    page.click(".claims-filter button")
    page.wait_for_function(f"() => !{SHOWN}.some(row => row.hidden)")
    assert shown(page) == expected({})  # in the order of the papers again


PLACES = {
    "section 5.1, (13)-(16)": "section 5.1, equation 13, equation 14, equation 15, equation 16",
    "Theorem 5.2, (27), (28)": "theorem 5.2, equation 27, equation 28",
    "Figures 4, 5 and 6": "figure 4, figure 5, figure 6",
    "Figure 5(b)": "figure 5b, figure 5",
    "Figures 10 and 11": "figure 10, figure 11",
    "section 1.1, case (2)": "section 1.1, case 2",
    "equations (1), (3)": "equation 1, equation 3",
    "Algorithm 1, lines 8-10": "algorithm 1, line 8, line 9, line 10",
    "sections 3.2.1 and 4.2": "section 3.2.1, section 4.2",
    "4.1 節、主張 4.1": "section 4.1, claim 4.1",
    "Thm.5.2": "theorem 5.2",
    "命題５．１": "proposition 5.1",
    "式(3)": "equation 3",
    "Y-Th5.2 of the table": "",
}
# Who asks so finds this first, and nothing that is elsewhere or has a longer number.
ASKED_SO = {
    "Y-P5.1": ["Prop. 5.1", "prop5.1", "Proposition 5.1", "命題5.1", "Yang 命題 5.1", "y-p5.1",
               "楊、佐藤、中川 命題5.1"],
    "Y-Th5.2": ["Theorem 5.2", "定理5.2", "thm 5.2"],
    "K-4.6": ["claim4.1", "Claim 4.1", "Kikuchi Claim 4.1", "主張4.1", "k4.6", "K-4.6",
              "Kikuchi's Claim 4.1", "is claim 4.1 right?", "Claim 4.1 correct",
              "菊池 主張4.1", "菊池の主張4.1は正しいですか"],
    "Y-A1": ["Algorithm1", "Algorithm 1", "Alg. 1", "アルゴリズム1"],
    "Y-T3": ["表3", "Tab. 3", "Table 3", "table3"],
    "S-T3.m": ["Shimizu Table 3", "sketch 表3", "清水 表3", "清水表3"],
    "Y-F2": ["図2", "Fig. 2", "figure 2"],
}  # fmt: skip


def test_a_place_is_found_however_it_is_written(open_page):
    page = open_page("book/ledger/index")
    told = page.evaluate("texts => texts.map(t => privlibFind.places(t).join(', '))", list(PLACES))
    assert dict(zip(PLACES, told)) == PLACES
    where = {anchor(status.claim.id): status.claim.where for _, status in EVERY}
    for first, questions in ASKED_SO.items():
        answers = []
        for question in questions:
            page.fill(".claims-search input", question)
            answers.append(shown(page))
            assert answers[-1][0] == anchor(first), question
        if first in ("Y-T3", "Y-F2", "Y-A1"):
            assert all(answer == answers[0] for answer in answers), first
    page.fill(".claims-search input", "Figure 1")
    assert not [name for name in shown(page) if "Figures 10" in where[name]]
    page.fill(".claims-search input", "Algorithm 1")
    named = ["Algorithm 1" in where[name] for name in shown(page)]
    assert named == sorted(named, reverse=True)  # what only mentions it comes last
    assert any(named)
    assert not all(named)


def test_terms_of_the_glossary_are_found_in_both_languages(open_page):
    page = open_page("book/ledger/index")
    weak = {anchor(s.claim.id) for _, s in EVERY if "弱い攻撃者" in s.claim.ja}
    for question in ("weak adversary", "弱い攻撃者", "weak attacker"):
        page.fill(".claims-search input", question)
        assert len(shown(page)) > 4, question
        assert weak <= set(shown(page)), question


def test_where_nothing_is_found_the_page_helps(open_page):
    page = open_page("book/ledger/index")
    none = page.locator(".claims-none")
    assert not none.is_visible()
    page.fill(".claims-search input", "Propositon 5.1")
    none.get_by_role("button", name="Proposition 5.1").click()
    assert shown(page)[0] == anchor("Y-P5.1")
    assert not none.is_visible()
    assert page.evaluate("document.activeElement.name") == "q"
    page.fill(".claims-search input", "Proposition 5.2")  # it is a theorem
    none.get_by_role("button", name="Theorem 5.2").click()
    assert shown(page)[0] == anchor("Y-Th5.2")
    page.fill(".claims-search input", "Suzuki Claim 4.1")  # the place is there, the word nowhere
    assert none.locator(".claims-instead button").all_inner_texts() == ["Claim 4.1"]
    assert none.locator("p").first.inner_text() == "Nothing found for “Suzuki Claim 4.1”."
    none.get_by_role("button", name="Claim 4.1").click()
    assert shown(page)[0] == anchor("K-4.6")
    page.fill(".claims-search input", "wrong")  # a word of questions, but no question
    assert 0 < len(shown(page)) < 10
    page.fill(".claims-search input", "hadamrd")
    none.get_by_role("button", name="Hadamard").click()
    assert len(shown(page)) > 2
    page.select_option("select[name=part]", "laplace")
    assert shown(page) == []
    none.locator(".claims-without").click()
    assert len(shown(page)) > 2
    page.fill(".claims-search input", "zzzyx")
    links = none.locator("a").evaluate_all("links => links.map(a => a.getAttribute('href'))")
    assert links[0] == "../glossary.html"
    assert links[1].endswith("search.html?q=zzzyx")
    none.locator(".claims-reset").click()
    assert len(shown(page)) == len(EVERY)
    assert urlsplit(page.url).query == ""


def test_sections_that_the_filter_leaves_empty_go_and_errata_are_counted_apart(open_page):
    page = open_page("book/errata")
    sections = ("errors", "slips", "verified-with-a-limit", "as-files")
    seen = "ids => ids.filter(id => document.getElementById(id).checkVisibility())"
    assert page.evaluate(seen, sections) == list(sections)
    wrong = sum(status.is_erratum for _, status in EVERY)
    limited = page.locator("table.claims-limits tbody tr").count()
    told = f"{wrong + limited} of {wrong + limited} rows shown ({wrong} errata, {limited} claims"
    assert page.inner_text(".claims-status").startswith(told)
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
        for part in reader.parts(ROOT):
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
    page.click(f".claim-graph a[href='#{anchor(verified)}']")  # the address stands there already
    page.wait_for_function("id => !document.getElementById(id).hidden", arg=anchor(verified))
    assert shown(page) == own


def test_without_javascript_all_rows_and_no_dead_controls(browser, html):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((html / "book/ledger/index.html").as_uri(), wait_until="load")
    assert page.locator("table.claims-all tbody tr:visible").count() == len(EVERY)
    assert page.locator("form.claims-filter:visible").count() == 0
    page.goto((html / "book/ledger/laplace.html").as_uri(), wait_until="load")
    assert page.locator(".claim-graph a:visible").count() > 0
    assert page.locator(".claim-panel:visible").count() == 0
    context.close()


# --- graph ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", STATUSES)
def test_the_graph_shows_every_link_once(html, part):
    text = read(html, f"book/ledger/{part}")
    graph = text[text.index('<div class="claim-graph">') : text.index('<div class="claim-panel"')]
    uses = {(u, k) for k, s in STATUSES[part].items() for u in s.claim.uses}
    boxes = re.findall(
        r'<a href="#([^"]+)"[^>]*><title>([^<]+)<.*?>([^<\s]{1,2}) ([^<]+)</text></a>', graph
    )
    assert sorted(name for *_, name in boxes) == sorted({k for edge in uses for k in edge})
    for target, label, _, name in boxes:
        assert target == anchor(name)
        assert f' id="{target}"' in text
        assert str(STATUSES[part][name].verdict) in label
    drawn = re.findall(r'data-from="([^"]+)" data-to="([^"]+)"', graph)
    assert sorted(drawn) == sorted((anchor(a), anchor(b)) for a, b in uses)


# In the coordinates of the drawing, at one moment: formulas above it may still move it.
MEASURE = """() => {
  const scale = document.querySelector(".claim-graph svg").getScreenCTM().a;
  const boxes = [...document.querySelectorAll(".claim-graph a")].map(a => {
    const box = a.querySelector("rect").getBBox(), text = a.querySelector("text");
    const words = text.getBBox();
    return {id: a.getAttribute("href").slice(1), left: box.x, right: box.x + box.width, top: box.y,
            bottom: box.y + box.height, font: scale * parseFloat(getComputedStyle(text).fontSize),
            inside: words.x >= box.x && words.x + words.width <= box.x + box.width};
  });
  const lines = [...document.querySelectorAll(".claim-graph .edges path")].map(path => ({
    from: path.dataset.from, to: path.dataset.to,
    points: Array.from({length: Math.ceil(path.getTotalLength() / 4)}, (_, k) => {
      const point = path.getPointAtLength(4 * k);
      return [point.x, point.y];
    }),
  }));
  return JSON.stringify([boxes, lines]);
}"""


@pytest.mark.parametrize("part", STATUSES)
def test_the_drawing_can_be_read(open_page, part):
    page = open_page(f"book/ledger/{part}")
    # As text: Playwright takes long to take a long list apart itself.
    boxes, lines = json.loads(page.evaluate(MEASURE))
    at = {box["id"]: box for box in boxes}
    assert all(box["font"] >= 12 and box["inside"] for box in boxes)
    for k, a in enumerate(boxes):
        for b in boxes[k + 1 :]:
            apart = a["right"] < b["left"] or b["right"] < a["left"]
            assert apart or a["bottom"] < b["top"] or b["bottom"] < a["top"], (a["id"], b["id"])
    left, right, top, bottom = (
        np.array([box[side] for box in boxes]) for side in ("left", "right", "top", "bottom")
    )
    for line in lines:  # each runs down from what is rested on, and through no box
        assert at[line["from"]]["bottom"] < at[line["to"]]["top"]
        x, y = np.array(line["points"])[:, :, None].swapaxes(0, 1)
        inside = (left < x) & (x < right) & (top + 1 < y) & (y < bottom - 1)
        hit = [boxes[k]["id"] for k in np.flatnonzero(inside.any(axis=0))]
        assert not hit, (line["from"], line["to"], hit)


def test_a_focused_box_shows_its_claim_and_what_it_rests_on(open_page):
    page = open_page("book/ledger/correlated")
    statuses = STATUSES["correlated"]
    uses = nx.DiGraph((u, k) for k, s in statuses.items() for u in s.claim.uses)
    name = max(uses, key=lambda k: (bool(uses.in_degree(k)) * len(nx.descendants(uses, k)), k))
    page.focus(f".claim-graph a[href='#{anchor(name)}']")
    marked = page.eval_on_selector_all(
        ".claim-graph a.is-on", "boxes => boxes.map(a => a.getAttribute('href').slice(1))"
    )
    near = {name} | nx.ancestors(uses, name) | nx.descendants(uses, name)
    assert sorted(marked) == sorted(map(anchor, near))
    falling = page.eval_on_selector_all(
        ".claim-graph a.is-below", "boxes => boxes.map(a => a.getAttribute('href').slice(1))"
    )
    assert sorted(falling) == sorted(map(anchor, nx.descendants(uses, name)))
    panel = page.locator(".claim-panel").inner_text()
    assert name in panel
    assert str(statuses[name].verdict) in panel
    falls = len(falling)
    told = f"rests on {len(nx.ancestors(uses, name))}, if it falls {falls} fall"
    assert told + "s" * (falls == 1) + ", directly or not" in panel


def test_layout_of_hard_graphs():
    """Many children, long lines, boxes wider than the rest, single nodes."""
    uses = nx.DiGraph([("a", f"b{k}") for k in range(40)])
    uses.add_edges_from((f"c{k}", f"c{k + 1}") for k in range(12))
    uses.add_edges_from([("c0", "c12"), ("a", "c12"), ("b7", "c9")])
    uses.add_node("alone")
    widths = {n: 60.0 + 7 * len(n) for n in uses}
    drawing = graph.draw(uses, widths, 600)
    assert set(drawing.boxes) == set(uses)
    assert drawing.width <= 600 + 1e-6
    placed = list(drawing.boxes.values())
    for k, (x, y, w) in enumerate(placed):
        assert x >= -1e-9
        for x2, y2, w2 in placed[k + 1 :]:
            assert y != y2 or x + w < x2 or x2 + w2 < x
    for a, b in uses.edges:
        assert drawing.boxes[a][1] < drawing.boxes[b][1]
    assert graph.draw(uses, widths, 600) == drawing


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
    made = Visitor(browser, html, has_touch=True, is_mobile=True)
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


def test_a_tap_traces_and_a_second_one_follows(phone):
    page = phone.open("book/ledger/laplace", screen=NARROW)
    page.wait_for_selector(".claim-panel:visible")
    assert "tap" in page.locator(".claim-hint").inner_text()
    uses = nx.DiGraph((u, k) for k, s in STATUSES["laplace"].items() for u in s.claim.uses)
    name, other = list(uses)[:2]
    box, second = (f".claim-graph a[href='#{anchor(k)}']" for k in (name, other))
    panel = page.locator(".claim-panel")
    near = {name} | nx.ancestors(uses, name) | nx.descendants(uses, name)
    page.tap(f"{box} rect")
    assert urlsplit(page.url).fragment == ""
    assert page.locator(".claim-graph.is-tracing a.is-on").count() == len(near)
    assert panel.locator(".claim-id").inner_text() == name
    link = panel.locator(".claim-row-link")
    assert link.get_attribute("href") == f"#{anchor(name)}"
    page.tap(f"{second} rect")  # another box: traced, not followed
    assert urlsplit(page.url).fragment == ""
    assert panel.locator(".claim-id").inner_text() == other
    page.tap(f"{second} rect")
    page.wait_for_url(f"**#{anchor(other)}")
    page.tap(f"{box} rect")
    assert urlsplit(page.url).fragment == anchor(other)
    link.tap()
    page.wait_for_url(f"**#{anchor(name)}")
    page.focus(second)
    page.keyboard.press("Enter")  # a keyboard needs one step only
    page.wait_for_url(f"**#{anchor(other)}")


def test_a_click_follows_at_once(open_page):
    page = open_page("book/ledger/laplace")
    box = page.locator(".claim-graph a").first
    box.locator("rect").click()
    page.wait_for_url(f"**{box.get_attribute('href')}")


@pytest.mark.parametrize("part", STATUSES)
def test_the_panel_leaves_every_box_of_the_graph_in_reach(phone, part):
    page = phone.open(f"book/ledger/{part}", screen=NARROW)
    page.wait_for_selector(".claim-panel:visible")
    panel = "document.querySelector('.claim-panel')"
    overlap = """() => {
      const graph = document.querySelector(".claim-graph").getBoundingClientRect();
      return graph.bottom - document.querySelector(".claim-panel").getBoundingClientRect().top;
    }"""
    assert page.evaluate(f"getComputedStyle({panel}).position") == "static"
    assert page.evaluate(overlap) <= 1
    last = page.locator(".claim-graph a").last
    last.locator("rect").tap()
    assert page.evaluate(f"getComputedStyle({panel}).position") == "sticky"
    page.evaluate(TWO_FRAMES)
    for box in (last, page.locator(".claim-graph a").first):
        box.evaluate("a => a.scrollIntoView({block: 'nearest'})")
        below = box.evaluate(
            f"a => a.getBoundingClientRect().bottom - {panel}.getBoundingClientRect().top"
        )
        assert below <= 0


# --- errata and exports --------------------------------------------------------------------------


def test_errata_are_the_papers_errors_first_then_slips(html):
    text = read(html, "book/errata")
    found = [name.removeprefix("errata-") for name in rows(text, "claims-errata")
             if name.startswith("errata-")]  # fmt: skip
    known = {status.claim.id: status for _, status in WRONG}
    root = {name: known.get(s.claim.root, s).claim for name, s in known.items()}
    roots = [name for name, claim in root.items() if claim.id == name]
    wanted = [
        anchor(name)
        for weight in ("error", "slip")
        for first in roots
        if root[first].weight == weight
        for name in (first, *(k for k in known if root[k].id == first != k))
    ]
    assert found == wanted
    slips = text.index('id="slips"')
    for weight, section in (("error", text[:slips]), ("slip", text[slips:])):
        count = sum(root[name].weight == weight for name in roots)
        assert f'<p class="in-en">{count} {weight}{"s" * (count != 1)}' in section
    for part, status in WRONG:
        name = anchor(status.claim.id)
        above = root[status.claim.id]
        assert (text.index(f'id="errata-{name}"') > slips) == (above.weight == "slip")
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
    entry = reader.Claim("S-1.1", "section 1", kind, "A statement.")
    record = Record(entry.id, tuple(Check(side, "exact", "a case", "one case") for side in sides))
    status = reader.assess([entry], {entry.id: [("notebooks/sketch/01", record)]})[entry.id]
    assert status.is_erratum is wanted
    item = export.entry("sketch", status, "https://book.example/")
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
    return reader.assess([claim], {claim.id: [("notebooks/laplace/01-x", record)]})[claim.id]


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
    wrong = Check("differs", "exact", r"n = 1: the printed form gives $\frac{1}{2}$", "one case")
    first, second, third = (
        status_of(reader.Claim(f"N-{k}", "1", "theorem", "S.", root=root, weight=weight), wrong)
        for k, root, weight in ((1, "N-3", "slip"), (2, "", "slip"), (3, "", "error"))
    )
    page = Shown(first, second, third)
    shown = render("errata", page)
    assert list(rows(shown, "claims-errata")) == [
        "errata-claim-N-3", "errata-claim-N-1"]  # fmt: skip
    assert '<p class="in-en">1 error, and 1 consequence of them' in shown
    follows = rows(shown, "claims-errata")["errata-claim-N-1"]
    assert re.search(r'follows from</span>.* <a href="#errata-claim-N-3">', follows)
    assert r"gives \(\frac{1}{2}\)</li>" in shown
    page.words = ["slips"]
    shown = render("errata", page)
    assert list(rows(shown, "claims-errata")) == ["errata-claim-N-2"]
    assert '<p class="in-en">1 slip.</p>' in shown


def test_a_row_says_what_carries_a_claim_how_far_and_where_it_stops():
    carries = Check("supports", "exact", "up to five", "complete", True)
    beside = Check("supports", "symbolic", "one", "proved")
    limit = Check("limit", "symbolic", "lists: $1/e$ would follow", "proved")
    stops = status_of(
        reader.Claim("N-1", "1", "theorem", "S.", at="line 500"), beside, carries, limit
    )
    known = status_of(reader.Claim("N-B1", "1", "beyond", "S.", source="Laplace"), beside)
    page = Shown(stops, known)
    shown = rows(render("claims-table", page), "claims-ledger")
    row = shown["claim-N-1"]
    assert '<small class="claim-reach">complete</small>' in row
    assert 'data-reach="complete"' in row
    (carrier,) = re.findall(r'<li class="[^"]*check-carries.*?</li>', row, re.DOTALL)
    assert "carries the claim: complete, exact" in carrier
    assert "up to five" in carrier
    listed = re.search(r"<details>.*?</details>", row, re.DOTALL)[0]
    assert "2 checks" in listed
    assert "lists:" not in listed
    assert r"<em>Stops here:</em> lists: \(1/e\) would follow</p>" in row
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
        assert (item["reach"], item["limits"]) == (status.reach, list(status.limits))
        assert (item["root"], item["source"]) == (entry.root, entry.source)
        carrying = [c["text"] for f in item["evidence"] for c in f["checks"] if c["carries"]]
        assert carrying == [check.text for check in status.carrying]
        assert item["fully_verified"] is status.fully
        assert (item["reading"], item["reason"]) == (entry.reading, entry.read)
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
    assert weights == sorted(weights)  # error, then slip
    assert set(weights) == {"error", "slip"}
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
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    document = load(html, f"{name}.json")
    entries = document["entries"]
    assert len(table) == len(entries)
    for row, item in zip(table, entries):
        assert row.pop("cells").split() == [found["link"] for found in item.pop("evidence")]
        assert (row.pop("fully_verified") == "yes") is item.pop("fully_verified")
        for field in ("counterexamples", "limits", "rests_on", "outside"):
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
