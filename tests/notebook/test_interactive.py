"""Figures with sliders: what `show` refuses and stores."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import plotly.graph_objects as go
import pytest

from privlib.notebook.interactive import HINT, MAX_BYTES, Slider, show

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


@pytest.mark.parametrize("noise", [-1e-14, 0, 1e-14])
def test_a_tie_is_rounded_alike_whatever_its_last_bits(noise):
    value = 6.6725 + noise
    assert f"{value:.4g}" == ("6.672" if noise < 0 else "6.673" if noise > 0 else f"{6.6725:.4g}")
    figure = go.Figure(go.Bar(x=["a"], y=[value]))
    frames = lambda _: [{"trace": 0, "y": [value]}]  # noqa: E731
    made = show("tie", figure, [Slider("s", [1, 2])], frames, alt="One bar whose height is a tie.")
    assert json.loads(made.data)["frames"][0][0]["y"] == [float(f"{6.6725:.4g}")]
