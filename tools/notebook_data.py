"""Whether the data sets that a notebook loads can be had here."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


@cache
def missing_data(notebook: Path) -> str:
    """Say why a notebook's data cannot be had; empty if they can, or if it needs none."""
    from privlib.notebook import datasets

    text = notebook.read_text("utf-8").replace('\\"', '"')
    called = {
        name for pair in re.findall(r"datasets\.(\w+)(?:\(\"(\w+)\")?", text) for name in pair
    }
    needed = called & set(datasets.SOURCES)
    # A data set of several files has sources tokyo_flow, tokyo_flow_grid, ...; one that has a
    # reader of its own, such as facebook_ego, is another data set.
    parts = (s for s in datasets.SOURCES if not hasattr(datasets, s))
    needed |= {s for s in parts if any(s.startswith(f"{c}_") for c in called)}
    for name in sorted(needed):
        try:
            datasets.load(name)
        except datasets.DataUnavailableError as error:
            return str(error)
    return ""
