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
# # Against which attackers does a random sample protect?
#
# A hospital publishes the records of 100 of its 1,000 patients, drawn at random, without names. One line shows a rare illness, and an attacker knows that Aya has it. Is the line Aya's?
#
# **The paper** {cite:p}`kikuchi` measures the probability that a line is linked to the right person. It claims that sampling lowers this risk for attackers who know only part of the table and, if the values are also rewritten at random, for all attackers.
# **We find** that the second claim holds for attackers who do not know who was sampled, as the paper assumes. Whether the first holds also depends on what the attacker believes about the other people. If the attacker knows that Aya was sampled, sampling does not help. Without rewriting, such an attacker is certain that the line is hers. With light rewriting, the probability is still 99%<!-- {success(1000, 100, ten_values, knows_sampled=True):.0%} --> for an attacker who knows all values, and 88%<!-- {success_knowing_ten(100, ten_values, knows_sampled=True):.0%} --> for one who knows ten.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to compute the success of an attack on a sample, what Pk-anonymity and differential privacy say about a sample,
# and which attackers a sample protects against.
# **You need** conditional probability and Python.
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** $s$ of the $n$ records of a table, drawn at random without replacement and shuffled. Values may be rewritten at random.
# **The attacker** sees the release and knows how it was made. We meet attackers who know the whole table, attackers who know part of it, and attackers who also know that the person under attack, the *target*, was sampled. The paper excludes the last kind.
# **Protected:** which line shows which person. **Not protected:** what the lines say about people in general.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import permutations, product
from math import comb, prod

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## A unique value gives its owner away
#
# Take a table of four *records*, one for each person, with the values *a*, *b*, *b* and *b*. Two are drawn and published in random order, as *released records*, or *lines* for short. The attacker knows the table and sees the lines *a* and *b*.

# %%
people = ["a", "b", "b", "b"]
release = ("a", "b")
samples = list(permutations(range(4), 2))  # record behind line 0, record behind line 1
possible = [(i, j) for i, j in samples if (people[i], people[j]) == release]
print(len(samples), "samples,", len(possible), "of them possible:", *possible)

# %% [markdown]
# All 12<!-- {len(samples)} --> ordered samples were equally likely, and 3<!-- {len(possible)} --> of them are still possible. Record 0 is behind line 0 in each of these, so this link is certain. Each of the other records is behind line 1 with probability 1/3<!-- {match_probabilities((0, 1, 1, 1), (0, 1), identity)[1, 1]} -->.
#
# ```{prf:definition} Success of the attack (section 2.2; 攻撃成功の確率)
# :label: def-di-01-attack
# Let the random variable $T$ be the table and $T'$ the release, and let $\tau'$ be the release that the attacker sees. Let $\Pi(r)$ be the line that shows record $r$, or $\phi$ if $r$ was not sampled. An attack that links record $r$ to line $r'$ succeeds with
# probability $\Pr[\Pi(r) = r' \mid T' = \tau']$.
# ```
#
# ```{admonition} For readers of the paper: misprints
# :class: note dropdown
# The link must go to a line, $r' \in \mathcal{R}'$ (printed: $\mathcal{R}$, the records), and $\Pi$ may also take the value $\phi$ (missing in Definition 2.1). Samples of official statistics come from the census, センサス (printed: センサデータ, sensor data). For sampling of data without outliers, reference [1] is a paper on another subject; {cite:t}`chaudhuri2006random` is probably meant.
# ```
#
# The figure shows the whole process. The next section explains the middle column.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The setting of the paper, with four records and two lines. The values are rewritten at random (here one b becomes an a), two records are drawn, and their lines are shuffled. The attacker sees the release on the right, may know the table on the left, and asks which record is behind a line.", "name": "fig-di-01-setting"}, "image": {"alt": "Three columns of boxes. Left, the table: records 0 to 3 with the values a, b, b, b. Middle, after rewriting: a, b, a, b. Right, the release: line 0 shows a and comes from record 2, line 1 shows b and comes from record 1. Records 0 and 3 are not sampled."}} tags=["figure"]
fig, ax = plots.panels(height=3.3, width=8.0)
true_values, rewritten_values = "abbb", "abab"
heights = [3, 2, 1, 0]
box = {"boxstyle": "round,pad=0.45", "edgecolor": plots.COLOURS["black"]}
arrow = {"arrowstyle": "->", "color": plots.COLOURS["grey"], "shrinkA": 16, "shrinkB": 16}


def draw(x, y, value, name, side):
    colour = plots.COLOURS["gold"] if value == "a" else "white"
    ax.text(x, y, value, ha="center", va="center", bbox=box | {"facecolor": colour})
    where = {"left": (x - 0.3, "right"), "right": (x + 0.3, "left")}
    if side:
        ax.text(where[side][0], y, name, ha=where[side][1], va="center")


for record, y in enumerate(heights):
    draw(0, y, true_values[record], f"record {record}", "left")
    draw(2.2, y, rewritten_values[record], "", None)
    ax.annotate("", (2.2, y), (0, y), arrowprops=arrow)
for line, (record, y) in enumerate(((2, 2), (1, 1))):
    draw(4.4, y, rewritten_values[record], f"line {line}: whose?", "right")
    ax.annotate("", (4.4, y), (2.2, heights[record]), arrowprops=arrow)
for x, text in ((0, "table τ\n(attacker may know it)"), (2.2, "after rewriting\n(hidden)"),
                (4.4, "release τ′\n(attacker sees it)")):
    ax.text(x, 4.0, text, ha="center", va="center", fontsize=9)
ax.set(xlim=(-1.4, 6.2), ylim=(-0.6, 4.5))
ax.axis("off")
plt.show()

# %% [markdown]
# ```{evidence} K-2.1 K-2.2 K-2.3 K-2.4 K-2.6
# ```
#
# ## Random rewriting leaves doubt
#
# ```{prf:definition} Post-randomisation, PRAM (section 2.1)
# :label: def-di-01-pram
# A *transition matrix* (遷移確率行列) $A$ has rows that sum to 1. PRAM rewrites every record independently: a true value $u$ becomes $v$ with probability
# $A_{u,v}$ {cite:p}`kooiman1997pram`.
# ```
#
# We write 0 for *a* and 1 for *b*. The matrix `half` keeps a value with probability $\frac12$ and otherwise draws one of the two values at random. The draw can give the old value again, so a value stays the same with probability 3/4<!-- {half[0, 0]} -->. The matrix `identity` changes nothing.

# %%
half = np.array([[3, 1], [1, 3]]) * Fraction(1, 4)
identity = np.array([[1, 0], [0, 1]]) * Fraction(1)


def weight(order, table, release, A):
    """Probability that the records in this order show the release."""
    return prod(A[table[record], shown] for record, shown in zip(order, release))


def match_probabilities(table, release, A):
    """Probability that a record (row) is behind a line (column), given the release."""
    behind = np.full((len(table), len(release)), Fraction(0))
    total = Fraction(0)
    for order in permutations(range(len(table)), len(release)):
        w = weight(order, table, release, A)
        total += w
        for line, record in enumerate(order):
            behind[record, line] += w
    return behind / total if total else behind  # total 0: the release is impossible


# %% [markdown]
# All ordered samples are equally likely. By Bayes' rule, an attacker who knows the table therefore gives each of them a probability that is proportional to its *weight*, the probability that its records show the release. The function adds up the weights of all samples in which a record is behind a line.

# %%
table, release = (0, 1, 1, 1), (0, 1)
for A in (identity, half):
    print(*match_probabilities(table, release, A)[:, 0])  # line 0, records 0 to 3

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How probable it is that each record is behind line 0, which shows an a. Only record 0 has the value a. Without rewriting it is certainly behind the line. With rewriting, each of the three others can be behind it, too.", "name": "fig-di-01-doubt"}, "image": {"alt": "Pairs of bars for records 0 to 3. Without rewriting, record 0 has 1 and the others 0. With rewriting, record 0 has 9/16<!-- {behind_line[1][0]} -->, the three others 7/48<!-- {behind_line[1][1]} --> each."}} tags=["figure"]
behind_line = [match_probabilities((0, 1, 1, 1), (0, 1), A)[:, 0] for A in (identity, half)]
fig, ax = plots.panels(height=2.8)
for shift, colour, hatch, label, bars in (
    (-0.2, "blue", "", "without rewriting", behind_line[0]),
    (0.2, "orange", "///", "with rewriting", behind_line[1]),
):
    ax.bar(np.arange(4) + shift, bars.astype(float), width=0.38, color=plots.COLOURS[colour],
           hatch=hatch, edgecolor="white", label=label)  # fmt: skip
assert all(sum(bars) == 1 for bars in behind_line)
names = ["0 (a)", "1 (b)", "2 (b)", "3 (b)"]
ax.set(xlabel="record (true value)", ylabel="probability", xticks=range(4), xticklabels=names)
ax.legend()
plt.show()


# %% [markdown]
# With rewriting, record 0 is behind line 0 with probability 9/16<!-- {match_probabilities((0, 1, 1, 1), (0, 1), half)[0, 0]} --> instead of 1<!-- {match_probabilities((0, 1, 1, 1), (0, 1), identity)[0, 0]} --> ({numref}`fig-di-01-doubt`). It does not matter whether the values are rewritten before or after the sample is drawn: they are rewritten independently, and the records that are not drawn are never seen.
#
# ```{evidence} K-2.5
# ```
#
# ## What should a release guarantee?
#
# A table is *$k$-anonymous* (k-匿名性) if every record has the same value as at least $k - 1$ others {cite:p}`sweeney2002kanonymity`. For rewritten values this condition is useless, because equal lines may come from different values. The success of the attack still has a meaning.
#
# ```{prf:definition} Pk-anonymity (Definition 2.2; Pk-匿名性)
# :label: def-di-01-pk
# A process is *Pk-anonymous* if $\Pr[\Pi(r) = r' \mid T' = \tau'] \le 1/k$ for every attacker, every record $r$, every line $r'$ and every release $\tau'$ {cite:p}`ikarashi2015kanonymous`. An attacker is described by a belief: a probability distribution $f_T$ of the table. The belief is independent of sampling and rewriting.
# ```
#
# We call the largest such $k$ the *level* of the process. An attacker who knows the table gives it the probability 1. An attacker who has heard who was sampled is excluded, because the belief does not depend on the sample.
#
# There are infinitely many attackers, but it is enough to consider those who know the table:
#
# ```{prf:theorem} The worst attacker knows the table (section 5.1)
# :label: thm-di-01-worst
# For given $r$, $r'$ and $\tau'$, the largest probability of success over all attackers is that of an attacker who knows the table.
# ```
#
# ```{prf:proof}
# Suppose that the table is $\tau$. Let $b_\tau$ be the probability of the release, and $a_\tau$ the probability of the release with record $r$ behind line $r'$. An attacker who knows the table succeeds with probability $a_\tau / b_\tau$. Let $M$ be the largest quotient over the tables with $b_\tau > 0$.
# Then $a_\tau \le M b_\tau$ for every $\tau$: if $b_\tau = 0$, then $a_\tau = 0$ as well. An attacker with the belief $f_T$ succeeds with probability $\sum_\tau f_T(\tau)\, a_\tau \big/ \sum_\tau f_T(\tau)\, b_\tau$, which is therefore at most $M$.
# ```
#
# For few records, we can try all tables and all releases:

# %%
def worst_risk(n, s, A):
    """Largest probability of success: all tables of n records, all releases of s lines."""
    worst = 0
    for table in product(range(len(A)), repeat=n):
        for release in product(range(len(A)), repeat=s):
            worst = max(worst, match_probabilities(table, release, A).max())
    return worst


print("two of three records:  ", worst_risk(3, 2, half))
print("all three records:     ", worst_risk(3, 3, half))
print("3-anonymous, unchanged:", match_probabilities((0, 0, 0), (0, 0, 0), identity).max())

# %% [markdown]
# If two of three records are rewritten with `half` and published, no attacker succeeds with a probability above 9/13<!-- {worst_risk(3, 2, half)} -->, so the level is its inverse, 13/9<!-- {1 / worst_risk(3, 2, half)} -->. If all three are published, the risk is larger, 9/11<!-- {worst_risk(3, 3, half)} -->. The third result shows why Pk-anonymity extends $k$-anonymity. If a
# whole table is published unchanged, each of the $k$ people with a value is behind a line that shows it with probability $1/k$.
#
# The paper also mentions two related notions. *Probabilistic $k$-anonymity* {cite:p}`soriacomas2012probabilistic` likewise asks for $1/k$, but assumes that the attacker considers all records equally likely. *δ-presence* asks whether a person is in the release at all (see the exercises).
#
# ```{evidence} K-1.6 K-1.11 K-1.12 K-1.13 K-2.7 K-2.8 K-2.9
# ```
#
# ## Sampling alone does not lower the worst case
#
# For personal data, the paper says, one usually assumes that the attacker knows the whole table, or at least all *quasi-identifiers* (準識別子), the values by which people can be recognised. Does a smaller sample protect better against such an attacker?

# %%
print([str(worst_risk(4, s, identity)) for s in (3, 2, 1)])


# %% [markdown]
# It does not. Whenever a unique record is sampled, an attacker who knows the table finds its line with certainty, because nobody else can show that value. Without rewriting, the level is therefore 1<!-- {1 / max(worst_risk(4, s, identity) for s in (1, 2, 3, 4))} -->, no protection at all, for every sample size. In particular, Aya's line is found if nobody else has the illness.
#
# Sampling does lower how often this happens. A unique record is sampled in a fraction $s/n$ of all samples; in the first example, in 6<!-- {sum(0 in sample for sample in samples)} --> of 12<!-- {len(samples)} -->. Pk-anonymity does not count this, because it must hold for every release.
#
# ```{evidence} K-1.1 K-1.7 K-3.2 K-3.3
# ```
#
# ## An attacker who knows less can be wrong
#
# Statistical offices publish samples all the same. They also merge categories (*recoding*) and cut off extreme values (*top and bottom coding*). The samples cover about 3% of the people in the British census of 2001 {cite:p}`ons2001sars`, 3% in Canada in 1991 {cite:p}`statcan1991`, and 1% in many American files {cite:p}`ipums`. In official statistics, the attacker is
# not assumed to know everybody. A value that is unique in the sample need not be unique in the population.
#
# Suppose that two of five people are sampled without rewriting, and that exactly one line shows *a*. The attacker knows one person who has *a*, but not how many others have it. If $d$ of $n$ people have *a*, exactly one line shows it with probability $d \binom{n-d}{s-1} \big/ \binom{n}{s}$. The known person is then behind the
# line with probability $1/d$, because all $d$ people are equally likely. Three attackers differ in what they believe before the release: the first considers $d = 1, 2$ equally likely, the second $d = 1, 2, 3$, the third $d = 1, 2, 3, 4$.

# %%
def seen_once(n, s, d):
    """Probability that exactly one line shows a value that d of n people have."""
    return Fraction(d * comb(n - d, s - 1), comb(n, s))


for most in (2, 3, 4):
    weights = {d: seen_once(5, 2, d) for d in range(1, most + 1)}
    total = sum(weights.values())
    unique = weights[1] / total
    right = sum(w / d for d, w in weights.items()) / total
    print(f"d from 1 to {most}: unique with probability {unique}, guess is right with {right}")

# %% [markdown]
# The same release has three risks, one for each belief. Statistical offices estimate the probability that a value is unique in the population {cite:p}`bethlehem1990,franconi2004individual`. How is it related to the risk?
#
# ```{prf:theorem} Uniqueness and risk
# :label: thm-di-01-unique
# Values are not rewritten, and the attacker does not know who was sampled. The attacker knows the value of a person, and exactly one line shows this value. Let $q$ be the probability, given the release, that nobody else in the population has it. The guess that the line is this person's is right with a probability between $q$ and $(1 + q)/2$.
# ```
#
# ```{prf:proof}
# With probability $q$ the value is unique and the guess is right. Otherwise $d \ge 2$ people have the value, each of them is equally likely behind the line, and the guess is right with probability at most $\frac12$. So the probability lies between $q$ and $q + (1 - q)/2 = (1 + q)/2$.
# ```

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Uniqueness is close to the risk, but not the same. Each point is an attacker with a random belief, given the release, about the number d of people with the value; all lie in the band of the theorem. An attacker who thinks that at most two people have the value is on its upper border. The crosses are the three attackers of the example.", "name": "fig-di-01-unique"}, "image": {"alt": "Probability that the guess is right against the probability q that the value is unique. The points fill a band between the diagonal and a line from one half to 1. Three crosses lie at or near its upper border."}} tags=["figure"]
rng = np.random.default_rng(11)
points = []
for _ in range(500):  # probabilities of d = 1, 2, ..., given the release
    q = rng.uniform()
    numbers = np.arange(2, rng.integers(3, 30))
    shares = (1 - q) * rng.dirichlet(np.full(len(numbers), 0.5))
    points.append((q, q + (shares / numbers).sum()))
fig, ax = plots.panels(height=3.6, width=6.5)
grid = np.linspace(0, 1, 101)
ax.fill_between(grid, grid, (1 + grid) / 2, color=plots.COLOURS["sky"], alpha=0.3, lw=0,
                label="between q and (1 + q)/2")
ax.plot(*zip(*points), ".", ms=4, color=plots.COLOURS["blue"], label="random beliefs")
crosses = []
for most in (2, 3, 4):
    chances = np.array([float(seen_once(5, 2, d)) for d in range(1, most + 1)])
    chances /= chances.sum()
    crosses.append((chances[0], (chances / np.arange(1, most + 1)).sum()))
ax.plot(*zip(*crosses), "x", ms=9, mew=2, color=plots.COLOURS["orange"],
        label="the three attackers")
ax.set(xlabel="probability q that the value is unique in the population",
       ylabel="guess is right (probability)", xlim=(0, 1), ylim=(0, 1.02))
ax.legend(loc="lower right")
plt.show()


# %% [markdown]
# In the theorem, an attacker with $q = 1$ need not know the table: it is enough to know that nobody else has the value. Because the risk depends on the attacker, the paper asks *which* attacker is meant. [The next notebook](02-sampling-alone.ipynb) follows its answer, an attacker who knows $n_0$ of the $n$ records.
#
# ```{evidence} K-1.2 K-1.10 K-1.16 K-3.1
# ```
#
# ## What does differential privacy say about a sample?
#
# Differential privacy (差分プライバシー; {prf:ref}`def-lap-01-dp` of [Laplace 1](../laplace/01-attackers.ipynb)) does not speak of links. It compares two tables that differ in one record: the two probabilities of any set of releases may differ by at most a factor of $e^{\varepsilon}$.

# %%
def release_probabilities(table, s, A):
    """Distribution of the release."""
    orders = list(permutations(range(len(table)), s))
    probabilities = {}
    for release in product(range(len(A)), repeat=s):
        total = sum(weight(order, table, release, A) for order in orders)
        probabilities[release] = total / len(orders)
    return probabilities


for neighbour in ((0, 1, 1), (1, 1, 1)):
    # the releases (0, 0), (0, 1), (1, 0) and (1, 1)
    print(*release_probabilities(neighbour, 2, identity).values())


# %% [markdown]
# The release $(0, 1)$ is possible for the first table and impossible for the second, so no $\varepsilon$ suffices. The weaker $(\varepsilon, \delta)$-differential privacy allows an additional difference of $\delta$ between the two probabilities. The changed record can matter only if it is sampled, which has probability $s/n$. The probabilities of any set of releases therefore differ by at most $s/n$, so $\varepsilon = 0$ and $\delta = s/n$ suffice. With $\varepsilon = 0$ no smaller $\delta$ suffices, because a unique value is shown with probability $s/n$ under one table and never under the other. In the example, $s/n$ is 2/3<!-- {1 - release_probabilities((0, 1, 1), 2, identity)[1, 1]} -->.
#
# With rewriting by a matrix without zeros, some $\varepsilon$ suffices: if all records are published, $e^{\varepsilon}$ is the largest ratio of two entries of a column. Sampling lowers it:
#
# ```{prf:theorem} Sampling strengthens differential privacy
# :label: thm-di-01-amplified
# Apply an $\varepsilon$-differentially private mechanism to a random sample of $s < n$ of $n$ records. The result is $\varepsilon'$-differentially private with
# $e^{\varepsilon'} = 1 + \frac{s}{n}(e^{\varepsilon} - 1)$. If the mechanism is PRAM (with shuffling) by a matrix without zeros, and $e^{\varepsilon}$ is the largest ratio of two entries of a column, no smaller $\varepsilon'$ will do.
# ```
#
# ```{admonition} Proof
# :class: dropdown
# Two tables differ in record $r$. Let $x$ and $y$ be the probabilities of a set of releases under the two tables if $r$ is sampled, and $z$ the probability if it is not, which is the same for both. With $p = s/n$, the set has probability $p x + (1-p) z$ under the first table and $p y + (1-p) z$ under the second.
#
# First, $x \le e^{\varepsilon} y$ by differential privacy. Second, take a random sample with $r$ and replace $r$ by a random record outside it (there is one, as $s < n$). All samples without $r$ are equally likely to result. The mechanism sees one changed record, so the inequality holds for each such pair of samples, and hence for the averages: $x \le e^{\varepsilon} z$. So $x \le e^{\varepsilon} m$ with $m = \min(y, z)$, and
#
# $$ p x + (1 - p) z \;\le\; p y + (1 - p) z + p\,(e^{\varepsilon} m - m) \;\le\; \bigl(1 + p\,(e^{\varepsilon} - 1)\bigr)\bigl(p y + (1 - p) z\bigr) , $$
#
# where the first step uses $y \ge m$ and the second $m \le p y + (1 - p) z$. The other direction follows by exchanging the two tables.
#
# For PRAM, take a column with the largest ratio. Let $h$ be its largest entry and $l$ its smallest, so that $h = e^{\varepsilon} l$. Let $u$ be a value whose row contains $h$, and $v$ one whose row contains $l$. All records have $v$ in both tables, except that $r$ has $u$ in the first. If all lines show the value of the column, the ratio is $\bigl(p\, h\, l^{s-1} + (1-p)\, l^s\bigr) / l^s = 1 + p\,(e^{\varepsilon} - 1)$.
# ```

# %%
def largest_ratio(n, s, A):
    """Largest ratio of the probabilities of a release: all tables that differ in record 0."""
    largest = 0
    for rest in product(range(len(A)), repeat=n - 1):
        for u, v in permutations(range(len(A)), 2):
            first = release_probabilities((u, *rest), s, A)
            second = release_probabilities((v, *rest), s, A)
            largest = max(largest, *(first[x] / second[x] for x in first))
    return largest


exp_epsilon = largest_ratio(1, 1, half)
for n, s in ((2, 1), (3, 1), (3, 2), (4, 2)):
    assert largest_ratio(n, s, half) == 1 + Fraction(s, n) * (exp_epsilon - 1)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The level \u03b5\u2032 of a mechanism on a sample against its level \u03b5 on all records, for samples of 50, 10 and 1%; the diagonal (100%) is the mechanism without sampling. For small \u03b5, \u03b5\u2032 is about the sampled share of \u03b5: a sample of 10% divides \u03b5 by ten. For large \u03b5, a sample only subtracts a constant from \u03b5.", "name": "fig-di-01-amplified"}, "image": {"alt": "Four rising curves for \u03b5 from 0 to 6. The one for 100% is the diagonal. Those for 50, 10 and 1% start flat and become steeper; the one for 50% soon runs parallel to the diagonal, and the one for 1% is still at 1.6<!-- {np.log1p(0.01 * (np.exp(6) - 1)):.1f} --> where \u03b5 is 6."}} tags=["figure"]
strict = np.linspace(0, 6, 121)
fig, ax = plots.panels(height=3.0)
for share in (1, 0.5, 0.1, 0.01):
    ax.plot(strict, np.log1p(share * np.expm1(strict)), label=f"{share:.0%} sampled")
ax.set(xlabel="level ε on all records", ylabel="level ε′ on a sample")
ax.legend()
plt.show()

# %% [markdown]
# The upper bound is known {cite:p}`smith2009secrecy,balle2018privacy`, and {cite:t}`lin2013benefits` study sampling with PRAM. The paper cites two more ways to get differential privacy from sampling, with $k$-anonymisation {cite:p}`li2012sampling` and for data without outliers. We did not check these.
#
# Does $\varepsilon$ determine the risk of identification? The paper says that it does not {cite:p}`lee2011enough`. Indeed, the following two matrices have the same largest ratio, 3<!-- {exp_epsilon} -->, but different worst risks when all of three records are published:

# %%
skewed = np.array([[3, 3], [1, 5]]) * Fraction(1, 6)
for A in (half, skewed):
    print("largest ratio", largest_ratio(1, 1, A), " worst risk", worst_risk(3, 3, A))

# %% [markdown]
# The table matters as well. If all three people have the same value, each is behind a line with probability 1/3<!-- {match_probabilities((0, 0, 0), (0, 0, 0), half).max()} -->, whatever the matrix.
#
# ```{evidence} K-0.3 K-0.4 K-1.3 K-1.4 K-1.5 K-1.14 K-1.15 K-1.17 K-B10
# ```
#
# ## Does the attacker know who was sampled?
#
# One assumption of section 2.2 is decisive: the attacker does *not* know which records were sampled. We call such an attacker a *journalist*, and an attacker who knows that the target was sampled a *prosecutor*, roughly as El Emam and Dankar do {cite:p}`elemam2008`. The probability that a record was sampled is the sum of its
# probabilities for all lines, so the prosecutor divides by this sum:

# %%
behind = match_probabilities((0, 1, 1, 1), (0, 1), half)
print("journalist:", behind[0, 0], " prosecutor:", behind[0, 0] / behind[0].sum())


# %% [markdown]
# How large is the difference for 1,000 people? We need a formula.
#
# ```{prf:theorem} A target with a unique value
# :label: thm-di-01-target
# Let the target have value 0 and the $n - 1$ others value 1. The release shows 0 on one line and 1 on the $s - 1$ others. An attacker who knows the table links the target to the line with value 0 with probability
#
# $$ 1 \Big/ \Bigl( 1 + (n - s)\, \frac{A_{1,0}}{A_{0,0}} + (s - 1)\, \frac{A_{1,0} A_{0,1}}{A_{0,0} A_{1,1}} \Bigr) . $$
#
# For an attacker who also knows that the target was sampled, the term with $n - s$ is missing.
# ```
#
# ```{prf:proof}
# Among all ordered samples, those with the target behind the line with value 0, those without the target, and those with the target behind another line are in the ratio $1 : (n - s) : (s - 1)$. Their weights are $A_{0,0} A_{1,1}^{s-1}$, then $A_{1,0} A_{1,1}^{s-1}$, then $A_{1,0} A_{0,1} A_{1,1}^{s-2}$. Divide
# by the first weight.
# ```

# %%
def success(n, s, A, *, knows_sampled=False):
    """Probability of the link between a unique target and the line with its value."""
    not_sampled = 0 if knows_sampled else (n - s) * A[1][0] / A[0][0]
    other_line = (s - 1) * A[1][0] * A[0][1] / (A[0][0] * A[1][1])
    return 1 / (1 + not_sampled + other_line)


assert success(4, 2, half) == Fraction(9, 16)
assert success(4, 2, half, knows_sampled=True) == Fraction(9, 10)

# %% [markdown]
# Now let the hospital use ten values. A value stays the same with probability 0.91, and becomes each of the nine others with probability 0.01. Aya has value 0, and suppose that all other patients have value 1. Then two rows of the matrix suffice:

# %%
# rows: values 0 and 1; columns: 0 shown, 1 shown, any of the eight other values shown
ten_values = [[0.91, 0.01, 0.08], [0.01, 0.91, 0.08]]
print(f"journalist {success(1000, 100, ten_values):.3f}, "
      f"prosecutor {success(1000, 100, ten_values, knows_sampled=True):.3f}")

# %% [markdown]
# The attacker who knows the table finds Aya's line with probability 9.2%<!-- {success(1000, 100, ten_values):.1%} -->. If the attacker also knows that Aya was sampled, the probability is 99%<!-- {success(1000, 100, ten_values, knows_sampled=True):.0%} -->.
#
# The paper's bound for every attacker who does not know who was sampled, Theorem 5.1, is $k \ge 1 + (n - s)\gamma + (s - 1) g_2$. Here $\gamma$ is the smallest ratio of two entries of a column, and $g_2$ the smallest value of $A_{u',v} A_{u,v'} / (A_{u,v} A_{u',v'})$ over all rows $u, u'$ and columns $v, v'$. If a value stays with probability $w$ and becomes each other value with probability $c < w$, then
# $\gamma = c/w$ and $g_2 = \gamma^2$. So the table and the release of {prf:ref}`thm-di-01-target` attain the bound:

# %%
w, c, n, s = sp.symbols("w c n s", positive=True)
gamma = c / w
bound = 1 + (n - s) * gamma + (s - 1) * gamma**2
assert sp.simplify(1 / success(n, s, [[w, c], [c, w]]) - bound) == 0

# %% [markdown]
# What if the attacker knows only ten records? Aya has value 0, and the nine others have value 1. The other 990 people are *strangers*. Let this attacker believe that each stranger, independently, has value 0 with probability 1/10 and value 1 otherwise, as among these ten. A stranger's line then shows $v$ with probability $\frac1{10} A_{0,v} + \frac9{10} A_{1,v}$. So we treat a stranger as a person with a third value, and these probabilities are its row of the matrix. In our package, `match_probability` computes one entry of `match_probabilities`, also for large tables, and `response_match_probability` computes the same for a prosecutor:

# %%
from privlib.disclosure.posterior import match_probability, response_match_probability

known = [0] + [1] * 9  # Aya and nine others
zeros = known.count(0) / len(known)  # share of value 0, believed of strangers


def success_knowing_ten(s, A, *, knows_sampled=False):
    """The same link for the attacker who knows ten of the 1,000 records."""
    stranger = [zeros * zero + (1 - zeros) * one for zero, one in zip(*A)]
    table = known + [2] * (1000 - len(known))  # 2: a stranger
    release = [0] + [1] * (s - 1)
    probability = response_match_probability if knows_sampled else match_probability
    # a line is called slot in the package
    return probability(table, release, transition=[*A, stranger], record=0, slot=0)


# %%
no_rewriting = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
for A in (no_rewriting, ten_values):
    print(f"journalist {success_knowing_ten(100, A):.3f}, "
          f"prosecutor {success_knowing_ten(100, A, knows_sampled=True):.3f}")

# %% [markdown]
# Without rewriting, the journalist's probability is only 1.1%<!-- {success_knowing_ten(100, no_rewriting):.1%} -->. This number depends on the attacker's belief: before the release, this attacker expects that 99<!-- {zeros * (1000 - len(known)):.0f} --> strangers have the illness. The prosecutor is certain, and no belief matters: Aya is behind some line, and only one line shows her value. Even with rewriting, the prosecutor's probability is 88%<!-- {success_knowing_ten(100, ten_values, knows_sampled=True):.0%} -->.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Sampling does not help against an attacker who knows that Aya was sampled (broken lines). One person of 1,000 has the illness, and one line shows it; the vertical axis is logarithmic. Left: without rewriting, every attacker who knows the table or knows that Aya was sampled is certain. Right: with rewriting (a value stays with probability 0.91), a smaller sample lowers the risk from attackers who do not know that Aya was sampled, and raises it from those who do.", "name": "fig-di-01-attackers"}, "image": {"alt": "Two panels, probability of the link on a logarithmic axis against the number of sampled records from 1 to 1,000. Left: the attacker who knows ten records rises from 0.010<!-- {success_knowing_ten(1, no_rewriting):.3f} --> to 1 at the right end, the three others stay at 1. Right: the attacker who knows ten records rises from 0.009<!-- {success_knowing_ten(1, ten_values):.3f} --> to 0.43<!-- {success_knowing_ten(1000, ten_values):.2f} -->, and the one who knows the table from 0.08<!-- {success(1000, 1, ten_values):.2f} --> to 0.89<!-- {success(1000, 1000, ten_values):.2f} -->. For attackers who also know that Aya was sampled, the probability falls from 1 to these same two values."}} tags=["figure"]
sizes = [1, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950, 980, 1000]
fine = np.arange(1, 1001)
fig, axes = plots.panels(1, 2, height=3.8, width=8.5, sharey=True)
for ax, A, title in zip(axes, (no_rewriting, ten_values), ("without rewriting", "with rewriting")):
    prosecutor = [success(1000, size, A, knows_sampled=True) for size in fine]
    journalist = [success(1000, size, A) for size in fine]
    ten_sampled = [success_knowing_ten(size, A, knows_sampled=True) for size in sizes]
    ten = [success_knowing_ten(size, A) for size in sizes]
    ax.plot(fine, prosecutor, ls="--", color=plots.COLOURS["orange"], zorder=3,
            label="the table, and that Aya was sampled")
    ax.plot(fine, journalist, color=plots.COLOURS["blue"], lw=4, alpha=0.5, zorder=1,
            label="the table")
    ax.plot(sizes, ten_sampled, "o:", mfc="white", color=plots.COLOURS["green"],
            label="ten records, and that Aya was sampled")
    ax.plot(sizes, ten, "o-", color=plots.COLOURS["green"], label="ten records")
    ax.set(title=title, xlabel="sampled records of 1,000", yscale="log", ylim=(0.007, 1.3))
    ax.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
# What the caption and the text say about the right panel.
assert (np.diff(prosecutor) < 0).all() and (np.diff(ten_sampled) < 0).all()
assert (np.diff(journalist) > 0).all() and (np.diff(ten) > 0).all()
axes[0].set_ylabel("success of the attack (probability)")
axes[0].legend(title="the attacker knows", loc="center left", fontsize="small")
plt.show()

# %% [markdown]
# The paper concludes that sampling helps if the sampled table is uncertain *to the attacker*. The table is uncertain either because the attacker knows only part of it (full green curve, left) or because its values are rewritten (blue curve, right). In both cases a smaller sample lowers the risk.
#
# Both cases need the assumption of section 2.2. Against an attacker who knows that Aya was sampled (broken curves), a smaller sample does not help. With rewriting, the risk is even *highest* for small samples, in which fewer other lines could be Aya's. If this attacker knows the table, the risk is at least 89%<!-- {min(success(1000, size, ten_values, knows_sampled=True) for size in fine):.0%} --> for every sample size.
#
# [Notebook 2](02-sampling-alone.ipynb) treats limited knowledge, [notebook 3](03-pram-and-sampling.ipynb) rewriting.
#
# ```{evidence} K-2.10 K-3.4
# ```
#
# ## Exercises
#
# ```{exercise-start} Hidden in a crowd
# :label: ex-di-01-crowd
# ```
# **Warm-up.** Five people have value 0 and five have value 1. Four of them are sampled without rewriting, and the release shows 0, 0, 0, 1. For an attacker who knows the table, what is the probability that a given record is behind a given line, if their values are equal, and if they differ?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-01-crowd", ...)

# %% [markdown]
# ```{solution-start} ex-di-01-crowd
# :class: dropdown
# ```
# It is 1/5<!-- {crowd[0, 0]} --> for equal values and 0<!-- {crowd[0, 3]} --> otherwise. Given the release, each line with value 0 is equally likely to show any of the five people with value 0. How often a value is shown says how likely each of these people is to have been *sampled* (3/5<!-- {crowd[0].sum()} -->), but not who is behind which line.

# %%
crowd = match_probabilities([0] * 5 + [1] * 5, (0, 0, 0, 1), identity)
assert crowd[0].sum() == Fraction(3, 5)  # record 0 was sampled
check("di-01-crowd", (crowd[0, 0], crowd[0, 3]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Certainly absent
# :label: ex-di-01-absent
# ```
# **Standard.** *δ-presence* {cite:p}`nergiz2007hiding,nergiz2010` limits the probability that a person is in the release, from above *and from below*. The paper mentions only the upper limit. Give an example without rewriting in which the upper limit holds, but the attacker is certain of something. (No `check`: your example is the answer.)
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-01-absent
# :class: dropdown
# ```
# Let the table be *a*, *b*, *b* and the release *b*. The person with *a* is certainly not in the release, and no upper limit is violated. With rewriting, the attacker can no longer be certain.

# %%
for A in (identity, half):
    print("sampled with probability", match_probabilities((0, 1, 1), (1,), A)[0].sum())
assert match_probabilities((0, 1, 1), (1,), identity)[0].sum() == 0
assert match_probabilities((0, 1, 1), (1,), half)[0].sum() > 0

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A rumour about the target
# :label: ex-di-01-rumour
# ```
# **Standard.** Take the table and the release of {prf:ref}`thm-di-01-target`, and a matrix with $A_{1,0}/A_{0,0} = A_{0,1}/A_{1,1} = \gamma$. Before the release is seen, a rumour gives the odds $\omega$ that the target was sampled. (Without the rumour they are $s/(n - s)$.) What is the probability of the link, as a function of $n$, $s$, $\gamma$ and $\omega$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-01-rumour", ...)


# %% [markdown]
# ```{solution-start} ex-di-01-rumour
# :class: dropdown
# ```
# The rumour multiplies the weight of every sample with the target by $\lambda = \omega (n - s)/s$. In the proof of the theorem, $\lambda$ multiplies the first and the third weight, but not the second. After the division by the first weight, the term $(n - s)\gamma$ is therefore divided by $\lambda$, and becomes $s\gamma/\omega$. The odds $\omega = s/(n-s)$ give the journalist, and $\omega \to \infty$ gives the prosecutor.

# %%
def success_with_rumour(n, s, gamma, odds):
    return 1 / (1 + s * gamma / odds + (s - 1) * gamma**2)


target_first = without = elsewhere = Fraction(0)  # odds 7/2, five records, release 0 1 1
for order in permutations(range(5), 3):
    w = weight(order, (0, 1, 1, 1, 1), (0, 1, 1), half)
    if order[0] == 0:
        target_first += w
    elif 0 in order:
        elsewhere += w
    else:
        without += w
factor = Fraction(7, 2) * Fraction(5 - 3, 3)
by_enumeration = factor * target_first / (factor * (target_first + elsewhere) + without)
assert by_enumeration == success_with_rumour(5, 3, Fraction(1, 3), Fraction(7, 2))
check("di-01-rumour", success_with_rumour)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two samples of one table
# :label: ex-di-01-twice
# ```
# **Research.** An office publishes two independent samples, each of $s$ of the same $n$ records, without rewriting. What is the smallest $\delta$ for which the pair is $(0, \delta)$-differentially private? With rewriting, does it matter whether the table is rewritten once, before both samples, or anew for each?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-01-twice", ...)


# %% [markdown]
# ```{solution-start} ex-di-01-twice
# :class: dropdown
# ```
# The changed record can matter only if it is in at least one sample, which has probability $\delta = 1 - (1 - s/n)^2$. A unique value attains this.
#
# With rewriting it matters: rewriting once is always better. Let $p = s/n$, and let $e^{\varepsilon}$ be the largest ratio of two entries of a column of the matrix.
#
# *Anew.* The two releases are independent, so the largest ratios multiply. By {prf:ref}`thm-di-01-amplified` this gives $(1 + p\,(e^{\varepsilon} - 1))^2$.
#
# *Once.* Let $j$ be the number of records that are in both samples. Given $j$, the $m = 2s - j$ records that are in at least one sample are a random sample of size $m$. To rewrite each of them once, and to show $j$ of them in both releases, is $\varepsilon$-differentially private in these $m$ records. By the same theorem, the ratio given $j$ is at most $1 + \frac{m}{n}(e^{\varepsilon} - 1)$; if $m = n$, this is $e^{\varepsilon}$. The distribution of $j$ is the same for both tables, and $m \le \min(2s, n)$. The ratio is therefore at most $1 + \min(2p, 1)\,(e^{\varepsilon} - 1)$, which is smaller than $(1 + p\,(e^{\varepsilon} - 1))^2$ if $e^{\varepsilon} > 1$.
#
# For two people, $s = 1$ and the matrix `half`, the largest ratio is 4<!-- {anew} --> anew and 11/5<!-- {once} --> once; the bound for once is 3<!-- {once_bound} -->.

# %%
def one_rewriting(table):
    """Distribution of two samples of one record from two, rewritten once."""
    pairs = dict.fromkeys(product((0, 1), repeat=2), Fraction(0))
    for shown in product((0, 1), repeat=2):
        for first, second in product(shown, repeat=2):
            pairs[first, second] += weight((0, 1), table, shown, half) / 4
    return pairs


once = 0
for (u, v), rest in product(((0, 1), (1, 0)), (0, 1)):
    first, second = one_rewriting((u, rest)), one_rewriting((v, rest))
    once = max(once, *(first[x] / second[x] for x in first))
anew = largest_ratio(2, 1, half) ** 2
assert once == Fraction(11, 5) and anew == 4
once_bound = 1 + min(2 * Fraction(1, 2), 1) * (exp_epsilon - 1)
assert once <= once_bound < anew


def delta_of_two(n, s):
    return 1 - (1 - s / n) ** 2


check("di-01-twice", delta_of_two)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *What does Pk-anonymity guarantee?* An attacker who does not know who was sampled links a line to the right person with probability at most $1/k$. It is enough to check attackers who know the table.
# 2. *Against which attackers does sampling alone protect?* Against those who do not know who was sampled and think it likely that others have the same value. An attacker who knows that a value is unique finds its line whenever it is sampled.
# 3. *What does rewriting add, and when is it not enough?* With it, sampling lowers the risk from an attacker who knows the table, but light rewriting hardly helps against one who also knows that the target was sampled.
#
# **Further reading.** {cite:t}`ikarashi2015kanonymous` introduced Pk-anonymity; {cite:t}`franconi2004individual` estimate the risk in official statistics. **Next:** [how safe is a person in a 1% sample?](02-sampling-alone.ipynb)
