r"""What an attacker who knows the mechanism learns, and the best mechanism against him.

The definition of adversarial privacy lets the attacker take the published histogram for the
true one. Let him know the mechanism instead: a channel :math:`Q(o \mid x)` from the true
histogram *x* to the output *o*. He holds :math:`\pi = \pi(t-1)` and the name of everybody behind
it (class NPK), and the :math:`p(x \mid \pi)` of the Markov process. For a person *u* who was at
:math:`\ell_i`,

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

**The second privacy implies the first, with the same** :math:`\varepsilon`. Average over the
others, whose law does not depend on where *u* went: :math:`P(o \mid X^u = j) \le e^\varepsilon
P(o \mid X^u = k)` for all *j*, *k*. Average over *k* with the weights :math:`P_{ik}`: the gain
:math:`P(o \mid X^u = j) / P(o)` is at most :math:`e^\varepsilon`.

Matrices of fractions give fractions wherever no linear programme is solved.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from privlib import _checks as checks
from privlib._checks import Array, IntArray
from privlib.location import _validation as valid

TABLE_LIMIT = 2_000_000  # entries of a table of all histograms, per gain table
PROGRAMME_LIMIT = 600  # histograms: the programme has the square of it as variables
# The solver's tolerance is absolute: an output that is rarer than this is not trusted.
RARE = 1e-9


class SolverError(RuntimeError):
    """The linear programme was not solved."""


@dataclass(frozen=True, eq=False)
class Mechanism:
    r"""A channel from true histograms to outputs, and what it costs and tells.

    Attributes
    ----------
    inputs : ndarray of int, shape (m, L)
        All histograms of the people, as `histograms` lists them.
    law : ndarray, shape (m,)
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
    """

    inputs: IntArray
    law: Array
    outputs: Array
    channel: Array
    gains: Array
    loss: float

    @property
    def output_law(self) -> Array:
        """Probability of each output, shape (k,)."""
        return self.law @ self.channel

    @property
    def worst(self) -> Array:
        """Largest gain of each output that can occur, shape (k,); nan for the others."""
        flat = self.gains.reshape(len(self.gains), -1)
        filled = np.where(flat == flat, flat, -1).max(axis=1)
        return np.where(filled < 0, np.nan, filled)

    @property
    def gain(self) -> Any:
        """Largest gain of all outputs that can occur."""
        largest = max(gain for gain in self.worst if gain == gain)
        return largest if isinstance(largest, Fraction) else float(largest)

    def violation(self, epsilon: float) -> Any:
        r"""Return the probability of an output whose largest gain exceeds :math:`e^\varepsilon`."""
        return self.output_law[self.worst > math.exp(valid.level("violation", epsilon))].sum()


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
    size = checks.integer("histograms", "states", states, low=1)
    count = math.comb(total + size - 1, size - 1)
    if count * size > TABLE_LIMIT:
        raise ValueError(
            f"histograms: {total} people in {size} states have {count} histograms, "
            f"more than {TABLE_LIMIT // size}"
        )
    # Stars and bars: the positions of the bars, in order.
    bars = itertools.combinations(range(total + size - 1), size - 1)
    inner = np.array(list(bars), dtype=np.int64).reshape(count, size - 1)
    edges = np.full((count, 1), -1), inner, np.full((count, 1), total + size - 1)
    return np.diff(np.hstack(edges), axis=1) - 1


@dataclass(frozen=True, eq=False)
class _Situation:
    """All histograms x after `before`, p(x | pi) (m,) and p(x - e_j | pi - e_i) (m, L, L)."""

    where: str
    before: IntArray
    P: Array
    inputs: IntArray
    law: Array
    reach: Array

    @classmethod
    def make(
        cls, where: str, before: Any, *, transition: Any, programme: bool = False
    ) -> _Situation:
        """Check and enumerate; a linear programme is for few histograms and in floats."""
        P, labels = valid.states_of(where, transition)
        pi, P = valid.histogram(where, "before", before, labels), valid.dense(P)
        total, states = int(pi.sum()), len(pi)
        if not total:
            raise ValueError(f"{where}: before must count somebody, got {pi.tolist()}")
        count, size = math.comb(total + states - 1, states - 1), (total + 1) ** (states - 1)
        if programme and count > PROGRAMME_LIMIT:
            raise ValueError(
                f"{where}: at most {PROGRAMME_LIMIT} histograms can be enumerated, got {count} "
                f"({total} people in {states} states)"
            )
        if max(count * states**2, size) > TABLE_LIMIT:
            raise ValueError(
                f"{where}: {total} people in {states} states have too many histograms to enumerate"
            )
        P = P.astype(np.float64) if programme else P
        inputs = histograms(total, states)
        weights = np.append((total + 1) ** np.arange(states - 1), 0)
        code = inputs @ weights

        def packed(people: IntArray) -> Array:
            """Return the coefficients of the generating function, histograms packed by weights."""
            table: Array = np.zeros(size, dtype=P.dtype)
            table[0] = 1
            # One factor a person; multiplying by a linear form shifts and adds.
            for i in np.repeat(np.arange(states), people):
                factor = table * P[i, -1]
                for j in np.flatnonzero(P[i, :-1]):
                    factor[weights[j] :] += table[: size - weights[j]] * P[i, j]
                table = factor
            return table

        reach: Array = np.zeros((count, states, states), dtype=P.dtype)
        for i in np.flatnonzero(pi):
            table = packed(pi - (np.arange(states) == i))
            # Where nobody is at j the packed index would borrow from another state.
            less = table[np.maximum(code[:, None] - weights, 0)]
            reach[:, i] = np.where(inputs > 0, less, 0 * P[0, 0])
        return cls(where, pi, P, inputs, packed(pi)[code], reach)

    @property
    def prior(self) -> npt.NDArray[np.bool_]:
        """Where somebody may have gone."""
        return np.asarray((self.before[:, None] > 0) & (self.P > 0))

    def gains(self, Q: Array) -> Array:
        """Return the gain tables (k, L, L) of a channel, nan where they are not defined."""
        joint = np.tensordot(Q.T, self.reach, axes=1)
        chance = np.broadcast_to((Q.T @ self.law)[:, None, None], joint.shape)
        defined = (chance > 0) & self.prior
        gains: Array = np.full(joint.shape, np.nan, dtype=joint.dtype)
        gains[defined] = joint[defined] / chance[defined]
        return gains

    def best(self, loss: Any, constraints: Any) -> Mechanism:
        """Return the channel of least expected loss with ``constraints @ Q <= 0``."""
        from scipy import optimize  # a third of the import time, and needed here only

        m = len(self.law)
        if isinstance(loss, str):
            checks.choice(self.where, "loss", loss, ("L1",))
            loss = np.abs(self.inputs[:, None] - self.inputs).sum(axis=2)
        cost = checks.reals(self.where, "loss", loss, shape=(m, m))
        found = optimize.linprog(
            (self.law[:, None] * cost).ravel(),
            # Every constraint once for each output: the identity runs over the outputs.
            A_ub=sparse.kron(constraints, sparse.eye(m)).tocsr(),
            b_ub=np.zeros(constraints.shape[0] * m),
            A_eq=sparse.kron(sparse.eye(m), np.ones((1, m))).tocsr(),
            b_eq=np.ones(m),
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status:
            raise SolverError(f"{self.where}: the linear programme was not solved: {found.message}")
        Q = np.maximum(found.x.reshape(m, m), 0)
        Q /= Q.sum(axis=1, keepdims=True)
        chance = self.law @ Q
        # Merging outputs adds their constraints: what is too rare joins the most frequent one.
        keep = chance > RARE
        Q[:, chance.argmax()] += Q[:, ~keep].sum(axis=1)
        Q = Q[:, keep]
        expected = float(self.law @ (Q * cost[:, keep]).sum(axis=1))
        return Mechanism(self.inputs, self.law, self.inputs[keep], Q, self.gains(Q), expected)


def output_law(before: npt.ArrayLike, transition: Any) -> Array:
    r"""Return the law of the next histogram, for all histograms.

    Parameters
    ----------
    before : array_like of int or Series, shape (L,)
        The histogram :math:`\pi(t-1)`.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Transition matrix; a matrix of fractions gives fractions.

    Returns
    -------
    ndarray, shape (m,)
        :math:`p(x \mid \pi)` in the order of `histograms`.

    Raises
    ------
    ValueError
        There are too many histograms to enumerate.

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
    >>> [str(p) for p in output_law([2, 0], [[half, half], [half, half]])]
    ['1/4', '1/2', '1/4']
    """
    return _Situation.make("output_law", before, transition=transition).law


def mechanism_gain(before: npt.ArrayLike, transition: Any, *, channel: npt.ArrayLike) -> Array:
    r"""Return the gains of a channel for an attacker who knows it.

    Parameters
    ----------
    before : array_like of int or Series, shape (L,)
        The histogram :math:`\pi(t-1)`, which he knows with the names.
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
        The channel has not one row for each histogram, or there are too many of them.

    Notes
    -----
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
    situation = _Situation.make(where, before, transition=transition)
    Q = valid.dense(checks.stochastic(where, "channel", channel, any_shape=True))
    if len(Q) != len(situation.law):
        raise ValueError(
            f"{where}: channel must have one row for each of the {len(situation.law)} histograms, "
            f"got shape {Q.shape}"
        )
    return situation.gains(Q if situation.law.dtype == object else Q.astype(np.float64))


def deterministic_mechanism(
    before: npt.ArrayLike, transition: Any, *, releases: npt.ArrayLike
) -> Mechanism:
    r"""Return the mechanism that publishes a fixed release for each true histogram.

    Parameters
    ----------
    before, transition
        Those of `output_law`.
    releases : array_like, shape (m, L)
        What is published for each histogram in the order of `histograms`; real masses.

    Returns
    -------
    Mechanism
        Loss in :math:`L_1`. Releases that agree in nine decimals are one output.

    Raises
    ------
    ValueError
        `releases` has not one row for each histogram, or there are too many of them.

    Examples
    --------
    >>> halves = [[0.5, 0.5], [0.5, 0.5]]
    >>> constant = deterministic_mechanism([2, 0], halves, releases=[[1, 1]] * 3)
    >>> constant.gain, constant.loss
    (1.0, 1.0)
    """
    where = "deterministic_mechanism"
    situation = _Situation.make(where, before, transition=transition)
    inputs, law = situation.inputs, situation.law
    rows = checks.reals(where, "releases", releases, shape=inputs.shape)
    # + 0.0 makes one zero of the two.
    outputs, label = np.unique(rows.round(9) + 0.0, axis=0, return_inverse=True)
    Q = (label.reshape(-1, 1) == np.arange(len(outputs))).astype(np.int64)
    loss = float(law.astype(np.float64) @ np.abs(inputs - rows).sum(axis=1))
    return Mechanism(inputs, law, outputs, Q, situation.gains(Q), loss)


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
    before, transition
        Those of `output_law`.
    epsilon : float
        Level, in 0..15, as far as the solver can be trusted: no gain of an attacker of class NPK
        who knows the mechanism exceeds :math:`e^\varepsilon`.
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
        There are more than 600 histograms, or `loss` has not a row and a column for each.
    SolverError
        The linear programme was not solved.

    Notes
    -----
    No other outputs of total *N* are better in :math:`L_1`. The constraints of two signals add
    up, so signals with the same estimate may be merged; and given a signal, the expected loss of
    a real vector is convex, linear in each coordinate between neighbouring integers. The vectors
    of total *N* between the same integers form a polytope with whole vertices, on which the loss
    is linear: a whole one is among the best. Estimates of another total can do better: for one
    person in three equally likely places :math:`(0, 0, 0)` costs 1, any histogram 4/3.

    The solver works in floats: `Mechanism.gain` is computed from the channel that it found and
    may exceed :math:`e^\varepsilon` in the last digits. So may `Mechanism.loss` be below the least
    loss of all that keep the promise: the solver lets each constraint be broken by 1e-10, and the
    loss be too small by about as much. `certificate.certified_mechanism` has no tolerance: it
    returns a channel in fractions, and a fraction that the least loss is proved not to be below.

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
    bound = math.exp(valid.level(where, epsilon, 15))
    situation = _Situation.make(where, before, transition=transition, programme=True)
    reach, law = situation.reach[:, situation.prior], situation.law[:, None]
    rows = [reach - bound * law, law / bound - reach][: 1 + two_sided]
    return situation.best(loss, np.hstack(rows).T)


def event_level_mechanism(
    before: npt.ArrayLike, transition: Any, *, epsilon: float, loss: Any = "L1"
) -> Mechanism:
    r"""Return the mechanism of least expected loss under event-level differential privacy.

    Parameters
    ----------
    before, transition, loss
        Those of `optimal_mechanism`, whose errors it raises too. They enter the expected loss,
        not the constraints.
    epsilon : float
        Level, in 0..15: :math:`Q(o \mid x) \le e^\varepsilon Q(o \mid x')` where *x* and
        *x'* differ by the place of one person.

    Returns
    -------
    Mechanism
        The outputs are histograms.

    Notes
    -----
    The loss is averaged over the Markov process, so this is the best that differential privacy
    of one release can do with the same knowledge of what is likely. By the module's docstring
    its gains are at most :math:`e^\varepsilon`. Of gains and loss in floats the notes of
    `optimal_mechanism` say what the solver's tolerance does to them.

    Examples
    --------
    >>> P = [[0.5, 0.5], [0.5, 0.5]]
    >>> private = event_level_mechanism([2, 0], P, epsilon=0.5)
    >>> private.loss > optimal_mechanism([2, 0], P, epsilon=0.5).loss
    True
    """
    where = "event_level_mechanism"
    bound = math.exp(valid.level(where, epsilon, 15))
    situation = _Situation.make(where, before, transition=transition, programme=True)
    inputs = situation.inputs
    x, y = np.nonzero(np.abs(inputs[:, None] - inputs).sum(axis=2) == 2)
    one = sparse.eye(len(inputs), format="csr")
    return situation.best(loss, one[x] - bound * one[y])
