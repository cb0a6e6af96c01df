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
# # Does a sample protect people if the attacker knows everyone?
#
# An office publishes answers of a thousand people to a question with ten possible answers, but first replaces some of them with uniformly random ones. Even an attacker who knows all true answers must not be able to link a record to its person with probability above 1/10.
# If all records are published, this method has to change 46.1%<!-- {changed[-1]:.1%} --> of the answers on average. If only a random sample of a hundred is published, it is enough to change 8.2%<!-- {changed[1]:.1%} --> of them.
#
# **The paper** {cite:p}`kikuchi` (section 5) rewrites each value at random, with the probabilities of a matrix, before sampling. Its Theorem 5.1 claims a lower bound on the protection against every attacker.
# **We find** that the theorem is right, although the proof is wrong about which table (list of true values) is worst. We also say for which matrices some table and release attain the bound.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why two minima over a matrix bound the risk for every table, when the bound is exact, and how much a sample adds.
# **You need** conditional probability, and PRAM and Pk-anonymity from [notebook 1](01-who-attacks.ipynb).
# **Time:** 38 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** knows the true values of all $n$ people, or holds any belief about them that does not depend on who is sampled or on how values are rewritten. The attacker also knows the rewriting matrix and the numbers $n$ and $s$ of people and of
# released records, but *not who was sampled*. **Protected:** which released record shows which person. **Not protected:** anyone who is known to be in the sample (last section).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import permutations, product
from math import prod

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.disclosure import anonymity, design, posterior, pram
from privlib.notebook import plots, table

plots.use()

# %% [markdown]
# ## Three people, two released records
#
# Three people have the values 0, 1 and 1. Each value is kept with probability 3/4 and otherwise flipped. Two of the three results are released in random order: 0, 1. Does the first record show the first person? (This is the smaller example of notebook 1, which says *record* for a person and *line* for a released record.)

# %%
# rows: true value, columns: shown value; this is the matrix `half` of notebook 1
keep_most = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
values = (0, 1, 1)  # of persons 0, 1 and 2
release = (0, 1)  # of records 0 and 1


# %% [markdown]
# An *assignment* says which released record shows each person; `None` stands for a person who was not sampled. The *weight* of an assignment is the probability that its sampled people are rewritten to what the release shows.
# All assignments are equally likely before the release is seen. By Bayes' rule, their probabilities afterwards are therefore proportional to their weights.

# %%
def assignments(n, s):
    """All assignments of s released records to n people."""
    result = []
    for sampled in permutations(range(n), s):
        pi = [None] * n
        for record, person in enumerate(sampled):
            pi[person] = record
        result.append(tuple(pi))
    return result


# %%
def weight(A, values, release, pi):
    """Probability that the sampled people are rewritten to what the release shows."""
    w = Fraction(1)
    for person, record in enumerate(pi):
        if record is not None:
            w *= A[values[person]][release[record]]
    return w


# %%
def risk(A, values, release):
    """Probability that record 0 shows person 0, given the values and the release."""
    every, hits = 0, 0
    for pi in assignments(len(values), len(release)):
        w = weight(A, values, release, pi)
        every += w
        if pi[0] == 0:
            hits += w
    return hits / every


print(risk(keep_most, values, release))

# %% [markdown]
# We call an assignment a *hit* if record 0 shows person 0, and otherwise a *miss*. The figure shows all six.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The six assignments and their weights. Each line of a diagram leads from a person, with the true value, to the released record that shows this person, with the shown value. The risk is the weight of the two hits divided by the weight of all six assignments.", "name": "fig-di-03-assignments"}, "image": {"alt": "Six small diagrams with three people on the left and two released records on the right. The two hits, where record 0 shows person 0, have weight 9/16<!-- {six_weights[0]} --> each. The four misses have the weights 1/16<!-- {six_weights[2]} -->, 3/16<!-- {six_weights[3]} -->, 1/16<!-- {six_weights[4]} --> and 3/16<!-- {six_weights[5]} -->."}} tags=["figure"]
fig, axes = plots.panels(1, 6, height=2.4, width=9.6)
six_weights = [weight(keep_most, values, release, pi) for pi in assignments(3, 2)]
for panel, (ax, pi, w) in enumerate(zip(axes, assignments(3, 2), six_weights)):
    if pi[0] == 0:
        name, colour = "hit", plots.COLOURS["orange"]
    else:
        name, colour = "miss", plots.COLOURS["blue"]
    for person in range(3):
        label = f"person {person}: {values[person]}" if panel == 0 else values[person]
        ax.text(-0.12, -person, label, ha="right", va="center")
        ax.plot(0, -person, "o", color=colour)
        if pi[person] is not None:
            ax.plot([0, 1], [-person, -pi[person] - 0.5], color=colour, ls="-", marker="")
    for record in range(2):
        label = f"{release[record]}: record {record}" if panel == 5 else release[record]
        ax.text(1.12, -record - 0.5, label, ha="left", va="center")
        ax.plot(1, -record - 0.5, "s", color=colour)
    ax.set_title(f"{name}, {w}", fontsize=11, loc="center", color=colour)
    ax.set(xlim=(-0.5, 1.5), ylim=(-2.4, 0.4))
    ax.axis("off")
assert sum(six_weights[:2]) / sum(six_weights) == risk(keep_most, values, release)
plt.show()


# %% [markdown]
# The risk is 9/13<!-- {risk(keep_most, (0, 1, 1), (0, 1))} -->. Sampling alone would not protect person 0 from an attacker who knows the three values: without rewriting, record 0 could only be that person's.
#
# How large can the risk become, over all tables and all releases? And how do we find out for a thousand people?
#
# ## Theorem 5.1: two minima bound the risk
#
# Rewriting each value independently with a matrix $A$ is called PRAM (post-randomisation): $A_{u,u'}$ is the probability that the value $u$ is shown as $u'$, and every row sums to 1. A release is *Pk-anonymous*
# if no attacker links any released record to any person with probability above $1/k$. The *level* is the largest $k$ that holds for all tables and releases, that is, the smallest 1/risk. The theorem gives a lower *bound* on the level.
#
# ```{prf:theorem} PRAM and sampling (Theorem 5.1; 定理 5.1)
# :label: thm-di-03-bound
# Let all entries of $A$ be positive. Rewrite the values of $n$ people with $A$, draw $s$ of the results at random, and release them in random order. The release is Pk-anonymous with
#
# $$ k \ge 1 + (n - s)\,\gamma + (s - 1)\,g_2, \qquad
# \gamma = \min_{u, v, u'} \frac{A_{u,u'}}{A_{v,u'}}, \qquad
# g_2 = \min_{u, v, u', v'} \frac{A_{u,u'}\, A_{v,v'}}{A_{v,u'}\, A_{u,v'}} . $$
# ```
#
# (The paper writes $pn$ for $s$, and exchanges $u$ and $v$ in $g_2$, which does not change the minimum.) Take two rows $u$ and $v$, and form the ratio $A_{u,u'}/A_{v,u'}$ of their entries in each column $u'$. The number $\gamma$ is the smallest of these ratios. The number $g_2$ is the smallest value that the ratio in one column, divided by the ratio in another, can take. If what is shown depends little on the true value, both are close to 1.

# %%
def minima(A):
    """gamma and g2, the two minima of the theorem."""
    rows, columns = range(len(A)), range(len(A[0]))
    gamma, g2 = 1, 1
    for u, v in product(rows, rows):
        for a, b in product(columns, columns):
            gamma = min(gamma, A[u][a] / A[v][a])
            g2 = min(g2, A[u][a] * A[v][b] / (A[v][a] * A[u][b]))
    return gamma, g2


def theorem(A, n, s):
    """The bound of Theorem 5.1."""
    gamma, g2 = minima(A)
    return 1 + (n - s) * gamma + (s - 1) * g2


print(*minima(keep_most), theorem(keep_most, 3, 2))


# %% [markdown]
# For three people and two records the bound is 13/9<!-- {theorem(keep_most, 3, 2)} -->, so the risk is at most 9/13<!-- {1 / theorem(keep_most, 3, 2)} -->. Our table and release are therefore a worst case.
#
# ## Why it holds: exchange two people
#
# Let $r$ be a person and $r'$ a released record; in our example both are number 0. In every miss, record $r'$ shows some other person $t$. Exchange $r$ and $t$, and the miss becomes a hit:

# %%
def exchange(pi, r, t):
    """The same assignment with the people r and t exchanged."""
    result = list(pi)
    result[r], result[t] = pi[t], pi[r]
    return tuple(result)


hits = [pi for pi in assignments(3, 2) if pi[0] == 0]
misses = [pi for pi in assignments(3, 2) if pi[0] != 0]
for miss in misses:
    t = miss.index(0)  # the person whom record 0 shows
    hit = exchange(miss, 0, t)
    factor = weight(keep_most, values, release, miss) / weight(keep_most, values, release, hit)
    print(f"miss {miss}, t = {t}, hit {hit}: the miss weighs {factor} of the hit")


# %% [markdown]
# Each of the two hits appears twice, once for $t = 1$ and once for $t = 2$. The factor is 1/3<!-- {minima(keep_most)[0]} -->, which is $\gamma$, if $t$ is left out in the hit, and 1/9<!-- {minima(keep_most)[1]} -->, which is $g_2$, if $t$ is sampled. So all misses together weigh 4/9<!-- {theorem(keep_most, 3, 2) - 1} --> of the hits. The paper's proof and a shorter one of ours both rest on this exchange.
#
# ## The paper's proof, one display at a time
#
# The proof is a chain of displayed formulas (*displays*). It rewrites the weight of the misses as a sum over hits. This sum, divided by the weight of the hits, is a mean, and a mean is at least its smallest term.
#
# The proof starts with Bayes' rule for an attacker who knows the table. The paper prints $1/\binom{n}{pn}$ for the probability of an assignment; it must be $(n - s)!/n!$, because with the printed 1/3<!-- {1 / sp.binomial(3, 2)} --> the example's six assignments have probability 2<!-- {len(assignments(3, 2)) / sp.binomial(3, 2)} --> in all. The probability of an assignment cancels. The paper then takes the reciprocal of the risk.
#
# Let $L_{i,j}$ be the probability that the value of person $i$ is rewritten to what record $j$ shows. A person with $\pi(i) = \phi$ (`None`) is left out, and $L_{i,\phi} = 1$. (The paper writes $A^{\tau,\tau'}_{i,j}$, with $\tau$ for the table and $\tau'$ for the release. Its $s$ in products is our $i$.)

# %%
def rewriting_factors(values, release):
    """L[i, j] for each person i and each record j, and for j = None."""
    L = {}
    for i, value in enumerate(values):
        L[i, None] = Fraction(1)
        for j, shown in enumerate(release):
            L[i, j] = keep_most[value][shown]
    return L


def product_over(L, pi, without=()):
    """Product of L[i, pi[i]] over all people i except those in `without`."""
    return prod(L[i, j] for i, j in enumerate(pi) if i not in without)


# %% [markdown]
# **Displays 1 and 2** (after the definition of $A^{\tau,\tau'}$) write weights as products and split the misses: $r$ is left out, or another record shows $r$.
#
# $$ \frac1{\text{risk}}
# = 1 + \frac{\sum_{\pi(r) \ne r'} \prod_i L_{i,\pi(i)}}{\sum_{\pi(r) = r'} \prod_i L_{i,\pi(i)}}
# = 1 + \frac{\sum_{\pi(r) = \phi} \prod_i L_{i,\pi(i)} + \sum_{\pi(r) \ne \phi,\, r'} \prod_i L_{i,\pi(i)}}{\sum_{\pi(r) = r'} \prod_i L_{i,\pi(i)}} $$
#
# Under the last sum the paper prints $\pi(r) \in \tilde{\mathcal R}_\pi$; it must be $r \in \tilde{\mathcal R}_\pi$, because $\tilde{\mathcal R}_\pi$ is the set of sampled people.

# %%
L = rewriting_factors(values, release)
D = sum(product_over(L, pi) for pi in hits)  # the denominator
N_1 = sum(product_over(L, pi) for pi in misses)
left_out = sum(product_over(L, pi) for pi in misses if pi[0] is None)
elsewhere = sum(product_over(L, pi) for pi in misses if pi[0] is not None)
assert 1 + N_1 / D == 1 + (left_out + elsewhere) / D == 1 / risk(keep_most, values, release)
print(f"1 + ({N_1}) / ({D}) = {1 + N_1 / D}; the two sums: {left_out} and {elsewhere}")

# %% [markdown]
# The following displays rewrite only the numerator $N$, not the denominator $D$ (whose factor $L_{r,r'}$ the paper writes first).
#
# **Display 3** sorts both sums by the person $t$ whom $r'$ shows, and the second also by the record $t'$ that shows $r$:
#
# $$ N_3 = \sum_{t \ne r} L_{t,r'} \sum_{\substack{\pi(r) = \phi \\ \pi(t) = r'}} \prod_{i \ne t} L_{i,\pi(i)}
# + \sum_{\substack{t \ne r \\ t' \ne r'}} L_{t,r'} L_{r,t'} \sum_{\substack{\pi(t) = r' \\ \pi(r) = t'}} \prod_{i \ne t, r} L_{i,\pi(i)} $$

# %%
first_3, second_3, printed_3 = 0, 0, 0
for t in (1, 2):
    for pi in misses:
        if pi[t] == 0 and pi[0] is None:
            first_3 += L[t, 0] * product_over(L, pi, without=(t,))
            printed_3 += L[t, 0] * product_over(L, pi)
        elif pi[t] == 0:
            second_3 += L[t, 0] * L[0, pi[0]] * product_over(L, pi, without=(t, 0))
assert (first_3, second_3) == (left_out, elsewhere)
print(first_3, second_3, "as printed:", printed_3)

# %% [markdown]
# The paper prints $i \ne t$ under the sum; it must stand under the product, because otherwise $L_{t,r'}$ counts twice: the first sum is 3/32<!-- {printed_3} --> instead of 3/8<!-- {first_3} -->.
#
# **Display 4** exchanges $r$ and $t$, so that the sums run over hits:
#
# $$ N_4 = \sum_{t \ne r} L_{t,r'} \sum_{\substack{\pi(t) = \phi \\ \pi(r) = r'}} \prod_{i \ne r} L_{i,\pi(i)}
# + \sum_{\substack{t \ne r \\ t' \ne r'}} L_{t,r'} L_{r,t'} \sum_{\substack{\pi(r) = r' \\ \pi(t) = t'}} \prod_{i \ne t, r} L_{i,\pi(i)} $$
#
# The first product now omits $r$ instead of $t$: it loses $L_{r,\phi} = 1$ and gains $L_{t,\phi} = 1$. The second product still omits both $r$ and $t$.

# %%
first_4, second_4, printed_4 = 0, 0, 0
for t in (1, 2):
    for pi in hits:
        if pi[t] is None:
            first_4 += L[t, 0] * product_over(L, pi, without=(0,))
            printed_4 += L[t, 0] * product_over(L, pi)
        else:
            second_4 += L[t, 0] * L[0, pi[t]] * product_over(L, pi, without=(t, 0))
assert (first_4, second_4) == (first_3, second_3)
print(first_4, second_4, "as printed:", printed_4)

# %% [markdown]
# Again the condition ($i \ne r$) must stand under the product, because as printed, under the sum, it makes the first sum 9/32<!-- {printed_4} --> instead of 3/8<!-- {first_4} -->.
#
# **Displays 5 and 6** give both sums the same form and add them. In the first sum, the new factors $L_{r,\pi(t)}$ and $L_{t,\pi(t)}$ are 1. In the second, $t' = \pi(t)$, and the division takes the factor of $t$ out of the product.
#
# $$ \begin{aligned}
# N_5 &= \sum_{t \ne r} L_{t,r'} \sum_{\substack{\pi(r) = r' \\ \pi(t) = \phi}} L_{r,\pi(t)} \frac{\prod_{i \ne r} L_{i,\pi(i)}}{L_{t,\pi(t)}}
# + \sum_{t \ne r} L_{t,r'} \sum_{\substack{\pi(r) = r' \\ \pi(t) \ne \phi}} L_{r,\pi(t)} \frac{\prod_{i \ne r} L_{i,\pi(i)}}{L_{t,\pi(t)}} \\[4pt]
# N_6 &= \sum_{t \ne r} L_{t,r'} \sum_{\pi(r) = r'} L_{r,\pi(t)} \frac{\prod_{i \ne r} L_{i,\pi(i)}}{L_{t,\pi(t)}}
# \end{aligned} $$

# %%
first_5, second_5, N_6 = 0, 0, 0
for t in (1, 2):
    inner = 0
    for pi in hits:
        term = L[0, pi[t]] * product_over(L, pi, without=(0,)) / L[t, pi[t]]
        inner += term
        if pi[t] is None:
            first_5 += L[t, 0] * term
        else:
            second_5 += L[t, 0] * term
    N_6 += L[t, 0] * inner
assert (first_5, second_5) == (first_4, second_4)
assert N_6 == first_5 + second_5 == N_1
print(first_5, second_5, N_6)


# %% [markdown]
# **Display 7** exchanges the two sums:
#
# $$ N_7 = \sum_{\pi(r) = r'} \sum_{t \ne r} \frac{L_{t,r'}\, L_{r,\pi(t)}}{L_{t,\pi(t)}} \prod_{i \ne r} L_{i,\pi(i)} $$

# %%
def display_7(L, L_r):
    """1/risk by display 7; the factor with the indices r and pi(t) is from L_r."""
    N = 0
    for pi in hits:
        for t in (1, 2):
            N += L[t, 0] * L_r[0, pi[t]] / L[t, pi[t]] * product_over(L, pi, without=(0,))
    return N / sum(product_over(L, pi) for pi in hits) + 1


assert display_7(L, L) == 1 + N_6 / D == 1 + N_1 / D
L_zeros = rewriting_factors(values, (0, 0))  # another release
L_printed = rewriting_factors(values, values)  # the table in place of the release
print(display_7(L, L))
print(display_7(L_zeros, L_zeros), "as printed:", display_7(L_zeros, L_printed))


# %% [markdown]
# From display 5 on the paper prints $A^{\tau,\tau}_{r,\pi(t)}$; it must be $A^{\tau,\tau'}_{r,\pi(t)}$, because with the printed factor the release 0, 0 gives 5/3<!-- {display_7(L_zeros, L_printed)} --> instead of 7/3<!-- {display_7(L_zeros, L_zeros)} -->. (The release 0, 1 hides the mistake.)
#
# **The inequality.** Each hit now contributes its weight times the paper's expression (2):
#
# $$ \frac1{L_{r,r'}} \sum_{t \ne r} \frac{L_{t,r'}\, L_{r,\pi(t)}}{L_{t,\pi(t)}} $$
#
# So $N_7 / D$ is a weighted mean of the values of (2) over all hits, and at least the smallest value. In (2), the $n - s$ terms with $\pi(t) = \phi$ are at least $\gamma$, and the other $s - 1$ are at least $g_2$.

# %%
def factors(A, values, release, pi):
    """The terms of (2) for a hit: one factor for the exchange with each other person t."""
    result = []
    for t in range(1, len(values)):
        factor = A[values[t]][release[0]] / A[values[0]][release[0]]
        if pi[t] is not None:
            shown = release[pi[t]]
            factor *= A[values[0]][shown] / A[values[t]][shown]
        result.append(factor)
    return result


# %%
for people in (values, (0, 0, 1)):
    sums = [sum(factors(keep_most, people, release, pi)) for pi in hits]  # expression (2)
    steps = [1 / risk(keep_most, people, release), 1 + min(sums), theorem(keep_most, 3, 2)]
    assert steps[0] >= steps[1] >= steps[2]
    print(people, *steps)

# %% [markdown]
# Both steps are equalities for the table 0, 1, 1, and strict inequalities for 0, 0, 1.
#
# The paper also says for which table and release (2) is smallest. It prints $\tau(s') = v'$, $v' \ne \tau(r')$ for the other records $s'$; it must be $\tau'$ both times, because the printed condition allows the release 0, 0, where (2) is 4/3<!-- {sum(factors(keep_most, values, (0, 0), (0, 1, None)))} --> instead of 4/9<!-- {sum(factors(keep_most, values, release, (0, 1, None)))} -->. Even the corrected statement can be wrong (see *When is the bound exact?*), but the theorem does not need it.
#
# The last display (and section 5.2) prints one product as numerator and denominator of $g_2$; it must be the theorem's $g_2$, because with the printed $g_2 = 1$ the example's bound is 7/3<!-- {1 + minima(keep_most)[0] + 1} --> instead of 13/9<!-- {theorem(keep_most, 3, 2)} -->.
#
# ```{evidence} K-5.2 K-5.4 K-5.5 K-5.12 K-5.13 K-5.14
# ```
#
# ## A shorter proof
#
# The exchange leads from display 1 to display 7 at once, so displays 2 to 6 are not needed.
#
# ```{prf:lemma} Swap lemma
# :label: thm-di-03-swap
# For a hit $\pi$ and a person $t \ne r$, let $\pi^t$ be the assignment after the exchange of $r$ and $t$. Let $w$ be the weight. Then
#
# $$ \frac1{\text{risk}} = 1 + \frac{\sum_\pi \sum_{t \ne r} w(\pi^t)}{\sum_\pi w(\pi)} , $$
#
# where $\pi$ runs through all hits.
# ```
#
# ```{prf:proof}
# The risk is the weight of the hits, divided by the weight of the hits and the misses. So 1/risk is 1 plus the weight of the misses, divided by that of the hits. We show that the $\pi^t$ are the misses, each once. In a miss, record $r'$ shows exactly one person $t \ne r$. Exchanging $r$ and $t$ gives a hit $\pi$, and exchanging them once more gives the miss back. No other pair leads to this miss, because $t$ must be the person whom $r'$ shows.
# ```
#
# By which factor does an exchange multiply the weight of a hit? Let $r$ have the value $v$ and $t$ the value $u$, and let $r'$ show $u'$. If $t$ is left out, the exchange replaces $A_{v,u'}$ by $A_{u,u'}$. If $t$ is sampled, and the record of $t$ shows $v'$, it replaces $A_{v,u'} A_{u,v'}$ by $A_{u,u'} A_{v,v'}$. The factors are therefore
#
# $$ \frac{A_{u,u'}}{A_{v,u'}} \ge \gamma \quad\text{(left out)}, \qquad
# \frac{A_{u,u'}\, A_{v,v'}}{A_{v,u'}\, A_{u,v'}} \ge g_2 \quad\text{(sampled)} . $$
#
# ```{prf:proof}
# (Of {prf:ref}`thm-di-03-bound`.) Take any hit. Of the $n - 1$ other people, $n - s$ are left out and $s - 1$ are sampled, so its factors add up to at least $(n - s)\gamma + (s - 1) g_2$. This holds for every hit. So the misses weigh at least $(n - s)\gamma + (s - 1) g_2$ times as much as the hits, and 1/risk is at least 1 plus this number.
#
# An attacker who knows the table is the worst (notebook 1, {prf:ref}`thm-di-01-worst`), so the bound covers all attackers of the threat model.
# ```
#
# Sympy verifies the exchange for three people and two records, with a separate symbol for each person and record. This covers every matrix, table and release of this size:

# %%
L = sp.Matrix(3, 2, sp.symbols("L:3:2", positive=True)).tolist()
own_row, own_column = (0, 1, 2), (0, 1)  # a row for each person, a column for each record
from_hits = 0
for pi in hits:
    w = sp.prod([L[i][j] for i, j in enumerate(pi) if j is not None])
    from_hits += w * sum(factors(L, own_row, own_column, pi))
from_misses = 0
for pi in misses:
    from_misses += sp.prod([L[i][j] for i, j in enumerate(pi) if j is not None])
assert sp.expand(from_hits - from_misses) == 0


# %% [markdown]
# The [evidence notebook](../evidence/disclosure/03-pram-and-sampling.ipynb) has an attacker whom the theorem does not cover: this attacker's belief depends on the sampling, and the attack succeeds more often.
#
# ```{evidence} K-5.1 K-B5 K-5.3 K-5.11
# ```
#
# ## Does any table fall below the bound?
#
# The following program does not use the proof. It goes through all tables and releases of four people. (By symmetry, person 0 and record 0 are enough.) We use the matrix `keep_most` and one with three values:

# %%
def fractions(rows):
    return [[Fraction(entry, sum(row)) for entry in row] for row in rows]


three_values = fractions([(6, 3, 1), (1, 4, 5), (7, 1, 2)])


def inverse_risks(A, n, s):
    """1/risk for all tables of n people and all releases of s records."""
    result = []
    for values in product(range(len(A)), repeat=n):
        for release in product(range(len(A[0])), repeat=s):
            result.append(1 / risk(A, values, release))
    return result


# %%
cases, above = {}, []
for name, A in (("two values", keep_most), ("three values", three_values)):
    for s in (1, 2, 3, 4):
        cases[name, s] = inverse_risks(A, 4, s)
        assert min(cases[name, s]) >= theorem(A, 4, s)
        if min(cases[name, s]) > theorem(A, 4, s):
            above.append((name, s))
print("The level is above the bound for:", *above)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "No case falls below the bound. Each dot is one table and one release of four people; the horizontal bars are the bound of Theorem 5.1. Left: the matrix that keeps a value with probability 3/4. Right: the matrix with three values. The lowest dots lie on the bars, except for two and three records with three values, where they are higher by too little to see: 1.321<!-- {float(min(cases[\"three values\", 2])):.3f} --> instead of 1.319<!-- {float(theorem(three_values, 4, 2)):.3f} -->, and 1.214<!-- {float(min(cases[\"three values\", 3])):.3f} --> instead of 1.210<!-- {float(theorem(three_values, 4, 3)):.3f} -->.", "name": "fig-di-03-cases"}, "image": {"alt": "Two panels of dots, 1/risk against the number of released records from 1 to 4. The lowest dots lie on or just above a bar that falls from left to right in both panels."}} tags=["figure"]
fig, axes = plots.panels(1, 2, height=3.2, width=8.6, sharey=True)
rng = np.random.default_rng(51)
for ax, (name, A) in zip(axes, (("two values", keep_most), ("three values", three_values))):
    for s in (1, 2, 3, 4):
        heights = np.array(sorted(set(cases[name, s])), dtype=float)
        spread = s + rng.uniform(-0.22, 0.22, len(heights))
        ax.plot(spread, heights, "o", ms=2.5, color=plots.COLOURS["blue"], zorder=3)
        bound = float(theorem(A, 4, s))
        ax.plot([s - 0.35, s + 0.35], [bound, bound], color=plots.COLOURS["orange"], ls="-",
                marker="", lw=2.5)
    ax.set(title=name, xlabel="released records s (of 4 people)", xticks=[1, 2, 3, 4], yscale="log")
    ax.set_yticks([1, 2, 4, 8, 16, 32, 64], labels=["1", "2", "4", "8", "16", "32", "64"])
    ax.minorticks_off()
axes[0].set_ylabel("1 / risk")
assert above == [("three values", 2), ("three values", 3)]  # what the caption says
plt.show()

# %% [markdown]
# ## When is the bound exact?
#
# We call the bound *exact* if some table and release attain it, that is, if the level equals the bound.
#
# The sum of the factors of one hit is the paper's expression (2). The paper says which table and release make it smallest: all other people have one value, different from that of $r$, and all other records show one value, different from that of $r'$. Let us test this with three people, two records and another matrix. We only need the hit in which record 1 shows person 1: the other hit only exchanges persons 1 and 2, and we go through all tables.

# %%
stubborn = fractions([(3, 5, 2), (3, 1, 6), (7, 2, 1)])
sums, sums_alike = [], []
for people in product(range(3), repeat=3):
    for shown in product(range(3), repeat=2):
        total = sum(factors(stubborn, people, shown, (0, 1, None)))
        sums.append(total)
        if people[1] == people[2]:  # there is only one other record
            sums_alike.append(total)
print(f"smallest sum: {min(sums)}; if the other people are alike: {min(sums_alike)}")
print(f"bound: {theorem(stubborn, 3, 2)}; level: {min(inverse_risks(stubborn, 3, 2))}")
assert min(inverse_risks(stubborn, 3, 2)) == 1 + min(sums_alike)

# %% [markdown]
# The paper's choice does not make the sum smallest: for 7/30<!-- {min(sums)} -->, the person who is left out and the one who is sampled must have different values. The theorem is unaffected, because it takes the two minima separately. But its bound, here 37/30<!-- {theorem(stubborn, 3, 2)} -->, can then be smaller than the level, here 26/21<!-- {min(inverse_risks(stubborn, 3, 2))} -->.
# For this matrix the paper's table still has the largest risk, because the risk depends on a mean over both hits, not on one sum. For the matrix of the last exercise, even that is wrong.
#
# ```{prf:proposition} When the bound is exact
# :label: thm-di-03-tight
# For $s = 1$ and for $s = n$ the bound is always exact. For $2 \le s \le n - 1$ it is exact if and only if the same two rows and the same column that give $\gamma$ also give $g_2$, with some second column. In symbols: there are $u, v, u', v'$ with
#
# $$ \gamma = \frac{A_{u,u'}}{A_{v,u'}} \qquad\text{and}\qquad g_2 = \frac{A_{u,u'}\, A_{v,v'}}{A_{v,u'}\, A_{u,v'}} . $$
# ```
#
# ```{prf:proof}
# Let $r$ have the value $v$ and everybody else $u$; let $r'$ show $u'$ and all other records $v'$. Then in every hit all left-out people have the first of these two quotients as their factor, and all sampled people have the second. So with the four values of the condition, the bound is attained. If $s = 1$ or $s = n$, only one kind of factor occurs, and we can choose the values that minimise it.
#
# Conversely, let $2 \le s \le n - 1$, and let some table and release attain the bound. By the lemma, 1/risk − 1 is a weighted mean of the sums of factors, with a positive weight for each hit. No sum is below $(n - s)\gamma + (s - 1) g_2$, and their mean is equal to it. So every factor in every hit is minimal. Each person $t \ne r$ is left out in some hits and sampled in others. The values of $r$ and of one such $t$, with what $r'$ and the record of $t$ show, then satisfy the condition.
# ```
#
# We know of no earlier statement of this; we have not compared with {cite:t}`ikarashi2015kanonymous` in full. The condition holds in two common cases:
#
# - *Only two values.* Let $x_{u'}$ be the ratio of the two rows in column $u'$. Then $g_2 = \min x / \max x$, and $\gamma$ is $\min x$ or $1/\max x$. Either way, $\gamma$ is the ratio in one of the two columns that give $g_2$.
# - *Keep or draw afresh.* Each value is kept with probability $\rho$ and otherwise drawn from a fixed distribution $q$. In the column of $v$, every other row has the ratio $x_v = (1-\rho)q_v/(\rho + (1-\rho)q_v)$ to row $v$. For the rows $u$ and $v$, the smallest quotient is $x_u x_v$. The rarer $v$ is, the smaller is $x_v$. So $\gamma$ is $x_v$ for the rarest value, and $g_2$ is $x_u x_v$ for the two rarest. Both come from the rows of these two values and the column of the rarest.
#
# ```{evidence} K-5.6 K-B6
# ```
#
# ## What does the sample contribute?
#
# If all records are released, $s = n$, the bound is $1 + (n - 1) g_2$. With a sample, each of the $n - s$ people who are left out contributes $\gamma$ instead of $g_2$. The paper says that $\gamma > g_2$, and concludes that the sample helps.
#
# ```{prf:proposition} The sample helps (section 5.2)
# :label: thm-di-03-gain
# Unless all rows of $A$ are equal, $\gamma > g_2$. The sample then raises the level by at least $(n - s)(\gamma - g_2)$.
# ```
#
# ```{prf:proof}
# Let $\gamma = A_{u,u'}/A_{v,u'}$. If the rows are not all equal, $\gamma < 1$, so row $u$ has less than row $v$ in column $u'$. Both rows sum to 1, so row $u$ has more in some column $v'$. Hence $g_2 \le \gamma\,A_{v,v'}/A_{u,v'} < \gamma$.
#
# Without a sample the level equals the bound. With a sample the level is at least the bound. So the gain is at least the difference of the two bounds.
# ```
#
# If all rows are equal, the release says nothing about anybody, and the level is $n$ with or without a sample. {numref}`fig-di-03-parts` shows the parts of the bound for a small table.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What the bound adds up for 12 people, if a value is kept with probability 1/2 and otherwise drawn from ten categories. The target adds 1, every person who is left out adds \u03b3 = 1/11<!-- {false_over_true} -->, and every other person in the sample only g\u2082 = \u03b3\u00b2 = 1/121<!-- {false_over_true**2} -->. The more people are left out, the higher is the level.", "name": "fig-di-03-parts"}, "image": {"alt": "Twelve stacked bars for 1 to 12 released records. The part of the target is always 1. The part of those left out falls from 1<!-- {float(left_out[0]):g} --> to 0, the part of the others in the sample rises from 0 to 0.09<!-- {float(in_sample[-1]):.2f} -->."}} tags=["figure"]
false_over_true = Fraction(1, 20) / (Fraction(1, 2) + Fraction(1, 20))  # gamma
drawn = range(1, 13)
left_out = [(12 - s) * false_over_true for s in drawn]
in_sample = [(s - 1) * false_over_true**2 for s in drawn]
bottom = np.ones(12)
fig, ax = plots.panels(height=3.0)
ax.bar(drawn, bottom, color=plots.COLOURS["sky"], label="target")
for parts, colour, hatch, label in (
    (left_out, "orange", "///", "left out"),
    (in_sample, "blue", "", "others in the sample"),
):
    heights = np.array(parts, dtype=float)
    ax.bar(drawn, heights, bottom=bottom, color=plots.COLOURS[colour], hatch=hatch,
           edgecolor="white", lw=0, label=label)  # fmt: skip
    bottom = bottom + heights
ax.set(xlabel="released records s", ylabel="bound on the level", xticks=drawn, ylim=(0, 2.2))
ax.legend(loc="upper right")
plt.show()

# %% [markdown]
# ```{evidence} K-5.7 K-5.8 K-5.9
# ```
#
# ## How much less noise does a sample allow?
#
# Let us keep a value with probability $\rho$ and otherwise draw one of $c$ categories uniformly. The draw may return the old value.

# %%
rho, c = sp.symbols("rho c", positive=True)
other = (1 - rho) / c  # a value is shown as one particular other value
same = rho + other
assert sp.simplify(other / same - (1 - rho) / (1 + (c - 1) * rho)) == 0


# %% [markdown]
# So $\gamma = (1 - \rho)/(1 + (c - 1)\rho)$. No value is rarer than another, so $g_2 = \gamma^2$. The bound is exact, so it is the level. For a thousand people and ten categories we search for the largest $\rho$ with level 10:

# %%
def level(rho, s, n=1000, c=10):
    """The level; the bound is exact for this matrix."""
    gamma = (1 - rho) / (1 + (c - 1) * rho)
    return 1 + (n - s) * gamma + (s - 1) * gamma**2


def largest_retention(k, s):
    """Largest rho with this level, by bisection: the level falls as rho grows."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if level(middle, s) >= k:
            low = middle
        else:
            high = middle
    return low


# %%
samples = (1, 100, 500, 1000)
retention = [largest_retention(10, s) for s in samples]
changed = [(1 - rho) * 9 / 10 for rho in retention]  # a fresh draw differs in 9 cases of 10
table(
    {"released records": samples, "largest ρ": retention, "share changed": changed},
    formats={"largest ρ": ".3f", "share changed": ".1%"},
    caption="A thousand people, ten categories, level k = 10.",
)

# %% [markdown]
# The paper concludes that PRAM needs less noise with a sample than without. The table confirms it: without a sample 46.1%<!-- {changed[-1]:.1%} --> of the answers change on average, and with a hundred records 8.2%<!-- {changed[1]:.1%} -->. Much smaller samples gain little more. Even if a single record is released, its value must change with a probability of 7.5%<!-- {changed[0]:.1%} -->, because the 999 other people have to contribute $k - 1 = 9$ in all, and so $\gamma$ must be at least $9/999$. The next figure shows the same for other levels.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The smallest share of answers that must change, on average, for the level k, against the sampling rate s/n (a thousand people, ten categories). The smaller the sample, the less noise is needed. Leaving out half of the people already gives more than half of what the smallest sample would give.", "name": "fig-di-03-noise"}, "image": {"alt": "Three rising curves of the share of changed answers against the sampling rate, for k = 5, 10 and 50. The curve for k = 50 is the highest, the one for k = 5 the lowest."}} tags=["figure"]
fig, ax = plots.panels(height=3.2, width=6.0)
steps = np.unique(np.linspace(1, 1000, 200).astype(int))
for k, grey, style in ((50, "0.0", "-"), (10, "0.35", "--"), (5, "0.55", "-.")):
    shares = [(1 - largest_retention(k, size)) * 9 / 10 for size in steps]
    ax.plot(steps / 1000, shares, color=grey, ls=style, label=f"k = {k}")
    half_sample = (1 - largest_retention(k, 500)) * 9 / 10
    assert shares[-1] - half_sample > (shares[-1] - shares[0]) / 2  # what the caption says
ax.set(xlabel="sampling rate s/n", ylabel="share of answers changed", ylim=(0, 0.8))
ax.yaxis.set_major_formatter("{x:.0%}")
ax.legend()
assert np.allclose(retention, [design.retention_for_k(1000, 10, n_sampled=size, categories=10)
                               for size in samples])
plt.show()


# %% [markdown]
# Less noise in each record does not mean better statistics, because fewer records remain. [The next notebook](04-exact-risk-and-design.ipynb) weighs one against the other.
#
# ```{evidence} K-1.9 K-6.2
# ```
#
# ## Which attackers does the theorem not cover?
#
# The paper's attacker does not know who was sampled. Suppose that an attacker does know that person 0 was sampled. The assignments in which person 0 is left out are then impossible. Exchanging person 0 with somebody who was left out would leave person 0 out, which this attacker excludes. Only the exchanges with the $s - 1$ other sampled people remain, and the bound falls to $1 + (s - 1) g_2$. This bound is exact, because only one kind of factor is left:

# %%
def inverse_risk_if_sampled(A, values, release):
    """1/risk for an attacker who knows that person 0 was sampled."""
    every, hits = 0, 0
    for pi in assignments(len(values), len(release)):
        if pi[0] is not None:
            w = weight(A, values, release, pi)
            every += w
            if pi[0] == 0:
                hits += w
    return every / hits


case = ((0, 1, 1, 1), (0, 1))  # a unique person among four, two released records
print(inverse_risk_if_sampled(keep_most, *case), 1 / risk(keep_most, *case))
print(theorem(keep_most, 4, 4))  # all four records released

# %% [markdown]
# Against this attacker 1/risk is only 10/9<!-- {inverse_risk_if_sampled(keep_most, *case)} -->, while it is 16/9<!-- {1 / risk(keep_most, *case)} --> against an attacker who does not know who was sampled. If all four records were released, the level would be 4/3<!-- {theorem(keep_most, 4, 4)} -->. So a sample *lowers* the protection of a person who is known to be in it. The figure shows both effects for a thousand people.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A sample helps against one attacker and hurts against the other (a thousand people, ten categories). Solid lines: the level against attackers who do not know who was sampled, with dots for the exact 1/risk of a worst table and release. Dotted lines: the level against an attacker who knows that the person was sampled. They meet where everybody is sampled.", "name": "fig-di-03-levels"}, "image": {"alt": "Three solid lines for retention 0.3, 0.5 and 0.9, with dots on them, fall from small sampling rates to rate one; three dotted lines rise from level 1 and meet them at rate one."}} tags=["figure"]
fig, ax = plots.panels(height=3.6, width=6.4)
for keep, hue in zip((0.3, 0.5, 0.9), ("blue", "orange", "green")):
    colour = plots.COLOURS[hue]
    matrix = pram.retention_matrix(keep, 10)
    ax.plot(steps / 1000, level(keep, steps), color=colour, ls="-", label=f"ρ = {keep}")
    if_sampled = 1 + (steps - 1) * anonymity.ratio_minima(matrix).g2
    ax.plot(steps / 1000, if_sampled, color=colour, ls=":", lw=1.3)
    for size in (10, 250, 500, 750, 1000):
        worst = anonymity.homogeneous_worst_case(matrix, 1000, n_sampled=size)
        exact = 1 / posterior.match_probability(
            worst.table, worst.release, transition=matrix, record=0, slot=0
        )
        assert np.isclose(exact, level(keep, size))
        ax.plot(size / 1000, exact, "o", ms=5, color=colour)
ax.plot([], [], ":", color="#555555", lw=1.3, label="known to be sampled")
ax.set(yscale="log", ylim=(0.9, 900), xlabel="sampling rate s/n", ylabel="level k")
ax.set_yticks([1, 10, 100], labels=["1", "10", "100"])
ax.legend(ncols=2, loc="upper right", fontsize="small")
plt.show()

# %% [markdown]
# The paper adds that a sample of random size does not help. Let every person be sampled independently with probability $p$. Given its size $S \ge 1$, the sample is a random sample of fixed size, with the bound $1 + (n - S)\gamma + (S - 1) g_2$. This is never below the level of PRAM alone. But with probability $p^n$ everybody is drawn, and then the bound is equal to that level.
# So a guarantee for *every* release is no better than that of PRAM alone.
#
# ```{evidence} K-0.2 K-5.10 K-6.1
# ```
#
# ## Exercises
#
# ```{exercise-start} Two attributes at once
# :label: ex-di-03-attributes
# ```
# **Warm-up.** Sex is rewritten with a matrix $A$, and the age class, independently, with a matrix $B$. Express $\gamma$ of the pair in terms of the $\gamma$ of $A$ and the $\gamma$ of $B$ (for the check: `gamma_A` and `gamma_B`). What happens to the guarantee as more attributes are added?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-03-attributes", ...)

# %% [markdown]
# ```{solution-start} ex-di-03-attributes
# :class: dropdown
# ```
# The pair $(a, b)$ is rewritten to $(a', b')$ with probability $A_{a,a'} B_{b,b'}$. These products form the *Kronecker product* of the two matrices. The ratios of entries of the Kronecker product are products, and each factor can be minimised on its own, so $\gamma$ and $g_2$ of the pair are the products of the two. Both are at most 1, and therefore no further attribute can improve the guarantee. For $n = 1000$ and $s = 100$, one attribute of two values that are kept with probability 0.9
# (and otherwise drawn afresh) has the level 48.6<!-- {guarantees[0]:.1f} -->; three such attributes have 1.13<!-- {guarantees[2]:.2f} -->.

# %%
pair = np.kron(np.array(keep_most, dtype=object), np.array(three_values, dtype=object))
for of_pair, first, second in zip(minima(pair), minima(keep_most), minima(three_values)):
    assert of_pair == first * second

one = np.array(fractions([(19, 1), (1, 19)]), dtype=object)  # keep 9/10, otherwise draw
together, guarantees = one, []
for _ in range(3):
    guarantees.append(float(theorem(together, 1000, 100)))
    together = np.kron(together, one)
assert guarantees[0] > guarantees[1] > guarantees[2] > 1
check("di-03-attributes", lambda gamma_A, gamma_B: gamma_A * gamma_B)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Zeros in the matrix
# :label: ex-di-03-zero
# ```
# **Standard.** Let the value 1 never be shown as 0, while the value 0 can be. Find a table and a release in which person 0 is linked with certainty, for every $n \ge s$. Find another table in which this zero protects person 0.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-03-zero
# :class: dropdown
# ```
# If only person 0 has the value 0, a record that shows 0 must be that person's: the factors of all exchanges are zero. The same record can never show a person with the value 1. So if person 0 has the value 1, the risk for this record is zero. If a column has both a zero and a positive entry, the best general statement is $k \ge 1$. (A column of zeros does no harm: the value is never shown.)

# %%
never = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(0), Fraction(1)]]
for n_people in range(1, 5):
    for n_released in range(1, n_people + 1):
        unique = (0,) + (1,) * (n_people - 1)
        shown = (0,) + (1,) * (n_released - 1)
        assert risk(never, unique, shown) == 1
assert risk(never, (1, 0, 1, 1), (0, 1)) == 0  # person 0 now has the value 1

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A worst table with two different values
# :label: ex-di-03-mixed
# ```
# **Research.** If the bound is not exact, is the worst table at least one in which all other people have the same value? Try the matrix with the rows $(2, 11, 7)$, $(1, 18, 1)$ and $(9, 10, 1)$, over 20, with $n = 3$ and $s = 2$. Give the smallest 1/risk over all 27 tables and 9 releases, and the smallest over those in which persons 1 and 2 have the same value, as fractions in this order. (Person 0 and record 0 are enough, so `risk` will do.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-03-mixed", ...)

# %% [markdown]
# ```{solution-start} ex-di-03-mixed
# :class: dropdown
# ```
# No. The smallest 1/risk is 7/6<!-- {least} -->, and only tables with three different values have it. If the other two have the same value, 1/risk is at least 95/81<!-- {least_alike} -->, a little more. One of the two people contributes least when left out, and the other when sampled.

# %%
mixed = fractions([(2, 11, 7), (1, 18, 1), (9, 10, 1)])
by_table, alike = {}, []
for people in product(range(3), repeat=3):
    of_table = [1 / risk(mixed, people, shown) for shown in product(range(3), repeat=2)]
    by_table[people] = min(of_table)
    if people[1] == people[2]:
        alike.append(min(of_table))
least, least_alike = min(by_table.values()), min(alike)
assert theorem(mixed, 3, 2) < least < least_alike
for people, smallest in by_table.items():
    assert smallest > least or len(set(people)) == 3
check("di-03-mixed", (least, least_alike))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *Why do two numbers of the matrix bound the risk of every table and release?* Every miss comes from exactly one hit, by exchanging the person with one other. The exchange multiplies the weight by at least $\gamma$ if the other person was left out, and by at least $g_2$ if that person was sampled. So the misses weigh at least $(n - s)\gamma + (s - 1) g_2$ times as much as the hits.
# 2. *Is Theorem 5.1 exact?* For $s = 1$ and $s = n$ always. In between, if and only if the same two rows and the same column give both minima, as they always do if there are only two values.
# 3. *Does a sample protect against an attacker who knows everyone?* Alone it does not. After PRAM it raises the guaranteed level by $(n - s)(\gamma - g_2)$, but only while the attacker does not know who was sampled. Against an attacker who knows that a person was sampled, the level is lower than if all records were released.
#
# **Further reading.** {cite:t}`ikarashi2015kanonymous` introduced Pk-anonymity, for PRAM without a sample. PRAM itself comes from official statistics {cite:p}`kooiman1997pram,gouweleeuw1998post`. **Next:**
# [how risky is one particular release?](04-exact-risk-and-design.ipynb)
