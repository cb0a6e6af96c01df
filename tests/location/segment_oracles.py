"""Costs, gains and feasible weights by linear programmes, and histograms to try them on.

The oracle of every cost is a linear programme of the definition, solved by HiGHS; that of the
infinitesimal gain is a second programme over the face of optimal duals.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import optimize

EXAMPLE = [[1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 2, 1 / 4], [1 / 8, 3 / 8, 1 / 2]]
TOWN = [[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]]
FOUR = np.array([[2, 7, 2, 9], [13, 2, 1, 4], [5, 2, 7, 6], [1, 1, 5, 13]]) / 20
PI4 = [6, 7, 6, 8]
X4 = [6, 9, 8, 4]
SWAP = [[0.1, 0.9], [0.9, 0.1]]
LATE = [[8, 0, 1, 1], [5, 2, 0, 3], [3, 2, 3, 2], [7, 1, 0, 2]]  # tenths; a late guess binds


def least_cost(before, after, P, *, dual=False, slack=False):
    """C(before, after) by linear programming; with `dual` its constraints and cost too.

    With `slack` the sources need not send everybody: the cost of a maximum flow of less than N.
    """
    before, after, P = (np.asarray(a, dtype=float) for a in (before, after, P))
    n = len(before)
    sums = np.vstack([np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))])
    cost = -np.log(P).ravel()
    if slack:
        found = optimize.linprog(cost, A_ub=sums[:n], b_ub=before, A_eq=sums[n:], b_eq=after)
    else:
        found = optimize.linprog(cost, A_eq=sums, b_eq=np.append(before, after))
    assert found.status == 0
    return (found.fun, sums, cost) if dual else found.fun


def unit(n, k):
    return (np.arange(n) == k).astype(float)


def person_savings(before, after, P):
    """All C(before, after) - C(before - e_i, after - e_j), one programme each."""
    n = len(before)
    base = least_cost(before, after, P)
    return np.array([
        [base - least_cost(before - unit(n, i), after - unit(n, j), P) for j in range(n)]
        for i in range(n)
    ])  # fmt: skip


def possible_savings(before, after, P, adversary="NPK"):
    """As `person_savings`, where moves may be impossible; -inf for a guess that nobody can be.

    She may have no place where a whole person is, or the others cannot do without her. For the
    class MK, shape (1, n), she stays where it is cheapest.
    """
    before, after, P = (np.asarray(a, dtype=float) for a in (before, after, P))
    n = len(before)
    cost, bounds = -np.log(np.where(P > 0, P, 1)).ravel(), [(0, p and None) for p in P.ravel()]
    left, right = np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))

    def least(i, j):
        if after[j] < 1 or (adversary == "NPK" and not P[i, j]):
            return math.inf
        rows = {
            "A_eq": np.vstack([left, right]),
            "b_eq": [*before - unit(n, i), *after - unit(n, j)],
        }
        if adversary == "MK":
            rows = {"A_ub": left, "b_ub": before, "A_eq": right, "b_eq": after - unit(n, j)}
        found = optimize.linprog(cost, **rows, bounds=bounds)
        return found.fun if found.status == 0 else math.inf

    whole = optimize.linprog(
        cost, A_eq=np.vstack([left, right]), b_eq=[*before, *after], bounds=bounds
    ).fun
    guesses = range(1 if adversary == "MK" else n)
    return np.array([[whole - least(i, j) for j in range(n)] for i in guesses])


def infinitesimal_savings(before, after, P):
    """The least u_i + v_j over the optimal duals."""
    n = len(before)
    base, sums, cost = least_cost(before, after, P, dual=True)
    value = np.append(before, after)
    result = np.empty((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        found = optimize.linprog(
            np.append(unit(n, i), unit(n, j)),
            A_ub=np.vstack([sums.T, -value]), b_ub=np.append(cost, -base + 1e-9),
            bounds=(None, None),
        )  # fmt: skip
        result[i, j] = found.fun
    return result


def largest(savings, at, before, x, P, adversary="NPK"):
    """Largest gain of the point `at` of the segment, from scratch."""
    end = np.asarray(before, dtype=float) @ np.asarray(P)
    here, there = (savings(np.asarray(before, float), h, P) for h in ((1 - at) * x + at * end, end))
    if adversary == "MK":
        here, there = here.max(axis=0), there.max(axis=0)
    return math.exp((here - there).max())


def inside(intervals, at):
    return bool(((intervals[:, 0] <= at) & (at <= intervals[:, 1])).any())


def situation(seed, states, people):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(states), states)
    before = 1 + rng.multinomial(people, np.full(states, 1 / states))
    x = sum(rng.multinomial(n, row) for n, row in zip(before, P))
    return P, before, x, rng
