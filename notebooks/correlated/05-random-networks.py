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
# # Do denser networks leak more?
#
# A network says who resembles whom. Add one friendship, and everybody's value tells a little more about
# everybody else's, so a published sum tells a little more about each of them. The paper tries this out on
# random networks and sees the leakage grow with the degree. This notebook repeats the experiment, proves
# what it shows, and finds the place where the rule of thumb *more friends, more leakage* stops: a network
# of seven people in which somebody with two friends leaks more than those with three.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why an extra link can only raise the leakage when all tuples have the same prior, how
# to bracket a leakage by a degree, and when the largest degree is not the largest leakage.
# **You need** the leakage coefficient of notebook 3 and the matrix inverse.
# **Time:** 30 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple, at most $M$ apart. **The attacker** is the weak one,
# $\adversary(i, \emptyset)$: knows the network, the prior and the mechanism, but nobody's value. With
# weights $w \ge 0$ and Laplace noise nobody else learns more (Theorem 5.2, notebook 4). **Protected:** the
# odds between two values of $x_i$. **Not protected:** the network, which is public.
# ```
#
# Code counts tuples from 0, the paper and the text from 1.

# %%
from itertools import combinations

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sympy as sp
from myst_nb import glue

from privlib.correlated import gaussian, networks
from privlib.correlated.gaussian import GaussianModel
from privlib.kit import claim, plots, slips

plots.use()


# %% [markdown]
# ## A network drawn at random
#
# ````{prf:algorithm} Random network (section 6.1, 人工データ)
# :label: alg-05-network
#
# **Input** number of tuples $n$, average degree $d$ (度数), prior $\tau > 0$.
#
# 1. Start from $W = 0$.
# 2. Choose $nd/2$ of the $n(n-1)/2$ entries above the diagonal at random; set them and their mirror images
#    to 1.
# 3. Return $\hat L = D - W + \tau I$.
# ````
#
# Two things can be checked at once: the average degree is exactly $d$, and no pair is preferred.

# %%
def random_network(n, d, rng):
    """n d / 2 of the pairs, each choice of them equally likely."""
    pairs = np.transpose(np.tril_indices(n, -1))[:, ::-1]
    chosen = rng.choice(len(pairs), size=n * d // 2, replace=False, shuffle=False)
    network = nx.empty_graph(n)
    network.add_edges_from(pairs[np.sort(chosen)].tolist())
    return network


rng = np.random.default_rng(20150604)
draws, n, d = 3000, 10, 4
adjacency = sum(nx.to_numpy_array(random_network(n, d, rng)) for _ in range(draws))
frequency = adjacency[np.triu_indices(n, 1)] / draws
share = d / (n - 1)

with claim("Y-6.a") as c:
    for size, degree in ((10, 4), (100, 2), (200, 32)):
        network = random_network(size, degree, rng)
        total = sum(k for _, k in network.degree())
        c.exact(
            sp.Rational(total, size),
            sp.Integer(degree),
            f"n = {size}: average degree {degree}",
        )
    stderr = np.sqrt(share * (1 - share) / draws)
    c.sampled(
        frequency,
        share,
        "each of 45 pairs linked with chance d/(n − 1)",
        stderr=stderr,
    )

# %% [markdown]
# ## Is it connected?
#
# Section 5.1 assumes that the network is connected. Nothing in {prf:ref}`alg-05-network` sees to that.
# Here is a draw with a hundred tuples and two friends each on average.

# %% mystnb={"figure": {"caption": "A random network with n = 100 and d = 2, coloured by the leakage coefficient at \u03c4 = 0.01. What lies outside the large component leaks little. Of the tuples inside it, the central ones leak most.", "name": "fig-05-network"}, "image": {"alt": "A large tangled component of about eighty dots, yellow in its middle and darker towards the tips of its branches, and at its right columns of single dots and pairs in dark blue."}}
sparse_draw = random_network(100, 2, np.random.default_rng(3))
parts = sorted(nx.connected_components(sparse_draw), key=len, reverse=True)
places = nx.kamada_kawai_layout(sparse_draw.subgraph(sorted(parts[0])))
outside = [node for part in parts[1:] for node in sorted(part)]
# the small components stand in columns at the right
for k, node in enumerate(outside):
    places[node] = (1.35 + 0.2 * (k // 8), 0.9 - 0.24 * (k % 8))
coefficients = GaussianModel.from_graph(sparse_draw, 0.01).leakage_coefficients()
fig, ax = plots.panels(height=4.6)
plots.draw_network(
    sparse_draw,
    ax,
    positions=places,
    values=coefficients,
    labels={},
    size=38,
    value_label="leakage coefficient",
)
plt.show()

# %% [markdown]
# How often does that happen? The smallest case with $d \ge 2$ can be counted by hand: five tuples, five
# links. A network of five links falls apart only if one tuple is left alone and the other four share
# five of their six links, which gives $5 \cdot 6$ networks.

# %%
pairs = list(combinations(range(5), 2))
apart = 0
for links in combinations(pairs, 5):
    network = nx.Graph(links)
    apart += len(network) < 5 or not nx.is_connected(network)
total = int(sp.binomial(10, 5))
print(f"n = 5, d = 2: {apart} of {total} networks are not connected")

rng = np.random.default_rng(6)
largest = np.array(
    [
        max(map(len, nx.connected_components(random_network(100, 2, rng))))
        for _ in range(1000)
    ]
)
mean, error = largest.mean(), largest.std(ddof=1) / np.sqrt(largest.size)
print(f"n = 100, d = 2: largest component {mean:.1f} ± {error:.1f}")
print(f"connected draws among 1000: {(largest == 100).sum()}")
glue("largest", float(mean), display=False)
glue("largest-error", round(float(error), 6), display=False)

# %% [markdown]
# With $n = 100$ and $d = 2$ the largest component holds {glue:text}`largest:.1f` ±
# {glue:text}`largest-error:.1f` tuples on average. For large $n$ its share $S$ solves
# $S = 1 - e^{-dS}$.
#
# Does it matter? Not once a prior is added. $x^{\mathsf T}(L + \tau I)x \ge \tau \lVert x \rVert^2$, so
# every draw is a proper model, and the inverse of a block matrix is taken block by block: each component
# is a model of its own.

# %%
t = sp.Symbol("tau", positive=True)


def laplacian(graph):
    """The Laplacian as an exact matrix."""
    return sp.Matrix(networks.precision(graph, 0).astype(int).tolist())


def coefficients_of(graph, prior=t):
    """Leakage coefficients as rational functions of the prior."""
    return GaussianModel(
        laplacian(graph) + prior * sp.eye(len(graph))
    ).leakage_coefficients()


triangle, edge = nx.complete_graph(3), nx.complete_graph(2)
both = (
    laplacian(triangle)
    .row_join(sp.zeros(3, 2))
    .col_join(sp.zeros(2, 3).row_join(laplacian(edge)))
)
together = GaussianModel(both + t * sp.eye(5)).leakage_coefficients()
separate = [*coefficients_of(triangle), *coefficients_of(edge)]
S = sp.Symbol("S")
share = float(sp.nsolve(S - 1 + sp.exp(-2 * S), S, 0.8))

# %% tags=["hide-input"]
with claim(
    "Y-6.a-connected",
    printed=r"a correlation model is connected (section 5.1); $nd/2$ random pairs of "
    r"section 6.1 need not be",
    corrected=r"with $\tau > 0$ connectivity is not needed: each component of $n_c$ "
    r"tuples is a model of its own, and $\ell_i \le n_c - 1$",
    consequence=r"None for section 6, where a prior is always added. Without one, "
    r"(29) is for connected networks.",
) as c:
    c.fails(
        apart == 0, f"n = 5, d = 2: {apart} of {total} networks are not connected"
    )
    c.exact(apart, 5 * 6, "one tuple alone, five of six links among the others")
    c.close(
        mean / 100,
        share,
        "largest component, n = 100, d = 2: share near its limit",
        rtol=0.02,
    )
    c.exact(
        list(together),
        separate,
        "triangle and edge side by side: each leaks as if alone",
    )
    limits = [sp.limit(value, t, 0) for value in together]
    c.exact(limits, [2, 2, 2, 1, 1], "as τ → 0: component size − 1")

# %% [markdown]
# ## One number decides
#
# The experiment reports the leakage coefficient (漏洩係数) $\ell_i$ instead of the leakage itself. By
# Theorem 5.1 that loses nothing: $\BDPL = \frac M\lambda(1 + \ell_i)$, whatever the spread of the sum.
# A check that does not use the theorem: compute the log ratio of the two output densities far out.

# %%
network = random_network(12, 4, np.random.default_rng(8))
P = networks.precision(network, 0.5)
ell = GaussianModel(P).leakage_coefficients()
covariance = np.linalg.inv(P)
column = covariance.sum(axis=0)  # Cov(x_i, s)
spread = np.sqrt(
    covariance.sum() - column**2 / covariance.diagonal()
)  # sd of s given x_i
scale, width = 2.0, 1.5

far = [
    gaussian.log_ratio(
        -400.0, width * column[i] / covariance[i, i], scale=scale, sigma=sd
    )
    for i, sd in enumerate(spread)
]
with claim("Y-6.b") as c:
    c.close(
        far,
        width / scale * (1 + ell),
        "log ratio of the output far out, 12 tuples",
        rtol=1e-9,
    )
    same = (
        coefficients_of(nx.star_graph(4))[0],
        coefficients_of(nx.complete_graph(5))[0],
    )
    c.exact(
        *same, "two networks with one coefficient: star centre and complete graph"
    )

# %% [markdown]
# ## Figure 4 again
#
# Figure 4 shows the largest coefficient against $d$ for several $n$ and $\tau$. The picture and its grid
# are not in our text, so we state our own: $n = 100$ and $200$; $d = 2, 4, 8, 16, 32$; $\tau$ from
# $10^{-4}$ to $10$; eight draws each, disconnected ones kept.

# %%
sizes, degrees = (100, 200), (2, 4, 8, 16, 32)
priors = np.array([1e-4, 1e-2, 0.1, 1.0, 10.0])
rng = np.random.default_rng(2015)
largest_leakage = np.empty((2, 5, 8, 5))  # n, d, draw, prior
for a, n in enumerate(sizes):
    for b, d in enumerate(degrees):
        for k in range(8):
            network = random_network(n, d, rng)
            L = networks.precision(network, 1.0) - np.eye(n)
            largest_leakage[a, b, k] = gaussian.leakage_sweep(L, priors).max(axis=1)
average = largest_leakage.mean(axis=2)
spread = largest_leakage.std(axis=2, ddof=1) / np.sqrt(8)

print("n = 100, mean over 8 draws;  columns τ =", *(f"{tau:g}" for tau in priors))
for d, row in zip(degrees, average[0]):
    print(f"d = {d:2d}  ", "  ".join(f"{value:7.3f}" for value in row))

# %% mystnb={"figure": {"caption": "Our rebuild of Figure 4 on a stated grid. Largest leakage coefficient of a random network against its average degree d, mean of eight draws with standard errors (mostly hidden by the markers). Grey, the ceiling n \u2212 1. A weak prior puts every network at the ceiling; a strong one makes degree decide.", "name": "fig-05-figure4"}, "image": {"alt": "Two panels, n = 100 and n = 200, with logarithmic axes. Five rising curves each, for priors from 0.0001 at the top, flat at n minus 1, to 10 at the bottom, nearly a straight line."}}
fig, axes = plots.panels(1, 2, width=8.4, height=3.7, sharey=True)
for ax, n, means, errors in zip(axes, sizes, average, spread):
    ax.axhline(n - 1, color=plots.COLOURS["grey"], lw=1, ls="-")
    for tau, mark, values, error in zip(priors, "osD^v", means.T, errors.T):
        ax.errorbar(degrees, values, error, marker=mark, ms=4.5, label=f"τ = {tau:g}")
    ax.set(
        xscale="log",
        yscale="log",
        title=f"n = {n}",
        xlabel="average degree d (links a tuple)",
    )
    ax.set_xticks(degrees, degrees)
    ax.set_ylim(0.1, 400)
    ax.minorticks_off()
axes[0].set_ylabel("largest leakage coefficient")
axes[1].legend(loc="lower right", fontsize=8.5, ncols=2)
plt.show()

# %%
with claim("Y-F4") as c:
    c.missing(
        "the image, with its n, d, τ and draws, is not in the text that we have"
    )
    c.at_most(
        average[:, :-1],
        average[:, 1:],
        "our grid: the largest coefficient rises with d",
    )
    c.at_most(average[..., 1:], average[..., :-1], "our grid: it falls with τ")
    last = GaussianModel(L + np.eye(200)).leakage_coefficients().max()
    c.close(
        largest_leakage[1, 4, 7, 3], last, "last draw at τ = 1, Cholesky", rtol=1e-9
    )

# %% [markdown]
# The picture rises everywhere. Is that an average over draws, or a law?
#
# ## Adding a link never helps
#
# ````{prf:theorem} More correlation, more leakage (section 6.1: 度数が大きければ大きいほど漏洩は大きい)
# :label: thm-05-rayleigh
#
# Let $P = L + \tau I$ with one prior $\tau > 0$ for all tuples. Adding a link between any two tuples, or
# raising the weight of one, lowers no $\ell_i$.
# ````
#
# The paper gives the reason in words: a larger degree means stronger correlation. The proof takes two
# lines. As $P\one = \tau\one$, the closed form of notebook 3 becomes
#
# $$ 1 + \ell_i = \frac{(P^{-1}\one)_i}{(P^{-1})_{ii}} = \frac{1}{\tau V_i}, \qquad V_i = (P^{-1})_{ii}, $$
#
# and a link of weight $w$ between $j$ and $k$ adds $w\,bb^{\mathsf T}$ to $P$, with $b = e_j - e_k$. The
# inverse changes by one rank,
#
# $$ V' = V - \frac{w\,(Vb)(Vb)^{\mathsf T}}{1 + w\,b^{\mathsf T}Vb}
#    \quad\Longrightarrow\quad V_i' = V_i - \frac{w\,(V_{ij} - V_{ik})^2}{1 + w\,b^{\mathsf T}Vb} \le V_i. $$
#
# To prove the first formula for every $n$, multiply: $(P + w\,bb^{\mathsf T})V'$ is the identity plus
# some multiple of $b\,b^{\mathsf T}V$. That multiple has to vanish.

# %%
w, rho = sp.symbols("w rho", positive=True)  # rho stands for b'Vb
multiple = w - w / (1 + w * rho) - w * (w * rho) / (1 + w * rho)
print("multiple of b b'V:", sp.simplify(multiple))

w12, w13, w23 = sp.symbols("w12 w13 w23", positive=True)
L3 = sp.Matrix(
    [[w12 + w13, -w12, -w13], [-w12, w12 + w23, -w23], [-w13, -w23, w13 + w23]]
)
V = (L3 + t * sp.eye(3)).inv()
ell_1 = 1 / (t * V[0, 0]) - 1
slope = sp.diff(ell_1, w23)
claimed = (1 + ell_1) ** 2 * t * (V[0, 1] - V[0, 2]) ** 2
top, bottom = sp.fraction(sp.factor(slope))
root = sp.sqrt(bottom)
print("slope of l_1 in w23:", top, "over the square of")
print("  ", sp.collect(root, t))
assert root.is_polynomial(t, w12, w13, w23)

# %% [markdown]
# A square over a square: the link between 2 and 3 is not tuple 1's own, and still it never lowers
# $\ell_1$. Then, without algebra: add every missing link to a random network in exact arithmetic, and let
# a larger one grow link by link.

# %%
small = random_network(7, 2, np.random.default_rng(5))
before = coefficients_of(small, sp.Rational(1, 3))
lowered = raised = 0
for j, k in nx.non_edges(small):
    more = small.copy()
    more.add_edge(j, k)
    gain = coefficients_of(more, sp.Rational(1, 3)) - before
    lowered += sum(1 for g in gain if g < 0)
    raised += sum(1 for g in gain if g > 0)

growing = random_network(60, 2, np.random.default_rng(7))
history = []
for j, k in list(nx.non_edges(growing))[::15]:
    growing.add_edge(j, k)
    history.append(GaussianModel.from_graph(growing, 0.2).leakage_coefficients())
history = np.array(history)

# %% tags=["hide-input"]
with claim("Y-6.c") as c:
    c.exact(
        sp.simplify(multiple),
        sp.Integer(0),
        "rank-one update of the inverse, every n",
    )
    c.exact(
        slope, claimed, "slope of the coefficient in a weight: a square, three tuples"
    )
    c.exact(
        lowered,
        0,
        f"7 tuples, every missing link: {raised} coefficients rise, none falls",
    )
    c.at_most(
        history[:-1],
        history[1:],
        f"60 tuples, {len(history)} links added",
        slack=1e-12,
    )
    c.at_most(
        average[:, :-1],
        average[:, 1:],
        "and so on average over draws, as in the figure",
    )

# %% [markdown]
# ## Only with one prior for all
#
# The proof used $P\one = \tau\one$. With a prior of its own for each tuple that is lost, and so is the
# theorem. Three tuples with priors $1, \frac1{10}, 100$, and a link between 1 and 2. The third is all but
# fixed at zero. Link it to the second, and it holds the second in place, so that tuple 1 moves the sum
# less.

# %%
own = sp.diag(1, sp.Rational(1, 10), 100)
one_link = (
    laplacian(nx.Graph([(0, 1)])).row_join(sp.zeros(2, 1)).col_join(sp.zeros(1, 3))
)
two_links = laplacian(nx.path_graph(3))
alone = GaussianModel(one_link + own).leakage_coefficients()
linked = GaussianModel(two_links + own).leakage_coefficients()
print("l_1 without the link 2–3:", alone[0], f"= {float(alone[0]):.3f}")
print("l_1 with it:             ", linked[0], f"= {float(linked[0]):.3f}")

with claim("Y-B13") as c:
    c.exact(
        [alone[0], linked[0]],
        [sp.Rational(10, 11), sp.Rational(1020, 2111)],
        "τ = (1, 0.1, 100)",
    )
    c.holds(bool(linked[0] < alone[0]), "the new link lowers the first coefficient")
    inverse = np.linalg.inv(np.array((two_links + own).tolist(), dtype=float))
    regression = inverse[0].sum() / inverse[0, 0] - 1
    c.close(
        regression, 1020 / 2111, "as a regression coefficient, in floats", rtol=1e-12
    )
    equal = [
        GaussianModel(m + own[0, 0] * sp.eye(3)).leakage_coefficients()[0]
        for m in (one_link, two_links)
    ]
    c.holds(
        bool(equal[0] < equal[1]), "with one common prior the same link raises it"
    )

# %% [markdown]
# The paper's experiments use one prior throughout, so its statement stands as it is meant.
#
# ## What the prior does
#
# The second trend of the figure: a stronger prior (事前分布) lowers every coefficient. Write
# $L = \sum_k \lambda_k v_k v_k^{\mathsf T}$. Then
#
# $$ \frac{1}{1 + \ell_i} = \tau V_i = \sum_k v_{ik}^2 \frac{\tau}{\lambda_k + \tau}, $$
#
# and every term grows with $\tau$, or is constant ($\lambda_k = 0$).

# %%
lam = sp.Symbol("lambda", nonnegative=True)
growth = sp.diff(t / (lam + t), t)
print("slope of one term:", sp.factor(growth))

path = coefficients_of(nx.path_graph(4))
falling = [sp.numer(sp.together(-sp.diff(value, t))) for value in path]
L = networks.precision(sparse_draw, 1.0) - np.eye(100)
grid = np.logspace(-6, 3, 91)
sweep = gaussian.leakage_sweep(L, grid)
isolated = [node for node, k in sparse_draw.degree() if k == 0]
friends = np.delete(sweep, isolated, axis=1)

# %% tags=["hide-input"]
with claim("Y-5.k") as c:
    c.exact(growth, lam / (lam + t) ** 2, "each term of 1/(1 + l) grows with τ")
    signs = [all(k > 0 for k in sp.Poly(top, t).coeffs()) for top in falling]
    c.exact(
        signs, [True] * 4, "path of 4: the slope in τ is negative for every τ > 0"
    )
    bound = sp.Integer(3)
    c.exact(
        [sp.limit(v, t, 0) for v in path],
        [bound] * 4,
        "no prior: n − 1 for everybody",
    )
    c.exact(
        [sp.limit(v, t, sp.oo) for v in path],
        [0] * 4,
        "τ → ∞: only one's own value is left",
    )
with claim("Y-6.f") as c:
    c.at_most(
        friends[1:],
        friends[:-1] * (1 - 1e-12),
        "random network, 91 priors: every tuple falls",
    )
    c.at_most(
        average[..., 1:],
        average[..., :-1],
        "the largest coefficient falls on the whole grid",
    )
    c.close(
        sweep[:, isolated],
        0.0,
        "a tuple without links has none to lose",
        rtol=0,
        atol=1e-12,
    )

# %% [markdown]
# ## A bracket from the degree
#
# Adding links raises a coefficient, removing them lowers it. That gives bounds for nothing: cut every link
# that does not touch $i$ and what is left is a star, which can be solved by hand; tie all the others to
# zero and what is left is one tuple with its links.
#
# ````{prf:proposition} Degree bounds (beyond the paper)
# :label: prp-05-bounds
#
# For $P = L + \tau I$ and $d_i = \sum_j w_{ij}$,
#
# $$ \sum_j \frac{w_{ij}}{w_{ij} + \tau} \;\le\; \ell_i \;\le\; \min\Bigl(n - 1, \frac{d_i}{\tau}\Bigr). $$
# ````
#
# Think of the network as wires of conductance $w_{ij}$, with a wire of conductance $\tau$ from each tuple
# to the ground. Then $1/V_i = \tau(1 + \ell_i)$ is the conductance between tuple $i$ and the ground, and
# {prf:ref}`thm-05-rayleigh` is Rayleigh's monotonicity law {cite:p}`doyle1984random`. The bound
# $n - 1$ is the limit of very thick wires: all $n$ tuples in one knot, with conductance $n\tau$ to the ground.

# %%
u1, u2, u3 = sp.symbols("u1 u2 u3", positive=True)
star = sp.Matrix(
    [[u1 + u2 + u3, -u1, -u2, -u3], [-u1, u1, 0, 0], [-u2, 0, u2, 0], [-u3, 0, 0, u3]]
)
centre = GaussianModel(star + t * sp.eye(4)).leakage_coefficients()[0]
by_hand = sum(u / (u + t) for u in (u1, u2, u3))

medium = random_network(200, 4, np.random.default_rng(9))
W = nx.to_numpy_array(medium) * np.random.default_rng(10).exponential(size=(200, 200))
W = np.triu(W, 1) + np.triu(W, 1).T  # the same network with random weights
with claim("Y-B3") as c:
    c.exact(centre, by_hand, "centre of a weighted star: equality on the left")
    for tau in (0.01, 0.3, 5.0):
        P = np.diag(W.sum(axis=0) + tau) - W
        ell = GaussianModel(P).leakage_coefficients()
        c.at_most(
            (W / (W + tau)).sum(axis=0),
            ell,
            f"200 tuples, random weights, τ = {tau:g}: left",
        )
        right = np.minimum(199, W.sum(axis=0) / tau)
        c.at_most(ell, right, f"200 tuples, random weights, τ = {tau:g}: right")
    complete = coefficients_of(nx.complete_graph(5))[0]
    c.exact(
        sp.limit(complete, t, 0),
        sp.Integer(4),
        "n − 1 is approached: complete graph, τ → 0",
    )

# %% mystnb={"figure": {"caption": "Every tuple of one random network (n = 200, d = 4) at two priors. The band is the bracket from the degree alone. At \u03c4 = 1 the degree all but decides; at \u03c4 = 0.02 tuples of equal degree differ widely.", "name": "fig-05-bounds"}, "image": {"alt": "Two scatter plots of leakage coefficient against degree from 0 to 10, each within a shaded band that widens with the degree. At prior 1 the dots form a thin rising line; at prior 0.02 they spread vertically and the columns overlap."}}
k = np.array([degree for _, degree in medium.degree()])
line = np.arange(0, k.max() + 1)
L = networks.precision(medium, 1.0) - np.eye(200)
fig, axes = plots.panels(1, 2, width=8.4, height=3.4)
for ax, tau, colour in zip(axes, (0.02, 1.0), ("orange", "blue")):
    roof = np.minimum(199, line / tau)
    ax.fill_between(
        line, line / (1 + tau), roof, color=plots.COLOURS["grey"], alpha=0.25, lw=0
    )
    ell = gaussian.leakage_sweep(L, np.array([tau]))[0]
    ax.plot(k, ell, "o", ms=4, alpha=0.6, color=plots.COLOURS[colour])
    ax.set(title=f"τ = {tau:g}", xlabel="degree (links)", xticks=line[::2])
axes[0].set_ylabel("leakage coefficient")
plt.show()

# %% [markdown]
# In both panels the dots climb, but within a column of equal degree they are not equal. Can they be so
# unequal that the order turns around?
#
# ## Two friends against three
#
# Section 6.2 explains the largest leakage by the largest correlation (最大の相関性). In one sense that is
# exact. With one prior, $\Var s = \one^{\mathsf T}P^{-1}\one = n/\tau$ and $\Cov(x_i, s) = 1/\tau$, so
#
# $$ \corr(x_i, s)^2 = \frac{(1/\tau)^2}{V_i\, n/\tau} = \frac{1}{n\tau V_i} = \frac{1 + \ell_i}{n}. $$
#
# The leakage *is* the squared correlation with the sum, times $n$.

# %%
inverse = (L3 + t * sp.eye(3)).inv()
ones = sp.ones(3, 1)
covariance = inverse * ones
correlation_squared = covariance[0] ** 2 / (
    inverse[0, 0] * (ones.T * inverse * ones)[0]
)
ell_1 = GaussianModel(L3 + t * sp.eye(3)).leakage_coefficients()[0]

V = np.linalg.inv(networks.precision(medium, 0.1))
corr = V.sum(axis=0) / np.sqrt(V.diagonal() * V.sum())
with claim("Y-6.i") as c:
    c.exact(
        1 + ell_1,
        3 * correlation_squared,
        "1 + l = n corr², three tuples, any weights",
    )
    ell = GaussianModel.from_graph(medium, 0.1).leakage_coefficients()
    c.close(
        1 + ell,
        200 * corr**2,
        "random network, n = 200: from the covariance",
        rtol=1e-9,
    )

# %% [markdown]
# Read as *the largest degree*, it is a rule of thumb that mostly works, and not a theorem. Take a path of
# three and hang two more tuples on each end.

# %%
broom = nx.Graph()
broom.add_nodes_from(range(7))
broom.add_edges_from([(0, 1), (1, 2), (0, 3), (0, 4), (2, 5), (2, 6)])
ell = coefficients_of(broom)
P = laplacian(broom) + t * sp.eye(7)
minor = [P.minor_submatrix(i, i).det() for i in (0, 1)]  # V_i = minor / det P
difference = sp.factor(minor[0] - minor[1])
print("minor 1 − minor 2 =", difference)
turn = sp.sqrt(5) - 2
assert sp.expand(difference - t * (t + 1) ** 2 * (t**2 + 4 * t - 1) * -1) == 0
assert sp.solve(t**2 + 4 * t - 1, t) == [turn]
assert bool(ell[1].subs(t, sp.Rational(1, 10)) > ell[0].subs(t, sp.Rational(1, 10)))
assert bool(ell[1].subs(t, 1) < ell[0].subs(t, 1))
middle, end = (float(ell[i].subs(t, sp.Rational(1, 10))) for i in (1, 0))
glue("middle", round(middle, 6), display=False)
glue("end", round(end, 6), display=False)
glue("turn", round(float(turn), 6), display=False)

# %% [markdown]
# $V_i$ is a minor over $\det P$, so the larger minor leaks less. The difference is positive exactly for
# $\tau < \sqrt5 - 2 \approx$ {glue:text}`turn:.3f`: there the middle tuple, with two links, leaks more than
# its neighbours with three. At $\tau = 0.1$ it is {glue:text}`middle:.4f` against {glue:text}`end:.4f`.

# %% mystnb={"figure": {"caption": "The double broom. Left, coefficients at \u03c4 = 0.1; the middle tuple, 2, leaks most. Right, its coefficient minus that of tuples 1 and 3. With a weak prior what counts is being central, with a strong one having many links.", "name": "fig-05-broom"}, "image": {"alt": "Left, a network of seven tuples, a path 1, 2, 3 with two leaves on each end; the middle one has the brightest colour. Right, a curve against the prior on a logarithmic axis that is positive up to 0.236, where a vertical line stands, and negative after."}}
corners = [(-1.8, 0.8), (-1.8, -0.8), (1.8, 0.8), (1.8, -0.8)]
spots = dict(enumerate([(-1, 0), (0, 0), (1, 0), *corners]))
taus = np.logspace(-2.5, 1, 200)
curves = gaussian.leakage_sweep(networks.precision(broom, 0.0), taus)
at_tenth = gaussian.leakage_sweep(networks.precision(broom, 0.0), np.array([0.1]))[0]
fig, (left, right) = plots.panels(1, 2, width=8.4, height=3.3)
plots.draw_network(
    broom,
    left,
    positions=spots,
    values=at_tenth,
    labels={i: str(i + 1) for i in range(7)},
    size=380,
    value_label="leakage coefficient",
)
right.plot(taus, curves[:, 1] - curves[:, 0])
right.axhline(0, color=plots.COLOURS["grey"], lw=1, ls="-")
right.axvline(float(turn), color=plots.COLOURS["orange"], lw=1.2, ls="--")
right.text(float(turn) * 1.1, 0.12, "√5 − 2", color=plots.COLOURS["orange"])
right.set(
    xscale="log", xlabel="prior τ", ylabel="coefficient of tuple 2 minus tuple 1"
)
plt.show()

# %% [markdown]
# Why this happens is in the two ends of the scale: for small $\tau$ the order is that of the diagonal of the
# pseudo-inverse $L^+$ (how far a tuple is from all others), for large $\tau$ that of the degrees,
#
# $$ 1 + \ell_i = n\,(1 - n\tau L^+_{ii} + O(\tau^2)), \qquad \ell_i = \frac{d_i}{\tau} + O(\tau^{-2}). $$

# %%
L = laplacian(broom)
J = sp.ones(7, 7) / 7
pseudo = (L + J).inv() - J
degree = [k for _, k in broom.degree()]
for i in (0, 1, 3):
    assert sp.series(1 + ell[i], t, 0, 2).removeO().coeff(t, 1) == -49 * pseudo[i, i]
    assert sp.limit(t * ell[i], t, sp.oo) == degree[i]
print(
    "diagonal of the pseudo-inverse:",
    [str(pseudo[i, i]) for i in (1, 0, 3)],
    "(tuples 2, 1, 4)",
)


# %% [markdown]
# ## Is there a smaller one?
#
# Is the broom a curiosity? All connected networks with at most seven tuples and unit weights are known,
# so we can ask each of them. Each minor is a polynomial in $\tau$ with integer coefficients. If for a tuple $j$
# some tuple $i$ of largest degree has no coefficient above $j$'s, then $j$ leaks at most as much as $i$ for *every*
# $\tau > 0$.

# %%
def minors(graph):
    """Coefficients of det(tau I + L without row and column i), one row for each i."""
    L = networks.precision(graph, 0.0).astype(int)
    n = len(L)
    keep = np.array([np.delete(np.arange(n), i) for i in range(n)])
    A = L[keep[:, :, None], keep[:, None, :]]
    M, last, rows = np.zeros_like(A), np.ones(n, dtype=int), [np.ones(n, dtype=int)]
    for k in range(1, n):  # Faddeev–LeVerrier, in integers
        M = last[:, None, None] * np.eye(n - 1, dtype=int) - A @ M
        last = np.trace(A @ M, axis1=1, axis2=2) // k
        rows.append(last)
    return np.array(rows).T


assert sp.expand(sp.Poly(minors(broom)[0].tolist(), t).as_expr() - minor[0]) == 0

# %%
connected, exceptions = np.zeros(8, dtype=int), []
for graph in nx.graph_atlas_g():
    if len(graph) < 2 or not nx.is_connected(graph):
        continue
    connected[len(graph)] += 1
    m, k = minors(graph), np.array([degree for _, degree in graph.degree()])
    top, rest = m[k == k.max()], m[k < k.max()]
    if not (top[None] <= rest[:, None]).all(axis=2).any(axis=1).all():
        exceptions.append((graph, top, rest))

turned = [  # exactly, at τ = 1/20: powers of 20 keep everything an integer
    min(r @ 20 ** np.arange(r.size) for r in rest)
    < min(r @ 20 ** np.arange(r.size) for r in top)
    for _, top, rest in exceptions
]
fewest = min(len(graph) for graph, _, _ in exceptions)
links = min(graph.number_of_edges() for graph, _, _ in exceptions)
print("connected networks with 2, …, 7 tuples:", *connected[2:])
print(f"order can turn in {len(exceptions)}, all of them with {fewest} tuples")
assert connected[2:7].sum() == 142 and connected[7] == 853
assert len(exceptions) == sum(turned) == 9 and fewest == 7 and links == 6
assert any(nx.is_isomorphic(graph, broom) for graph, _, _ in exceptions)

# %% [markdown]
# None with up to six tuples, nine of 853 with seven, the broom among them; all nine turn at
# $\tau = \frac1{20}$. This is exact: integers only.

# %% mystnb={"figure": {"caption": "The nine connected networks with seven tuples in which, for a weak prior, a tuple without the largest degree leaks most. That tuple is filled.", "name": "fig-05-nine"}, "image": {"alt": "Nine small drawings of networks with seven nodes; in each a central node is filled in orange, and it is never one of those with the most links."}}
fig, axes = plots.panels(3, 3, width=6.4, height=4.4)
for ax, (graph, _, _) in zip(axes.flat, exceptions):
    worst = GaussianModel.from_graph(graph, 0.05).leakage_coefficients().argmax()
    places = nx.kamada_kawai_layout(graph)
    nx.draw_networkx_edges(graph, places, ax=ax, edge_color=plots.COLOURS["grey"])
    fill = [plots.COLOURS["orange"] if node == worst else "white" for node in graph]
    nx.draw_networkx_nodes(
        graph, places, ax=ax, node_color=fill, node_size=60, edgecolors="black"
    )
    ax.set_aspect("equal")
    ax.margins(0.25)
    ax.axis("off")
plt.show()

# %% [markdown]
# With weights four tuples are enough, and three are not.

# %%
P3 = L3 + t * sp.eye(3)
gap = P3.minor_submatrix(1, 1).det() - P3.minor_submatrix(0, 0).det()
assert (
    sp.expand(gap - t * ((w12 + w13) - (w12 + w23))) == 0
)  # minors in the order of the degrees

four = nx.Graph()
four.add_nodes_from(range(4))
four.add_weighted_edges_from([(0, 3, 1), (1, 2, 3), (1, 3, 1), (2, 3, 1)])
ell = coefficients_of(four)
P = laplacian(four) + t * sp.eye(4)
gap = sp.factor(P.minor_submatrix(3, 3).det() - P.minor_submatrix(1, 1).det())
assert (
    sp.expand(gap - t * (t - 2)) == 0
)  # negative, so tuple 4 leaks more, iff tau < 2
print("degrees:", [int(k) for _, k in four.degree(weight="weight")])
print("coefficients at τ = 1:", [str(value.subs(t, 1)) for value in ell])
assert [value.subs(t, 1) for value in ell[[3, 1]]] == [
    sp.Rational(3, 2),
    sp.Rational(47, 33),
]


# %% [markdown]
# ## Slips

# %%
def check_limit(c):
    limit = sp.limit(coefficients_of(nx.path_graph(4))[0], t, 0)
    c.differs(sp.Integer(4), limit, "path of 4 tuples, τ → 0")
    c.exact(limit, sp.Integer(4) - 1, "n − 1 on a connected network")
    dense = average[0, 3:, 0]  # n = 100, d = 16 and 32, τ = 1e-4
    c.close(1 + dense, 100.0, "n = 100, τ = 0.0001: 1 + l is near n", rtol=2e-3)


smallest = slips(
    [
        (
            "Y-6.d",
            r"$\ell \to n$ as $\tau \to 0$",
            r"$\ell \to n - 1$, $1 + \ell \to n$",
            check_limit,
        )
    ]
)

# %% [markdown]
# The sentence goes on that the noise then has $n$ times the variance; it is the scale that is $n$-fold. That
# is one matter of terminology throughout the paper, treated in [notebook 3](03-gaussian-correlation-model.ipynb).
#
# ## Exercises
#
# ```{exercise-start} Hub or clique
# :label: ex-05-hub
# ```
# **Warm-up.** A hub with $n - 1$ friends who do not know each other, or a clique of $n$: where does one
# person leak more? Find both coefficients.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-05-hub
# :class: dropdown
# ```
# The hub and each member of the clique leak the same, $(n-1)/(1+\tau)$: links among the friends are between
# tuples that are equally close to the hub, $V_{ij} = V_{ik}$, so they change nothing
# for it. They do raise the friends' coefficients.

# %%
for n in (3, 5, 8):
    hub = coefficients_of(nx.star_graph(n - 1))
    clique = coefficients_of(nx.complete_graph(n))
    assert sp.simplify(hub[0] - (n - 1) / (1 + t)) == 0
    assert sp.simplify(clique[0] - (n - 1) / (1 + t)) == 0
    assert hub[1].subs(t, 1) < clique[1].subs(t, 1)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} When the degree decides
# :label: ex-05-decides
# ```
# **Standard.** Unit weights, one prior. Show that the tuple of largest degree $d_1$ leaks most if
# $d_1/d_2 \ge 1 + 1/\tau$, where $d_2$ is the second largest degree. Does the condition hold for the
# double broom at any $\tau$?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-05-decides
# :class: dropdown
# ```
# By {prf:ref}`prp-05-bounds` $\ell_1 \ge d_1/(1 + \tau)$ and every other coefficient is at most $d_2/\tau$.
# The first is at least the second if and only if $d_1/d_2 \ge (1 + \tau)/\tau$. In the broom two tuples
# share the largest degree, $d_1/d_2 = 1$, and the condition never holds.

# %%
hubs = nx.Graph([(0, k) for k in range(1, 10)] + [(1, 2), (3, 4), (1, 10), (1, 11)])
k = np.array([degree for _, degree in hubs.degree()])
first, second = np.sort(k)[::-1][:2]
threshold = 1 / (first / second - 1)
above = np.linspace(threshold, 20 * threshold, 50)
sweep = gaussian.leakage_sweep(networks.precision(hubs, 0.0), above)
assert (sweep.argmax(axis=1) == k.argmax()).all()
assert (first / (1 + above) >= second / above * (1 - 1e-12)).all()

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A link that protects
# :label: ex-05-third
# ```
# **Standard.** In the example with unequal priors keep $\tau_1 = 1$, $\tau_2 = \frac1{10}$. For which
# $\tau_3$ does the link between 2 and 3 lower $\ell_1$?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-05-third
# :class: dropdown
# ```
# Tuple 1's own prior does not enter its coefficient at all. With the link
# $\ell_1 = \dfrac{2 + \tau_3}{(1 + \tau_2)(1 + \tau_3) + \tau_3}$, without it $\dfrac{1}{1 + \tau_2}$, and the
# first is the smaller one exactly for $\tau_3 > 1 + \tau_2$, here $\frac{11}{10}$.

# %%
second, third = sp.symbols("tau2 tau3", positive=True)
with_link = GaussianModel(
    two_links + sp.diag(1, second, third)
).leakage_coefficients()[0]
assert (
    sp.simplify(with_link - (2 + third) / ((1 + second) * (1 + third) + third)) == 0
)
change = sp.factor(with_link - 1 / (1 + second))
print("change:", change)
assert sp.solve(sp.numer(change), third) == [1 + second]
assert change.subs({second: sp.Rational(1, 10), third: 100}) == linked[0] - alone[0]

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How often the order turns
# :label: ex-05-how-often
# ```
# **Research.** How often does the order turn in random networks? Estimate, for $n = 60$ and $d = 4$, the
# chance that the most leaking tuple does not have the largest degree, as a function of $\tau$. What should
# it tend to for $\tau \to \infty$, and why is it not small for $\tau \to 0$?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-05-how-often
# :class: dropdown
# ```
# For $\tau \to \infty$ the degree decides and the chance tends to 0. For $\tau \to 0$ what counts is the
# diagonal of $L^+$, which a tuple's position in the network decides together with its degree.

# %%
rng = np.random.default_rng(60)
taus, wrong = np.array([0.01, 0.1, 1.0, 10.0, 1e3]), np.zeros(5)
for _ in range(200):
    graph = random_network(60, 4, rng)
    k = np.array([degree for _, degree in graph.degree()])
    L = networks.precision(graph, 1.0) - np.eye(60)
    wrong += k[gaussian.leakage_sweep(L, taus).argmax(axis=1)] < k.max()
chance = wrong / 200
for tau, p in zip(taus, chance):
    error = np.sqrt(max(p * (1 - p), 1 / 200) / 200)
    print(f"τ = {tau:<6g} chance {p:.2f} ± {error:.2f}")
assert chance[0] > 0.05 and chance[-1] == 0 and np.all(np.diff(chance) <= 0.02)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - With one prior for all tuples an extra link lowers no coefficient, and a stronger prior lowers all of
#   them. Both trends of Figure 4 are theorems.
# - With priors of their own for the tuples an extra link can lower a coefficient.
# - Random networks need not be connected; with a prior that does no harm.
# - A degree brackets a coefficient. It orders the tuples for strong priors, not always for weak ones: the
#   smallest exceptions have seven tuples with unit weights, four with weights.
# - The exact statement is $1 + \ell_i = n \corr(x_i, s)^2$: whose value goes most with the sum leaks most.
#
# **Further reading.** Doyle and Snell {cite:p}`doyle1984random` for networks of wires and Rayleigh's law; the
# SIGMOD paper {cite:p}`yang2015correlated` for more experiments. **Next:**
# [the same questions on a real network](06-facebook.ipynb).
