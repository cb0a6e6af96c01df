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
# # Why is differential privacy not enough?
#
# A health office publishes how many of ten people have influenza, with enough random noise ($\varepsilon = 1$) that one
# person more or less hardly changes the answer. From such a number, who guesses whether one of ten strangers is ill is right in
# 60%<!-- {stranger:.0%} --> of all cases (a coin would be right in 50%). If the ten live under one roof and catch everything together, the
# same noise lets the same guess be right in 99.7%<!-- {shown_family:.1%} -->. The noise did not change. What changed is what
# one person's state says about the others.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what a Laplace release leaks about one person when others resemble that person,
# why the attacker who knows *least* can learn *most* (and when it is the other way round, and when neither), and how to
# write the leakage down exactly.
# **You need** conditional probability, logarithms and a little Python.
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple; the number of tuples is fixed. **The attacker**
# $\mathcal{A}(i, \mathcal{K})$ wants $x_i$, knows the exact values $x_{\mathcal{K}}$ of some other tuples, knows the
# joint law of all tuples and the mechanism, and sees one output. A *strong* attacker (強い攻撃者) knows all
# tuples but the target, a *weak* one (弱い攻撃者) knows none. **Protected:** the odds between any two values
# of $x_i$. **Not protected:** what the joint law alone already says about $x_i$.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import product
from math import comb

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from plotly.subplots import make_subplots
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.stats import laplace

from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.notebook import Slider, claim, derivation, interactive, misprints, plots, table

plots.use()

# %% [markdown]
# ## What is promised, and in which unit?
#
# A *tuple* (タプル) is one person's entry $x_i$ in the database $x = (x_1, \dots, x_n)$; here a bit, ill or not.
#
# ```{prf:definition} Differential privacy (差分プライバシー), DP; the paper's Definition 3.1
# :label: def-01-dp
# A mechanism that publishes $r$ is $\varepsilon$-*differentially private* if for every tuple $i$, all values $x_i, x_i'$ and
# $x_{-i}$ of it and of the others, and every set $S$ of outputs
#
# $$ \log \frac{\Pr(r \in S \mid x_i, x_{-i})}{\Pr(r \in S \mid x_i', x_{-i})} \le \varepsilon. $$
# ```
#
# The classical way to keep this promise for a number is Laplace noise (ラプラシアンノイズ) of scale $\lambda$: its density falls by the
# factor $e$ on each step of length $\lambda$. One person moves a count by 1 at most, so $\lambda = 1/\varepsilon$, written $\operatorname{Lap}(1/\varepsilon)$, keeps
# the log ratio within $\varepsilon$ ([why](../laplace/02-laplace-mechanism.ipynb)). Nothing in this speaks of how likely a database is. An attacker does:
#
# ```{prf:definition} Leakage (漏洩), informally
# :label: def-01-leakage
# The **leakage** of a mechanism to an attacker is the most by which one output can move the logarithm of the odds (オッズ比)
# between two values of the target, from what the attacker believed before. The unit is the *nat*: one nat multiplies the odds by $e \approx 2.72$.
# ```
#
# Differential privacy holds the leakage to every *strong* attacker to at most $\varepsilon$ nats, so we measure leakage in units of $\varepsilon$ where that helps.
# The exact formula is Definition 4.1 of the paper, in [notebook 2](02-bayesian-differential-privacy.ipynb).

# %% jupyter={"source_hidden": true} tags=["evidence"]
z, lam, f, gap, t = sp.symbols("z lambda f gap t", positive=True)
noise_density = sp.exp(-sp.Abs(z) / lam) / (2 * lam)  # (23)
share = 1 / (1 + t)  # anything between 0 and 1


def scaled_ratio(r):
    """λ log p(r | x) / p(r | x'), for answers f(x) = f and f(x') = f + gap."""
    here, there = sp.Abs(r - f), sp.Abs(r - f - gap)
    quotient = noise_density.subs(z, here) / noise_density.subs(z, there)
    return sp.simplify(lam * sp.expand_log(sp.log(quotient), force=True))


between = scaled_ratio(f + share * gap)
with claim("Y-3.a") as c:
    below = scaled_ratio(f - t)
    c.decisive().exact(below, gap, "below both answers the log ratio is gap/λ")
    above = scaled_ratio(f + gap + t)
    c.decisive().exact(above, -gap, "above both it is −gap/λ")
    at_most = sp.simplify(gap - between)
    c.decisive().exact(
        at_most, 2 * gap * share, "between: below gap/λ by 2·share·gap/λ"
    )
    at_least = sp.simplify(gap + between)
    c.decisive().exact(at_least, 2 * gap * t / (1 + t), "and above −gap/λ")
counts = np.arange(11)
outputs = np.linspace(-5, 15, 401)
densities = laplace.logpdf(outputs, loc=counts[:, None], scale=1 / 0.1)
with claim("Y-1.a") as c:
    largest = np.abs(np.diff(densities, axis=0)).max(axis=1)
    label = "ε = 0.1, the ten pairs of neighbouring counts: largest log ratio"
    c.decisive("sampled").close(largest, np.full(10, 0.1), label, rtol=1e-9)
    for size in (0.5, 2.0):
        every = laplace.logpdf(outputs, loc=counts[:, None], scale=1 / size)
        found = np.abs(np.diff(every, axis=0)).max()
        c.close(found, size, f"and for ε = {size:g}", rtol=1e-9)


# %% [markdown]
# ## Ten strangers, ten friends, one family
#
# What does an attacker learn who knows nobody's state? For that we need the ingredient that
# differential privacy leaves out: the joint law of the ten. Take a dial $c$. With probability $c$ all ten copy one fair coin, otherwise each tosses a coin of their
# own. At $c = 0$ they are strangers, at $c = 1$ a family, in between friends. The law has only 1,024 cells, so the leakage
# is an exact finite computation.

# %%
def ten_people(c):
    """Joint law of ten binary tuples that share one coin with probability c."""
    joint = np.full((2,) * 10, (1 - c) / 2**10)
    joint[(0,) * 10] += c / 2
    joint[(1,) * 10] += c / 2
    return FiniteDistribution(joint)


strangers, family = ten_people(0.0), ten_people(1.0)
for scale in (1 / 0.1, 10 / 0.1):
    weak = [law.bdp_leakage(0, scale=scale) for law in (strangers, family)]
    print(f"scale {scale:3.0f}: strangers {weak[0]:.2f}, family {weak[1]:.2f} nats")


# %% [markdown]
# With $\operatorname{Lap}(1/\varepsilon)$, $\varepsilon = 0.1$, the release tells ten times as much about each member of the family as about a stranger. The
# count is then 0 or 10: when one person changes, it changes by ten. So the family needs noise that is ten times wider,
# $\operatorname{Lap}(10/\varepsilon)$, and that is the second line. (The text prints $\operatorname{Lap}(1/10\varepsilon)$, ten times *narrower*; see the table of misprints.)
#
# People do not have to be exact copies for this. If the ten are only *nearly* always alike, the mean of the count still moves by nearly ten when one person's
# state changes, and nearly ten times the noise is needed:

# %% jupyter={"source_hidden": true} tags=["set-up"]
def one_and_others(c, known=0):
    """The first of the ten, how many of `known` others are ill, how many of the rest.

    All that an attacker can use, since the others are alike; with the same leakage.
    """
    rest = 9 - known
    apart = np.outer(
        [comb(known, j) for j in range(known + 1)],
        [comb(rest, k) for k in range(rest + 1)],
    )
    joint = (1 - c) / 2**10 * np.array([apart, apart], dtype=float)
    joint[0, 0, 0] += c / 2
    joint[1, known, rest] += c / 2
    total = sum(np.ix_(*(np.arange(size) for size in joint.shape)))
    return FiniteDistribution(joint, query=total)


def by_knowledge(c, scale):
    """Leakage to those who know 0, 1, ..., 9 of the others."""
    return [one_and_others(c, k).bdp_leakage(0, (1,), scale=scale) for k in range(10)]


def noise_needed(c, eps):
    """Smallest scale at which none of the ten attackers learns more than ε."""
    laws = [one_and_others(c, k) for k in range(10)]

    def excess(log_scale):
        scale = np.exp(log_scale)
        return max(law.bdp_leakage(0, (1,), scale=scale) for law in laws) - eps

    ends = np.log([0.999 / eps, 10.001 / eps])
    return np.exp(brentq(excess, *ends, xtol=1e-13))


def guessed(c, eps):
    """Chance that the weak attacker guesses the first of the ten rightly."""
    rs = np.linspace(-60, 70, 65_001)
    given = one_and_others(c).joint[:, 0]  # Pr(x1, number of the others)
    sides = [
        given[x] @ laplace.pdf(rs - x - np.arange(10)[:, None], scale=1 / eps)
        for x in (0, 1)
    ]
    return trapezoid(np.maximum(*sides), rs)


# %% jupyter={"source_hidden": true} tags=["evidence"]
near = (0.9, 0.99, 0.999)
needed = [noise_needed(mix, 5.0) * 5.0 for mix in near]
means = [
    [(total[x] * joint[x]).sum() / joint[x].sum() for x in (0, 1)]
    for joint, total in (
        (ten_people(mix).joint, np.indices((2,) * 10).sum(axis=0)) for mix in near
    )
]
moves = [high - low for low, high in means]
at_ends = [ten_people(mix).joint.flat[[0, -1]].sum() for mix in near]
shown_near = table(
    {
        "$c$": near,
        "count is 0 or 10": at_ends,
        "mean moves by": moves,
        "noise, in $1/ε$": needed,
    },
    formats={
        "count is 0 or 10": ".4f",
        "mean moves by": ".3f",
        "noise, in $1/ε$": ".2f",
    },
    caption="Ten people who are nearly always alike, $ε = 5$: probability that the "
    "count is 0 or 10, how far its mean moves with one person, and the scale needed.",
)
shown_near

# %% jupyter={"source_hidden": true} tags=["evidence"]
still = ten_people(0.975).bdp_leakage(0, scale=1 / 5) / 5
assert np.isclose(needed[-1], 10, rtol=0.003)
with claim("Y-1.b") as c:
    alone = by_knowledge(0.0, 1 / 0.1)
    label = "ten independent people, all ten kinds of attacker: ε = 0.1"
    c.decisive("one example").close(alone, np.full(10, 0.1), label, rtol=1e-9)
flips = (0.01, 0.001, 0.0001)
ill = np.indices((2,) * 10)


def noisy_copies(flip):
    """Joint law of ten who copy one fair coin, each wrongly with chance `flip`."""
    given = [np.where(ill == x, 1 - flip, flip).prod(axis=0) for x in (0, 1)]
    return sum(given) / 2


def count_and_moves(joint):
    """Chance that the count is 0 or 10; by how much its mean moves with the first."""
    count = ill.sum(axis=0)
    chance = joint[(count == 0) | (count == 10)].sum()
    low, high = ((count[x] * joint[x]).sum() / joint[x].sum() for x in (0, 1))
    return chance, high - low


with claim("Y-1.c") as c:
    chance, moved_by = np.transpose([count_and_moves(noisy_copies(f)) for f in flips])
    label = "ten copies, each wrong in 1, 0.1, 0.01 %: the count is 0 or 10, by hand"
    by_hand = [(1 - f) ** 10 + f**10 for f in flips]
    c.decisive("sampled").close(chance, by_hand, label, rtol=1e-12)
    label = "and its mean moves by 1 + 9(1 − 2f)² when one person changes"
    by_hand = [1 + 9 * (1 - 2 * f) ** 2 for f in flips]
    c.decisive("sampled").close(moved_by, by_hand, label, rtol=1e-12)
    label = "c = 0.9, 0.99, 0.999: the mean moves by 1 + 9c"
    by_hand = [1 + 9 * mix for mix in near]
    c.decisive("sampled").close(moves, by_hand, label, rtol=1e-12)
assert np.isclose(family.bdp_leakage(0, scale=1 / 0.1), 10 * 0.1, rtol=1e-12)
assert still < 9 and np.allclose(at_ends, [p + (1 - p) / 2**9 for p in near])
rates = [guessed(0.0, 1.0), guessed(1.0, 1.0)]
assert np.isclose(rates[1], 1 - np.exp(-5) / 2, rtol=1e-6)
assert np.isclose(guessed(1.0, 0.1), 1 - np.exp(-0.5) / 2, rtol=2e-3)
stranger = float(rates[0])
shown_family = float(rates[1])
shown_low = float(guessed(1.0, 0.1))
shown_still = float(still)

# %% [markdown]
# One warning. That ten times the noise is *needed* does not mean that ten times as much leaks without it: at $c = 0.975$ and $\varepsilon = 5$ the weak attacker
# learns 3.0<!-- {shown_still:.1f} --> $\varepsilon$ from $\operatorname{Lap}(1/\varepsilon)$. Leakage is not proportional to $1/\lambda$, and to know the noise one has to solve for it. (And with
# more noise than at the opening of this page, at $\varepsilon = 0.1$, the guess about one of the family is right in 70%<!-- {shown_low:.0%} -->.)
#
# And the ten friends? The paper says that here the size of the noise is the question, and answers it in section 5 for Gaussian data. For these ten coins we solve for the smallest scale at which *no* attacker learns more than
# $\varepsilon$, whether he knows none of the others, or some, or all.

# %% jupyter={"source_hidden": true} tags=["set-up"]
rise = np.array([0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15])
dial = np.concatenate([rise, np.arange(0.2, 0.81, 0.1), 1 - rise[::2][::-1]])
friends = {
    eps: np.array([noise_needed(mix, eps) for mix in dial]) * eps
    for eps in (0.1, 1.0, 5.0)
}
kinds = {mix: np.array(by_knowledge(mix, 1.0)) for mix in (0.02, 0.1, 0.5)}

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left: the noise that ten people need, in units of 1/\u03b5, if nobody is to learn more than \u03b5. For small \u03b5 it rises steeply at first and then runs along the line 1 + 9c; with \u03b5 = 5 it is below that line from c = 0.3 on and catches up only near c = 1. Right: what Lap(1/\u03b5) leaks, at \u03b5 = 1, to attackers who know 0 to 9 of the others. With little sharing the worst one is in the middle.", "name": "fig-ten-people"}, "image": {"alt": "Left, three rising curves of noise scale times epsilon against the dial c from 0 to 1, all from 1 to 10. The curves for epsilon 0.1 and 1 rise to 2 within the first few hundredths, bend, and from c about 0.3 follow a straight dotted line; the one for epsilon 5 lies lower in the middle and rises steeply at the end. Right, leakage in units of epsilon against the number of people known, for c = 0.02, 0.1 and 0.5: humps with their maximum at 5 and at 3 for the two smaller values, a curve that begins at 4.4 for the third; all end at 1."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, width=8.6, height=3.4)
for eps in friends:
    left.plot(dial, friends[eps], label=f"ε = {eps:g}")
left.plot(dial, 1 + 9 * dial, ":", color="#555555", label="1 + 9c")
left.set(xlabel="dial c: how often all share one coin", ylabel="noise needed, in 1/ε")
left.legend()
for (mix, leaks), mark in zip(kinds.items(), "os^"):
    right.plot(range(10), leaks, marker=mark, label=f"c = {mix:g}")
right.axhline(1, color=plots.COLOURS["grey"], lw=1.2, ls="-")
right.set(xlabel="how many of the others he knows", ylabel="leakage / ε")
right.set(xticks=range(10), ylim=(0, 4.7))
right.legend()
plt.show()


# %% jupyter={"source_hidden": true} tags=["evidence"]
def far_end(c, eps, scale):
    """What the weak attacker learns below all values of the count, by hand."""
    q = np.exp(-1 / scale)
    apart = ((1 + q) / 2) ** 9  # nine coins of their own
    return np.log((c + (1 - c) * apart) / (c * q**10 + (1 - c) * q * apart))


inner = (dial > 0) & (dial < 1)
every = np.array(list(friends.values()))
half_up = [(p, eps) for eps in friends for p in (0.5, 0.9)]
with claim("Y-1.e") as c:
    label = "ε = 0.1, 1, 5: noise for strangers and for a family"
    c.decisive("sampled").close(every[:, [0, -1]], [[1.0, 10.0]] * 3, label, rtol=1e-9)
    label = f"{every.size} cases: in between, and more the more they share"
    c.at_most(every[:, :-1], every[:, 1:], label)
    found = [far_end(p, eps, noise_needed(p, eps)) for p, eps in half_up]
    label = "c = 1/2 and 0.9: at that noise the weak attacker learns ε, by hand"
    c.decisive("sampled").close(found, [eps for _, eps in half_up], label, rtol=1e-6)
assert all(np.all(np.diff(curve) > 0) for curve in friends.values())
late = dial >= 0.3
assert np.allclose(friends[0.1][late], 1 + 9 * dial[late], rtol=5e-3)
assert np.all(
    friends[0.1][(dial > 0) & (dial < 0.2)]
    > (1 + 9 * dial)[(dial > 0) & (dial < 0.2)]
)
assert np.all(friends[1.0][dial >= 0.4] < friends[0.1][dial >= 0.4] + 1e-9)
assert np.all(
    friends[5.0][(dial >= 0.3) & inner] < (1 + 9 * dial)[(dial >= 0.3) & inner]
)
assert [int(np.argmax(v)) for v in kinds.values()] == [5, 3, 0]
assert round(kinds[0.5][0], 1) == 4.4 and all(
    np.isclose(v[9], 1) for v in kinds.values()
)
for mix in (0.1, 0.5):  # all that counts of the others is how many are ill
    whole = [
        ten_people(mix).bdp_leakage(0, range(1, k + 1), scale=1.0) for k in range(10)
    ]
    assert np.allclose(whole, kinds[mix], rtol=1e-9)
little = friends[1.0][np.isclose(dial, 0.01)][0]
seldom = ten_people(0.01).joint
own_coins = 0.99 / 2**10  # a database's probability if nobody shares
six_agree = seldom[:, 0, 0, 0, 0, 0, 0].sum() + seldom[:, 1, 1, 1, 1, 1, 1].sum()
shared = 1 - 2 * 2**4 * own_coins / six_agree
assert np.isclose(shared, 0.01 / (0.01 + 0.99 / 2**5), rtol=1e-12)
shown_shared = float(shared)
shown_dial = 0.01
assert np.argmax(by_knowledge(0.01, little)) == 6
shown_little = float(little)
shown_half = float(friends[5.0][np.isclose(dial, 0.5)][0])
half_leak = float(far_end(0.5, 5.0, 1 / 5.0) / 5)


# %% [markdown]
# If the ten share a coin once in a hundred times, the noise has to be 1.6<!-- {shown_little:.1f} --> times as wide already. The worst attacker then knows six of the others: if
# those all agree, sharing is no longer rare (24%<!-- {shown_shared:.0%} --> instead of 1%<!-- {shown_dial:.0%} -->), and who shares, shares with you and the rest. An attacker who knows nobody cannot tell, and one who knows everybody has nothing left to
# learn from the others. So neither ignorance nor knowledge is the enemy; what counts is what the known say about the unknown.
# And at $c = \frac12$, $\varepsilon = 5$ the release needs 4.27<!-- {shown_half:.2f} --> times the noise though without it only 2.24<!-- {half_leak:.2f} --> $\varepsilon$ would leak.
#
# ## Two people are enough
#
# All that follows can be seen with two binary tuples and the sum $x_1 + x_2$. The paper's Table 3 gives three
# joint laws (同時分布): independent, positively and negatively correlated. We read the printed decimals as
# exact fractions.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def law_of(*rows):
    """Hundredths in printed rows (x2) and columns (x1), as joint[x1, x2]."""
    return np.array([[Fraction(p, 100) for p in row] for row in rows]).T


tables = {
    "(a) independent": law_of((10, 15), (30, 45)),
    "(b) positive": law_of((49, 1), (1, 49)),
    "(c) negative": law_of((1, 49), (49, 1)),
}
a, b, negative = tables.values()
cells = list(product((0, 1), repeat=2))
table(
    {"law": list(tables)}
    | {
        f"$x_1 = {x1}, x_2 = {x2}$": [float(law[x1, x2]) for law in tables.values()]
        for x1, x2 in cells
    },
    caption="Table 3 of the paper: probabilities of the four databases.",
)


# %% jupyter={"source_hidden": true} tags=["evidence"]
def covariance(joint):
    return joint[1, 1] - joint[1].sum() * joint[:, 1].sum()


with claim("Y-T3") as c:
    totals = [joint.sum() for joint in tables.values()]
    c.decisive("exhaustive").exact(totals, [Fraction(1)] * 3, "each sums to one")
    margins = np.multiply.outer(a.sum(axis=1), a.sum(axis=0))
    c.decisive("exhaustive").exact(a, margins, "(a) is the product of its margins")
    signs = [bool(covariance(b) > 0), bool(covariance(negative) < 0)]
    label = "covariance: positive in (b), negative in (c)"
    c.decisive("exhaustive").exact(signs, [True, True], label)


# %% [markdown]
# What must the attacker tell apart? Two densities of the noisy sum: one for $x_1 = 0$, one for $x_1 = 1$.
# The strong attacker knows $x_2$ and compares two Laplace densities one unit apart. The weak attacker
# averages over $x_2$, and here the joint law enters:
#
# $$ p(r \mid x_1) = \sum_{x_2} p(r \mid x_1 + x_2)\, \Pr(x_2 \mid x_1). $$

# %% jupyter={"source_hidden": true} tags=["set-up"]
def density(r, joint, x1, eps):
    """p(r | x1) for the weak attacker: the mixture written out."""
    given = np.array(joint[x1] / joint[x1].sum(), dtype=float)
    return sum(
        p * eps / 2 * np.exp(-eps * abs(r - x1 - x2)) for x2, p in enumerate(given)
    )


def known(x2):
    """The law that the strong attacker has in mind."""
    return np.array([[1 - x2, x2], [1 - x2, x2]]) / 2


r = np.linspace(-3, 5, 801)
panels = {"(a) strong, $x_2 = 0$": known(0), "(b) strong, $x_2 = 1$": known(1)} | {
    f"({letter}) weak, {name[4:]}": joint
    for letter, (name, joint) in zip("cde", tables.items())
}
drawn = {
    (title[1], x1): density(r, joint, x1, 1.0)
    for title, joint in panels.items()
    for x1 in (0, 1)
}

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Our rebuild of Figure 1 (\u03b5 = 1; the paper's \u03b5 is not stated). (a) and (b): the strong attacker who knows that the other bit is 0 or 1, whatever the law. (c) to (e): the weak attacker for the three laws of Table 3. Under (d) the two densities move apart, under (e) they all but coincide.", "name": "fig-densities"}, "image": {"alt": "Five panels of two Laplace-like densities each. Strong attacker: peaks at 0 and 1, then at 1 and 2. Weak, independent: two blended shapes close together. Weak, positive: peaks at 0 and 2. Weak, negative: both curves on top of each other with a peak at 1."}} tags=["figure"]
fig, grid_of = plots.panels(2, 3, width=8.4, height=4.2, sharex=True, sharey=True)
axes = grid_of.ravel()[[0, 1, 3, 4, 5]]
grid_of[0, 2].axis("off")
for ax, title in zip(axes, panels):
    for x1 in (0, 1):
        ax.plot(r, drawn[title[1], x1], label=f"$x_1 = {x1}$")
    ax.set_title(title)
for ax in axes[2:]:
    ax.set_xlabel("output r")
for ax in axes[::2][:2]:
    ax.set_ylabel("density")
axes[0].legend(fontsize=8.5)
plt.show()


# %% [markdown]
# Our copy of the paper has no pictures, so Figure 1 is *rebuilt*, not compared. But the text says what its panels show. It names (a) and (b) for the strong
# attacker, (d) and (e) for the weak one under Table 3(b) and (c), and never names (c). For independent data it says that the weak attacker's curves are those of (a) and
# (b), where (c) was very likely meant: they are a mixture of both, one part (a) and three parts (b).

# %% jupyter={"source_hidden": true} tags=["evidence"]
def drawn_gap(panel):
    """Area between the two curves of a panel."""
    return trapezoid(abs(drawn[panel, 0] - drawn[panel, 1]), r)


fewer = r[::50]
changes = {}
for letter, joint in zip("cde", tables.values()):
    law = FiniteDistribution(joint.astype(float))
    prior = law.joint.sum(axis=1)
    after = np.array([law.posterior(0, {}, output=v, scale=1.0) for v in fewer])
    changes[letter] = np.log(after[:, 0] / after[:, 1]) - np.log(prior[0] / prior[1])
log_drawn = {k: np.log(drawn[k, 0] / drawn[k, 1])[::50] for k in changes}
zero = np.argmin(abs(r))  # r = 0
with claim("Y-F1") as c:
    c.source_incomplete("the picture; the text does not state the ε of its curves")
    curves = list(log_drawn.values())
    label = "(c) to (e): log ratios of the curves drawn here, from posteriors"
    c.decisive("sampled").close(
        curves, list(changes.values()), label, rtol=0, atol=1e-9
    )
    c.at_most(1.5 * drawn_gap("a"), drawn_gap("d"), "(d): further apart than (a)")
    c.at_most(drawn_gap("e"), 0.05 * drawn_gap("a"), "(e): they nearly coincide")
with claim(
    "Y-3.d",
    printed="under Table 3(a) the weak attacker's curves are Figure 1(a) and (b)",
    corrected="Figure 1(c), which the text never names: 1 part (a), 3 parts (b)",
    consequence="None: the ratio is bounded in all three panels.",
) as c:
    panel_a, weak_c = drawn["a", 0][zero], drawn["c", 0][zero]
    c.differs(panel_a, weak_c, "density at r = 0 for x₁ = 0, ε = 1")
    mixture = [(drawn["a", v] + 3 * drawn["b", v]) / 4 for v in (0, 1)]
    weak_curves = [drawn["c", v] for v in (0, 1)]
    c.decisive("one example").close(weak_curves, mixture, "mixed 1 : 3", rtol=1e-12)

# %% [markdown]
# ## The leakage, exactly
#
# How far apart are two such densities at worst? Leakage is the largest log ratio, over the output and the two values of the target. Put $y = e^{\varepsilon r}$. Between two neighbouring values of the sum each
# Laplace density is a constant times $y$ or $1/y$, so a mixture is $A\,y + B/y$ with $A, B \ge 0$. How does the ratio of two such mixtures change with $y$?

# %% jupyter={"source_hidden": true} tags=["evidence"]
Y, A, B, C, D = sp.symbols("y A B C D", positive=True)
slope_of_ratio = sp.Derivative((A * Y + B / Y) / (C * Y + D / Y), Y)
moebius = (
    derivation(slope_of_ratio)
    .equal(
        sp.Derivative((A * Y**2 + B) / (C * Y**2 + D), Y),
        "times $y$, above and below",
    )
    .equal(2 * Y * (A * D - B * C) / (C * Y**2 + D) ** 2, "quotient rule")
)
moebius

# %% [markdown]
# The sign of $AD - BC$ does not depend on $y$: the ratio moves in one direction only. Beyond the smallest and the largest value of the sum it is constant. So the supremum sits *at a value of the
# sum*: here at $r = 0, 1$ or $2$. Three numbers to compare, no calculus. For Table 3(b), with $q = e^{-\varepsilon}$ and the common factor $\varepsilon/2$ left out:

# %% jupyter={"source_hidden": true} tags=["evidence"]
q, h = sp.symbols("q h", positive=True)
often, rarely = sp.Rational("0.98"), sp.Rational("0.02")


def likelihood(v, joint, x1, q):
    """p(r = v | x1) at a value v of the sum, up to the factor ε/2."""
    given = [sp.Rational(p) for p in joint[x1] / joint[x1].sum()]
    return sum(p * q ** abs(v - x1 - x2) for x2, p in enumerate(given))


printed_b = (often + rarely * q) / (rarely * q + often * q**2)  # section 4.2.3
printed_c = (rarely + often * q) / (often * q + rarely * q**2)
at_zero_b = derivation(printed_b, of=r"\frac{p(0 \mid x_1 = 0)}{p(0 \mid x_1 = 1)}")
at_zero_b = at_zero_b.equal(
    (49 + q) / (1 + 49 * q) / q, "times 50, factor $1/q = e^{\\varepsilon}$"
)
at_zero_b

# %% [markdown]
# At $r = 2$ the ratio is the inverse, and at $r = 1$ both densities agree; so the log of this is the leakage. It is the expression that the paper prints. Is it more than $\varepsilon$? Write
# $q = 1/(1 + h)$ with $h > 0$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
surplus_b = ((49 + q) / (1 + 49 * q)).subs(q, 1 / (1 + h))
more_than_strong = (
    derivation(surplus_b, of=r"\frac{49 + q}{1 + 49q}")
    .equal((50 + 49 * h) / (50 + h), "put in $q$")
    .at_least(1, "since $49h > h$", by="coefficients")
)
more_than_strong

# %% [markdown]
# Always more, for every $\varepsilon$. For Table 3(c) the two probabilities change places and the fraction is turned round: always less, and by as much. The package finds the closed form
# of any finite law by the same argument.

# %%
eps = sp.Symbol("epsilon", positive=True)
closed = {
    (name, target, known): FiniteDistribution(joint).bdp_leakage(target, known, scale=1 / eps)
    for name, joint in tables.items()
    for target, known in adversaries(2)
}
print(closed["(b) positive", 0, ()], "  strong:", closed["(b) positive", 0, (1,)])

# %% jupyter={"source_hidden": true} tags=["evidence"]
level = {eps: sp.Rational(1, 10)}
weak_of = {name: closed[name, 0, ()] for name in tables}
values = [float(expr.subs(level)) for expr in weak_of.values()]
in_q = [sp.factor(sp.exp(e).subs(eps, -sp.log(q))) for e in weak_of.values()]
strong_values = [float(closed[name, 0, (1,)].subs(level)) for name in tables]
table(
    {
        "law": list(tables),
        "weak attacker: the log of": [f"${sp.latex(e)}$" for e in in_q],
        "ours": values,
        "printed": ["–", "0.196", "0.004"],
        "difference": ["–"]
        + [f"{values[1] - 0.196:+.6f}".replace("-", "−")]
        + [f"{values[2] - 0.004:+.6f}".replace("-", "−")],
        "strong attacker": strong_values,
    },
    formats={"ours": ".6f", "strong attacker": ".1f"},
    caption="Leakage to the attackers of the first tuple, for every $ε$, and in "
    "nats at $ε = 0.1$. Those of the second tuple learn the same.",
)

# %% [markdown]
# Every strong attacker learns exactly $\varepsilon$, the most that
# differential privacy allows. The weak ones learn $\varepsilon$ from independent data, more under (b),
# less under (c), and the two add up to $2\varepsilon$. So under (b) the level $\varepsilon$ understates what somebody learns by almost a factor of two. Under (c) it overstates what the weak attacker learns; the strong
# one still learns it, so the noise cannot be made smaller. (Where the text calls the level of privacy *extremely high* in this case, it speaks of the weak attacker; section 4.2.3 says so.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
weak_a, weak_b, weak_c = weak_of.values()
leak_a, leak_b, leak_c = values
strong = [e for (_, _, known), e in closed.items() if known]
swapped = [closed[name, 1, ()] for name in tables]
assert all(
    sp.simplify(sp.exp(x) - sp.exp(y)) == 0 for x, y in zip(weak_of.values(), swapped)
)
assert sp.simplify(likelihood(1, b, 0, q) - likelihood(1, b, 1, q)) == 0
rng = np.random.default_rng(3)
apart = [
    np.multiply.outer(np.multiply.outer(*m[:2]), m[2])
    for m in rng.dirichlet([1, 1], size=(60, 3))
]
joined = rng.dirichlet(np.full(8, 0.5), size=60).reshape(-1, 2, 2, 2)
leaks_apart = [list(FiniteDistribution(law).all_leakages(scale=1.0).values()) for law in apart]
leaks_strong = [
    [
        leak
        for who, leak in FiniteDistribution(law).all_leakages(scale=1.0).items()
        if len(who.known) == 2
    ]
    for law in joined
]

with claim("Y-3.c") as c:
    c.exact(weak_a, eps, "Table 3(a), weak attacker: ε, for every ε")
    label = "60 random laws of three independent bits, 12 attackers each: at most ε"
    c.decisive("sampled").at_most(leaks_apart, 1.0, label, slack=1e-12)
    by_hand = likelihood(0, a, 0, q) / likelihood(0, a, 1, q)
    c.exact(sp.simplify(by_hand), 1 / q, "by hand, at r = 0")
with claim("Y-3.e") as c:
    c.exact(strong, [eps] * 6, "Table 3, strong attackers: ε, for every ε")
    label = "60 random laws of three dependent bits, strong attackers: at most ε"
    c.decisive("sampled").at_most(leaks_strong, 1.0, label, slack=1e-12)
    c.close(leaks_strong, np.ones((60, 3)), "and exactly ε", rtol=1e-9)
with claim("Y-3.f") as c:
    label = "e^(leakage − ε) is at least 1, for every ε"
    c.decisive().derived(more_than_strong, surplus_b, 1, label)
    c.exact(
        sp.exp(weak_b - eps).subs(eps, -sp.log(q)), (49 + q) / (1 + 49 * q), "package"
    )
    c.at_most(1.9 * 0.1, leak_b, "ε = 0.1: at least 1.9 ε")
with claim("Y-3.g") as c:
    both = sp.simplify(sp.exp(weak_b + weak_c - 2 * eps))
    label = "weak, (c): as far below ε as (b) is above, for every ε"
    c.decisive("proved").exact(both, sp.Integer(1), label)
    c.at_most(leak_c, 0.05 * 0.1, "ε = 0.1: less than a twentieth of ε")
with claim("Y-4.a") as c:
    first, last = printed_b, (49 + q) / (1 + 49 * q) / q
    c.derived(at_zero_b, first, last, "the printed closed form, for every ε")
    ours_b = sp.exp(weak_b).subs(eps, -sp.log(q))
    c.exact(sp.simplify(ours_b - printed_b), 0, "is the package's")
    c.decisive("one example").close(leak_b, 0.196, "printed 0.196", atol=5e-4, rtol=0)
    c.decisive("one example").close(leak_b, 2 * 0.1, "about 2ε", rtol=0.025)
    c.decisive("one example").close(strong_values[1], 0.1, "strong: ε", rtol=1e-9)
with claim("Y-4.c") as c:
    by_hand_c = likelihood(0, negative, 0, q) / likelihood(0, negative, 1, q)
    c.exact(sp.simplify(by_hand_c - printed_c), 0, "the printed closed form, by hand")
    c.decisive("one example").close(leak_c, 0.004, "printed 0.004", atol=5e-4, rtol=0)
    worst_c = FiniteDistribution(negative.astype(float)).worst_adversary(scale=10.0)
    label = "over all four attackers: ε"
    c.decisive("one example").close(worst_c.leakage, 0.1, label, rtol=1e-9)
with claim("Y-3.level") as c:
    sides = [density(r, negative, x1, 0.1) for x1 in (0, 1)]
    found = np.abs(np.log(sides[0] / sides[1])).max()
    label = "Table 3(c), ε = 0.1, weak attacker, 801 outputs: below ε/20"
    c.decisive("one example").at_most(found, 0.1 / 20, label)
    c.close(found, leak_c, "which is the closed form", rtol=1e-9)
    c.limit(leak_c, worst_c.leakage, "over all attackers: level of Lap(1/ε)")
with claim("Y-4.e") as c:
    worst_b = FiniteDistribution(b.astype(float)).worst_adversary(scale=10.0)
    knows = tuple(len(worst.adversary.known) for worst in (worst_b, worst_c))
    c.exact(knows, (0, 1), "ε = 0.1, who is worst knows: (b) nobody, (c) all")
    strong_b, strong_c = (closed[name, 0, (1,)] for name in list(tables)[1:])
    ahead = [sp.exp(d).subs(eps, sp.log(1 + h)) for d in
             (weak_b - strong_b, strong_c - weak_c)]  # fmt: skip
    excess = 48 * h / (50 + h)  # positive
    label = "(b) e^(weak − strong), (c) e^(strong − weak): above 1, with h = e^ε − 1"
    found = [sp.simplify(ratio) for ratio in ahead]
    c.decisive("proved").exact(found, [1 + excess] * 2, label)
    between_two = int(np.argmax(by_knowledge(0.02, 1.0)))
    label = "ten friends, c = 0.02: the worst knows some of the others, not all"
    c.holds(0 < between_two < 9, label, method="numeric")

# %% [markdown]
# An independent route: evaluate both densities on a fine grid that knows nothing about where the supremum
# sits. It finds the same nine numbers.

# %% jupyter={"source_hidden": true} tags=["evidence"]
grid = np.linspace(-20, 22, 42_001)
on_grid = [
    [
        np.abs(np.log(density(grid, joint, 0, e) / density(grid, joint, 1, e))).max()
        for e in (0.1, 1.0, 5.0)
    ]
    for joint in tables.values()
]
by_package = [
    [
        FiniteDistribution(joint.astype(float)).bdp_leakage(0, scale=1 / e)
        for e in (0.1, 1.0, 5.0)
    ]
    for joint in tables.values()
]
with claim("Y-B12") as c:
    last = 2 * Y * (A * D - B * C) / (C * Y**2 + D) ** 2
    label = "between two values of the query the ratio is monotone"
    c.decisive("proved").derived(moebius, slope_of_ratio, last, label)
    label = "Table 3, ε = 0.1, 1, 5: a grid of outputs finds the same supremum"
    c.close(on_grid, by_package, label, rtol=1e-9)


# %% [markdown]
# ## One picture
#
# Between the three tables lies a whole family: two fair coins that agree with probability $(1 + \rho)/2$.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left, \u03b5 = 1: the two densities that the weak attacker of Table 3(b) must tell apart (solid, dashed) are twice as far apart as the strong attacker's (thin). Right: leakage of the weak attacker against the correlation \u03c1 of two fair coins. The strong attacker stays at 1. Who is more dangerous depends on the sign of \u03c1.", "name": "fig-correlation"}, "image": {"alt": "Left, densities with peaks at 0 and 2 for the weak attacker and thin curves with peaks at 0 and 1 for the strong one. Right, leakage over epsilon against correlation from minus 1 to 1: rising from 0 through 1 at zero correlation to 2, for three values of epsilon, with a horizontal line at 1 for the strong attacker."}} tags=["cover", "figure"]
def coins(rho):
    """Two fair coins with correlation rho."""
    return np.array([[1 + rho, 1 - rho], [1 - rho, 1 + rho]]) / 4


rho = np.linspace(-1, 1, 81)
fig, (left, right) = plots.panels(1, 2, width=8.4, height=3.7)
for x1, style in ((0, "-"), (1, "--")):
    blue, grey = plots.COLOURS["blue"], plots.COLOURS["grey"]
    left.plot(
        r, density(r, b, x1, 1.0), style, color=blue, label=f"weak, $x_1 = {x1}$"
    )
    left.plot(
        r,
        np.exp(-abs(r - x1)) / 2,
        style,
        color=grey,
        lw=1,
        label=f"strong, $x_1 = {x1}$",
    )
left.set(xlabel="output r", ylabel="density", title="what must be told apart")
left.legend(fontsize=8.5, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.2))
curves = {}
for e in (0.1, 1.0, 5.0):
    curves[e] = (
        np.array([FiniteDistribution(coins(p)).bdp_leakage(0, scale=1 / e) for p in rho]) / e
    )
    right.plot(rho, curves[e], label=f"weak, ε = {e:g}")
right.axhline(1, color=plots.COLOURS["grey"], lw=1.2, ls="-", label="strong")
right.set(
    xlabel="correlation ρ of the two tuples",
    ylabel="leakage / ε",
    title="what is leaked",
)
right.legend(fontsize=8.5)
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
middle = len(rho) // 2
for curve in curves.values():
    assert np.all(np.diff(curve) > -1e-12)  # more correlation, more leakage
    assert np.allclose(curve[[0, middle, -1]], [0, 1, 2], atol=1e-9)  # −1, 0, +1
    assert np.allclose(curve + curve[::-1], 2, atol=1e-9)  # mirrored
weak_peaks = [r[np.argmax(density(r, b, x1, 1.0))] for x1 in (0, 1)]
assert np.allclose(weak_peaks, [0, 2], atol=1e-9)
with claim("Y-T1") as c:
    label = "independent, any attacker (60 laws, 12 attackers): at most ε"
    c.decisive("sampled").at_most(leaks_apart, 1.0, label, slack=1e-12)
    label = "dependent, strong attacker (60 laws): at most ε"
    c.decisive("sampled").at_most(leaks_strong, 1.0, label, slack=1e-12)
    label = "dependent, weak attacker, Table 3(b): more than ε, for every ε"
    c.decisive("proved").derived(more_than_strong, surplus_b, 1, label)

# %% [markdown]
# Table 1 of the paper is the coarse version of this picture: differential privacy is adequate (妥当) for a
# strong attacker or independent data, and not for correlated data and an arbitrary attacker.
#
# ## All four attackers, for every ρ and ε
#
# Two tuples have four attackers in all: each tuple has a weak one and a strong one. Set the correlation to 0.96, which is
# Table 3(b), and then make $\varepsilon$ larger: as a multiple of $\varepsilon$ the surplus of the weak attacker shrinks. In nats it grows, from 0.1<!-- {surplus_low:.1f} --> at
# $\varepsilon = 0.1$ to 3.9<!-- {surplus_high:.1f} --> at $\varepsilon = 10$. Then
# cross $\rho = 0$ and see the weak and the strong attackers change places. With sliders, curves beside the bars show the
# log ratio that the leakage is the maximum of, for each value of the noisy sum.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Bars, the leakage of all four attackers of two fair coins, as a multiple of \u03b5, which is what differential privacy reports (grey line at 1). For negative \u03c1 the strong attackers learn most, for positive \u03c1 the weak ones, and the more so the smaller \u03b5 is.", "name": "fig-two-tuples"}, "image": {"alt": "Three groups of bars for correlation minus 0.96, 0 and plus 0.96, with epsilon 0.1, 1 and 10. Strong attackers always stand at 1. Weak attackers are near 0 for epsilon 0.1 and at about 0.6 for epsilon 10 when the correlation is negative, at 1 when it is zero, and between 2 and 1.4 when it is positive."}} tags=["figure"]
attackers = {  # target and what is known, 0-based
    "weak, of x₁": (0, ()),
    "weak, of x₂": (1, ()),
    "strong, of x₁": (0, (1,)),
    "strong, of x₂": (1, (0,)),
}


def four_leakages(p, e):
    """Leakage / ε of the four attackers of two coins with correlation p."""
    leaks = FiniteDistribution(coins(p)).all_leakages(scale=1 / e)
    return [leaks[who] / e for who in attackers.values()]


fig, axes = plots.panels(1, 3, width=8.4, height=3.2, sharey=True)
for ax, p in zip(axes, (-0.96, 0.0, 0.96)):
    for shift, (e, colour) in enumerate(
        ((0.1, "blue"), (1.0, "orange"), (10.0, "green"))
    ):
        spots = np.arange(4) + 0.27 * (shift - 1)
        bars = four_leakages(p, e)
        ax.bar(spots, bars, 0.25, color=plots.COLOURS[colour], label=f"ε = {e:g}")
    ax.axhline(1, color=plots.COLOURS["grey"], lw=1.2, ls="-")
    ax.set_xticks(range(4), [name.replace(", of ", "\n") for name in attackers])
    ax.set_title(f"ρ = {p:g}".replace("-", "−"))
axes[0].set_ylabel("leakage / ε")
axes[0].legend(fontsize=8.5)
plt.show()

# %% jupyter={"source_hidden": true} tags=["figure"]
correlations = [-0.99, -0.96, *np.round(np.arange(-9, 10) / 10, 1), 0.96, 0.99]
levels = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
outputs = np.arange(-1, 3.01, 0.125)


def log_ratio(p, e, known):
    """log of p(r | x₁ = 0) / p(r | x₁ = 1), by Bayes' rule from the posterior."""
    joint = coins(p)
    prior = joint[:, known[1]] if known else joint.sum(axis=1)
    after = np.array(
        [FiniteDistribution(joint).posterior(0, known, output=r, scale=1 / e) for r in outputs]
    )
    return np.log(after[:, 0] / after[:, 1]) - np.log(prior[0] / prior[1])


def frame(p, e):
    bars = four_leakages(p, e)
    note = f"Weak attackers learn {bars[0]:.2f} ε, strong ones {bars[2]:.2f} ε. "
    if p == 0:
        note += "All four learn the same."
    else:
        known = FiniteDistribution(coins(p)).worst_adversary(scale=1 / e).adversary.known
        note += f"The worst one knows {'the other coin' if known else 'nothing'}."
    return [
        {"trace": 0, "y": log_ratio(p, e, {}) / e},
        {"trace": 1, "y": log_ratio(p, e, {1: 0}) / e},
        {"trace": 2, "y": bars},
        {"note": note},
    ]


blue, orange, grey = (plots.COLOURS[name] for name in ("blue", "orange", "grey"))
live = make_subplots(1, 2, horizontal_spacing=0.13)
live.add_scatter(x=outputs, name="weak", line={"color": blue, "width": 3})
live.add_scatter(
    x=outputs,
    name="strong, x₂ = 0",
    line={"color": orange, "width": 3, "dash": "dash"},
)
live.add_bar(
    x=[name.replace(", ", "<br>") for name in attackers],
    marker={"color": [blue, blue, orange, orange]},
    showlegend=False,
    row=1,
    col=2,
)
live.add_hline(y=1, line={"color": grey}, row=1, col=2)
live.update_layout(
    xaxis={"title": "output r"},
    yaxis={"title": "log ratio / ε", "range": [-2.1, 2.1]},
    yaxis2={"title": "leakage / ε", "range": [0, 2.1]},
)
interactive.show(
    "two-tuples",
    live,
    [
        Slider("correlation ρ", correlations, start=correlations.index(0.5)),
        Slider("level ε of the noise", levels, format="g", start=levels.index(1.0)),
    ],
    frame,
    alt="Left, the log ratio that a weak and a strong attacker of the first of two "
    "coins see, against the output. Right, the leakage of all four attackers.",
)

# %% jupyter={"source_hidden": true} tags=["evidence"]
# The bars are the printed closed forms, rise with ρ, and bound the curves tightly
bars_at = np.array([[four_leakages(p, e) for e in levels] for p in correlations])
for name, p in zip(tables, (0.0, 0.96, -0.96)):
    by_hand = [float(closed[name, 0, ()].subs(eps, e)) / e for e in levels]
    assert np.allclose(bars_at[correlations.index(p), :, 0], by_hand, rtol=1e-9)
assert np.allclose(bars_at[..., 2:], 1, rtol=1e-12)  # strong: always ε
assert np.allclose(bars_at[..., 0], bars_at[..., 1], rtol=1e-12)  # alike
assert np.all(np.diff(bars_at[..., 0], axis=0) > 0)
positive_side = bars_at[correlations.index(0.1) :, :, 0]
assert np.all(np.diff(positive_side, axis=1) < 0)  # more noise, more surplus
by_hand = np.log(density(outputs, b, 0, 2.0) / density(outputs, b, 1, 2.0))
assert np.allclose(log_ratio(0.96, 2.0, {}), by_hand, rtol=1e-9, atol=1e-12)
for p, e in ((0.96, 0.1), (-0.5, 1.0), (0.3, 10.0)):
    for known, bar in (({}, 0), ({1: 0}, 2)):
        highest = np.abs(log_ratio(p, e, known)).max() / e
        assert np.isclose(highest, four_leakages(p, e)[bar], rtol=1e-9)

# %% jupyter={"source_hidden": true} tags=["evidence"]
surpluses = [
    bars_at[correlations.index(0.96), levels.index(e), 0] * e - e for e in (0.1, 10.0)
]
surplus_low = float(surpluses[0])
surplus_high = float(surpluses[1])

# %% [markdown]
# ## The same thing in odds
#
# Why can somebody learn more by knowing less? Section 4.4 of the paper gives the answer, with Bayes' rule. Let the attacker hold two values of the target for
# likely with $\pi$ and $\pi'$ before the release, and let $p$, $p'$ be the densities of the output given them (and what he knows). Afterwards he believes in proportion to $\pi p$ and $\pi' p'$, so his log odds
# have changed by

# %% jupyter={"source_hidden": true} tags=["evidence"]
pi0, pi1, like0, like1 = sp.symbols("pi_0 pi_1 p_0 p_1", positive=True)
moved = sp.log(pi0 * like0 / (pi1 * like1)) - sp.log(pi0 / pi1)
odds = (
    derivation(moved, names={pi0: r"\pi", pi1: r"\pi'", like0: "p", like1: "p'"})
    .equal(sp.log(like0 / like1), "what he believed before cancels")
)  # fmt: skip
odds

# %% [markdown]
# The change is the log ratio of the densities, whatever he believed before. Leakage measures this *change*; it says nothing about where he ends. The paper's example, Table 3(b) with
# $\varepsilon = 0.1$ and an output that happens to be 2:

# %%
law = FiniteDistribution(b.astype(float))
strong_after = law.posterior(0, {1: 1}, output=2.0, scale=10.0)  # knows x2 = 1
weak_after = law.posterior(0, {}, output=2.0, scale=10.0)
print("strong", strong_after.round(4), " weak", weak_after.round(4))

# %% jupyter={"source_hidden": true} tags=["set-up"]
joint = b.astype(float)
strong_prior, weak_prior = joint[:, 1] / joint[:, 1].sum(), joint.sum(axis=1)
chances = [strong_prior[1], strong_after[1], weak_prior[1], weak_after[1]]
nats = np.diff(np.log(np.array(chances) / (1 - np.array(chances))))[::2]
table(
    {
        "attacker": ["strong, $x_2 = 1$", "weak"],
        "before": chances[::2],
        "after, ours": chances[1::2],
        "after, printed": [0.982, 0.55],
        "log odds move by, nats": nats,
    },
    formats={"before": ".2f", "after, ours": ".4f", "log odds move by, nats": ".4f"},
    difference=("after, ours", "after, printed"),
    caption="Probability of $x_1 = 1$ before and after the output 2, $ε = 0.1$.",
)


# %% [markdown]
# The strong attacker is almost certain before and hardly more certain after. The weak one starts from
# nothing and learns twice as much. So the strongest attacker does *know* the most in the end, and that is the sense in which differential privacy takes him for the worst; he does not
# *learn* the most.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def best_guess(law, eps):
    """Chance that each attacker's best guess is right, once the sum is released."""
    total = np.indices(law.shape).sum(axis=0)
    rs = np.linspace(-25 / eps, 25 / eps + law.ndim, 6001)
    dense = law[..., None] * laplace.pdf(rs - total[..., None], scale=1 / eps)
    chance = {}
    for who in adversaries(law.ndim):
        unknown = [j for j in range(law.ndim) if j not in (who.target, *who.known)]
        left = dense.sum(axis=tuple(unknown), keepdims=True).max(axis=who.target)
        chance[who] = trapezoid(left.reshape(-1, rs.size).sum(axis=0), rs)
    return chance


guesses = [best_guess(law, 1.0) for law in joined[:20]]
more = [
    (u, v)
    for u in guesses[0]
    for v in guesses[0]
    if u.target == v.target and set(u.known) < set(v.known)
]
with claim("Y-4.h") as c:
    first, last = moved, sp.log(like0 / like1)
    c.derived(odds, first, last, "change of log odds = log ratio of the densities")
    changes = []
    for out in np.arange(-3, 5.01, 0.25):
        after = FiniteDistribution(joint).posterior(0, {}, output=out, scale=10.0)
        changes.append(
            abs(np.log(after[1] / after[0]) - np.log(weak_prior[1] / weak_prior[0]))
        )
    label = "Table 3(b): the largest change over 33 outputs is the leakage"
    c.decisive("one example").close(max(changes), leak_b, label, rtol=1e-9)
def odds_moved(law, outputs):
    """Change of strong attackers' log odds: target, others, output; by posteriors."""
    moved = np.empty((3, 2, 2, outputs.size))
    for i, *value in product(range(3), (0, 1), (0, 1)):
        known = dict(zip((j for j in range(3) if j != i), value))
        before = np.moveaxis(law.joint, i, 0)[(slice(None), *value)]
        after = [law.posterior(i, known, output=v, scale=1.0) for v in outputs]
        odds_after = np.divide(*np.transpose(after)[::-1])
        moved[(i, *value)] = np.log(odds_after * before[0] / before[1])
    return moved


def ratios_of_1(query, outputs):
    """Log ratios in (1) for Lap(1) and a query of bits: target, others, output."""
    logs = -np.abs(outputs - query[..., None])  # a constant factor cancels
    return np.array([np.diff(logs, axis=i).squeeze(i) for i in range(query.ndim)])


with claim("Y-4.j") as c:
    c.derived(odds, first, last, "change of log odds = log ratio of the densities")
    queries = np.random.default_rng(44).integers(0, 9, (10, 2, 2, 2))
    at = np.arange(0, 8.01, 0.5)
    laws_of = [FiniteDistribution(w, query=f) for w, f in zip(joined, queries)]
    moved_by = [odds_moved(law, at) for law in laws_of]
    by_1 = [ratios_of_1(f, at) for f in queries]
    label = "10 laws and queries of three bits, at each output: as the ratio in (1)"
    c.decisive("sampled").close(moved_by, by_1, label, rtol=1e-9, atol=1e-9)
    never_apart = np.array([[0.5, 0.0], [0.0, 0.5]])
    far_apart = 1000 * np.array([[0, 1], [1, 0]])
    beyond = np.abs(ratios_of_1(far_apart, np.array([1000.0]))).max()
    silent = FiniteDistribution(never_apart, query=far_apart).bdp_leakage(0, (1,), scale=1.0)
    label = "x₁ = x₂ always, 1000 times their difference: a strong attacker's odds"
    c.limit(beyond, silent, label)
    assert (beyond, silent) == (1000, 0)
with claim("Y-4.i") as c:
    c.decisive().close(chances[0], 0.98, "strong, before", rtol=1e-12)
    c.decisive().close(chances[1], 0.982, "strong, after", rtol=0, atol=5e-4)
    c.decisive().close(chances[2], 0.5, "weak, before", rtol=1e-12)
    c.decisive().close(chances[3], 0.55, "weak, after", rtol=0, atol=5e-3)
    c.close(nats, [0.1, leak_b], "log odds move by the two leakages", rtol=1e-9)
with claim("Y-1.strongest") as c:
    label = f"{len(more)} pairs of attackers, 20 laws: who knows more guesses better"
    worse, better = np.array([[(g[u], g[v]) for u, v in more] for g in guesses]).T
    c.decisive("sampled").at_most(worse, better, label, slack=1e-9)
    assert len(more) == 15  # five for each of three targets
    strong_guess = best_guess(joint, 0.1)[0, (1,)]
    c.close(strong_guess, 0.98, "Table 3(b), ε = 0.1: strong attacker", rtol=1e-3)
    c.limit(
        strong_values[1], leak_b, "what is learnt, Table 3(b), ε = 0.1, most of all"
    )

# %% [markdown]
# (corr-readings)=
#
# ## Two ways to read a condition of probability zero
#
# Odds need two values that are both possible. In a family that shares one state, who knows one person knows all: given $x_{\mathcal{K}}$ the other value of $x_i$ has probability
# zero. Definition 4.1 does not say what its conditional probabilities mean then. There are two readings:
#
# - **conditioning**: pairs $(x_i, x_{\mathcal{K}})$ of probability zero do not take part;
# - **kernel**: a conditional law is given for every value of $x_{\mathcal{K}}$. If nobody is unknown there is only one candidate, the mechanism's own law
#   $\Pr(r \in S \mid x)$, which exists for every $x$. (If somebody is unknown, the joint law offers none.)

# %%
trio = np.zeros((2, 2, 2))  # three people who share one state
trio[0, 0, 0] = trio[1, 1, 1] = 0.5
for name, reading in (("conditioning", "positive"), ("kernel", "kernel")):
    law = FiniteDistribution(trio, conditions=reading)
    found = [law.bdp_leakage(0, known, scale=10) for known in ((), (1,), (1, 2))]
    print(f"{name:12s} knows nobody, one, both: {found}")

# %% [markdown]
# In this part we read by **conditioning**, the default of `FiniteDistribution`: an attacker whose odds are not odds has nothing to learn. Where every database has positive
# probability, as in Table 3 and in every Gaussian law, the readings agree. The kernel reading comes back where it makes a difference to a theorem, [in notebook 2](02-bayesian-differential-privacy.ipynb).
#
# ## Could a release leak nothing?
#
# Yes, and the paper names the notion (section 2): an output has *perfect privacy* if the probability of $x_i$ given the output is what it was before {cite:p}`miklau2004formal`. It adds
# that such outputs in general have no use. Is that so? Publish whether two fair coins differ:

# %%
half = np.full((2, 2), 0.25)
differ = FiniteDistribution(half, query=np.array([[0, 1], [1, 0]]))
weak, strong_one = (
    differ.bdp_leakage(0, scale=0.1),
    differ.bdp_leakage(0, (1,), scale=0.1),
)
print(f"weak {weak:.2f}, strong {strong_one:.2f} nats")


# %% [markdown]
# Each coin is perfectly private from those who know neither, and still a whole bit about the database is out: of use to somebody, and, to somebody who knows the other coin, everything. It works because the coins are fair.
# Who wants each $x_i$ to be independent of the output under *all* laws of independent bits publishes nothing: take others' laws that are nearly certain, and the output cannot depend on $x_i$ at any database.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def constraints(n):
    """Rows that say: Pr(r | x_i) is the same for both values, under product laws."""
    chances = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 2)] * 2]
    rows = []
    for i in range(n):
        for others in product(chances, repeat=n - 1):
            row = [1]
            for j in range(n):
                factor = [-1, 1] if j == i else others[j - (j > i)]
                row = [u * v for u in row for v in factor]
            rows.append(row)
    return sp.Matrix(rows)


with claim("Y-2.perfect") as c:
    equations = [constraints(n) for n in (1, 2, 3, 4)]
    ranks = [rows.rank() for rows in equations]
    assert all(sum(row) == 0 for rows in equations for row in rows.tolist())
    label = (
        "n ≤ 4 bits, perfect under all product laws: only constant outputs are left"
    )
    c.decisive("exhaustive").exact(ranks, [2**n - 1 for n in (1, 2, 3, 4)], label)
    xor_given = {v: Fraction(sum((v ^ x2) == 1 for x2 in (0, 1)), 2) for v in (0, 1)}
    assert xor_given == {0: Fraction(1, 2), 1: Fraction(1, 2)}  # perfect privacy
    spread = [Fraction(sum((u ^ v) == s for u, v in cells), 4) for s in (0, 1)]
    bits = -sum(p * sp.log(sp.Rational(p), 2) for p in spread)
    assert spread == [Fraction(1, 2)] * 2 and sp.simplify(bits) == 1
    c.limit(
        sp.Integer(0), sp.simplify(bits), "two fair coins, do they differ: bits told"
    )
assert weak == 0 and np.isclose(strong_one, 10)

# %% [markdown]
# Perfect privacy and differential privacy protect from different attackers, and neither implies the other. The definition of the next notebook asks for all of them at once.
#
# ## Seen by simulation
#
# None of this needs trust in a formula. Draw two million databases from Table 3(b), release with $\varepsilon = 1$, and count how often each
# value of $x_1$ goes with an output of 2 or more, where the ratio is constant.

# %%
rng = np.random.default_rng(20150531)
x1, x2 = np.divmod(rng.choice(4, size=2_000_000, p=joint.ravel()), 2)
output = x1 + x2 + rng.laplace(size=x1.size)
n0, n1 = (((output >= 2) & (x1 == v)).sum() for v in (0, 1))
estimate, error = np.log(n1 / n0), np.sqrt(1 / n0 + 1 / n1)
exact = FiniteDistribution(joint).bdp_leakage(0, scale=1.0)
print(f"log odds moved by {estimate:.3f} ± {error:.3f}; exact {exact:.4f}")

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert abs(estimate - exact) < 4 * error and error < 0.02
assert np.isclose(exact, float(weak_b.subs(eps, 1)), rtol=1e-12)

# %% [markdown]
# ## Misprints
#
# Small things, of words and of print; a lost factor or index may be the converter's. None of them touches a later result.

# %% jupyter={"source_hidden": true} tags=["evidence"]
xor = np.zeros((2, 2, 2))  # two fair coins and their exclusive or
for u, v in cells:
    xor[u, v, u ^ v] = 0.25
alike = np.full((2, 10), Fraction(0))  # x1, and how many of the nine others
alike[0, 0] = alike[1, 9] = Fraction(1, 2)
alike_leak = FiniteDistribution(alike).bdp_leakage(0, scale=1 / eps)


def check_background(c):
    by_known = [leak_b, strong_values[1]]  # who knows nothing, who knows the other
    c.differs(0.1, by_known[0], "leakage to who knows nothing, Table 3(b), ε = 0.1")
    label = "independent tuples (60 laws), all attackers: at most ε = 1"
    c.decisive("sampled").at_most(leaks_apart, 1.0, label, slack=1e-12)
    label = "dependent tuples (60 laws), strong attackers: at most ε = 1"
    c.decisive("sampled").at_most(leaks_strong, 1.0, label, slack=1e-12)


def check_scale(c):
    needed = sp.simplify(alike_leak / eps)  # at Lap(1/ε), which is what it grows by
    people = sp.Integer(alike.shape[1])
    printed = people**-1  # Lap(1/10ε)
    c.differs(printed, needed, "ten copies: scale needed, in units of 1/ε")
    label = "as many times as there are people, for every ε"
    c.decisive("one example").exact(needed, people, label)
    leak = family.bdp_leakage(0, scale=10 / 0.1)
    label = "ε = 0.1, Lap(10/ε): leakage"
    c.decisive("one example").close(leak, 0.1, label, rtol=1e-12)


def check_uncorrelated(c):
    between = np.cov(np.array(np.nonzero(xor)))[np.triu_indices(3, 1)]
    c.close(between, np.zeros(3), "no pair is correlated", rtol=0, atol=1e-12)
    leakage = FiniteDistribution(xor).worst_adversary(scale=1.0).leakage
    assert np.isclose(leakage, 2)  # who knows x₂ = 0 sees a sum of 0 or 2
    c.fails(
        bool(leakage <= 1),
        f"three pairwise uncorrelated coins leak {leakage:.3f} at ε = 1",
        method="numeric",
    )


def histogram(people, k=2):
    """How many have each value; counts below k are left out."""
    sizes = {value: people.count(value) for value in set(people)}
    return {value: size for value, size in sizes.items() if size >= k}


def check_crowd(c):
    groups = [g for n in (2, 3, 4, 5) for g in product((0, 1, 2), repeat=n)]
    blends = [
        g.count(who)
        >= 2  # two whom nothing tells apart, or nothing depends on who is in
        or histogram(g) == histogram(g[: g.index(who)] + g[g.index(who) + 1 :])
        for g in groups
        for who in g
    ]
    c.exact(blends, [True] * len(blends), "n ≤ 5: each blends with 2, or is not seen")
    one, other = histogram((0, 0, 1, 1)), histogram((0, 0, 1, 2))
    c.fails(
        one == other,
        "but neighbours are told apart for certain, which zero-knowledge forbids",
    )
    assert one == {0: 2, 1: 2} and other == {0: 2}


def check_density(c):
    mass = 2 * sp.integrate(sp.exp(-z / lam) / lam, (z, 0, sp.oo))
    c.differs(mass, sp.Integer(1), "integral of the printed density")
    assert mass == 2
    half_mass = 2 * sp.integrate(noise_density.subs(sp.Abs(z), z), (z, 0, sp.oo))
    c.exact(half_mass, sp.Integer(1), "with the factor ½, as in (23)")


def check_indices(c):
    def largest(pairs):
        """The supremum of (1), sum of two bits, Lap(10), with these (x_i, x_i')."""
        shifts = [(u + other, v + other) for u, v in pairs for other in (0, 1)]
        dense = laplace(scale=10.0).logpdf
        return max((dense(r - f) - dense(r - g)).max() for f, g in shifts)

    u, v = 0, 0  # nothing below the printed supremum says which
    c.differs(largest([(u, v)]), largest(cells), "ε = 0.1, taking $x_i = x_i' = 0$")
    level_of = FiniteDistribution(joint).dp_level(scale=10.0)
    c.close(largest(cells), level_of, "over all values of tuple i: ε", rtol=1e-9)


def check_direction(c):
    scale = FiniteDistribution(joint).noise_scale(0.1)
    c.fails(
        bool(1 / scale >= 0.1),
        f"Table 3(b) at ε = 0.1 needs ε' = {1 / scale:.7f}",
        method="numeric",
    )
    at_scale = float(weak_b.subs(eps, 1 / scale))
    c.close(
        at_scale, 0.1, "at that ε' the weak attacker's closed form is ε", rtol=1e-9
    )


rows = [
    (
        "Y-1.background",
        "DP is a strong standard whatever the attacker's background",
        "for independent tuples, and for the strong attacker (as Table 1 says)",
        check_background,
    ),
    (
        "Y-1.d",
        r"$\mathrm{Lap}(1/10\varepsilon)$",
        r"$\mathrm{Lap}(10/\varepsilon)$",
        check_scale,
    ),
    (
        "Y-1.uncorrelated",
        "uncorrelated (無相関) people are the harmless case",
        "independent people are",
        check_uncorrelated,
    ),
    (
        "Y-2.crowd",
        "references [3] and [2] propose zero-knowledge privacy",
        "[3] does; [2] proposes crowd-blending privacy, as its printed title says",
        check_crowd,
    ),
    (
        "Y-3.b",
        r"density $\frac1\lambda e^{-|r-f|/\lambda}$",
        r"$\frac1{2\lambda} e^{-|r-f|/\lambda}$",
        check_density,
    ),
    (
        "Y-D3.1",
        r"supremum over $i, x_{-i}, x'_{-i}, S$",
        r"over $i, x_i, x_i', x_{-i}, S$",
        check_indices,
    ),
    (
        "Y-4.b",
        r"$\varepsilon' \ge \varepsilon$ with $\mathrm{Lap}(1/\varepsilon')$",
        r"$\varepsilon' \le \varepsilon$",
        check_direction,
    ),
]
records = misprints(rows)

# %% [markdown]
# Crowd-blending privacy {cite:p}`gehrke2012crowd` is weaker than differential privacy: a table that leaves out small counts has it, without noise. Zero-knowledge privacy
# {cite:p}`gehrke2011zero` is stronger; [2] shows how sampling leads from the one to the other, which may be why both are cited for it. (The text
# also calls [12] another definition of Bayesian privacy. It is PrivBayes {cite:p}`zhang2014privbayes`, a mechanism whose promise is plain differential privacy and whose Bayesian network is one of attributes.)
#
# ## Exercises
#
# ```{exercise-start} Three people who share one state
# :label: ex-01-three
# ```
# **Warm-up.** Three people always share one state. Which attackers are there, and what does
# $\operatorname{Lap}(1/\varepsilon)$ leak to each kind? (Read by conditioning, as everywhere in this part.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("01-three", ...)

# %% [markdown]
# ```{solution-start} ex-01-three
# :class: dropdown
# ```
# Twelve attackers ($n2^{n-1}$). Whoever knows one person
# knows everybody and has nothing to learn, so only the three weak attackers learn anything, and they learn $3\varepsilon$. (In the kernel reading the three strong ones learn $\varepsilon$.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
found = FiniteDistribution(trio).all_leakages(scale=10.0)
assert len(found) == 12
for (_, known), leakage in found.items():
    assert np.isclose(leakage, 0 if known else 0.3)
for (_, known), leakage in (
    FiniteDistribution(trio, conditions="kernel").all_leakages(scale=10.0).items()
):
    assert np.isclose(leakage, {0: 0.3, 1: 0, 2: 0.1}[len(known)])


def knows_nobody(level):
    return FiniteDistribution(trio).bdp_leakage(0, scale=1 / level)


check("01-three", (len(found), knows_nobody))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two correlated coins
# :label: ex-01-rho
# ```
# **Standard.** For two fair coins with correlation $\rho > 0$, derive the weak attacker's leakage in closed
# form and show that it exceeds $\varepsilon$ for every $\rho > 0$.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("01-rho", ...)

# %% [markdown]
# ```{solution-start} ex-01-rho
# :class: dropdown
# ```
# With $p = (1 + \rho)/2$ and $q = e^{-\varepsilon}$ the ratio at $r = 0$ is
# $\dfrac{p + (1-p)q}{(1-p)q + pq^2} = \dfrac1q\cdot\dfrac{p + (1-p)q}{(1-p) + pq}$, and
#
# $$ \begin{aligned} p + (1-p)q - (1-p) - pq & \\
#    = (2p - 1)(1 - q) &> 0. \end{aligned} $$

# %% jupyter={"source_hidden": true} tags=["evidence"]
R, y = sp.symbols("rho q", positive=True)
p = (1 + R) / 2
ratio = (p + (1 - p) * y) / ((1 - p) * y + p * y**2)
assert sp.simplify(ratio * y - (p + (1 - p) * y) / (1 - p + p * y)) == 0
assert sp.expand(p + (1 - p) * y - (1 - p) - p * y - R * (1 - y)) == 0
for value in (0.2, 0.7):
    expected = float(sp.log(ratio.subs({R: value, y: sp.exp(-1)})))
    assert np.isclose(FiniteDistribution(coins(value)).bdp_leakage(0, scale=1.0), expected)
check("01-rho", sp.log(ratio.subs({R: R, y: sp.exp(-sp.Symbol("eps"))})))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Who is worst among ten friends
# :label: ex-01-dial
# ```
# **Research.** Let $\varepsilon$ be very small. What is leakage$/\varepsilon$ for the ten people of {numref}`fig-ten-people`, for the attacker who knows nobody, and for one who knows $k \ge 1$ others?
# Find out from it why the worst attacker is in the middle when $c$ is small.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("01-dial", ...)


# %% [markdown]
# ```{solution-start} ex-01-dial
# :class: dropdown
# ```
# To first order the log ratio at an end of the range is $\varepsilon$ times the difference of the
# conditional means of the sum. Given $x_1$, each other person has mean $1/2 \pm c/2$, so who knows nobody learns $1 + 9c$.
# Who knows $k \ge 1$ others learns most if they are all alike. If $x_1$ is as they are, they share a coin with probability $s = c/(c + (1 - c)2^{-k})$, and then the $9 - k$ others are as they are too;
# if $x_1$ is not, nobody shares. The means differ by $1 + (9 - k)\,s/2$. With $c = 0.05$ this is largest at $k = 5$: $2^{-k}$ has to become small against $c$ while $9 - k$ is still large.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def knows_nobody(c, _):
    return 1 + 9 * c


def knows_alike(c, k):
    shared = c / (c + (1 - c) / 2.0**k)
    return 1 + (9 - k) * shared / 2


tiny, mix = 1e-4, 0.05
k = np.arange(1, 10)
by_means = np.append(knows_nobody(mix, 0), knows_alike(mix, k))
assert np.allclose(np.array(by_knowledge(mix, 1 / tiny)) / tiny, by_means, rtol=2e-3)
assert np.argmax(by_means) == 5
check("01-dial", (knows_nobody, knows_alike))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Differential privacy bounds what a *strong* attacker learns. With correlated data a weak attacker can
#   learn more (positive correlation) or less (negative correlation), and among ten friends who share little the worst attacker is in the middle.
# - Leakage is a change of log odds, in nats. Of a Laplace release on finite data it is a maximum over the values of the query, so it has a
#   closed form; all four attackers of each of the paper's tables are checked for every $\varepsilon$.
# - The noise that is needed is not the leakage times $1/\varepsilon$; it has to be solved for.
# - The paper's numbers 0.196, 0.004 and its odds are right; its misprints are harmless.
#
# **Further reading.** Kifer and Machanavajjhala {cite:p}`kifer2011free` on why no definition protects
# against everything; the SIGMOD paper {cite:p}`yang2015correlated`; a later account of prior knowledge and the sign of the correlation {cite:p}`li2019impact`. **Next:**
# [a definition that covers every attacker](02-bayesian-differential-privacy.ipynb).
