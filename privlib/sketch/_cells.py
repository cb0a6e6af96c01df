"""Which cells the items of both schemes share, for attacks and defences."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from privlib._checks import IntArray
from privlib.sketch.count_mean import CountMeanSketch
from privlib.sketch.hadamard import HadamardCountMeanSketch
from privlib.sketch.items import Item
from privlib.sketch.scheme import limit_cells

Scheme: TypeAlias = CountMeanSketch | HadamardCountMeanSketch


def check_kind(where: str, scheme: Any, *kinds: type[Scheme]) -> None:
    """Raise unless the scheme is of one of the kinds."""
    if not isinstance(scheme, kinds):
        names = " or ".join(kind.name for kind in kinds)
        got = repr(scheme) if isinstance(scheme, Scheme) else type(scheme).__name__
        raise TypeError(f"{where}: scheme must be {names}, got {got}")


def is_hadamard(scheme: Scheme) -> bool:
    """Tell HCMS from CMS."""
    return isinstance(scheme, HadamardCountMeanSketch)


def collisions(where: str, scheme: Scheme, items: list[Item]) -> IntArray:
    """Return C[t, j], the number of items in the cell of t on row j, t itself included."""
    limit_cells(where, scheme)
    positions = scheme.family.positions(items)
    taken: IntArray = items_by_cell(scheme, positions)[np.arange(scheme.hashes), positions]
    return taken


def items_by_cell(scheme: Scheme, positions: IntArray) -> IntArray:
    """Return the (k, m) number of items by cell."""
    k = scheme.hashes
    m = scheme.width
    return np.bincount((positions + m * np.arange(k)).ravel(), minlength=k * m).reshape(k, m)
