"""What can be changed in the code of a notebook, and which statements a claim's checks rest on.

A notebook is read as one list of statements. `Flow` follows the names from one to the next, in
straight lines: loops and branches are read once, functions read their names where they are called.
`places` finds the numbers and operators of a statement with what each can be changed to.

A number that has a name (``n = 1000``, ``for d in (1, 2, 5)``) is changed where it is read, one
reading at a time: changed at its name it would only be another case. Left alone are labels,
tolerances, seeds, numbers of draws, and what is printed or drawn.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from extract import _claims_of, _read_by, _set_by

from privlib.kit.evidence import PARTS

# --- data flow --------------------------------------------------------------------------------

_BLOCKS = (ast.With, ast.For, ast.While, ast.If, ast.Try)
_BINDS = (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_IN_PLACE = {"shuffle", "fill_diagonal", "put", "place", "copyto", "at", "add_edge", "update"}


class _Every(dict[str, str]):
    """Every name stands for itself."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> str:
        return key


def chains(tree: ast.AST) -> frozenset[str]:
    """Return the names, with their attributes, that code reads."""
    return _read_by(tree, _Every(), {})


def _roots(dotted: Iterable[str]) -> set[str]:
    return {chain.partition(".")[0] for chain in dotted}


def _sets(tree: ast.AST) -> set[str]:
    """Return the names that a simple statement sets, defines, or changes in place."""
    names = _set_by(tree)
    if isinstance(tree, (ast.Import, ast.ImportFrom)):
        names |= {(a.asname or a.name).partition(".")[0] for a in tree.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names |= {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    call = tree.value if isinstance(tree, ast.Expr) else None
    if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in _IN_PLACE:
        names |= {a.id for a in call.args if isinstance(a, ast.Name)}  # rng.shuffle(x)
    return names


def _followed(
    statements: Sequence[ast.stmt], have: frozenset[str] = frozenset()
) -> tuple[set[str], set[str], frozenset[str]]:
    """Return what statements read from before them, what they may set, what they surely set."""
    read: set[str] = set()
    written: set[str] = set()
    surely = have
    for node in statements:
        if not isinstance(node, _BLOCKS):
            read |= {chain for chain in chains(node) if not _roots([chain]) <= surely}
            names = _sets(node)
            written |= names
            if isinstance(node, (*_BINDS, ast.Expr)):
                surely |= names
            continue
        inner = surely
        for value in ast.iter_child_nodes(node):
            if isinstance(value, (ast.expr, ast.withitem)):
                read |= {chain for chain in chains(value) if not _roots([chain]) <= surely}
                stored = {
                    n.id for n in ast.walk(value)
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                }  # fmt: skip
                written |= stored
                inner |= stored
        bodies: list[list[ast.stmt]] = [
            getattr(node, name, []) for name in ("body", "orelse", "finalbody")
        ]
        bodies += [handler.body for handler in getattr(node, "handlers", ())]
        for body in bodies:
            inside, changed, certain = _followed(body, inner)
            read |= inside
            written |= changed
            if isinstance(node, ast.With):
                surely = certain
    return read, written, surely


@dataclass(eq=False)
class Statement:
    """One statement of a notebook: what it reads, and which statements set that."""

    index: int
    cell: int
    tree: ast.stmt
    text: str
    reads: frozenset[str]
    before: Mapping[str, frozenset[int]]
    sets: frozenset[str]
    late: bool


class Flow:
    """The statements of a notebook, and what each rests on.

    Parameters
    ----------
    codes : sequence of str
        Its code cells.
    """

    def __init__(self, codes: Sequence[str]) -> None:
        self.statements: list[Statement] = []
        known: dict[str, frozenset[int]] = {}
        for cell, code in enumerate(codes, 1):
            for tree in ast.parse(code).body:
                index = len(self.statements)
                read, written, surely = _followed([tree])
                late = any(isinstance(n, (ast.FunctionDef, ast.Lambda)) for n in ast.walk(tree))
                text = ast.get_source_segment(code, tree) or ""
                self.statements.append(
                    Statement(
                        index, cell, tree, text,
                        frozenset(read), dict(known), frozenset(written), late,
                    )
                )  # fmt: skip
                for name in written:
                    others = frozenset() if name in surely else known.get(name, frozenset())
                    known[name] = others | {index}

    def dotted(self, index: int, tree: ast.AST | None = None) -> set[str]:
        """Return what a statement, or a piece of it, reads, and what functions that it calls do."""
        found = set(self.statements[index].reads if tree is None else chains(tree))
        before, todo = self.statements[index].before, list(found)
        while todo:
            for setter in before.get(todo.pop().partition(".")[0], ()):
                if self.statements[setter].late:
                    new = self.statements[setter].reads - found
                    found |= new
                    todo += new
        return found

    def setters(self, index: int, tree: ast.AST | None = None) -> dict[str, frozenset[int]]:
        """Return the statements that set each name that a statement, or a piece of it, reads."""
        before = self.statements[index].before
        return {n: before[n] for n in _roots(self.dotted(index, tree)) if n in before}

    def slice(self, index: int, tree: ast.AST | None = None) -> set[int]:
        """Return the statements that one, or a piece of one, rests on."""
        found: set[int] = set()
        todo = set().union(*self.setters(index, tree).values())
        while todo:
            new = todo.pop()
            found.add(new)
            todo |= set().union(*self.setters(new).values()) - found
        return found

    def rerun(self, changed: Iterable[int], within: set[int], end: int) -> list[int]:
        """Return the statements to run again when some have changed, before the one at `end`.

        Those within `within` that rest on the changed ones, and those without which they, or the
        one at `end`, would find another value than the first time.
        """
        again = {c for c in changed if c < end}
        for index in sorted(within):
            if index < end and set().union(*self.setters(index).values()) & again:
                again.add(index)
        now = self.statements[end].before
        while True:
            new = {
                setter
                for index in again
                for name, setters in self.setters(index).items()
                if setters != now.get(name)
                for setter in setters
            }
            for index in again:  # what they set anew must not hide what came later
                for name in self.statements[index].sets:
                    for reader in (*again, end):
                        setters = self.statements[reader].before.get(name, frozenset())
                        if reader > index and name in self.setters(reader):
                            new |= {s for s in setters if s > index}
            if new <= again:
                return sorted(again)
            again |= new


# --- where claims are checked --------------------------------------------------------------------


@dataclass(eq=False)
class Site:
    """Where a claim is checked: the statement to run, and the piece of code that is its own.

    ``claim_id`` is empty where it is computed; `owner` is the statement that `own` stands in (the
    rows of a table of misprints may stand in an earlier one).
    """

    end: int
    claim_id: str
    owner: int
    own: ast.AST
    within: set[int] = field(default_factory=set)


def sites(flow: Flow) -> Iterator[Site]:
    """Yield where the claims of a notebook are checked, in order."""
    for statement in flow.statements:
        index, tree = statement.index, statement.tree
        if isinstance(tree, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
            continue
        names = _roots(flow.dotted(index))
        if "slips" in names and "slips" in _roots(chains(tree)):
            whole = flow.slice(index)
            rows = [
                (owner, row) for owner in (*sorted(whole), index)
                for row in _rows(flow.statements[owner].tree)
            ]  # fmt: skip
            for owner, row in rows:
                within = flow.slice(owner, row) | ({owner} - {index})
                claim_id: str = row.elts[0].value  # type: ignore[attr-defined]
                yield Site(index, claim_id, owner, row, within)
            if not rows:
                yield Site(index, "", index, tree, whole)
        elif "claim" in names:
            found = list(_claims_of(tree))
            claim_id = found[0][0] if len(found) == 1 else ""
            yield Site(index, claim_id, index, tree, flow.slice(index))


def _rows(tree: ast.AST) -> list[ast.Tuple]:
    """Return the rows of tables of misprints: id, printed, corrected, check."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Tuple)
        and len(node.elts) == 4
        and isinstance(node.elts[0], ast.Constant)
        and isinstance(node.elts[0].value, str)
        and node.elts[0].value[:2] in {f"{letter}-" for letter in PARTS}
    ]


# --- what can be changed -----------------------------------------------------------------------

TOLERANCES = {"rtol", "atol", "slack", "threshold", "stderr"}
# Keywords that say how much or in which form something is computed, not what.
_FORM = TOLERANCES | {
    "size", "seed", "rng", "axis", "decimals", "keepdims", "endpoint", "show", "display", "force",
    "evaluate", "method", "label", "draws", "tol", "maxiter", "dtype", "positive", "nonnegative",
    "integer", "real", "nonzero", "negative", "rational", "printed", "corrected", "consequence",
}  # fmt: skip
_UNTOUCHED = {
    "claim", "carries", "print", "glue", "display", "table", "symbols", "Symbol", "default_rng",
    "missing", "unseen",
}  # fmt: skip
_CASES = {
    "range", "zip", "enumerate", "product", "combinations", "permutations", "list", "tuple", "dict",
    "set", "sorted", "float", "int", "Fraction", "np", "sp", "math",
}  # fmt: skip
_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.LtE: ast.Gt, ast.Gt: ast.LtE,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_PAIRS = (("min", "max"), ("minimum", "maximum"), ("Min", "Max"), ("any", "all"),
          ("argmin", "argmax"), ("floor", "ceil"), ("ceiling", "floor"))  # fmt: skip
_OTHER = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])} | {"floor": "ceil"}
READINGS = {"factor": "more by a factor", "one": "more by one", "less": "less"}
CHANGED = "__changed__"  # a function that the one who runs a change provides


@dataclass(eq=False)
class Mutant:
    """One change: of a piece of a statement, or of what a function of the package returns."""

    kind: str
    where: int  # index of the statement
    line: int
    change: str
    apply: Callable[[], Callable[[], None]] | None = None
    """Makes the change in the tree and returns what takes it back."""
    target: tuple[str, str] = ("", "")
    """Name of a function of the package, and how its results change."""
    column: int = 0
    inside: int = 0
    """First line of the function of the notebook that it is in, 0 if it is in none."""
    idle: bool = False
    """A check that it makes fail might be one that cannot fail otherwise.

    Turning a comparison round does that to ``x == x``, another number beside it to ``x - x`` and 0.
    """


def _named_cases(tree: ast.AST, cases: set[str]) -> None:
    """Add the names whose values are cases: literals, or taken from such, one by one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _is_case(node.value, cases):
            cases |= {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        elif isinstance(node, (ast.For, ast.comprehension)):
            loop = isinstance(node, ast.For) or not _is_range(node.iter)
            if loop and _is_case(node.iter, cases):
                cases |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range"


def _is_case(node: ast.AST, cases: set[str]) -> bool:
    """Tell whether a value is written down, or taken from such: no symbol, no generator."""
    if _names(node) <= _CASES:
        called = (n.func for n in ast.walk(node) if isinstance(n, ast.Call))
        return not any(getattr(f, "attr", getattr(f, "id", "")) in _UNTOUCHED for f in called)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(_is_case(element, cases) for element in node.elts)
    if isinstance(node, ast.Dict):
        return all(_is_case(value, cases) for value in node.values)
    if isinstance(node, ast.Call) and not node.keywords:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "items":
            return _is_case(node.func.value, cases)
        inside = isinstance(node.func, ast.Name) and node.func.id in _CASES - {"Fraction"}
        return inside and all(_is_case(a, cases) for a in node.args)
    return isinstance(node, ast.Name) and node.id in cases


def _names(node: ast.AST) -> set[str]:
    functions = any(isinstance(n, ast.Lambda) for n in ast.walk(node))
    return _roots(chains(node)) | ({"lambda"} if functions else set())


def cases_of(flow: Flow) -> set[str]:
    """Return the names of numbers that are only cases, changed where they are read."""
    cases: set[str] = set()
    for statement in flow.statements:
        _named_cases(statement.tree, cases)
    return cases


def tolerances_of(flow: Flow) -> set[str]:
    """Return the names that are passed as tolerances."""
    found = set(TOLERANCES)
    for statement in flow.statements:
        for node in ast.walk(statement.tree):
            if isinstance(node, ast.keyword) and node.arg in TOLERANCES:
                found |= {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
    return found


def _children(node: ast.AST, cases: set[str], tolerances: set[str]) -> Iterator[Any]:
    """Yield (field, position or None, child) of what may be changed below a node."""
    if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Raise)):
        return
    skip: set[str] = set()
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
        root = next(iter(_roots(chains(node.func))), "")
        if name in _UNTOUCHED or root in ("plots", "plt", "interactive"):
            return
    elif isinstance(node, ast.Assign):
        names = {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        if names <= tolerances or _is_case(node.value, cases):
            return
        skip = {"targets"}
    elif isinstance(node, (ast.For, ast.comprehension)):
        skip = {"target"}
        loop = isinstance(node, ast.For) or not _is_range(node.iter)
        if loop and _is_case(node.iter, cases):
            skip |= {"iter"}
    elif isinstance(node, ast.FunctionDef):
        skip = {"returns"}
    elif isinstance(node, ast.arg):
        return
    for name, value in ast.iter_fields(node):
        if name in skip:
            continue
        for position, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.keyword) and child.arg in _FORM:
                continue
            yield name, position, child


def places(
    tree: ast.AST,
    where: int,
    cases: set[str],
    tolerances: set[str],
    *,
    inside: int = 0,
    idle: bool = False,
) -> Iterator[tuple[int, list[Mutant]]]:
    """Yield each place of a tree that can be changed, with its changes.

    Parameters
    ----------
    tree : ast.AST
    where : int
        Index of its statement.
    cases, tolerances : set of str
        Names of numbers that are only cases, and of tolerances.
    inside : int, optional
        First line of the function that the tree is in.
    idle : bool, optional
        Whether no change in the tree makes a check fail that could not fail otherwise.
    """
    if isinstance(tree, (ast.FunctionDef, ast.Lambda)):
        cases = cases - {
            argument.arg for argument in ast.walk(tree.args) if isinstance(argument, ast.arg)
        }
    if isinstance(tree, ast.FunctionDef):
        inside = min([tree.lineno, *(d.lineno for d in tree.decorator_list)])
    for name, position, child in _children(tree, cases, tolerances):
        made = []
        still = idle or (name == "args" and _is_side(tree) and _is_case(child, cases))
        for kind, new, text in _changes(child, cases):
            apply = _replacing(tree, name, position, new)
            line, column = getattr(child, "lineno", 0), getattr(child, "col_offset", 0)
            useless = still or kind == "comparison"
            made.append(
                Mutant(kind, where, line, text, apply, column=column, inside=inside, idle=useless)
            )
        if made:
            yield made[0].line, made
        yield from places(child, where, cases, tolerances, inside=inside, idle=still)


def _is_side(call: ast.AST) -> bool:
    """Whether arguments of a call are sides of a check that holds them against each other."""
    name = (
        call.func.attr
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        else ""
    )
    return name in ("exact", "close", "sampled", "differs", "limit", "derived")


def _replacing(
    parent: ast.AST, name: str, position: int | None, new: ast.AST
) -> Callable[[], Callable[[], None]]:
    def put(value: Any) -> Any:
        if position is None:
            old = getattr(parent, name)
            setattr(parent, name, value)
        else:
            sequence = getattr(parent, name)
            old, sequence[position] = sequence[position], value
        return old

    def apply() -> Callable[[], None]:
        old = put(new)
        return lambda: put(old) and None

    return apply


def _brief(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else text[:28] + " … " + text[-28:]


def _changes(node: ast.AST, cases: set[str]) -> Iterator[tuple[str, ast.AST, str]]:
    """Yield (kind, replacement, what changes in words)."""

    def made(kind: str, new: ast.AST, text: str = "") -> tuple[str, ast.AST, str]:
        if not isinstance(new, ast.expr) or not hasattr(new, "lineno"):
            ast.copy_location(new, node)
        ast.fix_missing_locations(new)
        return kind, new, text or f"{_brief(node)} → {_brief(new)}"

    if isinstance(node, ast.Constant):
        for value in _numbers(node.value):
            yield made("number", ast.Constant(value))
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        if node.id in cases:
            for how, text in READINGS.items():
                call = ast.Call(ast.Name(CHANGED, ast.Load()), [node, ast.Constant(how)], [])
                yield made("reading", call, f"{node.id} {text}")
        elif node.id in _OTHER:
            yield made("function", ast.Name(_OTHER[node.id], ast.Load()))
    elif isinstance(node, ast.Attribute) and node.attr in _OTHER:
        yield made("function", ast.Attribute(node.value, _OTHER[node.attr], ast.Load()))
    elif isinstance(node, ast.BinOp) and type(node.op) in _SWAPPED:
        if not any(_is_text(side) for side in (node.left, node.right)):
            op: Any = _SWAPPED[type(node.op)]()
            yield made("operator", ast.BinOp(node.left, op, node.right))
            yield made("operand", node.left)
            if not isinstance(node.op, ast.Pow):
                yield made("operand", node.right)
    elif isinstance(node, ast.AugAssign) and type(node.op) in _SWAPPED:
        op = _SWAPPED[type(node.op)]()
        yield made("operator", ast.AugAssign(node.target, op, node.value))
    elif isinstance(node, ast.Compare):
        for k, old in enumerate(node.ops):
            if type(old) in _SWAPPED:
                op = _SWAPPED[type(old)]()
                ops = [*node.ops[:k], op, *node.ops[k + 1 :]]
                yield made("comparison", ast.Compare(node.left, ops, node.comparators))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
        yield made("sign" if isinstance(node.op, ast.USub) else "comparison", node.operand)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _numbers(value: object) -> list[bool | int | float]:
    """Return the numbers that a literal is changed to."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        if value >= 1000:
            return [2 * value]
        return [value + 1, value - 1, 2 * value] if value > 1 else [1] if value == 0 else [2, 0]
    if isinstance(value, float):
        return [float(f"{value * by:.12g}") for by in (1.1, 0.9)] if value else [1.0]
    return []
