"""Sphinx directives of the book: ledger, dependency graph, errata, benchmarks, build status.

Everything that they show is derived at build time from ``book/claims/*.yml``, the outputs stored in
the executed notebooks, and ``benchmarks/results/*.json``; nothing is typed into a page.

=====================  =======================================================================
directive              shows
=====================  =======================================================================
``claims-overview``    verdicts counted by part
``claims-table PART``  every claim of a part with its verdict and links to its evidence
``claims-graph PART``  what rests on what, coloured by verdict
``errata [slips]``     printed -> corrected -> counterexample -> consequence, errors or slips
``benchmarks PART``    measured ratios with their spread, growth, what limits the speed
``build-status WHAT``  counts, budgets, times and versions of this build
=====================  =======================================================================
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from . import base, benchmarks, errata, graph, ledger, status

_PRELOAD = re.compile(r'\s*<link rel="preload" as="font"[^>]*>')
_DIRECTIVES = {
    "claims-overview": ledger.ClaimsOverview,
    "claims-table": ledger.ClaimsTable,
    "claims-graph": graph.ClaimsGraph,
    "errata": errata.Errata,
    "benchmarks": benchmarks.Benchmarks,
    "build-status": status.BuildStatus,
}


def _drop_font_preloads(app: Sphinx, error: Exception | None) -> None:
    """Remove the theme's font preloads: from ``file://`` a browser refuses them, with an error.

    The fonts still load through the style sheet, where they are wanted.
    """
    if error is None and app.builder.format == "html":
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            page.write_text(_PRELOAD.sub("", text), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    for name, directive in _DIRECTIVES.items():
        app.add_directive(name, directive)
    app.connect("build-finished", _drop_font_preloads)
    app.connect("builder-inited", lambda _: base.statuses.cache_clear())
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
