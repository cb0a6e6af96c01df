"""The terms of ``book/glossary.yml``, and by which words a claim is found.

Who looks for *weak attacker* or 弱い攻撃者 looks for the same claims, so a claim has beside its
own words all names of the terms that it speaks of, and the authors of its paper.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from docutils import nodes
from ledger import japanese
from ledger.claims import Claim, yaml_loader
from ledger.exports import papers

NOTE = "study note"  # in place of the authors of the note, which names none


@dataclass(frozen=True)
class Term:
    """One entry of the glossary.

    Attributes
    ----------
    ja, en : tuple of str
        Its names; the Japanese ones as they are printed.
    means : str
        What it means here (Markdown).
    parts : tuple of str
        The parts that use it.
    reading : str
        Empty for terms in Latin letters.
    also : tuple of str
        What else readers may call it: abbreviations, other words, in either language.
    """

    ja: tuple[str, ...]
    en: tuple[str, ...]
    means: str
    parts: tuple[str, ...]
    reading: str = ""
    also: tuple[str, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All its names: English, printed, others, and abbreviations that stand in brackets."""
        short = [word for name in self.en for word in re.findall(r"\(([A-Z]{2,})\)", name)]
        return tuple(dict.fromkeys((*self.en, *self.ja, *self.also, *short)))

    @property
    def id(self) -> str:
        """Id of its row in the glossary."""
        return f"term-{nodes.make_id(self.reading or self.ja[0])}"

    @cached_property
    def named(self) -> re.Pattern[str]:
        """Its names as they stand in a text, in either language."""
        every = {name: re.escape(name) for name in self.names}
        whole = (rf"\b{n}(?:e?s)?(?!\w)" if name.isascii() else n for name, n in every.items())
        return re.compile("|".join(whole), re.IGNORECASE)


@cache
def _read(path: Path, _modified: int) -> tuple[Term, ...]:
    import yaml

    entries = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml_loader())
    several = ("ja", "en", "also")
    return tuple(Term(**{**e, **{k: tuple(e[k]) for k in several if k in e}}) for e in entries)


def _file(root: Path) -> tuple[Path, int]:
    """Return where the glossary is and when it was written: what may be kept goes by both."""
    path = root / "book" / "glossary.yml"
    return path, path.stat().st_mtime_ns


def read(root: Path) -> tuple[Term, ...]:
    """Read the glossary of the book at `root`."""
    return _read(*_file(root))


@cache  # a table, the filter and the search ask about the same claim
def _others(path: Path, modified: int, told: str) -> tuple[str, ...]:
    """All names of the terms of a text that do not stand in it."""
    said = told.casefold()
    near = (t for t in _read(path, modified) if any(n.casefold() in said for n in t.names))
    terms = [term for term in near if term.named.search(told)]
    return tuple(name for term in terms for name in term.names if name not in told)


def authors(root: Path) -> dict[str, str]:
    """Return the authors of each part's paper, as readers name them."""
    return {p: " ".join(paper["authors"]) or NOTE for p, paper in papers(root).items()}


def by(root: Path, part: str) -> str:
    """Return the surnames of the authors of a part's paper, or that it is a note."""
    names = [name.rpartition(" ")[2] for name in papers(root)[part]["authors"]]
    return ", ".join(names) or f"the {NOTE}"


def equations(where: str) -> list[str]:
    """Return what the equations of a place are called, also in Japanese.

    Examples
    --------
    >>> equations("section 5.2, (18), (20)")
    ['equation (18)', '式(18)', '式18', 'equation (20)', '式(20)', '式20']
    >>> equations("Definition 4.1, (2)-(3)") == equations("Definition 4.1, (2), (3)")
    True
    >>> equations("section 4.3, equation (1)"), equations("section 1.1, case (2)")
    (['equation (1)', '式(1)', '式1'], [])
    """
    called = []
    for first, last in re.findall(r", (?:equations? )?\((\d+)\)(?:-\((\d+)\))?", where):
        for number in range(int(first), int(last or first) + 1):
            called += [f"equation ({number})", f"式({number})", f"式{number}"]
    return called


def names(root: Path, part: str, claim: Claim) -> str:
    """Return what a claim is found by that it does not say itself.

    That is its part, its authors, all other names of its terms, and in Japanese its authors and its
    place, with and without spaces: 定理 5.3, 定理5.3. What the place calls (29) alone is found as
    equation (29) and 式29, too.

    Parameters
    ----------
    root : Path
        The book's root.
    part : str
        The part that the claim belongs to.
    claim : Claim
    """
    found = _others(*_file(root), f"{claim.says} {claim.ja}")
    place = japanese.place(claim.where)
    close = re.sub(r"[ ()]", "", place)
    own = (
        (japanese.AUTHORS[part], place, close)
        if close != place
        else (japanese.AUTHORS[part], place)
    )
    return " ".join([part, authors(root)[part], *own, *equations(claim.where), *found])
