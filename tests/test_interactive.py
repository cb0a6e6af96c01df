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
from urllib.parse import parse_qs, urlsplit

import numpy as np
import plotly.graph_objects as go
import pytest
import reader
from plotly.offline import get_plotlyjs_version

from conftest import NARROW, TWO_FRAMES, Visitor, barriers
from privlib.kit.interactive import HINT, MAX_BYTES, Slider, show

ROOT = Path(__file__).resolve().parent.parent

PARTS = ("laplace", "correlated", "disclosure", "location", "sketch")
ALT = "A number and its square, as two bars."
BLACK = "#000000"
GRIDS = {"cheapest-live", "dial"}  # figures without a closed form keep to their frames
NAMES = {  # what the page calls the values of a slider that are but numbers
    "cheapest-live": ["karate club", "families of Florence", "star of twelve", "path of twelve"],
    "sk-05-cheat": ["V3, without coin", "V5, with coin", "V6, item locked"],
}


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
    for notebook in reader.notebooks(ROOT):
        for figure in notebook.figures:
            if figure.live:
                name = figure.label.removeprefix("fig-")
                markup = reader.live_markup(ROOT, notebook.name, figure.label)
                yield SimpleNamespace(
                    name=name, notebook=notebook.name, markup=markup, alt=figure.alt
                )


LIVE = list(gather())
BETS = [
    SimpleNamespace(name=f"bet-{name}") for name in ("laplace", "coins", "table", "move", "report")
]


def test_every_part_has_an_interactive_figure_and_each_a_name_of_its_own():
    assert {live.notebook.split("/")[1] for live in LIVE} == set(PARTS)
    assert len({live.name for live in LIVE}) == len(LIVE)


# --- in a browser -------------------------------------------------------------------------------


# What nearby.js loads is asked for at once and runs a moment later, as on a busy machine: a test
# that does not wait for what it brings fails everywhere, not now and then.
LATE = """(() => {
  const { append } = Element.prototype;
  Element.prototype.append = function (...nodes) {
    const late = nodes.filter((node) => node.localName === "script" && node.onload);
    for (const script of late) {
      const asked = document.createElement("link");
      Object.assign(asked, { rel: "preload", as: "script", href: script.src });
      append.call(this, asked);
      setTimeout(() => append.call(this, script), 150);
    }
    append.apply(this, nodes.filter((node) => !late.includes(node)));
  };
})()"""


@pytest.fixture(scope="module")
def visitor(browser, html):
    made = Visitor(browser, html, formulas=False, color_scheme="light")
    made.context.add_init_script(LATE)
    yield made
    made.context.close()


@pytest.fixture
def visit(visitor):
    """Open a page; after the test nothing must have gone wrong on it."""
    yield visitor.open
    visitor.page.emulate_media(color_scheme="light")
    # Of what LATE asks for at once the browser says on a busy machine that it is not used at once.
    assert not [told for told in visitor.wrong if "preloaded intentionally" not in told]


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
    page.locator(f"#interactive-{live.name}").scroll_into_view_if_needed()  # plotly waits for that
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
        readout = (slider["readouts"] if k else NAMES.get(live.name, slider["readouts"]))[index]
        assert box.get_attribute("aria-valuetext") == readout
        assert page.locator(f"output[for=interactive-{live.name}-{k}]").inner_text() == readout
    for change in frame:
        if "note" in change:
            if live.name in NAMES:  # the note begins with the name
                name = NAMES[live.name][position[0]].split(",")[0]
                assert re.match(rf"(The )?{name}[:,]", change["note"])
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
        after = drawn(page, live)["data"]
        assert after != before, "a step that changes nothing"
        if live.name in GRIDS:
            position[k] += step
            assert expect(page, live, content, position) == after
        for index in (position[k] if live.name in GRIDS else position[k] + step, 0, last):
            position[k] = index
            if index in (0, last):
                box.press("End" if index else "Home")
            else:
                box.fill(place(box, slider, index))
            before = expect(page, live, content, position)


def place(box, slider, index):
    """Value of a range input at a stored position: its index, or a whole number itself."""
    if float(box.get_attribute("max")) == len(slider["readouts"]) - 1:
        return str(index)
    return slider["readouts"][index].replace(",", "")


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
        for live in LIVE + BETS:
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
    # The figure stays while its controls are scrolled to, and hides none that has the focus.
    page.locator("#interactive-knowledge-map-5").focus()
    page.locator("#interactive-knowledge-map-1").focus()
    page.wait_for_function("""() => {  // the page scrolls smoothly
      const [plot, control] = [" .privlib-plot", "-1"].map(one =>
        document.querySelector(`#interactive-knowledge-map${one}`).getBoundingClientRect());
      return plot.top >= 0 && plot.bottom <= control.top && control.bottom <= innerHeight;
    }""")


# --- beyond the frames ----------------------------------------------------------------------------


def note_of(page, name):
    return page.locator(f"#interactive-{name} .privlib-note").text_content()


def address(page):
    return {k: v[0] for k, v in parse_qs(urlsplit(page.url).fragment).items()}


def test_what_is_set_is_in_the_address_and_back_undoes_one_control(visit):
    page = visit("notebooks/laplace/02-laplace-mechanism")
    level, belief = (page.locator(f"#interactive-attacker-{k}") for k in (0, 1))
    start = note_of(page, "attacker")
    level.press("ArrowRight")
    level.press("ArrowRight")  # of the same control: one entry of the history
    assert address(page) == {"attacker": "1.05_0.1_0.05_1"}
    after_one = note_of(page, "attacker")
    belief.press("End")
    after_two, shared = note_of(page, "attacker"), page.url
    assert len({start, after_one, after_two}) == 3
    assert address(page) == {"attacker": "1.05_0.9_0.05_1"}
    page.go_back()
    assert [note_of(page, "attacker"), level.input_value()] == [after_one, "3.1"]
    page.go_back()
    assert [note_of(page, "attacker"), level.input_value()] == [start, "3"]
    assert address(page) == {}
    # What is set after Back is a new entry: the one that was reached stays.
    level.press("ArrowRight")
    belief.press("ArrowRight")
    page.go_back()
    belief.press("ArrowLeft")
    after_left = page.url
    page.go_back()
    assert [level.input_value(), belief.input_value()] == ["3.05", "1"]
    assert address(page) == {"attacker": "1.02_0.1_0.05_1"}
    page.go_forward()
    assert page.url == after_left
    # So does one whose address names a place on the page.
    page.evaluate("location.hash = 'fig-attacker'")
    here = note_of(page, "attacker")
    level.press("End")
    page.go_back()
    assert [note_of(page, "attacker"), urlsplit(page.url).fragment] == [here, "fig-attacker"]
    page.goto("about:blank")
    page.goto(shared)  # somebody else opens the link
    assert [note_of(page, "attacker"), belief.input_value()] == [after_two, "4"]
    page.goto(f"{shared.partition('#')[0]}#fig-attacker")  # a place on the page: nothing moves
    assert note_of(page, "attacker") == after_two


def test_members_are_known_by_a_click_or_by_typing(visit):
    page = visit("notebooks/correlated/03-gaussian-correlation-model")
    live = SimpleNamespace(name="network")
    wait_for(page, live)
    field = page.get_by_label("Known members", exact=True)
    before = note_of(page, "network")
    target = page.locator("#interactive-network .scatterlayer .trace .points path").nth(2)
    target.click(force=True)
    assert field.input_value() == "3"
    assert "1 known" in note_of(page, "network")
    assert drawn(page, live)["data"][1]["marker"]["symbol"].index("square") == 2
    field.fill("99")
    field.press("Enter")
    assert note_of(page, "network").startswith("Known members: only whole numbers from 1 to 34")
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("")
    field.press("Enter")
    assert [note_of(page, "network"), field.get_attribute("aria-invalid")] == [before, "false"]


def test_a_bar_is_dragged_into_the_typed_line_and_back_undoes_it(visit):
    page, live = visit("book/interactive"), SimpleNamespace(name="alpha-gain")
    wait_for(page, live)
    bars = page.locator("#interactive-alpha-gain .privlib-grip")
    field = page.get_by_label("People now")
    page.wait_for_function("document.querySelectorAll('.privlib-grip').length === 4")
    before, start = note_of(page, "alpha-gain"), field.input_value()
    assert start == "6, 9, 8, 4"
    assert bars.first.evaluate("e => getComputedStyle(e).touchAction") == "pan-x pinch-zoom"

    def drag(bar, people, *, hold=False):
        """Drag a bar, gripped in its middle, by so many people."""
        box = bars.nth(bar).bounding_box()
        unit = page.eval_on_selector(
            "#interactive-alpha-gain .privlib-plot",
            "({ _fullLayout: { yaxis: { _length, range } } }) => _length / (range[1] - range[0])",
        )
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y - (people - 0.3) * unit, steps=4)
        page.mouse.move(x, y - (people + 0.3) * unit)
        if not hold:
            page.mouse.up()

    field.scroll_into_view_if_needed()
    bars.first.scroll_into_view_if_needed()
    drag(3, 3)  # one by one, the fullest other bar gives: 9 and 8 lose three together
    assert field.input_value() == "6, 7, 7, 7"
    assert drawn(page, live)["data"][0]["y"] == [6, 7, 7, 7]
    told = "note => document.querySelector('#interactive-alpha-gain .privlib-note').textContent"
    page.wait_for_function(f"{told} !== note", arg=before)  # the frames come first
    assert address(page)["alpha-gain"].split("_")[3] == "6, 7, 7, 7"
    # Nobody can have more than all, or fewer than none; an empty bar can be taken again.
    drag(0, -40)
    assert field.input_value() == "0, 9, 9, 9"
    drag(0, 2)
    assert field.input_value() == "2, 8, 8, 9"
    # The page was to be moved after all: what was there is there again.
    drag(1, 4, hold=True)
    assert field.input_value() == "2, 12, 6, 7"
    bars.nth(1).dispatch_event("pointercancel")
    page.mouse.up()
    assert field.input_value() == "2, 8, 8, 9"
    page.go_back()
    page.wait_for_function(f"{told} === note", arg=before)
    assert [field.input_value(), address(page)] == [start, {}]


def test_a_question_stands_before_each_control_and_its_answer_is_folded(visit):
    page = visit("notebooks/sketch/03-poisoning")
    wait_for(page, SimpleNamespace(name="poisoning"))
    asked = page.locator("#interactive-poisoning .privlib-control")
    assert asked.count() == 5
    for k in range(5):
        first, second = asked.nth(k).locator("> *").all()
        assert first.locator("summary").inner_text().startswith("Guess first: ")
        assert second.locator("input").count() == 1
        assert not first.locator("p").is_visible()
    summary = asked.first.locator("summary")
    summary.press("Enter")
    assert asked.first.locator("p").is_visible()


def test_bets_are_won_or_lost_and_the_link_repeats_the_releases(visit):
    page = visit("book/interactive", "#bet-laplace=2_77x100")
    wait_for(page, SimpleNamespace(name="bet-laplace"))
    game = page.locator("#interactive-bet-laplace")
    first = note_of(page, "bet-laplace")
    right, count = map(int, re.search(r"right in (\d+) of (\d+)", first).groups())
    assert count == 100
    assert abs(right / 100 - (1 - math.exp(-1) / 2)) < 4 * 0.04  # standard error
    assert f"exceed {1 / (1 + math.exp(-2)):.1%}" in first
    bars = "e => e.data.slice(0, 2).flatMap(t => t.y).reduce((a, b) => a + b)"
    assert game.locator(".privlib-plot").evaluate(bars) == 100
    outcomes = set()
    for bet in range(3):
        game.get_by_text("Publish once more").press("Enter")
        assert note_of(page, "bet-laplace").startswith("Published: ")
        number = float(note_of(page, "bet-laplace").split()[1].strip("."))
        game.get_by_role("button", name=f"It was {3 if number > 2.5 else 2}").press("Enter")
        assert f"of {bet + 1}. The best" in note_of(page, "bet-laplace")
        outcomes.add(note_of(page, "bet-laplace").split(".")[0])
        assert game.get_by_text("Publish once more").evaluate("e => e === document.activeElement")
    assert outcomes <= {"Right", "Wrong"}
    hits = int(re.search(r"You were right in (\d)", note_of(page, "bet-laplace"))[1])
    now = int(re.search(r"rule was right in (\d+) of 103", note_of(page, "bet-laplace"))[1])
    assert now - right == hits  # whoever follows the best rule is right when it is
    assert address(page) == {"bet-laplace": "2_77x103"}
    page.reload()
    wait_for(page, SimpleNamespace(name="bet-laplace"))
    assert f"right in {now} of 103" in note_of(page, "bet-laplace")
    page.locator("#interactive-bet-laplace-0").press("ArrowLeft")  # another experiment
    assert " of 103" not in note_of(page, "bet-laplace")
    # Every bet publishes, and a table that cannot be stops it.
    for live in BETS:
        page.locator(f"#interactive-{live.name}").get_by_text("Publish 100 times").click()
        told = note_of(page, live.name)
        right, limit = (
            float(re.search(rf"{word} ([\d.]+)%", told)[1]) for word in ("100:", "exceed")
        )
        assert 0 < right < limit + 4 * 5, told
    field = page.get_by_label("People by value", exact=True)
    field.fill("1")
    field.press("Enter")
    assert note_of(page, "bet-table") == "People by value: two or three."
    assert page.locator("#interactive-bet-table").get_by_text("Publish one").is_disabled()
    # Before there are some releases, the reader is still to guess the long run.
    lines = "e => e.data.slice(2).map(t => t.line.dash)"
    assert game.locator(".privlib-plot").evaluate(lines) == ["dash", "dot", None]
    assert "In the long run the best rule is right in" in note_of(page, "bet-laplace")
    game.get_by_text("Start again").press("Enter")
    page.wait_for_function(
        f"n => ({lines})(document.querySelector(n)).length === 2",
        arg="#interactive-bet-laplace .privlib-plot",
    )
    told = note_of(page, "bet-laplace")
    assert re.fullmatch(r"In the long run no rule can exceed [\d.]+%: .*", told), told
    game.get_by_text("Publish one").press("Enter")
    game.get_by_text("Publish once more").press("Enter")
    told = note_of(page, "bet-laplace")
    left = r"You did not bet on the last one: it was [23]\. Published: .* right in [01] of 1\. In "
    assert re.match(left, told), told  # and no error
    # The numbers that are refused are marked, and no others.
    fields = [
        page.get_by_label(f"{one}", exact=True)
        for one in ("People before", "People now", "Moves, row by row")
    ]
    fields[2].fill("1, 2")
    fields[2].press("Enter")
    fields[2].and_(page.locator("[aria-invalid=true]")).wait_for()  # the frames come first
    assert [one.get_attribute("aria-invalid") for one in fields] == ["false", "false", "true"]


def test_only_pages_with_a_figure_load_plotly(html):
    expected = {f"{live.notebook}.html" for live in LIVE} | {"book/interactive.html"}
    ours = ("compute", "questions", "nearby", "interactive", "bets")
    for script in (*(rf"{name}\.js" for name in ours), r"interactive\.css"):
        loading = {
            path.relative_to(html).as_posix()
            for path in html.rglob("*.html")
            if re.search(rf'(src|href)="[^"]*_static/{script}', path.read_text("utf-8"))
        }
        assert loading == expected
    assert not [path for path in html.rglob("*.html") if "plotly-small" in path.read_text()]


def test_scripts_of_a_kind_of_page_are_loaded_there_and_nowhere_else(html):
    marks = {
        "find": r'<form class="[^"]*claims-filter|id="search-results"', "language": r'id="ja"',
        "ledger": r'<form class="[^"]*claims-filter', "glossary": r"<table[^>]* glossary-english",
    }  # fmt: skip
    for path in html.rglob("*.html"):
        # Listings of source are not written again when a template changes.
        if not {"_static", "_modules"} & set(path.parts):
            text = path.read_text("utf-8")
            for script, mark in marks.items():
                loaded = f"_static/{script}.js" in text
                assert loaded == bool(re.search(mark, text)), (path.name, script)


def test_the_script_draws_what_the_package_has_validated():
    """Same major version of plotly.js, and every type of trace is in the smaller bundle."""
    head = (ROOT / "book/_static/plotly-small.min.js").read_text("utf-8")[:200]
    ((version, traces),) = re.findall(r"plotly\.js v([\d.]+) \(([a-z, ]+)\)", head)
    assert version.split(".")[0] == get_plotlyjs_version().split(".")[0]
    types = {trace.get("type", "scatter") for live in LIVE for trace in content_of(live)["data"]}
    assert types <= set(traces.split(", "))


def test_plotly_is_loaded_when_a_figure_comes_near(visitor, visit):
    live = max(LIVE, key=lambda live: live.name == "alpha-gain")
    asked = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    page = visit(live.notebook)
    page.wait_for_selector(f"#interactive-{live.name} .privlib-plot", state="attached")
    page.evaluate(TWO_FRAMES)
    assert not [url for url in asked if "plotly-" in url]
    # What the reader sets before it is there is what is drawn.
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    wait_for(page, live)
    page.wait_for_function(LEGIBLE, arg=live.name)
    assert len([url for url in asked if "plotly-" in url]) == 1


def at_the_gallery(visitor, visit, live):
    page = visit("book/interactive")
    wait_for(page, live)
    (told,) = re.findall(
        rf'id="interactive-{live.name}".*?json">(.*?)</script>',
        (visitor.html / "book/interactive.html").read_text("utf-8"),
        re.DOTALL,
    )
    address = json.loads(told.replace("<\\/", "</"))["frames"]
    slider = page.locator(f"#interactive-{live.name} input").first
    return page, address.rpartition("/")[2], slider


def test_the_gallery_loads_frames_when_a_control_is_moved(visitor, visit):
    live = max(
        LIVE, key=lambda live: live.name == "dial"
    )  # no closed form: frames are all there is
    content, asked, held = content_of(live), [], []
    visitor.page.on("request", lambda request: asked.append(request.url))
    page, script, slider = at_the_gallery(visitor, visit, live)
    start = [one["start"] for one in content["sliders"]]
    before = expect(page, live, content, start)
    assert not [url for url in asked if "_downloads" in url]
    visitor.context.route(f"**/{script}", lambda route: held.append(route))  # noqa: PLW0108
    slider.press("ArrowRight" if start[0] == 0 else "ArrowLeft")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")  # draws again
    while not held:
        page.wait_for_timeout(20)
    assert drawn(page, live)["data"] == before
    slider.press("End")  # the last setting is what is drawn
    held.pop().continue_()
    page.wait_for_function(LEGIBLE, arg=live.name)
    last = [len(content["sliders"][0]["readouts"]) - 1, *start[1:]]
    note = next(c["note"] for c in frame_at(content, last) if "note" in c)
    page.wait_for_function(
        "([name, note]) => document.querySelector(`#interactive-${name} .privlib-note`)"
        ".textContent === note",
        arg=[live.name, note],
    )
    assert expect(page, live, content, last) != before
    assert len([url for url in asked if "_downloads" in url]) == 1
    visitor.context.unroute(f"**/{script}")


def test_without_its_frames_a_figure_gives_the_picture_back(visitor, visit):
    live = max(LIVE, key=lambda live: live.name == "dial")
    page, script, slider = at_the_gallery(visitor, visit, live)
    visitor.context.route(f"**/{script}", lambda route: route.abort())
    slider.press("End")
    page.wait_for_selector(f"#interactive-{live.name}", state="hidden")
    assert page.locator(f"#fig-{live.name} img").is_visible()
    assert any("cannot be loaded" in one for one in visitor.wrong)
    visitor.wrong.clear()
    visitor.context.unroute(f"**/{script}")


def test_accessible(visit):
    """No violation of the axe rules inside a live figure."""
    page = visit("book/interactive")
    for live in [*LIVE, *BETS]:
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
