"""Which statements of a notebook a claim's checks rest on.

A notebook is read as one list of statements. `Flow` follows the names from one to the next, in
straight lines: loops and branches are read once, functions read their names where they are called.
`sites` finds where claims are checked. `evidence` asks which objects of the package stand behind a
claim, `mutation` what to change and what to run again.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from privlib.notebook.claims import PARTS

_BLOCKS = (ast.With, ast.For, ast.While, ast.If, ast.Try)
_BINDS = (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
_IN_PLACE = {"shuffle", "fill_diagonal", "put", "place", "copyto", "at", "add_edge", "update"}
PREFIXES = {f"{letter}-" for letter in PARTS}
_SCOPES = (
    ast.FunctionDef, ast.ClassDef, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
Setters = dict[str, set[int]]  # of each name, the statements that its value may come from

# --- one statement --------------------------------------------------------------------------------


def names_in(tree: ast.AST) -> set[str]:
    """Return all names that code mentions."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _own(tree: ast.AST) -> set[str]:
    """Return the names that functions and comprehensions in `tree` keep to themselves."""
    inside = {n for scope in ast.walk(tree) if isinstance(scope, _SCOPES) for n in ast.walk(scope)}
    stored = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {node.arg for node in inside if isinstance(node, ast.arg)}


def chains(tree: ast.AST) -> set[str]:
    """Return the names, with their attributes, that code reads."""
    names: set[str] = set()
    inner: set[ast.AST] = set()
    own = _own(tree)
    for node in ast.walk(tree):
        if node in inner:
            continue
        words: list[str] = []
        base = node.target if isinstance(node, ast.AugAssign) else node  # read as well as set
        while isinstance(base, ast.Attribute):
            inner.add(base.value)
            words.append(base.attr)
            base = base.value
        read = base is not node or not isinstance(getattr(base, "ctx", None), ast.Store)
        if isinstance(base, ast.Name) and base.id not in own and read:
            names.add(".".join([base.id, *reversed(words)]))
    return names


def roots(dotted: Iterable[str]) -> set[str]:
    """Return the names that dotted ones begin with."""
    return {chain.partition(".")[0] for chain in dotted}


def _sets(tree: ast.AST) -> set[str]:
    """Return the names that a simple statement sets, defines, or changes in place."""
    if isinstance(tree, (ast.Import, ast.ImportFrom)):
        return roots(alias.asname or alias.name for alias in tree.names)
    names = {tree.name} if isinstance(tree, (ast.FunctionDef, ast.ClassDef)) else set()
    kinds = (ast.Name, ast.Attribute) if names else (ast.Name, ast.Attribute, ast.Subscript)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and isinstance(node.ctx, ast.Store):
            names |= names_in(getattr(node, "value", node))
    call = tree.value if isinstance(tree, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        changed = [call.func.value]  # x.append(…)
        changed += call.args if call.func.attr in _IN_PLACE else []  # rng.shuffle(x)
        names |= {node.id for node in changed if isinstance(node, ast.Name)}
    return names - _own(tree)


# --- from one to the next -------------------------------------------------------------------------


@dataclass(eq=False)
class Statement:
    """One statement of a notebook: what it reads, and which statements set that.

    `inside` has the statements of a block, itself first, where blocks are taken apart.
    """

    index: int
    cell: int
    tree: Any
    reads: set[str]
    before: Setters
    sets: set[str]
    late: bool
    inside: Iterable[int] = ()


def _follow(
    trees: Iterable[ast.AST], cell: int, known: Setters, statements: list[Statement], *, apart: bool
) -> None:
    """Add statements to `found`, those of blocks one by one, and to `known` where names are set.

    Where blocks stay whole, what one sets may not have been reached; apart, loops ran to their end.
    """
    for tree in trees:
        pieces, bodies = [tree], []
        if isinstance(tree, _BLOCKS):
            children = ast.iter_child_nodes(tree)
            pieces = [n for n in children if isinstance(n, (ast.expr, ast.withitem))]
            bodies = [getattr(tree, name, []) for name in ("body", "orelse", "finalbody")]
            bodies += [handler.body for handler in getattr(tree, "handlers", ())]
        index, before = len(statements), dict(known)
        nodes = (node for piece in pieces for node in ast.walk(piece))
        late = any(isinstance(node, (ast.FunctionDef, ast.Lambda)) for node in nodes)
        reads, sets = ({name for p in pieces for name in of(p)} for of in (chains, _sets))
        statements.append(Statement(index, cell, tree, reads, before, sets, late))
        surely = isinstance(tree, (*_BLOCKS, *_BINDS, ast.Expr))
        here = {n: {index} if surely else before.get(n, set()) | {index} for n in sets}
        if isinstance(tree, ast.With) or not bodies:
            known |= here
        for body in filter(None, bodies):
            end = before | here
            _follow(body, cell, end, statements, apart=apart)
            runs = apart and isinstance(tree, (ast.With, ast.For, ast.While))
            for name, setters in end.items():
                known[name] = setters if runs else known.get(name, set()) | setters
        statements[index].inside = range(index, len(statements))


class Flow:
    """The statements of a notebook, and what each rests on.

    Parameters
    ----------
    codes : sequence of str
        Its code cells.
    apart : bool, optional
        Whether to take blocks apart: their first lines, and the statements within.
    """

    def __init__(self, codes: Sequence[str], *, apart: bool = False) -> None:
        self.statements: list[Statement] = []
        pieces = self.statements if apart else []
        known, before = Setters(), Setters()
        for cell, code in enumerate(codes, 1):
            for tree in ast.parse(code).body:
                first, index = len(pieces), len(self.statements)
                _follow([tree], cell, known, pieces, apart=apart)
                if apart:
                    continue
                part = pieces[first:]
                reads = {
                    chain for piece in part for chain in piece.reads
                    if min(piece.before.get(chain.partition(".")[0], {-1})) < first
                }  # fmt: skip
                sets, late = {n for piece in part for n in piece.sets}, any(p.late for p in part)
                self.statements.append(
                    Statement(index, cell, tree, reads, dict(before), sets, late)
                )
                for name in sets:
                    surely = min(known[name]) >= first
                    before[name] = {index} | (set() if surely else before.get(name, set()))

    def dotted(self, index: int, tree: ast.AST | None = None) -> set[str]:
        """Return what a statement, or a piece of it, reads, and what functions that it calls do."""
        names = set(self.statements[index].reads if tree is None else chains(tree))
        before, todo = self.statements[index].before, list(names)
        while todo:
            for setter in before.get(todo.pop().partition(".")[0], ()):
                if self.statements[setter].late:
                    new = self.statements[setter].reads - names
                    names |= new
                    todo += new
        return names

    def setters(self, index: int, tree: ast.AST | None = None) -> Setters:
        """Return the statements that set each name that a statement, or a piece of it, reads."""
        before = self.statements[index].before
        return {n: before[n] for n in roots(self.dotted(index, tree)) if n in before}

    def slice(self, index: int, tree: ast.AST | None = None) -> set[int]:
        """Return the statements that one, or a piece of one, rests on."""
        rests_on: set[int] = set()
        todo = set().union(*self.setters(index, tree).values())
        while todo:
            new = todo.pop()
            rests_on.add(new)
            todo |= set().union(*self.setters(new).values()) - rests_on
        return rests_on

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
                        setters = self.statements[reader].before.get(name, set())
                        if reader > index and name in self.setters(reader):
                            new |= {s for s in setters if s > index}
            if new <= again:
                return sorted(again)
            again |= new


# --- where claims are checked ---------------------------------------------------------------------


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
    within: set[int]


def sites(flow: Flow) -> Iterator[Site]:
    """Yield where the claims of a notebook are checked, in order."""
    for statement in flow.statements:
        index, tree = statement.index, statement.tree
        if isinstance(tree, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
            continue
        names = roots(flow.dotted(index))
        if "misprints" in names and "misprints" in roots(chains(tree)):
            whole = flow.slice(index)
            rows = [
                (owner, *row) for owner in (*sorted(whole), index)
                for row in _rows(flow.statements[owner].tree)
            ]  # fmt: skip
            for owner, claim_id, row in rows:
                within = flow.slice(owner, row) | ({owner} - {index})
                yield Site(index, claim_id, owner, row, within)
            if not rows:
                yield Site(index, "", index, tree, whole)
        elif "claim" in names:
            yield Site(index, _claimed(tree), index, tree, flow.slice(index))


def claim_ids(codes: Iterable[str]) -> list[str]:
    r"""Return the ids of the claims that code cells check, as far as they are spelled out.

    Examples
    --------
    >>> claim_ids(['with claim("N-8") as c:\n    c.exact(1, 1)', 'rows = [("N-2", "a", "b", f)]'])
    ['N-8', 'N-2']
    """
    ids = []
    for code in codes:
        tree = ast.parse(code)
        for node in ast.walk(tree):
            match node:
                case ast.Call(ast.Name("claim"), [ast.Constant(str(claim_id)), *_]):
                    ids.append(claim_id)
        ids += [claim_id for claim_id, _ in _rows(tree)]
    return ids


def _rows(tree: ast.AST) -> Iterator[tuple[str, ast.Tuple]]:
    """Yield the rows of tables of misprints: id, printed, corrected, check; each after its id."""
    for node in ast.walk(tree):
        match node:
            case ast.Tuple([ast.Constant(str(text)), _, _, _]) if text[:2] in PREFIXES:
                yield text, node


def _claimed(tree: ast.AST) -> str:
    """Return the id of the claim that a block checks, empty where it is computed."""
    for item in tree.items if isinstance(tree, ast.With) else ():
        match item.context_expr:
            case ast.Call(ast.Name("claim"), [ast.Constant(str(claim_id)), *_]):
                return claim_id
    return ""


def read_for(flow: Flow, site: Site) -> set[str]:
    """Return what a claim's checks read, and what the statements do that they rest on."""
    owner = flow.statements[site.owner]
    whole = site.own is owner.tree
    pieces = [(k, None) for k in owner.inside] if whole else [(site.owner, site.own)]
    rests = {index for piece in pieces for index in flow.slice(*piece)}
    read = [flow.dotted(*piece) for piece in pieces]
    return set().union(*read, *(flow.statements[index].reads for index in rests))
