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
# # What if I ask a hundred times?
#
# A lender publishes how many of its customers were late with a payment, with Laplace noise at level $\varepsilon = 1$. An attacker who must decide between two neighbouring counts is then right
# 70%<!-- {1 - np.exp(-1 / 2) / 2:.0%} --> of the time. But the lender answers the same question every day. After a hundred days, an attacker who takes the mean is right in 99.97%<!-- {attack[-1]:.2%} --> of our simulated games.
#
# **The note** defines differential privacy for one answer and does not discuss a second one.
# **We find** that the levels of several answers add up: one hundred answers at level 0.1 are together private at level 10. If we allow $\delta = 10^{-6}$, a slack that is added to every probability, then the smallest total level that holds for all mechanisms of level 0.1
# is 4.77<!-- {exact_level:.2f} -->. None of this is new, and we name the sources. What we add are exact small cases.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to attack repeated answers, how levels of privacy add up, how to keep a privacy budget, what $(\varepsilon, \delta)$-privacy means, and when Gaussian noise is better than Laplace noise.
# **You need** [notebook 1](01-attackers.ipynb), the Laplace mechanism of [notebook 2](02-laplace-mechanism.ipynb), and the binomial and the normal distribution.
# **Time:** 27 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two databases of the same size that differ in the value of one record. **The attacker** sees all answers, may choose each question after seeing the earlier answers, knows the distribution of the noise, and may know all
# other records. The noise of each answer is drawn afresh. **Protected:** the value of the one record. **Not protected:** a person who has several records.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import optimize, stats

from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## The mean of many answers removes the noise
#
# Suppose that three customers were late. Here are four noisy answers, and the means of these four and of one hundred:

# %%
rng = np.random.default_rng(2026)
answers = 3 + rng.laplace(scale=1, size=100)
print("four answers:", answers[:4].round(2))
print("their mean:", answers[:4].mean().round(2), " mean of 100:", answers.mean().round(2))


# %% [markdown]
# The noise has mean 0, so the mean of many answers is close to the true count. An attacker who knows all records but one knows that the count is 2 or 3, and takes the number that is nearer to the mean.

# %%
def share_right(k, scale, games=20_000):
    """How often the mean of k answers is nearer to the true count, which is 2 or 3."""
    rng = np.random.default_rng(k)
    truth = rng.integers(2, 4, size=games)
    means = truth + rng.laplace(scale=scale, size=(games, k)).mean(axis=1)
    return np.mean((means > 2.5) == (truth == 3))


numbers = [1, 2, 5, 10, 20, 50, 100]
attack = [share_right(k, scale=1) for k in numbers]

# %% [markdown]
# The lender could store the first answer and repeat it. This stops an attacker who repeats a question word for word. It does not stop an attacker who asks for the late customers *younger than 150*, then *younger than 151*, and so on; nobody is that old, so these are the same question in other words.
# {cite:t}`asghar2020averaging` describe such averaging attacks on published statistics. A better defence is to add more noise. If there will be $k$ answers, the noise of each has scale $k$ instead of 1, so that each answer has level $1/k$:

# %%
defence = [share_right(k, scale=k) for k in numbers]

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Attack and defence. Share of 20,000 games in which the mean of k answers is nearer to the true count. With noise of scale 1 the attacker is almost certain in the end. With noise of scale k further answers do not help this attacker, who stays below the bound for a total level of 1 (dotted; it is the theorem on the best guess in notebook 1).", "name": "fig-lap-hundred-attack"}, "image": {"alt": "Share of right guesses against the number of answers from 1 to 100, on a logarithmic axis. The curve for scale 1 rises from 0.70 to 1. The curve for scale k falls from 0.70 towards one half. A dotted line marks the bound 0.73."}} tags=["figure"]
fig, ax = plots.panels(height=3.2)
ax.plot(numbers, attack, marker="o", label="scale 1: attack")
ax.plot(numbers, defence, marker="s", label="scale k: defence")
ax.axhline(np.e / (1 + np.e), color="#555555", lw=1, ls=":", label="bound for level 1")
ax.set(xscale="log", xlabel="number of answers k", ylabel="guess is right (share)")
ax.set(ylim=(0.48, 1.06))
ax.set_xticks(numbers, [str(k) for k in numbers])
ax.minorticks_off()
ax.legend(loc="upper left")
plt.show()


# %% [markdown]
# The defence works. But each answer now has $k$ times the noise. Is so much noise needed?
#
# ```{evidence} N-B16
# ```
#
# ## Levels add up
#
# For two answers we can compute the level exactly. As in notebook 1, the noise is two-sided geometric: an integer $j$ has a probability proportional to $\alpha^{|j|}$. Answers below 0 are published as 0, and answers above the top as the top. With $\alpha = \frac12$, one answer has $e^{\varepsilon} = 2$.

# %%
def noisy(count, alpha, top):
    """Distribution of a count with geometric noise, cut off at 0 and at top."""
    p = np.array([alpha ** abs(y - count) for y in range(top + 1)])
    p[1:-1] *= 1 - alpha  # each end collects everything beyond it
    return p / (1 + alpha)


half = Fraction(1, 2)
two, three = noisy(2, half, 4), noisy(3, half, 4)  # four customers
both_two, both_three = np.outer(two, two), np.outer(three, three)  # two answers
print("largest ratio, one answer:", max(three / two))
print("largest ratio, two answers:", (both_three / both_two).max())


# %% [markdown]
# The second answer squares the largest ratio, so it doubles the level. In general, levels add up, even if the second question depends on the first answer.
#
# ```{prf:theorem} Sequential composition
# :label: thm-lap-hundred-sequential
# Let the first mechanism be $\varepsilon_1$-differentially private. Let the second be $\varepsilon_2$-differentially private whatever the first answer is. Then the pair of answers is
# $(\varepsilon_1 + \varepsilon_2)$-differentially private.
# ```
#
# ```{prf:proof}
# Let $P$ be the distribution of the answers for one database, and $P'$ for a neighbour. The pair $(y_1, y_2)$ has probability
# $P(y_1) \, P(y_2 \mid y_1) \le e^{\varepsilon_1} P'(y_1) \cdot e^{\varepsilon_2} P'(y_2 \mid y_1)$,
# which is $e^{\varepsilon_1 + \varepsilon_2} P'(y_1, y_2)$. Sum over the pairs in any set $S$. (For continuous noise, replace probabilities by densities and the sum by an integral.)
# ```
#
# In the next cell the second question depends on the first answer. If the first answer is 3 or 4, the attacker asks for the number of late customers again. Otherwise the attacker asks for the number of punctual ones.

# %%
def two_answers(count):
    """Joint distribution of the first answer and of an answer that depends on it."""
    joint = np.outer(noisy(count, half, 4), np.ones(5, dtype=int))
    for first in range(5):
        second_count = count if first >= 3 else 4 - count
        joint[first] = joint[first] * noisy(second_count, half, 4)
    return joint


assert two_answers(3).sum() == 1
assert (two_answers(3) / two_answers(2)).max() == 4  # 2 times 2

# %% [markdown]
# By induction, $k$ answers of level $\varepsilon$ have level $k\varepsilon$. Laplace noise attains this: if all $k$ answers $y$ exceed 3, the quotient of their densities under the counts 3 and 2 is exactly $e^{k\varepsilon}$.

# %%
eps, k, y = sp.symbols("epsilon k y", positive=True)
ratio = sp.exp(-eps * (y - 3)) / sp.exp(-eps * (y - 2))  # one answer y > 3
assert sp.simplify(ratio**k - sp.exp(k * eps)) == 0

# %% [markdown]
# So a lender who wants level 1 for a hundred answers can give each of them level 1/100. With a smaller scale for all of them, the total level would exceed 1. The theorem is in chapter 3 of {cite:t}`dwork2014foundations`.
#
# ```{evidence} N-B17
# ```
#
# ## What costs nothing, and what costs only once
#
# The first rule is that computing with the answers costs nothing. For example, the lender may round them.
#
# ```{prf:theorem} Post-processing
# :label: thm-lap-hundred-post
# If a mechanism is $\varepsilon$-differentially private, so is every function of its answer, even a random function, as long as it does not look at the data again.
# ```
#
# ```{prf:proof}
# The event that the function's value lies in $T$ is the event that the answer lies in $S = \{y : f(y) \in T\}$, and for $S$ the inequality holds. A random function is an average over such functions.
# ```

# %%
announce_two, announce_three = two[3:].sum(), three[3:].sum()  # "at least 3 were late"
print("announced:", announce_three / announce_two)
print("not announced:", (1 - announce_three) / (1 - announce_two))


# %% [markdown]
# No ratio exceeds 2. The second rule is about questions that concern different people {cite:p}`mcsherry2009pinq`.
#
# ```{prf:theorem} Parallel composition
# :label: thm-lap-hundred-parallel
# Suppose that the customers are split into groups, and that changing the value of one record never moves it to another group. If the answer about each group is $\varepsilon$-differentially private for that group, and the noise of the answers is independent, then all answers together are $\varepsilon$-differentially private.
# ```
#
# ```{prf:proof}
# Two neighbours differ in one record, and so in one group. The answers about all other groups have the same distribution for both. Because the noise is independent, they cancel from the ratio.
# ```
#
# The condition matters. The bins of a histogram, for example, are groups that are defined by *the value itself*. A record that changes its value leaves one bin and enters another. Both answers change, and their levels add up.

# %%
def by_branch(x):  # two branches: customers 0 and 1, customers 2 and 3
    return np.outer(noisy(x[0] + x[1], half, 2), noisy(x[2] + x[3], half, 2))


def by_value(x):  # the late and the punctual customers
    return np.outer(noisy(sum(x), half, 4), noisy(4 - sum(x), half, 4))


databases = list(product((0, 1), repeat=4))
for answers_of in (by_branch, by_value):
    largest = 0
    for x, z in product(databases, repeat=2):
        if sum(a != b for a, b in zip(x, z)) == 1:
            largest = max(largest, (answers_of(x) / answers_of(z)).max())
    print(answers_of.__name__, largest)

# %% [markdown]
# The branches cost the level of one answer. The bins cost two. {numref}`fig-lap-hundred-groups` shows why.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What one record changes. The first of four customers, who was late, now pays on time. Left: two branches, whose members stay. Only the answer about branch 1 changes. Right: the late and the punctual customers. The customer leaves one bin and enters the other, so both answers change.", "name": "fig-lap-hundred-groups"}, "image": {"alt": "Two panels with pairs of bars, before and after. Left, the late customers of branch 1 fall from 1 to 0, those of branch 2 stay 2. Right, the late customers fall from 3 to 2, and the punctual ones rise from 1 to 2."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=2.9, width=8.5, sharey=True)
records = {"before": (1, 0, 1, 1), "after": (0, 0, 1, 1)}
for shift, colour, hatch, when in ((-0.2, "blue", "", "before"), (0.2, "orange", "///", "after")):
    x = records[when]
    style = {"width": 0.38, "color": plots.COLOURS[colour], "hatch": hatch, "edgecolor": "white"}
    left.bar(np.arange(2) + shift, [x[0] + x[1], x[2] + x[3]], label=when, **style)
    right.bar(np.arange(2) + shift, [sum(x), 4 - sum(x)], **style)
left.set(title="groups that nobody leaves", ylabel="late customers", yticks=range(4))
left.set(xticks=(0, 1), xticklabels=["branch 1", "branch 2"])
right.set(title="groups by value", ylabel="customers")
right.set(xticks=(0, 1), xticklabels=["late", "punctual"])
left.legend(loc="upper left")
plt.show()


# %% [markdown]
# ```{evidence} N-B18 N-B19
# ```
#
# ## A budget that refuses
#
# Because levels add up, they can be managed like money. The lender fixes a total level, the *budget*. Every answer has a price, which is its level. When the budget is spent, there are no more answers.

# %%
class Budget:
    """A total level of privacy, in exact fractions."""

    def __init__(self, total):
        self.left = Fraction(total)

    def count(self, records, epsilon, rng):
        """A noisy count, paid for before it is computed."""
        price = Fraction(epsilon)
        if not 0 < price <= self.left:
            raise ValueError(f"price {price}, but {self.left} is left: no answer")
        self.left -= price
        return sum(records) + rng.laplace(scale=float(1 / price))


# %%
late, budget = [1, 0, 1, 1], Budget("1")
for _ in range(4):
    try:
        print(round(budget.count(late, "0.3", rng), 2), "left:", budget.left)
    except ValueError as refusal:
        print(refusal)

# %% [markdown]
# Three details matter. First, the price is paid *before* the answer is computed, so that a program that crashes cannot give an answer for nothing. Second, the refusal depends only on prices and not on the data. Third, the prices are fractions. With floating-point numbers,
# a budget may never end:

# %%
left = 1.0
for _ in range(1000):
    left -= 1e-17
assert left == 1.0  # a thousand payments, and the budget is still full

# %% [markdown]
# The attacker may even choose the prices after seeing the earlier answers. The total still holds, because the factors along any sequence of answers multiply to at most $e^{\text{total}}$. {cite:t}`rogers2016odometers` prove this.
#
# ## Why forgive a rare event?
#
# Level 10 allows the attacker's odds to change by a factor of $e^{10}$, about 22,026<!-- {np.exp(10):,.0f} -->. One hundred answers at level 0.1 reach this factor only if *every* answer points in the same direction. How likely is that?
#
# The *privacy loss* of an output is $L = \ln \frac{P(y)}{P'(y)}$, where $P$ is the distribution for the true database and $P'$ for its neighbour. By Bayes' rule, the loss is the amount by which the output changes the logarithm of the attacker's odds. With geometric noise the loss has only two values, $\varepsilon$ and $-\varepsilon$:

# %%
assert set(three / two) == {half, 2}  # loss ln 2 or -ln 2
assert three[3:].sum() == Fraction(2, 3)  # probability of the loss ln 2


# %% [markdown]
# The loss is $\varepsilon$ with probability $e^{\varepsilon}/(1 + e^{\varepsilon})$, which is 2/3 here. The losses of independent answers add up. The total loss of $k$ answers is therefore like the gain from $k$ tosses of a biased coin, where heads wins $\varepsilon$ and tails loses $\varepsilon$:

# %%
def losses(k, epsilon):
    """Possible losses of k answers, and their probabilities."""
    positive = np.arange(k + 1)  # how many answers have the loss +epsilon
    bias = np.exp(epsilon) / (1 + np.exp(epsilon))
    return (2 * positive - k) * epsilon, stats.binom.pmf(positive, k, bias)


loss, probability = losses(100, 0.1)
mean_loss = probability @ loss

# %% [markdown]
# The mean loss is 0.50<!-- {mean_loss:.2f} -->, and the loss 10 has a probability of 1e-28<!-- {probability[-1]:.0e} -->. It would be a waste to add noise for the sake of such an event. The next definition allows us to ignore it.
#
# ```{prf:definition} $(\varepsilon, \delta)$-differential privacy
# :label: def-lap-hundred-approximate
# A mechanism is *$(\varepsilon, \delta)$-differentially private* if $P(S) \le e^{\varepsilon} P'(S) + \delta$ for all neighbours and every set $S$ of outputs.
# ```
#
# {cite:t}`dwork2006ourselves` introduced this definition. For $\delta = 0$ it is the definition of notebook 1. How large must $\delta$ be for a given level $\varepsilon$? We need the largest value of $P(S) - e^{\varepsilon} P'(S)$. The set $S$ that attains it contains exactly the outputs with $P(y) > e^{\varepsilon} P'(y)$. These are the outputs with a loss above $\varepsilon$. So
#
# $$ \delta(\varepsilon) = \sum_y \max\bigl(0,\; P(y) - e^{\varepsilon} P'(y)\bigr) = \operatorname{E}\bigl[\max(0,\; 1 - e^{\varepsilon - L})\bigr], $$ (eq-lap-hundred-delta)
#
# where $L$ is the loss of an output drawn from $P$. The second form follows from $P'(y) = e^{-L} P(y)$. We check the first form exactly, for three answers with $e^{\varepsilon} = 2$ and all 256 sets of their eight outputs:

# %%
coin, other_coin = np.array([2, 1]) * Fraction(1, 3), np.array([1, 2]) * Fraction(1, 3)
p = np.outer(np.outer(coin, coin), coin).ravel()
other = np.outer(np.outer(other_coin, other_coin), other_coin).ravel()
for factor in (2, 4, 8):  # levels ln 2, 2 ln 2, 3 ln 2
    excess = p - factor * other
    worst = max(np.dot(chosen, excess) for chosen in product((0, 1), repeat=8))
    assert worst == sum(max(0, value) for value in excess)
    print(f"factor {factor}: delta = {worst}")


# %% [markdown]
# At factor 8, that is, at level $3 \ln 2$ (the sum of the three levels), $\delta = 0$ is enough. At factor 4 the three answers need $\delta = \frac{4}{27}$. For a hundred answers we use the second form:

# %%
def delta(level, k, epsilon):
    """Smallest delta for k answers at level epsilon each, if the total level is `level`."""
    loss, probability = losses(k, epsilon)
    return probability @ np.maximum(0, 1 - np.exp(level - loss))


def smallest_level(k, epsilon, allowed):
    """Smallest total level with delta at most `allowed`."""
    return optimize.brentq(lambda level: delta(level, k, epsilon) - allowed, 0, k * epsilon)


exact_level = smallest_level(100, 0.1, 1e-6)
print(round(exact_level, 4))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Where the privacy loss of 100 answers at level 0.1 lies. It is close to 0.5 on average. The worst case, 10, is so unlikely that its bar cannot be seen. A loss above 4.77<!-- {exact_level:.2f} --> has a probability below 1/100,000.", "name": "fig-lap-hundred-loss"}, "image": {"alt": "Bars of a bell-shaped distribution between about -3 and 4, with centre 0.5. Vertical lines mark the level 4.77<!-- {exact_level:.2f} --> at the right end of the bell, and the worst case 10 far to the right of it."}} tags=["figure"]
fig, ax = plots.panels(height=3.0)
ax.bar(loss, probability, width=0.16, color=plots.COLOURS["sky"])
ax.axvline(mean_loss, color=plots.COLOURS["black"], lw=1, ls=":", label="mean")
ax.axvline(exact_level, color=plots.COLOURS["orange"], label="level for δ = 1/1,000,000")
ax.axvline(10, color=plots.COLOURS["blue"], ls="--", label="worst case (δ = 0)")
ax.set(xlabel="privacy loss of 100 answers", ylabel="probability", xlim=(-5, 10.5))
ax.legend(loc="upper left", bbox_to_anchor=(0.64, 1), fontsize=8)
assert round(exact_level, 2) == 4.77 and round(mean_loss, 1) == 0.5  # the caption's numbers
assert probability[loss > 4.77].sum() < 1e-5
plt.show()

# %% [markdown]
# **How small must δ be?** The loss exceeds 4.77<!-- {exact_level:.2f} --> with probability 0.0000086<!-- {probability[loss > exact_level].sum():.7f} -->. This is more than $\delta$, because equation {eq}`eq-lap-hundred-delta` gives little weight to a loss that is only a little too large. Other mechanisms with the same $\delta$ are more dangerous: they may reveal everything with probability $\delta$. For example, a program that publishes one randomly selected record out of $n$, with its name, is $(0, \frac1n)$-differentially private. So $\delta$ must be far below $1/n$.
#
# ## No private mechanism is worse than a biased coin
#
# We have computed the level 4.77<!-- {exact_level:.2f} --> for geometric noise. Could another mechanism of level 0.1 need a higher one? No.
#
# ```{prf:theorem} The worst case (Kairouz, Oh and Viswanath)
# :label: thm-lap-hundred-coin
# Let $k$ mechanisms be $\varepsilon$-differentially private, and let each be chosen after seeing the earlier answers. Then, at every total level, the $\delta$ that they need is at most that of $k$ answers with geometric noise of level $\varepsilon$.
# ```
#
# ```{prf:proof}
# Let one answer have the distribution $P$ or $P'$. Define
# $A = \frac{e^{\varepsilon} P - P'}{e^{\varepsilon} - 1}$ and $B = \frac{e^{\varepsilon} P' - P}{e^{\varepsilon} - 1}$. Because the mechanism is private, neither has a negative value, and both sum to 1: they are distributions. They satisfy
# $P = \frac{e^{\varepsilon} A + B}{e^{\varepsilon} + 1}$ and $P' = \frac{A + e^{\varepsilon} B}{e^{\varepsilon} + 1}$. So the answer can be produced from a toss of the biased coin of the last section: draw from $A$ after heads, and from $B$ after tails. Only the coin depends on the database; for the neighbour, its two probabilities are exchanged.
# The earlier answers may select the next $A$ and $B$, but the database affects only the tosses. Therefore all $k$ answers are a post-processing of $k$ tosses. The proof of {prf:ref}`thm-lap-hundred-post` works with $\delta$ as well, so post-processing never increases $\delta$.
# ```

# %%
P, Q = sp.symbols("P Q", positive=True)
E = sp.exp(eps)
A, B = (E * P - Q) / (E - 1), (E * Q - P) / (E - 1)
assert sp.simplify((E * A + B) / (E + 1) - P) == 0
assert sp.simplify((A + E * B) / (E + 1) - Q) == 0


# %% [markdown]
# The theorem is from {cite:t}`kairouz2015composition`. It gives the exact level, but by a sum of $k + 1$ terms that has to be solved for $\varepsilon$. Textbooks usually give a formula that is simpler and less sharp. It is called *advanced composition*.
#
# ```{prf:theorem} Advanced composition (Dwork, Rothblum and Vadhan, in a sharper form)
# :label: thm-lap-hundred-advanced
# For $0 < \delta < 1$, $k$ answers of level $\varepsilon$ as in {prf:ref}`thm-lap-hundred-coin` are together $(\varepsilon', \delta)$-differentially private with
#
# $$ \varepsilon' = k \varepsilon \, \frac{e^{\varepsilon} - 1}{e^{\varepsilon} + 1} + \varepsilon \sqrt{2 k \ln \tfrac{1}{\delta}} . $$
# ```
#
# ```{prf:proof}
# By {prf:ref}`thm-lap-hundred-coin` it is enough to consider $k$ coins. Each loss is $\pm\varepsilon$ and has the mean $\varepsilon \frac{e^{\varepsilon} - 1}{e^{\varepsilon} + 1}$. Hoeffding's inequality says that the sum exceeds its mean by more than $t$ with probability
# at most $e^{-t^2/(2 k \varepsilon^2)}$, and this is $\delta$ for $t = \varepsilon \sqrt{2k \ln(1/\delta)}$. By {eq}`eq-lap-hundred-delta`, $\delta(\varepsilon')$ is at most the probability of a loss above $\varepsilon'$.
# ```

# %%
def advanced(k, epsilon, allowed):
    """Total level of k answers by advanced composition."""
    return k * epsilon * np.tanh(epsilon / 2) + epsilon * np.sqrt(2 * k * np.log(1 / allowed))


d, t = sp.symbols("delta t", positive=True)
mean = eps * E / (E + 1) - eps / (E + 1)
assert sp.simplify((mean - eps * sp.tanh(eps / 2)).rewrite(sp.exp)) == 0
tail = sp.exp(-(t**2) / (2 * k * eps**2)).subs(t, eps * sp.sqrt(2 * k * sp.log(1 / d)))
assert sp.simplify(tail - d) == 0

# %% [markdown]
# In the original theorem of {cite:t}`dwork2010boosting` the first term is $k \varepsilon (e^{\varepsilon} - 1)$, which is larger. The form above is in {cite:t}`kairouz2015composition`.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Total level of k answers at level 0.1, for \u03b4 = 1/1,000,000. The exact level is never above the sum. The formula of advanced composition is worse than the sum for few answers, and better for many.", "name": "fig-lap-hundred-levels"}, "image": {"alt": "Total level against the number of answers from 1 to 100. A straight line rises to 10. The curve of advanced composition starts above the line, crosses it at about 31 answers and ends at 5.8. The exact curve follows the line at first and ends at 4.8."}} tags=["figure"]
ks = np.arange(1, 101)
fig, ax = plots.panels(height=3.4)
ax.plot(ks, 0.1 * ks, label="sum of the levels")
ax.plot(ks, [advanced(n, 0.1, 1e-6) for n in ks], ls="--", label="advanced composition")
ax.plot(ks, [smallest_level(n, 0.1, 1e-6) for n in ks], ls="-.", label="exact, worst mechanism")
ax.set(xlabel="number of answers k", ylabel="total level ε", ylim=(0, 10.2))
ax.legend(loc="upper left")
plt.show()

# %% [markdown]
# For a hundred answers the sum of the levels is 10. Advanced composition gives 5.76<!-- {advanced(100, 0.1, 1e-6):.2f} -->, and the exact level is 4.77<!-- {exact_level:.2f} -->. From a few dozen answers on, and while $k\varepsilon^2$ is small, the two lower curves grow roughly like $\sqrt k$, because the standard deviation of the total loss does. Its mean, about $k\varepsilon^2/2$, grows faster. In the formula it is the larger part from about
# 11,000<!-- {round(2 * np.log(1e6) / np.tanh(0.05) ** 2, -3):,.0f} --> answers on.
#
# ```{evidence} N-B20 N-B21
# ```
#
# ## When is Gaussian noise better than Laplace noise?
#
# The sum of many independent losses is approximately normal. This suggests the use of normal noise, also called *Gaussian* noise, for each answer.
#
# ```{prf:theorem} Gaussian noise (Balle and Wang)
# :label: thm-lap-hundred-gauss
# Let each of $d$ answers have independent Gaussian noise of standard deviation $\sigma$, and let one record move each true answer by at most 1. Each question may be chosen after seeing the earlier answers. Let $\mu = \sqrt d / \sigma$. The answers together are $(\varepsilon, \delta)$-differentially private for
# $\delta = \Phi\bigl(\frac{\mu}{2} - \frac{\varepsilon}{\mu}\bigr) - e^{\varepsilon}\, \Phi\bigl(-\frac{\mu}{2} - \frac{\varepsilon}{\mu}\bigr)$, where $\Phi$ is the distribution function of the standard normal distribution.
# ```
#
# ```{prf:proof}
# Given the earlier answers, let the next true answer be $a + t$ for one database and $a$ for its neighbour, where $|t| \le 1$. Draw $Y$ from $N(1, \sigma^2)$ for the first database and from $N(0, \sigma^2)$ for the second, and $Z$ from $N(0, 1)$. Then $a + tY + \sigma\sqrt{1 - t^2}\, Z$ has the distribution of the noisy answer: its mean is
# $a + t$ or $a$, and its variance is $t^2\sigma^2 + (1 - t^2)\sigma^2 = \sigma^2$. So all answers are a post-processing of $d$ independent values $Y$, and it is enough to consider these.
# Let $y$ be their sum, divided by $\sigma\sqrt d$. It has the distribution $N(\mu, 1)$ or $N(0, 1)$. The total loss is $\mu y - \mu^2/2$, which exceeds $\varepsilon$ if $y > \frac{\varepsilon}{\mu} + \frac{\mu}{2}$.
# The probability of this is $\Phi(\frac{\mu}{2} - \frac{\varepsilon}{\mu})$ under $N(\mu, 1)$ and $\Phi(-\frac{\mu}{2} - \frac{\varepsilon}{\mu})$ under $N(0, 1)$. Insert both into the first form of {eq}`eq-lap-hundred-delta`.
# ```
#
# The exact formula is from {cite:t}`balle2018gaussian`. {cite:t}`dong2022gaussian` prove it for questions that depend on earlier answers.

# %%
mu = sp.Symbol("mu", positive=True)
gaussian_loss = sp.expand(y**2 / 2 - (y - mu) ** 2 / 2)
assert sp.simplify(sp.solve(gaussian_loss - eps, y)[0] - (eps / mu + mu / 2)) == 0


def gaussian_delta(epsilon, d, sigma):
    mu = np.sqrt(d) / sigma
    below = stats.norm.cdf(mu / 2 - epsilon / mu)
    return below - np.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu)


# %% [markdown]
# Google's library dp-accounting {cite:p}`dpaccounting` computes the same levels. We ran its version 0.6.0 once, for 100 answers with $\sigma = 10$ and $\delta = 10^{-6}$. It gives level 4.887, and so does the formula:

# %%
gaussian_level = optimize.brentq(lambda e: gaussian_delta(e, 100, 10) - 1e-6, 0.1, 10)
assert round(gaussian_level, 3) == 4.887


# %% [markdown]
# Now let $d$ answers together be private at $\varepsilon = 1$. Laplace noise of scale $d$ achieves this with $\delta = 0$, and its standard deviation is $\sqrt2\, d$. Which Gaussian noise is enough, if $\delta = 10^{-6}$ is acceptable?

# %%
def smallest_sigma(d):
    """Smallest sigma with delta at most 1e-6 at level 1."""
    return optimize.brentq(lambda sigma: gaussian_delta(1, d, sigma) - 1e-6, 1, 100)


dimensions = np.arange(1, 101)
laplace = np.sqrt(2) * dimensions  # scale d, so that delta = 0
gaussian = np.array([smallest_sigma(d) for d in dimensions])
first = dimensions[gaussian < laplace][0]
laplace_with_delta = 58.67  # 100 answers, delta = 1e-6: from the evidence notebook

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The noise on each of d answers, at \u03b5 = 1 for all answers together. For one answer, the standard deviation of Laplace noise is a third of that of Gaussian noise. For a hundred answers Gaussian noise is the smaller, even if Laplace noise may use the same \u03b4 (dot).", "name": "fig-lap-hundred-noise"}, "image": {"alt": "Standard deviation of the noise against the number of answers, both on logarithmic axes. The line of Laplace noise with delta 0 rises from 1.4 to 141. The curve of Gaussian noise begins at 4.2, crosses the line near nine answers and ends at 42. A dot for Laplace noise with delta stands at 100 answers and 59."}} tags=["figure"]
fig, ax = plots.panels(height=3.6)
ax.plot(dimensions, laplace, label="Laplace, δ = 0")
ax.plot(dimensions, gaussian, ls="-.", label="Gaussian, δ = 1/1,000,000")
ax.plot(100, laplace_with_delta, "o", label="Laplace, δ = 1/1,000,000")
ax.set(xscale="log", yscale="log", xlabel="number of answers d", ylabel="standard deviation")
ax.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
ax.set_yticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
ax.minorticks_off()
ax.legend()
assert 0.32 < laplace[0] / gaussian[0] < 0.35 and gaussian[-1] < laplace_with_delta
plt.show()


# %% [markdown]
# Gaussian noise is smaller from $d =$ 9<!-- {first} --> answers on. At $d = 100$ it needs standard deviation 42<!-- {gaussian[-1]:.0f} -->; Laplace noise needs 59<!-- {laplace_with_delta:.0f} -->, and 141<!-- {laplace[-1]:.0f} --> if $\delta$ must be 0. The number 59<!-- {laplace_with_delta:.0f} --> and the comparison for all
# $d \le 100$ are computed in the [evidence notebook](../evidence/laplace/03-a-hundred-answers.ipynb), from the distribution of the total loss {cite:p}`koskela2020computing`. If Laplace noise may use the same $\delta$, Gaussian noise is still smaller from 9<!-- {first} --> answers on.
#
# But Gaussian noise has two disadvantages. It has no finite level with $\delta = 0$. And if one record can move only one of the answers, Gaussian noise must be as large as for $d = 1$, where Laplace noise is much smaller.
#
# ```{evidence} N-B22 N-B23
# ```
#
# ## Where adding up fails
#
# Sequential composition is a statement about *one record* that changes while the others stay, and about *fresh* randomness for each answer. Here are four cases in which one of the two is missing.
#
# *Correlated data.* Suppose that the second customer is late with probability 1/10 if the first is, and otherwise with probability 1/1000. The lender publishes the sum $s$ of both records with Laplace noise of level $\varepsilon$. What does a very large output say about the first customer? As $s$ varies, the density of a very large output is proportional to $e^{\varepsilon s}$. An attacker who does not know the second record averages $e^{\varepsilon s}$ over its two values. Two large outputs of level 1 have the product $e^{s} e^{s} = e^{2s}$, as one output of level 2 has:

# %%
def leakage(epsilon):
    """Log ratio of a large output, first customer late against not late."""
    if_late = 0.9 + 0.1 * np.exp(epsilon)
    if_not = 0.999 + 0.001 * np.exp(epsilon)
    return epsilon + np.log(if_late / if_not)


print(f"once {leakage(1):.3f}, twice {leakage(2):.3f}, sum {2 * leakage(1):.3f}")

# %% [markdown]
# One release moves the log odds by 1.16<!-- {leakage(1):.2f} -->, and two move them by 2.49<!-- {leakage(2):.2f} -->, which is more than twice as much. The theorem is not wrong. But here the first customer's record comes with information about a second record ([correlated data, notebook 2](../correlated/02-bayesian-differential-privacy.ipynb)).
#
# *One subsample, used twice.* The lender selects each customer with probability 1/2, in secret, and publishes the number of late customers *in the sample*, with Laplace noise of scale 1. A punctual customer adds nothing to this count, and neither does one who is not selected. So if a record changes from punctual to late, the count moves with probability 1/2 only. The density of an output then changes by a factor between $\frac12(1 + e^{-1})$
# and $\frac12(1 + e)$, and the level for the customers is $\ln\frac{1 + e}{2}$ {cite:p}`balle2018privacy`. But two counts of the *same* sample move together or not at all. Therefore $e^2$ takes the place of $e$:

# %%
one_answer = np.log((1 + np.exp(1)) / 2)
same_sample = np.log((1 + np.exp(2)) / 2)
assert same_sample > 2 * one_answer

# %% [markdown]
# One answer has level 0.62<!-- {one_answer:.2f} -->. Two from the same sample have level 1.43<!-- {same_sample:.2f} -->, and not 1.24<!-- {2 * one_answer:.2f} -->.
#
# *Locations, minute by minute.* A person's path is many records, one a minute: in a simulation in [locations, notebook 4](../location/04-beyond-the-declared-attackers.ipynb), the answer of one minute at most doubles an attacker's probability for a person's true path, but the answers of 200 minutes together multiply it by several hundred for one of the 120 people.
#
# *Many reports of one visitor.* If a shop promises $\varepsilon = 1$ for each click, a visitor with 65 clicks has only the promise $\varepsilon = 65$, which is no protection ([*What do many reports tell about one visitor?*](../research/sketch-what-many-reports-tell.ipynb)).
#
# ## Exercises
#
# ```{exercise-start} Forty questions
# :label: ex-lap-hundred-forty
# ```
# **Warm-up.** A lender has a budget of $\varepsilon = 2$ and expects forty counts. Which scale must the Laplace noise of each count have? Which scale is enough if each count concerns another branch, and a customer never changes branches?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lap-hundred-forty", ...)

# %% [markdown]
# ```{solution-start} ex-lap-hundred-forty
# :class: dropdown
# ```
# Each count may cost 2/40, so the scale is 20. With disjoint branches each count may cost 2, and the scale is 1/2.

# %%
price = Fraction(2, 40)
assert 1 / price == 20
forty = Budget("2")
for _ in range(40):
    forty.count(late, price, rng)
assert forty.left == 0 and 1 / Fraction(2) == half
check("lap-hundred-forty", [1 / price, 1 / Fraction(2)])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Ask once, or k times?
# :label: ex-lap-hundred-once
# ```
# **Standard.** An honest analyst has a budget of $\varepsilon = 1$ for one count. Is it better to ask once at level 1, or $k$ times at level $1/k$ and to take the mean?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-hundred-once", ...)

# %% [markdown]
# ```{solution-start} ex-lap-hundred-once
# :class: dropdown
# ```
# Laplace noise of scale $b$ has variance $2b^2$. Once at level 1: variance 2. The mean of $k$ answers of scale $k$ has variance $2k^2/k = 2k$. Asking once is better, by a factor of $k$.

# %%
b, v = sp.symbols("b v", positive=True)
variance = 2 * sp.integrate(v**2 * sp.exp(-v / b) / (2 * b), (v, 0, sp.oo))
once, mean_of_k = variance.subs(b, 1), variance.subs(b, k) / k
assert sp.simplify(mean_of_k / once - k) == 0
check("lap-hundred-once", sp.simplify(mean_of_k / once))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The careless program
# :label: ex-lap-hundred-careless
# ```
# **Standard.** A program publishes one randomly selected record out of $n$. Compute $\delta(\varepsilon)$ for two neighbours. For which $\varepsilon$ is it smaller than $1/n$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-hundred-careless", ...)

# %% [markdown]
# ```{solution-start} ex-lap-hundred-careless
# :class: dropdown
# ```
# Let the first record be 1 or 0. The output *record 1 is 1* has the probability $1/n$ under one database and 0 under the other. It adds $1/n$ to $\delta$ at every level. All other records have equal probabilities, and add nothing. So $\delta = 1/n$ for all $\varepsilon$.

# %%
n = 5
share = Fraction(1, n)
p = np.array([share, 0] + [share] * (n - 1))  # record 1 is 1, record 1 is 0, the others
other = np.array([0, share] + [share] * (n - 1))
for factor in (1, 2, 1000):
    assert sum(max(0, value) for value in p - factor * other) == share
check("lap-hundred-careless", lambda n: 1 / n)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} When does advanced composition pay?
# :label: ex-lap-hundred-pays
# ```
# **Research.** For which number $k$ of answers at level 0.1 is the formula of advanced composition smaller than the sum, with $\delta = 10^{-6}$? Show that for small $\varepsilon$ the answer is about $2 \ln \frac1\delta$, whatever $\varepsilon$ is.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-hundred-pays", ...)

# %% [markdown]
# ```{solution-start} ex-lap-hundred-pays
# :class: dropdown
# ```
# From 31<!-- {pays} --> answers on. For small $\varepsilon$ the first term of the formula is about $k\varepsilon^2/2$ and can be neglected. Then $\varepsilon\sqrt{2k \ln(1/\delta)} < k\varepsilon$ means $k > 2 \ln \frac1\delta$, which is
# 27.6<!-- {2 * np.log(1e6):.1f} -->.

# %%
pays = next(n for n in range(1, 200) if advanced(n, 0.1, 1e-6) < 0.1 * n)
tiny = next(n for n in range(1, 200) if advanced(n, 1e-4, 1e-6) < 1e-4 * n)
assert tiny == np.ceil(2 * np.log(1e6))
check("lap-hundred-pays", pays)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *What do one hundred answers cost?* The sum of their levels, if $\delta = 0$. Computing with the answers costs nothing, and questions about separate groups cost as much as one question.
# 2. *What does δ cost, and what does it buy?* A slack $\delta$ is added to every probability, and it must be far below one over the number of people. In return, the level of a few dozen answers or more is much smaller than the sum. While $k\varepsilon^2$ is small, it grows roughly like $\sqrt k$ and not like $k$.
# 3. *When is Gaussian noise better?* When one record moves many answers at once, and a $\delta$ is acceptable: at $\varepsilon = 1$ and $\delta = 10^{-6}$, from 9<!-- {first} --> answers on.
#
# **Further reading.** Chapter 3 of {cite:t}`dwork2014foundations` on composition; {cite:t}`murtagh2016complexity` on answers of different levels, for which the exact level is hard to compute; {cite:t}`dong2022gaussian` on losses that become Gaussian. **Next:** [how does one learn a model without giving its data away?](04-learning-with-privacy.ipynb)
