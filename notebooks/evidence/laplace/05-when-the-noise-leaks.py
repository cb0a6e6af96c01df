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
# # Evidence: When does the noise give the answer away?
#
# The note does not discuss how noise is drawn. The three claims here are beyond it; the ledger names their sources. Nothing is hidden. The story is told in
# [the notebook of the same name](../../laplace/05-when-the-noise-leaks.ipynb).

# %%
from fractions import Fraction

import numpy as np
import sympy as sp

from privlib.laplace import discrete
from privlib.notebook import claim, derivation

# %% [markdown]
# ## N-B7 (the attack)
#
# *At scale 10, more than three of four numbers that the naive sampler publishes can come from only one of the counts 0 and 1.* The noise has the sizes $R \ln(2^{52}/j)$, which decrease as $j$ increases. Two routes decide whether a count can produce a number. The listing runs the sampler forward for 401 values of
# $j$, and makes sure that no $j$ beyond them can lead to the number. The package's attack tries seven.

# %%
scale, releases = 10.0, 3000
u = np.random.default_rng(1).random(releases) - 0.5
noise = -scale * np.sign(u) * np.log(1 - 2 * np.abs(u))


def by_listing(count, published):
    """Whether the sampler gets from the count to each number, by trying 401 values of j."""
    distance = published - count
    middle = np.rint(2**52 * np.exp(-np.abs(distance) / scale))
    j = middle[:, None] + np.arange(-200, 201)
    exists = (j >= 1) & (j <= 2**52)
    tried = count - scale * np.sign(distance)[:, None] * np.log(np.clip(j, 1, 2**52) / 2**52)
    for end, beyond in ((0, j[:, 0] > 1), (-1, j[:, -1] < 2**52)):
        farther = np.abs(tried[:, end] - published) > np.spacing(np.abs(published))
        assert np.all(farther[beyond])  # values of j beyond this end lead even farther away
    return (exists & (tried == published[:, None])).any(axis=1)


def by_spacing(count, published):
    """Predicted share of the doubles near each number that the count can produce."""
    gap = 2.0**-52 * scale * np.exp(np.abs(published - count) / scale)
    return np.minimum(1, np.spacing(np.abs(published)) / gap)


# %%
window = 5 + np.spacing(5.0) * np.arange(64)
with claim("N-B7") as c:
    for truth, other in ((0, 1), (1, 0)):
        published = truth + noise
        listed = by_listing(other, published)
        attacked = discrete.mironov_attack(published, float(other), scale=scale)
        label = f"count {truth}, 3,000 numbers: listing and attack agree on each"
        c.exact(listed, attacked, label)
        share = 1 - listed.mean()
        low = share - 4 * np.sqrt(share * (1 - share) / releases)
        label = f"count {truth}: share that excludes {other}, less four standard errors"
        c.decisive("simulated").at_most(0.75, low, label)
        label = f"count {truth}: share predicted from the gaps"
        c.close(share, 1 - by_spacing(other, published).mean(), label, rtol=0, atol=0.05)
        c.exact(by_listing(truth, published).all(), True, f"count {truth} is never excluded")
    listed = np.array([by_listing(count, window) for count in (0.0, 1.0)])
    attacked = discrete.mironov_attack(window, [0.0, 1.0], scale=scale).T
    c.exact(listed, attacked, "64 neighbouring doubles from 5 on: listing and attack agree")


# %% [markdown]
# ## N-B7.rounding (the small program)
#
# *A naive sampler with 10 bits, rounded to integers, still has results that prove the count, and elsewhere a privacy loss above $\varepsilon$.* The scale is 2, so $\varepsilon = \frac12$. One route lists all 1,023 values of $U = u/1024$. The other counts, for each integer result, the $u$ between the two ends of its rounding
# interval, by the inverse of the distribution function.

# %%
def listed_distribution(count):
    """Probability of each integer result, by listing all values of U."""
    times = {}
    for numerator in range(-511, 512):
        size = -2 * np.log(1 - 2 * abs(numerator) / 1024)
        result = int(np.rint(count + np.sign(numerator) * size))
        times[result] = times.get(result, 0) + 1
    return {k: Fraction(n, 1023) for k, n in times.items()}


def scaled_inverse(noise):
    """The real number u that the formula turns into this noise."""
    return 512 * np.sign(noise) * (1 - np.exp(-abs(noise) / 2))


def by_inverse(k, count):
    """Probability of the integer result k, by the inverse distribution function."""
    low = max(int(np.ceil(scaled_inverse(k - 0.5 - count))), -511)
    high = min(int(np.floor(scaled_inverse(k + 0.5 - count))), 511)
    return Fraction(max(high - low + 1, 0), 1023)


# %%
distributions = [listed_distribution(0), listed_distribution(1)]
zero, one = distributions
only_zero = sorted(set(zero) - set(one))
only_one = sorted(set(one) - set(zero))
worst = Fraction(1)
for k in set(zero) & set(one):
    worst = max(worst, zero[k] / one[k], one[k] / zero[k])
largest_noise = 2 * np.log(512)
with claim("N-B7.rounding") as c:
    for count, distribution in enumerate(distributions):
        inverse = {k: by_inverse(k, count) for k in range(-20, 21)}
        possible = {k: p for k, p in inverse.items() if p > 0}
        label = f"count {count}, 1,023 values of U: listing and inverse distribution function"
        c.decisive("exhaustive").exact(distribution, possible, label)
    ends = [int(np.rint(-largest_noise))], [int(np.rint(1 + largest_noise))]
    label = "results that prove count 0, and count 1: listing, and the largest noise 2 ln 512"
    c.decisive("exhaustive").exact((only_zero, only_one), ends, label)
    label = "results of both counts: the largest ratio exceeds e^ε by 0.1 or more"
    c.decisive("exhaustive").at_most(np.exp(0.5) + 0.1, float(worst), label)

# %% [markdown]
# ## N-B7.integers (noise on the integers)
#
# *With discrete Laplace noise every integer comes from every count, and for the counts 0 and 1 its two probabilities have the ratio $e^{\varepsilon}$ or $e^{-\varepsilon}$.* The ratio is $p(k)/p(k - 1)$ with $p(k) = \frac{1 - \alpha}{1 + \alpha} \alpha^{|k|}$ and $\alpha = e^{-\varepsilon}$. For $k \ge 1$ it is

# %%
eps = sp.Symbol("epsilon", positive=True)
letters = {eps: r"\varepsilon"}


def ratio(k):
    """p(k) / p(k - 1), with the absolute values not yet resolved."""
    here = sp.Abs(k, evaluate=False)
    there = sp.Abs(k - 1, evaluate=False)
    return sp.exp(-eps * sp.Add(here, -there, evaluate=False))


positive = sp.Symbol("k", integer=True, positive=True)
above = derivation(ratio(positive), of=r"\frac{p(k)}{p(k-1)}", names=letters).equal(
    sp.exp(-eps), "k and k − 1 are not negative"
)
above

# %% [markdown]
# and for $k \le 0$ it is

# %%
not_positive = sp.Symbol("k", integer=True, nonpositive=True)
below = derivation(ratio(not_positive), of=r"\frac{p(k)}{p(k-1)}", names=letters).equal(
    sp.exp(eps), "neither k nor k − 1 is positive"
)
below

# %% [markdown]
# That these are probabilities is checked with $\alpha = 1/(1 + t)$, $t > 0$. The last check compares the package's probabilities, which it computes with a hyperbolic tangent.

# %%
t = sp.Symbol("t", positive=True)
k = sp.Symbol("k", integer=True)
alpha = 1 / (1 + t)
weight = (1 - alpha) / (1 + alpha)
probability = sp.simplify(weight) * alpha ** sp.Abs(k)
total = weight * (1 + 2 * sp.summation(alpha**k, (k, 1, sp.oo)))

integers = np.arange(-60, 61)
package = np.log(discrete.pmf(integers, 2.0) / discrete.pmf(integers - 1, 2.0))
with claim("N-B7.integers") as c:
    c.decisive("proved").derived(above, ratio(positive), sp.exp(-eps), "ratio for k ≥ 1")
    c.decisive("proved").derived(below, ratio(not_positive), sp.exp(eps), "ratio for k ≤ 0")
    label = "every integer has a positive probability"
    c.decisive("proved").holds(probability.is_positive, label, method="symbolic")
    c.exact(sp.simplify(total), sp.Integer(1), "the probabilities sum to one")
    sign = np.where(integers > 0, -0.5, 0.5)
    c.close(package, sign, "the package's probabilities at ε = 1/2, from −60 to 60")
