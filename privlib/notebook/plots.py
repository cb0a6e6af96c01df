"""One style for every figure of the book.

The palette is that of Okabe and Ito, which stays apart for the common kinds of colour blindness;
line styles and markers differ as well, so that no figure rests on colour alone. The only module of
the package that imports matplotlib.

`use` is called once at the top of a notebook. It asks for plain PNG output with nothing in the file
that changes between runs, so that executing a notebook again leaves its pictures as they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure


class _Missing:
    """Stands in for pyplot where matplotlib is not installed, and says so when it is used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what `help` and `inspect` ask any object for
            raise AttributeError(name)
        return checks.optional("privlib.notebook.plots", "matplotlib")


mpl: Any
plt: Any
try:
    import matplotlib as mpl
    import matplotlib.pyplot as plt
except ImportError:
    mpl = plt = _Missing()

COLOURS: Mapping[str, str] = {
    "blue": "#0072B2",
    "orange": "#D55E00",
    "green": "#009E73",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "gold": "#E69F00",
    "black": "#000000",
    "grey": "#7f7f7f",
}
"""The palette by name (Okabe and Ito, with a grey for what stays in the background)."""

STYLE: Mapping[str, Any] = {}
if not isinstance(mpl, _Missing):
    STYLE = mpl.rc_params_from_file(
        Path(__file__).with_suffix(".mplstyle"), use_default_template=False
    )
"""The settings of ``plots.mplstyle``; empty without matplotlib."""


def use() -> None:
    """Set the book's style, and in a notebook plain PNG output of the figure's own size.

    Examples
    --------
    >>> with plt.rc_context():
    ...     use()
    ...     plt.rcParams["lines.linewidth"] == STYLE["lines.linewidth"]
    True
    """
    plt.rcParams.update(cast("Any", STYLE))
    try:
        from IPython import get_ipython
    except ImportError:  # pragma: no cover  (a plain interpreter without IPython)
        return
    shell = get_ipython()
    if shell is not None and hasattr(shell, "kernel"):
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        # bbox_inches=None: constrained layout already fits, and pixel sizes stay predictable
        set_matplotlib_formats("png", bbox_inches=None)


def panels(
    rows: int = 1, columns: int = 1, *, height: float = 3.6, width: float = 7.0, **options: Any
) -> tuple[Figure, Any]:
    """Return a figure with a grid of axes in the book's width.

    Parameters
    ----------
    rows, columns : int, optional
        Shape of the grid.
    height, width : float, optional
        Size of the whole figure, in inches.
    **options
        Passed on to ``matplotlib.pyplot.subplots`` (``sharex``, ``sharey``, …).

    Returns
    -------
    figure : Figure
        The figure.
    axes : Axes or ndarray of Axes
        One for a grid of one by one, else an array without axes of length one.

    Examples
    --------
    >>> figure, axes = panels(1, 2, height=3.0)
    >>> axes.shape, figure.get_size_inches().tolist()
    ((2,), [7.0, 3.0])
    >>> plt.close(figure)
    """
    made: tuple[Figure, Any] = plt.subplots(rows, columns, figsize=(width, height), **options)
    return made


def draw_network(
    graph: nx.Graph,
    ax: Axes,
    *,
    positions: Mapping[Any, Sequence[float]],
    values: npt.ArrayLike | None = None,
    labels: Mapping[Any, str] | None = None,
    size: float = 320.0,
    value_label: str = "",
    norm: Normalize | None = None,
) -> None:
    """Draw a network with its nodes coloured by a value.

    Parameters
    ----------
    graph : networkx.Graph
        Edge attribute ``weight`` (default 1) sets the line width.
    ax : matplotlib Axes
        What is drawn on; its own axes are switched off.
    positions : mapping node -> (x, y)
        Where the nodes stand; both axes have one scale.
    values : array_like, shape (n,), optional
        One value a node in the order of ``graph.nodes``; shown by colour with a colour bar.
    labels : mapping node -> str, optional
        Default: the nodes' own names.
    size : float, optional
        Area of a node, in square points.
    value_label : str, optional
        Label of the colour bar, with the unit.
    norm : matplotlib.colors.Normalize, optional
        Scale of the colours, for several networks on one scale. Default: the range of `values`.

    Raises
    ------
    ValueError
        `values` does not have one entry a node.

    Examples
    --------
    >>> import networkx as nx
    >>> figure, ax = panels()
    >>> places = {0: (0, 0), 1: (1, 0), 2: (2, 1)}
    >>> draw_network(nx.path_graph(3), ax, positions=places, labels={0: "a", 1: "b", 2: "c"})
    >>> [text.get_text() for text in ax.texts], len(ax.lines)
    (['a', 'b', 'c'], 2)
    >>> plt.close(figure)
    """
    nodes = list(graph)
    xy = np.array([positions[node] for node in nodes], dtype=np.float64)
    index = {node: k for k, node in enumerate(nodes)}
    for u, v, weight in graph.edges(data="weight", default=1.0):
        ends = xy[[index[u], index[v]]]
        ax.plot(*ends.T, color=COLOURS["grey"], lw=0.8 + 0.7 * abs(weight), ls="-", zorder=1)
    shade: Any = "#ffffff"
    if values is not None:
        shade = np.asarray(values, dtype=np.float64)
        if shade.shape != (len(nodes),):
            raise ValueError(
                f"draw_network: values must have one entry for each of the {len(nodes)} nodes, "
                f"got shape {shade.shape}"
            )
    dots = ax.scatter(
        xy[:, 0],
        xy[:, 1],
        s=size,
        c=shade,
        norm=norm if values is not None else None,
        edgecolors="black",
        linewidths=0.9,
        zorder=2,
    )
    if values is not None:
        cast("Any", ax.figure).colorbar(dots, ax=ax, label=value_label, shrink=0.85)
    for node, (x, y) in zip(nodes, xy):
        text = labels.get(node, "") if labels is not None else str(node)
        bright = values is None or _luminance(dots.to_rgba(shade[index[node]])) > 0.45
        colour = "black" if bright else "white"
        ax.text(x, y, text, ha="center", va="center", fontsize=8.5, color=colour, zorder=3)
    ax.set_aspect("equal")
    ax.axis("off")
    ax.margins(0.12)


def _luminance(rgba: Any) -> float:
    """Return how bright a colour looks, from 0 to 1 (weights of ITU-R BT.709)."""
    return float(np.dot(rgba[:3], (0.2126, 0.7152, 0.0722)))
