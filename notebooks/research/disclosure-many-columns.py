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
# **Question.** The theorems of this part speak of one column: a value is rewritten at random, a sample of the values is published, and the level $k$ bounds the chance that an attacker links a value to its person by $1/k$. A real file has many columns. How fast does the level fall when more of them are published?
#
# **Answer.** Geometrically: with columns that are rewritten independently, the two numbers that decide the level are products over the columns, and for 32,561<!-- {n:,} --> people, a 10% sample and retention 4/5 the guaranteed level is 3297<!-- {level(0.8, 1):.0f} --> for one column, 6.3<!-- {level(0.8, 3):.1f} --> for three and 1.09<!-- {level(0.8, 4):.2f} --> for four.
# A column that is published unchanged guarantees nothing, whatever happens to the others, and with six unchanged columns the best guess about a published line is right 46%<!-- {unchanged_mean[5]:.0%} --> of the time.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why a level for one column says nothing about a line, how levels of columns combine, and how to report on a release with several columns.
# **You need** Theorem 5.1 ([notebook 3](../disclosure/03-pram-and-sampling.ipynb)) and the exact posterior ([notebook 4](../disclosure/04-exact-risk-and-design.ipynb)).
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** a simple random sample of $s$ of $n$ people, in random order. Each column is rewritten independently by its own matrix, or published unchanged. **The attacker** knows the true values of all people in all columns (in one section: in some of them), but not who was sampled. **Protected:** which line is whose. **Not protected:** what all people of a group have in common.
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
# ## Four people who are not protected
#
# Four people answered a question, and all of them said no. Their ages are 20, 30, 40 and 50. For the column of answers alone, the report is reassuring:

# %%
lines = {"answer": [0, 0, 0, 0], "age": [20, 30, 40, 50]}
flip = retention_matrix(Fraction(1, 2), 2)  # keep an answer, or draw a new one

answers = risk_report(lines["answer"], flip, population_size=4)
whole = risk_report(lines, transitions={"answer": flip}, population_size=4, table=lines)
print("answers alone: k =", answers.k_table_known)
print("with the ages: k =", whole.k_table_known, "and the best guess:", whole.best_guess[1])

# %% [markdown]
# Four equal answers cannot be told apart. But if the ages are published beside them, each line names its person. The rewriting of the answers does not matter: the attacker reads the age. A level must be computed for everything that is published of a person.
#
# ## Method: the matrix of a line
#
# Suppose that two columns are rewritten independently by $A$ and $B$. Then a line is rewritten by their *Kronecker product*: the pair $(u, u')$ becomes $(a, a')$ with probability $A_{ua} B_{u'a'}$. Theorem 5.1 needs two numbers of a matrix. Let $R_{uv}(a) = A_{ua}/A_{va}$. Then
#
# $$ \gamma = \min_{u, v, a} R_{uv}(a), \qquad g_2 = \min_{u, v, a, b} \frac{R_{uv}(a)}{R_{uv}(b)}, \qquad k \ge 1 + (n - s)\,\gamma + (s - 1)\, g_2 . $$
#
# ```{prf:theorem} Levels of lines
# :label: thm-di-07-lines
# Let each column $i$ be rewritten independently by a matrix without zeros. Then the matrix of the line has $\gamma = \prod_i \gamma_i$ and $g_2 = \prod_i g_{2,i}$, both with equality. The bound of Theorem 5.1 for lines is attained for $2 \le s \le n - 1$ if and only if it is attained for each matrix alone.
# ```
#
# ```{prf:proof}
# A ratio of the product is a product of ratios, one from each column: $\prod_i R^{(i)}_{u_i v_i}(a_i)$. The indices $u_i, v_i, a_i$ of one column can be chosen without regard to the others. All ratios are positive, so the smallest product is the product of the smallest ratios. The same holds for $g_2$, whose indices $u_i, v_i, a_i, b_i$ are free as well. The bound is attained if and only if one pair of rows attains both minima ([notebook 3](../disclosure/03-pram-and-sampling.ipynb)). A pair of rows of the product is one pair for each column, and a product of numbers that are at least their minima equals the product of the minima only if each number is its minimum.
# ```
#
# The package forms no large matrix. It multiplies the minima:

# %%
A = retention_matrix(Fraction(1, 2), 2)
B = [[Fraction(c, 10) for c in row] for row in [[6, 3, 1], [1, 4, 5], [7, 1, 2]]]

of_product = anonymity.pk_level(np.kron(A, B), 30, n_sampled=10)
of_columns = pk_level_of_lines([A, B], 30, n_sampled=10)
print(of_product, of_columns)
assert of_product == of_columns


# %% [markdown]
# Columns that are rewritten *jointly*, for example so that no child becomes a widow, have one matrix on their joint values. They count as one column.
#
# Write $\gamma_i = e^{-\varepsilon_i}$. Then the level is about $1 + (n - s)\, e^{-\sum_i \varepsilon_i}$. So each column spends a part $\varepsilon_i$ of a common budget, $\ln\frac{n - s}{k - 1}$. This is the rule by which levels of local differential privacy add up.
#
# ```{evidence} K-B33
# ```
#
# ## Unchanged columns
#
# The matrix of an unchanged column is the identity. It has zeros, and $\gamma = 0$. Which level is left? Call the people with the same values in all unchanged columns a *class*.
#
# ```{prf:theorem} Classes
# :label: thm-di-07-classes
# Suppose that some columns are published unchanged. For an attacker who knows the table, the match probability of a person and a line is that within their class alone, and 0 between classes. If $s_h$ of the $n_h$ people of class $h$ are in the release, and $\gamma$, $g_2$ are the minima of the rewritten columns, then the level
#
# - for this table is at least the smallest $1 + (n_h - s_h)\,\gamma + (s_h - 1)\, g_2$ of the classes in the release;
# - for every table with this release is at least the smallest $1 + (s_h - 1)\, g_2$;
# - for every table and every release is 1.
# ```
#
# ```{prf:proof}
# The attacker holds each assignment of lines to people possible in proportion to the probability that these people show these lines. This probability is 0 unless every line goes to a person of its class. So an assignment consists of one assignment for each class, and its probability is the product of theirs. Therefore the classes are independent, and each is a release of $s_h$ of $n_h$ people with the rewritten columns only. Theorem 5.1 for this release gives the first level. The second one is its least value, because the class may have no other people, $n_h = s_h$. If a class has one person and she is sampled, she is certain; this gives the third.
# ```
#
# If no column is rewritten, all people of a class are equal. Then $\gamma = g_2 = 1$, and the risk of a line is exactly $1/n_h$.
#
# Four people in two classes show the theorem at work. We sum over all assignments, with whole lines, and compare the first class alone:

# %%
def match_probabilities(true, shown, chance):
    """Probability that each person is behind each line, over all assignments."""
    matched = np.full((len(true), len(shown)), Fraction(0))
    for order in permutations(range(len(true)), len(shown)):
        weight = Fraction(1)
        for line, person in enumerate(order):
            weight *= chance(true[person], shown[line])
        for line, person in enumerate(order):
            matched[person, line] += weight
    return matched / matched[:, 0].sum()


def chance_of_line(true, shown):
    return A[true[1], shown[1]] * (true[0] == shown[0])


town = [("f", 0), ("f", 1), ("f", 1), ("m", 0)]  # the first column is unchanged
release = [("f", 0), ("m", 1)]
print(match_probabilities(town, release, chance_of_line)[:3, 0])
print(match_probabilities(town[:3], release[:1], chance_of_line)[:, 0])


# %% [markdown]
# ```{evidence} K-B34
# ```
#
# ## Attackers who know some columns
#
# An attacker may know the age of everybody, but nobody's diagnosis. What can she do with the column of diagnoses? Suppose that she knows nothing that relates them to the ages: every assignment of the true diagnoses to people is equally likely for her. We then say that the unknown columns are *exchangeable*.
#
# ```{prf:proposition} Exchangeable columns
# :label: thm-di-07-known
# Against this attacker the match probabilities are those of the release without the columns that she does not know.
# ```
#
# ```{prf:proof}
# Fix an assignment of lines to people. Its probability is a factor from the known columns times a factor from the others. The mean of the second factor over all permutations of the unknown values does not depend on who is behind which line. So it is the same for all assignments, and cancels.
# ```
#
# `risk_report(..., known=["age"])` uses this proposition and says so in its head. The condition is strong. Somebody who knows that widows are rarely 20 years old relates the columns, and a column that is related to what the attacker knows must be counted as known. With all columns counted as known, the level for every table covers every attacker whose belief does not depend on who was sampled or on how values were rewritten.
#
# ```{evidence} K-B35
# ```
#
# ## Result: the file Adult
#
# We take the 32,561<!-- {n:,} --> people of the Adult data {cite:p}`uci2adult` for the population, and sample 3,256<!-- {s:,} --> of them. The columns come in the order sex (2 values), race (5), marital status (7), occupation (15), education (16) and age (73).
#
# *Guaranteed levels.* All columns are rewritten with the same retention:

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
# *Unchanged columns.* The risk is exact:

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
# The level for every table is the number of lines in the smallest class of the release. It is 1 as soon as one line is unique in the sample, here from three columns on. The level for this table is the least number of *people* in a class that has a line in the release.
#
# *Rewritten columns.* The exact posterior of 3,256 lines with several rewritten columns is a permanent, and out of reach. But we can enclose the mean risk between two attackers. The first one looks at each line alone and names a person who is most likely to show it. The second one is told who is behind *all other lines*. She is left with the people who were not sampled, and the right one.
#
# ```{prf:proposition} The attacker who is told
# :label: thm-di-07-told
# Let $L_t(a)$ be the probability that person $t$ shows the line $a$. An attacker who knows the table and who is behind all other lines finds person $r$ behind a line $a$ with probability $L_r(a)/\bigl(L_r(a) + \sum_{t \text{ not sampled}} L_t(a)\bigr)$. On average over the rewriting and the sample, her best guess is right at least as often as that of an attacker who is not told.
# ```
#
# ```{prf:proof}
# The assignments that agree on all other lines differ only in the person behind this one, and their probabilities are in proportion to $L_t(a)$. Whoever is told more can ignore it.
# ```

# %%
def two_attackers(keep, rng):
    """Chance of being right, by number of columns and line: alone, and told the rest."""
    matrices = {column: retention_matrix(keep, sizes[column]) for column in COLUMNS}
    shown = {c: apply_pram(people[c][sample], matrices[c], rng=rng) for c in COLUMNS}
    unsampled = np.delete(np.arange(n), sample)
    alone, told = np.empty((2, len(COLUMNS), s))
    for line, person in enumerate(sample):
        likelihood = np.ones(n)
        for j, column in enumerate(COLUMNS):
            likelihood *= matrices[column][people[column], shown[column][line]]
            best = likelihood >= likelihood.max() * (1 - 1e-12)
            alone[j, line] = best[person] / best.sum()
            others = likelihood[unsampled]
            strongest = max(others.max(), likelihood[person])
            told[j, line] = strongest / (others.sum() + likelihood[person])
    return alone, told


enclosed = {keep: two_attackers(keep, rng) for keep in (0.5, 0.8)}
for keep, (alone, told) in enclosed.items():
    print(f"retention {keep}, alone:", *(f"{x:.2%}" for x in alone.mean(axis=1)))
    print(f"retention {keep}, told: ", *(f"{x:.2%}" for x in told.mean(axis=1)))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Adult, a 10% sample. Left: the guaranteed level falls geometrically with the number of rewritten columns, to 1 (dotted line). Right: how often the best guess is right, on average over the lines. For rewritten columns, the band lies between an attacker who looks at one line alone and one who is told who is behind all others; it is hardly wider than a line.", "name": "fig-di-07-columns"}, "image": {"alt": "Two panels against the number of published columns, from 1 to 6, with logarithmic axes. Left: three falling curves of the level, for retention 0.2, 0.5 and 0.8; the lowest reaches 1 at four columns, the highest stays above 1. Right: three rising curves of the mean risk, from below one in ten thousand to a half for unchanged columns, a quarter for retention 0.8 and one in twenty for 0.5."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.8, width=8.5)
colours = {0.2: plots.COLOURS["green"], 0.5: plots.COLOURS["orange"], 0.8: plots.COLOURS["blue"]}
for keep, levels in guaranteed.items():
    left.plot(counts, levels, marker="o", color=colours[keep], label=f"retention {keep}")
left.axhline(1, color="#555555", lw=0.8, ls=":")
left.set(yscale="log", xlabel="rewritten columns", ylabel="guaranteed level k")
left.legend()
right.plot(counts, unchanged_mean, marker="o", color="#333333", label="unchanged (exact)")
for keep, (alone, told) in sorted(enclosed.items(), reverse=True):
    low, high = alone.mean(axis=1), told.mean(axis=1)
    right.plot(counts, high, marker=".", color=colours[keep], label=f"retention {keep}")
    right.fill_between(counts, low, high, alpha=0.3, color=colours[keep])
right.set(yscale="log", xlabel="published columns", ylabel="best guess, mean")
right.legend()
plt.show()

# %% [markdown]
# The two rows differ by little. Where the first attacker seems to be ahead, this is the error of the simulation: a line that she gets right counts in full, and with few such lines the mean is noisy.
#
# Three things can be read off the figure.
#
# - **Guarantees end early.** With retention 4/5, four columns leave a level of 1.09<!-- {level(0.8, 4):.2f} -->, and retention 1/2 leaves 1.01<!-- {level(0.5, 6):.2f} --> for six.
# - **The mean risk rises later, and more slowly.** At four columns with retention 4/5, the best guess is right about 1.1%<!-- {enclosed[0.8][1][3].mean():.1%} --> of the time. The guarantee is about the worst table and the worst line, the mean about this table.
# - **But it rises.** With six columns, retention 4/5 brings the mean from 46%<!-- {unchanged_mean[5]:.0%} --> to at most 24%<!-- {enclosed[0.8][1][5].mean():.0%} --> (standard error 0.4%<!-- {enclosed[0.8][1][5].std() / s**0.5:.1%} -->), and retention 1/2 to 6%<!-- {enclosed[0.5][1][5].mean():.0%} -->.
#
# *One rewritten column among unchanged ones* helps little. We publish the first three columns unchanged, and the occupation with retention 4/5. Its posterior can be computed exactly in every class:

# %%
keep_occupation = retention_matrix(0.8, sizes["occupation"])
mixed = {column: people[column][sample] for column in COLUMNS[:3]}
mixed["occupation"] = apply_pram(people["occupation"][sample], keep_occupation, rng=rng)
mixed_report = risk_report(
    mixed, transitions={"occupation": keep_occupation}, population_size=n, table=people
)
print(mixed_report)


# %% [markdown]
# Rewriting brings the mean from 2.1%<!-- {unchanged_mean[3]:.1%} --> to 1.7%<!-- {mixed_report.best_guess[0]:.1%} -->, and the easiest line from certainty to 95%<!-- {mixed_report.best_guess[1]:.0%} -->. The small classes of the unchanged columns decide.
#
# ```{evidence} K-B36 K-B37
# ```
#
# ## A budget for a file
#
# The theorem can be read backwards. For a level $k$ find $\gamma$ from $1 + (n - s)\gamma + (s - 1)\gamma^2 = k$ (retention has $g_2 = \gamma^2$), and give each of $d$ columns the share $\gamma^{1/d}$:

# %%
def equal_shares(k, columns):
    """Retention of each column, with equal shares of the budget for level k."""
    free = n - s
    gamma = 2 * (k - 1) / (free + np.sqrt(free**2 + 4 * (s - 1) * (k - 1)))
    each = gamma ** (1 / len(columns))
    return {c: (1 - each) / (1 + (sizes[c] - 1) * each) for c in columns}


for count in counts:
    kept = equal_shares(10, COLUMNS[:count])
    matrices = [retention_matrix(keep, sizes[c]) for c, keep in kept.items()]
    reached = pk_level_of_lines(matrices, n, n_sampled=s)
    assert abs(reached - 10) < 1e-9
    print(f"columns: {count}, k = 10:", *(f"{c} {keep:.2f}" for c, keep in kept.items()))

# %% [markdown]
# With six columns and $k = 10$, an answer about occupation is kept with probability 0.16<!-- {equal_shares(10, COLUMNS)["occupation"]:.2f} -->, and an age with probability 0.04<!-- {equal_shares(10, COLUMNS)["age"]:.2f} -->. A guarantee against all these attackers is affordable for two or three columns; for more, publish fewer columns, coarser values or fewer people.
#
# ## What this rests on
#
# The two theorems rest on Theorem 5.1 and on the exchange argument behind it. [The evidence](../evidence/research/disclosure-many-columns.ipynb) compares them, in fractions, with sums over all assignments. `risk_report` computes every level a second time from logarithms. Where it computes the exact posterior, it requires that no best guess exceeds $1/k$. The two attackers are simulated, with one release; the evidence repeats the six columns with four other samples.
#
# ## Limits
#
# - The levels are for attackers who do not know who was sampled. For the others only the sampled people hide a person, as the report's line *k participants known* says.
# - The columns must be rewritten independently, of each other and from person to person. One seed for two columns breaks this.
# - If too many lines of a class differ, `risk_report` gives bounds in place of the exact risk, and they may be wide: between $1/n_h$ and $1/k$.
# - The two attackers enclose a *mean*. They say nothing about the worst line.
# - A group whose members agree in a column is told, whatever the level: the level is about lines, not about what a line says.
#
# ## What others had
#
# That many columns undo $k$-anonymity is well known: Aggarwal called it the curse of dimensionality {cite:p}`aggarwal2005curse`, and Rocher and others estimate how many people a few attributes single out {cite:p}`rocher2019estimating`. In local differential privacy, levels of independent columns add up; our products are the same rule. Van den Hout and Elamir stress that one variable and several differ under PRAM, and give measures of risk {cite:p}`vandenhout2004variants`; we could read the abstract only. The same holds for the paper that introduced Pk-anonymity {cite:p}`ikarashi2015kanonymous`. A product over columns for retention may well stand there, and we claim no priority for {prf:ref}`thm-di-07-lines`. That a stratum published beside the lines separates the strata is a special case of sampling theory. We found neither the three levels of {prf:ref}`thm-di-07-classes` nor the enclosure by two attackers elsewhere, but did not search long.
