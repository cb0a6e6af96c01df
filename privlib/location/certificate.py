r"""Proofs, in fractions, that the best release is the best.

The best release of `privlib.location.mechanism` solves a linear programme in floats, whose answer
keeps its promise, and is the best, only up to the solver's tolerance. Each of the promises has the
form :math:`\sum_x a_{kx} Q(o \mid x) \le 0` for all outputs *o* and all rows *k*, where the entries
of a row add up to less than 0. With rational chances of moving and a rational bound *E* in place of
:math:`e^\varepsilon` everything is rational, and the floats need not be trusted:

.. math::

    \sum_x \min_o \Bigl( p(x)\, \ell(x, o) + \sum_k \lambda_{ko} a_{kx} \Bigr)
    \;\le\; \text{least loss} \;\le\;
    \sum_{x, o} p(x)\, \ell(x, o)\, \frac{Q(o \mid x) + w_o}{1 + \sum_o w_o},
    \qquad w_o = \max_k \Bigl( \frac{\sum_x a_{kx} Q(o \mid x)}{-\sum_x a_{kx}} \Bigr)^+ .

On the left *any* multipliers :math:`\lambda \ge 0` do. The loss of a channel that keeps the promise
is at least :math:`\sum_{x, o} Q(o \mid x)` times the bracket, since what is added is not positive,
and the weights :math:`Q(\cdot \mid x)` add up to 1. On the right *any* channel does: to put out *o*
more often by the same :math:`w_o` for all truths lowers the sum of row *k* by
:math:`w_o \lvert \sum_x a_{kx} \rvert`. The solver's floats, rounded to fractions, make the two
sides meet up to its tolerance.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import optimize, sparse

from privlib import _checks as checks
from privlib.location.mechanism import Mechanism, SolverError, _Situation

GRAIN = 2**44  # floats are rounded to multiples of 1 / GRAIN, which is finer than the solver
_whole = np.vectorize(lambda value, grain: round(value * grain), otypes=[object])


def certified_mechanism(
    before: Any, transition: Any, *, bound: Any, promise: str
) -> tuple[Mechanism, Fraction, Any]:
    r"""Return the best mechanism in fractions, and a proof of how much a better one could save.

    Parameters
    ----------
    before : array_like of int or Series, shape (L,)
        The histogram :math:`\pi(t-1)`.
    transition : array_like of Fraction, shape (L, L)
        Transition matrix, exact.
    bound : int, Fraction or float
        :math:`E > 1`, the largest ratio that the promise allows, at most 1e9 for the solver's
        sake; a float is the fraction that it stores. From some 1e3 on the solver may give up on
        "event-level", or leave the two bounds, which stay true, far apart. The least loss falls as
        *E* grows: for :math:`e^\varepsilon`, which is irrational, take the lower bound from a
        fraction above it and the mechanism from one below.
    promise : {"one-sided", "two-sided", "event-level"}
        The constraints of `mechanism.optimal_mechanism`, those with ``two_sided=True``, or those
        of `mechanism.event_level_mechanism`, with *E* for :math:`e^\varepsilon`.

    Returns
    -------
    found : Mechanism
        Its channel, gains and :math:`L_1` loss are fractions, and keep the promise without any
        tolerance.
    lower : Fraction
        No channel to histograms that keeps the promise has a smaller loss.
    multipliers : ndarray of Fraction, shape (k, m)
        :math:`\lambda_{ko} \ge 0`, which prove `lower`. Rows: the pairs *(i, j)* with
        :math:`\pi_i P_{ij} > 0`, for "two-sided" first all upper bounds of gains, then all lower
        ones; for "event-level" the pairs of neighbours *(x, x')*, both ways.

    Raises
    ------
    TypeError
        `transition` holds floats.
    ValueError
        `bound` is not more than 1 or more than 1e9, or there are more than 600 histograms.
    SolverError
        The linear programme was not solved.

    Notes
    -----
    The proof is in the module's docstring. Both bounds rest on sums of fractions only: they are
    true whatever the solver returns, which decides how near they are.

    References
    ----------
    Weak duality of linear programmes; for safe bounds from a solver's floats A. Neumaier and
    O. Shcherbina, "Safe bounds in linear and mixed-integer linear programming", *Mathematical
    Programming* 99 (2004).

    Examples
    --------
    One person who is in either place with the same chance. To tell the truth with the odds
    *E* = 2 costs 2/3, and nothing costs less.

    >>> half = Fraction(1, 2)
    >>> best, least, _ = certified_mechanism(
    ...     [1, 0], [[half] * 2] * 2, bound=2, promise="event-level"
    ... )
    >>> least <= Fraction(2, 3) <= best.loss, float(best.loss - least) < 1e-9
    (True, True)
    >>> max(best.channel[0] / best.channel[1]) <= 2
    True
    """
    where = "certified_mechanism"
    checks.choice(where, "promise", promise, ("one-sided", "two-sided", "event-level"))
    E = checks.rational(where, "bound", bound)
    E = Fraction(checks.bounded(where, "bound", E, "be in (1, 1e9]", lambda v: 1 < v <= 10**9))
    _Situation.make(where, before, transition=transition, programme=True)  # is it small enough?
    at = _Situation.make(where, before, transition=transition)
    m, law, reach = len(at.law), at.law, at.reach[:, at.prior].T
    if law.dtype != object:
        raise TypeError(f"{where}: transition must be a matrix of fractions, got floats")
    # Python's whole numbers, which do not overflow: fractions of NumPy's would.
    apart = np.abs(at.inputs[:, None] - at.inputs).sum(axis=2).astype(object)
    (x, y), one = np.nonzero(apart == 2), np.eye(m, dtype=int).astype(object)
    A = one[x] - E * one[y] if promise == "event-level" else reach - E * law
    A = np.vstack([A, law / E - reach]) if promise == "two-sided" else A
    cost, rows = law[:, None] * apart, sparse.kron(A.astype(float), sparse.eye(m))
    sums = sparse.kron(sparse.eye(m), np.ones((1, m)))
    solved = optimize.linprog(cost.astype(float).ravel(), rows, np.zeros(A.size), sums, np.ones(m))
    if solved.status:
        raise SolverError(f"{where}: the linear programme was not solved: {solved.message}")
    # Whole numbers, which are quicker than fractions: A times scale, the rest times GRAIN.
    scale = math.lcm(*(value.denominator for value in A.flat))
    whole, free = _whole(A, scale), _whole(-solved.ineqlin.marginals, GRAIN).clip(0)
    free, Q = free.reshape(A.shape), _whole(solved.x, GRAIN).clip(0).reshape(m, m)
    Q[np.arange(m), Q.argmax(axis=1)] += GRAIN - Q.sum(axis=1)
    lower = (cost + whole.T @ free * Fraction(1, scale * GRAIN)).min(axis=1).sum()
    extra = (whole @ Q * (Fraction(-1) / whole.sum(axis=1))[:, None]).max(axis=0, initial=0)
    Q, free = (Q + extra) / Fraction(GRAIN + extra.sum()), free * Fraction(1, GRAIN)
    best = Mechanism(at.inputs, law, at.inputs, Q, at.gains(Q), (cost * Q).sum())
    return best, lower, free
