"""What is known only when the package is built: the address of the book, if it has one.

``PRIVLIB_BOOK_URL`` names the site, as for `make book`: the package then has that address, and the
README's picture comes from there. Without it neither is written. ``PRIVLIB_REPOSITORY_URL`` names
the repository.
"""

import os
import re
from pathlib import Path

from setuptools import setup

address = os.environ.get("PRIVLIB_BOOK_URL", "").strip().rstrip("/")
repository = os.environ.get("PRIVLIB_REPOSITORY_URL", "").strip().rstrip("/")


def description() -> str:
    """Return the README for a package index, which has no files beside it: no relative links."""
    text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    picture = rf"![\1]({address}/_static/\2)" if address else ""
    text = re.sub(r"!\[([^]]*)\]\(book/_static/([^)]*)\)", picture, text)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


urls = {"Book": address, "Repository": repository}
if repository:
    urls |= {"Issues": f"{repository}/issues", "Changelog": f"{repository}/blob/main/CHANGELOG.md"}

setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    project_urls={name: url for name, url in urls.items() if url},
)
