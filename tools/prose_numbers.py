r"""Numbers in the text of a notebook: real text, kept true by the cells that computed it.

A number in a sentence stands there as text, with its source in a comment behind it::

    The attacker is right 60%<!-- {right:.0%} --> of the time.

What stands in the braces is what stands in the braces of an f-string. After the cells of a notebook
have run, ``make notebooks`` evaluates it in the same kernel and writes the result in front of the
comment, in all three formats. So the number is shown by everything that shows Markdown, and it
cannot differ from what the cells computed. The caption and the alternative text of a figure, in the
metadata of its cell, have numbers in the same form.

A page under ``book/`` that needs a number of a notebook asks for it by the role ``stored``:
``{stored}`notebooks/part/NN-slug right:.0%` ``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

NUMBER = re.compile(r"(?P<shown>[\w.,%+/−-]+)<!-- \{(?P<source>[^\n]+?)\} -->")
_COMMENT = re.compile(r"<!-- \{")
_ROLE = re.compile(r"\{stored\}`(?P<notebook>\S+) (?P<source>[^`]+)`")


def texts_of(notebook: Any) -> list[str]:
    """Return the Markdown cells of a notebook, its captions and its alternative texts."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    for settings, key in _of_figures(notebook):
        texts.append(settings[key])
    return texts


def write(notebook: Any, values: Mapping[str, str]) -> None:
    """Write values into all texts of a notebook, in place."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = with_values(cell.source, values)
    for settings, key in _of_figures(notebook):
        settings[key] = with_values(settings[key], values)


def _of_figures(notebook: Any) -> Iterator[tuple[Any, str]]:
    """Yield where each caption and alternative text stands: a mapping and a key."""
    for cell in notebook.cells:
        for part, key in (("figure", "caption"), ("image", "alt")):
            settings = cell.metadata.get("mystnb", {}).get(part, {})
            if key in settings:
                yield settings, key


def sources(texts: Iterable[str]) -> list[str]:
    """Return what is to be evaluated: each expression with its format, once, in order.

    Raises
    ------
    ValueError
        If a comment with an expression does not stand right behind a number or a word.

    Examples
    --------
    >>> sources(["In 3<!-- {wins} --> of 4<!-- {games:.0f} --> games, 3<!-- {wins} --> times."])
    ['wins', 'games:.0f']
    """
    found: dict[str, None] = {}
    for text in texts:
        numbers = list(NUMBER.finditer(text))
        if len(numbers) != len(_COMMENT.findall(text)):
            complete = {number.end("shown") for number in numbers}
            wrong = next(m for m in _COMMENT.finditer(text) if m.start() not in complete)
            line = text[text.rfind("\n", 0, wrong.start()) + 1 :].partition("\n")[0]
            raise ValueError(
                "a comment with an expression must stand right behind the number that it gives,"
                f" without a space, as in 60%<!-- {{share:.0%}} -->: {line!r}"
            )
        for number in numbers:
            found[number["source"]] = None
    return list(found)


def asked_for(root: Path, notebook: str) -> list[str]:
    """Return what the pages under ``book/`` ask a notebook for, by the role ``stored``.

    Parameters
    ----------
    root : Path
        The book's root.
    notebook : str
        ``notebooks/part/NN-slug``.
    """
    found: dict[str, None] = {}
    for path in sorted(root.glob("book/*.md")):
        for role in _ROLE.finditer(path.read_text(encoding="utf-8")):
            if role["notebook"] == notebook:
                found[role["source"]] = None
    return list(found)


def evaluation(expressions: Iterable[str]) -> str:
    r"""Return the code of a cell that prints the values of expressions, as JSON.

    Examples
    --------
    >>> share = 0.6
    >>> exec(evaluation(["share:.0%"]))
    {"share:.0%": "60%"}
    """
    lines = ["import json", "", "print(json.dumps({"]
    lines += [f"    {source!r}: f'''{{{source}}}'''," for source in expressions]
    lines += ["}))"]
    return "\n".join(lines)


def values_of(output: str) -> dict[str, str]:
    """Return the values that the cell of `evaluation` printed.

    Raises
    ------
    ValueError
        If a value is empty or has a space in it: then the text could not be found again.

    Examples
    --------
    >>> values_of('{"share:.0%": "60%"}')
    {'share:.0%': '60%'}
    """
    values: dict[str, str] = json.loads(output)
    for source, value in values.items():
        if NUMBER.fullmatch(f"{value}<!-- {{{source}}} -->") is None:
            raise ValueError(
                f"{{{source}}} gives {value!r}: in the text it must be a number or one word"
            )
    return values


def with_values(text: str, values: Mapping[str, str]) -> str:
    """Return a text whose numbers are those of `values`; an unknown one stays as it is.

    Examples
    --------
    >>> with_values("(about 50%<!-- {share:.0%} -->)", {"share:.0%": "60%"})
    '(about 60%<!-- {share:.0%} -->)'
    """

    def replaced(number: re.Match[str]) -> str:
        value = values.get(number["source"], number["shown"])
        return f"{value}<!-- {{{number['source']}}} -->"

    return NUMBER.sub(replaced, text)


def without_sources(text: str) -> str:
    """Return a text with its numbers and without the comments behind them.

    Examples
    --------
    >>> without_sources("about 60%<!-- {share:.0%} --> of them")
    'about 60% of them'
    """
    return NUMBER.sub(lambda number: number["shown"], text)
