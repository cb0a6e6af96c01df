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
# Table 3 of the paper says how far the two sketches are off, for five privacy levels, five widths and five
# numbers of hash functions. Thirty numbers, measured by repeating an experiment 50 times. We have the
# data, the schemes and exact formulas, so we can say what the experiment should print. The table has
# something else: 13 to 99 times less where there are 1,024 hash functions, and three times more where there are few. No code came with the paper. Can the numbers themselves tell what was run?
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to predict the error of a published experiment and the *scatter* of that error,
# how to compare a table of numbers with several hypotheses at once, and where such detective work
# has to stop.
# **You need** the two sketches ([notebook 1](01-count-mean-sketch.ipynb), [notebook 2](02-hadamard.ipynb)), a covariance matrix, the $\chi^2$ distribution.
# **Time:** 22 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two items that one report may be about. **The attacker** is the server that collects
# the reports. **Protected:** which item it was, up to the factor $e^\varepsilon$. Nobody cheats in this notebook:
# it is about accuracy (有用性) alone. **Not protected:** whoever reports fifty times. Fifty fresh reports on
# one item are $50\varepsilon$-private, and that will matter below.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from fractions import Fraction
from hashlib import blake2b
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy.special import digamma, polygamma
from scipy.stats import chi2, norm

from privlib.notebook import claim, derivation, plots, table
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hashing import ExplicitFamily, TabulationFamily

plots.use()

# %% [markdown]
# ## What was measured?
#
# The paper counts how often each of 43 models of an online shop occurs in a public data set
# {cite:p}`uci553eshop,lapczynski2013eshop`. The counts that fit are the clicks on one of its four
# categories. Here it only matters that these are 43 numbers, one report a click.

# %%
counts = shop_counts()
items, truth = list(counts), np.array(list(counts.values()), dtype=float)
n = truth.sum()
print(f"{truth.size} items, {n:,.0f} reports, A2: {counts['A2']}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Figure 2 of the paper, rebuilt from the data: the number of records of each item. A2 has 3013, as the text says.", "name": "fig-sk-04-counts"}, "image": {"alt": "Bar chart of 43 counts, A1 to A43: most of the first fifteen lie between 1500 and 3000, most of the later ones below 1000."}} tags=["figure"]
assert np.median(truth[:15]) > 1500 and np.median(truth[15:]) < 1000
fig, ax = plots.panels(height=2.6, width=8.0)
orange, blue = plots.COLOURS["orange"], plots.COLOURS["blue"]
colour = np.where(truth == truth.max(), orange, blue)
bars = ax.bar(np.arange(1, truth.size + 1), truth, color=colour)
ax.annotate("A2", (2, truth.max()), (3.2, truth.max() - 150), fontsize=9)
ax.set(xlabel="item A1 … A43", ylabel="records", xlim=(0, 44))
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("S-6.4") as c:
    heights = [int(bar.get_height()) for bar in bars]
    c.exact((len(heights), heights[1]), (43, 3013), "bars, and A2, as the text says")
    constant = (math.exp(0.5) + 1) / (math.exp(0.5) - 1)
    one_fake = 128 / 127 * ((constant + 1) / 2 - 1 / 128)
    fakes = round(14111 / one_fake)  # Table 5, β = 0.1: n' is n/9, rounded down
    label = "a ninth of all bars, and the fakes behind the gain 141.11 in Table 5"
    c.exact(sum(heights) // 9, fakes, label)
    c.source_incomplete("the picture: our copy of the paper has its caption only")
shown_n = int(n)

# %% [markdown]
# Table 3 has the *mean squared error* (平均二乗誤差, MSE) between true and estimated counts. What is not varied is at its
# default, $\varepsilon = 1$, $m = 128$ columns, $k = 1024$ hash functions.

# %% jupyter={"source_hidden": true} tags=["set-up"]
TABLE = {  # parameter -> its values, MSE of CMS and of HCMS as printed, in thousands
    "epsilon": (
        [0.1, 0.4, 0.8, 1.0, 2.0],
        [604.66, 12.78, 5.37, 4.76, 3.69],
        [407.07, 22.63, 8.43, 9.03, 5.26],
    ),
    "width": (
        [64, 128, 256, 512, 1024],
        [4.27, 5.36, 4.70, 4.79, 3.52],
        [6.16, 7.64, 5.23, 5.97, 5.38],
    ),
    "hashes": (
        [64, 128, 256, 512, 1024],
        [613.03, 162.13, 35.22, 14.07, 3.68],
        [596.29, 151.32, 35.89, 15.34, 5.81],
    ),
}
SIGNS = {"epsilon": "ε", "width": "m", "hashes": "k"}
SCHEMES = {"CMS": CountMeanSketch, "HCMS": HadamardCountMeanSketch}
DEFAULTS = {"epsilon": 1.0, "width": 128, "hashes": 1024, "seed": 0}
RUNS = 50
columns = {}
for part, sign in SIGNS.items():
    values, *rows = TABLE[part]
    columns[sign] = [f"{value:g}" for value in values]
    columns |= {f"{name}, by {sign}": row for name, row in zip(SCHEMES, rows)}
table(
    columns,
    formats={head: ".2f" for head in columns if "by" in head},
    caption="Table 3 of the paper: MSE in thousands (of squared records).",
)


# %% jupyter={"source_hidden": true} tags=["evidence"]
def cells_of(part):
    """The ten cells of a part: printed MSEs, shape (2, 5), and schemes likewise."""
    values, *printed = TABLE[part]
    schemes = [
        [make(**{**DEFAULTS, part: value}) for value in values]
        for make in SCHEMES.values()
    ]
    return 1000 * np.array(printed), schemes


PRINTED, CELLS = {}, {}
for part in TABLE:
    PRINTED[part], CELLS[part] = cells_of(part)
eps, width, hashes = (PRINTED[part] for part in TABLE)
exact = {
    part: np.array([[s.variances(counts).mean() for s in row] for row in CELLS[part]])
    for part in TABLE
}  # MSE of one run in the mean over all hash functions: notebooks 1 and 2


def extreme(scheme):
    """The largest size of an estimate after one report: its share of one user."""
    if scheme.name == "CMS":
        one = scheme.pack([0], [[1] * scheme.width])
    else:
        one = scheme.pack([0], [-1], columns=[0])
    return abs(scheme.aggregate(one).estimate("A1").item())


with claim("S-6.5") as c:
    tops = np.array([[extreme(s) for row in CELLS[p] for s in row] for p in TABLE])
    by_hand = []
    for part in TABLE:
        for s in [s for row in CELLS[part] for s in row]:
            a = math.exp(s.epsilon / (2 if s.name == "CMS" else 1))
            noise, m = (a + 1) / (a - 1), s.width
            most = (noise + 1) / 2 - 1 / m if s.name == "CMS" else noise + 1 / m
            by_hand.append(m / (m - 1) * most)
    c.close(tops.ravel(), by_hand, "largest size of one estimated share, two routes")
    bound = (tops + 1) ** 2  # no estimate of a share is farther from the truth
    printed = 1000 * np.array([np.ravel(TABLE[part][1:]) for part in TABLE])
    label = "thirty cells: no MSE of shares reaches the printed value, so counts"
    c.decisive("exhaustive").at_most(bound, printed, label)

# %% [markdown]
# The text compares *distributions*; the numbers are about *counts*, for no error of a share could be so
# large. (The factor $10^3$ in the table's head multiplies, as $10^2$ does in the heads of Tables 4 to 6, which come out so in
# [notebook 3](03-poisoning.ipynb).) What the text reads off the table needs no theory. Is it so?
#
# - For every width $m$ CMS has the smaller error, and for every $\varepsilon$ but 0.1. In theory it has so at 0.1 as
#   well, by a factor of 1.0018<!-- {close:.4f} -->; with so little between them one printed pair may go either way.
# - The errors fall with $k$ for both sketches. So they should, though not by as much, as we shall see.
# - The errors fall with $\varepsilon$ for both, says the text. Once they do not.

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("S-6.10") as c:
    smaller = [bool(v) for v in eps[0] < eps[1]]
    said = [value != 0.1 for value in TABLE["epsilon"][0]]
    c.decisive("exhaustive").exact(smaller, said, "the five printed pairs")
    better = [[*SCHEMES][i] for i in np.argmin(exact["epsilon"], axis=0)]
    in_print = [*SCHEMES][np.argmin(eps[:, 0])]
    label = "the more accurate sketch at ε = 0.1, by exact variances"
    c.limit(in_print, better[0], label)
with claim("S-6.12") as c:
    label = "the five printed pairs"
    smaller = (width[0] < width[1]).tolist()
    c.decisive("exhaustive").exact(smaller, [True] * 5, label)
    c.at_most(*exact["width"], "exact variances: the same")
with claim("S-6.14") as c:
    label = "the printed rows, both sketches"
    steps = np.sign(hashes[:, 1:] - hashes[:, :-1]).astype(int)
    c.decisive("exhaustive").exact(steps.tolist(), [[-1] * 4] * 2, label)
    falls = np.sign(np.diff(exact["hashes"])).tolist() == [[-1] * 4] * 2
    c.holds(falls, "exact variances: the same", method="numeric")
cms, hcms = exact["epsilon"][:, 0]
close = float(hcms / cms)

# %% [markdown]
# ```{admonition} As printed
# :class: as-printed
# Section 6.4: the MSE falls monotonically in $\varepsilon$, for CMS and for HCMS.
# ```
#
# In the table HCMS rises from 8.43 at $\varepsilon = 0.8$ to 9.03 at $\varepsilon = 1$. In theory both fall. Apart from $F^2$, the noise
# that one report adds to a squared error is $(c^2 - 1)/4$ for CMS and $c^2$ for HCMS, where $c = \frac{w + 1}{w - 1}$ with $w = e^{\varepsilon/2}$ and
# $w = e^{\varepsilon}$. Put $w = 1 + t$. For $t > 0$ the first of them changes by

# %% jupyter={"source_hidden": true} tags=["evidence"]
t = sp.Symbol("t", positive=True)  # w − 1
c_of = (t + 2) / t
of_cms = sp.Derivative(sp.factor((c_of**2 - 1) / 4), t)
of_hcms = sp.Derivative(sp.factor(c_of**2), t)
slope_hcms = derivation(of_hcms).equal(-4 * (t + 2) / t**3, "differentiate")
slope_hcms.at_most(0, "negative, as $t > 0$")
slope_cms = derivation(of_cms).equal(-(t + 2) / t**3, "differentiate")
slope_cms.at_most(0, "negative, as $t > 0$")

# %% [markdown]
# and the second, $\bigl(1 + \frac2t\bigr)^2$, falls because $\frac2t$ does.

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim(
    "S-6.9",
    printed=r"the MSE falls monotonically in $\varepsilon$ for CMS and for HCMS",
    corrected="in the table for CMS only (HCMS: 8.43 at 0.8, 9.03 at 1.0); "
    "in theory for both",
    consequence="None for the schemes: the noise of one report falls strictly. "
    "The scatter of the printed numbers hides it.",
) as c:
    steps = np.sign(eps[:, 1:] - eps[:, :-1]).astype(int).tolist()
    c.fails(steps[1] == [-1] * 4, "printed: HCMS, 8.43 and then 9.03")
    assert steps[1] == [-1, -1, 1, -1]
    label = "printed: CMS falls"
    c.decisive("exhaustive").exact(steps[0], [-1] * 4, label)
    label = "noise of a report of CMS: slope at most 0"
    c.decisive("proved").derived(slope_cms, of_cms, sp.S.Zero, label)
    label = "noise of a report of HCMS: slope at most 0"
    c.decisive("proved").derived(slope_hcms, of_hcms, sp.S.Zero, label)
    strict = [x.steps[0].expression.is_negative for x in (slope_cms, slope_hcms)]
    c.exact(strict, [True, True], "both slopes are below 0, never 0")
    falls = np.sign(np.diff(exact["epsilon"])).tolist() == [[-1] * 4] * 2
    c.holds(falls, "exact variances of the ten cells: both fall", method="numeric")

# %% [markdown]
# A table may be read correctly and still be odd. What *should* it contain?
#
# ## What should the experiment print?
#
# ```{prf:definition} Utility (section 6.3; 有用性)
# :label: def-sk-04-utility
# The error of an estimate is $\mathrm{MSE} = \frac{1}{|D|} \sum_{d \in D} (\tilde f(d) - f(d))^2$. The trial is repeated 50
# times, and the mean (平均値) is the value reported.
# ```
#
# The mean of what? Most readers will think: of the 50 errors. That is the *first reading*, and it tells how far one
# survey is off. Let us do it, at the defaults.

# %%
scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=1)
rng = np.random.default_rng(3)
surveys = np.array([scheme.simulate(counts, rng).estimate(items) for _ in range(50)])
print(f"mean of 50 MSEs: {np.mean((surveys - truth) ** 2):,.0f}")
print(f"exact: {scheme.variances(counts).mean():,.0f}")
print("printed: 4,760, 5,360 and 3,680")

# %% [markdown]
# In the mean over the hash functions the estimates are unbiased, so the expected MSE of one survey is the mean of 43
# exact variances, which the first two notebooks derive. No simulation is needed.

# %% jupyter={"source_hidden": true} tags=["set-up"]
assert 3680 in hashes[0] and 4760 in eps[0] and 5360 in width[0]
assert abs(np.mean((surveys - truth) ** 2) / exact["width"][0, 1] - 1) < 0.05
ratio = exact["width"] / width
at_1024 = [ratio.ravel(), (exact["epsilon"] / eps).ravel()]
at_1024 = np.concatenate([*at_1024, (exact["hashes"] / hashes)[:, 4]])  # k = 1024
assert (round(at_1024.min()), round(at_1024.max())) == (13, 99)
assert 2.5 < np.max(hashes[:, 0] / exact["hashes"][:, 0]) < 3.5  # k = 64
at_default = [ratio[:, 1], (exact["epsilon"] / eps)[:, 3], at_1024[-2:]]
assert 35 < np.exp(np.log(at_default).mean()) < 45  # "some forty times"
table(
    {"sketch": np.repeat(list(SCHEMES), 5).tolist(), "m": TABLE["width"][0] * 2,
     "printed": width.ravel().tolist(),
     "exact, first reading": exact["width"].ravel().tolist(),
     "exact over printed": ratio.ravel().tolist()},
    formats={"printed": ",.0f", "exact, first reading": ",.0f",
             "exact over printed": ".1f"},
    caption="MSE by width, k = 1024, ε = 1: printed, and by the first reading.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
in_text = {}
for name, expected in zip(("cms", "hcms"), exact["width"][:, 1]):
    in_text[f"{name}"] = int(round(expected, -3))
shown_ratio = float(np.exp(np.log(ratio).mean()))

# %% [markdown]
# The printed numbers are too *small*, by a factor of 42<!-- {shown_ratio:.0f} --> in the (geometric) mean
# of these ten cells. Fifty trials; a factor near fifty. One suspects the *second reading*: the mean of the 50 *estimates* was
# taken, and then its error.

# %%
print(f"MSE of the mean of 50: {np.mean((surveys.mean(axis=0) - truth) ** 2):,.0f}")

# %% [markdown]
# That is the right size. But dividing by the number of items once too often, by 43, would do as well. The mean of a
# column cannot tell. Its **scatter** can.
#
# ## Mean of squares or square of a mean?
#
# The same configuration stands in the table three times, since the default occurs in each part. How far apart may three
# repetitions be?
#
# - An MSE that is a mean over 43 items *and* 50 runs is a sum of about $43 \cdot 50$ nearly independent squares:
#   relative scatter $\sqrt{2/2150}$.
# - The MSE of *one* vector of averaged estimates is a sum of 43 squares: relative scatter $\sqrt{2/43}$.

# %% jupyter={"source_hidden": true} tags=["set-up"]
default = np.array([eps[:, 3], width[:, 1], hashes[:, 4]])  # three printings
relative = default.std(axis=0, ddof=1) / default.mean(axis=0)
of_squares, of_mean = np.sqrt(2 / (43 * RUNS)), np.sqrt(2 / 43)
assert np.all(relative > 5 * of_squares) and np.all(relative < 1.3 * of_mean)
table(
    {"sketch": list(SCHEMES),
     **{f"by {sign}": default[i].tolist() for i, sign in enumerate("εmk")},
     "relative scatter": relative.tolist(),
     "mean of squares": [float(of_squares)] * 2,
     "square of a mean": [float(of_mean)] * 2},
    formats={"by ε": ",.0f", "by m": ",.0f", "by k": ",.0f",
             "relative scatter": ".3f", "mean of squares": ".3f",
             "square of a mean": ".3f"},
    caption="The default configuration, printed three times, and the scatter that "
    "the two readings expect.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
scatter = float(of_mean)

# %% [markdown]
# The printed numbers scatter like *single* sums of 43 squares. Three numbers are few, though, and a sum of *unequal,
# dependent* squares scatters differently. For all thirty cells we need the law of an MSE.
#
# ## The law of an MSE
#
# A survey's errors are sums over 49,742<!-- {shown_n:,d} --> independent reports, so nearly Gaussian. Their covariance
# comes from single reports. Let $y_d$ be what a report about item $x$ adds to the estimate of $d$: in its row, the de-noised entry in the
# column of $d$, which is $F \frac{c \tilde v + 1}{2}$ for CMS and $F c\, \tilde w H$ for HCMS (and the constant $-\frac Fm$).
#
# Take two items $d$ and $d'$. Where they have *different* columns, the flips are independent (CMS) or the columns of the
# Hadamard matrix orthogonal (HCMS), and $x$ sits in one of the two columns at most: the mean of $y_d y_{d'}$ is 0. Where they share a column, $y_d = y_{d'}$. For HCMS the square is
# always $F^2c^2$. For CMS let $I$ be 1 if $x$ is in that column as well and 0 if not. Then $\tilde v$ has
# the mean $(2I - 1)/c$ and the square 1, so

# %% jupyter={"source_hidden": true} tags=["evidence"]
c_s, inside = sp.symbols("c I", positive=True)
quarter = sp.Rational(1, 4)
of_sign = sp.UnevaluatedExpr((2 * inside - 1) / c_s)
square = sp.Mul(quarter, c_s**2 + 2 * c_s * of_sign + 1, evaluate=False)
noise_part = sp.Mul(quarter, c_s**2 - 1, evaluate=False)
second = derivation(square, of=r"E\, \frac{y_d\, y_{d'}}{F^2}").equal(
    sp.Add(noise_part, inside, evaluate=False), "noise, and a hit"
)
second


# %% [markdown]
# Let $A_{dd'}$ be the share of the rows in which $d$ and $d'$ meet, and $T_{dd'x}$ that in which all three do. Averaged over the
# row, minus the product of the means $F A_{dx}$ and $F A_{d'x}$, and added up over all reports, this gives the covariances of the estimates:
#
# $$ \begin{aligned}
# \text{CMS:}\quad & F^2 \Bigl[ n \tfrac{c^2 - 1}{4}\, A_{dd'} + \sum_x f(x)\, (T_{dd'x} - A_{dx} A_{d'x}) \Bigr], \\
# \text{HCMS:}\quad & F^2 \Bigl[ n c^2 A_{dd'} - \sum_x f(x)\, A_{dx} A_{d'x} \Bigr].
# \end{aligned} $$
#
# That is for given hash functions. Over a random family $A$ and $T$ give way to their means, and the collisions
# move the *mean* of a survey: two items together by $F^2 f(d) f(d') \operatorname{Var} A$, and one by
# $F^2 \operatorname{Var}A \sum_{x \ne d} f(x)^2$. If the errors have bias $b$ and covariance $\Sigma$, a Gaussian law gives the MSE
#
# $$ \text{the mean } \tfrac{1}{43} (b^\top b + \operatorname{tr} \Sigma) \quad\text{and the variance}\quad
# \tfrac{1}{43^2} (2 \operatorname{tr} \Sigma^2 + 4\, b^\top \Sigma\, b). $$

# %% jupyter={"source_hidden": true} tags=["evidence"]
def error_law(scheme, f=truth, constant=0):
    """Bias of the estimates, covariance given the hashes, covariance over the hashes.

    `debias_factor` rows put all items into one column; the other rows are random.
    """
    k, m, F, c = scheme.hashes, scheme.width, scheme.factor, scheme.debias_factor
    n, share = f.sum(), constant / k
    meet = share + (1 - share) / m  # mean of A
    vary = (1 - share) * (m - 1) / (k * m**2)  # variance of A
    others = n - f[:, None] - f
    if scheme.name == "CMS":
        noise, three = (c**2 - 1) / 4, share + (1 - share) / m**2
        within = n * noise * meet + others * (three - meet**2)
        own = n * noise + (n - f) * (meet - meet**2 - vary)
    else:
        within = n * c**2 * meet - others * meet**2 - (f[:, None] + f) * meet
        own = n * c**2 - f - (n - f) * (meet**2 + vary)
    same = np.eye(f.size, dtype=bool)
    within = np.where(same, own, within)
    between = vary * np.where(same, (f**2).sum() - f**2, np.outer(f, f))
    return (n - f) * share, F**2 * within, F**2 * between


def mse_law(bias, covariance):
    """Mean and variance of the mean of the squares of Gaussian errors."""
    mean = bias @ bias + np.trace(covariance)
    variance = 2 * np.sum(covariance**2) + 4 * bias @ covariance @ bias
    return mean / bias.size, variance / bias.size**2


def first(scheme):
    """First reading: the MSE of each of 50 runs, then the mean."""
    bias, within, between = error_law(scheme)
    mean, variance = mse_law(bias, within + between)
    return mean, variance / RUNS


def second_reading(scheme, constant=0):
    """Mean of 50 estimates with the same hash functions, then the MSE."""
    bias, within, between = error_law(scheme, constant=constant)
    return mse_law(bias, within / RUNS + between)


def enumerated(name, constant):
    """The error law of four users by all hash families and all reports; m = k = 2."""
    f, F, c = np.array([2.0, 1.0, 1.0]), 2.0, {"CMS": 2.0, "HCMS": 5 / 4}[name]
    keep = (1 + 1 / c) / 2
    means, within = [], []
    for signs in product((0, 1), repeat=3 * (2 - constant)):
        rows = [(0, 0, 0)] * constant
        rows += [signs[i : i + 3] for i in range(0, len(signs), 3)]
        mean, covariance = np.zeros(3), np.zeros((3, 3))
        for x in range(3):
            first_two = np.zeros(3), np.zeros((3, 3))
            for row, u, v in product(rows, (1, -1), (1, -1)):
                if name == "CMS":  # u, v: the signs in columns 0 and 1
                    own = np.where(np.arange(2) == row[x], 1, -1)
                    right = [s == o for s, o in zip((u, v), own)]
                    chance = math.prod(keep if told else 1 - keep for told in right)
                    y = [F * ((c * (u, v)[h] + 1) / 2 - 1 / 2) for h in row]
                else:  # v: the column of the Hadamard matrix, u: the bit
                    entry = [1 if v == 1 or h == 0 else -1 for h in (0, 1)]
                    chance = (keep if u == entry[row[x]] else 1 - keep) / 2
                    y = [F * (c * u * entry[h] - 1 / 2) for h in row]
                first_two[0][:] += chance / 2 * np.array(y)
                first_two[1][:] += chance / 2 * np.outer(y, y)
            mean += f[x] * first_two[0]
            covariance += f[x] * (first_two[1] - np.outer(first_two[0], first_two[0]))
        means.append(mean)
        within.append(covariance)
    between = np.cov(np.array(means).T, bias=True)
    return np.mean(means, axis=0) - f, np.mean(within, axis=0), between


small_worlds, by_formula = [], []
for name, level in (("CMS", 2 * math.log(3)), ("HCMS", math.log(9))):
    for constant in (0, 1):
        tiny = SCHEMES[name](level, hashes=2, width=2, seed=0)
        listed = enumerated(name, constant)
        small_worlds += [np.concatenate([v.ravel() for v in listed])]
        law = error_law(tiny, np.array([2.0, 1.0, 1.0]), constant)
        by_formula += [np.concatenate([v.ravel() for v in law])]
assert np.allclose(small_worlds, by_formula, atol=1e-12)
for part in TABLE:  # the package's exact variances are another route to the diagonal
    for s in [s for row in CELLS[part] for s in row]:
        _, within, between = error_law(s)
        assert np.allclose(np.diag(within + between), s.variances(counts))


# %% [markdown]
# (Four users, three items, $m = k = 2$: all hash families and all reports, enumerated, have these covariances.) A sum of
# unequal squares is close to a multiple of $\chi^2_\nu$ with the same mean $\mu$ and variance $\sigma^2$,
# that is $\nu = 2\mu^2/\sigma^2$, and the cube root of a $\chi^2$ is close to normal {cite:p}`wilson1931distribution`. That
# turns each printed cell into a $z$-score under each reading. Before we look: a cell *fits* if chance takes it so far
# away in more than one case of a hundred, $|z| \le 2.58$, and ten cells fit together if the sum of their $z^2$ is at most
# 23.2<!-- {shown_chance:.1f} -->, which chance exceeds once in a hundred tables.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def z_score(value, mean, variance):
    """How many standard deviations, on the scale on which the law is normal."""
    nu = 2 * mean**2 / variance
    return ((value / mean) ** (1 / 3) - 1 + 2 / (9 * nu)) * np.sqrt(9 * nu / 2)


def compare(model, part):
    """Mean, standard deviation and z of the ten cells of a part, each (2, 5)."""
    law = np.array([[model(scheme) for scheme in row] for row in CELLS[part]])
    mean, variance = law[..., 0], law[..., 1]
    return mean, np.sqrt(variance), z_score(PRINTED[part], mean, variance)


def chi_square(model, part=None):
    parts = TABLE if part is None else [part]
    return float(sum(np.sum(compare(model, p)[2] ** 2) for p in parts))


FITS, by_chance = norm.isf(0.005), chi2.isf(0.01, 10)
assert round(FITS, 2) == 2.58
shown_chance = float(by_chance)
chi2_m = round(chi_square(second_reading, "width"), 6)
with claim("S-T3.m") as c:
    found = chi_square(second_reading, "width")
    label = f"mean of 50 estimates: χ² = {found:.1f} on ten cells, fits"
    c.decisive("simulated").at_most(found, by_chance, label)
    apart = np.abs(compare(second_reading, "width")[2])
    c.at_most(apart, FITS, "and so does each of the ten cells")
    low = float(np.max(compare(first, "width")[2]))
    label = (
        f"read as the mean of 50 errors all ten cells are low, by {-low:.0f} sd or "
        "more; CMS at m = 128"
    )
    pair = int(width[0, 1]), int(round(exact["width"][0, 1], -3))
    c.limit(*pair, label)
    assert (round(low), round(found, 1), pair) == (-67, 7.9, (5360, 199_000))

# %% [markdown]
# On the ten cells by $m$ the second reading has $\chi^2 =$ 7.9<!-- {chi2_m:.1f} -->. It fits; the first does not, and
# which of them was meant the text does not say. We take the one that fits.
#
# ## What happens for few hash functions?
#
# So far, so good. Now the part of the table that varies $k$.

# %% jupyter={"source_hidden": true} tags=["set-up"]
mean, sd, z = compare(second_reading, "hashes")
one_run = exact["hashes"]
table(
    {"sketch": np.repeat(list(SCHEMES), 5).tolist(), "k": TABLE["hashes"][0] * 2,
     "printed": hashes.ravel().tolist(), "first reading": one_run.ravel().tolist(),
     "second reading": mean.ravel().tolist(), "its sd": sd.ravel().tolist(),
     "z of the printed value": z.ravel().tolist()},
    formats={"printed": ",.0f", "first reading": ",.0f", "second reading": ",.0f",
             "its sd": ",.0f", "z of the printed value": ".1f"},
    caption="MSE by number of hash functions, m = 128, ε = 1.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
worst = float(z.max())
growth = [hashes[0, 0] / hashes[0, 4], one_run[0, 0] / one_run[0, 4]]
shown_growth = round(float(growth[0]))
growth_exact = float(100 * (growth[1] - 1))
with claim("S-T3.k") as c:
    high = compare(first, "hashes")[2][:, 0]
    label = f"first reading, k = 64: printed high by {high.min():.0f} sd or more"
    c.at_most(FITS, high, label)
    low = compare(first, "hashes")[2][:, 4]
    label = f"first reading, k = 1024: low by {-low.max():.0f} sd or more"
    c.at_most(low, -FITS, label)
    again = z[:, 0]
    label = f"second reading, k = 64: high by {again.min():.0f} sd or more"
    c.at_most(FITS, again, label)
    assert [round(x) for x in (high.min(), low.max(), again.min())] == [34, -70, 34]
    rng = np.random.default_rng(7)
    for (name, make), expected in zip(SCHEMES.items(), one_run[:, 0]):
        trials = [make(1.0, hashes=64, width=128, seed=i) for i in range(100)]
        mses = [
            np.mean((s.simulate(counts, rng).estimate(items) - truth) ** 2)
            for s in trials
        ]
        stderr = np.std(mses) / 10
        label = f"{name}, k = 64: mean MSE of 100 surveys, and exact {expected:,.0f}"
        c.sampled(np.mean(mses), expected, label, stderr=stderr)
    c.missing("the code: neither reading of the text gives these ten cells")

# %% [markdown]
# The second reading gives $k = 1024$ and fails below, by as much as 35<!-- {worst:.0f} --> standard deviations. In the first one
# the number of hash functions hardly matters: the users are spread over the rows, and the noise does not care how many rows
# there are. From 1024 rows down to 64 costs 5<!-- {growth_exact:.0f} --> % of accuracy. In print the error grows
# 167<!-- {shown_growth} -->-fold.
#
# What is left over after subtracting the noise? If it is a bias $b$ per item, then $b^2$ is the excess of the MSE.

# %% jupyter={"source_hidden": true} tags=["set-up"]
excess = hashes - mean
share = np.sqrt(np.where(excess > 0, excess, np.nan) / np.mean((n - truth) ** 2))
in_rows = share * TABLE["hashes"][0]
assert np.all(np.abs(in_rows[:, :4] - 1) < 0.12)
table(
    {"sketch": list(SCHEMES),
     **{f"k = {k}": ["none" if np.isnan(v) else f"{v:.2f}" for v in column]
        for k, column in zip(TABLE["hashes"][0], in_rows.T)}},
    caption="k times the bias that would explain the excess, in units of the other "
    "users, n − f.",
)  # fmt: skip

# %% [markdown]
# Up to $k = 512$ the bias is **one $k$-th of the other users**, within an eighth of that. As if one row in $k$ counted everybody.
#
# ## A hypothesis: one constant row
#
# Suppose that one of the $k$ hash functions sends *all* items into the same column. Whoever draws this row
# is counted for every item.
#
# ```{prf:proposition} Bias of colliding rows
# :label: thm-sk-04-bias
# If two different items collide in a mean share $A = \frac1m + \bigl(1 - \frac1m\bigr) s$ of the rows, the estimate of
# an item with $f$ of $n$ users has the mean $f + s\,(n - f)$. One constant row among $k$, the others random,
# has $s = \frac1k$.
# ```
#
# For the first half, put $A$ into the estimator. The item's own users are always in its column, the others in a share
# $A$ of the rows:

# %% jupyter={"source_hidden": true} tags=["evidence"]
m_s, k_s, n_s, f_s, s_s = sp.symbols("m k n f s", positive=True)
meet = 1 / m_s + (1 - 1 / m_s) * s_s
start = m_s / (m_s - 1) * (f_s + (n_s - f_s) * meet - n_s / m_s)
bias_chain = (
    derivation(start, of=r"E \tilde f", names={})
    .equal(
        m_s / (m_s - 1) * ((1 - 1 / m_s) * f_s + (n_s - f_s) * (meet - 1 / m_s)),
        "n/m = f/m + (n − f)/m",
    )
    .equal(f_s + s_s * (n_s - f_s), "cancel 1 − 1/m")
)
bias_chain

# %% [markdown]
# For the second, one row has a collision surely and $k - 1$ with chance $1/m$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
one_constant = 1 / k_s + (k_s - 1) / k_s / m_s
share_chain = derivation(one_constant, of="A").equal(
    meet.subs(s_s, 1 / k_s), "sort by powers of k"
)
share_chain

# %% [markdown]
# Does it give the scale? One survey's sketch with $k = 64$, its first hash function made constant; 50 surveys, the
# mean, its error.

# %%
rows = TabulationFamily(64, 128, seed=1).positions(items)
rows[:, 0] = 0  # the first hash function sends all items to one column
family = ExplicitFamily(dict(zip(items, rows.tolist())), width=128)
biased = CountMeanSketch.with_family(1.0, family)
surveys = np.array([biased.simulate(counts, rng).estimate(items) for _ in range(50)])
print(f"MSE of the mean of 50: {np.mean((surveys.mean(axis=0) - truth) ** 2):,.0f}")
print("printed: 613,030")


# %% [markdown]
# That is its size. How well does the hypothesis do on the rest?
#
# ## All thirty cells beside three models
#
# The first reading, the second, and the second with one constant row: each predicts a mean and a
# scatter for every cell.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def one_row(scheme):
    """Mean of 50 estimates, the same hashes, one of them constant; then the MSE."""
    return second_reading(scheme, constant=1)


def renewed(scheme, constant=0):
    """Mean of 50 estimates with new hash functions each time, then the MSE."""
    bias, within, between = error_law(scheme, constant=constant)
    return mse_law(bias, (within + between) / RUNS)


def other_rows_new(scheme):
    """One constant row, the others new in each run."""
    return renewed(scheme, 1)


MODELS = {"first": first, "second": second_reading, "one row": one_row}
RESULT = {
    name: {p: compare(model, p) for p in TABLE} for name, model in MODELS.items()
}
assert min(PRINTED[part].min() for part in TABLE) > 1000
cells = [(part, j, i) for part in TABLE for j in range(5) for i in range(2)]
columns = {
    "cell": [
        f"{SIGNS[p]} = {TABLE[p][0][j]:g}, {[*SCHEMES][i]}" for p, j, i in cells
    ],
    "printed": [float(PRINTED[p][i, j] / 1000) for p, j, i in cells],
}
for name, result in RESULT.items():
    columns[name] = [float(result[p][0][i, j] / 1000) for p, j, i in cells]
    columns[f"z, {name}"] = [float(result[p][2][i, j]) for p, j, i in cells]
table(
    columns,
    formats={head: ".2f" if head == "printed" else ".1f" for head in [*columns][1:]},
    caption="MSE in thousands: printed, expected under the two readings and the "
    "second with one constant row, and the z-score of the printed value.",
)

# %% jupyter={"source_hidden": true} tags=["set-up"]
fits = {
    name: sum(int(np.sum(np.abs(v[2]) <= FITS)) for v in result.values())
    for name, result in RESULT.items()
}
sums = {name: [chi_square(model, p) for p in TABLE] for name, model in MODELS.items()}
p_all = {name: float(chi2.sf(sum(each), 30)) for name, each in sums.items()}
table(
    {"model": list(MODELS), "cells that fit": list(fits.values()),
     **{f"χ², {sign} part": [each[i] for each in sums.values()]
        for i, sign in enumerate("εmk")},
     "χ², all": [sum(each) for each in sums.values()],
     "p": [f"{p:.4f}" if p > 1e-4 else "< 0.0001" for p in p_all.values()]},
    formats=dict.fromkeys((f"χ², {part}" for part in
                           ("ε part", "m part", "k part", "all")), ",.1f"),
    caption="Thirty cells, three models. Ten cells fit together up to 23.2.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert round(by_chance, 1) == 23.2
fit = fits["one row"]
shown_chi2 = round(sum(sums["one row"]), 6)
shown_p = round(p_all["one row"], 8)
p_new = float(chi2.sf(chi_square(other_rows_new), 30))
shown_p_new = round(p_new, 8)


def scale_of(model):
    """Printed over expected: geometric mean of the thirty cells, and its z."""
    law = np.array([[[model(s) for s in row] for row in CELLS[p]] for p in TABLE])
    half = law[..., 0] ** 2 / law[..., 1]  # half the degrees of freedom, per cell
    logs = np.log(np.array([PRINTED[p] for p in TABLE]) / law[..., 0])
    centre, sd = digamma(half) - np.log(half), np.sqrt(polygamma(1, half))
    z = (logs.mean() - centre.mean()) * logs.size / np.sqrt(np.sum(sd**2))
    return float(np.exp(logs.mean())), float(z)


def pulled_by(model):
    """The z-scores of all cells, added with their signs, over root 30."""
    return float(sum(compare(model, p)[2].sum() for p in TABLE) / np.sqrt(30))


scales = {name: scale_of(m) for name, m in (("", one_row), ("-new", other_rows_new))}
for name, (value, z_value) in scales.items():
    in_text[f"scale{name}"] = round(value, 6)
    in_text[f"scale-z{name}"] = round(-z_value, 6)
shown_pulled = round(-pulled_by(one_row), 6)
assert p_all["one row"] < 0.01 < p_new  # our rule: one table in a hundred
assert max(sums["one row"]) < by_chance  # each part of ten cells fits
assert scales[""][1] < -FITS and scales["-new"][1] < 0

# %% [markdown]
# With one constant row 29<!-- {fit} --> of the 30 cells fit, and so does each part of the table. That is not the end of it: thirty
# small misses add up, and chance brings so much together in 0.006<!-- {shown_p:.3f} --> of all tables. (If the other rows are drawn anew
# in each run, in 0.012<!-- {shown_p_new:.3f} -->.) By our rule, one in a hundred, the first does not fit and the second just does.
#
# The misses also have a direction. Printed over expected is 0.83<!-- {in_text['scale']:.2f} --> in the geometric mean of the thirty cells.
# That is within a fifth of 1, and yet 4.5<!-- {in_text['scale-z']:.1f} --> standard deviations below what chance gives
# around the model; the sum of all thirty $z$, over $\sqrt{30}$, says it too: $-$3.9<!-- {shown_pulled:.1f} -->. (With the other rows
# renewed 0.88<!-- {in_text['scale-new']:.2f} -->, and 2.9<!-- {in_text['scale-z-new']:.1f} --> standard deviations.)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Figures 4, 5 and 6 of the paper, rebuilt from Table 3 (circles: CMS, squares: HCMS), beside three hypotheses: mean \u00b1 2 standard deviations for CMS; away from the \u03b5 panel the bands for HCMS lie at most 19 % higher. The first reading lies far above all points of the middle panel and is flat in the right one. Averaging 50 estimates comes near the scale, one constant row gives the slope.", "name": "fig-sk-04-models"}, "image": {"alt": "Three logarithmic panels. Left: printed points fall with \u03b5 from 600 thousand to 4 thousand. Middle: printed points between 3.5 and 7.6 thousand, flat in the width, inside the band of the averaged estimates; the first reading is 200 thousand. Right: printed points fall from 600 thousand at 64 hash functions to 4 thousand at 1024, along the band of the model with one constant row; the first reading is a flat line at 200 thousand."}} tags=["figure"]
assert (width.min(), width.max()) == (3520, 7640)
assert hashes[:, 0].min() > 590_000 and eps[:, 0].max() < 620_000
assert np.all(np.abs(np.array(RESULT["first"]["width"][0][0]) / 2e5 - 1) < 0.1)
assert np.all(np.abs(np.array(RESULT["first"]["hashes"][0][0]) / 2e5 - 1) < 0.1)
higher = [RESULT[name][part][0] for name in MODELS for part in ("width", "hashes")]
assert 1.185 < max((v[1] / v[0]).max() for v in higher) < 1.195
fig, axes = plots.panels(1, 3, height=4.0, width=8.5, sharey=True)
colours = [plots.COLOURS[name] for name in ("grey", "sky", "orange")]
names = ("first reading: mean of 50 MSEs", "second: mean of 50 estimates",
         "… and one constant row")  # fmt: skip
marks = {"CMS": ("o", "black", 0.97), "HCMS": ("s", "white", 1.03)}  # a little apart
drawn = {}
for ax, part in zip(axes, TABLE):
    values = np.array(TABLE[part][0])
    for name, result, colour in zip(names, RESULT.values(), colours):
        mean, sd, _ = (v[0] / 1000 for v in result[part])
        band = {"color": colour, "alpha": 0.35, "lw": 0}
        ax.fill_between(values, mean - 2 * sd, mean + 2 * sd, **band)
        ax.plot(values, mean, color=colour, ls="-", label=name)
    for (name, (mark, fill, shift)), row in zip(marks.items(), PRINTED[part]):
        style = {"color": "black", "mfc": fill, "ms": 5, "ls": "none"}
        style["label"] = f"printed, {name}"
        drawn[part, name] = ax.plot(values * shift, row / 1000, mark, **style)[0]
    ax.set(xscale="log", yscale="log")
    ax.set_xticks(values, [f"{v:g}" for v in values], fontsize=8)
    ax.minorticks_off()
axes[0].set(xlabel="privacy level ε", ylabel="MSE (thousands of squared records)")
axes[1].set(xlabel="width m")
axes[2].set(xlabel="hash functions k")
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
plt.show()

# %% [markdown]
# The orange band goes through the right panel. In the middle one it lies too high for the filled circles: seven
# CMS cells have $\varepsilon = 1$ and $k = 1024$, and all of them are below its middle, together by
# 4.5<!-- {shown_seven:.1f} --> standard deviations. (We chose these seven after looking; the sum over all thirty cells we did not.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
z = {part: RESULT["one row"][part][2] for part in TABLE}
seven = np.array([z["epsilon"][0, 3], *z["width"][0], z["hashes"][0, 4]])
pulled = seven.sum() / np.sqrt(seven.size)
assert np.all(seven < 0)
shown_seven = float(-pulled)
z_none = {part: RESULT["second"][part][2] for part in TABLE}  # without the bias
for name, each in (("with", z), ("without", z_none)):
    fourteen = np.array([*each["epsilon"][:, 3], *each["width"].ravel(),
                         *each["hashes"][:, 4]])  # fmt: skip
    in_text[f"14-{name}"] = round(float(np.sum(fourteen**2)), 6)
    for sketch, value in zip(("cms", "hcms"), each["epsilon"][:, 4]):  # ε = 2
        in_text[f"2-{name}-{sketch}"] = round(float(value), 6)
    assert (np.max(np.abs(each["epsilon"][:, 4])) < 1) == (name == "with")
    assert fourteen.size == 14 and (np.sum(fourteen**2) < 20) == (name == "without")


def tabulated(make, seed):
    """The scheme at k = 64 with random hash functions, the first of them constant."""
    positions = TabulationFamily(64, 128, seed=seed).positions(items)
    positions[:, 0] = 0
    return make.with_family(
        1.0, ExplicitFamily(dict(zip(items, positions.tolist())), 128)
    )


def replica(make, seed):
    """One printing of the cell k = 64 under the hypothesis."""
    scheme = tabulated(make, seed)
    estimates = [scheme.simulate(counts, rng).estimate(items) for _ in range(RUNS)]
    return np.mean((np.mean(estimates, axis=0) - truth) ** 2)


replicas = {
    name: np.array([replica(make, seed) for seed in range(20)])
    for name, make in SCHEMES.items()
}
by_quantile = []
for part in TABLE:
    law = np.array([[one_row(s) for s in row] for row in CELLS[part]])
    nu = 2 * law[..., 0] ** 2 / law[..., 1]
    by_quantile.append(norm.isf(chi2.sf(nu * PRINTED[part] / law[..., 0], nu)))

with claim("S-B20") as c:
    ours = [chi_square(one_row, part) for part in TABLE]
    quantiles = [float(np.sum(v**2)) for v in by_quantile]
    label = "χ² of the parts: by cube roots, by quantiles"
    c.close(ours, quantiles, label, rtol=0.02)
    label = f"dependence on k: χ² = {ours[2]:.1f} on ten cells"
    c.decisive("one example").at_most(ours[2], by_chance, label)
    found = [value for value, _ in scales.values()]
    label = "printed over expected, mean of thirty cells, rows kept or renewed"
    c.decisive("one example").close(found, [1.0, 1.0], label, rtol=0, atol=0.2)
    label = f"the first of them: {-scales[''][1]:.1f} sd low, more than chance"
    c.decisive("one example").at_most(FITS, -scales[""][1], label)
    p_values = [float(chi2.sf(chi_square(m), 30)) for m in (one_row, other_rows_new)]
    label = f"thirty cells, other rows kept: p = {p_values[0]:.4f}, does not fit"
    c.decisive("one example").at_most(p_values[0], 0.01, label)
    label = f"thirty cells, other rows renewed: p = {p_values[1]:.4f}, just fits"
    c.decisive("one example").at_most(0.01, p_values[1], label)
    label = "four users: bias and covariances, all families and reports"
    c.close(small_worlds, by_formula, label, rtol=1e-9, atol=1e-12)
    c.derived(bias_chain, start, f_s + s_s * (n_s - f_s), "bias of colliding rows")
    for name, row in zip(SCHEMES, CELLS["hashes"]):
        want, variance = one_row(row[0])
        found = replicas[name]
        label = f"{name}, k = 64: 20 simulated printings and the formula {want:,.0f}"
        c.sampled(found.mean(), want, label, stderr=np.sqrt(variance / found.size))
        label = f"{name}: their variance"
        c.sampled(found.var(ddof=1) / variance, 1.0, label, stderr=np.sqrt(2 / 19))
with claim("S-Fg4-6") as c:
    at = {part: [drawn[part, name].get_ydata() for name in SCHEMES] for part in TABLE}
    larger = [at["epsilon"][1][3] / at["epsilon"][0][3],
              at["width"][1][4] / at["width"][0][4]]  # fmt: skip
    label = "points at ε = 1 and m = 1024: HCMS over CMS, and the text's 89.7, 52.8 %"
    c.close(larger, [1.897, 1.528], label, rtol=0, atol=0.0005)
    c.source_incomplete("the three pictures: our copy has their captions, and Table 3")


# %% [markdown]
# ## What else could it be?
#
# A hypothesis that fits is worth as much as the alternatives that do not. Each line below is one of them,
# with its prediction at $k = 64$ and at the defaults, and its $\chi^2$ over the thirty cells. The last four need hash functions
# that somebody really uses. [pure-ldp](https://github.com/Samuel-Maddock/pure-LDP), a public package with CMS and HCMS, takes xxHash with the
# keys 0 to $k - 1$, the same ones in every run. As its published source defines them we can compute them, for the names A1 to A43 and for the
# numbers 1 to 43.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def divided(scheme, by):
    mean, variance = first(scheme)
    return mean / by, variance / by**2


def clipped(scheme):  # each run's negative estimates set to zero, then averaged
    sd = np.sqrt(np.diag(sum(error_law(scheme)[1:])))
    t = truth / sd
    once = truth * norm.cdf(t) + sd * norm.pdf(t)
    twice = (truth**2 + sd**2) * norm.cdf(t) + truth * sd * norm.pdf(t)
    return mse_law(once - truth, np.diag(twice - once**2) / RUNS)


def dropped(scheme):  # one row is left out of the sum, which is still divided by k
    _, within, between = error_law(scheme)
    bias = -(truth + n / (scheme.width - 1)) / scheme.hashes
    return mse_law(bias, within / RUNS + between)


def printed_constant(scheme):  # HCMS de-noised with the constant of section 3
    if scheme.name == "CMS":
        return second_reading(scheme)
    scale = 1 / np.tanh(scheme.epsilon / 4) / scheme.debias_factor
    _, within, between = error_law(scheme)
    bias = (scale - 1) * (truth + n / (scheme.width - 1))
    return mse_law(bias, scale**2 * (within / RUNS + between))


WORD = 2**64
P1, P2, P3 = 11400714785074694791, 14029467366897019727, 1609587929392839161
P5 = 2870177450012600261


def xxh64(text, key):
    """xxHash of less than four bytes, as its specification defines it."""
    h = (key + P5 + len(text)) % WORD
    for byte in text:
        h ^= byte * P5 % WORD
        h = (h << 11 | h >> 53) % WORD * P1 % WORD
    for shift, prime in ((33, P2), (29, P3), (32, 1)):
        h = (h ^ h >> shift) * prime % WORD
    return h


assert xxh64(b"", 0) == 0xEF46DB3751D8E999  # published test values
assert xxh64(b"a", 0) == 0xD24EC4F1A98C6E5B
NAMES = {"names": items, "numbers": [str(i) for i in range(1, 44)]}
DIGESTS = {
    kind: np.array(
        [[xxh64(w.encode(), key) for key in range(1024)] for w in words],
        dtype=np.uint64,
    )
    for kind, words in NAMES.items()
}


def fixed_law(scheme, positions):
    """Bias and covariance of the estimates for given hash functions."""
    F, c = scheme.factor, scheme.debias_factor
    meet = positions[:, None] == positions  # (items, items, rows)
    A = meet.mean(axis=2)
    load = np.einsum("x,dxj->dj", truth, meet)  # users in the column of d
    bias = F * (A @ truth - n / scheme.width) - truth
    product_of_means = (A * truth) @ A
    if scheme.name == "CMS":
        hits = np.mean(meet * load[:, None], axis=2)  # sum over x of f(x) T
        inside = n * (c**2 - 1) / 4 * A + hits - product_of_means
    else:
        inside = n * c**2 * A - product_of_means
    return bias, F**2 * inside


def public(kind, reading):
    """pure-ldp's hash functions under one of the readings."""

    def model(scheme):
        keyed = DIGESTS[kind][:, : scheme.hashes] % np.uint64(scheme.width)
        bias, covariance = fixed_law(scheme, keyed)
        if reading == 2:
            return mse_law(bias, covariance / RUNS)
        mean, variance = mse_law(bias, covariance)
        return mean, variance / RUNS

    return model


# %% jupyter={"source_hidden": true} tags=["set-up"]
OTHERS = {
    "50 MSEs, their mean (first reading)": first,
    "the same, divided by 43 once more": lambda scheme: divided(scheme, 43),
    "the same, divided by 50 once more": lambda scheme: divided(scheme, 50),
    "50 estimates, new hashes each run": renewed,
    "50 estimates, hashes kept (second reading)": second_reading,
    "50 estimates, clipped at zero": clipped,
    "50 estimates, one row dropped": dropped,
    "50 estimates, printed HCMS constant": printed_constant,
    "50 estimates, one constant row": one_row,
    "the same, other rows renewed": other_rows_new,
    "pure-ldp's hashes, names, first reading": public("names", 1),
    "pure-ldp's hashes, names, second reading": public("names", 2),
    "pure-ldp's hashes, numbers, first reading": public("numbers", 1),
    "pure-ldp's hashes, numbers, second reading": public("numbers", 2),
}
found = {name: chi_square(model) for name, model in OTHERS.items()}
at = [
    [float(model(row[j])[0] / 1000) for model in OTHERS.values()]
    for j in (0, 4)
    for row in CELLS["hashes"]
]
heads = ["k = 64: CMS", "k = 64: HCMS", "defaults: CMS", "defaults: HCMS"]
table(
    {"what was run": [*OTHERS, "printed"],
     **{head: [*column, float(printed)] for head, column, printed
        in zip(heads, at, (613.03, 596.29, 3.68, 5.81))},
     "χ²": [f"{v:,.0f}" for v in found.values()] + [""]},
    formats=dict.fromkeys(heads, ".1f"),
    caption="Fourteen procedures: expected MSE in thousands, χ² over thirty cells.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
near = [name for name, value in found.items() if value < 100]
assert near == ["50 estimates, one constant row", "the same, other rows renewed"]
assert min(v for name, v in found.items() if name not in near) > 1000
assert len(found) == 14


def excess_of(positions, width=128):
    """k·s, for s the mean excess of collisions of two different items."""
    meet = (positions[:, None] == positions).mean(axis=2)
    pairs = meet[np.triu_indices(43, 1)].mean()
    return positions.shape[1] * (pairs - 1 / width) / (1 - 1 / width)


def polynomials(k, seed):
    """Hash values of 43 numbers by random quadratic polynomials modulo a prime."""
    draw = np.random.default_rng(seed)
    p = int(sp.prevprime(int(draw.integers(10**6, 10**7))))
    x = draw.integers(0, p, size=(43, 1))  # the digests of the items
    a, b, c = draw.integers(1, p, size=(3, k))
    return (a + b * x % p + c * (x * x % p) % p) % p % 128


with claim("S-B20.public") as c:
    s = CELLS["hashes"][0][0]
    keyed = (DIGESTS["names"][:, :64] % np.uint64(128)).astype(int)
    package = CountMeanSketch.with_family(
        1.0, ExplicitFamily(dict(zip(items, keyed.tolist())), 128)
    )
    moments = package.moments(counts)
    expected = np.mean((moments.mean - truth) ** 2 + moments.variance)
    label = "names, k = 64, first reading: our formula and the package"
    c.close(public("names", 1)(s)[0], expected, label)
    for k in (64, 1024):
        by_program = [excess_of(d[:, :k] % np.uint64(128)) for d in DIGESTS.values()]
        drawings = [excess_of(polynomials(k, seed)) for seed in range(20)]
        by_program += [np.mean(drawings)]
        spread = np.sqrt(k / 127 / (43 * 42 / 2))  # of one family
        spread = spread / np.sqrt([1, 1, 20])
        label = f"k = {k}: k·s of pure-ldp (names, numbers), of random polynomials"
        c.decisive("one example").sampled(by_program, 0.0, label, stderr=spread)
    fours = [value for name, value in found.items() if "pure" in name]
    label = "pure-ldp, names and numbers, two readings: χ² of thirty cells above 1000"
    c.decisive("one example").at_most(1000.0, fours, label)
shown_public = float(excess_of(keyed))

# %% [markdown]
# Of these fourteen only the two with a bias of one $k$-th come near. Division by 43 hits the scale and misses the scatter; averaging alone
# hits the defaults and misses $k$; hash functions that are kept for all runs leave collisions, whose part of the
# MSE grows like $1/k$ as $k$ falls, where the print needs $1/k^2$.
#
# And neither of two public programs has such a row. In pure-ldp's family, $k s$ is -0.04<!-- {shown_public:.2f} --> at $k = 64$ (names), where
# {prf:ref}`thm-sk-04-bias` needs 1; its predictions are close to those of random hash functions. A second one,
# [clip-protocol](https://github.com/martaajonees/clip-protocol), draws quadratic polynomials modulo a prime, none of whose coefficients may
# be zero: no constant row either, and no excess. (Its first version is of November 2024; the paper, undated, cites nothing after 2023, so this program may be the younger.) If a row was constant, the program was another one. (Averaging
# is done by whoever calls such a program.)
#
# ## What may be concluded, and what not
#
# **Safe.** At the defaults the printed MSEs are some forty times smaller than that of one survey; as far as three printings of one
# configuration tell, they scatter like single sums of 43 squares; their dependence on $k$ is not that of either reading. For these statements only the table,
# the data and exact variances are needed.
#
# **A hypothesis.** "Estimates averaged before squaring, and one constant hash row" gives the slope and comes within a fifth of the scale.
# So would *any* mean excess of collisions near $1/k$: the numbers know only the share $s$ of
# {prf:ref}`thm-sk-04-bias`. And averaging is a hypothesis too, although the text allows it: alone it fits the ten cells by $m$, and neither of the other two parts.
#
# **Not explained.** At the 50 runs stated, and with the other rows kept, $\chi^2 =$ 53.0<!-- {shown_chi2:.1f} --> on 30 cells ($p =$
# 0.006<!-- {shown_p:.3f} -->) is too much, and the printed numbers are too low as a whole; with the other rows renewed the fit is poor ($p =$
# 0.012<!-- {shown_p_new:.3f} -->). The strongest evidence against the hypothesis is a contradiction within $k = 1024$. At $\varepsilon = 1$ the
# fourteen cells fit better without the bias: $\chi^2 =$ 16.4<!-- {in_text['14-without']:.1f} -->, with it 29.6<!-- {in_text['14-with']:.1f} -->, and the seven of CMS
# all lie low. At $\varepsilon = 2$ the bias is needed: without it the two cells are at $z =$ 4.6<!-- {in_text['2-without-cms']:.1f} --> and
# 4.3<!-- {in_text['2-without-hcms']:.1f} -->, with it at -0.1<!-- {in_text['2-with-cms']:.1f} --> and 0.7<!-- {in_text['2-with-hcms']:.1f} -->. We
# have no code of the experiment, and leave it there.

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("S-T3.e") as c:
    low = float(np.max(compare(first, "epsilon")[2]))
    label = f"first reading: all ten cells low, by {-low:.0f} sd or more"
    c.at_most(low, -FITS, label)
    chi = chi_square(second_reading, "epsilon")
    label = f"second reading: χ² = {chi:.1f} on ten cells, does not fit"
    c.at_most(by_chance, chi, label)
    assert (round(low), round(chi, 1)) == (-56, 61.8)
    c.missing("the code: neither reading of the text gives these ten cells")
with claim("S-6.6") as c:
    far = np.array([np.abs(compare(first, part)[2]) for part in TABLE])
    label = f"mean of 50 MSEs: all thirty cells off, by {far.min():.0f} sd or more"
    c.at_most(FITS, far, label)
    by_part = {part: chi_square(second_reading, part) for part in TABLE}
    c.at_most(by_part["width"], by_chance, "MSE of the mean of 50: the m part fits")
    others = [by_part["epsilon"], by_part["hashes"]]
    c.at_most(by_chance, others, "the same: the ε part and the k part do not")
    assert round(far.min()) == 7
    c.missing("of what the mean is taken; neither reading gives all of Table 3")

# %% [markdown]
# For the reader of the paper: CMS *is* the more accurate scheme, as the table says and the theory
# confirms. The absolute errors and the dependence on $k$ are better taken from the exact formulas. If the second reading is what was meant, the
# table is about fifty surveys of one crowd pooled, which costs each of them $50\varepsilon$.
#
# ## How much more accurate is CMS?
#
# The text calls CMS 89.7 % more accurate at $\varepsilon = 1$, and 52.8 % at $m = 1024$. With the reciprocal of the MSE as the accuracy, that is what the
# table has. The MSE of CMS is then 47.3<!-- {in_text['less-0']:.1f} --> % and 34.6<!-- {in_text['less-1']:.1f} --> % smaller.

# %% jupyter={"source_hidden": true} tags=["evidence"]
for i, (claim_id, said, smaller, cms, hcms) in enumerate([
    ("S-6.11", 89.7, 47.3, "4.76", "9.03"),
    ("S-6.13", 52.8, 34.6, "3.52", "5.38"),
]):  # fmt: skip
    with claim(claim_id) as c:
        more = 100 * float(Fraction(hcms) / Fraction(cms) - 1)
        label = f"MSE {cms} against {hcms}: accuracy, the reciprocal, larger by, in %"
        c.decisive("one example").close(more, said, label, rtol=0, atol=0.05)
        less = 100 * (1 - 1 / (1 + more / 100))
        c.close(less, smaller, "and the MSE smaller by", rtol=0, atol=0.05)
    in_text[f"less-{i}"] = round(less, 6)
for i, (cms, hcms) in enumerate(default):
    in_text[f"b{i}"] = round(float(100 * (hcms / cms - 1)))
theory = 100 * (exact["width"][1] / exact["width"][0] - 1)
shown_theory = float(theory[1])

# %% [markdown]
# The same configuration gives 90<!-- {in_text['b0']} --> %, 43<!-- {in_text['b1']} --> % and 58<!-- {in_text['b2']} --> % in the three parts of the
# table, which is again its scatter. In theory the MSE of HCMS is 18.6<!-- {shown_theory:.1f} --> % larger.
#
# ## Exercises
#
# ```{exercise-start} How often to repeat
# :label: ex-sk-04-scatter
# ```
# **Warm-up.** How many repetitions of the whole experiment (50 runs, estimates averaged, squared) would
# one need to know an MSE of Table 3 to within 5 % (one standard deviation)? How many for the mean of 50 MSEs?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-04-scatter", ...)

# %% [markdown]
# ```{solution-start} ex-sk-04-scatter
# :class: dropdown
# ```
# The relative scatter of one is $\sqrt{2/43}$, so $(0.2157/0.05)^2 \approx 19$. A mean of 50 MSEs is already
# within about 3 %: once is enough.

# %% jupyter={"source_hidden": true} tags=["evidence"]
repetitions = np.ceil((of_mean / 0.05) ** 2)
assert repetitions == 19
assert 0.029 < of_squares < 0.032
check("sk-04-scatter", repetitions)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Fewer hash functions
# :label: ex-sk-04-rows
# ```
# **Standard.** With independent hash functions at the defaults, by how much does the MSE of one survey with CMS grow when $k$
# falls from 1024 to 64? To 1? Why is the answer so different for the squared error of averaged estimates?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-04-rows", ...)


# %% [markdown]
# ```{solution-start} ex-sk-04-rows
# :class: dropdown
# ```
# By 5 % (a factor of 1.05), and by a factor of 4.26. Collisions add $\frac{1}{k(m-1)}\sum_{x \ne d} f(x)^2$, which is small beside the noise of 49,742 reports until $k$ is
# very small. Averaging 50 runs divides the noise by 50 and leaves this term if the hash functions are kept: from 1024 to 64 the
# squared error then grows threefold.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def mean_variance(k):
    scheme = CountMeanSketch(**{**DEFAULTS, "hashes": k})
    return scheme.variances(counts).mean()


growth = [mean_variance(k) / mean_variance(1024) for k in (64, 1)]
assert round(growth[0], 2) == 1.05 and round(growth[1], 1) == 4.3
tiny, large = (
    second_reading(CountMeanSketch(**{**DEFAULTS, "hashes": k}))[0]
    for k in (64, 1024)
)
assert 3 < tiny / large < 3.2
check("sk-04-rows", growth)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A hash family that starts at 0
# :label: ex-sk-04-linear
# ```
# **Standard.** A textbook family is $h_j(x) = (j x \bmod p) \bmod m$ for a large prime $p$, with $x$ a number that stands
# for the item. A program lets $j$ run from 0 to $k - 1$. What is the bias?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-04-linear", ...)

# %% [markdown]
# ```{solution-start} ex-sk-04-linear
# :class: dropdown
# ```
# For $j = 0$ every item goes to column 0: a constant row. It is *one* way to get a bias of one $k$-th, and
# starting at $j = 1$ repairs it. (All rows are multiples of one number, so the family is weak in other
# ways.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
p = 2**61 - 1
digest = {d: int(blake2b(d.encode(), digest_size=16).hexdigest(), 16) for d in items}


def bias_of(n, f, k):
    return (n + (k - 1) * f) / k - f  # one of the k rows estimates n


def linear(start, k):
    rows = {
        d: [j * x % p % 128 for j in range(start, start + k)]
        for d, x in digest.items()
    }
    scheme = CountMeanSketch.with_family(1.0, ExplicitFamily(rows, 128))
    return np.mean((scheme.moments(counts).mean - truth) / bias_of(n, truth, k))


linear_bias = {k: (linear(0, k), linear(1, k)) for k in (64, 256, 1024)}
for from_0, from_1 in linear_bias.values():
    assert abs(from_0 - 1) < 0.1 and abs(from_1) < 0.1
check("sk-04-linear", bias_of)
table(
    {"k": list(linear_bias), "from 0": [float(v) for v, _ in linear_bias.values()],
     "from 1": [float(v) for _, v in linear_bias.values()]},
    formats={"from 0": "z.2f", "from 1": "z.2f"},
    caption="k times the bias of multiples of x, in units of n − f.",
)  # fmt: skip

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two free parameters
# :label: ex-sk-04-fit
# ```
# **Research.** Let the number of averaged runs and the share $s = x/k$ be free. Which pair fits the
# thirty cells best (runs from 40 to 80 in tens, rows from 0.8 to 1.2 in tenths), and is it a good fit?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-04-fit", ...)


# %% [markdown]
# ```{solution-start} ex-sk-04-fit
# :class: dropdown
# ```
# On a grid of 40 to 80 runs and 0.8 to 1.2 rows the best pair has 60<!-- {best_runs} --> runs and
# 1.0<!-- {best_rows} --> rows. By our rule it fits ($p =$ 0.038<!-- {best_p:.3f} -->), though not with the 50 runs that the text states. Two
# parameters fitted to thirty numbers are no evidence of a procedure.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def free(runs, rows):
    def model(scheme):
        bias, within, between = error_law(scheme, constant=rows)
        return mse_law(bias, within / runs + between)

    return model


grid = [(runs, x) for runs in range(40, 90, 10) for x in (0.8, 0.9, 1.0, 1.1, 1.2)]
scan = {pair: chi_square(free(*pair)) for pair in grid}
best = min(scan, key=scan.get)
p_best = chi2.sf(scan[best], 28)
check("sk-04-fit", best)
assert 0.8 < best[1] < 1.2 and best[0] == 60 and 0.01 < p_best < 0.05
best_runs = best[0]
best_rows = best[1]
best_p = float(p_best)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Read as the mean of 50 errors, the experiment has an MSE of about 199,000<!-- {in_text['cms']:,d} --> (CMS) and 236,000<!-- {in_text['hcms']:,d} --> (HCMS) at
#   the defaults, nearly whatever $k$ and $m$; Table 3 prints some forty times less.
# - The scatter of repeated cells is about 0.22<!-- {scatter:.2f} --> in relative terms, that of one
#   sum of 43 squares. This suggests that the 50 estimates were averaged before squaring: a hypothesis, which alone fits the cells by
#   $m$ and neither of the other two parts.
# - The steep fall with $k$ looks like a bias of one $k$-th of all users. One constant hash row would give it, and so would any
#   excess of collisions of that size. Both hypotheses together give the slope and come within a fifth of the scale, but lie too high
#   as a whole and fit the details badly; two public programs have no such row.
# - A table without its code can be tested. What exactly was run cannot be read off it.
#
# **Further reading.** The schemes: {cite:p}`apple2017learning`; the published moments, corrected:
# {cite:p}`pan2024count`. Another test of printed numbers, for means of integers: {cite:p}`brown2017grim`. **Next:**
# [what does oblivious transfer enforce, and what does it reveal?](05-oblivious-transfer.ipynb)
