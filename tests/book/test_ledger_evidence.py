"""Evidence: what is taken from the cells of a notebook, and what stands in the stored files."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from ledger import evidence as ledger_evidence
from ledger import layout

from privlib.notebook.claims import PARTS, Check, Record

NAME = "notebooks/laplace/01-x"


def markdown(text):
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code(source, *outputs, **metadata):
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": list(outputs)}


def shown(kind="text/html", content="", **told):
    return {"output_type": "display_data", "data": {kind: content}, "metadata": told}


def shows(*cells, forms=()):
    return ledger_evidence.extract(cells, NAME, modules={}, numbers={"x": "1"}, forms=forms)


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
        code("plot", shown("image/png", "AAAA"), mystnb=figure),
        code("show", shown(privlib={"live": "a"})),
        markdown(EXERCISE),
        *SOLVED,
    )
    assert (found.title, found.minutes, found.cells) == ("Title", 12, 4)
    assert (found.part, found.number) == ("laplace", 1)
    assert found.claims == (RECORD,)
    assert found.numbers == {"x": "1"}
    (drawn,) = found.figures
    assert drawn == ledger_evidence.Figure(
        "fig-a", "C.", "alt", live=True, section="Section", lead="A lead."
    )
    assert found.exercises == (
        ledger_evidence.Exercise("ex-one", "A title", "Warm-up", "First. Second."),
    )
    assert ledger_evidence.Evidence.from_metadata(found.as_metadata()) == found


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
    assert ledger_evidence.code_cells([markdown("x"), before, after]) == [before]
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


SOURCE = """
from privlib.correlated import gaussian as g
from privlib.correlated.finite import leakage
from privlib.notebook import claim, misprints
def helper(x):
    return g.combine(x)
a = leakage(1)
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
misprints([("N-3", "p", "q", lambda c: c.exact(leakage(3), 1))])
with claim("N-4"):
    a
rows = [
    ("N-5", "p", "q", lambda c: c.exact(g.combine(1), 1)),
    ("N-6", "p", "q", lambda c: c.exact(1, 1)),
]
misprints(rows)
for k in map(leakage, (1, 2)):
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
        "N-2": (f"{package}finite.leakage",),
        "N-3": (f"{package}finite.leakage",),
        "N-5": (f"{package}gaussian.combine",),
        "N-7": (f"{package}finite.leakage",),
    }
    assert found.uses == (
        f"{package}finite.leakage", f"{package}gaussian.combine",
        f"{package}gaussian.noise_scale",
    )  # fmt: skip


# --- the book ---------------------------------------------------------------------------------


def test_every_notebook_has_evidence(root):
    names = [path.relative_to(root).with_suffix("") for path in root.glob("notebooks/**/*.ipynb")]
    assert {e.name for e in ledger_evidence.notebooks(root)} == {name.as_posix() for name in names}


def test_evidence_of_an_unknown_notebook_or_figure(root):
    with pytest.raises(ValueError, match="no evidence of a notebook notebooks/x/y"):
        ledger_evidence.notebook(root, "notebooks/x/y")
    name = ledger_evidence.notebooks(root, "laplace")[0].name
    for function in (ledger_evidence.picture, ledger_evidence.live_markup):
        with pytest.raises(ValueError, match=f"notebook {name} has no .*figure 'fig-none'"):
            function(root, name, "fig-none")


def test_pictures_and_live_figures_are_found(root):
    live = [(e.name, f.label) for e in ledger_evidence.notebooks(root) for f in e.figures if f.live]
    assert {layout.part_of(name) for name, _ in live} == set(PARTS.values())
    for name, label in live:
        assert ledger_evidence.picture(root, name, label).startswith(b"\x89PNG")
        assert label.removeprefix("fig-") in ledger_evidence.live_markup(root, name, label)
