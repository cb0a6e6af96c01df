"""Which edition a page says it is and how to cite it, with and without git and addresses."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import edition
import jinja2
import pytest
import yaml
from ledger import exports
from privlib_book.pages import set_launchers

import privlib

ROOT = Path(__file__).resolve().parents[2]
ADDRESSES = ("PRIVLIB_BOOK_URL", "PRIVLIB_REPOSITORY_URL")


@pytest.fixture
def nowhere(monkeypatch):
    for name in ADDRESSES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def everywhere(monkeypatch):
    monkeypatch.setenv("PRIVLIB_BOOK_URL", "https://book.example")
    monkeypatch.setenv("PRIVLIB_REPOSITORY_URL", "https://git.example/me/privlib/")


def footer(made, page):
    loader = jinja2.FileSystemLoader(ROOT / "book" / "_templates")
    template = jinja2.Environment(loader=loader, autoescape=False).get_template("author.html")
    return template.render(edition=made, pagename=page, pathto=lambda name: f"{name}.html")


def links(text):
    found = re.findall(r'<a href="([^"]*)">([^<]*)</a>', text)
    return {label: address for address, label in found}


def test_a_footer_names_the_edition_and_no_address_where_there_is_none(nowhere):
    made = edition.edition(ROOT)
    text = footer(made, "book/errata")
    assert made.version == privlib.__version__
    assert f"privlib {made.version}" in text
    assert "the privlib authors" in text
    assert "BSD-3-Clause" in text
    assert links(text) == {"How to cite": "book/cite.html"}
    assert "http" not in text


@pytest.mark.parametrize(
    ("repository", "offered"),
    [
        ("", False),
        ("https://git.example/me/privlib", False),  # which Colab does not open
        ("https://github.com/me/privlib/", True),
    ],
)
def test_colab_and_binder_are_offered_where_the_repository_is_on_github(
    monkeypatch, repository, offered
):
    monkeypatch.setenv("PRIVLIB_REPOSITORY_URL", repository)
    config = SimpleNamespace(html_theme_options={})
    set_launchers(None, config)
    options = config.html_theme_options
    assert bool(options) == offered
    if offered:
        assert options["repository_url"] == "https://github.com/me/privlib"
        assert {"colab_url", "binderhub_url"} <= set(options["launch_buttons"])


def test_a_footer_leads_to_the_repository_where_one_is_known(everywhere):
    made = edition.edition(ROOT)
    found = links(footer(made, "notebooks/laplace/01-attackers"))
    assert found["Repository"] == "https://git.example/me/privlib/"
    assert found["Suggest an edit"] == (
        "https://git.example/me/privlib/edit/main/notebooks/laplace/01-attackers.md"
    )
    assert found["Report an error"].startswith("https://git.example/me/privlib/issues/new?")
    assert "01-attackers" in found["Report an error"]
    here = "https://book.example/notebooks/laplace/01-attackers.html"
    assert found[here] == here
    assert "Suggest an edit" not in links(footer(made, "search"))


@pytest.mark.parametrize("name", ADDRESSES)
def test_an_address_that_is_none_is_refused(monkeypatch, name):
    monkeypatch.setenv(name, "example.org")
    with pytest.raises(ValueError, match=f"{name} must begin with"):
        edition.edition(ROOT)


@pytest.fixture
def copy(tmp_path):
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    return tmp_path


def test_without_git_there_is_neither_date_nor_commit(nowhere, copy):
    made = edition.edition(copy)
    assert (made.date, made.commit, made.year) == ("", "", "")
    assert "commit" not in footer(made, "book/errata")


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_the_date_is_that_of_the_commit_and_a_change_is_told(nowhere, copy, monkeypatch):
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_DATE", "2001-02-03T04:05:06+0000")
        monkeypatch.setenv(f"GIT_{name}_NAME", "A")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"]):
        subprocess.run(["git", *words], cwd=copy, check=True, capture_output=True)
    made = edition.edition(copy)
    assert (made.date, made.year) == ("2001-02-03", "2001")
    assert re.fullmatch(r"[0-9a-f]{12}", made.commit)
    with (copy / "CITATION.cff").open("a") as file:
        file.write("# changed\n")
    assert edition.edition(copy).commit == f"{made.commit} with changes"


def test_every_page_has_the_footer(html):
    for path in html.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        if "_static" not in path.parts and '<footer class="bd-footer-content"' in text:
            (told,) = re.findall(r'<p class="component-author edition">(.*?)</p>', text, re.DOTALL)
            assert f"privlib {privlib.__version__}" in told, path
            (link,) = re.findall(r'<a href="([^"]*)">How to cite</a>', text)
            assert link == "#" or (path.parent / link).resolve() == html / "book" / "cite.html"


def test_exports_name_their_edition(html, nowhere):
    document = json.loads((html / "book/exports/errata.json").read_text("utf-8"))
    assert document["edition"]["version"] == privlib.__version__
    assert document["edition"]["licence"] == "BSD-3-Clause"
    assert document["edition"]["authors"] == "The privlib authors"
    first, second = (exports.as_json(edition.edition(ROOT), [], []) for _ in range(2))
    assert first == second


def test_five_sources_are_cited_with_what_the_bibliography_says(html):
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["references"]
    papers = exports.papers(ROOT)
    for part, paper in papers.items():
        (entry,) = (c for c in cited if c["title"] == paper["title"])
        names = [
            f"{a['given-names']} {a['family-names']}" for a in entry["authors"] if "name" not in a
        ]
        assert names == paper["authors"], part
    (english,) = (c for c in cited if "doi" in c)
    text = (ROOT / "book" / "references.bib").read_text("utf-8")
    entries = {part: exports.bibtex_of(text, part) for part in papers}
    assert {part: len(found) for part, found in entries.items()} == {
        "laplace": 0, "correlated": 2, "disclosure": 1, "location": 1, "sketch": 1,
    }  # fmt: skip
    assert f"doi = {{{english['doi']}}}" in entries["correlated"][1]
    page = re.sub(r"<[^>]+>", "", (html / "book" / "cite.html").read_text("utf-8"))
    for part, found in entries.items():
        assert papers[part]["title"] in page
        assert all(entry in page for entry in found)
    assert "@software{privlib," in page
    assert f"version = {{{privlib.__version__}" in page
