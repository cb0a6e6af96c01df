"""What the pages weigh, and what makes them light: style rules, code, pictures, icons."""

from __future__ import annotations

import io
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import icons
import lexer
import lighten
import numpy as np
import pictures
import pytest
from PIL import Image
from pygments import highlight
from pygments.lexers import PythonLexer

from conftest import NARROW, Visitor

NOTEBOOK, LIVE = "notebooks/laplace/01-attackers", "notebooks/sketch/03-poisoning"
# One page of each kind. What each page may weigh is in test_browser.py, which opens them all.
PAGES = ("book/intro", "book/ledger/laplace", "book/api/laplace", NOTEBOOK, LIVE, "search")


@pytest.fixture(scope="module")
def visitor(browser, html):
    made = Visitor(browser, html, color_scheme="light")
    yield made
    made.context.close()


@pytest.fixture(scope="module")
def loaded(visitor):
    """Files that each page asks for, how many of its formulas are tab stops, and are read aloud."""
    found = {}
    for name in PAGES:
        page = visitor.open(name)
        page.evaluate("document.fonts.ready.then(() => true)")
        stops = page.locator("mjx-container[tabindex], mjx-container [tabindex]").count()
        aloud = page.locator("mjx-container mjx-assistive-mml").count()
        found[name] = frozenset(visitor.loaded), stops, aloud
    return found


def test_what_is_far_below_is_not_loaded(loaded):
    files = loaded[LIVE][0]
    assert len(files) > 20
    assert not [path for path in files if path.name.startswith("plotly")]
    assert not [path for path in files if path.parent.name == "_images"]


def test_formulas_are_set_by_one_script_of_the_version_that_has_the_fonts(html, loaded):
    for name, (files, _, _) in loaded.items():
        scripts = {p.name for p in files if "mathjax" in p.parts and p.suffix == ".js"}
        assert scripts <= {"small.js"}, name
    folder = html / "_static" / "mathjax"
    assert folder / "small.js" in loaded[NOTEBOOK][0]
    # It waits for the page to be there, which a script that comes late would miss.
    text = (html / f"{NOTEBOOK}.html").read_text("utf-8")
    assert re.search(r'<script defer="defer" [^>]*/small\.js', text)
    small, whole = ((folder / f"{name}.js").read_text("utf-8") for name in ("small", "core"))
    (version,) = set(re.findall(r'VERSION="([\d.]+)"', whole))
    assert small.startswith(f"/* MathJax v{version} ")


def test_the_frames_of_a_figure_are_a_script_but_for_the_first():
    kept = []
    first, second = '[{"note":"one"}]', '[{"note":"<\\/b> é"}]'
    sliders = '[{"readouts":["a"],"start":0},{"readouts":["a","b"],"start":1}]'
    told = f'{{"name":"a","sliders":{sliders},"frames":[{first},{second}]'
    live = f'<script type="application/json">{told}}}</script>'
    shown = lighten.without_frames(live, lambda script: kept.append(script) or "../a.js")
    told = f'{{"name":"a","sliders":{sliders},"frames":"../a.js","first":{second}'
    assert shown == f'<script type="application/json">{told}}}</script>'
    assert kept == [f'privlib.frames["a"] = [{first},{second}];\n'.replace("<\\/", "</").encode()]


def test_no_sheet_with_queries_asks_what_the_whole_page_has(root):
    """When a query begins to hold, such a rule may have every element looked at for every other."""
    for sheet in (root / "book" / "_static").glob("*.css"):
        text = sheet.read_text("utf-8")
        asks = re.search(r"(:root|\bhtml|\bbody)(\[[^\]]*\])?:has\(", text)
        assert not ("@media" in text and asks), sheet.name


def test_pictures_have_256_colours_close_to_theirs_and_white_stays_white(html):
    ramp = np.linspace(0, 1, 300)[None, :, None] * np.linspace(1, 0.2, 200)[:, None, None]
    colours = np.concatenate([255 * ramp, 90 + 0 * ramp, 255 * (1 - ramp)], axis=2)
    colours[:50] = 255
    Image.fromarray(colours.round().astype(np.uint8)).save(made := io.BytesIO(), "PNG")
    few = pictures.in_palette(made.getvalue())
    seen = np.asarray(Image.open(io.BytesIO(few)).convert("RGB"), dtype=float)
    assert seen[:50].min() == 255
    assert abs(seen - colours).max() < 25
    assert pictures.in_palette(few) == few
    for path in html.glob("_images/*.png"):
        assert path.read_bytes()[25] == 3, path.name  # the header says that there is a palette


def test_what_one_sees_through_is_seen_on_white_paper():
    pixels = np.zeros((8, 30, 4), dtype=np.uint8)  # black, of which one sees nothing, half, all
    pixels[:, 10:20, 3], pixels[:, 20:, 3] = 128, 255
    Image.fromarray(pixels).save(made := io.BytesIO(), "PNG")
    few = Image.open(io.BytesIO(pictures.in_palette(made.getvalue()))).convert("L")
    assert np.asarray(few)[0, [5, 15, 25]].tolist() == [255, 127, 0]


def test_no_formula_is_a_tab_stop_and_each_is_read_aloud(loaded):
    for name, (_, stops, _) in loaded.items():
        assert stops == 0, name
    assert loaded[NOTEBOOK][2] > 20


def test_every_icon_of_the_pages_is_drawn(html, visitor):
    sheet = (html / "_static" / "icons.css").read_text("utf-8")
    drawn = set(re.findall(r"\.fa-([\w-]+)::before", sheet)) | {"solid", "lg"}
    for path in html.rglob("*.html"):
        for names in set(re.findall(r'<i class="([^"]*)"', path.read_text("utf-8"))):
            asked = set(re.findall(r"fa-([\w-]+)", names))
            assert asked <= drawn, (path.name, asked - drawn)
            assert "fab" not in names.split()
    # The font holds them: a glyph that is missing would come from another one, as a box.
    page = visitor.open("book/cite")
    page.evaluate("document.fonts.load('900 16px \"privlib icons\"', '\\uf019')")
    assert page.evaluate("document.fonts.check('900 16px \"privlib icons\"')")
    assert page.locator("i.fa-download").first.bounding_box()["width"] > 10


def test_the_stored_icons_are_what_the_code_draws(tmp_path, capsys):
    assert icons.main(["--check"]) == 0
    target = tmp_path / "icons.css"
    assert icons.main(["--check"], target) == 1
    assert "icons.css" in capsys.readouterr().out
    assert icons.main([], target) == 0
    assert target.read_text("utf-8") == icons.TARGET.read_text("utf-8")


def test_rules_for_unused_classes_go_and_all_others_stay():
    sheet = """@charset "UTF-8"; /*! notice */ a, .used { x: 1 } /* no */ .gone { x: 2 }
      .used .gone, .used:not(.gone), :is(h1, .used) > b, [class~=".gone"] { x: 3 }
      @media (min-width: 9px) { .gone { x: 4 } } @media print { .used { x: 5 } .gone { x: 6 } }
      @font-face { font-family: f } @keyframes k { from { x: 7 } to { x: 8 } }"""
    kept = re.sub(r"\s", "", lighten.lighter(sheet, {"used"}))
    assert kept == (
        '@charset"UTF-8";/*!notice*/a,.used{x:1}'
        '.used:not(.gone),:is(h1,.used)>b,[class~=".gone"]{x:3}'
        "@mediaprint{.used{x:5}}@font-face{font-family:f}@keyframesk{from{x:7}to{x:8}}"
    )


def test_what_a_page_or_a_script_names_is_used(tmp_path):
    (tmp_path / "_static" / "mathjax").mkdir(parents=True)
    (tmp_path / "page.html").write_text('<p class="one two"><b class="three">')
    (tmp_path / "_static" / "own.js").write_text('element.classList.add("is-four")')
    (tmp_path / "_static" / "mathjax" / "other.js").write_text('"five"')
    assert {"one", "two", "three", "is-four"} <= lighten.used(tmp_path)
    assert "five" not in lighten.used(tmp_path)
    (tmp_path / "_static" / "styles").mkdir()
    (tmp_path / "_static" / "styles" / "bootstrap.css").write_text(
        ".one{--a:url('x;y');--five:'{};';--b:1;x:var(--a)}.five{x:var(--five)}.two{--is-four:2}"
    )
    (tmp_path / "_static" / "own.css").write_text(".two{x:var( --b,2)}")
    lighten.lighten(tmp_path)
    kept = ".one{--a:url('x;y');--b:1;x:var(--a)}.two{--is-four:2}"
    assert (tmp_path / "_static" / "light" / "bootstrap.css").read_text() == kept


def test_pages_load_the_lighter_sheets(html):
    page = (html / f"{NOTEBOOK}.html").read_text("utf-8")
    for name in ("bootstrap.css", "pydata-sphinx-theme.css", "proof.css"):
        assert f"_static/light/{name}" in page
        (whole,) = (p for p in (html / "_static").rglob(name) if p.parent.name != "light")
        assert (html / "_static" / "light" / name).stat().st_size < 0.7 * whole.stat().st_size
    assert "fontawesome" not in page


def test_code_is_marked_up_where_it_has_a_colour_but_for_operators():
    shown = highlight("def f(x):\n    return x + 1  # why\n", PythonLexer(), lighten.Sparse())
    assert re.sub(r"<[^>]+>", "", shown).strip() == "def f(x):\n    return x + 1  # why"
    assert re.findall(r'<span class="(\w+)">([^<]+)', shown) == [
        ("k", "def"), ("nf", "f"), ("k", "return"), ("mi", "1"), ("c1", "# why"),
    ]  # fmt: skip


def test_python_is_read_as_pygments_reads_it(root):
    """`Quick` gives every word of the package, and of traps, drawn ones too, the same colour."""
    rng, shown = np.random.default_rng(17), lighten.Sparse()
    quick, slow = lexer.Quick(), PythonLexer(stripnl=False)
    traps = [
        "\nmatch x:\n  case [1, _]:\n    type = rf'{a:>{b}} {c!r}'; d.print(é.if_, 1if x else.5)",
        "@a.b\nclass A(B): c = self.d if not e is None else b'' 'f' u'g'\nx \\\n  = y;__init__.z",
        "import a.b as c, d\nfrom . import (e,)\nasync def f(*, g: h=...): yield from 1_0.e3j",
        "a==b!=c[d:e]; f(g:=r's', h=cls, i=Ellipsis, j=NotImplemented)\nlazy import k.l\nlazy = m",
        "n\u0302 = x\u00b2 + x\u2081 - a\u00b7b\u3000c\ntype X[T] = y\nx = \\\t\n  1; _(__all__)",
        "returned = True_ + self_ - cls.self + print_(__a, a__, classes.__add__, nonlocal_)",
    ]
    pieces = re.findall(r"\w+|\s|.", "".join(traps) + "\n\n\n   \xa0\x0c\u203f変ª{'{'", re.DOTALL)
    drawn = ("".join(rng.choice(pieces, size=rng.integers(2, 12))) for _ in range(3000))
    files = (path.read_text("utf-8") for path in sorted((root / "privlib").rglob("*.py")))
    for text in [*traps, *drawn, *files]:
        assert highlight(text, quick, shown) == highlight(text, slow, shown), text


def test_the_styles_of_code_are_those_of_the_theme(html):
    """What `plain` leaves without a colour has that of the text in both themes."""
    sheet = (html / "_static" / "pygments.css").read_text("utf-8")
    for theme in ("light", "dark"):
        base, words = (
            re.search(rf'"{theme}"\] \.highlight {rule}\{{[^}}]*\bcolor: (#\w+)', sheet)[1]
            for rule in ("", r"\.n ")
        )
        assert words == base


def test_pictures_wait_with_their_size_and_only_once(tmp_path):
    picture = tmp_path / "a.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + bytes([0, 0, 3, 2, 0, 0, 1, 0]))
    body = '<p><img alt="" src="../_images/a.png" /><img src="../_static/logo.svg" /></p>'
    seen = lighten.late(body, {"a.png": picture})
    assert '<img loading="lazy" width="770" height="256" alt="" src="../_images/a.png" />' in seen
    assert '<img src="../_static/logo.svg" />' in seen
    assert lighten.late(seen, {"a.png": picture}) == seen


# --- telephones ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def phone(browser, html):
    made = Visitor(browser, html, formulas=False, has_touch=True, is_mobile=True)
    yield made
    made.context.close()


def heights(page, selector):
    return page.eval_on_selector_all(
        selector, "es => es.map(e => e.getBoundingClientRect().height).filter(Boolean)"
    )


def test_errata_are_cards_on_a_telephone(phone):
    page = phone.open("book/errata", screen=NARROW)
    cells = page.locator("table.claims-errata tbody tr").first.locator("td")
    boxes = [cells.nth(k).bounding_box() for k in range(5)]
    assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
    assert [box["y"] for box in boxes] == sorted({box["y"] for box in boxes})
    label = "e => getComputedStyle(e, '::before').content"
    heads = ['"printed"', '"corrected"', '"counterexample"', '"consequence"']
    assert [cells.nth(k).evaluate(label) for k in range(1, 5)] == heads
    page.evaluate("location.hash = 'ja'")
    page.wait_for_function("document.documentElement.dataset.shown === 'ja'")
    assert cells.nth(2).evaluate(label) == '"修正した形"'
    # What the filter hides stays hidden.
    page.locator(".claims-filter [name=part]").select_option("sketch")
    assert not page.locator("#errata-claim-Y-P5-1-closure").is_visible()
    assert min(heights(page, ".edition-links a, table.claims-errata .claim-id")) >= 24


def test_a_picture_leads_to_itself_and_links_fit_a_finger_on_a_telephone(phone, html):
    page = phone.open(NOTEBOOK, screen=NARROW)
    assert min(heights(page, ".claim-badge > a")) >= 24
    links = page.locator("article a.full-picture")
    assert links.count() == page.locator("article figure img").count() > 0
    link = links.first
    assert re.fullmatch(r"Full picture, Fig\. \d+", link.get_attribute("aria-label"))
    assert Path(unquote(urlsplit(link.get_attribute("href")).path)).is_file()
    link.focus()
    assert link.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    assert not phone.wrong


def test_a_wide_screen_has_tables_and_pictures_as_they_are(visitor):
    page = visitor.open(NOTEBOOK)
    assert page.locator("a.full-picture, td[data-label]").count() == 0
