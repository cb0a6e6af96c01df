r"""The n-gram method of Chen, Acs and Castelluccia: one private release of all sequences.

The paper compares itself with it. Every sequence is cut to its first *l_max* symbols, where the
end of a shorter one is a symbol of its own. A tree of contexts grows from the root; a node *v* of
depth *d* is a context of *d* symbols and holds a histogram: how often each symbol (or the end)
came next. Each position of a sequence adds one count to one histogram on each level of *one* path
from the root, and a sequence has at most *l_max* positions. So if the histogram of *v* gets noise
:math:`\mathrm{Lap}(l_{\max} / \varepsilon_v)`, adding or removing one sequence costs at most

.. math:: \sum_{\text{positions}} \; \sum_{v \text{ on its path}} \frac{\varepsilon_v}{l_{\max}}
          \le \max_{\text{paths}} \sum_v \varepsilon_v ,

and the release is :math:`\varepsilon`-differentially private as soon as the budgets
:math:`\varepsilon_v` along every path from the root sum to at most :math:`\varepsilon`.

*Which nodes.* A bin whose noisy count exceeds
:math:`\theta_v = l_{\max} \ln(K / 2) / \varepsilon_v`, *K* the number of symbols with the end,
becomes a child; pure noise passes this threshold with probability :math:`1 / K`, about one false
child a node. *Which budget.* The root gets :math:`\varepsilon / n_{\max}`. For a child the number
of levels still worth having is estimated by
:math:`h = \lceil \ln(\theta_v / c) / \ln p_{\max} \rceil`, with its noisy count *c* and the
largest probability :math:`p_{\max}` of its *Markov neighbour*, the longest proper suffix of the
context that is in the tree; it gets the *h*-th part of what its path has left. Children with
:math:`h = 1` are leaves and use all of it. *Repair.* Bins that are not released take the shares of
the Markov neighbour, negative counts become 0, and a histogram is scaled to the count of its node.
All of that is computed from noisy numbers and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray, IntArray
from privlib.location import validation as valid

BoolArray = npt.NDArray[np.bool_]

SEQUENCE_LIMIT = 100_000_000  # symbols of all sequences: 0.8 GB
BIN_LIMIT = 20_000_000  # bins of all nodes
HEIGHT_LIMIT = 1000  # levels of the tree


@dataclass(frozen=True, eq=False, repr=False)
class NgramModel(_safety.OwnsArrays):
    """A released tree of n-gram counts; node 0 is the root, parents come before children.

    Parameters
    ----------
    symbols : int
        Number of symbols without the end.
    parent : ndarray of int64, shape (nodes,)
        Parent of each node.
    symbol : ndarray of int64, shape (nodes,)
        Last symbol of its context.
    depth : ndarray of int64, shape (nodes,)
        Length of its context.
    budget : ndarray, shape (nodes,)
        Part of epsilon that the node's histogram has cost.
    noisy : ndarray, shape (nodes, symbols + 1)
        Counts of the next symbol with noise; the last column is the end.
    histogram : ndarray, shape (nodes, symbols + 1)
        The same counts after the repairs.
    child : ndarray of int64, shape (nodes, symbols + 1)
        Child by symbol, -1 where there is none.
    neighbour : ndarray of int64, shape (nodes,)
        Markov neighbour: the longest proper suffix of the context that is a node (root: itself).

    Examples
    --------
    Without noise the histogram of the root counts the symbols of both walks, and the two ends.

    >>> walks = [[0, 1, 0], [0, 1, 1]]
    >>> model = ngram_dp(walks, epsilon=np.inf, n_max=2, l_max=4, symbols=2)
    >>> model.histogram[0]
    array([3., 3., 2.])
    """

    symbols: int
    parent: IntArray
    symbol: IntArray
    depth: IntArray
    budget: FloatArray
    noisy: FloatArray
    histogram: FloatArray
    child: IntArray
    neighbour: IntArray

    def __repr__(self) -> str:
        return f"NgramModel({self.symbols} symbols, {len(self.parent)} nodes)"

    def spent(self) -> FloatArray:
        """Return the sum of the budgets from the root down to each node.

        Returns
        -------
        ndarray of float, shape (nodes,)
            At most the epsilon of the release.

        Examples
        --------
        The root takes half of the level, and its two children take the rest.

        >>> walks = np.random.default_rng(0).integers(0, 2, (500, 8))
        >>> model = ngram_dp(walks, epsilon=1.0, n_max=2, l_max=8, symbols=2, rng=1)
        >>> model.spent().round(3).tolist()
        [0.5, 1.0, 1.0]
        """
        return _down_the_tree(self.budget, self.parent, self.depth)

    def counts(self, order: int) -> FloatArray:
        r"""Return the estimated number of times that each path of length `order` occurs.

        Parameters
        ----------
        order : int
            May exceed the height of the tree; unknown contexts are replaced by their longest
            known suffix. At most 20 million paths.

        Returns
        -------
        ndarray, shape (symbols**order,)
            In lexicographic order of the paths; the end symbol is left out.

        Raises
        ------
        ValueError
            The order is below 1, or there are more than 20 million paths.

        Examples
        --------
        Without noise: the paths (0, 0), (0, 1), (1, 0) and (1, 1).

        >>> walks = [[0, 1, 0], [0, 1, 1]]
        >>> model = ngram_dp(walks, epsilon=np.inf, n_max=2, l_max=4, symbols=2)
        >>> model.counts(2)
        array([0., 2., 1., 1.])
        """
        n = checks.integer("counts", "order", order, low=1)
        # Two symbols or more: 25 of them are too many already, and the power stays small.
        if self.symbols ** min(n, 25) > 20_000_000:
            raise ValueError(f"counts: {self.symbols}**{n} paths are more than 20 million")
        total = self.histogram.sum(axis=1, keepdims=True)
        nothing = np.zeros_like(self.histogram)
        share = np.divide(self.histogram, total, out=nothing, where=total > 0)[:, :-1]
        onward = _onward(self.child, self.neighbour, self.depth)[:, :-1]
        value = self.histogram[0, :-1]
        node = onward[0]
        for _ in range(n - 1):
            value = (value[:, None] * share[node]).ravel()
            node = onward[node].ravel()
        return value


def _down_the_tree(
    value: FloatArray, parent: IntArray, depth: IntArray, *, up: bool = False
) -> FloatArray:
    """Return the sums of a value from the root down to each node, rounded `up` if asked."""
    total = value.copy()
    for level in range(1, int(depth.max()) + 1):
        here = depth == level
        total[here] += total[parent[here]]
        if up:
            total[here] = np.nextafter(total[here], np.inf)
    return total


def _onward(child: IntArray, neighbour: IntArray, depth: IntArray) -> IntArray:
    """Longest known suffix after each symbol: an automaton on the nodes (Aho and Corasick)."""
    out = child.copy()
    out[0, out[0] < 0] = 0
    for level in range(1, int(depth.max()) + 1):  # neighbours are shorter, so they are complete
        here = depth == level
        out[here] = np.where(out[here] < 0, out[neighbour[here]], out[here])
    return out


def _height(count: FloatArray, threshold: FloatArray, near: FloatArray, most: int) -> FloatArray:
    """Levels until `count` is expected to fall below `threshold`, in 1..most."""
    total = near.sum(axis=1)
    top = np.divide(near[:, :-1].max(axis=1), total, out=np.zeros(len(near)), where=total > 0)
    # Without noise no count falls below the threshold 0.
    ratio = np.divide(count, threshold, out=np.full(len(count), np.inf), where=threshold > 0)
    # A certain next symbol: never; none at all: at once. Both infinite: never.
    with np.errstate(divide="ignore", invalid="ignore"):
        levels = np.ceil(np.log(ratio) / np.abs(np.log(top)))
    levels = np.where(np.isnan(levels), np.inf, levels)
    return np.asarray(np.clip(levels, 1, most), dtype=np.float64)


def _repair(
    noisy: FloatArray, released: BoolArray, near: FloatArray, target: FloatArray
) -> FloatArray:
    """Fill unreleased bins from the neighbours' shares, clip, scale to `target` (inf: keep)."""
    base = np.where(released, np.maximum(noisy, 0), 0)
    kept = base.sum(axis=1)
    own = np.maximum(np.where(released, 0, noisy).sum(axis=1), 0)
    target = np.where(np.isfinite(target), target, kept + own)
    near = np.where(near.sum(axis=1, keepdims=True) > 0, near, 1.0)
    fill = np.where(released, 0, near)
    fill = np.where((fill.sum(axis=1, keepdims=True) > 0) | released, fill, 1.0)
    share = fill / np.maximum(fill.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    values = base + share * np.maximum(target - kept, 0)[:, None]
    values = np.where(values.sum(axis=1, keepdims=True) > 0, values, near)
    return np.asarray(values * (target / values.sum(axis=1))[:, None], dtype=np.float64)


def _positions(value: npt.ArrayLike, symbols: int, l_max: int) -> IntArray:
    """Return sequences cut to `l_max` with the end symbol, padded with -1.

    There are only as many columns as the longest sequence with its end has. No message quotes a
    sequence: they are what the release protects.
    """
    rule = f"must hold integers in -1..{symbols - 1}, one sequence a row"
    if hasattr(value, "toarray"):
        raise TypeError(f"ngram_dp: sequences must be dense, got a {type(value).__name__}")
    checks.not_masked("ngram_dp", "sequences", value)
    for row in value if isinstance(value, (list, tuple)) else []:
        checks.not_masked("ngram_dp", "sequences", row)
    valid.in_time("ngram_dp", "sequences", value)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(
            "ngram_dp: sequences must be a rectangular array; pad shorter ones with -1 at the end"
        ) from error
    if array.ndim != 2:
        raise ValueError(f"ngram_dp: sequences must have 2 dimension(s), got shape {array.shape}")
    if array.dtype.kind == "O" and array.size:
        whole = [isinstance(entry, (int, np.integer)) for entry in array.flat]
        boolean = [isinstance(entry, checks.REFUSED) for entry in array.flat]
        if not all(whole) or any(boolean):
            raise TypeError(f"ngram_dp: sequences {rule}")
    elif array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"ngram_dp: sequences {rule}, got an array of {array.dtype}")
    # Before they become int64: Python's integers and unsigned ones are compared as they are.
    if array.size and not ((array >= -1) & (array < symbols)).all():
        raise ValueError(f"ngram_dp: sequences {rule}; some are not")
    array = array.astype(np.int64)
    # In all columns, also those that are cut off.
    if np.any((array[:, 1:] >= 0) & (array[:, :-1] < 0)):
        raise ValueError("ngram_dp: sequences must be padded with -1 at the end only")
    columns = min(l_max, array.shape[1] + 1)
    missing = (0, 0), (0, max(columns - array.shape[1], 0))
    kept = np.pad(array[:, :columns], missing, constant_values=-1)
    length = (kept >= 0).sum(axis=1)
    short = np.flatnonzero(length < columns)
    kept[short, length[short]] = symbols
    return kept


def _certify(
    epsilon: float,
    length: int,
    scale: FloatArray,
    kept: IntArray,
    parent: IntArray,
    depth: IntArray,
) -> None:
    """Check the loss of one sequence from the scales of the noise that was added.

    Each of its `length` positions or fewer adds one count on each level of one path from the root.
    """
    positions = (kept >= 0).sum(axis=1).max(initial=0)
    _safety.certify(
        "ngram_dp", "the number of counts of one sequence on a level", positions, length
    )
    with np.errstate(divide="ignore"):
        loss = np.nextafter(length / scale, np.inf)
    worst = _down_the_tree(loss, parent, depth, up=True).max()
    _safety.certify("ngram_dp", "the privacy loss of one sequence", worst, epsilon)


def ngram_dp(
    sequences: npt.ArrayLike,
    *,
    epsilon: float,
    n_max: int,
    l_max: int,
    symbols: int,
    rng: np.random.Generator | int | None = None,
) -> NgramModel:
    r"""Release the n-gram counts of sequences, differentially private for whole sequences.

    Parameters
    ----------
    sequences : array_like of int, shape (people, times)
        Symbols ``0..symbols-1``; shorter sequences are padded with -1 at the end. The columns of a
        table are times in order; its labels are left out.
    epsilon : float
        Level of privacy of the whole release, at least 1e-200, or infinite: no noise. Neighbours
        differ in one added or removed sequence.
    n_max : int
        Length of the longest n-grams that get a count of their own.
    l_max : int
        Number of symbols kept of each sequence, the end included. It must not be chosen from the
        data.
    symbols : int
        Number of symbols, public.
    rng : numpy.random.Generator, int or None
        Source of the noise; without one, fresh entropy. A seed that can be guessed undoes the
        privacy: with it the noise is computed and taken off.

    Returns
    -------
    NgramModel
        The released tree, with noisy and repaired counts.

    Raises
    ------
    TypeError
        The sequences are not integers, or are masked.
    ValueError
        The sequences have other symbols, or -1 before their end, also beyond `l_max`; there
        would be more than 100 million symbols, 20 million bins or 1,000 levels.
    UncertifiedError
        The loss of one sequence, from the scales of the noise that was added, is above `epsilon`.

    Notes
    -----
    *What is promised:* whatever anybody else knows, the probability of any released tree changes by
    a factor of at most :math:`e^\varepsilon` when one sequence is added or removed. *What is not:*
    a person with several sequences (their levels add up), a second release of the same sequences,
    `symbols`, `l_max` and `n_max` themselves, and whatever else is published beside.

    The tree is grown level by level; the counts of a level are one ``bincount`` over all positions
    of all sequences. The noise is double precision (see `privlib.laplace.discrete` for what that
    means for real releases). For a replaced instead of an added sequence the guarantee is
    :math:`2 \varepsilon`.

    References
    ----------
    .. [1] R. Chen, G. Acs, C. Castelluccia, "Differentially private sequential data publication via
       variable-length n-grams", CCS 2012.

    Examples
    --------
    >>> walks = np.random.default_rng(0).integers(0, 2, (500, 8))
    >>> model = ngram_dp(walks, epsilon=1.0, n_max=2, l_max=8, symbols=2)
    >>> model.counts(1).shape, bool(model.spent().max() <= 1.0)
    ((2,), True)
    """
    where = "ngram_dp"
    rng = checks.generator(where, rng)
    epsilon = checks.privacy_level(where, "epsilon", epsilon)
    checks.bounded(where, "epsilon", epsilon, "be at least 1e-200", lambda e: e >= 1e-200)
    height = checks.integer(where, "n_max", n_max, low=1)
    length = checks.integer(where, "l_max", l_max, low=1)
    size = checks.integer(where, "symbols", symbols, low=2)
    _safety.limit(where, "symbols", size, BIN_LIMIT)
    # Beyond it a float would be another number, or none.
    _safety.limit(where, "l_max", length, _safety.LARGEST_EXACT)
    _safety.limit(where, "n_max", height, HEIGHT_LIMIT)
    kept = _positions(sequences, size, length)
    people, columns = kept.shape
    entries = people * (columns + height)
    _safety.limit(where, "entries of the padded sequences", entries, SEQUENCE_LIMIT)
    width = size + 1
    padded = np.pad(kept, ((0, 0), (0, height)), constant_values=-1)

    # The root, and the growing columns of the tree; `at` is the node of each position's context.
    root = np.zeros(1, dtype=np.int64)
    parent = root
    symbol = root.copy()
    depth = root.copy()
    neighbour = root.copy()
    budget = np.array([epsilon / height])
    left = np.array([epsilon])  # left above the node
    levels = np.array([float(height)])  # among which the node shares out what is left
    count = np.array([np.inf])  # repaired count of the node, from its parent's histogram
    child = np.zeros((0, width), dtype=np.int64)
    noisy = np.zeros((0, width))
    histogram = np.zeros((0, width))
    scales = np.zeros(0)
    at = np.zeros_like(kept)
    nodes = np.zeros(1, dtype=np.int64)  # of the current level
    for level in range(height):
        # How many nodes there are says the released tree, and nothing else of the data.
        _safety.limit(where, "bins of the tree", len(parent) * width, BIN_LIMIT)
        rows = len(nodes), width
        child = np.vstack([child, np.full(rows, -1)])
        histogram = np.vstack([histogram, np.zeros(rows)])  # the root is its own neighbour
        following = padded[:, level : level + columns]
        counted = (at >= 0) & (following >= 0)
        cells = (at[counted] - nodes[0]) * width + following[counted]
        exact = np.bincount(cells, minlength=len(nodes) * width).reshape(rows)
        # Rounded up; without privacy (an infinite budget) there is no noise.
        scale = np.where(np.isinf(budget[nodes]), 0.0, np.nextafter(length / budget[nodes], np.inf))
        scales = np.append(scales, scale)
        noise = exact + rng.laplace(0.0, scale[:, None], exact.shape)
        noisy = np.vstack([noisy, noise])
        threshold = scale * np.log(width / 2)
        last = levels[nodes, None] == 1
        grown = (noise > threshold[:, None]) & ~last
        histogram[nodes] = _repair(noise, grown | last, histogram[neighbour[nodes]], count[nodes])
        row, new = np.nonzero(grown[:, :-1])
        if not len(row):
            break
        above = nodes[row]
        nodes = np.arange(len(parent), len(parent) + len(row))
        child[above, new] = nodes
        # Longest suffix of the child: one step of the automaton from the parent's neighbour.
        suffix = _onward(child, neighbour, depth)[neighbour[above], new] if level else 0 * above
        remaining = left[above]
        if np.isfinite(epsilon):
            # Rounded down, so that no path spends more than epsilon.
            remaining = np.nextafter(left[above] - budget[above], 0.0)
        worth = _height(noise[row, new], threshold[row], histogram[suffix], height - level - 1)
        parent = np.append(parent, above)
        symbol = np.append(symbol, new)
        depth = np.append(depth, np.full(len(row), level + 1))
        neighbour = np.append(neighbour, suffix)
        left = np.append(left, remaining)
        count = np.append(count, histogram[above, new])
        budget = np.append(budget, remaining / worth)
        levels = np.append(levels, worth)
        inside = counted & (following < size)
        at = np.where(inside, child[np.where(inside, at, 0), np.where(inside, following, 0)], -1)
    _certify(epsilon, length, scales, kept, parent, depth)
    return NgramModel(size, parent, symbol, depth, budget, noisy, histogram, child, neighbour)
