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
# # Evidence: How far from the truth must a histogram be published?
#
# The statements of section 4.2 and Algorithm 1 in the paper's order, with the one of the abstract and the one on the previous histogram where they are needed, then our own results (M-B…). Nothing is hidden. The story is told in
# [the notebook of the same name](../../location/03-publishing-a-histogram.ipynb).
#
# Notation: $\pi$ the previous histogram, $x$ the true one, $\tilde\pi = \pi P$ the forecast. Most checks compare the package with `solver_gains`, which evaluates equation (3) as it is written, by a general linear solver.

# %%
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import sympy as sp
from scipy import optimize

from privlib.location import mechanism
from privlib.location.gain import gain_table, max_gain
from privlib.location.release import bridge_histogram, prediction, private_histogram
from privlib.location.segment import feasible_intervals
from privlib.notebook import claim, derivation, misprints

P = np.array([[1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 2, 1 / 4], [1 / 8, 3 / 8, 1 / 2]])
pi, x = [2, 2, 1], [1, 2, 2]  # Example 4.1; its matrix is not printed, this one is ours
forecast = np.array(pi) @ P
town = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
swap = [[0.1, 0.9], [0.9, 0.1]]
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


# %% [markdown]
# ## M-G1, M-G2 and M-G6 (misprints of Algorithm 1)
#
# M-G1: *The inputs are $\pi(t)$, $\pi^*(t-1)$, $P_1$ and $s$.* M-G2: *$\alpha \leftarrow \max(\alpha + s, 1)$.* M-G6: *$\tilde\pi(t) = (\pi(t)^\top P_1)^\top$.* With the end point $\pi(t) P$ the loop does not end for (8, 2) to (5, 5). If the printed forecast also stands in the gain, where it divides, the truth is compared with itself and every gain is 1.

# %%
def literal(pi, x, P, *, epsilon, step, end, update=min):
    """Algorithm 1 with any end point and update: weights, last gain, does it end?"""
    weights = [0.0]
    point = np.array(x, float)
    while True:
        largest = max_gain(pi, point, transition=P)
        if largest <= np.exp(epsilon):
            return weights, largest, True
        weights.append(update(weights[-1] + step, 1))
        following = mixture(weights[-1], x, end)
        if np.allclose(following, point):  # the end point is x: all candidates are
            return weights, largest, False
        point = following


walk = private_histogram(pi, x, transition=P, epsilon=0.5, step=0.1)
options = {"epsilon": 0.5, "step": 0.1, "end": forecast}


def check_inputs(c):
    other = private_histogram(pi, x, transition=P, epsilon=0.25, step=0.1)
    c.differs(other.alpha, walk.alpha, "same listed inputs, ε = 0.25 against 0.5: α")
    weights, _, _ = literal(pi, x, P, **options)
    c.decisive("one example").close(weights[-1], walk.alpha, "with ε it is determined")


def check_update(c):
    jump, _, _ = literal(pi, x, P, update=max, **options)
    c.differs(jump[-1], walk.alpha, "Example 4.1, ε = 0.5, step 0.1: α")
    weights, _, _ = literal(pi, x, P, **options)
    c.decisive("one example").close(weights, walk.alphas, "min moves in steps, as in prose")


def check_prediction(c):
    repaired = private_histogram([8, 2], [5, 5], transition=swap, epsilon=1, step=0.1)
    printed_end = np.array([5, 5]) @ np.array(swap)
    c.differs(printed_end, repaired.histogram, "(8, 2) to (5, 5): end point")
    _, stuck, ends = literal([8, 2], [5, 5], swap, epsilon=1, step=0.1, end=printed_end)
    c.fails(ends, "with the printed end point the loop ends", method="numeric")
    by_solver = solver_gains([8, 2], [5, 5], swap).max()
    c.close(stuck, by_solver, "its gain stays at that of the truth", rtol=1e-6)
    eight, five = np.array([8.0, 2]), np.array([5.0, 5])
    both_printed = saved(eight, five, swap) - saved(eight, printed_end, swap)
    label = "the printed forecast where the gain divides, too: every gain"
    c.close(np.exp(both_printed), np.ones((2, 2)), label, rtol=1e-9)
    right = eight @ np.array(swap)
    weights, _, ends = literal([8, 2], [5, 5], swap, epsilon=1, step=0.1, end=right)
    c.holds(ends, "with that of section 3.2.1 it ends", method="numeric")
    label = "with that of section 3.2.1: weights, those of the repaired walk"
    c.decisive("one example").close(weights, repaired.alphas, label)


records = misprints([
    ("M-G1", r"$\pi(t), \pi^*(t-1), P_1, s$", r"and $\varepsilon$, a start", check_inputs),
    ("M-G2", r"$\max(\alpha + s, 1)$", r"$\min(\alpha + s, 1)$", check_update),
    ("M-G6", r"$\tilde\pi(t) = \pi(t) P_1$", r"$\pi(t-1) P_1$", check_prediction),
])  # fmt: skip

# %% [markdown]
# ## M-G3 and M-G4 (the candidate and its norm)
#
# M-G3: *The candidate is $(1 - \alpha)\pi(t) + \alpha\tilde\pi(t)$.* It has the total $N$ for any histograms and matrix. M-G4: *$\pi^*(t) \leftarrow N\pi/\|\pi\|$.* In the 1-norm this changes nothing. The limit: the 2-norm.

# %%
a = sp.Symbol("alpha")


def candidate_total(states):
    """Total of the candidate and N, for any histograms and matrix."""
    before = sp.symbols(f"pi1:{states + 1}")
    free = sp.symbols(f"x1:{states}")
    truth = [*free, sum(before) - sum(free)]  # also N people
    ahead = [0] * states
    for i in range(states):
        row = sp.symbols(f"p{i}_1:{states}")
        for j, probability in enumerate([*row, 1 - sum(row)]):
            ahead[j] += before[i] * probability
    total = sum((1 - a) * m + a * f for m, f in zip(truth, ahead))
    return sp.expand(total), sum(before)


totals, people = zip(*[candidate_total(states) for states in (2, 3, 4, 5)])
with claim("M-G3") as c:
    c.decisive("exhaustive").exact(totals, people, "2 to 5 states: total N, every α, P, π and x")
with claim("M-G4") as c:
    scaled = [sp.simplify(n / total) for total, n in zip(totals, people)]
    label = "1-norm: the factor N/‖π‖, for 2 to 5 states"
    c.decisive("exhaustive").exact(scaled, [1] * 4, label)
    halfway = mixture(0.5, x, forecast)
    two_norm = 5 * halfway.sum() / np.sqrt((halfway**2).sum())
    c.close(two_norm, 400 / np.sqrt(2186), "the 2-norm there by hand, 5 · 80/√2186")
    c.limit(5.0, two_norm, "read as the 2-norm, the total of Example 4.1 at α = 1/2")

# %% [markdown]
# ## M-G5 and M-G5.args (the condition of the loop)
#
# M-G5: *The loop runs while $\max \mathrm{Gain}_{\mathsf{NPK}}(\pi^*) > e^\varepsilon$.* Equation (3) takes away a whole person. Where the forecast holds less than one, there is nobody to take away, and the gain has no prior.

# %%
with claim(
    "M-G5",
    printed=r"loop while $\max \mathrm{Gain}_{\mathsf{NPK}}(\pi^*) > e^\varepsilon$",
    corrected=r"the same, where every place that the forecast reaches gets a whole "
    r"person and the others can make the rest of it",
    consequence="At order 5, in our two towns, some place of every forecast gets "
    "less than one person.",
) as c:
    ahead = prediction([1, 3, 0], town)
    c.close(ahead, [1.2, 2.1, 0.7], "four people: the forecast by hand", rtol=1e-12)
    has_prior = np.isfinite(saved(np.array([1, 3, 0]), ahead, town))[:2]
    label = "four people, 0.7 expected at 3: somebody can be taken away there"
    c.fails(bool(has_prior[:, 2].any()), label, method="numeric")
    c.differs(has_prior.size, int(has_prior.sum()), "guesses with a prior")
    c.exact(has_prior[:, :2].tolist(), [[True, True]] * 2, "at states 1 and 2 somebody can")
    jam = private_histogram([3, 3, 3], [8, 1, 0], transition=town, epsilon=1, step=0.1)
    end = np.array([3, 3, 3]) @ town
    by_solver = []
    for weight in jam.alphas:
        table = solver_gains([3, 3, 3], mixture(weight, [8, 1, 0], end), town)
        by_solver.append(np.nanmax(table))
    label = "nine people, 2.7 or more expected everywhere: all gains, by a solver"
    c.decisive("one example").close(jam.gains, by_solver, label, rtol=1e-6)
    c.decisive("one example").at_most(by_solver[-1], np.e, "and the loop ends")
    c.decisive("one example").at_most(np.e, by_solver[:-1], "having turned in need")

# %% [markdown]
# M-G5.args: *The loop takes the maximum over $u$ and $\ell_j$ of $\mathrm{Gain}_{\mathsf{NPK}}(\pi^*(t), u, t, \ell_j, K)$,* which is defined without $u$ and $\ell_j$, and already as a maximum. Read as the gain of OPK about each person, or as defined, the condition is the same. The check gives five people names, lists all their moves, and computes the gain of every
# guess about every person by Bayes' rule.

# %%
fifths = [[Fraction(probability) for probability in row] for row in P]
origins = (0, 0, 1, 1, 2)  # named people
by_name, as_defined = [], []
for h in mechanism.histograms(5, 3).tolist():
    total = Fraction(0)
    joint = np.full((5, 3), Fraction(0))  # of the histogram and "person u is now in j"
    for stops in product(range(3), repeat=5):
        if [stops.count(j) for j in range(3)] == h:
            chance = prod(fifths[i][j] for i, j in zip(origins, stops))
            total += chance
            for u, j in enumerate(stops):
                joint[u, j] += chance
    gains_of_people = []
    for u, j in product(range(5), range(3)):
        gains_of_people.append(joint[u, j] / total / fifths[origins[u]][j])
    by_name.append(max(gains_of_people))
    as_defined.append(max_gain(pi, h, transition=fifths, adversary="NPK", definition="exact"))
with claim("M-G5.args") as c:
    label = "five people after (2, 2, 1), all 21 histograms: over people by name, and as defined"
    c.decisive("sampled").exact(by_name, as_defined, label)

# %% [markdown]
# ## M-G7 and M-G8 (the loop; other classes)
#
# M-G7: *The candidate moves towards the forecast until the condition holds.* M-G8: *Other classes are served by changing the condition.*

# %%
with claim("M-G7") as c:
    by_solver = []
    for weight in walk.alphas:
        by_solver.append(np.nanmax(solver_gains(pi, mixture(weight, x, forecast), P)))
    label = "Example 4.1: its gains, by a general linear solver"
    c.decisive().close(walk.gains, by_solver, label, rtol=1e-6)
    c.decisive().at_most(np.exp(0.5), by_solver[:-1], "the candidates before break the rule")
    c.decisive().at_most(by_solver[-1], np.exp(0.5), "the release meets it")

with claim("M-G8") as c:
    options = {"transition": P, "epsilon": 0.3, "step": 0.05}
    by_mk = private_histogram(pi, [3, 1, 1], adversary="MK", definition="exact", **options)
    label = "MK: every x*/π̃ of the release"
    c.decisive("one example").at_most(by_mk.histogram / forecast, np.exp(0.3), label)
    earlier = [max(mixture(t, [3, 1, 1], forecast) / forecast) for t in by_mk.alphas[:-1]]
    c.decisive("one example").at_most(np.exp(0.3), earlier, "MK: above it at each turn before")
    by_opk = private_histogram(pi, [3, 1, 1], adversary="OPK", **options)
    ratio = np.nanmax(solver_gains(pi, by_opk.histogram, P))
    label = "OPK: equation (3) of the release, by the solver"
    c.decisive("one example").at_most(ratio, np.exp(0.3), label)

# %% [markdown]
# ## M-G9 and M-G10 (the forecast is private; the loop ends)
#
# M-G9: *The forecast is adversarially private.* Under the paper's prior its gain compares a number with itself, whatever the distribution of histograms. The limit: the natural prior and four people. M-G10: *Algorithm 1 always stops,* with the two misprints repaired.

# %%
p = sp.Function("p")
h, ahead, e_j = sp.symbols("h f e_j")
seen_odds = p(h - e_j) / p(h)
prior_odds = p(ahead - e_j) / p(ahead)
own_odds = seen_odds.subs(h, ahead)
compared = sp.UnevaluatedExpr(own_odds) * sp.UnevaluatedExpr(1 / prior_odds)
no_gain = derivation(
    compared, of=r"\mathrm{Gain}(\tilde\pi)", names={ahead: r"\tilde\pi"}
).equal(1, "the same odds")
no_gain

# %%
rng = np.random.default_rng(30)


def situation(states, people):
    """A random matrix, a histogram, and a true histogram drawn from it."""
    matrix = rng.dirichlet(np.ones(states), states)
    before = 1 + rng.multinomial(people, np.full(states, 1 / states))
    after = sum(rng.multinomial(n, row) for n, row in zip(before, matrix))
    return matrix, before, after


cases = [situation(states, 30) for states in (2, 3, 4, 5) for _ in range(10)]
R = [[Fraction(n, 10) for n in row] for row in ([2, 1, 7], [6, 3, 1], [1, 8, 1])]
weighed = {}  # moves of four named people that end at the forecast (1, 2, 1)
for stops in product(range(3), repeat=4):
    if [stops.count(j) for j in range(3)] == [1, 2, 1]:
        weighed[stops] = prod(R[i][j] for i, j in zip((0, 1, 2, 2), stops))
by_name = []
for u, j in product(range(4), range(3)):
    there = sum(weight for stops, weight in weighed.items() if stops[u] == j)
    by_name.append(there / sum(weighed.values()) / R[(0, 1, 2, 2)[u]][j])

with claim("M-G9") as c:
    c.decisive().derived(no_gain, compared, 1, "the gain of π P, by any distribution p")
    own, large = [], []
    for matrix, old, _ in cases:
        end = prediction(old, matrix)
        own.append(max_gain(old, end, transition=matrix, **marginal))
        large.append(max_gain(old, end, transition=matrix, definition="bridge"))
    label = f"{len(cases)} random cases, marginal unit: printed gain of π P"
    c.close(own, 1.0, label, rtol=1e-9)
    label = "many people and the natural prior: the gain of the bridge"
    c.close(large, 1.0, label, rtol=1e-6)
    four = max_gain([1, 1, 2], [1, 2, 1], transition=R, definition="exact")
    c.exact(four, max(by_name), "four people, every move by name: exact gain of the forecast")
    c.limit(1, max(by_name), "natural prior, four people: exact gain of the forecast")

with claim("M-G10") as c:
    for step in (0.3, 0.07):
        turns, again = [], []
        for matrix, old, new in cases:
            options = {"epsilon": 0.1, "step": step, **marginal}
            ended = private_histogram(old, new, transition=matrix, **options)
            turns.append(len(ended.alphas) - 1)
            again.append(max_gain(old, ended.histogram, transition=matrix, **marginal))
        most = int(np.ceil(1 / step))
        label = f"step {step}, {len(cases)} random cases: at most {most} turns"
        c.decisive("sampled").at_most(turns, most, label)
        label = f"step {step}: the gain of each release, computed again"
        c.decisive("sampled").at_most(again, np.exp(0.1), label, slack=1e-8)


# %% [markdown]
# ## M-G11 (not optimal)
#
# *The histogram found is not optimal, but an approximate solution in short time.* A grid of thirds of a person has a nearer histogram that passes. The limit: how good the approximation is; the paper gives no bound.

# %%
def by_mirror(function, points):
    """Its value at every point; the town is the same from both ends."""
    known = {}
    for h in map(tuple, points):
        known[h] = known[h[::-1]] if h[::-1] in known else function(h)
    return np.array(list(known.values()))


def walked(h):
    """Distance of the release with the smallest weight from the truth h."""
    released = private_histogram(sixes, h, transition=town, epsilon=1)
    return np.abs(released.histogram - h).sum()


sixes, true = [6, 6, 6], np.array([2, 9, 7])
thirds = mechanism.histograms(54, 3) / 3
largest = by_mirror(lambda h: max_gain(sixes, h, transition=town), thirds.tolist())
passing = thirds[largest <= np.e]
gaps = np.abs(passing - true).sum(axis=1)
edge = private_histogram(sixes, true, transition=town, epsilon=1)
minute = mechanism.histograms(18, 3)
probability = mechanism.output_distribution(sixes, town)
by_walk = by_mirror(walked, minute.tolist())
by_grid = np.abs(minute[:, None] - passing[None]).sum(axis=2).min(axis=1)
with claim("M-G11") as c:
    label = "(2, 9, 7): a point of the grid that is nearer by a tenth of a person"
    c.decisive("one example").at_most(gaps.min(), walked(true) - 0.1, label)
    again = np.nanmax(solver_gains(sixes, passing[gaps.argmin()], town))
    c.decisive("one example").at_most(again, np.e, "and it passes, by a general solver")
    at_edge = np.nanmax(solver_gains(sixes, edge.histogram, town))
    label = "where Algorithm 1 stops the gain is e, by a general solver"
    c.close(at_edge, np.e, label, rtol=1e-6)
    c.close(probability.sum(), 1.0, "the next minute: probabilities sum to one")
    label = "how good, on average: change, if the grid's point is taken where nearer"
    c.limit(float(probability @ np.minimum(by_grid, by_walk)), float(probability @ by_walk), label)

# %% [markdown]
# ## M-G12 and M-B6 (not monotone)
#
# M-G12: *A smaller step gives an output closer to the true histogram.* M-B6, ours: *the feasible $\alpha$ need not form an interval when there are four states.*

# %%
P4 = np.array([[2, 7, 2, 9], [13, 2, 1, 4], [5, 2, 7, 6], [1, 1, 5, 13]]) / 20
pi4, x4, level4 = [6, 7, 6, 8], np.array([6, 9, 8, 4]), 0.7
end4 = np.array(pi4) @ P4
alphas = np.linspace(0, 1, 401)
curve = [max_gain(pi4, mixture(t, x4, end4), transition=P4) for t in alphas]
met = np.array(curve) <= np.exp(level4)
four = {"epsilon": level4, "transition": P4}
intervals = feasible_intervals(pi4, x4, **four)
with claim("M-B6") as c:
    inside = ((intervals[:, :1] <= alphas) & (alphas <= intervals[:, 1:])).any(axis=0)
    label = "401 weights: in the two intervals just where the gain is allowed"
    c.decisive("one example").exact(inside.tolist(), met.tolist(), label)
    changes = int((np.diff(met.astype(int)) != 0).sum())
    c.decisive("one example").exact(changes, 3, "not allowed, allowed, not, allowed")
    ends = intervals.ravel()[:3]
    at_ends = [solver_gains(pi4, mixture(t, x4, end4), P4).max() for t in ends]
    label = "at the inner ends the gain is e^ε, by a general solver"
    c.close(at_ends, np.exp(level4), label, rtol=1e-6)

stops = {}
for step in (0.25, 0.2, *(0.4 / 2**k for k in range(6))):
    stops[step] = private_histogram(pi4, x4, step=step, **four)
halves = list(stops)[2:]
reached = [stops[step].alpha for step in halves]
turns = [len(stops[step].alphas) - 1 for step in halves]
with claim(
    "M-G12",
    printed=r"a smaller step $s$ gives an output closer to $\pi(t)$",
    corrected=r"if it divides the larger one; the smallest $\alpha$ needs no step",
    consequence="None for privacy; with the exact weight the step can go.",
) as c:
    larger, smaller = stops[0.25].alpha, stops[0.2].alpha
    label = f"step 0.25 stops at {larger:.2f}, step 0.2 only at {smaller:.2f}"
    c.fails(bool(smaller < larger), label, method="numeric")
    label = "halving the step five times never goes further"
    c.decisive("one example").close(reached, sorted(reached, reverse=True), label)
    label = "the price: turns grow as the last weight divided by the step"
    needed = [weight / step for weight, step in zip(reached, halves)]
    c.decisive("one example").close(turns, needed, label)
    first = alphas[np.argmax(met)]
    label = "the first allowed of 401 weights is the next after the smallest exact one"
    between = [0, first - intervals[0, 0]]
    c.at_most(between, [first - intervals[0, 0], 1 / 400], label)
    c.at_most(intervals[0, 0], reached, "no step stops below the smallest weight", slack=1e-9)

# %% [markdown]
# ## M-A3 (abstract: the outputs satisfy the definition)
#
# *A mechanism is given whose output histograms satisfy the proposed definition.* They satisfy a bound on the ratio of equation (3). From one source this ratio is always 1: if $m_j$ people went to $j$ at the cost $w_j$ each, one person less saves $w_j$, whatever the histogram.

# %%
m_j, w_j, others = sp.symbols("m_j w_j O", positive=True)
without = sp.Mul(-1, w_j * (m_j - 1) + others, evaluate=False)
spared = sp.Add(w_j * m_j + others, without, evaluate=False)
blind = derivation(spared, of=r"C(\pi, x) - C(\pi - e_i, x - e_j)").equal(
    w_j, "the costs $O$ of the others cancel"
)
blind

# %%
crossing = [[Fraction(99, 100), Fraction(1, 100)], [Fraction(1, 2), Fraction(1, 2)]]
raw = private_histogram([100, 0], [50, 50], transition=crossing, epsilon=1)
crowd, inputs = [3, 3, 3], mechanism.histograms(9, 3)
turned = range(101)
known = []
for k in turned:
    known.append(max_gain([100, 0], [100 - k, k], transition=crossing, definition="exact"))
with claim(
    "M-A3",
    printed=r"outputs of Algorithm 1 are $\varepsilon$-adversarially private",
    corrected="they bound the ratio of equation (3), not the gain of Definition 3.2",
    consequence="A release can pass with any exact gain up to $1/P_{ij}$.",
) as c:
    c.derived(blind, spared, w_j, "one source: what a person saves")
    label = "fifty of 100 turn: published unchanged"
    c.close(raw.histogram, [50, 50], label, rtol=0, atol=1e-12)
    printed_gain = np.nanmax(solver_gains([100, 0], [50, 50], crossing)[0])
    c.differs(printed_gain, float(known[50]), "equation (3) against the exact gain")
    by_hand = [max(Fraction(k), Fraction(100 - k, 99)) for k in turned]
    label = "k = 0, …, 100 turn: exact gains, by name and by x/(N P)"
    c.decisive("one example").exact(known, by_hand, label)
    checked = []
    for h in inputs:
        released = private_histogram(crowd, h, transition=town, epsilon=1).histogram
        checked.append(np.nanmax(solver_gains(crowd, released, town)))
    label = "the town, nine people: equation (3) of all 55 releases, by a general solver"
    c.decisive("one example").at_most(checked, np.e, label, slack=1e-6)


# %% [markdown]
# ## M-M2 (the published previous histogram)
#
# *The check in Algorithm 1 uses $\pi^*(t-1)$ in place of $\pi(t-1)$.* Right for MK, which knows the published histograms. NPK knows the true $\pi(t-1)$. The check lets 120 people walk through the town for 150 minutes. The limit: at $\varepsilon = 1$ no release breaks the bound in this run.

# %%
def day(epsilon, publish, **options):
    """For each minute: the true and the published histogram before, the release."""
    draws = np.random.default_rng(7)
    now, shown = np.array([40, 40, 40]), np.array([40.0, 40, 40])
    minutes = []
    for _ in range(150):
        before, shown_before = now, shown
        now = sum(draws.multinomial(n, row) for n, row in zip(before, town))
        released = publish(shown_before, now, transition=town, epsilon=epsilon, **options)
        shown = released.histogram
        minutes.append((before, shown_before, shown))
    return minutes


forms = {
    "whole person": (private_histogram, {}),
    "marginal unit": (private_histogram, marginal),
    "bridge walk": (bridge_histogram, {}),
}
broken, by_mk = {}, {}
for (name, (publish, options)), level in product(forms.items(), (0.25, 1.0)):
    minutes = day(level, publish, **options)
    gains_npk = []
    for before, _, out in minutes:
        gains_npk.append(max_gain(before, out, transition=town, definition="bridge"))
    broken[name, level] = int((np.array(gains_npk) > (1 + 1e-6) * np.exp(level)).sum())
    by_mk[name, level] = max((out / (shown @ town)).max() for _, shown, out in minutes)
with claim(
    "M-M2",
    printed="the check uses $\\pi^*(t-1)$ for every class",
    corrected="right for MK and OPK; for NPK the check needs the true $\\pi(t-1)$",
    consequence="For NPK some releases break a small $ε$ that the loop has checked.",
) as c:
    for level in (0.25, 1.0):
        minutes = day(level, private_histogram, adversary="MK", definition="exact")
        ratio = [out / (shown @ town) for _, shown, out in minutes]
        label = f"MK, ε = {level}: x*/π̃ of 150 releases, forecast from the published"
        c.decisive("simulated").at_most(ratio, np.exp(level), label, slack=1e-9)
    for name in forms:
        label = f"NPK, {name}, ε = 1/4: releases of 150 that break the bound"
        c.differs(0, broken[name, 0.25], label)
        label = f"NPK, {name}, ε = 1: as many releases break the bound as at 1/4"
        c.limit(broken[name, 0.25], broken[name, 1.0], label)
# From the published start only the marginal unit at ε = 1/4 breaks the exact bound of MK.
for (name, level), largest_mk in by_mk.items():
    assert (largest_mk > (1 + 1e-6) * np.exp(level)) == ((name, level) == ("marginal unit", 0.25))

# %% [markdown]
# ## M-B5 (the smallest weight)
#
# Ours: *the smallest $\alpha$ is found exactly, without a grid.*

# %%
rho, bound = sp.symbols("rho E", positive=True)  # x_j / π~_j and e^ε
smallest = (rho - bound) / (rho - 1)
line = (1 - a) * rho + a
mk_chain = (
    derivation(line - bound, of=r"(1 - \alpha)\rho + \alpha - E")
    .equal(rho - bound - a * (rho - 1), "collect $α$")
    .equal((rho - 1) * (smallest - a), "take out $ρ - 1$")
)
mk_chain


# %%
def by_bisection(epsilon):
    """Where the largest gain of the example crosses e^ε; knows nothing of bends."""

    def excess(weight):
        return np.log(np.nanmax(solver_gains(pi, mixture(weight, x, forecast), P))) - epsilon

    return optimize.brentq(excess, 0, 1, xtol=1e-12)


levels = (0.25, 0.5, 0.75)
with claim("M-B5") as c:
    label = "class MK: excess over the bound"
    c.decisive().derived(mk_chain, line - bound, (rho - 1) * (smallest - a), label)
    weights = [private_histogram(pi, x, transition=P, epsilon=level).alpha for level in levels]
    crossed = [by_bisection(level) for level in levels]
    label = "Example 4.1, ε = 1/4, 1/2, 3/4: bisection of the gain by a general solver"
    c.decisive("sampled").close(weights, crossed, label, rtol=1e-6)

# %% [markdown]
# ## M-B14 (the bridge walk)
#
# Ours: *in the coordinates $s$ of the bridge, $s + v$ moves every gain monotonically towards 1, and the smallest admissible $v$ is $\max (s_j - E c_i)^+/(E - 1)$.* The limits: nine people; an attacker who knows the walk.

# %%
s_j, c_i, v = sp.symbols("s_j c_i v", positive=True)
factor = sp.Symbol("E", positive=True)
walked_gain = (s_j + v) / (c_i + v)
nearer_one = derivation(walked_gain - 1, of="g_{ij}(v) - 1").equal(
    (s_j - c_i) / (c_i + v), "common denominator"
)
nearer_one

# %%
enough = (s_j - factor * c_i) / (factor - 1)
excess = (s_j + v) - factor * (c_i + v)
excess_chain = derivation(excess, of="(s_j + v) - E\\,(c_i + v)").equal(
    (factor - 1) * (enough - v), "collect $v$"
)
excess_chain


# %%
def coordinates(before, after, P):
    """The bridge's s by alternating scaling; the mean of c over the people is 1."""
    before, s = np.array(before, float), np.ones(len(after))
    for _ in range(3000):
        s = after / ((before / (P @ s)) @ P)
    return s / ((P @ s) @ before / before.sum())


def smallest_v(s, P, bound):
    """The first v from which no gain is above the bound, by bisection."""

    def over(v):
        return ((s + v) / (P @ s + v)[:, None]).max() - bound

    return 0.0 if over(0) <= 0 else optimize.brentq(over, 0, 1e4, xtol=1e-14)


own_weights, own_releases, exact_largest, unmoved = [], [], [], []
for h in inputs:
    s = coordinates(crowd, h, town)
    shift = smallest_v(s, town, np.e)
    unmoved.append(shift == 0)
    own_weights.append(shift / (1 + shift))
    own_releases.append((s + shift) * ((np.array(crowd) / (town @ s + shift)) @ town))
    table = gain_table(crowd, h, transition=town, definition="exact")
    exact_largest.append(float(np.nanmax(table.astype(float))))
walked = [bridge_histogram(crowd, h, transition=town, epsilon=1) for h in inputs]
released = np.array([found.histogram for found in walked])
who_knows = mechanism.deterministic_mechanism(crowd, town, releases=released)
with claim("M-B14") as c:
    label = "every gain moves to 1"
    c.decisive().derived(nearer_one, walked_gain - 1, (s_j - c_i) / (c_i + v), label)
    c.decisive().derived(excess_chain, excess, (factor - 1) * (enough - v), "the smallest v")
    label = "the town: 55 weights, by alternating scaling and bisection"
    c.close([found.alpha for found in walked], own_weights, label, rtol=1e-6, atol=1e-9)
    c.close(released, own_releases, "and the releases", rtol=1e-6, atol=1e-9)
    ratio = (released / (np.array(crowd) @ town)).max()
    c.at_most(ratio, np.e, "class MK: the largest x*/π̃ of all", slack=1e-9)
    label = "nine people are not many: exact gain of a histogram published as it is"
    c.limit(np.e, max(np.array(exact_largest)[unmoved]), label)
    label = "all 55 releases differ: who knows the walk gains what the truth tells"
    c.close(float(who_knows.gain), 1 / town.min(), label, rtol=1e-9)
    c.limit(np.e, who_knows.gain, "an attacker who knows how the release is made: largest gain")
