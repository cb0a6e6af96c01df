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
# # What does adversarial privacy promise?
#
# At a crossing nearly everybody goes straight on. Everybody knows that, so a release that shows it gives
# nothing away. Whoever turns is another matter. Differential privacy (差分プライバシ) hides both alike and
# pays for both with noise. The paper's idea is to say what is generally known, by a Markov process, and to
# limit only what a release adds to it: **adversarial privacy** (アドバーザリアルプライバシ). This notebook takes
# the promise at its word.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what the definition forbids and what it allows, who the three attackers are, what each
# of them really gains from a histogram, and why, for whole histograms, knowing less never helps among these three.
# **You need** conditional probability, Bayes' rule and expectations; matrices with rows that sum to 1.
# Differential privacy is used in the first section only. The code is plain Python with fractions; the lines of a displayed derivation
# are proved by a computer algebra system. **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows the transition matrix $P$ and the histogram $\pi = \pi(t-1)$; *MK* nothing else, *OPK*
# also where one person was at $t-1$, *NPK* where everybody was. She sees the histogram $x = \pi(t)$, takes it
# for the truth, and guesses where a person $u$ is. **Protected:** no guess becomes more than $e^\varepsilon$
# times as likely. **Not protected:** what $P$ says; guesses that become *less* likely; later releases;
# an attacker who knows how the release was made.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import sympy as sp

from privlib.location.exact import transition_probability
from privlib.location.flow import max_flow
from privlib.location.gain import gain_table, max_gain
from privlib.location.mechanism import optimal_mechanism
from privlib.location.release import private_histogram
from privlib.notebook import claim, derivation, misprints, plots, synthetic_trips, table

plots.use()
F = Fraction

# %% [markdown]
# ## Why not differential privacy?
#
# A hundred people come to the crossing; each goes straight on with probability 0.99. We publish how many did, once
# with noise that keeps differential privacy and once as it is.
#
# Differential privacy bounds what *one* record can change, whatever the attacker knows about the others. Two-sided
# geometric noise, $\Pr(k) \propto e^{-\varepsilon |k|}$, does it: between "she turned" and "she went straight on" the
# odds change by $e^\varepsilon$ at most. They may change by $e^\varepsilon$ in both directions, so the one guess is
# protected as well as the other, though the one is nearly certain anyway and the other is not. Without noise things are
# unequal by themselves. If $k$ of the 100 turned, who turned is known with probability $k/100$ instead of $1/100$:

# %%
crossing = [[F(99, 100), F(1, 100)], [F(0), F(1)]]
for turned in (1, 2, 5, 50):
    release = [100 - turned, turned]
    gains = gain_table([100, 0], release, transition=crossing, definition="exact")[0]
    print(f"{turned:2d} turned: straight on {float(gains[0]):.3f}, turned {gains[1]}")


# %% [markdown]
# Each number is the factor by which a guess about one person becomes more likely. *Straight on* never gains more than
# $100/99$; *turned* may gain a lot. Hence the paper's wish: protect those who turn, and publish the rest as it is.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def noise(output, count, q):
    """Probability of a noisy count: two-sided geometric noise, q = exp(-ε)."""
    return (1 - q) / (1 + q) * q ** abs(output - count)


def most(k, less, q):
    """Largest ratio of the probabilities of an output, for the counts k and less."""
    return max(noise(o, k, q) / noise(o, less, q) for o in range(-5, 12))


levels = [F(1, 4), F(1, 2), F(2, 3)]  # exp(-ε)
with claim("M-I2") as c:
    alone = [{most(k + 1, k, q) for k in range(5)} for q in levels]
    c.decisive("sampled").exact(
        alone, [{1 / q} for q in levels], "one record, whatever the others: exp(ε)"
    )
    one_record, two_records = most(1, 0, levels[1]), most(2, 0, levels[1])
    c.exact([one_record, two_records], [F(2), F(4)], "exp(ε) = 2, 1 and 2 records")
    c.limit(one_record, two_records, "exp(ε) = 2, two who move together")

with claim("M-I8") as c:
    counts = range(101)
    straight, turning = [], []
    for k in counts:
        row = gain_table([100, 0], [100 - k, k], transition=crossing, definition="exact")[0]
        straight.append(row[0])
        turning.append(row[1])
    # by hand: the share released over the share expected
    c.decisive("one example").exact(
        [straight, turning],
        [[F(100 - k, 99) for k in counts], [F(k) for k in counts]],
        "exact gains, all 101 releases: at most 100/99 straight on, k if k turned",
    )
    both = most(1, 0, levels[1]), most(0, 1, levels[1])
    c.exact(list(both), [1 / levels[1]] * 2, "noise: both odds move by exp(ε) = 2")
    seen = round(max_gain([100, 0], [50, 50], transition=crossing), 9)
    c.close(seen, 1.0, "50 of 100 turned: equation (3), there is one movement only")
    c.limit(50.0, seen, "50 of 100 turned: gain by the paper's equation (3)")


# %% [markdown]
# There are two more complaints. People who move together are several records that speak with one voice. And if one budget
# is to cover a person's whole history of $T$ releases, another history may change $2T$ counts: at each release one place lacks her, and another
# has her. For a day of 1,440 minutes at $\varepsilon = 1$ the noise on each count has the scale
# 2,880<!-- {shown_scale} -->, among 683 people. Long paths are worse off: of $14^5$ conceivable paths of five stations only
# 1,210<!-- {shown_walks} --> can be walked in the suburban town of [notebook 6](06-paths-and-the-experiment.ipynb), yet even
# then the mean count of a path is 0.56<!-- {mean:.2f} -->, and the noise for a single release at
# $\varepsilon = 1$ is 2<!-- {shown_noise} --> in the mean.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def moved(T):
    """L1 changes of T histograms of two places, one person changed."""
    histories = list(itertools.product((0, 1), repeat=T))
    told = [[int(place == j) for place in h for j in (0, 1)] for h in histories]
    return {sum(abs(a - b) for a, b in zip(g, h)) for g in told for h in told}


with claim("M-A2") as c:
    c.decisive("exhaustive").exact(
        [moved(T) for T in range(1, 5)],
        [{0, 2}, {0, 2, 4}, {0, 2, 4, 6}, {0, 2, 4, 6, 8}],
        "T ≤ 4 releases: they move by 2T at most",
    )
edges = synthetic_trips.simulate("suburb14", np.random.default_rng(0)).edges
reach = np.eye(14, dtype=np.int64)
reach[tuple(edges.T)] = reach[tuple(edges.T[::-1])] = 1
walks = int(np.linalg.matrix_power(reach, 4).sum())
ends = list(range(14))  # of every walk so far, one by one
for _ in range(4):
    ends = [there for here in ends for there in np.flatnonzero(reach[here]).tolist()]
t = sp.symbols("t", positive=True)
spread = sp.integrate(2 * t * sp.exp(-t / 2) / 4, (t, 0, sp.oo))  # of Lap(2)
with claim("M-I3") as c:
    people = 683
    c.exact(walks, len(ends), "suburb: walks of five stations, by powers and listed")
    c.decisive("one example").at_most(
        2 * F(people, walks),
        F(int(spread)),
        "suburb: twice the mean count of a path, mean noise",
    )
shown_scale = f"{2 * 1440:,}"
shown_walks = f"{walks:,}"
mean = round(people / walks, 4)
shown_noise = int(spread)

# %% [markdown]
# So far the complaint is right. (The paper's own $\varepsilon$ is *per release* and never added up over the day. Per
# release, differential privacy needs the scale $2/\varepsilon$ only; like has to be compared with like, and
# [notebook 5](05-the-idea-done-right.ipynb) does.) What does the paper put in its place?
#
# ## The model
#
# $N$ people are at $L$ points of interest, and every $\Delta t$ the histogram of places is published. Who can go where is a graph,
# how often a Markov process (マルコフ過程) with the matrix $P$: who is at $\ell_i$ goes to $\ell_j$ with probability $P_{ij}$,
# independently of the others. Staying is a move too, so the graph has loops. A process that remembers the last $n$ places is one that
# remembers one *path* of $n$ places, so nothing is lost by looking one step back only, as we do until
# [notebook 6](06-paths-and-the-experiment.ipynb). How much places depend on earlier places, and how many steps back help, is measured on real people in
# [notebook 7](07-tokyo.ipynb).

# %% jupyter={"source_hidden": true} tags=["evidence"]
graphs = list(itertools.product((0, 1), repeat=3))  # which of three edges there are


def supports(edges, *, loops):
    ab, bc, ac = edges
    return np.array([[loops, ab, ac], [ab, loops, bc], [ac, bc, loops]], float)


def rows_to_one(support):
    return support / np.maximum(support.sum(axis=1, keepdims=True), 1e-9)


with claim("M-S2") as c:
    crowds = [h for h in itertools.product(range(3), repeat=3) if sum(h) == 2]
    stays = [
        max_flow(h, h, transition=rows_to_one(supports(g, loops=1)))
        for g in graphs
        for h in crowds
    ]
    c.decisive("exhaustive").exact(
        stays, [2] * len(stays), "loops: two people can stay, all graphs of 3 places"
    )
    apart = max_flow([1, 0], [1, 0], transition=[[0, 1], [1, 0]])
    c.limit(1, apart, "an edge without loops: how many of one person can stay")

keep = sp.symbols("p:4", positive=True)  # P(next = 0 | last two), in the order below
pairs = list(itertools.product((0, 1), repeat=2))
onward = {s: [keep[k], 1 - keep[k]] for k, s in enumerate(pairs)}
lifted = sp.Matrix(
    4,
    4,
    lambda k, m: onward[pairs[k]][pairs[m][1]] if pairs[k][1] == pairs[m][0] else 0,
)
with claim("M-S4") as c:
    power, listed = (lifted**3).applyfunc(sp.expand), sp.zeros(4, 4)
    for p in itertools.product((0, 1), repeat=5):
        chance = math.prod(onward[p[k : k + 2]][p[k + 2]] for k in range(3))
        listed[pairs.index(p[:2]), pairs.index(p[3:])] += sp.expand(chance)
    c.decisive("exhaustive").exact(
        power, listed, "every order-2 process on two places, three steps"
    )
    c.exact(
        [sum(lifted.row(k)) for k in range(4)], [1] * 4, "its matrix: rows sum to 1"
    )


# %% [markdown]
# What a person can *not* do in $\Delta t$ is known as well: nobody is in Tokyo now and in New York a minute later, and
# rivers have few bridges. A move with $P_{ij} = 0$ can turn a histogram into certainty. Put A and C on two banks and B on the
# bridge between. Of two people, one at A and one at C, one arrives at B and one is at C: then the first went to B and
# the second stayed, for certain, since nobody swims. What is impossible is known *before*, and the definition asks nothing for it: in this example the best private
# release of five people loses 0.393<!-- {shown_river:.3f} --> with the river and 0.666<!-- {shown_plain:.3f} --> without it
# ($\varepsilon = 1$, mean $L_1$ error; [notebook 5](05-the-idea-done-right.ipynb) computes such numbers).

# %% jupyter={"source_hidden": true} tags=["evidence"]
def named(pi, P):
    """All moves of named people: histogram after -> [(probability, places)]."""
    start, found = [i for i, n in enumerate(pi) for _ in range(n)], {}
    for route in itertools.product(range(len(pi)), repeat=len(start)):
        if weight := math.prod(P[i][j] for i, j in zip(start, route)):
            key = tuple(route.count(j) for j in range(len(pi)))
            found.setdefault(key, []).append((weight, route))
    return found


def chance_of(moves, u, j):
    """Probability that person u is at j, of all listed moves."""
    return sum(w for w, r in moves if r[u] == j) / sum(w for w, _ in moves)


river = [
    [F(4, 5), F(1, 5), F(0)],
    [F(1, 10), F(4, 5), F(1, 10)],
    [F(0), F(1, 5), F(4, 5)],
]
plain = [
    [F(4, 5), F(3, 20), F(1, 20)],
    [F(1, 10), F(4, 5), F(1, 10)],
    [F(1, 20), F(3, 20), F(4, 5)],
]
with claim("M-I1b") as c:
    banks, on_bridge = [1, 0, 1], (0, 1, 1)
    sure = (
        gain_table(banks, on_bridge, transition=river, definition="exact")[0, 1]
        * river[0][1]
    )
    other = gain_table(banks, on_bridge, transition=plain, definition="exact")[0, 1]
    c.decisive("one example").exact(
        [sure, other * plain[0][1]],
        [F(1), F(16, 17)],
        "who was at A is at B: certain with the river, 16/17 without",
    )
    by_names = [chance_of(named(banks, P)[on_bridge], 0, 1) for P in (river, plain)]
    c.exact(
        [sure, other * plain[0][1]], by_names, "the same by all moves of two people"
    )
best = {
    name: optimal_mechanism([2, 1, 2], np.array(P, float), epsilon=1.0).loss
    for name, P in (("river", river), ("plain", plain))
}
assert best["river"] < best["plain"]
shown_river = round(best["river"], 6)
shown_plain = round(best["plain"], 6)

# %% [markdown]
# ## The definition, and what it allows
#
# ```{prf:definition} Adversarial privacy; the paper's Definitions 3.1 and 3.2
# :label: def-lo-01-privacy
# An attacker is a triple $(K, f, g)$ of knowledge, guess before and guess after. An output $O$ is
# $\varepsilon$-adversarially private if $p(X \mid O) \le e^\varepsilon p(X)$ for all $X$. The **gain** (贈与)
# of a guess is $g / f$, the ratio of the two.
# ```
#
# The name and the idea of attackers of limited knowledge are those of Rastogi, Hay, Miklau and Suciu
# {cite:p}`rastogi2009relationship`. They judge a *randomised mechanism* against a whole *class* of priors; here it is one output, and
# one prior.
#
# The bound is one-sided: a guess may even become *impossible*. How likely may it have been? Say its prior was $p$. The
# others had the priors $f_i$ with the sum $1 - p$, and get the posteriors $g_i$ with the sum 1. Their gains, weighted by the priors, have the mean

# %% jupyter={"source_hidden": true} tags=["evidence"]
L = sp.Symbol("L", integer=True, positive=True)
one = sp.Symbol("i", integer=True)
f_i, g_i = sp.IndexedBase("f", positive=True), sp.IndexedBase("g", positive=True)
left = sp.Symbol("r", positive=True)  # 1 - p
apart = sp.UnevaluatedExpr
growth = sp.Sum(apart(f_i[one] / left) * apart(g_i[one] / f_i[one]), (one, 1, L))
shared = sp.Sum(g_i[one], (one, 1, L)) / left
excluding = derivation(
    growth, names={left: "(1 - p)"}, of=r"\text{mean gain of the others}"
).equal(shared, "cancel; the sum is 1")
excluding

# %% [markdown]
# that is $1/(1 - p)$. The largest of them is at least that, and if all grow alike no more. So the exclusion is allowed if and only if $1/(1 - p) \le e^\varepsilon$.
#
# Up to $p = 1 - e^{-\varepsilon}$, which is 0.632<!-- {excluded:.3f} --> at $\varepsilon = 1$, a release may show with
# certainty where somebody is *not*. Of two equally likely places one can be excluded; the other gains 2, which is less
# than $e$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
eps = sp.Symbol("varepsilon", positive=True)
edge = 1 - sp.exp(-eps)  # the largest prior that may be excluded


def largest_gain(prior, after):
    return max(b / a for a, b in zip(prior, after))


with claim("M-D1") as c:
    c.decisive("proved").derived(
        excluding, growth, shared, "one guess excluded: the others gain 1/(1 − p)"
    )
    at_edge = sp.solve(sp.Eq(1 / left, sp.exp(eps)), left)[0]
    c.decisive("proved").exact(1 - at_edge, edge, "that is exp(ε) at p = 1 − exp(−ε)")
    # three guesses; the first is excluded, the others share its chance in proportion
    kept = [(1 - edge) * F(1, 4), (1 - edge) * F(3, 4)]
    grown = [v / sum(kept) for v in kept]
    c.exact(
        [sp.simplify(edge + sum(kept)), sp.simplify(sum(grown))],
        [1, 1],
        "three guesses: their chances before, those of the two left after",
    )
    c.exact(
        [sp.simplify(v / w) for v, w in zip(grown, kept)],
        [sp.exp(eps)] * 2,
        "then every other guess gains exp(ε), and no more",
    )
two = [F(1, 2), F(1, 2)]
with claim("M-I10") as c:
    shown = [F(k, 16) for k in range(9, 17)]  # 1/2 becomes this
    allowed = [v for v in shown if largest_gain(two, [v, 1 - v]) <= F(3, 2)]
    c.exact(
        allowed,
        [F(9, 16), F(10, 16), F(11, 16), F(12, 16)],
        "exp(ε) = 3/2: 1/2 may grow to 3/4, no further",
    )
    falls = [F(0), F(1)]
    assert largest_gain(two, falls) < math.e
    c.limit(two[0], falls[0], "downwards: an even chance that is excluded at ε = 1")
excluded = round(1 - math.exp(-1), 6)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What a private release may make of a prior belief at \u03b5 = 1. Adversarial privacy allows everything in the wide region; up to a prior of 0.632 that includes certainty that the guess is false. A two-sided bound on the odds, as differential privacy gives, allows the narrow region only.", "name": "fig-lo-01-onesided"}, "image": {"alt": "Posterior against prior between 0 and 1. The upper border rises as e times the prior until it reaches 1 at 0.37; the lower border is zero up to 0.63 and then rises to 1. Inside lies a narrow lens around the diagonal."}} tags=["figure"]
belief = np.linspace(0, 1, 401)
e = math.e
upper, lower = np.minimum(1, e * belief), np.maximum(0, 1 - e * (1 - belief))
two_up = e * belief / (1 - belief + e * belief)
two_low = belief / (belief + e * (1 - belief))
assert (two_up <= upper + 1e-12).all()
assert (two_low >= lower - 1e-12).all()
assert round(1 - 1 / e, 3) == 0.632
assert abs(belief[lower > 0].min() - 0.632) < 0.003
assert abs(belief[upper == 1].min() - 0.37) < 0.003
fig, ax = plots.panels(height=3.8, width=5.6)
ax.fill_between(belief, lower, upper, alpha=0.25, label="adversarially private")
ax.fill_between(belief, two_low, two_up, alpha=0.6, label="odds within a factor e")
ax.plot(belief, belief, color="black", lw=0.8, ls="-")
ax.annotate(
    "may be excluded",
    xy=(1 - 1 / e, 0),
    xytext=(0.74, 0.1),
    arrowprops={"arrowstyle": "->"},
)
ax.set(
    xlabel="probability before the release",
    ylabel="probability after it",
    xlim=(0, 1),
    ylim=(0, 1),
)
ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=8)
plots.plt.show()

# %% [markdown]
# For one person in one place of two that is a choice one may defend. Informally the paper says that the confidence "hardly
# changes"; the definition means upwards.
#
# Some facts about gains are free. Averaged over the releases with their probabilities, a gain is 1: the posterior is right on
# average. As $g \le 1$, no gain exceeds $1/f$; if everybody can be at a place, the release that has everybody there attains it. So a poor guess before
# means a large gain after, at worst. And all gains keep the bound if the largest does.

# %% jupyter={"source_hidden": true} tags=["evidence"]
P = [
    [F(1, 2), F(1, 4), F(1, 4)],
    [F(1, 4), F(1, 2), F(1, 4)],
    [F(1, 8), F(3, 8), F(1, 2)],
]


def everyday(people):
    """All histograms of three places."""
    return [
        h for h in itertools.product(range(people + 1), repeat=3) if sum(h) == people
    ]


def origins(pi):
    return [i for i, n in enumerate(pi) for _ in range(n)]


def all_gains(pi, P):
    """Release -> (its probability, gains of every guess about every person)."""
    table = {}
    for x, moves in named(pi, P).items():
        total = sum(w for w, _ in moves)
        table[x] = (
            total,
            {
                (u, j): chance_of(moves, u, j) / P[i][j]
                for u, i in enumerate(origins(pi))
                for j in range(len(pi))
            },
        )
    return table


few = {h: all_gains(h, P) for n in (1, 2, 3, 4) for h in everyday(n)}
with claim("M-D3") as c:
    means = {
        sum(p * gains[guess] for p, gains in cases.values())
        for h, cases in few.items()
        for guess in next(iter(cases.values()))[1]
    }
    c.decisive("sampled").exact(
        means, {F(1)}, "up to 4 people, our matrix: every gain averages to 1"
    )
with claim("M-C2") as c:
    peaks, bounds = [], []
    for h, cases in few.items():
        for u, i in enumerate(origins(h)):
            for j in range(3):
                peaks.append(max(gains[u, j] for _, gains in cases.values()))
                bounds.append(1 / P[i][j])
    label = "one matrix, up to 4 people: the largest gain of every guess is 1 / f"
    c.decisive("sampled").exact(peaks, bounds, label)
    by_mk = {"definition": "exact", "adversary": "MK"}  # who knows only π: x_j / π̃_j
    highest, shares = [], []
    for h, cases in few.items():
        mk = [gain_table(h, x, transition=P, **by_mk) for x in cases]
        for j in range(3):
            highest.append(max(row[j] for row in mk))
            shares.append(sum(h) / sum(n * row[j] for n, row in zip(h, P)))
    c.exact(highest, shares, "who knows only π (MK): the same")
    sides, on = [50, 50], F(50 * 99, 100)  # who turned stays: so many go straight on
    straight_on = max(
        gain_table(sides, [k, 100 - k], transition=crossing, **by_mk)[0]
        for k in range(51)
    )
    told = "half of them cannot go straight on: MK's largest gain that somebody did"
    c.limit(100 / on, straight_on, told)
    assert straight_on == 50 / on == F(100, 99)
with claim("M-N3") as c:
    by_all, by_table = [], []
    for h, cases in few.items():
        for x, (_, gains) in cases.items():
            by_all.append(all(v <= F(8, 5) for v in gains.values()))
            by_table.append(max_gain(h, x, transition=P, definition="exact") <= F(8, 5))
    label = "one matrix, up to 4 people: largest entry ≤ 8/5 = all guesses ≤ 8/5"
    c.decisive("sampled").exact(by_table, by_all, label)
    assert (sum(by_all), len(by_all)) == (45, 370)

# %% [markdown]
# To know the gains, one has to know $f$ and $g$. How likely is a histogram, given the one before?
#
# ## Three formulas for one probability
#
# ```{prf:definition} The probability of a histogram, and what the paper uses for it
# :label: def-lo-01-formulas
# $\pi = \pi(t-1)$ and $x = \pi(t)$ are histograms of $N$ people, $a_{ij}$ is the number of people who go from $\ell_i$ to $\ell_j$, and
# $\mathcal A$ the set of matrices $A = (a_{ij})$ of counts with row sums $\pi_i$ and column sums $x_j$. Then
#
# - $p(x \mid \pi)$ is the probability that $N$ people who move independently from $\pi$ by $P$ end at $x$ (*the exact law*);
# - $\sum_{A \in \mathcal A} \prod_{ij} P_{ij}^{a_{ij}}$ is the paper's **equation (2)** for it;
# - $N! \max_{A \in \mathcal A} \prod_{ij} P_{ij}^{a_{ij}}$ is **equation (3)**, used in place of (2) because (2) is long.
#
# The **prediction** is $\tilde\pi = \pi P$, the mean of $x$, not whole as a rule; $E[a_{ij} \mid \pi, x]$ is the mean number who went from $\ell_i$ to
# $\ell_j$, given both histograms; $e_j$ is the histogram of one person at $\ell_j$.
# ```
#
# Careful: the three are *not* equal, and their ratios, which make the gains, are not either. [Notebook 2](02-most-likely-movement.ipynb) takes
# them apart. On this page *exact* means the first, *printed* the third.
#
# ## Three attackers
#
# ```{prf:definition} Classes of attackers (攻撃者のクラス)
# :label: def-lo-01-classes
# *MK* knows $\pi(t-1)$ and $P$. *OPK* knows besides where $u$ was: she followed $u$ and lost sight. *NPK* knows
# where everybody was. Each guesses $f$ before the release with the **pseudo-observation** $\tilde\pi$ in place
# of $\pi(t)$, and $g$ after it by Bayes' rule.
# ```
#
# **MK.** To her all $N$ people are alike, so after the release $u$ is one of the $x_j$ people at $\ell_j$ with probability
# $g = x_j / N$. Before it the origin of $u$ is $\ell_i$ with probability $\pi_i / N$, and $f = \tilde\pi_j / N$. So her exact gain is
# $x_j / \tilde\pi_j$. We follow the paper's steps with everything that five people can do, $\pi = (2, 2, 1)$ as in its Example 4.1
# and a matrix of ours.

# %%
before, after = [2, 2, 1], (1, 2, 2)
matrix = [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/8", "3/8", "1/2"]]
matrix = [[F(v) for v in row] for row in matrix]
exact = gain_table(before, after, transition=matrix, definition="exact", adversary="MK")
print(
    "prediction:",
    *(sum(n * row[j] for n, row in zip(before, matrix)) for j in range(3)),
)
print("MK's gain: ", *exact)

# %% [markdown]
# Only the last histogram matters to her, because the process is Markov: given where everybody is at $t-1$, how they came there is of no use, and
# given $\pi(t-1)$ any naming of the places is as likely as any other. With people who remember it is otherwise: if whoever has just moved goes back,
# $\pi(t-2)$ tells more.

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert matrix == P
top = gain_table(before, after, transition=P, definition="exact")
assert round(float(top[0, 2]), 3) == 1.479 == round(float(top.max()), 3)
assert max(exact) == F(4, 3)
prediction = [sum(n * row[j] for n, row in zip(before, P)) for j in range(3)]
moves_of = named(before, P)
five = {x: sum(w for w, _ in moves) for x, moves in moves_of.items()}


def less(h, k):
    return [n - (k == i) for i, n in enumerate(h)]


def given_place(x, j, *, as_printed=False):
    """p(x | u is at j), u's origin averaged, from exact laws of four people.

    As printed: the chance of five people to become x without her, who are four.
    """
    if as_printed:
        return five.get(tuple(less(x, j)), F(0))
    if not x[j]:
        return F(0)
    ways = (
        before[i] * P[i][j] * transition_probability(less(before, i), less(x, j), transition=P)
        for i in range(3)
    )
    return sum(ways) / prediction[j]


with claim("M-M5") as c:
    told = [[sum(n * row[j] for n, row in zip(h, P)) for j in range(3)] for h in few]
    means = [
        [sum(p * x[j] for x, (p, _) in cases.items()) for j in range(3)]
        for cases in few.values()
    ]
    label = "one matrix, up to 4 people: the mean of all moves"
    c.decisive("sampled").exact(told, means, label)
with claim("M-M4") as c:
    bayes = {
        x: [
            given_place(x, j)
            * prediction[j]
            / 5
            / transition_probability(before, x, transition=P)
            for j in range(3)
        ]
        for x in five
    }
    c.decisive("one example").exact(
        bayes,
        {x: [F(n, 5) for n in x] for x in five},
        "Example 4.1, all 21 releases: likelihood × prior / evidence = x_j / N",
    )


def after_pseudo(pi, Q):
    """MK's posterior for the first place after π̃, by naming and moving."""
    people, pseudo = (
        sum(pi),
        [sum(n * row[j] for n, row in zip(pi, Q)) for j in (0, 1)],
    )
    hit = total = F(0)
    for names in set(itertools.permutations(origins(pi))):
        for route in itertools.product((0, 1), repeat=people):
            if route.count(0) == pseudo[0]:
                weight = math.prod(Q[i][j] for i, j in zip(names, route))
                total, hit = total + weight, hit + weight * (route[0] == 0)
    return hit / total if total else None


def natural(pi, Q):
    """Her prior: the origin is random, then one move."""
    return sum(F(n, sum(pi)) * Q[i][0] for i, n in enumerate(pi))


slow = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]
with claim("M-M3") as c:
    towns = [(k, n - k) for n in (1, 2, 3, 4) for k in range(n + 1)]
    found = {h: after_pseudo(h, slow) for h in towns}
    defined = {h: v for h, v in found.items() if v is not None}
    c.decisive("sampled").exact(
        defined,
        {h: natural(h, slow) for h in defined},
        "one matrix, two places, up to 4 people, π̃ whole: posterior = natural prior",
    )
    c.exact(
        list(defined),
        [(k, n) for k, n in towns if (3 * k + n) % 4 == 0],
        "π̃ is whole where (3k + n) / 4 is",
    )
    c.limit(len(towns), len(defined), "histograms for which the prior is defined")

p, q, r = sp.symbols("p q r", positive=True)
first = [r, 1 - r]  # where each of them starts
steps = [[1 - p, p], [q, 1 - q]]
three = list(itertools.product((0, 1), repeat=3))  # places of three people


def futures(step_of):
    """(π(1), π(2)) -> [weight, weight of 'u is at 0 next'], starts alike."""
    found = {}
    for a, b in itertools.product(three, repeat=2):
        weight = sp.prod([first[i] * steps[i][j] for i, j in zip(a, b)])
        entry = found.setdefault((sum(a), sum(b)), [0, 0])
        entry[0] += weight
        entry[1] += weight * step_of(a[0], b[0])
    return found


with claim("M-M1") as c:
    markov = futures(lambda _, b: steps[b][0])
    told = [sp.expand(3 * hit) for _, hit in markov.values()]
    by_last = [
        sp.expand(total * ((3 - last) * steps[0][0] + last * steps[1][0]))
        for (_, last), (total, _) in markov.items()
    ]
    c.decisive("exhaustive").exact(
        told, by_last, "every chain of two places, 3 people: p(X_t) = prediction / N"
    )
    back = futures(
        lambda a, b: (
            sp.Integer(1)
            if a == 0 and b == 1
            else sp.Integer(0)
            if a == 1 and b == 0
            else steps[b][0]
        )
    )
    order_two = {
        h: (v[1] / v[0]).subs({p: F(1, 4), q: F(1, 4), r: F(1, 2)})
        for h, v in back.items()
    }
    c.exact(
        [order_two[1, 1], order_two[2, 1]],
        [(F(1, 4) + 2 * F(3, 4)) / 3, (F(0) + F(1, 4) + F(3, 4)) / 3],
        "who moved goes back: mean over three people, by hand",
    )
    c.limit(
        F(order_two[1, 1]),
        F(order_two[2, 1]),
        "who moved goes back: π(1) = (2,1) and (1,2)",
    )

# %% [markdown]
# Her exact guesses are shares: released share after, predicted share before. The detour over the pseudo-observation changes nothing
# for her where $\tilde\pi$ is whole. Where it is not, as nearly always, it is no possible histogram, its probability is 0, and the detour has no
# meaning. Then comes the step that the paper needs for its formula.
#
# ```{admonition} As printed
# :class: as-printed
# $$p(\pi(t), \pi(t-1) \mid X_t^u = \ell_j) = p(\pi(t) - e_j, \pi(t-1)),$$
#
# so that, equation (1),
#
# $$\mathrm{Gain}_{MK} = \frac{p(\pi(t) - e_j, \pi(t-1))\; p(\tilde\pi(t), \pi(t-1))}
#   {p(\tilde\pi(t) - e_j, \pi(t-1))\; p(\pi(t), \pi(t-1))}. \tag{1}$$
# ```
#
# The left side speaks of $N$ people before and after, the right side of $N - 1$ after and $N$ before: no
# movement does that. If $u$ is taken out she must be taken out on both sides, and since MK does not know
# where she was, her origin is averaged: $\sum_i \pi_i P_{ij}\, p(x - e_j \mid \pi - e_i) / \tilde\pi_j$. The gain that belongs to it is $x_j / \tilde\pi_j$. The
# only reading of (1) that computes, a flow that leaves one person out at no cost, gives other numbers.

# %% jupyter={"source_hidden": true} tags=["evidence"]
exact_mk = gain_table(
    before, after, transition=P, definition="exact", adversary="MK"
).tolist()


def mk_gain(*, as_printed=False):
    """MK's gain, by equation (1) with (3) or by the exact law."""
    law = "printed" if as_printed else "exact"
    return gain_table(before, after, transition=P, adversary="MK", definition=law)


with claim(
    "M-M6",
    printed=r"$p(\pi(t) - e_j, \pi(t-1))$, $N - 1$ people after $N$",
    corrected=r"given $\pi(t-1)$: $\sum_i \pi_i P_{ij}\, p(x - e_j \mid \pi - e_i) / "
    r"\tilde\pi_j$",
    consequence="equation (1) needs another meaning before it can be computed",
) as c:
    posterior_over_prior = {
        (x, j): sum(w for w, r in moves_of[x] for u in range(5) if r[u] == j)
        / prediction[j]
        for x in five
        for j in range(3)
    }
    orphan = given_place(after, 0, as_printed=True)
    c.differs(orphan, posterior_over_prior[after, 0], "Example 4.1, j = 1")
    c.exact(
        {given_place(x, j, as_printed=True) for x in five for j in range(3)},
        {F(0)},
        "Example 4.1, all 21 releases: no four people after five",
    )
    c.decisive("one example").exact(
        {key: given_place(*key) for key in posterior_over_prior},
        posterior_over_prior,
        "Example 4.1, all 21 releases: origin averaged = share of the moves",
    )
with claim(
    "M-M7",
    printed="equation (1), unequal masses",
    corrected=r"$\mathrm{Gain}_{MK} = x_j / \tilde\pi_j$",
    consequence="no flow is needed; the smallest α has a closed form",
) as c:
    printed_mk = mk_gain(as_printed=True).astype(float)
    c.differs(
        printed_mk, np.array(exact_mk, float), "Example 4.1, one person unrouted"
    )
    package = {
        x: gain_table(before, x, transition=P, definition="exact", adversary="MK").tolist()
        for x in five
    }
    ratios = {
        x: [posterior_over_prior[x, j] / p for j in range(3)] for x, p in five.items()
    }
    c.decisive("one example").exact(
        package, ratios, "Example 4.1, all 21 releases: x_j / prediction = Bayes"
    )
table(
    {
        "place": ["A", "B", "C"],
        "exact": exact_mk,
        "decimal": [float(v) for v in exact_mk],
        "equation (1) with (3)": printed_mk.tolist(),
    },
    formats={"decimal": ".4f", "equation (1) with (3)": ".4f"},
    caption="MK's gain in Example 4.1 with our matrix, released (1, 2, 2).",
)

# %% [markdown]
# **OPK and NPK.** For them the masses agree, and under the exact law the printed formula is right.
#
# ```{prf:proposition} The gain of OPK
# :label: thm-lo-01-opk
# Under the exact law, where $\tilde\pi$ is whole, $\pi_i \ge 1$ and $P_{ij} > 0$ (so that $\tilde\pi_j \ge 1$),
#
# $$\mathrm{Gain}_{OPK} = \frac{p(\pi(t) - e_j, \pi(t-1) - e_i)\; p(\tilde\pi(t), \pi(t-1))}
# {p(\tilde\pi(t) - e_j, \pi(t-1) - e_i)\; p(\pi(t), \pi(t-1))},$$
#
# and NPK's gain about $u$ is the same.
# ```
#
# *Proof.* If $u$ went from $\ell_i$ to $\ell_j$, which has probability $P_{ij}$, the others went from $\pi - e_i$ to $x - e_j$. By Bayes' rule
# $g = P_{ij}\, p(x - e_j \mid \pi - e_i) / p(x \mid \pi)$, and $f$ is the same with $\tilde\pi$ for $x$; $P_{ij}$ cancels. The names of the others do not occur. $\square$
#
# $P_{ij} > 0$ is needed. If nobody stays at A and half of those at B do, then from $(1, 2)$ to $(2, 1)$ the formula gives "she stayed at A" the gain
# 4<!-- {spurious} -->, and it is impossible before and after.
#
# With the *natural* prior $f = P_{ij}$ in place of the pseudo-observation the gain is defined wherever $P_{ij} > 0$. And $g$ is also the expected share of
# those from $\ell_i$ who are at $\ell_j$, since they are all alike: $g = E[a_{ij} \mid \pi, x] / \pi_i$. These gains are the *exact* ones of this part.
#
# | attacker | knows besides $\pi$, $P$ | before | after | exact gain |
# |---|---|---|---|---|
# | MK | nothing | $\tilde\pi_j / N$ | $x_j / N$ | $x_j / \tilde\pi_j$ |
# | OPK | where $u$ was, $\ell_i$ | $P_{ij}$ | $E[a_{ij} \mid \pi, x] / \pi_i$ | $E[a_{ij} \mid \pi, x] / (\pi_i P_{ij})$ |
# | NPK | where everybody was | $P_{ij}$ | the same | the same, largest over $i$ and $j$ |
#
# In the example, the gains about a person from A, from B and from C (rows):

# %%
for place, row in zip(
    "ABC", gain_table(before, after, transition=matrix, definition="exact")
):
    print(place, *(f"{gain!s:>8} = {float(gain):.3f}" for gain in row))

# %% [markdown]
# The release adds most to "somebody from A is now at C": it becomes 1.479 times as likely. MK's largest gain was $4/3$.
# Is it so? Draw many minutes, keep those that end at $(1, 2, 2)$, and look where the first person from A is.

# %%
limits = np.cumsum(np.array(matrix, float), axis=1)[[0, 0, 1, 1, 2]]  # five people
places = (np.random.default_rng(1).random((200_000, 5, 1)) > limits).sum(axis=2)
histograms = (places[:, :, None] == np.arange(3)).sum(axis=1)
kept = places[(histograms == after).all(axis=1)]
at_c = (kept[:, 0] == 2).mean()
print(f"{len(kept)} minutes; at C in {at_c:.3f} of them; ratio {4 * at_c:.2f}")

# %% [markdown]
# Before the release it was $1/4$, so the ratio is what the formula says, up to chance.

# %% jupyter={"source_hidden": true} tags=["evidence"]
whole = (2, 2)  # a stationary histogram of `slow`: the prediction is whole
releases = [(k, 4 - k) for k in range(5)]


def share(x, i, j, scale=1, *, pi=whole, Q=slow):
    """p(x - e_j | π - e_i) / p(x | π) by exact laws."""
    if not x[j]:
        return F(0)
    top = transition_probability(less(pi, i), less(x, j), transition=Q)
    return scale * top / transition_probability(pi, x, transition=Q)


routes = {x: named(whole, slow)[x] for x in releases}
about = [(u, i, j) for u, i in enumerate(origins(whole)) for j in (0, 1)]
with claim("M-O3") as c:
    stated = {
        (x, g): share(x, g[1], g[2], slow[g[1]][g[2]])
        for x in releases
        for g in about
    }
    moves = {
        (x, g): chance_of(routes[x], g[0], g[2]) for x in releases for g in about
    }
    c.decisive("one example").exact(
        stated,
        moves,
        "π = (2,2), all releases: g with the factor P_ij, by named moves",
    )
    by_moves = float(chance_of(moves_of[after], 0, 2))
    stderr = math.sqrt(by_moves * (1 - by_moves) / len(kept))
    c.sampled(
        at_c, by_moves, "Example 4.1, drawn: somebody from A at C", stderr=stderr
    )
with claim("M-O4") as c:
    formula = {
        (x, g): share(x, *g[1:]) / share(whole, *g[1:])
        for x in releases
        for g in about
    }
    truth = {key: v / moves[whole, key[1]] for key, v in moves.items()}
    c.decisive("one example").exact(
        formula, truth, "π = (2,2), all releases: four probabilities = g / f"
    )
    leave = [[F(0), F(1)], [F(1, 2), F(1, 2)]]  # nobody stays at A
    own = (1, 2)  # its own prediction
    town = {"pi": own, "Q": leave}
    by_four = {
        (i, j): share((2, 1), i, j, **town) / share(own, i, j, **town)
        for i, j in itertools.product((0, 1), repeat=2)
    }
    swapped = named(own, leave)[2, 1]
    stayed = chance_of(swapped, 0, 0)
    c.limit(by_four[0, 0], stayed, "an impossible move, (1, 2) to (2, 1): its gain")
assert chance_of(named(own, leave)[own], 0, 0) == stayed == 0  # before and after
spurious = str(by_four[0, 0])
with claim("M-N2") as c:
    pooled, single = {}, {}
    for x, i in itertools.product(releases, (0, 1)):
        hit = total = F(0)  # OPK: every naming of the others that fits
        for names in set(itertools.permutations(origins(whole))):
            if names[0] == i:
                for route in itertools.product((0, 1), repeat=4):
                    if (route.count(0), route.count(1)) == x:
                        weight = math.prod(slow[a][b] for a, b in zip(names, route))
                        total, hit = total + weight, hit + weight * (route[0] == 0)
        pooled[x, i] = hit / total
        single[x, i] = chance_of(routes[x], 2 * i, 0)  # NPK: one naming
    c.decisive("one example").exact(
        pooled, single, "π = (2,2), all releases: the names of the others add nothing"
    )


# %% [markdown]
# NPK knows most. So a release that is safe from her should be safe from the others. Should it?
#
# ## Is less knowledge harder to protect against?
#
# ```{admonition} As printed
# :class: as-printed
# The less an attacker knows, the harder protection is (section 3.2, with citations, as a general statement).
# ```
#
# It happens: two people always move together, to A or to B with equal chances, and a release counts them. Who knows nothing learns where the first one is, a
# gain of 2. Who knows where the second one is had nothing left to learn, a gain of 1. *Among the paper's own three classes it cannot happen, by the exact gains.*
#
# ```{prf:proposition} MK never gains more than NPK
# :label: thm-lo-01-order
# For whole histograms the largest gain of MK is at most the largest gain of NPK: by the exact law always, by equation (3) where every transition from a place
# that was occupied is possible.
# ```
#
# *Proof.* Exact law: MK's gain is a mean of NPK's. Weigh the gains of the possible origins $\ell_i$ by the probability of each origin, given that $u$
# goes to $\ell_j$, which is $\pi_i P_{ij} / \tilde\pi_j$; these weights sum to 1. With $E_i$ for $E[a_{ij} \mid \pi, x]$ and $P_i$ for $P_{ij}$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
@cache
def cheapest(rows, columns, w):
    """Least cost of a movement: over all corners, filled arc by arc; masses exact."""
    costs = [0.0] if not any(rows) else []
    for i, j in itertools.product(range(len(rows)), range(len(columns))):
        if (m := min(rows[i], columns[j])) and w[i][j] < math.inf:
            left = tuple(v - m * (k == i) for k, v in enumerate(rows))
            right = tuple(v - m * (k == j) for k, v in enumerate(columns))
            costs.append(float(m) * w[i][j] + cheapest(left, right, w))
    return min(costs, default=math.inf)


def by_corners(pi, x, Q):
    """Largest gains of NPK and of MK by equation (3), a whole person; no package."""
    costs = tuple(tuple(-math.log(v) if v else math.inf for v in row) for row in Q)
    idle = tuple((*row, 0.0) for row in costs)  # one person stays out at no cost
    ahead = [sum(n * v for n, v in zip(pi, column)) for column in zip(*Q)]

    def odds(j, people, w):
        """Log of what it saves in x, over the forecast, that nobody need be at j."""
        saved = []
        for h in (x, ahead):
            rest = (*less(h, j), 1)[: len(w[0])]
            saved.append(cheapest(pi, tuple(h), costs) - cheapest(people, rest, w))
        return saved[0] - saved[1]

    unknown = [odds(j, pi, idle) for j in range(3)]
    known = [odds(j, tuple(less(pi, i)), costs)
             for i, j in np.argwhere(np.array(Q) > 0).tolist()]  # fmt: skip
    return math.exp(max(known)), math.exp(max(unknown))


far = [[F(v, 100) for v in row] for row in ((62, 19, 19), (1, 98, 1), (4, 1, 95))]
pi3, x3 = (2, 3, 2), (6, 1, 0)
ahead3 = [sum(n * row[j] for n, row in zip(pi3, far)) for j in range(3)]
mixed = tuple(F(3, 10) * v + F(7, 10) * m for v, m in zip(x3, ahead3))  # α = 0.7
pi, P_i, E = (sp.IndexedBase(name, positive=True) for name in ("pi", "P", "E"))
q_j = sp.Symbol("q_j", positive=True)
weighted = sp.Sum(
    apart(pi[one] * P_i[one] / q_j) * apart(E[one] / (pi[one] * P_i[one])),
    (one, 1, L),
)
total = sp.Sum(E[one], (one, 1, L)) / q_j
averaging = derivation(
    weighted, names={q_j: r"\tilde\pi_j"}, of=r"\text{mean gain}"
).equal(total, r"cancel; the sum is $x_j$")
averaging

# %% [markdown]
# That is MK's $x_j / \tilde\pi_j$, as everybody at $\ell_j$ came from somewhere, and a mean is at most the largest term. Equation (3): let $G_{ij}(x)$ be the cost
# $-\log \prod P^a$ that the likeliest movement saves if one person from $\ell_i$ to $\ell_j$ is left out. NPK's printed gain is the largest $e^{G_{ij}(x) - G_{ij}(\tilde\pi)}$. In
# equation (1) there are $N$ people before and $N - 1$ after, so the cheapest flow leaves one person out, whoever saves most: the saving is $\max_i G_{ij}$, over the places $i$ that were occupied.
# So MK's ratio is $\max_i e^{G_{ij}(x)} / \max_i e^{G_{ij}(\tilde\pi)}$. Let the first maximum be $A$, attained at $i$; "from $\ell_i$ to $\ell_j$" is a guess of NPK, because that
# transition is possible. There $e^{G_{ij}(\tilde\pi)} = B$, and the
# divisor is $B + h$ with an $h \ge 0$ (also where $\tilde\pi$ is not whole, and leaving out parts of several people saves more than any one person):

# %% jupyter={"source_hidden": true} tags=["evidence"]
A, B = sp.symbols("A B", positive=True)
h = sp.Symbol("h", nonnegative=True)
printed_ratio = derivation(A / (B + h), of=r"\mathrm{Gain}_{MK}").at_most(
    A / B, r"$h \ge 0$; a gain of NPK", by="coefficients"
)
printed_ratio

# %% jupyter={"source_hidden": true} tags=["evidence"]
couple = {(0, 0): F(1, 2), (1, 1): F(1, 2)}  # places of two inseparable people


def gain_at_b(knows):
    """Gain of "the first is at B" from a release that shows both at B."""
    left = {s: w for s, w in couple.items() if knows in (None, s[1])}
    return F(1) / (sum(w for s, w in left.items() if s[0] == 1) / sum(left.values()))


pairs_of = {
    h: [
        (
            max_gain(h, x, transition=P, definition="exact", adversary="MK"),
            max(gains.values()),
        )
        for x, (_, gains) in cases.items()
    ]
    for h, cases in few.items()
}
flat = [pair for rows in pairs_of.values() for pair in rows]
with claim("M-C1") as c:
    c.decisive("one example").exact(
        [gain_at_b(None), gain_at_b(1)],
        [F(2), F(1)],
        "a couple: who knows nothing gains 2, who knows where the other is 1",
    )
    more = sum(a > b for a, b in flat)
    c.exact(more, 0, "MK and NPK, up to 4 people: MK never gains more")
    c.limit(
        len(flat), more, "MK and NPK, up to 4 people: releases of which MK gains more"
    )
with claim("M-B4") as c:
    c.decisive("proved").derived(
        averaging, weighted, total, "exact law: a mean of NPK's gains"
    )
    c.decisive("proved").derived(
        printed_ratio, A / (B + h), A / B, "equation (3): ratio of the maxima"
    )
    rng = np.random.default_rng(11)
    mk, npk = [], []
    for _ in range(60):
        Q = 0.7 * rng.dirichlet(np.ones(3), size=3) + 0.1
        pi_now = rng.integers(3, 8, size=3)
        x_now = rng.multinomial(pi_now.sum() - 6, [1 / 3] * 3) + 2
        mk.append(max_gain(pi_now, x_now, transition=Q, adversary="MK"))
        npk.append(max_gain(pi_now, x_now, transition=Q))
    c.at_most(mk, npk, "60 random releases, equation (3)", slack=1e-9)
    c.at_most(
        [float(a) for a, _ in flat],
        [float(b) for _, b in flat],
        "exact law, all releases of up to 4 people",
    )
    torn = [[F(v, 5) for v in row] for row in ((1, 2, 2), (3, 0, 2), (0, 1, 4))]
    both = [
        max_gain([4, 3, 3], [4, 4, 2], transition=torn, adversary=a)
        for a in ("NPK", "MK")
    ]
    c.limit(*both, "two impossible transitions, (3): NPK's largest gain, MK's")
    at_seven = [
        max_gain(pi3, [float(v) for v in mixed], transition=far, adversary=a)
        for a in ("NPK", "MK")
    ]
    listed = by_corners(pi3, mixed, far)
    c.limit(*listed, "a mixture, no zero in P, (3): NPK's largest gain, MK's")
assert np.allclose(at_seven, listed, rtol=1e-9)  # the package, and by corners
assert np.allclose(both, by_corners((4, 3, 3), (4, 4, 2), torn), rtol=1e-9)

# %% [markdown]
# So by the exact law a whole histogram that is private against NPK is private against all three, and it is enough to check that one. (The paper's Algorithm 1
# ([notebook 3](03-publishing-a-histogram.ipynb)) checks that class too, but by equation (3) and on mixtures.) By equation (3) that needs the condition: in the check with two impossible transitions the person whom MK leaves out would have made an impossible
# move, which is no guess of NPK, and MK gains more. And by equation (3) it is shown for whole histograms only: on the mixtures that Algorithm 1 publishes it fails even with every transition possible
# ({ref}`an exercise <ex-lo-01-mixed>` has the case). Does the check see the person who turns?
#
# ## Back to the crossing
#
# The definition, with exact gains, does what the paper wished for: *straight on* never exceeds $100/99$, and *turned* is beyond the $e$ of
# $\varepsilon = 1$ as soon as three of the hundred turn. But the algorithm does not check exact gains. It checks the ratio of equation (3).

# %%
for turned in (1, 5, 50, 100):
    seen = max_gain([100, 0], [100 - turned, turned], transition=crossing)
    print(f"{turned:3d} turned: largest gain by equation (3) = {seen:.3f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A hundred people come to the crossing, one in a hundred turns as a rule. Exact gain of \"she turned\" and of \"she went straight on\" against the number who did turn; from three on the first is above e. By equation (3) every release has the gain 1.", "name": "fig-lo-01-crossing"}, "image": {"alt": "Gains on a logarithmic axis from 0.1 to 100 against the number who turned, from 1 to 100. One curve rises from 1 to 100 and crosses the dashed line at e between 2 and 3. A second curve falls from 1. Equation (3) is a level line at 1."}} tags=["figure"]
number = np.arange(1, 101)
by_three = np.array(
    [max_gain([100, 0], [100 - k, k], transition=crossing) for k in number]
)
assert np.allclose(by_three, 1)
assert turning[2] < math.e < turning[3]
assert straight[1] == 1
assert turning[100] == 100
fig, ax = plots.panels(height=3.4)
ax.plot(number, [float(turning[k]) for k in number], label='"turned", exact')
ax.plot(
    number[:-1],
    [float(straight[k]) for k in number[:-1]],
    label='"straight on", exact',
)
ax.plot(number, by_three, label="equation (3), largest")
ax.axhline(math.e, color=plots.COLOURS["grey"], lw=1, ls="--")
ax.text(100, 1.12 * math.e, "e, allowed at ε = 1", ha="right", color="#555555")
ax.set(
    yscale="log",
    xlabel="people who turned (of 100)",
    ylabel="gain",
    xscale="log",
    ylim=(0.1, 120),
)
ax.legend(loc="upper left")
plots.plt.show()


# %% [markdown]
# The gain of every release is 1, even if all hundred turn where one was expected. Equation (3) looks at the likeliest movement only, and from a
# single place there is but one movement to any histogram. [Notebook 2](02-most-likely-movement.ipynb) shows what is lost, and when it is not.
# Nor is one release the end of it: over a day gains multiply ([notebook 4](04-beyond-the-declared-attackers.ipynb)). Whether the idea, done right,
# buys accuracy that differential privacy cannot have is a question for a linear programme ([notebook 5](05-the-idea-done-right.ipynb)).
#
# Two misprints remain in the definitions. (In the titles of the sections on OPK and NPK the attacker knows places "at time $t$"; the text says
# $t-1$, and at $t$ there would be nothing left to guess.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
def same_index(c):
    """The printed maximum takes the place before and after to be the same."""
    gains = gain_table(before, after, transition=P, definition="exact")
    by_name = all_gains(before, P)[after][1]

    def largest_of(*, as_printed=False):
        return max(
            gains[i, j] for i, j in np.ndindex(3, 3) if i == j or not as_printed
        )

    same = max(by_name[u, i] for u, i in enumerate(origins(before)))
    anywhere = max(by_name.values())
    c.differs(largest_of(as_printed=True), anywhere, "Example 4.1: largest gain")
    c.decisive().exact(
        [largest_of(as_printed=True), largest_of()],
        [same, anywhere],
        "as printed, and over i and j: by every guess of all 5",
    )
    over_possible = max(v for (i, j), v in by_four.items() if leave[i][j])
    about_each = [
        chance_of(swapped, u, j) / leave[i][j]
        for u, i in enumerate(origins(own))
        for j in (0, 1)
        if leave[i][j]
    ]
    told = "nobody stays at A: over P_ij > 0, by every guess"
    c.decisive().exact(over_possible, max(about_each), told)
    c.differs(max(by_four.values()), over_possible, "there, impossible moves too")


def factor(c):
    """Of the two shares at hand one makes OPK's guesses sum to 1, the other MK's."""
    gains = [chance_of(moves_of[after], 0, j) / P[0][j] for j in range(3)]
    right = gain_table(before, after, transition=P, definition="exact")[0]
    shares = [n / sum(prediction) for n in prediction]

    def sum_of_g(*, as_printed=False):
        factors = shares if as_printed else P[0]
        return sum(v * gain for v, gain in zip(factors, gains))

    label = "Example 4.1: sum of g, factor = predicted share"
    c.differs(sum_of_g(as_printed=True), sum_of_g(), label)
    c.decisive().exact(sum_of_g(), F(1), "OPK, factor P_ij: sum 1")
    by_mk = [posterior_over_prior[after, j] / five[after] for j in range(3)]

    def sum_by_mk(factors):
        return sum(v * gain for v, gain in zip(factors, by_mk))

    one_each = [sum_by_mk(row) for row in P]
    c.decisive().exact(sum_by_mk(shares), F(1), "MK, factor share: sum 1")
    by_hand = [F(59, 65), F(199, 195), F(223, 195)]
    c.exact(one_each, by_hand, "MK, factor P_ij: no origin gives sum 1")
    c.exact(
        [*gains, sum(shares)], [*right, F(1)], "the gains; the shares sum to 1, too"
    )


records = misprints(
    [
        (
            "M-N4",
            r"$\max_{u, \ell_j, \ell_j}$ with $X_{t-1}^u = \ell_j$",
            r"$\max_{i, j}$, $\pi_i \ge 1$, $P_{ij} > 0$, with $X_{t-1}^u = \ell_i$",
            same_index,
        ),
        (
            "M-M16",
            r"factor $p(X_t^u = \ell_j; P_1)$, not defined",
            r"$\tilde\pi_j / N$ for MK, $P_{ij}$ for OPK; any cancels in the gain",
            factor,
        ),
    ]
)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Guesses that are never violated
# :label: ex-lo-01-safe
# ```
# **Warm-up.** Which guesses can never violate $\varepsilon$-adversarial privacy, whatever is released?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-01-safe", ...)


# %% [markdown]
# ```{solution-start} ex-lo-01-safe
# :class: dropdown
# ```
# Those with $f \ge e^{-\varepsilon}$, because $g \le 1$. At $\varepsilon = 1$ that is a prior of 0.368: at the
# crossing everybody who goes straight on.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def least_prior(eps):
    return math.exp(-eps)


assert round(least_prior(1), 3) == 0.368
example = all_gains(before, P)
assert all(
    v <= 2
    for _, gains in example.values()
    for (u, j), v in gains.items()
    if P[origins(before)[u]][j] == round(least_prior(math.log(2)), 9)
)
check("lo-01-safe", least_prior)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Both sides of the bound
# :label: ex-lo-01-two-sided
# ```
# **Standard.** Let NPK attack Example 4.1 with the matrix of this page, prior $P_{ij}$, and let $e^\varepsilon = 3$. How many of the 21 releases are private? How many if both
# sides are asked for, $e^{-\varepsilon} f \le g \le e^\varepsilon f$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-01-two-sided", ...)

# %% [markdown]
# ```{solution-start} ex-lo-01-two-sided
# :class: dropdown
# ```
# 13 releases keep the one-sided bound. 5 of them keep both: the others make some guess less than a third as likely as it was.

# %% jupyter={"source_hidden": true} tags=["evidence"]
one_sided = {x for x, (_, gains) in example.items() if max(gains.values()) <= 3}
both_sides = {x for x in one_sided if min(example[x][1].values()) >= F(1, 3)}
assert (len(example), len(one_sided), len(both_sides)) == (21, 13, 5)
by_package = [gain_table(before, x, transition=P, definition="exact") for x in example]
assert sum(table.max() <= 3 for table in by_package) == 13
assert sum(table.max() <= 3 and table.min() >= F(1, 3) for table in by_package) == 5
check("lo-01-two-sided", (len(one_sided), len(both_sides)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Markov's inequality for the gain
# :label: ex-lo-01-mean
# ```
# **Standard.** The gain of a guess averages to 1 over the releases. Bound the probability that a release violates $e^\varepsilon = 8/5$ for *one* guess, and for *some*
# guess of NPK, in Example 4.1. Compare with the truth, also for twice and three times as many people.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-01-mean", ...)


# %% [markdown]
# ```{solution-start} ex-lo-01-mean
# :class: dropdown
# ```
# For one guess Markov's inequality gives $\Pr(\mathrm{Gain} > e^\varepsilon) \le e^{-\varepsilon} = 5/8$. For some guess of 15 only the union bound is left, $15 \cdot 5/8$, which says nothing. In
# truth some guess is violated with probability 0.609 for five people, 0.501 for ten and 0.402 for fifteen: with more people about, a release says less about each.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def violated(k, bound):
    """Probability of a release with a gain above the bound, for k times (2, 2, 1)."""
    pi_k = [2 * k, 2 * k, k]
    chances = [
        transition_probability(pi_k, x, transition=P)
        for x in everyday(5 * k)
        if max_gain(pi_k, x, transition=P, definition="exact") > bound
    ]
    return sum(chances)


truth = [round(float(violated(k, F(8, 5))), 3) for k in (1, 2, 3)]
assert truth == [0.609, 0.501, 0.402]
by_guess = [
    sum(p for p, gains in example.values() if gains[g] > F(8, 5))
    for g in example[after][1]
]
assert len(by_guess) == 15
assert max(by_guess) <= F(5, 8)
some = sum(p for p, gains in example.values() if max(gains.values()) > F(8, 5))
assert round(float(some), 3) == truth[0]
check("lo-01-mean", (1 / F(8, 5), some))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Releases that are not whole
# :label: ex-lo-01-mixed
# ```
# **Research.** {prf:ref}`thm-lo-01-order` speaks of whole histograms. Algorithm 1 publishes mixtures $(1 - \alpha)x + \alpha\tilde\pi$. Which step of the proof for equation (3) needs
# whole people? Does the statement hold for mixtures?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-01-mixed
# :class: dropdown
# ```
# "The cheapest flow leaves one person out." With whole histograms it is whole, so the person left out has one origin. With mixtures a flow may leave out parts of several people, which
# can save more than any $G_{ij}(x)$. And so the statement does *not* hold for mixtures. Three places, every transition possible, somebody everywhere:
#
# $$P = \frac{1}{100} \begin{pmatrix} 62 & 19 & 19 \\ 1 & 98 & 1 \\ 4 & 1 & 95 \end{pmatrix}, \qquad \pi = (2, 3, 2), \qquad x = (6, 1, 0).$$
#
# At $\alpha = 0.7$ the mixture is (2.745<!-- {shown_mixed[0]} -->, 2.638<!-- {shown_mixed[1]} -->, 1.617<!-- {shown_mixed[2]} -->). To fill place 1, 0.362<!-- {in_text['from2']} --> come from place 2 and 0.383<!-- {in_text['from3']} --> from place 3, rare moves both. MK's flow leaves out just these
# and 0.255<!-- {in_text['from1']} --> who stayed, together one person: her largest gain by equation (3) is 12.727<!-- {mixed_mk:.3f} -->. No whole person saves as much, and NPK's largest gain
# is 8.120<!-- {mixed_npk:.3f} -->. So Algorithm 1, asked to protect against NPK at $\varepsilon = 1$, may stop too early for MK: with the smallest weight, 0.785<!-- {shown_early:.3f} -->, it publishes
# a histogram with the gain $e$ for NPK and 3.25<!-- {early_mk:.2f} --> for MK. (MK's exact gain there, $x_j / \tilde\pi_j$, is at most 1.74<!-- {early_exact:.2f} -->.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert mixed == (F(2745, 1000), F(2638, 1000), F(1617, 1000))
parts = [1 - (pi3[1] - mixed[1]) - (pi3[2] - mixed[2]),
         pi3[1] - mixed[1], pi3[2] - mixed[2]]  # fmt: skip
assert mixed[0] == pi3[0] + parts[1] + parts[2]  # those of place 1 stay
# What these parts cost, over what a person costs who stays, as in the prediction.
by_hand = math.prod(float(1 / far[i][0]) ** float(v) for i, v in enumerate(parts))
assert math.isclose(by_hand * far[0][0], listed[1], rel_tol=1e-9)
early = private_histogram(pi3, x3, transition=far, epsilon=1)
stop = F(early.alpha)
there = [(1 - stop) * v + stop * m for v, m in zip(x3, ahead3)]
again = by_corners(pi3, there, far)
assert math.isclose(again[0], math.e, rel_tol=1e-6)
assert again[1] > 1.15 * math.e
by_package = max_gain(pi3, early.histogram, transition=far, adversary="MK")
assert math.isclose(again[1], by_package, rel_tol=1e-9)
exact_there = float(max(v / w for v, w in zip(there, ahead3)))
told = [f"{float(v):.3f}" for v in (*mixed, *parts)]
shown_mixed = told[:3]
in_text = {}
for place, part in enumerate(told[3:], start=1):
    in_text[f"from{place}"] = part
mixed_npk = round(listed[0], 6)
mixed_mk = round(listed[1], 6)
shown_early = round(early.alpha, 6)
early_mk = round(again[1], 6)
early_exact = round(exact_there, 6)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Adversarial privacy bounds what a release *adds* to public knowledge about a person. It is one-sided: at
#   $\varepsilon = 1$ a place of prior up to 0.632<!-- {excluded:.3f} --> may be excluded with certainty.
# - MK's exact gain is $x_j / \tilde\pi_j$, that of OPK and NPK $E[a_{ij}] / (\pi_i P_{ij})$. Equation (1) needs masses
#   that cannot occur.
# - Knowing less can be worth more in general; among these three classes, and for whole histograms, it never is by the exact law, and by equation (3) if every transition is
#   possible.
# - At the crossing the definition asks for what one would wish. The check by equation (3) does not see who turns.
#
# **Further reading.** The definition comes from {cite:p}`rastogi2009relationship`; on background knowledge
# {cite:p}`kifer2011free` and {cite:p}`gotz2012maskit`; on continual release {cite:p}`dwork2010continual` and
# {cite:p}`cao2017quantifying`. The paper is {cite:p}`kawamoto`. **Next:**
# [the most likely movement](02-most-likely-movement.ipynb).
