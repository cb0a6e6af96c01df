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
from reader import Status, parts, statuses

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
    evidence = [
        {
            "link": f"{base}{notebook}.html#{row}",
            "checks": [{**asdict(c), "decisive": c in status.decisive} for c in r.checks],
        }
        for notebook, r in status.evidence
    ]
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
        "outside": [f"{how}: {whose}: {both}" for _, whose, how, both in status.outside],
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

    found: dict[str, dict[str, Any]] = {"laplace": NOTE}
    known = parse_file(str(path), bib_format="bibtex").entries
    for part, name in SOURCES.items():
        source = known[name]
        fields = {k: v.replace("{", "").replace("}", "") for k, v in source.fields.items()}
        names = [(*p.first_names, *p.middle_names, *p.last_names) for p in source.persons["author"]]
        authors = [" ".join(words) for words in names]
        found[part] = {"part": part, "authors": authors, **fields}
    return found


def printed(bibliography: str, part: str) -> list[str]:
    """Return the BibTeX entries of the source of a part, and of its English version."""
    names = [SOURCES[part], *ENGLISH.get(part, ())] if part in SOURCES else []
    found = (re.search(rf"^@\w+{{{name},.*?^}}", bibliography, _BLOCK) for name in names)
    return [entry[0] for entry in found if entry]


def as_json(
    made: Edition, sources: Iterable[Mapping[str, Any]], entries: Sequence[Mapping[str, Any]]
) -> bytes:
    """Write edition, papers and entries as one JSON document in UTF-8."""
    document = {
        "schema": SCHEMA, "edition": asdict(made),
        "papers": list(sources), "entries": list(entries),
    }  # fmt: skip
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def as_csv(made: Edition, entries: Sequence[Mapping[str, Any]]) -> bytes:
    """Write entries as CSV: one row an entry, lists with one item a line within their cell.

    The last columns name the edition, in each row: a row that is copied elsewhere keeps it.

    The file starts with a byte order mark: without it, Excel takes UTF-8 for the local code page
    and the Japanese terms come out garbled. Python reads it with ``encoding="utf-8-sig"``.
    """
    text = io.StringIO(newline="")
    names = [name for name in entries[0] if name != "evidence"] if entries else []
    told = {f"edition_{name}": value for name, value in asdict(made).items()}
    writer = csv.DictWriter(text, [*names, "cells", *told], extrasaction="ignore")
    writer.writeheader()
    for item in entries:
        lines = {k: "\n".join(v) for k, v in item.items() if isinstance(v, list) and k in names}
        cells = "\n".join(found["link"] for found in item["evidence"])
        flags = {k: "yes" if v else "no" for k, v in item.items() if isinstance(v, bool)}
        writer.writerow({**item, **lines, **flags, "cells": cells, **told})
    return text.getvalue().encode("utf-8-sig")


def files(root: Path, address: str) -> dict[str, bytes]:
    """Return all exports: name of the file -> content. Errors stand before misprints.

    Parameters
    ----------
    root : Path
        The book's root.
    address : str
        Of the published book, empty or ending in a slash.
    """
    source, made = papers(root), edition(root)
    pairs = [(p, status) for p in parts(root) for status in statuses(root, p).values()]
    every = [entry(part, status, address) for part, status in pairs]
    wrong = [item for item, (_, status) in zip(every, pairs) if status.is_erratum]
    wrong.sort(
        key=lambda item: str(item["weight"])
    )  # "error" before "misprint"; else as in the papers
    written = {
        "ledger.json": as_json(made, [source[part] for part in parts(root)], every),
        "ledger.csv": as_csv(made, every),
        "errata.json": as_json(made, [source[part] for part in parts(root)], wrong),
        "errata.csv": as_csv(made, wrong),
    }
    for part in parts(root):
        own = [item for item in wrong if item["part"] == part]
        written[f"errata-{part}.json"] = as_json(made, [source[part]], own)
    return written
