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
# # What if the attacker's matrix is another one?
#
# **Question.** A city and an attacker may disagree on how people usually move. What does it cost to protect people against attackers with different transition matrices?
#
# **What is known.** The paper {cite:p}`kawamoto` and [notebook 5](../location/05-the-idea-done-right.ipynb) assume that all attackers know one and the same matrix. The definition that the paper adopts {cite:p}`rastogi2009relationship`, and Pufferfish {cite:p}`kifer2014pufferfish`, allow a whole *class* of attackers.
#
# **Answer.** The best release is still the solution of a linear programme. For nine people and $\varepsilon = 1$, the mean error grows from 0.16<!-- {losses[1.0][0]:.2f} --> to 0.34<!-- {losses[1.0][at_fifth]:.2f} --> if attackers may use matrices whose rows differ from the uniform distribution a fifth more, or a fifth less, than those of the city. Differential privacy needs 2.22<!-- {event_level[1.0]:.2f} -->. But protection against two matrices is not protection against a matrix *between* them; we give conditions that are sufficient.
#
# **Why it matters.** Nobody knows the matrix exactly, and a release that is made for the wrong one can break its promise.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to design a release that protects against several attackers, how much accuracy this costs, and when it also protects against mixtures of these attackers.
# **You need** the best randomised release as a linear programme ([notebook 5](../location/05-the-idea-done-right.ipynb)).
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows where everybody was a minute ago, knows the mechanism, and sees one output. The attacker believes that people move independently, by a transition matrix that need not be the operator's matrix $P$. **Protected:** the place of each person now. The *gain* of a guess is its probability after the release divided by its probability before. A release is *safe* against an attacker if no gain exceeds $E = e^{\varepsilon}$. **Not considered:** several releases.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import combinations_with_replacement, product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import optimize, sparse

from privlib.location import mechanism
from privlib.notebook import plots
from privlib.research.robust_release import robust_mechanism

plots.use()


# %% [markdown]
# ## Method: one linear programme with the conditions of all attackers
#
# A release is a channel $Q(o \mid x)$ from the true histogram $x$ to the output $o$. Person $v$ moves by a row $r_v$ of the transition matrix. The function `distribution(people)` adds the people one by one, as in notebook 5, and returns the probabilities of all histograms.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def histograms(people, places):
    return [tuple(x) for x in mechanism.histograms(people, places).tolist()]


def distribution(people):
    """Distribution of the next histogram, if person v moves by the row people[v]."""
    places = len(people[0])
    chances = {(0,) * places: 1}
    for row in people:
        arrived = {}
        for x, chance in chances.items():
            for j in range(places):
                y = (*x[:j], x[j] + 1, *x[j + 1 :])
                arrived[y] = arrived.get(y, 0) + chance * row[j]
        chances = arrived
    return np.array([chances[x] for x in histograms(len(people), places)])


def costs(people):
    """Probability of x times the people misplaced if o is published, each counted twice."""
    inputs = mechanism.histograms(len(people), len(people[0]))
    distance = np.abs(inputs[:, None] - inputs).sum(axis=2).astype(object)
    return distribution(people)[:, None] * distance


def best_release(cost, rows):
    """The channel of least mean error, and the multipliers of the conditions."""
    m = len(cost)
    every_output = sparse.kron(np.array(rows, dtype=float), sparse.eye(m))
    sums = sparse.kron(sparse.eye(m), np.ones((1, m)))
    conditions = {"A_ub": every_output, "b_ub": np.zeros(every_output.shape[0])}
    solution = optimize.linprog(
        cost.astype(float).ravel(), A_eq=sums, b_eq=np.ones(m), **conditions
    )
    return solution.x.reshape(m, m), -solution.ineqlin.marginals.reshape(-1, m)


# %% [markdown]
# By Bayes' rule, the gain of the guess "person $u$ is at $j$" is $\Pr(o \mid u \text{ at } j) / \Pr(o)$. Both probabilities are linear in the channel. So the condition that the gain is at most $E$ has the form $\sum_x a_x Q(o \mid x) \le 0$, with $a_x = \Pr(x \mid u \text{ at } j) - E \Pr(x)$. There is one row $a$ of numbers for each guess. To compute $\Pr(x \mid u \text{ at } j)$, we replace the row of $u$ by the row $e_j$, which leads to $j$ with certainty:

# %%
def guesses(people):
    """Each person and possible place, once for people with the same row."""
    pairs = []
    for u, row in enumerate(people):
        if row not in people[:u]:
            pairs += [(u, j) for j, probability in enumerate(row) if probability > 0]
    return pairs


def if_there(people, u, j):
    """Distribution of the next histogram, given that person u is at j."""
    certain = [int(k == j) for k in range(len(people[u]))]
    return distribution([*people[:u], certain, *people[u + 1 :]])


def promise_rows(people, bound):
    """Rows a with a @ channel <= 0: no gain exceeds the bound."""
    probability = distribution(people)
    rows = [if_there(people, u, j) - bound * probability for u, j in guesses(people)]
    return np.array(rows)


# %% [markdown]
# For a second attacker we append the rows of the second matrix. The mean error is still computed with the operator's matrix $P$. So the linear programme minimises the operator's mean error under the conditions of all attackers.
#
# The function `best_release` calls a solver, in floating-point numbers. For small populations we round its channel and its multipliers to simple fractions and prove that the channel is best, as in [another note](location-beside-the-state-of-the-art.ipynb). For every list of multipliers $\lambda \ge 0$, the mean error of a safe channel is at least $\sum_x \min_o \bigl(\text{cost}_{xo} + \sum_k \lambda_{ko} a_{kx}\bigr)$. If a safe channel has exactly this mean error, no safe channel has a smaller one.

# %%
def simple(value):
    return Fraction(float(value)).limit_denominator(5000)


def best_release_exactly(cost, rows):
    """The best channel in fractions, and its mean error, proved to be the least."""
    channel, multipliers = best_release(cost, rows)
    channel = np.vectorize(simple, otypes=[object])(channel)
    multipliers = np.vectorize(simple, otypes=[object])(multipliers)
    assert (channel >= 0).all() and (channel.sum(axis=1) == 1).all()
    assert (rows @ channel <= 0).all()  # no gain exceeds the bound
    loss = (cost * channel).sum()
    assert (multipliers >= 0).all()
    assert loss == (cost + rows.T @ multipliers).min(axis=1).sum()  # none is better
    return channel, loss


# %% [markdown]
# ## Two people and a coin
#
# Two people are in one place. Each stays with probability $\frac12$ and otherwise goes to a second place. The histogram says how many stayed: 0, 1 or 2. What is the best release if no gain may exceed $E = \frac53$?

# %%
E = Fraction(5, 3)
fair = [Fraction(1, 2), Fraction(1, 2)]  # stays, goes
sticky = [Fraction(9, 10), Fraction(1, 10)]
cost = costs([fair, fair])
fair_rows = promise_rows([fair, fair], E)
for_fair, loss_fair = best_release_exactly(cost, fair_rows)


def show(channel):
    for stayed, row in enumerate(channel):
        print(f"{stayed} stayed; published as 0, 1, 2 with probability", *map(str, row))


show(for_fair)


# %% [markdown]
# The count 1 is always published. The counts 0 and 2 would reveal where both people are; with probability 1/6<!-- {for_fair[0, 2]} --> each of them is published as the other. The mean error is 1/3<!-- {loss_fair} -->.
#
# Now consider an attacker who knows these two people better: each of them stays with probability $\frac{9}{10}$. Suppose that the output is 1, so exactly one person left. By symmetry, Ann is this person with probability $\frac12$. Before the release, the attacker believed that Ann left with probability $\frac1{10}$. The gain is 5, three times the bound. The same output reveals nothing about Ann to an attacker who believes in the fair coin.

# %%
def largest_gain(people, channel):
    """Largest gain of an attacker who knows the channel."""
    used = channel[:, channel.any(axis=0)]
    of_output = distribution(people) @ used
    gains = [if_there(people, u, j) @ used / of_output for u, j in guesses(people)]
    return np.max(gains)


print("fair coin:", largest_gain([fair, fair], for_fair))
print("sticky people:", largest_gain([sticky, sticky], for_fair))

# %% [markdown]
# With the rows of both attackers, the best release is another one:

# %%
both_rows = np.vstack([fair_rows, promise_rows([sticky, sticky], E)])
for_both, loss_both = best_release_exactly(cost, both_rows)
show(for_both)
assert largest_gain([fair, fair], for_both) == E
assert largest_gain([sticky, sticky], for_both) == E

# %% [markdown]
# If both people stayed, this release often says that one left. So an attacker who reads "one left" can no longer conclude that somebody left. The mean error grows from 1/3<!-- {loss_fair} --> to 13/27<!-- {loss_both} -->.
#
# ```{evidence} M-B40
# ```
#
# ## What does protection against a class of matrices cost?
#
# Nine people start in three places, three in each, and move by the matrix of notebook 5. An attacker may use another matrix. Let $P_t = P + t\,(P - U)$ for $t$ between $-0.4$ and $0.4$, where all entries of $U$ are $\frac13$. For positive $t$ the rows of $P_t$ differ more from the uniform distribution than those of $P$; we call such a matrix *sharper*. For negative $t$ they differ less, and the matrix is *blunter*.

# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
before = [3, 3, 3]


def sharpened(t):
    return P + t * (P - 1 / 3)


def crowd(matrix):
    """The rows by which nine people move."""
    return np.repeat(matrix, before, axis=0).tolist()


# %% [markdown]
# {numref}`fig-lo-wrong-gain` shows how large the gains of such attackers get, for three releases. The release for $P$ alone is also safe against attackers with a blunter matrix. Against attackers with a sharper one it is not: at $t = 0.2$ the gain is 4.2<!-- {gain_at_fifth:.1f} -->, where $e \approx$ 2.7<!-- {np.e:.1f} --> is allowed.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Largest gain of an attacker whose matrix is sharper than the operator's by t, for nine people and \u03b5 = 1. The gain from the release for P alone (blue) exceeds the bound e (dotted line) for every t > 0 shown. The other two releases are safe against three matrices each (dots). Between these matrices the gain exceeds the bound by at most 11%<!-- {excess:.0%} -->.", "name": "fig-lo-wrong-gain"}, "image": {"alt": "Three curves of the largest gain against t from -0.4 to 0.4. One crosses the dotted line at t = 0 and rises to 11<!-- {max(curves[\"safe for P\"]):.0f} -->; one stays near the line up to 0.2 and rises then; the third stays near the line."}} tags=["figure"]
ts = np.linspace(-0.4, 0.4, 33)
designs = {"safe for P": [0], "safe for P and t = ±0.2": [0, -0.2, 0.2],
           "safe for P and t = ±0.4": [0, -0.4, 0.4]}  # fmt: skip
curves, largest = {}, []
fig, axis = plots.panels(1, 1, height=3.4, width=6.4)
for name, class_of in designs.items():
    attackers = [sharpened(t) for t in class_of]
    design = robust_mechanism(before, P, attackers=attackers, epsilon=1)
    curves[name] = []
    for t in ts:
        gains = mechanism.mechanism_gain(before, sharpened(t), channel=design.channel)
        curves[name].append(np.nanmax(gains))
        if abs(t) <= max(class_of):
            largest.append(curves[name][-1])
    (drawn,) = axis.plot(ts, curves[name], label=name)
    touched = np.interp(class_of, ts, curves[name])
    axis.plot(class_of, touched, "o", color=drawn.get_color(), ms=5)
axis.axhline(np.e, color="#555555", lw=1, ls=":")
axis.set(xlabel="t: the attacker's matrix is sharper by", ylabel="largest gain", yscale="log")
axis.set(yticks=[2, np.e, 4, 8], yticklabels=["2", "e", "4", "8"])
axis.minorticks_off()
axis.legend()
assert max(curves["safe for P"][:16]) < np.e  # blunter attackers
gain_at_fifth = np.interp(0.2, ts, curves["safe for P"])
excess = max(largest) / np.e - 1
plt.show()


# %% [markdown]
# What does the protection cost? {numref}`fig-lo-wrong-price` shows it for two classes. On the left, the class consists of $P$, $P_{-w}$ and $P_w$. On the right, it consists of $P$ and of up to sixteen estimates of $P$. Each estimate uses 100 observed moves from each place. An operator may want to be safe against attackers who use such estimates.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Least mean error of a release that is safe against a class of matrices, for nine people at three levels. Left: the class is P with the matrices that are sharper and blunter by w. Right: P with matrices that were estimated from 100 moves from each place (mean of three draws). The dotted line of the same colour is the best release under event-level differential privacy, which is safe against every matrix. The mean error grows with the class and stays below that line.", "name": "fig-lo-wrong-price"}, "image": {"alt": "Two panels of the mean error. In both, three curves rise slowly from left to right, the one for \u03b5 = 2 near zero, and remain below three dotted lines at 2.7, 2.2 and 1.2."}} tags=["figure"]
def robust_loss(matrices, bound):
    """Least mean error under P of a release that is safe against all of these matrices."""
    cost = costs(crowd(P))
    rows = np.vstack([promise_rows(crowd(matrix), bound) for matrix in matrices])
    channel, _ = best_release(cost, rows)
    return float((cost * channel).sum())


levels = {0.5: "o", 1.0: "s", 2.0: "^"}
widths = [0, 0.05, 0.1, 0.2, 0.3, 0.4]
at_fifth = widths.index(0.2)
sizes = [0, 1, 2, 4, 8, 16]
rng = np.random.default_rng(7)
draws = []
for _ in range(3):
    estimates = [np.array([rng.multinomial(100, row) for row in P]) / 100 for _ in range(16)]
    draws.append(estimates)
losses, estimated, event_level = {}, {}, {}
fig, (left, right) = plots.panels(1, 2, height=3.8, width=8.5)
for level, marker in levels.items():
    bound = np.exp(level)
    losses[level] = []
    for w in widths:
        losses[level].append(robust_loss([P, sharpened(-w), sharpened(w)], bound))
    by_draw = []
    for drawn in draws:
        by_draw.append([robust_loss([P, *drawn[:m]], bound) for m in sizes])
    estimated[level] = np.mean(by_draw, axis=0)
    event_level[level] = mechanism.event_level_mechanism(before, P, epsilon=level).loss
    (line,) = left.plot(widths, losses[level], marker=marker, label=f"ε = {level:g}")
    right.plot(range(len(sizes)), estimated[level], marker=marker, label=f"ε = {level:g}")
    for axis in (left, right):
        axis.axhline(event_level[level], color=line.get_color(), lw=1, ls=":")
left.set(xlabel="w: sharper or blunter by up to", ylabel="mean error", ylim=(0, 2.8))
right.set(xlabel="estimated matrices beside P", ylim=(0, 2.8))
right.set_xticks(range(len(sizes)), sizes)
left.legend(loc=(0.03, 0.6))
assert max(losses[1.0][-1], estimated[1.0][-1]) <= event_level[1.0] / 4
plt.show()

# %% [markdown]
# At $\varepsilon = 1$, the width $w = 0.2$ doubles the mean error, and $w = 0.4$ more than triples it, to 0.55<!-- {losses[1.0][-1]:.2f} -->. Sixteen estimated matrices raise it to 0.35<!-- {estimated[1.0][-1]:.2f} -->. All these errors are at most a quarter of that under differential privacy, 2.22<!-- {event_level[1.0]:.2f} -->. At $\varepsilon = \frac12$ and $w = 0.2$ the mean error grows by only 32%<!-- {losses[0.5][at_fifth] / losses[0.5][0] - 1:.0%} -->, because the release for $P$ alone is already inaccurate. At $\varepsilon = 2$ the errors for $P$ alone and for the class are both near zero.
#
# ```{evidence} M-B41
# ```
#
# ## Does safety against two matrices protect against mixtures?
#
# Between the dots of {numref}`fig-lo-wrong-gain`, the gains exceed the bound. Does a release that is safe against the matrices $P_1$ and $P_2$ protect against attackers who believe in a mixture of the two? The question can be understood in three ways:
#
# 1. The attacker believes that everybody moves by the mixed matrix $(1 - \lambda) P_1 + \lambda P_2$.
# 2. The attacker believes that each person moves by a personal mixture of the two.
# 3. The attacker believes that either everybody moves by $P_1$, or everybody by $P_2$, and gives the second case the probability $\lambda$.
#
# For **one person**, the three are the same, and the answer is yes if both matrices allow the same places. Let $r$ be the row by which the person moves. The condition that the guess "at $j$" is safe is $Q(o \mid j) \le E \sum_k r_k Q(o \mid k)$. Its right side is linear in $r$. If the condition holds for two rows, it therefore holds for all mixtures of them. In a crowd, the probability of an output is a sum of products of the rows of all people, and this argument fails.
#
# **Everybody moves by the mixed matrix: no.** Take the release that is safe against fair and sticky people. It publishes 0, "both left", with probability 25/27<!-- {for_both[0, 0]} --> if both left, and with probability 5/27<!-- {for_both[2, 0]} --> if both stayed. Suppose that the attacker believes that everybody stays with probability $p$. After the output 0, the guess "Ann left" has the gain
#
# $$ g(p) = \frac{5(1 - p)}{5(1 - p)^2 + p^2}. $$

# %%
p = sp.Symbol("p", positive=True)
g = 5 * (1 - p) / (5 * (1 - p) ** 2 + p**2)
peak = next(root for root in sp.solve(sp.diff(g, p), p) if 0 < root < 1)
for chance in (sp.Rational(1, 2), sp.Rational(3, 5), sp.Rational(9, 10), peak):
    print(f"p = {chance}: g = {sp.radsimp(g.subs(p, chance))}")

mixed = [Fraction(3, 5), Fraction(2, 5)]
assert largest_gain([mixed, mixed], for_both) == Fraction(50, 29) > E


# %% [markdown]
# At $p = \frac12$ the gain is exactly $\frac53$, and at $p = \frac9{10}$ it is less than 1. But at $p = \frac35$ it is 50/29<!-- {largest_gain([mixed, mixed], for_both)} -->, more than $\frac53$. The reason is this. At $p = \frac12$ the output 0 is safe because it is not surprising that both left. At $p = \frac9{10}$ it is safe because it is mostly published when both stayed. At $p = \frac35$ neither reason is strong enough.
#
# **Each person moves by a personal mixture: yes, under a stronger condition.** The condition considers more attackers: those who give each person one of the two matrices. For example, an attacker may believe that Ann moves by the fair row and Bob by the sticky one. There are finitely many such attackers.
#
# ````{prf:proposition} One matrix a person covers all mixtures
# :label: thm-lo-wrong-hull
# Suppose that all matrices of a finite class allow the same moves. If a release bounds every gain by $E$ for all ways to give each person a matrix of the class, then it does so for all ways to give each person a mixture of them; in particular for every mixed matrix.
# ````
#
# *Proof.* Fix an output, and let $F(r_1, \dots, r_N)$ be its probability if person $v$ moves by the row $r_v$. This is linear in each row. Let the mixed rows be $r_v = \sum_k \lambda_{vk} r_v^k$, where $r_v^k$ is the row of person $v$ in matrix $k$. Suppose that person $v$ moves by matrix $k_v$, and consider the guess "$u$ is at $j$". By assumption, $F(r_1^{k_1}, \dots, e_j, \dots, r_N^{k_N}) \le E\, F(r_1^{k_1}, \dots, r_u^{k_u}, \dots, r_N^{k_N})$, where $e_j$ stands at position $u$. Multiply this inequality by $\prod_v \lambda_{v k_v}$, and add the results for all choices of $k_1, \dots, k_N$. The left side does not depend on $k_u$, and $\sum_k \lambda_{uk} = 1$. By linearity, the sum is $F(r_1, \dots, e_j, \dots, r_N) \le E\, F(r_1, \dots, r_N)$, the condition for the mixed rows. $\square$
#
# People from the same place are alike, so we only count how many of them move by each matrix:

# %%
def own_matrix_rows(before, matrices, bound):
    """Rows of the conditions if each person may move by any of the matrices."""
    choices = [combinations_with_replacement(matrices, number) for number in before]
    rows = []
    for choice in product(*choices):
        people = []
        for i, chosen_matrices in enumerate(choice):
            people += [matrix[i] for matrix in chosen_matrices]
        rows.append(promise_rows(people, bound))
    return np.vstack(rows)


own_rows = own_matrix_rows([2], [[fair], [sticky]], E)
for_own, loss_own = best_release_exactly(cost, own_rows)
show(for_own)

# %% [markdown]
# The mean error is now 7/9<!-- {loss_own} -->. For nine people and $w = 0.2$, the mean error is 0.38<!-- {hull_loss:.2f} --> if the release is safe against *all* mixtures of $P_{-w}$ and $P_w$, common or personal. It is 0.34<!-- {losses[1.0][at_fifth]:.2f} --> if the release is only safe against the three matrices.

# %% jupyter={"source_hidden": true} tags=["set-up"]
ends = [sharpened(-0.2).tolist(), sharpened(0.2).tolist()]
nine_cost = costs(crowd(P))
hull_rows = own_matrix_rows(before, ends, np.e)
hull_channel, _ = best_release(nine_cost, hull_rows)
hull_loss = float((nine_cost * hull_channel).sum())

# %% [markdown]
# **What if the class contains all matrices?** Suppose first that each person may move by *any* row in which all places are possible. Then an attacker may be almost certain of the places of all others, and almost certain that person $u$ is at $k$. The gain of the guess "$u$ is at $j$" comes arbitrarily near to $Q(o \mid x) / Q(o \mid x')$, where $x$ and $x'$ differ by the place of $u$. So the promise becomes event-level differential privacy. In our example with two people its best release is a constant, with the mean error 1.
#
# Suppose now that the row may be any, but that it is *the same* for both people. This condition is weaker. The following release is safe for every probability $p$ of staying, and has the mean error 183/245<!-- {loss_common} -->:

# %%
common = np.array([[80, 147, 18], [0, 245, 0], [18, 147, 80]]) * Fraction(1, 245)
loss_common = (cost * common).sum()
alike = [[p, 1 - p], [p, 1 - p]]
for j in (0, 1):
    row = sp.Rational(5, 3) * distribution(alike) - if_there(alike, 0, j)
    for column in sp.Matrix(common).T.tolist():
        smallest = sp.minimum(sp.expand(row.dot(column)), p, sp.Interval(0, 1))
        assert smallest >= 0  # no gain exceeds 5/3, for any p


# %% [markdown]
# ```{evidence} M-B42 M-B43 M-B44
# ```
#
# **The attacker doubts which matrix is true: no.** Such an attacker learns from an output also *which matrix is true*, and this tells something about Ann. Consider a release that answers "yes" with probability $\frac4{10}$, $\frac5{10}$, $\frac6{10}$ if 0, 1, 2 people stayed. It is event-level private with the ratio $\frac54$. So the gain of an attacker who knows one matrix is at most $\frac54$ (notebook 5). Now let an attacker believe that everybody stays with probability $\frac1{10}$, or everybody with probability $\frac9{10}$, and give the second case the weight $\frac1{10}$:

# %%
def gain_in_doubt(yes, matrices, weights):
    """Gain of "Ann stayed" from a yes, for an attacker in doubt."""
    answer, prior, joint = 0, 0, 0
    for weight, row in zip(weights, matrices):
        answer += weight * (distribution([row, row]) @ yes)
        prior += weight * row[0]
        joint += weight * row[0] * (if_there([row, row], 0, 0) @ yes)
    return joint / (prior * answer)


yes = np.array([4, 5, 6]) * Fraction(1, 10)
doubt = gain_in_doubt(yes, [sticky[::-1], sticky], [Fraction(9, 10), Fraction(1, 10)])
assert doubt > Fraction(5, 4)


# %% [markdown]
# The gain is 275/218<!-- {doubt} -->, more than $\frac54$. Which condition covers this attacker? Let $\Pr_k$ be the probability under matrix $k$, and $w_k$ the weight that the attacker gives this matrix. The gain of the guess "$u$ is at $j$", for a person from $i$, is
#
# $$ \frac{\sum_k w_k P^k_{ij} \Pr_k(o \mid u \text{ at } j)}{\sum_k w_k P^k_{ij} \cdot \sum_l w_l \Pr_l(o)} . $$
#
# The denominator is a product of two sums. We multiply by it, and use $\sum_l w_l = 1$. The gain is at most $E$ if and only if
#
# $$ \sum_{k,\, l} w_k w_l\, P^k_{ij} \bigl( E \Pr\nolimits_l(o) - \Pr\nolimits_k(o \mid u \text{ at } j) \bigr) \ge 0 . $$
#
# The products $w_k w_l$ are not negative, and $(k, l)$ has the same product as $(l, k)$. So it is enough that for each pair of matrices, $k = l$ included, the terms of $(k, l)$ and $(l, k)$ have a sum that is not negative. These conditions are linear in the channel and do not contain the weights:

# %%
def doubt_rows(populations, bound):
    """Rows that suffice for an attacker in doubt which of these populations is true."""
    rows = []
    for first, second in combinations_with_replacement(populations, 2):
        p_first = distribution(first)
        p_second = distribution(second)
        for u, j in guesses(first):
            row = first[u][j] * (if_there(first, u, j) - bound * p_second)
            row = row + second[u][j] * (if_there(second, u, j) - bound * p_first)
            rows.append(row)
    return np.array(rows)


# %% jupyter={"source_hidden": true} tags=["set-up"]
in_doubt_rows = doubt_rows([[fair, fair], [sticky, sticky]], E)
_, loss_doubt = best_release_exactly(cost, in_doubt_rows)
populations = [crowd(sharpened(t)) for t in (0, -0.2, 0.2)]
doubt_channel, _ = best_release(nine_cost, doubt_rows(populations, np.e))
nine_in_doubt = float((nine_cost * doubt_channel).sum())

# %% [markdown]
# Under these conditions, the mean error for the two people is 421/759<!-- {loss_doubt} -->. For the nine people and the matrices $P$, $P_{-0.2}$ and $P_{0.2}$ it is 0.34<!-- {nine_in_doubt:.2f} -->.
#
# ```{evidence} M-B45
# ```
#
# ## Limits
#
# - **Proofs.** The mean errors for two people are proved in fractions. Those for nine people come from the solver. `robust_mechanism` of `privlib.research.robust_release` repairs the solver's channel, recomputes all gains, and returns the mechanism only if it is safe; its mean errors agree with the solver's.
# - **The class is a choice.** A release promises nothing against a matrix outside the class and its mixtures. Sixteen estimated matrices are not a confidence region.
# - **The mean error is computed with $P$.** If people really move by another matrix of the class, it is different. The smallest *largest* mean error over the class is also the solution of a linear programme.
# - **Size.** All histograms are listed. For nine people, two matrices give 18<!-- {2 * len(promise_rows(crowd(P), np.e))} --> conditions for each output, and 864<!-- {len(hull_rows)} --> if each person may move by either matrix. The conditions for an attacker in doubt are sufficient; the exact condition is quadratic in the weights.
# - **Same moves.** If only one of two matrices allows a move, a mixture of both allows it, too. The conditions above then need further rows, which `robust_mechanism(per_person=True)` adds.
# - **Two-sided promises.** The same method works for lower bounds on the gains, with the rows of notebook 5.
#
# ## What is new here
#
# A class of distributions that attackers may believe in is part of the definition of {cite:t}`rastogi2009relationship`, who also characterise a variant of differential privacy as safety against one such class, and of Pufferfish {cite:p}`kifer2014pufferfish`, where independent records give differential privacy. {cite:t}`song2017pufferfish` calibrate noise to the worst transition matrix of a class. For the release of *one* person's value, {cite:t}`lopuhaa2024robust` treat polytopes of distributions, and {cite:t}`grosse2025empirical` find linear constraints for a bound on the posterior divided by the prior. (We know these two works and that of Rastogi and others by their abstracts.) {cite:t}`kifer2011free` show that doubt about a common cause breaks promises that were made for independent records. For one person in a crowd that is published as a histogram, we found neither the linear programme nor the three answers on mixtures.
#
# **Next:** which attacker learns what, from which release? [Attackers and mechanisms](location-attackers-and-mechanisms.ipynb).
