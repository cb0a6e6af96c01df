"""Figures with sliders, for the built book: a grid of positions, computed here.

A reader moves sliders over a small grid of values; each point of the product of the grids is one
*frame*. `show` evaluates all frames with Python, has plotly validate them, rounds all numbers and
writes one HTML element with the figure as JSON in it. The script of the book
(``book/_static/figures.js``) draws the frame of where the sliders are, so that a reader sees
numbers that a notebook cell produced and can assert.

The element stands in the cell after an ordinary figure whose label is ``fig-`` and the same name.
That figure is what print and a reader without JavaScript see; in the built book the live figure
takes its place, above the same caption.

Needs the extra ``notebooks`` (plotly), and imports it only when called.
"""

from __future__ import annotations

import html
import itertools
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import plotly.graph_objects as go

MAX_FRAMES = 200
"""How many positions the sliders of one figure may have together."""

MAX_BYTES = 250_000
"""How long the JSON of one figure may be, in UTF-8."""

HINT = "The sliders need JavaScript, in the built book."

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_STABLE = 10  # digits that agree between machines
_SIGNIFICANT = 4  # more than a reader can see


@dataclass(frozen=True)
class Slider:
    """One control: a label and the values that it can take.

    Parameters
    ----------
    label : str
        What the reader sets, such as ``"correlation ρ"``.
    values : sequence of numbers
        At least two, increasing.
    format : str, optional
        Python's format of the readout, such as ``".2f"`` or ``"d"``.
    unit : str, optional
        Written after the number.
    start : int, optional
        Index of the value at which the figure opens.

    Raises
    ------
    ValueError
        The label is empty, the values are fewer than two, not finite or not increasing, the format
        does not fit them or shows two as the same, or `start` is no index of them.

    Examples
    --------
    >>> Slider("retention p", [0.5, 0.75], format=".0%").readouts
    ('50%', '75%')
    """

    label: str
    values: Sequence[float]
    format: str = ".2f"
    unit: str = ""
    start: int = 0

    def __post_init__(self) -> None:
        if not self.label:
            raise ValueError("Slider: label must not be empty")
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != 1 or len(values) < 2:
            raise ValueError(f"Slider {self.label}: needs at least two values, got {self.values!r}")
        if not np.all(np.isfinite(values)) or not np.all(np.diff(values) > 0):
            raise ValueError(
                f"Slider {self.label}: values must be finite and increasing, got {self.values!r}"
            )
        if not 0 <= self.start < len(values):
            raise ValueError(
                f"Slider {self.label}: start must be in 0..{len(values) - 1}, got {self.start}"
            )
        if len(set(self.readouts)) < len(values):
            raise ValueError(
                f"Slider {self.label}: format {self.format!r} shows two values as the same"
            )

    @property
    def readouts(self) -> tuple[str, ...]:
        """What the reader sees for each value, which is the number in its format and the unit.

        Examples
        --------
        >>> Slider("noise", [1, 2.5], format=".1f", unit="users").readouts
        ('1.0 users', '2.5 users')
        """
        return tuple(f"{v:{self.format}}{self.unit and ' ' + self.unit}" for v in self.values)


@dataclass(frozen=True)
class Interactive:
    """A figure with sliders, ready to be shown; its HTML holds all of it.

    Parameters
    ----------
    name : str
        What the labels of this figure and of its static twin end with.
    alt : str
        The alternative text.
    data : str
        Traces, layout, sliders and frames as JSON.

    Examples
    --------
    >>> import plotly.graph_objects as go
    >>> square = show(
    ...     "square", go.Figure(go.Bar(x=["x", "x²"])), [Slider("x", [1, 2, 3], format="d")],
    ...     lambda x: [{"trace": 0, "y": [x, x**2]}], alt="Two bars: a number and its square.",
    ... )
    >>> square.name, json.loads(square.data)["sliders"][0]["readouts"]
    ('square', ['1', '2', '3'])
    """

    name: str
    alt: str
    data: str

    def __repr__(self) -> str:
        return f"<interactive figure {self.name}>"

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, str], dict[str, Any]]:
        # "</" would end the script element early, whatever JSON thinks of it
        data = self.data.replace("</", "<\\/")
        markup = (
            f'<div class="privlib-interactive" id="interactive-{self.name}" role="group" '
            f'aria-label="{html.escape(self.alt)}">'
            f'<script type="application/json">{data}</script>'
            f'<p class="privlib-hint">{HINT}</p></div>'
        )
        shown = {"text/html": markup, "text/plain": repr(self)}
        return shown, {"privlib": {"live": self.name}}


def show(
    name: str,
    figure: go.Figure,
    sliders: Sequence[Slider],
    frames: Callable[..., Sequence[Mapping[str, Any]]],
    *,
    alt: str,
) -> Interactive:
    """Return a figure with sliders; as the last expression of a cell it is shown.

    Parameters
    ----------
    name : str
        Lower case letters, digits and hyphens; the static figure that it replaces in the built
        book has the label ``fig-`` and this name. Unique in the book.
    figure : plotly.graph_objects.Figure
        Its traces and layout. What the frames change may be empty here: the frame at the start
        is filled in. Black follows the text colour of the page's theme.
    sliders : sequence of Slider
        At least one, with different labels.
    frames : callable
        Called with one value a slider; returns a sequence of changes. A change is a mapping: with
        ``"trace"`` (an index) and properties of that trace by their path, such as
        ``{"trace": 0, "y": …, "marker.color": …}``; or ``{"layout": {path: value}}``; or
        ``{"note": text}``, one sentence on what the position shows, read out by screen readers.
        Every frame changes the same properties.
    alt : str
        What the figure shows, in a sentence or two.

    Returns
    -------
    Interactive
        The figure, all frames evaluated.

    Raises
    ------
    ValueError
        The name is malformed, the alternative text shorter than 20 characters, a slider missing or
        doubled; there are more than `MAX_FRAMES` frames or `MAX_BYTES` bytes; a frame names a trace
        or a property that is not there, changes other properties than the first frame, leaves a
        trace with arrays of different lengths, or holds a number that is not finite.

    Notes
    -----
    Numbers are rounded to four significant digits, so that the stored output is the same on
    every machine.

    Examples
    --------
    >>> import plotly.graph_objects as go
    >>> square = show(
    ...     "square", go.Figure(go.Bar(x=["x", "x²"])), [Slider("x", [1, 2, 3], format="d")],
    ...     lambda x: [{"trace": 0, "y": [x, x**2]}], alt="Two bars: a number and its square.",
    ... )
    >>> [frame[0]["y"] for frame in json.loads(square.data)["frames"]]
    [[1, 1], [2, 4], [3, 9]]
    """
    where = f"show {name}"
    if not _NAME.fullmatch(name):
        raise ValueError(f"show: name must be lower case letters, digits, hyphens, got {name!r}")
    if len(alt) < 20:
        raise ValueError(f"{where}: alt must say what the figure shows, got {alt!r}")
    labels = [slider.label for slider in sliders]
    if not labels or len(set(labels)) < len(labels):
        raise ValueError(f"{where}: needs sliders with different labels, got {labels}")
    count = math.prod(len(slider.values) for slider in sliders)
    if count > MAX_FRAMES:
        raise ValueError(f"{where}: at most {MAX_FRAMES} frames, got {count}")
    shown = type(figure)(figure)  # a copy: plotly validates each frame on it
    grid = itertools.product(*(slider.values for slider in sliders))
    evaluated = [_evaluated(where, shown, frames, position) for position in grid]
    shapes = [
        [(c.get("trace"), sorted({*c, *c.get("layout", ())})) for c in frame] for frame in evaluated
    ]
    for position, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ValueError(
                f"{where}: frame {position} changes {shape}, the first one changes {shapes[0]}"
            )
    start = np.ravel_multi_index(
        [slider.start for slider in sliders], [len(slider.values) for slider in sliders]
    )
    for change in evaluated[int(start)]:
        _apply(where, shown, change)
    content = {
        "name": name,
        "data": [_plain(where, trace.to_plotly_json()) for trace in shown.data],
        "layout": _plain(where, {**shown.layout.to_plotly_json(), "template": None}),
        "sliders": [
            {"label": slider.label, "readouts": slider.readouts, "start": slider.start}
            for slider in sliders
        ],
        "frames": evaluated,
    }
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if len(data.encode()) > MAX_BYTES:
        raise ValueError(f"{where}: at most {MAX_BYTES} bytes, got {len(data.encode())}")
    return Interactive(name, alt, data)


def _evaluated(
    where: str,
    figure: go.Figure,
    frames: Callable[..., Sequence[Mapping[str, Any]]],
    position: tuple[float, ...],
) -> list[dict[str, Any]]:
    """Return the changes of one frame in plain numbers, after plotly has taken them."""
    changes = [_plain(f"{where}, frame {position}", change) for change in frames(*position)]
    for change in changes:
        _apply(f"{where}, frame {position}", figure, change)
    return changes


def _apply(where: str, figure: go.Figure, change: Mapping[str, Any]) -> None:
    """Apply one change to a figure; plotly refuses unknown properties and bad values."""
    if set(change) == {"note"}:
        return
    if set(change) == {"layout"}:
        for path, value in change["layout"].items():
            figure.layout[path] = value
        return
    index = change.get("trace")
    if not isinstance(index, int) or not 0 <= index < len(figure.data):
        raise ValueError(
            f"{where}: a change needs layout, note, or a trace in 0..{len(figure.data) - 1}, "
            f"got {change!r}"
        )
    trace = figure.data[index]
    for path, value in change.items():
        if path != "trace":
            trace[path] = value
    arrays = {path: trace[path] for path in {"x", "y", *change} - {"trace"} if path in trace}
    lengths = {path: len(a) for path, a in arrays.items() if isinstance(a, (tuple, np.ndarray))}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{where}: the arrays of trace {index} differ in length, {lengths}")


def _plain(where: str, value: Any) -> Any:
    """Return `value` as JSON's types, numbers rounded; refuse what is not finite."""
    if isinstance(value, Mapping):
        return {key: _plain(where, v) for key, v in value.items() if v is not None}
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(where, v) for v in value]
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise ValueError(f"{where}: numbers must be finite, got {value}")
        # Twice: after the first rounding a tie such as 6.6725 is the same number on every machine.
        rounded = float(f"{float(f'{value:.{_STABLE}g}'):.{_SIGNIFICANT}g}")
        return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise ValueError(f"{where}: neither number nor text: {value!r}")
