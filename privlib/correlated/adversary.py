r"""Who attacks, and what the worst of them learns.

The adversary :math:`A(i, K)` attacks tuple *i*, knows the tuples in *K* and is uncertain about the
others. A database of *n* tuples has :math:`n 2^{n-1}` adversaries. One who knows nobody is *weak*,
one who knows all others is *strong*, which is whom differential privacy has in mind.

Tuples are numbered from 0 here and from 1 in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from privlib import _checks as checks


class Adversary(NamedTuple):
    """The adversary that attacks `target` and knows the tuples in `known` (sorted).

    Parameters
    ----------
    target : int
        Tuple that is attacked, from 0.
    known : tuple of int, optional
        The tuples that are known, in order and without the target.

    Examples
    --------
    >>> weak, strong = Adversary(0), Adversary(0, (1, 2))  # of three tuples
    >>> weak.known, strong.known
    ((), (1, 2))
    """

    target: int
    known: tuple[int, ...] = ()


@dataclass(frozen=True)
class WorstCase:
    """The worst adversary of a release and what it learns.

    Parameters
    ----------
    adversary : Adversary
        Who learns most; among equals one of them.
    leakage : float or sympy expression
        Its leakage, the BDP level of the release, in nats.

    Examples
    --------
    Two equal tuples: to know the one is to know the other, so the weak adversary learns most.

    >>> from privlib.correlated import FiniteDistribution
    >>> worst = FiniteDistribution([[0.5, 0.0], [0.0, 0.5]]).worst_adversary(scale=2)
    >>> worst.adversary.known, worst.leakage
    ((), 1.0)
    """

    adversary: Adversary
    leakage: Any


def adversaries(n: int) -> Iterator[Adversary]:
    """Yield all ``n * 2**(n - 1)`` adversaries of `n` tuples.

    By target, then by the number of known tuples, then in lexicographic order.

    Parameters
    ----------
    n : int
        Number of tuples, at least 1.

    Yields
    ------
    Adversary
        A target and the tuples that are known.

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
