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
# # Evidence: When is leakage hard to compute?
#
# One claim of the paper, on what is hard, and four claims beyond it, whose sources the ledger names. Nothing is hidden. The story is told in [the research note of the same name](../../research/correlated-what-is-hard.ipynb).

# %%
from fractions import Fraction
from itertools import product

import networkx as nx
import numpy as np
import sympy as sp

from privlib.correlated import FiniteDistribution
from privlib.correlated.adversary import adversaries
from privlib.notebook import claim, derivation
from privlib.research.markov_random_field import MarkovRandomField

rng = np.random.default_rng(8)
small_graphs = [graph for graph in nx.graph_atlas_g()[1:] if len(graph) <= 5]
connected = [graph for graph in small_graphs if len(graph) >= 2 and nx.is_connected(graph)]
alike = [[3, 2], [2, 3]]


def ising_weights(graph):
    """N_0, ..., N_n: total weight of the databases with k ones, from the list of all databases."""
    weights = [0] * (len(graph) + 1)
    for x in product((0, 1), repeat=len(graph)):
        equal_ends = sum(x[u] == x[v] for u, v in graph.edges)
        weights[sum(x)] += 2**equal_ends
    return weights


def evaluate(weights, z):
    return sum(weight * z**k for k, weight in enumerate(weights))


def with_target(graph, c):
    """The Ising model with one more tuple, the target, linked to all others."""
    target = len(graph)
    potentials = {link: [[2, 1], [1, 2]] for link in graph.edges}
    for j in graph:
        potentials[target, j] = [[1, 1 / c], [1, c]]
    return MarkovRandomField(potentials)


def component(graph, i, known):
    """The target's connected component in what the attacker does not know."""
    return frozenset(nx.node_connected_component(graph.subgraph(set(graph) - set(known)), i))


# %% [markdown]
# ## Y-B20 (the closed form)
#
# *Tuples with the weights* $2^{\text{links with equal ends}}$*, all linked to a target by* $c^{(2x_i-1)x_j}$*: with* $y = e^{-1/\lambda}$ *the weak attacker of the target has* $e^{\mathrm{BDPL}} = \frac{c^n}{y}\frac{N(y/c)}{N(cy)}$*. So one leakage determines the partition function* $N(1)$*, and at moderate noise* $n$ *of them do.*
#
# **Algebra at both ends.** The note proves that the ratio of the densities is most extreme far out. There it is a ratio of values of $N$. With $N(1/c) = c^{-n}N(c)$, $N(c/y) = (c/y)^n N(y/c)$ and $N(1/(cy)) = (cy)^{-n} N(cy)$ both ends give the same:

# %%
c_, y, n = sp.symbols("c y n", positive=True)
N_ratio, N_product, N_c = sp.symbols("N_r N_z N_c", positive=True)  # N(y/c), N(cy), N(c)
names = {N_ratio: r"N\!\left(\tfrac yc\right)", N_product: "N(cy)", N_c: "N(c)"}
together = sp.UnevaluatedExpr

left_first = (N_ratio / (c_**-n * N_c)) * (N_c / N_product)
left_end = derivation(
    together(N_ratio / (c_**-n * N_c)) * together(N_c / N_product),
    names=names,
    of=r"\frac{\mathrm{E}[y^s \mid x_i = 0]}{\mathrm{E}[y^s \mid x_i = 1]}",
).equal(c_**n * N_ratio / N_product, "cancel $N(c)$")
left_end

# %%
right_first = ((c_ / y) ** n * N_ratio / N_c) * (c_**-n * N_c * (c_ * y) ** n / N_product)
right_end = derivation(
    together((c_ / y) ** n * N_ratio / N_c) * together(c_**-n * N_c * (c_ * y) ** n / N_product),
    names=names,
    of=r"\frac{\mathrm{E}[y^{-s} \mid x_i = 1]}{\mathrm{E}[y^{-s} \mid x_i = 0]}",
).equal(c_**n * N_ratio / N_product, "cancel $N(c)$, $c$ and $y$")
right_end


# %% [markdown]
# **Two routes.** The package computes the leakage from polynomials and compares all outputs. The formula takes $N$ from the list of all databases.

# %%
def by_formula(graph, c, y):
    """The right side of the formula, in fractions."""
    weights = ising_weights(graph)
    return c ** len(graph) / y * evaluate(weights, y / c) / evaluate(weights, c * y)


leakages, formulas = [], []
for graph in connected:
    for c, y_ in ((Fraction(3, 2), Fraction(1, 3)), (Fraction(5), Fraction(9, 10))):
        scale = -1 / np.log(float(y_))
        leakages.append(with_target(graph, c).leakage(len(graph), scale=scale))
        formulas.append(np.log(float(by_formula(graph, c, y_))))

petersen = nx.petersen_graph()
large_c = Fraction(2**19)
of_petersen = with_target(petersen, large_c).leakage(10, scale=1 / np.log(2**19))
petersen_formula = np.log(float(by_formula(petersen, large_c, 1 / large_c)))


# %% [markdown]
# **Moderate noise.** Keep $y/c = \frac14$, and let $cy = v^2$ for $v = 1, \frac98, \frac{10}8, \dots$. The scale is then at least $1/\ln 2$. The leakages give $N(v^2)/N(\frac14)$; with the point $\frac14$ itself these are $n + 1$ values of a polynomial of degree $n$. Its value at 0 is known, $N(0) = 2^m$. Here $e^{\mathrm{BDPL}}$ is computed as a fraction, at the left end, from the joint distribution of target and sum.

# %%
def interpolated(graph):
    """Z from n leakages at moderate noise."""
    count = len(graph)
    values = {Fraction(1, 4): Fraction(1)}  # z: N(z) / N(1/4)
    for k in range(count):
        v = 1 + Fraction(k, 8)
        c, y_ = 2 * v, v / 2
        levels, joint = with_target(graph, c).joint_distribution(count)
        means = []
        for row in joint:
            mean = sum(chance * y_ ** int(s) for s, chance in zip(levels, row)) / sum(row)
            means.append(mean)
        leakage_ratio = means[0] / means[1]
        values[v**2] = c**count / y_ / leakage_ratio
    at_zero = 0
    for point, value in values.items():
        term = value
        for other in values:
            if other != point:
                term = term * other / (other - point)
        at_zero += term
    return values[Fraction(1)] / at_zero * 2 ** graph.number_of_edges()


up_to_four = [graph for graph in connected if len(graph) <= 4]
by_interpolation = [interpolated(graph) for graph in up_to_four]

# %%
with claim("Y-B20") as c:
    last = c_**n * N_ratio / N_product
    c.decisive("proved").derived(left_end, left_first, last, "the left end, n others")
    c.decisive("proved").derived(right_end, right_first, last, "the right end gives the same")
    label = f"{len(connected)} connected graphs, two c and y: leakage, formula by all databases"
    c.decisive("sampled").close(leakages, formulas, label, rtol=1e-11)
    c.close(of_petersen, petersen_formula, "Petersen graph, c = 1/y = 2^19", rtol=1e-14)
    label = f"{len(up_to_four)} connected graphs, n ≤ 4: Z at moderate noise"
    partition = [sum(ising_weights(graph)) for graph in up_to_four]
    c.decisive("exhaustive").exact(by_interpolation, partition, label)

# %% [markdown]
# ## Y-5.b-hard (hard in general)
#
# *For Markov random fields in general, Bayesian differential privacy is hard to compute.* Read as: hard as counting (#P-hard), for exact values. That the partition function $Z = N(1)$ is #P-hard is cited; it is twice the value of the Tutte polynomial at (3, 2) for a connected graph, which we check. What is proved is the reduction: for $c = 1/y = 2^B$ with $2B \ge 2n + m + 2$ one leakage, rounded, is $Z$. The paper gives the number of attackers as the reason. This reason does not hold: on a path there are as many attackers, but few have to be considered.
#
# **Algebra.** First the formula with $c = 1/y = 2^B$. Then what $2^{m + B(n+1)} e^{-\mathrm{BDPL}} = Z/(1 + \delta)$ misses: $Z \le W = 2^{n+m}$ is written as $W/(1 + g)$, and $\delta \le D = 2^{n - 2B}$ as $D/(1 + h)$, with $g, h \ge 0$.

# %%
bits, Z = sp.symbols("B Z", positive=True)
chosen_first = (c_**n * N_ratio / N_product / y).subs({c_: 2**bits, y: 2**-bits, N_product: Z})
chosen_last = 2 ** (bits * (n + 1)) * N_ratio / Z
chosen = derivation(chosen_first, names=names, of=r"e^{\mathrm{BDPL}}")
chosen = chosen.equal(chosen_last, "collect powers of two")
chosen

# %%
W, D = sp.symbols("W D", positive=True)
g, h = sp.symbols("g h", nonnegative=True)
Z_below, delta = together(W / (1 + g)), together(D / (1 + h))
missed = (
    derivation(Z_below - Z_below / (1 + delta), of=r"Z - 2^{m + B(n + 1)} e^{-\mathrm{BDPL}}")
    .at_most(Z_below * delta, r"$\delta \ge 0$", by="coefficients")
    .at_most(W * D, r"$g, h \ge 0$", by="coefficients")
)
missed


# %% [markdown]
# **All connected graphs with two to five nodes.** $Z$ from one leakage, from the list of all databases, and from the Tutte polynomial. The target's weak attacker is also compared with all other attackers:

# %%
def tutte_value(graph):
    x, y = sp.symbols("x y")
    return 2 * nx.tutte_polynomial(graph).subs({x: 3, y: 2})


def enough_bits(graph):
    return len(graph) + (graph.number_of_edges() + 3) // 2


rounded, counted, by_tutte, shares, share_bounds, worst, bdp_levels = [], [], [], [], [], [], []
for graph in connected:
    count, links, B = len(graph), graph.number_of_edges(), enough_bits(graph)
    field = with_target(graph, Fraction(2**B))
    scale = 1 / (B * np.log(2))
    leakage = field.leakage(count, scale=scale)
    rounded.append(round(2 ** (links + B * (count + 1) - leakage / np.log(2))))
    counted.append(sum(ising_weights(graph)))
    by_tutte.append(int(tutte_value(graph)))
    share = evaluate(ising_weights(graph), Fraction(1, 4**B)) / 2**links - 1
    shares.append(share)
    share_bounds.append(Fraction(2**count, 4**B))
    worst_case = field.worst_adversary(scale=scale)
    worst.append(tuple(worst_case.adversary))
    bdp_levels.append(worst_case.leakage)
targets = [(len(graph), ()) for graph in connected]

# %% [markdown]
# **The level.** In bits, the target's weak attacker learns at least $(n + 1)B - n$, an attacker who knows a tuple at most $nB$, and a weak attacker of another tuple at most $3B + 2n - 2$ (proved in the note). The first number is the largest for $n \ge 5$ and $B \ge n + 1$: with $n = 5 + q$ and $B = n + 1 + r$ the differences have positive coefficients only. Then the question whether a level is at most $\varepsilon$, asked often, gives $Z$ by bisection.

# %%
q, r = sp.symbols("q r", nonnegative=True)
of_target = (n + 1) * bits - n
coefficients = []
for of_others in (n * bits, 3 * bits + 2 * n - 2):
    difference = (of_target - of_others).subs(bits, n + 1 + r).subs(n, 5 + q)
    coefficients += sp.Poly(sp.expand(difference), q, r).coeffs()
    coefficients.append(difference.subs({q: 0, r: 0}))  # 0 would be left out above


def by_questions(graph, level):
    """Z, if all that we may ask is whether the level is at most a given epsilon."""
    count, links, B = len(graph), graph.number_of_edges(), enough_bits(graph)
    low, high = 1, 2 ** (count + links)
    while low < high:
        middle = (low + high + 1) // 2
        epsilon = (links + B * (count + 1)) * np.log(2) - np.log(middle - 0.5)
        if level <= epsilon:
            low = middle
        else:
            high = middle - 1
    return low


asked = [by_questions(graph, level) for graph, level in zip(connected, bdp_levels)]

# %%
everybody = list(adversaries(8))
to_consider = set()
for i, known in everybody:
    to_consider.add((i, component(nx.path_graph(8), i, known)))

with claim("Y-5.b-hard") as c:
    label = "c = 1/y = 2^B: e^BDPL is 2^(B(n+1)) N(4^-B)/Z"
    c.decisive("proved").derived(chosen, chosen_first, chosen_last, label)
    label = "what one rounded leakage misses Z by"
    missed_first = W / (1 + g) - W / (1 + g) / (1 + D / (1 + h))
    c.decisive("proved").derived(missed, missed_first, W * D, label)
    m = sp.Symbol("m", positive=True)
    product_of_bounds = (2 ** (n + m) * 2 ** (n - 2 * bits)).subs(bits, n + m / 2 + 1)
    label = "W D for 2B = 2n + m + 2"
    c.exact(sp.simplify(product_of_bounds), sp.Rational(1, 4), label)
    label = "the target's weak attacker leads: coefficients, n ≥ 5"
    c.decisive("proved").holds(all(value > 0 for value in coefficients), label)
    c.at_most(shares, share_bounds, "N(4^-B)/2^m - 1 is at most 2^(n - 2B)")
    c.exact(rounded, counted, f"{len(connected)} connected graphs, n ≤ 5: Z from one leakage")
    c.exact(by_tutte, counted, "twice the Tutte polynomial at (3, 2)")
    c.exact(worst, targets, "the worst of all attackers is the target's weak one")
    c.exact(asked, counted, "Z from questions whether the level is at most epsilon")
    label = "the reason given, on a path of 8: attackers that have to be considered"
    c.limit(len(everybody), len(to_consider), label)

# %% [markdown]
# ## Y-B21 (only connected sets)
#
# *With positive potentials and additive noise, an attacker leaks at most what the attacker leaks who knows all tuples outside the target's connected component of the unknown.*
#
# **Algebra.** An average of two densities keeps the largest ratio: $a_k \le R b_k$ is written as $a_k = R b_k - g_k$.

# %%
q1, q2, b1, b2, g1, g2, R = sp.symbols("q_1 q_2 b_1 b_2 g_1 g_2 R", positive=True)
mixture = q1 * (R * b1 - g1) + q2 * (R * b2 - g2)
mixed = (
    derivation(mixture, of="q_1 a_1 + q_2 a_2")
    .at_most(q1 * R * b1 + q2 * R * b2, "$a_k = R b_k - g_k$, $g_k \\ge 0$")
    .equal(R * (q1 * b1 + q2 * b2), "collect $R$")
)
mixed


# %% [markdown]
# **All graphs with up to five nodes, all attackers, random potentials.** Densities are summed over the list of all databases. A second route to the bounds is the package.

# %%
def random_field(graph, rng, values):
    """A potential for every tuple and link, drawn from values; and all weights of databases."""
    count = len(graph)
    index = np.indices([2] * count)
    weight = np.ones([2] * count, dtype=object)
    potentials = {}
    for scope in [(i,) for i in graph] + list(graph.edges):
        potentials[scope] = rng.choice(values, [2] * len(scope)).astype(object)
        weight = weight * potentials[scope][tuple(index[j] for j in scope)]
    return MarkovRandomField(potentials), weight


def leakage_by_sums(joint, i, known, scale):
    """Largest log ratio of the output densities, at every value of the sum."""
    sums = np.arange(joint.ndim + 1)
    noise = np.exp(-abs(sums[:, None] - sums) / scale)
    densities, masses = {}, {}
    for x, chance in np.ndenumerate(joint):
        boundary = tuple(x[j] for j in known)
        if boundary not in densities:
            densities[boundary] = np.zeros((2, joint.ndim + 1))
            masses[boundary] = np.zeros((2, 1))
        densities[boundary][x[i]] += chance * noise[sum(x)]
        masses[boundary][x[i]] += chance
    largest = 0
    for boundary, density in densities.items():
        log_density = np.log(density / masses[boundary])
        largest = max(largest, abs(log_density[1] - log_density[0]).max())
    return largest


# %%
leaks, bounds, package_bounds, worst_pairs = [], [], [], []
draws = np.random.default_rng(21)
for graph in small_graphs:
    field, weight = random_field(graph, draws, [1, 10, 100, 1000])
    joint = (weight / weight.sum()).astype(float)
    for scale in (0.1, 1.0):
        of_component = {}
        of_graph = []
        for i, known in adversaries(len(graph)):
            outside = tuple(sorted(set(graph) - component(graph, i, known)))
            if (i, outside) not in of_component:
                own = leakage_by_sums(joint, i, outside, scale)
                of_component[i, outside] = own, field.leakage(i, outside, scale=scale)
            of_graph.append(leakage_by_sums(joint, i, known, scale))
            bounds.append(of_component[i, outside][0])
            package_bounds.append(of_component[i, outside][1])
        leaks += of_graph
        worst_pairs.append([field.worst_adversary(scale=scale).leakage, max(of_graph)])
strictly_less = int((np.array(leaks) < np.array(bounds) - 1e-9).sum())

# %%
with claim("Y-B21") as c:
    label = "an average of two densities keeps the largest ratio"
    c.decisive("proved").derived(mixed, mixture, R * (q1 * b1 + q2 * b2), label)
    label = f"graphs with n ≤ 5, sampled potentials, densities summed: {len(leaks)} attackers"
    c.decisive("sampled").at_most(leaks, bounds, label, slack=1e-10)
    c.holds(strictly_less > 0, f"{strictly_less} of them leak less than their bound")
    c.close(package_bounds, bounds, "their bounds, by the package", rtol=1e-10)
    label = "the worst of all is among the connected sets"
    by_package, by_all = np.array(worst_pairs).T
    c.decisive("sampled").close(by_package, by_all, label, rtol=1e-10)


# %% [markdown]
# ## Y-B22 (polynomials on a tree decomposition)
#
# *The exact leakage of one attacker by polynomials on a tree decomposition: the same distribution and leakage as by enumeration on all graphs of up to five tuples; for a thousand tuples on a tree and a grid of 8 times 40 the same leakage as by Fourier transforms.*

# %%
def enumerated(weight, i, given):
    """Joint distribution of target and sum from the list of all databases, in fractions."""
    joint = {}
    for x, w in np.ndenumerate(weight):
        if all(x[j] == value for j, value in given.items()):
            joint[x[i], sum(x)] = joint.get((x[i], sum(x)), 0) + Fraction(int(w))
    total = sum(joint.values())
    return {cell: w / total for cell, w in joint.items()}


by_polynomials, by_lists, leakages, of_finite = [], [], [], []
for graph in small_graphs:
    field, weight = random_field(graph, rng, range(1, 9))
    i = int(rng.integers(len(graph)))
    known = [j for j in graph if j != i and rng.random() < 0.3]
    given = {j: int(rng.integers(2)) for j in known}
    levels, distribution = field.joint_distribution(i, given)
    cells = {}
    for a, s in product((0, 1), range(len(levels))):
        if distribution[a, s]:
            cells[a, int(levels[s])] = distribution[a, s]
    by_polynomials.append(cells)
    by_lists.append(enumerated(weight, i, given))
    leakages.append(field.leakage(i, known, scale=1.5))
    finite = FiniteDistribution((weight / weight.sum()).astype(float))
    of_finite.append(finite.leakage(i, known, scale=1.5))

# %% [markdown]
# **A thousand people, without polynomials.** For one complex number $z$, $\mathrm{E}[z^s \mid x_0]$ takes one number for each value and tuple on the tree, and a product of matrices on the grid. Its values on a circle give the distribution of the sum by a Fourier transform. Two circles, of the radii $e^{\pm 1/\lambda}$, give the densities at all outputs precisely.

# %%
tree = nx.random_labeled_tree(1000, seed=1)
grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(40, 8))


def on_the_tree(z):
    """E[z^s | x_0] up to one factor, for an array of z."""
    pair = np.array(alike) / 5
    branch = {j: np.array([np.ones_like(z), z]) for j in tree}
    for parent, child in reversed(list(nx.dfs_edges(tree, 0))):
        branch[parent] = branch[parent] * (pair @ branch[child])
    return branch[0]


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
    corner = states[:, 0]
    return np.array([vector[corner == 0].sum(axis=0), vector[corner == 1].sum(axis=0)])


def by_circles(transform, n, scale):
    """Largest log ratio of the densities at the outputs 0, ..., n."""
    turns = np.exp(2j * np.pi * np.arange(n + 1) / (n + 1))
    mass, t = transform(np.ones(1)), np.arange(n + 1)
    logs, precise = [], []
    for sign in (-1, 1):  # on the circle of radius e^(± 1/λ): Pr(s) e^(± s/λ)
        tilted = np.fft.fft(transform(np.exp(sign / scale) * turns) / mass).real
        seen = tilted @ np.minimum(1, np.exp(2 * sign * (t - t[:, None]) / scale))
        precise.append(seen / tilted.sum(axis=1, keepdims=True))  # where not small
        logs.append(np.log(np.maximum(seen, 1e-300)) - sign * t / scale)
    log_density = np.where(precise[0] > precise[1], logs[0], logs[1])
    return np.abs(log_density[1] - log_density[0]).max()


large = []
for graph in (tree, grid):
    field = MarkovRandomField(dict.fromkeys(graph.edges, alike))
    large.append(field.leakage(0, scale=10))
circles = [by_circles(on_the_tree, 1000, 10), by_circles(on_the_grid, 320, 10)]

# %%
with claim("Y-B22") as c:
    label = f"all {len(small_graphs)} graphs with n ≤ 5, sampled potentials: the distribution"
    c.decisive("sampled").exact(by_polynomials, by_lists, label)
    label = "and the leakage, every database gone through"
    c.decisive("sampled").close(leakages, of_finite, label, rtol=1e-11)
    label = "tree of 1,000 and grid of 8 × 40: all outputs, by Fourier transforms"
    c.decisive("one example").close(large, circles, label, rtol=1e-9)

# %% [markdown]
# ## Y-B23 (how the work grows)
#
# *The additions for one weak attacker grow with the square of the number of tuples on paths, trees, cycles and grids of fixed width, and double with each tuple on complete graphs.* The counts are those of our algorithm, for links of any strength; they are no lower bounds.

# %%
uneven = np.random.default_rng(5)


def additions(graph):
    """Numbers that the package adds for one weak attacker, links of random strength."""
    graph = nx.convert_node_labels_to_integers(graph)
    potentials = {link: uneven.integers(1, 9, (2, 2)) for link in graph.edges}
    return MarkovRandomField(potentials).additions(0)


pairs = [(nx.random_labeled_tree(500, seed=1), tree), (nx.cycle_graph(500), nx.cycle_graph(1000))]
for width in (2, 4, 8):
    pairs.append((nx.grid_2d_graph(width, 20), nx.grid_2d_graph(width, 40)))
exponents = []
for smaller, larger in pairs:
    growth = np.log(additions(larger) / additions(smaller))
    exponents.append(growth / np.log(len(larger) / len(smaller)))

# %%
paths, complete = range(2, 40), range(3, 13)
with claim("Y-B23") as c:
    by_path = [additions(nx.path_graph(n)) for n in paths]
    squares = [8 * n * n - 6 * n + 2 for n in paths]
    label = "paths of 2 to 39: 8n² − 6n + 2 additions"
    c.decisive("exhaustive").exact(by_path, squares, label)
    by_complete = [additions(nx.complete_graph(n)) for n in complete]
    doubling = [11 * 2**n - 6 * n - 10 for n in complete]
    label = "complete graphs of 3 to 12: 11·2ⁿ − 6n − 10 additions"
    c.decisive("exhaustive").exact(by_complete, doubling, label)
    label = "tree, cycle, grids of width 2, 4, 8: last exponents"
    c.decisive("sampled").close(exponents, 2, label, rtol=0.07)
