r"""The best release against attackers whose transition matrix is one of several.

The best release of `privlib.location.mechanism` is made for attackers who hold one matrix *P*. Let
:math:`F(r_1, \dots, r_N)` be the probability of an output if person *v* moves by the distribution
:math:`r_v`, independently of the others. It is linear in each :math:`r_v`, and it is linear in the
channel. An attacker with these distributions gains at most :math:`e^\varepsilon` about person *u*
being at *j* exactly if

.. math:: F(r_1, \dots, e_j, \dots, r_N) \le e^\varepsilon F(r_1, \dots, r_u, \dots, r_N),

where the point :math:`e_j` stands in place *u*. So a promise to finitely many attackers is a linear
programme again. Two classes of attackers are treated.

- **Listed**: each attacker holds one of the matrices, by which everybody moves. Nothing is promised
  against a matrix between two of them.
- **One matrix a person**: each attacker says of each person by which of the matrices she moves. By
  linearity in each :math:`r_v` the promise then covers all :math:`r_v` in the convex hull of the
  rows, thus every mixture of the matrices, whether the same for everybody or not: multiply the
  inequalities by the weights of the persons' matrices and add.

Neither class covers an attacker who doubts by which matrix *everybody* moves. His people are not
independent, and an output tells him about the matrix, too.

Counterexample to the first class covering mixtures: two people who stay with probability 1/2 or
9/10. The best release for these two matrices and :math:`e^\varepsilon = 5/3` has the gain 50/29 if
they stay with probability 3/5.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlib import _checks as checks
from privlib import _safety
from privlib._checks import Array, IntArray
from privlib.location import validation as valid
from privlib.location.mechanism import (
    FAINT,
    LARGEST_LEVEL,
    LEAST_LEVEL,
    MARGIN,
    NONZERO_LIMIT,
    AttackProblem,
    Mechanism,
    SolverError,
)


@dataclass(frozen=True, eq=False)
class _Attackers:
    """Attackers on one person who agree about how the others move.

    `others` has the row by which each other person moves, `own` the rows by which she may move
    herself, `places` where she may be.
    """

    others: list[Array]
    own: list[Array]
    places: IntArray


def robust_mechanism(
    before: npt.ArrayLike,
    transition: Any,
    *,
    attackers: Sequence[Any],
    epsilon: float,
    loss: Any = "L1",
    per_person: bool = False,
) -> Mechanism:
    r"""Return the mechanism of least expected loss that is safe against a class of matrices.

    Parameters
    ----------
    before : array_like of int, shape (L,)
        The histogram :math:`\pi(t-1)`, by position.
    transition : array_like, DataFrame, sparse matrix or networkx graph, shape (L, L)
        Transition matrix by which people move, and the loss is expected.
    attackers : sequence of transition matrices, each of shape (L, L)
        The class. It has `transition` only if it is listed. Labels, where there are some, must be
        those of `transition`, in the same order.
    epsilon : float
        Level, in 0..15 or infinite: no gain of an attacker of the class who knows the mechanism
        exceeds :math:`e^\varepsilon`.
    loss : "L1" or array_like, shape (m, m)
        Loss of publishing the histogram of the column when that of the row is true.
    per_person : bool
        Attackers may hold another matrix of the class for each person. Then all mixtures of the
        matrices are covered, too.

    Returns
    -------
    Mechanism
        The outputs are histograms. Its `gains` are those of an attacker with `transition`.

    Raises
    ------
    TypeError
        `attackers` is not a sequence of matrices, or `per_person` not a truth value.
    ValueError
        There is no attacker, or the sizes or labels of matrices differ; for an attacker a histogram
        is possible, but with a probability below 1e-290, and so faint given where somebody is that
        the programme would take it for impossible; the programme has more than 20 million entries;
        and the errors of `privlib.location.mechanism.optimal_mechanism`.
    SolverError
        The linear programme was not solved, in at most ten minutes.
    UncertifiedError
        The mechanism did not pass its check, or its loss is not shown to be near the least one.

    Notes
    -----
    *What is promised.* For each attacker of the class, every output that can occur for him, every
    person and every place where she may be, the gain is at most :math:`e^\varepsilon`, up to one
    part in 1e9 for rounding. Before the mechanism is returned, all gains are computed once more:
    the people leave the channel one by one, from its last to its first, where the programme lets
    them arrive. That is done in logarithms, where no probability is too small to count. *What is
    not:* a matrix outside the class (without `per_person`, one between two of
    its members); an attacker who doubts which matrix is true; a second release.

    Below the level 1e-6 the mechanism of level 0 is returned, which keeps the promise. If its
    programme is not solved, that is the best constant output; others may cost less.

    With `per_person` there are :math:`\prod_i \binom{\pi_i + k - 1}{k - 1}` attackers for *k*
    matrices, and a place is possible for a person if one of the matrices says so.

    References
    ----------
    Definition 3.1, for the class of priors that the work cited there asks for.

    Examples
    --------
    Two people in one place; a fair coin, and a coin that is not quite fair.

    >>> fair, other = [[0.5, 0.5]] * 2, [[0.9, 0.1]] * 2
    >>> options = {"epsilon": math.log(5 / 3), "attackers": [fair, other]}
    >>> print(round(27 * robust_mechanism([2, 0], fair, **options).loss, 4))
    13.0
    >>> print(round(9 * robust_mechanism([2, 0], fair, per_person=True, **options).loss, 4))
    7.0
    """
    where = "robust_mechanism"
    level = valid.privacy_level(where, epsilon, LARGEST_LEVEL)
    per_person = checks.flag(where, "per_person", per_person)
    problem = AttackProblem.make(
        where, before, transition=transition, programme="one-sided", floats=True
    )
    matrices = _matrices(where, before, transition, attackers)
    if math.isinf(level):
        return problem.published(loss, problem.costs(loss).argmin(axis=1))
    bound = math.exp(level)
    flat = level < LEAST_LEVEL
    within = 1.0 if flat else bound * (1 - MARGIN)
    _limit_size(where, problem, len(matrices), per_person=per_person)
    members = list(_class_of(problem.before, matrices, per_person=per_person))
    constraints = _constraints(where, members, problem.inputs, within)

    def ratios(Q: Array) -> Array:
        return _largest_gains(members, problem.inputs, Q)

    promise = "the gain"
    try:
        return problem.least_loss(
            loss, constraints, ratios=ratios, bound=bound, flat=flat, promise=promise
        )
    except SolverError:
        if not flat:
            raise
    expected = problem.input_distribution @ problem.costs(loss)
    constant = problem.published(loss, np.full(len(problem.inputs), int(expected.argmin())))
    _safety.certify(where, promise, ratios(constant.channel), bound)
    return constant


def _matrices(where: str, before: Any, transition: Any, attackers: Any) -> list[Array]:
    """Return the attackers' matrices, each checked as that of the people is."""
    if not isinstance(attackers, (list, tuple)) and getattr(attackers, "ndim", 0) != 3:
        raise TypeError(
            f"{where}: attackers must be a list of matrices, got {type(attackers).__name__}"
        )
    if not len(attackers):
        raise ValueError(f"{where}: attackers must hold at least one matrix, got none")
    named = {f"attackers[{k}]": matrix for k, matrix in enumerate(attackers)}
    _safety.same_states(where, {"transition": transition} | named)
    matrices = []
    for matrix in attackers:
        checked = AttackProblem.make(
            where, before, transition=matrix, programme="one-sided", floats=True
        )
        matrices.append(checked.P)
    return matrices


def _limit_size(where: str, problem: AttackProblem, matrices: int, *, per_person: bool) -> None:
    """Refuse a programme with too many entries."""
    before = problem.before
    states = len(before)
    rows = 0
    for i in np.flatnonzero(before):
        others = before - (np.arange(states) == i)
        if per_person:
            ways = math.prod(math.comb(int(n) + matrices - 1, matrices - 1) for n in others)
        else:
            ways = 1
        rows += ways * matrices * states
    entries = rows * len(problem.inputs) ** 2
    _safety.limit(where, "entries of the linear programme", entries, NONZERO_LIMIT)


def _class_of(before: IntArray, matrices: list[Array], *, per_person: bool) -> Iterator[_Attackers]:
    """Yield the attackers of the class, on one person of each origin."""
    states = len(before)
    for i in np.flatnonzero(before).tolist():
        others = before - (np.arange(states) == i)
        if per_person:
            own = [matrix[i] for matrix in matrices]
            places = np.flatnonzero(np.sum(own, axis=0) > 0)
            # People of the same origin are alike: what counts is how many move by each matrix.
            ways = [
                itertools.combinations_with_replacement(matrices, int(count)) for count in others
            ]
            for way in itertools.product(*ways):
                rows = [matrix[k] for k, held in enumerate(way) for matrix in held]
                yield _Attackers(rows, own, places)
        else:
            for matrix in matrices:
                rows = [matrix[k] for k in np.repeat(np.arange(states), others)]
                yield _Attackers(rows, [matrix[i]], np.flatnonzero(matrix[i]))


def _constraints(where: str, members: list[_Attackers], inputs: IntArray, within: float) -> Array:
    """Return rows a with ``a @ Q <= 0`` for every attacker, own row and place."""
    number = {tuple(x): k for k, x in enumerate(inputs.tolist())}
    states = inputs.shape[1]
    rows = []
    for attacker in members:
        chances = {(0,) * states: 1.0}
        for row in attacker.others:
            arrived: dict[tuple[int, ...], float] = defaultdict(float)
            for x, chance in chances.items():
                for j in np.flatnonzero(row).tolist():
                    arrived[_with_one_more(x, j)] += chance * float(row[j])
            chances = arrived
        if_at = np.zeros((states, len(inputs)))
        for x, chance in chances.items():
            for j in range(states):
                if_at[j, number[_with_one_more(x, j)]] += chance
        possible = np.zeros(if_at.shape, dtype=bool)
        for x in chances:
            for j in attacker.places:
                possible[j, number[_with_one_more(x, j)]] = True
        for own in attacker.own:
            _refuse_faint(where, inputs, if_at, own @ if_at, possible)
            rows.append(if_at[attacker.places] - within * (own @ if_at))
    return np.vstack(rows)


def _refuse_faint(
    where: str, inputs: IntArray, if_at: Array, chance: Array, possible: npt.NDArray[np.bool_]
) -> None:
    """Refuse a histogram that floats take for impossible, with somebody at j and on the whole.

    Where only one of the two chances is faint, it is nothing beside the other one.
    """
    faint = (possible & (if_at < FAINT)).any(axis=0) & (chance < FAINT)
    if faint.any():
        raise ValueError(
            f"{where}: for one of the attackers the histogram {inputs[faint][0].tolist()} is "
            f"possible, but with a probability below {FAINT:g}, too faint for the linear "
            "programme; give the moves of attackers larger probabilities, or 0"
        )


def _largest_gains(members: list[_Attackers], inputs: IntArray, Q: Array) -> Array:
    """Return the largest gain of each output, computed from the channel backwards.

    With one person fewer the chances of the outputs are averages over where she goes. They are
    logarithms: the smallest positive probability counts.
    """
    states = inputs.shape[1]
    largest = np.full(Q.shape[1], -np.inf)
    logs = _log(Q)
    full = {tuple(x): logs[k] for k, x in enumerate(inputs.tolist())}
    for attacker in members:
        left = full
        for row in attacker.others:
            left = _without_one(left, _log(row))
        alone = np.array([left[_with_one_more((0,) * states, j)] for j in range(states)])
        for own in attacker.own:
            chance = np.logaddexp.reduce(_log(own)[:, None] + alone, axis=0)
            if_there = alone[attacker.places].max(axis=0)
            # Impossible wherever she may be: these people cannot cause it, and it tells nothing.
            can_occur = if_there > -np.inf
            gains = if_there[can_occur] - chance[can_occur]
            largest[can_occur] = np.maximum(largest[can_occur], gains)
    with np.errstate(over="ignore"):  # infinite gains are too large as well
        return np.asarray(np.exp(largest))


def _log(numbers: Array) -> Array:
    """Return logarithms, that of 0 without a warning."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(numbers))


def _without_one(chances: dict[tuple[int, ...], Array], row: Array) -> dict[Any, Array]:
    """Return the chances of the outputs by the others' histogram, if one more moves by `row`.

    Both are logarithms.
    """
    states = len(row)
    fewer: dict[tuple[int, ...], Array] = {}
    for x in chances:
        for j in range(states):
            if x[j]:
                rest = (*x[:j], x[j] - 1, *x[j + 1 :])
                if rest not in fewer:
                    terms = [row[k] + chances[_with_one_more(rest, k)] for k in range(states)]
                    fewer[rest] = np.logaddexp.reduce(terms, axis=0)
    return fewer


def _with_one_more(x: tuple[int, ...], j: int) -> tuple[int, ...]:
    """Return the histogram with one more person at j."""
    return (*x[:j], x[j] + 1, *x[j + 1 :])
