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
# # What is the best release against the declared attackers?
#
# The idea of the paper is that protection against *some* attackers, who guess with a known Markov process,
# should cost less accuracy than protection against everybody. Its algorithm does not show whether that is true,
# because its output can be undone. So let us ask the question directly: among *all* ways to publish a histogram
# at random, which one is closest to the truth while no guess gains more than $e^\varepsilon$, even if the
# attacker knows how it was made? The answer is a linear programme, and in a town small enough to solve it, it
# bears the idea out by a wide margin.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why the constraint "no gain above $e^\varepsilon$" is linear in the release, what the best release costs
# and how it looks, why differential privacy of each release is enough but far from necessary, and what the definition still leaves open.
# **You need** Bayes' rule; the gain of the notebooks before this one.
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** is of class NPK: he knows $P$, where everybody was at $t-1$, *and the mechanism*, and sees one
# output. **Protected:** his probability of "this person is now at $j$" may grow at most by the factor $e^\varepsilon$.
# **Not protected:** that it falls, even to 0; several releases (the gains multiply, see the last notebook); attackers with another
# model than $P$, for instance friends who know that two people travel together.
# ```

# %%
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue
from scipy import optimize

from privlib.kit import claim, plots
from privlib.location import mechanism, release

plots.use()

# %% [markdown]
# ## The constraint is linear
#
# A mechanism is a channel $Q(o \mid x)$ from the true histogram to the output. Take two people who were in
# state 1, so that the next histogram is $(0, 2)$, $(1, 1)$ or $(2, 0)$, and one output $o$. The three numbers
# $Q(o \mid x)$ are free; everything else is Bayes' rule.

# %%
p, E = sp.symbols("p E", positive=True)  # P_11, and e^ε
q = sp.symbols("q0:3", nonnegative=True)  # Q(o | 0, 1 or 2 people in state 1)

joint = {}  # of (where the first person is, the output o), over both people's moves
for moves in product((0, 1), repeat=2):
    chance = sp.prod([p if m == 0 else 1 - p for m in moves])
    joint[moves[0]] = joint.get(moves[0], 0) + chance * q[moves.count(0)]
output = joint[0] + joint[1]
excess = sp.expand(joint[0] / p - E * output)  # gain ≤ E  <=>  excess ≤ 0
print("gain of 'in state 1' at most E where this is at most 0:")
print("  ", sp.collect(excess, q))

# %% [markdown]
# The gain is a ratio of two sums over $x$, and both are linear in $Q$; multiplied out, the constraint is
# linear. In general:
#
# ```{prf:proposition} The best release is a linear programme
# :label: thm-lo-05-lp
# A channel is $\varepsilon$-adversarially private against NPK with knowledge of the mechanism if and only if for all outputs $o$ and all $i, j$
# with $\pi_i P_{ij} > 0$
#
# $$ \sum_x Q(o \mid x)\,\bigl(p(x - e_j \mid \pi - e_i) - e^\varepsilon p(x \mid \pi)\bigr) \le 0 . $$
#
# With any expected loss $\sum_x p(x \mid \pi) \sum_o Q(o \mid x)\,\ell(x, o)$ the best one is the solution of a linear programme. For the $L_1$ loss it
# needs no outputs but histograms of $N$ people.
# ```
#
# The second sentence is worth a word. If two outputs lead to the same estimate, merge them: their constraints
# add up. And given an output, the expected $L_1$ loss is piecewise linear in the estimate with bends at whole
# numbers, so a whole histogram is among the best estimates.
#
# ## One person
#
# With a single person, two states and $P_{11} = \tfrac12$ both programmes can be solved by hand. Publish the
# truth except with probability $\delta$. The posterior of the published state is $1 - \delta$, so the gain is
# $2(1 - \delta)$; differential privacy compares $1 - \delta$ with $\delta$. An error costs 2.

# %%
delta = sp.Symbol("delta", positive=True)
adversarial = sp.solve(sp.Eq((1 - delta) / sp.Rational(1, 2), E), delta)[0]
differential = sp.solve(sp.Eq((1 - delta) / delta, E), delta)[0]
print("error probability, adversarial: ", sp.simplify(adversarial))
print("error probability, differential:", differential)
difference = sp.factor(differential - adversarial)
print("difference:", difference)

# %% [markdown]
# The difference has the sign of $(E - 1)$ times a positive factor: for $1 < E \le 2$ adversarial privacy is
# cheaper, and from $E = 2$ on it publishes the truth, because a coin that has fallen is at most twice as likely
# as before.

# %%
half = [[0.5, 0.5], [0.5, 0.5]]
single = {}
for e in (0.1, 0.4, 0.65):
    single[e] = [
        solve([1, 0], half, epsilon=e).loss
        for solve in (mechanism.optimal_mechanism, mechanism.event_level_mechanism)
    ]
    by_hand = [float(2 * d.subs(E, np.exp(e))) for d in (adversarial, differential)]
    print(f"ε = {e}: solver {np.round(single[e], 5)}, by hand {np.round(by_hand, 5)}")
    assert np.allclose(single[e], by_hand, atol=1e-7)
assert sp.simplify(difference - (E - 1) * E / (2 * (E + 1))) == 0

# %% [markdown]
# ## Event-level privacy is enough
#
# Is differential privacy of one release at least *sufficient* against these attackers? It is, and the proof is
# two averages.
#
# ```{prf:proposition} Event-level privacy implies adversarial privacy
# :label: thm-lo-05-dp
# If $Q(o \mid x) \le e^\varepsilon Q(o \mid x')$ whenever $x$ and $x'$ differ by the place of one person, then no gain about anybody exceeds $e^\varepsilon$,
# for every $\pi$ and every $P$.
# ```
#
# Let $D_k = \Pr(o \mid u \text{ at } k)$, an average of $Q$ over what the others do, which does not depend on
# $k$. So $D_j \le e^\varepsilon D_k$. The gain is $D_j / \sum_k P_{ik} D_k$:

# %%
weights, D = sp.symbols("P1:4", positive=True), sp.symbols("D1:4", positive=True)
total = {weights[2]: 1 - weights[0] - weights[1]}  # the row sums to 1
mean = sum(w * d for w, d in zip(weights, D))
slack = sum(w * (E * d - D[0]) for w, d in zip(weights, D))  # each term is ≥ 0
identity = sp.expand((E * mean - D[0] - slack).subs(total))
print("e^ε P(o) - P(o | j)  minus  the weighted slacks  =", identity)

# %%
town = np.array([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])
crowd = [3, 3, 3]
inputs = mechanism.histograms(9, 3)
rng = np.random.default_rng(9)

with claim("M-B10") as c:
    c.exact(identity, 0, "the bound is a mean of the bounds of differential privacy")
    worst = []
    for _ in range(60):
        # exponential mechanism with random outputs; its score has sensitivity 1
        score = np.abs(inputs[:, None] - rng.uniform(-2, 9, (8, 3))).sum(axis=2) / 2
        channel = np.exp(-score / 2)
        channel /= channel.sum(axis=1, keepdims=True)
        matrix = rng.dirichlet([0.4] * 3, 3)
        gains = mechanism.mechanism_gain(crowd, matrix, channel=channel)
        worst.append(np.nanmax(gains))
    c.at_most(worst, np.e, "60 random channels with ε = 1, 60 random matrices")
    moved = np.argwhere(np.abs(inputs[:, None] - inputs).sum(axis=2) == 2)
    best = mechanism.optimal_mechanism(crowd, town, epsilon=1)
    x, y = moved.T
    excluded = bool((best.channel[x][best.channel[y] == 0] > 0.5).any())
    c.holds(
        excluded,
        "not conversely: the best release has no level of DP",
        method="numeric",
    )

print(f"largest gain of the random channels {max(worst):.3f}, allowed {np.e:.3f}")

# %% [markdown]
# So every mechanism for differential privacy, with its budget spent on *one* release, also serves here. What
# does it cost to insist on it?
#
# ## The price of protecting against everybody
#
# Nine people, three in each of three states, and the matrix of the notebook on Algorithm 1. There are 55
# histograms; the programme has $55^2$ unknowns. We solve it for several levels and compare the best release
# under event-level differential privacy, tuned to the same prior, and Algorithm 1.

# %%
levels = np.array([0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.3])
law = mechanism.output_law(crowd, town)
constant = float((law @ np.abs(inputs[:, None] - inputs).sum(axis=2)).min())
curves = {"adversarial": [], "event-level": [], "Algorithm 1": []}
for e in levels:
    curves["adversarial"].append(mechanism.optimal_mechanism(crowd, town, epsilon=e))
    curves["event-level"].append(
        mechanism.event_level_mechanism(crowd, town, epsilon=e)
    )
    out = [
        release.private_histogram(crowd, h, transition=town, epsilon=e).histogram
        for h in inputs
    ]
    walk = mechanism.deterministic_mechanism(crowd, town, releases=out)
    curves["Algorithm 1"].append(walk)
loss = {name: np.array([m.loss for m in found]) for name, found in curves.items()}
gains = {name: np.array([m.gain for m in found]) for name, found in curves.items()}

print("     ε  adversarial  event-level  Algorithm 1")
for k, e in enumerate(levels):
    print(f"{e:6.2f}" + "".join(f"{loss[name][k]:13.4f}" for name in curves))
print(f"a constant: {constant:.4f}   (mean L1 errors)")

# %% mystnb={"figure": {"caption": "Error against level, nine people in three states. Solid, the best adversarially private release; dashed, the best under event-level differential privacy; grey, publishing a constant. Diamonds, Algorithm 1 at the level that it is asked for; the cross is where it really is, by its exact gain of 10.", "name": "fig-frontier"}, "image": {"alt": "Mean L1 error against epsilon from 0.1 to 2.3. The solid curve falls from 2.2 to nearly 0 at epsilon 1.5, the dashed one from 3.0 to 1. Diamonds lie at 1.45 for levels up to 1.5 and drop to 0 at 2. A cross at 2.3."}} tags=["hide-input"]
fig, ax = plots.panels(height=3.8)
ax.plot(levels, loss["adversarial"], marker="o", ms=4, label="adversarial, best")
ax.plot(levels, loss["event-level"], marker="s", ms=4, label="event-level DP, best")
ax.plot(
    levels,
    loss["Algorithm 1"],
    "D",
    color=plots.COLOURS["purple"],
    ms=6,
    label="Algorithm 1, level asked for",
    ls="",
)
ax.plot(
    np.log(10),
    loss["Algorithm 1"][0],
    "X",
    color=plots.COLOURS["black"],
    ms=10,
    ls="",
    label="Algorithm 1, its exact level",
)
ax.axhline(constant, color=plots.COLOURS["grey"], ls=":", lw=1.4)
ax.text(1.75, constant - 0.2, "a constant", color="#555555")
ax.set(xlabel="level ε", ylabel="mean error, people ($L_1$)", ylim=(-0.1, 4.3))
ax.legend(loc="upper right", ncol=2, fontsize=9)
plt.show()

# %% [markdown]
# Algorithm 1 looks better than differential privacy here, at {glue:text}`walk1:.2f` against {glue:text}`event1:.2f` for
# $\varepsilon = 1$. But it is
# a function of the truth, almost one-to-one, so for whoever knows it the gain is that of the truth itself, 10,
# whatever level it was asked for; and the same protection, none, is free.

# %%
at_one = list(levels).index(1.0)
assert np.allclose(gains["Algorithm 1"], 10)
assert round(loss["Algorithm 1"][at_one], 2) == 1.45
assert round(loss["event-level"][at_one], 2) == 2.22
assert (loss["adversarial"] < loss["event-level"]).all()
assert loss["event-level"].max() < constant
ratio = loss["event-level"][at_one] / loss["adversarial"][at_one]
glue("adversarial1", round(float(loss["adversarial"][at_one]), 6), display=False)
glue("walk1", round(float(loss["Algorithm 1"][at_one]), 6), display=False)
glue("event1", round(float(loss["event-level"][at_one]), 6), display=False)
glue("ratio1", round(float(ratio), 4), display=False)


# %% [markdown]
# At $\varepsilon = 1$ the best adversarially private release is off by {glue:text}`adversarial1:.3f` people on
# average, the best event-level one by {glue:text}`event1:.3f`: a factor of {glue:text}`ratio1:.1f`. Here the
# paper's expectation that fewer attackers leave more accuracy is right by an order of magnitude.
#
# ## Two more routes to the same number
#
# A solver's answer is only as good as its formulation. So once more from scratch: positions of named people in
# place of the law of histograms, the *joint* law of truth and output as unknowns, and an interior-point method
# in place of the simplex method. Then a simulation of the attack.

# %%
def from_scratch(before, P, epsilon):
    """Least expected loss; all moves of named people, unknowns P(x, o)."""
    start = np.repeat(np.arange(3), before)
    ends = np.array(list(product(range(3), repeat=len(start))))
    chance = np.prod(P[start, ends], axis=1)
    table = mechanism.histograms(len(start), 3)
    where = {tuple(h): k for k, h in enumerate(table.tolist())}
    x = np.array([where[tuple(np.bincount(end, minlength=3))] for end in ends])
    law = np.bincount(x, chance)
    rows = []
    for u, i in zip(*np.unique(start, return_index=True)):
        for j in range(3):
            both = np.bincount(x, chance * (ends[:, i] == j), len(table))
            rows.append(both / law / P[u, j] - np.exp(epsilon))
    size = len(table)
    found = optimize.linprog(
        np.abs(table[:, None] - table).sum(axis=2).ravel(),
        np.kron(rows, np.eye(size)), np.zeros(len(rows) * size),
        np.kron(np.eye(size), np.ones(size)), law, method="highs-ipm",
    )  # fmt: skip
    return found.fun


small = [2, 2, 1]
twice = {
    e: (
        mechanism.optimal_mechanism(small, town, epsilon=e).loss,
        from_scratch(small, town, e),
    )
    for e in (0.2, 0.6, 1.2)
}
for e, pair in twice.items():
    print(f"ε = {e}: {pair[0]:.6f} and {pair[1]:.6f}")

# %%
draws = 400_000
person = rng.choice(3, draws, p=town[0])  # the target, from state 1
others = sum(rng.multinomial(n, row, draws) for n, row in zip([2, 3, 3], town))
truth = others + np.eye(3, dtype=int)[person]
lookup = np.full((10, 10), -1)
lookup[inputs[:, 0], inputs[:, 1]] = np.arange(55)
index = lookup[truth[:, 0], truth[:, 1]]
shown = (rng.random(draws)[:, None] > best.channel.cumsum(axis=1)[index]).sum(axis=1)

chance, gain_1 = best.output_law.round(9), best.gains[:, 0]
binding = np.nanmax(gain_1, axis=1) > np.e * (1 - 1e-9)
outputs = {
    "most frequent": chance.argmax(),
    "at the bound": (chance * binding).argmax(),
}
seen = {}
for name, o in outputs.items():
    j = np.nanargmax(gain_1[o].round(9))
    here = shown == o
    posterior = (person[here] == j).mean()
    error = np.sqrt(posterior * (1 - posterior) / here.sum()) / town[0, j]
    seen[name] = (posterior / town[0, j], error, gain_1[o, j])
    print(f"{name}, {best.outputs[o]}, guess {j + 1}:", end=" ")
    print(f"gain {seen[name][0]:.3f} ± {error:.3f}, exact {gain_1[o, j]:.3f}")

# %%
with claim("M-B9") as c:
    degree = sp.Poly(excess, *q).total_degree()
    c.exact(degree, 1, "two people: the constraint is linear in the channel")
    c.exact(excess.subs(dict.fromkeys(q, 0)), 0, "and homogeneous")
    for e, pair in single.items():
        c.close(pair[0], 2 - np.exp(e), f"one person, ε = {e}: 2 - e^ε", rtol=1e-6)
    for e, (package, scratch) in twice.items():
        c.close(package, scratch, f"five people, ε = {e}: from scratch", rtol=1e-6)
    c.close(
        gains["adversarial"][:-1], np.exp(levels[:-1]), "the bound is met", rtol=1e-7
    )
    for name, (estimate, error, expected) in seen.items():
        c.sampled(estimate, expected, f"simulated, output {name}", stderr=error)

# %% [markdown]
# ## What the best release looks like
#
# What does it do with the truth? Mostly it publishes it. (The picture shows one of several best solutions: the
# town is symmetric, a corner of the programme need not be.)

# %% mystnb={"figure": {"caption": "Each dot is a true histogram of nine people, its size the probability that it comes; colour, the probability that it is published as it is, at \u03b5 = 1. The best adversarially private release (left) changes what would tell too much, at the rim; event-level privacy (right) has to change everything.", "name": "fig-kept"}, "image": {"alt": "Two triangles of 55 dots. On the left nearly all dots are bright, those at the rim dark. On the right nearly all dots are dark, a few in the middle medium."}} tags=["hide-input"]
corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
kept = {}
fig, axes = plots.panels(1, 2, height=3.5, width=7.4)
for ax, name in zip(axes, ("adversarial", "event-level")):
    found = curves[name][at_one]
    same = (found.inputs[:, None] == found.outputs[None]).all(axis=2)
    kept[name] = (found.channel * same).sum(axis=1)
    dots = ax.scatter(
        *(inputs @ corners / 9).T,
        s=8 + 2600 * law,
        c=kept[name],
        vmin=0,
        vmax=1,
        edgecolors="black",
        linewidths=0.4,
    )
    ax.set(title=name, aspect="equal")
    ax.axis("off")
    for corner, k in zip(corners, (1, 2, 3)):
        ax.text(
            *(corner + [0, -0.1 if k < 3 else 0.04]),
            f"all in {k}",
            ha="center",
            fontsize=8,
        )
fig.colorbar(dots, ax=axes, label="published unchanged", shrink=0.8)
plt.show()

# %%
share = {name: float(law @ k) for name, k in kept.items()}
print({name: round(value, 3) for name, value in share.items()})
assert share["adversarial"] > 0.9 > 0.3 > share["event-level"]
lowest = np.nanmin(best.gains)
print(f"smallest gain of the best adversarially private release: {lowest:.3f}")
assert np.isclose(lowest, 0, atol=1e-9)
glue("kept-a", round(share["adversarial"], 4), display=False)
glue("kept-e", round(share["event-level"], 4), display=False)

# %% [markdown]
# It publishes the truth with probability {glue:text}`kept-a:.2f`, against {glue:text}`kept-e:.2f`. This is what
# the paper's introduction promises: what the Markov process makes obvious needs no protection, and only the
# surprising is changed.
#
# The last line is the caveat. The definition bounds gains, not losses: some outputs *exclude* a place with
# certainty (gain 0), which differential privacy never does. Whether that is harmless depends on the place. And
# the programme has a row for every output and guess and a column for every pair of histograms, so it is for
# small towns, or for the small blocks of states into which a high-order process falls.
#
# ## Exercises
#
# ```{exercise-start} When the truth may be published
# :label: ex-lo-05-truth
# ```
# **Warm-up.** From which $\varepsilon$ on does the best adversarially private release in the town publish the
# truth?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-05-truth
# :class: dropdown
# ```
# The gain is at most $1/P_{ij}$, so from $\varepsilon = \log(1/\min P_{ij}) = \log 10$ on at the latest; and
# since all nine in the same state *is* possible, not before.

# %%
assert mechanism.optimal_mechanism(crowd, town, epsilon=np.log(10) + 1e-6).loss < 1e-9
raw = mechanism.mechanism_gain(crowd, town, channel=np.eye(55))
assert np.isclose(np.nanmax(raw), 1 / town.min())

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} An attacker with a sharper matrix
# :label: ex-lo-05-wrong
# ```
# **Standard.** The attacker's matrix is not quite ours: he is better informed, $P' = (1 + t)P - t/3$ with $t =
# 0.1$. How large do his gains get?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-05-wrong
# :class: dropdown
# ```
# The channel stays, the matrix of the gain changes. The bound is broken, but not by much.

# %%
sharper = 1.1 * town - 0.1 / 3
wrong = np.nanmax(mechanism.mechanism_gain(crowd, sharper, channel=best.channel))
event = curves["event-level"][at_one].channel
right = np.nanmax(mechanism.mechanism_gain(crowd, sharper, channel=event))
print(f"adversarial {wrong:.3f}, event-level {right:.3f}, allowed {np.e:.3f}")
assert right < np.e < wrong < 1.25 * np.e

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Gains bounded from below
# :label: ex-lo-05-two-sided
# ```
# **Research.** Require gains of at least $e^{-\varepsilon}$ too. That is linear as well. For one person with a
# fair coin, what does the best release cost, and what if the coin is not fair?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-05-two-sided
# :class: dropdown
# ```
# For the fair coin the posterior of the *other* state is $\delta$, so now $2\delta \ge e^{-\varepsilon}$
# besides $2(1 - \delta) \le e^\varepsilon$. Since $e^{-\varepsilon} + e^\varepsilon \ge 2$, the new one is the
# stricter. With $\delta = e^{-\varepsilon}/2$ the cost lies between the two programmes of this notebook. For an
# unfair coin nothing symmetric is left; solve the four rows.

# %%
two_sided = 1 / (2 * E)
assert sp.simplify((two_sided - adversarial) - (E - 1) ** 2 / (2 * E)) == 0
assert sp.simplify((differential - two_sided) - (E - 1) / (2 * E * (E + 1))) == 0

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Against an attacker who knows the mechanism, "no gain above $e^\varepsilon$" is a linear constraint on the
#   channel, and the best release is a linear programme.
# - Event-level differential privacy implies it with the same $\varepsilon$; the converse fails.
# - At the same level the best adversarially private release is an order of magnitude more accurate than the
#   best event-level one in the example. The idea of the paper is sound; Algorithm 1 does not realise it.
# - The definition is one-sided, holds for one release and for attackers whose model is $P$.
#
# **Further reading.** The paper {cite:p}`kawamoto`; its definition's ancestor
# {cite:p}`rastogi2009relationship`; releases that suppress what a Markov chain would give away
# {cite:p}`gotz2012maskit`; why some assumption about the attacker is unavoidable {cite:p}`kifer2011free`.
