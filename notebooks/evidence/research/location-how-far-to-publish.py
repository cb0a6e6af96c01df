# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: all,-trusted
#     notebook_metadata_filter: kernelspec,jupytext,mystnb,html_meta
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#       jupytext_version: 1.19.6
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Evidence: How many different histograms can Algorithm 1 publish?
#
# The paper says nothing of these three claims; the ledger names their sources. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/location-how-far-to-publish.ipynb).
#
# Notation as in [the evidence of notebook 3](../location/03-publishing-a-histogram.ipynb): $\pi$ the previous histogram, $x$ the true one, $\tilde\pi = \pi P$ the forecast. `solver_gains` evaluates equation (3) as it is written, by a general linear solver.

# %%
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb

import numpy as np
from scipy import optimize

from privlib.location import mechanism
from privlib.location.gain import max_gain
from privlib.location.release import prediction, private_histogram
from privlib.location.segment import feasible_intervals
from privlib.notebook import claim

town = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
marginal = {"unit": "infinitesimal"}  # what is taken away, where it is not a whole person


# %%
def least(old, new, P):
    """Least cost of a movement by a general solver; nan if there is no movement."""
    n = len(old)
    P = np.asarray(P, float)
    sums = np.vstack([np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))])
    allowed = [(0, None if probability else 0) for probability in P.ravel()]
    cost = -np.log(np.where(P > 0, P, 1)).ravel()
    solution = optimize.linprog(cost, A_eq=sums, b_eq=np.append(old, new), bounds=allowed)
    return solution.fun if solution.status == 0 else np.nan


def saved(old, new, P):
    """What one whole person less saves, for every guess; nan: nobody to take away."""
    one = np.eye(len(old))
    less = np.array([[least(old - u, new - v, P) for v in one] for u in one])
    return least(old, new, P) - less


def solver_gains(old, new, P):
    """Equation (3) for every guess; nan where a guess is impossible."""
    old, new, P = (np.array(side, float) for side in (old, new, P))
    gains = np.exp(saved(old, new, P) - saved(old, old @ P, P))
    return np.where(P > 0, gains, np.nan)


def mixture(weight, new, end):
    """Histogram of the straight walk."""
    return (1 - weight) * np.array(new) + weight * np.array(end)


# %%
P4 = np.array([[2, 7, 2, 9], [13, 2, 1, 4], [5, 2, 7, 6], [1, 1, 5, 13]]) / 20
pi4, x4 = [6, 7, 6, 8], np.array([6, 9, 8, 4])  # M-B6: here the condition is not monotone
curve = [
    max_gain(pi4, mixture(t, x4, np.array(pi4) @ P4), transition=P4)
    for t in np.linspace(0, 1, 401)
]
crowd, inputs = [3, 3, 3], mechanism.histograms(9, 3)


# %%
def vertices(P):
    """All duals (u, v) with v_1 = 0: tight on a spanning tree, feasible elsewhere."""
    size = len(P)
    arcs = np.array([*product(range(size), repeat=2)])
    sides = np.zeros((len(arcs) + 1, 2 * size))
    sides[np.arange(len(arcs)), arcs[:, 0]] = 1
    sides[np.arange(len(arcs)), size + arcs[:, 1]] = 1
    sides[-1, size] = 1  # v_1
    right = np.append(-np.log(P).ravel(), 0.0)
    trees = np.array([*combinations(range(len(arcs)), 2 * size - 1)])
    trees = np.column_stack([trees, np.full(len(trees), len(arcs))])
    trees = trees[np.abs(np.linalg.det(sides[trees])) > 0.5]  # no cycle
    duals = np.linalg.solve(sides[trees], right[trees][..., None])[..., 0]
    fits = (duals @ sides[:-1].T <= right[:-1] + 1e-9).all(axis=1)
    return np.unique(duals[fits].round(9) + 0.0, axis=0)


# %% [markdown]
# ## M-B15 (the marginal gain takes few values)
#
# Ours: *with the marginal unit the largest printed gain takes at most $\binom{2L-2}{L-1}$ values in general position, and the release of Algorithm 1 is constant in $\varepsilon$ on whole intervals.*

# %%
def vertex_gains(old, points, P):
    """Largest marginal gain by the dual vertices: of each vertex, and of each point."""
    duals, size = vertices(P), len(P)
    sums = duals[:, :size, None] + duals[:, None, size:]

    def least_sums(point):
        worth = duals @ np.append(old, point)
        return sums[worth > worth.max() - 1e-9].min(axis=0)

    prior = least_sums(np.array(old) @ P)
    of_points = [(least_sums(h) - prior)[:, np.array(h) > 0].max() for h in points]
    return np.exp((sums - prior).max(axis=(1, 2))), np.exp(of_points)


def stops_of(old, new, P):
    """Gains at which the release changes: what Algorithm 1 finds just below each."""
    end, weight, found = np.array(old) @ P, 0.0, []
    while weight < 1 - 1e-5:
        here = mixture(weight, new, end)
        found.append(max_gain(old, here, transition=P, **marginal))
        level = max(np.log(found[-1]) - 1e-6, 0)
        if level == 0:
            break
        stop = private_histogram(old, new, transition=P, epsilon=level, **marginal)
        weight = stop.alpha + 1e-6  # behind the wall
    return np.array(found)


# %%
drawing = np.random.default_rng(3)
sizes = [2] * 10 + [3] * 10 + [4] * 2
matrices = [drawing.dirichlet(np.ones(states), states) for states in sizes]
apart, reached_values = [], []
for states in (3, 4, 5):
    for _ in range(20):
        matrix = drawing.dirichlet(np.ones(states), states)
        old = 1 + drawing.multinomial(20 * states, np.ones(states) / states)
        new = 1 + drawing.multinomial(20 * states, drawing.dirichlet(np.ones(states)))
        stops = stops_of(old, new, matrix)
        if states == 3:
            of_vertices, _ = vertex_gains(old, [], matrix)
            for value in stops:  # on a wall it is at most that on either side
                reached_values.append(np.abs(of_vertices / max(value, 1e-9) - 1).min())
        for high, low in pairwise(np.log(np.maximum(stops, 1))):
            between = []
            for part in (0.1, 0.9):
                level = low + part * (high - low)
                options = {"epsilon": level, **marginal}
                stop = private_histogram(old, new, transition=matrix, **options)
                between.append(stop.histogram)
            apart.append(np.abs(between[0] - between[1]).max())
with claim("M-B15") as c:
    counted = [len(vertices(matrix)) for matrix in matrices]
    most = [comb(2 * states - 2, states - 1) for states in sizes]
    c.decisive("sampled").exact(counted, most, "22 random P, 2 to 4 states: vertices")
    label = f"60 walks, 3 to 5 states: {len(apart)} stops, two levels each, one release"
    c.decisive("sampled").at_most(apart, 1e-7, label)
    label = "20 walks, 3 states: every gain at a stop is that of a vertex"
    c.at_most(reached_values, 1e-5, label)
    _, by_vertices = vertex_gains(crowd, inputs, town)
    by_package = [max_gain(crowd, h, transition=town, **marginal) for h in inputs]
    label = "the town: all 55 gains by the vertices, and by the package"
    c.close(by_vertices, by_package, label, rtol=1e-7)
    Q = [[Fraction(n, 100) for n in row] for row in ([61, 27, 12], [18, 65, 17], [14, 23, 63])]
    step = feasible_intervals([9, 6, 5], [5, 12, 3], transition=Q, epsilon=0.5, **marginal)[0, 0]
    by_hand = Fraction(5 - 3) / (prediction([9, 6, 5], Q)[2] - 3)  # state 3 is back at five
    rounded = Fraction(step).limit_denominator(1000)
    c.exact(rounded, by_hand, "(9, 6, 5) to (5, 12, 3): the step, by pencil")


# %% [markdown]
# ## M-B6.three and M-B6.zero (three states)
#
# Ours: *with three states, every transition possible and a person in each, the feasible $\alpha$ form one interval;* *with a zero in $P$ they need not.* The first route follows the largest log gain on a grid by all dual vertices; the second counts the package's intervals.

# %%
def rise(old, new, P, points=49):
    """How far the largest log gain of a whole person rises anywhere, above 0."""
    duals, size = vertices(P), len(P)
    sums = duals[:, :size, None] + duals[:, None, size:]
    weights = np.linspace(0, 1, points)[:, None]
    path = mixture(weights, new, np.array(old) @ P)
    worth = path @ duals[:, size:].T + duals[:, :size] @ np.array(old)
    less = (worth[..., None, None] - sums).max(axis=1)
    saving = worth.max(axis=1)[:, None, None] - less
    excess = np.maximum((saving - saving[-1]).max(axis=(1, 2)), 0)
    return (excess - np.minimum.accumulate(excess)).max()


# %%
draws = np.random.default_rng(65)
rises, pieces = [], []
while len(rises) < 400:  # real masses, at least one person everywhere
    matrix = draws.dirichlet(np.full(3, draws.choice([0.4, 1, 2])), 3)
    people = draws.uniform(5, 15)
    old, new = 1 + (people - 3) * draws.dirichlet(np.ones(3), 2)
    if (old @ matrix).min() >= 1 and matrix.min() > 1e-6:
        rises.append(rise(old, new, matrix))
        if len(rises) <= 150:
            for unit in ("person", "infinitesimal"):
                options = {"epsilon": 0.2, "unit": unit}
                pieces.append(len(feasible_intervals(old, new, transition=matrix, **options)))
with claim("M-B6.three") as c:
    label = "400 draws, real masses and weights, a whole person: the largest rise"
    c.decisive("sampled").at_most(rises, 1e-7, label)
    label = "150 of them, ε = 0.2, a whole person and the marginal unit: intervals"
    c.decisive("sampled").exact(pieces, [1] * 300, label)
    heights = np.maximum(np.log(curve), 0)
    risen = (heights - np.minimum.accumulate(heights)).max()
    label = "the same measure, on the four states of M-B6: the rise of that curve"
    c.close(rise(pi4, x4, P4, points=len(curve)), risen, label, rtol=1e-6)

Z = np.array([[0.7, 0, 0.3], [0, 0.1, 0.9], [0.2, 0.5, 0.3]])
old, new = np.array([4, 8, 8]), [5, 9, 6]
zero = feasible_intervals(old, new, transition=Z, epsilon=0.24)
nearly = np.where(Z == 0, 1e-3, Z)
nearly /= nearly.sum(axis=1, keepdims=True)
with claim("M-B6.zero") as c:
    at_ends = [np.nanmax(solver_gains(old, mixture(t, new, old @ Z), Z)) for t in zero.ravel()[:3]]
    label = "(4, 8, 8) to (5, 9, 6): log gain 0.24 at three ends, by the solver"
    c.decisive("one example").close(np.log(at_ends), 0.24, label, rtol=0, atol=1e-7)
    c.exact(len(zero), 2, "there, ε = 0.24: intervals")
    allowed = []
    for t in (0.45, 0.5, 0.7):
        largest_there = np.nanmax(solver_gains(old, mixture(t, new, old @ Z), Z))
        allowed.append(bool(np.log(largest_there) <= 0.24))
    label = "α = 0.45, 0.5, 0.7: allowed, not allowed, allowed"
    c.decisive("one example").exact(allowed, [True, False, True], label)
    alone = feasible_intervals(old, new, transition=nearly, epsilon=0.24)
    c.exact(len(alone), 1, "with 1/1000 for each zero: one interval")
