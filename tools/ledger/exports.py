"""The ledger and the errata as files: JSON and CSV, written into the built book.

``book/exports/`` in the built book gets ``ledger.json``, ``ledger.csv``, ``errata.json``,
``errata.csv`` and, for the authors of each paper, ``errata-<part>.json``. The form of the JSON
files is in ``book/_static/ledger.schema.json``. Each says of which edition it is; same commit, same
bytes: its date is that of the commit.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from edition import Edition, edition

from ledger.claims import parts
from ledger.verdicts import Status, statuses
from privlib.notebook.claims import anchor

SCHEMA = "privlib-ledger/3"  # the number rises when a field is renamed, removed or changes meaning
SOURCES: Mapping[str, str] = {
    "correlated": "yangkanren", "disclosure": "kikuchi", "location": "kawamoto", "sketch": "shimizu"
}  # fmt: skip
"""Part -> key of its paper in ``book/references.bib``. The note of `laplace` is unpublished."""
ENGLISH = {"correlated": ("yang2015correlated",)}
_BLOCK = re.DOTALL | re.MULTILINE
NOTE = {
    "part": "laplace", "authors": [], "title": "データ解析におけるプライバシー保護",
    "note": "Japanese study note; author not stated",
}  # fmt: skip


def entry(part: str, status: Status, base: str = "") -> dict[str, Any]:
    """Return one claim as plain data; mathematics is Markdown with ``$…$``.

    Parameters
    ----------
    part : str
    status : Status
    base : str, optional
        Address of the published book, ending in a slash; without it links are relative to the root
        of the built book.
    """
    claim, row = status.claim, anchor(status.claim.id)
    evidence = []
    for notebook, record in status.evidence:
        checks = [{**asdict(c), "decisive": c in status.decisive} for c in record.checks]
        evidence.append({"link": f"{base}{notebook}.html#{row}", "checks": checks})
    return {
        "id": claim.id,
        "part": part,
        **{name: getattr(claim, name) for name in ("where", "at", "kind")},
        "statement": claim.says,
        "term": claim.ja,
        **{name: getattr(status, name) for name in ("verdict", "strength", "method")},
        "fully_verified": status.fully,
        # The weight says how grave an erratum is; without an erratum it has no meaning.
        "weight": claim.weight if status.is_erratum else "",
        **status.texts,
        "counterexamples": [c.text for c in status.checks if c.side == "differs"],
        "limits": list(status.limits),
        "missing": list(status.missing),
        "rebuilt": status.rebuilt,
        **{name: getattr(claim, name) for name in ("root", "source", "reading")},
        "reason": claim.not_checkable,
        "rests_on": list(claim.uses),
        "outside": [f"{test.outcome}: {test.source}: {test.numbers}" for test in status.outside],
        "row": f"{base}book/ledger/{part}.html#{row}",
        "evidence": evidence,
    }


def papers(root: Path) -> dict[str, dict[str, Any]]:
    """Return what ``book/references.bib`` says about the paper of each part."""
    path = root / "book" / "references.bib"
    return _papers(path, path.stat().st_mtime_ns)


@cache
def _papers(path: Path, _modified: int) -> dict[str, dict[str, Any]]:
    from pybtex.database import parse_file

    papers: dict[str, dict[str, Any]] = {"laplace": NOTE}
    known = parse_file(str(path), bib_format="bibtex").entries
    for part, name in SOURCES.items():
        source = known[name]
        fields = {k: v.replace("{", "").replace("}", "") for k, v in source.fields.items()}
        authors = []
        for person in source.persons["author"]:
            names = (*person.first_names, *person.middle_names, *person.last_names)
            authors.append(" ".join(names))
        papers[part] = {"part": part, "authors": authors, **fields}
    return papers


def bibtex_of(bibliography: str, part: str) -> list[str]:
    """Return the BibTeX entries of the source of a part, and of its English version."""
    if part not in SOURCES:
        return []
    names = (SOURCES[part], *ENGLISH.get(part, ()))
    found = [re.search(rf"^@\w+{{{name},.*?^}}", bibliography, _BLOCK) for name in names]
    return [match[0] for match in found if match]


def as_json(
    book: Edition, sources: Iterable[Mapping[str, Any]], entries: Sequence[Mapping[str, Any]]
) -> bytes:
    """Write edition, papers and entries as one JSON document in UTF-8."""
    document = {
        "schema": SCHEMA, "edition": asdict(book),
        "papers": list(sources), "entries": list(entries),
    }  # fmt: skip
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def as_csv(book: Edition, entries: Sequence[Mapping[str, Any]]) -> bytes:
    """Write entries as CSV: one row an entry, lists with one item a line within their cell.

    The last columns name the edition, in each row: a row that is copied elsewhere keeps it.

    UTF-8 without a byte order mark, which would be part of the first column's name for most
    readers. Excel asks for the encoding: Data, From Text/CSV.
    """
    text = io.StringIO(newline="")
    names = [name for name in entries[0] if name != "evidence"] if entries else []
    about = {f"edition_{name}": value for name, value in asdict(book).items()}
    writer = csv.DictWriter(text, [*names, "cells", *about])
    writer.writeheader()
    for item in entries:
        row = {name: _csv_cell(item[name]) for name in names}
        cells = "\n".join(cell["link"] for cell in item["evidence"])
        writer.writerow({**row, "cells": cells, **about})
    return text.getvalue().encode("utf-8")


def _csv_cell(value: Any) -> Any:
    """Return a value as it stands in a cell: a list by lines, yes or no for a truth value."""
    if isinstance(value, list):
        return "\n".join(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value


def files(root: Path, address: str) -> dict[str, bytes]:
    """Return all exports: name of the file -> content. Errors stand before misprints.

    Parameters
    ----------
    root : Path
        The book's root.
    address : str
        Of the published book, empty or ending in a slash.
    """
    sources, book = papers(root), edition(root)
    every = []
    errata = []
    for part in parts(root):
        for status in statuses(root, part).values():
            item = entry(part, status, address)
            every.append(item)
            if status.is_erratum:
                errata.append(item)
    errata.sort(key=lambda item: str(item["weight"]))  # errors first; else as in the papers
    every_source = [sources[part] for part in parts(root)]
    written = {
        "ledger.json": as_json(book, every_source, every),
        "ledger.csv": as_csv(book, every),
        "errata.json": as_json(book, every_source, errata),
        "errata.csv": as_csv(book, errata),
    }
    for part in parts(root):
        own = [item for item in errata if item["part"] == part]
        written[f"errata-{part}.json"] = as_json(book, [sources[part]], own)
    return written
