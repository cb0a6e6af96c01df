"""How long a page takes to read: what is counted, and what it weighs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ledger.evidence import MINUTES, cells_of
from reading_time import main, minutes_of, reading

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code(source, *outputs, **metadata):
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": list(outputs)}


def shown(kind, content):
    return {"output_type": "display_data", "data": {kind: content}, "metadata": {}}


def test_what_a_reader_meets(capsys, tmp_path):
    derived = '<table class="derivation x"><tr><td>a</td></tr><tr><td>b</td></tr></table>'
    hidden = code("x = 1\nclaim()", shown("text/html", derived))
    hidden["metadata"]["tags"] = ["figure", "hide-input"]
    solution = "```{solution-start} ex\n:class: dropdown\n```\nA long story.\n\n$$a$$"
    cells = [
        markdown("# A title\n\n**Time:** 3 minutes\n\n$$a \\\\\nb$$\n\n% no comment"),
        markdown("An $x$ {term}`y z`."),
        hidden,
        code("x = 1\n\nprint(x)", shown("image/png", "")),
        code("t", shown("text/html", '<table class="numbers"></table>')),
        markdown("| a | b |\n| --- | --- |\n| c | d |"),
        markdown("```{exercise-start} Try\n:label: ex\n```\nDo it.\n```{exercise-end}\n```"),
        code('check("one", ...)', shown("text/plain", "No answer yet."), tags=["exercise"]),
        markdown(solution),
        code("assert answer"),
        markdown("```{solution-end}\n```"),
    ]  # fmt: skip
    found = reading(cells)
    assert found == {"words": 5 + 3 + 4 + 3, "formula": 2 + 2, "picture": 3, "code": 3}
    assert minutes_of(found) == pytest.approx(15 / 200 + (4 * 15 + 3 * 30 + 3 * 4) / 60)
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    main([str(path)])
    assert "a.ipynb: 2.8 minutes, stated 3 (15 words, 4 formula, " in capsys.readouterr().out


PAGES = sorted(set(NOTEBOOKS.glob("*/*.ipynb")) - set(NOTEBOOKS.glob("evidence/**/*.ipynb")))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_page_states_the_minutes_that_are_counted(path):
    cells = cells_of(path)
    stated = MINUTES.search("".join("".join(cell["source"]) for cell in cells))
    assert int(stated[1]) == pytest.approx(minutes_of(reading(cells)), abs=2)
