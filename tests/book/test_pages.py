"""Descriptions and social tags of pages: what the built book cannot show, or shows only once."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from docutils import nodes, utils
from privlib_book import pages


def document(*texts):
    made = utils.new_document("page")
    made += [nodes.paragraph(text=text) for text in texts]
    return made


def test_the_opening_is_whole_sentences():
    first = "One short sentence that stands at the very beginning of a page. "
    text = pages.opening(document(first + "Another one. " + "word " * 60 + "end."), "Title")
    assert text == first + "Another one."


def test_the_opening_skips_boxes_and_formulas_lose_their_backslashes():
    made = utils.new_document("page")
    made += nodes.note("", nodes.paragraph(text="In a box, which is not how the page opens. " * 2))
    made += nodes.paragraph(
        text="A leakage of \\varepsilon^{2} is more than the attacker ever sees."
    )
    assert pages.opening(made, "Title") == (
        "A leakage of varepsilon^2 is more than the attacker ever sees."
    )


def test_a_colon_does_not_end_the_opening():
    question = "Noise protects a record by making the answer worse, and the trade is:"
    assert pages.opening(document(question, "A wider law, a larger error."), "Title") == (
        f"{question} A wider law, a larger error."
    )


@pytest.mark.parametrize("texts", [(), ("Short.",), ("word " * 100,)])
def test_the_opening_always_has_a_fit_length(texts):
    text = pages.opening(document(*texts), "A page")
    assert pages.SHORTEST <= len(text) <= pages.LONGEST


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("", ""),
        ("https://example.org/book", "https://example.org/book/"),
        ("http://localhost:8000/", "http://localhost:8000/"),
    ],
)
def test_the_address_comes_from_the_environment(monkeypatch, given, address):
    monkeypatch.setenv("PRIVLIB_BOOK_URL", given)
    config = SimpleNamespace()
    pages.set_address(SimpleNamespace(srcdir="/book"), config)
    assert config.html_baseurl == address


@pytest.mark.parametrize("given", ["example.org", "file:///book", "https://"])
def test_an_address_that_is_none_is_refused(monkeypatch, given):
    monkeypatch.setenv("PRIVLIB_BOOK_URL", given)
    with pytest.raises(ValueError, match="PRIVLIB_BOOK_URL must begin with"):
        pages.set_address(SimpleNamespace(srcdir="/book"), SimpleNamespace())


@pytest.mark.parametrize("address", ["", "https://example.org/book/"])
def test_a_page_names_the_card_with_the_address_or_from_the_page(address):
    app = SimpleNamespace(config=SimpleNamespace(html_baseurl=address))
    context = {"title": "A &amp; <em>B</em>", "pathto": lambda name, _: f"../{name}"}
    pages.describe(app, "some/page", "page.html", context, document("A page says this. " * 4))
    assert context["social"]["card"] == f"{address or '../'}{pages.CARD}"
    assert context["social"]["title"] == "A & B"
    assert context["social"]["description"].startswith("A page says this.")
    assert not context["is_described"]


@pytest.mark.parametrize("address", ["", "https://book.example/"])
def test_badges_of_a_downloaded_notebook_lead_to_the_site(root, tmp_path, address):
    name = "notebooks/evidence/laplace/01-attackers"
    config = SimpleNamespace(html_baseurl=address)
    env = SimpleNamespace(temp_data={})
    app = SimpleNamespace(srcdir=root, outdir=tmp_path, config=config, env=env)
    pages.offer_downloads(app, name, "", {"pathto": lambda link, _: link}, document())
    for suffix in (".md", ".py"):
        given = (root / f"{name}{suffix}").read_text("utf-8")
        assert (tmp_path / "_sources" / f"{name}{suffix}").read_text("utf-8") == given
    links = r'class=\\"claim-badge\\".*?href=\\"([^"]*?)book/ledger/'
    taken = (tmp_path / "_sources" / f"{name}.ipynb").read_text("utf-8")
    assert set(re.findall(links, taken)) == {address}
