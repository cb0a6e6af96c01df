r"""Aggregation over many processes or machines, by Dask.

A sketch is a sum of integers over reports, so it can be taken in any order:

.. math:: S(R_1 \cup \dots \cup R_p) = S(R_1) + \dots + S(R_p).

Each partition becomes a sketch where it lies, and sketches are added in a tree of fan-in 8: no
process ever holds more than its partition and eight sketches of :math:`8 k m` bytes, and the
answer is that of a single process, bit for bit. With floating point sums it would depend on the
schedule.

Where reports are made on the workers, each must draw its own noise. A seed, as in
``bag.map(scheme.privatize, rng=1)``, gives every partition the same noise, which undoes the
privacy.

Needs the optional extra ``privlib-book[distributed]`` (Dask).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from privlib import _checks as checks
from privlib.sketch.scheme import Scheme, Sketch

_FAN_IN = 8


def _parts(partitions: Any) -> list[Any]:
    """Return the partitions as delayed arrays, lists of arrays, or arrays."""
    if hasattr(partitions, "to_delayed"):  # a Bag gives a list of blocks, an Array an array
        blocks = partitions.to_delayed()
        return list(blocks.ravel()) if hasattr(blocks, "ravel") else list(blocks)
    if hasattr(partitions, "dtype") or not isinstance(partitions, Iterable):
        kinds = "a Dask Bag or Array, or an iterable of report arrays or delayed report arrays"
        got = type(partitions).__name__
        raise TypeError(f"aggregate: partitions must be {kinds}, got {got}")
    return list(partitions)


def aggregate(scheme: Scheme, partitions: Any, *, batch: str | None = None) -> Sketch:
    """Return the sketch of reports that lie in partitions.

    Parameters
    ----------
    scheme : CountMeanSketch or HadamardCountMeanSketch
        How the reports were made.
    partitions : dask.bag.Bag, dask.array.Array or iterable
        A bag whose elements are arrays of reports, a one-dimensional Dask array of reports, or an
        iterable of (delayed) arrays of reports.
    batch : str, optional
        Name of all these reports, as for ``scheme.aggregate``; without it, each partition has the
        name that ``scheme.aggregate`` gives it.

    Returns
    -------
    Sketch
        Equal to ``scheme.aggregate`` of all reports, bit for bit. Computed with whatever scheduler
        Dask is set to.

    Raises
    ------
    ImportError
        Dask is not installed.
    TypeError
        `scheme` is no scheme, or `partitions` nothing that holds partitions; a plain array of
        reports is a case for ``scheme.aggregate``.
    ValueError
        Reports that ``scheme.aggregate`` refuses; raised from the worker. The same delayed
        partition twice.

    Examples
    --------
    >>> import numpy as np
    >>> from privlib.sketch import HadamardCountMeanSketch
    >>> scheme = HadamardCountMeanSketch(1.0, hashes=16, width=8, seed=0)
    >>> reports = scheme.privatize(["x", "y"] * 500)
    >>> aggregate(scheme, np.array_split(reports, 10)) == scheme.aggregate(reports)
    True
    """
    if not isinstance(scheme, Scheme):
        got = type(scheme).__name__
        raise TypeError(f"aggregate: scheme must be a count mean sketch, got {got}")
    parts = _parts(partitions)
    dask = checks.optional("aggregate", "dask")
    # Also where there are parts: a wrong name is refused before the work starts.
    empty = scheme.aggregate([], batch=batch)
    if not parts:
        return empty
    keys = [part.key for part in parts if hasattr(part, "key")]
    if len(set(keys)) < len(keys):
        raise ValueError("aggregate: partitions must not hold the same delayed partition twice")
    sketch, add = (dask.delayed(f, pure=False) for f in (scheme.aggregate, sum))
    level = [sketch(part) for part in parts]
    while len(level) > 1:
        level = [add(level[i : i + _FAN_IN]) for i in range(0, len(level), _FAN_IN)]
    answer: Sketch = dask.compute(level[0])[0]
    if batch is None:
        return answer
    # One batch, not one a partition: the parts are never seen outside.
    return Sketch(scheme, answer.signed, answer.counts, frozenset([batch]))
