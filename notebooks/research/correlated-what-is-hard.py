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
# # When is leakage hard to compute?
#
# **Question.** How hard is it to compute exactly what a noisy sum of correlated values leaks, and what makes it hard?
#
# **What is known.** The paper {cite:p}`yangkanren` says in Section 5.1 that Bayesian differential privacy is hard to compute for Markov random fields in general, because $n$ tuples have $n2^{n-1}$ attackers. It does not prove this, and turns to normal data. Probabilities in such fields are #P-hard to compute in general {cite:p}`jerrum1993polynomial`, but easy in networks of small treewidth {cite:p}`lauritzen1988local`. On leakage we found no result.
#
# **Answer.** Leakage is hard to compute, but not because of the number of attackers: even the leakage to *one* attacker, who knows no tuple, is #P-hard. The network matters. For a tree of 1,000<!-- {len(tree):,} --> people, one leakage takes 4<!-- {million_tree:.0f} --> million additions. In a complete network, each further person doubles the work of our algorithm.
#
# **Why it matters.** A publisher needs the leakage to choose the noise, and learns here for which networks it can be computed.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to compute a leakage exactly without listing all databases, for which networks this works, and why no method is likely to work for all of them.
# **You need** the leakage ([notebook 1](../correlated/01-why-dp-is-not-enough.ipynb)) and Bayesian differential privacy ([notebook 2](../correlated/02-bayesian-differential-privacy.ipynb)).
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple. **The attacker** $\mathcal{A}(i, \mathcal{K})$ wants $x_i$, knows the values $x_{\mathcal{K}}$, the joint distribution and the mechanism, and sees one sum plus Laplace noise. A *weak* attacker knows no tuple. **Protected:** the odds between two values of $x_i$. That a leakage is hard to compute does not protect anybody: the publisher has to compute it, the attacker does not.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import combinations, product

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sympy as sp
from networkx.algorithms.approximation import treewidth_min_fill_in

from privlib.notebook import plots, table
from privlib.research.markov_random_field import MarkovRandomField

plots.use()

# %% [markdown]
# ## Three people in a row
#
# Three people are numbered 0, 1, 2. Persons 0 and 1 are linked, and so are persons 1 and 2. Each person has the value 0 or 1, and the query is the number of ones. A link between equal values has the weight 3, a link between different values has the weight 2. The weight of a database is the product of the weights of its links. Its probability is proportional to its weight.
#
# An attacker wants $x_0$. For each value of $x_0$ and each sum, we add up the weights of the databases that have both:

# %%
link_weight = [[3, 2], [2, 3]]
weights = np.zeros((2, 4), dtype=int)  # row: value of person 0; column: sum
for x in product((0, 1), repeat=3):
    weights[x[0], sum(x)] += link_weight[x[0]][x[1]] * link_weight[x[1]][x[2]]
print(weights)


# %% [markdown]
# Divided by its total, each row is the distribution of the sum given $x_0$. The leakage is the largest absolute log ratio of the two output densities. It is attained at an output that is a possible value of the query ({prf:ref}`thm-01-values` of notebook 1), so we compare the densities only there:

# %%
def leakage(weights, scale):
    """Largest log ratio of the two densities, at the values of the query."""
    sums = np.arange(weights.shape[1])
    noise = np.exp(-abs(sums[:, None] - sums) / scale)
    distributions = [(row / row.sum()).astype(float) for row in weights]
    densities = [noise @ distribution for distribution in distributions]
    return abs(np.log(densities[1] / densities[0])).max()


print(f"leakage at scale 1: {leakage(weights, scale=1):.4f}")


# %% [markdown]
# For $n$ people the list of databases has $2^n$ entries. For a thousand people we need another way to compute the two rows.
#
# ## Method: polynomials instead of lists
#
# ```{prf:definition} Markov random field (マルコフ確率場)
# :label: def-08-field
# Tuples with finitely many values have the joint distribution $\Pr(x) = \frac1Z \prod_S \psi_S(x_S)$. Each *potential* $\psi_S > 0$ depends on a small set $S$ of tuples, here on the two ends of a link. The divisor $Z$, which makes the probabilities add up to 1, is the *partition function*.
# ```
#
# Write each row of weights as a polynomial in $z$: the coefficient of $z^s$ is the total weight of the databases with the sum $s$. The first row above is $9 + 10z + 6z^2$. We can compute it by summing over the values of one person at a time:
#
# - *Person 2.* If person 1 has the value 0, person 2 contributes $F(0) = 3 + 2z$: weight 3 for the value 0, and weight 2 for the value 1. The value 1 adds 1 to the sum, hence the $z$. If person 1 has the value 1, the contribution is $F(1) = 2 + 3z$.
# - *Person 1.* If person 0 has the value 0, the two others contribute $3\,F(0) + 2z\,F(1) = 9 + 10z + 6z^2$.
#
# In general, let a *factor* be a table that holds a polynomial for each combination of values of some tuples. To sum out tuple $j$, multiply all factors that contain $j$. Then add the product for $x_j = 0$ and $z$ times the product for $x_j = 1$. The result is a new factor. It depends on all other tuples of the old factors, and replaces them.

# %%
def multiply(factors, values):
    """Product of the factors' polynomials at these values of the tuples."""
    result = np.array([1], dtype=object)
    for tuples, entries in factors:
        result = np.convolve(result, entries[tuple(values[j] for j in tuples)])
    return result


def sum_out(j, factors):
    """Replace all factors that contain tuple j by a single one without j."""
    containing_j = [factor for factor in factors if j in factor[0]]
    others = sorted({k for tuples, _ in containing_j for k in tuples} - {j})
    entries = {}
    for combination in product((0, 1), repeat=len(others)):
        values = dict(zip(others, combination))
        if_zero = multiply(containing_j, values | {j: 0})
        if_one = multiply(containing_j, values | {j: 1})
        entries[combination] = np.append(if_zero, 0) + np.append(0, if_one)  # second times z
    rest = [factor for factor in factors if j not in factor[0]]
    return [*rest, (others, entries)]


# %% [markdown]
# We sum out everybody except the target, and start with those who are far from it:

# %%
def weights_of_sums(potentials, target):
    """For each value of the target: total weight of the databases with each sum."""
    factors = []
    for link, psi in potentials.items():
        entries = {(a, b): np.array([psi[a][b]], dtype=object) for a in (0, 1) for b in (0, 1)}
        factors.append((link, entries))
    network = nx.Graph(list(potentials))
    nearest_first = list(nx.dfs_preorder_nodes(network, target))
    for j in reversed(nearest_first[1:]):
        factors = sum_out(j, factors)
    if_zero, if_one = (multiply(factors, {target: value}) for value in (0, 1))
    return np.array([np.append(if_zero, 0), np.append(0, if_one)])


three_people = {(0, 1): link_weight, (1, 2): link_weight}
assert (weights_of_sums(three_people, target=0) == weights).all()

# %% [markdown]
# Integers and fractions stay exact. On a tree, when we sum out a person, we have already summed out all others for whom the path to the target leads through this person. The new factor then depends on one tuple only, the next person on the path to the target. So each person costs two polynomials. Here is a tree of a thousand people:

# %%
tree = nx.random_labeled_tree(1000, seed=1)
tree_potentials = dict.fromkeys(tree.edges, link_weight)
on_tree = leakage(weights_of_sums(tree_potentials, target=0), scale=10)
print(f"a tree of {len(tree)}: leakage {on_tree:.6f} at scale 10")
assert np.isclose(on_tree, MarkovRandomField(tree_potentials).leakage(0, scale=10), rtol=1e-9)

# %% [markdown]
# In other networks a new factor can depend on many tuples, and its table has one entry for each combination of their values. How many tuples these are depends on the order in which we sum out. The largest number of tuples of a new factor, over all steps, is the *width* of the order. The *treewidth* $w$ of the network is the smallest width of any order. It is 1 for a tree, 2 for a ring, and $n - 1$ for a complete network. For a grid it is at most the length of the shorter side.
#
# ```{prf:theorem} Small treewidth
# :label: thm-08-treewidth
# Let each of $n$ tuples have at most $k$ values. Suppose that the network of the tuples that an attacker does not know has treewidth $w$, and that these tuples and the target have $b$ known neighbours in all. Then the exact leakage to this attacker can be computed with $O(n\,k^{w + 2 + b})$ polynomials, whose degree is at most the range of the query.
# ```
#
# ```{prf:proof}
# Sum out the unknown tuples in the best order. When a tuple is summed out, the factors that contain it depend on this tuple, on at most $w$ other unknown tuples, on the target, and on at most $b$ known neighbours. Each of at most $n$ steps therefore goes through at most $k^{w + 2 + b}$ combinations of values. The result is one table of weights for each combination of the known neighbours' values, with one row for each value of the target. Each table gives a leakage as above, and the largest of these is the leakage to the attacker. Other known tuples do not matter, because they do not influence the unknown ones given the known neighbours.
# ```
#
# ```{evidence} Y-B22
# ```
#
# ## Result: the treewidth decides how much work it is
#
# How much work is one leakage? Seconds depend on the computer, so we count the additions of two numbers that the package makes for one weak attacker. The package uses the method above, and chooses the order by a heuristic (minimum fill-in). All links have different random potentials, so that the algorithm cannot use a symmetry.

# %% jupyter={"source_hidden": true} tags=["set-up"]
rng = np.random.default_rng(5)


def additions(network):
    """Number of additions for one weak attacker of tuple 0."""
    network = nx.convert_node_labels_to_integers(network)
    potentials = {link: rng.integers(1, 9, (2, 2)) for link in network.edges}
    return MarkovRandomField(potentials).additions(0)


families = {
    "path": [nx.path_graph(n) for n in (250, 500, 1000)],
    "tree": [nx.random_labeled_tree(n, seed=1) for n in (250, 500)] + [tree],
    "ring": [nx.cycle_graph(n) for n in (250, 500, 1000)],
    "grid, width 2": [nx.grid_2d_graph(2, length) for length in (10, 20, 40)],
    "grid, width 4": [nx.grid_2d_graph(4, length) for length in (10, 20, 40)],
    "grid, width 8": [nx.grid_2d_graph(8, length) for length in (10, 20, 40)],
    "square grid": [nx.grid_2d_graph(n, n) for n in range(3, 10)],
    "complete": [nx.complete_graph(n) for n in range(6, 17)],
}
sizes, counts, widths, growth = {}, {}, {}, {}
for name, networks in families.items():
    sizes[name] = [len(network) for network in networks]
    counts[name] = [additions(network) for network in networks]
    widths[name] = treewidth_min_fill_in(networks[-1])[0]
    exponent = np.log(counts[name][-1] / counts[name][-2])
    growth[name] = exponent / np.log(sizes[name][-1] / sizes[name][-2])
million_tree = counts["tree"][-1] / 1e6

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Additions for the leakage to one weak attacker, on logarithmic axes. For a fixed width the work grows with the square of the number of people (thin line: slope 2); the curves of wider grids lie higher. In a complete network one more person doubles the work.", "name": "fig-08-map"}, "image": {"alt": "Additions against the number of people, both axes logarithmic. Path, tree and grids of width 2, 4 and 8 are parallel to a line of slope 2, one above the other. Square grids bend upwards; complete networks are the steepest."}} tags=["figure"]
fig, axis = plt.subplots(figsize=(6.4, 4.2))
colours = [plots.COLOURS[c] for c in ("blue", "green", "gold", "orange", "purple")]
drawn = ["path", "tree", "grid, width 2", "grid, width 4", "grid, width 8"]
for name, colour in zip(drawn, colours):
    axis.loglog(sizes[name], counts[name], "-o", color=colour, ms=4, label=name)
for name, style in (("square grid", "--s"), ("complete", ":^")):
    axis.loglog(sizes[name], counts[name], style, color="#000000", ms=6, mfc="none", label=name)
guide = np.array([20, 1000])
axis.loglog(guide, 0.8 * guide**2, color="#888888", lw=0.8, ls="-")
axis.set(xlabel="people", ylabel="additions")
axis.legend(fontsize=8)
plt.show()

# %% jupyter={"source_hidden": true} tags=["set-up"]
by_name = {"square grid": "exponential in the side", "complete": "doubles with each person"}
table(
    {
        "network": list(families),
        "people": [people[-1] for people in sizes.values()],
        "width": list(widths.values()),
        "additions": [int(count[-1]) for count in counts.values()],
        "growth": [by_name.get(name, f"$n^{{{growth[name]:.1f}}}$") for name in families],
    },
    formats={"additions": ","},
    caption="The largest network of each family: width of the order that the heuristic finds, "
    "and growth of the additions from the second largest network.",
)

# %% [markdown]
# Why does the work grow with $n^2$? Each of the $n$ people costs a few polynomials, and the degree of the polynomials grows up to $n$. (The path costs more than the tree, because the tree has many short branches, whose polynomials are short.) The heuristic does not always find the best order: for the grid of width 8, its order has the width 11<!-- {widths["grid, width 8"]} -->. In complete networks the count is $11 \cdot 2^n - 6n - 10$ for all sizes that we tried: 720,790<!-- {counts["complete"][-1]:,} --> for 16 people. By this formula, forty people would cost 12<!-- {(11 * 2**40 - 250) / 1e12:.0f} --> trillion additions.
#
# ```{evidence} Y-B23
# ```
#
# ## A single leakage determines a number that is hard to compute
#
# Could a better algorithm be fast for all networks? Probably not. In statistical physics, the *Ising model* gives each database of $n$ zeros and ones the weight $2^{\text{number of links with equal ends}}$. Let $N_k$ be the total weight of the databases with $k$ ones, and $N(z) = \sum_k N_k z^k$. The partition function is $Z = N(1)$. To compute $Z$ is #P-hard {cite:p}`jaeger1990computational,jerrum1993polynomial`: it is at least as hard as counting the solutions of any problem whose solutions can be checked in polynomial time. So it is at least as hard as every problem in NP.
#
# The weights of the sums add up to $Z$, so they are at least as hard to compute. But a leakage is a single number, the largest log ratio. Can $Z$ be computed from it? We add one person, the target $i$, who is linked to all others by $\psi(x_i, x_j) = c^{(2x_i - 1)x_j}$ with $c > 1$. If the target has the value 1, every other person with the value 1 multiplies the weight by $c$. If the target has the value 0, every such person divides it by $c$. Our example is the Petersen graph, which has ten people and 15 links:

# %%
ising = {link: [[2, 1], [1, 2]] for link in nx.petersen_graph().edges}
Z = weights_of_sums(ising, target=0).sum()

B = 19
to_target = [[1, Fraction(1, 2**B)], [1, 2**B]]  # c = 2^B; row: value of the target
with_target = ising | {(10, j): to_target for j in range(10)}
target_leakage = leakage(weights_of_sums(with_target, target=10), scale=1 / (B * np.log(2)))
recovered = 2 ** (15 + 11 * B - target_leakage / np.log(2))
print(f"leakage {target_leakage:.9f}; Z = {Z}; from the leakage: {recovered:.5f}")
assert round(recovered) == Z


# %% [markdown]
# So one leakage, computed with enough digits, determines $Z$. The reason is a closed formula for the leakage to the weak attacker of the target, which we call $\mathrm{BDPL}$.
#
# ```{prf:proposition} The leakage to the weak attacker of the target
# :label: thm-08-formula
# With $y = e^{-1/\lambda}$, $\displaystyle e^{\mathrm{BDPL}} = \frac{c^n}{y} \cdot \frac{N(y/c)}{N(cy)}.$
# ```
#
# ```{prf:proof}
# Let $s$ be the number of ones among the others. Given $x_i = 1$ or $x_i = 0$, the probability of $s = k$ is $N_k c^k/N(c)$ or $N_k c^{-k}/N(1/c)$. The ratio of these two probabilities increases with $k$. Let $g_1(t)$ and $g_0(t)$ be the densities of $s$ plus noise. We show that $g_1/g_0$ does not decrease with $t$. For $t < t'$, let $q_k$ be the ratio of the noise densities at $t' - k$ and $t - k$, which does not decrease with $k$. Both $g_1(t')/g_1(t)$ and $g_0(t')/g_0(t)$ are weighted means of the $q_k$. Relative to the second mean, the first gives more weight to large $k$, so it is at least the second. Therefore $g_1/g_0$ approaches its largest and its smallest value as $t \to \pm\infty$.
#
# The target's own value shifts the output by 1. This changes the log ratio by at most $1/\lambda$. As $t \to \pm\infty$ it increases the absolute log ratio by exactly $1/\lambda$. As $t \to -\infty$, the density of the noise around $s$ is $y^s$ times a common factor. So the ratio of the densities for $x_i = 0$ and $x_i = 1$ tends to
#
# $$ \frac{\mathrm{E}[y^s \mid x_i = 0]}{\mathrm{E}[y^{s + 1} \mid x_i = 1]} = \frac1y \cdot \frac{N(y/c)}{N(1/c)} \cdot \frac{N(c)}{N(cy)}. $$
#
# If all zeros and ones are exchanged, the weight of the database stays the same. So $N_k = N_{n-k}$ and $N(1/c) = c^{-n} N(c)$, which gives the formula. The limit for $t \to \infty$ gives the same.
# ```
#
# Now choose $c = 1/y = 2^B$. The denominator becomes $N(1) = Z$. The numerator $N(4^{-B})$ is close to its first term $N_0$, which is $2^m$ for $m$ links. More precisely, it is $2^m(1 + \delta)$ with $0 \le \delta \le 2^{n - 2B}$, because $N_k \le 2^m \binom nk$. Therefore
#
# $$ 2^{m + B(n + 1)}\, e^{-\mathrm{BDPL}} = \frac{Z}{1 + \delta}, $$
#
# which is smaller than $Z$ by at most $Z\delta \le 2^{n + m}\, 2^{n - 2B}$. For $2B \ge 2n + m + 2$ this difference is at most $\frac14$, so rounding to the nearest integer gives $Z$.
#
# ```{prf:theorem} One leakage is #P-hard to compute, and so is the largest one
# :label: thm-08-hard
# For a Markov random field with rational potentials and a rational $y = e^{-1/\lambda}$, it is #P-hard to compute $e^{\mathrm{BDPL}}$ for one weak attacker. It is also #P-hard to decide whether no attacker leaks more than $\varepsilon$, for a given rational $e^\varepsilon$. Both hold even if all tuples are binary, the query is their sum, and all links are attractive: $\psi(0, 0)\,\psi(1, 1) \ge \psi(0, 1)\,\psi(1, 0)$.
# ```
#
# ```{prf:proof}
# The first statement has just been shown. For the second, let $n \ge 5$ and $c = 1/y = 2^B$ as above. We measure leakages in bits, so that $1/\lambda$ is $B$ bits, and compare the attackers.
#
# - The weak attacker of the target learns at least $(n + 1)B - n$ bits, because $Z \le 2^{n + m}$.
# - An attacker who knows a tuple learns at most $nB$ bits, by {prf:ref}`thm-02-group` of notebook 2.
# - *A weak attacker of another tuple $j$.* The value of $x_j$ itself changes the density by a factor of at most $2^B$. Given all other tuples, the odds of $x_j = 1$ lie between $2^{-(n - 1) - B}$ and its inverse. The unconditional odds lie in the same range, because they are a ratio of sums over the values of the other tuples. By Bayes' rule, $x_j$ changes the probabilities of the others by a factor of at most $2^{2(n - 1) + 2B}$, the ratio of the largest odds to the smallest. This attacker learns at most $3B + 2n - 2$ bits.
#
# Because $B > n \ge 5$, the first number is the largest, so $\mathrm{BDPL}$ is the largest leakage over all attackers. For an integer $q$, it is at most $\varepsilon = \ln \bigl(2^{m + B(n + 1)}/(q - \frac12)\bigr)$ if and only if $Z/(1 + \delta) \ge q - \frac12$. Because $Z$ is an integer, and $Z/(1 + \delta)$ is smaller by at most $\frac14$, this holds if and only if $Z \ge q$. So a procedure that decides whether the leakage is at most a given $\varepsilon$ finds $Z$ by bisection, with about $n + m$ questions.
# ```
#
# The hardness does not depend on the large $c$ and the small noise. Let $y/c = \frac14$, and let $cy$ take $n$ values from 1 to 4. Then the scale of the noise is at least $1/\ln 2 \approx$ 1.44<!-- {1 / np.log(2):.2f} -->. By interpolation, these $n$ leakages together determine $N$ up to a factor, and $N(0) = 2^m$ determines the factor.
#
# But the theorem is about *exact* values. It does not say that a leakage is hard to approximate. This $Z$ is not: a random-sampling method approximates it in polynomial time {cite:p}`jerrum1993polynomial`.
#
# ```{evidence} Y-5.b-hard Y-B20
# ```
#
# ## How many attackers must be examined?
#
# ```{prf:theorem} Only connected sets
# :label: thm-08-connected
# Let $C$ be the connected component of the target $i$ in the network of the target and the unknown tuples. Let the sum be released with independent noise. Then $\mathcal{A}(i, \mathcal{K})$ learns at most as much as the attacker of $i$ who knows everybody outside $C$. How much the latter learns depends only on $C$, the links of its members, and the values of their neighbours outside $C$.
# ```
#
# ```{prf:proof}
# Every path from $C$ to another unknown tuple passes through a known tuple. So, given $x_{\mathcal{K}}$, the other unknown tuples are independent of those in $C$. The output has two parts: the sum of $C$ plus noise, and the sum of these others, whose distribution does not depend on $x_i$. (The known values only add a constant.) Each value of this second sum shifts the density of the first part. So the density of the output is an average of shifted densities, with the same weights for $x_i$ as for $x_i'$. By {prf:ref}`thm-02-mediant` of notebook 2, the ratio of the averages is at most the largest ratio of the shifted densities. For the attacker who knows everybody outside $C$, the second sum is a constant, so the largest ratio of the shifted densities is exactly this attacker's.
# ```
#
# So a publisher only has to try each connected set $C$, with each of its members as the target. For networks of eight people, which have 1,024 attackers:

# %%
def attackers_to_try(network):
    """Attackers whose target and unknown tuples are a connected set."""
    count = 0
    for size in range(1, len(network) + 1):
        for chosen in combinations(network, size):
            if nx.is_connected(network.subgraph(chosen)):
                count += size  # each member as the target
    return count


networks_of_eight = {"path": nx.path_graph(8), "ring": nx.cycle_graph(8), "star": nx.star_graph(7)}
for name, network in networks_of_eight.items():
    print(f"{name}: {attackers_to_try(network)} of {8 * 2**7} attackers")

# %% [markdown]
# On a path of 20 people, 1,540<!-- {20 * 21 * 22 // 6:,} --> of 10,485,760<!-- {20 * 2**19:,} --> attackers are enough ([another note](correlated-outside-the-assumptions.ipynb)). On a star the number of connected sets is exponential, and in a complete network all sets are connected.
#
# Which attacker is the worst, that is, has the largest leakage? Take a ring of eight people, in which neighbours are equal with odds of about 9 to 1, and reduce the noise step by step:

# %%
ring = MarkovRandomField({(i, (i + 1) % 8): [[9, 1], [1, 9]] for i in range(8)})
noises = [1, 0.5, 0.2, 0.1]
worst_attackers = [ring.worst_adversary(scale=scale) for scale in noises]
for scale, attacker in zip(noises, worst_attackers):
    n_unknown = 7 - len(attacker.adversary.known)
    weak_leakage = ring.leakage(0, scale=scale)
    print(f"λ = {scale}: {n_unknown} unknown people; leakage to this attacker", end=" ")
    print(f"{attacker.leakage:.2f}, to a weak one {weak_leakage:.2f}, to a strong one {1 / scale:.2f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A worst attacker in a ring of eight, and the leakage to this attacker, for four scales \u03bb of the noise. Star: the target. Filled: unknown to the attacker. Empty: known. With less noise, fewer people around the target are unknown.", "name": "fig-08-ring"}, "image": {"alt": "Four rings of eight people. At scale 1 all are unknown; at 0.5 the person opposite the target is known; at 0.2 the three opposite ones; at 0.1 all but the target and its two neighbours."}} tags=["figure"]
fig, axes = plots.panels(1, 4, width=8.5, height=2.6)
angles = np.pi / 2 + np.arange(8) * np.pi / 4
closed = np.append(angles, angles[0])
blue = plots.COLOURS["blue"]
for axis, scale, attacker in zip(axes, noises, worst_attackers):
    i, known = attacker.adversary
    axis.plot(np.cos(closed), np.sin(closed), color="#7f7f7f", lw=1, ls="-", zorder=0)
    for j in range(8):
        angle = angles[(j - i) % 8]
        marker, size = ("*", 230) if j == i else ("o", 90)
        inside = "white" if j in known else blue
        axis.scatter(np.cos(angle), np.sin(angle), s=size, marker=marker, edgecolors=blue,
                     facecolors=inside, zorder=2)  # fmt: skip
    axis.set(title=f"λ = {scale:g}: leakage {attacker.leakage:.2f}", aspect="equal")
    axis.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
    axis.axis("off")
for known, scale, attacker in (([3, 5], 0.2, worst_attackers[2]), ([2, 6], 0.1, worst_attackers[3])):
    assert np.isclose(ring.leakage(0, known, scale=scale), attacker.leakage, rtol=1e-12)
plt.show()

# %% [markdown]
# With much noise a weak attacker is the worst, because all eight people tend to be equal ({numref}`fig-08-ring`). With less noise, fewer unknown people are better for the attacker. The figure shows attackers who know everybody else. In the last two cases, attackers who know only the two people next to the unknown part learn just as much.
#
# At $\lambda = 0.1$, rare outputs decide. The two neighbours of the target are unknown. Suppose that the known people have the value 0. If the target has the value 1, each neighbour has the value 1 with probability 1/2, because it stands between a 1 and a 0. If the target has the value 0, this probability is only 1/82. An output of 3 suggests that the target and both neighbours have the value 1. The two neighbours contribute a factor of $41^2$ to the ratio of the densities, and the target's own value contributes $1/\lambda = 10$ nats. Together these are 17.43<!-- {10 + 2 * np.log(41):.2f} --> nats. The leakage is smaller by 0.01<!-- {10 + 2 * np.log(41) - worst_attackers[3].leakage:.2f} -->, because with noise, smaller sums can lead to the same output.
#
# ```{evidence} Y-B21
# ```
#
# ## What it rests on
#
# - *Cited:* that $Z$ is #P-hard. It is twice the value of the Tutte polynomial at a point where this polynomial is hard to evaluate. The evidence checks the value on small graphs, not the hardness. Everything else in {prf:ref}`thm-08-hard` is proved above.
# - *Compared:* [the evidence](../evidence/research/correlated-what-is-hard.ipynb) recovers $Z$ from one leakage on all connected graphs with two to five nodes. The distributions from polynomials are equal, in fractions, to those from lists of all databases. The tree and a grid of 8 times 40 agree with a computation by Fourier transforms.
# - *Counted:* the additions of our algorithm. Another algorithm may need fewer.
#
# ## Limits
#
# - **Symmetry.** If all links of a complete network are equal, only the number of ones matters, and forty people are easy. With equal links $N$ can be computed in polynomial time for every bounded *clique-width* {cite:p}`kotek2012complexity`. For links of different strengths we know no fast method.
# - **Known neighbours.** Each known neighbour doubles the number of tables, because the leakage is a maximum over its values. If $n$ unknown people form a path and each has one known neighbour, there are $2^n$ combinations of known values, although each combination alone is easy. A related problem is to find the values of some variables that maximise the total probability over the others. It is NP-hard even on trees, but for bounded treewidth it can be approximated {cite:p}`park2004complexity,decampos2010new`. We do not know whether the largest *ratio* of two such totals is hard. {ref}`An exercise <ex-08-boundary>` shows that an obvious simplification fails.
# - **Zeros.** All potentials are positive. With zeros, one first has to know which values of the known tuples are possible, and that alone can be NP-hard.
# - **Sampling.** One can estimate the distribution of the sum from random databases. But a leakage is often a ratio of small probabilities, and such events are rare in a sample. As far as we know, it is open how much work a given relative error takes.
#
# ## What others had
#
# *Algorithms.* Summing out along a tree decomposition is classical {cite:p}`lauritzen1988local`. {cite:t}`tarlow2012fast` compute exactly with a tree and a function of the sum, and {cite:t}`noble2009evaluating` evaluates graph polynomials at bounded treewidth. The use for leakage, with the maximum over known neighbours, is ours.
#
# *Hardness.* The polynomial $N$ is the bivariate Ising polynomial {cite:p}`andren2009bivariate`. {cite:t}`kotek2012complexity` shows that it is hard to evaluate at almost every point. To decide differential privacy is known to be #P-hard for optimal composition {cite:p}`murtagh2016complexity` and for programs {cite:p}`gaboardi2020complexity`. For correlated data we found no such result, so we believe that {prf:ref}`thm-08-hard` is ours.
#
# *Which attackers matter.* The Markov quilt mechanism {cite:p}`song2017pufferfish` already uses that known tuples make the tuples beyond them independent of the target. It gives an upper bound for one mechanism, whereas {prf:ref}`thm-08-connected` is about the exact leakage. Bounds for Markov chains are in {cite:t}`lange2025balancing` (abstract and program only). {cite:t}`ghosh2017inferential` bound what *any* differentially private mechanism reveals about positively affiliated data, and noise on the sum attains their bound (abstract only).
#
# ## Exercises
#
# ```{exercise-start} A star
# :label: ex-08-star
# ```
# **Warm-up.** The target is the centre of a star with $n$ leaves. It is linked to each leaf by $\psi(x_i, x_j) = c^{(2x_i-1)x_j}$, and there are no other links. What does the weak attacker of the target learn? What is the limit for $c \to \infty$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("08-star", ...)

# %% [markdown]
# ```{solution-start} ex-08-star
# :class: dropdown
# ```
# Without links between the leaves all weights are 1. So $N(z) = (1 + z)^n$, and {prf:ref}`thm-08-formula` gives $e^{\mathrm{BDPL}} = \frac1y \left(\frac{c + y}{1 + cy}\right)^n$. For $c \to \infty$ each leaf copies the target, and the leakage tends to $(n + 1)/\lambda$.

# %%
leaves, strength, lam = sp.symbols("n c lam", positive=True)
y = sp.exp(-1 / lam)
on_star = 1 / lam + leaves * sp.log((strength + y) / (1 + strength * y))
star = {(0, j): [[1, Fraction(1, 4)], [1, 4]] for j in range(1, 6)}
by_polynomials = leakage(weights_of_sums(star, target=0), scale=2)
assert np.isclose(float(on_star.subs({leaves: 5, strength: 4, lam: 2})), by_polynomials)
check("08-star", (on_star, sp.limit(on_star, strength, sp.oo)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A neighbour who is known
# :label: ex-08-known
# ```
# **Standard.** The target is linked to a neighbour, and other people are linked to the target only through this neighbour. An attacker knows the neighbour and all these people. Does the leakage depend on the potential of the link between the target and this neighbour?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("08-known", ...)

# %% [markdown]
# ```{solution-start} ex-08-known
# :class: dropdown
# ```
# No. Given the neighbour's value, the link multiplies the weights of all databases with $x_i = a$ by the same factor. So the distribution *given* $x_i = a$ does not change. Only the links of *unknown* tuples to known ones matter. For a weak attacker, the same link does matter.

# %%
weak_leakages, leakages = [], []
for strength in (1, 3, 50):
    branch = {(0, 1): [[4, 1], [1, 4]], (1, 2): [[4, 1], [1, 4]]}
    behind = {(0, 3): [[strength, 1], [1, strength]], (3, 4): [[7, 2], [1, 3]]}
    field = MarkovRandomField(branch | behind)
    leakages.append(field.leakage(0, [3, 4], scale=1))
    weak_leakages.append(field.leakage(0, scale=1))
assert not np.allclose(weak_leakages, weak_leakages[0])
same = np.allclose(leakages, leakages[0], rtol=1e-12)
check("08-known", "no" if same else "yes")

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The worst values of the known friends
# :label: ex-08-boundary
# ```
# **Research.** On a path of unknown people, each person has one known neighbour outside the path, a *known friend*. All links are attractive. Do all known friends have the same value when the leakage is largest? Then it would be enough to try two combinations of their values instead of $2^n$. Try a path of five people whose middle is the target. The weights are 3 and 1 along the path, and 2 and 1 between a person and the known friend. For $\lambda = 3$ and for $\lambda = 0.1$: do the values of the known friends agree, alternate along the path, or neither?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("08-boundary", ...)

# %% [markdown]
# ```{solution-start} ex-08-boundary
# :class: dropdown
# ```
# At $\lambda = 3$ they *alternate*. (The target's own known friend does not matter.) If the known friends of two people on the path agree, the values of these two people are nearly determined, whatever the target's value is. If the known friends differ, these people depend more on the target. With much noise this dependence matters most. At $\lambda = 0.1$ the known friends *agree*. We do not know whether some rule finds the worst values fast.

# %%
spine = {(i, i + 1): [[3, 1], [1, 3]] for i in range(4)}
known_links = {(i, 5 + i): [[2, 1], [1, 2]] for i in range(5)}
field = MarkovRandomField(spine | known_links)
behaviour = []
for scale in (3, 0.1):
    leakages = {}
    for values in product((0, 1), repeat=5):
        _, distribution = field.joint_distribution(2, dict(zip(range(5, 10), values)))
        leakages[values] = leakage(distribution, scale)
    largest = max(leakages.values())
    assert np.isclose(largest, field.leakage(2, range(5, 10), scale=scale))
    agree = np.isclose(leakages[0, 0, 0, 0, 0], largest)
    alternate = np.isclose(leakages[0, 1, 0, 1, 0], largest)
    assert agree != alternate
    behaviour.append("agree" if agree else "alternate")
check("08-boundary", behaviour)

# %% [markdown]
# ```{solution-end}
# ```
