"""Digests of code: what can change a result counts, docstrings and comments do not."""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

_DOCUMENTED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_of(source: str) -> str:
    r"""Return Python code without docstrings, comments and blank lines.

    Examples
    --------
    >>> code_of('def f(x):\n    "Double it."\n\n    return 2 * x  # really\n')
    'def f(x):\n    return 2 * x'
    """
    tree = ast.parse(source)
    lines = [line.encode() for line in source.splitlines()]  # columns of ast count bytes
    _remove_comments(lines, source)
    docstrings = _docstrings(tree)
    for text in docstrings:
        first, last = text.lineno - 1, text.end_lineno - 1
        rest = lines[last][text.end_col_offset :]
        lines[first] = lines[first][: text.col_offset]
        for row in range(first + 1, last + 1):
            lines[row] = b""
        lines[last] += rest
    inside = _rows_within_strings(tree, {id(text.value) for text in docstrings})
    kept = []
    for row, line in enumerate(lines, 1):
        text = line.decode()
        if row in inside:  # spaces and blank lines of a string are part of it
            kept.append(text)
        elif text.strip():
            kept.append(text.rstrip())
    return "\n".join(kept)


def _remove_comments(lines: list[bytes], source: str) -> None:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = token.line[:column].encode()


def _docstrings(tree: ast.Module) -> list[Any]:
    """Return the statements that are docstrings, of the module, its classes and functions."""
    docstrings = []
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        todo += [child for child in node.body if isinstance(child, _DOCUMENTED)]
        if ast.get_docstring(node, clean=False) is not None:
            docstrings.append(node.body[0])
    return docstrings


def _rows_within_strings(tree: ast.Module, docstrings: set[int]) -> set[int]:
    """Return the rows that end within a string of several lines, docstrings apart."""
    rows: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and id(node) not in docstrings:
            rows.update(range(node.lineno, node.end_lineno or node.lineno))
    return rows


def code_digest(codes: Iterable[str]) -> str:
    """Return the digest of code cells as they stand."""
    return hashlib.sha256("\x00".join(codes).encode()).hexdigest()[:16]


@cache
def _module_digest(paths: tuple[Path, ...], _modified: tuple[int, ...]) -> str:
    code, *data = [path.read_text(encoding="utf-8") for path in paths]
    return code_digest([code_of(code), *data])


def module_digest(root: Path, module: str) -> str:
    """Return the digest of the code of a module of the package, empty if there is no such file.

    Data and styles that stand beside a module, under its name, are part of its code.
    """
    stem = root.joinpath(*module.split("."))
    for path in (stem.with_name(f"{stem.name}.py"), stem / "__init__.py"):
        if not path.exists():
            continue
        beside = [path.with_suffix(suffix) for suffix in (".json", ".mplstyle")]
        files = [path, *(data for data in beside if data.exists())]
        return _module_digest(tuple(files), tuple(file.stat().st_mtime_ns for file in files))
    return ""


def package_digests(root: Path) -> dict[str, str]:
    """Return the digest of every module of the package."""
    digests = {}
    for path in (root / "privlib").rglob("*.py"):
        words = path.relative_to(root).with_suffix("").parts
        module = ".".join(words).removesuffix(".__init__")
        digests[module] = module_digest(root, module)
    return digests
