"""Data sets: found, fetched, checked; wrong content is refused and never kept."""

from __future__ import annotations

import gzip
import hashlib
import sys

import pooch
import pytest

from privlib import datasets

CONTENT = b"0 1\n0 2\n1 2\n3 0\n"


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A small stand-in for the published file, published from a local folder."""
    published = tmp_path / "publisher" / "edges.txt.gz"
    published.parent.mkdir()
    published.write_bytes(gzip.compress(CONTENT))
    entry = datasets.Source(
        file="edges.txt",
        url="https://publisher.invalid/edges.txt.gz",
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        page="",
        terms="",
        cite="",
    )
    monkeypatch.setattr(datasets, "SOURCES", {"facebook": entry})
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.delenv("PRIVLIB_DATA", raising=False)
    fetched = []

    def retrieve(url, known_hash, fname, path, progressbar):
        assert known_hash is None
        assert progressbar is sys.stderr.isatty()
        fetched.append(url)
        path.mkdir(parents=True, exist_ok=True)
        (path / fname).write_bytes(published.read_bytes())
        return str(path / fname)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    return published, fetched


def test_downloads_once_then_uses_the_cache(source):
    _, fetched = source
    assert datasets.load("facebook") == CONTENT
    assert datasets.load("facebook") == CONTENT
    assert len(fetched) == 1


@pytest.mark.parametrize("compressed", [True, False])
def test_a_given_folder_comes_first(source, tmp_path, monkeypatch, compressed):
    _, fetched = source
    given = tmp_path / "given"
    given.mkdir()
    if compressed:
        (given / "edges.txt.gz").write_bytes(gzip.compress(CONTENT))
    else:
        (given / "edges.txt").write_bytes(CONTENT)
    monkeypatch.setenv("PRIVLIB_DATA", str(given))
    assert datasets.load("facebook") == CONTENT
    assert not fetched


def test_a_folder_without_the_file_falls_through(source, tmp_path, monkeypatch):
    monkeypatch.setenv("PRIVLIB_DATA", str(tmp_path / "nowhere"))
    assert datasets.load("facebook") == CONTENT
    assert source[1]


def test_wrong_content_is_refused_and_not_kept(source, tmp_path):
    published, fetched = source
    published.write_bytes(gzip.compress(CONTENT + b"9 9\n"))
    for attempt in (1, 2):
        with pytest.raises(ValueError, match=r"'facebook' from .* has SHA-256 .* expected"):
            datasets.load("facebook")
        assert len(fetched) == attempt  # the bad file did not stay in the cache
    given = tmp_path / "cache" / "privlib" / "edges.txt"
    given.write_bytes(b"tampered")
    with pytest.raises(ValueError, match=r"edges\.txt has SHA-256"):
        datasets.load("facebook")


def test_no_network_is_a_clear_error(source, monkeypatch):
    def offline(*_args, **_options):
        raise ConnectionError("no route")

    monkeypatch.setattr(pooch, "retrieve", offline)
    with pytest.raises(datasets.DataUnavailableError, match=r"PRIVLIB_DATA.*ConnectionError"):
        datasets.load("facebook")


def test_unknown_name():
    with pytest.raises(ValueError, match="name must be one of"):
        datasets.load("no such data")


def test_facebook_builds_the_graph_in_order(source):
    graph = datasets.facebook()
    assert list(graph) == [0, 1, 2, 3]
    assert sorted(map(sorted, graph.edges)) == [[0, 1], [0, 2], [0, 3], [1, 2]]
