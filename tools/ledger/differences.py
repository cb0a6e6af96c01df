r"""Where a printed and a corrected form differ, and how texts with such marks are shown.

`differences` marks words, and parts of formulas, as small as they can be without cutting TeX in
two; `prose` returns a text with its formulas and marks as HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter

from privlib.notebook._comparison import stressed

OPEN, CLOSE = "\ue000", "\ue001"  # private characters: they stand in no text
KEY = (  # to what the marks look like
    f"What has to go is {OPEN}struck through{CLOSE}; in a formula a broken line is below it:",
    f"What takes its place is {OPEN}underlined{CLOSE}; in a formula a whole line is below it:",
    f"削除する箇所は{OPEN}取り消し線{CLOSE}で示し、式では下に破線を引く：",
    f"修正後の箇所は{OPEN}下線{CLOSE}で示し、式では下に実線を引く：",
)
_CLASS, _END = r"\class{changed}{{}", "{}}"  # signs at its ends keep their space
_PIECE = re.compile(
    r"(?P<formula>\$[^$]+\$)|\{[a-z:]+\}`[^`]*`|`[^`]*`|\*(?=\S)[^*]+\*|\s+"
    r"|[\u4e00-\u9fff々]+|[\u3041-\u309f]+|[\u30a1-\u30ff]+"
    r"|[A-Za-z0-9\u00c0-\u024f]+(?:[-’'.][A-Za-z0-9\u00c0-\u024f]+)*|.",
    re.DOTALL,
)
_TWO = {"frac", "dfrac", "tfrac", "binom", "tbinom", "dbinom"}
_NONE = re.compile(
    r"\\(?:[,;:! {}|]|(?:quad|qquad|le|ge|ne|lt|gt|in|to|mid|cdot|cdots|dots|ldots|times|sim|cup"
    r"|cap|circ|notin|approx|sum|prod|int|max|min|sup|inf|ln|log|exp|Pr|infty|lVert|rVert|lvert"
    r"|rvert|alpha|beta|gamma|delta|varepsilon|epsilon|lambda|mu|nu|pi|phi|sigma|tau|ell|known"
    r"|unknown|adversary|one|BDPL|DP|E|Var|Cov|corr|Lap|partial|pm|emptyset)(?![A-Za-z]))"
)
_LEFT = re.compile(r"\\left(?![A-Za-z])|\\right(?![A-Za-z])")
_FRAME = re.compile(r"\\begin\{|\\end\{")
LEAST = 0.15  # share of a text that must be common, or all of it is marked


def _paired(tex: str, start: int, marks: re.Pattern[str], opening: str) -> int:
    """Return where what opens at `start` is closed."""
    depth = 0
    for mark in marks.finditer(tex, start):
        depth += 1 if mark[0] == opening else -1
        if depth == 0:
            return mark.end()
    raise ValueError(f"atoms: {opening!r} is not closed in {tex!r}")


def _argument(tex: str, at: int) -> int:
    """Return where the argument ends that begins at `at`: a group, a command or a character."""
    while tex[at : at + 1] == " ":
        at += 1
    if tex[at : at + 1] == "{":
        return _paired(tex, at, re.compile(r"(?<!\\)[{}]"), "{")
    return _command(tex, at) if tex[at : at + 1] == "\\" else at + 1


def _command(tex: str, at: int) -> int:
    """Return where the command that begins at `at` ends, with its arguments."""
    if tex.startswith(r"\begin{", at):
        end = _paired(tex, at, _FRAME, r"\begin{")
        return tex.index("}", end) + 1
    if _LEFT.match(tex, at):
        return _argument(tex, _paired(tex, at, _LEFT, r"\left"))
    if alone := _NONE.match(tex, at):
        return alone.end()
    command = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL).match(tex, at)
    if command is None:
        raise ValueError(f"atoms: nothing follows the last backslash of {tex!r}")
    end = command.end()
    name = command[0][1:]
    if name == "sqrt" and tex[end : end + 1] == "[":
        end = tex.index("]", end) + 1
    takes = 2 if name in _TWO else 1 if name.isalpha() else 0
    for _ in range(takes):
        end = _argument(tex, end) if tex[end : end + 1] else end
    return end


def atoms(tex: str) -> list[str]:
    r"""Cut a formula where it can be cut: each piece can be set alone; together they are it.

    Examples
    --------
    >>> atoms(r"\frac1\lambda e^{-x} \le M_{i,j}' (a)")
    ['\\frac1\\lambda', ' ', 'e^{-x}', ' ', '\\le', ' ', "M_{i,j}'", ' ', '(', 'a', ')']
    """
    pieces, at = [], 0
    while at < len(tex):
        start = at
        if space := re.compile(r"\s+|[\d.]*\d").match(tex, at):
            at = space.end()
        else:
            at = _argument(tex, at)
        while script := re.compile(r"\s*[_^]|'+").match(tex, at):
            at = script.end() if "'" in script[0] else _argument(tex, script.end())
        pieces.append(tex[start:at])
    return pieces


def pieces(text: str) -> list[tuple[str, int]]:
    """Cut a text into words and atoms of formulas; with each, the number of its formula, or 0."""
    cut: list[tuple[str, int]] = []
    for number, piece in enumerate(_PIECE.finditer(text), 1):
        if piece["formula"]:
            cut += [(atom, number) for atom in atoms(piece[0][1:-1])]
        else:
            cut.append((piece[0], 0))
    return cut


def bare(tex: str) -> str:
    r"""Return TeX without what does not show: spaces, and braces around a single sign.

    Examples
    --------
    >>> bare(r"\frac{F}{k}") == bare(r"\frac Fk")
    True
    """
    return re.sub(r"\s+", "", re.sub(r"\{(\w)\}", r"\1", tex))


def _weight(texts: Iterable[tuple[str, int]]) -> int:
    return sum(character.isalnum() for text, _ in texts for character in text)


Pieces = Sequence[tuple[str, int]]


def differences(*pairs: tuple[str, str]) -> list[tuple[str, str]]:
    r"""Mark in both texts of each pair what the other has not; the pairs are one in all languages.

    Words stand between `OPEN` and `CLOSE`, parts of a formula in ``\class{changed}{{}…{}}``.
    Without what is marked, both texts are the same. Where they have hardly anything in common in
    one language, they are marked as a whole in all.

    Examples
    --------
    >>> differences(("at most $a + b$", "at most $a + c$"))
    [('at most $a + \\class{changed}{{}b{}}$', 'at most $a + \\class{changed}{{}c{}}$')]
    """
    cut = [(pieces(printed), pieces(instead)) for printed, instead in pairs]
    common = [_common(printed, instead) for printed, instead in cut]
    if not all(common):
        common = [[] for _ in pairs]
    marked = []
    for (printed, instead), blocks in zip(cut, common, strict=True):
        same_printed: set[int] = set()
        same_instead: set[int] = set()
        for start, other_start, length in blocks:
            same_printed.update(range(start, start + length))
            same_instead.update(range(other_start, other_start + length))
        marked.append((_marked(printed, same_printed), _marked(instead, same_instead)))
    return marked


def _common(printed: Pieces, instead: Pieces) -> list[tuple[int, int, int]]:
    """Return what two texts share, as blocks of pieces; nothing if it is hardly anything."""
    matcher = SequenceMatcher(None, _keys(printed), _keys(instead), autojunk=False)
    kept = []
    common = 0
    for i, j, length in matcher.get_matching_blocks():
        at_start = (i, j) == (0, 0)
        at_end = (i + length, j + length) == (len(printed), len(instead))
        weight = _weight(printed[i : i + length])
        # What is not a word in the middle of a change is a part of the change.
        if length and (at_start or at_end or weight > 2):
            kept.append((i, j, length))
            common += weight
    return kept if common >= LEAST * min(_weight(printed), _weight(instead)) else []


def _keys(texts: Pieces) -> list[tuple[str, bool]]:
    """Return by what pieces are compared: formulas without what does not show."""
    return [(bare(text) if number else text, number > 0) for text, number in texts]


def _marked(texts: Pieces, same: set[int]) -> str:
    """Mark all pieces but those in `same`: words, whole formulas, and parts of formulas."""
    shown = ""
    for number, several in groupby(enumerate(texts), key=lambda item: item[1][1]):
        group = [(k in same, text) for k, (text, _) in several]
        part = number and any(kept for kept, _ in group)
        start, end = (_CLASS, _END) if part else (OPEN, CLOSE)
        marked = ""
        for kept, run in groupby(group, key=itemgetter(0)):
            text = "".join(text for _, text in run)
            text = f"${text}$" if number and not part else text
            marked += text if kept else start + text + end
        shown += f"${marked}$" if part else marked
    return shown.replace(CLOSE + OPEN, "")


# --- as HTML --------------------------------------------------------------------------------------


def prose(text: str, *, cite: Callable[[str], str], late: bool = False, mark: str = "") -> str:
    r"""Return a text as HTML: formulas, code, stress, citations, and what is marked.

    Parameters
    ----------
    text : str
    cite : callable
        Takes what stands between formulas, and returns it with its citations as HTML.
    late : bool, optional
        Leave formulas as code, which a script sets when they are shown.
    mark : str, optional
        Name of the element for what is marked: ``del`` or ``ins``.

    Examples
    --------
    >>> prose("at most $a < b$", cite=str, late=True)
    'at most <code class="tex">a &lt; b</code>'
    """
    # Formulas are the pieces with an odd number.
    typed = re.split(r"\$([^$]+)\$", html.escape(text, quote=False))
    shown = ""
    for number, piece in enumerate(typed):
        if number % 2 and late:
            shown += f'<code class="tex">{piece}</code>'
        elif number % 2:
            shown += rf'<span class="math notranslate nohighlight">\({piece}\)</span>'
        else:
            words = re.sub(r"`([^`]+)`", r"<code>\1</code>", cite(piece))
            words = stressed(words)
            words = re.sub(r'"([^"<>]*)"(?![^<]*>)', r"“\1”", words).replace("'", "’")
            shown += words.replace(OPEN, f"<{mark}>").replace(CLOSE, f"</{mark}>")
    return shown
