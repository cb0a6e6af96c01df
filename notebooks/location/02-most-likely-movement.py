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
# # Can the most likely movement stand for all movements?
#
# At nine o'clock an attacker sees two people at A, two at B and one at C. A minute later the counts one, two and two (a *histogram*) are published. What do they tell the attacker about one person from A?
#
# **The paper** {cite:p}`kawamoto` answers with the factor by which the attacker's probability grows. This factor is a ratio of two probabilities of histograms. The paper calls their exact computation unrealistic. Instead it finds the most likely behaviour of the $N$ people by a flow in a network, and multiplies the probability of this behaviour by $N!$.
# **We find** that the flow is right if it carries all $N$ people. But each of the two probabilities is a sum, and a ratio of the largest terms can be far from the ratio of the sums. The paper's factor can be 1<!-- {printed_gain((100, 100), (50, 150), seldom):.0f} --> (nothing learnt) where the attacker's probability grows by a factor of 25<!-- {exact[50, 150]:.0f} -->, and 4851<!-- {printed_gain((100, 100), (101, 99), seldom):.0f} --> where it grows by a factor of 1.78<!-- {exact[101, 99]:.2f} -->. A rule that uses it lets harmful releases pass and stops harmless ones. We give the exact ratio for few places and a good approximation for many people.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** to compute the exact probability of a histogram, to find the most likely behaviour by a flow, to find what one person adds to the cost of this flow, and what to use for many people.
# **You need** Bayes' rule, logarithms and Python. Duality is explained.
# **Time:** 33 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows the transition probabilities and the histogram before, perhaps also where one person or everybody was. The attacker sees the histogram after. **Protected:** no guess about where one person is now becomes more than
# $e^\varepsilon$ times as probable. **Not covered:** what the transition probabilities say anyway; several releases together; an attacker who knows the rule by which published counts were altered ([notebook 3](03-publishing-a-histogram.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sympy as sp

from privlib.location import max_gain
from privlib.location.exact import movements
from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## Everything that five people could have done
#
# The histograms are those of the paper's Example 4.1. Its text gives no transition probabilities, so we choose them:

# %%
places = "ABC"
P = np.array([[4, 2, 2], [2, 4, 2], [1, 3, 4]]) * Fraction(1, 8)  # from A, B, C (rows)
start = "AABBC"  # where the five people were

# %% [markdown]
# The figure shows one way in which they could have moved.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Two histograms and our transition probabilities (small numbers). The wide arcs show one possible movement. The widest arc carries 2<!-- {drawn.max()} --> people, each of the others one.", "name": "fig-lo-02-network"}, "image": {"alt": "Three places before on the left with 2, 2 and 1 people, three places after on the right with 1, 2 and 2 people, joined by nine arcs. The arcs from A to A, A to C, B to B (two people) and C to C are wide."}} tags=["figure"]
drawn = np.array([[1, 0, 1], [0, 2, 0], [0, 0, 1]])
assert drawn.sum(axis=1).tolist() == [2, 2, 1] and drawn.sum(axis=0).tolist() == [1, 2, 2]
fig, ax = plots.panels(height=3.4)
for i, j in np.ndindex(3, 3):
    used = int(drawn[i, j])
    colour = plots.COLOURS["blue"] if used else plots.COLOURS["grey"]
    ax.plot([0, 1], [-i, -j], color=colour, lw=1 + 2.5 * used, ls="-", zorder=1)
    at = 0.17 + 0.06 * j
    box = {"fc": "white", "ec": "none", "pad": 0.8}
    ax.text(at, -i + at * (i - j), str(P[i, j]), fontsize=8, ha="center", va="center", bbox=box)
for side, counts in ((0, (2, 2, 1)), (1, (1, 2, 2))):
    ax.scatter([side] * 3, [0, -1, -2], s=620, c="white", edgecolors="black", zorder=2)
    for k, n in enumerate(counts):
        ax.text(side, -k, f"{'ABC'[k]}: {n}", ha="center", va="center", fontsize=9)
ax.text(0, 0.5, "people before", ha="center")
ax.text(1, 0.5, "people after", ha="center")
ax.set(xlim=(-0.15, 1.15), ylim=(-2.4, 0.75))
ax.axis("off")
plt.show()

# %% [markdown]
# A *behaviour* is a list that says where each of the five people is now. We list all behaviours that lead to the published counts:

# %%
behaviours = []
for end in product(places, repeat=5):
    if (end.count("A"), end.count("B"), end.count("C")) == (1, 2, 2):
        behaviours.append(end)
print(len(behaviours), "behaviours")

# %% [markdown]
# The people move independently, so the probability of a behaviour is a product. Bayes' rule gives the probability that the first person, who was at A, is now at each place:

# %%
move_probability = {(places[i], places[j]): P[i, j] for i, j in np.ndindex(3, 3)}


def probability(end):
    return math.prod(move_probability[move] for move in zip(start, end))


total = sum(probability(end) for end in behaviours)
for j, place in enumerate(places):
    here = sum(probability(end) for end in behaviours if end[0] == place)
    posterior = here / total
    print(f"at {place}: before {P[0, j]}, after {posterior}, gain {posterior / P[0, j]}")


# %% [markdown]
# The guess C gains most. Its probability is multiplied by 1.48<!-- {float(posterior / P[0, 2]):.2f} -->. This factor is called the gain:
#
# ```{prf:definition} Attackers and gain
# :label: def-lo-02-gain
# Let $\pi$ be the histogram before and $x$ the one after. The attackers know $\pi$ and the transition matrix $P$. *MK* knows nothing else. *OPK* also knows where one person was. *NPK* knows where everybody was.
#
# Let $K$ be what the attacker knows, and $X^u$ the place of person $u$ after. The gain of the guess that $u$ is at $\ell_j$ is
#
# $$ \mathrm{Gain}(x, u, \ell_j, K) = \frac{p(X^u = \ell_j \mid x, K)}{p(X^u = \ell_j \mid K)} . $$
#
# (This is the paper's Definition 3.2.)
# ```
#
# A release is private at level $\varepsilon$ if no gain exceeds $e^\varepsilon$. OPK and NPK have the same gain about a person from $\ell_i$. This is because, given $\pi$, it does not matter which of the other people was where.
#
# ## Equation (2) is right over labelled people
#
# The paper does not name people but counts them:
#
# ```{prf:definition} Movements
# :label: def-lo-02-movements
# A *movement* from $\pi$ to $x$ is a matrix $a = (a_{ij})$ of counts with row sums $\pi_i$ and column sums $x_j$. The entry $a_{ij}$ is the number of people who go from $\ell_i$ to $\ell_j$. The set of all movements is $\mathcal A(\pi, x)$. (Section 3.2.1 of the paper.)
# ```
#
# The paper's equation (2) is meant to be the probability of $x$ given $\pi$. The paper writes $p(\pi, x)$ for it; we write $p(x \mid \pi)$:
#
# $$ p(x \mid \pi) = \sum_{a \in \mathcal A(\pi, x)} \prod_{ij} P_{ij}^{a_{ij}} . \tag{2} $$
#
# The formula has one term for every matrix. But the paper also says that there are $N!$ behaviours, which suggests one term for every behaviour of labelled (named) people. We compute both. The function `movements` of `privlib` lists all matrices of $\mathcal A(\pi, x)$:

# %%
def product_of(a, P):
    """Product of the transition probabilities of all moves."""
    return math.prod((P**a).flat)


matrices = movements((2, 2, 1), (1, 2, 2))
over_matrices = sum(product_of(a, P) for a in matrices)
print(len(matrices), "matrices:", over_matrices)
print(len(behaviours), "behaviours:", total)


# %% [markdown]
# The sum over labelled people is the true probability, 265/2048<!-- {total} -->, so we read equation (2) in this way. The sum over matrices is too small, because it counts behaviours that differ only in *who* went as one. (The number of behaviours is $N!/\prod_j x_j!$, here 30<!-- {math.factorial(5) // (math.factorial(2) * math.factorial(2))} -->. It is $N!$ only if no two people end at the same place.)
#
# A sum over matrices is right, too, if each matrix is counted as often as it has behaviours:
#
# ```{prf:theorem} Equation (2) over matrices, with its coefficients
# :label: thm-lo-02-distribution
# The probability of the histogram $x$ after $\pi$ is
#
# $$ p(x \mid \pi) = \sum_{a \in \mathcal A(\pi, x)} \prod_i \frac{\pi_i!}{\prod_j a_{ij}!} \prod_{ij} P_{ij}^{a_{ij}} . $$
# ```
#
# ```{prf:proof}
# A behaviour with the matrix $a$ has the probability $\prod_{ij} P_{ij}^{a_{ij}}$. How many behaviours have this matrix? Of the $\pi_i$ people at $\ell_i$, $a_{i1}$ go to $\ell_1$, $a_{i2}$ to $\ell_2$, and so on. There are
# $\pi_i!/\prod_j a_{ij}!$ ways to choose who goes where. Multiply over $i$.
# ```

# %%
def coefficient(a):
    """Number of behaviours with the matrix a."""
    result = 1
    for row in a.tolist():
        result *= math.factorial(sum(row)) // math.prod(math.factorial(n) for n in row)
    return result


print("behaviours of the matrices:", *[coefficient(a) for a in matrices])
assert sum(coefficient(a) * product_of(a, P) for a in matrices) == total


# %% [markdown]
# ```{evidence} M-M8 M-M9 M-M10 M-M15
# ```
#
# ## The exact gain can be computed for few places
#
# The paper says that equation (2) cannot realistically be computed exactly. Term by term this is true of the paper's data, with two thousand people at 14 places. But we can also add one person at a time, and keep only the probability of each histogram:

# %%
def plus(h, k, change=1):
    """The histogram h with one person more (or fewer) at place k."""
    return tuple(n + change * (place == k) for place, n in enumerate(h))


def distribution(before, P):
    """Probability of every histogram after."""
    result = {tuple(0 for _ in before): 1}
    for i in np.repeat(range(len(before)), before):  # the place of each person before
        larger = Counter()
        for h, p in result.items():
            for j in range(len(before)):
                larger[plus(h, j)] += p * P[i, j]
        result = larger
    return result


assert distribution((2, 2, 1), P)[1, 2, 2] == total

# %% [markdown]
# There are far fewer histograms than matrices. Take 120 people at three places:

# %%
print(len(movements((40, 40, 40), (44, 45, 31))), "matrices between two histograms")
print(math.comb(122, 2), "histograms")


# %% [markdown]
# The exact gain can be computed from such distributions:
#
# ```{prf:proposition} Exact gain
# :label: thm-lo-02-gain
# Let $e_i$ be the histogram of one person at $\ell_i$, and let $\pi_i P_{ij} > 0$. For OPK and NPK, the gain of the guess that a person from $\ell_i$ is at $\ell_j$ is
#
# $$ \frac{p(x - e_j \mid \pi - e_i)}{p(x \mid \pi)} = \frac{E[a_{ij} \mid \pi, x]}{\pi_i P_{ij}} . $$
#
# For MK, who does not know $\ell_i$, the gain of the guess that a person is at $\ell_j$ is $x_j / \tilde\pi_j$. Here $\tilde\pi = \pi P$ is the *prediction*.
# ```
#
# ```{prf:proof}
# *OPK and NPK.* The prior is $P_{ij}$. If the person went from $\ell_i$ to $\ell_j$, the other $N - 1$ people went from $\pi - e_i$ to $x - e_j$. By Bayes' rule, the posterior is $P_{ij}\, p(x - e_j \mid \pi - e_i) / p(x \mid \pi)$. Divide it by the prior. This is the left side. All $\pi_i$ people from $\ell_i$ have the same posterior, so the posterior is also $E[a_{ij} \mid \pi, x]/\pi_i$. This gives the right side.
#
# *MK.* To MK all $N$ people are alike. The posterior is $x_j/N$ and the prior is $\tilde\pi_j/N$.
# ```

# %%
def exact_gains(before, P):
    """Largest gain of NPK, for every histogram after."""
    whole = distribution(before, P)
    gain = Counter()
    for i in np.flatnonzero(before):
        others = distribution(plus(before, i, -1), P)
        for x, p in whole.items():
            for j in np.flatnonzero(x):
                gain[x] = max(gain[x], others[plus(x, j, -1)] / p)
    return gain


print(exact_gains((2, 2, 1), P)[1, 2, 2])


# %% [markdown]
# This is the largest gain of the first section.
#
# ```{evidence} M-B1 M-M11 M-M13
# ```
#
# ## A cheapest flow finds the most likely behaviour
#
# At 14 places the exact gain is out of reach, unless few moves are possible ([the notebook on Tokyo](06-paths-and-tokyo.ipynb)). The paper replaces the sum (2) by $N!$ times its largest term:
#
# $$ N! \times \max_{a \in \mathcal A(\pi, x)} \prod_{ij} P_{ij}^{a_{ij}} . \tag{3} $$
#
# This product is the probability of one *behaviour*. We call the matrix of the most likely behaviour the *most likely movement*. Another matrix can be more probable, because it can have more behaviours (see the last section).
#
# To find the largest product, give each move from $\ell_i$ to $\ell_j$ the cost $w_{ij} = -\log P_{ij}$. The product is largest where the sum of all costs is smallest. So we look for the cheapest way to send $N$ people from a source to a sink through this network:
#
# ```{prf:definition} Flow network
# :label: def-lo-02-network
# There are three kinds of arcs:
#
# - from a source to every place before, with capacity $\pi_i$ and cost 0;
# - from a place before to every place after with $P_{ij} \ne 0$, with capacity $\pi_i$ and cost $w_{ij}$;
# - from every place after to a sink, with capacity $x_j$ and cost 0.
#
# (Equations (4) and (5) of the paper.)
# ```

# %%
def cheapest_movement(before, after, P):
    """Number of people on each arc of a cheapest maximum flow."""
    graph = nx.DiGraph()
    arcs = np.argwhere(P > 0).tolist()
    for i, j in arcs:
        cost = round(-math.log(P[i, j]) * 1e9)  # networkx wants whole numbers
        graph.add_edge("source", ("before", i), capacity=before[i])
        graph.add_edge(("before", i), ("after", j), capacity=before[i], weight=cost)
        graph.add_edge(("after", j), "sink", capacity=after[j])
    flow = nx.max_flow_min_cost(graph, "source", "sink")
    counts = np.zeros(P.shape, int)
    for i, j in arcs:
        counts[i, j] = flow["before", i]["after", j]
    return counts


# %% [markdown]
# A *maximum flow* carries as many people as the capacities allow. Theorem 4.1 of the paper says that (3) is $N! \exp(-C)$, where $C$ is the cost of a cheapest maximum flow. In other words, (3) is $N!$ times the product for this flow:

# %%
def p_max(before, after, P):
    """Theorem 4.1 as printed."""
    return math.factorial(sum(before)) * product_of(cheapest_movement(before, after, P), P)


largest = max(product_of(a, P) for a in matrices)
print(f"flow {p_max((2, 2, 1), (1, 2, 2), P)}, list {math.factorial(5) * largest}")
print("nobody can move, but somebody did:", p_max((1, 0), (0, 1), np.eye(2)))

# %% [markdown]
# In the first case the flow is right. (15/8<!-- {math.factorial(5) * largest} --> is not a probability. That is harmless in the paper's gain, where the factorials cancel.)
#
# In the second case, nobody can move from A to B. The maximum flow carries nobody and costs nothing. So an *impossible* release gets the value 1<!-- {p_max((1, 0), (0, 1), np.eye(2)):.0f} -->. The theorem needs one more condition:
#
# ```{prf:theorem} The most likely movement (Theorem 4.1, with its condition)
# :label: thm-lo-02-flow
# If the maximum flow carries all $N$ people, the maximum (3) is $N! \exp(-C)$, where $C$ is the cost of a cheapest maximum flow. Otherwise every movement from $\pi$ to $x$ uses an impossible move, and the maximum is 0.
# ```
#
# A movement of possible moves is a flow of $N$ people in *whole* numbers, and every such flow is a movement. But might the cheapest flow send half a person along some arc? The paper does not discuss it.
#
# Take two places. The unknowns are $a_{AA}, a_{AB}, a_{BA}, a_{BB}$, and four sums of them are given. We compute the determinants of all square submatrices:

# %%
sums = np.array([
    [1, 1, 0, 0],  # people who leave A
    [0, 0, 1, 1],  # people who leave B
    [1, 0, 1, 0],  # people who arrive at A
    [0, 1, 0, 1],  # people who arrive at B
])
determinants = Counter()
for size in (1, 2, 3, 4):
    chosen = list(combinations(range(4), size))
    for rows, columns in product(chosen, chosen):
        determinants[round(np.linalg.det(sums[np.ix_(rows, columns)]))] += 1
print(dict(determinants))

# %% [markdown]
# Every determinant is $-1$, 0 or 1. Such a matrix is called *totally unimodular*. By Cramer's rule, the solution of a square system with whole coefficients and right-hand side is a whole vector divided by the determinant. So it is whole if the determinant is $\pm 1$.
#
# Not every system of sums has this property. For example, let each pair of three unknowns sum to 1. The determinant is 2<!-- {round(np.linalg.det([[1, 1, 0], [0, 1, 1], [1, 0, 1]]))} -->, and the solution $(\frac12, \frac12, \frac12)$ is not whole.
#
# ```{prf:proof}
# *If the flow carries fewer than $N$ people,* there is no flow of $N$ people, so no movement consists of possible moves. Otherwise, we show that some cheapest flow is whole. Then it is a cheapest movement.
#
# *A vertex.* The flows of $N$ people form a polytope. The cost is linear, so it is smallest at a vertex (corner).
#
# *A square system.* At a vertex, the columns of the nonzero entries are linearly independent. Otherwise we could change these entries a little in some direction, and also in the opposite direction. Then the vertex would be the midpoint of two other flows, but no vertex is. Hence a square subsystem with nonzero determinant gives the nonzero entries.
#
# *Whole numbers.* The right-hand side of this system is whole, and its determinant is $\pm 1$ (see below). By Cramer's rule, the entries are whole.
#
# *Determinants for any number of places.* Every column of the matrix of sums has one 1 among the "leave" rows and one among the "arrive" rows. Take a square submatrix. If some column has no 1, the determinant is 0. If some column has a single 1, expand along it and continue with a smaller submatrix. If every column has two, the "leave" rows and the "arrive" rows have the same sum, so the determinant is 0.
# ```
#
# ```{evidence} M-F1 M-F2 M-F3 M-F4 M-F5 M-F6 M-F7 M-F7b M-F8
# ```
#
# ## The saving of one person is a sum of two prices
#
# The exact gain of {prf:ref}`thm-lo-02-gain` also contains $p(x - e_j \mid \pi - e_i)$. In its place we need the maximum (3) with one person fewer. By how much does the least cost $C$ fall (the *saving*)?
#
# **A warm-up.** Take four people at two places, and small whole costs:

# %%
w = np.array([[1, 3], [4, 2]])  # cost of a move from A, from B


def least_cost(before, after, w):
    return min((a * w).sum() for a in movements(before, after))


print("least cost:", least_cost((2, 2), (3, 1), w))
for i, j in np.ndindex(2, 2):
    fewer = least_cost(plus((2, 2), i, -1), plus((3, 1), j, -1), w)
    print(f"without one from {'AB'[i]} to {'AB'[j]}: {fewer}")

# %% [markdown]
# The cheapest movement is $\begin{pmatrix}2 & 0\\ 1 & 1\end{pmatrix}$. In the line "without one from A to B", one person fewer is at A before, and one fewer at B after. The cost *rises* from 8<!-- {least_cost((2, 2), (3, 1), w)} --> to 9<!-- {least_cost((1, 2), (3, 0), w)} -->. The reason is that nobody went from A to B. We can only take away somebody who went from A to A, which saves 1<!-- {w[0, 0]} -->. Now one person too few is at A. So somebody who went from B to B must go to A instead, which costs 2<!-- {w[1, 0] - w[1, 1]} --> more.
#
# **Prices** explain all four numbers. Suppose that a carrier moves the people, and charges for every pick-up and every set-down:
#
# ```{prf:definition} Prices
# :label: def-lo-02-prices
# The carrier charges $\lambda_i$ for picking a person up at $\ell_i$ and $\mu_j$ for setting a person down at $\ell_j$. The *price* of the trip from $\ell_i$ to $\ell_j$ is $\lambda_i + \mu_j$. It may not exceed the cost of the move: $\lambda_i + \mu_j \le w_{ij}$ for all $i, j$.
#
# The carrier looks for the largest income $\sum_i \pi_i \lambda_i + \sum_j x_j \mu_j$. This is the *dual* problem, and prices with the largest income are *optimal*.
# ```
#
# The income is the sum of the prices of all trips, so it is at most the cost $C$ of the cheapest movement. It is equal to $C$, and the prices are optimal, if $\lambda_i + \mu_j = w_{ij}$ for every move that the cheapest movement makes.
#
# We find optimal prices by hand. If we add a number to all $\lambda_i$ and subtract it from all $\mu_j$, no trip changes its price. So we may set $\mu_A = 0$. The move A→A is made, so $\lambda_A = 1$. The move B→A is made, so $\lambda_B = 4$. The move B→B is made, so $\lambda_B + \mu_B = 2$, and $\mu_B = -2$.

# %%
pick_up, set_down = np.array([1, 4]), np.array([0, -2])
price = pick_up[:, None] + set_down
assert (price <= w).all() and (2, 2) @ pick_up + (3, 1) @ set_down == 8
print(price.tolist())

# %% [markdown]
# These prices of the trips A→A, A→B, B→A and B→B equal the four savings: the least cost minus each of the four costs printed above. {numref}`fig-lo-02-prices` shows them.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The warm-up. Solid: the moves of the cheapest movement; their prices equal their costs. Dashed: a move that nobody makes; its price lies below its cost. The charges for picking up and setting down stand beside the places.", "name": "fig-lo-02-prices"}, "image": {"alt": "Places A and B before, with 2 people each and the charges 1 and 4, are joined to A and B after, with 3 people and 1 person and the charges 0 and \u22122. Three lines are solid: A to A with cost 1 and price 1, B to A with 4 and 4, B to B with 2 and 2. The line from A to B is dashed, with cost 3 and price \u22121."}} tags=["figure"]
cheapest = np.array([[2, 0], [1, 1]])
fig, ax = plots.panels(height=3.0)
for i, j in np.ndindex(2, 2):
    used = cheapest[i, j]
    colour = plots.COLOURS["blue"] if used else plots.COLOURS["grey"]
    ax.plot([0, 1], [-i, -j], color=colour, lw=1.5 + 1.5 * used, ls="-" if used else "--")
    assert price[i, j] == w[i, j] if used else price[i, j] < w[i, j]
    words = f"cost {w[i, j]}, price {price[i, j]}".replace("-", "−")
    at = 0.5 if i == j else 0.28
    box = {"fc": "white", "ec": "none", "pad": 1.5}
    ax.text(at, -i + at * (i - j), words, fontsize=9, ha="center", va="center", bbox=box)
ends = ((0, (2, 2), pick_up, "pick up", "right"), (1, (3, 1), set_down, "set down", "left"))
for side, inhabitants, charges, verb, aligned in ends:
    ax.scatter([side] * 2, [0, -1], s=620, c="white", edgecolors="black", zorder=2)
    for place in range(2):
        label = f"{'AB'[place]}: {inhabitants[place]}"
        ax.text(side, -place, label, ha="center", va="center", fontsize=9)
        words = f"{verb}: {charges[place]}".replace("-", "−")
        ax.text(1.16 * side - 0.08, -place, words, ha=aligned, va="center", fontsize=9)
ax.set(xlim=(-0.4, 1.4), ylim=(-1.3, 0.3))
ax.axis("off")
plt.show()


# %% [markdown]
# **In general,** several people may have to change their destinations, one after the other:
#
# ```{prf:definition} Steps
# :label: def-lo-02-steps
# Suppose that one person too few arrives at $b$. Somebody who went from $m$ to $k$ can go to $b$ instead, which costs $w_{mb} - w_{mk}$ more. Then one person is missing at $k$. Call this a *step* from $b$ to $k$. Its length is the least extra cost,
#
# $$ \min_{m : a_{mk} > 0} (w_{mb} - w_{mk}) . $$
#
# Steps in a row make a path, and $D(b, j)$ is the length of the shortest path from $b$ to $j$.
# ```
#
# In the warm-up, the step from A to B has the length 2<!-- {w[1, 0] - w[1, 1]} -->. The saving for the trip A→B is $w_{AA} - D(A, B)$, that is, -1<!-- {price[0, 1]} -->.
#
# ```{prf:proposition} Savings are dual prices
# :label: thm-lo-02-savings
# Let all $P_{ij}$ be positive and all places occupied, before and after. Let $a$ be a cheapest movement. The saving is
#
# $$ G_{ij} = C(\pi, x) - C(\pi - e_i, x - e_j) = w_{ib} - D(b, j) \quad\text{for any } b \text{ with } a_{ib} > 0 . $$
#
# Among all optimal prices, it is the smallest price $\lambda_i + \mu_j$ of the trip.
# ```
#
# ```{prf:proof}
# No closed path has negative length, since it would give a cheaper movement than $a$.
#
# *The saving is at least $w_{ib} - D(b, j)$.* Take away one person who went from $i$ to $b$, and make the changes along a shortest path. The path visits no place twice, so its changes concern different people and can be made together. Afterwards one person is missing at $j$, as it should be, and the cost has fallen by $w_{ib} - D(b, j)$.
#
# *The saving is at most $\lambda_i + \mu_j$, for all optimal prices.* Optimal prices earn $C$, since some prices do (see below). With $N - 1$ people the same prices are allowed. They earn $C - (\lambda_i + \mu_j)$. The least cost for the $N - 1$ people is at least this income, so the saving is at most $\lambda_i + \mu_j$.
#
# *Some optimal prices have $\lambda_i + \mu_j = w_{ib} - D(b, j)$.* Set $\mu_k = -D(b, k)$ for all $k$, and $\lambda_m = \min_n (w_{mn} - \mu_n)$. These prices are allowed. To see that they are optimal, let $a_{mk} > 0$. Compare a shortest path to $k$ with one that goes to any place $n$ first and then makes a step from $n$ to $k$:
#
# $$ D(b, k) \le D(b, n) + w_{mn} - w_{mk} . $$
#
# In other words, $w_{mk} - \mu_k \le w_{mn} - \mu_n$ for all $n$. So the minimum is at $k$, and $\lambda_m + \mu_k = w_{mk}$. For $m = i$ and $k = b$ this says $\lambda_i = w_{ib}$, because $\mu_b = -D(b, b) = 0$.
# ```
#
# So one flow gives the savings for all pairs of places, by shortest paths:

# %%
def savings(a, w):
    """Saving of one person, for every pair of places, from one cheapest movement."""
    distance = np.full(w.shape, np.inf)
    for b, k in np.ndindex(w.shape):
        steps = [w[m, b] - w[m, k] for m in range(len(w)) if a[m, k] > 0]
        distance[b, k] = min(steps, default=np.inf)
    for k in range(len(w)):  # paths through place k
        distance = np.minimum(distance, distance[:, [k]] + distance[[k], :])
    used = a.argmax(axis=1)  # for each i a place b with a[i, b] > 0
    direct = w[range(len(w)), used]
    return direct[:, None] - distance[used]


assert np.array_equal(savings(np.array([[2, 0], [1, 1]]), w), price)


# %% [markdown]
# Now we can write down the gain that the paper uses:
#
# ```{prf:definition} Printed gain
# :label: def-lo-02-printed
# Write $G_{ij}(x)$ for the saving if $x$ is published. If we put (3) in place of the two probabilities, the posterior of {prf:ref}`thm-lo-02-gain` is
#
# $$ P_{ij}\, \frac{(N-1)!}{N!}\, e^{G_{ij}(x)} = \frac{P_{ij}}{N}\, e^{G_{ij}(x)} . $$
#
# The paper does not divide this by the prior $P_{ij}$. It divides by the same expression with the prediction $\tilde\pi$ in place of $x$. We call the result the *printed gain*. It is $\exp(G_{ij}(x) - G_{ij}(\tilde\pi))$.
# ```

# %%
def printed_gain(before, after, P):
    """Largest gain by equation (3); the prediction must be whole, all places occupied."""
    predicted = np.rint(before @ P).astype(int)
    assert np.allclose(predicted, before @ P)
    saved = []
    for x in (after, predicted):
        saved.append(savings(cheapest_movement(before, x, P), -np.log(P)))
    return np.exp(saved[0] - saved[1]).max()


# %% [markdown]
# ```{evidence} M-B2
# ```
#
# ## Equation (3) misses alarms and gives false ones
#
# Two hundred people, half at A and half at B, seldom move:

# %%
seldom = np.array([[0.98, 0.02], [0.01, 0.99]])
exact = exact_gains((100, 100), seldom)
for k in (50, 98, 99, 100, 101, 150):
    printed = printed_gain((100, 100), (k, 200 - k), seldom)
    print(f"{k:3d} now at A: printed gain {printed:6.1f}, exact gain {exact[k, 200 - k]:5.2f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A missed alarm (left dots) and a false alarm (right dots). Largest gain about one of 200 people, for every release from 50 to 150 people at A. The printed gain is 1<!-- {min(step):.0f} --> up to 100<!-- {max(k for k, v in zip(released, step) if v < 2)} --> people, and then jumps. The exact gain is least at the prediction and grows on both sides. The bridge, defined in the next section, follows the exact gain.", "name": "fig-lo-02-gain"}, "image": {"alt": "Gain on a logarithmic axis against the published number at A from 50 to 150. The printed gain is a step, 1<!-- {min(step):.0f} --> up to 100<!-- {max(k for k, v in zip(released, step) if v < 2)} --> and 4851<!-- {max(step):.0f} --> above. The exact curve falls from 25<!-- {truth[0]:.0f} --> at 50 to 1.00<!-- {min(truth):.2f} --> at 99<!-- {released[np.argmin(truth)]} --> and rises to 50<!-- {truth[-1]:.0f} --> at 150. Sparse markers of the bridge lie on the exact curve, but a little above it at 100. Dots mark 50 and 101 people on both curves."}} tags=["figure"]
released = np.arange(50, 151)
step = [printed_gain((100, 100), (k, 200 - k), seldom) for k in released]
truth = [exact[k, 200 - k] for k in released]
near = [
    max_gain((100, 100), (k, 200 - k), transition=seldom, definition="bridge") for k in released
]
assert {round(value) for value in step} == {1, 4851}  # nothing in between
fig, ax = plots.panels(height=3.4)
[line] = ax.step(released, step, where="mid", label="printed gain")
[curve] = ax.plot(released, truth, label="exact gain", ls="-")
ax.plot(released[::5], near[::5], "x", color="black", ms=5, label="bridge gain")
for k in (50, 101):
    ax.plot(k, step[k - 50], "o", color=line.get_color())
    ax.plot(k, truth[k - 50], "o", color=curve.get_color())
ax.set(yscale="log", xlabel="published number of people at A (of 200)", ylabel="largest gain")
ax.axvline(99, color=plots.COLOURS["grey"], lw=1, ls="--")
ax.text(98, 400, "prediction", ha="right", color="#555555")
ax.legend()
plt.show()

# %% [markdown]
# - *False alarm.* The release says 101 people at A; the prediction was 99<!-- {(np.array([100, 100]) @ seldom)[0]:.0f} -->. The printed gain is 4851<!-- {printed_gain((100, 100), (101, 99), seldom):.0f} -->, but the exact gain is only 1.78<!-- {exact[101, 99]:.2f} -->.
# - *Missed alarm.* The release says 50 people at A. So at least half of the people at A have left, though each leaves with probability 1/50. The printed gain is 1<!-- {printed_gain((100, 100), (50, 150), seldom):.0f} -->, but the exact gain is 25.0<!-- {exact[50, 150]:.1f} -->.
#
# **Why is the printed gain a step?** It depends on the release only through the prices. The prices depend only on *which* moves the cheapest movement uses:
#
# - *Fewer than 100 at A.* The cheapest movement uses A→A, A→B and B→B, as at the prediction. So the prices are the same, and the printed gain is 1.
# - *More than 100 at A.* The cheapest movement uses B→A in place of A→B. So the prices change.
#
# (At exactly 100, nobody moves. The lowest price of the trip from A to B is then smaller, and the other three are the same. So the largest printed gain is still 1.)
#
# **Why 4851<!-- {max(step):.0f} -->?** Look at the price of the trip from B to A. Below 100, the three moves of the cheapest movement give
#
# $$ \lambda_A + \mu_A = w_{AA}, \qquad \lambda_A + \mu_B = w_{AB}, \qquad \lambda_B + \mu_B = w_{BB} . $$
#
# Add the first and the third, and subtract the second. The price $\lambda_B + \mu_A$ is $w_{AA} + w_{BB} - w_{AB}$. Above 100, the cheapest movement uses B→A itself, so the price is $w_{BA}$. The printed gain is the exponential of the second price minus the first:
#
# $$ e^{w_{BA} + w_{AB} - w_{AA} - w_{BB}} = \frac{P_{AA}}{P_{AB}} \cdot \frac{P_{BB}}{P_{BA}} . $$
#
# This is the product of the odds of staying at A and at B:

# %%
odds = seldom[0, 0] / seldom[0, 1], seldom[1, 1] / seldom[1, 0]
print(f"{odds[0]:.0f} times {odds[1]:.0f} is {odds[0] * odds[1]:.0f}")

# %% [markdown]
# The paper states no bound on the error of (3).
#
# ```{evidence} M-M12
# ```
#
# ## For many people, use the Schrödinger bridge
#
# The most likely behaviour can be far from typical. Take 100 times as many people: 10,000 at A and 10,000 at B before, and 10,100 at A after. The most likely behaviour moves 100<!-- {cheapest_movement((10_000, 10_000), (10_100, 9_900), seldom)[1, 0]} --> people from B to A and nobody from A to B. Yet 200<!-- {10_000 * seldom[0, 1]:.0f} --> people were expected to leave A. A behaviour with moves in both directions is less likely, but there are far more such behaviours.
#
# So we look for the most probable *matrix*. The probability of a matrix is its term in {prf:ref}`thm-lo-02-distribution`, with the coefficient. Use Stirling's formula $\log n! = n \log n - n + O(\log n)$ and $\pi_i = \sum_j a_{ij}$. Up to terms of the order of $\log N$, the logarithm of the term is
#
# $$ -\sum_{ij} a_{ij} \log \frac{a_{ij}}{\pi_i P_{ij}} . $$
#
# We allow fractions of people. Then the matrix that makes this largest has a simple form:
#
# ```{prf:definition} Bridge
# :label: def-lo-02-bridge
# The *Schrödinger bridge* from $\pi$ to $x$ is the matrix
#
# $$ b_{ij} = \pi_i P_{ij} \frac{s_j}{c_i}, \qquad c_i = \sum_k P_{ik} s_k , $$
#
# with numbers $s_j \ge 0$, its *coordinates*, such that its columns sum to $x_j$. The *bridge gain* is $b_{ij} / (\pi_i P_{ij}) = s_j / c_i$.
# ```
#
# The rows sum to $\pi_i$ by the choice of $c_i$. For the prediction all $s_j$ are 1, and so are all bridge gains.
#
# Why does the bridge make the sum largest? By Lagrange's rule, at a maximum with fixed row and column sums, the derivative by $a_{ij}$ is a number for the row $i$ plus a number for the column $j$. At the bridge it is $\log c_i - \log s_j - 1$. The sum is concave, so the bridge is the maximum. Sympy confirms the derivative:

# %%
a, expected, s_j, c_i = sp.symbols("a m s c", positive=True)  # m is pi_i P_ij
slope = sp.diff(-a * sp.log(a / expected), a)
at_bridge = sp.expand_log(slope.subs(a, expected * s_j / c_i))
assert sp.simplify(at_bridge - (sp.log(c_i) - sp.log(s_j) - 1)) == 0


# %% [markdown]
# Scaling finds the numbers $s_j$. Multiply each $s_j$ by $x_j$ divided by the present sum of column $j$, and repeat:

# %%
def bridge(before, after, P, rounds=1000):
    """The Schrödinger bridge, by scaling; every column must be reachable."""
    s = np.ones(len(after))
    for _ in range(rounds):
        b = (before / (P @ s))[:, None] * P * s
        s = s * after / b.sum(axis=0)
    return b


gain = bridge((100, 100), (50, 150), seldom) / (100 * seldom)
print(f"half left: bridge gain {gain.max():.1f}, exact gain {exact[50, 150]:.1f}")
many = bridge((10_000, 10_000), (10_100, 9_900), seldom)
print("20,000 people:", many.round().tolist())

# %% [markdown]
# The bridge moves 100<!-- {many[0, 1]:.0f} --> people from A to B and 200<!-- {many[1, 0]:.0f} --> back.
#
# **Why may this largest term be used, when that of (3) may not?** By {prf:ref}`thm-lo-02-gain`, the exact gain needs only the mean $E[a_{ij}]$. For many people, nearly all probability lies on matrices whose entries differ from the bridge by the order of $\sqrt N$ at most. So the mean is close to the bridge. The matrix of the most likely behaviour can be far from the mean.
#
# How good is the bridge? We draw releases at three places, where a person stays with probability 0.8. The package's `max_gain` computes the largest exact, printed and bridge gain:

# %%
stubborn = 0.7 * np.eye(3) + 0.1


def squared_errors(people, rng):
    """Squared error of the log of the largest gain: printed, bridge."""
    before = np.full(3, people // 3)
    after = sum(rng.multinomial(n, row) for n, row in zip(before, stubborn))
    log_gain = {}
    for name in ("exact", "printed", "bridge"):
        log_gain[name] = np.log(max_gain(before, after, transition=stubborn, definition=name))
    return [(log_gain[name] - log_gain["exact"]) ** 2 for name in ("printed", "bridge")]


sizes = (15, 30, 60, 120, 240)
rng = np.random.default_rng(15)
errors = []
for people in sizes:
    errors.append(np.sqrt(np.mean([squared_errors(people, rng) for _ in range(100)], axis=0)))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "From 30 people on, the error of the bridge gain falls as the number of people grows. That of the printed gain does not. Root mean square error of the logarithm of the largest gain, over 100 releases for each number of people.", "name": "fig-lo-02-error"}, "image": {"alt": "Two lines on logarithmic axes against 15, 30, 60, 120 and 240 people. The line of the printed gain stays between 3.2<!-- {min(row[0] for row in errors):.1f} --> and 4.0<!-- {max(row[0] for row in errors):.1f} -->. The line of the bridge stays near 0.05<!-- {errors[0][1]:.2f} --> up to 30 people and falls to 0.01<!-- {errors[4][1]:.2f} --> at 240."}} tags=["figure"]
assert errors[1][1] > errors[2][1] > errors[3][1] > errors[4][1]  # the caption
assert errors[4][0] > errors[0][0]
fig, ax = plots.panels(height=3.0)
for column, marker, name in ((0, "s", "printed gain"), (1, "o", "bridge gain")):
    ax.plot(sizes, [row[column] for row in errors], marker=marker, label=name)
ax.set(xscale="log", yscale="log", xlabel="people", ylabel="error of the log of the gain")
ax.set_xticks(sizes, [str(people) for people in sizes])
ax.minorticks_off()
ax.legend()
plt.show()

# %% [markdown]
# From 60 to 240 people, the error of the logarithm falls from 0.033<!-- {errors[2][1]:.3f} --> to 0.011<!-- {errors[4][1]:.3f} --> for the bridge gain. For the printed gain it is 3.96<!-- {errors[4][0]:.2f} --> at 240 people.
#
# **Limits.** Where only one or two people are expected to make a move, the bridge is less exact. If 100 of the 200 people of the example are at A after, the bridge gain is 1.42<!-- {near[50]:.2f} -->, but the exact gain is 1.14<!-- {exact[100, 100]:.2f} -->. The bridge gain can also be too small, which is worse. Let one person be at A and one at B. Each moves to the other place with probability 0.1. If one is at A and one at B after, the bridge gain is 1.00<!-- {max_gain((1, 1), (1, 1), transition=np.array([[0.9, 0.1], [0.1, 0.9]]), definition="bridge"):.2f} -->, but the exact gain is 1.10<!-- {exact_gains((1, 1), np.array([[0.9, 0.1], [0.1, 0.9]]))[1, 1]:.2f} -->.
#
# The name goes back to Schrödinger, who asked in 1931 for the most likely history of a cloud of particles {cite:p}`leonard2014survey`. *Collective graphical models* describe people who are counted but not named {cite:p}`sheldon2011collective`.
#
# ```{evidence} M-B3
# ```
#
# ## Exercises
#
# ```{exercise-start} A release that cannot happen
# :label: ex-lo-02-lost
# ```
# **Warm-up.** Three people are at A, and $P_{AA} = 1$. The release says that two are at A and one at B. What is the value of (3) by Theorem 4.1 as printed, and what is the true probability?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-02-lost", ...)

# %% [markdown]
# ```{solution-start} ex-lo-02-lost
# :class: dropdown
# ```
# The flow routes two of the three people at cost 0, so the printed theorem gives $3! \cdot e^0 = 6$. The true probability is 0.

# %%
by_theorem = p_max((3, 0), (2, 1), np.eye(2))
in_truth = distribution((3, 0), np.eye(2))[2, 1]
assert (by_theorem, in_truth) == (6, 0)
check("lo-02-lost", (by_theorem, in_truth))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A single occupied place
# :label: ex-lo-02-source
# ```
# **Standard.** All $N$ people are at A. Let $p$ be the smallest positive entry of the row of A. Over all possible releases, how large can the largest gain become by equation (3)? How large can the exact one become? And the one by the bridge?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-02-source", ...)


# %% [markdown]
# ```{solution-start} ex-lo-02-source
# :class: dropdown
# ```
# The only movement is $a_{Aj} = x_j$. So $C = \sum_j w_{Aj} x_j$, and the saving is $G_{Aj} = w_{Aj}$ for every release. Therefore the printed gain is 1 *whatever is published*. The exact gain is $x_j / (N P_{Aj})$. It is $1/p$ if everybody goes to the least likely place. The bridge also has $b_{Aj} = x_j$, so its gain is the exact one.

# %%
def largest_gain(p, definition):
    """Largest gain over all releases, if everybody comes from the first of two places."""
    matrix = np.array([[1 - p, p], [0, 1]])
    releases = [(20 - k, k) for k in range(21)]
    return max(max_gain((20, 0), x, transition=matrix, definition=definition) for x in releases)


def exact_gain(p):
    return largest_gain(p, "exact")


def bridge_gain(p):
    return largest_gain(p, "bridge")


row = np.array([[0.6, 0.3, 0.1], [0, 1, 0], [0, 0, 1]])  # three places, p = 1/10
assert np.isclose(max(exact_gains((20, 0, 0), row).values()), 10)
assert np.isclose(exact_gain(0.1), 10)
check("lo-02-source", (largest_gain(0.1, "printed"), exact_gain, bridge_gain))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How fast does the bridge become exact?
# :label: ex-lo-02-rate
# ```
# **Research.** Multiply both histograms of Example 4.1 by $k = 1, 2, 4, 8, 16$. Compare $b_{ij}$ with $E[a_{ij}]$. To which power of the number $N$ of people is the largest relative error nearly proportional? (The answer would be $-2$ for $1/N^2$.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-02-rate", ...)

# %% [markdown]
# ```{solution-start} ex-lo-02-rate
# :class: dropdown
# ```
# It falls like $1/N$: twice as many people, half the error.

# %%
floats = P.astype(float)
worst = []
for k in (8, 16):
    old, new = (2 * k, 2 * k, k), (k, 2 * k, 2 * k)
    whole = distribution(old, floats)[new]
    ratio = np.zeros((3, 3))
    for i in range(3):
        others = distribution(plus(old, i, -1), floats)
        for j in range(3):
            ratio[i, j] = others[plus(new, j, -1)] / whole  # E[a] / (pi_i P_ij)
    scaled = bridge(old, new, floats) / (np.array(old)[:, None] * floats)
    worst.append(abs(scaled / ratio - 1).max())
power = np.log2(worst[1] / worst[0])
assert -1.2 < power < -0.8
check("lo-02-rate", round(power))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *Is equation (2) right?* As a sum over the behaviours of labelled people, it is. As a sum over matrices of counts, it lacks the coefficients $\prod_i \pi_i!/\prod_{ij} a_{ij}!$.
# 2. *When does the flow give the most likely behaviour?* When it carries all $N$ people. Some cheapest flow is whole, because the matrix of sums is totally unimodular. The saving of one person is a sum of two dual prices.
# 3. *What is wrong with the gain by equation (3)?* It changes only when the cheapest movement uses other moves. So it does not notice that half of the people at A have left, and it gives a false alarm just past the prediction. If all people come from one place, the printed gain is always 1.
# 4. *What can be used instead?* The exact gain for few places. For many people, the bridge gain: its error falls like $1/N$ when both histograms grow in proportion.
#
# **Further reading.** Flows and their duals {cite:p}`ahuja1993network`. **Before:** [what adversarial privacy promises](01-adversarial-privacy.ipynb). **Next:** [publishing a histogram](03-publishing-a-histogram.ipynb).
