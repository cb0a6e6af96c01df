"""Print the repaired papers and the errata as PDF files, in English and in Japanese: ``make pdf``.

The pages are those of the built book; the system's Chromium prints them, as it prints any page. On
each sheet stand the page's title and the version of the book above, its address (where one is
configured) and the number of the sheet below. The files are ``_build/pdf/<page>-<language>.pdf``.
"""

from __future__ import annotations

import argparse
import html
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import privlib
from privlib.notebook.claims import PARTS

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
LANGUAGES = ("en", "ja")
PAGES = {**{part: f"book/repaired/{part}" for part in PARTS.values()}, "errata": "book/errata"}
READY = """async language => {
  if (document.documentElement.dataset.set !== language) return false;
  await window.MathJax?.startup?.promise;
  await document.fonts.ready;
  return true;
}"""
_LINE = (
    '<div style="width: 100%; margin: 0 15mm; font: 7.5pt sans-serif; color: #444;'
    ' display: flex; justify-content: space-between"><span>{}</span><span>{}</span></div>'
)
_COUNT = '<span class="pageNumber"></span> / <span class="totalPages"></span>'
# In place of what a page of the book writes on each sheet itself.
PLAIN = "@page { @top-left { content: none; } @bottom-right { content: none; } }"
PATIENCE = 600_000  # milliseconds that no page takes, however busy the machine


class CannotPrintError(RuntimeError):
    """Something that printing needs is not here; the message says what to do."""


def find_browser() -> str:
    """Return the path of the system's Chromium.

    Raises
    ------
    CannotPrintError
        If there is none on the PATH.
    """
    if found := next(filter(None, map(shutil.which, BROWSERS)), None):
        return found
    raise CannotPrintError(
        f"no Chromium on the PATH (looked for {', '.join(BROWSERS)}): install one, or open a page"
        " of the book in any browser and print it there"
    )


def lines(title: str, address: str) -> tuple[str, str]:
    """Return the line above and the line below the text of each sheet, as HTML."""
    above = _LINE.format(html.escape(title), f"privlib {html.escape(privlib.__version__)}")
    return above, _LINE.format(html.escape(address), _COUNT)


def print_page(browser: Any, source: Path, target: Path, *, language: str, address: str) -> None:
    """Print one page of the built book in one language.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
    source, target : Path
        The page, and the PDF file to write.
    language : {"en", "ja"}
    address : str
        What stands below the text; may be empty.

    Raises
    ------
    CannotPrintError
        If the page has not been built.
    """
    if not source.exists():
        raise CannotPrintError(f"no page {source}: `make book` builds it")
    page = browser.new_page(viewport={"width": 1000, "height": 1400}, color_scheme="light")
    page.set_default_timeout(PATIENCE)
    page.goto(f"{source.resolve().as_uri()}#{language}", wait_until="load")
    page.wait_for_function(READY, arg=language)
    above, below = lines(page.locator("article h1").inner_text().rstrip("#"), address)
    page.add_style_tag(content=PLAIN)
    target.parent.mkdir(parents=True, exist_ok=True)
    page.pdf(
        path=target, format="A4", print_background=True, tagged=True, outline=True,
        display_header_footer=True, header_template=above, footer_template=below,
        margin={"top": "18mm", "bottom": "18mm", "left": "15mm", "right": "15mm"},
    )  # fmt: skip
    page.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is asked for; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PAGES)}")
    parser.add_argument("--html", type=Path, default=Path("_build/html"), help="the built book")
    parser.add_argument("--out", type=Path, default=Path("_build/pdf"), help="folder to write to")
    asked = parser.parse_args(arguments)
    if unknown := [name for name in asked.names if name not in PAGES]:
        parser.error(f"no page {', '.join(unknown)}; there are {', '.join(PAGES)}")
    address = os.environ.get("PRIVLIB_BOOK_URL", "").strip().rstrip("/")
    try:
        path = find_browser()
        try:
            from playwright.sync_api import sync_playwright
        except ImportError:
            raise CannotPrintError(
                "playwright drives the browser and is not installed: pip install playwright"
            ) from None
        with sync_playwright() as playwright:
            flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
            browser = playwright.chromium.launch(executable_path=path, args=flags, timeout=PATIENCE)
            for name in asked.names or PAGES:
                for language in LANGUAGES:
                    where = f"{address}/{PAGES[name]}.html" if address else ""
                    target = asked.out / f"{name}-{language}.pdf"
                    source = asked.html / f"{PAGES[name]}.html"
                    print_page(browser, source, target, language=language, address=where)
                    print(f"pdf: {target}, {target.stat().st_size // 1024} kB")
            browser.close()
    except CannotPrintError as error:
        print(f"pdf: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
