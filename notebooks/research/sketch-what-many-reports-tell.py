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
# # What do many reports tell about one visitor?
#
# **Question.** A sketch protects each report. But the visitor of a web shop clicks several times, and sends a report for each click. What protection is left for the visitor, and can a server that sees only the noisy reports guess in which part of the shop the visitor was?
#
# **Answer.** A privacy level of $\varepsilon$ per click amounts to as much as 65<!-- {clicks.max()} -->$\,\varepsilon$ for one visit in the paper's data, and a server that knows the habits of other visitors guesses the preferred part of the shop correctly for 77%<!-- {right["CMS",4.0]:.0%} --> of the visits with nine clicks or more if CMS runs at $\varepsilon = 4$ (chance is 50%), but only for 56%<!-- {right["CMS",1.0]:.0%} --> at $\varepsilon = 1$. If each visit reports one random click, the whole visit has the level $\varepsilon$, the guess is right for 58%<!-- {results["1 click at ε"]["right"]:.0%} -->, and a fake visit sends one report instead of up to 65<!-- {clicks.max()} -->; the standard deviation of an estimated share is then 1.9<!-- {noise_ratio:.1f} --> times as large.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what a level per click is worth per visit, how a likelihood-ratio attack on many reports works and how often it is right for real visits, why oblivious transfer does not change this, and what a shop gains and loses if it counts visits instead of clicks.
# **You need** both sketches ([notebook 1](../sketch/01-count-mean-sketch.ipynb), [notebook 2](../sketch/02-hadamard.ipynb)), the gain of fake users ([notebook 3](../sketch/03-poisoning.ipynb)), and conditional probability.
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** is the server. It keeps to the protocol, knows which reports come from the same visit, and has seen the clicks of other visits without noise. In the last section, there are also fake visits, which want to raise the estimate of one item. **Protected:** each single click, up to $e^{\varepsilon}$ in the odds. **Not protected:** the number of clicks of a visit. **Not considered:** several visits of the same person.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import product
from math import prod

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import stats

from privlib.notebook import check, datasets, plots
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning
from privlib.sketch.hadamard import hadamard_matrix

plots.use()
rng = np.random.default_rng(65)
lines = [line.split(";") for line in datasets.load("eshop").decode().splitlines()]
columns = {name: number for number, name in enumerate(lines[0])}
shop = [line for line in lines[1:] if line[columns["page 1 (main category)"]] == "1"]
items = np.array([f"A{number}" for number in range(1, 44)])
item = np.array([int(line[columns["page 2 (clothing model)"]][1:]) - 1 for line in shop])
sessions = np.array([int(line[columns["session ID"]]) for line in shop])
_, visit, clicks = np.unique(sessions, return_inverse=True, return_counts=True)
page = np.array([int(line[columns["page"]]) for line in shop])
costly = np.array([line[columns["price 2"]] == "1" for line in shop])
profile = np.array([line[columns["model photography"]] == "2" for line in shop])
n_visits = len(clicks)

# %% [markdown]
# ## What does ε per click promise a visit?
#
# Take two items, a and b, and the simplest private report: one sign, $+$ for a and $-$ for b, which is negated with probability $\frac14$. One report is then locally differentially private at the level $\varepsilon = \ln 3$. A visit sends one report for each of its clicks. We list all sequences of signs with their probabilities, and compare two visits by the largest ratio of these probabilities.

# %%
true, false = Fraction(3, 4), Fraction(1, 4)
one_sign = {("a", "+"): true, ("a", "-"): false, ("b", "+"): false, ("b", "-"): true}


def report_probabilities(clicked):
    """Probability of each sequence of signs that this visit can send."""
    probabilities = {}
    for signs in product("+-", repeat=len(clicked)):
        probabilities[signs] = prod(one_sign[pair] for pair in zip(clicked, signs))
    return probabilities


for clicked, other in (("a", "b"), ("aab", "abb"), ("aaa", "bbb")):
    P, Q = report_probabilities(clicked), report_probabilities(other)
    print(clicked, other, max(P[signs] / Q[signs] for signs in P))


# %% [markdown]
# The ratio is $3^k$ if the visits differ in $k$ clicks. Now let the visitor's device draw one of the clicks at random and report only this one:

# %%
def one_click_probabilities(clicked):
    """Probability of each sign, if one random click is reported."""
    each = [report_probabilities(click) for click in clicked]
    return {signs: sum(P[signs] for P in each) / len(clicked) for signs in each[0]}


for clicked, other in (("aab", "abb"), ("aaa", "bbb"), ("aaa", "b")):
    P, Q = one_click_probabilities(clicked), one_click_probabilities(other)
    print(clicked, other, max(P[signs] / Q[signs] for signs in P))

# %% [markdown]
# No ratio exceeds 3, even for visits of different length.
#
# ````{prf:theorem} What a level per click is worth per visit
# :label: thm-sk-09-visit
# Each report is $\varepsilon$-locally differentially private in the click that it is about, and reports have independent noise.
# 1. If two visits have equally many clicks and differ in $k$ of them, no sequence of reports is more than $e^{k\varepsilon}$ times as probable under one visit as under the other. CMS and HCMS attain this factor if, for each of the $k$ clicks, some hash function separates the two items.
# 2. If two visits have different numbers of clicks, there is no such bound.
# 3. If each visit reports one of its clicks, drawn at random, the factor is at most $e^{\varepsilon}$ for any two visits.
# ````
#
# ````{prf:proof}
# (1) The probability of a sequence is a product over the reports. Each of the $k$ factors that differ changes by at most $e^{\varepsilon}$, and reports that attain this exist by {prf:ref}`thm-sk-01-private` of notebook 1 (for HCMS, by the same argument with a column in which the two items have different signs). (2) The number of reports tells the visits apart. (3) The probability of a report is the mean of its probabilities under the clicks of the visit. All these probabilities, for both visits, lie within a factor $e^{\varepsilon}$ of each other, and so do their means.
# ````
#
# How many clicks does a visit have? The paper's data {cite:p}`uci553eshop,lapczynski2013eshop` record the clicks on the 43 items of one category of a web shop. Each line of the file is one click, with the number of its *session*, which is one visit of one person.

# %%
print(f"{len(item):,} clicks by {n_visits:,} visits, {clicks.mean():.1f} on average")
for k in (2, 5, 10, 20):
    print(f"{np.mean(clicks >= k):.0%} of the visits have {k} clicks or more")


# %% [markdown]
# The longest visit has 65<!-- {clicks.max()} --> clicks. The paper calls the lines purchases, and its experiments, like our course pages, count each line as one user. For the estimates this changes nothing. For a person it means that a level of $\varepsilon$ per click protects the whole visit only at the level 3.8<!-- {clicks.mean():.1f} -->$\,\varepsilon$ on average, and only in comparison with visits of the same length.
#
# ```{evidence} S-6.2b
# ```
#
# ## How does the server guess?
#
# The theorem is about the worst case: an attacker who knows everything except which of two histories is true. What can a server do that knows much less? {cite:t}`gadotti2022pool` call the following a *pool inference attack*. Split the items into two *pools*. Which pool does the visitor prefer?
#
# The server knows two *habits*: $\pi_1(d)$ is the share of item $d$ in the clicks of visitors who prefer the first pool, and $\pi_2(d)$ the share for the others. We say that a report *supports* item $d$ if its sign in the item's cell is $+1$ (CMS), or if its sign equals the item's entry of the Hadamard matrix (HCMS). Let $y_d = 1$ if it does, and $y_d = -1$ if it does not. Which probability does a report have, given that the click was on $d$?
#
# - *CMS.* If the true sign of a cell is $+1$ instead of $-1$, the probability of the report is multiplied by $p/q = e^{\varepsilon/2}$ if the reported sign there is $+1$, and divided by it otherwise.
# - *HCMS.* The probability is proportional to $p$ if the report supports $d$ and to $q$ otherwise, with $p/q = e^{\varepsilon}$.
#
# In both cases it is $e^{\varepsilon y_d/2}$ times a number that does not depend on $d$. If the clicks of a visit were independent draws from one of the two habits, the best guess would follow from the log likelihood ratio
#
# $$ \Lambda = \sum_{\text{reports}} \ln
#    \frac{\sum_d \pi_1(d)\, e^{\varepsilon y_d / 2}}{\sum_d \pi_2(d)\, e^{\varepsilon y_d / 2}} , $$
#
# namely the first pool if $\Lambda > 0$ and the second if $\Lambda < 0$.
#
# Here are three reports about four items, with $e^{\varepsilon/2} = 3$:

# %%
def log_ratios(supported, epsilon, habits):
    """The term of Λ of each report; supported[r, d] is 1 or -1."""
    likelihoods = np.exp(epsilon / 2 * supported) @ habits.T
    return np.log(likelihoods[:, 0] / likelihoods[:, 1])


habits = np.array([[0.4, 0.4, 0.1, 0.1], [0.1, 0.1, 0.4, 0.4]])
supported = np.array([[1, 1, -1, -1], [1, -1, 1, 1], [1, -1, -1, 1]])
print(log_ratios(supported, 2 * np.log(3), habits).round(2))

# %% [markdown]
# The first report supports both items of the first pool and none of the second, so it speaks for the first habit. The second speaks for the second habit, and the third is neutral. Together they favour the first habit. For reports of the sketches, the entries $y_d$ follow from the definitions:

# %%
hadamard = hadamard_matrix(128)


def support(scheme, reports):
    """Matrix of the y_d, one row for each report."""
    cells = scheme.family.positions(items).T
    if scheme.name == "CMS":
        row, signs = scheme.unpack(reports)
        return np.take_along_axis(signs, cells[row], axis=1)
    row, column, sign = scheme.unpack(reports)
    return sign[:, None] * hadamard[column[:, None], cells[row]]


# %% [markdown]
# ## How often is the guess right?
#
# **Do visitors have habits?** If they had none, the share of a visit's clicks in a pool would vary between visits as if a coin were tossed for each click. The file offers three ways to split the items: by price, by the kind of photograph, and by the page of the shop on which an item is shown.

# %%
def variance_ratio(in_pool):
    """Variance of the shares between visits of nine clicks or more, relative to coin tosses."""
    chosen = clicks >= 9
    shares = (np.bincount(visit, in_pool) / clicks)[chosen]
    rate = in_pool[chosen[visit]].mean()
    return np.mean((shares - rate) ** 2) / np.mean(rate * (1 - rate) / clicks[chosen])


splits = {"costly": costly, "in profile": profile, "after page 1": page > 1}
for name, in_pool in splits.items():
    print(f"{name}: {variance_ratio(in_pool):.1f} times that of coin tosses")

# %% [markdown]
# Visits mix costly and cheap items almost at random, but they differ in *how far visitors go*. We therefore ask whether a visit prefers the 18<!-- {len(set(item[page==1]))} --> items on the first page or the 25<!-- {len(set(item[page>1]))} --> items on later pages. The 837<!-- {(share_later==0.5).sum()} --> visits with equally many clicks on both sides are left out.
#
# **The experiment.** A random half of the visits teaches the server the two habits, by their true clicks. The server then guesses each visit of the other half from its reports. We average the accuracy over the two kinds of visits, so that chance is 50%.

# %%
share_later = np.bincount(visit, page > 1) / clicks
prefers_later, prefers_first = share_later > 0.5, share_later < 0.5


def learn_habits(teaching):
    """Shares of the items in the clicks of teaching visits, later pages first."""
    rows = []
    for kind in (prefers_later, prefers_first):
        counts = np.bincount(item[(teaching & kind)[visit]], minlength=43) + 1
        rows.append(counts / counts.sum())
    return np.array(rows)


def draw_clicks(cap):
    """Indices of the reported clicks: at most so many of each visit, at random."""
    order = rng.permutation(len(item))
    order = order[np.argsort(visit[order], kind="stable")]
    first = np.cumsum(clicks) - clicks
    return order[np.arange(len(item)) - np.repeat(first, clicks) < cap]


# %%
def attack(scheme, cap=65):
    """Λ of each visit that is guessed, not a number for the visits that teach."""
    teaching = rng.random(n_visits) < 0.5
    reported = draw_clicks(cap)
    reported = reported[~teaching[visit[reported]]]
    reports = scheme.privatize(items[item[reported]], rng)
    ratios = log_ratios(support(scheme, reports), scheme.epsilon, learn_habits(teaching))
    total = np.bincount(visit[reported], ratios, minlength=n_visits)
    return np.where(teaching, np.nan, total)


def accuracy(score, low, high):
    """Share of right guesses for visits of these lengths."""
    asked = ~np.isnan(score) & (clicks >= low) & (clicks <= high)
    later, first = score[asked & prefers_later], score[asked & prefers_first]
    return (np.mean(later > 0) + np.mean(first < 0)) / 2


# %% [markdown]
# We repeat this for 20 random halves, each time with fresh noise.

# %%
scores, right = {}, {}
for kind in (CountMeanSketch, HadamardCountMeanSketch):
    for epsilon in (1.0, 4.0):
        scheme = kind(epsilon, hashes=1024, width=128, seed=2024)
        scores[scheme.name, epsilon] = [attack(scheme) for _ in range(20)]
        by_half = [accuracy(score, 9, 65) for score in scores[scheme.name, epsilon]]
        right[scheme.name, epsilon] = np.mean(by_half)
        print(f"{scheme.name}, ε = {epsilon:g}: {np.mean(by_half):.0%} for nine clicks or more")

# %% [markdown]
# For comparison, we invent visitors whose habits never change: nine clicks in ten lie in the preferred pool.

# %%
popularity = np.bincount(item) / len(item)
later_items = np.isin(np.arange(43), item[page > 1])
invented = []
for pool in (later_items, ~later_items):
    inside, outside = popularity * pool, popularity * ~pool
    invented.append(0.9 * inside / inside.sum() + 0.1 * outside / outside.sum())
invented = np.array(invented)


def invented_accuracy(scheme, visitors, length):
    """Share of right guesses after 1, 2, ..., length reports of invented visitors."""
    kinds = rng.integers(2, size=visitors)
    drawn = np.concatenate([rng.choice(43, size=length, p=invented[kind]) for kind in kinds])
    reports = scheme.privatize(items[drawn], rng)
    ratios = log_ratios(support(scheme, reports), scheme.epsilon, invented)
    totals = ratios.reshape(visitors, length).cumsum(axis=1)
    return np.mean((totals < 0) == kinds[:, None], axis=0)


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How often the server guesses the preferred part of the shop, against the number of reports of a visit. Points are means over 20 random halves of the visits, bars go from the smallest to the largest of the 20 results. Only CMS at \u03b5 = 4 tells much about real visits. The dashed line is for invented visitors with constant habits, whom the server recognises in the end.", "name": "fig-sk-09-pools"}, "image": {"alt": "Five curves of accuracy against 1 to 65 reports. The dashed one rises to 100%. CMS at \u03b5 = 4 rises from 65%<!-- {by_length[\"CMS\",4.0][0].mean():.0%} --> to 81%<!-- {by_length[\"CMS\",4.0][-1].mean():.0%} -->, HCMS at \u03b5 = 4 from 56%<!-- {by_length[\"HCMS\",4.0][0].mean():.0%} --> to 64%<!-- {by_length[\"HCMS\",4.0][-1].mean():.0%} -->, and both sketches at \u03b5 = 1 remain at 58%<!-- {by_length[\"CMS\",1.0].mean(axis=1).max():.0%} --> or less."}} tags=["figure"]
lengths = [(1, 1), (2, 2), (3, 4), (5, 8), (9, 15), (16, 65)]
by_length = {}
fig, ax = plots.panels(height=3.6)
styles = {("CMS", 4.0): "o", ("HCMS", 4.0): "s", ("CMS", 1.0): "^", ("HCMS", 1.0): "v"}
for number, (key, marker) in enumerate(styles.items()):
    by_length[key] = np.array([[accuracy(s, *band) for s in scores[key]] for band in lengths])
    middle = [clicks[(clicks >= low) & (clicks <= high)].mean() for low, high in lengths]
    middle = np.array(middle) * 1.03 ** (number - 1.5)  # side by side
    mean = by_length[key].mean(axis=1)
    bars = [mean - by_length[key].min(axis=1), by_length[key].max(axis=1) - mean]
    ax.errorbar(middle, mean, bars, marker=marker, ms=4, label=f"{key[0]}, ε = {key[1]:g}")
cms_4 = CountMeanSketch(4.0, hashes=1024, width=128, seed=2024)
constant = invented_accuracy(cms_4, 1500, 65)
grey = plots.COLOURS["grey"]
ax.plot(range(1, 66), constant, color=grey, ls="--", label="invented, CMS, ε = 4")
ax.axhline(0.5, color=grey, lw=1, ls=":")
ax.set(xscale="log", xlabel="reports of a visit", ylabel="right guesses", ylim=(0.45, 1.02))
ax.set_xticks([1, 2, 3, 6, 11, 20, 65], ["1", "2", "3", "6", "11", "20", "65"])
ax.set_yticks([0.5, 0.6, 0.7, 0.8, 0.9, 1], ["50%", "60%", "70%", "80%", "90%", "100%"])
ax.xaxis.set_minor_locator(plt.NullLocator())
ax.legend(loc="upper left", fontsize=8.5)
own_share = np.maximum(share_later, 1 - share_later)
plt.show()

# %% [markdown]
# {numref}`fig-sk-09-pools` shows the result. At $\varepsilon = 1$, the server learns little, even from long visits. At $\varepsilon = 4$, a single report of CMS is enough to be right in 65%<!-- {by_length["CMS",4.0][0].mean():.0%} --> of the cases, and nine reports or more lead to 77%<!-- {right["CMS",4.0]:.0%} --> (between 74%<!-- {half_range[0]:.0%} --> and 80%<!-- {half_range[1]:.0%} --> in the 20 halves). HCMS tells less at $\varepsilon = 4$, because its report has only one sign: even without noise, this sign would rule out only about half of the items.
#
# Why is the server less successful with real visitors than with the invented ones? Because real preferences are weaker. In visits of nine clicks or more, 79%<!-- {own_share[(clicks>=9)&(own_share>0.5)].mean():.0%} --> of the clicks lie in the preferred pool on average, instead of 90%. The worst case of the theorem is thus far from what happens in this shop. But a visitor with constant habits is found out in the end.
#
# ## Does oblivious transfer change this?
#
# No. The paper lets the server draw the noise by oblivious transfer ([notebook 5](../sketch/05-oblivious-transfer.ipynb)). The user puts the true sign into $N_t$ of $N$ slots and the false sign into the others, and the server opens one slot. It depends on who knows the order of the slots. If the server knows it, the server can undo the noise, and sees reports without noise. If the user shuffles two slots, the server learns nothing at all, and cannot count. If the user shuffles $N > 2$ slots, the opened sign is the true one with probability $N_t/N$, independently of everything else ({prf:ref}`thm-sk-05-slots`). The report then has the same distribution as an ordinary report at the level $\varepsilon_N = \ln\frac{N_t}{N - N_t}$ of HCMS, so every attack on these reports has the same success as on ordinary ones. [The evidence](../evidence/research/sketch-what-many-reports-tell.ipynb) goes through all orders of three and four slots, and sends all clicks of 24 real visits through real transfers.
#
# The transfer protects the server against users who omit the noise (as far as they fill the slots honestly). What the reports of one visitor add up to is a different matter.
#
# ```{evidence} S-B17
# ```
#
# ## What if each visit sends only one report?
#
# What could the shop do? By part 3 of the theorem, a visit that reports one random click has the level $\varepsilon$ as a whole. Alternatively, the shop can divide the level: with at most 65 clicks, each is reported at $\varepsilon/65$, or five random clicks are reported at $\varepsilon/5$. Then the level of the visit is also at most $\varepsilon$, but only compared with visits that send equally many reports. (Dummy reports could hide the number.) We compare four designs for CMS and $\varepsilon = 4$: how often the guess is right, the standard deviation of the estimated share of item A18, and how far one fake visit can raise this share ({numref}`fig-sk-09-designs`).

# %%
designs = {"each click at ε": (65, 4.0), "each click at ε/65": (65, 4 / 65),
           "5 clicks at ε/5": (5, 4 / 5), "1 click at ε": (1, 4.0)}  # fmt: skip
results = {}
for name, (cap, epsilon) in designs.items():
    scheme = CountMeanSketch(epsilon, hashes=1024, width=128, seed=2024)
    reported = draw_clicks(cap)
    counts = dict(zip(items.tolist(), np.bincount(item[reported], minlength=43).tolist()))
    noise = scheme.moments(counts).sd[items.tolist().index("A18")] / len(reported)
    one_fake = poisoning.frequency_gain(scheme, "mga", n_fake=1, targets=1)
    by_half = [accuracy(attack(scheme, cap), 9, 65) for _ in range(20)]
    results[name] = {"right": np.mean(by_half), "noise": noise,
                     "fake": cap * one_fake / len(reported)}  # fmt: skip

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Four designs for the same visits (CMS, \u03b5 = 4). Left: right guesses for visits of nine clicks or more. Middle and right, on logarithmic axes: standard deviation of the estimated share of A18, and the most that one fake visit adds to this share, both in percentage points. The last three designs protect a visit at the level \u03b5, the first at 65<!-- {clicks.max()} --> \u03b5. One click at \u03b5 is the least exposed to fake visits and has the least noise of the three.", "name": "fig-sk-09-designs"}, "image": {"alt": "Three panels of four bars. Each click at \u03b5 over 65 has 51%<!-- {results[\"each click at \u03b5/65\"][\"right\"]:.0%} --> right guesses, but by far the longest bars for noise and for fake visits. One click at \u03b5 has the shortest bar for fake visits."}} tags=["figure"]
fig, axes = plots.panels(1, 3, height=2.6, width=8.6, sharey=True)
names = list(designs)[::-1]
panels = (("right", "right guesses", 100, "{:.0f}%", (50, 84)),
          ("noise", "noise (points)", 100, "{:.2f}", (0.1, 60)),
          ("fake", "one fake visit (points)", 100, "{:.3f}", (0.002, 60)))  # fmt: skip
for ax, (key, title, unit, form, limits) in zip(axes, panels):
    values = [unit * results[name][key] for name in names]
    ax.barh(names, values, color=plots.COLOURS["sky"])
    if key != "right":
        ax.set_xscale("log")
    for place, value in enumerate(values):
        ax.annotate(form.format(value), (max(value, limits[0]), place), (3, 0),
                    textcoords="offset points", va="center", fontsize=8.5)  # fmt: skip
    ax.set(xlabel=title, xlim=limits)
    ax.grid(visible=False, axis="y")
axes[0].set_xticks([50, 60, 70, 80], ["50%", "60%", "70%", "80%"])
clicked_share = np.bincount(item) / len(item)
visit_share = np.bincount(item, 1 / clicks[visit]) / n_visits
moved = abs(visit_share - clicked_share).sum() / 2
noise_ratio = results["1 click at ε"]["noise"] / results["each click at ε"]["noise"]
half_range = np.quantile([accuracy(score, 9, 65) for score in scores["CMS", 4.0]], [0, 1])
plt.show()

# %% [markdown]
# *Each click at $\varepsilon/65$* hides the pool but is useless: the noise of 14.7<!-- {100*results["each click at ε/65"]["noise"]:.1f} --> percentage points is larger than every share, and the server multiplies each fake report by a large constant, so that one fake visit moves the share by 4.3<!-- {100*results["each click at ε/65"]["fake"]:.1f} --> percentage points. *Five clicks at $\varepsilon/5$* also hide the pool well, at 3.4<!-- {results["5 clicks at ε/5"]["noise"]/results["1 click at ε"]["noise"]:.1f} --> times the noise of one click. *One click at $\varepsilon$* takes away most of the server's advantage over a coin, and is the least exposed to fake visits. Its price in noise is a factor of 1.9<!-- {noise_ratio:.1f} -->, about the square root of the 3.8<!-- {clicks.mean():.1f} --> clicks per visit.
#
# But one click per visit answers a different question. Each visit has the same weight, and long visits no longer count more. The two distributions over the items differ by 6.4%<!-- {moved:.1%} --> in total variation distance, and the favourite changes from A2<!-- {items[clicked_share.argmax()]} --> to A15<!-- {items[visit_share.argmax()]} -->.
#
# ```{evidence} S-B28
# ```
#
# ## What it rests on
#
# The theorem is proved. The accuracies are measured, on one public data set; [the evidence](../evidence/research/sketch-what-many-reports-tell.ipynb) compares those for HCMS with exact values for one report and with a normal approximation for long visits, and computes $\Lambda$ again from the probabilities of whole reports. The accuracy means a guess about visits of *this* shop, where a visit's preferred part is defined by its own clicks. It does not predict later clicks.
#
# ## Limits
#
# - We tried three splits of the items and show the one in which visits differ most. For the split by price there is almost nothing to find.
# - The likelihood ratio assumes independent clicks. Real clicks are not, so a better attack may exist. On the other hand, the server learns the habits from true clicks of half of the visits; we did not try a server that has only noisy reports.
# - Visits of the same person are not linked in the data. A person's reports from several visits would add up.
# - We did not try to reuse the noise for repeated items, to send reports anonymously, or to hide the number of reports by dummies.
#
# ## What others had
#
# The attack is that of {cite:t}`gadotti2022pool`, which the paper lists and does not cite in its text. We read the abstract and their published program, which has the same probability of a report, for CMS and for HCMS. Their server does not know two habits; it averages over the unknown strength of the preference. The authors find that users with strong preferences and many relevant records are the most exposed, and confirm their attack with data from Twitter. {cite:t}`joseph2018evolving` (beginning) state that repeated collection leaves no meaningful protection over long periods, and design collections whose level depends on the number of changes. For several attributes of a user, it is known that one random attribute at the full level gives more accurate estimates than all attributes at a divided level ({cite:t}`arcolezi2021random`, abstract). {cite:t}`acharya2022userlevel` (abstract) have tight error bounds for users with many samples. We believe that the measurement on real visits with habits learnt from other visits, the comparison with transfers, and the cost of fake visits in the four designs are ours.
#
# ## Exercises
#
# ```{exercise-start} One visitor's ceiling
# :label: ex-sk-09-ceiling
# ```
# **Warm-up.** A visit has seven clicks, each reported at $\varepsilon = 1$. How often can *any* guess between two equally likely histories of seven clicks be right? And between two equally likely items after one report?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-09-ceiling", ...)

# %% [markdown]
# ```{solution-start} ex-sk-09-ceiling
# :class: dropdown
# ```
# By the theorem, seven reports move the odds by at most $e^7$ and one report by at most $e$. The guess is right with probability at most $e^7/(1 + e^7) = 99.9\%$ and $e/(1 + e) = 73.1\%$. The accuracies of the note are far lower, because the server does not compare two histories but two habits.

# %%
ceilings = [np.exp(level) / (1 + np.exp(level)) for level in (7, 1)]
assert np.round(ceilings, 3).tolist() == [0.999, 0.731]
check("sk-09-ceiling", ceilings)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Dividing multiplies
# :label: ex-sk-09-divide
# ```
# **Standard.** A visit may send $L$ reports at the level $\varepsilon/L$ each. Show that for large $L$ one fake visit raises the count of one target by about $2L^2/\varepsilon$ with either sketch, if the sketch is wide.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-09-divide
# :class: dropdown
# ```
# In a wide sketch, one report raises the count by at most $(c + 1)/2$ (CMS) or $c$ (HCMS). The constants are $c = \coth\frac{\varepsilon}{4L} \approx \frac{4L}{\varepsilon}$ and $c = \coth\frac{\varepsilon}{2L} \approx \frac{2L}{\varepsilon}$. So $L$ reports raise it by about $2L^2/\varepsilon$ in both cases.

# %%
L, eps = sp.symbols("L varepsilon", positive=True)
for gain in (L * (sp.coth(eps / (4 * L)) + 1) / 2, L * sp.coth(eps / (2 * L))):
    assert sp.limit(gain / (2 * L**2 / eps), L, sp.oo) == 1

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A curve from one number
# :label: ex-sk-09-many
# ```
# **Research.** The invented visitors of {numref}`fig-sk-09-pools` send reports of HCMS at $\varepsilon = 1$. Predict from one number how often the guess is right after $T$ reports. How many reports does it take to be right nine times in ten?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-09-many", ...)

# %% [markdown]
# ```{solution-start} ex-sk-09-many
# :class: dropdown
# ```
# If a report tells little, $\Lambda$ is a sum of many small terms. Under either habit its mean is $\pm T s^2/2$ and its variance $T s^2$, where $s^2$ is $\tanh^2(\varepsilon/2)$ times the mean square of $\sum_d (\pi_1 - \pi_2)(d)\, H_{\ell, h_j(d)}$ over rows and columns. So the guess is right with probability $\Phi(s\sqrt T/2)$. It takes 440<!-- {needed} --> reports, more than any visit in this log has clicks.

# %%
hcms_1 = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
cells = hcms_1.family.positions(items)
difference = 0
for d in range(43):
    difference = difference + (invented[0, d] - invented[1, d]) * hadamard[:, cells[d]]
s = np.tanh(0.5) * np.sqrt(np.mean(difference**2))
needed = int(np.ceil((2 * stats.norm.isf(0.1) / s) ** 2))
assert abs(invented_accuracy(hcms_1, 400, needed)[-1] - 0.9) < 0.06
check("sk-09-many", needed)

# %% [markdown]
# ```{solution-end}
# ```
