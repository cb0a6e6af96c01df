"""The book's extension: evidence that the code has outlived, what pages depend on, escaping."""

from __future__ import annotations

import gc
import inspect
import pickle
import shutil
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock, call

import pytest
from ledger import freshness
from privlib_book import api, base, refuse_contradictions, refuse_stale, setup
from sphinx.ext import viewcode

ROOT = Path(__file__).resolve().parents[2]


def test_a_build_with_contradictions_stops_with_one_line(tmp_path):
    """Of all that is wrong the first is said, with notebook, claim and remedy."""
    shutil.copytree(ROOT / "book" / "claims", tmp_path / "book" / "claims")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    app = SimpleNamespace(srcdir=str(tmp_path))
    refuse_contradictions(app)
    path = tmp_path / "book" / "claims" / "laplace.yml"
    text = path.read_text(encoding="utf-8")
    cases = (
        ("- id: N-3\n", "- id: N-99\n", r"laplace/01-attackers checks the unknown claim N-3: desc"),
        (
            "weight: misprint",
            "weight: grave",
            r"laplace\.yml: N-2: weight must be one of",
        ),
        ("  not_checkable:", "  never_checked:", r"laplace\.yml: N-1: unknown field never_checked"),
    )
    for old, new, message in cases:
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(SystemExit, match=f"^book: .*{message}") as caught:
            refuse_contradictions(app)
        assert "\n" not in str(caught.value)


def test_a_build_with_stale_evidence_stops_and_names_the_notebooks(monkeypatch, tmp_path):
    found = {
        "notebooks/a/01-one": ["privlib.a.b"],
        "notebooks/c/02-two": ["its cells", "privlib.a.b"],
    }
    monkeypatch.setattr(freshness, "stale", lambda root: found if root == tmp_path else {})
    refuse_stale(SimpleNamespace(srcdir=str(tmp_path / "other")))
    with pytest.raises(SystemExit, match="`make notebooks`") as caught:
        refuse_stale(SimpleNamespace(srcdir=str(tmp_path)))
    for name, changed in found.items():
        assert f"{name}: {', '.join(changed)}" in str(caught.value)


def remembered(html):
    """What the build left for the next one."""
    return pickle.loads((html.parent / ".doctrees" / "environment.pickle").read_bytes())


def test_pages_depend_on_the_notebooks_that_they_show(html):
    """A notebook that ran again has the pages read again that say what it showed, and no other."""
    depends = remembered(html).dependencies
    ledger = [str(file) for file in depends["book/ledger/correlated"]]
    assert any("notebooks/correlated" in file for file in ledger)
    assert not any("notebooks/sketch" in file for file in ledger)
    assert not any(".ipynb" in str(file) for file in depends["book/references"] or ())


def test_pages_that_show_what_no_file_says_ask_for_it(html):
    asked = remembered(html).privlib_asked
    kinds = {page: {ask.__name__ for ask in told} for page, told in asked.items()}
    assert kinds["book/cite"] == {"edition"}
    assert kinds["book/status"] == {"tests", "installed", "revision", "evidence"}
    assert "evidence" in kinds["book/ledger/correlated"]  # a new notebook may bear on any claim
    assert not remembered(html).reread_always


def test_a_page_is_read_again_when_an_answer_changes_and_then_asks_anew(tmp_path):
    name = "notebooks/laplace/01-attackers"
    (tmp_path / "notebooks" / "laplace").mkdir(parents=True)
    asked = {page: {base.evidence: []} for page in ("book/status", "book/intro")}
    env, app = SimpleNamespace(privlib_asked=asked), SimpleNamespace(srcdir=str(tmp_path))
    assert base.answered_otherwise(app, env, set(), set(), set()) == []
    shutil.copy(ROOT / f"{name}.ipynb", tmp_path / f"{name}.ipynb")
    asked["book/intro"] = {base.evidence: [name]}
    assert base.answered_otherwise(app, env, set(), set(), set()) == ["book/status"]
    assert list(asked) == ["book/intro"]  # what no longer asks is not read for ever
    assert base.answered_otherwise(app, SimpleNamespace(), set(), set(), set()) == []


def test_sphinx_asks_which_pages_are_outdated():
    made = MagicMock()
    try:
        told = setup(made)
    finally:
        gc.enable()
    assert call("env-get-outdated", base.answered_otherwise) in made.connect.mock_calls
    assert not told["parallel_read_safe"]  # what the pages asked is not put together


def test_a_listing_is_found_without_importing_its_module(root):
    partly, anew = SimpleNamespace(fresh_env_used=False), SimpleNamespace(fresh_env_used=True)
    for name, file in (
        ("sketch.transfer", "sketch/transfer.py"),
        ("notebook", "notebook/__init__.py"),
    ):
        assert api.module_file(partly, f"privlib.{name}") == str(root / "privlib" / file)
        assert api.module_file(anew, f"privlib.{name}") is None  # else an old listing would stay
    for name in ("privlib.sketch.nowhere", "privlib.nowhere.at_all", "__main__"):
        assert api.module_file(partly, name) is None
    # Sphinx looks for it under the name that is replaced.
    assert "get_module_filename(app, modname)" in inspect.getsource(
        viewcode.should_generate_module_page
    )


def test_what_a_template_shows_is_escaped():
    made = base.templates().from_string("{{ words }} {{ anchor('Y-P5.1') }}")
    assert made.render(words='<a href="x">') == "&lt;a href=&#34;x&#34;&gt; claim-Y-P5-1"
