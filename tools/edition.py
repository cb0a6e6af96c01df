"""Which edition of the book this is: version, date, commit, licence, authors, addresses; its tools.

The facts come from ``CITATION.cff``, the date and the commit from git: the date of the commit, not
of the clock, so that the same commit gives the same pages. Without git, as in a source archive,
both are empty. Two addresses come from the environment, as the book has none of its own:
``PRIVLIB_BOOK_URL``, the site, and ``PRIVLIB_REPOSITORY_URL``, where the source is and errors are
reported.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from urllib.parse import urlencode

import yaml


@dataclass(frozen=True)
class Edition:
    """What identifies a build; each is text, empty if unknown."""

    title: str
    authors: str
    version: str
    date: str
    commit: str
    licence: str
    address: str
    repository: str

    @property
    def year(self) -> str:
        """The year of the commit."""
        return self.date.partition("-")[0]

    def edit(self, page: str) -> str:
        """Return where a page's text is edited; empty for pages that have none."""
        written = page.startswith(("book/", "notebooks/"))
        return f"{self.repository}edit/main/{page}.md" if self.repository and written else ""

    def report(self, page: str) -> str:
        """Return where an error on a page is reported."""
        asked = urlencode({"template": "error-in-a-verdict.yml", "title": f"{page}: "})
        return f"{self.repository}issues/new?{asked}" if self.repository else ""


def address(name: str) -> str:
    """Read an address from the environment, with one slash at its end; empty if there is none.

    Raises
    ------
    ValueError
        If it is no web address.
    """
    given = os.environ.get(name, "").strip()
    if given and not re.match(r"https?://[^/]+", given):
        raise ValueError(f"{name} must begin with http:// or https://, got {given!r}")
    return given.rstrip("/") + "/" if given else ""


def commit(root: Path) -> tuple[str, str]:
    """Return the commit that is built, with a note if files differ from it, and its day."""
    if not (root / ".git").exists() or shutil.which("git") is None:
        return "", ""  # and not those of a folder above

    def git(*words: str) -> str:
        told = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
        return told.stdout.strip()

    name = git("describe", "--always", "--abbrev=12", "--exclude=*", "--dirty= with changes")
    return name, git("log", "-1", "--format=%cs")


def edition(root: Path) -> Edition:
    """Return the edition of the book in a folder."""
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    name, day = commit(root)
    return Edition(
        title=cited["title"],
        authors=", ".join(author["name"] for author in cited["authors"]),
        version=str(cited["version"]),
        date=day,
        commit=name,
        licence=cited["license"],
        address=address("PRIVLIB_BOOK_URL"),
        repository=address("PRIVLIB_REPOSITORY_URL"),
    )


def installed(_: Path) -> dict[str, str]:
    """Return the versions of Python and of all installed packages."""
    names = ((re.sub("[._]", "-", found.name).lower(), found.version) for found in distributions())
    return {"Python": platform.python_version(), **dict(names)}
