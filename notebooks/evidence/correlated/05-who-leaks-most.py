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
# # Evidence: Who leaks most, in theory and on a real network?
#
# The statements of the paper's section 6, with one of section 5.5, in the paper's order, and then those that go beyond the paper: what each one states, and its check. Nothing is hidden. Only Y-1.web stands later than in the paper, after the Facebook network, which it needs. The story is told in
# [the notebook of the same name](../../correlated/05-who-leaks-most.ipynb).
#
# Throughout, $P = L + \tau I$ and $V = P^{-1}$. Two routes lead to a coefficient: the package, and $1 + \ell_i = (V\mathbf 1)_i / V_{ii}$ from an inverse, which below is an exact one for small networks.

# %%
from fractions import Fraction
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import scipy.sparse as sps
import sympy as sp
from scipy.sparse.linalg import splu

from privlib.correlated import gaussian, networks
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, datasets, derivation
from privlib.research import sparse_gaussian

tau, step, w = sp.symbols("tau delta w", positive=True)
atlas = nx.graph_atlas_g()


def laplacian(graph):
    """The Laplacian as an exact matrix."""
    L = nx.laplacian_matrix(graph, nodelist=sorted(graph)).toarray()
    return sp.Matrix(L.astype(int).tolist())


def in_floats(graph):
    """The same Laplacian in floating point."""
    return nx.laplacian_matrix(graph, nodelist=sorted(graph)).toarray().astype(float)


def covariance(graph, prior):
    """The exact inverse of L + prior I."""
    return (laplacian(graph) + prior * sp.eye(len(graph))).inv()


def by_inverse(graph, prior):
    """All coefficients as regression coefficients of the sum, less 1."""
    V = covariance(graph, prior)
    return [sp.cancel(sum(V[i, :]) / V[i, i]) - 1 for i in range(len(graph))]


def by_package(graph, prior):
    P = laplacian(graph) + prior * sp.eye(len(graph))
    return list(GaussianModel(precision=P, width=1).leakage_coefficients())


def random_network(n, d, rng):
    """n d / 2 of the pairs, each choice of them equally likely."""
    pairs = list(combinations(range(n), 2))
    chosen = rng.choice(len(pairs), size=n * d // 2, replace=False)
    network = nx.empty_graph(n)
    network.add_edges_from(pairs[k] for k in chosen)
    return network


# %% [markdown]
# ## Y-5.k and Y-6.f (the prior)
#
# Y-5.k: *Adding a prior $\tau I$ raises utility, the more the larger $\tau$.* Y-6.f: *The larger $\tau$, the smaller the coefficient.* With the eigenvalues $\mu_k$ and eigenvectors $v_k$ of $L$, $1/(1 + \ell_i) = \sum_k v_{ik}^2\, \tau/(\mu_k + \tau)$, and no term falls as $\tau$ grows. Utility is read as the noise scale, which is proportional to $1 + \max_i \ell_i$.

# %%
mu = sp.Symbol("mu", nonnegative=True)
term, raised = tau / (mu + tau), (tau + step) / (mu + tau + step)
larger_prior = derivation(term, of=r"\text{one term}").at_most(
    raised, r"$\delta \ge 0$", by="coefficients"
)
larger_prior

# %%
row_of_four = by_inverse(nx.path_graph(4), tau)
falling = []
for value in row_of_four:
    slope = sp.Poly(sp.numer(sp.together(-sp.diff(value, tau))), tau)
    falling += [coefficient > 0 for coefficient in slope.coeffs()]
ends = [[sp.limit(value, tau, end) for value in row_of_four] for end in (0, sp.oo)]
with claim("Y-5.k") as c:
    label = "no term of 1/(1 + ℓ) falls, every network and every τ"
    c.decisive("proved").derived(larger_prior, term, raised, label)
    label = "row of 4, exact inverse: the slope of ℓ is negative for every τ > 0"
    c.holds(all(falling), label, method="symbolic")
    c.exact(ends, [[3] * 4, [0] * 4], "row of 4: from n − 1 without prior to 0 for τ → ∞")

medium = random_network(200, 4, np.random.default_rng(9))
grid = np.logspace(-4, 3, 29)
spectrum, vectors = np.linalg.eigh(in_floats(medium))
spectrum = spectrum.clip(0)
by_terms = np.array([1 / (vectors**2 @ (t / (spectrum + t))) - 1 for t in grid])
inverses = []
for t in grid:
    V = np.linalg.inv(in_floats(medium) + t * np.eye(200))
    inverses.append(V.sum(axis=0) / V.diagonal() - 1)
linked = [node for node in medium if medium.degree(node) > 0]
with claim("Y-6.f") as c:
    label = "no term of 1/(1 + ℓ) falls, every network and every τ"
    c.decisive("proved").derived(larger_prior, term, raised, label)
    label = "random network of 200, 29 priors: sums of such terms, and an inverse"
    c.close(by_terms, np.array(inverses), label, rtol=1e-6, atol=1e-8)
    label = "there every coefficient of a tuple with links falls"
    inverses = np.array(inverses)[:, linked]
    c.at_most(inverses[1:], inverses[:-1] * (1 - 1e-12), label)

# %% [markdown]
# ## Y-6.a (the random network)
#
# *Choosing $nd/2$ of the $n(n-1)/2$ pairs gives a network of average degree $d$.* For odd $nd$ there is no such network.

# %%
rng = np.random.default_rng(20150604)
settings, averages = [], []
for n in range(2, 13):
    for d in range(1, n):
        if n * d % 2 == 0:
            adjacency = nx.to_numpy_array(random_network(n, d, rng), dtype=int)
            settings.append(d)
            averages.append(Fraction(int(adjacency.sum()), n))
draws, n, d = 3000, 10, 4
linked_pairs = np.zeros((n, n))
for _ in range(draws):
    linked_pairs += nx.to_numpy_array(random_network(n, d, rng))
frequency = linked_pairs[np.triu_indices(n, 1)] / draws
share = d / (n - 1)
odd = sum(k for _, k in random_network(5, 3, rng).degree())
with claim("Y-6.a") as c:
    label = "n up to 12, nd even: average degree of a drawn network"
    c.decisive("sampled").exact(averages, settings, label)
    c.limit(3, sp.Rational(odd, 5), "n = 5, d = 3: nd is odd, and 7 links are drawn")
    stderr = np.sqrt(share * (1 - share) / draws)
    label = "n = 10, d = 4: each of 45 pairs is linked with probability d/(n − 1)"
    c.decisive("simulated").sampled(frequency, share, label, stderr=stderr)

# %% [markdown]
# ## Y-6.a-connected (networks that are not connected)
#
# *The random networks may be used, although section 5.1 assumes connected ones.* With a prior, each component is a model of its own. The limit: not all of these networks are connected.

# %%
scattered = [graph for graph in atlas[1:53] if not nx.is_connected(graph)]
as_one, as_many, size_less_one = [], [], []
for graph in scattered:
    together = by_inverse(graph, tau)
    for part in nx.connected_components(graph):
        as_one += [together[i] for i in sorted(part)]
        as_many += by_package(graph.subgraph(part), tau)
        size_less_one += [len(part) - 1] * len(part)
differences = [sp.simplify(a - b) for a, b in zip(as_one, as_many)]
limits = [sp.limit(value, tau, 0) for value in as_one]

not_connected = 0
for links in combinations(combinations(range(5), 2), 5):
    network = nx.Graph(links)
    if len(network) < 5 or not nx.is_connected(network):
        not_connected += 1
total = int(sp.binomial(10, 5))
with claim("Y-6.a-connected") as c:
    label = f"{len(scattered)} scattered networks of up to 5, every τ: whole, and part by part"
    c.decisive("exhaustive").exact(differences, [0] * len(differences), label)
    label = "and for τ → 0 the coefficient tends to the size of the part − 1"
    c.decisive("exhaustive").exact(limits, size_less_one, label)
    label = "n = 5, d = 2: how many of all networks are connected, as 5.1 assumes"
    c.limit(total, total - not_connected, label)
    c.exact(not_connected, 5 * 6, "one tuple alone, five of six links among the others")

# %% [markdown]
# ## Y-6.b (the coefficient is enough)
#
# *The leakage is determined by the coefficient.* The check does not use Theorem 5.1: it averages the Laplace density over the normal distribution of the sum given $x_i$, on a grid, and takes the largest log ratio over 401 outputs.

# %%
scale, width = 2.0, 1.5
twelve = random_network(12, 4, np.random.default_rng(8))
V = np.linalg.inv(networks.precision(twelve, 0.5))
outputs = np.linspace(-40, 40, 401)
largest = []
for i in range(12):
    shift = width * V[:, i].sum() / V[i, i]  # of the expected sum
    sd = np.sqrt(V.sum() - V[:, i].sum() ** 2 / V[i, i])
    sums = np.linspace(-10, 10, 4001) * sd
    normal = np.exp(-((sums / sd) ** 2) / 2)
    density = np.exp(-abs(outputs[:, None] - sums) / scale) @ normal
    moved = np.exp(-abs(outputs[:, None] - sums - shift) / scale) @ normal
    largest.append(abs(np.log(moved / density)).max())
coefficients = np.array(GaussianModel.from_graph(twelve, 0.5, width=1).leakage_coefficients())
star, clique = nx.star_graph(4), nx.complete_graph(5)
with claim("Y-6.b") as c:
    label = "12 tuples of a random network: largest log ratio, and (M/λ)(1 + ℓ)"
    c.decisive("sampled").close(largest, width / scale * (1 + coefficients), label, rtol=1e-6)
    same = by_inverse(star, tau)[0], by_package(clique, tau)[0]
    c.exact(sp.simplify(same[0] - same[1]), 0, "centre of a star, clique of five: one coefficient")

# %% [markdown]
# ## Y-F4 (Figure 4)
#
# *Largest coefficient against average degree, for several $n$ and $\tau$.* Our copy lacks the picture. What the text reads off it is seen on a grid of ours.

# %%
degrees, priors = (2, 4, 8, 16, 32), np.array([1e-4, 0.01, 0.1, 1, 10])
rng = np.random.default_rng(2015)
grid = np.empty((2, 5, 8, 5))  # n, d, draw, prior
for a, n in enumerate((100, 200)):
    for b, d in enumerate(degrees):
        for draw in range(8):
            drawn = random_network(n, d, rng)
            sweep = gaussian.leakage_sweep(in_floats(drawn), priors)
            grid[a, b, draw] = sweep.max(axis=1)
average = grid.mean(axis=2)
last = np.linalg.inv(networks.precision(drawn, 1.0))
with claim("Y-F4") as c:
    c.source_incomplete("the picture, with its n, d, τ and draws: our copy of the text lacks it")
    c.at_most(average[:, :-1], average[:, 1:], "our grid: the largest coefficient rises with d")
    c.at_most(average[..., 1:], average[..., :-1], "our grid: it falls with τ")
    by_last = (last.sum(axis=0) / last.diagonal()).max() - 1
    c.close(grid[1, 4, 7, 3], by_last, "last draw at τ = 1, from the inverse")

# %% [markdown]
# ## Y-6.c (the larger the degree, the larger the leakage)
#
# A link of weight $w$ between $j$ and $k$ changes $V_i := V_{ii}$ into $V_i - w\delta^2/(1 + w\rho)$ with $\delta = V_{ij} - V_{ik}$ and $\rho = V_{jj} + V_{kk} - 2V_{jk} \ge 0$, and $1 + \ell_i = 1/(\tau V_i)$. The formula is compared with exact inverses; the inequality holds for all. For independent draws: the probability that the largest coefficient exceeds a level does not fall as links are added.

# %%
Vi = sp.Symbol("V_i", positive=True)
rho = sp.Symbol("rho", nonnegative=True)
gap = sp.Symbol("delta", real=True)
after_link = Vi - w * gap**2 / (1 + w * rho)
link = derivation(after_link, of="V_i'").at_most(Vi, "a square over a positive number")
link

# %%
third = sp.Rational(1, 3)
by_formula, by_new_inverse, gains = [], [], []
pair_share_gains = []  # of the covariances of all pairs, over the variances
for graph in atlas[1:53]:
    V = covariance(graph, third)
    share_before = sum(V) / V.trace()
    for j, k in nx.non_edges(graph):
        more = graph.copy()
        more.add_edge(j, k)
        new = covariance(more, third)
        pair_share_gains.append(sum(new) / new.trace() - share_before)
        resistance = V[j, j] + V[k, k] - 2 * V[j, k]
        for i in graph:
            by_formula.append(V[i, i] - (V[i, j] - V[i, k]) ** 2 / (1 + resistance))
            by_new_inverse.append(new[i, i])
            gains.append(1 / (third * new[i, i]) - 1 / (third * V[i, i]))

by_links = {count: [] for count in range(11)}  # (largest coefficient, labelled networks)
for graph in atlas[1:53]:
    if len(graph) == 5:
        same = nx.isomorphism.GraphMatcher(graph, graph).isomorphisms_iter()
        labelled = 120 // sum(1 for _ in same)
        by_links[graph.number_of_edges()].append((max(by_inverse(graph, third)), labelled))
levels = {top for found in by_links.values() for top, _ in found}
steps = []
for level in levels:
    above = []
    for count, found in by_links.items():
        many = sum(labelled for top, labelled in found if top >= level)
        above.append(sp.Rational(many, sp.binomial(10, count)))
    steps += [after - before for before, after in pairwise(above)]
with claim("Y-6.c") as c:
    label = "one more link: every variance falls or stays, every network"
    c.decisive("proved").derived(link, after_link, Vi, label)
    label = f"the formula, and a new inverse: {len(gains)} cases, networks of up to 5, τ = 1/3"
    c.exact(by_formula, by_new_inverse, label)
    c.exact(min(gains), 0, "there the least of all gains by a link")
    label = "n = 5: least gain, by a link, of the probability that the largest reaches a level"
    c.exact(min(steps), 0, label)

# %% [markdown]
# ## Y-6.c-why (a large degree means strong correlation)
#
# Read as correlation with the sum: $\operatorname{corr}(x_i, s)^2 = (1 + \ell_i)/n$, from $\operatorname{Cov}(x_i, s) = 1/\tau$ and $\operatorname{Var} s = n/\tau$. The share of all pairs together rises, too. The limit: a single pair.

# %%
people, ell_i = sp.symbols("n ell_i", positive=True)
var_i = 1 / (tau * (1 + ell_i))
square_of_correlation = (1 / tau) ** 2 / (var_i * people / tau)
variances = sp.Mul(var_i, people / tau, evaluate=False)  # kept as a product, to be shown
inserted = sp.Mul((1 / tau) ** 2, sp.Pow(variances, -1, evaluate=False), evaluate=False)
with_sum = derivation(
    inserted, of=r"\mathrm{corr}(x_i, s)^2", names={ell_i: r"\ell_i"}
).equal((1 + ell_i) / people, r"$V_i = 1/(\tau(1 + \ell_i))$")
with_sum

# %%
V = np.linalg.inv(networks.precision(medium, 0.1))
squares = V.sum(axis=0) ** 2 / (V.diagonal() * V.sum())
coefficients = GaussianModel.from_graph(medium, 0.1, width=1).leakage_coefficients()

one_link = nx.empty_graph(3)
one_link.add_edge(0, 1)
single, total, by_coefficient = [], [], []
for graph in (one_link, nx.path_graph(3)):
    V = covariance(graph, 1)
    by_coefficient.append((1 + by_package(graph, sp.Integer(1))[0]) / 3)
    single.append(V[0, 1] / sp.sqrt(V[0, 0] * V[1, 1]))
    total.append(sum(V[0, :]) ** 2 / (V[0, 0] * sum(V)))
with claim("Y-6.c-why") as c:
    label = "corr(x_i, s)² is (1 + ℓ_i)/n"
    c.decisive("proved").derived(with_sum, square_of_correlation, (1 + ell_i) / people, label)
    label = "one more link: every variance falls or stays"
    c.decisive("proved").derived(link, after_link, Vi, label)
    label = "random network of 200: squared correlations from the inverse, (1 + ℓ)/n"
    c.close(squares, (1 + coefficients) / 200, label, rtol=1e-9)
    label = "networks of up to 5, each missing link: gains of the pairs' share that are ≤ 0"
    c.exact([gain for gain in pair_share_gains if gain <= 0], [], label)
    c.exact(total, by_coefficient, "three tuples before and after a link 1–2: tuple 0 and the sum")
    c.limit(single[0], single[1], "a single pair: correlation of 0 and 1 after a link 1–2")

# %% [markdown]
# ## Y-6.d (τ → 0)
#
# *When $\tau$ is very small the coefficient approaches $n$.* It approaches $n - 1$; $1 + \ell$ approaches $n$.

# %%
away = sp.Symbol("mu", positive=True)
terms = 1 / people + (1 - 1 / people) * tau / (away + tau)  # μ = 0 has v² = 1/n
truth = sp.limit(1 / terms - 1, tau, 0)
dense = average[0, 3:, 0]  # n = 100, d = 16 and 32, τ = 0.0001
with claim(
    "Y-6.d",
    printed=r"$\ell \to n$ as $\tau \to 0$",
    corrected=r"$\ell \to n - 1$, $1 + \ell \to n$",
) as c:
    c.differs(people, truth, "connected network, τ → 0")
    label = "the term with μ = 0 stays, the others vanish: n − 1"
    c.decisive("proved").exact(truth, people - 1, label)
    c.exact(ends[0], [3] * 4, "row of 4, exact inverse")
    c.close(1 + dense, 100.0, "n = 100, τ = 0.0001: 1 + ℓ is near n", rtol=2e-3)

# %% [markdown]
# ## Y-6.g and Y-F5.a (the Facebook network)
#
# Y-6.g: *4,039 vertices, 88,234 edges, largest degree 1,045.* Y-F5.a: *the distribution of the degrees.* Our copy has the figure's caption only. The data are the paper's.

# %%
facebook = datasets.facebook()
n = len(facebook)
degree = np.array([facebook.degree(i) for i in range(n)])
by_line = np.bincount(np.array(datasets.load("facebook").split(), dtype=int))
printed = [4039, 88_234, 1045]
with claim("Y-6.g") as c:
    as_graph = [n, facebook.number_of_edges(), int(degree.max())]
    c.decisive("exhaustive").exact(as_graph, printed, "as a graph")
    lines = [by_line.size, int(by_line.sum()) // 2, int(by_line.max())]
    c.exact(lines, printed, "lines of the file")
    c.holds(nx.is_connected(facebook), "connected, as section 5.1 assumes")

people_by_degree = [int(count) for count in np.bincount(by_line)]
with claim("Y-F5.a") as c:
    c.source_incomplete("the picture: our copy of the text has its caption only")
    c.exact(nx.degree_histogram(facebook), people_by_degree, "people of each degree: graph, file")
    ends_of_links = sum(k * count for k, count in enumerate(people_by_degree))
    c.exact(ends_of_links, 2 * 88_234, "each of the printed edges has two ends")

# %% [markdown]
# ## Y-F5.b and Y-6.j (coefficient against degree, and the prior)
#
# Y-F5.b: *coefficient against degree for several priors.* Y-6.j: *the coefficients decrease as the prior grows.* Priors and points of the figure are only in the picture.

# %%
priors = np.logspace(-9, 6, 61)
ell = gaussian.leakage_sweep(in_floats(facebook), priors)


def row(prior):
    """The line of the sweep for a prior."""
    return int(abs(np.log(priors / prior)).argmin())


weak_V = np.linalg.inv(networks.precision(facebook, 0.01))
weak = weak_V.sum(axis=0) / weak_V.diagonal() - 1
with claim("Y-F5.b") as c:
    c.source_incomplete("the picture, with its priors and points")
    c.exact(set(ell.argmax(axis=1).tolist()), {107}, "61 priors of ours: vertex 107 on top")
    c.close(ell[row(0.01)], weak, "τ = 0.01: all 4,039 from an inverse", rtol=1e-7)

with claim("Y-6.j") as c:
    label = "no term of 1/(1 + ℓ) falls, every network"
    c.decisive("proved").derived(larger_prior, term, raised, label)
    label = "Facebook: all 4,039 coefficients, 60 steps from 10⁻⁹ to 10⁶"
    c.at_most(ell[1:], ell[:-1] * (1 - 1e-14), label)

# %% [markdown]
# ## Y-6.h (vertex 107 leaks most)
#
# *The tuple of degree 1,045 has the largest coefficient.* For every prior: the order by $\ell_i$ is the reverse order by $h_i(\tau) = \frac1\tau(\frac1{1 + \ell_i} - \frac1n)$, and every $h_i$ falls. So $h_{107}(a) \le h_j(b)$ decides the whole interval from $a$ to $b$.
#
# Rounding decides nothing. With $u = e_j - \mathbf 1/n$, $h_j = u^{\mathsf T} P^{-1} u$, and for *any* vector $v$ with the rest $r = u - Pv$,
#
# $$ 2u^{\mathsf T} v - v^{\mathsf T} P v \;\le\; h_j \;\le\; 2u^{\mathsf T} v - v^{\mathsf T} P v + \frac{r^{\mathsf T} r}{\tau}, $$
#
# by completing the square in the basis of eigenvectors. A floating-point solver proposes $v$. We round it to multiples of $2^{-24}$ and compute both bounds in whole numbers. At $\tau = 0$ the last term is $r^{\mathsf T} r/\lambda_2$, with $\lambda_2 \ge 1/(nD)$ on a connected network of diameter $D$. For most people $v = (1 - \frac1n)u/(d_j + \tau)$, the degree alone, gives a sufficient lower bound, $(1 - \frac1n)^2/(d_j + \tau)$.

# %%
u, v = sp.symbols("u v", real=True)
p = mu + tau
start = u**2 / p
goal = 2 * u * v - p * v**2 + (u - p * v) ** 2 / tau
enclosed = (
    derivation(start)
    .equal(2 * u * v - p * v**2 + (u - p * v) ** 2 / p, "complete the square")
    .at_most(goal, r"$p \ge \tau$", by="square")
)
enclosed

# %%
links = np.array(facebook.edges()).T
whole = networks.precision(facebook, 0.0, sparse=True).astype(np.int64)
UNIT = 2**24
diameter = 2 * nx.eccentricity(facebook, 107)  # at least the diameter


def proposals(prior, who):
    """Solutions v for u = e_j - 1/n, in multiples of 1/UNIT, one column for each j of who."""
    u = np.zeros((n, len(who)))
    u[who, np.arange(len(who))] = 1
    P = (whole + max(float(prior), 1e-9) * sps.eye_array(n)).tocsc()
    return np.rint(splu(P).solve(u - 1 / n) * UNIT).astype(np.int64)


def enclosures(prior, who):
    """Exact bounds (low, high) of h_j for each j of who; the prior is a fraction."""
    columns = np.arange(len(who))
    v = proposals(prior, who)
    differences = v[links[0]] - v[links[1]]
    for part in (differences, v):  # the sums of squares fit into 64 bits
        assert (part.astype(float) ** 2).sum(axis=0).max() < 2**62
    energy = (differences**2).sum(axis=0)  # v L v
    square = (v**2).sum(axis=0)
    linear = n * v[who, columns] - v.sum(axis=0)  # n u v
    p, q = prior.numerator, prior.denominator
    largest = int(abs(v).max()) + UNIT
    assert 2 * n * (2 * q * int(degree.max()) + p) * largest < 2**62
    rest = -UNIT * q - n * (q * (whole @ v) + p * v)
    rest[who, columns] += n * UNIT * q
    rest_square = (rest.astype(object) ** 2).sum(axis=0) / Fraction(n * UNIT * q) ** 2
    low, high = [], []
    for k in columns:
        quadratic = Fraction(int(energy[k]) * q + int(square[k]) * p, q * UNIT**2)
        low.append(Fraction(2 * int(linear[k]), n * UNIT) - quadratic)
        factor = 1 / prior if prior else n * diameter
        high.append(low[-1] + rest_square[k] * factor)
    return low, high


# %%
ends = [Fraction(0)]
ends += [Fraction(1, k) for k in (512, 128, 32, 8, 4, 2, 1)]
ends += [Fraction(2), Fraction(5, 2), Fraction(13, 4)]
others = [j for j in range(n) if j != 107]
tops = [enclosures(ends[0], [107])[1][0]]  # h of 107, from above
lows = []  # the least h of anybody else, from below
for b in ends[1:]:
    bound = {}
    for j in others:
        bound[j] = Fraction((n - 1) ** 2, n**2) / (int(degree[j]) + b)
    rivals = [j for j in others if bound[j] < tops[-1] * Fraction(5, 4)]
    low, high = enclosures(b, [107, *rivals])
    bound.update(zip(rivals, low[1:]))
    lows.append(min(bound.values()))
    tops.append(high[0])
    if b == 1:
        at_one = [1 / (Fraction(1, n) + value) - 1 for value in (high[0], low[0])]
print([round(float(low / top), 2) for low, top in zip(lows, tops)])

# %% [markdown]
# Above the last of these priors the two largest degrees, 1,045 and 792, decide by the bounds of Y-B3.

# %%
d1, d2 = (int(d) for d in np.sort(degree)[::-1][:2])
threshold = sp.Rational(d2, d1 - d2)
x = sp.Symbol("x", nonnegative=True)
least, most = d1 / (1 + threshold + x), d2 / (threshold + x)
beyond = derivation(least, of=r"\text{least } \ell_{107}").at_least(
    most, r"most $\ell_j$ of anybody else", by="coefficients"
)
one = sparse_gaussian.max_leakage_bounds(networks.precision(facebook, 1.0, sparse=True))
with claim("Y-6.h") as c:
    c.derived(enclosed, start, goal, "the upper bound, one eigenvector; the lower drops a square")
    label = f"τ from 0 to {ends[-1]}: nobody else's h is below, ten intervals in whole numbers"
    c.decisive("proved").at_most(tops[:-1], lows, label)
    c.decisive("proved").derived(beyond, least, most, "above: the two largest degrees")
    c.at_most(Fraction(int(threshold.p), int(threshold.q)), ends[-1], "no gap between the two")
    c.exact(set(ell.argmax(axis=1).tolist()), {107}, "61 priors, eigenvectors")
    exact = [float(value) for value in at_one]
    c.close(exact, [ell[row(1.0), 107]] * 2, "τ = 1: whole numbers, eigenvectors", rtol=1e-4)
    c.close(one.high, ell[row(1.0)].max(), "τ = 1: largest, by conjugate gradients", rtol=1e-8)

# %% [markdown]
# ## Y-6.i (because of the largest correlation)
#
# *That is because this tuple has the largest correlation with the other tuples.* Read as correlation with their sum, which is a function of $\ell_i$. The limits: the largest correlation with one person, and the average one with friends, belong to others.

# %%
more, m = sp.symbols("ell m", nonnegative=True)  # m = n − 2
V_i = 1 / (tau * (1 + more))
first_form = (1 / tau - V_i) ** 2 / (V_i * (m / tau + V_i))
squared = more**2 / (1 + m * (1 + more))
order = derivation(first_form, of=r"\mathrm{corr}(x_i, s - x_i)^2", names={more: r"\ell"})
order = order.equal(squared, r"insert $V_i$, $m = n - 2$")
order

# %% [markdown]
# A thousand databases are drawn at $\tau = 0.1$: noise of covariance $P$, multiplied by $P^{-1}$, has covariance $P^{-1}$.

# %%
sd = np.sqrt(weak_V.diagonal())
rest_sd = np.sqrt(weak_V.sum() - 2 * weak_V.sum(axis=0) + sd**2)  # of s − x_i
with_others = (weak_V.sum(axis=0) - sd**2) / (sd * rest_sd)
correlation = weak_V / np.outer(sd, sd)
np.fill_diagonal(correlation, 0)
one_person = correlation.max(axis=1)
friends = nx.to_numpy_array(facebook, nodelist=range(n))
per_friend = (correlation * friends).sum(axis=1) / degree
ahead = int((per_friend > per_friend[107]).sum())

prior, samples = 0.1, 1000
rng = np.random.default_rng(20150531)
count = links.shape[1]
signs = np.repeat([1.0, -1.0], count)
incidence = sps.csr_array((signs, (links.ravel(), np.tile(np.arange(count), 2))))
noise = incidence @ rng.standard_normal((count, samples))
noise += np.sqrt(prior) * rng.standard_normal((n, samples))
x = splu(networks.precision(facebook, prior, sparse=True)).solve(noise)
s = x.sum(axis=0)
watched = [107, 1684, 1912, 3437, 0, 1888]
drawn = np.array([np.corrcoef(x[k], s - x[k])[0, 1] for k in watched])
stated = np.sqrt(sp.lambdify(more, squared.subs(m, n - 2))(ell[row(prior), watched]))
with claim("Y-6.i") as c:
    c.decisive("proved").derived(order, first_form, squared, "correlation with the others' sum")
    label = "and vertex 107 leaks most, for every τ"
    c.decisive("proved").at_most(tops[:-1], lows, label)
    c.exact(int(with_others.argmax()), 107, "first by the sum of the others, τ = 0.01")
    stderr = (1 - drawn**2) / np.sqrt(samples)
    c.sampled(drawn, stated, "1,000 drawn databases, six people", stderr=stderr)
    c.limit(107, int(one_person.round(12).argmax()), "largest correlation with one person")
    c.limit(1, 1 + ahead, "rank by the average correlation with friends, τ = 0.01")


# %% [markdown]
# ## Y-1.web (a crawl finds the structure)
#
# *The correlation of real data is comparatively easy to obtain; a web crawler finds the structure of a social network.* Read as "well enough to set the noise by": with a tenth of the links missing, the true leakage is less than 1.2 times the promise. The limits: it is above the promise, and no crawl shows $\tau$.

# %%
def by_solve(network, prior):
    """1 + ℓ of vertex 107, from one sparse solve."""
    P = networks.precision(network, prior, sparse=True)
    return 1 / (prior * splu(P).solve(np.eye(1, n, 107)[0])[107])


rng = np.random.default_rng(6)
excess = []
for _ in range(6):
    crawl = nx.empty_graph(n)
    crawl.add_edges_from(links.T[rng.random(count) > 0.1].tolist())
    seen = sparse_gaussian.max_leakage_bounds(networks.precision(crawl, 1.0, sparse=True))
    excess.append((1 + ell[row(1.0)].max()) / (1 + seen.low))
true, last, weaker = by_solve(facebook, 1), by_solve(crawl, 1), by_solve(facebook, 0.01)
with claim("Y-1.web") as c:
    label = "a tenth of the links missing: at most 1.2 ε, 6 crawls"
    c.decisive("simulated").at_most(excess, 1.2, label)
    c.close(excess[-1], true / last, "the last crawl, by two sparse solves", rtol=1e-7)
    c.limit(last, true, "1 + ℓ of vertex 107, from the last crawl")
    c.limit(true, weaker, "1 + ℓ of vertex 107: no crawl shows τ; τ = 0.01")

# %% [markdown]
# ## Y-B3 (bounds by the degree)
#
# Beyond the paper: $\sum_j w_{ij}/(w_{ij} + \tau) \le \ell_i \le \min(n - 1, d_i/\tau)$. Left: the links that do not touch $i$ are removed, and each friend of the star that is left contributes one term. Right: elimination subtracts $q \ge 0$ from $d_i + \tau$, and $1 + \ell_i = n\operatorname{corr}(x_i, s)^2 \le n$.

# %%
d_i, q = sp.symbols("d_i q", nonnegative=True)
friend, friend_term = (w - w**2 / (w + tau)) / tau, w / (w + tau)
in_star = derivation(friend, of=r"\text{one friend}").equal(friend_term, "one fraction")
remaining = (d_i + tau - q) / tau - 1
roof = derivation(remaining, of=r"\ell_i").at_most(d_i / tau, r"$q \ge 0$", by="coefficients")

weights = sp.symbols("u1 u2 u3", positive=True)
P_star = sp.diag(sum(weights), *weights) + tau * sp.eye(4)
for k, weight in enumerate(weights, 1):
    P_star[0, k] = P_star[k, 0] = -weight
centre = GaussianModel(precision=P_star, width=1).leakage_coefficients()[0]
attained = sum(weight / (weight + tau) for weight in weights)

W = nx.to_numpy_array(medium) * np.random.default_rng(10).exponential(size=(200, 200))
W = np.triu(W, 1) + np.triu(W, 1).T
with claim("Y-B3") as c:
    label = "left: what a friend contributes in a star"
    c.decisive("proved").derived(in_star, friend, friend_term, label)
    label = "left: a link lowers no coefficient"
    c.decisive("proved").derived(link, after_link, Vi, label)
    c.decisive("proved").derived(roof, remaining, d_i / tau, "right: nothing is added")
    c.exact(sp.simplify(centre - attained), 0, "centre of a star, any weights: equality, left")
    for prior in (0.01, 0.3, 5.0):
        V = np.linalg.inv(np.diag(W.sum(axis=0) + prior) - W)
        coefficients = V.sum(axis=0) / V.diagonal() - 1
        label = f"200 tuples, random weights, τ = {prior:g}"
        c.at_most((W / (W + prior)).sum(axis=0), coefficients, f"{label}: left")
        c.at_most(coefficients, np.minimum(199, W.sum(axis=0) / prior), f"{label}: right")


# %% [markdown]
# ## Y-B3.order (the largest degree need not leak most)
#
# Beyond the paper: *the smallest networks with unit weights in which the tuple of largest degree does not leak most have seven tuples; with weights, four.* $V_{ii}$ is a minor of $P$ over $\det P$, so a larger minor means a smaller coefficient. If some tuple of largest degree has no coefficient of the polynomial above that of tuple $j$, it leaks at least as much as $j$ for every $\tau$.

# %%
def minors(graph):
    """Integer coefficients of det(tau I + L without row and column i), one row for each i."""
    L = in_floats(graph).astype(int)
    rows = []
    for i in range(len(L)):
        A = np.delete(np.delete(L, i, axis=0), i, axis=1)
        M = np.zeros_like(A)
        polynomial = [1]
        for k in range(1, len(L)):  # Faddeev–LeVerrier
            M = polynomial[-1] * np.eye(len(A), dtype=int) - A @ M
            polynomial.append(int(np.trace(A @ M)) // k)
        rows.append(polynomial)
    return np.array(rows)


def is_settled(graph):
    """Whether the polynomials show, for every τ, that a tuple of largest degree leaks most."""
    polynomials = minors(graph)
    links = np.array([graph.degree(i) for i in range(len(graph))])
    top = polynomials[links == links.max()]
    settled = []
    for other in polynomials[links < links.max()]:
        settled.append((top <= other).all(axis=1).any())
    return all(settled)


def degrees_of_first(graph, prior):
    """Degree of the tuple with the largest coefficient, and the largest degree."""
    values = by_inverse(graph, prior)
    links = [int(k) for _, k in sorted(graph.degree(weight="weight"))]
    return links[values.index(max(values))], max(links)


connected = [graph for graph in atlas[2:] if nx.is_connected(graph)]
small = [graph for graph in connected if len(graph) <= 6]
unsettled = [graph for graph in connected if not is_settled(graph)]

# %%
broom = nx.empty_graph(7)
broom.add_edges_from([(0, 1), (1, 2), (0, 3), (0, 4), (2, 5), (2, 6)])
P = laplacian(broom) + tau * sp.eye(7)
broom_minors = [sp.expand(P.minor_submatrix(i, i).det()) for i in (0, 1)]
by_recursion = [sp.Poly(row.tolist(), tau).as_expr() for row in minors(broom)[:2]]

w12, w13, w23 = sp.symbols("w12 w13 w23", positive=True)
triangle = sp.Matrix(
    [[w12 + w13, -w12, -w13], [-w12, w12 + w23, -w23], [-w13, -w23, w13 + w23]]
) + tau * sp.eye(3)
difference = triangle.minor_submatrix(1, 1).det() - triangle.minor_submatrix(0, 0).det()
by_degree = tau * ((w12 + w13) - (w12 + w23))

four = nx.empty_graph(4)
four.add_weighted_edges_from([(0, 3, 1), (1, 2, 3), (1, 3, 1), (2, 3, 1)])
with claim("Y-B3.order") as c:
    label = f"{len(small)} connected networks of 2 to 6: exceptions, for every τ"
    c.decisive("exhaustive").exact([len(g) for g in unsettled if len(g) < 7], [], label)
    turned = [degrees_of_first(graph, sp.Rational(1, 20)) for graph in unsettled]
    label = f"{len(connected) - len(small)} of seven: nine in which another leaks most at τ = 1/20"
    c.decisive("exhaustive").exact(sum(k < top for k, top in turned), 9, label)
    label = "three tuples, any weights: difference of two minors, τ times that of the degrees"
    c.decisive("proved").exact(sp.expand(difference), sp.expand(by_degree), label)
    label = "four with weights, τ = 1: degree of the first, largest degree"
    c.decisive("proved").exact(degrees_of_first(four, sp.Integer(1)), (3, 4), label)
    c.exact(by_recursion, broom_minors, "the page's network: minors by recursion, determinants")
    turns = sp.expand(tau * (1 + tau) ** 2 * (1 - 4 * tau - tau**2))
    c.exact(sp.expand(broom_minors[0] - broom_minors[1]), turns, "its order turns at √5 − 2")

# %% [markdown]
# ## Y-B11 (utility)
#
# Beyond the paper: *in units of a tuple's own standard deviation the noise scale is $(c/\varepsilon)\operatorname{corr}(x_i, s)$ standard deviations of the sum. On Facebook with $\tau = M = \varepsilon = 1$ the noise is 13 times as wide as the sum, and even the best linear correction improves on the mean by less than one per cent.*

# %%
c_, C, sd_i, sd_s, eps = sp.symbols("c C sd_i sd_s epsilon", positive=True)
names = {c_: "c", C: r"\mathrm{Cov}(x_i, s)", sd_i: r"\operatorname{sd}(x_i)",
         sd_s: r"\operatorname{sd}(s)", eps: r"\varepsilon"}  # fmt: skip
as_set = sp.UnevaluatedExpr(c_ * sd_i) * sp.UnevaluatedExpr(C / sd_i**2) / eps
in_units = c_ / eps * sp.UnevaluatedExpr(C / (sd_i * sd_s)) * sd_s
natural = derivation(as_set, of=r"\lambda", names=names).equal(in_units, "a correlation")
k = sp.Symbol("k", real=True)
S, N = sp.symbols("S N", positive=True)
corrected_error = (1 - k) ** 2 * S + k**2 * N
shrunk = derivation(corrected_error, of=r"\mathrm{E}\,(s - k r)^2")
shrunk = shrunk.at_least(S * N / (S + N), r"equal at $k = S/(S + N)$", by="square")
shrunk

# %%
noise_sd = np.sqrt(2) * (1 + ell[row(1.0)].max())
sum_sd = np.sqrt(n)  # Var s = n/τ
best_sd = noise_sd * sum_sd / np.hypot(noise_sd, sum_sd)
ratios = noise_sd / sum_sd, best_sd / sum_sd
variance = splu(networks.precision(facebook, 1.0, sparse=True)).solve(np.ones(n)).sum()
sparse_noise = np.sqrt(2) * by_solve(facebook, 1)
sparse_ratios = sparse_noise / np.sqrt(variance), 1 / np.sqrt(1 + variance / sparse_noise**2)

scale = 1 + ell[row(0.1), 107]  # the databases drawn above, at τ = 0.1
spread, correlated = s.std(ddof=1) / x[107].std(ddof=1), np.corrcoef(x[107], s)[0, 1]
release = s + rng.laplace(scale=scale, size=samples)
S_drawn, N_drawn = n / 0.1, 2 * scale**2
errors = (s - S_drawn / (S_drawn + N_drawn) * release) ** 2
with claim("Y-B11") as c:
    c.decisive("proved").derived(natural, as_set, in_units, "the scale, in units of the sum")
    label = "least mean squared error of a linear correction"
    c.decisive("proved").derived(shrunk, corrected_error, S * N / (S + N), label)
    label = "τ = M = ε = 1: noise and best error over the sum's; eigenvectors, sparse solver"
    c.decisive("one example").close(ratios, sparse_ratios, label, rtol=1e-8)
    label = "13 times as wide; the best gains less than 1%"
    c.decisive("one example").at_most([13, 0.99], ratios, label)
    stderr = correlated * spread * np.sqrt((1 / correlated**2 - 1) / samples)
    label = "noise scale from 1,000 drawn databases, τ = 0.1"
    c.sampled(correlated * spread, scale, label, stderr=stderr)
    stated = S_drawn * N_drawn / (S_drawn + N_drawn)
    stderr = errors.std(ddof=1) / np.sqrt(samples)
    c.sampled(errors.mean(), stated, "their mean squared error after the correction", stderr=stderr)

# %% [markdown]
# ## Y-B13 (priors that differ)
#
# Beyond the paper: *with priors that differ between tuples, adding a link can lower a coefficient.* Priors $1, \frac1{10}, 100$; tuples 0 and 1 are linked, and 1 and 2 get a link.

# %%
own = sp.diag(1, sp.Rational(1, 10), 100)
by_regression, by_model, with_one_prior = [], [], []
for graph in (one_link, nx.path_graph(3)):
    V = (laplacian(graph) + own).inv()
    by_regression.append(sum(V[0, :]) / V[0, 0] - 1)
    model = GaussianModel(precision=laplacian(graph) + own, width=1)
    by_model.append(model.leakage_coefficients()[0])
    with_one_prior.append(by_inverse(graph, 1)[0])
with claim("Y-B13") as c:
    label = "ℓ of tuple 0 after the link and before"
    c.decisive("one example").at_most(float(by_regression[1]), float(by_regression[0]) - 0.4, label)
    c.exact(by_model, by_regression, "by the package, and as regression coefficients")
    c.holds(bool(with_one_prior[0] < with_one_prior[1]), "with one prior the same link raises it")

# %% [markdown]
# ## Y-B18 (leakage and correlation with the others)
#
# Beyond the paper: *with one common prior the order by leakage is the order by $\operatorname{corr}(x_i, s - x_i)$; the largest correlation with a single tuple may belong to another tuple.* The smallest example is a triangle with a tail.

# %%
further = squared.subs(more, more + step)
higher = derivation(further, of=r"\text{at } \ell + \delta", names={more: r"\ell"})
higher = higher.at_least(squared, r"at $\ell$", by="coefficients")


def firsts(graph, prior):
    """First by leakage, and first by the largest correlation with one tuple; exactly."""
    V = covariance(graph, prior)
    size = len(graph)
    own = [V[i, i] for i in range(size)]
    single = []
    for i in range(size):
        single.append(max(V[i, j] ** 2 / (own[i] * own[j]) for j in range(size) if j != i))
    by_leakage = {i for i in range(size) if own[i] == min(own)}
    by_single = {i for i in range(size) if single[i] == max(single)}
    return by_leakage, by_single


tail = nx.Graph([(0, 3), (1, 2), (1, 3), (2, 3)])
up_to_four = [graph for graph in connected if len(graph) <= 4]
parted = []
for graph in up_to_four:
    for prior in (sp.Rational(1, 100), sp.Rational(1, 10), 1, 10):
        if set.isdisjoint(*firsts(graph, prior)):
            parted.append(sorted(k for _, k in graph.degree()))
formula = sp.lambdify(more, squared.subs(m, n - 2))
with claim("Y-B18") as c:
    c.decisive("proved").derived(higher, further, squared, "the correlation increases with ℓ")
    label = "4,039 people, τ = 0.01: correlations from the inverse"
    c.close(with_others, np.sqrt(formula(ell[row(0.01)])), label, rtol=1e-7)
    label = "triangle with a tail, τ = 1: first by leakage, first by one correlation"
    c.decisive("proved").exact(list(firsts(tail, 1)), [{3}, {1, 2}], label)
    label = f"{len(up_to_four)} connected networks of up to 4, four priors: no other"
    c.exact(parted, [[1, 2, 2, 3]] * 4, label)
