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
# # Who leaks most on a real network?
#
# Ten Facebook users gave away their lists of friends, and the friendships among those friends. Merged they
# make a network of about four thousand people, in which one person has more than a thousand friends. If
# friends resemble each other, about whom does a published sum say most? The paper answers: about the person
# with the most friends. We compute the leakage of everybody, for every prior, and find that the answer is
# right, for all priors at once, though not for the reason that comes to mind first.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to get the leakage of thousands of tuples for hundreds of priors from one
# eigendecomposition, how to turn a grid into a proof, and why the number of friends is not the whole story.
# **You need** notebook 5: the bracket from the degree, and that a stronger prior lowers every coefficient.
# **Data:** 220 kB, fetched once from its publisher {cite:p}`leskovec2014snap` if it is not on your
# machine.
# **Time:** 25 minutes; the cells run for about half a minute.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one person's tuple, at most $M$ apart. **The attacker** is the weak one,
# $\adversary(i, \emptyset)$, who knows the whole network and nobody's value; by Theorem 5.2 (notebook 4) nobody learns
# more. **Protected:** the odds between two values of $x_i$. **Not protected:** friendships. They are public
# here, and the model takes them for the whole correlation.
# ```

# %%
from fractions import Fraction

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import scipy.sparse as sps
import sympy as sp
from myst_nb import glue
from scipy.sparse.linalg import splu
from scipy.stats import spearmanr

from privlib.correlated import gaussian, networks, sparse
from privlib.correlated.gaussian import GaussianModel
from privlib.kit import claim, datasets, plots

plots.use()

# %% [markdown]
# ## Four thousand people
#
# The data are those of McAuley and Leskovec {cite:p}`mcauley2012learning`. We keep the file's own names:
# vertex 107 is the one that it calls `107`.

# %%
graph = datasets.facebook()
n = len(graph)
degree = np.array([k for _, k in graph.degree()])
hubs = np.argsort(-degree, kind="stable")[:5]
print(f"{n} vertices, {graph.number_of_edges()} edges")
print("largest degrees (vertex):", *(f"{degree[v]} ({v})" for v in hubs))
print("median degree:", int(np.median(degree)))
print("printed: 4,039 vertices, 88,234 edges, largest degree 1,045")

ends = np.array(
    datasets.load("facebook").split(), dtype=int
)  # the file itself, line by line
counted = np.bincount(ends)
with claim("Y-6.g") as c:
    printed = [4039, 88_234, 1045]
    c.exact([n, graph.number_of_edges(), int(degree.max())], printed, "as a graph")
    c.exact(
        [counted.size, ends.size // 2, int(counted.max())],
        printed,
        "lines of the file",
    )
    c.holds(nx.is_connected(graph), "connected, as section 5.1 assumes")

# %% [markdown]
# Figure 5(a) shows the distribution of the degrees (度数分布). The picture is not in our text, but the data
# are, and they have only one distribution.

# %% mystnb={"figure": {"caption": "Degree distribution of the network, our rebuild of Figure 5(a). Left, the number of people with each degree; right, the number with at least that degree. Half the people have at most 25 friends, one has 1,045.", "name": "fig-06-degrees"}, "image": {"alt": "Two log-log plots against the degree from 1 to 1045. Left, dots between 1 and about 110 that thin out to single people beyond a degree of 200. Right, a curve that falls from 4039, slowly at first, then steeply, and ends in a few steps at 1045."}}
values, people = np.unique(degree, return_counts=True)
fig, (left, right) = plots.panels(1, 2, width=8.4, height=3.2)
left.loglog(values, people, "o", ms=3)
left.set(xlabel="degree (friends)", ylabel="people with this degree")
at_least = people[::-1].cumsum()[::-1]
right.loglog(values, at_least, drawstyle="steps-pre")
right.annotate(
    "vertex 107", (1045, 1), (45, 1.3), fontsize=9, arrowprops={"arrowstyle": "->"}
)
right.set(xlabel="degree (friends)", ylabel="people with at least this degree")
plt.show()

# %%
from_file = np.bincount(counted)  # number of people by degree, from the file
with claim("Y-F5.a") as c:
    c.exact(
        list(people),
        list(from_file[from_file > 0]),
        "graph and file: the same distribution",
    )
    c.exact(
        [int(people.sum()), int(people @ values)],
        [4039, 2 * 88_234],
        "people, ends of edges",
    )
    c.exact(int(values[-1]), 1045, "largest degree as printed")

# %% [markdown]
# ## Everybody, for every prior
#
# ````{prf:proposition} Observations on the network (section 6.2, ソーシャルネットワークデータ)
# :label: prp-06-observations
#
# Let $w_{ij} = 1$ for friends and $\hat L = D - W + \tau I$. Then
#
# 1. the tuple of the largest degree, 1,045, has the largest leakage coefficient,
# 2. because it has the largest correlation (最大の相関性) with the others;
# 3. the coefficients decrease as the prior (事前分布) grows.
# ````
#
# One matrix of this size is no obstacle, but hundreds of priors are hundreds of matrices. They share their
# eigenvectors. With $L = \sum_k \lambda_k v_k v_k^{\mathsf T}$ and the closed form of notebook 5,
#
# $$ \frac{1}{1 + \ell_i(\tau)} = \tau\,\bigl((L + \tau I)^{-1}\bigr)_{ii}
#    = \frac1n + \tau\, h_i(\tau), \qquad h_i(\tau) = \sum_{\lambda_k > 0} \frac{v_{ik}^2}{\lambda_k + \tau}, $$
#
# so one decomposition gives $\ell_i(\tau)$ for all $i$ and $\tau$. ($1/n$ is the constant eigenvector.)
# Small case first: a path of three, exactly.

# %%
t, lam = sp.symbols("tau lambda", positive=True)
path = sp.Matrix([[1, -1, 0], [-1, 2, -1], [0, -1, 1]])
exact = GaussianModel(path + t * sp.eye(3)).leakage_coefficients()
vectors = [(value, vector[0].normalized()) for value, _, vector in path.eigenvects()]
h = [
    sum(v[i] ** 2 / (value + t) for value, v in vectors if value > 0)
    for i in range(3)
]
for i in range(3):
    print(f"1/(1 + l_{i + 1}) =", sp.factor(1 / (1 + exact[i])))
assert all(
    sp.simplify(1 / (1 + exact[i]) - sp.Rational(1, 3) - t * h[i]) == 0
    for i in range(3)
)
assert (
    sp.simplify(sp.diff(1 / (lam + t), t) + 1 / (lam + t) ** 2) == 0
)  # every h_i decreases

# %% [markdown]
# Now the network, at 241 priors from $10^{-9}$ to $10^6$. This is the one long computation.

# %%
priors = np.logspace(-9, 6, 241)
ell = gaussian.leakage_sweep(networks.precision(graph, 0.0), priors)

# %% mystnb={"figure": {"caption": "Everybody's leakage coefficient against the number of friends, our rebuild of Figure 5(b) for five priors. Circled, vertex 107. A strong prior leaves a straight line, coefficient = degree / \u03c4. A weak one lifts everybody to the ceiling n \u2212 1 (grey), and people with fewer than 150 friends overtake one with 792.", "name": "fig-06-leakage"}, "image": {"alt": "Log-log scatter plot with five clouds of 4,039 dots each. The clouds for priors 10 and 1 are nearly straight rising lines; for 0.1 and 0.01 they widen and bend; for 0.0001 the cloud lies flat just under the ceiling. In each the rightmost dot, circled, is the highest."}}
shown = {1e-4: "blue", 1e-2: "orange", 0.1: "green", 1.0: "purple", 10.0: "sky"}
fig, ax = plots.panels(height=4.6, width=7.6)
ax.axhline(n - 1, color=plots.COLOURS["grey"], lw=1, ls="-")
for tau, name in shown.items():
    row = ell[np.abs(np.log(priors / tau)).argmin()]
    colour = plots.COLOURS[name]
    ax.loglog(degree, row, "o", ms=2.5, alpha=0.5, mew=0, color=colour)
    ax.plot(degree[107], row[107], "o", ms=9, mfc="none", mew=1.5, color="black")
    height = row[107] * (1.7 if tau == 1e-4 else 0.95)
    ax.text(1300, height, f"τ = {tau:g}", va="center", fontsize=9.5, color=colour)
ax.text(0.9, 1.25 * n, "n − 1", color=plots.COLOURS["grey"])
ax.set(
    xlabel="degree (friends)",
    ylabel="leakage coefficient",
    xlim=(0.8, 4200),
    ylim=(0.06, 12_000),
)
plt.show()

# %% [markdown]
# The priors and points of the paper's Figure 5(b) are only in the image, so the grid is ours. The
# text's two readings of it can be tested.

# %%
with claim("Y-F5.b") as c:
    c.missing(
        "the image, with its priors and points, is not in the text that we have"
    )
    c.exact(
        set(ell.argmax(axis=1).tolist()),
        {107},
        "our grid of 241 priors: vertex 107 on top",
    )
    c.at_most(
        ell[1:], ell[:-1], "our grid: every coefficient falls as the prior grows"
    )

term = 1 - t / (lam + t)  # a term of 1 − 1/(1 + l), up to a positive factor
with claim("Y-6.j") as c:
    c.exact(sp.diff(term, t), -lam / (lam + t) ** 2, "each term falls with τ")
    c.at_most(ell[1:], ell[:-1] * (1 - 1e-14), "all 4,039 coefficients, 240 steps")

# %% [markdown]
# ## Do we trust the numbers?
#
# The sweep rests on floating-point eigenvectors of a matrix with sixteen million entries. Two
# other routes to the same numbers avoid them: a *certified interval* for the largest coefficient, from a few
# steps of conjugate gradients on the sparse matrix (Gauss and Gauss–Radau rules
# {cite:p}`golub2010matrices`, notebook 7), and a sparse LU factor for a hundred people chosen at random.

# %%
table, bounds = [], []
for k in range(80, 177, 16):  # τ = 0.0001, 0.001, …, 100
    tau, row = priors[k], ell[k]
    bounds.append(
        sparse.max_leakage_bounds(networks.precision(graph, tau, sparse=True))
    )
    second = np.argsort(-row)[1]
    table.append((tau, row.max(), row.mean(), spearmanr(degree, row)[0], second))

print(
    "     τ  vertex   largest l  certified interval           mean l  Spearman  2nd"
)
for (tau, top, mean, rho, second), bound in zip(table, bounds):
    interval = f"[{bound.low:.6f}, {bound.high:.6f}]"
    vertex = bound.adversary.target
    print(
        f"{tau:6.4g}  {vertex:6d}  {top:10.5f}  {interval:26s}  {mean:7.2f}"
        f"    {rho:.4f}  {second}"
    )

# %%
rng = np.random.default_rng(107)
some = np.append(rng.choice(n, size=99, replace=False), 107)
right_sides = np.zeros((n, 100))
right_sides[some, np.arange(100)] = 1
by_lu = {}
for tau in (1e-2, 1.0):
    solved = splu(networks.precision(graph, tau, sparse=True)).solve(right_sides)
    by_lu[tau] = (
        solved.sum(axis=0) / solved[some, np.arange(100)] - 1
    )  # Cov(x_i, s) / Var x_i − 1
at = {tau: ell[np.abs(np.log(priors / tau)).argmin()] for tau in by_lu}
for tau, values in by_lu.items():
    assert np.allclose(values, at[tau][some], rtol=1e-8)

# %% [markdown]
# Spearman's rank correlation compares with the order by degree. The last column is the first surprise: for weak
# priors the second place goes to vertex 1888, with {glue:text}`second-degree` friends.
#
# ## From a grid to every prior
#
# Vertex 107 is first at each of 241 priors. And between them? Order by $\ell_i$ is reverse order by $h_i$,
# and every $h_i$ decreases in $\tau$. So if for two neighbouring grid points $a < b$
#
# $$ h_{107}(a) \le \min_{j \ne 107} h_j(b), $$
#
# then $h_{107}(\tau) \le h_{107}(a) \le h_j(b) \le h_j(\tau)$ for every $\tau$ in $[a, b]$. The same inequality
# with $a = 0$, where $h_{107}(0)$ is a diagonal entry of the pseudo-inverse, covers everything below the grid. Above,
# the degrees decide: by the bracket of notebook 5, $\ell_{107} \ge d_1/(1 + \tau) \ge d_2/\tau$ as soon as
# $d_1/d_2 \ge 1 + 1/\tau$.

# %%
h = (1 / (1 + ell) - 1 / n) / priors[:, None]
others = np.delete(h, 107, axis=1).min(axis=1)
ratio = others[1:] / h[:-1, 107]  # at least 1: the interval is covered

rest = np.delete(np.arange(n), 107)
grounded = networks.precision(graph, 0.0, sparse=True)[rest][:, rest]
u = np.where(np.arange(n) == 107, 1.0, 0.0) - 1 / n
h_at_zero = u[rest] @ splu(sps.csc_array(grounded)).solve(u[rest])

d1, d2 = (int(k) for k in np.sort(degree)[::-1][:2])
threshold = Fraction(d2, d1 - d2)  # d1/d2 = 1 + 1/threshold
needed = priors[:-1] <= float(threshold)
print(f"degrees decide from τ = {float(threshold):.3f} on")
print(f"{needed.sum()} intervals below; smallest ratio {ratio[needed].min():.3f}")
print(f"τ → 0: {others[0]:.7f} against {h_at_zero:.7f}")
glue("threshold", round(float(threshold), 6), display=False)
glue("margin", round(float(ratio[needed].min()), 6), display=False)
glue("second-degree", int(degree[table[0][-1]]), display=False)

# %% tags=["hide-input"]
with claim("Y-6.h") as c:
    c.exact(
        set(ell.argmax(axis=1).tolist()),
        {int(degree.argmax())},
        "241 priors, eigenvectors",
    )
    vertices = {bound.adversary.target for bound in bounds}
    c.exact(vertices, {107}, "7 priors, certified sparse intervals")
    c.at_most(
        [bound.low for bound in bounds],
        [row[1] for row in table],
        "intervals from below",
        slack=1e-6,
    )
    c.at_most(
        [row[1] for row in table],
        [bound.high for bound in bounds],
        "and above",
        slack=1e-6,
    )
    lu = [by_lu[tau][-1] for tau in by_lu]
    c.close(lu, [at[tau][107] for tau in by_lu], "sparse LU, two priors", rtol=1e-8)
    c.at_most(
        1.1, ratio[needed], "between grid points: covered with a margin of a tenth"
    )
    c.at_most(1.1 * h_at_zero, others[0], "below the grid, down to τ → 0")
    share = Fraction(d1, 1) / (1 + threshold) - Fraction(d2, 1) / threshold
    c.exact(
        share, Fraction(0), f"above τ = {float(threshold):.3f} the degrees decide"
    )
    c.at_most(
        float(threshold),
        priors[:-1][needed][-1] * (priors[1] / priors[0]),
        "no gap between",
    )

# %% [markdown]
# So the observation holds for *every* $\tau > 0$: below $\tau = $ {glue:text}`threshold:.2f` by a finite
# number of inequalities with a factor of at least {glue:text}`margin:.2f` to spare, above it by the two
# largest degrees alone.
#
# ## Because it has the most friends?
#
# The paper's reason is that the tuple has the largest correlation. Read as the correlation with the published
# sum, that is an identity: with one prior $1 + \ell_i = n \corr(x_i, s)^2$ (notebook 5), and the largest
# correlation *is* the largest leakage. To see it without the algebra, draw the four thousand values a thousand
# times and correlate.

# %%
tau, samples = 0.1, 1000
rng = np.random.default_rng(20150531)
P = networks.precision(graph, tau, sparse=True)
edges = np.array(graph.edges())
rows, columns = edges.T.ravel(), np.tile(np.arange(len(edges)), 2)
incidence = sps.csr_array((np.repeat([1.0, -1.0], len(edges)), (rows, columns)))
noise = incidence @ rng.standard_normal((len(edges), samples))  # covariance L
noise += np.sqrt(tau) * rng.standard_normal((n, samples))  # covariance L + τ I
x = splu(P).solve(noise)  # covariance P⁻¹
s = x.sum(axis=0)
watched = np.append(hubs, 1888)
seen = np.array([np.corrcoef(x[v], s)[0, 1] for v in watched])
expected = np.sqrt((1 + ell[np.abs(np.log(priors / tau)).argmin(), watched]) / n)
stderr = (1 - seen**2) / np.sqrt(samples)
print("vertex  friends  correlation with the sum   from the coefficient")
for v, a, b, e in zip(watched, seen, stderr, expected):
    print(f"{v:6d}  {degree[v]:7d}      {a:.3f} ± {b:.3f}               {e:.4f}")

# %%
V, total = sp.symbols("V n", positive=True)
correlation_squared = (1 / t) ** 2 / (V * total / t)  # Cov(x_i, s) = 1/τ, Var s = n/τ
with claim("Y-6.i") as c:
    c.exact(
        1 / (t * V),
        total * correlation_squared,
        "1 + l = n corr², any network, one prior",
    )
    c.sampled(
        seen,
        expected,
        "correlations of 1,000 drawn databases, six people",
        stderr=stderr,
    )
    c.exact(
        int(watched[seen.argmax()]), 107, "largest sampled correlation: vertex 107"
    )
    c.exact(
        set(ell.argmax(axis=1).tolist()),
        {107},
        "largest coefficient on the whole grid",
    )

# %% [markdown]
# Read as *most friends* it is true of this vertex and this network, and not the reason. Friends are not
# even a good guide to the next places.

# %% mystnb={"figure": {"caption": "Rank by leakage of the five people with the most friends, and of vertex 1888 with 254. Strong priors rank by degree. With weak priors only vertex 107 keeps its place.", "name": "fig-06-ranks"}, "image": {"alt": "Rank on an inverted logarithmic axis against the prior. Vertex 107 stays at rank 1. On the left the vertices of degree 792, 755, 547 and 347 lie between rank 100 and rank 1400 and climb to ranks 2 to 5 on the right, while vertex 1888 starts second and falls out of the first ten."}}
rank = (-ell).argsort(axis=1).argsort(axis=1) + 1
fig, ax = plots.panels(height=3.9)
window = (priors >= 1e-4) & (priors <= 20)
for v in watched:
    bold = 3 if v == 107 else 1.8
    ax.plot(
        priors[window],
        rank[window, v],
        lw=bold,
        label=f"vertex {v} ({degree[v]} friends)",
    )
ax.set(
    xscale="log", yscale="log", xlabel="prior τ", ylabel="rank by leakage (1 = most)"
)
ax.invert_yaxis()
ax.legend(fontsize=8.5, loc="center left", bbox_to_anchor=(1.0, 0.5))
plt.show()

# %%
weak = np.abs(np.log(priors / 0.01)).argmin()
strong = np.abs(np.log(priors / 10.0)).argmin()
print("rank at τ = 0.01:", {int(v): int(rank[weak, v]) for v in watched})
print("rank at τ = 10:  ", {int(v): int(rank[strong, v]) for v in watched})
assert (
    rank[weak, [1684, 3437, 1888]].tolist() == [71, 1123, 2] and degree[1888] == 254
)
assert rank[strong, hubs].tolist() == [1, 2, 3, 4, 5]
runner_up = (-ell).argsort(axis=1)[:, 1]
turn = np.flatnonzero(runner_up == 1684)[0]
assert set(runner_up[:turn]) == {1888} and set(runner_up[turn:]) == {1684}
glue("rank-792", int(rank[weak, 1684]), display=False)
glue("rank-547", int(rank[weak, 3437]), display=False)
glue("turn-low", round(float(priors[turn - 1]), 6), display=False)
glue("turn-high", round(float(priors[turn]), 6), display=False)
assert set(graph[1888]) <= set(graph[107]) | {107}
least = degree[rank[weak] < rank[weak, 1684]].min()
assert least < 150
print(f"fewest friends of anybody ahead of vertex 1684 at τ = 0.01: {least}")

# %% [markdown]
# At $\tau = 0.01$ the person with 792 friends is only {glue:text}`rank-792`st, the one with 547
# {glue:text}`rank-547`rd. Second is vertex 1888 with 254 friends: vertex 107 and 253 of *its* friends. It
# sits next to the centre. Somewhere between $\tau = $ {glue:text}`turn-low:.3f` and {glue:text}`turn-high:.3f`
# the second place changes hands. It is the same effect as in the double broom of notebook 5: weak priors rank by
# how near one is to everybody, strong ones by how many are near.
#
# ## What is left of the sum?
#
# How much noise does this cost? The scale is $\lambda = M(1 + \max_i \ell_i)/\varepsilon$. Natural units show it
# best: let the two values of a tuple that must not be told apart lie $c$ of its own standard deviations
# apart, $M_i = c\,\mathrm{sd}(x_i)$. Then
#
# $$ \lambda = \max_i \frac{c\,\mathrm{sd}(x_i)}{\varepsilon}\,\frac{\Cov(x_i, s)}{\Var x_i}
#            = \frac{c}{\varepsilon}\,\max_i \corr(x_i, s)\;\mathrm{sd}(s). $$
#
# The noise is measured in standard deviations *of the sum*, and never more than $c/\varepsilon$ of them.
# For the paper's fixed $M$ the same formula holds with $c = M/\mathrm{sd}(x_i)$.

# %%
cov, var_i, var_s, M, epsilon = sp.symbols("C v_i v_s M epsilon", positive=True)
scale = M * (cov / var_i) / epsilon  # Theorem 5.1 at level ε
natural = (
    (M / sp.sqrt(var_i) / epsilon) * (cov / sp.sqrt(var_i * var_s)) * sp.sqrt(var_s)
)

one = np.abs(np.log(priors)).argmin()  # τ = 1
noise_sd = np.sqrt(2) * (1 + ell[one].max())  # M = 1, ε = 1
sum_sd = np.sqrt(n)  # Var s = n/τ
own_sd = 1 / np.sqrt(1 + ell[one, 107])  # sd of x_107 at τ = 1
whole = sparse.max_leakage_bounds(networks.precision(graph, 1.0, sparse=True))
x1 = splu(networks.precision(graph, 1.0, sparse=True)).solve(np.ones(n))
print(f"τ = M = ε = 1: noise {noise_sd:.0f}, sum {sum_sd:.1f} (standard deviations)")
print(f"M = 1 is {1 / own_sd:.1f} standard deviations of x_107")

# %% tags=["hide-input"]
with claim("Y-B11") as c:
    c.exact(scale, natural, "noise scale in standard deviations of the sum")
    c.close(
        noise_sd,
        np.sqrt(2) * (1 + (whole.low + whole.high) / 2),
        "noise, certified route",
        rtol=1e-8,
    )
    c.close(sum_sd, np.sqrt(x1.sum()), "sd of the sum from a sparse solve", rtol=1e-9)
    c.close(
        np.sqrt(2) / own_sd * np.sqrt((1 + ell[one, 107]) / n) * sum_sd,
        noise_sd,
        "natural units give the same noise",
        rtol=1e-9,
    )
    c.at_most(
        10 * sum_sd,
        noise_sd,
        "τ = M = ε = 1: the noise is more than 10 times the sum",
    )
glue("noise-sd", round(float(noise_sd), 6), display=False)
glue("sum-sd", round(float(sum_sd), 6), display=False)
glue("own-units", round(float(1 / own_sd), 6), display=False)

# %% [markdown]
# At $\tau = M = \varepsilon = 1$ the noise has a standard deviation of {glue:text}`noise-sd:.0f`, the sum
# itself one of {glue:text}`sum-sd:.1f`: the release says next to nothing. In fairness, $M = 1$ is
# then {glue:text}`own-units:.0f` standard deviations of the most exposed tuple, a generous range to protect.
# (For very
# weak priors a range of 1 is small, and so is the noise.) In natural units the picture is milder: at $\varepsilon = 1$
# never more than $\sqrt2$ standard deviations of the sum.

# %% mystnb={"figure": {"caption": "Standard deviation of the noise, in standard deviations of the sum, at \u03b5 = 1. With a fixed range M = 1 a moderate prior is the worst. With a range of one standard deviation of each tuple the noise is \u221a2 times the largest correlation.", "name": "fig-06-utility"}, "image": {"alt": "Two curves against the prior on log-log axes. The one for fixed M rises from 0.3 to about 14 near a prior of 0.4 and falls again towards 1.4; the other one falls from 1.4 to 0.03."}}
correlation = np.sqrt((1 + ell.max(axis=1)) / n)
fixed = np.sqrt(2) * (1 + ell.max(axis=1)) / np.sqrt(n / priors)
fig, ax = plots.panels(height=3.3)
view = (priors >= 1e-5) & (priors <= 1e3)
ax.loglog(priors[view], fixed[view], label="M = 1")
ax.loglog(
    priors[view], np.sqrt(2) * correlation[view], label="M = one sd of the tuple"
)
ax.axhline(1, color=plots.COLOURS["grey"], lw=1, ls="-")
ax.set(xlabel="prior τ", ylabel="noise sd / sum sd")
ax.legend()
plt.show()

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Vertex 107 from degrees alone
# :label: ex-06-degrees
# ```
# **Warm-up.** Use nothing but the degrees to bracket the coefficient of vertex 107 at $\tau = 10$, and show that
# nobody else leaks more there.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-06-degrees
# :class: dropdown
# ```
# The bracket of notebook 5: $\frac{1045}{11} \le \ell_{107} \le \frac{1045}{10}$, and everybody else has at
# most $\frac{792}{10}$.

# %%
left, right = Fraction(1045, 11), Fraction(1045, 10)
print(f"{float(left):.1f} ≤ {ell[strong, 107]:.2f} ≤ {float(right):.1f}")
assert left <= ell[strong, 107] <= right and Fraction(792, 10) < left

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A stronger prior of one's own
# :label: ex-06-own-prior
# ```
# **Standard.** Vertex 107 would like more protection and asks for a stronger prior *of its own*,
# $\tau_{107} = 1000$ instead of 1, while all the others keep $\tau = 1$. What happens to its coefficient, and to its
# friends'?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-06-own-prior
# :class: dropdown
# ```
# Nothing happens to its own: $\ell_i = -\one^{\mathsf T} P_{\unknown\unknown}^{-1} P_{\unknown i}$ does not
# contain $P_{ii}$. What the attacker learns about $x_i$ from the sum depends on how the *others* follow
# $x_i$. Its friends' coefficients fall, since 107 follows them less.

# %%
tau = np.ones(n)
tau[107] = 1000.0
own = splu(networks.precision(graph, tau, sparse=True))
y = own.solve(np.ones(n))
friend = next(iter(graph[107]))
after = [y[v] / own.solve(np.eye(1, n, v)[0])[v] - 1 for v in (107, friend)]
assert np.isclose(after[0], ell[one, 107], rtol=1e-9)
assert after[1] < ell[one, friend]
print(
    f"vertex 107: {after[0]:.3f}, as before; vertex {friend}: "
    f"{after[1]:.2f} after {ell[one, friend]:.2f}"
)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Vertex 107 leaves
# :label: ex-06-leave
# ```
# **Standard.** Vertex 107 leaves the network. Who leaks most now at $\tau = 0.01$, at $\tau = 1$? Can anybody's
# coefficient have risen?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-06-leave
# :class: dropdown
# ```
# Leaving takes links away, which lowers every coefficient (notebook 5, one common prior). The
# certified bounds find the new maximum in a fraction of a second.

# %%
left_over = graph.copy()
left_over.remove_node(107)
names = list(left_over)
for tau in (0.01, 1.0):
    P = networks.precision(left_over, tau, sparse=True)
    left = sparse.max_leakage_bounds(P)
    k = left.adversary.target
    row = ell[np.abs(np.log(priors / tau)).argmin()]
    print(
        f"τ = {tau:g}: vertex {names[k]} ({degree[names[k]]} friends), "
        f"{left.low:.3f}, before {row[names[k]]:.3f}"
    )
    assert left.high <= row[names[k]] and names[k] != 107

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A crawl that misses links
# :label: ex-06-missing
# ```
# **Research.** A crawl misses links. Suppose a tenth of the friendships are missing at random and the noise is
# calibrated on what was seen, at $\tau = 1$. How far above the promised $\varepsilon$ is the true leakage? Is it ever
# below?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-06-missing
# :class: dropdown
# ```
# Never below: the seen network has fewer links, so smaller coefficients, so a smaller scale. The true leakage
# exceeds the promise by the ratio of the two values of $1 + \max_i \ell_i$.

# %%
rng = np.random.default_rng(6)
links = np.array(graph.edges())
excess = []
for _ in range(6):
    seen_links = links[rng.random(len(links)) > 0.1]
    crawl = nx.Graph()
    crawl.add_nodes_from(range(n))
    crawl.add_edges_from(seen_links.tolist())
    seen = sparse.max_leakage_bounds(networks.precision(crawl, 1.0, sparse=True))
    excess.append((1 + ell[one].max()) / (1 + (seen.low + seen.high) / 2))
excess = np.array(excess)
print(
    f"true leakage / ε = {excess.mean():.3f} ± {excess.std(ddof=1) / np.sqrt(6):.3f}"
)
assert np.all(excess > 1) and 1.02 < excess.mean() < 1.2

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - All the paper's numbers for the network are right, and its main observation holds for every prior: the person
#   with 1,045 friends leaks most. A finite grid, monotone functions and two degrees prove it.
# - *Largest correlation* is exact if it means correlation with the published sum. The number of friends ranks
#   people for strong priors only.
# - The leakage falls with the prior, for everybody.
# - At $\tau = M = \varepsilon = 1$ the noise is more than ten times the sum. In natural units the noise is
#   $c/\varepsilon$ times the largest correlation, in standard deviations of the sum.
#
# **Further reading.** McAuley and Leskovec {cite:p}`mcauley2012learning` on the data; Golub and Meurant
# {cite:p}`golub2010matrices` on certified quadratic forms. **Next:** [beyond the paper](07-beyond.ipynb).
