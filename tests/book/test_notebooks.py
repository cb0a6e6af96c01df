"""What a reader of a notebook relies on: formats in step, executed, clean, figures described."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache

import nbformat
import pytest

import notebooks as tool

STEMS = tool.stems()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("stem", STEMS, ids=[stem.name for stem in STEMS]),
]


@cache
def load(stem):
    return nbformat.read(tool.file_of(stem, ".ipynb"), as_version=4)


def code_cells(stem):
    return [cell for cell in load(stem).cells if cell.cell_type == "code"]


def test_formats_are_in_step_and_executed(stem):
    assert tool.check(stem) == []
    assert tool.changed_format(stem) is None


def test_a_notebook_is_valid_and_carries_no_traces_of_a_run(stem):
    notebook = load(stem)
    nbformat.validate(notebook)
    assert notebook.metadata["language_info"] == tool.KERNEL["language_info"]
    for cell in notebook.cells:
        assert "execution" not in cell.metadata
    again = nbformat.from_dict(json.loads(json.dumps(notebook)))
    assert [c.id for c in tool._with_ids(again).cells] == [c.id for c in notebook.cells]


def test_outputs_are_clean(stem):
    for cell in code_cells(stem):
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text
            text = output.get("text", "") or output.get("data", {}).get("text/plain", "")
            assert not re.search(r" at 0x[0-9a-f]{6,}", text), text


def test_only_timings_escape_the_comparison(stem):
    tags = [set(cell.metadata.get("tags", [])) for cell in load(stem).cells]
    assert not any({"nbval-skip", "nbval-raises-exception", "raises-exception"} & t for t in tags)
    assert sum("nbval-ignore-output" in t for t in tags) <= 1


def test_figures_have_caption_name_and_alternative_text(stem):
    for cell in code_cells(stem):
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            meta = cell.metadata.get("mystnb", {})
            assert meta.get("figure", {}).get("caption"), cell.source
            assert meta.get("figure", {}).get("name", "").startswith("fig-"), cell.source
            assert len(meta.get("image", {}).get("alt", "")) > 40, cell.source
            assert len(cell.outputs) == 1, cell.source


def test_the_cover_is_the_picture_in_the_notebook(stem):
    for image in tool.cover(load(stem)):
        stored = tool.COVER.read_bytes()
        assert hashlib.sha256(stored).digest() == hashlib.sha256(image).digest()
