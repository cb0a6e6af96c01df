"""Figures with sliders, in the book and in a browser.

The stored JSON is read with code of these tests' own, every slider is moved with the keyboard, and
what plotly has drawn is compared with the frame.
"""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from ledger import evidence as ledger_evidence
from ledger import layout
from offline_page import NARROW, OfflinePage, axe_violations
from plotly.offline import get_plotlyjs_version

from privlib.notebook.interactive import HINT

ROOT = Path(__file__).resolve().parents[2]

PARTS = ("laplace", "correlated", "disclosure", "location", "sketch")
BLACK = "#000000"


# --- in the book ----------------------------------------------------------------------------------


def gather():
    """Live figures of the book, in reading order."""
    for notebook in ledger_evidence.notebooks(ROOT):
        for figure in notebook.figures:
            if figure.live:
                name = figure.label.removeprefix("fig-")
                markup = ledger_evidence.live_markup(ROOT, notebook.name, figure.label)
                yield SimpleNamespace(
                    name=name, notebook=notebook.name, markup=markup, alt=figure.alt
                )


LIVE = list(gather())


def test_every_part_has_an_interactive_figure_and_each_a_name_of_its_own():
    assert {layout.part_of(live.notebook) for live in LIVE} == set(PARTS)
    assert len({live.name for live in LIVE}) == len(LIVE)


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture
def visit(visitor):
    """Open a page; after the test nothing must have gone wrong on it."""
    yield visitor.open
    visitor.page.emulate_media(color_scheme="light")
    assert not visitor.wrong


# The theme's colours have reached the text: nothing is drawn in the ground's own lightness.
LEGIBLE = """name => {
  const light = c => c.match(/\\d+/g).slice(0, 3).reduce((sum, v) => sum + Number(v), 0) / 765;
  const ground = light(getComputedStyle(document.body).backgroundColor);
  const text = document.querySelectorAll(
    `#interactive-${name} :is(.xtick, .ytick, .legend, .infolayer) text`);
  return text.length && [...text].every(
    e => Math.abs(light(getComputedStyle(e).fill) - ground) > 0.3);
}"""


def wait_for(page, live):
    page.locator(f"#interactive-{live.name}").scroll_into_view_if_needed()
    page.wait_for_selector(f"#interactive-{live.name} .main-svg", state="attached")


def content_of(live):
    return json.loads(re.search(r"json\">(.*?)</script>", live.markup)[1].replace("<\\/", "</"))


def walk(target, path):
    for key in re.findall(r"[^.\[\]]+", path):
        target = target[int(key) if isinstance(target, list) else key]
    return target


def drawn(page, live):
    return page.eval_on_selector(
        f"#interactive-{live.name} .privlib-plot",
        "e => JSON.parse(JSON.stringify({data: e.data, layout: e.layout}))",
    )


def agree(seen, stored):
    """Whether a drawn value is the stored one; the theme decides what black becomes."""
    if isinstance(stored, list):
        return len(seen) == len(stored) and all(map(agree, seen, stored))
    return stored == BLACK or seen == stored


def frame_at(content, position):
    sizes = [len(slider["readouts"]) for slider in content["sliders"]]
    return content["frames"][int(np.ravel_multi_index(position, sizes))]


def expect(page, live, content, position):
    """Readouts and everything drawn are those of the frame at this position."""
    frame = frame_at(content, position)
    now = drawn(page, live)
    assert BLACK not in json.dumps(now)  # it is the theme's to choose
    for k, (slider, index) in enumerate(zip(content["sliders"], position)):
        box = page.locator(f"#interactive-{live.name}-{k}")
        readout = slider["readouts"][index]
        assert box.get_attribute("aria-valuetext") == readout
        assert page.locator(f"output[for=interactive-{live.name}-{k}]").inner_text() == readout
    for change in frame:
        if "note" in change:
            note = page.locator(f"#interactive-{live.name} .privlib-note").text_content()
            assert note == change["note"]
        for path, value in change.get("layout", {}).items():
            assert agree(walk(now["layout"], path), value), (path, value)
        for path, value in change.items():
            if path not in ("trace", "layout", "note"):
                assert agree(walk(now["data"][change["trace"]], path), value), (path, value)
    return now["data"]


def gives_way_on_screen_and_returns_in_print(page, live):
    """Whether the picture is seen where the figure is not."""
    figure = page.locator(f"#fig-{live.name}")
    picture, caption = figure.locator("img"), figure.locator("figcaption")
    plot = figure.locator(".privlib-plot")
    assert [picture.is_visible(), plot.is_visible(), caption.is_visible()] == [False, True, True]
    assert page.get_by_text(HINT).count() == 0
    page.emulate_media(media="print")
    assert [picture.is_visible(), plot.is_visible(), caption.is_visible()] == [True, False, True]
    page.emulate_media(media="screen")


@pytest.mark.parametrize("live", LIVE, ids=lambda live: live.name)
def test_a_figure_hides_its_picture_and_every_slider_moves_it_by_the_keyboard(visit, live):
    page, content = visit(live.notebook), content_of(live)
    wait_for(page, live)
    gives_way_on_screen_and_returns_in_print(page, live)
    position = [slider["start"] for slider in content["sliders"]]
    before = expect(page, live, content, position)
    for k, slider in enumerate(content["sliders"]):
        box = page.get_by_label(slider["label"], exact=True)
        assert box.get_attribute("id") == f"interactive-{live.name}-{k}"
        last = len(slider["readouts"]) - 1
        step = 1 if position[k] < last else -1
        box.press("ArrowRight" if step > 0 else "ArrowLeft")
        for index, key in ((position[k] + step, ""), (0, "Home"), (last, "End")):
            if key:
                box.press(key)
            position[k] = index
            after = expect(page, live, content, position)
            assert after != before, "a step that changes nothing"
            before = after


def numbers(entries):
    return [v for v in entries if isinstance(v, int | float)]


@pytest.mark.parametrize("live", LIVE, ids=lambda live: live.name)
def test_nothing_is_drawn_beyond_an_axis(live):
    content = content_of(live)
    changes = [change for frame in content["frames"] for change in frame if "trace" in change]
    start = [{"trace": k, **trace} for k, trace in enumerate(content["data"])]
    for change, side in product(start + changes, "xy"):
        name = content["data"][change["trace"]].get(f"{side}axis", side)
        axis = content["layout"].get(name.replace(side, f"{side}axis"), {})
        if "range" in axis and (values := numbers(change.get(side, []))):
            ends = np.log10(values) if axis.get("type") == "log" else np.array(values)
            assert axis["range"][0] <= ends.min(), (name, change)
            assert ends.max() <= axis["range"][1], (name, change)


def test_no_square_of_a_grid_is_framed_as_the_largest_of_equals():
    (live,) = (live for live in LIVE if live.name == "alpha-gain")
    for frame in content_of(live)["frames"]:
        (gains,) = (np.round(change["z"], 2) for change in frame if "z" in change)
        (layout,) = (change["layout"] for change in frame if "layout" in change)
        assert layout["shapes[0].visible"] == ((gains == gains.max()).sum() == 1)


def test_no_two_frames_of_a_figure_are_alike():
    for live in LIVE:
        frames = [json.dumps(frame) for frame in content_of(live)["frames"]]
        assert len(set(frames)) == len(frames), live.name


def test_without_javascript_the_pages_show_the_static_pictures(browser, html):
    scriptless = OfflinePage(browser, html, java_script_enabled=False)
    for name in {live.notebook for live in LIVE} | {"book/interactive"}:
        page = scriptless.open(name)
        for live in LIVE:
            if name in (live.notebook, "book/interactive"):
                picture = page.locator(f"#fig-{live.name} img")
                assert picture.is_visible()
                assert picture.get_attribute("alt") == live.alt
                assert page.locator(f"#interactive-{live.name}").inner_text() == HINT
    scriptless.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible_and_follows_the_theme(visitor, visit, scheme):
    visitor.page.emulate_media(color_scheme=scheme)
    page = visit("book/interactive")
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    for scheme_now in (scheme, {"light": "dark", "dark": "light"}[scheme]):
        page.evaluate("s => { document.documentElement.dataset.theme = s }", scheme_now)
        for live in LIVE:
            wait_for(page, live)
            page.wait_for_function(LEGIBLE, arg=live.name)
            colours = page.eval_on_selector_all(
                f"#interactive-{live.name} :is(.xtick, .ytick, .legend, .infolayer) text",
                "labels => labels.map(e => [getComputedStyle(e).fill, "
                "getComputedStyle(document.body).backgroundColor])",
            )
            assert colours
            for fill, ground in colours:
                light, dark = sorted((luminance(fill), luminance(ground)), reverse=True)
                assert (light + 0.05) / (dark + 0.05) > 4.5, (live.name, scheme_now, fill)


def luminance(colour):
    """Relative luminance of a CSS rgb() colour."""
    values = [int(v) / 255 for v in re.findall(r"\d+", colour)[:3]]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def leads():
    """What the page of all figures puts above some of them, by name."""
    page = (ROOT / "book/interactive.md").read_text("utf-8")
    bodies = re.findall(r"```\{interactive-gallery\} .*\n([^`]*)```", page)
    found = dict(line.split(": ", 1) for body in bodies for line in body.splitlines())
    assert set(found) <= {live.name for live in LIVE}
    return found


def test_the_gallery_shows_every_figure_and_fits_a_narrow_screen(visit):
    page = visit("book/interactive", screen=NARROW)
    for live in LIVE:
        wait_for(page, live)
        width = page.locator(f"#interactive-{live.name} .main-svg").first.bounding_box()["width"]
        assert width <= 390
        axes = {k: v for k, v in drawn(page, live)["layout"].items() if k.startswith("xaxis")}
        side_by_side = [k for k, v in axes.items() if v.get("domain", [0, 1]) != [0, 1]]
        assert not side_by_side
        link = page.locator(f"#fig-{live.name} ~ p a").first
        assert link.get_attribute("href") == f"../{live.notebook}.html#fig-{live.name}"
        page_name = re.escape(layout.called(live.notebook))
        source = page.locator(f"#fig-{live.name} ~ p").first.inner_text()
        assert re.fullmatch(rf"From Fig\. \d+ of {page_name}\.", source), source
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
    for name, lead in leads().items():  # a sentence of the page's own in place of the notebook's
        above = page.locator(f"#gallery-{name} > p").first.inner_text()
        assert above.split()[:4] == re.sub(r"[*$\\]", "", lead).split()[:4]


def test_only_pages_with_a_figure_load_plotly(html):
    expected = {f"{live.notebook}.html" for live in LIVE} | {"book/interactive.html"}
    loading = {
        path.relative_to(html).as_posix()
        for path in html.rglob("*.html")
        if "_static/vendor/plotly-cartesian.min.js" in path.read_text("utf-8")
    }
    assert loading == expected


def test_the_script_draws_what_the_package_has_validated():
    """The bundle is of the major version that the package of Python validates for."""
    head = (ROOT / "book/_static/vendor/plotly-cartesian.min.js").read_text("utf-8")[:200]
    (version,) = re.findall(r"plotly\.js \(cartesian - minified\) v([\d.]+)", head)
    assert version.split(".")[0] == get_plotlyjs_version().split(".")[0]


def test_accessible(visit):
    """No violation of the axe rules inside a live figure."""
    page = visit("book/interactive")
    for live in LIVE:
        wait_for(page, live)
    for theme, options in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.evaluate("s => { document.documentElement.dataset.theme = s }", theme)
        assert not axe_violations(page, include=[".privlib-interactive"], **options), theme
