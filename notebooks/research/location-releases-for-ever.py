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
# **Question.** A city publishes a histogram with differential privacy every minute, without end. How much do all these releases together reveal about where a person was at *one* minute?
#
# **What is known.** The paper {cite:p}`kawamoto` bounds each release by itself, and says that of all earlier releases only the last one matters (section 3.2.1). {cite:t}`cao2017quantifying` bound all releases together by a recursion. They call it an upper bound; we found no statement on when it is exact.
#
# **Answer.** The releases reveal a bounded amount if every move is possible. In two places, the bound is exact if people tend to stay. If they tend to change places, with two different probabilities, it is too large from the third minute on: in our example 1.782<!-- {bound_restless[8]:.3f} --> instead of 1.583<!-- {exact_restless[8]:.3f} --> after nine minutes. Where people stay with probability 0.7 or 0.6, a level of $\varepsilon =$ 0.541<!-- {forever:.3f} --> a minute keeps the leakage about each minute below 1 for ever.
#
# **Why it matters.** The usual rule, to add up the levels of all minutes of a day, would allow only 0.00069<!-- {1 / 1440:.5f} --> a minute, and requires more noise than this promise needs.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how a recursion bounds what many releases reveal about one minute, why the bound does not grow without limit, when it is exact, and how to choose the level of releases that never end.
# **You need** Markov chains and event-level differential privacy ([notebook 5](../location/05-the-idea-done-right.ipynb)).
# **Time:** 16 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** sees the releases of all minutes, and knows the mechanism and how people move. The attacker may even know where all *others* are at every minute, but has no other information about the person. **Protected:** where the person is at one minute. **Not protected:** the person's whole path, about which every release reveals more.
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
# A person is at A or at B. Every minute she reports her place by randomised response, and the true report is twice as probable as the false one. After one report, the odds of A against B change by a factor of at most $E = e^\varepsilon = 2$.
#
# Suppose that every report is "A". We compare two cases: the person is at A now, or she is at B now. How much more probable are the reports in the first case? The earlier reports depend on where she was before. Let $B_{ik}$ be the probability that she was at $k$ a minute ago, given that she is at $i$ now.

# %%
came_from = np.array([[0.7, 0.3],   # if she is at A now: came from A, from B
                      [0.4, 0.6]])  # if she is at B now
report_a = np.array([2, 1])  # likelihood of the report "A" at A and at B, up to a factor
likelihood = np.array([1.0, 1.0])  # of all reports so far, if she is at A, at B
for minute in (1, 2, 3):
    likelihood = (came_from @ likelihood) * report_a
    print(f"minute {minute}: ratio {likelihood[0] / likelihood[1]:.3f}")


# %% [markdown]
# The ratio grows, but by much less than the factor 2 each minute. The reason is that she may have moved since the earlier reports, so these say less about her place now. (In the code, the matrix mixes the two likelihoods before each report.)
#
# In general, an attacker compares any two places after any sequence of releases. The *leakage* about this minute is the logarithm of the largest possible ratio of the likelihoods.
#
# We assume that $B$ is the same in every minute. This is true of a Markov chain in its stationary distribution. In our examples, the chain is also reversible: it has the same probabilities backwards in time. Then $B$ is its transition matrix.
#
# ## The bound of Cao and others
#
# ```{prf:theorem} The leakage of all releases up to now
# :label: thm-lo-09-recursion
# Let every release satisfy event-level differential privacy with the ratio $E$. Suppose that the likelihoods of all releases up to a minute ago, given two different places of the person at that minute, have a ratio of at most $x$, whatever the paths of the others are. Then the likelihoods of all releases up to now, given two different places of the person now, have a ratio of at most
#
# $$ E \max_{i, k, S} \frac{B_i(S)\,(x - 1) + 1}{B_k(S)\,(x - 1) + 1} , $$
#
# where $S$ is a set of places and $B_i(S)$ is the probability that a person who is at $i$ now was in $S$ a minute ago {cite:p}`cao2017quantifying`.
# ```
#
# *Proof.* Fix the paths of all others. Let $v_l$ be the likelihood of the releases up to a minute ago, given that the person was at $l$ at that minute. Only ratios matter, so we divide all $v_l$ by the smallest of them. Then every $v_l$ lies between 1 and $x$.
#
# Before the new release, the ratio for the places $i$ and $k$ is $\sum_l B_{il} v_l \big/ \sum_l B_{kl} v_l$. As a function of a single $v_l$, this is a quotient of two linear functions and therefore monotone. So the ratio is largest if every $v_l$ is either 1 or $x$. Let $S$ be the set of places with $v_l = x$. Then $\sum_l B_{il} v_l = B_i(S)\,(x - 1) + 1$, and the ratio is the fraction above. The new release multiplies the ratio by at most $E$.
#
# If the attacker does not know the paths of the others, both likelihoods are averages over these paths, and their ratio has the same bound. $\square$

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
# If all entries of $B$ are positive, the bound does not grow without limit: whatever $x$ is, the fraction is at most the largest quotient $B_{il}/B_{kl}$. The bound increases from minute to minute, so it has a limit. In {numref}`fig-lo-09-forever`, it is close to the limit after a few minutes.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage about where one person is at one minute, in two places where people stay with probability 0.7 or 0.6. Left: leakage of all releases up to now. It approaches a limit (dashed); the sum of the levels (dotted) grows without limit. Right: leakage of all past and all future releases in the limit. At the level of the dot, this limit is 1.", "name": "fig-lo-09-forever"}, "image": {"alt": "Left, three curves that rise for a few minutes and then stay level at about 0.36<!-- {limits[0]:.2f} -->, 0.71<!-- {limits[1]:.2f} --> and 1.39<!-- {limits[2]:.2f} -->, while dotted straight lines leave the picture. Right, a rising curve of the total leakage against the level, with a dot at 0.54<!-- {solved:.2f} --> and 1."}} tags=["figure"]
minutes = np.arange(1, 11)
fig, (left, right) = plots.panels(1, 2, height=3.4, width=8.4)
limits = []
for epsilon, colour in zip((0.25, 0.5, 1.0), ("blue", "orange", "green")):
    curve = np.log(bound(came_from, math.exp(epsilon), 300))
    limits.append(curve[-1])
    look = {"color": plots.COLOURS[colour]}
    left.plot(minutes, curve[:10], "o-", ms=4, label=f"ε = {epsilon:g}", **look)
    left.axhline(curve[-1], ls="--", lw=0.8, **look)
    left.plot(minutes, epsilon * minutes, ls=":", lw=1, **look)
assert np.allclose(limits, [0.36, 0.71, 1.39], atol=0.01)
left.set(xlabel="minutes", ylabel="leakage", ylim=(0, 3.8))
left.legend(loc="upper right")
levels = np.linspace(0.02, 1, 50)
totals = [2 * math.log(bound(came_from, math.exp(e), 300)[-1]) - e for e in levels]
right.plot(levels, totals, "-", color=plots.COLOURS["blue"])
solved = np.interp(1, totals, levels)
right.plot(solved, 1, "o", ms=8, color=plots.COLOURS["orange"])
right.axhline(1, color="#555555", lw=0.8, ls=":")
right.set(xlabel="level ε of every release", ylabel="leakage, past and future", ylim=(0, 2))
plt.show()

# %% [markdown]
# ## In two places, the bound is exact if people tend to stay
#
# Can releases reach the bound? For two places, here is a complete answer. Let $s$ be the probability that a person who is in the first place now was in the second a minute ago, and $r$ the probability that a person who is in the second place now was in the first. We say that people *tend to stay* if $r + s \le 1$, and that they *tend to change* otherwise.
#
# Let $y$ be the likelihood of the releases up to a minute ago for the first place, divided by that for the second. One minute later, before the next release, this ratio is
#
# $$ G(y) = \frac{(1 - s)\, y + s}{r\, y + (1 - r)} . $$

# %%
r, s, y, x = sp.symbols("r s y x", positive=True)
G = ((1 - s) * y + s) / (r * y + 1 - r)
for_first = G.subs(y, x)  # in favour of the first place, after a ratio x in its favour
for_second = 1 / G.subs(y, 1 / x)  # in favour of the second place, after a ratio x in its favour
print(sp.factor(sp.diff(G, y)))
print(sp.factor(for_first - for_second))


# %% [markdown]
# The first printed line is the derivative of $G$. It shows that $G$ increases if $r + s < 1$, is constant if $r + s = 1$, and decreases if $r + s > 1$.
#
# ````{prf:theorem} Exact, or too large from the third minute on
# :label: thm-lo-09-exact
# Let there be two places, and let $E > 1$.
# 1. If people tend to stay, randomised response in every minute reaches the bound of {prf:ref}`thm-lo-09-recursion` in every minute.
# 2. If people tend to change and $r = s$, randomised response in every minute reaches the bound, too.
# 3. If people tend to change and $r \ne s$, no sequence of releases with the ratio $E$ reaches the bound, from the third minute on.
# ````
#
# *Proof.* A *ratio in favour of* a place is the likelihood for this place divided by that for the other. Let $x_1$ and $x_2$ be the largest ratios in favour of the first and of the second place that any releases up to a given minute can have. A new release multiplies a ratio by at most $E$. A report of randomised response multiplies it by exactly $E$, in favour of the place that is reported. Because $G$ is monotone, the largest ratios follow from those of the minute before, and randomised response attains them.
#
# *People tend to stay.* Then $G$ does not decrease, so the largest ratio in favour of a place follows from the largest ratio in favour of the *same* place. The next values are $E f_1(x_1)$ and $E f_2(x_2)$, with $f_1(x) = G(x)$ and $f_2(x) = 1/G(1/x)$. The bound replaces $x$ by $E \max(f_1(x), f_2(x))$. The second printed line is $f_1(x) - f_2(x)$, and its sign does not depend on $x$. So the same place has the larger ratio in every minute, and the ratio in its favour equals the bound.
#
# *People tend to change.* Then $G$ decreases, so the largest ratio in favour of a place follows from the largest ratio in favour of the *other* place. The next values are $E F_1(x_2)$ and $E F_2(x_1)$, with $F_1(x) = G(1/x)$ and $F_2(x) = 1/G(x)$. Both functions increase. The bound replaces $x$ by $E \max(F_1(x), F_2(x))$. If we put $1/x$ in place of $x$, the second printed line becomes $F_1(x) - F_2(x)$.
#
# If $r = s$, this difference is 0. Then $x_1$ and $x_2$ are equal to the bound in every minute.
#
# If $r \ne s$, one of the two functions is larger for all $x > 1$, say $F_1$. In the first minute, $x_1$, $x_2$ and the bound are all $E$. In the second minute, $x_1 = E F_1(E)$ is the bound, and $x_2 = E F_2(E)$ is smaller. Let $x$ be the bound in the second minute. In the third minute, both ratios are smaller than the bound $E F_1(x)$: the ratio $E F_1(x_2)$ because $x_2 < x$, and the ratio $E F_2(x_1)$ because $x_1 = x$ and $F_2 < F_1$. If both ratios are smaller than the bound in one minute, the same argument shows it for the next one. $\square$
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
# The evidence confirms the theorem without using it, from all sequences of reports and in fractions. The result equals the bound for seven matrices where people tend to stay and for two with $r = s$. It is smaller than the bound from the third minute on for three other matrices.
#
# For three places, the bound need not be exact, even where people more often stay than move. In the example of [notebook 5](../location/05-the-idea-done-right.ipynb), people stay with probability 0.6. We go through all $3^7$ sequences of reports in seven minutes:

# %%
def all_reports(B, E, minutes):
    """Largest ratio over all sequences of randomised responses, after each minute."""
    likelihoods = np.ones((1, len(B)))
    reports = np.where(np.eye(len(B)) == 1, E, 1)  # row: report, column: place
    ratios = []
    for _ in range(minutes):
        before = likelihoods @ np.array(B).T
        likelihoods = (before[:, None, :] * reports).reshape(-1, len(B))
        ratios.append((likelihoods.max(axis=1) / likelihoods.min(axis=1)).max())
    return ratios


restless = [[0.1, 0.9], [0.7, 0.3]]
three_places = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
bound_restless = np.log(bound(restless, 2, 9))
exact_restless = np.log(exact(restless, 2, 9))
bound_three = np.log(bound(three_places, 2, 7))
exact_three = np.log(all_reports(three_places, 2, 7))
assert (bound_restless > exact_restless + 1e-3)[2:].all()  # from the third minute on
assert (bound_three > exact_three)[2:].all()

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The bound of Cao and others (hollow) and the exact leakage of randomised response with E = 2 (filled), in two cases where they differ. Left, two places where people stay with probability 0.1 or 0.3; right, three places where they stay with probability 0.6. The two curves differ from the third minute on.", "name": "fig-lo-09-restless"}, "image": {"alt": "Two panels, each with two rising curves that begin together and part at the third minute. Left, at nine minutes, near 1.8<!-- {bound_restless[8]:.1f} --> and 1.6<!-- {exact_restless[8]:.1f} -->; right, at seven minutes, at 1.53<!-- {bound_three[6]:.2f} --> and 1.46<!-- {exact_three[6]:.2f} -->."}} tags=["figure"]
fig, panels = plots.panels(1, 2, height=3.4, width=8.4)
data = {"two places": (bound_restless, exact_restless),
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
# {numref}`fig-lo-09-restless` shows two cases in which the bound is too large. In two places where people tend to change, the bound is 1.782<!-- {bound_restless[8]:.3f} --> after nine minutes and the exact leakage 1.583<!-- {exact_restless[8]:.3f} -->. Their limits are 1.792<!-- {math.log(bound(restless, 2, 300)[-1]):.3f} --> and 1.584<!-- {math.log(exact(restless, 2, 300)[-1]):.3f} -->. In the three places, the bound is 1.525<!-- {bound_three[6]:.3f} --> after seven minutes, and randomised response leaks 1.462<!-- {exact_three[6]:.3f} -->.
#
# ```{evidence} M-B27 M-B28
# ```
#
# ## Which level keeps the leakage below 1 for ever?
#
# The releases of *later* minutes reveal something about this minute, too. A reversible chain has the same matrix backwards in time, so the same recursion bounds their leakage. Given the person's place now, the past and the future are independent, so we multiply the two ratios. But both contain the release of this minute. We therefore divide the product by $E$.
#
# Let $x$ be the limit of the recursion. The total leakage approaches 1, and never exceeds it, if $x^2/E = e$. (That a level can be chosen by such a limit is an idea of {cite:t}`cao2017quantifying`.) Let the largest ratio be in favour of place $i$ and against place $k$. We write $q = B_{ii}$ and $d = B_{ki}$ for the probabilities of having come from $i$. In the limit, one more step does not change $x$, so $x = E\,(q(x-1)+1)/(d(x-1)+1)$. With $E = x^2/e$ this becomes
#
# $$ q\, x^2 + (1 - q - e\, d)\, x - e\,(1 - d) = 0 . $$
#
# In our example, $i$ is the place where people stay with probability 0.6, so $q = 0.6$ and $d = 0.3$.

# %%
q, d = 0.6, 0.3
x = max(np.roots([q, 1 - q - math.e * d, -math.e * (1 - d)]))
forever = 2 * math.log(x) - 1
limit = bound(came_from, math.exp(forever), 1000)[-1]
assert math.isclose(2 * math.log(limit) - forever, 1)
print(f"level for ever: {forever:.3f}; by adding up the levels of a day: {1 / 1440:.5f}")
errors_six = []
for level in (forever, 1 / 1440):
    best = mechanism.event_level_mechanism([3, 3], came_from, epsilon=level)
    errors_six.append(best.loss)
print("least mean errors of a release for six people:", np.round(errors_six, 2))

# %% [markdown]
# Suppose that three people start in each of the two places. At the level 0.541<!-- {forever:.3f} -->, their histogram can be published with a mean error of 1.56<!-- {errors_six[0]:.2f} -->. At the level 0.00069<!-- {1 / 1440:.5f} -->, the mean error is 1.83<!-- {errors_six[1]:.2f} -->, almost that of a constant. The smaller error has a price: the promise concerns each minute by itself. The leakage about the whole path still adds up, minute by minute.
#
# ## Limits
#
# - **Assumptions.** {prf:ref}`thm-lo-09-recursion` needs event-level privacy of every release, whatever was released before, and people who move independently of each other. {prf:ref}`thm-lo-09-exact` also needs a matrix $B$ that is the same in every minute.
# - **Three places.** The result is a calculation for one matrix, one level and seven minutes, and for randomised response only. Another mechanism might come closer to the bound. We do not know the exact leakage in three or more places, where several ratios have to be followed at once.
# - **Impossible moves.** If a move is impossible, there may be no limit. For example, if people never move, the levels add up.
# - **The matrix.** The attacker and the operator use the same matrix $B$. For another matrix the limit is different.
# - **Adversarial privacy.** The results do not hold for adversarial privacy in place of event-level privacy. Adversarial privacy is a promise about an attacker who knows the places of the minute before, and not about one who has seen all earlier releases.
#
# ## What is new here
#
# The recursion, its limit, and the choice of a level by it are by {cite:t}`cao2017quantifying`. Our short proof of the recursion is the usual argument for linear-fractional functions. We searched for a statement on when the bound is exact, and found none: {prf:ref}`thm-lo-09-exact` and the three-place example are ours, as far as we know. Later works on many releases, of which we read abstracts or beginnings only, are on [a page of their own](../../book/since.md).
