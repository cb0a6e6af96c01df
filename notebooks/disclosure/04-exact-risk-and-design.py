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
# # How risky is this release, and how should I design one?
#
# An office has 1,000 records, one for each person, with values in ten categories. It draws 100 of them, keeps each value with probability 1/2 and otherwise replaces it by a random category, and publishes the 100 values in random order. An attacker points at one of them and names a person. How likely is the attacker to be right?
#
# **The paper** calls such rewriting PRAM (post-randomisation). Its Theorem 5.1 bounds this probability by 1/83.6<!-- {"1/" + floor_text(bound, 1)} --> for every table and every release, if the attacker does not know who was sampled.
# **We find** the exact probability for a given table and release. Suppose that a hundred people have each value, that each value is shown ten times, and that the attacker names a person with the shown value. Then the probability is 1/181<!-- {"1/" + floor_text(exact_level, 0)} -->. If the attacker also knows that this person was sampled, it is 1/18<!-- {"1/" + floor_text(prosecutor["uniform"][0], 0)} -->. A small sample is not the best design: for the same bound, the most accurate release of a large table leaves out only a small share of the records.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to compute the exact risk of a release, how much noise a desired level needs, how many records to leave out, and what to print under a release.
# **You need** the swap lemma and Theorem 5.1 ([notebook 3](03-pram-and-sampling.ipynb)) and the variance of a mean.
# **Time:** 28 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** $s$ of $n$ people, drawn without replacement, with one record each; each value is rewritten with the transition matrix $A$; the order is random. **Attackers:** both know all $n$ true values, $A$ and $s$. The *journalist* does not know who was sampled (this is the paper's attacker). The *prosecutor* knows that the person under attack, the *target*, was sampled.
# **Protected:** which released record is the target's. **Not protected:** the target's true value, which both know already, and what all people with equal values have in common.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, floor, perm, prod

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp

from privlib.disclosure import anonymity, posterior, pram, publish, risk_report
from privlib.notebook import datasets, interactive, plots

plots.use()
adult = [line.split(", ") for line in datasets.load("adult").decode().splitlines()]
classes, employment = np.unique([row[1] for row in adult if len(row) > 1], return_inverse=True)


def floor_text(level, digits):
    """A level for the text, rounded down: a level is a promise."""
    return f"{floor(level * 10**digits) / 10**digits:.{digits}f}"


# %% [markdown]
# ## The exact risk is a sum over assignments
#
# Four people have the values 0, 0, 1 and 1. Three of them are drawn. Each value is kept with probability 1/2 and otherwise replaced by 0 or 1 at random, so the true value is shown with probability 3/4. The release reads 0, 0, 1.

# %%
A = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]  # A[true][shown]
people, release = [0, 0, 1, 1], [0, 0, 1]


def weight(assignment):
    """Probability that these people, in this order, show exactly the release."""
    return prod(A[people[r]][shown] for r, shown in zip(assignment, release))


assignments = list(permutations(range(4), 3))  # one person for each released record
total = sum(weight(order) for order in assignments)
hits = sum(weight(order) for order in assignments if order[0] == 0)
print(f"{len(assignments)} assignments; person 0 is behind the first record: {hits / total}")

# %% [markdown]
# As in notebook 3, an *assignment* says which person each released record shows; here it is a list of people. Its *weight* is the probability that these people show the released values. All 24<!-- {len(assignments)} --> assignments are equally likely before the release. By Bayes' rule, their probabilities afterwards are proportional to their weights.
#
# ```{prf:proposition} Match probability (section 2.2 and the first displays of the proof of Theorem 5.1)
# :label: thm-di-04-ratio
# Let person $r$ have the true value $\tau(r)$, and let released record $j$ show $\tau'(j)$. An assignment $\sigma$ of person $\sigma(j)$ to record $j$ has the weight $w(\sigma) = \prod_j A_{\tau(\sigma(j)),\, \tau'(j)}$. For the journalist, record $r'$ shows person $r$ with probability
#
# $$ \sum_{\sigma:\, \sigma(r') = r} w(\sigma) \Big/ \sum_{\sigma} w(\sigma) . $$
# ```
#
# A *link* is such a pair of a person and a record, and its *level* is the inverse of this probability: at level 10, the attacker is right with probability 1/10. The package computes the probabilities of all links:

# %%
links_of_four = posterior.match_matrix(people, release, transition=A)  # [person, record]
assert links_of_four[0, 0] == hits / total
digits = len(str(perm(1000, 100)))  # assignments of 1,000 people to 100 records

# %% [markdown]
# For the office, the number of assignments has 298<!-- {digits} --> digits. A sum of such products over all assignments is called a *permanent*. For a general matrix, no fast method is known {cite:p}`valiant1979`. For the office's matrix there is one.
#
# ## Equal values make the sum short
#
# The office uses a *retention matrix*: with probability $\rho$ a value is kept, and with probability $1 - \rho$ it is *redrawn* from all $N$ categories (notebook 3 writes $c$ for $N$). A kept value must belong to a person who has it. A redrawn value says nothing about its owner.
#
# So assignments can be counted like positions of rooks on a chessboard with a row for each record and a column for each person:

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Six released records and ten people. Two records kept their value; each belongs to a person with this value (a rook on a shaded square). No two rooks share a row or a column. The four records with a question mark were redrawn. Their values say nothing about the eight people who are left, so there are 8 \u00b7 7 \u00b7 6 \u00b7 5 = 1680<!-- {redrawn_ways} --> ways to assign them.", "name": "fig-di-04-rooks"}, "image": {"alt": "A grid of six released records and ten people with three shaded rectangles along the diagonal; two rooks stand on shaded squares, the other four records have a question mark."}} tags=["figure"]
board, wanted = np.repeat((0, 1, 2), (5, 3, 2)), np.repeat((0, 1, 2), (3, 2, 1))
shades = [plots.COLOURS[name] for name in ("sky", "gold", "green")]
rooks = {1: 3, 4: 6}  # released record: person
assert all(board[person] == wanted[record] for record, person in rooks.items())
redrawn_ways = perm(board.size - len(rooks), wanted.size - len(rooks))
assert redrawn_ways == 8 * 7 * 6 * 5
fig, ax = plots.panels(height=3.4)
for record, person in product(range(6), range(10)):
    fill = shades[wanted[record]] if board[person] == wanted[record] else "white"
    ax.add_patch(plt.Rectangle((person, record), 1, 1, fc=fill, ec="#777777", lw=0.6))
for record in range(6):
    place, mark = (rooks[record], "♜") if record in rooks else (10, "?")
    ax.text(place + 0.5, record + 0.53, mark, fontsize=20, ha="center", va="center")
ax.set(xlim=(0, 11), ylim=(6.05, -0.05), aspect="equal")
ax.set(xlabel="person and true value", ylabel="released record and its value")
ax.set_xticks(np.arange(10) + 0.5, [f"{r}: {'abc'[v]}" for r, v in enumerate(board)])
ax.set_yticks(np.arange(6) + 0.5, [f"{j}: {'abc'[v]}" for j, v in enumerate(wanted)])
ax.grid(visible=False)
ax.spines[:].set_visible(False)
ax.tick_params(length=0)
plt.show()


# %% [markdown]
# ```{prf:theorem} Counting with rooks
# :label: thm-di-04-rook
# Let $A_{u,v} = b_v + d_v\,[u = v]$, where $[u = v]$ is 1 if $u = v$ and 0 otherwise (a retention matrix has $b_v = \frac{1-\rho}{N}$ and $d_v = \rho$). Let $n_v$ people have the value $v$, and let $s_v$ released records show it. Then, with the $c_J$ of the second equation,
#
# $$ \sum_\sigma w(\sigma) = \sum_J c_J\, \frac{(n - J)!}{(n - s)!}, \qquad
# \sum_J c_J z^J = \prod_v \sum_j \binom{n_v}{j} \binom{s_v}{j}\, j!\; d_v^{\,j}\, b_v^{\,s_v - j} z^j . $$
# ```
#
# ```{prf:proof}
# A weight is a product of one factor $b_v + d_v [u = v]$ for each record. Multiply out: from each factor choose $d_v [u = v]$ (call the record *kept*) or $b_v$ (call it *redrawn*).
#
# Take the records that show $v$. To keep $j$ of them, choose these records, choose $j$ people with the value $v$, and pair them: there are $\binom{s_v}{j}\binom{n_v}{j}\, j!$ ways, each with the factor $d_v^{\,j} b_v^{\,s_v - j}$. The product over $v$ combines all values; the power of $z$ counts the kept records.
#
# If $J$ records are kept in total, the other $s - J$ may show any of the other $n - J$ people, in $(n - J)(n - J - 1) \cdots (n - s + 1) = (n-J)!/(n-s)!$ ways.
# ```
#
# The number $\binom{n_v}{j} \binom{s_v}{j} j!$ says in how many ways $j$ rooks stand on a shaded rectangle without a common row or column, and a polynomial with such coefficients is called a *rook polynomial* {cite:p}`goldman1975`. In code, the coefficients $c_J$ are a list:

# %%
def permanent(n_v, s_v, b, d):
    """Sum of the weights of all assignments, from the counts of the values."""
    n, s = sum(n_v), sum(s_v)
    c = [Fraction(1)]
    for people_v, records_v, b_v, d_v in zip(n_v, s_v, b, d):
        factor = []
        for j in range(records_v + 1):
            ways = comb(people_v, j) * comb(records_v, j) * factorial(j)
            factor.append(ways * d_v**j * b_v ** (records_v - j))
        c = np.convolve(np.array(c, dtype=object), np.array(factor, dtype=object))
    return sum(c[J] * perm(n - J, s - J) for J in range(len(c)))


# %% [markdown]
# For one link, one person with the value $u = \tau(r)$ and one record that shows $v = \tau'(r')$ are already paired. Let $W$ be the sum of the theorem, and let $W_{u,v}$ be the sum without this person and this record. Then the match probability is $A_{u,v} W_{u,v} / W$. ({cite:t}`shlomo2010` compute it for samples in which each person is drawn independently.)
#
# ```{evidence} K-B12
# ```
#
# ## How risky are a thousand people?
#
# We return to the office: $n = 1000$, $s = 100$, ten categories, $\rho = 1/2$. Let a hundred people have each value, and let each value be shown ten times. What is the level of the link between a person with value 0 and a record that shows 0?

# %%
half = Fraction(1, 2)
b, d = [(1 - half) / 10] * 10, [half] * 10
W = permanent([100] * 10, [10] * 10, b, d)
W_00 = permanent([99] + [100] * 9, [9] + [10] * 9, b, d)  # one person, one record less
exact_level = W / ((b[0] + d[0]) * W_00)  # b + d: value 0 is shown as 0
matrix = pram.retention_matrix(half, 10)
bound = anonymity.pk_level(matrix, 1000, n_sampled=100)
print(f"exact level {float(exact_level):.2f}, Theorem 5.1 guarantees {float(bound):.2f}")

# %% [markdown]
# Why is the exact level so much higher than the bound? Theorem 5.1 ({prf:ref}`thm-di-03-bound` of notebook 3) guarantees the level $1 + (n - s)\gamma + (s - 1) g_2$. For a retention matrix, the two minima of notebook 3 satisfy $g_2 = \gamma^2$. An assignment that makes the link is a *hit*. If we exchange the target and another person $t$ in a hit, its weight is multiplied by a factor $F_t$. By the swap lemma ({prf:ref}`thm-di-03-swap` of notebook 3),
#
# $$ \text{level} = 1 + \text{the mean of } \sum_t F_t \text{ over all hits, weighted by } w . $$
#
# The theorem uses $F_t \ge \gamma$ if $t$ was not sampled, and $F_t \ge g_2$ if $t$ was. But two kinds of people have $F_t = 1$:
#
# - *People with the target's value.* Exchanging two equal people changes nothing.
# - *People whose record shows what the target's record shows.* The two people exchange equal shown values, so the weight is a product of the same entries of $A$ as before.
#
# ```{prf:theorem} Equal values count in full
# :label: thm-di-04-doubles
# Let all entries of $A$ be positive. Let $m$ people, the target included, have the target's value. Let $f$ released records, the linked one included, show the value of the linked record. Put $M = \max(m, f)$ and $S = \min(s - f,\, n - M)$. Against the journalist, the level of the link is at least $M + (n - M - S)\,\gamma + S g_2$.
# ```
#
# ```{prf:proof}
# In each hit, $m - 1$ other people have the target's value, and $f - 1$ have a record that shows the same as the target's. So at least $M - 1$ people have the factor 1. Of the other $n - M$ people, only those whose record shows another value can have a factor below $\gamma$, and it is at least $g_2$. There are $s - f$ such records, so at most $S$ such people. Add the 1 of the swap lemma.
# ```
#
# For $m = f = 1$ this is Theorem 5.1. Against the prosecutor, the people who were not sampled do not count:
#
# ```{prf:theorem} Against the prosecutor
# :label: thm-di-04-response
# Let all entries of $A$ be positive, and let $f$ released records show the value of the linked record. The level against the prosecutor is at least $f + (s - f)\, g_2$, even if the prosecutor knows exactly who was sampled. For every $f$, some table and release attain this, if $A$ has at least two columns.
# ```
#
# ```{prf:proof}
# The target was sampled, so only exchanges with the $s - 1$ other sampled people are possible. Of these, $f - 1$ have the factor 1, and $s - f$ have at least $g_2$. Add 1. If all other people have one value $u$, and the $s - f$ other records show one value $v'$, then all these $s - f$ factors are the same quotient. Choose $u$, $v'$, the target's value and the linked record's value so that this quotient is $g_2$.
# ```
#
# We compare three tables of 1,000 people. In *worst*, only the target has value 0, and only one released record shows 0; all other values are 1. *Uniform* is the table above. In *skewed*, the values are held by 1, 2, 4, …, 256 and 489 people. With `by="value"`, `match_matrix` has a row for each true value and a column for each shown value. An entry is the probability of the link between one person and one record with these values.

# %%
people_of = {"worst": [1, 999], "uniform": [100] * 10,
             "skewed": [1, 2, 4, 8, 16, 32, 64, 128, 256, 489]}
records_of = {"worst": [1, 99], "uniform": [10] * 10, "skewed": [5, 5, 5, 5, 6, 7, 8, 11, 18, 30]}
match, journalist, prosecutor = {}, {}, {}  # filled for each table
for name, n_v in people_of.items():
    values, s_v = np.arange(len(n_v)), records_of[name]
    tau, shown = values.repeat(n_v), values.repeat(s_v)
    M = posterior.match_matrix(tau, shown, transition=matrix, by="value")
    match[name] = M[: len(n_v), : len(n_v)]  # the values that occur
    link = np.diagonal(match[name])  # a record that shows the person's value
    sampled = match[name] @ s_v  # over all records: probability that the person was sampled
    journalist[name] = 1 / link
    prosecutor[name] = sampled / link  # given that the person was sampled

# %%
assert journalist["worst"][0] == bound  # the theorem is attained, in fractions
assert journalist["uniform"][0] == exact_level
bound_sampled = anonymity.pk_level_response_knowledge(matrix, 1000, n_sampled=100)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Exact levels in three tables (points), against the number of people with the target's value; n = 1000, s = 100, half of the values redrawn. Blue: the journalist. The points follow the dashed bound that counts equal values; the solid line is Theorem 5.1. Orange: the prosecutor on the same releases; the solid line is the bound for f = 1.", "name": "fig-di-04-posterior"}, "image": {"alt": "Two groups of points on logarithmic axes. The upper one rises from 84<!-- {ends[0][0]:.0f} --> and 91<!-- {ends[0][1]:.0f} --> at one person to 999<!-- {ends[0][2]:.0f} --> at 999 people, just above a dashed curve; the lower one from 1.8<!-- {ends[1][0]:.1f} --> and 9<!-- {ends[1][1]:.0f} --> to 100<!-- {ends[1][2]:.0f} -->."}} tags=["figure"]
ends = []
for attacker in (journalist, prosecutor):
    of_attacker = [attacker["worst"][0], attacker["skewed"][0], attacker["worst"][1]]
    ends.append([float(level) for level in of_attacker])
fig, ax = plots.panels(height=4.0)
alike = np.unique(np.geomspace(1, 999, 200).astype(int)).tolist()
dashed = [float(anonymity.pk_level(matrix, 1000, n_sampled=100, alike=m)) for m in alike]
ax.plot(alike, dashed, color="#555555", ls="--")
for level in (float(bound), float(bound_sampled)):
    ax.axhline(level, color="black", lw=1.2, ls="-")
for name, marker, size in (("worst", "s", 8), ("uniform", "D", 8), ("skewed", "o", 5)):
    for colour, levels in (("blue", journalist[name]), ("orange", prosecutor[name])):
        label = f"{name} table" if colour == "blue" else None
        ax.plot(people_of[name], levels.astype(float), marker, color=plots.COLOURS[colour],
                ms=size, mfc="white", label=label)
ax.text(2, 75, "Theorem 5.1", va="top")
ax.text(2, 1.95, "bound for the prosecutor")
ax.text(2, 190, "journalist", color=plots.COLOURS["blue"])
ax.text(2, 19, "prosecutor", color=plots.COLOURS["orange"])
ax.set(xscale="log", yscale="log", ylim=(1, 2000))
ax.set(xlabel="people with the target's value", ylabel="level (1 / match probability)")
ax.legend(loc="upper left", ncols=3)
plt.show()

# %% [markdown]
# Look at the only person with value 0 in the skewed table. A record that shows 0 is this person's with probability 1/90.8<!-- {"1/" + floor_text(journalist["skewed"][0], 1)} --> for the journalist and 1/9.0<!-- {"1/" + floor_text(prosecutor["skewed"][0], 1)} --> for the prosecutor. In the worst case, the levels are 83.6<!-- {floor_text(bound, 1)} --> and 1.8<!-- {floor_text(bound_sampled, 1)} -->. So the guarantee depends on one assumption of section 2.2: the attacker does not know which records were sampled.
#
# ```{evidence} K-B13 K-B14
# ```
#
# ## How much may be kept?
#
# So far the release was given. Now we choose its *design*: the sample size $s$ and the retention probability $\rho$. A design has level $k$ if every link has at least level $k$, whatever the table and the release. Suppose that we want level $k = 10$ against the journalist. For a retention matrix, some table and release attain the bound of Theorem 5.1 (notebook 3, *When is the bound exact?*). So we set the bound equal to $k$ and solve the quadratic equation for $\gamma$.
#
# ```{prf:proposition} The least noise for a level
# :label: thm-di-05-noise
# The largest retention probability at level $k$ is $\rho = (1 - \gamma)/(1 + (N-1)\gamma)$ with
#
# $$ \gamma = \frac{2 (k - 1)}{n - s + \sqrt{(n - s)^2 + 4 (s - 1)(k - 1)}} . $$
# ```

# %%
n, s, k, N, g, rho = sp.symbols("n s k N gamma rho", positive=True)
closed = 2 * (k - 1) / (n - s + sp.sqrt((n - s) ** 2 + 4 * (s - 1) * (k - 1)))
assert sp.simplify((1 + (n - s) * g + (s - 1) * g**2).subs(g, closed) - k) == 0
gamma_of_rho = (1 - rho) / (1 + (N - 1) * rho)  # the false entry over the true one
assert sp.simplify(gamma_of_rho.subs(rho, (1 - g) / (1 + (N - 1) * g)) - g) == 0


# %%
def gamma_for(n, k, s):
    """Smallest gamma at level k."""
    return 2 * (k - 1) / (n - s + np.sqrt((n - s) ** 2 + 4 * (s - 1) * (k - 1)))


def retention(n, k, N, s):
    """Largest retention probability at level k."""
    gamma = gamma_for(n, k, s)
    return (1 - gamma) / (1 + (N - 1) * gamma)


for size in (1000, 500, 100, 10):
    print(f"s = {size}: rho = {floor_text(retention(1000, 10, 10, size), 4)}")  # rounded down


# %% [markdown]
# A larger $\rho$ has a smaller $\gamma$ and therefore a lower level, so we round $\rho$ down. As the paper says, a sample needs less noise: a sample of 100 may keep 90.8%<!-- {floor_text(100 * retention(1000, 10, 10, 100), 1) + "%"} --> of the values, a release of all 1,000 records only 48.8%<!-- {floor_text(100 * retention(1000, 10, 10, 1000), 1) + "%"} -->. Is the sample therefore the better release?
#
# ```{evidence} K-B7
# ```
#
# ## Less noise is not more accuracy
#
# A user of the data wants the share $\theta$ of one category. A released record shows this category with probability $a = \rho + b$ if it is the person's true value, and with probability $b = (1-\rho)/N$ if it is not. If a share $y$ of the records shows it, $(y - b)/\rho$ is an unbiased estimate of $\theta$.
#
# ```{prf:proposition} Variance of the estimated share
# :label: thm-di-05-variance
#
# $$ \frac{\theta a(1-a) + (1-\theta)\, b(1-b)}{s\rho^2} + \frac1s\Bigl(1 - \frac sn\Bigr)\frac{n}{n-1}\,\theta(1-\theta) . $$
# ```
#
# ```{prf:proof}
# Given who was sampled, the released records are independent. Each shows the category with variance $a(1-a)$ or $b(1-b)$. The mean variance over all samples is the first part. Given the sample, the expected estimate is the share in the sample. Its variance is the second part, the textbook variance of a mean without replacement. The law of total variance adds the two.
# ```

# %%
def variance(share, N, rho, n, s):
    """Variance of the estimated share: from rewriting, and from sampling."""
    b = (1 - rho) / N
    a = rho + b
    rewriting = (share * a * (1 - a) + (1 - share) * b * (1 - b)) / (s * rho**2)
    return rewriting + (1 - s / n) / s * n / (n - 1) * share * (1 - share)


# %%
best = {}
for size_of_table in (1000, 10_000, 1_000_000):
    sizes = np.arange(2.0, size_of_table + 1)
    keeps = retention(size_of_table, 10, 10, sizes)
    relative = variance(0.1, 10, keeps, size_of_table, sizes)
    relative /= relative[-1]  # relative to a release of all records
    least = relative.argmin()
    tenth = relative[size_of_table // 10 - 2]  # sizes[0] is 2
    best[size_of_table] = (int(size_of_table - sizes[least]), relative[least], tenth)
    print(f"n = {size_of_table}: a 10% sample has {tenth:.1f} times the variance;"
          f" best: leave out {best[size_of_table][0]}, {relative[least]:.3f} times")

# %% [markdown]
# Every design here has level 10. In a table of a million, the sample of 10% has 147<!-- {best[10**6][2]:.0f} --> times the variance of a release of all records, or 12<!-- {best[10**6][2] ** 0.5:.0f} --> times the standard error. But the best design leaves out only 1.23%<!-- {best[10**6][0] / 10**6:.2%} --> of the records, and has less than half of the variance.
#
# ```{prf:proposition} Light subsampling
# :label: thm-di-05-thinning
# Fix $k$, $N$ and $\theta$, and let $\beta = \theta(1-\theta)/(1 + \theta(N-2))$. As $n$ grows, the most accurate design with a retention matrix at level $k$ leaves out about $\frac{1 - 2\beta}{\sqrt{\beta(1-\beta)}}\sqrt{n(k-1)}$ records. Its variance is about $2\sqrt{\beta(1-\beta)}$ times that of a release of all records.
# ```
#
# ```{prf:proof}
# (Sketch.) Let $x = (n-s)/n$ be the share left out, and suppose that $x$ and $N\gamma$ are small.
#
# *Level.* $k - 1 \approx nx\gamma + n\gamma^2$, so $x \approx \mu/\gamma - \gamma$ with $\mu = (k-1)/n$.
#
# *Rewriting.* For small $\gamma$, $b \approx \gamma$ and $1 - a \approx (N-1)\gamma$. So rewriting adds about $\theta(N-1)\gamma + (1-\theta)\gamma = (1 + \theta(N-2))\gamma$ to the variance of a record.
#
# *Sampling* adds $\theta(1-\theta)x$.
#
# Divided by $1 + \theta(N-2)$, the sum of both is $\gamma + \beta x = (1-\beta)\gamma + \beta\mu/\gamma$. It is smallest when its two terms are equal, at $\gamma^2 = \beta\mu/(1-\beta)$, and then it is $2\sqrt{\beta(1-\beta)\mu}$. With nobody left out, $\gamma = \sqrt\mu$ and the sum is $\sqrt\mu$.
# ```

# %%
beta = 0.1 * 0.9 / (1 + 0.1 * 8)
for size_of_table, (left_out, ratio, _) in best.items():
    predicted = (1 - 2 * beta) / np.sqrt(beta * (1 - beta)) * np.sqrt(size_of_table * 9)
    print(f"n = {size_of_table}: leave out {left_out}, predicted {predicted:.0f};"
          f" {ratio:.3f} times, predicted {2 * np.sqrt(beta * (1 - beta)):.3f}")

# %% [markdown]
# Why does this work? Each person who is left out contributes $\gamma$ to the level instead of the much smaller $\gamma^2$. This allows much less noise, and the loss of a small share of the records costs little accuracy. As $\beta \le \theta(1-\theta) \le \frac14$, the ratio of the variances is at most $\sqrt3/2 \approx$ 0.87<!-- {3**0.5 / 2:.2f} --> in the limit, for every category.
#
# In a small table with many categories, a 10% sample can be the better one: for $n = 1000$, $N = 100$ and $\theta = 0.01$, it has 0.30<!-- {variance(0.01, 100, retention(1000, 10, 100, 100), 1000, 100) / variance(0.01, 100, retention(1000, 10, 100, 1000), 1000, 1000):.2f} --> times the variance of a release of all records.
#
# ```{evidence} K-B8
# ```
#
# ## Less noise helps the prosecutor
#
# The people who are left out protect the target from the journalist only. Against the prosecutor, the level is $1 + (s-1)\gamma^2$, and less noise means a smaller $\gamma$. As $n$ grows, the most accurate design has $n\gamma^2 \approx (k-1)\beta/(1-\beta)$ (proof above). Because $\beta \le \frac14$, the prosecutor's level tends to at most $1 + (k-1)/3$. If the level against the journalist is 10, this is at most about 4<!-- {1 + (10 - 1) / 3:.0f} -->.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leaving out some records helps the user of the data (left) and harms the people (right). All designs have level 10 against the journalist (ten categories, a share of 10%); dots mark the most accurate ones. Left: variance relative to a release of all records. Right: the prosecutor's level falls from 10<!-- {starts[0]:.0f} --> towards 1, and is at most 1.6<!-- {max(dot[2] for dot in at_dots):.1f} --> at the dots.", "name": "fig-di-05-thinning"}, "image": {"alt": "Two panels against the percentage of records left out, for a thousand, ten thousand and a million records. Left, relative variance starts at 1, dips to about 0.43<!-- {at_dots[0][1]:.2f} --> at a dot, at 29<!-- {at_dots[0][0]:.0f} -->, 11<!-- {at_dots[1][0]:.0f} --> and 1<!-- {at_dots[2][0]:.0f} --> percent left out, and rises above 1. Right, the prosecutor's level falls from 10<!-- {starts[0]:.0f} --> to 1, and is below 2 at the dots."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.8, width=8.5)
at_dots, starts = [], []
for n in best:
    steps = (np.geomspace(max(1e-4, 1 / n), 0.95, 120) * n).round().astype(int)
    out = np.union1d(steps, best[n][0])
    starts.append(1 + (n - 1) * gamma_for(n, 10, n) ** 2)  # nobody is left out
    sizes = n - out
    keeps = retention(n, 10, 10, sizes.astype(float))
    curve = variance(0.1, 10, keeps, n, sizes) / variance(0.1, 10, retention(n, 10, 10, n), n, n)
    gammas = gamma_for(n, 10, sizes.astype(float))
    sampled_level = 1 + (sizes - 1) * gammas**2
    (line,) = left.plot(100 * out / n, curve, label=f"n = {n:,}")
    right.plot(100 * out / n, sampled_level, color=line.get_color(), label=f"n = {n:,}")
    dot = np.flatnonzero(out == best[n][0])[0]
    left.plot(100 * out[dot] / n, curve[dot], "o", color=line.get_color())
    right.plot(100 * out[dot] / n, sampled_level[dot], "o", color=line.get_color())
    at_dots.append((100 * out[dot] / n, curve[dot], sampled_level[dot]))
assert max(dot[2] for dot in at_dots) < 2 and np.allclose(starts, 10)
assert max(abs(dot[1] - 0.43) for dot in at_dots) < 0.01
ticks = {"xticks": [0.01, 0.1, 1, 10, 90], "xticklabels": ["0.01", "0.1", "1", "10", "90"]}
left.axhline(1, color=plots.COLOURS["grey"], ls="-", lw=1)
left.set(xscale="log", yscale="log", xlabel="records left out (%)", ylabel="relative variance")
left.set(yticks=[0.4, 1, 3, 10, 100], yticklabels=["0.4", "1", "3", "10", "100"], **ticks)
right.set(xscale="log", xlabel="records left out (%)", ylabel="prosecutor's level", **ticks)
right.set(ylim=(0, 10.5), yticks=[1, 2, 4, 6, 8, 10])
for ax in (left, right):
    ax.minorticks_off()
left.legend()
plt.show()

# %% [markdown]
# Let us design a release of a real file: the kind of employment of 1,000 people from the Adult data {cite:p}`uci2adult`, a US survey of 1994. Suppose that these people are the whole population. There are nine classes, one of which means "unknown"; one class has a single person, and another has nobody. The share of interest is that of the self-employed without a company. A design must not depend on the table, so we compute the variance with a guess of this share, 8%. The design must have level 10 against the journalist and a level $k_{\mathrm P}$ of our choice against the prosecutor. Each level needs at least a certain $\gamma$, and the larger of the two decides.

# %%
rng = np.random.default_rng(1)
thousand = rng.permutation(employment)[:1000]  # categories 0 to 8
people_in = np.bincount(thousand, minlength=9)


def best_design(k_P, sizes, share=0.08):
    """Standard error (in people), sample size and gamma of the most accurate design."""
    sizes = np.asarray(sizes, dtype=float)
    gamma_P = np.sqrt((k_P - 1) / (sizes - 1))  # from k_P = 1 + (s - 1) γ²
    gamma = np.maximum(gamma_for(1000, 10, sizes), gamma_P)
    rho = (1 - gamma) / (1 + 8 * gamma)
    error = 1000 * variance(share, 9, rho, 1000, sizes) ** 0.5
    return error.min(), int(sizes[error.argmin()]), gamma[error.argmin()]


# %%
designs = {"all records": best_design(1, [1000]), "10% sample": best_design(1, [100])}
for k_P in (1, 2, 3):
    designs[f"best, k_P ≥ {k_P}"] = best_design(k_P, range(50, 1001))
for name, (error, size, gamma) in designs.items():
    level = 1 + (size - 1) * gamma**2
    print(f"{name:13}  s = {size:4}  error {error:4.1f} people  prosecutor's level {level:.2f}")

# %% [markdown]
# Asking for $k_{\mathrm P} \ge 2$ costs almost nothing here. The 10% sample has a larger error and a lower prosecutor's level than all the others. Against the prosecutor alone, nobody should be left out: a smaller $s$ needs a larger $\gamma$, and both parts of the variance grow.
#
# ```{evidence} K-B22
# ```
#
# ## Which matrix, and which sample?
#
# *The matrix must not contain zeros.* If a matrix moves a value only to neighbouring categories, $\gamma = 0$ and Theorem 5.1 guarantees nothing.
#
# *Fewer categories need less noise.* A user who wants a single share should therefore have the column recoded to yes and no first:

# %%
for categories in (10, 2):
    sizes = np.arange(2.0, 1001)
    keeps = retention(1000, 10, categories, sizes)
    errors = variance(0.1, categories, keeps, 1000, sizes) ** 0.5
    print(f"{categories} categories, level 10: least error {100 * errors.min():.2f} points")

# %% [markdown]
# *The size of the sample must be fixed.* Suppose instead that each record is drawn independently with probability $p$. Then all records are released with probability $p^n$. The paper's criterion asks for the worst release, so by this criterion such sampling does not lower the risk (section 4.6). The [evidence notebook](../evidence/disclosure/04-exact-risk-and-design.ipynb) has levels for strata, for unequal probabilities, for locally private rewriting and for attackers who know some of the records.
#
# The figure compares designs for $n = 1000$, ten categories and several values of $p = s/n$ and $\rho$. In the built book, two sliders change $p$ and $\rho$. How close to the most accurate designs (grey) can you come?

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Every point is a design: its level against the journalist, and the standard error of a share of 10%. A solid line keeps the fraction p that is drawn and varies the retention \u03c1; a dotted line keeps \u03c1 and varies p. Grey: the most accurate design at each level. The lines for p = 95% and 50% touch it, those for 100% and 10% do not.", "name": "fig-pram"}, "image": {"alt": "Standard error against the level, both logarithmic. Four rising lines for p of 100, 95, 50 and 10 percent lie above or on a thick grey one, which those for 95 and 50 percent touch; the 10 percent line is far above it. Two dotted lines for retention 0.5 and 0.8 run level at first and then turn steeply upwards."}} tags=["figure"]
parts = [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 1.0]
keeps = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99]


def level_and_error(part, keep):
    """Level, and standard error of a share of 10% in percentage points."""
    size = round(1000 * part)
    level = anonymity.pk_level(pram.retention_matrix(keep, 10), 1000, n_sampled=size)
    return float(level), 100 * variance(0.1, 10, keep, 1000, size) ** 0.5


def least_error(level):
    """Standard error of the most accurate design at this level."""
    sizes = np.arange(2.0, 1001)
    return 100 * variance(0.1, 10, retention(1000, level, 10, sizes), 1000, sizes).min() ** 0.5


grid = np.array([[level_and_error(part, keep) for keep in keeps] for part in parts])
k_map, error_map = grid[..., 0], grid[..., 1]
k_best = 1 + np.geomspace(0.02, 499, 60)
error_best = [least_error(level) for level in k_best]
above = error_map / np.vectorize(least_error)(k_map)
assert (above > 1 - 1e-9).all()
closest = {part: above[parts.index(part)].min() for part in (1.0, 0.95, 0.5, 0.1)}
assert [ratio < 1.01 for ratio in closest.values()] == [False, True, True, False]  # the caption
fig, ax = plots.panels(height=4.0)
ax.plot(k_best, error_best, color="#bbbbbb", lw=6, ls="-", label="most accurate")
for part in (1.0, 0.95, 0.5, 0.1):
    i = parts.index(part)
    ax.plot(k_map[i], error_map[i], marker="o", ms=3.5, label=f"p = {part:.0%}")
for keep in (0.5, 0.8):
    j = keeps.index(keep)
    ax.plot(k_map[:, j], error_map[:, j], ".:", color="black", lw=0.8, ms=4)
    ax.annotate(f"ρ = {keep}", (k_map[0, j], error_map[0, j]), (4, 2), fontsize=9,
                textcoords="offset points")
ax.set(xscale="log", yscale="log", xlim=(0.95, 600), ylim=(0.12, 40))
ax.set(ylabel="standard error of a share of 10%\n(percentage points)", xlabel="level")
ax.set(xticks=[1, 10, 100], xticklabels=["1", "10", "100"])
ax.set(yticks=[0.3, 1, 3, 10, 30], yticklabels=["0.3", "1", "3", "10", "30"])
ax.minorticks_off()
ax.legend(loc="upper left")
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def release_frame(part, keep):
    i, j = parts.index(part), keeps.index(keep)
    k, error = k_map[i, j], error_map[i, j]
    note = f"{1000 * part:.0f} of 1000 records, retention {keep:.0%}: "
    note += f"level {k:.2f}, standard error {error:.2f} points. "
    note += f"The least error with ten categories is {least_error(k):.2f}."
    return [
        {"trace": 1, "x": k_map[:, j], "y": error_map[:, j]},
        {"trace": 2, "x": k_map[i], "y": error_map[i]},
        {"trace": 3, "x": [k], "y": [error]},
        {"note": note},
    ]


def curve_of(name, colour, **options):
    look = {"color": plots.COLOURS[colour], **options}
    return go.Scatter(name=name, mode="lines+markers", line=look, marker={"size": 5})


dot = {"size": 15, "color": plots.COLOURS["orange"], "line": {"width": 1.5}}
live = go.Figure(
    [
        go.Scatter(name="most accurate", x=k_best, y=error_best, mode="lines",
                   line={"color": "#999999", "width": 6}),
        curve_of("this ρ, every p", "sky", dash="dot"),
        curve_of("this p, every ρ", "blue"),
        go.Scatter(name="the release", mode="markers", marker=dot),
    ],
    {
        "xaxis": {"title": {"text": "level", "standoff": 4}, "type": "log",
                  "range": [-0.04, 2.8], "tickvals": [1, 3, 10, 30, 100, 300]},
        "yaxis": {"title": {"text": "standard error (points)"}, "type": "log",
                  "range": [-1, 2.1], "tickvals": [0.3, 1, 3, 10, 30, 100]},
    },
)  # fmt: skip
interactive.show(
    "pram",
    live,
    [
        interactive.Slider("records drawn p", parts, ".0%", start=parts.index(1.0)),
        interactive.Slider("retention ρ", keeps, ".2f", start=keeps.index(0.8)),
    ],
    release_frame,
    alt="Standard error of a share against the level. A dot for the release with "
    "the chosen p and ρ, a curve for every p at this ρ, one for every ρ at this p, "
    "and the most accurate design with ten categories at each level.",
)

# %% [markdown]
# ```{evidence} K-4.16 K-4.17 K-B3 K-B9 K-B10 K-B18
# ```
#
# ## Print a label under the release
#
# The design had to hold for the worst release, which shows some value only once. The actual release usually shows every value many times. So a *label* that is printed under it can promise more.
#
# ```{prf:theorem} A value that is shown often
# :label: thm-di-04-shown
# Let a release be in uniformly random order, independent of everything else, and let $f$ of its records show the value $a$. No attacker, whatever the attacker knows or believes, links a person to any one of these records with probability above $1/f$.
# ```
#
# ```{prf:proof}
# Suppose that the attacker even knows the true table, who was sampled, and which value each of these people shows. A person who shows $a$ is still behind each of the $f$ records with the same probability $1/f$, because all orders are equally likely. An attacker who knows less averages over such cases.
# ```
#
# So even unchanged values can be safe in a *given release* {cite:p}`elemam2008`, although, as the paper says, sampling alone guarantees nothing for *every* release. The function `publish` draws, rewrites and shuffles. Its report gives the label:

# %%
_, size, gamma = designs["best, k_P ≥ 2"]
keep = np.floor((1 - gamma) / (1 + 8 * gamma) * 1000) / 1000  # rounded down
B = pram.retention_matrix(keep, 9)
publication = publish(thousand, n_sampled=size, transition=B, rng=rng)
report = publication.risk_report()
low, high = report.participation
print(f"{size} of 1000 people; every value is shown at least {report.fewest_equal_lines} times")
print("level against the journalist:", floor_text(report.k_table_known, 1))
print("level against the prosecutor:", floor_text(report.k_participants_known, 1))
print(f"probability that a given person was sampled: {low:.3f} to {high:.3f}")

# %% [markdown]
# The report computes the two levels by {prf:ref}`thm-di-04-doubles` and {prf:ref}`thm-di-04-response`, with the smallest $f$ and with $m = 1$, because a reader of the label does not know $m$:

# %%
f, gamma = report.fewest_equal_lines, (1 - keep) / (1 + 8 * keep)
assert np.isclose(report.k_table_known, f + (1000 - size) * gamma + (size - f) * gamma**2)
assert np.isclose(report.k_participants_known, f + (size - f) * gamma**2)

# %% [markdown]
# With $p = s/n$, the odds that a given person was sampled lie between $p\gamma/(1-p)$ and $p/((1-p)\gamma)$. To see this, put an unsampled target in the place of a sampled person. An assignment without the target gives $s$ assignments with the target, and each of these comes from $n - s$ assignments without. Each time, the weight changes by a factor between $\gamma$ and $1/\gamma$. So the odds are $s/(n-s) = p/(1-p)$, times a mean of such factors. (The paper mentions this measure, δ-presence {cite:p}`nergiz2007hiding`.)
#
# The design was made for the levels 10 and 2. The label promises more, because even the value that nobody has is shown 20<!-- {shown_of_nobody} --> times. We know the true table and compare the label with the exact levels of this release:

# %%
M = posterior.match_matrix(thousand, publication.release, transition=B, by="value")
shown = np.bincount(publication.release, minlength=9)  # records for each value
present = people_in > 0  # values that somebody has
shown_of_nobody = shown[~present].min()
M = M[present]
sampled = M @ shown
exact_J = 1 / M.max()
exact_P = (sampled / M.max(axis=1)).min()
assert report.k_table_known <= exact_J
assert report.k_participants_known <= exact_P
print("most likely link: level", floor_text(exact_J, 1), "against the journalist,",
      floor_text(exact_P, 1), "against the prosecutor")
print(f"sampled with probability at most {sampled.max():.3f}")

# %% [markdown]
# **The value must be the whole line**: everything that is published about a person, as one category. The report cannot see other columns. Four people give the answer 0; if their four different ages are published too, each line is unique:

# %%
answer_only = risk_report([0, 0, 0, 0], np.eye(2), population_size=4)
with_ages = risk_report([0, 1, 2, 3], np.eye(4), population_size=4)
print(answer_only.k_table_known, with_ages.k_table_known)

# %% [markdown]
# The label is about links only. If $f$ equal lines carry the same diagnosis, nobody needs a link {cite:p}`machanavajjhala2007`. And estimates from the release can be below zero: $(y - b)/\rho$ is negative if $y < b$, which can happen for a rare value ([*Do the tools say how safe a release is?*](../research/disclosure-what-the-tools-say.ipynb)).
#
# ```{evidence} K-B11 K-B15 K-B16 K-B20 K-B21
# ```
#
# ## Exercises
#
# ```{exercise-start} A release that says nothing
# :label: ex-di-04-blind
# ```
# **Warm-up.** All rows of $A$ are equal, so a released value says nothing about its owner. With what probability does the journalist link a given person to a given record, with what probability does the prosecutor, and how likely is it that the person was sampled?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-04-blind", ...)

# %% [markdown]
# ```{solution-start} ex-di-04-blind
# :class: dropdown
# ```
# All assignments have the same weight, so the answers are $1/n$, $1/s$ and $s/n$. The prosecutor knows only that one of the $s$ records is the target's.

# %%
blind = [[Fraction(1, 3), Fraction(2, 3)]] * 2


def blind_answers(n, s):
    """Probabilities of the journalist, of the prosecutor, and of being sampled."""
    people, release = [k % 2 for k in range(n)], [k % 2 for k in range(s)]
    M = posterior.match_matrix(people, release, transition=blind)
    return M[0, 0], M[0, 0] / sum(M[0]), sum(M[0])


assert blind_answers(5, 3) == (Fraction(1, 5), Fraction(1, 3), Fraction(3, 5))
check("di-04-blind", [lambda n, s, k=k: blind_answers(n, s)[k] for k in range(3)])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A sample of one
# :label: ex-di-05-one
# ```
# **Warm-up.** What is the largest retention probability if a single record out of 1,000 is released, at level 10 with ten categories? Compare it with a sample of ten.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-05-one", ...)

# %% [markdown]
# ```{solution-start} ex-di-05-one
# :class: dropdown
# ```
# For $s = 1$ the quadratic term vanishes, so $\gamma = (k-1)/(n-1) = 1/111$ and $\rho = (1-\gamma)/(1 + 9\gamma) = 11/12$. This is 0.9166<!-- {floor_text(float(largest), 4)} -->. A sample of ten allows hardly any less, 0.9159<!-- {floor_text(retention(1000, 10, 10, 10), 4)} -->.

# %%
gamma = Fraction(10 - 1, 1000 - 1)
largest = (1 - gamma) / (1 + 9 * gamma)
assert (gamma, largest) == (Fraction(1, 111), Fraction(11, 12))
assert np.isclose(float(largest), retention(1000, 10, 10, 1))
check("di-05-one", largest)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} One line too many
# :label: ex-di-04-suppress
# ```
# **Standard.** A sample of eleven people, with unchanged values, shows one value five times, another five times and a third once. In the table, eleven people have the first value, five the second and two the third. What is the level of each of the three kinds of records against the journalist, and against an attacker who knows exactly who was sampled? What changes if the single record is suppressed?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-04-suppress", ...)

# %% [markdown]
# ```{solution-start} ex-di-04-suppress
# :class: dropdown
# ```
# The journalist's levels are 11, 5 and 2, because each person with the value may be behind the record. The other attacker's are 5, 5 and 1. Without the single record the smallest level is 5 for both attackers. The second value is shown by everybody who has it, so both attackers know that these five people were sampled.

# %%
unchanged = np.eye(3, dtype=int)
kinds = np.arange(3)
M = posterior.match_matrix(
    kinds.repeat([11, 5, 2]), kinds.repeat([5, 5, 1]), transition=unchanged, by="value"
)
table_known = [1 / M[v, v] for v in kinds]
sampled_known = [1 / Fraction(1, f) for f in (5, 5, 1)]  # the f people who show the value
assert table_known == [11, 5, 2] and sampled_known == [5, 5, 1]
check("di-04-suppress", [*table_known, *sampled_known])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many links are right
# :label: ex-di-04-links
# ```
# **Standard.** An attacker who does not know who was sampled names the most likely person for every released record. How many of the hundred links are right on average, in the tables *worst*, *uniform* and *skewed*?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-04-links", ...)

# %% [markdown]
# ```{solution-start} ex-di-04-links
# :class: dropdown
# ```
# Expectations add up even if the links depend on each other: sum the largest entry of the column of `match` over the released records. Theorem 5.1 allows up to 1.20<!-- {100 / float(bound):.2f} --> right links. In fact there are 0.551<!-- {links["uniform"]:.3f} --> in *uniform* and 0.549<!-- {links["skewed"]:.3f} --> in *skewed*. In *worst* there are only 0.111<!-- {links["worst"]:.3f} -->, because 99 records are hidden among 999 people.

# %%
links = {}
for name in people_of:
    links[name] = float(match[name].max(axis=0) @ np.array(records_of[name]))
assert max(links.values()) < 100 / bound
check("di-04-links", [links[name] for name in ("worst", "uniform", "skewed")])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Both halves of the paper together
# :label: ex-di-04-limited
# ```
# **Research.** An attacker knows ten of the 1,000 records and believes that each other record is an independent draw, uniform over the ten values. The release is a sample of 100 with PRAM. Among the ten, the target alone has value 0 and the others have value 1. The release shows 0 once and 1 otherwise. What is the exact level at $\rho = 1$, $\frac12$ and $\frac1{10}$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-04-limited", ...)

# %% [markdown]
# ```{solution-start} ex-di-04-limited
# :class: dropdown
# ```
# An unknown record shows a value with the average probability of the ten rows of $A$. So "unknown" is one more true value, with one more row of the matrix. The levels are 90.6<!-- {exact[0]:.1f} -->, 172.8<!-- {exact[1]:.1f} --> and 520.8<!-- {exact[2]:.1f} -->. More noise raises the level, and each level is higher than the bound of Theorem 5.1 for a known table.

# %%
known, shown_once = [0] + [1] * 9 + [10] * 990, [0] + [1] * 99
exact = []
for keep in (1.0, 0.5, 0.1):
    A_keep = pram.retention_matrix(keep, 10)
    rows = np.vstack([A_keep, A_keep.mean(axis=0)])
    M = posterior.match_matrix(known, shown_once, transition=rows, by="value")
    exact.append(1 / M[0, 0])
assert exact == sorted(exact)
assert exact[1] > bound  # and for ρ = 1/10, the last matrix:
assert exact[2] > anonymity.pk_level(A_keep, 1000, n_sampled=100)
check("di-04-limited", exact)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - *How risky is this release?* Divide the weight of the assignments that make the link by the weight of all assignments. For a retention matrix, both sums depend on the counts of the values only, and rook polynomials compute them for thousands of people. People with the target's value, and records that show the same value, protect the target in full.
# - *How should I design one?* Set the bound of Theorem 5.1 equal to the desired level and solve for the noise. In a large table, leave out a number of records of the order $\sqrt{n(k-1)}$, not nine in ten. This protects against the journalist. If the prosecutor matters too, demand both levels, which costs little in our file.
# - *What do I print?* The levels against both attackers and the range of the probability of having been sampled, for this release, with the whole line as the value.
#
# **Next:** the part on location histograms: [how much may the count of a crowd tell about one person?](../location/01-adversarial-privacy.ipynb) A research note asks [*Do the tools say how safe a release is?*](../research/disclosure-what-the-tools-say.ipynb)
