"""Figures with sliders: what `show` refuses and stores, and what a browser makes of it.

The browser tests read the stored JSON with code of their own, move every slider with the keyboard,
and compare what plotly has drawn with the frame.
"""

from __future__ import annotations

import json
import math
import re
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import plotly.graph_objects as go
import pytest
from ledger import evidence as ledger_evidence
from plotly.offline import get_plotlyjs_version

from conftest import NARROW, Visitor, barriers
from privlib.notebook.interactive import HINT, MAX_BYTES, Slider, show

ROOT = Path(__file__).resolve().parent.parent

PARTS = ("laplace", "correlated", "disclosure", "location", "sketch")
ALT = "A number and its square, as two bars."
BLACK = "#000000"


# --- what is stored -----------------------------------------------------------------------------


def powers(x, shift):
    return [
        {"trace": 0, "y": [x + shift, x**2 + shift], "marker.color": ["#0072B2", BLACK]},
        {"layout": {"xaxis.title.text": f"x = {x}"}},
        {"note": f"{x} and {x**2}"},
    ]


def example(name="square", *, figure=None, sliders=None, frames=powers, alt=ALT):
    figure = go.Figure(go.Bar(x=["x", "x²"])) if figure is None else figure
    sliders = sliders or [Slider("x", [1, 2, 3], "d", start=1), Slider("shift", [0, 1 / 3])]
    return show(name, figure, sliders, frames, alt=alt)


def stored(shown):
    return json.loads(shown.data)


def test_frames_come_in_the_order_of_the_product_and_the_figure_opens_at_the_start():
    content = stored(example())
    ys = [frame[0]["y"] for frame in content["frames"]]
    assert ys == [[1, 1], [1.333, 1.333], [2, 4], [2.333, 4.333], [3, 9], [3.333, 9.333]]
    assert content["data"][0]["y"] == [2, 4]
    assert content["data"][0]["marker"]["color"] == ["#0072B2", BLACK]
    assert content["layout"] == {"xaxis": {"title": {"text": "x = 2"}}}
    assert content["sliders"][0] == {"label": "x", "readouts": ["1", "2", "3"], "start": 1}
    assert content["frames"][4][2] == {"note": "3 and 9"}


def test_the_output_is_the_same_each_time_and_the_figure_is_left_alone():
    figure = go.Figure(go.Bar(x=["x", "x²"]))
    before = figure.to_json()
    first, second = example(figure=figure), example(figure=figure)
    assert first._repr_mimebundle_() == second._repr_mimebundle_()
    assert figure.to_json() == before
    assert repr(first) == "<interactive figure square>"


def test_numbers_are_rounded_and_plain():
    def frames(x, shift):
        return [
            {"trace": 0, "y": np.array([x * math.pi, 12345.6]), "width": [np.float32(1 / 3)] * 2}
        ]

    first = stored(example(frames=frames))["frames"][0][0]
    assert first == {"trace": 0, "y": [3.142, 12350], "width": [0.3333, 0.3333]}


def test_html_is_escaped_and_holds_no_script_but_the_data():
    def frames(x, shift):
        return [{"trace": 0, "y": [1, 2], "text": ["</script><b>", "b"]}]

    markup = example(frames=frames, alt='Bars of "x" & <x²>, side by side')
    markup = markup._repr_mimebundle_()[0]["text/html"]
    assert markup.count("</script>") == 1
    assert 'aria-label="Bars of &quot;x&quot; &amp; &lt;x²&gt;, side by side"' in markup
    assert 'role="group"' in markup
    assert HINT in markup
    assert "Plotly" not in markup
    data = re.search(r'<script type="application/json">(.*?)</script>', markup)[1]
    assert json.loads(data)["frames"][0][0]["text"][0] == "</script><b>"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": ""}, "label must not be empty"),
        ({"values": [1]}, "at least two values"),
        ({"values": [[1, 2], [3, 4]]}, "at least two values"),
        ({"values": [1, math.nan]}, "finite and increasing"),
        ({"values": [1, math.inf]}, "finite and increasing"),
        ({"values": [2, 1]}, "finite and increasing"),
        ({"values": [1, 1]}, "finite and increasing"),
        ({"start": 3}, r"start must be in 0\.\.2"),
        ({"start": -1}, r"start must be in 0\.\.2"),
        ({"format": ".0f", "values": [0.1, 0.2]}, "shows two values as the same"),
        ({"format": "x"}, "format"),
    ],
)
def test_a_slider_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        Slider(**{"label": "x", "values": [1.0, 2.0, 3.0], **options})


def test_readouts_have_format_and_unit():
    assert Slider("τ", [0.5, 20], "g", unit="bits").readouts == ("0.5 bits", "20 bits")


def changed(change, *, only=None):
    """Frames of the example, with one change put in (at one value of x only)."""

    def frames(x, shift):
        first, *rest = powers(x, shift)
        return [{**first, **change} if only in (None, x) else first, *rest]

    return {"frames": frames}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "Two words"}, "lower case"),
        ({"name": "1st"}, "lower case"),
        ({"alt": "Bars."}, "alt must say"),
        ({"sliders": [Slider("x", [1, 2]), Slider("x", [1, 2])]}, "different labels"),
        ({"sliders": [Slider("x", range(1, 202)), Slider("y", [0, 1])]}, "at most 200 frames"),
        (changed({"trace": 1}), r"a trace in 0\.\.0"),
        (changed({"trace": -1}), r"a trace in 0\.\.0"),
        (changed({"trace": "0"}), r"a trace in 0\.\.0"),
        (changed({"y": [1, 2, 3]}), "differ in length"),
        (changed({"y": [1]}, only=3), "differ in length"),
        (changed({"marker.color": ["red"]}), "differ in length"),
        (changed({"y": [1, math.nan]}), "must be finite"),
        (changed({"y": [1, math.inf]}, only=3), r"frame \(3, 0\): numbers must be finite"),
        (changed({"heigth": [1, 2]}), "heigth"),
        (changed({"marker.color": "bluish"}), "bluish"),
        (changed({"width": [1, 2]}, only=3), "the first one changes"),
        (changed({"y": [1, object()]}), "neither number nor text"),
        ({"figure": go.Figure(go.Bar(x=[1, math.nan]))}, "must be finite"),
        ({"frames": lambda x, shift: [{"note": "x" * MAX_BYTES}]}, f"at most {MAX_BYTES} bytes"),
        (
            {"frames": lambda x, shift: [{"layout": {f"{'xy'[x % 2]}axis.title.text": "x"}}]},
            "the first one changes",
        ),
    ],
)
def test_show_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        example(**options)


def test_show_needs_a_slider():
    with pytest.raises(ValueError, match="needs sliders"):
        show("square", go.Figure(go.Bar(x=["x", "x²"])), [], list, alt=ALT)


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
    assert {live.notebook.split("/")[1] for live in LIVE} == set(PARTS)
    assert len({live.name for live in LIVE}) == len(LIVE)


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def visitor(browser, html):
    made = Visitor(browser, html, formulas=False, color_scheme="light")
    yield made
    made.context.close()


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
    scriptless = Visitor(browser, html, formulas=False, java_script_enabled=False)
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
        number = int(re.search(r"/(\d+)-", live.notebook)[1])
        source = page.locator(f"#fig-{live.name} ~ p").first.inner_text()
        assert re.fullmatch(rf"From Fig\. \d+ of notebook {number}\.", source), source
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
        assert not barriers(page, include=[".privlib-interactive"], **options), theme


@pytest.mark.parametrize("noise", [-1e-14, 0, 1e-14])
def test_a_tie_is_rounded_alike_whatever_its_last_bits(noise):
    value = 6.6725 + noise
    assert f"{value:.4g}" == ("6.672" if noise < 0 else "6.673" if noise > 0 else f"{6.6725:.4g}")
    figure = go.Figure(go.Bar(x=["a"], y=[value]))
    frames = lambda _: [{"trace": 0, "y": [value]}]  # noqa: E731
    made = show("tie", figure, [Slider("s", [1, 2])], frames, alt="One bar whose height is a tie.")
    assert json.loads(made.data)["frames"][0][0]["y"] == [float(f"{6.6725:.4g}")]
