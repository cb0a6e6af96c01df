"""The API reference: complete, each object once, and what it says of notebooks and claims."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from ledger import claims as ledger_claims
from ledger import evidence as ledger_evidence
from privlib_book import api

import privlib
from privlib.notebook.claims import PARTS

ROOT = Path(__file__).resolve().parents[2]


class Entries(HTMLParser):
    """Anchors of documented objects, their last lines, and the text outside of code."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.lines, self.text = [], {}, []
        self._open, self._line, self._quiet = [], None, 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "dt" and attributes.get("id"):
            self.anchors.append(attributes["id"])
        if "data-api" in attributes:
            self._line = attributes["data-api"]
            self.lines.setdefault(self._line, []).append("")
        words = (attributes.get("class") or "").split()
        if self._quiet or tag in ("script", "style", "pre", "code") or "math" in words:
            self._quiet += tag not in ("br", "img", "input", "link", "meta", "hr", "path")
        if tag == "a" and self._line:
            self.lines[self._line][-1] += f"<{attributes.get('href')}>"

    def handle_endtag(self, tag):
        self._quiet -= bool(self._quiet)
        if tag == "div":
            self._line = None

    def handle_data(self, data):
        if self._line:
            self.lines[self._line][-1] += data
        if not self._quiet:
            self.text.append(data)


@pytest.fixture(scope="module")
def pages(html):
    return {p: Entries(p) for p in (html / "book" / "api").glob("*.html")}


def public():
    """Every public function and class of the package, each with the paths that lead to it."""
    found = {}
    for info in pkgutil.walk_packages(privlib.__path__, "privlib."):
        if "._" in info.name:
            continue
        module = importlib.import_module(info.name)
        offered = getattr(module, "__all__", ())  # some are loaded when they are named
        for name, value in (vars(module) | {n: getattr(module, n) for n in offered}).items():
            listed = name in offered
            own = not hasattr(module, "__all__") and getattr(value, "__module__", "") == info.name
            callable_ = inspect.isclass(value) or inspect.isroutine(inspect.unwrap(value))
            if callable_ and (listed or (own and not name.startswith("_"))):
                found.setdefault(id(value), set()).add(f"{info.name}.{name}")
    return list(found.values())


# --- the pages --------------------------------------------------------------------------------


def test_every_public_object_has_one_entry(pages):
    anchors = [anchor for page in pages.values() for anchor in page.anchors]
    assert len(public()) > 150
    for paths in public():
        assert sum(anchors.count(path) for path in paths) == 1, paths


def test_every_entry_ends_with_its_notebooks_and_claims(pages):
    lines = {k: v for page in pages.values() for k, v in page.lines.items()}
    assert len(lines) == len(public())
    for paths in public():
        (text,) = next(lines[path] for path in paths if path in lines)
        assert re.match(r"Derived in <|Used in |Not used in a notebook\.$", text), (paths, text)


def test_the_line_says_what_the_evidence_says(pages):
    """Each entry lists the notebooks that name it; those that name none of its makers are few."""
    lines = {k: v[0] for page in pages.values() for k, v in page.lines.items()}
    evidence = ledger_evidence.notebooks(ROOT)
    served = {claim for notebook in evidence for claim in notebook.serves}
    for name, text in lines.items():
        linked = re.findall(r"<\.\./\.\./(notebooks/[^>]*)\.html>", text)
        through = api.makers()[name]
        assert linked == [
            n.name for n in evidence if any(api.documented(path) in through for path in n.uses)
        ], name
        rows = re.findall(r"<\.\./ledger/[^>]*#[^>]*>([^,.]+(?:\.[^,.\s]+)*)", text)
        assert set(rows) <= served, name
    shown = {path for notebook in evidence for path in map(api.documented, notebook.uses) if path}
    assert all("Not used" not in lines[name] for name in shown & set(lines))


def test_every_object_that_a_notebook_names_leads_to_its_entry():
    """However it was imported: also by what its package lends."""
    named = {path for n in ledger_evidence.notebooks(ROOT) for path in n.uses}
    for path in sorted(path for path in named if api.documented(path) is None):
        value = api.value_of(path)
        nothing_to_document = inspect.ismodule(value) or not callable(value)
        assert nothing_to_document or path.rpartition(".")[2].startswith("_"), path


def test_modules_stand_on_the_page_of_their_part(pages, html):
    for name in api.modules():
        part = name.split(".")[1]
        page = part if part in {*PARTS.values(), "research"} else "shared"
        text = (html / f"book/api/{page}.html").read_text(encoding="utf-8")
        assert f'id="module-{name}"' in text, f"add {name} to book/api/{page}.md"
        index = (html / "book/api/index.html").read_text(encoding="utf-8")
        assert f'href="{page}.html#module-{name}"' in index, f"add {name} to book/api/index.md"


def test_docstrings_are_rendered(pages):
    for path, page in pages.items():
        text = "".join(page.text)
        left = re.findall(r".{20}(?:\\[a-zA-Z(]|`|:math:|:func:|\.\. ).{20}", text)
        assert not left, f"{path.name}: {left}"
        assert "system-message" not in path.read_text(encoding="utf-8")


def test_the_source_is_at_hand(html):
    text = (html / "book/api/correlated.html").read_text(encoding="utf-8")
    link = re.search(r'href="([^"]*_modules/[^"#]*gaussian\.html)#', text)
    assert link
    assert (html / "book/api" / link[1]).exists()


# --- from evidence to entries -------------------------------------------------------------------


def test_a_path_leads_to_the_entry_that_it_names_or_passes_through():
    homes = api.homes()
    assert all(api.documented(path) == home for path, home in homes.items())
    assert api.documented("privlib.nothing.of_that_name") is None
    some = next(path for path, home in homes.items() if path == home)
    assert api.documented(f"{some}.attribute") == some


def test_a_result_is_used_where_its_maker_is():
    makers = api.makers()
    assert all(name in through for name, through in makers.items())
    results = {name: through for name, through in makers.items() if len(through) > 1}
    assert len(results) > 5
    assert all(inspect.isclass(api.value_of(name)) for name in results)


def test_most_claims_with_evidence_rest_on_the_package():
    known = {
        claim.id
        for part in PARTS.values()
        for claim in ledger_claims.load_claims(ROOT / f"book/claims/{part}.yml")
    }
    served = {
        claim_id for notebook in ledger_evidence.notebooks(ROOT) for claim_id in notebook.serves
    }
    assert served <= known
    assert len(served) > 200
