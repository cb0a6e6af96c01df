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
# # Who leaks most, in theory and on a real network?
#
# A data set from Facebook has 4,039<!-- {n:,} --> people. One of them, vertex 107, has 1,045<!-- {degree[107]:,} --> friends. Suppose that friends have similar numbers, and that the sum of all numbers is published with noise. In the paper's model, the *prior precision* $\tau$ says how strongly each number is pulled towards 0. With $\tau = 1$, the noise that protects vertex 107 must be 586<!-- {1 + everybody(1)[107]:.0f} --> times as wide as for independent numbers. Averaged over all people, this factor is 37<!-- {1 + everybody(1).mean():.0f} -->.
#
# **The paper** {cite:p}`yangkanren` tests its model on random networks and on Facebook. It claims that denser networks leak more, and that a stronger prior (a larger $\tau$) lowers the leakage. Its third claim is that the person with the most friends *leaks most*: the noisy sum reveals most about this person's number. The paper's reason is that this person has the largest correlation with the others.
# **We find** that with one common prior, adding a link never lowers anybody's leakage, and a stronger prior never raises it. The third claim holds for these Facebook data, but not on every network. The reason is right if *correlation with the others* means the correlation with their *sum*.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how links, degrees and the prior change what a noisy sum reveals, who leaks most, and how much noise that costs.
# **You need** the leakage coefficient of [notebook 3](03-gaussian-correlation-model.ipynb), the inverse and the eigenvectors of a matrix.
# **Data:** 220 kB, downloaded once from their publisher {cite:p}`leskovec2014snap` if they are not on your machine.
# **Time:** 30 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one person's number, at most $M$ apart. **The attacker** knows the network, the prior and the distribution of the noise, but nobody's number. In this model, the sum leaks no more to an attacker who also knows some of the numbers ({prf:ref}`thm-04-forgetting` of notebook 4). **Protected:** the odds between two values of one number. The *leakage* is the largest change of their logarithm. **Not protected:** the friendships, which are public.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from itertools import combinations, pairwise

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sympy as sp

from privlib.notebook import datasets, plots

plots.use()
tau = sp.Symbol("tau", positive=True)


# %% [markdown]
# ## The tuple with the smallest variance leaks most
#
# Each person's number is a *tuple*, and $w_{ij} \ge 0$ is the weight of the link between tuples $i$ and $j$. (In the experiments, all weights are 0 or 1.) The *Laplacian* $L$ of the network has the degrees $d_i = \sum_j w_{ij}$ on its diagonal, and $-w_{ij}$ elsewhere. Here is the precision matrix $P = L + \tau I$ of four people in a row:

# %%
def laplacian(graph):
    """The Laplacian L as an exact matrix."""
    L = nx.laplacian_matrix(graph, nodelist=sorted(graph)).toarray()
    return sp.Matrix(L.astype(int).tolist())


row_of_four = nx.path_graph(4)
P = laplacian(row_of_four) + sp.eye(4) / 10  # tau is 1/10
P


# %% [markdown]
# In the model of {prf:ref}`def-03-model` of notebook 3, the density of all tuples $x$ is proportional to $e^{-x^{\mathsf T} P x/2}$. The exponent contains
#
# $$ x^{\mathsf T} P x = \sum_{i < j} w_{ij} (x_i - x_j)^2 + \tau \sum_i x_i^2 . $$
#
# The first sum makes linked tuples similar. The second sum comes from the *prior* (事前分布), which pulls every tuple towards 0. Without the prior, the precision matrix would be $L$, which has no inverse. With it, the covariance matrix $V = P^{-1}$ exists. (Tuples are numbered from 0, as in the code.)
#
# The sum $s$ of all tuples is published with Laplace noise of scale $\lambda$. By {prf:ref}`thm-03-leakage` of notebook 3, this changes the attacker's log odds about $x_i$ by at most $\frac M\lambda (1 + \ell_i)$, where $\ell_i$ is the *leakage coefficient* (漏洩係数). For independent tuples, $\ell_i = 0$. The factor 586<!-- {1 + everybody(1)[107]:.0f} --> above is $1 + \ell_{107}$.
#
# Notebook 3 also shows that $1 + \ell_i = \operatorname{Cov}(x_i, s)/\operatorname{Var}(x_i)$. In other words, when $x_i$ rises by one, the expected sum rises by $1 + \ell_i$.
#
# ```{prf:proposition} Leakage with one common prior
# :label: prp-05-variance
# For $n$ tuples, let $P = L + \tau I$ and $V = P^{-1}$. Then
#
# $$ 1 + \ell_i = \frac{1}{\tau V_{ii}} = n \operatorname{corr}(x_i, s)^2 . $$
# ```
#
# ```{prf:proof}
# The rows of $L$ sum to 0, so $P\mathbf 1 = \tau\mathbf 1$ and $V\mathbf 1 = \frac1\tau\mathbf 1$. The $i$th entry of $V\mathbf 1$ is $\operatorname{Cov}(x_i, s) = 1/\tau$, and the sum of all entries is $\operatorname{Var} s = n/\tau$. Substitute both into $1 + \ell_i = \operatorname{Cov}(x_i, s)/V_{ii}$, and into the squared correlation.
# ```

# %%
def coefficients(graph, prior):
    """Leakage coefficients of all tuples, exactly."""
    V = (laplacian(graph) + prior * sp.eye(len(graph))).inv()
    return [sp.factor(1 / (prior * V[i, i]) - 1) for i in range(len(graph))]


for prior in (sp.Rational(1, 1000), sp.Rational(1, 10), 1):
    print(prior, [round(float(ell), 3) for ell in coefficients(row_of_four, prior)])


# %% [markdown]
# All tuples have the same covariance with the sum. The tuple with the smallest variance therefore leaks most. Here, these are the two tuples in the middle. (The paper reports only $\ell_i$, which determines the leakage for given $M$ and $\lambda$.)
#
# ```{evidence} Y-6.b
# ```
#
# ## A random network need not be connected
#
# ````{prf:algorithm} Random network (section 6.1, *artificial data*, 人工データ)
# :label: alg-05-network
#
# **Input:** the number $n$ of tuples, the average degree $d$ (度数), the prior precision $\tau > 0$.
#
# 1. Start without links.
# 2. Choose $nd/2$ of the $n(n-1)/2$ pairs at random, and link them with weight 1.
# 3. Return $P = L + \tau I$ (the paper's $\hat L$).
# ````

# %%
def random_network(n, d, rng):
    """Link n d / 2 pairs; every choice of pairs is equally likely."""
    pairs = list(combinations(range(n), 2))
    chosen = rng.choice(len(pairs), size=n * d // 2, replace=False)
    network = nx.empty_graph(n)
    network.add_edges_from(pairs[k] for k in chosen)
    return network


def leakage_coefficients(graph, prior):
    """The proposition in floating point, for larger networks."""
    L = nx.laplacian_matrix(graph, nodelist=sorted(graph)).toarray()
    V = np.linalg.inv(L + prior * np.eye(len(graph)))
    return 1 / (prior * V.diagonal()) - 1


# %% [markdown]
# Each link counts for two tuples, so the average degree is $d$. (If $nd$ is odd, no such network exists.)

# %%
rng = np.random.default_rng(6)
sizes = []
for _ in range(1000):
    components = nx.connected_components(random_network(100, 2, rng))
    sizes.append(max(len(component) for component in components))
print(f"largest component: {np.mean(sizes):.1f} tuples on average, at most {max(sizes)}")

# %% [markdown]
# Section 5.1 of the paper assumes a connected network. But none of these 1,000<!-- {len(sizes):,} --> networks is connected. Does that matter? Not with a prior. Then $P$ has an inverse all the same, and each component is a model of its own.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A random network with n = 100 and d = 2, coloured by the leakage coefficient at \u03c4 = 0.01. Every tuple outside the large component leaks less than every tuple inside. Inside, the tuples that are few links away from the others leak most.", "name": "fig-05-network"}, "image": {"alt": "A large tangled component of 78<!-- {len(parts[0])} --> dots, yellow in its middle and darker towards the tips of its branches, and at its right columns of single dots and small groups in dark blue."}} tags=["figure"]
sparse_draw = random_network(100, 2, np.random.default_rng(3))
parts = sorted(nx.connected_components(sparse_draw), key=len, reverse=True)
inside = sorted(parts[0])
places = nx.kamada_kawai_layout(sparse_draw.subgraph(inside))
column, height = 0, 0
for part in parts[1:]:  # the small components stand in columns at the right
    if height + len(part) > 8:
        column, height = column + 1, 0
    for node in sorted(part):
        places[node] = (1.35 + 0.2 * column, 0.9 - 0.24 * height)
        height += 1
ell = leakage_coefficients(sparse_draw, 0.01)
closeness = [nx.closeness_centrality(sparse_draw, node) for node in inside]
assert np.delete(ell, inside).max() < ell[inside].min()
assert np.corrcoef(ell[inside], closeness)[0, 1] > 0.9
fig, ax = plots.panels(height=4.4)
plots.draw_network(sparse_draw, ax, positions=places, labels={}, size=38,
                   values=ell, value_label="leakage coefficient")
plt.show()

# %% [markdown]
# ```{evidence} Y-6.a Y-6.a-connected
# ```
#
# ## Adding a link never lowers a coefficient
#
# The paper's Figure 4 shows the largest coefficient of random networks against $d$. Our copy of the paper lacks this picture, and with it the values of $n$, $d$ and $\tau$. We choose our own:

# %%
degrees, priors = (2, 4, 8, 16, 32), (1e-4, 0.01, 0.1, 1, 10)
rng = np.random.default_rng(2015)
largest = np.empty((2, 5, 8, 5))  # for n, d, draw, prior
for a, n in enumerate((100, 200)):
    for b, d in enumerate(degrees):
        for draw in range(8):
            network = random_network(n, d, rng)
            for c, prior in enumerate(priors):
                largest[a, b, draw, c] = leakage_coefficients(network, prior).max()
average = largest.mean(axis=2)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Our version of the paper's Figure 4. Largest leakage coefficient of a random network against its average degree d, mean of eight draws with standard errors (mostly hidden by the markers). The grey line is the ceiling n \u2212 1. All curves rise with d, and all fall as \u03c4 grows.", "name": "fig-05-figure4"}, "image": {"alt": "Two panels, n = 100 and n = 200, with logarithmic axes. Five rising curves each, for \u03c4 from 0.0001 at the top, just below n minus 1 from degree 4 on, to 10 at the bottom, nearly a straight line."}} tags=["figure"]
spread = largest.std(axis=2, ddof=1) / np.sqrt(8)
fig, axes = plots.panels(1, 2, width=8.4, height=3.6, sharey=True)
for ax, n, means, errors in zip(axes, (100, 200), average, spread):
    ax.axhline(n - 1, color=plots.COLOURS["grey"], lw=1, ls="-")
    ax.text(2, 1.2 * n, "n − 1", color=plots.COLOURS["grey"])
    for prior, marker, values, error in zip(priors, "osD^v", means.T, errors.T):
        ax.errorbar(degrees, values, error, marker=marker, ms=4.5, label=f"τ = {prior:g}")
    ax.set(xscale="log", yscale="log", title=f"n = {n}", xlabel="average degree d (links)")
    ax.set_xticks(degrees, degrees)
    ax.set_ylim(0.1, 600)
    ax.minorticks_off()
assert (np.diff(average, axis=1) > 0).all() and (np.diff(average, axis=2) < 0).all()
axes[0].set_ylabel("largest leakage coefficient")
axes[1].legend(loc="lower right", fontsize=8.5, ncols=2)
plt.show()

# %% [markdown]
# All curves rise. This is not due to chance:
#
# ```{prf:theorem} Adding a link (section 6.1: the larger the degree, the larger the leakage)
# :label: thm-05-rayleigh
# With one common prior $\tau > 0$, adding a link between any two tuples, or raising the weight of a link, never lowers a coefficient $\ell_i$.
# ```
#
# ```{prf:proof}
# Let $w$ be the weight of the new link, or the additional weight, between tuples $j$ and $k$. With the unit vectors $e_j$ and $e_k$ and $b = e_j - e_k$, the matrix $P$ becomes $P + w\,bb^{\mathsf T}$. Let $\rho = b^{\mathsf T} V b \ge 0$ and $c = \frac{w}{1 + w\rho}$. The new inverse is $V - c\,V b\,b^{\mathsf T} V$ (the Sherman–Morrison formula). Its $i$th diagonal entry is
#
# $$ V_{ii} - c\,(V_{ij} - V_{ik})^2 \le V_{ii} . $$
#
# A smaller variance means a larger coefficient, by {prf:ref}`prp-05-variance`.
# ```
#
# To check the formula of the proof, multiply:
#
# $$ (P + w\,bb^{\mathsf T})(V - c\,V b\,b^{\mathsf T} V) = I + (w - c - w\rho c)\, b\,b^{\mathsf T} V . $$
#
# The last bracket is 0:

# %%
w, rho = sp.symbols("w rho", positive=True)
c = w / (1 + w * rho)
assert sp.simplify(w - c - w * rho * c) == 0

# %% [markdown]
# For networks of resistors, the theorem is Rayleigh's monotonicity law {cite:p}`doyle1984random`.
#
# The theorem compares a network with the *same* network and one more link. Of two different networks, the one with more links can leak less. At $\tau = 0.1$, five people in a star (4 links) have the largest coefficient 3.64<!-- {leakage_coefficients(nx.star_graph(4), 0.1).max():.2f} -->. If four people are all linked to each other, and a fifth has no link (6 links), it is only 2.73<!-- {leakage_coefficients(nx.complete_graph(4), 0.1).max():.2f} -->.
#
# For random networks, the *expected* largest coefficient never falls as $d$ grows. To compare two values of $d$, put all pairs in one random order, and link the first $nd/2$ pairs for each $d$. Each of the two networks, taken alone, is distributed as in {prf:ref}`alg-05-network`. The denser one contains the sparser one, so its largest coefficient is at least as large. So the same holds for the expected values. (A mean of eight independent draws could still fall by chance.)
#
# The paper's reason for the rising curves is that a large degree means strong correlation. For the correlation with the *sum*, this is right: since $\operatorname{corr}(x_i, s)^2 = (1 + \ell_i)/n$, adding a link never lowers it. For a single pair of tuples it can be wrong. Tuples 0 and 1 are linked, $\tau = 1$, and we add a link between 1 and 2:

# %%
one_link = nx.empty_graph(3)
one_link.add_edge(0, 1)
for network in (one_link, nx.path_graph(3)):
    V = (laplacian(network) + sp.eye(3)).inv()
    pair = V[0, 1] / sp.sqrt(V[0, 0] * V[1, 1])
    with_sum = sum(V[0, :]) / sp.sqrt(V[0, 0] * sum(V))
    print(f"tuples 0 and 1: {float(pair):.3f}; tuple 0 and the sum: {float(with_sum):.3f}")

# %% [markdown]
# Tuple 1 now depends on tuple 2 as well, so its correlation with tuple 0 is smaller. (If the tuples have different priors, even the theorem can fail: see the {ref}`second exercise <ex-05-third>`.)
#
# ```{evidence} Y-F4 Y-6.c Y-6.c-why Y-B13
# ```
#
# ## A stronger prior lowers every coefficient
#
# ```{prf:proposition} Leakage and the prior (sections 5.5 and 6.1)
# :label: prp-05-prior
# Let $L$ have the eigenvalues $\mu_k \ge 0$ and the orthonormal eigenvectors $v_k$. Then
#
# $$ \frac{1}{1 + \ell_i} = \tau V_{ii} = \sum_k v_{ik}^2\, \frac{\tau}{\mu_k + \tau} , $$
#
# so every coefficient falls as $\tau$ grows. (The coefficient of a tuple without links is always 0.) On a connected network it tends to $n - 1$ as $\tau \to 0$.
# ```
#
# ```{prf:proof}
# $L + \tau I$ has the same eigenvectors as $L$, with eigenvalues $\mu_k + \tau$. This gives the formula. A term $\tau/(\mu_k + \tau)$ rises with $\tau$ if $\mu_k > 0$, and is always 1 if $\mu_k = 0$. If tuple $i$ has a link, then $L e_i \ne 0$, so some $v_{ik}^2 > 0$ belongs to a $\mu_k > 0$.
#
# On a connected network exactly one eigenvalue is 0. Its eigenvector is constant, with $v_{ik}^2 = \frac1n$. As $\tau \to 0$, its term stays at $\frac1n$, and all others vanish.
# ```
#
# Here is the coefficient of the first of four people in a row, with `tau` as a sympy symbol ({numref}`fig-05-row` also shows the second):

# %%
end = coefficients(row_of_four, tau)[0]
slope = sp.factor(sp.diff(end, tau))
print(end)
print("slope:", slope)
assert sp.limit(end, tau, 0) == 3  # n - 1

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage coefficients of four people in a row against the prior precision \u03c4. Both fall from n \u2212 1 = 3 (dotted) towards 0. At every \u03c4 the two people in the middle leak more than those at the ends.", "name": "fig-05-row"}, "image": {"alt": "Two falling curves on a logarithmic axis for \u03c4 from 0.001 to 100, from nearly 3 to nearly 0. The curve of the middle lies above that of the ends."}} tags=["figure"]
precisions = np.geomspace(1e-3, 100, 101)
fig, ax = plots.panels(height=2.9)
curves = []
for who, label in ((1, "middle"), (0, "end")):
    formula = sp.lambdify(tau, coefficients(row_of_four, tau)[who])
    curves.append(formula(precisions))
    ax.semilogx(precisions, curves[-1], label=label)
assert (curves[0] > curves[1]).all() and (np.diff(curves) < 0).all()
ax.axhline(3, color=plots.COLOURS["grey"], ls=":")
ax.set(xlabel="prior precision τ", ylabel="leakage coefficient")
ax.legend()
plt.show()

# %% [markdown]
# The slope is negative for every $\tau > 0$. The paper says that the coefficient approaches $n$ when $\tau$ is very small. In fact $1 + \ell$ approaches $n$, and $\ell$ approaches $n - 1$.
#
# ```{evidence} Y-5.k Y-6.d Y-6.f
# ```
#
# ## Does the tuple with the most links leak most? Not always
#
# ```{prf:proposition} Bounds by the degree
# :label: prp-05-bounds
# With one common prior,
#
# $$ \sum_j \frac{w_{ij}}{w_{ij} + \tau} \;\le\; \ell_i \;\le\; \min\Bigl(n - 1, \frac{d_i}{\tau}\Bigr). $$
# ```
#
# ```{prf:proof}
# *Left:* Remove all links that do not touch $i$. By {prf:ref}`thm-05-rayleigh`, this never raises a coefficient. What is left is a star around $i$. In its exponent, $x_i$ and the tuples linked to it contribute
#
# $$ (\tau + d_i)\, x_i^2 + \sum_j \bigl[(w_{ij} + \tau)\, x_j^2 - 2 w_{ij}\, x_i x_j\bigr] . $$
#
# Complete the square in each $x_j$, and integrate over $x_j$. This leaves $\bigl(\tau + d_i - \sum_j \frac{w_{ij}^2}{w_{ij} + \tau}\bigr) x_i^2$, and the bracket is $1/V_{ii}$ of the star. Since $d_i = \sum_j w_{ij}$, it equals $\tau + \sum_j \frac{\tau w_{ij}}{w_{ij} + \tau}$. Divide by $\tau$.
#
# *Right:* If all other tuples are known, $x_i$ has variance $1/P_{ii} = 1/(d_i + \tau)$. Knowing more never raises the variance of a normal variable, so $V_{ii} \ge 1/(d_i + \tau)$ and $\ell_i \le d_i/\tau$. And since a correlation is at most 1, $1 + \ell_i = n\operatorname{corr}(x_i, s)^2 \le n$.
# ```
#
# With weights 1, the left side is $d_i/(1 + \tau)$, and the centre of a star attains it:

# %%
star = nx.star_graph(4)  # tuple 0 is linked to four others
assert sp.simplify(coefficients(star, tau)[0] - 4 / (1 + tau)) == 0

# %% [markdown]
# When $\tau$ is large, the ratio of the two bounds is close to 1, so the degrees decide who leaks most. When $\tau$ is small, the degrees need not decide. In the following network, tuples 0 and 2 have three links each, and tuple 1 between them has two:

# %%
broom = nx.empty_graph(7)
broom.add_edges_from([(0, 1), (1, 2), (0, 3), (0, 4), (2, 5), (2, 6)])
ell_broom = coefficients(broom, sp.Rational(1, 10))
print([round(float(ell), 3) for ell in ell_broom])
assert ell_broom[1] > ell_broom[0]

# %% [markdown]
# Tuple 1 leaks most at $\tau = 0.1$. For which $\tau$ does it leak more than tuple 0? By Cramer's rule, $V_{ii}$ is the minor of $P$ without row and column $i$, divided by $\det P$. So we compare two minors:

# %%
P = laplacian(broom) + tau * sp.eye(7)
minors = [P.minor_submatrix(i, i).det() for i in (0, 1)]
sp.factor(minors[0] - minors[1])

# %% [markdown]
# The difference is positive for $\tau < \sqrt5 - 2 \approx$ 0.236<!-- {5**0.5 - 2:.3f} -->. There $V_{00} > V_{11}$, so tuple 1 leaks more.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The network of seven. Left, the coefficients at \u03c4 = 0.1: tuple 1 in the middle leaks most. Right, its coefficient minus that of tuple 0. With a weak prior tuple 1 leaks more, with a strong prior tuple 0, which has more links.", "name": "fig-05-broom"}, "image": {"alt": "Left, a network of seven tuples, a path 0, 1, 2 with two leaves on each end; the middle one has the brightest colour. Right, a curve against the prior precision on a logarithmic axis that is positive up to 0.236<!-- {turn:.3f} -->, where a vertical line stands, and negative after."}} tags=["figure"]
corners = [(-1.8, 0.8), (-1.8, -0.8), (1.8, 0.8), (1.8, -0.8)]
spots = dict(enumerate([(-1, 0), (0, 0), (1, 0), *corners]))
taus = np.logspace(-2.5, 1, 200)
curves = np.array([leakage_coefficients(broom, prior) for prior in taus])
fig, (left, right) = plots.panels(1, 2, width=8.4, height=3.2)
plots.draw_network(broom, left, positions=spots, values=leakage_coefficients(broom, 0.1),
                   size=380, value_label="leakage coefficient")
left.margins(0.2, 0.3)
right.plot(taus, curves[:, 1] - curves[:, 0])
right.axhline(0, color=plots.COLOURS["grey"], lw=1, ls="-")
turn = 5**0.5 - 2
right.axvline(turn, color=plots.COLOURS["orange"], lw=1.2, ls="--")
right.text(turn * 1.1, 0.12, "√5 − 2", color=plots.COLOURS["orange"])
right.set(xscale="log", xlabel="prior precision τ", ylabel="coefficient of tuple 1 minus tuple 0")
fig.get_layout_engine().set(w_pad=0.15)
plt.show()

# %% [markdown]
# Why does tuple 1 leak more? By {prf:ref}`prp-05-prior`, $1/(1 + \ell_i)$ is approximately $\frac1n + \tau \sum_{\mu_k > 0} v_{ik}^2/\mu_k$ for small $\tau$. So the tuple with the smallest sum leaks most as $\tau \to 0$. The sum is small for a tuple that is close to *all* others. This closeness is known to rank tuples differently from the degree {cite:p}`bozzo2013resistance`.
#
# Can this happen with fewer tuples? We try all connected networks with at most seven tuples:

# %%
connected = [g for g in nx.graph_atlas_g()[2:] if nx.is_connected(g)]
exceptions = []
for network in connected:
    ell = leakage_coefficients(network, 0.05)
    links = np.array([network.degree(i) for i in range(len(network))])
    leaks_most = ell > ell.max() - 1e-9
    if links[leaks_most].max() < links.max():
        exceptions.append(len(network))
print(len(connected), "networks; sizes of the exceptions:", exceptions)

# %% [markdown]
# At $\tau = 0.05$, all 9<!-- {len(exceptions)} --> exceptions have 7<!-- {min(exceptions)} --> tuples. The [evidence for this page](../evidence/correlated/05-who-leaks-most.ipynb) proves that no network with up to six tuples is an exception, at any $\tau$.
#
# ```{evidence} Y-B3 Y-B3.order
# ```
#
# ## On Facebook, vertex 107 leaks most at every prior
#
# The data come from {cite:t}`mcauley2012learning`: ten Facebook users shared their lists of friends. The network has these ten users, their friends, and all friendships among the friends of each user.

# %%
facebook = datasets.facebook()
n = len(facebook)
degree = np.array([facebook.degree(i) for i in range(n)])
print(f"{n:,} people, {facebook.number_of_edges():,} friendships")
print(f"largest degree {degree.max():,}")

# %% [markdown]
# The paper prints the same three numbers. (Its Figure 5(a) shows the distribution of the degrees, 度数分布. The median is 25<!-- {np.median(degree):.0f} -->.)
#
# ```{prf:remark} What the paper observes on Facebook (section 6.2, *social network data*, ソーシャルネットワークデータ)
# :label: prp-06-observations
# 1. The tuple with the largest degree, 1,045, has the largest leakage coefficient.
# 2. The reason is that it has the largest correlation (最大の相関性) with the other tuples.
# 3. The coefficients decrease as the prior grows.
# ```
#
# By {prf:ref}`prp-05-prior`, the eigenvalues and eigenvectors of one matrix give the coefficients of all people for every prior:

# %%
L = nx.laplacian_matrix(facebook, nodelist=range(n)).toarray().astype(float)
mu, v = np.linalg.eigh(L)
mu[0] = 0  # the network is connected
squares = v**2


def everybody(prior):
    """Leakage coefficients of all people, by the eigenvectors."""
    return 1 / (squares @ (prior / (mu + prior))) - 1


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The leakage coefficients of vertex 107 and of the vertex with the second largest coefficient (number at the square) at five priors, and the mean over all people. If they were proportional to 1/\u03c4, the lines would be parallel to the dotted one. None can exceed n \u2212 1 (grey).", "name": "fig-06-priors"}, "image": {"alt": "Logarithmic plot of leakage coefficients against the prior precision \u03c4 from 0.001 to 10. Vertex 107 falls from 3,953<!-- {everybody(0.001)[107]:,.0f} --> just below n \u2212 1 to 95<!-- {everybody(10)[107]:.0f} -->. The second largest lies a little below it; it is vertex 1888 at the two smallest priors, then vertex 1684. The mean falls from 2,973<!-- {everybody(0.001).mean():,.0f} --> to 4.2<!-- {everybody(10).mean():.1f} -->. For small priors all lines are flatter than the dotted line of slope minus one."}} tags=["figure"]
priors = np.array([0.001, 0.01, 0.1, 1, 10])
at_priors = np.array([everybody(prior) for prior in priors])
first, second = np.argsort(-at_priors, axis=1)[:, :2].T
assert (first == 107).all()
assert second.tolist() == [1888, 1888, 1684, 1684, 1684]
runner_up = at_priors[np.arange(5), second]
fig, ax = plots.panels(height=3.6)
ax.axhline(n - 1, color=plots.COLOURS["grey"], lw=1, ls="-")
ax.loglog(priors, at_priors[:, 107], "o-", label=f"vertex 107 ({degree[107]:,} friends)")
ax.plot(priors, runner_up, "s--", label="second largest")
ax.plot(priors, at_priors.mean(axis=1), "^-.", label="mean")
falling = np.array([0.25, 10])
ax.plot(falling, 10 * at_priors[-1, 107] / falling, ":", color=plots.COLOURS["black"],
        label="proportional to 1/τ")  # fmt: skip
for prior, vertex, value in zip(priors, second, runner_up):
    ax.annotate(str(vertex), (prior, value), xytext=(-7, -12), textcoords="offset points",
                ha="right", fontsize=8.5)  # fmt: skip
ax.text(15, 1.1 * n, "n − 1", color=plots.COLOURS["grey"])
ax.set(xlabel="prior precision τ", ylabel="leakage coefficient", ylim=(2, 9000), xlim=(3e-4, 40))
ax.legend(loc="lower left")
plt.show()

# %% [markdown]
# At these priors, the first and the third observation are right. The coefficients are not proportional to $1/\tau$. From $\tau = 1$ to 0.01, the coefficient of vertex 107 grows only by a factor of 5.8<!-- {everybody(0.01)[107] / everybody(1)[107]:.1f} -->, because it cannot exceed $n - 1$. {numref}`fig-06-leakage` shows the coefficients of all people:

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Our version of the paper's Figure 5(b), for four values of \u03c4 of our choice. Each dot is one person. Circled, vertex 107; squared, vertex 1684 with 792<!-- {degree[1684]} --> friends. At \u03c4 = 10 the degree nearly determines the coefficient. At \u03c4 = 0.01 many people with fewer friends leak more than vertex 1684. No coefficient exceeds n \u2212 1 (grey).", "name": "fig-06-leakage"}, "image": {"alt": "Log-log scatter plot with four clouds of 4,039<!-- {n:,} --> dots each. The clouds for \u03c4 = 10 and 1 are nearly straight rising lines; for 0.1 and 0.01 they widen and bend below the ceiling. In each the rightmost dot, circled, is the highest; the one next to it has a square."}} tags=["figure"]
fig, ax = plots.panels(height=4.4, width=7.6)
ax.axhline(n - 1, color=plots.COLOURS["grey"], lw=1, ls="-")
for prior, name in zip((0.01, 0.1, 1, 10), ("orange", "green", "purple", "sky")):
    at = everybody(prior)
    assert at.argmax() == 107
    ax.loglog(degree, at, "o", ms=2.5, alpha=0.5, mew=0, color=plots.COLOURS[name])
    ax.plot(degree[107], at[107], "o", ms=9, mfc="none", mew=1.5, color="black")
    ax.plot(degree[1684], at[1684], "s", ms=7, mfc="none", mew=1.2, color="black")
    ax.text(1300, 0.95 * at[107], f"τ = {prior:g}", va="center", fontsize=9.5)
ax.text(0.9, 1.25 * n, "n − 1", color=plots.COLOURS["grey"])
ax.set(xlabel="degree (friends)", ylabel="leakage coefficient")
ax.set(xlim=(0.8, 4200), ylim=(0.06, 12_000))
plt.show()


# %% [markdown]
# Does vertex 107 leak most at *every* prior? In the formula of {prf:ref}`prp-05-prior`, leave out the term $\frac1n$ of the eigenvalue 0, and divide by $\tau$:
#
# $$ h_i(\tau) = \frac1\tau \Bigl( \frac{1}{1 + \ell_i} - \frac1n \Bigr) = \sum_{\mu_k > 0} \frac{v_{ik}^2}{\mu_k + \tau} . $$
#
# The person with the smallest $h_i$ leaks most, and every $h_i$ falls as $\tau$ grows. Suppose that $h_{107}(a) \le h_j(b)$ for two priors $a < b$ and all $j \ne 107$. Then for every $\tau$ between $a$ and $b$,
#
# $$ h_{107}(\tau) \le h_{107}(a) \le h_j(b) \le h_j(\tau) . $$
#
# Ten such intervals reach from $\tau = 0$ to 13/4:

# %%
def h(prior):
    return squares[:, 1:] @ (1 / (mu[1:] + prior))


others = np.arange(n) != 107
ends = [0, 1 / 512, 1 / 128, 1 / 32, 1 / 8, 1 / 4, 1 / 2, 1, 2, 5 / 2, 13 / 4]
ratios = []
for a, b in pairwise(ends):
    ratios.append(h(b)[others].min() / h(a)[107])
assert min(ratios) > 1

# %% [markdown]
# So vertex 107 leaks most in each interval. The smallest ratio is 1.19<!-- {min(ratios):.2f} -->, so rounding errors do not matter. (The evidence proves the same inequalities in exact integer arithmetic.)
#
# For larger priors, {prf:ref}`prp-05-bounds` is enough: $\ell_{107} \ge d_{107}/(1 + \tau)$. Vertex 1684 has the second largest degree, 792<!-- {degree[1684]} -->, so nobody else's coefficient is above $d_{1684}/\tau$. The first is larger when $\tau > d_{1684}/(d_{107} - d_{1684})$, which is 3.13<!-- {degree[1684] / (degree[107] - degree[1684]):.2f} --> and less than 13/4.
#
# Do the people with the next most friends also leak next most? With weak priors they do not:

# %%
rank_weak = (-everybody(0.01)).argsort().argsort() + 1  # 1 for the largest, at τ = 0.01
for vertex in (107, 1684, 1888):
    print(f"vertex {vertex} ({degree[vertex]} friends): rank {rank_weak[vertex]}")

assert np.argsort(-degree)[1] == 1684
assert set(facebook[1888]) - {107} <= set(facebook[107])

# %% [markdown]
# One friend of vertex 1888 is vertex 107, and the other 253<!-- {degree[1888] - 1} --> are all friends of vertex 107. Again, closeness to all others seems to count more than the number of friends.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Rank by leakage of the five people with the most friends, and of vertex 1888 with 254<!-- {degree[1888]} --> friends. With strong priors the degree decides the order of the five. With weak priors only vertex 107 of the five keeps its place.", "name": "fig-06-ranks"}, "image": {"alt": "Rank on an inverted logarithmic axis against the prior precision. Vertex 107 stays at rank 1. At the left end, the four people with the next most friends have ranks 104<!-- {rank[0, hubs[1]]} -->, 150<!-- {rank[0, hubs[2]]} -->, 1379<!-- {rank[0, hubs[3]]} --> and 1399<!-- {rank[0, hubs[4]]} -->. At the right end they have ranks 2 to 5. Vertex 1888 starts at rank 2<!-- {rank[0, 1888]} --> and falls back to rank 8<!-- {rank[-1, 1888]} -->."}} tags=["figure"]
window = np.logspace(-4, np.log10(20), 86)
rank = np.array([(-everybody(prior)).argsort().argsort() + 1 for prior in window])
hubs = np.argsort(-degree, kind="stable")[:5]
assert (rank[:, 107] == 1).all() and rank[-1, hubs].tolist() == [1, 2, 3, 4, 5]
assert rank[0, hubs[1:]].min() > 100
fig, ax = plots.panels(height=3.6)
for k in (*hubs, 1888):
    width = 3 if k == 107 else 1.8
    ax.plot(window, rank[:, k], lw=width, label=f"vertex {k} ({degree[k]} friends)")
ax.set(xscale="log", yscale="log", xlabel="prior precision τ", ylabel="rank by leakage (1 = most)")
ax.invert_yaxis()
ax.legend(fontsize=8.5, loc="center left", bbox_to_anchor=(1.0, 0.5))
plt.show()

# %% [markdown]
# But the data are biased towards the five people with the most friends. All five are among the ten users who shared their lists. Of everybody else, we see only friendships within these lists. What if we remove the ten users?

# %%
users = [0, 107, 348, 414, 686, 698, 1684, 1912, 3437, 3980]  # named in the data set
assert set(hubs) <= set(users)
rest = facebook.copy()
rest.remove_nodes_from(users)
most_friends = max(rest, key=rest.degree)
leaks_most = sorted(rest)[leakage_coefficients(rest, 0.01).argmax()]
for vertex in (most_friends, leaks_most):
    print(f"vertex {vertex} has {rest.degree(vertex)} friends")

# %% [markdown]
# Vertex 2543<!-- {most_friends} --> now has the most friends, but vertex 1888<!-- {leaks_most} --> leaks most at $\tau = 0.01$. The paper's first observation is right for its data, but it does not hold for every social network.
#
# ```{evidence} Y-6.g Y-F5.a Y-F5.b Y-6.h Y-6.j
# ```
#
# ## Is vertex 107 the most correlated with the others? With their sum, yes
#
# The published sum $s$ contains $x_i$ itself. The paper speaks of the *other* tuples, so we take the sum of the others, $s - x_i$.
#
# ```{prf:theorem} Leakage and correlation with the others
# :label: thm-06-order
# With one common prior,
#
# $$ \operatorname{corr}(x_i, s - x_i)^2 = \frac{\ell_i^2}{1 + (n - 2)(1 + \ell_i)} . $$
#
# This increases with $\ell_i$. So the tuple that leaks most is the one most correlated with the sum of the others.
# ```
#
# ```{prf:proof}
# By the proof of {prf:ref}`prp-05-variance`, $\operatorname{Cov}(x_i, s) = \frac1\tau$ and $\operatorname{Var} s = \frac n\tau$. Therefore
#
# $$ \operatorname{Cov}(x_i, s - x_i) = \tfrac1\tau - V_{ii}, \qquad \operatorname{Var}(s - x_i) = \tfrac n\tau - \tfrac2\tau + V_{ii} . $$
#
# Insert $V_{ii} = \frac{1}{\tau(1 + \ell_i)}$. It is at most $\frac1\tau$, so the correlation is not negative. The rest is algebra:
# ```

# %%
ell, others_less_one = sp.symbols("ell m", positive=True)  # m = n - 2
variance = 1 / (tau * (1 + ell))
squared = (1 / tau - variance) ** 2 / (variance * (others_less_one / tau + variance))
formula = ell**2 / (1 + others_less_one * (1 + ell))
assert sp.simplify(squared - formula) == 0
sp.factor(sp.diff(formula, ell))

# %% [markdown]
# The derivative is positive.
#
# But "correlation with the other tuples" could also mean the average correlation with one's friends, or the correlation with the most similar person. We compute all three at $\tau = 0.01$:

# %%
V = (v / (mu + 0.01)) @ v.T
sd = np.sqrt(V.diagonal())
C = V / np.outer(sd, sd)
np.fill_diagonal(C, 0)
friends = nx.to_numpy_array(facebook, nodelist=range(n))
rest_sd = np.sqrt(V.sum() - 2 / 0.01 + sd**2)  # of the sum of the others
readings = {
    "the sum of the others": (V.sum(axis=1) - sd**2) / (sd * rest_sd),
    "the friends, on average": (C * friends).sum(axis=1) / degree,
    "the most similar person": C.max(axis=1),
}
for name, value in readings.items():
    top = value.round(12).argmax()  # of two equals, the smaller number
    place = 1 + (value > value[107] + 1e-12).sum()
    print(f"{name}: largest for {top} ({degree[top]} friends); 107 has rank {place}")

# %% [markdown]
# Only for the sum of the others does vertex 107 come first. Its number leaks through the sum because it is correlated with many others, not because of one close friend.
#
# ```{evidence} Y-6.i Y-B18
# ```
#
# ## What does the noise leave of the sum?
#
# Section 5.3 of the paper says that a large $\lambda$ means low utility. The paper therefore takes the smallest $\lambda$ for which no tuple leaks more than $\varepsilon$. This is $\lambda = \frac M\varepsilon (1 + \max_i \ell_i)$. On Facebook, with $\tau = M = \varepsilon = 1$:

# %%
scale = 1 + everybody(1).max()
noise_sd = np.sqrt(2) * scale  # of Laplace noise
sum_sd = np.sqrt(n)  # Var s = n / tau
print(f"scale {scale:.0f}; standard deviations: noise {noise_sd:.0f}, sum {sum_sd:.2f}")

# %% [markdown]
# The standard deviation of the noise is 13<!-- {noise_sd / sum_sd:.0f} --> times that of the sum. The recipient may multiply the noisy sum by any number $k$. This costs no privacy. If $\operatorname{Var} s = S$ and the noise has variance $N$, the mean squared error is $(1 - k)^2 S + k^2 N$. It is smallest at $k = S/(S + N)$:

# %%
k = sp.Symbol("k", real=True)
S, N = sp.symbols("S N", positive=True)
error = (1 - k) ** 2 * S + k**2 * N
best_k = sp.solve(sp.diff(error, k), k)[0]
assert sp.simplify(error.subs(k, best_k) - S * N / (S + N)) == 0

# %%
best_error = noise_sd * sum_sd / np.hypot(noise_sd, sum_sd)
print(f"root mean squared error: {best_error:.2f}; of the answer 0: {sum_sd:.2f}")

# %% [markdown]
# Even with the best $k$, the error is hardly smaller than that of the answer 0.
#
# The reason is that $M = 1$ is a wide range to protect: it is 24<!-- {np.sqrt(scale):.0f} --> standard deviations of $x_{107}$. Suppose instead that each tuple $x_i$ has its own $M$, namely its standard deviation $\operatorname{sd}(x_i)$. Since $1 + \ell_i = \operatorname{Cov}(x_i, s)/\operatorname{Var}(x_i)$,
#
# $$ \operatorname{sd}(x_i)\,(1 + \ell_i) = \frac{\operatorname{Cov}(x_i, s)}{\operatorname{sd}(x_i)} = \operatorname{corr}(x_i, s)\operatorname{sd}(s) . $$
#
# So the smallest scale is $\lambda = \frac1\varepsilon \max_i \operatorname{corr}(x_i, s)\operatorname{sd}(s)$, which is at most $\operatorname{sd}(s)/\varepsilon$. On Facebook it is 24<!-- {np.sqrt(scale):.0f} --> instead of 586<!-- {scale:.0f} -->. The standard deviation of the noise is then about half that of the sum (34<!-- {np.sqrt(2 * scale):.0f} --> against 64<!-- {sum_sd:.0f} -->). {numref}`fig-05-rescaled` shows the error for both choices of $M$.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Error of the noisy Facebook sum, multiplied by k, at \u03b5 = \u03c4 = 1. With a protected range of M = 1, even the best k (dot) is hardly better than the answer 0 (dotted). If M is each person's own standard deviation, the best k leaves about half of that error.", "name": "fig-05-rescaled"}, "image": {"alt": "Two curves of the root mean squared error on a logarithmic axis against k from 0 to 1. Both start at 64<!-- {sum_sd:.0f} -->. The one for M = 1 rises to 828<!-- {noise_sd:.0f} -->, with a dot near k = 0. The other falls to 30<!-- {least_errors[1]:.0f} --> at k = 0.78<!-- {best_factors[1]:.2f} --> and ends at 34<!-- {np.sqrt(2 * scale):.0f} -->."}} tags=["figure"]
factors = np.linspace(0, 1, 201)
best_factors, least_errors = [], []
fig, ax = plots.panels(height=3.0)
for sd, label in ((noise_sd, "M = 1"), (np.sqrt(2 * scale), "M = standard deviation")):
    (line,) = ax.semilogy(factors, np.hypot((1 - factors) * sum_sd, factors * sd), label=label)
    best_factors.append(sum_sd**2 / (sum_sd**2 + sd**2))
    least_errors.append(sd * sum_sd / np.hypot(sd, sum_sd))
    ax.plot(best_factors[-1], least_errors[-1], "o", color=line.get_color())
ax.axhline(sum_sd, color=plots.COLOURS["grey"], ls=":", label="answer 0")
ticks = [30, 100, 300, 1000]
ax.set(xlabel="multiplier k", ylabel="root mean squared error", yticks=ticks, yticklabels=ticks)
ax.minorticks_off()
ax.legend()
plt.show()

# %% [markdown]
# ```{evidence} Y-B11
# ```
#
# ## Exercises
#
# ```{exercise-start} Hub or clique
# :label: ex-05-hub
# ```
# **Warm-up.** A hub has $n - 1$ friends who are not friends of each other. In a clique of $n$ people, everybody is a friend of everybody. Find the coefficient of the hub, and that of a member of the clique. Who leaks more?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("05-hub", ...)


# %% [markdown]
# ```{solution-start} ex-05-hub
# :class: dropdown
# ```
# Both leak equally, with coefficient $(n-1)/(1+\tau)$. The hub attains the left bound of {prf:ref}`prp-05-bounds`. A link between two of its friends $j$ and $k$ changes $V_{ii}$ of the hub by a multiple of $(V_{ij} - V_{ik})^2$, which is 0 by symmetry. Adding all these links makes the clique.

# %%
def formula_hub(n, prior):
    return (n - 1) / (1 + prior)


for size in (3, 5, 8):
    hub = coefficients(nx.star_graph(size - 1), sp.Rational(1, 3))[0]
    clique = coefficients(nx.complete_graph(size), sp.Rational(1, 3))[0]
    assert hub == clique == formula_hub(size, sp.Rational(1, 3))
check("05-hub", (formula_hub, formula_hub))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A link that protects
# :label: ex-05-third
# ```
# **Standard.** Let tuples 0, 1 and 2 have the prior precisions $\tau_0 = 1$, $\tau_1 = \frac1{10}$ and $\tau_2$. Tuples 0 and 1 are linked. For which $\tau_2$ does a further link, between 1 and 2, *lower* $\ell_0$? Use $1 + \ell_0 = (V\mathbf 1)_0/V_{00}$, which holds for any priors.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("05-third", ...)

# %% [markdown]
# ```{solution-start} ex-05-third
# :class: dropdown
# ```
# For $\tau_2 > 1 + \tau_1 = \frac{11}{10}$. The prior then holds tuple 2 near 0 so firmly that tuple 2 also holds tuple 1 in place. So the sum moves less when tuple 0 moves. At $\tau_2 = 100$ the coefficient falls from 0.909<!-- {float(without.subs(tau1, 0.1)):.3f} --> to 0.483<!-- {float(linked.subs({tau1: 0.1, tau2: 100})):.3f} -->.

# %%
tau1, tau2 = sp.symbols("tau1 tau2", positive=True)
found = []
for network in (one_link, nx.path_graph(3)):
    V = (laplacian(network) + sp.diag(1, tau1, tau2)).inv()
    found.append(sp.factor(sum(V[0, :]) / V[0, 0] - 1))
without, linked = found
(turning_point,) = sp.solve(sp.numer(sp.together(linked - without)), tau2)
assert turning_point == 1 + tau1
assert linked.subs({tau1: sp.Rational(1, 10), tau2: 100}) < sp.Rational(1, 2)
check("05-third", turning_point.subs(tau1, sp.Rational(1, 10)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Vertex 107 leaves
# :label: ex-06-leave
# ```
# **Standard.** Vertex 107 leaves Facebook. Who leaks most now, at $\tau = 0.01$ and at $\tau = 1$? Can anybody's coefficient have risen?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("06-leave", ...)

# %% [markdown]
# ```{solution-start} ex-06-leave
# :class: dropdown
# ```
# Nobody's coefficient has risen: by {prf:ref}`thm-05-rayleigh`, removing links never raises a coefficient. Without links, vertex 107 is independent of all others and can be left out.

# %%
left_over = facebook.copy()
left_over.remove_node(107)
names = sorted(left_over)
new_first = []
for prior in (0.01, 1):
    now = leakage_coefficients(left_over, prior)
    assert (now <= everybody(prior)[names] * (1 + 1e-9)).all()
    new_first.append(names[now.argmax()])
check("06-leave", new_first)

# %% [markdown]
# At $\tau = 0.01$ vertex 1888<!-- {new_first[0]} --> leaks most, and at $\tau = 1$ vertex 1684<!-- {new_first[1]} -->.
#
# ```{solution-end}
# ```
#
# ```{exercise-start} How often the degree is wrong
# :label: ex-05-how-often
# ```
# **Research.** In random networks with $n = 60$ and $d = 4$, estimate for several priors the probability that the tuple that leaks most does not have the largest degree. What is its limit for $\tau \to \infty$? Why does it not tend to 0 as $\tau \to 0$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("05-how-often", ...)

# %% [markdown]
# ```{solution-start} ex-05-how-often
# :class: dropdown
# ```
# The share is 6%<!-- {chance[0]:.0%} --> at $\tau = 0.01$ and 5%<!-- {chance[1]:.0%} --> at 0.1, with standard errors of half a percentage point.
#
# For the limit, let $d$ now be the largest degree. By {prf:ref}`prp-05-bounds`, a tuple of degree $d$ has a coefficient of at least $d/(1 + \tau)$, and tuples with fewer links have at most $(d - 1)/\tau$. The first is larger when $\tau > d - 1$. So the limit is 0.
#
# As $\tau \to 0$, each coefficient tends to the size of its component minus 1, so a tuple of the largest component leaks most. Within this component, it is the tuple with the smallest sum of $v_{ik}^2/\mu_k$ over $\mu_k > 0$. This sum does not depend on the degree alone.

# %%
rng = np.random.default_rng(60)
draws = 2000
wrong = np.zeros(4)
for _ in range(draws):
    network = random_network(60, 4, rng)
    links = np.array([network.degree(i) for i in range(60)])
    for a, prior in enumerate((0.01, 0.1, 1, 1000)):
        ell = leakage_coefficients(network, prior)
        largest_ones = ell > ell.max() * (1 - 1e-9)
        wrong[a] += links[largest_ones].max() < links.max()
chance = wrong / draws
assert chance[3] == 0
assert np.sqrt(chance * (1 - chance) / draws).max() < 0.006
check("05-how-often", chance[-1])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A crawl that misses links
# :label: ex-06-missing
# ```
# **Research.** Section 1.1 of the paper says that the correlation of real data is comparatively easy to obtain, because a web crawler finds the structure of a social network. Suppose that a crawl misses a tenth of the friendships at random, and that the noise is chosen for what was seen, at $\tau = 1$. By which factor does the true leakage exceed the promised $\varepsilon$? Can it be smaller than $\varepsilon$? Which parameter of the model does a crawler not see at all, and how much does it matter?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("06-missing", ...)

# %% [markdown]
# ```{solution-start} ex-06-missing
# :class: dropdown
# ```
# It cannot be smaller, because the seen network has fewer links and therefore gets no more noise. The factor is the ratio of the two values of $1 + \max_i \ell_i$, here 1.08<!-- {np.mean(excess):.2f} -->.
#
# The crawler does not see $\tau$. With 0.01 instead of 1, the same friendships need 5.8<!-- {needed:.1f} --> times the noise.

# %%
true = 1 + everybody(1).max()
edges = np.array(facebook.edges())
rng = np.random.default_rng(6)
excess = []
for _ in range(2):
    seen = nx.empty_graph(n)
    seen.add_edges_from(edges[rng.random(len(edges)) > 0.1])
    excess.append(true / (1 + leakage_coefficients(seen, 1).max()))
needed = (1 + everybody(0.01).max()) / true
assert min(excess) > 1 and max(excess) < 1.1 and 5 < needed < 6
below = np.array(excess) < 1
check("06-missing", "never" if not below.any() else "sometimes")

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{evidence} Y-1.web
# ```
#
# ## Summary
#
# 1. *What do links and the prior do to the leakage?* With one common prior, adding a link never lowers a coefficient, and a stronger prior never raises one. This explains both trends of the paper's Figure 4.
# 2. *Who leaks most?* The tuple with the smallest variance. It is also the one most correlated with the sum of the others. In the Facebook data it is the person with the most friends, at every prior. On some networks of seven tuples with a weak prior, it is another tuple.
# 3. *What does privacy cost here?* At $\tau = M = \varepsilon = 1$, the standard deviation of the noise on Facebook is 13<!-- {noise_sd / sum_sd:.0f} --> times that of the sum. If $M$ is one standard deviation of each tuple, the noise is 24<!-- {np.sqrt(scale):.0f} --> times smaller. Its standard deviation is then about half that of the sum.
#
# **Further reading.** {cite:t}`chebotarev2002forest` on the matrix $(L + \tau I)^{-1}$; [*How much noise do a million people need if the weights are guesses?*](../research/correlated-a-million-people.ipynb); [*Does a network predict real leakage?*](../research/correlated-does-a-network-predict-leakage.ipynb). **Next:** [against which attackers does a random sample protect?](../disclosure/01-who-attacks.ipynb)
