"""The tool that keeps the formats in step, on notebooks of its own."""

from __future__ import annotations

import json

import nbformat
import pytest
from ledger import evidence as ledger_evidence
from ledger import freshness

import notebooks as tool
from privlib.notebook import exercises

pytestmark = pytest.mark.slow

MD = """---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A title

```{code-cell}
:tags: [hide-input]

x = 1
print(x)
```
"""


@pytest.fixture
def stem(tmp_path):
    path = tmp_path / "notebooks" / "laplace" / "01.5-slug"
    path.parent.mkdir(parents=True)
    tool.file_of(path, ".md").write_text(MD, encoding="utf-8")
    return path


def edit(stem, suffix, old, new):
    path = tool.file_of(stem, suffix)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def cell(stem):
    return nbformat.read(tool.file_of(stem, ".ipynb"), as_version=4).cells[1]


def test_a_new_text_face_makes_the_other_two(stem):
    assert tool.sync(stem) == "from .md"
    assert "not executed" in " ".join(tool.check(stem))
    tool.execute(stem)
    assert tool.check(stem) == []
    assert tool.sync(stem) == ""
    assert cell(stem).outputs[0].text == "1\n"
    assert cell(stem).metadata.tags == ["hide-input"]


@pytest.mark.parametrize("suffix", [".md", ".py"])
def test_editing_one_face_changes_the_others(stem, suffix):
    tool.sync(stem)
    edit(stem, suffix, "x = 1", "x = 2")
    assert tool.check(stem)
    assert tool.sync(stem) == f"from {suffix}"
    for other in (".md", ".py", ".ipynb"):
        assert "x = 2" in tool.file_of(stem, other).read_text(encoding="utf-8")


def test_the_order_of_metadata_does_not_matter(stem):
    both = "---\nzebra: {b: 1, a: 2}\ntags: [hide-input]\n---"
    edit(stem, ".md", ":tags: [hide-input]\n", both)
    tool.sync(stem)
    tool.execute(stem)
    assert tool.check(stem) == []
    assert tool.sync(stem) == ""


def test_prose_keeps_outputs_and_code_drops_them(stem):
    tool.sync(stem)
    tool.execute(stem)
    edit(stem, ".md", "A title", "Another title")
    tool.sync(stem)
    assert tool.is_executed(tool.read(tool.file_of(stem, ".ipynb")))
    edit(stem, ".md", "x = 1", "x = 3")
    tool.sync(stem)
    assert not tool.is_executed(tool.read(tool.file_of(stem, ".ipynb")))
    tool.execute(stem)
    assert cell(stem).outputs[0].text == "3\n"


def test_executing_again_changes_no_byte(stem):
    tool.sync(stem)
    tool.execute(stem)
    before = tool.file_of(stem, ".ipynb").read_bytes()
    tool.execute(stem)
    assert tool.file_of(stem, ".ipynb").read_bytes() == before


def test_two_edited_formats_are_a_conflict(stem):
    tool.sync(stem)
    edit(stem, ".md", "x = 1", "x = 2")
    edit(stem, ".py", "x = 1", "x = 3")
    message = r"laplace/01\.5-slug: more than one format .*`git checkout -- notebooks/laplace/01"
    with pytest.raises(tool.OutOfStepError, match=message):
        tool.sync(stem)
    tool.file_of(stem, ".ipynb").unlink()
    with pytest.raises(tool.OutOfStepError, match="remove the older one"):
        tool.sync(stem)


def test_the_same_edit_of_both_text_formats_is_kept(stem):
    tool.sync(stem)
    tool.execute(stem)
    for suffix in (".md", ".py"):
        edit(stem, suffix, "x = 1", "x = 2")
    assert tool.sync(stem) == "from .md"
    for suffix in (".md", ".py", ".ipynb"):
        assert "x = 2" in tool.file_of(stem, suffix).read_text(encoding="utf-8")


def test_a_number_apart_from_its_source_is_named_before_anything_runs(stem, monkeypatch, capsys):
    monkeypatch.setattr(tool, "stems", lambda: [stem])
    monkeypatch.setattr(tool, "ROOT", stem.parents[2])
    edit(stem, ".md", "x = 1", "x = 1")
    path = tool.file_of(stem, ".md")
    text = path.read_text(encoding="utf-8").replace("# ", "# 1 <!-- {x} --> ", 1)
    path.write_text(text, encoding="utf-8")
    assert tool.main(["--jobs", "1"]) == 1
    assert "01.5-slug: a comment with an expression must stand right" in capsys.readouterr().err


def test_a_failing_cell_fails(stem):
    edit(stem, ".md", "print(x)", "assert x == 2")
    tool.sync(stem)
    with pytest.raises(Exception, match="AssertionError"):
        tool.execute(stem)
    assert not tool.is_executed(tool.read(tool.file_of(stem, ".ipynb")))


def package(stem, code):
    """A package of one module at the root of the notebook's book."""
    path = stem.parents[2] / "privlib" / "_checks.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(code, encoding="utf-8")


def test_a_changed_module_makes_stale_what_loaded_it(stem):
    edit(stem, ".md", "x = 1", "from privlib import _checks; x = 1")
    package(stem, '"""Rules."""\n\n\ndef sign(x):\n    return -x  # down\n')
    tool.sync(stem)
    assert tool.stale(stem) == ["its cells"]
    tool.execute(stem)
    assert tool.stale(stem) == []
    package(stem, '"""Other words."""\n\ndef sign(x):\n    "Say it."\n    return -x\n')
    assert tool.stale(stem) == []
    package(stem, '"""Rules."""\n\n\ndef sign(x):\n    return +x  # down\n')
    assert tool.stale(stem) == ["privlib._checks"]
    assert "stale, changed: privlib._checks" in " ".join(tool.check(stem))


def test_what_ran_elsewhere_with_other_cells_is_stale(stem):
    tool.sync(stem)
    tool.execute(stem)
    path = tool.file_of(stem, ".ipynb")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = "from privlib import _checks; x = 1\nprint(x)"  # and run, and saved
    nbformat.write(notebook, path)
    assert tool.sync(stem) == "from .ipynb"
    assert tool.stale(stem) == ["its cells"]


def test_a_module_that_changes_during_a_run_leaves_it_stale(stem):
    module = stem.parents[2] / "privlib" / "_checks.py"
    package(stem, "x = 1\n")
    change = f"from privlib import _checks; x = 1\nopen({str(module)!r}, 'a').write('y = 2')"
    edit(stem, ".md", "x = 1", change)
    tool.sync(stem)
    tool.execute(stem)
    assert tool.stale(stem) == ["privlib._checks"]


def test_prose_renews_the_evidence_and_keeps_the_digests(stem):
    edit(stem, ".md", "# A title", "# A title\n\n**Time:** 5 minutes")
    tool.sync(stem)
    tool.execute(stem)
    root, name = stem.parents[2], tool.name_of(stem)
    before = ledger_evidence.notebook(root, name)
    assert (before.title, before.minutes, before.cells) == ("A title", 5, 1)
    edit(stem, ".md", "5 minutes", "15 minutes")
    assert tool.check(stem)
    tool.sync(stem)
    after = ledger_evidence.notebook(root, name)
    assert (after.minutes, after.modules, after.code) == (15, before.modules, before.code)


def test_what_one_types_in_a_cell_to_work_in_is_run_and_changes_no_digest(stem):
    work = "\n```{code-cell}\n:tags: [exercise]\n\n2 + 2\n```\n"
    tool.file_of(stem, ".md").write_text(MD + work, encoding="utf-8")
    tool.sync(stem)
    tool.execute(stem)
    root, name = stem.parents[2], tool.name_of(stem)
    before = ledger_evidence.notebook(root, name)
    edit(stem, ".md", "2 + 2", "5 - 1")
    tool.sync(stem)
    assert tool.stale(stem) == ["its cells"]
    tool.execute(stem)
    assert ledger_evidence.notebook(root, name) == before
    assert tool.check(stem) == []


EXERCISE = """
```{code-cell}
:tags: [exercise]

from privlib.notebook import check

check("lap-03-size", ...)
```

```{code-cell}
patients = 2000
check("lap-03-size", patients)
```
"""


@pytest.fixture
def exercise(stem):
    """Return an executed notebook with an exercise and its solution."""
    tool.file_of(stem, ".md").write_text(MD + EXERCISE, encoding="utf-8")
    tool.sync(stem)
    tool.execute(stem)
    assert tool.stale(stem) == []
    return stem


@pytest.mark.parametrize(
    ("label", "change", "reasons"),
    [
        ("lap-03-size", {"hint": "Think again."}, []),
        ("lap-03-raise", {"ask": "another number"}, []),  # of another notebook
        ("lap-03-size", {"ask": "another number"}, ["exercises lap-03-size"]),
        ("lap-03-size", {"digits": 3}, ["exercises lap-03-size"]),
    ],
)
def test_what_an_exercise_asks_for_makes_its_notebook_stale(
    exercise, monkeypatch, label, change, reasons
):
    changed = exercises.ENTRIES[label] | change
    monkeypatch.setitem(exercises.ENTRIES, label, changed)
    assert tool.stale(exercise) == reasons
    assert freshness.stale(tool.home(exercise)) == {}  # no verdict rests on it


def test_an_exercise_that_has_no_answer_any_more_makes_its_notebook_stale(exercise, monkeypatch):
    monkeypatch.delitem(exercises.ENTRIES, "lap-03-size")
    assert tool.stale(exercise) == ["exercises lap-03-size"]


def test_a_solution_that_its_check_does_not_accept_is_not_stored(exercise):
    before = tool.file_of(exercise, ".ipynb").read_bytes()
    edit(exercise, ".md", "patients = 2000", "patients = 2001")
    tool.sync(exercise)
    with pytest.raises(ValueError, match=r"the solution computed: lap-03-size; mend"):
        tool.execute(exercise)
    edit(exercise, ".md", "patients = 2001", "patients = 2000")
    tool.sync(exercise)
    tool.execute(exercise)
    assert tool.file_of(exercise, ".ipynb").read_bytes() == before


def test_an_answer_that_somebody_tried_is_no_fault(exercise):
    edit(exercise, ".md", 'check("lap-03-size", ...)', 'check("lap-03-size", 5)')
    tool.sync(exercise)
    tool.execute(exercise)
    assert tool.stale(exercise) == []


def test_command_line(stem, monkeypatch, capsys):
    monkeypatch.setattr(tool, "ROOT", stem.parents[2])
    monkeypatch.setattr(tool, "stems", lambda: [stem])
    assert tool.main(["--check"]) == 1
    out = capsys.readouterr().out
    assert "laplace/01.5-slug: no .py format" in out
    assert "`make notebooks`" in out
    assert tool.main(["--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "stale     laplace/01.5-slug  (its cells)" in out
    assert "[1/1] laplace/01.5-slug" in out
    assert tool.main(["--check"]) == 0
    assert tool.main([]) == 0
    assert "0 executed" in capsys.readouterr().out


def test_what_was_in_step_is_looked_at_again_when_anything_changed(stem, monkeypatch):
    root, asked = stem.parents[2], []
    true = tool.sync
    monkeypatch.setattr(tool, "sync", lambda stem: asked.append(stem) or true(stem))
    assert [note for _, note in tool.sync_all([stem], root)] == ["from .md"]
    assert not list(tool.sync_all([stem], root))
    assert len(asked) == 1
    edit(stem, ".py", "A title", "Another")
    assert [note for _, note in tool.sync_all([stem], root)] == ["from .py"]
    tool.execute(stem)  # writes the notebook and its evidence
    path = tool.file_of(stem, ".ipynb")
    assert not list(tool.sync_all([stem], root))
    before, text = len(asked), path.read_text(encoding="utf-8")
    assert not list(tool.sync_all([stem], root))
    assert len(asked) == before
    path.write_text(text + "\n", encoding="utf-8")
    list(tool.sync_all([stem], root))
    assert len(asked) == before + 1
    assert path.read_text(encoding="utf-8") == text
    (root / "book").mkdir(exist_ok=True)
    (root / "book" / "glossary.yml").write_text("[]", encoding="utf-8")
    list(tool.sync_all([stem], root))
    assert len(asked) == before + 2


ROW = "- {id: N-8, where: Section 1, kind: theorem, says: One.}\n"
CHECK = 'from privlib.notebook import claim\nwith claim("N-8") as c:\n    c.exact(1, 1)'


@pytest.mark.parametrize(
    ("rows", "code", "message"),
    [
        (ROW, CHECK, ""),
        (ROW, "x = 1", "laplace.yml: no notebook checks N-8; check it in a cell `with claim("),
        (
            ROW.replace("N-8", "N-9, not_checkable: A definition"),
            CHECK,
            "checks the unknown claim N-8: describe",
        ),
        (ROW.replace("theorem", "theory"), CHECK, "N-8: kind must be one of"),
        (ROW.replace("kind", "sort"), CHECK, "laplace.yml: N-8:"),
    ],
)
def test_claims_and_checks_that_miss_each_other_are_named(
    stem, monkeypatch, capsys, rows, code, message
):
    path = stem.parents[2] / "book" / "claims" / "laplace.yml"
    path.parent.mkdir(parents=True)
    path.write_text(f"claims:\n{rows}", encoding="utf-8")
    edit(stem, ".md", "x = 1\nprint(x)", code)
    monkeypatch.setattr(tool, "ROOT", stem.parents[2])
    monkeypatch.setattr(tool, "stems", lambda: [stem])
    for arguments in (["--jobs", "1"], ["--check"]):
        assert tool.main(arguments) == bool(message)
        captured = capsys.readouterr()
        printed = captured.out + captured.err
        assert message in printed
        assert message or "claim" not in printed


# --- roles of cells ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "source", "prompt"),
    [
        ("figure", "plt.show()", "Show how it is drawn"),
        ("set-up", "import sympy", "Show the set-up"),
    ],
)
def test_one_tag_says_what_a_cell_is_for_and_the_notebook_has_the_rest(stem, tag, source, prompt):
    edit(stem, ".md", ":tags: [hide-input]\n\nx = 1\nprint(x)", f":tags: [{tag}]\n\n{source}")
    tool.sync(stem)
    told = cell(stem).metadata
    assert told.tags == [tag, "hide-input"]
    assert told.jupyter == {"source_hidden": True}
    assert told.mystnb.code_prompt_show == prompt
    assert told.mystnb.code_prompt_hide == prompt.replace("Show", "Hide")
    for suffix in (".md", ".py"):
        text = tool.file_of(stem, suffix).read_text(encoding="utf-8")
        assert tag in text
        assert "hide-input" not in text
        assert "prompt" not in text
    assert tool.sync(stem) == ""


def test_a_cell_has_one_role(stem):
    edit(stem, ".md", "[hide-input]", "[set-up, figure]")
    with pytest.raises(ValueError, match="one role, not set-up and figure"):
        tool.sync(stem)


def test_a_notebook_that_others_unfolded_is_folded_again(stem):
    edit(stem, ".md", "[hide-input]", "[figure]")
    tool.sync(stem)
    tool.execute(stem)
    edit(stem, ".ipynb", '"source_hidden": true', '"source_hidden": false')
    assert "not as the tool writes it" in tool.check(stem)[0]
    assert tool.sync(stem) == ".ipynb written anew"
    assert tool.check(stem) == []


def test_badges_follow_the_sentences_of_the_claims_without_running_again(stem):
    claims = stem.parents[2] / "book" / "claims" / "laplace.yml"
    claims.parent.mkdir(parents=True)
    claims.write_text("claims:\n- {id: N-8, says: One $<$ two.}\n", encoding="utf-8")
    code = 'from privlib.notebook import claim\nwith claim("N-8") as c:\n    c.exact(1, 1)'
    edit(stem, ".md", "x = 1\nprint(x)", code)
    tool.sync(stem)
    tool.execute(stem)
    shown = cell(stem).outputs[0].data
    assert shown["text/plain"] == "N-8: verified, one example. One $<$ two."
    assert r"One \(&lt;\) two." in shown["text/html"]
    claims.write_text("claims:\n- {id: N-8, says: Two.}\n", encoding="utf-8")
    assert "not as the tool writes it" in tool.check(stem)[0]
    assert tool.sync(stem) == ".ipynb written anew"
    assert cell(stem).outputs[0].data["text/plain"] == "N-8: verified, one example. Two."
    assert tool.check(stem) == []


def test_a_claim_that_is_not_in_the_file_stops_before_anything_is_executed(
    stem, monkeypatch, capsys
):
    monkeypatch.setattr(tool, "ROOT", stem.parents[2])
    monkeypatch.setattr(tool, "stems", lambda: [stem])
    monkeypatch.setattr(tool, "execute", lambda stem: pytest.fail("it was executed"))
    claims = stem.parents[2] / "book" / "claims" / "laplace.yml"
    claims.parent.mkdir(parents=True)
    code = 'from privlib.notebook import claim\nwith claim("N-9") as c:\n    c.exact(1, 1)'
    edit(stem, ".md", "x = 1\nprint(x)", code)
    known = {"id": "N-9", "where": "w", "kind": "remark", "says": "One."}
    checks = "notebooks/laplace/01.5-slug checks"
    cases = (
        ({**known, "id": "N-8"}, f"{checks} the unknown claim N-9: describe it in book/claims"),
        ({**known, "not_checkable": "A wish."}, f"{checks} N-9, which is marked as not checkable"),
        ({**known, "weight": "grave"}, "laplace.yml: N-9: weight must be one of error, misprint"),
    )
    for item, message in cases:
        claims.write_text(json.dumps({"claims": [item]}), encoding="utf-8")
        assert tool.main(["--jobs", "1"]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"notebooks: {message}")
