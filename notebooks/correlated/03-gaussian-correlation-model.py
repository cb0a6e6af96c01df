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
# # How much does a Gaussian network leak?
#
# Four houses stand along a street. Each resembles the house next door: same age, same garden, much the
# same water bill. The utility publishes the street's total with noise. What does that one number say about
# house 2? More than house 2 put into it, because a high bill there means that its neighbours' bills are
# probably high as well. This notebook finds out exactly how much more: a single number per attacker,
# which on a network turns out to be a *sum of voltages*.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how a weighted network becomes a joint law of the data, how unknown people are merged
# into one, why the leakage of a noisy sum is $\frac M\lambda(1 + \ell)$, and how to see $\ell$ on a picture.
# **You need** the definition of leakage from [notebook 2](02-bayesian-differential-privacy.ipynb), the
# normal distribution, and matrices.
# **Time:** 40 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values $x_i, x_i'$ of one tuple, at most $M$ apart. **The attacker**
# $\adversary(i, \known)$ wants $x_i$, knows the exact values $x_{\known}$, the network with its weights and
# the noise, and sees one noisy sum. **Protected:** the odds between any two such values of $x_i$.
# **Not protected:** what the network already says about $x_i$; values more than $M$ apart; anything if
# the true law is another one than the assumed one.
# ```

# %%
from fractions import Fraction
from itertools import combinations, permutations
from math import prod

import matplotlib.pyplot as plt
import mpmath as mp
import networkx as nx
import numpy as np
import plotly.graph_objects as go
import sympy as sp
from matplotlib.colors import LogNorm
from myst_nb import glue

from privlib.correlated import gaussian, networks
from privlib.correlated.adversary import adversaries
from privlib.correlated.gaussian import GaussianModel
from privlib.kit import Slider, claim, interactive, plots, slips

plots.use()


# %% [markdown]
# The text numbers tuples from 1 as the paper does; code numbers them from 0.
#
# ## What law does a network stand for?
#
# ```{prf:definition} Gaussian correlation model (Definition 5.1; ガウシアン相関モデル)
# :label: def-03-model
# Let a connected undirected graph on the tuples $1, \dots, n$ have weights $w_{ij} \ge 0$. Let $W = (w_{ij})$,
# $D$ the diagonal matrix of the degrees $w_i = \sum_{j \ne i} w_{ij}$ (次数), and $L = D - W$ the graph's
# Laplacian matrix (ラプラシアン行列). The tuples follow the *Gaussian correlation model* of $L$ if for every $i$
#
# $$ p(x_{-i} \mid x_i) \propto \exp\bigl(-\tfrac12\, x^{\mathsf T} L x\bigr). $$
# ```
#
# What does the exponent say? Let sympy multiply it out for four tuples with all six weights free. (The
# street is the case $w_{12} = w_{23} = w_{34} = 1$, the others 0.)

# %%
def laplacian(n):
    """Laplacian of n tuples that are all linked, one symbol for each weight."""
    W = sp.zeros(n, n)
    for i, j in combinations(range(n), 2):
        W[i, j] = W[j, i] = sp.Symbol(f"w_{i + 1}{j + 1}", positive=True)
    return sp.diag(*(W * sp.ones(n, 1))) - W


L4 = laplacian(4)
x = sp.Matrix(sp.symbols("x_1:5", real=True))
energy = (x.T * L4 * x)[0]
pairs = list(combinations(range(4), 2))
springs = sum(-L4[i, j] * (x[i] - x[j]) ** 2 for i, j in pairs)
sp.expand(energy - springs)

# %% [markdown]
# Zero: the exponent is $x^{\mathsf T}Lx = \sum_{i<j} w_{ij}(x_i - x_j)^2$, a spring on every link. It only
# holds differences in place. Moving all tuples together costs nothing, so there is no joint law, only
# conditional ones. Are at least those proper? The integral over $x_{-i}$ converges exactly if $L$ without
# row and column $i$ has a positive determinant, and that determinant is a sum over spanning trees.

# %%
trees = sp.Poly(L4.minor(0, 0), *sorted(L4.free_symbols, key=str))
links = {(i, j): -L4[i, j] for i, j in pairs}


def proper(chosen):
    """Whether p(x_2, x_3, x_4 | x_1) can be normalised with only these links."""
    weights = {w: int(pair in chosen) for pair, w in links.items()}
    return trees.as_expr().subs(weights) > 0


def connected(chosen):
    graph = nx.empty_graph(4)
    graph.add_edges_from(chosen)
    return nx.is_connected(graph)


graphs = [chosen for k in range(7) for chosen in combinations(pairs, k)]

with claim("Y-D5.1") as c:
    c.exact(energy, springs, "energy = sum of w (x_i - x_j)²")
    c.exact(L4 * sp.ones(4, 1), sp.zeros(4, 1), "every row of L sums to zero")
    c.exact(trees.coeffs(), [1] * 16, "determinant given x_1: 16 trees, all +1")
    agree = all(bool(proper(g)) == connected(g) for g in graphs)
    c.holds(agree, f"{len(graphs)} graphs on 4 tuples: proper exactly if connected")

# %% [markdown]
# Now the conditional laws. Whatever the attacker knows, the exponent stays the same; only the letters that
# count as variables change. That is equation (12); completing the square in the unknown tuples shows which
# normal law it is.

# %%
U, C = [2, 3], [0, 1]  # tuples 3 and 4 unknown; C = {i} ∪ K by the paper's Table 2
hidden, seen = x.extract(U, [0]), x.extract(C, [0])
L_UU, L_UC = L4.extract(U, U), L4.extract(U, C)
mean = -L_UU.inv() * L_UC * seen
square = ((hidden - mean).T * L_UU * (hidden - mean))[0]
numbers = {w: 2 + k for k, w in enumerate(links.values())}  # w_12, w_13, … = 2, 3, …
covariance = (L4 + sp.eye(4)).subs(numbers).inv()  # with a prior of 1

with claim("Y-E12") as c:
    pull = [sp.diff(energy, unknown) for unknown in hidden]
    c.exact(
        pull,
        [sp.diff(square, unknown) for unknown in hidden],
        "exponent = square in the unknown + a term free of them",
    )
    within, between = covariance.extract(C, C), covariance.extract(U, C)
    schur = covariance.extract(U, U) - between * within.inv() * between.T
    given = schur.inv() - covariance.inv().extract(U, U)
    c.exact(given, sp.zeros(2, 2), "conditioning the covariance: same precision")

# %% [markdown]
# With a single unknown tuple $u$ this is the paper's (13)–(16), and it says something plain: **$x_u$ is
# expected at the weighted average of its neighbours** (重みつけた平均値). We write the general case with a
# prior $\tau_u$ that pulls $x_u$ towards 0 (section 5.5 of the paper), and put $\tau_u = 0$ for the equation
# as printed.

# %%
u, tau_u = 0, sp.Symbol("tau_u", nonnegative=True)
others = [j for j in range(4) if j != u]
w_u = L4[u, u]
average = sum(-L4[u, j] * x[j] for j in others) / (w_u + tau_u)
completed = (w_u + tau_u) * (x[u] - average) ** 2
tilde = sp.Matrix([L4[u, j] for j in others])  # (15)
printed_13 = w_u * x[u] ** 2 + 2 * sum(x[j] * t for j, t in zip(others, tilde)) * x[u]

with claim("Y-E13") as c:
    pull = sp.diff(energy, x[u])
    c.exact(pull, sp.diff(printed_13, x[u]), "(13): same exponent in x_u")
    c.exact(
        pull + 2 * tau_u * x[u],
        sp.diff(completed, x[u]),
        "(16), with a prior: mean Σ w_uj x_j / (w_u + τ_u)",
    )
    total = sum(-L4[u, j] / w_u for j in others)
    c.exact(total, 1, "without prior the weights w_uj / w_u sum to one")
    within = covariance.extract(others, others)
    regression = covariance.extract([u], others) * within.inv()
    rates = [sp.Rational(weight, 2 + 3 + 4 + 1) for weight in (2, 3, 4)]  # prior 1
    c.exact(list(regression), rates, "by the covariance: w_uj / (w_u + τ_u)")

# %% [markdown]
# An average: so in this model tuples attract one another. The abstract speaks of data of *any* structure
# (任意の構造). Any network and any strength, yes. But not any sign, as section 5.6 says itself. Both halves
# can be made exact, with a common prior $\tau$ so that correlations exist.

# %%
w, tau, rho = sp.symbols("w tau rho", positive=True)
pair = sp.Matrix([[w + tau, -w], [-w, w + tau]]).inv()
correlation = sp.simplify(pair[0, 1] / pair[0, 0])
print("two tuples: correlation =", correlation)

cofactors = (L4 + tau * sp.eye(4)).adjugate()  # = covariance × a positive determinant
signs = {term > 0 for entry in cofactors for term in sp.Poly(entry).coeffs()}

with claim("Y-0.structure") as c:
    wanted = sp.solve(sp.Eq(correlation, rho), w)
    c.exact(wanted, [tau * rho / (1 - rho)], "two tuples: a w for every 0 ≤ ρ < 1")
    c.exact(correlation, w / (w + tau), "limit: two tuples, ρ = w/(w + τ) ≥ 0")
    c.exact(signs, {sp.true}, "limit: four tuples, no negative covariance")

# %% [markdown]
# ## What is left for the attacker to guess?
#
# The release is $r = s + z$ with $s = \sum_i x_i$ and Laplace noise $z$. Of everything unknown only one
# number matters, the sum $s_{\unknown}$. So the attacker's law of the output is one integral over $s$
# (equation (17); $\propto$ in print, in fact equal), and $s$ is normal. We take the street with a weak
# prior and check (17) and (18) on it.

# %%
n, prior = 4, sp.Rational(1, 4)
street = nx.path_graph(n)
P = sp.Matrix(nx.laplacian_matrix(street).toarray()) + prior * sp.eye(n)
P_float = networks.precision(street, float(prior))
Sigma = P.inv()
attackers = list(adversaries(n))


def unknown_sum(i, K):
    """Slope in x_i and variance of the unknown sum, from the covariance alone."""
    U = [u for u in range(n) if u != i and u not in K]
    pick = sp.Matrix(
        [
            [int(k in U) for k in range(n)],
            *[[int(k == c) for k in range(n)] for c in (i, *K)],
        ]
    )
    S = pick * Sigma * pick.T  # covariance of (s_U, x_i, x_K)
    slopes = S[:1, 1:] * S[1:, 1:].inv()
    return slopes[0], (S[0, 0] - (slopes * S[1:, :1])[0])


# %% tags=["hide-input"]
with claim("Y-E18") as c:
    by_covariance, by_precision = [], []
    for i, K in attackers:
        U = [u for u in range(n) if u != i and u not in K]
        if U:
            solved = P.extract(U, U).inv() * sp.ones(len(U), 1)
            by_covariance.append(unknown_sum(i, K))
            by_precision.append((-(solved.T * P.extract(U, [i]))[0], sum(solved)))
    c.exact(
        by_covariance,
        by_precision,
        f"{len(by_covariance)} attackers: law of the unknown sum, two routes",
    )

with claim("Y-E17") as c:
    # houses 1 and 4 known to be 0: integrate x_2, x_3 one by one, then as one sum
    block = P_float[1:3, 1:3]
    side = np.linspace(-9, 9, 1201)
    a, b = np.meshgrid(side, side)
    form = block[0, 0] * a**2 + 2 * block[0, 1] * a * b + block[1, 1] * b**2
    law = np.exp(-form / 2)
    law /= law.sum()
    spread = float(np.sqrt(np.linalg.inv(block).sum()))
    for r in (0.0, 1.5):
        both = (law * np.exp(-np.abs(r - a - b)) / 2).sum()
        one = gaussian.output_density(r, 0, scale=1.0, sigma=spread)
        c.close(both, one, f"r = {r:g}: over both tuples = over their sum", rtol=1e-4)
    outputs = np.linspace(-60, 60, 60_001)
    whole = gaussian.output_density(outputs, 0, scale=1.0, sigma=spread)
    c.close(np.trapezoid(whole, outputs), 1.0, "its mass is one: ∝ is =", rtol=1e-6)

# %% [markdown]
# Forgetting one more tuple $j$ replaces $s_{\unknown}$ and $x_j$ by their sum. The paper turns that step into
# an update of the matrix.
#
# ## Can unknown people be merged into one?
#
# ```{prf:proposition} Combination (Proposition 5.1; 命題, 組合せ)
# :label: prp-03-merge
# Let $\adversary(i, \known)$ not know the $m$ tuples $\unknown$, let $x_0$ be their mean, and let $L_{\adversary}$ be
# the matrix of $(x_0, x_{\mathcal C})$ with $\mathcal C = \{i\} \cup \known$, entries $w_0$, $-w_{0c}$, $W_{\mathcal C}$. If the
# attacker forgets $j \in \known$, the matrix of the new mean and $\mathcal C' = \mathcal C \setminus \{j\}$ is given by
#
# $$ w_0' = \frac{(m+1)^2 (w_0 w_j - w_{0j}^2)}{d}, \qquad d = m^2 w_j + 2 m w_{0j} + w_0, $$
#
# $$ w_{0\mathcal C'}' = (m+1)\frac{(w_{0j} + m w_j)\, w_{0\mathcal C'} + (w_0 + m w_{0j})\, w_{j\mathcal C'}}{d}, $$
#
# $$ W_{\mathcal C'}' = W_{\mathcal C'}
#    - \frac{(w_{0\mathcal C'} - m w_{j\mathcal C'})(w_{0\mathcal C'} - m w_{j\mathcal C'})^{\mathsf T}}{d}, $$
#
# and it is again a Gaussian correlation model.
# ```
#
# The paper refers to its English version for the proof. Here is one that fits in a cell. The new mean is
# $x_0' = (m x_0 + x_j)/(m + 1)$. The one direction that leaves it alone is $x_0 \mapsto x_0 + t$,
# $x_j \mapsto x_j - mt$. Put $x_0 = x_0' + t$, $x_j = x_0' - mt$: the exponent is a quadratic in $t$, and
# integrating a normal density over $t$ leaves the exponent at its minimum. That is a Schur complement, and
# we let sympy compare it with the print, for every $m$ and for $|\mathcal C'| = 1, 2, 3$. (An entry of the
# result involves at most two tuples of $\mathcal C'$, so size 2 already covers all sizes.)

# %%
m, w0, wj, w0j, t, y = sp.symbols("m w_0 w_j w_0j t y")


def blocks(size):
    """Free symbols for the remaining entries: w_0C, w_jC and the symmetric W_C."""
    w0c = sp.Matrix(sp.symbols(f"a_1:{size + 1}"))
    wjc = sp.Matrix(sp.symbols(f"b_1:{size + 1}"))
    Wc = sp.Matrix(size, size, lambda p, q: sp.Symbol(f"c_{min(p, q)}{max(p, q)}"))
    return w0c, wjc, Wc


def bordered(corner, border, rest):
    """[[corner, −border'], [−border, rest]]."""
    top = sp.Matrix.hstack(corner, -border.T)
    return sp.Matrix.vstack(top, sp.Matrix.hstack(-border, rest))


def integrated(size):
    """Matrix of (y, x_C) after t is integrated out, read off the exponent."""
    w0c, wjc, Wc = blocks(size)
    z = sp.Matrix(sp.symbols(f"z_1:{size + 1}"))
    x0, xj = y + t, y - m * t
    Q = (
        w0 * x0**2
        - 2 * w0j * x0 * xj
        + wj * xj**2
        - 2 * x0 * w0c.dot(z)
        - 2 * xj * wjc.dot(z)
        + z.dot(Wc * z)
    )
    best = sp.solve(sp.diff(Q, t), t)[0]
    return sp.hessian(Q.subs(t, best), [y, *z]) / 2


def printed(size):
    """The three printed formulas."""
    w0c, wjc, Wc = blocks(size)
    d = m**2 * wj + 2 * m * w0j + w0
    pivot = (m + 1) ** 2 * (w0 * wj - w0j**2) / d
    row = (m + 1) * ((w0j + m * wj) * w0c + (w0 + m * w0j) * wjc) / d
    change = w0c - m * wjc
    return bordered(sp.Matrix([pivot]), row, Wc - change * change.T / d)


# %%
by_integral = {size: integrated(size) for size in (1, 2, 3)}
(by_integral[2] - printed(2)).applyfunc(sp.cancel)


# %% [markdown]
# The identity reduced to zero, with all symbols free. No sign and no row sum was used, which matters
# below. Two independent routes in numbers: fractions against the inverse of a covariance matrix, and
# floats against dense elimination, with and without a prior.

# %%
def merged(P, unknown):
    """Matrix of (mean of the unknown, the others in order), by Proposition 5.1."""
    order = [*unknown, *(k for k in range(P.shape[0]) if k not in unknown)]
    A = np.array(P)[np.ix_(order, order)]
    for size in range(1, len(unknown)):
        A = gaussian.combine(A, 1, m=size)
    return A


def eliminated(P, unknown):
    """The same by dense elimination of all directions that leave the mean alone."""
    kept = [k for k in range(len(P)) if k not in unknown]
    B, N = np.eye(len(P))[:, [unknown[0], *kept]], np.eye(len(P))[:, unknown[1:]]
    B[unknown, 0] = 1
    N[unknown[0]] = -1
    return B.T @ P @ B - B.T @ P @ N @ np.linalg.solve(N.T @ P @ N, N.T @ P @ B)


# %% tags=["hide-input"]
rng = np.random.default_rng(51)
errors = {"no prior": [], "common prior": [], "a prior each": [], "any signs": []}
for n_tuples in range(3, 13):
    for kind, found in errors.items():
        weights = np.triu(rng.exponential(size=(n_tuples, n_tuples)), 1)
        Q = np.diag((weights + weights.T).sum(axis=1)) - weights - weights.T
        own = rng.exponential(size=n_tuples)
        shared = {"no prior": 0 * own, "common prior": 0 * own + 0.5}
        Q += np.diag(shared.get(kind, own))
        if kind == "any signs":
            Q = Q @ Q + np.diag(rng.normal(size=n_tuples) ** 2)
        unknown = list(rng.permutation(n_tuples)[: rng.integers(2, n_tuples)])
        truth = eliminated(Q, unknown)
        found.append(np.abs(merged(Q, unknown) - truth).max() / np.abs(truth).max())
for kind, found in errors.items():
    worst = "below 1e-12" if max(found) < 1e-12 else f"{max(found):.0e}"
    print(f"{kind:14s} {len(found)} matrices, n = 3…12: relative error {worst}")


# %% tags=["hide-input"]
def inverse_route(P, unknown):
    """The same from the covariance matrix, exactly."""
    kept = [k for k in range(P.rows) if k not in unknown]
    take = sp.eye(P.rows).extract([unknown[0], *kept], list(range(P.rows)))
    for k in unknown:
        take[0, k] = sp.Rational(1, len(unknown))
    return (take * P.inv() * take.T).inv()


unequal = sp.diag(sp.Rational(1, 3), 2, 0, sp.Rational(5, 7))
kite = L4.subs({w: k for k, w in enumerate(links.values())})  # weights 0, 1, …, 5

with claim("Y-P5.1") as c:
    for size, schur in by_integral.items():
        c.exact(schur, printed(size), f"any m, {size} left: print = Schur complement")
    w0c, wjc, Wc = blocks(2)
    corner = sp.Matrix([[w0, -w0j], [-w0j, wj]])
    full = bordered(corner, sp.Matrix.hstack(w0c, wjc), Wc)
    c.exact(gaussian.combine(full, 1, m=m), printed(2), "the package: the print")
    c.at_most(max(errors["no prior"]), 1e-12, "no prior, n = 3…12: dense elimination")

with claim("Y-P5.1-prior") as c:
    for U in ([1, 2], [0, 3], [0, 1, 3]):
        model = kite + unequal
        c.exact(
            merged(model, U),
            np.array(inverse_route(model, U)),
            f"unequal priors, {[k + 1 for k in U]} merged: by the covariance",
        )
    for kind in ("common prior", "a prior each", "any signs"):
        c.at_most(max(errors[kind]), 1e-12, f"{kind}, n = 3…12: dense elimination")

# %% [markdown]
# So the formulas may be used with $L + \tau I$, as the paper's section 6 does, although
# {prf:ref}`def-03-model` has no prior.
#
# ## Is the merged model still of the same kind?
#
# The proposition ends with "again a Gaussian correlation model", which by {prf:ref}`def-03-model` means
# weights $\ge 0$. Merge houses 2 and 3 of the street.

# %%
path = sp.Matrix(nx.laplacian_matrix(street).toarray())
closed_up = sp.Matrix(merged(path, [1, 2]))  # order: mean of 2 and 3, then 1, then 4
outer = -closed_up[1, 2]
glue("outer-weight", str(outer), display=False)
closed_up

# %% [markdown]
# The link between houses 1 and 4 has weight {glue:text}`outer-weight`. It makes sense: if you know the
# *mean* of houses 2 and 3, then a high house 1 suggests a high house 2, hence a low house 3, hence a low
# house 4.

# %% mystnb={"figure": {"caption": "Merging houses 2 and 3 into their mean. The two outer houses, which had no link, repel each other afterwards (dashed, weight \u22121/6).", "name": "fig-merge"}, "image": {"alt": "Left: a path of four nodes, three links of weight 1. Right: three nodes, the merged block in the middle with links of weight 1 to houses 1 and 4, and a dashed arc of weight minus one sixth between houses 1 and 4."}} tags=["hide-input"]
fig, (left, right) = plots.panels(1, 2, height=1.6, width=8)
spots = {k: (k, 0) for k in range(4)}
names = {k: str(k + 1) for k in range(4)}
plots.draw_network(street, left, positions=spots, labels=names, size=480)
for k in range(3):
    left.text(k + 0.5, 0.12, "1", ha="center", va="bottom")
left.set(title="before", xlim=(-0.4, 3.4), ylim=(-0.6, 0.9))

block = nx.Graph([(0, 1), (0, 2)])
spots = {0: (1.5, 0), 1: (0, 0), 2: (3, 0)}
bend = np.linspace(0, 1, 60)
right.plot(3 * bend, -1.5 * bend * (1 - bend), "--", color=plots.COLOURS["orange"])
right.text(1.5, -0.56, f"−{-outer}", color=plots.COLOURS["orange"], ha="center")
names = {0: "2, 3", 1: "1", 2: "4"}
plots.draw_network(block, right, positions=spots, labels=names, size=700)
for k in (1, 2):
    weight = str(-closed_up[0, k])
    right.text((1.5 + spots[k][0]) / 2, 0.12, weight, ha="center", va="bottom")
right.set(title="after", xlim=(-0.4, 3.4), ylim=(-0.75, 0.75))
plt.show()


# %% [markdown]
# Could a smaller network show this? With three tuples one pair can be merged, and the single link that
# remains has weight $w_{0\mathcal C'}'$, a sum of products of non-negative numbers. So four tuples are the
# smallest case. And it is harmless: the attacker's coefficient below is read from row 0 only, the formulas
# need no sign, and it stays $\ge 0$ for every attacker.

# %%
def terms(formula):
    """Coefficients of numerator and denominator as polynomials in the weights."""
    letters = sorted(L4.free_symbols, key=str)
    parts = sp.fraction(sp.cancel(formula))
    return [q for part in parts for q in sp.Poly(part, *letters).coeffs()]


only = sp.factor(-merged(laplacian(3), [0, 1])[0, 1])
only  # three tuples, 1 and 2 merged: the one weight that remains

# %%
with claim(
    "Y-P5.1-closure",
    printed=r"the merged model is again a Gaussian correlation model ($w \ge 0$)",
    corrected=r"it is again a normal law with a positive semidefinite matrix (rows "
    r"sum to 0 without prior); weights between known tuples may be negative",
    consequence=r"none for later results: the update formulas and $m w_{0i}/w_0$ "
    r"need no signs, and $\ell_{\mathcal A} \ge 0$ holds for every attacker",
) as c:
    c.fails(bool(outer >= 0), f"path 1-2-3-4, 2 and 3 merged: weight {outer} on 1-4")
    c.holds(
        min(terms(only)) > 0,
        "n = 3: the weight that remains has no minus",
        method="symbolic",
    )
    sums = sp.Matrix(merged(L4, [1, 2])) * sp.ones(3, 1)
    c.exact(sums.applyfunc(sp.cancel), sp.zeros(3, 1), "n = 4: rows sum to zero")
    c.holds(bool(closed_up.is_positive_semidefinite), "merged street: semidefinite")
    everyone = [
        terms(GaussianModel(L4).leakage_coefficient(i, K)) for i, K in attackers
    ]
    c.holds(
        min(map(min, everyone)) >= 0,
        method="symbolic",
        label=f"n = 4, any weights: {len(everyone)} coefficients, all ≥ 0",
    )

# %% [markdown]
# ## What is the noise worth?
#
# ```{prf:theorem} Leakage in the Gaussian correlation model (Theorem 5.1; 漏洩係数)
# :label: thm-03-leakage
# Release $r = s + z$ with $s = \sum_i x_i$ and $z \sim \Lap(\lambda)$. For an attacker $\adversary(i, \known)$
# with $m$ unknown tuples and matrix $L_{\adversary}$ as in {prf:ref}`prp-03-merge`,
#
# $$ \BDPL_{\adversary} = \frac M\lambda\,(1 + \ell_{\adversary}), \qquad \ell_{\adversary} = \frac{m\, w_{0i}}{w_0}. $$
#
# Here $M$ is the largest $|x_i - x_i'|$ that is to be hidden, and $\ell_{\adversary} = 0$ if nothing is unknown.
# ```
#
# The last sentence is ours; we come to it. The first half of the proof is the weighted average again: given
# $x_{\mathcal C}$ the mean of $x_0$ moves by $w_{0i}/w_0$ per unit of $x_i$, so $s = m x_0 + x_i + s_{\known}$
# moves by $1 + \ell_{\adversary}$. The spread of $s$ does not depend on $x_i$ (equation (16)). So the attacker
# compares *one* density, normal plus Laplace, at two positions $\Delta = (1 + \ell_{\adversary})|x_i - x_i'|$ apart.
#
# The noise is that of (23), whose constant is right, and whose **scale** is $\lambda$:

# %%
z = sp.Symbol("z", real=True)
lam, sig = sp.symbols("lambda sigma", positive=True)
noise = sp.exp(-sp.Abs(z) / lam) / (2 * lam)
half = sp.exp(-z / lam) / (2 * lam)
variance = 2 * sp.integrate(z**2 * half, (z, 0, sp.oo))

with claim("Y-E23") as c:
    c.exact(2 * sp.integrate(half, (z, 0, sp.oo)), 1, "(23) has mass one")
    c.exact(variance, 2 * lam**2, "and variance 2λ²")
    ours = gaussian.output_density([-1.0, 0.5], 0, scale=2.0, sigma=0.0)
    theirs = [float(noise.subs({lam: 2, z: v})) for v in (-1, 0.5)]
    c.close(ours, theirs, "the package's noise", rtol=1e-12)

# %% [markdown]
# Now the density of normal plus Laplace. Split the convolution at $t$ into the part from the left and the
# part from the right,
#
# $$ g = \frac{A + B}{2\lambda}, \qquad
#    A(t) = \int_{-\infty}^t e^{-(t-v)/\lambda}\varphi(v)\,dv, \quad
#    B(t) = \int_t^\infty e^{-(v-t)/\lambda}\varphi(v)\,dv, $$
#
# with $\varphi$ the density of $N(0, \sigma^2)$. Both solve a first-order equation, $A' = \varphi - A/\lambda$ and
# $B' = B/\lambda - \varphi$, and both have closed forms:

# %%
T = sp.Symbol("t", real=True)
phi = sp.exp(-(T**2) / (2 * sig**2)) / (sig * sp.sqrt(2 * sp.pi))
common = sp.exp(sig**2 / (2 * lam**2)) / 2
A = common * sp.exp(-T / lam) * sp.erfc((sig / lam - T / sig) / sp.sqrt(2))
B = common * sp.exp(T / lam) * sp.erfc((sig / lam + T / sig) / sp.sqrt(2))
g = (A + B) / (2 * lam)

zero = [
    sp.diff(A, T) - (phi - A / lam),
    sp.diff(B, T) - (B / lam - phi),
    sp.diff(g, T) - (B - A) / (2 * lam**2),
]
zero = [sp.simplify(sp.expand(sp.powsimp(sp.expand(e)))) for e in zero]
zero

# %% [markdown]
# The third zero is the theorem's core: $g'/g = \dfrac1\lambda\cdot\dfrac{B - A}{B + A}$ with $A, B > 0$. **The
# log density is never steeper than $1/\lambda$**, whatever $\sigma$ is. So the log ratio of two copies $\Delta$
# apart lies strictly inside $(-\Delta/\lambda, \Delta/\lambda)$. Does it get there? The slope falls
# monotonically from one end to the other:

# %%
a, b, f = sp.symbols("A B varphi", positive=True)
slope = (b - a) / (lam * (a + b))
# chain rule, with A' and B' from above
bend = sp.diff(slope, a) * (f - a / lam) + sp.diff(slope, b) * (b / lam - f)
claimed = 2 * a * b * f / (lam * (a + b) ** 2) * (2 / (lam * f) - 1 / a - 1 / b)
print("slope' minus claimed form:", sp.simplify(bend - claimed))

q, v = sp.symbols("q v", positive=True)
bell = sp.exp(-q * v - v**2 / 2)
by_parts = sp.simplify(sp.integrate((q + v) * bell, (v, 0, sp.oo)))
print("∫ (q + u) exp(−qu − u²/2) du from 0 to ∞:", by_parts)

mills = sp.integrate(bell, (v, 0, sp.oo))  # R(q), closed form
as_mills = [
    A - phi * sig * mills.subs(q, sig / lam - T / sig),
    B - phi * sig * mills.subs(q, sig / lam + T / sig),
]
as_mills = [sp.simplify(sp.expand(sp.powsimp(sp.expand(e)))) for e in as_mills]
print("A and B minus φσR:", as_mills)

# %% [markdown]
# Substituting $v = t \mp \sigma u$ gives $A = \varphi\,\sigma R(\frac\sigma\lambda - \frac t\sigma)$ and
# $B = \varphi\,\sigma R(\frac\sigma\lambda + \frac t\sigma)$ with Mills' ratio
# $R(q) = \int_0^\infty e^{-qu - u^2/2} du$. The integral just printed says $qR(q) < 1$, so $1/R(q) > q$ (for
# $q \le 0$ there is nothing to show), and $\frac1A + \frac1B > \frac{1}{\varphi\sigma}\cdot\frac{2\sigma}{\lambda}$: the bracket is
# negative, the slope falls strictly. At the ends one of $A$, $B$ outweighs the other:

# %%
ratio = (B / A).subs({lam: 1, sig: 1})
ends = [sp.limit(ratio, T, sp.oo), sp.limit(1 / ratio, T, -sp.oo)]
print("B/A at +∞ and A/B at −∞:", ends)

mp.mp.dps = 40


def log_g(t):
    """log of the closed form at λ = σ = 1, in 40 digits."""
    left, right = mp.erfc((1 - t) / mp.sqrt(2)), mp.erfc((1 + t) / mp.sqrt(2))
    return mp.log(mp.exp(-t) * left + mp.exp(t) * right)


def by_quadrature(t):
    """The same by quadrature, up to the same constant."""
    pieces = [-mp.inf, t, 0, mp.inf]
    return mp.log(mp.quad(lambda v: mp.exp(-abs(t - v) - v**2 / 2), pieces))


delta, outputs = 2, [mp.mpf(t) for t in (-2, -5, -10)]
far = [log_g(t) - log_g(t - delta) for t in outputs]
again = [by_quadrature(t) - by_quadrature(t - delta) for t in outputs]
print("Δ = 2, λ = σ = 1")
for t, value in zip(outputs, far):
    short = mp.nstr(delta - value, 3)
    print(f"r = {int(t):3d}: log ratio {mp.nstr(value, 9):10s}  below Δ/λ by {short}")


# %% [markdown]
# So the supremum $\Delta/\lambda$ is a *limit*: the further out the output, the nearer, and no output attains it
# (unless nothing is unknown, where $g$ is the Laplace density itself). That completes the proof. On the
# street, for all 32 attackers, with the coefficient computed by merging:

# %%
def by_merging(P, i, K):
    """m w_0i / w_0 from Proposition 5.1."""
    U = [u for u in range(P.rows) if u != i and u not in K]
    if not U:
        return sp.Integer(0)
    A = merged(P, U)
    row = 1 + [k for k in range(P.rows) if k not in U].index(i)
    return -len(U) * A[0, row] / A[0, 0]


def spread_of(i, K):
    """Standard deviation of the sum, given what the attacker knows."""
    return float(sp.sqrt(unknown_sum(i, K)[1])) if len(K) < n - 1 else 0.0


coefficients = {(i, K): by_merging(P, i, K) for i, K in attackers}

with claim("Y-Th5.1") as c:
    c.exact(zero, [0, 0, 0], "slope of the log density = (B − A)/(B + A)/λ")
    c.exact([bend, by_parts], [claimed, 1], "its derivative: below 0 by Mills")
    c.exact([*as_mills, *ends], [0] * 4, "so it falls strictly, from 1/λ to −1/λ")
    c.at_most(
        [float(abs(p - q)) for p, q in zip(far, again)],
        1e-25,
        "closed form against quadrature in 40 digits",
    )
    c.holds(max(far) < delta, "the supremum is not attained", method="numeric")
    slopes = [unknown_sum(i, K)[0] if len(K) < n - 1 else 0 for i, K in attackers]
    c.exact(
        list(coefficients.values()),
        slopes,
        f"{len(slopes)} attackers: m w_0i / w_0 = slope of s_U in x_i",
    )
    for K in ((), (3,), (0, 2, 3)):
        step = 1 + float(coefficients[1, K])
        law = {"scale": 2.0, "sigma": spread_of(1, K)}
        far_out = gaussian.log_ratio(-60.0, 3 * step, **law)
        c.close(far_out, 1.5 * step, f"M = 3, λ = 2, {len(K)} known: far out")

# %% mystnb={"figure": {"caption": "House 2 of the street (M = \u03bb = 1, \u03c4 = 1/4). Left: what each attacker must tell apart. The one who knows least has the two broadest densities. Right: their log ratio. In the middle the weak attacker learns little, in the tails most; every curve flattens at \u00b1(1 + \u2113) and only the strong attacker's reaches it.", "name": "fig-ratio"}, "image": {"alt": "Left: pairs of densities, narrow for the strong attacker and broad for the weak one. Right: three S-shaped curves of log ratio against output from plus to minus (1 + ell): height 1 for the strong attacker, more for the one who knows house 4 and most for the weak one, each with a thin line at its limit."}} tags=["hide-input"]
fig, (left, right) = plots.panels(1, 2, width=8.6, height=3.4)
outputs = np.linspace(-9, 11, 801)
shown = {"knows 1, 3, 4": (0, 2, 3), "knows 4": (3,), "knows nobody": ()}
limits = {}
for (label, K), name in zip(shown.items(), ("grey", "orange", "blue")):
    step, colour = 1 + float(coefficients[1, K]), plots.COLOURS[name]
    law = {"scale": 1.0, "sigma": spread_of(1, K)}
    for value, style in ((0, "-"), (1, "--")):
        curve = gaussian.output_density(outputs, value * step, **law)
        text = f"{label}, $x_2 = {value}$"
        left.plot(outputs, curve, style, color=colour, label=text)
    curve = gaussian.log_ratio(outputs, step, **law)
    text = f"{label}: 1 + ℓ = {step:.2f}"
    right.plot(outputs, curve, "-", color=colour, label=text)
    for height in (step, -step):
        right.axhline(height, color=colour, lw=0.8, ls=":")
    limits[label] = (step, curve)
left.set(xlabel="output r", ylabel="density", title="what must be told apart")
left.legend(fontsize=7.5)
right.set(
    xlabel="output r",
    ylabel="log ratio, $x_2 = 0$ against $x_2 = 1$",
    title="what is leaked",
)
right.legend(fontsize=8, loc="lower left")
plt.show()

# %%
print("log ratio at       r = 0     r = −2    r = −6   limit 1 + ℓ")
for label, (limit, curve) in limits.items():
    at = [curve[np.argmin(abs(outputs - r))] for r in (0, -2, -6)]
    print(f"{label:14s}", *(f"{v:9.4f}" for v in at), f"{limit:10.4f}")
    assert np.all(np.diff(curve) <= 1e-12)  # monotone
    assert (at[1] < limit - 1e-6) == (label != "knows 1, 3, 4")  # strong: reached

# %% [markdown]
# What the attacker does not know blurs the output, and one might hope that the blur protects. It does, near the
# centre. But pure $\varepsilon$ looks at the tails, where $\sigma$ plays no part. (With Gaussian noise it
# would; that is a story for [notebook 7](07-beyond.ipynb).)
#
# ## Two gaps in the theorem
#
# **What is $M$?** The theorem says only "assume $M > 0$". Definition 4.1 takes the supremum over *all* pairs
# $x_i, x_i'$, and a normal variable has values arbitrarily far apart. Without a bound the supremum is
# infinite; with $|x_i - x_i'| \le M$ the formula is exact.

# %%
ell = float(coefficients[1, ()])
bound = 1.0  # M, with λ = 1
distances = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
law = {"scale": 1.0, "sigma": spread_of(1, ())}
leak = gaussian.log_ratio(-80.0, distances * (1 + ell), **law)
stated = bound * (1 + ell)

with claim(
    "Y-Th5.1-M",
    printed=r"$\frac M\lambda(1 + \ell_{\mathcal A})$ for $M > 0$, not defined",
    corrected=r"$M$ is the bound on $|x_i - x_i'|$ over which the supremum is taken",
    consequence=r"none: with this $M$ the theorem and (26) to (29) stand; without a "
    r"bound the supremum is infinite for every $\lambda$",
) as c:
    double = float(leak[distances == 2 * bound][0])
    c.fails(
        bool(double <= stated + 1e-9),
        f"values 2M apart: log ratio {double / stated:.3f} times the stated leakage",
        method="numeric",
    )
    c.close(leak, distances * (1 + ell), "it grows with the distance, without bound")
    near = distances <= bound
    c.at_most(leak[near], stated, "pairs at most M apart stay within", slack=1e-12)
    c.close(leak[distances == bound], [stated], "pairs M apart come arbitrarily near")

# %% [markdown]
# **What if nothing is unknown?** Then there is no block: $m = 0$ and no $w_0$, and the coefficient reads
# $0/0$. The truth is plain Laplace noise, so $\ell = 0$. An unlinked dummy block with any positive pivot
# makes the printed formula say so.

# %%
pivot, r = sp.Symbol("pivot", positive=True), sp.Symbol("r", nonpositive=True)
no_block = sp.Integer(0)
as_printed = no_block * no_block / no_block  # m w_0i / w_0 with m = 0 and no block
with_dummy = sp.diag(pivot, P)
M_sym = sp.Symbol("M", positive=True)

with claim(
    "Y-Th5.1-empty",
    printed=r"$\ell_{\mathcal A} = m w_{0i}/w_0$ for every attacker",
    corrected=r"$\ell_{\mathcal A} = 0$ for the strong attacker ($m = 0$, no block)",
    consequence=r"none: the leakage is $M/\lambda$, as for differential privacy",
) as c:
    c.fails(as_printed is not sp.nan, "strong attacker, m = 0 and no block: 0/0")
    direct = (sp.Abs(r - M_sym) - sp.Abs(r)) / lam
    c.exact(sp.simplify(direct), M_sym / lam, "two Laplace densities M apart: M/λ")
    copied = gaussian.combine(with_dummy, 1, m=0)
    c.exact(copied, P, "dummy block, w_0i = 0: the first merge copies tuple 1")
    c.exact(
        GaussianModel(P).leakage_coefficient(1, [0, 2, 3]), 0, "the package, house 2"
    )

# %% [markdown]
# ## Scale or variance?
#
# Asking for $\BDPL_{\adversary} \le \varepsilon$ gives the trade-off (26),
# $M(1 + \ell_{\adversary}) \le \varepsilon\lambda$. It is sharp:

# %%
eps, ell_sym, M_sym = sp.symbols("epsilon ell M", positive=True)
bdpl = M_sym / lam * (1 + ell_sym)
smallest = sp.solve(sp.Eq(bdpl, eps), lam)[0]
worst = max(coefficients, key=coefficients.get)
shift = 2 * (1 + float(coefficients[worst]))  # M = 2
needed = GaussianModel(P_float, width=2.0).noise_scale(0.5)
outputs = np.linspace(-200, 200, 4001)
spread = spread_of(*worst)
ratios = [
    gaussian.log_ratio(outputs, shift, scale=k * needed, sigma=spread)
    for k in (1, 0.99)
]

with claim("Y-E26") as c:
    c.exact(smallest, M_sym * (1 + ell_sym) / eps, "BDPL = ε at λ = M(1 + l)/ε")
    falls = bool(sp.diff(bdpl, lam).is_negative)
    c.holds(falls, "more noise, less leakage", method="symbolic")
    c.close(needed, shift / 0.5, "street, ε = 1/2, M = 2: worst of 32 attackers")
    c.at_most(ratios[0], 0.5, "with that scale no output beyond ε", slack=1e-12)
    c.at_most(0.502, ratios[1].max(), "with 0.99 of it some output is beyond ε")

# %% [markdown]
# The text around it says that the **variance** (分散) of the noise has to be this large, and, without a
# prior, that $n$-fold variance is needed. By (23) $\lambda$ is the scale, and the variance is $2\lambda^2$: $n$-fold
# scale is $n^2$-fold variance. Read to the letter the smallest example leaks too much:

# %%
two, tenth = sp.Integer(2), sp.Rational(1, 10)  # n = 2: 1 + ℓ = 2; M = 1; ε = 1/10
needed_two = two / tenth
literal = sp.sqrt(needed_two / 2)  # the scale of a noise of that variance
growth = [sp.simplify(variance.subs(lam, k * lam) / variance) for k in (2, 10)]
print(f"scale {needed_two}: leaks {two / needed_two}")
print(f"variance {needed_two}: scale {literal}, leaks {float(two / literal):.3f}")

with claim(
    "Y-5.d",
    printed=r"the variance of the noise must be $(1 + \ell)M/\varepsilon$, without "
    r"prior $n$-fold",
    corrected=r"the scale $\lambda$ must be $(1 + \ell)M/\varepsilon$; the variance "
    r"is $2\lambda^2$, so that $n$-fold scale is $n^2$-fold variance",
    consequence=r"(25) to (29) are in $\lambda$ and stand; the loss of utility, "
    r"measured by the variance, is larger than the text says",
) as c:
    c.differs(two / literal, tenth, "n = 2, M = 1, ε = 1/10, variance 20: leakage")
    c.differs(2, int(growth[0]), "n = 2: factor on the variance of the noise")
    c.exact(growth, [4, 100], "scale times 2 and 10: variance times 4 and 100")
    c.exact(two / needed_two, tenth, "scale 20 leaks ε")

# %% [markdown]
# ## And without a prior?
#
# Then a weak attacker expects *every* other tuple to move as much as $x_i$: no average of ones is anything but
# one. In matrix terms $L\one = 0$ gives $L_{\unknown\unknown}\one = -L_{\unknown i}$, so $\ell_i = m = n - 1$ for every
# connected network and every weight, and $\BDPL = nM/\lambda$: equation (29).

# %%
karate = nx.karate_club_graph()  # weights: in how many contexts two members met
connected_networks = {
    "street": street,
    "star": nx.star_graph(8),
    "cycle": nx.cycle_graph(12),
    "complete": nx.complete_graph(20),
    "karate club": karate,
}
print(f"{'network':12s} printed n   ours: 1 + ℓ, smallest and largest")
measured = {}
for name, graph in connected_networks.items():
    L, size = networks.precision(graph, 0), len(graph)
    found = [1 + GaussianModel(L).leakage_coefficient(i) for i in range(size)]
    print(f"{name:12s} {size:9d}   {min(found):9.6f}  {max(found):9.6f}")
    measured[name] = found

two_by_two = {
    size: sp.Matrix(merged(laplacian(size), list(range(1, size))))
    for size in (2, 3, 4)
}
two_by_two = {size: A.applyfunc(sp.cancel) for size, A in two_by_two.items()}
with_prior = sp.Matrix(merged(P, [1, 2, 3]))
print("prior 1/4, house 1 against the rest: diagonal", list(with_prior.diagonal()))

# %%
with claim("Y-E29") as c:
    for size in (2, 3, 4):
        L = laplacian(size)
        found = [GaussianModel(L).leakage_coefficient(i) for i in range(size)]
        c.exact(found, [size - 1] * size, f"n = {size}, any weights: l = n − 1")
    for name, values in measured.items():
        c.close(values, [len(values)] * len(values), f"{name}: 1 + l = n")

with claim("Y-5.i") as c:
    for size, A in two_by_two.items():
        c.exact(A[0, 0], A[1, 1], f"n = {size}, any weights: equal diagonal")
    rows = [sp.cancel(sum(two_by_two[4].row(k))) for k in (0, 1)]
    c.exact(rows, [0, 0], "because both rows sum to zero")

# %% [markdown]
# As the paper says, this is a trivial result (平凡): exactly what group privacy would give. The equal
# diagonal of the $2 \times 2$ matrix belongs to the case without prior, as its context says; with a prior
# the entries differ. The repair of section 5.5 is a prior $\tau I$ (事前分布), $P = L + \tau I$. How much does it
# save, and for whom?
#
# ## One formula for everybody
#
# Merging gives one attacker at a time. For the $n$ weak attackers there is a closed form. Block inversion
# says $(P^{-1})_{\unknown i} = -P_{\unknown\unknown}^{-1}P_{\unknown i}\,(P^{-1})_{ii}$; sum over $\unknown$ and divide:
#
# $$ 1 + \ell_i = \frac{(P^{-1}\one)_i}{(P^{-1})_{ii}} = \frac{\Cov(x_i, s)}{\Var(x_i)}, $$
#
# the slope of the regression of the sum on $x_i$. Hold $x_i$ at 1 and ask where everybody else is
# expected: $h_j = \E[x_j \mid x_i = 1] = (P^{-1})_{ji}/(P^{-1})_{ii}$. By the weighted average (16) each other $h_j$
# is $\sum_k w_{jk}h_k/(w_j + \tau_j)$. Those are Kirchhoff's equations: a network of resistors with conductances
# $w_{jk}$, every node leaking to ground through $\tau_j$, node $i$ held at one volt
# {cite:p}`doyle1984random`. So
#
# > **$1 + \ell_i$ is the sum of all voltages when tuple $i$ is held at one volt.**

# %%
club_prior = 1.0
P_club = networks.precision(karate, club_prior)
cov = np.linalg.inv(P_club)
voltage = cov / np.diag(cov)  # column i: everybody's voltage when i is held at 1
factor = 1 + GaussianModel(P_club).leakage_coefficients()

current = P_club @ voltage
np.fill_diagonal(current, 0)  # at i itself the battery feeds in
assert np.abs(current).max() < 1e-10  # Kirchhoff: nothing gets lost elsewhere
assert np.allclose(voltage.sum(axis=0), factor, rtol=1e-12)
least, most = int(factor.argmin()), int(factor.argmax())
glue("least", least + 1, display=False)
glue("most", most + 1, display=False)
glue("factor-least", round(float(factor[least]), 6), display=False)
glue("factor-most", round(float(factor[most]), 6), display=False)
for member in (most, least):
    print(f"member {member + 1}: 1 + ℓ = {factor[member]:.3f}")

# %% mystnb={"figure": {"caption": "Zachary's karate club, \u03c4 = 1, weighted links. Left: member 34 is held at one volt; the voltages of all 34 members add up to member 34's 1 + \u2113. Right: that sum for every member. A number of 5 means that the noise must be five times wider than differential privacy would have it for that member.", "name": "fig-voltage"}, "image": {"alt": "Two drawings of the same social network of 34 nodes. Left, colours show voltages: 1 at member 34, smaller the further away. Right, colours show 1 + ell: largest at the two leaders 1 and 34, smallest at members with few links."}}
drawn = nx.empty_graph(34)
drawn.add_edges_from(karate.edges)
spots = nx.kamada_kawai_layout(drawn)
names = {k: str(k + 1) for k in karate}
fig, (left, right) = plots.panels(1, 2, width=8.0, height=3.6)
for ax, values, unit in (
    (left, voltage[:, most], "voltage (volt)"),
    (right, factor, "1 + ℓ (multiples of M/λ)"),
):
    plots.draw_network(
        drawn,
        ax,
        positions=spots,
        values=values,
        labels=names,
        size=150,
        value_label=unit,
    )
left.set_title(f"member {most + 1} at one volt")
right.set_title("sum of voltages, member by member")
plt.show()


# %% [markdown]
# With one common prior $\tau$ two more readings come for free. The current that flows to ground is
# $\tau\sum_j h_j$, so $1 + \ell_i = C_{\mathrm{eff}}(i, \text{ground})/\tau$, an effective conductance. And
# $(P^{-1}\one)_i = 1/\tau$, so $1 + \ell_i = 1/(\tau (P^{-1})_{ii}) = n\,\corr(x_i, s)^2$. By the matrix-tree theorem
# $\tau (P^{-1})_{ii}$ is the probability that $i$ is a root when a spanning forest with rooted trees is drawn at
# random, each with weight $\prod w \cdot \prod_{\text{roots}} \tau$. Let us count forests, in fractions.

# %%
def root_probabilities(graph, tau):
    """Probability of each node to be a root of the random forest, by listing all."""
    total, rooted = Fraction(0), dict.fromkeys(graph, Fraction(0))
    for k in range(len(graph)):
        for chosen in combinations(graph.edges(data="weight"), k):
            forest = nx.empty_graph(graph)
            forest.add_weighted_edges_from(chosen)
            if nx.is_forest(forest):
                trees = list(nx.connected_components(forest))
                rootings = prod(map(len, trees))  # one root in each tree
                weight = prod(w for *_, w in chosen) * tau ** len(trees) * rootings
                total += weight
                for tree in trees:
                    for node in tree:
                        rooted[node] += weight / len(tree)
    return [rooted[node] / total for node in graph]


small = nx.Graph()
small.add_weighted_edges_from([(0, 1, 1), (0, 2, 2), (1, 2, 1), (2, 3, 3)])
half_prior = sp.Rational(1, 2)
P_s = sp.Matrix(nx.laplacian_matrix(small).toarray()) + half_prior * sp.eye(4)
roots = [sp.Rational(v) for v in root_probabilities(small, Fraction(1, 2))]
for node, v in enumerate(roots):
    print(f"tuple {node + 1}: Pr[root] = {v} = {float(v):.4f}, 1 + ℓ = {1 / v}")

# %% [markdown]
# All of these at once, and one route that trusts no algebra: draw 200,000 databases and regress.

# %%
rng = np.random.default_rng(2015)
draws = 200_000
sample = rng.standard_normal((draws, 34)) @ np.linalg.cholesky(cov).T
total = sample.sum(axis=1)


def regress(columns, row=0):
    """Slope of the sum on a column given the others, with its standard error."""
    X = sample[:, columns]
    gram = np.linalg.inv(X.T @ X)
    slopes = gram @ X.T @ total
    residual = total - X @ slopes
    return slopes[row], np.sqrt(residual @ residual / draws * gram[row, row])


for who, K in ((most, []), (least, []), (most, [0, 32])):
    slope, error = regress([who, *K])
    exact = 1 + GaussianModel(P_club).leakage_coefficient(who, K)
    known = ", ".join(str(k + 1) for k in K) or "nobody"
    print(
        f"target {who + 1:2d}, knows {known:6s}: slope {slope:6.3f} ± {error:.3f}, "
        f"exact {exact:6.3f}"
    )
    assert abs(slope - exact) < 4 * error
slopes, slope_errors = np.array([regress([i]) for i in range(34)]).T

# %%
general = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"p_{min(i, j)}{max(i, j)}"))
inverse = general.inv()
quotient = [sum(inverse.row(i)) / inverse[i, i] for i in range(3)]
merged_one = [1 + GaussianModel(general).leakage_coefficient(i) for i in range(3)]
exact_small = list(1 + GaussianModel(P_s).leakage_coefficients())

grounded = karate.copy()
grounded.add_weighted_edges_from((k, "ground", club_prior) for k in karate)
pinv = np.linalg.pinv(networks.precision(grounded, 0))
resistance = pinv.diagonal()[:34] + pinv[34, 34] - 2 * pinv[:34, 34]
corr_squared = cov.sum(axis=1) ** 2 / (cov.diagonal() * cov.sum())

with claim("Y-B1") as c:
    c.exact(quotient, merged_one, "n = 3, any matrix: closed form = Theorem 5.1")
    by_forests = [1 / v for v in roots]
    c.exact(by_forests, exact_small, "all forests of 4 tuples listed: 1/Pr[root]")
    by_inverse = [1 / (half_prior * v) for v in P_s.inv().diagonal()]
    c.exact(by_inverse, exact_small, "4 tuples: 1/(τ (P⁻¹)_ii)")
    c.close(1 / resistance / club_prior, factor, "karate: conductance to ground / τ")
    c.close(34 * corr_squared, factor, "karate: n corr(x_i, s)²")
    c.sampled(
        slopes,
        factor,
        f"{draws:,} draws, 34 regressions of s on x_i",
        stderr=slope_errors,
    )

# %% [markdown]
# ### How far does the prior reach?
#
# The prior is the ground of the circuit: it drains what flows from one member to the next. Set $\tau$ to 1, then make
# it smaller, and see the voltage of one member lift the whole club until everybody stands for all 34. Make
# it larger, and the members become strangers, for whom differential privacy is right.

# %% mystnb={"figure": {"caption": "The colour of a member of the karate club is what a noisy sum leaks about this member to the weak attacker, as a multiple of M/\u03bb, on a logarithmic scale. A small prior precision \u03c4 makes one person of the club, a large one makes strangers. The ring marks the largest value, for which the noise has to be chosen.", "name": "fig-network"}, "image": {"alt": "Three drawings of one social network of 34 nodes on one colour scale from 1 to 34. For tau 0.1 nearly all nodes are bright, close to 34. For tau 1 the leaders are brightest and members with few links dark. For tau 10 all are dark, close to 1. A ring marks member 34 each time."}} tags=["hide-input"]
laplacian = nx.laplacian_matrix(karate).toarray()
tau_grid = [float(f"{t:.2g}") for t in np.geomspace(0.01, 100, 21)]
factors = dict(zip(tau_grid, 1 + gaussian.leakage_sweep(laplacian, tau_grid)))
ticks = [1, 2, 5, 10, 20, 34]

fig, axes = plots.panels(1, 3, width=7.4, height=2.3)
for ax, t in zip(axes, (0.1, 1.0, 10.0)):
    top = int(factors[t].argmax())
    plots.draw_network(
        drawn,
        ax,
        positions=spots,
        values=factors[t],
        labels={},
        size=45,
        value_label="1 + ℓ (M/λ)",
        norm=LogNorm(1, 34),
    )
    fig.axes[-1].set_yticks(ticks, [str(v) for v in ticks])
    fig.axes[-1].minorticks_off()
    ax.scatter(
        *spots[top], s=130, facecolors="none", edgecolors="#D55E00", linewidths=2
    )
    ax.set_title(f"τ = {t:g}, largest: {factors[t][top]:.2f}")
plt.show()

# %% tags=["hide-input"]
places = np.array([spots[k] for k in karate])
links = np.array([[places[a], places[b], [np.nan] * 2] for a, b in drawn.edges])
link_x, link_y = (
    [None if np.isnan(v) else v for v in links[..., k].ravel()] for k in (0, 1)
)


def club(t):
    """Colours, labels and the ring for one prior."""
    f = factors[t]
    top, low = int(f.argmax()), int(f.argmin())
    shade = np.log10(f)
    return [
        {
            "trace": 1,
            "marker.color": shade,
            "hovertext": [f"{names[k]}: 1 + ℓ = {v:.2f}" for k, v in enumerate(f)],
            "textfont.color": ["#111111" if v > 0.75 else "#ffffff" for v in shade],
        },
        {"trace": 2, "x": places[[top], 0], "y": places[[top], 1]},
        {
            "note": f"τ = {t:g}: largest 1 + ℓ = {f[top]:.2f} (member {top + 1}), "
            f"smallest {f[low]:.2f} (member {low + 1})."
        },
    ]


live = go.Figure()
live.add_scatter(
    x=link_x,
    y=link_y,
    mode="lines",
    line={"color": plots.COLOURS["grey"], "width": 1},
    hoverinfo="skip",
)
live.add_scatter(
    x=places[:, 0],
    y=places[:, 1],
    mode="markers+text",
    text=list(names.values()),
    textfont={"size": 10},
    hoverinfo="text",
    marker={
        "size": 22,
        "line": {"color": plots.COLOURS["grey"], "width": 1},
        "colorscale": "Cividis",
        "cmin": 0,
        "cmax": np.log10(34),
        "colorbar": {
            "title": {"text": "1 + ℓ (M/λ)", "side": "right"},
            "tickvals": np.log10(ticks),
            "ticktext": [str(v) for v in ticks],
            "thickness": 14,
        },
    },
)
live.add_scatter(
    mode="markers",
    hoverinfo="skip",
    marker={
        "symbol": "circle-open",
        "size": 32,
        "color": plots.COLOURS["orange"],
        "line": {"width": 3},
    },
)
live.update_layout(
    showlegend=False,
    height=460,
    xaxis={"visible": False},
    yaxis={"visible": False},
    margin={"l": 8, "r": 8, "t": 8, "b": 8},
)
interactive.show(
    "network",
    live,
    [Slider("prior precision τ", tau_grid, format="g", start=tau_grid.index(1.0))],
    club,
    alt="The karate club's network of 34 members, coloured by what the weak attacker "
    "of each member learns; a ring marks the largest value.",
)

# %% tags=["hide-input"]
# The coloured values by a second route, between 1 and 34, falling as τ grows
assert np.allclose(factors[1.0], factor, rtol=1e-10)
for t in (tau_grid[0], 0.1, tau_grid[-1]):
    inverse = np.linalg.inv(networks.precision(karate, t))
    assert np.allclose(factors[t], 1 / (t * inverse.diagonal()), rtol=1e-8)
table = np.array(list(factors.values()))
assert np.all((table > 1) & (table < 34)) and np.all(np.diff(table, axis=0) < 0)
assert table[0].min() > 30 and table[-1].max() < 1.5
assert set(table.argmax(axis=1)) == {most} and set(table.argmin(axis=1)) == {least}


# %% [markdown]
# Who has the largest value does not change with $\tau$ here. With $\tau = 1$ member
# {glue:text}`most` needs {glue:text}`factor-most:.2f` times the noise that differential privacy would ask
# for, member {glue:text}`least` only {glue:text}`factor-least:.2f` times. Which attackers have to be looked at at all,
# and how to compute the largest coefficient fast, is the [next notebook](04-all-adversaries.ipynb).
#
# ## Slips
#
# One index in print, possibly the converter's.

# %%
def check_merge(c):
    # street, target 1, K = {3, 4}; 3 is forgotten: K' = {4}, U = {2}, U' = {2, 3}
    given = Sigma - Sigma[:, 0] * Sigma[0, :] / Sigma[0, 0]  # covariance given x_1
    left = sp.Matrix([[0, 1, 1, 0], [0, 0, 0, 1]])  # s_U', x_4
    right = left.row_insert(1, sp.Matrix([[0, 0, 1, 0]]))  # s_U + x_3, x_3, x_4
    c.differs(right.rows, left.rows, "3 forgotten: variables on the right of (19)")
    law_20 = given.extract([1, 2, 3], [1, 2, 3])  # (20): s_U, x_3, x_4
    add = sp.Matrix([[1, 1, 0], [0, 0, 1]])
    c.exact(add * law_20 * add.T, left * given * left.T, "with x_K': (20) gives it")


as_printed = r"$p(s_{\mathcal U} + x_j,\, x_{\mathcal K} \mid x_i)$"
corrected = r"$p(s_{\mathcal U} + x_j,\, x_{\mathcal K'} \mid x_i)$"
smallest = slips([("Y-E19", as_printed, corrected, check_merge)])

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} One teacher and the pupils
# :label: ex-03-star
# ```
# **Warm-up.** One teacher, $n - 1$ pupils: a star with unit weights and prior $\tau$. Find the teacher's
# coefficient by thinking in volts, then let sympy confirm it and give a pupil's.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-03-star
# :class: dropdown
# ```
# Hold the teacher at one volt. Each pupil has one link of conductance 1 and leaks through $\tau$, so sits at
# $1/(1 + \tau)$, and $\ell = (n-1)/(1 + \tau)$. A pupil's coefficient is smaller.

# %%
for size in (3, 5):
    links = nx.laplacian_matrix(nx.star_graph(size - 1)).toarray()
    star = sp.Matrix(links) + tau * sp.eye(size)
    ells = GaussianModel(star).leakage_coefficients()
    assert sp.cancel(ells[0] - (size - 1) / (1 + tau)) == 0
    lead = sp.Poly(sp.fraction(sp.cancel(ells[0] - ells[1]))[0], tau)
    assert all(q > 0 for q in lead.coeffs())  # the teacher leaks more, for every τ
    print(f"n = {size}: a pupil has", sp.factor(ells[1]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The order of forgetting
# :label: ex-03-order
# ```
# **Standard.** Does the order in which tuples are forgotten matter for {prf:ref}`prp-03-merge`? Check all
# orders on the small network above, then say why.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-03-order
# :class: dropdown
# ```
# It does not: each order computes the matrix of the same random variables, the mean of $\unknown$ and the
# known tuples.

# %%
orders = list(permutations([0, 1, 3]))
results = {tuple(merged(P_s, order).ravel()) for order in orders}
assert len(results) == 1
print(sp.Matrix(2, 2, list(results.pop())))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Voltages are averages
# :label: ex-03-average
# ```
# **Standard.** Show that $\ell_{\adversary} \le m$ in every Gaussian correlation model with priors
# $\tau_i \ge 0$. Then find a normal law of two *positively* correlated tuples that breaks it. Which part of
# {prf:ref}`def-03-model` does it violate?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-03-average
# :class: dropdown
# ```
# Voltages are averages of voltages and ground, so none exceeds the one volt at $i$ (known tuples are at 0),
# and $\ell_{\adversary}$ sums $m$ of them. With $P = \bigl(\begin{smallmatrix} 4 & -3/2 \\ -3/2 & 1\end{smallmatrix}\bigr)$ the
# second tuple has four times the variance of the first and follows it by 1.5 to 1. Its second row sums to
# $-1/2$: it would need a negative prior. So the model leaves out not only negative correlation but also
# tuples that amplify others. {prf:ref}`thm-03-leakage` extends to it all the same, since its proof used no sign.

# %%
amplifier = sp.Matrix([[4, -sp.Rational(3, 2)], [-sp.Rational(3, 2), 1]])
assert amplifier.is_positive_definite and amplifier.inv()[0, 1] > 0
assert GaussianModel(amplifier).leakage_coefficient(0) == sp.Rational(3, 2) > 1
assert sum(amplifier.row(1)) == -sp.Rational(1, 2)
assert np.all(GaussianModel(P_float).all_coefficients() <= 3 + 1e-12)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The endless street
# :label: ex-03-endless
# ```
# **Research.** The street becomes endless in both directions, with unit weights and prior $\tau$. Show that
# $1 + \ell = \sqrt{1 + 4/\tau}$: with a prior the leakage stays bounded however many people live there. How
# many houses must a finite street have for its middle house to come within one per mille of that?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-03-endless
# :class: dropdown
# ```
# Away from the battery $h_{k-1} + h_{k+1} = (2 + \tau)h_k$. Put $2\cosh\phi = 2 + \tau$; then $h_k = e^{-\phi|k|}$, and
# the voltages add up to $\coth\frac\phi2 = \sqrt{1 + 4/\tau}$. In a street of $N = 2k + 1$ houses no current
# leaves at the ends, so $h$ is a hyperbolic cosine about each end and the middle house has
# $1 + \ell = \coth\frac\phi2\,\tanh\frac{N\phi}2$. One per mille needs $N \ge \log(1999)/\phi$, which is about
# $7.6/\sqrt\tau$ for small $\tau$: that many neighbours leak with you.

# %%
angle = sp.Symbol("phi", positive=True)
prior_of = 2 * sp.cosh(angle) - 2  # τ as a function of φ
square = sp.coth(angle / 2) ** 2 - (1 + 4 / prior_of)
assert sp.simplify(square.rewrite(sp.exp)) == 0

for value in (1.0, 0.1, 0.01):
    angle, limit = np.arccosh(1 + value / 2), np.sqrt(1 + 4 / value)
    houses = np.arange(1, 121, 2)
    ours = np.array(
        [
            1
            + GaussianModel(
                networks.precision(nx.path_graph(N), value)
            ).leakage_coefficients()[N // 2]
            for N in houses
        ]
    )
    assert np.allclose(ours, limit * np.tanh(houses * angle / 2), rtol=1e-10)
    first = houses[ours > 0.999 * limit][0]
    assert 0 <= first - np.log(1999) / angle < 2
    print(f"τ = {value:4g}: 1 + ℓ → {limit:6.3f}; one per mille from {first} houses")

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - A weighted network is a normal law in which everybody is expected at the weighted average of their
#   neighbours. It expresses attraction only.
# - Merging unknown tuples (Proposition 5.1) is a Schur complement; it is right for any precision matrix. The
#   merged matrix may carry negative weights, first with four tuples, without harm.
# - Normal plus Laplace has a log density of slope below $1/\lambda$, so $\BDPL = \frac M\lambda(1 + \ell)$, approached
#   in the tails and never attained. $M$ bounds $|x_i - x_i'|$; a strong attacker has $\ell = 0$.
# - $\lambda$ is a scale. Without a prior it must be $n$-fold, and the variance $n^2$-fold.
# - $1 + \ell_i$ is a regression slope, and the sum of the voltages when tuple $i$ is held at one volt.
#
# **Further reading.** Doyle and Snell {cite:p}`doyle1984random` on networks, walks and currents; the
# English version of the paper {cite:p}`yang2015correlated`; Pufferfish for correlated data
# {cite:p}`song2017pufferfish`. **Next:** [which attacker is the worst](04-all-adversaries.ipynb).
