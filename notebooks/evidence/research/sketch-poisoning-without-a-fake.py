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
# # Evidence: Can a maker poison a sketch by choosing a product's name?
#
# All four claims are beyond the paper, and the ledger names their sources. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/sketch-poisoning-without-a-fake.ipynb).

# %%
from fractions import Fraction
from itertools import product

import numpy as np
import sympy as sp
from scipy.stats import norm

from privlib.notebook import claim, datasets
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning
from privlib.sketch.data import shop_counts
from privlib.sketch.defences import norm_sub
from privlib.sketch.hashing import ExplicitFamily

shop = shop_counts()
users = np.array(list(shop.values()))
n = int(users.sum())
squares = int((users**2).sum())
names = [f"product {i}" for i in range(60_000)]
rng = np.random.default_rng(4)


# %% [markdown]
# The note fills cells and reads them. Here the lift is computed from the *shares of rows* in which a name collides with each item, so that one pass gives it for many counts at once.

# %%
def shares_of_collisions(scheme, candidates):
    """Share of rows in which each candidate collides with each of the 43 items."""
    of_items = scheme.family.positions(list(shop))
    parts = []
    for start in range(0, len(candidates), 2000):
        of_names = scheme.family.positions(candidates[start : start + 2000])
        parts.append(np.array([(of_names == own).mean(axis=1) for own in of_items]).T)
    return np.concatenate(parts)


def lifts_by_shares(shares, counts):
    return 128 / 127 * (shares @ counts - counts.sum() / 128)


def shop_cells(scheme):
    """Users in each cell of each row."""
    cells = np.zeros((scheme.hashes, 128), dtype=int)
    for own, number in zip(scheme.family.positions(list(shop)), users):
        cells[np.arange(scheme.hashes), own] += number
    return cells


# %% [markdown]
# ## S-B39 (the lift of a name)
#
# *For given hash functions, an item that nobody holds has on CMS and on HCMS the mean estimate $F(\frac1k \sum_j C_{j,h_j(t)} - \frac nm)$. Over names with uniform and independent hash values this has mean 0 and variance $\frac{F^2}{k^2} \sum_j \operatorname{Var}_j$, on average over random families $\frac{1}{k(m-1)} \sum_d f(d)^2$.*
#
# The counts of three items are symbols. We go through all families of two hash functions with three values, and through all names.

# %%
f = sp.symbols("f:3", positive=True)
total = sum(f)
F = sp.Rational(3, 2)  # m = 3
means, gaps, variances = set(), set(), []
for of_items in product(product(range(3), repeat=3), repeat=2):  # one tuple for each row
    cells = []
    for row in of_items:
        cells.append([sum(f[d] for d in range(3) if row[d] == cell) for cell in range(3)])
    lifts = []
    for name in product(range(3), repeat=2):
        lifts.append(F * ((cells[0][name[0]] + cells[1][name[1]]) / 2 - total / 3))
    by_names = sum(sp.expand(lift**2) for lift in lifts) / 9
    by_rows = 0
    for row in cells:
        by_rows += sum(c**2 for c in row) / 3 - (total / 3) ** 2
    means.add(sp.expand(sum(lifts)))
    gaps.add(sp.expand(by_names - F**2 / 4 * by_rows))
    variances.append(by_names)
average = sp.expand(sum(variances) / len(variances))

# %% [markdown]
# The package computes means of estimates exactly, from its own code for collisions. We ask it for all 16 names in a small family, and for 40 names in the shop.

# %%
small_counts = {"tea": 9, "milk": 2, "jam": 1, "cake": 0}
by_package = {"CMS": [], "HCMS": []}
by_cells = []
for name in product(range(4), repeat=2):
    family = ExplicitFamily({"tea": [0, 3], "milk": [1, 3], "jam": [0, 2], "cake": name}, 4)
    for kind in (CountMeanSketch, HadamardCountMeanSketch):
        scheme = kind.with_family(1.0, family)
        by_package[scheme.name].append(scheme.moments(small_counts).mean[3])
    in_its_cells = [10, 2, 0, 0][name[0]] + [0, 0, 1, 11][name[1]]
    by_cells.append(Fraction(4, 3) * (Fraction(in_its_cells, 2) - 3))

in_shop = {"CMS": [], "HCMS": []}
for kind in (CountMeanSketch, HadamardCountMeanSketch):
    scheme = kind(1.0, hashes=1024, width=128, seed=1)
    for name in names[:40]:
        in_shop[scheme.name].append(scheme.moments({**shop, name: 0}).mean[-1])
cells = shop_cells(scheme)
own = scheme.family.positions(names[:40])
shop_lifts = 128 / 127 * (cells[np.arange(1024), own].mean(axis=1) - n / 128)

best_small = names[int(np.argmax(shop_lifts))]
simulated, errors = [], []
for kind in (CountMeanSketch, HadamardCountMeanSketch):
    scheme = kind(1.0, hashes=1024, width=128, seed=1)
    estimates = [scheme.simulate(shop, rng).estimate([best_small])[0] for _ in range(300)]
    simulated.append(np.mean(estimates))
    errors.append(np.std(estimates) / 300**0.5)
with claim("S-B39") as c:
    label = "three items, k = 2, m = 3, any counts: sum of the lifts of all names, in all 729 families"
    c.decisive("exhaustive").exact(means, {sp.Integer(0)}, label)
    label = "variance over all names less the formula, in all families"
    c.decisive("exhaustive").exact(gaps, {sp.Integer(0)}, label)
    label = "average of the variance over all families"
    c.decisive("exhaustive").exact(average, sum(x**2 for x in f) / 4, label)
    floats = np.array(by_cells, dtype=float)
    c.close(by_package["CMS"], floats, "CMS, 16 names: package", atol=1e-12)
    c.close(by_package["HCMS"], floats, "HCMS, 16 names: package", atol=1e-12)
    c.close(in_shop["CMS"], shop_lifts, "CMS, shop, 40 names: package", atol=1e-8)
    c.close(in_shop["HCMS"], shop_lifts, "HCMS, shop, 40 names: package", atol=1e-8)
    label = "CMS and HCMS, 300 simulated days: mean estimate of one of the names"
    c.sampled(simulated, shop_lifts.max(), label, stderr=errors)


# %% [markdown]
# ## S-B40 (the best of many names)
#
# *For any $N$ names with uniform hash values, dependent or not, the best lift is on average at most $\min_s (\ln N + K(s))/s$. In the shop, with $m = 128$ and for the hash functions of seed 1, the best of 60,000 independent names gains 526, 240 and 114 users on average at $k = 64$, 256 and 1,024, as many as 206, 94 and 45 fake users of the maximal gain attack on CMS at $\varepsilon = 1$, and 242, 110 and 53 on HCMS. A normal distribution gives 438 users at $k = 64$.*
#
# The first route is the saddle-point formula. The second one, at $k = 64$, is the exact distribution: the sum of the users in 64 cells is an integer, and its distribution is the convolution of 64 distributions, here a product of Fourier transforms.

# %%
def cumulants(cells, s):
    k, m = cells.shape
    x = m / (m - 1) * (cells - cells.mean(axis=1, keepdims=True)) / k
    weights = np.exp(s * x) / m
    total = weights.sum(axis=1)
    mean = (weights * x).sum(axis=1) / total
    square = (weights * x**2).sum(axis=1) / total
    return np.log(total).sum(), mean.sum(), (square - mean**2).sum()


def saddle_points(cells):
    sd = cumulants(cells, 0.0)[2] ** 0.5
    s = np.linspace(0.03, 8, 250) / sd
    K, x, curvature = np.array([cumulants(cells, value) for value in s]).T
    w = np.sqrt(2 * (s * x - K))
    u = s * np.sqrt(curvature)
    return s, K, x, norm.sf(w) + norm.pdf(w) * (1 / u - 1 / w)


def moments_of_best(x, tail, N):
    """Mean and standard deviation of the best of N, from tail probabilities at increasing x > 0."""
    exceeds = -np.expm1(N * np.log1p(-tail))
    mean = x[0] + np.trapezoid(exceeds, x)
    square = x[0] ** 2 + np.trapezoid(2 * x * exceeds, x)
    return mean, (square - mean**2) ** 0.5


def exact_tail(cells):
    """Lifts x > 0 and the exact probabilities to exceed them."""
    k, m = cells.shape
    length = int(cells.max(axis=1).sum()) + 1
    size = 1 << length.bit_length()
    spectrum = np.ones(size // 2 + 1, dtype=complex)
    for row in cells:
        spectrum *= np.fft.rfft(np.bincount(row, minlength=size) / m)
    chances = np.fft.irfft(spectrum, size)[:length]
    exceeds = np.clip(chances[::-1].cumsum()[::-1] - chances, 0, 1)
    x = m / (m - 1) * (np.arange(length) / k - cells[0].sum() / m)
    return x[x > 0], exceeds[x > 0]


predicted, bounds, spread = {}, {}, {}
for k in (64, 256, 1024):
    cells = shop_cells(CountMeanSketch(1.0, hashes=k, width=128, seed=1))
    s, K, x, tail = saddle_points(cells)
    predicted[k], spread[k] = moments_of_best(x, tail, 60_000)
    bounds[k] = np.min((np.log(60_000) + K) / s)
    if k == 64:
        sd_64 = cumulants(cells, 0.0)[2] ** 0.5
        exact_x, exact_chances = exact_tail(cells)
        exact_best = [moments_of_best(exact_x, exact_chances, N)[0] for N in (100, 6000, 60_000)]
        saddle_best = [moments_of_best(x, tail, N)[0] for N in (100, 6000, 60_000)]
        bounds_64 = [np.min((np.log(N) + K) / s) for N in (100, 6000, 60_000)]
z = np.linspace(-6, 12, 20_001)
best_normal = np.trapezoid(z * 60_000 * norm.pdf(z) * np.exp(59_999 * norm.logcdf(z)), z)

# %% [markdown]
# Measured: the best of the 60,000 names in eight families (four at $k = 1024$), with the standard error that the predicted distribution of the best gives.

# %%
families = {64: 8, 256: 8, 1024: 4}
measured, stderr, lifts_256 = [], [], []
for k, number in families.items():
    best = []
    for seed in range(11, 11 + number):
        scheme = CountMeanSketch(1.0, hashes=k, width=128, seed=seed)
        cells = shop_cells(scheme)
        lifts = []
        for start in range(0, 60_000, 2000):
            own = scheme.family.positions(names[start : start + 2000])
            lifts.append(cells[np.arange(k), own].mean(axis=1))
        best.append(128 / 127 * (np.max(lifts) - n / 128))
    measured.append(np.mean(best))
    stderr.append(spread[k] / number**0.5)

# %% [markdown]
# The bound allows dependent names. The extreme case: the 64 names of the note's example, all different, in random order. Each is uniform by itself, and the best of them always has the largest possible lift.

# %%
example = np.array([[10, 2, 0, 0], [0, 0, 1, 11], [9, 3, 0, 0]])
largest = Fraction(4, 3) * (Fraction(10 + 11 + 9, 3) - 3)
bound_of_all = min((np.log(64) + cumulants(example, s)[0]) / s for s in np.linspace(0.1, 20, 400))

fakes = []
for kind in (CountMeanSketch, HadamardCountMeanSketch):
    scheme = kind(1.0, hashes=1024, width=128, seed=1)
    per_fake = poisoning.frequency_gain(scheme, "mga", n_fake=1, targets=1)
    fakes.append([predicted[k] / per_fake for k in (64, 256, 1024)])
with claim("S-B40") as c:
    label = "k = 64, exact distribution by convolution: best of 100, 6,000 and 60,000"
    c.decisive("one example").close(saddle_best, exact_best, label, rtol=0.003)
    label = "k = 64, 256, 1,024: predicted best of 60,000, to a user"
    printed = [526, 240, 114]
    c.decisive("one example").close(list(predicted.values()), printed, label, atol=0.5, rtol=0)
    c.sampled(measured, list(predicted.values()), "measured, in other families", stderr=stderr)
    label = "in fake users of the maximal gain attack, CMS and HCMS"
    c.close(fakes, [[206, 94, 45], [242, 110, 53]], label, atol=0.5, rtol=0)
    c.close(sd_64 * best_normal, 438, "k = 64, normal distribution", atol=0.5, rtol=0)
    c.at_most(exact_best, bounds_64, "k = 64: exact expectation, and the bound")
    c.at_most(float(largest), bound_of_all, "64 dependent names, and the bound", slack=1e-9)
    label = "the bound is attained by these names"
    c.close(bound_of_all, float(largest), label, rtol=1e-3)

# %% [markdown]
# ## S-B41 (what the maker must know)
#
# *Over random three-wise independent families, the lifts of a name under the counts $f$ and $g$ have the correlation $\cos(f, g)$. In the shop this is 0.995 for the counts of April, 0.92 for equal weights on the 20 most popular items and 0.83 for equal weights on all items; the best of 6,000 names by these counts keeps about 99%, 91% and 81% of the gain at $k = 256$.*
#
# The counts are symbols again. We go through all values of one hash function with three values at three items and a name; with $k$ independent rows, all covariances are divided by $k$.

# %%
g = sp.symbols("g:3", positive=True)
covariance = variance_f = variance_g = 0
for values in product(range(3), repeat=4):
    meets = [sp.Integer(int(values[d] == values[3])) - sp.Rational(1, 3) for d in range(3)]
    lift_f = F * sum(x * y for x, y in zip(f, meets))
    lift_g = F * sum(x * y for x, y in zip(g, meets))
    covariance += sp.expand(lift_f * lift_g) / 81
    variance_f += sp.expand(lift_f**2) / 81
    variance_g += sp.expand(lift_g**2) / 81
dot = sum(x * y for x, y in zip(f, g))
lengths = sum(x**2 for x in f) * sum(y**2 for y in g)

rows = [line.split(";") for line in datasets.load("eshop").decode().splitlines()[1:]]
april = np.zeros(43)
for row in rows:
    if row[1] == "4" and row[6] == "1":
        april[list(shop).index(row[7])] += 1
guesses = [april, (users >= np.sort(users)[-20]).astype(float), np.ones(43)]
cosines = [users @ guess / np.sqrt((users @ users) * (guess @ guess)) for guess in guesses]

by_truth, by_guess, pairs = [], [[], [], []], [[], [], []]
for seed in range(21, 29):
    scheme = CountMeanSketch(1.0, hashes=256, width=128, seed=seed)
    shares = shares_of_collisions(scheme, names)
    true_lifts = lifts_by_shares(shares, users).reshape(10, 6000)
    by_truth.append(true_lifts.max(axis=1))
    for i, guess in enumerate(guesses):
        believed = lifts_by_shares(shares, guess).reshape(10, 6000)
        by_guess[i].append(true_lifts[np.arange(10), believed.argmax(axis=1)])
        pairs[i].append(np.corrcoef(true_lifts.ravel(), believed.ravel())[0, 1])
kept = [np.mean(gains) / np.mean(by_truth) for gains in by_guess]
kept_errors = [np.std(gains) / np.mean(by_truth) / 80**0.5 for gains in by_guess]
with claim("S-B41") as c:
    label = "three items, m = 3, any counts: covariance squared times lengths, and the cosine's"
    left = sp.expand(covariance**2 * lengths)
    right = sp.expand(dot**2 * variance_f * variance_g)
    c.decisive("exhaustive").exact(left, right, label)
    label = "cosines in the shop: April, top 20, all"
    c.decisive("one example").close(cosines, [0.995, 0.92, 0.83], label, atol=0.005, rtol=0)
    label = "correlation over 480,000 pairs of a family and a name"
    c.close([np.mean(pair) for pair in pairs], cosines, label, atol=0.01, rtol=0)
    label = "share of the gain that the best of 6,000 names keeps, 80 searches"
    c.decisive("simulated").sampled(kept, [0.99, 0.91, 0.81], label, stderr=kept_errors)

# %% [markdown]
# ## S-B42 (what stops it)
#
# *If the family is drawn after the name is fixed, the lift has mean 0 and variance $\frac{1}{k(m-1)} \sum_d f(d)^2$. Estimates of two epochs with independent families add with the same noise variance as one sketch of all reports, and half of the collision variance if the epochs are alike. A server that solves for the counts of all items has no lift. Norm-sub leaves $L(1 - \frac1s)$ of a lift $L$ while the same $s$ estimates, the name's among them, stay positive; in the shop at $k = 64$ it leaves about two thirds of the best lift on average. A server that refuses names above three standard deviations by its own private estimates leaves about 83% of the best of 6,000 at $k = 256$.*

# %%
old = CountMeanSketch(1.0, hashes=64, width=128, seed=1)
of_old = lifts_by_shares(shares_of_collisions(old, names), users)
best_name, best_lift = names[of_old.argmax()], of_old.max()
fresh = []
for seed in range(5000, 6000):
    family = CountMeanSketch(1.0, hashes=64, width=128, seed=seed)
    fresh.append(lifts_by_shares(shares_of_collisions(family, [best_name]), users)[0])
fresh = np.array(fresh)
variance = squares / (64 * 127)
kurtosis = np.mean((fresh / fresh.std()) ** 4)

# two epochs with half of the users each, and one sketch of all
half = {item: number // 2 for item, number in shop.items()}
whole = {item: 2 * number for item, number in half.items()}
noise, collisions = [], []
for counts, times in ((whole, 1), (half, 2)):
    of_new = old.variance({**counts, "new": 0}, "new")
    reports = sum(counts.values())
    of_flips = old.factor**2 * reports * (old.debias_factor**2 - 1) / 4
    within = (1 - 1 / 64) * reports / 127  # collisions that differ from report to report
    noise.append(times * (of_flips + within))
    collisions.append(times * (of_new - of_flips - within))
new_family = CountMeanSketch(1.0, hashes=64, width=128, seed=2)
try:
    old.simulate(shop, rng) + new_family.simulate(shop, rng)
    refused = False
except ValueError:
    refused = True

# %% [markdown]
# To solve, the server equates the mean of the cells of each item with $\sum_{d'} A_{dd'} f(d')$. We apply this to the exact means. Norm-sub is checked on exact numbers by hand, and in 400 simulated days.

# %%
everything = {**shop, best_name: 0}
means = old.moments(everything).mean
cells_mean = means / old.factor + n / 128
positions = old.family.positions(list(everything))
A = np.array([(positions == row).mean(axis=1) for row in positions])
solved = np.linalg.solve(A, cells_mean)

before = norm_sub([60.0, 40.0, 20.0, 10.0, -30.0], 100)
after = norm_sub([60.0, 40.0, 20.0, 10.0 + 12.0, -30.0], 100)
chosen, random = [], []
for day in range(400):
    for name, published in ((best_name, chosen), (names[day], random)):
        sketch = old.simulate(shop, rng)
        published.append(norm_sub(sketch.estimate([*shop, name]), n)[-1])
left_by_norm_sub = (np.mean(chosen) - np.mean(random)) / best_lift

refusing, free = [], []
for seed in range(21, 29):
    scheme = CountMeanSketch(1.0, hashes=256, width=128, seed=seed)
    shares = shares_of_collisions(scheme, names[:30_000])
    true_lifts = lifts_by_shares(shares, users)
    estimates = norm_sub(scheme.simulate(shop, rng).estimate(list(shop)), n)
    believed = lifts_by_shares(shares, estimates)
    passed = np.where(believed > 3 * believed.std(), 0, true_lifts)
    refusing.append(passed.reshape(5, 6000).max(axis=1))
    free.append(true_lifts.reshape(5, 6000).max(axis=1))
share_left = np.mean(refusing) / np.mean(free)
with claim("S-B42") as c:
    label = "k = 64, 1,000 fresh families: mean lift of the best name of an old one"
    c.decisive("simulated").sampled(fresh.mean(), 0.0, label, stderr=(variance / 1000) ** 0.5)
    label = "their variance"
    error = variance * ((kurtosis - 1) / 1000) ** 0.5
    c.decisive("simulated").sampled(fresh.var(), variance, label, stderr=error)
    c.holds(bool(best_lift > 4 * variance**0.5), "for the old family it was above four sd")
    label = "noise: two epochs, and one sketch"
    c.decisive("one example").close(noise[1], noise[0], label)
    c.close(collisions[1], collisions[0] / 2, "collisions: two epochs", rtol=1e-6)
    c.holds(refused, "the package refuses to add sketches of two families")
    c.decisive("one example").close(solved[-1], 0.0, "solved: the mean for the name", atol=1e-6)
    label = "norm-sub: four estimates stay positive, a lift of 12 leaves 9"
    c.decisive("one example").close(after[3] - before[3], 12 * (1 - 1 / 4), label)
    label = "norm-sub, 400 days: share of the best lift that is left"
    c.decisive("simulated").close(left_by_norm_sub, 0.67, label, atol=0.12, rtol=0)
    label = "refusing names: share of the best of 6,000 that is left, 40 searches"
    c.decisive("simulated").close(share_left, 0.83, label, atol=0.03, rtol=0)
