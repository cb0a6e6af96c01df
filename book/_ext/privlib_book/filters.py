"""The filter bar of ledger and errata pages; `ledger.js` shows it and makes it work."""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Sequence

from docutils import nodes

from privlib.kit.evidence import METHODS, VERDICTS
from privlib.kit.reader import Status

from .base import Directive, raw

_FIELDS: dict[str, tuple[str, Sequence[tuple[str, str]]]] = {
    "verdict": ("verdict", [(v, v) for v in ("fully verified", *VERDICTS)]),
    "method": ("method", [*((m, m) for m in METHODS), ("none", "none (read, missing)")]),
    "kind": ("claims of", [("paper", "the papers"), ("beyond", "our own")]),
}
"""Name in the address -> label and options (value, text); `part` is made below."""

_SEARCH = (
    '<label class="claims-search">text (id, statement, Japanese term, place)'
    '<input type="search" name="q" autocomplete="off"></label>'
)


def key(part: str, status: Status) -> str:
    """Return the HTML that carries what a row can be filtered by.

    Verdict, method and kind have the values of the bar's options; the text is in small letters,
    in the Unicode form that `ledger.js` brings its question to.
    """
    entry = status.entry
    words = f"{entry.id} {entry.where} {entry.kind} {entry.says} {entry.ja}"
    data = {
        "part": part,
        "verdict": status.verdict or "open",
        "fully": "yes" if status.fully else "no",
        "method": status.method or "none",
        "kind": "beyond" if entry.kind == "beyond" else "paper",
        "text": unicodedata.normalize("NFKC", words).lower(),
    }
    fields = " ".join(f'data-{name}="{html.escape(value)}"' for name, value in data.items())
    return f'<span class="claim-key" {fields} hidden></span>'


class ClaimsFilter(Directive):
    """The bar for the tables of this page: ``{claims-filter} part verdict method kind q``."""

    required_arguments, optional_arguments = 1, 4

    def run(self) -> list[nodes.Node]:
        controls = []
        for name in self.arguments:
            if name == "q":
                controls.append(_SEARCH)
                continue
            if name != "part" and name not in _FIELDS:
                raise self.error(f"{self.name}: no field {name!r}; part, q, {', '.join(_FIELDS)}")
            parts = ("part", [(part, part) for part in self.parts])
            label, options = parts if name == "part" else _FIELDS[name]
            choices = "".join(f'<option value="{v}">{text}</option>' for v, text in options)
            controls.append(
                f'<label>{label}<select name="{name}" data-name="{label}">'
                f'<option value="">all</option>{choices}</select></label>'
            )
        what = "entries" if "verdict" not in self.arguments else "claims"
        return [
            raw(
                f'<form class="claims-filter" role="search" aria-label="Filter the {what}" hidden>'
                f"{''.join(controls)}"
                '<button type="reset">Show all</button></form>'
                f'<p class="claims-status" role="status" aria-live="polite" data-what="{what}"></p>'
            )
        ]
