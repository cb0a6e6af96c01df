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
# # Is the best release really the best, and how do other releases compare?
#
# **Question.** In [notebook 5](../location/05-the-idea-done-right.ipynb) a solver of linear programmes finds the releases with the least error, in floating-point numbers. Can it be *proved* that no release has a smaller error? And how do other mechanisms and other measures of leakage compare?
#
# **What is known.** The paper {cite:p}`kawamoto` argues that a release can be more accurate if it protects only against declared attackers (section 1), and computes no best release. Duality gives lower bounds for every linear programme {cite:p}`neumaier2004safe`.
#
# **Answer.** For nine people at $\varepsilon = 1$, the least mean error under the paper's promise is 0.164764<!-- {float(least):.6f} -->; the proof leaves an uncertainty below $10^{-10}$. Differential privacy of one place needs 2.221<!-- {errors["event-level"]:.3f} -->. Three mechanisms in which people perturb their own answers have errors of at least 2.764<!-- {errors["stayed?"]:.3f} -->. A measure that averages the leakage over all outputs hardly distinguishes the best release (1.577<!-- {leakage["one-sided"][0]:.3f} -->) from the truth (1.596<!-- {leakage["the truth"][0]:.3f} -->).
#
# **Why it matters.** Definitions of privacy can be compared by their errors only if these errors are the least possible ones.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to turn a solver's answer into a proof in fractions, how much accuracy is lost if people perturb their own answers, why an average leakage can mislead, and which differentially private release is best for two places.
# **You need** the best release as the solution of a linear programme ([notebook 5](../location/05-the-idea-done-right.ipynb)).
# **Time:** 21 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** (NPK of the paper) knows the transition matrix, the mechanism, and where everybody was one minute ago, and sees one release. **Protected:** the place of each person now. **Not considered:** several releases ([another note](location-releases-for-ever.ipynb)), and an attacker with another matrix ([another note](location-wrong-matrix.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from collections import Counter
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from scipy import optimize, sparse

from privlib.location import mechanism
from privlib.notebook import plots
from privlib.research.location_certificate import certified_mechanism

plots.use()

# %% [markdown]
# ## A proof in fractions
#
# A *promise* limits what a release may reveal. Let $E = e^\varepsilon$. Notebook 5 has three promises. *One-sided* adversarial privacy is that of the paper, against an attacker who knows the mechanism: the *gain* of a guess, its probability after the release divided by its probability before, is at most $E$. *Two-sided* adversarial privacy asks in addition that no gain is below $1/E$. *Event-level* differential privacy asks that the probability of every output changes by a factor of at most $E$ if one person's place changes.
#
# We begin with one person, who is at A or at B with probability 1/2 each. A release announces the true place with probability 2/3, and the other one with probability 1/3. For both announcements the two probabilities differ by a factor of 2, so the release keeps the event-level promise with $E = 2$. If the person is announced at the wrong place, the error is 2, because two counts are wrong. Is there a release with a smaller mean error?

# %%
cost = np.array([[0, 1], [1, 0]])  # probability 1/2, times the error 0 or 2
rows = np.array([[1, -2], [-2, 1]])  # the promise: rows @ Q <= 0
Q = np.array([[2, 1], [1, 2]]) * Fraction(1, 3)  # row: true place, column: output
multipliers = np.array([[1, 0], [0, 1]]) * Fraction(1, 3)
reduced_cost = cost + rows.T @ multipliers
print("the release keeps the promise:", (rows @ Q <= 0).all())
print("its mean error:", (cost * Q).sum())
print("no release has less than:", reduced_cost.min(axis=1).sum())


# %% [markdown]
# There is none. The idea of the proof is this. A condition of the promise says that a certain sum is at most 0. We multiply such sums by numbers that are not negative, the *multipliers*, and add them to the mean error. For a release that keeps the promise, the result is at most the mean error. It is also an average of the reduced costs in each row, so it is at least the sum of the smallest reduced cost of each row.
#
# In general, let $p(x)$ be the probability of the true histogram $x$, $\ell(x, o)$ the error if $o$ is published, and $Q(o \mid x)$ the probability of publishing $o$. A promise is a list of conditions $\sum_x a_{kx} Q(o \mid x) \le 0$, one for each output $o$ and each $k$. The numbers $a_{k1}, a_{k2}, \dots$ form the row $k$ of a matrix.
#
# ````{prf:proposition} Two bounds that hold whatever the solver says
# :label: thm-lo-09-bounds
# For all multipliers $\lambda_{ko} \ge 0$, every release that keeps the promise has at least the mean error
#
# $$ \sum_x \min_o \Bigl( p(x)\, \ell(x, o) + \sum_k \lambda_{ko}\, a_{kx} \Bigr) . $$
#
# Suppose that each row has a negative sum, $-A_k = \sum_x a_{kx} < 0$. For a release $Q$ that may break the promise slightly, let $w_o$ be the largest of the numbers $\frac{1}{A_k} \sum_x a_{kx} Q(o \mid x)$ over all $k$, or 0 if all of them are negative. Then the release $Q'(o \mid x) = \bigl(Q(o \mid x) + w_o\bigr) \big/ \bigl(1 + \sum_{o'} w_{o'}\bigr)$ keeps the promise.
# ````
#
# *Proof.* If $Q$ keeps the promise, then $\sum_{k, o} \lambda_{ko} \sum_x a_{kx} Q(o \mid x)$ is at most 0. We add it to the mean error $\sum_{x, o} p(x)\, \ell(x, o)\, Q(o \mid x)$. The result is at most the mean error, and it equals $\sum_x \sum_o Q(o \mid x)\, B(x, o)$, where $B(x, o)$ is the bracket in the formula. For each $x$, the inner sum is an average of the numbers $B(x, o)$, so it is at least the smallest of them.
#
# For the second part, we add $w_o$ to $Q(o \mid x)$ for all $x$. Then $\sum_x a_{kx} Q(o \mid x)$ becomes smaller by $w_o A_k$, which is enough to make it at most 0, by the choice of $w_o$. The probabilities for each $x$ now add up to $1 + \sum_{o'} w_{o'}$. Dividing by this number makes the sum 1 again, and does not change any sign. $\square$
#
# The rows of all three promises have negative sums. For example, a condition of the one-sided promise says that the probability of $o$, given that a person is at $j$, is at most $E$ times the probability of $o$. So the row is one probability distribution minus $E$ times another one, and its sum is $1 - E < 0$. In code, where `solve` calls the solver as in notebook 5:

# %% jupyter={"source_hidden": true} tags=["set-up"]
def solve(cost, rows):
    """Best release and multipliers, in floating-point numbers."""
    m = len(cost)
    every_output = sparse.kron(rows.astype(float), sparse.eye(m))
    sums = sparse.kron(sparse.eye(m), np.ones((1, m)))
    solution = optimize.linprog(
        cost.astype(float).ravel(), every_output, np.zeros(rows.size), sums, np.ones(m)
    )
    return solution.x.reshape(m, m), -solution.ineqlin.marginals.reshape(-1, m)


# %%
def to_fraction(value):
    """A fraction near a number, not negative."""
    return max(Fraction(round(value * 2**44), 2**44), Fraction(0))


to_fractions = np.vectorize(to_fraction)


def two_bounds(cost, rows):
    """Two fractions that enclose the least mean error, and a release with the larger one."""
    release, multipliers = solve(cost, rows)
    reduced_cost = cost + rows.T @ to_fractions(multipliers)
    lower = reduced_cost.min(axis=1).sum()
    Q = to_fractions(release)
    Q = Q / Q.sum(axis=1, keepdims=True)
    negative_sums = rows.sum(axis=1)[:, None]
    added = (rows @ Q / -negative_sums).max(axis=0).clip(0)  # w_o of the proposition
    Q = (Q + added) / (1 + added.sum())
    assert (rows @ Q <= 0).all()  # in fractions: no tolerance
    return lower, (cost * Q).sum(), Q


# %% [markdown]
# The solver only proposes numbers. Inaccurate numbers would make the two bounds differ more, but both bounds would still be true.
#
# Now the nine people of notebook 5: three start in each of three places, and move by the matrix $P$.

# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) * Fraction(1, 10)
crowd, unit = np.array([3, 3, 3]), np.eye(3, dtype=int)
x = mechanism.histograms(9, 3)
p = mechanism.output_distribution(crowd, P)
distance = np.abs(x[:, None] - x).sum(axis=2).astype(object)
cost = p[:, None] * distance
given_guess = []  # distribution of x, if one person from i is at j
for i, j in product(range(3), repeat=2):
    others = mechanism.output_distribution(crowd - unit[i], P)
    chances = dict(zip(map(tuple, mechanism.histograms(8, 3)), others))
    given_guess.append([chances.get(tuple(h - unit[j]), 0) for h in x])
given_guess = np.array(given_guess)

# %% [markdown]
# The bound on the gains is $e$, which is not a fraction. A weaker bound allows a smaller error. So a lower bound on the error for a fraction just above $e$ is also one for $e$. And a release that keeps the promise for a fraction just below $e$ keeps it for $e$.

# %%
above, below = Fraction(math.nextafter(math.e, 3)), Fraction(math.nextafter(math.e, 2))
least, _, _ = two_bounds(cost, given_guess - above * p)
_, reached, best = two_bounds(cost, given_guess - below * p)
print(f"{float(least):.12f} <= least mean error <= {float(reached):.12f}")
assert 0 < reached - least < Fraction(1, 10**10)

# %% [markdown]
# Both numbers are fractions, with denominators of 35<!-- {len(str(least.denominator))} --> and 56<!-- {len(str(reached.denominator))} --> digits. For the other two promises, `certified_mechanism` of `privlib.research.location_certificate` does the same faster, with whole numbers:

# %%
releases = {"the truth": np.eye(len(x)), "one-sided": best.astype(float)}
for name in ("two-sided", "event-level"):
    _, lower, _ = certified_mechanism(crowd, P, bound=above, promise=name)
    certified, _, _ = certified_mechanism(crowd, P, bound=below, promise=name)
    assert 0 < certified.loss - lower < Fraction(1, 10**10)
    print(f"{name}: {float(lower):.12f} <= least mean error <= {float(certified.loss):.12f}")
    releases[name] = certified.channel.astype(float)

# %% [markdown]
# The solver's errors agree with these to ten decimal places. [The evidence](../evidence/research/location-beside-the-state-of-the-art.ipynb) proves the one-sided and two-sided errors of notebook 5 at all its nine levels in the same way.
#
# ```{evidence} M-B22
# ```
#
# ## How much is lost if people perturb their own answers?
#
# All three releases need an operator who knows the true histogram. In a *local* mechanism the server never sees the true answers: each person perturbs her own answer before she sends it to a server, as in randomised response {cite:p}`warner1965randomized`. We compare three local mechanisms. In each of them, a person sends the true answer with a probability that is $e$ times that of any other answer:
#
# 1. *Place, pooled.* She reports her place. The server counts all reports together.
# 2. *Place, by origin.* She reports her place. The server knows where everybody was a minute ago, and counts the reports for each of these places of origin separately.
# 3. *Stayed?* She reports only whether she is still where she was a minute ago. The server counts the answers by origin.
#
# We add the people one by one. At each step we keep the joint probability of the true histogram and the answers so far.

# %%
transition = P.astype(float)


def joint_distribution(answer_probabilities, by_origin):
    """Probability of each pair: true histogram, answers that the server counts."""
    pairs = {((0, 0, 0), ()): 1.0}
    for i in (0, 0, 0, 1, 1, 1, 2, 2, 2):  # where the person was a minute ago
        longer = Counter()
        for (histogram, answers), probability in pairs.items():
            for j, move in enumerate(transition[i]):
                arrived = (*histogram[:j], histogram[j] + 1, *histogram[j + 1 :])
                for answer, chance in enumerate(answer_probabilities(i, j)):
                    label = (i, answer) if by_origin else answer
                    more_answers = tuple(sorted((*answers, label)))
                    longer[arrived, more_answers] += probability * move * chance
        pairs = longer
    return pairs


# %% [markdown]
# From the answers the server computes the *best estimate*, the histogram with the least mean error given the answers, and publishes it.

# %%
def as_table(pairs):
    """The same probabilities; row: true histogram, column: answers."""
    index_of = {tuple(h): k for k, h in enumerate(x.tolist())}
    columns = {}
    for (histogram, answers), probability in pairs.items():
        column = columns.setdefault(answers, np.zeros(len(x)))
        column[index_of[histogram]] += probability
    return np.array(list(columns.values())).T


def error_of_best_estimate(joint):
    return float((distance.astype(float) @ joint).min(axis=0).sum())


def report_place(i, j):
    return np.where(unit[j] == 1, math.e, 1) / (math.e + 2)


def report_stay(i, j):
    likelier = 0 if i == j else 1  # answer 0: stayed, answer 1: moved
    return np.where(np.arange(2) == likelier, math.e, 1) / (math.e + 1)


pooled = as_table(joint_distribution(report_place, by_origin=False))
by_origin = as_table(joint_distribution(report_place, by_origin=True))
stayed = as_table(joint_distribution(report_stay, by_origin=True))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Mean error of eight releases for nine people, \u03b5 = 1. The three squares are the least possible errors under their promises, as proved in fractions. A constant ignores the truth. From it, the errors of the local mechanisms (circles) go about a third of the way to the best event-level release.", "name": "fig-lo-09-errors"}, "image": {"alt": "A row for each release. The truth has error 0; squares at 0.16<!-- {errors[\"one-sided\"]:.2f} --> for one-sided, 0.36<!-- {errors[\"two-sided\"]:.2f} --> for two-sided and 2.22<!-- {errors[\"event-level\"]:.2f} --> for event-level differential privacy; circles at 2.76<!-- {errors[\"stayed?\"]:.2f} -->, 2.80<!-- {errors[\"place, by origin\"]:.2f} --> and 2.82<!-- {errors[\"place, pooled\"]:.2f} --> for the local mechanisms; a constant at 3.09<!-- {errors[\"a constant\"]:.2f} -->."}} tags=["figure"]
errors = {}
prior = p.astype(float)
for name, Q in releases.items():
    errors[name] = error_of_best_estimate(prior[:, None] * Q)
errors["stayed?"] = error_of_best_estimate(stayed)
errors["place, by origin"] = error_of_best_estimate(by_origin)
errors["place, pooled"] = error_of_best_estimate(pooled)
errors["a constant"] = error_of_best_estimate(prior[:, None])
looks = {"best release": ("s", "blue"), "local mechanism": ("o", "orange"), "": ("|", "black")}
kinds = [""] + ["best release"] * 3 + ["local mechanism"] * 3 + [""]
fig, axis = plots.panels(1, 1, height=3.6, width=7)
for height, (name, kind) in enumerate(zip(errors, kinds)):
    marker, colour = looks[kind]
    seen_before = kind in kinds[:height]
    axis.plot(errors[name], -height, marker, color=plots.COLOURS[colour], ms=8, ls="",
              label=None if seen_before or not kind else kind)
    axis.text(errors[name] + 0.07, -height, f"{errors[name]:.3f}", va="center", fontsize=9)
axis.set(xlabel="mean error (people, $L_1$)", xlim=(-0.1, 3.6), ylim=(-7.6, 0.6))
axis.set_yticks(range(0, -8, -1), list(errors))
axis.legend(loc="upper right")
values = list(errors.values())
assert values == sorted(values)
plt.show()


def share_achieved(name):
    reduction = errors["a constant"] - errors[name]
    return reduction / (errors["a constant"] - errors["event-level"])


# %% [markdown]
# {numref}`fig-lo-09-errors` shows the result. Between a constant and the best event-level release, the error falls from 3.085<!-- {errors["a constant"]:.3f} --> to 2.221<!-- {errors["event-level"]:.3f} -->. Pooled reports achieve 31%<!-- {share_achieved("place, pooled"):.0%} --> of this reduction, reports by origin 33%<!-- {share_achieved("place, by origin"):.0%} -->, and the question whether people stayed 37%<!-- {share_achieved("stayed?"):.0%} -->. Counting by origin reduces the error by only 0.015<!-- {errors["place, pooled"] - errors["place, by origin"]:.3f} -->, and the simpler question by a further 0.037<!-- {errors["place, by origin"] - errors["stayed?"]:.3f} -->.

# %%
def largest_ratio(joint):
    """Largest ratio of probabilities, for histograms that differ by one person's place."""
    Q = joint / prior[:, None]
    first, second = np.nonzero(distance == 2)
    return float((Q[first] / Q[second]).max())


for joint in (pooled, by_origin, stayed):
    print(f"{largest_ratio(joint):.2f}")

# %% [markdown]
# The comparison has a caveat. In all three mechanisms, the probability of one person's answer changes by a factor of at most $e$ if this person's place changes. But the event-level promise compares two *histograms*. Pooled reports keep it, too. Reports that are counted by origin do not: for histograms that differ by one person's place, the ratios of their probabilities reach 4.77<!-- {largest_ratio(by_origin):.2f} --> and 4.94<!-- {largest_ratio(stayed):.2f} -->. The reason is that a histogram does not say who moved. If it changes by one person's place, the probable movements of several people change.
#
# ```{evidence} M-B29
# ```
#
# ## An average leakage hardly sees rare outputs
#
# Quantitative information flow measures by how much a release helps an attacker to reach a goal {cite:p}`alvim2012gleakage`. The attacker chooses a guess $w$, and receives the amount $g(w, j) \ge 0$ if the person is at $j$. For example, $g$ may be 1 for the right place and 0 otherwise, or 1 also for a place nearby. For a person from $i$, the expected amount before the release is $V = \max_w \sum_j P_{ij}\, g(w, j)$. Let $D_j(o)$ be the probability of the output $o$ if the person is at $j$. After the release, the expected amount is
#
# $$ V' = \sum_o \max_w \sum_j P_{ij}\, D_j(o)\, g(w, j) . $$
#
# The *multiplicative $g$-leakage* is the ratio $V'/V$.
#
# ```{prf:proposition} Adversarial privacy bounds every g-leakage
# :label: thm-lo-09-leakage
# If no gain about a person exceeds $E$, then $V' \le E\, V$ for every $g \ge 0$.
# ```
#
# *Proof.* Let $m(o)$ be the probability of the output $o$. By Bayes' rule, the gain of the guess "at $j$" is $D_j(o)/m(o)$. So $D_j(o) \le E\, m(o)$, and for every $w$ we have $\sum_j P_{ij} D_j(o)\, g(w, j) \le E\, m(o) \sum_j P_{ij}\, g(w, j) \le E\, m(o)\, V$. We add this up over all outputs $o$, and use that the $m(o)$ add up to 1. $\square$
#
# The converse is false: a small $g$-leakage does not bound the gains. The largest $g$-leakage over all $g$ is the *multiplicative capacity* $\sum_o \max_j D_j(o)$ {cite:p}`alvim2014additive`. Suppose that a person is at A with probability 1/100 and otherwise at B, and that the true place is published. After the output "A", the guess "A" is 100 times as probable as before. But the capacity is only $1 + 1 = 2$, because it is an average over the outputs, and the output "A" is rare.

# %%
releases["place, pooled"] = pooled / prior[:, None]
releases["a constant"] = np.ones((len(x), 1))
leakage = {}
for name, Q in releases.items():
    channel = Q[:, Q.any(axis=0)]  # the outputs that can occur
    gains = mechanism.mechanism_gain(crowd, transition, channel=channel)  # output, from, to
    largest = gains.max(axis=2)  # D_j(o) / m(o) at the place j where it is largest
    capacity = (prior @ channel) @ largest  # for each place of origin
    leakage[name] = capacity.max(), gains.max()
    print(f"{name}: capacity {capacity.max():.3f}, largest gain {gains.max():.3f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The leakage about one person from six releases, as an average over the outputs (capacity) and for the worst output (largest gain). The truth and the best one-sided release have nearly the same capacity, although the largest gain of one is 10<!-- {leakage[\"the truth\"][1]:.0f} --> and of the other e (dotted line).", "name": "fig-lo-09-capacity"}, "image": {"alt": "Six points in a plane of capacity and largest gain. Two of them lie almost above each other at a capacity of 1.6<!-- {leakage[\"the truth\"][0]:.1f} -->, one at gain 10<!-- {leakage[\"the truth\"][1]:.0f} --> and one at e. The others lie further to the left, at gains between 1 and e."}} tags=["figure"]
fig, axis = plots.panels(1, 1, height=3.6, width=6.4)
for name, (capacity, gain) in leakage.items():
    axis.plot(capacity, gain, "o", ms=8, color=plots.COLOURS["blue"])
    shift = (-55, -16) if name == "two-sided" else (8, 5)
    axis.annotate(name, (capacity, gain), shift, textcoords="offset points", fontsize=9)
axis.axhline(math.e, color="#555555", lw=1, ls=":")
axis.set(xlabel="capacity (average over the outputs)", ylabel="largest gain (worst output)",
         yscale="log", xlim=(0.95, 1.8), ylim=(0.9, 14))
axis.set_yticks([1, 2, math.e, 5, 10], ["1", "2", "e", "5", "10"])
axis.minorticks_off()
plt.show()


# %% [markdown]
# The nine people are a similar case ({numref}`fig-lo-09-capacity`). The capacity of the best one-sided release is 98.8%<!-- {leakage["one-sided"][0] / leakage["the truth"][0]:.1%} --> of that of the truth, and both are far below $e$, because outputs with gains above $e$ are rare. The logarithm of the largest gain from a single output is called *pointwise maximal leakage* {cite:p}`saeidian2023pointwise`, and this is what adversarial privacy bounds. So whenever a leakage is quoted, ask whether it is an average.
#
# ```{evidence} M-B25 M-B26
# ```
#
# ## In two places, geometric noise is best
#
# For two places, the best event-level release is known, and no solver is needed. We begin with one person.
#
# ````{prf:proposition} One person in two places
# :label: thm-lo-09-two-places
# One person is in the two places with probabilities $p$ and $q = 1 - p$. The least mean error of a release with the event-level ratio $E > 1$ is $2 \min\bigl(p,\, q,\, 1/(1 + E)\bigr)$.
# ````
#
# *Proof.* Consider an output that has the probability $u$ if the person is in the first place, and $v$ if the person is in the second. Let $s = (Eu - v)/(E - 1)$ and $t = (Ev - u)/(E - 1)$. These numbers are not negative, because $v \le Eu$ and $u \le Ev$. Solving for $u$ and $v$ gives
#
# $$ u = \frac{E s + t}{1 + E}, \qquad v = \frac{s + E t}{1 + E}. $$
#
# Over all outputs, the $u$ add up to 1 and the $v$ add up to 1; hence so do the $s$, and so do the $t$. The release can therefore be made in two steps. The first step is randomised response, which answers with the true place with probability $E/(1 + E)$. The second step publishes the output with probability $s$ after the answer "first place", and with probability $t$ after "second place".
#
# The second step does not use the true place, so its output allows no better estimate than the answer itself. There are four ways to estimate the place from the answer. "Always the second place" is wrong with probability $p$, and "always the first" with $q$. The place that was answered is wrong with probability $1/(1+E)$, and the other place with $E/(1+E)$. A wrong place counts 2. $\square$
#
# For $n$ people in two places, the histogram is one count, because the other count is the rest. {cite:t}`ghosh2012universally` prove for every prior distribution: if geometric noise, truncated to $0, \dots, n$, is added to the count and the user takes the best estimate, then no mechanism with the same event-level promise has a smaller mean error. ([The note on the best noise](laplace-which-noise-is-best.ipynb) tells more.)

# %%
def geometric_noise_error(before, matrix, E):
    """Mean error of the best estimate from truncated geometric noise on the first count."""
    counts = np.arange(sum(before) + 1).astype(object)
    difference = abs(counts[:, None] - counts)
    noise = (E - 1) / ((E + 1) * E**difference)
    noise[:, [0, -1]] *= E / (E - 1)  # smaller and larger outputs are moved to 0 and n
    joint = mechanism.output_distribution(before, matrix)[:, None] * noise
    return (2 * difference @ joint).min(axis=0).sum()


stay = np.array([[7, 3], [4, 6]]) * Fraction(1, 10)
six = geometric_noise_error([3, 3], stay, Fraction(2))
certified, lower, _ = certified_mechanism([3, 3], stay, bound=2, promise="event-level")
assert lower <= six <= certified.loss < lower + Fraction(1, 10**10)

# %% [markdown]
# Six people stay with probability 0.7 in the first place and 0.6 in the second. For $E = 2$, the least mean error is 1.4418<!-- {float(six):.4f} -->. The evidence compares 36 such cases: in each of them, the error of geometric noise lies between the two bounds that are proved in fractions.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Least mean errors under event-level differential privacy in two places. Lines are the closed forms; dots are proved in fractions. On the left, one person; on the flat part randomised response is best, on the slopes a constant. On the right, people who stay with probability 0.7 (first place) or 0.6 (second place).", "name": "fig-lo-09-two-places"}, "image": {"alt": "Two panels. Left, three trapezia over the probability of the first place, the flat tops at 0.89<!-- {2 / (1 + 5 / 4):.2f} -->, 0.67<!-- {2 / (1 + 2):.2f} --> and 0.44<!-- {2 / (1 + 7 / 2):.2f} -->. Right, three falling curves of the error against the ratio E, for two, four and six people. All dots lie on the lines."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.4, width=8.4)
chances = np.linspace(0, 1, 201)
for ratio in (Fraction(5, 4), Fraction(2), Fraction(7, 2)):
    (line,) = left.plot(chances, 2 * np.minimum(np.minimum(chances, 1 - chances), 1 / (1 + ratio)),
                        label=f"E = {float(ratio):g}")
    for tenth in range(1, 10):
        moves = np.array([[tenth, 10 - tenth], [5, 5]]) * Fraction(1, 10)
        mark, _, _ = certified_mechanism([1, 0], moves, bound=ratio, promise="event-level")
        left.plot(tenth / 10, float(mark.loss), "o", ms=4, color=line.get_color())
left.set(xlabel="probability p of the first place", ylabel="least mean error", ylim=(0, 1))
left.legend(fontsize=8)
ratios = [Fraction(k, 4) for k in range(5, 21)]
for each in (1, 2, 3):
    curve = [float(geometric_noise_error([each, each], stay, ratio)) for ratio in ratios]
    (line,) = right.plot([float(r) for r in ratios], curve, label=f"{2 * each} people")
    for ratio in ratios[::3]:
        mark, _, _ = certified_mechanism([each, each], stay, bound=ratio, promise="event-level")
        right.plot(float(ratio), float(mark.loss), "o", ms=4, color=line.get_color())
right.set(xlabel="ratio E", ylim=(0, 2.2))
right.legend(fontsize=8)
plt.show()

# %% [markdown]
# For the adversarial promises we know no closed form, because their conditions depend on the distribution of the histograms.
#
# ```{evidence} M-B23 M-B24
# ```
#
# ## Limits
#
# - **What is proved.** The two bounds need only sums of fractions, and no trust in the solver. (Outputs other than histograms do not help; notebook 5 proves this.) They are computed for the nine people at the levels named, and for small groups in two places. The other least errors of notebook 5 are floating-point numbers.
# - **What is computed in floating-point numbers.** The errors of the local mechanisms and the capacities. The evidence computes them a second time, from all movements of nine named people. libqif {cite:p}`libqif`, the library of quantitative information flow, solves the event-level programme by its own solver; [its results agree](../../book/outside.md).
# - **Only three local mechanisms.** Better ones may exist. Those that count by origin need a server that knows where everybody was.
# - **One person's place.** {prf:ref}`thm-lo-09-leakage` does not bound what an attacker receives for a guess about several people.
#
# ## What is new here
#
# Weak duality is a textbook fact, and safe bounds from a solver's floating-point answer are in {cite:t}`neumaier2004safe` (abstract only). The repair of the release, which uses the sign of the row sums, and the numbers are ours. The closed form for one person is the smallest case of {cite:t}`ghosh2012universally`. It is well known that every private release of one bit is randomised response followed by a second step. The $g$-leakage is from {cite:t}`alvim2012gleakage` (abstract only) and its capacity from {cite:t}`alvim2014additive` (read by its beginning). {cite:t}`saeidian2023pointwise` show that a bound for each output bounds the average, and introduced the pointwise measure because averages hide rare outputs. {cite:t}`kairouz2016extremal` treat randomised response with several answers. The comparison of local mechanisms in this example is ours.
#
# **Next:** [How much do releases that go on for ever tell about one minute?](location-releases-for-ever.ipynb)
