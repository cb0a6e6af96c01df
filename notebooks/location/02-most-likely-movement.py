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
# # The most likely movement, and why it is not the probability
#
# At nine o'clock two people stand at A, two at B, one at C. A minute later it is one, two and two. How
# likely was that? Many movements lead from one histogram to the other; the paper adds them up, finds the
# sum too long, and keeps the likeliest alone, which a flow algorithm finds at once. The algorithm is
# right. But what an attacker learns about one person is a *ratio* of such numbers, and in that ratio the
# likeliest movement can be silent where the attacker is certain, and cry wolf where she learns nothing.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** to write down the exact probability of a histogram after another, to find the most
# likely movement as a minimum-cost flow, to get all gains of an attacker from one flow, where the
# exact law and the likeliest movement part, and what to put in the place of both when there are many people.
# **You need** the three attackers ([notebook 1](01-adversarial-privacy.ipynb)), polynomials in several variables, logarithms, and shortest paths in a graph.
# **Time:** 19 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows the transition matrix $P$ and the histogram $\pi = \pi(t-1)$, perhaps also where
# one person (OPK) or everybody (NPK) was, and sees the histogram $x = \pi(t)$. **Protected:** the
# attacker's probability that a person $u$ is now at $\ell_j$ may grow by a factor $e^\varepsilon$ at most.
# **Not protected:** what $P$ says anyway; other releases; an attacker who knows how a release was made.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import itertools
import math
from collections import Counter
from fractions import Fraction

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
from privlib.notebook import claim, derivation, misprints, plots, table

plots.use()
F = Fraction

# %% [markdown]
# $P_{ij}$ is the probability to go from $\ell_i$ to $\ell_j$, and $a_{ij}$ the number of people who do. Places are A, B, C, … in
# examples.
#
# ## How many behaviours are there?
#
# ```{prf:definition} Movements (人々の行動)
# :label: def-lo-02-movements
# $\mathcal A(\pi, x)$ is the set of matrices $A = (a_{ij})$ of counts with row sums $\pi_i$ and column
# sums $x_j$.
# ```
#
# Example 4.1 of the paper has $\pi = (2, 2, 1)$ and $x = (1, 2, 2)$.

# %%
before, after = [2, 2, 1], [1, 2, 2]
tables = movements(before, after)
print(len(tables), "matrices; the first one:", tables[0].tolist())


# %% [markdown]
# The paper calls each matrix one behaviour of the people.
#
# ```{admonition} As printed
# :class: as-printed
# Each $A \in \mathcal A$ is one of the behaviours of the people, and there are $|\mathcal A| = N!$ of them.
# ```
#
# Write down what five *named* people can do, and there are 30<!-- {persons} --> behaviours that end at $x$, $N! / \prod_j x_j!$ in general; a matrix stands for a whole class of
# them, $\prod_i \pi_i! / \prod_{ij} a_{ij}!$ behaviours that differ in *who* went. And $N! = 120$ counts the assignments of five persons to five numbered *slots*, two at B, two at C. So there are three things to
# count: 11<!-- {shown_tables} --> matrices, 30<!-- {persons} --> labelled behaviours, 120 assignments. Which of them does the sum of probabilities run over?

# %% jupyter={"source_hidden": true} tags=["evidence"]
def factorials(counts):
    return math.prod(math.factorial(int(n)) for n in np.ravel(counts))


def histograms(people):
    return [
        h for h in itertools.product(range(people + 1), repeat=3) if sum(h) == people
    ]


def origins(pi):
    return [i for i, n in enumerate(pi) for _ in range(n)]


def routes_between(pi, x):
    """Everything that named people can do between two histograms."""
    return [
        route
        for route in itertools.product(range(len(pi)), repeat=sum(pi))
        if all(route.count(j) == n for j, n in enumerate(x))
    ]


def matrix_of(pi, route):
    """The counts of a behaviour, as nested tuples."""
    counts = np.zeros((len(pi), len(pi)), int)
    np.add.at(counts, (origins(pi), list(route)), 1)
    return tuple(map(tuple, counts.tolist()))


def class_size(pi, A, *, as_printed=False):
    """Behaviours that a matrix of counts stands for; as printed one."""
    return 1 if as_printed else factorials(pi) // factorials(A)


def behaviours_to(x, *, as_printed=False):
    """Behaviours of labelled persons that end at x; as printed N!."""
    return math.factorial(sum(x)) // (1 if as_printed else factorials(x))


def at_one_place(people):
    """N! and the matrices of counts of people who all stay at one place."""
    return math.factorial(people), len(movements([people], [people]))


behaviours = routes_between(before, after)
classes = Counter(matrix_of(before, route) for route in behaviours)
small = [(pi, x) for n in (1, 2, 3, 4) for pi in histograms(n) for x in histograms(n)]
listed = {case: routes_between(*case) for case in small}
with claim(
    "M-M8",
    printed="a matrix of counts is one behaviour",
    corrected=r"a class of $\prod_i \pi_i! / \prod_{ij} a_{ij}!$ labelled behaviours",
    consequence="the sum (2) over matrices lacks these coefficients",
) as c:
    printed_number = sum(class_size(before, A, as_printed=True) for A in tables)
    c.differs(printed_number, len(behaviours), "Example 4.1: matrices, behaviours")
    c.exact(
        [printed_number, sum(class_size(before, A) for A in tables)],
        [len(classes), len(behaviours)],
        "Example 4.1: classes, behaviours in all of them",
    )
    sizes = {
        (pi, x): {
            tuple(map(tuple, A.tolist())): class_size(pi, A)
            for A in movements(pi, x)
        }
        for pi, x in small
    }
    counted = {
        (pi, x): dict(Counter(matrix_of(pi, r) for r in found))
        for (pi, x), found in listed.items()
    }
    c.decisive("exhaustive").exact(
        sizes, counted, "three places, up to 4 people: size of every class"
    )
with claim(
    "M-M10",
    printed=r"$|\mathcal A| = N!$",
    corrected=r"$N! / \prod_j x_j!$ behaviours of labelled persons",
    consequence=r"$N!$ counts assignments of persons to numbered slots",
) as c:
    many = behaviours_to(after, as_printed=True)
    c.differs(*at_one_place(2), "two people, one place: as matrices of counts")
    c.differs(many, len(behaviours), "Example 4.1: as labelled behaviours")
    slots = sum(class_size(before, A) * factorials(after) for A in tables)
    c.exact(
        [many, len(tables)], [slots, 11], "Example 4.1: N! counts slots; matrices"
    )
    ends = {(pi, x): behaviours_to(x) for pi, x in small}
    c.decisive("exhaustive").exact(
        ends,
        {case: len(found) for case, found in listed.items()},
        "three places, up to 4 people: N! / prod x_j! behaviours",
    )
    assert many == 120
shown_tables = len(tables)
persons = len(behaviours)

# %% [markdown]
# ## Equation (2), read in three ways
#
# The true law needs no choice. The $N$ moves are independent given where everybody was, so the generating
# function of the histogram after is a product with one factor a person:
#
# $$p(x \mid \pi) = [z^x] \prod_i \Big(\sum_j P_{ij} z_j\Big)^{\pi_i}
#   = \sum_{A} \prod_i \frac{\pi_i!}{\prod_j a_{ij}!} \prod_{ij} P_{ij}^{a_{ij}}.$$
#
# The second equality is the multinomial theorem, row by row. In the smallest case, two people at A and one at B, with
# symbols for the matrix:

# %% jupyter={"source_hidden": true} tags=["evidence"]
p, q, r, s, z, w = sp.symbols("p q r s z w", positive=True)
squares = p**2 * z**2 + 2 * p * q * z * w + q**2 * w**2
by_place = (
    p**2 * r * z**3
    + (p**2 * s + 2 * p * q * r) * z**2 * w
    + (q**2 * r + 2 * p * q * s) * z * w**2
    + q**2 * s * w**3
)
generating = (
    derivation((p * z + q * w) ** 2 * (r * z + s * w))
    .equal(squares * (r * z + s * w), "2 of each mixed pair")
    .equal(by_place, "collect")
)
generating

# %% [markdown]
# The coefficients 2 say that either of the two may be the one who left. They are what equation (2) lacks.
#
# ```{admonition} As printed
# :class: as-printed
# *Realisation probability* (実現確率), equation (2), over matrices of counts:
#
# $$p(\pi(t-1), \pi(t); P) = \sum_{A \in \mathcal A(\pi(t-1), \pi(t))} \prod_{ij} P_{ij}^{a_{ij}}.$$
# ```
#
# Over matrices of counts it is too small; over labelled persons it is
# exactly the truth; over the $N!$ assignments to slots it is a permanent, $\prod_j x_j!$ times the truth.
# The example's matrix is not in the text, so we use one of ours.

# %%
matrix = [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/8", "3/8", "1/2"]]
P = [[F(v) for v in row] for row in matrix]
print("p(x | pi) =", transition_probability(before, after, transition=P))

# %% jupyter={"source_hidden": true} tags=["evidence"]
half = F(1, 2)
even = [[half, half], [half, half]]


def along(pi, route, P):
    """Product of the transition probabilities of named people."""
    return math.prod(P[i][j] for i, j in zip(origins(pi), route))


def product_of(A, P):
    """The product of a movement."""
    return math.prod(
        P[i][j] ** int(A[i][j]) for i in range(len(P)) for j in range(len(P))
    )


def by_counts(pi, x, P, *, as_printed=False):
    """Sum over matrices of counts; as printed without the coefficients."""
    return sum(
        class_size(pi, A, as_printed=as_printed) * product_of(A, P)
        for A in movements(pi, x)
    )


def equation_2(pi, x, P, reading):
    """The sum (2), over what a reading takes for a movement."""
    if reading == "counts":
        return by_counts(pi, x, P, as_printed=True)
    if reading == "persons":
        return sum(along(pi, route, P) for route in routes_between(pi, x))
    slots = origins(x)  # the place of each slot
    return sum(
        along(pi, [slots[k] for k in order], P)
        for order in itertools.permutations(range(sum(pi)))
    )


readings = {
    name: equation_2(before, after, P, name)
    for name in ("counts", "persons", "slots")
}
truth = transition_probability(before, after, transition=P)


def gain_by_equation_2(reading):
    """Gain at B of a release (0, 2) after (2, 0); the prediction is (1, 1)."""
    four = [((1, 0), (0, 1)), ((2, 0), (1, 1)), ((1, 0), (1, 0)), ((2, 0), (0, 2))]
    value = [equation_2(pi, x, even, reading) for pi, x in four]
    return value[0] * value[1] / value[2] / value[3]


with claim(
    "M-M9",
    printed=r"$\sum_A \prod P_{ij}^{a_{ij}}$ over matrices of counts",
    corrected=r"$\sum_A \prod_i (\pi_i! / \prod_j a_{ij}!) \prod P_{ij}^{a_{ij}}$",
    consequence="the gain changes too: from (2,0) to (0,2) it is 1 instead of 2",
) as c:
    one = by_counts([2, 0], [1, 1], even, as_printed=True)
    two_to_each = transition_probability([2, 0], [1, 1], transition=even)
    c.differs(one, two_to_each, "(2,0) to (1,1)")
    c.exact([one, two_to_each], [F(1, 4), half], "(2,0) to (1,1): both, by hand")
    lacking = by_counts(before, after, P, as_printed=True)
    c.differs(lacking, truth, "Example 4.1 with our matrix")
    two_gains = [gain_by_equation_2(name) for name in ("counts", "persons")]
    c.differs(*two_gains, "gain, (2,0) to (0,2)")
    with_coefficients = {case: by_counts(*case, P) for case in small}
    by_names = {
        (pi, x): sum(along(pi, r, P) for r in found)
        for (pi, x), found in listed.items()
    }
    c.decisive("sampled").exact(
        with_coefficients,
        by_names,
        "three places, up to 4 people: sum over behaviours",
    )
    c.exact(readings["persons"], truth, "Example 4.1, over persons: the truth")
    c.exact(
        readings["slots"], truth * factorials(after), "over slots: prod x_j! times it"
    )
    assert two_gains == [1, 2]
table(
    {
        "sum over": ["matrices of counts", "labelled persons", "slots"],
        "terms": [len(tables), len(behaviours), many],
        "equation (2)": list(readings.values()),
        "decimal": [float(v) for v in readings.values()],
    },
    formats={"decimal": ".5f"},
    caption=f"Example 4.1 with our matrix. The true probability is {truth}.",
)

# %% [markdown]
# So no reading makes equation (2) and "$N!$ terms" right together, unless every $x_j \le 1$. Read over
# persons the equation stands, with $N!/\prod_j x_j!$ terms. Is the sum really out of reach?
#
# ## Is the exact law out of reach?
#
# Term by term, yes. Spread the paper's two thousand people evenly over its 14 stations, and cut the
# $14 \times 14$ matrix of about ten people an entry into 49 blocks of $2 \times 2$. In each of them
# 21<!-- {shifts} --> different shifts of people keep all sums, which makes more than $10^{64}$ matrices.
#
# But a sum of astronomically many terms need not be taken term by term. With the generating function the
# work grows with $\prod_j (x_j + 1)$ over all places but one. For 120 people in three places equation (2) has 326,040<!-- {shown_terms} --> terms; the product of 120 linear
# forms never holds more than 1,440<!-- {shown_states} --> coefficients, and takes milliseconds. Fourteen
# places with moves between all of them remain out of reach. (Where few moves are possible, all movements can be summed arc by arc; `expected_movement` does so, and
# [notebook 7](07-tokyo.ipynb) uses it.) Let us see what the paper does
# instead, since it is the part that scales.

# %% jupyter={"source_hidden": true} tags=["evidence"]
P3 = np.array([[0.7, 0.2, 0.1], [0.15, 0.8, 0.05], [0.3, 0.1, 0.6]])
many_before, many_after = np.array([40, 40, 40]), np.array([44, 45, 31])
angles = np.exp(2j * np.pi * np.indices((121, 121)) / 121)
shape = [k * angles[0] + m * angles[1] + n for k, m, n in P3]
characteristic = math.prod(form**40 for form in shape)
by_fourier = np.fft.fft2(characteristic)[44, 45].real / 121**2
room = (
    np.indices((41, 41)).sum(axis=0) <= 40
)  # a row of 40 people: (a, b, 40 - a - b)
row_of_40 = np.fft.fft2(room.astype(float), (160, 160))
terms = round(np.fft.ifft2(row_of_40**3).real[44, 45].item())  # 3 by 3, all sums kept
states = math.prod(n + 1 for n in (44, 31))
shifts = len(movements([20, 20], [20, 20]))
with claim("M-M11") as c:
    c.decisive("one example").exact(
        [shifts, len(str(shifts**49))],
        [21, 65],
        "14 places, 10 people an entry: shifts in a block, digits of 49 blocks",
    )
    ab = np.argwhere(room)  # of two rows: what they leave for the third
    left_a, left_b = (
        n - ab[:, None, k] - ab[None, :, k] for k, n in enumerate((44, 45))
    )
    third = (left_a >= 0) & (left_b >= 0) & (left_a + left_b <= 40)
    c.exact(
        [terms, states],
        [int(third.sum()), len(list(itertools.product(range(45), range(32))))],
        "3 places, 120 people: matrices, and monomials to be kept, counted",
    )
    c.limit(terms, states, "3 places, 120 people: numbers to be kept")
    ours = transition_probability(many_before, many_after, transition=P3)
    c.close(ours, by_fourier, "3 places, 120 people: exact law, Fourier", rtol=1e-9)
tiny = np.fft.ifft2(
    np.fft.fft2((np.indices((3, 3)).sum(0) <= 2) * 1.0, (16, 16)) ** 3
)
assert round(tiny.real[2, 2]) == len(movements([2, 2, 2], [2, 2, 2]))
shown_terms = f"{terms:,}"
shown_states = f"{states:,}"

# %% [markdown]
# ## The most likely movement is a flow
#
# ```{prf:definition} Flow network (フローネットワーク), capacities (4) and costs (5)
# :label: def-lo-02-network
# Arcs run from a source $s$ to every $\ell_i$ of time $t-1$ (capacity $\pi_i(t-1)$, cost 0), from there to
# every $\ell_j$ of time $t$ with $P_{ij} \ne 0$ (capacity $\pi_i(t-1)$, cost $-\log P_{ij}$), and on to a
# sink $e$ (capacity $\pi_j(t)$, cost 0).
# ```
#
# A flow of value $N$ in whole numbers is a movement, and costs add up to minus the logarithm of its product. So the cheapest one is the likeliest movement. That
# it comes out in whole people is the total unimodularity of a network's matrix.

# %%
best = most_likely_movement(before, after, transition=P)
print(best.counts.astype(int).tolist(), "  product", round(math.exp(-best.cost), 6))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The flow network of Example 4.1 with our matrix. Numbers on the arcs are transition probabilities; wide arcs carry the most likely movement, whose product is 1/64. Ten other movements share the same sums.", "name": "fig-lo-02-network"}, "image": {"alt": "Three places before on the left with 2, 2 and 1 people, three places after on the right with 1, 2 and 2 people, joined by nine arcs; arcs from A to A, A to C, B to B (two people) and C to C are wide."}} tags=["figure"]
assert best.counts.tolist() == [[1, 0, 1], [0, 2, 0], [0, 0, 1]]
assert product_of(best.counts, P) == F(1, 64)
assert len(tables) - 1 == 10
fig, ax = plots.panels(height=3.4)
for i, j in itertools.product(range(3), repeat=2):
    used = int(best.counts[i, j])
    colour = plots.COLOURS["blue"] if used else plots.COLOURS["grey"]
    ax.plot([0, 1], [-i, -j], color=colour, lw=1 + 2.5 * used, ls="-", zorder=1)
    at = 0.17 + 0.06 * j
    box = {"fc": "white", "ec": "none", "pad": 0.8}
    ax.text(
        at,
        -i + at * (i - j),
        str(P[i][j]),
        fontsize=8,
        ha="center",
        va="center",
        bbox=box,
    )
for side, counts in ((0, before), (1, after)):
    ax.scatter(
        [side] * 3, [0, -1, -2], s=620, c="white", edgecolors="black", zorder=2
    )
    for k, n in enumerate(counts):
        ax.text(side, -k, f"{'ABC'[k]}: {n}", ha="center", va="center", fontsize=9)
ax.text(0, 0.5, "people before", ha="center")
ax.text(1, 0.5, "people after", ha="center")
ax.set(xlim=(-0.15, 1.15), ylim=(-2.4, 0.75))
ax.axis("off")
plots.plt.show()


# %% [markdown]
# ```{admonition} As printed
# :class: as-printed
# **Theorem 4.1.** With $C_{\min}$ the cost of a minimum-cost maximum flow (最小コスト最大流),
# the maximum (3) is $p_{\max}(\pi(t-1), \pi(t); P) = N! \exp(-C_{\min})$.
# ```
#
# Is "maximum flow" enough? Take a matrix under which nobody moves, and a release in which somebody did, $(1, 0)$ to $(0, 1)$. The maximum flow is empty and costs nothing, so
# $p_{\max} = 1! \cdot e^0 = 1$: coded as printed, an impossible release counts as a certain one. One sentence of the paper before the theorem has the same gap, that a maximum flow gives the number of people who go from $\ell_i$ to $\ell_j$. The authors surely mean
# flows that carry everybody. Then both are right:
#
# ```{prf:theorem} The paper's Theorem 4.1 with its proviso
# :label: thm-lo-02-flow
# If the maximum flow has the value $N$, the maximum (3) is $N! \exp(-C_{\min})$. Otherwise no movement joins the two histograms, and the maximum is 0.
# ```
#
# *Proof.* Integral flows of value $N$ and movements are the same thing, and with whole capacities some cheapest flow is integral. Its cost is $-\log \prod P^a$. $\square$
#
# We try it on all 343<!-- {supports} --> patterns of possible moves between three places, with three solvers and with enumeration.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def cost_by_highs(pi, x, P):
    eye, one = np.eye(len(pi)), np.ones(len(pi))
    sums = np.vstack([np.kron(eye, one), np.kron(one, eye)])
    costs = -np.log(np.asarray(P, float)).ravel()
    return linprog(costs, A_eq=sums, b_eq=[*pi, *x]).fun


def network(pi, x, P, *, middle=True):
    """Equations (4) and (5); costs in integer units of 1e-9."""
    graph = nx.DiGraph()
    for i, n in enumerate(pi):
        graph.add_edge("s", (0, i), capacity=int(n), weight=0)
    for j, n in enumerate(x):
        graph.add_edge((1, j), "e", capacity=int(n), weight=0)
    for i, j in np.argwhere(np.asarray(P) != 0).tolist():
        cost = round(-math.log(P[i][j]) * 1e9)
        room = {"capacity": int(pi[i])} if middle else {}
        graph.add_edge((0, i), (1, j), weight=cost, **room)
    return graph


def cost_by_networkx(pi, x, P):
    graph = network(pi, x, P)
    return nx.cost_of_flow(graph, nx.max_flow_min_cost(graph, "s", "e")) / 1e9


def largest(pi, x, P):
    """Largest product over all movements, exactly; 0 if there is none."""
    return max(product_of(A, P) for A in movements(pi, x))


rng = np.random.default_rng(4)
row_supports = [row for row in itertools.product((0, 1), repeat=3) if any(row)]
towns = []
for support in itertools.product(row_supports, repeat=3):
    weights = np.array(support) * rng.integers(1, 9, (3, 3))
    towns.append([[F(int(v), int(row.sum())) for v in row] for row in weights])
tops = [largest(before, after, town) for town in towns]
people = sum(before)
flow_values = [max_flow(before, after, transition=town) for town in towns]
stay = [[F(1), F(0)], [F(0), F(1)]]
nobody = cost_by_networkx([1, 0], [0, 1], stay)  # of a maximum flow
cut = int(nx.minimum_cut_value(network(before, after, P), "s", "e"))

with claim("M-F1") as c:
    c.decisive("sampled").exact(
        [v == people for v in flow_values],
        [top > 0 for top in tops],
        "Example 4.1, all supports: flow is N iff a movement exists",
    )
    c.exact(len(towns), 7**3, "three rows, of each 7 patterns: matrices tried")
with claim("M-F3") as c:
    for middle in (True, False):
        graphs = [network(before, after, town, middle=middle) for town in towns]
        found = [int(nx.maximum_flow_value(g, "s", "e")) for g in graphs]
        label = "(4)" if middle else "(4) but none in the middle"
        c.decisive("sampled").exact(
            found,
            flow_values,
            f"Example 4.1, all supports, {label}: value of the flow",
        )
with claim("M-F4") as c:
    sums, wanted = [], []
    for town, top in zip(towns, tops):
        if top:
            flow = nx.maximum_flow(network(before, after, town), "s", "e")[1]
            moved = np.array(
                [[flow[0, i].get((1, j), 0) for j in range(3)] for i in range(3)]
            )
            allowed = bool((moved[np.array(town) == 0] == 0).all())
            sums.append(
                (moved.sum(axis=1).tolist(), moved.sum(axis=0).tolist(), allowed)
            )
            wanted.append((before, after, True))
    c.decisive("sampled").exact(
        sums, wanted, "Example 4.1, all supports with flow 5: rows, columns, arcs"
    )
    idle = max_flow([1, 0], [0, 1], transition=stay)
    c.limit(1, idle, "nobody can move, (1,0) to (0,1): people that the flow carries")
with claim("M-F5") as c:
    c.exact(
        [len(tables), len(classes)],
        [11, 11],
        "Example 4.1: whole flows, matrices among all behaviours",
    )
with claim("M-F2") as c:
    found = [max_flow(before, after, transition=P), len(tables)]
    label = "value of the flow; whole flows: 11"
    c.decisive().exact(found, [cut, len(classes)], label)
    closed = [[F(0), half, half], *P[1:]]  # nobody stays at A
    open_to = [product_of(A, closed) > 0 for A in tables]
    c.exact(open_to, [A[0, 0] == 0 for A in tables], "those in which nobody stays")
    fewer = sum(open_to)
    c.limit(
        len(tables), fewer, "a matrix with a zero, nobody stays at A: whole flows"
    )
with claim("M-F6") as c:
    graph = network(before, after, P)
    costs = [
        sum(int(n) * graph[0, i][1, j]["weight"] for (i, j), n in np.ndenumerate(A))
        / 1e9
        for A in tables
    ]
    c.decisive("one example").close(
        np.exp(-np.array(costs)),
        [float(product_of(A, P)) for A in tables],
        "Example 4.1, all 11 movements: exp(-cost) is the product",
        rtol=1e-7,
    )
    c.exact(
        {
            k: v
            for k, v in nx.get_edge_attributes(graph, "weight").items()
            if "s" in k or "e" in k
        },
        dict.fromkeys(
            [("s", (0, i)) for i in range(3)] + [((1, j), "e") for j in range(3)], 0
        ),
        "no cost on the outer arcs",
    )
with claim("M-F7") as c:
    p_max = [bound_transition_probability(before, after, transition=town) for town in towns]
    c.decisive("sampled").exact(
        p_max,
        [math.factorial(people) * top for top in tops],
        "Example 4.1, one matrix for each support: N! times the largest product",
    )
    routes = {
        "network simplex": best.cost,
        "HiGHS": cost_by_highs(before, after, P),
        "networkx": cost_by_networkx(before, after, P),
    }
    for name, value in routes.items():
        least = -math.log(largest(before, after, P))
        c.close(value, least, f"Example 4.1: C_min by {name}, enumeration", rtol=1e-8)
    c.limit(math.exp(-nobody), 0.0, "a flow of value 0 where nobody can move: p_max")
with claim("M-F8") as c:
    c.source_incomplete(
        "Figure 1 is not in our copy; it is drawn again from equations (4) and (5)"
    )
    c.exact(
        cut, people, "the network as drawn: the least cut lets all 5 people through"
    )
assert len(towns) == 343
assert 0 < fewer < 11 == len(classes)
supports = len(towns)

# %% [markdown]
# With that proviso the theorem is fast, too: on 14 stations a flow takes a fraction of a
# millisecond. What does the maximum stand for, though?
#
# ## $N!$ times the maximum, against the truth
#
# Equation (3), $N! \times \max_A \prod_{ij} P_{ij}^{a_{ij}}$, is used in place of equation (2). In Example 4.1 it is
# $120 / 64 = 15/8$: not a probability. With more people it overshoots by more and more decades.

# %% jupyter={"source_hidden": true} tags=["evidence"]
stubborn = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
crowds, decades = (6, 24, 60, 120), []
for number in crowds:
    pi = np.array([number // 3] * 3)
    x = pi + np.array([1, 0, -1])
    flow = most_likely_movement(pi, x, transition=stubborn)
    log_truth = transition_probability(pi, x, transition=stubborn, log=True)
    decades.append((math.lgamma(number + 1) - flow.cost - log_truth) / math.log(10))
assert sorted(decades) == decades
assert bound_transition_probability(before, after, transition=P) == F(15, 8)
table(
    {"people": crowds, "too large by a factor of 10 to the power": decades},
    formats={"too large by a factor of 10 to the power": ".1f"},
    caption="Equation (3) against the true probability: three places, eight in ten "
    "people stay, one more at A and one less at C.",
)

# %% [markdown]
# As a number it is no probability; as a step in the paper's argument it is harmless, because gains are ratios and
# $N!$ cancels. So the question is whether the *ratio* of maxima stands for the ratio of sums. First we
# need the true ratio.
#
# ## The true gain
#
# Let $u$ have been at $\ell_i$. Her being at $\ell_j$ now leaves the others with $\pi - e_i \to x - e_j$.
#
# ```{prf:proposition} Exact gain
# :label: thm-lo-02-gain
# Given $\pi$ and $x$, the probability that a person from $\ell_i$ is at $\ell_j$ is
# $E[a_{ij} \mid \pi, x] / \pi_i$, and with the prior $P_{ij}$, if that is positive,
#
# $$\mathrm{Gain}_{ij} = \frac{E[a_{ij} \mid \pi, x]}{\pi_i P_{ij}}
#   = \frac{p(x - e_j \mid \pi - e_i)}{p(x \mid \pi)}, \qquad
#   \mathrm{Gain}^{MK}_j = \frac{x_j}{\tilde\pi_j}, \quad \tilde\pi = \pi P .$$
# ```
#
# *Proof.* Two ways to differentiate by $P_{ij}$. On a term of the law, with everything else in a constant $k$, it brings down the count $a$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
k, a, n, Pij, zj, rest = sp.symbols("k a n P_ij z_j R", positive=True)
spelled = {Pij: "P_{ij}", n: r"\pi_i", a: "a_{ij}"}
term = k * Pij**a
on_terms = derivation(
    Pij * sp.Derivative(term, Pij),
    names=spelled,
    of=r"P_{ij}\,\partial_{P_{ij}}\, k P_{ij}^{a_{ij}}",
).equal(a * term, "the term, $a_{ij}$ times")
on_terms

# %% [markdown]
# so the sum over all terms gives $E[a_{ij} \mid \pi, x]\, p(x \mid \pi)$. On the generating function, where only the factor of $\ell_i$ holds $P_{ij}$ (with $R$ for its other
# terms), it takes away one person there and one unit of $z_j$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
power = (Pij * zj + rest) ** n
one_less = n * Pij * zj * (Pij * zj + rest) ** (n - 1)
on_factor = derivation(
    Pij * sp.Derivative(power, Pij),
    names=spelled,
    of=r"P_{ij}\,\partial_{P_{ij}} (P_{ij} z_j + R)^{\pi_i}",
).equal(one_less, "chain rule")
on_factor

# %% [markdown]
# The coefficient of $z^x$ of that is $\pi_i P_{ij}\, p(x - e_j \mid \pi - e_i)$. Equate the two. Without knowledge of the origin the posterior is $x_j / N$, as all people are alike to the attacker, and the prior
# $\tilde\pi_j / N$. $\square$

# %%
expected = expected_movement(before, after, transition=P)
gains = gain_table(before, after, transition=P, definition="exact")
print("265 E[a] =", (265 * expected).astype(int).tolist())
print("largest gain:", gains.max(), "=", round(float(gains.max()), 4))


# %% jupyter={"source_hidden": true} tags=["evidence"]
def mean_by_names(pi, x, routes):
    """E[a_ij | π, x], from all behaviours."""
    mean = [[F(0)] * 3 for _ in range(3)]
    chances = [along(pi, route, P) for route in routes]
    for route, chance in zip(routes, chances):
        for i, j in zip(origins(pi), route):
            mean[i][j] += chance / sum(chances)
    return mean


with claim("M-B1") as c:
    c.decisive("proved").derived(
        on_terms, Pij * sp.Derivative(term, Pij), a * term, "derivative of the terms"
    )
    c.decisive("proved").derived(
        on_factor, Pij * sp.Derivative(power, Pij), one_less, "derivative of a factor"
    )
    laws = {case: transition_probability(*case, transition=P) for case in small}
    c.decisive("sampled").exact(
        laws, by_names, "three places, up to 4 people: the law, by all behaviours"
    )
    means = {case: mean_by_names(*case, found) for case, found in listed.items()}
    tables_of = {
        case: gain_table(*case, transition=P, definition="exact")[
            np.array(case[0]) > 0
        ].tolist()
        for case in small
    }
    c.decisive("sampled").exact(
        tables_of,
        {
            (pi, x): [
                [means[pi, x][i][j] / pi[i] / P[i][j] for j in range(3)]
                for i in range(3)
                if pi[i]
            ]
            for pi, x in small
        },
        "up to 4 people: gains of OPK and NPK, by all behaviours",
    )
    mk = {
        case: gain_table(*case, transition=P, definition="exact", adversary="MK").tolist()
        for case in small
    }
    posterior = {
        case: [
            sum(sum(row[j] for row in means[case]) / F(sum(case[0])) for _ in (0,))
            / sum(F(n, sum(case[0])) * P[i][j] for i, n in enumerate(case[0]))
            for j in range(3)
        ]
        for case in small
    }
    c.decisive("sampled").exact(
        mk, posterior, "up to 4 people: gain of MK = mean posterior over mean prior"
    )
    c.exact(
        expected.tolist(), mean_by_names(before, after, behaviours), "Example 4.1"
    )

# %% [markdown]
# Now the printed ratio beside it. With $C$ the least cost and
# $G_{ij}(x) = C(\pi, x) - C(\pi - e_i, x - e_j)$ what one person saves, it is $\exp(G_{ij}(x) - G_{ij}(\tilde\pi))$. That takes two flows for each of the $L^2$ pairs of places. Does it?
#
# ## All gains from one flow
#
# A single flow is enough. If $u$ is taken away from
# $\ell_i \to \ell_b$ but $\ell_j$ is to be one short, others shift: somebody goes to $\ell_b$ instead of
# $\ell_{b'}$, and so on until $\ell_j$. The cheapest chain of shifts is a shortest path in the *residual
# network* of the one optimal flow, the network of possible changes to it.
#
# ```{prf:proposition} Savings of one person
# :label: thm-lo-02-savings
# Let $A$ be a most likely movement of whole people and $D$ the shortest distances between the places after
# for steps $b \to b'$ of length $\min_{a: a_{ab'} > 0} (w_{ab} - w_{ab'})$, $w = -\log P$. Then
# $G_{ij} = w_{ib} - D(b, j)$ for any $b$ with $a_{ib} > 0$.
# ```
#
# That is the standard sensitivity analysis of flows {cite:p}`ahuja1993network`: an optimal flow has no cycle of negative length in its residual network, so one unit more or less follows a shortest path there.

# %% jupyter={"source_hidden": true} tags=["evidence"]
P14 = rng.dirichlet(np.full(14, 0.5), size=14)
pi14 = rng.multinomial(683, np.ones(14) / 14)
x14 = sum(rng.multinomial(n, row) for n, row in zip(pi14, P14))
savings = unit_savings(most_likely_movement(pi14, x14, transition=P14), P14)
chosen = rng.integers(0, 14, size=(12, 2))
eye, eye3 = np.eye(14, dtype=int), np.eye(3, dtype=int)

with claim("M-B2") as c:
    entire = cost_by_networkx(pi14, x14, P14)
    again = [
        entire - cost_by_networkx(pi14 - eye[i], x14 - eye[j], P14) for i, j in chosen
    ]
    c.decisive("sampled").close(
        savings[tuple(chosen.T)],
        again,
        "14 places, 12 pairs: one flow, networkx solved again",
        atol=1e-6,
    )
    ratios = [
        largest(np.subtract(before, eye3[i]), np.subtract(after, eye3[j]), P)
        / largest(before, after, P)
        for i, j in np.ndindex(3, 3)
    ]
    c.decisive("sampled").close(
        np.exp(unit_savings(best, P)).ravel(),
        [float(v) for v in ratios],
        "Example 4.1, all pairs: one flow, enumeration",
    )

# %% [markdown]
# One flow and $O(L^3)$ vectorised steps replace $L^2$ flows: at $L = 14$ all 196 gains take
# a fraction of a millisecond, and at a thousand places it is seconds instead of days. So equation (3) is
# computable at any size. Is it right?
#
# ## Blind, and crying wolf
#
# Two hundred people, half at A and half at B, hardly anybody moves:
# $P = \begin{pmatrix} 0.98 & 0.02 \\ 0.01 & 0.99\end{pmatrix}$. Sweep the release from "half of A
# left" to "half of B came".

# %%
P2 = np.array([[0.98, 0.02], [0.01, 0.99]])
for k in (50, 98, 99, 101, 150):
    laws = ("printed", "exact")
    found = [max_gain([100, 100], [k, 200 - k], transition=P2, definition=v) for v in laws]
    print(
        f"x = ({k:3d}, {200 - k:3d}):",
        *(f"{v} {g:9.4f}" for v, g in zip(laws, found)),
    )

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The largest gain that a release of two places gives about one of 200 people. By equation (3) the gain is 1 or it is 4851, with nothing in between; the exact gain is a V with its tip at the prediction, 99 people at A. The Schr\u00f6dinger bridge, defined below, follows it.", "name": "fig-lo-02-gain"}, "image": {"alt": "Gain on a logarithmic axis against the released number at A from 50 to 150. The printed curve is a step, 1 up to 100 and 4851 above. The exact curve falls from 25 at 50 to about 1 at 99 and rises to 50 at 150. The bridge follows the exact curve."}} tags=["figure"]
hundred = [100, 100]
sweep = np.array([*range(50, 95, 5), *range(95, 106), *range(110, 151, 5)])
curves = {
    law: np.array(
        [max_gain(hundred, [k, 200 - k], transition=P2, definition=law) for k in sweep]
    )
    for law in ("printed", "exact", "bridge")
}
assert {round(v) for v in curves["printed"]} == {1, 4851}
assert ((curves["printed"] > 2) == (sweep > 100)).all()
assert sweep[curves["exact"].argmin()] == 99
assert [round(v) for v in curves["exact"][[0, -1]]] == [25, 50]
assert np.abs(np.log(curves["bridge"] / curves["exact"])).max() < 0.6
fig, ax = plots.panels(height=3.4)
ax.step(sweep, curves["printed"], where="mid", label="equation (3)")
ax.plot(sweep, curves["exact"], label="exact")
ax.plot(sweep, curves["bridge"], label="bridge", ls=":")
ax.set(yscale="log", xlabel="people released at A (of 200)", ylabel="largest gain")
ax.axvline(99, color=plots.COLOURS["grey"], lw=1, ls="--")
ax.text(98, 400, "prediction", ha="right", color="#555555")
ax.legend()
plots.plt.show()

# %% [markdown]
# Two people more than predicted, and equation (3) reports a gain of 4851<!-- {shown_alarm:.0f} --> where the truth is
# 1.78<!-- {calm} -->. Half of A left, against odds of fifty to one: equation (3)
# reports 1, and the truth is 25.0<!-- {shown_blind} -->. The reason is in the savings: the gain (3) depends on $x$ only
# through *which* arcs the best flow uses, and as long as they stay the same it stays 1. When they change, it jumps by the whole odds of two people, $49 \cdot 99$. From a single source
# nothing can ever change. Hence the crossing of notebook 1.

# %% jupyter={"source_hidden": true} tags=["evidence"]
crossing = [[F(99, 100), F(1, 100)], [F(0), F(1)]]
quiet = [[F(49, 50), F(1, 50)], [F(1, 100), F(99, 100)]]  # P2 in fractions


def minus(h, k):
    return [n - (m == k) for m, n in enumerate(h)]


def printed_gain(pi, x, P, *, as_printed=True):
    """Largest gain by equation (3), all movements listed, the prediction whole.

    Not as printed: by the sum with its coefficients.
    """
    law = largest if as_printed else by_counts
    pseudo = [sum(n * row[j] for n, row in zip(pi, P)) for j in range(2)]
    assert all(v.denominator == 1 for v in pseudo)
    pseudo = [int(v) for v in pseudo]
    found = []
    for i, j in itertools.product(range(2), repeat=2):
        if pi[i] and pseudo[j] and x[j]:
            saved = [
                law(minus(pi, i), minus(h, j), P) / law(pi, h, P)
                for h in (x, pseudo)
            ]
            found.append(saved[0] / saved[1])
    return max(found)


def by_binomials(pi, x, P):
    """Largest exact gain of two places: who left A, who came from B."""

    def law(n, chance):
        return [
            math.comb(n, m) * chance**m * (1 - chance) ** (n - m)
            for m in range(n + 1)
        ]

    left, came = law(pi[0], P[0][1]), law(pi[1], P[1][0])
    shift = x[0] - pi[0]  # came - left
    both = {
        m: left[m] * came[m + shift]
        for m in range(pi[0] + 1)
        if 0 <= m + shift <= pi[1]
    }
    total = sum(both.values())
    leaving = sum(m * v for m, v in both.items()) / total
    coming = leaving + shift
    stays = [
        (leaving, pi[0], P[0][1]),
        (pi[0] - leaving, pi[0], P[0][0]),
        (coming, pi[1], P[1][0]),
        (pi[1] - coming, pi[1], P[1][1]),
    ]
    return max(mean / (n * chance) for mean, n, chance in stays if n and chance)


with claim(
    "M-M12",
    printed=r"$N! \max_A \prod P_{ij}^{a_{ij}}$ stands for the sum (2)",
    corrected=r"the exact law, or its large-$N$ limit, the entropic transport plan",
    consequence="a release can count as private at gain 1 though the true gain is 50",
) as c:
    cases = [([2, 0], [0, 2], even), ([100, 0], [50, 50], crossing)]
    told = [
        "(2,0) to (0,2), even chances: gain",
        "100 people, 1 in 100 turns, 50 did: gain",
    ]
    exact = [max_gain(pi, x, transition=T, definition="exact") for pi, x, T in cases]
    for case, label, value in zip(cases, told, exact):
        c.differs(printed_gain(*case, as_printed=True), value, label)
    pairs = [(a, n - a) for n in range(1, 6) for a in range(n + 1)]
    near = [
        (g, h, T)
        for T in (even, quiet)
        for g in pairs
        for h in pairs
        if sum(g) == sum(h)
    ]
    c.decisive("sampled").exact(
        [max_gain(g, h, transition=T, definition="exact") for g, h, T in near],
        [by_binomials(*case) for case in near],
        "two matrices, two places, up to 5 people: exact gains, by binomials",
    )
    c.exact(
        exact, [by_binomials(*case) for case in cases], "and in the two cases above"
    )
    bound = largest(before, after, P) * math.factorial(people) / factorials(after)
    c.at_most(truth, bound, "a valid bound: p ≤ (N! / prod x_j!) max, Example 4.1")

# %% [markdown]
# ## What to use for many people
#
# Why does the maximum mislead? By Stirling's formula the logarithm of a term of the *exact* law is, up to terms of the order $\log N$,
# $-\sum_{ij} a_{ij} \log \frac{a_{ij}}{\pi_i P_{ij}}$; equation (3) keeps $\sum a_{ij} \log P_{ij}$ and forgets the entropy of the many ways to choose who goes. In the language of transport, it is
# optimal transport at temperature 0, and the truth is *entropic* transport at temperature 1. Its largest term, sums held fixed, has a derivative that is a row part plus a column part
# (Lagrange):

# %% jupyter={"source_hidden": true} tags=["evidence"]
count, origin_mass, to, side_s, side_c = sp.symbols(
    "a pi_i P_ij s_j c_i", positive=True
)
slope = sp.diff(count * sp.log(count / (origin_mass * to)), count)
scaled = origin_mass * to * side_s / side_c  # the bridge
lagrange = derivation(
    slope.subs(count, scaled),
    of=r"\partial_a\, a \log\tfrac{a}{\pi_i P_{ij}}",
    names={to: "P_{ij}"},
).equal(sp.log(side_s) - sp.log(side_c) + 1, r"at $a = \pi_i P_{ij} s_j / c_i$")
lagrange

# %% [markdown]
# So the likeliest counts of many people are found by scaling: multiply the columns of $P$ by numbers $s_j$, and divide the rows by what they then sum to, until the columns sum to $x$.
#
# ```{prf:definition} The bridge
# :label: def-lo-02-bridge
# The **Schrödinger bridge** from $\pi$ to $x$ is
#
# $$b_{ij} = \pi_i P_{ij} \frac{s_j}{c_i}, \qquad c_i = \sum_k P_{ik} s_k, \qquad \sum_i b_{ij} = x_j .$$
#
# Its rows sum to $\pi_i$ by themselves. The numbers $s_j \ge 0$, one for each place after, are its *coordinates*, where there are such (a histogram that excludes a possible move
# between occupied places has them only as a limit); they are determined up to a common factor in each part that the possible moves between occupied places connect. The **bridge gain** of "from $\ell_i$ to $\ell_j$" is $b_{ij} / (\pi_i P_{ij}) = s_j / c_i$. The prediction $x = \tilde\pi$ has $s = 1$, and all its bridge gains are 1.
# ```
#
# Schrödinger asked for it in 1931 as the likeliest history of a cloud of particles {cite:p}`leonard2014survey`; for people who are counted, see collective graphical models
# {cite:p}`sheldon2011collective`. It needs no whole numbers and no sum over matrices. [Notebook 3](03-publishing-a-histogram.ipynb) builds a release on it. How far is it from the truth?

# %%
bridge = expected_movement(
    before, after, transition=np.array(P, float), method="bridge"
)
print("exact ", np.round(np.array(expected, float), 3).tolist())
print("bridge", np.round(bridge, 3).tolist())


# %% [markdown]
# For five people it is a rough guide. For more people the error shrinks, that of equation (3) does not:

# %% jupyter={"source_hidden": true} tags=["evidence"]
def errors(number, draws=30):
    """RMS error of the log of the largest gain: equation (3) and the bridge."""
    gen = np.random.default_rng(number)
    pi = np.array([number // 3] * 3)
    rows = []
    for _ in range(draws):
        x = sum(gen.multinomial(n, row) for n, row in zip(pi, stubborn))
        exact = max_gain(pi, x, transition=stubborn, definition="exact")
        printed = max_gain(pi, x, transition=stubborn)
        bridged = max_gain(pi, x, transition=stubborn, definition="bridge")
        rows.append(np.log([printed / exact, bridged / exact]))
    return np.sqrt(np.mean(np.square(rows), axis=0))


sizes_tried = (15, 30, 60, 120)
rms = np.array([errors(number) for number in sizes_tried])
alarm, blind = ([100, 100], [101, 99]), ([100, 100], [50, 150])


def sinkhorn(pi, x, P, rounds=4000):
    """The bridge by scaling columns in turn, from the definition."""
    P, s = np.asarray(P, float), np.ones(len(x))
    for _ in range(rounds):
        c_now = P @ s
        s = s * x / ((np.asarray(pi) / c_now) @ P * s)
    return np.asarray(pi)[:, None] * P * s / (P @ s)[:, None]


with claim("M-B3") as c:
    c.decisive("proved").exact(
        [printed_gain(*blind, quiet), by_binomials(*blind, quiet) > 25],
        [F(1), True],
        "half of A left: (3) is 1, the exact gain above 25 (an example is enough)",
    )
    c.decisive("proved").exact(
        [printed_gain(*alarm, quiet), by_binomials(*alarm, quiet) < 2],
        [quiet[0][0] / quiet[0][1] * quiet[1][1] / quiet[1][0], True],
        "two more than predicted: (3) is 49 · 99, the exact gain below 2",
    )
    c.decisive("sampled").at_most(
        rms[3, 1],
        rms[0, 1] / 2,
        "bridge: error at 120 people, half of that at 15",
    )
    c.at_most(rms[0, 0] / 2, rms[3, 0], "equation (3): not even halved")
    c.derived(
        lagrange,
        slope.subs(count, scaled),
        sp.log(side_s) - sp.log(side_c) + 1,
        "the bridge is stationary for the largest term",
    )
    c.close(
        bridge,
        sinkhorn(before, after, P),
        "Example 4.1: by scaling in turn",
        rtol=1e-8,
    )
    for case in (alarm, blind):
        value = max_gain(*case, transition=P2, definition="exact")
        c.close(
            value, float(by_binomials(*case, quiet)), f"{case[1]}: exact", rtol=1e-8
        )
        value = max_gain(*case, transition=P2)
        c.close(
            value, float(printed_gain(*case, quiet)), f"{case[1]}: (3)", rtol=1e-8
        )
shown_alarm = float(printed_gain(*alarm, quiet))
calm = round(float(by_binomials(*alarm, quiet)), 2)
shown_blind = round(float(by_binomials(*blind, quiet)), 1)
table(
    {"people": sizes_tried, "equation (3)": rms[:, 0], "bridge": rms[:, 1]},
    formats={"equation (3)": ".2f", "bridge": ".3f"},
    caption="Root mean square error of the log of the largest gain, 30 releases "
    "drawn for each number of people (three places, eight in ten stay).",
)


# %% [markdown]
# So there are three laws: the exact one for few places, the bridge for many people (where the expected counts are not small), and equation (3), which is neither.
#
# ## Misprints

# %% jupyter={"source_hidden": true} tags=["evidence"]
def joint(c):
    """Sum of the printed p over all pairs of histograms of one, of two people."""
    sums = []
    for few in (1, 2):
        pairs = [(m, few - m) for m in range(few + 1)]
        rows = [sum(equation_2(g, h, even, "persons") for h in pairs) for g in pairs]
        sums.append(sum(rows))
        laws = [sum(transition_probability(g, h, transition=even) for h in pairs) for g in pairs]
        label = f"{few} in two places: it sums to 1 for each first, as p(x | π) does"
        c.decisive().exact(rows, laws, label)
    one, two = sums
    c.differs(one, F(1), "one person, two places: sum over all pairs")
    c.exact([one, two], [2, 3], "one for each first histogram, of one, of two people")


def one_place(pi, x):
    """Mixture: a place is drawn, all go where it leads; identity matrix."""
    total = sum(pi)
    return sum(F(n, total) * int(x[i] == total) for i, n in enumerate(pi))


def mean_row(pi, x):
    """Each person drawn from the mean of the rows; identity matrix."""
    total, ways = sum(pi), math.factorial(sum(pi)) // factorials(x)
    return ways * math.prod(F(n, total) ** m for n, m in zip(pi, x))


def mixture(c):
    stayed = [([1, 1], (m, 2 - m)) for m in range(3)]
    one = [one_place(*case) for case in stayed]
    mean = [mean_row(*case) for case in stayed]
    c.exact(
        [one, mean],
        [[half, 0, half], [F(1, 4), half, F(1, 4)]],
        "(1,1) to (0,2), (1,1), (2,0): one place, the mean of the rows, by hand",
    )
    c.differs(F(0), one[2], "identity, (1,1) to (2,0), one place")
    c.differs(F(0), mean[2], "the same, the mean of the rows")
    c.decisive().exact(
        [
            [transition_probability(*case, transition=stay) for case in stayed],
            [equation_2(*case, stay, "persons") for case in stayed],
        ],
        [[0, 1, 0], [0, 1, 0]],
        "the true law there, and by named people: only (1,1) is possible",
    )


def called_maximum(c):
    few = 2
    both = (few, 0)
    times = bound_transition_probability(both, both, transition=even) / largest(both, both, even)
    c.differs(times, F(1), "two people stay: (3) over the largest term of (2)")
    term = largest(before, after, P)
    c.exact(
        [bound_transition_probability(before, after, transition=P), many, term],
        [many * term, 120, F(1, 64)],
        "Example 4.1: N! times it, which is above 1",
    )


records = misprints(
    [
        (
            "M-M15",
            r"$p(\pi(t-1), \pi(t))$ for the sum (2)",
            r"$p(\pi(t) \mid \pi(t-1))$; the difference cancels in gains",
            joint,
        ),
        (
            "M-M13",
            "a mixture of multinomials gives 0 for every histogram",
            "not for every histogram, in either reading; a convolution is right",
            mixture,
        ),
        (
            "M-F7b",
            "equation (3) is the maximum of the realisation probability (2)",
            "$N!$ times the largest term of (2)",
            called_maximum,
        ),
    ]
)

# %% [markdown]
# Footnote 1 is right in its purpose: a mixture (混合多項分布) cannot serve. If it draws one place, and all $N$ people from there, the identity matrix gives 0 for $(1, 1)$, which is the only possible
# histogram, but 1/2 for $(2, 0)$. If it draws each person from the mean of the rows, it gives 1/4 for $(2, 0)$. The law of a sum of independent multinomials, the generating function above, serves.
#
# Figure 1 is not in our copy of the paper, and the matrix of Example 4.1 stands nowhere in its text (the figure may have its costs). Without them it can still be said that for every positive matrix the network carries all five people, in 11<!-- {shown_tables} --> ways.
#
# ## Exercises
#
# ```{exercise-start} A person whom the flow loses
# :label: ex-lo-02-lost
# ```
# **Warm-up.** Three people at A, and $P_{AA} = 1$. Released: two at A, one at B. What do Theorem 4.1 as
# printed, and the truth, say?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-02-lost", ...)

# %% [markdown]
# ```{solution-start} ex-lo-02-lost
# :class: dropdown
# ```
# The flow routes two of the three at cost 0, so $p_{\max} = 3! = 6$. The truth is 0.

# %% jupyter={"source_hidden": true} tags=["evidence"]
lost = cost_by_networkx([3, 0], [2, 1], stay)
printed = math.factorial(3) * math.exp(-lost)
assert printed == 6
assert max_flow([3, 0], [2, 1], transition=stay) == 2
actual = transition_probability([3, 0], [2, 1], transition=stay)
assert actual == 0
check("lo-02-lost", (printed, actual))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A single occupied place
# :label: ex-lo-02-source
# ```
# **Standard.** Show that from a single occupied place the gain by equation (3) is 1 for every release, and
# that the exact gain can be as large as $1 / \min_j P_{ij}$. What is the bridge gain there?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-02-source", ...)

# %% [markdown]
# ```{solution-start} ex-lo-02-source
# :class: dropdown
# ```
# The only movement is $a_{ij} = x_j$, so $C = \sum_j w_{ij} x_j$ and $G_{ij} = w_{ij}$ for $x$ and for
# $\tilde\pi$ alike. The exact gain is $x_j / (N P_{ij})$, which is $1/P_{ij}$ if everybody went to $\ell_j$. The bridge has $b_{ij} = x_j$ too: its gain is the exact one.

# %% jupyter={"source_hidden": true} tags=["evidence"]
single = np.array([[0.6, 0.3, 0.1], [0, 1, 0], [0, 0, 1]])
for x in ([20, 0, 0], [0, 20, 0], [0, 0, 20], [5, 5, 10]):
    assert np.isclose(max_gain([20, 0, 0], x, transition=single), 1)
    found = [
        max_gain([20, 0, 0], x, transition=single, definition=v) for v in ("exact", "bridge")
    ]
    assert np.allclose(found, max(np.array(x) / 20 / single[0]))
assert np.isclose(
    max_gain([20, 0, 0], [0, 0, 20], transition=single, definition="exact"), 10
)


def largest(p, law):
    """Gain if the twenty people all go where they seldom go, all stay, or mix."""
    rows = [[1 - p, p], [0, 1]]
    releases = ([0, 20], [20, 0], [8, 12])
    return max(max_gain([20, 0], x, transition=rows, definition=law) for x in releases)


check(
    "lo-02-source",
    [lambda p, law=law: largest(p, law) for law in ("printed", "exact", "bridge")],
)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How fast the bridge becomes exact
# :label: ex-lo-02-rate
# ```
# **Research.** How fast does the bridge become exact? Multiply Example 4.1 by $k = 1, 2, 4, 8, 16$ and look at
# the largest relative error of $E[a_{ij}]$.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-02-rate", ...)

# %% [markdown]
# ```{solution-start} ex-lo-02-rate
# :class: dropdown
# ```
# It falls like $1/N$: doubling the people halves it. (For a matrix with tiny entries the expected count of an
# arc may stay below one person, and there the bridge stays wrong by a factor until $N$ is large enough.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
floats = np.array(P, float)
worst = []
for times in (1, 2, 4, 8, 16):
    scaled_up = times * np.array(before), times * np.array(after)
    precise = expected_movement(*scaled_up, transition=floats)
    rough = expected_movement(*scaled_up, transition=floats, method="bridge")
    worst.append(np.abs(rough / precise - 1).max())
halving = np.array(worst[:-1]) / worst[1:]
assert (halving[1:] > 1.7).all()
assert (halving[1:] < 2.3).all()
check("lo-02-rate", -round(float(np.log2(halving[-1]))))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The probability of a histogram after another is a coefficient of a product of linear forms. Equation (2)
#   is that number if it is read over labelled persons, not over matrices of counts.
# - Theorem 4.1 is true when the maximum flow has value $N$; without the proviso an impossible release
#   counts as certain.
# - All $L^2$ gains by equation (3) come from one flow by shortest paths in its residual network.
# - The exact gain is $E[a_{ij}] / (\pi_i P_{ij})$. The ratio of maxima is blind to bulk moves and to anybody
#   from a single source, and raises false alarms two people away from the prediction.
# - For many people the bridge $b_{ij} = \pi_i P_{ij} s_j / c_i$ has the right gains, $s_j / c_i$, where the expected counts are not small; where a fraction of a person is
#   expected it may be wrong by a factor.
#
# **Further reading.** Collective graphical models {cite:p}`sheldon2011collective` infer movements from
# counts; the survey {cite:p}`leonard2014survey` on the Schrödinger problem and transport; flows {cite:p}`ahuja1993network`, and the solver behind ours
# {cite:p}`flamary2021pot`. The paper is {cite:p}`kawamoto`. **Before:**
# [what adversarial privacy promises](01-adversarial-privacy.ipynb). **Next:** [publishing a histogram](03-publishing-a-histogram.ipynb).
