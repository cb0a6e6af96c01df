"""What one build, or one run of a tool, has found out and the next one need not."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _known(path: Path, made_by: Path) -> dict[str, str]:
    by = hashlib.sha256(made_by.read_bytes()).hexdigest() + sys.version
    with contextlib.suppress(OSError, ValueError):
        found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict) and found.get("by") == by:
            return found
    return {"by": by}


def recall(root: Path, told: Sequence[str], make: Callable[[], str], made_by: str) -> str:
    """Return what `make` returned for some texts, in this run or in one before it.

    Parameters
    ----------
    root : Path
        The book's root; where nothing is built there, nothing is stored.
    told : sequence of str
        All that the result depends on.
    make : callable
        Asked if nothing is known.
    made_by : str
        File of the code that makes it. After a change of it, and in another Python, all is anew.
    """
    path = root / "_build" / "digests.json"
    known, key = _known(path, Path(made_by)), hashlib.sha256("\x00".join(told).encode()).hexdigest()
    if key not in known:
        known[key] = make()
        part = path.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(OSError):
            part.write_text(json.dumps(known), encoding="utf-8")
            part.replace(path)
    return known[key]


def remember_works(app: Any) -> None:
    """Let a build find in Sphinx's store how the one before it has written the works.

    Writing them again takes more than a second.
    """
    from pybtex.plugin import find_plugin, register_plugin
    from pybtex.style import FormattedEntry

    writer = find_plugin("pybtex.backends", "plaintext")
    plain: Any = find_plugin("pybtex.style.formatting", "alpha")
    known: dict[str, tuple[str, Any]] = {}

    class Remembered(plain):  # type: ignore[misc]
        def format_entry(self, label: str, entry: Any, bib_data: Any = None) -> Any:
            written = repr(entry)
            if known.get(entry.key, ("",))[0] != written:
                known[entry.key] = written, super().format_entry(label, entry, bib_data).text
            return FormattedEntry(entry.key, known[entry.key][1], label)

    def recall(_app: Any, env: Any, _names: object) -> None:
        found = env.get_domain("cite").citations
        known.update({c.entry.key: (repr(c.entry), c.formatted_entry.text) for c in found})

    # Each citation asks for the first; unless it is registered, every installed package is asked.
    register_plugin("pybtex.backends", "plaintext", writer, force=True)
    register_plugin("pybtex.style.formatting", "alpha", Remembered, force=True)
    app.connect("env-before-read-docs", recall)
