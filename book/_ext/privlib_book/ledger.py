"""The ledger, the errata, and the verdicts on other pages."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import edition
import glossary
import works
from docutils import nodes
from ledger import corrected_papers, differences, exports, japanese, layout
from ledger.verdicts import Status
from sphinx.util.docutils import SphinxRole

from privlib.notebook.claims import PARTS, STRENGTHS, VERDICTS, anchor, part_of

from .base import Page, shows, statuses, templates
from .reading import unbroken

templates().globals.update(
    names=glossary.names,
    glossary=glossary,
    corrected_papers=corrected_papers,
    differences=differences,
    japanese=japanese,
)


def counts(statuses: Iterable[Status]) -> Counter[str]:
    """Count verdicts of the paper's claims, strengths and notes, and results beyond the paper."""
    count: Counter[str] = Counter()
    for status in statuses:
        if status.claim.kind == "beyond":
            count["beyond"] += 1
        else:
            words = {"paper", status.verdict or "open", status.strength, *status.notes}
            if status.fully:
                words.add("fully verified")
            count.update(words - {""})
    return count


@shows("claims-overview")
def overview(page: Page) -> Mapping[str, Any]:
    """Count verdicts and strengths by part; each count leads to the claims counted."""
    rows = {part: counts(page.statuses(part).values()) for part in page.parts}
    rows["all"] = sum(rows.values(), Counter())
    return {"count": rows}


@shows("claims-limits")
@shows("claims-all")
def every_claim(page: Page) -> Mapping[str, Any]:
    """Show every claim of all parts, or those with a limit; ids lead to the part pages."""
    rows = [(anchor(status.claim.id), (part, status)) for part, status in page.every_status()]
    return {"rows": rows, **bilingual(page, page.parts)}


@shows("claims-table")
def table(page: Page) -> Mapping[str, Any]:
    """Show every claim of a part, in the order of the paper."""
    rows = [(anchor(claim_id), status) for claim_id, status in page.statuses(page.part).items()]
    return {"part": page.part, "rows": rows}


@shows("claims-filter")
def filter_bar(page: Page) -> Mapping[str, Any]:
    """Show the bar that filters the tables of this page by some fields: part, verdict, kind, q."""
    known = ("part", "verdict", "strength", "method", "kind", "q")
    if unknown := [name for name in page.words if name not in known]:
        raise ValueError(f"no field {unknown}; there are {', '.join(known)}")
    return {"fields": page.words}


@shows("errata")
def errata(page: Page) -> Mapping[str, Any]:
    """Show what needs repair, errors or misprints; what follows from another stands beneath it."""
    weight = " ".join(page.words).removesuffix("s") or "error"
    wrong = {s.claim.id: (part, s) for part, s in page.every_status() if s.is_erratum}
    beneath = {k: s.claim.root for k, (_, s) in wrong.items() if s.claim.root in wrong}
    roots = [k for k, (_, s) in wrong.items() if k not in beneath and s.claim.weight == weight]
    ids = [k for root in roots for k in (root, *(c for c in beneath if beneath[c] == root))]
    rows = [(f"errata-{anchor(k)}", wrong[k]) for k in ids]
    return {"weight": weight, "roots": roots, "rows": rows, **bilingual(page, page.parts)}


def bilingual(page: Page, parts: Iterable[str]) -> dict[str, Any]:
    """Return what a page needs that has a Japanese side: the wording of each claim, and words."""
    own = (f"claims/ja/{folder}{part}.yml" for part in parts for folder in ("", "checks/"))
    for name in ("outlines.yml", "references.bib", *own):
        page.depends_on(page.root / "book" / name)
    texts: dict[str, dict[str, str]] = {}
    for part in parts:
        texts |= japanese.texts_of(page.root, part, page.statuses(part).values())
    known = works.citations(page.root)
    linked = partial(works.linked, library=page.uri("book/references"), known=known)

    def cite(words: str) -> str:
        return linked(unbroken(words))

    return {"ja": texts, "cite": cite}


@shows("repaired")
def repaired_papers(page: Page) -> Mapping[str, Any]:
    """Show a paper in its own order, put right; without a part, how the objects of all stand."""
    parts = [page.part] if page.words else page.parts
    papers = {}
    for part in parts:
        sections = corrected_papers.outline(page.root, part)
        papers[part] = corrected_papers.arrange(page.statuses(part).values(), sections)
    return {"papers": papers, **bilingual(page, parts)}


@shows("claims-exports")
def export_links(page: Page) -> Mapping[str, Any]:
    """Link the files that `exports` writes."""
    page.depends_on(page.root / "book" / "references.bib")
    folder = posixpath.relpath("book/exports", posixpath.dirname(page.env.docname))
    return {"folder": folder, "papers": list(exports.papers(page.root).values())}


@shows("cite-book")
def cite_book(page: Page) -> Mapping[str, Any]:
    """Say how to cite this edition of the book."""
    return {"edition": page.ask(edition.edition)}


@shows("cite-sources")
def cite_sources(page: Page) -> Mapping[str, Any]:
    """Show the source of each part, with its BibTeX entries as they stand in the list."""
    text = page.depends_on(page.root / "book" / "references.bib").read_text(encoding="utf-8")
    sources = exports.papers(page.root).items()
    return {"papers": [(paper, exports.bibtex_of(text, part)) for part, paper in sources]}


@shows("claims-tiles")
def tiles(page: Page) -> Mapping[str, Any]:
    """Show the whole book in a row of numbers, each a link to the claims that it counts."""
    every = [status for _, status in page.every_status()]
    count = counts(every)
    shown = [({"kind": "paper"}, count["paper"], "claims of four papers and a note")]
    shown += [({"kind": "paper", "verdict": v}, count[v], v) for v in VERDICTS if count[v]]
    shown += [({"kind": "beyond"}, count["beyond"], "results beyond the papers")]
    return {"tiles": shown, "checks": sum(len(status.checks) for status in every)}


@shows("part-map")
def part_map(page: Page) -> Mapping[str, Any]:
    """Show a part: time, score, and its notebooks with their minutes and claims."""
    own, every = page.pages(page.part), page.statuses(page.part).values()
    claims: Counter[str] = Counter()
    for status in every:
        claims.update({layout.page_of(notebook) for notebook, _ in status.evidence})
    course = [notebook for notebook in own if not layout.is_note(notebook.name)]
    notes = [notebook for notebook in own if layout.is_note(notebook.name)]
    return {
        "course": course,
        "notes": notes,
        "claims": claims,
        "count": counts(every),
        "part": page.part,
    }


@shows("evidence")
def evidence_line(page: Page) -> Mapping[str, Any]:
    """Show in one line what became of the claims of a section, and lead to their checks."""
    found = _statuses_of(page, page.words)
    own = layout.evidence_of(layout.page_of(page.env.docname))
    verdicts: Counter[str] = Counter(status.verdict or "open" for status in found)
    strengths = Counter(status.strength for status in found if status.strength)
    checked = any(own in dict(status.evidence) for status in found)
    return {
        "claims": found,
        "verdicts": [(verdicts[v], v) for v in (*VERDICTS, "open") if verdicts[v]],
        "strengths": [(strengths[s], s) for s in STRENGTHS if strengths[s]],
        "evidence": own if checked else "",
    }


def _statuses_of(page: Page, ids: Iterable[str]) -> list[Status]:
    """Return the statuses of some claims.

    Raises
    ------
    ValueError
        If a claim is not in the files.
    """
    found = []
    for claim_id in ids:
        part = part_of(claim_id)
        if claim_id not in page.statuses(part):
            raise ValueError(f"no claim {claim_id} in book/claims/{part}.yml")
        found.append(page.statuses(part)[claim_id])
    return found


@shows("verdicts")
def verdicts(page: Page) -> Mapping[str, Any]:
    """Show for some claims their verdicts, ledger rows and cells with the evidence."""
    statuses = _statuses_of(page, page.words)
    return {"claims": [(part_of(status.claim.id), status) for status in statuses]}


class ClaimRole(SphinxRole):
    """Link to a claim's row in the ledger, without its verdict."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        part = PARTS.get(self.text[:1], "")
        if not part or self.text not in statuses(Path(self.env.srcdir), part):
            message = self.inliner.reporter.error(f"claim: no claim {self.text}", line=self.lineno)
            return [], [message]
        row = Page.builder.get_relative_uri(self.env.docname, f"book/ledger/{part}")
        target = f"{row}#{anchor(self.text)}"
        return [nodes.reference("", self.text, refuri=target, internal=True)], []
