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
# # Evidence: How much does a Gaussian network leak?
#
# The statements of the paper's section 5 about the Gaussian correlation model, up to Theorem 5.1 and its consequences for the noise, in the paper's order: what each one states, and its check. Nothing is hidden. The story is told in
# [the notebook of the same name](../../correlated/03-gaussian-correlation-model.ipynb).

# %%
from itertools import combinations, product
from math import prod

import mpmath as mp
import networkx as nx
import numpy as np
import sympy as sp

from privlib.correlated import gaussian, networks
from privlib.correlated.adversary import adversaries
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, derivation, misprints

tau, lam, sigma, M = sp.symbols("tau lambda sigma M", positive=True)
ell = sp.Symbol("ell", nonnegative=True)


def laplacian(n):
    """Laplacian matrix of n tuples that are all linked, with one symbol for each weight."""
    W = sp.zeros(n, n)
    for i, j in combinations(range(n), 2):
        W[i, j] = W[j, i] = sp.Symbol(f"w_{i + 1}{j + 1}", positive=True)
    return sp.diag(*(W * sp.ones(n, 1))) - W


L3, L4 = laplacian(3), laplacian(4)
pairs = list(combinations(range(4), 2))
values_of_weights = {-L4[pair]: 2 + k for k, pair in enumerate(pairs)}  # weights 2 to 7
kite = L4.subs(values_of_weights)
row = sp.Matrix(nx.laplacian_matrix(nx.path_graph(4)).toarray())  # four houses
P = row + sp.eye(4) / 4
attackers = list(adversaries(4))


# %% [markdown]
# The attacker's view of the unknown sum by two routes: from the precision matrix, as on the page, and from the covariance matrix.

# %%
def unknown_to(target, known, n=4):
    return [k for k in range(n) if k != target and k not in known]


def by_precision(P, target, known):
    """Slope of the unknown sum in the target, and its variance, from the precision."""
    U = unknown_to(target, known, P.rows)
    solved = P.extract(U, U).inv() * sp.ones(len(U), 1)
    return -(solved.T * P.extract(U, [target]))[0], sum(solved)


def by_covariance(P, target, known):
    """The same from the covariance matrix of (unknown sum, target, known)."""
    U = unknown_to(target, known, P.rows)
    rows = sp.zeros(1 + 1 + len(known), P.rows)
    for u in U:
        rows[0, u] = 1
    for place, tuple_ in enumerate((target, *known)):
        rows[1 + place, tuple_] = 1
    S = rows * P.inv() * rows.T
    slopes = S[:1, 1:] * S[1:, 1:].inv()
    return slopes[0], S[0, 0] - (slopes * S[1:, :1])[0]


guessing = [who for who in attackers if unknown_to(*who)]

# %% [markdown]
# ## Y-0.structure (data of any structure)
#
# *The model expresses the correlation of data of any structure.* Right if *structure* is who is linked to whom. As a statement on correlations it fails even for positive ones: correlations 0.8, 0.8 and 0.3 exist, but not in a network. What the model with priors describes is every normal distribution whose precision $P$ has no positive entry off the diagonal. For then $P^{-1}$ has no negative entry, so $d = P^{-1}\mathbf 1 > 0$. If tuple $i$ is divided by $d_i$, the precision becomes $(d_i P_{ij} d_j)$: its weights $-d_i P_{ij} d_j$ are non-negative, and its priors are the row sums $d_i (Pd)_i = d_i > 0$.

# %%
r12, r13, r23 = sp.symbols("rho_12 rho_13 rho_23", positive=True)
R = sp.Matrix([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
minor = sp.Determinant(sp.ImmutableMatrix(R.extract([0, 1], [0, 2])))
cofactor = -minor / sp.Determinant(sp.ImmutableMatrix(R))
determinant = 1 + 2 * r12 * r13 * r23 - r12**2 - r13**2 - r23**2
closed_entry = (r12 * r13 - r23) / determinant
entry = derivation(cofactor, of=r"(R^{-1})_{23}").equal(closed_entry, "cofactor")

tenth = sp.Rational(1, 10)
example = R.subs({r12: 8 * tenth, r13: 8 * tenth, r23: 3 * tenth})
assert example.is_positive_definite

triples = np.random.default_rng(5).uniform(size=(3000, 3))
by_name = dict(zip((r12, r13, r23), triples.T))
possible = sp.lambdify([r12, r13, r23], determinant)(*triples.T) > 0
a, b, f = triples.T
inside = possible & (f >= a * b) & (b >= a * f) & (a >= b * f)


def as_network(correlations):
    """Correlations of the network with the weights and priors of the text."""
    S = np.eye(3)
    S[np.triu_indices(3, 1)] = S.T[np.triu_indices(3, 1)] = correlations
    precision = np.linalg.inv(S)
    d = S.sum(axis=1)
    graph = nx.empty_graph(3)
    for i, j in combinations(range(3), 2):
        graph.add_edge(i, j, weight=-d[i] * precision[i, j] * d[j])
    back = np.linalg.inv(networks.precision(graph, d))  # refuses negative weights
    return (back / np.sqrt(np.outer(back.diagonal(), back.diagonal())))[np.triu_indices(3, 1)]


inside_triples = triples[inside][:300]
rebuilt = np.array([as_network(triple) for triple in inside_triples])
signs = set()
for entry_of_inverse in (L4 + tau * sp.eye(4)).adjugate():
    for coefficient in sp.Poly(entry_of_inverse).coeffs():
        signs.add(bool(coefficient > 0))

# %%
with claim(
    "Y-0.structure",
    printed="the model expresses the correlation of data of any structure",
    corrected=r"of any normal distribution whose precision has no positive entry off the "
    r"diagonal, in suitable units and with priors, connected or not; so of any network of any "
    r"strengths $w \ge 0$",
    consequence=r"the theorems are about such distributions; which of them need $w \ge 0$ is "
    r"said with each",
) as c:
    label = "correlations 0.8, 0.8, 0.3: the last is not at least 0.8 · 0.8"
    c.fails(bool(example[1, 2] >= example[0, 1] * example[0, 2]), label)
    label = "three tuples: the sign of the entry is that of ρ12 ρ13 − ρ23"
    c.decisive("exhaustive").derived(entry, cofactor, closed_entry, label)
    label = "300 triples inside, as weights and priors: their correlations return"
    c.decisive("sampled").close(rebuilt, inside_triples, label, rtol=1e-6)
    label = "four tuples, any weights, common prior: no negative covariance"
    c.exact(signs, {True}, label)

# %% [markdown]
# ## Y-4.change (why unknown tuples matter)
#
# *The correlation of the data and the unknown tuples cause a large change of the query's result, and so a large leakage.* In this model the leakage is the change of the expected result divided by $\lambda$. The check is for all attackers of four houses: log ratio of the output's density far out, from the package's density with the variance found from the covariance, against the change of the expected sum, found from the precision. The limit is two tuples with correlation $-0.99$ (section 5.6 names such an example): there, the unknown tuple makes the change *smaller*.

# %%
far_left = -150.0
changes, leaked = [], []
for target, known in guessing:
    slope, variance = by_covariance(P, target, known)
    change = float(1 + by_precision(P, target, known)[0])
    spread = float(sp.sqrt(variance))
    here = gaussian.output_density(far_left, 0.0, scale=1.0, sigma=spread)
    there = gaussian.output_density(far_left, float(1 + slope), scale=1.0, sigma=spread)
    changes.append(change)
    leaked.append(np.log(here / there))
opposed = sp.Matrix([[100, 99], [99, 100]])  # correlation -0.99
with claim("Y-4.change") as c:
    label = f"{len(changes)} attackers with unknown tuples: log ratio far out = change / λ"
    c.decisive("sampled").close(leaked, changes, label, rtol=1e-6)
    label = "positive correlation: the result changes by more than the target"
    c.at_most(np.ones(len(changes)), changes, label)
    label = "two tuples with correlation -0.99, the other unknown: change of the expected sum"
    c.limit(1, 1 + by_precision(opposed, 0, ())[0], label)

# %% [markdown]
# ## Y-5.independent (correlated or independent, any strength)
#
# *Tuples are correlated or independent, and the correlation has any strength.* True of Gaussian Markov random fields, of which the sentence speaks: two tuples with a prior have every correlation $0 \le \rho < 1$. The limit is the model of Definition 5.1, whose network is connected and which has no prior: given $x_i$, each other tuple is expected at $x_i$, so no two are independent.

# %%
rho = sp.Symbol("rho", positive=True)
w = tau * rho / (1 - rho)
two = sp.Matrix([[w + tau, -w], [-w, w + tau]])
S = two.inv()
squared = sp.cancel(S[0, 1] ** 2 / (S[0, 0] * S[1, 1]))
follows = []
for target in range(4):
    others = unknown_to(target, ())
    slopes = -L4.extract(others, others).inv() * L4.extract(others, [target])
    follows.extend(sp.cancel(slope) for slope in slopes)
with claim("Y-5.independent") as c:
    label = "two tuples with prior τ: the weight τρ/(1 − ρ) gives the correlation ρ"
    c.decisive("proved").exact(squared, rho**2, label)
    c.exact(two.subs(rho, 0)[0, 1], sp.Integer(0), "and ρ = 0 needs no link: independent")
    label = "connected, no prior, four tuples, any weights: slope of x_j in x_i, 0 if independent"
    c.limit(0, follows[0], label)
    c.exact(follows, [1] * 12, "all pairs of the four: the slope is 1")

# %% [markdown]
# ## Y-D5.1 (the model)
#
# *A connected weighted graph with $w_{ij} \ge 0$, its Laplacian matrix $L$, and $p(x_{-i} \mid x_i) \propto \exp(-x^{\mathsf T} L x/2)$.* The conditional density exists exactly if the graph is connected: the determinant of $L$ without row and column $i$ is then positive.

# %%
x = sp.Matrix(sp.symbols("x_1:5", real=True))
differences = 0
for i, j in pairs:
    differences += -L4[i, j] * (x[i] - x[j]) ** 2

determinant_of_rest = L4.minor(0, 0)
proper, connected = [], []
for chosen in product((0, 1), repeat=len(pairs)):
    weights = {-L4[pair]: take for pair, take in zip(pairs, chosen)}
    proper.append(bool(determinant_of_rest.subs(weights) > 0))
    graph = nx.empty_graph(4)
    graph.add_edges_from(pair for pair, take in zip(pairs, chosen) if take)
    connected.append(nx.is_connected(graph))
with claim("Y-D5.1") as c:
    label = "n = 4, any weights: x'Lx is the sum of w (x_i − x_j)²"
    c.decisive("exhaustive").exact(sp.expand((x.T * L4 * x)[0]), sp.expand(differences), label)
    label = f"{len(proper)} graphs on 4 tuples: proper exactly if connected"
    c.decisive("exhaustive").exact(proper, connected, label)

# %% [markdown]
# ## Y-E12 and Y-5.normal (the unknown tuples)
#
# Y-E12: *the conditional density of the unknown tuples is proportional to the same exponential.* Y-5.normal: *all conditional distributions are normal.* By the square, $x_{\mathcal{U}}$ has the precision $L_{\mathcal{U}\mathcal{U}}$ and the slopes $-L_{\mathcal{U}\mathcal{U}}^{-1} L_{\mathcal{U}\mathcal{C}}$. The other route conditions the normal distribution of all tuples given $x_1$ in the usual way, from its covariance matrix.

# %%
given_1 = L4[1:, 1:].inv().applyfunc(sp.cancel)  # covariance of x_2, x_3, x_4 given x_1
rest = L4[1:, 1:]
precisions, slopes, usual_precisions, usual_slopes, squares = [], [], [], [], []
for size in (1, 2):
    for chosen in combinations(range(3), size):
        U = list(chosen)
        K = [k for k in range(3) if k not in U]
        regression = given_1.extract(U, K) * given_1.extract(K, K).inv()
        left = (given_1.extract(U, U) - regression * given_1.extract(K, U)).applyfunc(sp.cancel)
        usual_precisions.append(list(left.inv().applyfunc(sp.cancel)))
        usual_slopes.append(list(regression.applyfunc(sp.cancel)))
        precision = rest.extract(U, U)
        slope = -precision.inv() * rest.extract(U, K)
        precisions.append(list(precision))
        slopes.append(list(slope.applyfunc(sp.cancel)))
for target, known in guessing:
    U = unknown_to(target, known)
    C = [k for k in range(4) if k not in U]
    x_U, x_C = x.extract(U, [0]), x.extract(C, [0])
    centre = -L4.extract(U, U).inv() * L4.extract(U, C) * x_C
    square = ((x_U - centre).T * L4.extract(U, U) * (x_U - centre))[0]
    difference = sp.expand((x.T * L4 * x)[0]) - square
    slopes_left = [sp.cancel(sp.diff(difference, u)) for u in x_U]
    squares.append(all(left == 0 for left in slopes_left))
with claim("Y-E12") as c:
    label = "n = 4, any weights, each K: precision of the square = by covariance"
    c.decisive("exhaustive").exact(usual_precisions, precisions, label)
    c.decisive("exhaustive").exact(usual_slopes, slopes, "and the mean as it depends on x_K")
with claim("Y-5.normal") as c:
    label = f"n = 4, any weights, {len(squares)} attackers: the exponent is one square in x_U"
    c.decisive("exhaustive").exact(squares, [True] * len(guessing), label)

# %% [markdown]
# ## Y-5.easy (easy to compute with)
#
# *The main result follows easily, Gaussian distributions are very easy to compute with, and an efficient algorithm becomes possible.* **Not checkable:** how easy something is, is an opinion. Which algorithm is possible, and how fast, is Y-A1 and Y-Th5.3.
#
# ## Y-E13 (one unknown tuple)
#
# *A single unknown tuple is normal, with the weighted average of its neighbours as its mean*, formulas (13) to (16). The square, with a prior beside it, and the regression of one tuple on the three others from a covariance matrix.

# %%
w_u, x_u, pull = sp.symbols("w_u x_u c", positive=True)
prior = sp.Symbol("tau_u", nonnegative=True)
in_x_u = (w_u + prior) * x_u**2 - 2 * pull * x_u
as_square = (w_u + prior) * (x_u - pull / (w_u + prior)) ** 2 - pull**2 / (w_u + prior)
alone = derivation(in_x_u).equal(as_square, r"with $c = \sum_j w_{uj} x_j$")

others = [0, 2, 3]
S = (kite + sp.eye(4)).inv()
regression = S.extract([1], others) * S.extract(others, others).inv()
neighbours = [-kite[1, j] for j in others]
average = [weight / (sum(neighbours) + 1) for weight in neighbours]
with claim("Y-E13") as c:
    label = "any weights and prior: the square that (16) states"
    c.decisive("proved").derived(alone, in_x_u, as_square, label)
    c.exact(list(regression), average, "tuple 2 of four, prior 1: averages = regression")

# %% [markdown]
# ## Y-E17 (the density of the output)
#
# *The density of the output is proportional to the integral of the mechanism times the correlation.* It is equal. The example is an attacker of house 1 or 4 who knows the other one: average over both unknown tuples on a grid, against the closed form for their sum.

# %%
block = np.array(P.tolist(), dtype=float)[1:3, 1:3]  # houses 1 and 4 known to be 0
side = np.linspace(-9, 9, 601)
first, second = np.meshgrid(side, side)
form = block[0, 0] * first**2 + 2 * block[0, 1] * first * second + block[1, 1] * second**2
weights = np.exp(-form / 2)
weights /= weights.sum()
spread = float(np.sqrt(np.linalg.inv(block).sum()))
both = [(weights * np.exp(-abs(r - first - second)) / 2).sum() for r in (0.0, 1.5)]
outputs = np.linspace(-60, 60, 60_001)
density = gaussian.output_density(outputs, 0, scale=1.0, sigma=spread)
with claim("Y-E17") as c:
    label = "r = 0 and 1.5: average over both tuples = over their sum"
    over_sum = gaussian.output_density([0.0, 1.5], 0, scale=1.0, sigma=spread)
    c.decisive("one example").close(both, over_sum, label, rtol=1e-3)
    c.close(np.trapezoid(density, outputs), 1.0, "its mass is one: ∝ is =", rtol=1e-6)

# %% [markdown]
# ## Y-E18 (the unknown sum)
#
# *The sum of the unknown tuples is what matters, and its density is proportional to the joint one with the known tuples*, formulas (18) and (20). Its slope in the target and its variance by both routes.

# %%
with claim("Y-E18") as c:
    left = [by_covariance(P, *who) for who in guessing]
    right = [by_precision(P, *who) for who in guessing]
    label = f"four houses, {len(left)} attackers: distribution of the unknown sum, two routes"
    c.decisive("sampled").exact(left, right, label)


# %% [markdown]
# ## Y-E13.transpose and Y-E19 (two misprints, possibly the converter's)
#
# In (13), a row is multiplied by the row of (15). In (19), the right side has one variable too many.

# %%
def check_row(c):
    others = [1, 2, 3]  # u = 1 of four tuples
    tilde = L4.extract([0], others)  # (15), a row
    column = x.extract(others, [0])  # (14)
    fits = column.T.cols == tilde.rows
    c.fails(fits, "n = 4: a row of three times a row of three has no product")
    repaired = L4[0, 0] * x[0] ** 2 + 2 * (column.T * tilde.T)[0] * x[0]
    label = "n = 4, any weights: with the transpose (13) is the exponent in x_u"
    slope = sp.expand(sp.diff(differences, x[0]))
    c.decisive("exhaustive").exact(sp.expand(sp.diff(repaired, x[0])), slope, label)


def check_merge(c):
    # four houses, target 1, K = {3, 4}; 3 is forgotten: K' = {4}, U = {2}, U' = {2, 3}
    S = P.inv()
    given = S - S[:, 0] * S[0, :] / S[0, 0]  # covariance given x_1
    new_sum, x_3, x_4 = [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]
    left = sp.Matrix([new_sum, x_4])  # s_U', x_K'
    right = sp.Matrix([new_sum, x_3, x_4])  # s_U + x_3, x_K as printed
    c.differs(right.rows, left.rows, "3 forgotten: variables on the right of (19)")
    of_20 = given.extract([1, 2, 3], [1, 2, 3])  # (20): s_U, x_3, x_4
    add = sp.Matrix([[1, 1, 0], [0, 0, 1]])
    label = "four houses: with x_K', (20) gives it"
    c.decisive("one example").exact(add * of_20 * add.T, left * given * left.T, label)


records = misprints(
    [
        (
            "Y-E13.transpose",
            r"$x_{-u}^{\mathsf T} \tilde L\, x_u$ with $\tilde L$ a row",
            r"$x_{-u}^{\mathsf T} \tilde L^{\mathsf T} x_u$",
            check_row,
        ),
        (
            "Y-E19",
            r"$p(s_{\mathcal U} + x_j,\, x_{\mathcal K} \mid x_i)$",
            r"$p(s_{\mathcal U} + x_j,\, x_{\mathcal K'} \mid x_i)$",
            check_merge,
        ),
    ]
)

# %% [markdown]
# ## Y-P5.1 (merging)
#
# *If tuple $j$ joins the $m$ unknown tuples, $w_0$, $w_{0C}$ and $W_C$ are updated by three closed formulas.* The new mean $y$ stays the same along $x_0 = y + t$, $x_j = y - mt$. The exponent at its minimum over $t$, entry by entry, for two remaining tuples $p$ and $q$ (no entry involves more) and any $m$, against the printed formulas. The second route eliminates all directions that leave the mean unchanged at once.

# %%
m, w0, wj, w0j = sp.symbols("m w_0 w_j w_0j", positive=True)
a_p, a_q, b_p, b_q, c_pq = sp.symbols("w_0p w_0q w_jp w_jq c_pq", real=True)
y, t, x_p, x_q = sp.symbols("y t x_p x_q", real=True)
at_0, at_j = y + t, y - m * t  # x_0 and x_j
Q = w0 * at_0**2 + wj * at_j**2 - 2 * w0j * at_0 * at_j
Q += -2 * at_0 * (a_p * x_p + a_q * x_q) - 2 * at_j * (b_p * x_p + b_q * x_q)
Q = sp.expand(Q + 2 * c_pq * x_p * x_q)
in_t, beta, gamma = Q.coeff(t, 2), sp.expand(Q.coeff(t, 1) / 2), Q.coeff(t, 0)
b_y, b_xp, b_xq = beta.coeff(y, 1), beta.coeff(x_p, 1), beta.coeff(x_q, 1)
constant_part = sp.Poly(gamma, y, x_p, x_q)
d = m**2 * wj + 2 * m * w0j + w0

least_pivot = constant_part.coeff_monomial(y**2) - b_y**2 / in_t
printed_pivot = (m + 1) ** 2 * (w0 * wj - w0j**2) / d
pivot = derivation(least_pivot, of="w_0'").equal(printed_pivot, "over $d$")
least_row = -constant_part.coeff_monomial(y * x_p) / 2 + b_y * b_xp / in_t
printed_row = (m + 1) * ((w0j + m * wj) * a_p + (w0 + m * w0j) * b_p) / d
row_entry = derivation(least_row, of="w_{0p}'").equal(printed_row, "over $d$")
least_entry = constant_part.coeff_monomial(x_p * x_q) / 2 - b_xp * b_xq / in_t
printed_entry = c_pq - (a_p - m * b_p) * (a_q - m * b_q) / d
inner_entry = derivation(least_entry, of="W_{pq}'").equal(printed_entry, "as printed")


# %%
def merged(P, unknown):
    """Matrix of (mean of the unknown, the others in order), by Proposition 5.1."""
    order = [*unknown, *(k for k in range(P.rows) if k not in unknown)]
    A = np.array(P)[np.ix_(order, order)]
    for size in range(1, len(unknown)):
        A = gaussian.combine(A, 1, m=size)
    return A


def eliminated(P, unknown):
    """The same by elimination of all directions that leave the mean unchanged."""
    everyone = list(range(P.rows))
    kept = [k for k in everyone if k not in unknown]
    along = sp.eye(P.rows).extract(everyone, [unknown[0], *kept])
    across = sp.eye(P.rows).extract(everyone, unknown[1:])
    for u in unknown:
        along[u, 0] = 1
    for column in range(across.cols):
        across[unknown[0], column] = -1
    inner = (across.T * P * across).inv()
    return along.T * P * along - along.T * P * across * inner * across.T * P * along


blocks = [list(U) for size in (2, 3) for U in combinations(range(4), size)]


def both_ways(P):
    """All blocks of two or three of four tuples: Proposition 5.1, and elimination."""
    by_proposition = [list(merged(P, U).ravel()) for U in blocks]
    by_elimination = [list(eliminated(P, U)) for U in blocks]
    return by_proposition, by_elimination


with claim("Y-P5.1") as c:
    c.decisive("proved").derived(pivot, least_pivot, printed_pivot, "any m: w_0")
    c.decisive("proved").derived(row_entry, least_row, printed_row, "any m: w_0C, by entry")
    label = "any m: W_C, by entry"
    c.decisive("proved").derived(inner_entry, least_entry, printed_entry, label)
    c.exact(*both_ways(kite), f"four tuples, {len(blocks)} blocks: by elimination")


# %% [markdown]
# ## Y-P5.1-closure (is the merged model of the same kind?)
#
# *The merged model is again a Gaussian correlation model.* Definition 5.1 requires weights $w \ge 0$. Merging the two middle houses of the row gives the weight $-1/6$. Four tuples are the smallest case: of three, one weight remains, and it is non-negative.

# %%
def signs_of(formulas):
    """Signs of all coefficients above and below the fraction bars, as a set."""
    letters = sorted(L4.free_symbols, key=str)
    signs = set()
    for formula in formulas:
        for part in sp.fraction(sp.cancel(formula)):
            signs |= {bool(number >= 0) for number in sp.Poly(part, *letters).coeffs()}
    return signs


outer = -merged(row, [1, 2])[1, 2]
after = sp.Matrix(merged(L4, [1, 2])).applyfunc(sp.cancel)
minors = [*after.diagonal(), after.det()]
for rows in ([0, 1], [0, 2], [1, 2]):
    minors.append(after.extract(rows, rows).det())
everyone = []
for target, known in attackers:
    model = GaussianModel(precision=L4, width=1)
    everyone.append(model.leakage_coefficient(target, known))
with claim(
    "Y-P5.1-closure",
    printed=r"the merged model is again a Gaussian correlation model ($w \ge 0$)",
    corrected=r"it is again a normal distribution with a positive semidefinite matrix (rows "
    r"sum to 0 without prior); weights between known tuples may be negative",
    consequence=r"none for later results: the update formulas and $m w_{0i}/w_0$ "
    r"need no signs, and $\ell_{\mathcal A} \ge 0$ holds for every attacker",
) as c:
    c.fails(bool(outer >= 0), f"row of four, 2 and 3 merged: weight {outer} on 1-4")
    label = "n = 4, any weights, two merged: rows sum to zero"
    sums = [sp.cancel(sum(after.row(k))) for k in range(3)]
    c.decisive("exhaustive").exact(sums, [0, 0, 0], label)
    label = "and no principal minor is negative"
    c.decisive("exhaustive").exact(signs_of(minors), {True}, label)
    remaining = -merged(L3, [0, 1])[0, 1]
    c.exact(signs_of([remaining]), {True}, "n = 3: the weight that remains has no minus")
    label = f"n = 4, any weights: {len(everyone)} coefficients, none negative"
    c.exact(signs_of(everyone), {True}, label)

# %% [markdown]
# ## Y-P5.1-prior (merging with a prior)
#
# *Proposition 5.1 and Algorithm 1 may be used with $L + \tau I$*, as section 6 does. The proof above used no sign and no row sum. The check runs the repaired Algorithm 1 on all connected networks of 2 to 4 tuples and compares with the inverse matrix.

# %%
small_graphs = [g for g in nx.graph_atlas_g()[3:19] if nx.is_connected(g)]
with_prior = []
for graph in small_graphs:
    with_prior.append(sp.Matrix(nx.laplacian_matrix(graph).toarray()) + tau * sp.eye(len(graph)))
by_halving, by_inverse = [], []
for Q in with_prior:
    inverse = Q.inv()
    by_halving.append(list(gaussian.algorithm1(Q)))
    by_inverse.append([sp.cancel(sum(inverse.row(i)) / inverse[i, i] - 1) for i in range(Q.rows)])
signed = sp.Matrix([[5, 1, -2, 0], [1, 4, 1, -1], [-2, 1, 6, 2], [0, -1, 2, 3]])
assert signed.is_positive_definite
kinds = {
    "a common prior": kite + sp.eye(4) / 2,
    "a prior each": kite + sp.diag(sp.Rational(1, 3), 2, 0, 5),
    "any signs": signed,
}
with claim("Y-P5.1-prior") as c:
    label = f"Algorithm 1, repaired: {len(small_graphs)} networks up to n = 4, every τ"
    c.decisive("sampled").exact(by_halving, by_inverse, label)
    for kind, matrix in kinds.items():
        label = f"Proposition 5.1, four tuples, {kind}: by elimination"
        c.decisive("sampled").exact(*both_ways(matrix), label)

# %% [markdown]
# ## Y-E23 and Y-5.utility (the noise)
#
# Y-E23: *the noise has the density $\frac{1}{2\lambda}e^{-|z|/\lambda}$.* Y-5.utility: *a large $\lambda$ means low utility, so the smallest sufficient one is wanted.* Utility is read as the mean squared error of the published sum.

# %%
z = sp.Symbol("z", positive=True)
one_side = sp.exp(-z / lam) / (2 * lam)  # the density for z > 0
second_moment = 2 * sp.Integral(z**2 * one_side, (z, 0, sp.oo))
variance = derivation(second_moment, of=r"\operatorname{Var} z").equal(2 * lam**2, "by parts")
with claim("Y-E23") as c:
    mass = 2 * sp.integrate(one_side, (z, 0, sp.oo))
    c.decisive("proved").exact(mass, sp.Integer(1), "(23) has mass one")
    ours = gaussian.output_density([1.0, 3.0], 0, scale=2.0, sigma=0.0)
    theirs = [float(one_side.subs({lam: 2, z: value})) for value in (1, 3)]
    c.close(ours, theirs, "the package's noise", rtol=1e-12)
with claim("Y-5.utility") as c:
    label = "mean squared error of the published sum: 2λ², which grows with λ"
    c.decisive("proved").derived(variance, second_moment, 2 * lam**2, label)

# %% [markdown]
# ## Y-Th5.1 (the leakage)
#
# *$\mathrm{BDPL}_{\mathcal{A}} = \frac{M}{\lambda}(1 + \ell_{\mathcal{A}})$ with $\ell_{\mathcal{A}} = m w_{0i}/w_0$.* Three steps. The expected sum moves by $1 + \ell_{\mathcal{A}}$. No output leaks more than $\delta/\lambda$: between $t - \delta$ and $t$ a value $v$ divides the distance $\delta$ into two parts $p$ and $q$. The bound is approached: for $t \to -\infty$,
#
# $$ \int_t^\infty e^{-v/\lambda}\varphi(v)\,dv \le 2\lambda\, e^{-t/\lambda} g(t) \le \int_{-\infty}^\infty e^{-v/\lambda}\varphi(v)\,dv < \infty, $$
#
# where $\varphi$ is the normal density and $g$ that of the output. The second route is quadrature in 40 digits.

# %%
w0i, x_i, step, s_known, known_part = sp.symbols("w_0i x_i Delta s_K c", positive=True)


def expected_sum(value):
    """What the attacker expects of the sum if tuple i has this value."""
    return m * (w0i * value + known_part) / w0 + value + s_known


moved = expected_sum(x_i + step) - expected_sum(x_i)
closed_shift = step * (1 + m * w0i / w0)
shift = derivation(moved).equal(closed_shift, r"that is $(1 + \ell)\Delta$")

p, q = sp.symbols("p q", nonnegative=True)
between = (q - p) / lam
no_more = derivation(between, of=r"\text{log ratio at } v")
no_more = no_more.at_most((p + q) / lam, r"and $p + q = \delta$", by="coefficients")

v = sp.Symbol("v", real=True)
normal = sp.exp(-(v**2) / (2 * sigma**2)) / (sigma * sp.sqrt(2 * sp.pi))
moved_normal = sp.exp(-((v + sigma**2 / lam) ** 2) / (2 * sigma**2)) / (sigma * sp.sqrt(2 * sp.pi))
tail_weight = sp.Integral(sp.exp(-v / lam) * normal, (v, -sp.oo, sp.oo))
constant = sp.exp(sigma**2 / (2 * lam**2))
limit = (
    derivation(tail_weight)
    .equal(constant * sp.Integral(moved_normal, (v, -sp.oo, sp.oo)), "complete the square")
    .equal(constant, "a normal density has mass 1")
)

mp.mp.dps = 40


def log_by_quadrature(t):
    """log g(t) up to a constant, for λ = σ = 1."""
    pieces = [-mp.inf, *sorted({t, mp.mpf(0)}), mp.inf]
    return mp.log(mp.quad(lambda v: mp.exp(-abs(t - v) - v**2 / 2), pieces))


gap, far_out = 2, [mp.mpf(t) for t in (1, 0, -2, -5, -10)]
ratios = [log_by_quadrature(t) - log_by_quadrature(t - gap) for t in far_out]


# %%
def by_merging(P, target, known):
    """m w_0i / w_0 from Proposition 5.1."""
    U = unknown_to(target, known, P.rows)
    A = merged(P, U)
    place = 1 + [k for k in range(P.rows) if k not in U].index(target)
    return -len(U) * A[0, place] / A[0, 0]


coefficients = {who: by_merging(P, *who) for who in guessing}
slope, variance_2 = by_covariance(P, 1, ())
with claim("Y-Th5.1") as c:
    label = "the expected sum moves by 1 + m w_0i/w_0"
    c.decisive("proved").derived(shift, moved, closed_shift, label)
    label = "no output beyond δ/λ: v between the two positions"
    c.decisive("proved").derived(no_more, between, (p + q) / lam, label)
    label = "the limit: g(t) becomes a constant times an exponential"
    c.decisive("proved").derived(limit, tail_weight, constant, label)
    slopes = [by_covariance(P, *who)[0] for who in guessing]
    label = f"four houses, {len(slopes)} attackers: m w_0i / w_0 = slope of s_U in x_i"
    c.exact(list(coefficients.values()), slopes, label)
    package = gaussian.log_ratio([1.0, 0.0, -2.0, -5.0], 2.0, scale=1.0, sigma=1.0)
    label = "the package against quadrature in 40 digits"
    c.close(package, [float(r) for r in ratios[:4]], label, rtol=1e-9, atol=1e-9)
    c.holds(max(ratios) < gap, "no output attains the supremum", method="numeric")
    label = "M = 3, λ = 2, house 2, knows nobody: far out"
    model = GaussianModel(precision=P, width=1)
    by_package = 3 * (1 + float(model.leakage_coefficient(1)))
    release = {"scale": 2.0, "sigma": float(sp.sqrt(variance_2))}
    c.close(gaussian.log_ratio(-60.0, by_package, **release), 3 / 2 * (1 + float(slope)), label)

# %% [markdown]
# ## Y-Th5.1-M (what is M?)
#
# *$M > 0$ is a parameter of the leakage.* Definition 4.1 takes the supremum over all pairs of values, and it is then infinite. With $M$ as the bound on $|x_i - x_i'|$ the formula is exact.

# %%
distances = np.array([0.25, 0.5, 1.0, 2.0, 4.0])
release = {"scale": 1.0, "sigma": float(sp.sqrt(variance_2))}
ell_2 = float(coefficients[1, ()])
leak = gaussian.log_ratio(-80.0, distances * (1 + ell_2), **release)
stated = 1.0 * (1 + ell_2)  # M = 1, λ = 1
nearer = sp.Symbol("h", nonnegative=True)
closer = (M - nearer) * (1 + ell) / lam
within = derivation(closer).at_most(M * (1 + ell) / lam, "", by="coefficients")
with claim(
    "Y-Th5.1-M",
    printed=r"$\frac M\lambda(1 + \ell_{\mathcal A})$ for $M > 0$, not defined",
    corrected=r"$M$ is the bound on $|x_i - x_i'|$ over which the supremum is taken",
    consequence=r"none: with this $M$ the theorem and (26) to (29) stand; without a "
    r"bound the supremum is infinite for every $\lambda$",
) as c:
    c.differs(stated, float(leak[3]), "house 2, values 2M apart: log ratio, far out")
    label = "it grows with the distance, without bound"
    c.close(leak, distances * float(1 + slope), label)
    label = "pairs closer by h than M stay within"
    c.decisive("proved").derived(within, closer, M * (1 + ell) / lam, label)
    near = distances <= 1
    label = "house 2: pairs at most M apart come up to the stated leakage"
    c.close(leak[near].max(), stated, label)

# %% [markdown]
# ## Y-Th5.1-empty (nothing is unknown)
#
# *The coefficient is $m w_{0i}/w_0$ for every attacker.* For a strong attacker there is no row 0 and the formula reads $0/0$. The truth is the ratio of two Laplace densities.

# %%
some_pivot, left_of_both = sp.Symbol("w_0", positive=True), sp.Symbol("r", nonpositive=True)
two_laplace = (sp.Abs(left_of_both - M) - sp.Abs(left_of_both)) / lam
plain = derivation(two_laplace).equal(M / lam, "r ≤ 0")
nothing = sp.diag(0, P)  # no unknown tuple, so no w_0
as_printed = 0 * -nothing[0, 2] / nothing[0, 0]
with claim(
    "Y-Th5.1-empty",
    printed=r"$\ell_{\mathcal A} = m w_{0i}/w_0$ for every attacker",
    corrected=r"$\ell_{\mathcal A} = 0$ for the strong attacker ($m = 0$, no row 0)",
    consequence=r"none: the leakage is $M/\lambda$, as for differential privacy",
) as c:
    label = "strong attacker, m = 0 and no row 0: 0/0 is no number"
    c.fails(bool(as_printed.is_number and as_printed.is_finite), label)
    label = "two Laplace densities M apart: M/λ, so ℓ = 0"
    c.decisive("proved").derived(plain, two_laplace, M / lam, label)
    copied = gaussian.combine(sp.diag(some_pivot, P), 1, m=0)
    c.exact(copied, P, "unlinked row 0 with any pivot: the first merger copies tuple 1")
    strong = GaussianModel(precision=P, width=1).leakage_coefficient(1, [0, 2, 3])
    c.exact(1 + strong, lam / M * plain.last, "the package, house 2")

# %% [markdown]
# ## Y-E26 (the trade-off)
#
# *$M(1 + \ell_{\mathcal{A}}) \le \varepsilon\lambda$.* At the smallest such scale the leakage is $\varepsilon$, and at a larger one it is at most $\varepsilon$. The second route is the log ratio far out, at the scale that the package finds for $\varepsilon = 1/2$ and $M = 2$.

# %%
eps = sp.Symbol("epsilon", positive=True)
extra = sp.Symbol("eta", nonnegative=True)  # noise beyond the smallest scale
noisier = M * (1 + ell) / (M * (1 + ell) / eps + extra)
enough = derivation(noisier).at_most(eps, r"equality if $\eta = 0$", by="coefficients")
needed = float(GaussianModel(precision=P, width=2).noise_scale(0.5))
worst = max(coefficients, key=coefficients.get)
worst_slope, worst_variance = by_covariance(P, *worst)
apart = 2 * (1 + float(worst_slope))  # M = 2
at_limit = []
for share in (1, 0.99):
    release = {"scale": share * needed, "sigma": float(sp.sqrt(worst_variance))}
    at_limit.append(gaussian.log_ratio(-200.0, apart, **release))
with claim("Y-E26") as c:
    label = "λ = M(1 + ℓ)/ε + η: the leakage is at most ε"
    c.decisive("proved").derived(enough, noisier, eps, label)
    label = "and less noise is too little: at η = 0 it is ε"
    c.decisive("proved").exact(noisier.subs(extra, 0), eps, label)
    c.close(needed, apart / 0.5, "four houses, ε = 1/2, M = 2: worst of all attackers")
    c.close(at_limit[0], 0.5, "at that scale the log ratio tends to ε", rtol=1e-9)
    c.at_most(0.505, at_limit[1], "at 0.99 of it some output is beyond ε")

# %% [markdown]
# ## Y-5.d (scale or variance?)
#
# *The variance of the noise must be $(1 + \ell)M/\varepsilon$, and $n$-fold without a prior*, in sections 5.4, 5.5 and 6.1. By (23), $\lambda$ is the scale.

# %%
k = sp.Symbol("k", positive=True)
wider = second_moment.subs(lam, k * lam).doit()
growth = sp.cancel(wider / variance.last)
with claim(
    "Y-5.d",
    printed=r"the variance of the noise must be $(1 + \ell)M/\varepsilon$, without "
    r"prior $n$-fold",
    corrected=r"the scale $\lambda$ must be $(1 + \ell)M/\varepsilon$; the variance "
    r"is $2\lambda^2$, so that $n$-fold scale is $n^2$-fold variance",
    consequence=r"(25) to (29) are in $\lambda$ and stand; the loss of utility, "
    r"measured by the variance, is larger than the text says",
) as c:
    c.differs(k, growth, "k-fold scale: factor on the variance")
    c.decisive("proved").exact(growth, k**2, "k-fold scale: k²-fold variance")
    right_scale = gaussian.log_ratio(-400.0, 2.0, scale=20.0, sigma=1.0)
    label = "two tuples, no prior, M = 1: at scale 20 the log ratio tends to ε = 0.1"
    c.close(right_scale, 0.1, label)
    literal = gaussian.log_ratio(-400.0, 2.0, scale=float(np.sqrt(10)), sigma=1.0)
    c.at_most(0.63, literal, "at variance 20, scale √10, it exceeds 0.63")

# %% [markdown]
# ## Y-E29 and Y-5.i (no prior)
#
# Y-E29: *without a prior every weak attacker's leakage is $nM/\lambda$.* Y-5.i: *the weak attacker's 2 × 2 matrix has equal diagonal entries.* The limit of the second is a prior.

# %%
found, diagonals = {}, {}
for size in (2, 3, 4):
    model = GaussianModel(precision=laplacian(size), width=1)
    found[size] = [model.leakage_coefficient(i) for i in range(size)]
    small = sp.Matrix(merged(laplacian(size), list(range(1, size)))).applyfunc(sp.cancel)
    diagonals[size] = (small[0, 0], small[1, 1])
examples = {"star": nx.star_graph(8), "cycle": nx.cycle_graph(12), "club": nx.karate_club_graph()}
with claim("Y-E29") as c:
    for size, values in found.items():
        label = f"n = {size}, any weights: ℓ = n − 1"
        c.decisive("exhaustive").exact(values, [size - 1] * size, label)
    for name, graph in examples.items():
        Lg = nx.laplacian_matrix(graph).toarray().astype(float)
        totals = []
        for i in range(len(graph)):
            rest_of = [j for j in range(len(graph)) if j != i]
            follow = np.linalg.solve(Lg[np.ix_(rest_of, rest_of)], -Lg[rest_of, i])
            totals.append(1 + follow.sum())
        c.close(totals, [len(graph)] * len(graph), f"{name}: 1 + ℓ = n")
with claim("Y-5.i") as c:
    for size, (first_entry, second_entry) in diagonals.items():
        label = f"n = {size}, any weights: equal diagonal"
        c.decisive("exhaustive").exact(first_entry, second_entry, label)
    with_a_prior = merged(P, [1, 2, 3])
    c.limit(with_a_prior[1, 1], with_a_prior[0, 0], "with a prior of 1/4, house 1 and the rest")


# %% [markdown]
# ## Y-B1 (the closed form for weak attackers)
#
# Beyond the paper: *$1 + \ell_i = (P^{-1}\mathbf 1)_i/(P^{-1})_{ii}$, the slope of the regression of the sum on $x_i$. With a common prior it is $1/(\tau (P^{-1})_{ii}) = n \operatorname{corr}(x_i, s)^2$, an effective conductance to the ground divided by $\tau$, and the inverse of the probability that $i$ is a root of a random spanning forest.* The simulation draws 200,000 databases of the karate club.

# %%
def root_probabilities(graph):
    """Probability of each node to be a root of the random forest, by listing all forests."""
    total, rooted = sp.Integer(0), dict.fromkeys(graph, sp.Integer(0))
    for size in range(len(graph)):
        for chosen in combinations(graph.edges, size):
            forest = nx.empty_graph(graph)
            forest.add_edges_from(chosen)
            if not nx.is_forest(forest):
                continue
            trees = list(nx.connected_components(forest))
            weight = tau ** len(trees) * prod(len(tree) for tree in trees)  # one root a tree
            total += weight
            for tree in trees:
                for node in tree:
                    rooted[node] += weight / len(tree)
    return [rooted[node] / total for node in graph]


def current_to_ground(Q, i):
    """Current into node i that is held at one volt."""
    others = [j for j in range(Q.rows) if j != i]
    volts = -Q.extract(others, others).inv() * Q.extract(others, [i])
    return Q[i, i] + (Q.extract([i], others) * volts)[0]


by_theorem = []
readings = {"1/(τ (P⁻¹)_ii)": [], "n corr(x_i, s)²": [], "conductance to ground / τ": [],
            "all forests listed, 1/Pr[root]": []}  # fmt: skip
for graph, Q in zip(small_graphs, with_prior):
    n, inverse = Q.rows, Q.inv()
    values, diagonal, correlation, current = [], [], [], []
    for i in range(n):
        values.append(sp.cancel(1 + by_merging(Q, i, ())))
        diagonal.append(sp.cancel(1 / (tau * inverse[i, i])))
        squared = sum(inverse.row(i)) ** 2 / (inverse[i, i] * sum(inverse))
        correlation.append(sp.cancel(n * squared))
        current.append(sp.cancel(current_to_ground(Q, i) / tau))
    by_theorem.append(values)
    roots = [sp.cancel(1 / chance) for chance in root_probabilities(graph)]
    for name, column in zip(readings, (diagonal, correlation, current, roots)):
        readings[name].append(column)

general = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"p_{min(i, j)}{max(i, j)}"))
inverse_3 = general.inv()
quotients, by_merging_3 = [], []
for i in range(3):
    quotients.append(sum(inverse_3.row(i)) / inverse_3[i, i])
    by_merging_3.append(1 + by_merging(general, i, ()))

# %%
karate = nx.karate_club_graph()
club = networks.precision(karate, 1.0)
factor = 1 + GaussianModel(precision=club, width=1).leakage_coefficients()
rng = np.random.default_rng(2015)
draws = 200_000
sample = rng.standard_normal((draws, 34)) @ np.linalg.cholesky(np.linalg.inv(club)).T
total = sample.sum(axis=1)
squares = (sample**2).sum(axis=0)
regressions = sample.T @ total / squares
residual = (total**2).sum() - regressions**2 * squares
with claim("Y-B1") as c:
    label = "n = 3, any matrix: closed form = Theorem 5.1"
    c.decisive("exhaustive").exact(quotients, by_merging_3, label)
    for name, values in readings.items():
        label = f"{len(values)} networks of 2 to 4 tuples, every τ: {name}"
        c.decisive("sampled").exact(values, by_theorem, label)
    label = f"karate, {draws:,} draws: 34 regressions of s on x_i"
    c.sampled(regressions, factor, label, stderr=np.sqrt(residual / draws / squares))

# %% [markdown]
# ## Y-5.weaker (the assumption about the attacker)
#
# *With a prior the assumption about the attacker becomes weaker.* **Not checkable:** how much is assumed is no number. One joint distribution takes the place of a family of conditional ones, so the model assumes no less. What becomes weaker is the attacker for whom the noise is made.
