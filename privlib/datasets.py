"""Published data: found on disk or fetched from their publishers, and checked.

A file is looked for in the folder that ``$PRIVLIB_DATA`` names, then in the per-user cache, and is
otherwise downloaded from its publisher into that cache. Whatever its way, the SHA-256 of its
*uncompressed* content must be the one stated here, so that every reader computes on the same bytes.

No data set is part of the package; each entry says where it comes from and on what terms.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx

_OPENERS: Mapping[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


class DataUnavailableError(OSError):
    """A data set is neither on this machine nor to be had from its publisher now."""


@dataclass(frozen=True)
class Source:
    """Where a data set comes from.

    Attributes
    ----------
    file : str
        Name of the uncompressed file.
    url : str
        The publisher's own file, compressed or not.
    sha256 : str
        Of the uncompressed content.
    page, terms, cite : str
        For the reader: the publisher's page, the terms of use, what to cite.
    """

    file: str
    url: str
    sha256: str
    page: str
    terms: str
    cite: str


SOURCES: Mapping[str, Source] = {
    "facebook": Source(
        file="facebook_combined.txt",
        url="https://snap.stanford.edu/data/facebook_combined.txt.gz",
        sha256="f41c026ed8af3cc3359f1ca5573d0605fb09ae0eefa34544b820fd8c6e2ef296",
        page="https://snap.stanford.edu/data/ego-Facebook.html",
        terms="no licence stated; downloaded, not redistributed",
        cite="J. McAuley and J. Leskovec, Learning to Discover Social Circles in Ego Networks, "
        "NIPS 2012; J. Leskovec and A. Krevl, SNAP Datasets, 2014",
    ),
}


def _read(path: Path) -> bytes:
    opener = _OPENERS.get(path.suffix)
    if opener is None:
        return path.read_bytes()
    with opener(path, "rb") as stream:
        return bytes(stream.read())


def _verified(name: str, content: bytes, origin: object) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    if digest != SOURCES[name].sha256:
        raise ValueError(
            f"load: {name!r} from {origin} has SHA-256 {digest} of its uncompressed content, "
            f"expected {SOURCES[name].sha256}"
        )
    return content


def _pooch() -> Any:
    """Import pooch without its progress bar's remark that a notebook could show a nicer one."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="IProgress not found")
        import pooch
    return pooch


def _download(name: str, cache: Path) -> Path:
    pooch = _pooch()
    watched = sys.stderr is not None and sys.stderr.isatty()
    pooch.get_logger().setLevel("INFO" if watched else "WARNING")
    source = SOURCES[name]
    try:
        # The publisher's compressed bytes may change with the compressor; the content may not.
        path = str(
            pooch.retrieve(
                source.url,
                known_hash=None,
                fname=source.url.rpartition("/")[2],
                path=cache,
                progressbar=watched,  # a notebook stores what is written, so nothing there
            )
        )
    except Exception as error:
        raise DataUnavailableError(
            f"load: {name!r} is neither in $PRIVLIB_DATA nor in {cache} and could not be fetched "
            f"from {source.url} ({type(error).__name__})"
        ) from error
    return Path(path)


def load(name: str) -> bytes:
    """Return the uncompressed content of a data set, checked.

    Parameters
    ----------
    name : str
        A key of `SOURCES`.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If there is no such data set, or the content is not the published one.
    DataUnavailableError
        If the file is not on this machine and cannot be fetched.
    """
    if name not in SOURCES:
        raise ValueError(f"load: name must be one of {sorted(SOURCES)}, got {name!r}")
    file = SOURCES[name].file
    given = os.environ.get("PRIVLIB_DATA")
    cache = Path(_pooch().os_cache("privlib"))
    for folder in ([Path(given)] if given else []) + [cache]:
        for path in (folder / file, *(folder / (file + suffix) for suffix in _OPENERS)):
            if path.is_file():
                return _verified(name, _read(path), path)
    path = _download(name, cache)
    try:
        return _verified(name, _read(path), SOURCES[name].url)
    except ValueError:
        path.unlink()  # or the next call would find it in the cache
        raise


def facebook() -> nx.Graph:
    """Return the friendship network of ten merged Facebook ego networks.

    Returns
    -------
    networkx.Graph
        4,039 nodes numbered from 0, 88,234 undirected edges, in the file's order.

    Raises
    ------
    ValueError
        If the content is not the published one.
    DataUnavailableError
        If the file is not on this machine and cannot be fetched.

    References
    ----------
    .. [1] J. McAuley and J. Leskovec, "Learning to Discover Social Circles in Ego Networks", 2012.
    .. [2] J. Leskovec and A. Krevl, "SNAP Datasets", 2014, https://snap.stanford.edu/data.
    """
    import networkx as nx

    graph = nx.Graph()
    pairs = load("facebook").decode("ascii").split()
    ends = list(map(int, pairs))
    graph.add_nodes_from(range(max(ends) + 1))
    graph.add_edges_from(zip(ends[::2], ends[1::2]))
    return graph
