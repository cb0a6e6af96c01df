"""Figures: one style, deterministic bytes, colours that stay apart."""

from __future__ import annotations

import io
from types import SimpleNamespace

import matplotlib as mpl

mpl.use("Agg")

import IPython
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import LogNorm, to_rgb
from matplotlib_inline import backend_inline

from privlib.notebook import plots


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")
    mpl.rcdefaults()


def test_use_sets_the_style():
    plots.use()
    assert mpl.rcParams["axes.grid"] is True
    assert mpl.rcParams["figure.dpi"] == plots.STYLE["figure.dpi"] == 110
    cycle = mpl.rcParams["axes.prop_cycle"].by_key()
    assert cycle["color"] == list(plots.COLOURS.values())[:6]
    assert len(set(cycle["linestyle"])) == 6


@pytest.mark.parametrize("kernel", [True, False])
def test_use_asks_a_notebook_for_plain_png(monkeypatch, kernel):
    asked = []
    shell = SimpleNamespace(kernel=None) if kernel else SimpleNamespace()
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    monkeypatch.setattr(
        backend_inline,
        "set_matplotlib_formats",
        lambda *formats, **options: asked.append((formats, options)),
    )
    plots.use()
    assert asked == ([(("png",), {"bbox_inches": None})] if kernel else [])


def test_colours_differ_in_lightness_or_hue_for_every_eye():
    # Machado, Oliveira, Fernandes (2009), severity 1: how the palette looks without red cones
    protanopia = np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    )
    cycle = ["blue", "orange", "green", "purple", "sky", "gold"]
    seen = np.array([to_rgb(plots.COLOURS[name]) for name in cycle]) @ protanopia.T
    distance = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    assert distance[~np.eye(len(cycle), dtype=bool)].min() > 0.15


def test_panels():
    figure, axes = plots.panels(2, 3, height=4, width=6, sharex=True)
    assert axes.shape == (2, 3)
    assert tuple(figure.get_size_inches()) == (6, 4)


def picture():
    plots.use()
    graph = nx.path_graph(3)
    graph.add_edge(0, 2, weight=2.0)
    figure, ax = plots.panels()
    positions = {0: (0, 0), 1: (1, 1), 2: (2, 0)}
    plots.draw_network(
        graph, ax, positions=positions, values=[0.0, 0.5, 1.0], value_label="leakage"
    )
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue(), ax


def test_the_same_figure_has_the_same_bytes():
    assert picture()[0] == picture()[0]


def test_draw_network_marks_every_node_and_keeps_text_legible():
    _, ax = picture()
    assert [text.get_text() for text in ax.texts] == ["0", "1", "2"]
    assert [ax.texts[k].get_color() for k in (0, 2)] == ["white", "black"]
    widths = [line.get_linewidth() for line in ax.lines]
    assert len(widths) == 3
    assert max(widths) > min(widths)


def test_draw_network_without_values_and_with_labels():
    _, ax = plots.panels()
    plots.draw_network(nx.path_graph(2), ax, positions={0: (0, 0), 1: (1, 0)}, labels={0: "a"})
    assert [text.get_text() for text in ax.texts] == ["a", ""]
    with pytest.raises(ValueError, match=r"values must have one entry for each of the 2 nodes"):
        plots.draw_network(nx.path_graph(2), ax, positions={0: (0, 0), 1: (1, 0)}, values=[1.0])


def test_networks_on_one_scale_share_their_colours():
    fig, axes = plots.panels(1, 2)
    for ax, values in zip(axes, ([1.0, 2.0], [2.0, 100.0])):
        spots = {0: (0, 0), 1: (1, 0)}
        graph = nx.path_graph(2)
        plots.draw_network(graph, ax, positions=spots, values=values, norm=LogNorm(1, 100))
    left, right = (ax.collections[0] for ax in axes)
    fig.canvas.draw()
    assert left.get_facecolors()[1].tolist() == right.get_facecolors()[0].tolist()
    assert left.get_facecolors()[1].tolist() != right.get_facecolors()[1].tolist()
