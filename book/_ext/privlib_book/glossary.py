"""Glossary: the terms of ``book/glossary.yml``, each linked to where the book uses it first."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from docutils import nodes

from privlib.kit.evidence import PARTS, anchor

from .base import Directive, raw

_BLOCK = re.compile(
    r"^(?P<fence>`{3,})\{prf:[^\n]*\n:label: (?P<label>\S+)\n.*?^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_HEADING = re.compile(r"^##+ (?P<title>[^\n`$*{\[]+)$", re.MULTILINE)


@dataclass(frozen=True)
class Term:
    """One entry."""

    ja: tuple[str, ...]
    en: tuple[str, ...]
    means: str
    parts: tuple[str, ...]
    reading: str = ""

    @property
    def id(self) -> str:
        return f"term-{nodes.make_id(self.reading or self.ja[0])}"

    @property
    def japanese(self) -> str:
        """HTML of the printed forms."""
        return ", ".join(f'<span lang="ja">{html.escape(form)}</span>' for form in self.ja)


def read(path: Path) -> list[Term]:
    """Read the entries; none may lack a field, ids must differ, parts must be known."""
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    for entry in entries:
        if lacking := {"ja", "en", "means", "parts"} - set(entry):
            raise ValueError(f"{path.name}: {entry.get('ja', entry)} lacks {sorted(lacking)}")
    terms = [
        Term(tuple(e["ja"]), tuple(e["en"]), e["means"], tuple(e["parts"]), e.get("reading", ""))
        for e in entries
    ]
    ids = [term.id for term in terms]
    wrong = [t.ja[0] for t in terms if ids.count(t.id) > 1 or set(t.parts) - set(PARTS.values())]
    if wrong:
        raise ValueError(f"{path.name}: same reading twice, or an unknown part: {', '.join(wrong)}")
    return terms


class _Glossary(Directive):
    """What both directions share."""

    @property
    def terms(self) -> list[Term]:
        path = self.root / "book" / "glossary.yml"
        self.env.note_dependency(str(path))
        try:
            return read(path)
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from error


class GlossaryTable(_Glossary):
    """Japanese to English, in the order of the readings."""

    def run(self) -> list[nodes.Node]:
        sources = {part: self._sources(part) for part in PARTS.values()}
        rows = []
        for term in sorted(self.terms, key=lambda t: _plain(t.reading or t.ja[0])):
            used = ", ".join(_first(term, part, sources[part]) for part in term.parts)
            cells = [
                raw(f"<p>{term.japanese}</p>"),
                f"*{term.reading}*" if term.reading else " ",
                "; ".join(term.en),
                term.means,
                raw(f"<p>{used}</p>"),
            ]
            rows.append((term.id, cells))
        head = ["Japanese", "reading", "English", "here it means", "first used"]
        return [self.table(head, rows, [18, 17, 18, 32, 15], ["glossary"])]

    def _sources(self, part: str) -> list[tuple[str, str, str]]:
        """Texts of a part in reading order: prose, then code, then the ledger."""
        prose: list[tuple[str, str, str]] = []
        code: list[tuple[str, str, str]] = []
        for path in sorted((self.root / "notebooks" / part).glob("*.ipynb")):
            self.env.note_dependency(str(path))
            link = f"../notebooks/{part}/{path.stem}.html"
            name = f"{part} {int(path.stem[:2])}"
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                kind = prose if cell["cell_type"] == "markdown" else code
                kind.append((name, link, "".join(cell["source"])))
        ledger = [
            (f"{part}, ledger", f"ledger/{part}.html#{anchor(status.entry.id)}", status.entry.ja)
            for status in self.statuses(part).values()
        ]
        return prose + code + ledger


class GlossaryEnglish(_Glossary):
    """English to Japanese, alphabetically, with the meaning again: nobody need know the kanji."""

    def run(self) -> list[nodes.Node]:
        pairs = sorted(
            ((en, term) for term in self.terms for en in term.en), key=lambda p: p[0].casefold()
        )
        rows = [
            ("", [en, term.means, raw(f'<p><a href="#{term.id}">{term.japanese}</a></p>')])
            for en, term in pairs
        ]
        head = ["English", "here it means", "Japanese"]
        return [self.table(head, rows, [28, 47, 25], ["glossary-english"])]


@cache
def _whole(form: str) -> re.Pattern[str]:
    """Match a term that is not a piece of a longer one; "ε-" in front is no piece of it."""
    return re.compile(rf"(?<!\w)(?<![^\Wε]-){re.escape(form)}(?!\w)")


def _plain(text: str) -> str:
    """Return the text without accents, for sorting."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def _first(term: Term, part: str, sources: list[tuple[str, str, str]]) -> str:
    """Link a part's first use of a term; only its name if the term stands in the paper only."""
    heading = ""
    for name, link, text in sources:
        at = min((m.start() for form in term.ja if (m := _whole(form).search(text))), default=-1)
        if at < 0:
            heading = f"{link}#{h[-1]}" if (h := _headings(text)) else heading
            continue
        blocks = (b for b in _BLOCK.finditer(text) if b.start() <= at < b.end())
        if block := next(blocks, None):
            target = f"{link}#{block['label']}"
        elif before := _headings(text[:at]):
            target = f"{link}#{before[-1]}"
        else:
            target = heading if heading.startswith(link) else link
        return f'<a href="{target}">{name}</a>'
    return part


def _headings(text: str) -> list[str]:
    """Ids of the headings below the title that are plain text."""
    return [nodes.make_id(match["title"]) for match in _HEADING.finditer(text)]
