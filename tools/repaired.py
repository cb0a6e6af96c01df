r"""A paper put right: its claims in its own order, and what to read in place of what is printed.

Three things are decided here, each by a rule and none by hand:

*The order.* A claim stands in the section that its `where` names first, or else in the one in which
its first place falls (``book/outlines.yml`` says where each section begins); within a section the
claims follow their places. Claims about one printed object (Theorem 5.1, Table 3, equations (13)
to (16)) stand together, where its first one would; a claim that speaks of the object in another
section stays there and is counted with it.

*How an object stands as a whole*, from the verdicts of its claims: `standing`.

*Where two forms differ*: `differences` marks words, and parts of formulas, as small as they can be
without cutting TeX in two.

The Japanese wording comes from ``book/claims/ja/<part>.yml``.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from reader import Claim, Status, loader

from privlib.notebook._comparison import stressed

# --- the order ----------------------------------------------------------------------------------

_NUMBER = r"\d+(?:\.\d+)*"
_OBJECT = re.compile(
    r"proof(?: of [A-Z][a-z]+ [\d.]*\d)?|table of symbols|footnote \d+"
    r"|(?<!after )(?:Definition|Theorem|Proposition|Lemma|Claim|Algorithm|Table|Figure|Example)s?"
    rf" {_NUMBER}(?:(?:, | and ){_NUMBER})*"
)
_EQUATIONS = re.compile(r"(?<!case )(?<!\w)\((\d+)\)(?:-\((\d+)\))?")


@dataclass(frozen=True)
class Section:
    """A section of a source: where it begins, its name and title, in English and in Japanese."""

    start: int
    name: str
    title: str
    name_ja: str
    title_ja: str


@dataclass(frozen=True)
class Group:
    """Claims that stand together: those about one printed object, or running text (no name)."""

    name: str
    rows: tuple[Status, ...]
    elsewhere: tuple[Status, ...] = ()
    """Claims about the object that stand in other sections."""

    @property
    def id(self) -> str:
        """Id of its heading."""
        return "object-" + re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def title(self) -> str:
        """Its name, as a heading or a sentence begins with it."""
        return self.name[:1].upper() + self.name[1:]

    @property
    def every(self) -> tuple[Status, ...]:
        """All claims about the object."""
        return (*self.rows, *self.elsewhere)

    @property
    def standing(self) -> str:
        """How the object stands as a whole."""
        return standing(self.every)

    @property
    def counts(self) -> dict[str, int]:
        """How many of its claims have which outcome."""
        return counts(self.every)


@cache
def _yaml(path: Path, _modified: int) -> Any:
    import yaml

    return yaml.load(path.read_text(encoding="utf-8"), Loader=loader())


def outline(root: Path, part: str) -> tuple[Section, ...]:
    """Return the sections of a source, in its order."""
    path = root / "book" / "outlines.yml"
    return tuple(Section(*row) for row in _yaml(path, path.stat().st_mtime_ns)[part])


def japanese(root: Path, part: str) -> Mapping[str, Mapping[str, str]]:
    """Return the Japanese wording: claim -> field -> text."""
    path = root / "book" / "claims" / "ja" / f"{part}.yml"
    found: Mapping[str, Mapping[str, str]] = _yaml(path, path.stat().st_mtime_ns)
    return found


def worded(
    root: Path, parts: Iterable[str], statuses: Callable[[str], Mapping[str, Status]]
) -> dict[str, Mapping[str, str]]:
    """Return the Japanese wording of each claim; what has none yet is in English."""
    found: dict[str, Mapping[str, str]] = {}
    for part in parts:
        ours = japanese(root, part)
        for key, status in statuses(part).items():
            claim = status.claim
            english = {
                "says": claim.says,
                "reading": claim.reading,
                "not_checkable": claim.not_checkable,
            }
            found[key] = {**english, **status.texts, **ours.get(key, {})}
    return found


def objects(claims: Iterable[Claim]) -> dict[str, str]:
    """Return for each claim the printed object that its `where` names, empty if it names none.

    Equations that one claim speaks of together are one object; a misprint in several joins none.

    Examples
    --------
    >>> rows = [("a", "section 4.2, Algorithm 1"), ("b", "(13)-(16)"), ("c", "(13), (15)")]
    >>> objects(Claim(id, where, "remark", "") for id, where in rows)
    {'a': 'Algorithm 1', 'b': 'equations (13)–(16)', 'c': 'equations (13)–(16)'}
    """
    found: dict[str, str] = {}
    numbers: dict[str, set[int]] = {}
    claims = sorted(claims, key=lambda claim: claim.weight == "misprint")  # misprints last
    for claim in claims:
        named = _OBJECT.search(claim.where)
        found[claim.id] = named[0] if named else ""
        if not named:
            spans = _EQUATIONS.findall(claim.where)
            numbers[claim.id] = {n for a, b in spans for n in range(int(a), int(b or a) + 1)}
    together: list[set[int]] = []
    for claim in claims:
        own = numbers.get(claim.id, set())
        touched = [other for other in together if other & own]
        if not own or (touched and claim.weight == "misprint"):
            continue
        together = [other for other in together if other not in touched]
        together.append(own.union(*touched))
    for claim_id, own in numbers.items():
        if own:
            several = sorted(next(other for other in together if other & own))
            in_row = len(several) > 2 and several[-1] - several[0] == len(several) - 1
            shown = several[:: len(several) - 1] if in_row else several
            names = ("–" if in_row else ", ").join(f"({n})" for n in shown)
            found[claim_id] = f"equation{'s' if len(several) > 1 else ''} {names}"
    return found


def position(claim: Claim, name: str = "") -> int:
    """Return the line, or sentence, of a claim's place: that in the object `name`, or its first."""
    stem = re.sub(r"^(\w+?)s? (\d+).*", r"\1 \2,", name)
    pieces = claim.at.split("; ")
    pieces.sort(key=lambda piece: not piece.startswith(stem) if name else 0)
    found = re.search(r"(?:lines?|sentences?) (\d+)", pieces[0])
    if not found:
        raise ValueError(f"position: {claim.id}: no line or sentence in {claim.at!r}")
    return int(found[1])


def section_of(claim: Claim, sections: Sequence[Section], at: int) -> int:
    """Return the number of the section that `where` names first, or of that in which a place is."""
    named = re.match(rf"(?:section|chapter)s? {_NUMBER}|abstract|memo|appendix", claim.where)
    if named:
        name = named[0].replace("sections", "section")
        for number, section in enumerate(sections):
            if section.name == name:
                return number
        raise ValueError(f"section_of: {claim.id}: no {name} in book/outlines.yml")
    return max(number for number, section in enumerate(sections) if section.start <= at)


def arrange(
    statuses: Iterable[Status], sections: Sequence[Section]
) -> list[tuple[Section, list[Group]]]:
    """Return the claims of the paper by section and object, in the paper's order.

    Parameters
    ----------
    statuses : iterable of Status
        Results beyond the paper are left out.
    sections : sequence of Section
    """
    rows = [status for status in statuses if status.claim.kind != "beyond"]
    names = objects(row.claim for row in rows)
    order = {row.claim.id: number for number, row in enumerate(rows)}
    at = {row.claim.id: position(row.claim, names[row.claim.id]) for row in rows}
    inside = {row.claim.id: section_of(row.claim, sections, at[row.claim.id]) for row in rows}
    about: dict[str, list[Status]] = {}
    for row in sorted(rows, key=lambda row: (at[row.claim.id], order[row.claim.id])):
        about.setdefault(names[row.claim.id], []).append(row)
    home = {}
    for name, several in about.items():
        # Its own place is named where it floats; a claim of several sections is not at home in all.
        own = [row for row in several if name.split(" ")[0].rstrip("s") in row.claim.at]
        own = own or [row for row in several if "; " not in row.claim.at] or several
        home[name] = inside[own[0].claim.id]
    placed: list[tuple[int, int, int, Group]] = []
    for name, several in about.items():
        here = tuple(row for row in several if name and inside[row.claim.id] == home[name])
        away = tuple(row for row in several if row not in here)
        if here:
            first = here[0].claim.id
            group = Group(name, here, away)
            placed.append((home[name], at[first], min(order[r.claim.id] for r in here), group))
        for row in away:
            k = row.claim.id
            placed.append((inside[k], at[k], order[k], Group("", (row,))))
    found: list[tuple[Section, list[Group]]] = []
    for number, _, _, group in sorted(placed, key=lambda item: item[:3]):
        if not found or found[-1][0] is not sections[number]:
            found.append((sections[number], []))
        groups = found[-1][1]
        if groups and not group.name and not groups[-1].name:
            groups[-1] = Group("", groups[-1].rows + group.rows)
        else:
            groups.append(group)
    return found


Objects = dict[str, list[Group]]


def objects_of(
    root: Path, statuses: Callable[[str], Mapping[str, Status]], parts: Iterable[str]
) -> Objects:
    """Return the printed objects of each part, in the order of its paper."""
    papers = {part: arrange(statuses(part).values(), outline(root, part)) for part in parts}
    return {
        part: [group for _, groups in paper for group in groups if group.name]
        for part, paper in papers.items()
    }


def by_claim(objects: Objects) -> dict[str, Group]:
    """Return for each claim about a printed object that object."""
    every = (group for groups in objects.values() for group in groups)
    return {row.claim.id: group for group in every for row in group.every}


def listing(root: Path, group: Group) -> tuple[str, str] | None:
    """Return notebook and label of the box in which a corrected algorithm stands put right."""
    rows = [row for row in group.rows if row.is_erratum and group.name.startswith("Algorithm")]
    for notebook in dict.fromkeys(name for row in rows for name, _ in row.evidence):
        text = (root / f"{notebook}.md").read_text(encoding="utf-8")
        if box := re.search(r"\{prf:algorithm\}.*\n:label: (\S+)", text):
            return notebook, box[1]
    return None


# --- how an object stands -----------------------------------------------------------------------

OUTCOMES = {
    "verified": "確認",
    "misprint corrected": "誤植を修正",
    "error corrected": "誤りを修正",
    "not reproducible": "再現できない",
    "not checkable": "検証できない",
    "open": "未判定",
}
"""What may become of a claim, with its Japanese word."""
STANDINGS = {
    "not judged yet": "未判定",
    "does not stand as printed; its correction does": "印刷どおりではなく修正すれば成り立つ",
    "stands, with a misprint corrected": "誤植を直せば成り立つ",
    "stands as far as it could be checked": "確かめられた範囲で成り立つ",
    "stands, within limits": "一定の範囲で成り立つ",
    "stands": "成り立つ",
    "not reproducible": "再現できない",
    "not checkable": "検証できない",
}
"""How an object may stand as a whole, with the Japanese words; the first that applies is said."""


def outcome(status: Status) -> str:
    """Return what became of a claim: its verdict, and of a corrected one how grave the fault is."""
    if status.verdict == "corrected":
        return f"{status.claim.weight} corrected"
    return status.verdict or "open"


def after(number: int, name: str) -> str:
    """Return the name of an outcome or a standing as it reads after a number.

    Examples
    --------
    >>> after(2, "stands, with a misprint corrected"), after(1, "misprint corrected")
    ('stand, with misprints corrected', 'misprint corrected')
    """
    if number == 1:
        return name
    plurals = (
        (r"^(misprint|error)\b", r"\1s"),
        ("^stands", "stand"),
        ("with a misprint", "with misprints"),
        ("^does", "do"),
        ("its correction does", "their corrections do"),
        ("as far as it", "as far as they"),
    )
    for singular, plural in plurals:
        name = re.sub(singular, plural, name)
    return name


def counts(rows: Iterable[Status]) -> dict[str, int]:
    """Count the outcomes of some claims, in the order of `OUTCOMES`."""
    count = Counter(map(outcome, rows))
    return {name: count[name] for name in OUTCOMES if count[name]}


def standing(rows: Iterable[Status]) -> str:
    """Return how an object stands as a whole: the gravest that one of its claims says of it.

    One claim that is not judged, or corrected for an error or a misprint, decides, in this order.
    Where all that was computed is verified, the object stands: as far as it could be checked, if
    some claim of it is not reproducible; within limits, if some claim has a limit. An object of
    which nothing was verified is not reproducible, or not checkable.
    """
    rows = list(rows)
    outcomes = set(map(outcome, rows))
    if "open" in outcomes:
        return "not judged yet"
    if "error corrected" in outcomes:
        return "does not stand as printed; its correction does"
    if "misprint corrected" in outcomes:
        return "stands, with a misprint corrected"
    if "verified" in outcomes:
        if "not reproducible" in outcomes:
            return "stands as far as it could be checked"
        limited = any(row.verdict == "verified" and row.limits for row in rows)
        return "stands, within limits" if limited else "stands"
    return "not checkable" if "not checkable" in outcomes else "not reproducible"


def overview(
    sections: Iterable[tuple[Section, Sequence[Group]]],
) -> tuple[dict[str, int], dict[str, int]]:
    """Count how the objects of a paper stand, and the outcomes of all its claims."""
    groups = [group for _, several in sections for group in several]
    stand = Counter(group.standing for group in groups if group.name)
    return (
        {name: stand[name] for name in reversed(STANDINGS) if stand[name]},
        counts(row for group in groups for row in group.rows),
    )


# --- where two forms differ ---------------------------------------------------------------------

OPEN, CLOSE = "\ue000", "\ue001"  # private characters: they stand in no text
KEY = (  # to what the marks look like
    f"What has to go is {OPEN}struck through{CLOSE}; in a formula a broken line is below it:",
    f"What takes its place is {OPEN}underlined{CLOSE}; in a formula a whole line is below it:",
    f"除かれるものには{OPEN}取り消し線{CLOSE}を引き、式では下に破線を引く：",
    f"代わりに入るものには{OPEN}下線{CLOSE}を引き、式では下に実線を引く：",
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
    for found in marks.finditer(tex, start):
        depth += 1 if found[0] == opening else -1
        if depth == 0:
            return found.end()
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
    found = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL).match(tex, at)
    if not found:
        raise ValueError(f"atoms: nothing follows the last backslash of {tex!r}")
    end = found.end()
    name = found[0][1:]
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
    found, at = [], 0
    while at < len(tex):
        start = at
        if space := re.compile(r"\s+|[\d.]*\d").match(tex, at):
            at = space.end()
        else:
            at = _argument(tex, at)
        while script := re.compile(r"\s*[_^]|'+").match(tex, at):
            at = script.end() if "'" in script[0] else _argument(tex, script.end())
        found.append(tex[start:at])
    return found


def pieces(text: str) -> list[tuple[str, int]]:
    """Cut a text into words and atoms of formulas; with each, the number of its formula, or 0."""
    found: list[tuple[str, int]] = []
    for number, piece in enumerate(_PIECE.finditer(text), 1):
        if piece["formula"]:
            found += [(atom, number) for atom in atoms(piece[0][1:-1])]
        else:
            found.append((piece[0], 0))
    return found


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
    kept = [_common(one, two) for one, two in cut]
    if not all(kept):
        kept = [[] for _ in pairs]
    return [
        (
            _marked(one, {i + k for i, _, n in blocks for k in range(n)}),
            _marked(two, {j + k for _, j, n in blocks for k in range(n)}),
        )
        for (one, two), blocks in zip(cut, kept, strict=True)
    ]


def _common(one: Pieces, two: Pieces) -> list[tuple[int, int, int]]:
    """Return what two texts share, as blocks of pieces; nothing if it is hardly anything."""
    keys = [
        [(bare(text) if number else text, number > 0) for text, number in side]
        for side in (one, two)
    ]
    kept = []
    for i, j, n in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_matching_blocks():
        edge = (i, j) == (0, 0) or (i + n, j + n) == (len(one), len(two))
        if n and (edge or _weight(one[i : i + n]) > 2):  # less is no word: a part of the change
            kept.append((i, j, n))
    common = _weight(piece for i, _, n in kept for piece in one[i : i + n])
    return kept if common >= LEAST * min(_weight(one), _weight(two)) else []


def _marked(texts: Pieces, same: set[int]) -> str:
    """Mark all pieces but those in `same`: words, whole formulas, and parts of formulas."""
    shown = ""
    for number, several in groupby(enumerate(texts), key=lambda item: item[1][1]):
        group = [(k in same, text) for k, (text, _) in several]
        part = number and any(kept for kept, _ in group)
        start, end = (_CLASS, _END) if part else (OPEN, CLOSE)
        made = ""
        for kept, run in groupby(group, key=itemgetter(0)):
            text = "".join(text for _, text in run)
            text = f"${text}$" if number and not part else text
            made += text if kept else start + text + end
        shown += f"${made}$" if part else made
    return shown.replace(CLOSE + OPEN, "")


# --- as HTML ------------------------------------------------------------------------------------


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
    found = re.split(r"\$([^$]+)\$", html.escape(text, quote=False))
    for k, typed in enumerate(found):
        if k % 2:
            found[k] = (
                f'<code class="tex">{typed}</code>'
                if late
                else rf'<span class="math notranslate nohighlight">\({typed}\)</span>'
            )
            continue
        piece = re.sub(r"`([^`]+)`", r"<code>\1</code>", cite(typed))
        piece = stressed(piece)
        piece = re.sub(r'"([^"<>]*)"(?![^<]*>)', r"“\1”", piece).replace("'", "’")
        found[k] = piece.replace(OPEN, f"<{mark}>").replace(CLOSE, f"</{mark}>")
    return "".join(found)


def titled(body: str) -> str:
    """Return a page in two languages with its titles in both.

    Examples
    --------
    >>> titled('<p class="languages"></p><h2>Misprints</h2>').partition("<h2>")[2]
    '<span class="in-en">Misprints</span><span class="in-ja" lang="ja">誤植</span></h2>'
    """

    def both(found: re.Match[str]) -> str:
        ja = TITLES_JA.get(found[2])
        shown = f'<span class="in-en">{found[2]}</span><span class="in-ja" lang="ja">{ja}</span>'
        return found[1] + (shown if ja else found[2])

    return re.sub(r"(<h[12]>)([^<]+)", both, body) if 'class="languages"' in body else body


_WORDS = {
    "after the references": "参考文献の後",
    "table of symbols": "記号の表",
    "end of the proof": "証明の終わり",
    "abstract (English)": "英文概要",
    "throughout": "全体",
    "first line": "1 行目",
    "declaration": "宣言",
    "privacy budget": "プライバシー予算",
    "vector length": "ベクトル長",
    "number of hashes": "ハッシュ関数の数",
    "abstract": "概要",
    "appendix": "付録",
    "memo": "メモ",
    "title": "標題",
    " and ": "、",
}
_KINDS = {
    "section": "節",
    "chapter": "章",
    "Definition": "定義",
    "Theorem": "定理",
    "Proposition": "命題",
    "Claim": "主張",
    "Algorithm": "アルゴリズム",
    "Table": "表",
    "Figure": "図",
    "Example": "例",
    "equation": "式",
    "footnote": "脚注",
    "reference": "文献",
    "case": "場合",
}


def place_ja(place: str) -> str:
    """Return a place, such as the name of an object, in Japanese.

    Examples
    --------
    >>> place_ja("section 4.4, proof of Claim 4.1, ¶1"), place_ja("Figures 4, 5 and 6")
    ('4.4 節、主張 4.1 の証明、¶1', '図 4、5、6')
    """
    for english, ja in _WORDS.items():
        place = place.replace(english, ja)
    place = re.sub(rf"proof of ([A-Z]\w+ {_NUMBER})", r"\1 の証明", place)
    place = place.replace("proof", "証明")
    place = re.sub(r"after (Theorem [\d.]+\d)", r"\1 の後", place)
    place = re.sub(rf"(section|chapter)s? ((?:{_NUMBER}(?:, |、)?)+)", _counted, place)
    place = re.sub(r"lines? (\d+(?:-\d+)?)", r"\1 行目", place)
    place = re.sub(r"sentences? ([\d–]+)", r"第 \1 文", place)
    for english, ja in _KINDS.items():
        place = re.sub(rf"\b{english}s?\b ?(?=[\d(])", f"{ja} ", place)
    return re.sub(r",? (?=、)|、 ", "", place.replace(", ", "、"))


def _counted(found: re.Match[str]) -> str:
    numbers = re.findall(_NUMBER, found[2])
    tail = found[2][len(found[2].rstrip(", 、")) :]
    return f"{'、'.join(numbers)} {_KINDS[found[1]]}{tail}"


TITLES_JA = {
    "The repaired papers": "修正版の論文", "Repaired: the study note": "修正版：ノート",
    "Repaired: Yang, Sato, Nakagawa": "修正版：楊・佐藤・中川", "Repaired: Kikuchi": "修正版：菊池",
    "Repaired: Kawamoto, Sakuma": "修正版：川本・佐久間", "Repaired: Shimizu": "修正版：清水",
    "Errata": "正誤表", "Errors": "誤り", "Misprints": "誤植", "As files": "ファイル",
    "Limits of verified claims": "確認した言明の限界",
}  # fmt: skip
"""The titles of the pages in two languages, and of their sections."""
VERDICTS_JA = {**OUTCOMES, "corrected": "修正"}
STRENGTHS_JA = {
    "proved": "証明",
    "exhaustive": "網羅",
    "sampled": "標本",
    "simulated": "シミュレーション",
    "one example": "一例",
    "not stated": "記載なし",
}
NOTES_JA = {"with a limit": "限界あり", "rebuilt": "データから再構成"}
