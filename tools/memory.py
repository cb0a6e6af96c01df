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
