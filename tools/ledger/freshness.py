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

from ledger.digests import code_digest, module_digest
from ledger.evidence import cells_of, code_cells, notebook, notebooks, path_of


def stale(root: Path, only: str = "") -> dict[str, list[str]]:
    """Return the notebooks whose evidence is not that of the code as it is, each with what changed.

    Parameters
    ----------
    root : Path
        The book's root, with ``notebooks``, ``book/evidence`` and ``privlib``.
    only : str, optional
        Look at this notebook alone.

    Returns
    -------
    dict of str to list of str
        Notebook -> names of changed modules, ``"its cells"``, ``"never executed"``, or
        ``"no such notebook"`` where only evidence is left.
    """
    reasons: dict[str, list[str]] = {}
    if not only:
        for name in orphans(root):
            reasons[name] = ["no such notebook"]
    for path in sorted(root.glob(f"{only or 'notebooks/*/*'}.ipynb")):
        name = path.relative_to(root).as_posix().removesuffix(".ipynb")
        reasons[name] = _changes(root, name, path)
    return {name: changes for name, changes in reasons.items() if changes}


def _changes(root: Path, name: str, path: Path) -> list[str]:
    """Return what has changed since a notebook was executed."""
    if not path_of(root, name).exists():
        return ["never executed"]
    evidence = notebook(root, name)
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


def orphans(root: Path) -> list[str]:
    """Return the notebooks that left evidence and are no more."""
    return [e.name for e in notebooks(root) if not (root / f"{e.name}.ipynb").exists()]
