"""Which evidence is older than the code, and why: no verdict outlives its code.

A notebook is stale if a module that it loaded (itself or through others) has changed by more than
docstrings and comments, or the data beside it has, or if its own cells are not those that ran. What
exercises ask, answer and hint decides no claim and makes nothing stale here; `notebooks` compares
what their cells print.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ledger import layout
from ledger.digests import code_digest, module_digest
from ledger.evidence import cells_of, code_cells, stored


def stale(root: Path, only: str = "") -> dict[str, list[str]]:
    """Return the notebooks whose evidence is not that of the code as it is, each with what changed.

    Parameters
    ----------
    root : Path
        The book's root, with ``notebooks`` and ``privlib``.
    only : str, optional
        Look at this notebook alone.

    Returns
    -------
    dict of str to list of str
        Notebook -> names of changed modules, ``"its cells"`` or ``"never executed"``.
    """
    reasons: dict[str, list[str]] = {}
    for name in [only] if only else layout.names(root):
        reasons[name] = _changes(root, name, root / f"{name}.ipynb")
    return {name: changes for name, changes in reasons.items() if changes}


def _changes(root: Path, name: str, path: Path) -> list[str]:
    """Return what has changed since a notebook was executed."""
    evidence = stored(root, name)
    if evidence is None:
        return ["never executed"]
    changes = changed_modules(root, evidence.modules)
    if _cells_digest(path, path.stat().st_mtime_ns) != evidence.code:
        changes.append("its cells")
    return changes


@cache
def _cells_digest(path: Path, _modified: int) -> str:
    return code_digest("".join(cell["source"]) for cell in code_cells(cells_of(path)))


def changed_modules(root: Path, modules: Mapping[str, str]) -> list[str]:
    """Return the names of the modules whose code has not the digest that was stored."""
    return [name for name, digest in modules.items() if module_digest(root, name) != digest]
