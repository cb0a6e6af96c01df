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
# # Who attacks a sample?
#
# Statistical offices have published samples of their censuses for decades: one person in a hundred, no names.
# It feels safe, since most people are not in it. A paper asks the plain question: safe against *whom*, and
# *how* safe? The answer turns on what the attacker knows. The same hundred lines can be worthless to one
# attacker and an open book to another, and this notebook meets them one by one.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to write an attack on a sample as one conditional probability, what Pk-anonymity
# demands, why sampling alone does nothing against an attacker who knows the whole table, what differential
# privacy says about samples, and how much depends on whether the attacker knows who took part.
# **You need** conditional probability and a little Python.
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** $s$ of $n$ records drawn without replacement, each value perhaps rewritten at random,
# shuffled. **The attacker** has some belief about the table, up to knowing all of it, knows the process and
# sees the release. She does *not* know which records were sampled (section 2.2 of the paper); we shall see what that is worth. **Protected:**
# which slot of the release shows which record. **Not protected:** what the released values say about a group.
# ```

# %%
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb, floor, perm, prod

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue

from privlib.disclosure.posterior import (
    match_matrix,
    match_probability,
    membership_probability,
    response_match_probability,
)
from privlib.kit import claim, plots, slips

plots.use()


# %% [markdown]
# ## One line with your value
#
# Four people, two of them drawn. Only the first has the value *a*. The release shows *a* and *b*. We
# play the process forward: every ordered sample, every way in which the values may be rewritten, each with its
# exact probability. Records and slots count from 0 in the code, from 1 in the paper.

# %%
def play(table, s, A):
    """Law of the release, and of who is behind which slot, by enumeration."""
    law, behind = Counter(), Counter()
    for order in permutations(range(len(table)), s):
        for release in product(range(len(A[0])), repeat=s):
            steps = [A[table[record]][value] for record, value in zip(order, release)]
            weight = Fraction(prod(steps)) / perm(len(table), s)
            law[release] += weight
            for slot, record in enumerate(order):
                behind[release, record, slot] += weight
    return law, behind


def attack(table, s, A, release):
    """Pr[record behind slot | release] as rows of records and columns of slots."""
    law, behind = play(table, s, A)
    slots = range(s)
    return [
        [behind[release, record, slot] / law[release] for slot in slots]
        for record in range(len(table))
    ]


def show_rows(rows):
    for record, row in enumerate(rows):
        print(f"   record {record}:", "  ".join(f"{chance!s:>6s}" for chance in row))


identity = [[1, 0], [0, 1]]  # values stay as they are
town, release = (0, 1, 1, 1), (0, 1)  # 0 is the value a, 1 the value b
print("sample only: chance of slot 0, slot 1")
show_rows(attack(town, 2, identity, release))

# %% [markdown]
# The first record is identified with certainty, the three others are mixed up. These are the numbers that everything
# in this part is about:
#
# $$ \Pr[\Pi(r) = r' \mid T' = \tau'] , $$
#
# the probability, given the release $\tau'$, that record $r$ is behind slot $r'$: the paper's *success of
# the attack* (攻撃成功の確率).

# %%
with claim("K-2.1") as c:
    for pn in (Fraction(7, 2), Fraction(3), Fraction(9, 10)):
        below = max(k for k in range(10) if k <= pn)
        c.exact(below, floor(pn), f"[{pn}] is {floor(pn)}")
with claim("K-2.2") as c:
    drawn = Counter(frozenset(order) for order in permutations(range(5), 2))
    c.exact(len(drawn), comb(5, 2), "n = 5, s = 2: every pair can be drawn")
    c.exact(len(set(drawn.values())), 1, "and all pairs are equally likely")
    everybody = (0, 1, 2, 3, 4)
    labels = [[int(u == v) for v in everybody] for u in everybody]
    law, behind = play(everybody, 2, labels)
    taken = {r: sum(p for key, p in behind.items() if key[1] == r) for r in everybody}
    c.exact(set(taken.values()), {Fraction(2, 5)}, "each record with probability s/n")

# %% [markdown]
# ## What may happen to the values
#
# The second tool is older than differential privacy: rewrite every value at random.
#
# ```{prf:definition} Post randomisation (PRAM, section 2.1)
# :label: def-di-01-pram
# A *transition matrix* (遷移確率行列) $A$ with rows that sum to one. Every record is rewritten on its own: a true
# value $u$ becomes $v$ with probability $A_{u,v}$ {cite:p}`kooiman1997pram`.
# ```
#
# Does it matter whether one samples first? No: both steps treat every record alike and independently of
# the others' values. Keep each value with probability 1/2 and draw a new one otherwise:

# %%
half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
print("sample, then PRAM: chance of slot 0, slot 1")
show_rows(attack(town, 2, half, release))


def rewrite_then_sample(table, s, A):
    """Law of the release when the whole table is rewritten before the draw."""
    law = Counter()
    for shown in product(range(len(A[0])), repeat=len(table)):
        weight = Fraction(prod(A[u][v] for u, v in zip(table, shown)))
        for order in permutations(range(len(table)), s):
            law[tuple(shown[r] for r in order)] += weight / perm(len(table), s)
    return law


with claim("K-2.5") as c:
    lopsided = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
    for A in (half, lopsided):
        before, after = play(town, 2, A)[0], rewrite_then_sample(town, 2, A)
        c.exact(dict(before), dict(after), "PRAM and sampling commute, n = 4, s = 2")
    single = play((0,), 1, lopsided)[0]
    c.exact([single[(0,)], single[(1,)]], lopsided[0], "one record: row u of A")
    two = play((0, 1), 2, lopsided)[0]
    by_hand = (
        sum(lopsided[u][0] * lopsided[1 - u][1] for u in (0, 1)) / 2
    )  # either order
    c.exact(two[(0, 1)], by_hand, "two records: independent")

# %% [markdown]
# The certainty is gone. For the exact numbers at any size the package evaluates a rectangular permanent; on
# this page it is the second route to what the enumeration says.

# %%
for A in (identity, half, lopsided):
    for shown in product((0, 1), repeat=2):
        if play(town, 2, A)[0][shown]:
            found_ = match_matrix(town, shown, transition=A).tolist()
            assert found_ == attack(town, 2, A, shown)


# %% [markdown]
# ## What should be demanded?
#
# ```{prf:definition} Pk-anonymity (Definition 2.2)
# :label: def-di-01-pk
# A process with its release is *Pk-anonymous* (Pk-匿名性) if for every attacker, that is every prior law
# $f_T$ of the table, every record $r$ and every slot $r'$: $\Pr[\Pi(r) = r' \mid T' = \tau'] \le 1/k$
# {cite:p}`ikarashi2015kanonymous`.
# ```
#
# *Every* prior law is much to ask. But an attacker with a prior only averages over attackers who know the
# table: $\frac{\sum_\tau f_T(\tau)\, a_\tau}{\sum_\tau f_T(\tau)\, b_\tau}$ never exceeds the largest
# $a_\tau / b_\tau$ (a mediant). So it is enough to look at attackers who know everything.

# %%
def with_prior(prior, s, A, release):
    """Largest success probability for an attacker with a prior over tables."""
    evidence, best = Fraction(0), Counter()
    for table, share in prior.items():
        law, behind = play(table, s, A)
        evidence += share * law[release]
        for r, slot in product(range(len(table)), range(s)):
            best[r, slot] += share * behind[release, r, slot]
    return max(best.values()) / evidence


def worst_risk(n, s, A):
    """Largest success probability over all tables and releases."""
    values = range(len(A))
    risks = []
    for table in product(values, repeat=n):
        law, behind = play(table, s, A)
        risks += [p / law[key[0]] for key, p in behind.items() if p]
    return max(risks)


# %%
with claim("K-2.7") as c:
    rng = np.random.default_rng(3)
    tables = list(product((0, 1), repeat=3))
    ceiling = max(
        max(max(row) for row in attack(table, 2, half, (0, 1))) for table in tables
    )
    for trial in range(5):
        shares = [Fraction(int(k)) for k in rng.integers(1, 100, len(tables))]
        found = with_prior(dict(zip(tables, shares)), 2, half, (0, 1))
        c.at_most(
            found, ceiling, f"random prior {trial + 1}: at most the best table's"
        )
    a1, b1, a2, b2 = sp.symbols("a1 b1 a2 b2", positive=True)
    mediant = (a1 + a2) / (b1 + b2)
    weight = b1 / (b1 + b2)
    average = weight * a1 / b1 + (1 - weight) * a2 / b2
    c.exact(sp.simplify(mediant - average), sp.Integer(0), "a mediant is an average")

with claim("K-1.6") as c:
    risk = worst_risk(3, 2, half)
    k = 1 / risk
    glue("pk-half", str(k), display=False)
    linked = [
        chance
        for table in tables
        for shown in product((0, 1), repeat=2)
        for row in attack(table, 2, half, shown)
        for chance in row
    ]
    c.exact(max(linked), 1 / k, f"n = 3, s = 2: no link likelier than 1/k, k = {k}")
    second = max(
        match_matrix(table, shown, transition=lopsided).max()
        for table in tables
        for shown in product((0, 1), repeat=2)
    )
    c.exact(second, worst_risk(3, 2, lopsided), "a second matrix, by permanents")

# %% [markdown]
# For three people and two slots this matrix gives $k =$ {glue:text}`pk-half`. What does a level mean? In a k-anonymous table, without sampling and
# without noise, everyone shares their value with $k - 1$ others, and one of them is behind a line with
# probability $1/k$: the definition extends k-anonymity {cite:p}`sweeney2002kanonymity` to random releases.

# %%
with claim("K-2.9") as c:
    for copies in (2, 3):
        table = (0,) * copies + (1,) * copies
        rows = match_matrix(table, table, transition=identity)
        c.exact(
            rows.max(),
            Fraction(1, copies),
            f"{copies} copies of each value: 1/{copies}",
        )
    noise = [[Fraction(1, 3), Fraction(2, 3)]] * 2
    c.exact(worst_risk(3, 2, noise), Fraction(1, 3), "identical rows: k = n = 3")

# %% [markdown]
# ## An attacker who knows the whole table
#
# Now take the noise away again and keep the sample. In personal data, the paper says, one assumes an attacker who
# knows every value of the table, or at least every quasi-identifier. Let the sampling rate shrink and watch.

# %%
print("sampling rate   chance for the one person with value a, if a line shows it")
found = {}
for n in (2, 10, 100, 1000):
    table = [0] + [1] * (n - 1)
    s = max(1, n // 100)
    found[n, s] = match_probability(
        table, [0] + [1] * (s - 1), transition=identity, record=0, slot=0
    )
    print(f"{f'{s}/{n}':14s}  {found[n, s]}")

with claim("K-3.3") as c:
    c.exact(
        attack((0, 1), 1, identity, (0,))[0], [Fraction(1)], "n = 2, s = 1: certain"
    )
    c.exact(
        set(found.values()), {Fraction(1)}, "n = 10, 100, 1000, 1 % samples: certain"
    )
with claim("K-1.7") as c:
    levels = {
        (n, s): worst_risk(n, s, identity) for n in (2, 3, 4) for s in range(1, n)
    }
    c.exact(set(levels.values()), {Fraction(1)}, "every n ≤ 4, every s: k = 1")
with claim("K-1.1") as c:
    law, behind = play(town, 2, identity)
    hidden = sum(p for shown, p in law.items() if 0 not in shown)
    c.exact(hidden, Fraction(1, 2), "with probability 1 − s/n the one a is not shown")
    mixed = attack(town, 2, identity, (0, 1))
    c.exact(
        [row[1] for row in mixed[1:]], [Fraction(1, 3)] * 3, "the three b: 1/3 each"
    )

# %% [markdown]
# So sampling helps only on average: a person who is not drawn is not shown. Whoever is drawn and unique
# is caught, at any rate. An attacker in official statistics is thought to know less. She sees a line that is unique
# *in the sample* and does not know whether it is unique *in the population*.

# %%
N = sp.Symbol("N", integer=True, positive=True)
with claim("K-3.1") as c:
    three = attack((0, 0, 1), 1, identity, (0,))
    c.exact(
        three[0], [Fraction(1, 2)], "a a b, one line a: sample unique, two doubles"
    )
    doubt = {}  # 1, 2 or 3 people with value a, a priori equally likely
    for doubles in range(1, 4):
        law = play((0,) * doubles + (1,) * (5 - doubles), 2, identity)[0]
        doubt[doubles] = sum(p for lines, p in law.items() if lines.count(0) == 1) / 3
    unique = doubt[1] / sum(doubt.values())
    c.holds(
        unique < Fraction(1, 2),
        f"n = 5, s = 2: population unique with chance {unique}",
    )
with claim("K-1.2") as c:
    posterior = {d: p / sum(doubt.values()) for d, p in doubt.items()}
    success = sum(p / d for d, p in posterior.items())
    c.at_most(posterior[1], success, "Pr(unique) ≤ mean of 1/N")
    c.at_most(success, (1 + posterior[1]) / 2, "mean of 1/N ≤ (1 + Pr(unique))/2")
    gap = sp.Rational(1, 2) - 1 / N
    c.holds(
        bool(gap.subs(N, N + 2).simplify().is_nonnegative),
        "since 1/N ≤ 1/2 from N = 2 on",
        method="symbolic",
    )


# %% [markdown]
# Uniqueness in the population is close to the risk, but not the same: with $U$ the probability that the
# line's person is unique, the chance that the guess is right lies between $U$ and $(1 + U)/2$. Which attacker
# it belongs to has to be said, as the paper insists.
#
# ## And differential privacy?
#
# A sample without noise is no $\varepsilon$-differentially private release: one record replaced, and a
# release that was impossible becomes possible. How far is it from private? Exactly $\delta = s/n$.

# %%
def unordered(law):
    """The law of the release as a multiset."""
    counts = Counter()
    for shown, p in law.items():
        counts[tuple(sorted(shown))] += p
    return counts


def neighbours(n, values=(0, 1)):
    """All pairs of tables that differ in the first record only."""
    for rest in product(values, repeat=n - 1):
        for u, v in permutations(values, 2):
            yield (u, *rest), (v, *rest)


def largest_ratio(n, s, A):
    """Largest probability ratio of one release between neighbours."""
    ratios = []
    for one, other in neighbours(n):
        p, q = unordered(play(one, s, A)[0]), unordered(play(other, s, A)[0])
        ratios += [p[shown] / q[shown] for shown in p]
    return max(ratios)


with claim("K-1.3") as c:
    p = unordered(play((0, 1, 1), 2, identity)[0])
    q = unordered(play((1, 1, 1), 2, identity)[0])
    c.exact((p[0, 1], q[0, 1]), (Fraction(2, 3), Fraction(0)), "n = 3: 2/3 against 0")
    for n, s in ((3, 1), (3, 2), (4, 2)):
        distance = max(
            sum(max(Fraction(0), a[shown] - b[shown]) for shown in a)
            for a, b in (
                (
                    unordered(play(one, s, identity)[0]),
                    unordered(play(two, s, identity)[0]),
                )
                for one, two in neighbours(n)
            )
        )
        c.exact(
            distance, Fraction(s, n), f"n = {n}, s = {s}: exactly (0, s/n)-private"
        )

a, b, x, rate = sp.symbols("A_u A_v x p", positive=True)
with claim("K-1.4") as c:
    odds = Fraction(3)  # e^ε of the matrix that keeps half of the values
    for n, s in ((2, 1), (3, 1), (3, 2), (4, 2)):
        amplified = 1 + Fraction(s, n) * (odds - 1)
        label = f"n = {n}, s = {s}: e^ε' = 1 + p(e^ε − 1) = {amplified}"
        c.exact(largest_ratio(n, s, half), amplified, label)
    ratio = (rate * a + (1 - rate) * x) / (rate * b + (1 - rate) * x)
    at_worst = sp.simplify(ratio.subs(x, b) - (1 + rate * (a / b - 1)))
    c.exact(at_worst, sp.Integer(0), "all slots alike, all others as v: for every p")

# %% [markdown]
# With noise before the sample the level improves from $\varepsilon$ to
# $\ln(1 + p(e^\varepsilon - 1))$: the *secrecy of the sample* {cite:p}`smith2009secrecy,balle2018privacy`,
# exact here. (For samples without outliers the paper cites a study of population stratification as [1]; the
# result on random samples of the same first author {cite:p}`chaudhuri2006random` is probably meant.) But does a level of differential privacy fix the risk of identification? The paper says that it does
# not {cite:p}`lee2011enough`. Here are two matrices with the same $\varepsilon = \ln 3$:

# %%
skewed = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 6), Fraction(5, 6)]]


def level(A):
    """e^ε of a matrix: largest ratio in a column."""
    return max(A[u][v] / A[w][v] for u, v, w in product((0, 1), repeat=3))


risks = {
    name: worst_risk(3, 3, A) for name, A in (("half", half), ("skewed", skewed))
}
for name, A in (("half", half), ("skewed", skewed)):
    print(f"{name:7s} e^ε = {level(A)}   risk without sampling, n = 3: {risks[name]}")

with claim("K-1.5") as c:
    c.exact(level(half), level(skewed), "the same ε")
    c.holds(risks["half"] > risks["skewed"], "different risks of identification")
    for name, A in (("half", half), ("skewed", skewed)):
        bound = 1 + 2 / level(A) ** 2
        c.at_most(risks[name], 1 / bound, f"{name}: yet k ≥ 1 + (n − 1)e^(−2ε)")

# %% [markdown]
# The two numbers are not unrelated, though. For noise that is applied record by record, $\varepsilon$ gives
# a guarantee: $k \ge 1 + (n - s)e^{-\varepsilon} + (s - 1)e^{-2\varepsilon}$. [Notebook
# 3](03-pram-and-sampling.ipynb) proves the theorem behind it.
#
# ## Does she know who took part?
#
# One sentence of section 2.2 carries more than its length suggests: the attacker does not know *which
# records were sampled*. The probability of success contains that ignorance. It is a product,
#
# $$ \Pr[\Pi(r) = r'] = \Pr[r \text{ sampled}] \cdot \Pr[\Pi(r) = r' \mid r \text{ sampled}], $$
#
# everything given the release. In the trade the two attackers have names: the *journalist*, who does not
# know who took part, and the *prosecutor*, who knows that the target did. Compare them on one release:
# 1000 people, a 10 % sample, the target alone has value 0, and so does one slot.

# %%
n, s, n_known = 1000, 100, 10
values, keep = 10, 0.9


def retention(keep):
    """Keep the value, or draw one of ten anew."""
    return np.full((values, values), (1 - keep) / values) + keep * np.eye(values)


def three_attackers(A):
    """Prosecutor, journalist who knows the table, and one who knows ten records."""
    table, shown = [0] + [1] * (n - 1), [0] + [1] * (s - 1)
    belief = np.zeros(values)
    belief[:2] = 1 / n_known, 1 - 1 / n_known  # as among the ten: one 0, nine 1
    some = [0] + [1] * (n_known - 1) + [values] * (n - n_known)  # the rest unknown
    return [
        response_match_probability(table, shown, transition=A, record=0, slot=0),
        match_probability(table, shown, transition=A, record=0, slot=0),
        match_probability(
            some, shown, transition=np.vstack([A, belief @ A]), record=0, slot=0
        ),
    ]


names = ["knows the table\nand who took part", "knows the table", "knows ten records"]
chances = {
    "sample": three_attackers(np.eye(values)),
    "PRAM and sample": three_attackers(retention(keep)),
}
for process, row in chances.items():
    print(f"{process:16s}", " ".join(f"{chance:8.4f}" for chance in row))

# %% mystnb={"figure": {"caption": "One release, three attackers (1000 people, 100 slots; the target alone has value 0, one slot shows it; PRAM keeps a value with probability 0.9). Sampling helps only against limited knowledge, PRAM helps as long as nobody knows who took part.", "name": "fig-di-01-attackers"}, "image": {"alt": "Bar chart with a logarithmic axis. Sample only, 1.0 for the attackers who know the table, 0.011 for the one who knows ten records. PRAM and sample, 0.99 for the attacker who knows who took part, 0.09 for the one who knows the table, 0.01 for the one who knows ten records."}} tags=["hide-input"]
fig, ax = plots.panels(height=3.4)
place = np.arange(3)
styles = {"sample": ("blue", ""), "PRAM and sample": ("orange", "//")}
for shift, (process, row) in zip((-0.2, 0.2), chances.items()):
    colour, hatch = styles[process]
    bars = ax.bar(
        place + shift,
        row,
        0.36,
        color=plots.COLOURS[colour],
        hatch=hatch,
        edgecolor="white",
        label=process,
    )
    ax.bar_label(bars, [f"{chance:.2g}" for chance in row], padding=2)
ax.axhline(1 / n, color=plots.COLOURS["grey"], ls="-", lw=1)
ax.text(2.44, 1.15 / n, "guess: 1/n", color="#555555")
ax.set(
    yscale="log",
    xlim=(-0.5, 2.9),
    ylim=(5e-4, 3),
    ylabel="chance that the link is right",
)
ax.set_xticks(place, names)
ax.grid(visible=False, axis="x")
ax.legend(loc="upper right")
plt.show()

# %%
gamma = (1 - keep) / (1 + (values - 1) * keep)
claimed = [
    1 / (1 + (s - 1) * gamma**2),
    1 / (1 + (n - s) * gamma + (s - 1) * gamma**2),
]
glue("resp", round(float(chances["PRAM and sample"][0]), 3), display=False)
glue("full", round(float(chances["PRAM and sample"][1]), 3), display=False)

with claim("K-2.10") as c:
    c.close(
        chances["PRAM and sample"][:2], claimed, "closed forms, n = 1000", rtol=1e-9
    )
    for A in (half, lopsided):
        for shown in product((0, 1), repeat=2):
            joint = attack(town, 2, A, shown)
            took_part = [sum(row) for row in joint]
            member = [
                membership_probability(town, shown, transition=A, record=r)
                for r in range(4)
            ]
            c.exact(
                took_part, member, "sum over the slots: probability of taking part"
            )
            product_ = member[0] * response_match_probability(
                town, shown, transition=A, record=0, slot=1
            )
            c.exact(product_, joint[0][1], "the success is the product")
    everybody = [0] + [1] * (n - 1)  # the same noise, all 1000 released
    alone = match_probability(
        everybody, everybody, transition=retention(keep), record=0, slot=0
    )
    prosecutor = float(chances["PRAM and sample"][0])
    c.at_most(
        alone, prosecutor, "PRAM without a sample is safer against the prosecutor"
    )
    sure = response_match_probability(
        town, (0, 1), transition=identity, record=0, slot=0
    )
    c.exact(sure, Fraction(1), "sample alone, took part, unique line: certain")

# %% [markdown]
# With PRAM the journalist who knows the whole table is right with probability {glue:text}`full`, the prosecutor with
# {glue:text}`resp`. The guarantee of this part is a guarantee against journalists. A publisher whose
# respondents talk about the survey should look at both numbers.
#
# So when does sampling help? The paper's summary: when the table that is sampled is uncertain *to the
# attacker*, because her knowledge is limited or because something random was done before.

# %%
with claim("K-3.4") as c:
    target = [0] + [1] * 5, [0, 1]  # n = 6, s = 2
    certain = match_probability(*target, transition=identity, record=0, slot=0)
    c.exact(certain, Fraction(1), "nothing uncertain, n = 6, s = 2: risk 1")
    belief = [*identity, [Fraction(1, 2), Fraction(1, 2)]]
    limited = match_probability(
        [0, 1, 2, 2, 2, 2], [0, 1], transition=belief, record=0, slot=0
    )
    c.holds(limited < 1, f"limited knowledge: {limited}")
    noisy = match_probability(*target, transition=half, record=0, slot=0)
    c.holds(noisy < 1, f"processing before the sample: {noisy}")
    full = match_probability(
        [0] + [1] * 5, [0] + [1] * 5, transition=half, record=0, slot=0
    )
    c.holds(noisy < full, f"and less than with everybody released: {full}")

# %% [markdown]
# These are the two ways that the rest of this part goes: limited knowledge in [notebook
# 2](02-sampling-alone.ipynb), PRAM and sampling in [notebook 3](03-pram-and-sampling.ipynb).
#
# ## The gap that this part fills
#
# Tools for statistical disclosure control compute k-anonymity and individual risks from the frequencies of
# the released key values. After PRAM those frequencies no longer say who is behind a line, and the widely
# used R package sdcMicro {cite:p}`templ2015sdcmicro` rightly warns that k-anonymity and its risk measures are
# no longer useful once key variables have been randomised. The conditional probability above still is. For a
# release with several categories:

# %%
rng = np.random.default_rng(12)
true = rng.choice(5, size=400, p=[0.45, 0.3, 0.15, 0.08, 0.02])
matrix = np.full((5, 5), 0.2 / 5) + 0.8 * np.eye(5)
sampled = rng.permutation(400)[:60]
shown = np.array([rng.choice(5, p=matrix[true[r]]) for r in sampled])

pairs = match_matrix(true, shown, transition=matrix, by="value")
print("true value (people)   chance behind a line that shows 0 .. 4")
for u in range(5):
    print(
        f"   {u} ({(true == u).sum():3d})           ",
        " ".join(f"{p:.4f}" for p in pairs[u]),
    )
whole = match_matrix(true, shown, transition=matrix)
assert np.allclose(whole.sum(axis=0), 1)
print("frequency of the shown values:", np.bincount(shown, minlength=5))
print(f"largest risk: {whole.max():.4f}, one in {1 / whole.max():.0f}")

# %% [markdown]
# One evaluation for each pair of a true and a shown value, exact, in milliseconds: that is what the package
# adds. A frequency of one in the release would call for alarm under k-anonymity; the posterior says how much
# of it is left.
#
# ## One correction, and slips
#
# The introduction names センサデータ (sensor data) as what is sampled at 1 % and 3 %; センサス, the census, is
# surely meant, and no computation needed. Definition 2.1 composes the release with a map $\pi$ that has a slot for *every* record. With a real sample
# there is none.

# %%
with claim(
    "K-2.4",
    printed=r"$\delta(\tau) = \tau' \circ \pi$ with "
    r"$\pi: \mathcal{R} \to \mathcal{R}'$",
    corrected=r"$\pi: \mathcal{R} \to \mathcal{R}' \cup \{\phi\}$, onto "
    r"$\mathcal{R}'$ and one to one on the sampled records, the identity on these",
    consequence="None: the proof of Theorem 5.1 uses the convention "
    r"$A_{s,\phi} = 1$, which amounts to the corrected form.",
) as c:
    values_ab, shown_a = "ab", "a"  # n = 2, s = 1: the sample is the first record
    maps = list(product(range(1), repeat=2))  # all π: R → R'
    total = any(all(shown_a[pi[r]] == values_ab[r] for r in range(2)) for pi in maps)
    c.fails(total, "n = 2, s = 1, table a b, release a: no map has the property")
    partial = [pi for pi in product((0, None), repeat=2) if pi.count(0) == 1]
    good = [
        pi
        for pi in partial
        if all(slot is None or shown_a[slot] == v for v, slot in zip(values_ab, pi))
    ]
    c.exact(good, [(0, None)], "with φ there is exactly one")


# %% tags=["hide-input"]
def check_density(c):
    law = play(town, 2, identity)[0]
    c.fails(
        all(p == 0 for p in law.values()), "n = 4, s = 2: single releases have mass"
    )
    c.exact(sum(law.values()), Fraction(1), "a mass function: it sums to one")


def check_slots(c):
    behind = play((0, 1, 1), 1, identity)[1]
    c.differs(3, len({slot for _, _, slot in behind}), "n = 3, s = 1: choices of r'")
    c.exact({record for _, record, _ in behind}, {0, 1, 2}, "three records, one slot")


def check_intuition(c):
    noise = [[Fraction(1, 3), Fraction(2, 3)]] * 2  # identical rows: k = n
    risk = worst_risk(3, 2, noise)
    c.fails(risk < Fraction(1, 3), "n = 3, k = 3: a guess is right with chance 1/k")
    c.at_most(risk, Fraction(1, 3), "with ≤, as in the definition")


rows = [
    (
        "K-2.3",
        r"$f_X$ is a probability density",
        "a probability mass function",
        check_density,
    ),
    (
        "K-2.6",
        r"section 2.2: $r' \in \mathcal{R}$",
        r"$r' \in \mathcal{R}'$",
        check_slots,
    ),
    (
        "K-2.8",
        r"cannot be guessed with probability $1/k$ or more",
        r"with more than $1/k$ (Definition 2.2 has $\le$)",
        check_intuition,
    ),
]
records = slips(rows)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Hidden in a crowd
# :label: ex-di-01-crowd
# ```
# **Warm-up.** Five people have value 0 and five have value 1; four are drawn, no noise, and the release shows 0 0 0 1.
# What are the match probabilities for an attacker who knows the table? Why do they not depend on how often
# a value is shown?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-01-crowd
# :class: dropdown
# ```
# 1/5 for a record and a slot of the same value, else 0: given the release, each line of value 0 is any of the
# five by symmetry. The frequency in the release tells who *took part* (3/5 of them), not who is
# where.

# %%
table, lines = [0] * 5 + [1] * 5, [0, 0, 0, 1]
by_value = match_matrix(table, lines, transition=identity, by="value")
assert by_value.tolist() == [[Fraction(1, 5), 0], [0, Fraction(1, 5)]]
present = membership_probability(table, lines, transition=identity, record=0)
assert present == Fraction(3, 5)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Certainly absent
# :label: ex-di-01-absent
# ```
# **Standard.** A measure called $\delta$-presence {cite:p}`nergiz2007hiding` bounds the probability that a
# person is in the release from above *and from below*. Show by a sample without noise that an upper bound alone lets the
# attacker be certain of something.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-01-absent
# :class: dropdown
# ```
# Table *a b b*, release *b*: the one with value *a* is absent, with certainty. Every upper bound on the presence
# of the first record holds. Noise before the sample restores the doubt.

# %%
assert membership_probability([0, 1, 1], [1], transition=identity, record=0) == 0
present = membership_probability([0, 1, 1], [1], transition=half, record=0)
assert 0 < present < Fraction(1, 3)


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A rumour about the target
# :label: ex-di-01-rumour
# ```
# **Research.** Between journalist and prosecutor: the attacker has heard a rumour that gives odds $\omega$ to
# "the target took part", where the sampling rate would give $p/(1-p)$. Write her success for a homogeneous
# table with retention PRAM as a function of $\omega$, and check both ends.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-01-rumour
# :class: dropdown
# ```
# The rumour multiplies the weight of every sample with the target by $\lambda = \omega (1-p)/p$. The $n - s$
# terms of the journalist belong to samples without the target, so
# $1/\text{success} = 1 + (n - s)\gamma/\lambda + (s - 1)\gamma^2$: $\lambda = 1$ is the journalist,
# $\lambda \to \infty$ the prosecutor.

# %%
def rumour(table, lines, A, factor):
    """Success when samples with record 0 count `factor` times, by enumeration."""
    total = hit = Fraction(0)
    for order in permutations(range(len(table)), len(lines)):
        weight = Fraction(prod(A[table[r]][v] for r, v in zip(order, lines)))
        weight *= factor if 0 in order else 1
        total += weight
        hit += weight * (order[0] == 0)
    return hit / total


g = Fraction(1, 3)  # of the matrix that keeps half of the values
for factor in (Fraction(1), Fraction(5), Fraction(1000)):
    formula = 1 / (1 + (5 - 3) * g / factor + (3 - 1) * g**2)
    assert rumour((0, 1, 1, 1, 1), (0, 1, 1), half, factor) == formula
assert rumour((0, 1, 1, 1, 1), (0, 1, 1), half, 1) == match_probability(
    (0, 1, 1, 1, 1), (0, 1, 1), transition=half, record=0, slot=0
)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - An attack is a conditional probability: record $r$ behind slot $r'$, given the release. Pk-anonymity
#   bounds it by $1/k$ for every attacker, and attackers who know the whole table are the worst.
# - Against them a sample alone protects nobody who is unique. It is exactly $(0, s/n)$-differentially private.
# - What helps is uncertainty about the table: limited knowledge, or noise before the sample.
# - All of it rests on the attacker not knowing who took part. Against one who does, a unique line in a plain
#   sample is certain, and PRAM weaker than without the sample.
#
# **Further reading.** Kikuchi's paper {cite:p}`kikuchi`, Ikarashi and others on PRAM and Pk-anonymity
# {cite:p}`ikarashi2015kanonymous`, Franconi and Polettini on individual risk
# {cite:p}`franconi2004individual`. **Next:** [what a sample alone protects](02-sampling-alone.ipynb).
