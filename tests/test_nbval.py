"""What the run of the notebooks sees: text, pictures, and cells that never ran."""

from __future__ import annotations

import base64
import copy
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import RMS, recorded, rms

ROOT = Path(__file__).resolve().parent.parent
DRAW = """import matplotlib.pyplot as plt
figure = plt.figure(figsize=(2, 1))
plt.plot([0, 1], [0, SLOPE])
plt.show()"""


def png(array):
    """Return a picture as notebooks store it."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(array.astype(np.uint8)).save(out, "png")
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


@pytest.mark.slow
def test_a_changed_text_a_changed_picture_and_a_cell_that_never_ran_are_errors(tmp_path):
    import nbformat
    from nbclient import NotebookClient

    cells = [
        nbformat.v4.new_code_cell("%matplotlib inline\nprint(1 + 1)"),
        nbformat.v4.new_code_cell(DRAW.replace("SLOPE", "1")),
    ]
    executed = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(executed, kernel_name="python3").execute()

    def text(cells):
        cells[0].outputs[0].text = "3\n"

    def picture(cells):
        cells[1].source = DRAW.replace("SLOPE", "-1")  # not the code that drew the stored one

    def absent(cells):
        cells[1].outputs = [o for o in cells[1].outputs if "image/png" not in o.get("data", {})]

    def never(cells):
        cells[1].outputs, cells[1].execution_count = [], None

    for name, change in {
        "same": lambda _: None, "text": text, "picture": picture, "absent": absent, "never": never,
    }.items():  # fmt: skip
        notebook = copy.deepcopy(executed)
        change(notebook.cells)
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
    (tmp_path / "conftest.py").write_bytes((ROOT / "conftest.py").read_bytes())
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider"]
    alone = ["-c", os.devnull, "--rootdir", str(tmp_path), str(tmp_path)]
    ran = subprocess.run(
        [*command, "-p", "nbval", "--nbval", *alone],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    failed = {
        line.split("/")[-1].split(" - ")[0].removeprefix("FAILED ")
        for line in ran.stdout.splitlines()
        if line.startswith("FAILED")
    }
    assert failed == {
        f"{name}.ipynb::Cell {cell}"
        for name, cell in {"text": 0, "picture": 1, "absent": 1, "never": 1}.items()
    }, ran.stdout
    assert "6 passed" in ran.stdout
    assert "Pictures differ" in ran.stdout
    assert "has not run this cell" in ran.stdout


def test_the_records_of_the_checks_are_compared_too():
    def shown(*told):
        return [{"metadata": {"privlib": one}} if one else {} for one in told]

    first, second = {"claims": [{"id": "N-1"}]}, {"claims": [{"id": "N-2"}]}
    assert recorded(shown(first, None)) == recorded(shown(None, first)) != []
    assert recorded(shown(first)) != recorded(shown(second))
    assert recorded(shown(first)) != recorded(shown())
