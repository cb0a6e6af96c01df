"""A page of the built book in a headless Chromium, without a network."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest

TIMEOUT_S = 120  # a limit for what hangs, however busy the machine

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# The page's own settings are called MathJax too, until the script replaces them.
MATHJAX_STARTED = """() => !document.querySelector("script[src*='mathjax']")
  || !!MathJax.startup?.promise"""
FORMULAS_SET = "() => window.MathJax?.startup?.promise.then(() => true)"
# What was asked for is drawn.
TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@contextmanager
def chromium():
    """Start a headless Chromium for this thread; without one, skip and say so."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
    paths = [path for path in map(shutil.which, names) if path]
    if not paths:
        pytest.skip("no Chromium on the PATH: the book was not opened in a browser")
    sync_api = pytest.importorskip("playwright.sync_api")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=paths[0], args=flags, timeout=1000 * TIMEOUT_S
        )
        yield started
        started.close()


class OfflinePage:
    """A page without a network that remembers what went wrong; one for many visits.

    Parameters
    ----------
    browser : playwright Browser
    html : Path
        Folder of the built pages.
    **options
        Of the browser's context, such as ``color_scheme="dark"``.
    """

    def __init__(self, browser, html, **options):
        self.html = html
        self.scripts = options.get("java_script_enabled", True)
        self.wrong = []
        self.context = browser.new_context(viewport=WIDE, **options)
        self.context.set_default_timeout(1000 * TIMEOUT_S)
        self.context.set_offline(True)
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._requested)
        self.page.on("requestfailed", self._failed)

    def _console(self, message):
        if message.type in ("error", "warning"):
            self.wrong.append(f"{message.type}: {message.text}")

    def _requested(self, request):
        if not request.url.startswith(("file:", "data:", "blob:", "about:")):
            self.wrong.append(f"network: {request.url}")

    def _failed(self, request):
        if request.failure != "net::ERR_ABORTED":  # we went on before the icon came
            self.wrong.append(f"failed {request.url} {request.failure}")

    def open(self, name, query="", *, screen=WIDE):
        """Open a page and wait until its formulas are set."""
        if screen != self.page.viewport_size:
            self.page.goto("about:blank")  # else the page before would be laid out once more
            self.page.set_viewport_size(screen)
        self.wrong.clear()
        self.page.goto((self.html / f"{name}.html").as_uri() + query, wait_until="load")
        if self.scripts:
            self.page.wait_for_function(MATHJAX_STARTED)
            self.page.evaluate(FORMULAS_SET)
        return self.page


def axe_violations(page, *, include=("html",), exclude=(), **options):
    """Return what axe finds on a page: rule, element and how to mend it.

    Nothing is preloaded: axe would ask for style sheets by a request that file:// refuses.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    if not page.evaluate("() => Boolean(globalThis.axe)"):
        page.evaluate(axe.axe_script)
    context = {
        "include": [[selector] for selector in include],
        "exclude": [[selector] for selector in exclude],
    }
    options = {"resultTypes": ["violations"], "preload": False, **options}
    result = page.evaluate("([context, options]) => axe.run(context, options)", [context, options])
    applied = {rule["id"] for kind in ("passes", "violations") for rule in result[kind]}
    assert "color-contrast" in applied, "axe found no text to judge"
    return [
        (rule["id"], node["html"][:200], node["failureSummary"][:250])
        for rule in result["violations"]
        for node in rule["nodes"]
    ]
