"""What the works of ``book/references.bib`` are called where they are cited, and their listing."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

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


def remember(app: Any) -> None:
    """Let a build find in Sphinx's store how the one before it has written the works.

    Writing them again takes more than a second.
    """
    from pybtex.plugin import find_plugin, register_plugin
    from pybtex.style import FormattedEntry

    writer = find_plugin("pybtex.backends", "plaintext")
    plain: Any = find_plugin("pybtex.style.formatting", "alpha")
    known: dict[str, tuple[str, Any]] = {}

    class Remembered(plain):  # type: ignore[misc]
        def format_entry(self, label: str, entry: Any, bib_data: Any = None) -> Any:
            written = repr(entry)
            if known.get(entry.key, ("",))[0] != written:
                known[entry.key] = written, super().format_entry(label, entry, bib_data).text
            return FormattedEntry(entry.key, known[entry.key][1], label)

    def recall(_app: Any, env: Any, _names: object) -> None:
        found = env.get_domain("cite").citations
        known.update({c.entry.key: (repr(c.entry), c.formatted_entry.text) for c in found})

    # Each citation asks for the first; unless it is registered, every installed package is asked.
    register_plugin("pybtex.backends", "plaintext", writer, force=True)
    register_plugin("pybtex.style.formatting", "alpha", Remembered, force=True)
    app.connect("env-before-read-docs", recall)
