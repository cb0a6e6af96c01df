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
# # Evidence: How much noise do a million people need if the weights are guesses?
#
# Both claims go beyond the paper, and the ledger names their sources. Nothing is hidden. The story is told in [the research note of the same name](../../research/correlated-a-million-people.ipynb).

# %%
from math import fsum

import networkx as nx
import numpy as np
import scipy.sparse as sps
import sympy as sp
from mpmath import iv
from scipy.sparse.linalg import cg

from privlib.correlated import networks
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, derivation
from privlib.research import sparse_gaussian

# %% [markdown]
# ## Y-B6 (weights and prior in intervals)
#
# *Misspecification: over weights and a common prior in intervals the largest weights and the smallest prior are the worst case, exactly; with unequal priors they need not be.* With $1 + \ell_i = 1/(\tau V_{ii})$ there are two steps. If the weight between $j$ and $k$ rises by $d$, the Sherman–Morrison formula gives the new $V_{ii}$, with $g = V_{ij} - V_{ik}$ and $R = (e_j - e_k)^{\mathsf T} V (e_j - e_k) \ge 0$. If $\tau$ rises by $\delta$, each eigenvalue $\lambda$ of $L$ contributes a larger term to $\tau V_{ii}$. The formula is compared with an inverse, and 2,000 distributions are drawn from a box.

# %%
own, gap = sp.symbols("V_ii g", real=True)
rise, R, eigenvalue, more = sp.symbols("d R lambda delta", nonnegative=True)
prior = sp.Symbol("tau", positive=True)
heavier = own - rise * gap**2 / (1 + rise * R)
heavier_link = derivation(heavier, of=r"V_{ii}(w_{jk} + d)", names={own: "V_{ii}"})
heavier_link = heavier_link.at_most(own, "a square is subtracted", by="square")
firmer = (prior + more) / (eigenvalue + prior + more)
firmer_prior = derivation(firmer, of=r"\text{term at } \tau + \delta")
firmer_prior = firmer_prior.at_least(
    prior / (eigenvalue + prior), r"the term at $\tau$", by="coefficients"
)

rng = np.random.default_rng(8)
estimates = np.triu(rng.exponential(size=(8, 8)) * (rng.random((8, 8)) < 0.5), 1)


def precision(upper_weights, tau):
    weights = upper_weights + upper_weights.T
    return np.diag(weights.sum(axis=1) + tau) - weights


in_the_box = []
for _ in range(2000):
    weights = estimates * rng.uniform(0.5, 1.5, estimates.shape)
    P = precision(weights, rng.uniform(0.5, 2))
    in_the_box.append(GaussianModel(precision=P, width=1).leakage_coefficients())
corner = 1 / (0.5 * np.linalg.inv(precision(1.5 * estimates, 0.5)).diagonal()) - 1

P = precision(estimates, 1.0)
V = np.linalg.inv(P)
link = np.eye(8)[2] - np.eye(8)[5]
by_inverse = np.linalg.inv(P + 0.7 * np.outer(link, link)).diagonal()
by_formula = []
for i in range(8):
    numbers = {own: V[i, i], gap: V[i] @ link, rise: 0.7, R: link @ V @ link}
    by_formula.append(float(heavier.subs(numbers)))

one_link = sp.Matrix([[1, -1, 0], [-1, 1, 0], [0, 0, 0]])
one_link += sp.diag(1, sp.Rational(1, 10), 100)
two_links = one_link + sp.Matrix([[0, 0, 0], [0, 1, -1], [0, -1, 1]])
by_covariance, by_precision = [], []
for matrix in (one_link, two_links):
    covariance = matrix.inv()
    by_covariance.append(sum(covariance[0, :]) / covariance[0, 0] - 1)
    model = GaussianModel(precision=matrix, width=1)
    by_precision.append(model.leakage_coefficient(0))
with claim("Y-B6") as c:
    c.decisive("proved").derived(heavier_link, heavier, own, "a heavier link lowers V_ii")
    last = prior / (eigenvalue + prior)
    c.decisive("proved").derived(firmer_prior, firmer, last, "a firmer prior raises each term")
    c.close(by_formula, by_inverse, "Sherman–Morrison, eight tuples, by inversion")
    label = "8 tuples, 2,000 distributions in the box: every coefficient below the corner's"
    c.at_most(in_the_box, np.broadcast_to(corner, (2000, 8)), label)
    label = "unequal priors: a link lowers l_1 from 10/11 to 1020/2111"
    fractions = [sp.Rational(10, 11), sp.Rational(1020, 2111)]
    c.decisive("proved").exact(by_covariance, fractions, label)
    c.exact(by_precision, by_covariance, "unequal priors: precision and covariance")

# %% [markdown]
# ## Y-B10 (a million tuples)
#
# *A certified interval for the largest coefficient, and estimates with error bars for all of them, on networks of a million tuples.* First, the enclosure of the note in general: with $e = x - v$ and $Px = e_i$, the difference between $V_{ii}$ and the lower end is $e^{\mathsf T} P e$. Then the network of the note, at the weight 1 and the prior 1: interval arithmetic around a solver's result on one side, the package's Gauss and Gauss–Radau rules on the other.

# %%
a, b, d = sp.symbols("a b d", positive=True)
free_P = sp.Matrix([[a, b], [b, d]])  # any symmetric matrix of two tuples
free_v = sp.Matrix(sp.symbols("v_1 v_2", real=True))
column = free_P.inv()[:, 0]
lower_end = 2 * free_v[0] - (free_v.T * free_P * free_v)[0]
missing = ((column - free_v).T * free_P * (column - free_v))[0]
by_proposition = sp.simplify(column[0] - lower_end - missing)

friends = networks.preferential_attachment(1_000_000, 5, rng=5)
degree = friends.sum(axis=0)
hub = int(degree.argmax())
P = sps.csr_array(sps.diags_array(degree + 1.0) - friends)
first, second = sps.triu(friends, 1).nonzero()
u = 2.0**-53  # largest relative error of one operation


def solved(i):
    """Approximate column i of the inverse, and the unit vector."""
    unit = np.zeros(len(degree))
    unit[i] = 1
    column, _ = cg(P, unit, rtol=1e-13, M=sps.diags_array(1 / P.diagonal()))
    return column, unit


v, unit = solved(hub)
squares = np.concatenate([(v[first] - v[second]) ** 2, v**2])
energy = iv.mpf(fsum(squares.tolist())) * iv.mpf([1 - 8 * u, 1 + 8 * u])
rounding = 2 * (degree + 6) * u * (abs(P) @ np.abs(v) + unit)
residual = np.abs(unit - P @ v) + rounding
slack = fsum((residual**2).tolist()) * (1 + 16 * u)
interval = 1 / (2 * iv.mpf(float(v[hub])) - energy + iv.mpf([0, slack])) - 1
low, high = float(interval.a), float(interval.b)
package = sparse_gaussian.max_leakage_bounds(P, rtol=1e-9)
everybody_else = float(np.delete(degree, hub).max())

# %% [markdown]
# *Estimates.* On the karate club the exact coefficients are known, and the estimates are repeated a hundred times. On the large network three tuples (the hub and two others, by rank of the degree) are also solved one by one.

# %%
club = networks.precision(nx.karate_club_graph(), 0.2, weight="none")
exact = 1 / (0.2 * np.linalg.inv(club).diagonal()) - 1
covered = []
rng = np.random.default_rng(35)
for _ in range(100):
    sample = sparse_gaussian.leakage_estimates(club, samples=50, rng=rng)
    covered.append(np.mean((sample.low <= exact) & (exact <= sample.high)))
club_bounds = sparse_gaussian.max_leakage_bounds(club, rtol=1e-9)

million = sparse_gaussian.leakage_estimates(P, samples=2, rng=6, confidence=0.999)
some = np.argsort(-degree, kind="stable")[[0, 1000, 100_000]]
one_by_one = []
for i in some:
    column, unit = solved(i)
    one_by_one.append(1 / column[i] - 1)
with claim("Y-B10") as c:
    c.exact(by_proposition, 0, "two tuples, any v: what is missing is a square")
    label = "a million tuples: everybody else below the hub, by the degree"
    c.decisive("one example").at_most(everybody_else, low, label)
    label = "the package's interval meets that of interval arithmetic"
    c.decisive("one example").at_most([low, package.low], [package.high, high], label)
    label = "which is narrower than 1e-9 of it"
    c.decisive("one example").at_most(high - low, 1e-9 * (1 + low), label)
    c.at_most(package.high - package.low, 1e-9 * (1 + low), "and so is the package's")
    label = "karate club: coverage of the 95 percent intervals, a hundred times"
    stderr = np.std(covered) / 10
    c.decisive("simulated").sampled(np.mean(covered), 0.95, label, stderr=stderr)
    label = "a million tuples: three coefficients in their sampled 99.9 percent intervals"
    inside = (million.low[some] <= one_by_one) & (one_by_one <= million.high[some])
    c.holds(bool(inside.all()), label, method="numeric")
    both = [club_bounds.low, club_bounds.high]
    c.close(both, [exact.max()] * 2, "karate club: enclosure of the closed form", rtol=2e-9)
