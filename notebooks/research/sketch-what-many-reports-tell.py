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
# A sketch protects a report. But a visitor of the shop does not come with one report: she clicks, and clicks again, and in one
# visit 65 times. What was promised to *her*? And can a server that sees only noisy reports tell in which part of the
# shop she was? Nobody has to invent a visitor to find out. The shop's own log is public, and thirteen thousand of its
# visits are to the category that the paper takes.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what a promise per click is worth per visit, how the likelihood-ratio guess about a visit works and how often it
# is right for real visits, which transfer changes nothing about it, and what a shop that counts visits instead of
# clicks gains and loses.
# **You need** the two sketches of notebooks [1](../sketch/01-count-mean-sketch.ipynb) and [2](../sketch/02-hadamard.ipynb); conditional
# probability. It reads the shop's log {cite:p}`uci553eshop`, which is downloaded once.
# **Time:** 12 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **A curious server** keeps to the protocol, knows which reports come from the same visit, and has seen the clicks of other
# visits without noise. In the last section a *poisoner* adds fake visits. **Protected:** each single report, up to
# $e^{\varepsilon}$. **Not protected:** the number of a visit's reports; a visitor's habits, if every click is reported.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import permutations, product
from math import prod, sqrt

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import stats

from privlib.notebook import claim, datasets, plots, table
from privlib.sketch import (
    CountMeanSketch,
    HadamardCountMeanSketch,
    poisoning,
    transfer,
)
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.slots import slot_epsilon
from privlib.sketch.threat_model import threat_matrix

plots.use()
rng = np.random.default_rng(65)

# %% [markdown]
# ## Who clicked?
#
# The paper's data {cite:p}`uci553eshop,lapczynski2013eshop` are the clicks on the 43 models of one category of a web
# shop. The published file has a line a click, and with each click the number of its *session*: one visit of one person.
# Visits of the same person are not linked in it, and we take the clicks on this category only; so the promise to a person can
# only be worse than what follows for a visit.

# %% jupyter={"source_hidden": true} tags=["set-up"]
head, *lines = datasets.load("eshop").decode().splitlines()
columns = dict(zip(head.split(";"), zip(*(line.split(";") for line in lines))))
category = np.array(columns["page 1 (main category)"])
chosen = category == "1"
models = np.array(columns["page 2 (clothing model)"])[chosen]
item = np.array([int(model[1:]) - 1 for model in models])  # A1 is 0
_, visit, clicks = np.unique(
    np.array(columns["session ID"], dtype=int)[chosen],
    return_inverse=True, return_counts=True,
)  # fmt: skip
page = np.array(columns["page"], dtype=int)[chosen]
dear = np.array(columns["price 2"])[chosen] == "1"
profile = np.array(columns["model photography"])[chosen] == "2"
items = [f"A{i}" for i in range(1, 44)]
people, n = len(clicks), len(item)

# %%
print(f"{n:,} clicks by {people:,} visits: {clicks.mean():.1f} in the mean,", end=" ")
print(f"median {np.median(clicks):.0f}, at most {clicks.max()};", end=" ")
print(f"one in twenty has more than {np.quantile(clicks, 0.95):.0f}")

# %% [markdown]
# So $n$ is no number of users, and a line is no purchase: the lines of a visit are numbered in the order of its clicks, and in one
# visit the same model was looked at 16<!-- {shown_same} --> times. Experiments that call the lines users, ours among them, count
# clicks. For the estimates nothing changes. For privacy a good deal does.

# %% jupyter={"source_hidden": true} tags=["evidence"]
counts = np.bincount(item, minlength=43)
order = np.array(columns["order"], dtype=int)
sessions = np.array(columns["session ID"], dtype=int)
pairs, again = np.unique(np.c_[visit, item], axis=0, return_counts=True)
starts = np.flatnonzero(np.r_[True, sessions[1:] != sessions[:-1]])
since = np.repeat(starts, np.diff([*starts, len(order)]))
numbered = np.arange(len(order)) - since + 1
with claim(
    "S-6.2b",
    printed="records of purchases, and Figure 2 shows how often each item was bought",
    corrected="records of clicks: 49,742 of them in main category 1, with its 43 "
    "items, by 13,082 sessions; Figure 2 shows how often each item was clicked",
    consequence="The paper's own reference for the data is titled *clickstream data "
    "for online shopping*. $n$ counts clicks. Nothing in the tables changes; a "
    "visitor has several reports, so that the privacy of a person is not that of "
    "a report.",
) as c:
    label = "a column of the file says what was bought"
    c.fails(sum("purchase" in x or "bought" in x for x in columns) >= 1, label)
    label = "lines of a session are numbered 1, 2, ... in the order of clicks"
    c.decisive("exhaustive").exact(order.tolist(), numbered.tolist(), label)
    label = "lines of main category 1 for each item, beside the paper's data"
    c.decisive("exhaustive").exact(counts.tolist(), [*shop_counts().values()], label)
    c.exact(int(clicks.sum()), sum(shop_counts().values()), "clicks of all visits")
assert (people, clicks.max(), np.median(clicks)) == (13_082, 65, 2)
assert again.max() > 1
shown_same = int(again.max())

# %% [markdown]
# ## What was promised to a visitor?
#
# Reports of one visitor are drawn with fresh noise. If two histories differ in all of their $k$ clicks, the odds
# between them can move by $e^{\varepsilon}$ with each report, so by $e^{k\varepsilon}$ together, and for both sketches
# some sequence of reports attains that. A shop that promises $\varepsilon$ per click promises a visitor $k\varepsilon$, between two
# visits with the same number of reports. That number is in the clear: between a visit of one click and one of two there is no promise at
# all. (Padding with dummies would hide it.)

# %%
chance = [np.mean(clicks >= k) for k in (2, 5, 10, 20)]
told = ", ".join(f"{k}ε to {c:.0%}" for k, c in zip((2, 5, 10, 20), chance))
print(f"at least {told} of the visits; the worst has {clicks.max()}ε")

# %% [markdown]
# That is a limit for the worst case of a visit, and the worst case needs somebody who knows everything except which of two
# histories is true. What can a server do that knows much less?
#
# ## Can the server tell where she was?
#
# Gadotti, Houssiau, Annamalai and de Montjoye {cite:p}`gadotti2022pool` call it *pool inference*; the paper lists their work
# and does not cite it in its text. Split the items into two *pools* of which a user prefers one. Which one?
# (We ask where the reported clicks lay, not where her next ones will.) Let $\pi_1(d)$ and $\pi_2(d)$ be the habits of the two kinds of user, the shares of their clicks. Both sketches lead to
# the same formula. A report $y$ whose bit or sign agrees with item $d$ ($y_d = 1$) or not ($y_d = -1$) has a probability
# proportional to $e^{\varepsilon y_d/2}$. If clicks are independent given one of two known habits, the best guess is the
# likelihood ratio. Real visits need not be like that, but we take it for them too:
#
# $$ \Lambda = \sum_{\text{reports}} \ln
#    \frac{\sum_d \pi_1(d)\, e^{\varepsilon y_d / 2}}{\sum_d \pi_2(d)\, e^{\varepsilon y_d / 2}} . $$
#
# They find that users with much interest and a strong preference are the most exposed, and confirm their attack on emojis with
# the data of Twitter users. What do the visits to a shop look like? Three ways of splitting the
# 43 models come with the file: by price, by the kind of photograph, and by the page of the shop on which a model is shown. If
# visitors had no taste, the share of their clicks in a pool would vary between them as for tossed coins.

# %% jupyter={"source_hidden": true} tags=["set-up"]
pools = {
    "dear": dear,
    "photographed in profile": profile,
    "beyond the first page": page > 1,
}  # fmt: skip
bands = {"2 to 4 clicks": (2, 4), "5 to 8": (5, 8), "9 to 65": (9, 65)}


def spread(marked, low, high):
    """Variance of the shares between visits, relative to tosses of one coin."""
    share = np.bincount(visit, marked) / clicks
    some = (clicks >= low) & (clicks <= high)
    rate = marked[some[visit]].mean()
    tossed = np.mean(rate * (1 - rate) / clicks[some])
    return np.mean((share[some] - rate) ** 2) / tossed


spreads = {
    pool: [spread(x, *band) for band in bands.values()] for pool, x in pools.items()
}
table(
    {"pool": list(pools),
     "share of all clicks": [f"{x.mean():.0%}" for x in pools.values()],
     **{name: [row[i] for row in spreads.values()] for i, name in enumerate(bands)}},
    formats=dict.fromkeys(bands, ".2f"),
    caption="How much visits differ: variance between visits of the share of clicks "
    "in a pool, relative to a coin (1 = no taste), by the length of the visit.",
)  # fmt: skip

# %% [markdown]
# For price there is nothing to see: visits to this shop mix dear and cheap models like tossed coins. But visitors do differ in *how far they go*. So that is our question: does this visitor look mainly at the first page, or mainly
# beyond it? Half of the visits, at random, teach the server the habits of the two kinds by their true clicks; the other half are
# guessed from reports. The 837<!-- {ties} --> visits with as many clicks on either side are left out.

# %% jupyter={"source_hidden": true} tags=["set-up"]
beyond = np.bincount(visit, page > 1) / clicks
kind, tie = beyond > 0.5, beyond == 0.5
teach = rng.random(people) < 0.5
test = ~teach & ~tie


def habit(which, teach=teach):
    """Shares of the items in the clicks of the visits of one kind that teach."""
    seen = np.bincount(item[(teach & ~tie & which)[visit]], minlength=43) + 1.0
    return seen / seen.sum()


habits = np.array([habit(kind), habit(~kind)])  # π₁: beyond, π₂: first page
H = hadamard_matrix(128)
family = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024).family
where = family.positions(items)
lengths = [(1, 1), (2, 2), (3, 4), (5, 8), (9, 15), (16, 65)]


def log_ratios(scheme, reports, laws=habits):
    """Λ of each report."""
    if scheme.name == "CMS":
        row, bits = scheme.unpack(reports)
        agrees = np.take_along_axis(bits, where.T[row], axis=1)
    else:
        row, column, sign = scheme.unpack(reports)
        agrees = sign[:, None] * H[column[:, None], where.T[row]]
    weight = np.exp(agrees * (scheme.epsilon / 2)) @ laws.T
    return np.log(weight[:, 0] / weight[:, 1])


def right(score, asked):
    """Share of right guesses, the mean over the two kinds; and its standard error.

    score[r] has Λ of each visit with fresh noise; the visits are taken as they are.
    """
    shares = [
        ((score > 0) == which)[:, asked & (kind == which)] for which in (True, False)
    ]
    rates = [x.mean() for x in shares]
    error = sqrt(sum(p * (1 - p) / x.size for p, x in zip(rates, shares))) / 2
    return sum(rates) / 2, error


def scored(scheme, marked, times):
    """Λ of each visit from the reports of the marked clicks, with fresh noise."""
    sent, found = np.array(items)[item[marked]], []
    for _ in range(times):
        ratios = log_ratios(scheme, scheme.privatize(sent, rng))
        found.append(np.bincount(visit[marked], ratios, minlength=people))
    return np.array(found)


def of_length(low, high):
    return test & (clicks >= low) & (clicks <= high)


asked_clicks = test[visit]
schemes = {
    (kind_of.name, level): kind_of(level, hashes=1024, width=128, seed=2024)
    for kind_of in (CountMeanSketch, HadamardCountMeanSketch)
    for level in (1.0, 4.0)
}
scores = {key: scored(scheme, asked_clicks, 6) for key, scheme in schemes.items()}
guesses = {
    key: [right(score, of_length(*band)) for band in lengths]
    for key, score in scores.items()
}

# %%
scheme = CountMeanSketch(4.0, hashes=1024, width=128, seed=2024)
busy = np.flatnonzero(test & (clicks == clicks[test].max()))[0]  # the busiest visit
reports = scheme.privatize([items[i] for i in item[visit == busy]], rng=9)
guess = "beyond it" if log_ratios(scheme, reports).sum() > 0 else "on the first page"
print(f"{clicks[busy]} noisy reports say: mainly {guess};", end=" ")
print(f"{beyond[busy]:.0%} of her clicks were beyond it")

# %% jupyter={"source_hidden": true} tags=["set-up"]
names = [f"{low}" if low == high else f"{low} to {high}" for low, high in lengths]
own = np.maximum(beyond, 1 - beyond)
table(
    {"clicks of the visit": names,
     "visits": [int(of_length(*band).sum()) for band in lengths],
     "clicks in her pool": [
         f"{own[of_length(*band)].mean():.0%}" for band in lengths
     ],
     **{f"{name}, ε = {level:g}": [p for p, _ in guesses[name, level]]
        for name, level in guesses},
     "± at most": [max(rows[i][1] for rows in guesses.values()) for i in range(6)]},
    formats={**{f"{name}, ε = {level:g}": ".2f" for name, level in guesses},
             "± at most": ".3f"},
    caption="Share of right guesses of a visitor's pool (mean over the two kinds), "
    "by the number of her reports, with six draws of the noise; a fair coin has 0.5. "
    "Standard errors (noise only, this half of the visits) in the last column.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
again_rng = np.random.default_rng(779)  # a stream of its own
halves = []
for _ in range(20):  # other halves of the visits teach, and fresh noise
    other = again_rng.random(people) < 0.5
    asked = ~other & ~tie & (clicks >= 9)
    laws = np.array([habit(kind, other), habit(~kind, other)])
    its = np.flatnonzero(asked[visit])
    found = schemes["CMS", 4.0].privatize(np.array(items)[item[its]], again_rng)
    ratios = log_ratios(schemes["CMS", 4.0], found, laws)
    score = np.bincount(visit[its], ratios, minlength=people)
    halves.append(right(score[None], asked)[0])
assert 0.7 < min(halves) < 0.75 < np.mean(halves) < 0.79 < max(halves) < 0.87
assert guess == "on the first page" and 0.45 < beyond[busy] < 0.5  # if only just
ties = int(tie.sum())
shown_halves = float(np.mean(halves))
halves_low = float(min(halves))
halves_high = float(max(halves))

# %% [markdown]
# The guess about the busiest visit is right, if only just. At $\varepsilon = 1$ the server learns little, even from long visits. At $\varepsilon = 4$ it learns
# something from the *first* report: CMS is right 65%<!-- {shown_one:.0%} --> of the time. After nine reports and more it is
# 79%<!-- {shown_nine:.0%} --> for this half of the visits. Over twenty other halves, each with fresh noise, it is 77%<!-- {shown_halves:.0%} --> in the mean,
# between 74%<!-- {halves_low:.0%} --> and 81%<!-- {halves_high:.0%} -->. But look at the column of clicks in her pool: those who click much look on both sides. An invented user keeps her
# habits however long she stays; real visitors with many reports have less of a habit to find.

# %% jupyter={"source_hidden": true} tags=["set-up"]
pool = np.zeros(43, dtype=bool)
pool[item[page > 1]] = True
popular = counts / n
invented = np.array([
    0.9 * popular * inside / popular[inside].sum()
    + 0.1 * popular * ~inside / popular[~inside].sum()
    for inside in (pool, ~pool)
])  # fmt: skip
model = schemes["CMS", 4.0]
users, most = 1500, 65
types = rng.integers(2, size=users)
drawn = np.array([rng.choice(43, size=most, p=invented[k]) for k in types])
reports = model.privatize(np.array(items)[drawn.ravel()], rng)
sums = log_ratios(model, reports, invented).reshape(users, most).cumsum(axis=1)
stay = np.array([1, 2, 3, 6, 11, 22, 65])
made_up = ((sums[:, stay - 1] < 0) == types[:, None]).mean(axis=0)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How often the likelihood-ratio guess of a visitor's pool is right, against the number of her reports (the bars are two standard errors of the noise, for this half of the visits). Coloured lines are real visits; the grey one is an invented user who takes nine clicks in ten from one pool, with CMS at \u03b5 = 4.", "name": "fig-sk-09-pools"}, "image": {"alt": "Five curves of accuracy against the number of reports on a logarithmic axis from 1 to 65. The invented user's curve climbs to 1. CMS at epsilon 4 climbs from about 0.65 to about 0.8; HCMS at epsilon 4 stays near 0.6; both sketches at epsilon 1 stay below 0.6."}} tags=["figure"]
fig, ax = plots.panels(height=3.4)
middle = [np.mean(clicks[of_length(*band)]) for band in lengths]
for (name, level), rows in guesses.items():
    rate, error = np.array(rows).T
    label = f"{name}, ε = {level:g}"
    ax.errorbar(middle, rate, 2 * error, marker="o", ms=4, label=label)
    if level == 1:
        assert rate.max() < 0.61
    elif name == "CMS":
        assert 0.6 < rate[0] < 0.7 and 0.75 < rate[-2:].min() < rate.max() < 0.87
    else:
        assert rate.min() > 0.53 and rate.max() < 0.7
grey = plots.COLOURS["grey"]
ax.plot(stay, made_up, color=grey, ls="--", label="invented, CMS, ε = 4")
assert made_up[-1] > 0.98
ax.axhline(0.5, color=plots.COLOURS["grey"], lw=1, ls="-")
ax.set(xscale="log", xlabel="number of reports", ylabel="share of right guesses")
ax.set_ylim(0.47, 1.02)
ax.set_xticks([1, 2, 3, 7, 20, 65], ["1", "2", "3", "7", "20", "65"])
ax.xaxis.set_minor_locator(plt.NullLocator())
ax.legend(fontsize=8.5)
plt.show()

# %% [markdown]
# ## Does oblivious transfer change that?
#
# The paper's remedy against poisoning is a transfer, [notebook 5](../sketch/05-oblivious-transfer.ipynb): the client fills slots, the server picks
# one without telling which. It depends on who knows the order of the slots, which the paper leaves open. If the server knows it (V1 of
# [notebook 6](../sketch/06-every-variant.ipynb)), it can pick the true ones and sees reports without noise, on CMS the cell of the clicked item; two slots in an order that the client hides (V2) tell nothing at all, and
# no count either. In between are slots shuffled by the client (V3), on HCMS. We look at these only. If they are honest,
# the server ends up with a sign that is right with
# the share of true slots. That is the law of an HCMS report, and the law is all that the guess uses. Let us see it happen:
# every order of three and four slots and every choice, with real transfers; and then the clicks of real visitors.

# %%
level = slot_epsilon(9, 8)  # nine slots, eight of them true
scheme = HadamardCountMeanSketch(level, hashes=1024, width=128, seed=2024)
draw = np.random.default_rng(7).bytes
first = transfer.oblivious_report(scheme, "A30", slots=9, true=8, randomness=draw)
print(f"ε = {scheme.epsilon:.3f}; a transfer of {sum(first.sent)} bytes", end=" ")
print(f"says Λ = {log_ratios(scheme, first.report)[0]:+.3f}")


# %% jupyter={"source_hidden": true} tags=["evidence"]
def transferred(slots, true):
    """How often a true slot is opened: every order, every choice, real transfers."""
    opened = []
    for filled in sorted(set(permutations([1] * true + [-1] * (slots - true)))):
        for choice in range(slots):
            sender = transfer.Sender(slots, randomness=draw)
            receiver = transfer.Receiver(
                sender.first, 0, choice=choice, slots=slots, randomness=draw
            )
            messages = [bytes([sign < 0]) * 16 for sign in filled]
            got = receiver.open(sender.offer(receiver.second, 0, messages=messages))
            opened.append(1 - 2 * got[0])
    return Fraction(opened.count(1), len(opened))


def moments_of(level, laws=habits):
    """Mean, variance, P(Λ > 0) of an HCMS report of each item: all cells, signs."""
    keep = 1 / (1 + np.exp(-level))
    sums = np.zeros((2, 43))
    wins = np.zeros(43)
    for j in range(where.shape[1]):
        signs = H[:, where[:, j]].astype(float)  # (128, 43)
        plus = np.log(np.divide(*(np.exp(signs * level / 2) @ laws.T).T))
        minus = np.log(np.divide(*(np.exp(-signs * level / 2) @ laws.T).T))
        told = np.where(signs > 0, plus[:, None], minus[:, None])
        turned = np.where(signs > 0, minus[:, None], plus[:, None])
        for power in (1, 2):
            mixed = keep * told**power + (1 - keep) * turned**power
            sums[power - 1] += mixed.mean(0)
        wins += (keep * (told > 0) + (1 - keep) * (turned > 0)).mean(0)
    mean, square, won = *sums / where.shape[1], wins / where.shape[1]
    return mean, square - mean**2, won


laws_of = {level: moments_of(level) for level in (1.0, 4.0, scheme.epsilon)}


def foreseen(level, asked):
    """Expected share of right guesses for these visits, by the normal law of Λ."""
    mean, var, _ = laws_of[level]
    centre = np.bincount(visit, mean[item])
    win = stats.norm.cdf(centre / np.sqrt(np.bincount(visit, var[item])))
    return (win[asked & kind].mean() + (1 - win)[asked & ~kind].mean()) / 2


some = [
    np.flatnonzero(test & (kind == k) & (clicks >= 9))[:12] for k in (True, False)
]
sent = np.flatnonzero(np.isin(visit, np.concatenate(some)))
real = np.concatenate([
    transfer.oblivious_report(
        scheme, items[item[i]], slots=9, true=8, randomness=draw
    ).report
    for i in sent
])  # fmt: skip
by_transfer = log_ratios(scheme, real)
plain = log_ratios(scheme, scheme.privatize(np.array(items)[item[sent]], rng))
mean, var, _ = laws_of[scheme.epsilon]

by_order = {row.name: row.curious for row in threat_matrix(1.0, 1)}
assert [by_order[name] for name in ("V1", "V2", "V3")] == [np.inf, 0, 1]
with claim("S-B17") as c:
    for level in (1.0, 4.0):
        lone = of_length(1, 1)
        won = laws_of[level][2]
        its = item[np.flatnonzero(lone[visit])]
        deep = kind[visit[np.flatnonzero(lone[visit])]]
        exact = (won[its[deep]].mean() + (1 - won[its[~deep]]).mean()) / 2
        rate, error = guesses["HCMS", level][0]
        label = f"HCMS, ε = {level:g}: one report, all rows, columns, signs listed"
        c.decisive().sampled(rate, exact, label, stderr=error)
        long = of_length(9, 65)
        rate, error = right(scores["HCMS", level], long)
        label = f"HCMS, ε = {level:g}: visits of 9 to 65 clicks, normal law of Λ"
        c.decisive().sampled(rate, foreseen(level, long), label, stderr=error)
    one, error_1 = guesses["CMS", 4.0][0]
    nine, error_9 = right(scores["CMS", 4.0], of_length(9, 65))
    label = "CMS, ε = 4: nine and more reports tell more than one"
    c.decisive("simulated").at_most(one + 4 * (error_1 + error_9), nine, label)
    shares = [transferred(3, 2), transferred(4, 3)]
    chances = [
        HadamardCountMeanSketch(slot_epsilon(N, T), hashes=1, width=2, seed=1).keep
        for N, T in ((3, 2), (4, 3))
    ]
    label = "3 and 4 slots, every order and choice: the sign is kept as by HCMS"
    c.decisive("sampled").close(np.array(shares, float), chances, label, rtol=1e-12)
    spread_of = np.sqrt(var[item[sent]].sum())
    label = f"{len(sent)} clicks of 24 real visits by transfer: sum of Λ"
    side = np.where(kind[visit[sent]], 1, -1)
    c.sampled(side @ by_transfer, side @ mean[item[sent]], label, stderr=spread_of)
    row, column, sign = scheme.unpack(real)
    as_held = sign == H[column, where.T[row, item[sent]]]
    label = "the same: share of signs kept, of nine slots eight"
    error = sqrt(8 / 81 / len(sent))
    c.decisive("simulated").sampled(as_held.mean(), 8 / 9, label, stderr=error)
    label = "the same clicks without a transfer"
    c.sampled(side @ plain, side @ mean[item[sent]], label, stderr=spread_of)
    design = schemes["CMS", 4.0]
    few = design.privatize(items, 9)
    row, bits = design.unpack(few)
    own_vector = np.where(np.arange(128) == where.T[row][:, :, None], 1, -1)
    same = (bits[:, None] == own_vector).sum(axis=2)  # of 128 signs, for each item
    odds = (design.keep**same * (1 - design.keep) ** (128 - same)) @ habits.T
    label = "CMS, ε = 4: Λ from the chances of whole vectors"
    by_hand = np.log(odds[:, 0] / odds[:, 1])
    c.close(log_ratios(design, few), by_hand, label, rtol=1e-9, atol=1e-12)
    design = schemes["HCMS", 4.0]
    few = design.privatize(items * 500, 9)
    row, column, sign = design.unpack(few)
    same = sign[:, None] == H[column[:, None], where.T[row]]
    odds = np.where(same, design.keep, 1 - design.keep) @ habits.T
    label = "HCMS, ε = 4: Λ from the chances of signs"
    by_hand = np.log(odds[:, 0] / odds[:, 1])
    c.close(log_ratios(design, few), by_hand, label, rtol=1e-9, atol=1e-12)
    centre, square, _ = laws_of[4.0]
    off = (by_hand.reshape(500, 43) - centre) ** 2
    error = off.std(axis=0) / sqrt(500)
    label = "HCMS, ε = 4: variance of Λ for each item, 500 reports each"
    c.sampled(off.mean(axis=0), square, label, stderr=error)
    c.limit(
        round(float(made_up[4]), 2), round(float(guesses["CMS", 4.0][4][0]), 2),
        "CMS, ε = 4: guesses for an invented user, for real visits of 9 to 15 clicks",
        atol=0.04,
    )
shown_one = float(one)
shown_nine = float(nine)
shown_sent = len(sent)

# %% [markdown]
# The 324<!-- {shown_sent} --> transferred reports of 24 visits move the guess as far as plain reports of the same clicks do, within
# chance. A transfer is there to protect the server against the client (and does so only as far as the slots are filled honestly); what a
# person's reports add up to is another matter.
#
# ## One report a visit?
#
# What could the shop do? The simplest idea is to let each visit report *one* of its clicks, drawn at random by the client. Then $\varepsilon$ is
# a promise to the visitor. Or it divides: with at most 65 clicks a visit, each report gets $\varepsilon/65$. Or something between. In both the
# number of reports stays in the clear, so that the promise holds between visits with equally many reports. With one click a visit the sketch
# counts something else, though: shares of *visits*, each with one vote, instead of shares of clicks.

# %% jupyter={"source_hidden": true} tags=["set-up"]
rule = {
    "each click, ε": (65, 4.0),
    "each click, ε/65": (65, 4.0 / 65),
    "at most 5 clicks, ε/5": (5, 4.0 / 5),
    "one click a visit, ε": (1, 4.0),
}
lucky = rng.permutation(n)  # which clicks of a visit are reported
place = np.empty(n, dtype=int)
ordered = lucky[np.argsort(visit[lucky], kind="stable")]
place[ordered] = np.arange(n) - np.repeat(np.cumsum(clicks) - clicks, clicks)
rows = {}
for name, (cap, level) in rule.items():
    design = CountMeanSketch(level, hashes=1024, width=128, seed=2024)
    kept = place < cap
    users = dict(zip(items, np.bincount(item[kept], minlength=43).tolist()))
    total = int(kept.sum())
    noise = design.moments(users).sd[17] / total
    fake = cap * poisoning.frequency_gain(design, "mga", n_fake=1, targets=1) / total
    score = scored(design, kept & asked_clicks, 4)
    rows[name] = (cap * level, total, 100 * noise, 100 * fake,
                  right(score, of_length(9, 65))[0])  # fmt: skip
promise, sent_, noise_, fake_, told_ = zip(*rows.values())
table(
    {"what a visit sends": list(rows), "promise to a visitor": promise,
     "reports": sent_, "noise of a share (points)": noise_,
     "one fake visit (points)": fake_, "pool guessed": told_},
    formats={"promise to a visitor": ".0f", "noise of a share (points)": ".2f",
             "one fake visit (points)": ".3f", "pool guessed": ".2f"},
    caption="CMS, ε = 4: four designs for the same visits. The promise is between "
    "two visits with the same number of reports; that number is in the clear, "
    "except in the last row, where it is always one (padding with dummies would "
    "hide it). "
    "Noise is the standard deviation of the share of A18, in percentage points; a "
    "fake visit sends as many reports as allowed; the pool is guessed for visits of "
    "nine clicks and more.",
)  # fmt: skip


# %% [markdown]
# One click a visit keeps the promise at a modest price in noise, takes most of the server's advantage over a coin away, and is *the
# safest* of the four against fakes: a fake visit has one vote instead of 65. Five clicks at $\varepsilon/5$ hide the pool still better and are safer than
# every click at $\varepsilon$, but at 3.4<!-- {five:.1f} --> times the noise of one click. (The table has another draw of the noise than the figure.) Dividing the budget by 65 hides the pool and is the worst of the four otherwise: it is useless for counting, and each fake
# report is multiplied by a larger constant, so that a single fake visit moves a share by
# 4.3<!-- {divided:.1f} --> points. But one click a visit answers another question. Long visits no longer
# count more, 6.4%<!-- {shown_moved:.1%} --> of the total moves from some models to others, and the favourite changes from
# A2<!-- {top_click} --> to A15<!-- {top_visit} -->.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def chances_of(history, kept=Fraction(3, 4)):
    """Chances of all that a visit can send, a sign a click; history: true signs."""
    return {
        sent: prod(kept if y == w else 1 - kept for y, w in zip(sent, history))
        for sent in product((1, -1), repeat=len(history))
    }


def history_odds(one, other):
    """Largest odds between two visits, over all that the server may receive."""
    first, second = chances_of(one), chances_of(other)
    if set(first) != set(second):
        return "∞"
    return str(max(first[sent] / second[sent] for sent in first))


per_click, per_visit = rows["each click, ε"], rows["one click a visit, ε"]
plain_design = CountMeanSketch(4.0, hashes=1024, width=128, seed=2024)
one_each = np.bincount(item[place == 0], minlength=43)
users = dict(zip(items, one_each.tolist()))
batch = np.array(
    [plain_design.simulate(users, rng).estimate("A18") for _ in range(100)]
)
measured = 100 * batch.std(ddof=1) / people
faked = poisoning.fake_reports(
    plain_design, "mga", targets=["A18"], n_fake=65, rng=rng
)
moved = plain_design.aggregate(faked).estimate("A18")
votes = np.bincount(item, 1 / clicks[visit], minlength=43) / people
with claim("S-B28") as c:
    first_of = np.array(columns["session ID"])[chosen]
    label = "clicks and sessions, counted from the file by another route"
    in_order = np.sort(first_of)
    new = in_order[1:] != in_order[:-1]  # another visit's clicks begin
    found = [first_of.size, int(new.sum()) + 1]
    c.decisive("exhaustive").exact([n, people], found, label)
    longest = max(int(k) for k in np.unique(first_of, return_counts=True)[1])
    c.decisive("exhaustive").exact(int(clicks.max()), longest, "the longest visit")
    kept = Fraction(3, 4)
    powers = [str((kept / (1 - kept)) ** k) for k in (1, 2, 3, 4)]
    listed = [history_odds((1,) * k, (-1,) * k) for k in (1, 2, 3, 4)]
    label = "two visits of 1 to 4 clicks, all reports: the odds move by e^kε"
    c.decisive("sampled").exact(listed, powers, label)
    label = "a visit of two clicks beside one of one, e^ε = 3: odds"
    c.limit(powers[1], history_odds((1, 1), (-1,)), label)
    label = "one report a visit: noise of A18's share, 100 sketches"
    error = measured / sqrt(2 * 99)
    c.decisive().sampled(measured, per_visit[2], label, stderr=error)
    all_users = dict(zip(items, counts.tolist()))
    ratio = plain_design.moments(users).sd / plain_design.moments(all_users).sd
    label = "43 items: noise of a share grows by √(clicks a visit)"
    c.decisive("sampled").close(
        ratio * n / people, np.full(43, sqrt(n / people)), label, rtol=0.1
    )
    label = "65 fake reports by the attack itself"
    c.close(100 * moved / n, per_click[3], label, rtol=1e-9)
    label = "a fake visit: one vote, not 65"
    c.close(per_click[3] / per_visit[3], longest * people / n, label, rtol=1e-9)
drift = abs(votes - popular).sum() / 2
tops = items[int(popular.argmax())], items[int(votes.argmax())]
assert tops[0] != tops[1] and told_[3] - 0.5 < (told_[0] - 0.5) / 2
assert (min(fake_), max(fake_)) == (per_visit[3], rows["each click, ε/65"][3])
assert noise_.index(max(noise_)) == 1 and told_[1] < 0.53  # ε/65: noise, no pool
assert told_[1] < told_[2] < told_[3] and fake_[2] < fake_[0]  # five at ε/5
five = float(noise_[2] / noise_[3])
divided = float(rows["each click, ε/65"][3])
shown_moved = float(drift)
top_click = tops[0]
top_visit = tops[1]

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} One visitor's ceiling
# :label: ex-sk-09-ceiling
# ```
# **Warm-up.** A visit has seven clicks, each reported at $\varepsilon = 1$. How often can *any* guess between two equally
# likely histories of seven clicks be right? And how often after one report?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-09-ceiling", ...)

# %% [markdown]
# ```{solution-start} ex-sk-09-ceiling
# :class: dropdown
# ```
# At most $e^{7}/(1 + e^{7}) = 99.9$ % and $e/(1 + e) = 73.1$ %. The pool guess of the table is far below both, because the server does not compare
# two histories but two habits.

# %% jupyter={"source_hidden": true} tags=["evidence"]
seven, single = (1 / (1 + np.exp(-level)) for level in (7, 1))
assert round(100 * seven, 1) == 99.9
assert round(100 * single) == 73
assert max(p for p, _ in guesses["CMS", 1.0] + guesses["HCMS", 1.0]) < 0.73
check("sk-09-ceiling", (seven, single))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Dividing multiplies
# :label: ex-sk-09-divide
# ```
# **Standard.** A visit may send $L$ reports with $\varepsilon/L$ each. Show that for large $L$ one fake visit gains about
# $2L^2/\varepsilon$ clicks with either sketch (wide ones, one target).
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-09-divide
# :class: dropdown
# ```
# A report gains $(c + 1)/2$ or $c$. With $c = \coth(\varepsilon/4L) \approx 4L/\varepsilon$ for CMS and
# $c = \coth(\varepsilon/2L) \approx 2L/\varepsilon$ for HCMS, $L$ reports gain $2L^2/\varepsilon$ in both cases.

# %% jupyter={"source_hidden": true} tags=["evidence"]
L, eps = sp.symbols("L varepsilon", positive=True)
gains = L * (sp.coth(eps / (4 * L)) + 1) / 2, L * sp.coth(eps / (2 * L))
for gain in gains:
    value = gain.subs({L: 10**5, eps: 1}).evalf(30)
    assert abs(value / (2 * sp.Integer(10) ** 10) - 1) < sp.Rational(1, 10**4)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} What should a long visit count?
# :label: ex-sk-09-weights
# ```
# **Standard.** The shop wants shares of *clicks*, with one report a visit. May the client report, with its random click, how many it
# made? What would an honest server do with that number, and what would a fake client write?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-09-weights
# :class: dropdown
# ```
# Weighing each report by the number of clicks makes the estimate unbiased for clicks. But the number is sent in the clear, so the
# report is no longer $\varepsilon$-private, and a fake client writes 65: it has all of its 65 votes back.

# %% jupyter={"source_hidden": true} tags=["evidence"]
reported = place == 0  # one random click of each visit
weighted = np.bincount(item[reported], clicks[visit[reported]], minlength=43)
own_share = np.zeros((people, 43))
np.add.at(own_share, (visit, item), 1 / clicks[visit])
variance = (clicks[:, None] ** 2 * own_share * (1 - own_share)).sum(axis=0)
assert np.all(np.abs(weighted - counts) < 4 * np.sqrt(variance))
assert np.any(np.abs(weighted - counts) > np.sqrt(variance))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A curve from one number
# :label: ex-sk-09-many
# ```
# **Research.** For a user who keeps her habits $\pi_1$ or $\pi_2$, predict from one number how often the guess is right after $T$
# reports of HCMS at $\varepsilon = 1$, and how many reports it takes to be right nine times in ten, with the invented habits of
# {numref}`fig-sk-09-pools`.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-09-many", ...)

# %% [markdown]
# ```{solution-start} ex-sk-09-many
# :class: dropdown
# ```
# For little information per report $\Lambda$ is a sum of many small terms. Its mean under either habit is
# $\pm T s^2/2$ and its variance $T s^2$, with $s^2 = \tanh^2(\varepsilon/2)$ times the mean square of
# $\sum_d (\pi_1 - \pi_2)(d)\, H[\ell, h_j(d)]$ over rows and columns. So the guess is right with probability
# $\Phi(s\sqrt T/2)$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
gap = invented[0] - invented[1]
lean = sum(gap[d] * H[:, where[d]] for d in range(43))  # (m, k)
s_one = np.tanh(0.5) * sqrt((lean**2).mean())
needed = int(np.ceil((2 * stats.norm.isf(0.1) / s_one) ** 2))
assert needed > np.unique(sessions, return_counts=True)[1].max()  # any category
mean_, var_, _ = moments_of(1.0, invented)  # the exact moments, item by item
drift_ = invented @ mean_
noise_2 = invented @ (var_ + mean_**2) - drift_**2
assert np.allclose(np.abs(drift_), s_one**2 / 2, rtol=0.15)
assert np.allclose(noise_2, s_one**2, rtol=0.15)
crowd = 400
who = rng.integers(2, size=crowd)
asked_items = np.array([rng.choice(43, size=needed, p=invented[k]) for k in who])
tester = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
reports = tester.privatize(np.array(items)[asked_items.ravel()], rng)
total = log_ratios(tester, reports, invented).reshape(crowd, needed).sum(axis=1)
share_right = np.mean((total < 0) == who)
check("sk-09-many", needed)
assert abs(share_right - 0.9) < 4 * sqrt(0.9 * 0.1 / crowd) + 0.01

# %% [markdown]
# It takes 440<!-- {needed} --> reports: more clicks than any visit in this log has, on all categories together.
#
# ```{solution-end}
# ```
#
# ## Summary
#
# - The data are clicks. A promise per click is a promise of up to $65\,\varepsilon$ per visit, $3.8\,\varepsilon$ in the mean, between visits with
#   the same number of reports. That number is not hidden.
# - A server learns from many reports in which pool they lie. A user who keeps her habits is found out in the end; the pool of a real visit
#   to this shop with nine clicks and more is guessed right from CMS at $\varepsilon = 4$ in about 77%<!-- {shown_halves:.0%} --> of the cases, and at
#   $\varepsilon = 1$ little better than by a coin.
# - A transfer from slots that the client shuffles (V3, HCMS) does not change that: the report has the same law. With slots in
#   known order the server sees reports without noise.
# - Of the four designs, one report a visit keeps the promise and is the safest against fakes; dividing the budget by 65 is the most
#   exposed to them. What it counts are visits.
#
# **Further reading.** Gadotti and others {cite:p}`gadotti2022pool` on pools, with Apple's settings; Pan {cite:p}`pan2024count` on count mean
# sketches in theory. **Next:** the [ledger](../../book/ledger/sketch.md) with every claim of this part and its verdict.
