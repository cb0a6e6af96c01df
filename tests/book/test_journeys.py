"""What readers come for, in a browser, with the clicks that it takes.

Is a statement right? Where does one begin? What does a word mean? Keys that are typed are not
counted, nor is Enter in a field; every click is.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from ledger import evidence as ledger_evidence
from ledger import layout, verdicts
from offline_page import NARROW, WIDE, OfflinePage
from privlib_book import pages

from privlib.notebook.claims import PARTS, anchor

ROOT = Path(__file__).resolve().parents[2]
NAMES = {anchor(k): k for part in PARTS.values() for k in verdicts.statuses(ROOT, part)}
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
        self.visitor = OfflinePage(browser, html, color_scheme="light")
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


def test_a_question_on_the_first_page_leads_to_the_row_in_two_clicks(someone):
    for question, claim in (("Yang Proposition 5.1", "Y-P5.1"), ("Kikuchi Claim 4.1", "K-4.6")):
        page = someone.begin("book/intro")
        page.fill("#ask-claim", question)
        someone.click(".claims-ask button")
        assert claim in someone.answers()
        someone.click(f"tr:not([hidden]) .claim-id >> text='{claim}'")
        assert someone.at == (f"book/ledger/{PARTS[claim[0]]}", anchor(claim))
        assert someone.clicks == 2


def test_a_row_tells_what_was_corrected_and_the_third_click_shows_the_cell(someone):
    page = someone.begin("book/ledger/disclosure", f"#{anchor('K-4.6')}")
    row = page.locator(f"#{anchor('K-4.6')}")
    assert row.locator("dt").all_inner_texts() == ["printed", "corrected", "consequence"]
    someone.click(row.locator("a", has_text="its erratum"))
    assert someone.at == ("book/errata", f"errata-{anchor('K-4.6')}")
    assert page.locator(f"#errata-{anchor('K-4.6')}").is_visible()
    page.go_back()
    someone.click(row.locator("a", has_text="evidence of disclosure 2"))
    assert someone.at == ("notebooks/evidence/disclosure/02-sampling-alone", anchor("K-4.6"))
    page.wait_for_function(SETTLED)
    assert all(page.evaluate(ON_SCREEN, anchor("K-4.6")).values())


@pytest.mark.parametrize(
    ("name", "screen"),
    [
        ("evidence/sketch/01-count-mean-sketch", WIDE),
        ("evidence/location/01-adversarial-privacy", NARROW),
    ],
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


def test_words_that_were_searched_can_be_read_on_the_page_in_the_dark(browser, html):
    visitor = OfflinePage(browser, html, color_scheme="dark")
    page = visitor.open("book/notation", "?highlight=notation")
    page.wait_for_selector("span.highlighted")
    colours = page.locator("span.highlighted").evaluate_all(
        "all => all.map(h => [getComputedStyle(h).color, getComputedStyle(h).backgroundColor])"
    )
    inside = page.locator(".bd-sidebar-primary span.highlighted").count()
    assert inside
    assert all(contrast(*pair) > 4.5 for pair in colours)
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


def test_the_pages_of_the_afternoon_lead_to_each_other(someone, root):
    """In the order of the list on the first page, which is the only one."""
    page = someone.begin("book/intro")
    listed = page.locator("#an-afternoon ul a").evaluate_all(
        "links => links.map(link => link.href)"
    )
    source = (root / "book" / "intro.md").read_text(encoding="utf-8")
    assert len(listed) == len(
        re.search(r"```\{reading-list\}\n(.*?)```", source, re.DOTALL)[1].split()
    )
    someone.click("#an-afternoon ul a")
    for following in listed[1:]:
        last = page.locator(".afternoon")
        assert last.inner_text().startswith("An afternoon goes on with ")
        someone.click(last.locator("a").nth(1))
        assert page.url == following
    assert page.locator(".afternoon").inner_text().startswith("An afternoon ends here.")
    someone.click(".afternoon a")
    assert someone.at == ("book/intro", "an-afternoon")


def test_other_pages_do_not_speak_of_the_afternoon(html):
    pages = {path.stem for path in (html / "notebooks").rglob("*.html")
             if '<p class="afternoon">' in path.read_text(encoding="utf-8")}  # fmt: skip
    assert "03-a-hundred-answers" not in pages
    assert len(pages) == 9


def test_each_exercise_says_where_to_type_the_answer(someone):
    page = someone.begin(FIRST)
    cells = page.locator(".cell.tag_exercise")
    assert cells.count() > 2
    assert cells.locator(".exercise-where").count() == cells.count()
    someone.click(cells.last.locator(".exercise-where a"))
    assert someone.at[0] == "book/exercises"


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
        every = ledger_evidence.pages(root, part)
        own = [notebook for notebook in every if not layout.is_note(notebook.name)]
        text = page.locator("article.bd-article").inner_text()
        for words in ("You will learn", "You need", "The score"):
            assert words in text, part
        total = sum(n.minutes for n in own)
        assert f"Time: {total // 60} h {total % 60:02} min" in text
        assert page.locator("article.bd-article figure img:visible").count() == 2
        counts = page.locator(".claim-tiles b").all_inner_texts()
        papers = [s for s in verdicts.statuses(root, part).values() if s.claim.kind != "beyond"]
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
        for n in ledger_evidence.pages(root, part)
        if not layout.is_note(n.name)
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
