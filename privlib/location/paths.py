r"""Paths of length n as states: processes of order n on the observed support.

A process of order *n* on *L* stations is one of order one on paths (*n*-grams),

.. math:: s = (\ell_1, \dots, \ell_n) \longrightarrow
          s' = (\ell_2, \dots, \ell_n, \ell_{n+1}),

so a step is possible only where the last :math:`n - 1` stations of *s* are the first ones of *s'*.
There are :math:`L^n` paths but only few occur: states are the observed ones, numbered by their
value in base *L*, and the transition matrix is sparse.

**Blocks.** Let the *context* of a step be the :math:`n - 1` stations that *s* and *s'* share. The
flow network of a step is the direct sum of one network for each context *m*, with at most *L*
sources :math:`(a, m)` and *L* sinks :math:`(m, b)`. Each of them must balance by itself,

.. math:: \sum_a \pi_{am}(t - 1) = \sum_b \pi_{mb}(t) \quad\text{for every } m,

which true histograms do, since both sides count the people with the recent past *m*. A published
histogram that is a mixture of the true one and a prediction does not in general, and then no
movement at all leads from it to the next true histogram. For :math:`n = 1` there is one block and
the condition is the equality of the totals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sps

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray, IntArray
from privlib.location import validation as valid


@dataclass(frozen=True, eq=False)
class Paths(_safety.Rebuilt):
    """Everybody's path of length n at every time, as numbers of states.

    The arrays are copies that cannot be written to.

    Parameters
    ----------
    order : int
        Length *n* of a path.
    size : int
        Number *L* of stations.
    grams : ndarray of int64, shape (states, order)
        The states in lexicographic order.
    index : ndarray of int64, shape (people, times)
        State of each person; time 0 is the first at which a whole path has been seen.

    Examples
    --------
    >>> paths = count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2)
    >>> paths.grams.tolist(), paths.index.tolist()
    ([[0, 1], [1, 0], [1, 1]], [[0, 2, 2], [0, 1, 0]])
    """

    order: int
    size: int
    grams: IntArray = field(repr=False)
    index: IntArray = field(repr=False)

    def __post_init__(self) -> None:
        """Take copies, so that nobody changes the states that a matrix was made for."""
        for name in ("grams", "index"):
            checks.not_masked("Paths", name, getattr(self, name))
            object.__setattr__(self, name, _safety.owned(getattr(self, name)))

    @property
    def before_block(self) -> IntArray:
        """Block of each state as an origin, its last ``order - 1`` stations, shape (states,).

        Examples
        --------
        The states are (0, 1), (1, 0) and (1, 1).

        >>> paths = count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2)
        >>> paths.before_block.tolist()
        [1, 0, 1]
        """
        return _code(self.grams[:, 1:], self.size)

    @property
    def after_block(self) -> IntArray:
        """Block of each state as a destination, its first ``order - 1`` stations, shape (states,).

        Examples
        --------
        The states are (0, 1), (1, 0) and (1, 1).

        >>> paths = count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2)
        >>> paths.after_block.tolist()
        [0, 1, 1]
        """
        return _code(self.grams[:, :-1], self.size)

    def histograms(self) -> IntArray:
        """Return the number of people in each state at each time.

        Returns
        -------
        ndarray of int64, shape (times, states)
            Each row sums to the number of people.

        Examples
        --------
        >>> paths = count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2)
        >>> paths.histograms().tolist()
        [[2, 0, 0], [0, 1, 1], [1, 0, 1]]
        """
        times = self.index.shape[1]
        states = len(self.grams)
        cell = np.arange(times) * states + self.index
        return np.bincount(cell.ravel(), minlength=times * states).reshape(times, states)


def _code(grams: npt.NDArray[np.integer[Any]], size: int) -> IntArray:
    """Value of each row in base `size`; the empty path is 0."""
    weights = size ** np.arange(grams.shape[-1] - 1, -1, -1, dtype=np.int64)
    return np.asarray(grams.astype(np.int64) @ weights, dtype=np.int64)


def _stations(where: str, value: npt.ArrayLike, size: int | None, low: int = 0) -> IntArray:
    """Return sequences of stations below `size`, shape (people, times).

    From the least number `low` on; -1 pads a sequence and stands at its end only.
    """
    high = None if size is None else size - 1
    valid.in_time(where, "sequences", value)
    # Every row is a person, in any order, so the index of a table of people says nothing.
    array = checks.integers(where, "sequences", value, low=low, high=high, ndim=2, records=True)
    if not array.size:
        raise ValueError(f"{where}: sequences must count somebody, got shape {array.shape}")
    late = np.argwhere((array[:, :-1] < 0) & (array[:, 1:] >= 0))
    if late.size:
        raise ValueError(
            f"{where}: sequences must have their padding -1 at the end, row {late[0, 0]} has it "
            f"at time {late[0, 1]} and stations after it"
        )
    return array


def count_paths(sequences: npt.ArrayLike, order: int, *, size: int | None = None) -> Paths:
    r"""Return the paths of length `order` that occur in sequences of stations.

    Parameters
    ----------
    sequences : array_like of int, shape (people, times)
        Stations ``0..size-1``, as many times for everybody: what `drop_repeats` pads is refused.
        The rows of a DataFrame are people, its columns times in order.
    order : int
        Length of a path.
    size : int, optional
        Number of stations; default: the largest one seen, plus 1.

    Returns
    -------
    Paths
        With ``times - order + 1`` times.

    Raises
    ------
    ValueError
        `order` exceeds the number of times, the sequences have different lengths, or
        ``size**order`` does not fit in 63 bits.
    TypeError
        Stations are names: number them first, the same way for everybody.

    Notes
    -----
    A state that is seen only at the last time has no successor. To keep the transition matrix
    stochastic such a path goes on by staying: the missing successors
    :math:`(\ell_2, \dots, \ell_n, \ell_n)` are added until nothing is missing, at most
    :math:`n - 1` for each person.

    References
    ----------
    .. [1] Kawamoto and Sakuma, section 5.

    Examples
    --------
    >>> paths = count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2)
    >>> paths.grams.tolist()
    [[0, 1], [1, 0], [1, 1]]
    >>> paths.histograms().tolist()
    [[2, 0, 0], [0, 1, 1], [1, 0, 1]]
    """
    count = None if size is None else checks.integer("count_paths", "size", size, low=1)
    array = _stations("count_paths", sequences, count)
    times = array.shape[1]
    count = count or int(array.max()) + 1
    n = checks.integer("count_paths", "order", order, low=1, high=times)
    if count ** min(n, 63) >= 1 << 63:
        raise ValueError(f"count_paths: {count}**{n} paths do not fit in 63 bits")
    codes = np.zeros((array.shape[0], times - n + 1), dtype=np.int64)
    for k in range(n):
        codes = codes * count + array[:, k : times - n + 1 + k]
    if count**n > 1 << 24:
        states = np.unique(codes)
    else:  # a table of marks is faster where it fits
        seen = np.zeros(count**n, dtype=np.bool_)
        seen[codes] = True
        states = np.flatnonzero(seen)
    ends = np.setdiff1d(codes[:, -1], codes[:, :-1]) if codes.shape[1] > 1 else states
    while ends.size:
        ends = np.setdiff1d(ends % count ** (n - 1) * count + ends % count, states)
        states = np.union1d(states, ends)
    weights = count ** np.arange(n - 1, -1, -1, dtype=np.int64)
    index = np.searchsorted(states, codes).astype(np.int64)
    return Paths(n, count, states[:, None] // weights % count, index)


def _require_paths(where: str, paths: Any) -> None:
    """Refuse what `count_paths` does not return."""
    if not isinstance(paths, Paths):
        raise TypeError(f"{where}: paths must be Paths, got {type(paths).__name__}")


def transition(
    paths: Paths, *, people: npt.ArrayLike | None = None, smoothing: float = 0.0
) -> sps.csr_array:
    r"""Return the transition matrix that the steps of some people show.

    Parameters
    ----------
    paths : Paths
        Everybody's paths, as `count_paths` returns them.
    people : array_like of int or bool, optional
        Whose steps count; default: everybody's.
    smoothing : float, optional
        Added to the count of every step between states that the paths allow: 0, or large enough
        that no probability is 0 in floats, at most 1e290.

    Returns
    -------
    scipy.sparse.csr_array, shape (states, states)
        Row-stochastic. With ``smoothing=0`` its entries are the observed steps only.

    Raises
    ------
    ValueError, TypeError
        `paths` are no `Paths`; `people` is masked, or names somebody who is not there, or nobody; a
        probability would be 0 in floats.

    Notes
    -----
    With the steps :math:`a_{ss'}(t)` of everybody and no smoothing,
    :math:`P_{ss'} = \sum_t a_{ss'}(t) / \sum_t \pi_s(t - 1)`, so that
    :math:`\sum_t \pi(t - 1) P = \sum_t \pi(t)` exactly: the sum of all predictions is the sum of
    all true histograms, and needs nothing but this matrix and the time-shifted sum.
    A state that none of `people` has left goes on by staying where that is a known state, else to
    all known states of its block alike.

    References
    ----------
    .. [1] Kawamoto and Sakuma, section 5; the source of the matrix is not stated there.

    Examples
    --------
    >>> paths = count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2)
    >>> transition(paths).toarray()
    array([[0. , 0.5, 0.5],
           [1. , 0. , 0. ],
           [0. , 0. , 1. ]])
    """
    _require_paths("transition", paths)
    extra = checks.non_negative("transition", "smoothing", smoothing)
    checks.bounded("transition", "smoothing", extra, "be at most 1e290", lambda v: v <= 1e290)
    index = paths.index if people is None else paths.index[_selected(people, len(paths.index))]
    if not index.size:
        raise ValueError("transition: people must select at least one person, got none")
    states = len(paths.grams)

    def counted(origin: IntArray, target: IntArray, weight: float) -> sps.csr_array:
        entries = np.full(origin.size, weight), (origin, target)
        return sps.csr_array(entries, shape=(states, states))

    matrix = counted(index[:, :-1].ravel(), index[:, 1:].ravel(), 1.0)
    if extra:
        matrix = matrix + counted(*_allowed(paths, np.arange(states)), extra)
    stuck = np.flatnonzero(np.diff(matrix.indptr) == 0)
    matrix = matrix + counted(*_onwards(paths, stuck), 1.0)
    matrix.data /= np.repeat(matrix.sum(axis=1), np.diff(matrix.indptr))
    if extra:
        least = float(matrix.data.min())
        if least < np.finfo(np.float64).tiny:
            raise ValueError(
                "transition: smoothing must leave every step a probability that floats hold, "
                f"got {smoothing}, which leaves {least:.3g}"
            )
    return matrix


def _selected(people: npt.ArrayLike, count: int) -> npt.NDArray[Any]:
    """Return whom `people` selects, by number or by one bool a person."""
    checks.not_masked("transition", "people", people)
    _safety.positions("transition", "people", people)
    chosen = np.asarray(people)
    if chosen.dtype == np.bool_:
        if chosen.shape != (count,):
            raise ValueError(
                f"transition: people must have one bool for each of {count}, got shape "
                f"{chosen.shape}"
            )
        return chosen
    return checks.integers("transition", "people", people, low=0, high=count - 1, ndim=1)


def _allowed(paths: Paths, origins: IntArray) -> tuple[IntArray, IntArray]:
    """All steps from `origins` to known states of the same block (states are sorted by it)."""
    after = paths.after_block
    context = paths.before_block[origins]
    first = np.searchsorted(after, context, side="left")
    many = np.searchsorted(after, context, side="right") - first
    ends = np.cumsum(many)
    count = ends[-1] if len(ends) else 0
    target = np.arange(count) + np.repeat(first - (ends - many), many)
    return np.repeat(origins, many), target


def _onwards(paths: Paths, origins: IntArray) -> tuple[IntArray, IntArray]:
    """Steps for states that nobody was seen to leave: stay if that is known, else anywhere."""
    origin, target = _allowed(paths, origins)
    stays = paths.grams[target, -1] == paths.grams[origin, -1]
    can_stay = np.isin(origin, origin[stays])
    keep = stays | ~can_stay
    return origin[keep], target[keep]


def imbalance(before: npt.ArrayLike, after: npt.ArrayLike, *, paths: Paths) -> FloatArray:
    r"""Return by how much each block fails to balance.

    Parameters
    ----------
    before, after : array_like, shape (states,)
        Two histograms over the states, integer or not.
    paths : Paths
        What the states are.

    Returns
    -------
    ndarray, shape (blocks,)
        :math:`\sum_a \pi_{am} - \sum_b x_{mb}` for each context *m* that occurs, in lexicographic
        order. Half the sum of the absolute values is the number of people who cannot be routed
        even if every step inside a block were possible (for equal totals).

    Raises
    ------
    ValueError
        A histogram has not one number for each state.
    TypeError
        `paths` are no `Paths`, or a histogram does not hold numbers.

    Examples
    --------
    >>> paths = count_paths([[0, 1, 1, 1], [0, 1, 0, 1]], 2)
    >>> imbalance([2, 0, 0], [0, 1, 1], paths=paths).tolist()
    [0.0, 0.0]
    >>> imbalance([1, 1, 0], [0, 1, 1], paths=paths).tolist()
    [1.0, -1.0]
    """
    _require_paths("imbalance", paths)
    shape = (len(paths.grams),)
    x = checks.reals("imbalance", "before", before, shape=shape)
    y = checks.reals("imbalance", "after", after, shape=shape)
    of_state = np.concatenate([paths.before_block, paths.after_block])
    contexts, block = np.unique(of_state, return_inverse=True)
    signed = np.concatenate([x, -y])
    return np.bincount(block, weights=signed, minlength=len(contexts)).astype(np.float64)


def drop_repeats(sequences: npt.ArrayLike) -> IntArray:
    """Return sequences with stays left out: each station once until it is left.

    Parameters
    ----------
    sequences : array_like of int, shape (people, times)
        Stations, numbered from 0; nobody's sequence is padded.

    Returns
    -------
    ndarray of int64, shape (people, longest)
        Padded with -1 at the end.

    Raises
    ------
    ValueError
        A station is negative, or there is nobody.
    TypeError
        Stations are no integers.

    Examples
    --------
    >>> drop_repeats([[0, 0, 1, 1, 0], [2, 2, 2, 2, 2]]).tolist()
    [[0, 1, 0], [2, -1, -1]]
    """
    array = _stations("drop_repeats", sequences, None)
    new = np.ones(array.shape, dtype=np.bool_)
    new[:, 1:] = array[:, 1:] != array[:, :-1]
    lengths = new.sum(axis=1)
    out = np.full((len(array), int(lengths.max())), -1, dtype=np.int64)
    out[np.arange(out.shape[1]) < lengths[:, None]] = array[new]  # both in row order
    return out


def gram_counts(sequences: npt.ArrayLike, order: int, *, size: int) -> IntArray:
    """Return how often each path of length `order` occurs in padded sequences.

    Parameters
    ----------
    sequences : array_like of int, shape (people, times)
        Stations ``0..size-1``, padded with -1 at the end (see `drop_repeats`).
    order : int
        Length of a path.
    size : int
        Number of stations.

    Returns
    -------
    ndarray of int64, shape (size**order,)
        In lexicographic order of the paths.

    Raises
    ------
    ValueError
        ``size**order`` exceeds 20 million.

    Examples
    --------
    >>> gram_counts([[0, 1, 0], [1, 1, -1]], 2, size=2).tolist()
    [0, 1, 1, 1]
    """
    n = checks.integer("gram_counts", "order", order, low=1)
    count = checks.integer("gram_counts", "size", size, low=1)
    array = _stations("gram_counts", sequences, count, low=-1)
    if count ** min(n, 25) > 20_000_000:
        raise ValueError(f"gram_counts: {count}**{n} paths are more than 20 million")
    if array.shape[1] < n:
        return np.zeros(count**n, dtype=np.int64)
    windows = np.lib.stride_tricks.sliding_window_view(array, n, axis=1)
    whole = windows[array[:, n - 1 :] >= 0]  # padding stands at the end
    return np.bincount(_code(whole, count), minlength=count**n)
