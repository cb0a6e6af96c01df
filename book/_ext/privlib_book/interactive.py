"""Live figures: the gallery page, and the scripts on the pages that hold such a figure."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from plotly.offline import get_plotlyjs, get_plotlyjs_version
from sphinx.application import Sphinx

from .base import Directive, raw

_MARK = '<div class="privlib-interactive"'
_BOX = re.compile(f'{_MARK} id="interactive-([a-z0-9-]+)"')
_PLOTLY = f"plotly-{get_plotlyjs_version()}.min.js"


@dataclass(frozen=True)
class Live:
    """A live figure as a notebook stores it, with what stands around it there."""

    name: str
    notebook: str
    markup: str
    title: str  # of the section of the notebook
    lead: str  # its first sentence
    image: str  # the static figure that the live one replaces
    caption: str
    alt: str


@cache
def gather(root: Path) -> tuple[Live, ...]:
    """Return the live figures of the book, in reading order; read once for each build.

    Raises
    ------
    ValueError
        If two have one name, or one comes without its static figure before it, or its section
        does not open with a sentence that can stand elsewhere.
    """
    found: dict[str, Live] = {}
    for path in sorted(root.glob("notebooks/*/*.ipynb")):
        notebook = path.relative_to(root).with_suffix("").as_posix()
        section, static = "", {}
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                *_, section = re.split(r"^#+ ", f"# {section}\n{cell.source}", flags=re.MULTILINE)
                continue
            for output in cell.outputs:
                data = output.get("data", {})
                if "image/png" in data:
                    meta = cell.metadata.get("mystnb", {})
                    static = {
                        key: meta.get("figure", {}).get(key, "") for key in ("name", "caption")
                    }
                    static["alt"] = meta.get("image", {}).get("alt", "")
                    static["image"] = data["image/png"].replace("\n", "")
                if match := _BOX.search(data.get("text/html", "")):
                    name = match[1]
                    if name in found:
                        raise ValueError(f"{notebook}: there is an interactive {name} already")
                    if static.pop("name", "") != f"fig-{name}":
                        raise ValueError(
                            f"{notebook}: no figure fig-{name} before interactive {name}"
                        )
                    title, lead = _opening(notebook, section)
                    found[name] = Live(name, notebook, data["text/html"], title, lead, **static)
    return tuple(found.values())


def _opening(notebook: str, section: str) -> tuple[str, str]:
    """Return title and first sentence of a section."""
    title, _, text = section.partition("\n")
    sentence = re.match(r".+?[.?!](?=\s)", text.strip() + "\n", re.DOTALL)
    if sentence is None or re.search(r"\{\w+|\]\(", sentence[0]):
        raise ValueError(
            f"{notebook}: section {title!r} must open with a sentence without roles and links"
        )
    return title, sentence[0]


class InteractiveGallery(Directive):
    """Every live figure of a part, with a link to where it teaches."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        part = self.arguments[0]
        if part not in self.parts:
            raise self.error(f"{self.name}: no part {part}; there are {self.parts}")
        for path in (self.root / "notebooks" / part).glob("*.ipynb"):
            self.env.note_dependency(str(path))
        try:
            found = gather(self.root)
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from error
        return [self._section(live) for live in found if f"notebooks/{part}/" in live.notebook]

    def _section(self, live: Live) -> nodes.section:
        number = live.notebook.rpartition("/")[2].partition("-")[0].lstrip("0")
        title = nodes.title(
            "", "", *(c for p in self.parse_text_to_nodes(live.title) for c in p.children)
        )
        return nodes.section(
            "",
            title,
            *self.parse_text_to_nodes(live.lead),
            raw(
                f'<figure class="align-default" id="fig-{live.name}">'
                f'<img alt="{html.escape(live.alt)}" src="data:image/png;base64,{live.image}">'
                f"{live.markup}<figcaption>"
            ),
            *self.parse_text_to_nodes(live.caption),
            raw("</figcaption></figure>"),
            *self.parse_text_to_nodes(
                f"From {{numref}}`fig-{live.name}` of [notebook {number}](/{live.notebook}.ipynb)."
            ),
            ids=[f"gallery-{live.name}"],
        )


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Load plotly, our script and our style on pages with a live figure, and nowhere else."""
    if _MARK in context.get("body", ""):
        for script in (_PLOTLY, "interactive.js"):
            app.add_js_file(script, loading_method="defer")
        app.add_css_file("interactive.css")


def prepare(app: Sphinx) -> None:
    """Forget the last build; put the script of the plotly package among the static files."""
    gather.cache_clear()
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        (static / _PLOTLY).write_text(get_plotlyjs(), encoding="utf-8")
