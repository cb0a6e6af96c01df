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
# # Which experiment prints these thirty numbers?
#
# How many hash functions should a shop use? The paper tries the Count Mean Sketch (CMS) on the data of a shop with 49,742<!-- {n:,.0f} --> users. With 64 hash functions it prints a mean squared error (MSE) of 613,030<!-- {printed[2, 0, 0]:,.0f} -->, which means that the count of an item is typically wrong by 780<!-- {round(np.sqrt(printed[2, 0, 0]), -1):.0f} --> users. With 1,024 it prints 3,680<!-- {printed[2, 0, 4]:,.0f} -->, or 60<!-- {round(np.sqrt(printed[2, 0, 4]), -1):.0f} --> users. A shop that believes these numbers uses 1,024 hash functions, although its sketch then has sixteen times as many entries.
# Our exact formula gives 208,000<!-- {round(one_survey[2, 0, 0], -3):,.0f} --> and 199,000<!-- {round(one_survey[2, 0, 4], -3):,.0f} --> for one survey: the number of hash functions hardly matters.
#
# **The paper** prints thirty MSEs in Table 3, each from 50 trials. It claims that CMS is more accurate than its Hadamard variant (HCMS), and that the MSEs fall with the privacy budget $\varepsilon$ and the number $k$ of hash functions.
# **We find** that CMS is more accurate on these data, but that the printed numbers cannot be means of 50 MSEs. Two assumptions together explain most of the table, but not all of it: the 50 estimates were averaged before their errors were squared, and one hash function sent every item to the same column. Without the paper's code, it remains open what was run.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to predict the MSE of a published experiment and the scatter of that MSE, how to compare
# hypotheses about an experiment with its printed results, and what such a comparison cannot decide.
# **You need** CMS ([notebook 1](01-count-mean-sketch.ipynb)) and HCMS ([notebook 2](02-hadamard.ipynb)), the variance of a mean, and the normal distribution.
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two items that one report may be about. **The attacker** is the server, which sees every report. **Protected:** the item of one report, up to the factor $e^\varepsilon$ in the odds.
# This notebook is about accuracy: nobody sends false reports. **Not protected:** a user who reports fifty times. Fifty reports on one item, each with fresh noise, cost a privacy budget of $50\varepsilon$ together.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy.stats import chi2, gmean

from privlib.notebook import plots, table
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hashing import ExplicitFamily

plots.use()

# %% [markdown]
# ## Fifty surveys can be averaged in two ways
#
# A shop surveys 100 users about four items, twice.

# %%
four_counts = np.array([40, 30, 20, 10])  # users of each item
two_surveys = np.array([[43, 28, 21, 8], [37, 29, 25, 9]])  # their estimates


def mse(estimates, true_counts):
    """Mean squared error over the items."""
    return np.mean((estimates - true_counts) ** 2, axis=-1)


mses = mse(two_surveys, four_counts)
print("MSEs of the two surveys:", *mses)
print("mean of the MSEs:", mses.mean())
print("MSE of the mean estimates:", mse(two_surveys.mean(axis=0), four_counts))

# %% [markdown]
# The MSE of the mean estimates is only half as large as the mean of the MSEs, because errors of opposite sign cancel.
#
# ```{prf:definition} Utility (section 6.3; 有用性)
# :label: def-sk-04-utility
# Utility is measured by the mean squared error (平均二乗誤差, MSE) between the true and the estimated distribution. Each trial is repeated 50 times,
# and the mean (平均値) is the value reported.
# ```
#
# The text does not say *what* is averaged. Most readers will think of the **mean of the 50 MSEs**, which says how far off one survey is. Another possibility is the **MSE of the mean of 50** estimates.
#
# ```{prf:theorem} The two averages
# :label: thm-sk-04-averages
# Let the errors of $R$ surveys be independent, with mean 0 and variance $v_d$ for item $d$. Let $\bar v$ be the mean of the $v_d$ over the items. The mean of the $R$ MSEs has expectation $\bar v$. The MSE of the mean estimates has expectation $\bar v / R$.
# ```
#
# ```{prf:proof}
# The expectation of a squared error is its variance, which gives the first statement. The mean of $R$ independent errors has variance $v_d / R$, which gives the second.
# ```
#
# For example, let the error of one item be 1 or $-1$ with equal probability, and let $R = 4$:

# %%
errors = np.array(list(product((-1, 1), repeat=4)))  # all 16 cases of four surveys
assert np.mean(errors**2) == 1
assert np.mean(errors.mean(axis=1) ** 2) == 1 / 4

# %% [markdown]
# ## With 1,024 hash functions the printed errors are far too small
#
# Here is Table 3. The default parameters are $\varepsilon = 1$, $m = 128$ columns and $k = 1024$ hash functions. Each part of the table varies one of them.

# %%
parameters = {
    "epsilon": [0.1, 0.4, 0.8, 1.0, 2.0],
    "width": [64, 128, 256, 512, 1024],
    "hashes": [64, 128, 256, 512, 1024],
}
thousands = [  # printed MSEs in thousands: CMS, then HCMS
    [[604.66, 12.78, 5.37, 4.76, 3.69], [407.07, 22.63, 8.43, 9.03, 5.26]],  # by ε
    [[4.27, 5.36, 4.70, 4.79, 3.52], [6.16, 7.64, 5.23, 5.97, 5.38]],  # by m
    [[613.03, 162.13, 35.22, 14.07, 3.68], [596.29, 151.32, 35.89, 15.34, 5.81]],  # by k
]
printed = 1000 * np.array(thousands)
# The default configuration is printed three times, for CMS and for HCMS
default = np.array([printed[0, :, 3], printed[1, :, 1], printed[2, :, 4]])
print("default, CMS: ", *default[:, 0])
print("default, HCMS:", *default[:, 1])

# %% [markdown]
# (The definition speaks of distributions, which consist of shares. What one report adds to an estimated share is bounded, so the squared error of a share cannot exceed 469<!-- {(schemes[0].factor * ((schemes[0].debias_factor + 1) / 2 - 1 / schemes[0].width) + 1) ** 2:.0f} --> in any of the thirty cells. All printed numbers are larger, so they are errors of counts.)
#
# The data are those of an online shop with 43 items {cite:p}`uci553eshop,lapczynski2013eshop`. We treat each record as one user, who sends one report about one item, and run the survey 50 times with CMS.

# %%
counts = shop_counts()
items = list(counts)
truth = np.array(list(counts.values()), dtype=float)
n = truth.sum()
cms = CountMeanSketch(1.0, hashes=1024, width=128, seed=1)
rng = np.random.default_rng(3)
# simulate draws the sketch of all reports at once, with new noise each time
surveys = np.array([cms.simulate(counts, rng).estimate(items) for _ in range(50)])
print(f"mean of the 50 MSEs: {mse(surveys, truth).mean():,.0f}")
print(f"MSE of the mean of 50: {mse(surveys.mean(axis=0), truth):,.0f}")

# %% [markdown]
# The second number has the size of the printed ones, and the first is far larger. (The theorem with $R = 50$ gives about 4,000<!-- {round(one_survey[1, 0, 1] / 50, -3):,.0f} --> for the second. Our number is larger because the 50 surveys share their hash functions, and because such a number scatters a lot.)
#
# We can compute the expectation of the first number without simulation. If the hash functions are drawn at random too, every estimate is unbiased, so its expected squared error is its variance. The expected MSE is therefore the mean of the 43 variances, for which notebooks 1 and 2 give exact formulas.

# %%
defaults = {"epsilon": 1.0, "hashes": 1024, "width": 128, "seed": 0}
schemes = []
for parameter, values in parameters.items():
    for make in (CountMeanSketch, HadamardCountMeanSketch):
        for value in values:
            schemes.append(make(**{**defaults, parameter: value}))
variances = [scheme.variances(counts).mean() for scheme in schemes]
one_survey = np.reshape(variances, printed.shape)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Figures 4, 5 and 6 of the paper, redrawn from Table 3 (points), and the mean of 50 MSEs by exact variances (lines). With 1,024 hash functions the printed MSEs are below the lines by factors from 13<!-- {(one_survey / printed)[many].min():.0f} --> to 99<!-- {(one_survey / printed)[many].max():.0f} -->. In the right panel they begin above the lines and fall steeply, where the lines are nearly flat.", "name": "fig-sk-04-table"}, "image": {"alt": "Three logarithmic panels. Left: printed MSEs and exact lines both fall with the privacy budget, the points far below the lines. Middle: points and lines are both flat in the width, the points far below. Right: the points fall from above the flat lines at 64 hash functions to far below them at 1024."}} tags=["figure"]
assert np.all(printed[2, :, 0] > one_survey[2, :, 0])  # "begin above"
sketches = {"CMS": ("blue", "o", 0.97), "HCMS": ("orange", "s", 1.03)}
fig, axes = plots.panels(1, 3, height=3.4, width=8.5, sharey=True)
labels = ("privacy budget ε", "columns m", "hash functions k")
for part, (ax, label, values) in enumerate(zip(axes, labels, parameters.values())):
    for row, (name, (colour, marker, shift)) in enumerate(sketches.items()):
        style = {"color": plots.COLOURS[colour]}
        ax.plot(values, one_survey[part, row], ls="-", label=f"mean of 50 MSEs, {name}", **style)
        ax.plot(np.array(values) * shift, printed[part, row], marker, ls="", ms=5,
                label=f"printed, {name}", **style)
    ax.set(xscale="log", yscale="log", xlabel=label)
    ax.set_xticks(values, [f"{value:g}" for value in values], fontsize=8)
    ax.minorticks_off()
axes[0].set_ylabel("MSE (squared users)")
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
plt.show()

# %% [markdown]
# At the default parameters the six printed MSEs are too small for means of 50 MSEs, by factors from 26<!-- {(one_survey[1, :, 1] / default).min():.0f} --> to 54<!-- {(one_survey[1, :, 1] / default).max():.0f} -->. The right panel shows another oddity: from 1,024 down to 64 hash functions the printed MSE of CMS grows
# 167<!-- {printed[2, 0, 0] / printed[2, 0, 4]:.0f} -->-fold, while the exact one grows by only 5%<!-- {one_survey[2, 0, 0] / one_survey[2, 0, 4] - 1:.0%} -->. The exact MSE hardly changes because each user reports through one hash function only, and the estimate adds up the reports of all $k$. With fewer hash functions each of them gets more reports, but the total number of noisy reports stays the same, and so does the noise.
#
# ```{evidence} S-6.4 S-6.5 S-Fg4-6
# ```
#
# ## What does the paper conclude from the table?
#
# The paper compares the printed numbers as follows.
#
# - *For both sketches the MSE falls as $\varepsilon$ grows.* In the table, the MSE of HCMS rises once, from 8,430<!-- {printed[0, 1, 2]:,.0f} --> to 9,030<!-- {printed[0, 1, 3]:,.0f} -->. In theory both fall, because each report gets less noise.
# - *For both, the MSE falls as $k$ grows.* This holds in the table and in theory, but in theory the MSE falls only slightly.
# - *CMS has the smaller MSE for every $m$, and for every $\varepsilon$ but 0.1.* In theory CMS has the smaller MSE at $\varepsilon = 0.1$ too, but there the MSE of HCMS is only 1.0018<!-- {one_survey[0, 1, 0] / one_survey[0, 0, 0]:.4f} --> times that of CMS, so one experiment can turn out either way. In print HCMS also has the smaller MSE for $k = 64$ and 128, which the paper does not mention. In theory the MSE of HCMS is larger there by 18%<!-- {one_survey[2, 1, 0] / one_survey[2, 0, 0] - 1:.0%} -->.
# - *CMS is 89.7% more accurate at $\varepsilon = 1$, and 52.8% at $m = 1024$.* These percentages say how much larger the printed MSE of HCMS is: 89.7%<!-- {printed[0, 1, 3] / printed[0, 0, 3] - 1:.1%} --> and 52.8%<!-- {printed[1, 1, 4] / printed[1, 0, 4] - 1:.1%} -->. But $\varepsilon = 1$ is the default configuration, which is printed three times. The same comparison gives 43%<!-- {printed[1, 1, 1] / printed[1, 0, 1] - 1:.0%} --> in the second part of the table and 58%<!-- {printed[2, 1, 4] / printed[2, 0, 4] - 1:.0%} --> in the third. The exact value is 18.6%<!-- {one_survey[1, 1, 1] / one_survey[1, 0, 1] - 1:.1%} -->.
#
# So CMS is indeed the more accurate sketch on these data, but the printed size of the difference changes from part to part. How much should it change by chance?
#
# ```{evidence} S-6.9 S-6.10 S-6.11 S-6.12 S-6.13 S-6.14
# ```
#
# ## The scatter shows how many squares were averaged
#
# The MSE of the mean of 50 has the right size. But so has another procedure: a program may compute the mean of the 50 MSEs and by mistake divide it by 43, the number of items, once more. To decide between the two procedures, we look at the *relative scatter*: the standard deviation divided by the mean.
#
# ```{prf:proposition} Scatter of a mean of squares
# :label: thm-sk-04-scatter
# Let $Z_1, \dots, Z_N$ be independent and normal with mean 0 and the same variance. The relative scatter of the mean of their squares is $\sqrt{2/N}$.
# ```
#
# ```{prf:proof}
# We may take the variance to be 1. Then $E[Z^2] = 1$ and $E[Z^4] = 3$, so $Z^2$ has variance $3 - 1 = 2$, and the mean of $N$ squares has variance $2/N$.
# ```

# %%
z = sp.Symbol("z", real=True)
density = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
fourth_moment = sp.integrate(z**4 * density, (z, -sp.oo, sp.oo))
assert fourth_moment - 1 == 2

# %% [markdown]
# A mean of 50 MSEs averages $50 \cdot 43$ squares, so its relative scatter is 3%<!-- {np.sqrt(2 / 2150):.0%} -->. Dividing it by any number does not change that. The MSE of a mean of 50 averages only 43 squares, so its relative scatter is 22%<!-- {np.sqrt(2 / 43):.0%} -->. The errors are sums over many users and therefore nearly normal. So we can repeat the whole experiment 2,000 times by drawing normal errors (for simplicity, independent ones for each item):

# %%
sd = np.sqrt(cms.variances(counts))
errors = rng.normal(0, sd, size=(2000, 50, 43))  # experiments, surveys, items
experiments = {
    "mean of 50 MSEs": (errors**2).mean(axis=(1, 2)),
    "MSE of the mean of 50": (errors.mean(axis=1) ** 2).mean(axis=1),
}
for name, values in experiments.items():
    print(f"{name}: relative scatter {values.std() / values.mean():.3f}")
printed_scatter = default.std(axis=0, ddof=1) / default.mean(axis=0)
print(f"printed three times: CMS {printed_scatter[0]:.3f}, HCMS {printed_scatter[1]:.3f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Scatter of 2,000<!-- {len(errors):,} --> simulated experiments at the default parameters, each divided by the mean (histograms), and the three printed MSEs of each sketch, divided by their mean (points below the axis). The printed MSEs scatter as much as an MSE of mean estimates does, and far more than a mean of 50 MSEs.", "name": "fig-sk-04-scatter"}, "image": {"alt": "A narrow histogram around 1 and a wide one. Of the three points for CMS and the three for HCMS, 4<!-- {np.sum(np.abs(default / default.mean(axis=0) - 1) > 0.1)} --> lie outside the narrow one and all within the wide one."}} tags=["figure"]
fig, ax = plots.panels(height=3.2, width=7.0)
bins = np.linspace(0.3, 2.0, 69)
for (name, values), colour in zip(experiments.items(), ("grey", "sky")):
    ax.hist(values / values.mean(), bins, density=True, alpha=0.6, label=name,
            color=plots.COLOURS[colour])
for row, (name, (colour, marker, _)) in enumerate(sketches.items()):
    ax.plot(default[:, row] / default[:, row].mean(), [-0.7 - row] * 3, marker, ls="",
            color=plots.COLOURS[colour], label=f"printed, {name}")
ax.axhline(0, color="#555555", lw=0.8, ls="-")
ax.set(xlabel="MSE divided by its mean", ylabel="probability density", ylim=(-2.4, None))
ax.set_yticks(range(0, 15, 5))
ax.legend()
plt.show()


# %% [markdown]
# The printed numbers scatter like means of 43 squares. Three numbers for each sketch are few, so we test the averaging on all thirty cells. For this we need the expected MSE of the mean of 50 surveys that use the same hash functions. By the law of total variance, the variance of one estimate has two parts:
#
# - The first is the mean of the variance *for given hash functions*. It comes from the noise and from the users' random choice of a hash function. Both are new in each survey, so averaging the surveys divides this part by 50.
# - The second is the variance *over the hash functions* of the estimate's expectation for given functions. It comes from *collisions*, that is, from items that share a column. They are the same in all 50 surveys, so averaging does not reduce this part. For item $d$ it is $\frac{1}{k(m-1)} \sum_{x \ne d} f(x)^2$ (notebook 1), where $f(x)$ is the number of users of item $x$.
#
# If a hypothesis is right, the ratio of the printed to the expected MSE is distributed nearly like the mean of 43 squared standard normal variables. We say that a cell *fits* if its ratio lies in the central interval that has probability 99%.

# %%
def expected_mse(scheme, surveys=50, constant_functions=0):
    """Expected MSE of the mean of surveys; constant functions come in the next section."""
    collisions = (np.sum(truth**2) - truth**2) / (scheme.hashes * (scheme.width - 1))
    renewed = (scheme.variances(counts) - collisions) / surveys
    bias = constant_functions * (n - truth) / scheme.hashes
    return np.mean(bias**2 + renewed + collisions)


mean_of_50 = np.reshape([expected_mse(scheme) for scheme in schemes], printed.shape)
low, high = chi2.ppf([0.005, 0.995], 43) / 43  # central 99% of means of 43 squares
for name, expected in (("mean of 50", mean_of_50), ("one survey / 43", one_survey / 43)):
    fits = (low < printed / expected) & (printed / expected < high)
    print(f"MSE of {name}: cells that fit by ε, m and k:", *fits.sum(axis=(1, 2)))

# %% [markdown]
# The limits are 0.53<!-- {low:.2f} --> and 1.64<!-- {high:.2f} -->. In the part by $m$ all ten cells fit the MSE of the mean of 50. In the other two parts many do not. The second line of the output is a warning. The MSE of a *single* survey, divided by 43 once more, fits as many cells, because it has nearly the same size and the same scatter. The part by $k$ will exclude it.
#
# ```{evidence} S-T3.m
# ```
#
# ## With few hash functions, something else is added
#
# What is left of the printed MSEs by $k$ when we subtract the expected MSE of the mean of 50? At $k = 64$ the rest is the square of about 770<!-- {round(np.sqrt(rest[:, 0].mean()), -1):.0f} --> users, far more than chance can add. So it must come from a bias, which adds its square to the MSE. Hash functions can bias the estimate for an item only through users of *other* items in the same column. Suppose that there are too many collisions, equally many for every item. Then an item with $f$ of the $n$ users has the bias $s(n - f)$ with the same $s$ for all items, as the theorem below shows. We compute $s$ from the rest.

# %%
hashes = np.array(parameters["hashes"])
rest = printed[2] - mean_of_50[2]
s_squared = np.maximum(rest, 0) / np.mean((n - truth) ** 2)  # 0 if nothing is left
print("k:       ", *hashes)
print("ks, CMS: ", *np.round(hashes * np.sqrt(s_squared[0]), 2))
print("ks, HCMS:", *np.round(hashes * np.sqrt(s_squared[1]), 2))

# %% [markdown]
# For $k < 1024$ the product $ks$ is close to 1. This would happen if one of the $k$ hash functions were *constant*, that is, sent all items to the same column and so counted everybody for every item. {ref}`ex-sk-04-linear` shows how easily a program makes this mistake. (For $k = 1024$ nothing is left for CMS, and for HCMS $ks$ is 0.46<!-- {1024 * np.sqrt(s_squared[1, 4]):.2f} -->.)
#
# ```{prf:theorem} Bias of collisions
# :label: thm-sk-04-bias
# Suppose that each other item shares its column with item $d$ in a proportion $A$ of the hash functions. Write $A = \frac1m + \bigl(1 - \frac1m\bigr) s$ with the *excess* $s$, which is 0 on average for random hash functions, and 1 if all items always collide. If $f$ of $n$ users have item $d$, its estimate by CMS or HCMS has expectation $f + s(n - f)$.
# With one constant hash function among $k$, the others being uniformly random, $s = \frac1k$ on average.
# ```
#
# ```{prf:proof}
# For both sketches the mean of the estimate over the noise is $\frac{m}{m-1}\bigl(f + (n - f) A - \frac nm\bigr)$, because the users of the item are always in its column, and the others in a proportion $A$ of the hash functions. Insert $A$ and $\frac nm = \frac fm + \frac{n-f}{m}$, and the factor $1 - \frac1m$ cancels.
# One constant hash function gives $A = \frac1k \cdot 1 + \bigl(1 - \frac1k\bigr) \frac1m = \frac1m + \bigl(1 - \frac1m\bigr)\frac1k$.
# ```

# %%
m, k, users, f, s = sp.symbols("m k n f s", positive=True)
A = 1 / m + (1 - 1 / m) * s
estimate = m / (m - 1) * (f + (users - f) * A - users / m)
assert sp.simplify(estimate - (f + s * (users - f))) == 0
one_constant = 1 / k + (1 - 1 / k) / m
assert sp.simplify(one_constant - A.subs(s, 1 / k)) == 0


# %% [markdown]
# Does such a bias have the right size? We make the first of 64 hash functions constant and repeat the experiment 50 times.

# %%
def experiment(constant):
    """MSE of the mean of 50 surveys with CMS; the first of 64 hash functions may be constant."""
    positions = rng.integers(128, size=(43, 64))  # column by item and hash function
    if constant:
        positions[:, 0] = 0  # the first hash function sends every item to column 0
    family = ExplicitFamily(dict(zip(items, positions.tolist())), width=128)
    scheme = CountMeanSketch.with_family(1.0, family)  # CMS with this table of hash values
    surveys = [scheme.simulate(counts, rng).estimate(items) for _ in range(50)]
    return mse(np.mean(surveys, axis=0), truth)


for name, constant in (("all random", False), ("one constant", True)):
    mses = np.array([experiment(constant) for _ in range(50)])
    scatter = mses.std(ddof=1) / mses.mean()
    print(f"{name}: average MSE {mses.mean():,.0f}, relative scatter {scatter:.3f}")
print(f"printed: {printed[2, 0, 0]:,.0f}")

# %% [markdown]
# If at most one hash function was constant, the MSE of a single survey, divided by 43, is now excluded. With one constant hash function it would be only 18,000<!-- {round((one_survey[2, 0, 0] + np.mean(((n - truth) / 64) ** 2)) / 43, -3):,.0f} --> at $k = 64$, because the square of the bias is divided too.
#
# ```{evidence} S-T3.k
# ```
#
# ## Thirty numbers against three hypotheses
#
# We can now compare the whole table with three hypotheses: the mean of 50 MSEs, the MSE of the mean of 50, and the MSE of the mean of 50 with one constant hash function.

# %%
with_constant = [expected_mse(scheme, constant_functions=1) for scheme in schemes]
with_constant = np.reshape(with_constant, printed.shape)
hypotheses = {
    "mean of 50 MSEs": one_survey,
    "MSE of the mean of 50": mean_of_50,
    "… and one constant function": with_constant,
}
columns = {"k": list(hashes), "printed": printed[2, 0] / 1000}
for name, expected in hypotheses.items():
    columns[name] = expected[2, 0] / 1000
formats = dict.fromkeys(list(columns)[1:], ".1f")
table(columns, formats=formats, caption="MSE of CMS by k, in thousands.")

# %% [markdown]
# The figure shows all thirty printed MSEs, divided by the expected ones.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The thirty printed MSEs divided by those that three hypotheses predict; on the line at 1 both are equal. Each group of points is one part of the table, in its order. The band of the two right panels holds 99% of all means of 43 squares. Averaging before squaring brings most points near the line. The constant hash function brings the points by k there as well, but then 22<!-- {np.sum(printed < with_constant)} --> of the 30 points are too low.", "name": "fig-sk-04-models"}, "image": {"alt": "Three panels on one logarithmic scale. Left: nearly all points lie far below 1, those for few hash functions rise above it. Middle: points near 1, except those by k, which rise far above it. Right: all points near 1, more of them below than above."}} tags=["figure"]
fig, axes = plots.panels(1, 3, height=3.6, width=8.5, sharey=True)
for ax, (title, expected) in zip(axes, hypotheses.items()):
    if title != "mean of 50 MSEs":
        ax.axhspan(low, high, color=plots.COLOURS["sky"], alpha=0.3, lw=0)
    ax.axhline(1, color="#555555", lw=1, ls="-")
    for row, (name, (colour, marker, _)) in enumerate(sketches.items()):
        for part in range(3):
            ax.plot(6 * part + np.arange(5), (printed / expected)[part, row], marker, ls="", ms=5,
                    color=plots.COLOURS[colour], label=name if part == 0 else None)
    ax.set(yscale="log", title=title, xticks=[2, 8, 14])
    ax.set_xticklabels(["ε: 0.1 … 2", "m: 64 … 1024", "k: 64 … 1024"], fontsize=7)
axes[0].set_ylabel("printed / expected")
axes[0].legend()
plt.show()

# %%
ratio = printed / with_constant
fit = np.sum((low < ratio) & (ratio < high))
average = gmean(ratio, axis=None)
tables = rng.chisquare(43, size=(10_000, 30)) / 43  # tables, if the hypothesis is right
averages = gmean(tables, axis=1)
print(f"{fit} of 30 cells fit, geometric mean of the ratios {average:.2f}")
print(f"geometric mean in 99% of simulated tables: at least {np.quantile(averages, 0.01):.2f}")
print(f"simulated tables with {average:.2f} or less: {np.sum(averages <= average)} of 10,000")
many = np.reshape([scheme.hashes == 1024 for scheme in schemes], printed.shape)
at_1 = np.reshape([scheme.epsilon == 1 for scheme in schemes], printed.shape)
print(f"geometric mean: k < 1024 {gmean(ratio[~many]):.2f}, k = 1024 {gmean(ratio[many]):.2f}")

# %% [markdown]
# With one constant hash function 29<!-- {fit} --> of the 30 cells fit. Nevertheless the hypothesis is not good enough. If it were right, the ratios would average about 1. Their geometric mean is 0.83<!-- {average:.2f} -->, and chance almost never gives a value this low. The hypothesis fits well where the bias dominates: for $k < 1024$ the geometric mean is 0.97<!-- {gmean(ratio[~many]):.2f} -->. But for $k = 1024$ it predicts MSEs that are too large (geometric mean 0.78<!-- {gmean(ratio[many]):.2f} -->).
#
# We have used one scatter, $\sqrt{2/43}$, for all cells. This is too generous where the bias dominates: our 50 experiments with 64 hash functions, one of them constant, scatter by only 6%<!-- {scatter:.0%} -->. The [evidence notebook](../evidence/sketch/04-the-puzzle-of-table-3.ipynb) computes the scatter of every cell from the covariances of the errors. The same cells fit, and the ratios are again too low on average.
#
# It also tries other procedures. Only one of these comes close to the table. It has a constant hash function too, but draws the other hash functions anew for each survey. The thirty cells together then just pass a test at the 1% level; with the same hash functions in all surveys they just fail it. Under this procedure, too, the printed MSEs are too small on average (geometric mean 0.88<!-- {gmean(printed.ravel() / [np.mean(((n - truth) / x.hashes) ** 2 + x.variances(counts) / 50) for x in schemes]):.2f} -->). Neither of two public programs for CMS, pure-ldp and clip-protocol, has a constant hash function.
#
# ```{evidence} S-B20 S-B20.public
# ```
#
# ## What can be concluded?
#
# **Safe.** At the default parameters the printed MSEs are smaller than the MSE of one survey by factors from 26<!-- {(one_survey[1, :, 1] / default).min():.0f} --> to 54<!-- {(one_survey[1, :, 1] / default).max():.0f} -->. They scatter like single means of 43 squares. As $k$ grows, they fall much faster than either average. These statements need only the table, the data and exact variances.
#
# **A hypothesis.** Averaging before squaring, together with one constant hash function, gives the dependence on $k$. On average the printed MSEs are 17%<!-- {1 - average:.0%} --> below what this hypothesis predicts. But any excess $s$ of collisions near $1/k$ would have the same effect, because {prf:ref}`thm-sk-04-bias` depends only on $s$.
#
# **Open.** For $k = 1024$ the MSEs that the hypothesis predicts are too large on average. But the two cells at $\varepsilon = 2$ fit only with the bias. The ratios of the printed to the expected MSE are 0.96<!-- {ratio[0, 0, 4]:.2f} --> and 1.14<!-- {ratio[0, 1, 4]:.2f} --> with it, and 2.35<!-- {printed[0, 0, 4] / mean_of_50[0, 0, 4]:.2f} --> and 2.24<!-- {printed[0, 1, 4] / mean_of_50[0, 1, 4]:.2f} --> without it. The fourteen cells at $\varepsilon = 1$ fit better without the bias. The geometric mean of their ratios is 1.09<!-- {gmean((printed / mean_of_50)[many & at_1]):.2f} --> without it, and 0.75<!-- {gmean(ratio[many & at_1]):.2f} --> with it. The table alone cannot say why.
#
# A reader of the paper can trust that CMS is more accurate on these data, but should take the size of the errors and their dependence on $k$ from the exact formulas. If the table shows the MSE of a mean of 50 estimates, then this is the accuracy that a shop gets if every user sends fifty reports, at a privacy budget of $50\varepsilon$.
#
# ```{evidence} S-6.6 S-T3.e
# ```
#
# ## Exercises
#
# ```{exercise-start} How often to repeat
# :label: ex-sk-04-scatter
# ```
# **Warm-up.** One experiment gives one MSE of the mean of 50. How many experiments must one average, so that the relative scatter of the average is at most 5%?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-04-scatter", ...)

# %% [markdown]
# ```{solution-start} ex-sk-04-scatter
# :class: dropdown
# ```
# The relative scatter of one experiment is $\sqrt{2/43}$, and that of the average of $R$ experiments is smaller by the factor $\sqrt R$.

# %%
number = int(np.ceil(2 / 43 / 0.05**2))
assert number == 19
check("sk-04-scatter", number)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Fewer hash functions
# :label: ex-sk-04-rows
# ```
# **Standard.** By which factor does the expected MSE of *one* survey with CMS grow, at the default parameters, when $k$ falls from 1,024 to 64, and when it falls to 1? Why does the MSE of the mean of 50 grow so much more?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-04-rows", ...)


# %% [markdown]
# ```{solution-start} ex-sk-04-rows
# :class: dropdown
# ```
# The collisions add $\frac{1}{k(m-1)} \sum_{x \ne d} f(x)^2$ to the variance for item $d$. This is small beside the noise of all users until $k$ is very small. Averaging divides the noise by 50, but not the collisions.

# %%
def cms_mse(hashes, surveys):
    scheme = CountMeanSketch(1.0, hashes=hashes, width=128, seed=0)
    return expected_mse(scheme, surveys=surveys)


growth = [cms_mse(hashes, 1) / cms_mse(1024, 1) for hashes in (64, 1)]
assert np.allclose(growth, (1.048, 4.258), atol=0.001)
assert cms_mse(64, 50) / cms_mse(1024, 50) > 3
check("sk-04-rows", growth)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A hash family that starts at 0
# :label: ex-sk-04-linear
# ```
# **Standard.** A program uses $h_j(x) = (j x \bmod p) \bmod m$ with a large prime $p$, where the number $x$ represents the item and $j$ runs from 0 to $k - 1$. What is the bias for an item with $f$ of $n$ users?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-04-linear", ...)


# %% [markdown]
# ```{solution-start} ex-sk-04-linear
# :class: dropdown
# ```
# For $j = 0$ every item goes to column 0, so this hash function is constant. Starting at $j = 1$ removes the bias. The code compares bias and formula, averaged over 20 draws of the numbers.

# %%
def bias_of(n, f, k):
    return (n - f) / k


prime = 2**61 - 1
for start in (0, 1):
    shares = []  # bias divided by the formula
    for seed in range(20):
        numbers = [int(x) for x in np.random.default_rng(seed).integers(prime, size=43)]
        rows = [[j * x % prime % 128 for j in range(start, start + 64)] for x in numbers]
        family = ExplicitFamily(dict(zip(items, rows)), width=128)
        mean = CountMeanSketch.with_family(1.0, family).moments(counts).mean
        shares.append(np.mean((mean - truth) / bias_of(n, truth, 64)))
    standard_error = np.std(shares, ddof=1) / np.sqrt(20)
    assert abs(np.mean(shares) - (1 - start)) < 4 * standard_error
check("sk-04-linear", bias_of)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two free parameters
# :label: ex-sk-04-fit
# ```
# **Research.** Let two parameters of `expected_mse` be free: `surveys` (from 40 to 80 in tens) and `constant_functions` (from 0.8 to 1.2 in tenths; 0.8 means $s = 0.8/k$). If $r$ is a mean of 43 squares divided by its expectation, then $\sqrt{9 \cdot 43 / 2}\,\bigl(r^{1/3} - 1 + \frac{2}{9 \cdot 43}\bigr)$ is nearly standard normal {cite:p}`wilson1931distribution`. Compute this score for each cell. Which pair has the smallest sum of squared scores? Is that evidence for the pair?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-04-fit", ...)

# %% [markdown]
# ```{solution-start} ex-sk-04-fit
# :class: dropdown
# ```
# The best pair is 60<!-- {best[0]} --> surveys with the bias of 1.0<!-- {best[1]} --> constant hash functions. The text states 50 surveys, and two parameters that were chosen to fit thirty numbers are no evidence for a procedure.

# %%
chi_square = {}
for pair in product(range(40, 90, 10), (0.8, 0.9, 1.0, 1.1, 1.2)):
    expected = [expected_mse(scheme, *pair) for scheme in schemes]
    r = printed.ravel() / expected
    scores = np.sqrt(9 * 43 / 2) * (r ** (1 / 3) - 1 + 2 / (9 * 43))
    chi_square[pair] = np.sum(scores**2)
best = min(chi_square, key=chi_square.get)
assert best == (60, 1.0)
check("sk-04-fit", best)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - *Why can the printed numbers not be means of 50 MSEs?* At the default parameters such a mean is about 199,000<!-- {round(one_survey[1, 0, 1], -3):,.0f} --> for CMS and 236,000<!-- {round(one_survey[1, 1, 1], -3):,.0f} --> for HCMS, which is 43<!-- {one_survey[1, 0, 1] / default[:, 0].mean():.0f} --> and 32<!-- {one_survey[1, 1, 1] / default[:, 1].mean():.0f} --> times the mean of the three printed values.
# - *How can three printed MSEs of one configuration show what was averaged?* A mean of $N$ squares has relative scatter $\sqrt{2/N}$: 3%<!-- {np.sqrt(2 / 2150):.0%} --> for a mean of 50 MSEs, 22%<!-- {np.sqrt(2 / 43):.0%} --> for 43 squares. The three printed MSEs scatter by 19%<!-- {printed_scatter[0]:.0%} --> (CMS) and 22%<!-- {printed_scatter[1]:.0%} --> (HCMS).
# - *Do we know what was run?* No. The MSE of the mean of 50 with one constant hash function comes close, but it is too large for 1,024 hash functions.
#
# **Further reading.** The sketches: {cite:p}`apple2017learning`; their published moments, corrected: {cite:p}`pan2024count`. A test of printed means of integers: {cite:p}`brown2017grim`. **Next:**
# [what does oblivious transfer enforce?](05-oblivious-transfer.ipynb)
