"""Numbers in the text of notebooks: what is found, what is evaluated, and that the text is true."""

from __future__ import annotations

import doctest

import nbformat
import prose_numbers
import pytest
from ledger import evidence as ledger_evidence

import notebooks


def test_the_examples_of_the_documentation_are_right():
    result = doctest.testmod(prose_numbers)
    assert result.attempted > 3
    assert result.failed == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**0.5**<!-- {x} -->", None),
        ("a space 0.5 <!-- {x} -->", None),
        ("<!-- {x} --> begins a line", None),
        ("(0.5<!-- {x} -->)", "0.5"),
        ("about −1,234.5<!-- {x} -->.", "−1,234.5"),
        ("3/4<!-- {x} -->", "3/4"),
        ("a remark<!-- not a number -->", ""),
    ],
)
def test_a_number_stands_right_before_its_source(text, shown):
    if shown is None:
        with pytest.raises(ValueError, match="right behind the number"):
            prose_numbers.sources([text])
    else:
        found = [number["shown"] for number in prose_numbers.NUMBER.finditer(text)]
        assert found == [shown] * bool(shown)
        assert prose_numbers.sources([text]) == ["x"] * bool(shown)


@pytest.mark.parametrize("value", ["", "two words", "(1)", "$1$"])
def test_a_value_that_could_not_be_found_again_is_refused(value):
    with pytest.raises(ValueError, match="a number or one word"):
        prose_numbers.values_of(f'{{"x": "{value}"}}')


def test_an_execution_writes_the_numbers_into_all_formats(tmp_path):
    stem = tmp_path / "notebooks" / "laplace" / "01-test"
    stem.parent.mkdir(parents=True)
    (tmp_path / "book" / "claims").mkdir(parents=True)
    page = tmp_path / "book" / "page.md"
    page.write_text("{stored}`notebooks/laplace/01-test 10 * share:.1f`\n", encoding="utf-8")
    cells = [
        nbformat.v4.new_markdown_cell(
            "# A page\n\n**Time:** 1 minutes\n\nIt is 1<!-- {share:.0%} -->."
        ),
        nbformat.v4.new_code_cell("share = 0.25"),
        nbformat.v4.new_code_cell(
            "2 * share",
            metadata={
                "mystnb": {
                    "figure": {"caption": "A caption: 1<!-- {share} -->.", "name": "fig-1"},
                    "image": {"alt": "A picture: 1<!-- {share} -->."},
                }
            },
        ),
    ]
    stem.with_suffix(".md").write_text(
        notebooks.text(nbformat.v4.new_notebook(cells=cells), ".md"), encoding="utf-8"
    )
    notebooks.sync(stem)
    assert notebooks.stale(stem) == ["its cells"]
    notebooks.execute(stem)
    for suffix in (".md", ".py", ".ipynb"):
        assert "It is 25%<!-- {share:.0%} -->." in stem.with_suffix(suffix).read_text("utf-8")
        for text in ("A caption", "A picture"):
            assert f"{text}: 0.25<!-- {{share}} -->." in stem.with_suffix(suffix).read_text("utf-8")
    known = ledger_evidence.notebook(tmp_path, "notebooks/laplace/01-test").numbers
    assert known == {"share:.0%": "25%", "share": "0.25", "10 * share:.1f": "2.5"}
    assert notebooks.stale(stem) == []
    assert notebooks.check(stem) == []

    # A number that somebody typed is set right again, a new one makes the notebook stale.
    path = stem.with_suffix(".md")
    path.write_text(path.read_text("utf-8").replace("25%<!--", "99%<!--"), encoding="utf-8")
    notebooks.sync(stem)
    assert "It is 25%<!-- {share:.0%} -->." in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace("{share:.0%}", "{1 - share}"), encoding="utf-8")
    notebooks.sync(stem)
    assert notebooks.stale(stem) == ["a new number in its text"]
