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
# # Does a sample help if the attacker knows everyone?
#
# Alone it does not: whoever is unique in the table is caught as soon as the sample shows them. Rewrite the
# values at random *before* drawing, and the same sample suddenly counts. A thousand people, ten categories,
# level $k = 10$; each value is kept with probability $\rho$, the *retention probability*, and else drawn anew. Without a sample
# $\rho$ may be 0.488<!-- {rho_all:.3f} --> at most (0.539<!-- {stay_all:.3f} --> of the values then stay as they are), with a sample of
# a hundred 0.908<!-- {rho_tenth:.3f} -->. The exchange of two people that bounded the risk in the previous notebook
# bounds it here as well.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why two minima over a matrix are enough for every table and every belief, when the
# resulting bound is exact, how much noise a sample saves, and who is *not* held off.
# **You need** the attack of [notebook 1](01-who-attacks.ipynb), the swap lemma of
# [notebook 2](02-sampling-alone.ipynb), fractions, patience for one index. **Time:** 22 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** every value of $n$ records rewritten by a matrix $A$, then $s = pn$ records drawn without
# replacement and shuffled. **The attacker** knows all $n$ true values, $A$, $n$ and $s$, or has any belief
# about the table. She does *not* know which records were sampled. **Protected:** which slot shows
# which record. **Not protected:** anything against somebody who knows that the target took part, beyond what
# the last section says.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, lcm, prod

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.disclosure import anonymity, design, posterior, pram
from privlib.notebook import claim, derivation, misprints, plots, table

plots.use()
rng = np.random.default_rng(51)


def down(values, places=4):
    """Rounded down: with a retention that is rounded up the level would be lower."""
    return np.floor(np.array(values) * 10**places) / 10**places


# %% [markdown]
# ## Three people, two lines
#
# One person has value 0, two have value 1. Each value survives with probability 3/4 and flips with 1/4; two of
# the three results are released, and the release reads 0, 1. We list every way in which it can come about. An
# *arrangement* says who is behind which slot; its weight is the product of the entries of $A$. Records and slots
# count from 0 in the code, from 1 in the paper.

# %%
keep_half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
town, release = (0, 1, 1), (0, 1)
weights = {
    behind: prod(keep_half[town[r]][a] for r, a in zip(behind, release))
    for behind in permutations(range(3), 2)
}
hit = sum(w for behind, w in weights.items() if behind[0] == 0)
print("chance that record 0 is behind slot 0:", hit / sum(weights.values()))

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"behind slots 0 and 1: records": [f"{i} and {j}" for i, j in weights],
     "values there": [f"{town[i]}, {town[j]}" for i, j in weights],
     "weight": list(weights.values())},
    caption="All arrangements for the table 0 1 1 and the release 0 1.",
)  # fmt: skip

# %% [markdown]
# The chance is 9/13. The same as an experiment: rewrite, shuffle, release two, and look only at the runs that
# give this release.

# %%
runs = 200_000
noisy = pram.apply_pram(np.tile(town, runs), keep_half, rng=rng).reshape(runs, 3)
order = rng.permuted(np.tile(np.arange(3), (runs, 1)), axis=1)[:, :2]
seen = (np.take_along_axis(noisy, order, axis=1) == release).all(axis=1)
caught = (order[seen, 0] == 0).mean()
print(f"{seen.sum():,} such runs; record 0 is behind slot 0 in {caught:.3f} of them")

# %% [markdown]
# Is that the worst for any table of three, any release? And for a million people, where no
# list can be made?
#
# ```{prf:theorem} PRAM and sampling; the paper's Theorem 5.1 (定理 5.1)
# :label: thm-di-03-bound
# Rewrite with $A$, then draw $pn$ of $n$ records. The release is Pk-anonymous with
#
# $$ k \ge 1 + (n - pn) \min_{u,v,u'} \frac{A_{u,u'}}{A_{v,u'}}
#    + (pn - 1) \min_{u,v,u',v'} \frac{A_{u,v'}\,A_{v,u'}}{A_{u,u'}\,A_{v,v'}} . $$
# ```
#
# Rewriting by such a matrix is PRAM, *post randomisation*; *Pk-anonymous* means that nobody, whatever they believe, links
# any record to any slot with a probability above $1/k$. Call the two minima $\gamma$ and $g_2$. All entries of $A$ must be positive
# (遷移確率行列 without zeros), or a ratio is undefined.
#
# | symbol | what it is |
# | --- | --- |
# | $n$, $s = pn$ | records of the table, slots of the release; $p$ is the sampling rate |
# | $r$, $r'$ | the target record, the slot that is suspected to show it |
# | $\Pi(r) = r'$, $\tau'$ | the event that slot $r'$ shows record $r$; the release that is seen |
# | $u, v$ and $u', v'$ | true values, shown values |
# | $A_{u,u'}$ | probability that $u$ is rewritten to $u'$; each row sums to 1 |
# | $\gamma$, $g_2$ | the first and the second minimum of the theorem |
# | $t$ | any record other than the target |
# | $R(a) = A_{u,a}/A_{v,a}$ | how much likelier $u$ is shown as $a$ than $v$ is |
# | $\rho_t$ | what the exchange of $r$ and $t$ does to the weight of an arrangement |

# %%
minima = anonymity.ratio_minima(keep_half)
print("gamma =", minima.gamma, "  g2 =", minima.g2)
print("k is at least", anonymity.pk_level(keep_half, 3, n_sampled=2))

# %% [markdown]
# Thirteen ninths: the list above is already the worst case. Why do *two* numbers of the matrix say so much?
#
# ## One exchange, two kinds of terms
#
# The swap lemma ({prf:ref}`thm-di-02-swap`) takes an arrangement with the target $r$ in slot $r'$ and lets $r$ change
# places with one other record $t$. Every arrangement with somebody else in slot $r'$ comes out exactly once, so the
# inverse of the probability is 1 plus an average. Here the attacker knows the table: $L_x$ in the lemma is the row of $A$ for the value
# of $x$. No entry is 0, so every arrangement has a weight and the $\rho_t$ say it all:
#
# $$ \frac1{\Pr[\Pi(r) = r' \mid \tau']} = 1 + \operatorname{mean} \sum_{t \ne r} \rho_t , \qquad
#    \rho_t = \begin{cases} R(u') & \text{if $t$ was left out,} \\ R(u')/R(v') & \text{if $t$ is in a slot that shows $v'$.}
#    \end{cases} $$
#
# Here $v$ is the value of $r$ and $u$ that of $t$, slot $r'$ shows $u'$, and the mean is over the arrangements with $r$ in
# slot $r'$, by their weights. In each of them $n - s$ records are left out and $s - 1$ others are in. Now
# $R(u') \ge \gamma$ and $R(u')/R(v') \ge g_2$: that is how the two minima are defined. What holds for every term
# holds for the mean, the paper's "lemma 4 of [7]". Two terms at a time, with weights $w_1, w_2$ and
# excesses $x_1, x_2 \ge 0$ over the least value $m$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
w1, w2, m = sp.symbols("w1 w2 m", positive=True)
x1, x2 = sp.symbols("x1 x2", nonnegative=True)
least_term = (
    derivation((w1 * (m + x1) + w2 * (m + x2)) / (w1 + w2), of=r"\text{mean}",
               names={w1: "w_1", w2: "w_2", x1: "x_1", x2: "x_2"})
    .equal(m + (w1 * x1 + w2 * x2) / (w1 + w2), "take $m$ out")
    .at_least(m, "nothing is negative", by="coefficients")
)  # fmt: skip
least_term

# %% [markdown]
# Let the terms of the two kinds exceed $\gamma$ and $g_2$ by $x, y \ge 0$ in the mean. That is the whole proof:

# %% jupyter={"source_hidden": true} tags=["evidence"]
out, others = sp.symbols("a b", nonnegative=True)  # n - s and s - 1
x, y = sp.symbols("x y", nonnegative=True)
gamma, g2 = sp.symbols("gamma g2", positive=True)
named = {out: "(n-s)", others: "(s-1)", gamma: r"\gamma", g2: "g_2"}
bound = derivation(
    1 + out * (gamma + x) + others * (g2 + y), names=named,
    of=r"\frac{1}{\Pr[\Pi(r) = r' \mid \tau']}",
).at_least(1 + out * gamma + others * g2, r"$x, y \ge 0$", by="coefficients")
bound


# %% [markdown]
# The paper's proof walks the same road through a dozen displays of sums over $\pi$; the exchange is hidden in the fourth.
# Without PRAM, the same lemma gave Claim 4.1 ({prf:ref}`thm-di-02-claim`): there $\rho_t$ was a guess at an unknown value, here it is the noise on a
# known one.
#
# ## Nothing left out: every table, every release
#
# A proof of a few lines, and a program that knows nothing of it. For small $n$ it goes through *all* tables, *all*
# releases, every record and every slot, and takes the smallest $1/\Pr$ of all, in whole numbers: entries of $A$ times
# their common denominator.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def everything(A, size, slots):
    """Weight in all, and with record r in slot j, for all tables and releases."""
    scale = lcm(*(entry.denominator for row in A for entry in row))
    whole = np.array([[int(entry * scale) for entry in row] for row in A])
    tables = np.array(list(product(range(len(A)), repeat=size)))
    releases = np.array(list(product(range(len(A[0])), repeat=slots)))
    orders = np.array(list(permutations(range(size), slots)))
    shown = whole[tables[:, orders][:, None], releases[None, :, None]]
    weight = shown.prod(axis=-1)  # tables, releases, arrangements
    behind = (orders[:, :, None] == np.arange(size)).astype(np.int64)
    matched = np.tensordot(weight, behind, axes=(2, 0))
    return weight.sum(axis=-1)[..., None, None], matched


def lowest(total, matched):
    """Smallest total / matched, exactly."""
    total = np.broadcast_to(total, matched.shape)
    at = (matched / total).argmax()
    least = Fraction(int(total.flat[at]), int(matched.flat[at]))
    smaller = total.astype(object) * least.denominator < matched * least.numerator
    assert not smaller.any()  # no rounding: whole numbers of any size
    return least


def exact_level(A, size, slots):
    """Smallest 1 / Pr[record behind slot | release] of all tables and releases."""
    return lowest(*everything(A, size, slots))


def shares(*rows):
    return [[Fraction(entry, sum(row)) for entry in row] for row in rows]


def random_matrix(rows, columns, high=9):
    return shares(*rng.integers(1, high + 1, size=(rows, columns)).tolist())


loose = shares((6, 3, 1), (1, 4, 5), (7, 1, 2))
matrices = [random_matrix(*shape) for shape in product((2, 3), (2, 3))] + [loose]
sizes = [(n_, s_) for n_ in (2, 3, 4) for s_ in range(1, n_ + 1)]
levels = [{ns: exact_level(A, *ns) for ns in sizes} for A in matrices]
compared = sum(everything(A, *ns)[1].size for A in matrices for ns in sizes)

# %% [markdown]
# Five matrices: four drawn at random, with two and three true and shown values, and the last, in tenths, with the rows
# 6 3 1 | 1 4 5 | 7 1 2. The table compares the worst of all cases with the bound, for $n = 4$.

# %% jupyter={"source_hidden": true} tags=["set-up"]
per_size = {
    f"s = {k}": [
        float(found[4, k] / anonymity.pk_level(A, 4, n_sampled=k))
        for A, found in zip(matrices, levels)
    ]
    for k in (1, 2, 3, 4)
}
table(
    {"true × shown": [f"{len(A)} × {len(A[0])}" for A in matrices], **per_size},
    formats=dict.fromkeys(per_size, ".5f"),
    caption="Exact level of the worst case, divided by the bound; n = 4.",
)


# %% jupyter={"source_hidden": true} tags=["evidence"]
def swap_gap(size, slots):
    """The weight without r in slot 0, minus what the exchanges make of the rest.

    A free symbol for every entry: any matrix, any table, any release.
    """
    L = sp.Matrix(size, slots, sp.symbols(f"L:{size}:{slots}", positive=True))
    orders = permutations(range(size), slots)
    w = {o: prod(L[r, j] for j, r in enumerate(o)) for o in orders}

    def rho(order, t):
        if t not in order:
            return L[t, 0] / L[0, 0]
        j = order.index(t)
        return L[t, 0] * L[0, j] / (L[0, 0] * L[t, j])

    elsewhere = sum(w[o] for o in w if o[0] != 0)
    mine = [o for o in w if o[0] == 0]
    swapped = sum(w[o] * sum(rho(o, t) for t in range(1, size)) for o in mine)
    return sp.expand(elsewhere - swapped)


def kept_by(A, found):
    """For all sizes, whether the exact level is at least the bound."""
    return [found[ns] >= anonymity.pk_level(A, ns[0], n_sampled=ns[1]) for ns in sizes]


swap_gaps = [swap_gap(*ns) for ns in sizes]
town_level = exact_level(keep_half, 3, 2)
lifted = 1 + out * gamma + others * g2
two_terms = (w1 * (m + x1) + w2 * (m + x2)) / (w1 + w2)
two_kinds = 1 + out * (gamma + x) + others * (g2 + y)
with claim("K-5.12") as c:
    c.decisive().derived(least_term, two_terms, m, "two terms; more by repeating it")
with claim("K-5.1") as c:
    c.decisive().derived(bound, two_kinds, lifted, "from the swap lemma to the bound")
    label = "swap lemma, a free symbol for each entry, all s ≤ n ≤ 4: difference"
    c.decisive("exhaustive").exact(set(swap_gaps), {0}, label)
    label = "every table, release, record and slot, s ≤ n ≤ 4, five matrices"
    held = [set(kept_by(A, found)) for A, found in zip(matrices, levels)]
    c.exact(held, [{True}] * 5, label)
    listed = sum(weights.values()) / hit
    found = lifted.subs({out: 1, others: 1, gamma: minima.gamma, g2: minima.g2})
    c.exact(listed, found, "the town, from its list")
    by_theorem = anonymity.pk_level(keep_half, 3, n_sampled=2)
    c.exact(town_level, by_theorem, "and the worst of all releases of three")
    error = np.sqrt(float(listed - 1) / seen.sum()) / float(listed)
    label = "the town, simulated: record 0 behind slot 0"
    c.sampled(caught, float(1 / listed), label, stderr=error)
    for A in matrices[:3]:  # far beyond enumeration, against the exact posterior
        worst = anonymity.homogeneous_worst_case(A, 300, n_sampled=30)
        risk = posterior.match_probability(
            worst.table, worst.release, transition=A, record=0, slot=0
        )
        by_theorem = anonymity.pk_level(A, 300, n_sampled=30)
        c.exact(1 / risk, by_theorem, "n = 300, s = 30: attained")
with claim("K-B5") as c:
    label = "Theorem 5.1: its two kinds of terms"
    c.decisive().derived(bound, two_kinds, lifted, label)
    label = "and the lemma for any matrix, all s ≤ n ≤ 4: difference"
    c.decisive("exhaustive").exact(set(swap_gaps), {0}, label)

# %% [markdown]
# 365,062<!-- {compared:,} --> posterior probabilities, none above the bound. Where the table shows 1, the bound is
# attained; in the last row, for the two sizes between the extremes, it is not. But all these attackers know the table.
# Could one who knows less do better?
#
# ## Is it worst to know everything?
#
# The theorem promises $k$ against every *belief* about the table. A belief mixes tables: say it gives table $i$ the weight $f_i$,
# that table $i$ leads to this release with probability $a_i$, and that who knows it succeeds with probability
# $p_i = P/(1 + x_i)$, where $P$ is the largest of the $p_i$. Then the success is a weighted mean once more:

# %% jupyter={"source_hidden": true} tags=["evidence"]
f1, f2, a1, a2, P = sp.symbols("f1 f2 a1 a2 P", positive=True)
p1, p2 = P / (1 + x1), P / (1 + x2)
mixing = {f1: "f_1", f2: "f_2", a1: "a_1", a2: "a_2", x1: "x_1", x2: "x_2"}
belief = derivation(
    (f1 * a1 * p1 + f2 * a2 * p2) / (f1 * a1 + f2 * a2), names=mixing,
    of=r"\Pr[\Pi(r) = r' \mid \tau']",
).at_most(P, r"$x_1, x_2 \ge 0$", by="coefficients")  # fmt: skip
belief

# %% [markdown]
# So knowing the table is the worst that can happen, and the enumeration above has settled Definition 2.2, "every
# attacker $f_T$", as well. One thing is taken for granted: that the belief about the table has nothing to do with who is
# drawn or how the noise falls. ($T$ is independent of $\Pi$ and $\Delta$.) Take three people, the target of value 0, and the
# release 0, 1. Somebody who believes that both others have value 1 if the target is drawn first, and that otherwise whoever is drawn first has
# value 1 and the remaining one of the two others 0, is not held off: she reaches 9/11<!-- {shown_tied} -->, above the 9/13<!-- {untied} --> that is the most for all who do not.

# %% jupyter={"source_hidden": true} tags=["evidence"]
total, matched = everything(keep_half, 3, 2)
priors = rng.integers(1, 100, size=(50, len(total)))
weighed = np.tensordot(priors, matched, axes=1)
mixed = weighed / np.tensordot(priors, total, axes=1)
tables3, releases2 = (list(product((0, 1), repeat=k)) for k in (3, 2))
known = [
    posterior.match_matrix(who, shown, transition=keep_half).T
    for who, shown in product(tables3, releases2)
]
known = np.array(known, dtype=float).reshape(8, 4, 2, 3)  # tables, releases, ...

draws = list(permutations(range(3), 2))


def with_joint(worlds):
    """Pr[record 0 in slot 0 | release 0 1] for weights of worlds (table, draw)."""
    w = {
        (who, (i, j)): f * keep_half[who[i]][0] * keep_half[who[j]][1]
        for (who, (i, j)), f in worlds.items()
    }
    return sum(x for (_, o), x in w.items() if o[0] == 0) / sum(w.values())


uneven = dict(zip(tables3, range(1, 9)))  # a belief that tells tables apart
apart = {(who, o): f for who, f in uneven.items() for o in draws}
at = releases2.index((0, 1))
by_display = Fraction(
    int(sum(f * matched[k, at, 0, 0] for k, f in enumerate(uneven.values()))),
    int(sum(f * total[k, at, 0, 0] for k, f in enumerate(uneven.values()))),
)
fits, against = (0, 1, 1), {1: (0, 1, 0), 2: (0, 0, 1)}
tied = {(fits if o[0] == 0 else against[o[0]], o): 1 for o in draws}
over, most = with_joint(tied), 1 / town_level
two_tables = (f1 * a1 * p1 + f2 * a2 * p2) / (f1 * a1 + f2 * a2)
shown_tied = str(over)
untied = str(most)
with claim("K-5.3") as c:
    label = "a belief in two tables; more by repeating it"
    c.decisive().derived(belief, two_tables, P, label)
    label = "50 beliefs on all 8 tables, each release, record and slot"
    best = np.broadcast_to(known.max(axis=0), mixed.shape)
    c.at_most(mixed, best, label, slack=1e-12)
    c.close(matched / total, known, "table by table, by the package's permanents")
with claim("K-5.11") as c:
    label = "independent: summed over tables and draws, and the paper's quotient"
    c.exact(with_joint(apart), by_display, label)
    label = "a belief that ties the table to the draw, n = 3, s = 2: Pr at most"
    c.limit(min(most, over), over, label)


# %% [markdown]
# ## Who attains the bound?
#
# The proof of the paper goes one step further and names the worst table.
#
# ````{admonition} As printed
# :class: as-printed
# Expression (2), $\frac{1}{A_{r,r'}^{\tau,\tau'}} \sum_{t \ne r} \frac{A_{t,r'}^{\tau,\tau'} A_{r,\pi(t)}^{\tau,\tau}}{A_{t,\pi(t)}^{\tau,\tau'}}$ for any $\pi$ with $\pi(r) = r'$, is smallest when
# $\tau(s) = v$, $v \ne \tau(r)$ for all $s \ne r$, and $\tau(s') = v'$, $v' \ne \tau(r')$ for all $s' \ne r'$. (Section 5.1.)
# ````
#
# Primed slots are of the release, so $\tau'$ is meant where $\tau$ is applied to them, and $A_{r,\pi(t)}^{\tau,\tau'}$ in the numerator: all
# other records have one value $v \ne \tau(r)$ and all other slots show one value $v' \ne \tau'(r')$.
#
# (There $A_{t,r'}$ is the probability that record $t$ shows what slot $r'$ shows, and $\pi(t)$ is the slot of $t$; for a record that is left
# out the factors with $\pi(t)$ are 1. So (2) is the sum of the $\rho_t$.)
#
# What stands instead: the sum over those who are left out is at least $(n-s)\gamma$, the sum over those who are in at least
# $(s-1) g_2$, and each can be attained; but the two may want *different* people. Without a sample there is only one sum,
# and the printed table is the worst. Three matrices, given by their rows in tenths or twentieths, for $n = 3$ and $s = 2$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
def swap_sum(who, release, A):
    """Expression (2) for the arrangement that puts record j in slot j; r = r' = 0."""
    a, (r, *rest) = release[0], who
    terms = [A[t][a] / A[r][a] for t in rest]
    for j, b in enumerate(release[1:]):
        terms[j] *= A[r][b] / A[rest[j]][b]
    return sum(terms)


def least_sums(A, size, slots):
    """Least expression (2) over all tables and releases; over homogeneous ones."""
    rows, columns = range(len(A)), range(len(A[0]))
    everywhere = product(product(rows, repeat=size), product(columns, repeat=slots))
    pairs = product(product(rows, rows), product(columns, columns))
    same = [
        ([v] + [u] * (size - 1), [a] + [b] * (slots - 1)) for (v, u), (a, b) in pairs
    ]
    return [min(swap_sum(*pair, A) for pair in of) for of in (everywhere, same)]


stubborn = shares((3, 5, 2), (3, 1, 6), (7, 2, 1))
mixed_worst = shares((2, 11, 7), (1, 18, 1), (9, 10, 1))
three = {
    "6 3 1 | 1 4 5 | 7 1 2": loose,
    "3 5 2 | 3 1 6 | 7 2 1": stubborn,
    "2 11 7 | 1 18 1 | 9 10 1": mixed_worst,
}
anyone, alike = zip(*(least_sums(A, 3, 2) for A in three.values()))
exactly = [exact_level(A, 3, 2) for A in three.values()]
bounds = [anonymity.pk_level(A, 3, n_sampled=2) for A in three.values()]

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"matrix": list(three), "bound": bounds,
     "1 + least (2)": [1 + low for low in anyone],
     "1 + least (2), one value": [1 + low for low in alike],
     "exact level": exactly, "decimal": [float(k) for k in exactly]},
    formats={"decimal": ".5f"},
    caption="Bound, expression (2) over all tables and over those where all others "
    "have one value, and the exact level; n = 3, s = 2.",
)  # fmt: skip


# %% [markdown]
# In the first row the printed step holds, and yet the bound $247/210$ is not attained: the exact level is $33/28$. In the
# other two even the step fails. The theorem is untouched: its bound takes the two minima one by one. What the rows ask is *when* it is attained.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def by_two_minima(A):
    """Least expression (2) without a sample, n = 3: both others attain g2."""
    return 2 * anonymity.ratio_minima(A).g2


families = [loose, stubborn, *matrices[:4]]
over_all, one_value = least_sums(stubborn, 3, 2)
with claim(
    "K-5.6",
    printed=r"expression (2) is smallest when all other records have one value $v$ "
    r"and all other slots one value $v'$",
    corrected=r"each of the two sums has its own minimum, $(n-s)\gamma$ and "
    r"$(s-1)g_2$, possibly for different values $v$; without sampling the printed "
    "table is the worst",
    consequence="None for Theorem 5.1, whose bound takes the minima one by one. "
    "Whether it is attained becomes a question (K-B6).",
) as c:
    label = "n = 3, s = 2, rows 3 5 2 | 3 1 6 | 7 2 1 in tenths: least value of (2)"
    c.differs(max(one_value, over_all), over_all, label)
    below_it = [
        anonymity.pk_level(A, 3, n_sampled=2) <= 1 + least_sums(A, 3, 2)[0]
        for A in families
    ]
    label = "n = 3, s = 2, six matrices: both minima together, below every (2)"
    c.decisive("sampled").exact(below_it, [True] * 6, label)
    both = [least_sums(A, 3, 3) for A in families]
    twice = [[by_two_minima(A)] * 2 for A in families]
    label = "s = n = 3, six matrices: least (2), over all and over one value: 2 g2"
    c.decisive("sampled").exact(both, twice, label)
assert (bounds[0], exactly[0]) == (Fraction(247, 210), Fraction(33, 28))

# %% [markdown]
# Every other record is left out in some arrangements and sits in every slot
# in others, and all have positive weight. Equality of the mean forces *all* terms to be minimal, so one and the same pair of values must attain
# $\gamma$ when its record is out and $g_2$ when it is in. Conversely, one $v$ among $u$'s, in a release of one $u'$ among $v'$'s, then
# attains both.
#
# ```{prf:proposition} When the bound is attained (ours)
# :label: thm-di-03-tight
# For $s = 1$ and $s = n$ always. For $2 \le s \le n - 1$ if and only if one triple $(u, v, u')$ attains
# $\gamma = A_{u,u'}/A_{v,u'}$ and, with some $v'$, also $g_2 = R(u')/R(v')$. This holds for two true or two shown
# categories, and whenever all values are kept with one probability and else drawn from one law.
# ```
#
# The last sentence: with two true values $R$ and its inverse are the only ratios, and they have the same $\min R/\max R$; with two shown values
# the two extreme rows attain both minima. If each value is kept with probability $\rho$ and else drawn from a law $b > 0$, the rows of $u$ and $v$ differ in
# two places only: $R(v) = x_v$ and $R(u) = 1/x_u$, with $x_v = (1-\rho)\,b_v / (\rho + (1-\rho)\,b_v) \le 1$. The rarer the value, the smaller $x_v$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
b_v, more, fresh = sp.symbols("b_v h r", positive=True)  # r = 1 - rho
rho = sp.Symbol("rho", nonnegative=True)


def common(b):
    """x_v: chance to show v by a fresh draw only, and if v is true as well."""
    return fresh * b / (rho + fresh * b)


rarer = derivation(
    common(b_v + more), of=r"x \text{ for } b_v + h",
    names={fresh: r"(1-\rho)", more: "h", b_v: "b_v", rho: r"\rho"},
).at_least(common(b_v), r"$h > 0$", by="coefficients")  # fmt: skip
rarer


# %% [markdown]
# So $\gamma$ is the $x_v$ of the rarest $v$, whatever $u$ is, and $g_2 = x_u x_v$ for the two rarest: the triple $(u, v, v)$ attains both.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def same_triple(A):
    """The criterion, read literally; u is the other record, v the target."""
    rows, columns = range(len(A)), range(len(A[0]))
    ratio = {
        (u, v, a): A[u][a] / A[v][a] for u, v, a in product(rows, rows, columns)
    }
    pairs = {
        (u, v, a, b): ratio[u, v, a] / ratio[u, v, b]
        for (u, v, a), b in product(ratio, columns)
    }
    out_least, in_least = min(ratio.values()), min(pairs.values())
    return any(
        x == out_least and any(pairs[*where, b] == in_least for b in columns)
        for where, x in ratio.items()
    )


def attained(A, size, slots):
    return exact_level(A, size, slots) == anonymity.pk_level(A, size, n_sampled=slots)


drawn = [
    random_matrix(*shape)
    for shape, trials in (((2, 2), 15), ((2, 3), 15), ((3, 2), 15), ((3, 3), 60))
    for _ in range(trials)
]
tight = [attained(A, 3, 2) for A in drawn]
of_four = [[attained(A, 4, k) for k in (2, 3)] for A in drawn]
shown_tight = sum(tight[45:])
kept_share = [Fraction(1, 2), Fraction(9, 10)]
laws = [law for (law,) in map(shares, product(range(1, 5), repeat=3))]


def kept_or_drawn(keep, law):
    """Each value kept with one probability, else drawn from one law."""
    return [
        [keep * (u == v) + (1 - keep) * q for v, q in enumerate(law)]
        for u in range(len(law))
    ]


def by_law(keep, law):
    """γ and g2 from the two rarest values of the law."""
    x = sorted((1 - keep) * q / (keep + (1 - keep) * q) for q in law)
    return x[0], x[0] * x[1]


one_law = [(keep, law) for keep in kept_share for law in laws]
unequal = shares((24, 6, 10), (6, 24, 10), (5, 5, 30))
stays = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
with claim("K-B6") as c:
    criterion = [same_triple(A) for A in drawn]
    label = "105 random matrices, n = 3, s = 2: attained, and the criterion"
    c.decisive("sampled").exact(tight, criterion, label)
    label = "the same matrices, n = 4, s = 2 and 3"
    c.decisive("sampled").exact(of_four, [[k, k] for k in criterion], label)
    c.exact(tight[:45], [True] * 45, "two true or two shown values: always")
    c.holds(not all(tight), "three by three: not always")
    ends = [attained(A, *ns) for A in matrices for ns in sizes if ns[1] in (1, ns[0])]
    c.decisive("sampled").exact(ends, [True] * len(ends), "s = 1 and s = n, n ≤ 4")
    retained = [pram.retention_matrix(keep, 3).tolist() for keep in kept_share]
    label = "keep 1/2 and 9/10, three values, n = 4, s = 3: attained"
    c.exact([attained(A, 4, 3) for A in retained], [True, True], label)
    first, last = (fresh * b / (rho + fresh * b) for b in (b_v + more, b_v))
    c.derived(rarer, first, last, "one law: rarer, smaller x")
    least = [anonymity.ratio_minima(kept_or_drawn(*case)) for case in one_law]
    label = f"{len(laws)} laws of three values: γ and g2, from the two rarest"
    rarest = [by_law(*case) for case in one_law]
    c.exact([(k.gamma, k.g2) for k in least], rarest, label)
    label = "the criterion holds for all of them; n = 4, s = 3: attained"
    held = [same_triple(A) and attained(A, 4, 3)
            for A in (kept_or_drawn(*case) for case in one_law)]  # fmt: skip
    c.exact(held, [True] * len(one_law), label)
    c.exact(anonymity.is_tight(loose), same_triple(loose), "the package on the first")
assert [sum(f * row[v] for f, row in zip(stays, unequal)) for v in range(3)] == stays
uneven_bound = anonymity.pk_level(unequal, 3, n_sampled=2)
uneven_exact = exact_level(unequal, 3, 2)
assert not same_triple(unequal) and uneven_exact > uneven_bound
shown_uneven_bound = str(uneven_bound)
shown_uneven_exact = str(uneven_exact)

# %% [markdown]
# Of sixty random matrices with three true and three shown values 52<!-- {shown_tight} --> attain it. For a matrix that keeps every value with the same
# probability and else draws from one law, the theorem is the exact answer. Where the probability to be kept depends on the value it
# need not be, not even for matrices that leave the shares of a table as they are in the mean (invariant PRAM, {cite:p}`gouweleeuw1998post`): the rows
# 24 6 10 | 6 24 10 | 5 5 30, over 40, do that for shares ¼, ¼ and ½, and for $n = 3$, $s = 2$ the exact level is
# 23/18<!-- {shown_uneven_exact} -->, the bound 61/48<!-- {shown_uneven_bound} -->. How much does the sample contribute?
#
# ## What does the sample contribute?
#
# Section 5.2 of the paper compares the bound with that for PRAM alone, $k \ge 1 + (n - 1) g_2$, which is always
# attained: by one $v$ among $u$'s. Each of the $n - s$ people who were left out counts $\gamma$ instead of $g_2$. Is that more? Let
# $\gamma < 1$ be attained by $R$ at $u'$. There row $u$ has less than row $v$, by some $d > 0$. Both rows sum to
# one, so on all other shown values together, where row $v$ has the mass $q$, row $u$ has $q + d$. The mean of $R$ over them
# is $1 + d/q$, and the largest is at least the mean: $R(v') = 1 + d/q + y$ with $y \ge 0$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
q, d = sp.symbols("q d", positive=True)
below = (
    derivation(gamma / (1 + d / q + y), names=named,
               of=r"g_2 \le \frac{R(u')}{R(v')}")
    .at_most(gamma / (1 + d / q), r"$y \ge 0$", by="coefficients")
    .equal(gamma - gamma * d / (q + d), r"take $\gamma$ out")
    .at_most(gamma, r"smaller by $\gamma d / (q + d) > 0$", by="coefficients")
)  # fmt: skip
below

# %% [markdown]
# So $g_2 < \gamma$, unless $\gamma = 1$: then all rows are equal, the release says nothing, and $k = n$ with or without a sample.
# In the other direction $1/R(b)$ is such a ratio too, with $u$ and $v$ exchanged. With $R(a) = \gamma + x$ and $1/R(b) = \gamma + y$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
above = derivation(
    (gamma + x) * (gamma + y), names=named, of=r"\frac{R(a)}{R(b)}"
).at_least(gamma**2, r"$x, y \ge 0$", by="coefficients")
above

# %% [markdown]
# Hence $\gamma^2 \le g_2 \le \gamma$, and with $\gamma = g_2 + e$ the sample adds

# %% jupyter={"source_hidden": true} tags=["evidence"]
e = sp.Symbol("e", nonnegative=True)
with_sample = 1 + out * (g2 + e) + others * g2
alone = 1 + (out + others) * g2  # (n - s) + (s - 1) is n - 1
gain = (
    derivation(with_sample - alone, names=named, of=r"k - k_{\text{PRAM alone}}")
    .equal(out * e, "collect")
    .at_least(0, r"$n \ge s$, $e \ge 0$")
)
gain


# %% [markdown]
# that is $(n - s)(\gamma - g_2)$, to the true worst case at least, since PRAM alone attains its bound.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def least_gain(A, slots):
    """(n - s)(γ - g2) at n = 4."""
    least = anonymity.ratio_minima(A)
    return (4 - slots) * (least.gamma - least.g2)


whole = [ns for ns in sizes if ns[0] == ns[1]]
pram_alone = [[found[ns] for ns in whole] for found in levels]
with claim("K-5.7") as c:
    label = "swap lemma, a free symbol for each entry, s = n ≤ 4: difference"
    c.decisive("exhaustive").exact({swap_gap(*ns) for ns in whole}, {0}, label)
    formula = [[1 + (k - 1) * anonymity.ratio_minima(A).g2 for k, _ in whole]
               for A in matrices]  # fmt: skip
    label = "five matrices, n ≤ 4: exact level and formula, attained"
    c.decisive("sampled").exact(pram_alone, formula, label)
with claim("K-5.9") as c:
    label = "(n − s)(γ − g2), with e = γ − g2"
    c.decisive().derived(gain, with_sample - alone, 0, label)
    cases = [*product(zip(matrices, levels), (1, 2, 3))]
    spare = [found[4, k] - found[4, 4] - least_gain(A, k) for (A, found), k in cases]
    gained = [more >= 0 for more in spare]
    label = "five matrices, n = 4, s ≤ 3: exact gain at least (n − s)(γ − g2)"
    c.decisive("sampled").exact(gained, [True] * 15, label)
    c.exact(spare[:9], [0] * 9, "two true or two shown values: exactly so much")
    by_formula = [least_gain(A, k) for (A, _), k in cases]
    label = "no two rows equal: (n − s)(γ − g2) is above 0 in all of these"
    c.decisive("sampled").exact([x > 0 for x in by_formula], [True] * 15, label)


# %% [markdown]
# The paper repeats the bound at the end of its proof and in section 5.2 with other indices in the last minimum, as
# $A_{u,v'} A_{u',v} / (A_{u',v} A_{u,v'})$. Numerator and denominator are equal there; the theorem itself has it right.
# It is in the table of [misprints](di-03-misprints) below.
#
# ## How much less noise?
#
# Keep a value with probability $\rho$, else draw one of $N$ uniformly; a draw may return the old value. Then
# $\gamma = (1 - \rho)/(1 + (N - 1)\rho)$ and $g_2 = \gamma^2$, the least that $g_2$ can be: these matrices gain
# most. By *noise* we mean the share of values that change, $(1 - \rho)(N - 1)/N$. For $n = 1000$ and $N = 10$ we compare
# the bound with the exact posterior of the worst table ([notebook 4](04-the-exact-posterior.ipynb) says how it is computed).

# %%
def worst_level(keep, s):
    """1 / exact match probability in the worst table of a thousand."""
    A = pram.retention_matrix(keep, 10)
    worst = anonymity.homogeneous_worst_case(A, 1000, n_sampled=s)
    return 1 / posterior.match_probability(
        worst.table, worst.release, transition=A, record=0, slot=0
    )


samples = [10, 100, 250, 500, 750, 1000]
kept = (0.3, 0.5, 0.7, 0.9)
dots = [[worst_level(keep, s) for s in samples] for keep in kept]
needed = [
    design.retention_for_k(1000, 10, n_sampled=s, categories=10) for s in samples
]

# %% jupyter={"source_hidden": true} tags=["set-up"]
shown_rho = down(needed)
table(
    {"sampled": samples,
     **{f"k, ρ = {keep}": row for keep, row in zip(kept, dots)},
     "ρ for k = 10": shown_rho, "share changed": (1 - shown_rho) * 9 / 10},
    formats={**{f"k, ρ = {keep}": ".2f" for keep in kept},
             "ρ for k = 10": ".4f", "share changed": ".4f"},
    caption="A thousand records, ten categories: level of the worst table; the "
    "largest retention probability for k = 10, rounded down, and the share of the "
    "values that change with it.",
)  # fmt: skip

# %% [markdown]
# For $k = 10$ PRAM of this kind has to change 46.1%<!-- {changed_all:.1%} --> of the values without a sample; with a sample of a hundred
# about 8.2%<!-- {changed_tenth:.1%} --> are enough. It is the gain from above, read the other way: at PRAM's own $\gamma$ the level with a
# sample is higher than $k$, and what is too much may be given back.

# %% jupyter={"source_hidden": true} tags=["evidence"]
by_bound = [
    [anonymity.pk_level(A, 1000, n_sampled=s) for s in samples]
    for A in (pram.retention_matrix(keep, 10) for keep in kept)
]
changed = [(1 - rho) * 9 / 10 for rho in needed]
less = [share < changed[-1] for share in changed[:-1]]
reached = [worst_level(rho, s) for rho, s in zip(needed, samples)]
own_noise = [worst_level(needed[-1], s) for s in samples]
with claim("K-1.9") as c:
    label = "n = 1000, ten categories, six samples: the worst table has k = 10"
    c.decisive("sampled").close(reached, 10, label, rtol=1e-9)
    label = "n = 1000, k = 10: fewer values change with each sample than alone"
    c.decisive("sampled").exact(less, [True] * 5, label)
    g = np.sqrt((10 - 1) / (1000 - 1))  # γ of PRAM alone at k = 10
    above_ten = [10 + (1000 - s) * g * (1 - g) for s in samples]
    label = "with PRAM's own noise for k = 10 it has 10 + (n − s) γ (1 − γ)"
    c.decisive("sampled").close(own_noise, above_ten, label, rtol=1e-9)
    c.close(dots, by_bound, "24 worst tables: exact posterior and bound", rtol=1e-9)
with claim("K-6.2") as c:
    label = "the same matrix: k is higher by (n − s)(γ − g2)"
    c.decisive().derived(gain, with_sample - alone, 0, label)
    label = "n = 1000, k = 10: share of changed values, five samples and alone"
    c.decisive("sampled").exact(less, [True] * 5, label)
assert all(round(rho, 3) <= rho for rho in (needed[-1], needed[1]))  # as shown: safe
assert all(worst_level(rho, s) >= 10 for rho, s in zip(shown_rho, samples))
stay_all = round(1 - changed[-1], 4)
rho_all = round(needed[-1], 4)
rho_tenth = round(needed[1], 4)
changed_all = round(changed[-1], 4)
changed_tenth = round(changed[1], 4)
changed_half = round(changed[3], 4)
changed_hundredth = round(changed[0], 4)
assert [samples[k] for k in (0, 1, 3)] == [10, 100, 500]
assert [round(100 * changed[k], 1) for k in (3, 1, 0)] == [13.7, 8.2, 7.6]

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A thousand records, ten categories. Left: level k against the sampling rate. Thick lines are the bound, dots the exact worst case; they rise to the left, since people who were left out are cover. Thin dotted lines: an attacker who knows that the target took part. Right: the largest retention probability.", "name": "fig-di-03-levels"}, "image": {"alt": "Left: four lines for retention 0.3 to 0.9, with dots on them, fall from small sampling rates to rate one; four dotted lines rise from k = 1 and meet them at rate one. Right: three falling curves of the largest retention for k = 5, 10 and 50."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=4.0, width=8.6)
steps = np.unique(np.linspace(1, 1000, 200).astype(int))
hues = ("blue", "orange", "green", "purple")
for keep, row, hue in zip(kept, dots, hues):
    A = pram.retention_matrix(keep, 10)
    line = [anonymity.pk_level(A, 1000, n_sampled=int(s)) for s in steps]
    told = [
        anonymity.pk_level_response_knowledge(A, 1000, n_sampled=int(s)) for s in steps
    ]
    assert (np.diff(line) < 0).all() and (np.diff(told) > 0).all()
    assert told[0] == 1 and np.isclose(told[-1], line[-1])
    colour = plots.COLOURS[hue]
    left.plot(steps / 1000, line, color=colour, ls="-", label=f"ρ = {keep}")
    left.plot(steps / 1000, told, color=colour, ls=":", lw=1.2)
    left.plot(np.array(samples) / 1000, row, "o", ms=5, color=colour)
left.set(yscale="log", ylim=(0.9, 900), xlabel="sampling rate p", ylabel="level k")
left.plot([], [], ":", color="#555555", lw=1.2, label="took part: known")
left.legend(ncols=2, loc="upper right", fontsize=8.5)
for k_target in (5, 10, 50):
    curve = [
        design.retention_for_k(1000, k_target, n_sampled=int(s), categories=10)
        for s in steps
    ]
    assert (np.diff(curve) < 0).all()
    right.plot(steps / 1000, curve, label=f"k = {k_target}")
right.set(xlabel="sampling rate p", ylabel="largest retention ρ", ylim=(0, 1))
right.legend()
assert (kept[0], kept[-1]) == (0.3, 0.9) and np.allclose(dots, by_bound)
plt.show()


# %% [markdown]
# For $k = 5$ and 10 the right panel flattens to the left. For $k = 10$ 13.7%<!-- {changed_half:.1%} --> of the values have to change at $p = 1/2$,
# 8.2%<!-- {changed_tenth:.1%} --> at 1/10 and 7.6%<!-- {changed_hundredth:.1%} --> at 1/100: below one in ten, a smaller sample buys little. And less noise in each
# record is not yet a better statistic, since fewer records are left; [notebook 5](05-designing-a-release.ipynb) does
# that sum.
#
# ## If the size is left to chance
#
# Draw each record independently with probability $p$, and the size $S$ is random. Given its value the sample is an
# ordinary one of that size, with level $1 + (n - S)\gamma + (S - 1) g_2$. By the line on the gain this is never below the level of PRAM
# alone, and equal to it at $S = n$, which can happen. So the worst case is PRAM alone, no more and no less. A check by
# going through all tables of three, all draws, all orders and all noise:

# %% jupyter={"source_hidden": true} tags=["evidence"]
def random_size(A, p, people=3):
    """Least 1 / Pr[record behind slot | release] for each size, independent draws."""
    least = {}
    for who in product(range(len(A)), repeat=people):
        whole, part = {}, {}
        for size in range(1, people + 1):
            chance = p**size * (1 - p) ** (people - size) / factorial(size)
            for order in permutations(range(people), size):
                for shown in product(range(len(A[0])), repeat=size):
                    w = chance * prod(A[who[r]][a] for r, a in zip(order, shown))
                    whole[shown] = whole.get(shown, 0) + w
                    for case in ((shown, r, j) for j, r in enumerate(order)):
                        part[case] = part.get(case, 0) + w
        for (shown, *_), w in part.items():
            size = len(shown)
            least[size] = min(whole[shown] / w, least.get(size, people))
    return [least[size] for size in range(1, people + 1)]


lopsided = shares((2, 1), (1, 4))
with claim("K-5.10") as c:
    label = "(n − S)(γ − g2) above PRAM alone, and not below"
    c.decisive().derived(gain, with_sample - alone, 0, label)
    at_most_all = sp.expand((with_sample - alone).subs(out, 0))
    c.exact(at_most_all, 0, "none of it at S = n")
    by_size = [random_size(A, Fraction(1, 5)) for A in (keep_half, lopsided)]
    fixed = [[exact_level(A, 3, k) for k in (1, 2, 3)] for A in (keep_half, lopsided)]
    label = "n = 3, p = 1/5, two matrices: level of each size, fixed or drawn"
    c.decisive("sampled").exact(by_size, fixed, label)
    least = [min(found) for found in by_size]
    c.exact(least, [found[-1] for found in fixed], "least of all: everybody drawn")

# %% [markdown]
# That is a statement about a release of probability $p^n$. Up to a failure probability of one's choice
# a quantile of $S$ takes the place of $n$; [notebook 5](05-designing-a-release.ipynb) says which.
#
# ## Who is not held off?
#
# That the attacker does not know who was drawn is not a formality. Somebody who knows that the target took part conditions
# on it, the terms of those who were left out vanish from the lemma, and what remains is $1 + (s - 1) g_2$: the dotted lines in the
# figure. With four people, the matrix of the town and two of them drawn, that is 10/9<!-- {shown_told} -->, less than the
# 4/3<!-- {shown_everybody} --> of everybody's release. The paper excludes this attacker in section 2.2; with that exclusion its
# abstract and its summary hold. Against her the sample does harm, and what helps is a value that several slots show. The
# bounds of this page serve every release, also one in which the target's slot is alone with its value; where it is not, they rise
# ([notebook 4](04-the-exact-posterior.ipynb)).

# %% jupyter={"source_hidden": true} tags=["evidence"]
hits = everything(keep_half, 4, 2)[1][:, :, :, 0]  # record 0 in each slot
told_level = lowest(hits.sum(axis=-1, keepdims=True), hits)  # given: it took part
half = {k: exact_level(keep_half, 4, k) for k in (2, 4)}
shown_told = str(told_level)
shown_everybody = str(half[4])
with claim("K-0.2") as c:
    label = "no belief is worse than to know the table"
    c.decisive().derived(belief, two_tables, P, label)
    label = "who knows the table: k rises by (n − s)(γ − g2)"
    c.decisive().derived(gain, with_sample - alone, 0, label)
    label = "five matrices, n = 4: exact level with a sample above that without"
    higher = [found[4, k] > found[4, 4] for found in levels for k in (1, 2, 3)]
    c.decisive("sampled").exact(higher, [True] * 15, label)
    label = "she also knows that the target took part, n = 4, s = 2: level"
    c.limit(max(half[4], told_level), told_level, label)

known_or_not = [[1, 0], [0, 1], [Fraction(1, 2), Fraction(1, 2)]]  # a, b, unknown


def limited_risk(s):
    """Largest risk of record 0; she knows two values of five, guesses the rest."""
    people, risks = [0, 1, 2, 2, 2], []
    for shown in product((0, 1), repeat=s):
        w = {
            order: prod(known_or_not[people[r]][a] for r, a in zip(order, shown))
            for order in permutations(range(5), s)
        }
        if sum(w.values()):  # a release that can happen
            mine = sum(x for order, x in w.items() if order[0] == 0)
            risks.append(Fraction(mine) / sum(w.values()))
    return max(risks)


def unique_found(people, s):
    """Risk of the only 0 in the table, sampling alone, table known."""
    who, shown = [0] + [1] * (people - 1), [0] + [1] * (s - 1)
    return posterior.match_probability(
        who, shown, transition=[[1, 0], [0, 1]], record=0, slot=0
    )


with claim("K-6.1") as c:
    found = [unique_found(*ns) for ns in sizes]
    label = "sampling alone, table known, all s ≤ n ≤ 4: risk of a unique record"
    c.decisive("exhaustive").exact(set(found), {1}, label)
    found = [limited_risk(k) for k in (1, 2, 3, 4, 5)]
    n_hats = [3 - k + 1 for k in range(1, 6)]
    kappas = [Fraction(2 * (k - 1), 2 * (k - 1) + m_ + 1)
              for k, m_ in enumerate(n_hats, 1)]  # fmt: skip
    by_size = [2 / (2 + n_hat + kappa) for n_hat, kappa in zip(n_hats, kappas)]
    label = "knows a and b of five: largest risk at s = 1 to 5, and 2/(2 + n̂ + κ)"
    c.decisive("one example").exact(found, by_size, label)
    less = [k < 1 for k in found]
    c.exact(less, [True] * 4 + [False], "less than 1 if anybody is left out")
    label = "with PRAM: k rises by (n − s)(γ − g2)"
    c.decisive().derived(gain, with_sample - alone, 0, label)
    label = "with PRAM, five matrices, n = 4: exact level above that without a sample"
    c.decisive("sampled").exact(higher, [True] * 15, label)


# %% [markdown]
# (di-03-misprints)=
# ## Misprints
#
# Some displays of the proof have misprinted indices, perhaps of the conversion; the swap lemma replaces them. The strict inequality
# of section 5.2 needs one word more: two rows of $A$ must differ. Two more change nothing and have no row: the displays from
# the exchange on, and expression (2), print $A^{\tau,\tau}_{r,\pi(t)}$ for $A^{\tau,\tau'}_{r,\pi(t)}$; and the sentence below (2) prints
# $\tau(s')$ and $\tau(r')$ for $\tau'(s')$ and $\tau'(r')$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def printed_level(A, size, s):
    """The bound with the last minimum of section 5.2, index by index."""
    last = min(
        A[u][b] * A[a][v] / (A[a][v] * A[u][b])
        for u, v, a, b in product(range(len(A)), repeat=4)
    )
    return 1 + (size - s) * anonymity.ratio_minima(A).gamma + (s - 1) * last


def check_repeated(c):
    too_high = max(printed_level(keep_half, 3, 2), town_level)
    c.differs(too_high, town_level, "keep 1/2, n = 3, s = 2: level")
    everybody = exact_level(keep_half, 3, 3)
    too_high = max(printed_level(keep_half, 3, 3), everybody)
    c.differs(too_high, everybody, "n = 3, PRAM alone: level")
    entries = sp.Matrix(2, 2, [sp.Rational(3, 4), sp.Rational(1, 4)] * 2)
    entries[1, :] = entries[0, ::-1]
    last = min(
        entries[u, b] * entries[v, a] / (entries[u, a] * entries[v, b])
        for u, v, a, b in product((0, 1), repeat=4)
    )
    by_theorem = 1 + Fraction(1, 3) + Fraction(int(last.p), int(last.q))
    c.exact(town_level, by_theorem, "n = 3, s = 2: the form of the theorem")


def check_prefactor(c):
    count = {ns: len(list(permutations(range(ns[0]), ns[1]))) for ns in sizes}
    literal = Fraction(count[4, 2], comb(4, 2))
    c.differs(literal, Fraction(1), "n = 4, s = 2: sum of all probabilities")
    sums = [
        count[size, k] * Fraction(factorial(size - k), factorial(size))
        for size, k in sizes
    ]
    label = "(n − s)!/n! for each ordered sample, all s ≤ n ≤ 4: sum"
    c.decisive("exhaustive").exact(set(sums), {1}, label)


def check_displays(c):
    own, other = keep_half[0][0], keep_half[1][0]  # table 0 1, release 0
    truth = 1 / posterior.match_probability(
        [0, 1], [0], transition=keep_half, record=0, slot=0
    )
    literal = 1 + other**2 / own
    c.differs(literal, truth, "n = 2, s = 1: third display, literally")
    c.exact(1 + other / own, truth, "the product without the factor of t")


def check_strict(c):
    least = anonymity.ratio_minima(shares((3, 5, 2), (3, 5, 2)))
    c.fails(least.gamma > least.g2, "two equal rows: both minima are 1")
    start = gamma / (1 + d / q + y)
    c.decisive().derived(below, start, gamma, "rows that differ: g2 is at most γ")
    short = gamma * d / (q + d)
    c.exact(gamma - below.steps[1].expression, short, "at least so much smaller")
    label = "which is positive: row u lacks d > 0"
    c.decisive().holds(bool(short.is_positive), label, method="symbolic")
    start = (gamma + x) * (gamma + y)
    c.decisive().derived(above, start, gamma**2, "g2 is at least γ²")
    smallest = [anonymity.ratio_minima(A) for A in matrices]
    strict = [k.gamma**2 <= k.g2 < k.gamma for k in smallest]
    c.exact(strict, [True] * len(matrices), "five matrices")


wrong = r"$\sum_{\pi(r)=\phi,\, s \ne t} \prod_{s} A_{s,\pi(s)}$ beside $A_{t,r'}$"
right = r"$\prod_{s \ne t}$, as the condition under the sum intends"
prefactor = r"$\frac1{\binom{n}{pn}}$ before the sums over $\pi$"
cancels = r"$\frac{(n - pn)!}{n!}$; it cancels"
repeated = r"$\min \frac{A_{u,v'} A_{u',v}}{A_{u',v} A_{u,v'}}$, which is 1"
theorem = r"$\min \frac{A_{u,v'} A_{v,u'}}{A_{u,u'} A_{v,v'}}$, as in Theorem 5.1"
larger = r"$\gamma > g_2$"
unless = (
    r"for $A$ without zeros $\gamma^2 \le g_2 \le \gamma$, and $g_2 < \gamma$ "
    r"unless all rows are equal"
)
records = misprints([
    ("K-5.2", repeated, theorem, check_repeated),
    ("K-5.4", prefactor, cancels, check_prefactor),
    ("K-5.5", wrong, right, check_displays),
    ("K-5.8", larger, unless, check_strict),
])  # fmt: skip

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Two attributes at once
# :label: ex-di-03-attributes
# ```
# **Warm-up.** Sex and age class are rewritten independently, by $A$ and by $B$. What are $\gamma$ and $g_2$ of
# the pair?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-03-attributes", ...)

# %% [markdown]
# ```{solution-start} ex-di-03-attributes
# :class: dropdown
# ```
# The pair has the Kronecker product as its matrix. Ratios multiply, and each attribute can be minimised on its own: both
# minima are products. Neither is above 1, so no further attribute raises the level that the theorem guarantees, and one whose rows are not all equal lowers it: at $n = 1000$, $s = 100$ one
# attribute of two values, kept with probability 0.9 and else drawn anew, has $k =$ 48.6<!-- {one:.1f} -->, three have 1.13<!-- {shown_three:.2f} --> together, and ten
# have 1 but for less than a millionth.

# %% jupyter={"source_hidden": true} tags=["evidence"]
A, B = matrices[0], matrices[3]
pair = np.kron(np.array(A, dtype=object), np.array(B, dtype=object))
a, b, ab = ((k.gamma, k.g2) for k in map(anonymity.ratio_minima, (A, B, pair)))
assert ab == (a[0] * b[0], a[1] * b[1])


def gamma_of_pair(gamma_A, gamma_B):
    """Of two attributes of two values each, by the matrix of the pair."""
    both = np.kron([[1, gamma_A], [gamma_A, 1]], [[1, gamma_B], [gamma_B, 1]])
    return anonymity.ratio_minima(both / ((1 + gamma_A) * (1 + gamma_B))).gamma


check("di-03-attributes", gamma_of_pair)
alone = pram.retention_matrix(Fraction(9, 10), 2)
whole, together = np.ones((1, 1), dtype=object), []
for _ in range(3):
    whole = np.kron(whole, alone)
    together.append(anonymity.pk_level(whole, 1000, n_sampled=100))
least = Fraction(1, 20) / Fraction(19, 20)  # by hand
assert together == [1 + 900 * least**t + 99 * least ** (2 * t) for t in (1, 2, 3)]
assert 900 * least**10 + 99 * least**20 < Fraction(1, 10**6)
one = float(together[0])
shown_three = float(together[2])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Zeros in the matrix
# :label: ex-di-03-zero
# ```
# **Standard.** A matrix that never shows some value for some category has a zero. Find a table and a release
# for which nothing protects the target, whatever $n$ and $s$, and another zero that does no harm to this
# target.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-03-zero
# :class: dropdown
# ```
# If only category 0 can be shown as 0, then among others of category 1 the slot that shows 0 is the target with
# certainty: $\rho_t = 0$. A zero in the target's own row makes the release impossible for it. From a matrix with a zero beside a
# positive entry of its column, nothing but $k \ge 1$ can be said. A whole column of zeros is a value that is never shown. It does no
# harm to anybody: leave it out, and the level is that of the rest.

# %% jupyter={"source_hidden": true} tags=["evidence"]
never = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(0), Fraction(1)]]
shown = {"transition": never, "slot": 0}
for people, slots in sizes:
    who, seen_there = [0] + [1] * (people - 1), [0] + [1] * (slots - 1)
    assert posterior.match_probability(who, seen_there, record=0, **shown) == 1
assert posterior.match_probability([0, 0, 0, 1], [0, 1], record=3, **shown) == 0

spare = [[Fraction(1, 2), Fraction(1, 2), 0], [Fraction(1, 4), Fraction(3, 4), 0]]
total, matched = everything(spare, 3, 2)
total = np.broadcast_to(total, matched.shape)
level = lowest(total[total > 0], matched[total > 0])  # of the releases that can be
assert level == exact_level([row[:2] for row in spare], 3, 2) == Fraction(11, 6)
assert level == anonymity.pk_level(spare, 3, n_sampled=2)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A worst table that is not homogeneous
# :label: ex-di-03-mixed
# ```
# **Research.** If the bound is not attained, is the worst table at least one in which all others have the same value, as the
# paper's proof suggests? Try $A$ with rows $(2, 11, 7)$, $(1, 18, 1)$, $(9, 10, 1)$ over 20, $n = 3$, $s = 2$,
# with fractions.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-03-mixed", ...)

# %% [markdown]
# ```{solution-start} ex-di-03-mixed
# :class: dropdown
# ```
# No. The worst table is 0 1 2, with the release 0 2: the level of the last record and the first slot is $7/6$. If both others
# have the same value it is at least $95/81$, a little more; the bound is $8/7$. One of the two is the poorer cover when it is left
# out, the other when it is in.

# %% jupyter={"source_hidden": true} tags=["evidence"]
alike_level = anonymity.homogeneous_worst_case(mixed_worst, 3, n_sampled=2).level
total, matched = everything(mixed_worst, 3, 2)
at = np.unravel_index((matched / total).argmax(), matched.shape)
table_at = list(product(range(3), repeat=3))[at[0]]
shown_at = list(product(range(3), repeat=2))[at[1]]
assert bounds[2] < exactly[2] < alike_level
assert (table_at, shown_at, at[2], at[3]) == ((0, 1, 2), (0, 2), 0, 2)
assert (exactly[2], alike_level) == (Fraction(7, 6), Fraction(95, 81))
assert bounds[2] == Fraction(8, 7)
check("di-03-mixed", (exactly[2], alike_level))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Exchange the target with one other record: $k$ is 1 plus a mean of $n - s$ terms of at least $\gamma$
#   and $s - 1$ of at least $g_2$. A mean is at least its least term, and to know the table is the worst belief.
# - Theorem 5.1 holds for every table, release, record and slot, and is attained if one triple attains both
#   minima, as it does where every value is kept with one probability and else drawn from one law.
# - $\gamma > g_2$ unless all rows are equal, so the sample raises the true worst case by at least $(n - s)(\gamma - g_2)$. The bound
#   repeated at the end of the proof is a misprint: its last term is 1.
# - A sample of random size has PRAM's own level in the strict sense. To an attacker who knows who took part, the others who were left out
#   are no cover.
#
# **Further reading.** PRAM and Pk-anonymity without a sample: {cite:p}`ikarashi2015kanonymous`; PRAM in official
# statistics: {cite:p}`kooiman1997pram`, {cite:p}`gouweleeuw1998post`. **Next:**
# [how safe is one particular line](04-the-exact-posterior.ipynb)?
