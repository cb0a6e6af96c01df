r"""A paper put right: its claims in its own order, and how each of its objects stands.

Two things are decided here, each by a rule and none by hand:

*The order.* A claim stands in the section that its `where` names first, or else in the one in which
its first place falls (``book/outlines.yml`` says where each section begins); within a section the
claims follow their places. Claims about one printed object (Theorem 5.1, Table 3, equations (13)
to (16)) stand together, where its first one would; a claim that speaks of the object in another
section stays there and is counted with it.

*How an object stands as a whole*, from the verdicts of its claims: `standing`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from ledger.claims import Claim, LedgerError, yaml_loader
from ledger.layout import page_of
from ledger.verdicts import Status

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
def _outlines(path: Path, _modified: int) -> Mapping[str, list[list[Any]]]:
    import yaml

    outlines: Mapping[str, list[list[Any]]] = yaml.load(
        path.read_text(encoding="utf-8"), Loader=yaml_loader()
    )
    return outlines


def outline(root: Path, part: str) -> tuple[Section, ...]:
    """Return the sections of a source, in its order."""
    path = root / "book" / "outlines.yml"
    return tuple(Section(*row) for row in _outlines(path, path.stat().st_mtime_ns)[part])


def objects(claims: Iterable[Claim]) -> dict[str, str]:
    """Return for each claim the printed object that its `where` names, empty if it names none.

    Equations that one claim speaks of together are one object; a misprint in several joins none.

    Examples
    --------
    >>> rows = [("a", "section 4.2, Algorithm 1"), ("b", "(13)-(16)"), ("c", "(13), (15)")]
    >>> objects(Claim(id, where, "remark", "") for id, where in rows)
    {'a': 'Algorithm 1', 'b': 'equations (13)–(16)', 'c': 'equations (13)–(16)'}
    """
    names: dict[str, str] = {}
    equations: dict[str, set[int]] = {}  # claim -> numbers of the equations that it names
    joining: list[set[int]] = []
    joining_none: list[set[int]] = []
    for claim in claims:
        named = _OBJECT.search(claim.where)
        names[claim.id] = named[0] if named else ""
        numbers = set() if named else _equation_numbers(claim.where)
        if numbers:
            equations[claim.id] = numbers
            (joining_none if claim.weight == "misprint" else joining).append(numbers)
    groups: list[set[int]] = []
    for numbers in joining:
        touched = [group for group in groups if group & numbers]
        groups = [group for group in groups if group not in touched]
        groups.append(numbers.union(*touched))
    for numbers in joining_none:
        if not any(group & numbers for group in groups):
            groups.append(numbers)
    for claim_id, numbers in equations.items():
        group = next(group for group in groups if group & numbers)
        names[claim_id] = _name_of_equations(sorted(group))
    return names


def _equation_numbers(where: str) -> set[int]:
    numbers: set[int] = set()
    for first, last in _EQUATIONS.findall(where):
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def _name_of_equations(numbers: Sequence[int]) -> str:
    if len(numbers) == 1:
        return f"equation ({numbers[0]})"
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"equations ({numbers[0]})–({numbers[-1]})"
    return "equations " + ", ".join(f"({number})" for number in numbers)


def position(claim: Claim, name: str = "") -> int:
    """Return the line, or sentence, of a claim's place: that in the object `name`, or its first."""
    stem = re.sub(r"^(\w+?)s? (\d+).*", r"\1 \2,", name)
    pieces = claim.at.split("; ")
    pieces.sort(key=lambda piece: not piece.startswith(stem) if name else 0)
    line = re.search(r"(?:lines?|sentences?) (\d+)", pieces[0])
    if line is None:
        raise LedgerError(f"{claim.id}: no line or sentence in at: {claim.at!r}")
    return int(line[1])


def section_of(claim: Claim, sections: Sequence[Section], at: int) -> int:
    """Return the number of the section that `where` names first, or of that in which a place is."""
    named = re.match(rf"(?:section|chapter)s? {_NUMBER}|abstract|memo|appendix", claim.where)
    if named:
        name = named[0].replace("sections", "section")
        for number, section in enumerate(sections):
            if section.name == name:
                return number
        raise LedgerError(f"{claim.id}: no {name} in book/outlines.yml")
    return max(number for number, section in enumerate(sections) if section.start <= at)


@dataclass(frozen=True, eq=False)
class _Place:
    """Where a claim stands: in which object and section, at which line, as which of all claims."""

    status: Status
    object: str
    line: int
    section: int
    number: int


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
    places = _places(statuses, sections)
    places.sort(key=lambda place: (place.line, place.number))
    by_object: dict[str, list[_Place]] = {}
    for place in places:
        by_object.setdefault(place.object, []).append(place)
    groups: list[tuple[tuple[int, int, int], Group]] = []  # with section, line and number
    for name, about in by_object.items():
        home = _home_section(name, about)
        here = [place for place in about if name and place.section == home]
        away = [place for place in about if place not in here]
        if here:
            rows = tuple(place.status for place in here)
            elsewhere = tuple(place.status for place in away)
            first = min(place.number for place in here)
            groups.append(((home, here[0].line, first), Group(name, rows, elsewhere)))
        for place in away:
            position = (place.section, place.line, place.number)
            groups.append((position, Group("", (place.status,))))
    groups.sort(key=itemgetter(0))
    return _by_section(groups, sections)


def _places(statuses: Iterable[Status], sections: Sequence[Section]) -> list[_Place]:
    """Return where each claim of the paper stands."""
    rows = [status for status in statuses if status.claim.kind != "beyond"]
    names = objects(row.claim for row in rows)
    places = []
    for number, row in enumerate(rows):
        name = names[row.claim.id]
        line = position(row.claim, name)
        section = section_of(row.claim, sections, line)
        places.append(_Place(row, name, line, section, number))
    return places


def _home_section(name: str, about: Sequence[_Place]) -> int:
    """Return the section of an object: that of the first claim which has a place of its own."""
    kind = name.split(" ")[0].rstrip("s")
    # A table or figure floats, and its own place is named; a claim of several sections has none.
    floating = [place for place in about if kind in place.status.claim.at]
    single = [place for place in about if "; " not in place.status.claim.at]
    return (floating or single or about)[0].section


def _by_section(
    groups: Iterable[tuple[tuple[int, int, int], Group]], sections: Sequence[Section]
) -> list[tuple[Section, list[Group]]]:
    """Return sorted groups by section; neighbours of running text become one group."""
    paper: list[tuple[Section, list[Group]]] = []
    for (number, _, _), group in groups:
        if not paper or paper[-1][0] is not sections[number]:
            paper.append((sections[number], []))
        own = paper[-1][1]
        if own and not group.name and not own[-1].name:
            own[-1] = Group("", own[-1].rows + group.rows)
        else:
            own.append(group)
    return paper


Objects = dict[str, list[Group]]


def objects_of(
    root: Path, statuses: Callable[[str], Mapping[str, Status]], parts: Iterable[str]
) -> Objects:
    """Return the printed objects of each part, in the order of its paper."""
    objects: Objects = {}
    for part in parts:
        paper = arrange(statuses(part).values(), outline(root, part))
        objects[part] = [group for _, groups in paper for group in groups if group.name]
    return objects


def by_claim(objects: Objects) -> dict[str, Group]:
    """Return for each claim about a printed object that object."""
    owner = {}
    for groups in objects.values():
        for group in groups:
            for row in group.every:
                owner[row.claim.id] = group
    return owner


def listing(root: Path, group: Group) -> tuple[str, str] | None:
    """Return page and label of the box in which a corrected algorithm stands put right."""
    if not group.name.startswith("Algorithm"):
        return None
    for row in group.rows:
        for notebook, _ in row.evidence if row.is_erratum else ():
            page = page_of(notebook)
            text = (root / f"{page}.md").read_text(encoding="utf-8")
            if box := re.search(r"\{prf:algorithm\}.*\n:label: (\S+)", text):
                return page, box[1]
    return None


# --- how an object stands -----------------------------------------------------------------------

OUTCOMES = {
    "verified": "確認",
    "misprint corrected": "誤植を修正",
    "error corrected": "誤りを修正",
    "not reproducible": "再現不能",
    "not checkable": "検証対象外",
    "open": "未判定",
}
"""What may become of a claim, with its Japanese word."""
STANDINGS = {
    "not judged yet": "未判定",
    "does not stand as printed; its correction does": "原文のままでは不成立、修正後は成り立つ",
    "stands, with a misprint corrected": "誤植を直せば成り立つ",
    "stands as far as it could be checked": "確認できた範囲で成り立つ",
    "stands, within limits": "条件付きで成り立つ",
    "stands": "成り立つ",
    "not reproducible": "再現不能",
    "not checkable": "検証対象外",
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
    rows: list[Status] = []
    count: Counter[str] = Counter()
    for _, groups in sections:
        for group in groups:
            rows += group.rows
            if group.name:
                count[group.standing] += 1
    return {name: count[name] for name in reversed(STANDINGS) if count[name]}, counts(rows)
