"""The book's extension: evidence that the code has outlived, what pages depend on, escaping."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import pytest
import reader
from privlib_book import base, refuse_stale
from sphinx.errors import ExtensionError


def test_a_build_with_stale_evidence_stops_and_names_the_notebooks(monkeypatch, tmp_path):
    found = {
        "notebooks/a/01-one": ["privlib.a.b"],
        "notebooks/c/02-two": ["its cells", "privlib.a.b"],
    }
    monkeypatch.setattr(reader, "stale", lambda root: found if root == tmp_path else {})
    refuse_stale(SimpleNamespace(srcdir=str(tmp_path / "other")))
    with pytest.raises(ExtensionError, match="`make notebooks outside`") as caught:
        refuse_stale(SimpleNamespace(srcdir=str(tmp_path)))
    for name, changed in found.items():
        assert f"{name}: {', '.join(changed)}" in str(caught.value)


def test_pages_depend_on_evidence_and_never_on_notebooks(html):
    """A changed sentence of a notebook has its own page read again, and no other."""
    environment = html.parent / ".doctrees" / "environment.pickle"
    depends = pickle.loads(environment.read_bytes()).dependencies
    for page, files in depends.items():
        read = [file for file in files if str(file).endswith(".ipynb")]
        assert page.startswith("notebooks") or not read, page
    assert any("evidence/correlated" in str(f) for f in depends["book/ledger/correlated"])
    assert not any("evidence/sketch" in str(f) for f in depends["book/ledger/correlated"])
    assert not any("evidence" in str(f) for f in depends["book/references"] or ())


def test_what_a_template_shows_is_escaped():
    made = base.templates().from_string("{{ words }} {{ anchor('Y-P5.1') }}")
    assert made.render(words='<a href="x">') == "&lt;a href=&#34;x&#34;&gt; claim-Y-P5-1"
