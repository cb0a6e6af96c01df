"""The API reference: complete, each object once, and what it says of notebooks and claims."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from privlib_book import uses

import privlib
from privlib.kit import reader
from privlib.kit.evidence import PARTS

ROOT = Path(__file__).resolve().parent.parent


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


@pytest.fixture(scope="module")
def book():
    return uses.uses(ROOT)


def public():
    """Every public function and class of the package, each with the paths that lead to it."""
    found = {}
    for info in pkgutil.walk_packages(privlib.__path__, "privlib."):
        if "._" in info.name:
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            listed = name in getattr(module, "__all__", ())
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


def test_the_line_says_what_was_read_off(pages, book):
    lines = {k: v[0] for page in pages.values() for k, v in page.lines.items()}
    for name, use in book.items():
        if name in lines:  # constants have none
            linked = re.findall(r"<\.\./\.\./(notebooks/[^>]*)\.html>", lines[name])
            assert linked == list(use.notebooks), name
            rows = re.findall(r"<\.\./ledger/[^>]*#[^>]*>([^,.]+(?:\.[^,.\s]+)*)", lines[name])
            assert sorted(rows) == sorted(use.claims), name


def test_modules_stand_on_the_page_of_their_part(pages, html):
    for name in uses.modules():
        part = name.split(".")[1]
        page = part if part in PARTS.values() else "shared"
        text = (html / f"book/api/{page}.html").read_text(encoding="utf-8")
        assert f'id="module-{name}"' in text
        assert f'href="{page}.html#module-{name}"' in (html / "book/api/index.html").read_text()


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


# --- reading a notebook -------------------------------------------------------------------------

HEAD = """
import privlib.correlated.networks as nets
from privlib.correlated import gaussian
from privlib.correlated.gaussian import combine as join
from privlib.kit.evidence import claim, slips
"""
COMBINE = "privlib.correlated.gaussian.combine"
SCALE = "privlib.correlated.gaussian.algorithm1"
PRECISION = "privlib.correlated.networks.precision"


def read(*cells, recorded=()):
    notebook = uses.Notebook(uses.find)
    notebook.cell(HEAD)
    for cell in cells:
        notebook.cell(cell, recorded)
    return notebook


def check(name="c"):
    return f"with claim('Y-1') as {name}:\n    {name}.exact(x, 1)\n"


def test_aliases_are_resolved():
    assert read("join(1)").used == {COMBINE}
    assert read("nets.precision(1)").used == {PRECISION}
    assert read("gaussian.algorithm1").used == {SCALE}
    assert read("import privlib\nprivlib.correlated.gaussian.combine").used == {COMBINE}


def test_an_import_alone_is_no_use():
    assert read("x = 1").used == set()
    assert read("gaussian.unknown_name").used == set()


def test_what_a_name_hides_is_not_used():
    assert read("def f(gaussian):\n    return gaussian.combine").used == set()
    assert read("[join for join in range(3)]").used == set()
    assert read("join = 3\njoin").used == set()


def test_inside_the_block():
    assert read("with claim('Y-1') as c:\n    c.exact(join(1), 2)").serves == {"Y-1": {COMBINE}}


@pytest.mark.parametrize(
    "cell",
    [
        "x = join(1)",
        "y = join(1)\nx = y + 1",
        "x, y = 0, join(1)",
        "x = {}\nx['a'] = join(1)",
        "x = []\nx.append(join(1))",
        "x = {}\nx.setdefault(1, []).append(join(1))",
        "x = 0\nx += join(1)",
        "x = 0\nif y:\n    x = join(1)",
        "x = join(1)\nif y:\n    x = 0",
        "x = 0\ntry:\n    pass\nexcept ValueError:\n    x = join(1)",
        "a = x = 0\nfor i in y:\n    x = a\n    a = join(1)",
        "for x in join(1):\n    pass",
        "with open(join(1)) as x:\n    pass",
        "x = lambda: join(1)",
        "def x():\n    return join(1)",
        "def x():\n    return later()\ndef later():\n    return join(1)",
        "@join\ndef x():\n    pass",
        "class x:\n    a = join(1)",
        "x = [join(i) for i in y]",
        "y = join\nx = y(1)",
        "x = table[join(1)].field",
        "if join(1):\n    x = 1",
        "while join(1):\n    x = 1",
        "try:\n    join(1)\n    x = 1\nexcept ValueError:\n    x = 0",
        "try:\n    y = 1\nexcept join:\n    x = 0",
        "match join(1):\n    case [x, *rest]:\n        pass",
        "match join(1):\n    case [first, *x]:\n        pass",
        "match join(1):\n    case {'a': first, **x}:\n        pass",
        "[x := join(k) for k in range(2)]",
    ],
)
def test_values_are_followed(cell):
    assert read(cell, check()).serves["Y-1"] == {COMBINE}
    assert read(cell.replace("join", "neither"), check()).serves["Y-1"] == set()


def test_a_new_value_forgets_the_old_one():
    assert read("x = join(1)", "x = 2", check()).serves == {"Y-1": set()}


def test_a_function_is_looked_up_where_it_is_used():
    before = "def helper():\n    return x\ny = helper()"
    cells = ["x = join(1)", before, "x = 0", "with claim('Y-1') as c:\n    c.exact(y, 1)"]
    assert read(*cells).serves == {"Y-1": {COMBINE}}
    cells[3] = "with claim('Y-1') as c:\n    c.exact(helper(), 1)"
    assert read(*cells).serves == {"Y-1": set()}


def test_one_claim_does_not_lend_to_the_next():
    first = "with claim('Y-2') as c:\n    c.exact(join(1), 1)"
    second = "with claim('Y-1') as c:\n    c.exact(gaussian.algorithm1(1), 1)"
    loop = f"for i in range(2):\n    {second.replace(chr(10), chr(10) + '    ')}"
    for cell in (second, loop):
        assert read(first, cell).serves == {"Y-2": {COMBINE}, "Y-1": {SCALE}}


def test_a_loop_in_a_block_sets_its_names_anew():
    loop = "    for x in range(2):\n        y = 3 * x\n        c.exact(x, y)"
    for before in ("x = join(1)", "y = join(1)"):
        assert read(before, f"with claim('Y-1') as c:\n{loop}").serves == {"Y-1": set()}
    assert read("x = join(1)", f"if z:\n{loop}", check()).serves == {"Y-1": {COMBINE}}


def test_a_row_of_slips_serves_its_own_claim():
    define = "def one(c):\n    c.exact(join(1), 1)\ndef two(c):\n    c.exact(nets.precision(1), 1)"
    rows = "rows = [('Y-1', 'a', 'b', one), ('Y-2', *texts, two)]\nslips(rows)"
    assert read(define, rows).serves == {"Y-1": {COMBINE}, "Y-2": {PRECISION}}


def test_an_id_that_the_cell_computes_comes_from_its_badge():
    cell = "for t in 'ab':\n    with claim(f'Y-{t}') as c:\n        c.exact(join(t), 1)"
    assert read(cell, recorded=["Y-a", "Y-b"]).serves == {"Y-a": {COMBINE}, "Y-b": {COMBINE}}


def test_the_instruments_are_no_evidence():
    assert read("x = claim", check()).serves == {"Y-1": set()}
    assert "privlib.kit.evidence.claim" in read("x = claim", check()).used


def test_a_claim_needs_a_badge(tmp_path):
    path = tmp_path / "one.ipynb"
    source = HEAD + "with claim('Y-1') as c:\n    c.exact(join(1), 1)"
    cell = {"cell_type": "code", "source": [source], "outputs": []}
    path.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    assert uses.read_notebook(path).serves == {}
    assert uses.read_notebook(path).used == {COMBINE, "privlib.kit.evidence.claim"}


# --- the book -----------------------------------------------------------------------------------


def test_only_known_claims_and_all_evidence(book):
    known = {
        e.id for p in PARTS.values() for e in reader.load_claims(ROOT / f"book/claims/{p}.yml")
    }
    served = {claim_id for use in book.values() for claim_id in use.claims}
    assert served <= known
    assert len(served) > 200


@pytest.mark.parametrize(
    ("name", "notebook", "claim_ids"),
    [  # read off by hand
        ("correlated.gaussian.algorithm1", "correlated/04", "Y-A1 Y-A1.leaf Y-A1.m-reset"),
        ("correlated.gaussian.combine", "correlated/03", "Y-P5.1 Y-P5.1-prior"),
        ("laplace.mechanism.laplace", "laplace/01", "N-21 N-7"),
        ("sketch.distributed.aggregate", "sketch/07", "S-B18"),
    ],
)
def test_spot_checks(book, name, notebook, claim_ids):
    use = book[f"privlib.{name}"]
    assert use.notebooks[0].startswith(f"notebooks/{notebook}-")
    assert set(claim_ids.split()) <= set(use.claims)


def test_a_result_is_used_where_its_maker_is(book):
    made, maker = (book[f"privlib.location.flow.{n}"] for n in ("Movement", "most_likely_movement"))
    assert made == maker
    assert made.notebooks
