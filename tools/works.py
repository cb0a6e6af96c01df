"""What the works of ``book/references.bib`` are called where they are cited."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

_CITED = re.compile(r"\{cite:([pt])\}`([^`]*)`")


@cache
def _read(path: Path, _modified: int) -> dict[str, list[str]]:
    from pybtex.database import parse_file

    told = {}
    for key, entry in parse_file(str(path), bib_format="bibtex").entries.items():
        people = entry.persons.get("author") or entry.persons.get("editor") or []
        names = [" ".join(person.prelast_names + person.last_names) for person in people]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        doi, url = entry.fields.get("doi"), entry.fields.get("url", "")
        link = f"https://doi.org/{doi}" if doi else url
        told[key] = [re.sub("[{}]", "", who), entry.fields.get("year", ""), link]
    return told


def citations(root: Path) -> dict[str, list[str]]:
    """Return of each cited work its authors, its year and its address."""
    path = root / "book" / "references.bib"
    return _read(path, path.stat().st_mtime_ns)


def linked(text: str, *, library: str, known: Mapping[str, Sequence[str]]) -> str:
    """Return a text with its citations as HTML: authors and year, linked to the references.

    Parameters
    ----------
    text : str
        The rest of it is HTML already.
    library : str
        Address of the page of references.
    known : mapping
        What `citations` returns.

    Examples
    --------
    >>> linked("as {cite:t}`k` do", library="r.html", known={"k": ("Gauß and Euler", "1801", "")})
    'as <a href="r.html">Gauß and Euler (1801)</a> do'
    """

    def cited(found: re.Match[str]) -> str:
        works = [known[key.strip()] for key in found[2].split(",")]
        shape = "{} ({})" if found[1] == "t" else "{}, {}"
        told = [html.escape(shape.format(who, year) if year else who) for who, year, _ in works]
        links = [f'<a href="{library}">{words}</a>' for words in told]
        return ", ".join(links) if found[1] == "t" else f"({'; '.join(links)})"

    return _CITED.sub(cited, text)
