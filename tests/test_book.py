"""The rendered book: strict build, complete pages, no network, working links, a clean browser.

The book is built once into a temporary folder, as ``make book`` builds it.
"""

from __future__ import annotations

import functools
import http.server
import re
import shutil
import subprocess
import sys
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))),
    None,
)
NOTEBOOKS = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.glob("notebooks/*/*.ipynb")
)
MEGABYTES = 3


def toc_files():
    """Every page that the table of contents names."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    names, stack = [toc["root"]], list(toc["parts"])
    while stack:
        item = stack.pop()
        names += [item["file"]] if "file" in item else []
        stack += item.get("chapters", []) + item.get("sections", [])
    return names + NOTEBOOKS


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    """Folder of the built book; the build fails on any warning."""
    out = tmp_path_factory.mktemp("book")
    command = [Path(sys.executable).parent / "jupyter-book", "build", str(ROOT)]
    options = ["--path-output", str(out), "--all", "-W", "--keep-going", "-q"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return out / "_build" / "html"


class Page(HTMLParser):
    """Ids, links and loaded resources of a page."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.images, self.duplicates = set(), [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "id" in attributes:
            if attributes["id"] in self.ids:
                self.duplicates.append(attributes["id"])
            self.ids.add(attributes["id"])
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if tag in ("script", "img", "iframe", "source") and attributes.get("src"):
            self.loads.append(attributes["src"])
        if tag == "link" and attributes.get("rel") != "canonical" and attributes.get("href"):
            self.loads.append(attributes["href"])
        if tag == "img":
            self.images.append(attributes)


@pytest.fixture(scope="module")
def pages(html):
    """All pages of the book proper, parsed."""
    return {path: Page(path) for path in html.rglob("*.html") if "_static" not in path.parts}


def test_every_page_of_the_contents_exists(html):
    missing = [name for name in toc_files() if not (html / f"{name}.html").exists()]
    assert not missing
    assert NOTEBOOKS


def test_no_page_is_heavy(pages):
    assert all(path.stat().st_size < MEGABYTES * 2**20 for path in pages)


def test_nothing_is_loaded_from_the_network(pages, html):
    for path, page in pages.items():
        remote = [url for url in page.loads if urlsplit(url).scheme in ("http", "https")]
        remote += [url for url in page.loads if url.startswith("//")]
        assert not remote, f"{path.relative_to(html)} loads {remote}"
        for script in re.findall(r"<script[^>]*>(.*?)</script>", path.read_text(), re.DOTALL):
            assert "unpkg.com" not in script
            assert "cdn.jsdelivr.net" not in script
    for sheet in (html / "_static").rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*[\"']?(https?:)?//", sheet.read_text()), sheet.name


def test_internal_links_and_resources_resolve(pages, html):
    broken = []
    for path, page in pages.items():
        for url in page.links + page.loads:
            parts = urlsplit(url)
            if parts.scheme or url.startswith(("//", "data:")):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].ids if target in pages else {parts.fragment}
            if not target.exists() or (parts.fragment and parts.fragment not in anchors):
                broken.append(f"{path.relative_to(html)} -> {url}")
    assert not broken


def test_our_ids_are_unique(pages, html):
    ours = ("claim-", "fig-", "ex-", "thm-", "def-")  # the theme repeats some of its own
    for path, page in pages.items():
        doubled = [name for name in page.duplicates if name.startswith(ours)]
        assert not doubled, f"{path.relative_to(html)}: {doubled}"


def test_every_picture_has_an_alternative_text(pages, html):
    for path, page in pages.items():
        for image in page.images:
            assert len(image.get("alt") or "") > 3, f"{path.relative_to(html)}: {image.get('src')}"


def test_badges_and_ledger_rows_lead_to_each_other(pages, html):
    rows = {i for p, page in pages.items() if "ledger" in p.parts for i in page.ids}
    badges = {
        i
        for p, page in pages.items()
        if "notebooks" in p.parts
        for i in page.ids
        if i.startswith("claim-")
    }
    assert badges
    assert badges <= rows


def test_downloads_are_offered_in_the_page(pages, html):
    for name in NOTEBOOKS:
        links = pages[html / f"{name}.html"].links
        assert any(link.endswith(".ipynb") for link in links), name


def test_nothing_is_left_open(html):
    for claims in (ROOT / "book" / "claims").glob("*.yml"):
        ledger = (html / f"book/ledger/{claims.stem}.html").read_text(encoding="utf-8")
        assert "· open" not in ledger
        assert "verified" in ledger


def test_the_status_page_counts_what_is_there(html):
    page = (html / "book/status.html").read_text(encoding="utf-8")
    cells = re.findall(r"<td><p>(.*?)</p></td>", page)
    shown = dict(zip(cells[::2], cells[1::2]))
    inventory = [
        line
        for path in (ROOT / "book" / "claims").glob("*.yml")
        for line in yaml.safe_load(path.read_text(encoding="utf-8"))["claims"]
    ]
    papers = [line for line in inventory if line["kind"] != "beyond"]
    assert shown["notebooks"] == str(len(NOTEBOOKS))
    assert shown["claims of the papers with a verdict"] == str(len(papers))
    assert shown["claims of the papers without a verdict"] == "0"
    assert shown["results of our own"] == str(len(inventory) - len(papers))
    assert re.search(r"\d+ of the \d+ pinned packages are installed in the pinned version", page)


# --- in a browser -----------------------------------------------------------------------------


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A file server that does not talk."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium on the PATH")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def served(html):
    """Address of the book on loopback."""
    handler = functools.partial(Quiet, directory=str(html))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def visit(browser, url, **options):
    """Open a page; return it with what went wrong on the way."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, **options)
    wrong = []
    page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: wrong.append(str(e)))
    page.on("requestfailed", lambda r: wrong.append(f"failed {r.url}"))
    page.on("request", lambda r: wrong.append(r.url) if "127.0.0.1" not in r.url and
            urlsplit(r.url).scheme in ("http", "https") else None)  # fmt: skip
    page.goto(url, wait_until="load")
    page.wait_for_function("!window.MathJax || !!MathJax.startup?.document")
    page.evaluate("window.MathJax ? MathJax.startup.promise : null")
    return page, wrong


def check_page(page, *, math):
    if math:
        assert page.locator("mjx-container").count() > 0
    assert page.locator("mjx-merror").count() == 0
    missing = page.evaluate(
        "[...document.images].filter(i => i.loading !== 'lazy' && !(i.complete && i.naturalWidth))"
        ".map(i => i.src)"
    )
    assert not missing
    # No formula is left as its source text.
    body = page.locator("article").inner_text()
    assert "\\(" not in body
    assert "$$" not in body


@pytest.mark.parametrize("name", toc_files())
def test_page_in_a_browser(browser, served, name):
    page, wrong = visit(browser, f"{served}/{name}.html")
    check_page(page, math=name in NOTEBOOKS or name.endswith(("notation", "ledger/correlated")))
    page.close()
    assert not wrong


def test_from_a_file_without_a_server(browser, html):
    page, wrong = visit(browser, (html / f"{NOTEBOOKS[0]}.html").as_uri())
    check_page(page, math=True)
    page.close()
    assert not wrong


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_screen(browser, served, width):
    page = browser.new_page(viewport={"width": width, "height": 844})
    for name in (
        "book/intro", "book/ledger/correlated", "book/errata", "book/benchmarks", "book/status",
        NOTEBOOKS[0],
    ):  # fmt: skip
        page.goto(f"{served}/{name}.html", wait_until="load")
        assert page.evaluate("document.documentElement.scrollWidth") <= width + 1, name
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_badges_are_legible_in_both_themes(browser, served, scheme):
    page, wrong = visit(browser, f"{served}/{NOTEBOOKS[0]}.html", color_scheme=scheme)
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    colours = page.locator(".claim-badge a").first.evaluate(
        "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
    )
    light, dark = (luminance(c) for c in colours)
    assert (light + 0.05) / (dark + 0.05) > 4.5  # WCAG AA
    page.close()
    assert not wrong


def luminance(colour):
    """Relative luminance of a CSS rgb() colour."""
    values = [int(v) / 255 for v in re.findall(r"\d+", colour)[:3]]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
