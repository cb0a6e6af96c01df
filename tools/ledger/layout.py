"""Where notebooks stand, and what they are.

A notebook is named by its path from the book's root without a suffix. There are three kinds:

===================================  ===============================================================
``notebooks/laplace/01-attackers``   a *page* of the course, in the order of its paper
``notebooks/research/laplace-x``     a *note*: one question beyond the papers
``notebooks/evidence/…``             the *evidence* of the page or note with the rest of the name
===================================  ===============================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from privlib.notebook.claims import PARTS

FOLDER = "notebooks"
EVIDENCE = "evidence"
RESEARCH = "research"


def page_of(name: str) -> str:
    """Return the page or note that a notebook is, or is the evidence of.

    Examples
    --------
    >>> page_of("notebooks/evidence/laplace/01-attackers")
    'notebooks/laplace/01-attackers'
    """
    folder, _, rest = name.partition("/")
    return f"{folder}/{rest.removeprefix(f'{EVIDENCE}/')}"


def evidence_of(page: str) -> str:
    """Return the evidence of a page or note.

    Examples
    --------
    >>> evidence_of("notebooks/laplace/01-attackers")
    'notebooks/evidence/laplace/01-attackers'
    """
    folder, _, rest = page.partition("/")
    return f"{folder}/{EVIDENCE}/{rest}"


def is_evidence(name: str) -> bool:
    """Whether a notebook is the evidence of another."""
    return page_of(name) != name


def part_of(name: str) -> str:
    """Return the part of the book that a notebook belongs to.

    Raises
    ------
    ValueError
        If its path does not say so.

    Examples
    --------
    >>> part_of("notebooks/evidence/laplace/01-attackers")
    'laplace'
    >>> part_of("notebooks/research/sketch-shuffling")
    'sketch'
    """
    _, folder, title = page_of(name).split("/")
    part = title.partition("-")[0] if folder == RESEARCH else folder
    if part not in PARTS.values():
        raise ValueError(
            f"{name}: a notebook stands in notebooks/<part>/ or is a note"
            f" notebooks/research/<part>-<topic>, where part is one of {', '.join(PARTS.values())}"
        )
    return part


def is_note(name: str) -> bool:
    """Whether a notebook is a research note, or the evidence of one."""
    return page_of(name).split("/")[1] == RESEARCH


def number_of(name: str) -> int:
    """Return the number of a page within its part, 0 for a note."""
    first = name.rpartition("/")[2].partition("-")[0]
    return int(first) if first.isdecimal() else 0


def called(name: str) -> str:
    """Return what a notebook is called in a few words.

    Examples
    --------
    >>> called("notebooks/laplace/01-attackers"), called("notebooks/research/sketch-own-slots")
    ('laplace 1', 'note: own slots')
    >>> called("notebooks/evidence/laplace/01-attackers")
    'evidence of laplace 1'
    """
    page = page_of(name)
    if is_note(name):
        words = page.rpartition("/")[2].partition("-")[2].replace("-", " ")
        title = f"note: {words}"
    else:
        title = f"{part_of(name)} {number_of(page)}"
    return f"evidence of {title}" if is_evidence(name) else title


def in_order(names: Iterable[str]) -> list[str]:
    """Return notebooks in reading order: pages by part, notes, then the evidence."""
    parts = list(PARTS.values())

    def place(name: str) -> tuple[bool, bool, int, str]:
        return is_evidence(name), is_note(name), parts.index(part_of(name)), name

    return sorted(names, key=place)


def names(root: Path, suffix: str = ".ipynb") -> list[str]:
    """Return all notebooks that have a file of this suffix, in reading order."""
    paths = (root / FOLDER).rglob(f"*{suffix}")
    own = [path for path in paths if ".ipynb_checkpoints" not in path.parts]
    return in_order(path.relative_to(root).as_posix().removesuffix(suffix) for path in own)
