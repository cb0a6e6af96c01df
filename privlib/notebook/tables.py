"""Tables: a caption, units in the heads, numbers on the right; text where there is no HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Number
from typing import Any

from privlib.notebook._comparison import markup


@dataclass(frozen=True)
class Table:
    """A table that notebooks show: made by `table`.

    Parameters
    ----------
    caption : str
        What the table shows.
    heads : tuple of str
        Heads of the columns.
    rows : tuple of tuple of str
        The cells as they are written, one tuple a row.
    right : tuple of bool
        Which columns hold numbers: those stand on the right.

    Examples
    --------
    >>> print(Table("Squares.", ("n", "square"), (("2", "4"), ("10", "100")), (True, True)))
    Squares.
     n  square
     2       4
    10     100
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]
    """Which columns hold numbers."""

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.heads, *self.rows)]
        lines = [
            "  ".join(
                f"{cell:{'>' if right else '<'}{width}s}"
                for cell, width, right in zip(row, widths, self.right)
            ).rstrip()
            for row in (self.heads, *self.rows)
        ]
        return "\n".join([self.caption, *lines])

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        def row(tag: str, cells: Sequence[str]) -> str:
            made = (
                f'<{tag} style="text-align:{"right" if right else "left"}">{markup(cell)}</{tag}>'
                for cell, right in zip(cells, self.right)
            )
            return f"<tr>{''.join(made)}</tr>"

        body = "".join(row("td", cells) for cells in self.rows)
        shown = (
            '<table class="numbers tex2jax_process mathjax_process">'
            f"<caption>{markup(self.caption)}</caption>"
            f"<thead>{row('th', self.heads)}</thead><tbody>{body}</tbody></table>"
        )
        return {"text/html": shown, "text/plain": str(self)}


def table(
    columns: Mapping[str, Sequence[Any]],
    *,
    caption: str,
    formats: Mapping[str, str] | None = None,
    difference: tuple[str, str] | None = None,
) -> Table:
    """Return a table of columns of the same length.

    Parameters
    ----------
    columns : mapping of str to sequence
        Head, with its unit, -> values. Heads and texts may hold ``$…$``.
    caption : str
        What the table shows, in a sentence.
    formats : mapping of str to str, optional
        Head -> format of its numbers, such as ``".3f"``.
    difference : (str, str), optional
        Two heads, such as ours and printed: a last column shows the first minus the second, in
        the format of the first.

    Returns
    -------
    Table
        HTML in a notebook, text elsewhere.

    Raises
    ------
    ValueError
        If columns differ in length, the caption is empty, or a head is unknown.

    Examples
    --------
    >>> ours, printed = [0.135, 0.607], [0.14, 0.61]
    >>> print(table({"a": [2, 0.5], "ours": ours, "printed": printed}, caption="Tail.",
    ...             formats={"ours": ".3f"}, difference=("ours", "printed")))
    Tail.
      a   ours  printed  difference
      2  0.135     0.14      -0.005
    0.5  0.607     0.61      -0.003
    """
    columns = {head: list(values) for head, values in columns.items()}
    formats = dict(formats or {})
    unknown = {*formats, *(difference or ())} - set(columns)
    if unknown:
        raise ValueError(f"table: no column {sorted(unknown)}, there are {[*columns]}")
    if len({len(values) for values in columns.values()}) != 1:
        lengths = {head: len(values) for head, values in columns.items()}
        raise ValueError(f"table: columns must have one length, got {lengths}")
    if not caption.strip():
        raise ValueError("table: caption must say what the table shows")
    if difference:
        ours, printed = difference
        columns["difference"] = [a - b for a, b in zip(columns[ours], columns[printed])]
        formats["difference"] = "+" + formats.get(ours, "").lstrip("+")
    written = [
        [_written(value, formats.get(head, "")) for value in values]
        for head, values in columns.items()
    ]
    right = (all(isinstance(value, Number) for value in values) for values in columns.values())
    return Table(caption, tuple(columns), tuple(zip(*written)), tuple(right))


def _written(value: Any, form: str) -> str:
    if not isinstance(value, Number):
        return str(value)
    if form and not isinstance(value, Integral):  # a Fraction has no format before Python 3.12
        value = float(value)  # type: ignore[arg-type]
    return format(value, form)
