"""Bibliography: every entry is cited and says where to find the work."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIB = (ROOT / "book" / "references.bib").read_text(encoding="utf-8")


def entries():
    """Key -> fields, for a file with one field a line."""
    found = {}
    for kind, key, body in re.findall(
        r"^@(\w+)\{([^,]+),\n(.*?)\n\}$", BIB, re.DOTALL | re.MULTILINE
    ):
        fields = re.findall(r"^  (\w+) = \{(.*)\},?$", body, re.MULTILINE)
        assert len(fields) == len(body.splitlines()), f"{key}: one field a line"
        found[key] = {"kind": kind, **dict(fields)}
    assert len(found) == BIB.count("\n@") + BIB.startswith("@")
    return found


def cited():
    """Keys that a notebook, a page or the source of a claim cites."""
    pages = [*ROOT.glob("notebooks/**/*.md"), *ROOT.glob("book/**/*.md")]
    pages += ROOT.glob("book/claims/*.yml")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    groups = re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", text)
    return {key.strip() for group in groups for key in group.split(",")}


def test_every_entry_says_where_to_find_the_work():
    for key, entry in entries().items():
        places = {"doi", "url", "eprint"} & set(entry)
        none = re.search(r"[Nn]o DOI|no stable address", entry.get("note", ""))
        assert places or none, f"{key}: a doi, a url, or a note that there is none"


def test_identifiers_are_bare_and_unique():
    for key, entry in entries().items():
        assert re.fullmatch(r"10\.\d{4,9}/\S+", entry.get("doi", "10.1000/x")), key
        assert re.fullmatch(r"https://\S+", entry.get("url", "https://x")), key
    dois = Counter(entry["doi"].lower() for entry in entries().values() if "doi" in entry)
    assert not [doi for doi, n in dois.items() if n > 1]


def test_every_entry_has_author_title_and_year():
    for key, entry in entries().items():
        assert {"author", "title"} <= set(entry), key
        # The sources of the five parts are undated manuscripts or say no year in their text.
        assert (
            "year" in entry
            or "source of the part" in entry.get("note", "")
            or key in ("opendp", "dpaccounting")
        ), key


def test_every_entry_is_cited_and_every_citation_has_an_entry():
    assert cited() == set(entries())


def test_recent_works_say_whether_they_were_opened():
    """A reader of 2026 is to know which of the new works we judge by their abstract."""
    told = r"[Ss]een by abstract|[Rr]ead by its beginning|[Oo]pened|Program, run"
    recent = [(key, entry) for key, entry in entries().items() if int(entry.get("year", 0)) >= 2024]
    assert len(recent) > 30
    silent = [key for key, entry in recent if not re.search(told, entry.get("note", ""))]
    assert not silent
