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
# # How can you count what nobody reveals?
#
# A shop wants to know how many users look at each of its 43 items, and promises that no single report reveals the item. So a user does not send the item, but 128 signs, many of them wrong on purpose. Suppose that a user holds one of two equally likely items. With the paper's setting ($\varepsilon = 1$, explained below), neither
# of them is more than 73%<!-- {posterior_bound(1.0, 2):.0%} --> likely after the report. Yet from 49,742<!-- {n:,d} --> reports the shop estimates all counts, each with a standard deviation of 446<!-- {sd.mean():.0f} --> users.
#
# **The paper** {cite:p}`shimizu` starts from this method, Apple's *Count Mean Sketch* (CMS), and claims that it is private and estimates frequencies. Later pages of this part attack and defend CMS.
# **We find** that CMS is private as claimed. Its estimates are right on average over the noise and over random hash functions, but not for each choice of these functions. The paper's worked example has a misprint: its reports give the estimates 0<!-- {work_out(printed)[-2]} --> and 0<!-- {work_out(printed)[-1]} -->, but 2 and 2 are printed.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what local differential privacy promises, how CMS keeps the promise, why its estimates are right on average, and how large their errors are.
# **You need** expectation, variance and Python.
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** any two items that one report may be about. **The attacker** is the server, which knows the hash functions, $\varepsilon$ and the report. **Protected:** the item of one report.
# **Not protected:** the fact that a user takes part; the items of a person who sends
# [many reports](../research/sketch-what-many-reports-tell.ipynb); the counts, against [users who lie](03-poisoning.ipynb).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from collections import Counter
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.notebook import plots, table
from privlib.sketch import CountMeanSketch
from privlib.sketch.data import shop_counts

plots.use()


# %% [markdown]
# ## What does one user send?
#
# There may be very many items, and new ones may come up. A public *hash function* therefore maps each item to one of only $m$ columns. In the paper's Example 1, $m = 2$, and the hash function $h_3$ maps the item *male* to column 2. A user who holds this item writes 1 in column 2 and $-1$ elsewhere:

# %%
def encode(column, m):
    """The vector v: 1 in this column, -1 elsewhere."""
    return np.where(np.arange(m) == column, 1, -1)


print(encode(1, m=2))  # the code counts from 0, the text from 1


# %% [markdown]
# The price of hashing is that two items can *collide*, that is, have the same hash value. With a single hash function, they could then never be told apart. CMS therefore uses $k$ random hash functions, and every user draws one of them. Each function *separates* two given items, that is, gives them different values, with probability $1 - 1/m$.
#
# ```{prf:algorithm} Count Mean Sketch, user's side (section 2.2)
# :label: def-sk-01-cms
# **Input** (入力): an item $d$ of the set $D$; hash functions $h_1, \dots, h_k : D \to \{1, \dots, m\}$, known to all; $\varepsilon$.
# 1. Draw $j \in \{1, \dots, k\}$ uniformly. Let $v \in \{-1, 1\}^m$ be 1 at position $h_j(d)$ and $-1$ elsewhere.
# 2. Perturbation (摂動): for each $i \in \{1, \dots, m\}$, independently, let $\tilde v_i = v_i$ with probability
#    $p = e^{\varepsilon/2} / (1 + e^{\varepsilon/2})$, and $\tilde v_i = -v_i$ with probability $q = 1 - p$.
# 3. Send $(\tilde v, j)$.
# ```

# %%
def privatize(hashes, m, epsilon, rng):
    """One report about an item with these k hash values: noisy signs and row."""
    row = rng.integers(len(hashes))
    p = np.exp(epsilon / 2) / (1 + np.exp(epsilon / 2))
    kept = rng.random(m) < p
    v = encode(hashes[row], m)
    return np.where(kept, v, -v), row


# %% [markdown]
# Let 5,000 users report a teapot with $\varepsilon = 1$. There is a single hash function, which maps the teapot to column 6 of 16.

# %%
rng = np.random.default_rng(4)
signs = np.array([privatize([5], 16, 1.0, rng)[0] for _ in range(5000)])
print(signs[0])  # column 6 should be 1, all others -1

# %% [markdown]
# In this report 7<!-- {np.sum(signs[0] != encode(5, 16))} --> of the 16 signs are wrong, and the teapot's column is anybody's guess. The mean of all reports leaves no doubt about it.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "One teapot among 16 columns, \u03b5 = 1. Left: the vector v, with 1 in the teapot's column. Middle: what one user sends. Right: the mean of 5,000 reports. Only the teapot's column is positive, and all means have shrunk from 1 to about p \u2212 q = 0.245<!-- {shrunk:.3f} --> (dotted).", "name": "fig-sk-01-report"}, "image": {"alt": "Three bar charts over 16 columns. Left: one bar up at column 6, all others down. Middle: bars up and down without pattern. Right: short bars, up at column 6 and down elsewhere, all close to the dotted lines at plus and minus 0.245<!-- {shrunk:.3f} -->."}} tags=["figure"]
fig, axes = plots.panels(1, 3, height=2.6, width=8.5, sharey=True)
places = np.arange(1, 17)
colour = np.where(places == 6, plots.COLOURS["orange"], plots.COLOURS["blue"])
panels = (
    ("the user's vector v", encode(5, 16)),
    ("one report", signs[0]),
    ("mean of 5,000 reports", signs.mean(axis=0)),
)
for ax, (title, values) in zip(axes, panels):
    ax.bar(places, values, color=colour)
    ax.set(title=title, xlabel="column", xticks=(1, 6, 11, 16))
shrunk = np.tanh(0.25)  # p - q at ε = 1
for level in (-shrunk, shrunk):
    axes[2].axhline(level, color="#555555", lw=1, ls=":")
axes[0].set_ylabel("sign, or mean of signs")
assert np.all(np.sign(signs.mean(axis=0)) == encode(5, 16))
plt.show()


# %% [markdown]
# ```{evidence} S-1.4 S-2.5 S-2.6 S-2.7 S-2.8 S-2.8b S-idx
# ```
#
# ## Is one report private?
#
# The user trusts nobody and adds the noise before sending. The promise is therefore about the program on the user's device.
#
# ```{prf:definition} Local differential privacy (definition 2.1)
# :label: def-sk-01-ldp
# A randomised algorithm (ランダム化アルゴリズム) $M$ with inputs in $D$ and outputs in $Z$ satisfies
# *$\varepsilon$-local differential privacy* (ε-局所差分プライバシー) if
#
# $$ \Pr(M(d_1) = z) \le e^{\varepsilon} \Pr(M(d_2) = z)
#    \qquad \text{for all } d_1, d_2 \in D \text{ and } z \in Z. $$
# ```
#
# Let us list all reports with their exact probabilities, for three items, two hash functions and four columns. With $e^{\varepsilon} = 9$, a sign is kept with probability $p = \frac34$.

# %%
def distribution(hashes, m, p):
    """Probability of each report (row, signs) about an item with these hash values."""
    probability = {}
    for row, column in enumerate(hashes):
        v = encode(column, m)
        for signs in product((-1, 1), repeat=m):
            kept = int(np.sum(v == signs))
            probability[row, signs] = p**kept * (1 - p) ** (m - kept) / len(hashes)
    return probability


items = {"a": (0, 3), "b": (1, 3), "c": (2, 2)}  # hash values in rows 1 and 2
reports = {item: distribution(hashes, 4, Fraction(3, 4)) for item, hashes in items.items()}
for d, e in ("ab", "ac", "bc"):
    print(d, e, max(reports[d][z] / reports[e][z] for z in reports[d]))

# %% [markdown]
# The largest ratio is exactly $9 = e^{\varepsilon}$ for each pair. This holds in general.
#
# ```{prf:theorem} CMS is private (section 2.2)
# :label: thm-sk-01-private
# CMS satisfies $\varepsilon$-local differential privacy. If at least one hash function separates two items, some report attains the factor $e^{\varepsilon}$.
# ```
#
# ```{prf:proof}
# The row is drawn without looking at the item. Within a row, the vectors of two items differ in at most two signs, those in the columns of the two hash values. Every other sign has the same probability under both items. Because signs are negated independently, the ratio of the
# two probabilities is a product over the signs. Each of the two signs contributes at most $p/q = e^{\varepsilon/2}$, and both together at most $e^{\varepsilon}$. If the row separates the items, a report with 1 in the column of $d_1$ and $-1$ in that of $d_2$ attains this.
# ```
#
# Sympy solves $p/q = e^{\varepsilon/2}$ for $p$ and gets the paper's formula:

# %%
eps, x = sp.symbols("epsilon x", positive=True)
p = sp.exp(eps / 2) / (1 + sp.exp(eps / 2))  # as printed
(solution,) = sp.solve(sp.Eq(x / (1 - x), sp.exp(eps / 2)), x)
assert sp.simplify(solution - p) == 0


# %% [markdown]
# Independence matters. If one random choice negated all signs together, the server would see $v$ or $-v$, and for $m \ge 3$ either of them reveals the hash value.
#
# The paper says that outputs "cannot be told apart" and that the server "cannot learn" the input. How far does that go? Suppose that the server considers $N$ items equally likely before it sees the report $z$. Let $P$ be the probability of $z$ under the item $d$. By the definition, every other item gives $z$ at least the probability $e^{-\varepsilon} P$. Bayes' rule then makes
# $d$ at most as probable as
#
# $$ \frac{P}{P + (N-1)\, e^{-\varepsilon} P} = \frac{e^{\varepsilon}}{e^{\varepsilon} + N - 1}. $$

# %%
def posterior_bound(epsilon, N):
    return np.exp(epsilon) / (np.exp(epsilon) + N - 1)


def best_guess(first, second):
    """Probability that the best guess between two equally likely items is right."""
    return sum(max(first[z], second[z]) for z in first) / 2


print(f"two items: {posterior_bound(1.0, 2):.3f}, 43 items: {posterior_bound(1.0, 43):.3f}")
of_a, of_c = reports["a"], reports["c"]
attained = sum(of_a[z] for z in of_a if of_a[z] / of_c[z] in (9, Fraction(1, 9)))
print(f"e^ε = 9: bound attained with probability {attained}, best guess {best_guess(of_a, of_c)}")

# %% [markdown]
# At $\varepsilon = 1$, one of two items has a probability of at most 0.731<!-- {posterior_bound(1.0, 2):.3f} -->, and one of 43 items of at most 0.061<!-- {posterior_bound(1.0, 43):.3f} -->. How often does CMS attain the bound? Consider $a$ and $c$, which both rows separate. Only the signs in their two columns matter. These signs differ with probability $p^2 + q^2$, here 5/8<!-- {attained} -->. Such a report attains the bound, $\frac9{10}$ at $e^{\varepsilon} = 9$. If the two signs are equal, the report says nothing about $a$ and $c$. So the best guess is right with probability
#
# $$ \bigl(p^2 + q^2\bigr)\, \frac{p^2}{p^2 + q^2} + 2pq \cdot \frac12 = p^2 + pq = p. $$
#
# This is $\frac34$ at $e^{\varepsilon} = 9$, and 62%<!-- {posterior_bound(0.5, 2):.0%} --> at $\varepsilon = 1$.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How much one report can reveal. Solid: the bound on the probability of an item, among 2 or 43 items that were equally likely. Dashed: the probability p that the best guess between two items is right with CMS, if every hash function separates them. At \u03b5 = 1 (dotted) the bound for 43 items is 6%<!-- {posterior_bound(1.0, 43):.0%} -->; at \u03b5 = 8 it is 99%<!-- {posterior_bound(8.0, 43):.0%} --> and promises next to nothing.", "name": "fig-sk-01-guess"}, "image": {"alt": "Three curves against \u03b5 from 0 to 8. The bound for two items rises from one half, that for 43 items from near zero; both reach almost 1 at \u03b5 = 8. The dashed curve of CMS rises from one half and stays below the bound for two items."}} tags=["figure"]
levels = np.linspace(0, 8, 161)
fig, ax = plots.panels(height=3)
for N, colour in ((2, "blue"), (43, "orange")):
    ax.plot(levels, posterior_bound(levels, N), color=plots.COLOURS[colour], ls="-",
            label=f"bound, {N} items")
ax.plot(levels, posterior_bound(levels / 2, 2), color=plots.COLOURS["blue"], ls="--",
        label="CMS on average, 2 items")
ax.axvline(1, color="#555555", lw=1, ls=":")
ax.set(xlabel="ε", ylabel="probability", ylim=(0, 1.02))
ax.legend(loc="lower right")
plt.show()

# %% [markdown]
# ```{evidence} S-1.1 S-1.2 S-2.1 S-2.2 S-2.3 S-2.4 S-2.9 S-2.10 S-2.11
# ```
#
# ## How does the server remove the noise?
#
# A sign that is kept with probability $p$ has the mean $(p - q)\, v_i$. Dividing by $p - q$ restores $v_i$ on average, and half of $v_i$ plus one half is 1 in the item's column and 0 elsewhere. The paper writes this as
#
# $$ c_{\varepsilon} = \frac{e^{\varepsilon/2} + 1}{e^{\varepsilon/2} - 1}, \qquad
#    \tilde x = k \Bigl( \frac{c_{\varepsilon}}2\, \tilde v + \frac12 \mathbf 1 \Bigr). $$
#
# The next section explains the factor $k$. Sympy confirms $c_{\varepsilon}$, and the teapot gets its column back:

# %%
c_printed = (sp.exp(eps / 2) + 1) / (sp.exp(eps / 2) - 1)
assert sp.simplify(1 / (p - (1 - p)) - c_printed) == 0


def denoise(signs, k, c):
    """The vector x of a report."""
    return k * (c * np.asarray(signs) + 1) / 2


c = float(c_printed.subs(eps, 1))
print(denoise(signs, 1, c).mean(axis=0).round(2))


# %% [markdown]
# ```{evidence} S-2.12 S-2.13
# ```
#
# ## Four users by hand
#
# The server adds the vectors up (集計). The paper calls the $k \times m$ *sketch matrix* $M$; it has nothing to do with the algorithm $M$ of the definition. Its row $j$ is the sum of the vectors $\tilde x$ of all reports with that $j$. A user adds to only one of the $k$ rows. The factor $k$ makes up for this, so that each row stands, on average, for all $n$ users. The count of an item is read from one entry in each row.
#
# ```{prf:definition} Estimator of CMS (section 2.2)
# :label: def-sk-01-estimator
# The frequency estimate (頻度推定) of item $d$ from $n$ reports is
#
# $$ \tilde f(d) = \frac{m}{m-1} \Bigl( \frac1k \sum_{j=1}^{k} M_{j, h_j(d)} - \frac nm \Bigr). $$
# ```

# %%
def sketch_matrix(vectors, rows, k):
    M = np.zeros((k, len(vectors[0])))
    for x, row in zip(vectors, rows):
        M[row] += x
    return M


def estimate(M, hashes, n):
    k, m = M.shape
    mean = sum(M[j, column] for j, column in enumerate(hashes)) / k
    return m / (m - 1) * (mean - n / m)


# %% [markdown]
# Why this formula? On average, the $f(d)$ users of $d$ add $f(d)$ to its entry in each row. Every other user adds 1 if the two items collide, which happens with probability $1/m$. So the mean of the entry is $f(d) + (n - f(d))/m$. Subtracting $n/m$ leaves $f(d)\,(1 - \frac1m)$, and the factor $F = m/(m-1)$ turns this into $f(d)$.
#
# In the paper's Example 2, $m = k = 2$. There is no noise ($\varepsilon = \infty$ and $c_{\varepsilon} = 1$). Four users hold male, male, female, female and draw the rows 1, 2, 1, 2.

# %%
rows = [0, 1, 0, 1]
printed = [(1, -1), (1, -1), (-1, 1), (-1, 1)]  # the signs of the four reports


def work_out(reports):
    """All lines of Example 2."""
    vectors = [denoise(signs, 2, 1) for signs in reports]
    M = sketch_matrix(vectors, rows, 2)
    h_male = [signs.index(1) for signs in reports[:2]]  # users 1 and 2, in rows 1 and 2
    h_female = [signs.index(1) for signs in reports[2:]]  # users 3 and 4, in rows 1 and 2
    lines = [*vectors, *M, estimate(M, h_male, 4), estimate(M, h_female, 4)]
    return [str(np.asarray(line, dtype=int)) for line in lines]


# %% [markdown]
# Two men and two women are estimated as 0<!-- {work_out(printed)[-2]} --> and 0<!-- {work_out(printed)[-1]} -->. The paper prints 2 and 2:

# %%
changed = [(1, -1), (1, -1), (1, -1), (-1, 1)]  # another third report
paper = ["[2 0]", "[2 0]", "[2 0]", "[0 2]", "[4 0]", "[2 2]", "2", "2"]
names = ["x(1)", "x(2)", "x(3)", "x(4)", "M, row 1", "M, row 2", "f(male)", "f(female)"]
table({"": names, "the paper prints": paper, "from the printed reports": work_out(printed),
       "third report (1, -1)": work_out(changed)}, caption="Example 2 of the paper.")


# %% [markdown]
# The printed third report $(-1, 1)$ gives $\tilde x^{(3)} = (0, 2)$, but the paper has $(2, 0)$. The vector $(-1, 1)$ is printed twice, in the list of reports and in the working of $\tilde x^{(3)}$. If both are read as $(1, -1)$, so that $h_1(\text{female}) = 1$, then all results are right as printed. No other change of a single report has this effect. We therefore take $(-1, 1)$ to be the misprint; the printed $M$ and the estimates 2 and 2 are then right.
#
# A better question remains. Even without noise, the same four users are estimated as 2 and 2 with one hash value of *female*, and as 0 and 0 with another. Is the estimator wrong?
#
# ```{evidence} S-2.14 S-2.17 S-2.18 S-2.19 S-2.20 S-2.21 S-2.22 S-2.23
# ```
#
# ## The estimate is right on average over hash functions
#
# Where the estimates are 0, men and women never collide, and yet the estimator subtracts $n/m = 2$ for accidental collisions. With other hash functions they collide too often.
#
# ```{prf:theorem} Mean of an estimate
# :label: thm-sk-01-mean
# For given hash functions, let $A_{d'}$ be the share of the $k$ rows in which $d'$ collides with $d$, so that $A_d = 1$. Then $\operatorname{E} \tilde f(d) = F \bigl( \sum_{d'} f(d') A_{d'} - n/m \bigr)$. If the hash functions are random, and the hash values of any two items are uniform
# and independent (*pairwise independence*), then $\operatorname{E} \tilde f(d) = f(d)$.
# ```
#
# ```{prf:proof}
# Take one report about $d'$, with row $j$. On average over the noise, it adds $k$ to the entry $M_{j, h_j(d)}$ if $h_j(d') = h_j(d)$, and 0 otherwise. It adds nothing to the other rows. So it adds 1 or 0 to $\frac1k \sum_j M_{j, h_j(d)}$, and on average over the uniform row, $A_{d'}$. Adding up all reports gives the first formula. With random hash functions, $\operatorname{E} A_{d'} = 1/m$ for $d' \ne d$, and
# $F \bigl( f(d) + (n - f(d))/m - n/m \bigr) = F \bigl(1 - \frac1m\bigr) f(d) = f(d)$.
# ```
#
# Let us go through all 16 *families* of two hash functions for the four users of Example 2.

# %%
def mean_estimate(hashes, counts, d, m):
    """Mean of the estimate of item d; hashes[d, j] is its hash value in row j of the sketch."""
    A = (hashes == hashes[d]).mean(axis=1)
    return m / (m - 1) * (counts @ A - sum(counts) / m)


counts = np.array([2, 2])  # men, women
means = Counter()
for values in product((0, 1), repeat=4):  # two items, two hash functions
    hashes = np.reshape(values, (2, 2))
    means[tuple(float(mean_estimate(hashes, counts, d, 2)) for d in (0, 1))] += 1
average = sum(np.array(pair) * times for pair, times in means.items()) / means.total()
print(means, "average:", average)

# %% [markdown]
# Of the 16<!-- {means.total()} --> families, 4<!-- {means[0, 0]} --> give 0, 8<!-- {means[2, 2]} --> give 2 and 4<!-- {means[4, 4]} --> give 4. The average is 2<!-- {average[0]:.0f} --> for men and 2<!-- {average[1]:.0f} --> for women.
#
# ```{evidence} S-2.15 S-2.16
# ```
#
# ## How large is the error?
#
# ```{prf:theorem} Variance of an estimate
# :label: thm-sk-01-variance
# For given hash functions,
#
# $$ \operatorname{Var} \tilde f(d) = F^2 \Bigl( n\, \frac{c_\varepsilon^2 - 1}4
#    + \sum_{d'} f(d') A_{d'} (1 - A_{d'}) \Bigr). $$
#
# Let the $k$ hash functions be random and independent of each other, and let the values of each function at any three items be uniform and independent (*three-wise independence*). Then
#
# $$ \operatorname{Var} \tilde f(d) = F^2 n\, \frac{c_\varepsilon^2 - 1}4
#    + \frac1{m-1} \Bigl[ \bigl(1 - \tfrac1k\bigr)(n - f(d)) + \tfrac1k \sum_{d' \ne d} f(d')^2 \Bigr]. $$
# ```
#
# ```{prf:proof}
# A report about $d'$ adds $F X$ to the estimate, where $X = \frac{c_\varepsilon}2 s + \frac12$ and $s$ is its noisy sign in the column of $d$. Before the noise this sign is 1 with probability $A = A_{d'}$, so $\operatorname{E} s = (2A - 1)/c_\varepsilon$. Because $s^2 = 1$,
# $\operatorname{Var} X = \frac{c_\varepsilon^2}4 \bigl(1 - (\operatorname{E} s)^2\bigr)$. Reports are independent, so the variances add up to the first formula.
#
# Over random hash functions, the variance is the mean of this variance plus the variance of the mean. For $d' \ne d$, the share $A_{d'}$ is the mean of $k$ independent indicators of probability $1/m$. Its variance is $w = \frac{m-1}{km^2}$, and $\operatorname{E} A_{d'}(1 - A_{d'}) = \frac1m - \frac1{m^2} - w$.
# For two other items $d'$ and $d''$, three-wise independence makes the events $h_j(d') = h_j(d)$ and $h_j(d'') = h_j(d)$ independent: each has probability $1/m$, and both together $1/m^2$.
# So the shares of different items are uncorrelated, and the variance of the mean is $F^2 w \sum_{d' \ne d} f(d')^2$.
# ```
#
# Sympy verifies both formulas; $S$ stands for $\sum_{d' \ne d} f(d')^2$.

# %%
A, S, f, n, m, k, c = sp.symbols("A S f n m k c", positive=True)
F = m / (m - 1)
variance_X = c**2 / 4 * (1 - ((2 * A - 1) / c) ** 2)
assert sp.simplify(variance_X - ((c**2 - 1) / 4 + A * (1 - A))) == 0

w = (m - 1) / (k * m**2)
mean_of_variance = F**2 * (n * (c**2 - 1) / 4 + (n - f) * (1 / m - 1 / m**2 - w))
variance_of_mean = F**2 * w * S
noise = F**2 * n * (c**2 - 1) / 4
collisions = ((1 - 1 / k) * (n - f) + S / k) / (m - 1)
assert sp.simplify(mean_of_variance + variance_of_mean - noise - collisions) == 0
terms = sp.lambdify((f, n, S, m, k, c), (noise, collisions))

# %% [markdown]
# The first term is the price of privacy, the second that of hashing. Pairwise independence would not be enough. A popular hash function is $h(x) = ux + b$ modulo a prime, with random $u$ and $b$. Take it modulo 3. For each $u$ there are three brackets, one for each $b$, with the values of the items $x = 0, 1, 2$:

# %%
for u in range(3):
    print(f"u = {u}:", [[(u * x + b) % 3 for x in range(3)] for b in range(3)])

# %% [markdown]
# Any two of the three hash values are uniform and independent. But for $u = 0$ all three items collide, and otherwise none do. The collisions are therefore correlated, and the variance is larger. (The package uses *tabulation hashing*, which is three-wise independent.)
#
# The article of {cite:t}`pan2024count` (we have read only the abstract) corrects the mean and the variance that the authors of CMS published, and proves that pairwise independence is enough for its own, modified CMS. The companion checks our formulas by listing all reports and all families of small cases.
#
# ```{evidence} S-B1
# ```
#
# ## Fifty thousand users
#
# The paper's experiments use 43 items of a web shop {cite:p}`uci553eshop,lapczynski2013eshop`. A record is a click on an item (the paper says a purchase). Like the paper, we count each record as one user with one report, although some visitors made several clicks. We take the paper's defaults, $\varepsilon = 1$, $m = 128$ and $k = 1024$.

# %%
users_of = shop_counts()  # item -> number of users
true = np.array(list(users_of.values()))
scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
reports = scheme.privatize(np.repeat(list(users_of), true), np.random.default_rng(7))
estimates = scheme.aggregate(reports).estimate(list(users_of))

n, c = int(true.sum()), scheme.debias_factor
squares = np.sum(true**2) - true**2
sd = np.sqrt(sum(terms(true, n, squares, 128, 1024, c)))
print(f"A2: {users_of['A2']} users, estimate {estimates[1]:.0f}, sd {sd[1]:.0f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What 49,742<!-- {n:,d} --> noisy reports say about 43 items (\u03b5 = 1, m = 128, k = 1024), sorted by size. Bars: true counts. Dots: estimates with one standard deviation, 446<!-- {sd.mean():.0f} --> users for all items alike. A circle marks an estimate that is off by more than two.", "name": "fig-sk-01-counts"}, "image": {"alt": "Bars falling from 3,013<!-- {true.max():,d} --> to 246<!-- {true.min()} --> users over 43 items. Dots with error bars of 446<!-- {sd.mean():.0f} --> scatter around the tops of the bars; a few of the smaller items are estimated below zero."}} tags=["figure"]
assert round(sd.min()) == round(sd.max())
order = np.argsort(-true)
assert 1 <= np.sum(estimates < 0) <= 6 and np.all(estimates[order[:20]] > 0)
fig, ax = plots.panels(height=3.2, width=8.5)
places = np.arange(1, 44)
ax.bar(places, true[order], color=plots.COLOURS["sky"], label="true count")
style = {"fmt": "o", "ms": 4, "elinewidth": 1, "color": plots.COLOURS["orange"]}
ax.errorbar(places, estimates[order], sd[order], label="estimate ± 1 sd", **style)
far = np.flatnonzero(np.abs(estimates - true)[order] > 2 * sd[order])
assert len(far) > 0
ax.plot(places[far], estimates[order][far], "o", ms=11, mfc="none", color="black", ls="none",
        label="off by more than 2 sd")
ax.axhline(0, color="black", lw=0.8)
ax.set_xticks(places[::3], [list(users_of)[i] for i in order[::3]])
ax.set(xlabel="item", ylabel="users", xlim=(0, 44))
ax.legend()
plt.show()

# %% [markdown]
# The popular items stand out, and the rare ones drown in the noise. Of the 43 estimates, 42<!-- {np.sum(np.abs(estimates - true) < 2 * sd)} --> lie within two standard deviations.
#
# ```{evidence} S-6.2 S-1.10
# ```
#
# ## Which error remains with more users?
#
# Suppose that every count grows by the same factor. The standard deviation of the noise then grows like $\sqrt n$. The collision term has two parts. The part with $n - f(d)$ comes from drawing the rows, and its standard deviation, too, grows like $\sqrt n$. That of the part with $\sum f(d')^2$ grows like $n$, because two items that collide do so for all their users.

# %%
growth = np.array([1, 10, 100, 1000, 10_000])
variance_A2 = terms(true[1] * growth, n * growth, squares[1] * growth**2, 128, 1024, c)
noise_share, collision_share = (100 * np.sqrt(part) / (n * growth) for part in variance_A2)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Two sources of error in the estimate of A2, as standard deviations in percent of all users (m = 128, k = 1024, \u03b5 = 1). More users make the error of the noise small. The error of the collisions falls a little at first and then remains the same percentage; it is the larger one from about 17<!-- {crossing / 1e6:.0f} --> million users on.", "name": "fig-sk-01-growth"}, "image": {"alt": "Two lines against the number of users from 50 thousand to 500 million, both axes logarithmic. The noise falls steadily from 0.9%<!-- {noise_share[0] / 100:.1%} -->. The collisions fall a little at first and are then flat. The lines cross near 17<!-- {crossing / 1e6:.0f} --> million users."}} tags=["figure"]
fig, ax = plots.panels(height=3)
ax.loglog(n * growth, noise_share, "o-", label="noise")
ax.loglog(n * growth, collision_share, "s-", label="collisions")
ax.set(xlabel="users", ylabel="sd of the estimate (% of users)")
ax.legend()
crossing = n * growth[2] * (noise_share[2] / collision_share[4]) ** 2
assert n * growth[2] < crossing < n * growth[3]
plt.show()

# %% [markdown]
# For one shop, hashing costs almost nothing. With 50<!-- {n * growth[3] / 1e6:.0f} --> million users it costs more than privacy, namely a standard deviation of 0.048%<!-- {collision_share[3] / 100:.3%} --> of the users against 0.028%<!-- {noise_share[3] / 100:.3%} -->. What remains is about $\sqrt{\sum f(d')^2 / (k(m-1))}$ users; only a larger $k$ or $m$ makes it smaller.
#
# ## Exercises
#
# ```{exercise-start} A report every day
# :label: ex-sk-01-many
# ```
# **Warm-up.** A user sends a report every day at $\varepsilon = 1$, always about the same item and with fresh noise. The server starts with an even guess between two items. After 7 days, what is the smallest probability that the wrong item
# can have for the server?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-01-many", ...)

# %% [markdown]
# ```{solution-start} ex-sk-01-many
# :class: dropdown
# ```
# The ratios of the probabilities multiply, so the seven reports together satisfy the definition with $\varepsilon = 7$. The bound is $e^{7}/(1 + e^{7}) \approx$ 0.999<!-- {posterior_bound(7.0, 2):.3f} -->, and seven of the most revealing reports attain it. The wrong item keeps at least
# $1/(1 + e^{7}) \approx$ 0.00091<!-- {1 - posterior_bound(7.0, 2):.5f} -->.

# %%
smallest = 1 - posterior_bound(7.0, 2)
assert np.isclose(smallest, 1 / (1 + np.exp(7)))
check("sk-01-many", smallest)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many users does it take?
# :label: ex-sk-01-users
# ```
# **Standard.** Let $m = 128$, and let 5% of the users hold an item. How many users does it take to estimate their number with a relative standard deviation of 10% at $\varepsilon = 1$? And at $\varepsilon = 0.1$? Use the noise term alone. How does the number grow as
# $\varepsilon \to 0$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-01-users", ...)

# %% [markdown]
# ```{solution-start} ex-sk-01-users
# :class: dropdown
# ```
# From $F^2 n (c_\varepsilon^2 - 1)/4 = (0.1 \cdot 0.05\, n)^2$ follows $n \approx$ 159,185<!-- {needed[0]:,.0f} --> at $\varepsilon = 1$, and 16.2<!-- {needed[1] / 1e6:.1f} --> million at $\varepsilon = 0.1$. As $\varepsilon \to 0$, the number grows like $1/\varepsilon^2$: halving $\varepsilon$ takes four times as many users.

# %%
noise_per_user = (c_printed**2 - 1) / 4  # variance, without F
needed = []
for level in (1.0, 0.1):
    variance = (128 / 127) ** 2 * float(noise_per_user.subs(eps, level))
    needed.append(variance / (0.1 * 0.05) ** 2)
assert sp.limit(eps**2 * noise_per_user, eps, 0) == 4
check("sk-01-users", needed)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A bias that can be solved for
# :label: ex-sk-01-solve
# ```
# **Research.** The server knows the hash functions and all 43 items, and therefore all collision shares. Use them to remove the bias of fixed hash functions. Does it pay with 50,000 users? With 500 million? We say that it pays if the root mean square
# error over the items falls by more than a tenth. (`scheme.family.positions(items)` gives the hash values, one row for each item. `scheme.simulate(counts, rng)` draws a whole sketch at once; its `.matrix` is $M$. Or reason from the last figure.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-01-solve", ...)

# %% [markdown]
# ```{solution-start} ex-sk-01-solve
# :class: dropdown
# ```
# Let $y(d) = \frac1k \sum_j M_{j,h_j(d)}$. Its mean is $\sum_{d'} A_{dd'} f(d')$, where $A_{dd'}$ is the share of rows in which $d$ and $d'$ collide. So $A^{-1} y$ is unbiased whenever $A$ has an inverse. With 50,000 users the noise hides the gain; with 500 million the remaining error is only 23%<!-- {error_solved / error:.0%} --> of the old one. The price is that an item
# that is not on the list raises every solved estimate, by 0.6%<!-- {raised.mean():.1%} --> of its count.

# %%
positions = scheme.family.positions(list(users_of))  # hash values, one row for each item
A = np.array([(positions == own).mean(axis=1) for own in positions])
rng = np.random.default_rng(8)
answers = []
for times in (1, 10_000):
    grown = {item: times * count for item, count in users_of.items()}
    plain, solved = [], []
    for _ in range(40):
        sketch = scheme.simulate(grown, rng)
        y = sketch.matrix[np.arange(1024), positions].mean(axis=1)
        plain.append(sketch.estimate(list(users_of)) - times * true)
        solved.append(np.linalg.solve(A, y) - times * true)
    error, error_solved = np.sqrt(np.mean(np.square([plain, solved]), axis=(1, 2)))
    print(f"{times * n:,} users: error {error:,.0f}, solved {error_solved:,.0f}")
    answers.append("yes" if error_solved < 0.9 * error else "no")
raised = np.linalg.solve(A, np.full(43, 1 / 128))  # by one user of an unlisted item, on average
assert answers == ["no", "yes"]
check("sk-01-solve", answers)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *What can the server learn from one report?* At $\varepsilon = 1$, one of two equally likely items becomes at most 73%<!-- {posterior_bound(1.0, 2):.0%} --> probable. Each of the two signs in which the items can differ accounts for $\varepsilon/2$. With CMS, the best guess is right in 62%<!-- {posterior_bound(0.5, 2):.0%} --> of all cases.
# 2. *In what sense is the estimate right?* On average over the noise, and over random hash functions with pairwise independent values. For fixed hash functions, collisions leave a bias.
# 3. *How large is its error?* The noise has the standard deviation $F \sqrt{n (c_\varepsilon^2 - 1)/4}$, the same for every item. With many users, that of the collisions is about $\sqrt{\sum f(d')^2 / (k(m-1))}$, a percentage of the users that remains the same however many there are.
#
# **Further reading.** {cite:t}`apple2017learning` introduced the sketch, {cite:t}`warner1965randomized` randomised response, and {cite:t}`duchi2013local` studied the local model.
# **Next:** [can one bit do the work of a whole vector?](02-hadamard.ipynb)
