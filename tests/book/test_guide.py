"""The page *Use the package*: its code runs, and prints what stands beneath it."""

from __future__ import annotations

import doctest
import re

import guide
import pytest


def test_the_examples_of_the_tool_are_right():
    result = doctest.testmod(guide)
    assert result.attempted == 2
    assert result.failed == 0


@pytest.mark.slow
def test_the_page_is_what_its_code_prints(tmp_path, monkeypatch):
    """Releases have no seed: one of 200 samples has no line of a region, and is drawn again."""
    monkeypatch.chdir(tmp_path)
    text = guide.PAGE.read_text(encoding="utf-8")
    now = guide.rewritten(text)
    if now != text:
        now = guide.rewritten(text)
    assert now == text, "run tools/guide.py"


RECIPE = re.compile(r"^\((use-[a-z]+)\)=$", re.MULTILINE)
COPY_FIRST = re.compile(r"^Copy .*? first\.", re.MULTILINE)


def recipes(text):
    """The code of each recipe, and the names of those that it says to copy first."""
    _, *parts = RECIPE.split(text)
    result = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        code = [block["code"] for block in guide.BLOCK.finditer(body)]
        sentence = COPY_FIRST.search(body)
        first = re.findall(r"\((use-[a-z]+)\)", sentence.group()) if sentence else []
        if code:
            result[name] = ("".join(code), first)
    return result


def test_recipes_know_what_to_copy_first():
    page = "(use-one)=\n## 1.\n```python\nx = 1\n```\n(use-two)=\nCopy [recipe 1](use-one) first.\n"
    page += "```python\nx\n```\n(use-three)=\nText."
    assert recipes(page) == {"use-one": ("x = 1\n", []), "use-two": ("x\n", ["use-one"])}


@pytest.mark.slow
@pytest.mark.parametrize("name", list(recipes(guide.PAGE.read_text(encoding="utf-8"))))
def test_a_recipe_can_be_copied_alone(name, tmp_path, monkeypatch):
    """With the recipes that it names, and nothing else of the page."""
    monkeypatch.chdir(tmp_path)
    all_recipes = recipes(guide.PAGE.read_text(encoding="utf-8"))
    code, first = all_recipes[name]
    namespace = {"__name__": "__main__"}
    for earlier in first:
        exec(all_recipes[earlier][0], namespace)
    exec(code, namespace)


PAGE = """
```python
x = {}
print(x)
```

{}```text
{}
```

It is 1<!-- {{x}} -->.
"""


def page(value, shown, before=""):
    return PAGE.replace("{}", value, 1).replace("{}", before, 1).replace("{}", shown, 1).replace(
        "{{x}}", "{x}"
    )  # fmt: skip


def test_outputs_and_numbers_are_written():
    assert guide.rewritten(page("7", "0")) == page("7", "7").replace("1<!--", "7<!--")


def test_examples_keep_their_digits_but_not_their_words():
    before = "Printed, for example:\n\n"
    kept = guide.rewritten(page("7", "3", before))
    assert "\n3\n```" in kept
    changed = guide.rewritten(page("7", "three", before))
    assert "\n7\n```" in changed


def test_a_block_without_its_output_is_an_error():
    with pytest.raises(ValueError, match="a block prints, or it has a block of text"):
        guide.rewritten("```python\nprint(1)\n```\n")
    with pytest.raises(ValueError, match="a block prints, or it has a block of text"):
        guide.rewritten("```python\nx = 1\n```\n\n```text\n1\n```\n")
