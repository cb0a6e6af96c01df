"""The reader of evidence: what it takes from a notebook, and which change makes which stale."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict

import pytest
import reader
from extract import extract, main, minutes_of, reading

from privlib.notebook.claims import PARTS, Check, Record

NAME = "notebooks/laplace/01-x"


def markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code(source, *outputs, **metadata):
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": list(outputs)}


def shown(kind="text/html", content="", **told):
    return {"output_type": "display_data", "data": {kind: content}, "metadata": told}


def shows(*cells, forms=()):
    return extract(cells, NAME, modules={}, forms=forms)


RECORD = Record("N-1", (Check("supports", "exact", "1 = 1"),), "a", "b", "c")
EXERCISE = (
    "```{exercise-start} A title\n:label: ex-one\n```\n**Warm-up.** First. Second.\n"
    "```{exercise-end}\n```\n\n```{solution-start} ex-one\n:class: dropdown\n```\nTwo."
)
SOLVED = [code("x = 1\nassert x"), markdown("```{solution-end}\n```")]


def test_what_a_notebook_shows():
    figure = {"figure": {"name": "fig-a", "caption": "C."}, "image": {"alt": "alt"}}
    found = shows(
        markdown("# Title\n\n**Time:** 12 minutes\n\n## Section\nA lead. More."),
        code("x = 1", shown(privlib={"claims": [asdict(RECORD)]})),
        code("x", shown("application/papermill.record/text/plain", "1.5", scrapbook={"name": "k"})),
        code("plot", shown("image/png", "AAAA"), mystnb=figure),
        code("show", shown(privlib={"live": "a"})),
        markdown(EXERCISE),
        *SOLVED,
    )
    assert (found.title, found.minutes, found.cells) == ("Title", 12, 5)
    assert (found.part, found.number) == ("laplace", 1)
    assert found.claims == (RECORD,)
    assert found.stored == {"k": 1.5}
    (drawn,) = found.figures
    assert drawn == reader.Figure(
        "fig-a", "C.", "alt", live=True, section="Section", lead="A lead."
    )
    assert found.exercises == (reader.Exercise("ex-one", "A title", "Warm-up", "First. Second."),)
    assert reader.Evidence.from_json(found.to_json()) == found


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([markdown(EXERCISE.replace("Warm-up", "Easy"))], "wrong level: \\['ex-one'\\]"),
        ([markdown(EXERCISE.replace(":label: ex-one\n", ""))], "1 begin, 0 are whole"),
        ([code("", shown(privlib={"live": "a"}))], "no figure fig-a before the live one a"),
        (
            [
                markdown("# Title\n\nSee {numref}`x`. More."),
                code("", shown("image/png", ""), mystnb={"figure": {"name": "fig-a"}}),
                code("", shown(privlib={"live": "a"})),
            ],
            "must open with a sentence",
        ),
    ],
)
def test_what_cannot_be_read_is_named(cells, message):
    with pytest.raises(ValueError, match=f"{NAME}: .*{message}"):
        shows(*cells)


def test_cells_to_work_in_tell_nothing_of_claims():
    before, after = code("x = 1"), code("from privlib.laplace import audit", tags=["exercise"])
    found = shows(markdown("# T"), before, after)
    assert reader.told_by([markdown("x"), before, after]) == [before]
    assert (found.cells, found.uses) == (2, ())
    assert found.code == shows(before).code != shows(before, code("y = 1", tags=["figure"])).code


def test_where_a_term_stands_first():
    box = "```{prf:definition} D\n:label: def-d\nThe 敏感度 here.\n```"
    found = shows(
        markdown("# T\nabove 匿名性, k-匿名性"),
        markdown(f"## First\nPRAM and ε-差分プライバシー\n{box}"),
        markdown("敏感度 again, ノイズ"),
        code("# 雑音"),
        forms=("匿名性", "敏感度", "PRAM", "差分プライバシー", "ノイズ", "雑音", "なし"),
    )
    assert found.terms == {
        "匿名性": "", "PRAM": "# First", "差分プライバシー": "# First", "敏感度": "def-d",
        "ノイズ": "# First", "雑音": "",
    }  # fmt: skip
    assert shows(markdown("x k-匿名性"), forms=("匿名性",)).terms == {}


def test_what_a_reader_meets(capsys, tmp_path):
    derived = '<table class="derivation x"><tr><td>a</td></tr><tr><td>b</td></tr></table>'
    hidden = code("x = 1\nclaim()", shown("text/html", derived))
    hidden["metadata"]["tags"] = ["evidence", "hide-input"]
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


SOURCE = """
from privlib.correlated import gaussian as g
from privlib.correlated.finite import bdp_leakage
from privlib.notebook import claim, slips
def helper(x):
    return g.combine(x)
a = bdp_leakage(1)
rows = []
rows.append(a)
table = {}
table["b"] = g.noise_scale(2)
"""
BLOCKS = """
a = 0
with claim("N-1") as c:
    c.close(helper(1), 2)
with claim("N-2"):
    rows
for part in "ab":
    with claim(f"N-{part}"):
        table
slips([("N-3", "p", "q", lambda c: c.exact(bdp_leakage(3), 1))])
with claim("N-4"):
    a
rows = [
    ("N-5", "p", "q", lambda c: c.exact(g.combine(1), 1)),
    ("N-6", "p", "q", lambda c: c.exact(1, 1)),
]
slips(rows)
for k in map(bdp_leakage, (1, 2)):
    last = k
with claim("N-7"):
    last
"""


def test_what_a_claim_rests_on():
    ids = [f"N-{k}" for k in range(1, 8)]
    told = shown(privlib={"claims": [asdict(Record(i, RECORD.checks)) for i in ids]})
    found = shows(code(SOURCE), code(BLOCKS, told))
    package = "privlib.correlated."
    assert found.serves == {
        "N-1": (f"{package}gaussian.combine",),
        "N-2": (f"{package}finite.bdp_leakage",),
        "N-3": (f"{package}finite.bdp_leakage",),
        "N-5": (f"{package}gaussian.combine",),
        "N-7": (f"{package}finite.bdp_leakage",),
    }
    assert found.uses == (
        f"{package}finite.bdp_leakage", f"{package}gaussian.combine",
        f"{package}gaussian.noise_scale",
    )  # fmt: skip


def test_only_code_counts():
    source = 'x = "# no comment"\n\n\ndef f():\n    """Say\n    it."""\n    return 1  # one\n'
    assert reader.code_of(source) == 'x = "# no comment"\ndef f():\n    return 1'


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
    assert reader.code_of(one) != reader.code_of(other)


# --- the book ---------------------------------------------------------------------------------


def test_no_evidence_is_stale(root):
    assert reader.stale(root) == {}


def test_every_notebook_has_evidence_and_nothing_else_does(root):
    names = [path.relative_to(root).with_suffix("") for path in root.glob("notebooks/*/*.ipynb")]
    assert {e.name for e in reader.notebooks(root)} == {name.as_posix() for name in names}
    files = list((root / "book" / "evidence").rglob("*.json"))
    assert len(files) == len(names)


@pytest.fixture
def copy(root, tmp_path):
    """The package, the evidence and bare notebooks in a folder of their own."""
    shutil.copytree(root / "privlib", tmp_path / "privlib")
    shutil.copytree(root / "book" / "evidence", tmp_path / "book" / "evidence")
    for evidence in reader.notebooks(root):
        cells = reader.cells_of(root / f"{evidence.name}.ipynb")
        path = tmp_path / f"{evidence.name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        bare = [{k: v for k, v in cell.items() if k != "outputs"} for cell in cells]
        path.write_text(json.dumps({"cells": bare}), encoding="utf-8")
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
    assert reader.code_of(body) != reader.code_of(flipped)
    path.write_text(source[:start] + flipped, encoding="utf-8")
    module = f"privlib.correlated.{path.stem}"
    loaded = {e.name for e in reader.notebooks(copy) if module in e.modules}
    assert loaded
    assert {e.part for e in reader.notebooks(copy) if e.name in loaded} == {"correlated"}
    assert reader.stale(copy) == {name: [module] for name in loaded}


def test_words_make_nothing_stale_and_cells_and_losses_do(copy):
    path = copy / "privlib" / "laplace" / "mechanism.py"
    path.write_text(
        path.read_text(encoding="utf-8") + "\n\n# a remark at the end\n", encoding="utf-8"
    )
    assert reader.stale(copy) == {}
    first, second, third, *_ = reader.notebooks(copy, "laplace")
    notebook = copy / f"{first.name}.ipynb"
    text = notebook.read_text(encoding="utf-8")
    notebook.write_text(text.replace("import numpy", "import  numpy"), encoding="utf-8")
    reader.path_of(copy, second.name).unlink()
    (copy / "privlib" / "sketch" / "data.py").unlink()
    (copy / f"{third.name}.ipynb").unlink()
    assert reader.orphans(copy) == [third.name]
    found = reader.stale(copy)
    assert found.pop(third.name) == ["no such notebook"]
    assert found.pop(first.name) == ["its cells"]
    assert found.pop(second.name) == ["never executed"]
    assert found
    assert set(map(tuple, found.values())) == {("privlib.sketch.data",)}


def test_data_beside_a_module_are_part_of_it(copy):
    before = reader.package_digests(copy)
    path = copy / "privlib" / "notebook" / "datasets.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    after = reader.package_digests(copy)
    assert {name for name in after if after[name] != before[name]} == {"privlib.notebook.datasets"}


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("exercises.json", "Change one record", "Change a record"),
        ("exercises.py", "LONGEST = 500", "LONGEST = 501"),
    ],
)
def test_no_verdict_rests_on_exercises(copy, file, old, new):
    before = reader.stale(copy)
    path = copy / "privlib" / "notebook" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    assert reader.stale(copy) == before


def test_evidence_of_an_unknown_notebook_or_figure(root):
    with pytest.raises(ValueError, match="no evidence of a notebook notebooks/x/y"):
        reader.notebook(root, "notebooks/x/y")
    name = reader.notebooks(root, "laplace")[0].name
    for function in (reader.picture, reader.live_markup):
        with pytest.raises(ValueError, match=f"notebook {name} has no .*figure 'fig-none'"):
            function(root, name, "fig-none")


def test_pictures_and_live_figures_are_found(root):
    live = [(e.name, f.label) for e in reader.notebooks(root) for f in e.figures if f.live]
    assert {name.split("/")[1] for name, _ in live} == set(PARTS.values())
    for name, label in live:
        assert reader.picture(root, name, label).startswith(b"\x89PNG")
        assert label.removeprefix("fig-") in reader.live_markup(root, name, label)
