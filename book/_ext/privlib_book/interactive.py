"""Live figures: the gallery page, and the scripts on the pages that hold such a figure."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from plotly.offline import get_plotlyjs, get_plotlyjs_version
from sphinx.application import Sphinx

from privlib.ledger import PARTS

from .base import Directive, raw

_MARK = 'class="privlib-interactive"'
_NAME = re.compile(r'id="interactive-([a-z0-9-]+)"')
_PLOTLY = f"plotly-{get_plotlyjs_version()}.min.js"


@dataclass(frozen=True)
class Live:
    """A live figure as a notebook stores it, with the static figure that it replaces."""

    name: str
    notebook: str
    heading: str
    markup: str
    image: str
    caption: str
    alt: str


def gather(root: Path, part: str) -> list[Live]:
    """Return the live figures of a part, in reading order.

    Raises
    ------
    ValueError
        If two have one name, or one comes without its static figure before it.
    """
    found: dict[str, Live] = {}
    for path in sorted((root / "notebooks" / part).glob("*.ipynb")):
        notebook = path.relative_to(root).with_suffix("").as_posix()
        heading, static = "", {}
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                heads = re.findall(r"^#+ (.+)$", cell.source, re.MULTILINE)
                heading = heads[-1] if heads else heading
                continue
            for output in cell.outputs:
                data = output.get("data", {})
                if "image/png" in data:
                    static = {"image": data["image/png"], **_figure(cell)}
                if _MARK in (markup := data.get("text/html", "")):
                    live = _live(notebook, heading, markup, static)
                    if live.name in found:
                        raise ValueError(f"{notebook}: there is an interactive {live.name} already")
                    found[live.name] = live
    return list(found.values())


def _figure(cell: Any) -> dict[str, str]:
    meta = cell.metadata.get("mystnb", {})
    return {**meta.get("figure", {}), "alt": meta.get("image", {}).get("alt", "")}


def _live(notebook: str, heading: str, markup: str, static: dict[str, str]) -> Live:
    match = _NAME.search(markup)
    name = match[1] if match else ""
    if static.get("name") != f"fig-{name}":
        raise ValueError(
            f"{notebook}: interactive {name} must follow a figure named fig-{name}, "
            f"got {static.get('name')}"
        )
    return Live(name, notebook, heading, markup, static["image"], static["caption"], static["alt"])


class InteractiveGallery(Directive):
    """Every live figure of the book, or of one part, with a link to where it teaches."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        shown: list[nodes.Node] = []
        for part in self.arguments or self.parts:
            if part not in PARTS.values():
                raise self.error(f"{self.name}: no part {part}; there are {self.parts}")
            for path in sorted((self.root / "notebooks" / part).glob("*.ipynb")):
                self.env.note_dependency(str(path))
            for live in gather(self.root, part):
                shown += self._section(live)
        return shown

    def _section(self, live: Live) -> list[nodes.Node]:
        number = live.notebook.rpartition("/")[2].partition("-")[0]
        image = html.escape(live.alt)
        source = live.image.replace("\n", "")
        return [
            nodes.rubric("", live.heading, ids=[f"gallery-{live.name}"]),
            raw(
                f'<figure class="align-default" id="fig-{live.name}">'
                f'<img alt="{image}" src="data:image/png;base64,{source}">{live.markup}<figcaption>'
            ),
            *self.parse_text_to_nodes(live.caption),
            raw("</figcaption></figure>"),
            *self.parse_text_to_nodes(
                f"[Where it belongs: notebook {number}](/{live.notebook}.ipynb)"
            ),
        ]


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Load plotly, our script and our style on pages with a live figure, and nowhere else."""
    if _MARK in context.get("body", ""):
        for script in (_PLOTLY, "interactive.js"):
            app.add_js_file(script, loading_method="defer")
        app.add_css_file("interactive.css")


def copy_plotly(app: Sphinx) -> None:
    """Put the script that the plotly package ships among the book's static files."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        (static / _PLOTLY).write_text(get_plotlyjs(), encoding="utf-8")
