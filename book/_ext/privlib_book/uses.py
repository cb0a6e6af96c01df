"""Which notebooks use an object of the package, and which claims rest on it.

Read off the code cells of the executed notebooks, without running them.

**Uses.** A notebook uses an object if its code names it, under whatever alias it was imported:
``gaussian.combine``, ``from privlib.correlated.gaussian import combine as join``. A class also
counts as used where a function that says it returns it is used.

**Serves.** A claim rests on an object if a value that came from the object is read inside the
claim's ``with claim("ID")`` block, or in its tuple of a ``slips`` table. Values are followed
statement by statement:

- a name that is assigned depends on everything that the statement reads; a name that is changed
  in place (``x[i] = …``, ``x += …``, ``x.append(…)``) depends on that besides;
- a function defined in the notebook depends on what its body reads, looked up where the function
  is used (so on other functions of the notebook too);
- what a loop or a branch sets depends on its condition; in ``try``, on the whole statement;
- after a loop or a branch a name holds what it had before or got there; loops are read twice.

An id that a cell computes is read from the cell's stored badge and gets what the blocks of that
cell read that do not spell out their id. The rule is coarse on purpose: a value counts even where
the check needed only a part of it. It does not see what a called function changes in its arguments.
`privlib.kit.evidence` makes the checks and `privlib.kit.plots` the pictures; neither is evidence.
"""

from __future__ import annotations

import ast
import html
import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import privlib
from privlib.kit.evidence import PARTS, Record

Chain: TypeAlias = tuple[str, ...]  # a.b.c as it stands in the code
Blocks: TypeAlias = tuple[set[str], ...]  # what the claims that a statement stands in rest on
Finder: TypeAlias = Callable[[str], str | None]  # dotted path -> documented object

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SCOPES = (*_DEFINITIONS, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BRANCHES = (ast.If, ast.Try, ast.Match)
_RECORD = re.compile(r'data-claim-record="([^"]*)"')
_ID = re.compile(rf"[{''.join(PARTS)}]-[A-Za-z0-9][A-Za-z0-9.'-]*")
_INSTRUMENTS = ("privlib.kit.evidence.", "privlib.kit.plots.")


# --- what there is to document ------------------------------------------------------------------


@cache
def modules() -> tuple[str, ...]:
    """Names of the public modules of the package."""
    found = (info.name for info in pkgutil.walk_packages(privlib.__path__, "privlib."))
    return tuple(name for name in found if not re.search(r"\._", name))


def _is_object(value: Any) -> bool:
    return inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value))


def names(module: ModuleType) -> list[str]:
    """Public names of a module: those of ``__all__``, else functions and classes of its own."""
    listed: Sequence[str] | None = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not inspect.ismodule(getattr(module, name))]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and _is_object(value) and value.__module__ == module.__name__
    ]


@cache
def homes() -> dict[str, str]:
    """Where each public object is documented: every dotted path to it -> the one of its entry.

    An object stands under the module that lists it in ``__all__``, so that a reader finds it where
    it is imported from; otherwise under the module that defines it.
    """
    loaded = [importlib.import_module(name) for name in modules()]
    first: dict[int, str] = {}
    paths: dict[str, str] = {}
    for module in sorted(loaded, key=lambda m: not hasattr(m, "__all__")):
        for name in names(module):
            value = getattr(module, name)
            path = f"{module.__name__}.{name}"
            paths[path] = first.setdefault(id(value), path) if _is_object(value) else path
    for module in loaded:
        for name, value in vars(module).items():
            if _is_object(value) and id(value) in first:
                paths.setdefault(f"{module.__name__}.{name}", first[id(value)])
    return paths


@cache
def find(path: str) -> str | None:
    """Return the documented object that a dotted path names or passes through."""
    words = path.split(".")
    starts = (".".join(words[:k]) for k in range(2, len(words) + 1))
    return next((homes()[start] for start in starts if start in homes()), None)


def value_of(path: str) -> Any:
    """Return the object with this dotted path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


# --- one notebook -------------------------------------------------------------------------------


class _Reader(ast.NodeVisitor):
    """What code reads from outside of itself, sets, changes in place and imports, in one pass."""

    def __init__(self) -> None:
        self.read: set[Chain] = set()
        self.set: set[str] = set()
        self.changed: set[str] = set()
        self.imported: dict[str, str] = {}  # name -> dotted path
        self.rows: list[tuple[str, set[Chain]]] = []  # tuples that open with the id of a claim
        self.tables = False  # calls slips()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.read.add((node.id,))
        else:
            self.set.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        words, inner = [node.attr], node.value
        while isinstance(inner, ast.Attribute):
            words, inner = [inner.attr, *words], inner.value
        if isinstance(inner, ast.Name):
            self.read.add((inner.id, *words))
        else:
            self.visit(inner)
        if isinstance(node.ctx, ast.Store):
            self._change(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Store):
            self._change(node)
        super().generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.changed.add(node.target.id)
            self.visit(node.value)
        else:
            super().generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            self._change(node.value.func)
        super().generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.tables = self.tables or _is_call(node, "slips")
        super().generic_visit(node)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        match node.elts:
            case [ast.Constant(value=str(claim_id)), _, *_, _] if _ID.fullmatch(claim_id):
                self.rows.append((claim_id, _reader(node.elts).read))
        super().generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            path = alias.name if alias.asname else alias.name.partition(".")[0]
            self.imported[alias.asname or path] = path

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self.imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def visit_arg(self, node: ast.arg) -> None:
        self.set.add(node.arg)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self._capture(node, node.name)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self._capture(node, node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self._capture(node, node.rest)

    def _capture(self, node: ast.AST, name: str | None) -> None:
        if name:
            self.set.add(name)
        super().generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        """Enter a scope: what it sets stays in it."""
        if not isinstance(node, _SCOPES + _COMPREHENSIONS):
            super().generic_visit(node)
            return
        inside = _reader(ast.iter_child_nodes(node))
        self.read |= {chain for chain in inside.read if chain[0] not in inside.set}
        self.imported |= inside.imported
        self.rows += inside.rows
        if isinstance(node, _DEFINITIONS):
            self.set.add(node.name)
        if isinstance(node, _COMPREHENSIONS):  # `:=` sets its name outside
            walrus = (n for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
            self.set |= {n.target.id for n in walrus}

    def _change(self, node: ast.expr) -> None:
        """Note the name at the root of ``x[i].y``, ``x.setdefault(k, []).append``."""
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name):
            self.changed.add(node.id)


def _is_call(node: ast.expr, name: str) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    return (isinstance(function, ast.Name) and function.id == name) or (
        isinstance(function, ast.Attribute) and function.attr == name
    )


def _reader(nodes: Iterable[ast.AST]) -> _Reader:
    reader = _Reader()
    for node in nodes:
        reader.visit(node)
    return reader


@dataclass(frozen=True)
class _Bound:
    """What a name of the notebook holds."""

    objects: frozenset[str] = frozenset()  # documented objects that its value came from
    later: frozenset[Chain] = frozenset()  # names that it looks up when it is called
    path: str = ""  # what it was imported from

    def __or__(self, other: _Bound) -> _Bound:
        return _Bound(self.objects | other.objects, self.later | other.later, other.path)


@dataclass
class Notebook:
    """What a notebook's code uses, and what each of its claims rests on.

    Attributes
    ----------
    used : set of str
        Documented objects that the code names.
    serves : dict from claim id to set of str
        Documented objects behind the evidence.
    """

    find: Finder
    used: set[str] = field(default_factory=set)
    serves: dict[str, set[str]] = field(default_factory=dict)
    _given: frozenset[str] = frozenset()  # objects that decide whether the code runs
    _names: dict[str, _Bound] = field(default_factory=dict)
    _unnamed: set[str] = field(default_factory=set)  # objects behind ids that the cell computes

    def cell(self, source: str, recorded: Iterable[str] = ()) -> None:
        """Read one code cell; `recorded` are the ids of the badges in its stored outputs."""
        self._unnamed = set()
        self._block(ast.parse(source).body, ())
        for claim_id in recorded:
            self.serves.setdefault(claim_id, set(self._unnamed))

    def _block(self, body: Iterable[ast.stmt], blocks: Blocks) -> None:
        """Follow statements; `blocks` are the claims that they stand in."""
        for node in body:
            if isinstance(node, (ast.With, ast.AsyncWith)):
                opened = [self._opened(item.context_expr) for item in node.items]
                self._plain(node.items, blocks)
                self._block(node.body, (*blocks, *(o for o in opened if o is not None)))
            elif isinstance(node, _LOOPS + _BRANCHES):
                for _ in range(2 if isinstance(node, _LOOPS) else 1):
                    self._perhaps(node, blocks)
            elif isinstance(node, _DEFINITIONS):
                self._names[node.name] = _Bound(later=frozenset(self._read([node]).read))
            else:
                self._plain([node], blocks)

    def _perhaps(self, node: ast.stmt, blocks: Blocks) -> None:
        """Follow code that may run or not: names hold what they held or what they got."""
        bodies = list(_bodies(node))
        inside = {id(child) for body in bodies for child in body}
        head = [child for child in ast.iter_child_nodes(node) if id(child) not in inside]
        before, given = dict(self._names), self._given
        self._plain(head, blocks)
        decides = _reader([node] if isinstance(node, ast.Try) else head)
        self._given = given | self._objects(decides.read)
        for body in bodies:
            self._block(body, blocks)
            self._names |= {name: value | self._names[name] for name, value in before.items()}
        self._given = given

    def _plain(self, nodes: Sequence[ast.AST], blocks: Blocks) -> None:
        """Read an expression or a simple statement: what it reads goes into what it sets."""
        reader = self._read(nodes)
        objects = frozenset(self._objects(reader.read)) | self._given
        for rests_on in (*blocks, *([self._unnamed] if reader.tables else [])):
            rests_on.update(objects)
        for claim_id, read in reader.rows:
            self.serves.setdefault(claim_id, set()).update(self._objects(read))
        self._names |= dict.fromkeys(reader.set, _Bound(objects))
        for name in reader.changed & set(self._names):
            if not self._names[name].path:  # a call of a module's function changes no module
                self._names[name] |= _Bound(objects)

    def _read(self, nodes: Iterable[ast.AST]) -> _Reader:
        """Read code, note what it imports and names."""
        reader = _reader(nodes)
        self._names |= {name: _Bound(path=path) for name, path in reader.imported.items()}
        self._note(reader.read)
        return reader

    def _opened(self, call: ast.expr) -> set[str] | None:
        """Return the set that a ``with`` item fills, if the item is a claim."""
        if not _is_call(call, "claim"):
            return None
        match call:
            case ast.Call(args=[ast.Constant(value=str(claim_id)), *_]):
                return self.serves.setdefault(claim_id, set())
        return self._unnamed

    def _note(self, read: Iterable[Chain]) -> None:
        """Note the objects that the code itself names."""
        for head, *rest in read:
            path = self._names[head].path if head in self._names else ""
            found = self.find(".".join([path, *rest])) if path else None
            if found:
                self.used.add(found)

    def _objects(self, read: Iterable[Chain]) -> set[str]:
        """Documented objects behind names, through functions of the notebook too."""
        found: set[str] = set()
        seen: set[str] = set()
        todo = list(read)
        while todo:
            head, *rest = todo.pop()
            bound = self._names.get(head)
            if bound is None:
                continue
            if bound.path:
                path = self.find(".".join([bound.path, *rest]))
                found |= {path} if path and not path.startswith(_INSTRUMENTS) else set()
            elif head not in seen:
                seen.add(head)
                found |= bound.objects
                todo += bound.later
        return found


def _bodies(node: ast.stmt) -> Iterator[list[Any]]:
    """Lists of statements inside a loop or a branch."""
    for _, value in ast.iter_fields(node):
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            yield value
        elif isinstance(value, list):
            for child in value:
                yield from _bodies(child) if hasattr(child, "body") else ()


# --- the book -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Use:
    """Where an object is used: notebooks in reading order, claims that rest on it."""

    notebooks: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


def read_notebook(path: Path, finder: Finder = find) -> Notebook:
    """Read an executed notebook; only claims with a stored badge count."""
    notebook, badges = Notebook(finder), set()
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            shown = ("".join(o.get("data", {}).get("text/html", "")) for o in cell["outputs"])
            records = [html.unescape(found) for text in shown for found in _RECORD.findall(text)]
            ids = [Record.from_json(record).id for record in records]
            notebook.cell("".join(cell["source"]), ids)
            badges |= set(ids)
    notebook.serves = {k: v for k, v in notebook.serves.items() if k in badges}
    return notebook


def returned_by() -> dict[str, set[str]]:
    """Classes that no reader has to name: documented class -> documented objects that return it."""
    found: dict[str, set[str]] = {}
    classes = {id(value_of(path)): path for path in set(homes().values())}
    for path in classes.values():
        value = value_of(path)
        members = inspect.getmembers(value, inspect.isfunction)
        methods = [method for name, method in members if not re.match("_[^_]", name)]
        for function in map(inspect.unwrap, methods if inspect.isclass(value) else [value]):
            hint = str(getattr(function, "__annotations__", {}).get("return", ""))
            for word in re.findall(r"\w+", hint):
                result = getattr(function, "__globals__", {}).get(word)
                home = classes.get(id(result)) if inspect.isclass(result) else None
                if home and home != path:
                    found.setdefault(home, set()).add(path)
    return found


def uses(root: Path) -> dict[str, Use]:
    """Return the use of every documented object in the notebooks of the book."""
    paths = [p for part in PARTS.values() for p in sorted(root.glob(f"notebooks/{part}/*.ipynb"))]
    read = {p.relative_to(root).with_suffix("").as_posix(): read_notebook(p) for p in paths}
    makers = returned_by()
    found = {}
    for path in sorted(set(homes().values())):
        through = {path} | makers.get(path, set())
        notebooks = [name for name, notebook in read.items() if through & notebook.used]
        claims = [i for n in read.values() for i, objects in n.serves.items() if through & objects]
        found[path] = Use(tuple(notebooks), tuple(dict.fromkeys(claims)))
    return found
