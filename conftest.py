"""What all tests share, which files are not tests, and when a data set is really missing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

# The text faces of notebooks are not test modules; their .ipynb is one (with --nbval).
collect_ignore_glob = ["notebooks/*/*.py", "book/*", "tools/*", "benchmarks/*", "_build/*"]

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))),
    None,
)


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the book."""
    return Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def html(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the built book; the build fails on any warning."""
    out = tmp_path_factory.mktemp("book")
    command = [Path(sys.executable).parent / "jupyter-book", "build", str(root)]
    options = ["--path-output", str(out), "--all", "-W", "--keep-going", "-q"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return out / "_build" / "html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, closed with the module: its event loop would disturb notebooks run elsewhere."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on the PATH")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


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
