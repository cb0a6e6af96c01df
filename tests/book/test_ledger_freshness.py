"""Freshness: which change of code makes which evidence stale, and which makes none."""

from __future__ import annotations

import json
import shutil

import pytest
from ledger import digests, freshness
from ledger import evidence as ledger_evidence


def test_only_code_counts():
    source = 'x = "# no comment"\n\n\ndef f():\n    """Say\n    it."""\n    return 1  # one\n'
    assert digests.code_of(source) == 'x = "# no comment"\ndef f():\n    return 1'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('def f(x):\n    "doc"; x = -x\n    return x', 'def f(x):\n    "doc"; x = x\n    return x'),
        ('x = """a\n\nb"""', 'x = """a\nb"""'),
        ('x = """a \nb"""', 'x = """a\nb"""'),
        ("é = 1  # ü\ny = 2", "é = 1  # ü\ny = 3"),
    ],
)
def test_every_change_of_code_shows(one, other):
    assert digests.code_of(one) != digests.code_of(other)


# --- the book ---------------------------------------------------------------------------------


def test_no_evidence_is_stale(root):
    assert freshness.stale(root) == {}


@pytest.fixture
def copy(root, tmp_path):
    """The package, the evidence and bare notebooks in a folder of their own."""
    shutil.copytree(root / "privlib", tmp_path / "privlib")
    for evidence in ledger_evidence.notebooks(root):
        cells = ledger_evidence.cells_of(root / f"{evidence.name}.ipynb")
        path = tmp_path / f"{evidence.name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        bare = [{k: v for k, v in cell.items() if k != "outputs"} for cell in cells]
        metadata = {ledger_evidence.METADATA: evidence.as_metadata()}
        path.write_text(json.dumps({"cells": bare, "metadata": metadata}), encoding="utf-8")
    return tmp_path


def test_a_flipped_sign_names_exactly_the_notebooks_that_load_it(copy):
    # the update of Proposition 5.1
    (path,) = [
        path
        for path in (copy / "privlib" / "correlated").glob("*.py")
        if "def _absorb_last" in path.read_text(encoding="utf-8")
    ]
    source = path.read_text(encoding="utf-8")
    start = source.index("def _absorb_last")
    body = source[start:]
    flipped = body.replace(" - ", " + ", 1)
    assert digests.code_of(body) != digests.code_of(flipped)
    path.write_text(source[:start] + flipped, encoding="utf-8")
    module = f"privlib.correlated.{path.stem}"
    loaded = {e.name for e in ledger_evidence.notebooks(copy) if module in e.modules}
    assert loaded
    assert {e.part for e in ledger_evidence.notebooks(copy) if e.name in loaded} == {"correlated"}
    assert freshness.stale(copy) == {name: [module] for name in loaded}


def test_words_make_nothing_stale_and_cells_and_losses_do(copy):
    path = copy / "privlib" / "laplace" / "mechanism.py"
    path.write_text(
        path.read_text(encoding="utf-8") + "\n\n# a remark at the end\n", encoding="utf-8"
    )
    assert freshness.stale(copy) == {}
    first, second, third, *_ = ledger_evidence.notebooks(copy, "laplace")
    notebook = copy / f"{first.name}.ipynb"
    text = notebook.read_text(encoding="utf-8")
    notebook.write_text(text.replace("import numpy", "import  numpy"), encoding="utf-8")
    bare = copy / f"{second.name}.ipynb"
    cells = ledger_evidence.cells_of(bare)
    bare.write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf-8")
    (copy / "privlib" / "sketch" / "data.py").unlink()
    (copy / f"{third.name}.ipynb").unlink()
    found = freshness.stale(copy)
    assert found.pop(first.name) == ["its cells"]
    assert found.pop(second.name) == ["never executed"]
    assert found
    assert set(map(tuple, found.values())) == {("privlib.sketch.data",)}


def test_data_beside_a_module_are_part_of_it(copy):
    before = digests.package_digests(copy)
    path = copy / "privlib" / "notebook" / "datasets.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    after = digests.package_digests(copy)
    assert {name for name in after if after[name] != before[name]} == {"privlib.notebook.datasets"}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("exercises.json", "Change one record", "Change a record"),
        ("exercises.py", "LONGEST = 500", "LONGEST = 501"),
    ],
)
def test_no_verdict_rests_on_exercises(copy, file, old, new):
    before = freshness.stale(copy)
    path = copy / "privlib" / "notebook" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert freshness.stale(copy) == before
