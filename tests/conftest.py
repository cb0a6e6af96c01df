"""The root of the repository, the built book, and what is slow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples each time, and the time that each needs: Hypothesis's own limit is 200 ms for
# an example, which a busy machine exceeds.
settings.register_profile("privlib", deadline=None, derandomize=True)
settings.load_profile("privlib")

TIMEOUT_S = 900  # a limit for a build that hangs


@pytest.fixture(scope="session")
def root():
    """Return the root of the repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def html(root, tmp_path_factory):
    """Build the book, warnings as errors; return the folder of its pages.

    ``PRIVLIB_HTML`` names a folder of built pages to test instead. ``make test`` builds them once
    for all its processes.
    """
    if built := os.environ.get("PRIVLIB_HTML"):
        return Path(built).resolve()
    folder = tmp_path_factory.mktemp("book")
    build = [str(Path(sys.executable).parent / "jupyter-book"), "build", str(root)]
    options = ["--path-output", str(folder), "--all", "-W", "--keep-going", "-q"]
    addresses = {"PRIVLIB_BOOK_URL", "PRIVLIB_REPOSITORY_URL"}
    environment = {key: value for key, value in os.environ.items() if key not in addresses}
    ran = subprocess.run(
        [*build, *options],
        capture_output=True, text=True, check=False, env=environment, timeout=TIMEOUT_S,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
    return folder / "_build" / "html"


def pytest_collection_modifyitems(items):
    """Mark what needs the book or a browser as slow."""
    for item in items:
        if {"html", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
