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
# # What did the experiment measure?
#
# The last part of the paper goes from places to *paths*, publishes the counts of all paths of five
# stations every minute of a day, and compares the ranking of frequent paths with the true one: nearly
# perfect. The data cannot be passed on, so we cannot repeat the experiment. What we can do is to run its
# protocol on two invented towns of the same size, beside a mechanism that publishes *nothing but forecasts*.
# That one gets a perfect score too. So what was measured, and what should have been?
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how a process of order five becomes one of order one, why its flow network falls
# into small blocks that must balance, what a score like NDCG can and cannot see, and how to build
# a baseline that unmasks an evaluation.
# **You need** Algorithm 1 (notebook 3) and the most likely movement (notebook 2).
# **Time:** 30 minutes; the cells run for about half a minute.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** of class NPK knows the transition matrix and where everybody was a minute ago; gains are
# those of equation (3). **Protected:** the guess "this person now goes on to $\ell_j$". **Not protected:** the
# transition matrix itself, which is learnt from the people whom the release should protect. The baseline
# protects a whole sequence, by differential privacy, whatever the attacker knows.
# ```

# %%
import itertools
from fractions import Fraction

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import sympy as sp
from myst_nb import glue

from privlib.kit import claim, plots, railway
from privlib.location import flow, gain, ngram, paths, ranking, release

plots.use()

# %% [markdown]
# Stations are numbered from 0 in the code. A *path* of length $n$ is what somebody's last $n$ minutes looked like; staying
# counts, so $(4, 4, 4, 4, 4)$ is a path.
#
# ## What does order one not see?
#
# ````{prf:definition} Process of order $n$ (section 5, 高階マルコフ過程)
# :label: def-lo-06-order
#
# The states are the paths that can be walked, $S_n \subset V^n$. A step leads from
# $(\ell_1, \dots, \ell_n)$ to $(\ell_2, \dots, \ell_{n+1})$, with the probability
# $P_n$ of $\ell_{n+1}$ after $\ell_1, \dots, \ell_n$. What is published is how many people have each path.
# ````
#
# Three stations on a ring. In the first town half of the people go round clockwise, half the other way, and nobody
# ever turns. In the second everybody tosses a coin at every station. Order one cannot tell them apart.

# %%
ring = np.arange(3)[:, None]
steady = np.vstack([(ring + np.arange(5)) % 3, (ring - np.arange(5)) % 3])
coins = np.array(list(itertools.product([-1, 1], repeat=4))).cumsum(axis=1)
walk = np.hstack([np.zeros((16, 1), int), coins])
tossing = ((ring[:, None] + walk) % 3).reshape(-1, 5)  # all coins, all starts
towns = {"steady": steady, "tossing": tossing}
M = {}
for (name, town), n in itertools.product(towns.items(), (1, 2)):
    dense = paths.transition(paths.observe(town, n)).toarray()
    M[name, n] = np.vectorize(lambda p: Fraction(p).limit_denominator(60))(dense)
pairs = paths.observe(steady, 2).grams.tolist()  # states of order 2, both towns
at = {tuple(pair): k for k, pair in enumerate(pairs)}
ahead, back = (M["steady", 2][at[start, 1], at[1, 2]] for start in (0, 2))
print("order 1, both towns:", M["steady", 1][1].astype(str))
print(f"order 2, steady town: P(2 | 0, 1) = {ahead}, P(2 | 2, 1) = {back}")

with claim("M-H1") as c:
    c.exact(M["steady", 1], M["tossing", 1], "two towns, one matrix of order 1")
    crowd = [np.bincount(t[:, 2]) * (48 // len(t)) for t in towns.values()]
    c.exact(*crowd, "and one histogram, for 48 people each")
    c.holds(bool((M["steady", 2] != M["tossing", 2]).any()), "order 2 differs")
with claim("M-H2") as c:
    c.exact([ahead, back], [Fraction(1), Fraction(0)], "P(2|0,1) and P(2|2,1)")
    returns = np.count_nonzero(steady[:, :-2] == steady[:, 2:])
    c.exact(returns, 0, "the walks themselves: nobody turns")
    by_one = M["steady", 1][0, 1] * M["steady", 1][1, 0]
    c.exact(by_one, Fraction(1, 4), "by order 1 one in four goes 0, 1, 0")

# %% [markdown]
# ## Two invented towns
#
# The paper used positions of railway passengers around Shibuya and Machida in 1998 (People Flow,
# {cite:p}`pflow`), 14 stations each. They are handed out on application only. Ours are invented: the same numbers of
# stations, people and minutes, trips to work and back with errands in between, trains of two or three minutes a stop,
# waits where lines change. **Nothing in them is fitted to real passengers**; they can show what a protocol
# is able to tell, not how well the paper's method does around Shibuya.

# %%
names, order = ("urban14", "suburb14"), 5
days = {t: railway.simulate(t, np.random.default_rng(0)) for t in names}
seen = {t: paths.observe(day.sequences, order, size=14) for t, day in days.items()}
truth = {t: seen[t].histograms() for t in days}  # (times, states)
P = {t: paths.transition(seen[t]) for t in days}
for t, day in days.items():
    print(f"{t}: {len(day.sequences)} people, {day.trips} trips,", end=" ")
    print(f"{len(seen[t].grams)} paths seen, {P[t].nnz} steps between them")
lost = "the data are given on application only"
with claim("M-E1") as c:
    c.missing(f"{lost}; the lists of stations are not in the text")
    c.exact([len(d.sequences) for d in days.values()], [2062, 683], "ours: as many")

# %% mystnb={"figure": {"caption": "The two invented towns. Seven lines in a mesh, two lines that cross once; colour, the largest number of people that a station holds during the day.", "name": "fig-lo-06-towns"}, "image": {"alt": "Two railway maps of 14 stations each, a mesh with two cycles and a cross of two lines; the hub in the middle is by far the brightest in both."}}
fig, axes = plots.panels(1, 2, width=9.0, height=3.6)
for ax, (t, day) in zip(axes, days.items()):
    net = nx.empty_graph(14)
    net.add_edges_from(day.edges.tolist())
    top, where = day.histograms.max(axis=0), dict(enumerate(day.places))
    plots.draw_network(net, ax, positions=where, values=top, value_label="people")
    ax.set_title(t)
plt.show()

# %% [markdown]
# Of the $14^5$ conceivable paths few can be walked, and fewer are.

# %%
every = np.indices((14,) * order).reshape(order, -1).T  # all conceivable paths
with claim("M-H3") as c:
    for t, day in days.items():
        reach = np.eye(14, dtype=np.int64)
        reach[tuple(day.edges.T)] = reach[tuple(day.edges.T[::-1])] = 1
        can = int(reach[every[:, :-1], every[:, 1:]].all(axis=1).sum())
        powers = int(np.linalg.matrix_power(reach, order - 1).sum())
        c.exact(can, powers, f"{t}: walkable paths, listed and by powers")
        states = seen[t].grams
        within = reach[states[:, :-1], states[:, 1:]]
        c.exact(int(within.min()), 1, "every state is walkable")
        print(f"{t}: {len(every)} conceivable, {can} walkable, {len(states)} seen")

number = {t: seen[t].grams @ 14 ** np.arange(order - 1, -1, -1) for t in days}
with claim("M-H5") as c:
    for t, day in days.items():
        direct = paths.gram_counts(day.sequences, order, size=14)  # without states
        c.exact(truth[t].sum(axis=0), direct[number[t]], f"{t}: counted directly")
        c.exact(int(truth[t].sum()), int(direct.sum()), "and no others")

# %% [markdown]
# ## Does everything carry over to paths?
#
# The paper says so (M-H4). The definitions do. But the flow network changes its nature: a step keeps all but
# the first station, so people with different recent pasts can never be exchanged.
#
# ````{prf:proposition} Blocks
# :label: prp-lo-06-blocks
#
# For $n \ge 2$ the network of a step is a direct sum over the *contexts* $m \in V^{n-1}$, of at most $L$ sources
# $(a, m)$ and $L$ sinks $(m, b)$ each. A movement from $\pi$ to $x$ exists only if every block balances,
# $\sum_a \pi_{am} = \sum_b x_{mb}$. True histograms balance, and so does $\tilde\pi = \pi P$ with its own
# $\pi$. The mixture $\pi^* = (1 - \alpha) x + \alpha \tilde\pi$ balances with $\pi$, but as the *origin*
# of the next step it is off by
# $\alpha \sum_a (\tilde\pi_{am} - x_{am})$ in block $m$.
# ````
#
# The last line is linear algebra; sympy does it for one block with two sources and two sinks.

# %%
al, x1, x2, f1, f2, n1 = sp.symbols("alpha x_1 x_2 f_1 f_2 n_1")
n2 = x1 + x2 - n1  # the next true histogram balances with the true x
mixed = [(1 - al) * x + al * f for x, f in ((x1, f1), (x2, f2))]
off = sp.expand(sum(mixed) - (n1 + n2))
assert sp.simplify(off - al * ((f1 + f2) - (x1 + x2))) == 0
sp.factor(off)

# %% [markdown]
# And the smallest case: two people, two stations, order 2; one of them turns.

# %%
tiny = paths.observe([[0, 0, 1, 1], [0, 0, 0, 0]], 2)  # states 00, 01, 11
P_tiny = [[Fraction(2, 3), Fraction(1, 3), 0], [0, 0, 1], [0, 0, 1]]
h0, h1, h2 = ([Fraction(int(v)) for v in h] for h in tiny.histograms())
half = [(x + f) / 2 for x, f in zip(h1, release.prediction(h0, P_tiny))]
off_tiny = [half[0] - h2[0] - h2[1], half[1] + half[2] - h2[2]]
print("half-way release", *map(str, half), "  next truth", *map(str, h2))
print("blocks 0 and 1 off by", *map(str, off_tiny))
try:
    P_float = paths.transition(tiny).toarray()
    flow.most_likely_movement(
        np.array(half, float), np.array(h2, float), transition=P_float
    )
except flow.InfeasibleError as error:
    left_behind = error.shortfall

steps = [(a, b, t) for t in days for a, b in itertools.pairwise(truth[t])]
off_by = [np.abs(paths.imbalance(a, b, paths=seen[t])).sum() for a, b, t in steps]
off_true = sum(off_by)
with claim("M-B12") as c:
    c.exact(off, al * (f1 + f2 - x1 - x2), "mixture: off by alpha times a difference")
    c.exact(int(off_true), 0, f"all {len(steps)} true steps of both towns balance")
    c.exact(off_tiny, [Fraction(1, 6), Fraction(-1, 6)], "two people: off by a sixth")
    c.close(left_behind, 1 / 6, "the transport solver leaves it behind", rtol=1e-6)
    for t in days:
        s, q = P[t].nonzero()
        same = (seen[t].before_block[s] == seen[t].after_block[q]).all()
        c.holds(bool(same), f"{t}: no step leaves its block")

# %% [markdown]
# So the theorem of the flow network survives, with more to be said: blocks are small, which settles the paper's question of scale
# for $n \ge 2$, but they must balance. What does not carry over is that Algorithm 1
# takes *its own last output* for the origin. We run the algorithm once with the true origin,
# as the class NPK has it, repaired as in notebook 3. The paper prints neither $\varepsilon$ nor the step for this experiment;
# $\varepsilon = 1$ and $s = 1/4$ are our choice.

# %%
published, alphas, gains = {}, {}, {}
for t in days:
    out = [
        release.private_histogram(pi, x, transition=P[t], epsilon=1.0, step=0.25)
        for pi, x in itertools.pairwise(truth[t])
    ]
    published[t] = np.array([truth[t][0], *(r.histogram for r in out)])
    alphas[t], gains[t] = np.array([(r.alpha, r.gain) for r in out]).T

short, ahead = {}, {}
for t in days:
    chained = zip(published[t][:-1], truth[t][1:])
    off_by = [np.abs(paths.imbalance(a, b, paths=seen[t])).sum() for a, b in chained]
    short[t], ahead[t] = np.array(off_by) / 2, truth[t][:-1] @ P[t]
    bad = short[t] > 1e-6
    raw, only = np.mean(alphas[t] == 0), np.mean(alphas[t] == 1)
    print(f"{t}: raw {raw:.1%}, forecast only {only:.1%} of the minutes;")
    print(f"  unroutable from the last release: {bad.sum()} of {len(bad)},", end=" ")
    print(f"{short[t][bad].mean():.1f} people short on average")
with claim("M-E3") as c:
    c.missing("the level, the step, the class of attackers, the source of the matrix")
for t in days:
    glue(f"unrouted-{t}", int((short[t] > 1e-6).sum()), display=False)

# %% [markdown]
# A person cannot be taken from a forecast below 1, and at order 5 *every* minute has such a path; so the gain
# must be read as that of a small fraction of a person (`unit="infinitesimal"`, notebook 3).

# %% tags=["hide-input"]
with claim(
    "M-H4",
    printed="the argument carries over, with $\\pi^*(t-1)$ in place of $\\pi(t-1)$",
    corrected="blocks must balance: it carries over with the true $\\pi(t-1)$, and "
    "with the gain of a small part of a person",
    consequence="From the published origin only $\\alpha = 1$ balances (if an "
    "unroutable pair has probability 0): after the first change all is a forecast of "
    "forecasts. Theorem 4.1 taken literally routes a part of the people and goes on.",
) as c:
    c.fails(off_tiny == [0, 0], "two people, half-way release: a sixth is stuck")
    c.exact(int(off_true), 0, "true origins always balance")
    for t in days:
        stuck = int((short[t] > 1e-6).sum())
        c.fails(stuck == 0, f"{t}: {stuck} unroutable steps", method="numeric")
        c.at_most(stuck, int((alphas[t] > 0).sum()), f"{t}: only after a mixture")
        below = ((ahead[t] > 0) & (ahead[t] < 1 - 1e-9)).any(axis=1)
        c.holds(bool(below.all()), f"{t}: a forecast below 1 in every minute")
        c.at_most(gains[t], np.e * (1 + 1e-9), f"{t}: true origins, gains at most e")

# %% [markdown]
# ## What can the score see?
#
# ````{prf:definition} The score (section 6)
# :label: def-lo-06-ndcg
#
# Let $rank^*_i$ be the true rank of the $i$-th path of the released ranking and $rel_i = k - rank^*_i$. Then
# $\mathrm{DCG}_k = \sum_{i \le k} 2^{rel_i - 1} / \log(1 + i)$, and $\mathrm{NDCG}_k$
# {cite:p}`jarvelin2000ir` is its quotient by that of the true ranking.
# ````
#
# The usual gain is $2^{rel_i} - 1$, for relevances that are not negative. The printed $2^{rel_i - 1}$ is $2^{rel_i}$ up to a constant that
# cancels, and with $rel_i = k - rank^*_i$, which is negative beyond rank $k$, it is the one of the two that stays
# in $[0, 1]$.

# %%
k, r, j = sp.symbols("k r j", positive=True)
constant = sp.simplify(2 ** (k - r - 1) / 2 ** (k - r))
weight = sp.simplify(2 ** (k - r - 1) / 2 ** (k - 1))  # of true rank r, scaled
print("printed gain / 2^rel =", constant, "   weight of true rank r =", weight)

scores, raised = {}, []
for o, top in itertools.product(itertools.permutations(range(5)), range(1, 6)):
    released = [5 - o.index(i) for i in range(5)]
    scores[o, top] = ranking.ndcg([5, 4, 3, 2, 1], released, k=top, gain="printed")
for o, top in scores:  # exchange two neighbours that stand the wrong way round
    for i in (i for i in range(min(top, 4)) if o[i] > o[i + 1]):
        better = (*o[:i], o[i + 1], o[i], *o[i + 2 :])
        raised.append(scores[better, top] - scores[o, top])
low, high = min(scores.values()), max(scores.values())
print(f"{len(scores)} scores in [{low:.4f}, {high:.4f}],", end=" ")
print(f"each of {len(raised)} repairs of neighbours raises one")

true_counts, start = np.arange(300, 0, -1.0), {}
print("first m right, the others wrong:   NDCG at 100   precision at 100")
for m in (1, 3, 5, 8, 10):
    wrong = np.where(np.arange(300) < 190, 0, true_counts)  # these come last
    wrong[:m] = true_counts[:m] + 1000
    start[m] = ranking.ndcg(true_counts, wrong, k=100, gain="printed")
    share = ranking.precision_at(true_counts, wrong, k=100)
    print(f"{m:31d} {start[m]:13.4f} {share:18.2f}")
glue("ten-right", round(start[10], 6), display=False)

# %% tags=["hide-input"]
with claim("M-E5") as c:
    c.exact(constant, sp.Rational(1, 2), "the printed gain is half of 2^rel")
    discount, rank_of = 1 / np.log(np.arange(2, 7)), np.array([2, 1, 3, 4, 5])
    by_hand = (0.5**rank_of @ discount) / (0.5 ** np.arange(1, 6) @ discount)
    c.close(scores[(1, 0, 2, 3, 4), 5], by_hand, "first two exchanged, by hand")
with claim("M-E6") as c:
    c.exact(weight, 2 ** (-r), "the weight halves with every true rank")
    tail, head = (sp.summation(2 ** (-j), (j, *ab)) for ab in ((11, sp.oo), (1, 10)))
    c.exact(tail / head, sp.Rational(1, 1023), "all beyond rank 10, to the first 10")
with claim("M-E7") as c:
    c.at_most(0, low, "120 orders of 5 paths, k = 1..5: not negative")
    c.at_most(high, 1, "and at most 1", slack=1e-12)
    c.at_most(1e-6, raised, "bringing two neighbours into the true order raises it")
    best = [v for (o, top), v in scores.items() if o[:top] == tuple(range(top))]
    c.close(best, np.ones(len(best)), "the true order has 1", rtol=1e-12)


# %% [markdown]
# The definition is consistent. But with ten paths right and ninety wrong the score at 100 is
# {glue:text}`ten-right:.4f`, where the share of right paths is a tenth: the curve against $k$ repeats
# what the first ten say.
#
# ## The protocol on the two towns
#
# The baseline {cite:p}`chen2012ngrams` publishes once, a tree of $n$-gram counts with noise that protects whole sequences. Neither the bound
# on their length nor the form of the sequences is printed. We take all 1,440 minutes, the form
# in which the proposed method counts, and three runs.

# %%
def baseline(data, epsilon, l_max, seed):
    rng = np.random.default_rng(seed)
    options = {"n_max": order, "l_max": l_max, "symbols": 14, "rng": rng}
    return ngram.ngram_dp(data, epsilon=epsilon, **options).counts(order)


ks = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]
ndcg = {}
for t, day in days.items():
    true = paths.gram_counts(day.sequences, order, size=14)
    runs = {f"DP-{e}": [] for e in (1, 100)}
    for e, i in itertools.product((1, 100), range(3)):
        runs[f"DP-{e}"].append(baseline(day.sequences, e, 1440, i))
    forecast = truth[t][0] + ahead[t].sum(axis=0).round(6)
    sums = {"Algorithm 1": published[t].sum(axis=0), "forecasts only": forecast}
    for name, values in sums.items():
        runs[name] = [np.zeros(14**order)]
        runs[name][0][number[t]] = values
    for name, all_runs in runs.items():
        scored = [
            [ranking.ndcg(true, v, k=k, gain="printed") for k in ks] for v in all_runs
        ]
        ndcg[t, name] = np.array(scored)
with claim("M-E4") as c:
    c.missing("the baseline's longest n-gram and sequence, and the form of its input")

# %% mystnb={"figure": {"caption": "Figure 2's protocol on the two invented towns. Algorithm 1 (\u03b5 = 1 for each release, true origins) ranks the paths perfectly, and so does a release of nothing but forecasts, drawn as crosses on the same line. DP-1 and DP-100 spend \u03b5 once for the whole day; bands span three runs.", "name": "fig-lo-06-ndcg"}, "image": {"alt": "Two panels, NDCG from 0 to 1 against k from 1 to 100 on a logarithmic axis. In both the line of Algorithm 1 lies at 1 with the crosses of the forecasts on it; DP-100 lies at or just below 1; DP-1 is a wide band between about 0.2 and 1."}}
fig, axes = plots.panels(1, 2, width=8.6, height=3.3, sharey=True)
look = {"Algorithm 1": "blue", "DP-1": "orange", "DP-100": "green"}
for ax, t in zip(axes, days):
    for style, (name, colour) in zip(("-", "--", "-."), look.items()):
        low, mid, high = np.quantile(ndcg[t, name], (0, 0.5, 1), axis=0)
        ax.semilogx(ks, mid, ls=style, color=plots.COLOURS[colour], label=name)
        ax.fill_between(ks, low, high, alpha=0.2, lw=0, color=plots.COLOURS[colour])
    ax.plot(ks, ndcg[t, "forecasts only"][0], "kx", ms=7, label="forecasts only")
    ax.set(title=t, xlabel="k", ylim=(0, 1.05))
axes[0].set_ylabel("NDCG at k")
axes[1].legend(loc="lower right")
plt.show()

# %% tags=["hide-input"]
for (t, name), runs in ndcg.items():
    print(f"{t:9s} {name:15s} NDCG at 100:", *(f"{v:.3f}" for v in runs[:, -1]))
trips = paths.collapse(days["suburb14"].sequences)  # the same day with stays left out
true = paths.gram_counts(trips, order, size=14)
without = {}
for e in (1, 100):
    runs = [baseline(trips, e, 20, i) for i in range(3)]
    without[e] = [ranking.ndcg(true, v, k=100, gain="printed") for v in runs]
    print(f"suburb14  DP-{e}, stays left out:", *(f"{v:.2f}" for v in without[e]))

with claim("M-E8") as c:
    c.missing(f"{lost}; Figure 2 is not in the text")
    for t in days:
        c.at_most(0.999, ndcg[t, "Algorithm 1"], f"{t}: nearly the true ranking")
        c.at_most(0.999, ndcg[t, "forecasts only"], f"{t}: forecasts alone, too")
with claim("M-E10") as c:
    c.missing(f"{lost}; the baseline's parameters are not printed")
    rise = float(np.median(without[100]) - np.median(without[1]))
    c.at_most(0.3, rise, "suburb14, stays left out: DP-100 is 0.3 better")
with claim("M-E11") as c:
    c.missing(f"{lost}; Figure 2 is not in the text")
with claim("M-A4") as c:
    c.missing("the experiment; its score cannot tell releases from forecasts (M-B11)")

# %% [markdown]
# On our towns DP-100 is near 1; DP-1 is not, and differs from run to run. How it does depends as much on the form of
# the input as on $\varepsilon$. The paper reports little dependence on $\varepsilon$; with other data and unknown
# parameters that is no contradiction.
#
# ## Why forecasts score 1
#
# The matrix has to come from somewhere, and $P_{ss'} = \sum_t a_{ss'}(t) / \sum_t \pi_s(t-1)$ from the same
# day is the natural choice. Then the sum over the day cancels the matrix:
#
# $$ \sum_t \pi_s(t-1)\, P_{ss'} = \sum_t a_{ss'}(t) \quad\Longrightarrow\quad
#    \sum_t \tilde\pi(t) = \sum_t \pi(t). $$

# %%
a = sp.symarray("a", (2, 3, 3))  # movements in two steps between three states
learnt = a.sum(axis=0) / a.sum(axis=(0, 2))[:, None]  # the matrix, by rows
forecasts = sum(a[t].sum(axis=1) @ learnt for t in range(2))
difference = [sp.simplify(v) for v in forecasts - a.sum(axis=(0, 1))]
print("sum of forecasts - sum of histograms:", difference)

with claim("M-B11") as c:
    c.exact(difference, [sp.Integer(0)] * 3, "two steps, three states: the same sums")
    for t in days:
        counted = np.bincount(seen[t].index[:, 1:].ravel())
        c.close(ahead[t].sum(axis=0), counted, f"{t}: all {len(counted)} sums")
        c.close(ndcg[t, "forecasts only"][0], 1.0, f"{t}: NDCG at every k")

# %% [markdown]
# So a release of forecasts, which takes from the minute that it describes nothing but its share in the matrix, is perfect
# in this evaluation, by *any* measure of the day's sums. That does not show Algorithm 1 to be bad. It shows that the experiment
# could not have told.
#
# ## Which paths are left unprotected?
#
# The paper explains the good score: rare paths are not protected where the process makes the next step obvious. The
# mechanism behind it is the block again. Where a block has a single occupied source, everybody in it comes from
# there; the flow is forced, and the gain by equation (3) is 1 whatever happens.

# %%
exposed = {}
for t in days:
    h, states = truth[t][:-1], len(seen[t].grams)
    _, block = np.unique(seen[t].before_block, return_inverse=True)
    sources = np.array([np.bincount(block, weights=row > 0) for row in h])
    walk = np.arange(len(h)) * states + seen[t].index[:, :-1]
    walk, people = np.unique(walk * states + seen[t].index[:, 1:], return_counts=True)
    minute, s, q = walk // states**2, walk // states % states, walk % states
    prior = np.asarray(P[t][s, q]).ravel()
    true_gain = people / (h[minute, s] * prior)  # exact where the source is alone
    alone = sources[minute, block[s]] == 1
    bad = alone & (true_gain > np.e) & (alphas[t][minute] == 0)
    rare = int(people[bad & (prior < 0.1)].sum())
    exposed[t] = (rare, minute[bad][0], s[bad][0], q[bad][0], true_gain[bad][0])
    share = (sources == 1).sum() / (sources > 0).sum()
    print(f"{t}: one source in {share:.0%} of the blocks; raw, exact gain above e:")
    print(f"  {people[bad].sum()} moves in {len(set(minute[bad]))} minutes,", end=" ")
    print(f"{rare} with prior below 0.1, worst gain {true_gain[bad].max():.0f}")

# %%
fair = [[Fraction(1, 2)] * 2] * 2  # two people at 0, a fair coin each; both go to 1
both = [
    gain.gain_table([2, 0], [0, 2], transition=fair, law=w)
    for w in ("printed", "exact")
]
forced = [table[0, 1] for table in both]
_, now, s, q, true_gain = exposed["suburb14"]
pair = truth["suburb14"][now], truth["suburb14"][now + 1]
small = {"transition": P["suburb14"], "unit": "infinitesimal"}
by_three = gain.gain_table(*pair, **small)[s, q]
path = seen["suburb14"].grams
print(f"two people: gain by (3) {float(forced[0]):.0f}, exact {forced[1]}")
print(f"{path[s]} -> {path[q]}: gain by (3) {by_three:.3f}, exact {true_gain:.1f}")
with claim("M-E9") as c:
    c.missing(f"{lost}, so which paths were left alone there is not known")
    c.exact(forced[1], Fraction(2), "two people at one place: the exact gain is 2")
    c.close([float(forced[0]), by_three], [1, 1], "by (3) it is 1, and in suburb14")
    for t in days:
        rare = exposed[t][0]
        c.at_most(1, rare, f"{t}: {rare} raw moves with a prior below 0.1")

# %% [markdown]
# So the explanation describes the mechanism, on our towns, but "obvious" is not the word: what is not protected is
# what happens to people who share their recent past with nobody on another path, however surprising it is.
#
# ## A measure that can tell
#
# A release should be judged by what it says *beyond* the forecast, minute by minute. With the distance
# $\|\cdot\|_1$ in people, let
#
# $$ \text{skill} = 1 - \frac{\sum_t \|\pi^*(t) - \pi(t)\|_1}{\sum_t \|\tilde\pi(t) - \pi(t)\|_1}: $$
#
# 1 for the truth, 0 for forecasts, negative for what is worse than a forecast.

# %%
rng = np.random.default_rng(6)
rows, errors = {}, {}
print("                         NDCG@100  prec@100  people off a minute   skill")
for t in days:
    h, chain = truth[t], [truth[t][0].astype(float)]
    for _ in range(len(h) - 1):
        chain.append(chain[-1] @ P[t])
    variants = {
        "Algorithm 1": published[t],
        "forecasts only": np.vstack([h[:1], ahead[t]]),
        "midnight forecast": np.array(chain),
        "Laplace noise": h + rng.laplace(0, 2, h.shape),  # epsilon = 1 each minute
    }
    for name, out in variants.items():
        errors[t, name] = np.abs(out - h).sum(axis=1)
        skill = 1 - errors[t, name].sum() / np.abs(ahead[t] - h[1:]).sum()
        sums = h.sum(axis=0), out.sum(axis=0).round(6)
        rows[t, name] = ranking.ndcg(*sums, k=100, gain="printed"), skill
        precision = ranking.precision_at(*sums, k=100)
        off_mean = errors[t, name].mean()
        print(f"{t:9s}{name:18s}{rows[t, name][0]:10.4f}{precision:9.2f}", end="")
        print(f"{off_mean:16.1f}{round(skill, 2) + 0:14.2f}")
    assert abs(rows[t, "forecasts only"][1]) < 1e-9
    assert rows[t, "Algorithm 1"][1] > 0.3
    assert rows[t, "Laplace noise"][1] < -10
for t in days:
    glue(f"skill-{t}", round(float(rows[t, "Algorithm 1"][1]), 6), display=False)
assert all(score > 0.9 for score, _ in rows.values())

# %% mystnb={"figure": {"caption": "The same releases, judged minute by minute in the suburb (means over 15 minutes). The day's sums of all of them rank the paths with an NDCG above 0.9. The number of people in the wrong path tells them apart by a factor of a hundred.", "name": "fig-lo-06-skill"}, "image": {"alt": "Logarithmic plot of people counted wrongly a minute against the hour. Noise lies flat near 400, the forecast from midnight rises to several hundred in the morning, forecasts lie near 10 with two peaks, Algorithm 1 below them."}}
fig, ax = plots.panels(width=7.8, height=3.3)
for name in ("Laplace noise", "midnight forecast", "forecasts only", "Algorithm 1"):
    error = errors["suburb14", name][:1425].reshape(-1, 15).mean(axis=1)
    label = f"{name} (NDCG {rows['suburb14', name][0]:.2f})"
    ax.semilogy(np.arange(95) / 4, error + 0.05, label=label)
ax.set(xlabel="hour", ylabel="people off (a minute)", xticks=range(0, 25, 3))
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# By this measure Algorithm 1 does tell something, a skill of {glue:text}`skill-urban14:.2f` and
# {glue:text}`skill-suburb14:.2f`. How much of it comes from steps that
# equation (3) does not see, the skill does not say: it measures use, not privacy.
#
# ## Exercises
#
# ```{exercise-start} Two rankings compared
# :label: ex-lo-06-score
# ```
# **Warm-up.** Two rankings of 100 paths: one exchanges the true first and second, the other is right up to rank 10 and
# random beyond. Which has the higher NDCG at 100?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-06-score
# :class: dropdown
# ```
# The second, by far: the first rank alone carries nearly two thirds of the weight.

# %%
orders = [true_counts.copy(), true_counts.copy()]
orders[0][[0, 1]] = orders[0][[1, 0]]
orders[1][10:] = np.random.default_rng(0).permutation(orders[1][10:])
first, second = (ranking.ndcg(true_counts, v, k=100, gain="printed") for v in orders)
print(f"{first:.4f} {second:.4f}")
assert first < 0.9 < 0.999 < second and 0.6 < start[1] < 2 / 3

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} States and sources by order
# :label: ex-lo-06-orders
# ```
# **Standard.** How do the number of states and the share of single-source blocks grow with the order, and what does
# that mean for the gain by equation (3)?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-06-orders
# :class: dropdown
# ```
# The longer the path, the fewer people share its end with another path: more and more steps have gain 1 by
# construction.

# %%
shares = []
for n in (1, 2, 3, 5):
    p = paths.observe(days["suburb14"].sequences, n, size=14)
    _, block = np.unique(p.before_block, return_inverse=True)
    occupied = [np.bincount(block, weights=row > 0) for row in p.histograms()]
    shares.append(np.equal(occupied, 1).sum() / np.greater(occupied, 0).sum())
    print(f"order {n}: {len(p.grams):4d} states, one source: {shares[-1]:.2f}")
assert shares == sorted(shares) and shares[0] == 0 and shares[-1] > 0.8

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A matrix from another day
# :label: ex-lo-06-other-day
# ```
# **Research.** Learn the matrix on another day (another seed) with smoothing. Does the ranking of pure forecasts still pass? Does the
# skill measure, with *that* forecast as its zero, still work?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-06-other-day
# :class: dropdown
# ```
# The ranking still passes; nothing about today is needed for it but the histogram a minute ago.

# %%
other = railway.simulate("suburb14", np.random.default_rng(1))
both = np.vstack([days["suburb14"].sequences, other.sequences])
p = paths.observe(both, order, size=14)
today = np.arange(len(both)) < 683
yesterday = paths.transition(p, people=~today, smoothing=0.01)
h = np.array([np.bincount(w, minlength=len(p.grams)) for w in p.index[today].T])
out = h[:-1] @ yesterday
score = ranking.ndcg(h[1:].sum(axis=0), out.sum(axis=0), k=100, gain="printed")
inform = 1 - np.abs(out - h[1:]).sum() / errors["suburb14", "forecasts only"].sum()
print(f"NDCG at 100 {score:.4f}; skill against today's own matrix {inform:.2f}")
assert score > 0.99 and abs(inform) < 0.2

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Order $n$ is order one on paths, and most of its flow network is trivial: small blocks, each with its own balance. From
#   a published mixture the next true histogram cannot be reached
#   ({glue:text}`unrouted-urban14` and {glue:text}`unrouted-suburb14` minutes of our days); with true origins everything can be routed.
# - The experiment cannot be repeated: the data, the level, the step, the source of the matrix and the
#   parameters of the baseline are not printed.
# - Its protocol cannot tell a good mechanism from a trivial one: with a matrix learnt on the same day, pure forecasts
#   have the day's exact sums. NDCG as printed is consistent and sees little beyond the first ten.
# - Judged minute by minute against the forecast, releases differ by orders of magnitude.
#
# **Further reading.** Chen, Acs and Castelluccia {cite:p}`chen2012ngrams` on the baseline; Järvelin and Kekäläinen
# {cite:p}`jarvelin2000ir` on the score. **Next:** [the same on people in Tokyo](07-tokyo.ipynb).
