r"""What an attacker who knows the mechanism learns, and the best mechanism in view of that.

The definition of adversarial privacy lets the attacker take the published histogram for the
true one. Here the attacker knows the mechanism: a channel :math:`Q(o \mid x)` from the true
histogram *x* to the output *o*. The attacker also knows :math:`\pi = \pi(t-1)`, the name of
everybody behind it (class NPK), and the :math:`p(x \mid \pi)` of the Markov process. For a person
*u* who was at :math:`\ell_i`,

.. math::

    P(X_t^u = j \mid o) = P_{ij}\,
    \frac{\sum_x Q(o \mid x)\, p(x - e_j \mid \pi - e_i)}{\sum_x Q(o \mid x)\, p(x \mid \pi)},

since, given that *u* went to *j*, the others make up :math:`x - e_j` out of :math:`\pi - e_i`.
The gain is the fraction, and it is at most :math:`e^\varepsilon` exactly if

.. math:: \sum_x Q(o \mid x) \bigl( p(x - e_j \mid \pi - e_i)
          - e^\varepsilon p(x \mid \pi) \bigr) \le 0
          \qquad \text{for all } o, i, j \text{ with } \pi_i P_{ij} > 0.

That is *linear* in the channel. So the adversarially private release of least expected loss is
a linear programme, as is the best release under event-level differential privacy,
:math:`Q(o \mid x) \le e^\varepsilon Q(o \mid x')` for histograms *x*, *x'* that differ by one
person. Each is solved here by enumeration of all :math:`\binom{N+L-1}{L-1}` histograms, for few
people and few states.

**What the solver leaves.** A solver keeps each constraint up to an *absolute* tolerance, but a
promise is a *ratio*: an output of probability :math:`10^{-9}` that breaks a constraint by
:math:`10^{-10}` tells ten percent too much, and one that is possible after *x* only, with whatever
small probability, tells everything. So the channel of the solver is not returned. Every output *o*
is put out more often by one number :math:`w_o`, whatever the truth is,

.. math:: Q'(o \mid x) = \frac{Q(o \mid x) + w_o}{1 + \sum_{o'} w_{o'}}, \qquad
          w_o = \max_k \Bigl( \frac{\sum_x a_{kx} Q(o \mid x)}{-\sum_x a_{kx}} \Bigr)^+,

where :math:`\sum_x a_{kx} Q(o \mid x) \le 0` are the constraints: the entries of a row sum to
:math:`1 - e^\varepsilon` or :math:`e^{-\varepsilon} - 1`, so :math:`w_o` more for all *x* lowers
the sum of row *k* by as much as is missing. The result keeps the promise for every ratio, those
with zeros included, and is checked by a second computation before it is returned.

**The second privacy implies the first, with the same** :math:`\varepsilon`. Average over the
others, whose distribution does not depend on where *u* went:
:math:`P(o \mid X^u = j) \le e^\varepsilon P(o \mid X^u = k)` for all *j*, *k*. Average over *k*
with the weights :math:`P_{ik}`: the gain
:math:`P(o \mid X^u = j) / P(o)` is at most :math:`e^\varepsilon`.

Matrices of fractions give fractions wherever no linear programme is solved.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, IntArray
from privlib.location import _programme as programmes
from privlib.location import validation as valid

TABLE_LIMIT = 2_000_000  # entries of a table of all histograms, per gain table
PROGRAMME_LIMIT = 600  # histograms: the programme has the square of it as variables
NONZERO_LIMIT = 20_000_000  # entries of the constraints of a programme
STEP_LIMIT = 2_000_000_000  # multiplications of floats in an enumeration, some ten seconds
EXACT_STEP_LIMIT = 50_000_000  # of fractions, which are a hundred times as slow
CHANNEL_LIMIT = 50_000_000  # entries of a channel
SECONDS = 600.0  # for one programme
LARGEST_LEVEL = 15  # constraints have entries from 1 to e^15 = 3e6, as much as the solver takes

# The programme is solved for a level that is smaller by this relative part of e^epsilon, so that
# rounding does not carry the ratios of the returned floats above the promise.
MARGIN = 1e-12
# Below this level the programme is solved for the level 0: the solver's tolerance is no longer
# small beside e^epsilon - 1.
LEAST_LEVEL = 1e-6
# Largest distance of the returned loss from the least one, as a part of the largest loss.
NEAR_LEAST = 1e-5
FAINT = 1e-290
"""A float below it has lost digits, or terms of its sum have become 0."""


class SolverError(RuntimeError):
    """The linear programme was not solved.

    Examples
    --------
    It is a ``RuntimeError``: the arguments are right, and another level may be solved.

    >>> try:
    ...     raise SolverError("optimal_mechanism: the linear programme was not solved")
    ... except RuntimeError as error:
    ...     print(error)
    optimal_mechanism: the linear programme was not solved
    """


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(_safety.OwnsArrays):
    r"""A channel from true histograms to outputs, and what it costs and tells.

    The arrays are its own: they are copied, and cannot be written to.

    Parameters
    ----------
    inputs : ndarray of int, shape (m, L)
        All histograms of the people, as `histograms` lists them.
    input_distribution : ndarray, shape (m,)
        :math:`p(x \mid \pi)` of each input.
    outputs : ndarray, shape (k, L)
        What may be published.
    channel : ndarray, shape (m, k)
        :math:`Q(o \mid x)`; rows sum to 1.
    gains : ndarray, shape (k, L, L)
        Gain about a person from *i* being at *j*, for each output; nan where the prior or the
        probability of the output is 0.
    loss : float
        Expected loss.

    Notes
    -----
    To publish, draw one of the `outputs` with the probabilities of the row of the true histogram,
    by a generator that nobody can guess: with a seed that an attacker tries, the drawn output
    tells the truth as often as the channel has different answers to it.

    Examples
    --------
    Two people leave one state, and the true histogram is published.

    >>> halves = [[0.5, 0.5], [0.5, 0.5]]
    >>> truth = deterministic_mechanism([2, 0], halves, releases=[[0, 2], [1, 1], [2, 0]])
    >>> truth.channel.tolist(), truth.gain, truth.loss
    ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 2.0, 0.0)
    """

    inputs: IntArray
    input_distribution: Array
    outputs: Array
    channel: Array
    gains: Array
    loss: float

    def __repr__(self) -> str:
        gain = "more than 1e308"
        if self.gain <= 10**308:
            gain = f"{float(self.gain):.4g}"
        return (
            f"Mechanism({len(self.inputs)} inputs, {len(self.outputs)} outputs, "
            f"gain {gain}, loss {float(self.loss):.4g})"
        )

    @property
    def output_distribution(self) -> Array:
        """Probability of each output, shape (k,).

        Examples
        --------
        >>> halves = [[0.5, 0.5], [0.5, 0.5]]
        >>> truth = deterministic_mechanism([2, 0], halves, releases=[[0, 2], [1, 1], [2, 0]])
        >>> truth.output_distribution
        array([0.25, 0.5 , 0.25])
        """
        return self.input_distribution @ self.channel

    @property
    def worst(self) -> Array:
        """Largest gain of each output that can occur, shape (k,); nan for the others.

        Examples
        --------
        The histogram (1, 1) tells nothing; the two others tell where everybody is.

        >>> halves = [[0.5, 0.5], [0.5, 0.5]]
        >>> truth = deterministic_mechanism([2, 0], halves, releases=[[0, 2], [1, 1], [2, 0]])
        >>> truth.worst
        array([2., 1., 2.])
        """
        flat = self.gains.reshape(len(self.gains), -1)
        filled = np.where(flat == flat, flat, -1).max(axis=1)
        return np.where(filled < 0, np.nan, filled)

    @property
    def gain(self) -> Any:
        """Largest gain of all outputs that can occur; a fraction where the gains are fractions.

        Examples
        --------
        >>> halves = [[0.5, 0.5], [0.5, 0.5]]
        >>> truth = deterministic_mechanism([2, 0], halves, releases=[[0, 2], [1, 1], [2, 0]])
        >>> truth.gain
        2.0
        """
        largest = max(gain for gain in self.worst if gain == gain)
        return largest if isinstance(largest, Fraction) else float(largest)

    def violation(self, epsilon: float) -> Any:
        r"""Return the probability of an output whose largest gain exceeds :math:`e^\varepsilon`.

        Parameters
        ----------
        epsilon : float
            Level, in 0..700, or infinite: no gain exceeds it.

        Returns
        -------
        float or Fraction
            The probability, in [0, 1]. A gain that is above :math:`e^\varepsilon` by rounding only,
            one part in 1e9, counts as equal to it.

        Examples
        --------
        Each of two outputs of probability 1/4 has the gain 2, above :math:`e^{0.5} = 1.65`.

        >>> halves = [[0.5, 0.5], [0.5, 0.5]]
        >>> truth = deterministic_mechanism([2, 0], halves, releases=[[0, 2], [1, 1], [2, 0]])
        >>> float(truth.violation(0.5)), float(truth.violation(0.7))
        (0.5, 0.0)
        """
        level = valid.privacy_level("violation", epsilon)
        most = math.inf
        if not math.isinf(level):
            most = math.exp(level) * (1 + _safety.SLACK)
        return self.output_distribution[self.worst > most].sum()


def histograms(people: int, states: int) -> IntArray:
    r"""Return all histograms of `people` over `states`, in lexicographic order.

    Parameters
    ----------
    people : int
        Number *N* of people, at least 0.
    states : int
        Number *L* of states, at least 1.

    Returns
    -------
    ndarray of int, shape (m, L)
        The :math:`m = \binom{N+L-1}{L-1}` vectors of counts with the sum *N*, at most two million
        entries in all.

    Examples
    --------
    >>> histograms(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    >>> len(histograms(9, 3))
    55
    """
    total = checks.integer("histograms", "people", people, low=0)
    _safety.limit("histograms", "people", total, _safety.LARGEST_EXACT)
    size = checks.integer("histograms", "states", states, low=1)
    count = _number_of_histograms("histograms", total, size)
    if count * size > TABLE_LIMIT:
        raise ValueError(
            f"histograms: {total} people in {size} states have {count} histograms, "
            f"more than {TABLE_LIMIT // size}"
        )
    # Stars and bars: the positions of the bars, in order.
    bars = itertools.combinations(range(total + size - 1), size - 1)
    inner = np.array(list(bars), dtype=np.int64).reshape(count, size - 1)
    first = np.full((count, 1), -1)
    last = np.full((count, 1), total + size - 1)
    return np.diff(np.hstack([first, inner, last]), axis=1) - 1


def _number_of_histograms(where: str, total: int, size: int) -> int:
    """Return the number of histograms, unless it is far beyond what can be enumerated."""
    # There are at least as many as this; the binomial coefficient of huge numbers takes for ever.
    least = max(total + 1, size) if total and size > 1 else 1
    if max(least, size) > TABLE_LIMIT:
        raise ValueError(
            f"{where}: {total} people in {size} states have too many histograms to enumerate"
        )
    return math.comb(total + size - 1, size - 1)


@dataclass(frozen=True, eq=False)
class AttackProblem:
    r"""All histograms after `before`, and their probabilities with and without one person.

    Made by `make`, which computes and checks them.

    Parameters
    ----------
    where : str
        Name of the public function, for the messages.
    before : ndarray of int, shape (L,)
        The histogram :math:`\pi` before.
    P : ndarray, shape (L, L)
        Transition matrix, dense; floats or fractions.
    inputs : ndarray of int, shape (m, L)
        All histograms *x* of the people, as `histograms` lists them.
    input_distribution : ndarray, shape (m,)
        :math:`p(x \mid \pi)` of each.
    reach : ndarray, shape (m, L, L)
        :math:`p(x - e_j \mid \pi - e_i)` of each; 0 where nobody was at *i* or nobody is at *j*.

    Examples
    --------
    Two people leave state 0. Given that one of them went to 1, the other one decides.

    >>> attack = AttackProblem.make("example", [2, 0], transition=[[0.5, 0.5], [0.5, 0.5]])
    >>> attack.inputs.tolist(), attack.input_distribution.tolist()
    ([[0, 2], [1, 1], [2, 0]], [0.25, 0.5, 0.25])
    >>> attack.reach[:, 0, 1].tolist()
    [0.5, 0.5, 0.0]
    """

    where: str
    before: IntArray
    P: Array
    inputs: IntArray
    input_distribution: Array
    reach: Array

    @classmethod
    def make(
        cls,
        where: str,
        before: Any,
        *,
        transition: Any,
        programme: str = "",
        floats: bool = False,
    ) -> AttackProblem:
        """Check and enumerate; a linear programme, for a promise, is for few histograms.

        Parameters
        ----------
        where : str
            Name of the public function, for the messages.
        before : array_like of int, shape (L,)
            The histogram before, which counts at least one person.
        transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
            Row-stochastic matrix.
        programme : {"", "one-sided", "two-sided", "event-level"}, optional
            The promise of the linear programme that is to be solved, if any.
        floats : bool, optional
            Turn fractions into floats.

        Returns
        -------
        AttackProblem
            Its probabilities are floats or fractions, as those of `transition`.

        Raises
        ------
        ValueError
            `before` is no histogram or counts nobody, `transition` is not row-stochastic, somebody
            is in a state that no transition leaves, or there is too much to enumerate.
        UncertifiedError
            The probabilities do not pass `certify`.

        Examples
        --------
        >>> from fractions import Fraction
        >>> third = Fraction(1, 3)
        >>> attack = AttackProblem.make("example", [1, 1], transition=[[third, 2 * third], [0, 1]])
        >>> [str(p) for p in attack.input_distribution]  # of (0, 2), (1, 1), (2, 0)
        ['2/3', '1/3', '0']
        """
        floats = checks.flag(where, "floats", floats)
        P, numbered = valid.states_of(where, transition)
        pi = valid.histogram(where, "before", before, numbered)
        total = sum(int(people) for people in pi)
        states = len(pi)
        if not total:
            raise ValueError(f"{where}: before must count somebody, got {pi.tolist()}")
        valid.exits(where, pi, P)
        count = _number_of_histograms(where, total, states)
        if programme and count > PROGRAMME_LIMIT:
            raise ValueError(
                f"{where}: at most {PROGRAMME_LIMIT} histograms can be enumerated, got {count} "
                f"({total} people in {states} states)"
            )
        size = (total + 1) ** (states - 1)
        if max(count * states**2, size) > TABLE_LIMIT:
            raise ValueError(
                f"{where}: {total} people in {states} states have too many histograms to enumerate"
            )
        P = _usable(where, valid.dense(P), floats=floats)
        if programme:
            entries = count**2 * _rows_of_a_truth(programme, pi, P)
            _safety.limit(where, "entries of the linear programme", entries, NONZERO_LIMIT)
        origins = np.count_nonzero(pi) + 1
        # A multiplication for each person, table entry and place; a thousand to begin a person's.
        numbers = "floats"
        most = STEP_LIMIT
        if P.dtype == object:
            numbers = "fractions"
            most = EXACT_STEP_LIMIT
        _safety.limit(
            where,
            f"multiplications of {numbers} to enumerate what {total} people do",
            total * origins * (size * states + 1000),
            most,
            "take fewer people or states",
        )
        inputs = histograms(total, states)
        weights = np.append((total + 1) ** np.arange(states - 1), 0)
        code = inputs @ weights
        distribution = _packed(P, pi, weights, size)[code]
        reach: Array = np.zeros((count, states, states), dtype=P.dtype)
        for i in np.flatnonzero(pi):
            others = pi - (np.arange(states) == i)
            table = _packed(P, others, weights, size)
            # Where nobody is at j the packed index would borrow from another state.
            less = table[np.maximum(code[:, None] - weights, 0)]
            reach[:, i] = np.where(inputs > 0, less, 0 * P[0, 0])
        situation = cls(where, pi, P, inputs, distribution, reach)
        situation.certify()
        return situation

    @property
    def prior(self) -> npt.NDArray[np.bool_]:
        """Where somebody may have gone from where, shape (L, L), for what a guess may be about.

        Examples
        --------
        Nobody was in state 1.

        >>> attack = AttackProblem.make("example", [2, 0], transition=[[0.5, 0.5], [0.5, 0.5]])
        >>> attack.prior.tolist()
        [[True, True], [False, False]]
        """
        return np.asarray((self.before[:, None] > 0) & (self.P > 0))

    @cached_property
    def possible(self) -> npt.NDArray[np.bool_]:
        """Which histograms can occur, (m,); floats may give them the probability 0."""
        states = len(self.before)
        total = int(self.before.sum())
        weights = np.append((total + 1) ** np.arange(states - 1), 0)
        table = _packed(self.P > 0, self.before, weights, (total + 1) ** (states - 1))
        return np.asarray(table[self.inputs @ weights], dtype=np.bool_)

    def certify(self) -> None:
        """Check the probabilities by total probability, and by the mean number of people.

        Raises
        ------
        UncertifiedError
            Two computations differ by more than one part in 1e9, or at all for fractions.

        Examples
        --------
        >>> import dataclasses
        >>> attack = AttackProblem.make("example", [2, 0], transition=[[0.5, 0.5], [0.5, 0.5]])
        >>> attack.certify()
        >>> wrong = dataclasses.replace(attack, input_distribution=np.array([0.25, 0.25, 0.5]))
        >>> wrong.certify()
        Traceback (most recent call last):
        privlib._safety.UncertifiedError: ...
        """
        expected = self.before @ self.P
        mean = self.input_distribution @ self.inputs
        what = "the mean number of people in a place, by the probabilities of all histograms"
        _certify_equal(self.where, what, mean, expected)
        clear = self.input_distribution > FAINT
        for i in np.flatnonzero(self.before):
            # Whoever was at i is somewhere now, and the others make up the rest.
            summed = (self.reach[:, i] * self.P[i]).sum(axis=1)
            what = "the probability of a histogram, summed over the places of one person"
            _certify_equal(self.where, what, summed[clear], self.input_distribution[clear])

    def gains(self, Q: Array) -> Array:
        """Return the gain tables of a channel.

        Parameters
        ----------
        Q : ndarray, shape (m, k)
            Probability of each output (column) for each truth (row).

        Returns
        -------
        ndarray, shape (k, L, L)
            Gain of each guess at each output, nan where it is not defined.

        Raises
        ------
        ValueError
            An output can occur, but with a probability below 1e-290, whose gains floats do not
            hold, or there are too many multiplications of fractions.
        UncertifiedError
            For an output and a person the posterior probabilities of all places do not sum to 1.

        Examples
        --------
        The channel that publishes the truth, and one whose output is constant.

        >>> attack = AttackProblem.make("example", [2, 0], transition=[[0.5, 0.5], [0.5, 0.5]])
        >>> attack.gains(np.eye(3))[:, 0].tolist()
        [[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]]
        >>> attack.gains(np.ones((3, 1)))[:, 0].tolist()
        [[1.0, 1.0]]
        """
        if self.reach.dtype == object:
            steps = int(Q.shape[1]) * int(self.reach.size)
            _safety.limit(self.where, "multiplications of fractions", steps, EXACT_STEP_LIMIT)
        joint = np.tensordot(Q.T, self.reach, axes=1)
        chances = Q.T @ self.input_distribution
        if chances.dtype != object:
            self._refuse_faint(Q, chances)
        chance = np.broadcast_to(chances[:, None, None], joint.shape)
        defined = (chance > 0) & self.prior
        gains: Array = np.full(joint.shape, np.nan, dtype=joint.dtype)
        gains[defined] = joint[defined] / chance[defined]
        # The posterior probabilities of the places of one person sum to 1.
        occurring = np.flatnonzero(chances > 0)
        for i in np.flatnonzero(self.before):
            there = self.P[i] > 0
            posterior = (gains[occurring, i][:, there] * self.P[i, there]).sum(axis=1)
            what = "the sum of the posterior probabilities of the places of one person"
            _certify_equal(self.where, what, posterior, np.ones_like(posterior))
        return gains

    def _refuse_faint(self, Q: Array, chances: Array) -> None:
        """Refuse an output whose probability floats do not hold, although it can occur."""
        faint = np.flatnonzero(chances < FAINT)
        if not faint.size:
            return
        occurs = ((Q[:, faint] > 0) & self.possible[:, None]).any(axis=0)
        if occurs.any():
            raise ValueError(
                f"{self.where}: output {faint[occurs][0]} can occur, but with a probability below "
                f"{FAINT:g}, whose gains floats do not hold; pass transition and channel as "
                "fractions"
            )

    def least_loss(
        self,
        loss: Any,
        constraints: Any,
        *,
        ratios: Callable[[Array], Array],
        bound: float,
        flat: bool,
        promise: str,
    ) -> Mechanism:
        """Return the channel of least expected loss with ``constraints @ Q <= 0``.

        ``ratios(Q)`` computes in another way the largest ratio of each output that the
        `promise` speaks of; none may exceed `bound`. The rows of the constraints sum to 0 if they
        are `flat` (level 0), else to less.

        Parameters
        ----------
        loss : "L1" or array_like, shape (m, m)
            As for `costs`.
        constraints : ndarray or scipy.sparse array, shape (r, m)
            Coefficients :math:`a_{kx}` of the constraints, one a row.
        ratios : callable
            Maps a channel, shape (m, k), to the largest ratio of each output, shape (k,).
        bound : float
            What no ratio may exceed.
        flat : bool
            Whether the rows of the constraints sum to 0.
        promise : str
            What the ratio is, for the message.

        Returns
        -------
        Mechanism
            Its outputs are histograms.

        Raises
        ------
        SolverError
            The linear programme was not solved, in at most ten minutes.
        UncertifiedError
            A ratio exceeds the bound, or the loss is not shown to be near the least one.

        Examples
        --------
        One person in one of two states, and likelihood ratios of at most 2. Two answers of three
        are true, and a wrong one costs 2.

        >>> attack = AttackProblem.make("answer", [1, 0], transition=[[0.5, 0.5], [0.5, 0.5]])
        >>> best = attack.least_loss(
        ...     "L1", np.array([[1, -2], [-2, 1]]), ratios=lambda Q: Q.max(axis=0) / Q.min(axis=0),
        ...     bound=2.0, flat=False, promise="the likelihood ratio",
        ... )
        >>> best.channel.round(3).tolist(), best.loss
        ([[0.667, 0.333], [0.333, 0.667]], 0.667)
        """
        cost = self.costs(loss)
        near = NEAR_LEAST * float(cost.max() - cost.min())
        best: tuple[float, Array, IntArray, Array] | None = None
        proved = False
        stopped = ""
        weighted = self.input_distribution[:, None] * cost
        for solution in programmes.solutions(weighted, constraints, seconds=SECONDS):
            if isinstance(solution, str):
                stopped = solution
                continue
            Q, least = solution
            Q, kept = programmes.merged(Q, self.input_distribution)
            if flat:
                Q = programmes.flattened(Q, constraints)
            else:
                Q = programmes.repaired(Q, constraints)
            recomputed = ratios(Q)
            broken = ~(recomputed <= bound * (1 + _safety.SLACK))
            if broken.any():
                Q, kept = programmes.joined(Q, kept, self.input_distribution, broken)
                recomputed = ratios(Q)
            expected = float(self.input_distribution @ (Q * cost[:, kept]).sum(axis=1))
            if best is None or expected < best[0]:
                best = expected, Q, kept, recomputed
            if expected - least <= near:
                proved = True
                break
        if best is None:
            raise SolverError(f"{self.where}: the linear programme was not solved: {stopped}")
        expected, Q, kept, recomputed = best
        if not proved:
            raise _safety.UncertifiedError(
                f"{self.where}: the loss {expected:.6g} of the channel that was found could not be "
                f"shown to be within {near:.2g} of the least one; take another epsilon"
            )
        _safety.certify(self.where, promise, recomputed, bound)
        rows = Q.sum(axis=1)
        _certify_equal(
            self.where, "the sum of the probabilities of all outputs", rows, np.ones_like(rows)
        )
        return Mechanism(
            self.inputs, self.input_distribution, self.inputs[kept], Q, self.gains(Q), expected
        )

    def costs(self, loss: Any) -> Array:
        """Return the loss of each output for each truth.

        Parameters
        ----------
        loss : "L1" or array_like, shape (m, m)
            The distance of two histograms, or what each output costs.

        Returns
        -------
        ndarray, shape (m, m)
            One row a truth, one column an output.

        Raises
        ------
        ValueError
            `loss` is another word, or has not a row and a column for each histogram.

        Examples
        --------
        >>> attack = AttackProblem.make("example", [2, 0], transition=[[0.5, 0.5], [0.5, 0.5]])
        >>> attack.costs("L1").tolist()
        [[0, 2, 4], [2, 0, 2], [4, 2, 0]]
        """
        m = len(self.input_distribution)
        if isinstance(loss, str):
            checks.choice(self.where, "loss", loss, ("L1",))
            return np.asarray(np.abs(self.inputs[:, None] - self.inputs).sum(axis=2))
        return checks.reals(self.where, "loss", loss, shape=(m, m))

    def published(self, loss: Any, answers: Array) -> Mechanism:
        """Return the mechanism that publishes one histogram for each truth.

        Parameters
        ----------
        loss : "L1" or array_like, shape (m, m)
            As for `costs`.
        answers : ndarray of int, shape (m,)
            Position of the published histogram for each truth.

        Returns
        -------
        Mechanism
            With the histograms that occur as outputs.

        Examples
        --------
        The histogram (1, 1) is published, whatever is true.

        >>> attack = AttackProblem.make("example", [2, 0], transition=[[0.5, 0.5], [0.5, 0.5]])
        >>> constant = attack.published("L1", np.array([1, 1, 1]))
        >>> constant.outputs.tolist(), constant.loss, constant.gain
        ([[1, 1]], 1.0, 1.0)
        """
        cost = self.costs(loss)
        kept, label = np.unique(answers, return_inverse=True)
        Q = np.eye(len(kept))[label.ravel()]
        expected = float(self.input_distribution @ (Q * cost[:, kept]).sum(axis=1))
        return Mechanism(
            self.inputs, self.input_distribution, self.inputs[kept], Q, self.gains(Q), expected
        )

    def gains_by_person(self, Q: Array) -> Array:
        """Return the gains (k, L, L) of a channel of floats, computed in another way.

        The others move one by one, and their histograms are kept by name; the probability of an
        output is what it is on average over the places of the person.

        Parameters
        ----------
        Q : ndarray of float64, shape (m, k)
            As for `gains`.

        Returns
        -------
        ndarray, shape (k, L, L)
            As those of `gains`.

        Examples
        --------
        >>> attack = AttackProblem.make("example", [2, 0], transition=[[0.5, 0.5], [0.5, 0.5]])
        >>> attack.gains_by_person(np.eye(3))[:, 0].tolist()
        [[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]]
        """
        states = len(self.before)
        row = {tuple(x): k for k, x in enumerate(self.inputs.tolist())}
        gains = np.full((Q.shape[1], states, states), np.nan)
        for i in np.flatnonzero(self.before):
            others = self.before - (np.arange(states) == i)
            chances = {(0,) * states: 1.0}
            for home in np.repeat(np.arange(states), others):
                moved: dict[tuple[int, ...], float] = defaultdict(float)
                for x, chance in chances.items():
                    for j in np.flatnonzero(self.P[home]).tolist():
                        moved[_with_one_more(x, j)] += chance * float(self.P[home, j])
                chances = moved
            weights = np.array(list(chances.values()))
            places = np.flatnonzero(self.P[i]).tolist()
            outputs_by_place = np.empty((len(places), Q.shape[1]))
            for at, j in enumerate(places):
                truths = [row[_with_one_more(x, j)] for x in chances]
                outputs_by_place[at] = weights @ Q[truths]
            output = self.P[i, places] @ outputs_by_place
            with np.errstate(invalid="ignore"):  # outputs that cannot occur: nan
                gains[:, i, places] = (outputs_by_place / output).T
        return gains


def _with_one_more(x: tuple[int, ...], j: int) -> tuple[int, ...]:
    """Return the histogram with one more person at j."""
    return (*x[:j], x[j] + 1, *x[j + 1 :])


def _rows_of_a_truth(promise: str, before: IntArray, P: Array) -> int:
    """Return how many constraints of one output the probability of one truth enters, at most."""
    if promise == "event-level":
        return 2 * len(P) * (len(P) - 1)
    pairs = int(np.count_nonzero(P[before > 0]))
    return 2 * pairs if promise == "two-sided" else pairs


def _usable(where: str, P: Array, *, floats: bool) -> Array:
    """Return a dense transition, in floats if asked for, whose rows of floats sum to 1."""
    if floats or P.dtype != object:
        P = valid.floats(where, P)
        sums = P.sum(axis=1, keepdims=True)
        # Rows may miss 1 by rounding, which the number of people would multiply. Others are empty.
        missed = (np.abs(sums - 1) > 1e-15 * len(P)) & (sums > 0)
        P = np.where(missed, P / np.where(sums > 0, sums, 1.0), P)
    return P


def _packed(P: Array, people: IntArray, weights: IntArray, size: int) -> Array:
    """Return the coefficients of the generating function, histograms packed by weights.

    For a table of truth values, which coefficients are not 0.
    """
    table: Array = np.zeros(size, dtype=P.dtype)
    table[0] = 1
    # One factor a person; multiplying by a linear form shifts and adds.
    for i in np.repeat(np.arange(len(P)), people):
        factor = table * P[i, -1]
        for j in np.flatnonzero(P[i, :-1]):
            factor[weights[j] :] += table[: size - weights[j]] * P[i, j]
        table = factor
    return table


def _certify_equal(where: str, what: str, again: Array, numbers: Array) -> None:
    """Raise unless two computations of the same numbers agree, fractions exactly."""
    promise = f"the difference of two computations of {what}"
    if again.dtype == object and numbers.dtype == object:
        _safety.certify(where, promise, again != numbers, 0.0, slack=0.0)
        return
    values = np.asarray(numbers, dtype=np.float64)
    differences = np.abs(np.asarray(again, dtype=np.float64) - values)
    _safety.certify(where, promise, differences, _safety.SLACK * np.abs(values), slack=0.0)


def output_distribution(before: npt.ArrayLike, transition: Any) -> Array:
    r"""Return the distribution of the next histogram, for all histograms.

    Parameters
    ----------
    before : array_like of int, shape (L,)
        The histogram :math:`\pi(t-1)`, by position.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Transition matrix; a matrix of fractions gives fractions.

    Returns
    -------
    ndarray, shape (m,)
        :math:`p(x \mid \pi)` in the order of `histograms`. Floats are 0 for what is possible with a
        probability below 1e-308.

    Raises
    ------
    ValueError
        There are too many histograms to enumerate, or somebody stands in an empty row of a sparse
        transition.

    Notes
    -----
    :math:`p(x \mid \pi)` is the coefficient of :math:`z^x` in
    :math:`\prod_i (\sum_j P_{ij} z_j)^{\pi_i}`. The variables are packed into one
    (:math:`z_j \to z^{(N+1)^j}`), in which no two histograms collide.

    References
    ----------
    In place of equation (2), whose terms lack the multinomial coefficients.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> [str(p) for p in output_distribution([2, 0], [[half, half], [half, half]])]
    ['1/4', '1/2', '1/4']
    """
    return AttackProblem.make(
        "output_distribution", before, transition=transition
    ).input_distribution


def mechanism_gain(before: npt.ArrayLike, transition: Any, *, channel: npt.ArrayLike) -> Array:
    r"""Return the gains of a channel for an attacker who knows it.

    Parameters
    ----------
    before : array_like of int, shape (L,)
        The histogram :math:`\pi(t-1)`, which the attacker knows with the names.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Transition matrix. If it and the channel hold integers or fractions, so does the result.
    channel : array_like, shape (m, k)
        :math:`Q(o \mid x)`, one row for each histogram in the order of `histograms`; rows sum
        to 1.

    Returns
    -------
    ndarray, shape (k, L, L)
        Gain from output *o* about a person who was at *i* being at *j*; nan where the prior
        :math:`\pi_i P_{ij}` or the probability of the output is 0.

    Raises
    ------
    ValueError
        The channel has not one row for each histogram, or there are too many of them; an output can
        occur, but with a probability below 1e-290, whose gains floats do not hold.
    UncertifiedError
        The result did not pass its check: for each output and each person the posterior
        probabilities of all places sum to 1.

    Notes
    -----
    These are the gains of one release about one person's place now, for an attacker who has the
    true `transition` and `before`. They say nothing of an attacker with another matrix, of several
    releases, or of what is told of two persons at once.

    The equation is in the module's docstring. The channel that publishes the truth has the gain
    :math:`E[a_{ij} \mid \pi, x] / (\pi_i P_{ij})`.

    Examples
    --------
    Two people leave the same state; the truth is published.

    >>> halves = [[0.5, 0.5], [0.5, 0.5]]
    >>> mechanism_gain([2, 0], halves, channel=np.eye(3))[:, 0].tolist()
    [[0.0, 2.0], [1.0, 1.0], [2.0, 0.0]]
    """
    where = "mechanism_gain"
    checked = checks.stochastic(where, "channel", channel, any_shape=True)
    exact = checked.dtype == object
    m = int(checked.shape[0])
    k = int(checked.shape[1])
    _safety.limit(where, "entries of channel", m * k, CHANNEL_LIMIT)
    situation = AttackProblem.make(where, before, transition=transition, floats=not exact)
    count = len(situation.inputs)
    if m != count:
        raise ValueError(
            f"{where}: channel must have one row for each of the {count} histograms, "
            f"got shape {checked.shape}"
        )
    Q = valid.dense(checked)
    if hasattr(checked, "tocsr"):
        _refuse_silent(where, Q)  # the rows of other channels sum to 1
    if Q.dtype == object and situation.input_distribution.dtype != object:
        Q = _safety.exact_floats(where, "channel", Q)
    return situation.gains(Q)


def _refuse_silent(where: str, Q: Array) -> None:
    """Refuse a truth for which nothing is published: an empty row of a sparse channel."""
    silent = np.flatnonzero(~(Q > 0).any(axis=1))
    if silent.size:
        raise ValueError(
            f"{where}: every row of channel must sum to 1, got an empty row {silent[0]}"
        )


def deterministic_mechanism(
    before: npt.ArrayLike, transition: Any, *, releases: npt.ArrayLike
) -> Mechanism:
    r"""Return the mechanism that publishes a fixed release for each true histogram.

    Parameters
    ----------
    before : array_like of int, shape (L,)
        The histogram :math:`\pi(t-1)`, by position.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Transition matrix; with one of fractions the gains are fractions.
    releases : array_like, shape (m, L)
        What is published for each histogram in the order of `histograms`; real masses.

    Returns
    -------
    Mechanism
        Loss in :math:`L_1`. It publishes what is in its `outputs`: `releases` in eight decimals.
        Whoever publishes more digits than these tells more than its gains say.

    Raises
    ------
    ValueError
        `releases` has not one row for each histogram, or there are too many of them; an output can
        occur, but with a probability below 1e-290.
    UncertifiedError
        The gains did not pass the check of `mechanism_gain`.

    Examples
    --------
    >>> halves = [[0.5, 0.5], [0.5, 0.5]]
    >>> constant = deterministic_mechanism([2, 0], halves, releases=[[1, 1]] * 3)
    >>> constant.gain, constant.loss
    (1.0, 1.0)
    """
    where = "deterministic_mechanism"
    situation = AttackProblem.make(where, before, transition=transition)
    inputs = situation.inputs
    distribution = situation.input_distribution
    rows = checks.reals(where, "releases", releases, shape=inputs.shape)
    # Releases whose weights are found up to 1e-9 differ in the ninth decimal where they are equal.
    # Numbers beyond 1e6 keep all digits, for the largest would overflow. + 0.0 makes one zero of
    # the two.
    rounded = np.where(np.abs(rows) < 1e6, np.clip(rows, -1e6, 1e6).round(8), rows) + 0.0
    outputs, label = np.unique(rounded, axis=0, return_inverse=True)
    label = label.reshape(-1)
    _safety.limit(where, "entries of the channel", len(rows) * len(outputs), CHANNEL_LIMIT)
    Q = (label[:, None] == np.arange(len(outputs))).astype(np.int64)
    loss = float(distribution.astype(np.float64) @ np.abs(inputs - outputs[label]).sum(axis=1))
    return Mechanism(inputs, distribution, outputs, Q, situation.gains(Q), loss)


def optimal_mechanism(
    before: npt.ArrayLike,
    transition: Any,
    *,
    epsilon: float,
    loss: Any = "L1",
    two_sided: bool = False,
) -> Mechanism:
    r"""Return the adversarially private mechanism of least expected loss.

    Parameters
    ----------
    before : array_like of int, shape (L,)
        The histogram :math:`\pi(t-1)`, by position.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Transition matrix.
    epsilon : float
        Level, in 0..15 or infinite: no gain of an attacker of class NPK who knows the mechanism
        exceeds :math:`e^\varepsilon`. Beyond 15 the entries of the constraints are too far apart
        for the solver. Without any privacy (``inf``) the histogram of least loss is published, in
        :math:`L_1` the true one.
    loss : "L1" or array_like, shape (m, m)
        Loss of publishing the histogram of the column when that of the row is true.
    two_sided : bool
        Let no gain fall below :math:`e^{-\varepsilon}` either: no guess may be excluded.

    Returns
    -------
    Mechanism
        The outputs are histograms.

    Raises
    ------
    ValueError
        There are more than 600 histograms, or a programme of more than 20 million entries, or
        `loss` has not a row and a column for each histogram; somebody stands in an empty row of a
        sparse transition.
    TypeError
        An argument does not hold numbers, or `two_sided` is neither True nor False.
    SolverError
        The linear programme was not solved, in at most ten minutes.
    UncertifiedError
        The mechanism did not pass its check, or its loss is not shown to be near the least one.

    Notes
    -----
    *What is promised.* For every output that can occur, every person and every place where the
    person may have gone, the gain is at most :math:`e^\varepsilon` (and at least
    :math:`e^{-\varepsilon}`, if `two_sided`), up to one part in 1e9 for rounding, whatever the
    probability of the output. Before it is returned, all gains are computed once more from the
    channel, with everybody else moving one by one. *What is not:* the attacker has this
    `transition` and `before` (another matrix is another promise), sees one release, and asks for
    the place of one person.

    No other outputs of total *N* are better in :math:`L_1`. The constraints of two signals add
    up, so signals with the same estimate may be merged; and given a signal, the expected loss of
    a real vector is convex, linear in each coordinate between neighbouring integers. The vectors
    of total *N* between the same integers form a polytope with whole vertices, on which the loss
    is linear: a whole one is among the best. Estimates of another total can do better: for one
    person in three equally likely places :math:`(0, 0, 0)` costs 1, any histogram 4/3.

    *What it costs.* The solver lets each constraint be broken by 1e-10. The channel is repaired as
    the module's docstring says, so its loss is a little above the least one, in 1,200 random towns
    by at most some 2e-6. It is checked, with the solver's
    multipliers, to be within 1e-5 of the largest loss. Below the level 1e-6 the tolerance is not
    small beside :math:`e^\varepsilon - 1`; there the mechanism of level 0 is returned, which keeps
    the promise. `certified_mechanism` of `privlib.research.location_certificate` has no tolerance:
    it returns a channel in fractions, and a fraction that the least loss is proved not to be below.

    References
    ----------
    Definition 3.1 and section 3.2.3, for a randomised output and an attacker who knows how it
    is made.

    Examples
    --------
    >>> best = optimal_mechanism([2, 0], [[0.5, 0.5], [0.5, 0.5]], epsilon=0.5)
    >>> round(best.gain, 4), best.loss < 1
    (1.6487, True)
    """
    where = "optimal_mechanism"
    level = valid.privacy_level(where, epsilon, LARGEST_LEVEL)
    two_sided = checks.flag(where, "two_sided", two_sided)
    sides = "two-sided" if two_sided else "one-sided"
    situation = AttackProblem.make(
        where, before, transition=transition, programme=sides, floats=True
    )
    if math.isinf(level):
        return situation.published(loss, situation.costs(loss).argmin(axis=1))
    bound = math.exp(level)
    flat = level < LEAST_LEVEL
    within = 1.0 if flat else bound * (1 - MARGIN)
    reach = situation.reach[:, situation.prior]
    distribution = situation.input_distribution[:, None]
    rows = [reach - within * distribution]
    if two_sided:
        rows.append(distribution / within - reach)

    def ratios(Q: Array) -> Array:
        gains = situation.gains_by_person(Q)[:, situation.prior]
        if not two_sided:
            return np.asarray(gains.max(axis=1))
        with np.errstate(divide="ignore"):
            return np.asarray(np.maximum(gains, 1 / gains).max(axis=1))

    promise = "the largest ratio of prior and posterior probability" if two_sided else "the gain"
    return situation.least_loss(
        loss, np.hstack(rows).T, ratios=ratios, bound=bound, flat=flat, promise=promise
    )


def event_level_mechanism(
    before: npt.ArrayLike, transition: Any, *, epsilon: float, loss: Any = "L1"
) -> Mechanism:
    r"""Return the mechanism of least expected loss under event-level differential privacy.

    Parameters
    ----------
    before : array_like of int, shape (L,)
        The histogram :math:`\pi(t-1)`, by position. It enters the expected loss, not the
        constraints.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Transition matrix, which enters the expected loss only, too.
    epsilon : float
        Level, in 0..15: :math:`Q(o \mid x) \le e^\varepsilon Q(o \mid x')` where *x* and
        *x'* differ by the place of one person; or infinite, as for `optimal_mechanism`.
    loss : "L1" or array_like, shape (m, m)
        Loss of publishing the histogram of the column when that of the row is true.

    Returns
    -------
    Mechanism
        The outputs are histograms.

    Raises
    ------
    ValueError, SolverError, UncertifiedError
        Where `optimal_mechanism` raises them.

    Notes
    -----
    *What is promised.* The inequality holds for the floats of the channel, all pairs of
    neighbours and all outputs, without any slack. So an output that is possible after one histogram
    is possible after all. It is checked with neighbours that are found by moving a person. *What
    is not:* it covers one release. People who come or go, and the many moves of one person over
    time, are not neighbours here.

    The loss is averaged over the Markov process, so this is the best that differential privacy
    of one release can do with the same knowledge of what is likely. By the module's docstring
    its gains are at most :math:`e^\varepsilon`. What the repair costs is said at
    `optimal_mechanism`; below the level 1e-6 the best constant output is returned.

    Examples
    --------
    >>> P = [[0.5, 0.5], [0.5, 0.5]]
    >>> private = event_level_mechanism([2, 0], P, epsilon=0.5)
    >>> private.loss > optimal_mechanism([2, 0], P, epsilon=0.5).loss
    True
    """
    where = "event_level_mechanism"
    level = valid.privacy_level(where, epsilon, LARGEST_LEVEL)
    situation = AttackProblem.make(
        where, before, transition=transition, programme="event-level", floats=True
    )
    cost = situation.costs(loss)
    m = len(situation.input_distribution)
    if math.isinf(level):
        return situation.published(loss, cost.argmin(axis=1))
    if level < LEAST_LEVEL:
        constant = int((situation.input_distribution @ cost).argmin())
        return situation.published(loss, np.full(m, constant))
    bound = math.exp(level)
    within = bound * (1 - MARGIN)
    x, y = np.nonzero(np.abs(situation.inputs[:, None] - situation.inputs).sum(axis=2) == 2)
    identity = sparse.eye(m, format="csr")

    def ratios(Q: Array) -> Array:
        return _neighbour_ratios(situation.inputs, Q, bound)

    return situation.least_loss(
        loss,
        identity[x] - within * identity[y],
        ratios=ratios,
        bound=bound,
        flat=False,
        promise="the ratio of the probabilities of an output after histograms of one person more",
    )


def _neighbour_ratios(inputs: IntArray, Q: Array, bound: float) -> Array:
    """Return the largest ratio of each output between histograms of one moved person.

    Neighbours are found by moving a person. A ratio that is at most `bound` without any rounding is
    returned as it is, any other one a little larger.
    """
    states = inputs.shape[1]
    row = {tuple(x): k for k, x in enumerate(inputs.tolist())}
    largest = np.ones(Q.shape[1])
    for i, j in itertools.permutations(range(states), 2):
        # Everybody has a neighbour who is at i in place of j, if somebody is at j.
        here = np.flatnonzero(inputs[:, j])
        moved = inputs[here] + (np.arange(states) == i) - (np.arange(states) == j)
        there = [row[tuple(x)] for x in moved.tolist()]
        first = Q[here]
        second = Q[there]
        # The product rounded down, of a bound rounded down: true of the floats themselves.
        kept = first <= np.nextafter(np.nextafter(bound, 0) * second, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(first > 0, first / second, 1.0)
        ratio = np.where(kept, np.minimum(ratio, bound), np.nextafter(ratio, np.inf))
        largest = np.maximum(largest, ratio.max(axis=0, initial=1.0))
    return largest
