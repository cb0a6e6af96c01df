"""Mark, logo and social card are what their code draws."""

from __future__ import annotations

import brand
import matplotlib as mpl
import numpy as np
import pytest
from pictures import drawn_by
from PIL import Image

HERE = "Matplotlib " + ".".join(mpl.__version__.split(".")[:2])


@pytest.mark.parametrize("name", brand.files())
def test_the_stored_files_are_what_the_code_draws(name):
    stored = brand.STATIC / name
    if name.endswith(".png") and (drew := drawn_by(stored)) != HERE:
        pytest.skip(f"{drew} drew the card, this is {HERE}, which draws otherwise")
    assert not brand.differs(brand.files()[name], stored)


def test_drawing_twice_gives_the_same_bytes():
    assert brand.files() == brand.files()


def test_social_card_has_the_size_that_networks_ask_for():
    assert Image.open(brand.STATIC / "social-card.png").size == (1200, 630)


@pytest.fixture
def folder(tmp_path):
    for name, drawn in brand.files().items():
        (tmp_path / name).write_bytes(drawn)
    return tmp_path


@pytest.mark.parametrize("name", ["favicon.svg", "social-card.png"])
def test_a_missing_file_is_told_and_written(folder, name, capsys):
    (folder / name).unlink()
    assert brand.main(["--check"], folder) == 1
    assert name in capsys.readouterr().out
    assert not (folder / name).exists()
    assert brand.main([], folder) == 0
    assert (folder / name).read_bytes() == brand.files()[name]
    assert brand.main(["--check"], folder) == 0


def test_another_drawing_is_told(folder, monkeypatch):
    monkeypatch.setattr(brand, "CENTRES", (18.0, 46.0))
    drawn = brand.files()
    assert all(brand.differs(drawn[name], folder / name) for name in drawn)


def test_the_check_mark_lies_on_the_two_densities():
    left, right, check = (points for points, _, _ in brand.strokes())
    corner = check[np.argmax(check[:, 1])]
    assert corner[0] == pytest.approx(np.mean(brand.CENTRES))
    for points, half in ((left, check[:, 0] <= corner[0]), (right, check[:, 0] >= corner[0])):
        on_curve = np.interp(check[half, 0], points[:, 0], points[:, 1])
        # The curves are drawn from points one unit apart; between them the chord is a little off.
        assert check[half, 1] == pytest.approx(on_curve, abs=0.1)
