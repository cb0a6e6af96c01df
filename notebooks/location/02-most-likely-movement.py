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
# likely movement as a minimum-cost flow, to get all gains of an attacker from one flow, and where the
# exact law and the likeliest movement part.
# **You need** generating functions, a little linear programming, and Python.
# **Time:** 35 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows the transition matrix $P$ and the histogram $\pi = \pi(t-1)$, perhaps also where
# one person (OPK) or everybody (NPK) was, and sees the histogram $x = \pi(t)$. **Protected:** the
# attacker's probability that a person $u$ is now at $\ell_j$ may grow by a factor $e^\varepsilon$ at most.
# **Not protected:** what $P$ says anyway; other releases; an attacker who knows how a release was made.
# ```

# %%
import itertools
import math
from fractions import Fraction

import networkx as nx
import numpy as np
import sympy as sp
from myst_nb import glue
from scipy.optimize import linprog
from scipy.stats import binom

from privlib.kit import claim, plots, slips
from privlib.location.exact import (
    bound_realisation,
    expected_movement,
    movements,
    realisation,
)
from privlib.location.flow import max_flow, most_likely_movement, unit_savings
from privlib.location.gain import gain_table, max_gain

plots.use()
F = Fraction

# %% [markdown]
# Places are numbered from 0 in the code and from 1 in the text. $P_{ij}$ is the probability to go from
# $\ell_i$ to $\ell_j$, and $a_{ij}$ the number of people who do.
#
# ## How many behaviours are there?
#
# ```{prf:definition} Movements (人々の行動)
# :label: def-lo-02-movements
# $\mathcal A(\pi, x)$ is the set of matrices $A = (a_{ij})$ of counts with row sums $\pi_i$ and column
# sums $x_j$. The paper calls each of them one behaviour of the people, and says that there are $N!$.
# ```
#
# Example 4.1 of the paper has $\pi = (2, 2, 1)$ and $x = (1, 2, 2)$. It is small enough to write down
# everything that five *named* people can do.

# %%
before, after = [2, 2, 1], [1, 2, 2]
tables = movements(before, after)
origins = [i for i, n in enumerate(before) for _ in range(n)]
behaviours = [
    route
    for route in itertools.product(range(3), repeat=5)
    if [route.count(j) for j in range(3)] == after
]


def factorials(counts):
    return math.prod(math.factorial(int(n)) for n in np.ravel(counts))


shares = [factorials(before) // factorials(A) for A in tables]
slots = list(itertools.permutations(range(5)))

with claim(
    "M-M8",
    printed="a matrix of counts is one behaviour",
    corrected=r"a class of $\prod_i \pi_i! / \prod_{ij} a_{ij}!$ labelled behaviours",
    consequence="the sum (2) over matrices lacks these coefficients",
) as c:
    c.differs(len(tables), len(behaviours), "Example 4.1: matrices, behaviours")
    c.exact(sum(shares), len(behaviours), "class sizes add up to all behaviours")
with claim(
    "M-M10",
    printed=r"$|\mathcal A| = N!$",
    corrected=r"$N! / \prod_j x_j!$ behaviours of labelled persons",
    consequence=r"$N!$ counts assignments of persons to numbered slots",
) as c:
    many = math.factorial(5)
    c.differs(many, len(tables), "Example 4.1: as matrices of counts")
    c.differs(many, len(behaviours), "Example 4.1: as labelled behaviours")
    c.exact(many // factorials(after), len(behaviours), "N! / prod x_j!")
    c.exact(len(slots), many, "assignments of 5 persons to 5 slots: N!")
glue("tables", len(tables), display=False)
glue("persons", len(behaviours), display=False)

# %% [markdown]
# Three ways to count: {glue:text}`tables` matrices, {glue:text}`persons` labelled behaviours, 120
# assignments of persons to numbered slots. Which of them does the sum run over?
#
# ## Equation (2), read in three ways
#
# ```{prf:definition} Realisation probability (実現確率), equation (2)
# :label: def-lo-02-realisation
# $\displaystyle p(\pi(t-1), \pi(t); P) = \sum_{A \in \mathcal A(\pi(t-1), \pi(t))} \prod_{ij} P_{ij}^{a_{ij}}.$
# ```
#
# The true law needs no choice. The $N$ moves are independent given where everybody was, so the generating
# function of the histogram after is a product with one factor a person:
#
# $$p(x \mid \pi) = [z^x] \prod_i \Big(\sum_j P_{ij} z_j\Big)^{\pi_i}
#   = \sum_{A} \prod_i \frac{\pi_i!}{\prod_j a_{ij}!} \prod_{ij} P_{ij}^{a_{ij}}.$$
#
# The second equality is the multinomial theorem. For three people and a matrix of *symbols*:

# %%
p, q, r, s, z, w = sp.symbols("p q r s z w", positive=True)
symbols = sp.Matrix([[p, q], [r, s]])
generating = sp.expand((p * z + q * w) ** 2 * (r * z + s * w))
law = {}
for k in range(4):
    law[k] = generating.coeff(z, k).coeff(w, 3 - k)
    total = sum(
        (factorials([2, 1]) // factorials(A))
        * sp.prod([symbols[i, j] ** int(A[i, j]) for i in (0, 1) for j in (0, 1)])
        for A in movements([2, 1], [k, 3 - k])
    )
    assert sp.expand(law[k] - total) == 0
    print(f"p(({k}, {3 - k}) | (2, 1)) =", law[k])

# %% [markdown]
# The printed sum has no coefficients. Over matrices of counts it is too small; over labelled persons it is
# exactly the truth; over the $N!$ assignments to slots it is a permanent, $\prod_j x_j!$ times the truth.
# The example's matrix is not in the text, so we use one of ours.

# %%
half = F(1, 2)
P = [
    [F(1, 2), F(1, 4), F(1, 4)],
    [F(1, 4), F(1, 2), F(1, 4)],
    [F(1, 8), F(3, 8), F(1, 2)],
]


def along(route):
    """Product of transition probabilities of five named people."""
    return math.prod(P[i][j] for i, j in zip(origins, route))


def equation_2(pi, x, P, reading):
    """The sum (2), over what a reading takes for a movement."""
    if reading == "counts":
        cells = list(np.ndindex(len(pi), len(pi)))
        return sum(math.prod(P[i][j] ** int(A[i, j]) for i, j in cells)
                   for A in movements(pi, x))  # fmt: skip
    orders = factorials(x) if reading == "slots" else 1  # of those who share a place
    return orders * realisation(pi, x, transition=P)


truth = sum(map(along, behaviours))
places = [j for j, n in enumerate(after) for _ in range(n)]
permanent = sum(along([places[k] for k in order]) for order in slots)
readings = {
    name: equation_2(before, after, P, name)
    for name in ("counts", "persons", "slots")
}
for name, value in {**readings, "truth": truth}.items():
    print(f"{name:8s} {value!s:>9s} = {float(value):.5f}")

# %%
even = [[half, half], [half, half]]
four = [((1, 0), (0, 1)), ((2, 0), (1, 1)), ((1, 0), (1, 0)), ((2, 0), (0, 2))]


def gain_by_equation_2(reading):
    """Gain at B of a release (0, 2) after (2, 0); the prediction is (1, 1)."""
    value = [equation_2(pi, x, even, reading) for pi, x in four]
    return value[0] * value[1] / value[2] / value[3]


with claim(
    "M-M9",
    printed=r"$\sum_A \prod P_{ij}^{a_{ij}}$ over matrices of counts",
    corrected=r"$\sum_A \prod_i (\pi_i! / \prod_j a_{ij}!) \prod P_{ij}^{a_{ij}}$",
    consequence="the gain changes too: from (2,0) to (0,2) it is 1 instead of 2",
) as c:
    small = equation_2([2, 0], [1, 1], even, "counts")
    c.differs(
        small,
        realisation([2, 0], [1, 1], transition=even),
        "(2,0) to (1,1), even odds",
    )
    c.differs(readings["counts"], truth, "Example 4.1 with our matrix")
    gains = [gain_by_equation_2(name) for name in ("counts", "persons")]
    c.differs(gains[0], gains[1], "gain, (2,0) to (0,2)")
    ours = realisation(before, after, transition=P)
    c.exact(ours, truth, "generating function = sum over all behaviours")
    c.exact(readings["persons"], truth, "over labelled persons the sum is right")
    c.exact(readings["slots"], permanent, "over slots it is a permanent")
    c.exact(permanent, truth * factorials(after), "prod x_j! times the truth")

# %% [markdown]
# So no reading makes equation (2) and "$N!$ terms" right together, unless every $x_j \le 1$. Read over
# persons the equation stands, with $N!/\prod_j x_j!$ terms. Is the sum really out of reach?
#
# ## Is the exact law out of reach?
#
# Term by term, yes. Spread the paper's two thousand people evenly over its 14 stations, and cut the
# $14 \times 14$ matrix of about ten people an entry into 49 blocks of $2 \times 2$. In each of them 21
# different shifts of people keep all sums.

# %%
P3 = np.array([[0.7, 0.2, 0.1], [0.15, 0.8, 0.05], [0.3, 0.1, 0.6]])
many_before, many_after = np.array([40, 40, 40]), np.array([44, 45, 31])
angles = np.exp(2j * np.pi * np.indices((121, 121)) / 121)
forms = (P3[:, 0, None, None] * angles[0] + P3[:, 1, None, None] * angles[1]
         + P3[:, 2, None, None])  # fmt: skip
characteristic = np.prod(forms ** many_before[:, None, None], axis=0)
by_fourier = np.fft.fft2(characteristic)[44, 45].real / 121**2

with claim("M-M11") as c:
    c.holds(21**49 > 10**64, "14 places, 2,058 people: over 10^64 matrices of counts")
    ours = realisation(many_before, many_after, transition=P3)
    c.close(ours, by_fourier, "3 places, 120 people: exact law, Fourier", rtol=1e-9)
print(f"p(x | pi) for 120 people in 3 places: {ours:.6f}")

# %% [markdown]
# But a sum of astronomically many terms need not be taken term by term. With the generating function the
# work grows with $\prod_j (x_j + 1)$ over all places but one: milliseconds for three places, while 14
# remain out of reach. So for *few* places there is no need to approximate. Let us see what the paper does
# instead, since it is the part that scales.
#
# ## The most likely movement is a flow
#
# ```{prf:definition} Flow network (フローネットワーク), capacities (4) and costs (5)
# :label: def-lo-02-network
# Arcs run from a source $s$ to every $\ell_i$ of time $t-1$ (capacity $\pi_i(t-1)$, cost 0), from there to
# every $\ell_j$ of time $t$ with $P_{ij} \ne 0$ (capacity $\pi_i(t-1)$, cost $-\log P_{ij}$), and on to a
# sink $e$ (capacity $\pi_j(t)$, cost 0).
# ```
#
# ```{prf:theorem} Theorem 4.1 of the paper
# :label: thm-lo-02-flow
# With $C_{\min}$ the cost of a minimum-cost maximum flow (最小コスト最大流), the maximum (3) is
# $p_{\max}(\pi(t-1), \pi(t); P) = N! \exp(-C_{\min})$.
# ```

# %% mystnb={"figure": {"caption": "The flow network of Example 4.1 with our matrix. Numbers on the arcs are transition probabilities; wide arcs carry the most likely movement, whose product is 1/64. Ten other movements share the same sums.", "name": "fig-lo-02-network"}, "image": {"alt": "Three places before on the left with 2, 2 and 1 people, three places after on the right with 1, 2 and 2 people, joined by nine arcs; arcs from A to A, A to C, B to B (two people) and C to C are wide."}} tags=["hide-input"]
best = most_likely_movement(before, after, transition=P)
fig, ax = plots.panels(height=3.4)
for i, j in itertools.product(range(3), repeat=2):
    used = int(best.counts[i, j])
    colour = plots.COLOURS["blue"] if used else plots.COLOURS["grey"]
    ax.plot([0, 1], [-i, -j], color=colour, lw=1 + 2.5 * used, ls="-", zorder=1)
    at = 0.17 + 0.06 * j
    ax.text(at, -i + at * (i - j), str(P[i][j]), fontsize=8, ha="center", va="center",
            bbox={"fc": "white", "ec": "none", "pad": 0.8})  # fmt: skip
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
# Costs add up to minus the logarithm of the product, so the cheapest flow is the likeliest movement. That
# it comes out in whole people is the total unimodularity of a network's matrix. Four routes to the
# same minimum, three solvers and enumeration:

# %%
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
    for i, j in np.argwhere(np.asarray(P) != 0):
        cost = round(-math.log(P[i][j]) * 1e9)
        room = {"capacity": int(pi[i])} if middle else {}
        graph.add_edge((0, i), (1, j), weight=cost, **room)
    return graph


def cost_by_networkx(pi, x, P):
    graph = network(pi, x, P)
    flow = nx.max_flow_min_cost(graph, "s", "e")
    return nx.cost_of_flow(graph, flow) / 1e9


def largest(pi, x, P):
    """Largest product over all movements, exactly."""
    cells = list(np.ndindex(len(pi), len(pi)))
    return max(math.prod(P[i][j] ** int(A[i, j]) for i, j in cells)
               for A in movements(pi, x))  # fmt: skip


routes = {
    "network simplex (POT)": best.cost,
    "linear programme (HiGHS)": cost_by_highs(before, after, P),
    "integer costs (networkx)": cost_by_networkx(before, after, P),
    "enumeration": -math.log(largest(before, after, P)),
}
for name, value in routes.items():
    print(f"{name:26s} {value:.6f}")
print("6 log 2                   ", round(6 * math.log(2), 6))

# %% tags=["hide-input"]
rng, cases = np.random.default_rng(4), []
for _ in range(40):
    support = (rng.random((3, 3)) < 0.6) | np.eye(3, dtype=bool)
    M = np.where(support, rng.integers(1, 9, (3, 3)), 0)
    M = [[F(int(v), int(row.sum())) for v in row] for row in M]
    cases.append((*rng.multinomial(6, [1 / 3] * 3, size=2), M))
maxima = [largest(*case) for case in cases]
values = [max_flow(pi, x, transition=M) for pi, x, M in cases]

with claim("M-F1") as c:
    c.exact([m > 0 for m in maxima], [v == 6 for v in values],
            "40 random supports: movement possible iff flow is 6")  # fmt: skip
with claim("M-F3") as c:
    for middle in (True, False):
        values_nx = [
            nx.maximum_flow_value(network(*case, middle=middle), "s", "e")
            for case in cases
        ]
        c.exact(values_nx, values,
                f"flow, middle capacities {'(4)' if middle else 'none'}")  # fmt: skip
with claim("M-F4") as c:
    flow = nx.maximum_flow(network(before, after, P), "s", "e")[1]
    moved = [[flow[0, i].get((1, j), 0) for j in range(3)] for i in range(3)]
    c.exact(np.sum(moved, axis=1).tolist(), before, "who leaves each place")
    c.exact(np.sum(moved, axis=0).tolist(), after, "who arrives at each place")
with claim("M-F5") as c:
    c.holds(len(tables) > 1, f"Example 4.1: {len(tables)} whole flows of value 5")
    c.holds(any((moved == A).all() for A in tables), "one of them is networkx's")
with claim("M-F6") as c:
    a, b = sp.symbols("a b", positive=True)
    cost = -a * sp.log(p) - b * sp.log(q)
    c.exact(sp.simplify(sp.exp(-cost) - p**a * q**b), 0, "exp(-cost) is the product")
    costs = [-math.log(v) for row in P for v in row]
    c.at_most(0.0, min(costs), "costs are not negative")

# %% [markdown]
# Is "maximum flow" enough? Take a matrix under which nobody moves, and a release in which somebody did.

# %%
stay = [[F(1), F(0)], [F(0), F(1)]]
nobody = cost_by_networkx([1, 0], [0, 1], stay)  # of a maximum flow

with claim(
    "M-F7",
    printed=r"$p_{\max} = N! \exp(-C_{\min})$ for a minimum-cost maximum flow",
    corrected=r"the same, if the flow has value $N$; otherwise $p_{\max} = 0$",
    consequence="coded as printed, an impossible release counts as a certain one",
) as c:
    c.differs(math.exp(-nobody), 0.0, "identity matrix, (1,0) to (0,1): p_max")
    c.exact(
        max_flow([1, 0], [0, 1], transition=stay),
        0,
        "there the flow has value 0, not 1",
    )
    p_max = bound_realisation(before, after, transition=P)
    c.exact(p_max, math.factorial(5) * F(1, 64), "Example 4.1: N! max = 120 / 64")
    for name, value in routes.items():
        c.close(value, 6 * math.log(2), f"C_min by {name}", rtol=1e-8)
    possible = [(k, m) for k, m in zip(cases, maxima) if m]
    ours = [
        most_likely_movement(pi, x, transition=M).cost for (pi, x, M), _ in possible
    ]
    exact = [-math.log(m) for _, m in possible]
    c.close(ours, exact, f"{len(possible)} random cases: enumeration", atol=1e-9)
    top = math.factorial(5) * largest(before, after, P)
    c.exact(p_max, top, "the same by enumeration")

# %% [markdown]
# With that proviso the theorem is true, and it is fast: on 14 stations a flow takes a fraction of a
# millisecond. What does the maximum stand for, though?
#
# ## $N!$ times the maximum, against the truth
#
# ```{prf:definition} The stand-in, equation (3)
# :label: def-lo-02-bound
# $N! \times \max_{A \in \mathcal A} \prod_{ij} P_{ij}^{a_{ij}}$ is used in place of equation (2).
# ```
#
# In Example 4.1 it is 15/8: not a probability. With more people it overshoots by more and more decades.

# %%
stubborn = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
for people in (6, 24, 60, 120):
    pi = np.array([people // 3] * 3)
    x = pi + np.array([1, 0, -1])
    log_max = (
        math.lgamma(people + 1)
        - most_likely_movement(pi, x, transition=stubborn).cost
    )
    log_ratio = log_max - math.log(realisation(pi, x, transition=stubborn))
    decades = log_ratio / math.log(10)
    print(f"{people:4d} people: N! max is 10^{decades:.1f} times the truth")

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
# $E[a_{ij} \mid \pi, x] / \pi_i$, and with the prior $P_{ij}$
#
# $$\mathrm{Gain}_{ij} = \frac{E[a_{ij} \mid \pi, x]}{\pi_i P_{ij}}
#   = \frac{p(x - e_j \mid \pi - e_i)}{p(x \mid \pi)}, \qquad
#   \mathrm{Gain}^{MK}_j = \frac{x_j}{\tilde\pi_j}, \quad \tilde\pi = \pi P .$$
# ```
#
# *Proof.* $P_{ij} \, \partial / \partial P_{ij}$ multiplies every term of the law by its $a_{ij}$, so it gives
# $E[a_{ij} \mid \pi, x]\, p(x \mid \pi)$. On the generating function the derivative takes away one factor:
# $\partial_{P_{ij}} \prod_k (\sum_l P_{kl} z_l)^{\pi_k} = \pi_i z_j \prod_k (\dots)^{\pi_k - [k = i]}$.
# Without knowledge of the origin the posterior is $x_j / N$ by exchangeability, and the prior
# $\tilde\pi_j / N$. The two steps with symbols, for the three people of above:

# %%
for k in range(1, 3):
    for (i, j), entry in {(0, 0): p, (0, 1): q, (1, 0): r, (1, 1): s}.items():
        less = [2 - (i == 0), 1 - (i == 1)]
        to = [k - (j == 0), 3 - k - (j == 1)]
        form = sp.expand((p * z + q * w) ** less[0] * (r * z + s * w) ** less[1])
        smaller = form.coeff(z, to[0]).coeff(w, to[1])
        assert sp.expand(sp.diff(law[k], entry) - [2, 1][i] * smaller) == 0
print("d p(x | pi) / d P_ij = pi_i p(x - e_j | pi - e_i): eight identities, all 0")

# %%
mean = [[F(0)] * 3 for _ in range(3)]
for route in behaviours:
    for i, j in zip(origins, route):
        mean[i][j] += along(route) / truth
table = gain_table(before, after, transition=P, law="exact")
prediction = [sum(before[i] * P[i][j] for i in range(3)) for j in range(3)]

with claim("M-B1") as c:
    c.exact(
        realisation(before, after, transition=P), F(265, 2048), "law of Example 4.1"
    )
    c.exact(expected_movement(before, after, transition=P).tolist(), mean,
            "expected movement: derivative rule, all behaviours")  # fmt: skip
    c.exact(table.tolist(),
            [[mean[i][j] / before[i] / P[i][j] for j in range(3)] for i in range(3)],
            "gain of OPK and NPK = posterior / prior")  # fmt: skip
    averaged = [
        sum(before[i] * P[i][j] * table[i, j] for i in range(3)) / prediction[j]
        for j in range(3)
    ]
    mk = gain_table(before, after, transition=P, law="exact", adversary="MK").tolist()
    c.exact(mk, averaged, "gain of MK = average over the unknown origin")
scaled = (265 * expected_movement(before, after, transition=P)).astype(int)
print("265 E[a] =", scaled.tolist())
print("largest gain:", max(table.ravel()), "=", round(float(max(table.ravel())), 4))

# %% [markdown]
# Now the printed ratio beside it. With $C$ the least cost and
# $G_{ij}(x) = C(\pi, x) - C(\pi - e_i, x - e_j)$ it is $\exp(G_{ij}(x) - G_{ij}(\tilde\pi))$.
#
# ## All gains from one flow
#
# That takes $L^2$ flows with one person less each; or a single one. If $u$ is taken away from
# $\ell_i \to \ell_b$ but $\ell_j$ is to be one short, others shift: somebody goes to $\ell_b$ instead of
# $\ell_{b'}$, and so on until $\ell_j$. The cheapest chain of shifts is a shortest path in the *residual
# network* of the one optimal flow.
#
# ```{prf:proposition} Savings of one person
# :label: thm-lo-02-savings
# Let $A$ be a most likely movement of whole people and $D$ the shortest distances between the places after
# for steps $b \to b'$ of length $\min_{a: a_{ab'} > 0} (w_{ab} - w_{ab'})$, $w = -\log P$. Then
# $G_{ij} = w_{ib} - D(b, j)$ for any $b$ with $a_{ib} > 0$.
# ```

# %%
P14 = rng.dirichlet(np.full(14, 0.5), size=14)
pi14 = rng.multinomial(683, np.ones(14) / 14)
x14 = sum(rng.multinomial(n, row) for n, row in zip(pi14, P14))
savings = unit_savings(most_likely_movement(pi14, x14, transition=P14), P14)
chosen = rng.integers(0, 14, size=(12, 2))
eye = np.eye(14, dtype=int)

with claim("M-B2") as c:
    whole = cost_by_networkx(pi14, x14, P14)
    again = [
        whole - cost_by_networkx(pi14 - eye[i], x14 - eye[j], P14) for i, j in chosen
    ]
    c.close(savings[tuple(chosen.T)], again,
            "14 places: one flow, networkx solved again", atol=1e-6)  # fmt: skip

# %% [markdown]
# One flow and $O(L^3)$ vectorised steps replace $L^2$ flows: one evaluation of all 196 gains at $L = 14$ takes
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
hundred = [100, 100]
sweep = np.array([*range(50, 95, 5), *range(95, 106), *range(110, 151, 5)])
curves = {
    law: np.array(
        [max_gain(hundred, [k, 200 - k], transition=P2, law=law) for k in sweep]
    )
    for law in ("printed", "exact", "bridge")
}
for k in (50, 98, 99, 101, 150):
    at = {law: values[sweep == k][0] for law, values in curves.items()}
    print(f"x = ({k:3d}, {200 - k:3d}):", *(f"{n} {v:10.4f}" for n, v in at.items()))
assert {round(v) for v in curves["printed"]} == {1, 4851}
assert sweep[curves["exact"].argmin()] == 99
assert [round(v) for v in curves["exact"][[0, -1]]] == [25, 50]
for name, law, k in [("alarm", "printed", 101), ("calm", "exact", 101),
                     ("blind", "exact", 50)]:  # fmt: skip
    glue(name, round(curves[law][sweep == k].item(), 4), display=False)

# %% mystnb={"figure": {"caption": "The largest gain that a release of two places gives about one of 200 people. By equation (3) the gain is 1 or it is 4851, with nothing in between; the exact gain is a V with its tip at the prediction, 99 people at A.", "name": "fig-lo-02-gain"}, "image": {"alt": "Gain on a logarithmic axis against the released number at A from 50 to 150. The printed curve is a step, 1 up to 100 and 4851 above. The exact curve falls from 25 at 50 to about 1 at 99 and rises to 50 at 150. The bridge follows the exact curve."}} tags=["hide-input"]
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
# Two people more than predicted, and equation (3) reports a gain of {glue:text}`alarm:.0f` where the truth is
# {glue:text}`calm`. Fifty people fewer, so that half of A left against odds of fifty to one: equation (3)
# reports 1, and the truth is {glue:text}`blind`. The reason is in the duals. The gain (3) depends on $x$ only
# through *which* arcs the best flow uses; as long as they stay the same it stays 1. From a single source
# nothing can ever change:

# %%
crossing = [[F(99, 100), F(1, 100)], [F(0), F(1)]]

with claim(
    "M-M12",
    printed=r"$N! \max_A \prod P_{ij}^{a_{ij}}$ stands for the sum (2)",
    corrected=r"the exact law, or its large-$N$ limit, the entropic transport plan",
    consequence="a release can count as private at gain 1 though the true gain is 50",
) as c:
    printed = round(max_gain([2, 0], [0, 2], transition=even), 9)
    c.differs(printed, 2.0, "(2,0) to (0,2), even chances: gain")
    printed = round(max_gain([100, 0], [50, 50], transition=crossing), 9)
    c.differs(printed, 50.0, "100 people, 1 in 100 turns, 50 did: gain")
    c.exact(
        max_gain([2, 0], [0, 2], transition=even, law="exact"),
        2,
        "exact gain, first case",
    )
    c.exact(
        max_gain([100, 0], [50, 50], transition=crossing, law="exact"),
        50,
        "second case",
    )
    bound = p_max / factorials(after)
    c.at_most(truth, bound, "a valid bound: p <= (N! / prod x_j!) max")
    c.exact(p_max, F(15, 8), "N! max in Example 4.1, above 1; it cancels in gains")


# %% [markdown]
# Zero temperature is the physicist's word for it. Taking the maximum instead of the sum is optimal transport
# at temperature 0. For many people the sum is *entropic* transport at temperature 1, the **Schrödinger
# bridge**: scale rows and columns of $P$ until $b_{ij} = u_i P_{ij} s_j$ has the sums $\pi$ and $x$. Its
# ratio $b_{ij} / (\pi_i P_{ij})$ has the right limit.

# %%
def errors(people, draws=30):
    """RMS error of the log of the largest gain: equation (3) and the bridge."""
    gen = np.random.default_rng(people)
    pi = np.array([people // 3] * 3)
    rows = []
    for _ in range(draws):
        x = sum(gen.multinomial(n, row) for n, row in zip(pi, stubborn))
        exact = max_gain(pi, x, transition=stubborn, law="exact")
        printed = max_gain(pi, x, transition=stubborn, unit="infinitesimal")
        bridge = max_gain(pi, x, transition=stubborn, law="bridge")
        rows.append(np.log([printed / exact, bridge / exact]))
    return np.sqrt(np.mean(np.square(rows), axis=0))


rms = {people: errors(people) for people in (15, 30, 60, 120)}
for people, (printed, bridge) in rms.items():
    print(f"{people:4d} people: error of (3) {printed:.2f}, of bridge {bridge:.3f}")

# %%
with claim("M-B3") as c:
    alarm = max_gain(hundred, [101, 99], transition=P2)
    c.close(alarm, 49 * 99.0, "false alarm: (3) = 49 * 99 = 4851", rtol=1e-9)
    # Two binomials by hand: how many of A left, and of B came, given both counts.
    left, came = binom.pmf(range(101), 100, 0.02), binom.pmf(range(101), 100, 0.01)
    a = np.arange(101)
    both = left[:100] * came[1:]  # one more came than left
    guess = max_gain(hundred, [101, 99], transition=P2, law="exact")
    c.close(guess, both @ a[1:] / both.sum(), "exact there: binomials", rtol=1e-8)
    c.close(
        max_gain(hundred, [50, 150], transition=P2), 1.0, "blind: (3) is 1", rtol=1e-9
    )
    both = left[50:] * came[:51]  # fifty more left than came
    guess = max_gain(hundred, [50, 150], transition=P2, law="exact")
    c.close(guess, both @ a[50:] / both.sum() / 2, "exact there, same way", rtol=1e-8)
    halved = rms[15] / 2
    c.at_most(rms[120][1], halved[1], "bridge: error at 120 below half of that at 15")
    c.at_most(halved[0], rms[120][0], "equation (3): not so")


# %% [markdown]
# ## Slips

# %% tags=["hide-input"]
def joint(c):
    """Sum of the printed p over all pairs of histograms of two people."""
    pairs = [(k, 2 - k) for k in range(3)]
    rows = [sum(realisation(a, b, transition=even) for b in pairs) for a in pairs]
    c.differs(sum(rows), F(1), "two people, two places: sum over all pairs")
    c.exact(rows, [F(1)] * 3, "for each first histogram the sum is 1")
    first = {(2, 0): F(1, 5), (1, 0): F(2, 7)}  # any law of the histogram before
    alone = [realisation(a, b, transition=even) for a, b in four]
    both = [first[a] * v for (a, _), v in zip(four, alone)]
    gains = [v[0] * v[1] / v[2] / v[3] for v in (alone, both)]
    c.exact(gains[0], gains[1], "in a gain the law of the first histogram cancels")


def mixture(c):
    """Mixture of multinomials for the identity matrix: N draws from one place."""

    def value(pi, x):
        total = sum(pi)
        return sum(F(n, total) * int(x[i] == total) for i, n in enumerate(pi))

    c.differs(F(0), value([1, 1], [2, 0]), "identity, (1,1) to (2,0): mixture")
    c.exact(value([1, 1], [1, 1]), F(0), "identity, (1,1) to (1,1): the mixture is 0")
    c.exact(
        realisation([1, 1], [1, 1], transition=stay), 1, "there the true law is 1"
    )
    c.exact(realisation([1, 1], [2, 0], transition=stay), 0, "and 0 at (2,0)")


records = slips([
    ("M-M15", r"$p(\pi(t-1), \pi(t))$ for the sum (2)",
     r"$p(\pi(t) \mid \pi(t-1))$; the difference cancels in gains", joint),
    ("M-M13", "a mixture of multinomials gives 0 for every histogram",
     "for every histogram of more than one place; the right law is a convolution",
     mixture),
])  # fmt: skip

# %% [markdown]
# Footnote 1 is right in its purpose: a mixture (混合多項分布) draws all $N$ people from *one* place, and cannot
# serve. The law of a sum of independent multinomials, which is the generating function above, can.
#
# Two things cannot be checked: the matrix of Example 4.1 and Figure 1 are not in the text that we have.

# %%
with claim("M-F2") as c:
    c.missing("the transition matrix of Example 4.1 is not printed")
with claim("M-F8") as c:
    c.missing("Figure 1 is not in the text that we have")

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} A person whom the flow loses
# :label: ex-lo-02-lost
# ```
# **Warm-up.** Three people at A, and $P_{AA} = 1$. Released: two at A, one at B. What do Theorem 4.1 as
# printed, and the truth, say?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-02-lost
# :class: dropdown
# ```
# The flow routes two of the three at cost 0, so $p_{\max} = 3! = 6$. The truth is 0.

# %%
lost = cost_by_networkx([3, 0], [2, 1], stay)
assert math.factorial(3) * math.exp(-lost) == 6
assert max_flow([3, 0], [2, 1], transition=stay) == 2
assert realisation([3, 0], [2, 1], transition=stay) == 0

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A single occupied place
# :label: ex-lo-02-source
# ```
# **Standard.** Show that from a single occupied place the gain by equation (3) is 1 for every release, and
# that the exact gain can be as large as $1 / \min_j P_{ij}$.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-02-source
# :class: dropdown
# ```
# The only movement is $a_{ij} = x_j$, so $C = \sum_j w_{ij} x_j$ and $G_{ij} = w_{ij}$ for $x$ and for
# $\tilde\pi$ alike. The exact gain is $x_j / (N P_{ij})$, which is $1/P_{ij}$ if everybody went to $\ell_j$.

# %%
one = np.array([[0.6, 0.3, 0.1], [0, 1, 0], [0, 0, 1]])
for x in ([20, 0, 0], [0, 20, 0], [0, 0, 20], [5, 5, 10]):
    assert np.isclose(max_gain([20, 0, 0], x, transition=one), 1)
assert np.isclose(max_gain([20, 0, 0], [0, 0, 20], transition=one, law="exact"), 10)

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
#
# ```{solution-start} ex-lo-02-rate
# :class: dropdown
# ```
# It falls like $1/N$: doubling the people halves it. (For a matrix with tiny entries the expected count of an
# arc may stay below one person, and there the bridge stays wrong by a factor until $N$ is large enough.)

# %%
floats = np.array(P, float)
worst = []
for k in (1, 2, 4, 8, 16):
    pi, x = k * np.array(before), k * np.array(after)
    exact = expected_movement(pi, x, transition=floats)
    bridge = expected_movement(pi, x, transition=floats, method="bridge")
    worst.append(np.abs(bridge / exact - 1).max())
ratios = np.array(worst[:-1]) / worst[1:]
print(np.round(ratios, 2))
assert (ratios[1:] > 1.7).all()
assert (ratios[1:] < 2.3).all()

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
#   from a single source, and raises false alarms two people away from the prediction; the entropic
#   plan has the right limit.
#
# **Further reading.** Collective graphical models {cite:p}`sheldon2011collective` infer movements from
# counts; the survey {cite:p}`leonard2014survey` on the Schrödinger problem and transport; the solver behind our
# flows {cite:p}`flamary2021pot`. The paper is {cite:p}`kawamoto`. **Before:**
# [what adversarial privacy promises](01-adversarial-privacy.ipynb).
