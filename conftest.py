"""What all tests share, which files are not tests, what is slow, and how notebooks are compared."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from notebook_data import missing_data

# The text formats of notebooks are not test modules; their .ipynb is one (with --nbval).
collect_ignore_glob = ["notebooks/*/*.py", "book/*", "benchmarks/*", "_build/*"]

HANGS = 900  # seconds that nothing here takes, however busy the machine: a limit for what hangs


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the root of the book."""
    return Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def html(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the book as ``make book`` does, warnings as errors; return the folder of its pages.

    One build serves all workers of pytest-xdist: the first makes the folder, the others wait for
    what it writes at the end. ``PRIVLIB_HTML`` names a folder of built pages to test instead.
    """
    if built := os.environ.get("PRIVLIB_HTML"):
        return Path(built).resolve()
    base = tmp_path_factory.getbasetemp()
    out = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared-book"
    log, done = out / "log", out / "done"
    try:
        out.mkdir()
    except FileExistsError:
        limit = time.monotonic() + HANGS
        while not done.exists():
            assert time.monotonic() < limit, "another worker began to build the book, in vain"
            time.sleep(0.2)
    else:
        build = [str(Path(sys.executable).parent / "jupyter-book"), "build", str(root)]
        options = ["--path-output", str(out), "--all", "-W", "--keep-going", "-q"]
        addresses = {"PRIVLIB_BOOK_URL", "PRIVLIB_REPOSITORY_URL"}
        settings = {key: value for key, value in os.environ.items() if key not in addresses}
        code, told = "no exit code", ""
        try:
            ran = subprocess.run(
                [*build, *options],
                capture_output=True, text=True, check=False, env=settings, timeout=HANGS,
            )  # fmt: skip
            code, told = str(ran.returncode), ran.stdout[-4000:] + ran.stderr[-4000:]
        except (OSError, subprocess.SubprocessError) as error:
            told = str(error)
        finally:  # those who wait must hear of it, whatever happened
            log.write_text(told, encoding="utf-8")
            part = out / "part"
            part.write_text(code, encoding="utf-8")
            part.rename(done)  # at once and whole
    assert done.read_text(encoding="utf-8") == "0", log.read_text(encoding="utf-8")
    return out / "_build" / "html"


@contextmanager
def chromium() -> Iterator[Any]:
    """Start a headless Chromium for this thread; without one, skip and say so."""
    # The first is without what nobody sees here, and takes a quarter less.
    names = (
        "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"
    )  # fmt: skip
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip("no Chromium on the PATH: the book was not opened in a browser")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        started = playwright.chromium.launch(
            executable_path=found, args=flags, timeout=HANGS * 1000
        )
        yield started
        started.close()


WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# The page's own settings are called MathJax too, until the script replaces them.
SETTING = """() => !document.querySelector("script[src*='mathjax']")
  || !!MathJax.startup?.promise"""
# What was asked for is drawn.
TWO_FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
SET = "() => window.MathJax?.startup?.promise.then(() => true)"


class Visitor:
    """A page without a network that remembers what went wrong.

    One for many visits: a new page compiles all scripts again, which takes longer than a visit. So
    does the setting of formulas; tests that look at none do without, as `test_browser.py` has those
    of every page set.
    """

    def __init__(self, browser: Any, html: Path, *, formulas: bool = True, **options: Any) -> None:
        self.html, self.formulas = html, formulas
        self.wrong: list[str] = []
        self.context = browser.new_context(viewport=WIDE, **options)
        self.context.set_default_timeout(1000 * HANGS)
        self.context.set_offline(True)
        if not formulas:
            self.context.route(
                re.compile(r"/_static/mathjax/.*\.js"),
                lambda route: route.fulfill(body="", content_type="text/javascript"),
            )
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._asked)
        self.page.on("requestfailed", self._failed)

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.wrong.append(f"{message.type}: {message.text}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:", "about:")):
            self.wrong.append(f"network: {request.url}")

    def _failed(self, request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # we went on before the icon came
            self.wrong.append(f"failed {request.url} {request.failure}")

    def open(self, name: str, query: str = "", *, screen: dict[str, int] = WIDE) -> Any:
        """Open a page and wait until its formulas are set, if they are to be."""
        if screen != self.page.viewport_size:
            self.page.goto("about:blank")  # else the page before would be laid out once more
            self.page.set_viewport_size(screen)
        self.wrong.clear()
        self.page.goto((self.html / f"{name}.html").as_uri() + query, wait_until="load")
        if self.formulas:
            self.page.wait_for_function(SETTING)
            self.page.evaluate(SET)
        return self.page


# Contrast takes most of the time, for each text again. Of texts that are alike, and have the same
# backgrounds behind them, three are judged. What is moved to where another background may be is
# alike only to what is moved with it.
ALIKE = """([include, exclude]) => {
  const behind = new Map(), seen = new Map();
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT);
  for (let element = walker.currentNode; element; element = walker.nextNode()) {
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    const numbers = (...names) => names.map(name => parseFloat(style[name]) || 0);
    const moved = !["static", "relative"].includes(style.position)
      || style.position === "relative" && numbers("top", "left").some(number => number)
      || numbers("marginTop", "marginRight", "marginBottom", "marginLeft").some(n => n < 0)
      || style.transform !== "none" || style.translate !== "none";
    const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter].join();
    const layers = (behind.get(element.parentElement) ?? "") + (moved ? `;${behind.size}` : "");
    behind.set(element, own === "rgba(0, 0, 0, 0),none,1,none" ? layers : `${layers};${own}`);
    element.removeAttribute("data-alike");
    // Only what axe judges counts: a text of its own, in the part that is looked at. Of those with
    // one letter or none it leaves some out: each is alike only to the same.
    const nodes = [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE);
    const text = nodes.map(node => node.data).join("").trim();
    const meant = element.closest(include) && !(exclude && element.closest(exclude));
    if (!text || !meant) continue;
    const few = (text.match(/[\\p{L}\\p{N}]/gu) ?? []).length < 2;
    const off = element.closest(":disabled, [aria-disabled='true']")
      || element.closest("label")?.control?.disabled;
    const key = [
      behind.get(element), style.color, style.fontSize, style.fontWeight, style.textShadow,
      element.tagName, element.getAttribute("class"), Boolean(off),
      style.visibility, element.checkVisibility(), box.width > 1 && box.height > 1, few && text,
    ].join();
    seen.set(key, (seen.get(key) ?? 0) + 1);
    if (seen.get(key) > 3) element.dataset.alike = "";
  }
}"""
JUDGE = """([context, options]) => {
  axe.configure({rules: [{id: "color-contrast", selector: ":not([data-alike])"}]});
  return axe.run(context, {
    resultTypes: ["violations"], preload: false, selectors: false, ...options});
}"""


def barriers(
    page: Any,
    *,
    include: Sequence[str] = ("html",),
    exclude: Sequence[str] = (),
    contrast: bool = True,
    **options: Any,
) -> list[tuple[str, str, str]]:
    """Return what axe finds on a page: rule, element and how to mend it.

    Nothing is preloaded: axe would ask for style sheets by a request that file:// refuses.
    """
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page.evaluate(ALIKE, [",".join(include), ",".join(exclude)])
    if not page.evaluate("() => Boolean(globalThis.axe)"):
        page.evaluate(axe.axe_script)
    context = {"include": [[one] for one in include], "exclude": [[one] for one in exclude]}
    found = page.evaluate(JUDGE, [context, options])
    ids = {rule["id"] for kind in ("passes", "violations") for rule in found[kind]}
    assert ("color-contrast" in ids) == contrast, "whether axe found text to judge"
    assert contrast or len(ids) > 5, "axe found nothing to judge"
    return [
        (rule["id"], node["html"][:200], node["failureSummary"][:250])
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Lend a headless Chromium.

    One for each file of tests, not for the session: while Playwright runs, nothing else in the
    thread may start an event loop, and the tests that execute notebooks do.
    """
    with chromium() as started:
        yield started


def pytest_configure(config: pytest.Config) -> None:
    """Let Hypothesis draw the same examples each time, and take the time that it needs.

    Its own limit is 200 ms for an example, which a busy machine exceeds.
    """
    if not config.getoption("nbval", default=False):
        from hypothesis import settings

        settings.register_profile("privlib", deadline=None, derandomize=True)
        settings.load_profile("privlib")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the book or a browser as slow; skip notebooks only where data are missing."""
    for item in items:
        if {"html", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if item.path.suffix == ".ipynb":
            item.config.option.nbval_kernel_startup_timeout = HANGS
            item.output_timeout = HANGS  # type: ignore[attr-defined]
            reason = missing_data(item.path)
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Any:
    """Let a cell fail that draws otherwise than stored, or never ran."""
    result = yield
    if item.path.suffix == ".ipynb":
        if item.cell.source.strip() and item.cell.execution_count is None:
            item.raise_cell_error("The stored notebook has not run this cell")
        if wrong := redrawn(item.cell.outputs, item.test_outputs):
            item.raise_cell_error("Pictures differ", wrong)
        if recorded(item.cell.outputs) != recorded(item.test_outputs):
            item.raise_cell_error("The records of the checks are not those that are stored")
    return result


def recorded(outputs: Iterable[Any]) -> list[Any]:
    """Return what outputs carry for the ledger; nbval does not look at metadata."""
    told = (output.get("metadata", {}).get("privlib") for output in outputs)
    return [json.loads(json.dumps(one)) for one in told if one]


def redrawn(stored: Iterable[Any], fresh: Iterable[Any]) -> str:
    """Say how the pictures of a cell differ from the stored ones; empty if they agree.

    On the machine where they were made they come out byte for byte the same; elsewhere fonts and
    rounding may move a few pixels, hence a small tolerance. Another version of matplotlib draws
    otherwise: then only their number counts, and a warning says so.
    """
    from pictures import RMS, drawn_by, rms, spared

    before, after = (
        [spared(o["data"]["image/png"]) for o in outputs if "image/png" in o.get("data", {})]
        for outputs in (stored, fresh)
    )
    if len(before) != len(after):
        return f"{len(before)} pictures are stored, {len(after)} were drawn"
    for number, (old, new) in enumerate(zip(before, after), 1):
        if (drew := drawn_by(old)) != (draws := drawn_by(new)):
            told = f"{drew} drew what is stored, {draws} is here: not compared"
            warnings.warn(told, stacklevel=2)
        elif old != new and (distance := rms(old, new)) > RMS:
            return f"picture {number}: root mean square of {distance:.1f} of 255, at most {RMS}"
    return ""
