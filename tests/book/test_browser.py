"""Every page in a browser: headless Chromium, from ``file://``, with the network off.

One pass over all pages, several at a time: no console message of weight, no failed request, all
pictures there, all mathematics set, no page wider than a screen or a telephone. What is folded
opens from a link. Then both themes, print and search. Skipped, with the reason in pytest's
summary, where there is no Chromium.

Nothing here sleeps: each step waits for the condition that the next one needs.
"""

from __future__ import annotations

import functools
import http.server
import io
import os
import queue
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import numpy as np
import pytest
from offline_page import NARROW, TWO_FRAMES, WIDE, OfflinePage, axe_violations, chromium
from PIL import Image

JOBS = max(2, os.cpu_count() or 1)
NOTEBOOK = "notebooks/laplace/01-attackers"
# With formulas that are wider than a telephone.
SCROLLING = "notebooks/correlated/02-bayesian-differential-privacy"
# One page of each kind, and those that are alone of theirs.
KINDS = [
    "book/intro",
    "book/laplace",
    "book/findings",
    "book/exercises",
    "book/status",
    "book/api/laplace",
    "book/notation",
    "book/errata",
    "book/ledger/laplace",
    "book/repaired/laplace",
    "book/benchmarks",
    "book/references",
    NOTEBOOK,
    "search",
    "book/glossary",
    "book/seminar",
    "book/ledger/index",
    "book/repaired/index",
    "book/outside",
    "book/cite",
    "book/how-to-read",
    "book/interactive",
]
# On a telephone, with the menu that slides in: rows that turn into cards, boxes and cells that
# scroll or close up, and a picture of its own. The rules of our style sheets for narrow screens
# that set a colour show on one of these, but for remarks and plots.
TURNED = [
    "book/errata", "book/ledger/laplace", "book/exercises", "book/glossary", "book/benchmarks",
    SCROLLING,
]  # fmt: skip
# In the dark theme only colours differ.
COLOURS = ["color-contrast", "link-in-text-block"]
# Text that should have become a formula: TeX's delimiters and commands, or $...$ around TeX.
RAW_TEX = re.compile(
    r"\\\(|\\\)|\\\[|\$\$|\\begin\{|\\end\{|\\(?:frac|sum|lambda|varepsilon|mathcal|operatorname|le|ge)\b"
    r"|\$[^$\n]*[\\^_{][^$\n]*\$"
)
# Formulas that failed, commands that MathJax does not know, and how many formulas there are.
FORMULAS = """() => [
  [...document.querySelectorAll("mjx-merror")].map(e => `formula '${e.innerText}'`),
  [...document.querySelectorAll("mjx-container math [mathcolor='red']")]
    .map(e => `unknown command ${e.textContent}`),
  document.querySelectorAll("mjx-container").length,
]"""
# What a reader sees, without code, scripts and formulas.
TEXT = """() => {
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const skip = "pre, code, kbd, script, style, mjx-container, .highlight, svg";
  let text = "";
  while (walker.nextNode())
    if (!walker.currentNode.parentElement.closest(skip)) text += walker.currentNode.data;
  return text;
}"""
# At once: while a box fades in, its colours are not those that a reader reads.
STILL = """() => {
  const still = document.createElement("style");
  still.textContent = "* { transition: none !important; animation: none !important; }";
  document.head.append(still);
}"""
# What looks at sizes has seen those that the page has now.
SETTLED = f"async () => {{ await document.fonts.ready; await {TWO_FRAMES}; }}"
OPEN_ALL = """() => {
  document.querySelectorAll("article details").forEach(d => { d.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach(d => d.classList.remove("toggle-hidden"));
}"""
# Rows of a table are alike, and so are the functions of the package: ten of each stay.
TEN_ROWS = """() => {
  for (const body of document.querySelectorAll("main tbody"))
    [...body.rows].slice(10).forEach(row => row.remove());
  [...document.querySelectorAll("main dl.py")].slice(10).forEach(entry => entry.remove());
}"""
# A picture waits until it comes near.
MISSING = """() => Promise.all([...document.images].map(async i => {
  i.loading = "eager";
  if (!i.complete) await new Promise(done => { i.onload = i.onerror = done; });
  return i.naturalWidth ? [] : [i.src];
})).then(found => found.flat())"""
SEARCHED = """() => /matching|did not match/.test(
  document.querySelector("#search-results p.search-summary")?.innerText)"""
TOO_WIDE = """() => document.documentElement.scrollWidth - document.documentElement.clientWidth"""

# Links and buttons without a name, and what scrolls and cannot be reached with the Tab key, as axe
# has it: 13 pixels are no scrolling.
UNREACHED = """() => {
  const named = e => e.textContent.trim() || e.ariaLabel || e.title
    || e.hasAttribute("aria-labelledby") || e.querySelector("img[alt]:not([alt=''])");
  const nameless = [...document.querySelectorAll("a[href], button")]
    .filter(e => e.checkVisibility() && !e.closest("[aria-hidden=true]") && !named(e))
    .map(e => `${e.outerHTML.slice(0, 99)} has no name`);
  const stops = "a[href], button, input, select, textarea, summary, [tabindex]";
  const reached = box => [box, ...box.querySelectorAll(stops)].some(
    e => e.tabIndex >= 0 && e.checkVisibility() && !e.disabled);
  const unreached = [...document.querySelectorAll("body *")].filter(box => {
    const more = [box.scrollWidth - box.clientWidth, box.scrollHeight - box.clientHeight];
    if (Math.max(...more) <= 13 || !box.checkVisibility()) return false;
    const { overflowX, overflowY } = getComputedStyle(box);
    const scrolls = [overflowX, overflowY].some((o, k) => more[k] > 13 && /auto|scroll/.test(o));
    return scrolls && !reached(box);
  }).map(box => `${box.tagName} ${box.className} scrolls, and is no stop of the Tab key`);
  return [...nameless, ...unreached];
}"""


def names(html):
    """All pages of the build, as paths without suffix; of the listings of source one of each kind.

    Those are a frame around one block of text, without formulas: the index, the longest, and the
    one with the longest line stand for them.
    """
    found = [path for path in html.rglob("*.html") if "_static" not in path.parts]
    listings = [path for path in found if "_modules" in path.relative_to(html).parts]
    typical = {path for path in listings if path.name == "index.html"}
    if listings:
        typical.add(max(listings, key=lambda path: path.stat().st_size))
        typical.add(max(listings, key=lambda path: max(map(len, path.read_text().splitlines()))))
    moved = {path for path in found if 'http-equiv="refresh"' in path.read_text("utf-8")[:500]}
    kept = set(found) - moved - set(listings) | typical
    return sorted(path.relative_to(html).with_suffix("").as_posix() for path in kept)


def check(visitor, name, source):
    """Say what is wrong with a page; empty if nothing is."""
    page = visitor.open(name)
    found = [f"picture {url}" for url in page.evaluate(MISSING)]
    found += visitor.wrong
    failed, unknown, number = page.evaluate(FORMULAS)
    found += [*failed, *unknown]
    typed = len(re.findall(r'<(?:span|div) class="math', source))
    if number < typed:
        found.append(f"{typed} formulas in the source, fewer on the page")
    if name != "index":
        found += [f"raw TeX {match!r}" for match in RAW_TEX.findall(page.evaluate(TEXT))]
    for size in (WIDE, NARROW):
        page.set_viewport_size(size)
        if (excess := page.evaluate(TOO_WIDE)) > 0:
            found.append(f"{excess} px wider than a screen of {size['width']}")
    page.evaluate(OPEN_ALL)
    page.evaluate(SETTLED)
    # The screen is still that of a telephone.
    return [*found, *page.evaluate(UNREACHED)]


def visit(html, todo):
    """Check pages from a queue in a browser of this thread's own; return what is wrong by page."""
    wrong = {}
    with chromium() as browser:
        visitor = OfflinePage(browser, html, color_scheme="light")
        while True:
            try:
                name = todo.get_nowait()
            except queue.Empty:
                return wrong
            source = (html / f"{name}.html").read_text(encoding="utf-8")
            if found := check(visitor, name, source):
                wrong[name] = found


def test_every_page_works_without_a_network(html):
    todo = queue.SimpleQueue()
    for name in sorted(names(html), key=lambda name: -(html / f"{name}.html").stat().st_size):
        todo.put(name)
    with ThreadPoolExecutor(JOBS) as pool:
        jobs = [pool.submit(visit, html, todo) for _ in range(JOBS)]
    assert not {name: found for job in jobs for name, found in job.result().items()}


@pytest.fixture
def broken(html):
    """Return a page with one fault of each kind, made from a good one."""
    good = (html / "book/notation.html").read_text(encoding="utf-8")
    faults = """<main><p>Raw \\(x^2\\) and $\\lambda_1$.</p><img src="none.png" alt="nothing">
      <img src="https://example.org/a.png" alt="far away"><div style="width: 3000px">wide</div>
      <a href="none.html"></a>
      <div class="phone" style="overflow: auto; width: 80vw"><p style="width: 600px">x</p></div>
      <div style="overflow: auto; width: 99px"><pre>a line far longer than its box</pre></div>
      <div class="math">\\[\\frac{1}\\]</div><div class="math">\\[\\ours\\]</div>
      <script>console.error("fault")</script>"""
    path = html / "_static" / "broken.html"  # where other tests, in other workers, do not look
    path.write_text(re.sub(r"<main[^>]*>", lambda _: faults, good, count=1), encoding="utf-8")
    yield "_static/broken"
    path.unlink()


def test_the_check_sees_every_kind_of_fault(visitor, html, broken):
    source = (html / f"{broken}.html").read_text(encoding="utf-8")
    found = "\n".join(check(visitor, broken, source))
    for fault in (
        "error: fault", "failed", "network: https://example.org", "picture", "formula", "raw TeX",
        r"unknown command \ours", "has no name", "is no stop of the Tab key",
        "phone scrolls",
        "wider than a screen of 390", "wider than a screen of 1280",
    ):  # fmt: skip
        assert fault in found, (fault, found)


def judged(page, **options):
    """Return what axe finds on a page, all of it open, with ten rows of each table.

    What plotly draws is judged by `test_live_figures.py`.
    """
    for script in (STILL, OPEN_ALL, TEN_ROWS, SETTLED):
        page.evaluate(script)
    return axe_violations(page, exclude=[".privlib-plot"], **options)


def in_both_themes(visitor, name, *, screen=WIDE):
    """Return what axe finds on a page that is opened in the dark; there, of its colours.

    The system then asks for the light theme.
    """
    wrong = []
    visitor.page.emulate_media(color_scheme="dark")
    page = visitor.open(name, screen=screen)
    for scheme, rules in (("dark", {"runOnly": COLOURS}), ("light", {})):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("s => document.documentElement.dataset.theme === s", arg=scheme)
        wrong += [(scheme, *violation) for violation in judged(page, **rules)]
    return wrong


@pytest.mark.parametrize("name", KINDS)
def test_a_page_of_each_kind_is_accessible_in_both_themes(visitor, name):
    assert in_both_themes(visitor, name) == []


@pytest.fixture(scope="module")
def telephone(browser, html):
    """Return a page on a narrow screen with touch."""
    touch = {"has_touch": True, "is_mobile": True, "color_scheme": "light"}
    made = OfflinePage(browser, html, **touch)
    yield made
    made.context.close()


@pytest.mark.parametrize("name", TURNED)
def test_a_telephone_is_accessible_with_all_that_scrolls(telephone, name):
    """Where the layout turns; of every other page `check` looks at what scrolls on a telephone."""
    assert in_both_themes(telephone, name, screen=NARROW) == []


NARROW_BOX = '<div style="overflow: auto; width: 9px; height: 40px">words</div>'


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ("element => { element.style.color = '#999'; }", "color-contrast"),
        (f"element => element.insertAdjacentHTML('afterend', '{NARROW_BOX}')",
         "scrollable-region-focusable"),
        ("element => element.insertAdjacentHTML('afterend', '<a href=\"#\"></a>')", "link-name"),
    ],
)  # fmt: skip
def test_one_fault_among_many_is_found(visitor, change, rule):
    page = visitor.open("book/notation")
    page.locator("main article h2:visible").last.evaluate(change)
    assert {name for name, _, _ in judged(page)} == {rule}


def test_what_scrolls_is_a_tab_stop_with_a_name_only_as_long_as_it_does(visitor):
    """And formulas that are wider than their boxes by rounding do not scroll."""
    page = visitor.open(SCROLLING, screen=NARROW)
    stops = page.locator("[aria-label$=', scrolls sideways']")
    formulas = page.locator("mjx-container[tabindex], mjx-container [tabindex]")
    page.wait_for_function("document.querySelectorAll('mjx-container[tabindex]').length")
    assert formulas.count() < page.locator("mjx-container").count() / 5
    fits = "boxes => boxes.filter(b => b.tabIndex || b.scrollWidth <= b.clientWidth).length"
    assert stops.evaluate_all(fits) == 0
    moves = "boxes => boxes.filter(b => getComputedStyle(b).overflowX === 'auto').length"
    formulas_in_text = page.locator(".bd-article span.math:not([tabindex])")
    assert formulas_in_text.count() > 100
    assert formulas_in_text.evaluate_all(moves) == 0
    kinds = set(stops.evaluate_all("boxes => boxes.map(b => b.ariaLabel.split(',')[0])"))
    assert "Formula" in kinds
    assert kinds - {"Formula"}
    page.set_viewport_size(WIDE)
    page.wait_for_function("!document.querySelector('mjx-container[tabindex], .math[tabindex]')")
    assert page.locator("mjx-container[role], .math[aria-label]").count() == 0


# What shows that an element has the focus: a line around it, its box or what it holds.
FOCUS = """() => {
  const stop = document.activeElement;
  const styles = [stop, stop.parentElement, ...stop.children].map(e => getComputedStyle(e));
  styles.push(getComputedStyle(stop, "::after"));
  const shown = styles.some(s => s.outlineStyle !== "none" || s.boxShadow !== "none");
  return [`${stop.tagName} ${stop.className}`, shown];
}"""


@pytest.mark.parametrize("name", ["book/intro", NOTEBOOK, "book/ledger/laplace"])
def test_a_stop_of_the_tab_key_is_seen(visitor, name):
    page = visitor.open(name)
    unseen = []
    for _ in range(120):
        page.keyboard.press("Tab")
        kind, shown = page.evaluate(FOCUS)
        if not shown:
            unseen.append(kind)
    assert unseen == []


def test_the_theme_button_changes_the_theme(visitor):
    page = visitor.open("book/how-to-read")
    page.evaluate(STILL)
    seen = set()
    for _ in range(3):  # light, dark, as the system has it
        page.locator("button.theme-switch-button:visible").first.click()
        seen.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    page.evaluate("localStorage.clear()")
    assert len(seen) == 2


@pytest.fixture(scope="module")
def dark(browser, html):
    """Return a page with figures and solutions, opened in the dark theme."""
    visitor = OfflinePage(browser, html, color_scheme="dark")
    yield visitor.open("notebooks/sketch/03-poisoning")
    visitor.context.close()


# Pictures whose box is more than a pixel off the shape of what they show.
STRETCHED = """pictures => pictures.filter(i => {
  const box = i.getBoundingClientRect();
  return box.width && Math.abs(box.height - box.width * i.naturalHeight / i.naturalWidth) > 1;
}).map(i => i.alt)"""
# Code that moves to the next sheet as a whole, however long it is.
UNBROKEN = """pieces => pieces.filter(code => {
  for (let box = code; !box.matches("article"); box = box.parentElement)
    if (getComputedStyle(box).breakInside !== "auto") return true;
}).map(code => code.textContent)"""


def test_paper_is_white_and_has_no_bars(dark):
    page = dark
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.emulate_media(media="print")
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    for bar in (
        ".bd-sidebar-primary", ".bd-sidebar-secondary", ".bd-header-article", ".prev-next-footer",
        ".bd-footer", ".copybtn", "a.headerlink", "button.toggle-button",
    ):  # fmt: skip
        shown = page.locator(bar).evaluate_all(
            "es => es.filter(e => e.getClientRects().length).length"
        )
        assert shown == 0, bar
    assert page.locator("figure img").first.is_visible()
    # What closed code would show is said; the edition ends the page.
    folds = page.locator(".cell.tag_figure > details.hide:not([open]) > summary")
    words = folds.evaluate_all("es => es.map(e => getComputedStyle(e, '::after').content)")
    assert set(words) == {'"The code here is folded; the page on screen opens it."'}
    assert not page.locator("details.hide:not([open]) .collapsed").first.is_visible()
    assert page.locator(".component-author.edition").inner_text().startswith("privlib ")
    assert page.locator(".component-author.edition").is_visible()
    assert not page.locator(".edition-links").is_visible()
    assert page.locator(".solution.dropdown").count() > 0
    corner = Image.open(io.BytesIO(page.screenshot())).convert("RGB").getpixel((2, 2))
    assert corner == (255, 255, 255)
    # Pictures far below, and the one whose place a live figure has on the screen, are printed.
    page.wait_for_function("[...document.images].every(i => i.complete && i.naturalWidth)")
    assert page.locator("article img").count() > 2
    assert page.locator("article img").evaluate_all(STRETCHED) == []
    assert page.locator("article .cell_input pre:visible").evaluate_all(UNBROKEN) == []
    page.emulate_media(media="screen")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    sheets = page.pdf(format="A4", print_background=True)
    assert sheets.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", sheets)) > 3
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_who_prints_without_solutions_keeps_them_folded(dark):
    """Else the theme's script opens them before the page is printed."""
    page = dark
    folded = page.locator(".solution.dropdown")
    body = folded.first.locator(":scope > :not(.admonition-title)").first
    page.evaluate("globalThis.print = () => { dispatchEvent(new Event('beforeprint')); }")
    page.emulate_media(media="print")
    for words, shown in ((".pdf without solutions", False), (".pdf", True)):
        named = page.get_by_text(words, exact=True)
        page.locator("ul button", has=named).evaluate("button => button.click()")
        assert body.is_visible() == shown
        assert folded.first.locator("> .admonition-title").is_visible()
        told = folded.first.evaluate("e => getComputedStyle(e, '::after').content")
        assert ("folded; the page on screen opens it" in told) != shown
        page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")


def test_figures_have_the_colour_of_a_dark_page(dark):
    """They are drawn on white; only those whose words speak of light and dark keep a card."""
    picture = dark.locator("figure img:not(.on-paper)").first.screenshot()
    edge = np.asarray(Image.open(io.BytesIO(picture)).convert("L"), dtype=float)[3, 20:-20]
    assert edge.max() < 60


FOLDED = """<div class="cell tag_figure tag_hide-input docutils container">
<details class="hide above-input"><summary><p class="collapsed">Show the checks of {id}</p>
<p class="expanded">Hide the checks of {id}</p></summary>
<div class="cell_input"><pre>with claim("{id}") as c: ...</pre></div></details>
<div class="cell_output"><div class="output text_html"><div class="claim-badge" id="claim-{id}">
<a href="#claim-{id}">{id}</a></div></div></div></div>"""


@pytest.fixture
def folded(html):
    """Return a page with three cells with folded code."""
    good = (html / "book/notation.html").read_text(encoding="utf-8")
    body = "".join(FOLDED.format(id=name) for name in ("N-1", "N-2", "N-3"))
    link = '<p><a id="elsewhere" href="#claim-N-3">a claim</a></p>'
    article = f'<article class="bd-article"><h1>Title</h1>{link}{body}</article>'
    path = html / "_static" / "folded.html"  # where other tests, in other workers, do not look
    path.write_text(
        re.sub(r"<article.*?</article>", lambda _: article, good, count=1, flags=re.DOTALL),
        encoding="utf-8",
    )
    yield "_static/folded"
    path.unlink()


OPENED = "() => [...document.querySelectorAll('details.hide')].map(d => d.open)"


def test_an_address_leads_to_its_place_when_the_formulas_are_set(visitor):
    place = "ex-di-02-stranger"
    page = visitor.open("notebooks/disclosure/02-sampling-alone", f"#{place}")
    assert page.locator("mjx-container").count() > 100  # which change the length of the page
    page.evaluate(SETTLED)
    top = page.locator(f"#{place}").bounding_box()["y"]
    assert 0 <= top < 200


def test_a_link_opens_what_is_folded(visitor, html, folded):
    page = visitor.open(folded)
    assert page.evaluate(OPENED) == [False, False, False]
    page.click("#elsewhere")
    page.wait_for_function(f"({OPENED})()[2]")
    assert page.evaluate(OPENED) == [False, False, True]
    page.locator("details.hide > summary").last.click()
    page.wait_for_function(f"!({OPENED})()[2]")
    page.click("#elsewhere")  # the address stands there already
    page.wait_for_function(f"({OPENED})()[2]")
    page.goto("about:blank")
    page.goto((html / f"{folded}.html").as_uri() + "#claim-N-1")
    page.wait_for_function(f"({OPENED})()[0]")
    assert page.evaluate(OPENED) == [True, False, False]
    assert not visitor.wrong


@pytest.mark.parametrize(("words", "least"), [("Laplace", 5), ("poisoning", 2), ("zzzyx", 0)])
def test_search_finds_pages_without_a_server(visitor, words, least):
    page = visitor.open("search", f"?q={quote(words)}")
    page.wait_for_function(SEARCHED)
    results = page.locator("#search-results ul.search li a")
    assert results.count() >= least
    assert (results.count() > 0) == (least > 0)
    assert not visitor.wrong
    if least:
        results.first.click()
        page.wait_for_url(lambda url: "search.html" not in url)


@pytest.mark.parametrize(
    ("words", "rows"),
    [("Is Theorem 5.3 right?", 2), ("定理5.3", 1), ("Laplace", 0), ("theorem", 0)],
)
def test_search_leads_from_a_numbered_statement_to_its_verdict(visitor, words, rows):
    page = visitor.open("search", f"?q={quote(words)}")
    page.wait_for_function(SEARCHED)
    line = page.locator(".search-ledger a")
    assert line.count() == (rows > 0)
    if rows:
        line.click()
        page.wait_for_selector("form.claims-filter:visible")
        assert page.input_value(".claims-search input") == words
        assert page.inner_text(".claims-status").startswith(f"{rows} of ")
    assert not visitor.wrong


def test_search_splits_kanji_from_a_number(visitor):
    found = []
    for words in ("定理 5.3", "定理5.3"):
        page = visitor.open("search", f"?q={quote(words)}")
        page.wait_for_function(SEARCHED)
        found.append(page.locator("#search-results ul.search li a").all_inner_texts())
    assert found[0] == found[1]
    assert len(found[0]) > 5


@pytest.fixture
def served(html):
    """Address of the book on loopback."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(html))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_downloads_arrive(browser, served):
    # From file:// browsers open such links instead; test_book.py compares the files.
    page = browser.new_page()
    page.goto(f"{served}/book/intro.html")
    # From the first page the notebook is three clicks away.
    page.locator("a.begin").click()
    page.wait_for_url("**/notebooks/laplace/01-attackers.html")
    for suffix in (".ipynb", ".md", ".py"):
        page.locator(".dropdown-download-buttons > button").click()
        link = page.locator(f"a[download$='{suffix}']")
        assert link.is_visible()
        with page.expect_download() as download:
            link.click()
        assert download.value.suggested_filename == f"01-attackers{suffix}"
    page.close()
