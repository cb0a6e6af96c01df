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
# # How private and how accurate is Laplace noise?
#
# A company publishes the mean of 1,000 numbers between 0 and 1, one for each employee, and adds a random number to protect them. In the example of our study note, the published mean is wrong by more than 1
# with probability 37%<!-- {beyond:.0%} -->. Anyone who says $\frac12$ without looking at the data is never wrong by more than $\frac12$. How can the company notice this in advance?
#
# **The note** proposes the *Laplace mechanism*, which adds noise from a Laplace distribution, and claims a formula that links the size of an error to its probability.
# **We find** that the mechanism is differentially private and that the formula is exact for one number. A list of numbers needs another formula, and one sentence of the note's example has a misprint: it calls small errors rare instead of large ones.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why Laplace noise protects a record, how to turn a tolerated error into an $\varepsilon$ and back, which sensitivity to state for a sum, a mean and a histogram, and what changes if the answer is a list.
# **You need** the definitions of [notebook 1](01-attackers.ipynb) and integrals of exponentials.
# **Time:** 27 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two databases of the same size that differ in the value of one record. **The attacker** sees one answer, knows the query and the scale of the noise, and may know all other records.
# **Protected:** which of two values the one record has, up to a factor $e^{\varepsilon}$ in the odds. **Not protected:** the number of records; anything, if the stated sensitivity is too small; what the last bits of a floating-point number reveal
# ([notebook 5](05-when-the-noise-leaks.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import warnings
from fractions import Fraction
from itertools import product
from math import factorial

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp

from privlib import laplace
from privlib.laplace import accuracy
from privlib.notebook import interactive, plots, table

plots.use()

# %% [markdown]
# ## What does the noise look like?
#
# A lender has four customers, and 1 stands for a customer who was late. The lender publishes the number of late customers plus a random number, called *noise*. Here are six possible results:

# %%
database = [1, 0, 1, 1]
rng = np.random.default_rng(2016)
print(sum(database) + rng.laplace(scale=2, size=6).round(1))


# %% [markdown]
# The true count is 3, but none of these numbers proves it. The noise comes from the following distribution.
#
# ```{prf:definition} Laplace distribution (chapter 8; ラプラス分布)
# :label: def-lap-02-distribution
# The Laplace distribution $\operatorname{Lap}(R)$ with *scale* $R > 0$ has the density $\frac{1}{2R} e^{-\lvert x \rvert / R}$. (A general Laplace distribution may be centred elsewhere; here the centre is 0.)
# ```

# %%
def density(x, R):
    """Density of Laplace noise."""
    return np.exp(-abs(x) / R) / (2 * R)


# %% [markdown]
# The density is largest at 0, and each step of length $R$ away from 0 divides it by $e$. How often is the noise large?
#
# ```{prf:theorem} How large is Laplace noise?
# :label: thm-lap-02-tail
# Let $r \sim \operatorname{Lap}(R)$ and $a \ge 0$. Then $\Pr(\lvert r \rvert > a) = e^{-a/R}$. The mean of $r$ is 0, and the mean of $\lvert r \rvert$ is $R$.
# ```
#
# ```{prf:proof}
# The density is symmetric, so the mean of $r$ is 0, and $\lvert r \rvert$ has the density $\frac1R e^{-x/R}$ for $x > 0$. This is the exponential distribution with mean $R$. Its integral from $a$ to infinity is $e^{-a/R}$.
# ```

# %%
x, a, scale = sp.symbols("x a R", positive=True)
size_density = sp.exp(-x / scale) / scale  # density of |r|
tail = sp.integrate(size_density, (x, a, sp.oo))
assert tail == sp.exp(-a / scale)
assert sp.integrate(x * size_density, (x, 0, sp.oo)) == scale

# %% [markdown]
# A million draws with $R = 2$ agree:

# %%
noise = rng.laplace(scale=2, size=1_000_000)
for size in (1, 2, 6):
    print(f"beyond {size}: drawn {np.mean(abs(noise) > size):.3f}, exact {np.exp(-size / 2):.3f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Laplace noise of scale R = 2. Left: the density (line) and a histogram of a million draws; noise of size more than 2 is orange. Right: how often the noise exceeds a in size. At a = R the probability is 1/e = 0.37.", "name": "fig-lap-02-noise"}, "image": {"alt": "Left: a density with a sharp peak at 0 over a histogram that agrees with it; the bars beyond \u22122 and 2 have another colour. Right: an exponential curve that falls from 1 at a = 0 to nearly 0 at a = 10, with points of simulated shares on it and a dotted line at a = 2."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.2, width=8.5)
edges = np.linspace(-10, 10, 41)
height, _ = np.histogram(noise, edges)
height = height / (noise.size * np.diff(edges))
middle = (edges[:-1] + edges[1:]) / 2
for part, colour in ((abs(middle) < 2, "sky"), (abs(middle) > 2, "orange")):
    left.bar(middle[part], height[part], width=0.5, color=plots.COLOURS[colour], alpha=0.5)
r = np.linspace(-10, 10, 801)
left.plot(r, density(r, 2), color=plots.COLOURS["black"], ls="-")
left.set(xlabel="noise r", ylabel="density")
sizes = np.linspace(0, 10, 201)
right.plot(sizes, np.exp(-sizes / 2), label="exact")
right.plot(range(1, 10), [np.mean(abs(noise) > k) for k in range(1, 10)], "o", label="drawn")
right.axvline(2, color="#555555", lw=1, ls=":")
right.set(xlabel="a (people)", ylabel="P(|r| > a)", ylim=(0, 1.02))
right.legend()
plt.show()

# %% [markdown]
# ```{evidence} N-6
# ```
#
# ## What does a published number tell an attacker?
#
# Suppose that an attacker knows all records but the last. Then the count is 2 or 3. The attacker sees a published number and asks under which of the two it is more probable:

# %%
published = np.array([-8, 1, 2, 2.5, 3, 4, 12])
ratio = density(published - 3, R=2) / density(published - 2, R=2)
print(ratio.round(2))

# %% [markdown]
# A published number above 3 speaks for the count 3, but only by the factor 1.65<!-- {ratio[-1]:.2f} -->, *even if the number is 12*. The reason is the shape of the density. From 4 to 12, both densities fall by the same factor, so their ratio does not change.
# Normally distributed noise is different. There, the farther out the published number lies, the more it tells the attacker. (The figure uses normal noise of the same variance, 8<!-- {variance} -->. The next notebook uses normal noise all the same, with a weaker promise.)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What the attacker compares. Left: densities of the published number under the counts 2 and 3, with Laplace noise of scale 2. Right: logarithm of their ratio. With Laplace noise it stays between \u22121/2 and 1/2 (dotted); with normal noise of the same variance it grows without limit.", "name": "fig-lap-02-ratio"}, "image": {"alt": "Left: two Laplace densities with peaks at 2 and 3. Right: logarithm of the ratio against the published number. The Laplace curve is flat at \u22120.5 below 2, rises to 0.5 at 3 and is flat again; the straight line of normal noise leaves the band between the dotted lines."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.2, width=8.5)
y = np.linspace(-8, 13, 1051)
left.plot(y, density(y - 2, 2), label="count 2")
left.plot(y, density(y - 3, 2), label="count 3")
left.set(xlabel="published number", ylabel="density")
left.legend()
right.plot(y, np.log(density(y - 3, 2) / density(y - 2, 2)), label="Laplace noise")
variance = 2 * 2**2
right.plot(y, ((y - 2) ** 2 - (y - 3) ** 2) / (2 * variance), label="normal noise")
for edge in (-0.5, 0.5):
    right.axhline(edge, color="#555555", lw=1, ls=":")
right.set(xlabel="published number", ylabel="log ratio, count 3 to count 2")
right.legend(loc="upper left")
plt.show()


# %% [markdown]
# The note's mechanism chooses the scale so that the ratio is at most $e^{\varepsilon}$, as differential privacy demands ({prf:ref}`def-lap-01-dp`). For this it needs the sensitivity $\Delta_{1,q}$, the largest change of the answer that one record can make ({prf:ref}`def-lap-01-sensitivity`).
#
# ```{prf:algorithm} Laplace mechanism (chapter 8; ラプラスメカニズム)
# :label: alg-lap-02-mechanism
# **Input:** database $D$, privacy parameter $\varepsilon$, sensitivity $\Delta_{1,q}$ (敏感度) of the query $q$.
# 1. $R = \Delta_{1,q} / \varepsilon$.
# 2. Draw $r \sim \operatorname{Lap}(R)$.
# 3. Answer $y = q(D) + r$.
# ```

# %%
def laplace_mechanism(query, database, epsilon, sensitivity, rng):
    R = sensitivity / epsilon
    r = rng.laplace(scale=R)
    return query(database) + r


answer = laplace_mechanism(sum, database, epsilon=0.5, sensitivity=1, rng=rng)
print(round(answer, 2))

# %% [markdown]
# ```{prf:theorem} The Laplace mechanism is private
# :label: thm-lap-02-private
# If $\Delta_{1,q}$ is the sensitivity of $q$, the Laplace mechanism is $\varepsilon$-differentially private.
# ```
#
# ```{prf:proof}
# Let $f$ and $f'$ be the exact answers for two neighbours. At any number $y$, the density of the output under the first is $e^{(\lvert y - f' \rvert - \lvert y - f \rvert)/R}$ times that under the second. By the triangle inequality,
# $\lvert y - f' \rvert \le \lvert y - f \rvert + \lvert f - f' \rvert$. So the exponent is at most $\lvert f - f' \rvert / R \le \Delta_{1,q} / R = \varepsilon$. Integrating the densities over a set $S$ gives the inequality for $S$.
# ```
#
# Is so much noise necessary? Let the two answers be $f$ and $f + \Delta$. Sympy computes the logarithm of the ratio at three numbers: one below both answers, one in the middle, and one above both.

# %%
f, u, Delta, eps = sp.symbols("f u Delta epsilon", positive=True)


def log_ratio(y, R):
    """Log of the density at y if the answer is f + Delta, over that if it is f."""
    return sp.simplify((abs(y - f) - abs(y - f - Delta)) / R)


ratios = [log_ratio(y, Delta / eps) for y in (f - u, f + Delta / 2, f + Delta + u)]
assert ratios == [-eps, 0, eps]


# %% [markdown]
# Outside the two answers the ratio attains its limit, so no smaller scale would do. Between the answers it does not, and a better noise can make use of this. One is the *staircase mechanism* {cite:p}`geng2016optimal`, whose density is a step function. At the same level of privacy, its mean absolute error
# is smaller by 4%<!-- {1 - 0.5 / np.sinh(0.5):.0%} --> for $\varepsilon = 1$ and by 59%<!-- {1 - 2.5 / np.sinh(2.5):.0%} --> for $\varepsilon = 5$ ([a research note](../research/laplace-which-noise-is-best.ipynb) derives it).
#
# ```{evidence} N-7
# ```
#
# ## How large is the error of the answer?
#
# ```{prf:theorem} Accuracy (chapter 8; 正確性)
# :label: thm-lap-02-accuracy
# Let $y$ be the answer of the Laplace mechanism and $\delta \in (0, 1]$. Then
#
# $$ \Pr\Bigl( \lvert y - q(D) \rvert > \frac{\Delta_{1,q}}{\varepsilon} \ln\frac1\delta \Bigr) \le \delta. $$
# ```
#
# ```{prf:proof}
# The error is $\lvert r \rvert$, with $r \sim \operatorname{Lap}(R)$ and $R = \Delta_{1,q}/\varepsilon$. By {prf:ref}`thm-lap-02-tail`, it exceeds $a = R \ln\frac1\delta$ with probability $e^{-a/R} = e^{-\ln(1/\delta)} = \delta$.
# ```
#
# The proof gives more than the theorem says: the probability is not only at most $\delta$, it *equals* $\delta$. We can therefore convert a tolerated error into its probability, and back:

# %%
def tolerance_for(delta, epsilon, sensitivity):
    """Error that is exceeded with probability delta."""
    return sensitivity / epsilon * np.log(1 / delta)


def error_probability(tolerance, epsilon, sensitivity):
    """Probability of an error beyond the tolerance."""
    return np.exp(-epsilon * tolerance / sensitivity)


delta = sp.Symbol("delta", positive=True)
assert sp.simplify(tail.subs(a, scale * sp.log(1 / delta))) == delta

# %%
for chance in (0.9, 0.5, 0.1, 0.01):
    limit = tolerance_for(chance, epsilon=0.5, sensitivity=1)
    print(f"error beyond {limit:.2f}: exact {chance}, drawn {np.mean(abs(noise) > limit):.3f}")

# %% [markdown]
# Two remarks on the notation. The note prints $\lVert y - q(D) \rVert_1$, the norm of a list. But its algorithm draws *one* number $r$ from a density on the real line, so $q(D)$ is one number and the norm is an absolute value. (Lists come later on this page.)
# And this $\delta$ is the probability of a large error. In the next notebook, the same letter stands for something else.
#
# The note draws the graph of $\ln\frac1\delta$ and concludes two things: a larger error is exceeded less often, and each size of error corresponds to exactly one $\delta$, the probability that it is exceeded. Both are true. The second needs the equality, because a bound alone would not determine the probability.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The note's only figure, the graph of ln(1/\u03b4), drawn anew from the formula (our copy lacks the picture). At height 1 the note reads off \u03b4 = 0.38 (circle); exact is 1/e = 0.368 (cross).", "name": "fig-lap-02-graph"}, "image": {"alt": "A curve that falls from height 4 near \u03b4 = 0 to height 0 at \u03b4 = 1, steeply at first. A dotted line at height 1; on it a cross on the curve at \u03b4 = 0.368 and a circle just right of it at 0.38."}} tags=["figure"]
fig, ax = plots.panels(height=3.0)
deltas = np.linspace(0.018, 1, 983)
ax.plot(deltas, np.log(1 / deltas))
ax.axhline(1, color="#555555", lw=0.8, ls=":")
options = {"color": "black", "mfc": "none", "ms": 9, "ls": "none"}
ax.plot(0.38, 1, "o", label="read off by the note: 0.38", **options)
exact = np.exp(-1)
options = {"color": plots.COLOURS["orange"], "ms": 9, "mew": 2, "ls": "none"}
ax.plot(exact, 1, "x", label=f"exact: 1/e = {exact:.3f}", **options)
ax.legend()
ax.set(xlabel="probability δ", ylabel="ln(1/δ): error in units of R")
ax.set(xlim=(0, 1), ylim=(0, 4.1), xticks=np.arange(0, 1.01, 0.1))
plt.show()

# %% [markdown]
# ```{evidence} N-8 N-9 N-25 N-35
# ```
#
# ## The note's example: the mean of a thousand numbers
#
# The note says that the mean of $n$ numbers has the sensitivity $1/n$. Let the numbers be 0, $\frac12$ or 1, and let us try every database and every replacement of one number:

# %%
values = [Fraction(0), Fraction(1, 2), Fraction(1)]


def replacements(D):
    """All databases with one record replaced."""
    neighbours = []
    for i in range(len(D)):
        for v in values:
            neighbours.append((*D[:i], v, *D[i + 1 :]))
    return neighbours


# %%
def largest_change(query, n, neighbours):
    """Largest change of the answer, in the 1-norm, from n records to a neighbour."""
    largest = 0
    for D in product(values, repeat=n):
        for other in neighbours(D):
            change = np.abs(np.subtract(query(D), query(other)))
            largest = max(largest, np.sum(change))
    return largest


# %%
def mean(D):
    return sum(D) / len(D)


print(*[largest_change(mean, n, replacements) for n in (1, 2, 3, 4)])

# %% [markdown]
# In general, replacing $v$ by $v'$ changes the mean by $\lvert v - v' \rvert / n$. If all numbers lie in $[0, 1]$ and $n$ is fixed, this is at most $1/n$. The note does not name a range; we take this one, for which its statement is true.
#
# The note then takes $n = 1000$ and $\varepsilon = 0.001$. The scale is $R = \frac{1}{\varepsilon n} = 1$, so the error exceeds $\ln\frac1\delta$ with probability $\delta$. From the graph the note reads the probability of an error beyond 1:

# %%
beyond = error_probability(1, epsilon=0.001, sensitivity=1 / 1000)
table(
    {
        "error of the mean": ["beyond 1", "within 1"],
        "ours": [beyond, 1 - beyond],
        "printed": [0.38, 0.62],
    },
    caption="Probabilities in the note's example.",
    formats={"ours": ".4f", "printed": ".2f"},
    difference=("ours", "printed"),
)

# %% [markdown]
# As readings from a graph the two numbers are good, and 0.38 is also true as a bound. The misprint is in an earlier sentence of the example. It says that the error stays *within* $\frac{1}{\varepsilon n} \ln\frac1\delta$ with probability at most $\delta$. But for $\delta = \frac{1}{100}$ the error
# stays within this limit with probability $\frac{99}{100}$. It must say *beyond*, and the note's next sentences do.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The note's example. Left: the noise, with errors beyond 1 shaded. All possible means lie in the narrow strip from 0 to 1. Right: how often the error exceeds a tolerance, for the note's \u03b5 and two larger ones; the circle is the number that the note reads off.", "name": "fig-lap-02-example"}, "image": {"alt": "Left: a Laplace density with scale 1 on the range \u22124 to 5 and a dark strip from 0 to 1; noise outside \u22121 to 1 is shaded. Right: three falling curves on a logarithmic tolerance axis; the curve for \u03b5 = 0.001 passes the circle at tolerance 1, probability 0.38, the others lie further left."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.3, width=8.5)
r = np.linspace(-4, 5, 901)
left.plot(r, density(r, 1))
for side in (r <= -1, r >= 1):
    left.fill_between(r[side], density(r[side], 1), color=plots.COLOURS["sky"], alpha=0.35, lw=0)
arrow = {"arrowstyle": "-", "color": "#555555"}
left.axvspan(0, 1, ymax=0.05, color="#333333")
left.annotate("possible means", (0.9, 0.02), (1.9, 0.2), fontsize=9, arrowprops=arrow)
left.text(1.15, 0.3, "shaded: error beyond 1", fontsize=9)
left.set(xlabel="noise r (same unit as the mean)", ylabel="density", ylim=(0, 0.55))
sizes = np.geomspace(1e-5, 10, 300)
for level in (0.001, 0.01, 0.1):
    right.plot(sizes, error_probability(sizes, level, 1 / 1000), label=f"ε = {level:g}")
right.plot(1, 0.38, "o", color="black", mfc="none", ms=9, ls="none", label="note: 0.38 at a = 1")
right.set(xscale="log", xlabel="tolerance a", ylabel="P(error > a)")
right.legend(loc="lower left")
plt.show()

# %% [markdown]
# The left panel shows why this published mean is useless. The mean lies between 0 and 1, but the noise is larger than $\frac12$ with probability 61%<!-- {error_probability(0.5, 0.001, 1 / 1000):.0%} -->. In all these cases the blind guess $\frac12$ is closer to the truth. The note does not recommend
# the setting; it ends by asking for a warning.
#
# What setting would be useful? Suppose that the company wants an error of at most 0.01 with probability 95%. The relation $a = \frac{1}{\varepsilon n} \ln\frac1\delta$ can be solved for the product $\varepsilon n$:

# %%
product_needed = np.log(1 / 0.05) / 0.01  # epsilon times n
print(f"n = 1000 needs epsilon = {product_needed / 1000:.4f}")
for epsilon in (0.1, 0.001):
    print(f"epsilon = {epsilon} needs n = {np.ceil(product_needed / epsilon):,.0f}")


# %% [markdown]
# Only the product matters: with ten times as many people, a tenth of the $\varepsilon$ is enough. This is why the same $\varepsilon$ can make the mean of a class useless and the mean of a country precise.
#
# ```{evidence} N-10 N-11 N-12 N-13 N-B2
# ```
#
# ## Which sensitivity should you state?
#
# The mechanism believes the sensitivity that it is given. If the stated number is too small, the promise is void. The right number depends on the query, on the range of the values, and on whether the number $n$ of records is public. If $n$ is public, a neighbour has one record *replaced*. If $n$ must be protected too, a
# neighbour has one record *added or removed*.

# %%
def additions(D):
    """All databases with one record added. (Removing it goes back.)"""
    return [(*D, v) for v in values]


def histogram(D):
    return [D.count(v) for v in values]


for query in (sum, mean, histogram):
    replaced = [largest_change(query, n, replacements) for n in (1, 2, 3)]
    added = [largest_change(query, n, additions) for n in (1, 2, 3)]
    print(f"{query.__name__:9}  replaced:", *replaced, "  added:", *added)

# %% [markdown]
# For values in $[0, b]$ instead of $[0, 1]$, and at least one record:
#
# | query | one value replaced ($n$ public) | one record added or removed ($n$ not public) |
# | --- | --- | --- |
# | sum | $b$ | $b$ |
# | mean | $b/n$ | $b/2$ (from one record to two) |
# | histogram | 2 | 1 |
#
# If $n$ is not public, the scale of the noise may not depend on $n$. So the noise of the mean must be large enough even for a database of one record. It is then better to publish a noisy sum and a noisy count, and to divide one by the other. ([The next notebook](03-a-hundred-answers.ipynb) says what two answers cost.)
#
# What if the values have no limit, as with salaries? Then the sensitivity is infinite. The remedy is to *clamp* the values: the program replaces every value above a bound $b$ by $b$, and every value below 0 by 0. How does $b$ change the error?

# %%
salaries = rng.lognormal(np.log(40), 0.5, size=1000)  # in thousands a year
total = {}
for b in (50, 100, 200, 1000):
    bias = np.clip(salaries, 0, b).mean() - salaries.mean()
    error = tolerance_for(0.05, epsilon=0.1, sensitivity=b / 1000)
    total[b] = abs(bias) + error
    shift = f"clamping shifts the mean by {bias:5.2f}"
    print(f"b = {b:4}: {shift}, noise below {error:5.2f} in 95% of cases")

# %% [markdown]
# A small bound distorts the mean, and a large bound needs more noise. Of these four bounds, 100<!-- {min(total, key=total.get)} --> has the smallest sum of distortion and noise limit. But the company must neither publish this table nor choose $b$ by it, because the table was computed from the true salaries. The bound must come from public knowledge, for example from
# the salaries that are usual in the trade.
#
# ## What does a smaller error cost in privacy?
#
# A larger $\varepsilon$ makes the error smaller. But it also tells the attacker more. Suppose again that the count is 2 or 3, and that the attacker gives 3 a probability of 10% beforehand. By Bayes' rule, the published number multiplies the *odds* of this belief, $p/(1-p)$, by the ratio of the two densities:

# %%
published = np.array([-2.0, *np.linspace(2, 3, 21), 7.0])


def belief(prior, epsilon):
    """Probability of the count 3 after each published number."""
    ratio = density(published - 3, 1 / epsilon) / density(published - 2, 1 / epsilon)
    odds = prior / (1 - prior) * ratio
    return odds / (1 + odds)


for epsilon in (0.1, 1, 3):
    error = tolerance_for(0.05, epsilon, sensitivity=1)
    top = belief(0.1, epsilon).max()
    print(f"epsilon {epsilon}: belief at most {top:.2f}, error below {error:.1f} in 95% of cases")

# %% [markdown]
# **Change the attacker's mind.** Guess first: how large must $\varepsilon$ be before some published number makes 3 the attacker's best guess? (In the online book, the figure has sliders.)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Privacy and accuracy of the same answer. Left: the attacker's belief that the count is 3, after seeing the published number (dotted: before). No number moves it beyond the flat ends. Above one half (thin line) the attacker guesses 3. Right: how often the error exceeds a tolerance; dots at probability 5%.", "name": "fig-attacker"}, "image": {"alt": "Left: belief against the published number for \u03b5 of 0.1, 1 and 3. Each curve is flat below 2 and above 3 and rises between; only the one for 3 crosses one half. Right: three falling curves of the probability of an error beyond a tolerance, on a logarithmic axis, with points at 5 percent at tolerances 30, 3 and 1."}} tags=["figure"]
before, rare = 0.1, 0.05
turning = np.log((1 - before) / before)  # from this level on, some numbers make 3 likelier
tolerances = np.geomspace(0.05, 200, 40)
fig, (left, right) = plots.panels(1, 2, height=3.5, width=8.5)
for level in (0.1, 1.0, 3.0):
    (line,) = left.plot(published, belief(before, level), label=f"ε = {level:g}")
    right.plot(tolerances, error_probability(tolerances, level, 1))
    right.plot(tolerance_for(rare, level, 1), rare, "o", color=line.get_color())
left.axhline(before, color="#555555", lw=1, ls=":")
left.axhline(0.5, color="#555555", lw=0.6, ls="-")
left.set(xlabel="published number", ylabel="belief that the count is 3", ylim=(0, 1))
left.set_title(f"belief before: {before:.0%}")
right.set_title(f"dots: error exceeded with probability {rare:.0%}")
left.legend()
right.set(xscale="log", xlabel="tolerance (people)", ylabel="P(error > tolerance)")
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def both_sides(epsilon, prior, rare):
    after, far = belief(prior, epsilon), tolerance_for(rare, epsilon, 1)
    guess = "3 after some numbers and 2 after others"
    if after.min() > 0.5 or after.max() < 0.5:
        guess = f"{2 + (prior > 0.5)}, whatever is published"
    note = (
        f"The belief ends between {after.min():.1%} and {after.max():.1%}; the best "
        f"guess is {guess}. In {1 - rare:.0%} of cases the error is at most {far:.1f}."
    )
    return [
        {"trace": 0, "y": after},
        {"trace": 1, "y": [prior, prior]},
        {"trace": 3, "y": error_probability(tolerances, epsilon, 1)},
        {"trace": 4, "x": [far], "y": [rare]},
        {"note": note},
    ]


def curve(xs, colour, side, **options):
    return go.Scatter(x=xs, mode="lines", line={"color": colour, **options},
                      xaxis=f"x{side}", yaxis=f"y{side}")  # fmt: skip


beliefs, chances = [0.01, 0.1, 0.3, 0.5, 0.9], [0.01, 0.05, 0.1, 0.2, 0.5]
blue, orange, black = (plots.COLOURS[name] for name in ("blue", "orange", "black"))
live = go.Figure(
    [
        curve(published, blue, "", width=3),
        curve([-2, 7], black, "", width=1.5, dash="dot"),
        curve([-2, 7], black, "", width=0.8).update(y=[0.5, 0.5]),
        curve(tolerances, blue, 2, width=3),
        go.Scatter(mode="markers", marker={"size": 14, "color": orange}, xaxis="x2",
                   yaxis="y2"),
    ],
    {
        "height": 340,
        "showlegend": False,
        "xaxis": {"domain": [0, 0.44],
                  "title": {"text": "published number", "standoff": 4}},
        "yaxis": {"range": [0, 1.01], "title": {"text": "belief in 3"}},
        "xaxis2": {"domain": [0.57, 1], "anchor": "y2", "type": "log",
                   "tickvals": [0.1, 1, 10, 100],
                   "title": {"text": "tolerance (people)", "standoff": 4}},
        "yaxis2": {"range": [0, 1.01], "anchor": "x2",
                   "title": {"text": "P(error > tolerance)"}},
    },
)  # fmt: skip
interactive.show(
    "attacker",
    live,
    [
        interactive.Slider("level ε", [0.1, 0.3, 0.5, 1, 1.5, 2, 3, 5], "g", start=3),
        interactive.Slider("belief before", beliefs, ".0%", start=1),
        interactive.Slider("error probability δ", chances, ".0%", start=1),
    ],
    both_sides,
    alt="Left, the attacker's belief that the count is 3 against the published "
    "number, with the belief before; right, the probability that the error exceeds a "
    "tolerance, with a point at the chosen probability.",
)

# %% [markdown]
# The odds of 3 are $\frac19$ before, and they must rise to 1. The published number multiplies them by $e^{\varepsilon}$ at most. So $e^{\varepsilon}$ must be at least 9, and $\varepsilon$ at least 2.20<!-- {turning:.2f} -->. At this level the error is at most
# 1.4<!-- {tolerance_for(rare, turning, 1):.1f} --> with probability 95%. For two equally likely counts, {prf:ref}`thm-lap-01-guess` limits how often the best guess is right. Here they are not equally likely: always guessing 2 is right with probability 90%<!-- {1 - before:.0%} -->, and at levels below 2.20<!-- {turning:.2f} --> no guess does better.
#
# ## What if the answer is a list?
#
# A histogram is a list of counts. Let every coordinate get its own, independent noise of scale $R = \Delta_{1,q}/\varepsilon$. (If all coordinates got the same noise, the differences of the counts would be published exactly.) The answer is private, by the same proof. The density of a list is the product of the densities of its coordinates, so the exponents of the proof add up. Their sum is at most
# $\lVert q(D) - q(D') \rVert_1 / R \le \varepsilon$. This is why the sensitivity is measured in the 1-norm.
#
# But how large is the error now? For two coordinates, let us use the limit $R \ln 20$, which one coordinate exceeds with probability 5%:

# %%
errors = np.abs(rng.laplace(size=(100_000, 2)))  # R = 1
limit = np.log(1 / 0.05)
print("first error ", np.mean(errors[:, 0] > limit))
print("larger error", np.mean(errors.max(axis=1) > limit))
print("sum         ", np.mean(errors.sum(axis=1) > limit))


# %% [markdown]
# The sum of the two errors is $\lVert y - q(D) \rVert_1$. It exceeds the limit in 20%<!-- {np.mean(errors.sum(axis=1) > limit):.0%} --> of all cases, not in 5%. So the note's formula must not be read as a statement about lists. The correct formulas are well known:
#
# ```{prf:theorem} Accuracy of a list
# :label: thm-lap-02-list
# Let $r$ have $d$ independent coordinates with distribution $\operatorname{Lap}(R)$, and let $t \ge 0$. Then
#
# $$ \Pr(\lVert r \rVert_1 > Rt) = e^{-t} \sum_{j=0}^{d-1} \frac{t^j}{j!},
#    \qquad \Pr(\lVert r \rVert_\infty > Rt) = 1 - (1 - e^{-t})^d. $$
# ```
#
# ```{prf:proof}
# By {prf:ref}`thm-lap-02-tail`, the $\lvert r_i \rvert / R$ are independent and have the density $e^{-s}$ for $s > 0$. The first formula is true for $d = 1$. Suppose that it is true for $d$ coordinates, and add one. If the new $\lvert r_i \rvert / R$ is above $t$, which has probability $e^{-t}$, then so is the sum.
# If it is $s \le t$, the sum of the others must exceed $t - s$. So the new probability is
#
# $$ e^{-t} + \int_0^t e^{-s} \cdot e^{-(t-s)} \sum_{j=0}^{d-1} \frac{(t-s)^j}{j!} \, ds
#    = e^{-t} \Bigl( 1 + \sum_{j=0}^{d-1} \frac{t^{j+1}}{(j+1)!} \Bigr), $$
#
# which is the formula for $d + 1$. For the second formula, all coordinates stay within $Rt$ with probability $(1 - e^{-t})^d$.
# ```

# %%
def sum_beyond(t, d):
    return np.exp(-t) * sum(t**j / factorial(j) for j in range(d))


def largest_beyond(t, d):
    return 1 - (1 - np.exp(-t)) ** d


for d in (1, 2, 5, 10):
    print(f"{d:2} numbers: largest {largest_beyond(limit, d):.3f}, sum {sum_beyond(limit, d):.3f}")

# %% [markdown]
# Sympy takes the step of the proof four times:

# %%
s, t = sp.symbols("s t", positive=True)
tail_of_sum = sp.exp(-t)  # one coordinate
for d in (2, 3, 4, 5):
    others_beyond = sp.expand(sp.exp(-s) * tail_of_sum.subs(t, t - s))
    tail_of_sum = sp.exp(-t) + sp.integrate(others_beyond, (s, 0, t))
    formula = sp.exp(-t) * sum(t**j / sp.factorial(j) for j in range(d))
    assert sp.expand(tail_of_sum - formula) == 0

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A list of d numbers with noise of scale R in each. Left: how often the sum of the errors exceeds R ln(1/\u03b4); the diagonal is d = 1, where the note's formula is exact. Markers: 100,000 draws. Right: error that is exceeded with probability 5%.", "name": "fig-lap-02-lists"}, "image": {"alt": "Left: the diagonal for d = 1 and curves for d = 2, 5 and 10 that rise ever more steeply above it, with simulated points on them. Right: tolerance against the number of coordinates from 1 to 20; that for the sum rises almost linearly, that for the largest error slowly like a logarithm, the printed value stays at 3."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.5, width=8.5)
bound = np.linspace(0.001, 1, 400)
points = np.array([0.01, 0.05, 0.2, 0.37, 0.6, 0.9])
draws = np.abs(rng.laplace(size=(100_000, 10)))
for d, marker in zip((1, 2, 5, 10), "os^D"):
    (line,) = left.plot(bound, sum_beyond(np.log(1 / bound), d), label=f"d = {d}")
    sums = draws[:, :d].sum(axis=1)
    shares = [np.mean(sums > np.log(1 / delta_value)) for delta_value in points]
    left.plot(points, shares, marker, ms=4.5, color=line.get_color())
left.plot([], [], "o", color="#555555", ms=4.5, label="markers: drawn")
left.set(xlabel="δ in the note's formula", ylabel="P(sum of errors > R ln(1/δ))", ylim=(0, 1.02))
left.legend(loc="lower right")
coordinates = np.arange(1, 21)
needed = {}
for norm, text in (("l1", "sum of the errors"), ("linf", "largest error")):
    needed[norm] = accuracy.tolerance_for(
        0.05, epsilon=1, sensitivity=1, dimension=coordinates, norm=norm
    )
    right.plot(coordinates, needed[norm], marker=".", label=text)
right.axhline(limit, color="#555555", lw=1, ls="-", label="note's formula, ln(1/δ)")
right.set(xlabel="coordinates d", ylabel="tolerance / R for δ = 0.05", xticks=(1, 5, 10, 15, 20))
right.legend()
plt.show()


# %% [markdown]
# For twenty numbers and $\delta = 0.05$, the note's formula would give the tolerance $R \ln 20$. The largest error needs 2.0<!-- {needed["linf"][-1] / limit:.1f} --> times as much, and the sum of the errors 9.3<!-- {needed["l1"][-1] / limit:.1f} --> times as much.
# Textbooks usually state the theorem for the largest error, with $\ln\frac d\delta$ in place of $\ln\frac1\delta$ {cite:p}`dwork2014foundations`. This is the *union bound*: the probability that at least one of $d$ coordinates exceeds $Rt$ is at most the sum of their probabilities, $d e^{-t}$. For $d = 1$ it is the note's formula.
#
# ```{evidence} N-B1
# ```
#
# ## A mechanism can warn its user
#
# The note ends chapter 8 with a good idea. A program should let its user state the tolerated error, convert it to $\delta$, and warn if $\delta$ is large. The conversion is our function `error_probability`. It uses $\varepsilon$, the sensitivity and the tolerance, but no data, so the warning costs no privacy.
# The note also compares a mechanism to a decorator ([notebook 1](01-attackers.ipynb)). Here is one that warns:

# %%
def with_laplace_noise(epsilon, sensitivity, tolerance, level=0.05):
    """Decorator of a query; warns if errors beyond the tolerance are not rare."""
    delta = error_probability(tolerance, epsilon, sensitivity)
    if delta > level:
        warnings.warn(f"an error beyond {tolerance} has probability {delta:.2f}")

    def decorate(query):
        def mechanism(database):
            return laplace_mechanism(query, database, epsilon, sensitivity, rng)

        return mechanism

    return decorate


# %% [markdown]
# The package has such a decorator, `laplace_mechanism`. Given the numbers of the note's example, both warn:

# %%
example = {"epsilon": 0.001, "sensitivity": 1 / 1000, "tolerance": 1}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    private_mean = with_laplace_noise(**example)(mean)
    package_mean = laplace.laplace_mechanism(**example)(mean)
for warning in caught:
    print(warning.message)

# %% [markdown]
# Neither program knows that the mean lies between 0 and 1, so neither can object to the tolerance 1 itself. To state a sensible tolerance remains the user's task.
#
# ```{evidence} N-15 N-36
# ```
#
# ## Exercises
#
# ```{exercise-start} The median error
# :label: ex-lap-02-median
# ```
# **Warm-up.** Half of all answers have an error beyond a certain size. Which size? Compute it for a count with $\varepsilon = 0.1$.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lap-02-median", ...)

# %% [markdown]
# ```{solution-start} ex-lap-02-median
# :class: dropdown
# ```
# Solving $e^{-a/R} = \frac12$ gives $a = R \ln 2$. For the count, $R = 10$, and the median error is 6.9<!-- {median:.1f} --> people.

# %%
median = 10 * np.log(2)
assert np.isclose(error_probability(median, epsilon=0.1, sensitivity=1), 1 / 2)
assert np.isclose(median, tolerance_for(1 / 2, epsilon=0.1, sensitivity=1))
check("lap-02-median", median)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A histogram of ages
# :label: ex-lap-02-histogram
# ```
# **Standard.** A histogram of ages has 10 bins, and the number of people is public. Which scale makes it $\varepsilon$-differentially private? At $\varepsilon = 1$, which error of the *worst* bin is exceeded in 5% of the releases? Which error does the union bound give, that is, $R \ln\frac d\delta$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-02-histogram", ...)

# %% [markdown]
# ```{solution-start} ex-lap-02-histogram
# :class: dropdown
# ```
# One replaced record lowers one bin and raises another. So the sensitivity is 2 and $R = 2/\varepsilon$, however many bins there are. For the worst bin, solve $1 - (1 - e^{-t})^{10} = 0.05$ for $t$; the error is $2t$, which is 10.55<!-- {worst_bin:.2f} --> people. The union bound
# gives 10.60<!-- {union:.2f} -->, hardly more.

# %%
worst_bin = -2 * np.log(1 - 0.95 ** (1 / 10))
union = 2 * np.log(10 / 0.05)
assert np.isclose(largest_beyond(worst_bin / 2, 10), 0.05)
assert 0 < union - worst_bin < 0.06
check("lap-02-histogram", (worst_bin, union))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Noise of half the scale
# :label: ex-lap-02-tolerance
# ```
# **Standard.** A colleague adds noise of scale $\Delta/(2\varepsilon)$, "because the error may go either way". What is the real level of privacy, and how much accuracy has the colleague gained?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-02-tolerance", ...)

# %% [markdown]
# ```{solution-start} ex-lap-02-tolerance
# :class: dropdown
# ```
# Outside two answers that are $\Delta$ apart, the logarithm of the ratio is $\Delta/R = 2\varepsilon$. So the level is $2\varepsilon$, and every tolerance is halved. The colleague could have stated $2\varepsilon$ openly, with the same result.

# %%
assert log_ratio(f + Delta + u, Delta / (2 * eps)) == 2 * eps
halved = tolerance_for(0.05, epsilon=2, sensitivity=1)
assert np.isclose(halved, tolerance_for(0.05, epsilon=1, sensitivity=1) / 2)
check("lap-02-tolerance", log_ratio(f + Delta + u, Delta / (2 * eps)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A closed-form bound for the sum of the errors
# :label: ex-lap-02-chernoff
# ```
# **Research.** The equation $e^{-t} \sum_{j<d} t^j/j! = \delta$ has no closed-form solution $t$ in general. Prove that $t = d + \sqrt{2 d \ln\frac1\delta} + \ln\frac1\delta$ is always large enough. By which factor is it too large for $d = 1$ and $\delta = 0.05$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-02-chernoff", ...)

# %% [markdown]
# ```{solution-start} ex-lap-02-chernoff
# :class: dropdown
# ```
# Let $X$ be the sum of $d$ independent exponential variables with mean 1, and $0 < s < 1$. The mean of $e^{sX}$ is $(1 - s)^{-d}$. By Markov's inequality, $\ln \Pr(X > t) \le -d \ln(1 - s) - st$. The right-hand side is smallest at $s = 1 - d/t$, where it is $-d\,(v - \ln(1 + v))$ with $v = t/d - 1$.
#
# Put $z = \sqrt{2 \ln(1/\delta)/d}$. For our $t$, $v = z + z^2/2$. By the exponential series, $1 + v = 1 + z + z^2/2 \le e^z$, so $\ln(1 + v) \le z$ and $v - \ln(1 + v) \ge z^2/2$. The bound is therefore at most $-d z^2/2 = \ln\delta$.

# %%
for d in (1, 2, 5, 10, 100):
    for chance in (0.5, 0.05, 0.001):
        closed = d + np.sqrt(2 * d * np.log(1 / chance)) + np.log(1 / chance)
        assert sum_beyond(closed, d) <= chance
factor = (1 + np.sqrt(2 * np.log(20)) + np.log(20)) / np.log(20)
check("lap-02-chernoff", factor)

# %% [markdown]
# For $d = 1$ the exact value is $\ln 20$, and the bound is 2.15<!-- {factor:.2f} --> times as large.
#
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *Why does Laplace noise protect a record, even if the published number is extreme?* Far out, the densities under two neighbours fall by the same factor. With the scale $\Delta_{1,q}/\varepsilon$, their ratio never exceeds $e^{\varepsilon}$.
# 2. *How do you choose $\varepsilon$ for a tolerated error $a$?* For one number, an error beyond $a$ has the probability $\delta = e^{-\varepsilon a/\Delta_{1,q}}$ exactly. Solve for $\varepsilon$, and ask whether $a$ is small compared with the range of the answer.
# 3. *May you use the same formula for a list of $d$ numbers?* No. The largest error exceeds $R \ln\frac d\delta$ (not $R \ln\frac1\delta$) with probability at most $\delta$, where $R = \Delta_{1,q}/\varepsilon$. The sum of the errors has a formula of its own.
#
# **Further reading.** {cite:t}`dwork2006calibrating` introduced the mechanism and the sensitivity; section 3.3 of {cite:t}`dwork2014foundations` treats the accuracy of lists. **Next:** [what if I ask a hundred times?](03-a-hundred-answers.ipynb)
