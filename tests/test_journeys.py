"""What readers come for, in a browser, with the clicks that it takes.

Is a statement right? Where does one begin? What does a word mean? Keys that are typed are not
counted, nor is Enter in a field; every click is.
"""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import reader
from privlib_book import pages

from conftest import NARROW, WIDE, Visitor, barriers
from privlib.kit.evidence import PARTS, anchor, part_of

ROOT = Path(__file__).resolve().parent.parent
NAMES = {anchor(k): k for part in PARTS.values() for k in reader.statuses(ROOT, part)}
EXERCISED = "laplace/01-attackers"
FIRST = "notebooks/laplace/01-attackers"
# In the viewport: the top of a cell, a whole badge; and whether what folds the cell is open.
ON_SCREEN = """id => {
  const badge = document.getElementById(id), cell = badge.closest(".cell");
  const [one, whole] = [badge, cell].map(e => e.getBoundingClientRect());
  const bar = document.querySelector(".bd-header-article").getBoundingClientRect().bottom;
  return {cell: whole.top >= bar && whole.top < innerHeight,
          badge: one.top >= bar && one.bottom <= innerHeight,
          open: [...cell.querySelectorAll("details.hide")].every(d => d.open),
          around: whole.top >= innerHeight / 6};
}"""
# The lines `claim("ID"` of the cell of a badge that stand outside what its box of code shows.
OUT_OF_SIGHT = """([id, name]) => {
  const cell = document.getElementById(id).closest(".cell");
  const boxes = [...cell.querySelectorAll("details.hide pre")];
  return boxes.flatMap(box => {
    const lines = box.textContent.split("\\n");
    const high = parseFloat(getComputedStyle(box).lineHeight);
    return lines.filter((line, k) => new RegExp(`claim\\\\($|claim\\\\("`).test(line)
        && `${line}${lines[k + 1]}`.includes(`"${name}"`)
        && !((k + 1) * high > box.scrollTop && k * high < box.scrollTop + box.clientHeight));
  });
}"""
SETTLED = "() => document.readyState === 'complete' && document.querySelector('.cell.is-named')"


def contrast(one, other):
    """Contrast of two opaque colours "rgb(r, g, b)" after WCAG."""

    def light(colour):
        shares = [int(c) / 255 for c in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


class Reader:
    """A reader who counts clicks and types."""

    def __init__(self, browser, html):
        self.visitor = Visitor(browser, html, formulas=False, color_scheme="light")
        self.html, self.clicks = html, 0

    def begin(self, name, query="", **options):
        self.clicks = 0
        self.page = self.visitor.open(name, query, **options)
        return self.page

    def click(self, target):
        """Click, and wait for the page that comes if another one does."""
        found = self.page.locator(target).first if isinstance(target, str) else target
        found.click()
        self.page.wait_for_load_state("load")
        self.clicks += 1

    @property
    def at(self):
        """Where the reader is: the page without suffix, and the place in it."""
        parts = urlsplit(self.page.url)
        path = unquote(parts.path).removeprefix(f"{self.html}/").removesuffix(".html")
        return path, parts.fragment

    def answers(self):
        """Ids of the claims that the ledger shows, in its order."""
        self.page.wait_for_selector("form.claims-filter:visible")
        return self.page.eval_on_selector_all(
            "table.claims tbody tr:has(.claim-key)",
            "rs => rs.filter(r => !r.hidden).map(r => r.querySelector('.claim-id').textContent)",
        )


@pytest.fixture(scope="module")
def shared(browser, html):
    made = Reader(browser, html)
    yield made
    made.visitor.context.close()


@pytest.fixture
def someone(shared):
    yield shared
    assert not shared.visitor.wrong


# --- is it right? --------------------------------------------------------------------------------

# The claim of the first row, and the object that is told of above it.
QUESTIONS = [
    ("Yang Prop. 5.1", "Y-P5.1", "Proposition 5.1 of Yang, Sato, Nakagawa"),
    ("Shimizu Table 3", "S-T3.m", "Table 3 of Shimizu"),
    ("Is Kikuchi's Claim 4.1 right?", "K-4.6", "Claim 4.1 of Kikuchi"),
    ("Kawamoto Alg. 1", "M-G1", "Algorithm 1 of Kawamoto, Sakuma"),
]


def test_a_question_on_the_first_page_is_answered_by_a_row_in_two_clicks(someone):
    for question, claim, whole in QUESTIONS:
        page = someone.begin("book/intro")
        page.fill("#ask-claim", question)
        someone.click(".claims-ask button")
        link = page.locator(".claims-wholes a:visible")
        assert link.all_inner_texts() == [f"{whole} as a whole"]
        standing = link.locator("xpath=..").inner_text().partition(": ")[2]
        assert someone.answers()[0] == claim, question
        assert page.locator("tr:not([hidden]) .claim-pill").first.is_visible()
        someone.click(f"tr:not([hidden]) .claim-id >> text='{claim}'")
        part, place = someone.at
        assert part == f"book/ledger/{PARTS[claim[0]]}"
        assert place == anchor(claim)
        assert someone.clicks == 2
        page.go_back()
        someone.click(page.locator(".claims-wholes a:visible"))
        assert someone.at[0] == f"book/repaired/{part.rpartition('/')[2]}"
        heading = page.locator(f"h3#{someone.at[1]}")
        assert heading.locator(".repaired-standing .in-en").inner_text() == standing


def test_the_door_check_lets_one_type_at_once_and_every_row_is_two_clicks_away(someone):
    page = someone.begin("book/intro")
    someone.click(".doors > div:has-text('Every claim with its verdict')")
    assert someone.at == ("book/ledger/index", "every-claim")
    page.wait_for_function("document.activeElement.name === 'q'")
    page.keyboard.type("定理5.2")
    assert someone.answers()[0] == "Y-Th5.2"
    row = page.locator("tr:not([hidden]) .claim-id").first
    box = row.bounding_box()
    assert box["y"] < page.viewport_size["height"]  # without scrolling
    someone.click(row)
    assert someone.at == ("book/ledger/correlated", anchor("Y-Th5.2"))
    assert someone.clicks == 2


def test_the_first_link_of_the_ledger_leads_to_its_filter(someone):
    page = someone.begin("book/ledger/index")
    page.wait_for_selector("form.claims-filter:visible")
    first = page.locator("article.bd-article a[href]:not(.headerlink)").first
    assert first.inner_text() == "Find a claim"
    first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.name === 'q'")
    assert someone.at[1] == "every-claim"
    page.keyboard.type("Kawamoto Alg. 1")
    for found in (".claims-wholes li:visible a", "tr:not([hidden]) .claim-id"):
        box = page.locator(found).first.bounding_box()
        assert 0 < box["y"] < page.viewport_size["height"]  # without scrolling


def test_a_row_tells_what_was_corrected_and_the_third_click_shows_the_cell(someone):
    page = someone.begin("book/ledger/disclosure", f"#{anchor('K-4.6')}")
    row = page.locator(f"#{anchor('K-4.6')}")
    assert row.locator("dt").all_inner_texts() == ["printed", "corrected", "consequence"]
    someone.click(row.locator("a", has_text="its erratum"))
    assert someone.at == ("book/errata", f"errata-{anchor('K-4.6')}")
    assert page.locator(f"#errata-{anchor('K-4.6')}").is_visible()
    page.go_back()
    someone.click(row.locator("a", has_text="notebook"))
    assert someone.at == ("notebooks/disclosure/02-sampling-alone", anchor("K-4.6"))
    page.wait_for_function(SETTLED)
    assert all(page.evaluate(ON_SCREEN, anchor("K-4.6")).values())


@pytest.mark.parametrize(
    ("name", "screen"),
    [("sketch/01-count-mean-sketch", WIDE), ("location/01-adversarial-privacy", NARROW)],
)
def test_a_link_to_evidence_puts_the_claim_and_its_cell_on_the_screen(someone, name, screen):
    """Every claim of a notebook; the first by its address, the others by links on the page."""
    page = someone.begin(f"notebooks/{name}", screen=screen)
    ids = page.locator(".cell .claim-badge[id]").evaluate_all("found => found.map(b => b.id)")
    page.goto("about:blank")
    someone.begin(f"notebooks/{name}", f"#{ids[-1]}", screen=screen)
    page.wait_for_function(SETTLED)
    told = {ids[-1]: page.evaluate(ON_SCREEN, ids[-1])}
    for one in ids[:-1]:
        page.evaluate("id => { location.hash = id; }", one)
        page.wait_for_function(
            "id => document.querySelector('.cell.is-named')?.contains(document.getElementById(id))",
            arg=one,
        )
        told[one] = page.evaluate(ON_SCREEN, one)
        # Long code begins at the lines of the claim, not at its top.
        lost = page.evaluate(OUT_OF_SIGHT, [one, NAMES[one]])
        assert not lost, (one, lost)
    assert len(told) > 5
    assert all(seen["badge"] and seen["open"] for seen in told.values()), told
    whole = [seen["cell"] and seen["around"] for seen in told.values()]
    assert sum(whole) > 0.7 * len(whole), told  # the others are far down a list of many claims


# --- search --------------------------------------------------------------------------------------

SEARCHED = {
    "K-4.6": ("book/ledger/disclosure", "K-4.6"),
    "Claim 4.1": ("book/repaired/disclosure", "object-claim-4-1"),
    "Kawamoto Alg. 1": ("book/repaired/location", "object-algorithm-1"),
    "Algorithm 1": ("book/repaired/correlated", "object-algorithm-1"),
    "Theorem 5.2": ("book/repaired/correlated", "object-theorem-5-2"),
    "定理5.2": ("book/repaired/correlated", "object-theorem-5-2"),
    "Table 3": ("book/repaired/correlated", "object-table-3"),
    "Shimizu Table 3": ("book/repaired/sketch", "object-table-3"),
    "BDPL": ("book/glossary", "term-beijian-sabun-puraibashi"),
    "PRAM": ("book/glossary", "term-pram"),
    "CMS": ("book/glossary", "term-count-mean-sketch"),
    "HCMS": ("book/glossary", "term-hadamard-count-mean-sketch"),
    "DP": ("book/glossary", "term-sabun-puraibashi"),
    "OT": ("book/glossary", "term-funshitsu-tsushin"),
    "RIA": ("book/glossary", "term-random-item-attack"),
    "min-cost flow": ("book/glossary", "term-saisho-kosuto-saidai-ryu-furo"),
    "randomised response": ("book/glossary", "term-randamu-kaito"),
    "randomized response": ("book/glossary", "term-randamu-kaito"),
    "ランダム化応答": ("book/glossary", "term-randamu-kaito"),
    "Y-P5.1": ("book/ledger/correlated", "Y-P5.1"),
    "weak adversary": ("book/glossary", "term-yowai-kogekisha"),
    "弱い攻撃者": ("book/glossary", "term-yowai-kogekisha"),
}


def test_the_search_leads_to_the_row_of_a_claim_or_a_term_in_one_click(someone):
    page = someone.begin("search", "?q=K-4.6")
    page.wait_for_selector("#found-first")
    first = page.evaluate(
        "all => all.map(words => privlibFind.search(privlibFound, words)[0].link)", list(SEARCHED)
    )
    assert first == [
        f"{name}.html#{place if place.startswith(('term', 'object')) else anchor(place)}"
        for name, place in SEARCHED.values()
    ]
    # A short word is no part of another, unless nothing has it; below an object are its claims.
    found = "all => all.map(w => privlibFind.search(privlibFound, w).map(e => `${e.id} ${e.says}`))"
    short = page.evaluate(found, ["OT", "nois", "Claim 4.1"])
    assert 5 < len(short[0]) < 60
    assert len(short[1]) > 20
    assert short[2][1].startswith("K-4.6")
    for words in ("K-4.6", "Kawamoto Alg. 1", "弱い攻撃者"):
        name, place = SEARCHED[words]
        page = someone.begin("book/notation")
        page.keyboard.press("Control+k")
        page.keyboard.type(words)
        page.keyboard.press("Enter")
        page.wait_for_url("**/search.html?q=*")
        found = page.locator("#found-first li > a")
        found.first.wait_for()
        someone.click(found.first)
        target = place if place.startswith(("term", "object")) else anchor(place)
        assert someone.at == (name, target), words
        assert page.locator(f"[id='{someone.at[1]}']").is_visible()
        assert someone.clicks == 1


def test_whoever_searches_an_id_finds_the_row_of_that_claim_first(someone):
    page = someone.begin("search", "?q=K-4.6")
    page.wait_for_selector("#found-first")
    first = page.evaluate(
        "ids => ids.map(id => privlibFind.search(privlibFound, id)[0]?.link)", list(NAMES.values())
    )
    wrong = {
        claim: link
        for (place, claim), link in zip(NAMES.items(), first, strict=True)
        if link != f"book/ledger/{part_of(claim)}.html#{place}"
    }
    assert not wrong


def test_what_no_claim_says_is_left_to_the_pages(someone):
    page = someone.begin("search", "?q=zzzyx")
    page.wait_for_selector("#search-results .search-summary:not(:empty)")
    assert page.locator("#found-first").count() == 0
    assert page.inner_text(".search-summary") == "Nothing found for “zzzyx”."
    tips = page.locator("#search-tips")
    assert "spelling" in tips.inner_text()
    links = tips.locator("a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert links == ["book/ledger/index.html#every-claim", "book/glossary.html"]
    page = someone.begin("search", "?q=Suzuki+Claim+4.1")
    page.locator("#search-tips a").first.click()
    page.locator("#found-first li > a").first.wait_for()
    assert page.locator("#found-first li > a").all_inner_texts()[1].startswith("K-4.6")


def test_esc_leads_back_from_the_search_to_where_one_was(someone):
    page = someone.begin("book/intro")
    page.focus("#ask-claim")
    page.keyboard.press("Control+k")
    assert page.evaluate("document.activeElement.id") == "search-input"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "ask-claim"


def test_a_telephone_shows_the_target_without_a_button_over_it(someone):
    page = someone.begin(f"notebooks/{EXERCISED}", "#exercises", screen=NARROW)
    shown = """() => {
      const button = document.getElementById("pst-back-to-top");
      button.style.display = "block"; // as the theme does when one scrolls up
      const { color, backgroundColor } = getComputedStyle(button);
      return [button.checkVisibility(), color, backgroundColor];
    }"""
    assert not page.evaluate(shown)[0]
    page.mouse.move(200, 400)  # it may still be where a wider screen had a link
    page.mouse.wheel(0, 300)
    page.wait_for_function("!('arrived' in document.documentElement.dataset)")
    visible, *colours = page.evaluate(shown)
    assert visible
    assert contrast(*colours) > 4.5
    # Who sees only the page learns where the cells under the heading answer.
    line = page.locator("#exercises > h2 + .exercise-where")
    assert "JupyterLab" in line.inner_text()
    someone.click(line.locator("a"))
    assert someone.at[0] == "book/exercises"


def test_words_that_were_searched_can_be_read_on_the_page_in_the_dark(browser, html):
    visitor = Visitor(browser, html, formulas=False, color_scheme="dark")
    page = visitor.open("book/notation", "?highlight=notation")
    page.wait_for_selector("span.highlighted")
    colours = page.locator("span.highlighted").evaluate_all(
        "all => all.map(h => [getComputedStyle(h).color, getComputedStyle(h).backgroundColor])"
    )
    inside = page.locator(".bd-sidebar-primary span.highlighted").count()
    assert inside
    assert all(contrast(*pair) > 4.5 for pair in colours)
    visitor.context.close()


FUNCTIONS = {"ln", "log", "exp", "max", "min", "sup", "Pr", "sinh"}
READ_AS = {
    "\u0302": "hat widehat", "\u0303": "tilde widetilde", "\u0304": "bar overline", "≤": "le leq",
    "≥": "ge geq", "←": "leftarrow", "→": "to", "∘": "circ",
    "α": "alpha", "π": "pi", "ε": "varepsilon",
    "Σ": "sum Sigma", "Δ": "Delta", "∈": "in", "ℓ": "ell", "τ": "tau", "≫": "gg",
}  # fmt: skip


def test_formulas_become_words_that_can_be_read(someone):
    page = someone.begin("search", "?q=Claim")
    page.wait_for_selector("#found-first")
    said = page.evaluate("privlibFound.map(e => [e.says, privlibSearch.markdown(e.says)])")
    assert len(said) > 600
    for source, told in said:
        assert not re.search(r"[\\$]|\{cite", told), (source, told)
        assert told
        formulas = " ".join(re.findall(r"\$\$?([^$]+)\$\$?", source))
        commands = Counter(re.findall(r"\\([A-Za-z]+)", formulas))
        # Names of functions stand as they are; of every other command none is left.
        for name in commands.keys() - FUNCTIONS:
            plain = len(re.findall(rf"(?<![A-Za-z\\]){name}(?![A-Za-z])", source))
            assert len(re.findall(rf"(?<![A-Za-z]){name}(?![A-Za-z])", told)) <= plain, (name, told)
        for sign, names in READ_AS.items():
            typed = sum(commands[name] for name in names.split())
            assert told.count(sign) == typed + source.count(sign), (sign, source, told)
        stars = re.sub(r"(\*\*?)(?=\S)([^*$`]+)\1", r"\2", source).count("*")
        assert told.count("*") == stars, (source, told)
    made = page.evaluate("tex => tex.map(privlibSearch.untex)", [
        r"\frac{\Delta_{1,q}}{\varepsilon} \ln\frac1\delta", r"\hat n \le n_0 - 1",
        r"e^{-\varepsilon}", r"\binom{n}{2}", r"x_{10}^2", r"\alpha \leftarrow \max(\alpha + s, 1)",
        r"(1-\alpha)\pi(t) + \alpha\tilde\pi(t)", r"\Delta\tilde f_t", r"\hat{x_i}",
        r"\overline{AB}",
        r"\pi^{*(t-1)}", r"(\pi^\top P)^\top", r"\lvert D \rvert", r"\delta = \tau' \circ \pi",
        r"\frac1k\frac{m}{m-1}\sum_i x_i", r"\frac1{2R}", r"\tfrac12 x \sim \mathrm{Lap}(1)",
        r"\begin{pmatrix} 1 & 0 \\ 0 & 1 \end{pmatrix}", r"\left\{ x \right.", r"\lambda\ln x",
        r"\class{changed}{{}b{}}",
    ])  # fmt: skip
    assert made == [
        "(Δ_(1,q))/ε ln 1/δ", "n̂ ≤ n₀ - 1", "e^(-ε)", "C(n, 2)", "x₁₀²", "α ← max(α + s, 1)",
        "(1-α)π(t) + απ̃(t)", "Δf̃_t", "x̂_i", "(AB)̄", "π^(*(t-1))", "(πᵀ P)ᵀ", "|D|", "δ = τ' ∘ π",
        "(1/k)(m/(m-1))Σ_i x_i", "1/(2R)", "(1/2) x ~ Lap(1)", "(1 0; 0 1)", "{ x", "λ ln x", "b",
    ]  # fmt: skip
    told = page.evaluate("privlibSearch.markdown('*One* `a*b` and **two $x^*$ words**, a * b.')")
    assert told == "One a*b and two x^* words, a * b."


@pytest.fixture
def served(html):
    """Address of the book on loopback: from a file a browser fetches no page for an excerpt."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(html))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_excerpts_are_words_of_the_text(browser, served):
    page = browser.new_page()
    page.goto(f"{served}/search.html?q=Hadamard")
    shown = page.locator("#search-results li p.context")
    links = page.locator("#search-results li > a")
    page.wait_for_function("""() => {
      // Objects of the package have a description in place of an excerpt.
      const [told, items, shown] = [".search-summary", "li", "li:has(> p.context, > span)"]
        .map(what => [...document.querySelectorAll(`#search-results ${what}`)]);
      return /matching/.test(told[0]?.innerText) && items.length === shown.length;
    }""")
    assert links.count() > 5
    hits = 0
    for text in shown.all_inner_texts():
        assert not re.search(r"\\[a-z(\[]|Contents|\.pdf|\.ipynb|Ctrl", text), text
        hits += "hadamard" in text.lower()
    assert hits > 0.7 * shown.count()
    page.close()


def test_what_is_found_is_accessible_in_both_themes(browser, html):
    for scheme in ("light", "dark"):
        visitor = Visitor(browser, html, formulas=False, color_scheme=scheme)
        for name, query, awaited in (
            ("search", "?q=weak%20attacker", "#found-first"),
            ("book/ledger/laplace", "?q=Propositon", ".claims-none:visible"),
        ):
            page = visitor.open(name, query)
            page.wait_for_selector(awaited)
            wrong = barriers(page, include=[awaited.removesuffix(":visible")])
            assert not wrong, (scheme, name)
        visitor.context.close()


# --- where does one begin? -----------------------------------------------------------------------


def test_next_leads_from_the_first_page_to_the_first_notebook_in_two_clicks(someone):
    someone.begin("book/intro")
    while someone.at[0] != FIRST:
        assert someone.clicks < 2, someone.at
        someone.click(".prev-next-area a.right-next")
    someone.click(".prev-next-area a.left-prev")
    someone.click(".prev-next-area a.left-prev")
    assert someone.at[0] == "book/intro"


@pytest.mark.parametrize("name", ["book/intro", "book/how-to-read"])
def test_a_link_begins_the_book(someone, name):
    page = someone.begin(name)
    begin = page.locator("a.begin")
    assert begin.bounding_box()["y"] < page.viewport_size["height"]
    someone.click(begin)
    assert someone.at[0] == FIRST


def test_a_part_says_what_one_learns_and_each_whole_row_leads_on(someone, root):
    for part in PARTS.values():
        page = someone.begin(f"book/{part}")
        own = reader.notebooks(root, part)
        text = page.locator("article.bd-article").inner_text()
        for words in ("You will learn", "You need", "The score"):
            assert words in text, part
        total = sum(n.minutes for n in own)
        assert f"Time: {total // 60} h {total % 60:02} min" in text
        assert page.locator("article.bd-article figure img").count() == 1
        counts = page.locator(".claim-tiles b").all_inner_texts()
        papers = [s for s in reader.statuses(root, part).values() if s.claim.kind != "beyond"]
        assert int(counts[0]) == len(papers) == sum(map(int, counts[1:-1]))
        rows = page.locator("ol.part-list > li")
        assert rows.count() == len(own)
        for row, notebook in zip(rows.all(), own):
            link, box = row.locator("a").bounding_box(), row.bounding_box()
            assert abs(link["width"] - box["width"]) < 2
            assert abs(link["height"] - box["height"]) < 3
            assert f"{notebook.minutes} min" in row.inner_text()
    someone.click(rows.last.locator("small"))
    assert someone.at[0] == own[-1].name


def test_notebooks_have_their_numbers_in_titles_and_in_the_sidebar(someone, root):
    page = someone.begin("notebooks/correlated/03-gaussian-correlation-model")
    assert page.locator("article h1").inner_text().startswith("Correlated 3 · How much")
    assert page.title().startswith("Correlated 3 · How much")
    shown = page.locator(".bd-docs-nav li.toctree-l2 a").all_inner_texts()
    own = [t.strip() for t in page.locator(".bd-docs-nav a").all_text_contents() if " · " in t]
    assert shown or own
    numbers = [t.split(" · ")[0] for t in own]
    assert numbers == [
        f"{part.capitalize()} {n.number}"
        for part in PARTS.values()
        for n in reader.notebooks(root, part)
    ]
    assert page.locator(".prev-next-title").first.inner_text().startswith("Correlated 2 · ")


def test_notation_and_glossary_stand_under_reference(someone):
    page = someone.begin("book/intro")
    groups = page.locator(
        ".bd-docs-nav p.caption, .bd-docs-nav > .bd-toc-item > ul"
    ).all_inner_texts()
    after = groups[groups.index("Reference") + 1]
    assert after.startswith("Notation\nGlossary")


def test_only_two_pages_have_another_neighbour_than_the_contents_give(html):
    assert pages.lead_on.__doc__
    intro = (html / "book/intro.html").read_text(encoding="utf-8")
    assert re.search(r'<link rel="next"[^>]*href="laplace.html"', intro)
    part = (html / "book/laplace.html").read_text(encoding="utf-8")
    assert re.search(r'<link rel="prev"[^>]*href="intro.html"', part)
    last = (html / "book/interactive.html").read_text(encoding="utf-8")
    assert re.search(r'<link rel="next"[^>]*href="laplace.html"', last)
