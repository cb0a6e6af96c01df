"""Published data: found on disk or fetched from their publishers, and checked.

A file is looked for in the folder that ``$PRIVLIB_DATA`` names, then in the per-user cache, and is
otherwise downloaded from its publisher into that cache. Whatever its way, the SHA-256 of its
*uncompressed* content must be the one stated here, so that every reader computes on the same bytes.
A file in the cache that is something else, or no archive at all, does not stay there. One in
``$PRIVLIB_DATA`` is the reader's: it is refused and left as it is.

No data set is part of the package; each entry of `SOURCES` (``datasets.json``) says where it comes
from and on what terms. Needs the extra ``notebooks`` (pooch) to look further than
``$PRIVLIB_DATA``.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import lzma
import os
import sys
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks

if TYPE_CHECKING:
    import networkx as nx


class _DamagedError(ValueError):
    """A file is not what its name says: no gzip or zip archive, or one that is cut or damaged."""


# What the readers of the standard library raise for such files. A ``NotImplementedError`` or
# ``RuntimeError`` is that of an archive with another compression, or with a password.
_DAMAGES = (
    gzip.BadGzipFile, zipfile.BadZipFile, zlib.error, EOFError, lzma.LZMAError,
    NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip


def _unpacked(path: Path) -> bytes:
    """Return the content of a file, that of an archive uncompressed."""
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rb") as stream:
                return stream.read()
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                # The largest file: the data, not their description.
                return archive.read(max(archive.infolist(), key=lambda member: member.file_size))
        return path.read_bytes()
    except _DAMAGES as error:
        raise _DamagedError(f"{type(error).__name__}: {error}") from error


_PACKED = (".gz", ".zip")


class DataUnavailableError(OSError):
    """A data set is neither on this machine nor to be had from its publisher now.

    Examples
    --------
    It is an ``OSError``: a program that does without the data catches it as one.

    >>> try:
    ...     raise DataUnavailableError("no network")
    ... except OSError as error:
    ...     print("without the data:", error)
    without the data: no network
    """


@dataclass(frozen=True)
class Source:
    """Where a data set comes from.

    Parameters
    ----------
    file : str
        Name of the uncompressed file.
    url : str
        The publisher's own file, compressed or not.
    sha256 : str
        Digest of the uncompressed content, in hexadecimal.
    page : str
        The publisher's page.
    terms : str
        The terms of use.
    cite : str
        What to cite.

    Examples
    --------
    >>> source = SOURCES["facebook"]
    >>> source.file, source.terms
    ('facebook_combined.txt', 'no licence stated; downloaded, not redistributed')
    """

    file: str
    url: str
    sha256: str
    page: str
    terms: str
    cite: str


SOURCES: Mapping[str, Source] = {
    name: Source(**entry)
    for name, entry in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items()
}


def _verified(name: str, path: Path, origin: object) -> bytes:
    """Return the content of a file if it is the published one."""
    try:
        content = _unpacked(path)
    except _DamagedError as error:
        raise ValueError(
            f"load: {name!r} from {origin} cannot be unpacked, it is damaged or something else "
            f"({error})"
        ) from None
    digest, wanted = hashlib.sha256(content).hexdigest(), SOURCES[name].sha256
    if digest != wanted:
        raise ValueError(f"load: {name!r} from {origin} has SHA-256 {digest}, expected {wanted}")
    return content


def _pooch() -> Any:
    """Import pooch without its progress bar's remark that a notebook could show a nicer one."""
    with warnings.catch_warnings(action="ignore"):
        return checks.optional("load", "pooch")


def _folders() -> Iterator[tuple[Path, bool]]:
    """Give the places to look in, and whether they are ours.

    The second needs pooch and is asked for if the first fails.
    """
    if given := os.environ.get("PRIVLIB_DATA"):
        yield Path(given), False
    yield Path(_pooch().os_cache("privlib")), True


def _download(source: Source, cache: Path) -> Path:
    pooch = _pooch()
    watched = sys.stderr is not None and sys.stderr.isatty()
    pooch.get_logger().setLevel("INFO" if watched else "WARNING")
    url, packed = source.url, Path(source.url).suffix
    target = cache / (source.file + (packed if packed in _PACKED else ""))
    try:
        # No hash: the publisher's compressed bytes may change with the compressor, the content may
        # not. No progress bar where nobody watches: a notebook stores what is written.
        return Path(pooch.retrieve(url, None, target.name, target.parent, progressbar=watched))
    except Exception as error:
        raise DataUnavailableError(
            f"load: {source.file} is neither in $PRIVLIB_DATA nor in {cache} and could not be "
            f"fetched from {url} ({type(error).__name__})"
        ) from error


def load(name: str) -> bytes:
    """Return the uncompressed content of a data set, checked.

    Parameters
    ----------
    name : str
        A key of `SOURCES`.

    Returns
    -------
    bytes
        The bytes that the stated SHA-256 belongs to.

    Raises
    ------
    ValueError
        There is no such data set, or the content is not the published one. In the cache the file
        is then removed, so that the next call downloads it again; in ``$PRIVLIB_DATA`` it stays.
    DataUnavailableError
        The file is not on this machine and cannot be fetched.
    ImportError
        The file is not in ``$PRIVLIB_DATA`` and there is no pooch to look further.

    Examples
    --------
    >>> len(load("facebook").splitlines())  # one line an edge  # doctest: +SKIP
    88234
    >>> load("telegram")
    Traceback (most recent call last):
        ...
    ValueError: load: name must be one of ..., got 'telegram'
    """
    file = SOURCES[checks.choice("load", "name", name, sorted(SOURCES))].file
    for folder, ours in _folders():
        for path in (folder / file, *(folder / (file + suffix) for suffix in _PACKED)):
            if path.is_file():
                return _kept(name, path, path) if ours else _verified(name, path, path)
    path = _download(SOURCES[name], folder)  # into the last: the cache
    return _kept(name, path, SOURCES[name].url)


def _kept(name: str, path: Path, origin: object) -> bytes:
    """Return the content of a file in the cache; if it is wrong it does not stay there."""
    good = False
    try:
        content = _verified(name, path, origin)
        good = True
    finally:
        if not good:  # whatever is wrong: the next call would find it again
            path.unlink(missing_ok=True)
    return content


def facebook() -> nx.Graph:
    """Return the friendship network of ten merged Facebook ego networks.

    Returns
    -------
    networkx.Graph
        4,039 nodes numbered from 0, 88,234 undirected edges, in the file's order.

    Raises
    ------
    ValueError, DataUnavailableError
        `load` does not get the published file.

    References
    ----------
    .. [1] J. McAuley and J. Leskovec, "Learning to Discover Social Circles in Ego Networks", 2012.
    .. [2] J. Leskovec and A. Krevl, "SNAP Datasets", 2014, https://snap.stanford.edu/data.

    Examples
    --------
    >>> graph = facebook()  # doctest: +SKIP
    >>> graph.number_of_nodes(), graph.number_of_edges()  # doctest: +SKIP
    (4039, 88234)
    """
    import networkx as nx

    ends = list(map(int, load("facebook").split()))
    graph = nx.empty_graph(max(ends) + 1)
    graph.add_edges_from(zip(ends[::2], ends[1::2]))
    return graph


def facebook_ego(ego: int) -> tuple[nx.Graph, list[str], npt.NDArray[np.int64]]:
    """Return the people of one Facebook ego network: friendships and features of their profiles.

    Parameters
    ----------
    ego : int
        0, 107, 348, 414, 686, 698, 1684, 1912, 3437 or 3980; the ego itself is no node.

    Returns
    -------
    graph : networkx.Graph
        The people in the file's order, numbered as in `facebook`, and who is whose friend.
    names : list of str
        Of the features, such as ``"gender;anonymized feature 77"``, the same in all ten networks.
    features : ndarray of int64, shape (people, features)
        1 where the profile has it, else 0; not filled in counts as 0.

    Raises
    ------
    KeyError
        There is no such network.
    ValueError, DataUnavailableError
        `load` does not get the file.

    References
    ----------
    J. McAuley and J. Leskovec, "Learning to Discover Social Circles in Ego Networks", 2012.

    Examples
    --------
    >>> graph, names, features = facebook_ego(0)  # doctest: +SKIP
    >>> len(graph), len(names), features.shape  # doctest: +SKIP
    (347, 224, (347, 224))
    """
    import networkx as nx

    with tarfile.open(fileobj=io.BytesIO(load("facebook_ego"))) as archive:
        files = [archive.extractfile(f"facebook/{ego}.{k}") for k in ("feat", "edges", "featnames")]
        feat, edges, titles = (file.read().decode().splitlines() for file in files if file)
    table = np.loadtxt(feat, dtype=np.int64, ndmin=2)
    graph = nx.empty_graph(table[:, 0].tolist())
    graph.add_edges_from(tuple(map(int, line.split())) for line in edges)
    return graph, [line.partition(" ")[2] for line in titles], table[:, 1:]


@dataclass(frozen=True, eq=False)
class TokyoFlow:
    """Positions of 1,000 people in central Tokyo, every 20 minutes from 9:00 to 18:40.

    Parameters
    ----------
    cells : ndarray of int64, shape (1000, 30)
        Cell of a 20 x 20 grid, ``20 * row + column`` from the south-west corner.
    days : ndarray of int64, shape (1000, 30)
        Day since 1970-01-01 in Japan time. Some people's slots are from several days: a step
        between two days is no movement.
    minutes : ndarray of int64, shape (30,)
        Minute of the day of each slot.
    centres : ndarray of float64, shape (400, 2)
        Latitude and longitude of the centre of each cell, in degrees.

    Examples
    --------
    One person at two times, from cell 0 to cell 21: one row up and one column to the right.

    >>> days = np.array([[16000, 16000]])
    >>> flow = TokyoFlow(np.array([[0, 21]]), days, np.array([540, 560]), np.zeros((400, 2)))
    >>> divmod(int(flow.cells[0, 1]), 20)
    (1, 1)
    """

    cells: npt.NDArray[np.int64] = field(repr=False)
    days: npt.NDArray[np.int64] = field(repr=False)
    minutes: npt.NDArray[np.int64] = field(repr=False)
    centres: npt.NDArray[np.float64] = field(repr=False)


def tokyo_flow() -> TokyoFlow:
    """Return the extract of the SNS-based People Flow Data of Tokyo that PPMTF published.

    Places and times of posts are observed; routes, homes, workplaces and times of stay are
    *estimated* by the publisher. The first 500 people are the extract's training users, the others
    its test users.

    Returns
    -------
    TokyoFlow
        Cells and days of 1,000 people at 30 times of the day.

    Raises
    ------
    ValueError, DataUnavailableError
        `load` does not get the published files.

    References
    ----------
    .. [1] Nightley, Inc., "SNS-based People Flow Data", 2014, https://nightley.jp/archives/1954/,
       CC BY 4.0 (credit: see ``SOURCES["tokyo_flow"].terms``).
    .. [2] T. Murakami, K. Hamada, Y. Kawamoto, T. Hatano, "Privacy-Preserving Multiple Tensor
       Factorization for Synthesizing Large-Scale Location Traces with Cluster-Specific Features",
       PoPETs 2021(2).

    Examples
    --------
    >>> flow = tokyo_flow()  # doctest: +SKIP
    >>> flow.cells.shape, divmod(int(flow.minutes[-1]), 60)  # doctest: +SKIP
    ((1000, 30), (18, 40))
    """

    def columns(name: str, *wanted: int) -> npt.NDArray[np.float64]:
        lines = load(name).decode("ascii").splitlines()
        return np.loadtxt(lines, delimiter=",", skiprows=1, usecols=wanted, ndmin=2)

    # user, cell, seconds since 1970 (UTC), hour, minute; users in order, 30 slots each
    files = "tokyo_flow", "tokyo_flow_others"
    traces = np.concatenate([columns(name, 0, 1, 3, 5, 6) for name in files]).astype(np.int64)
    user, cell, seconds, hour, minute = (column.reshape(-1, 30) for column in traces.T)
    if np.any(user != np.arange(len(user))[:, None]):
        raise ValueError("tokyo_flow: the users are not numbered in the order of the file")
    slots = hour * 60 + minute
    if np.any(slots != slots[0]):
        raise ValueError("tokyo_flow: the users do not share their 30 times of the day")
    days = (seconds + 9 * 3600) // 86400
    return TokyoFlow(cell, days, slots[0], columns("tokyo_flow_grid", 1, 2))
