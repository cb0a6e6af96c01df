r"""Exact leakage on a graph: hard in general, polynomial for bounded treewidth.

Let tuples with finitely many values have a joint distribution that factorises,

.. math:: \Pr(x) = \frac1Z \prod_{S} \psi_S(x_S), \qquad \psi_S > 0,

say over the edges of a graph (a Markov random field; the Ising model is one), let tuple *j* add
the integer :math:`v_j(x_j)` to the query, and release the query plus ``Lap(scale)``.

**Hard in general.** Put the Ising weights :math:`w(x) = 2^{\#\{uv \in E:\, x_u = x_v\}}` on the
binary tuples of a graph, write :math:`N(z) = \sum_x w(x) z^{|x|}`, and attach one more tuple,
the target, to all of them by :math:`\psi(x_i, x_j) = c^{\,(2 x_i - 1) x_j}`. Given the target, the
sum *s* of the others has the distribution :math:`N_k c^{\pm k}` up to a factor: two distributions
in the order of likelihood ratios, so the largest log ratio stands at :math:`\pm\infty`. By
:math:`N(1/z) = z^{-n} N(z)` both ends give, with :math:`y = e^{-1/\lambda}`,

.. math:: e^{\mathrm{BDPL}} = \frac{c^n}{y} \cdot \frac{N(y/c)}{N(cy)},

and with :math:`c = 1/y = 2^B` and *B* of the order of :math:`n + |E|` one evaluation is
:math:`Z = N(1)` to the nearest integer, which is #P-hard to compute [1]_. As the distribution of a
sum holds a partition function, so does the leakage; positive correlation does not help.

**Only connected sets with a known boundary matter.** Let *C* be the component of the target among
the tuples that :math:`A(i, K)` does not know. Given :math:`x_K`, the rest of the unknown is
independent of :math:`x_C`: for every value of the target the distribution of the output is the
distribution made by *C*, convolved with one and the same kernel. Such a convolution raises no log
ratio, and is a point if all outside *C* is known: :math:`A(i, K)` leaks at most what :math:`A(i, V
\setminus C)` does, whose leakage depends on the known neighbours of *C* alone. On a path the
connected sets are intervals (`privlib.research.markov_chain`).

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
import numbers
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array
from privlib.correlated import validation as valid
from privlib.correlated.adversary import Adversary, WorstCase, adversaries
from privlib.correlated.noise_search import Leakage, smallest_scale
from privlib.research._leakages import leakage_by_recursion, leakages_of_sums

_Table = tuple[tuple[int, ...], Array]  # tuples; an axis for each, then one for the sum

LARGEST_TABLE = 2**24
"""Most entries of a table."""
MOST_TUPLES = 2**17
"""Most tuples."""
MOST_STEPS = 2**33
"""Most multiplications for one product of tables."""

_KEPT = 2**24  # entries of the tables of all adversaries together that are kept
_ROUNDED_UP = 2.0**-36  # by how much, relatively, a scale is rounded up
_FEW = 2**12  # databases that are gone through one by one
_TERMS = 2**19  # databases times outputs of such a check
_UNIT = float(np.finfo(np.float64).eps)

_log = np.frompyfunc(math.log, 1, 1)
_integer = np.frompyfunc(int, 1, 1)


@dataclass(frozen=True, eq=False, repr=False)
class MarkovRandomField(_safety.Rebuilt):
    r"""A distribution of tuples of finitely many values that factorises, and a sum of integers.

    Parameters
    ----------
    factors : mapping from tuples of int to array_like
        ``factors[(i, j)][a, b]`` is the positive potential of value *a* of tuple *i* with value *b*
        of tuple *j*; scopes of one tuple, or of more than two, are as good. Tuples are 0, 1, ...
    values : sequence of n sequences of int, optional
        ``values[i][a]`` is what the *a*-th value of tuple *i* adds to the query (its weight is in
        it); by default all tuples are binary and add 0 or 1. Read by position.

    Raises
    ------
    ValueError
        If a scope repeats a tuple, sizes do not fit, a potential is not positive (or so small that
        its float is 0, beside others that are floats), a tuple has no value, there are more than
        `MOST_TUPLES`, or the absolute value of an entry of `values` is not below ``2**62 / n``.
    TypeError
        If `factors` is no mapping from tuples of integers, entries are no numbers, or values no
        integers.

    Notes
    -----
    The potentials must be public: a distribution that was fitted to the data that are to be
    released protects nobody. They are copied.

    All potentials being positive, every database is possible, and the two readings of conditions of
    probability zero agree (`privlib.correlated.finite`).

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(4, 4))
    >>> grid = MarkovRandomField({edge: [[3, 2], [2, 3]] for edge in graph.edges})
    >>> round(grid.leakage(5, scale=10), 4)
    0.2418
    """

    factors: Mapping[tuple[int, ...], Any]
    values: Any = None

    def __post_init__(self) -> None:
        where = "MarkovRandomField"
        if not isinstance(self.factors, Mapping):
            rule = "factors must map tuples of integers to tables"
            raise TypeError(f"{where}: {rule}, got a {type(self.factors).__name__}")
        factors = {_scope(where, scope): table for scope, table in self.factors.items()}
        if len(factors) < len(self.factors):
            raise ValueError(f"{where}: factors must have each tuple of integers once")
        # The class is frozen for its users; these are the last changes.
        object.__setattr__(self, "factors", factors)
        object.__setattr__(self, "values", self._own_values(where))
        self._own_factors(where)

    def __repr__(self) -> str:
        return f"MarkovRandomField(n={len(self.values)}, factors={len(self.factors)})"

    def _own_values(self, where: str) -> tuple[Array, ...]:
        """Return copies of what each value of each tuple adds to the query."""
        if self.values is None:
            last = 0
            for scope in self.factors:
                last = max(last, *scope)
            n = 1 + last
            _safety.limit(where, "the number of tuples", n, MOST_TUPLES)
            return tuple(_safety.owned(np.arange(2)) for _ in range(n))
        if isinstance(self.values, (str, bytes)) or not isinstance(self.values, Iterable):
            rule = "values must be a sequence of sequences of integers"
            raise TypeError(f"{where}: {rule}, got {self.values!r}")
        # Labels of tuples, or what has no order, would give values to other tuples.
        valid.require_order(where, "values", self.values)
        given = list(self.values)
        if not given:
            raise ValueError(f"{where}: values must have at least one tuple, got none")
        _safety.limit(where, "the number of tuples", len(given), MOST_TUPLES)
        most = (2**62 - 1) // len(given)  # so that no sum of values overflows
        rows = []
        for entry in given:
            if isinstance(entry, (str, bytes)) or not isinstance(entry, Iterable):
                rule = "values must be a sequence of sequences of integers"
                raise TypeError(f"{where}: {rule}, got {entry!r}")
            valid.require_order(where, "values", entry)
            row = list(entry)
            if not row:
                raise ValueError(f"{where}: values must have a value for each tuple, got none")
            integers = checks.integers(where, "values", row, low=-most, high=most, ndim=1)
            rows.append(_safety.owned(integers))
        return tuple(rows)

    def _own_factors(self, where: str) -> None:
        """Check the factors, and copy them."""
        sizes = [len(row) for row in self.values]
        factors = {}
        for scope, given in self.factors.items():
            if len(set(scope) & set(range(len(sizes)))) < len(scope):
                raise ValueError(
                    f"{where}: factors must have distinct tuples of 0 to {len(sizes) - 1}, "
                    f"got {scope}"
                )
            name = f"factors[{scope}]"
            shape = tuple(sizes[j] for j in scope)
            valid.require_order(where, name, given)
            table: Any = valid.rationals(where, name, given, shape=shape)
            checks.refuse(where, name, table, "positive", table > 0)
            factors[scope] = _safety.owned(table)
        object.__setattr__(self, "factors", factors)
        _ = self._tables  # made now: the mapping is not frozen

    @cached_property
    def _tables(self) -> list[_Table]:
        """A factor of ones for each tuple, and those given: integers where all are rational."""
        tables: list[_Table] = []
        for j, row in enumerate(self.values):
            tables.append(((j,), np.full(len(row), 1, dtype=object)))
        for scope, table in self.factors.items():
            whole = table
            if table.dtype == object:
                denominators = [entry.denominator for entry in table.flat]
                whole = _integer(table * math.lcm(*denominators))
            tables.append((scope, _safety.owned(whole)))
        return tables

    @cached_property
    def _unit(self) -> int:
        """What all differences of values are multiples of: sums need no finer grid."""
        unit = 0
        for row in self.values:
            for value in row:
                unit = math.gcd(unit, int(value) - int(row[0]))
        return unit or 1

    @cached_property
    def _steps(self) -> list[Array]:
        """What each value of each tuple adds to the query, in units, the least 0."""
        return [(row - row.min()) // self._unit for row in self.values]

    def _weights(
        self, tables: list[_Table], i: int, unknown: Collection[int], arithmetic: _Polynomials
    ) -> Any:
        """Return the weight of target (axis 0), known neighbours and query (last axis)."""
        steps = self._steps
        degree = int(max(steps[i]))
        what = "a table's number of entries"
        _safety.limit("MarkovRandomField", what, len(steps[i]) * (1 + degree), LARGEST_TABLE)
        polynomials = []
        for scope, table in tables:
            # Potentials are polynomials of degree 0.
            polynomials.append((scope, arithmetic.coefficients(table)[..., None]))
        polynomials.append(((i,), arithmetic.powers(steps[i], degree)))
        for j in _elimination_order(tables, unknown):
            with_j = []
            without_j = []
            for scope, table in polynomials:
                if j in scope:
                    with_j.append((scope, table))
                else:
                    without_j.append((scope, table))
            scope, table = arithmetic.product(with_j, j)
            summed = arithmetic.shifted_sum(table, steps[j])
            polynomials = [*without_j, (scope[1:], summed)]
        return arithmetic.product(polynomials, i)[1]

    def joint_distribution(self, target: int, known_values: Any = None) -> tuple[Array, Array]:
        r"""Return the distribution of target and query, given the values of the known tuples.

        Parameters
        ----------
        target : int
            A tuple.
        known_values : mapping from int to int, optional
            For each known tuple the position of its value.

        Returns
        -------
        levels : ndarray of int64, shape (m,)
            Consecutive integers, or multiples of the greatest common divisor of all differences of
            `values`: all values that the query can take and maybe others.
        distribution : ndarray, shape (k_target, m)
            ``distribution[a, b]`` is the probability that the target has its *a*-th value and the
            query is ``levels[b]``: fractions if all potentials are rational (integers, fractions),
            else floats.

        Raises
        ------
        TypeError, ValueError
            If an index is out of range, `known_values` has the target, the treewidth is too
            large, or a probability is so small that its float is 0 (give rational potentials).
            `UncertifiedError` if the databases, where they are few, have another distribution.

        Notes
        -----
        Rows sum to what the adversary believed about the target, columns to the distribution of the
        query; the partition function is the weight of any one database divided by its probability.

        Examples
        --------
        >>> field = MarkovRandomField({(0, 1): [[2, 1], [1, 2]], (1, 2): [[2, 1], [1, 2]]})
        >>> levels, distribution = field.joint_distribution(0)
        >>> levels.tolist(), [str(p) for p in distribution[1]]
        ([0, 1, 2, 3], ['0', '1/9', '1/6', '2/9'])
        """
        where = "joint_distribution"
        try:
            given = {} if known_values is None else dict(known_values)
        except (TypeError, ValueError):
            rule = "known_values must map tuples to positions of their values"
            got = type(known_values).__name__
            raise TypeError(f"{where}: {rule}, got {got}") from None
        (i, known), unknown = valid.adversary_and_unknown(
            where, len(self._steps), target, tuple(given)
        )
        for j in known:
            checks.integer(where, "known_values", given[j], low=0, high=len(self._steps[j]) - 1)
        exact = all(checks.is_exact(table) for _, table in self._tables)
        tables = []
        for scope, table in self._tables:
            open_scope = tuple(j for j in scope if j not in given)
            cell = tuple(given.get(j, slice(None)) for j in scope)
            tables.append((open_scope, table[cell]))
        weights = self._weights(tables, i, unknown, _Polynomials(exact=exact))
        if exact:
            distribution = weights * Fraction(1) / weights.sum()
        else:
            distribution = np.exp(weights - weights.max())
            distribution /= distribution.sum()
            if ((distribution == 0) & (weights > -np.inf)).any():
                raise ValueError(
                    f"{where}: no probability of target and query must be so small that its float "
                    "is 0; potentials that are integers or fractions give fractions"
                )
        low = 0
        for j, row in enumerate(self.values):
            if j in given:
                low += int(row[given[j]])
            else:
                low += int(row.min())
        levels = low + self._unit * np.arange(distribution.shape[1])
        self._certify_distribution(where, i, given, unknown, levels, distribution)
        return levels, distribution

    def _certify_distribution(
        self,
        where: str,
        i: int,
        given: dict[int, int],
        unknown: Any,
        levels: Array,
        distribution: Array,
    ) -> None:
        """Compare the chances of the target with those by the databases, where they are few."""
        free = sorted((i, *unknown))
        if math.prod(len(self.values[j]) for j in free) > _FEW:
            return
        logs, sums = self._databases(free, given)
        own = free.index(i)
        share = np.array([[float(entry) for entry in row] for row in distribution])
        total = np.logaddexp.reduce(logs, axis=None)
        for value in range(len(self.values[i])):
            of_value = np.logaddexp.reduce(np.take(logs, value, axis=own), axis=None)
            expected = math.exp(of_value - total)
            recomputed = float(share[value].sum())
            _safety.certify(where, "a probability", abs(recomputed - expected), 0.0, unit=1e-9)
        centred = (sums - int(levels[0])) / self._unit
        mean = float((np.exp(logs - total) * centred).sum())
        recomputed = float((share.sum(axis=0) * np.arange(len(levels))).sum())
        rounding = 1e-9 * (1 + len(levels))
        _safety.certify(where, "the mean", abs(recomputed - mean), 0.0, unit=rounding)

    def _databases(self, free: list[int], given: dict[int, int]) -> tuple[Array, Array]:
        """Return for each database the logarithm of its weight, and its sum; an axis a tuple."""
        shape = [len(self.values[j]) for j in free]
        logs: Any = np.zeros(shape)
        sums: Any = np.full(shape, 0, dtype=object)
        place = np.indices(shape)
        at = {j: place[axis] for axis, j in enumerate(free)}
        for scope, table in self._tables:
            if all(j in at or j in given for j in scope):
                cell = tuple(at.get(j, given.get(j)) for j in scope)
                logs = logs + np.asarray(_log(table), dtype=float)[cell]
        for j, row in enumerate(self.values):
            if j in at:
                integers = np.array([int(value) for value in row], dtype=object)
                sums = sums + integers[at[j]]
            elif j in given:
                sums = sums + int(row[given[j]])
        return logs, sums

    def leakage(
        self, target: int, known: Iterable[int] = (), *, scale: float, certify: bool = True
    ) -> float:
        r"""Return the exact leakage of one adversary under a Laplace release.

        Parameters
        ----------
        target : int
            The tuple attacked.
        known : iterable of int
            The tuples known.
        scale : float
            Scale of the Laplace noise.
        certify : bool
            Whether to compute the result a second time before it is returned, which takes about as
            long again.

        Returns
        -------
        float
            The leakage, a maximum over the values of the known tuples, too.

        Raises
        ------
        TypeError, ValueError
            If an argument does not fit, `scale` is so small that the query's range in units of it
            overflows, or a table would have more than `LARGEST_TABLE` entries or a product take
            more than `MOST_STEPS`: the graph of the unknown tuples is too wide, too many known
            tuples are next to unknown ones, or values are too far apart for their greatest common
            divisor. `UncertifiedError` if a second computation gives more.

        Notes
        -----
        Tables are kept in logarithms, for their entries get as small as :math:`\psi_{\min}^{|E|}`.
        The last step is the finite maximum of `privlib.correlated.finite`.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 4.1.

        Examples
        --------
        >>> chain = MarkovRandomField({(i, i + 1): [[9, 1], [1, 9]] for i in range(9)})
        >>> round(chain.leakage(4, [0, 9], scale=1), 5)  # as `MarkovChain` finds
        4.69298
        """
        return self._leakage("leakage", target, known, scale, certify=certify)

    def _leakage(
        self, where: str, target: int, known: Iterable[int], scale: Any, *, certify: bool
    ) -> float:
        """Return the leakage of one adversary."""
        certify = checks.flag(where, "certify", certify)
        (i, known), unknown = valid.adversary_and_unknown(where, len(self._steps), target, known)
        lam = valid.noise_scale(where, scale, self._span * self._unit) / self._unit
        distributions = self._distributions(i, unknown)
        leakage = float(leakages_of_sums(distributions, lam, lost=self._lost).max())
        if not certify:
            return leakage
        leakage_again, rounding = self._by_databases(i, known, unknown, lam)
        if leakage_again is None:
            leakage_again, rounding = leakage_by_recursion(distributions, lam)
            rounding += 4 * self._lost
        promise = f"the leakage about tuple {i} to one who knows {len(known)}"
        _safety.certify(where, promise, leakage_again, leakage, unit=rounding)
        return leakage

    @cached_property
    def _lost(self) -> float:
        """By how much rounding may have moved the logarithms of products of factors."""
        largest = 0.0
        for _, table in self._tables:
            logs = _log(table)
            largest += float(np.abs(np.asarray(logs, dtype=float)).max())
        return 4 * _UNIT * largest

    @cached_property
    def _span(self) -> int:
        """The range of the query, in units."""
        return sum(int(row.max()) for row in self._steps)

    def _distributions(self, i: int, unknown: Collection[int]) -> Array:
        """Return log distributions of the query: axes known neighbours, target, sum."""
        logarithms = _Polynomials(exact=False)
        weights = self._weights(self._tables_with(unknown), i, unknown, logarithms)
        weights = weights - np.logaddexp.reduce(weights, axis=-1, keepdims=True)
        size = weights.shape[0]
        count = weights.shape[-1]
        distributions = np.moveaxis(weights, 0, -2).reshape(-1, size, count)
        return np.asarray(distributions)

    def _tables_with(self, unknown: Collection[int]) -> list[_Table]:
        """Return the factors of unknown tuples.

        The others say nothing about these, once the target is given.
        """
        outside = set(unknown)
        return [(scope, table) for scope, table in self._tables if not outside.isdisjoint(scope)]

    def additions(self, target: int, known: Iterable[int] = ()) -> int:
        """Return how many numbers are added to find the distributions that an adversary compares.

        Parameters
        ----------
        target : int
            The tuple attacked.
        known : iterable of int
            The tuples known.

        Returns
        -------
        int
            The work for `leakage`, without the densities and without the second computation.

        Raises
        ------
        TypeError, ValueError
            As `leakage`.

        Examples
        --------
        >>> path = MarkovRandomField({(i, i + 1): [[2, 1], [1, 2]] for i in range(9)})
        >>> path.additions(0), path.additions(5)  # from the middle, two short sums
        (742, 390)
        """
        (i, _), unknown = valid.adversary_and_unknown("additions", len(self._steps), target, known)
        logarithms = _Polynomials(exact=False)
        self._weights(self._tables_with(unknown), i, unknown, logarithms)
        return logarithms.additions

    def _by_databases(
        self, i: int, known: tuple[int, ...], unknown: Any, scale: float
    ) -> tuple[float | None, float]:
        """Return a leakage from the databases one by one, None where they are many."""
        near: set[int] = set()
        for scope, _ in self._tables_with(unknown):
            near.update(scope)
        open_ = [j for j in known if j in near]
        free = [*open_, i, *unknown]
        shape = [len(self.values[j]) for j in free]
        if len(free) > 24 or math.prod(shape) > _FEW:
            return None, 0.0
        # The tuples that are known and touch nothing unknown may have any values.
        logs, sums = self._databases(free, {j: 0 for j in known if j not in near})
        sums = ((sums - sums.min()) // self._unit).astype(np.int64)
        outputs = np.unique(sums)
        if logs.size * len(outputs) > _TERMS:
            return None, 0.0
        logs = logs.reshape(math.prod(shape[: len(open_)]), shape[len(open_)], -1)
        sums = sums.reshape(logs.shape)
        belief = np.logaddexp.reduce(logs, axis=-1)
        best = 0.0
        largest = float(np.abs(logs).max())
        for output in outputs:
            densities = np.logaddexp.reduce(logs - np.abs(sums - output) / scale, axis=-1) - belief
            best = max(best, float(np.ptp(densities, axis=-1).max()))
            largest = max(largest, float(np.abs(densities).max()))
        return best, 16 * _UNIT * (largest + logs.shape[-1] + len(self._tables))

    def worst_adversary(self, *, scale: float, certify: bool = True) -> WorstCase:
        r"""Return the BDP level of a Laplace release and an adversary that attains it.

        Parameters
        ----------
        scale : float
            Scale of the Laplace noise.
        certify : bool
            Whether to compute the result a second time before it is returned, which takes about as
            long again.

        Returns
        -------
        WorstCase
            Its unknown tuples and the target are a connected set; among equals one of them. It
            covers one release under the distribution given, no other distribution.

        Raises
        ------
        TypeError, ValueError
            If `scale` is not positive, `certify` is neither True nor False, there are more than
            16 tuples, or one of the leakages is refused (see `leakage`).

        Notes
        -----
        Not all :math:`n 2^{n-1}` adversaries are tried but, by the theorem at the head of the
        module, those for whom *C*, the target and what they do not know, is connected. A path of
        *n* tuples has n(n + 1)/2 connected sets, a cycle n(n - 1) + 1, a star exponentially many.

        Examples
        --------
        >>> ring = MarkovRandomField({(i, (i + 1) % 8): [[9, 1], [1, 9]] for i in range(8)})
        >>> worst = ring.worst_adversary(scale=0.2)
        >>> len(worst.adversary.known), round(worst.leakage, 5)
        (3, 11.63587)
        """
        where = "worst_adversary"
        certify = checks.flag(where, "certify", certify)
        return self._worst_of(where, self._worst_candidates(where), scale, certify=certify)

    def _worst_candidates(self, where: str) -> list[Adversary]:
        """Return the adversaries of whom one is the worst: those with a connected unknown set."""
        n = checks.integer(where, "the number of tuples", len(self._steps), high=16)
        graph = _moral_graph(self._tables, range(n))
        candidates = []
        for adversary in adversaries(n):
            unknown = set(range(n)) - set(adversary.known)
            if nx.is_connected(graph.subgraph(unknown)):
                candidates.append(adversary)
        return candidates

    def _worst_of(
        self, where: str, candidates: list[Adversary], scale: Any, *, certify: bool
    ) -> WorstCase:
        """Return the candidate with the largest leakage, among equals the first."""
        worst = WorstCase(candidates[0], -math.inf)
        for adversary in candidates:
            leakage = self._leakage(where, *adversary, scale, certify=certify)
            if leakage > worst.leakage:
                worst = WorstCase(adversary, leakage)
        return worst

    def noise_scale(self, epsilon: float) -> float:
        r"""Return the smallest scale at which a Laplace release of the query is `epsilon`-BDP.

        Parameters
        ----------
        epsilon : float
            The largest leakage allowed, positive; infinite: no privacy is asked for.

        Returns
        -------
        float
            The scale, at most a relative 1e-10 above the smallest one (a little more where rounding
            may be more than 1e-10 of `epsilon`). 0 if the query has one value only, or if `epsilon`
            is infinite. No adversary leaks more (to a relative 1e-9) under the distribution given,
            from one release. Under another distribution they may.

        Raises
        ------
        TypeError, ValueError
            If `epsilon` is not positive, the scale were outside 1e-300 to 1e308, there are more
            than 16 tuples, or one of the leakages is refused (see `leakage`). `UncertifiedError` if
            `worst_adversary` finds more than `epsilon` at the scale.

        Notes
        -----
        The leakage does not increase with the scale (`privlib.correlated.finite`), and no adversary
        exceeds the range of the query divided by the scale. All databases are possible, so without
        noise whoever knows all other tuples knows the target, too, if it adds anything.

        The adversaries are those of `worst_adversary`; the one who is the worst at one scale says
        which scale to try next. The scale is rounded up, and before it is returned the leakage of
        all of them at it is computed again, as `worst_adversary` does, each in two ways.

        References
        ----------
        Yang, Sato, Nakagawa, Section 4.2.3, where a smaller noise parameter is looked for.

        Examples
        --------
        >>> ring = MarkovRandomField({(i, (i + 1) % 8): [[9, 1], [1, 9]] for i in range(8)})
        >>> scale = ring.noise_scale(1)
        >>> round(scale, 4), round(ring.worst_adversary(scale=scale).leakage, 9)
        (6.3439, 1.0)
        """
        where = "noise_scale"
        eps = checks.privacy_level(where, "epsilon", epsilon)
        if eps == math.inf:
            return 0.0
        candidates = self._worst_candidates(where)
        if self._span == 0:
            return 0.0  # nothing is released
        enough = self._span / eps
        rule = "be large enough for a scale below 1e308"
        checks.bounded(where, "epsilon", eps, rule, lambda _: enough * self._unit < 1e308)
        rule = "be small enough for a scale above 1e-300"
        checks.bounded(where, "epsilon", eps, rule, lambda _: enough > 1e-300)
        tables: dict[Adversary, Array] = {}

        def distributions_of(adversary: Adversary) -> Array:
            if adversary in tables:
                return tables[adversary]
            unknown = set(range(len(self._steps))) - {adversary.target, *adversary.known}
            distributions = self._distributions(adversary.target, sorted(unknown))
            if distributions.size * len(candidates) <= _KEPT:
                tables[adversary] = distributions
            return distributions

        def worst_at(scale: float) -> tuple[float, Leakage]:
            most = -math.inf
            worst = candidates[0]
            for adversary in candidates:
                leakages = leakages_of_sums(distributions_of(adversary), scale, lost=self._lost)
                leakage = float(leakages.max())
                if leakage > most:
                    most = leakage
                    worst = adversary
            of_worst = distributions_of(worst)
            return most, lambda other: float(
                leakages_of_sums(of_worst, other, lost=self._lost).max()
            )

        smallest = smallest_scale(where, worst_at, eps, enough)
        scale = smallest * self._unit * (1 + _ROUNDED_UP)
        at_scale = self._worst_of(where, candidates, scale, certify=True)
        _safety.certify(where, "the leakage at this scale", at_scale.leakage, eps)
        return scale


def _scope(where: str, scope: Any) -> tuple[int, ...]:
    """Return the tuples of a factor."""
    if not isinstance(scope, tuple) or not scope:
        rule = "factors must have tuples of integers as keys, such as (0, 1) or (0,)"
        raise TypeError(f"{where}: {rule}, got {scope!r}")
    for j in scope:
        if isinstance(j, checks.REFUSED) or not isinstance(j, numbers.Integral):
            rule = "factors must have tuples of integers as keys"
            raise TypeError(f"{where}: {rule}, got {scope!r}")
    return tuple(int(j) for j in scope)


def _moral_graph(tables: Iterable[tuple[Any, Any]], nodes: Collection[int]) -> Any:
    """Return the graph on some tuples that joins those with a common factor."""
    graph = nx.empty_graph(nodes)
    for scope, _ in tables:
        inside = [j for j in scope if j in graph]
        graph.add_edges_from(combinations(inside, 2))
    return graph


def _elimination_order(tables: Iterable[tuple[Any, Any]], unknown: Collection[int]) -> list[int]:
    """Return the unknown tuples from the leaves of a tree decomposition to its root."""
    graph = _moral_graph(tables, unknown)
    tree = nx.approximation.treewidth_min_fill_in(graph)[1]
    last_bag = {}
    for position, bag in enumerate(nx.dfs_postorder_nodes(tree)):
        for j in bag:
            last_bag[j] = position
    return sorted(last_bag, key=lambda j: last_bag[j])


_WIDE = "the graph is too wide, or values have too small a common divisor for their range"


class _Polynomials:
    """Arithmetic of tables of polynomials, whose coefficients are along the last axis.

    Coefficients are integers in object arrays, or logarithms of non-negative numbers.
    """

    def __init__(self, *, exact: bool) -> None:
        self.exact = exact
        self.additions = 0  # how many numbers were added
        self.dtype: type = object if exact else float
        self.zero: Any = 0 if exact else -np.inf
        self.one: Any = 1 if exact else 0.0

    def coefficients(self, table: Array) -> Any:
        """Return numbers as coefficients."""
        if self.exact:
            return np.asarray(table, dtype=object)
        return np.asarray(_log(table), dtype=float)

    def powers(self, steps: Array, degree: int) -> Any:
        """Return for each step the monomial of that power."""
        chosen = steps[:, None] == np.arange(1 + degree)
        return np.where(chosen, self.one, self.zero).astype(self.dtype)

    def product(self, tables: list[_Table], first: int) -> _Table:
        """Return the product of tables, the axis of tuple `first` in front."""
        scope = [first]
        for own, _ in tables:
            for j in own:
                if j not in scope:
                    scope.append(j)
        product: Any = np.array([self.one], dtype=self.dtype)
        for own, table in sorted(tables, key=lambda entry: entry[1].size):
            # The axes of this table in the order of all, and new ones for what it does not have.
            order = sorted(range(len(own)), key=lambda axis: scope.index(own[axis]))
            missing = tuple(axis for axis, j in enumerate(scope) if j not in own)
            wide = np.expand_dims(table.transpose(*order, -1), missing)
            if product.shape[-1] <= wide.shape[-1]:
                product = self._product_of_two(product, wide)
            else:
                product = self._product_of_two(wide, product)
        return tuple(scope), product

    def _product_of_two(self, short: Array, long: Array) -> Any:
        """Return the product of polynomials, one of which has no more coefficients."""
        degree = short.shape[-1]
        cells = math.prod(np.broadcast_shapes(short.shape[:-1], long.shape[:-1]))
        entries = cells * (long.shape[-1] + degree)
        what = "a table's number of entries"
        _safety.limit("MarkovRandomField", what, entries, LARGEST_TABLE, _WIDE)
        # Where values are far apart few powers have a weight.
        powers = []
        for power in range(degree):
            if power == degree - 1 or (short[..., power] != self.zero).any():
                powers.append(power)
        what = "the steps of a product of tables"
        _safety.limit("MarkovRandomField", what, entries * len(powers), MOST_STEPS, _WIDE)
        return self.shifted_sum(self._multiples(short, long, powers), powers)

    def _multiples(self, short: Array, long: Array, powers: list[int]) -> Iterator[Array]:
        """Yield the long polynomials times each of some coefficients of the short ones."""
        for power in powers:
            coefficient = short[..., power : power + 1]
            if self.exact:
                yield long * coefficient
            else:
                yield long + coefficient

    def shifted_sum(self, rows: Iterable[Array], steps: Any) -> Any:
        """Add polynomials, each multiplied by the power of z that `steps` has for it."""
        longest = int(max(steps))
        total: Any = None
        for row, step in zip(rows, steps):
            self.additions += row.size
            if total is None:
                shape = (*row.shape[:-1], row.shape[-1] + longest)
                total = np.full(shape, self.zero, dtype=row.dtype)
            part = total[..., step : step + row.shape[-1]]
            if self.exact:
                part += row
            else:
                np.logaddexp(part, row, out=part)
        return total
