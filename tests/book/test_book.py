"""The rendered book as files: strict build, complete pages, no network, working links.

``test_browser.py`` opens the same pages in a browser.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
import yaml
from ledger import layout

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = layout.names(ROOT)
MOVED = yaml.safe_load((ROOT / "book" / "moved.yml").read_text(encoding="utf-8"))
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


class Page(HTMLParser):
    """Ids, links, loaded resources, pictures and metadata of a page."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loads, self.images, self.duplicates = set(), [], [], [], []
        self.titles, self.meta, self.downloads, self.figures = [], {}, {}, []
        self._in_title, self._open_figures = False, []
        # Most tags are spans that only have a class: nothing here looks at them.
        text = path.read_text(encoding="utf-8")
        self.feed(re.sub(r'<span(?: class="[^"<>]*")?>|</span>', "", text))

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
        if tag == "a" and "download" in attributes:
            self.downloads[attributes["download"]] = attributes["href"]
        if tag == "img":
            inside = self._open_figures[-1] if self._open_figures else None
            self.images.append({**attributes, "figure": inside})
        if tag == "figure":
            figure = {"id": attributes.get("id"), "caption": False}
            self._open_figures.append(figure)
            self.figures.append(figure)
        if tag == "figcaption" and self._open_figures:
            self._open_figures[-1]["caption"] = True
        if tag == "title" and "svg" not in attributes.get("class", ""):
            self._in_title = self.rawdata[: self.rawdata.find("</head>")].count("<title") > len(
                self.titles
            )
        if tag == "meta" and {"name", "property"} & set(attributes):
            name = attributes.get("name") or attributes["property"]
            self.meta.setdefault(name, []).append(attributes.get("content") or "")

    def handle_data(self, data):
        if self._in_title:
            self.titles.append(data)
            self._in_title = False

    def handle_endtag(self, tag):
        if tag == "figure" and self._open_figures:
            self._open_figures.pop()


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
            alt, name = image.get("alt") or "", Path(image.get("src") or "").name
            said = f"{path.relative_to(html)}: {name}: {alt!r}"
            assert len(alt) >= 20, said
            assert name not in alt, said
            assert Path(name).stem != alt, said


def test_every_picture_of_the_text_has_a_caption_and_a_label(pages, html):
    counted = 0
    for path, page in pages.items():
        for image in page.images:
            if "logo__image" in (image.get("class") or ""):
                continue
            counted += 1
            said = f"{path.relative_to(html)}: {image['src']}"
            assert image["figure"], said
            assert (image["figure"]["id"] or "").startswith(("fig-", "id")), said
            assert image["figure"]["caption"], said
    assert counted >= len(NOTEBOOKS)


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


def test_each_page_says_what_it_is(pages, html):
    seen = {}
    for path, page in pages.items():
        name = path.relative_to(html).as_posix()
        if name.removesuffix(".html") in MOVED:
            continue
        assert len(page.titles) == 1, (name, page.titles)
        assert len(page.titles[0].partition(" — ")[0].strip()) >= 4, (name, page.titles)
        (description,) = page.meta["description"]
        assert 50 <= len(description) <= 200, (name, description)
        assert not re.search(r"[\\{}$]|\s{2}|:$", description), (name, description)
        for tag in ("og:title", "og:image", "og:image:alt"):
            assert len(page.meta[tag]) == 1, (name, tag)
            assert page.meta[tag][0], (name, tag)
        assert page.meta["og:description"] == [description], name
        assert (path.parent / page.meta["og:image"][0]).resolve().exists(), name
        # The book was built without an address of its site: it must not invent one.
        assert "og:url" not in page.meta, name
        if name != "index.html":  # it sends readers on to the first page, and says what that says
            assert seen.setdefault(description, name) == name, (seen[description], name)
    moved = {html / f"{name}.html" for name in MOVED}
    shown = [path for path in pages if path.name != "index.html" and path not in moved]
    titles = [pages[path].titles[0] for path in shown]
    assert len(set(titles)) == len(titles)


def test_each_notebook_is_offered_in_three_formats(pages, html):
    for name in NOTEBOOKS:
        page = html / f"{name}.html"
        formats = {f"{Path(name).name}{suffix}" for suffix in (".ipynb", ".md", ".py")}
        assert set(pages[page].downloads) == formats, name
        for file, link in pages[page].downloads.items():
            assert not urlsplit(link).scheme
            taken = page.parent / unquote(link)
            if taken.suffix == ".ipynb":  # what it holds is tested with `plain_notebook`
                assert nbformat.read(taken, 4).cells[1].source.startswith("%pip install"), file
            else:
                stored = (ROOT / name).parent / file
                assert taken.read_bytes() == stored.read_bytes(), file


def test_the_index_leads_to_every_exercise(pages, html):
    links = pages[html / "book/exercises.html"].links
    for name in NOTEBOOKS:
        if layout.is_evidence(name):
            continue
        labels = {i for i in pages[html / f"{name}.html"].ids if i.startswith("ex-")}
        if layout.is_note(name) and not labels:
            continue  # a research note may do without exercises
        assert len(labels) >= 3
        for label in labels:
            assert links.count(f"../{name}.html#{label}") == 1, label


def test_references_lead_to_the_works(pages, html):
    page = (html / "book/references.html").read_text(encoding="utf-8")
    bib = (ROOT / "book/references.bib").read_text(encoding="utf-8")
    keys = re.findall(r"^@\w+\{(\w+),", bib, re.MULTILINE)
    assert page.count('class="citation"') == len(keys)
    links = pages[html / "book/references.html"].links
    for doi in re.findall(r"^  doi = \{(.*)\}", bib, re.MULTILINE):
        assert f"https://doi.org/{doi}" in links, doi


def test_nothing_is_left_open(html):
    for claims in (ROOT / "book" / "claims").glob("*.yml"):
        ledger = (html / f"book/ledger/{claims.stem}.html").read_text(encoding="utf-8")
        assert "· open" not in ledger
        assert "verified" in ledger


def test_the_status_page_counts_what_is_there(html):
    page = (html / "book/status.html").read_text(encoding="utf-8")
    rows = [
        re.findall(r"<td><p>(.*?)</p>\s*</td>", row)
        for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL)
    ]
    shown = dict(row for row in rows if len(row) == 2)
    inventory = [
        line
        for path in (ROOT / "book" / "claims").glob("*.yml")
        for line in yaml.safe_load(path.read_text(encoding="utf-8"))["claims"]
    ]
    papers = [line for line in inventory if line["kind"] != "beyond"]
    assert shown["notebooks"] == str(len(NOTEBOOKS))
    assert shown["claims of the papers with a verdict"] == str(len(papers))
    assert shown["claims of the papers without a verdict"] == "0"
    assert shown["results beyond the papers"] == str(len(inventory) - len(papers))
    assert re.search(r"\d+ of the \d+ pinned packages are installed in the pinned version", page)
