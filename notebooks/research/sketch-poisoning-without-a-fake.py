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
# # Can a maker poison a sketch by choosing a product's name?
#
# **Question.** The hash functions of a count sketch are public. A maker who launches a product can try many names and register the one that collides most with popular items. How much does this raise the estimate of a product that no user has looked at?
#
# **What is known.** In the attacks that the paper {cite:p}`shimizu` takes from {cite:t}`cao2021poisoning`, fake users send reports; the strongest gains 38.30 users on CMS with 1% fake users (Table 7). Against sketches without noise, attackers insert chosen items {cite:p}`markelon2023compact`. We found no attack that only chooses a name.
#
# **Answer.** In the shop, at $\varepsilon = 1$, the best of 60,000 names gains 526<!-- {predicted[64]:.0f} --> users with 64 hash functions, which is 1.2<!-- {predicted[64] / noise_sd["CMS"]:.1f} --> standard deviations of the noise of CMS, and 114<!-- {predicted[1024]:.0f} --> users (0.26<!-- {predicted[1024] / noise_sd["CMS"]:.2f} --> standard deviations) with 1,024. This matters because all reports are honest: neither tests of reports nor proofs of honest noise detect the attack. Hash functions that are drawn after the names are fixed reduce the gain to 0 on average.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to compute what a name gains, how much the best of many names gains, which knowledge the attack needs, and what stops it.
# **You need** the estimators of CMS and HCMS ([notebook 1](../sketch/01-count-mean-sketch.ipynb), [notebook 2](../sketch/02-hadamard.ipynb)) and the gain of fake users ([notebook 3](../sketch/03-poisoning.ipynb)).
# **Time:** 22 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** is a maker who chooses the name of one product among $N$ candidates. The maker knows the hash functions and has some idea of which items are popular, controls no user and sends no report. **Honest:** all users and the server. **Protected:** nothing yet. **Not considered:** a maker who also sends fake reports, and the privacy of users, which this attack does not touch.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from privlib.notebook import check, datasets, plots, table
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning
from privlib.sketch.data import shop_counts
from privlib.sketch.defences import norm_sub

plots.use()
rows = [line.split(";") for line in datasets.load("eshop").decode().splitlines()[1:]]
months = {}  # users of each of the 43 items (category 1), from April (4) to August (8)
for month in range(4, 9):
    models = [row[7] for row in rows if row[1] == str(month) and row[6] == "1"]
    months[month] = np.array([models.count(item) for item in shop_counts()])
assert sum(months.values()).tolist() == list(shop_counts().values())


# %% [markdown]
# ## Three items and a new name
#
# Twelve users hold three items. A sketch has three rows of four cells, and a hash function for each row assigns every item to a cell. We leave out the noise and count the users in each cell. For example, tea is in cell 0 of the first row, in cell 3 of the second and in cell 1 of the third.

# %%
def fill_cells(positions, users, m):
    """Number of users in each cell, from the cells of each item in all rows."""
    rows = np.arange(len(positions[0]))
    cells = np.zeros((len(rows), m), dtype=int)
    for item_cells, number in zip(positions, users):
        cells[rows, item_cells] += number
    return cells


users = [9, 2, 1]  # tea, milk, jam
cells = fill_cells([[0, 3, 1], [1, 3, 0], [0, 2, 0]], users, m=4)
print(cells)


# %% [markdown]
# Nobody holds *cake*. The server still estimates its number of users. It averages the numbers in the three cells of *cake*, subtracts the mean number in a cell ($\frac{12}4 = 3$), and multiplies by $F = \frac m{m-1} = \frac43$, where $m$ is the number of cells in a row. The result depends only on the cells to which the name is hashed. We call the mean estimate of a name without users the *lift* of the name.

# %%
def lift(cells, names):
    """Mean estimate of unused names, each given by its cells in all rows."""
    k, m = cells.shape
    n = cells[0].sum()
    in_its_cells = cells[np.arange(k), names].mean(axis=1)
    return m / (m - 1) * (in_its_cells - n / m)


all_names = np.array(list(product(range(4), repeat=3)))  # every choice of three cells
lifts = lift(cells, all_names)
print(f"lifts from {lifts.min():.1f} to {lifts.max():.1f}, mean {lifts.mean():.1f}")


# %% [markdown]
# The average over all 64 names is 0, so the server is right on average. But a maker does not take an average name. The best name shares the cell of tea in every row, and gains 9.3<!-- {lifts.max():.1f} --> users.
#
# ```{prf:theorem} The lift of a name
# :label: thm-sk-name-lift
# Let $n$ users hold items, $f(d)$ of them the item $d$. Let the hash functions be given, let $C_{j\ell}$ be the number of users whose items lie in cell $\ell$ of row $j$, and let $t$ be an item that no user holds. On CMS and on HCMS the estimate of $t$ has the mean
#
# $$ L(t) = F \Bigl( \frac1k \sum_{j=1}^k C_{j, h_j(t)} - \frac nm \Bigr). $$
#
# If the hash values of $t$ are uniform and independent in the $k$ rows, then $L$ has mean 0 and variance $\frac{F^2}{k^2} \sum_j \operatorname{Var}_j$, where $\operatorname{Var}_j$ is the variance of the $m$ numbers in row $j$. Over random, pairwise independent hash functions, this variance is $\frac{1}{k(m-1)} \sum_d f(d)^2$ on average.
# ```
#
# ```{prf:proof}
# For given hash functions both estimators have the mean $F(\sum_d f(d) A_d - \frac nm)$, where $A_d$ is the share of rows in which $d$ collides with $t$ ([notebook 1](../sketch/01-count-mean-sketch.ipynb)). The sum is the number of users in the cell of $t$, averaged over the rows. In row $j$, a uniform hash value picks one of $m$ numbers with mean $\frac nm$ and variance $\operatorname{Var}_j$; the rows are independent. For the last part, $m \operatorname{Var}_j = \sum_\ell C_{j\ell}^2 - \frac{n^2}m$. Two users with different items share a cell with probability $\frac1m$, so $\sum_\ell C_{j\ell}^2$ is on average $\sum_d f(d)^2 + \frac1m (n^2 - \sum_d f(d)^2)$. Hence $\operatorname{Var}_j = \frac{m-1}{m^2} \sum_d f(d)^2$ on average. Insert this and $F = \frac m{m-1}$.
# ```

# %%
def lift_sd(cells):
    """Standard deviation of the lift of a random name."""
    k, m = cells.shape
    return m / (m - 1) * np.sqrt(cells.var(axis=1).sum()) / k


assert np.isclose(lifts.std(), lift_sd(cells))

# %% [markdown]
# This variance is also the collision term in the variance of an estimate ([notebook 1](../sketch/01-count-mean-sketch.ipynb)). There the collisions arise by chance; here the maker chooses them. The lift does not depend on $\varepsilon$. If all counts double, the lift doubles, while the standard deviation of the noise grows only by the factor $\sqrt2$.
#
# ```{evidence} S-B39
# ```
#
# ## A maker tries names in the shop
#
# The shop has 49,742<!-- {n:,} --> users and 43 items ([notebook 3](../sketch/03-poisoning.ipynb)), and the sketch has $m = 128$ cells in each of $k$ rows. The hash functions are public, so the maker can hash its candidates as the server will.

# %%
shop = shop_counts()
n = sum(shop.values())
names = [f"name {i}" for i in range(60_000)]


def name_lift(scheme, counts, names):
    """Lift of each name, for a scheme and the numbers of users of the items."""
    positions = scheme.family.positions
    cells = fill_cells(positions(list(counts)), counts.values(), scheme.width)
    lifts_of_parts = []
    for start in range(0, len(names), 2000):  # in parts, to save memory
        part = names[start : start + 2000]
        lifts_of_parts.append(lift(cells, positions(part)))
    return np.concatenate(lifts_of_parts)


scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=1)
shop_lifts = name_lift(scheme, shop, names)
squares = sum(number**2 for number in shop.values())
print(f"mean {shop_lifts.mean():.2f}, sd {shop_lifts.std():.2f}, best {shop_lifts.max():.0f} users")


# %% [markdown]
# Over random hash functions, the theorem gives a standard deviation of 25.48<!-- {np.sqrt(squares / (1024 * 127)):.2f} -->. An average name gains nothing, and the best name gains more than four standard deviations. How much should a maker expect?
#
# ## The best of many names
#
# If lifts were normally distributed, the best of 60,000 would lie 4.27<!-- {normal_best(60_000):.2f} --> standard deviations above 0. But 43 items leave most of the 128 cells in a row empty, while a cell with a popular item contains thousands of users. So the lift is skewed to the right, the more so the fewer rows there are. The cumulant generating function $K$ of the lift of a random name describes this skewness exactly. Because the rows are independent, $K$ is a sum over the rows:
#
# $$ K(s) = \ln \operatorname{E} e^{sL} = \sum_{j=1}^k \ln \Bigl( \frac1m \sum_{\ell=1}^m e^{s X_{j\ell}} \Bigr),
# \qquad X_{j\ell} = \frac Fk \Bigl( C_{j\ell} - \frac nm \Bigr). $$

# %%
def cumulants(cells, s):
    """K(s) and its first two derivatives."""
    k, m = cells.shape
    x = m / (m - 1) * (cells - cells.mean(axis=1, keepdims=True)) / k
    weights = np.exp(s * x) / m
    total = weights.sum(axis=1)
    mean = (weights * x).sum(axis=1) / total
    square = (weights * x**2).sum(axis=1) / total
    return np.log(total).sum(), mean.sum(), (square - mean**2).sum()


# %% [markdown]
# ```{prf:proposition} A bound for every number of names
# :label: thm-sk-name-best
# Let each of $N$ names have uniform hash values that are independent over the rows. The names may depend on each other. Then the best lift is at most $\min_{s > 0} \frac{\ln N + K(s)}{s}$ on average. For normal lifts with standard deviation $\sigma$ this is $\sigma \sqrt{2 \ln N}$.
# ```
#
# ```{prf:proof}
# By Jensen's inequality, $e^{s \operatorname{E} \max L} \le \operatorname{E} e^{s \max L} \le \sum_{\text{names}} \operatorname{E} e^{sL} = N e^{K(s)}$. Take logarithms and divide by $s$. For normal lifts $K(s) = \frac12 \sigma^2 s^2$, and the minimum is at $s = \sqrt{2 \ln N}/\sigma$.
# ```
#
# To predict the best lift itself, we need the probability that the lift of one name exceeds $x$. The *saddle-point formula* of Lugannani and Rice approximates it from $K$. For each $x > 0$, let $s$ be the number with $K'(s) = x$, and let $w = \sqrt{2(sx - K(s))}$ and $u = s \sqrt{K''(s)}$. Then
#
# $$ \Pr(L > x) \approx 1 - \Phi(w) + \varphi(w) \Bigl( \frac1u - \frac1w \Bigr). $$
#
# If the $N$ names are independent, the best lift exceeds $x$ with probability $1 - (1 - \Pr(L > x))^N$. The integral of this probability over $x > 0$ is the expected best lift, because the best of ten or more names is almost never negative. The code computes everything on a grid of values of $s$:

# %%
def saddle_points(cells):
    """Values of s, with K(s), the lift x = K'(s) and the probability to exceed x."""
    s = np.linspace(0.03, 8, 250) / lift_sd(cells)
    K, x, curvature = np.array([cumulants(cells, value) for value in s]).T
    w = np.sqrt(2 * (s * x - K))
    u = s * np.sqrt(curvature)
    tail = norm.sf(w) + norm.pdf(w) * (1 / u - 1 / w)
    return s, K, x, tail


def best_of(points, N):
    """Predicted mean of the best of N lifts, and the bound."""
    s, K, x, tail = points
    some_name_exceeds = -np.expm1(N * np.log1p(-tail))
    mean = x[0] + np.trapezoid(some_name_exceeds, x)
    return mean, np.min((np.log(N) + K) / s)


# %% [markdown]
# We measure the best lift for four families of hash functions, and predict it from the cells of the first family. For smaller $N$, we split the 60,000 names into groups.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Expected gain of the best of N names for a product that nobody holds, in users (left axis) and in fake users of the strongest attack on CMS at \u03b5 = 1 (right axis). Points: measured, mean over four hash families. Solid: predicted. Dashed: a normal distribution of the same variance, which is too low for few hash functions. With k = 64, the best of 60,000 names gains more than one standard deviation of the noise (dotted line).", "name": "fig-sk-name-best"}, "image": {"alt": "Three rising solid curves of users gained against the number of names, from 10 to a billion on a logarithmic axis, for 64, 256 and 1,024 hash functions. Dots lie on them up to 60,000 names. The curve for 64 reaches 803<!-- {far_best[64]:.0f} --> and crosses a dotted line at 445<!-- {noise_sd['CMS']:.0f} -->; its dashed normal curve lies well below. A second axis counts fake users."}} tags=["figure"]
def normal_best(N):
    """Mean of the best of N standard normal numbers."""
    z = np.linspace(-6, 12, 20_001)
    return np.trapezoid(z * N * norm.pdf(z) * np.exp((N - 1) * norm.logcdf(z)), z)


per_fake, noise_sd = {}, {}
for scheme_class in (CountMeanSketch, HadamardCountMeanSketch):
    at_1 = scheme_class(1.0, hashes=1024, width=128, seed=1)
    per_fake[at_1.name] = poisoning.frequency_gain(at_1, "mga", n_fake=1, targets=1)
    noise_sd[at_1.name] = float(at_1.moments({**shop, "new": 0}).sd[-1])
sizes = [10, 30, 100, 300, 1000, 3000, 10_000, 60_000]
far = np.geomspace(10, 1e9, 33)
predicted, bound, normal, measured, lifts_of, points_of, far_best = {}, {}, {}, {}, {}, {}, {}
beyond_three_sd = {}
fig, ax = plots.panels(height=3.9, width=7.2)
for k, colour_name in ((64, "blue"), (256, "green"), (1024, "orange")):
    colour = plots.COLOURS[colour_name]
    lifts_of[k] = []
    for seed in (1, 2, 3, 4):
        of_seed = CountMeanSketch(1.0, hashes=k, width=128, seed=seed)
        lifts_of[k].append(name_lift(of_seed, shop, names))
    lifts_of[k] = np.array(lifts_of[k])
    means = []
    for N in sizes:
        groups = lifts_of[k][:, : 60_000 // N * N].reshape(4, -1, N)
        means.append(groups.max(axis=2).mean())
    measured[k] = means[-1]
    first = CountMeanSketch(1.0, hashes=k, width=128, seed=1)
    shop_cells = fill_cells(first.family.positions(list(shop)), shop.values(), 128)
    points_of[k] = saddle_points(shop_cells)
    predicted[k], bound[k] = best_of(points_of[k], 60_000)
    normal[k] = lift_sd(shop_cells) * normal_best(60_000)
    beyond_three_sd[k] = np.interp(3 * lift_sd(shop_cells), *points_of[k][2:])
    far_best[k] = best_of(points_of[k], 1e9)[0]
    ax.plot(far, [best_of(points_of[k], N)[0] for N in far], color=colour, ls="-",
            label=f"k = {k:,}")
    ax.plot(far, [lift_sd(shop_cells) * normal_best(N) for N in far], color=colour, ls="--", lw=1)
    ax.plot(sizes, means, "o", color=colour, ms=5)
ax.axhline(noise_sd["CMS"], color="#555555", lw=1, ls=":")
ax.text(1e9, noise_sd["CMS"] + 8, "sd of the noise", ha="right", fontsize=9, color="#555555")
ax.set(xscale="log", ylim=(0, 850))
ax.set(xlabel="number of names N", ylabel="users gained by the best name")
right = ax.secondary_yaxis("right", functions=(lambda y: y / per_fake["CMS"],
                                               lambda y: y * per_fake["CMS"]))
right.set_ylabel("strongest fake users (CMS)")
ax.legend(loc="upper left")
plt.show()

# %% [markdown]
# {numref}`fig-sk-name-best` shows that the saddle-point formula predicts the measurements. At $k = 64$ the normal distribution predicts only 438<!-- {normal[64]:.0f} --> users instead of 526<!-- {predicted[64]:.0f} -->; at $k = 1024$ the two predictions are close. The bound of {prf:ref}`thm-sk-name-best` is 592<!-- {bound[64]:.0f} --> users at $k = 64$ and 126<!-- {bound[1024]:.0f} --> at $k = 1024$.
#
# **How many names are realistic?** A product name that customers like allows perhaps hundreds of variants. A web address or a stock number with free characters allows many more: our 60,000 candidates took seconds. But the gain grows slowly. A billion names gain 166<!-- {far_best[1024]:.0f} --> users at $k = 1024$, which is 1.5<!-- {far_best[1024] / predicted[1024]:.1f} --> times as much as 60,000 names gain.
#
# **CMS and HCMS.** By the theorem, the lift is the same on both sketches. (The package confirms this for the best names, with its own computation of mean estimates.) On HCMS the lift replaces more fake users, because each of them gains less there, and it is a smaller share of the noise, which is larger:

# %% jupyter={"source_hidden": true} tags=["set-up"]
for k, of_families in lifts_of.items():
    best_of_k = names[of_families[0].argmax()]  # for the family of seed 1
    for scheme_class in (CountMeanSketch, HadamardCountMeanSketch):
        scheme_of_k = scheme_class(1.0, hashes=k, width=128, seed=1)
        mean_estimate = scheme_of_k.moments({**shop, best_of_k: 0}).mean[-1]
        assert np.isclose(mean_estimate, of_families[0].max())
rows = {"k": [], "sketch": [], "users": [], "fake users": [], "sd of noise": []}
for k, users_gained in predicted.items():
    for sketch, gain in per_fake.items():
        rows["k"].append(k)
        rows["sketch"].append(sketch)
        rows["users"].append(round(float(users_gained)))
        rows["fake users"].append(round(float(users_gained / gain)))
        rows["sd of noise"].append(float(users_gained / noise_sd[sketch]))
table(
    rows,
    formats={"sd of noise": ".2f"},
    caption="Expected gain of the best of 60,000 names in users, in fake users of the maximal gain "
    "attack, and in standard deviations of the noise.",
)


# %% [markdown]
# At $k = 64$, the true numbers of users of 13<!-- {sum(number < predicted[64] for number in shop.values())} --> of the 43 items are smaller than the expected lift of a product that nobody holds.
#
# ```{evidence} S-B40
# ```
#
# ## What must the maker know?
#
# A maker who does not know the true counts $f$ ranks the names by guessed counts $g$. The gain of the chosen name still depends on $f$.
#
# ```{prf:proposition} Ranking names by guessed counts
# :label: thm-sk-name-guess
# Over random, three-wise independent hash functions, the lifts of a name under the counts $f$ and under the counts $g$ have the correlation $\cos(f, g) = \sum_d f(d) g(d) \big/ \sqrt{\sum_d f(d)^2 \sum_d g(d)^2}$.
# ```
#
# ```{prf:proof}
# Both lifts are sums over the items, of $F f(d)(A_d - \frac1m)$ and of $F g(d)(A_d - \frac1m)$. The shares $A_d$ of different items are uncorrelated and have equal variances. The covariance is therefore a constant times $\sum_d f(d) g(d)$, and the variances are the same constant times $\sum_d f(d)^2$ and $\sum_d g(d)^2$.
# ```
#
# If lifts were normally distributed, the best name by $g$ would on average gain the share $\cos(f, g)$ of what the best name by $f$ gains. We try four makers who do not know the counts. Each of them chooses the best of 6,000 names at $k = 256$:

# %%
def gain_by(guess):
    """Mean gain of the best of 6,000 names by guessed counts, over ten groups and four families."""
    gains = []
    for seed, true_lifts in zip((1, 2, 3, 4), lifts_of[256]):
        scheme = CountMeanSketch(1.0, hashes=256, width=128, seed=seed)
        believed = name_lift(scheme, dict(zip(shop, guess)), names)
        chosen = believed.reshape(10, 6000).argmax(axis=1)
        gains.append(true_lifts.reshape(10, 6000)[np.arange(10), chosen])
    return np.mean(gains)


def cosine(f, g):
    return f @ g / (np.linalg.norm(f) * np.linalg.norm(g))


# %%
rng = np.random.default_rng(11)
truth = np.array(list(shop.values()))
earlier_scheme = CountMeanSketch(1.0, hashes=256, width=128, seed=99)
published = norm_sub(earlier_scheme.simulate(shop, rng).estimate(list(shop)), n)
guesses = {
    "the counts of April": months[4],
    "one private sketch": np.rint(published).astype(int),
    "the top 20": (truth >= np.sort(truth)[-20]).astype(int),
    "only the list": np.ones(43, dtype=int),
}
best_gain = gain_by(truth)
cosines = {maker: cosine(truth, guess) for maker, guess in guesses.items()}
kept = {maker: gain_by(guess) / best_gain for maker, guess in guesses.items()}

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Share of the gain that a maker keeps who does not know the counts, but only the counts of the first of five months, the estimates of one private sketch (\u03b5 = 1) with other hash functions, which 20 items are most popular, or which items exist. Bars: measured (k = 256, best of 6,000 names, 40 searches). Diamonds: the cosine between guess and truth.", "name": "fig-sk-name-guess"}, "image": {"alt": "Four horizontal bars between 80%<!-- {min(kept.values()):.0%} --> and 99%<!-- {max(kept.values()):.0%} -->, each with a diamond close to its end. The longest is for the counts of April, the shortest for the list alone."}} tags=["figure"]
fig, ax = plots.panels(height=2.7, width=7.2)
places = np.arange(len(guesses))[::-1]
ax.barh(places, list(kept.values()), color=plots.COLOURS["sky"], label="measured")
ax.plot(list(cosines.values()), places, "D", color=plots.COLOURS["orange"], ls="", label="cosine")
ax.set(yticks=places, yticklabels=list(guesses), xlim=(0, 1.4))
ax.set(xlabel="share of the gain that is kept")
ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
ax.grid(visible=False, axis="y")
ax.legend(loc="center right")
plt.show()

# %% [markdown]
# In this shop, the maker needs almost no knowledge ({numref}`fig-sk-name-guess`). The noisy counts that the shop itself publishes are enough. A maker who gives the same weight to every item of the list still keeps 80%<!-- {kept["only the list"]:.0%} -->, because the counts do not differ very much; the cosine is 83%<!-- {cosines["only the list"]:.0%} -->. (The difference is partly chance. Partly it comes from the skewness, which helps a maker more who knows where the large counts are.) In a shop with one dominant item, this maker would keep less, but a dominant item is easy to guess.
#
# The proposition also says how long a chosen name remains useful. A name that was chosen for the counts of April keeps the cosine between these counts and the counts of a later month. In the shop the cosine is 0.93<!-- {cosine(months[4], months[8]):.2f} --> after four months.
#
# ```{evidence} S-B41
# ```
#
# ## Does norm-sub remove the lift?
#
# Servers often make estimates consistent. The function `norm_sub` subtracts the same number from all estimates and sets negative ones to 0, so that the sum is $n$. Suppose that $s$ estimates stay positive, whether there is a lift or not, and that the estimate of the new product is one of them. A lift of $L$ raises the sum by $L$, so each of the $s$ estimates loses a further $\frac Ls$, and the published count still rises by $L(1 - \frac1s)$. We measure what the setting of negative estimates to 0 changes:

# %%
scheme = CountMeanSketch(1.0, hashes=64, width=128, seed=1)
best_name = names[lifts_of[64][0].argmax()]
with_best, with_random = [], []
for random_name in names[:300]:  # two simulated days for each
    for published_counts, name in ((with_best, best_name), (with_random, random_name)):
        estimates = scheme.simulate(shop, rng).estimate([*shop, name])
        published_counts.append(norm_sub(estimates, n)[-1])
norm_sub_gain = np.mean(with_best) - np.mean(with_random)
print(f"published on average: {np.mean(with_best):.0f} and {np.mean(with_random):.0f} users")

# %% [markdown]
# The rule that sets negative estimates to 0 gives every unused product some users on average. The best name adds 344<!-- {norm_sub_gain:.0f} --> users to them, which is 65%<!-- {norm_sub_gain/lifts_of[64][0].max():.0%} --> of its lift. So norm-sub weakens the attack and does not remove it.
#
# ## What stops it?
#
# **Draw the hash functions after the names are fixed.** The server registers names first, and then publishes a fresh random seed for the next *epoch*, for example a month. With respect to the new hash functions, the chosen name is like a random one: its lift has the mean 0 and, at $k = 64$, by the theorem a standard deviation of 102<!-- {np.sqrt(squares / (64 * 127)):.0f} --> users ({numref}`fig-sk-name-fresh`).

# %%
fresh = []
for seed in range(1000, 2000):
    scheme = CountMeanSketch(1.0, hashes=64, width=128, seed=seed)
    fresh.append(name_lift(scheme, shop, [best_name])[0])
print(f"mean {np.mean(fresh):.1f}, standard deviation {np.std(fresh):.0f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Lift of one name with 64 hash functions: for the seed for which the maker chose it (orange line), and for 1,000 seeds that were drawn afterwards (bars). With a fresh seed the lift varies around 0.", "name": "fig-sk-name-fresh"}, "image": {"alt": "A bell-shaped histogram of lifts between minus 282<!-- {-min(fresh):.0f} --> and plus 368<!-- {max(fresh):.0f} -->, centred at 0, and far to its right a vertical line at 534<!-- {chosen_lift:.0f} -->."}} tags=["figure"]
fig, ax = plots.panels(height=2.7, width=7.2)
ax.hist(fresh, bins=40, color=plots.COLOURS["sky"], label="1,000 fresh seeds")
chosen_lift = lifts_of[64][0].max()
ax.axvline(chosen_lift, color=plots.COLOURS["orange"], label="the seed it was chosen for")
ax.set(xlabel="users gained", ylabel="seeds")
ax.legend(loc="upper right", bbox_to_anchor=(0.93, 1))
plt.show()

# %% [markdown]
# The cost in accuracy is small. Sketches of two epochs cannot be added, but their *estimates* can. The variance of the noise is proportional to the number of reports, so it is the same for two epochs as for one sketch of both, and the collisions of independent hash functions partly cancel. The real costs are that a new name waits for the next epoch, and that the server stores one sketch for each epoch.
#
# **A secret key does not help.** Users must hash their item before they add noise, so every app contains the key, and the maker can install the app. An oblivious pseudorandom function would keep the key at the server: a user learns the hash value of an item, and the server learns nothing. But it adds an exchange to each report. We did not build it.
#
# **Use more hash functions.** The lift falls as $1/\sqrt k$, and reports hardly grow. With $k = 65{,}536$, a normal approximation gives 14<!-- {np.sqrt(squares / (65536 * 127)) * normal_best(60_000):.0f} --> users for the best of 60,000. This costs memory: one number for each of $km$ cells.
#
# **Correct for collisions.** A server that knows all items can solve for the counts ({ref}`exercise <ex-sk-01-solve>`). The lift from the items that it lists is then gone, for every name.
#
# **Test the names?** Tests of *reports* cannot notice the attack, because all reports are honest. But the server can compute the lift of a name when it is registered. At $k = 64$, a random name exceeds three standard deviations with probability 0.4%<!-- {beyond_three_sd[64]:.1%} -->, so a server that refuses such names harms few honest makers. The rule does not stop the attack, but limits it: the lift of an accepted name is at most three standard deviations, as far as the server knows the counts ({ref}`exercise <ex-sk-name-refuse>`).
#
# ```{evidence} S-B42
# ```
#
# ## What it rests on
#
# The theorem and the two propositions are proved. The prediction of the best lift is a saddle-point approximation. [The evidence](../evidence/research/sketch-poisoning-without-a-fake.ipynb) compares it at $k = 64$ with the exact distribution of the lift. The hash functions of the package are three-wise independent, not fully random; the measurements agree with the formulas for random hash values.
#
# ## Limits
#
# - We used one data set, with 43 items. The lift depends on the counts through $\sum_d f(d)^2$ and, at small $k$, through the few most popular items.
# - The maker tries names at random. The package hashes a name with BLAKE2b first, and we know no better search. If a hash function can be inverted by a formula, the maker needs far fewer trials. We did not try such a function.
# - The lift is that of a name without users. Users of the product add to it.
# - A maker with several products can choose a name for each of them. We did not combine the attack with fake users.
# - We did not study servers that *discover* names from reports instead of registering them.
#
# ## What others had
#
# That inputs can be chosen against public hash functions is well known. {cite:t}`mironov2011sketching` study sketches whose public randomness the adversary knows when it chooses the inputs (we read abstract and slides). {cite:t}`murua2020faking` make a flow look large in a count-min sketch (abstract only). {cite:t}`markelon2023compact` (we read ten pages) compute how many elements cover all cells of a target, and how far inserting them raises its estimate, with public and with private hash functions. They credit {cite:t}`clayton2019probabilistic`, which we did not open, with the first analysis of this sketch. {cite:t}`cohen2022tricking` (beginning only) attack the count sketch through its answers, and call a fresh sketch for each query a trivial remedy. In all of these the attacker inserts data.
#
# In local differential privacy, the attackers of {cite:t}`cao2021poisoning` forge reports; {cite:t}`balioglu2026hash` (beginning only) ask which users' hash functions of another mechanism help such attackers. We found no work in which the attacker chooses only a name and honest reports raise its estimate. We also found neither the lift on private sketches, nor the expected best of $N$ names, nor the role of the cosine. The variance of collisions in the theorem is that of {cite:t}`pan2024count`; the bound is a standard argument.
#
# ## Exercises
#
# ```{exercise-start} A larger shop
# :label: ex-sk-name-crowd
# ```
# **Warm-up.** Let all counts of the shop grow by the same factor. How many users must the shop have before the best of 60,000 names at $k = 1024$ gains more than one standard deviation of the noise of CMS at $\varepsilon = 1$? Neglect the variance of collisions.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-name-crowd", ...)

# %% [markdown]
# ```{solution-start} ex-sk-name-crowd
# :class: dropdown
# ```
# The lift grows in proportion to the factor, and the standard deviation of the noise in proportion to its square root. They are equal if the factor is the square of the ratio of noise and lift. The shop needs about 760,000<!-- {round(users_needed, -4):,.0f} --> users.

# %%
users_needed = n * (noise_sd["CMS"] / predicted[1024]) ** 2
assert users_needed > 10 * n
check("sk-name-crowd", users_needed)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many names would it take?
# :label: ex-sk-name-many
# ```
# **Standard.** Suppose that lifts are normal. By the bound, how many names does a maker need at least if the best one is to gain on average one standard deviation of the noise of CMS at $k = 1024$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-name-many", ...)

# %% [markdown]
# ```{solution-start} ex-sk-name-many
# :class: dropdown
# ```
# Let $\sigma$ be the standard deviation of the lift and $\tau$ that of the noise. From $\sigma \sqrt{2 \ln N} \ge \tau$ follows $N \ge e^{\tau^2 / (2 \sigma^2)}$, a number with 67<!-- {digits_of_names} --> digits. At this $k$, no feasible search gains as much as the standard deviation of the noise on average.

# %%
noise_in_sd = noise_sd["CMS"] / np.sqrt(squares / (1024 * 127))
digits_of_names = int(noise_in_sd**2 / 2 / np.log(10)) + 1
assert digits_of_names > 60
check("sk-name-many", digits_of_names)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A server that refuses names
# :label: ex-sk-name-refuse
# ```
# **Research.** A server refuses every name whose lift, by the private estimates `published`, exceeds three standard deviations of such lifts. How much does the best accepted name of 6,000 still gain at $k = 256$, as a share of the gain of the best of all 6,000?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-name-refuse
# :class: dropdown
# ```
# The maker keeps 82%<!-- {share_left:.0%} -->. Only a few names in 6,000 exceed three standard deviations, and the best of the others is not much worse. The server's estimates are also noisy, so some of the refused names were harmless, and some of the accepted ones have a larger lift than the server computes.

# %%
accepted_gains = []
for seed, true_lifts in zip((1, 2, 3, 4), lifts_of[256]):
    scheme = CountMeanSketch(1.0, hashes=256, width=128, seed=seed)
    believed = name_lift(scheme, dict(zip(shop, guesses["one private sketch"])), names)
    passed = np.where(believed > 3 * believed.std(), 0, true_lifts)
    accepted_gains.append(passed.reshape(10, 6000).max(axis=1))
share_left = np.mean(accepted_gains) / best_gain
assert 0.7 < share_left < 0.95

# %% [markdown]
# ```{solution-end}
# ```
