"""Sphinx directives of the book: ledger, errata, benchmarks, exercises, glossary.

A directive has a function that gathers what it shows and a template of the same name that shows it
(``templates``). All of it comes from ``book/claims/*.yml``, the evidence of the executed notebooks
(`ledger`), ``benchmarks/speed.json``, ``tests/outside/numbers.yml`` and ``book/glossary.yml``;
nothing is typed into a page. A build with evidence that the code has outlived stops.

=======================  ===========================================================================
directive                shows
=======================  ===========================================================================
``claims-overview``      verdicts and strength of the evidence, counted by part
``claims-all``           every claim of all parts, compact
``claims-filter …``      the filter bar for the tables of the page
``claims-table PART``    every claim of a part with its verdict and links to its evidence
``claims-exports``       links to ledger and errata as CSV and JSON, which the build writes
``errata [misprints]``   printed -> corrected -> counterexample, errors or misprints
``repaired PART``        a paper in its own order, what is printed and what stands instead
``claims-limits``        verified claims that have a limit
``claims-tiles``         the whole book in a row of numbers
``part-map PART``         a part's time, score and notebooks
``verdicts IDS``         verdict, ledger row and evidence of some claims
``evidence IDS``         one line on the claims of a section, which leads to their checks
``notebook-figure``      a figure of a notebook on another page
``schematic NAME``       a drawing of ``tools/schematics.py``
``interactive-gallery``  every figure with sliders
``exercise-count``       exercises counted by part and level
``exercise-index PART``  exercises of a part by level
``exercise-list``        exercises by label
``reading-list``         notebooks with their minutes
``research-results``     results of the research notes, each with its figure
``course-in-japanese``   the pages of a part with a summary in Japanese
``evidence-list``        the notebooks of evidence, with their pages
``glossary-table``       Japanese terms: reading, English, meaning, where they stand first
``glossary-english``     English terms with their meaning and their Japanese ones
``benchmarks``            ten functions beside their peers
``outside PART``         our numbers beside those of others; ``counts``, ``stories``: of all parts
``status-…``             counts, mutation tests and versions of this build
``api-overview``         the modules of each part (see `api`)
``api-uses NAME``        where an object is derived and what it serves; put in by `api`
=======================  ===========================================================================

The role ``claim`` links to a claim's row in the ledger, the role ``stored`` shows a number that a
notebook computed.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

sys.path.append(
    str(Path(__file__).resolve().parents[3] / "tools")
)  # where the package of the ledger is
import prose_numbers
from ledger import exports, freshness, japanese, outside, verdicts
from ledger.claims import LedgerError, parts

from . import (  # noqa: F401
    api,
    base,
    drawings,
    languages,
    ledger,
    measurements,
    notebooks,
    pages,
    reading,
)


def refuse_contradictions(app: Sphinx) -> None:
    """Stop, before any page is read, if claims and evidence contradict each other.

    Here and in `refuse_stale` the build ends with a message alone: an exception would pass through
    Jupyter Book, which adds its traceback.
    """
    root = Path(app.srcdir)
    try:
        for part in parts(root):
            verdicts.statuses(root, part)
    except LedgerError as error:
        sys.exit(f"book: {error}")


def refuse_stale(app: Sphinx) -> None:
    """Stop if the evidence of a notebook is not that of the code as it is."""
    if stale := freshness.stale(Path(app.srcdir)):
        lines = [f"  {name}: {', '.join(changed)}" for name, changed in stale.items()]
        sys.exit(
            "book: these did not run with the code as it is; `make notebooks` runs them again:\n"
            + "\n".join(lines)
        )


def write_exports(app: Sphinx, error: Exception | None) -> None:
    """Write ledger and errata as CSV and JSON."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir) / "book" / "exports"
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in exports.files(Path(app.srcdir), app.config.html_baseurl).items():
            (folder / name).write_bytes(content)


def finish_page(
    app: Sphinx, pagename: str, _: str, context: dict[str, Any], doctree: object
) -> None:
    """Say in badges whether others agree, and in both languages the titles of a page in two."""
    if doctree:
        body = reading.written(outside.with_others(context["body"], Path(app.srcdir)))
        if pagename.startswith("notebooks/"):
            # The cells of a notebook write links as from notebooks/<part>/.
            up = "../" * pagename.count("/")
            body = body.replace('href="../../book/', f'href="{up}book/')
        if 'class="languages"' in body:
            languages.title_neighbours(context)
        body = japanese.titled(body)
        context["body"] = languages.other_language(app, pagename, body)


def finish_pictures(_: Sphinx, doctree: nodes.document) -> None:
    """Take the sources of numbers out of alternative texts, which cannot hold a comment."""
    for image in doctree.findall(nodes.image):
        if "alt" in image:
            image["alt"] = prose_numbers.without_sources(image["alt"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    own = {
        "notebook-figure": notebooks.NotebookFigure,
        "interactive-gallery": notebooks.Gallery,
        "research-results": notebooks.Results,
        "schematic": drawings.Schematic,
    }
    for name, directive in (base.DIRECTIVES | own).items():
        app.add_directive(name, directive)
    app.add_role("stored", notebooks.Stored())
    app.add_role("claim", ledger.ClaimRole())
    pages.setup(app)
    languages.setup(app)
    api.setup(app)
    reading.setup(app)
    app.connect("builder-inited", refuse_contradictions, priority=90)
    app.connect("builder-inited", refuse_stale, priority=100)
    app.connect("builder-inited", base.prepare)
    app.connect("env-get-outdated", base.answered_otherwise)
    app.connect("doctree-read", finish_pictures)
    app.connect("doctree-read", notebooks.go_on_with_afternoon)
    app.connect("html-page-context", finish_page)
    app.connect("html-page-context", notebooks.add_scripts)
    app.connect("build-finished", pages.write_moved)
    app.connect("build-finished", write_exports, priority=900)  # the theme has written its sheets
    # What one build remembers is of no use to other code, any tool's included: all pages are
    # read again.
    here = Path(__file__).parent
    code = [
        p for each in ("*.py", "templates/*", "../../../tools/**/*.py") for p in here.glob(each)
    ]
    version = zlib.crc32(b"".join(path.read_bytes() for path in sorted(code)))
    return {"env_version": version, "parallel_read_safe": False, "parallel_write_safe": True}
