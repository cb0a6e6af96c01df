"""Tests of `privlib.research.distributed_sketches`: the same integers by any way."""

from __future__ import annotations

import sys

import dask
import dask.array
import dask.bag
import numpy as np
import pytest

from privlib.research.distributed_sketches import aggregate
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch


@pytest.fixture(autouse=True)
def threads():
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


@pytest.mark.parametrize("kind", [CountMeanSketch, HadamardCountMeanSketch])
@pytest.mark.parametrize("parts", [1, 7, 8, 9, 70])
def test_every_way_gives_the_same_sketch(kind, parts):
    scheme = kind(1.0, hashes=16, width=32, seed=0)
    reports = scheme.privatize(np.arange(5000) % 43, np.random.default_rng(0))
    whole = scheme.aggregate(reports)
    pieces = np.array_split(reports, parts)
    assert aggregate(scheme, pieces) == whole
    assert aggregate(scheme, (dask.delayed(piece) for piece in reversed(pieces))) == whole
    assert aggregate(scheme, dask.bag.from_sequence(pieces, npartitions=min(parts, 3))) == whole
    assert aggregate(scheme, dask.array.from_array(reports, chunks=-(-5000 // parts))) == whole


def test_reports_that_are_made_where_they_are_added():
    scheme = HadamardCountMeanSketch(1.0, hashes=16, width=32, seed=0)

    def client(seed):
        return scheme.privatize(["x", "y"] * 100, np.random.default_rng(seed))

    lazy = dask.bag.from_sequence(range(20), npartitions=5).map(client)
    assert aggregate(scheme, lazy) == scheme.aggregate(map(client, range(20)))


def test_processes():
    scheme = CountMeanSketch(1.0, hashes=16, width=32, seed=0)
    reports = scheme.privatize(np.arange(500), np.random.default_rng(0))
    with dask.config.set(scheduler="processes", num_workers=2):
        assert aggregate(scheme, np.array_split(reports, 3)) == scheme.aggregate(reports)


def test_nothing_to_add():
    scheme = CountMeanSketch(1.0, hashes=16, width=32, seed=0)
    assert aggregate(scheme, []) == scheme.aggregate([])


def test_bad_arguments():
    scheme = CountMeanSketch(1.0, hashes=16, width=32, seed=0)
    other = CountMeanSketch(2.0, hashes=16, width=32, seed=0)
    reports = other.privatize(["a"], np.random.default_rng(0))
    with pytest.raises(TypeError, match="scheme must be a count mean sketch, got None"):
        aggregate(None, [])
    for wrong in (reports, 5):
        with pytest.raises(TypeError, match="partitions must be a Dask Bag or Array"):
            aggregate(scheme, wrong)
    with pytest.raises(ValueError, match="scheme of report 0 must be"):
        aggregate(scheme, [reports])


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ImportError, match="needs dask; pip install dask"):
        aggregate(CountMeanSketch(1.0, hashes=2, width=2, seed=0), [])
