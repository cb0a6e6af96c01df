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
# # Which release is best against an attacker who knows the algorithm?
#
# Three people stand in each of three places. A minute later, a city publishes how many people are in each place. (A person who is counted in the wrong place adds 2 to the error: 1 for each of the two wrong counts.) Under differential privacy at $\varepsilon = 1$, the best release has a mean error of
# 2.22<!-- {error["event-level DP"][at_one]:.2f} -->. If it only has to stop the paper's attackers, who know how people usually move and, here, also how the release is made, a mean error of 0.165<!-- {error["one-sided"][at_one]:.3f} --> is possible.
#
# **The paper** {cite:p}`kawamoto` proposes to restrict the attackers in this way, and claims that the published histograms can then be more accurate.
# **We find** that this is true of the best release, which a linear programme computes: in our example, the least error under differential privacy is 13.5<!-- {error["event-level DP"][at_one] / error["one-sided"][at_one]:.1f} --> times as large. But part of the advantage has another reason: the paper's definition limits only how much *more* probable a guess becomes, not how much less. With both limits, the factor is
# 6.1<!-- {error["event-level DP"][at_one] / error["two-sided"][at_one]:.1f} -->. The paper's own algorithm has none of this advantage in our example, if the attacker knows the algorithm.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why adversarial privacy is a linear constraint, how to compute the most accurate private release, what it costs to limit falling
# probabilities too, and when the restriction to declared attackers pays.
# **You need** Bayes' rule, linear programmes, the gain ([notebook 1](01-adversarial-privacy.ipynb)) and, for one comparison, Algorithm 1
# ([notebook 3](03-publishing-a-histogram.ipynb)).
# **Time:** 27 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows how people usually move, where everybody was one step ago, *and how the release is drawn*, and sees one release. **Protected:** the guess "this person is now in that state" may become at most
# $e^\varepsilon$ times as probable. **Not protected,** unless we say *two-sided*: the guess may become less probable, even impossible. **Not considered:** several releases (their gains multiply,
# [notebook 4](04-beyond-the-declared-attackers.ipynb)); attackers who know more, for instance that two people travel together.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from collections import Counter
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import sparse
from scipy.optimize import linprog

from privlib.location import optimal_mechanism, private_histogram
from privlib.location.mechanism import (
    deterministic_mechanism,
    event_level_mechanism,
    histograms,
    mechanism_gain,
)
from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## One person: every promise is a polygon
#
# One person is now at A or at B, with probability 1/2 each. The publisher announces a place, and lies with probability 1/4:

# %%
channel = [[0.75, 0.25],  # the person is at A: announce A, announce B
           [0.25, 0.75]]  # the person is at B
for o in range(2):
    announced = sum(0.5 * channel[x][o] for x in range(2))
    gains = [channel[x][o] / announced for x in range(2)]
    print(f"after {'AB'[o]}: P(A) is multiplied by {gains[0]}, P(B) by {gains[1]}")


# %% [markdown]
# After the announcement "A", place A is 1.5<!-- {0.75 / 0.5:g} --> times as probable as before, and place B is half as probable. Such a factor is a *gain*. A promise of privacy limits the gains.
#
# ```{prf:definition} Gains and private channels (sections 3.1 and 3.2)
# :label: def-lo-05-gain
# Let $\pi_i$ be the number of people who were in state (place) $\ell_i$ one step ago, $P_{ij}$ the probability of going from $\ell_i$ to $\ell_j$, and $x$ the histogram now. A *channel* publishes the output $o$ with probability $Q(o \mid x)$.
#
# The attacker *NPK* knows $P$ and $Q$, and where everybody was one step ago. Take a person who was in $\ell_i$. The *gain* $\mathrm{Gain}(o, i, j)$ is NPK's probability, after the output $o$, that this person is now in $\ell_j$, divided by the probability before, $P_{ij}$.
#
# A channel is *$\varepsilon$-adversarially private* if no gain exceeds $e^\varepsilon$ (*one-sided*). It is *two-sided private* if, in addition, no gain is below $e^{-\varepsilon}$.
# ```
#
# This differs from the paper's definition in one point: the paper's attackers take the output for the truth, whereas ours know $Q$. We compare adversarial privacy with a promise that names no attacker:
#
# ```{prf:definition} Event-level differential privacy
# :label: def-lo-05-event
# A channel is *$\varepsilon$-differentially private at event level* if $Q(o \mid x) \le e^\varepsilon Q(o \mid x')$ for every output and any two histograms that differ by the place of one person. (An *event* is one person's place at one time, not a whole day.)
# ```
#
# Write $E = e^\varepsilon$. We call $\varepsilon$ the *level*. In the example, a channel is two numbers: $a = Q(A \mid A)$ and $b = Q(A \mid B)$. The announcement "A" has probability $(a + b)/2$, so the gain of place A after it is $2a/(a + b)$. This is at most $E$ if $2a \le E(a + b)$, which is linear in $a$ and $b$. The other conditions are linear, too. The channels that keep a promise therefore form a polygon.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Every point is a way to announce the place of one person. Each promise allows a polygon, here at \u03b5 = 0.4; the three lie inside one another. The top left corner is the truth. The mean error is constant along each dotted line, so the points are the best channels. On the diagonal the announcement says nothing.", "name": "fig-lo-05-polygon"}, "image": {"alt": "A unit square with a diagonal. Three polygons around the diagonal, the largest for the one-sided promise, then the two-sided one, then event-level differential privacy. On each, a point marks the corner nearest to the top left."}} tags=["figure"]
def within(promise, a, b, E):
    """Where the channel (a, b) keeps the promise."""
    if promise == "event-level DP":
        pairs = [(a, b), (b, a), (1 - a, 1 - b), (1 - b, 1 - a)]
        return np.all([p <= E * q for p, q in pairs], axis=0)
    sums, parts = [a + b, 2 - a - b], [(a, b), (1 - a, 1 - b)]
    upper = [2 * p <= E * s for s, pair in zip(sums, parts) for p in pair]
    lower = [2 * p * E >= s for s, pair in zip(sums, parts) for p in pair]
    return np.all(upper if promise == "one-sided" else upper + lower, axis=0)


factor = np.exp(0.4)
a_grid, b_grid = np.meshgrid(np.linspace(0, 1, 801), np.linspace(0, 1, 801))
lies = {"one-sided": 1 - factor / 2, "two-sided": 1 / (2 * factor),
        "event-level DP": 1 / (1 + factor)}
fig, ax = plots.panels(height=4.2, width=6.6)
for (promise, lie), colour in zip(lies.items(), ("sky", "blue", "orange")):
    inside = within(promise, a_grid, b_grid, factor)
    assert np.isclose((1 - a_grid + b_grid)[inside].min(), 2 * lie, atol=0.004)
    ax.contourf(b_grid, a_grid, inside, levels=[0.5, 1], colors=[plots.COLOURS[colour]], alpha=0.9)
    ax.plot(lie, 1 - lie, "o", color=plots.COLOURS[colour], mec="black", ms=9, label=promise)
    ax.axline((lie, 1 - lie), slope=1, color=plots.COLOURS[colour], lw=1, ls=":")
ax.plot([0, 1], [0, 1], color="black", lw=0.8, ls="-")
ax.plot(0, 1, "*", color="black", ms=13, clip_on=False, label="the truth")
ax.set(xlabel="b: probability of announcing A at B", ylabel="a: probability of announcing A at A",
       xlim=(0, 1), ylim=(0, 1), aspect="equal")
ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
plt.show()

# %% [markdown]
# ```{prf:proposition} One person with a fair coin
# :label: thm-lo-05-person
# For one person who is at A or B with probability 1/2 each, and $1 \le E \le 2$, the least mean error is $2 - E$ for one-sided adversarial privacy, $1/E$ for two-sided, and $2/(1 + E)$ for event-level differential privacy.
# ```
#
# ```{prf:proof}
# Two outputs, A and B, are enough ({prf:ref}`thm-lo-05-outputs`). Exchange A and B everywhere in a channel, and average the result with the original. The constraints are linear and treat A and B alike. So the average keeps the promise, and has the same mean error. In this average channel, both places are misreported with the same probability $\delta$.
#
# The mean error is $2\delta$, and the gains are $2(1 - \delta)$ and $2\delta$. We look for the smallest $\delta$. For $\delta \le \frac12$, these constraints decide. One-sided: $2(1 - \delta) \le E$. Two-sided: $2\delta \ge 1/E$, which implies the one-sided constraint because $E + 1/E \ge 2$. Differential privacy: $1 - \delta \le E\delta$. Solve each for $\delta$.
# ```

# %%
delta, E = sp.symbols("delta E", positive=True)
edges = {
    "one-sided": sp.Eq(2 * (1 - delta), E),
    "two-sided": sp.Eq(2 * delta, 1 / E),
    "event-level DP": sp.Eq(1 - delta, E * delta),
}
least = [sp.simplify(2 * sp.solve(edge, delta)[0]) for edge in edges.values()]
print(*least, sep=", ")
print("differences:", sp.factor(least[1] - least[0]), "and", sp.factor(least[2] - least[1]))


# %% [markdown]
# Both differences are at least 0. How much is saved at a small level, where $E$ is near 1? An announcement that ignores the place has the error 1. Differential privacy saves about $(E - 1)/2$ of it. One-sided privacy saves $E - 1$, twice as much. Two-sided privacy saves almost as much as one-sided: the difference, $(E - 1)^2/E$, is of second order.
#
# ## For a crowd, the promise is still linear
#
# Now let many people move independently. The new histogram $x$ has a distribution $p(x \mid \pi)$:

# %%
def distribution(before, P):
    """p(x | before) for every possible histogram x: people move one by one."""
    chances = {(0,) * len(P): 1}
    for i, people in enumerate(before):
        for _ in range(people):
            moved = Counter()
            for x, chance in chances.items():
                for j in np.flatnonzero(P[i]):
                    one_more = (*x[:j], x[j] + 1, *x[j + 1 :])
                    moved[one_more] += chance * P[i][j]
            chances = moved
    return chances


s = sp.Symbol("s", positive=True)  # probability of staying
stay = [[s, 1 - s], [1 - s, s]]
print(dict(distribution([2, 0], stay)))

# %% [markdown]
# Two people were at A, and each stays with probability $s$. If we know that one of them stays, the other leads to (2, 0) with probability $s$ and to (1, 1) with probability $1 - s$.
#
# In general, let $e_j$ be the histogram of one person in $\ell_j$. If a person $u$ goes from $\ell_i$ to $\ell_j$, the others go from $\pi - e_i$ to $x - e_j$. Bayes' rule gives
#
# $$
# \mathrm{Gain}(o, i, j) = \frac{\Pr(o \mid u \text{ goes to } \ell_j)}{\Pr(o)}
# = \frac{\sum_x Q(o \mid x)\, p(x - e_j \mid \pi - e_i)}{\sum_x Q(o \mid x)\, p(x \mid \pi)} .
# $$
#
# For the two people, let $q_k$ be the probability of publishing $o$ when $k$ people are at A. Sympy writes the condition that the gain of the guess "u stayed at A" is at most $E$:

# %%
q = sp.symbols("q0:3")
if_u_stays = sum(c * q[x[0] + 1] for x, c in distribution([1, 0], stay).items())
of_output = sum(c * q[x[0]] for x, c in distribution([2, 0], stay).items())
condition = if_u_stays - E * of_output  # must be at most 0
assert sp.Poly(condition, *q).total_degree() == 1
for unknown in q:
    print(unknown, "times", sp.factor(sp.diff(condition, unknown)))


# %% [markdown]
# The condition is linear in the three unknowns. If $s \ge 1/E$, no coefficient is positive, so the condition always holds: an obvious move needs no protection. If $s < 1/E$, the coefficient of $q_2$ is positive. Then an output that is published when both are at A must also be published in other cases, as *cover*.
#
# ````{prf:proposition} The best release is the solution of a linear programme
# :label: thm-lo-05-lp
# A channel is $\varepsilon$-adversarially private if and only if, for all outputs $o$ and all $i, j$ with $\pi_i P_{ij} > 0$,
#
# $$ \sum_x Q(o \mid x)\,\bigl(p(x - e_j \mid \pi - e_i) - e^\varepsilon p(x \mid \pi)\bigr) \le 0 . $$
#
# Fix a finite list of possible outputs. Then a linear programme finds a channel of least mean $L_1$ error.
# ````
#
# ```{prf:proof}
# Multiply the bound on the gain by $\Pr(o)$. The mean error $\sum_x p(x \mid \pi) \sum_o Q(o \mid x) \lVert x - o \rVert_1$ is linear in $Q$ as well.
# ```
#
# Which outputs should the list contain? The histograms of $N$ people are enough, although an output could have fractions:
#
# ```{prf:proposition} Histograms are enough as outputs
# :label: thm-lo-05-outputs
# Let outputs be vectors without negative entries whose sum is $N$. Then some channel of least mean $L_1$ error publishes only histograms of $N$ people.
# ```
#
# ```{prf:proof}
# Round each output $v$ at random: draw $U$ uniformly from $[0, 1)$, and publish $o_j = \lfloor V_j + U \rfloor - \lfloor V_{j-1} + U \rfloor$ with $V_j = v_1 + \dots + v_j$. These entries are whole numbers with sum $N$. Each is $v_j$ rounded up or down. Its mean is $v_j$, because $\lfloor V + U \rfloor$ has the mean $V$. Rounding uses only the output, so it tells nothing more.
#
# Rounding also adds no error. The count $x_j$ is a whole number, so it does not lie strictly between the two possible values of $o_j$. Therefore $o_j - x_j$ never changes its sign, and the mean of $|o_j - x_j|$ is $|v_j - x_j|$.
# ```
#
# Both propositions hold for two-sided and for differential privacy, too, because their constraints are also linear, and rounding keeps them.
#
# As code, a promise is a matrix of constraints, with one column for each histogram:

# %%
def crowd_tables(before, P):
    """Histograms x, their p(x | before), and p(x - e_j | before - e_i) in rows (i, j)."""
    chances = distribution(before, P)
    x = np.array(list(chances))
    one = np.eye(len(P), dtype=int)
    given_guess = []
    for i, j in np.argwhere(P > 0):
        if before[i] > 0:
            others = distribution(before - one[i], P)
            given_guess.append([others.get(tuple(h - one[j]), 0) for h in x])
    return x, np.array(list(chances.values())), np.array(given_guess)


# %%
def least_error(x, p, constraints):
    """Least mean L1 error of a channel Q with constraints @ Q <= 0, and Q."""
    m = len(x)
    error_of = np.abs(x[:, None] - x).sum(axis=2)  # row: truth, column: output
    solution = linprog(
        (p[:, None] * error_of).ravel(),
        A_ub=sparse.kron(constraints, sparse.eye(m)),  # every constraint for every output
        b_ub=np.zeros(len(constraints) * m),
        A_eq=sparse.kron(sparse.eye(m), np.ones(m)),  # every row of Q sums to 1
        b_eq=np.ones(m),
    )
    return solution.fun, solution.x.reshape(m, m)


# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
crowd = np.array([3, 3, 3])
x, p, given_guess = crowd_tables(crowd, P)
upper = given_guess - np.e * p  # no gain above e, so ε = 1
lower = p / np.e - given_guess  # no gain below 1/e
one_sided, best_channel = least_error(x, p, upper)
two_sided, _ = least_error(x, p, np.vstack([upper, lower]))
print(f"{len(x)} histograms, mean errors {one_sided:.3f} and {two_sided:.3f}")

# %% [markdown]
# A solver satisfies constraints only up to rounding. `optimal_mechanism` of our package solves the same programme, repairs the channel, and checks every gain once more:

# %%
assert np.isclose(optimal_mechanism(crowd, P, epsilon=1).loss, one_sided, atol=1e-5)


# %% [markdown]
# ```{evidence} M-B9
# ```
#
# ## Differential privacy of one release is enough
#
# ```{prf:proposition} Event-level privacy implies two-sided adversarial privacy
# :label: thm-lo-05-dp
# If a channel is $\varepsilon$-differentially private at event level, then all gains lie between $e^{-\varepsilon}$ and $e^{\varepsilon}$, for every $\pi$ and every $P$.
# ```
#
# ```{prf:proof}
# Let $D_k = \Pr(o \mid u \text{ goes to } \ell_k)$. This is the mean of $Q(o \mid y + e_k)$ over the histogram $y$ of the others, who move in the same way wherever $u$ goes. The histograms $y + e_j$ and $y + e_k$ differ by the place of one person. Hence $D_j \le E D_k$ for all $j$ and $k$. Now $\Pr(o) = \sum_k P_{ik} D_k$ is a mean of these numbers,
# so it lies between $D_j / E$ and $E D_j$. The gain is $D_j$ divided by $\Pr(o)$.
# ```
#
# For example, publish each histogram with a probability proportional to $e^{-d/2}$, where $d$ is the number of people whom it misplaces. If one person moves, each $d$ changes by at most 1. So the numerator and the normalising sum change by a factor of at most $e^{1/2}$ each, and this *exponential mechanism* has level at most 1:

# %%
def constant_error(x, p):
    """Least mean error of one histogram that is published whatever the truth is."""
    return (p @ np.abs(x[:, None] - x).sum(axis=2)).min()


flat = constant_error(x, p)
misplaced = np.abs(x[:, None] - x).sum(axis=2) / 2
Q = np.exp(-misplaced / 2)
Q /= Q.sum(axis=1, keepdims=True)
neighbours = np.argwhere(misplaced == 1)
level = np.log(max((Q[k] / Q[n]).max() for k, n in neighbours))
gains = given_guess @ Q / (p @ Q)
print(f"level {level:.2f}, gains from {gains.min():.2f} to {gains.max():.2f}")
assert level <= 1 and 1 / np.e <= gains.min() <= gains.max() <= np.e

# %% [markdown]
# However, this mechanism is not accurate: its mean error is 4.47<!-- {2 * p @ (Q * misplaced).sum(axis=1):.2f} -->, more than the 3.09<!-- {flat:.2f} --> of the best constant output.
#
# ```{evidence} M-B10
# ```
#
# ## At ε = 1, protection against everybody costs many times the error
#
# Event-level differential privacy is a list of linear constraints, one for each pair of neighbours:

# %%
unit = np.eye(len(x))
constraints = [unit[k] - np.e * unit[n] for k, n in neighbours]
private, _ = least_error(x, p, np.array(constraints))
print(f"{private:.3f} / {one_sided:.3f} = {private / one_sided:.1f}")
print(f"{private:.3f} / {two_sided:.3f} = {private / two_sided:.1f}")

# %% [markdown]
# By {prf:ref}`thm-lo-05-dp`, the best differentially private release is never more accurate than the best adversarially private one. The package computes the least error under each of the three promises at nine levels:

# %%
promises = ("one-sided", "two-sided", "event-level DP")
levels = [0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.3]
mechanisms = {promise: [] for promise in promises}
for e in levels:
    mechanisms["one-sided"].append(optimal_mechanism(crowd, P, epsilon=e))
    mechanisms["two-sided"].append(optimal_mechanism(crowd, P, epsilon=e, two_sided=True))
    mechanisms["event-level DP"].append(event_level_mechanism(crowd, P, epsilon=e))
error = {promise: [m.loss for m in mechanisms[promise]] for promise in promises}
at_one = levels.index(1)

# %% [markdown]
# *Algorithm 1* of [notebook 3](03-publishing-a-histogram.ipynb) moves the truth towards a forecast until no gain by the paper's formula exceeds $e^\varepsilon$. We ask it for $\varepsilon = 1$, and compute the gains of an attacker who knows the algorithm:

# %%
releases = []
for h in histograms(9, 3):
    releases.append(private_histogram(crowd, h, transition=P, epsilon=1).histogram)
algorithm_1 = deterministic_mechanism(crowd, P, releases=releases)
print(f"error {algorithm_1.loss:.3f}, largest gain {algorithm_1.gain:.2f}")
print(f"{len(algorithm_1.outputs)} outputs for {len(x)} truths")

# %% [markdown]
# The gain should be at most 2.72<!-- {np.e:.2f} -->, and is 10<!-- {algorithm_1.gain:.0f} -->, so the real level is $\ln 10 \approx$ 2.3<!-- {np.log(algorithm_1.gain):.1f} -->. The reason: Algorithm 1 is a fixed rule, and nearly every truth has an output of its own. An attacker who applies the rule to all 55<!-- {len(x)} --> histograms can look up which truth led to the output.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Mean error against level, nine people in three states. Lines are the best releases. Algorithm 1 was asked for level 1 (diamond). Against an attacker who knows it, its level is 2.3<!-- {np.log(algorithm_1.gain):.1f} --> (cross), as if it published the truth (star).", "name": "fig-frontier"}, "image": {"alt": "Mean error against epsilon from 0.1 to 2.3. Three falling lines, lowest the one-sided, then the two-sided, then event-level differential privacy; all lie below a dotted horizontal line. An arrow leads from a diamond at level 1, below the highest line, to a cross at level 2.3<!-- {np.log(algorithm_1.gain):.1f} -->, above all three lines. A star at the same level has error 0."}} tags=["figure"]
fig, ax = plots.panels(height=4)
for name, marker, colour in zip(promises, "os^", ("sky", "blue", "orange")):
    ax.plot(levels, error[name], marker=marker, ms=4, color=plots.COLOURS[colour], ls="-",
            label=f"{name}, best")
real_level = np.log(algorithm_1.gain)
assert np.isclose(real_level, np.log(10))  # the gain of the truth
assert error["event-level DP"][-1] < algorithm_1.loss < error["event-level DP"][at_one]
ax.plot(1, algorithm_1.loss, "D", ms=8, color=plots.COLOURS["purple"], ls="",
        label="Algorithm 1, level asked for")
ax.plot(real_level, algorithm_1.loss, "X", ms=10, color="black", ls="",
        label="Algorithm 1, real level")
ax.annotate("", (real_level - 0.05, algorithm_1.loss), (1.05, algorithm_1.loss),
            arrowprops={"arrowstyle": "->", "color": "#555555"})
ax.plot(real_level, 0, "*", color="black", ms=12, ls="", label="publishing the truth")
ax.axhline(flat, color="#555555", ls=":", lw=1.4)
ax.text(1.85, flat + 0.08, "a constant", color="#555555")
ax.set(xlabel="level ε", ylabel="mean error (people, $L_1$)", ylim=(-0.15, 4.6))
ax.legend(loc="upper right", ncol=2, fontsize=8)
for smaller, larger in pairwise(promises):
    assert np.all(np.array(error[smaller]) <= error[larger])
plt.show()

# %% [markdown]
# *The best releases.* The paper's expectation holds at every level: protection against fewer attackers leaves more accuracy. At $\varepsilon = 1$, the error under differential privacy is 13.5<!-- {error["event-level DP"][at_one] / error["one-sided"][at_one]:.1f} --> times that of the best one-sided release, and 6.1<!-- {error["event-level DP"][at_one] / error["two-sided"][at_one]:.1f} --> times that of the best two-sided one. The second comparison is the fairer one, because differential privacy also limits how much less probable a guess becomes. At
# $\varepsilon = 1/4$ the two factors are only 1.64<!-- {error["event-level DP"][1] / error["one-sided"][1]:.2f} --> and 1.56<!-- {error["event-level DP"][1] / error["two-sided"][1]:.2f} -->.
#
# *Algorithm 1* has none of this advantage. At its real level, the best differentially private release has a smaller error. Publishing the truth has the same largest gain, and the error 0. (Its promise is a different one: it is meant for attackers who take the output for the truth. [*Who learns what, from which release?*](../research/location-attackers-and-mechanisms.ipynb) compares more releases.)
#
# ```{evidence} M-D0 M-B18
# ```
#
# ## The best release is nearly always the truth
#
# How often does the best release at $\varepsilon = 1$ publish the truth?

# %%
kept = {}
for name in ("one-sided", "event-level DP"):
    best = mechanisms[name][at_one]
    same = (best.inputs[:, None] == best.outputs).all(axis=2)
    kept[name] = (best.channel * same).sum(axis=1)  # for each truth
    print(f"{name}: the truth with probability {best.input_distribution @ kept[name]:.2f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Each dot is a true histogram of nine people. Its size is its probability, its colour the probability that it is published unaltered, at \u03b5 = 1. The best one-sided release (left) publishes nearly all large dots unaltered, and often alters those at the rim. The most probable histogram, in the middle, is sometimes altered, as cover for others. Event-level differential privacy (right) has to alter nearly all.", "name": "fig-kept"}, "image": {"alt": "Two triangles of 55<!-- {len(x)} --> dots, large in the middle, small at the rim. On the left nearly all large dots are bright, most at the rim dark. On the right nearly all dots are dark, a few in the middle medium."}} tags=["figure"]
corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
inputs, chance = best.inputs, best.input_distribution
fig, axes = plots.panels(1, 2, height=3.5, width=7.4)
for ax, name in zip(axes, kept):
    dots = ax.scatter(*(inputs @ corners / 9).T, s=8 + 2600 * chance, c=kept[name],
                      vmin=0, vmax=1, edgecolors="black", linewidths=0.4)
    ax.set(title=name, aspect="equal")
    ax.axis("off")
    for corner, k in zip(corners, (1, 2, 3)):
        ax.text(*(corner + [0, -0.1 if k < 3 else 0.04]), f"all in {k}", ha="center",
                fontsize=8)
fig.colorbar(dots, ax=axes, label="published unaltered (probability)", shrink=0.8)
plt.show()

# %% [markdown]
# Why does the one-sided release publish the truth so often? Suppose that the truth were always published. We call a histogram *safe* if no gain would then exceed $e$:

# %%
truth_gains = mechanism_gain(crowd, P, channel=np.eye(len(x)))
largest = truth_gains.max(axis=(1, 2))  # of each histogram
best = mechanisms["one-sided"][at_one]
safe = largest <= np.e
probability = best.input_distribution[safe].sum()
print(f"safe: {safe.sum()} of {len(safe)} histograms, with probability {probability:.2f}")

# %% [markdown]
# This is what the paper's introduction promises: what the Markov process makes obvious needs no protection. The other 39<!-- {(~safe).sum()} --> histograms tell too much. The release protects them in two ways. It replaces some of them. It publishes others, but not only when they are true:

# %%
k = np.flatnonzero((best.outputs == [1, 3, 5]).all(axis=1))[0]
weight = best.input_distribution * best.channel[:, k]
for h, share in zip(best.inputs, weight / weight.sum()):
    if share > 0.001:
        print(f"(1, 3, 5) is published, {h} is true: {share:.2f}")
print(f"largest gain {best.gains[k].max():.2f}")

# %% [markdown]
# If (1, 3, 5) were published whenever it is true, and only then, its largest gain would be 3.47<!-- {largest[(best.inputs == [1, 3, 5]).all(axis=1)][0]:.2f} -->. Therefore the safe histogram (3, 3, 3) is sometimes published as (1, 3, 5). This lowers the gain to $e$. Of all alterations, 40%<!-- {(best.input_distribution * (1 - kept["one-sided"]))[safe].sum() / (best.input_distribution @ (1 - kept["one-sided"])):.0%} --> alter a safe histogram.
#
# The smallest gains show what the one-sided promise does not protect:

# %%
for name in promises:
    print(f"{name}: smallest gain {np.nanmin(mechanisms[name][at_one].gains):.3f}")

# %% [markdown]
# After some outputs of the one-sided release, the attacker knows that a person is *not* in a certain place. The two-sided release has no such output; its smallest gain is $1/e$.
#
# The programme has an unknown for every pair of histograms. It therefore suits small crowds only, or the small blocks of states into which [notebook 6](06-paths-and-tokyo.ipynb) divides a larger problem.
#
# ## Protection against a weaker attacker costs less
#
# The paper speaks of a trade-off: the weaker the attackers, the easier the protection. Its attacker *MK* knows $\pi$ and $P$, but not where a given person was, and is therefore weaker than NPK. (A third attacker, *OPK*, knows where one person was. OPK has the same gains as NPK: people move independently and only counts are published, so it does not help to know which of the others was where.)
#
# To MK all $N$ people are alike, so any of them is in $\ell_j$ with probability $x_j/N$. MK's gain is therefore the mean of $x_j$ after the output, divided by the mean before, which is $\sum_i \pi_i P_{ij}$. A limit on it is again a linear constraint:

# %%
five = np.array([2, 2, 1])
counts, chances, given = crowd_tables(five, P)
mk, _ = least_error(counts, chances, chances * (counts / (five @ P)).T - np.e * chances)
npk, _ = least_error(counts, chances, given - np.e * chances)
private = event_level_mechanism(five, P, epsilon=1).loss
print(f"five people, ε = 1: MK {mk:.3f}, NPK {npk:.3f}, everybody {private:.3f}")
assert mk < npk < private


# %% [markdown]
# ```{evidence} M-C3
# ```
#
# ## In thinly populated places, the restriction does not always pay
#
# The paper expects the advantage in thinly populated areas: there are few junctions, so people can move in few ways, and most moves are obvious. We test this on places that form a ring. A person stays, or moves on by 1, 2, … or $k - 1$ places with equal probability, so there are $k$ kinds of moves.

# %%
def ring(kinds, staying, places):
    """Transition matrix: stay, or move on by 1, ..., kinds - 1 places."""
    moves = np.zeros(places)
    moves[:kinds] = (1 - staying) / (kinds - 1)
    moves[0] = staying
    return np.array([np.roll(moves, i) for i in range(places)])


def compare(each, places, kinds, staying, epsilon):
    """Least errors, `each` people in every place: one-sided, event-level DP, a constant."""
    before, moves = [each] * places, ring(kinds, staying, places)
    best = optimal_mechanism(before, moves, epsilon=epsilon)
    dp = event_level_mechanism(before, moves, epsilon=epsilon)
    return best.loss, dp.loss, constant_error(best.inputs, best.input_distribution)


# %% [markdown]
# In the first case, one person stands in each of four places, there are two kinds of moves, and people stay with probability 0.9. The other cases change this:

# %%
cases = {  # people in each place, places, kinds of moves, probability of staying, ε
    "first case: ε = 1": (1, 4, 2, 0.9, 1),
    "ε = 2": (1, 4, 2, 0.9, 2),
    "ε = 2, four kinds of moves": (1, 4, 4, 0.9, 2),
    "ε = 1, half stay": (1, 4, 2, 0.5, 1),
    "ε = 1, two places with 2 people each": (2, 2, 2, 0.9, 1),
    "ε = 1, two places with 4 people each": (4, 2, 2, 0.9, 1),
}
compared = {name: compare(*case) for name, case in cases.items()}

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Least mean errors on rings. The longer the line from the circle to the triangle, the more the restriction to declared attackers pays. In the uppermost row, one person in each place and obvious moves at \u03b5 = 1, all three marks coincide.", "name": "fig-lo-05-rings"}, "image": {"alt": "A row for each case, with a circle for the one-sided release, a triangle for event-level differential privacy and a bar for a constant. In the uppermost row all coincide; in all others the circle lies to the left of the triangle."}} tags=["figure"]
fig, ax = plots.panels(height=3.2, width=7.4)
saved = {name: dp - best for name, (best, dp, _) in compared.items()}
equal = [name for name in cases if saved[name] < 1e-4]
assert equal == ["first case: ε = 1"]
assert np.ptp(compared[equal[0]]) < 1e-4
for height, name in enumerate(list(cases)[::-1]):
    best_error, dp_error, flat_error = compared[name]
    ax.plot([best_error, dp_error], [height, height], color="#999999", lw=2, ls="-")
    for value, marker, colour, label in (
        (flat_error, "|", "black", "a constant"),
        (dp_error, "^", "orange", "event-level DP"),
        (best_error, "o", "sky", "one-sided"),
    ):
        size = 16 if marker == "|" else 8
        ax.plot(value, height, marker, ms=size, color=plots.COLOURS[colour], ls="",
                label=label if height == 0 else None)
ax.set(xlabel="least mean error (people, $L_1$)", yticks=range(len(cases)), xlim=(-0.1, 2.9),
       ylim=(-0.6, len(cases) - 0.4))
ax.set_yticklabels(list(cases)[::-1])
ax.legend(loc="upper right", fontsize=8)
plt.show()

# %% [markdown]
# The best one-sided release is more accurate in 5<!-- {len(cases) - len(equal)} --> of these 6<!-- {len(cases)} --> cases. At $\varepsilon = 2$, few kinds of moves do help: the restriction saves 0.47<!-- {saved["ε = 2"]:.2f} --> with two kinds, and 0.17<!-- {saved["ε = 2, four kinds of moves"]:.2f} --> with four. But neither thin population nor obvious moves are needed. In two places, the restriction saves more with 4 people in a place (0.76<!-- {saved["ε = 1, two places with 4 people each"]:.2f} -->) than with 2 (0.04<!-- {saved["ε = 1, two places with 2 people each"]:.2f} -->). It saves most, 1.91<!-- {saved["ε = 1, half stay"]:.2f} -->, if both moves are equally likely. No gain can then exceed 2, so the truth may be published.
#
# In the first case, with a thin population and obvious moves, the restriction saves nothing: the constant $(1, 1, 1, 1)$ is best under both promises. The reason is:
#
# 1. A place can be empty only if its own person left. Before the release, this has the probability 0.1. A private output multiplies this probability by at most $e^\varepsilon$.
# 2. A place can hold two or more people only if somebody else arrived. Before the release, the probabilities of the arrivals add up to 0.1. Each is multiplied by at most $e^\varepsilon$.
# 3. So after any private output, both "empty" and "two or more" have a probability of at most $0.1\,e^\varepsilon$. While this is at most $\frac12$, 1 is a median of the count, and no estimate has a smaller mean absolute error than a median.
#
# The argument holds up to $\varepsilon = \ln 5 \approx$ 1.61<!-- {np.log(5):.2f} -->, and so does the equality of the errors:

# %%
around = {epsilon: compare(1, 4, 2, 0.9, epsilon) for epsilon in (1.6, 1.65)}
for epsilon, (one_sided_error, _, flat_error) in around.items():
    print(f"ε = {epsilon}: one-sided {one_sided_error:.3f}, a constant {flat_error:.3f}")

# %% [markdown]
# ```{evidence} M-I11
# ```
#
# ## Exercises
#
# ```{exercise-start} When may the truth be published?
# :label: ex-lo-05-truth
# ```
# **Warm-up.** Nine people stand in three states, as above, and move by the matrix $P$. What is the smallest $\varepsilon$ at which the best one-sided release publishes the truth?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-05-truth", ...)

# %% [markdown]
# ```{solution-start} ex-lo-05-truth
# :class: dropdown
# ```
# A probability cannot exceed 1, so no gain exceeds $1/\min P_{ij} = 10$, and from $\varepsilon = \ln 10$ on the truth is allowed. It is not allowed before: if all nine are in state 3, then each person from state 1 went where one in ten was expected.

# %%
assert np.isclose(truth_gains.max(), 10)
assert optimal_mechanism(crowd, P, epsilon=np.log(10) + 1e-6).loss < 1e-9
assert optimal_mechanism(crowd, P, epsilon=np.log(10) - 0.01).loss > 1e-9
check("lo-05-truth", np.log(truth_gains.max()))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} An attacker with a sharper matrix
# :label: ex-lo-05-wrong
# ```
# **Standard.** The attacker is better informed than we assumed, and uses the matrix $P' = (1 + t)P - t/3$ with $t = 0.1$. What is the largest gain under the best one-sided release for nine people at $\varepsilon = 1$, and what under the event-level one? (Use the channels in `mechanisms` and `mechanism_gain(crowd, matrix, channel=...)`.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-05-wrong", ...)

# %% [markdown]
# ```{solution-start} ex-lo-05-wrong
# :class: dropdown
# ```
# The channel is the same; only the matrix in the gain changes. The one-sided release exceeds its bound of 2.72<!-- {np.e:.2f} -->, but not by much: 3.25<!-- {sharper["one-sided"]:.2f} -->. The promise of the event-level release does not depend on a matrix. This release keeps the bound, with
# 1.82<!-- {sharper["event-level DP"]:.2f} -->. (Other event-level releases of the same error differ in the third digit.)

# %%
sharper = {}
for name in ("one-sided", "event-level DP"):
    channel = mechanisms[name][at_one].channel
    sharper[name] = np.nanmax(mechanism_gain(crowd, 1.1 * P - 0.1 / 3, channel=channel))
assert sharper["event-level DP"] < np.e < sharper["one-sided"]
check("lo-05-wrong", (sharper["one-sided"], sharper["event-level DP"]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} An unfair coin, on both sides
# :label: ex-lo-05-two-sided
# ```
# **Research.** One person is at A with probability $p < \frac12$, and at B otherwise. What is the least mean error of a *two-sided* private release, if $p (E + 1) \ge 1$? (All that matters of an output is the probability of A after it. It must lie in an interval, and its mean is $p$.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-05-two-sided", ...)


# %% [markdown]
# ```{solution-start} ex-lo-05-two-sided
# :class: dropdown
# ```
# The gains of A and of B limit the probability $r$ of A after an output: $r \ge p/E$, and $1 - r \ge (1 - p)/E$. (The upper limits are weaker here.) An output with probability $r$ has the error $2\min(r, 1 - r)$, which is concave in $r$. With the mean of $r$ fixed, the mean error is therefore least if $r$ takes only the two end points. The condition on $p$ makes the upper end at least
# $\frac12$, and the result is $4p(1 - p)/E$.

# %%
def unfair(chance, factor):
    """Mean error if the probability of A becomes one of the two end points."""
    low, high = chance / factor, 1 - (1 - chance) / factor
    weight = (chance - low) / (high - low)  # of the upper end
    return 2 * (weight * (1 - high) + (1 - weight) * low)


for chance_a, factor in ((0.35, 2), (0.45, 1.5), (0.49, 5)):
    uneven = [[chance_a, 1 - chance_a]] * 2
    computed = optimal_mechanism([1, 0], uneven, epsilon=np.log(factor), two_sided=True)
    assert np.isclose(computed.loss, unfair(chance_a, factor), atol=1e-4)
    assert np.isclose(unfair(chance_a, factor), 4 * chance_a * (1 - chance_a) / factor)
check("lo-05-two-sided", unfair)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - *Why is the best release the solution of a linear programme?* Multiplied by the probability of the output, the bound on a gain is linear in the channel, and so is the mean error. The same holds for two-sided gains, for the weaker attacker MK, and for event-level differential privacy.
# - *Is the paper right that fewer attackers leave more accuracy?* Yes, for the best releases. Event-level differential privacy implies adversarial privacy, so it is never more accurate. For nine people at $\varepsilon = 1$, its error is 13.5<!-- {error["event-level DP"][at_one] / error["one-sided"][at_one]:.1f} --> times as large; at $\varepsilon = 1/4$, only 1.64<!-- {error["event-level DP"][1] / error["one-sided"][1]:.2f} --> times. For five people, protection from the weaker attacker MK costs 0.013<!-- {mk:.3f} -->, and from NPK 0.320<!-- {npk:.3f} -->. In the cases that we computed, the restriction saves nothing only where a constant is best under both promises.
# - *How much of this advantage comes from limiting the gains on one side only?* For nine people at $\varepsilon = 1$, the factor of 13.5<!-- {error["event-level DP"][at_one] / error["one-sided"][at_one]:.1f} --> becomes 6.1<!-- {error["event-level DP"][at_one] / error["two-sided"][at_one]:.1f} --> if both sides are limited.
# - *Does Algorithm 1 deliver this?* Not in our example, against an attacker who knows the algorithm. It is a fixed rule with almost as many outputs as truths, so the truth can nearly always be recovered from its output.
#
# **Further reading.** Others have limited how much a release may change the probability of a guess, and have found the best release under such a limit: by a convex programme {cite:p}`calmon2012privacy`; by linear programmes {cite:p}`grosse2023extremal`, for *pointwise maximal leakage* {cite:p}`saeidian2023pointwise`, the logarithm of the largest gain. A limit on both sides is called *local information privacy* {cite:p}`jiang2018context`. (We know the first, second and fourth of these works by their abstracts.) The secret treated here, the place of one person in a crowd that moves, is the paper's own. See also location privacy as a linear programme {cite:p}`shokri2012protecting`; the definition's ancestor {cite:p}`rastogi2009relationship`; releases that suppress what a Markov chain would give away {cite:p}`gotz2012maskit`; why some assumption about the attacker is unavoidable {cite:p}`kifer2011free`.
#
# **Next:** [paths of several places, the paper's experiment, and Tokyo](06-paths-and-tokyo.ipynb).
