"""What a page takes from the executed notebooks: stored values, figures, verdicts with links.

A page of prose never repeats a number or a picture of a notebook by hand. It asks for it by name,
and gets what the last execution stored; a name that no notebook has is an error of the build.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import html
import json
import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from docutils import nodes
from sphinx.util.docutils import SphinxRole

from privlib.kit.evidence import VERDICTS, anchor, part_of

from .base import Directive, pill, raw

_GLUED = "application/papermill.record/text/plain"


@cache
def _cells(notebook: Path, _modified: float) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return found


def cells(root: Path, name: str) -> list[dict[str, Any]]:
    """Return the cells of the executed notebook `name` (path without suffix, from the root).

    Raises
    ------
    ValueError
        If there is no such notebook.
    """
    path = root / f"{name}.ipynb"
    if not path.exists():
        raise ValueError(f"no notebook {name}")
    return _cells(path, path.stat().st_mtime)


def stored(root: Path, name: str, key: str) -> Any:
    """Return the value that a notebook glued under `key`.

    Raises
    ------
    ValueError
        If the notebook stored no such value.
    """
    for cell in cells(root, name):
        for output in cell.get("outputs", ()):
            if output.get("metadata", {}).get("scrapbook", {}).get("name") == key:
                return ast.literal_eval("".join(output["data"][_GLUED]))
    raise ValueError(f"notebook {name} stores no value {key!r}")


def figure(root: Path, name: str, label: str) -> tuple[bytes, str, str]:
    """Return picture (PNG), alternative text and caption of a figure in a notebook.

    Raises
    ------
    ValueError
        If the notebook has no figure with this label.
    """
    for cell in cells(root, name):
        told = cell.get("metadata", {}).get("mystnb", {})
        if told.get("figure", {}).get("name") == label:
            for output in cell["outputs"]:
                if "image/png" in output.get("data", {}):
                    picture = base64.b64decode(output["data"]["image/png"])
                    return picture, told["image"]["alt"], told["figure"]["caption"]
    raise ValueError(f"notebook {name} has no figure {label!r}")


class Stored(SphinxRole):
    """``{stored}`notebooks/part/name key:format` ``: a number that a notebook computed."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Put the value into the text."""
        name, _, key = self.text.partition(" ")
        key, _, form = key.partition(":")
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(root / f"{name}.ipynb"))
        try:
            text = format(stored(root, name, key), form)
        except ValueError as error:
            message = self.inliner.reporter.error(f"stored: {error}", line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        return [nodes.Text(text)], []


class NotebookFigure(Directive):
    """A figure of a notebook on another page, with its caption and a link to where it is drawn."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        name, label = self.arguments
        self.env.note_dependency(str(self.root / f"{name}.ipynb"))
        try:
            picture, alt, caption = figure(self.root, name, label)
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from None
        digest = hashlib.sha256(picture).hexdigest()[:16]
        path = Path(self.env.doctreedir).parent / "notebook-figures" / f"{digest}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
        uri = "/" + Path(os.path.relpath(path, self.root)).as_posix()
        shown = nodes.figure("", nodes.image(uri=uri, alt=alt, width="100%"), align="center")
        # A plain link: the target's label is not among the ids that MyST can resolve across pages.
        link = nodes.reference("", "Drawn here.", refuri=f"{self.uri(name)}#{label}")
        words = self.parse_text_to_nodes(caption)[0].children
        shown += nodes.caption("", "", *words, nodes.Text(" "), link)
        return [shown]


class Verdicts(Directive):
    """For each of some claims its verdict, ledger row and the cells with the evidence."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        shown = []
        for claim_id in self.arguments[0].split():
            part = part_of(claim_id)
            status = self.statuses(part).get(claim_id)
            if status is None:
                raise self.error(f"{self.name}: no claim {claim_id} in book/claims/{part}.yml")
            where = ", ".join(
                f'<a href="{self.uri(name)}#{anchor(claim_id)}">evidence in notebook '
                f"{name.rpartition('/')[2].partition('-')[0]}</a>"
                for name, _ in status.evidence
            )
            row = f"{self.uri(f'book/ledger/{part}')}#{anchor(claim_id)}"
            shown.append(
                f'<li>{pill(status.verdict)} <a href="{row}">{claim_id}</a> '
                f"<span>({html.escape(status.method or 'read')}; {where})</span></li>"
            )
        return [raw(f'<ul class="claim-line">{"".join(shown)}</ul>')]


class ClaimsTiles(Directive):
    """The book in a row of numbers, each a link to the claims that it counts."""

    def run(self) -> list[nodes.Node]:
        statuses = [s for part in self.parts for s in self.statuses(part).values()]
        papers = [s for s in statuses if s.entry.kind != "beyond"]
        count = Counter(s.verdict for s in papers)
        checks = sum(len(s.checks) for s in statuses)
        tiles = [({"kind": "paper"}, len(papers), "claims of five papers")]
        tiles += [({"kind": "paper", "verdict": v}, count[v], v) for v in VERDICTS]
        tiles += [({"kind": "beyond"}, len(statuses) - len(papers), "results beyond the papers")]
        ledger = self.uri("book/ledger/index")
        items = "".join(
            f'<li><a href="{ledger}?{urlencode(query)}#every-claim">'
            f"<b>{number}</b> {html.escape(text)}</a></li>"
            for query, number, text in tiles
        )
        return [
            raw(f'<ul class="claim-tiles">{items}</ul>'),
            nodes.paragraph("", f"{checks:,} checks in executed cells stand behind these numbers."),
        ]
