"""The API reference: what autodoc does not know about a function of this book.

Sphinx's autodoc writes the pages from the docstrings. Added here, by its events:

- each object stands once, under the module that a reader imports it from (`uses.homes`);
  a module that offers objects documented elsewhere says where;
- each entry ends with the notebook that derives it and the claims that rest on it (`uses.uses`).

========================  ====================================================================
directive                 shows
========================  ====================================================================
``api-overview``          the modules of each part, with the first line of their docstrings
``api-uses NAME``         where an object is derived and what it serves; put in by the event
========================  ====================================================================
"""

from __future__ import annotations

import html
import importlib
import inspect
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from privlib.kit.evidence import PARTS, anchor, part_of
from privlib.kit.reader import Status

from . import uses
from .base import Directive, raw

_MANY = 12  # longer lists are folded
_LABEL, _REFERENCE = re.compile(r"\[(\d+)\]_"), re.compile(r"^\.\. (\[\d+\])(?= )")
_BACK = re.compile(
    r'(?P<all><div class="viewcode-block" id="(?P<name>[^"]+)">\s*'
    r'<a class="viewcode-back" href="[^"#]*#)[^"]+'
)
_VALUES = ("attribute", "data", "property")
_cached_uses = cache(uses.uses)


@cache
def _heading(notebook: Path) -> str:
    """Title of a notebook, without its mark-up."""
    first = json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]["source"]
    line = "".join(first).strip().partition("\n")[0]
    return line.lstrip("# ").replace("*", "").replace("`", "")


def _joined(what: str, links: list[str], unit: str) -> str:
    """Put links into a sentence, or into a fold if there are many."""
    line = ", ".join(links)
    if len(links) <= _MANY:
        return f"{what} {line}."
    return f"<details><summary>{what} {len(links)} {unit}</summary>{line}.</details>"


class Uses(Directive):
    """The last line of an entry: "Derived in … Serves …"."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        for path in sorted(self.root.glob("notebooks/*/*.ipynb")):
            self.env.note_dependency(str(path))
        use = _cached_uses(self.root)[name]
        shared = name.split(".")[1] not in PARTS.values()
        text = "Not used in a notebook."
        if use.notebooks:
            first, *others = use.notebooks
            lines = []
            if not shared:
                title = html.escape(_heading(self.root / f"{first}.ipynb"))
                lines.append(f"Derived in {self._notebook(first)}, <em>{title}</em>.")
            rest = others if not shared else list(use.notebooks)
            label = "Used in" if shared else "Also used in"
            if rest:
                lines.append(_joined(label, [self._notebook(n) for n in rest], "notebooks"))
            if use.claims:
                lines.append(_joined("Serves", self._claims(use.claims), "claims"))
            text = " ".join(lines)
        return [raw(f'<div class="api-uses" data-api="{html.escape(name)}">{text}</div>')]

    @staticmethod
    def _notebook(name: str) -> str:
        """Link a notebook from a page two folders deep (``book/api/part``)."""
        part, _, slug = name.removeprefix("notebooks/").partition("/")
        number = int(slug.partition("-")[0])
        return f'<a href="../../{name}.html">{part}&nbsp;{number}</a>'

    def _claims(self, ids: Iterable[str]) -> list[str]:
        """Link claims to their rows, in the order of the ledgers."""
        wanted = set(ids)
        statuses: Mapping[str, Status] = {
            claim: status
            for part in self.parts
            if part in {part_of(claim) for claim in wanted}
            for claim, status in self.statuses(part).items()
        }
        return [
            f'<a href="../ledger/{part_of(claim)}.html#{anchor(claim)}" '
            f'title="{html.escape(str(status.verdict))}">{html.escape(claim)}</a>'
            for claim, status in statuses.items()
            if claim in wanted
        ]


class Overview(Directive):
    """The modules of each part and what they are about."""

    def run(self) -> list[nodes.Node]:
        rows = []
        for page in [*self.parts, "shared"]:
            label = f'<a href="{page}.html">{page}</a>'
            for name in (name for name in uses.modules() if _page(name) == page):
                text = inspect.getdoc(importlib.import_module(name)) or ""
                word = name.rpartition(".")[2] if name.count(".") > 1 else name
                link = f'<a href="{page}.html#module-{name}"><code>{word}</code></a>'
                cells = [raw(label), raw(link), text.partition("\n")[0]]
                rows.append((f"api-{name}", cells))
                label = ""
        return [self.table(["part", "module", "what it is about"], rows, [15, 25, 60])]


def _page(module: str) -> str:
    part = module.split(".")[1]
    return part if part in PARTS.values() else "shared"


def _skip(app: Sphinx, what: str, name: str, obj: Any, *_: Any) -> bool | None:
    """Leave out what stands under another module, and fields that have no text of their own."""
    if what != "module":
        return True if type(obj).__name__ == "_tuplegetter" else None
    module = app.env.temp_data.get("autodoc:module", "")
    path = f"{module}.{name}"
    return True if uses.homes().get(path, path) != path else None


def _keep(app: Sphinx, what: str, name: str, obj: Any, _: Any, lines: list[str]) -> None:
    """Remember the plain sentence of a property: napoleon would take "fields: …" for a type."""
    app.env.temp_data["api:plain"] = list(lines) if what in _VALUES and len(lines) < 3 else None


def _finish(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Append to an entry where it is derived, to a module what stands elsewhere.

    Numbered references become text: their numbers are those of one docstring, not of the page.
    """
    lines[:] = app.env.temp_data.pop("api:plain") or lines
    lines[:] = [_LABEL.sub(r"[\1]", _REFERENCE.sub(r"| \1", line)) for line in lines]
    homes = uses.homes()
    if what in ("function", "class", "exception") and homes.get(name) == name:
        lines += ["", f".. api-uses:: {name}", ""]
    elif what == "module":
        paths = sorted({f"{name}.{item}" for item in uses.names(obj)} & set(homes))
        moved = [
            f":py:obj:`{'.'.join(homes[path].split('.')[2:])} <{homes[path]}>`"
            for path in paths
            if homes[path] != path
        ]
        if moved:
            lines += ["", f"Documented elsewhere: {', '.join(moved)}.", ""]


def _lead_back(app: Sphinx, error: Exception | None) -> None:
    """Let "[docs]" on a page of source lead to the entry, under whatever module that stands.

    viewcode takes all objects of a module to be documented under one name.
    """
    if error is not None:
        return
    root = Path(app.outdir) / "_modules"
    for page in root.rglob("*.html"):
        module = ".".join(page.relative_to(root).with_suffix("").parts)

        def entry(match: re.Match[str], module: str = module) -> str:
            name, _, member = match["name"].partition(".")
            home = uses.homes().get(f"{module}.{name}")
            return match[0] if home is None else f"{match['all']}{home}{member and '.'}{member}"

        text = page.read_text(encoding="utf-8")
        page.write_text(_BACK.sub(entry, text), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register directives and events."""
    app.add_directive("api-uses", Uses)
    app.add_directive("api-overview", Overview)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _keep, priority=100)
    app.connect("autodoc-process-docstring", _finish, priority=900)  # after napoleon
    app.connect("build-finished", _lead_back)
    app.connect("builder-inited", lambda _: _cached_uses.cache_clear())
