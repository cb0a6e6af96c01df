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
# # How much may the count of a crowd tell about one person?
#
# At a crossing, one person in a hundred turns, as everybody knows. A hundred people come, Aya among them, and the city publishes that five turned. For a reader of this number, Aya turned with probability 5%<!-- {5 / people:.0%} --> instead of 1%. Is that too much?
#
# **The paper** {cite:p}`kawamoto` proposes *adversarial privacy* (アドバーザリアルプライバシ). Take an attacker who knows how people usually move. When the number of people at each place is published, no guess of this attacker about where a person is may become more than $e^{\varepsilon}$ times as likely. The paper claims that its algorithm publishes numbers with this property every minute and that they stay accurate.
# **We find** that the definition limits what this attacker learns from one release. But the algorithm checks only an approximation of the factor by which a guess becomes more likely. The approximation can be 1 (nothing learnt) where the true factor is 50<!-- {max_gain([100, 0], [50, 50], transition=crossing, definition="exact")} -->. Notebooks 3 to 6 show more. An attacker who knows the algorithm can often compute the true numbers. We rebuilt the paper's experiment on invented data: there, a forecast that ignores all new data scores almost as well as the algorithm. With exact probabilities, adversarial privacy can allow far more accurate releases than differential privacy, because it protects against fewer attackers.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what adversarial privacy promises, who its three attackers are, how to compute what each of them learns from a histogram, and
# why the check in the paper's algorithm can miss how much they learn.
# **You need** conditional probability, Bayes' rule and Python. *Differential privacy* is explained in [an earlier notebook](../laplace/01-attackers.ipynb).
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows where the crowd was one step ago and with what probability a person goes from one place to another (the *transition probability*). Some attackers also know where
# one person or everybody was. The attacker sees one new histogram and takes it for the truth. **Protected:** no guess about where a person is now becomes more than $e^{\varepsilon}$ times as likely.
# **Not protected:** what the transition probabilities say already; guesses that become *less* likely; later releases; an attacker who knows how the histogram was altered.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import product
from math import factorial

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.location import gain_table, max_gain
from privlib.location.exact import transition_probability
from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## An exact count says most about those who turn
#
# The published number does not say who turned. If $k$ of the hundred turned, Aya is one of them with probability $k/100$. We divide this by 1/100, the probability before the release, and do the same for going straight on:

# %%
people, p_turn = 100, Fraction(1, 100)
for k in (1, 2, 5, 50):
    share = Fraction(k, people)  # probability that Aya turned, after the release
    straight_on = (1 - share) / (1 - p_turn)
    print(f"{k:2} turned: 'turned' times {share / p_turn}, 'straight on' times {straight_on}")

# %% [markdown]
# {numref}`fig-lo-01-turned` shows both for every count. The guess *straight on* can become at most 1.01<!-- {100 / 99:.2f} --> times as likely, because everybody expected it anyway. The guess *turned* can become up to 100<!-- {1 / p_turn} --> times as likely. The paper
# concludes that only those who turn need protection, and that what is generally known may be published more accurately.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What the exact count does to the two guesses about Aya; note the two scales. If k of the hundred turned, the guess that she turned (left) is k times as probable as before. The guess that she went straight on (right) rises above 1 (dotted) by 1% at most, whatever is published, but can lose everything.", "name": "fig-lo-01-turned"}, "image": {"alt": "Two panels against the published number from 0 to 100. Left, the factor of turned rises in a straight line from 0 to 100<!-- {1 / p_turn} -->. Right, on a scale up to 1.2, the factor of straight on falls in a straight line from 1.01<!-- {100 / 99:.2f} --> to 0."}} tags=["figure"]
turned = np.arange(people + 1)
share = turned / people
fig, (left, right) = plots.panels(1, 2, height=2.7, width=7.2)
left.plot(turned, share / float(p_turn))
left.set(title="she turned", ylabel="probability after / before")
right.plot(turned, (1 - share) / float(1 - p_turn), color=plots.COLOURS["orange"])
right.axhline(1, color="#555555", lw=0.8, ls=":")
right.set(title="she went straight on", ylim=(0, 1.2))
for ax in (left, right):
    ax.set_xlabel("number who turned")
plt.show()


# %% [markdown]
# Differential privacy ({prf:ref}`def-lap-01-dp` of [Laplace 1](../laplace/01-attackers.ipynb)) protects both guesses alike, whatever the attacker knows about the others, as long as nobody else's way depends on Aya's. Suppose that the attacker knows everybody's way but Aya's, and that four of the others turned. So the count is 5 if Aya turned and 4 if not. The city adds two-sided geometric noise with $e^{\varepsilon} = 2$ to the count, as in that notebook:

# %%
def noisy(published, count, alpha=Fraction(1, 2)):
    """Probability of a published count: two-sided geometric noise."""
    return (1 - alpha) / (1 + alpha) * alpha ** abs(published - count)


ratios = {noisy(y, 5) / noisy(y, 4) for y in range(-10, 20)}  # y: the published count
print(*sorted(ratios))

# %% [markdown]
# Every release multiplies the odds of *turned* against *straight on* by 2 or by 1/2. This protects the guess that was nearly certain as strictly as the surprising one. The price is noise in every count. The paper adds that more noise is needed when locations are published again and again, because they depend on earlier ones.
# [Notebook 5](05-the-idea-done-right.ipynb) compares the two definitions.
#
# ```{evidence} M-A2 M-I1 M-I2 M-I3 M-I4 M-I5 M-I6 M-I8 M-I9
# ```
#
# ## The model: everybody moves independently
#
# Each of $N$ people is at one of $L$ places. Let $\pi_i$ be the number of people who were at place $\ell_i$ one step ago, and $x_j$ the number at $\ell_j$ now. A person at $\ell_i$ goes to $\ell_j$ with probability
# $P_{ij}$, independently of the others; staying is a move too. (The paper writes $\pi(t-1)$ for $\pi$ and $\pi(t)$ for $x$.)
#
# In the paper's Example 4.1, five people go from $\pi = (2, 2, 1)$ to $x = (1, 2, 2)$. The text gives no probabilities, so we choose them:

# %%
start = (0, 0, 1, 1, 2)  # two people at A, two at B, one at C; person 0 is Aya
P = [
    [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)],
    [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)],
    [Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)],
]


def histogram(places):
    """Number of people at A, B and C."""
    return tuple(places.count(j) for j in range(3))


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The example. Numbers in circles are people, one step ago and now. The wider the arrow, the more probable the move; the numbers on the arrows are the probabilities. All attackers know the two histograms and the probabilities; none knows who took which arrow.", "name": "fig-lo-01-setting"}, "image": {"alt": "Three places A, B and C on the left with 2, 2 and 1 people and on the right with 1, 2 and 2, joined by nine arrows of different widths labelled with probabilities."}} tags=["figure"]
fig, ax = plots.panels(height=3.4, width=6.4)
before, x = histogram(start), (1, 2, 2)
for i, j in product(range(3), repeat=2):
    chance_ij = float(P[i][j])
    colour = plots.COLOURS[("blue", "orange", "green")[i]]
    arrow = {"arrowstyle": "->", "lw": 6 * chance_ij, "color": colour, "alpha": 0.75,
             "shrinkA": 20, "shrinkB": 20}
    ax.annotate("", xy=(1, 2 - j), xytext=(0, 2 - i), arrowprops=arrow)
    t = (0.35, 0.24, 0.24)[abs(i - j)]  # where the label stands on its arrow
    ax.text(t, 2 - i + t * (i - j), str(P[i][j]), fontsize=8, ha="center", va="center",
            bbox={"fc": "white", "ec": "none", "pad": 1})
for column, counts, title in ((0, before, "one step ago"), (1, x, "now")):
    for i, count in enumerate(counts):
        ax.text(column, 2 - i, str(count), ha="center", va="center", fontsize=13,
                bbox={"boxstyle": "circle,pad=0.5", "fc": "white", "ec": "black"})
        ax.text(column + (-0.13, 0.13)[column], 2 - i, "ABC"[i], ha="center", va="center")
    ax.text(column, 2.55, title, ha="center")
ax.set(xlim=(-0.3, 1.3), ylim=(-0.4, 2.8))
ax.axis("off")
plt.show()

# %% [markdown]
# Each of the five people can go to three places. We list all $3^5$ ways, sorted by the histogram to which they lead:

# %%
ways = {}  # histogram -> every way to reach it, with its probability
for places in product(range(3), repeat=5):
    probability = Fraction(1)
    for i, j in zip(start, places):
        probability *= P[i][j]
    ways.setdefault(histogram(places), []).append((places, probability))

chance = {}  # histogram -> its probability
for x in ways:
    chance[x] = sum(probability for places, probability in ways[x])
print(len(chance), "histograms;", "(1, 2, 2) has probability", chance[1, 2, 2])

# %% [markdown]
# We write $p(x \mid \pi)$ for the probability of the histogram $x$. The mean of $x$ is called the *prediction* (予測されるヒストグラム) $\tilde\pi$. Because each of the $\pi_i$ people at $\ell_i$ goes to $\ell_j$ with probability $P_{ij}$, it is $\tilde\pi_j = \sum_i \pi_i P_{ij}$:

# %%
prediction = [sum(P[i][j] for i in start) for j in range(3)]
mean = [sum(chance[x] * x[j] for x in chance) for j in range(3)]
assert prediction == mean
print(*prediction)


# %% [markdown]
# The prediction need not be *whole*: its entries need not be whole numbers.
#
# If a move is impossible, for example across a river without a bridge, then $P_{ij} = 0$. Every attacker knows this, so a histogram may prove where somebody is. If the next move of a person depends also on earlier moves, short paths can replace the places ([notebook 6](06-paths-and-tokyo.ipynb)).
#
# ```{evidence} M-I1b M-S1 M-S2 M-S4 M-S5 M-M5
# ```
#
# ## The definition limits only growth
#
# ```{prf:definition} Gain and adversarial privacy (Definitions 3.1 and 3.2)
# :label: def-lo-01-privacy
# A class of attackers (攻撃者のクラス) is a triple $(K, f, g)$. $K$ is what the attacker knows beforehand. For the guess "person $u$ is now at $\ell_j$", $f$ gives the attacker's probability before the release and $g$ the one after it. The *gain* (贈与) of the guess is $g / f$, for guesses that were possible before ($f > 0$).
# A release is *$\varepsilon$-adversarially private* against the class if every gain is at most $e^{\varepsilon}$.
# ```
#
# Before the release, Aya is at one of three places with the probabilities `f`. Two possible releases lead to the probabilities `g`:

# %%
def gains(f, g):
    """Gain of every guess: its probability after the release over that before."""
    return [after / before for before, after in zip(f, g)]


f = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)]
for g in ([0, Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4), 0]):
    private = max(gains(f, g)) <= np.exp(1)
    print("after:", *g, "| gains:", *gains(f, g), "| private at ε = 1:", private)

# %% [markdown]
# The first release is private, although it *excludes* the first place: it proves that Aya is not there. How probable may a guess have been if a private release excludes it?
#
# ```{prf:proposition} What a private release may exclude
# :label: thm-lo-01-excluded
# An $\varepsilon$-adversarially private release can exclude a guess of probability $f$ about a person's place if and only if $f \le 1 - e^{-\varepsilon}$.
# ```
#
# ```{prf:proof}
# If the guess is excluded, the other guesses about this person have total probability $1 - f$ before the release and 1 after it. If each of them has gain at most $e^{\varepsilon}$, then $1 \le e^{\varepsilon} (1 - f)$, which is the condition. Conversely,
# let every other guess become $1/(1 - f)$ times as likely. If the condition holds, this factor is at most $e^{\varepsilon}$.
# ```
#
# Sympy finds the same border:

# %%
guess, eps = sp.symbols("f epsilon", positive=True)
border = sp.solve(sp.Eq(1 / (1 - guess), sp.exp(eps)), guess)[0]
assert sp.simplify(border - (1 - sp.exp(-eps))) == 0

# %% [markdown]
# At $\varepsilon = 1$, a release may exclude a place where a person was expected with probability up to 63%<!-- {1 - np.exp(-1):.0%} -->. The paper also says in words that the attacker's confidence *hardly changes*. The definition limits only the increase: confidence may fall to 0.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What a private release may make of a guess at \u03b5 = 1. Adversarial privacy allows the wide region. Part of the bottom axis belongs to it; there the guess is excluded. Differential privacy changes odds by at most a factor e in either direction and allows only the narrow region.", "name": "fig-lo-01-onesided"}, "image": {"alt": "Probability after the release against probability before it, both between 0 and 1. The upper border of the wide region rises as e times the prior until it reaches 1; the lower border is zero up to 0.63<!-- {1 - np.exp(-1):.2f} --> and then rises to 1. Inside lies a narrow lens around the diagonal."}} tags=["figure"]
belief = np.linspace(0, 1, 401)
upper, lower = np.minimum(1, np.e * belief), np.maximum(0, 1 - np.e * (1 - belief))
odds_up = np.e * belief / (1 - belief + np.e * belief)
odds_down = belief / (belief + np.e * (1 - belief))
assert (odds_up <= upper + 1e-12).all() and (odds_down >= lower - 1e-12).all()
fig, ax = plots.panels(height=3.6, width=5.6)
ax.fill_between(belief, lower, upper, alpha=0.25, label="adversarial privacy")
ax.fill_between(belief, odds_down, odds_up, alpha=0.6, label="odds within a factor e")
ax.plot(belief, belief, color="black", lw=0.8, ls="-")
ax.annotate("may be excluded", xy=(1 - 1 / np.e, 0), xytext=(0.72, 0.1),
            arrowprops={"arrowstyle": "->"})
ax.set(xlabel="probability before the release", ylabel="probability after it",
       xlim=(0, 1), ylim=(0, 1))
ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=8)
plt.show()


# %% [markdown]
# The name and the idea come from {cite:t}`rastogi2009relationship`. They ask that a randomised mechanism be safe for every prior belief in a large class. This paper asks it of a single release, for a single prior belief.
#
# ```{evidence} M-I10 M-D1 M-D2 M-D3 M-D4 M-D5 M-B30
# ```
#
# ## What do the three attackers gain?
#
# ```{prf:definition} Three classes of attackers (section 3.2)
# :label: def-lo-01-classes
# *MK* knows $\pi$ and $P$. *OPK* also knows that person $u$ was at $\ell_i$, but has lost sight of $u$. *NPK* knows $\pi$, $P$ and where everybody was.
#
# For the guess "$u$ is now at $\ell_j$", $\mathrm{Gain}_{MK}(x, j)$ is the gain of MK and $\mathrm{Gain}_{OPK}(x, i, j)$ the gain of OPK. The gain of NPK is the largest $\mathrm{Gain}_{OPK}(x, i, j)$ over all $i$ and $j$ with $\pi_i \ge 1$ and $P_{ij} > 0$.
# ```
#
# For now, $f$ and $g$ are exact conditional probabilities of the guess: $f$ given $K$, and $g$ given $K$ and $x$.
#
# ```{admonition} For readers of the paper: misprints
# :class: note dropdown
# The titles of sections 3.2.2 and 3.2.3 let OPK and NPK know places at time $t$; the text says $t - 1$. In the maximum that defines the gain of NPK, $\ell_j$ is printed for the place before and the place after. The factor $p(X_t^u = \ell_j; P_1)$ of $f$ and $g$ is not defined, but cancels in the gain ($X_t^u$ is the place of $u$ at time $t$, and $P_1$ is our $P$).
# ```
#
# Start with NPK, who knows the tuple `start`. Before the release, Aya is at C with probability 1/4. Then NPK applies Bayes' rule to the ways that lead to $x$:

# %%
def posterior(x, u, j):
    """Probability that person u is at place j, given the histogram x."""
    there = sum(probability for places, probability in ways[x] if places[u] == j)
    return there / chance[x]


x = (1, 2, 2)
for u in (0, 2, 4):  # somebody from A, from B and from C
    row = [posterior(x, u, j) / P[start[u]][j] for j in range(3)]
    print("from", "ABC"[start[u]], *(f"{float(gain):.3f}" for gain in row))

# %% [markdown]
# The guess that Aya is at C gains most (first row, last column). It has become 1.479<!-- {float(posterior((1, 2, 2), 0, 2) / P[0][2]):.3f} --> times as likely.
#
# OPK knows only where Aya was, but has the same gain. Let $e_j$ be the histogram of one person at $\ell_j$. If Aya went from $\ell_i$ to $\ell_j$, the $N - 1$ others went from $\pi - e_i$ to $x - e_j$. How probable this is depends on how many of them started where, not on their names. So the names, which only NPK knows, change nothing.
#
# MK does not know which of the five is Aya. So MK's probability is the average over all five:

# %%
for j in range(3):
    prior = sum(P[i][j] for i in start) / 5
    after = sum(posterior(x, u, j) for u in range(5)) / 5
    print("at", "ABC"[j], after / prior)

# %% [markdown]
# (In the paper, MK has also seen all earlier histograms. They are of no use: where people go depends only on where they are, and no histogram tells which person is where.)
#
# ```{prf:theorem} The exact gains
# :label: thm-lo-01-gains
# Let $p(x \mid \pi)$, $\tilde\pi_j$, $\pi_i$ and $P_{ij}$ be positive. Let $a_{ij}$ be the number of people who went from $\ell_i$ to $\ell_j$, and $E[a_{ij} \mid \pi, x]$ its mean given both histograms. Then
#
# $$ \mathrm{Gain}_{MK}(x, j) = \frac{x_j}{\tilde\pi_j}, \qquad \mathrm{Gain}_{OPK}(x, i, j) = \frac{E[a_{ij} \mid \pi, x]}{\pi_i P_{ij}} . $$
# ```
#
# ```{prf:proof}
# To MK all $N$ people are alike. Hence $f$ is the predicted share $\tilde\pi_j / N$ and $g$ is the published share $x_j / N$. For OPK, $f = P_{ij}$. The $\pi_i$ people who were at $\ell_i$ are alike, so each of them is now at $\ell_j$ with probability $g = E[a_{ij} \mid \pi, x] / \pi_i$.
# ```
#
# The package computes both without listing the ways:

# %%
table = gain_table((2, 2, 1), x, transition=P, definition="exact")
assert table[0, 2] == posterior(x, 0, 2) / P[0][2]
mk = gain_table((2, 2, 1), x, transition=P, definition="exact", adversary="MK")
assert list(mk) == [x[j] / prediction[j] for j in range(3)]
print("largest gain of NPK:", max(table.ravel()), " of MK:", max(mk))

# %% [markdown]
# By the law of total probability, the mean of $g$ over all releases is $f$. So the mean of every gain is 1.
#
# A gain is at most $1/f$, because $g \le 1$. In the example this bound is reached: if everybody is at one place, then $g = 1$ for the guess that a person is there. So the paper is right that the gain can be large where $f$ was small.
#
# ```{evidence} M-C2 M-M0 M-M1 M-M4 M-N0 M-N2 M-N3 M-N4 M-O1 M-O2 M-N1
# ```
#
# ## Is it harder to stop an attacker who knows less?
#
# The paper says, citing others, that in general the answer is yes. Sometimes this is right. Suppose that two people always move together, to A or to B with probability 1/2 each, and that a release counts two people at B. For an attacker who knows nothing more, the guess "the first person is at B" becomes twice as likely. An attacker who
# already knows where the second person is learns nothing from the release.
#
# Among the paper's three classes, however, the order is the other way round.
#
# ```{prf:proposition} MK never gains more than NPK
# :label: thm-lo-01-order
# For every histogram, the largest exact gain of MK is at most the largest exact gain of NPK.
# ```
#
# ```{prf:proof}
# Given that $u$ goes to $\ell_j$, the origin of $u$ is $\ell_i$ with probability $\pi_i P_{ij} / \tilde\pi_j$. With these weights, the mean of OPK's gains over the origins is $\sum_i E[a_{ij} \mid \pi, x] / \tilde\pi_j$. This is $x_j / \tilde\pi_j$, because everybody at $\ell_j$ came from somewhere. So MK's gain is a mean of gains of OPK, and a mean is at most the largest of its terms.
# ```

# %%
largest = {"NPK": [], "MK": []}
for adversary in largest:
    for x in chance:
        gain = max_gain((2, 2, 1), x, transition=P, definition="exact", adversary=adversary)
        largest[adversary].append(gain)
for gain_mk, gain_npk in zip(largest["MK"], largest["NPK"]):
    assert gain_mk <= gain_npk
number_private = {}  # at ε = 1
for adversary in largest:
    number_private[adversary] = sum(gain <= np.e for gain in largest[adversary])
print(number_private)

# %% [markdown]
# At $\varepsilon = 1$, 12<!-- {number_private["NPK"]} --> of the 21<!-- {len(chance)} --> histograms are private against NPK and 19<!-- {number_private["MK"]} --> against MK.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Largest gains of MK and of NPK for all histograms of the example; the larger the point, the more probable the histogram. No point lies below the diagonal. The dotted lines are at e. Points above the horizontal line and to the left of the vertical one are private against MK at \u03b5 = 1, but not against NPK.", "name": "fig-lo-01-order"}, "image": {"alt": "Scatter of NPK's largest gain, from 1.3<!-- {float(min(largest['NPK'])):.1f} --> to 8<!-- {max(largest['NPK'])} -->, against MK's, from 1.2<!-- {float(min(largest['MK'])):.1f} --> to 3.3<!-- {float(max(largest['MK'])):.1f} -->. No point lies below the diagonal. Several lie in the quadrant left of e and above e. The highest point is the release (5, 0, 0)."}} tags=["figure"]
fig, ax = plots.panels(height=3.6, width=5.6)
sizes = [2000 * float(chance[x]) for x in chance]
ax.scatter([float(v) for v in largest["MK"]], [float(v) for v in largest["NPK"]], s=sizes,
           alpha=0.6, edgecolor="black", lw=0.5)
ax.plot([1, 4], [1, 4], color="#555555", lw=1, ls="-")
ax.axvline(np.e, color="#555555", lw=1, ls=":")
ax.axhline(np.e, color="#555555", lw=1, ls=":")
assert len(chance) == 21
assert any(m < np.e < n for m, n in zip(largest["MK"], largest["NPK"]))
ax.set(xlabel="largest gain of MK", ylabel="largest gain of NPK", xscale="log", yscale="log",
       xlim=(1, 4), ylim=(1, 9.5), xticks=[1, 2, 3, 4], xticklabels=["1", "2", "3", "4"],
       yticks=[1, 2, 4, 8], yticklabels=["1", "2", "4", "8"])
ax.minorticks_off()
everybody_at_a = float(largest["NPK"][list(chance).index((5, 0, 0))])
assert everybody_at_a == max(largest["NPK"])
ax.annotate("all five at A", xy=(3.03, everybody_at_a), xytext=(1.6, 7.7),
            arrowprops={"arrowstyle": "->"})
plt.show()

# %% [markdown]
# OPK's gain is never above NPK's, by definition. So a whole histogram that is private against NPK is private against all three classes.
#
# ```{evidence} M-C1 M-B4
# ```
#
# ## The paper's gain has another prior, and for MK a mistake
#
# Until now, $f$ was the exact probability before the release, for example $P_{ij}$ for OPK. The paper takes another $f$: what the attacker would believe *if the prediction $\tilde\pi$ had been published*. With this $f$, every gain of the release $\tilde\pi$ is 1. The paper's algorithm moves the histogram towards $\tilde\pi$ until no gain is too large ([notebook 3](03-publishing-a-histogram.ipynb)), so it can always end at $\tilde\pi$.
#
# ```{prf:proposition} The gain of OPK in the paper (section 3.2.2)
# :label: thm-lo-01-opk
# Let $p(x \mid \pi)$, $p(\tilde\pi \mid \pi)$, $\pi_i$ and $P_{ij}$ be positive. With the paper's prior,
#
# $$ \mathrm{Gain}_{OPK}(x, i, j) = \frac{p(x - e_j \mid \pi - e_i)}{p(x \mid \pi)} \cdot \frac{p(\tilde\pi \mid \pi)}{p(\tilde\pi - e_j \mid \pi - e_i)} . $$
# ```
#
# ```{prf:proof}
# Person $u$ goes from $\ell_i$ to $\ell_j$ with probability $P_{ij}$. Then the others must go from $\pi - e_i$ to $x - e_j$. By Bayes' rule, $g = P_{ij}\, p(x - e_j \mid \pi - e_i) / p(x \mid \pi)$. The prior $f$ is the same expression with $\tilde\pi$ in place of $x$, and $P_{ij}$ cancels.
# ```
#
# The example confirms this $g$ for the guess that Aya went from A to C. The four others then go from $(1, 2, 1)$ to $(1, 2, 1)$:

# %%
x = (1, 2, 2)
others = transition_probability((1, 2, 1), (1, 2, 1), transition=P)
assert posterior(x, 0, 2) == P[0][2] * others / chance[x]

# %% [markdown]
# How far is the paper's prior from $P_{ij}$? It is the exact probability after the release $\tilde\pi$. So its quotient by $P_{ij}$ is the exact gain of that release. Take $\pi = (4, 4)$ and a matrix for which the prediction is whole, $\tilde\pi = (3, 5)$:

# %%
two_places = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]]
prior_ratio = gain_table((4, 4), (3, 5), transition=two_places, definition="exact")
print(prior_ratio.astype(float).round(3))


# %% [markdown]
# The two priors differ by up to 7%<!-- {float(max(abs(ratio_ij - 1) for ratio_ij in prior_ratio.ravel())):.0%} -->, and so the gains differ, too.
#
# If $\tilde\pi$ is not whole, then $p(\tilde\pi \mid \pi) = 0$ and the paper's prior is undefined. The prior $P_{ij}$ is always defined. We use it, and call the gains of {prf:ref}`thm-lo-01-gains` *exact*.
#
# For MK, the paper's equation (1) is
#
# $$ \mathrm{Gain}_{MK}(x, j) = \frac{p(x - e_j, \pi)\; p(\tilde\pi, \pi)}{p(\tilde\pi - e_j, \pi)\; p(x, \pi)} , $$
#
# where $p(x, \pi)$ is the probability that $\pi$ is the histogram before and $x$ the one after. The formula takes person $u$ out of the new histogram, but not out of the old one. So $\pi$ has $N$ people and $x - e_j$ has $N - 1$, which is impossible: $p(x - e_j, \pi) = 0$. Likewise $p(\tilde\pi - e_j, \pi) = 0$, and the fraction is not defined. (With equation (3) below in place of $p$, it has a value if one person of $\pi$ is left out as well; see the last exercise.)
#
# The person must be taken out of $\pi$, too. MK does not know from which place, and averages over all origins. The result is the exact gain $x_j / \tilde\pi_j$.
#
# ```{evidence} M-M3 M-M6 M-M7 M-M16 M-O3 M-O4
# ```
#
# ## The check in the algorithm misses those who turn
#
# The algorithm of the paper does not compute exact probabilities. The probability of $x$ is a sum over all ways in which the people can move, the paper's equation (2). The paper says that there are $N!$ ways, too many to add up. So it takes the largest term instead, times $N!$.
#
# ```{prf:definition} Equation (3)
# :label: def-lo-01-formulas
# Equation (3) is $N! \max \prod_{ij} P_{ij}^{a_{ij}}$, where the maximum is over all counts $a_{ij}$ with $\sum_j a_{ij} = \pi_i$ and $\sum_i a_{ij} = x_j$. The paper uses it in place of $p$ in the formulas for the gains.
# ```
#
# At the crossing everybody comes from one place, so only one choice of the counts $a_{ij}$ leads to $x$. We compute the paper's gain of *turned* for OPK and NPK:

# %%
def equation_3(x):
    """Equation (3) for the crossing; x: straight on, turned."""
    return factorial(sum(x)) * (1 - p_turn) ** x[0] * p_turn ** x[1]


def ratio(x):
    """p(x without one who turned) / p(x), both by equation (3)."""
    return equation_3((x[0], x[1] - 1)) / equation_3(x)


for turned in (1, 5, 50, 100):
    x = (people - turned, turned)
    gain = ratio(x) / ratio((99, 1))  # (99, 1) is the prediction
    print(f"{turned:3} turned: gain by equation (3) {gain}")

# %% [markdown]
# The gain is always 1, even if all hundred turn where one was expected. The reason: if one person who turned is left out, the factorial is divided by $N$ and the product by 1/100. So `ratio` does not depend on $x$.
#
# The exact probability has $\binom{N}{k}$ in place of $N!$: the number of ways to choose the $k$ people who turned. So in `ratio` the factor $1/N$ becomes $\binom{N-1}{k-1} / \binom{N}{k} = k/N$, and the exact gain is $k$. The package confirms both gains for $k = 50$:

# %%
crossing = [[1 - p_turn, p_turn], [0, 1]]
assert np.isclose(max_gain([100, 0], [50, 50], transition=crossing), 1)
assert max_gain([100, 0], [50, 50], transition=crossing, definition="exact") == 50

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The crossing. By equation (3) the largest gain of every release is 1<!-- {max(by_three):.0f} -->, so the algorithm publishes all of them unchanged. The exact gain of \"turned\" is in the allowed region, shaded for \u03b5 = 1, for at most 2<!-- {max(number[exact_turned <= np.e])} --> people.", "name": "fig-lo-01-crossing"}, "image": {"alt": "Gains on logarithmic axes against the number who turned, from 1 to 100. The exact gain rises from 1<!-- {min(exact_turned):.0f} --> to 100<!-- {max(exact_turned):.0f} --> and leaves the shaded region at e. Equation (3) is a level line at 1<!-- {max(by_three):.0f} --> inside the region."}} tags=["figure"]
number = np.arange(1, 101)
by_three, exact_turned = [], []
for k in number:
    release = [100 - k, k]
    by_three.append(max_gain([100, 0], release, transition=crossing))
    table = gain_table([100, 0], release, transition=crossing, definition="exact")
    exact_turned.append(float(table[0, 1]))
exact_turned = np.array(exact_turned)
assert np.allclose(by_three, 1)
assert np.isclose(max_gain([100, 0], [100, 0], transition=crossing), 1)  # nobody turned
fig, ax = plots.panels(height=3.2)
ax.axhspan(0.01, np.e, color=plots.COLOURS["sky"], alpha=0.25, lw=0, label="allowed at ε = 1")
ax.plot(number, exact_turned, label='"turned", exact')
ax.plot(number, by_three, color=plots.COLOURS["green"], label="largest gain by equation (3)")
ax.set(xscale="log", yscale="log", xlim=(1, 100), ylim=(0.3, 130),
       xlabel="people who turned (of 100)", ylabel="gain",
       xticks=[1, 10, 100], xticklabels=["1", "10", "100"],
       yticks=[1, 10, 100], yticklabels=["1", "10", "100"])
ax.legend(loc="upper left")
plt.show()

# %% [markdown]
# The definition protects those who turn, but the check misses them. [The next notebook](02-most-likely-movement.ipynb) shows how far equation (3) can be from the truth, in both directions, and what can be used for large crowds.
#
# ## Exercises
#
# ```{exercise-start} Guesses that can never gain too much
# :label: ex-lo-01-safe
# ```
# **Warm-up.** For which probabilities $f$ can a guess never gain more than $e^{\varepsilon}$, whatever is released? Enter the smallest such $f$, as a formula in `eps`.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-01-safe", ...)


# %% [markdown]
# ```{solution-start} ex-lo-01-safe
# :class: dropdown
# ```
# Since $g \le 1$, the gain is at most $1/f$. This never exceeds $e^{\varepsilon}$ if and only if $f \ge e^{-\varepsilon}$. At $\varepsilon = 1$ the smallest such probability is 0.368<!-- {np.exp(-1):.3f} -->.

# %%
def smallest_safe(eps):
    return np.exp(-eps)


f = smallest_safe(1)
assert np.isclose(gains([f, 1 - f], [1, 0])[0], np.e)  # the largest gain is only just allowed
check("lo-01-safe", smallest_safe)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Both sides of the bound
# :label: ex-lo-01-two-sided
# ```
# **Standard.** NPK attacks the example of this page, with $e^{\varepsilon} = 3$. How many of the 21<!-- {len(chance)} --> histograms are private? How many remain if, in addition, no gain may be below $e^{-\varepsilon}$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-01-two-sided", ...)

# %% [markdown]
# ```{solution-start} ex-lo-01-two-sided
# :class: dropdown
# ```
# 13<!-- {len(one_sided)} --> histograms keep the bound of the definition, and only 5<!-- {len(two_sided)} --> keep both bounds. Each of the other private histograms makes some guess less than a third as likely as before.

# %%
one_sided, two_sided = [], []
for x in chance:
    values = [posterior(x, u, j) / P[start[u]][j] for u in range(5) for j in range(3)]
    if max(values) <= 3:
        one_sided.append(x)
        if min(values) >= Fraction(1, 3):
            two_sided.append(x)
assert (len(one_sided), len(two_sided)) == (13, 5)
check("lo-01-two-sided", (len(one_sided), len(two_sided)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Markov's inequality for the gain
# :label: ex-lo-01-mean
# ```
# **Standard.** The mean of a gain over all releases is 1. Which upper bound does Markov's inequality give for the probability that the gain of *one* given guess exceeds $8/5$? And in the example, what is the true probability that *some* guess of NPK has such a gain?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-01-mean", ...)


# %% [markdown]
# ```{solution-start} ex-lo-01-mean
# :class: dropdown
# ```
# Markov's inequality gives at most $5/8$ for one guess. NPK has 15<!-- {len(guesses)} --> guesses. The sum of their bounds is $15 \cdot 5/8$, which is more than 1 and says nothing. The true probability that some gain exceeds $8/5$ is 0.609<!-- {float(some):.3f} -->.

# %%
def gain_of(x, u, j):
    return posterior(x, u, j) / P[start[u]][j]


guesses = list(product(range(5), range(3)))
some = Fraction(0)
for x in chance:
    if max(gain_of(x, u, j) for u, j in guesses) > Fraction(8, 5):
        some += chance[x]
for u, j in guesses:
    assert sum(chance[x] * gain_of(x, u, j) for x in chance) == 1
    assert sum(chance[x] for x in chance if gain_of(x, u, j) > Fraction(8, 5)) <= Fraction(5, 8)
check("lo-01-mean", (Fraction(5, 8), some))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Histograms that are not whole
# :label: ex-lo-01-mixed
# ```
# **Research.** The algorithm publishes mixtures $(1 - \alpha) x + \alpha \tilde\pi$, which need not be whole. It computes gains by equation (3), as `max_gain` does if `definition` is left out. For $p(x - e_j, \pi)$ in equation (1), `max_gain` leaves one person of $\pi$ out of the product, chosen so that the product is largest. If the histogram is whole and every transition is possible, the largest gain of MK is at most that of NPK by equation (3), too. Does this hold for mixtures?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-01-mixed
# :class: dropdown
# ```
# No. If the numbers are not whole, the one person who is left out can be put together from parts of several people. This can make the product larger than leaving out any single person. Here is a mixture with $\alpha = 0.7$. By equation (3), the largest gain of MK is 12.727<!-- {mixed_gains["MK"]:.3f} --> and that of NPK 8.120<!-- {mixed_gains["NPK"]:.3f} -->:

# %%
Q = np.array([[62, 19, 19], [1, 98, 1], [4, 1, 95]]) / 100
mixture = 0.3 * np.array([6, 1, 0]) + 0.7 * np.array([2, 3, 2]) @ Q
mixed_gains = {}
for adversary in ("NPK", "MK"):
    mixed_gains[adversary] = max_gain([2, 3, 2], mixture, transition=Q, adversary=adversary)
assert mixed_gains["MK"] > mixed_gains["NPK"]

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *What does adversarial privacy promise?* After a release, no guess of a declared attacker is more than $e^{\varepsilon}$ times as likely as before. A guess may become impossible: at $\varepsilon = 1$ if its probability was at most 63%<!-- {1 - np.exp(-1):.0%} -->.
# 2. *What do the attackers gain?* Exactly, MK gains $x_j / \tilde\pi_j$, OPK gains $E[a_{ij} \mid \pi, x] / (\pi_i P_{ij})$, and NPK the largest gain of OPK. For whole histograms, MK never gains more than NPK. The paper's formula has another prior for OPK and NPK and is wrong for MK.
# 3. *Why can the algorithm publish that 50 of 100 turned?* It checks equation (3), which leaves out the number of ways to choose those who turned. So every release has gain 1. The exact gain is 50<!-- {max_gain([100, 0], [50, 50], transition=crossing, definition="exact")} -->.
#
# **Further reading.** On background knowledge {cite:p}`kifer2011free` and {cite:p}`gotz2012maskit`; on continual release {cite:p}`dwork2010continual` and {cite:p}`cao2017quantifying`.
# **Next:** [the most likely movement](02-most-likely-movement.ipynb).
