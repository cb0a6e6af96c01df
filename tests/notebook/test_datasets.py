"""Data sets: found, fetched, checked; wrong content is refused and never kept."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import sys
import tarfile
import zipfile

import pooch
import pytest

from privlib.notebook import datasets

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


def test_an_archive_gives_its_largest_file(source, tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "edges.txt.zip", "w") as archive:
        archive.writestr("about.txt", b"two edges")
        archive.writestr("edges of the network.txt", CONTENT)
    monkeypatch.setenv("PRIVLIB_DATA", str(tmp_path))
    assert datasets.load("facebook") == CONTENT
    assert not source[1]


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


def test_a_file_at_hand_needs_no_downloader(source, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"^load: needs pooch; pip install pooch$"):
        datasets.load("facebook")
    (tmp_path / "edges.txt").write_bytes(CONTENT)
    monkeypatch.setenv("PRIVLIB_DATA", str(tmp_path))
    assert datasets.load("facebook") == CONTENT
    assert not source[1]


def test_files_of_one_publisher_have_the_same_terms():
    said = {s: (e.page, e.terms, e.cite) for s, e in datasets.SOURCES.items()}
    assert said["facebook"] == said["facebook_ego"]
    assert said["tokyo_flow"] == said["tokyo_flow_others"] == said["tokyo_flow_grid"]
    assert len(set(said.values())) == 4


def test_unknown_name():
    with pytest.raises(ValueError, match="name must be one of adult, eshop"):
        datasets.load("no such data")


def test_facebook_builds_the_graph_in_order(source):
    graph = datasets.facebook()
    assert list(graph) == [0, 1, 2, 3]
    assert sorted(map(sorted, graph.edges)) == [[0, 1], [0, 2], [0, 3], [1, 2]]


def test_facebook_ego_reads_people_friends_and_features(monkeypatch):
    files = {
        "5.feat": "7 1 0\n9 0 0\n8 1 1\n",
        "5.edges": "9 7\n7 9\n",
        "5.featnames": "0 a;b\n1 c d\n",
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(f"facebook/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    monkeypatch.setattr(datasets, "load", lambda name: {"facebook_ego": packed.getvalue()}[name])
    graph, names, features = datasets.facebook_ego(5)
    assert list(graph) == [7, 9, 8]
    assert [set(edge) for edge in graph.edges] == [{7, 9}]
    assert names == ["a;b", "c d"]
    assert features.tolist() == [[1, 0], [0, 0], [1, 1]]
    with pytest.raises(KeyError, match=r"6\.feat"):
        datasets.facebook_ego(6)


def traces(user_from, *, hour_of=lambda slot: 9 + slot // 3, user_step=1):
    """Two users of 30 slots in the published columns."""
    lines = ["user_index,poi_index,category,unixtime,dow,hour,min,distance"]
    for user in (user_from, user_from + user_step):
        for slot in range(30):
            seconds = 15_887 * 86_400 - 9 * 3600 + (540 + 20 * slot) * 60 + 86_400 * (slot == 29)
            hour, minute = hour_of(slot), 20 * (slot % 3)
            lines.append(f"{user},{(7 * user + slot) % 400},-,{seconds}.0,Mon,{hour},{minute},0")
    return ("\n".join(lines) + "\n").encode("ascii")


@pytest.fixture
def flow_files(tmp_path, monkeypatch):
    """Small stand-ins for the three files, in the sub-folder that their names have."""

    def put(first, second):
        grid = b"poi_id,y,x\n" + b"".join(b"%d,35.5,139.%d\n" % (i, i) for i in range(3))
        contents = {"tokyo_flow": first, "tokyo_flow_others": second, "tokyo_flow_grid": grid}
        sources = dict(datasets.SOURCES)
        for name, content in contents.items():
            path = tmp_path / datasets.SOURCES[name].file
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            sources[name] = dataclasses.replace(
                datasets.SOURCES[name], sha256=hashlib.sha256(content).hexdigest()
            )
        monkeypatch.setattr(datasets, "SOURCES", sources)
        monkeypatch.setenv("PRIVLIB_DATA", str(tmp_path))

    return put


def test_tokyo_flow_reads_the_columns(flow_files):
    flow_files(traces(0), traces(2))
    flow = datasets.tokyo_flow()
    assert flow.cells.shape == flow.days.shape == (4, 30)
    assert flow.cells[3].tolist() == [(21 + slot) % 400 for slot in range(30)]
    assert flow.days[1].tolist() == [15_887] * 29 + [15_888]  # the last slot is a day later
    assert flow.minutes.tolist() == [540 + 20 * slot for slot in range(30)]
    assert flow.centres[2].tolist() == [35.5, 139.2]


def test_tokyo_flow_refuses_files_of_another_form(flow_files):
    flow_files(traces(0), traces(3))
    with pytest.raises(ValueError, match="users are not numbered"):
        datasets.tokyo_flow()
    flow_files(traces(0), traces(2, hour_of=lambda slot: 10 + slot // 3))
    with pytest.raises(ValueError, match="do not share their 30 times"):
        datasets.tokyo_flow()


def test_tokyo_flow_downloads_into_the_folder_where_it_looks(flow_files, tmp_path, monkeypatch):
    flow_files(traces(0), traces(2))
    given = tmp_path
    cache = tmp_path / "cache"
    fetched = []

    def retrieve(url, known_hash, fname, path, progressbar):
        fetched.append(url.rpartition("/")[2])
        name = {"traintraces_TK.csv": "ppmtf_traintraces_TK.csv",
                "testtraces_TK.csv": "ppmtf_testtraces_TK.csv",
                "POI_TK.csv": "ppmtf_grid20x20_TK.csv"}[fetched[-1]]  # fmt: skip
        assert fname == name
        path.mkdir(parents=True, exist_ok=True)
        (path / fname).write_bytes((given / "pflow_tokyo" / name).read_bytes())
        return str(path / fname)

    monkeypatch.setattr(pooch, "os_cache", lambda name: cache / name)
    monkeypatch.setattr(pooch, "retrieve", retrieve)
    monkeypatch.delenv("PRIVLIB_DATA")
    assert datasets.tokyo_flow().cells.shape == datasets.tokyo_flow().cells.shape == (4, 30)
    assert fetched == ["traintraces_TK.csv", "testtraces_TK.csv", "POI_TK.csv"]


def test_tokyo_flow_as_published():
    try:
        flow = datasets.tokyo_flow()
    except datasets.DataUnavailableError as error:
        pytest.skip(str(error))
    assert flow.cells.shape == (1000, 30)
    assert len(set(flow.cells.ravel().tolist())) == 375
    assert int((flow.days == flow.days[:, :1]).all(axis=1).sum()) == 546
    assert len(set(flow.days.ravel().tolist())) == 6
    assert flow.minutes[[0, -1]].tolist() == [9 * 60, 18 * 60 + 40]
    assert flow.centres.shape == (400, 2)
    assert (flow.centres.min(axis=0) > (35.65, 139.68)).all()
    assert (flow.centres.max(axis=0) < (35.75, 139.80)).all()


def test_adult_as_published():
    try:
        lines = datasets.load("adult").decode("ascii").split("\n")
    except datasets.DataUnavailableError as error:
        pytest.skip(str(error))
    assert lines[-2:] == ["", ""]  # the published file ends in an empty line
    people = [line.split(", ") for line in lines[:-2]]
    assert len(people) == 32_561
    assert {len(person) for person in people} == {15}
    ages, sexes = [int(person[0]) for person in people], [person[9] for person in people]
    assert (min(ages), max(ages)) == (17, 90)
    assert sexes.count("Female") == 10_771
