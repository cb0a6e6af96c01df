"""What can be changed in the code of a notebook.

`places` finds the numbers and operators of a statement with what each can be changed to.

A number that has a name (``n = 1000``, ``for d in (1, 2, 5)``) is changed where it is read, one
reading at a time: changed at its name it would only be another case. Left alone are labels,
tolerances, seeds, numbers of draws, and what is printed or drawn.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ledger.dataflow import Flow, chains, names_in, roots

# --- what can be changed -----------------------------------------------------------------------

TOLERANCES = {"rtol", "atol", "slack", "threshold", "stderr"}
# Keywords that say how much or in which form something is computed, not what.
_FORM = TOLERANCES | {
    "size", "seed", "rng", "axis", "decimals", "keepdims", "endpoint", "show", "display", "force",
    "evaluate", "method", "label", "draws", "tol", "maxiter", "dtype", "positive", "nonnegative",
    "integer", "real", "nonzero", "negative", "rational", "printed", "corrected", "consequence",
}  # fmt: skip
_UNTOUCHED = {
    "claim", "decisive", "print", "display", "table", "symbols", "Symbol", "default_rng",
    "missing", "source_incomplete",
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
            cases |= set().union(*map(names_in, node.targets))
        elif isinstance(node, (ast.For, ast.comprehension)):
            loop = isinstance(node, ast.For) or not _is_range(node.iter)
            if loop and _is_case(node.iter, cases):
                cases |= names_in(node.target)


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
    return roots(chains(node)) | ({"lambda"} if functions else set())


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
                found |= names_in(node.value)
    return found


def _children(node: ast.AST, cases: set[str], tolerances: set[str]) -> Iterator[Any]:
    """Yield (field, position or None, child) of what may be changed below a node."""
    if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Raise)):
        return
    skip: set[str] = set()
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
        root = next(iter(roots(chains(node.func))), "")
        if name in _UNTOUCHED or root in ("plots", "plt", "interactive"):
            return
    elif isinstance(node, ast.Assign):
        names = set().union(*map(names_in, node.targets))
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
        cases = cases - {a.arg for a in ast.walk(tree.args) if isinstance(a, ast.arg)}
    if isinstance(tree, ast.FunctionDef):
        inside = min([tree.lineno, *(d.lineno for d in tree.decorator_list)])
    for name, position, child in _children(tree, cases, tolerances):
        made = []
        still = idle or (name == "args" and _is_side(tree) and _is_case(child, cases))
        for kind, new, text in _changes(child, cases):
            apply = _replacing(tree, name, position, new)
            line, column = getattr(child, "lineno", 0), getattr(child, "col_offset", 0)
            useless = still or kind == "comparison"
            made.append(Mutant(kind, where, line, text, apply, ("", ""), column, inside, useless))
        if made:
            yield made[0].line, made
        yield from places(child, where, cases, tolerances, inside=inside, idle=still)


def _is_side(call: ast.AST) -> bool:
    """Whether arguments of a call are sides of a check that holds them against each other."""
    method = getattr(call.func, "attr", "") if isinstance(call, ast.Call) else ""
    return method in ("exact", "close", "sampled", "differs", "limit", "derived")


def _replacing(
    parent: ast.AST, name: str, position: int | None, new: ast.AST
) -> Callable[[], Callable[[], None]]:
    at: Any = (vars(parent), name) if position is None else (getattr(parent, name), position)

    def apply() -> Callable[[], None]:
        holder, key = at
        old, holder[key] = holder[key], new
        return lambda: operator.setitem(holder, key, old)

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
