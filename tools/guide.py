r"""The guide *Use the package*: its code runs, and what it prints stands beneath it.

``book/use.md`` is plain Markdown. A block of Python may be followed by a block of text, which is
what the code printed; all blocks share one namespace, in order. Releases have no seed, so what they
print differs from run to run: such a block follows a paragraph that ends with ``for example:``, and
a run may print other digits there, and other remarks in parentheses. A number in the text has its
source in a comment behind it, as in the notebooks (see `prose_numbers`); it is evaluated after the
blocks before it.

``python tools/guide.py`` runs the page and writes what changed.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import prose_numbers

PAGE = Path(__file__).resolve().parents[1] / "book" / "use.md"
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?P<between>(?:\n[^\n`#|]*for example:\n)?\n)?"
    r"(?:^```text\n(?P<shown>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
_REMARK = re.compile(r"\([^()]*\)")
_DIGITS = re.compile(r"[-−]?\d[\d,.e+-]*")


def alike(first: str, second: str) -> bool:
    """Whether two texts differ in numbers, spaces and remarks only.

    A remark stands in parentheses: a report adds ``(no protection …)`` to a low level, which
    another run may not have. Where both have as many, they must agree.

    Examples
    --------
    >>> alike("[ 3 -12]", "[17  4]"), alike("3 of 4", "3 from 4")
    (True, False)
    >>> alike("k 1.02 (no protection)", "k 2.1"), alike("k 3 (safe)", "k 3 (unsafe)")
    (True, False)
    """
    if len(_REMARK.findall(first)) != len(_REMARK.findall(second)):
        first = _REMARK.sub("", first)
        second = _REMARK.sub("", second)
    return _masked(first) == _masked(second)


def _masked(text: str) -> str:
    return re.sub(r"\s+", "", _DIGITS.sub("0", text))


def rewritten(text: str) -> str:
    """Return the text of a page with what its code prints and computes now.

    What is printed *for example* stays if only its digits or its remarks would change.

    Raises
    ------
    ValueError
        If code prints and no block of text shows it, or the other way round.
    """
    namespace: dict[str, Any] = {"__name__": "__main__"}
    parts = []
    end = 0
    for block in BLOCK.finditer(text):
        parts.append(_with_numbers(text[end : block.start()], namespace))
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], str(PAGE), "exec"), namespace)
        output = printed.getvalue()
        if bool(output) != (block["shown"] is not None):
            first = block["code"].partition("\n")[0]
            raise ValueError(f"a block prints, or it has a block of text, but not both: {first}")
        whole = block.group()
        if block["shown"] is not None:
            example = "for example:" in (block["between"] or "")
            if not (example and alike(block["shown"], output)):
                whole = whole.replace(f"```text\n{block['shown']}", f"```text\n{output}")
        parts.append(whole)
        end = block.end()
    parts.append(_with_numbers(text[end:], namespace))
    return "".join(parts)


def _with_numbers(text: str, namespace: dict[str, Any]) -> str:
    values = {}
    for source in prose_numbers.sources([text]):
        values[source] = eval(f"f'''{{{source}}}'''", namespace)
    return prose_numbers.with_values(text, values)


def main() -> None:
    """Run the page and write what changed."""
    text = PAGE.read_text(encoding="utf-8")
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # the page stores a file
        try:
            now = rewritten(text)
        finally:
            os.chdir(here)
    if now != text:
        PAGE.write_text(now, encoding="utf-8")
        print(f"guide: wrote {PAGE.name}")


if __name__ == "__main__":
    main()
