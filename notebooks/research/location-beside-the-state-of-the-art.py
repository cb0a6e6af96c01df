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
# # Is the best release the best, and what do others have?
#
# [Notebook 5](../location/05-the-idea-done-right.ipynb) called a release "the best" because a solver said so, in floats. How much of that can
# be proved? And how does it look beside what others measure and publish today: the mechanisms of quantitative information flow, reports that each person
# perturbs herself, and the leakage that builds up when a release is repeated every minute? This page runs what can be run, and says of the rest what it is.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** to turn a solver's floats into a proof in fractions; which release is best for two places, without a solver; why a leakage that is an
# average cannot tell the truth from the best release; and how much somebody learns who watches for ever and is told nothing in between.
# **You need** the linear programme of [notebook 5](../location/05-the-idea-done-right.ipynb), and who knows what in [*Who learns what, from which release?*](location-attackers-and-mechanisms.ipynb).
# **Time:** 22 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attackers** know the transition matrix and the mechanism. In the first three sections they belong to the class NPK (they know where
# everybody was a minute ago) and see one release; in the fourth they see the releases of all minutes, and know at most where all *others* are.
# **Protected:** where a person is at one minute. **Not protected:** her path as a whole. **Not considered:** an attacker with another matrix.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from fractions import Fraction
from functools import reduce
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import stats

from privlib.location import mechanism
from privlib.notebook import claim, derivation, plots, table
from privlib.research.location_certificate import certified_mechanism

plots.use()
rng = np.random.default_rng(20)
tenths = [[6, 3, 1], [2, 6, 2], [1, 3, 6]]
P = [[Fraction(n, 10) for n in row] for row in tenths]
town = np.array(tenths) / 10
crowd = [3, 3, 3]

# %% [markdown]
# ## A proof in fractions
#
# A solver of linear programmes works in floats. What it returns may break a constraint by a little, and so may cost a little less than any channel that
# keeps the promise: an "optimum" below the true one. But no float has to be trusted. Write the promise as rows, $\sum_x a_{kx} Q(o \mid x) \le 0$ for each output
# $o$, and let $\ell$ be the loss.
#
# ````{prf:proposition} Two bounds that are true whatever the solver says
# :label: thm-lo-09-bounds
# Let the entries of each row add up to less than 0. For all numbers $\lambda_{ko} \ge 0$ the least loss is at least
#
# $$ \sum_x \min_o \Bigl( p(x)\, \ell(x, o) + \sum_k \lambda_{ko} a_{kx} \Bigr) , $$
#
# and for all channels $Q$ it is at most
#
# $$ \sum_{x, o} p(x)\, \ell(x, o)\, \frac{Q(o \mid x) + w_o}{1 + \sum_{o'} w_{o'}} , $$
#
# where $w_o$ is the largest of $0$ and all $\sum_x a_{kx} Q(o \mid x) \big/ \bigl( -\sum_x a_{kx} \bigr)$.
# ````
#
# *Proof.* First: let $Q'$ keep the promise. To its loss add $\sum_{k,o} \lambda_{ko} \sum_x a_{kx} Q'(o \mid x)$, which is not positive: what comes out is a sum of
# $Q'(o \mid x)$ times the bracket, and for each $x$ the weights $Q'(\cdot \mid x)$ add up to 1. Second: to put out $o$ more often by the same $w_o$, whatever the truth
# is, lowers the sum of row $k$ by $w_o \lvert \sum_x a_{kx} \rvert$, which is enough to make it 0 or less. So the channel in the sum keeps the promise, and has some loss that the least one cannot
# exceed. $\square$
#
# The rows of all three promises qualify: the chances of a histogram add up to 1, so the entries of a row add up to $1 - E$ or $1/E - 1$, with $E = e^\varepsilon > 1$. The solver's
# floats, rounded to fractions, are only used to make the two sides meet. Since $e$ is no fraction, the lower bound is taken at a fraction
# just above it and the channel at one just below.

# %%
above, below = (Fraction(math.nextafter(math.e, to)) for to in (3, 2))
_, least, _ = certified_mechanism(crowd, P, bound=above, promise="one-sided")
best, _, _ = certified_mechanism(crowd, P, bound=below, promise="one-sided")
print(f"{float(least):.9f} <= least loss <= {float(best.loss):.9f}")
print("largest gain at most e:", best.gain <= below)
print("the two are nearer than 1e-10:", best.loss - least < Fraction(1, 10**10))


# %% [markdown]
# Both numbers are fractions (with hundreds of digits), and the channel keeps its promise without a tolerance. The same for the other promises:

# %% jupyter={"source_hidden": true} tags=["evidence"]
def proved(before, matrix, promise, low=above, high=below):
    """Two fractions that the least loss lies between, with the channel."""
    lower = certified_mechanism(before, matrix, bound=low, promise=promise)[1]
    found = certified_mechanism(before, matrix, bound=high, promise=promise)[0]
    return lower, found


PROMISES = ["one-sided", "two-sided", "event-level"]
sure = {name: proved(crowd, P, name) for name in PROMISES[1:]}
sure = {"one-sided": (least, best)} | sure
floats = {
    "one-sided": mechanism.optimal_mechanism(crowd, town, epsilon=1),
    "two-sided": mechanism.optimal_mechanism(crowd, town, epsilon=1, two_sided=True),
    "event-level": mechanism.event_level_mechanism(crowd, town, epsilon=1),
}
near = 1e-10
solver = [floats[name].loss for name in PROMISES]
proven = [(float(low), float(found.loss)) for low, found in sure.values()]
table(
    {"promise": PROMISES, "solver": solver,
     "not less than": [a for a, _ in proven],
     "not more than": [b for _, b in proven]},
    formats={"solver": ".9f", "not less than": ".9f", "not more than": ".9f"},
    caption="Least expected error, in people in the wrong place: nine people, three "
    "in each of three places, ε = 1. Each pair of bounds is proved in fractions, and "
    "nearer to each other than 1e-10.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
# Three people by name: 27 ways to move, no function of the package.
moves = list(product(range(3), repeat=3))
weight = [math.prod(P[i][j] for i, j in enumerate(way)) for way in moves]
seen = [tuple(way.count(j) for j in range(3)) for way in moves]
all_three = sorted(set(seen))
law = {x: sum(w for w, s in zip(weight, seen) if s == x) for x in all_three}
reach = {  # chance of x, given that the person from i is at j
    (i, j, x): sum(w for w, s, way in zip(weight, seen, moves)
                   if s == x and way[i] == j) / P[i][j]
    for i, j, x in product(range(3), range(3), all_three)
}  # fmt: skip


def off(x, o):
    return sum(abs(a - b) for a, b in zip(x, o))


E3 = Fraction(5, 2)
found, lower, free = certified_mechanism([1, 1, 1], P, bound=E3, promise="one-sided")
Q = dict(zip(all_three, found.channel))
pairs = list(product(range(3), range(3)))
by_hand = sum(
    law[x] * Q[x][k] * off(x, o) for x in all_three for k, o in enumerate(all_three)
)
sums = [
    sum(Q[x][k] * (reach[i, j, x] - E3 * law[x]) for x in all_three)
    for i, j in pairs for k in range(10)
]  # fmt: skip
dual = sum(
    min(law[x] * off(x, o) + sum(
        free[n][k] * (reach[i, j, x] - E3 * law[x]) for n, (i, j) in enumerate(pairs))
        for k, o in enumerate(all_three))
    for x in all_three
)  # fmt: skip
totals = [sum(Q[x]) for x in all_three]
gaps = [found.loss - low for low, found in sure.values()]
with claim("M-B22") as c:
    label = "three people, E = 5/2, by name: loss of the channel"
    c.decisive("one example").exact(found.loss, by_hand, label)
    c.exact(totals, [Fraction(1)] * 10, "its rows")
    label = "sums of all rows of the promise, for all outputs"
    c.decisive("one example").at_most(sums, [0] * 90, label)
    label = "the multipliers' bound, by name"
    c.decisive("one example").exact(lower, dual, label)
    c.at_most([0] * 90, free.ravel(), "multipliers are not negative")
    both, step = (
        dict(zip(
            all_three,
            certified_mechanism([1, 1, 1], P, bound=E3, promise=name)[0].channel,
        ))
        for name in ("two-sided", "event-level")
    )  # fmt: skip
    up, down = (
        [
            sum(both[x][k] * sign * (reach[i, j, x] - f * law[x]) for x in all_three)
            for i, j in pairs for k in range(10)
        ]
        for sign, f in ((1, E3), (-1, 1 / E3))
    )  # fmt: skip
    label = "two-sided: the sums of both kinds"
    c.decisive("one example").at_most([*up, *down], [0] * 180, label)
    moved = [(x, y) for x, y in product(all_three, repeat=2) if off(x, y) == 2]
    apart = [step[x][k] - E3 * step[y][k] for x, y in moved for k in range(10)]
    label = "event-level: all pairs of histograms that one person tells apart"
    c.decisive("one example").at_most(apart, [0] * len(apart), label)
    label = "nine people, ε = 1, three promises: distance of the bounds"
    c.decisive("one example").at_most(gaps, [Fraction(1, 10**10)] * 3, label)
    c.close([float(found.loss) for _, found in sure.values()], solver,
            "and the solver's losses", rtol=0, atol=1e-10)  # fmt: skip
assert min(gaps) > 0 and found.loss > lower
assert all(found.gain <= below for _, found in sure.values())


# %% [markdown]
# Here the solver was right, to ten places. It need not have been: a solver's losses have no sign that says on which side of the optimum they lie.
#
# One level proves nothing of the others. [Notebook 5](../location/05-the-idea-done-right.ipynb) draws a curve over nine levels, from 0.1 to 2.3, for these nine people. Its one-sided and two-sided
# points are all proved below, each to within 1e-10; of the event-level points only three, $\varepsilon = \frac14$, 1 and 2, and those to within 1e-6. So are two of its towns of two places,
# with two and four people in each, who stay with probability 0.9, under all three promises at $\varepsilon = 1$. Its other least losses, where no argument there gives them, still rest on the solver.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def near_e(level):
    """Two fractions that e to the level lies between."""
    return [Fraction(math.nextafter(math.exp(level), to)) for to in (99, 0)]


def by_solver(before, matrix, name, level):
    if name == "event-level":
        return mechanism.event_level_mechanism(before, matrix, epsilon=level).loss
    two = name == "two-sided"
    return mechanism.optimal_mechanism(
        before, matrix, epsilon=level, two_sided=two).loss  # fmt: skip


curve_levels = [0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.3]
points = [(crowd, P, name, level, 1e-10)
          for name, level in product(PROMISES[:2], curve_levels)]
points += [(crowd, P, "event-level", level, 1e-6) for level in (0.25, 2.0)]
stays = [[Fraction(9, 10), Fraction(1, 10)], [Fraction(1, 10), Fraction(9, 10)]]
points += [([each] * 2, stays, name, 1.0, 1e-10)
           for each, name in product((2, 4), PROMISES)]
for before, matrix, name, level, within in points:
    low, channel = proved(before, matrix, name, *near_e(level))
    assert 0 <= channel.loss - low < within
    found = by_solver(before, np.array(matrix, dtype=float), name, level)
    assert low - Fraction(1, 10**10) <= found <= channel.loss + Fraction(1, 10**10)
assert len(points) == 26

# %% [markdown]
# libqif
# {cite:p}`libqif`, the library of quantitative information flow, poses the event-level programme as one of *d-privacy*, with the distance "people who moved", and
# solves it with a solver of its own. Its losses for three, six and nine people in this town are the same, up to rounding; they stand on the page of [outside checks](../../book/outside.md).
#
# ## Two places need no solver
#
# For one person in two places the event-level optimum can be had by hand. Let $p$ and $q = 1 - p$ be the chances of the two places and $u$, $v$ those of some output, if she is in the
# first or in the second. Both $u \le E v$ and $v \le E u$ must hold. Exactly then there are weights $s, t \ge 0$ with
#
# $$ u = sE + t, \qquad v = s + tE , $$
#
# and over all outputs they add up to $1/(1+E)$ each, as the $u$ and the $v$ add up to 1. Guess the likelier place: the output contributes the smaller of $pu$ and $qv$ to the chance of an error. Suppose that neither place is
# so likely that one would always guess it, $pE = q + a$ and $qE = p + b$ with $a, b \ge 0$. Then

# %% jupyter={"source_hidden": true} tags=["evidence"]
p, q, s, t, E = sp.symbols("p q s t E", positive=True)
a, b = sp.symbols("a b", nonnegative=True)
first = (
    derivation(p * (s * (q + a) / p + t), of="p u")
    .equal(s * q + s * a + t * p, "$pE = q + a$")
    .at_least(s * q + t * p, "$a \\ge 0$", by="coefficients")
)
first

# %% jupyter={"source_hidden": true} tags=["evidence"]
second = (
    derivation(q * (s + t * (p + b) / q), of="q v")
    .equal(s * q + t * p + t * b, "$qE = p + b$")
    .at_least(s * q + t * p, "$b \\ge 0$", by="coefficients")
)
second

# %% [markdown]
# so whichever is smaller is at least $sq + tp$, and over all outputs

# %% jupyter={"source_hidden": true} tags=["evidence"]
share = 1 / (1 + E)
whole = (
    derivation(share * (1 - p) + share * p, of=r"\Pr(\text{error}) \ge \sum(sq + tp)")
    .equal(share, "both weights add up to $1/(1+E)$, and $p + q = 1$")
)  # fmt: skip
whole


# %% [markdown]
# Randomised response {cite:p}`warner1965randomized`, the truth with the odds $E$, errs with this chance, so it is best. If one place is likelier than $E/(1+E)$, no output changes the guess. An error puts one person
# into a wrong place and is missing in the right one; so the least loss is $2 \min\bigl(p,\ q,\ 1/(1+E)\bigr)$.
#
# For $n$ people in two places the histogram is one count, and event-level privacy is differential privacy of a count. There Ghosh, Roughgarden and Sundararajan {cite:p}`ghosh2012universally` proved what
# [the page on the best noise](laplace-which-noise-is-best.ipynb) tells: for all weights one of the best mechanisms is geometric noise, cut off at 0 and $n$, then read in the best way. So the programme is not needed.

# %%
def by_geometric_noise(before, matrix, E):
    """Loss of geometric noise on the count in place 1, read in the best way."""
    law, n = mechanism.output_distribution(before, matrix), sum(before)
    far = np.array([[abs(x - o) for o in range(n + 1)] for x in range(n + 1)], object)
    noise = np.array([[(E - 1) / (E + 1) / E**d for d in row] for row in far])
    noise[:, [0, n]] *= E / (E - 1)  # all that falls outside
    return (2 * far.T @ (law[:, None] * noise)).min(axis=0).sum()


# %% jupyter={"source_hidden": true} tags=["evidence"]
def rows(*chances):
    return [[Fraction(n, 10), 1 - Fraction(n, 10)] for n in chances]


ratios = [Fraction(5, 4), Fraction(2), Fraction(7, 2)]
lone, alone = [], []
for chance, ratio in product(range(1, 10), ratios):
    p1 = Fraction(chance, 10)
    lone.append(2 * min(p1, 1 - p1, 1 / (1 + ratio)))
    found, low, _ = certified_mechanism(
        [1, 0], rows(chance, 5), bound=ratio, promise="event-level")  # fmt: skip
    alone.append((low, found.loss))
low, high = np.array(alone).T
cases, formula, lows, highs = [], [], [], []
for crowd2, matrix, ratio in product(
    ([1, 1], [2, 1], [3, 3], [0, 5]), (rows(7, 4), rows(9, 1), rows(2, 6)), ratios
):
    found, bound, _ = certified_mechanism(
        crowd2, matrix, bound=ratio, promise="event-level")  # fmt: skip
    cases.append((crowd2, ratio))
    formula.append(by_geometric_noise(crowd2, matrix, ratio))
    lows.append(bound)
    highs.append(found.loss)
width = Fraction(1, 10**10)
with claim("M-B23") as c:
    label = "the chance of an error, from the two inequalities"
    start = p * (s * (q + a) / p + t)
    c.decisive().derived(first, start, s * q + t * p, "one is at least this")
    start = q * (s + t * (p + b) / q)
    c.decisive().derived(second, start, s * q + t * p, "so is the other")
    c.decisive().derived(whole, share * (1 - p) + share * p, 1 / (1 + E), label)
    errs = p / (1 + E) + q / (1 + E)  # randomised response, the truth with odds E
    label = "randomised response errs with 1/(1 + E)"
    c.decisive("proved").exact(sp.simplify(errs.subs(q, 1 - p)), 1 / (1 + E), label)
    v = sp.Symbol("v", nonnegative=True)
    ahead = p * (v / E + a) - q * v  # p u - q v, where u = v/E + a and p/E = q + b
    label = "a place likelier than E/(1 + E) is guessed after every output"
    surplus = sp.expand(ahead.subs(p, E * (q + b)))
    kept = E * a * b + E * a * q + b * v
    c.decisive("proved").exact(surplus, kept, label)  # no minus sign: not negative
    label = "nine chances, three bounds: not below the proved lower bound"
    c.at_most(low, lone, label)
    c.at_most(lone, high, "not above the proved channel")
with claim("M-B24") as c:
    label = "36 towns of up to six people: not below the proved lower bound"
    c.decisive("sampled").at_most(lows, formula, label)
    c.decisive("sampled").at_most(formula, highs, "not above the proved channel")
assert len(cases) == 36 and all(isinstance(value, Fraction) for value in formula)
assert max([*np.subtract(high, low), *np.subtract(highs, lows)]) < width
shown = by_geometric_noise([3, 3], rows(7, 4), Fraction(2))
six = float(shown)

# %% [markdown]
# In all 36 towns that were tried, this sum lies between the two proved bounds: for three people in each place who stay with probability 0.7 and 0.6, and $E = 2$, the least error is
# 1.4418<!-- {six:.4f} --> people. For the adversarial promises nothing of the kind can be expected: their constraints contain the law of the histograms.
#
# ## Leakage by another name
#
# Quantitative information flow asks what an attacker *wins* {cite:p}`alvim2012gleakage`. He chooses a guess $w$ and wins $g(w, j) \ge 0$ if the person is at $j$. Before the release he expects
# $V = \max_w \sum_j P_{ij}\, g(w, j)$, after it $V' = \sum_o \max_w \sum_j P_{ij} D_j(o)\, g(w, j)$, where $D_j(o)$ is the chance of the output $o$ if she is at $j$. The *g-leakage* is $V'/V$: how many times
# more he wins. Guessing the place, or coming near, or one of two places: all are some $g$.
#
# Adversarial privacy bounds them all. Let $m$ be the chance of the output. No gain above $E$ says $D_j = E m / (1 + r_j)$ with some $r_j \ge 0$; so for each guess $w$, here written for two places,

# %% jupyter={"source_hidden": true} tags=["evidence"]
m, P1, P2 = sp.symbols("m P_1 P_2", positive=True)
r1, r2, g1, g2 = sp.symbols("r_1 r_2 g_1 g_2", nonnegative=True)
won = E * m / (1 + r1) * P1 * g1 + E * m / (1 + r2) * P2 * g2
leaked = derivation(won, of=r"\sum_j P_j D_j(o)\, g(w, j)").at_most(
    E * m * (P1 * g1 + P2 * g2), "$r_j \\ge 0$", by="coefficients"
)
leaked

# %% [markdown]
# and that is at most $E m V$. The $m$ of all outputs add up to 1: $V' \le E V$. The largest leakage, over all $g$ at once, is that of $g(w, j) = 1/P_{ij}$ for $w = j$ and 0 otherwise, and equals $\sum_o \max_j D_j(o)$,
# the *multiplicative capacity* {cite:p}`alvim2014additive`; there $V = 1$.
#
# So far the two languages agree. Now put releases side by side. Beside those of notebook 5 stand two that need no curator. In the first each person reports her place by randomised response with three answers, the truth with the odds $e$
# against each other place; the histogram of reports is read in the best way.

# %%
law9 = mechanism.output_distribution(crowd, town)
inputs = mechanism.histograms(9, 3)
response = np.where(np.eye(3) > 0, math.e, 1) / (math.e + 2)
reported = np.array([mechanism.output_distribution(x, response) for x in inputs])
releases = {"truth": np.eye(55)}
releases |= {name: floats[name].channel for name in PROMISES}
releases |= {"reports of their own": reported, "forecast": np.ones((55, 1))}

# %% [markdown]
# The second asks less and reads more: each person answers by randomised response, again with the odds $e$, only *whether she is still where she was*, and the answers are counted apart for each place of origin. Of three people of whom $s$ stayed,
# `says[s]` has the chances that 0 to 3 say so.

# %%
odds = math.e / (1 + math.e)
says = [
    np.convolve(stats.binom.pmf(range(s + 1), s, odds),
                stats.binom.pmf(range(4 - s), 3 - s, 1 - odds)) for s in range(4)
]
number = {tuple(x): k for k, x in enumerate(inputs.tolist())}
answered = np.zeros((55, 64))  # histogram, and three counts of who says so
for trios in product(mechanism.histograms(3, 3), repeat=3):
    moved = zip(trios, town)
    chance = math.prod(stats.multinomial.pmf(x, 3, row) for x, row in moved)
    counts = reduce(np.kron, [says[x[i]] for i, x in enumerate(trios)])
    answered[number[tuple(sum(trios))]] += chance * counts

# %% [markdown]
# Two things have changed here, what is asked and how it is counted. So a third row has the three answers of the first release counted by origin, too.

# %% jupyter={"source_hidden": true} tags=["evidence"]
away = np.abs(inputs[:, None] - inputs).sum(axis=2)


def judged(Q):
    """Loss of the best reading; largest gain; capacity, about somebody from i."""
    gains = mechanism.mechanism_gain(crowd, town, channel=Q)
    capacity = np.einsum("o,oi->i", law9 @ Q, gains.max(axis=2))
    error = (away.T @ (law9[:, None] * Q)).min(axis=0).sum()
    return float(error), float(gains.max()), float(capacity.max())


def asked(stay):
    """Largest gain, and capacity, about one of three who stay with this chance."""
    two = sum(stats.binom.pmf(k, 2, stay) * np.convolve(
        stats.binom.pmf(range(k + 1), k, odds),
        stats.binom.pmf(range(3 - k), 2 - k, 1 - odds)) for k in range(3))
    here, gone = (np.convolve([1 - p_, p_], two) for p_ in (odds, 1 - odds))
    most = np.maximum(here, gone)
    return (most / (stay * here + (1 - stay) * gone)).max(), most.sum()


three = mechanism.histograms(3, 3)
threes = np.array([mechanism.output_distribution(x, response) for x in three])
ends = [number[tuple(sum(x).tolist())] for x in product(three, repeat=3)]


def joined(parts):
    """Histogram of all nine against the reports, from one matrix for each origin."""
    whole = reduce(np.kron, parts)
    found = np.zeros((55, whole.shape[1]))
    np.add.at(found, ends, whole)
    return found


alike = 3 * np.eye(3, dtype=int)  # three people from one place
apart = joined([mechanism.output_distribution(x, town)[:, None] * threes for x in alike])
own_gains = [mechanism.mechanism_gain(x, town, channel=threes)[:, i]
             for i, x in enumerate(alike)]  # fmt: skip
own_capacity = [mechanism.output_distribution(x, town) @ threes @ own_gains[i].max(axis=1)
                for i, x in enumerate(alike)]  # fmt: skip

known = {name: judged(Q) for name, Q in releases.items()}
read, by_place = (float((away.T @ Q).min(axis=0).sum()) for Q in (answered, apart))
known["reports, by origin"] = (
    by_place, float(np.max(own_gains)), float(max(own_capacity)))
known["whether they stayed"] = (
    read, *(float(v) for v in np.max([asked(c) for c in town.diagonal()], axis=0)))
known["forecast"] = known.pop("forecast")  # the last row
error, gain, capacity = zip(*known.values())
table(
    {"release": list(known), "error": error, "largest gain": gain,
     "capacity": capacity},
    formats={"error": ".3f", "largest gain": ".3f", "capacity": ".3f"},
    caption="Nine people in the town, ε = 1 where a level is set. Error: people in "
    "the wrong place, on average, by the best reading. Largest gain: posterior over "
    "prior, worst output and guess. Capacity: largest g-leakage of a person's place.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
# Who was at place i and is at j, by name: 3^8 moves of the others for six guesses.
homes = np.repeat(range(3), 3)
everybody = np.indices((3,) * 9).reshape(9, -1).T
chances = town[homes, everybody].prod(axis=1)
arrived = (everybody[:, :, None] == np.arange(3)).sum(axis=1)
truth = np.array([number[tuple(x)] for x in arrived.tolist()])
D = {}  # chance of the true histogram, given that the first person from i is at j
for i, j in product(range(3), range(3)):
    there = everybody[:, 3 * i] == j
    D[i, j] = np.bincount(truth[there], chances[there], 55) / town[i, j]


def leakage(Q, i, wins):
    """How many times more somebody wins who was told the output."""
    prior = (wins * town[i]).sum(axis=1).max()
    joint = np.array([town[i, j] * D[i, j] @ Q for j in range(3)])
    return (wins @ joint).max(axis=0).sum() / prior


channel = releases["one-sided"]
won_more = [
    leakage(channel, i, rng.gamma(0.3, size=(4, 3)))
    for i in range(3)
    for _ in range(40)
]
own = {
    name: max(leakage(Q, i, np.diag(1 / town[i])) for i in range(3))
    for name, Q in releases.items()
}
part = own["one-sided"] / own["truth"]
with claim("M-B25") as c:
    label = "what is won from one output, from the bound on gains"
    c.decisive().derived(leaked, won, E * m * (P1 * g1 + P2 * g2), label)
    label = "nine people by name, one-sided, ε = 1: 120 random ways of winning"
    c.at_most(won_more, [math.e] * 120, label)
with claim("M-B26") as c:
    told = list(own.values())
    label = "capacity of six releases: by name, winning 1/P_ij, and by the gains"
    c.decisive("one example").close(told, [known[k][2] for k in own], label, rtol=1e-6)
    label = "the truth's, and the best one-sided release's share of it"
    c.decisive("one example").at_most([own["truth"], 0.98], [1.6, part], label)
    c.close(part, capacity[1] / capacity[0], "the share again, by gains", rtol=1e-6)
    label = "their largest gains, and that of the two-sided one"
    c.decisive("one example").close(gain[:3], [10, math.e, math.e], label, rtol=1e-6)
ratio = (reported[:, None] / reported)[away == 2].max()
assert math.isclose(ratio, math.e, rel_tol=1e-9)  # one report, one person: ε = 1
in_order = ("event-level", "whether they stayed", "reports, by origin",
            "reports of their own", "forecast")  # fmt: skip
assert [known[k][0] for k in in_order] == sorted(known[k][0] for k in in_order)

# The same by name: everybody's move, everybody's answer, one person at a time.
stayed = everybody == homes
yes = np.where(stayed, odds, 1 - odds)
heard = np.ones((len(everybody), 1))
for i in range(3):
    counts = np.ones((len(everybody), 1))
    for k in range(3 * i, 3 * i + 3):  # one more says so, or does not
        more_, as_many = (np.pad(counts, ((0, 0), side)) for side in ((1, 0), (0, 1)))
        counts = more_ * yes[:, [k]] + as_many * (1 - yes[:, [k]])
    heard = (heard[:, :, None] * counts[:, None]).reshape(len(everybody), -1)
by_name = np.zeros((55, 64))
np.add.at(by_name, truth, chances[:, None] * heard)
assert np.allclose(by_name, answered, rtol=0, atol=1e-14)
told_apart = []  # about the first person from each place: gains, and capacity
for i in range(3):
    likely = np.array([
        chances[everybody[:, 3 * i] == j] @ heard[everybody[:, 3 * i] == j]
        / town[i, j] for j in range(3)
    ])  # fmt: skip
    told_apart.append([(likely.max(axis=0) / (town[i] @ likely)).max(),
                       likely.max(axis=0).sum()])
assert np.allclose(np.max(told_apart, axis=0), known["whether they stayed"][1:])
assert math.isclose(odds / (1 - odds), math.e)  # one answer, one person: ε = 1
heard_at = by_name / law9[:, None]  # as a release from the histogram alone
stay_ratio = (heard_at[:, None] / heard_at)[away == 2].max()
assert stay_ratio > 1.5 * math.e
shown_stay_ratio = float(stay_ratio)

# The reports by name: all moves and all reports of the three from one place.
spot = {tuple(x): k for k, x in enumerate(three.tolist())}
all_27 = product(range(3), repeat=3)
ways = [(way, spot[tuple(map(way.count, range(3)))]) for way in all_27]
parts = np.zeros((3, 10, 10))
for i, (way, x), (said, o) in product(range(3), ways, ways):
    both = zip(way, said)
    parts[i, x, o] += math.prod(town[i, j] * response[j, k] for j, k in both)
named = joined(parts)
pooled = np.zeros((55, 55))
np.add.at(pooled.T, ends, named.T)
named_at = named / named.sum(axis=1)[:, None]
named_ratio = (named_at[:, None] / named_at)[away == 2].max()
for i, gains in enumerate(own_gains):  # about the first of the three
    likely = np.zeros((3, 10))
    for j, (said, o) in product(range(3), ways):
        others = math.prod((town[i] @ response)[k] for k in said[1:])
        likely[j, o] += response[j, said[0]] * others
    assert np.allclose(likely / (town[i] @ likely), gains.T)
    assert math.isclose(likely.max(axis=0).sum(), own_capacity[i])
read_at = apart / law9[:, None]
place_ratio = (read_at[:, None] / read_at)[away == 2].max()
local = ("reports of their own", "reports, by origin", "whether they stayed")
with claim("M-B29") as c:
    errors = [float((away.T @ Q).min(axis=0).sum()) for Q in (pooled, named, by_name)]
    label = "errors of the three, by name: all moves, all answers"
    c.decisive("one example").close([known[k][0] for k in local], errors, label)
    label = "printed digits of the errors, with the curator's and the forecast's"
    told = [known[k][0] for k in (*local, "event-level", "forecast")]
    shown = [2.816, 2.801, 2.764, 2.221, 3.085]
    c.decisive("one example").close(told, shown, label, rtol=0, atol=5e-4)
    label = "the best curator, between the proved bounds"
    bounds = [float(sure["event-level"][0]), float(sure["event-level"][1].loss)]
    c.close(known["event-level"][0], bounds, label, rtol=1e-8)
    label = "by origin: reports of the place, by name, printed digits"
    factors = [place_ratio, named_ratio]
    c.decisive("one example").close(factors, 4.77, label, rtol=0, atol=5e-3)
    label = "by origin: whether they stayed, by name, printed digits"
    c.decisive("one example").close(stay_ratio, 4.94, label, rtol=0, atol=5e-3)
gained = {name: known["forecast"][0] - known[name][0] for name in in_order[:4]}
kept = {name: gained[name] / gained["event-level"] for name in in_order[1:4]}
assert known["whether they stayed"][1] < math.e
by_grouping, by_question = -np.diff([known[name][0] for name in local])
shown_place_ratio = float(place_ratio)
place_error = round(known["reports, by origin"][0], 6)
place_kept = round(kept["reports, by origin"], 6)
shown_by_grouping = float(by_grouping)
shown_by_question = float(by_question)
stay_error = round(known["whether they stayed"][0], 6)
own_kept = round(kept["reports of their own"], 6)
stay_kept = round(kept["whether they stayed"], 6)
truth_capacity = float(own["truth"])
best_capacity = float(own["one-sided"])
own_error = round(known["reports of their own"][0], 6)
event_error = round(known["event-level"][0], 6)
best_error = round(known["one-sided"][0], 6)
nothing = round(known["forecast"][0], 6)


# %% [markdown]
# Two things to read in it.
#
# 1. **An average does not see the promise.** The truth lets somebody win 1.596<!-- {truth_capacity:.3f} --> times as much, the best one-sided release 1.577<!-- {best_capacity:.3f} -->
#    times: hardly a difference, and both are far below $e$. Yet the largest gain of the truth is 10. What the definition forbids is rare, so an expectation over outputs hardly notices it. The worst case over outputs is
#    called *pointwise maximal leakage* {cite:p}`saeidian2023pointwise`, and that is what the paper's definition bounds. Ask of a number that is called leakage whether it is an average.
# 2. **Without a curator, the local mechanisms of the table lose most.** Reports of their own keep the event-level promise with the same $\varepsilon$ and err by 2.816<!-- {own_error:.3f} --> people; the question whether they stayed keeps it for everybody's own move, and errs by
#    2.764<!-- {stay_error:.3f} -->. Not all of the difference is the question: counted by origin, as the answers to it are, the reports err by 2.801<!-- {place_error:.3f} -->, which is 0.015<!-- {shown_by_grouping:.3f} --> less than together, and the question by 0.037<!-- {shown_by_question:.3f} --> less than that. (An error of 2 is one person in the wrong place: she is missing in one and too many in another.)
#    (What is counted by origin keeps the promise for a person's own move. As a release from the histogram alone it would not: between two histograms that one person tells apart the chances differ by a factor of up to 4.8<!-- {shown_place_ratio:.1f} --> for the reports and 4.9<!-- {shown_stay_ratio:.1f} --> for the question.)
#    The best curator with that promise who reads the histogram alone errs by 2.22<!-- {event_error:.2f} -->, the one with the one-sided promise by 0.16<!-- {best_error:.2f} -->, and who publishes the forecast by 3.09<!-- {nothing:.2f} -->.
#    Of what this event-level curator improves on the forecast, the reports keep 31%<!-- {own_kept:.0%} -->, by origin 33%<!-- {place_kept:.0%} -->, and the question 37%<!-- {stay_kept:.0%} -->. These are three mechanisms of many: which local one is best we do not know.
#
# ## Who watches for ever
#
# [*Who learns what, from which release?*](location-attackers-and-mechanisms.ipynb) left a question: what does somebody learn in the long run who sees every release and is *not* told the places in between? For event-level privacy Cao and
# others {cite:p}`cao2017quantifying` bound it. Compare two places of a person now, by how likely they make all releases up to now. Let this ratio be at most $x$ a minute ago. Then before the new release it is at most
#
# $$ \max_{i, k, S} \frac{B_i(S)\,(x - 1) + 1}{B_k(S)\,(x - 1) + 1}, $$
#
# where $B_i(S)$ is the chance to have come from the places in $S$, if she is at $i$ now; and the new release multiplies by $E$ at most. We take $B$ the same in every minute, as for a chain in its stationary law; both towns
# below are reversible, so that $B$ is their matrix. (What others do does not help: given their paths the bound holds, and so it does on average.)

# %%
def watched(came_from, E, minutes):
    """Bound of the ratio of likelihoods of two places now, minute by minute."""
    B = np.array(came_from, dtype=float)
    some = np.array(list(product((0, 1), repeat=len(B))))
    found = [E]
    for _ in range(minutes - 1):
        weight = some @ B.T * (found[-1] - 1) + 1
        found.append(E * (weight[:, :, None] / weight[:, None, :]).max())
    return np.array(found)


# %% [markdown]
# Is the bound reached? For two places and the same $B$ in every minute, yes, by randomised response, if people rather stay. Let $s$ and $r$ be the chances to have come to place 1 from 2, and to place 2 from 1; *rather stay* says $\lambda = 1 - r - s \ge 0$. Then a ratio
# in favour of a place grows out of one in favour of the *same* place a minute ago: from $x = 1 + h$ comes
#
# $$ \frac{1 + (1 - s) h}{1 + r h} \ \text{ for place 1}, \qquad \frac{1 + (1 - r) h}{1 + s h} \ \text{ for place 2}, $$
#
# before the new report multiplies by $E$, for a larger ratio a minute ago gives a larger one now:

# %% jupyter={"source_hidden": true} tags=["evidence"]
d, r, s1, lam, h, more = sp.symbols("d r s lambda h delta", nonnegative=True)
x0 = sp.Symbol("x", positive=True)


def now(ago):
    """Ratio for place 1; 1 - s = λ + r and 1 - r = λ + s, as λ = 1 - r - s."""
    return ((lam + r) * ago + s1) / (r * ago + lam + s1)


under = (r * (x0 + more) + lam + s1) * (r * x0 + lam + s1)
grows = (
    derivation(now(x0 + more) - now(x0), of="")
    .equal(lam * more * (lam + r + s1) / under, "one denominator")
    .at_least(0, "no minus sign", by="coefficients")
)
grows

# %% [markdown]
# Which of the two is larger? With $s = r + d$

# %% jupyter={"source_hidden": true} tags=["evidence"]
s2 = r + d
place1 = (1 + (lam + r) * h) / (1 + r * h)
place2 = (1 + (lam + s2) * h) / (1 + s2 * h)
larger = (
    derivation(place1 - place2, of=r"\text{place 1} - \text{place 2}")
    .equal(lam * d * h**2 / ((1 + r * h) * (1 + s2 * h)), "$1 - s = \\lambda + r$")
    .at_least(0, "no minus sign", by="coefficients")
)  # fmt: skip
larger


# %% [markdown]
# the same place has the larger one at every $h$, hence in every minute: somebody whose every report was that place reaches the bound. If people rather change places, the ratio for place 1 comes from that for place 2, and
# the other way round. The largest then alternates between two factors, while the recursion takes the larger one each time.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def outputs(B, E, minutes):
    """Largest ratio by going through all sequences of reports, in fractions."""
    places, likely, found = range(len(B)), {(Fraction(1),) * len(B)}, []
    for _ in range(minutes):
        before = [
            [sum(B[i][k] * v[k] for k in places) for i in places] for v in likely
        ]
        likely = {
            tuple(v[i] * (E if i == o else 1) / v[0] / (E if o == 0 else 1)
                  for i in places) for v in before for o in places
        }  # fmt: skip
        found.append(max(max(v) / min(v) for v in likely))
    return found


staying, restless = rows(7, 4), rows(1, 7)
two = Fraction(2)
stay, rest = outputs(staying, two, 9), outputs(restless, two, 9)
stay_bound, rest_bound = (watched(B, 2.0, 9) for B in (staying, restless))
by_exchange = [rows(n, 10 - k) for n, k in product((5, 7, 9), (5, 8))]
reached = [[float(v) for v in outputs(B, two, 6)] for B in by_exchange]
bounds = [watched(B, 2.0, 6).tolist() for B in by_exchange]
three = [float(v) for v in outputs(P, two, 7)]
three_bound = watched(P, 2.0, 7)
with claim("M-B27") as c:
    label = "people rather stay: a larger ratio before gives a larger one now"
    c.decisive().derived(grows, now(x0 + more) - now(x0), 0, label)
    label = "the place that is larger once is so always"
    c.decisive().derived(larger, place1 - place2, 0, label)
    label = "E = 2, all reports of nine minutes, staying 0.7 and 0.6"
    c.close([float(v) for v in stay], stay_bound, label, rtol=1e-12)
    label = "E = 2, all reports of six minutes, six other matrices"
    c.close(reached, bounds, label, rtol=1e-12)
reports = np.array([float(v) for v in rest])
gap, gap3 = rest_bound - reports, three_bound - np.array(three)


def along(B, answers):
    """Largest ratio after each of these reports, E = 2."""
    v, ratios = np.ones(len(B)), []
    for o in answers:
        v = np.array(B, dtype=float) @ v
        v[o] *= 2
        ratios.append(v.max() / v.min())
    return np.array(ratios)


def again(q, d, minutes):
    """The same factor (q h + 1) / (d h + 1) every minute, E = 2."""
    ratios = [2.0]
    for _ in range(minutes - 1):
        ratios.append(2 * (q * (ratios[-1] - 1) + 1) / (d * (ratios[-1] - 1) + 1))
    return np.array(ratios)


in_turns = np.maximum(*(along(restless, [k % 2, 1 - k % 2] * 5)[:9] for k in (0, 1)))
hand, hand3 = again(0.7, 0.1, 9) - in_turns, again(0.6, 0.1, 7) - along(P, [0] * 7)
with claim("M-B28") as c:
    label = "staying 0.1 and 0.3: bound less all reports, less reports in turns"
    c.decisive("one example").close(gap, hand, label, rtol=1e-9, atol=1e-12)
    label = "three places: bound less all reports, less the report 1 always"
    c.decisive("one example").close(gap3, hand3, label, rtol=1e-9, atol=1e-12)
    label = "both are positive from the third minute to the last, at least"
    c.decisive("one example").at_most(0.03, [*gap[2:], *gap3[2:]], label)
shown_rest = round(math.log(reports[-1]), 6)
shown_rest_bound = round(math.log(rest_bound[-1]), 6)
shown_three = round(math.log(three[-1]), 6)
shown_three_bound = round(math.log(three_bound[-1]), 6)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What all releases up to now tell about where one person is now, as the logarithm of the largest ratio of likelihoods. Left, two places, people stay with probability 0.7 and 0.6, every release event-level private with \u03b5 a minute; it levels off (dashed), where adding up \u03b5 (dotted) does not. Right, people who stay with 0.1 and 0.3 only, \u03b5 = log 2. The bound of Cao and others (open circles) is above what randomised response tells (dots) in the third to the ninth minute.", "name": "fig-watched"}, "image": {"alt": "Left panel, three curves that rise for a few minutes and then stay level, at about 0.36, 0.71 and 1.39; dotted straight lines leave the picture. Right panel, two curves that begin together and part at the third minute; after nine minutes the upper is near 1.8, the lower near 1.6."}} tags=["figure"]
minutes = np.arange(1, 11)
fig, (left, right) = plots.panels(1, 2, height=3.2, width=7.4)
colours = ["C0", "C1", "C2"]
ends = []
for colour, e in zip(colours, (0.25, 0.5, 1.0)):
    curve = np.log(watched(staying, math.exp(e), 400))
    ends.append(curve[-1])
    left.plot(minutes, curve[:10], "o-", color=colour, ms=3)
    left.text(10, curve[-1] + 0.05, f"ε = {e}", ha="right", fontsize=8)
    left.axhline(curve[-1], color=colour, ls="--", lw=0.8)
    left.plot(minutes, e * minutes, ":", color=colour, lw=1)
left.set(xlabel="minutes", ylabel="log ratio", ylim=(0, 3), title="rather stay")
nine = minutes[:9]
hollow = {"mfc": "none", "color": colours[1], "label": "bound"}
right.plot(nine, np.log(rest_bound), "o--", **hollow)
right.plot(nine, np.log(reports), "o-", color=colours[0], ms=4, label="all reports")
right.set(xlabel="minutes", ylabel="log ratio", ylim=(0, 3), title="rather change")
right.legend(fontsize=8, loc="upper left")
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert np.allclose(ends, [0.36, 0.71, 1.39], atol=0.01)
assert math.isclose(math.log(rest_bound[-1]), 1.8, abs_tol=0.06)
assert math.isclose(math.log(rest[-1]), 1.6, abs_tol=0.03)

# %% [markdown]
# For the restless town the bound is 1.782<!-- {shown_rest_bound:.3f} --> after nine minutes where all sequences of reports tell at most 1.583<!-- {shown_rest:.3f} -->; in the town of three places, where it is a
# bound as well, 1.525<!-- {shown_three_bound:.3f} --> and 1.462<!-- {shown_three:.3f} --> after seven.
#
# If every entry of $B$ is positive the recursion has a limit, so that for a *place at one minute* the leakage of event-level releases stays bounded however long they go on. (With zeros the recursion may grow without end although the
# leakage does not; where people never move, the leakage itself does.) Releases of later minutes tell about now too, by the same recursion run backwards in time. Which level
# keeps the sum of both at 1 for ever? {ref}`An exercise <ex-lo-09-forever>` finds $\varepsilon =$ 0.541<!-- {shown_forever:.3f} --> a minute for the town on the left, where
# adding up over the 1,440 minutes of a day allows 0.00069<!-- {per_minute:.5f} -->. For six people that is an error of 1.56<!-- {error_forever:.2f} --> instead of 1.83<!-- {error_minute:.2f} --> people a release. It is a promise about
# each minute by itself; what a whole path is worth to somebody still adds up.
#
# ## Since then
#
# *Coupling.* Kawamoto and Murakami {cite:p}`kawamoto2019coupling` hide not the place but the *law* that it was drawn from (here: where somebody came from), on average over the draw; then noise in proportion to the earth
# mover's distance of the two laws is enough, where a worst-case promise goes by the largest displacement. For places one step apart in a row, the laws of who came from 1 and from 3 in our town have the earth mover's distance 1.0<!-- {shown_w1:.1f} --> and the largest
# displacement 2<!-- {shown_winf:.0f} -->, the width of the town: half the noise, for a promise that is an average again.
#
# *Aggregates in use.* Haydari and others {cite:p}`haydari2024aggregated` give planar Laplace noise to the ends of each trip before they count, with a level that depends on how dense the place is: reports
# of their own in our table are the simplest of that kind. Google's insights on traffic {cite:p}`bian2024releasing` scale what each person contributes, add Laplace noise centrally, and promise $\varepsilon \approx 2$ for a person and week: a promise for all of somebody's minutes, which
# none on this page is. Guan and others {cite:p}`guan2024zero` find out from aggregates, without other traces to learn from, *whether* somebody is counted, a secret that our attackers know already.
#
# *Correlations.* Correlated-sequence privacy {cite:p}`luo2025correlated` extends leakage over time to several sequences that move together, which the chains of this part do not; sampling by Wasserstein projection
# {cite:p}`takakura2026sampling` publishes one draw from near a private law, near by the earth mover's kind of distance, with differential privacy. Of the works in this section we read abstracts and beginnings only.

# %% jupyter={"source_hidden": true} tags=["evidence"]
w1 = stats.wasserstein_distance(range(3), range(3), town[0], town[2])
grid = (np.arange(10) + 0.5) / 10  # all masses are tenths
from_one, from_three = (np.searchsorted(town[k].cumsum(), grid) for k in (0, 2))
winf = np.abs(from_one - from_three).max()
assert math.isclose(w1, np.abs(from_one - from_three).mean())
shown_w1 = float(w1)
shown_winf = int(winf)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Equal places
# :label: ex-lo-09-equal
# ```
# **Warm-up.** One person is in each of $L$ places with the same chance. What is the least error under event-level privacy with the bound $E$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-09-equal", ...)


# %% [markdown]
# ```{solution-start} ex-lo-09-equal
# :class: dropdown
# ```
# For an output let $D$ be the largest chance among the places. The others are at least $D/E$, so all together are at least $D\,(1 + (L-1)/E)$. Over all outputs the sum of all chances is $L$; so the sum of the largest is at most
# $LE/(E + L - 1)$, and who guesses by it is right with probability at most $E/(E + L - 1)$: that of randomised response. An error costs 2, so the least loss is $2(L-1)/(E+L-1)$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def least_error(L, E):
    return 2 * (L - 1) / (E + L - 1)


for L, ratio in product((2, 3, 4), (Fraction(2), Fraction(7, 2))):
    equal = [[Fraction(1, L)] * L] * L
    found, low, _ = certified_mechanism(
        [1] + [0] * (L - 1), equal, bound=ratio, promise="event-level")  # fmt: skip
    assert low <= least_error(L, ratio) <= found.loss < low + width
check("lo-09-equal", least_error)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A level for ever
# :label: ex-lo-09-forever
# ```
# **Standard.** Two places, people rather stay, and $q$ and $d$ are the chances to have come from the place with the larger ratio, if one is there and if one is in the other. At which $\varepsilon$ a minute
# is the leakage from all past and all future releases together 1? (The chain is as old as the hills: run backwards it has the same matrix.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-09-forever", ...)


# %% [markdown]
# ```{solution-start} ex-lo-09-forever
# :class: dropdown
# ```
# Let $x$ be the limit of the recursion, $x = E\,(q(x-1)+1)/(d(x-1)+1)$. The limit, and the choice of a level by it, are in Cao and others {cite:p}`cao2017quantifying`. Past and future multiply, and both count the release of now, so $x^2/E = e$ is asked. Insert $E$ from the first equation: $x\,(q(x-1)+1) = e\,(d(x-1)+1)$, a quadratic
# equation for $x$, and $\varepsilon = 2 \log x - 1$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def level_for_ever(q, d):
    half = (math.e * d - 1 + q) / (2 * q)
    x = half + math.sqrt(half**2 + math.e * (1 - d) / q)
    return 2 * math.log(x) - 1


forever = level_for_ever(0.6, 0.3)  # place 2 has the larger ratio: s = 0.3 < r = 0.4
limit = math.log(watched(staying, math.exp(forever), 2000)[-1])
assert math.isclose(2 * limit - forever, 1, rel_tol=1e-9)
one_day = [
    float(by_geometric_noise([3, 3], staying, Fraction(math.exp(e))))
    for e in (forever, 1 / 1440)
]
shown_forever = round(forever, 6)
per_minute = round(1 / 1440, 6)
error_forever = round(one_day[0], 6)
error_minute = round(one_day[1], 6)
assert one_day[0] < one_day[1] and 0.3 < forever < 0.7
check("lo-09-forever", level_for_ever)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Restless, in the long run
# :label: ex-lo-09-restless
# ```
# **Research.** To which limit does the exact leakage (the logarithm of the largest ratio) of the restless town go, with $\varepsilon = \log 2$ a minute? And for three places: find the limit of what randomised response with three answers tells.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-09-restless", ...)

# %% [markdown]
# ```{solution-start} ex-lo-09-restless
# :class: dropdown
# ```
# Two places: the largest ratios $x_1$ and $x_2$ for the two places satisfy $x_1 = E\,(B_{12}(x_2-1)+1)/(B_{22}(x_2-1)+1)$ and the same with the places exchanged; going round twice gives one quadratic equation. The larger of the two has the logarithm 1.584<!-- {rest_limit:.3f} -->. The limit of
# the recursion of Cao and others is that of the larger factor alone. Three places: open, as far as we know; the set of ratios that can occur is no longer an interval.

# %% jupyter={"source_hidden": true} tags=["evidence"]
(B11, B12), (B21, B22) = np.array(restless, dtype=float)
x1 = x2 = 2.0
for _ in range(300):
    x1, x2 = (2 * (B12 * (x2 - 1) + 1) / (B22 * (x2 - 1) + 1),
              2 * (B21 * (x1 - 1) + 1) / (B11 * (x1 - 1) + 1))  # fmt: skip
in_the_end = max(outputs(restless, two, 9)[-1], 0)
assert float(in_the_end) < max(x1, x2) < watched(restless, 2.0, 300)[-1] - 0.5
check("lo-09-restless", math.log(max(x1, x2)))
assert math.isclose(float(in_the_end), max(x1, x2), rel_tol=0.03)
rest_limit = round(math.log(max(x1, x2)), 6)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - For nine people, three in each of three places, and $\varepsilon = 1$ the best releases of notebook 5 are the best: the least losses lie in proved intervals of fractions, and the solver's losses agree to ten places. Multipliers prove the lower end and a repaired channel the upper.
#   So are its other one-sided and two-sided points for these people, two more event-level ones, less narrowly, and two of its towns of two places; of the other least losses, those that no argument there gives are the solver's word.
# - For two places and the number of people in the wrong place as loss, geometric noise, read in the best way, is the event-level optimum; for one person it is randomised response, with the loss $2 \min(p, q, 1/(1+E))$.
# - Adversarial privacy bounds every g-leakage of a person's place by $e^\varepsilon$; an averaged leakage does not bound the gains, and hardly tells the truth from the best release.
# - In a chain with positive entries, event-level releases that go on for ever tell a bounded amount about one minute. For two places and a chain in its stationary law the known bound is exact if people rather stay; in the restless town it is too large.
#
# **Further reading.** Quantitative information flow {cite:p}`alvim2012gleakage,alvim2014additive` and its library {cite:p}`libqif`; safe bounds from a solver's floats {cite:p}`neumaier2004safe`; universally optimal noise
# {cite:p}`ghosh2012universally`; leakage over time {cite:p}`cao2017quantifying`. **Back to** [the first page of the part](../location/01-adversarial-privacy.ipynb).
