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
# # How fast does protection fall with the number of columns?
#
# **Question.** An office rewrites values at random and publishes a sample. The level $k$ guarantees that an attacker who knows all true values, but not who was sampled, links a published record to its person with probability at most $1/k$. How fast does the level fall when a record has more columns?
#
# **What is known.** The paper {cite:p}`kikuchi` treats all columns of a person as one value (section 2). It does not say how the level of its Theorem 5.1 depends on their number. {cite:t}`rocher2019estimating` estimate that 15 attributes would identify 99.98% of Americans (abstract).
#
# **Answer.** The level is governed by two numbers, and both are products over the columns. Take 32,561<!-- {n:,} --> people, a 10% sample and *retention* 4/5: each value is kept with probability 4/5 and otherwise drawn anew, uniformly. Then the guaranteed level is 3297<!-- {level(0.8, 1):.0f} --> for one column, 6.3<!-- {level(0.8, 3):.1f} --> for three and 1.09<!-- {level(0.8, 4):.2f} --> for four. If six columns are published unchanged, the best guess is right for 46%<!-- {unchanged_mean[5]:.0%} --> of the records.
#
# **Why it matters.** A level that was computed for one column does not hold for records with several columns.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how the levels of several columns combine, what unchanged columns do to the level, how to enclose a risk that cannot be computed exactly, and how to divide a budget among the columns of a file.
# **You need** Theorem 5.1 ([notebook 3](../disclosure/03-pram-and-sampling.ipynb)) and the exact posterior ([notebook 4](../disclosure/04-exact-risk-and-design.ipynb)).
# **Time:** 22 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** a simple random sample of $s$ of $n$ people, in random order. Each column is rewritten independently by its own matrix, or published unchanged. **The attacker** knows the true values of all people in all columns (in one section, in some columns), but not who was sampled. **Protected:** which released record belongs to which person. **Not protected:** a value that all people of a group have in common.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import permutations

import matplotlib.pyplot as plt
import numpy as np

from privlib.disclosure import (
    anonymity,
    apply_pram,
    pk_level_of_lines,
    retention_matrix,
    risk_report,
)
from privlib.notebook import datasets, plots, table

plots.use()
PLACES = {"sex": 9, "race": 8, "marital": 5, "occupation": 6, "education": 3, "age": 0}
COLUMNS = list(PLACES)
rows = [line.split(", ") for line in datasets.load("adult").decode().splitlines() if line]
people = {}
for column in COLUMNS:
    values = [row[PLACES[column]] for row in rows]
    people[column] = np.unique(values, return_inverse=True)[1]
sizes = {column: int(codes.max()) + 1 for column, codes in people.items()}
n = len(rows)
s = n // 10

# %% [markdown]
# ## Four equal answers do not protect four different ages
#
# Four people answered a question, and all of them said no. Their ages are 20, 30, 40 and 50. The office keeps each answer with probability 1/2 and otherwise draws a new one. The ages stay as they are. As in [notebook 1](../disclosure/01-who-attacks.ipynb), a released record is called a *line* for short. We ask for two reports, one for the column of answers and one for whole lines:

# %%
lines = {"answer": [0, 0, 0, 0], "age": [20, 30, 40, 50]}
flip = retention_matrix(Fraction(1, 2), 2)  # keep an answer, or draw a new one

answers_only = risk_report(lines["answer"], flip, population_size=4)
with_ages = risk_report(lines, transitions={"answer": flip}, population_size=4, table=lines)
print("answers alone: k =", answers_only.k_table_known)
print("with the ages: k =", with_ages.k_table_known)
print("best guess with the ages: right with probability", with_ages.best_guess[1])

# %% [markdown]
# The answers alone have the level 4, because four equal answers cannot be distinguished. But if the ages are published beside them, each line identifies its person. It does not help that the answers were rewritten, because the attacker looks at the age. A level must therefore be computed for everything that is published about a person.
#
# ## Method: the matrix of a line
#
# Suppose that two columns are rewritten independently, with the matrices $A$ and $B$. The line with the values $(u, u')$ then becomes the line $(a, a')$ with probability $A_{ua} B_{u'a'}$. The matrix of these products is called the *Kronecker product* of $A$ and $B$.
#
# Theorem 5.1 needs two numbers of a matrix. Let $R_{uv}(a) = A_{ua}/A_{va}$ be the ratio of the entries of the rows $u$ and $v$ in column $a$. Then
#
# $$ \gamma = \min_{u, v, a} R_{uv}(a), \qquad g_2 = \min_{u, v, a, b} \frac{R_{uv}(a)}{R_{uv}(b)}, \qquad k \ge 1 + (n - s)\,\gamma + (s - 1)\, g_2 . $$
#
# Both numbers are at most 1. The closer they are to 1, the less a published value depends on the true one.
#
# ```{prf:theorem} Levels of lines
# :label: thm-di-07-lines
# Let each column $i$ be rewritten independently by a matrix without zeros, with the numbers $\gamma_i$ and $g_{2,i}$. Then the matrix of the line has exactly $\gamma = \prod_i \gamma_i$ and $g_2 = \prod_i g_{2,i}$. For $2 \le s \le n - 1$, the bound of Theorem 5.1 for lines is attained by some table and release if and only if, for each column alone, some table and release attain the bound for this column.
# ```
#
# ```{prf:proof}
# A ratio of entries of the Kronecker product is a product of ratios, one from each column: $\prod_i R^{(i)}_{u_i v_i}(a_i)$. The indices $u_i, v_i, a_i$ of each column can be chosen freely. All ratios are positive. Therefore the smallest product is the product of the smallest ratios. The same argument gives $g_2$, whose indices $u_i, v_i, a_i, b_i$ are free as well.
#
# By [notebook 3](../disclosure/03-pram-and-sampling.ipynb), the bound is attained if and only if one pair of rows attains both minima, with the same column in the numerator. A pair of rows of the Kronecker product consists of one pair for each column of the table. Each factor is at least its own minimum, so the product attains the product of the minima only if each factor attains its minimum.
# ```
#
# The function `pk_level_of_lines` therefore need not form the large matrix. It multiplies the minima. Here is a comparison for two columns, in fractions:

# %%
A = retention_matrix(Fraction(1, 2), 2)
B = [[Fraction(c, 10) for c in row] for row in [[6, 3, 1], [1, 4, 5], [7, 1, 2]]]

from_large_matrix = anonymity.pk_level(np.kron(A, B), 30, n_sampled=10)
from_minima = pk_level_of_lines([A, B], 30, n_sampled=10)
print(from_large_matrix, from_minima)
assert from_large_matrix == from_minima


# %% [markdown]
# Some columns are rewritten *jointly*, for example to avoid impossible pairs such as a widowed child. Such columns have one common matrix, which acts on pairs of values. They count as one column.
#
# The theorem also connects the level with local differential privacy. A column whose smallest ratio is $\gamma_i$ is locally $\varepsilon_i$-differentially private with $\varepsilon_i = -\ln \gamma_i$. If the term with $g_2$ is small, the level $k$ of the line is about $1 + (n - s)\, e^{-\sum_i \varepsilon_i}$. For a given $k$, the columns therefore share a budget: the sum of their $\varepsilon_i$ must not exceed about $\ln\frac{n - s}{k - 1}$. In local differential privacy, the $\varepsilon_i$ of several columns add up in the same way.
#
# ```{evidence} K-B33
# ```
#
# ## Unchanged columns divide the people into classes
#
# The matrix of an unchanged column is the identity. It has zeros, so that $\gamma = 0$, and the theorem above does not apply. Which level is left? We call the people who have the same values in all unchanged columns a *class* (an equivalence class, in the literature on $k$-anonymity).
#
# ```{prf:theorem} Classes
# :label: thm-di-07-classes
# Suppose that some columns are published unchanged, and that the attacker knows the table. A person is behind a line of another class with probability 0. Within a class, the probabilities are those that would hold if only this class had been sampled and published. Let class $h$ have $n_h$ people, let $s_h$ of them be in the release, and let $\gamma$ and $g_2$ be the numbers of the rewritten columns. Then the guaranteed level
#
# - for this table is at least the smallest $1 + (n_h - s_h)\,\gamma + (s_h - 1)\, g_2$ over the classes in the release;
# - for this release and every table is at least the smallest $1 + (s_h - 1)\, g_2$ over these classes;
# - for every release and every table is 1.
# ```
#
# ```{prf:proof}
# An assignment says which person is behind each line. Its probability, for the attacker, is proportional to the probability that these people are rewritten to these lines. This is 0 unless every person is assigned to a line of the same class. So an assignment consists of one assignment for each class, and its probability is proportional to the product of theirs. Therefore the classes are independent. Each class is a release of $s_h$ of $n_h$ people in which only the rewritten columns matter, and Theorem 5.1 for this release gives the first level.
#
# The second level must hold for every table. The worst table for class $h$ contains no person of this class who was not sampled, so that $n_h = s_h$. For the third level, take a table in which one person forms a class alone. If this person is sampled, the attacker is certain of the link.
# ```
#
# The function `risk_report` calls the first level *k this table* and the second one *k every table*.
#
# If no column is rewritten, all people of a class have the same line. Then $\gamma = g_2 = 1$, and the best guess about a line of class $h$ is right with probability exactly $1/n_h$.
#
# An example with four people in two classes shows the theorem at work. The first column is unchanged, and the second one is rewritten by the matrix $A$ from above. We add up the probabilities of all assignments of the four people to two lines. Then we do the same for the first class alone:

# %%
def match_probabilities(people_values, released_lines, line_probability):
    """Probability that each person is behind each line, over all assignments."""
    matched = np.full((len(people_values), len(released_lines)), Fraction(0))
    for assignment in permutations(range(len(people_values)), len(released_lines)):
        weight = Fraction(1)
        for line, person in enumerate(assignment):
            weight *= line_probability(people_values[person], released_lines[line])
        for line, person in enumerate(assignment):
            matched[person, line] += weight
    return matched / matched[:, 0].sum()


def line_probability(true_line, shown_line):
    """The first column is unchanged, the second one is rewritten by A."""
    same_class = true_line[0] == shown_line[0]
    return A[true_line[1], shown_line[1]] * same_class


four_people = [("f", 0), ("f", 1), ("f", 1), ("m", 0)]
two_lines = [("f", 0), ("m", 1)]
together = match_probabilities(four_people, two_lines, line_probability)
first_class = match_probabilities(four_people[:3], two_lines[:1], line_probability)
print("first line, all four people: ", *together[:, 0])
print("first line, first class only:", *first_class[:, 0])


# %% [markdown]
# ```{evidence} K-B34
# ```
#
# ## A column that tells the attacker nothing can be left out
#
# An attacker may know the age of everybody, but nobody's diagnosis. Does the column of diagnoses help this attacker to link lines to people? Suppose that the attacker knows nothing that connects diagnoses with people or ages: all ways to assign the true diagnoses to the people are equally likely. We then call the unknown column *exchangeable*.
#
# ```{prf:proposition} Exchangeable columns
# :label: thm-di-07-known
# Suppose that the columns which an attacker does not know are exchangeable. Then the match probabilities are those of the release without these columns.
# ```
#
# ```{prf:proof}
# Fix an assignment of people to lines. Its probability is the product of a factor from the known columns and a factor from the unknown ones. The attacker takes the average of the second factor over all permutations of the unknown values. This average is the same for every assignment, because a permutation of the values has the same effect as a permutation of the people. A common factor of all assignments does not change their probabilities.
# ```
#
# `risk_report(..., known=["age"])` uses this proposition, and its first lines say so. The condition is strong. Somebody who knows that few people are widowed at the age of 20 connects the marital status with the age. So a column that is related to anything that the attacker knows must be counted as known. Suppose that all columns are counted as known. Then the level for every table also covers an attacker who is uncertain about the table, as long as this uncertainty has nothing to do with who was sampled and how values were rewritten.
#
# ```{evidence} K-B35
# ```
#
# ## Result: the file Adult
#
# We take the 32,561<!-- {n:,} --> people of the Adult data {cite:p}`uci2adult` as the population, and sample 3,256<!-- {s:,} --> of them. We add the columns in the order sex (2<!-- {sizes["sex"]} --> values), race (5<!-- {sizes["race"]} -->), marital status (7<!-- {sizes["marital"]} -->), occupation (15<!-- {sizes["occupation"]} -->), education (16<!-- {sizes["education"]} -->) and age (73<!-- {sizes["age"]} -->).
#
# ### Each rewritten column multiplies the guarantee by small numbers
#
# First, all columns are rewritten with the same retention $\rho$. A column with $N$ values has $\gamma_i = \frac{1 - \rho}{1 + (N - 1)\rho}$ and $g_{2,i} = \gamma_i^2$. The levels are:

# %%
def level(keep, count):
    """The level that retention guarantees for the first columns."""
    keep = Fraction(keep).limit_denominator(1000)
    matrices = [retention_matrix(keep, sizes[column]) for column in COLUMNS[:count]]
    return float(pk_level_of_lines(matrices, n, n_sampled=s))


counts = range(1, 7)
guaranteed = {keep: [level(keep, count) for count in counts] for keep in (0.2, 0.5, 0.8)}
for keep, levels in guaranteed.items():
    print(f"retention {keep}:", *(f"{k:.4g}" for k in levels))

# %% [markdown]
# ### Unchanged columns make lines unique
#
# Next, all columns are published unchanged. A class then consists of all people with the same line, and the risk of each line is known exactly:

# %%
rng = np.random.default_rng(8)
sample = rng.permutation(n)[:s]


def unchanged_report(count):
    columns = COLUMNS[:count]
    truth = {column: people[column] for column in columns}
    release = {column: people[column][sample] for column in columns}
    return risk_report(release, transitions={}, population_size=n, table=truth)


unchanged = [unchanged_report(count) for count in counts]
unchanged_mean = [float(report.best_guess[0]) for report in unchanged]
assert unchanged[1].k_table_known > 1 == unchanged[2].k_table_known

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {
        "unchanged columns": list(counts),
        "classes in the release": [report.classes for report in unchanged],
        "level, every table": [int(report.k_table_known) for report in unchanged],
        "level, this table": [int(report.k_this_table) for report in unchanged],
        "best guess, mean (%)": [round(100 * mean, 2) for mean in unchanged_mean],
    },
    caption="Unchanged columns: what the report says of a 10% sample of Adult.",
)


# %% [markdown]
# The level for every table is the number of lines in the smallest class of the release. It is 1 as soon as one line is unique in the sample, here from three columns on. The level for this table is the smallest number of *people*, sampled or not, in a class that occurs in the release.
#
# ### The risk of rewritten lines lies between two attackers
#
# Finally, the columns are rewritten again. We would like to know how often the best guess is right, on average over the lines. The exact probabilities sum over all assignments of 32,561<!-- {n:,} --> people to 3,256<!-- {s:,} --> lines, and we know no way to compute such a sum for several rewritten columns. But we can compute a lower and an upper bound, by two other attackers:
#
# - The *single-line attacker* looks at each line alone, and names a person who is most likely to show this line, at random among several. This attacker ignores some information, and so gives a lower bound.
# - The *informed attacker* also knows who is behind *all other lines*. The remaining candidates are the people who were not sampled and the right person. This attacker has additional information, and so gives an upper bound.
#
# ```{prf:proposition} The informed attacker
# :label: thm-di-07-told
# Let $L_t(a)$ be the probability that person $t$ shows the line $a$. The informed attacker knows the table and who is behind all lines but one. If the remaining line is $a$ and belongs to person $r$, this attacker links it to $r$ with probability $L_r(a)/\bigl(L_r(a) + \sum_{t \text{ not sampled}} L_t(a)\bigr)$. On average over the rewriting and the sample, the best guess of the informed attacker is right at least as often as that of an attacker who knows only the table.
# ```
#
# ```{prf:proof}
# The remaining assignments agree on all other lines and differ only in the person $t$ behind this line. Their probabilities are proportional to $L_t(a)$, which gives the formula. For the second statement, note that the informed attacker can ignore the additional information.
# ```

# %%
def simulate_two_attackers(keep, rng):
    """Chance that each attacker is right: one row for each number of columns."""
    matrices, shown = {}, {}
    for column in COLUMNS:
        matrices[column] = retention_matrix(keep, sizes[column])
        shown[column] = apply_pram(people[column][sample], matrices[column], rng=rng)
    unsampled = np.delete(np.arange(n), sample)
    single_line, informed = np.empty((2, len(COLUMNS), s))
    for line, person in enumerate(sample):
        likelihood = np.ones(n)  # of each person, given the columns so far
        for i, column in enumerate(COLUMNS):
            likelihood *= matrices[column][people[column], shown[column][line]]
            most_likely = likelihood >= likelihood.max() * (1 - 1e-12)
            single_line[i, line] = most_likely[person] / most_likely.sum()
            candidates = np.append(likelihood[unsampled], likelihood[person])
            informed[i, line] = candidates.max() / candidates.sum()
    return {"single-line": single_line, "informed": informed}


simulated = {keep: simulate_two_attackers(keep, rng) for keep in (0.5, 0.8)}
for keep, success in simulated.items():
    for attacker, chances in success.items():
        means = [f"{mean:.2%}" for mean in chances.mean(axis=1)]
        print(f"retention {keep}, {attacker:11}:", *means)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Adult, a 10% sample. Left: the guaranteed level falls by orders of magnitude as more columns are rewritten and published, down to 1 (dotted line). Right: how often the best guess is right, on average over the lines. For rewritten columns, the coloured curves are those of the informed attacker, and the thin black dashes those of the single-line attacker; they almost coincide.", "name": "fig-di-07-columns"}, "image": {"alt": "Two panels against the number of published columns, from 1 to 6, with logarithmic axes. Left: three falling curves of the level, for retention 0.2, 0.5 and 0.8; the lowest reaches 1 at four columns, the highest stays above 1. Right: three rising curves of the mean risk, from below one in ten thousand to a half for unchanged columns, a quarter for retention 0.8 and one in twenty for 0.5."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.8, width=8.5)
colours = {0.2: plots.COLOURS["green"], 0.5: plots.COLOURS["orange"], 0.8: plots.COLOURS["blue"]}
for keep, levels in guaranteed.items():
    left.plot(counts, levels, marker="o", color=colours[keep], label=f"retention {keep}")
left.axhline(1, color="#555555", lw=0.8, ls=":")
left.set(yscale="log", xlabel="rewritten columns", ylabel="guaranteed level k")
left.legend()
right.plot(counts, unchanged_mean, marker="o", color="#333333", label="unchanged (exact)")
for keep, success in sorted(simulated.items(), reverse=True):
    low = success["single-line"].mean(axis=1)
    high = success["informed"].mean(axis=1)
    right.plot(counts, high, marker=".", color=colours[keep], label=f"retention {keep}")
    right.plot(counts, low, "--", color="#333333", lw=1)
right.set(yscale="log", xlabel="published columns", ylabel="how often the best guess is right")
right.legend()
plt.show()

# %% [markdown]
# For each retention, the two attackers differ by little, so both bounds are close to the true average. For some numbers of columns the single-line attacker seems to be ahead, which the proposition excludes on average. This is random error of the simulation. For the single-line attacker we average, over the lines, the share of the right person among the people who are equally likely: it is 0 if the right person is not among them, so it varies much from line to line. For the informed attacker we average the probability of the best guess.
#
# The figure shows three things.
#
# - **A few columns use up the guarantee.** With retention 4/5, four columns leave a level of 1.09<!-- {level(0.8, 4):.2f} -->. With retention 1/2, six columns leave 1.01<!-- {level(0.5, 6):.2f} -->.
# - **The average risk stays far below the guaranteed limit.** At four columns with retention 4/5, the best guess is right for about 1.1%<!-- {simulated[0.8]["informed"][3].mean():.1%} --> of the lines, while the guarantee allows 92%<!-- {1 / level(0.8, 4):.0%} -->. The guarantee covers the worst line of the worst table; the average is over the lines of this table.
# - **The average risk grows with each column, and rewriting lowers it.** For six columns, retention 4/5 lowers the average from 46%<!-- {unchanged_mean[5]:.0%} --> to between 23.7%<!-- {simulated[0.8]["single-line"][5].mean():.1%} --> and 24.3%<!-- {simulated[0.8]["informed"][5].mean():.1%} --> (standard errors 0.6%<!-- {simulated[0.8]["single-line"][5].std() / s**0.5:.1%} --> and 0.4%<!-- {simulated[0.8]["informed"][5].std() / s**0.5:.1%} -->). Retention 1/2 lowers it to about 6%<!-- {simulated[0.5]["informed"][5].mean():.0%} -->.
#
# ### One rewritten column among unchanged ones helps little
#
# We publish the first three columns unchanged, and the occupation with retention 4/5. Within each class only one column is rewritten, so the probabilities can be computed exactly:

# %%
keep_occupation = retention_matrix(0.8, sizes["occupation"])
mixed = {column: people[column][sample] for column in COLUMNS[:3]}
mixed["occupation"] = apply_pram(people["occupation"][sample], keep_occupation, rng=rng)
mixed_report = risk_report(
    mixed, transitions={"occupation": keep_occupation}, population_size=n, table=people
)
print(mixed_report)
assert np.isclose(1 / float(mixed_report.k_this_table), float(mixed_report.best_guess[1]))


# %% [markdown]
# The row *best guess* shows two numbers, not an interval: the best guess is right with probability 0.017<!-- {float(mixed_report.best_guess[0]):.3f} --> on average over the lines, and with probability 0.953<!-- {float(mixed_report.best_guess[1]):.3f} --> for the easiest line. The row *k this table* is the guarantee of {prf:ref}`thm-di-07-classes` for this table: no probability exceeds $1/k$, which the report rounds up to 96%. The easiest line attains this bound.
#
# If the occupation were unchanged as well, the best guess would be right for 2.1%<!-- {unchanged_mean[3]:.1%} --> of the lines, and for some lines it would be certain. Rewriting lowers the average to 1.7%<!-- {mixed_report.best_guess[0]:.1%} --> and the largest probability to 95%<!-- {mixed_report.best_guess[1]:.0%} -->. It cannot do more for a line whose class has very few people.
#
# ```{evidence} K-B36 K-B37
# ```
#
# ## How to divide a budget among the columns
#
# {prf:ref}`thm-di-07-lines` can also be used for design. Choose a level $k$. For retention, $g_2 = \gamma^2$, so the line must have the $\gamma$ that solves $1 + (n - s)\gamma + (s - 1)\gamma^2 = k$. One way to divide this number among $d$ columns is to give each column $\gamma_i = \gamma^{1/d}$. The formula for $\gamma_i$ then yields the retention of each column:

# %%
def equal_shares(k, columns):
    """Retention of each column, with equal shares of the budget for level k."""
    unsampled = n - s
    gamma = 2 * (k - 1) / (unsampled + np.sqrt(unsampled**2 + 4 * (s - 1) * (k - 1)))
    share = gamma ** (1 / len(columns))
    return {column: (1 - share) / (1 + (sizes[column] - 1) * share) for column in columns}


for count in counts:
    kept = equal_shares(10, COLUMNS[:count])
    matrices = [retention_matrix(keep, sizes[column]) for column, keep in kept.items()]
    assert abs(pk_level_of_lines(matrices, n, n_sampled=s) - 10) < 1e-9
    print(f"{count} columns:", *(f"{column} {keep:.2f}" for column, keep in kept.items()))

# %% [markdown]
# The rows show the probabilities with which values are kept, for $k = 10$. With six columns, an occupation is kept with probability 0.16<!-- {equal_shares(10, COLUMNS)["occupation"]:.2f} --> and an age with probability 0.04<!-- {equal_shares(10, COLUMNS)["age"]:.2f} -->, so little is left to analyse. With two or three columns, most values are still kept; for more, an office should publish coarser values, which have a larger $\gamma_i$. A smaller sample hardly helps, because it raises $k - 1$ by a factor of at most $\frac{n - 1}{n - s} =$ 1.11<!-- {(n - 1) / (n - s):.2f} -->.
#
# ## What this rests on
#
# Both theorems rest on Theorem 5.1. [The evidence](../evidence/research/disclosure-many-columns.ipynb) compares them, in fractions, with sums over all assignments. `risk_report` also guards itself: it computes every level a second time, from logarithms, and if it computes exact probabilities, it requires that none exceeds $1/k$. The two attackers are simulated with one release; the evidence repeats the simulation for six columns with four other samples.
#
# ## Limits
#
# - The levels hold against attackers who do not know who was sampled. If an attacker knows this, only the other sampled people protect a person. The row *k participants known* of the report gives the level in this case.
# - The columns must be rewritten independently of each other and from person to person. A program that uses the same random seed for two columns violates this.
# - If too many lines of a class differ, `risk_report` gives bounds in place of the exact risk. They may be as wide as from $1/n_h$ to $1/k$.
# - The two attackers give bounds for an *average*. They say nothing about the worst line.
# - The level is about links between lines and people. If all people of a group have the same value in a column, the release may reveal this value, whatever the level.
#
# ## What others had
#
# That many columns undo $k$-anonymity is well known: {cite:t}`aggarwal2005curse` called it the curse of dimensionality. The products of {prf:ref}`thm-di-07-lines` are the rule by which levels of independent columns add up in local differential privacy. {cite:t}`vandenhout2004variants` stress that several rewritten variables differ from one, and give measures of risk; we could read the abstract only. Of the paper that introduced Pk-anonymity {cite:p}`ikarashi2015kanonymous`, we read the abstract and the introduction. A product over columns for retention may well be in it, and we claim no priority for {prf:ref}`thm-di-07-lines`. That published strata separate the people is a textbook fact about sampling. We found neither the three levels of {prf:ref}`thm-di-07-classes` nor the bounds by two attackers elsewhere, but did not search long.
