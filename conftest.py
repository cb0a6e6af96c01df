"""What all tests share, which files are not tests, and when a data set is really missing."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

# The text faces of notebooks are not test modules; their .ipynb is one (with --nbval).
collect_ignore_glob = ["notebooks/*/*.py", "book/*", "tools/*", "benchmarks/*", "_build/*"]


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the book."""
    return Path(__file__).resolve().parent


@cache
def missing_data(notebook: Path) -> str:
    """Say why a notebook's data cannot be had; empty if they can, or if it needs none."""
    from privlib import datasets

    called = set(re.findall(r"datasets\.(\w+)\(", notebook.read_text("utf-8")))
    # A data set of several files has sources tokyo_flow, tokyo_flow_grid, ...
    needed = (s for s in datasets.SOURCES if any(s == c or s.startswith(f"{c}_") for c in called))
    for name in sorted(needed):
        try:
            datasets.load(name)
        except datasets.DataUnavailableError as error:
            return str(error)
    return ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip notebooks only where their data can neither be found nor fetched."""
    for item in items:
        if item.path.suffix == ".ipynb":
            reason = missing_data(item.path)
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))
