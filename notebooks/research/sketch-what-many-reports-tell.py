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
# **Question.** A sketch protects each report, but the visitor of a web shop sends a report for every click. What protection is left for a whole visit, and can a server guess from the noisy reports which part of the shop the visitor prefers?
#
# **What is known.** The paper {cite:p}`shimizu` guarantees the level $\varepsilon$ for one report, and counts each of 49,742<!-- {len(item):,} --> clicks as one user. {cite:t}`gadotti2022pool`, whom the paper lists but does not discuss, infer preferences from many CMS reports of one user.
#
# **Answer.** A visit has up to 65<!-- {clicks.max()} --> clicks, so its level is up to 65<!-- {clicks.max()} -->$\,\varepsilon$. For visits with nine clicks or more, a server that knows the habits of other visitors guesses right for 77%<!-- {right["CMS",4.0]:.0%} --> on CMS at $\varepsilon = 4$ (chance is 50%), but only for 56%<!-- {right["CMS",1.0]:.0%} --> at $\varepsilon = 1$. Oblivious transfer does not change this. If each visit reports one random click, the whole visit has the level $\varepsilon$, the guess is right for 58%<!-- {results["1 click at ε"]["right"]:.0%} -->, and the standard deviation of an estimated share is 1.9<!-- {noise_ratio:.1f} --> times as large. So a published $\varepsilon$ means little without the unit that it protects.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what a level per click means for a visit, how a likelihood-ratio attack on many reports works and how often it is right for real visits, why oblivious transfer does not change this, and what a shop gains and loses if it counts visits instead of clicks.
# **You need** both sketches ([notebook 1](../sketch/01-count-mean-sketch.ipynb), [notebook 2](../sketch/02-hadamard.ipynb)), the gain of fake users ([notebook 3](../sketch/03-poisoning.ipynb)), and conditional probability.
# **Time:** 21 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** is the server. It keeps to the protocol, knows which reports come from the same visit, and has seen the clicks of other visits without noise. In the section on one report per visit, there are also fake visits, which want to raise the estimate of one item. **Protected:** each single click, up to $e^{\varepsilon}$ in the odds. **Not protected:** the number of clicks of a visit. **Not considered:** several visits of the same person.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from collections import Counter
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
# Take two items, a and b, and the simplest private report: one sign, $+$ for a and $-$ for b, which is negated with probability $\frac14$. Such a report is locally differentially private at the level $\varepsilon = \ln 3$. A visit sends one report for each of its clicks. We list all sequences of signs with their probabilities. For two visits we compute the largest ratio of these probabilities, which is the largest factor by which the reports can change the odds between the two visits.

# %%
kept, negated = Fraction(3, 4), Fraction(1, 4)
sign_probability = {("a", "+"): kept, ("a", "-"): negated, ("b", "+"): negated, ("b", "-"): kept}


def report_probabilities(clicked):
    """Probability of each sequence of signs that this visit can send."""
    probabilities = {}
    for signs in product("+-", repeat=len(clicked)):
        probabilities[signs] = prod(sign_probability[pair] for pair in zip(clicked, signs))
    return probabilities


def largest_ratio(P, Q):
    return max(P[signs] / Q[signs] for signs in P)


for clicked, other in (("a", "b"), ("aab", "abb"), ("aaa", "bbb")):
    ratio = largest_ratio(report_probabilities(clicked), report_probabilities(other))
    print(f"visits {clicked} and {other}: largest ratio {ratio}")


# %% [markdown]
# The ratio is $3^k$ if the visits differ in $k$ clicks. Now let the visitor's device draw one of the clicks at random and report only this one:

# %%
def one_click_probabilities(clicked):
    """Probability of each sign, if one random click is reported."""
    probabilities = Counter()
    for click in clicked:
        for signs, probability in report_probabilities(click).items():
            probabilities[signs] += probability / len(clicked)
    return probabilities


for clicked, other in (("aab", "abb"), ("aaa", "bbb"), ("aaa", "b")):
    ratio = largest_ratio(one_click_probabilities(clicked), one_click_probabilities(other))
    print(f"visits {clicked} and {other}: largest ratio {ratio}")

# %% [markdown]
# No ratio exceeds 3, even for visits of different length.
#
# ````{prf:theorem} What a level per click means for a visit
# :label: thm-sk-09-visit
# Let each report be $\varepsilon$-locally differentially private in the click that it reports, and let the noise of different reports be independent.
# 1. If two visits have equally many clicks and differ in $k$ of them, no sequence of reports is more than $e^{k\varepsilon}$ times as probable under one visit as under the other. CMS and HCMS attain this factor if, for each of the $k$ clicks, some hash function separates the two items.
# 2. If two visits have different numbers of clicks, there is no such bound.
# 3. If each visit reports one of its clicks, drawn at random, the factor is at most $e^{\varepsilon}$ for any two visits.
# ````
#
# ````{prf:proof}
# (1) The probability of a sequence is a product with one factor for each report. The visits differ in $k$ of these factors, and each of them changes by at most $e^{\varepsilon}$. By {prf:ref}`thm-sk-01-private` of notebook 1, some CMS report attains this change if its hash function separates the two items. (On HCMS, take a column in which the two items have different signs.) (2) The number of reports distinguishes the visits with certainty. (3) The probability of a report is the mean of its probabilities under the clicks of the visit. All these probabilities, for both visits, lie within a factor $e^{\varepsilon}$ of each other, and so do their means.
# ````
#
# How many clicks does a visit have? The paper's data {cite:p}`uci553eshop,lapczynski2013eshop` record the clicks on the 43 items of one category of a web shop. Each line of the file is one click, with the number of its *session*, which is one visit of one person.

# %%
print(f"{len(item):,} clicks by {n_visits:,} visits, {clicks.mean():.1f} on average")
for k in (2, 5, 10, 20):
    print(f"{np.mean(clicks >= k):.0%} of the visits have {k} clicks or more")


# %% [markdown]
# The longest visit has 65<!-- {clicks.max()} --> clicks. The paper calls the lines purchases, and its experiments, like our course pages, count each line as one user. The estimates are the same in either case. For a person, however, a level of $\varepsilon$ per click is only a level of 3.8<!-- {clicks.mean():.1f} -->$\,\varepsilon$ for an average visit, and it holds only in comparison with visits that have equally many clicks.
#
# ```{evidence} S-6.2b
# ```
#
# ## How does the server guess?
#
# The theorem covers the worst case: an attacker who knows everything except which of two histories is true. What can a server infer that knows much less? Split the items into two *pools*. In the *pool inference attack* of {cite:t}`gadotti2022pool`, the server guesses which pool the visitor prefers.
#
# The server knows two *habits*: $\pi_1(d)$ is the share of item $d$ in the clicks of visitors who prefer the first pool, and $\pi_2(d)$ the share for the others. We say that a report *supports* item $d$ if its sign in the item's cell is $+1$ (CMS), or if its sign equals the item's entry of the Hadamard matrix (HCMS). Let $y_d = 1$ if the report supports $d$, and $y_d = -1$ otherwise. How probable is a report if the click was on $d$? Let $p$ be the probability that the noise keeps a sign, and $q = 1 - p$.
#
# - *CMS.* Here $p/q = e^{\varepsilon/2}$. Compare a click on $d$ with a vector whose true signs are all $-1$. Only the cell of $d$ differs. The probability of the report is larger by the factor $p/q$ if the reported sign in this cell is $+1$, and smaller by the same factor if it is $-1$.
# - *HCMS.* Here $p/q = e^{\varepsilon}$. The probability is $p$ times a constant if the report supports $d$, and $q$ times the same constant otherwise. Divide both by $\sqrt{pq}$: they are $e^{\varepsilon/2}$ and $e^{-\varepsilon/2}$ times a constant.
#
# In both cases the probability is $e^{\varepsilon y_d/2}$ times a number that does not depend on $d$. If the clicks of a visit were independent draws from one of the two habits, the best test would use the log likelihood ratio
#
# $$ \Lambda = \sum_{\text{reports}} \ln
#    \frac{\sum_d \pi_1(d)\, e^{\varepsilon y_d / 2}}{\sum_d \pi_2(d)\, e^{\varepsilon y_d / 2}} , $$
#
# and guess the first pool if $\Lambda > 0$ and the second if $\Lambda < 0$.
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
# The first report supports both items of the first pool and none of the second, so it is evidence for the first habit. The second report is evidence for the second habit, and the third is neutral. Their sum favours the first habit. For reports of the sketches, the entries $y_d$ follow from the definitions:

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
# **Do visitors have habits?** Suppose that visitors had none. Then each click would lie in a pool with the same probability, as in coin tosses, and this would determine how much the share of clicks in a pool varies between visits. The file offers three ways to split the items: by price, by the kind of photograph, and by the page of the shop on which an item is shown. We divide the measured variance by that of coin tosses:

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
# Visits mix costly and cheap items almost at random, but visits differ in how many clicks they make on later pages. We therefore ask whether a visit prefers the 18<!-- {len(set(item[page==1]))} --> items on the first page or the 25<!-- {len(set(item[page>1]))} --> items on later pages. The 837<!-- {(share_later==0.5).sum()} --> visits with equally many clicks in both pools are left out.
#
# **The experiment.** The server learns the two habits from the true clicks of a random half of the visits. It then guesses the pool of each visit in the other half from its noisy reports. We average the accuracy over the two kinds of visits, so that chance is 50%.

# %%
share_later = np.bincount(visit, page > 1) / clicks
prefers_later, prefers_first = share_later > 0.5, share_later < 0.5


def learn_habits(known_visits):
    """Shares of the items in the clicks of the known visits, later pages first."""
    learnt = []
    for preference in (prefers_later, prefers_first):
        counts = np.bincount(item[(known_visits & preference)[visit]], minlength=43) + 1
        learnt.append(counts / counts.sum())
    return np.array(learnt)


def draw_clicks(most):
    """Indices of the reported clicks, a random choice of at most `most` clicks of each visit."""
    order = rng.permutation(len(item))
    order = order[np.argsort(visit[order], kind="stable")]
    starts = np.cumsum(clicks) - clicks
    return order[np.arange(len(item)) - np.repeat(starts, clicks) < most]


# %%
def attack(scheme, most=65):
    """Λ of each visit that the server guesses; nan for the visits that it knows."""
    known_visits = rng.random(n_visits) < 0.5
    reported = draw_clicks(most)
    reported = reported[~known_visits[visit[reported]]]
    reports = scheme.privatize(items[item[reported]], rng)
    ratios = log_ratios(support(scheme, reports), scheme.epsilon, learn_habits(known_visits))
    total = np.bincount(visit[reported], ratios, minlength=n_visits)
    return np.where(known_visits, np.nan, total)


def accuracy(score, fewest, most):
    """Share of right guesses for visits with so many clicks, averaged over both preferences."""
    guessed = ~np.isnan(score) & (clicks >= fewest) & (clicks <= most)
    scores_later = score[guessed & prefers_later]
    scores_first = score[guessed & prefers_first]
    return (np.mean(scores_later > 0) + np.mean(scores_first < 0)) / 2


# %% [markdown]
# We repeat this for 20 random halves, each time with fresh noise.

# %%
scores, right = {}, {}
for scheme_class in (CountMeanSketch, HadamardCountMeanSketch):
    for epsilon in (1.0, 4.0):
        scheme = scheme_class(epsilon, hashes=1024, width=128, seed=2024)
        scores[scheme.name, epsilon] = [attack(scheme) for _ in range(20)]
        by_half = [accuracy(score, 9, 65) for score in scores[scheme.name, epsilon]]
        right[scheme.name, epsilon] = np.mean(by_half)
        print(f"{scheme.name}, ε = {epsilon:g}: {np.mean(by_half):.0%} for nine clicks or more")

# %% [markdown]
# For comparison, we simulate visitors whose clicks are independent draws from constant habits: nine clicks in ten lie in the preferred pool.

# %% jupyter={"source_hidden": true} tags=["set-up"]
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


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How often the server guesses the preferred part of the shop, against the number of reports of a visit. Points are means over 20 random halves of the visits; bars go from the smallest to the largest of the 20 results. Real visits are guessed well above chance on CMS at \u03b5 = 4, and less often on HCMS or at \u03b5 = 1. The grey dashed line is for invented visitors with constant habits.", "name": "fig-sk-09-pools"}, "image": {"alt": "Five curves of accuracy against 1 to 65 reports. The dashed one rises to 100%. CMS at \u03b5 = 4 rises from 65%<!-- {by_length[\"CMS\",4.0][0].mean():.0%} --> to 81%<!-- {by_length[\"CMS\",4.0][-1].mean():.0%} -->, HCMS at \u03b5 = 4 from 56%<!-- {by_length[\"HCMS\",4.0][0].mean():.0%} --> to 64%<!-- {by_length[\"HCMS\",4.0][-1].mean():.0%} -->, and both sketches at \u03b5 = 1 remain at 58%<!-- {by_length[\"CMS\",1.0].mean(axis=1).max():.0%} --> or less."}} tags=["figure"]
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
# {numref}`fig-sk-09-pools` shows the result. At $\varepsilon = 1$, the server learns little, even from long visits. At $\varepsilon = 4$ on CMS, the server is right for 65%<!-- {by_length["CMS",4.0][0].mean():.0%} --> of the visits with one click, and for 77%<!-- {right["CMS",4.0]:.0%} --> of those with nine or more (between 74%<!-- {half_range[0]:.0%} --> and 80%<!-- {half_range[1]:.0%} --> in the 20 halves). HCMS reveals less at $\varepsilon = 4$, because its report has only one sign: even without noise, this sign would exclude only about half of the items.
#
# The server is less successful with real visitors than with the invented ones, because real preferences are weaker. In visits of nine clicks or more, 79%<!-- {own_share[(clicks>=9)&(own_share>0.5)].mean():.0%} --> of the clicks lie in the preferred pool on average, instead of 90%. In this shop, the attack therefore stays far below the worst case of the theorem. For a visitor with constant habits, however, the accuracy tends to 100% as reports accumulate.
#
# ## Does oblivious transfer change this?
#
# No. The paper lets the server draw the noise by oblivious transfer ([notebook 5](../sketch/05-oblivious-transfer.ipynb)). The user puts the true sign into $N_t$ of $N$ slots and the false sign into the others, and the server opens one slot. There are three cases:
#
# - If the server knows the order of the slots, it can undo the noise and sees reports without noise.
# - If the user shuffles two slots, the opened sign is random. The server learns nothing, and cannot count either.
# - If the user shuffles $N > 2$ slots, the opened sign is the true one with probability $N_t/N$, independently of everything else ({prf:ref}`thm-sk-05-slots`).
#
# In the third case the report has the same distribution as an ordinary HCMS report at the level $\varepsilon_N = \ln\frac{N_t}{N - N_t}$. So every attack on such reports has the same success as on ordinary ones. [The evidence](../evidence/research/sketch-what-many-reports-tell.ipynb) goes through all orders of three and four slots, and sends all clicks of 24 real visits through real transfers. The transfer is meant to protect the server against users who omit the noise; it does not limit what many reports of one visitor reveal together.
#
# ```{evidence} S-B17
# ```
#
# ## What if each visit sends only one report?
#
# By part 3 of the theorem, a visit that reports one random click has the level $\varepsilon$ as a whole. Alternatively, the shop can divide the level: a visit reports each of its at most 65 clicks at $\varepsilon/65$, or five random clicks at $\varepsilon/5$. Then the level of the visit is also at most $\varepsilon$, but only in comparison with visits that send equally many reports. (Dummy reports could hide the number.)
#
# We compare four designs for CMS and $\varepsilon = 4$ ({numref}`fig-sk-09-designs`). For each design we compute how often the guess is right, the standard deviation of the estimated share of item A18, and how far one fake visit can raise this share.

# %%
designs = {  # most reports of a visit, and the level of each report
    "each click at ε": (65, 4.0),
    "each click at ε/65": (65, 4 / 65),
    "5 clicks at ε/5": (5, 4 / 5),
    "1 click at ε": (1, 4.0),
}
results = {}
for name, (most, epsilon) in designs.items():
    scheme = CountMeanSketch(epsilon, hashes=1024, width=128, seed=2024)
    reported = draw_clicks(most)
    counts = dict(zip(items.tolist(), np.bincount(item[reported], minlength=43).tolist()))
    noise = scheme.moments(counts).sd[items.tolist().index("A18")] / len(reported)
    one_fake_report = poisoning.frequency_gain(scheme, "mga", n_fake=1, targets=1)
    one_fake_visit = most * one_fake_report / len(reported)
    by_half = [accuracy(attack(scheme, most), 9, 65) for _ in range(20)]
    results[name] = {"right": np.mean(by_half), "noise": noise, "fake": one_fake_visit}

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Four designs for the same visits (CMS, \u03b5 = 4). Left: right guesses for visits of nine clicks or more. Middle and right, on logarithmic axes: standard deviation of the estimated share of A18, and the most that one fake visit adds to this share, both in percentage points. The first design protects a visit at the level 65<!-- {clicks.max()} --> \u03b5, the last three at the level \u03b5. Among these three, one click at \u03b5 has the least noise and is the least exposed to fake visits, but the guess is right most often.", "name": "fig-sk-09-designs"}, "image": {"alt": "Three panels of four bars. Each click at \u03b5 over 65 has 51%<!-- {results[\"each click at \u03b5/65\"][\"right\"]:.0%} --> right guesses, but by far the longest bars for noise and for fake visits. One click at \u03b5 has the shortest bar for fake visits."}} tags=["figure"]
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
# - *Each click at $\varepsilon/65$* hides the pool but is useless. The noise of 14.7<!-- {100*results["each click at ε/65"]["noise"]:.1f} --> percentage points is larger than every share. The server also multiplies each fake report by a large constant, so that one fake visit raises the share by 4.3<!-- {100*results["each click at ε/65"]["fake"]:.1f} --> percentage points.
# - *Five clicks at $\varepsilon/5$* also hide the pool well, at 3.4<!-- {results["5 clicks at ε/5"]["noise"]/results["1 click at ε"]["noise"]:.1f} --> times the noise of one click.
# - *One click at $\varepsilon$* removes most of the server's advantage over chance, and is the least exposed to fake visits. Compared with reports of all clicks at $\varepsilon$, the noise is 1.9<!-- {noise_ratio:.1f} --> times as large, about the square root of the 3.8<!-- {clicks.mean():.1f} --> clicks per visit.
#
# But one click per visit answers a different question: each visit has the same weight, and long visits no longer count more. The two distributions over the items differ by 6.4%<!-- {moved:.1%} --> in total variation distance, and the most frequent item changes from A2<!-- {items[clicked_share.argmax()]} --> to A15<!-- {items[visit_share.argmax()]} -->.
#
# ```{evidence} S-B28
# ```
#
# ## What it rests on
#
# The theorem is proved. The accuracies are measured on one public data set. [The evidence](../evidence/research/sketch-what-many-reports-tell.ipynb) compares those for HCMS with exact values for one report and with a normal approximation for long visits, and computes $\Lambda$ again from the probabilities of whole reports. An accuracy refers to visits of *this* shop, where the preferred part is defined by the clicks of the visit itself. It does not predict later clicks.
#
# ## Limits
#
# - We tried three splits of the items and show the one in which visits differ most. For the split by price there is almost nothing to find.
# - The likelihood ratio assumes independent clicks. Real clicks are not independent, so a better attack may exist. On the other hand, the server learns the habits from the true clicks of half of the visits. We did not try a server that has only noisy reports.
# - Visits of the same person are not linked in the data. The reports of a person from several visits would reveal more.
# - We did not try to reuse the noise for repeated items, to send reports anonymously, or to hide the number of reports by dummies.
#
# ## What others had
#
# The attack is that of {cite:t}`gadotti2022pool`. We read the abstract and the published program, which has the same probability of a report as we do, for CMS and for HCMS. Their server does not know two habits, but averages over the unknown strength of the preference. The authors find that users with strong preferences and many relevant records are the most exposed, and confirm their attack with data from Twitter. {cite:t}`joseph2018evolving` (beginning only) state that repeated collection leaves no meaningful protection over long periods, and design collections whose level depends on the number of changes. For several attributes of a user, it is known that one random attribute at the full level gives more accurate estimates than all attributes at a divided level ({cite:t}`arcolezi2021random`, abstract only). {cite:t}`acharya2022userlevel` (abstract only) have tight error bounds for users with many samples. We believe that the measurement on real visits with habits learnt from other visits, the comparison with transfers, and the cost of fake visits in the four designs are ours.
#
# ## Exercises
#
# ```{exercise-start} One visitor's ceiling
# :label: ex-sk-09-ceiling
# ```
# **Warm-up.** A visit has seven clicks, each reported at $\varepsilon = 1$. Which upper bound does the theorem give for the probability that a guess between two equally likely histories of seven clicks is right? Which bound does it give for a guess between two equally likely items after one report?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-09-ceiling", ...)

# %% [markdown]
# ```{solution-start} ex-sk-09-ceiling
# :class: dropdown
# ```
# By the theorem, seven reports change the odds by a factor of at most $e^7$, and one report by a factor of at most $e$. The guess is right with probability at most $e^7/(1 + e^7) = 99.9\%$ and $e/(1 + e) = 73.1\%$. The accuracies of the note are far lower, because the server does not compare two histories but two habits.

# %%
ceilings = [np.exp(level) / (1 + np.exp(level)) for level in (7, 1)]
assert np.round(ceilings, 3).tolist() == [0.999, 0.731]
check("sk-09-ceiling", ceilings)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A divided level helps fake visits
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
# **Research.** The invented visitors of {numref}`fig-sk-09-pools` send reports of HCMS at $\varepsilon = 1$. Find one number that predicts how often the guess is right after $T$ reports. How many reports does the server need to be right nine times in ten?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-09-many", ...)

# %% [markdown]
# ```{solution-start} ex-sk-09-many
# :class: dropdown
# ```
# If each report reveals little, $\Lambda$ is a sum of many small terms and nearly normally distributed. Its mean is $T s^2/2$ under the first habit and $-T s^2/2$ under the second, and its variance is $T s^2$, where $s^2$ is $\tanh^2(\varepsilon/2)$ times the mean square of $\sum_d (\pi_1 - \pi_2)(d)\, H_{\ell, h_j(d)}$ over rows and columns. So the guess is right with probability $\Phi(s\sqrt T/2)$. The server needs 440<!-- {needed} --> reports, and no visit in the file has so many clicks.

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
