r"""All adversaries of a Markov chain in polynomial time, and what others would add.

Let :math:`x_1, \dots, x_n` be a Markov chain on k states with one transition matrix *P*, let each
state add an integer to the query (by default its number), and release the sum plus ``Lap(scale)``.
There are :math:`n 2^{n-1}` adversaries, but:

**Only intervals matter.** Let :math:`a < i < b` be the known tuples nearest to the target (or
none). Given :math:`x_K`, what lies outside ``[a, b]`` is independent of :math:`x_i`: for every
value of the target the distribution of the sum is the distribution of the part inside, convolved
with one and the same kernel. Such a convolution cannot raise a log ratio (data processing), and if
everything outside is known the kernel is a point. So the worst adversary knows everything outside
an interval ``(a, b)`` and nothing inside it but, of course, not the target. Intervals may reach
either end of the chain.

Given :math:`x_a, x_i, x_b`, the parts left and right of the target are independent bridges whose
distributions depend on their lengths alone. Running both through one table,

.. math:: U_{m+1}(x', s + x') = \sum_x U_m(x, s) P(x, x'),

gives the distributions of all :math:`O(n^2)` intervals, each with :math:`O(n)` atoms, in
:math:`O(n^3)` steps. The table is kept in logarithms: its entries get as small as
:math:`p_{\min}^n`. The rest is the finite maximum of `privlib.correlated.finite`.

**Far tuples hardly matter.** Write :math:`\Delta_m` for the largest log cross ratio of
:math:`P^m`, its *projective diameter*,

.. math:: \Delta_m = \max_{u, w, v, v'}
          \log \frac{P^m(u, v)\, P^m(w, v')}{P^m(u, v')\, P^m(w, v)},

which falls to 0 geometrically if some power of *P* is positive [1]_. Let *u* be the value *m*
places from the target, on either side. By Bayes, whatever is known beyond it and whatever the
initial distribution, :math:`\Pr(u \mid x_i = v)` and :math:`\Pr(u \mid x_i = v')` differ by a
factor of at most :math:`e^{\Delta_m}`: what is known or assumed beyond cancels in the cross ratio.
Given *u*, what lies beyond is independent of the target. So an adversary with more than *r* unknown
tuples on one side leaks at most :math:`\Delta_{r+1}` more than one who knows the tuple *r + 1*
places away, and everything beyond: intervals with at most *r* unknown tuples on either side give
the level up to :math:`2 \Delta_{r+1}`. With *r = 0* this is an upper bound for every mechanism,
:math:`\varepsilon + 2 \Delta_1`. The same bound leaves out intervals one
by one: among those with the same other side, whoever has more than *r* unknown tuples on this one
leaks at most :math:`\Delta_{r+1}` more than the worst of those who know the tuple *r + 1* places
away. Where that is less than what has been found, none of them is looked at.

**Two published mechanisms** protect each tuple of a chain against adversaries who know nobody
[2]_. The *Markov quilt mechanism* pays for the near tuples in full and for the far ones by their
influence; the *Wasserstein mechanism* sets the noise by how far the distribution of the query has
to be moved when a tuple changes.

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
import numbers
from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import FloatArray
from privlib.correlated import validation as valid
from privlib.correlated.adversary import Adversary, WorstCase
from privlib.research._leakages import leakage_by_recursion, leakages_of_sums

LARGEST_TABLE = 2**26
"""Most entries of a table of distributions of sums."""
MOST_STEPS = 2**34
"""Most entries of the distributions of all intervals together."""
LONGEST = 10**6
"""Most tuples."""

_FREE = 0  # kinds of ends: the end of the chain, then known value 0, known value 1, ...
_TIE = 1e-12
_REACH = 32  # unknown tuples on either side that are always looked at
_ROWS = 12  # of them at a time
_UNIT = float(np.finfo(np.float64).eps)
_LOOKS = 2**17  # atoms times outputs that are looked at one by one


@dataclass(frozen=True, eq=False)
class _Chain:
    matrix: FloatArray
    logs: FloatArray  # of the matrix
    first: FloatArray  # logarithms of the distribution of the first tuple
    values: npt.NDArray[np.int64]  # what each state adds to the query in units, the least one 0
    n: int
    possible: npt.NDArray[np.bool_]  # which values each tuple can have, shape (n, k)
    unit: int  # of which all differences of the values given are multiples
    influences: _Influences


class _Found(NamedTuple):
    worst: WorstCase
    bound: float  # no adversary exceeds it
    distributions: FloatArray  # of the interval with the largest bound
    extra: float  # by how much that bound is above its leakage


@dataclass(frozen=True, eq=False, repr=False)
class MarkovChain(_safety.Rebuilt):
    r"""Tuples along a Markov chain, or along any chain of a class, and a sum of integers as query.

    Parameters
    ----------
    transition : float, array_like, scipy.sparse matrix or networkx graph, shape (k, k)
        ``transition[x, x']`` is the probability of the next value x' after x; a number is the
        probability to stay in either of two states. A sequence of matrices, shape (c, k, k), is a
        class of chains, of which the worst counts. It must be public, never estimated from the
        data that are to be released. Labels of a table or graph are names of states: the same on
        both axes (in a class, in all matrices), in one order. Labels that are numbers other than
        0, 1, ..., k - 1 may be meant as `values`, which have to be given then.
    n : int
        Length of the chain, at least 1 and at most `LONGEST`.
    initial : array_like, shape (k,), optional
        Distribution of the first tuple, for all chains of a class; default the stationary
        distribution of each. In the order of the states.
    values : sequence of int, shape (k,), optional
        What each state adds to the query, in the order of the states; default
        ``0, 1, ..., k - 1``.

    Attributes
    ----------
    transition : ndarray, shape (k, k) or (c, k, k)
        The matrix, or those of the class: a copy in floats that cannot be written to.
    n : int
        Length of the chain.
    initial, values : ndarray, shape (k,), or None
        Copies of what was given.

    Raises
    ------
    TypeError, ValueError
        If `transition` has a matrix that is not stochastic, or matrices of a class do not fit; if
        `values` or `initial` have the wrong shape, sign or labels; if n times the range of
        `values`, in units of their greatest common divisor, exceeds 2**40; if an exact probability
        is so small that its float is 0; or if `initial` is missing and the stationary distribution
        is not unique: more than one set of states is never left.

    Notes
    -----
    The guarantees are for the chain given, or for all of the class; not for other chains, nor for
    conditions of probability zero. These do not take part, as with ``conditions="positive"`` in
    `privlib.correlated.finite`; a chain whose every tuple is fixed by the others therefore leaks 0
    to strong adversaries.

    Time and memory grow with the range of `values` in units of their greatest common divisor:
    0 and 10,000 take no more than 0 and 1. Count in larger units where they are far apart. Work
    that would be too much is refused before it starts.

    Examples
    --------
    >>> chain = MarkovChain(0.9, 20)
    >>> chain
    MarkovChain(n=20, states=2)
    >>> round(chain.leakage(10, scale=10), 5), round(chain.worst_adversary(scale=10).leakage, 5)
    (0.79147, 0.79147)
    >>> round(chain.noise_scale(1), 4)
    7.8433
    """

    transition: Any
    n: int
    _: KW_ONLY
    initial: Any = None
    values: Any = None

    def __post_init__(self) -> None:
        members = _chains("MarkovChain", self.transition, self.n, self.initial, self.values)
        matrices = np.array([member.matrix for member in members])
        several = len(_members("MarkovChain", self.transition)) > 1
        # The class is frozen for its users; these are the last changes.
        own: dict[str, Any] = {}
        own["_members"] = tuple(members)
        own["transition"] = _safety.owned(matrices if several else matrices[0])
        own["n"] = members[0].n
        if self.initial is not None:
            own["initial"] = _safety.owned(np.asarray(self.initial, dtype=float))
        if self.values is not None:
            own["values"] = _safety.owned(np.asarray(self.values))
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        shape = self.transition.shape
        size = f"n={self.n}, states={shape[-1]}"
        if len(shape) == 3:
            size += f", chains={shape[0]}"
        return f"MarkovChain({size})"

    def _chains(self) -> list[_Chain]:
        """Return the chain, or the chains of the class."""
        members: tuple[_Chain, ...] = self._members  # type: ignore[attr-defined]
        # What a call has found out of the influences grows: no two calls share it.
        return [replace(member, influences=_Influences(member.logs)) for member in members]

    def _scale(self, where: str, scale: Any) -> float:
        """Return a scale in units of the sum."""
        chain = self._chains()[0]
        span = chain.n * int(np.ptp(chain.values)) * chain.unit
        return valid.noise_scale(where, scale, span) / chain.unit

    def leakage(
        self, target: int, known: Iterable[int] = (), *, scale: float, certify: bool = True
    ) -> float:
        r"""Return the exact leakage of one adversary under a Laplace release of the sum.

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
            The leakage, a maximum over the values of the known tuples, too; of a class of chains
            the largest of its members'. It says nothing about adversaries who know other tuples.

        Raises
        ------
        TypeError, ValueError
            If an argument does not fit, `scale` is so small that the query's range in units of it
            overflows, or a table would have more than `LARGEST_TABLE` entries or all steps together
            more than `MOST_STEPS`: each known tuple beside an unknown one makes the table k times
            as large. `UncertifiedError` if a second computation gives more.

        Notes
        -----
        Known tuples between known ones say nothing more, and what is known adds a constant to the
        sum. The table has an axis for each known tuple beside an unknown one, for the target, the
        last value and the sum of what is unknown, and goes along the chain. The second computation
        goes from the other end, state by state.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 4.1.

        Examples
        --------
        >>> round(MarkovChain(0.9, 10).leakage(4, [0, 9], scale=1), 5)
        4.69298
        """
        where = "leakage"
        certify = checks.flag(where, "certify", certify)
        (i, known), unknown = valid.adversary_and_unknown(where, self.n, target, known)
        lam = self._scale(where, scale)
        largest = 0.0
        for chain in self._chains():
            plan = _plan(where, chain, i, known)
            masses = _sums_from_the_left(chain, plan)
            distributions = _comparable(masses)
            if len(distributions):
                lost = _lost(masses, len(unknown))
                leakages = leakages_of_sums(distributions, lam, lost=lost)
                largest = max(largest, float(leakages.max()))
        if not certify:
            return largest
        for chain in self._chains():
            plan = _plan(where, chain, i, known)
            masses = _sums_from_the_right(chain, plan)
            distributions = _comparable(masses)
            if len(distributions):
                leakage_again, rounding = leakage_by_recursion(distributions, lam)
                rounding += 16 * _UNIT * (self.n - _least(distributions))
                rounding += 4 * _lost(masses, len(unknown))
                promise = f"the leakage about tuple {i} with {len(unknown)} others unknown"
                _safety.certify(where, promise, leakage_again, largest, unit=rounding)
        return largest

    def worst_adversary(self, *, scale: float, rtol: float = 1e-6) -> WorstCase:
        r"""Return the BDP level of a Laplace release of the sum, and an adversary who attains it.

        Parameters
        ----------
        scale : float
            Scale of the Laplace noise.
        rtol : float
            How far the level may be above the leakage of the adversary named, relatively, when
            ``n > 33``: intervals that forgetting makes harmless are left out. With 0 it is not
            above (to rounding).

        Returns
        -------
        WorstCase
            An adversary and the level, which no adversary's leakage exceeds; where nothing was left
            out it is the leakage of the one named, among equals (to a relative 1e-12) the one with
            the fewest unknown tuples to the left, then to the right. It covers one release of the
            sum, under the chain given, or all of the class; not other chains, nor conditions of
            probability zero.

        Raises
        ------
        TypeError, ValueError
            If `scale` is not positive, or so small that the query's range in units of it overflows;
            if a table would have more than `LARGEST_TABLE` entries, or all distributions together
            more than `MOST_STEPS`. `UncertifiedError` if a second computation gives more.

        Notes
        -----
        With *r* the number of unknown tuples that are looked at on either side, time and memory are
        :math:`O(r^3)` and :math:`O(r^2)`, times :math:`k^4` and the range of `values`; *r* is
        :math:`n - 1`, or less if the head of the module certifies `rtol` for it, which a chain
        without a positive power never does. What forgetting leaves out saves most of the densities,
        which alone would be :math:`O(r^4)`. Ten thousand tuples take less than a second where
        forgetting is quick (r up to 70 in two states, 40 in three), one or two in three states like
        those of the last example with ``values=[0, 1, 2]`` (r = 71 at the default `rtol`), and
        longer where values stay for hundreds of steps.

        Before it is returned the level is compared with the leakage of single adversaries, computed
        tuple by tuple along the chain: of the one named, and of those at both ends and in the
        middle who know all but two neighbours at most.

        For the symmetric chain with correlation ``rho = 2 stay - 1`` of neighbours the
        amplification, ``leakage * scale``, tends to ``(1 + rho) / (1 - rho)`` for long chains and
        much noise if ``rho >= 0``: the expected change of the sum, ``1 + 2 (rho + rho**2 + ...)``.
        Less noise amplifies less. If ``rho < 0`` it is 1, that of who knows all others.

        References
        ----------
        Yang, Sato, Nakagawa, Definition 4.1; the count of adversaries is in Section 5.1.

        Examples
        --------
        >>> round(MarkovChain(0.9, 20).worst_adversary(scale=10).leakage, 5)
        0.79147

        With less noise an adversary who knows both ends is worse than those who know nobody:

        >>> MarkovChain(0.9, 10).worst_adversary(scale=1)
        WorstCase(adversary=Adversary(target=4, known=(0, 9)), leakage=4.69298)

        Ten thousand tuples of three states, of which the query counts the last:

        >>> P = [[0.8, 0.2, 0.0], [0.1, 0.8, 0.1], [0.0, 0.2, 0.8]]
        >>> long = MarkovChain(P, 10_000, values=[0, 0, 1])
        >>> round(long.worst_adversary(scale=2, rtol=1e-4).leakage, 3)
        5.065
        """
        where = "worst_adversary"
        lam = self._scale(where, scale)
        tolerance = checks.non_negative(where, "rtol", rtol)
        worst = WorstCase(Adversary(0, tuple(range(1, self.n))), 0.0)
        for number, chain in enumerate(self._chains()):
            result = _level(where, chain, lam, tolerance)
            level = max(result.bound, result.worst.leakage)
            _recompute(where, chain, lam, result.worst.adversary, level)
            if number == 0 or level > worst.leakage:
                worst = WorstCase(result.worst.adversary, level)
        return worst

    def noise_scale(self, epsilon: float) -> float:
        """Return the smallest scale at which a Laplace release of the sum is `epsilon`-BDP.

        Parameters
        ----------
        epsilon : float
            The largest leakage allowed, between 1e-280 and 1e280; infinite: no privacy is asked
            for.

        Returns
        -------
        float
            The scale, such that no leakage exceeds `epsilon` (to a relative 1e-9) and a relative
            1e-6 less noise is not certified to do (1e-4 if the sum has a hundred thousand values,
            whose rounding is added). 0 if even the sum itself, without noise, leaks at most
            `epsilon`, or if that is infinite. It covers one release, under the chain given or all
            of the class, and every adversary who knows some tuples and is uncertain about the
            others; not other chains: the noise for a class is the largest of its members'.

        Raises
        ------
        TypeError, ValueError
            If `epsilon` is out of range, or it takes too much work (see `worst_adversary`).
            `UncertifiedError` if no scale was found, or a second computation finds more than
            `epsilon` at it.

        Notes
        -----
        No leakage increases with the scale (`privlib.correlated.finite`), so each interval has a
        smallest scale of its own, between that for independent tuples and n times as much, and the
        largest of them is wanted. The interval that is the worst at one scale says which scale to
        try next, until it is the worst at its own: a few looks at near intervals, and one to three
        at all. What is compared with `epsilon` is not the leakage found but the upper end of what
        forgetting certifies, with ``rtol=1e-6``. The check is that of `worst_adversary`.

        So it takes several times as long as one level at that noise: for ten thousand tuples less
        than a second where forgetting is quick, and some seconds where three states have a longer
        memory and each adds another number (the last example of `worst_adversary` with
        ``values=[0, 1, 2]``).

        References
        ----------
        Yang, Sato, Nakagawa, Section 4.2.3, where a smaller noise parameter is looked for.

        Examples
        --------
        >>> round(MarkovChain(0.9, 20).noise_scale(1), 4)
        7.8433
        >>> round(MarkovChain(0.3, 1000).noise_scale(1), 4)  # hostile neighbours: as if independent
        1.0
        """
        where = "noise_scale"
        chains = self._chains()
        eps = checks.privacy_level(where, "epsilon", epsilon)
        rule = "be between 1e-280 and 1e280"
        if eps == math.inf:
            return 0.0
        checks.bounded(where, "epsilon", eps, rule, lambda e: 1e-280 <= e <= 1e280)
        without_noise = [_level(where, chain, 0.0, 1e-6, ceiling=eps) for chain in chains]
        if max(level.bound for level in without_noise) <= eps:
            for level, chain in zip(without_noise, chains):
                _recompute(where, chain, 0.0, level.worst.adversary, eps)
            return 0.0
        scale, adversaries = _smallest_scale(where, chains, eps)
        for chain, adversary in zip(chains, adversaries):
            _recompute(where, chain, scale, adversary, eps)
        return scale * chains[0].unit

    def wasserstein_distance(self, *, known: bool = False, certify: bool = True) -> int:
        r"""Return the largest :math:`W_\infty` of the sum given one value of a tuple or another.

        Parameters
        ----------
        known : bool
            Whether adversaries who know tuples take part; by default only those who know nobody.
        certify : bool
            Whether to compute the result a second time before it is returned, which takes about as
            long again.

        Returns
        -------
        int
            The distance *W*; the Wasserstein mechanism adds ``Lap(W / epsilon)``. By default that
            covers only adversaries who know nobody.

        Raises
        ------
        TypeError, ValueError
            If it takes too much work (see `worst_adversary`), or `known` is no bool.
            `UncertifiedError` if noise of the distance leaks more than 1.

        Notes
        -----
        :math:`W_\infty \le w` if and only if :math:`F(t) \le G(t + w)` and
        :math:`G(t) \le F(t + w)` for all *t*, with the distribution functions; both tails are
        compared in logarithms, and count as equal to a relative 1e-11, which rounding needs and
        which the leakage may exceed `epsilon` by. Convolution with one kernel cannot raise it, so
        intervals suffice, as for the leakage. But it does not forget: what is unlikely counts as
        much as what is likely, so there is no cut-off. Time is :math:`O(n^3)`.

        References
        ----------
        Song, Wang, Chaudhuri, SIGMOD 2017, Algorithm 1.

        Examples
        --------
        >>> MarkovChain(0.9, 10).wasserstein_distance(), MarkovChain(0.5, 10).wasserstein_distance()
        (8, 1)
        """
        where = "wasserstein_distance"
        distance = 0
        known = checks.flag(where, "known", known)
        certify = checks.flag(where, "certify", certify)
        chains = self._chains()
        for chain in chains:
            _limit_work(where, chain, chain.n - 1)
            for *_, distributions in _compared(chain, known=known):
                for tail in (distributions, distributions[..., ::-1]):
                    low = np.logaddexp.accumulate(tail, axis=-1)  # of the mass up to there
                    one = low[:, :, None]
                    two = low[:, None] + 1e-11
                    while (
                        one[..., : max(low.shape[-1] - distance, 0)] > two[..., distance:]
                    ).any():
                        distance += 1
        if not certify:
            return distance * chains[0].unit
        for chain in chains:
            for *_, distributions in _compared(chain, known=known):
                if distance == 0:
                    leakage_again = leakages_of_sums(distributions, 0.0)
                    promise = "the leakage without noise"
                else:
                    leakage_again = leakages_of_sums(distributions, float(distance))
                    promise = "the leakage with this noise"
                allowed = 1.0 if distance else 0.0
                _safety.certify(where, promise, leakage_again, allowed, unit=1e-10)
        return distance * chains[0].unit

    def markov_quilt_scale(self, epsilon: float) -> float:
        r"""Return the noise of the Markov quilt mechanism for a query that is 1-Lipschitz.

        Parameters
        ----------
        epsilon : float
            The level of Pufferfish privacy, positive; infinite: no privacy is asked for.

        Returns
        -------
        float
            The scale of the Laplace noise, 0 if `epsilon` is infinite; for a query that changes by
            at most *L* when one tuple changes, *L* times as much, whatever `values` says.
            Adversaries who know some tuples are not covered.

        Raises
        ------
        TypeError, ValueError
            If `epsilon` is not positive, or so small that the scale is no float, or the work is too
            much. `UncertifiedError` if a quilt, computed again from the distribution of its values,
            needs more noise.

        Notes
        -----
        A *quilt* of tuple *i* is a tuple before it, one after it, both or none; what it cuts off
        besides is independent of *i* given the quilt. If *c* tuples, the *i*-th among them, are not
        cut off, and the log probabilities of the quilt's values for two values of tuple *i* differ
        by at most *e*, then ``c / (epsilon - e)`` is enough for tuple *i*. The result is the
        largest over *i* of the smallest over quilts (the exact form, Algorithm 3 of [1]_). A quilt
        with more than *r* tuples inside is not better than *r* / epsilon, so near ones are tried
        first.

        It protects each tuple against adversaries who know nobody, and any query of that kind; the
        exact `noise_scale` is for the sum alone, and for adversaries who know some tuples, too.

        References
        ----------
        .. [1] Song, Wang, Chaudhuri, SIGMOD 2017, Definitions 4.1 to 4.4.

        Examples
        --------
        >>> round(MarkovChain(0.9, 100).markov_quilt_scale(1), 4)
        31.7378
        >>> MarkovChain(0.5, 100).markov_quilt_scale(1)  # independent tuples
        1.0
        """
        where = "markov_quilt_scale"
        scale = 0.0
        eps = checks.privacy_level(where, "epsilon", epsilon)
        if eps == math.inf:
            return 0.0
        for chain in self._chains():
            reach = 8
            _limit_quilts(where, chain, reach)
            shares = _log_along(chain)
            quilts = _quilts(where, chain, shares, eps, reach)
            while max(quilt.noise for quilt in quilts) > reach / eps:
                reach *= 2
                quilts = _quilts(where, chain, shares, eps, reach)
            worst = max(range(chain.n), key=lambda i: quilts[i].noise)
            if quilts[worst].noise == math.inf:
                rule = "epsilon must be large enough for a scale that a float holds"
                raise ValueError(f"{where}: {rule}, got {eps}")
            for i in {0, worst, chain.n // 2, chain.n - 1}:
                promise = f"the noise for tuple {i}"
                noise = _noise_of_quilt(chain, shares, eps, i, quilts[i])
                _safety.certify(where, promise, noise, quilts[worst].noise)
            scale = max(scale, quilts[worst].noise)
        return scale

    def markov_bound(self, epsilon: float) -> float:
        r"""Return a published upper bound of the BDP level of any mechanism on the chain.

        Parameters
        ----------
        epsilon : float
            Level of ordinary differential privacy of the mechanism, positive.

        Returns
        -------
        float
            ``epsilon + 4 * log(largest entry / smallest entry)`` of the transition matrix; of a
            class the largest of its members'.

        Raises
        ------
        TypeError, ValueError
            If a transition matrix has an entry of 0, or `epsilon` is not positive.

        Notes
        -----
        The bound holds for every mechanism and does not depend on the length, but it does not go to
        0 with `epsilon`: the exact value of `worst_adversary` does.

        References
        ----------
        Lange, Martin et al., PVLDB 2025, arXiv:2506.21308.

        Examples
        --------
        >>> chain = MarkovChain(0.9, 20)
        >>> round(chain.markov_bound(0.1), 2), round(chain.markov_bound(1), 2)
        (8.89, 9.79)
        """
        where = "markov_bound"
        eps = checks.positive(where, "epsilon", epsilon)
        largest = 0.0
        for chain in self._chains():
            matrix = chain.matrix
            if not matrix.min() > 0:
                rule = "transition must have positive entries"
                raise ValueError(f"{where}: {rule}, got {matrix.min()}")
            level = eps + 4 * float(np.log(matrix.max()) - np.log(matrix.min()))
            ratio = 0.0
            for a in matrix.flat:
                for b in matrix.flat:
                    ratio = max(ratio, math.log(a) - math.log(b))
            _safety.certify(where, "the published bound", eps + 4 * ratio, level)
            largest = max(largest, level)
        return largest


# --- one adversary -----------------------------------------------------------------------------


class _Plan(NamedTuple):
    """What a table along the chain does at each tuple, to have the sum for one adversary."""

    target: int
    known: npt.NDArray[np.bool_]  # such a tuple adds a constant to the sum
    kept: npt.NDArray[np.bool_]  # known, with an unknown neighbour: an axis of the table


def _plan(where: str, chain: _Chain, target: int, known: Iterable[int]) -> _Plan:
    """Return what has to be done for one adversary; refuse what takes too much work."""
    is_known = np.zeros(chain.n, dtype=bool)
    is_known[list(known)] = True
    beside_unknown = np.zeros(chain.n, dtype=bool)
    beside_unknown[1:] |= ~is_known[:-1]
    beside_unknown[:-1] |= ~is_known[1:]
    kept = is_known & beside_unknown
    k = len(chain.values)
    unknown = chain.n - int(is_known.sum())
    longest = 1 + int(chain.values.max()) * unknown
    entries = k ** int(kept.sum()) * k * k * longest
    hint = "fewer known tuples beside unknown ones, or fewer unknown ones, take less"
    _safety.limit(where, "the entries of a table of the sum", entries, LARGEST_TABLE, hint)
    steps = chain.n * k * entries
    _safety.limit(where, "the steps along the chain", steps, MOST_STEPS, hint)
    return _Plan(target, is_known, kept)


def _sums_from_the_left(chain: _Chain, plan: _Plan) -> FloatArray:
    """Return log masses of the sum, from the first tuple to the last.

    Axes: values of the tuples that are kept, value of the target, sum.
    """
    # Axes on the way: as above, with the value of the last tuple before the sum.
    table = chain.first.reshape(1, 1, -1, 1)
    for j in range(chain.n):
        if j > 0:
            table = _moved(table, chain)[..., 1:, :]
        if plan.kept[j]:
            table = _with_axis_of_known(table)
        elif j == plan.target:
            table = _with_axis_of_target(table)
        if not plan.known[j]:
            room = [(0, 0), (0, 0), (0, 0), (0, int(chain.values.max()))]
            table = _counted(np.pad(table, room, constant_values=-np.inf), chain)
    return np.asarray(_log_sum(table, axis=-2)[..., 0, :])


def _sums_from_the_right(chain: _Chain, plan: _Plan) -> FloatArray:
    """Return the masses of `_sums_from_the_left`, from the last tuple to the first.

    The rows are in another order, and everything is added up in logarithms, state by state.
    """
    k = len(chain.values)
    most = int(chain.values.max())
    table = np.zeros((1, 1, k, 1))
    for j in reversed(range(chain.n)):
        if j < chain.n - 1:
            before = np.empty_like(table)
            for state in range(k):
                ways = table + chain.logs[state][:, None]
                before[:, :, state] = np.logaddexp.reduce(ways, axis=2)
            table = before
        if plan.kept[j]:
            table = _with_axis_of_known(table)
        elif j == plan.target:
            table = _with_axis_of_target(table)
        if not plan.known[j]:
            counted = np.full((*table.shape[:-1], table.shape[-1] + most), -np.inf)
            for state in range(k):
                step = int(chain.values[state])
                counted[:, :, state, step : step + table.shape[-1]] = table[:, :, state]
            table = counted
    return np.asarray(np.logaddexp.reduce(table + chain.first[:, None], axis=2))


def _with_axis_of_known(table: FloatArray) -> FloatArray:
    """Split each row by the value of the last tuple; leave out rows without any mass."""
    rows, targets, k, count = table.shape
    split = np.full((rows, k, targets, k, count), -np.inf)
    for state in range(k):
        split[:, state, :, state] = table[:, :, state]
    split = split.reshape(rows * k, targets, k, count)
    return split[(split > -np.inf).any(axis=(1, 2, 3))]


def _with_axis_of_target(table: FloatArray) -> FloatArray:
    """Give the value of the last tuple an axis of its own."""
    rows, _, k, count = table.shape
    split = np.full((rows, k, k, count), -np.inf)
    for state in range(k):
        split[:, state, state] = table[:, 0, state]
    return split


def _comparable(masses: FloatArray) -> FloatArray:
    """Return log distributions, of the rows in which the target may have two values.

    A value that the target cannot have gets the distribution of one that it can.
    """
    total = np.logaddexp.reduce(masses, axis=-1)
    feasible = total > -np.inf
    compared = feasible.sum(axis=1) >= 2
    masses = masses[compared]
    total = total[compared]
    feasible = feasible[compared]
    if not len(masses):
        return masses
    distributions = masses - np.where(feasible, total, 0.0)[..., None]
    possible = feasible.argmax(axis=1)[:, None, None]
    instead = np.take_along_axis(distributions, possible, axis=1)
    return np.asarray(np.where(feasible[..., None], distributions, instead))


def _lost(masses: FloatArray, unknown: int) -> float:
    """Return by how much rounding may have moved the logarithms of masses, beside one another.

    Each step along the chain rounds a logarithm that is no larger than the last one.
    """
    totals = np.logaddexp.reduce(masses, axis=-1)
    return 4 * _UNIT * (unknown + 2) * -_least(totals)


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
    Unlike the log ratio of two entries it is 0 for independent tuples, whatever their distribution.
    By Birkhoff :math:`\tanh(\Delta_{a+b}/4) \le \tanh(\Delta_a/4) \tanh(\Delta_b/4)`. For the
    symmetric binary chain with correlation :math:`\rho` it is :math:`2 \log((1 + \rho^m)/(1 -
    \rho^m))`.

    Examples
    --------
    >>> [round(projective_diameter(0.9, m), 4) for m in (1, 10, 50)]
    [4.3944, 0.4312, 0.0001]
    """
    where = "projective_diameter"
    m = checks.integer(where, "steps", steps, low=1)
    logs = _log(_matrix(where, transition))
    power = None
    square = logs
    while m:  # by squaring, in logarithms where something would vanish
        if m & 1:
            power = square if power is None else _log_product(power, square)
        m >>= 1
        if m:
            square = _log_product(square, square)
    assert power is not None
    return _cross_ratio(power)


def _smallest_scale(where: str, chains: list[_Chain], eps: float) -> tuple[float, list[Adversary]]:
    """Return the smallest scale, in units, at which nobody leaks more than `eps`.

    And who leaks most at it, for each chain.
    """
    from scipy.optimize import brentq  # a third of the import time, and needed here only

    low = math.log(max(float(chains[0].values.max()), 1.0) / eps)
    high = low + math.log(chains[0].n) + 1

    def excess(log_scale: float, distributions: FloatArray, extra: float) -> float:
        return float(leakages_of_sums(distributions[None], math.exp(log_scale))[0]) + extra - eps

    adversaries: list[Adversary] = []

    def widest(log_scale: float, rtol: float, floor: float = 0.0) -> _Found:
        scale = math.exp(log_scale)
        levels = [_level(where, chain, scale, rtol, floor, ceiling=eps) for chain in chains]
        adversaries[:] = [level.worst.adversary for level in levels]
        return max(levels, key=lambda level: level.bound)

    # Less noise than for independent tuples is enough for few chains: down in growing steps.
    root = low
    step = 1.0
    while widest(root, math.inf).worst.leakage <= eps and widest(root, 1e-6).bound <= eps:
        if step > 16:
            return math.exp(root), adversaries  # what the noise still adds is lost in rounding
        root = root - step
        step = 2 * step
    start = root
    for rtol in (math.inf, 1e-6):  # near intervals alone are quick, and say where to look
        for _ in range(100):
            floor = 0.0
            if root > start:
                floor = eps * (1 - 1e-9)
            found = widest(root, rtol, floor)
            extra = 0.0
            if rtol < 1:
                extra = found.extra
            one = (found.distributions, extra)
            if excess(root, *one) <= eps * 1e-10:
                break
            if excess(high, *one) > 0:
                raise _safety.UncertifiedError(
                    f"{where}: at the noise for groups an interval is still above epsilon = "
                    f"{eps:.6g} by {excess(high, *one):.3g}; nothing is returned"
                )
            root = brentq(excess, root, high, args=one, xtol=1e-12) + 1e-12  # not below its own
        else:
            raise _safety.UncertifiedError(f"{where}: no scale was found for epsilon = {eps:.6g}")
    return math.exp(root + 1e-9), adversaries


def _compared(chain: _Chain, *, known: bool) -> Iterator[tuple[Any, FloatArray]]:
    """Yield the distributions that adversaries compare, all of them or those who know nobody."""
    for _, _, rows, distributions in _distributions(
        chain, chain.n - 1, np.ones((2, chain.n), dtype=bool)
    ):
        knows_nobody = (rows[:, 1:] == _FREE).all(axis=1)
        some = knows_nobody | known
        if some.any():
            yield rows[some], distributions[some]


def _matrix(where: str, transition: Any) -> FloatArray:
    """Return a stochastic matrix; a number is the probability to stay in either of two states."""
    if hasattr(transition, "nodes") or hasattr(transition, "tocsr") or np.ndim(transition):
        # A state of pandas may have the name of an attribute, such as "nodes" or "toarray".
        given = transition
        if not checks.is_pandas(transition):
            given = checks.weights_of(where, "transition", transition)
        if hasattr(transition, "nodes") and not checks.is_pandas(transition):
            _safety.square_labels(where, "transition", transition)
        if not checks.is_pandas(given) and hasattr(given, "toarray"):
            given = given.toarray()  # of a sparse one, rows may be empty
        matrix = checks.stochastic(where, "transition", given)
        if not hasattr(given, "nodes"):  # fractions beside floats must not become 0 on the way
            plain = given.to_numpy() if checks.is_pandas(given) else given
            valid.rationals(where, "transition", plain)
    else:
        stay = checks.rational(where, "transition", transition)
        checks.probability(where, "transition", transition)
        matrix = np.array([[stay, 1 - stay], [1 - stay, stay]])
    matrix = _safety.exact_floats(where, "transition", matrix)
    sums = matrix.sum(axis=1, keepdims=True)
    # Rows may miss 1 by 1e-9, which n steps would make much of.
    far = np.abs(sums - 1) > 4 * _UNIT * len(matrix)
    return np.asarray(np.where(far, matrix / sums, matrix))


def _members(where: str, transition: Any) -> list[Any]:
    """Return the matrices of a class, or the only one."""

    def is_table(entry: Any) -> bool:
        return checks.is_pandas(entry) or hasattr(entry, "nodes") or hasattr(entry, "tocsr")

    if is_table(transition):
        return [transition]
    if isinstance(transition, (list, tuple)) and transition and any(map(is_table, transition)):
        return list(transition)
    try:
        several = np.ndim(transition) == 3
    except ValueError as error:
        rule = "transition must be a matrix, or matrices of one shape"
        raise ValueError(f"{where}: {rule}, got {transition!r}") from error
    if several and not len(transition):
        raise ValueError(f"{where}: transition must have a matrix for each chain, got no matrix")
    return list(transition) if several else [transition]


def _states(where: str, members: list[Any], values: Any) -> None:
    """Refuse labels of states that may be meant as numbers, and other states in a class."""
    names = ["transition"]
    if len(members) > 1:
        names = [f"transition[{k}]" for k in range(len(members))]
    states = _safety.same_states(where, dict(zip(names, members)))
    if states is None or values is not None:
        return
    numeric = all(isinstance(label, (numbers.Number, np.bool_)) for label in states)
    if numeric and states != list(range(len(states))):
        raise ValueError(
            f"{where}: values must be given where the labels of transition are numbers, got "
            f"{states[:4]}: they may be what the states add to the query; pass values=[...] in "
            "the order of the rows, or transition.to_numpy() to count 0, 1, ..."
        )


def _chains(where: str, transition: Any, n: Any, initial: Any, values: Any) -> list[_Chain]:
    """Return the chain, or the chains of a class."""
    members = _members(where, transition)
    _states(where, members, values)
    matrices = [_matrix(where, member) for member in members]
    n = checks.integer(where, "n", n, low=1)
    k = len(matrices[0])
    if any(len(matrix) != k for matrix in matrices):
        raise ValueError(f"{where}: all matrices of a class must have {k} states")
    _safety.limit(where, "n", n, LONGEST)
    given = np.arange(k) if values is None else checks.integers(where, "values", values, ndim=1)
    if len(given) != k:
        raise ValueError(f"{where}: values must have length {k}, got {len(given)}")
    above = [int(value) - int(given.min()) for value in given]
    # Only multiples of a common unit can be sums, so that the tables need no more.
    unit = math.gcd(*above) or 1
    steps = [value // unit for value in above]
    span = n * max(steps)
    checks.integer(where, "n times the range of values", span, high=2**40)  # of tables, of int64
    shifted = np.array(steps, dtype=np.int64)
    chains = []
    for matrix in matrices:
        first = _initial(where, matrix, initial)
        possible = _possible(first > -np.inf, matrix > 0, n)
        logs = _log(matrix)
        chains.append(_Chain(matrix, logs, first, shifted, n, possible, unit, _Influences(logs)))
    return chains


def _initial(where: str, matrix: FloatArray, initial: Any) -> FloatArray:
    """Return log probabilities of the first tuple, the stationary ones if none are given."""
    k = len(matrix)
    if initial is not None:
        first = checks.reals(where, "initial", initial, shape=(k,))
        return _log(checks.distribution(where, "initial", first))
    from scipy.sparse import csgraph

    count, member = csgraph.connected_components(matrix > 0, connection="strong")
    leaves = [bool((matrix[member == c][:, member != c] > 0).any()) for c in range(count)]
    closed = [c for c in range(count) if not leaves[c]]
    if len(closed) != 1:
        got = f"{len(closed)} sets of states are never left"
        rule = "initial must be given, the stationary distribution is not unique"
        raise ValueError(f"{where}: {rule}: {got}")
    inside = np.flatnonzero(member == closed[0])
    logs = np.full(k, -np.inf)
    logs[inside] = _stationary(matrix[np.ix_(inside, inside)])
    return logs


def _stationary(matrix: FloatArray) -> FloatArray:
    """Return logarithms of the stationary distribution of states that all reach one another.

    By the elimination of Grassmann, Taksar and Heyman, which subtracts nothing: each probability
    has the relative precision of the entries. In logarithms where floats end.
    """
    try:
        with np.errstate(under="raise", over="raise", divide="raise", invalid="raise"):
            rest = matrix.copy()
            for m in range(len(rest) - 1, 0, -1):
                rest[:m, m] /= rest[m, :m].sum()
                rest[:m, :m] += np.outer(rest[:m, m], rest[m, :m])
            visits = np.ones(len(rest))
            for m in range(1, len(rest)):
                visits[m] = visits[:m] @ rest[:m, m]
            shares = visits / visits.sum()
        if np.isfinite(shares).all() and shares.min() > 1e-290:
            return _log(shares)
    except FloatingPointError:
        pass
    logs = _log(matrix)
    for m in range(len(logs) - 1, 0, -1):
        logs[:m, m] -= np.logaddexp.reduce(logs[m, :m])
        logs[:m, :m] = np.logaddexp(logs[:m, :m], logs[:m, m, None] + logs[m, :m])
    visits = np.zeros(len(logs))
    for m in range(1, len(logs)):
        visits[m] = np.logaddexp.reduce(visits[:m] + logs[:m, m])
    return np.asarray(visits - np.logaddexp.reduce(visits))


def _possible(first: npt.NDArray[np.bool_], moves: npt.NDArray[np.bool_], n: int) -> Any:
    """Tell which values each tuple can have, shape (n, k)."""
    possible = np.empty((n, len(first)), dtype=bool)
    possible[0] = first
    for m in range(1, n):
        possible[m] = possible[m - 1] @ moves
        if (possible[m] == possible[m - 1]).all():  # and so on
            possible[m:] = possible[m]
            break
    return possible


def _log_along(chain: _Chain) -> FloatArray:
    """Return logarithms of the distribution of each tuple, shape (n, k)."""
    logs = np.empty((chain.n, len(chain.matrix)))
    logs[0] = chain.first
    for m in range(1, chain.n):
        logs[m] = _log_product(logs[m - 1 : m], chain.logs)[0]
        if (logs[m] == logs[m - 1]).all():
            logs[m:] = logs[m]
            break
    return logs


def _log_powers(chain: _Chain, steps: int) -> FloatArray:
    """Return logarithms of the powers 1 to `steps` of the matrix."""
    powers = [chain.logs]
    for _ in range(steps - 1):
        powers.append(_log_product(powers[-1], chain.logs))
    return np.array(powers)


def _log(array: Any) -> FloatArray:
    """Return logarithms, minus infinity for 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(array))


def _log_sum(logs: FloatArray, axis: int) -> FloatArray:
    """Return the logarithm of a sum along an axis, which stays."""
    peak = np.maximum(logs.max(axis=axis, keepdims=True), np.finfo(float).min)
    return np.asarray(peak + _log(np.exp(logs - peak).sum(axis=axis, keepdims=True)))


def _least(logs: FloatArray) -> float:
    """Return the least logarithm of what is possible, 0 if nothing is."""
    return float(np.where(logs > -np.inf, logs, 0.0).min(initial=0.0))


def _log_product(left: FloatArray, two: FloatArray) -> FloatArray:
    """Return the logarithm of the product of two matrices, of which logarithms are given."""
    peak = np.maximum(left.max(axis=1, keepdims=True), np.finfo(float).min)
    below = left - peak
    top = np.maximum(two.max(initial=-np.inf), np.finfo(float).min)
    if _least(below) + _least(two - top) > -650:
        return np.asarray(peak + top + _log(np.exp(below) @ np.exp(two - top)))
    # What vanishes beside the peak may be all that leads there.
    rows = [_log_sum(row[:, None] + two, axis=0)[0] for row in left]
    return np.array(rows)


def _cross_ratio(logs: FloatArray) -> float:
    """Return the largest log cross ratio of a matrix, infinite if it has a zero."""
    if not (logs > -np.inf).all():
        return math.inf
    return max(float(np.ptp(row - logs, axis=-1).max()) for row in logs)


class _Influences:
    """Upper bounds of the projective diameters of the powers of a matrix.

    As they are while they are large; below, where rounding matters, by Birkhoff's inequality
    from two that were found before. Infinite ones are 1e300.
    """

    def __init__(self, logs: FloatArray) -> None:
        self._logs = logs
        self._power = logs
        self._found: list[float] = []
        self._rates: list[float] = []

    def up_to(self, steps: int) -> FloatArray:
        """Return the bounds of 1 to `steps`."""
        while len(self._found) < steps:
            self._next()
        return np.array(self._found[:steps])

    def _next(self) -> None:
        m = len(self._found) + 1
        k = len(self._logs)
        bound = math.inf
        if m == 1 or self._found[-1] > 1e-6:
            if m > 1:
                self._power = _log_product(self._power, self._logs)
            rounding = 8 * _UNIT * (m * (k + 4) + 4 + 2 * abs(_least(self._power)))
            bound = _cross_ratio(self._power)
            bound += rounding if bound > 0 else 0.0
        if m > 1:
            rates = np.array(self._rates)
            least = float((rates * rates[::-1]).min())
            if least < 1:
                bound = min(bound, 4 * math.atanh(least) * (1 + 8 * _UNIT))
        self._found.append(min(bound, 1e300))
        self._rates.append(math.tanh(min(bound, 1e300) / 4))

    def first_below(self, goal: float, start: int, last: int) -> int:
        """Return the first m from `start` on with a bound of m + 1 steps of `goal`, or `last`."""
        k = len(self._logs)
        for m in range(start, last):
            if m > (k - 1) ** 2 + 1 and self.up_to(m + 1)[-1] == 1e300:
                return last  # no power of the matrix is positive
            if self.up_to(m + 1)[-1] <= goal:
                return m
        return last


def _moved(table: FloatArray, chain: _Chain) -> FloatArray:
    """Let the last value move: ``table[..., x, s]`` becomes its sum over x, ``[..., x', s]``."""
    peak = np.maximum(table.max(axis=-2, keepdims=True), np.finfo(float).min)
    moves = np.vstack([np.ones(len(chain.values)), chain.matrix.T])
    below = table - peak
    rarest = _least(chain.logs)
    # Beside the peak, which moves everywhere if all moves are possible, nothing that vanishes
    # counts; where they are not, it may be all that can move there.
    lowest = -600.0
    if rarest < -50:
        lowest -= rarest
    sure = chain.matrix.all() and rarest > -600
    if not sure and ((below < min(lowest, 0.0)) & (below > -np.inf)).any():
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
    k = len(chain.values)
    rows = min(reach + 1, chain.n)
    part = np.full((k + 1, k, 1 + chain.values.max() * min(2 * reach + 1, chain.n)), -np.inf)
    part[:, :, 0] = np.vstack([chain.first, chain.logs])
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


def _distributions(
    chain: _Chain, reach: int, live: Any
) -> Iterator[tuple[int, Any, Any, FloatArray]]:
    """Yield unknown tuples to the right and to the left, intervals, and their log distributions.

    Distributions have the axes interval, x_i, sum. An interval is a row of unknown tuples to the
    left, left end, right end; at most `reach` are unknown on either side. Numbers to the left come
    a few at a time, no more of them beside m to the right once ``live[1, m]`` is false, and l of
    them with no more to the right once ``live[0, l]`` is. A value that the target cannot have gets
    the distribution of one that it can.
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
            distributions = ended[index] - np.where(feasible, mass, 0.0)[index]
            distributions = np.where(
                feasible[index], distributions, np.take_along_axis(distributions, some, axis=1)
            )
            yield m, left, np.column_stack([left[rows[:, 0]], rows[:, 1:]]), distributions
            if not live[1, m]:
                break
        stay = live[0, every] & (every < chain.n - 1 - m)
        every = every[stay]
        table = _counted(moved[stay, ..., 1:, :], chain)


def _limit_work(where: str, chain: _Chain, reach: int) -> None:
    """Refuse tables that are too large, and too many intervals."""
    k = len(chain.values)
    rows = min(reach + 1, chain.n)
    longest = 1 + int(chain.values.max()) * min(2 * reach + 1, chain.n)
    hint = "fewer tuples, values nearer to one another or fewer states take less"
    what = "the entries of a table of distributions of the sum"
    _safety.limit(where, what, rows * (k + 1) * k * (k + 1) * longest, LARGEST_TABLE, hint)
    what = "the entries of the distributions of all intervals"
    _safety.limit(where, what, rows**2 * (k + 1) ** 2 * k * longest, MOST_STEPS, hint)


def _level(
    where: str,
    chain: _Chain,
    scale: float,
    rtol: float,
    floor: float = 0.0,
    ceiling: float = math.inf,
) -> _Found:
    """Return the worst adversary found, and what no adversary exceeds.

    They differ by at most `rtol`, relative to the leakage, or to `ceiling` if that is less.
    """
    reach = min(_REACH, chain.n - 1)
    last = chain.n - 1
    _limit_work(where, chain, reach)
    result = _within(chain, scale, reach, floor)
    if result.worst.leakage == math.inf:
        return result
    allowed = math.inf
    if rtol < math.inf:
        allowed = rtol * min(result.worst.leakage, ceiling)
    if result.bound > result.worst.leakage + allowed:
        floor = max(floor, result.worst.leakage * (1 - _TIE))
        reach = chain.influences.first_below(allowed / 2, reach, last)
        _limit_work(where, chain, reach)
        result = _within(chain, scale, reach, floor)
    return result


def _within(chain: _Chain, scale: float, reach: int, floor: float = 0.0) -> _Found:
    """Return the worst of the intervals that `reach` allows, and a bound for all.

    Known to leak less than `floor`, or than one seen before, they need not be looked at.
    """
    far = chain.influences.up_to(reach + 1)
    n = chain.n
    worst = [(0.0, 0, 0, _FREE, _FREE)]  # if nothing can be compared
    bound = 0.0
    widest = np.zeros((1, 1))
    extra = 0.0
    live = np.ones((2, reach + 1), dtype=bool)
    for m, left, rows, distributions in _distributions(chain, reach, live):
        leaks = np.zeros(0)
        if len(rows):
            leaks = leakages_of_sums(distributions, scale)
        if leaks.max(initial=0.0) == math.inf:  # without noise: nobody leaks more
            return _Found(
                WorstCase(Adversary(0), math.inf), math.inf, distributions[leaks.argmax()], 0.0
            )
        ends = rows[:, 1:] != _FREE
        if len(rows):
            best = np.argmax(leaks >= leaks.max() * (1 - _TIE))
            worst.append((float(leaks.max()), m, *rows[best].tolist()))
            # A known tuple just out of reach stands for all intervals that go beyond it.
            cuts = ((np.insert(rows[:, :1], 1, m, axis=1) == reach) & ends).sum(axis=1)
            most = leaks + far[-1] * cuts
            if most.max() > bound:
                at = most.argmax()
                bound = most[at]
                widest = distributions[at]
                extra = far[-1] * cuts[at]
        # So does any for what goes beyond it, which need not be looked at if that leaks less.
        floor = max(floor, worst[-1][0] * (1 - _TIE))
        each = np.where(left[:, None, None] == rows[:, :1], ends * leaks[:, None], 0)
        # Those at the reach stay: they stand for others, too.
        live[0, left] = (each[..., 1].max(axis=1, initial=0) + far[m] >= floor) | (left == reach)
        live[1, m] = each[-1, :, 0].max(initial=0) + far[left[-1]] >= floor or m == reach
    # A known tuple may fix the target then, and one beyond it not.
    if reach < n - 1 and far[-1] == 1e300:
        bound = math.inf
    top = max(worst)[0] * (1 - _TIE)
    equals = [entry for entry in worst if entry[0] >= top]
    leakage, right, left, left_end, right_end = min(equals, key=lambda entry: entry[2])
    # Place the interval on the chain; its adversary knows everything outside.
    if left_end == _FREE:
        target = left
    elif right_end == _FREE:
        target = n - 1 - right
    else:
        target = int(chain.possible[:, left_end - 1].argmax()) + left + 1
    known = (*range(target - left), *range(target + right + 1, n))
    return _Found(WorstCase(Adversary(target, known), leakage), float(bound), widest, float(extra))


# --- the same by other routes ------------------------------------------------------------------


def _recompute(
    where: str, chain: _Chain, scale: float, adversary: Adversary, allowed: float
) -> None:
    """Compare a level with the leakage of single adversaries, tuple by tuple along the chain.

    The one that was found worst, and those that know all but two neighbours at most, at both ends
    and in the middle.
    """
    n = chain.n
    target = adversary.target
    unknown = sorted(set(range(max(0, target - n), n)) - set(adversary.known))
    spans = {(target, unknown[0], unknown[-1])}
    for i in {0, n // 2, n - 1}:
        for left in (0, 1):
            for right in (0, 1):
                spans.add((i, max(i - left, 0), min(i + right, n - 1)))
    for i, begin, end in spans:
        leakage_again, rounding = _along_one(chain, scale, i, begin, end)
        promise = f"the leakage about tuple {i} with tuples {begin} to {end} unknown"
        _safety.certify(where, promise, leakage_again, allowed, unit=rounding)


def _along_one(
    chain: _Chain, scale: float, target: int, begin: int, end: int
) -> tuple[float, float]:
    """Return the leakage to one who knows all but tuples `begin` to `end`, and its rounding."""
    k = len(chain.values)
    values = chain.values
    count = 1 + int(values.max()) * (end - begin + 1)
    # Axes: the value known before, that of the target, the last value, the sum.
    if begin == 0:
        start = chain.first[None]
        before = np.ones(1, dtype=bool)
    else:
        start = chain.logs
        before = chain.possible[begin - 1]
    table = np.full((len(start), k, k, count), -np.inf)
    table[..., 0] = start[:, None]
    for j in range(begin, end + 1):
        if j > begin:
            moved = np.full_like(table, -np.inf)
            for state in range(k):
                ways = table + chain.logs[:, state, None]
                moved[:, :, state] = np.logaddexp.reduce(ways, axis=2)
            table = moved
        if j == target:
            for value in range(k):
                table[:, value, np.arange(k) != value] = -np.inf
        for state in range(k):
            shift = int(values[state])
            if shift:
                table[:, :, state, shift:] = table[:, :, state, :-shift].copy()
                table[:, :, state, :shift] = -np.inf
    if end < chain.n - 1:
        ended = [np.logaddexp.reduce(table + chain.logs[:, state, None], axis=2)
                 for state in range(k)]  # fmt: skip
        distributions = np.stack(ended, axis=1)
    else:
        distributions = np.logaddexp.reduce(table, axis=2)[:, None]
    distributions = distributions[before].reshape(-1, k, count)
    belief = np.logaddexp.reduce(distributions, axis=-1)
    best = 0.0
    largest = 0.0
    for group, mass in zip(distributions, belief):
        several = group[mass > -np.inf] - mass[mass > -np.inf, None]
        if len(several) < 2:
            continue
        least = -float(several[several > -np.inf].min())
        if scale == 0:
            some = (several > -np.inf).any(axis=0)
            with np.errstate(invalid="ignore"):
                best = max(best, float((several.max(axis=0) - several.min(axis=0))[some].max()))
            largest = max(largest, least)
            continue
        # Where there are many outputs, some of them, and those at the ends.
        every = max(1, count // max(2, _LOOKS // count))
        for output in {*range(0, count, every), count - 1}:
            away = np.abs(np.arange(count) - output) / scale
            logs = np.logaddexp.reduce(several - away, axis=-1)
            best = max(best, float(logs.max() - logs.min()))
            largest = max(largest, least, float(np.abs(logs).max()))
    return best, 16 * _UNIT * (largest + count + end - begin)


class _Quilt(NamedTuple):
    """The best quilt of a tuple: how far its values are, 0 for none, and the noise with it."""

    noise: float
    before: int
    after: int


def _noise_of_quilt(
    chain: _Chain, shares: FloatArray, epsilon: float, i: int, quilt: _Quilt
) -> float:
    """Return the noise for a tuple and a quilt by the definition, from their joint distribution."""
    k = len(chain.values)
    inside = chain.n
    before = np.zeros((1, k))
    after = np.zeros((k, 1))
    if quilt.before:
        # The distribution of the value before, and of the tuple given that.
        power = _log_powers(chain, quilt.before)[-1]
        before = shares[i - quilt.before][:, None] + power
        inside -= i - quilt.before + 1
    if quilt.after:
        after = _log_powers(chain, quilt.after)[-1]
        inside -= chain.n - i - quilt.after
    able = shares[i] > -np.inf
    joint = (before[:, :, None] + after)[:, able]
    joint = joint.transpose(1, 0, 2).reshape(int(able.sum()), -1)
    given = joint - np.logaddexp.reduce(joint, axis=1)[:, None]
    influence = 0.0
    for one in given:
        for two in given:
            some = one > -np.inf
            influence = max(influence, float((one[some] - two[some]).max()))
    return inside / (epsilon - influence) if influence < epsilon else math.inf


def _limit_quilts(where: str, chain: _Chain, reach: int) -> None:
    """Refuse to look at too many quilts."""
    reach = min(reach, max(chain.n - 1, 1))
    what = "n times the squares of the number of states and of the reach of a quilt"
    _safety.limit(where, what, chain.n * len(chain.matrix) ** 2 * reach**2, MOST_STEPS)


def _quilts(
    where: str, chain: _Chain, shares: FloatArray, epsilon: float, reach: int
) -> list[_Quilt]:
    """Return for each tuple the best quilt at most `reach` steps away."""
    _limit_quilts(where, chain, reach)
    reach = min(reach, max(chain.n - 1, 1))
    k = len(chain.matrix)
    logs = _log_powers(chain, reach)
    none = np.zeros((1, k, k))
    with np.errstate(invalid="ignore"):  # what neither value makes possible does not count
        after = np.fmax.reduce(logs[:, :, None] - logs[:, None], axis=-1)  # (steps, v, v')
        before = logs[..., None] - logs[:, :, None]  # (steps, u, v, v')
    quilts = []
    for i, share in enumerate(shares):
        seen = shares[max(i - reach, 0) : i][::-1, :, None, None] > -np.inf
        able = share > -np.inf
        pairs = np.ix_(able, able)
        can = share[able]
        past = np.fmax.reduce(np.where(seen, before[: len(seen)], -np.inf), axis=1)[:, *pairs]
        one = np.concatenate([none[:, *pairs], past + can - can[:, None]])
        two = np.concatenate([none, after[: chain.n - 1 - i]])[:, *pairs]
        most = (one[:, None] + two).max(axis=(-2, -1))
        left = np.append(i, np.arange(len(one) - 1)) + 1
        right = np.append(chain.n - 1 - i, np.arange(len(two) - 1))
        left_over = np.where(most < epsilon, epsilon - most, np.nan)
        with np.errstate(over="ignore"):
            noise = (left[:, None] + right) / left_over
        best = np.unravel_index(int(np.nanargmin(noise)), noise.shape)
        quilts.append(_Quilt(float(noise[best]), int(best[0]), int(best[1])))
    return quilts
