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
# **Question.** The paper says that Bayesian differential privacy is hard to compute in general, because a database of $n$ tuples has $n2^{n-1}$ attackers. Is it hard, and is their number the reason?
#
# **Answer.** It is hard, but for another reason: even the leakage to *one* attacker, who knows no tuple, is #P-hard to compute, and so is the largest leakage over all attackers. What decides is the shape of the network: for a tree of 1,000<!-- {len(tree):,} --> people, who have $2^{1000}$ databases, one leakage takes 4<!-- {million_tree:.0f} --> million additions, whereas in a complete network each further person doubles the work of our algorithm.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to compute a leakage exactly without listing all databases, for which networks this works, and why no method is likely to work for all of them.
# **You need** the leakage ([notebook 1](../correlated/01-why-dp-is-not-enough.ipynb)) and Bayesian differential privacy ([notebook 2](../correlated/02-bayesian-differential-privacy.ipynb)).
# **Time:** 22 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple. **The attacker** $\mathcal{A}(i, \mathcal{K})$ wants $x_i$, knows the values $x_{\mathcal{K}}$, the joint distribution and the mechanism, and sees one sum plus Laplace noise. A *weak* attacker knows no tuple. **Protected:** the odds between two values of $x_i$. **Not a protection:** that a leakage is hard to compute. It is hard for the publisher, who wants to know how much noise is enough.
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
# Three people are numbered 0, 1, 2. Persons 0 and 1 are linked, and so are persons 1 and 2. Each person has the value 0 or 1, and the query is the number of ones. A link whose ends are equal has the weight 3, a link whose ends differ has the weight 2. The weight of a database is the product of the weights of its links, and its probability is in proportion to its weight.
#
# An attacker wants $x_0$. For each value of $x_0$, we add up the weights of the databases with each sum:

# %%
alike = [[3, 2], [2, 3]]
weights = np.zeros((2, 4), dtype=int)  # row: value of person 0; column: sum
for x in product((0, 1), repeat=3):
    weights[x[0], sum(x)] += alike[x[0]][x[1]] * alike[x[1]][x[2]]
print(weights)


# %% [markdown]
# Divided by its total, each row is the distribution of the sum given $x_0$. The leakage is the largest log ratio of the two output densities, and outputs that are values of the query suffice ({prf:ref}`thm-01-values` of notebook 1):

# %%
def leakage(weights, scale):
    """Largest log ratio of the two densities, at the values of the query."""
    sums = np.arange(weights.shape[1])
    noise = np.exp(-abs(sums[:, None] - sums) / scale)
    given = [(row / row.sum()).astype(float) for row in weights]
    densities = [noise @ distribution for distribution in given]
    return abs(np.log(densities[1] / densities[0])).max()


print(f"leakage at scale 1: {leakage(weights, scale=1):.4f}")


# %% [markdown]
# The list of databases has $2^n$ entries. For a thousand people we need another way to the two rows.
#
# ## Method: polynomials instead of lists
#
# ```{prf:definition} Markov random field (マルコフ確率場)
# :label: def-08-field
# Tuples with finitely many values have the joint distribution $\Pr(x) = \frac1Z \prod_S \psi_S(x_S)$. Each *potential* $\psi_S > 0$ depends on a small set $S$ of tuples, here on the two ends of a link. The divisor $Z$, which makes the probabilities add up to 1, is the *partition function*.
# ```
#
# Write each row of weights as a polynomial, in which the coefficient of $z^s$ is the weight of the sum $s$. The first row above is $9 + 10z + 6z^2$. We can find it by removing one person at a time:
#
# - *Person 2.* If person 1 has the value 0, person 2 contributes $F(0) = 3 + 2z$: weight 3 for the value 0, and weight 2 for the value 1, which adds 1 to the sum. If person 1 has the value 1, the contribution is $F(1) = 2 + 3z$.
# - *Person 1.* If person 0 has the value 0, the two others contribute $3\,F(0) + 2z\,F(1) = 9 + 10z + 6z^2$.
#
# In general, let a *factor* be a table that holds a polynomial for each combination of values of some tuples. To sum out tuple $j$, multiply all factors that contain $j$. Then add the product for $x_j = 0$ and $z$ times the product for $x_j = 1$. The sum is a new factor, which contains the other tuples of the old ones and takes their place.

# %%
def multiply(factors, values):
    """Product of the polynomials that belong to these values of the tuples."""
    result = np.array([1], dtype=object)
    for tuples, entries in factors:
        result = np.convolve(result, entries[tuple(values[j] for j in tuples)])
    return result


def sum_out(j, factors):
    """Replace all factors that contain tuple j by a single one without j."""
    with_j = [factor for factor in factors if j in factor[0]]
    others = sorted({k for tuples, _ in with_j for k in tuples} - {j})
    entries = {}
    for combination in product((0, 1), repeat=len(others)):
        values = dict(zip(others, combination))
        if_zero = multiply(with_j, values | {j: 0})
        if_one = multiply(with_j, values | {j: 1})
        entries[combination] = np.append(if_zero, 0) + np.append(0, if_one)  # second times z
    rest = [factor for factor in factors if j not in factor[0]]
    return [*rest, (others, entries)]


# %% [markdown]
# We sum out everybody except the target, starting far from it:

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


assert (weights_of_sums({(0, 1): alike, (1, 2): alike}, target=0) == weights).all()

# %% [markdown]
# Integers and fractions stay exact. On a tree, everybody behind a person has been summed out before this person is. The new factor therefore has one tuple only, the next person on the way to the target, and each person costs two polynomials. Here is a tree of a thousand people:

# %%
tree = nx.random_labeled_tree(1000, seed=1)
tree_potentials = dict.fromkeys(tree.edges, alike)
on_tree = leakage(weights_of_sums(tree_potentials, target=0), scale=10)
print(f"a tree of {len(tree)}: leakage {on_tree:.6f} at scale 10")
assert np.isclose(on_tree, MarkovRandomField(tree_potentials).leakage(0, scale=10), rtol=1e-9)

# %% [markdown]
# In other networks a factor can have many tuples, and its table has an entry for each combination of their values. How many tuples it has depends on the order in which we sum out. For a given order, look at how many others each tuple shares factors with when it is summed out. The largest of these numbers is the *width* of the order, and the *treewidth* $w$ of the network is the least width of all orders. It is 1 for a tree, 2 for a ring, at most the width of a grid, and $n - 1$ for a complete network.
#
# ```{prf:theorem} Small treewidth
# :label: thm-08-treewidth
# Suppose that the network of the tuples that an attacker does not know has treewidth $w$, and that they and the target have $b$ known neighbours. Then the exact leakage to this attacker can be computed with $O(n\,k^{w + 2 + b})$ polynomials, if each of the $n$ tuples has at most $k$ values. Their degree is at most the range of the query.
# ```
#
# ```{prf:proof}
# Sum out the unknown tuples in the best order. When a tuple is summed out, the factors that contain it depend on this tuple, on at most $w$ other unknown tuples, on the target, and on at most $b$ known neighbours. Each of at most $n$ steps therefore goes through at most $k^{w + 2 + b}$ combinations of values. In the end there is a table of weights, with one row for each value of the target, for each combination of the known neighbours' values. The leakage is the largest that one of these tables gives, because other known tuples do not influence the unknown ones.
# ```
#
# ```{evidence} Y-B22
# ```
#
# ## Result: the width decides
#
# How much work is one leakage? Seconds depend on the computer. So we count the additions of numbers that the package makes for one weak attacker. Its method is the one above, and it chooses the order by a rule of thumb. All links have different potentials, so that no symmetry helps.

# %%
rng = np.random.default_rng(5)


def additions(network):
    """Numbers that are added for one weak attacker of tuple 0."""
    network = nx.convert_node_labels_to_integers(network)
    potentials = {link: rng.integers(1, 9, (2, 2)) for link in network.edges}
    return MarkovRandomField(potentials).additions(0)


# %% jupyter={"source_hidden": true} tags=["set-up"]
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

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Additions for the leakage to one weak attacker. For a fixed width the work grows with the square of the number of people (thin line: slope 2), and the width decides how high the curve lies. In a complete network one more person doubles the work.", "name": "fig-08-map"}, "image": {"alt": "Additions against the number of people, both axes logarithmic. Path, tree and grids of width 2, 4 and 8 are parallel to a line of slope 2, one above the other. Square grids bend upwards; complete networks are the steepest."}} tags=["figure"]
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
    caption="The largest network of each family; width of the order that the rule of thumb finds, "
    "and growth of the additions from the second largest network.",
)

# %% [markdown]
# The square has a reason: each of the $n$ people costs a few polynomials, and their degree grows up to $n$. (The path costs more than the tree, because the polynomials of a tree with many short branches stay short for longer.) The rule of thumb does not always find the best order: for the grid of width 8 its order has the width 11<!-- {widths["grid, width 8"]} -->. The 16 people of the complete network cost 720,790<!-- {counts["complete"][-1]:,} --> additions. On complete networks the count is $11 \cdot 2^n - 6n - 10$ for all sizes that we tried, so forty people would cost 12<!-- {(11 * 2**40 - 250) / 1e12:.0f} --> million million.
#
# ```{evidence} Y-B23
# ```
#
# ## A single leakage can hold a number that is hard to compute
#
# Could a better algorithm treat all networks fast? Probably not. In statistical physics, the *Ising model* gives each database of $n$ zeros and ones the weight $2^{\text{number of links with equal ends}}$. Let $N_k$ be the total weight of the databases with $k$ ones, and $N(z) = \sum_k N_k z^k$. The partition function is $Z = N(1)$. To compute it is #P-hard {cite:p}`jaeger1990computational,jerrum1993polynomial`: at least as hard as counting the solutions of any problem whose solutions can be checked fast. So it is at least as hard as every problem in NP.
#
# The weights of the sums add up to $Z$, so they are as hard to compute. But a leakage is a single number, the largest log ratio. Can it hold $Z$, too? We add one person, the target $i$, who is linked to all others by $\psi(x_i, x_j) = c^{(2x_i - 1)x_j}$ with $c > 1$. If the target has the value 1, every other person with the value 1 multiplies the weight by $c$. If the target has the value 0, every such person divides it by $c$. For the Petersen graph, with ten people and 15 links:

# %%
ising = {link: [[2, 1], [1, 2]] for link in nx.petersen_graph().edges}
Z = weights_of_sums(ising, target=0).sum()

B = 19
to_target = [[1, Fraction(1, 2**B)], [1, 2**B]]  # c = 2^B; row: value of the target
with_target = ising | {(10, j): to_target for j in range(10)}
one_leakage = leakage(weights_of_sums(with_target, target=10), scale=1 / (B * np.log(2)))
recovered = 2 ** (15 + 11 * B - one_leakage / np.log(2))
print(f"leakage {one_leakage:.9f}; Z = {Z}; from the leakage: {recovered:.5f}")
assert round(recovered) == Z


# %% [markdown]
# One leakage, read with enough digits, gives $Z$. The reason is a closed form.
#
# ```{prf:proposition} The leakage to the weak attacker of the target
# :label: thm-08-formula
# With $y = e^{-1/\lambda}$, $\displaystyle e^{\mathrm{BDPL}} = \frac{c^n}{y} \cdot \frac{N(y/c)}{N(cy)}.$
# ```
#
# ```{prf:proof}
# Let $s$ be the number of ones among the others. Given $x_i = 1$ or $x_i = 0$, the probability of $s = k$ is $N_k c^k/N(c)$ or $N_k c^{-k}/N(1/c)$. The ratio of these two probabilities increases with $k$. Let $g_1(t)$ and $g_0(t)$ be the densities of $s$ plus noise. We show that $g_1/g_0$ does not decrease with $t$. For $t < t'$, let $q_k$ be the ratio of the noise densities at $t' - k$ and $t - k$, which does not decrease with $k$. Both $g_1(t')/g_1(t)$ and $g_0(t')/g_0(t)$ are weighted means of the $q_k$. The first mean has relatively more weight on large $k$, so it is at least the second. Therefore $g_1/g_0$ is most extreme as $t \to \pm\infty$.
#
# The target's own value shifts the output by 1. This changes the log ratio by at most $1/\lambda$. At both ends it makes the ratio more extreme by exactly $1/\lambda$. As $t \to -\infty$, the density of the noise around $s$ is $y^s$ times a common factor. So the ratio of the densities for $x_i = 0$ and $x_i = 1$ tends to
#
# $$ \frac{\mathrm{E}[y^s \mid x_i = 0]}{\mathrm{E}[y^{s + 1} \mid x_i = 1]} = \frac1y \cdot \frac{N(y/c)}{N(1/c)} \cdot \frac{N(c)}{N(cy)}. $$
#
# Exchanging all zeros and ones keeps every weight, so $N_k = N_{n-k}$ and $N(1/c) = c^{-n} N(c)$. This gives the formula. The other end gives the same.
# ```
#
# Now choose $c = 1/y = 2^B$. The denominator becomes $N(1) = Z$. The numerator $N(4^{-B})$ is hardly more than its first term, $N_0 = 2^m$ for $m$ links: because $N_k \le 2^m \binom nk$, it is $2^m(1 + \delta)$ with $0 \le \delta \le 2^{n - 2B}$. Therefore
#
# $$ 2^{m + B(n + 1)}\, e^{-\mathrm{BDPL}} = \frac{Z}{1 + \delta}, $$
#
# which is below $Z$ by at most $Z\delta \le 2^{n + m}\, 2^{n - 2B}$. For $2B \ge 2n + m + 2$ this is at most $\frac14$, and rounding gives $Z$.
#
# ```{prf:theorem} One leakage is #P-hard, and so is the level
# :label: thm-08-hard
# For a Markov random field with rational potentials and a rational $y = e^{-1/\lambda}$, it is #P-hard to compute $e^{\mathrm{BDPL}}$ for one weak attacker. It is also #P-hard to decide whether no attacker leaks more than $\varepsilon$, for a given rational $e^\varepsilon$. Both hold even if all tuples are binary, the query is their sum, and all links are attractive: $\psi(0, 0)\,\psi(1, 1) \ge \psi(0, 1)\,\psi(1, 0)$.
# ```
#
# ```{prf:proof}
# The first statement has just been shown. For the second, let $n \ge 5$ and measure leakages in bits, so that $1/\lambda$ is $B$ bits. We compare the attackers.
#
# - The weak attacker of the target learns at least $(n + 1)B - n$ bits, because $Z \le 2^{n + m}$.
# - An attacker who knows a tuple learns at most $nB$ bits, by {prf:ref}`thm-02-group` of notebook 2.
# - *A weak attacker of another tuple $j$.* The value of $x_j$ itself changes the density by a factor of at most $2^B$. Given all other tuples, the odds of $x_j = 1$ lie between $2^{-(n - 1) - B}$ and its inverse, and so do the odds without this condition, as a ratio of sums. By Bayes' rule, $x_j$ changes the probabilities of the others by a factor of at most $2^{2(n - 1) + 2B}$, the ratio of the largest odds to the smallest. This attacker learns at most $3B + 2n - 2$ bits.
#
# Because $B > n \ge 5$, the first number is the largest, and the level over all attackers is $\mathrm{BDPL}$. Ask whether it is at most $\varepsilon = \ln \bigl(2^{m + B(n + 1)}/(q - \frac12)\bigr)$, for an integer $q$. It is if and only if $Z/(1 + \delta) \ge q - \frac12$. Because $Z$ is an integer and $Z/(1 + \delta)$ is at most $\frac14$ below it, this means $Z \ge q$. About $n + m$ such questions find $Z$ by bisection.
# ```
#
# The hardness does not need a large $c$ and little noise. With $y/c = \frac14$ and $n$ values of $cy$ from 1 to 4, the scale of the noise is at least $1/\ln 2 \approx$ 1.44<!-- {1 / np.log(2):.2f} -->. Together, these $n$ leakages determine $N$ by interpolation, up to a factor, and $N(0) = 2^m$ gives the factor. But the theorem is about *exact* values. It does not say that a leakage is hard to approximate, and this $Z$ is not: a random-sampling method approximates it in polynomial time {cite:p}`jerrum1993polynomial`.
#
# ```{evidence} Y-5.b-hard Y-B20
# ```
#
# ## How many attackers must be examined?
#
# ```{prf:theorem} Only connected sets
# :label: thm-08-connected
# Let $C$ be the connected component of the target $i$ in the network of the target and the unknown tuples. For every release of the sum plus independent noise, $\mathcal{A}(i, \mathcal{K})$ learns at most what the attacker learns who knows everybody outside $C$. What that attacker learns depends only on $C$, its links, and the values of its known neighbours.
# ```
#
# ```{prf:proof}
# Every path from $C$ to another unknown tuple runs through $\mathcal{K}$. So, given $x_{\mathcal{K}}$, the other unknown tuples are independent of those in $C$. The output has two parts: the sum of $C$ plus noise, and the sum of these others, whose distribution does not depend on $x_i$. (The known values only add a constant.) Each value of this second sum shifts the density of the first part. So the density of the output is an average of shifted densities, with the same weights for $x_i$ as for $x_i'$. By {prf:ref}`thm-02-mediant` of notebook 2, the ratio of the averages is at most the largest ratio of the shifted densities. An attacker who knows everybody outside $C$ sees this largest ratio.
# ```
#
# So a publisher has to try each connected set $C$, with each of its members as the target. For eight people, instead of 1,024 attackers:

# %%
def attackers_to_try(network):
    """Attackers whose target and unknown tuples are a connected set."""
    count = 0
    for size in range(1, len(network) + 1):
        for chosen in combinations(network, size):
            if nx.is_connected(network.subgraph(chosen)):
                count += size  # each member as the target
    return count


eight = {"path": nx.path_graph(8), "ring": nx.cycle_graph(8), "star": nx.star_graph(7)}
for name, network in eight.items():
    print(f"{name}: {attackers_to_try(network)} of {8 * 2**7} attackers")

# %% [markdown]
# On a path of 20 people, 1,540<!-- {20 * 21 * 22 // 6:,} --> of 10,485,760<!-- {20 * 2**19:,} --> attackers are enough ([another note](correlated-outside-the-assumptions.ipynb)). On a star the number stays exponential, and in a complete network nothing is saved.
#
# Which attacker is the worst? Take a ring of eight people, in which neighbours are equal with odds of about 9 to 1, and lower the noise:

# %%
ring = MarkovRandomField({(i, (i + 1) % 8): [[9, 1], [1, 9]] for i in range(8)})
noises = [1, 0.5, 0.2, 0.1]
worst = [ring.worst_adversary(scale=scale) for scale in noises]
weak = [ring.leakage(0, scale=scale) for scale in noises]
for scale, attacker, of_weak in zip(noises, worst, weak):
    print(f"λ = {scale}: the worst attacker knows {len(attacker.adversary.known)} of 7 people")
    print(f"  it learns {attacker.leakage:.2f} nats, weak {of_weak:.2f}, strong {1 / scale:.2f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The worst attacker of a ring of eight, with its leakage in nats. Star: the target. Filled: unknown to the attacker. Empty: known. With less noise the worst attacker knows more people.", "name": "fig-08-ring"}, "image": {"alt": "Four rings of eight people. At scale 1 all are unknown; at 0.5 the person opposite the target is known; at 0.2 the three opposite ones; at 0.1 all but the target and its two neighbours."}} tags=["figure"]
fig, axes = plots.panels(1, 4, width=8.5, height=2.6)
angles = np.pi / 2 + np.arange(8) * np.pi / 4
closed = np.append(angles, angles[0])
blue = plots.COLOURS["blue"]
for axis, scale, attacker in zip(axes, noises, worst):
    i, known = attacker.adversary
    axis.plot(np.cos(closed), np.sin(closed), color="#7f7f7f", lw=1, ls="-", zorder=0)
    for j in range(8):
        angle = angles[(j - i) % 8]
        marker, size = ("*", 230) if j == i else ("o", 90)
        inside = "white" if j in known else blue
        axis.scatter(np.cos(angle), np.sin(angle), s=size, marker=marker, edgecolors=blue,
                     facecolors=inside, zorder=2)  # fmt: skip
    axis.set(title=f"λ = {scale:g}: {attacker.leakage:.2f}", aspect="equal")
    axis.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))
    axis.axis("off")
plt.show()

# %% [markdown]
# With much noise it is best to know nobody, because all eight people move together ({numref}`fig-08-ring`). With little noise, one rare output decides. At $\lambda = 0.1$ the worst attacker does not know the target's two neighbours. Suppose that the five known people have the value 0. If the target has the value 1, each neighbour has the value 1 with probability 1/2, because it lies between a 1 and a 0. If the target has the value 0, this probability is only 1/82. An output of 3, which suggests three ones, therefore speaks for the target's 1: the two neighbours multiply the odds by $41^2$, and the target's own value adds $1/\lambda = 10$ nats. Together these are 17.43<!-- {10 + 2 * np.log(41):.2f} --> nats, of which the noise hides 0.01<!-- {10 + 2 * np.log(41) - worst[3].leakage:.2f} -->.
#
# ```{evidence} Y-B21
# ```
#
# ## What it rests on
#
# - *Cited:* that $Z$ is #P-hard. It is a value of the Tutte polynomial at a hard point; the evidence checks this value on small graphs, not the hardness. Everything else in {prf:ref}`thm-08-hard` is proved above.
# - *Compared:* [the evidence](../evidence/research/correlated-what-is-hard.ipynb) recovers $Z$ from one leakage on all connected graphs with two to five nodes. The distributions from polynomials are equal, in fractions, to those from lists of all databases. The tree and a grid of 8 times 40 agree with a computation by Fourier transforms.
# - *Counted:* the additions of our algorithm. Another algorithm may need fewer.
#
# ## Limits
#
# - **Symmetry.** If all links of a complete network are equal, only the number of ones matters, and forty people are easy. With equal links $N$ can be computed in polynomial time for every bounded *clique-width* {cite:p}`kotek2012complexity`. For links of different strengths we know no fast way.
# - **Known neighbours.** Each doubles the table, because the leakage is a maximum over its value. If $n$ unknown people form a path and each has one known friend, the friends can have $2^n$ combinations of values, although each combination alone is easy. A related problem is to find the values of some variables that maximise the total probability over the others. It is NP-hard even on trees, but for bounded treewidth it can be approximated {cite:p}`park2004complexity,decampos2010new`. We do not know whether the largest *ratio* of two such totals is hard. {ref}`An exercise <ex-08-boundary>` shows that an obvious short cut fails.
# - **Zeros.** All potentials are positive. With zeros, one first has to know which values of the known tuples are possible, and that alone can be NP-hard.
# - **Sampling.** One can estimate the distribution of the sum from random databases. But a leakage is often a ratio of small probabilities, for which a sample has few cases. As far as we know, it is open how much work a given relative error takes.
#
# ## What others had
#
# Summing out along a tree decomposition is classical {cite:p}`lauritzen1988local`. {cite:t}`tarlow2012fast` compute exactly with a tree and a function of the sum, and {cite:t}`noble2009evaluating` evaluates graph polynomials at bounded treewidth. Ours is the use for leakage, with the maximum over known neighbours. The polynomial $N$ is the bivariate Ising polynomial {cite:p}`andren2009bivariate`; {cite:t}`kotek2012complexity` shows that it is hard to evaluate at almost every point. Deciding differential privacy is known to be #P-hard for optimal composition {cite:p}`murtagh2016complexity` and for programs {cite:p}`gaboardi2020complexity`. For correlated data we found no such result, so we believe that {prf:ref}`thm-08-hard` is ours. That known tuples screen off what lies behind them is the idea of the Markov quilt {cite:p}`song2017pufferfish`, which gives an upper bound for one mechanism; {prf:ref}`thm-08-connected` is about the exact leakage. Bounds for Markov chains are in {cite:t}`lange2025balancing` (abstract and program only). {cite:t}`ghosh2017inferential` bound what *any* differentially private mechanism reveals about positively affiliated data, and noise on the sum attains their bound (abstract only).
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
# ```{exercise-start} A friend who is known
# :label: ex-08-known
# ```
# **Standard.** An attacker knows a neighbour of the target and everybody behind this neighbour. Does the leakage depend on the potential of the link between the target and this neighbour?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("08-known", ...)

# %% [markdown]
# ```{solution-start} ex-08-known
# :class: dropdown
# ```
# No. Given the neighbour's value, the link multiplies all weights with $x_i = a$ by one factor. The distribution *given* $x_i = a$ does not change. Only the links of *unknown* tuples to known ones matter. For a weak attacker, the same link does matter.

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
# **Research.** On a path of unknown people, each has one known friend. If all links are attractive, do all known friends have the same value when the leakage is largest? Then two combinations of their values would be enough instead of $2^n$. Try a path of five people whose middle is the target, with the weights 3 and 1 along the path and 2 and 1 to the known friends. Do the known friends agree, or alternate, or neither: at $\lambda = 3$, and at $\lambda = 0.1$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("08-boundary", ...)

# %% [markdown]
# ```{solution-start} ex-08-boundary
# :class: dropdown
# ```
# At $\lambda = 3$ they *alternate*. (The target's own friend does not matter.) If the known friends of two neighbours on the path agree, the values of these neighbours are nearly determined, whatever the target's value is. If the known friends differ, the neighbours depend more on the target. With much noise this dependence matters most. At $\lambda = 0.1$ the known friends *agree*. We do not know whether some rule finds the worst values fast.

# %%
spine = {(i, i + 1): [[3, 1], [1, 3]] for i in range(4)}
known_friends = {(i, 5 + i): [[2, 1], [1, 2]] for i in range(5)}
field = MarkovRandomField(spine | known_friends)
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
