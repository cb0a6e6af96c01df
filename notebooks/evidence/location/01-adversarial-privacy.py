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
# # Evidence: How much may the count of a crowd tell about one person?
#
# The statements of the paper's introduction and of its sections 2 to 3.2 that the page of this name tells, in the paper's order: what each one states, and its check. Nothing is hidden. Statements on the sum over
# all movements (equations (2) and (3)) are checked with the next page. The story is told in [the notebook of the same name](../../location/01-adversarial-privacy.ipynb).
#
# The second route of most checks is a list of everything that named people can do, with its probability, in fractions.

# %%
import math
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import numpy as np
import sympy as sp

from privlib.location.exact import transition_probability
from privlib.location.flow import max_flow
from privlib.location.gain import gain_table, max_gain
from privlib.location.mechanism import optimal_mechanism
from privlib.notebook import claim, derivation, misprints, synthetic_trips

before, after = (2, 2, 1), (1, 2, 2)  # Example 4.1
P = [
    [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
    [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)],
    [Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)],
]  # ours: the text gives no matrix


def origins(pi):
    """Place of every person, in the order of the places."""
    result = []
    for place, count in enumerate(pi):
        result += [place] * count
    return result


def listed(pi, P):
    """All moves of named people: histogram after -> [(probability, places after)]."""
    start = origins(pi)
    result = {}
    for places in product(range(len(pi)), repeat=len(start)):
        probability = math.prod(P[i][j] for i, j in zip(start, places))
        if probability:
            x = tuple(places.count(j) for j in range(len(pi)))
            result.setdefault(x, []).append((probability, places))
    return result


def total(moves):
    return sum(probability for probability, _ in moves)


def posterior(moves, u, j):
    """Probability that person u is at j, of all listed moves."""
    return sum(q for q, places in moves if places[u] == j) / total(moves)


def histograms(people):
    """All histograms of three places."""
    return [h for h in product(range(people + 1), repeat=3) if sum(h) == people]


def predicted(pi, P):
    return [sum(n * row[j] for n, row in zip(pi, P)) for j in range(len(pi))]


def less(h, k):
    """The histogram without one person at k."""
    return tuple(n - (k == place) for place, n in enumerate(h))


example = listed(before, P)
small = {h: listed(h, P) for people in range(1, 5) for h in histograms(people)}
assert len(example) == 21
assert sum(total(moves) for moves in example.values()) == 1

# %% [markdown]
# ## M-A2 (a whole history needs much noise)
#
# *A definition that is safe against any background knowledge needs much noise for continual release.* With one budget for a person's history of $T$ releases: the noise grows with the largest change of all counts that one history can make, which is $2T$.

# %%
changes = []
for T in range(1, 5):
    histories = []
    for path in product((0, 1), repeat=T):
        histories.append([int(place == j) for place in path for j in (0, 1)])
    distances = {
        sum(abs(a - b) for a, b in zip(g, h)) for g, h in product(histories, repeat=2)
    }
    changes.append(max(distances))
with claim("M-A2") as c:
    label = "largest L1 change by one person, two places, up to four releases: 2T"
    c.decisive("exhaustive").exact(changes, [2, 4, 6, 8], label)

# %% [markdown]
# ## M-I1, M-I4, M-I5, M-I6 and M-I9 (motivation, cited work, the modelling assumption)
#
# **Not checkable:** what location data are good for, what the cited methods do, a goal, and the assumption that what is generally known is a Markov process.
#
# ## M-I1b (impossible moves)
#
# *Attackers can use that some moves are impossible in a short time, for example across a river.* A and C lie on two banks, B is the bridge. One person was at A and one at C; now one is at B and one at C.

# %%
river = [
    [Fraction(4, 5), Fraction(1, 5), Fraction(0)],
    [Fraction(1, 10), Fraction(4, 5), Fraction(1, 10)],
    [Fraction(0), Fraction(1, 5), Fraction(4, 5)],
]
plain = [
    [Fraction(4, 5), Fraction(3, 20), Fraction(1, 20)],
    [Fraction(1, 10), Fraction(4, 5), Fraction(1, 10)],
    [Fraction(1, 20), Fraction(3, 20), Fraction(4, 5)],
]
by_package, by_list = [], []
for Q in (river, plain):
    gains = gain_table([1, 0, 1], [0, 1, 1], transition=Q, definition="exact")
    by_package.append(gains[0, 1] * Q[0][1])
    by_list.append(posterior(listed((1, 0, 1), Q)[0, 1, 1], 0, 1))
with claim("M-I1b") as c:
    label = "the person from A is at B: certain with the river, 16/17 without"
    c.decisive("one example").exact(by_package, [Fraction(1), Fraction(16, 17)], label)
    c.exact(by_list, by_package, "the same by all moves of two people")
losses = []
for Q in (river, plain):
    losses.append(optimal_mechanism([2, 1, 2], np.array(Q, float), epsilon=1.0).loss)
assert losses[0] < losses[1]  # what is known to be impossible makes the best release better
print(np.round(losses, 3))


# %% [markdown]
# ## M-I2 (differential privacy and background knowledge)
#
# *Differential privacy guarantees privacy against attackers with any background knowledge.* Read of one record, whatever the attacker knows about the others. The limit: two people who move together.

# %%
def noisy(published, count, alpha):
    """Probability of a published count: two-sided geometric noise."""
    return (1 - alpha) / (1 + alpha) * alpha ** abs(published - count)


def worst_ratio(count, other, alpha):
    outputs = range(-5, 12)
    return max(noisy(y, count, alpha) / noisy(y, other, alpha) for y in outputs)


ratios, promised = [], []
for alpha in (Fraction(1, 4), Fraction(1, 2), Fraction(2, 3)):  # exp(-ε)
    for others in range(5):
        ratios.append(worst_ratio(others + 1, others, alpha))
        ratios.append(worst_ratio(others, others + 1, alpha))
        promised += [1 / alpha] * 2
with claim("M-I2") as c:
    label = "one record, others known, both directions: ratio exp(ε)"
    c.decisive("sampled").exact(ratios, promised, label)
    two_records = worst_ratio(2, 0, Fraction(1, 2))
    c.limit(Fraction(2), two_records, "exp(ε) = 2, two people who move together")

# %% [markdown]
# ## M-I3 (long paths and sparse counts)
#
# *Laplace noise cannot be neglected where paths are long and counts sparse.* In an invented suburb of 14 stations with 683 people, the noise for one release at $\varepsilon = 1$ is larger than twice the mean count of a path of five stations, although only the paths that can be walked are counted.

# %%
people = 683
edges = synthetic_trips.simulate("suburb14", np.random.default_rng(0)).edges
reach = np.eye(14, dtype=np.int64)
for i, j in edges:
    reach[i, j] = reach[j, i] = 1
walks = int(np.linalg.matrix_power(reach, 4).sum())

ends = list(range(14))  # the last station of every walk so far
for _ in range(4):
    longer = []
    for end in ends:
        longer += np.flatnonzero(reach[end]).tolist()
    ends = longer
size = sp.Symbol("t", positive=True)
mean_noise = sp.integrate(2 * size * sp.exp(-size / 2) / 4, (size, 0, sp.oo))  # scale 2
with claim("M-I3") as c:
    c.exact(walks, len(ends), "walks of five stations: by powers of a matrix, and listed")
    label = "twice the mean count of a path, mean size of the noise"
    c.decisive("one example").at_most(2 * Fraction(people, walks), Fraction(int(mean_noise)), label)
print(walks, float(Fraction(people, walks)))

# %% [markdown]
# ## M-I8 (the crossing)
#
# *Where nearly everybody goes straight on, only those who turn need protection.* By exact gains *straight on* never gains more than 100/99. The limit is the paper's check, which is equation (3).

# %%
crossing = [[Fraction(99, 100), Fraction(1, 100)], [Fraction(0), Fraction(1)]]
straight_on, turned = [], []
for k in range(101):
    row = gain_table([100, 0], [100 - k, k], transition=crossing, definition="exact")[0]
    straight_on.append(row[0])
    turned.append(row[1])
with claim("M-I8") as c:
    label = "exact gains of all 101 releases: (100 - k)/99 straight on, k if k turned"
    by_hand = ([Fraction(100 - k, 99) for k in range(101)], [Fraction(k) for k in range(101)])
    c.decisive("one example").exact((straight_on, turned), by_hand, label)
    noise_factors = {worst_ratio(1, 0, Fraction(1, 2)), worst_ratio(0, 1, Fraction(1, 2))}
    c.exact(noise_factors, {Fraction(2)}, "noise with exp(ε) = 2: both guesses may gain 2 in odds")
    by_equation_3 = round(max_gain([100, 0], [50, 50], transition=crossing), 9)
    c.close(by_equation_3, 1.0, "50 of 100 turned: by equation (3)")
    c.limit(50.0, by_equation_3, "50 of 100 turned: exact gain, and by equation (3)")

# %% [markdown]
# ## M-D1, M-D3, M-D4 and M-N3 (the definitions), M-I10 and M-B30 (what they allow)
#
# M-D1, Definition 3.1: $p(X \mid O) \le e^{\varepsilon} p(X)$ for all $X$. M-D3, Definition 3.2: $\mathrm{Gain} = g/f$. **Not checkable:** definitions. M-D4 and M-N3: *all gains are at most $e^{\varepsilon}$ if the largest is.* **Not checkable:** true by what a largest value is.
# M-D2, M-D5: the triple $(K, f, g)$, and the name in the cited work. **Not checkable.**
#
# M-I10: *an output is private if the attacker's confidence hardly changes.* True of growth. The limit: confidence that falls.
#
# M-B30, beyond the paper: *a private release may exclude a guess of probability $f$ if and only if $f \le 1 - e^{-\varepsilon}$.* The gains of the other guesses, weighted by their probabilities $f_i/(1 - f)$, have mean $1/(1 - f)$.

# %%
eps = sp.Symbol("varepsilon", positive=True)
left = sp.Symbol("r", positive=True)  # 1 - f
L = sp.Symbol("L", integer=True, positive=True)
index = sp.Symbol("i", integer=True)
f_i, g_i = sp.IndexedBase("f", positive=True), sp.IndexedBase("g", positive=True)
apart = sp.UnevaluatedExpr
mean_gain = sp.Sum(apart(f_i[index] / left) * apart(g_i[index] / f_i[index]), (index, 1, L))
shared = sp.Sum(g_i[index], (index, 1, L)) / left  # the g_i of the others sum to 1
excluding = derivation(
    mean_gain, names={left: "(1 - f)"}, of=r"\text{mean gain of the others}"
).equal(shared, "cancel; the sum is 1")
excluding


# %%
def private(f, g, factor):
    """Definition 3.1, word by word."""
    return all(b <= factor * a for a, b in zip(f, g))


with claim("M-I10") as c:
    even = [Fraction(1, 2), Fraction(1, 2)]
    allowed = []
    for k in range(9, 17):  # 1/2 becomes k/16
        if private(even, [Fraction(k, 16), Fraction(16 - k, 16)], Fraction(3, 2)):
            allowed.append(Fraction(k, 16))
    label = "exp(ε) = 3/2: 1/2 may grow to 3/4, no further"
    c.exact(allowed, [Fraction(9, 16), Fraction(10, 16), Fraction(11, 16), Fraction(12, 16)], label)
    # Definition 3.1 with exp(1) > 5/2 holds for a guess that falls from 1/2 to 0.
    assert private(even, [Fraction(0), Fraction(1)], Fraction(5, 2))
    c.limit(Fraction(1, 2), Fraction(0), "downwards: a guess of probability 1/2 is excluded at ε = 1")

outcomes, expected = [], []
for n in range(2, 12):
    for k in range(1, n):  # a guess of probability k/n, and n - k others of 1/n
        f = [Fraction(k, n)] + [Fraction(1, n)] * (n - k)
        g = [Fraction(0)] + [Fraction(1, n - k)] * (n - k)  # all others grow alike: the least largest gain
        for factor in (Fraction(3, 2), Fraction(2), Fraction(3)):
            outcomes.append(private(f, g, factor))
            expected.append(Fraction(k, n) <= 1 - 1 / factor)
with claim("M-B30") as c:
    label = "mean gain of the other guesses: 1/(1 - f), a lower bound of the largest"
    c.decisive("proved").derived(excluding, mean_gain, shared, label)
    border = 1 - sp.solve(sp.Eq(1 / left, sp.exp(eps)), left)[0]
    c.decisive("proved").exact(border, 1 - sp.exp(-eps), "this is exp(ε) at f = 1 - exp(-ε)")
    label = "165 priors and factors, the others grow alike: private exactly up to the border"
    c.exact(outcomes, expected, label)
assert len(outcomes) == 165 and 0 < sum(outcomes) < 165

# %% [markdown]
# ## M-S1, M-S5 (the model), M-S2 (loops), M-S4 (processes of higher order)
#
# M-S1: *every $\Delta t$ the histogram of $N$ people at $L$ places is published*; M-S5: *the matrix is given.* **Not checkable:** the model and an assumption.
#
# M-S2: *the graph of places has an undirected edge between two that can be reached from each other.* Staying is a move too, so the graph needs loops.

# %%
with_loops = []
for ab, bc, ac in product((0, 1), repeat=3):  # which of the three edges there are
    support = np.array([[1, ab, ac], [ab, 1, bc], [ac, bc, 1]], float)
    Q = support / support.sum(axis=1, keepdims=True)
    for h in histograms(2):
        with_loops.append(max_flow(h, h, transition=Q))
with claim("M-S2") as c:
    label = "with loops two people can stay: all graphs of 3 places, all histograms"
    c.decisive("exhaustive").exact(with_loops, [2] * 48, label)
    without_loops = max_flow([1, 0], [1, 0], transition=[[0, 1], [1, 0]])
    c.limit(1, without_loops, "an edge without loops: how many of one person can stay")

# %% [markdown]
# M-S4: *a process of order $n$ is one of order one on other states.* All processes of order two on two places, three steps: powers of the matrix on pairs of places, and sums over all paths.

# %%
pairs = list(product((0, 1), repeat=2))
keep = sp.symbols("p:4", positive=True)  # probability of 0 next, for each pair
onward = {pair: (keep[k], 1 - keep[k]) for k, pair in enumerate(pairs)}
on_pairs = sp.zeros(4, 4)
for k, m in product(range(4), repeat=2):
    if pairs[k][1] == pairs[m][0]:
        on_pairs[k, m] = onward[pairs[k]][pairs[m][1]]
by_paths = sp.zeros(4, 4)
for path in product((0, 1), repeat=5):
    probability = math.prod(onward[path[k : k + 2]][path[k + 2]] for k in range(3))
    by_paths[pairs.index(path[:2]), pairs.index(path[3:])] += probability
with claim("M-S4") as c:
    label = "every order-2 process on two places, three steps"
    powers = (on_pairs**3).applyfunc(sp.expand)
    c.decisive("exhaustive").exact(powers, by_paths.applyfunc(sp.expand), label)

# %% [markdown]
# ## M-C1 and M-B4 (does less knowledge make protection harder?)
#
# M-C1: *the less an attacker knows, the harder protection is*, as a general statement with citations. Two people always move together, to A or B with probability 1/2 each, and both are seen at B. The limit: the paper's own classes MK and NPK.

# %%
couple = {(0, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}  # places of the two people


def gain_at_b(second):
    """Gain of "the first is at B"; the place of the second is known or None."""
    possible = {s: q for s, q in couple.items() if second in (None, s[1])}
    at_b = sum(q for s, q in possible.items() if s[0] == 1)
    return 1 / (at_b / sum(possible.values()))


mk_gains, npk_gains = [], []
for pi, releases in small.items():
    for x, moves in releases.items():
        mk_gains.append(max(Fraction(n) / m for n, m in zip(x, predicted(pi, P))))
        by_guess = []
        for u, i in enumerate(origins(pi)):
            for j in range(3):
                by_guess.append(posterior(moves, u, j) / P[i][j])
        npk_gains.append(max(by_guess))
with claim("M-C1") as c:
    label = "the couple: knows nothing, gain 2; knows where the other is, gain 1"
    c.decisive("one example").exact([gain_at_b(None), gain_at_b(1)], [Fraction(2), Fraction(1)], label)
    more = sum(mk > npk for mk, npk in zip(mk_gains, npk_gains))
    c.exact(more, 0, "MK and NPK, up to 4 people, by listed moves: MK never gains more")
    c.limit(len(mk_gains), more, "MK and NPK, up to 4 people: releases by which MK gains more")

# %% [markdown]
# M-B4, beyond the paper: *for whole histograms the gain of MK never exceeds that of NPK by the exact probabilities, nor by equation (3) where every transition is possible.*
#
# Exact: MK's gain is the mean of NPK's over the origins, with weights $\pi_i P_{ij} / \tilde\pi_j$.

# %%
pi_i, P_i, E_i = (sp.IndexedBase(name, positive=True) for name in ("pi", "P", "E"))
q_j = sp.Symbol("q_j", positive=True)
share_of_origin = apart(pi_i[index] * P_i[index] / q_j)
gain_of_opk = apart(E_i[index] / (pi_i[index] * P_i[index]))
weighted = sp.Sum(share_of_origin * gain_of_opk, (index, 1, L))
over_prediction = sp.Sum(E_i[index], (index, 1, L)) / q_j
averaging = derivation(weighted, names={q_j: r"\tilde\pi_j"}, of=r"\text{mean gain}").equal(
    over_prediction, "cancel; the sum is $x_j$"
)
averaging

# %% [markdown]
# Equation (3): let $G_{ij}(x)$ be what the cheapest movement saves, with costs $-\log P_{ij}$, if one person from $\ell_i$ to $\ell_j$ is left out. NPK's printed gain is the largest $e^{G_{ij}(x) - G_{ij}(\tilde\pi)}$. In equation (1) there are $N$ people before and $N - 1$ after, so the cheapest flow leaves
# one person out, namely the one who saves most: MK's ratio is $\max_i e^{G_{ij}(x)} / \max_i e^{G_{ij}(\tilde\pi)}$ over the occupied places $i$. Let the first maximum be $A$, attained at $i$. "From $\ell_i$ to $\ell_j$" is a guess of NPK, because that transition is possible. There $e^{G_{ij}(\tilde\pi)} = B$, and the divisor is $B + h$ with $h \ge 0$, also where
# $\tilde\pi$ is not whole and leaving out parts of several people saves more.

# %%
A, B = sp.symbols("A B", positive=True)
h = sp.Symbol("h", nonnegative=True)
ratio_of_maxima = derivation(A / (B + h), of=r"\mathrm{Gain}_{MK}").at_most(
    A / B, r"$h \ge 0$; a gain of NPK", by="coefficients"
)
ratio_of_maxima


# %% [markdown]
# The limits are two impossible transitions, and a mixture that is not whole. The second route to the printed gains finds each cheapest movement by going through all corners of its transport problem.

# %%
@cache
def cheapest(rows, columns, costs):
    """Least cost of a movement with these row and column sums: all corners, arc by arc."""
    if not any(rows):
        return 0.0
    least = math.inf
    for i, j in product(range(len(rows)), range(len(columns))):
        moved = min(rows[i], columns[j])
        if moved and costs[i][j] < math.inf:
            left = tuple(v - moved * (k == i) for k, v in enumerate(rows))
            right = tuple(v - moved * (k == j) for k, v in enumerate(columns))
            least = min(least, float(moved) * costs[i][j] + cheapest(left, right, costs))
    return least


def by_corners(pi, x, Q):
    """Largest gains of NPK and MK by equation (3), taking away a whole person."""
    costs = tuple(tuple(-math.log(v) if v else math.inf for v in row) for row in Q)
    idle = tuple((*row, 0.0) for row in costs)  # one person may stay out at no cost
    ahead = tuple(predicted(pi, Q))
    npk, mk = [], []
    for j in range(3):
        for i in range(3):
            if Q[i][j]:
                saved = []
                for seen in (x, ahead):
                    rest = cheapest(less(pi, i), less(seen, j), costs)
                    saved.append(cheapest(pi, seen, costs) - rest)
                npk.append(math.exp(saved[0] - saved[1]))
        saved = []
        for seen in (x, ahead):
            rest = cheapest(pi, (*less(seen, j), 1), idle)
            saved.append(cheapest(pi, seen, costs) - rest)
        mk.append(math.exp(saved[0] - saved[1]))
    return max(npk), max(mk)


def by_package(pi, x, Q):
    x = [float(v) for v in x]
    return [max_gain(pi, x, transition=Q, adversary=name) for name in ("NPK", "MK")]


torn = [[Fraction(v, 5) for v in row] for row in ((1, 2, 2), (3, 0, 2), (0, 1, 4))]
steep = [[Fraction(v, 100) for v in row] for row in ((62, 19, 19), (1, 98, 1), (4, 1, 95))]
forecast = predicted((2, 3, 2), steep)
mixture = tuple(Fraction(3, 10) * v + Fraction(7, 10) * m for v, m in zip((6, 1, 0), forecast))
impossible = by_corners((4, 3, 3), (4, 4, 2), torn)
not_whole = by_corners((2, 3, 2), mixture, steep)
assert np.allclose(by_package((4, 3, 3), (4, 4, 2), torn), impossible, rtol=1e-9)
assert np.allclose(by_package((2, 3, 2), mixture, steep), not_whole, rtol=1e-9)

# %%
rng = np.random.default_rng(11)
printed_mk, printed_npk = [], []
for _ in range(60):
    Q = 0.7 * rng.dirichlet(np.ones(3), size=3) + 0.1
    pi = rng.integers(3, 8, size=3)
    x = rng.multinomial(pi.sum() - 6, [1 / 3] * 3) + 2
    printed_mk.append(max_gain(pi, x, transition=Q, adversary="MK"))
    printed_npk.append(max_gain(pi, x, transition=Q))
with claim("M-B4") as c:
    label = "exact: MK's gain is a mean of NPK's"
    c.decisive("proved").derived(averaging, weighted, over_prediction, label)
    label = "equation (3): ratio of the maxima"
    c.decisive("proved").derived(ratio_of_maxima, A / (B + h), A / B, label)
    label = "exact, by listed moves, all releases of up to 4 people"
    c.at_most(mk_gains, npk_gains, label)
    c.at_most(printed_mk, printed_npk, "60 random releases, equation (3)", slack=1e-9)
    c.limit(*impossible, "two impossible transitions, (3): NPK's largest gain, MK's")
    c.limit(*not_whole, "a mixture, no zero in P, (3): NPK's largest gain, MK's")

# %% [markdown]
# ## M-C2 (a poor guess makes the gain large)
#
# *A poor guess $f$ makes the gain large.* In the example's town the largest gain of a guess over all releases is $1/f$. The limit: 100 people in two places, where half of them cannot go straight on.

# %%
peaks, inverses = [], []
for pi, releases in small.items():
    for u, i in enumerate(origins(pi)):
        for j in range(3):
            peaks.append(max(posterior(moves, u, j) / P[i][j] for moves in releases.values()))
            inverses.append(1 / P[i][j])
mk_peaks, mk_inverses = [], []
for pi, releases in small.items():
    tables = []
    for x in releases:
        tables.append(gain_table(pi, x, transition=P, definition="exact", adversary="MK"))
    for j in range(3):
        mk_peaks.append(max(row[j] for row in tables))
        mk_inverses.append(sum(pi) / predicted(pi, P)[j])
straight_on = []
for k in range(51):  # those who turned stay there
    release = [k, 100 - k]
    row = gain_table([50, 50], release, transition=crossing, definition="exact", adversary="MK")
    straight_on.append(row[0])
with claim("M-C2") as c:
    label = "one matrix, up to 4 people, NPK: the largest gain of every guess is 1/f"
    c.decisive("sampled").exact(peaks, inverses, label)
    c.exact(mk_peaks, mk_inverses, "the same for MK")
    inverse = 100 / (50 * Fraction(99, 100))
    label = "half of them cannot go straight on: 1/f, MK's largest gain that somebody did"
    c.limit(inverse, max(straight_on), label)

# %% [markdown]
# ## M-M0 and M-N0 (what MK and NPK know), M-O1, M-O2, M-N1
#
# $K_{MK} = \{\pi(t-1), P_1\}$, $K_{OPK}$ and $K_{NPK}$. **Not checkable:** definitions; the titles of sections 3.2.2 and 3.2.3 print time $t$ where the text has $t - 1$.
#
# ## M-M1 (only the last histogram matters)
#
# *By the Markov property only $\pi(t-1)$ matters.* All chains on two places, three people with the same distribution at the start, in symbols. The limit: people who go back if they have just moved.

# %%
p, q, r = sp.symbols("p q r", positive=True)
first = (r, 1 - r)
steps = ((1 - p, p), (q, 1 - q))
triples = list(product((0, 1), repeat=3))  # places of three people


def next_place(step):
    """(π(0), π(1)) -> [probability, probability and person 0 is at place 0 next]."""
    result = {}
    for a, b in product(triples, repeat=2):
        weight = math.prod(first[i] * steps[i][j] for i, j in zip(a, b))
        entry = result.setdefault((sum(a), sum(b)), [0, 0])  # sums count place 1
        entry[0] += weight
        entry[1] += weight * step(a[0], b[0])
    return result


def markov_step(previous, now):
    return steps[now][0]


def return_step(previous, now):
    """Whoever has just moved goes back for certain."""
    if previous == now:
        return steps[now][0]
    return sp.Integer(previous == 0)


by_both, by_last = [], []
for (_, last), (weight, hit) in next_place(markov_step).items():
    by_both.append(sp.expand(3 * hit))
    by_last.append(sp.expand(weight * ((3 - last) * steps[0][0] + last * steps[1][0])))
numbers = {p: Fraction(1, 4), q: Fraction(1, 4), r: Fraction(1, 2)}
returning = next_place(return_step)
same_last = []
for histories in ((1, 1), (2, 1)):
    weight, hit = returning[histories]
    same_last.append(Fraction(str((hit / weight).subs(numbers))))
with claim("M-M1") as c:
    label = "every chain on two places, 3 people: p(X_t) = prediction / N"
    c.decisive("exhaustive").exact(by_both, by_last, label)
    c.limit(*same_last, "whoever moved goes back: same π(t-1), π(t-2) = (2,1) and (1,2)")

# %% [markdown]
# ## M-M3, M-M4 and M-M5 (the guesses of MK)
#
# M-M5: *the prediction is $\tilde\pi = \pi P$*, the mean of the histograms. M-M4: *$g_{MK}$ is the posterior by Bayes' rule.* M-M3: *$f_{MK}$ is the posterior after the pseudo-observation $\tilde\pi$.* Where $\tilde\pi$ is whole this is the natural prior $\tilde\pi_j/N$.

# %%
products, means = [], []
for pi, releases in small.items():
    products.append(predicted(pi, P))
    means.append([sum(total(m) * x[j] for x, m in releases.items()) for j in range(3)])
with claim("M-M5") as c:
    label = "one matrix, up to 4 people: the mean of all listed moves"
    c.decisive("sampled").exact(products, means, label)


def given_place(x, j):
    """p(x | u is at j): the origin of u averaged, and the others by the package."""
    if x[j] == 0:
        return Fraction(0)
    ways = Fraction(0)
    for i in range(3):
        others = transition_probability(less(before, i), less(x, j), transition=P)
        ways += before[i] * P[i][j] * others
    return ways / predicted(before, P)[j]


posteriors, shares = [], []
for x in example:
    evidence = transition_probability(before, x, transition=P)
    for j in range(3):
        prior = predicted(before, P)[j] / 5
        posteriors.append(given_place(x, j) * prior / evidence)
        shares.append(Fraction(x[j], 5))
with claim("M-M4") as c:
    label = "Example 4.1, all 21 releases: likelihood × prior / evidence = x_j / N"
    c.decisive("one example").exact(posteriors, shares, label)

# %%
slow = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]


def namings(pi):
    """All ways to say who was where: MK thinks them equally likely."""
    return sorted(set(permutations(origins(pi))))


def after_pseudo(pi, Q):
    """Posterior that person 0 is at place 0, as if the prediction had been released."""
    pseudo = predicted(pi, Q)
    weight = hit = Fraction(0)
    for start in namings(pi):
        for places in product((0, 1), repeat=len(start)):
            if places.count(0) == pseudo[0]:
                probability = math.prod(Q[i][j] for i, j in zip(start, places))
                weight += probability
                hit += probability * (places[0] == 0)
    return hit / weight if weight else None


towns = [(k, people - k) for people in range(1, 5) for k in range(people + 1)]
pseudo_priors, natural_priors = [], []
for pi in towns:
    value = after_pseudo(pi, slow)
    if value is not None:
        pseudo_priors.append(value)
        natural_priors.append(predicted(pi, slow)[0] / sum(pi))
with claim("M-M3") as c:
    label = "one matrix, two places, up to 4 people, π̃ whole: posterior = π̃_j / N"
    c.decisive("sampled").exact(pseudo_priors, natural_priors, label)
    label = "histograms, and those for which the prior is defined"
    c.limit(len(towns), len(pseudo_priors), label)

# %% [markdown]
# ## M-M6 and M-M7 (equation (1))
#
# M-M6: *$p(\pi(t), \pi(t-1) \mid X_t^u = \ell_j) = p(\pi(t) - e_j, \pi(t-1))$*: $N - 1$ people after $N$, which has probability 0. M-M7: *equation (1) for $\mathrm{Gain}_{MK}$.* The exact gain is $x_j/\tilde\pi_j$.

# %%
likelihoods, averaged, as_printed = {}, {}, {}
bayes_gains, package_gains = {}, {}
ahead = predicted(before, P)
for x, moves in example.items():
    rows = gain_table(before, x, transition=P, definition="exact", adversary="MK").tolist()
    for j in range(3):
        hit = Fraction(0)  # sum over the five people who may be u
        for u in range(5):
            hit += sum(q for q, places in moves if places[u] == j)
        likelihoods[x, j] = hit / ahead[j]
        averaged[x, j] = given_place(x, j)
        as_printed[x, j] = total(example.get(less(x, j), []))
        bayes_gains[x, j] = likelihoods[x, j] / total(moves)
        package_gains[x, j] = rows[j]
with claim(
    "M-M6",
    printed=r"$p(\pi(t) - e_j, \pi(t-1))$, $N - 1$ people after $N$",
    corrected=r"given $\pi(t-1)$: $\sum_i \pi_i P_{ij}\, p(x - e_j \mid \pi - e_i) / "
    r"\tilde\pi_j$",
    consequence="equation (1) needs another meaning before it can be computed",
) as c:
    c.differs(Fraction(as_printed[after, 0]), likelihoods[after, 0], "Example 4.1, j = 1")
    c.exact(set(as_printed.values()), {0}, "Example 4.1, all 21 releases: always 0")
    label = "Example 4.1, all 21 releases: origin averaged, and the share of the moves"
    c.decisive("one example").exact(averaged, likelihoods, label)
with claim(
    "M-M7",
    printed="equation (1), unequal masses",
    corrected=r"$\mathrm{Gain}_{MK} = x_j / \tilde\pi_j$",
    consequence="no flow is needed; the smallest α has a closed form",
) as c:
    printed_gains = gain_table(before, after, transition=P, adversary="MK").astype(float)
    exact_gains = np.array([float(bayes_gains[after, j]) for j in range(3)])
    c.differs(printed_gains, exact_gains, "Example 4.1, one person unrouted")
    label = "Example 4.1, all 21 releases: x_j / prediction = Bayes"
    c.decisive("one example").exact(package_gains, bayes_gains, label)

# %% [markdown]
# ## M-O3, M-O4 and M-N2 (OPK and NPK)
#
# M-O3: *$f_{OPK}$ and $g_{OPK}$* with the factor $P_{ij}$. M-O4: *$\mathrm{Gain}_{OPK}$ is a quotient of four probabilities*; the limit is an impossible move. Two places, four people, $\pi = (2, 2)$, which is its own prediction.

# %%
whole = (2, 2)
routes = listed(whole, slow)


def share(x, i, j, *, pi=whole, Q=slow):
    """p(x - e_j | π - e_i) / p(x | π), by the package."""
    if x[j] == 0:
        return Fraction(0)
    others = transition_probability(less(pi, i), less(x, j), transition=Q)
    return others / transition_probability(pi, x, transition=Q)


guesses = []
for u, i in enumerate(origins(whole)):
    guesses += [(u, i, 0), (u, i, 1)]
stated, by_moves, formula, quotient = {}, {}, {}, {}
for x in routes:
    for u, i, j in guesses:
        stated[x, u, j] = share(x, i, j) * slow[i][j]
        by_moves[x, u, j] = posterior(routes[x], u, j)
        formula[x, u, j] = share(x, i, j) / share(whole, i, j)
        quotient[x, u, j] = by_moves[x, u, j] / posterior(routes[whole], u, j)

places_of_five = np.random.default_rng(1).random((200_000, 5, 1))
limits = np.cumsum(np.array(P, float), axis=1)[origins(before)]
places_of_five = (places_of_five > limits).sum(axis=2)
counts = (places_of_five[:, :, None] == np.arange(3)).sum(axis=1)
kept = places_of_five[(counts == after).all(axis=1)]

leave = [[Fraction(0), Fraction(1)], [Fraction(1, 2), Fraction(1, 2)]]  # nobody stays at A
spurious = share((2, 1), 0, 0, pi=(1, 2), Q=leave) / share((1, 2), 0, 0, pi=(1, 2), Q=leave)
stayed = posterior(listed((1, 2), leave)[2, 1], 0, 0)

# %% [markdown]
# The formula for $g_{OPK}$ says that $E[a_{ij} \mid \pi, x]\, p(x \mid \pi) = \pi_i P_{ij}\, p(x - e_j \mid \pi - e_i)$. For two places, $\pi = (3, 2)$ and people who stay at A, every matrix, in symbols: each term of the generating function has the factor $s^k$ if $k$ people stay at A; its derivative at $s = 1$ is the mean of $k$ times the probability.

# %%
stay, come = sp.symbols("stay come")  # probabilities: from A to A, from B to A
at_a_mark, at_b_mark, stay_mark = sp.symbols("y z s")


def ending(at_a, from_a, from_b):
    """Generating function of p(x | π) in the number of people who stay at A."""
    one_from_a = stay_mark * stay * at_a_mark + (1 - stay) * at_b_mark
    one_from_b = come * at_a_mark + (1 - come) * at_b_mark
    moves = sp.expand(one_from_a**from_a * one_from_b**from_b)
    return moves.coeff(at_a_mark, at_a).coeff(at_b_mark, from_a + from_b - at_a)


mean_stayers, by_formula = [], []
for at_a in range(1, 6):
    mean_stayers.append(sp.expand(ending(at_a, 3, 2).diff(stay_mark).subs(stay_mark, 1)))
    others = ending(at_a - 1, 2, 2).subs(stay_mark, 1)
    by_formula.append(sp.expand(3 * stay * others))

# %%
with claim("M-O3") as c:
    label = "two places, π = (3,2), every matrix, in symbols: people who stay at A"
    c.exact(mean_stayers, by_formula, label)
    label = "π = (2,2), all releases: g with the factor P_ij, by named moves"
    c.decisive("one example").exact(stated, by_moves, label)
    expected = float(posterior(example[after], 0, 2))
    stderr = math.sqrt(expected * (1 - expected) / len(kept))
    at_c = (kept[:, 0] == 2).mean()
    c.sampled(at_c, expected, "Example 4.1, drawn: somebody from A at C", stderr=stderr)
with claim("M-O4") as c:
    label = "π = (2,2), all releases: four probabilities = g / f"
    c.decisive("one example").exact(formula, quotient, label)
    c.limit(spurious, stayed, "an impossible move, (1, 2) to (2, 1): its gain")

# %% [markdown]
# M-N2: *for an attacker who knows all positions, the gain about a person is $\mathrm{Gain}_{OPK}$.* NPK has one naming of the people. OPK averages over all namings in which $u$ was at $\ell_i$.

# %%
pooled, single = {}, {}
for x, i in product(routes, (0, 1)):
    weight = hit = Fraction(0)
    for start in namings(whole):
        if start[0] == i:
            for places in product((0, 1), repeat=4):
                if (places.count(0), places.count(1)) == x:
                    probability = math.prod(slow[a][b] for a, b in zip(start, places))
                    weight += probability
                    hit += probability * (places[0] == 0)
    pooled[x, i] = hit / weight
    single[x, i] = posterior(routes[x], 2 * i, 0)  # people 0, 1 were at A, 2, 3 at B
with claim("M-N2") as c:
    label = "π = (2,2), all releases: the names of the others add nothing"
    c.decisive("one example").exact(pooled, single, label)


# %% [markdown]
# ## M-N4 and M-M16 (two misprints)
#
# M-N4: the maximum is printed over $u, \ell_j, \ell_j$, the same place before and after. M-M16: the factor $p(X_t^u = \ell_j; P_1)$ is not defined. $P_{ij}$ makes the probabilities of OPK sum to 1, and the predicted share those of MK.

# %%
def same_place(c):
    gains = gain_table(before, after, transition=P, definition="exact")
    stays = max(posterior(example[after], u, i) / P[i][i] for u, i in enumerate(origins(before)))
    anywhere = []
    for u, i in enumerate(origins(before)):
        anywhere += [posterior(example[after], u, j) / P[i][j] for j in range(3)]
    c.differs(stays, max(anywhere), "Example 4.1: largest gain")
    tabled = [max(gains.diagonal()), max(gains.ravel())]
    label = "as printed, and over i and j: by every guess about every person"
    c.decisive().exact(tabled, [stays, max(anywhere)], label)
    # Where nobody stays at A, the formula gives a gain to the impossible move.
    possible = []
    for i, j in ((0, 1), (1, 0), (1, 1)):
        released = share((2, 1), i, j, pi=(1, 2), Q=leave)
        possible.append(released / share((1, 2), i, j, pi=(1, 2), Q=leave))
    c.differs(max(spurious, *possible), max(possible), "impossible moves counted too")


def factor(c):
    shares = [m / 5 for m in ahead]
    opk_gains = [posterior(example[after], 0, j) / P[0][j] for j in range(3)]
    with_share = sum(v * gain for v, gain in zip(shares, opk_gains))
    with_transition = sum(v * gain for v, gain in zip(P[0], opk_gains))
    c.differs(with_share, with_transition, "Example 4.1: sum of g, factor = predicted share")
    c.decisive().exact(with_transition, Fraction(1), "OPK, factor P_ij: sum 1")
    mk_rows = [bayes_gains[after, j] for j in range(3)]
    mk_sum = sum(v * gain for v, gain in zip(shares, mk_rows))
    c.decisive().exact(mk_sum, Fraction(1), "MK, factor share: sum 1")


records = misprints(
    [
        (
            "M-N4",
            r"$\max_{u, \ell_j, \ell_j}$ with $X_{t-1}^u = \ell_j$",
            r"$\max_{i, j}$, $\pi_i \ge 1$, $P_{ij} > 0$, with $X_{t-1}^u = \ell_i$",
            same_place,
        ),
        (
            "M-M16",
            r"factor $p(X_t^u = \ell_j; P_1)$, not defined",
            r"$\tilde\pi_j / N$ for MK, $P_{ij}$ for OPK; any cancels in the gain",
            factor,
        ),
    ]
)
