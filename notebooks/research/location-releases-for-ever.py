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
# # How much do releases that go on for ever tell about one minute?
#
# **Question.** A city publishes a private histogram every minute, without end. How much do all these releases together tell about where a person was at one minute, and is the known bound for this exact?
#
# **Answer.** They tell a bounded amount if every move is possible: in two places where people stay with probability 0.7 or 0.6, releases at $\varepsilon =$ 0.541<!-- {forever:.3f} --> a minute keep the leakage about each minute at 1 for ever, where adding up over the minutes of a day allows only 0.00069<!-- {1 / 1440:.5f} -->. In two places the bound of {cite:t}`cao2017quantifying` is exact if people rather stay; if they rather change places, with two different probabilities, it is too large from the third minute on: in our example 1.782<!-- {bound_restless[8]:.3f} --> instead of 1.583<!-- {exact_restless[8]:.3f} --> after nine minutes.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how the leakage of many releases about one minute is bounded by a recursion, why it stays bounded, when the bound is exact, and which level may go on for ever.
# **You need** Markov chains and event-level differential privacy ([notebook 5](../location/05-the-idea-done-right.ipynb)).
# **Time:** 15 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** sees the releases of all minutes, and knows the mechanism and how people move. She may even know where all *others* are at every minute, but nobody tells her where the person is. **Protected:** where the person is at one minute. **Not protected:** the path as a whole, about which every release tells more.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.location import mechanism
from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## Three minutes by hand
#
# A person is at A or at B. Every minute she reports her place by randomised response: she tells the truth with twice the probability of a lie. One report changes the odds of A against B by at most the factor $E = e^\varepsilon = 2$.
#
# Suppose that the report is always "A". How much more likely are these reports if she is at A *now* than if she is at B now? We need to know where she came from. Let $B_{ik}$ be the probability that she was at $k$ a minute ago, if she is at $i$ now.

# %%
came_from = np.array([[0.7, 0.3],   # if she is at A now: from A, from B
                      [0.4, 0.6]])  # if she is at B now
likelihood = np.array([1.0, 1.0])  # of all reports so far, if she is at A, at B
for minute in (1, 2, 3):
    likelihood = came_from @ likelihood * [2, 1]  # the report is "A"
    print(f"minute {minute}: ratio {likelihood[0] / likelihood[1]:.3f}")


# %% [markdown]
# The ratio grows, but much less than by the factor 2 each minute. The reason is the multiplication by the matrix: between two reports the person may move, and an old report tells less about her place now. In the general case, an attacker compares any two places, after any sequence of releases. We call the logarithm of the largest ratio that can occur the *leakage* about this minute.
#
# We take $B$ to be the same in every minute, as for a Markov chain in its stationary distribution. Our examples are reversible, so $B$ is their transition matrix.
#
# ## The bound of Cao and others
#
# ```{prf:theorem} The leakage of all releases up to now
# :label: thm-lo-09-recursion
# Let every release satisfy event-level differential privacy with the ratio $E$. Suppose that, for all paths of the others, the releases up to a minute ago are at most $x$ times as likely for one place of the person at that minute as for another. Then the releases up to now are at most
#
# $$ E \max_{i, k, S} \frac{B_i(S)\,(x - 1) + 1}{B_k(S)\,(x - 1) + 1} $$
#
# times as likely for one place of the person now as for another, where $B_i(S)$ is the probability of having come from the places in $S$ {cite:p}`cao2017quantifying`.
# ```
#
# *Proof.* Fix the paths of all others. Divide the likelihoods of the places a minute ago by the smallest one; they become numbers $v_k$ between 1 and $x$. Before the new release, the ratio of the places $i$ and $k$ is $\sum_l B_{il} v_l \big/ \sum_l B_{kl} v_l$. As a function of one $v_l$ alone, it is monotone, because it is a quotient of two linear functions. So it is largest if every $v_l$ is 1 or $x$. With $S$ as the set where it is $x$, we get the fraction. The new release multiplies by $E$ at most. If the attacker does not know the paths of the others, both likelihoods are averages over these paths, and the bound on the ratio remains. $\square$

# %%
def bound(B, E, minutes):
    """Bound on the largest ratio, after each minute."""
    B = np.array(B)
    subsets = np.array(list(product((0, 1), repeat=len(B))))
    ratios = [E]
    for _ in range(minutes - 1):
        weights = subsets @ B.T * (ratios[-1] - 1) + 1  # row: S; column: place now
        ratios.append(E * (weights[:, :, None] / weights[:, None, :]).max())
    return ratios


# %% [markdown]
# If all entries of $B$ are positive, the bound does not grow without limit. Each fraction is at most the largest quotient $B_{il}/B_{kl}$, whatever $x$ is, and the ratios increase from minute to minute, so they have a limit. In {numref}`fig-lo-09-forever`, they are close to it after a few minutes.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage about where one person is at one minute; people stay with probability 0.7 or 0.6. Left: what all releases up to now tell. It levels off (dashed), where adding up the levels (dotted) does not. Right: what all past and all future releases tell in the limit. At the level of the dot it is 1, for ever.", "name": "fig-lo-09-forever"}, "image": {"alt": "Left, three curves that rise for a few minutes and then stay level at about 0.36<!-- {limits[0]:.2f} -->, 0.71<!-- {limits[1]:.2f} --> and 1.39<!-- {limits[2]:.2f} -->, while dotted straight lines leave the picture. Right, a rising curve of the total leakage against the level, with a dot at 0.54<!-- {solved:.2f} --> and 1."}} tags=["figure"]
staying = came_from
minutes = np.arange(1, 11)
fig, (left, right) = plots.panels(1, 2, height=3.4, width=8.4)
limits = []
for epsilon, colour in zip((0.25, 0.5, 1.0), ("blue", "orange", "green")):
    curve = np.log(bound(staying, math.exp(epsilon), 300))
    limits.append(curve[-1])
    look = {"color": plots.COLOURS[colour]}
    left.plot(minutes, curve[:10], "o-", ms=4, label=f"ε = {epsilon:g}", **look)
    left.axhline(curve[-1], ls="--", lw=0.8, **look)
    left.plot(minutes, epsilon * minutes, ls=":", lw=1, **look)
assert np.allclose(limits, [0.36, 0.71, 1.39], atol=0.01)
left.set(xlabel="minutes", ylabel="leakage", ylim=(0, 3.8))
left.legend(loc="upper right")
levels = np.linspace(0.02, 1, 50)
totals = [2 * math.log(bound(staying, math.exp(e), 300)[-1]) - e for e in levels]
right.plot(levels, totals, "-", color=plots.COLOURS["blue"])
solved = np.interp(1, totals, levels)
right.plot(solved, 1, "o", ms=8, color=plots.COLOURS["orange"])
right.axhline(1, color="#555555", lw=0.8, ls=":")
right.set(xlabel="level ε of every release", ylabel="leakage, past and future", ylim=(0, 2))
plt.show()

# %% [markdown]
# ## In two places, the bound is exact if people rather stay
#
# Can releases reach the bound? {cite:t}`cao2017quantifying` call it an upper bound. For two places we can answer the question completely. Let $s$ be the probability of having come to the first place from the second, and $r$ that of having come to the second from the first. Suppose that the releases are $y$ times as likely for the first place as for the second. One minute later, before the next release, this ratio is
#
# $$ G(y) = \frac{(1 - s)\, y + s}{r\, y + (1 - r)} . $$

# %%
r, s, y, x = sp.symbols("r s y x", positive=True)
G = ((1 - s) * y + s) / (r * y + 1 - r)
first = G.subs(y, x)  # largest ratio for the first place, from the same place
second = 1 / G.subs(y, 1 / x)  # for the second place, from the same place
print(sp.factor(sp.diff(G, y)))
print(sp.factor(first - second))


# %% [markdown]
# The sign of $1 - r - s$ decides whether $G$ increases. We say that people *rather stay* if $r + s \le 1$, and *rather change* otherwise.
#
# ````{prf:theorem} Exact, or too large from the third minute on
# :label: thm-lo-09-exact
# Let there be two places, and let $E > 1$.
# 1. If people rather stay, randomised response in every minute reaches the bound of {prf:ref}`thm-lo-09-recursion` in every minute.
# 2. If people rather change and $r = s$, it does so, too.
# 3. If people rather change and $r \ne s$, no releases with the ratio $E$ reach the bound, from the third minute on.
# ````
#
# *Proof.* Let $x_1$ and $x_2$ be the largest ratios in favour of the first and of the second place that randomised response reaches up to a given minute. Its next report multiplies the ratio before it by $E$, in favour of either place. No release can do more. So the largest ratios of all releases follow from those of the minute before.
#
# *People rather stay.* Then $G$ is increasing, and the largest ratio in favour of a place comes from the largest ratio in favour of the *same* place: $x_1$ becomes $E f_1(x_1)$ with $f_1(x) = G(x)$, and $x_2$ becomes $E f_2(x_2)$ with $f_2(x) = 1/G(1/x)$. The bound replaces $x$ by $E \max(f_1(x), f_2(x))$. By the second printed line, the difference of $f_1$ and $f_2$ has the same sign for all $x$. So the bound uses the same place in every minute, and reports of this place reach it.
#
# *People rather change.* Now $G$ is decreasing, and the largest ratio in favour of one place comes from the largest ratio in favour of the *other*: $x_1$ becomes $E F_1(x_2)$, and $x_2$ becomes $E F_2(x_1)$, with $F_1(x) = G(1/x)$ and $F_2(x) = 1/G(x)$. The bound replaces $x$ by $E \max(F_1(x), F_2(x))$. The second printed line with $1/x$ in place of $x$ is $F_1 - F_2$. If $r = s$, the two functions are equal, so $x_1$ and $x_2$ agree with the bound. Otherwise, one of them is larger for all $x > 1$, say $F_1$. After the second minute, $x_1$ agrees with the bound $x$, and $x_2 < x$. After the third, both are smaller than the bound: $E F_1(x_2) < E F_1(x)$ because $F_1$ increases, and $E F_2(x_1) < E F_1(x_1) \le E F_1(x)$. The same two lines show that they remain smaller. $\square$
#
# As code, the exact leakage in two places is:

# %%
def exact(B, E, minutes):
    """Largest ratio of randomised response in two places, after each minute."""
    (_, s), (r, _) = B

    def G(y):
        return ((1 - s) * y + s) / (r * y + 1 - r)

    first, second, ratios = E, E, [E]
    for _ in range(minutes - 1):
        if r + s <= 1:
            first, second = E * G(first), E / G(1 / second)
        else:
            first, second = E * G(1 / second), E / G(first)
        ratios.append(max(first, second))
    return ratios


# %% [markdown]
# The evidence goes through all sequences of reports instead, in fractions. It finds the bound itself for seven matrices where people rather stay and two where $r = s$, and less than the bound from the third minute on for three other matrices.
#
# In three places, is the bound exact if people rather stay? Not in general. In the example of [notebook 5](../location/05-the-idea-done-right.ipynb), people stay with probability 0.6. We go through all $3^7$ sequences of reports in seven minutes ({numref}`fig-lo-09-restless`):

# %%
def all_reports(B, E, minutes):
    """Largest ratio over all sequences of randomised responses, after each minute."""
    likelihoods = np.ones((1, len(B)))
    answers = np.where(np.eye(len(B)) == 1, E, 1)
    ratios = []
    for _ in range(minutes):
        before = likelihoods @ np.array(B).T
        likelihoods = (before[:, None, :] * answers).reshape(-1, len(B))
        ratios.append((likelihoods.max(axis=1) / likelihoods.min(axis=1)).max())
    return ratios


restless = [[0.1, 0.9], [0.7, 0.3]]
three_places = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
bound_restless, exact_restless = np.log(bound(restless, 2, 9)), np.log(exact(restless, 2, 9))
bound_three = np.log(bound(three_places, 2, 7))
exact_three = np.log(all_reports(three_places, 2, 7))
assert (bound_restless > exact_restless + 1e-3)[2:].all() and (bound_three > exact_three)[2:].all()

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The bound of Cao and others (hollow) and what randomised response with E = 2 tells (filled), where the two differ. On the left, two places where people stay with probability 0.1 or 0.3; on the right, three places where they stay with probability 0.6. The curves part in the third minute.", "name": "fig-lo-09-restless"}, "image": {"alt": "Two panels, each with two rising curves that begin together and part at the third minute. Left, at nine minutes, near 1.8<!-- {bound_restless[8]:.1f} --> and 1.6<!-- {exact_restless[8]:.1f} -->; right, at seven minutes, at 1.53<!-- {bound_three[6]:.2f} --> and 1.46<!-- {exact_three[6]:.2f} -->."}} tags=["figure"]
fig, panels = plots.panels(1, 2, height=3.4, width=8.4)
data = {"two places, rather change": (bound_restless, exact_restless),
        "three places": (bound_three, exact_three)}  # fmt: skip
for axis, (name, (upper, lower)) in zip(panels, data.items()):
    times = range(1, len(upper) + 1)
    axis.plot(times, upper, "o--", mfc="none", color=plots.COLOURS["orange"], label="bound")
    axis.plot(times, lower, "o-", color=plots.COLOURS["blue"], label="exact")
    axis.set(xlabel="minutes", title=name, ylim=(0.6, 1.9))
panels[0].set(ylabel="leakage")
panels[0].legend(loc="upper left")
plt.show()

# %% [markdown]
# In two places, the bound is 1.782<!-- {bound_restless[8]:.3f} --> after nine minutes and the exact leakage 1.583<!-- {exact_restless[8]:.3f} -->; in the long run, 1.792<!-- {math.log(bound(restless, 2, 300)[-1]):.3f} --> and 1.584<!-- {math.log(exact(restless, 2, 300)[-1]):.3f} -->. In three places, they are 1.525<!-- {bound_three[6]:.3f} --> and 1.462<!-- {exact_three[6]:.3f} --> after seven minutes.
#
# ```{evidence} M-B27 M-B28
# ```
#
# ## Which level may go on for ever?
#
# Releases of *later* minutes tell about this minute, too. Backwards in time, a reversible chain has the same matrix, so the same recursion bounds them. The total ratio is the product of the past and the future, divided by $E$, because both count the release of this minute.
#
# Let $x$ be the limit of the recursion. {cite:t}`cao2017quantifying` choose the level by such a limit. We want the leakage 1, that is $x^2/E = e$. Let $q$ and $d$ be the probabilities of having come from the place that the worst ratio favours, if the person is there now, and if she is at the other place. In the limit, $x = E\,(q(x-1)+1)/(d(x-1)+1)$. Put $E = x^2/e$ into it:
#
# $$ q\, x^2 + (1 - q - e\, d)\, x - e\,(1 - d) = 0 . $$
#
# For our people, the favoured place is the one in which they stay with probability 0.6: $q = 0.6$ and $d = 0.3$.

# %%
q, d = 0.6, 0.3
x = max(np.roots([q, 1 - q - math.e * d, -math.e * (1 - d)]))
forever = 2 * math.log(x) - 1
limit = bound(staying, math.exp(forever), 1000)[-1]
assert math.isclose(2 * math.log(limit) - forever, 1)
print(f"level for ever: {forever:.3f}; by adding up over a day: {1 / 1440:.5f}")
errors_six = []
for level in (forever, 1 / 1440):
    best = mechanism.event_level_mechanism([3, 3], staying, epsilon=level)
    errors_six.append(best.loss)
print("least mean errors of a release for six people:", np.round(errors_six, 2))

# %% [markdown]
# Three people start in each of the two places. Their histogram can be published with the mean error 1.56<!-- {errors_six[0]:.2f} --> instead of 1.83<!-- {errors_six[1]:.2f} -->. The latter is almost the error of a constant. What is the catch? The promise concerns each minute by itself. The leakage about the whole path still adds up, minute by minute.
#
# ## What it rests on
#
# {prf:ref}`thm-lo-09-recursion` needs event-level privacy of every release, whatever was released before, and people who move independently of the others. {prf:ref}`thm-lo-09-exact` has a proof for all two-place chains whose $B$ does not change; [the evidence](../evidence/research/location-releases-for-ever.ipynb) confirms it with fractions and all sequences of reports. The result for three places is a calculation for one matrix, one level and seven minutes. It concerns randomised response only: another mechanism might come closer to the bound.
#
# ## Limits
#
# - If a move is impossible, there may be no limit. In the extreme, people never move, and the levels add up.
# - The matrix $B$ is the attacker's and the publisher's. With another matrix, the limit is another one.
# - For three and more places we do not know the exact leakage. The set of possible ratios is no longer an interval.
# - Adversarial privacy in place of event-level privacy is not covered. It is a promise about an attacker who knows the places of the minute before. An attacker who has seen all earlier releases instead is another one.
#
# ## What others had
#
# The recursion, its limit, and the choice of a level by it are by {cite:t}`cao2017quantifying`. Our short proof of the recursion is the usual argument for linear-fractional functions. We searched for a statement on when the bound is exact, and found none: {prf:ref}`thm-lo-09-exact` and the three-place example are ours, as far as we know. Later works on many releases, of which we read abstracts or beginnings only, are on [a page of their own](../../book/since.md).
