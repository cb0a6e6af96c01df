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
# # Would another mechanism have been safer?
#
# A shop counts 43 products with a sketch, and one forged report lifts a product by more than two customers. For so few
# products there are simpler ways to ask: name the product, or tick boxes, or answer with a random set. Perhaps the sketch is
# to blame, and another mechanism with the same promise would have resisted? Two lines of algebra answer for all
# mechanisms at once whose reports the server adds up without bias, those included that nobody has invented yet. All that
# can be had lies on or above one curve, and the sketches are already near it.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why noise and exposure are one thing, how small the exposure can be under any private mechanism,
# that nine well-known mechanisms lie on or just above one curve at $\varepsilon = 1$, and what a fake that may walk away earns on each of its points.
# **You need** the gains of [notebook 3](../sketch/03-poisoning.ipynb); conditional means; for the stopper
# [*Can a client prove that its noise is honest?*](sketch-verifiable-noise.ipynb).
# **Time:** 18 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **A poisoner** controls some clients and knows the mechanism and the target. It sends *any report that an honest client
# might send*. In the last section the noise is enforced, and all that is left to it is to choose an item and to walk away.
# **The server** is honest and adds up what the reports are worth. **Protected:** each report, up to $e^{\varepsilon}$.
# **Not protected:** the estimates.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import comb, sqrt

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy.optimize import linprog

from privlib.notebook import claim, derivation, plots, table
from privlib.notebook.derivations import increasing
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning
from privlib.sketch.data import shop_counts
from privlib.sketch.threat_model import threat_matrix

plots.use()
rng = np.random.default_rng(2026)

# %% [markdown]
# ## What would the others have cost?
#
# Nearly all known mechanisms for counting items fit one frame. A report *supports* some items: its sender's own with
# probability $P$, any other with $Q < P$. The server adds $\frac{1 - Q}{P - Q}$ to the count of an item for each report that
# supports it, and $-\frac{Q}{P - Q}$ for each that does not; in the mean that is 1 for the item and 0 for the others. These two
# numbers are also what *one fake* can do: its **rise** and its **fall**. Take optimised unary encoding at
# $\varepsilon = 1$, where a client ticks its own box with probability $\frac12$ and each other with $\frac1{e + 1}$:

# %%
P, Q = 1 / 2, 1 / (np.e + 1)
rise, fall = (1 - Q) / (P - Q), Q / (P - Q)
print(f"one fake: up by {rise:.3f} or down by {fall:.3f} users", end="; ")
print(f"variance per user {Q * (1 - Q) / (P - Q) ** 2:.3f}")

# %% jupyter={"source_hidden": true} tags=["set-up"]
D, g, w, E, m = sp.symbols("D g omega E m", positive=True)  # E = exp(ε)
a = sp.sqrt(E)
others_in = (w * E * (w - 1) + (D - w) * w) / ((D - 1) * (w * E + D - w))
p_cms, p_hcms = a / (a + 1), E / (E + 1)
frame = {
    "GRR": (E / (E + D - 1), 1 / (E + D - 1)),
    "SUE": (a / (a + 1), 1 / (a + 1)),
    "OUE": (sp.Rational(1, 2), 1 / (E + 1)),
    "local hashing": (E / (E + g - 1), 1 / g),
    "subset selection": (w * E / (w * E + D - w), others_in),
    "CMS": (p_cms, p_cms / m + (1 - 1 / m) * (1 - p_cms)),
    "HCMS": (p_hcms, p_hcms / m + (1 - 1 / m) / 2),
}
as_code = {name: sp.lambdify((D, m, E, g, w), pair) for name, pair in frame.items()}


def variance(P, Q):
    return Q * (1 - Q) / (P - Q) ** 2


def promotion(P, Q):
    return (1 - Q) / (P - Q)


def demotion(P, Q):
    return Q / (P - Q)


def stopping(P, Q):
    """Mean gain of a session of a fake that stops unless its report supports t."""
    return P * (1 - Q) / (P - Q)


def at_level(name, level, *, buckets=2, subset=1):
    """P and Q of a mechanism for 43 items and m = 128."""
    return as_code[name](43, 128, np.exp(level), buckets, subset)


def geometry(s, t):
    """Points of a projective space, and how many are orthogonal to one and to two."""
    return [(s ** (t - j) - 1) // (s - 1) for j in range(3)]


def pgr(s, t, level):
    """P and Q of projective geometry response."""
    points, one, two = geometry(s, t)
    total = one * np.exp(level) + points - one
    return one * np.exp(level) / total, (two * np.exp(level) + one - two) / total


fields = (2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43)
spaces = [
    next((s, t) for t in range(2, 9) if geometry(s, t)[0] >= 43) for s in fields
]


def options(level):
    """Every mechanism at its best setting."""
    def best(pairs):
        return min(pairs, key=lambda pair: variance(*pair))

    hashing = (at_level("local hashing", level, buckets=k) for k in range(2, 60))
    subsets = (at_level("subset selection", level, subset=k) for k in range(1, 22))
    return {
        **{name: at_level(name, level) for name in ("GRR", "SUE", "OUE")},
        "OLH": best(hashing),
        "BLH": at_level("local hashing", level),
        "subset sel.": best(subsets),
        "PGR": best(pgr(s, t, level) for s, t in spaces),
        **{name: at_level(name, level) for name in ("CMS", "HCMS")},
    }


levels = (0.5, 1.0, 2.0, 4.0)
found = {level: options(level) for level in levels}

# %% [markdown]
# GRR answers with the item itself, more often than with any other; SUE and OUE tick one box an item; local hashing sends the
# hash value of the item under a hash function of one's own (BLH: two values; OLH: about $e^\varepsilon + 1$
# {cite:p}`wang2017locally`); subset selection names $\omega$ of the items {cite:p}`ye2018optimal`; projective geometry
# response (PGR) supports the items whose vector, over a finite field, is orthogonal to the reported one
# {cite:p}`feldman2022private`. Our two sketches fit as well: averaged over random hash functions, a CMS report supports an
# item if the bit in its cell is $+1$, an HCMS report if its sign agrees.

# %% jupyter={"source_hidden": true} tags=["set-up"]
now = found[1.0]
table(
    {"mechanism": list(now),
     **{f"variance, ε = {level:g}": [variance(*pair) for pair in pairs.values()]
        for level, pairs in found.items()},
     "rise, ε = 1": [promotion(*pair) for pair in now.values()],
     "fall, ε = 1": [demotion(*pair) for pair in now.values()]},
    formats={**{f"variance, ε = {level:g}": ".3f" for level in levels},
             "rise, ε = 1": ".3f", "fall, ε = 1": ".3f"},
    caption="Nine mechanisms for 43 items, each at its best setting: variance of the "
    "count of a rare item per honest user, and what one fake can do to it, in users.",
)  # fmt: skip


# %% [markdown]
# Multiply the last two columns: the product is the variance, in every line. And nothing is good at both. GRR can
# hardly be pushed down, and a single fake lifts an item by 25.4<!-- {shown_grr:.1f} --> users. BLH and HCMS
# have the least rises and the largest falls. Five of the mechanisms, simulated from their definitions, have these variances. The clients of another
# package {cite:p}`arcolezi2022multifreq` support items [with these probabilities](../../book/outside.md), too: those of GRR, OUE and OLH. The paper compares its two sketches at promotion only; there HCMS wins.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def counted(s, t):
    """The geometry for a prime s, by listing the points and their inner products."""
    every = np.array(list(product(range(s), repeat=t)))[1:]
    first = every[np.arange(len(every)), (every != 0).argmax(axis=1)]
    points = every[first == 1]  # one vector per line
    orthogonal = (points @ points.T % s == 0).astype(int)
    both = orthogonal @ orthogonal.T
    apart = both[~np.eye(len(points), dtype=bool)]
    return [len(points), *{*np.diag(both).tolist()}, *{*apart.tolist()}]


clients = np.random.default_rng(43)
true = np.array(list(shop_counts().values())) // 16
n, clicks = true.sum(), np.repeat(np.arange(43), true)
subset, buckets = round(43 / (np.e + 1)), round(np.e) + 1


def randomized_response(values, size):
    """Each value as it is with probability e/(e + size - 1), else one of the others."""
    kept = clients.random(len(values)) < np.e / (np.e + size - 1)
    others = (values + clients.integers(1, size, len(values))) % size
    return np.where(kept, values, others)


def tick_boxes(own, other):
    """A box an item: the own one is ticked with one probability, each other with another."""
    chance = np.full((n, 43), other)
    chance[np.arange(n), clicks] = own
    return clients.random((n, 43)) < chance


def name_subsets():
    """The own item with its probability, and others drawn until the subset is full."""
    with_own = clients.random(n) < subset * np.e / (subset * np.e + 43 - subset)
    named = np.zeros((n, 43), dtype=int)
    for user in range(n):
        others = np.delete(np.arange(43), clicks[user])
        missing = subset - with_own[user]
        named[user, clients.choice(others, missing, replace=False)] = 1
        named[user, clicks[user]] = with_own[user]
    return named


def supports(name):
    """How many reports support each item, all clients drawing as the mechanism says."""
    if name == "GRR":
        return np.bincount(randomized_response(clicks, 43), minlength=43)
    if name == "SUE":
        root = np.sqrt(np.e)
        return tick_boxes(root / (root + 1), 1 / (root + 1)).sum(axis=0)
    if name == "OUE":
        return tick_boxes(1 / 2, 1 / (np.e + 1)).sum(axis=0)
    if name == "OLH":
        hashed = rng.integers(buckets, size=(n, 43))
        answers = randomized_response(hashed[np.arange(n), clicks], buckets)
        return (hashed == answers[:, None]).sum(axis=0)
    return name_subsets().sum(axis=0)


ours = {name: now[name] for name in ("GRR", "SUE", "OUE")}
ours["OLH"] = at_level("local hashing", 1.0, buckets=buckets)
ours["subset sel."] = at_level("subset selection", 1.0, subset=subset)
ratios = []
for name, (P_, Q_) in ours.items():
    spread = n * variance(P_, Q_)
    spread = spread + true * (P_ * (1 - P_) - Q_ * (1 - Q_)) / (P_ - Q_) ** 2
    errors = [(supports(name) - n * Q_) / (P_ - Q_) - true for _ in range(2)]
    ratios.append(np.mean(np.square(errors) / spread))

F, c_cms, c_hcms = m / (m - 1), (a + 1) / (a - 1), (E + 1) / (E - 1)
with claim("S-B16") as c:
    textbook = {
        "GRR": (D - 2 + E) / (E - 1) ** 2,
        "SUE": a / (a - 1) ** 2,
        "OUE": 4 * E / (E - 1) ** 2,
        "local hashing": (E - 1 + g) ** 2 / ((E - 1) ** 2 * (g - 1)),
        "CMS": F**2 * a / (a - 1) ** 2 + 1 / (m - 1),
        "HCMS": F**2 * c_hcms**2 - 1 / (m - 1) ** 2,
    }
    noise = [variance(*frame[name]) for name in textbook]
    label = f"variance in closed form: {', '.join(textbook)}"
    c.decisive().exact(noise, [*textbook.values()], label)
    tops = {"CMS": F * ((c_cms + 1) / 2 - 1 / m), "HCMS": F * (c_hcms - 1 / m)}
    rises = [promotion(*frame[name]) for name in tops]
    label = "largest rise = gain of the attack: CMS, HCMS"
    c.decisive().exact(rises, [*tops.values()], label)
    for kind in (CountMeanSketch, HadamardCountMeanSketch):
        scheme = kind(1.0, hashes=1024, width=128, seed=2024)
        gains = [
            poisoning.frequency_gain(scheme, attack, n_fake=502, targets=1) / 502
            for attack in ("mga", "demotion")
        ]
        up, down = (f(*now[scheme.name]) for f in (promotion, demotion))
        label = f"{scheme.name}, ε = 1: rise and fall as in notebook 3"
        c.close([up, -down], gains, label, rtol=1e-9)
    label = "five mechanisms simulated from their definitions, 86 squared errors each"
    c.sampled(ratios, np.ones(5), label, stderr=sqrt(2 / 86))
for s, t in ((2, 4), (3, 3), (5, 3)):
    assert counted(s, t) == geometry(s, t)
for level in levels:
    noise = {name: variance(*pair) for name, pair in found[level].items()}
    assert max(noise["subset sel."], noise["OUE"]) < noise["CMS"] < noise["HCMS"]
    assert all(np.isclose(V, promotion(*pair) * demotion(*pair)) for V, pair in
               zip(noise.values(), found[level].values()))  # fmt: skip
shown_grr = float(promotion(*now["GRR"]))

# %% [markdown]
# With 43 items subset selection and OUE are more accurate than both sketches at every level of the table; one thing that
# a sketch buys is a domain that need not be listed beforehand. But is the product a law, or does it belong to the frame? And how
# small can rise and fall be?
#
# ## How safe can a private report be?
#
# Forget the frame. Let the report $y$ be one of any finite list, drawn from a law $P_d$ that depends on the item $d$, and let the server
# add up any number $\varphi(y)$ for each report.
#
# ```{prf:definition} Unbiased additive estimator; rise and fall
# :label: def-sk-08-additive
# The count of item $t$ is estimated by $\sum \varphi(y)$ over all reports. It is right in the mean for every
# population exactly if $\varphi$ has the mean 1 under $P_t$ and the mean 0 under $P_d$ for every other $d$. One fake adds
# at most the *rise* $g^+ = \max \varphi$ and takes away at most the *fall* $g^- = -\min \varphi$, over the reports that
# honest clients may send. $V$ is the variance of $\varphi$ under $P_d$, $d \ne t$: the noise per user of another
# item.
# ```
#
# ```{prf:theorem} The price of privacy in robustness
# :label: thm-sk-08-price
# For every $\varepsilon$-locally private mechanism and every such estimator
#
# $$ \begin{aligned} g^+ &\ge \frac{e^\varepsilon}{e^\varepsilon - 1}, & g^- &\ge \frac{1}{e^\varepsilon - 1}, \\
#    V &\le g^+ g^-, \end{aligned} $$
#
# and $V = g^+ g^-$ exactly if $\varphi$ takes no value but $g^+$ and $-g^-$.
# ```
#
# *Proof.* The number $g^+ - \varphi(y)$ is never negative. Call its mean $A$ under $P_d$ and $B$ under $P_t$. So $A = g^+$
# and $B = g^+ - 1$, and privacy says $A \le e^\varepsilon B$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
A, B, low, high, b = sp.symbols("A B g_- g_+ b", nonnegative=True)
names = {E: r"e^\varepsilon", low: "g^-", high: "g^+"}
upward = (
    derivation(E * (B + 1) - A, of=r"(e^\varepsilon - 1)\, g^+", names=names)
    .equal(E + E * B - A, "expand")
    .at_least(E, "privacy", by=increasing(B, A / E))
)
upward

# %% [markdown]
# In the same way $\varphi(y) + g^-$ is never negative; its means are now $A = g^-$ and $B = g^- + 1$, and
# $B \le e^\varepsilon A$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
downward = derivation(
    E * A - B + 1, of=r"(e^\varepsilon - 1)\, g^-", names=names
).at_least(1, "privacy", by=increasing(A, B / E))
downward

# %% [markdown]
# For the noise write $\varphi = b - g^-$ with $b \ge 0$. As $\varphi \le g^+$,

# %% jupyter={"source_hidden": true} tags=["evidence"]
square = (
    derivation((b - low) ** 2, of=r"\varphi^2", names=names)
    .at_most(
        (high - low) * (b - low) + high * low, "largest φ is g⁺",
        by=increasing(high, b - low),
    )
)  # fmt: skip
square


# %% [markdown]
# Under $P_d$ the bracket $b - g^-$ has the mean 0, so $V = \mathrm{E}\,\varphi^2 \le g^+ g^-$. The difference of the two sides
# is $(g^+ - \varphi)(\varphi + g^-)$. Its mean is 0 exactly if no report has a value between the two ends. ∎
#
# The third step is the inequality of Bhatia and Davis {cite:p}`bhatia2000variance`. That local privacy has a price in robustness was found by
# Cheu, Smith and Ullman {cite:p}`cheu2021manipulation`, for the error of whole distributions and up to constants;
# Cao, Jia and Gong {cite:p}`cao2021poisoning` computed gains for GRR, OUE and OLH. We did not find the three sharp inequalities in
# print, though each step is standard. In the frame above $\varphi$ has two values; that is why its product rule was an equality.
#
# A proof may have a hole, so let a computer look for one. For a given channel the least possible rise is a linear
# programme, because the conditions on $\varphi$ are linear.

# %%
def least_rise(channel, item=0):
    """Smallest bound on an unbiased estimator; channel[d]: law of d's report."""
    items, reports = channel.shape
    answer = linprog(
        np.r_[np.zeros(reports), 1],
        A_ub=np.c_[np.eye(reports), -np.ones(reports)], b_ub=np.zeros(reports),
        A_eq=np.c_[channel, np.zeros(items)], b_eq=np.eye(items)[item],
        bounds=(None, None),
    )  # fmt: skip
    return answer.fun


# %% jupyter={"source_hidden": true} tags=["evidence"]
def least(channel, cost_of, item=0):
    """Smallest rise, fall, or gain of a stopper; φ is the difference of two parts."""
    items, reports = channel.shape
    eye, zero = np.eye(reports), np.zeros((reports, reports))
    one, nil = np.ones((reports, 1)), np.zeros((reports, 1))
    caps = np.block([[eye, zero, -one, nil], [zero, eye, nil, -one]])
    costs = {
        "rise": np.r_[np.zeros(2 * reports), 1, 0],
        "fall": np.r_[np.zeros(2 * reports), 0, 1],
        "stop": np.r_[channel[item], np.zeros(reports + 2)],
    }
    answer = linprog(
        costs[cost_of], A_ub=caps, b_ub=np.zeros(2 * reports),
        A_eq=np.c_[channel, -channel, np.zeros((items, 2))],
        b_eq=np.eye(items)[item],
    )  # fmt: skip
    phi = answer.x[:reports] - answer.x[reports : 2 * reports]
    return answer.fun, phi


drawn, quotients = [], {"rise": [], "fall": [], "stop": []}
for _ in range(60):
    items, spread = rng.integers(2, 6), rng.choice([0.3, 1.0, 3.0])
    logs = spread * rng.random((items, items + rng.integers(1, 6)))
    if rng.random() < 0.5:  # only the two ends: as lopsided as the level allows
        logs = spread * (logs > spread / 2)
    channel = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    if np.linalg.matrix_rank(channel, tol=1e-6) < items:
        continue
    ratio = (channel.max(axis=0) / channel.min(axis=0)).max()  # its own e^ε
    values = {cost: least(channel, cost) for cost in quotients}
    ends = {"rise": ratio / (ratio - 1), "fall": 1 / (ratio - 1),
            "stop": ratio**2 / (ratio**2 - 1)}  # fmt: skip
    for cost, (value, _) in values.items():
        quotients[cost].append(value / ends[cost])
    phi = values["rise"][1]
    drawn.append((channel[1] @ phi**2, phi.max() * -phi.min()))
    assert np.isclose(least_rise(channel), values["rise"][0], rtol=1e-6)
noises, products = np.array(drawn).T


def subset_channel(items, size, ratio):
    """Subset selection as an explicit channel, in fractions."""
    sets = list(combinations(range(items), size))
    inside = comb(items - 1, size - 1)
    total = ratio * inside + len(sets) - inside
    return [[Fraction(ratio if d in s else 1, total) for s in sets]
            for d in range(items)], sets  # fmt: skip


def extremes(items, size, ratio=3):
    """Rise, fall, noise of subset selection by listing all reports."""
    channel, sets = subset_channel(items, size, ratio)
    means = [
        sum(pr for pr, s in zip(row, sets) if 0 in s) for row in channel
    ]  # chance that a report names item 0
    P_, Q_ = means[0], means[1]
    assert set(means[1:]) == {Q_}
    phi = [((0 in s) - Q_) / (P_ - Q_) for s in sets]
    unbiased = [sum(pr * x for pr, x in zip(row, phi)) for row in channel]
    assert unbiased == [1] + [0] * (items - 1)
    noise = sum(pr * x**2 for pr, x in zip(channel[1], phi))
    return max(phi), -min(phi), noise


sizes = [(items, size) for items in (2, 3, 4, 5) for size in range(1, items)]
listed = {size: extremes(*size) for size in sizes}
half = Fraction(1, 2)
assert listed[2, 1][:2] == (Fraction(3, 2), half)  # two items: GRR has both bounds
(up_1, down_1, noise_1), (up_3, down_3, noise_3) = listed[4, 1], listed[4, 3]
blend = (max(up_1, up_3), max(down_1, down_3), half * noise_1 + half * noise_3)
count = len(noises)

with claim("S-B25") as c:
    c.decisive().derived(upward, E * (B + 1) - A, E, "rise: A = g⁺, B = g⁺ − 1")
    c.decisive().derived(downward, E * A - B + 1, 1, "fall: A = g⁻, B = g⁻ + 1")
    noisy = (high - low) * (b - low) + high * low
    c.decisive().derived(square, (b - low) ** 2, noisy, "noise: the square of φ")
    gap = noisy - (b - low) ** 2
    phi_ = b - low
    c.decisive().exact(gap, (high - phi_) * (phi_ + low), "equality: the two ends")
    c.at_most(1 - 1e-7, quotients["rise"], f"{count} random channels: best rise")
    c.at_most(1 - 1e-7, quotients["fall"], f"{count} random channels: best fall")
    c.at_most(noises, products * (1 + 1e-7), f"{count} best estimators: noise")
    rises = [listed[items, items - 1][0] for items in (2, 3, 4, 5)]
    falls = [listed[items, 1][1] for items in (2, 3, 4, 5)]
    three = Fraction(3)
    c.exact(rises, [three / (three - 1)] * 4, "all but one, e^ε = 3: least rise")
    c.exact(falls, [1 / (three - 1)] * 4, "GRR, e^ε = 3: least fall")
    by_ends = [up * down for up, down, _ in listed.values()]
    c.exact([V for *_, V in listed.values()], by_ends, "two values: equality")
    c.holds(blend[2] < blend[0] * blend[1], "a blend of four values: less")
least_up, least_down = np.e / (np.e - 1), 1 / (np.e - 1)
shown_least_up = float(least_up)
shown_least_down = float(least_down)
nearest = float(min(quotients["rise"]))

# %% [markdown]
# In 57<!-- {count} --> random channels, half of them as lopsided as their level allows, the best estimator never
# came below the bounds. They are sharp: the smallest rise found is 1.0000<!-- {nearest:.4f} --> times the least one. At $\varepsilon = 1$ the bounds are a
# rise of 1.582<!-- {shown_least_up:.3f} --> and a fall of 0.582<!-- {shown_least_down:.3f} --> users. Both are attained: the fall by GRR, and the rise by its
# mirror image, which names *all but one* of the items. But these two are dreadful at the other end. Must that be so?
#
# ## Can both be small at once?
#
# For one item alone, yes: ask *is it t?* and let the client lie with odds $1 : e^\varepsilon$. That reaches both bounds. For all items at
# once, if there are three or more, no. Here is everything that is possible.
#
# ```{prf:theorem} What can be had
# :label: thm-sk-08-frontier
# Let $(Q_\omega, P_\omega)$ be the probabilities of support of subset selection with $\omega$ of $D$ items, with $(0, 0)$
# for $\omega = 0$ and $(1, 1)$ for $\omega = D$. An $\varepsilon$-private mechanism with unbiased additive estimators of rise
# at most $g^+$ and fall at most $g^-$ for *every* item exists exactly if the point
#
# $$ \alpha = \frac{g^-}{g^+ + g^-}, \qquad \beta = \frac{1 + g^-}{g^+ + g^-} $$
#
# lies on or below the broken line through the points $(Q_\omega, P_\omega)$. As $D \to \infty$ this becomes
#
# $$ \frac{e^\varepsilon}{g^+} + \frac{1}{g^-} \le e^\varepsilon - 1 . $$
# ```
#
# *Proof.*
# 1. Let $x = (\varphi + g^-)/(g^+ + g^-)$. It lies between 0 and 1, so it is a randomised *test* of "the item is $t$": it has
#    mean $\beta$ if that is so and $\alpha$ if not. Back from a test with these means, $\varphi$ is unbiased with these ends. So the
#    question is which $(\alpha, \beta)$ tests can have for all items at once.
# 2. Each column of a private channel is a mixture of columns with two values in the ratio $e^\varepsilon$
#    {cite:p}`kairouz2016extremal`. To tell the server which of them was used takes nothing away from the tests. So a
#    report is a set of items, those with the larger value.
# 3. Let the client rename the items at random and tell the server how. Privacy and the means stay, and now all sets of one size
#    are equally likely *a priori*: the mechanism first draws a size $\omega$, then does subset selection.
# 4. Averaged over names, the test knows the size and whether $t$ is in the set. For one size $\omega$ it sees one bit, $t$ in the set or not, and
#    answers 1 with probability $a$ or $b$. Its point is $(aQ + b(1 - Q),\ aP + b(1 - P))$ with $Q = Q_\omega$ and $P = P_\omega$; $a$ and $b$ from 0 to 1
#    fill the parallelogram with the corners $(0, 0)$, $(Q, P)$, $(1, 1)$ and $(1 - Q, 1 - P)$. Mixtures over the sizes give the
#    convex hull of all these, and nothing else.
# 5. Its upper edge is the broken line if this bends down at every corner. As $\omega$ items are named, $Q_\omega = (\omega - P_\omega)/(D - 1)$, so a piece of
#    the line on which $P_\omega$ grows by $\Delta$ has the slope $(D - 1)\,\Delta/(1 - \Delta)$. And $P_\omega = E\omega/(D + (E - 1)\,\omega)$, with
#    $E = e^\varepsilon$, has the second derivative $-2DE(E - 1)/(D + (E - 1)\,\omega)^3 < 0$ in $\omega$: $\Delta$ falls from piece to piece, and so does
#    the slope. ∎
#
# The limit has odds of support that grow by the factor $e^\varepsilon$ exactly: $P = e^\varepsilon Q/(1 + (e^\varepsilon - 1) Q)$. Put that into
# $g^+ = (1 - Q)/(P - Q)$ and $g^- = Q/(P - Q)$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
q = sp.Symbol("Q", positive=True)
on_curve = E * q / (1 + (E - 1) * q)
curve = (
    derivation(
        E * (on_curve - q) / (1 - q) + (on_curve - q) / q,
        of=r"\frac{e^\varepsilon}{g^+} + \frac{1}{g^-}", names={E: r"e^\varepsilon"},
    )
    .equal(
        (E - 1) * E * q / (1 + (E - 1) * q) + (E - 1) * (1 - q) / (1 + (E - 1) * q),
        "P − Q has the factor Q(1 − Q)",
    )
    .equal(E - 1, "add")
)  # fmt: skip
curve


# %% [markdown]
# Two numbers whose sum is at most $e^\varepsilon - 1$ have a product of at most $\frac14 (e^\varepsilon - 1)^2$. So with many
# items rise times fall is at least $4 e^\varepsilon/(e^\varepsilon - 1)^2$, the noise of OUE: that one sits in the middle of the curve.
# Steps 2 and 3 can be doubted, so once more a linear programme decides: now the *mechanism itself* is among
# the unknowns.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def best_mechanism(items, ratio, kappa, targets=None):
    """Largest s such that some mechanism has −κ ≤ φ ≤ 1, mean s on the own item.

    Unknown are the weight θ of each two-valued column, and θ φ for each target
    (all items, if no number is given).
    """
    targets = targets or items
    sets = [s for k in range(1, items) for s in combinations(range(items), k)]
    columns = np.array(
        [[ratio if d in s else 1.0 for s in sets] for d in range(items)]
    )
    count = len(sets)
    size = count * (targets + 1) + 1
    equal, right, below = [], [], []
    for d in range(items):  # each item's law sums to one
        equal.append(np.r_[columns[d], np.zeros(size - count)])
        right.append(1.0)
    for t, d in product(range(targets), range(items)):  # unbiased, up to s
        line = np.zeros(size)
        line[count * (t + 1) : count * (t + 2)] = columns[d]
        line[-1] = -(t == d)
        equal.append(line)
        right.append(0.0)
    for t, y in product(range(targets), range(count)):  # −κ θ ≤ θ φ ≤ θ
        for sign, cap in ((1, 1.0), (-1, kappa)):
            line = np.zeros(size)
            line[count * (t + 1) + y], line[y] = sign, -cap
            below.append(line)
    free = [(0, None)] * count + [(None, None)] * (size - count)
    return -linprog(
        np.r_[np.zeros(size - 1), -1],
        A_ub=np.array(below), b_ub=np.zeros(len(below)),
        A_eq=np.array(equal), b_eq=right, bounds=free,
    ).fun  # fmt: skip


def corners(items, ratio):
    """(Q, P) of subset selection for every size, with both ends."""
    inner = [
        (Fraction(k * ratio * (k - 1) + (items - k) * k,
                  (items - 1) * (k * ratio + items - k)),
         Fraction(k * ratio, k * ratio + items - k))
        for k in range(1, items)
    ]  # fmt: skip
    return [(Fraction(0), Fraction(0)), *inner, (Fraction(1), Fraction(1))]


tried = [
    *product((2, 3, 4), (2, 3, 20), (0.15, 0.5, 0.8, 1.5, 5.0)),
    *product((5,), (3,), (0.15, 0.5, 0.8, 1.5, 5.0)),
]
by_programme, by_line = [], []
for items, ratio, kappa in tried:
    by_programme.append(best_mechanism(items, ratio, kappa))
    alpha = kappa / (1 + kappa)
    edge = np.array(corners(items, ratio), dtype=float).T
    by_line.append((np.interp(alpha, *edge) - alpha) / (1 - alpha))

bends = []
for items, ratio in product((2, 3, 7, 43), (2, 3, 20)):
    ends = pairwise(corners(items, ratio))
    slopes = [(P2 - P1) / (Q2 - Q1) for (Q1, P1), (Q2, P2) in ends]
    bends.append(all(x > y for x, y in pairwise(slopes)))
own_in = frame["subset selection"][0]  # step 5 of the proof
assert sp.simplify(others_in - (w - own_in) / (D - 1)) == 0
second = -2 * D * E * (E - 1) / (D + (E - 1) * w) ** 3
assert sp.simplify(sp.diff(own_in, w, 2) - second) == 0
many = {items: [] for items in (43, 1000, 20_000)}
for items, found_ in many.items():
    for k in (items // 10, items // 4, items // 2):
        Q_, P_ = corners(items, 3)[k]
        found_.append(3 / promotion(P_, Q_) + 1 / demotion(P_, Q_) - 2)

with claim("S-B26") as c:
    first = E * (on_curve - q) / (1 - q) + (on_curve - q) / q
    c.derived(curve, first, E - 1, "the limit curve")
    label = f"{len(tried)} linear programmes over all mechanisms of 2 to 5 items"
    c.decisive("sampled").close(by_programme, by_line, label, rtol=1e-6)
    c.holds(all(bends), "the line through the subset selections bends down")
    points = [
        (down / (up + down), (1 + down) / (up + down))
        for up, down, _ in listed.values()
    ]
    ends = [corners(items, 3)[size] for items, size in listed]
    c.exact(points, ends, "corners for 2 to 5 items, by listing all reports")
    late = [max(abs(float(x)) * items for x in xs) for items, xs in many.items()]
    label = "D = 43 to 20,000: distance to the limit at most 30/D"
    c.at_most(late, 30 * np.ones(3), label)
    per_item = (Fraction(3, 4), Fraction(1, 4))  # odds 3, one item only
    alone = 3 / promotion(*per_item) + 1 / demotion(*per_item)
    allowed = Fraction(int(curve.last.subs(E, 3)))
    label = "one item only, e^ε = 3: e^ε/g⁺ + 1/g⁻ may be twice e^ε − 1"
    c.limit(allowed, alone, label)
    assert alone == 2 * allowed == 4

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Nine mechanisms for 43 items at \u03b5 = 1: by how much one fake can lift an item, and by how much push it down. No \u03b5-private mechanism with unbiased additive estimators for all 43 items lies in the shaded region; its edge is the broken line of subset selections, from GRR (right) to naming all but one (far up, outside the picture). The grey lines are the bounds for one item. Along a dotted line rise \u00d7 fall, the noise, is the same. Squares, the two sketches of the paper; some labels lie in the region, their dots do not.", "name": "fig-sk-08-plane"}, "image": {"alt": "Scatter plot on logarithmic axes. A curve like a hyperbola falls from the upper left, near rise 1.58, to the lower right, near fall 0.58; everything below and left of it is shaded. All nine mechanisms lie on or just above it: HCMS and BLH at rise 2.2 and fall 2.2, SUE and CMS, then OUE, OLH, PGR and subset selection, and GRR far right at the bottom."}} tags=["figure"]
fig, ax = plots.panels(height=4.4)
edge = np.array(corners(43, Fraction(np.e)), dtype=float)[1:-1]
ups = (1 - edge[:, 0]) / (edge[:, 1] - edge[:, 0])
downs = edge[:, 0] / (edge[:, 1] - edge[:, 0])
assert np.allclose([ups[-1], downs[0]], [least_up, least_down])  # as captioned
assert ups[0] == ups.max()
for up, down in [(promotion(*x), demotion(*x)) for x in now.values()]:
    alpha, beta = down / (up + down), (1 + down) / (up + down)
    assert beta <= np.interp(alpha, [0, *edge[:, 0], 1], [0, *edge[:, 1], 1]) + 1e-9
    assert beta >= np.interp(alpha, [0, *edge[:, 0], 1], [0, *edge[:, 1], 1]) - 0.02
alphas = np.linspace(edge[-1, 0], edge[0, 0], 600)  # from corner to corner
betas = np.interp(alphas, *edge.T)
line_x = np.r_[(1 - alphas) / (betas - alphas), 60.0]
line_y = np.r_[alphas / (betas - alphas), least_down]
ax.fill_between(np.r_[1.2, least_up, line_x], np.r_[60, 60, line_y], 0.4,
                color="#bbbbbb", alpha=0.55, lw=0)  # fmt: skip
ax.plot(line_x, line_y, color="#555555", lw=1.2, ls="-")
reach = np.geomspace(1.2, 40, 50)
for name, at_x, side in (("subset sel.", 4.6, "top"), ("HCMS", 4.4, "bottom")):
    V = variance(*now[name])
    ax.plot(reach, V / reach, color=plots.COLOURS["grey"], ls=":", lw=1)
    ax.annotate(
        f"rise × fall = {V:.1f}", (at_x, V / at_x),
        (0, 2 if side == "bottom" else -2), textcoords="offset points",
        rotation=-40.6, rotation_mode="anchor", va=side, fontsize=8.5,
        color="#555555",
    )  # fmt: skip
ax.axvline(least_up, color=plots.COLOURS["grey"], lw=0.8, ls="-")
ax.axhline(least_down, color=plots.COLOURS["grey"], lw=0.8, ls="-")
shift = {
    "GRR": (-8, 9), "SUE": (-12, -16), "OUE": (8, 6), "OLH": (8, -6),
    "BLH": (-34, -10), "subset sel.": (-70, -24), "PGR": (-34, -8),
    "CMS": (9, 4), "HCMS": (8, 6),
}  # fmt: skip
for name, pair in now.items():
    colour = plots.COLOURS["orange" if name.endswith("CMS") else "blue"]
    spot = promotion(*pair), demotion(*pair)
    ax.plot(*spot, "s" if name.endswith("CMS") else "o", color=colour, ls="")
    ax.annotate(name, spot, shift[name], textcoords="offset points", fontsize=9)
ax.set(xscale="log", yscale="log", xlim=(1.4, 40), ylim=(0.45, 5),
       xlabel="largest rise of an item per fake (users)",
       ylabel="largest fall per fake (users)")  # fmt: skip
ticks = ((ax.xaxis, (1.5, 2, 3, 5, 10, 20, 40)), (ax.yaxis, (0.5, 1, 2, 4)))
for axis, values in ticks:
    axis.set_major_locator(plt.FixedLocator(values))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(plt.NullLocator())
plt.show()


# %% jupyter={"source_hidden": true} tags=["evidence"]
def room_left(pair, level):
    """By how much rise and fall could be lowered, both by the same share."""
    up, down = promotion(*pair), demotion(*pair)
    alpha = down / (up + down)  # scaling both ends keeps α and moves β to the line
    bent = np.array(corners(43, Fraction(float(np.exp(level)))), dtype=float).T
    return 1 - 1 / ((np.interp(alpha, *bent) - alpha) * (up + down))


left_over = {name: room_left(pair, 1.0) for name, pair in now.items()}
below = {  # the limit curve, which is that of many items
    k for k, x in now.items()
    if np.e / promotion(*x) + 1 / demotion(*x) > np.e - 1 + 1e-9
}  # fmt: skip
assert below == {"GRR", "subset sel.", "PGR"}
for name, size in (("CMS", 17), ("HCMS", 21)):  # one quieter, safer at both ends
    better = at_level("subset selection", 1.0, subset=size)
    for cost in (promotion, demotion, variance):
        assert cost(*better) < cost(*now[name])
for better, name in (("SUE", "CMS"), ("BLH", "HCMS")):
    assert promotion(*now[better]) < promotion(*now[name])
    assert demotion(*now[better]) < demotion(*now[name])
assert min(left_over.values()) > -1e-9 and max(left_over.values()) < 0.035
at_levels = {
    name: [room_left(found[level][name], level) for level in levels] for name in now
}
sketches = max(at_levels["CMS"] + at_levels["HCMS"])
assert sketches < 0.032
largest_room = {name: max(rooms) for name, rooms in at_levels.items()}
far_off = min(largest_room["OUE"], largest_room["OLH"])
assert far_off == min(at_levels["OUE"][-1], at_levels["OLH"][-1])  # at ε = 4
assert max(x for k, x in largest_room.items() if k not in ("OUE", "OLH")) < 0.032
left_levels = float(sketches)
left_far = float(far_off)
in_text = {}
for name in ("CMS", "HCMS"):
    room = round(float(left_over[name]), 6)
    in_text[f"left-{name.lower()}"] = room

# %% [markdown]
# So the answer to the title is: hardly, as long as the server adds up reports without bias. At $\varepsilon = 1$ all nine mechanisms, two
# sketches among them, lie on or just above the broken line of 43 items. For these 43 items some others are a little safer at *both* ends: SUE than CMS, BLH than HCMS, and
# some subset selections than either. But lowering rise and fall by the same share, nobody can beat CMS by more than
# 3.0%<!-- {in_text['left-cms']:.1%} --> or HCMS by more than 2.4%<!-- {in_text['left-hcms']:.1%} -->, and at no level of the table either of them by more than 3.1%<!-- {left_levels:.1%} -->. (OUE and OLH, whose curve is that
# of many items, can be beaten by 21%<!-- {left_far:.0%} --> at $\varepsilon = 4$, where 43 items are few.) *On* the curve, what is safer against promotion is weaker against demotion,
# and the quietest mechanism is in the middle. Choosing another mechanism moves the exposure; it does not remove it.
#
# ## And if the noise is enforced?
#
# [*Can a client prove that its noise is honest?*](sketch-verifiable-noise.ipynb) takes the choice of the report away from the client: it commits to an
# item, and a coin that it does not control makes the noise. A fake that finishes is worth one user. But one that sees the coin
# can *stop* unless the report supports its target. Per session that earns the rise in a share $P$ of the
# cases, $P g^+$. What is that on the curve?

# %% jupyter={"source_hidden": true} tags=["evidence"]
stopper = (
    derivation(
        on_curve * (1 - q) / (on_curve - q), of=r"P\,g^+ = \frac{P(1 - Q)}{P - Q}",
        names={E: r"e^\varepsilon"},
    )
    .equal(E / (E - 1), "P − Q has the factor Q(1 − Q)")
)  # fmt: skip
stopper

# %% [markdown]
# Whatever $Q$ is: the least rise of {prf:ref}`thm-sk-08-price`, on *every* point of the curve. The reason can be seen without algebra.
# Let $G$ be what the stopper earns, the mean of the positive part of $\varphi$ under $P_t$. The negative part, which the stopper
# avoids, must then have the mean $G - 1$, as an honest report is worth 1. On the curve luck has odds $e^\varepsilon$ more than for
# another item, for which the two parts balance. So $G - 1 = e^{-\varepsilon} G$. That is the equation of the least rise,
# $g^+ - 1 = e^{-\varepsilon} g^+$. At the curve's end, where all items but one are named and the list is long, a report is lucky almost surely, so
# that stopping is of no use and the two are the same thing.

# %%
matrix = {row.name: row for row in threat_matrix(1.0, 1, width=128)}
coin = matrix["V6"]  # item committed first, public coin, proof
print(f"one fake gains {coin.gain_hcms:.3f} a session if it finishes,", end=" ")
print(f"and {coin.aborts:.3f} if it may stop")

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"mechanism": list(now),
     "sends what it likes": [promotion(*pair) for pair in now.values()],
     "finishes": [P * promotion(P, Q) - (1 - P) * demotion(P, Q)
                  for P, Q in now.values()],
     "stops when unlucky": [stopping(*pair) for pair in now.values()],
     "sessions that end": [f"{P:.0%}" for P, _ in now.values()]},
    formats={"sends what it likes": ".3f", "finishes": ".3f",
             "stops when unlucky": ".3f"},
    caption="What one fake adds to its item at ε = 1, in users a session: without "
    "and with enforced noise. The last two columns belong together.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
P, Q = sp.symbols("P Q", positive=True)
with claim("S-B27") as c:
    c.decisive().derived(stopper, on_curve * (1 - q) / (on_curve - q), E / (E - 1))
    odds = {
        name: sp.simplify(P_ * (1 - Q_) / (Q_ * (1 - P_)))
        for name, (P_, Q_) in frame.items()
    }
    grown = [odds[name] for name in ("SUE", "OUE", "local hashing")]
    grown += [sp.limit(odds[name], m, sp.oo) for name in ("CMS", "HCMS")]
    label = "SUE, OUE, local hashing, both sketches if wide: odds grow by e^ε"
    c.decisive().exact(grown, [E] * len(grown), label)
    P5, Q5 = at_level("HCMS", 1.0)
    label = "V6 of notebook 6, m = 128: P times the rise"
    c.close(matrix["V6"].aborts, P5 * promotion(P5, Q5), label, rtol=1e-9)
    far = threat_matrix(1.0, 1, width=2**20)
    kept = next(row.aborts for row in far if row.name == "V6")
    c.close(kept, least_up, "V6, m = 2²⁰: e/(e − 1)", rtol=1e-5)
    label = f"{count} random channels: at least e^2ε/(e^2ε − 1)"
    c.at_most(1 - 1e-7, quotients["stop"], label)
    drawn_ = rng.random(10**6) < P5
    worth = promotion(P5, Q5) * drawn_
    error = worth.std() / 1000
    c.sampled(worth.mean(), matrix["V6"].aborts, "a million coins", stderr=error)
    two = Fraction(3, 4), Fraction(1, 4)  # two items, e^ε = 3
    many_items, earned = stopper.last.subs(E, 3), stopping(*two)
    label = "two items, e^ε = 3: the stopper earns e^2ε/(e^2ε − 1)"
    c.limit(Fraction(int(many_items.p), int(many_items.q)), earned, label)
    assert (many_items, earned) == (sp.Rational(3, 2), Fraction(9, 8))
enforced = sp.simplify(P * promotion(P, Q) - (1 - P) * demotion(P, Q))
assert enforced == 1
stops = [stopping(*pair) for pair in now.values()]
assert min(stops) > 1.5 and max(stops) < 1.62
stop_low = float(min(stops))
stop_high = float(max(stops))

# %% [markdown]
# Between 1.55<!-- {stop_low:.2f} --> and 1.59<!-- {stop_high:.2f} --> for all nine. So a proof that may be abandoned brings
# any of them near what the mechanism with the least rise has without a proof, 1.58<!-- {shown_least_up:.2f} -->; and it shows the
# server how many sessions never end. Who wants 1 has to take the coin out of the client's sight, or make it costly to stop.
#
# ## Exercises
#
# ```{exercise-start} From rise and fall to noise
# :label: ex-sk-08-noise
# ```
# **Warm-up.** A vendor says only: one fake moves our unbiased count by at most 2 up and 3 down, at $\varepsilon = 1$. What
# is the largest variance that a report can have, and can the claim be true for a thousand items?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-08-noise", ...)

# %% [markdown]
# ```{solution-start} ex-sk-08-noise
# :class: dropdown
# ```
# At most $2 \cdot 3 = 6$ a user. And yes: $\frac{e}{2} + \frac13 \approx 1.69$ is below $e - 1 \approx 1.72$, just so. With
# 1.9 and 3 it could not.

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert np.e / 2 + 1 / 3 < np.e - 1 < np.e / 1.9 + 1 / 3
thousand = np.array(corners(1000, Fraction(np.e)), dtype=float)
for up, down, possible in ((2, 3, True), (1.9, 3, False)):
    alpha, beta = down / (up + down), (1 + down) / (up + down)
    assert (beta <= np.interp(alpha, *thousand.T)) == possible
chances = {2: Fraction(3, 5), -3: Fraction(2, 5)}  # mean 0
check("sk-08-noise", sum(chance * value**2 for value, chance in chances.items()))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Who reaches the limits?
# :label: ex-sk-08-limits
# ```
# **Standard.** When is the rise the least possible one? Read it off the proof of {prf:ref}`thm-sk-08-price`. Which mechanisms of the table
# reach one of the two limits, and which setting of subset selection reaches the other?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-08-limits", ...)

# %% [markdown]
# ```{solution-start} ex-sk-08-limits
# :class: dropdown
# ```
# $A = e^\varepsilon B$ says: wherever $\varphi < g^+$, the report is $e^\varepsilon$ times as likely from *every* other item as from
# $t$. So a report may speak against one item only: name all but one. For the fall, wherever $\varphi > -g^-$ the report is
# $e^\varepsilon$ times as likely from $t$ as from every other: GRR.

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert sp.simplify(demotion(*frame["GRR"]) - 1 / (E - 1)) == 0
all_but_one = [x.subs(w, D - 1) for x in frame["subset selection"]]
assert sp.simplify(promotion(*all_but_one) - E / (E - 1)) == 0
for pair in now.values():
    assert promotion(*pair) >= least_up
    assert demotion(*pair) >= least_down - 1e-12


def quietest(items):
    """Number of items to name for the least rise, at e^ε = 3."""
    rises = {}
    for named in range(1, items):
        at = {w: named, D: items, E: 3}
        rises[named] = promotion(*(x.subs(at) for x in frame["subset selection"]))
    return min(rises, key=rises.get)


check("sk-08-limits", quietest)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} No report is quieter than this
# :label: ex-sk-08-quiet
# ```
# **Standard.** Show that in {prf:ref}`def-sk-08-additive` always $V \ge e^\varepsilon/(e^\varepsilon - 1)^2$: the product of the two least
# values. (Let $r = P_t/P_d$; what are the mean and the largest variance of $r$ under $P_d$?)
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-08-quiet
# :class: dropdown
# ```
# $r$ has mean 1 and lies between $e^{-\varepsilon}$ and $e^\varepsilon$, so by the same inequality its variance is at most
# $(e^\varepsilon - 1)(1 - e^{-\varepsilon}) = (e^\varepsilon - 1)^2/e^\varepsilon$. And
# $1 = \mathrm{E}_t \varphi - \mathrm{E}_d \varphi$ is the covariance of $\varphi$ and $r$ under $P_d$, so by Cauchy and Schwarz
# $1 \le V \cdot \mathrm{Var}\, r$. Randomised response on two items attains it.

# %% jupyter={"source_hidden": true} tags=["evidence"]
for _ in range(50):
    channel = rng.dirichlet(np.ones(6), size=3) + 0.02
    channel /= channel.sum(axis=1, keepdims=True)
    ratio = (channel.max(axis=0) / channel.min(axis=0)).max()
    scale = np.sqrt(channel[1])  # least variance under P_1 with the three means
    quietest = np.linalg.pinv(channel / scale) @ [1.0, 0, 0]
    assert np.allclose(channel @ (quietest / scale), [1, 0, 0])
    assert quietest @ quietest >= ratio / (ratio - 1) ** 2
assert listed[2, 1] == (Fraction(3, 2), Fraction(1, 2), Fraction(3, 4))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two out of three
# :label: ex-sk-08-three
# ```
# **Research.** With three items or more no mechanism reaches both limits for two of them. Give a proof that does without
# {prf:ref}`thm-sk-08-frontier`.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-08-three
# :class: dropdown
# ```
# If item $t$ has both limits, the second exercise says: a report is $e^\varepsilon$ times as likely from $t$ as from
# every other item, or the other way round. In the first case the others are all equally likely, in the second too. Let $u$ be
# the second item with both limits and $d$ a third one. In both cases $u$ and $d$ are equally likely, although $u$ would need
# the factor $e^\varepsilon$ against $d$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
both = 1 / 3, 2 / 3  # e^ε = 3: least fall over least rise, 1 over least rise
for items in (3, 4):
    one, two, every = (best_mechanism(items, 3, both[0], k) for k in (1, 2, items))
    assert np.isclose(one, both[1]) and two < both[1] - 0.01 and every <= two + 1e-9

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - For every locally private mechanism and every unbiased sum over reports, one fake can lift an item by at least
#   $e^\varepsilon/(e^\varepsilon - 1)$ users and push it down by at least $1/(e^\varepsilon - 1)$; and noise is at most rise times fall.
# - For all items at once the two trade off along one line, in the limit of many items the curve $e^\varepsilon/g^+ + 1/g^- = e^\varepsilon - 1$. At $\varepsilon = 1$ and
#   43 items nine well-known mechanisms lie on that number's broken line or just above, so that another one can be only a little safer at both ends. (GRR, subset
#   selection and PGR are below the limit curve.)
# - Enforced noise brings a fake to one user if it cannot stop. If it can, it earns the least rise, at every point of that curve.
#
# **Further reading.** Cheu, Smith and Ullman {cite:p}`cheu2021manipulation` and Acharya, Sun and Zhang
# {cite:p}`acharya2021robust` on what manipulation costs any local protocol; Cao, Jia and Gong {cite:p}`cao2021poisoning`;
# Kairouz, Oh and Viswanath {cite:p}`kairouz2016extremal` on extremal channels. **Next:** [what many
# reports tell](sketch-what-many-reports-tell.ipynb) about one visitor.
