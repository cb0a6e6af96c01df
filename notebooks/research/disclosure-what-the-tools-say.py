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
# # Do the tools say how safe a release is?
#
# **Question.** Statistical offices protect files and tables with public programs. What does the noise of these programs guarantee to a person, and can their numbers be trusted?
#
# **What is known.** Theorem 5.1 of the paper {cite:p}`kikuchi` gives a level for every PRAM matrix without zeros. The program sdcMicro {cite:p}`templ2015sdcmicro` reports how many values PRAM changed, but no level. {cite:t}`rinott2018confidentiality` judge noise in tables of counts by differential privacy (abstract). We found no least possible $\delta$ for bounded noise in print.
#
# **Answer.** On its test file, the matrix that sdcMicro draws by default guarantees the level 1.015<!-- {k:.3f} -->, and 1 is no guarantee. Its "exact" individual risk can come out negative where 0.08<!-- {by_terms:.2f} --> is right. The example noise of the program ptable has $\delta =$ 0.124<!-- {delta(ptable[4], ptable[5], 1):.3f} --> at $\varepsilon = 1$; the least within the same bounds is 0.067<!-- {geometric(2, 1)[1]:.3f} -->.
#
# **Why it matters.** A user of these programs can compute the guarantee in a few lines, and should report it.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** which level an invariant PRAM matrix guarantees, how many digits a formula can lose by rounding, what bounded noise can guarantee for a table of counts, and how to prove that an estimate is the most likely one.
# **You need** Theorem 5.1 ([notebook 3](../disclosure/03-pram-and-sampling.ipynb)), its extension to equal values ([notebook 4](../disclosure/04-exact-risk-and-design.ipynb)) and logarithms.
# **Time:** 24 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Files:** all records are released in random order, and each value was rewritten independently (PRAM). The attacker knows the whole table and the matrix. **Protected:** which record belongs to which person. **Tables of counts:** noise was added to each count. The attacker knows the data of everybody except one person. **Protected:** whether this person was counted. **Not considered:** several releases about the same people, except in one exercise.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go

from privlib.disclosure import anonymity, pram, sampling
from privlib.notebook import interactive, plots
from privlib.research import knowledge_models

plots.use()


def r_uniform(seed, size):
    """What R's set.seed(seed); runif(size) draws."""
    state = seed
    for _ in range(51):
        state = (69069 * state + 1) % 2**32  # R's scrambling of the seed
    key = []
    for _ in range(624):
        state = (69069 * state + 1) % 2**32
        key.append(state)
    twister = np.random.MT19937()
    words = {"key": np.array(key, dtype=np.uint32), "pos": 624}
    twister.state = {"bit_generator": "MT19937", "state": words}
    return twister.random_raw(size) / 2**32


home = np.array(  # roof (2, 4, 5, 6, 9) by walls (2, 3, 9) of sdcMicro's `testdata`
    [[23, 779, 12], [1161, 2498, 38], [19, 0, 0], [0, 34, 0], [0, 16, 0]]
)
roof, walls, n = home.sum(axis=1), home.sum(axis=0), int(home.sum())

# the example of ptable: row i shows a count of i; counts of 4 and more have the same noise
noise_of_large_counts = [0.07012498, 0.24450007, 0.3707499, 0.24450007, 0.07012498]
ptable = np.zeros((6, 8))
ptable[0, 0] = 1
ptable[1, :4] = [0.50833333, 0, 0.475, 0.01666667]
ptable[2, :5] = [0.16155827, 0, 0.55565037, 0.24246618, 0.04032518]
ptable[3, :6] = [0, 0, 0.41231301, 0.28806097, 0.18693903, 0.11268699]
ptable[4, 2:7] = ptable[5, 3:8] = noise_of_large_counts


# %% [markdown]
# ## The default matrix guarantees almost nothing
#
# In a file that was rewritten by PRAM, the counts of the categories are distorted, and an analyst must correct them. No correction is needed if the matrix is *invariant*. Let $\pi$ be the vector of the shares of the categories in the true table. A matrix $R$ is invariant if $\pi R = \pi$; on average, it leaves the shares as they are.
#
# The usual construction has two stages {cite:p}`gouweleeuw1998post`:
#
# 1. Rewrite by any matrix $A$. The category $a$ is then shown with probability $\lambda_a$, where $\lambda = \pi A$.
# 2. Replace each shown category $a$ by a random category $u$, with the probability $Q_{au} = \pi_u A_{ua} / \lambda_a$ that Bayes' rule gives to $u$ as the true category.
#
# The product $R = AQ$ is invariant, because $\pi A Q = \lambda Q = \pi$. An example with two categories of the shares 3/4 and 1/4:

# %%
def invariant(A, shares):
    """Rewrite by A, then draw a true category by Bayes' rule."""
    joint = np.array(shares)[:, None] * A  # of the true and the shown category
    bayes = (joint / joint.sum(axis=0)).T
    return A @ bayes


keep_most = np.array([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
shares = np.array([Fraction(3, 4), Fraction(1, 4)])
R = invariant(keep_most, shares)
assert (shares @ R == shares).all()
print(*R[0], "and", *R[1])


# %% [markdown]
# sdcMicro makes its default matrix in three steps. For each category it draws a probability to stay, uniformly between 0.8 and 1, and spreads the rest evenly over the other categories. Then it makes this matrix invariant by the two stages. Finally it takes the average of the result and the identity, which changes nothing:

# %%
def sdcmicro_matrix(counts, seed, alpha=0.5):
    """The matrix that sdcMicro's pram draws after set.seed(seed)."""
    size = len(counts)
    stay = 0.8 + 0.2 * r_uniform(seed, size)
    A = np.repeat((1 - stay)[:, None] / (size - 1), size, axis=1)
    np.fill_diagonal(A, stay)
    return alpha * invariant(A, counts) + (1 - alpha) * np.eye(size)


# %% [markdown]
# (The folded function `r_uniform` reproduces the random numbers of R.) We rewrite the roofs of the 4,580<!-- {n:,} --> homes in sdcMicro's test data, which have five categories. All $n$ records are released. Theorem 5.1 ({prf:ref}`thm-di-03-bound`) then guarantees the level $1 + (n - 1)\, g_2$. To find $g_2$, divide a row of the matrix by another row, entry by entry, and divide the smallest of these ratios by the largest. The smallest result over all pairs of rows is $g_2$:

# %%
def level(A, n):
    """The level of Theorem 5.1 if all n records are released."""
    ratios = A[:, None] / A[None]  # each row divided by each row
    g2 = (ratios.min(axis=2) / ratios.max(axis=2)).min()
    return 1 + (n - 1) * g2


roof_matrix = sdcmicro_matrix(roof, 123)
k = level(roof_matrix, n)
changed = 1 - roof @ np.diag(roof_matrix) / n
print(f"changed: {changed:.1%} of the roofs, guaranteed level {k:.3f}")
assert 1.01 < k < 1.02


# %% [markdown]
# sdcMicro reports the number of changes, here about 3.4%<!-- {changed:.1%} --> of the roofs. But this number does not determine the level. Compare *retention*, which keeps a value with some probability and otherwise draws a new one from all categories. If it changes equally many roofs, it guarantees the level 1.35<!-- {retention_level(changed):.2f} -->.
#
# {numref}`fig-di-06-level` shows the default matrices for 300 seeds. Their median level is 1.08<!-- {np.median(default[1]):.2f} --> and their largest level is 1.77<!-- {max(default[1]):.2f} -->. Of these matrices, 86%<!-- {below:.0%} --> guarantee less than retention that changes equally many roofs.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How many roofs change does not say how safe the file is. Each dot is one seed. The default matrices (blue) guarantee levels just above 1. The same matrices before they are mixed with the identity (orange) guarantee more. The line is retention. In one file that was made with a default matrix, the rarest roof is shown 16<!-- {rarest} --> times (dashed line): whatever the matrix, no link in this file is more likely than 1/16<!-- {\"1/\" + str(rarest)} -->.", "name": "fig-di-06-level"}, "image": {"alt": "Level against the percentage of changed roofs, from 0 to 15. Blue dots lie between 1 and 1.8<!-- {max(default[1]):.1f} -->, without an upward trend. Orange dots spread from 1 to 40<!-- {max(unmixed[1]):.0f} -->. A line rises from 1 to about 10; a dashed line is at 16<!-- {rarest} -->."}} tags=["figure"]
def retention_level(share):
    """Level of retention on five categories that changes this share of the values."""
    return anonymity.pk_level(pram.retention_matrix(1 - share / 0.8, 5), n)


def of_seeds(alpha):
    matrices = [sdcmicro_matrix(roof, seed, alpha) for seed in range(1, 301)]
    return [1 - roof @ np.diag(M) / n for M in matrices], [level(M, n) for M in matrices]


default, unmixed = of_seeds(0.5), of_seeds(1)
rewritten = pram.apply_pram(np.repeat(range(5), roof), roof_matrix, rng=np.random.default_rng(606))
rarest = int(np.bincount(rewritten, minlength=5).min())
below = np.mean([y < retention_level(x) for x, y in zip(*default)])
fig, ax = plots.panels(height=3.8)
for (x, y), name, colour in (
    (unmixed, "before the mixture", "orange"), (default, "sdcMicro's default", "blue")
):  # fmt: skip
    ax.plot(100 * np.array(x), y, "o", ms=3, alpha=0.7, color=plots.COLOURS[colour], label=name)
grid = np.linspace(0.001, 0.15, 100)
levels = [retention_level(x) for x in grid]
ax.plot(100 * grid, levels, color=plots.COLOURS["black"], ls="-", marker="", label="retention")
ax.axhline(rarest, color=plots.COLOURS["green"], ls="--", marker="", label="one file")
ax.set(yscale="log", ylim=(0.9, 60), xlabel="changed roofs (%)", ylabel="guaranteed level k")
ax.set_yticks([1, 2, 5, 10, 20, 50], labels=["1", "2", "5", "10", "20", "50"])
ax.minorticks_off()
ax.legend(loc="upper left", ncols=2)
assert np.corrcoef(default)[0, 1] < 0  # more changes do not mean a higher level
plt.show()


# %% [markdown]
# Which of the three steps lowers the level? The two stages do not:
#
# ```{prf:proposition} Rewriting twice
# :label: thm-di-06-twice
# Let $A$ have no zeros, and let $Q$ be any transition matrix. Then $\gamma$, $g_2$ and the level of $AQ$ are at least those of $A$. If $AQ$ is invariant, every mixture of $AQ$ and the identity is invariant as well.
# ```
#
# ```{prf:proof}
# In column $w$ of $AQ$, the ratio of the rows $u$ and $v$ is $\sum_a A_{ua} Q_{aw} \big/ \sum_a A_{va} Q_{aw}$. This is a weighted average of the ratios $A_{ua}/A_{va}$ over the columns $a$. Hence over all columns $w$, the smallest ratio is not smaller, and the largest ratio is not larger, than over the columns of $A$. Therefore neither $\gamma$ nor $g_2$ decreases. The second statement holds because $\pi = \pi AQ$ and $\pi = \pi I$.
# ```
#
# The average with the identity does: for seed 123, from 1.40<!-- {level(sdcmicro_matrix(roof, 123, 1), n):.2f} --> to 1.015<!-- {k:.3f} -->. It halves the small entries off the diagonal and increases the entries on the diagonal, so their ratios become more extreme.
#
# sdcMicro computes the matrix from the true table. Theorem 5.1 still applies, because its attacker knows the table anyway. But the rewriting of one answer now depends on all answers, so it is not locally private, and a published matrix reveals the shares $\pi$.
#
# The level covers even the worst release. A given file may be much safer: if it shows each value at least $f$ times, it has at least the level $f$ ({prf:ref}`thm-di-04-doubles`). In a file that we drew, the rarest roof is shown 16<!-- {rarest} --> times. A report should therefore state two numbers: the level of the matrix and the smallest count in the file.
#
# ```{evidence} K-B27 K-B28
# ```
#
# ## Two columns lose their association
#
# An invariant matrix preserves the shares of one column. Suppose now that roofs and walls are rewritten independently, by the invariant matrices $R$ and $T$. On average, the table $\Pi$ of the shares of all pairs becomes $R^{\mathsf T} \Pi\, T$. The margins stay the same. But the association between roofs and walls becomes weaker. We measure it by $\phi^2$, which is the chi-square statistic of a table divided by its total:

# %%
def phi2(table):
    """The chi-square statistic of a table, divided by its total."""
    joint = table / table.sum()
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return ((joint - independent) ** 2 / independent).sum()


wall_matrix = sdcmicro_matrix(walls, 124)
mean_table = roof_matrix.T @ home @ wall_matrix
assert np.allclose(mean_table.sum(axis=1), roof)
print(f"phi2 of the true table: {phi2(home):.3f}, of the mean table: {phi2(mean_table):.3f}")
print(f"level of roof and walls together: {level(np.kron(roof_matrix, wall_matrix), n):.4f}")


# %% [markdown]
# ```{prf:proposition} Margins stay, association shrinks
# :label: thm-di-06-association
# Let $R$ and $T$ be invariant two-stage matrices, or mixtures of these with the identity. Let $\mu_R$ and $\mu_T$ be their second largest eigenvalues. Then $\phi^2$ of the mean table is at most $(\mu_R\, \mu_T)^2$ times $\phi^2$ of the true table. If each column has only two values, it equals this bound.
# ```
#
# ```{prf:proof}
# By construction, $\pi_u R_{uw} = \sum_a \pi_u A_{ua} A_{wa} \pi_w / \lambda_a$. So the matrix $\tilde R$ with the entries $\sqrt{\pi_u}\, R_{uw} / \sqrt{\pi_w}$ is symmetric and of the form $BB^{\mathsf T}$. It has the same eigenvalues as $R$, and these therefore lie between 0 and 1. The vector $\sqrt\pi$ is an eigenvector of $\tilde R$ for the eigenvalue 1. A mixture with the identity has the same eigenvectors, and its eigenvalues lie between 0 and 1 as well. The same is true for $T$ and the shares $\omega$ of the walls.
#
# Now $\phi^2$ is the sum of the squares of the matrix with the entries $(\Pi_{uj} - \pi_u \omega_j) / \sqrt{\pi_u \omega_j}$. The columns of this matrix are orthogonal to $\sqrt\pi$, and its rows to $\sqrt\omega$. Rewriting multiplies it by $\tilde R$ and $\tilde T$, which multiply the length of such vectors by at most $\mu_R$ and $\mu_T$. With two values there is only one direction that is orthogonal to $\sqrt\pi$, so equality holds.
# ```
#
# So an analyst who needs the joint table has to correct it after all, as in the section on estimates below.
#
# ```{evidence} K-B29
# ```
#
# ## Rounding can make an exact formula negative
#
# Suppose that $f$ people of a sample have a certain value, and that each person of the population was sampled with probability $p$. Let $F$ be the unknown number of people in the population who have the value. The *individual risk* $r_f$ is the mean of $1/F$, given $f$. {cite:t}`franconi2004individual` print it as a finite sum, and sdcMicro evaluates this sum if the user asks for the method "exact". We repeat its program for $f = 12$ and the rate $p = 12/13$:

# %%
def printed_sum(f, p):
    """The printed sum, added up in the order of sdcMicro."""
    A = (p ** (1 - f) - 1) / (f - 1)
    total, factor = 0.0, 1.0
    for i in range(f - 2):
        binomial = (f - 1 - i) ** 2 / ((i + 1) * (f - 2 - i))
        factor *= binomial * (p ** (i + 2 - f) - 1) / (p ** (i + 1 - f) - 1)
        total += (-1) ** (i + 1) * factor
    return (p / (1 - p)) ** f * (A * (1 + total) + (-1) ** f * np.log(p))


def sum_of_positive_terms(f, p):
    """The same risk by a series without subtractions."""
    term, total = p / f, 0.0
    for k in range(1, 2000):
        total += term
        term *= k * (1 - p) / (f + k)
    return total


by_sum, by_terms = printed_sum(12, 12 / 13), sum_of_positive_terms(12, 12 / 13)
print(f"printed sum {by_sum:.4f}, positive terms {by_terms:.4f}")
assert by_sum < 0 < by_terms

# %% [markdown]
# To see what went wrong, write the risk as an integral. Given $f$, the number $F$ has a negative binomial distribution. With $q = 1 - p$ this gives
#
# $$ r_f = p^f \int_0^1 \frac{t^{f-1}}{(1 - qt)^f}\, dt = \Bigl(\frac pq\Bigr)^{f} \int_p^1 \frac{(1 - w)^{f-1}}{w^f}\, dw , \qquad w = 1 - qt . $$
#
# The printed sum arises if we expand $(1 - w)^{f-1}$ by the binomial theorem and integrate each term. Its terms are large and alternate in sign, so that they almost cancel.
#
# ```{prf:proposition} How many digits can be lost
# :label: thm-di-06-cancel
# The absolute values of the printed terms add up to at least $\bigl(\frac{1+p}{1-p}\bigr)^{f-1}$ times the risk. So if each term has the relative error $u$, the sum may have a relative error of $u$ times this factor. That is, $(f - 1) \log_{10} \frac{1+p}{1-p}$ digits can be lost.
# ```
#
# ```{prf:proof}
# The sum of the absolute values arises in the same way from $(1 + w)^{f-1}$ in place of $(1 - w)^{f-1}$. The quotient of the two integrands is $\bigl(\frac{1+w}{1-w}\bigr)^{f-1}$. It increases with $w$, and $w \ge p$ in the whole integral. So the quotient of the integrals is at least its value at $w = p$.
# ```
#
# For $f = 12$ and $p = 12/13$, up to 15.4<!-- {11 * np.log10(25):.1f} --> digits can be lost, and double precision has about sixteen. (R itself prints another [negative number](../../book/reports.md).) The formula is right. Adding in another order would not help, because the rounded terms no longer determine the sum.
#
# The remedy is another expansion of the same integral. The substitution $y = pt/(1 - qt)$ gives $r_f = \int_0^1 y^{f-1} / (1 + yq/p)\, dy = \frac pf \bigl(1 + \frac{q}{f+1} + \frac{2q^2}{(f+1)(f+2)} + \dots\bigr)$. All terms of this series are positive, and `sum_of_positive_terms` adds them up.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Where the printed sum fails in double precision. The colour shows the relative error, from rounding errors (dark) to 100% and more (yellow). On the white line, the proposition allows a loss of fourteen digits. At all points of this map where it allows a loss of eighteen, no correct digit was left.", "name": "fig-di-06-error-map"}, "image": {"alt": "A map with sampled counts from 2 to 40 to the right and rates from 0 to 1 upwards. The lower left, small counts or small rates, is dark. A line falls from the upper left to rate 0.40<!-- {at_40:.2f} --> at 40; above it the map is yellow."}} tags=["figure"]
counts_map, rates_map = np.arange(2, 41), np.arange(0.01, 0.995, 0.01)
mesh = np.meshgrid(counts_map, rates_map, indexing="ij")
stable = sampling.benedetti_franconi_risk(*mesh)
wrong = np.abs(np.array([printed_sum(int(f), rates_map) for f in counts_map]) / stable - 1)
digits_lost = (mesh[0] - 1) * np.log10((1 + mesh[1]) / (1 - mesh[1]))
default_off = np.abs(mesh[1] / (mesh[0] - (1 - mesh[1])) / stable - 1)[1:].max()  # f > 2
fig, ax = plots.panels(height=3.9)
shade = ax.pcolormesh(
    counts_map, rates_map, np.clip(np.log10(wrong.T + 1e-17), -16, 0), cmap="viridis",
    rasterized=True,
)  # fmt: skip
ax.contour(counts_map, rates_map, digits_lost.T, [14], colors="white")
ax.set(xlabel="sampled records f with the value", ylabel="sampling rate p")
bar = fig.colorbar(shade, ax=ax, ticks=[-16, -12, -8, -4, 0])
bar.set_label("relative error, log10")
at_40 = rates_map[np.argmax(digits_lost[-1] > 14)]
assert wrong[digits_lost > 18].min() > 1 and wrong[digits_lost < 8].max() < 1e-3
plt.show()


# %% [markdown]
# At 30%<!-- {(wrong > 0.01).mean():.0%} --> of the points of this map, the printed sum is wrong by more than 1%. But a user of sdcMicro need not meet this error. By default, sdcMicro uses the approximation $p/(f - q)$, which differs from the risk by at most 4.0%<!-- {default_off:.1%} --> for $f > 2$ on the same map. The package's tests have $f \le 5$ and rates below 0.06, where at most 0.2<!-- {4 * np.log10(1.06 / 0.94):.1f} --> digits can be lost. ([Another page](../../book/outside.md) has sdcMicro's results in R.)
#
# ```{evidence} K-B19 K-B24
# ```
#
# ## Bounded noise has a least δ
#
# Offices also publish tables of counts. In the *cell-key method*, each person has a random key, and the sum of the keys in a cell determines the noise of its count. The same cell therefore always gets the same noise. A *ptable* {cite:p}`enderle2023ptable` contains the distributions of the noise: row $i$ gives the probabilities with which a count of $i$ is shown as $j$. There is no level of Pk-anonymity, because a table of counts has no records that could be linked to people.
#
# We ask instead whether an attacker can find out if a person was counted. If the attacker knows the data of everybody else, only two neighbouring counts are possible. So we compare the distributions $P$ and $P'$ of two neighbouring rows. Let $\delta(\varepsilon)$ be the smallest number such that $P(J) \le e^\varepsilon P'(J) + \delta$ and $P'(J) \le e^\varepsilon P(J) + \delta$ for all sets $J$ of shown counts. For the first inequality, the worst $J$ is the set of all counts with $P > e^\varepsilon P'$. This is $(\varepsilon, \delta)$-differential privacy of a count {cite:p}`rinott2018confidentiality`. As an example, take noise that is $-1$, $0$ or $1$ with equal probabilities:

# %%
def delta(P, Q, epsilon):
    """The smallest δ for two distributions of a shown count."""
    factor = np.exp(epsilon)
    excess_of_P = np.maximum(P - factor * Q, 0).sum()
    excess_of_Q = np.maximum(Q - factor * P, 0).sum()
    return max(excess_of_P, excess_of_Q)


count_of_3 = np.array([0, 0, 1, 1, 1, 0]) / 3  # is shown as 2, 3 or 4
count_of_4 = np.array([0, 0, 0, 1, 1, 1]) / 3
for epsilon in (0.1, 10):
    print(f"epsilon = {epsilon}: delta = {delta(count_of_3, count_of_4, epsilon):.3f}")


# %% [markdown]
# If a 2 is shown, the attacker knows that the true count was not 4. So $\delta$ stays at 1/3, however large $\varepsilon$ is. All noise within bounds $\pm D$ has such revealing values at its ends. How small can $\delta$ be?
#
# ```{prf:proposition} The least δ of bounded noise
# :label: thm-di-06-delta
# Let the noise be a whole number within $\pm D$ with the same distribution for all counts. Then
#
# $$ \delta(\varepsilon) \ge 1 \Big/ \sum_{v=-D}^{D} e^{(D - |v|)\varepsilon} . $$
#
# The distribution with probabilities proportional to $e^{-|v|\varepsilon}$ attains this.
# ```
#
# ```{prf:proof}
# Let $P(v)$ be the probability of the noise $v$. Compare a count with the count below. Noise $v$ on the first and noise $v + 1$ on the second give the same shown count. Let $t_v = P(v) - e^\varepsilon P(v + 1)$. By the definition of $\delta$, the positive $t_v$ add up to at most $\delta$.
#
# Because $P(D + 1) = 0$, we have $P(D) = t_D$. Next, $P(D - 1) = t_{D-1} + e^\varepsilon t_D$, and so on: $P(D - j) = \sum_{i \le j} e^{(j-i)\varepsilon}\, t_{D-i} \le e^{j\varepsilon} \delta$. The same argument from the other end, with the two counts exchanged, gives $P(-D + j) \le e^{j\varepsilon} \delta$. Together, $P(v) \le \delta\, e^{(D - |v|)\varepsilon}$ for all $v$. The probabilities add up to 1, which gives the bound.
#
# If $P(v)$ is proportional to $e^{-|v|\varepsilon}$, then $t_D = P(D)$ is the only positive $t_v$, so $\delta = P(D)$, which is the bound. By symmetry, the exchanged counts give the same value.
# ```
#
# We compare this with the example table of ptable's tests, with $D = 2$ (the array `ptable`). There, a zero is always shown as zero, and no count is shown as 1:

# %%
def geometric(D, epsilon):
    """The distribution with the least δ, and this δ."""
    weights = np.exp((D - abs(np.arange(-D, D + 1))) * epsilon)
    return weights / weights.sum(), 1 / weights.sum()


for i in range(5):
    at_0, at_1 = [delta(ptable[i], ptable[i + 1], epsilon) for epsilon in (0, 1)]
    print(f"counts {i} and {i + 1}: delta(0) = {at_0:.3f}, delta(1) = {at_1:.3f}")
least_at_0, least_at_1 = geometric(2, 0)[1], geometric(2, 1)[1]
print(f"least for D = 2: delta(0) = {least_at_0:.3f}, delta(1) = {least_at_1:.3f}")

# %% [markdown]
# The number $\delta(0)$ has a direct meaning. If two neighbouring counts are equally likely beforehand, an attacker who sees the shown count guesses the true one correctly with probability $\frac12(1 + \delta(0))$. For the counts 4 and 5 this is 69%<!-- {(1 + delta(ptable[4], ptable[5], 0)) / 2:.0%} -->. Uniform noise within $\pm 2$ would give 60%<!-- {(1 + geometric(2, 0)[1]) / 2:.0%} -->, but with the variance 2<!-- {geometric(2, 0)[0] @ np.arange(-2, 3) ** 2:.0f} --> instead of 1.05<!-- {noise_of_large_counts @ np.arange(-2, 3) ** 2:.2f} -->.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "\u03b4 as a function of \u03b5. Three curves show neighbouring counts in ptable's example. The lowest curve is the least \u03b4 that noise within \u00b12 with the same distribution for all counts can have; each \u03b5 has its own best distribution. Between zero and one person, \u03b4 does not fall at all, because zeros stay zeros.", "name": "fig-di-06-delta"}, "image": {"alt": "Four curves of \u03b4 on a logarithmic axis against \u03b5 from 0 to 4. The one for zero or one person is level at 0.49<!-- {curves[\"zero or one person\"][0]:.2f} -->. That for counts of 1 to 4 falls to 0.16<!-- {curves[\"counts of 1 to 4\"][-1]:.2f} -->, that for counts of 4 and more to 0.07<!-- {curves[\"counts of 4 and more\"][-1]:.2f} -->, the least from 0.2<!-- {curves[\"least within \u00b12\"][0]:.1f} --> to 0.0003<!-- {curves[\"least within \u00b12\"][-1]:.4f} -->."}} tags=["figure"]
fig, ax = plots.panels(height=3.7)
eps_axis = np.linspace(0, 4, 81)
pairs = {"zero or one person": [0], "counts of 1 to 4": [1, 2, 3], "counts of 4 and more": [4]}
curves = {}
for name, rows in pairs.items():
    curves[name] = []
    for e in eps_axis:
        curves[name].append(max(delta(ptable[i], ptable[i + 1], e) for i in rows))
curves["least within ±2"] = [geometric(2, e)[1] for e in eps_axis]
for name, curve in curves.items():
    ax.plot(eps_axis, curve, marker="", label=name)
ax.set(yscale="log", xlabel="ε", ylabel="δ")
ax.legend()
plt.show()


# %% [markdown]
# *Counts 0 and 1.* If nobody else is in the cell, any count above zero proves that the person is there. Therefore $\delta$ is 0.49<!-- {curves["zero or one person"][0]:.2f} --> for every $\varepsilon$. Offices accept this, so that no people appear in empty places; {cite:t}`bach2020differential` argues for such features (beginning read).
#
# *Counts of 4 and more.* ptable uses the distribution with the largest entropy for a given variance. At $\varepsilon = 1$, the geometric distribution of the proposition has about half the $\delta$ (0.067<!-- {geometric(2, 1)[1]:.3f} --> instead of 0.124<!-- {delta(ptable[4], ptable[5], 1):.3f} -->), and a smaller variance as well (0.91<!-- {geometric(2, 1)[0] @ np.arange(-2, 3) ** 2:.2f} --> instead of 1.05<!-- {noise_of_large_counts @ np.arange(-2, 3) ** 2:.2f} -->).
#
# ```{evidence} K-B30 K-B31
# ```
#
# ## One number certifies that an estimate is the most likely one
#
# In a Dutch survey, 412<!-- {answers.sum()} --> people on unemployment benefit answered two questions. Cards decided in private whether each answer was truthful, which happened with probability 0.8 {cite:p}`vandenhout2002`. The unbiased estimate for one cell of the table is -10.3<!-- {unbiased.min():.1f} --> people. The shares with the largest likelihood, which we call *most likely*, cannot be negative. How can we be sure that an algorithm found them?
#
# Let $f_a$ be the share of the records that show the value $a$. If the true shares are $\pi$, the value $a$ is shown with probability $\lambda_a = \sum_u \pi_u A_{ua}$. The mean log likelihood is $\sum_a f_a \ln \lambda_a$. Its derivative with respect to $\pi_u$ is called the *score* of $u$, and equals $g_u = \sum_a f_a A_{ua} / \lambda_a$. In each round, the EM algorithm multiplies each share by its score.
#
# ```{prf:proposition} A certificate
# :label: thm-di-06-certificate
# The mean log likelihood of any other shares exceeds that of $\pi$ by at most $\max_u g_u - 1$. So the shares $\pi$ are most likely if and only if no score is above 1.
# ```
#
# ```{prf:proof}
# Let $\pi^*$ be other shares. By $\ln x \le x - 1$, and because the $f_a$ add up to 1,
#
# $$ \sum_a f_a \ln \frac{\lambda^*_a}{\lambda_a} \le \sum_a f_a \frac{\lambda^*_a}{\lambda_a} - 1 = \sum_u \pi^*_u g_u - 1 \le \max_u g_u - 1 . $$
#
# Conversely, $\sum_u \pi_u g_u = 1$, so the average score is 1. If some score is above 1, a small increase of this share, at the expense of the others, increases the likelihood.
# ```
#
# The certificate does not depend on how $\pi$ was found. Here we use the EM algorithm:

# %%
def scores(shares, counts, A):
    """Derivatives of the mean log likelihood."""
    return A @ (counts / sum(counts) / (shares @ A))


def most_likely(counts, A, rounds=500):
    """Shares by EM from equal shares, and a bound on the missing log likelihood."""
    shares = np.full(len(A), 1 / len(A))
    for _ in range(rounds):
        shares = shares * scores(shares, counts, A)
    return shares, max(scores(shares, counts, A)) - 1


card = np.array([[0.8, 0.2], [0.2, 0.8]])
both = np.kron(card, card)  # two questions, each with a card of its own
answers = np.array([68, 52, 103, 189])  # yes-yes, yes-no, no-yes, no-no
unbiased = np.linalg.solve(both.T, answers)
likely, certificate = most_likely(answers, both)
print("unbiased:   ", unbiased.round(1))
print("most likely:", (412 * likely).round(1))
print(f"certificate: no mean log likelihood is larger by more than {certificate:.0e}")

# %% [markdown]
# The package rrLogit {cite:p}`schafer2024rrlogit` contains these data. With the prior of its test, the same algorithm reproduces all digits that rrLogit printed.
#
# For retention no iteration is needed. Let a value be kept with probability $\rho$, let $N$ be the number of categories, and let $b = \frac{1-\rho}N$.
#
# ```{prf:proposition} Most likely shares under retention
# :label: thm-di-06-filling
# Under retention, the most likely shares are $\pi_a = (\lambda_a - b)/\rho$ with $\lambda_a = \max(b, \mu f_a)$, where the number $\mu$ is chosen such that the $\lambda_a$ add up to 1.
# ```
#
# ```{prf:proof}
# For retention, $g_u = C + \rho f_u / \lambda_u$, where $C$ is the same for all categories. If $\pi_u > 0$, then $\lambda_u = \mu f_u$, so all these scores are equal. Because $\sum_u \pi_u g_u = 1$, they equal 1. If $\pi_u = 0$, then $\lambda_u = b \ge \mu f_u$, so the score is not larger. The certificate applies.
# ```
#
# Estimates that cannot be negative are biased. To measure this, suppose that the most likely shares are the true ones. We draw 400 tables of answers from them, and estimate the numbers of people from each table:

# %% jupyter={"source_hidden": true} tags=["set-up"]
redrawn = np.random.default_rng(412).multinomial(412, likely @ both, 400)
by_em = [412 * most_likely(table, both, 400)[0] for table in redrawn]
errors_em = np.array(by_em) - 412 * likely
errors_unbiased = np.linalg.solve(both.T, redrawn.T).T - 412 * likely
for name, errors in (("most likely", errors_em), ("unbiased", errors_unbiased)):
    root_mean_square = (errors**2).mean(axis=0) ** 0.5
    print(f"{name}, bias: {errors.mean(axis=0).round(1)}")
    print(f"{name}, root mean square error: {root_mean_square.round(1)}")


# %% [markdown]
# In the second cell, which is empty, the most likely estimate is 5.6<!-- {errors_em.mean(axis=0)[1]:.1f} --> people on average. In exchange, its root mean square error is 10.2<!-- {(errors_em[:, 1] ** 2).mean() ** 0.5:.1f} --> instead of the 14.1<!-- {(errors_unbiased[:, 1] ** 2).mean() ** 0.5:.1f} --> of the unbiased estimate.
#
# ```{evidence} K-B25 K-B32 K-B26
# ```
#
# ## The level depends on what the attacker knows
#
# A level is a statement about a release *and* an attacker. In this note, the attacker knew the whole table, and all records were released. {numref}`fig-knowledge-map` compares three attackers and four releases. In an *$f$-anonymous sample*, each value that occurs at all occurs at least $f$ times. *PRAM* without a sample releases all records. The [evidence of notebook 4](../evidence/disclosure/04-exact-risk-and-design.ipynb) derives these levels (K-B18).

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Guaranteed levels, rounded down, for n = 1000 records, of which the first attacker knows ten, a sample of 100, f = 5, and retention with \u03c1 = 1/2 on ten values. PRAM and a sample guarantee 165<!-- {written(twelve[0,3])} -->, 83.6<!-- {written(twelve[1,3])} --> or 1.81<!-- {written(twelve[2,3])} -->, depending on what the attacker knows. In the built book the sliders change all of these numbers.", "name": "fig-knowledge-map"}, "image": {"alt": "Three rows, what the attacker knows, by four columns, what is released. From top to bottom, the sample has the levels 90.1<!-- {written(twelve[0,0])} -->, 1<!-- {written(twelve[1,0])} --> and 1<!-- {written(twelve[2,0])} -->, the 5-anonymous sample 94.1<!-- {written(twelve[0,1])} -->, 5<!-- {written(twelve[1,1])} --> and 5<!-- {written(twelve[2,1])} -->, PRAM 19<!-- {written(twelve[0,2])} -->, 9.25<!-- {written(twelve[1,2])} --> and 9.25<!-- {written(twelve[2,2])} -->, PRAM and sample 165<!-- {written(twelve[0,3])} -->, 83.6<!-- {written(twelve[1,3])} --> and 1.81<!-- {written(twelve[2,3])} -->."}} tags=["figure"]
def written(number):
    """At least three digits, rounded down: a level is a promise."""
    unit = min(1.0, 10.0 ** (np.floor(np.log10(float(number))) - 2))
    down = np.floor(float(number) / unit + 1e-9) * unit
    return f"{down:.3g}" if number < 1000 else f"{down:,.0f}"


sizes = {"n_known": 10, "n_sampled": 100, "shown": 5}
twelve = knowledge_models.pk_level_map(pram.retention_matrix(Fraction(1, 2), 10), 1000, **sizes)
fig, ax = plots.panels(height=3.2)
ax.imshow(np.log10(twelve.astype(float)), cmap="Blues", vmin=0, vmax=3.2, aspect="auto")
for (i, j), number in np.ndenumerate(twelve):
    tint = "white" if number > 60 else "black"
    ax.text(j, i, written(number), ha="center", va="center", color=tint, fontsize=13)
ax.set_xticks(range(4), ["sample", "5-anonymous\nsample", "PRAM", "PRAM and\nsample"])
ax.set_yticks(range(3), ["ten records", "the table", "the table, and\nwho took part"])
ax.set(xlabel="released", ylabel="the attacker knows")
ax.grid(visible=False)
ax.tick_params(length=0)
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def map_frame(n, n_known, share, f, keep):
    """Twelve levels as tiles, the name of the second column, and what they say."""
    sizes = {"n_known": int(n_known), "n_sampled": round(share * n), "shown": int(f)}
    levels = knowledge_models.pk_level_map(pram.retention_matrix(keep, 10), int(n), **sizes)
    text = [[written(number) for number in row] for row in levels.tolist()]
    note = f"PRAM and sample: level {text[0][3]} against an attacker who knows {n_known:g} "
    note += f"records, {text[1][3]} if the attacker knows the table, {text[2][3]} if the "
    note += f"attacker also knows who took part. {f:g}-anonymous sample: {text[0][1]}, "
    note += f"{text[1][1]} and {text[2][1]}."
    columns = ["sample", f"{f:g}-anon.<br>sample", "PRAM", "PRAM and<br>sample"]
    return [{"trace": 0, "z": np.log10(levels), "text": text},
            {"layout": {"xaxis.ticktext": columns}}, {"note": note}]  # fmt: skip


rows = ["some<br>records", "the table", "table and<br>who took<br>part"]
across = {"title": {"text": "released"}, "showgrid": False, "tickvals": [0, 1, 2, 3], "ticktext": []}
down = {"autorange": "reversed", "showgrid": False, "tickvals": [0, 1, 2], "ticktext": rows}
tiles = go.Heatmap(texttemplate="%{text}", colorscale="Blues", zmin=0, zmax=5, showscale=False,
                   hoverinfo="skip", xgap=2, ygap=2)  # fmt: skip
sliders = [
    interactive.Slider("records n", [1000, 100_000], ",d"),
    interactive.Slider("records known n₀", [2, 10, 250], "d", start=1),
    interactive.Slider("records drawn p", [0.02, 0.1, 0.5], ".0%", start=1),
    interactive.Slider("each value occurs f times", [2, 5, 10], "d", start=1),
    interactive.Slider("retention ρ", [0.1, 0.5, 0.9], ".1f", start=1),
]
alt = "Twelve tiles with the guaranteed level: three attackers by four releases. The darker a tile, "
alt += "the higher the level."
live = go.Figure(tiles, {"height": 330, "xaxis": across, "yaxis": down})
interactive.show("knowledge-map", live, sliders, map_frame, alt=alt)

# %% [markdown]
# ## What it rests on
#
# The levels rest on Theorem 5.1. The propositions are proved above, and [the evidence](../evidence/research/disclosure-what-the-tools-say.ipynb) recomputes them in other ways: with fractions, with 400 digits, and by linear programming over all distributions within the bounds. Our matrix follows the source of sdcMicro (commit cf32510), whose own function gave the same 25 entries in R. The data are copied from the three packages.
#
# ## Limits
#
# - We looked at two columns of one test file. A level near 1 means that for *some* table and *some* release, an attacker who knows the table and the matrix may be nearly certain of a link. It does not mean that this is so for the homes.
# - The least $\delta$ is for noise that has the same distribution for all counts. A ptable may give small counts another distribution; for this case we have no bound.
# - The number $\delta$ concerns one count. A person is in many counts, and the noise of many tables can be averaged away (last exercise).
# - The certificate bounds the likelihood. It does not bound the distance from the most likely shares, nor their statistical error.
#
# ## What others had
#
# Invariant matrices are due to {cite:t}`gouweleeuw1998post`; {cite:t}`nayak2014invariant` study them (we read the beginning). Two of our steps are textbook: averages of ratios lie between the ratios, and association shrinks by the second eigenvalue. We know of no earlier level of Pk-anonymity for these matrices, but of {cite:t}`ikarashi2015kanonymous`, who introduced it, we read only abstract and introduction. We found no mention of the loss of digits in the issues and tests of sdcMicro, nor in works on the individual risk.
#
# The geometric distribution, with this $\delta$ at its ends, is printed for $D = 7$ by {cite:t}`nap2024roadmap` (Appendix C opened), after {cite:t}`rinott2018confidentiality` (abstract only). That no other noise within the bounds has a smaller $\delta$ is ours, as far as we know.
#
# {cite:t}`vandenhout2002` (abstract only) use EM for answers of this kind. The certificate follows from concavity and is surely old. {cite:t}`pinzon2026estimating` announced a formula for the exact maximum under retention; we read abstract and introduction, and derived ours independently.
#
# ## Exercises
#
# ```{exercise-start} The coin, twice
# :label: ex-di-06-twice
# ```
# **Warm-up.** All categories have the same share. Retention with probability $\rho$ is made invariant in two stages. Which matrix results? Is its level larger or smaller than before?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-06-twice", ...)

# %% [markdown]
# ```{solution-start} ex-di-06-twice
# :class: dropdown
# ```
# With equal shares Bayes' rule is the matrix itself, so $R = A^2$, which is retention with probability $\rho^2$. Its level is larger, because fewer values are kept.

# %%
half_kept = pram.retention_matrix(Fraction(1, 2), 3)
twice = invariant(half_kept, [1, 1, 1])
assert (twice == pram.retention_matrix(Fraction(1, 4), 3)).all()
assert level(twice, 100) > level(half_kept, 100)


def kept_after_both(rho):
    both = invariant(pram.retention_matrix(rho, 3), [1, 1, 1])
    return both[0, 0] - both[1, 0]


check("di-06-twice", kept_after_both)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Where EM is slow
# :label: ex-di-06-crawl
# ```
# **Standard.** One question is answered truthfully with probability 0.8, and exactly one answer in five is yes. What is the most likely share, and what is EM's share after 1,000 rounds from one half? What does the certificate say then?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-06-crawl", ...)

# %% [markdown]
# ```{solution-start} ex-di-06-crawl
# :class: dropdown
# ```
# The most likely share is 0. This is a boundary case, because the unbiased estimate is 0 as well. Near 0 the score of yes is $0.16/(\lambda(1-\lambda)) \approx 1 - 2.25\,\pi$ with $\lambda = 0.2 + 0.6\,\pi$. So the share falls like $1/(2.25\,t)$, to about 0.00045<!-- {after_1000[0]:.5f} --> after $t = 1000$ rounds. The certificate is tiny by then, because the likelihood is almost constant near 0.

# %%
after_1000, certificate_then = most_likely(np.array([1, 4]), card, rounds=1000)
assert abs(after_1000[0] - 1 / 2250) < 2e-5 and certificate_then < 1e-3
check("di-06-crawl", (0, after_1000[0]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The noise averaged away
# :label: ex-di-06-average
# ```
# **Research.** A count is published with noise of variance $V$ within $\pm D$, always the same for the same people. Its people fall into $m$ groups, and every union of groups is published too, each with the noise of its own key. How accurately can an attacker estimate the true count? Try it with $m = 10$ and keys that add up, as in the cell-key method.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-06-average", ...)


# %% [markdown]
# ```{solution-start} ex-di-06-average
# :class: dropdown
# ```
# Each of the $2^{m-1} - 1$ ways to split the groups in two gives an estimate with variance about $2V$. The keys of different unions are pairwise independent, so the mean of all estimates has a variance of about $2V/(2^{m-1} - 1)$. For $m = 10$ the standard error is 0.07<!-- {errors.std():.2f} --> people: rounded, the mean is right in more than 99% of the cases. This is the attack of {cite:t}`asghar2020averaging`.

# %%
def mean_variance(V, m):
    return 2 * V / (2 ** (m - 1) - 1)


draws = np.random.default_rng(20)
unions = np.array(list(product((0, 1), repeat=10)))[1:-1]
keys = draws.random((300, 10)) @ unions.T % 1
noise = np.searchsorted(np.cumsum(noise_of_large_counts)[:-1], keys) - 2
errors = noise.sum(axis=1) / (len(unions) / 2)  # of the mean over all splits
assert abs(errors.std() - mean_variance(1.05, 10) ** 0.5) < 0.015
assert (abs(errors) < 0.5).mean() > 0.99
check("di-06-average", mean_variance)

# %% [markdown]
# ```{solution-end}
# ```
