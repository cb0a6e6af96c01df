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
# # Why does the attacker who knows the least learn the most?
#
# The heating costs of sixty flats are added up and published with noise. Any flat may be the target, and an attacker may know the costs of any others. That makes 34,587,645,138,205,409,280<!-- {60 * 2**59:,} --> attackers.
#
# **The paper** {cite:p}`yangkanren` proposes to consider only the sixty attackers who know no costs. It claims that one of them always has the largest leakage, and that an algorithm computes this leakage in time $O(n^3)$.
# **We find** that the first claim is right, and prove it by computing what an attacker gains by *not* knowing a value. The second claim is right after two edits to the algorithm: as printed, it can return too small a leakage, and then the noise is too small. With negative correlations, the first claim fails.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why an attacker who knows less can learn more from a release, how much noise is enough against every attacker, and how an algorithm computes the largest leakage.
# **You need** [notebook 3](03-gaussian-correlation-model.ipynb): the Gaussian correlation model, the leakage coefficient, and how two tuples are merged.
# **Time:** 26 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple (one flat's costs), at most $M$ apart. **The attackers:** an attacker $\mathcal{A}(i, \mathcal{K})$ wants $x_i$, knows the exact values $x_{\mathcal{K}}$, the network with its weights and the mechanism, and sees one number, the sum of all tuples plus noise from $\operatorname{Lap}(\lambda)$. **Protected:** the odds between any two values of $x_i$ that are at most $M$ apart. **Not covered:** negative weights, other noise, and attackers with approximate knowledge.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from itertools import combinations, pairwise, product

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sympy as sp

from privlib.correlated import networks
from privlib.correlated.adversary import adversaries
from privlib.correlated.gaussian import GaussianModel, combine
from privlib.notebook import plots, table

plots.use()


def names(tuples):
    """Tuples as the text numbers them, from 1."""
    return "{" + ", ".join(str(j + 1) for j in sorted(tuples)) + "}" if tuples else "nobody"


def connected_graphs(n):
    """All labelled connected graphs on n nodes."""
    pairs = list(combinations(range(n), 2))
    for chosen in product((False, True), repeat=len(pairs)):
        graph = nx.empty_graph(n)
        graph.add_edges_from(pair for pair, keep in zip(pairs, chosen) if keep)
        if nx.is_connected(graph):
            yield graph


# %% [markdown]
# ## Which attackers are there?
#
# Take four people with one value (tuple) each. People 1, 2 and 3 are linked to each other, and 4 to 3. All weights and prior precisions (notebook 3) are 1. (The code counts from 0 and calls an attacker an *adversary*: `adversaries(n)` lists all pairs of a target and a set of known tuples.)

# %%
P = sp.Matrix([[3, -1, -1, 0],
               [-1, 3, -1, 0],
               [-1, -1, 4, -1],
               [0, 0, -1, 2]])  # the precision matrix: minus the weights off the diagonal
attackers = list(adversaries(4))
of_first = [known for target, known in attackers if target == 0]
print(len(attackers), "attackers,", len(of_first), "of tuple 1")


# %% [markdown]
# Each of the $n$ targets has one attacker for every subset of the other $n - 1$ tuples. That gives $n\,2^{n-1}$ attackers (section 5.1 of the paper). Section 5.2 counts only $2^{n-1}$, the attackers of one target.
#
# The leakage to an attacker, written $\mathrm{BDPL}$, is $\frac{M}{\lambda}(1 + \ell)$ (equations (17) to (25) of the paper; {prf:ref}`thm-03-leakage` of [notebook 3](03-gaussian-correlation-model.ipynb)). Here $1 + \ell$ is how far the attacker expects the sum to move if the target moves by one. The target itself moves by 1, and the known tuples do not move. The unknown tuples $\mathcal{U}$ have the expected moves $-P_{\mathcal{U}\mathcal{U}}^{-1} P_{\mathcal{U} i}$, and the *leakage coefficient* $\ell$ is the sum of these moves:

# %%
def moves(P, target, known=()):
    """Expected move of each unknown tuple if the target moves by one."""
    unknown = [u for u in range(P.rows) if u != target and u not in known]
    if not unknown:
        return {}
    solution = -P.extract(unknown, unknown).LUsolve(P.extract(unknown, [target]))
    return dict(zip(unknown, solution))


def coefficient(P, target, known=()):
    """Leakage coefficient of an attacker."""
    return sum(moves(P, target, known).values())


# %%
for known in of_first:
    print(f"knows {names(known)}: {coefficient(P, 0, known)}")

# %% [markdown]
# The attacker who knows nobody has the largest coefficient. The reason is that the other tuples resemble the target. If an attacker does not know them, they add information about $x_1$ to the sum, which also contains $x_1$ itself. An attacker who knows them can subtract them and is left with $x_1$ plus noise. (Leakage measures what the release *adds*. An attacker who knows the others also knows more about $x_1$ in advance.)
#
# The paper arranges the attackers of one target in a hierarchy, which {numref}`fig-hierarchy` shows for tuple 1.
#
# ```{prf:definition} Stronger, weaker, ancestor (section 5.2; 先祖, 子孫)
# :label: def-04-hierarchy
# For one target $i$, the attacker $\mathcal{A}(i, \mathcal{K}')$ is *weaker* than $\mathcal{A}(i, \mathcal{K})$, and $\mathcal{A}(i, \mathcal{K})$ is *stronger*, if $\mathcal{K}'$ is a proper subset of $\mathcal{K}$. If exactly one tuple is missing, the weaker attacker is an *ancestor* (先祖) of the stronger one, which is its *descendant* (子孫). An attacker who knows nobody is called *weak*, and one who knows all other tuples *strong*.
# ```

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The hierarchy of the attackers of tuple 1 (compare Figure 2 of the paper), for the network on the left. Each arrow leads to an ancestor, who knows one tuple fewer. The wider the arrow, the more the leakage coefficient \u2113 grows; along a dashed arrow it stays the same.", "name": "fig-hierarchy"}, "image": {"alt": "Left, a triangle of nodes 1, 2, 3 with node 4 attached to 3. Right, 8<!-- {len(value)} --> boxes in four rows, joined by 12<!-- {sum(map(len,value))} --> upward arrows. Coefficients rise from 0<!-- {coefficient(P,0,(1,2,3))} --> at the bottom to 21/19<!-- {coefficient(P,0)} --> on top. The arrows from {2, 3, 4} to {2, 3} and from {3, 4} to {3} are dashed."}} tags=["figure"]
value = {frozenset(known): coefficient(P, 0, known) for known in of_first}
place = {}
for size in range(4):
    row = [K for K in value if len(K) == size]
    for position, K in enumerate(row):
        place[K] = (2.1 * (position - (len(row) - 1) / 2), 3 - size)

fig, (left, right) = plots.panels(1, 2, width=9, height=5.2, width_ratios=(1, 2.5))
people = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3)])
plots.draw_network(
    people,
    left,
    positions={0: (0, 1), 1: (1, 1), 2: (0.5, 0.2), 3: (0.5, -0.7)},
    labels={j: str(j + 1) for j in people},
    size=520,
)
orange = plots.COLOURS["orange"]
left.annotate("target", (0, 1.12), (0, 1.34), ha="center", color=orange,
              arrowprops={"arrowstyle": "-|>", "color": orange})  # fmt: skip
left.set_ylim(-0.9, 1.5)
level_arrows = set()
for K, (x, y) in place.items():
    for j in K:
        x2, y2 = place[K - {j}]
        gain = float(value[K - {j}] - value[K])
        look = {"lw": 1 + 7 * gain} if gain else {"lw": 1.3, "ls": (0, (3, 2))}
        if gain == 0:
            level_arrows.add((names(K), names(K - {j})))
        arrow = {"arrowstyle": "-|>", "color": "#777777", "shrinkA": 0, "shrinkB": 0,
                 "mutation_scale": 13, **look}  # fmt: skip
        right.annotate("", (x2, y2 - 0.24), (x, y + 0.24), zorder=1, arrowprops=arrow)
for K, (x, y) in place.items():
    share = float(value[K] / value[frozenset()])
    box = {"boxstyle": "round,pad=0.45", "ec": "black", "lw": 0.9,
           "fc": plt.get_cmap("cividis")(0.12 + 0.88 * share)}  # fmt: skip
    right.text(x, y, f"knows {names(K)}\nℓ = {value[K]}", ha="center", va="center", zorder=2,
               color="white" if share < 0.5 else "black", bbox=box)  # fmt: skip
right.set(xlim=(-3, 3), ylim=(-0.45, 3.45), xticks=[])
right.set_yticks([0, 1, 2, 3], ["strong", "knows two", "knows one", "weak"])
right.grid(visible=False)
right.spines[["left", "bottom"]].set_visible(False)
right.tick_params(length=0)
assert level_arrows == {("{2, 3, 4}", "{2, 3}"), ("{3, 4}", "{3}")}
plt.show()

# %% [markdown]
# No arrow leads to a smaller coefficient. The dashed arrows lead from attackers who know tuples 3 and 4 to attackers who do not know 4. Tuple 4 is linked to the others only through tuple 3. Once tuple 3 is known, tuple 4 says nothing about tuple 1.
#
# ```{evidence} Y-5.b Y-5.count Y-5.c Y-F2
# ```
#
# ## What is gained by not knowing a tuple?
#
# Compare two attackers of tuple 1: the weak one, and one who knows tuple 3. If $x_1$ moves by one, the weak attacker expects tuple 3 to move by $b$. If tuple 3 moves, the expected sum moves as well, because tuple 3 is part of the sum and the unknown tuples follow it.

# %%
b = moves(P, 0)[2]  # how far tuple 3 follows tuple 1
total = 1 + coefficient(P, 2, known=(0,))  # how far the sum follows tuple 3, 1 fixed
weak, knows_third = coefficient(P, 0), coefficient(P, 0, known=(2,))
print(f"{weak} = {knows_third} + {b} * {total}")
assert weak == knows_third + b * total

# %% [markdown]
# The weak attacker's coefficient, 21/19<!-- {coefficient(P, 0)} -->, exceeds the other one, 1/3<!-- {coefficient(P, 0, (2,))} -->, by exactly the product of these two moves. This holds in general.
#
# ```{prf:proposition} Exact gain
# :label: prp-04-step
# Let every submatrix $P_{\mathcal{U}\mathcal{U}}$ with $\mathcal{U} \ne \{1, \dots, n\}$ be positive definite. ($P$ itself need not be; without priors it is not.) The weights may have any signs. Let $\mathcal{K}' = \mathcal{K} \setminus \{j\}$, and let $b$ be the expected move of $x_j$ if $x_i$ moves by one and $x_{\mathcal{K}'}$ is fixed. Then
#
# $$ \ell_{\mathcal{A}(i, \mathcal{K}')} = \ell_{\mathcal{A}(i, \mathcal{K})}
#    + b\,\bigl(1 + \ell_{\mathcal{A}(j,\, \mathcal{K}' \cup \{i\})}\bigr). $$
# ```
#
# ```{prf:proof}
# Suppose that an attacker knows $x_i$, $x_j$ and $x_{\mathcal{K}'}$. The attacker expects the sum to move by $1 + \ell_{\mathcal{A}(i, \mathcal{K})}$ if $x_i$ moves by one and $x_j$ is fixed, and by $1 + \ell_{\mathcal{A}(j, \mathcal{K}' \cup \{i\})}$ if $x_j$ moves by one and $x_i$ is fixed. Another attacker, who does not know $x_j$, replaces it by its expectation, which moves by $b$ if $x_i$ moves by one. The sum then moves by the first number plus $b$ times the second.
# ```
#
# Statisticians know this as Cochran's formula for a variable that is left out of a regression {cite:p}`cochran1938omission`. The paper computes the weaker attacker's coefficient in another way, by merging tuples ({prf:ref}`prp-03-merge` of notebook 3). Both ways agree (proof in the evidence).
#
# If both factors of the product are at least 0, so is the gain. This is how we prove the paper's theorem.
#
# ```{prf:theorem} The weaker attacker learns at least as much (Theorem 5.2)
# :label: thm-04-forgetting
# In a Gaussian correlation model (weights $w_{ij} \ge 0$), with Laplace noise on the sum, every attacker $\mathcal{A}$ and each of its ancestors $\mathcal{A}'$ satisfy, for every $M > 0$,
#
# $$ \ell_{\mathcal{A}} \le \ell_{\mathcal{A}'} \quad \text{(27)}, \qquad
#    \mathrm{BDPL}_{\mathcal{A}} \le \mathrm{BDPL}_{\mathcal{A}'} \quad \text{(28)}. $$
# ```
#
# ```{prf:proof}
# By {prf:ref}`prp-04-step`, it is enough to show that no unknown tuple has a negative expected move, because then $b \ge 0$ and every $\ell \ge 0$. By {prf:ref}`prp-03-average` of notebook 3 (equation (16) of the paper), an unknown tuple is expected at the weighted average of its neighbours, where its prior counts as one more neighbour with value 0. So the expected move of an unknown tuple is a weighted average of the moves of its neighbours. Some of these neighbours are unknown tuples, too. The target moves by 1, and known tuples and priors move by 0.
#
# Suppose that the smallest move of an unknown tuple were negative. It is an average of its neighbours' moves, and none of these is smaller. So all of them would be equal to it. The same would hold for the neighbours, for their neighbours, and so on. On a connected network we would arrive at the target, a known tuple or a prior, and none of these has a negative move. This contradiction proves (27). Inequality (28) follows with $\mathrm{BDPL} = \frac{M}{\lambda}(1 + \ell)$.
# ```
#
# The paper prints no proof. For the four people, we can check every step of the hierarchy, for all four targets:

# %%
equal = 0
for target, known in attackers:
    for j in known:
        fewer = [k for k in known if k != j]
        gain = coefficient(P, target, fewer) - coefficient(P, target, known)
        assert gain >= 0
        equal += gain == 0
print(equal, "steps without a gain")

# %% [markdown]
# Because some steps bring no gain, a sentence that follows the theorem in the paper is too strong. It says that an attacker's leakage is *smaller* than that of an ancestor. It should say *not larger*.
#
# ```{evidence} Y-B2 Y-Th5.2 Y-5.smaller
# ```
#
# ## How much noise is enough against every attacker?
#
# Suppose that the leakage must be at most $\varepsilon$ for every attacker. From any attacker, the steps of the hierarchy lead to a weak one, and the leakage never falls on the way. So it is enough to consider the $n$ weak attackers. A scale $\lambda$ is sufficient if $M(1 + \ell) \le \varepsilon \lambda$ (equation (26)) for each of them. The smallest one is
#
# $$ \lambda_0 = \frac{M}{\varepsilon}\Bigl(1 + \max_i \ell_{\mathcal{A}(i, \emptyset)}\Bigr). $$
#
# (The paper calls $\lambda_0$ a variance here, but it is the scale of the Laplace noise.) For the four people with $M = 1$ and $\varepsilon = \frac12$:

# %%
weak = [coefficient(P, i) for i in range(4)]
scale = (1 + max(weak)) / sp.Rational(1, 2)
print("weak attackers:", *weak)
print("scale:", scale)
assert max(weak) == max(coefficient(P, *attacker) for attacker in attackers)

# %% [markdown]
# The worst attacker wants to know $x_3$, the tuple with the most links, and knows nobody.
#
# Zachary's karate club is a larger network: 34<!-- {len(karate)} --> members with 78<!-- {karate.number_of_edges()} --> friendships. Let every weight (unlike in notebook 3) and every prior precision be 1. We draw 3,000 of the 292,057,776,128<!-- {len(karate) * 2 ** (len(karate) - 1):,} --> attackers at random: first the number of members that the attacker knows, then who they are. The package's `GaussianModel` computes the coefficients.

# %%
karate = nx.karate_club_graph()
club = GaussianModel.from_graph(karate, 1.0, width=1, weight="none")
club_weak = club.leakage_coefficients()  # of all weak attackers
rng = np.random.default_rng(2015)
number_known, club_some = [], []
for _ in range(3000):
    size = int(rng.integers(34))
    target, *known = rng.permutation(34)[: 1 + size].tolist()
    number_known.append(size)
    club_some.append(club.leakage_coefficient(target, known))
assert max(club_some) <= max(club_weak)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage to 3,000 random attackers of the karate club (dots) and to all 34 weak attackers (diamonds), against the number of members that they know. The dotted line marks \u03b5. Left, with the scale M/\u03b5 of differential privacy, the leakage to 76%<!-- {above[0]:.0%} --> of the random attackers exceeds \u03b5. Right, with the scale \u03bb\u2080, it exceeds \u03b5 for none.", "name": "fig-04-noise"}, "image": {"alt": "Two panels with the same axes. Left, the leakage starts at up to 10.7<!-- {largest:.1f} --> times \u03b5 for attackers who know nobody and falls to exactly \u03b5 for those who know all 33 others. Right, the same cloud is scaled down so that its highest diamond touches the line at \u03b5."}} tags=["figure"]
largest = 1 + max(club_weak)
fig, axes = plots.panels(1, 2, height=3.5, width=8.5, sharey=True)
for ax, divisor, title in zip(axes, (1, largest), ("scale M/ε", "scale λ₀")):
    ax.plot(number_known, (1 + np.array(club_some)) / divisor, ".", ms=3, alpha=0.5,
            color=plots.COLOURS["blue"], label="random attackers")  # fmt: skip
    ax.plot(np.zeros(34), (1 + club_weak) / divisor, "D", ms=4, ls="",
            color=plots.COLOURS["orange"], label="weak attackers")  # fmt: skip
    ax.axhline(1, color="#555555", ls=":", lw=1)
    ax.set(title=title, xlabel="members that the attacker knows")
axes[0].set_ylabel("leakage, in multiples of ε")
axes[1].legend()
factors = 1 + np.array(club_some)
above = [np.mean(factors > divisor * (1 + 1e-9)) for divisor in (1, largest)]
assert above[1] == 0
plt.show()

# %% [markdown]
# Noise of scale $M/\varepsilon$ gives $\varepsilon$-differential privacy, but the largest leakage is then 10.7<!-- {largest:.1f} --> times $\varepsilon$. Without priors it would be even larger, 34<!-- {len(karate)} --> times $\varepsilon$, because every weak attacker would have $1 + \ell = n$ (equation (29), [notebook 3](03-gaussian-correlation-model.ipynb)). This is why section 5.5 of the paper adds priors.
#
# ```{evidence} Y-5.e
# ```
#
# ## Can the weak attackers share their work?
#
# The paper computes a coefficient by merging. It keeps the $m$ unknown tuples as one row of the matrix, which stands for their mean $x_0$. We call this row the *block*. A merge takes one more tuple $j$ into the block: it replaces $x_0$ and $x_j$ by the mean $(m x_0 + x_j)/(m + 1)$ ({prf:ref}`prp-03-merge` of notebook 3). When all unknown tuples are in the block, the attacker's coefficient is $\ell = m\,w_{0i}/w_0$ ({prf:ref}`thm-03-leakage` of notebook 3). Here $w_0$ is the diagonal entry of the block, and $-w_{0i}$ is its entry in the column of the target.
#
# For different attackers, merging can give the same matrix. For example, tuples 2 and 4 are unknown to both $\mathcal{A}(1, \{3\})$ and $\mathcal{A}(3, \{1\})$. (`combine(A, j, m=m)` is `combine` of notebook 3 for any row `j`.)

# %%
rows = [1, 3, 0, 2]  # in the text's numbers: tuple 2 is the block; then tuples 4, 1 and 3
merged = combine(P.extract(rows, rows), 1, m=1)  # tuple 4 joins the block
rows = [3, 1, 0, 2]  # or tuple 4 is the block, and tuple 2 joins it
assert merged == combine(P.extract(rows, rows), 1, m=1)
first = 2 * -merged[0, 1] / merged[0, 0]
third = 2 * -merged[0, 2] / merged[0, 0]
assert (first, third) == (coefficient(P, 0, known=(2,)), coefficient(P, 2, known=(0,)))
print("A(1, {3}):", first, " A(3, {1}):", third)


# %% [markdown]
# One matrix gives both coefficients. It describes the joint distribution of the mean of the unknown tuples and of the tuples in $\mathcal{C} = \{i\} \cup \mathcal{K}$. So it depends neither on the order of merging nor on which tuple of $\mathcal{C}$ is the target. The paper therefore replaces the $n\,2^{n-1}$ attackers by the $2^n - 1$ non-empty sets $\mathcal{C}$.
#
# Algorithm 1 reaches the weak attackers through some of these sets, as {numref}`fig-sets` shows. It merges the first half of the tuples into the block, one after another, and calls itself for the second half. Then it starts again from the original matrix and exchanges the two halves.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The sets \ud835\udc9e of four tuples (compare Figure 3 of the paper) and, in orange, the two walks of Algorithm 1 through them. Each arrow is a merge. The walks start at the whole database and end at the weak attackers, with their coefficients \u2113.", "name": "fig-sets"}, "image": {"alt": "A lattice of the 15<!-- {len(spot)} --> non-empty subsets of 1 to 4 in four rows, the whole set at the bottom, single tuples on top. Orange arrows lead from 1234 via 134 to 34 and on to 3 and 4, and via 123 to 12 and on to 1 and 2. The coefficients of 1 to 4 are 21/19<!-- {weak[0]} -->, 21/19<!-- {weak[1]} -->, 3/2<!-- {weak[2]} --> and 2/3<!-- {weak[3]} -->."}} tags=["figure"]
def halving(tuples):
    """Steps from C = tuples to single tuples, in the order of Algorithm 1."""
    if len(tuples) == 1:
        return []
    half = (len(tuples) + 1) // 2
    first, second = tuples[:half], tuples[half:]
    steps = []
    for leaving, staying in ((first, second), (second, first)):
        sets = [frozenset(leaving[:k]) | set(staying) for k in range(len(leaving), -1, -1)]
        steps += [*pairwise(sets), *halving(staying)]
    return steps


spot = {}
for number in range(1, 5):
    sets_of = list(combinations(range(4), number))
    for position, C in enumerate(sets_of):
        spot[frozenset(C)] = (position - (len(sets_of) - 1) / 2, 4 - number)
walk = halving((0, 1, 2, 3))
visited = set().union(*walk)

fig, ax = plots.panels(width=7.4, height=4.4)
for C in spot:
    for j in C:
        if len(C) > 1:
            ax.plot(*zip(spot[C], spot[C - {j}]), color="#cfcfcf", lw=0.9, ls="-", zorder=0)
for C, D in walk:
    arrow = {"arrowstyle": "-|>", "lw": 2.4, "color": plots.COLOURS["orange"],
             "shrinkA": 14, "shrinkB": 15, "mutation_scale": 15}  # fmt: skip
    ax.annotate("", spot[D], spot[C], zorder=1, arrowprops=arrow)
for C, (x, y) in spot.items():
    edge = plots.COLOURS["orange"] if C in visited else "#999999"
    width = 2.4 if C in visited else 0.8
    ax.scatter(x, y, s=780, color="white", edgecolors=edge, linewidths=width, zorder=2)
    text = "".join(str(j + 1) for j in sorted(C))
    ax.text(x, y, text, ha="center", va="center", zorder=3, fontsize=8.5)
for i, value_of_weak in enumerate(weak):
    x, y = spot[frozenset({i})]
    ax.text(x, y + 0.32, f"ℓ = {value_of_weak}", ha="center", fontsize=9)
ax.set(xlim=(-3, 3), ylim=(-0.4, 3.6), xticks=[])
ax.set_yticks([0, 1, 2, 3], ["whole database", "three tuples", "two tuples", "weak: one tuple"])
ax.grid(visible=False)
ax.spines[["left", "bottom"]].set_visible(False)
ax.tick_params(length=0)
drawn = {"".join(str(j + 1) for j in sorted(C)) for C in visited}
assert drawn == {"1234", "134", "34", "3", "4", "123", "12", "1", "2"}
plt.show()


# %% [markdown]
# ```{evidence} Y-5.f Y-F3
# ```
#
# ## Does the printed algorithm return the largest coefficient?
#
# For weak attackers, notebook 3 has a simpler way, which also takes time $O(n^3)$: the formula $1 + \ell_i = \operatorname{Cov}(x_i, s) / \operatorname{Var}(x_i)$, where $s$ is the sum. We check the algorithm because the paper claims it and uses it in its experiments. Row 1 of its matrix is the block, whose weights have the index 0.
#
# ````{admonition} As printed
# :class: as-printed
# **Algorithm 1.** *Input:* the matrix $L$ of a Gaussian correlation model (with priors, the precision matrix); the number $m$ of tuples in its block, 1 by default. *Output:* $\ell$.
#
# 1. $n \leftarrow$ size of $L$. If $n \le 2$, return $w_0 / w_{01}$ *(lines 2–5)*.
# 2. $k \leftarrow \lceil (n + 1)/2 \rceil$ *(line 6)*.
# 3. $L_1 \leftarrow L$; for $i = k$ down to $2$: merge $i$ into the block, $m \leftarrow m + 1$ *(7–11)*.
#    Recurse with $L_1$ and $m$: $\ell_1$ *(12)*.
# 4. $L_2 \leftarrow L$; for $i = n$ down to $k + 1$: merge $i$ into the block, $m \leftarrow m + 1$ *(13–17)*.
#    Recurse with $L_2$ and $m$: $\ell_2$ *(18)*.
# 5. Return $\max(\ell_1, \ell_2)$ *(19)*.
# ````
#
# Two things cannot be right.
#
# - **The leaf.** The recursion ends when only the block and the target are left. Then Theorem 5.1 requires $\ell = m\,w_{01}/w_0$. Line 4 has the reciprocal, and the factor $m$ is missing.
# - **The count.** Lines 8 to 11 increase $m$ while they merge the first half. Lines 13 to 17 start from the original matrix again, but no line sets $m$ back.
#
# The following function is the algorithm as printed, or with one or both edits:

# %%
def algorithm_1(L, m=1, edits=()):
    n = L.shape[0]
    if n <= 2:
        return m * -L[0, 1] / L[0, 0] if "leaf" in edits else L[0, 0] / -L[0, 1]
    k = n // 2 + 1  # the smallest integer that is at least (n + 1) / 2
    L1, count = L, m
    for i in range(k, 1, -1):
        L1, count = combine(L1, i - 1, m=count), count + 1
    first = algorithm_1(L1, count, edits)
    L2 = L
    if "count" in edits:
        count = m  # set back
    for i in range(n, k, -1):
        L2, count = combine(L2, i - 1, m=count), count + 1
    return max(first, algorithm_1(L2, count, edits))


# %% [markdown]
# The paper does not say what the block is at the beginning, when all tuples are known. We put a *dummy tuple* in front, which has a prior but no links. It is independent of all others and changes no coefficient ({ref}`an exercise <ex-04-stranger>`). (If $L$ were the plain $n \times n$ matrix, tuple 1 would be the block, and the attacker $\mathcal{A}(1, \emptyset)$ would never be evaluated.)

# %%
star = sp.Matrix([[3, -1, -1], [-1, 2, 0], [-1, 0, 2]])  # tuple 1 in the middle, priors 1
variants = {"as printed": (), "leaf only": ("leaf",), "count only": ("count",),
            "both edits": ("leaf", "count")}
returned = {}
for name, edits in variants.items():
    returned[name] = algorithm_1(sp.diag(1, star), edits=edits)
    print(name, returned[name], sep=": ")
largest_of_star = max(coefficient(star, i) for i in range(3))
assert [name for name in variants if returned[name] == largest_of_star] == ["both edits"]

# %% [markdown]
# For this network, only the algorithm with both edits is right. We also run the four variants on all 728<!-- {len(runs[1.0])} --> labelled connected networks of five people, with priors 1 and with priors 0.1:

# %%
runs = {}
for prior in (1.0, 0.1):
    rows = []
    for graph in connected_graphs(5):
        Q = networks.precision(graph, prior)  # Laplacian plus prior
        with_dummy = np.pad(Q, (1, 0))
        with_dummy[0, 0] = 1
        truth = GaussianModel(precision=Q, width=1).leakage_coefficients().max()
        rows.append([truth, *(algorithm_1(with_dummy, edits=e) for e in variants.values())])
    runs[prior] = np.array(rows)

# %%
every = np.concatenate(list(runs.values()))
ratio = every[:, 1:] / every[:, :1]
small = (ratio < 1 - 1e-9).sum(axis=0)  # one number for each variant
large = (ratio > 1 + 1e-9).sum(axis=0)
right = len(every) - small - large
table({"variant": list(variants), "too small": small, "right": right, "too large": large},
      caption="What the variants of Algorithm 1 return: number of results.")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What Algorithm 1 returns against the true largest leakage coefficient, for all 728<!-- {len(runs[1.0])} --> labelled connected networks of five people, as printed and with both edits. Points on the grey line are right. Below it, the noise would be too small.", "name": "fig-repairs"}, "image": {"alt": "Two scatter plots on logarithmic axes. As printed, the returned values lie above the diagonal for 100%<!-- {share_above[1.0]:.0%} --> of the networks with prior 1, and for 14%<!-- {share_above[0.1]:.0%} --> of those with prior 0.1; the others lie below. With both edits all lie on the diagonal."}} tags=["figure"]
fig, axes = plots.panels(1, 2, height=3.4, width=7.5, sharey=True)
for ax, variant in zip(axes, ("as printed", "both edits")):
    column = 1 + list(variants).index(variant)
    ax.plot([0.4, 30], [0.4, 30], color=plots.COLOURS["grey"], lw=1, ls="-", zorder=0)
    for (prior, rows), colour, marker in zip(runs.items(), ("blue", "orange"), "o^"):
        ax.scatter(rows[:, 0], rows[:, column], s=14, marker=marker, alpha=0.5,
                   color=plots.COLOURS[colour], linewidths=0,
                   label=f"τ = {prior:g}")  # fmt: skip
    ax.set(title=variant, xscale="log", yscale="log", xlim=(0.8, 4.2), ylim=(0.5, 30),
           xlabel="largest coefficient")  # fmt: skip
    ax.set_xticks([1, 2, 4], ["1", "2", "4"])
    ax.set_yticks([1, 2, 4, 8, 16], ["1", "2", "4", "8", "16"])
    ax.minorticks_off()
axes[0].set_ylabel("returned value")
axes[1].legend(handletextpad=0.1, title="prior")
share_above = {prior: np.mean(rows[:, 1] > rows[:, 0]) for prior, rows in runs.items()}
small_by_prior = {prior: np.sum(rows[:, 1] < rows[:, 0]) for prior, rows in runs.items()}
assert right[0] == right[2] == small[1] == 0 and right[3] == len(every)
assert small_by_prior == {1.0: 0, 0.1: small[0]}
plt.show()

# %% [markdown]
# As printed, none of the 1,456<!-- {len(every):,} --> results is right. In 626<!-- {small[0]} --> cases, all with prior 0.1, the result is too small, so the noise would not be enough. In the other 830<!-- {large[0]} --> cases it is too large. With the leaf edited alone, 154<!-- {right[1]} --> results are right and the others too large. With both edits, all are right. Here is the corrected algorithm:
#
# ````{prf:algorithm} The largest leakage coefficient by halving (Algorithm 1, with two edits)
# :label: alg-04-halving
# **Input** the precision matrix with a dummy tuple in front; $m = 1$. **Output** the largest $\ell_{\mathcal{A}(i, \emptyset)}$.
#
# 1. If two rows are left, return $m\,w_{01}/w_0$.
# 2. Merge the first half of the tuples (without the block) into the block, and add 1 to $m$ for each. (If the number of tuples is odd, either half may be the larger one.) Recurse on the rest. The result is $\ell_1$.
# 3. Take the matrix *and* $m$ as they were before step 2. Merge the second half into the block, and add 1 to $m$ for each. Recurse on the rest. The result is $\ell_2$.
# 4. Return $\max(\ell_1, \ell_2)$.
# ````
#
# ```{evidence} Y-A1 Y-A1.leaf Y-A1.m-reset Y-A1.tuple-1
# ```
#
# ## What does it cost?
#
# ```{prf:theorem} Cost of Algorithm 1 (Theorem 5.3)
# :label: thm-04-cost
# Algorithm 1 takes time $O(n^3)$ and space $O(n^2)$.
# ```
#
# ```{prf:proof}
# A merge that leaves $c$ tuples beside the block subtracts a product from each of the $c^2$ entries of $A_{\mathcal{R}}$ ({prf:ref}`prp-03-merge` of notebook 3). To leading order, this takes $2c^2$ operations: one multiplication and one subtraction for each entry. A call with $n$ tuples merges each half of them once. That makes $n$ merges of at most $2n^2$ operations, or $2n^3$ in all. Its two calls with half as many tuples take at most $2 \cdot 2\,(n/2)^3 = \frac14 \cdot 2n^3$, their four calls $\frac1{16} \cdot 2n^3$, and so on. Together this is at most $\frac43 \cdot 2n^3$. (The evidence also treats odd numbers and the terms of lower order.)
#
# As for space, a call needs at most three matrices at the same time: the original one, and the current one before and after a merge. A nested call has matrices with half as many rows. To leading order, all calls together therefore need at most $3n^2 (1 + \frac14 + \frac1{16} + \dots) = 4n^2$ numbers.
# ```
#
# For the exact constant, let $T(n)$ be the number of operations. In each half of the algorithm, $c$ runs from $n - 1$ down to $n/2$:
#
# $$ T(n) = 2\,T(n/2) + 2 \sum_{c=n/2}^{n-1} 2c^2. $$
#
# Sympy solves this for $T(n) = a\,n^3$, to leading order:

# %%
n, c, a = sp.symbols("n c a", positive=True)
merging = 2 * sp.integrate(2 * c**2, (c, n / 2, n))
equation = sp.Eq(a * n**3, 2 * a * (n / 2) ** 3 + merging)
leading = sp.solve(equation, a)[0]
print("T(n) is about", leading, "n^3")

# %% [markdown]
# The corrected algorithm has the same steps, and therefore the same cost. For the karate club, it agrees with the formula of notebook 3:

# %%
with_dummy = np.pad(club.precision, (1, 0))
with_dummy[0, 0] = 1
covariance = np.linalg.inv(club.precision)
by_formula = covariance.sum(axis=1) / covariance.diagonal() - 1
assert np.isclose(algorithm_1(with_dummy, edits=("leaf", "count")), by_formula.max())

# %% [markdown]
# ```{evidence} Y-Th5.3
# ```
#
# ## Does the theorem hold with negative weights?
#
# No. The model allows only weights $w_{ij} \ge 0$, and section 5.6 of the paper warns that negative correlation is different. Its example is two tuples with a sum of 100: if one is larger, the other is smaller. A negative weight is a milder form of this. In the next cell, the sum varies, but no more than each tuple. (On the diagonal, a weight counts by its absolute value, and the prior precision is 1.)

# %%
opposed = sp.Matrix([[2, 1], [1, 2]])  # weight -1
covariance = opposed.inv()
print("variance of a tuple:", covariance[0, 0], " of the sum:", sum(covariance))
weak_factor, strong_factor = 1 + coefficient(opposed, 0), 1 + coefficient(opposed, 0, (1,))
print("1 + l, weak:", weak_factor, " strong:", strong_factor)

# %% [markdown]
# If $x_1$ rises, the weak attacker expects $x_2$ to fall, so the sum rises less. This attacker therefore learns half as much as the strong one. In {prf:ref}`prp-04-step`, the factor $b$ has become negative. (In other networks, $1 + \ell$ can be negative, too. In general the leakage is $\frac{M}{\lambda}|1 + \ell|$.) With mixed signs, the worst attacker may be neither weak nor strong. Let us draw 200 networks of five tuples with random signs:

# %%
rng = np.random.default_rng(56)
worst_knows = []
for _ in range(200):
    W = np.triu(rng.choice([-1, 1], (5, 5)) * rng.random((5, 5)), 1)
    W = W + W.T
    signed = np.diag(abs(W).sum(axis=1) + 1) - W
    worst = GaussianModel(precision=signed, width=1).worst_adversary(scale=1)
    worst_knows.append(len(worst.adversary.known))
print("worst attacker knows 0 to 4 tuples:", np.bincount(worst_knows, minlength=5))

# %% [markdown]
# In 176<!-- {sum(0 < k < 4 for k in worst_knows)} --> of the 200 networks, the worst attacker knows some tuples but not all. [*What happens outside the assumptions?*](../research/correlated-outside-the-assumptions.ipynb) gives a bound that remains valid for many such networks.
#
# ## Exercises
#
# ```{exercise-start} Attackers with coefficient 0
# :label: ex-04-silent
# ```
# **Warm-up.** Five people sit in a circle. Each is linked to the two people on either side, with weights and priors 1. How many of the 80<!-- {len(list(adversaries(5)))} --> attackers have leakage coefficient 0, and what do they have in common?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("04-silent", ...)

# %% [markdown]
# ```{solution-start} ex-04-silent
# :class: dropdown
# ```
# They know both neighbours of the target. The other two people can be known or unknown, which makes $5 \cdot 2^2 = 20$ attackers. If a neighbour is unknown, it follows the target, so that the coefficient is positive.

# %%
ring = sp.Matrix(nx.laplacian_matrix(nx.cycle_graph(5)).toarray().astype(int).tolist())
zeros = []
for target, known in adversaries(5):
    if coefficient(ring + sp.eye(5), target, known) == 0:
        assert {(target - 1) % 5, (target + 1) % 5} <= set(known)
        zeros.append((target, known))
assert len(zeros) == 5 * 2**2
check("04-silent", len(zeros))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} No sharing
# :label: ex-04-separate
# ```
# **Standard.** Suppose that every weak attacker is evaluated separately. One of the $n - 1$ unknown tuples is the block at the beginning, and the other $n - 2$ are merged into it one by one. A merge that leaves $c$ tuples beside the block takes about $2c^2$ operations. How many operations is that for all $n$ weak attackers, to leading order? How many times the cost of halving, $T(n) \approx a\,n^3$ with $a$ = 14/9<!-- {leading} -->, is that?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("04-separate", ...)

# %% [markdown]
# ```{solution-start} ex-04-separate
# :class: dropdown
# ```
# The merges for one attacker leave $c = n - 2, \dots, 1$ tuples beside the block. All $n$ attackers together take $n \sum_c 2c^2 \approx \frac23 n^4$ operations, which is $\frac37 n$ times as many.

# %%
separate = n * sp.summation(2 * c**2, (c, 1, n - 2))
first = sp.limit(separate / n**4, n, sp.oo)
assert (first, first / leading) == (sp.Rational(2, 3), sp.Rational(3, 7))
check("04-separate", (first * n**4, first / leading * n))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A dummy tuple in the block
# :label: ex-04-stranger
# ```
# **Standard.** Take two tuples with weight $w$ and priors $\tau$, and put a dummy tuple with prior $c > 0$ in front as a block of *one*. Merge tuple 2 into the block and compute the leaf. Show that neither $c$ nor the additional count in $m$ matters.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("04-stranger", ...)

# %% [markdown]
# ```{solution-start} ex-04-stranger
# :class: dropdown
# ```
# The dummy tuple is independent of all others, so its expected move is 0. The leaf is therefore the coefficient of the network of two.

# %%
w, tau, pivot = sp.symbols("w tau c", positive=True)
two = sp.Matrix([[w + tau, -w], [-w, w + tau]])
joined = combine(sp.diag(pivot, two), 2, m=1)  # now a block of two
leaf = sp.simplify(2 * -joined[0, 1] / joined[0, 0])
assert sp.simplify(leaf - coefficient(two, 0)) == 0
check("04-stranger", leaf)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} One negative weight
# :label: ex-04-negative
# ```
# **Research.** Let one weight be negative: $P = \begin{pmatrix} 3 & -1 & 1 \\ -1 & 2 & 0 \\ 1 & 0 & 2 \end{pmatrix}$. The target is tuple 1 (counted from 1). Which tuple does its worst attacker know? This attacker learns more than the weak one. What is the negative factor $b$ in {prf:ref}`prp-04-step`?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("04-negative", ...)

# %% [markdown]
# ```{solution-start} ex-04-negative
# :class: dropdown
# ```
# The worst attacker knows tuple 3 and not tuple 2. Knowing tuple 3 removes the negative correlation and leaves the positive one. Without that knowledge, tuple 3 is expected to move by $b$ = -1/2<!-- {b} -->.

# %%
mixed = sp.Matrix([[3, -1, 1], [-1, 2, 0], [1, 0, 2]])
factors = {known: 1 + coefficient(mixed, i, known) for i, known in adversaries(3) if i == 0}
worst = max(factors, key=lambda known: abs(factors[known]))
b = moves(mixed, 0)[2]
assert worst == (2,) and factors[worst] == sp.Rational(3, 2)
assert factors[()] == factors[worst] + b * (1 + coefficient(mixed, 2, known=(0,)))
check("04-negative", (worst[0] + 1, b))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - *Why does the attacker who knows the least learn the most?* Unknown tuples that resemble the target add information about it to the sum. An attacker who does not know tuple $j$ gains exactly $b\,(1 + \ell)$. Here $b$ is how far $x_j$ follows the target, and $1 + \ell$ is how far the sum follows $x_j$ if the target is fixed. Neither is negative if no weight is negative.
# - *How much noise is enough against every attacker?* The scale $\lambda_0 = \frac{M}{\varepsilon}(1 + \max_i \ell_{\mathcal{A}(i, \emptyset)})$, with the maximum over the $n$ weak attackers. No smaller scale is enough.
# - *Can the printed algorithm be used?* Only with two edits: the leaf returns $m\,w_{01}/w_0$, and $m$ is set back between the two loops. It then takes time $O(n^3)$, as the paper says.
#
# **Further reading.** {cite:t}`yang2015correlated`, the English version; {cite:t}`karlin1983mmatrices` on normal distributions whose precision matrix has no positive entry off the diagonal; {cite:t}`lange2025balancing` on bounds for other models.
#
# **Next:** [who leaks most, in theory and on a real network](05-who-leaks-most.ipynb).
