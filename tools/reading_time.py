"""How long executed notebooks take to read; run with the names of their ``.ipynb`` files."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ledger.evidence import MINUTES, WORK, cells_of

WORDS_A_MINUTE = 200
SECONDS = {"formula": 15, "picture": 30, "code": 4}  # a displayed line; a figure or table; a line
# What is no code to read: folded, or a cell to work in.
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
NOT_READ = HIDDEN | {WORK}
_SOLUTION = re.compile(r"`{3,}\{solution-start\}.*?\{solution-end\}\s*`{3,}", re.DOTALL)
_DISPLAYED = re.compile(r"\$\$(.+?)\$\$|^(`{3,})\{math\}(.+?)^\2", re.DOTALL | re.MULTILINE)
_NOT_PROSE = re.compile(
    r"^ *[`:]{3,}(?:\{[\w:-]+\})?|^ *:[\w-]+:.*$|^%.*$|^ *\|[-:| ]+\|$|<!--(?:.|\n)*?-->|[#|*_>]+",
    re.MULTILINE,
)
_PICTURED = re.compile(r"^ *\|[-:| ]+\|$|\{(?:figure|list-table)\}", re.MULTILINE)
_SPACED = re.compile(r"\$[^$]+\$|\{[\w:-]+\}`[^`]*`")  # a formula or a role is one word


def reading(cells: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    r"""Count what a reader of an executed notebook meets; solutions and folded code are not read.

    Returns
    -------
    dict
        ``words`` of prose and exercises; ``formula``: displayed lines of mathematics, typed or
        derived; ``picture``: figures and tables; ``code``: shown lines that are not blank.

    Examples
    --------
    >>> text = {"cell_type": "markdown", "source": "Two $x + 1$ words.\n\n$$a = b$$"}
    >>> code = {"cell_type": "code", "source": "x = 1\n\nprint(x)", "metadata": {}}
    >>> reading([text, code])
    {'words': 3, 'formula': 1, 'picture': 0, 'code': 2}
    """
    count = dict.fromkeys(("words", "formula", "picture", "code"), 0)
    mark = "\0{}\0"  # where code stands, so that solutions can be cut out of the whole
    texts = []
    for number, cell in enumerate(cells):
        is_text = cell["cell_type"] == "markdown"
        texts.append("".join(cell["source"]) if is_text else mark.format(number))
    prose = _SOLUTION.sub("", "\n\n".join(texts))
    for place in re.finditer(r"\0(\d+)\0", prose):
        cell = cells[int(place[1])]
        if cell["cell_type"] == "code" and not NOT_READ & set(cell["metadata"].get("tags", ())):
            count["code"] += sum(
                bool(line.strip()) for line in "".join(cell["source"]).splitlines()
            )
        for output in cell.get("outputs", ()):
            html = "".join(output.get("data", {}).get("text/html", ""))
            derived = re.search(r'<table class="derivation\b.*?</table>', html, re.DOTALL)
            count["formula"] += derived[0].count("<tr") if derived else 0
            pictured = "image/png" in output.get("data", {})
            count["picture"] += pictured + html.count("<table") - bool(derived)
    prose = re.sub(r"\0\d+\0", "", prose)
    for formula in _DISPLAYED.finditer(prose):
        count["formula"] += (formula[1] or formula[3]).strip().removesuffix(r"\\").count(r"\\") + 1
    count["picture"] += len(_PICTURED.findall(prose))
    prose = _NOT_PROSE.sub(" ", _SPACED.sub("x", _DISPLAYED.sub(" ", prose)))
    count["words"] = len(re.findall(r"\S*\w\S*", prose))
    return count


def minutes_of(count: Mapping[str, int]) -> float:
    """Return the minutes that it takes to read what `reading` counted.

    Examples
    --------
    >>> minutes_of({"words": 400, "formula": 4, "picture": 2, "code": 15})
    5.0
    """
    return count["words"] / WORDS_A_MINUTE + sum(s * count[k] for k, s in SECONDS.items()) / 60


def main(paths: Sequence[str]) -> None:
    """Say how long executed notebooks take to read, and what was counted."""
    for path in paths:
        cells = cells_of(Path(path))
        count = reading(cells)
        stated = MINUTES.search("".join("".join(cell["source"]) for cell in cells))
        minutes = stated[1] if stated else 0
        parts = ", ".join(f"{number} {what}" for what, number in count.items())
        print(f"{path}: {minutes_of(count):.1f} minutes, stated {minutes} ({parts})")


if __name__ == "__main__":
    main(sys.argv[1:])
