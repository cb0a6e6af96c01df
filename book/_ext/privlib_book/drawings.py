"""Schematic drawings: one for a desk, one for a telephone, one caption."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from ledger import evidence
from sphinx.util.docutils import SphinxDirective

from .notebooks import number_of

FOLDER = "/book/_static/schematics"
_STORED = re.compile(r"\{stored\}`(\S+) ([^`]+)`")


class Schematic(SphinxDirective):
    """A drawing of `tools/schematics.py` by name, with an alternative text and a caption.

    The alternative text may have numbers of notebooks, by the role `stored`. The style sheet shows
    one of the two forms. Neither is a link, which a hidden picture must not be: nobody could see
    what the Tab key stops at.
    """

    required_arguments, has_content = 1, True
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        alt = _STORED.sub(self._number, self.options.get("alt", ""))
        if len(alt) < 20:
            raise self.error(f"{self.name}: an alternative text must say what {name} shows")
        shown = nodes.figure("", align="center", ids=[f"fig-schematic-{name}"])
        for form, suffix in (("wide", ""), ("narrow", "-narrow")):
            uri = f"{FOLDER}/{name}{suffix}.svg"
            shown += nodes.image(uri=uri, alt=alt, classes=["schematic", form])
        words = self.parse_text_to_nodes("\n".join(self.content))[0].children
        shown += nodes.caption("", "", *words)
        return [shown]

    def _number(self, found: re.Match[str]) -> str:
        root = Path(self.env.srcdir)
        self.env.note_dependency(str(evidence.path_of(root, found[1])))
        try:
            return number_of(root, found[1], found[2])
        except ValueError as error:
            raise self.error(f"{self.name}: {error}") from None
