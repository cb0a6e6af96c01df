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
# # Evidence: Can the most likely movement stand for all movements?
#
# What section 3.2.1 (from equation (2) on) and section 4.1 of the paper state, in the paper's order, and then three results of our own. Nothing is hidden. The story is told in
# [the notebook of the same name](../../location/02-most-likely-movement.ipynb).

# %%
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

import networkx as nx
import numpy as np
import sympy as sp
from scipy.optimize import linprog

from privlib.location.exact import (
    bound_transition_probability,
    expected_movement,
    movements,
    transition_probability,
)
from privlib.location.flow import max_flow, most_likely_movement, unit_savings
from privlib.location.gain import gain_table, max_gain
from privlib.notebook import claim, derivation

half = Fraction(1, 2)
even = [[half, half], [half, half]]
stay = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
# Example 4.1, with a matrix of ours
before, after, people = (2, 2, 1), (1, 2, 2), 5
P = np.array([[4, 2, 2], [2, 4, 2], [1, 3, 4]]) * Fraction(1, 8)


# %%
def histograms(people):
    """All histograms of so many people in three places."""
    return [h for h in product(range(people + 1), repeat=3) if sum(h) == people]


def origins(pi):
    """The place of each person."""
    return [i for i, n in enumerate(pi) for _ in range(n)]


def behaviours_between(pi, x):
    """The places after of labelled people, in every way that leads from pi to x."""
    result = []
    for ends in product(range(len(pi)), repeat=sum(pi)):
        if tuple(ends.count(j) for j in range(len(pi))) == tuple(x):
            result.append(ends)
    return result


def matrix_of(pi, ends):
    """The matrix of counts of a behaviour, as nested tuples."""
    counts = np.zeros((len(pi), len(pi)), int)
    for i, j in zip(origins(pi), ends):
        counts[i, j] += 1
    return tuple(map(tuple, counts.tolist()))


def factorials(counts):
    return math.prod(math.factorial(int(n)) for n in np.ravel(counts))


def product_of(a, P):
    """Product of the transition probabilities of a matrix of counts."""
    return math.prod(P[i][j] ** int(n) for (i, j), n in np.ndenumerate(np.array(a)))


def minus(h, k):
    """The histogram h with one person fewer at place k."""
    return tuple(n - (place == k) for place, n in enumerate(h))


small = []
for number in range(1, 5):
    small.extend(product(histograms(number), repeat=2))
listed = {case: behaviours_between(*case) for case in small}
matrices = movements(before, after)
behaviours = behaviours_between(before, after)

# %% [markdown]
# ## M-M8 (matrices of counts)
#
# *$\mathcal A(\pi(t-1), \pi(t))$ is the set of matrices of movement counts, each of which is one behaviour of the people.* A behaviour has a matrix, but a matrix belongs to many behaviours.

# %%
size_by_formula, size_by_list = {}, {}
for (pi, x), ends_of_all in listed.items():
    counted = Counter(matrix_of(pi, ends) for ends in ends_of_all)
    for a in movements(pi, x):
        key = pi, x, tuple(map(tuple, a.tolist()))
        size_by_formula[key] = factorials(pi) // factorials(a)
        size_by_list[key] = counted[key[2]]
with claim(
    "M-M8",
    printed="a matrix of counts is one behaviour",
    corrected=r"a class of $\prod_i \pi_i! / \prod_{ij} a_{ij}!$ labelled behaviours",
) as c:
    c.differs(len(matrices), len(behaviours), "Example 4.1: behaviours")
    label = "three places, up to 4 people: size of every class"
    c.decisive("exhaustive").exact(size_by_formula, size_by_list, label)

# %% [markdown]
# ## M-M9 (equation (2))
#
# *$p(\pi(t-1), \pi(t)) = \sum_A \prod_{ij} P_{ij}^{a_{ij}}$.* We read the sum over the behaviours of labelled people, as $N!$ suggests. The check has a letter for every entry of $P$, so that it holds for all matrices. Its other side is the coefficient of $z^x$ in
# $\prod_i (\sum_j P_{ij} z_j)^{\pi_i}$, the generating function of independent people.

# %%
letters = [list(row) for row in np.array(sp.symbols("p:9")).reshape(3, 3)]
z = sp.symbols("z:3")
forms = [sum(p * variable for p, variable in zip(row, z)) for row in letters]


def coefficients(pi):
    """All coefficients of the generating function of independent people."""
    return sp.Poly(math.prod(form**n for form, n in zip(forms, pi)), *z)


different = []
generating = {pi: coefficients(pi) for pi in {pi for pi, _ in small}}
for (pi, x), ends_of_all in listed.items():
    over_people = 0
    for ends in ends_of_all:
        over_people += math.prod(letters[i][j] for i, j in zip(origins(pi), ends))
    if sp.expand(over_people - generating[pi].coeff_monomial(x)) != 0:
        different.append((pi, x))


def over_people(pi, x, P):
    """The sum (2) over labelled people."""
    total = Fraction(0)
    for ends in behaviours_between(pi, x):
        total += math.prod(P[i][j] for i, j in zip(origins(pi), ends))
    return total


def over_matrices(pi, x, P):
    """The sum (2) over matrices of counts."""
    return sum(product_of(a, P) for a in movements(pi, x))


def gain_at_b(equation):
    """Gain at B of a release (0, 2) after (2, 0); the prediction is (1, 1)."""
    released = equation((1, 0), (0, 1), even) / equation((2, 0), (0, 2), even)
    predicted = equation((1, 0), (1, 0), even) / equation((2, 0), (1, 1), even)
    return released / predicted


# %%
with claim("M-M9") as c:
    label = "three places, up to 4 people, any matrix: cases that differ"
    c.decisive("exhaustive").exact(different, [], label)
    truth = transition_probability(before, after, transition=P)
    label = "Example 4.1: over labelled people, and one place at a time"
    c.exact(over_people(before, after, P), truth, label)
    label = "over matrices of counts, (2,0) to (1,1), even chances"
    c.limit(over_matrices((2, 0), (1, 1), even), half, label)
    label = "over matrices of counts, gain of (2,0) to (0,2), even chances"
    c.limit(gain_at_b(over_matrices), gain_at_b(over_people), label)

# %% [markdown]
# ## M-M10 (the number of behaviours)
#
# *$|\mathcal A| = N!$.* $N!$ counts the assignments of people to numbered positions after, two of them at B and two at C in Example 4.1.

# %%
positions = [j for j, n in enumerate(after) for _ in range(n)]
assignments = Counter(tuple(positions[k] for k in order) for order in permutations(range(people)))
by_formula, by_list = {}, {}
for (pi, x), ends_of_all in listed.items():
    by_formula[pi, x] = math.factorial(sum(x)) // factorials(x)
    by_list[pi, x] = len(ends_of_all)
with claim(
    "M-M10",
    printed=r"$|\mathcal A| = N!$",
    corrected=r"$N! / \prod_j x_j!$ behaviours of labelled people",
) as c:
    c.differs(math.factorial(people), len(behaviours), "Example 4.1: labelled behaviours")
    label = "three places, up to 4 people: number of behaviours"
    c.decisive("exhaustive").exact(by_formula, by_list, label)
    label = "Example 4.1: assignments to positions, for each behaviour"
    c.exact(dict(assignments), dict.fromkeys(behaviours, factorials(after)), label)

# %% [markdown]
# ## M-M15 (a joint probability)
#
# *Equation (2) is written as a joint probability of $\pi(t-1)$ and $\pi(t)$.* A joint probability would sum to 1 over all pairs.

# %%
sums = []
for number in (1, 2):
    pairs = [(k, number - k) for k in range(number + 1)]
    sums.append([sum(over_people(pi, x, even) for x in pairs) for pi in pairs])
with claim(
    "M-M15",
    printed=r"$p(\pi(t-1), \pi(t))$ for the sum (2)",
    corrected=r"$p(\pi(t) \mid \pi(t-1))$; the difference cancels in gains",
) as c:
    c.differs(sum(sums[0]), Fraction(1), "one person, two places: sum over all pairs")
    label = "one and two people in two places: sum over the histogram after, for each one before"
    c.decisive("sampled").exact(sums, [[1, 1], [1, 1, 1]], label)

# %% [markdown]
# ## M-M11 (exact evaluation is not realistic)
#
# *Evaluating equation (2) exactly is not realistic.* Term by term at the paper's size this is so. Spread two thousand people evenly over a $14 \times 14$ matrix, about ten to an entry, and cut it into 49 blocks of $2 \times 2$. In each block, 21 different shifts of people keep all sums. The limit: three places, where the
# package goes through histograms instead of matrices.

# %%
shifts = len(movements([20, 20], [20, 20]))
three = np.array([[0.7, 0.2, 0.1], [0.15, 0.8, 0.05], [0.3, 0.1, 0.6]])
many_before, many_after = (40, 40, 40), (44, 45, 31)
terms = len(movements(many_before, many_after))

angles = np.exp(2j * np.pi * np.indices((121, 121)) / 121)
characteristic = 1
for to_a, to_b, to_c in three:
    characteristic = characteristic * (to_a * angles[0] + to_b * angles[1] + to_c) ** 40
by_fourier = np.fft.fft2(characteristic)[44, 45].real / 121**2
with claim("M-M11") as c:
    label = "14 places: digits of the number of matrices from shifts in 49 blocks alone"
    c.decisive("one example").exact((shifts, len(str(shifts**49))), (21, 65), label)
    kept = math.prod(n + 1 for n in (44, 31))  # partial histograms at two places
    c.limit(terms, kept, "3 places, 120 people: numbers to be kept")
    ours = transition_probability(many_before, many_after, transition=three)
    c.close(ours, by_fourier, "3 places, 120 people: our program, Fourier", rtol=1e-9)


# %% [markdown]
# ## M-M12 (equation (3))
#
# *$N! \max_A \prod_{ij} P_{ij}^{a_{ij}}$ is used in place of equation (2).* We read it as an approximation, as which the paper announces it. As a bound on the sum it holds. The limit: the paper states no bound on its error, and for *gains* there is no useful one.
#
# The exact gains of two places come from binomials: how many left A, how many came from B.

# %%
def largest_product(pi, x, P):
    """Largest product over all movements, exactly; 0 if there is none."""
    return max(product_of(a, P) for a in movements(pi, x))


def printed_gain(pi, x, P):
    """Largest gain by equation (3) for two places, by listing; the prediction is whole."""
    predicted = [sum(pi[i] * P[i][j] for i in range(2)) for j in range(2)]
    assert all(mass.denominator == 1 for mass in predicted)
    predicted = [int(mass) for mass in predicted]
    gains = []
    for i, j in product(range(2), repeat=2):
        if pi[i] and x[j] and predicted[j]:
            ratios = []
            for h in (x, predicted):
                fewer = largest_product(minus(pi, i), minus(h, j), P)
                ratios.append(fewer / largest_product(pi, h, P))
            gains.append(ratios[0] / ratios[1])
    return max(gains)


def binomial(n, p):
    return [math.comb(n, m) * p**m * (1 - p) ** (n - m) for m in range(n + 1)]


def exact_gain(pi, x, P):
    """Largest exact gain for two places, by binomials."""
    left, came = binomial(pi[0], P[0][1]), binomial(pi[1], P[1][0])
    shift = x[0] - pi[0]  # those who came minus those who left
    weights = {}
    for m in range(pi[0] + 1):
        if 0 <= m + shift <= pi[1]:
            weights[m] = left[m] * came[m + shift]
    leaving = sum(m * weight for m, weight in weights.items()) / sum(weights.values())
    coming = leaving + shift
    expected = [[pi[0] - leaving, leaving], [coming, pi[1] - coming]]
    gains = []
    for i, j in product(range(2), repeat=2):
        if pi[i] * P[i][j]:
            gains.append(expected[i][j] / (pi[i] * P[i][j]))
    return max(gains)


# %%
crossing = [[Fraction(99, 100), Fraction(1, 100)], [Fraction(0), Fraction(1)]]
seldom = [[Fraction(98, 100), Fraction(2, 100)], [Fraction(1, 100), Fraction(99, 100)]]
largest, exact, bound = [], [], []
for pi, x in small:
    largest.append(largest_product(pi, x, P))
    exact.append(transition_probability(pi, x, transition=P))
    bound.append(bound_transition_probability(pi, x, transition=P))
with claim("M-M12") as c:
    label = "three places, up to 4 people: the sum is at most (3)"
    c.decisive("sampled").at_most(exact, bound, label)
    c.decisive("sampled").at_most(largest, exact, "and at least its largest product")
    for pi, x, matrix, name in (
        ((2, 0), (0, 2), even, "(2,0) to (0,2), even chances"),
        ((100, 0), (50, 50), crossing, "100 people, 1 in 100 turns, 50 did"),
        ((100, 100), (101, 99), seldom, "(100,100) to (101,99), people seldom move"),
    ):
        label = f"{name}: largest gain"
        c.limit(float(printed_gain(pi, x, matrix)), float(exact_gain(pi, x, matrix)), label)


# %% [markdown]
# ## M-M13 (footnote 1)
#
# *A mixture of multinomials cannot serve; for the identity matrix it gives 0 for every histogram.* The conclusion is right, the reason is not. In either reading of "mixture", some histogram has a positive probability that it cannot have, and the sum of independent multinomials serves.

# %%
def one_place(pi, x):
    """A place is drawn, and all people are drawn from there; identity matrix."""
    total = sum(pi)
    return sum(Fraction(n, total) * int(x[i] == total) for i, n in enumerate(pi))


def mean_row(pi, x):
    """Each person is drawn from the mean of the rows; identity matrix."""
    total = sum(pi)
    share = math.prod(Fraction(n, total) ** m for n, m in zip(pi, x))
    return math.factorial(total) // factorials(x) * share


releases = [(0, 2), (1, 1), (2, 0)]
with claim(
    "M-M13",
    printed="a mixture of multinomials gives 0 for every histogram",
    corrected="not for every histogram; a convolution of multinomials is right",
) as c:
    label = "identity, (1,1) to (2,0): all drawn from one place"
    c.differs(Fraction(0), one_place((1, 1), (2, 0)), label)
    label = "identity, (1,1) to (2,0): each drawn from the mean of the rows"
    c.differs(Fraction(0), mean_row((1, 1), (2, 0)), label)
    convolution = [transition_probability((1, 1), x, transition=stay) for x in releases]
    label = "identity, (1,1): convolution gives 1 to the only possible histogram"
    c.decisive("one example").exact(convolution, [0, 1, 0], label)


# %% [markdown]
# ## M-F1, M-F3 and M-F4 (the network, its capacities, its flows)
#
# M-F1: *The network has a source, the places before, the places after, a sink, and an arc $\ell_i \to \ell_j$ where $P_{ij} \ne 0$.* M-F3: *Capacities, equation (4).* M-F4: *A maximum flow gives numbers of people who move from $i$ to $j$*; we read: if its value is $N$.
# All 343 patterns of possible moves between three places, with one matrix of random fractions for each.

# %%
def network(pi, x, P, *, middle=True):
    """Equations (4) and (5), the costs in units of 1e-9; the middle capacities can be left out."""
    graph = nx.DiGraph()
    for i, n in enumerate(pi):
        graph.add_edge("source", (0, i), capacity=int(n), weight=0)
    for j, n in enumerate(x):
        graph.add_edge((1, j), "sink", capacity=int(n), weight=0)
    for i, j in np.argwhere(np.asarray(P) != 0).tolist():
        graph.add_edge((0, i), (1, j), weight=round(-math.log(P[i][j]) * 1e9))
        if middle:
            graph.edges[(0, i), (1, j)]["capacity"] = int(pi[i])
    return graph


rng = np.random.default_rng(4)
rows = [row for row in product((0, 1), repeat=3) if any(row)]
patterns = []
for pattern in product(rows, repeat=3):
    weights = np.array(pattern) * rng.integers(1, 9, (3, 3))
    patterns.append([[Fraction(int(v), int(row.sum())) for v in row] for row in weights])
best_products = [largest_product(before, after, matrix) for matrix in patterns]
flow_values = [max_flow(before, after, transition=matrix) for matrix in patterns]

capacities_of_4, without_middle, flows = [], [], []
for matrix in patterns:
    with_4 = network(before, after, matrix)
    value, flow = nx.maximum_flow(with_4, "source", "sink")
    capacities_of_4.append(value)
    free = network(before, after, matrix, middle=False)
    without_middle.append(nx.maximum_flow_value(free, "source", "sink"))
    moved = np.zeros((3, 3), int)
    for i, j in np.ndindex(3, 3):
        moved[i, j] = flow[0, i].get((1, j), 0)
    if value == people:
        sums = tuple(moved.sum(axis=1).tolist()), tuple(moved.sum(axis=0).tolist())
        flows.append((*sums, product_of(moved, matrix) > 0))

# %%
with claim("M-F1") as c:
    carries_all = [value == people for value in flow_values]
    some_movement = [best > 0 for best in best_products]
    label = f"Example 4.1, {len(patterns)} patterns: flow N if and only if a movement exists"
    c.decisive("sampled").exact(carries_all, some_movement, label)
with claim("M-F3") as c:
    label = "Example 4.1, all patterns: value of the flow, networkx with (4) and ours"
    c.decisive("sampled").exact(capacities_of_4, flow_values, label)
    label = "and with (4) but no capacities in the middle"
    c.decisive("sampled").exact(without_middle, flow_values, label)
with claim("M-F4") as c:
    label = "Example 4.1, all patterns with flow 5: row sums, column sums, possible moves only"
    wanted = [(before, after, True)] * sum(some_movement)
    c.decisive("sampled").exact(flows, wanted, label)
    carried = max_flow([1, 0], [0, 1], transition=stay)
    c.limit(1, carried, "nobody can move, (1,0) to (0,1): people that the flow carries")

# %% [markdown]
# ## M-F5 and M-F2 (Example 4.1)
#
# M-F5: *There are several maximum flows in general.* M-F2: *$\pi(t-1) = (2, 2, 1)$, $\pi(t) = (1, 2, 2)$ as a flow network*; we read: for every positive matrix, since the text gives none.

# %%
cut = int(nx.minimum_cut_value(network(before, after, P), "source", "sink"))
classes = {matrix_of(before, ends) for ends in behaviours}
closed = [[Fraction(0), half, half], *P[1:]]  # nobody stays at A
still_open = sum(product_of(a, closed) > 0 for a in matrices)
with claim("M-F5") as c:
    label = "Example 4.1: whole maximum flows, matrices among all behaviours"
    c.exact((len(matrices), len(classes)), (11, 11), label)
with claim("M-F2") as c:
    value = max_flow(before, after, transition=P)
    pair = (value, len(matrices))
    c.decisive("one example").exact(pair, (cut, len(classes)), "value of the flow; whole flows")
    c.limit(len(matrices), still_open, "a matrix with a zero, nobody stays at A: whole flows")

# %% [markdown]
# ## M-F6 (equation (5))
#
# *Costs $-\log P_{ij}$ on the middle arcs, 0 elsewhere.* **Not checkable:** a definition. That the cheapest flow is the most likely movement is the next claim.
#
# ## M-F7 (Theorem 4.1)
#
# *$p_{\max} = N! \exp(-C_{\min})$, with the cost $C_{\min}$ of a minimum-cost maximum flow*; we read: if the maximum flow has the value $N$. Otherwise every movement uses an impossible move. The theorem needs that some cheapest flow is whole, that is, that the matrix of sums is totally unimodular.

# %%
leave = np.kron(np.eye(3, dtype=int), np.ones(3, dtype=int))
arrive = np.kron(np.ones(3, dtype=int), np.eye(3, dtype=int))
matrix_of_sums = np.vstack([leave, arrive])
determinants = set()
for size in range(1, 7):
    for chosen_rows in combinations(range(6), size):
        for chosen_columns in combinations(range(9), size):
            square = matrix_of_sums[np.ix_(chosen_rows, chosen_columns)]
            determinants.add(round(np.linalg.det(square)))

graph = network(before, after, P)
cheapest = nx.max_flow_min_cost(graph, "source", "sink")
by_networkx = nx.cost_of_flow(graph, cheapest) / 1e9
costs = -np.log(P.astype(float)).ravel()
by_highs = linprog(costs, A_eq=matrix_of_sums, b_eq=[*before, *after]).fun
idle = network((1, 0), (0, 1), stay)
idle_cost = nx.cost_of_flow(idle, nx.max_flow_min_cost(idle, "source", "sink")) / 1e9
with claim("M-F7") as c:
    p_max = [bound_transition_probability(before, after, transition=m) for m in patterns]
    listed_maxima = [math.factorial(people) * best for best in best_products]
    label = "Example 4.1, one matrix for each pattern: N! times the largest product"
    c.decisive("sampled").exact(p_max, listed_maxima, label)
    label = "three places: determinants of all square submatrices of the matrix of sums"
    c.exact(sorted(determinants), [-1, 0, 1], label)
    least = -math.log(largest_product(before, after, P))
    c.close((by_networkx, by_highs), (least, least), "C by networkx, HiGHS; by listing", rtol=1e-8)
    c.limit(math.exp(-idle_cost), 0.0, "a flow of value 0 where nobody can move: p_max")

# %% [markdown]
# ## M-F8 (Figure 1)
#
# *The flow network of Example 4.1 with capacities and costs.*

# %%
with claim("M-F8") as c:
    c.source_incomplete("Figure 1 is not in our copy; it is drawn from equations (4) and (5)")
    c.exact(cut, people, "the network as drawn: the least cut lets all 5 people through")

# %% [markdown]
# ## M-F7b (what the theorem calls (3))
#
# *Equation (3) is the maximum of the realisation probability (2).* It is $N!$ times the largest term of that sum.

# %%
both_stay = bound_transition_probability((2, 0), (2, 0), transition=even)
with claim(
    "M-F7b",
    printed="equation (3) is the maximum of the realisation probability (2)",
    corrected="$N!$ times the largest term of (2)",
) as c:
    term = largest_product((2, 0), (2, 0), even)
    c.differs(both_stay, term, "two people stay: (3), largest term of (2)")
    value = bound_transition_probability(before, after, transition=P)
    c.decisive("one example").exact(value, 120 * Fraction(1, 64), "Example 4.1: N! times 1/64")


# %% [markdown]
# ## M-B1 (the exact gain)
#
# Ours: *the exact distribution is a product of multinomial generating functions, and the exact gain of OPK and NPK is $E[a_{ij} \mid \pi, x] / (\pi_i P_{ij})$, that of MK $x_j / \tilde\pi_j$.* Everything that up to four people can do, for one matrix.

# %%
def posterior_by_list(pi, x):
    """Probability of each place after, for each person, from all behaviours."""
    result = np.full((sum(pi), 3), Fraction(0))
    total = Fraction(0)
    for ends in listed[pi, x]:
        chance = math.prod(P[i, j] for i, j in zip(origins(pi), ends))
        total += chance
        for person, j in enumerate(ends):
            result[person, j] += chance
    return result / total


program, by_list = [], []
opk, opk_by_list, mk, mk_by_list = [], [], [], []
for pi, x in small:
    program.append(transition_probability(pi, x, transition=P))
    by_list.append(over_people(pi, x, P))
    posterior = posterior_by_list(pi, x)
    priors = np.array([P[i] for i in origins(pi)])
    opk_table = gain_table(pi, x, transition=P, definition="exact")
    opk.append([opk_table[i].tolist() for i in origins(pi)])
    opk_by_list.append((posterior / priors).tolist())
    mk.append(gain_table(pi, x, transition=P, definition="exact", adversary="MK").tolist())
    mk_by_list.append((posterior.mean(axis=0) / priors.mean(axis=0)).tolist())
with claim("M-B1") as c:
    label = "three places, up to 4 people: distribution, by all behaviours"
    c.decisive("sampled").exact(program, by_list, label)
    label = "up to 4 people: gain about every person (OPK, NPK), by all behaviours"
    c.decisive("sampled").exact(opk, opk_by_list, label)
    label = "up to 4 people: gain of MK, mean posterior over mean prior"
    c.decisive("sampled").exact(mk, mk_by_list, label)
    expected = [[188, 146, 196], [64, 300, 166], [13, 84, 168]]
    found = 265 * expected_movement(before, after, transition=P)
    c.exact(found.astype(int).tolist(), expected, "Example 4.1: 265 times E[a]")

# %% [markdown]
# ## M-B2 (all savings from one flow)
#
# Ours: *all $L^2$ savings come from one optimal flow, as shortest distances in its residual network;* each is the smallest sum of two optimal dual prices.

# %%
best = most_likely_movement(before, after, transition=P)
saved = unit_savings(best, P)
by_listing, by_duals = np.zeros((3, 3)), np.zeros((3, 3))
for i, j in np.ndindex(3, 3):
    fewer = largest_product(minus(before, i), minus(after, j), P)
    by_listing[i, j] = math.log(fewer / largest_product(before, after, P))
    price = np.zeros(6)
    price[[i, 3 + j]] = 1
    smallest = linprog(
        price,
        A_ub=matrix_of_sums.T,
        b_ub=costs,
        A_eq=[[*before, *after]],  # optimal prices earn the least cost
        b_eq=[least],
        bounds=(None, None),
    )
    by_duals[i, j] = smallest.fun

rng = np.random.default_rng(14)
P14 = rng.dirichlet(np.full(14, 0.5), size=14)
pi14 = rng.multinomial(683, np.ones(14) / 14)
x14 = sum(rng.multinomial(n, row) for n, row in zip(pi14, P14))
saved14 = unit_savings(most_likely_movement(pi14, x14, transition=P14), P14)


def cost_by_networkx(pi, x):
    graph = network(pi, x, P14)
    return nx.cost_of_flow(graph, nx.max_flow_min_cost(graph, "source", "sink")) / 1e9


entire = cost_by_networkx(pi14, x14)
pairs = rng.integers(0, 14, size=(12, 2))
again = [entire - cost_by_networkx(minus(pi14, i), minus(x14, j)) for i, j in pairs]
with claim("M-B2") as c:
    c.decisive("sampled").close(saved, by_listing, "Example 4.1, all pairs: listing", atol=1e-9)
    label = "Example 4.1, all pairs: smallest sum of two optimal prices, HiGHS"
    c.decisive("sampled").close(saved, by_duals, label, atol=1e-7)
    label = "14 places, 12 pairs: one flow, networkx solved again"
    c.decisive("sampled").close(saved14[tuple(pairs.T)], again, label, atol=1e-6)

# %% [markdown]
# ## M-B3 (the right limit for many people)
#
# Ours: *the gain by equation (3) can be 1 where the exact gain is large, and large where the exact gain is small; entropic transport is the right limit for many people.* The bridge is checked against scaling from its definition, and its error against the exact gain.

# %%
count, mass, s_j, c_i = sp.symbols("a m s c", positive=True)  # m is pi_i P_ij
slope = sp.diff(count * sp.log(count / mass), count)
at_bridge = slope.subs(count, mass * s_j / c_i)
stationary = derivation(at_bridge, of=r"\partial_a\, a \log\tfrac{a}{m}").equal(
    sp.log(s_j) - sp.log(c_i) + 1, r"at $a = m s_j / c_i$: a row part plus a column part"
)
stationary


# %%
def bridge_by_scaling(pi, x, P, rounds=4000):
    """The bridge, from its definition."""
    P, s = np.asarray(P, float), np.ones(len(x))
    for _ in range(rounds):
        b = (np.array(pi) / (P @ s))[:, None] * P * s
        s = s * x / b.sum(axis=0)
    return b


stubborn = 0.7 * np.eye(3) + 0.1
mean_errors = {}
for number in (15, 120):
    generator = np.random.default_rng(number)
    pi = np.full(3, number // 3)
    squares = []
    for _ in range(30):
        x = sum(generator.multinomial(n, row) for n, row in zip(pi, stubborn))
        logs = {}
        for name in ("exact", "printed", "bridge"):
            logs[name] = math.log(max_gain(pi, x, transition=stubborn, definition=name))
        squares.append([(logs[name] - logs["exact"]) ** 2 for name in ("printed", "bridge")])
    mean_errors[number] = np.sqrt(np.mean(squares, axis=0))
alarm, missed = ((100, 100), (101, 99)), ((100, 100), (50, 150))
with claim("M-B3") as c:
    reported = printed_gain(*missed, seldom)
    label = "half of A left: (3) is 1, the exact gain above 24"
    pair = (reported, exact_gain(*missed, seldom) > 24)
    c.decisive("proved").exact(pair, (Fraction(1), True), label)
    reported = printed_gain(*alarm, seldom)
    label = "two more than predicted: (3) is 49 · 99, the exact gain below 2"
    pair = (reported, exact_gain(*alarm, seldom) < 2)
    c.decisive("proved").exact(pair, (Fraction(49 * 99), True), label)
    label = "stationary for the largest term of the exact distribution"
    c.derived(stationary, at_bridge, sp.log(s_j) - sp.log(c_i) + 1, label)
    label = "error of the bridge at 120 people, half of that at 15"
    c.decisive("sampled").at_most(mean_errors[120][1], mean_errors[15][1] / 2, label)
    label = "error of equation (3): not even halved"
    c.at_most(mean_errors[15][0] / 2, mean_errors[120][0], label)
    ours = expected_movement(before, after, transition=P.astype(float), method="bridge")
    label = "Example 4.1: bridge, by scaling"
    c.close(ours, bridge_by_scaling(before, after, P), label, rtol=1e-8)
