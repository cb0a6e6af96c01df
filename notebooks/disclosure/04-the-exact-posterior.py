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
# attacker who knows the whole table finds the right person behind a line with probability at most one in 84. For
# somebody who shares a value with ninety-nine others the truth is one in 181, and for an attacker who has heard that
# the person *took part* it is one in 18. Both numbers are exact, both take milliseconds, and the second one shows
# what a single sentence of the paper's attacker model is worth.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to sum over more arrangements than any computer can list, why each of your doubles counts as
# one whole person, and what protection is left when the attacker knows who took part. **You need** the attack of
# [notebook 1](01-who-attacks.ipynb), Theorem 5.1 from [notebook 3](03-pram-and-sampling.ipynb), binomial
# coefficients. **Time:** 30 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** $s$ of $n$ records drawn without replacement, each value rewritten by the transition matrix $A$, the
# slots shuffled. **The attacker** knows every true value, $A$, $n$ and $s$. The *journalist* does not know who was
# sampled; the *prosecutor* knows that the target was. **Protected:** which slot shows the target, and for the
# journalist also whether any does. **Not protected:** the target's true value, which both know already.
# ```

# %%
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import comb, factorial, perm, prod

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue

from privlib.disclosure import design, posterior, pram
from privlib.kit import claim, plots

plots.use()


# %% [markdown]
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
# factor taken out. Records and slots count from 0 in the code, from 1 in the paper.

# %%
def arrangements(L):
    """Total weight of all arrangements, and of those with record r behind slot j."""
    behind = np.zeros((len(L), len(L[0])), dtype=object)
    for order in permutations(range(len(L)), len(L[0])):
        weight = prod(L[r][j] for j, r in enumerate(order))
        for j, r in enumerate(order):
            behind[r, j] += weight
    return behind[:, 0].sum(), behind


L = sp.Matrix(3, 2, sp.symbols("L:3:2"))  # any three records and two slots
total, behind = arrangements(L.tolist())
one_slot, rest = behind[0, 0], arrangements([[L[1, 1]], [L[2, 1]]])[0]
print("Perm      =", total)
print("behind 0,0 =", one_slot, "=", sp.factor(one_slot))
assert sp.expand(one_slot - L[0, 0] * rest) == 0  # the proposition
assert sp.expand(sum(behind[:, 1]) - total) == 0  # somebody is behind every slot

# %% [markdown]
# Six terms here. How many in a real release?

# %%
print("    n    s   arrangements      subsets of slots   rook polynomial")
for n, s in ((4, 2), (10, 5), (20, 10), (100, 20), (1000, 100)):
    digits = len(str(perm(n, s))) - 1
    print(f"{n:5d} {s:4d}   about 10^{digits:<10d} {n * s * 2**s:15.1e} {s * s:14d}")
glue("digits", len(str(perm(1000, 100))), display=False)

# %% [markdown]
# A number of arrangements with {glue:text}`digits` digits cannot be listed, and for matrices without structure no
# fast way to a permanent is known. But our matrix has a great deal of structure.
#
# ## Does it matter who is who?
#
# No: records with the same value are exchangeable, and so are slots. Only the numbers $n_u$ of records with true
# value $u$ and $s_v$ of slots that show $v$ can matter. A record of value $u$ fills no slot, or one of the slots.
# That sentence is a polynomial, $1 + \sum_v A_{u,v}\,y_v$, and all records together are its product.
#
# ```{prf:proposition} Generating function
# :label: thm-di-04-generating
# For every matrix $A$, $\;\mathrm{Perm} = \prod_v s_v! \cdot [y^s]
# \prod_u \bigl(1 + \sum_v A_{u,v}\, y_v\bigr)^{n_u}$, where $[y^s]$ takes the coefficient of
# $\prod_v y_v^{s_v}$.
# ```

# %%
A = sp.Matrix(2, 2, sp.symbols("A:2:2"))
y = sp.symbols("y:2")


def by_coefficient(n, s, A):
    """Permanent from the generating function, symbolically."""
    factors = [(1 + sum(a * t for a, t in zip(A.row(u), y))) ** n[u] for u in (0, 1)]
    poly = sp.Poly(sp.expand(prod(factors)), *y)
    return prod(map(factorial, s)) * poly.coeff_monomial(y[0] ** s[0] * y[1] ** s[1])


def by_listing(n, s, A):
    """Permanent as the sum over all arrangements."""
    table, shown = np.repeat((0, 1), n), np.repeat((0, 1), s)
    L = [[A[u, v] for v in shown] for u in table]
    return arrangements(L)[0]


sizes = [((2, 1), (1, 1)), ((2, 2), (2, 1)), ((1, 3), (2, 2))]
listed = [by_listing(n, s, A) for n, s in sizes]
coefficients = [by_coefficient(n, s, A) for n, s in sizes]
print("two people a, two people b, slots a a b:")
print("  Perm =", sp.factor(coefficients[1]))
print("differences:", [sp.expand(x - y) for x, y in zip(coefficients, listed)])

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

# %% mystnb={"figure": {"caption": "Ten records, six slots. A rook (a value that was kept) may stand only where the record has the slot's value, shaded; no two rooks share a row or a column. The slots with a question mark were redrawn and may show any record that is left, in 8 \u00b7 7 \u00b7 6 \u00b7 5 = 1680 ways.", "name": "fig-di-04-rooks"}, "image": {"alt": "A grid of six slots and ten records with three shaded rectangles along the diagonal; two rooks stand on shaded squares, the other four slots have a question mark."}} tags=["hide-input"]
table, shown = np.repeat((0, 1, 2), (5, 3, 2)), np.repeat((0, 1, 2), (3, 2, 1))
shades = [plots.COLOURS[name] for name in ("sky", "gold", "green")]
kept = {1: 3, 4: 6}  # slot: record
fig, ax = plots.panels(height=3.6)
for slot, record in product(range(6), range(10)):
    fill = shades[shown[slot]] if table[record] == shown[slot] else "white"
    ax.add_patch(plt.Rectangle((record, slot), 1, 1, fc=fill, ec="#777777", lw=0.6))
for slot in range(6):
    place, mark = (kept[slot], "♜") if slot in kept else (10, "?")
    ax.text(place + 0.5, slot + 0.53, mark, fontsize=20, ha="center", va="center")
ax.set(xlim=(0, 11), ylim=(6.05, -0.05), aspect="equal")
ax.set(xlabel="record and its true value", ylabel="slot and its shown value")
ax.set_xticks(np.arange(10) + 0.5, [f"{r}: {'abc'[v]}" for r, v in enumerate(table)])
ax.set_yticks(np.arange(6) + 0.5, [f"{j}: {'abc'[v]}" for j, v in enumerate(shown)])
ax.grid(visible=False)
ax.spines[:].set_visible(False)
ax.tick_params(length=0)
plt.show()

# %% [markdown]
# Choose $j$ people and $j$ slots of the value $v$ and pair them: $\binom{n_v}{j}\binom{s_v}{j}\,j!$ ways.
#
# ```{prf:theorem} Rook polynomial
# :label: thm-di-04-rook
# If $A_{u,v} = b_v + d_v[u = v]$, put $R(z) = \prod_v \sum_j \binom{n_v}{j} \binom{s_v}{j}\, j!\;
# d_v^{\,j}\, b_v^{\,s_v - j} z^j$. Then $\displaystyle \mathrm{Perm} = \sum_J [z^J] R(z) \cdot
# \frac{(n - J)!}{(n - s)!}$: one polynomial in one variable, of degree at most $s$, about $s^2$
# multiplications whatever $n$ is.
# ```

# %%
z = sp.Symbol("z")
b, d = sp.symbols("b:2"), sp.symbols("d:2")
split = sp.diag(*d) + sp.ones(2, 1) * sp.Matrix([b])


def by_rooks(n, s):
    """Permanent from the rook polynomial, symbolically."""
    R = sp.Integer(1)
    for v in (0, 1):
        ways = [comb(n[v], j) * comb(s[v], j) * factorial(j) for j in range(s[v] + 1)]
        R *= sum(w * (d[v] * z) ** j * b[v] ** (s[v] - j) for j, w in enumerate(ways))
    R, top = sp.expand(R), sum(s)
    return sum(R.coeff(z, J) * perm(sum(n) - J, top - J) for J in range(top + 1))


rooks = [by_rooks(n, s) for n, s in sizes]
split_listed = [by_listing(n, s, split) for n, s in sizes]
print("two people a, two people b, slots a a b:\n  Perm =", rooks[1])
print("differences:", [sp.expand(x - y) for x, y in zip(rooks, split_listed)])
assert perm(10 - 2, 6 - 2) == 8 * 7 * 6 * 5 == 1680  # the figure

# %% [markdown]
# The last differences are polynomials in $b_0, b_1, d_0, d_1$ that vanish identically. The package has the
# recursion, slow, and the two fast routes. On small random problems with rational matrices they have to agree with
# the list to the last digit:

# %%
rng = np.random.default_rng(4)
tenths = np.array([[6, 3, 1], [1, 4, 5], [7, 1, 2]])
general = [[Fraction(int(k), 10) for k in row] for row in tenths]
keeps = pram.retention_matrix(Fraction(2, 7), 3)
agree = {"permanent": 0, "generating": 0, "rook": 0}
for _ in range(30):
    people, slots = rng.integers(0, 3, 6), rng.integers(0, 3, 3)
    for route in agree:
        A = keeps if route == "rook" else general
        total, behind = arrangements([[A[u][v] for v in slots] for u in people])
        found = posterior.match_probability(
            people, slots, transition=A, record=5, slot=2, method=route
        )
        agree[route] += found == behind[5, 2] / total
print("agree with the list, of 30:", agree)

# %% [markdown]
# ## How safe are a thousand people?
#
# Now the release of the introduction: $n = 1000$, $s = 100$, ten categories, $\rho = 1/2$. Three tables with a
# release for each. *Worst*: the target alone has value 0, everybody else value 1, and one of the slots shows 0.
# *Uniform*: a hundred people and ten slots a value. *Skewed*: 1, 2, 4, ..., 256 and 489 people, and the release that
# is to be expected from them. The paper has no numerical example; the bound is its theorem, the rest is ours.
# Printed: how many people have a value, and their $k$ for a slot that shows it.

# %%
n, s, N = 1000, 100, 10
matrix = pram.retention_matrix(Fraction(1, 2), N)
minima = pram.ratio_minima(matrix)
gamma, g2 = minima.gamma, minima.g2
people = {"worst": [1, 999] + [0] * 8, "uniform": [100] * N}
people["skewed"] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 489]
slots = {"worst": [1, 99] + [0] * 8, "uniform": [10] * N}
slots["skewed"] = [5, 5, 5, 5, 6, 7, 8, 11, 18, 30]
assert all(sum(people[k]) == n and sum(slots[k]) == s for k in people)

match, codes = {}, np.arange(N)
for name in people:
    records, lines = codes.repeat(people[name]), codes.repeat(slots[name])
    match[name] = posterior.match_matrix(
        records, lines, transition=matrix, by="value"
    )
bound = pram.pk_level(matrix, n, n_sampled=s)
print(f"gamma = {gamma}, g2 = {g2}, bound k = {bound} = {float(bound):.3f}")
journalist = {}
for name, M in match.items():
    levels = {m: 1 / M[u, u] for u, m in enumerate(people[name]) if m}
    journalist[name] = levels
    some = list(levels.items())[::3]
    print(f"{name:8s}", *(f"{m}: {float(k):.2f}  " for m, k in some))
other = 1 / match["uniform"][0, 1]
print(f"uniform, slot of another value: k = {float(other):.2f}")

# %% [markdown]
# Each entry is a `Fraction` whose numerator and denominator have hundreds of digits. The worst table meets the bound
# exactly. At uniform shares the truth is {glue:text}`k-uniform:.2f` instead of {glue:text}`k-bound:.2f`, and behind a
# slot of another value {glue:text}`k-other:.2f`.

# %%
quoted = {"bound": bound, "other": other, "uniform": journalist["uniform"][100]}
quoted |= {"alone": journalist["skewed"][1], "mode": journalist["skewed"][489]}
for name, level in quoted.items():
    glue(f"k-{name}", round(float(level), 6), display=False)

pair = pram.retention_matrix(Fraction(9, 10), 2)  # both fast routes apply
case2 = codes[:2].repeat((137, 863)), codes[:2].repeat((19, 81))
five = [codes.repeat(5 * np.array(part["skewed"])) for part in (people, slots)]

with claim("K-B12") as c:
    c.exact(one_slot, L[0, 0] * rest, "n = 3, s = 2: ratio of permanents")
    c.exact(coefficients, listed, "generating function = list, any 2x2 matrix")
    c.exact(rooks, split_listed, "rook polynomial = list, any b and d")
    every = dict.fromkeys(agree, 30)
    c.exact(agree, every, "n = 6, s = 3: each route = list in 30 problems")
    for name, M in match.items():
        sums = (np.array(people[name], dtype=object) @ M)[np.array(slots[name]) > 0]
        c.exact(set(sums), {Fraction(1)}, f"n = 1000, {name}: columns sum to one")
    swap = 1 + (n - s) * Fraction(1, 11) + (s - 1) * Fraction(1, 121)
    c.exact(1 / match["worst"][0, 0], swap, f"n = 1000, worst table: k = {swap}")
    fast = posterior.match_matrix(*case2, transition=pair, by="value", method="rook")
    slow = posterior.match_matrix(
        *case2, transition=pair, by="value", method="generating"
    )
    c.exact(fast.tolist(), slow.tolist(), "n = 1000, s = 100, N = 2: two routes")
    floats = posterior.match_matrix(
        *five, transition=matrix.astype(float), by="value"
    )
    column = 5 * np.array(people["skewed"]) @ floats
    c.close(column, np.ones(N), "n = 5000, s = 500, floats: columns sum to one")

# %% [markdown]
# ## Why is the truth so much better?
#
# In the skewed table the only person with value 0 has $k =$ {glue:text}`k-alone:.1f`, a little above the bound;
# somebody with 488 doubles has {glue:text}`k-mode:.1f`. The exchange argument explains the whole range. Give your
# slot to another record $t$ of *your* value: nothing else changes, the weight is the same. So a double counts one in
# $k$, sampled or not. Only the others are discounted, to no less than $\gamma$ (not sampled) or $g_2$ (sampled).
#
# ```{prf:theorem} Every double counts as one
# :label: thm-di-04-doubles
# Let $m$ records, the target included, have the target's value, and put $S = \min(s - 1, n - m)$. Whatever the
# release, $\;k \ge m + (n - m - S)\,\gamma + S\, g_2$ for the target.
# ```
#
# For $m = 1$ this is Theorem 5.1. At most $S$ of the $n - m$ others sit in the other slots, and $g_2 \le \gamma$
# makes the largest number of these the worst. The publisher can evaluate it for every person with one frequency
# count, without looking at the release. The least ratio of the exact $k$ to it, over all tables of four records and
# all releases (1 where it is attained):

# %%
lopsided = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
half = pram.retention_matrix(Fraction(1, 2), 2)
small = {"half": half, "lopsided": lopsided, "three values": general}


def exhaustive(A, n, s):
    """Least k of both, largest membership (negative), least k / bound."""
    found, codes = [], range(len(A))
    level = [pram.pk_level(A, n, n_sampled=s, alike=m) for m in range(1, n + 1)]
    tables, releases = (combinations_with_replacement(codes, m) for m in (n, s))
    for table, shown in product(tables, releases):
        if len(set(table)) == 1:
            continue  # all alike: k = n
        total, behind = arrangements([[A[u][v] for v in shown] for u in table])
        k, member = total / behind.max(axis=1), behind.sum(axis=1) / total
        bounds = [level[table.count(u) - 1] for u in table]
        found.append((min(k), min(k * member), -max(member), min(k / bounds)))
    return [min(column) for column in zip(*found)]


worst = {}
for name, A in small.items():
    for s_ in (1, 2, 3):
        worst[name, s_] = exhaustive(A, 4, s_)
    room = [worst[name, j][3] for j in (1, 2, 3)]
    print(f"{name:13s}", *(f"s = {j + 1}: {float(room[j]):.4f} " for j in range(3)))
    assert min(room) >= 1 and (name == "three values" or max(room) == 1)

with claim("K-B14") as c:
    least = min(worst[case][3] for case in worst)
    c.exact(
        least, Fraction(1), "n = 4, every table and release: never below the bound"
    )
    S, m_ = sp.symbols("S m", positive=True)
    g1, g2_s, slots_ = sp.symbols("gamma g_2 s", positive=True)
    bound_m = m_ + (n - m_ - S) * g1 + S * g2_s
    printed = 1 + (n - slots_) * g1 + (slots_ - 1) * g2_s
    alone = bound_m.subs({m_: 1, S: slots_ - 1})
    c.exact(sp.expand(alone - printed), sp.Integer(0), "m = 1: Theorem 5.1")
    slope = sp.factor(sp.diff(bound_m, S))
    c.exact(slope, g2_s - g1, "lowest for the largest S, since g2 is at most gamma")
    by_hand = 100 + (n - 100 - 99) * gamma + 99 * g2
    c.exact(
        pram.pk_level(matrix, n, n_sampled=s, alike=100), by_hand, "n = 1000, m = 100"
    )

# %%
prosecutor = {}
for name, M in match.items():
    member = M @ np.array(slots[name])  # probability of being sampled
    k = [(m, member[u] / M[u, u]) for u, m in enumerate(people[name]) if m]
    prosecutor[name] = dict(k)
floor_response = pram.pk_level_response_knowledge(matrix, n, n_sampled=s)

print("people   bound with doubles   exact k   k if known to be sampled")
for m, exact in journalist["skewed"].items():
    level = pram.pk_level(matrix, n, n_sampled=s, alike=m)
    known = prosecutor["skewed"][m]
    assert bound <= level <= exact
    print(f"{m:5d} {float(level):19.2f} {float(exact):11.2f} {float(known):17.2f}")
assert (round(bound), round(journalist["uniform"][100])) == (84, 181)  # introduction
assert round(prosecutor["uniform"][100]) == 18

# %% mystnb={"figure": {"caption": "A person's exact level against the number of people with the same value (n = 1000, s = 100, ten values, half of them redrawn). Above, the journalist, with Theorem 5.1 (solid, 83.6) and the bound that counts doubles (dashed). Below, the prosecutor on the same releases; the solid line at 1.8 is what is left in the worst case.", "name": "fig-di-04-posterior"}, "image": {"alt": "Two groups of points on logarithmic axes. The upper one rises from 84 and 91 at one person to 1000 at 999, just above a dashed curve; the lower one from 1.8 and 9 to 100."}} tags=["hide-input"]
markers = {"worst": ("s", 8), "uniform": ("D", 8), "skewed": ("o", 5)}
fig, ax = plots.panels(height=4.2)
m = np.unique(np.geomspace(1, 999, 200).astype(int))
dashed = [float(pram.pk_level(matrix, n, n_sampled=s, alike=k)) for k in m.tolist()]
ax.plot(m, dashed, color="#555555", ls="--")
for level in (float(bound), float(floor_response)):
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
# be right in 27 %. Play the whole process many times, with forty people of whom two have value 0 and one is the
# target, a release of twelve, $\rho = 0.8$. Whenever a slot shows 0, the attacker points to the first such slot.

# %%
n_play, s_play, plays = 40, 12, 40_000
codes4 = np.arange(4)
town = codes4.repeat((2, 6, 12, 20))
noise = pram.retention_matrix(0.8, 4)
rng = np.random.default_rng(2024)
everybody = np.tile(np.arange(n_play), (plays, 1))
drawn = rng.permuted(everybody, axis=1)[:, :s_play]
shown = pram.apply_pram(town[drawn].ravel(), noise, rng=rng).reshape(plays, s_play)

counts = np.stack([(shown == v).sum(axis=1) for v in range(4)], axis=1)
kinds, kind = np.unique(counts, axis=0, return_inverse=True)
rows = [
    posterior.match_matrix(town, codes4.repeat(k), transition=noise, by="value")[0]
    for k in kinds
]
rows = np.array(rows)
predicted = rows[kind, 0]  # Pr[slot of value 0 shows the target | release]
member = (rows * kinds).sum(axis=1)[kind]  # Pr[target sampled | release]
pointed = drawn[np.arange(plays), (shown == 0).argmax(axis=1)]
right, took_part = pointed == 0, (drawn == 0).any(axis=1)

# %%
summary = {"journalist": [], "prosecutor": []}
print("lines   plays  predicted  observed  standard error")
for who, chance in (("journalist", predicted), ("prosecutor", predicted / member)):
    for lines in (1, 2, 3):
        chosen = (counts[:, 0] == lines) & (took_part | (who == "journalist"))
        p, hits = chance[chosen], right[chosen].mean()
        error = np.sqrt(np.sum(p * (1 - p))) / p.size
        summary[who].append((hits, p.mean(), error))
        numbers = f"{p.size:7d} {p.mean():10.4f} {hits:9.4f} {error:9.4f}"
        print(f"{lines:5d} {numbers}  {who}")
played = {who: np.array(lines).T for who, lines in summary.items()}
hits, expected, errors = played["journalist"]
assert np.all(np.abs(hits - expected) < 4 * errors)
gain = played["prosecutor"][1] / played["journalist"][1]
glue("gain-low", round(float(gain.min()), 6), display=False)
glue("gain-high", round(float(gain.max()), 6), display=False)

# %% [markdown]
# Here the prosecutor is right {glue:text}`gain-low:.1f` to {glue:text}`gain-high:.1f` times as often. How much worse
# can it get?
#
# ## What if she knows that you took part?
#
# Section 2.2 speaks of an attacker who does not know which records were sampled (どのレコードがサンプリングされたのかは知らない攻撃者). It is
# said once, it is part of every later statement, and it can be priced. Condition on "$r$ was sampled". The exchange
# argument runs as before, except that an unsampled record can no longer take the target's slot: the target has to go
# somewhere, into the slot of one of the $s - 1$ sampled
# others, and each such exchange keeps at least the share $g_2$ of the weight.
#
# ```{prf:theorem} Response knowledge
# :label: thm-di-04-response
# For an attacker who knows the table and that $r$ was sampled,
# $\Pr[\Pi(r) = r' \mid T' = \tau', r \text{ sampled}] \le 1/k$ with $k = 1 + (s - 1)\, g_2$. For every
# matrix and all $s \le n$ some table and release attain it.
# ```
#
# The identity behind it, for any four records and three slots, and the extreme case for all $n$ and $s$: the target
# shows $a$ with probability $p_a$ and $b$ with $p_b$, each of the other records with $q_a$, $q_b$; slot 0 shows $a$,
# all others $b$.

# %%
L = sp.Matrix(4, 3, sp.symbols("L:4:3"))
behind = arrangements(L.tolist())[1]
exchanged = sp.Integer(0)
for order in permutations((1, 2, 3), 2):  # record 0 behind slot 0, these behind 1, 2
    weight = L[0, 0] * L[order[0], 1] * L[order[1], 2]
    for slot, t in enumerate(order, start=1):
        exchanged += weight * L[t, 0] * L[0, slot] / (L[0, 0] * L[t, slot])
difference = sp.expand(sum(behind[0]) - behind[0, 0] - exchanged)
print("sampled minus (in slot 0 + exchanged):", difference)

ns, ss = sp.symbols("n s", positive=True)
pa, pb, qa, qb = sp.symbols("p_a p_b q_a q_b", positive=True)
# In units of the ways to put the n - 1 others into s - 1 slots:
in_slot_0 = pa * qb ** (ss - 1)
elsewhere = (ss - 1) * pb * qa * qb ** (ss - 2)
left_out = (ns - ss) * qa * qb ** (ss - 1)
unsampled = sp.simplify(left_out / in_slot_0)
sampled = sp.simplify(elsewhere / in_slot_0)
print("journalist: k = 1 +", unsampled, "+", sampled)
print("prosecutor: k = 1 +", sampled)

# %% [markdown]
# With $a$, $b$ and the pair of rows that attain $g_2 = \min \frac{q_a p_b}{p_a q_b}$ the second line *is* the bound.
# Sampling not only stops helping. The released table has $n - 1$ others to hide among, the sample $s - 1$: the
# prosecutor's level is below that of PRAM without any sample, $1 + (n - 1) g_2$. The list of all tables and releases of four records agrees.
#
# For $n = 4$, $s = 2$ and $\rho = 1/2$ the sentence is worth the step from {glue:text}`small-journalist` to
# {glue:text}`small-prosecutor`, and {glue:text}`small-alone` is what everybody gets without the sample. At $n =
# 1000$, $s = 100$ it is the step from {glue:text}`k-bound:.1f` to {glue:text}`k-response:.2f`.
#
# ## How sure can she be that you took part?
#
# So being known as a participant is expensive. Does the release itself give it away? The release can make the
# attacker surer of it than the sampling rate $p = s/n$ would.
#
# ```{prf:theorem} Probability of membership
# :label: thm-di-04-member
# $\displaystyle \Pr[r \text{ sampled} \mid T' = \tau'] \le \frac{p}{p + (1 - p)\gamma}$, attained by a
# target among records of one other value when all slots show the value $a$ that attains $\gamma$.
# ```
#
# Exchange the target in its slot with an unsampled record. Every arrangement without the target comes out $s$ times,
# once from each slot, with a factor of at least $\gamma$ each time. An arrangement with the target has $n - s$ such
# partners. So the odds of "not sampled" are at least $\gamma (n - s)/s$.

# %%
inside = ss * pa * qa ** (ss - 1)  # the target in one of s slots, all slots show a
outside = (ns - ss) * qa**ss
p, ratio = sp.symbols("p gamma", positive=True)
attained = (inside / (inside + outside)).subs({ss: p * ns, qa: ratio * pa})
bound_p = p / (p + (1 - p) * ratio)
print("attained minus bound:", sp.simplify(attained - bound_p))
three = worst["half", 2][0], worst["half", 2][1], pram.pk_level(small["half"], 4)
for who, k in zip(("journalist", "prosecutor", "alone"), three):
    glue(f"small-{who}", str(k), display=False)
glue("k-response", round(float(floor_response), 6), display=False)

# %%
with claim("K-B13") as c:
    c.exact(behind[0, 0] + exchanged, sum(behind[0]), "exchange, n = 4, s = 3")
    g = qa * pb / (pa * qb)
    c.exact(sampled, (ss - 1) * g, "extreme table, all n and s: (s - 1) g2")
    c.exact(attained, bound_p, "slots alike, all n and s: attained")
    for (name, s_), (_, response, member, _) in worst.items():
        minima = pram.ratio_minima(small[name])
        gamma_, g2_ = minima.gamma, minima.g2
        where = f"{name}, n = 4, s = {s_}"
        c.exact(response, 1 + (s_ - 1) * g2_, f"{where}, all cases: k = {response}")
        c.holds(response < 1 + 3 * g2_, f"{where}: less than PRAM alone")
        top = s_ / (s_ + (4 - s_) * gamma_)
        c.exact(-member, top, f"{where}, all cases: membership at most {top}")
    fractions = Fraction(16, 9), Fraction(10, 9), Fraction(4, 3)
    c.exact(three, fractions, "n = 4, s = 2: journalist, prosecutor, no sample")
    table, shown = codes[:2].repeat((1, 999)), codes[:2].repeat((1, 99))
    response = posterior.response_match_probability(
        table, shown, transition=matrix, record=0, slot=0
    )
    c.exact(response, 1 / (1 + 99 * gamma**2), f"n = 1000: risk {response}")
    same = posterior.membership_probability(
        table, [0] * 100, transition=matrix, record=0
    )
    top = pram.membership_bound(matrix, n, n_sampled=s)
    c.exact(same, top, f"n = 1000, all slots alike: membership {top}")
    hits, expected, errors = played["prosecutor"]
    c.sampled(hits, expected, "n = 40, s = 12, played out", stderr=errors)

# %% [markdown]
# All three numbers against the sampling rate, for the same noise:

# %% mystnb={"figure": {"caption": "The same noise (\u03c1 = 1/2, ten values, n = 1000), more and more of the table released. Left, what the journalist gains from a small sample the prosecutor loses; they meet where everybody is released, at 9.3. Right, the largest probability of membership for three strengths of noise; the straight line is no information.", "name": "fig-di-04-rate"}, "image": {"alt": "Left, k against the sampling rate on a logarithmic axis, one curve falling from 92 to 9.3, one rising from 1 to 9.3. Right, three curves above the diagonal."}} tags=["hide-input"]
samples = list(range(1, n + 1))
rate = np.array(samples) / n
real = matrix.astype(float)
k_full = np.array([pram.pk_level(real, n, n_sampled=k) for k in samples])
k_resp = np.array(
    [pram.pk_level_response_knowledge(real, n, n_sampled=k) for k in samples]
)
fig, (left, side) = plots.panels(1, 2, height=3.5)
left.plot(rate, k_full)
left.plot(rate, k_resp)
left.text(0.03, 21, "does not know\nwho was sampled")
left.text(0.35, 1.3, "knows that the\ntarget was sampled")
left.set(yscale="log", xlabel="sampling rate p", ylabel="guaranteed k")
for keep in (0.9, 0.5, 0.1):
    noisy = pram.retention_matrix(keep, N)
    top = [pram.membership_bound(noisy, n, n_sampled=k) for k in samples]
    side.plot(rate, top, label=f"ρ = {keep:g}")
side.plot([0, 1], [0, 1], color=plots.COLOURS["grey"], lw=1, ls="-")
side.set(xlabel="sampling rate p", ylabel="largest chance of membership")
side.legend(loc="lower right")
plt.show()

# %% [markdown]
# The gap is widest where the theorem looks best: a large table, a small sample, hardly any noise.

# %%
million, tenth = 10**6, 10**5
# the least noise for k = 10
keep = design.retention_for_k(million, 10, n_sampled=tenth, categories=N)
A = pram.retention_matrix(keep, N)
response = pram.pk_level_response_knowledge(A, million, n_sampled=tenth)
member = pram.membership_bound(A, million, n_sampled=tenth)
k_million = pram.pk_level(A, million, n_sampled=tenth)
print(f"keep {keep:.5f}: k = {k_million:.2f}, {response:.5f} if known to be sampled,")
print(f"membership up to {member:.5f}")
assert round(k_million, 6) == 10 and response < 1.0001 and member > 0.9998
assert np.all(np.diff(k_full) < 0) and np.all(np.diff(k_resp) > 0)
assert round(k_full[-1], 1) == round(k_resp[-1], 1) == 9.3
assert round(k_full[0]) == 92 and k_resp[0] == 1
assert round(float(floor_response), 1) == 1.8 and round(float(bound), 1) == 83.6

# %% [markdown]
# With a million records and a tenth released, one value in ten thousand is redrawn, and Theorem 5.1 gives $k = 10$,
# correctly. It is one number of three: we suggest to report it together with the level under response knowledge and
# the bound on membership, and to add the smallest exact level of the actual table.
#
# ## Exercises
#
# ```{exercise-start} A release that says nothing
# :label: ex-di-04-blind
# ```
# **Warm-up.** All rows of $A$ are equal: the shown value says nothing. What are the journalist's and the prosecutor's
# chances, and the probability of membership?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-04-blind
# :class: dropdown
# ```
# $\gamma = g_2 = 1$, and all arrangements have the same weight: $1/n$, $1/s$ and $s/n$. The prosecutor knows only
# that one of the $s$ slots is the target's.

# %%
blind = [[Fraction(1, 3), Fraction(2, 3)]] * 2
case = ([0, 1, 1, 0, 1], [0, 1, 1])
who = {"transition": blind, "record": 0}
assert posterior.match_probability(*case, slot=0, **who) == Fraction(1, 5)
assert posterior.response_match_probability(*case, slot=0, **who) == Fraction(1, 3)
assert posterior.membership_probability(*case, **who) == Fraction(3, 5)
assert pram.pk_level(blind, 5, n_sampled=3) == 5
assert pram.pk_level_response_knowledge(blind, 5, n_sampled=3) == 3

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many links are right
# :label: ex-di-04-links
# ```
# **Standard.** The attacker names for every slot a record that is likeliest to be behind it. How many of the hundred
# links are right on average, given the release, in the three tables? How does that compare with $s/k$?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-04-links
# :class: dropdown
# ```
# Expectations add up, whatever the dependence: the sum over the slots of the largest entry in the column. $s/k$ with
# the guaranteed $k$ is more than one link. In fact it is little more than one half for the uniform and
# the skewed table, and one tenth for the *worst* one, where 99 of the slots are hidden among 999 people.

# %%
links = {}
for name in people:
    best = match[name].max(axis=0)
    links[name] = round(float(best @ np.array(slots[name])), 3)
assert links["worst"] < links["uniform"] < s / bound
assert [round(k, 1) for k in links.values()] == [0.1, 0.6, 0.5]
print("expected right links:", links)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Both halves of the paper together
# :label: ex-di-04-limited
# ```
# **Research.** Put both halves of the paper together: the attacker knows ten of the thousand records, thinks that the
# others have the ten values in equal shares, and the release is a sample *with* PRAM. The target alone among the ten
# has value 0. Compute the exact level, for a release that shows 0 once and 1 else, as a function of $\rho$, and
# compare it with each half alone.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-04-limited
# :class: dropdown
# ```
# An unknown record shows $v$ with probability $(qA)_v$: one more row of the matrix, one more "true value". The level
# lies above both the sample with limited knowledge ($\rho = 1$) and the theorem's $k$ for a known table.

# %%
known, shown = [0] + [1] * 9 + [N] * 990, [0] + [1] * 99
print(" ρ     Theorem 5.1   limited knowledge and PRAM")
levels = []
for keep in (1.0, 0.9, 0.5, 0.1):
    A = pram.retention_matrix(keep, N)
    rows = np.vstack([A, A.mean(axis=0)])
    levels.append(
        1
        / posterior.match_probability(known, shown, transition=rows, record=0, slot=0)
    )
    theorem = 1.0 if keep == 1 else pram.pk_level(A, n, n_sampled=s)
    print(f"{keep:3.1f} {theorem:13.2f} {levels[-1]:22.2f}")
    assert theorem < levels[-1]
assert levels == sorted(levels)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The probability of a link is a ratio of permanents. Equal values make it a generating function, retention a rook
#   polynomial: exact at $n = 1000$, $s = 100$, ten categories, in about $s^2$ steps.
# - With retention Theorem 5.1 is attained, by a target that is alone. Every double counts as one whole person: $k \ge m + (n - m -
#   S)\gamma + S g_2$.
# - The attacker of section 2.2 does not know who was sampled. Against one who knows that the target was, the level is
#   $1 + (s - 1) g_2$, always attained and below that of PRAM without a sample.
# - The release makes participation no surer than $p / (p + (1 - p)\gamma)$, which is attained, too.
#
# **Further reading.** Ikarashi and others for the bound without sampling {cite:p}`ikarashi2015kanonymous`; Nergiz and
# others on hiding who is in a table {cite:p}`nergiz2007hiding`; Smith on the secrecy of the sample
# {cite:p}`smith2009secrecy`. **Next:** [how to design a release](05-designing-a-release.ipynb).
