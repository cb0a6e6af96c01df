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
# # When is one attacker hard to compute?
#
# Thirty people have sixteen billion attackers, and the paper says that leakage is therefore hard to compute. But their
# number is not the difficulty: on a chain all of them can be treated at once. This notebook shows where the difficulty
# sits. *One* attacker can be as hard as counting all databases of a magnet, weight by weight; and one attacker is easy,
# with a thousand people too, wherever the network of the unknown is nearly a tree and touches few known people.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why a single leakage holds a number that nobody knows how to compute fast, which attackers need not
# be looked at, how polynomials that are passed along a tree give exact leakages, and what a chain, a tree, a grid and a
# network in which everybody knows everybody cost. **You need** the leakage of an attacker
# ([notebook 1](../correlated/01-why-dp-is-not-enough.ipynb)) and the [Markov chain](correlated-outside-the-assumptions.ipynb) of *What happens outside the assumptions?*.
# **Time:** 19 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple. **The attacker** $\mathcal{A}(i, \mathcal{K})$ attacks $x_i$, knows $x_{\mathcal{K}}$,
# the joint law and the mechanism, and sees one sum plus Laplace noise. **Protected:** the odds between two values of
# $x_i$. **Hard or easy** is meant for whoever computes the leakage; that is no protection: an attacker may know a law
# of which we cannot say what it leaks.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import combinations, product
from math import comb

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sympy as sp
from networkx.algorithms.approximation import treewidth_min_fill_in

from privlib.correlated import FiniteDistribution
from privlib.correlated.adversary import adversaries
from privlib.notebook import claim, derivation, plots, table
from privlib.research.markov_random_field import MarkovRandomField

plots.use()
rng = np.random.default_rng(8)

# %% [markdown]
# ## Is it the number of attackers?
#
# A database of $n$ tuples has $n 2^{n-1}$ attackers. Section 5.1 takes their number for the reason why Bayesian
# differential privacy is hard to compute in general, and section 7 comes back to that. The conclusion does not follow: the
# [chain](correlated-outside-the-assumptions.ipynb) has as many attackers, and for Gaussian data with friendly ties the weak ones are enough. So
# it takes another reason, or a short cut that serves data of every kind. Which of the two is it?
#
# ```{prf:definition} Markov random field (マルコフ確率場)
# :label: def-08-field
# Tuples with finitely many values have the joint law $\Pr(x) = \frac1Z \prod_S \psi_S(x_S)$ with potentials
# $\psi_S > 0$ on small groups $S$ of tuples, such as the ends of the edges of a graph. Tuple $j$ adds the integer
# $v_j(x_j)$ to the query, and the query plus Laplace noise of scale $\lambda$ is released. We write
# $y = e^{-1/\lambda}$. The divisor $Z$, which makes the probabilities add up to 1, is the *partition function*.
# ```
#
# All potentials are positive, so every database is possible and no condition has probability zero. Four people in a
# ring, friends more often alike than not:

# %%
alike = [[3, 2], [2, 3]]  # equal values of two friends are half as likely again
ring = MarkovRandomField({(i, (i + 1) % 4): alike for i in range(4)})
for known in ([], [2], [1, 3]):
    print(f"A(0, {known}) learns {ring.leakage(0, known, scale=1):.4f}")

# %% [markdown]
# Each of these numbers is a maximum over outputs and over what the known tuples may be, and behind it stands a law:
# that of the unknown sum, given the rest. How hard is it to get that law?
#
# ## A leakage that counts
#
# In physics the tuples are little magnets, and $w(x) = 2^{\text{number of ties whose ends agree}}$ is the weight of a
# state of the *Ising model*. Let $N_k$ be the total weight of the states with $k$ ones, $N(z) = \sum_k N_k z^k$, so
# that $Z = N(1)$. The law of the sum holds $Z$: the state without any one agrees on all $m$ ties, so its weight $2^m$
# divided by its probability is $Z$. For the Petersen graph (ten people, three friends each):

# %%
petersen = nx.petersen_graph()
ising = {tie: [[2, 1], [1, 2]] for tie in petersen.edges}
levels, law = MarkovRandomField(ising).joint_distribution(0)  # tuple 0 and the sum, in fractions
print("Pr(nobody has it) =", law[0, 0], "  Z =", 2**15 / law[0, 0])

# %% [markdown]
# But an attacker does not publish the law of a sum. The leakage is a single number, the largest log ratio of all. Can
# $Z$ hide in one number? It can. Attach one more tuple, the *target*, to all the others by
# $\psi(x_i, x_j) = c^{(2x_i - 1)x_j}$ with $c > 1$: where the target has a one, ones become likelier by $c$, and
# otherwise less likely by $c$. Now attack it, knowing nobody.

# %%
B = 19  # bits
target = {(10, j): [[1, Fraction(1, 2**B)], [1, 2**B]] for j in range(10)}
leakage = MarkovRandomField(ising | target).leakage(10, scale=1 / (B * np.log(2)))
print("leakage", round(leakage, 9))
print("Z =", round(2 ** (15 + 11 * B - leakage / np.log(2))))

# %% [markdown]
# One leakage, rounded, is the same $Z$. Why?
#
# **The law.** Given the target, the sum of the others is $k$ with probability $N_k c^k / N(c)$ or
# $N_k c^{-k} / N(1/c)$. The ratio of the two grows with $k$, and Laplace noise keeps that order (its kernel
# $e^{-|t - s|/\lambda}$ is totally positive). So the ratio of the two densities of the output grows with the output,
# and its extremes stand at the far ends. There $e^{-|t - s|/\lambda}$ is $y^{\pm s}$ up to a factor, and the sums are
# values of $N$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
apart = sp.UnevaluatedExpr
c, y, n = sp.symbols("c y n", positive=True)
Nr, Nz, Nc = sp.symbols("N_r N_z N_c", positive=True)
spelled = {Nr: r"N\!\left(\tfrac yc\right)", Nz: "N(cy)", Nc: "N(c)"}
left_end = (
    derivation(apart(Nr / (c**-n * Nc)) * apart(Nc / Nz), names=spelled,
               of=r"\frac{\mathrm{E}[y^s \mid x_i = 0]}"
               r"{\mathrm{E}[y^s \mid x_i = 1]}")
    .equal(c**n * Nr / Nz, "cancel $N(c)$")
)  # fmt: skip
left_end

# %% [markdown]
# Here $N(1/c) = c^{-n} N(c)$ was used, which holds because turning all $n$ values round changes no agreement:
# $N_{n-k} = N_k$. ($N$ is known to graph theorists as the Ising polynomial, in two variables {cite:p}`andren2009bivariate`.) The other end, with $N(c/y)$ and $N(1/cy)$, gives the same:

# %% jupyter={"source_hidden": true} tags=["evidence"]
right_end = (
    derivation(apart((c / y) ** n * Nr / Nc) * apart(c**-n * Nc * (c * y) ** n / Nz),
               names=spelled,
               of=r"\frac{\mathrm{E}[y^{-s} \mid x_i = 1]}"
               r"{\mathrm{E}[y^{-s} \mid x_i = 0]}")
    .equal(c**n * Nr / Nz, "cancel $N(c)$, $c$ and $y$")
)  # fmt: skip
right_end


# %% [markdown]
# The target's own step in the sum adds $1/\lambda$ at most, and exactly that at the ends. So $e^{\mathrm{BDPL}} =
# \frac{c^n}{y} \cdot \frac{N(y/c)}{N(cy)}$.
#
# **One call.** Choose $c = 1/y = 2^B$. Then $N(cy) = N(1) = Z$:


# %% jupyter={"source_hidden": true} tags=["evidence"]
power, Z = sp.symbols("B Z", positive=True)
chosen = derivation(
    left_end.last.subs({c: 2**power, Nz: Z}) / 2**-power, names=spelled,
    of=r"e^{\mathrm{BDPL}}",
).equal(2 ** (power * (n + 1)) * Nr / Z, "collect powers of two")  # fmt: skip
chosen

# %% [markdown]
# Here $N(y/c) = N(4^{-B})$ is $2^m$ and very little more. Since $N_k \le 2^m \binom nk$, it is $2^m (1 + \delta)$ with
# $0 \le \delta \le D = 2^{n - 2B}$. So the number $2^{m + B(n + 1)} e^{-\mathrm{BDPL}}$, which is $Z / (1 + \delta)$, misses
# $Z \le W = 2^{n+m}$ by little. (That $\delta$ is at most $D$ and $Z$ at most $W$ is written as $D/(1 + h)$ and $W/(1 + g)$ with
# $g, h \ge 0$.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
W, D = sp.symbols("W D", positive=True)
g, h = sp.symbols("g h", nonnegative=True)
Z_, delta = apart(W / (1 + g)), apart(D / (1 + h))
missed = (
    derivation(Z_ - Z_ / (1 + delta),
               of=r"Z - 2^{m + B(n + 1)} e^{-\mathrm{BDPL}}")
    .at_most(Z_ * delta, r"$\delta \ge 0$", by="coefficients")
    .at_most(W * D, r"$g, h \ge 0$", by="coefficients")
)  # fmt: skip
missed


# %% [markdown]
# With $2B = 2n + m + 2$ this is $\frac14$, with more bits it is less.
#
# ````{prf:theorem} One attacker is hard (#P-hard)
# :label: thm-08-hard
# To compute $e^{\mathrm{BDPL}}$ of one weak attacker of a Markov random field with rational potentials and rational $y$
# is #P-hard, even if all tuples are binary, the query is the plain sum, and all ties are attractive:
# $\psi(0, 0)\,\psi(1, 1) \ge \psi(0, 1)\,\psi(1, 0).$
# ````
#
# *Proof.* Who computes that number computes $Z$ by the lines above, and $Z$ is #P-hard: it is a value of the Tutte
# polynomial at a hard point {cite:p}`jaeger1990computational`, and {cite:t}`jerrum1993polynomial` treat this magnet by
# name. ∎ Much more is known about $N$: it is hard to evaluate at almost every point, and takes exponential time if counting
# satisfying assignments does {cite:p}`kotek2012complexity`.
#
# The class #P is that of counting problems, at least as hard as NP. The theorem is about *exact* values: about $n + m$
# bits of the leakage after the point suffice. It does not say that leakage is hard to approximate; this very $Z$ can be
# approximated fast by sampling {cite:p}`jerrum1993polynomial`; for hostile ties even that is hard, as is shown there.
# And huge $c$ and tiny noise are not to blame. Keep $y/c = \frac14$ and let $cy$ take $n$ values between 1 and 4: the
# noise is then at least $1.44$ wide, and the leakages give $N$ at $n + 1$ points, up to a factor that $N(0) = 2^m$
# fixes; so interpolation gives $Z$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def component(graph, i, known):
    """The target's component in what the attacker does not know."""
    rest = graph.subgraph(set(graph) - set(known))
    return frozenset(nx.node_connected_component(rest, i))


def magnet(graph):
    """N_0, ..., N_n: the weight of all databases with k ones, one after the other."""
    found = [0] * (len(graph) + 1)
    for x in product((0, 1), repeat=len(graph)):
        found[sum(x)] += 2 ** sum(x[u] == x[v] for u, v in graph.edges)
    return found


def attacked(graph, c):
    """The magnet and one more tuple, the target, linked to all others."""
    n = len(graph)
    ties = {tie: [[2, 1], [1, 2]] for tie in graph.edges}
    return MarkovRandomField(ties | {(n, j): [[1, 1 / c], [1, c]] for j in range(n)})


def one_call(graph):
    """Z from a single leakage, rounded."""
    n, m = len(graph), graph.number_of_edges()
    bits = n + (m + 3) // 2
    field, scale = attacked(graph, Fraction(2) ** bits), 1 / (bits * np.log(2))
    leak = field.leakage(n, scale=scale)
    return round(2 ** (m + bits * (n + 1) - leak / np.log(2)))


def one_share(graph):
    """δ in N(4^-B) = 2^m (1 + δ), counted, and its bound D."""
    n, m = len(graph), graph.number_of_edges()
    z = Fraction(1, 4 ** (n + (m + 3) // 2))
    value = sum(w * z**k for k, w in enumerate(magnet(graph)))
    return value / 2**m - 1, 2**n * z


def factor(graph, c, y):
    """c^n / y N(y/c) / N(cy) from the list of all databases."""
    n, weights = len(graph), magnet(graph)
    low = sum(w * (y / c) ** k for k, w in enumerate(weights))
    return c**n / y * low / sum(w * (c * y) ** k for k, w in enumerate(weights))


def interpolated(graph):
    """Z from n ratios of moderate leakages, which are fractions."""
    n, m = len(graph), graph.number_of_edges()
    points, values = [Fraction(1, 4)], [Fraction(1)]  # N(z) / N(1/4)
    for k in range(n):
        u, v = Fraction(1, 2), 1 + Fraction(k, 8)
        c, y = v / u, u * v
        levels, law = attacked(graph, c).joint_distribution(n)
        low, high = (sum(p * y ** int(s) for s, p in zip(levels, r)) for r in law)
        ratio = low / sum(law[0]) / (high / sum(law[1]))  # e^BDPL, at the left end
        points.append(v**2)
        values.append(c**n / y / ratio)
    at_zero = sum(
        value * np.prod([-q / (p - q) for q in points if q != p])
        for p, value in zip(points, values)
    )
    return values[points.index(1)] / at_zero * 2**m


atlas = nx.graph_atlas_g()[1:]
connected = [g for g in atlas if 2 <= len(g) <= 5 and nx.is_connected(g)]
few = [g for g in connected if len(g) <= 4]
counted = [sum(magnet(graph)) for graph in connected]
petersen_leakage = [leakage, np.log(float(factor(petersen, 2**B, Fraction(1, 2**B))))]
with claim("Y-5.b-hard") as claimed:
    label = f"{len(connected)} connected graphs, n ≤ 5: Z from one leakage, counted"
    calls = [one_call(graph) for graph in connected]
    claimed.exact(calls, counted, label)
    start = (c**n * Nr / Z / y).subs({c: 2**power, y: 2**-power})
    last = 2 ** (power * (n + 1)) * Nr / Z
    label = "c = 1/y = 2^B: e^BDPL is 2^(B(n+1)) N(4^-B)/Z"
    claimed.decisive().derived(chosen, start, last, label)
    Z_, delta = W / (1 + g), D / (1 + h)
    label = "what one rounded leakage misses Z by"
    claimed.decisive().derived(missed, Z_ - Z_ / (1 + delta), W * D, label)
    m = sp.Symbol("m", positive=True)
    bound = 2 ** (n + m) * 2 ** (n - 2 * power)
    label = "W D for 2B = 2n + m + 2"
    quarter = sp.simplify(bound.subs(power, n + m / 2 + 1))
    claimed.exact(quarter, sp.Rational(1, 4), label)
    shares = [one_share(graph) for graph in connected]
    label = "N(4^-B)/2^m - 1 is at most 2^(n - 2B)"
    claimed.at_most(*map(list, zip(*shares)), label)
    everybody = list(adversaries(8))
    mattering = {(i, component(nx.path_graph(8), i, known)) for i, known in everybody}
    label = "the reason given, on a path of 8: attackers that have to be considered"
    claimed.limit(len(everybody), len(mattering), label)
with claim("Y-B20") as claimed:
    label = "E[y^s] at the left end: n others, c > 1 and y < 1"
    first = (Nr / (c**-n * Nc)) / (Nz / Nc)
    claimed.decisive("proved").derived(left_end, first, c**n * Nr / Nz, label)
    other = ((c / y) ** n * Nr / Nc) / ((c * y) ** -n * Nz / (c**-n * Nc))
    label = "the right end gives the same"
    claimed.decisive("proved").derived(right_end, other, left_end.last, label)
    leaks, formula = [], []
    for graph in connected:
        for c_, y_ in ((Fraction(3, 2), Fraction(1, 3)), (5, Fraction(9, 10))):
            scale = -1 / np.log(float(y_))
            field = attacked(graph, Fraction(c_))
            leaks.append(field.leakage(len(graph), scale=scale))
            formula.append(np.log(float(factor(graph, Fraction(c_), y_))))
    label = f"{len(connected)} connected graphs, two c and y: leakage, all databases"
    claimed.decisive("sampled").close(leaks, formula, label, rtol=1e-11)
    label = "Petersen graph, c = 1/y = 2^19"
    claimed.close(*petersen_leakage, label, rtol=1e-14)
    label = f"{len(few)} connected graphs, n ≤ 4: Z at moderate noise"
    found = [interpolated(graph) for graph in few]
    by_list = [sum(magnet(graph)) for graph in few]
    claimed.decisive("exhaustive").exact(found, by_list, label)

# %% [markdown]
# So the paper is right about the difficulty and not about its reason. It also follows where an algorithm can hope: to
# get the law of a sum for networks that are not like magnets in general.
#
# ## Which attackers matter?
#
# Before the law, the attackers. On a chain only intervals of unknown tuples matter. What takes the place of an interval
# on a graph? Let $C$ be the component of the target in what the attacker does not know: $i$, the unknown friends of
# $i$, their unknown friends, and so on.
#
# ````{prf:theorem} Only connected sets with a known boundary
# :label: thm-08-connected
# For every release *sum plus independent noise*, $\mathcal{A}(i, \mathcal{K})$ leaks at most what
# $\mathcal{A}(i, V \setminus C)$ does, who knows everybody outside $C$; and that leakage depends only on the laws within
# $C$ and on the values of the known neighbours of $C$.
# ````
#
# *Proof.* Given $x_{\mathcal{K}}$, the unknown tuples outside $C$ are independent of those in $C$, since every path between
# them runs through $\mathcal{K}$. So for each value of $x_i$ the output is $s_C$ plus noise, to which the sum of the others
# is added, with a law that $x_i$ does not change. Adding independent noise cannot raise a ratio: where every density of
# $s_C$ plus noise is at most $R$ times the other, so is every mixture of them.

# %% jupyter={"source_hidden": true} tags=["evidence"]
q1, q2, b1, b2, g1, g2, R = sp.symbols("q_1 q_2 b_1 b_2 g_1 g_2 R", positive=True)
mixed = (
    derivation(q1 * (R * b1 - g1) + q2 * (R * b2 - g2), of="q_1 a_1 + q_2 a_2")
    .at_most(q1 * R * b1 + q2 * R * b2, "$a_k = R b_k - g_k$, $g_k \\ge 0$")
    .equal(R * (q1 * b1 + q2 * b2), "collect $R$")
)
mixed

# %% [markdown]
# And whatever $x_{V \setminus C}$ is, $\mathcal{A}(i, V \setminus C)$ compares just these densities of $s_C$ plus noise,
# shifted. ∎
#
# So only connected sets $C$ have to be tried, each with each of its members as the target. A path of $n$ has $n(n+1)/2$
# of them, its intervals; a cycle $n(n - 1) + 1$; but a star $2^{n-1} + n - 1$, and where everybody knows everybody
# nothing is gained. Which of them is the worst? A ring of eight who turn round with chance 1/10 from friend to friend,
# under less and less noise:

# %%
eight = MarkovRandomField({(i, (i + 1) % 8): [[9, 1], [1, 9]] for i in range(8)})
noises = [1, 0.5, 0.2, 0.1]
worst = [eight.worst_adversary(scale=scale) for scale in noises]

# %% jupyter={"source_hidden": true} tags=["set-up"]
weak = [eight.leakage(0, scale=scale) for scale in noises]
table(
    {"scale λ": noises,
     "worst attacker knows": [len(w.adversary.known) for w in worst],
     "it learns": [w.leakage for w in worst], "a weak one": weak,
     "a strong one": [1 / scale for scale in noises]},
    formats={"it learns": ".3f", "a weak one": ".3f", "a strong one": "g"},
    caption="A ring of eight: leakage in nats.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The worst attacker of a ring of eight. Star: the target. Filled: what the attacker does not know, a connected set around the target. Empty: known. The less noise, the more the worst attacker knows: from \u03bb = 0.5 on it is neither a weak nor a strong one.", "name": "fig-08-ring"}, "image": {"alt": "Four rings of eight dots for falling noise. With scale 1 all are unknown; with 0.5 the dot opposite the target is known; with 0.2 the three opposite ones; with 0.1 five are known and only the two neighbours of the target are not."}} tags=["figure"]
fig, axes = plots.panels(2, 2, width=5.6, height=5.4)
angles = np.pi / 2 + np.arange(8) * np.pi / 4
closed = np.append(angles, angles[0])
blue = plots.COLOURS["blue"]
for axis, scale, found in zip(axes.flat, noises, worst):
    i, known = found.adversary
    axis.plot(np.cos(closed), np.sin(closed), color="#7f7f7f", lw=1, ls="-", zorder=0)
    for j in range(8):
        at = angles[(j - i) % 8]
        axis.scatter(np.cos(at), np.sin(at), s=230 if j == i else 110, zorder=2,
                     marker="*" if j == i else "o", edgecolors=blue,
                     facecolors="none" if j in known else blue)  # fmt: skip
        if j in known:
            axis.scatter(np.cos(at), np.sin(at), s=60, color="white", zorder=1)
    axis.set(title=f"λ = {scale:g}: {found.leakage:.2f}", aspect="equal",
             xlim=(-1.3, 1.3), ylim=(-1.3, 1.3))  # fmt: skip
    axis.axis("off")
plt.show()


# %% [markdown]
# With much noise it is best to know nobody: all eight move together. With little noise a rare output decides: many ones
# among people who are expected to have zeros. Known zeros around them make it rarer. Take the two unknown neighbours at $\lambda = 0.1$. Between a target that
# has a one and a known zero a neighbour is a fair coin; between a target that has none and a known zero it is a one
# with chance 1/82. Two ones are therefore $41^2$ times likelier in the first case, which makes 17.43<!-- {n_08_coins:.2f} -->
# with the target's own step. (The table has 0.01 less: the same output comes now and
# then from fewer ones and more noise, which takes off about $160\,e^{-10}.$)
#
# That is a ring. On a star of eight, with the same odds, the worst attacker stays the weak one of the centre at all four scales: given the centre the leaves are independent, and each
# unknown one adds to what the attacker learns ({ref}`exercise <ex-08-star>`).


# %% jupyter={"source_hidden": true} tags=["evidence"]
def random_field(graph, rng, values):
    """Potentials of every tuple and every tie, drawn from values, and the weight of each database."""
    n = len(graph)
    scopes = [(i,) for i in graph] + list(graph.edges)
    factors = {s: rng.choice(values, [2] * len(s)).astype(object) for s in scopes}
    x = np.indices([2] * n)
    weight = np.ones([2] * n, dtype=object)
    for s, potential in factors.items():
        weight = weight * potential[tuple(x[j] for j in s)]
    return MarkovRandomField(factors), weight


def leakage_by_sums(joint, i, known, scale):
    """Largest log ratio of the output densities, tried at every value of the sum."""
    n = joint.ndim
    outputs = np.arange(n + 1)
    largest = 0
    for values in product((0, 1), repeat=len(known)):
        density = np.zeros((2, n + 1))
        mass = np.zeros(2)
        for x in product((0, 1), repeat=n):
            if all(x[j] == value for j, value in zip(known, values)):
                density[x[i]] += joint[x] * np.exp(-abs(outputs - sum(x)) / scale)
                mass[x[i]] += joint[x]
        log_density = np.log(density / mass[:, None])
        largest = max(largest, abs(log_density[1] - log_density[0]).max())
    return largest


up_to_five = [g for g in atlas if len(g) <= 5]
wide_rng = np.random.default_rng(21)
small, own_bound, bound, best = [], [], [], []
for graph in up_to_five:
    field, weight = random_field(graph, wide_rng, [1, 10, 100, 1000])
    joint = (weight / weight.sum()).astype(float)
    for scale in (0.05, 0.2, 1.0):
        leaks, bounds = [], {}  # bounds: by the sums, by the package
        for i, known in adversaries(len(graph)):
            leaks.append(leakage_by_sums(joint, i, known, scale))
            outside = tuple(sorted(set(graph) - component(graph, i, known)))
            if (i, outside) not in bounds:
                summed = leakage_by_sums(joint, i, outside, scale)
                bounds[i, outside] = summed, field.leakage(i, outside, scale=scale)
            own_bound.append(bounds[i, outside][0])
            bound.append(bounds[i, outside][1])
        small += leaks
        best.append([field.worst_adversary(scale=scale).leakage, max(leaks)])
strict = int((np.array(small) < np.array(own_bound) - 1e-9).sum())
assert strict > 0  # otherwise the inequality would not have been tried

path = {(i, i + 1): [[5, 1], [1, 5]] for i in range(6)}
beyond = {(0, 7): [[1, 9], [3, 1]], (6, 7): [[2, 1], [7, 1]]}
near, far = MarkovRandomField(path), MarkovRandomField(path | beyond)
with claim("Y-B21") as claimed:
    mixture = q1 * (R * b1 - g1) + q2 * (R * b2 - g2)
    label = "a mixture of two keeps the largest ratio"
    claimed.decisive("proved").derived(mixed, mixture, R * (q1 * b1 + q2 * b2), label)
    label = f"graphs with n ≤ 5, sampled potentials, densities summed: {len(small)} attackers"
    claimed.decisive("sampled").at_most(small, own_bound, label, slack=1e-10)
    claimed.close(bound, own_bound, "their bound, by the package", rtol=1e-10)
    label = "and the worst of all is found among connected sets"
    claimed.decisive("sampled").close(*np.array(best).T, label, rtol=1e-10)
    label = "path of 7, ends known: two more ties beyond the boundary"
    within = near.leakage(3, [0, 6], scale=1)
    claimed.close(within, far.leakage(3, [0, 6, 7], scale=1), label, rtol=1e-12)
open_ends = near.leakage(3, scale=1), far.leakage(3, scale=1)
assert not np.isclose(*open_ends)  # unless the ends are known

shapes = [len(found.adversary.known) for found in worst]
opposite = [
    {(i + k) % 8 for k in range(4 - r, 5 + r)}
    for r, (i, _) in zip((0, 1, 2), (w.adversary for w in worst[1:]))
]
assert shapes == [0, 1, 3, 5]
assert [set(w.adversary.known) for w in worst[1:]] == opposite
coins = 10 + 2 * np.log(41)
assert abs(coins - worst[3].leakage) < 0.01
assert abs(coins - 160 * np.exp(-10) - worst[3].leakage) < 1e-3
star = MarkovRandomField({(0, j): [[9, 1], [1, 9]] for j in range(1, 8)})
centre = [star.worst_adversary(scale=scale) for scale in noises]
assert all(found.adversary == (0, ()) for found in centre)
low = np.exp(-1 / np.array(noises))
by_leaves = 7 * np.log((9 + low) / (1 + 9 * low)) - np.log(low)
assert np.allclose([found.leakage for found in centre], by_leaves)
n_08_coins = float(coins)

# %% [markdown]
# ## Polynomials on a tree
#
# Now the law itself. Take a path and sum out its tuples from the far end. What we hand on is, for each value of the
# tuple that is still to come, not a number but a polynomial, whose coefficients are the weights of the sums so far:
#
# $$ F_j(x_j; z) = z^{v_j(x_j)} \sum_{x_{j+1}} \psi(x_j, x_{j+1})\, F_{j+1}(x_{j+1}; z). $$
#
# Where branches meet, polynomials multiply. At the target, the coefficients of $F_i(x_i; z)$ are the law that is
# wanted: exact, if the potentials are integers or fractions. On a tree that takes two polynomials a tuple. On other
# graphs several tuples have to be kept open at a time, and the table has a polynomial for each combination of their
# values. (Two polynomials a tuple would do on a tree; our code also keeps the target open all the way, for any graph, which
# makes it four.) How many is a number of the graph, its *treewidth* $w$: 1 for a tree, 2 for a cycle, the width of a grid,
# $n - 1$ where everybody knows everybody.
#
# ````{prf:theorem} Small treewidth
# :label: thm-08-treewidth
# If the unknown tuples have treewidth $w$ and together with the target touch $b$ known ones, the exact leakage of one attacker of $n$
# tuples with $k$ values takes $O(n\, k^{w + 2 + b})$ polynomials, of a degree of at most the range of the query: one axis for each of
# $w + 1$ unknown tuples, for the target, and for each known neighbour.
# ````
#
# None of the parts is new. Summing out along a tree decomposition is classical {cite:p}`lauritzen1988local`; exact inference for a tree and a
# function of the sum is in {cite:t}`tarlow2012fast`; {cite:t}`noble2009evaluating` evaluates a large family of graph polynomials at bounded
# treewidth. What we add is what the leakage asks for: the ratio, and a maximum over the known neighbours. Here are a tree of a thousand people
# and a grid of 8 times 40.

# %%
tree = nx.random_labeled_tree(1000, seed=1)
grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(40, 8))
big = {"tree": tree, "grid": grid}
fields = {name: MarkovRandomField(dict.fromkeys(g.edges, alike)) for name, g in big.items()}
large = {name: field.leakage(0, scale=10) for name, field in fields.items()}
for name, value in large.items():
    print(f"{name}: {len(big[name])} people, A(0, nobody) learns {value:.6f}")


# %% [markdown]
# There are $2^{1000}$ databases behind the first number. We check it without polynomials: the law of the sum is the Fourier
# transform of $\mathrm{E}[z^s \mid x_i]$ on a circle, and for one number $z$ that is one number for each value and tuple on the
# tree, and a product of matrices on the grid. Two circles, of the radii $e^{\pm 1/\lambda}$, give the densities at all outputs
# to eleven digits. On graphs of up to five tuples all databases are gone through.


# %% jupyter={"source_hidden": true} tags=["evidence"]
def on_the_tree(z):
    """E[z^s | x_0], up to one factor: two numbers a tuple, for each z."""
    found = {j: np.array([np.ones_like(z), z]) for j in tree}
    for parent, child in reversed(list(nx.dfs_edges(tree, 0))):
        found[parent] = found[parent] * (np.array(alike) / 5 @ found[child])
    return found[0]


def on_the_grid(z, width=8, length=40):
    """The same, from row to row; tuple 0 is a corner."""
    states = np.array(list(product((0, 1), repeat=width)))
    pair = np.array(alike) / 5
    across = pair[states[:, None], states[None]].prod(axis=2)
    within = pair[states[:, :-1], states[:, 1:]].prod(axis=1)
    row = within[:, None] * z ** states.sum(axis=1)[:, None]
    vector = row
    for _ in range(length - 1):
        vector = row * (across @ vector)
    return np.array([vector[states[:, 0] == a].sum(axis=0) for a in (0, 1)])


def by_circles(transform, n, scale):
    """Largest log ratio of the densities at the outputs 0, ..., n."""
    turns = np.exp(2j * np.pi * np.arange(n + 1) / (n + 1))
    mass, t, logs, precise = transform(np.ones(1)), np.arange(n + 1), [], []
    for sign in (-1, 1):  # on the circle of radius e^(± 1/λ): Pr(s) e^(± s/λ)
        law = np.fft.fft(transform(np.exp(sign / scale) * turns) / mass).real
        seen = law @ np.minimum(1, np.exp(2 * sign * (t - t[:, None]) / scale))
        precise.append(seen / law.sum(axis=1, keepdims=True))  # where not small
        logs.append(np.log(np.maximum(seen, 1e-300)) - sign * t / scale)
    ratio = np.diff(np.where(precise[0] > precise[1], *logs), axis=0)
    return np.abs(ratio).max()


def enumerated(weight, i, values):
    """Joint law of target and sum from the list of all databases, in fractions."""
    found = {}
    for x, w in np.ndenumerate(weight):
        if all(x[j] == value for j, value in values.items()):
            found[x[i], sum(x)] = found.get((x[i], sum(x)), 0) + Fraction(int(w))
    whole = sum(found.values())
    return {cell: w / whole for cell, w in found.items() if w}


laws, lists, ours, theirs = [], [], [], []
for graph in up_to_five:
    field, weight = random_field(graph, rng, range(1, 9))
    i = int(rng.integers(len(graph)))
    known = [j for j in graph if j != i and rng.random() < 0.3]
    values = {j: int(rng.integers(2)) for j in known}
    levels, law = field.joint_distribution(i, values)
    rows = [(a, int(s), p) for a in (0, 1) for s, p in zip(levels, law[a]) if p]
    laws.append({(a, s): p for a, s, p in rows})
    lists.append(enumerated(weight, i, values))
    ours.append(field.leakage(i, known, scale=1.5))
    finite = FiniteDistribution((weight / weight.sum()).astype(float))
    theirs.append(finite.leakage(i, known, scale=1.5))
circles = [by_circles(on_the_tree, 1000, 10), by_circles(on_the_grid, 320, 10)]
with claim("Y-B22") as claimed:
    label = f"all {len(up_to_five)} graphs with n ≤ 5, sampled potentials: the law"
    claimed.decisive("sampled").exact(laws, lists, label)
    label = "and the leakage, every database gone through"
    claimed.decisive("sampled").close(ours, theirs, label, rtol=1e-11)
    label = "tree of 1,000 and grid of 8 × 40: all outputs, by Fourier transforms"
    claimed.decisive("one example").close(list(large.values()), circles, label, rtol=1e-9)

# %% [markdown]
# ## The map
#
# How far does it carry? Seconds depend on the machine; we count what the algorithm adds for one weak attacker, with ties of
# uneven strength. The table
# has the largest network of each family, and how the count grows from the second largest:

# %% jupyter={"source_hidden": true} tags=["set-up"]
uneven = np.random.default_rng(5)  # no two ties alike


def additions(graph):
    """Numbers that are added for one weak attacker."""
    graph = nx.convert_node_labels_to_integers(graph)
    field = MarkovRandomField({tie: uneven.integers(1, 9, (2, 2)) for tie in graph.edges})
    return field.additions(0)


def grids(width):
    return [nx.grid_2d_graph(width, length) for length in (10, 20, 40)]


families = {
    "path": [nx.path_graph(n) for n in (250, 500, 1000)],
    "tree": [nx.random_labeled_tree(n, seed=1) for n in (250, 500)] + [tree],
    "cycle": [nx.cycle_graph(n) for n in (250, 500, 1000)],
    "grid, width 2": grids(2),
    "grid, width 4": grids(4),
    "grid, width 8": grids(8),
    "square": [nx.grid_2d_graph(n, n) for n in range(3, 10)],
    "complete": [nx.complete_graph(n) for n in range(6, 17)],
}
sizes = {name: np.array([*map(len, graphs)]) for name, graphs in families.items()}
counts = {name: np.array([additions(g) for g in graphs])
          for name, graphs in families.items()}  # fmt: skip
slopes = {}
for name, c_n in counts.items():
    more = np.log(c_n[-1] / c_n[-2])
    slopes[name] = more / np.log(sizes[name][-1] / sizes[name][-2])

# %% jupyter={"source_hidden": true} tags=["set-up"]
width = {name: treewidth_min_fill_in(g[-1])[0] for name, g in families.items()}
grown = {"square": "exponential in the side", "complete": "doubles with each tuple"}
table(
    {"network": list(families), "tuples": [int(n[-1]) for n in sizes.values()],
     "width": list(width.values()),
     "additions": [int(c[-1]) for c in counts.values()],
     "growth": [grown.get(name, f"$n^{{{slopes[name]:.1f}}}$") for name in families]},
    formats={"additions": ","},
    caption="What one weak attacker costs our algorithm (target: tuple 0). Width: of "
    "the tree decomposition that a rule of thumb finds; treewidth may be smaller.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Additions for one weak attacker. With a fixed width the number of tuples enters squared (thin line: slope 2), since there are as many polynomials as tuples and their degree grows as well; the width decides how high the line lies. Square grids bend upwards, but unevenly: for sides 7, 8 and 9 the rule of thumb finds decompositions of width 8, 10 and 11. Where everybody knows everybody a tuple doubles the work of our algorithm. The cycle of the table would lie on the path and is not drawn.", "name": "fig-08-map"}, "image": {"alt": "Additions against the number of tuples, both axes logarithmic. Path, tree and grids of width 2, 4 and 8 are parallel to a line of slope 2, one above the other; square grids bend upwards, with a flatter last step, the complete graph is the steepest."}} tags=["figure"]
fig, axis = plt.subplots(figsize=(6.4, 4.2))
colours = [plots.COLOURS[c] for c in ("blue", "green", "gold", "orange", "purple")]
drawn = ["path", "tree", "grid, width 2", "grid, width 4", "grid, width 8"]
for name, colour in zip(drawn, colours):
    axis.loglog(sizes[name], counts[name], "-o", color=colour, ms=4, label=name)
for name, style in (("square", "--s"), ("complete", ":^")):
    axis.loglog(sizes[name], counts[name], style, color="#000000", ms=6, label=name,
                mfc="none")  # fmt: skip
guide = np.array([20, 1000])
axis.loglog(guide, 0.8 * guide**2, color="#888888", lw=0.8, ls="-")
axis.set(xlabel="tuples n", ylabel="additions")
axis.legend(fontsize=8)
plt.show()


# %% [markdown]
# The last row is about our algorithm, not about all. Were all ties alike, the tuples could be exchanged, only the number of
# ones would matter, and $n + 1$ numbers would do in place of $2^n$: forty people who all know each other would be easy. (With one
# strength for all ties $N$ is polynomial wherever the *clique-width* is bounded {cite:p}`kotek2012complexity`, and a complete
# graph has a small one.) With ties of all strengths we know no fast way.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def by_ones(n, scale):
    """Leakage where everybody knows everybody and all ties are `alike`."""
    k, t = np.arange(n), np.arange(n + 1)  # ones among the others; outputs
    chosen, seen = np.array([comb(n - 1, j) for j in range(n)], float), []
    for ones in (k, k + 1):
        zeros = n - ones
        agree = (ones * (ones - 1) + zeros * (zeros - 1)) / 2
        law = chosen * 3**agree * 2.0 ** (ones * zeros)
        kernel = np.exp(-np.abs(t[:, None] - ones) / scale)
        seen.append(np.log(kernel @ (law / law.sum())))
    return np.ptp(seen, axis=0).max()


short, full = range(2, 40), range(3, 13)
with claim("Y-B23") as claimed:
    by_path = [additions(nx.path_graph(n)) for n in short]
    label = "paths of 2 to 39: 8n² − 6n + 2 additions"
    formula = [8 * n * n - 6 * n + 2 for n in short]
    claimed.decisive("exhaustive").exact(by_path, formula, label)
    by_all = [additions(nx.complete_graph(n)) for n in full]
    label = "complete graphs of 3 to 12: 11·2ⁿ − 6n − 10 additions"
    doubling = [11 * 2**n - 6 * n - 10 for n in full]
    claimed.decisive("exhaustive").exact(by_all, doubling, label)
    everyone = [MarkovRandomField(dict.fromkeys(nx.complete_graph(n).edges, alike))
                for n in (8, 12)]  # fmt: skip
    label = "8 and 12 people, all ties alike: by the number of ones"
    leaks = [field.leakage(0, scale=10) for field in everyone]
    claimed.close([by_ones(8, 10), by_ones(12, 10)], leaks, label, rtol=1e-11)
    label = "tree, cycle, grids of width 2, 4, 8: last exponents"
    named = ["tree", "cycle", "grid, width 2", "grid, width 4", "grid, width 8"]
    claimed.decisive("sampled").close([slopes[k] for k in named], 2, label, rtol=0.07)
pointwise = [counts[name][1:] > counts[name][:-1] for name in families]
assert all(map(np.all, pointwise))
bends = np.diff(np.log(counts["square"])) / np.diff(np.log(sizes["square"]))
assert bends[:3].mean() < bends[-3:].mean()  # as the caption says
assert slopes["complete"] > 10
rule = [treewidth_min_fill_in(g)[0] for g in families["square"]]
assert rule == [3, 4, 5, 6, 8, 10, 11] and bends.argmax() == 4  # from 7 to 8
assert np.allclose(counts["cycle"], counts["path"], rtol=1e-3)

# %% [markdown]
# ## Where it stops
#
# Three things that the map does not show.
#
# **The boundary sits in the exponent.** A known tuple next to an unknown one doubles the table, since the leakage is a
# maximum over its value as well. For a long unknown path on which everybody has one known friend that is $2^n$,
# although with the values *given* it would be easy (`joint_distribution` does that). To maximise one such sum over some of the values is
# NP-hard on polytrees {cite:p}`park2004complexity` and even on trees, but can be approximated as well as one likes, in polynomial time, where
# treewidth and number of values are bounded {cite:p}`decampos2010new`. That scheme rounds the few numbers that are handed on. A leakage
# is the ratio of two sums, and between the far ends of the output it hands on whole polynomials; there we know neither a proof of hardness
# nor a better way. {ref}`The research exercise <ex-08-boundary>` shows why the obvious short cut fails.
#
# **Zeros.** All potentials are positive here. With zeros one would first have to know which values of the known tuples
# are possible at all, and that alone can be NP-hard.
#
# **Estimates.** Sampling estimates the law of a sum well, but a leakage is a ratio far out in the tail, where few
# samples fall. What relative error can be promised, and at which cost, is open as far as we know.
#
# **Before us.** That only what is cut off by known tuples matters is the idea of the *Markov quilt*
# {cite:p}`song2017pufferfish`, which bounds the effect of one person on distant ones and sets the noise accordingly;
# there it gives an upper bound for one mechanism, here the exact leakage of every attacker. Bounds for Markov chains
# under Bayesian differential privacy are due to {cite:t}`lange2025balancing`. For positively affiliated data, which attractive ties
# make, {cite:t}`ghosh2017inferential` bound what *any* differentially private mechanism can reveal, and Laplace noise on the sum attains their bound: the query
# that we look at is the worst one. That deciding privacy can be #P-hard is
# known for programs {cite:p}`gaboardi2020complexity` and for optimal composition {cite:p}`murtagh2016complexity`; for
# correlated data we have found no such result.
#
# ## Exercises
#
# ```{exercise-start} A star
# :label: ex-08-star
# ```
# **Warm-up.** The target is the centre of a star with $n$ leaves, tied to each by $\psi(x_i, x_j) = c^{(2x_i-1)x_j}$,
# and the leaves have no other ties. What does the weak attacker learn? What for $c \to \infty$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("08-star", ...)

# %% [markdown]
# ```{solution-start} ex-08-star
# :class: dropdown
# ```
# Without ties among the others all weights are 1, so $N(z) = (1 + z)^n$ and
# $e^{\mathrm{BDPL}} = \frac1y \left(\frac{c + y}{1 + cy}\right)^n$. For $c \to \infty$ each leaf copies the target: $y^{-(n+1)}$, which is $n + 1$ times
# $1/\lambda$ in nats.

# %% jupyter={"source_hidden": true} tags=["evidence"]
leaves, strength, scale_ = sp.symbols("n c lam", positive=True)
each = (strength + sp.exp(-1 / scale_)) / (1 + strength * sp.exp(-1 / scale_))
on_star = 1 / scale_ + leaves * sp.log(each)
star = {(0, j): [[1, Fraction(1, 4)], [1, 4]] for j in range(1, 6)}
learned = float(on_star.subs({leaves: 5, strength: 4, scale_: 2}))
assert np.isclose(MarkovRandomField(star).leakage(0, scale=2), learned, rtol=1e-12)
limit_ = sp.limit((c + y) / (1 + c * y), c, sp.oo)
assert limit_ == 1 / y
check("08-star", (on_star, sp.limit(on_star, strength, sp.oo)))


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A friend who is known
# :label: ex-08-known
# ```
# **Standard.** In a tree the attacker knows a friend of the target. Which tuples can be cut off without changing the
# leakage? Does it matter how strong the tie between the two is?
# ```{exercise-end}
# ```


# %% tags=["exercise"]
check("08-known", ...)


# %% [markdown]
# ```{solution-start} ex-08-known
# :class: dropdown
# ```
# Everybody behind the known friend, if they are all known, and the tie itself. Given the friend's value, the tie multiplies all weights with
# $x_i = a$ by one factor, which the law *given* $x_i = a$ does not see. Only ties of *unknown* tuples to known ones
# count. Unknown people behind the friend tell nothing about the target, but they blur the sum, and who is known beyond them changes how much. Without all of them the leakage
# is as large or larger.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def with_tie(strength):
    branch = {(0, 1): [[4, 1], [1, 4]], (1, 2): [[4, 1], [1, 4]]}
    behind = {(0, 3): [[strength, 1], [1, strength]], (3, 4): [[7, 2], [1, 3]]}
    return MarkovRandomField(branch | behind)


cut = MarkovRandomField({(0, 1): [[4, 1], [1, 4]], (1, 2): [[4, 1], [1, 4]]})
expected, learned = cut.leakage(0, scale=1), []
for strength in (1, 3, 50):
    found = with_tie(strength).leakage(0, [3, 4], scale=1)
    learned.append(found)
    assert np.isclose(found, expected, rtol=1e-12)
    assert with_tie(strength).leakage(0, [3], scale=1) <= found + 1e-12
assert not np.isclose(with_tie(50).leakage(0, scale=1), expected)
seldom = {(0, 1): [[1, 50], [1, 1]], (1, 2): [[50, 1], [1, 50]]}
blurring = seldom | {(0, 3): [[2, 1], [1, 2]], (3, 4): [[1, 1], [1, 1]]}
blurred = MarkovRandomField(blurring).leakage(0, [3], scale=1)  # 4 is unknown
assert blurred < 0.5 < 0.9 < MarkovRandomField(seldom).leakage(0, scale=1)
check("08-known", "no" if np.ptp(learned) < 1e-9 else "yes")

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A ladder
# :label: ex-08-ladder
# ```
# **Standard.** Eight people on a ladder of 2 times 4, friends equal with odds 9 to 1. How many connected sets are
# there, and how many people does the worst attacker know at $\lambda = 1$? And at $\lambda = 0.1$, at least?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("08-ladder", ...)

# %% [markdown]
# ```{solution-start} ex-08-ladder
# :class: dropdown
# ```
# Of the 255 non-empty sets 108<!-- {n_08_ladder_sets} --> are connected. At $\lambda = 1$ the worst attacker knows
# 0<!-- {n_08_ladder_one} --> people. At $\lambda = 0.1$ the search names one who knows 4<!-- {n_08_ladder_tenth} -->: about person 1,
# numbered as in the code, people 3, 4, 6 and 7. But 3 and 6 are all the friends of 7 and screen 7 off. So who knows 3, 4 and 6 learns
# exactly as much (rounding decides which of the two is named), and 3 is the least number. It is the same as on the ring: less noise, more knowledge.

# %% jupyter={"source_hidden": true} tags=["evidence"]
ladder = nx.convert_node_labels_to_integers(nx.ladder_graph(4))
steps = MarkovRandomField({tie: [[9, 1], [1, 9]] for tie in ladder.edges})
subsets = [s for s in product((0, 1), repeat=8) if any(s)]
chosen = [ladder.subgraph(np.flatnonzero(s).tolist()) for s in subsets]
joined = [nx.is_connected(part) for part in chosen]
known_at = {scale: steps.worst_adversary(scale=scale) for scale in (1, 0.1)}
numbers = [len(found.adversary.known) for found in known_at.values()]
worst, enough = known_at[0.1], []
target, known_people = worst.adversary
for size in range(len(known_people) + 1):
    for known in combinations(known_people, size):
        if steps.leakage(target, known, scale=0.1) > worst.leakage - 1e-9:
            enough.append(size)  # as much as the worst attacker
check("08-ladder", (sum(joined), numbers[0], min(enough)))
assert len(subsets) == 255 and numbers[0] < numbers[1]
n_08_ladder_sets = sum(joined)
n_08_ladder_one = numbers[0]
n_08_ladder_tenth = numbers[1]

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The worst boundary
# :label: ex-08-boundary
# ```
# **Research.** On a path of unknown people everybody has one known friend. If ties are friendly, is the worst boundary
# one in which all known friends agree? Then two boundaries would do in place of $2^n$. Try a path of five that is
# attacked in the middle, with equal odds 3 to 1 along the path and 2 to 1 to the known friends. Is a boundary in which
# they all agree among the worst, or one in which they alternate, or neither: at $\lambda = 3$, and at $\lambda = 0.1$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("08-boundary", ...)

# %% [markdown]
# ```{solution-start} ex-08-boundary
# :class: dropdown
# ```
# No. With equal odds 3 to 1 along the path, 2 to 1 to the known friends and $\lambda = 3$ a worst boundary of a path
# of five, attacked in the middle, *alternates*. (The target's own friend does not count.) Unknown people who are pulled one way by everybody are settled before
# the target speaks; those who are pulled both ways listen to it. With much noise that is what counts. With little noise
# it is agreement again. Is there a rule that finds the worst boundary fast? We do not know.

# %% jupyter={"source_hidden": true} tags=["evidence"]
spine = {(i, i + 1): [[3, 1], [1, 3]] for i in range(4)}
caterpillar = MarkovRandomField(spine | {(i, 5 + i): [[2, 1], [1, 2]] for i in range(5)})


def given(values, scale):
    """Largest log ratio for one boundary, from the law of target and sum."""
    levels, law = caterpillar.joint_distribution(2, dict(zip(range(5, 10), values)))
    rows = law.astype(float) / law.sum(axis=1, keepdims=True).astype(float)
    seen = np.log(rows @ np.exp(-np.abs(levels[:, None] - levels) / scale))
    return np.abs(seen[1] - seen[0]).max()


boundaries, behaviour = list(product((0, 1), repeat=5)), []
for scale, alternate in ((3, True), (0.1, False)):
    leaks = {values: given(values, scale) for values in boundaries}
    top = max(leaks.values())
    assert np.isclose(top, caterpillar.leakage(2, range(5, 10), scale=scale))
    agreeing = max(leaks[(a,) * 5] for a in (0, 1))
    changing = leaks[0, 1, 0, 1, 0]
    assert np.isclose(top, changing if alternate else agreeing)
    turns = "alternate" if np.isclose(top, changing) else "neither"
    behaviour.append("agree" if np.isclose(top, agreeing) else turns)
    assert not np.isclose(changing, agreeing)
check("08-boundary", behaviour)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The number of attackers is not the difficulty. One weak attacker of binary data with friendly ties is #P-hard to
#   compute: a single leakage, rounded, is the partition function of a magnet.
# - Only connected unknown sets with a known boundary matter. On the ring and on the ladder, with little noise, the worst attacker is neither weak nor
#   strong; on a star of eight friends it stays the weak attacker of the centre.
# - Polynomials that are passed along a tree decomposition give exact leakages; with a fixed width the cost grows with
#   the square of the number of tuples. The weak attacker of a thousand people on a tree is easy; for forty who all know each other, with ties of all
#   strengths, we know no fast way.
# - Known neighbours sit in the exponent, and nobody has shown whether they must.
#
# **Next:** if the leakage is known, what is the least error at which the question can be answered?
# [The cheapest private answer](correlated-minimum-error-release.ipynb).
