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
# level $k = 10$: without a sample only {glue:text}`rho-all:.2f` of the values may be kept, with a sample of
# a hundred {glue:text}`rho-tenth:.2f`. One exchange argument proves this, and proves the claim of the previous
# notebook too.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how exchanging two people turns a sum over all samples into two small minima, when the
# resulting bound is exact, which of two printed formulas is the theorem, and who is *not* held off by it.
# **You need** the attack of [notebook 1](01-who-attacks.ipynb), fractions, patience for one index.
# **Time:** 35 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** every value of $n$ records rewritten by a matrix $A$, then $s = pn$ records drawn without
# replacement and shuffled. **The attacker** knows all $n$ true values, $A$, $n$ and $s$, or has any belief
# about the table. She does *not* know which records were sampled. **Protected:** which slot shows
# which record. **Not protected:** anything against somebody who knows that the target took part, beyond what
# the last section computes.
# ```

# %%
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, lcm, perm, prod

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue

from privlib.disclosure import design, posterior, pram, sampling
from privlib.kit import claim, plots, slips

plots.use()
for name, size in (("rho-all", 1000), ("rho-tenth", 100)):
    glue(
        name,
        round(design.retention_for_k(1000, 10, n_sampled=size, categories=10), 4),
        display=False,
    )

# %% [markdown]
# ## Three people, two lines
#
# One person has value 0, two have value 1. Each value survives with probability 3/4 and flips with 1/4; two of
# the three results are released. We list every way in which the release can come about. An *arrangement*
# says who is behind which slot; its weight is the product of the entries of $A$. Records and slots count from 0
# in the code, from 1 in the paper.

# %%
quarters = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]


def weights_of(table, release, A):
    """Weight of every arrangement: a tuple with the record behind each slot."""
    orders = permutations(range(len(table)), len(release))
    return {o: prod(A[table[r]][a] for r, a in zip(o, release)) for o in orders}


town, release = (0, 1, 1), (0, 1)
weights = weights_of(town, release, quarters)
for order, weight in weights.items():
    print(f"behind slots 0 and 1: records {order}   weight {weight}")
hit = sum(w for order, w in weights.items() if order[0] == 0)
print("chance that record 0 is behind slot 0:", hit / sum(weights.values()))


# %% [markdown]
# Nine to thirteen. Is that the worst for any table of three, any release? And for a million people, where no
# list can be made?
#
# ```{prf:theorem} PRAM and sampling (Theorem 5.1, 定理 5.1)
# :label: thm-di-03-bound
# Rewrite with $A$, then draw $pn$ of $n$ records. The release is Pk-anonymous with
#
# $$ k \ge 1 + (n - pn) \min_{u,v,u'} \frac{A_{u,u'}}{A_{v,u'}}
#    + (pn - 1) \min_{u,v,u',v'} \frac{A_{u,v'}\,A_{v,u'}}{A_{u,u'}\,A_{v,v'}} . $$
# ```
#
# Call the two minima $\gamma$ and $g_2$. All entries of $A$ must be positive (遷移確率行列 without zeros), or a ratio is
# undefined. In our town $\gamma = 1/3$ and $g_2 = 1/9$, so $k \ge 1 + \frac13 + \frac19 = \frac{13}9$: the
# list above is already the worst case. Why just *two* numbers?
#
# ## The swap lemma
#
# Fix the target $r$ and the slot $r'$. Take an arrangement with $r$ in slot $r'$ and let $r$ change places
# with another record $t$, who is either outside the sample or in another slot. Now somebody else is behind
# $r'$.

# %%
def swap(order, t, r=0):
    """Exchange records r and t, wherever they are."""
    return tuple({r: t, t: r}.get(x, x) for x in order)


for order in (o for o in permutations(range(4), 2) if o[0] == 0):
    print(order, " becomes ", *(swap(order, t) for t in (1, 2, 3)))


# %% [markdown]
# Every arrangement with somebody else in slot $r'$ appears exactly once. That is all there is to it.
#
# ```{prf:proposition} Swap lemma (ours)
# :label: thm-di-03-swap
# Let $L_x(a)$ be the probability that record $x$ shows the value $a$, let slot $r'$ show $a$, and let $w(\sigma)$ be
# the weight of the arrangement $\sigma$. Then
#
# $$ \frac1{\Pr[\Pi(r) = r' \mid \tau']} = 1 + \frac{\sum_{\sigma(r') = r} w(\sigma) \sum_{t \ne r}
#    \rho_t(\sigma)}{\sum_{\sigma(r') = r} w(\sigma)}, $$
#
# with $\rho_t = L_t(a)/L_r(a)$ if $t$ is not sampled in $\sigma$, and
# $\rho_t = L_t(a)\,L_r(b)/(L_r(a)\,L_t(b))$ if $t$ is in a slot that shows $b$.
# ```
#
# So $k$ is 1 plus an *average* of $n - 1$ terms, of which always $n - s$ are of the first kind and $s - 1$ of
# the second. A bound on each kind bounds $k$. First the lemma itself, with a free symbol for every $L_x$ in
# every slot.

# %%
def both_sides(n, s):
    """The weight without r in slot 0, and what the swaps make of the rest."""
    L = sp.Matrix(n, s, sp.symbols(f"L:{n}:{s}", positive=True))
    w = {o: prod(L[r, j] for j, r in enumerate(o)) for o in permutations(range(n), s)}

    def rho(order, t):
        if t not in order:
            return L[t, 0] / L[0, 0]
        j = order.index(t)
        return L[t, 0] * L[0, j] / (L[0, 0] * L[t, j])

    left = sum(w[o] for o in w if o[0] != 0)
    mine = [o for o in w if o[0] == 0]
    right = sum(w[o] * sum(rho(o, t) for t in range(1, n)) for o in mine)
    return left, right


left, right = both_sides(3, 2)
print("somebody else in slot 0:", left)
print("after the swaps:        ", sp.expand(right))
swap_gaps = [
    sp.expand(x - y)
    for x, y in (both_sides(n, s) for n, s in ((3, 2), (4, 3), (5, 3)))
]
print("differences:", swap_gaps)


# %% [markdown]
# Two ways of reading $L$ give two theorems. With PRAM and an attacker who knows the table, $L_x$ is the row
# of $A$ for the value of $x$, so $\rho_t \ge \gamma$ and $\rho_t \ge g_2$: Theorem 5.1. Without PRAM
# and with the attacker of [notebook 2](02-sampling-alone.ipynb), a known record of value $v$ has
# $L_x(v) = 1$ and an unknown one $L_x(v) = q_v \ge 1/n_0$; at least $\hat n = n - n_0 - (s - 1)$ unknown
# records are not sampled. Then $1/\Pr \ge 1 + \hat n / n_0$, which is Claim 4.1.

# %%
def smallest_sum(known, unknown, release):
    """Least sum of the swap ratios over arrangements with record 0 in slot 0."""
    q = {v: Fraction(known.count(v), len(known)) for v in known}
    rows = [{v: Fraction(1)} for v in known] + [q] * unknown

    def weight(order):
        return prod(rows[x].get(a, 0) for x, a in zip(order, release))

    orders = permutations(range(len(rows)), len(release))
    mine = [o for o in orders if o[0] == 0 and weight(o)]
    others = range(1, len(rows))
    return min(sum(weight(swap(o, t)) for t in others) / weight(o) for o in mine)


n, n0, s = sp.symbols("n n0 s", positive=True)
n_hat = n - n0 - (s - 1)
with claim("K-B5") as c:
    for size, slots in ((n_, s_) for n_ in range(2, 7) for s_ in range(1, n_ + 1)):
        orders = list(permutations(range(size), slots))
        mine = [o for o in orders if o[0] == 0]
        made = Counter(swap(o, t) for o in mine for t in range(1, size))
        assert made == Counter(set(orders) - set(mine))
    c.exact(max(made.values()), 1, "n ≤ 6: the swaps reach each arrangement once")
    c.exact(swap_gaps, [0, 0, 0], "the lemma with free symbols, up to n = 5, s = 3")
    claimed = sp.simplify(1 / (1 + n_hat / n0) - n0 / (n - s + 1))
    c.exact(claimed, sp.Integer(0), "q ≥ 1/n0 and n̂ terms: n0 / (n − s + 1)")
    for known, unknown in (("ab", 3), ("abc", 2), ("aab", 2)):
        size = len(known) + unknown
        least = min(smallest_sum(known, unknown, "a" + b) for b in set(known))
        bound = 1 / sampling.identification_risk(size, len(known), n_sampled=2) - 1
        label = f"Claim 4.1, n = {size}, knows {' '.join(known)}, s = 2"
        c.at_most(bound, least, label)


# %% [markdown]
# The paper's proof walks the same road through a dozen displays of sums over $\pi$ with products of
# $A_{s,\pi(s)}$; the exchange is hidden in its fourth line.
#
# ## Nothing left out: every table, every release
#
# A proof of one page and a program that knows nothing of it. For small $n$ we enumerate *all* tables, *all*
# releases, every record and every slot, in whole numbers: entries of $A$ times their common denominator.

# %%
def everything(A, n, s):
    """Weight in all, and with record r in slot j, for all tables and releases."""
    scale = lcm(*(entry.denominator for row in A for entry in row))
    whole = np.array([[int(entry * scale) for entry in row] for row in A])
    tables = np.array(list(product(range(len(A)), repeat=n)))
    releases = np.array(list(product(range(len(A[0])), repeat=s)))
    orders = np.array(list(permutations(range(n), s)))
    shown = whole[tables[:, orders][:, None], releases[None, :, None]]
    weight = shown.prod(axis=-1)  # tables, releases, arrangements
    behind = (orders[:, :, None] == np.arange(n)).astype(np.int64)
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


def exact_level(A, n, s):
    """Smallest 1 / Pr[record behind slot | release] of all tables and releases."""
    return lowest(*everything(A, n, s))


# %%
def tenths(*rows):
    return [[Fraction(entry, sum(row)) for entry in row] for row in rows]


def random_matrix(rng, rows, columns, high=9):
    return tenths(*rng.integers(1, high + 1, size=(rows, columns)).tolist())


rng = np.random.default_rng(51)
sizes = [(n, s) for n in (2, 3, 4) for s in range(1, n + 1)]
loose = tenths((6, 3, 1), (1, 4, 5), (7, 1, 2))
matrices = [random_matrix(rng, *shape) for shape in product((2, 3), (2, 3))] + [loose]
names = [f"{len(A)} × {len(A[0])}" for A in matrices]
found = {
    (i, *ns): exact_level(A, *ns) for i, A in enumerate(matrices) for ns in sizes
}
compared = sum(everything(A, *ns)[1].size for A in matrices for ns in sizes)
glue("compared", f"{compared:,}", display=False)

print("n = 4   exact level / bound at   s = 1    s = 2    s = 3    s = 4")
for i, A in enumerate(matrices):
    ratios = [found[i, 4, m] / pram.pk_level(A, 4, n_sampled=m) for m in (1, 2, 3, 4)]
    print(f"{names[i]}                      ", *(f"{float(x):8.5f}" for x in ratios))

# %%
with claim("K-5.1") as c:
    for i, A in enumerate(matrices):
        gap = min(
            found[i, *ns] - pram.pk_level(A, ns[0], n_sampled=ns[1]) for ns in sizes
        )
        c.at_most(Fraction(0), gap, f"{names[i]}, every n ≤ 4: bound ≤ exact level")
    town_level = exact_level(quarters, 3, 2)
    c.exact(
        town_level, pram.pk_level(quarters, 3, n_sampled=2), f"the town: {town_level}"
    )
    c.exact(1 / town_level, hit / sum(weights.values()), "the list of arrangements")
    for A in matrices[:3]:  # far beyond enumeration, against the exact posterior
        worst = pram.homogeneous_worst_case(A, 300, n_sampled=30)
        risk = posterior.match_probability(
            worst.table, worst.release, transition=A, record=0, slot=0
        )
        c.exact(
            1 / risk, pram.pk_level(A, 300, n_sampled=30), "n = 300, s = 30: attained"
        )

# %% [markdown]
# {glue:text}`compared` posterior probabilities, none above the bound. Where the table shows 1, the bound is
# attained; in the last row it is not.
#
# ## Who attains the bound?
#
# The proof first reduces the attacker to one who knows the table. A belief only mixes tables, and a quotient
# of mixtures lies between the quotients. That takes for granted that the belief about the table
# has nothing to do with who is drawn or how noise falls: $T$ is independent of $\Pi$ and $\Delta$.

# %%
f, g, h1, a1, h2, a2 = sp.symbols("f g h1 a1 h2 a2", positive=True)  # two tables
mixture = (f * h1 + g * h2) / (f * a1 + g * a2)  # hits over all, priors f and g
share = f * a1 / (f * a1 + g * a2)
average = share * h1 / a1 + (1 - share) * h2 / a2

total, matched = everything(quarters, 3, 2)
priors = rng.integers(1, 100, size=(50, len(total)))
mixed = (priors @ matched[:, :, 0, 0]) / (priors @ total[:, :, 0, 0])

draws = list(permutations(range(3), 2))
apart = list(product(product((0, 1), repeat=3), draws))  # any table with any draw
fits, against = (0, 1, 1), {1: (0, 1, 0), 2: (0, 0, 1)}
tied = [(fits if o[0] == 0 else against[o[0]], o) for o in draws]


def with_joint(worlds):
    """Pr[record 0 in slot 0 | release 0 1], worlds (table, draw) equally likely."""
    w = [quarters[table[i]][0] * quarters[table[j]][1] for table, (i, j) in worlds]
    return sum(x for x, (_, order) in zip(w, worlds) if order[0] == 0) / sum(w)


ceiling = 1 / town_level
with claim("K-5.3") as c:
    c.exact(sp.simplify(mixture - average), sp.Integer(0), "a mixture is an average")
    c.at_most(mixed.max(), float(ceiling), "50 priors on 8 tables: knowing is worst")
with claim("K-5.11") as c:
    c.at_most(with_joint(apart), ceiling, "independent, n = 3, s = 2: bound kept")
    over = with_joint(tied)
    c.holds(over > ceiling, f"needed: tied to the draw, {over} > {ceiling}")


# %% [markdown]
# Next the proof names the worst case: all other records share one value, all other slots show one value. Does
# that minimise the sum of the $\rho_t$, the paper's expression (2)? Without a sample, yes. With one, the two kinds
# of terms may want *different* people.

# %%
def swap_sum(table, release, A):
    """Expression (2) for the arrangement that puts record j in slot j; r = r' = 0."""
    a, (r, *others) = release[0], table
    terms = [A[t][a] / A[r][a] for t in others]
    for j, b in enumerate(release[1:]):
        terms[j] *= A[r][b] / A[others[j]][b]
    return sum(terms)


def least_sums(A, n, s):
    """Least expression (2) over all tables and releases; over homogeneous ones."""
    rows, columns = range(len(A)), range(len(A[0]))
    everywhere = product(product(rows, repeat=n), product(columns, repeat=s))
    pairs = product(product(rows, rows), product(columns, columns))
    alike = [([v] + [u] * (n - 1), [a] + [b] * (s - 1)) for (v, u), (a, b) in pairs]
    return [min(swap_sum(*pair, A) for pair in of) for of in (everywhere, alike)]


stubborn = tenths((3, 5, 2), (3, 1, 6), (7, 2, 1))
anyone, alike = least_sums(stubborn, 3, 2)
print("A, in tenths: 3 5 2 | 3 1 6 | 7 2 1     n = 3, s = 2")
print(f"least sum over all tables {anyone}, over homogeneous ones {alike}")
print("exact level", exact_level(stubborn, 3, 2), "  bound", 1 + anyone)

# %% tags=["hide-input"]
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
    c.differs(alike, anyone, label)
    minima = pram.ratio_minima(stubborn)
    gamma, g2 = minima.gamma, minima.g2
    c.exact(anyone, gamma + g2, "the least sum is (n − s) γ + (s − 1) g2")
    for A in (stubborn, *matrices):
        c.exact(*least_sums(A, 3, 3), "s = n = 3: one value for all is the worst")
        bound = pram.pk_level(A, 3, n_sampled=2) - 1
        c.at_most(
            bound, least_sums(A, 3, 2)[0], "n = 3, s = 2: the step to the bound"
        )


# %% [markdown]
# So when is the bound attained? Every other record is left out in some arrangements and sits in every slot
# in others. Equality of the average forces *all* terms to be minimal, so one and the same record must attain
# $\gamma$ when it is out and $g_2$ when it is in.
#
# ```{prf:proposition} When the bound is attained (ours)
# :label: thm-di-03-tight
# For $s = 1$ and $s = n$ always. For $2 \le s \le n - 1$ if and only if one triple $(u, v, u')$ attains
# $\gamma = A_{u,u'}/A_{v,u'}$ and, with some $v'$, also $g_2$. This holds for two true or two shown
# categories, and whenever values are kept with one probability and else drawn uniformly.
# ```

# %%
def same_triple(A):
    """The criterion, read literally; u is the other record, v the target."""
    minima = pram.ratio_minima(A)
    gamma, g2 = minima.gamma, minima.g2
    rows, columns = range(len(A)), range(len(A[0]))
    return any(
        A[u][a] / A[v][a] == gamma
        and any(A[u][a] * A[v][b] == g2 * A[v][a] * A[u][b] for b in columns)
        for u, v, a in product(rows, rows, columns)
    )


def tight_share(shape, trials):
    """Share of random matrices with an attained bound; the criterion must agree."""
    drawn = [random_matrix(rng, *shape) for _ in range(trials)]
    tight = [exact_level(A, 3, 2) == pram.pk_level(A, 3, n_sampled=2) for A in drawn]
    assert (
        tight == [same_triple(A) for A in drawn] == [pram.is_tight(A) for A in drawn]
    )
    return Fraction(sum(tight), trials)


with claim("K-B6") as c:
    for shape in ((2, 2), (2, 3), (3, 2)):
        c.exact(tight_share(shape, 15), Fraction(1), f"15 random {shape}: all tight")
    part = tight_share((3, 3), 60)
    c.holds(0 < part < 1, f"60 random (3, 3): the criterion decides, tight {part}")
    for A in (loose, stubborn):
        bound, level = pram.pk_level(A, 3, n_sampled=2), exact_level(A, 3, 2)
        c.holds(bound < level, f"not tight: bound {bound}, exact {level}")
        c.holds(not same_triple(A), "and no triple attains both")
    for keep in (Fraction(1, 2), Fraction(9, 10)):
        A = pram.retention_matrix(keep, 3).tolist()
        level = exact_level(A, 4, 3)
        c.exact(
            level,
            pram.pk_level(A, 4, n_sampled=3),
            f"keep {keep}, N = 3, n = 4, s = 3",
        )

# %% [markdown]
# For the matrices that are used in practice the theorem is the exact answer. That makes it worth asking how
# much the sample contributes.
#
# ## What does the sample contribute?
#
# Section 5.2 of the paper compares the bound with that for PRAM alone, $k \ge 1 + (n - 1) g_2$: each of the
# $n - s$ people who were left out counts $\gamma$ instead of $g_2$. Is $\gamma$ larger? Let
# $R(a) = A_{u,a}/A_{v,a}$ be smallest, $\gamma < 1$, at $(u, v, u')$. Both rows sum to one, so elsewhere
# $R(v') > 1$, and $g_2 \le R(u')/R(v') < \gamma$.

# %%
x1, x2, d = sp.symbols("x1 x2 d", positive=True)
u_row, v_row = (x1, x2 + d), (x1 + d, x2)  # two entries with the same sum
R = [x / y for x, y in zip(u_row, v_row)]  # d > 0 makes R(u') < 1
excess, drop = sp.factor(R[1] - 1), sp.factor(R[0] - R[0] / R[1])
print("R(v') − 1 =", excess, "   γ − g2 ≥", drop)

with claim("K-5.7") as c:
    for i, A in enumerate(matrices):
        bound = 1 + (4 - 1) * pram.ratio_minima(A).g2
        c.exact(bound, found[i, 4, 4], f"{names[i]}, n = 4: {bound}, attained")
with claim("K-5.9") as c:
    for i, name in enumerate(names):
        gains = [found[i, 4, m] - found[i, 4, 4] for m in (3, 2, 1)]
        rising = 0 < gains[0] < gains[1] < gains[2]
        c.holds(rising, f"{name}, n = 4: exact gain {gains[2]} at s = 1")
with claim(
    "K-5.8",
    printed=r"$\min \frac{A_{u,u'}}{A_{v,u'}} > "
    r"\min \frac{A_{u,v'}A_{v,u'}}{A_{u,u'}A_{v,v'}}$",
    corrected=r"$\gamma^2 \le g_2 \le \gamma$, strict on the right if and only if "
    r"$\gamma < 1$, that is unless all rows of $A$ are equal",
    consequence="None: with equal rows the release says nothing, and $k = n$ with or "
    "without sampling.",
) as c:
    minima = pram.ratio_minima(tenths((3, 5, 2), (3, 5, 2)))
    gamma, g2 = minima.gamma, minima.g2
    c.fails(gamma > g2, f"two equal rows: γ = {gamma}, g2 = {g2}")
    positive = bool(excess.is_positive), bool(drop.is_positive)
    c.holds(positive[0], "equal sums: R > 1 somewhere", method="symbolic")
    c.holds(positive[1], "so γ − g2 > 0", method="symbolic")
    for A in (*matrices, stubborn):
        minima = pram.ratio_minima(A)
        gamma, g2 = minima.gamma, minima.g2
        c.holds(gamma**2 <= g2 < gamma < 1, f"γ = {gamma}, g2 = {g2}")


# %% [markdown]
# The gain $(n - s)(\gamma - g_2)$ is one of the true worst case, since PRAM alone attains its bound.
#
# ### The other printed form
#
# The same bound stands at the end of the proof and three more times in section 5.2, with other indices in
# the last minimum: $A_{u,v'} A_{u',v} / (A_{u',v} A_{u,v'})$. Numerator and denominator are equal.

# %%
def printed_level(A, n, s):
    """The bound with the last minimum of section 5.2, index by index."""
    last = min(
        A[u][b] * A[a][v] / (A[a][v] * A[u][b])
        for u, v, a, b in product(range(len(A)), repeat=4)
    )
    return 1 + (n - s) * pram.ratio_minima(A).gamma + (s - 1) * last


with claim(
    "K-5.2",
    printed=r"$\min \frac{A_{u,v'} A_{u',v}}{A_{u',v} A_{u,v'}}$ as the last minimum",
    corrected=r"$\min \frac{A_{u,v'} A_{v,u'}}{A_{u,u'} A_{v,v'}}$, "
    "as in Theorem 5.1 itself",
    consequence="None for the theorem. Read literally the printed form would give "
    "$k = n$ for PRAM with any matrix.",
) as c:
    e = sp.symbols("a1:5", positive=True)
    c.exact(sp.simplify(e[0] * e[1] / (e[1] * e[0])), sp.Integer(1), "it is always 1")
    printed = printed_level(quarters, 3, 2)
    c.differs(printed, town_level, "keep 1/2, n = 3, s = 2: level")
    assert printed == 1 + Fraction(1, 3) + 1
    printed = printed_level(quarters, 3, 3)
    c.differs(printed, exact_level(quarters, 3, 3), "n = 3, PRAM alone: level")
    by_theorem = 1 + Fraction(1, 3) + Fraction(1, 9)
    c.exact(town_level, by_theorem, "n = 3, s = 2: the form of the theorem")

# %% [markdown]
# ## How much less noise?
#
# Keep a value with probability $\rho$, else draw one of $N$ uniformly. Then
# $\gamma = (1 - \rho)/(1 + (N - 1)\rho)$ and $g_2 = \gamma^2$, the least that $g_2$ can be: these matrices gain
# most. For $n = 1000$ and $N = 10$ the exact posterior of the worst table, a product of rook polynomials
# ([notebook 4](04-the-exact-posterior.ipynb)), lies on the bound.

# %%
n_big, N = 1000, 10
kept = (0.3, 0.5, 0.7, 0.9)
rates = np.array([0.01, 0.1, 0.25, 0.5, 0.75, 1.0])
samples = (rates * n_big).astype(int)


def worst_posterior(keep, s):
    """1 / exact match probability in the worst table, by rook polynomials."""
    A = pram.retention_matrix(keep, N)
    worst = pram.homogeneous_worst_case(A, n_big, n_sampled=s)
    risk = posterior.match_probability(
        worst.table, worst.release, transition=A, record=0, slot=0
    )
    return 1 / risk


dots = np.array([[worst_posterior(keep, int(s)) for s in samples] for keep in kept])
print("keep   k at sampling rate", *(f"{p:8.2f}" for p in rates))
for keep, row in zip(kept, dots):
    print(f"{keep:4.1f}                     ", *(f"{k:8.2f}" for k in row))
needed = [
    design.retention_for_k(n_big, 10, n_sampled=int(s), categories=N) for s in samples
]
print("kept for k = 10         ", *(f"{rho:8.4f}" for rho in needed))

# %%
with claim("K-1.9") as c:
    for keep, row in zip(kept, dots):
        A = pram.retention_matrix(keep, N)
        bound = [pram.pk_level(A, n_big, n_sampled=int(m)) for m in samples]
        c.close(row, bound, f"keep {keep}, n = 1000: exact worst case", rtol=1e-9)
    c.at_most(needed[1:], needed[:-1], "k = 10: a smaller sample, more is kept")
    label = f"k = 10, a tenth sampled: keep {needed[1]:.4f}, alone {needed[-1]:.4f}"
    c.holds(needed[1] > needed[-1], label)
    A = pram.retention_matrix(Fraction(needed[1]), N)
    c.at_most(
        Fraction(10),
        pram.pk_level(A, n_big, n_sampled=100),
        "and it does reach k = 10",
    )
with claim("K-6.2") as c:
    k_ = sp.Symbol("k", positive=True)
    g = sp.sqrt((k_ - 1) / (n - 1))  # PRAM alone at level k: 1 + (n − 1) γ² = k
    more = sp.simplify(1 + (n - s) * g + (s - 1) * g**2 - k_ - (n - s) * (g - g**2))
    c.exact(more, sp.Integer(0), "same noise: k is higher by (n − s)(γ − γ²)")
    noise = [(1 - rho) * (N - 1) / N for rho in (needed[-1], needed[1])]
    label = f"share of changed values: {noise[0]:.3f} alone, {noise[1]:.3f} sampled"
    c.holds(noise[1] < noise[0], label)

# %% mystnb={"figure": {"caption": "A thousand records, ten categories. Left: level k against the sampling rate. Thick lines are the bound, dots the exact worst case; they rise to the left, since people who were left out are cover. Thin dotted lines: an attacker who knows that the target took part. Right: the largest share of values that may be kept.", "name": "fig-di-03-levels"}, "image": {"alt": "Left: four lines for kept shares 0.3 to 0.9, with dots on them, fall from small sampling rates to rate one; four dotted lines rise from k near 1 and meet them at rate one. Right: three falling curves of the kept share for k = 5, 10 and 50."}}
fig, (left, right) = plots.panels(1, 2, height=4.0, width=8.6)
sizes_ = np.unique(np.linspace(2, n_big, 200).astype(int))
hues = ("blue", "orange", "green", "purple")
for keep, row, hue in zip(kept, dots, hues):
    A = pram.retention_matrix(keep, N)
    bound = [pram.pk_level(A, n_big, n_sampled=int(s)) for s in sizes_]
    told = [
        pram.pk_level_response_knowledge(A, n_big, n_sampled=int(s)) for s in sizes_
    ]
    colour = plots.COLOURS[hue]
    left.plot(sizes_ / n_big, bound, color=colour, ls="-", label=f"keep {keep}")
    left.plot(sizes_ / n_big, told, color=colour, ls=":", lw=1.2)
    left.plot(rates, row, "o", ms=5, color=colour)
left.set(yscale="log", ylim=(0.9, 900), xlabel="sampling rate p", ylabel="level k")
left.plot([], [], ":", color="#555555", lw=1.2, label="took part: known")
left.legend(ncols=2, loc="upper right", fontsize=8.5)
for k_target in (5, 10, 50):
    curve = [
        design.retention_for_k(n_big, k_target, n_sampled=int(s), categories=N)
        for s in sizes_
    ]
    right.plot(sizes_ / n_big, curve, label=f"k = {k_target}")
right.set(xlabel="sampling rate p", ylabel="largest share kept, ρ", ylim=(0, 1))
right.legend()
plt.show()


# %% [markdown]
# For $k = 5$ and 10 the right panel flattens: below one half, a smaller sample buys little. And less noise in each record is not yet a better statistic, since fewer records are left; [notebook 5](05-designing-a-release.ipynb) does
# that sum.
#
# ## If the size is left to chance
#
# Draw each record independently with probability $p$, and the size $S$ is random. Given its value the sample is an
# ordinary one of that size, with level $1 + (n - S)\gamma + (S - 1) g_2$. That falls in $S$, and $S = n$ can
# happen. The worst case is PRAM alone, no more and no less.

# %%
def bernoulli_posterior(table, release, A, p):
    """Pr[record 0 in slot 0 | release] from independent draws, then a shuffle."""
    size, total, matched = len(release), Fraction(0), Fraction(0)
    for order, weight in weights_of(table, release, A).items():
        chance = p**size * (1 - p) ** (len(table) - size) / factorial(size)
        total += chance * weight
        matched += chance * weight * (order[0] == 0)
    return matched / total


S, gamma_, g2_ = sp.symbols("S gamma g2", positive=True)
with claim("K-5.10") as c:
    slope = sp.diff(1 + (n - S) * gamma_ + (S - 1) * g2_, S)
    c.exact(slope, g2_ - gamma_, "slope in S: g2 − γ, negative")
    by_size = []
    for size in (1, 2, 3):
        case = pram.homogeneous_worst_case(quarters, 3, n_sampled=size)
        pair = case.table.tolist(), case.release.tolist()
        by_size.append(1 / bernoulli_posterior(*pair, quarters, Fraction(1, 5)))
        level = pram.pk_level(quarters, 3, n_sampled=size)
        c.exact(by_size[-1], level, f"n = 3, p = 1/5, S = {size}: {level}")
    c.exact(min(by_size), pram.pk_level(quarters, 3), "least at S = n: PRAM alone")


# %% [markdown]
# That is a statement about a release of probability $p^n$. Up to a failure probability of one's choice
# the quantile of $S$ takes the place of $n$, as in [notebook 2](02-sampling-alone.ipynb).
#
# ## Who is not held off?
#
# The independence of $T$ and $\Pi$ was not a formality. Somebody who knows that the target took part conditions
# on it, the unsampled terms vanish from the lemma, and what is left is $1 + (s - 1) g_2$: the dotted lines in the figure,
# and *below* PRAM alone. The paper excludes this attacker in section 2.2; with that exclusion its abstract and
# its summary hold.

# %%
def joined_level(A, n, s):
    """Exact smallest 1 / Pr[slot | release, record 0 took part], by enumeration."""
    hits = everything(A, n, s)[1][:, :, :, 0]  # record 0 in each slot
    return lowest(hits.sum(axis=-1, keepdims=True), hits)


with claim("K-0.2") as c:
    for i in (0, 3):
        low, high = found[i, 4, 4], found[i, 4, 2]
        c.holds(
            low < high, f"{names[i]}, n = 4: any knowledge, {low} → {high} at s = 2"
        )
    told, alone = joined_level(quarters, 4, 2), exact_level(quarters, 4, 4)
    known = pram.pk_level_response_knowledge(quarters, 4, n_sampled=2)
    c.exact(told, known, f"not covered, knows that the target took part: {told}")
    c.holds(told < alone, f"which is less than everybody released, {alone}")
with claim("K-6.1") as c:
    identity = tenths((1, 0), (0, 1))
    certain = posterior.match_probability(
        [0, 1, 1, 1], [0, 1], transition=identity, record=0, slot=0
    )
    c.exact(certain, Fraction(1), "sampling alone, whole table known: no reduction")
    limited = sampling.identification_risk(1000, 10, n_sampled=100)
    c.holds(limited < 1, f"limited knowledge, n = 1000, n0 = 10, s = 100: {limited}")
    level = pram.pk_level(quarters, 1000, n_sampled=100)
    c.holds(level > pram.pk_level(quarters, 1000), f"with PRAM, any: k ≥ {level}")


# %% [markdown]
# ## Slips
#
# Some displays of the proof have index slips, perhaps of the conversion; the swap lemma replaces them.

# %% tags=["hide-input"]
def check_prefactor(c):
    n_, s_ = 4, 2
    shuffled = list(permutations(range(n_), s_))
    literal = Fraction(len(shuffled), comb(n_, s_))
    c.differs(literal, Fraction(1), f"n = {n_}, s = {s_}: sum of all probabilities")
    factor = Fraction(factorial(n_ - s_), factorial(n_))
    c.exact(factor * perm(n_, s_), Fraction(1), "(n − s)!/n! for ordered samples")


def check_displays(c):
    own, other = quarters[0][0], quarters[1][0]  # n = 2, s = 1, table 0 1, release 0
    truth = 1 / posterior.match_probability(
        [0, 1], [0], transition=quarters, record=0, slot=0
    )
    c.differs(
        1 + other * other / own, truth, "n = 2, s = 1: third display, literally"
    )
    c.exact(1 + other / own, truth, "the product without the factor of t")


wrong = r"$\sum_{\pi(r)=\phi,\, s \ne t} \prod_{s} A_{s,\pi(s)}$ beside $A_{t,r'}$"
right = r"$\prod_{s \ne t}$, as the condition under the sum intends"
prefactor = r"$\frac1{\binom{n}{pn}}$ before the sums over $\pi$"
cancels = r"$\frac{(n - pn)!}{n!}$; it cancels"
rows = [
    ("K-5.4", prefactor, cancels, check_prefactor),
    ("K-5.5", wrong, right, check_displays),
]
records = slips(rows)

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
#
# ```{solution-start} ex-di-03-attributes
# :class: dropdown
# ```
# The pair has the Kronecker product as its matrix. Ratios multiply, and each attribute can be minimised on its own: both
# minima are products. Ten mildly noised attributes are strong noise together.

# %%
A, B = matrices[0], matrices[3]
pair = np.kron(np.array(A, dtype=object), np.array(B, dtype=object))
minima = map(pram.ratio_minima, (A, B, pair))
a, b, ab = ((m.gamma, m.g2) for m in minima)
assert ab == (a[0] * b[0], a[1] * b[1])

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
# certainty: $\rho_t = 0$. A zero in the target's own row makes the release impossible for it.

# %%
never = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(0), Fraction(1)]]
shown = {"transition": never, "slot": 0}
assert posterior.match_probability([0, 1, 1, 1], [0, 1], record=0, **shown) == 1
assert posterior.match_probability([0, 0, 0, 1], [0, 1], record=3, **shown) == 0

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A worst table that is not homogeneous
# :label: ex-di-03-mixed
# ```
# **Research.** If the bound is not attained, is the worst table at least homogeneous, as the paper's proof suggests?
# Try $A$ with rows $(2, 11, 7)$, $(1, 18, 1)$, $(9, 10, 1)$ over 20, $n = 3$, $s = 2$.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-03-mixed
# :class: dropdown
# ```
# No. The two others had better differ: one is the better cover when left out, the other when sampled.

# %%
A = tenths((2, 11, 7), (1, 18, 1), (9, 10, 1))
level = exact_level(A, 3, 2)
alike_level = pram.homogeneous_worst_case(A, 3, n_sampled=2).level
total, matched = everything(A, 3, 2)
at = np.unravel_index((matched / total).argmax(), matched.shape)
table, shown = (
    list(product(range(3), repeat=3))[at[0]],
    list(product(range(3), repeat=2))[at[1]],
)
print(f"worst table {table}, release {shown}: {level}; homogeneous: {alike_level}")
assert pram.pk_level(A, 3, n_sampled=2) < level < alike_level
assert len({v for r, v in enumerate(table) if r != at[3]}) == 2

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Exchange the target with one other record: $k$ is 1 plus an average of $n - s$ terms of at least $\gamma$
#   and $s - 1$ of at least $g_2$. With other $L$ the same line proves Claim 4.1.
# - Theorem 5.1 holds for every table, release, record and slot, and is attained if one triple attains both
#   minima, as it does for the usual PRAM matrix.
# - $\gamma > g_2$ unless all rows are equal, so the sample lowers the true worst case by a known amount. The bound repeated at the
#   end of the proof is a misprint: its last term is 1.
# - A sample of random size has PRAM's own level in the strict sense. An attacker who knows who took part loses
#   the cover of the others.
#
# **Further reading.** PRAM and Pk-anonymity without a sample: {cite:p}`ikarashi2015kanonymous`; PRAM in official
# statistics: {cite:p}`kooiman1997pram`, {cite:p}`gouweleeuw1998post`. **Next:**
# [how safe is one particular line](04-the-exact-posterior.ipynb)?
