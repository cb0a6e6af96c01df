"""Three faces of every notebook: in step, executed, deterministic in form, small, readable."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import re
import struct
from functools import cache
from pathlib import Path

import nbformat
import pytest

import notebooks as tool

STEMS = tool.stems()
IDS = [stem.name for stem in STEMS]
CODE_WIDTH, KILOBYTES = 86, 600

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("stem", STEMS, ids=IDS),
]


@cache
def load(stem):
    return nbformat.read(tool.face(stem, ".ipynb"), as_version=4)


def code_cells(stem):
    return [cell for cell in load(stem).cells if cell.cell_type == "code"]


def test_faces_are_in_step_and_executed(stem):
    assert tool.check(stem) == []
    assert tool.changed_face(stem) is None


def test_notebook_is_valid_and_carries_no_traces_of_a_run(stem):
    notebook = load(stem)
    nbformat.validate(notebook)
    assert notebook.metadata["language_info"] == tool.KERNEL["language_info"]
    for cell in notebook.cells:
        assert "execution" not in cell.metadata
    again = nbformat.from_dict(json.loads(json.dumps(notebook)))
    assert [c.id for c in tool._with_ids(again).cells] == [c.id for c in notebook.cells]


def test_size(stem):
    assert tool.face(stem, ".ipynb").stat().st_size < KILOBYTES * 1024


def test_code_fits_on_the_page(stem):
    for cell in code_cells(stem):
        for line in cell.source.splitlines():
            assert len(line) <= CODE_WIDTH, line


def test_outputs_are_clean(stem):
    for cell in code_cells(stem):
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text
            text = output.get("text", "") or output.get("data", {}).get("text/plain", "")
            assert not re.search(r" at 0x[0-9a-f]{6,}", text), text


def test_only_timings_escape_the_comparison(stem):
    tags = [cell.metadata.get("tags", []) for cell in load(stem).cells]
    assert not any(
        {"nbval-skip", "nbval-raises-exception", "raises-exception"} & set(t) for t in tags
    )
    assert sum("nbval-ignore-output" in t for t in tags) <= 1


def test_figures_have_caption_name_alt_text_and_nothing_beside_them(stem):
    figures = 0
    for cell in code_cells(stem):
        pictures = [o for o in cell.outputs if "image/png" in o.get("data", {})]
        meta = cell.metadata.get("mystnb", {})
        if not pictures:
            assert "figure" not in meta, f"no picture was stored: {cell.source}"
            continue
        figures += 1
        assert meta.get("figure", {}).get("caption"), cell.source
        assert meta.get("figure", {}).get("name", "").startswith("fig-"), cell.source
        assert len(meta.get("image", {}).get("alt", "")) > 40, cell.source
        assert len(cell.outputs) == 1, cell.source
        header = base64.b64decode(pictures[0].data["image/png"])[:24]
        width, height = struct.unpack(">II", header[16:24])
        assert width <= 1100, (width, height)
    assert figures >= 1


def test_all_figures_have_one_style(stem):
    code = [cell.source for cell in code_cells(stem)]
    assert "\n".join(code).count("plots.use()") == 1
    assert "plots.use()" in code[0]
    for other in ("rcParams", "plt.style", "rc_context", "set_matplotlib_formats", "seaborn"):
        assert not any(other in source for source in code), other


def test_glued_numbers_are_rounded(stem):
    # the last digits differ between processors, and strict comparison would see them
    for cell in code_cells(stem):
        for output in cell.outputs:
            value = output.get("data", {}).get("application/papermill.record/text/plain", "")
            assert not re.search(r"\d\.\d{9,}", value), cell.source


PLAIN = "<script>MathJax = {tex: {packages: ['base', 'ams']}, startup: {typeset: false}}</script>"
UNKNOWN = r"""([commands, environments]) => MathJax.startup.promise.then(() => {
  const {handlers} = MathJax.startup.document.inputJax[0].parseOptions;
  const knows = (kind, name) => handlers.get(kind).contains(name);
  return [
    ...commands.filter(name => !knows("macro", name) && !knows("delimiter", `\\${name}`)),
    ...environments.filter(name => !knows("environment", name)),
  ];
})"""


@pytest.fixture(scope="module")
def mathjax(browser):
    """A page with MathJax as every Jupyter has it: commands of TeX and of AMS, no others."""
    package = importlib.util.find_spec("sphinx-mathjax-offline")
    page = browser.new_page()
    page.set_content(PLAIN)
    page.add_script_tag(path=Path(package.origin).parent / "static/mathjax/tex-chtml.js")
    yield page
    page.close()


def shown(stem):
    """Return the text that a notebook shows, without code."""
    for cell in load(stem).cells:
        if cell.cell_type == "markdown":
            yield re.sub(r"`[^`\n]+`", "", cell.source)
        for output in cell.get("outputs", ()):
            for kind in ("text/markdown", "text/latex", "text/html"):
                text = output.get("data", {}).get(kind, "")
                yield re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)


def test_formulas_are_set_wherever_the_notebook_is_opened(stem, mathjax):
    # A command that only our pages define is red, or raw, in a notebook that was downloaded.
    text = "\n".join(shown(stem))
    commands = set(re.findall(r"\\(?:([A-Za-z]+)|.)", text)) - {""}
    environments = set(re.findall(r"\\begin\{([^}]+)\}", text))
    assert commands
    assert mathjax.evaluate(UNKNOWN, [sorted(commands), sorted(environments)]) == []


def test_frame(stem):
    markdown = "\n".join(c.source for c in load(stem).cells if c.cell_type == "markdown")
    assert markdown.startswith("# ")
    for words in (
        "You will learn",
        "You need",
        "Time",
        "Threat model",
        "## Exercises",
        "## Summary",
    ):
        assert words in markdown, words


def test_the_cover_is_the_picture_in_the_notebook(stem):
    for image in tool.cover(load(stem)):
        stored = tool.COVER.read_bytes()
        assert hashlib.sha256(stored).digest() == hashlib.sha256(image).digest()
