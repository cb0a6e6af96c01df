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
import numpy.typing as npt
from scipy import optimize, sparse

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array
from privlib.location import validation as valid
from privlib.location.mechanism import (
    SECONDS,
    AttackProblem,
    Mechanism,
    SolverError,
)

GRAIN = 2**44  # floats are rounded to multiples of 1 / GRAIN, which is finer than the solver
LARGEST_BOUND = 10**9
# How the solver is asked, until it answers.
ATTEMPTS: tuple[dict[str, Any], ...] = (
    {"options": {"time_limit": SECONDS}},
    {"method": "highs-ds", "options": {"presolve": False, "time_limit": SECONDS}},
    {"method": "highs-ipm", "options": {"time_limit": SECONDS}},
)
_whole = np.vectorize(lambda value, grain: round(value * grain), otypes=[object])


def certified_mechanism(
    before: Any, transition: Any, *, bound: Any, promise: str
) -> tuple[Mechanism, Fraction, Any]:
    r"""Return the best mechanism in fractions, and a proof of how much a better one could save.

    Parameters
    ----------
    before : array_like of int, shape (L,)
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
        `bound` is not more than 1 or more than 1e9, or there are more than 600 histograms, or a
        programme of more than 20 million entries.
    SolverError
        The linear programme was not solved, in at most ten minutes.
    UncertifiedError
        The two bounds did not pass their check.

    Notes
    -----
    The proof is in the module's docstring. Both bounds rest on sums of fractions only: they are
    true whatever the solver returns, which decides how near they are.

    Before they are returned they are checked once more, in fractions too: the channel by its ratios
    (its gains by Bayes' rule, or the probabilities of each output after neighbours that are found
    by moving a person), the lower bound by weak duality, with the rows taken from these ratios.
    What the promises do not cover is said at `mechanism.optimal_mechanism` and
    `mechanism.event_level_mechanism`.

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
    E = _ratio(where, bound)
    P, _ = valid.states_of(where, transition)
    if P.dtype != object:
        raise TypeError(f"{where}: transition must be a matrix of fractions, got floats")
    at = AttackProblem.make(where, before, transition=transition, programme=promise)
    m, distribution = len(at.input_distribution), at.input_distribution
    apart = np.abs(at.inputs[:, None] - at.inputs).sum(axis=2)
    x, y = np.nonzero(apart == 2)
    # Python's whole numbers, which do not overflow: fractions of NumPy's would.
    cost = distribution[:, None] * apart.astype(object)
    if promise == "event-level":
        identity = np.eye(m, dtype=int).astype(object)
        A = identity[x] - E * identity[y]
    else:
        reach = at.reach[:, at.prior].T
        A = reach - E * distribution
        if promise == "two-sided":
            A = np.vstack([A, distribution / E - reach])
    solved = _solve(where, cost, A)
    # Whole numbers, which are quicker than fractions: A times scale, the rest times GRAIN.
    scale = math.lcm(*(value.denominator for value in A.flat))
    whole = _whole(A, scale)
    multipliers = _whole(-solved.ineqlin.marginals, GRAIN).clip(0).reshape(A.shape)
    Q = _whole(solved.x, GRAIN).clip(0).reshape(m, m)
    Q[np.arange(m), Q.argmax(axis=1)] += GRAIN - Q.sum(axis=1)
    brackets = cost + whole.T @ multipliers * Fraction(1, scale * GRAIN)
    lower = brackets.min(axis=1).sum()
    shares = Fraction(-1) / whole.sum(axis=1)
    extra = (whole @ Q * shares[:, None]).max(axis=0, initial=0)
    Q = (Q + extra) / Fraction(GRAIN + extra.sum())
    multipliers = multipliers * Fraction(1, GRAIN)
    best = Mechanism(at.inputs, distribution, at.inputs, Q, at.gains(Q), (cost * Q).sum())
    _certify(where, at, best, lower, multipliers, E=E, promise=promise)
    return best, lower, multipliers


def _ratio(where: str, bound: Any) -> Fraction:
    """Return the largest ratio that is allowed, as a fraction."""
    value = checks.rational(where, "bound", bound)
    if isinstance(value, Fraction) and max(value.numerator, value.denominator) > 10**1000:
        # Too many digits to be printed.
        _safety.exact_float(where, "bound", value)
    holds = checks.bounded(
        where, "bound", value, "be in (1, 1e9]", lambda v: 1 < v <= LARGEST_BOUND
    )
    return Fraction(holds)


def _solve(where: str, cost: Array, A: Array) -> Any:
    """Return the solver's answer in floats."""
    m = len(cost)
    objective = cost.astype(float).ravel()
    rows = sparse.kron(A.astype(float), sparse.eye(m))
    sums = sparse.kron(sparse.eye(m), np.ones((1, m)))
    message = ""
    for options in ATTEMPTS:
        solved = optimize.linprog(objective, rows, np.zeros(A.size), sums, np.ones(m), **options)
        if not solved.status:
            return solved
        message = solved.message
        if solved.status == 1:
            break  # no time is left
    raise SolverError(f"{where}: the linear programme was not solved: {message}")


def _certify(
    where: str,
    at: AttackProblem,
    best: Mechanism,
    lower: Fraction,
    multipliers: npt.NDArray[Any],
    *,
    E: Fraction,
    promise: str,
) -> None:
    """Check the channel and the bound of the multipliers another time, without any tolerance."""
    Q = best.channel
    if promise == "event-level":
        broken = _beyond_neighbours(at, Q, E)
    else:
        chance = best.output_distribution
        gains = best.gains[:, at.prior].T
        # Outputs that cannot occur have no gains, and break nothing.
        broken = np.where(chance > 0, gains - E, 0) * chance
        if promise == "two-sided":
            broken = np.vstack([broken, np.where(chance > 0, 1 / E - gains, 0) * chance])
    fine = (
        (Q >= 0).all()
        and (Q.sum(axis=1) == 1).all()
        and (multipliers >= 0).all()
        and (broken <= 0).all()
        # Weak duality: what is added to the loss is not positive, and the sum is an average of
        # the brackets whose least ones make up the bound.
        and lower <= best.loss + (multipliers * broken).sum() <= best.loss
    )
    if not fine:
        raise _safety.UncertifiedError(
            f"{where}: a second computation in fractions does not confirm the channel or the lower "
            "bound; nothing is returned"
        )


def _beyond_neighbours(at: AttackProblem, Q: Array, E: Fraction) -> Array:
    """Return Q(o | x) - E Q(o | x') of all neighbours, in the order of the multipliers."""
    row = {tuple(x): k for k, x in enumerate(at.inputs.tolist())}
    states = len(at.before)
    pairs = []
    for x, k in row.items():
        for i in range(states):
            for j in range(states):
                if i != j and x[j]:
                    moved = list(x)
                    moved[i] += 1
                    moved[j] -= 1
                    pairs.append((k, row[tuple(moved)]))
    first, second = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    return np.asarray(Q[first] - E * Q[second])
