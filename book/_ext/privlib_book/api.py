"""The API reference: what autodoc does not know about a function of this book.

Sphinx's autodoc writes the pages from the docstrings. Added here, by its events:

- each object stands once, under the module that a reader imports it from (`homes`); a module that
  offers objects documented elsewhere says where;
- each entry ends with the notebook that derives it and the claims that rest on it (``api-uses``).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections import namedtuple
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from ledger.claims import parts
from sphinx.application import Sphinx
from sphinx.ext import viewcode

import privlib
from privlib.notebook.claims import PARTS

from .base import Page, shows

_LABEL, _REFERENCE = re.compile(r"\[(\d+)\]_"), re.compile(r"^\.\. (\[\d+\])(?= )")
_BACK = re.compile(r'(id="([^"]+)">\s*<a class="viewcode-back" href="[^"#]*#)[^"]+')
_FIELD = type(vars(namedtuple("Pair", "a b"))["a"])


# --- what there is to document ------------------------------------------------------------------


@cache
def modules() -> tuple[str, ...]:
    """Names of the public modules of the package."""
    names = (info.name for info in pkgutil.walk_packages(privlib.__path__, "privlib."))
    return tuple(name for name in names if "._" not in name)


def _is_object(value: Any) -> bool:
    return inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value))


def names(module: ModuleType) -> list[str]:
    """Public names of a module: those of ``__all__``, else functions and classes of its own."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]
    own = {k: v for k, v in vars(module).items() if _is_object(v) and not k.startswith("_")}
    return [name for name, value in own.items() if value.__module__ == module.__name__]


@cache
def homes() -> dict[str, str]:
    """Where each public object is documented: every dotted path to it -> the one of its entry.

    An object stands under the module that lists it in ``__all__``, so that a reader finds it where
    it is imported from; otherwise under the module that defines it.
    """
    loaded = [importlib.import_module(name) for name in modules()]
    first: dict[int, str] = {}
    paths: dict[str, str] = {}
    # Packages, which load what they list when it is asked for, come last.
    lazy = [m for m in loaded if "__getattr__" in vars(m)]
    for module in sorted(loaded, key=lambda m: (m in lazy, not hasattr(m, "__all__"))):
        for name in names(module):
            value, path = getattr(module, name), f"{module.__name__}.{name}"
            paths[path] = first.setdefault(id(value), path) if _is_object(value) else path
    for module in loaded:
        for name in dir(module):  # what a package loads when it is asked for, too
            value = getattr(module, name)
            if _is_object(value) and id(value) in first:
                paths.setdefault(f"{module.__name__}.{name}", first[id(value)])
    return paths


@cache
def documented(path: str) -> str | None:
    """Return the documented object that a dotted path names or passes through."""
    words = path.split(".")
    starts = (".".join(words[:k]) for k in range(2, len(words) + 1))
    return next((homes()[start] for start in starts if start in homes()), None)


def value_of(path: str) -> Any:
    """Return the object with this dotted path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


@cache
def makers() -> dict[str, set[str]]:
    """Return what leads to an object: itself, and for a class what says that it returns it."""
    values = {path: value_of(path) for path in set(homes().values())}
    leads = {path: {path} for path in values}
    classes = {id(value): path for path, value in values.items() if inspect.isclass(value)}
    for path, value in values.items():
        members = vars(value).values() if inspect.isclass(value) else [value]
        for function in filter(inspect.isfunction, map(inspect.unwrap, members)):
            for word in re.findall(r"\w+", str(function.__annotations__.get("return", ""))):
                if result := classes.get(id(function.__globals__.get(word))):
                    leads[result].add(path)
    return leads


# --- directives -----------------------------------------------------------------------------------


@shows("api-uses")
def uses(page: Page) -> Mapping[str, Any]:
    """Say where an object is derived and what it serves: the last line of its entry."""
    (name,) = page.words
    through = makers()[name]

    def named(paths: Iterable[str]) -> bool:
        return any(documented(path) in through for path in paths)

    notebooks = page.notebooks()
    serves = {i for n in notebooks for i, objects in n.serves.items() if named(objects)}
    return {
        "object": name,
        "shared": _page(name) == "shared",
        "notebooks": [n for n in notebooks if named(n.uses)],
        "claims": [pair for pair in page.every_status() if pair[1].claim.id in serves],
    }


@shows("api-overview")
def overview(page: Page) -> Mapping[str, Any]:
    """List the modules of each part, with the first line of their docstrings."""
    pages = [*parts(page.root), "research", "shared"]
    rows, before = [], ""
    for name in sorted(modules(), key=lambda name: pages.index(_page(name))):
        about = (inspect.getdoc(importlib.import_module(name)) or "").partition("\n")[0]
        about = re.sub(r":math:`([^`]*)`", r"$\1$", about)  # shown as Markdown
        rows.append((f"api-{name}", (_page(name), _page(name) != before, name, about)))
        before = _page(name)
    return {"rows": rows}


def _page(name: str) -> str:
    part = name.split(".")[1]
    return part if part in {*PARTS.values(), "research"} else "shared"


# --- events of autodoc and viewcode ---------------------------------------------------------------


def _skip(app: Sphinx, what: str, name: str, obj: Any, *_: Any) -> bool | None:
    """Leave out what stands under another module, and fields that have no text of their own."""
    if what != "module":
        return True if isinstance(obj, _FIELD) else None
    path = f"{app.env.temp_data.get('autodoc:module', '')}.{name}"
    return True if homes().get(path, path) != path else None


def _keep(app: Sphinx, what: str, name: str, obj: Any, _: Any, lines: list[str]) -> None:
    """Remember the plain sentence of a property: napoleon would take "fields: …" for a type."""
    short = what in ("attribute", "data", "property") and len(lines) < 3
    app.env.temp_data["api:plain"] = list(lines) if short else None


def _finish(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Append to an entry where it is derived, to a module what stands elsewhere.

    Numbered references become text: their numbers are those of one docstring, not of the page.
    """
    lines[:] = app.env.temp_data.pop("api:plain") or lines
    lines[:] = [_LABEL.sub(r"[\1]", _REFERENCE.sub(r"| \1", line)) for line in lines]
    if what in ("function", "class", "exception") and homes().get(name) == name:
        lines += ["", f".. api-uses:: {name}", ""]
    elif what == "module":
        paths = sorted({f"{name}.{item}" for item in names(obj)} & set(homes()))
        moved = [
            f":py:obj:`{'.'.join(homes()[path].split('.')[2:])} <{homes()[path]}>`"
            for path in paths
            if homes()[path] != path
        ]
        if moved:
            lines += ["", f"Documented elsewhere: {', '.join(moved)}.", ""]


def _lead_back(app: Sphinx, pagename: str, _: str, context: Any, doctree: object) -> None:
    """Let "[docs]" on a page of source lead to the entry, under whatever module that stands.

    viewcode takes all objects of a module to be documented under one name.
    """
    folder, _, path = pagename.partition("/")

    def entry(match: re.Match[str]) -> str:
        name, _, member = match[2].partition(".")
        home = homes().get(f"{path.replace('/', '.')}.{name}")
        return match[0] if home is None else f"{match[1]}{home}{member and '.'}{member}"

    if folder == "_modules":
        context["body"] = _BACK.sub(entry, context["body"])


def module_file(app: Sphinx, modname: str) -> str | None:
    """Return where a module stands; viewcode would import it to see whether its listing is old.

    Where every page is made anew, none is told, which has the listing written.
    """
    stem = Path(privlib.__path__[0]).parent.joinpath(*modname.split("."))
    files = [p for p in (stem.with_suffix(".py"), stem / "__init__.py") if p.exists()]
    return str(files[0]) if files and not app.fresh_env_used else None


def setup(app: Sphinx) -> None:
    """Connect to autodoc and viewcode."""
    # Its event `viewcode-find-source` wants the code taken apart, and then has each listing written
    # anew in each build.
    viewcode.get_module_filename = module_file
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _keep, priority=100)
    app.connect("autodoc-process-docstring", _finish, priority=900)  # after napoleon
    app.connect("html-page-context", _lead_back)
