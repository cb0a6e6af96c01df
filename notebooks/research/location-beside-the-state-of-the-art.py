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
# **Question.** [Notebook 5](../location/05-the-idea-done-right.ipynb) calls a release the best because a solver of linear programmes said so, in floating-point numbers. Can this be proved, and how does the release compare with other mechanisms and under other measures of leakage?
#
# **Answer.** Yes: for nine people and $\varepsilon = 1$, the least mean error under one-sided adversarial privacy is 0.164764<!-- {float(least):.6f} -->, with a proof that leaves an uncertainty of less than $10^{-10}$; event-level differential privacy needs 2.221<!-- {errors["event-level"]:.3f} -->, and three mechanisms in which people perturb their own answers have errors of at least 2.764<!-- {errors["stayed?"]:.3f} -->. A leakage that averages over the outputs hardly sees what the promise achieves: it is 1.577<!-- {leakage["one-sided"][0]:.3f} --> for the best release and 1.596<!-- {leakage["the truth"][0]:.3f} --> if the truth is published.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to turn a solver's answer into a proof in fractions, what is lost if people perturb their own answers, why an average leakage can mislead, and which release is best for two places, without a solver.
# **You need** the best release as the solution of a linear programme ([notebook 5](../location/05-the-idea-done-right.ipynb)).
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** (NPK of the paper) knows the transition matrix, the mechanism, and where everybody was one minute ago, and sees one release. **Protected:** the guess where a person is now. **Not considered:** several releases ([another note](location-releases-for-ever.ipynb)), and an attacker with another matrix ([another note](location-wrong-matrix.ipynb)).
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
# One person is at A or at B, with probability 1/2 each. A release announces the true place with probability 2/3, and the other one with probability 1/3. Each announcement is at most $E = e^\varepsilon = 2$ times as probable for one true place as for the other, so the release keeps event-level differential privacy with this ratio. A misplaced person adds 2 to the error, because two counts are wrong. Is there a better release?

# %%
cost = np.array([[0, 1], [1, 0]])  # probability 1/2, times 2 if the person is misplaced
rows = np.array([[1, -2], [-2, 1]])  # the promise: rows @ Q <= 0 for every output
Q = np.array([[2, 1], [1, 2]]) * Fraction(1, 3)  # row: true place, column: output
multipliers = np.array([[1, 0], [0, 1]]) * Fraction(1, 3)
print("the release keeps the promise:", (rows @ Q <= 0).all())
print("its mean error:", (cost * Q).sum())
print("no release has less than:", (cost + rows.T @ multipliers).min(axis=1).sum())


# %% [markdown]
# There is no better one. The last line of the code adds a multiple of the promise to the cost, and takes the smallest entry of each row. The following proposition says why this is a lower bound. It also says how to repair a release that breaks its promise by a rounding error.
#
# As in notebook 5, $p(x)$ is the probability of the true histogram $x$, $\ell(x, o)$ the error if $o$ is published, and $Q(o \mid x)$ the release. A promise is a list of conditions $\sum_x a_{kx} Q(o \mid x) \le 0$, one for each row $k$ and output $o$.
#
# ````{prf:proposition} Two bounds that hold whatever the solver says
# :label: thm-lo-09-bounds
# Let the entries of each row add up to less than 0. For all numbers $\lambda_{ko} \ge 0$, every release that keeps the promise has at least the mean error
#
# $$ \sum_x \min_o \Bigl( p(x)\, \ell(x, o) + \sum_k \lambda_{ko}\, a_{kx} \Bigr) . $$
#
# For every release $Q$, let $w_o$ be the largest of 0 and all $\sum_x a_{kx} Q(o \mid x) \big/ \bigl( -\sum_x a_{kx} \bigr)$. Then $Q'(o \mid x) = (Q(o \mid x) + w_o) \big/ \bigl(1 + \sum_{o'} w_{o'}\bigr)$ keeps the promise.
# ````
#
# *Proof.* If $Q$ keeps the promise, its mean error does not grow when we add $\sum_{k, o} \lambda_{ko} \sum_x a_{kx} Q(o \mid x)$, which is at most 0. The sum is $\sum_x \sum_o Q(o \mid x)\,(\dots)$ with the bracket above. For each $x$ this is an average of brackets, so it is at least the smallest one. For the second part, add $w_o$ to $Q(o \mid x)$ for all $x$. This lowers the sum of row $k$ by $w_o \lvert \sum_x a_{kx} \rvert$, which is enough to make it at most 0. The division restores the sum 1. $\square$
#
# The rows of all our promises satisfy the condition. For example, a row for one-sided privacy is a probability distribution minus $E$ times another one, so its entries add up to $1 - E < 0$. In code:

# %%
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
in_fractions = np.vectorize(lambda v: max(Fraction(round(v * 2**44), 2**44), Fraction(0)))


def two_bounds(cost, rows):
    """Two fractions that enclose the least mean error, and a release with the larger one."""
    release, multipliers = solve(cost, rows)
    lower = (cost + rows.T @ in_fractions(multipliers)).min(axis=1).sum()
    Q = in_fractions(release)
    Q = Q / Q.sum(axis=1, keepdims=True)
    w = (rows @ Q / -rows.sum(axis=1)[:, None]).max(axis=0).clip(0)
    Q = (Q + w) / (1 + w.sum())
    assert (rows @ Q <= 0).all()  # in fractions: no tolerance
    return lower, (cost * Q).sum(), Q


# %% [markdown]
# The solver only proposes numbers. If they are bad, the two bounds are far apart, but both remain true.
#
# Now the nine people of notebook 5: three start in each of three places, and move by the matrix $P$.

# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) * Fraction(1, 10)
crowd, unit = np.array([3, 3, 3]), np.eye(3, dtype=int)
x = mechanism.histograms(9, 3)
p = mechanism.output_distribution(crowd, P)
apart = np.abs(x[:, None] - x).sum(axis=2).astype(object)
cost = p[:, None] * apart
given_guess = []  # distribution of x, if one person from i is at j
for i, j in product(range(3), repeat=2):
    others = mechanism.output_distribution(crowd - unit[i], P)
    chances = dict(zip(map(tuple, mechanism.histograms(8, 3)), others))
    given_guess.append([chances.get(tuple(h - unit[j]), 0) for h in x])
given_guess = np.array(given_guess)

# %% [markdown]
# The bound on the gains is $e$, which is not a fraction. The least error falls as the bound grows. So we take the lower bound at a fraction just above $e$, and the release at one just below.

# %%
above, below = Fraction(math.nextafter(math.e, 3)), Fraction(math.nextafter(math.e, 2))
least, _, _ = two_bounds(cost, given_guess - above * p)
_, most, best = two_bounds(cost, given_guess - below * p)
print(f"{float(least):.12f} <= least mean error <= {float(most):.12f}")
assert 0 < most - least < Fraction(1, 10**10)

# %% [markdown]
# Both numbers are fractions, with denominators of 35<!-- {len(str(least.denominator))} --> and 56<!-- {len(str(most.denominator))} --> digits. For the other two promises, `certified_mechanism` of `privlib.research.location_certificate` does the same with whole numbers, which is faster:

# %%
releases = {"the truth": np.eye(len(x)), "one-sided": best.astype(float)}
for name in ("two-sided", "event-level"):
    _, lower, _ = certified_mechanism(crowd, P, bound=above, promise=name)
    proved, _, _ = certified_mechanism(crowd, P, bound=below, promise=name)
    assert 0 < proved.loss - lower < Fraction(1, 10**10)
    print(f"{name}: {float(lower):.12f} <= least mean error <= {float(proved.loss):.12f}")
    releases[name] = proved.channel.astype(float)

# %% [markdown]
# Here the solver was right: its errors agree with these to ten places. [The evidence](../evidence/research/location-beside-the-state-of-the-art.ipynb) proves the one-sided and two-sided errors of notebook 5 at all its nine levels in the same way.
#
# ```{evidence} M-B22
# ```
#
# ## What is lost if people perturb their own answers
#
# All three releases need a publisher who knows the truth. In a *local* mechanism, each person perturbs her own answer before she sends it, as in randomised response {cite:p}`warner1965randomized`. We compare three local mechanisms of the same level. In each, the true answer is $e$ times as probable as any other answer:
#
# 1. *Place, pooled.* She reports her place. The server counts all reports.
# 2. *Place, by origin.* She reports her place. The server counts the reports apart for each place of origin, which it knows.
# 3. *Stayed?* She reports only whether she is still where she was a minute ago. The answers are counted by origin.
#
# We add the people one by one, and keep the probability of each pair of a true histogram and a collection of answers.

# %%
town = P.astype(float)


def joint_distribution(answers, by_origin):
    """Probability of each pair: true histogram, answers that the server counts."""
    pairs = {((0, 0, 0), ()): 1.0}
    for i in (0, 0, 0, 1, 1, 1, 2, 2, 2):  # where the person was a minute ago
        longer = Counter()
        for (h, heard), chance in pairs.items():
            for j, move in enumerate(town[i]):
                there = (*h[:j], h[j] + 1, *h[j + 1 :])
                for answer, says in enumerate(answers(i, j)):
                    label = (i, answer) if by_origin else answer
                    now_heard = tuple(sorted((*heard, label)))
                    longer[there, now_heard] += chance * move * says
        pairs = longer
    return pairs


# %% [markdown]
# The server then publishes the histogram that minimises the mean error, given the answers. We call this the best reading.

# %%
def as_table(pairs):
    """The same probabilities; row: true histogram, column: answers."""
    number = {tuple(h): k for k, h in enumerate(x.tolist())}
    columns = {}
    for (h, heard), chance in pairs.items():
        columns.setdefault(heard, np.zeros(len(x)))[number[h]] += chance
    return np.array(list(columns.values())).T


def error_of_best_reading(joint):
    return float((apart.astype(float) @ joint).min(axis=0).sum())


place = np.where(unit == 1, math.e, 1) / (math.e + 2)
odds = np.array([math.e, 1]) / (1 + math.e)
pooled = as_table(joint_distribution(lambda i, j: place[j], by_origin=False))
by_origin = as_table(joint_distribution(lambda i, j: place[j], by_origin=True))
stayed = as_table(
    joint_distribution(lambda i, j: odds if i == j else odds[::-1], by_origin=True)
)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Mean error of eight releases for nine people, \u03b5 = 1. The three squares are proved to be the least possible errors under their promises. The local mechanisms (circles) recover about a third of what the best event-level release gains over a constant.", "name": "fig-lo-09-errors"}, "image": {"alt": "A row for each release. The truth has error 0; squares at 0.16<!-- {errors[\"one-sided\"]:.2f} --> for one-sided, 0.36<!-- {errors[\"two-sided\"]:.2f} --> for two-sided and 2.22<!-- {errors[\"event-level\"]:.2f} --> for event-level differential privacy; circles at 2.76<!-- {errors[\"stayed?\"]:.2f} -->, 2.80<!-- {errors[\"place, by origin\"]:.2f} --> and 2.82<!-- {errors[\"place, pooled\"]:.2f} --> for the local mechanisms; a constant at 3.09<!-- {errors[\"a constant\"]:.2f} -->."}} tags=["figure"]
errors = {}
prior = p.astype(float)
for name, Q in releases.items():
    errors[name] = error_of_best_reading(prior[:, None] * Q)
errors["stayed?"] = error_of_best_reading(stayed)
errors["place, by origin"] = error_of_best_reading(by_origin)
errors["place, pooled"] = error_of_best_reading(pooled)
errors["a constant"] = error_of_best_reading(prior[:, None])
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


# %% [markdown]
# {numref}`fig-lo-09-errors` shows the result. Of the improvement from a constant to the best event-level release, pooled reports keep 31%<!-- {kept("place, pooled"):.0%} -->, reports by origin 33%<!-- {kept("place, by origin"):.0%} -->, and the question whether people stayed 37%<!-- {kept("stayed?"):.0%} -->. The smaller question helps more than the finer counting: it reduces the error by 0.037<!-- {errors["place, by origin"] - errors["stayed?"]:.3f} -->, and counting by origin by 0.015<!-- {errors["place, pooled"] - errors["place, by origin"]:.3f} -->.

# %%
def kept(name):
    nothing = errors["a constant"]
    return (nothing - errors[name]) / (nothing - errors["event-level"])


def largest_ratio(joint):
    """Largest ratio of probabilities, for histograms that differ by one person's place."""
    Q = joint / prior[:, None]
    first, second = np.nonzero(apart == 2)
    return float((Q[first] / Q[second]).max())


print(*(f"{largest_ratio(joint):.2f}" for joint in (pooled, by_origin, stayed)))

# %% [markdown]
# There is a caveat. All three mechanisms promise the ratio $e$ for the answer of one person. Pooled reports keep it as a release of the histogram, too. Reports that are counted by origin do not: for neighbouring histograms, their ratios reach 4.77<!-- {largest_ratio(by_origin):.2f} --> and 4.94<!-- {largest_ratio(stayed):.2f} -->. The reason is that a histogram does not determine who moved: if one person's place in it changes, the likely movements of several people change.
#
# ```{evidence} M-B29
# ```
#
# ## An average leakage does not see the promise
#
# Quantitative information flow measures what an attacker *wins* {cite:p}`alvim2012gleakage`. The attacker makes a guess $w$ and wins the amount $g(w, j) \ge 0$ if the person is at $j$. For a person from $i$, the expected win before the release is $V = \max_w \sum_j P_{ij}\, g(w, j)$. Let $D_j(o)$ be the probability of the output $o$ if the person is at $j$. After the release, the expected win is
#
# $$ V' = \sum_o \max_w \sum_j P_{ij}\, D_j(o)\, g(w, j) . $$
#
# The *$g$-leakage* is $V'/V$: the factor by which the release raises the win. To guess the right place is one choice of $g$; to come near it is another.
#
# ```{prf:proposition} Adversarial privacy bounds every g-leakage
# :label: thm-lo-09-leakage
# If no gain about a person exceeds $E$, then $V' \le E\, V$ for every $g \ge 0$.
# ```
#
# *Proof.* Let $m(o)$ be the probability of the output. The gain of the guess "at $j$" is $D_j(o)/m(o)$, so $D_j(o) \le E\, m(o)$. Therefore $\sum_j P_{ij} D_j(o)\, g(w, j) \le E\, m(o) \sum_j P_{ij}\, g(w, j) \le E\, m(o)\, V$, and the $m(o)$ add up to 1. $\square$
#
# The converse fails. The largest leakage over all $g$ is the *multiplicative capacity* $\sum_o \max_j D_j(o)$ {cite:p}`alvim2014additive`. Suppose that a person is at A with probability 1/100, and that the truth is published. After the output "A", the guess "A" is 100 times as probable. But the capacity is only $1 + 1 = 2$, whatever the prior is: the surprising output is rare, and the capacity is an average.

# %%
releases["place, pooled"] = pooled / prior[:, None]
releases["a constant"] = np.ones((len(x), 1))
leakage = {}
for name, Q in releases.items():
    channel = Q[:, Q.any(axis=0)]  # the outputs that can occur
    gains = mechanism.mechanism_gain(crowd, town, channel=channel)  # output, from, to
    largest = gains.max(axis=2)  # D_j(o) / m(o) at the place j where it is largest
    capacity = (prior @ channel) @ largest  # for each place of origin
    leakage[name] = capacity.max(), gains.max()
    print(f"{name}: capacity {capacity.max():.3f}, largest gain {gains.max():.3f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "An average and a worst case of the leakage about one person, for six releases. The truth and the best one-sided release have nearly the same capacity, although the largest gain of one is 10<!-- {leakage[\"the truth\"][1]:.0f} --> and of the other e (dotted line).", "name": "fig-lo-09-capacity"}, "image": {"alt": "Six points in a plane of capacity and largest gain. Two of them lie almost above each other at a capacity of 1.6<!-- {leakage[\"the truth\"][0]:.1f} -->, one at gain 10<!-- {leakage[\"the truth\"][1]:.0f} --> and one at e. The others lie further to the left, at gains between 1 and e."}} tags=["figure"]
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
# The same happens to the nine people ({numref}`fig-lo-09-capacity`). The best one-sided release keeps 98.8%<!-- {leakage["one-sided"][0] / leakage["the truth"][0]:.1%} --> of the truth's capacity, and both are far below $e$. What the promise forbids is rare. The largest leakage of a single output is called *pointwise maximal leakage* {cite:p}`saeidian2023pointwise`, and this is what adversarial privacy bounds. Whenever somebody quotes a leakage, ask whether it is an average.
#
# ```{evidence} M-B25 M-B26
# ```
#
# ## Two places need no solver
#
# For two places, the best event-level release is known in closed form. We begin with one person.
#
# ````{prf:proposition} One person in two places
# :label: thm-lo-09-two-places
# One person is in the two places with probabilities $p$ and $q = 1 - p$. The least mean error of a release with the event-level ratio $E > 1$ is $2 \min\bigl(p,\, q,\, 1/(1 + E)\bigr)$.
# ````
#
# *Proof.* Let an output have the probabilities $u$ and $v$ if the person is in the first and in the second place. The numbers $s = (Eu - v)/(E - 1)$ and $t = (Ev - u)/(E - 1)$ are at least 0, because $v \le Eu$ and $u \le Ev$. They satisfy
#
# $$ u = \frac{E s + t}{1 + E}, \qquad v = \frac{s + E t}{1 + E}. $$
#
# Over all outputs, the $s$ add up to 1, and so do the $t$. So the release is randomised response with odds $E$, followed by a second step: after the answer "first place" publish the output with probability $s$, after "second place" with probability $t$. The second step does not know the truth, so it cannot reduce the error of the best reading. There are only four ways to read the answer of randomised response. "Always the second place" is wrong with probability $p$, "always the first" with $q$; to trust the answer is wrong with probability $1/(1+E)$, and to reverse it with $E/(1+E)$. A wrong place counts 2. $\square$
#
# For $n$ people in two places, the histogram is one count. {cite:t}`ghosh2012universally` prove that geometric noise, truncated to $0, \dots, n$, is then a best mechanism after the best reading, whatever the prior is ([the note on the best noise](laplace-which-noise-is-best.ipynb) tells more). So no programme is needed:

# %%
def geometric_noise_error(before, matrix, E):
    """Mean error of truncated geometric noise on the count at place 1, in the best reading."""
    counts = np.arange(sum(before) + 1).astype(object)
    distance = abs(counts[:, None] - counts)
    noise = (E - 1) / ((E + 1) * E**distance)
    noise[:, [0, -1]] *= E / (E - 1)  # what would fall outside
    joint = mechanism.output_distribution(before, matrix)[:, None] * noise
    return (2 * distance @ joint).min(axis=0).sum()


stay = np.array([[7, 3], [4, 6]]) * Fraction(1, 10)
six = geometric_noise_error([3, 3], stay, Fraction(2))
proved, lower, _ = certified_mechanism([3, 3], stay, bound=2, promise="event-level")
assert lower <= six <= proved.loss < lower + Fraction(1, 10**10)

# %% [markdown]
# For six people who stay with probability 0.7 or 0.6, and $E = 2$, the least mean error is 1.4418<!-- {float(six):.4f} -->. The evidence compares 36 such cases. The error of the noise always lies between the two proved bounds.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Least mean errors under event-level differential privacy in two places. Lines are the closed forms; dots are proved in fractions. On the left, one person; the flat part is randomised response, and the slopes belong to a constant. On the right, people who stay with probability 0.7 or 0.6.", "name": "fig-lo-09-two-places"}, "image": {"alt": "Two panels. Left, three trapezia over the probability of the first place, the flat tops at 0.89<!-- {2 / (1 + 5 / 4):.2f} -->, 0.67<!-- {2 / (1 + 2):.2f} --> and 0.44<!-- {2 / (1 + 7 / 2):.2f} -->. Right, three falling curves of the error against the ratio E, for two, four and six people. All dots lie on the lines."}} tags=["figure"]
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
# For the adversarial promises we know no such form: their conditions contain the distribution of the histograms.
#
# ```{evidence} M-B23 M-B24
# ```
#
# ## What it rests on
#
# The two bounds rest on sums of fractions alone. That a better release does not exist follows from the multipliers, not from the solver. For outputs that are not histograms, notebook 5 proves that they do not help. The errors of the local mechanisms and the capacities are computed in floating-point numbers, and the evidence computes them a second time from all movements of the people by name. libqif {cite:p}`libqif`, the library of quantitative information flow, solves the event-level programme by a solver of its own; [its results agree](../../book/outside.md).
#
# ## Limits
#
# - The proofs are for the nine people at the levels named, and for small groups in two places. The other least errors of notebook 5 still rest on floating-point numbers.
# - Three local mechanisms are few. We do not know the best one, and there may be much better ones.
# - The local mechanisms that count by origin need a server that knows where everybody was.
# - {prf:ref}`thm-lo-09-leakage` concerns one person's place. It does not bound what somebody wins by a guess about several people.
#
# ## What others had
#
# Weak duality is a textbook fact, and safe bounds from a solver's floating-point answer are in {cite:t}`neumaier2004safe` (abstract only). Ours are the repair of the release, which uses the sign of the row sums, and the numbers. The closed form for one person is the smallest case of {cite:t}`ghosh2012universally`. That every private release of one bit is randomised response followed by a second step is well known. The $g$-leakage is from {cite:t}`alvim2012gleakage` (abstract only) and its capacity from {cite:t}`alvim2014additive` (read by its beginning). {cite:t}`saeidian2023pointwise` show that a bound for each output bounds the average, and introduced the pointwise measure because averages hide rare outputs. Randomised response with several answers is treated by {cite:t}`kairouz2016extremal`. The comparison of local mechanisms in this example is ours.
#
# **Next:** [How much do releases that go on for ever tell about one minute?](location-releases-for-ever.ipynb)
