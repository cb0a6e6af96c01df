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
# # Evidence: What do many reports tell about one visitor?
#
# One remark of the paper (S-6.2b) and two claims beyond it: what each one states, and its check. Nothing is hidden. The story is told in
# [the research note of the same name](../../research/sketch-what-many-reports-tell.ipynb).

# %%
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import prod, sqrt

import numpy as np
from scipy import stats

from privlib.notebook import claim, datasets
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning, transfer
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.slots import slot_epsilon

rng = np.random.default_rng(65)
header, *lines = [line.split(";") for line in datasets.load("eshop").decode().splitlines()]
column = {name: number for number, name in enumerate(header)}
shop = [line for line in lines if line[column["page 1 (main category)"]] == "1"]
items = [f"A{number}" for number in range(1, 44)]

# %% [markdown]
# ## S-6.2b (the data are clicks)
#
# *The paper calls the data records of purchases.* No column of the file says what was bought. The lines of a session are numbered in the order of the clicks.

# %%
sessions = Counter(line[column["session ID"]] for line in shop)
numbers = []
expected_numbers = []
position, previous = 0, None
for line in lines:
    session = line[column["session ID"]]
    position = position + 1 if session == previous else 1
    previous = session
    numbers.append(int(line[column["order"]]))
    expected_numbers.append(position)
clicked = Counter(line[column["page 2 (clothing model)"]] for line in shop)
purchases = [name for name in header if "purchase" in name or "bought" in name]
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
    c.fails(len(purchases) > 0, "a column of the file says what was bought")
    label = "lines of a session are numbered 1, 2, ... in the order of clicks"
    c.decisive("exhaustive").exact(numbers, expected_numbers, label)
    label = "lines of main category 1 for each item, beside the paper's data"
    by_item = [clicked[item] for item in items]
    c.decisive("exhaustive").exact(by_item, list(shop_counts().values()), label)
    c.exact([len(shop), len(sessions)], [49_742, 13_082], "clicks and sessions")

# %% [markdown]
# ## S-B28 (a level per click, and per visit)
#
# *The 49,742 clicks are those of 13,082 sessions, at most 65 a session, so that a level of $\varepsilon$ per click is one of up to $65\,\varepsilon$ per session, between sessions of equal length. With one report per session it is $\varepsilon$; the noise of a share grows by about the root of the clicks per session, and a fake session sends one report instead of up to 65.*
#
# For the levels, we list all reports of two small sketches with exact probabilities. There are three items and two hash functions; $e^{\varepsilon} = 4$. The factor between two visits should be $4^k$, where $k$ is the number of clicks in which they differ.

# %%
E = 4
hash_values = {"a": (0, 1), "b": (1, 1), "c": (1, 0)}  # some function separates any two


def cms_report(item):
    """Probability of each report of CMS with two rows and two cells; p/q = 2."""
    p = Fraction(2, 3)
    probabilities = {}
    for row, signs in product((0, 1), product((1, -1), repeat=2)):
        cell = hash_values[item][row]
        probability = Fraction(1, 2)
        for position, sign in enumerate(signs):
            true_sign = 1 if position == cell else -1
            probability *= p if sign == true_sign else 1 - p
        probabilities[row, signs] = probability
    return probabilities


def hcms_report(item):
    """Probability of each report of HCMS with two rows and two columns; p/q = 4."""
    p = Fraction(4, 5)
    matrix = [[1, 1], [1, -1]]
    probabilities = {}
    for row, coordinate, sign in product((0, 1), (0, 1), (1, -1)):
        true_sign = matrix[coordinate][hash_values[item][row]]
        probability = p if sign == true_sign else 1 - p
        probabilities[row, coordinate, sign] = probability / 4
    return probabilities


def visit_reports(clicks, report):
    """Probability of each sequence of reports, one for each click."""
    each = [report(item) for item in clicks]
    probabilities = {}
    for sequence in product(each[0], repeat=len(clicks)):
        probabilities[sequence] = prod(one[z] for one, z in zip(each, sequence))
    return probabilities


def one_report(clicks, report):
    """Probability of each report, if one random click is reported."""
    probabilities = Counter()
    for item in clicks:
        for z, probability in report(item).items():
            probabilities[z] += probability / len(clicks)
    return probabilities


def largest_factor(first, second):
    if set(first) != set(second):
        return "∞"
    return str(max(first[z] / second[z] for z in first))


factors, expected_factors, one_click_factors = [], [], []
visits = [v for length in (1, 2, 3) for v in product("abc", repeat=length)]
for report in (cms_report, hcms_report):
    every = {v: visit_reports(v, report) for v in visits if len(v) < 3}
    for v, w in product(every, repeat=2):
        if len(v) == len(w):
            factors.append(largest_factor(every[v], every[w]))
            expected_factors.append(str(E ** sum(x != y for x, y in zip(v, w))))
    mixed = {v: one_report(v, report) for v in visits}
    for v, w in product(visits, repeat=2):
        one_click_factors.append(Fraction(largest_factor(mixed[v], mixed[w])))
print(len(factors), "pairs of visits,", len(one_click_factors), "pairs with one report each")
unequal = largest_factor(visit_reports("ab", cms_report), visit_reports("a", cms_report))

# %% [markdown]
# For the noise and the fake visits, we simulate and aggregate reports of the shop's own sketch.

# %%
design = CountMeanSketch(4.0, hashes=1024, width=128, seed=2024)
item_of = {item: number for number, item in enumerate(items)}
clicks_of = {}
for line in shop:
    made = clicks_of.setdefault(line[column["session ID"]], [])
    made.append(line[column["page 2 (clothing model)"]])
one_each = Counter(made[rng.integers(len(made))] for made in clicks_of.values())
one_each = {item: one_each[item] for item in items}
by_click = {item: clicked[item] for item in items}
simulated = np.array([design.simulate(one_each, rng).estimate(["A18"])[0] for _ in range(100)])
visit_moments, click_moments = design.moments(one_each), design.moments(by_click)
noise_of_visits = visit_moments.sd / len(clicks_of)
noise_of_clicks = click_moments.sd / len(shop)
per_visit = len(shop) / len(clicks_of)
longest = max(len(made) for made in clicks_of.values())
raised = []
for number in (1, longest):
    fakes = poisoning.fake_reports(design, "mga", targets=["A18"], n_fake=number, rng=rng)
    raised.append(design.aggregate(fakes).estimate(["A18"])[0])
gain = poisoning.frequency_gain(design, "mga", n_fake=1, targets=1)

# %%
with claim("S-B28") as c:
    label = "clicks, sessions, the longest session"
    sizes = [len(shop), len(clicks_of), longest]
    c.decisive("exhaustive").exact(sizes, [49_742, 13_082, 65], label)
    label = "both sketches, three items, visits of one and two clicks: factor $e^{k\\varepsilon}$"
    c.decisive("sampled").exact(factors, expected_factors, label)
    label = "one report for each visit of up to three clicks: largest factor $e^{\\varepsilon}$"
    c.decisive("sampled").exact(max(one_click_factors), Fraction(E), label)
    label = "a visit of two clicks beside one of one click: factor"
    c.limit(str(E**2), unequal, label)
    label = "one report for each session: noise of A18, 100 sketches"
    measured = simulated.std(ddof=1)
    error = measured / sqrt(2 * 99)
    c.decisive("simulated").sampled(measured, visit_moments.sd[item_of["A18"]], label, stderr=error)
    label = "43 items: noise of a share with one report per session, per click"
    root = np.full(43, sqrt(per_visit))
    c.decisive("sampled").close(noise_of_visits / noise_of_clicks, root, label, rtol=0.1)
    label = "1 and 65 fake reports, aggregated: gain of A18"
    c.close(raised, [gain, 65 * gain], label, rtol=1e-9)

# %% [markdown]
# ## S-B17 (the pool of a visit)
#
# *From many reports of one user a server guesses the pool that the user's items come from more often than chance; a transfer of HCMS reports from slots that the client shuffles (V3) does not change that.*
#
# We take one random half of the visits to learn the habits, and guess the other half. A visit prefers later pages if more than half of its clicks are there.

# %%
m = 128
H = hadamard_matrix(m)
item = np.array([item_of[line[column["page 2 (clothing model)"]]] for line in shop])
page = np.array([int(line[column["page"]]) for line in shop])
session = np.array([int(line[column["session ID"]]) for line in shop])
_, visit, clicks = np.unique(session, return_inverse=True, return_counts=True)
later_clicks = np.bincount(visit, page > 1)
later, first_page = 2 * later_clicks > clicks, 2 * later_clicks < clicks
teaching = rng.random(len(clicks)) < 0.5
habits = []
for kind in (later, first_page):
    seen = 1 + np.bincount(item[(teaching & kind)[visit]], minlength=43)
    habits.append(seen / seen.sum())
habits = np.array(habits)
designs = {}
for kind in (CountMeanSketch, HadamardCountMeanSketch):
    for epsilon in (1.0, 4.0):
        designs[kind.name, epsilon] = kind(epsilon, hashes=1024, width=m, seed=2024)
cells = designs["CMS", 1.0].family.positions(items)  # (43, 1024)


def log_ratios(scheme, reports, habits):
    """The term of Λ of each report."""
    if scheme.name == "CMS":
        row, signs = scheme.unpack(reports)
        supported = np.take_along_axis(signs, cells.T[row], axis=1)
    else:
        row, coordinate, sign = scheme.unpack(reports)
        supported = sign[:, None] * H[coordinate[:, None], cells.T[row]]
    likelihoods = np.exp(scheme.epsilon / 2 * supported) @ habits.T
    return np.log(likelihoods[:, 0] / likelihoods[:, 1])


def right_guesses(scheme, low, high, times=6):
    """Share of right guesses with fresh noise, mean of both kinds, and its standard error."""
    asked = ~teaching & (clicks >= low) & (clicks <= high)
    reported = np.flatnonzero((asked & (later | first_page))[visit])
    right = {"later": [], "first": []}
    for _ in range(times):
        reports = scheme.privatize(np.array(items)[item[reported]], rng)
        ratios = log_ratios(scheme, reports, habits)
        score = np.bincount(visit[reported], ratios, minlength=len(clicks))
        right["later"].extend(score[asked & later] > 0)
        right["first"].extend(score[asked & first_page] < 0)
    rates = [np.mean(guesses) for guesses in right.values()]
    variances = [p * (1 - p) / len(g) for p, g in zip(rates, right.values())]
    return np.mean(rates), sqrt(sum(variances)) / 2


# %% [markdown]
# First, the formula of $\Lambda$. The second route multiplies the probabilities of *all* signs of a report, for each item that may have been clicked.

# %%
def log_ratios_of_whole_reports(scheme, reports):
    """Λ of each report from the probabilities of all its signs."""
    probabilities = np.zeros((len(reports), 43))
    for d in range(43):
        if scheme.name == "CMS":
            row, signs = scheme.unpack(reports)
            own = np.where(np.arange(m) == cells[d, row][:, None], 1, -1)
            same = np.sum(signs == own, axis=1)
            probabilities[:, d] = scheme.keep**same * scheme.flip ** (m - same)
        else:
            row, coordinate, sign = scheme.unpack(reports)
            same = sign == H[coordinate, cells[d, row]]
            probabilities[:, d] = np.where(same, scheme.keep, scheme.flip)
    likelihoods = probabilities @ habits.T
    return np.log(likelihoods[:, 0] / likelihoods[:, 1])


by_formula, by_whole_reports = [], []
for name in ("CMS", "HCMS"):
    scheme = designs[name, 4.0]
    reports = scheme.privatize(items * 20, rng)
    by_formula.extend(log_ratios(scheme, reports, habits))
    by_whole_reports.extend(log_ratios_of_whole_reports(scheme, reports))


# %% [markdown]
# Second, what HCMS should give. For each clicked item we go through all rows, columns and signs, and get the exact probability of $\Lambda > 0$ after one report, and the exact mean and variance of its term. For long visits, $\Lambda$ is approximately normal.

# %%
def term_of_each_item(scheme, habits):
    """Mean and variance of the term of each clicked item, and probability that it is positive."""
    weights = {}
    for sign in (1, -1):
        # support of all items by a report with this sign: (columns, rows, items)
        likelihoods = np.exp(scheme.epsilon / 2 * sign * H[:, cells.T]) @ habits.T
        weights[sign] = np.log(likelihoods[..., 0] / likelihoods[..., 1])
    mean, square, positive = np.zeros((3, 43))
    for d in range(43):
        true_sign = H[:, cells[d]]
        for kept, probability in ((1, scheme.keep), (-1, scheme.flip)):
            term = np.where(kept * true_sign > 0, weights[1], weights[-1])
            mean[d] += probability * term.mean()
            square[d] += probability * (term**2).mean()
            positive[d] += probability * (term > 0).mean()
    return mean, square - mean**2, positive


def expected_right(asked, probability):
    """Expected share of right guesses, if each visit has this probability of Λ > 0."""
    return (probability[asked & later].mean() + 1 - probability[asked & first_page].mean()) / 2


measured, expected, errors = [], [], []
for epsilon in (1.0, 4.0):
    scheme = designs["HCMS", epsilon]
    mean, variance, positive = term_of_each_item(scheme, habits)
    one_click = np.bincount(visit, positive[item]) / clicks
    centre = np.bincount(visit, mean[item])
    normal = stats.norm.cdf(centre / np.sqrt(np.bincount(visit, variance[item])))
    for low, high, probability in ((1, 1, one_click), (9, 65, normal)):
        asked = ~teaching & (clicks >= low) & (clicks <= high)
        rate, error = right_guesses(scheme, low, high)
        measured.append(rate)
        errors.append(error)
        expected.append(expected_right(asked, probability))
print(np.round(measured, 3), np.round(expected, 3))
single, single_error = right_guesses(designs["CMS", 4.0], 1, 1)
many, many_error = right_guesses(designs["CMS", 4.0], 9, 65)

# %% [markdown]
# Third, the transfers. For three and four slots we go through every order of the slots and every choice of the server, with real transfers. Then the clicks of 24 real visits are sent with eight true slots of nine.

# %%
draw = np.random.default_rng(7).bytes


def share_opened_true(slots, true):
    """Share of true signs among those opened, over every order and choice."""
    opened_true = []
    for order in sorted(set(permutations([1] * true + [-1] * (slots - true)))):
        for choice in range(slots):
            sender = transfer.Sender(slots, randomness=draw)
            receiver = transfer.Receiver(
                sender.first, 0, choice=choice, slots=slots, randomness=draw
            )
            messages = [bytes([sign < 0]) * 16 for sign in order]
            opened = receiver.open(sender.offer(receiver.second, 0, messages=messages))
            opened_true.append(opened[0] == 0)
    return Fraction(sum(opened_true), len(opened_true))


opened, kept_by_hcms = [], []
for slots, true in ((3, 2), (4, 3)):
    opened.append(float(share_opened_true(slots, true)))
    same_level = HadamardCountMeanSketch(slot_epsilon(slots, true), hashes=1, width=2, seed=1)
    kept_by_hcms.append(same_level.keep)

scheme = HadamardCountMeanSketch(slot_epsilon(9, 8), hashes=1024, width=m, seed=2024)
chosen = []
for kind in (later, first_page):
    chosen.extend(np.flatnonzero(~teaching & kind & (clicks >= 9))[:12])
sent = np.flatnonzero(np.isin(visit, chosen))
transferred = []
for number in sent:
    transcript = transfer.oblivious_report(
        scheme, items[item[number]], slots=9, true=8, randomness=draw
    )
    transferred.append(transcript.report)
transferred = np.concatenate(transferred)
row, coordinate, sign = scheme.unpack(transferred)
kept = sign == H[coordinate, cells[item[sent], row]]
mean, variance, _ = term_of_each_item(scheme, habits)
side = np.where(later[visit[sent]], 1, -1)
total = side @ log_ratios(scheme, transferred, habits)
print(f"{len(sent)} reports of {len(chosen)} visits, {kept.sum()} signs are true")

# %% [markdown]
# Finally, a limit. An invented user who takes nine clicks in ten from one pool is found out in the end; real visits of 9 to 15 clicks are not.

# %%
popularity = np.bincount(item) / len(item)
later_items = np.isin(np.arange(43), item[page > 1])
invented = []
for pool in (later_items, ~later_items):
    inside, outside = popularity * pool, popularity * ~pool
    invented.append(0.9 * inside / inside.sum() + 0.1 * outside / outside.sum())
invented = np.array(invented)
kinds = rng.integers(2, size=1500)
drawn = np.concatenate([rng.choice(43, size=11, p=invented[kind]) for kind in kinds])
reports = designs["CMS", 4.0].privatize(np.array(items)[drawn], rng)
totals = log_ratios(designs["CMS", 4.0], reports, invented).reshape(1500, 11).sum(axis=1)
invented_right = np.mean((totals < 0) == kinds)
real_right, _ = right_guesses(designs["CMS", 4.0], 9, 15)

# %%
with claim("S-B17") as c:
    label = "ε = 4, both sketches: Λ by the formula and from the probabilities of whole reports"
    c.close(by_formula, by_whole_reports, label, rtol=1e-9, atol=1e-12)
    label = "HCMS, ε = 1 and 4: right guesses after one report, and for 9 to 65"
    c.decisive("simulated").sampled(measured, expected, label, stderr=errors)
    label = "CMS, ε = 4: nine reports and more tell more than one"
    c.decisive("simulated").at_most(single + 4 * (single_error + many_error), many, label)
    label = "3 and 4 slots, every order and choice: the sign is kept as by HCMS"
    c.decisive("sampled").close(opened, kept_by_hcms, label, rtol=1e-12)
    label = f"{len(sent)} clicks of 24 real visits, slots 8 of 9: share of signs kept"
    error = sqrt(8 / 81 / len(sent))
    c.decisive("simulated").sampled(kept.mean(), 8 / 9, label, stderr=error)
    label = "the same: sum of Λ in favour of the true pool"
    spread = sqrt(variance[item[sent]].sum())
    c.decisive("simulated").sampled(total, side @ mean[item[sent]], label, stderr=spread)
    label = "CMS, ε = 4: right guesses, invented user with 11 reports, real visits of 9 to 15"
    c.limit(round(float(invented_right), 2), round(float(real_right), 2), label, atol=0.04)
