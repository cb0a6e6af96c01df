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
# **Question.** The best release of [notebook 5](../location/05-the-idea-done-right.ipynb) is made for attackers who hold one transition matrix. The definition that the paper builds on asks for a *class* of attackers. What does it cost to be safe against several matrices, and is a release that is safe against two of them safe against their mixtures?
#
# **Answer.** The best release against finitely many matrices is still the solution of a linear programme: for nine people and $\varepsilon = 1$, safety against matrices that are sharper or blunter by a fifth doubles the expected error, from 0.16<!-- {losses[1.0][0]:.2f} --> to 0.34<!-- {losses[1.0][at_fifth]:.2f} --> (a misplaced person counts at two places), where differential privacy needs 2.22<!-- {event_level[1.0]:.2f} -->. Mixtures do not come for free: a release that is safe for two matrices can fail for a matrix between them, unless it is safe for all ways to give each person one of the two, and an attacker who doubts which matrix is true needs constraints of his own.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to design a release against a class of attackers, what the class costs, and which mixtures of attackers it covers.
# **You need** the best randomised release as a linear programme ([notebook 5](../location/05-the-idea-done-right.ipynb)).
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows where everybody was a minute ago, knows the mechanism, and sees one output. He believes that people move independently, by a transition matrix $P'$ that need not be the publisher's $P$. **Protected:** the guess where a person is now. It may gain at most the factor $E = e^{\varepsilon}$. **Not considered:** several releases.
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
# ## Method: more rows for the same programme
#
# A release is a channel $Q(o \mid x)$ from the true histogram $x$ to the output $o$. Person $v$ moves by the distribution $r_v$, one row of a matrix. So $x$ has the following distribution; we add the people one by one.

# %%
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


# %% [markdown]
# The guess "person $u$ is at $j$" gains at most $E$ if $\Pr(o \mid u \text{ at } j) \le E \Pr(o)$. To condition on $u$ being at $j$ means to replace her row by the point $e_j$. The promise is one row $a$ for each guess, with $\sum_x a_x Q(o \mid x) \le 0$ for all outputs $o$:

# %%
def guesses(people):
    """Each person and place where she may be, once for people who move alike."""
    found = []
    for u, row in enumerate(people):
        if row not in people[:u]:
            found += [(u, j) for j, chance in enumerate(row) if chance > 0]
    return found


def if_there(people, u, j):
    """Distribution of the next histogram, given that person u is at j."""
    point = [int(k == j) for k in range(len(people[u]))]
    return distribution([*people[:u], point, *people[u + 1 :]])


def promise_rows(people, bound):
    """Rows a with a @ channel <= 0: no guess gains more than the bound."""
    chance = distribution(people)
    return np.array([if_there(people, *guess) - bound * chance for guess in guesses(people)])


# %% [markdown]
# For a second matrix we append its rows. The loss stays the publisher's, who expects people to move by $P$. In words: *the programme has the rows of all attackers and the cost of one of them*.

# %%
def costs(people):
    """Probability of x times the people misplaced if o is published, each counted twice."""
    inputs = mechanism.histograms(len(people), len(people[0]))
    apart = np.abs(inputs[:, None] - inputs).sum(axis=2).astype(object)
    return distribution(people)[:, None] * apart


def best_release(cost, rows):
    """The channel of least loss, and the multipliers of the promise."""
    m = len(cost)
    every_output = sparse.kron(np.array(rows, dtype=float), sparse.eye(m))
    sums = sparse.kron(sparse.eye(m), np.ones((1, m)))
    numbers = {"A_ub": every_output, "b_ub": np.zeros(every_output.shape[0])}
    found = optimize.linprog(cost.astype(float).ravel(), A_eq=sums, b_eq=np.ones(m), **numbers)
    return found.x.reshape(m, m), -found.ineqlin.marginals.reshape(-1, m)


# %% [markdown]
# For small towns we replace the solver's floats by the nearest simple fractions and prove that they are optimal. Let $\lambda \ge 0$ be any multipliers of the rows. A channel that keeps the promise has at least the loss $\sum_{x,o} Q(o \mid x)\,(\text{cost}_{xo} + \sum_k \lambda_{ko} a_{kx})$, because what we added is not positive. This is at least $\sum_x \min_o (\dots)$, whatever the channel.

# %%
simple = np.vectorize(lambda v: Fraction(float(v)).limit_denominator(5000), otypes=[object])


def best_release_exactly(cost, rows):
    """The best channel in fractions, and its loss, proved to be the least."""
    channel, multipliers = map(simple, best_release(cost, rows))
    assert (channel >= 0).all() and (channel.sum(axis=1) == 1).all()
    assert (rows @ channel <= 0).all()  # it keeps the promise
    loss = (cost * channel).sum()
    assert (multipliers >= 0).all()
    assert loss == (cost + rows.T @ multipliers).min(axis=1).sum()  # none has a smaller loss
    return channel, loss


# %% [markdown]
# ## Two people and a coin
#
# Two people are in one place. Each stays with probability $\frac12$ and otherwise goes to a second place. The histogram says how many stayed: 0, 1 or 2. What may be published if no guess may gain more than $E = \frac53$?

# %%
half, E = Fraction(1, 2), Fraction(5, 3)
fair = [half, half]  # stays, goes
sticky = [Fraction(9, 10), Fraction(1, 10)]
cost = costs([fair, fair])
fair_rows = promise_rows([fair, fair], E)
for_fair, loss_fair = best_release_exactly(cost, fair_rows)


def show(channel):
    for stayed, row in enumerate(channel):
        print(f"{stayed} stayed; published as 0, 1, 2 with probability", *map(str, row))


show(for_fair)


# %% [markdown]
# The count 1 is published as it is. The counts 0 and 2, which would say where both people are, are exchanged with probability 1/6<!-- {for_fair[0, 2]} -->. The loss is 1/3<!-- {loss_fair} -->.
#
# Now an attacker knows these two people better: he knows that each stays with probability $\frac{9}{10}$. He reads the output 1. It means that exactly one person left, and by symmetry he now believes "Ann left" with probability $\frac12$, instead of $\frac1{10}$. That is a gain of 5, three times the promise. The output that tells nothing under one matrix is the surprise under the other.

# %%
def largest_gain(people, channel):
    """Largest gain of an attacker who knows the channel."""
    used = channel[:, channel.any(axis=0)]
    chance = distribution(people) @ used
    return max((if_there(people, *guess) @ used / chance).max() for guess in guesses(people))


print("fair coin:", largest_gain([fair, fair], for_fair))
print("sticky people:", largest_gain([sticky, sticky], for_fair))

# %% [markdown]
# With the rows of both attackers we get another release:

# %%
both_rows = np.vstack([fair_rows, promise_rows([sticky, sticky], E)])
for_both, loss_both = best_release_exactly(cost, both_rows)
show(for_both)
assert largest_gain([fair, fair], for_both) == largest_gain([sticky, sticky], for_both) == E

# %% [markdown]
# If both people stayed, the release often says that one left. So "one left" is no longer proof that anybody did. The loss grows from 1/3<!-- {loss_fair} --> to 13/27<!-- {loss_both} -->.
#
# ```{evidence} M-B40
# ```
#
# ## The price of a class
#
# Nine people start in three places, three in each; the matrix is that of notebook 5. An attacker may know more about the people, or less: let $P_t = (1 + t)P - \frac t3$ for $t$ between $-0.4$ and $0.4$. Positive $t$ makes all rows sharper, negative $t$ makes them more even.

# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
before = [3, 3, 3]


def sharpened(t):
    return (1 + t) * P - t / 3


def crowd(matrix):
    """The rows by which nine people move."""
    rows = np.asarray(matrix).tolist()
    return [rows[i] for i, people in enumerate(before) for _ in range(people)]


def robust_loss(matrices, bound):
    """Least loss under P of a release that is safe against all of these matrices."""
    cost = costs(crowd(P))
    rows = np.vstack([promise_rows(crowd(matrix), bound) for matrix in matrices])
    channel, _ = best_release(cost, rows)
    return float((cost * channel).sum())


# %% [markdown]
# How large do the gains of such attackers get? {numref}`fig-lo-wrong-gain` compares three releases. The release for $P$ alone also keeps its promise against blunter attackers. Against sharper ones it fails: at $t = 0.2$ the gain is 4.2<!-- {gain_at_fifth:.1f} -->, instead of 2.7.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Largest gain of an attacker whose matrix is sharper than the publisher's by t, for nine people and \u03b5 = 1. The release for P alone (blue) breaks its promise, the dotted line, as soon as the attacker knows more. The releases that are safe for three matrices keep the promise at these matrices (dots) and exceed it between them, by at most 11%<!-- {excess:.0%} -->.", "name": "fig-lo-wrong-gain"}, "image": {"alt": "Three curves of the largest gain against t from -0.4 to 0.4. One crosses the dotted line at t = 0 and rises to 11<!-- {max(curves[\"safe for P\"]):.0f} -->; one stays near the line up to 0.2 and rises then; the third stays near the line."}} tags=["figure"]
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
# And what does safety cost? On the left of {numref}`fig-lo-wrong-price` the class is $P$ with its two neighbours $P_{-w}$ and $P_w$. On the right the publisher does not know $P$ exactly: he fears attackers who estimated their matrix, each from 100 moves that they observed from each place.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Price of a class of matrices: least expected loss for nine people at three levels. Left: the class is P with the matrices that are sharper and blunter by w. Right: P with matrices that were estimated from 100 moves a place (mean of three draws). The dotted line of the same colour is the best release under event-level differential privacy, which is safe against every matrix. The loss grows with the class and stays below that line.", "name": "fig-lo-wrong-price"}, "image": {"alt": "Two panels of the loss. In both, three curves rise slowly from left to right, the one for \u03b5 = 2 near zero, and remain below three dotted lines at 2.7, 2.2 and 1.2."}} tags=["figure"]
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
left.set(xlabel="w: sharper or blunter by up to", ylabel="expected loss", ylim=(0, 2.8))
right.set(xlabel="estimated matrices beside P", ylim=(0, 2.8))
right.set_xticks(range(len(sizes)), sizes)
left.legend(loc=(0.03, 0.6))
plt.show()

# %% [markdown]
# At $\varepsilon = 1$, $w = 0.2$ doubles the loss, and $w = 0.4$ more than triples it, to 0.55<!-- {losses[1.0][-1]:.2f} -->. Sixteen estimated matrices raise it to 0.35<!-- {estimated[1.0][-1]:.2f} -->. All of these are at most a quarter of the loss under differential privacy, 2.22<!-- {event_level[1.0]:.2f} -->. The relative price is smallest at the strict level: at $\varepsilon = \frac12$ and $w = 0.2$ the loss grows by 32%<!-- {losses[0.5][at_fifth] / losses[0.5][0] - 1:.0%} -->, because much noise was needed anyway. At $\varepsilon = 2$ the release for $P$ was almost free, and the class costs a multiple of almost nothing.
#
# ```{evidence} M-B41
# ```
#
# ## Do mixtures come for free?
#
# {numref}`fig-lo-wrong-gain` shows gains above the promise between the dots. A finite list is a convenient class only if it covers what lies between its members. "Between" has three meanings:
#
# 1. everybody moves by the mixed matrix $(1 - \lambda) P_1 + \lambda P_2$;
# 2. each person moves by her own mixture of the two;
# 3. everybody moves by $P_1$, or everybody by $P_2$, and the attacker doubts which: he gives $P_2$ the weight $\lambda$.
#
# For **one person** the three coincide and the answer is yes, if both matrices allow the same places. Her gain is $Q(o \mid j) / \sum_k r_k Q(o \mid k)$. The denominator is linear in her row $r$, so a bound that holds at $r^1$ and at $r^2$ holds between them. In a crowd the denominator is a product of the rows of all people, and this argument fails.
#
# **Mixed matrices: no.** Take the release for fair and sticky people. Its output 0, "both left", has probability 25/27<!-- {for_both[0, 0]} --> if both left and 5/27<!-- {for_both[2, 0]} --> if both stayed. If everybody stays with probability $p$, the guess "Ann left" gains
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
# At $\frac12$ this is the promise, $\frac53$; at $\frac9{10}$ it is less than 1. But at $p = \frac35$ it is 50/29<!-- {largest_gain([mixed, mixed], for_both)} -->, more than $\frac53$. The reason: at $\frac12$ the output is harmless because both people leave often, and at $\frac9{10}$ because most reports of "both left" are false. In between neither protects enough. For nine people the excess was at most 11%<!-- {excess:.0%} -->.
#
# **A matrix for each person: yes.** Let attackers hold, for each person, any matrix of the list: one may think that Ann is fair and Bob is sticky. These are more attackers, but finitely many.
#
# ````{prf:proposition} One matrix a person covers all mixtures
# :label: thm-lo-wrong-hull
# Suppose that all matrices of a finite class allow the same moves. If a release bounds every gain by $E$ for all ways to give each person a matrix of the class, then it does so for all ways to give each person a mixture of them; in particular for every mixed matrix.
# ````
#
# *Proof.* Let $F(r_1, \dots, r_N)$ be the probability of an output. It is linear in each row. Let $r_v = \sum_k \lambda_{vk} r_v^k$. By assumption $F(\dots, e_j, \dots) \le E\, F(\dots, r_u^{k_u}, \dots)$ for each choice $k$ of matrices, with $e_j$ in place $u$. Multiply by $\prod_v \lambda_{v k_v}$ and add over all choices. On the left the weights of $u$ add up to 1; both sides become the probabilities for the mixed rows. $\square$

# %%
def own_matrix_rows(before, matrices, bound):
    """Rows of the promise if each person may have another one of the matrices."""
    choices = [combinations_with_replacement(matrices, people) for people in before]
    rows = []
    for choice in product(*choices):
        people = [matrix[i] for i, held in enumerate(choice) for matrix in held]
        rows.append(promise_rows(people, bound))
    return np.vstack(rows)


own_rows = own_matrix_rows([2], [[fair], [sticky]], E)
for_own, loss_own = best_release_exactly(cost, own_rows)
show(for_own)

# %% [markdown]
# The loss is now 7/9<!-- {loss_own} -->. For nine people and $w = 0.2$ it is 0.38<!-- {hull_loss:.2f} --> for *all* mixtures of $P_{-w}$ and $P_w$, whether common or personal, against 0.34<!-- {losses[1.0][at_fifth]:.2f} --> for the three matrices alone.

# %%
ends = [sharpened(-0.2).tolist(), sharpened(0.2).tolist()]
nine = costs(crowd(P))
hull_channel, _ = best_release(nine, own_matrix_rows(before, ends, np.e))
hull_loss = float((nine * hull_channel).sum())

# %% [markdown]
# Where does this end? If each person may have *any* row, rows near the points $e_k$ put all others in known places, and the promise becomes $Q(o \mid x) \le E\, Q(o \mid x')$ for histograms that differ by one person: event-level differential privacy. Here it leaves nothing to tell, since the best release is a constant, with loss 1. If the row may be any, but is *the same* for both people, less is asked. The following release is safe against all $p$ and has the loss 183/245<!-- {loss_common} -->:

# %%
common = np.array([[80, 147, 18], [0, 245, 0], [18, 147, 80]]) * Fraction(1, 245)
loss_common = (cost * common).sum()
stays = [p, 1 - p]
for there in (if_there([stays, stays], 0, 0), if_there([stays, stays], 0, 1)):
    for q in sp.Matrix(common).T.tolist():
        room = sp.Rational(5, 3) * distribution([stays, stays]).dot(q) - there.dot(q)
        lowest = sp.minimum(sp.expand(room), p, sp.Interval(0, 1))
        assert lowest >= 0


# %% [markdown]
# ```{evidence} M-B42 M-B43 M-B44
# ```
#
# **Doubt about the matrix: no.** An attacker in doubt learns from an output also *which matrix is true*, and from that where Ann is. A release answers "yes" with probability $\frac4{10}$, $\frac5{10}$, $\frac6{10}$ if 0, 1, 2 people stayed. Its event-level ratio is $\frac54$, so no attacker with independent people gains more. An attacker who thinks that all stay with probability $\frac1{10}$, or, with weight $\frac1{10}$, all with probability $\frac9{10}$, gains more from a "yes":

# %%
def gain_in_doubt(yes, matrices, weights):
    """Gain of "Ann stayed" from a yes, for an attacker in doubt."""
    answer = sum(w * distribution([r, r]) @ yes for w, r in zip(weights, matrices))
    prior = sum(w * r[0] for w, r in zip(weights, matrices))
    joint = sum(w * r[0] * (if_there([r, r], 0, 0) @ yes) for w, r in zip(weights, matrices))
    return joint / (prior * answer)


yes = np.array([4, 5, 6]) * Fraction(1, 10)
doubt = gain_in_doubt(yes, [sticky[::-1], sticky], [Fraction(9, 10), Fraction(1, 10)])
assert doubt > Fraction(5, 4)


# %% [markdown]
# It is 275/218<!-- {doubt} -->, more than $\frac54$. The gain is not a ratio of linear functions of his prior: the prior of the guess and the probability of the answer are multiplied. Let $\Pr_k$ be the probability under matrix $k$, and $w_k$ his weights. His promise is
#
# $$ \sum_{k,\, l} w_k w_l\, P^k_{ij} \bigl( E \Pr\nolimits_l(o) - \Pr\nolimits_k(o \mid u \text{ at } j) \bigr) \ge 0 . $$
#
# It is enough that for each pair, $k = l$ included, the terms of $(k, l)$ and $(l, k)$ have a sum that is not negative. These rows are linear in the channel and cover all weights:

# %%
def doubt_rows(towns, bound):
    """Rows that suffice for an attacker in doubt which of these towns is true."""
    rows = []
    for one, other in combinations_with_replacement(towns, 2):
        chances = distribution(one), distribution(other)
        for u, j in guesses(one):
            first = one[u][j] * (if_there(one, u, j) - bound * chances[1])
            second = other[u][j] * (if_there(other, u, j) - bound * chances[0])
            rows.append(first + second)
    return np.array(rows)


in_doubt_rows = doubt_rows([[fair, fair], [sticky, sticky]], E)
for_doubt, loss_doubt = best_release_exactly(cost, in_doubt_rows)
towns = [crowd(sharpened(t)) for t in (0, -0.2, 0.2)]
doubt_channel, _ = best_release(nine, doubt_rows(towns, np.e))
nine_in_doubt = float((nine * doubt_channel).sum())

# %% [markdown]
# With them the two people cost 421/759<!-- {loss_doubt} -->, and the nine 0.34<!-- {nine_in_doubt:.2f} -->.
#
# ```{evidence} M-B45
# ```
#
# ## What the result rests on, and its limits
#
# - **Proofs.** The losses of the two people are proved in fractions. Those of the nine people are the solver's. `robust_mechanism` of `privlib.research.robust_release` repairs the solver's channel, recomputes all gains and returns the mechanism only if they keep the promise; its losses agree.
# - **The class is a choice.** Nothing is promised against a matrix outside it, or outside the mixtures. Sixteen estimated matrices are not a confidence region.
# - **The loss is that of $P$.** If people move by another matrix of the class, the expected loss is another one. The least *largest* loss over the class is a linear programme, too.
# - **Size.** All histograms are listed, and one matrix a person multiplies the rows: for nine people and two matrices from 18 to 864. The rows for doubt suffice; the exact condition is quadratic in the attacker's weights.
# - **Same moves.** If one matrix forbids a move that another one allows, a mixture of both allows it, with no row for it under the first. `robust_mechanism(per_person=True)` adds the missing rows.
# - **Two-sided promises.** All of this holds for lower bounds of the gain, too, with the rows of notebook 5.
#
# ## What others had
#
# Attackers as a class of distributions are the definition of {cite:t}`rastogi2009relationship`, who also characterise a variant of differential privacy as safety against one such class, and of Pufferfish {cite:p}`kifer2014pufferfish`, where independent records give differential privacy. {cite:t}`song2017pufferfish` calibrate noise to the worst transition matrix of a class. Sets of distributions and their polytopes for the release of *one* person's value are treated by {cite:t}`lopuhaa2024robust` and, for the bound on posterior over prior, by {cite:t}`grosse2025empirical`, who arrive at linear constraints; we know these two and the first in abstract. That doubt about a common cause breaks promises made for independent records is the lesson of {cite:t}`kifer2011free`. For one person in a crowd that is published as a histogram we found neither the programme nor the three answers on mixtures.
#
# **Next:** which attacker learns what, from which release? [Attackers and mechanisms](location-attackers-and-mechanisms.ipynb).
