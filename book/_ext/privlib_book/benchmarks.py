"""Measured ratios, from the files that the benchmarks wrote."""

from __future__ import annotations

import json

from docutils import nodes

from .base import Directive


class Benchmarks(Directive):
    """The measured ratios of a part, from the file that the benchmark wrote."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        path = self.root / "benchmarks" / "results" / f"{self.arguments[0]}.json"
        self.env.note_dependency(str(path))
        if not path.exists():
            raise self.error(f"{self.name}: no {path.name}; run make bench")
        report = json.loads(path.read_text(encoding="utf-8"))
        shown: list[nodes.Node] = []
        for number, table in enumerate(report["tables"]):
            rows = [
                (f"benchmark-{number}-{k}", [_number(value) for value in row])
                for k, row in enumerate(table["rows"])
            ]
            widths = [30 if isinstance(value, str) else 12 for value in table["rows"][0]]
            shown.append(nodes.rubric("", table["title"]))
            shown.append(
                self.table([f"*{c}*" if c else " " for c in table["columns"]], rows, widths)
            )
            if table["note"]:
                shown.append(nodes.paragraph("", f"{table['note'][0].upper()}{table['note'][1:]}."))
        facts = ", ".join(
            f"{key} {value}" for key, value in report["machine"].items() if key != "threads"
        )
        return [*shown, nodes.paragraph("", f"Measured on: {facts}.")]


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else f"`{value}`"
