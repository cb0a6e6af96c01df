r"""Who attacks, and what the worst of them learns.

The adversary :math:`A(i, K)` attacks tuple *i*, knows the tuples in *K* and is uncertain about the
others. A database of *n* tuples has :math:`n 2^{n-1}` adversaries. One who knows nobody is *weak*,
one who knows all others is *strong*, which is whom differential privacy has in mind.

Tuples are numbered from 0 here and from 1 in the paper.
"""

from __future__ import annotations

import numbers
import sys
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety


class Adversary(NamedTuple):
    """The adversary that attacks `target` and knows the tuples in `known` (sorted)."""

    target: int
    known: tuple[int, ...] = ()


@dataclass(frozen=True)
class Worst:
    """The worst adversary of a release and what it learns.

    Attributes
    ----------
    adversary : Adversary
        Who learns most; among equals one of them.
    leakage : float or sympy expression
        Its leakage, the BDP level of the release.
    """

    adversary: Adversary
    leakage: Any


def adversaries(n: int) -> Iterator[Adversary]:
    """Yield all ``n * 2**(n - 1)`` adversaries of `n` tuples.

    By target, then by the number of known tuples, then in lexicographic order.

    Raises
    ------
    TypeError, ValueError
        If `n` is not an integer, or is below 1.

    Examples
    --------
    >>> [(a.target, a.known) for a in adversaries(2)]
    [(0, ()), (0, (1,)), (1, ()), (1, (0,))]
    """
    n = checks.integer("adversaries", "n", n, low=1)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for size in range(n):
            yield from (Adversary(i, known) for known in combinations(others, size))


def _noise(where: str, scale: Any, span: Any) -> float:
    """Return a scale in units of which the range of the query can be expressed."""
    lam = checks.positive(where, "scale", scale)
    if span > lam * (sys.float_info.max / 1e6):
        raise ValueError(f"{where}: scale must not be so small that sums overflow, got {lam}")
    return lam


def _checked(
    where: str, n: int, target: Any, known: Iterable[Any]
) -> tuple[Adversary, tuple[int, ...]]:
    """Return the adversary and the tuples unknown to it; refuse indices that do not fit."""
    i = checks.integer(where, "target", target, low=0, high=n - 1)
    if isinstance(known, (str, bytes)) or not isinstance(known, Iterable):
        raise TypeError(f"{where}: known must be a sequence of tuple indices, got {known!r}")
    indices = [checks.integer(where, "known", j, low=0, high=n - 1) for j in known]
    if len(set(indices)) != len(indices):
        raise ValueError(f"{where}: known must not repeat a tuple, got {tuple(indices)}")
    if i in indices:
        raise ValueError(f"{where}: known must not contain the target {i}, got {tuple(indices)}")
    unknown = tuple(j for j in range(n) if j != i and j not in indices)
    return Adversary(i, tuple(sorted(indices))), unknown


def _positions(where: str, name: str, given: Any) -> None:
    """Refuse labels that are no positions, and what has no order, at any depth of lists."""
    if isinstance(given, (Set, Mapping)):
        raise TypeError(f"{where}: {name} must be in order, got a {type(given).__name__}")
    if isinstance(given, (list, tuple)):
        for entry in given:
            if not isinstance(entry, numbers.Number):
                _positions(where, name, entry)
    else:
        _safety.positions(where, name, given)


def _rationals(where: str, name: str, value: Any, **shape: Any) -> npt.NDArray[Any]:
    """Return numbers as fractions if all are rational, else as floats none of which became 0."""
    array = checks.reals(where, name, value, exact=True, **shape)
    if array.dtype != object and np.asarray(value).dtype == object:
        return checks.reals(where, name, value, **shape)  # fractions beside floats, one by one
    return array
