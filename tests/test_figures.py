"""The stored pictures are what the notebooks draw: execute again, compare pixel by pixel.

`nbval` compares text outputs only. On the machine where they were made the files come out byte for
byte the same; elsewhere fonts and rounding may move a few pixels, hence a small tolerance.
"""

from __future__ import annotations

import base64
import io
import shutil

import numpy as np
import pytest
from PIL import Image

import notebooks as tool
from conftest import missing_data

STEMS = tool.stems()
RMS = 6.0  # of 255; a line that moved or another curve gives far more


def pictures(path):
    """All pictures of a notebook as arrays, in order."""
    found = []
    for cell in tool.read(path).cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {}).get("image/png")
            if data:
                image = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
                found.append(np.asarray(image, dtype=float))
    return found


@pytest.mark.parametrize("stem", STEMS, ids=[stem.name for stem in STEMS])
def test_executing_again_draws_the_same_pictures(stem, tmp_path, monkeypatch):
    original = tool.face(stem, ".ipynb")
    reason = missing_data(original)
    if reason:
        pytest.skip(reason)
    monkeypatch.setattr(tool, "COVER", tmp_path / "cover.png")
    copy = shutil.copy(original, tmp_path / original.name)
    tool.execute(tmp_path / stem.name)
    before, after = pictures(original), pictures(copy)
    assert len(before) == len(after) >= 1
    for old, new in zip(before, after):
        assert old.shape == new.shape
        assert np.sqrt(np.mean((old - new) ** 2)) <= RMS


def test_the_tolerance_tells_one_curve_from_another():
    blank = np.full((100, 200, 3), 255.0)
    drawn = blank.copy()
    drawn[50:53, 20:180] = 0.0  # a thin line
    assert np.sqrt(np.mean((blank - drawn) ** 2)) > RMS
