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
# # Evidence: What does it cost to publish many numbers?
#
# Both claims about tables of many numbers are beyond the paper, and the ledger names their sources. Nothing is hidden. The story is told in [the research note of the same name](../../research/correlated-many-numbers.ipynb).

# %%
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import sympy as sp

from privlib.correlated import FiniteDistribution
from privlib.correlated.adversary import adversaries
from privlib.notebook import claim
from privlib.research.markov_chain import MarkovChain
from privlib.research.markov_random_field import MarkovRandomField

rng = np.random.default_rng(12)
P = np.array([[0.9, 0.1], [0.4, 0.6]])

# %% [markdown]
# ## Y-B56 (a table for the price of its total)
#
# *If the joint distribution is positively affiliated and its numbers are bounded, the n numbers, each published with independent Laplace noise of scale λ, leak to every attacker exactly what their sum with one such noise leaks; so do subtotals in which each number counts once. Of two bits that differ with probability 0.98, the sum leaks 0.047 at λ = 1 to a weak attacker, the pair 1.953.*
#
# **In fractions.** Four days of the chain, all 32 attackers, with $y = e^{-1/\lambda} = 1/3$. On one side the first factor of the proof, $\mathrm{E}[y^{\mp s}]$ given both values. On the other side the densities of four outputs. A log density ratio is monotone in each output's likelihood ratio, so its extremes lie at outputs 0 and 1: 16 corners.

# %%
transition = [[Fraction(9, 10), Fraction(1, 10)], [Fraction(2, 5), Fraction(3, 5)]]
first_day = [Fraction(4, 5), Fraction(1, 5)]
y = Fraction(1, 3)
four_days = {}
for x in product((0, 1), repeat=4):
    probability = first_day[x[0]]
    for before, after in pairwise(x):
        probability *= transition[before][after]
    four_days[x] = probability


def given_target(distribution, i, value, weight):
    """Mean of a weight, given the value of the target."""
    mass, total = 0, 0
    for x, probability in distribution.items():
        if x[i] == value:
            mass += probability
            total += probability * weight(x)
    return total / mass


def up(x):
    return y ** -sum(x)


def down(x):
    return y ** sum(x)


def ratio_by_the_proof(distribution, i):
    of_one = given_target(distribution, i, 1, up) / given_target(distribution, i, 0, up)
    of_zero = given_target(distribution, i, 0, down) / given_target(distribution, i, 1, down)
    return max(of_one, of_zero)


def ratio_at_corners(distribution, i):
    ratios = []
    for outputs in product((0, 1), repeat=4):

        def density(x, outputs=outputs):
            return y ** sum(t != value for t, value in zip(outputs, x))

        with_one = given_target(distribution, i, 1, density)
        with_zero = given_target(distribution, i, 0, density)
        ratios += [with_one / with_zero, with_zero / with_one]
    return max(ratios)


by_the_proof, at_corners = [], []
for i, known in adversaries(4):
    for values in product((0, 1), repeat=len(known)):
        seen = dict(zip(known, values))
        remaining = {x: p for x, p in four_days.items() if all(x[j] == seen[j] for j in known)}
        by_the_proof.append(ratio_by_the_proof(remaining, i))
        at_corners.append(ratio_at_corners(remaining, i))

# %% [markdown]
# **Ten days.** The same for ten outputs and weak attackers, at λ = 1, with all 1,024 corners, against the package's leakage of the *sum*:

# %%
paths = np.array(list(product((0, 1), repeat=10)))
weights = np.array([0.8, 0.2])[paths[:, 0]]
for day in range(9):
    weights = weights * P[paths[:, day], paths[:, day + 1]]
apart = (paths[:, None] != paths).sum(axis=2)  # corner and path
densities = np.exp(-apart)
of_ten_outputs, of_ten_days = [], []
for i in range(10):
    active = paths[:, i] == 1
    with_one = densities[:, active] @ weights[active] / weights[active].sum()
    with_zero = densities[:, ~active] @ weights[~active] / weights[~active].sum()
    of_ten_outputs.append(abs(np.log(with_one / with_zero)).max())
    of_ten_days.append(MarkovChain(P, 10).leakage(i, scale=1))

# %% [markdown]
# **Random affiliated distributions.** Three numbers with values {0, 1, 3}, {0, 2} and {0, 3}; the weight of a database is $e^{\text{ties} + \text{single terms}}$, and ties that are not negative make it affiliated. All attackers; the package computes the leakage of the table, of two subtotals and of the total.

# %%
a, b, d = np.meshgrid([0, 1, 3], [0, 2], [0, 3], indexing="ij")
of_table, of_subtotals, of_total, of_proof = [], [], [], []
for _ in range(40):
    ties, single, scale = rng.uniform(0, 1, 3), rng.normal(size=3), rng.uniform(0.3, 3)
    energy = ties[0] * a * b + ties[1] * b * d + ties[2] * a * d
    joint = np.exp(energy + single[0] * a + single[1] * b + single[2] * d)
    joint = joint / joint.sum()
    table = FiniteDistribution(joint, query=np.stack([a, b, d], axis=-1))
    subtotals = FiniteDistribution(joint, query=np.stack([a + d, b], axis=-1))
    total = FiniteDistribution(joint, query=a + b + d)
    for i, known in adversaries(3):
        unknown = tuple(j for j in range(3) if j != i and j not in known)
        factors = []
        for sign in (1, -1):
            weighted = (joint * np.exp(sign * (a + b + d) / scale)).sum(axis=unknown, keepdims=True)
            means = weighted / joint.sum(axis=unknown, keepdims=True)
            factors.append(np.ptp(np.log(means), axis=i).max())
        of_proof.append(max(factors))
        of_table.append(table.leakage(i, known, scale=scale))
        of_subtotals.append(subtotals.leakage(i, known, scale=scale))
        of_total.append(total.leakage(i, known, scale=scale))

# %% [markdown]
# **Where it stops.** Two bits that differ with probability 0.98, with closed forms; and a number without the exponential moment, beside a fair bit, whose table leaks $1/\lambda = 1$:

# %%
opposite = [[0.01, 0.49], [0.49, 0.01]]
both_bits = FiniteDistribution(opposite, query=[[[0, 0], [0, 1]], [[1, 0], [1, 1]]])
leak = [FiniteDistribution(opposite).leakage(0, scale=1), both_bits.leakage(0, scale=1)]
e = sp.exp(-1)
closed = [sp.log((1 + 49 * e) / (49 * e + e**2)), sp.log((49 + e) / (e + 49 * e**2))]

k = np.arange(-400, 401)
outputs = np.linspace(-40, 40, 1601)
with_bit = []
for bit in (0, 1):
    with_bit.append(np.exp(-abs(outputs[:, None] - k - bit)) @ np.exp(-abs(k) / 2))
heavy = float(abs(np.log(with_bit[0] / with_bit[1])).max())

with claim("Y-B56") as c:
    label = "four days: all attackers, all corners, in fractions"
    c.decisive("one example").exact(at_corners, by_the_proof, label)
    label = "ten days, weak attackers: 1,024 corners against the sum"
    c.decisive("one example").close(of_ten_outputs, of_ten_days, label, rtol=1e-9)
    label = "forty distributions of three numbers, all attackers: the table"
    c.decisive("sampled").close(of_table, of_proof, label, rtol=1e-9)
    label = "the same: two subtotals, one of them of two numbers"
    c.decisive("sampled").close(of_subtotals, of_proof, label, rtol=1e-9)
    c.decisive("sampled").close(of_total, of_proof, "the same: the total", rtol=1e-9)
    label = "no exponential moment: leakage of the table and of the sum"
    c.limit(1.0, heavy, label)
    label = "two bits that differ, sum and pair: package and closed form"
    c.decisive("one example").close(leak, [float(value) for value in closed], label, rtol=1e-12)
    label = "printed digits"
    c.decisive("one example").close(leak, [0.047, 1.953], label, atol=0.0005, rtol=0)

# %% [markdown]
# ## Y-B55 (the same sum twice)
#
# *On the stationary chain of thirty steps that stays with probability 0.9 and 0.6, two releases of the sum with independent Laplace noise, each ½-BDP, have the level 1.027 together.* The level of both is that of one release with half the scale (Y-B4). For thirty steps the worst attackers are checked by a Markov random field. For four steps the level of two releases is computed from pairs of outputs, for all attackers.

# %%
chain = MarkovChain(P, 30)
half = chain.noise_scale(0.5)
both = chain.worst_adversary(scale=half / 2)
ties = {(i, i + 1): [[9, 1], [4, 6]] for i in range(29)}
field = MarkovRandomField({(0,): [4, 1]} | ties)
worst_of_one = chain.worst_adversary(scale=half).adversary
of_one = field.leakage(*worst_of_one, scale=half)
of_both = field.leakage(*both.adversary, scale=half / 2)

# %%
joint = np.array([0.8, 0.2])
for _ in range(3):
    joint = joint[..., None] * P
counts = np.indices(joint.shape).sum(axis=0)
pairs = np.array(list(product(np.arange(-1, 5.5, 0.5), repeat=2)))
four_half = MarkovChain(P, 4).noise_scale(0.5)
distances = abs(pairs[:, :, None] - np.arange(5)).sum(axis=1)  # pair of outputs, sum
densities = np.exp(-distances / four_half)
by_pairs = []
for i, known in adversaries(4):
    for values in product((0, 1), repeat=len(known)):
        seen = []
        for v in (0, 1):
            fixed = dict(zip(known, values)) | {i: v}
            index = tuple(fixed.get(j, slice(None)) for j in range(4))
            chances = np.atleast_1d(joint[index]).ravel()
            sums = np.atleast_1d(counts[index]).ravel()
            seen.append(densities[:, sums] @ chances / chances.sum())
        by_pairs.append(abs(np.log(seen[0] / seen[1])).max())
merged = MarkovChain(P, 4).worst_adversary(scale=four_half / 2).leakage

with claim("Y-B55") as c:
    label = "30 steps, both releases, printed digits"
    c.decisive("one example").close(both.leakage, 1.027, label, rtol=0, atol=0.0005)
    label = "each release has level 1/2: its worst attacker, by a Markov random field"
    c.decisive("one example").close(of_one, 0.5, label, rtol=1e-5)
    label = "both: the worst attacker, by a Markov random field"
    c.decisive("one example").close(of_both, both.leakage, label, rtol=1e-9)
    label = "4 steps: all attackers, pairs of outputs, against one release at half the scale"
    c.close(max(by_pairs), merged, label)
