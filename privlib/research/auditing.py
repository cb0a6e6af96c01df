r"""How large is :math:`\varepsilon` at least? A mechanism's answers, and nothing else, say.

If a mechanism is :math:`\varepsilon`-private, then for all neighbours *x*, *y* and every event *S*
:math:`\Pr(m(x) \in S) \le e^{\varepsilon} \Pr(m(y) \in S)`. So every event gives a lower bound,

.. math:: \varepsilon \ge \ln \frac{\Pr(m(x) \in S)}{\Pr(m(y) \in S)},

and draws of both sides estimate it. Who chooses *S* by looking at the draws finds events that look
good by chance. Therefore one half of the draws chooses the event and the order of *x* and *y*; the
other half, which it has not seen, judges it. There the hits are binomial, and with probability
:math:`1 - \beta` at least both

.. math:: p_x \ge B^{-1}(\beta/2;\, h_x, n - h_x + 1), \qquad
          p_y \le B^{-1}(1 - \beta/2;\, h_y + 1, n - h_y)

hold (Clopper and Pearson; *B* the distribution function of the Beta distribution). The logarithm of
their ratio exceeds the true :math:`\varepsilon` with probability :math:`\beta` at most, whatever
the event, for every mechanism whose draws are independent. An audit can convict; it can never
acquit.

The two limits are computed by one library and checked by another: as returned,
:math:`\Pr(X \ge h_x)` at :math:`p_x` and :math:`\Pr(X \le h_y)` at :math:`p_y` are at most
:math:`\beta/2`, which is what Clopper and Pearson's argument needs. They are moved outward until
it is so, and the logarithm of their ratio is rounded down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from privlib import _checks as checks
from privlib import _safety

MOST_DRAWS = 50_000_000
"""Answers on each side: 800 MB of floats for both."""


@dataclass(frozen=True, eq=False)
class Audit(_safety.OwnsArrays):
    r"""What `audit` found.

    Parameters
    ----------
    epsilon : float
        Lower bound of the mechanism's :math:`\varepsilon`, at least 0.
    confidence : float
        Probability, at least, that the bound is true.
    event : ndarray, shape (k, 2)
        The event: a union of intervals (low, high]; it cannot be written to.
    swapped : bool
        The event is more likely at *y* than at *x*.
    hits : tuple of int and int
        Judging draws in the event, of the likelier side and of the other.
    draws : int
        Judging draws of each side.

    Examples
    --------
    An answer whose noise has half the scale that it should have is not 1-private: the bound is
    above 1.

    >>> halved = lambda counts, rng: counts + rng.laplace(0.0, 0.5, counts.shape)
    >>> found = audit(halved, 0.0, 1.0, rng=0)
    >>> found.epsilon > 1, found.confidence, found.hits[0] > found.hits[1]
    (True, 0.95, True)
    """

    epsilon: float
    confidence: float
    event: checks.FloatArray
    swapped: bool
    hits: tuple[int, int]
    draws: int


def audit(
    mechanism: Callable[..., npt.ArrayLike],
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    rng: Any = None,
    confidence: float = 0.95,
    draws: int = 200_000,
) -> Audit:
    r"""Return a lower bound of a mechanism's epsilon, from its answers on two neighbours.

    Parameters
    ----------
    mechanism : callable
        Called twice, ``mechanism(copies, rng=generator)``: `copies` has `draws` times *x*, or *y*,
        along its first axis, and the result is one number (or bool) for each. The copies are one
        block of memory that is read `draws` times, so they cannot be written to; a mechanism that
        writes takes ``copies.copy()``. A mechanism that takes one input at a time is given as a
        loop over the copies. What an attacker would compute from an answer may be part of it: the
        bound holds for the answer too.
    x, y : array_like, shape (...)
        Two neighbouring inputs: databases, or the exact answers on them.
    rng : None, int or numpy.random.Generator
        Passed to the mechanism, which may ignore it.
    confidence : float
        Probability, in (0, 1), that the bound is true.
    draws : int
        Answers on each input, 4 to 50,000,000; one half chooses the event, one half judges it.

    Returns
    -------
    Audit
        The bound, its event, and the counts.

    Raises
    ------
    ValueError
        The mechanism does not return one finite number a copy, or an argument is out of its
        range.
    TypeError
        The answers are no numbers, or an argument is of another kind.
    UncertifiedError
        The confidence limits do not pass a second computation.

    Notes
    -----
    The promise: with probability `confidence` at least, over the draws, the bound is not above the
    mechanism's :math:`\varepsilon` for this pair. It covers one audit: of a hundred audits at 0.95
    five may be wrong, and an audit that is repeated until it accuses has no confidence. The draws
    have to be independent. The answers are sorted into about 256 cells (low, high], of
    single values or of equal mass, and finer ones in the tails. The events that compete are the
    thresholds in both directions and, of the cells in the order of their likelihood ratio, the
    first few: so intervals and sets of single values as well. A quarter of the draws makes the
    cells and their order; on the next the winner has the largest bound, at a confidence that allows
    for their number. With *n* judging draws no event can show more than about :math:`\ln(n /
    \ln(2/\beta))`.

    References
    ----------
    Clopper and Pearson, The use of confidence or fiducial limits (1934). Auditing by events from
    held-out draws: Ding, Wang, Wang, Zhang and Kifer, Detecting violations of differential
    privacy (2018); Jagielski, Ullman and Oprea, Auditing differentially private machine learning
    (2020).

    Examples
    --------
    Noise of half the scale that epsilon 1 asks for:

    >>> halved = lambda counts, rng: counts + rng.laplace(0.0, 0.5, counts.shape)
    >>> found = audit(halved, 0.0, 1.0, rng=0)
    >>> round(found.epsilon, 2), found.draws
    (1.99, 100000)
    """
    where = "audit"
    if not callable(mechanism):
        kind = type(mechanism).__name__
        raise TypeError(f"{where}: mechanism must be callable, got one of the type {kind}")
    size, source = checks.integer(where, "draws", draws, low=4), checks.generator(where, rng)
    _safety.limit(where, "draws", size, MOST_DRAWS)
    level = checks.probability(where, "confidence", confidence)
    checks.bounded(where, "confidence", level, "be in (0, 1)", lambda v: 0 < v < 1)
    inputs = [_array(where, "x", x), _array(where, "y", y)]
    answers = np.empty((2, size))
    for row, value in zip(answers, inputs):
        copies = np.broadcast_to(value, (size, *value.shape))
        drawn = mechanism(copies, rng=source)
        checks.not_masked(where, "what the mechanism returns", drawn)
        drawn = np.asarray(drawn)
        drawn = drawn.astype(np.int64) if drawn.dtype == np.bool_ else drawn
        row[:] = checks.reals(where, "what the mechanism returns", drawn, shape=(size,))
    sorting, choosing, judging = np.split(answers, [size // 4, size // 2], axis=1)

    pooled = np.sort(sorting, axis=None)
    ends = 2 ** np.arange(pooled.size.bit_length() - 1)  # finer cells in the tails
    edges = np.unique(pooled[np.r_[0 : pooled.size : 1 + pooled.size // 256, ends, -ends]])
    rising, candidates = np.arange(edges.size + 1), []
    first, second = (
        np.stack([np.bincount(np.searchsorted(edges, a), minlength=rising.size) for a in part])
        for part in (sorting, choosing)
    )
    for turn in (1, -1):
        likelier, other = first[::turn] + 0.5
        for order in (rising, rising[::-1], np.argsort(-likelier / other, kind="stable")):
            sums = np.cumsum(second[::turn, order], axis=1)
            bounds = _bound(sums, choosing.shape[1], (1 - level) / rising.size)
            candidates.append((bounds.max(), turn, order[: bounds.argmax() + 1]))
    _, turn, members = max(candidates, key=lambda candidate: candidate[0])

    inside = np.isin(rising, members)
    hits = inside[np.searchsorted(edges, judging)].sum(axis=1)[::turn]
    bound = _certified_bound(int(hits[0]), int(hits[1]), judging.shape[1], 1 - level)
    turns = np.diff(inside.astype(int), prepend=0, append=0) != 0
    event = np.concatenate([[-np.inf], edges, [np.inf]])[turns].reshape(-1, 2)
    return Audit(bound, level, event, turn < 0, (int(hits[0]), int(hits[1])), judging.shape[1])


def _array(where: str, name: str, value: Any) -> npt.NDArray[Any]:
    """Return an input as an array, which must be rectangular and without a mask."""
    checks.not_masked(where, name, value)
    try:
        return np.asarray(value)
    except ValueError:
        pass
    raise ValueError(
        f"{where}: {name} must be rectangular; for a database of another form pass a number that "
        "stands for it, and let the mechanism look it up"
    )


def _bound(hits: npt.NDArray[np.int64], n: int, beta: float) -> checks.FloatArray:
    """Return the logarithm of the lower limit of hits[0] of n over the upper limit of hits[1]."""
    one, other = hits
    low = special.betaincinv(np.maximum(one, 1), n - one + 1, beta / 2)
    high = special.betaincinv(other + 1, np.maximum(n - other, 1), 1 - beta / 2)
    return np.where(one, np.log(low) - np.log(np.where(other < n, high, 1.0)), -np.inf)


def _certified_bound(hits: int, others: int, n: int, beta: float) -> float:
    """Return the bound of the judging draws, each limit on the safe side of its equation."""
    if hits == 0:
        return 0.0
    low = float(special.betaincinv(hits, n - hits + 1, beta / 2))
    low = _outward(low, -1, lambda p: float(special.bdtrc(hits - 1, n, p)), beta / 2)
    high = 1.0
    if others < n:
        high = float(special.betainccinv(others + 1, n - others, beta / 2))
        high = _outward(high, 1, lambda p: float(special.bdtr(others, n, p)), beta / 2)
    if low <= 0:
        return 0.0
    # Each logarithm is rounded, and so is their difference.
    rounding = 2.0**-51 * (abs(math.log(low)) + abs(math.log(high)))
    return max(0.0, math.log(low) - math.log(high) - rounding)


def _outward(limit: float, sign: int, tail: Callable[[float], float], beta: float) -> float:
    """Return the limit, moved by as few units in the last place as make its tail at most beta."""
    for doubling in range(53):
        units = 2.0**doubling - 1
        moved = limit + sign * units * math.ulp(limit)
        moved = min(max(moved, 0.0), 1.0)
        if tail(moved) <= beta:
            return moved
    raise _safety.UncertifiedError(
        f"audit: the tail at the confidence limit must be at most {beta:.6g}, but a second "
        f"computation gives {tail(limit):.6g}; nothing is returned"
    )
