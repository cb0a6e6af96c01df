"""Sphinx directives of the book: ledger, graph, errata, benchmarks, exercises, glossary.

Everything that they show is derived at build time from ``book/claims/*.yml``, the executed
notebooks with their outputs, ``benchmarks/results/*.json`` and ``book/glossary.yml``; nothing
is typed into a page.

=======================  ===========================================================================
directive                shows
=======================  ===========================================================================
``claims-overview``      verdicts counted by part
``claims-all``           every claim of all parts, compact
``claims-filter …``      the filter bar for the tables of the page
``claims-table PART``    every claim of a part with its verdict and links to its evidence
``claims-graph PART``    what rests on what, coloured by verdict
``claims-exports``       links to ledger and errata as CSV and JSON, which the build writes
``errata [slips]``       printed -> corrected -> counterexample -> consequence, errors or slips
``benchmarks PART``      measured ratios with their spread
``claims-tiles``         the whole book in a row of numbers
``notebook-figure``      a figure of a notebook on another page
``verdicts IDS``         verdict, ledger row and evidence of some claims
``api-…``                the API reference (see `api`)
``exercise-index``       exercises counted; with a PART, its exercises by level
``exercise-list``        exercises by label
``reading-list``         notebooks with their minutes
``glossary-table``       Japanese terms: reading, English, meaning, where they stand first
``glossary-english``     English terms with their meaning and their Japanese ones
``interactive-gallery``  every figure with sliders (interactive.py also loads their scripts)
``build-status WHAT``    counts, budgets, times and versions of this build
=======================  ===========================================================================

The role ``claim`` links to a claim's row in the ledger, the role ``stored`` shows a number that a
notebook computed.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from . import (
    api,
    base,
    benchmarks,
    errata,
    exercises,
    export,
    filters,
    findings,
    glossary,
    graph,
    interactive,
    ledger,
    pages,
    status,
)

_PRELOAD = re.compile(r'\s*<link rel="preload" as="font"[^>]*>')
_DIRECTIVES = {
    "claims-overview": ledger.ClaimsOverview,
    "claims-all": ledger.ClaimsAll,
    "claims-exports": errata.Exports,
    "claims-filter": filters.ClaimsFilter,
    "claims-table": ledger.ClaimsTable,
    "claims-graph": graph.ClaimsGraph,
    "errata": errata.Errata,
    "benchmarks": benchmarks.Benchmarks,
    "claims-tiles": findings.ClaimsTiles,
    "notebook-figure": findings.NotebookFigure,
    "verdicts": findings.Verdicts,
    "exercise-index": exercises.ExerciseIndex,
    "exercise-list": exercises.ExerciseList,
    "reading-list": exercises.ReadingList,
    "glossary-table": glossary.GlossaryTable,
    "glossary-english": glossary.GlossaryEnglish,
    "interactive-gallery": interactive.InteractiveGallery,
    "build-status": status.BuildStatus,
}


def _mend_pages(app: Sphinx, error: Exception | None) -> None:
    """Mend what the theme writes: font preloads, and arrows in the sidebar without a name.

    From ``file://`` a browser refuses the preloads, with an error; the fonts still load through
    the style sheet, where they are wanted.
    """
    if error is None and app.builder.format == "html":
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            page.write_text(pages.name_arrows(_PRELOAD.sub("", text)), encoding="utf-8")


def _write_exports(app: Sphinx, error: Exception | None) -> None:
    """Write ledger and errata as CSV and JSON beside the pages."""
    if error is None and app.builder.format == "html":
        root, folder = Path(app.srcdir), Path(app.outdir) / "book" / "exports"
        folder.mkdir(parents=True, exist_ok=True)
        statuses = {part: base.statuses(root, part) for part in base.parts(root)}
        published = app.config.html_baseurl.rstrip("/")
        for name, content in export.files(root, statuses, published and f"{published}/").items():
            (folder / name).write_bytes(content)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    for name, directive in _DIRECTIVES.items():
        app.add_directive(name, directive)
    app.add_role("stored", findings.Stored())
    app.add_role("claim", exercises.ClaimRole())
    pages.setup(app)
    api.setup(app)
    app.connect("build-finished", _mend_pages)
    app.connect("build-finished", _write_exports)
    app.connect("builder-inited", interactive.prepare)
    app.connect("html-page-context", interactive.add_scripts)
    app.connect("builder-inited", lambda _: base.statuses.cache_clear())
    app.connect("builder-inited", lambda _: exercises.notebooks.cache_clear())
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
