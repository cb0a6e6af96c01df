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
# Four houses stand in a row, and houses next to each other have similar water bills. The utility publishes the sum of the four bills with noise. An attacker wants to know the bill of house 2. If it is high, the bills next door are probably high as well, and they also enter the sum. In our example, the sum leaks 3.04<!-- {float(moves[()]):.2f} --> times as much to an attacker who knows no bill as to one who knows the other three bills. In the paper's first version of the model, it leaks 4<!-- {without_prior} --> times as much.
#
# **The paper** {cite:p}`yangkanren` models correlated data by a weighted network, merges unknown tuples into one, and claims a closed formula for what a noisy sum leaks.
# **We find** that the merging and the formula are right. The abstract says that the model describes data of *any structure*, but this is not so. Merging can create negative weights, which does no harm. And for $n$ tuples, the paper asks for $n$ times the *variance* of the noise where $n$ times the *scale* is needed.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how a weighted network becomes a distribution of data, how unknown tuples are merged into one, and how to compute what a noisy sum leaks to each attacker.
# **You need** [notebook 2](02-bayesian-differential-privacy.ipynb), the normal distribution, and matrices.
# **Time:** 29 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbouring databases** differ in one tuple (one house's bill), by at most $M$. **The attacker**
# $\mathcal{A}(i, \mathcal{K})$ wants to know $x_i$. This attacker knows the exact values $x_{\mathcal{K}}$ of some other tuples, the network with its weights, and the distribution of the noise, and sees one noisy sum. The remaining tuples $\mathcal{U}$ are unknown to this attacker. **Protected:** the odds between two values of $x_i$ that are at most $M$ apart. **Not protected:** what the network alone says about $x_i$; values more than $M$ apart; data that do not follow the model.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from itertools import permutations

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import plotly.graph_objects as go
import sympy as sp
from matplotlib.colors import LogNorm

from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import Slider, interactive, plots

plots.use()

# %% [markdown]
# ## A network says which tuples are alike
#
# Let $x_i$ be the bill of house $i$ minus the usual bill. Houses next to each other are linked with weight 1:

# %%
W = sp.Matrix([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])  # weights w_ij


def laplacian(W):
    """D - W, where D has the row sums of W on its diagonal."""
    return sp.diag(*(W * sp.ones(W.rows, 1))) - W


L = laplacian(W)
bills = sp.Matrix([1, 2, 2, 4])
total = (bills.T * L * bills)[0]
print(L)
print(total)

# %% [markdown]
# (The code counts houses from 0, the text from 1.) The number 5<!-- {total} --> is $(1-2)^2 + (2-2)^2 + (2-4)^2$, the sum of the squared differences along the links. In general, $x^{\mathsf T} L x$ is the sum of $w_{ij}(x_i - x_j)^2$ over all links. Sympy confirms this for three tuples and any weights:

# %%
x1, x2, x3, w12, w13, w23 = sp.symbols("x_1 x_2 x_3 w_12 w_13 w_23")
x = sp.Matrix([x1, x2, x3])
any_weights = laplacian(sp.Matrix([[0, w12, w13], [w12, 0, w23], [w13, w23, 0]]))
links = w12 * (x1 - x2) ** 2 + w13 * (x1 - x3) ** 2 + w23 * (x2 - x3) ** 2
assert sp.expand((x.T * any_weights * x)[0] - links) == 0

# %% [markdown]
# The paper's model makes a database more probable if linked tuples are alike:
#
# ```{prf:definition} Gaussian correlation model (Definition 5.1; ガウシアン相関モデル)
# :label: def-03-model
# Let a connected undirected graph on the tuples $1, \dots, n$ have weights $w_{ij} \ge 0$. Let $W = (w_{ij})$, let
# $D$ be the diagonal matrix of the degrees $w_i = \sum_{j \ne i} w_{ij}$ (次数), and let $L = D - W$ be the *Laplacian matrix* (ラプラシアン行列). The tuples follow the *Gaussian correlation model* if for every $i$, given $x_i$, the density of the other tuples $x_{-i}$ satisfies
#
# $$ p(x_{-i} \mid x_i) \propto \exp\bigl(-\tfrac12\, x^{\mathsf T} L x\bigr). $$
# ```
#
# Why does the definition fix one tuple? If all tuples rise by the same amount, $x^{\mathsf T} L x$ does not change. So the exponential has infinite total mass, and there is no joint distribution of all tuples. If one tuple is fixed, the mass is finite: $x^{\mathsf T} L x$ is 0 only where linked tuples are equal, and in a connected graph this is a single point.
#
# ```{evidence} Y-D5.1
# ```
#
# ## The expected value of an unknown tuple is an average of its neighbours
#
# Two linked tuples are called *neighbours*. Suppose that an attacker knows $x_1 = 1$ and $x_3 = 3$, but not $x_2$. Two terms of $x^{\mathsf T} L x$ contain $x_2$:

# %%
two_links = (1 - x2) ** 2 + (x2 - 3) ** 2
assert sp.expand(two_links - (2 * (x2 - 2) ** 2 + 2)) == 0

# %% [markdown]
# The exponent has the factor $-\frac12$, so the density of $x_2$ is proportional to $e^{-(x_2 - 2)^2}$. This is a normal density with variance 1/2<!-- {2 / sp.diff(two_links, x2, 2)} -->. Its mean 2<!-- {sp.solve(sp.diff(two_links, x2))[0]} --> is the average of 1 and 3. The same holds for any weights:
#
# ```{prf:proposition} One unknown tuple (formulas (13) to (16); 重みつけた平均値)
# :label: prp-03-average
# Given all other tuples, $x_u$ is normal with variance $1/w_u$, and its mean is the weighted average $\sum_{j \ne u} \frac{w_{uj}}{w_u} x_j$.
# ```
#
# ```{prf:proof}
# Let $c = \sum_j w_{uj} x_j$. The terms of $x^{\mathsf T} L x$ that contain $x_u$ are $w_u x_u^2 - 2 c x_u$. Up to a term without $x_u$, this is $w_u (x_u - c/w_u)^2$. So the density is proportional to $\exp(-\frac{w_u}{2}(x_u - c/w_u)^2)$.
# ```
#
# In section 5.5 the paper multiplies the density by a normal density with mean 0 and variance $1/\tau$ for every tuple. It calls this a *prior* (事前分布). This adds $\tau x_j^2$ to $x^{\mathsf T} L x$ for every tuple $j$, like one more neighbour with the value 0 and the weight $\tau$:

# %%
w_u, tau, c, x_u = sp.symbols("w_u tau c x_u", positive=True)
terms = w_u * x_u**2 - 2 * c * x_u + tau * x_u**2
square = (w_u + tau) * (x_u - c / (w_u + tau)) ** 2
assert sp.simplify(sp.diff(terms - square, x_u)) == 0  # no x_u in the difference


# %% [markdown]
# We call $\tau$ the *prior precision*, and use $\tau=1/4$. Now the tuples have a joint distribution. It is normal with mean 0, and $P=L+\tau I$ is its *precision matrix*, the inverse of the covariance matrix.
#
# Now let several tuples be unknown. We complete the same square with matrices:
#
# ```{prf:proposition} Several unknown tuples (formula (12))
# :label: prp-03-several
# Let $\mathcal{C} = \{i\} \cup \mathcal{K}$, and let $P_{\mathcal{U}\mathcal{C}}$ be the rows $\mathcal{U}$ and columns $\mathcal{C}$ of $P$. Given $x_{\mathcal{C}}$, the unknown tuples $x_{\mathcal{U}}$ are normal with mean $\mu = -P_{\mathcal{U}\mathcal{U}}^{-1} P_{\mathcal{U}\mathcal{C}}\, x_{\mathcal{C}}$ and covariance matrix $P_{\mathcal{U}\mathcal{U}}^{-1}$. (Without a prior, the same holds with $L$ in place of $P$.)
# ```
#
# ```{prf:proof}
# The terms of $x^{\mathsf T} P x$ that contain $x_{\mathcal{U}}$ are $x_{\mathcal{U}}^{\mathsf T} P_{\mathcal{U}\mathcal{U}} x_{\mathcal{U}} + 2 x_{\mathcal{U}}^{\mathsf T} P_{\mathcal{U}\mathcal{C}} x_{\mathcal{C}}$. Up to terms without $x_{\mathcal{U}}$, this is $(x_{\mathcal{U}} - \mu)^{\mathsf T} P_{\mathcal{U}\mathcal{U}} (x_{\mathcal{U}} - \mu)$.
# ```
#
# So the conditional distributions are all normal. The paper chose normal data because they are easy to compute with.
#
# The attacker asks what each possible value of $x_i$ would imply for the unknown tuples. If $x_i$ rises by one, $\mu$ moves by $-P_{\mathcal{U}\mathcal{U}}^{-1} P_{\mathcal{U}i}$:

# %%
def unknown_given(P, unknown, target):
    """Moves of the unknown tuples' means if the target rises by one; their covariance."""
    covariance = P.extract(unknown, unknown).inv()
    return -covariance * P.extract(unknown, [target]), covariance


P = L + sp.eye(4) / 4
follow, covariance = unknown_given(P, [0, 2, 3], 1)  # only house 2 is given
print([round(float(move), 2) for move in follow])

# %% [markdown]
# If the bill of house 2 is higher by one, an attacker who knows no bill expects bills 1, 3 and 4 to be higher by these amounts. {numref}`fig-03-follow` compares three attackers.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "By how much three attackers expect each bill to be higher if the bill of house 2 is higher by one (\u03c4 = 1/4). A bill that the attacker knows does not move (hatched). The total over the four houses, in the titles, is how far the expected sum moves.", "name": "fig-03-follow"}, "image": {"alt": "Three bar charts for houses 1 to 4. For the attacker who knows houses 1, 3 and 4, only the bar of house 2 has height 1. For the one who knows house 4, house 1 has 0.80<!-- {bars[3,][0]:.2f} --> and house 3 has 0.44<!-- {bars[3,][2]:.2f} -->. For the one who knows nobody, the smallest bar has 0.55<!-- {min(bars[()]):.2f} -->."}} tags=["figure"]
fig, axes = plots.panels(1, 3, height=2.6, width=8.5, sharey=True)
cases = {"knows 1, 3 and 4": [0, 2, 3], "knows 4": [3], "knows nobody": []}
bars = {}
for ax, (name, known) in zip(axes, cases.items()):
    unknown = [k for k in range(4) if k not in [1, *known]]
    heights = [0.0, 1.0, 0.0, 0.0]
    if unknown:
        for house, value in zip(unknown, unknown_given(P, unknown, 1)[0]):
            heights[house] = float(value)
    bars[tuple(known)] = heights
    colours = [plots.COLOURS["orange"] if k == 1 else plots.COLOURS["blue"] for k in range(4)]
    ax.bar(range(1, 5), heights, color=colours)
    for house in known:
        ax.bar(house + 1, 0.04, color="white", edgecolor=plots.COLOURS["grey"], hatch="////")
    ax.set(title=f"{name}: total {sum(heights):.2f}", xlabel="house", xticks=range(1, 5))
axes[0].set_ylabel("expected change of the bill")
plt.show()


# %% [markdown]
# ```{evidence} Y-E12 Y-E13 Y-E13.transpose Y-5.normal Y-5.easy
# ```
#
# ## Only the sum of the unknown tuples matters
#
# The utility publishes $r=s+z$. Here $s=\sum_i x_i$, and the Laplace noise $z$ has the density $\frac{1}{2\lambda} e^{-|z|/\lambda}$ (formula (23)). Given the database, $r$ depends only on $s$. So the attacker averages over the possible sums (formula (17)):
#
# $$ p(r \mid x_i, x_{\mathcal{K}}) = \int p(r \mid s)\, p(s \mid x_i, x_{\mathcal{K}})\, ds. $$
#
# Let $s_{\mathcal{K}}$ and $s_{\mathcal{U}}$ be the sums of the known and the unknown tuples. Given $x_i$ and $x_{\mathcal{K}}$, only $s_{\mathcal{U}}$ is random in $s = x_i + s_{\mathcal{K}} + s_{\mathcal{U}}$. As a sum of normal variables it is normal:

# %%
def sum_given(P, target, known):
    """How far the expected sum moves if x_i rises by one, and the variance of the sum."""
    unknown = [k for k in range(P.rows) if k not in (target, *known)]
    if not unknown:
        return sp.Integer(1), sp.Integer(0)
    follow, covariance = unknown_given(P, unknown, target)
    return 1 + sum(follow), sum(covariance)


moves = {}
for known in ((0, 2, 3), (3,), ()):
    moves[known], variance = sum_given(P, 1, known)
    numbers = f"moves by {float(moves[known]):.2f}, variance {float(variance):.2f}"
    print(f"knows {known}: {numbers}")


# %% [markdown]
# The value of the target moves the expected sum, but the variance does not depend on it.
#
# ```{evidence} Y-E17 Y-E18 Y-E19
# ```
#
# ## How are unknown tuples merged into one?
#
# Our code inverts a new matrix for each attacker. The paper goes from one attacker to a weaker one, who has *forgotten* one tuple $j$. For example, let the target be house 2, and let bills 1 and 3 be unknown. If the attacker forgets bill 4, the unknown sum $x_1{+}x_3$ becomes $x_1{+}x_3{+}x_4$. So $s_{\mathcal{U}}$ and $x_j$ are replaced by their sum (formulas (18) to (20)). Such a step shows what forgetting changes, and one step can serve several attackers ([notebook 4](04-all-adversaries.ipynb)).
#
# The paper carries out the step on a matrix, with the *mean* $x_0$ of the unknown tuples in place of their sum:
#
# ```{prf:proposition} Combination (Proposition 5.1; 命題 5.1, 組合せ)
# :label: prp-03-merge
# Let $x_0$ be the mean of the $m$ unknown tuples, and let $\mathcal{R}$ be the target and the known tuples other than $j$. Let the density of $v = (x_0, x_j, x_{\mathcal{R}})$ given $x_i$ be proportional to $e^{-v^{\mathsf T} A v / 2}$, where
#
# $$ A = \begin{pmatrix} w_0 & -w_{0j} & -w_{0\mathcal{R}}^{\mathsf T} \\ -w_{0j} & w_j & -w_{j\mathcal{R}}^{\mathsf T} \\ -w_{0\mathcal{R}} & -w_{j\mathcal{R}} & A_{\mathcal{R}} \end{pmatrix}. $$
#
# (The paper calls $A$ the attacker's *Gaussian correlation matrix*, ガウシアン相関行列.) After the attacker forgets $j$, the matrix for the new mean and $x_{\mathcal{R}}$ is
#
# $$ A' = \begin{pmatrix} w_0' & -w_{0\mathcal{R}}'^{\mathsf T} \\ -w_{0\mathcal{R}}' & A_{\mathcal{R}}' \end{pmatrix}, $$
#
# $$ \begin{aligned}
# w_0' &= (m+1)^2 (w_0 w_j - w_{0j}^2) / d, \\
# w_{0\mathcal{R}}' &= (m+1) \bigl((w_{0j} + m w_j)\, w_{0\mathcal{R}} + (w_0 + m w_{0j})\, w_{j\mathcal{R}}\bigr) / d, \\
# A_{\mathcal{R}}' &= A_{\mathcal{R}} - (w_{0\mathcal{R}} - m w_{j\mathcal{R}})(w_{0\mathcal{R}} - m w_{j\mathcal{R}})^{\mathsf T} / d,
# \end{aligned} $$
#
# where $d = m^2 w_j + 2 m w_{0j} + w_0$. (The paper writes $\mathcal{C}'$ for $\mathcal{R}$ and $W_{\mathcal{C}'}$ for $A_{\mathcal{R}}$.)
# ```
#
# If just one tuple is unknown, it is $x_0$. Then $A$ is $P$ (without a prior, $L$), with rows and columns in the order of $v$.
#
# The same formulas as code, with $x_0$ in row 0 and $x_j$ in row 1:

# %%
def combine(A, m):
    """Merge tuple j (row 1) into the mean of m unknown tuples (row 0)."""
    w0, wj, w0j = A[0, 0], A[1, 1], -A[0, 1]
    w0R, wjR = -A[0, 2:], -A[1, 2:]  # rows
    d = m**2 * wj + 2 * m * w0j + w0
    corner = sp.Matrix([[(m + 1) ** 2 * (w0 * wj - w0j**2) / d]])
    row = (m + 1) * ((w0j + m * wj) * w0R + (w0 + m * w0j) * wjR) / d
    rest = A[2:, 2:] - (w0R - m * wjR).T * (w0R - m * wjR) / d
    return sp.BlockMatrix([[corner, -row], [-row.T, rest]]).as_explicit()


# %% [markdown]
# ```{prf:proof}
# The paper prints no proof; here is one. The new mean is $y = (m x_0 + x_j)/(m + 1)$. Put $x_0 = y + t$ and $x_j = y - mt$. Then the mean is $y$ for every $t$. We need the density of $y$ and $x_{\mathcal{R}}$, so we integrate over $t$.
#
# The exponent is $-\frac12(d\,t^2 + 2\beta t + \gamma)$, where $\beta$ and $\gamma$ do not contain $t$. The bracket equals $d\,(t + \beta/d)^2 + \gamma - \beta^2/d$. The integral over $t$ is therefore a constant times $e^{-(\gamma - \beta^2/d)/2}$. Here $\gamma - \beta^2/d$ is a quadratic form in $y$ and $x_{\mathcal{R}}$, and the formulas state its matrix.
# ```
#
# Sympy computes this matrix for any symmetric $A$ and any $m$. Each entry involves at most two tuples in $\mathcal{R}$, so it is enough to let $\mathcal{R}$ have two. Row 1 of `Q` belongs to $t$. So `Q[1, 1]` is $d$, and `beta_squared` is the matrix of $\beta^2$:

# %%
m = sp.Symbol("m", positive=True)
A = sp.Matrix(4, 4, lambda i, j: sp.Symbol(f"a_{min(i, j)}{max(i, j)}"))  # symmetric
change = sp.Matrix([[1, 1, 0, 0], [1, -m, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
Q = change.T * A * change  # x_0 = y + t, x_j = y - m t, two tuples in R
keep = [0, 2, 3]  # y and R
beta_squared = Q.extract(keep, [1]) * Q.extract([1], keep)
integrated = Q.extract(keep, keep) - beta_squared / Q[1, 1]
assert sp.simplify(integrated - combine(A, m)) == sp.zeros(3, 3)

# %% [markdown]
# The proof requires only $d>0$. The rows of $A$ need not sum to zero. So the formulas also hold for $P$, to which section 6 of the paper applies them.
#
# Let us merge houses 2 and 3 of the row, without a prior:

# %%
order = [1, 2, 0, 3]  # houses 2 and 3 first
merged = combine(L.extract(order, order), m=1)
merged  # the mean of houses 2 and 3, house 1, house 4

# %% [markdown]
# The paper says that the merged model is again a Gaussian correlation model. But the weight of houses 1 and 4 is -1/6<!-- {-merged[1, 2]} -->, and {prf:ref}`def-03-model` requires weights $w_{ij}\ge0$. The negative weight has a meaning. Suppose that the *mean* of bills 2 and 3 is known. A high bill of house 1 suggests a high bill of house 2. Because the mean is fixed, the bill of house 3 must then be low. This suggests a low bill of house 4.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Merging houses 2 and 3 into their mean. Houses 1 and 4 had no link; after the merger they have one with the negative weight -1/6<!-- {outer} --> (dashed).", "name": "fig-merge"}, "image": {"alt": "Left: a path of four nodes, three links of weight 1. Right: three nodes, the merged block in the middle with links of weight 1<!-- {-merged[0, 1]} --> to houses 1 and 4, and a dashed arc of weight -1/6<!-- {outer} --> between houses 1 and 4."}} tags=["figure"]
outer = -merged[1, 2]
fig, (left, right) = plots.panels(1, 2, height=1.5, width=7)
spots = {k: (k, 0) for k in range(4)}
names = {k: str(k + 1) for k in range(4)}
plots.draw_network(nx.path_graph(4), left, positions=spots, labels=names, size=420)
for k in range(3):
    left.text(k + 0.5, 0.12, "1", ha="center", va="bottom")
left.set(title="before", xlim=(-0.4, 3.4), ylim=(-0.6, 0.9))

block = nx.Graph([(0, 1), (0, 2)])
spots = {0: (1.5, 0), 1: (0, 0), 2: (3, 0)}
bend = np.linspace(0, 1, 60)
right.plot(3 * bend, -1.5 * bend * (1 - bend), "--", color=plots.COLOURS["orange"])
right.text(1.5, -0.56, f"−{-outer}", color=plots.COLOURS["orange"], ha="center")
names = {0: "2, 3", 1: "1", 2: "4"}
plots.draw_network(block, right, positions=spots, labels=names, size=600)
for k in (1, 2):
    weight = str(-merged[0, k])
    right.text((1.5 + spots[k][0]) / 2, 0.12, weight, ha="center", va="bottom")
right.set(title="after", xlim=(-0.4, 3.4), ylim=(-0.75, 0.75))
plt.show()


# %% [markdown]
# The negative weight does no harm, because the next theorem does not need non-negative weights after merging.
#
# ```{evidence} Y-P5.1 Y-P5.1-closure Y-P5.1-prior
# ```
#
# ## What does the noisy sum leak?
#
# ```{prf:theorem} Leakage of a noisy sum (Theorem 5.1; 漏洩係数)
# :label: thm-03-leakage
# Let the release be $r = s + z$ with $z \sim \operatorname{Lap}(\lambda)$. Compare the density of an output given $x_i$ with its density given $x_i'$, both for the same $x_{\mathcal{K}}$. Let the leakage $\mathrm{BDPL}_{\mathcal{A}}$ be the supremum of their log ratio, over all outputs and all pairs $x_i, x_i'$ that are at most $M$ apart. For the attacker $\mathcal{A} = \mathcal{A}(i, \mathcal{K})$ with $m \ge 1$ unknown tuples, merged into row 0 of the matrix,
#
# $$ \mathrm{BDPL}_{\mathcal{A}} = \frac{M}{\lambda}\,(1 + \ell_{\mathcal{A}}), \qquad
#    \ell_{\mathcal{A}} = \frac{m\, w_{0i}}{w_0}. $$
#
# The number $\ell_{\mathcal{A}}$ is called the *leakage coefficient*. If nothing is unknown, $\ell_{\mathcal{A}} = 0$.
# ```

# %%
def leakage_coefficient(P, target, known):
    """l_A = m w_0i / w_0 after merging all unknown tuples."""
    unknown = [k for k in range(P.rows) if k not in (target, *known)]
    rows = [*unknown, target, *known]
    merged = P.extract(rows, rows)
    for m in range(1, len(unknown)):
        merged = combine(merged, m)
    return len(unknown) * -merged[0, 1] / merged[0, 0]


for known in ((3,), ()):
    assert leakage_coefficient(P, 1, known) == moves[known] - 1


# %% [markdown]
# (The paper does not define $M$. It must be a bound on $|x_i - x_i'|$, because normal values can be arbitrarily far apart. Nor does the paper treat $m = 0$, where its formula reads $0/0$.)
#
# ```{prf:proof}
# *The target shifts the density.* Let $x_{\mathcal{C}}$ be given. As in {prf:ref}`prp-03-average`, the expected value of $x_0$ is $\sum_{c \in \mathcal{C}} w_{0c} x_c / w_0$. Let $x_i$ rise by one. Then the expected $x_0$ rises by $w_{0i}/w_0$, and the expected sum of the $m$ unknown tuples by $m w_{0i}/w_0 = \ell_{\mathcal{A}}$. Together with $x_i$ itself, the expected sum $s$ rises by $1 + \ell_{\mathcal{A}}$. The variance does not change. Let $g(t)$ be the density of the output $t$ given $x_i$. Given $x_i'$, it is $g(t - \delta)$ with $\delta = (1 + \ell_{\mathcal{A}})\, |x_i - x_i'|$, if the shift is to the right; otherwise exchange the two values.
#
# *No output leaks more than $\delta/\lambda$.* Let $v$ be a value of the sum given $x_i$. Then $g(t)$ is an average over $v$ of the Laplace densities $\frac{1}{2\lambda} e^{-|t - v|/\lambda}$, and $g(t - \delta)$ is the average of $\frac{1}{2\lambda} e^{-|t - \delta - v|/\lambda}$. For each $v$, the two distances differ by at most $\delta$, so the two Laplace densities have a ratio of at most $e^{\delta/\lambda}$. By {prf:ref}`thm-02-mediant` of notebook 2, the same holds for their averages.
#
# *The bound is approached.* For $v \ge t$, the Laplace density at $t$ is $\frac{1}{2\lambda} e^{t/\lambda} e^{-v/\lambda}$. For $v < t$ it is smaller than this. So $g(t) \le \frac{1}{2\lambda} e^{t/\lambda} \operatorname{E}[e^{-v/\lambda}]$. The expectation is finite, because $v$ is normal. The two sides differ only because of the values $v < t$, and their contribution to the expectation vanishes as $t \to -\infty$. So $g(t)$ approaches a constant times $e^{t/\lambda}$, and $g(t)/g(t - \delta)$ tends to $e^{\delta/\lambda}$.
# ```
#
# How close do single outputs come? We compute formula (17) numerically for $M = \lambda = 1$:

# %%
def output_density(r, mean, variance, scale=1):
    """Formula (17): the Laplace density, averaged over the normal sum."""
    grid = np.linspace(-12, 12, 4801)
    weights = np.exp(-(grid**2) / 2)
    s = mean + grid * variance**0.5
    noise = np.exp(-abs(r[:, None] - s) / scale) / (2 * scale)
    return noise @ weights / weights.sum()


def log_ratio(r, known):
    """Log ratio for x_2 = 0 against x_2 = 1."""
    move, variance = (float(value) for value in sum_given(P, 1, known))
    return np.log(output_density(r, 0, variance) / output_density(r, move, variance))


print(log_ratio(np.array([0, -2, -5, -10]), ()).round(3))
print(f"bound: {float(moves[()]):.3f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What three attackers of house 2 learn from each output (M = \u03bb = 1, \u03c4 = 1/4). Near the middle the curve of the attacker who knows nobody is the flattest; far out it is farthest from 0. Every curve approaches \u00b1(1 + \u2113), the dotted lines; only that of the attacker who knows all others reaches them.", "name": "fig-ratio"}, "image": {"alt": "Three S-shaped curves of log ratio against output, falling from plus to minus (1 + ell): height 1.00<!-- {float(moves[0, 2, 3]):.2f} --> for the attacker who knows all others, 2.24<!-- {float(moves[3,]):.2f} --> for the one who knows house 4, 3.04<!-- {float(moves[()]):.2f} --> for the one who knows nobody, each with a dotted line at its limit."}} tags=["figure"]
fig, ax = plots.panels(width=6.2, height=3.2)
outputs = np.linspace(-9, 11, 401)
shown = {"knows 1, 3, 4": (0, 2, 3), "knows 4": (3,), "knows nobody": ()}
for (label, known), name in zip(shown.items(), ("grey", "orange", "blue")):
    move = float(moves[known])
    curve = log_ratio(outputs, known)
    assert abs(curve).max() <= move + 1e-9
    colour = plots.COLOURS[name]
    ax.plot(outputs, curve, color=colour, label=f"{label}: 1 + ℓ = {move:.2f}")
    for height in (move, -move):
        ax.axhline(height, color=colour, lw=0.8, ls=":")
ax.set(xlabel="output r", ylabel="log ratio, $x_2 = 0$ against $x_2 = 1$")
fig.legend(fontsize=8, loc="outside upper center", ncols=3)
plt.show()

# %% [markdown]
# Unknown bills add randomness to the output. Does this protect the target? For some outputs it does. At $r = 2$ the log ratio is -1.00<!-- {log_ratio(np.array([2]), (0, 2, 3))[0]:.2f} --> for the attacker who knows all others, and only -0.28<!-- {log_ratio(np.array([2]), ())[0]:.2f} --> for the one who knows nobody. But the leakage is a supremum over all outputs, and for outputs far out the randomness has no effect. Averaged over the outputs, these attackers even learn more here than the one who knows all others:

# %%
r = np.linspace(-40, 40, 1601)
average = {}
for known in moves:
    density = output_density(r, 0, float(sum_given(P, 1, known)[1]))
    average[known] = (density * log_ratio(r, known)).sum() * (r[1] - r[0])
    print(f"knows {known}: average log ratio {average[known]:.2f} if x_2 = 0")

# %% [markdown]
# Section 4.4 of the paper says that correlation and unknown tuples cause a large change of the query's result, and so leakage. The theorem makes this precise: the leakage *is* the change of the expected result, divided by $\lambda$.
#
# ```{evidence} Y-Th5.1 Y-Th5.1-M Y-Th5.1-empty Y-4.change
# ```
#
# ## How much noise is enough?
#
# For $\varepsilon$-Bayesian differential privacy, the leakage to every attacker must be at most $\varepsilon$. So $\lambda\ge\frac{M}{\varepsilon}(1+\ell_{\mathcal{A}})$ for all attackers (formula (26)). Four houses have 32<!-- {len(attackers)} --> attackers:

# %%
from privlib.correlated.adversary import adversaries

attackers = list(adversaries(4))  # pairs: target, known tuples
largest = max(sum_given(P, target, known)[0] for target, known in attackers)
print(f"smallest scale for M = epsilon = 1: {float(largest):.2f}")

# %% [markdown]
# We want the smallest scale, because the mean squared error of the published sum is the variance of the noise, $2\lambda^2$.
#
# In this model, twice the noise halves the leakage. **This does not hold in general.** For two bits, the leakage falls as $\lambda$ grows, but not in proportion to $1/\lambda$. Call an attacker who knows no tuple *weak*. Here is what the noisy sum leaks about tuple 1 to the weak attacker under Table 3(b) of the paper ([notebook 1](01-why-dp-is-not-enough.ipynb)), and under the counterexample of [notebook 2](02-bayesian-differential-privacy.ipynb):

# %%
from privlib.correlated.finite import FiniteDistribution

pairs_of_bits = {
    "Table 3(b)": FiniteDistribution([[0.49, 0.01], [0.01, 0.49]]),
    "counterexample": FiniteDistribution([[0.00999, 0.00001], [0.891, 0.099]]),
}
for name, pair in pairs_of_bits.items():
    narrow, wide = (pair.leakage(0, scale=scale) for scale in (0.2, 0.4))
    print(f"{name}: {narrow:.2f} at scale 0.2 (half: {narrow / 2:.2f}), {wide:.2f} at 0.4")

# %% [markdown]
# If the release at scale 0.2 leaks twice what was promised, twice the noise is too little under Table 3(b), and more than enough under the counterexample. One has to solve for the scale, as `noise_scale` in our package does.
#
# Without a prior, the weak attacker expects every other tuple to rise by one if $x_i$ rises by one, because then each tuple rises by the weighted average of its neighbours' rises. Let $\ell_i$ be the leakage coefficient of this attacker. Then $1+\ell_i=n$, and the leakage is $nM/\lambda$ for every connected network and all weights (formula (29)). With a prior it is smaller:

# %%
for prior in (0, sp.Rational(1, 100), sp.Rational(1, 4), 1):
    move, _ = sum_given(L + prior * sp.eye(4), 1, ())
    print(f"tau = {prior}: 1 + l = {float(move):.2f}")
without_prior = sum_given(L, 1, ())[0]

# %% [markdown]
# The paper calls $\lambda$ the *variance* (分散) of the noise. In formula (26), only the word is wrong. But section 5.5 concludes that without a prior, the noise needs $n$ times the variance. In fact it needs $n$ times the scale $M/\varepsilon$ of differential privacy, hence $n^2$ times the variance. If all values lie in a range of width $M$, group privacy gives the same scale ({prf:ref}`thm-02-group` of notebook 2), and the paper itself calls the result trivial (平凡).
#
# A prior saves noise, but the guarantee then depends on it: if the true $\tau$ is smaller, the same noise leaks more.
#
# ```{evidence} Y-E23 Y-5.utility Y-E26 Y-5.d Y-E29 Y-5.i Y-5.weaker
# ```
#
# ## The leakage is a sum of voltages
#
# For weak attackers there is a shorter formula than merging. Let $h_j$ be the expected $x_j$ if $x_i=1$. For normal variables, $h_j$ is the slope of the regression of $x_j$ on $x_i$. The sum of all these slopes, with $h_i=1$, is $1+\ell_i$:
#
# $$ h_j = \frac{\operatorname{Cov}(x_j,x_i)}{\operatorname{Var}(x_i)} = \frac{(P^{-1})_{ji}}{(P^{-1})_{ii}}, \qquad 1+\ell_i = \sum_j h_j = \frac{\operatorname{Cov}(s,x_i)}{\operatorname{Var}(x_i)}. $$
#
# These numbers are voltages {cite:p}`doyle1984random`. By {prf:ref}`prp-03-average`, each $h_j$ with $j\ne i$ is the weighted average of its neighbours' values and of 0, with the weights $w_{jk}$ and $\tau$. In other words,
#
# $$ \sum_k w_{jk}(h_j-h_k)+\tau h_j=0. $$
#
# Take each link as a wire of conductance (1/resistance) $w_{jk}$. Join each node to the ground (0 volts) by a wire of conductance $\tau$, and hold node $i$ at one volt. The current through a wire is its conductance times the voltage difference. So the equation says that the currents out of node $j$ add up to 0, and $h_j$ is its voltage.
#
# Our example is the karate club of Zachary, with $\tau=1$. The weight between two of its 34 members is the number of contexts in which they met outside the club:

# %%
karate = nx.karate_club_graph()
club = nx.laplacian_matrix(karate).toarray()
covariance = np.linalg.inv(club + np.eye(34))
voltages = covariance / covariance.diagonal()  # column i: member i at one volt
factor = voltages.sum(axis=0)
for member in (factor.argmax(), factor.argmin()):
    print(f"member {member + 1}: 1 + l = {factor[member]:.2f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The karate club, \u03c4 = 1. Left: member 34<!-- {most + 1} --> is held at one volt; the voltages of all 34 members add up to this member's 1 + \u2113 (logarithmic colours). Right: this sum for every member. It says how many times the scale of differential privacy the member needs.", "name": "fig-voltage"}, "image": {"alt": "Two drawings of the same social network of 34 nodes. Left, colours show voltages: 1 at member 34<!-- {most + 1} -->, smaller the further away, down to 0.22<!-- {voltages[:, most].min():.2f} -->. Right, colours show 1 + ell: largest at the two leaders 1 and 34, smallest at members with few links."}} tags=["figure"]
least, most = int(factor.argmin()), int(factor.argmax())
factor_least, factor_most = float(factor[least]), float(factor[most])
assert most == 33 and set(factor.argsort()[-2:]) == {0, 33}  # as caption and alt text say
package = GaussianModel.from_graph(karate, 1.0, width=1).leakage_coefficients()
assert np.allclose(factor, 1 + package, rtol=1e-10)
drawn = nx.empty_graph(34)
drawn.add_edges_from(karate.edges)
upright = nx.kamada_kawai_layout(drawn)
spots = {k: np.array([-y, x]) for k, (x, y) in upright.items()}  # lying
names = {k: str(k + 1) for k in karate}
away = 0.09 * (spots[32] - spots[33]) / np.linalg.norm(spots[32] - spots[33])
spread_out = {**spots, 32: spots[32] + away, 33: spots[33] - away}
fig, (left, right) = plots.panels(1, 2, width=8.4, height=3.4)
style = {"positions": spread_out, "labels": names, "size": 125}
plots.draw_network(
    drawn,
    left,
    values=voltages[:, most],
    value_label="voltage (volt)",
    norm=LogNorm(0.2, 1),
    **style,
)
volts = (0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
fig.axes[-1].set_yticks(volts, [str(value) for value in volts])
fig.axes[-1].minorticks_off()
assert voltages[:, most].min() > 0.2
plots.draw_network(drawn, right, values=factor, value_label="1 + ℓ (multiples of M/λ)", **style)
for ax in (left, right):
    ax.set_aspect("auto")
    shades = ax.collections[0].to_rgba(ax.collections[0].get_array())
    for text, shade in zip(ax.texts, shades):
        text.set(fontsize=7, color="white" if shade[:3].mean() < 0.52 else "black")
left.set_title(f"member {most + 1} at one volt")
right.set_title("sum of voltages")
plt.show()

# %% [markdown]
# Against a weak attacker, member 34<!-- {most + 1} --> needs 17.58<!-- {factor_most:.2f} --> times the scale of differential privacy. For member 12<!-- {least + 1} -->, 3.52<!-- {factor_least:.2f} --> times is enough.
#
# With a large $\tau$, one volt at one member hardly raises the voltages of the others, and the scale of differential privacy is nearly enough. With a small $\tau$, $1+\ell$ is almost 34 for each member. Try it with the slider:

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The colour of a member of the karate club is what a noisy sum leaks about this member to the weak attacker, as a multiple of M/\u03bb, on a logarithmic scale. The ring marks the largest value, which decides how much noise is needed.", "name": "fig-network"}, "image": {"alt": "Three drawings of one social network of 34 nodes on one colour scale from 1 to 34. For tau 0.1 all nodes are bright, from 15.8<!-- {factors[0.1].min():.1f} --> to 30.6<!-- {factors[0.1].max():.1f} -->. For tau 1 the leaders are brightest and members with few links dark. For tau 10 all are dark, at most 4.8<!-- {factors[10.0].max():.1f} -->. A ring marks member 34<!-- {most + 1} --> each time."}} tags=["figure"]
tau_grid = [float(f"{t:.2g}") for t in np.geomspace(0.01, 100, 21)]
factors = {}
for t in tau_grid:
    inverse = np.linalg.inv(club + t * np.eye(34))
    factors[t] = inverse.sum(axis=0) / inverse.diagonal()
ticks = [1, 2, 5, 10, 20, 34]

fig, axes = plots.panels(1, 3, width=7.2, height=1.7)
for ax, t in zip(axes, (0.1, 1.0, 10.0)):
    top = int(factors[t].argmax())
    plots.draw_network(
        drawn,
        ax,
        positions=spots,
        values=factors[t],
        labels={},
        size=30,
        value_label="1 + ℓ (M/λ)",
        norm=LogNorm(1, 34),
    )
    if t != 10.0:
        fig.axes[-1].remove()  # one colour bar for all three
    ax.scatter(*spots[top], s=90, facecolors="none", edgecolors="#D55E00", linewidths=2)
    ax.set_title(f"τ = {t:g}, largest: {factors[t][top]:.2f}", fontsize=9)
    assert top == 33
fig.axes[-1].set_yticks(ticks, [str(v) for v in ticks])
fig.axes[-1].minorticks_off()
plt.show()

# %% jupyter={"source_hidden": true} tags=["figure"]
places = np.array([spots[k] for k in karate])
links = np.array([[places[a], places[b], [np.nan] * 2] for a, b in drawn.edges])
link_x, link_y = (
    [None if np.isnan(v) else v for v in links[..., k].ravel()] for k in (0, 1)
)


def club_frame(t):
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
    club_frame,
    alt="The karate club's network of 34 members, coloured by what the weak attacker "
    "of each member learns; a ring marks the largest value.",
)

# %% [markdown]
# ```{evidence} Y-B1
# ```
#
# ## Which data can the model describe?
#
# The abstract says that the model expresses the correlation of data of *any structure* (任意の構造). This is right if *structure* means which tuples are linked. But section 5.6 itself says that the model has only positive correlations. Not even all of these can occur. Take three tuples with correlations 0.8, 0.8 and 0.3:

# %%
R = sp.Matrix([[10, 8, 8], [8, 10, 3], [8, 3, 10]]) / 10
assert R.is_positive_definite  # such data exist
R.inv()

# %% [markdown]
# The entry of this precision matrix for tuples 2 and 3 is positive. In the model it is $-w_{23}$, so the weight would have to be negative. Would other units or a prior help? No: other units multiply the entry by a positive number, and a prior changes only the diagonal. Sympy shows what the sign depends on:

# %%
r12, r13, r23 = sp.symbols("rho_12 rho_13 rho_23")
R3 = sp.Matrix([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
assert sp.simplify(R3.inv()[1, 2] - (r12 * r13 - r23) / R3.det()) == 0

# %% [markdown]
# The determinant of an invertible correlation matrix is positive. So the weight is non-negative exactly if $\rho_{23}\ge\rho_{12}\rho_{13}$. But 0.3 is less than $0.8\cdot0.8$. Of all positive triples, only 31%<!-- {8 / (3 * np.pi**2 - 4):.0%} --> satisfy this condition for all three pairs ({ref}`an exercise <ex-03-inside>`).
#
# Now allow each tuple its own prior precision and unit, and allow networks that are not connected. Then the model describes exactly the normal distributions with mean 0 whose precision matrix has no positive entry off the diagonal (proof in the evidence).
#
# ```{evidence} Y-0.structure Y-5.independent
# ```
#
# ## Exercises
#
# ```{exercise-start} One teacher and the pupils
# :label: ex-03-star
# ```
# **Warm-up.** One teacher and $n-1\ge2$ pupils form a star with unit weights and the prior precision $\tau$. Find the teacher's
# leakage coefficient (for an attacker who knows nobody) by thinking of voltages. Is it larger than a pupil's?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("03-star", ...)


# %% [markdown]
# ```{solution-start} ex-03-star
# :class: dropdown
# ```
# Hold the teacher at one volt. Each pupil is linked to the teacher with weight 1 and to the ground with weight $\tau$, so its voltage is
# $1/(1+\tau)$. There are $n-1$ pupils, so $\ell=(n-1)/(1+\tau)$.
#
# A pupil at one volt gives $\ell=(n+\tau-1)/(n\tau+\tau^2+1)$ in the same way. This is smaller, because with $k=n-2$ the difference has only positive terms.

# %%
def teacher(n, tau):
    return (n - 1) / (1 + tau)


def pupil(n, tau):
    return (n + tau - 1) / (n * tau + tau**2 + 1)


k = sp.Symbol("k", positive=True)
difference = k * tau * (k + tau + 2) / ((1 + tau) * (k * tau + (1 + tau) ** 2))
assert sp.simplify(teacher(k + 2, tau) - pupil(k + 2, tau) - difference) == 0

star = sp.zeros(5, 5)
star[0, 1:] = sp.ones(1, 4)
P_star = laplacian(star + star.T) + tau * sp.eye(5)
assert sp.simplify(sum_given(P_star, 0, ())[0] - 1 - teacher(5, tau)) == 0
assert sp.simplify(sum_given(P_star, 1, ())[0] - 1 - pupil(5, tau)) == 0
check("03-star", teacher)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many positive correlations can a network describe?
# :label: ex-03-inside
# ```
# **Standard.** Draw three correlations uniformly from all positive triples that three variables can have. How probable is it that a
# network describes them? (The volume of all these triples is $\frac{3\pi^2}{32} - \frac18$.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("03-inside", ...)

# %% [markdown]
# ```{solution-start} ex-03-inside
# :class: dropdown
# ```
# Each correlation must be at least the product of the other two. Let two of them be $y\le z$, and let $f$ be the third. Then $f\ge yz$ and $y\ge fz$, so $yz\le f\le y/z$. (The condition $z\ge fy$ follows.) All these triples are possible, because the determinant $(1-y^2)(1-z^2)-(f-yz)^2$ is not negative even at $f=y/z$: there it is $(1-z^2)(1-y^2/z^2)$. The triples with $y\ge z$ have the same volume, hence the factor 2:

# %%
y_, z_ = sp.symbols("y z", positive=True)
inside = 2 * sp.integrate(y_ / z_ - y_ * z_, (y_, 0, z_), (z_, 0, 1))
share = inside / (3 * sp.pi**2 / 32 - sp.Rational(1, 8))
assert sp.simplify(share - 8 / (3 * sp.pi**2 - 4)) == 0

triples = np.random.default_rng(5).uniform(size=(200_000, 3))
a, b, f = triples.T
possible = 1 + 2 * a * b * f - a**2 - b**2 - f**2 > 0
fits = (f >= a * b) & (b >= a * f) & (a >= b * f)
drawn_share = fits[possible].mean()
assert abs(drawn_share - float(share)) < 4 * np.sqrt(0.25 / possible.sum())
check("03-inside", share)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The order of forgetting
# :label: ex-03-order
# ```
# **Standard.** An attacker forgets several tuples, one after another. Does the matrix that {prf:ref}`prp-03-merge` gives in the end depend on their order? Why?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("03-order", ...)

# %% [markdown]
# ```{solution-start} ex-03-order
# :class: dropdown
# ```
# It does not. In every order, the result is the matrix of the same variables: the mean of the unknown tuples, the target, and the tuples that are still known.

# %%
results = set()
for order in permutations([0, 2, 3]):
    rows = [*order, 1]
    step = combine(combine(P.extract(rows, rows), 1), 2)
    results.add(tuple(step))
assert len(results) == 1
check("03-order", "no" if len(results) == 1 else "yes")

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Voltages are averages
# :label: ex-03-average
# ```
# **Standard.** Let $m$ tuples be unknown to an attacker. Show that $\ell_{\mathcal{A}} \le m$ in every Gaussian correlation model with prior precision
# $\tau\ge0$. Then find a normal distribution of two *positively* correlated tuples with $\ell_{\mathcal{A}} > m$. Which requirement of the model does it violate?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-03-average
# :class: dropdown
# ```
# Every voltage is an average of other voltages and of 0, so none exceeds the one volt at node $i$ (known tuples have 0 volts). The coefficient $\ell_{\mathcal{A}}$ is the sum of $m$ of them.
#
# For the second part, let the second tuple have four times the variance of the first, and let its expected value be $\frac32 x_1$. The second row of its precision matrix sums to -1/2<!-- {sum(amplifier.row(1))} -->, so it would need a negative prior precision.
#
# (In a unit twice as large for $x_2$, the model describes these data, with weight 3<!-- {-rescaled[0, 1]} --> and $\tau=1$. But then the published number is the first tuple plus *twice* the second.)

# %%
amplifier = sp.Matrix([[4, -sp.Rational(3, 2)], [-sp.Rational(3, 2), 1]])
assert amplifier.inv()[1, 1] == 4 * amplifier.inv()[0, 0]
assert amplifier.inv()[0, 1] > 0
assert sum_given(amplifier, 0, ())[0] - 1 == sp.Rational(3, 2)  # m = 1
assert sum(amplifier.row(1)) == -sp.Rational(1, 2)
rescaled = sp.diag(1, 2) * amplifier * sp.diag(1, 2)
assert rescaled == laplacian(sp.Matrix([[0, 3], [3, 0]])) + sp.eye(2)
assert all(sum_given(P, i, known)[0] - 1 <= 3 - len(known) for i, known in attackers)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The endless row
# :label: ex-03-endless
# ```
# **Research.** Let the row of houses be endless in both directions, with unit weights and the prior precision $\tau$. Show that
# $1+\ell=\sqrt{1+4/\tau}$. If $\tau=0.1$, how
# many houses must a finite row have so that $1+\ell$ of its middle house is less than 0.1% smaller than this?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("03-endless", ...)


# %% [markdown]
# ```{solution-start} ex-03-endless
# :class: dropdown
# ```
# Let house 0 be at one volt. At every other house, $h_{k-1}+h_{k+1}=(2+\tau)h_k$. Define $\phi>0$ by $2\cosh\phi=2+\tau$. Then $h_k=e^{-\phi|k|}$ solves the equation and stays bounded. The sum of all voltages is a geometric series: $\coth\frac\phi2=\sqrt{1+4/\tau}$. For the finite row we invert the matrix, and add houses until the difference is small enough. This takes 25<!-- {smallest} --> houses.

# %%
def middle(houses, tau):
    """1 + l of the middle house in a row with an odd number of houses."""
    row = nx.laplacian_matrix(nx.path_graph(houses)).toarray() + tau * np.eye(houses)
    covariance = np.linalg.inv(row)
    return covariance[houses // 2].sum() / covariance[houses // 2, houses // 2]


endless = np.sqrt(1 + 4 / 0.1)
smallest = 1
while middle(smallest, 0.1) <= 0.999 * endless:
    smallest += 2
assert 0.999 * endless < middle(smallest, 0.1) < endless
check("03-endless", smallest)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *How does a network describe data?* The expected value of an unknown tuple is the weighted average of its neighbours. The model cannot describe every positive correlation.
# 2. *What does merging do?* It adds one tuple to the mean of the unknown tuples. This gives the matrix of a weaker attacker. New weights can be negative.
# 3. *What does a noisy sum leak?* $\frac{M}{\lambda}(1+\ell_{\mathcal{A}})$, where $1+\ell_{\mathcal{A}}$ is how far the expected sum moves if the target rises by one. The log ratio approaches this value for outputs far out. For weak attackers, $1+\ell$ is a sum of voltages.
# 4. *How much noise is enough?* The scale $\frac{M}{\varepsilon}\max(1+\ell_{\mathcal{A}})$. Without a prior, this is $n$ times that of differential privacy. Twice the noise halves the leakage in this model, but not for bits.
#
# **Further reading.** {cite:t}`doyle1984random` on networks and voltages; the
# English version of the paper {cite:p}`yang2015correlated`; Pufferfish for correlated data
# {cite:p}`song2017pufferfish`; a closed form for linear queries of normal data {cite:p}`li2019impact` (we have read only its abstract and first pages); [what happens outside the assumptions](../research/correlated-outside-the-assumptions.ipynb), for example with Gaussian noise. **Next:** [which attacker is the worst](04-all-adversaries.ipynb).
