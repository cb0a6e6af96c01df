"""Rules that a machine keeps better than a reviewer: who imports whom, size, cost of importing."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize

from privlib.ledger import PARTS

NAMES = set(PARTS.values())
ALLOWED = {"numpy", "scipy", "sympy", "networkx", "mpmath", "privlib"}
EXTRAS = {"nacl", "dask", "distributed", "ot"}  # optional, each in a module that says so
# Lines without docstrings, comments and blanks: of the five parts together, and of the rest.
PARTS_CEILING, KIT_CEILING = 5800, 1200


def modules(root):
    return sorted((root / "privlib").rglob("*.py"))


def imports(tree):
    """Absolute names of all modules that a tree imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def part(path, root):
    name = path.relative_to(root / "privlib").parts[0]
    return name if name in NAMES else None


def test_no_part_imports_another_and_shared_modules_import_none(root):
    for path in modules(root):
        own = part(path, root)
        allowed = {own, "laplace"} if own else set()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name in imports(tree):
            words = set(name.replace(".", " ").split())
            assert not (words & NAMES) - allowed, f"{path.name} imports {name}"
            if own and not name.startswith("."):
                top = name.split(".")[0]
                assert top in ALLOWED | EXTRAS | set(sys.stdlib_module_names), path.name + name
            if path.name != "plots.py":
                assert not name.startswith("matplotlib"), f"{path.name} imports {name}"


def code_lines(path):
    """Count lines that hold code: no docstrings, comments, blank lines."""
    source = path.read_text(encoding="utf-8")
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (
            tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
            tokenize.ENDMARKER,
        ):  # fmt: skip
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            text = node.body[0]
            lines.difference_update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return len(lines)


def test_the_package_stays_small(root):
    sizes = {path: code_lines(path) for path in modules(root)}
    parts = sum(lines for path, lines in sizes.items() if part(path, root))
    assert parts <= PARTS_CEILING
    assert sum(sizes.values()) - parts <= KIT_CEILING


HEAVY = {"matplotlib", "plotly", "sympy", "networkx", "IPython", "dask", "nacl", "ot", "pandas"}


SHARED = ("privlib.ledger", "privlib.interactive")  # of the book, but without figures


def imported(*modules):
    """What a fresh interpreter has loaded after importing modules."""
    probe = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def test_importing_pulls_in_no_plotting_and_no_algebra():
    parts = [f"privlib.{name}" for name in NAMES]
    assert not HEAVY & imported("privlib", *SHARED, *parts, "privlib.correlated.gaussian")


def test_the_package_and_its_parts_load_almost_nothing():
    names = imported("privlib")
    assert "numpy" not in names
    assert not {f"privlib.{name}" for name in NAMES} & names
    names = imported(*(f"privlib.{name}" for name in NAMES))
    assert not [name for name in names if name.startswith("scipy")]


def test_optimisers_are_imported_by_those_who_call_them():
    modules = ("correlated.gaussian", "correlated.finite", "location.mechanism", "laplace.erm")
    names = imported(*(f"privlib.{module}" for module in modules))
    assert not {"scipy.optimize", "scipy.stats"} & names
