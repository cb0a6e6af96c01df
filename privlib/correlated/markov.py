r"""Exact leakage on a graph: hard in general, polynomial for bounded treewidth.

Let tuples with finitely many values have a joint law that factorises,

.. math:: \Pr(x) = \frac1Z \prod_{S} \psi_S(x_S), \qquad \psi_S > 0,

say over the edges of a graph (a Markov random field; the Ising model is one), let tuple *j* add
the integer :math:`v_j(x_j)` to the query, and release the query plus ``Lap(scale)``.

**Hard in general.** Put the Ising weights :math:`w(x) = 2^{\#\{uv \in E:\, x_u = x_v\}}` on the
binary tuples of a graph, write :math:`N(z) = \sum_x w(x) z^{|x|}`, and attach one more tuple,
the target, to all of them by :math:`\psi(x_i, x_j) = c^{\,(2 x_i - 1) x_j}`. Given the target, the
sum *s* of the others has the law :math:`N_k c^{\pm k}` up to a factor: two laws in the order of
likelihood ratios, so the largest log ratio stands at :math:`\pm\infty`. By
:math:`N(1/z) = z^{-n} N(z)` both ends give, with :math:`y = e^{-1/\lambda}`,

.. math:: e^{\mathrm{BDPL}} = \frac{c^n}{y} \cdot \frac{N(y/c)}{N(cy)},

and with :math:`c = 1/y = 2^B` and *B* of the order of :math:`n + |E|` one evaluation is
:math:`Z = N(1)` to the nearest integer, which is #P-hard to compute [1]_. As the law of a sum holds
a partition function, so does the leakage; positive correlation does not help.

**Only connected sets with a known boundary matter.** Let *C* be the component of the target among
the tuples that :math:`A(i, K)` does not know. Given :math:`x_K`, the rest of the unknown is
independent of :math:`x_C`: for every value of the target the law of the output is the law made by
*C*, convolved with one and the same kernel. Such a convolution raises no log ratio, and is a point
if all outside *C* is known: :math:`A(i, K)` leaks at most what :math:`A(i, V \setminus C)` does,
whose leakage depends on the known neighbours of *C* alone. On a path the connected sets are
intervals (`privlib.correlated.chain`).

**Bounded treewidth.** Sum out the unknown tuples one by one, in the order that a tree decomposition
gives. A table holds, for each value of the tuples that it touches, not a number but a polynomial,
:math:`\sum_x \prod \psi\, z^{v(x)}`: eliminating a tuple shifts and adds, joining two tables
convolves. With *n* binary tuples, *w* the width of the unknown ones and the target open all the
way, :math:`O(n\, 2^{w + 2})` polynomials of degree at most *n*, with integer coefficients if the
:math:`\psi` are rational. Known tuples next to unknown ones stay as axes, and each doubles the
table: the leakage is a maximum over their values.

References
----------
.. [1] Jaeger, Vertigan, Welsh, Math. Proc. Cambridge Phil. Soc. 108 (1990); Jerrum, Sinclair, SIAM
   J. Comput. 22 (1993), on the ferromagnetic Ising model.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

from privlib import _checks as checks
from privlib._checks import Array
from privlib.correlated.adversary import Worst, _checked, _noise, adversaries
from privlib.correlated.chain import _log_densities

_Table = tuple[tuple[int, ...], Array]  # tuples; an axis for each, then one for the sum

LARGEST_TABLE = 2**24  # entries

_log, _integer = np.frompyfunc(math.log, 1, 1), np.frompyfunc(int, 1, 1)

# What adds, what multiplies, zero, one, type, conversion: logarithms; integers in object arrays.
_LOGS = (np.logaddexp, np.add, -np.inf, 0.0, float, _log)
_EXACT = (np.add, np.multiply, 0, 1, object, np.asarray)


@dataclass(frozen=True, eq=False)
class MarkovField:
    r"""Finitely many values a tuple, a law that factorises, and a sum of integers as the query.

    Parameters
    ----------
    factors : mapping from tuples of int to array_like
        ``factors[(i, j)][a, b]`` is the positive potential of value *a* of tuple *i* with value *b*
        of tuple *j*; scopes of one tuple, or of more than two, are as good. Tuples are 0, 1, ...
    values : sequence of n sequences of int, optional
        ``values[i][a]`` is what the *a*-th value of tuple *i* adds to the query (its weight is in
        it); by default all tuples are binary and add 0 or 1.

    Raises
    ------
    ValueError
        If a scope repeats a tuple, sizes do not fit, a potential is not positive, or the absolute
        value of an entry of `values` is not below ``2**62 / n``.
    TypeError
        If entries are no numbers, or values no integers.

    Notes
    -----
    All potentials being positive, every database is possible, and the two readings of conditions of
    probability zero agree (`privlib.correlated.finite`).

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4))
    >>> grid = MarkovField({edge: [[3, 2], [2, 3]] for edge in graph.edges})
    >>> round(grid.bdp_leakage(5, scale=10), 4)
    0.2418
    """

    factors: Mapping[tuple[int, ...], Any]
    values: Any = None

    def __post_init__(self) -> None:
        _ = self._tables

    @cached_property
    def _steps(self) -> list[Array]:
        """What each value of each tuple adds to the query."""
        n = 1 + max((j for scope in self.factors for j in scope), default=0)
        given = [(0, 1)] * n if self.values is None else self.values
        most = (2**62 - 1) // max(len(given), 1)  # so that no sum of values overflows
        limits = {"low": -most, "high": most, "ndim": 1}
        return [checks.integers("MarkovField", "values", list(row), **limits) for row in given]

    @cached_property
    def _tables(self) -> list[_Table]:
        """A factor of ones for each tuple, and those given: integers where all are rational."""
        where, sizes = "MarkovField", list(map(len, self._steps))
        found: list[_Table] = [((j,), np.full(k, 1, dtype=object)) for j, k in enumerate(sizes)]
        for scope, given in self.factors.items():
            if len(set(scope) & set(range(len(sizes)))) < len(scope):
                raise ValueError(f"{where}: factors must have distinct tuples, got {scope}")
            name, shape = f"factors[{scope}]", tuple(sizes[j] for j in scope)
            table: Any = checks.reals(where, name, given, exact=True, shape=shape)
            checks.refuse(where, name, table, "positive", table > 0)
            if table.dtype == object:
                table = _integer(table * math.lcm(*(q.denominator for q in table.flat)))
            found.append((tuple(scope), table))
        return found

    def _weights(self, tables: list[_Table], i: int, unknown: Collection[int], ring: Any) -> Any:
        """Return the weight of target (axis 0), known neighbours and query (last axis)."""
        steps = [row - row.min() for row in self._steps]
        own = np.where(steps[i][:, None] == np.arange(1 + max(steps[i])), ring[3], ring[2])
        tables = [(s, np.asarray(ring[5](table), ring[4])[..., None]) for s, table in tables]
        tables.append(((i,), own.astype(ring[4])))
        # The unknown tuples from the leaves of a tree decomposition to its root.
        tree = nx.approximation.treewidth_min_fill_in(_moral_graph(tables, unknown))[1]
        last = {j: k for k, bag in enumerate(nx.dfs_postorder_nodes(tree)) for j in bag}
        for j in sorted(last, key=lambda j: last[j]):
            scope, table = _product([t for t in tables if j in t[0]], j, ring)
            summed = (scope[1:], _shifted_sum(table, steps[j], ring))
            tables = [*(t for t in tables if j not in t[0]), summed]
        return _product(tables, i, ring)[1]

    def joint_law(self, target: int, known_values: Any = None) -> tuple[Array, Array]:
        r"""Return the law of target and query, given the values of the known tuples.

        Parameters
        ----------
        target : int
            A tuple.
        known_values : mapping from int to int, optional
            For each known tuple the position of its value.

        Returns
        -------
        levels : ndarray of int64, shape (m,)
            Consecutive integers, all values that the query can take and maybe others.
        law : ndarray, shape (k_target, m)
            ``law[a, b]`` is the probability that the target has its *a*-th value and the query is
            ``levels[b]``: fractions if all potentials are rational (integers, fractions), else
            floats.

        Raises
        ------
        TypeError, ValueError
            If an index is out of range, `known_values` has the target, or the treewidth is too
            large.

        Notes
        -----
        Rows sum to what the adversary believed about the target, columns to the law of the query;
        the partition function is the weight of any one database divided by its probability.

        Examples
        --------
        >>> field = MarkovField({(0, 1): [[2, 1], [1, 2]], (1, 2): [[2, 1], [1, 2]]})
        >>> levels, law = field.joint_law(0)
        >>> levels.tolist(), [str(p) for p in law[1]]
        ([0, 1, 2, 3], ['0', '1/9', '1/6', '2/9'])
        """
        where, given = "joint_law", dict(known_values or {})
        (i, known), unknown = _checked(where, len(self._steps), target, tuple(given))
        for j in known:
            checks.integer(where, "known_values", given[j], low=0, high=len(self._steps[j]) - 1)
        ring = _EXACT if all(checks.is_exact(t) for _, t in self._tables) else _LOGS
        tables = [
            (tuple(j for j in s if j not in given), t[tuple(given.get(j, slice(None)) for j in s)])
            for s, t in self._tables
        ]
        law = self._weights(tables, i, unknown, ring)
        law = law * Fraction(1) if ring is _EXACT else np.exp(law - law.max())
        low = sum(row[given[j]] if j in given else row.min() for j, row in enumerate(self._steps))
        return low + np.arange(law.shape[1]), law / law.sum()

    def bdp_leakage(self, target: int, known: Iterable[int] = (), *, scale: float) -> float:
        r"""Return the exact leakage of one adversary under a Laplace release.

        Parameters
        ----------
        target : int
            The tuple attacked.
        known : iterable of int
            The tuples known.
        scale : float
            Scale of the Laplace noise.

        Returns
        -------
        float
            The leakage, a maximum over the values of the known tuples, too.

        Raises
        ------
        TypeError, ValueError
            If an argument does not fit, `scale` is so small that the query's range in units of it
            overflows, or a table would have more than `LARGEST_TABLE` entries: the graph of the
            unknown tuples is too wide, or too many known tuples are next to unknown ones.

        Notes
        -----
        Tables are kept in logarithms, for their entries get as small as :math:`\psi_{\min}^{|E|}`.
        The last step is the finite maximum of `privlib.correlated.finite`.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 4.1.

        Examples
        --------
        >>> chain = MarkovField({(i, i + 1): [[9, 1], [1, 9]] for i in range(9)})
        >>> round(chain.bdp_leakage(4, [0, 9], scale=1), 5)  # compare `chain.worst_adversary`
        4.69298
        """
        where = "bdp_leakage"
        (i, _), unknown = _checked(where, len(self._steps), target, known)
        lam = _noise(where, scale, sum(map(np.ptp, self._steps)))
        # A factor without unknown tuples says nothing about them, once the target is given.
        tables = [t for t in self._tables if not set(unknown).isdisjoint(t[0])]
        laws = self._weights(tables, i, unknown, _LOGS)
        logs = _log_densities(laws - np.logaddexp.reduce(laws, axis=-1, keepdims=True), lam)
        return float(np.ptp(logs, axis=0).max())

    def worst_adversary(self, *, scale: float) -> Worst:
        r"""Return the BDP level of a Laplace release and an adversary that attains it.

        Parameters
        ----------
        scale : float
            Scale of the Laplace noise.

        Returns
        -------
        Worst
            Its unknown tuples and the target are a connected set; among equals one of them.

        Raises
        ------
        TypeError, ValueError
            If `scale` is not positive, or there are more than 16 tuples.

        Notes
        -----
        Not all :math:`n 2^{n-1}` adversaries are tried but, by the theorem at the head of the
        module, those for whom *C*, the target and what they do not know, is connected. A path of
        *n* tuples has n(n + 1)/2 connected sets, a cycle n(n - 1) + 1, a star exponentially many.

        Examples
        --------
        >>> ring = MarkovField({(i, (i + 1) % 8): [[9, 1], [1, 9]] for i in range(8)})
        >>> worst = ring.worst_adversary(scale=0.2)
        >>> len(worst.adversary.known), round(worst.leakage, 5)
        (3, 11.63587)
        """
        n = checks.integer("worst_adversary", "the number of tuples", len(self._steps), high=16)
        graph, everybody = _moral_graph(self._tables, range(n)), set(range(n))
        who = [a for a in adversaries(n) if nx.is_connected(graph.subgraph(everybody - {*a.known}))]
        found = (Worst(a, self.bdp_leakage(*a, scale=scale)) for a in who)
        return max(found, key=lambda worst: float(worst.leakage))


def _moral_graph(tables: Iterable[tuple[Any, Any]], nodes: Collection[int]) -> Any:
    """Return the graph on some tuples that joins those with a common factor."""
    graph = nx.empty_graph(nodes)
    for scope, _ in tables:
        graph.add_edges_from(combinations([j for j in scope if j in graph], 2))
    return graph


def _product(tables: list[_Table], first: int, ring: Any) -> _Table:
    """Return the product of tables, the axis of tuple `first` in front."""
    scope = tuple(dict.fromkeys([first, *(j for own, _ in tables for j in own)]))
    product: Any = np.array([ring[3]], dtype=tables[0][1].dtype)
    for own, table in sorted(tables, key=lambda t: t[1].size):
        order = sorted(range(len(own)), key=lambda axis: scope.index(own[axis]))
        new = [axis for axis, j in enumerate(scope) if j not in own]
        wide = np.expand_dims(table.transpose(*order, -1), tuple(new))
        short, long = sorted((product, wide), key=lambda t: t.shape[-1])
        degree = short.shape[-1]
        entries = np.broadcast(short[..., 0], long[..., 0]).size * (long.shape[-1] + degree)
        checks.integer("MarkovField", "a table's number of entries", entries, high=LARGEST_TABLE)
        rows = (ring[1](long, short[..., k : k + 1]) for k in range(degree))
        product = _shifted_sum(rows, range(degree), ring)
    return scope, product


def _shifted_sum(rows: Iterable[Array], steps: Any, ring: Any) -> Any:
    """Add polynomials, each multiplied by the power of z that `steps` has for it."""
    total = None
    for row, step in zip(rows, steps):
        if total is None:
            total = np.full((*row.shape[:-1], row.shape[-1] + max(steps)), ring[2], row.dtype)
        part = total[..., step : step + row.shape[-1]]
        ring[0](part, row, out=part)
    return total
