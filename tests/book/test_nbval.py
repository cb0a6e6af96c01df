"""What the run of the notebooks sees: text, pictures, and cells that never ran."""

from __future__ import annotations

import base64
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pictures
import pytest
from pictures import RMS, drawn_by, rms

from conftest import recorded, redrawn

ROOT = Path(__file__).resolve().parents[2]
DRAW = """import matplotlib.pyplot as plt
figure = plt.figure(figsize=(2, 1))
plt.plot([0, 1], [0, SLOPE])
plt.show()"""


def png(array, version=""):
    """Return a picture as notebooks store it, with the version of matplotlib that drew it."""
    from PIL import Image, PngImagePlugin

    out, info = io.BytesIO(), PngImagePlugin.PngInfo()
    info.add_text("Software", f"Matplotlib version{version}, https://matplotlib.org/")
    Image.fromarray(array.astype(np.uint8)).save(out, "png", pnginfo=info if version else None)
    return base64.b64encode(out.getvalue()).decode()


def test_the_tolerance_tells_one_curve_from_another():
    blank = np.full((100, 200, 3), 255)
    drawn, moved = blank.copy(), blank.copy()
    drawn[50:53, 20:180] = moved[50:53, 20:180] = 0  # a thin line
    moved[50, 20] = 10  # a corner of it
    assert rms(png(drawn), png(drawn)) == 0
    assert 0 < rms(png(drawn), png(moved)) <= RMS
    assert rms(png(blank), png(drawn)) > RMS
    assert rms(png(blank), png(blank[:50])) > RMS


def test_a_picture_is_compared_with_those_of_the_same_version():
    def shown(level, version):
        return [{"data": {"image/png": png(np.full((9, 9, 3), level), version)}}]

    stored = shown(255, "3.11.2")
    assert redrawn(stored, shown(255, "3.11.0")) == ""
    assert "picture 1: root mean square" in redrawn(stored, shown(0, "3.11.0"))
    with pytest.warns(UserWarning, match=r"Matplotlib 3\.11 drew .* Matplotlib 3\.8 is here"):
        assert redrawn(stored, shown(0, "3.8.4")) == ""
    assert "1 pictures are stored, 2" in redrawn(stored, 2 * shown(255, "3.8.4"))
    assert drawn_by(png(np.zeros((9, 9, 3)))) == "something unknown"


def test_a_picture_that_looks_the_same_is_kept():
    import nbformat

    def notebook(code, *levels, version="3.11.2"):
        drawn = [{"image/png": png(np.full((9, 9, 3), level), version)} for level in levels]
        shown = [nbformat.v4.new_output("display_data", data) for data in drawn]
        cell = nbformat.v4.new_code_cell(code, outputs=shown)
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("Text"), cell])

    old, first = notebook("draw()", 200, 100), notebook("draw()", 200, 100)
    stored = [o.data["image/png"] for o in old.cells[1].outputs]
    near = np.full((9, 9, 3), 200)
    near[4, 4] = 203  # a pixel that rounding moved
    for new, kept in (
        (first, [True, True]),
        (notebook("draw()", near, 100), [True, True]),
        (notebook("draw()", 190, 100), [False, True]),  # another picture
        (notebook("draw()", near), [False, False]),  # and one is gone
        (notebook("other()", near, 100), [False, True]),
        (notebook("draw()", near, 100, version="3.8.4"), [False, False]),
    ):
        pictures.keep(old, new)
        found = [o.data["image/png"] for o in new.cells[1].outputs]
        assert [a == b for a, b in zip(stored, [*found, None])] == kept


@pytest.mark.slow
def test_a_changed_text_a_changed_picture_and_a_cell_that_never_ran_are_errors(tmp_path):
    import nbformat
    from nbclient import NotebookClient

    draw = DRAW.replace("SLOPE", "1")
    names = ["text as stored", "picture as stored", "text", "picture", "absent", "never"]
    codes = ["%matplotlib inline\nprint(1 + 1)", draw, "print(1 + 1)", draw, draw, draw]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in codes])
    NotebookClient(notebook, kernel_name="python3").execute()
    cells = dict(zip(names, notebook.cells))
    cells["text"].outputs[0].text = "3\n"
    cells["picture"].source = DRAW.replace("SLOPE", "-1")  # not the code that drew the stored one
    drawn = cells["absent"].outputs
    cells["absent"].outputs = [o for o in drawn if "image/png" not in o.get("data", {})]
    cells["never"].outputs, cells["never"].execution_count = [], None
    nbformat.write(notebook, tmp_path / "book.ipynb")
    (tmp_path / "conftest.py").write_bytes((ROOT / "conftest.py").read_bytes())
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider"]
    alone = ["-c", os.devnull, "-o", f"pythonpath={ROOT / 'tools'}"]
    ran = subprocess.run(
        [*command, "-p", "nbval", "--nbval", *alone, "--rootdir", str(tmp_path), str(tmp_path)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    failed = {
        names[int(line.split("::Cell ")[1].split(" - ")[0])]
        for line in ran.stdout.splitlines()
        if line.startswith("FAILED")
    }
    assert failed == {"text", "picture", "absent", "never"}, ran.stdout
    assert "4 failed, 2 passed" in ran.stdout
    assert "Pictures differ" in ran.stdout
    assert "has not run this cell" in ran.stdout


def test_the_records_of_the_checks_are_compared_too():
    def shown(*told):
        return [{"metadata": {"privlib": one}} if one else {} for one in told]

    first, second = {"claims": [{"id": "N-1"}]}, {"claims": [{"id": "N-2"}]}
    assert recorded(shown(first, None)) == recorded(shown(None, first)) != []
    assert recorded(shown(first)) != recorded(shown(second))
    assert recorded(shown(first)) != recorded(shown())
