"""Downloads: a notebook that any program shows as the book does, with nothing left of MyST."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import plain_notebook
import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = "https://book.example/"
NOTEBOOKS = sorted(path.relative_to(ROOT) for path in ROOT.glob("notebooks/**/*.ipynb"))
# What another program would show as it is typed.
LEFT_OVER = re.compile(
    r"^[`:]{3,}\{|^:[a-z]+: |^\([\w-]+\)=$|^% |\{[a-z]+(?::[a-z]+)?\}`|<!--|\{\{", re.MULTILINE
)


@pytest.fixture(scope="module")
def book():
    return plain_notebook.Book(ROOT, SITE, '"privlib-book[notebooks] @ git+https://x.example/y"')


def made_from(texts, name="notebooks/laplace/01-attackers", book=None):
    cells = [nbformat.v4.new_markdown_cell("# Title")]
    cells += [nbformat.v4.new_markdown_cell(text) for text in texts]
    notebook = plain_notebook.plain(nbformat.v4.new_notebook(cells=cells), name, book)
    return [cell.source for cell in notebook.cells[2:]]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_directive_no_role_and_no_name_of_a_number_is_left(book, path):
    stored = nbformat.read(ROOT / path, 4)
    name = path.with_suffix("").as_posix()
    notebook = plain_notebook.plain(stored, name, book)
    nbformat.validate(notebook)
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert not [found[0] for text in texts for found in LEFT_OVER.finditer(text)]
    # No code is lost, and the outputs stay with it.
    before = [(c.source, c.outputs) for c in stored.cells if c.cell_type == "code"]
    after = [(c.source, c.outputs) for c in notebook.cells if c.cell_type == "code"]
    assert after[0] == (f"%pip install --quiet {book.install}", [])
    assert sorted(source for source, _ in before) == sorted(source for source, _ in after[1:])
    assert sum(len(o) for _, o in before) == sum(len(o) for _, o in after)
    if "claim-badge" in nbformat.writes(stored):
        assert f'href=\\"{SITE}book/ledger' in nbformat.writes(notebook)
    assert '"../../book' not in nbformat.writes(notebook)


def test_boxes_references_and_numbers_become_text(tmp_path):
    folder = tmp_path / "notebooks" / "laplace"
    folder.mkdir(parents=True)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "references.bib").write_text(
        "@book{gauss, author={Gauß, C. F. and Euler, L.}, year={1801}, doi={10.1/x}}\n",
        encoding="utf-8",
    )
    text = """\
```{prf:theorem} Sums
:label: thm-sum
The sum of $n$ numbers.
```

By {prf:ref}`thm-sum`, {cite:t}`gauss` and 60%<!-- {share:.0%} --> of others {cite:p}`gauss`,
[the next page](02-two.ipynb) and {ref}`an exercise <ex-two>`.
"""
    (folder / "01-one.md").write_text(f"# One\n\n{text}", encoding="utf-8")
    (folder / "02-two.md").write_text(
        "# Two\n\n```{exercise-start} Add\n:label: ex-two\n```\nAdd.\n```{exercise-end}\n```\n",
        encoding="utf-8",
    )
    work = "[Gauß and Euler"
    for address in (SITE, ""):
        book = plain_notebook.Book(tmp_path, address, "x")
        (box,) = made_from([text], "notebooks/laplace/01-one", book)
        assert "> **Theorem 1 (Sums).**\n>\n> The sum of $n$ numbers." in box
        assert "By Theorem 1, " in box
        assert f"{work} (1801)](https://doi.org/10.1/x)" in box
        assert f"60% of others ({work}, 1801](https://doi.org/10.1/x))" in box
        page = f"[the next page]({SITE}notebooks/laplace/02-two.html)"
        assert (page in box) == bool(address)
        assert "the next page" in box
        assert "an exercise" in box


def test_solutions_stand_at_the_end(tmp_path):
    folder = tmp_path / "notebooks" / "laplace"
    folder.mkdir(parents=True)
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "references.bib").write_text("", encoding="utf-8")
    first = (
        "```{exercise-start} Add\n:label: ex-add\n```\n**Warm-up.** Add.\n```{exercise-end}\n```"
    )
    second = "```{solution-start} ex-add\n:class: dropdown\n```\nIt is 3."
    third = "```{solution-end}\n```\n\n## Summary\n\nThe end."
    (folder / "01-one.md").write_text(f"# One\n\n{first}", encoding="utf-8")
    book = plain_notebook.Book(tmp_path, "", "x")
    texts = made_from([first, second, third], "notebooks/laplace/01-one", book)
    assert texts == [
        "**Exercise 1 (Add).** **Warm-up.** Add.",
        "## Summary\n\nThe end.",
        "## Solutions",
        "### Solution of exercise 1",
        "It is 3.",
    ]


def test_an_unknown_label_is_named(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "references.bib").write_text("", encoding="utf-8")
    book = plain_notebook.Book(tmp_path, "", "x")
    with pytest.raises(ValueError, match="01-one: no page has the label 'thm-no'"):
        made_from(["By {prf:ref}`thm-no`."], "notebooks/laplace/01-one", book)
