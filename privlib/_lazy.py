"""Names of a package that are loaded when they are first used (PEP 562).

Importing a package stays cheap, and a notebook depends on those modules only that it names.
A star import loads all that the package offers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy(
    package: str, homes: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping of str to iterable of str
        Its modules, each with the names that it lends to the package. A module whose name begins
        with an underscore is not offered itself.
    """
    modules = {name for name in homes if not name.startswith("_")}
    lent = {name: module for module, names in homes.items() for name in names}
    offered = sorted([*modules, *lent])

    def load(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name in lent:
            return getattr(import_module(f"{package}.{lent[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def list_names() -> list[str]:
        return list(offered)

    return load, list_names, list(offered)
