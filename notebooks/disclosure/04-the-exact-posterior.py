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
# # How safe is this line, exactly?
#
# A bound speaks for the worst table and the worst release that anybody can think of. The publisher has one table and
# one release. A thousand people, a hundred shuffled lines, half of the values redrawn: the theorem promises that an
# attacker who knows the whole table finds the right person behind a line with probability at most one in
# 83.6<!-- {in_text['k-bound']:.1f} -->. For somebody who shares a value with ninety-nine others the truth is one in
# 181<!-- {in_text['k-uniform']:.0f} -->, and for an attacker who has heard that the person *took part* it is one in
# 18<!-- {k_took_part:.0f} -->. The last two are computed exactly, and between them stands a single sentence of
# the paper's attacker model.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to sum over more arrangements than any computer can list, why each of your doubles counts as
# one whole person, what is left when the attacker knows who took part, and a map of who is safe from whom. **You need**
# the attack of [notebook 1](01-who-attacks.ipynb), the swap lemma of [notebook 2](02-sampling-alone.ipynb), Theorem 5.1
# from [notebook 3](03-pram-and-sampling.ipynb). **Time:** 30 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** $s$ of $n$ records drawn without replacement, each value rewritten by the transition matrix $A$, the
# slots shuffled. **The attacker** knows every true value, $A$, $n$ and $s$. The *journalist* does not know who was
# sampled; the *prosecutor* knows that the target was. **Protected:** which slot shows the target, and for the
# journalist also whether any does. **Not protected:** the target's true value, which both know already.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, permutations, product
from itertools import combinations_with_replacement as multisets
from math import comb, factorial, lcm, perm, prod

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp

from privlib.disclosure import anonymity, design, posterior, pram, sampling
from privlib.notebook import claim, derivation, interactive, plots, table
from privlib.research import knowledge_models

plots.use()
apart = sp.UnevaluatedExpr
codes = np.arange(10)

# %% [markdown]
# ## What do frequencies say after PRAM?
#
# Tools for statistical disclosure control compute $k$-anonymity and individual risks from the frequencies of the
# released values. After PRAM those no longer say who is behind a line, and the widely used R package sdcMicro
# {cite:p}`templ2015sdcmicro` rightly warns that its risk measures are no longer useful then. The probability of the
# paper's section 2.2 still is. Four hundred people, sixty lines, one value in five redrawn:

# %%
rng = np.random.default_rng(2)
town = rng.choice(5, size=400, p=[0.45, 0.3, 0.15, 0.08, 0.02])
noise = pram.retention_matrix(0.8, 5)
drawn = rng.permutation(400)[:60]
lines = pram.apply_pram(town[drawn], noise, rng=rng)
chance = posterior.match_matrix(town, lines, transition=noise, by="value")

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert np.bincount(lines)[4] == 1
table(
    {"value": range(5), "people": np.bincount(town), "lines": np.bincount(lines),
     "chance of the link": np.diagonal(chance),
     "one in": 1 / np.diagonal(chance)},
    formats={"chance of the link": ".4f", "one in": ".0f"},
    caption="Somebody with a value, and a line that shows it: chance that the line "
    "is the person's, for who knows all 400 values.",
)  # fmt: skip


# %% [markdown]
# The value 4 is shown once. Under $k$-anonymity that calls for alarm; the last column
# says how much of it is left. That column is what this page computes: how can it be exact?
#
# ## What does the attacker add up?
#
# Write $L_r(j)$ for the probability that record $r$ shows the value in slot $j$: the entry $A_{\tau(r), \tau'(j)}$.
# An *arrangement* puts a different record behind every slot. Before the release all arrangements are equally likely;
# after it, each counts with the product of its $L$.
#
# ```{prf:proposition} The posterior is a ratio of permanents
# :label: thm-di-04-ratio
# Let $\mathrm{Perm}(L) = \sum_\sigma \prod_j L_{\sigma(j)}(j)$, over all injections $\sigma$ of the slots into
# the records. Then
# $\displaystyle \Pr[\Pi(r) = r' \mid T' = \tau'] =
# \frac{L_r(r') \,\mathrm{Perm}(L \text{ without } r \text{ and } r')}{\mathrm{Perm}(L)}$ .
# ```
#
# It is the paper's quotient of sums over $\pi$ (the first displays in the proof of Theorem 5.1) with the common
# factor taken out. How many terms does the denominator have?

# %% jupyter={"source_hidden": true} tags=["set-up"]
def magnitude(count):
    return f"{count:,}" if count < 10**7 else f"about $10^{{{len(str(count)) - 1}}}$"


shapes = [(4, 2), (10, 5), (20, 10), (100, 20), (1000, 100)]
table(
    {"records n": [n_ for n_, _ in shapes], "slots s": [s_ for _, s_ in shapes],
     "arrangements": [magnitude(perm(*shape)) for shape in shapes],
     "steps by subsets": [magnitude(n_ * s_ * 2**s_) for n_, s_ in shapes],
     "steps by rooks": [magnitude(s_**2) for _, s_ in shapes]},
    caption="Terms of the sum; steps of a recursion over sets of slots; and of the "
    "method below.",
)  # fmt: skip

# %% [markdown]
# For a thousand records that is a number of 298<!-- {digits} --> digits. Ryser's formula and recursions over sets of slots
# {cite:p}`ryser1963` are better and still hopeless; permanents are hard in general {cite:p}`valiant1979`. But our matrix has
# a great deal of structure.

# %% jupyter={"source_hidden": true} tags=["evidence"]
digits = len(str(perm(1000, 100)))


def weights(rows, release):
    """Weight of every arrangement; `rows`: the chances of what each record shows."""
    orders = permutations(range(len(rows)), len(release))
    return {o: prod(rows[r][a] for r, a in zip(o, release)) for o in orders}


def behind(weight, r, slot):
    """Total weight of the arrangements with record r behind a slot."""
    return sum(w for order, w in weight.items() if order[slot] == r)


# %% [markdown]
# ## Does it matter who is who?
#
# No: records with the same value are exchangeable, and so are slots. Only the numbers $n_u$ of records with true
# value $u$ and $s_v$ of slots that show $v$ can matter. A record of value $u$ fills no slot, or one of the slots.
# That sentence is a polynomial, $1 + \sum_v A_{u,v}\,y_v$, and all records together are its product. A term
# $y^s = \prod_v y_v^{s_v}$ of it says how many records go to slots of each value; which record takes which of them is open,
# in $\prod_v s_v!$ ways.
#
# ```{prf:proposition} Generating function
# :label: thm-di-04-generating
# For every matrix $A$, $\;\mathrm{Perm} = \prod_v s_v! \cdot [y^s]
# \prod_u \bigl(1 + \sum_v A_{u,v}\, y_v\bigr)^{n_u}$, where $[y^s]$ takes the coefficient of
# $\prod_v y_v^{s_v}$.
# ```
#
# Two people of value $a$, two of value $b$, slots $a\,a\,b$: the list of 24 arrangements, and the coefficient of
# $y_a^2\, y_b$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
free = sp.Matrix(2, 2, sp.symbols("A_aa A_ab A_ba A_bb"))
y = sp.symbols("y_a y_b")


def listed(people, slots, A):
    """Permanent as the sum over all arrangements."""
    rows = [list(A.row(int(u))) for u in np.repeat((0, 1), people)]
    return sum(weights(rows, np.repeat((0, 1), slots).tolist()).values())


def coefficient(people, slots):
    """Coefficient of the generating function, for any 2x2 matrix."""
    factors = [1 + sum(a * t for a, t in zip(free.row(u), y)) for u in (0, 1)]
    poly = sp.Poly(prod(f**m for f, m in zip(factors, people)), *y)
    return poly.coeff_monomial(y[0] ** slots[0] * y[1] ** slots[1])


two_and_two, aab = (2, 2), (2, 1)
by_polynomial = (
    derivation(listed(two_and_two, aab, free), of=r"\mathrm{Perm}")
    .equal(factorial(2) * factorial(1) * apart(coefficient(two_and_two, aab)),
           r"$2!\,1!\,[y_a^2 y_b]$")
)  # fmt: skip
by_polynomial

# %% [markdown]
# The polynomial has a variable for every category. With ten categories and ten slots of each that would be $11^{10}$
# coefficients. One more idea is needed.
#
# ## Rooks on a board
#
# The usual PRAM matrix keeps a value with probability $\rho$ and otherwise draws from all $N$ values. Split each
# entry accordingly: $A_{u,v} = b_v + d_v [u = v]$. A slot is filled either by its *keep* part $d_v$, and then by one
# of the people who have its value, or by its *redraw* part $b_v$, and then by anybody at all. The keepers are rooks
# that do not attack each other, on a board of $s_v$ rows and $n_v$ columns; the rest of the slots do not care about
# values any more.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Ten records, six slots. A rook (a value that was kept) may stand only where the record has the slot's value, shaded; no two rooks share a row or a column. The slots with a question mark were redrawn and may show any record that is left, in 8 \u00b7 7 \u00b7 6 \u00b7 5 = 1680 ways.", "name": "fig-di-04-rooks"}, "image": {"alt": "A grid of six slots and ten records with three shaded rectangles along the diagonal; two rooks stand on shaded squares, the other four slots have a question mark."}} tags=["figure"]
board, wanted = np.repeat((0, 1, 2), (5, 3, 2)), np.repeat((0, 1, 2), (3, 2, 1))
shades = [plots.COLOURS[name] for name in ("sky", "gold", "green")]
kept = {1: 3, 4: 6}  # slot: record
assert all(board[record] == wanted[slot] for slot, record in kept.items())
assert perm(board.size - len(kept), wanted.size - len(kept)) == 1680
fig, ax = plots.panels(height=3.6)
for slot, record in product(range(6), range(10)):
    fill = shades[wanted[slot]] if board[record] == wanted[slot] else "white"
    ax.add_patch(plt.Rectangle((record, slot), 1, 1, fc=fill, ec="#777777", lw=0.6))
for slot in range(6):
    place, mark = (kept[slot], "♜") if slot in kept else (10, "?")
    ax.text(place + 0.5, slot + 0.53, mark, fontsize=20, ha="center", va="center")
ax.set(xlim=(0, 11), ylim=(6.05, -0.05), aspect="equal")
ax.set(xlabel="record and its true value", ylabel="slot and its shown value")
ax.set_xticks(np.arange(10) + 0.5, [f"{r}: {'abc'[v]}" for r, v in enumerate(board)])
ax.set_yticks(np.arange(6) + 0.5, [f"{j}: {'abc'[v]}" for j, v in enumerate(wanted)])
ax.grid(visible=False)
ax.spines[:].set_visible(False)
ax.tick_params(length=0)
plt.show()

# %% [markdown]
# Choose $j$ people and $j$ slots of the value $v$ and pair them: $\binom{n_v}{j}\binom{s_v}{j}\,j!$ ways. With $J$ rooks on
# the whole board, $s - J$ slots and $n - J$ people are left, and these fit together in $(n - J)!/(n - s)!$ ways. Rook
# polynomials are classical {cite:p}`goldman1975`; this is one for each value.
#
# ```{prf:theorem} Rook polynomial
# :label: thm-di-04-rook
# If $A_{u,v} = b_v + d_v[u = v]$, put $R(z) = \prod_v \sum_j \binom{n_v}{j} \binom{s_v}{j}\, j!\;
# d_v^{\,j}\, b_v^{\,s_v - j} z^j$. Then $\displaystyle \mathrm{Perm} = \sum_J [z^J] R(z) \cdot
# \frac{(n - J)!}{(n - s)!}$: one polynomial in one variable, of degree at most $s$, about $s^2$
# multiplications whatever $n$ is.
# ```
#
# The same four people and three slots, with the split matrix:

# %% jupyter={"source_hidden": true} tags=["evidence"]
z = sp.Symbol("z")
b, d = sp.symbols("b_a b_b"), sp.symbols("d_a d_b")
split = sp.diag(*d) + sp.ones(2, 1) * sp.Matrix([b])


def rook_terms(people, slots):
    """Coefficients of the rook polynomial, in powers of z."""
    R = sp.Integer(1)
    for m, times, keep, redraw in zip(people, slots, d, b):
        ways = [comb(m, j) * comb(times, j) * factorial(j) for j in range(times + 1)]
        R *= sum(
            w * (keep * z) ** j * redraw ** (times - j) for j, w in enumerate(ways)
        )
    return sp.Poly(R, z).all_coeffs()[::-1]


R = rook_terms(two_and_two, aab)
by_rooks = (
    derivation(listed(two_and_two, aab, split), of=r"\mathrm{Perm}")
    .equal(sum(perm(4 - J, 3 - J) * apart(sp.factor(R[J])) for J in range(4)),
           r"$\frac{(4 - J)!}{1!}\,[z^J] R$")
)  # fmt: skip
by_rooks

# %% [markdown]
# The package has both routes, and the slow recursion besides. On every table and release of a few records they agree
# with the list, in fractions.

# %% jupyter={"source_hidden": true} tags=["evidence"]
tenths = [[6, 3, 1], [1, 4, 5], [7, 1, 2]]
general = [[Fraction(k, 10) for k in row] for row in tenths]
keeps = pram.retention_matrix(Fraction(2, 7), 3)
routes = [("generating", general), ("rook", keeps.tolist()), ("permanent", general)]
shapes = [(n_, s_) for n_ in (1, 2, 3) for s_ in range(1, n_ + 1)] + [(4, 2)]


def chances(A, how, shape):
    """Chances of all links in all releases, by the list and by the package."""
    for tau, shown in product(*(multisets(range(3), size) for size in shape)):
        weight = weights([A[u] for u in tau], shown)
        total = sum(weight.values())
        links = [
            [behind(weight, r, j) / total for j in range(shape[1])]
            for r in range(shape[0])
        ]
        ours = posterior.match_matrix(tau, shown, transition=A, method=how)
        yield links, ours.tolist()


pairs = [
    pair for how, A in routes for shape in shapes for pair in chances(A, how, shape)
]
redrawn_half = pram.retention_matrix(Fraction(1, 2), 10)
single_out = codes[:2].repeat((1, 999)), codes[:2].repeat((1, 99))
thousand = posterior.match_probability(
    *single_out, transition=redrawn_half, record=0, slot=0
)
likelier = redrawn_half[1, 0] / redrawn_half[0, 0]
with claim("K-B12") as c:
    label = f"{len(pairs)} tables and releases, n ≤ 3 and (4, 2): package, list"
    c.decisive("sampled").exact(*map(list, zip(*pairs)), label)
    first = listed(two_and_two, aab, free)
    last = 2 * apart(coefficient(two_and_two, aab))
    c.derived(by_polynomial, first, last, "generating function, any 2x2 matrix")
    first = listed(two_and_two, aab, split)
    c.derived(by_rooks, first, by_rooks.last, "rook polynomial, any b and d")
    swapped = 1 + 900 * likelier + 99 * likelier**2
    c.exact(1 / thousand, swapped, "n = 1000, s = 100, one alone: rooks, swap lemma")

# %% [markdown]
# ## How safe are a thousand people?
#
# Now the release of the introduction: $n = 1000$, $s = 100$, ten categories, $\rho = 1/2$. Three tables with a
# release for each. *Worst*: the target alone has value 0, everybody else value 1, and one of the slots shows 0.
# *Uniform*: a hundred people and ten slots a value. *Skewed*: 1, 2, 4, ..., 256 and 489 people, and the release that
# is to be expected from them. The paper has no numerical example; the bound is its theorem, the rest is ours.

# %%
matrix = pram.retention_matrix(Fraction(1, 2), 10)
people = {"worst": [1, 999], "uniform": [100] * 10}
people["skewed"] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 489]
slots = {"worst": [1, 99], "uniform": [10] * 10}
slots["skewed"] = [5, 5, 5, 5, 6, 7, 8, 11, 18, 30]
match = {}
for name, counts in people.items():
    tau = codes[: len(counts)].repeat(counts)
    shown = codes[: len(counts)].repeat(slots[name])
    match[name] = posterior.match_matrix(tau, shown, transition=matrix, by="value")

# %% jupyter={"source_hidden": true} tags=["set-up"]
bound = anonymity.pk_level(matrix, 1000, n_sampled=100)
journalist = {
    name: {m: 1 / match[name][u, u] for u, m in enumerate(counts)}
    for name, counts in people.items()
}
picked = [("worst", 1), ("uniform", 100)] + [("skewed", m) for m in (1, 8, 64, 489)]
table(
    {"table": [name for name, _ in picked],
     "people with the value": [m for _, m in picked],
     "exact k": [journalist[name][m] for name, m in picked],
     "Theorem 5.1": [bound] * len(picked)},
    formats={"exact k": ".2f", "Theorem 5.1": ".2f"},
    difference=("exact k", "Theorem 5.1"),
    caption="Level of a person against a line that shows the person's value: "
    "1 / chance of the link, and what the theorem guarantees.",
)  # fmt: skip

# %% [markdown]
# The worst table meets the bound exactly; the others are fractions whose numerators and denominators have more than two
# hundred digits each. At uniform shares the truth is 181.40<!-- {in_text['k-uniform']:.2f} --> instead of 83.64<!-- {in_text['k-bound']:.2f} -->, and behind a
# slot of another value 2005.67<!-- {in_text['k-other']:.2f} -->.

# %% jupyter={"source_hidden": true} tags=["evidence"]
other = 1 / match["uniform"][0, 1]
assert all(sum(people[k]) == 1000 and sum(slots[k]) == 100 for k in people)
assert journalist["worst"][1] == bound
long = [k for name, m in picked[1:] for k in [journalist[name][m]]]
assert min(min(k.numerator, k.denominator) for k in long) > 10**200
for name, M in match.items():  # somebody is behind every slot
    taken = np.array(people[name], dtype=object) @ M[: len(people[name])]
    assert set(taken[: len(slots[name])]) == {1}
quoted = {"bound": bound, "other": other, "uniform": journalist["uniform"][100]}
quoted |= {"alone": journalist["skewed"][1], "mode": journalist["skewed"][489]}
in_text = {}
for name, level in quoted.items():
    in_text[f"k-{name}"] = round(float(level), 6)

# %% [markdown]
# ## Why is the truth so much better?
#
# In the skewed table the only person with value 0 has $k =$ 90.9<!-- {in_text['k-alone']:.1f} -->, a little above the bound;
# somebody with 488 doubles has 535.4<!-- {in_text['k-mode']:.1f} -->. The swap lemma explains the whole range: $k$ is 1 plus an average
# of one number for each other record $t$, by how much likelier the release becomes when you and $t$ change places. Where
# $t$ has *your* value nothing changes: the number is 1, sampled or not. Where $t$ sits in a slot that shows the *same* as
# yours nothing changes either. Only the others are discounted, to no less than $\gamma$ (not sampled) or $g_2$ (sampled),
# the two minima of Theorem 5.1.
#
# ```{prf:theorem} Every double counts as one
# :label: thm-di-04-doubles
# Let it be known that $m$ records have the target's value, and let $f$ slots show what the target's slot shows, each counted with the target. Put
# $M = \max(m, f)$ and $S = \min(s - f, n - M)$. Whatever the rest of the table and of the release,
# $\;k \ge M + (n - M - S)\,\gamma + S\, g_2$ .
# ```
#
# *Proof.* Of the $n - 1$ others, $m - 1$ have your value and $f - 1$ sit in slots like yours. At worst the ones are among
# the others, so at least $M - 1$ numbers are 1. Of the remaining $n - M$ records $x$ sit in slots that show something
# else, with $x \le S$. Write $x = S - h$ and $\gamma = g_2 + e$; both $h$ and $e$ are at least 0.

# %% jupyter={"source_hidden": true} tags=["evidence"]
N_, M_, S_ = sp.symbols("n M S", positive=True)
G2, h, e = sp.symbols("g_2 h e", nonnegative=True)
doubled = (
    derivation(M_ + (N_ - M_ - (S_ - h)) * (G2 + e) + (S_ - h) * G2,
               of=r"M + (n - M - x)\,\gamma + x\, g_2")
    .at_least(M_ + (N_ - M_ - S_) * (G2 + e) + S_ * G2, r"drop $h e \ge 0$")
)  # fmt: skip
doubled

# %% [markdown]
# The last line is the theorem, with $\gamma$ for $g_2 + e$. ∎ For $m = f = 1$ it is Theorem 5.1. The publisher can
# evaluate it for every person with one frequency count. In the skewed table:

# %%
counted = {
    m: anonymity.pk_level(matrix, 1000, n_sampled=100, alike=m) for m in people["skewed"]
}

# %% jupyter={"source_hidden": true} tags=["set-up"]
prosecutor = {}
for name, counts in people.items():
    sampled = match[name][:, : len(counts)] @ np.array(slots[name])
    prosecutor[name] = {
        m: sampled[u] / match[name][u, u] for u, m in enumerate(counts)
    }
table(
    {"people with the value": people["skewed"],
     "bound with doubles": counted.values(),
     "exact k": journalist["skewed"].values(),
     "exact k, known to be sampled": prosecutor["skewed"].values()},
    formats=dict.fromkeys(
        ("bound with doubles", "exact k", "exact k, known to be sampled"), ".2f"),
    caption="The skewed table: what a frequency count guarantees, and the truth.",
)  # fmt: skip

# %% [markdown]
# The guarantee follows the truth closely. The last column does not: it belongs to an attacker whom the theorem leaves
# out, and to whom we come below.

# %% jupyter={"source_hidden": true} tags=["evidence"]
half = pram.retention_matrix(Fraction(1, 2), 2).tolist()
lopsided = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
small = {"half": half, "lopsided": lopsided, "three values": general}


def releases(columns, s, least=1):
    """Every release up to the order of its slots, each value at least so often."""
    for release in multisets(range(columns), s):
        if min(Counter(release).values()) >= least:
            yield release


def whole(A):
    """The matrix in integers; a common factor cancels in every ratio."""
    scale = lcm(*(entry.denominator for row in A for entry in row))
    return [[int(scale * entry) for entry in row] for row in A]


def cases(A, n, s, least=1):
    """Each table, release, record and slot, up to renaming: what the attackers find.

    (m, f, level for who knows the table, also that r was sampled, exactly who was,
    probability of membership)
    """
    tables, A = multisets(range(len(A)), n), whole(A)
    for tau, shown in product(tables, releases(len(A[0]), s, least)):
        weight = weights([A[u] for u in tau], shown)
        total, parties = sum(weight.values()), defaultdict(int)
        for order, w in weight.items():
            parties[frozenset(order)] += w
        for u, a in product(set(tau), set(shown)):
            r, slot = tau.index(u), shown.index(a)
            hit, mine = behind(weight, r, slot), defaultdict(int)
            joined = sum(w for party, w in parties.items() if r in party)
            if not hit:
                continue
            for order, w in weight.items():
                mine[frozenset(order)] += w * (order[slot] == r)
            exactly = min(Fraction(parties[p], w) for p, w in mine.items() if w)
            levels = Fraction(total, hit), Fraction(joined, hit), exactly
            yield tau.count(u), shown.count(a), *levels, Fraction(joined, total)


found = {
    (name, s_): list(cases(A, 4, s_))
    for name, A in small.items()
    for s_ in (1, 2, 3, 4)
}


def minima(A):
    """γ and g2 by their definition, over all rows and columns."""
    rows, columns = range(len(A)), range(len(A[0]))
    each = list(product(rows, rows, columns, columns))
    g2 = min(A[u][j] * A[v][i] / (A[u][i] * A[v][j]) for u, v, i, j in each)
    return min(A[u][i] / A[v][i] for u, v, i, _ in each), g2


def with_doubles(A, n, s, m, f):
    gamma, g2 = minima(A)
    doubles = max(m, f)
    rest = min(s - f, n - doubles)
    return doubles + (n - doubles - rest) * gamma + rest * g2


least = defaultdict(list)
for (name, s_), seen in found.items():
    for m, f, k, *_ in seen:
        least[name, s_, m, f].append(k / with_doubles(small[name], 4, s_, m, f))
least = {key: min(ratios) for key, ratios in least.items()}
met = {key: r for key, r in least.items() if key[0] != "three values" and key[2] == 1}
with claim("K-B14") as c:
    first = M_ + (N_ - M_ - (S_ - h)) * (G2 + e) + (S_ - h) * G2
    last = M_ + (N_ - M_ - S_) * (G2 + e) + S_ * G2
    c.decisive().derived(doubled, first, last, "the fewest undiscounted records")
    label = "n = 4, every table and release, three matrices: least level / bound"
    c.decisive("sampled").exact(min(least.values()), Fraction(1), label)
    label = f"two values, m = 1: attained for all {len(met)} of s and f"
    c.exact(set(met.values()), {Fraction(1)}, label)
assert all(bound <= counted[m] <= k for m, k in journalist["skewed"].items())

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A person's exact level against the number of people with the same value (n = 1000, s = 100, ten values, half of them redrawn). Above, the journalist, with Theorem 5.1 (solid, 83.6) and the bound that counts doubles (dashed). Below, the prosecutor on the same releases; the solid line at 1.8 is what is left in the worst case.", "name": "fig-di-04-posterior"}, "image": {"alt": "Two groups of points on logarithmic axes. The upper one rises from 84 and 91 at one person to 999 at 999, just above a dashed curve; the lower one from 1.8 and 9 to 100."}} tags=["figure"]
floor = anonymity.pk_level_response_knowledge(matrix, 1000, n_sampled=100)
assert (round(float(bound), 1), round(float(floor), 1)) == (83.6, 1.8)
ends = [
    [t["worst"][1], t["skewed"][1], t["worst"][999]] for t in (journalist, prosecutor)
]
assert [[round(k) for k in row] for row in ends] == [[84, 91, 999], [2, 9, 100]]
markers = {"worst": ("s", 8), "uniform": ("D", 8), "skewed": ("o", 5)}
fig, ax = plots.panels(height=4.2)
alike = np.unique(np.geomspace(1, 999, 200).astype(int)).tolist()
dashed = [float(anonymity.pk_level(matrix, 1000, n_sampled=100, alike=m)) for m in alike]
ax.plot(alike, dashed, color="#555555", ls="--")
for level in (float(bound), float(floor)):
    ax.axhline(level, color="black", lw=1.2, ls="-")
for name, (marker, size) in markers.items():
    for knows, levels in (("blue", journalist[name]), ("orange", prosecutor[name])):
        x, k = list(levels), [float(k) for k in levels.values()]
        label = f"{name} table" if knows == "blue" else None
        colour = plots.COLOURS[knows]
        ax.plot(x, k, marker, color=colour, ms=size, mfc="white", label=label)
ax.text(2, 75, "Theorem 5.1", va="top")
ax.text(2, 1.95, "the same, target known to be sampled")
ax.text(2, 190, "does not know who was sampled", color=plots.COLOURS["blue"])
ax.text(2, 19, "knows that the target was sampled", color=plots.COLOURS["orange"])
ax.set(xscale="log", yscale="log", ylim=(1, 2000))
ax.set(xlabel="people with the target's value", ylabel="k = 1 / chance of the link")
ax.legend(loc="upper left", ncols=3)
plt.show()

# %% [markdown]
# ## Are these numbers frequencies?
#
# A posterior is a claim about the world: of all the occasions on which the computed chance is 0.27, the link should
# be right in 27 %. Play the whole process forty thousand times, with forty people of whom two have value 0 and one is the
# target, a release of twelve, $\rho = 0.8$. Whenever a slot shows 0, the attacker points to the first such slot.

# %% jupyter={"source_hidden": true} tags=["evidence"]
plays = 40_000
forty = codes[:4].repeat((2, 6, 12, 20))
fifth = pram.retention_matrix(0.8, 4)
rng = np.random.default_rng(2024)
drawn = rng.permuted(np.tile(np.arange(40), (plays, 1)), axis=1)[:, :12]
shown = pram.apply_pram(forty[drawn].ravel(), fifth, rng=rng).reshape(plays, 12)

often = np.stack([(shown == v).sum(axis=1) for v in range(4)], axis=1)
kinds, kind = np.unique(often, axis=0, return_inverse=True)
row = np.array([
    posterior.match_matrix(
        forty, codes[:4].repeat(k), transition=fifth, by="value"
    )[0]
    for k in kinds
])  # fmt: skip
predicted = row[kind, 0]  # Pr[slot of value 0 shows the target | release]
member = (row * kinds).sum(axis=1)[kind]  # Pr[target sampled | release]
right = drawn[np.arange(plays), (shown == 0).argmax(axis=1)] == 0
took_part = (drawn == 0).any(axis=1)
played = []
for who, chance in (("journalist", predicted), ("prosecutor", predicted / member)):
    for times in (1, 2, 3):
        chosen = (often[:, 0] == times) & (took_part | (who == "journalist"))
        p = chance[chosen]
        error = np.sqrt(np.sum(p * (1 - p))) / p.size
        played.append((who, times, p.size, p.mean(), right[chosen].mean(), error))
heads = (
    "attacker",
    "lines that show 0",
    "plays",
    "predicted",
    "right",
    "standard error",
)
table(
    dict(zip(heads, zip(*played))),
    formats=dict.fromkeys(heads[3:], ".4f") | {"plays": ",d"},
    caption="Chance of the link as predicted, and share of the plays in which it was "
    "right.",
)  # fmt: skip

# %% [markdown]
# They are frequencies. Here the prosecutor is right 1.7<!-- {gain_low:.1f} --> to 3.1<!-- {gain_high:.1f} --> times as often
# as the journalist. How much worse can it get?
#
# ## What if she knows that you took part?
#
# Section 2.2 speaks of an attacker who does not know which records were sampled (どのレコードがサンプリングされたのかは知らない攻撃者). It is
# said once, it is part of every later statement, and it can be priced.
#
# ```{prf:theorem} Response knowledge
# :label: thm-di-04-response
# For an attacker who knows the table and that $r$ was sampled, or even exactly who was, the chance of the link is at most
# $1/k$ with $k = f + (s - f)\, g_2$, where $f$ slots show what $r'$ shows. For every matrix without zeros and all $f \le s \le n$ some
# table and release attain it, if the matrix shows two values or more, or $f = s$.
# ```
#
# *Proof.*
#
# 1. Only arrangements with $r$ in some slot are left.
# 2. Exchange $r$ in slot $r'$ with another *sampled* record: every arrangement with $r$ in another slot arises exactly once.
#    An unsampled record can no longer take the slot, for the target has to go somewhere.
# 3. So $k$ is 1 plus an average of $s - 1$ numbers: $f - 1$ of them are 1, the others at least $g_2$.
# 4. Only sampled records change places, so it does not matter whether she knows all of them. ∎
#
# (If only one value can be shown, every release has $f = s$, and $k = s$.)
#
# *Attained:* let the target show $a$ and $b$ with chances $p_a$, $p_b$, each of the others with $q_a$, $q_b$; slot $r'$ shows $a$, all others $b$. With the
# rows that attain $g_2 = \min \frac{q_a p_b}{p_a q_b}$, and $n = s + h$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
s_sym = sp.Symbol("s", integer=True, positive=True)
pa, pb, qa, qb = sp.symbols("p_a p_b q_a q_b", positive=True)
there = apart(pa * qb ** (s_sym - 1))  # target in r', the others as they come
elsewhere = apart((s_sym - 1) * pb * qa * qb ** (s_sym - 2))  # in one of s - 1 slots
among = apart(s_sym - 1)
responding = (
    derivation(1 + elsewhere / there, of="k")
    .equal(1 + among * qa * pb / (pa * qb), "cancel")
    .at_most(1 + (among + h) * qa * pb / (pa * qb), "PRAM alone, $n = s + h$")
)  # fmt: skip
responding

# %% [markdown]
# Sampling not only stops helping. The table released whole has $n - 1$ others to hide among, the sample only $s - 1$. Without zeros
# $g_2 > 0$, and for every record that is left out the prosecutor's level is *below* that of PRAM without any sample by $g_2$. For $n = 4$, $s = 2$ and $\rho = 1/2$
# the sentence is worth the step from 16/9<!-- {in_text['small-journalist']} --> to 10/9<!-- {in_text['small-prosecutor']} -->, and
# 4/3<!-- {in_text['small-alone']} --> is what everybody gets without the sample. At $n = 1000$, $s = 100$ it is the step from
# 83.6<!-- {in_text['k-bound']:.1f} --> to 1.8<!-- {k_response:.1f} -->.

# %% jupyter={"source_hidden": true} tags=["evidence"]
knowing = defaultdict(list)
for (name, s_), seen in found.items():
    for _, f, _, response, exactly, _ in seen:
        knowing[name, s_, f].append((response, exactly))
worst_known = {key: tuple(map(min, zip(*pairs))) for key, pairs in knowing.items()}
formula = {
    (name, s_, f): f + (s_ - f) * minima(small[name])[1]
    for name, s_, f in worst_known
}
four = [found["half", 2], found["half", 4]]
three = min(k for _, _, k, *_ in four[0]), min(k for *_, k, _, _ in four[0])
three = *three, min(k for _, _, k, *_ in four[1])
one_shown = {"transition": [[Fraction(1)]] * 2, "record": 0, "slot": 0}
of_one_shown = [
    1 / posterior.response_match_probability([0, 1, 0, 1], [0] * s_, **one_shown)
    for s_ in (1, 2, 3, 4)
]
with claim("K-B13") as c:
    left_out = sp.Symbol("h", positive=True)  # n - s, if anybody is left out
    extreme = responding.steps[0].expression
    lost = sp.simplify((responding.last - extreme).doit().subs(h, left_out))
    sampled_level = {(name, s_): worst_known[name, s_, 1][0] for name, s_ in found}
    lower_for = [
        sampled_level[name, s_] < sampled_level[name, 4]
        for name, s_ in found
        if s_ < 4
    ]
    label = "n = 4, three matrices, f = 1: worst level for s = 1 to 3 below s = 4"
    c.decisive("sampled").exact(lower_for, [True] * 9, label)
    label = "(n − s) g2 is positive if anybody is left out and no entry is 0"
    c.holds(bool(lost.is_positive), label, method="symbolic")
    label = (
        f"n = 4, three matrices, {len(formula)} of s and f, every table and release"
    )
    twice = {key: (k, k) for key, k in formula.items()}
    c.decisive("sampled").exact(worst_known, twice, label + ": the worst level")
    first = 1 + elsewhere / there
    last = 1 + (among + h) * qa * pb / (pa * qb)
    label = "the extreme table, f = 1, all s: at most as with PRAM alone"
    c.decisive().derived(responding, first, last, label)
    short = left_out * qa * pb / (pa * qb)
    c.exact(sp.simplify(lost - short), 0, "less by (n − s) g2")
    risk = posterior.response_match_probability(
        *single_out, transition=matrix, record=0, slot=0
    )
    c.exact(1 / risk, floor, "n = 1000, s = 100: exact posterior, formula")
    late_plays = [(line[4], line[3], line[5]) for line in played[3:]]
    hits, expected, errors = np.array(late_plays).T
    c.sampled(hits, expected, "n = 40, s = 12, played out", stderr=errors)
    c.exact(of_one_shown, [1, 2, 3, 4], "one shown value, n = 4, every s: k = f = s")
gain = [late[4] / early[4] for early, late in zip(played, played[3:])]  # right
assert all(abs(line[4] - line[3]) < 4 * line[5] for line in played)
gain_low = float(min(gain))
gain_high = float(max(gain))
assert all(round(float(k), 1) <= k for k in (bound, floor))  # as shown: no more
k_response = float(floor)
k_took_part = float(prosecutor["uniform"][100])
for who, k in zip(("journalist", "prosecutor", "alone"), three):
    in_text[f"small-{who}"] = str(k)

# %% [markdown]
# ## What if every value is shown several times?
#
# In the theorem one number is left that does not depend on $g_2$: $f$, how often the value is shown. With a tenth of the
# values redrawn, for $n = 1000$ and $s = 100$:

# %%
tenth = pram.retention_matrix(Fraction(9, 10), 10)
shown_times = [1, 2, 5, 10]
size = {"n_sampled": 100}
knows_table = [anonymity.pk_level(tenth, 1000, shown=f, **size) for f in shown_times]
knows_party = [
    anonymity.pk_level_response_knowledge(tenth, 1000, shown=f, **size)
    for f in shown_times
]

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"shown f times": shown_times, "k, knows the table": knows_table,
     "k, also who took part": knows_party},
    formats={"k, knows the table": ".2f", "k, also who took part": ".3f"},
    caption="Guaranteed level of a line whose value is shown f times.",
)  # fmt: skip


# %% [markdown]
# Against the prosecutor the frequency in the release is all that protects, and it does: the last column is $f$ and hardly
# more. This needs no matrix, no table, no sampling design. It needs the shuffle.
#
# ```{prf:theorem} A value that is shown often (k-anonymous release)
# :label: thm-di-04-shown
# Let the release be shuffled at the end, uniformly and independently of everything else, and let $f$ of its slots show the value $a$
# that slot $r'$ shows. For *every* attacker, whatever she believes about the table, about who took part, about the noise,
# and about how these hang together,
#
# $$ \Pr[\Pi(r) = r' \mid \tau'] = \frac{\Pr[r \text{ sampled and shown as } a \mid \tau']}{f} \le \frac1f . $$
#
# So a release that shows each of its values at least $k$ times satisfies Pk-anonymity with this $k$.
# ```
#
# *Proof.*
#
# 1. Fix a *world*: the table, who was sampled, and the value that each of these is shown with.
# 2. Given the world and the release, all orders of the shuffle that give this release are equally likely; exchanging two
#    slots that show $a$ maps these orders one to one. So a record shown as $a$ is behind each of the $f$ slots with the
#    same chance, $1/f$.
# 3. Average over the worlds with her posterior. ∎
#
# Equality holds if and only if she is certain that $r$ was sampled and is shown as
# $a$. In a sample without noise it suffices that exactly $f$ people have the value and all are shown: then knowing the
# table is enough.
#
# The paper says that sampling alone cannot reach Pk-anonymity. Of the process that is true, since some sample shows a
# value once. Of a *release* that shows each value $k$ times it is not: that one is safe up to $1/k$, from the prosecutor too. For plain samples
# $1/f$ (prosecutor) and one over the frequency in the population (journalist) are standard
# {cite:p}`elemam2008`. What Li, Qardaji and Su prove for sampling with $k$-anonymisation, which the paper cites, is
# something else: differential privacy, where the cells do not depend on the data {cite:p}`li2012sampling`.
#
# Two things are *not* protected. Membership: of a plain sample in which all $f$ people of a value are shown, everybody
# knows that they took part. And attributes: if $f$ equal lines carry the same diagnosis, no link is needed
# {cite:p}`machanavajjhala2007`.


# %% jupyter={"source_hidden": true} tags=["evidence"]
def identity(N):
    return [[Fraction(int(u == v)) for v in range(N)] for u in range(N)]


shared = [[Fraction(1, 2), Fraction(1, 2), 0], [0, Fraction(1, 3), Fraction(2, 3)]]
halves = pram.retention_matrix(Fraction(1, 2), 3).tolist()
rewritings = [identity(3), half, lopsided, shared, halves]
sizes = [(n_, s_) for n_ in (2, 3, 4) for s_ in range(1, n_ + 1)]
shares = []  # f times the chance of the link, for three attackers
for A, (n_, s_) in product(rewritings, sizes):
    shares += [[f / k for k in levels] for _, f, *levels, _ in cases(A, n_, s_)]

plain = {}  # release without noise -> worst chance over all tables and attackers
for n_, s_ in sizes:
    for release in releases(3, s_):
        rows = [identity(3)[u] for u in release + (release[0],) * (n_ - s_)]
        for tau in multisets(range(3), n_):
            if Counter(release) <= Counter(tau):
                weight = weights([identity(3)[u] for u in tau], release)
                party = {o: w for o, w in weight.items() if w}
                known = frozenset(next(iter(party)))  # one sample that gives it
                party = {o: w for o, w in party.items() if frozenset(o) == known}
                chance = max(
                    Fraction(behind(party, r, j), sum(party.values()))
                    for r, j in product(known, range(s_))
                )
                plain[release] = max(chance, plain.get(release, chance))
every_release = {r for _, s_ in sizes for r in releases(3, s_)}
rarest = {r: Fraction(1, min(Counter(r).values())) for r in every_release}

rng = np.random.default_rng(8)
one_slot, so_shown = [], []  # beliefs that tie the table to who took part
for release, _ in product(((0, 0), (0, 0, 1), (0, 0, 1, 1), (0, 0, 0)), range(5)):
    total, hits = Fraction(0), Counter()
    worlds = product(
        product(range(2), repeat=4), combinations(range(4), len(release))
    )
    for tau, party in worlds:
        belief = int(rng.integers(1, 1000)) ** 3
        for order in permutations(party):
            fits = belief * all(tau[r] == a for r, a in zip(order, release))
            total += fits
            hits.update({(r, j): fits for j, r in enumerate(order)})
    for (r, j), w in hits.items():
        same = [i for i, a in enumerate(release) if a == release[j]]
        one_slot.append(len(same) * w / total)
        so_shown.append(sum(hits[r, i] for i in same) / total)
with claim("K-B15") as c:
    label = "n ≤ 4, every case of five matrices, three attackers: the largest f Pr"
    c.decisive("sampled").exact([*map(max, zip(*shares))], [Fraction(1)] * 3, label)
    label = f"{len(plain)} plain releases, n ≤ 4: worst chance, 1 / rarest value"
    c.decisive("exhaustive").exact(plain, rarest, label)
    label = "20 beliefs that tie table and draw: f Pr, chance of sampled and so shown"
    c.exact(one_slot, so_shown, label)
assert [round(float(k), 2) for k in knows_party] == [1.01, 2.01, 5.01, 10.01]

# %% [markdown]
# ## How sure can she be that you took part?
#
# So being known as a participant is expensive. Does the release itself give it away? A priori the chance is the sampling
# rate $p = s/n$. The paper mentions a measure of this, δ-presence, in one line, for generalisation combined with sampling; the works it cites
# bound the probability from both sides {cite:p}`nergiz2007hiding,nergiz2010`, for it may also harm to be known as absent.
#
# ```{prf:theorem} Who took part (two-sided δ-presence)
# :label: thm-di-04-member
# For every attacker who does not know who was sampled, every record and every release,
#
# $$ \frac{p\gamma}{p\gamma + 1 - p} \le \Pr[r \text{ sampled} \mid T' = \tau'] \le \frac{p}{p + (1 - p)\gamma} , $$
#
# and for every matrix without zeros and every $1 \le s \le n$ both ends are attained.
# ```
#
# *Proof.*
#
# 1. Take an arrangement without $r$ and one of its slots, $j$; put $r$ behind $j$ instead of the record $t$ that was there.
# 2. The result has $r$ behind $j$, and comes from exactly $n - s$ such pairs, one for each record that it leaves out. Each
#    arrangement without $r$ is in $s$ pairs.
# 3. The two weights of a pair differ by the factor $L_r(j)/L_t(j)$, which lies between $\gamma$ and $1/\gamma$.
# 4. Let $W_1$ and $W_0$ be the total weights with and without $r$. Adding up all pairs gives
#    $(n - s)\, W_1 = \theta\, s\, W_0$ with $\theta$ between $\gamma$ and $1/\gamma$.
#
# Let $u = n - s$ and $h \ge 0$. For the lower end write $\theta = \gamma (1 + h)$, for the upper one $\theta^{-1} = \gamma (1 + h)$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
sn, un, gam = sp.symbols("s u gamma", positive=True)
chance_of = r"\frac{W_1}{W_1 + W_0}"
low_share = sn * gam * (1 + h) / (sn * gam * (1 + h) + un)
lower = (
    derivation(low_share, of=chance_of)
    .at_least(sn * gam / (sn * gam + un), r"smallest at $h = 0$", by="coefficients")
)  # fmt: skip
lower

# %% jupyter={"source_hidden": true} tags=["evidence"]
high_share = sn / (sn + un * gam * (1 + h))
upper = (
    derivation(high_share, of=chance_of)
    .at_most(sn / (sn + un * gam), r"largest at $h = 0$", by="coefficients")
)  # fmt: skip
upper

# %% [markdown]
# Divide by $n$. A belief about tables averages such chances and stays between them. ∎ *Attained:* let all slots show $a$, and
# $\gamma = A_{u,a}/A_{v,a}$. A record of value $u$ among records of value $v$ has $\theta = \gamma$, one of value $v$ among
# records of value $u$ has $\theta = 1/\gamma$.
#
# So PRAM with sampling *is* $\delta$-presence, with these two numbers; noise ($\gamma \to 1$) closes the interval around $p$,
# and a plain sample ($\gamma \to 0$) leaves it open. For the thousand people, of whom a hundred are released:

# %%
keeping = [0.1, 0.5, 0.9]
intervals = [
    anonymity.membership_interval(pram.retention_matrix(keep, 10), 1000, n_sampled=100)
    for keep in keeping
]

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"retention ρ": keeping, "at least, %": [100 * low for low, _ in intervals],
     "at most, %": [100 * high for _, high in intervals]},
    formats={"at least, %": ".2f", "at most, %": ".1f"},
    caption="Chance that somebody took part, given the release. A priori it is 10 %.",
)  # fmt: skip

# %% [markdown]
# At $\rho = 1/2$ one release makes her almost sure that you were left out, and another has her find it as likely as not that
# you took part. To hide which line is yours does not hide that one is.

# %% jupyter={"source_hidden": true} tags=["evidence"]
present = {
    (name, s_): (min(line[-1] for line in seen), max(line[-1] for line in seen))
    for (name, s_), seen in found.items()
}
interval = {}
for name, s_ in present:
    rate, gam_ = Fraction(s_, 4), minima(small[name])[0]
    low = rate * gam_ / (rate * gam_ + 1 - rate)
    interval[name, s_] = low, rate / (rate + (1 - rate) * gam_)
with claim("K-B16") as c:
    label = "n = 4, three matrices, every s, table and release: both ends"
    c.decisive("sampled").exact(present, interval, label)
    low_end = sn * gam / (sn * gam + un)
    c.decisive().derived(lower, low_share, low_end, "the lower end")
    c.decisive().derived(upper, high_share, sn / (sn + un * gam), "the upper end")
    alike = [
        posterior.membership_probability(tau, [0] * 100, transition=matrix, record=0)
        for tau in (codes[:2].repeat((1, 999)), codes[[1, 0]].repeat((1, 999)))
    ]
    ours = anonymity.membership_interval(matrix, 1000, n_sampled=100)
    c.exact(set(alike), set(ours), "n = 1000, all slots alike: exact posterior, ends")
assert present["lopsided", 2] == (Fraction(3, 13), Fraction(10, 13))
assert [round(100 * float(x), 1) for x in intervals[1]] == [1.0, 55.0]

# %% [markdown]
# Link and membership against the sampling rate, for the same noise:

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "More and more of the table released (ten values, n = 1000). Left, for \u03c1 = 1/2, what the journalist (drawn through) gains from a small sample the prosecutor (dashed) loses; they meet where everybody is released, near 9.3. Right, the chance of membership lies between the two curves of one colour, one colour for each \u03c1; the straight line is no information.", "name": "fig-di-04-rate"}, "image": {"alt": "Left, k against the sampling rate on a logarithmic axis, one curve falling from 92 to 9.3, one rising from 1 to 9.3. Right, three pairs of curves around the diagonal; the closer to it, the more noise."}} tags=["figure"]
samples = list(range(1, 1001))
rate = np.array(samples) / 1000
real = matrix.astype(float)
k_full = np.array([anonymity.pk_level(real, 1000, n_sampled=k) for k in samples])
k_resp = np.array(
    [anonymity.pk_level_response_knowledge(real, 1000, n_sampled=k) for k in samples]
)
assert np.all(np.diff(k_full) < 0) and np.all(np.diff(k_resp) > 0)
assert round(k_full[-1], 1) == round(k_resp[-1], 1) == 9.3
assert round(k_full[0]) == 92 and k_resp[0] == 1
fig, (left, side) = plots.panels(1, 2, height=3.5)
shade = plots.COLOURS["orange"]  # as on the right
left.plot(rate, k_full, color=shade, ls="-")
left.plot(rate, k_resp, color=shade, ls="--")
left.text(0.03, 21, "does not know\nwho was sampled")
left.text(0.35, 1.3, "knows that the\ntarget was sampled")
left.set(yscale="log", xlabel="sampling rate p", ylabel="guaranteed k")
widths = []
for keep, name in ((0.9, "blue"), (0.5, "orange"), (0.1, "green")):
    noisy = pram.retention_matrix(keep, 10)
    both = np.array(
        [anonymity.membership_interval(noisy, 1000, n_sampled=k) for k in samples]
    )
    widths.append(np.ptp(both, axis=1)[:-1])
    colour = plots.COLOURS[name]
    side.plot(rate, both[:, 1], color=colour, ls="-", label=f"ρ = {keep:g}")
    side.plot(rate, both[:, 0], color=colour, ls="-")
assert np.all(np.diff(widths, axis=0) < 0)  # more noise, a narrower interval
side.plot([0, 1], [0, 1], color=plots.COLOURS["grey"], lw=1, ls="-")
side.set(xlabel="sampling rate p", ylabel="chance of membership")
side.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, columnspacing=1)
plt.show()

# %% [markdown]
# The gap is wide where Theorem 5.1 looks best: a large table, a small sample, hardly any noise.

# %%
keep = design.retention_for_k(10**6, 10, n_sampled=10**5, categories=10)
A = pram.retention_matrix(keep, 10)
size = {"n_sampled": 10**5}
k = anonymity.pk_level(A, 10**6, **size)
k_party = anonymity.pk_level_response_knowledge(A, 10**6, **size)
print(f"keep {keep:.5f}: k = {k:.2f}, known to be sampled {k_party:.5f}")
print(f"membership up to {anonymity.membership_interval(A, 10**6, **size)[1]:.5f}")

# %% [markdown]
# With a million records and a tenth released, one value in ten thousand is redrawn, and Theorem 5.1 gives $k = 10$,
# correctly. It is one number of three.

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert round(k, 6) == 10 and k_party < 1.0001
assert anonymity.membership_interval(A, 10**6, n_sampled=10**5)[1] > 0.9998
assert 0.9e-4 < 1 - keep < 1.1e-4

# %% [markdown]
# ## Who is safe from whom?
#
# Every part of the paper, and of this page, is a pair: what the attacker knows, and what is released. Three attackers (the
# first knows $n_0$ records like the one of [notebook 2](02-sampling-alone.ipynb), but to her strangers may have any other value) and four releases make a map. The
# *k-anonymous sample* shows each of its values at least $f$ times; *PRAM* alone releases everybody.

# %%
levels = knowledge_models.pk_level_map(matrix, 1000, n_known=10, n_sampled=100, shown=5)

# %% jupyter={"source_hidden": true} tags=["set-up"]
releases_told = ["sample", "5-anonymous sample", "PRAM", "PRAM and sample"]
knows_told = ["ten records", "the table", "the table, and who took part"]
columns = zip(releases_told, levels.astype(float).T)
table(
    {"she knows": knows_told} | dict(columns),
    formats=dict.fromkeys(releases_told, ".2f"),
    caption="Guaranteed level k, rounded; n = 1000, s = 100, ρ = 1/2, ten values.",
)  # fmt: skip


# %% [markdown]
# The last two rows are the theorems above: $f$, or $1 + (n - s)\gamma + (s - 1) g_2$, or $1 + (s - 1) g_2$, with $s = n$ for
# PRAM alone. The first row is bounded below by one more theorem.
#
# ```{prf:theorem} Some records, noise and a sample
# :label: thm-di-04-some
# Let the attacker know $n_0 \ge 2$ records, the target among them, and take the others for independent draws that have the target's
# value with probability $c = 1/n_0$ or more, as equation (1) does. Let $\hat n = n - n_0 - s + 1$, $R$ the quotient of two
# rows of $A$ in one column, $\gamma' = c + (1 - c)\gamma$, and $g_2' = \min \frac{c + (1 - c) R(a)}{c + (1 - c) R(b)}$ over all pairs of rows.
# Of the *other* known records let $K$ be in the sample: at least $\max(0, -\hat n)$ and at most $\min(n_0, s) - 1$. Then
#
# $$ k \ge 1 + (\hat n + K)\,\gamma' + (n_0 - 1 - K)\,\gamma + K g_2 + (s - 1 - K)\, g_2' $$
#
# for the worse of these two ends, since the right side is linear in $K$. A sample without noise has $k \ge f + \max(\hat n, 0)/n_0$.
# ```
#
# *Proof.*
#
# 1. In the swap lemma each other record $t$ is known or a stranger, left out or in a slot. A known one counts at least
#    $\gamma$ or $g_2$, as before.
# 2. What a stranger shows is a mixture of rows, the target's own with weight at least $c$. Left out, $t$ counts
#    $L_t(a)/L_r(a)$, an average of 1, with weight at least $c$, and of quotients $R(a)$: at least $\gamma'$.
# 3. In a slot that shows $b$ it counts a quotient of two such averages. That is monotone along each line of weights, so it
#    is least in a corner, with weight $c$ on the target's row and the rest on one other: at least $g_2'$.
# 4. With $K$ other known records in the sample, $\hat n + K$ strangers and $n_0 - 1 - K$ known ones are left out. The sum is
#    linear in $K$, and the average over $K$ is at least the smaller end.
# 5. Without noise strangers left out count at least $c$ each, the $f - 1$ records in slots like the target's 1. ∎
#
# The level of the sample is attained if she believes that strangers without the target's value have one that nobody known has, and the other slots
# show that. Equation (1) gives such a release the probability 0. For the attacker of equation (1) the exact worst case is a little better ({prf:ref}`thm-di-02-worst`):
# for the sample of the table above $k =$ 90.15<!-- {map_one:.2f} --> instead of 90.10<!-- {map_sample:.2f} -->.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The map for n = 1000, ten known records, s = 100, values shown five times, retention with \u03c1 = 1/2; levels are rounded down. In the built book the sliders change the sizes. All levels are attained but the one at the top right, a bound that a named case misses by less than 0.1 %; in the first row those of the two samples by somebody who thinks that strangers may have a value that nobody known has. The same PRAM and sample gives 165, 83.6 or 1.81, depending on who looks.", "name": "fig-knowledge-map"}, "image": {"alt": "Three rows, what the attacker knows, by four columns, what is released. The sample falls from 90 to 1 and 1, the 5-anonymous sample from 94 to 5 and 5, PRAM from 19 to 9.25 and 9.25, PRAM and sample from 165 to 83.6 and 1.81."}} tags=["figure"]
def written(k):
    """At least three digits, rounded down: a level is a promise."""
    unit = min(1.0, 10.0 ** (np.floor(np.log10(k)) - 2))
    down = np.floor(k / unit + 1e-9) * unit
    return f"{down:.3g}" if k < 1000 else f"{down:,.0f}"


rounded = [[float(written(k)) for k in row] for row in levels.astype(float)]
assert [row[0] for row in rounded] == [90.1, 1, 1]
assert [row[1] for row in rounded] == [94.1, 5, 5]
assert [row[2] for row in rounded] == [19.0, 9.25, 9.25]
assert [row[3] for row in rounded] == [165, 83.6, 1.81]
fig, ax = plots.panels(height=3.2)
ax.imshow(
    np.log10(levels.astype(float)), cmap="Blues", vmin=0, vmax=3.2, aspect="auto"
)
for (i, j), k in np.ndenumerate(levels.astype(float)):
    tint = "white" if k > 60 else "black"
    ax.text(j, i, written(k), ha="center", va="center", color=tint, fontsize=13)
ax.set_xticks(range(4), ["sample", "5-anonymous\nsample", "PRAM", "PRAM and\nsample"])
ax.set_yticks(range(3), ["ten records", "the table", "the table, and\nwho took part"])
ax.set(xlabel="released", ylabel="she knows")
ax.grid(visible=False)
ax.tick_params(length=0)
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def map_frame(n, n_known, share, keep):
    """Twelve levels as tiles, and what they say."""
    k = knowledge_models.pk_level_map(
        pram.retention_matrix(keep, 10), int(n), n_known=int(n_known),
        n_sampled=round(share * n), shown=5,
    )  # fmt: skip
    text = [[written(level) for level in line] for line in k.tolist()]
    note = (
        f"PRAM and sample: k = {text[0][3]} for who knows {n_known:g} records, "
        f"{text[1][3]} for who knows the table, {text[2][3]} for who knows who took "
        "part."
    )
    return [{"trace": 0, "z": np.log10(k), "text": text}, {"note": note}]


interactive.show(
    "knowledge-map",
    go.Figure(
        go.Heatmap(
            texttemplate="%{text}",
            colorscale="Blues",
            zmin=0,
            zmax=5,
            showscale=False,
            hoverinfo="skip",
            xgap=2,
            ygap=2,
        ),
        {
            "height": 330,
            "xaxis": {
                "title": {"text": "released"},
                "showgrid": False,
                "tickvals": [0, 1, 2, 3],
                "ticktext": [
                    "sample",
                    "5-anon.<br>sample",
                    "PRAM",
                    "PRAM and<br>sample",
                ],
            },
            "yaxis": {
                "autorange": "reversed",
                "showgrid": False,
                "tickvals": [0, 1, 2],
                "ticktext": [
                    "some<br>records",
                    "the table",
                    "table and<br>who took<br>part",
                ],
            },
        },
    ),
    [
        interactive.Slider("records n", [1000, 10_000, 100_000], ",d"),
        interactive.Slider("records known n₀", [2, 10, 50, 250], "d", start=1),
        interactive.Slider("records drawn p", [0.01, 0.1, 0.5, 0.9], ".0%", start=1),
        interactive.Slider("retention ρ", [0.1, 0.5, 0.9, 0.99], ".2f", start=1),
    ],
    map_frame,
    alt="Twelve tiles with the guaranteed level k: three attackers by four releases. "
    "The darker a tile, the higher the level.",
)


# %% [markdown]
# Three things to read off. A plain sample protects from somebody who does not know the table, and from nobody else. Who took
# part matters in the last column alone: there, adding a sample to PRAM multiplies the level against who knows the table by
# 9<!-- {map_gain:.0f} -->, and divides the level against who also knows the participants by 5<!-- {map_loss:.0f} -->. And
# the k-anonymous sample has a level that needs neither noise nor a large table, and no assumption on what she knows.


# %% jupyter={"source_hidden": true} tags=["evidence"]
def last_rows(A, n, s, least=1):
    """Least levels of the last two rows over all tables and releases."""
    seen = [line[2:5] for line in cases(A, n, s, least)]
    table_known, joined, exactly = (min(column) for column in zip(*seen))
    assert joined == exactly  # to know of one or of all: the same at worst
    return table_known, joined


def first_row(A, n, n_known, s, least=1):
    """Least level of known record 0, over known tables, beliefs and releases.

    The belief puts 1/n_known on the target's value and the rest on any one value.
    """
    seen, own = [], Fraction(1, n_known)
    for known in product(range(len(A)), repeat=n_known):
        for other in range(len(A)):
            mixed = [own * x + (1 - own) * y for x, y in zip(A[known[0]], A[other])]
            rows = [A[u] for u in known] + [mixed] * (n - n_known)
            for release in releases(len(A[0]), s, least):
                weight = weights(rows, release)
                hits = (behind(weight, 0, release.index(a)) for a in set(release))
                seen += [Fraction(sum(weight.values()), hit) for hit in hits if hit]
    return min(seen)


mapped, worst_rows = {}, {}
for (name, A), n_ in product((("half", half), ("lopsided", lopsided)), (2, 3)):
    for s_ in range(1, n_ + 1):
        for f in range(1, s_ + 1):
            k = knowledge_models.pk_level_map(A, n_, n_known=n_, n_sampled=s_, shown=f)
            mapped[name, n_, s_, f] = k[1:].T.tolist()
            worst_rows[name, n_, s_, f] = [
                list(last_rows(*which))
                for which in ((identity(2), n_, s_), (identity(2), n_, s_, f),
                              (A, n_, n_), (A, n_, s_))
            ]  # fmt: skip

top, worst_top, gaps = {}, {}, {}
for n_, n0 in ((2, 2), (3, 2), (4, 2)):
    for s_ in range(1, n_ + 1):
        for f in range(1, s_ + 1):
            k = knowledge_models.pk_level_map(half, n_, n_known=n0, n_sampled=s_, shown=f)[0]
            top[n_, s_, f] = k[:3].tolist()
            worst_top[n_, s_, f] = [
                first_row(identity(3), n_, n0, s_),
                first_row(identity(3), n_, n0, s_, f),
                first_row(half, n_, n0, n_),
            ]  # fmt: skip
        gaps[n_, s_] = first_row(half, n_, n0, s_) - k[3]

n_all, n_some, n_out, times, values = 1000, 10, 100, 5, 10
coin = pram.retention_matrix(0.5, values)
belief = np.r_[1 / n_some, 1 - 1 / n_some, np.zeros(values - 2)]
noisy_rows = np.vstack([coin, belief @ coin])  # last row: a stranger
plain_rows = np.vstack([np.eye(3), [1 / n_some, 0, 1 - 1 / n_some]])


def exact_level(rows, tau, shown, tell=posterior.match_probability):
    risk = tell(tau, shown, transition=rows, record=0, slot=0, method="generating")
    return float(1 / risk)


def alone(known, strangers):
    """The target of value 0, the other known records of value 1, and strangers."""
    return [0] + [1] * (known - 1) + [strangers] * (n_all - known)


five = [0] * times + [1] * (n_all - times), [0] * times + [1] * (n_out - times)
named = np.array([
    [exact_level(plain_rows, alone(n_some, 3), [0] + [2] * (n_out - 1)),
     exact_level(plain_rows, alone(n_some, 3), [0] * times + [2] * (n_out - times)),
     exact_level(noisy_rows, alone(n_some, values), [0] + [1] * (n_all - 1)),
     exact_level(noisy_rows, alone(n_some, values), [0] + [1] * (n_out - 1))],
    *([exact_level(plain_rows, alone(n_all, 1), [0] + [1] * (n_out - 1), tell),
       exact_level(plain_rows, *five, tell),
       exact_level(coin, alone(n_all, 1), [0] + [1] * (n_all - 1), tell),
       exact_level(coin, alone(n_all, 1), [0] + [1] * (n_out - 1), tell)]
      for tell in (posterior.match_probability,
                   posterior.response_match_probability)),
])  # fmt: skip
one_rows = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1 / 10, 1 / 10, 8 / 10]])
one_town = [0, 1] + [2] * (n_some - 2) + [3] * (n_all - n_some)
by_one = exact_level(one_rows, one_town, [0] + [1] * (n_out - 1))
of_one = 1 / sampling.worst_case_risk(n_all, n_some, n_sampled=n_out)
attained, at_size = np.ones((3, 4), dtype=bool), levels.astype(float)
attained[0, 3] = False
with claim("K-B18") as c:
    label = f"rows 2 and 3: {len(mapped)} sizes, n ≤ 3, two matrices, worst of all"
    c.decisive("sampled").exact(mapped, worst_rows, label)
    label = f"row 1, three columns: {len(top)} sizes, n ≤ 4, worst of all"
    c.decisive("sampled").exact(top, worst_top, label)
    label = "PRAM and sample, n ≤ 4: least distance of the worst level to the bound"
    c.decisive("sampled").exact(min(gaps.values()), Fraction(0), label)
    ends = {gap for (n_, s_), gap in gaps.items() if s_ in (1, n_)}
    c.exact(ends, {Fraction(0)}, "and is attained for s = 1 and s = n")
    label = "n = 1000: eleven levels by the exact posterior of a named case"
    c.close(named[attained], at_size[attained], label)
    label = "n = 1000: the twelfth"
    c.close(named[0, 3], at_size[0, 3], label, rtol=1e-3)
    label = "equation (1): exact posterior of its worst case, and notebook 2"
    c.close(by_one, float(of_one), label)
    label = "equation (1), strangers with known values only, n = 1000: sample alone"
    c.limit(levels[0, 0], of_one, label)
assert at_size[0, 3] < named[0, 3] < 1.001 * at_size[0, 3]
map_one = float(of_one)
map_sample = float(levels[0, 0])
map_gain = float(levels[1, 3] / levels[1, 2])
map_loss = float(levels[2, 2] / levels[2, 3])
start = np.array(map_frame(1000, 10, 0.1, 0.5)[0]["z"])
assert np.allclose(10 ** start[attained], named[attained], rtol=1e-9)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} A release that says nothing
# :label: ex-di-04-blind
# ```
# **Warm-up.** All rows of $A$ are equal: the shown value says nothing. What are the journalist's and the prosecutor's
# chances, and the probability of membership?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-04-blind", ...)

# %% [markdown]
# ```{solution-start} ex-di-04-blind
# :class: dropdown
# ```
# $\gamma = g_2 = 1$, and all arrangements have the same weight: $1/n$, $1/s$ and $s/n$. The prosecutor knows only
# that one of the $s$ slots is the target's.

# %% jupyter={"source_hidden": true} tags=["evidence"]
blind = [[Fraction(1, 3), Fraction(2, 3)]] * 2


def chances(n, s):
    """Of the journalist, of the prosecutor, and of membership."""
    case = ([k % 2 for k in range(n)], [k % 2 for k in range(s)])
    who = {"transition": blind, "record": 0}
    return (
        posterior.match_probability(*case, slot=0, **who),
        posterior.response_match_probability(*case, slot=0, **who),
        posterior.membership_probability(*case, **who),
    )


assert chances(5, 3) == (Fraction(1, 5), Fraction(1, 3), Fraction(3, 5))
assert anonymity.pk_level(blind, 5, n_sampled=3) == 5
assert anonymity.pk_level_response_knowledge(blind, 5, n_sampled=3) == 3
check(
    "di-04-blind",
    [lambda n, s, k=k: chances(n, s)[k] for k in range(3)],
)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} One line too many
# :label: ex-di-04-suppress
# ```
# **Standard.** A plain sample of eleven shows one value five times, another five times and a third once. Eleven people have
# the first value, five the second and two the third. What is the level of each line for who knows the table, and for who
# also knows who took part? What changes for whom if the single line is suppressed?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-04-suppress", ...)

# %% [markdown]
# ```{solution-start} ex-di-04-suppress
# :class: dropdown
# ```
# Who knows the table finds one in 11, 5 and 2: each of those people may be behind a line of their value. Who knows who took part
# finds one in 5, 5 and 1. So the release has level 2 and 1. Without the single line it has level 5 for both: more for
# the one and for the other, at the price of one record. The second value is shown by all who have it, so everybody knows that those five took part.

# %% jupyter={"source_hidden": true} tags=["evidence"]
eighteen = codes[:3].repeat((11, 5, 2))
eleven = codes[:3].repeat((5, 5, 1))
ask = {"transition": identity(3)}
lines_of = [(0, 0), (11, 5), (16, 10)]  # a record and a slot of each value
told = [
    [1 / tell(eighteen, eleven, record=r, slot=j, **ask) for r, j in lines_of]
    for tell in (posterior.match_probability, posterior.response_match_probability)
]
assert told == [[11, 5, 2], [5, 5, 1]]
rest = [
    [
        1 / tell(eighteen, eleven[:10], record=r, slot=j, **ask)
        for r, j in lines_of[:2]
    ]
    for tell in (posterior.match_probability, posterior.response_match_probability)
]
assert rest == [[11, 5], [5, 5]]
assert posterior.membership_probability(eighteen, eleven, record=11, **ask) == 1
check("di-04-suppress", [*told[0], *told[1]])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many links are right
# :label: ex-di-04-links
# ```
# **Standard.** The attacker names for every slot a record that is likeliest to be behind it. How many of the hundred
# links are right on average, given the release, in the tables *worst*, *uniform* and *skewed*? How does that compare with $s/k$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-04-links", ...)

# %% [markdown]
# ```{solution-start} ex-di-04-links
# :class: dropdown
# ```
# Expectations add up, whatever the dependence: the sum over the slots of the largest entry in the column. $s/k$ with
# the guaranteed $k$ is more than one link. In fact it is little more than one half for the uniform and
# the skewed table, and one tenth for the *worst* one, where 99 of the slots are hidden among 999 people.

# %% jupyter={"source_hidden": true} tags=["evidence"]
links = {}
for name in people:
    best = match[name].max(axis=0)[: len(slots[name])]
    links[name] = float(best @ np.array(slots[name]))
assert [round(k, 1) for k in links.values()] == [0.1, 0.6, 0.5]
assert 100 / bound > 1 and 0.5 < links["skewed"] < links["uniform"] < 0.6
check("di-04-links", [links[name] for name in ("worst", "uniform", "skewed")])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Both halves of the paper together
# :label: ex-di-04-limited
# ```
# **Research.** Put both halves of the paper together: the attacker knows ten of the thousand records, thinks that the
# others have the ten values in equal shares, and the release is a sample *with* PRAM. The target alone among the ten
# has value 0. Compute the exact level, for a release that shows 0 once and 1 else, as a function of $\rho$: what is it
# at $\rho = 1$, $\frac12$ and $\frac1{10}$? Compare it with each half alone and with the bound of the map.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-04-limited", ...)

# %% [markdown]
# ```{solution-start} ex-di-04-limited
# :class: dropdown
# ```
# An unknown record shows $v$ with probability $(qA)_v$: one more row of the matrix, one more "true value". Her belief
# gives the target's value $1/10 = 1/n_0$, so the bound of the map covers it. The level lies above both the sample with
# limited knowledge ($\rho = 1$) and the theorem's $k$ for a known table, and more noise only raises it.

# %% jupyter={"source_hidden": true} tags=["evidence"]
known, single = [0] + [1] * 9 + [10] * 990, [0] + [1] * 99
halves_met = []
for keep in (1.0, 0.9, 0.5, 0.1):
    A = pram.retention_matrix(keep, 10)
    rows = np.vstack([A, A.mean(axis=0)])
    risk = posterior.match_probability(
        known, single, transition=rows, record=0, slot=0
    )
    one = keep == 1  # then the sample's own column
    k = knowledge_models.pk_level_map(
        coin if one else A, 1000, n_known=10, n_sampled=100, shown=1
    )
    both, table_known = (k[0, 0], 1.0) if one else (k[0, 3], k[1, 3])
    halves_met.append((keep, table_known, both, 1 / risk))
exact_both = [line[-1] for line in halves_met]
assert all(t < both <= k for _, t, both, k in halves_met)
assert exact_both == sorted(exact_both) and halves_met[0][2] <= min(exact_both)
check("di-04-limited", [exact_both[0], exact_both[2], exact_both[3]])
heads = "retention ρ", "Theorem 5.1", "bound of the map", "exact k"
table(
    dict(zip(heads, zip(*halves_met))), formats=dict.fromkeys(heads[1:], ".2f"),
    caption="Who knows ten of a thousand records: a sample of a hundred, with PRAM.",
)  # fmt: skip

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The probability of a link is a ratio of permanents. Equal values make it a generating function, retention a rook
#   polynomial: exact for thousands of records, in about $s^2$ steps.
# - Every double counts as one whole person, in the table and in the release. A release that shows each value $k$ times has level $k$
#   against everybody.
# - The attacker of section 2.2 does not know who was sampled. Against one who knows that the target was, the level is
#   $1 + (s - 1) g_2$, always attained and, if anybody is left out, below that of PRAM without a sample.
# - The release leaves the probability of participation between $p\gamma/(p\gamma + 1 - p)$ and $p / (p + (1 - p)\gamma)$, and both are attained.
#
# **Further reading.** Ikarashi and others for the bound without sampling {cite:p}`ikarashi2015kanonymous`; Shlomo and
# Skinner for the same probability in official statistics, where counts of the population are estimated and the sample is
# drawn record by record {cite:p}`shlomo2010`; Smith on the secrecy of the sample {cite:p}`smith2009secrecy`. **Next:**
# [how to design a release](05-designing-a-release.ipynb).
