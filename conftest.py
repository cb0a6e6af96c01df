"""What all tests share, and which files are not tests."""

from pathlib import Path

import pytest

# The text faces of notebooks are not test modules; their .ipynb is one (with --nbval).
collect_ignore_glob = ["notebooks/*/*.py", "book/*", "tools/*", "benchmarks/*", "_build/*"]


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the book."""
    return Path(__file__).resolve().parent
