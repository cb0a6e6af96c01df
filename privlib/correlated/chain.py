r"""All adversaries of a Markov chain in polynomial time, and what others would add.

Let :math:`x_1, \dots, x_n` be a Markov chain on k states with one transition matrix *P*, let each
state add an integer to the query (by default its number), and release the sum plus ``Lap(scale)``.
There are :math:`n 2^{n-1}` adversaries, but:

**Only intervals matter.** Let :math:`a < i < b` be the known tuples nearest to the target (or
none). Given :math:`x_K`, what lies outside ``[a, b]`` is independent of :math:`x_i`: for every
value of the target the law of the sum is the law of the part inside, convolved with one and the
same kernel. Such a convolution cannot raise a log ratio (data processing), and if everything
outside is known the kernel is a point. So the worst adversary knows everything outside an
interval ``(a, b)`` and nothing inside it but, of course, not the target. Intervals may reach
either end of the chain.

Given :math:`x_a, x_i, x_b`, the parts left and right of the target are independent bridges whose
laws depend on their lengths alone. Running both through one table,

.. math:: U_{m+1}(x', s + x') = \sum_x U_m(x, s) P(x, x'),

gives the laws of all :math:`O(n^2)` intervals, each with :math:`O(n)` atoms, in
:math:`O(n^3)` steps. The table is kept in logarithms: its entries get as small as
:math:`p_{\min}^n`. The rest is the finite maximum of `privlib.correlated.finite`.

**Far tuples hardly matter.** Write :math:`\Delta_m` for the largest log cross ratio of
:math:`P^m`, its *projective diameter*,

.. math:: \Delta_m = \max_{u, w, v, v'}
          \log \frac{P^m(u, v)\, P^m(w, v')}{P^m(u, v')\, P^m(w, v)},

which falls to 0 geometrically if some power of *P* is positive [1]_. Let *u* be the value *m*
places from the target, on either side. By Bayes, whatever is known beyond it and whatever the
initial law, :math:`\Pr(u \mid x_i = v)` and :math:`\Pr(u \mid x_i = v')` differ by a factor of at
most :math:`e^{\Delta_m}`: what is known or assumed beyond cancels in the cross ratio. Given *u*,
what lies beyond is independent of the target. So an adversary with more than *r* unknown tuples
on one side leaks at most :math:`\Delta_{r+1}` more than one who knows the tuple *r + 1* places
away, and everything beyond: intervals with at most *r* unknown tuples on either side give the
level up to :math:`2 \Delta_{r+1}`. With *r = 0* this is an upper bound for every mechanism,
:math:`\varepsilon + 2 \Delta_1`. The same bound leaves out intervals one
by one: among those with the same other side, whoever has more than *r* unknown tuples on this one
leaks at most :math:`\Delta_{r+1}` more than the worst of those who know the tuple *r + 1* places
away. Where that is less than what has been found, none of them is looked at.

**Two published mechanisms** protect each tuple of a chain against adversaries who know nobody
[2]_. The *Markov quilt mechanism* pays for the near tuples in full and for the far ones by their
influence; the *Wasserstein mechanism* sets the noise by how far the law of the query has to be
moved when a tuple changes.

The reduction needs the Markov property, a mechanism that adds up tuples, and conditions of
positive probability; the worst interval may well be strictly inside the chain, so looking only
at adversaries who know nobody, or everybody, is not enough.

References
----------
.. [1] Birkhoff, "Extensions of Jentzsch's theorem", Trans. Amer. Math. Soc. 85 (1957).
.. [2] Song, Wang, Chaudhuri, "Pufferfish privacy mechanisms for correlated data", SIGMOD 2017.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib._checks import FloatArray
from privlib.correlated.adversary import Adversary, Worst, _noise

_FREE = 0  # kinds of ends: the end of the chain, then known value 0, known value 1, ...
_TIE = 1e-12
_REACH = 32  # unknown tuples on either side that are always looked at
_ROWS = 12  # of them at a time


class _Chain(NamedTuple):
    matrix: FloatArray
    first: FloatArray
    values: npt.NDArray[np.int64]  # what each state adds to the query, the least one 0
    n: int
    possible: npt.NDArray[np.bool_]  # which values each tuple can have, shape (n, k)


class _Found(NamedTuple):
    worst: Worst
    bound: float  # no adversary exceeds it
    laws: FloatArray  # of the interval with the largest bound; by `extra` more than its leakage
    extra: float


def worst_adversary(
    transition: Any,
    n: int,
    *,
    scale: float,
    initial: Any = None,
    values: Any = None,
    rtol: float = 1e-6,
) -> Worst:
    r"""Return the BDP level of a Laplace release of a sum along a Markov chain.

    Parameters
    ----------
    transition : float, array_like, scipy.sparse matrix or networkx graph, shape (k, k)
        ``transition[x, x']`` is the probability of the next value x' after x; a number is the
        probability to stay in either of two states. A sequence of matrices, shape (c, k, k), is a
        class of chains, of which the worst counts. The rows of a DataFrame (in a class, of the
        first) and the nodes of a graph label the states; other labels of pandas have to be the
        same, and come in any order.
    n : int
        Length of the chain, at least 1.
    scale : float
        Scale of the Laplace noise.
    initial : array_like, shape (k,), optional
        Law of the first tuple, for all chains of a class; default the stationary law of each.
    values : sequence of int, shape (k,), optional
        What each state adds to the query; default ``0, 1, ..., k - 1``.
    rtol : float
        How far the leakage may be below the largest one, relatively, when ``n > 33``: intervals
        that forgetting makes harmless are left out. With 0 it is not below (to rounding).

    Returns
    -------
    Worst
        An adversary and its leakage; among equals (to a relative 1e-12) the one with the fewest
        unknown tuples to the left, then to the right.

    Raises
    ------
    TypeError, ValueError
        If `transition` has a matrix that is not stochastic; if `values`, `initial` or `scale` have
        the wrong shape, sign or labels; if n times the range of `values` exceeds 2**40; if `scale`
        is so small that the query's range in units of it overflows; or if `initial` is missing and
        the stationary law is not unique.

    Notes
    -----
    With *r* the number of unknown tuples that are looked at on either side, time and memory are
    :math:`O(r^3)` and :math:`O(r^2)`, times :math:`k^4` and the range of `values`; *r* is
    :math:`n - 1`, or less if the head of the module certifies `rtol` for it, which a chain without
    a positive power never does. What forgetting leaves out saves most of the densities, which alone
    would be :math:`O(r^4)`. Ten thousand tuples take less than a second where forgetting is quick
    (r up to 70 in two states, 40 in three), one or two in three states like those of the last
    example with ``values=[0, 1, 2]`` (r = 71 at the default `rtol`), and longer where values stay
    for hundreds of steps. Conditions of
    probability zero do not take part, as with ``conditions="positive"`` in
    `privlib.correlated.finite`; a chain whose every tuple is fixed by the others therefore leaks 0
    to strong adversaries.

    Memory grows with the range of `values`, and ends long before the limit of 2**40. It grows with
    the square of *r* times the range where the query's range is at most 600 times `scale`: to find
    the `noise_scale` of five tuples with ``values=[0, 10_000]`` takes a table of 20 GB. Count in
    larger units where values are far apart.

    For the symmetric chain with correlation ``rho = 2 stay - 1`` of neighbours the amplification,
    ``leakage * scale``, tends to ``(1 + rho) / (1 - rho)`` for long chains and much noise if
    ``rho >= 0``: the expected change of the sum, ``1 + 2 (rho + rho**2 + ...)``. Less noise
    amplifies less. If ``rho < 0`` it is 1, that of who knows all others.

    References
    ----------
    Yang, Sato, Nakagawa, Definition 4.1; the count of adversaries is in Section 5.1.

    Examples
    --------
    >>> round(worst_adversary(0.9, 20, scale=10).leakage, 5)
    0.79147

    With less noise an adversary who knows both ends is worse than those who know nobody:

    >>> worst_adversary(0.9, 10, scale=1)
    Worst(adversary=Adversary(target=4, known=(0, 9)), leakage=4.69298)

    Ten thousand tuples of three states, of which the query counts the last:

    >>> P = [[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8]]
    >>> round(worst_adversary(P, 10_000, scale=2, values=[0, 0, 1], rtol=1e-4).leakage, 3)
    5.065
    """
    where = "worst_adversary"
    chains = _chains(where, transition, n, initial, values)
    lam = _noise(where, scale, chains[0].n * int(np.ptp(chains[0].values)))
    tolerance = checks.non_negative(where, "rtol", rtol)
    worst = [_level(c, lam, tolerance).worst for c in chains]
    return max(worst, key=lambda one: one.leakage)


def noise_scale(
    transition: Any, n: int, *, epsilon: float, initial: Any = None, values: Any = None
) -> float:
    """Return the smallest scale at which a Laplace release of the sum is `epsilon`-BDP.

    Parameters
    ----------
    transition, n, initial, values
        The chain, or the class of chains, and the query, as for `worst_adversary`.
    epsilon : float
        The largest leakage allowed, between 1e-280 and 1e280.

    Returns
    -------
    float
        The scale, such that no leakage exceeds `epsilon` (to rounding) and a relative 1e-6 less
        noise is not certified to do. 0 if next to no noise leaks at most `epsilon`.

    Raises
    ------
    TypeError, ValueError
        If `epsilon` is out of range, or the chain or the query is none (see `worst_adversary`).

    Notes
    -----
    No leakage increases with the scale (`privlib.correlated.finite`), so each interval has a
    smallest scale of its own, between that for independent tuples and n times as much, and the
    largest of them is wanted. The interval that is the worst at one scale says which scale to try
    next, until it is the worst at its own: a few looks at near intervals, and one to three at all.
    "Next to no noise" is ``exp(-30)`` times the scale for independent tuples. What is compared
    with `epsilon` is not the leakage found but the upper end of what forgetting certifies, with
    ``rtol=1e-6``.

    So it takes several times as long as one level at that noise: for ten thousand tuples less than
    a second where forgetting is quick, and some seconds where three states have a longer memory
    and each adds another number (the last example of `worst_adversary` with ``values=[0, 1, 2]``).

    References
    ----------
    Yang, Sato, Nakagawa, Section 4.2.3, where a smaller noise parameter is looked for.

    Examples
    --------
    >>> round(noise_scale(0.9, 20, epsilon=1), 4)
    7.8433
    >>> round(noise_scale(0.3, 1000, epsilon=1), 4)  # hostile neighbours: as if independent
    1.0
    """
    from scipy.optimize import brentq  # a third of the import time, and needed here only

    chains = _chains("noise_scale", transition, n, initial, values)
    eps, rule = checks.positive("noise_scale", "epsilon", epsilon), "be between 1e-280 and 1e280"
    checks.bounded("noise_scale", "epsilon", eps, rule, lambda e: 1e-280 <= e <= 1e280)
    low = math.log(max(float(chains[0].values.max()), 1.0) / eps)
    high = low + math.log(chains[0].n) + 1

    def excess(log_scale: float, laws: FloatArray, extra: float) -> float:
        logs = _log_densities(laws, math.exp(log_scale))
        return float(np.ptp(logs, axis=0).max()) + extra - eps

    def widest(log_scale: float, rtol: float, floor: float = 0.0) -> _Found:
        levels = [_level(c, math.exp(log_scale), rtol, floor) for c in chains]
        return max(levels, key=lambda found: found.bound)

    if widest(low, 1e-6).bound <= eps:
        low -= 30
        if widest(low, 1e-6).bound <= eps:
            return 0.0
    root = low
    for rtol in (math.inf, 1e-6):  # near intervals alone are quick, and say where to look
        while True:
            found = widest(root, rtol, eps * (1 - 1e-9) if root > low else 0.0)
            one = found.laws, found.extra if rtol < 1 else 0.0
            if excess(root, *one) <= eps * 1e-10:
                break
            root = brentq(excess, root, high, args=one, xtol=1e-12) + 1e-12  # not below its own
    return math.exp(root + 1e-9)


def projective_diameter(transition: Any, steps: int) -> float:
    r"""Return how much two values can still be told apart by what lies some steps away.

    Parameters
    ----------
    transition : float, array_like, scipy.sparse matrix or networkx graph, shape (k, k)
        The transition matrix; a number is the probability to stay in either of two states.
    steps : int
        The number of steps m, at least 1.

    Returns
    -------
    float
        :math:`\Delta_m`, the largest log cross ratio of :math:`P^m`; infinite if it has a zero.

    Raises
    ------
    TypeError, ValueError
        If `transition` is no stochastic matrix, or `steps` no integer of at least 1.

    Notes
    -----
    Unlike the log ratio of two entries it is 0 for independent tuples, whatever their law. By
    Birkhoff :math:`\tanh(\Delta_{a+b}/4) \le \tanh(\Delta_a/4) \tanh(\Delta_b/4)`. For the
    symmetric binary chain with correlation :math:`\rho` it is :math:`2 \log((1 + \rho^m)/(1 -
    \rho^m))`.

    Examples
    --------
    >>> [round(projective_diameter(0.9, m), 4) for m in (1, 10, 50)]
    [4.3944, 0.4312, 0.0001]
    """
    checks.integer("projective_diameter", "steps", steps, low=1)
    power = np.linalg.matrix_power(_matrix("projective_diameter", transition), steps)
    logs = _log(power)
    return float(np.ptp(logs[:, None] - logs, axis=-1).max()) if power.all() else math.inf


def markov_quilt_scale(transition: Any, n: int, *, epsilon: float, initial: Any = None) -> float:
    r"""Return the noise of the Markov quilt mechanism for a query that is 1-Lipschitz.

    Parameters
    ----------
    transition, n, initial
        The chain, or the class of chains, as for `worst_adversary`.
    epsilon : float
        The level of Pufferfish privacy, positive.

    Returns
    -------
    float
        The scale of the Laplace noise; for a query that changes by at most *L* when one tuple
        changes, *L* times as much.

    Raises
    ------
    TypeError, ValueError
        If `epsilon` is not positive, `n` is below 1, a matrix of the class is not stochastic, or
        `initial` is no distribution over its states.

    Notes
    -----
    A *quilt* of tuple *i* is a tuple before it, one after it, both or none; what it cuts off
    besides is independent of *i* given the quilt. If *c* tuples, the *i*-th among them, are not
    cut off, and the log probabilities of the quilt's values for two values of tuple *i* differ by
    at most *e*, then ``c / (epsilon - e)`` is enough for tuple *i*. The result is the largest
    over *i* of the smallest over quilts (the exact form, Algorithm 3 of [1]_). A quilt with more
    than *r* tuples inside is not better than *r* / epsilon, so near ones are tried first.

    It protects each tuple against adversaries who know nobody, and any query of that kind; the
    exact `noise_scale` is for the sum alone, and for adversaries who know some tuples, too.

    References
    ----------
    .. [1] Song, Wang, Chaudhuri, SIGMOD 2017, Definitions 4.1 to 4.4.

    Examples
    --------
    >>> round(markov_quilt_scale(0.9, 100, epsilon=1), 4)
    31.7378
    >>> markov_quilt_scale(0.5, 100, epsilon=1)  # independent tuples
    1.0
    """
    where, scale = "markov_quilt_scale", 0.0
    eps = checks.positive(where, "epsilon", epsilon)
    for chain in _chains(where, transition, n, initial, None):
        reach = 8
        while (worst := max(_quilts(chain, eps, reach))) > reach / eps:
            reach *= 2
        scale = max(scale, worst)
    return scale


def wasserstein_distance(
    transition: Any, n: int, *, initial: Any = None, values: Any = None, known: bool = False
) -> int:
    r"""Return the largest :math:`W_\infty` between laws of the sum for two values of a tuple.

    Parameters
    ----------
    transition, n, initial, values
        The chain, or the class of chains, and the query, as for `worst_adversary`.
    known : bool
        Whether adversaries who know tuples take part; by default only those who know nobody.

    Returns
    -------
    int
        The distance *W*; the Wasserstein mechanism adds ``Lap(W / epsilon)``.

    Raises
    ------
    TypeError, ValueError
        If the chain or the query is none (see `worst_adversary`), or `known` is no bool.

    Notes
    -----
    :math:`W_\infty \le w` if and only if :math:`F(t) \le G(t + w)` and
    :math:`G(t) \le F(t + w)` for all *t*, with the distribution functions; both tails are compared
    to a relative 1e-11, in logarithms. Convolution with one kernel cannot raise it, so intervals
    suffice, as for the leakage. But it does not forget: what is unlikely counts as much as what is
    likely, so there is no cut-off. Time is :math:`O(n^3)`.

    References
    ----------
    Song, Wang, Chaudhuri, SIGMOD 2017, Algorithm 1.

    Examples
    --------
    >>> wasserstein_distance(0.9, 10), wasserstein_distance(0.5, 10)
    (8, 1)
    """
    where, distance = "wasserstein_distance", 0
    if not isinstance(known, (bool, np.bool_)):
        raise TypeError(f"{where}: known must be True or False, got {known!r}")
    for chain in _chains(where, transition, n, initial, values):
        for _, _, rows, laws in _laws(chain, chain.n - 1, np.ones((2, chain.n), dtype=bool)):
            some = laws[known | (rows[:, 1:] == _FREE).all(axis=1)]
            for tail in (some, some[..., ::-1]):
                low = np.logaddexp.accumulate(tail, axis=-1)  # of the mass up to there
                one, two = low[:, :, None], low[:, None] + 1e-11
                while (one[..., : max(low.shape[-1] - distance, 0)] > two[..., distance:]).any():
                    distance += 1
    return distance


def markov_bound(transition: Any, *, epsilon: float) -> float:
    r"""Return a published upper bound of the BDP level on a Markov chain.

    Parameters
    ----------
    transition : float or array_like, shape (k, k)
        Transition matrix with positive entries; a number is the probability of a binary chain to
        stay in either state.
    epsilon : float
        Level of ordinary differential privacy of the mechanism, positive.

    Returns
    -------
    float
        ``epsilon + 4 * log(largest entry / smallest entry)``.

    Raises
    ------
    TypeError, ValueError
        If `transition` is no stochastic matrix with positive entries, or `epsilon` not positive.

    Notes
    -----
    The bound holds for every mechanism and does not depend on the length, but it does not go to
    0 with `epsilon`: the exact value of `worst_adversary` does.

    References
    ----------
    Lange, Martin et al., PVLDB 2025, arXiv:2506.21308.

    Examples
    --------
    >>> round(markov_bound(0.9, epsilon=0.1), 2), round(markov_bound(0.9, epsilon=1), 2)
    (8.89, 9.79)
    """
    where = "markov_bound"
    matrix = _matrix(where, transition)
    eps = checks.positive(where, "epsilon", epsilon)
    if not matrix.min() > 0:
        raise ValueError(f"{where}: transition must have positive entries, got {matrix.min()}")
    return eps + 4 * float(np.log(matrix.max() / matrix.min()))


def _matrix(where: str, transition: Any, labels: Any = None) -> FloatArray:
    """Return a stochastic matrix; a number is the probability to stay in either of two states.

    Columns, and rows where `labels` are given, are put into the order of the labels.
    """
    if hasattr(transition, "nodes") or np.ndim(transition):
        labels = getattr(transition, "index", None) if labels is None else labels
        given = checks.aligned(where, "transition", transition, labels, labels)
        # A state of pandas may have the name of an attribute, such as "nodes" or "toarray".
        given = given.to_numpy() if checks.is_pandas(given) else checks.weights_of(given)
        dense = getattr(given, "toarray", lambda: given)()  # of a sparse one, rows may be empty
        return np.asarray(checks.stochastic(where, "transition", dense), dtype=np.float64)
    stay = checks.probability(where, "transition", transition)
    return np.array([[stay, 1 - stay], [1 - stay, stay]])


def _chains(where: str, transition: Any, n: Any, initial: Any, values: Any) -> list[_Chain]:
    """Return the chain, or the chains of a class."""
    several = not hasattr(transition, "nodes") and np.ndim(transition) == 3
    members = transition if several else [transition]
    # The states are those of a graph, or of the rows that pandas has; else they have no labels.
    labels = getattr(members[0], "axes", [[*getattr(members[0], "nodes", ())] or None])[0]
    matrices = [_matrix(where, one, labels) for one in members]
    n, k = checks.integer(where, "n", n, low=1), len(matrices[0])
    values = checks.aligned(where, "values", values, labels)
    given = np.arange(k) if values is None else checks.integers(where, "values", values, ndim=1)
    if len(given) != k:
        raise ValueError(f"{where}: values must have length {k}, got {len(given)}")
    span = n * (int(given.max()) - int(given.min()))
    checks.integer(where, "n times the range of values", span, high=2**40)  # of tables, of int64
    initial = checks.aligned(where, "initial", initial, labels)
    pairs = [(m, _initial(where, m, initial)) for m in matrices]
    return [_Chain(m, f, given - given.min(), n, _along(f > 0, m > 0, n)) for m, f in pairs]


def _initial(where: str, matrix: FloatArray, initial: Any) -> FloatArray:
    """Return the law of the first tuple, the stationary one if none is given."""
    k = len(matrix)
    if initial is not None:
        first = checks.reals(where, "initial", initial, shape=(k,))
        return checks.distribution(where, "initial", first)
    reached = np.linalg.matrix_power((matrix > 0) + np.eye(k), k).all(axis=0)
    if not reached.any():
        got = f"the stationary law of {matrix.tolist()} is not unique"
        raise ValueError(f"{where}: initial must be given, {got}")
    # Visits between two to a state that all reach; rates keep the digits of rare moves.
    moves, home = matrix * (1 - np.eye(k)), int(reached.argmax())
    rest = np.arange(k) != home
    rates = (np.diag(moves.sum(axis=1)) - moves)[np.ix_(rest, rest)]
    visits = np.insert(np.linalg.solve(rates.T, moves[home, rest]), home, 1.0)
    return np.asarray(visits / visits.sum())


def _along(start: Any, matrix: Any, n: int) -> Any:
    """Return `start` times the powers 0 to n - 1 of a matrix; booleans say what is possible."""
    return np.array(list(accumulate(range(n - 1), lambda row, _: row @ matrix, initial=start)))


def _log(array: Any) -> FloatArray:
    """Return logarithms, minus infinity for 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(array))


def _log_sum(logs: FloatArray, axis: int) -> FloatArray:
    """Return the logarithm of a sum along an axis, which stays."""
    peak = np.maximum(logs.max(axis=axis, keepdims=True), np.finfo(float).min)
    return np.asarray(peak + _log(np.exp(logs - peak).sum(axis=axis, keepdims=True)))


def _moved(table: FloatArray, chain: _Chain) -> FloatArray:
    """Let the last value move: ``table[..., x, s]`` becomes its sum over x, ``[..., x', s]``."""
    peak = np.maximum(table.max(axis=-2, keepdims=True), np.finfo(float).min)
    moves = np.vstack([np.ones(len(chain.values)), chain.matrix.T])
    below = table - peak
    if not chain.matrix.all() and ((below < -600) & (below > -np.inf)).any():
        # What underflows beside the peak may be all that can move there.
        return _log_sum(table[..., None, :, :] + _log(moves)[:, :, None], axis=-2)[..., 0, :]
    mixed = moves @ np.exp(below)
    return np.asarray(peak + _log(mixed))


def _counted(table: FloatArray, chain: _Chain) -> FloatArray:
    """Let the last value count in the sum: ``table[..., x, s]`` becomes ``[..., x, s + x]``."""
    return np.stack([np.roll(table[..., x, :], v, -1) for x, v in enumerate(chain.values)], axis=-2)


def _left_parts(chain: _Chain, reach: int) -> FloatArray:
    """Return log masses of the part up to and with the target.

    Axes: unknown tuples to the left, left end (none, value 0, value 1, ...), value of the target,
    last value (the target's own, so far), sum.
    """
    k, rows = len(chain.values), min(reach + 1, chain.n)
    part = np.full((k + 1, k, 1 + chain.values.max() * min(2 * reach + 1, chain.n)), -np.inf)
    part[:, :, 0] = _log(np.vstack([chain.first, chain.matrix]))
    table = np.full((rows, k + 1, k, *part.shape[1:]), -np.inf)
    for length in range(rows):
        part = _counted(part, chain)
        table[length][:, range(k), range(k)] = part
        part = _moved(part, chain)[..., 1:, :]
    return table


def _admissible(possible: Any, m: int, left: Any) -> npt.NDArray[np.bool_]:
    """Tell which intervals exist: axes unknown tuples to the left, left end, right end."""
    n, k = possible.shape
    outside = n - 1 - m - left  # tuples outside
    ever = np.logical_or.accumulate(possible, axis=0)
    ok = np.zeros((len(left), k + 1, k + 1), dtype=bool)
    ok[:, 1:, 1:] = ((outside >= 2)[:, None] & ever[np.maximum(outside - 2, 0)])[:, :, None]
    ok[:, 1:, _FREE] = (outside >= 1)[:, None] & possible[outside - 1]
    ok[:, _FREE, 1:] = (outside >= 1)[:, None]
    ok[:, _FREE, _FREE] = outside == 0
    return ok


def _laws(chain: _Chain, reach: int, live: Any) -> Iterator[tuple[int, Any, Any, FloatArray]]:
    """Yield unknown tuples to the right and to the left, the intervals, and their log laws.

    Laws have the axes interval, x_i, sum. An interval is a row of unknown tuples to the left, left
    end, right end; at most `reach` are unknown on either side. Numbers to the left come a few at a
    time, no more of them beside m to the right once ``live[1, m]`` is false, and l of them with no
    more to the right once ``live[0, l]`` is. A value that the target cannot have gets the law of
    one that it can.
    """
    table = _left_parts(chain, reach)
    every = np.arange(len(table))
    for m in range(len(table)):
        moved = _moved(table, chain)
        for start in range(0, len(every), _ROWS):
            left = every[start : start + _ROWS]
            ended = moved[start : start + _ROWS].swapaxes(2, 3)
            ended = ended[..., : 1 + chain.values.max() * (left[-1] + m + 1)]
            mass = _log_sum(ended, axis=-1)
            feasible = np.isfinite(mass)
            rows = np.argwhere(_admissible(chain.possible, m, left) & (feasible.sum((-2, -1)) > 1))
            index = tuple(rows.T)
            some = feasible[index].argmax(axis=1, keepdims=True)
            laws = ended[index] - np.where(feasible, mass, 0.0)[index]
            laws = np.where(feasible[index], laws, np.take_along_axis(laws, some, axis=1))
            yield m, left, np.column_stack([left[rows[:, 0]], rows[:, 1:]]), laws
            if not live[1, m]:
                break
        stay = live[0, every] & (every < chain.n - 1 - m)
        every, table = every[stay], _counted(moved[stay, ..., 1:, :], chain)


def _log_densities(laws: FloatArray, scale: float) -> FloatArray:
    """Return log densities at the atoms ``0, 1, ...`` less a common constant."""
    atoms = np.arange(laws.shape[-1]) / scale
    if atoms[-1] <= 0.5:  # nearly equal densities: keep the digits of their difference
        weights = np.exp(laws)
        weights /= weights.sum(axis=-1, keepdims=True)
        return np.asarray(np.log1p(weights @ np.expm1(-np.abs(atoms[:, None] - atoms))))
    if atoms[-1] <= 600:  # what underflows is nothing beside the largest term
        return np.asarray(np.log(np.exp(laws) @ np.exp(-np.abs(atoms[:, None] - atoms))))
    up = np.logaddexp.accumulate(laws + atoms, axis=-1) - atoms
    above = np.logaddexp.accumulate((laws - atoms)[..., ::-1], axis=-1)[..., ::-1]
    up[..., :-1] = np.logaddexp(up[..., :-1], above[..., 1:] + atoms[:-1])
    return np.asarray(up)


def _level(chain: _Chain, scale: float, rtol: float, floor: float = 0.0) -> _Found:
    """Return the worst adversary found, and what no adversary exceeds."""
    reach, last = min(_REACH, chain.n - 1), chain.n - 1
    found = _within(chain, scale, reach, floor)
    if found.bound > found.worst.leakage * (1 + rtol):
        goal, floor = rtol * found.worst.leakage / 2, max(floor, found.worst.leakage * (1 - _TIE))
        wide = (m for m in range(reach, last) if projective_diameter(chain.matrix, m + 1) <= goal)
        found = _within(chain, scale, next(wide, last), floor)
    return found


def _within(chain: _Chain, scale: float, reach: int, floor: float = 0.0) -> _Found:
    """Return the worst of the intervals that `reach` allows, and a bound for all.

    Known to leak less than `floor`, or than one seen before, they need not be looked at.
    """
    far = np.minimum([projective_diameter(chain.matrix, m + 1) for m in range(reach + 1)], 1e300)
    found, n = [(0.0, 0, 0, _FREE, _FREE)], chain.n  # if nothing can be compared
    bound, widest, extra, live = 0.0, np.zeros((1, 1)), 0.0, np.ones((2, reach + 1), dtype=bool)
    for m, left, rows, laws in _laws(chain, reach, live):
        leaks = np.ptp(_log_densities(laws, scale), axis=1).max(axis=-1)
        ends = rows[:, 1:] != _FREE
        if len(rows):
            best = np.argmax(leaks >= leaks.max() * (1 - _TIE))
            found.append((float(leaks.max()), m, *rows[best].tolist()))
            # A known tuple just out of reach stands for all intervals that go beyond it.
            cuts = ((np.insert(rows[:, :1], 1, m, axis=1) == reach) & ends).sum(axis=1)
            most = leaks + far[-1] * cuts
            if most.max() > bound:
                at = most.argmax()
                bound, widest, extra = most[at], laws[at], far[-1] * cuts[at]
        # So does any for what goes beyond it, which need not be looked at if that leaks less.
        floor = max(floor, found[-1][0] * (1 - _TIE))
        each = np.where(left[:, None, None] == rows[:, :1], ends * leaks[:, None], 0)
        # Those at the reach stay: they stand for others, too.
        live[0, left] = (each[..., 1].max(axis=1, initial=0) + far[m] >= floor) | (left == reach)
        live[1, m] = each[-1, :, 0].max(initial=0) + far[left[-1]] >= floor or m == reach
    # A known tuple may fix the target then, and one beyond it not.
    bound = math.inf if reach < n - 1 and far[-1] == 1e300 else bound
    top = max(found)[0] * (1 - _TIE)
    leakage, right, left, *ends = min((w for w in found if w[0] >= top), key=lambda w: w[2])
    # Place the interval on the chain; its adversary knows everything outside.
    target = left if ends[0] == _FREE else n - 1 - right
    if _FREE not in ends:
        target = int(chain.possible[:, ends[0] - 1].argmax()) + left + 1
    known = (*range(target - left), *range(target + right + 1, n))
    return _Found(Worst(Adversary(target, known), leakage), float(bound), widest, float(extra))


def _quilts(chain: _Chain, epsilon: float, reach: int) -> Iterator[float]:
    """Yield the noise for each tuple, with the best quilt at most `reach` steps away."""
    shares = _along(chain.first, chain.matrix, chain.n)
    logs = _log(_along(chain.matrix, chain.matrix, reach))
    none = np.zeros((1, *chain.matrix.shape))
    with np.errstate(invalid="ignore"):  # what neither value makes possible does not count
        after = np.fmax.reduce(logs[:, :, None] - logs[:, None], axis=-1)  # (steps, v, v')
        before = logs[..., None] - logs[:, :, None]  # (steps, u, v, v')
    for i, share in enumerate(_log(shares)):
        seen = shares[max(i - reach, 0) : i][::-1, :, None, None] > 0
        pairs, can = np.ix_(share > -np.inf, share > -np.inf), share[share > -np.inf]
        past = np.fmax.reduce(np.where(seen, before[: len(seen)], -np.inf), axis=1)[:, *pairs]
        one = np.concatenate([none[:, *pairs], past + can - can[:, None]])
        two = np.concatenate([none, after[: chain.n - 1 - i]])[:, *pairs]
        most = (one[:, None] + two).max(axis=(-2, -1))
        left = np.append(i, np.arange(len(one) - 1)) + 1
        right = np.append(chain.n - 1 - i, np.arange(len(two) - 1))
        left_over = np.where(most < epsilon, epsilon - most, np.nan)
        yield float(np.nanmin((left[:, None] + right) / left_over))
