"""A browser for the tests of the pages."""

from __future__ import annotations

import pytest
from offline_page import OfflinePage, chromium


@pytest.fixture(scope="module")
def browser():
    """Lend a headless Chromium.

    One for each file of tests, not for the session: while Playwright runs, nothing else in the
    thread may start an event loop, and the tests that execute notebooks do.
    """
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def visitor(browser, html):
    """Return a page in the light theme."""
    made = OfflinePage(browser, html, color_scheme="light")
    yield made
    made.context.close()
