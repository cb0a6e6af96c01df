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
# It feels safe, since most people are not in it. A paper by Kikuchi asks the plain question: safe against *whom*, and
# *how* safe? The answer turns on what the attacker knows. The same hundred lines can be worthless to one
# attacker and an open book to another, and this notebook meets them one by one.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to write an attack on a sample as one conditional probability, what Pk-anonymity
# demands, why sampling alone does not lower the worst case against an attacker who knows the whole table, what differential
# privacy says about samples, and how much depends on whether the attacker knows who took part.
# **You need** conditional probability and a little Python.
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** $s = pn$ of $n$ records drawn without replacement, each value perhaps rewritten at random,
# shuffled. **The attacker** has some belief about the table, up to knowing all of it, knows the process and
# sees the release. She does *not* know which records were sampled (section 2.2 of the paper); we shall see
# what that is worth. **Protected:** which line of the release shows which record. **Not protected:** what the
# released values say about a group.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import comb, perm, prod

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy.special import gammaln, roots_sh_jacobi

from privlib.disclosure.anonymity import pk_level
from privlib.disclosure.posterior import (
    match_matrix,
    match_probability,
    membership_probability,
    response_match_probability,
)
from privlib.disclosure.pram import retention_matrix
from privlib.disclosure.sampling import learning_attacker_risk
from privlib.notebook import claim, derivation, misprints, plots, table

plots.use()


def chances(rows, caption):
    """Show records against slots."""
    columns = {"record": list(range(len(rows)))}
    for slot in range(len(rows[0])):
        columns[f"behind slot {slot}"] = [Fraction(row[slot]) for row in rows]
    return table(columns, caption=caption)


# %% [markdown]
# ## One line with your value
#
# The paper {cite:p}`kikuchi` names three countries that release samples of 1 % or 3 %. The figures are real: about 3 % of the persons of
# the British census of 2001 {cite:p}`ons2001sars`, 3 % of the Canadian one of 1991 {cite:p}`statcan1991`, one in
# a hundred of many American ones {cite:p}`ipums`. We start smaller. Four people, two of them drawn; only the first has the value *a*. The
# release shows two lines, its *slots*: *a* and *b*. Records and slots are counted from 0.

# %%
town, release = [0, 1, 1, 1], [0, 1]  # 0 is the value a, 1 the value b
identity = [[1, 0], [0, 1]]  # values stay as they are
plain = match_matrix(town, release, transition=identity)

# %% jupyter={"source_hidden": true} tags=["set-up"]
chances(plain, "A sample of two out of a b b b that shows a b: chance that a record "
        "is behind a slot, for who knows the table.")  # fmt: skip


# %% [markdown]
# The first record is identified with certainty, the three others are mixed up. These are the numbers that
# everything in this part is about. In the paper's letters $\tau$ is the table, $T'$ the release before and
# $\tau'$ the release after it is seen, and $\Pi(r)$ says where record $r$ went: to a slot $r'$, or nowhere,
# $\phi$, if it was not drawn. The *success of the attack* (攻撃成功の確率) is
#
# $$ \Pr[\Pi(r) = r' \mid T' = \tau'] , $$
#
# the probability, given the release, that record $r$ is behind slot $r'$. For a table this small it can be had
# without any theory: play the process forward through every ordered sample and every way of rewriting the
# values, with exact fractions, and divide. That is the second route behind the checks of this page.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def play(table, s, A):
    """Law of the release, and of who is behind which slot, by enumeration."""
    law, behind = Counter(), Counter()
    for order in permutations(range(len(table)), s):
        for shown in product(range(len(A[0])), repeat=s):
            steps = [A[table[r]][v] for r, v in zip(order, shown)]
            weight = Fraction(prod(steps)) / perm(len(table), s)
            if weight:
                law[shown] += weight
                for slot, r in enumerate(order):
                    behind[shown, r, slot] += weight
    return law, behind


def played(table, s, A):
    """Every success: release, record, slot -> chance."""
    law, behind = play(table, s, A)
    return {key: p / law[key[0]] for key, p in behind.items()}


def tables_of(n, A):
    return list(product(range(len(A)), repeat=n))


def sizes(top):
    """All (n, s) with a real sample, 1 <= s < n."""
    return [(n, s) for n in range(2, top + 1) for s in range(1, n)]


half = retention_matrix(Fraction(1, 2), 2)
lopsided = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
skewed = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 6), Fraction(5, 6)]]

for A in (identity, half, lopsided):
    for shown in play(town, 2, A)[0]:
        exact = match_matrix(town, shown, transition=A)
        for (r, slot), chance in np.ndenumerate(exact):
            assert chance == played(town, 2, A).get((shown, r, slot), 0)

# %% [markdown]
# ## What may happen to the values
#
# Nobody likes the 1 in that table. The second tool is older than differential privacy: rewrite every value at
# random, as randomised response does while the answers are collected {cite:p}`vandenhout2002`, but afterwards.
#
# ```{prf:definition} Post randomisation (PRAM, section 2.1)
# :label: def-di-01-pram
# A *transition matrix* (遷移確率行列) $A$ has rows that sum to one. Every record is rewritten on its own: a true
# value $u$ becomes $v$ with probability $A_{u,v}$ {cite:p}`kooiman1997pram`.
# ```
#
# The simplest such matrix is *retention*: keep the value with probability $\rho$, the *retention probability*,
# and otherwise draw one of all values anew. With $\rho = 1/2$:

# %%
half = retention_matrix(Fraction(1, 2), 2)  # rows 3/4 1/4 and 1/4 3/4
noisy = match_matrix(town, release, transition=half)

# %% jupyter={"source_hidden": true} tags=["set-up"]
chances(noisy, "The same, where each value is rewritten before the sample.")

# %% [markdown]
# The certainty is gone: the first line is the first person's with probability 9/16<!-- {shown_noisy} -->. Does it matter
# whether one samples first? No, because each record is rewritten on its own.

# %% jupyter={"source_hidden": true} tags=["evidence"]
shown_noisy = str(noisy[0, 0])


def rewrite_then_sample(table, s, A):
    """Law of the release when the whole table is rewritten before the draw."""
    law = Counter()
    for shown in product(range(len(A[0])), repeat=len(table)):
        weight = Fraction(prod(A[u][v] for u, v in zip(table, shown)))
        for order in permutations(range(len(table)), s):
            law[tuple(shown[r] for r in order)] += weight / perm(len(table), s)
    return law


with claim("K-2.5") as c:
    before, after = [], []
    for A in (lopsided, skewed):
        for n in (1, 2, 3):
            for s, people in product(range(1, n + 1), tables_of(n, A)):
                before.append(dict(rewrite_then_sample(people, s, A)))
                after.append(dict(play(people, s, A)[0]))
    assert len(before) == 2 * (1 * 2 + 2 * 4 + 3 * 8)  # sizes times tables
    label = f"two matrices, n ≤ 3, {len(before)} laws: rewriting or sampling first"
    c.decisive("sampled").exact(before, after, label)

# %% [markdown]
# ## What should be demanded?
#
# The ideal for tables without noise is *k-anonymity* (k-匿名性): with every record at least $k - 1$ others have the
# same value {cite:p}`sweeney2002kanonymity`. Once values are rewritten, counting equal lines says
# nothing. The success of the attack still does.
#
# ```{prf:definition} Pk-anonymity; the paper's Definition 2.2
# :label: def-di-01-pk
# A process with its release is *Pk-anonymous* (Pk-匿名性) if for every attacker, that is every prior law
# $f_T$ of the table, every record $r$ and every slot $r'$: $\Pr[\Pi(r) = r' \mid T' = \tau'] \le 1/k$
# {cite:p}`ikarashi2015kanonymous`.
# ```
#
# *Every* prior law is much to ask. But an attacker with a prior only averages over attackers who know the
# table: $\frac{\sum_\tau f_T(\tau)\, a_\tau}{\sum_\tau f_T(\tau)\, b_\tau}$ never exceeds the largest
# $a_\tau / b_\tau$ (a *mediant* lies between the quotients). So it is enough to look at attackers who know
# everything; [notebook 3](03-pram-and-sampling.ipynb) checks this step of the paper's proof. What level has our matrix, for three people
# and two slots?

# %%
print("k =", pk_level(half, 3, n_sampled=2))


# %% [markdown]
# So nobody links a line with probability above 9/13<!-- {shown_risk} -->, and therefore over many releases nobody is right more
# often than that. Without noise it is k-anonymity again: release a whole table, and each of $k$ equal people is behind a line with
# probability $1/k$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def worst_played(n, s, A):
    """Largest success over all tables and releases, by enumeration."""
    return max(max(played(people, s, A).values()) for people in tables_of(n, A))


def worst_exact(n, s, A):
    """The same by permanents."""
    return max(
        match_matrix(people, shown, transition=A).max()
        for people in tables_of(n, A)
        for shown in product(range(len(A[0])), repeat=s)
    )


with claim("K-1.6") as c:
    linked = [worst_played(n, s, half) for n, s in sizes(4)]
    promised = [1 / pk_level(half, n, n_sampled=s) for n, s in sizes(4)]
    label = "retention, two values, n ≤ 4, every table and release: no link above 1/k"
    c.decisive("sampled").exact(linked, promised, label)
    linked = [worst_played(n, s, lopsided) for n, s in sizes(4)]
    risks = [worst_exact(n, s, lopsided) for n, s in sizes(4)]
    c.decisive("sampled").exact(linked, risks, "an asymmetric matrix: likewise")
shown_risk = str(worst_played(3, 2, half))
with claim("K-2.9") as c:
    found, counted = [], []
    for n in range(1, 7):
        for people in tables_of(n, identity):
            links = match_matrix(people, people, transition=identity)
            found.append(links.max())
            counted.append(Fraction(1, min(Counter(people).values())))
    label = f"no noise, two values, n ≤ 6, {len(found)} tables: 1/k, k equal people"
    c.decisive("exhaustive").exact(found, counted, label)
    blind = [[Fraction(1, 3), Fraction(2, 3)]] * 2
    levels = [1 / worst_played(n, s, blind) for n, s in sizes(4)]
    c.exact(levels, [n for n, _ in sizes(4)], "rows alike, randomised: k = n")


# %% [markdown]
# A relative in the paper's list, *probabilistic k-anonymity*, keeps the number $1/k$ and drops the equal lines
# {cite:p}`soriacomas2012probabilistic`: swap the identifying values at random within groups of $k$. The same
# conditional probability applies, and shows what the paper says of it: the attacker has to find all records
# equally likely. One who believes that the target has the rarer illness does better than $1/k$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def swapped(k, groups, s, belief):
    """Largest success after swaps within groups of k: who shows whose illness.

    All identifying values differ. Each group has one ill person; `belief` is the
    attacker's probability that it is the first, the others share the rest.
    """
    found = defaultdict(Fraction)
    total = defaultdict(Fraction)
    people = list(product(range(groups), range(k)))
    for owners in product(permutations(range(k)), repeat=groups):
        for ill in product(range(k), repeat=groups):
            trust = prod(
                belief if i == 0 else (1 - belief) / (k - 1) for i in ill
            )
            for drawn in permutations(people, s):
                lines = [(g, i, owners[g][i] == ill[g]) for g, i in drawn]
                total[tuple(lines)] += trust
                for (g, i), line in zip(drawn, lines):
                    found[tuple(lines), (g, owners[g][i]), line] += trust
    return max(found[key] / total[key[0]] for key in found)


with claim("K-1.12") as c:
    settings = [(2, 1, 2), (2, 2, 4), (2, 2, 2), (3, 1, 3), (3, 1, 2), (2, 2, 1)]
    fair = [swapped(k, g, s, Fraction(1, k)) for k, g, s in settings]
    label = "swaps within groups of k, six settings, all lines different: 1/k"
    c.decisive("sampled").exact(fair, [Fraction(1, k) for k, _, _ in settings], label)
    unfair = [swapped(k, g, s, Fraction(9, 10)) for k, g, s in settings]
    least = min(risk * k for risk, (k, _, _) in zip(unfair, settings))
    label = "belief 9/10 that one of them is ill, six settings: above 1/k"
    c.decisive("sampled").holds(least > 1, label)
    c.exact({*unfair}, {Fraction(9, 10)}, "and it is what she believes")

# %% [markdown]
# ## An attacker who knows the whole table
#
# Now take the noise away again and keep the sample. In personal data, the paper says, one assumes an attacker
# who knows every value of the table, or at least every *quasi-identifier* (準識別子), the values by which people can be
# recognised. Suppose that one of a thousand people
# has the value 0, and a line shows it. Let the sample shrink:

# %%
thousand = [0] + [1] * 999
for s in (100, 10, 1):
    lines = [0] + [1] * (s - 1)
    print(f"{s} of 1000:", *match_matrix(thousand, lines, transition=identity)[0, :1])

# %% [markdown]
# Nothing happens. Whoever is drawn and unique is caught, at any rate: nobody else can have shown that value. Sampling helps
# only on average: a person who is not drawn is not shown, and the attack succeeds in a share $s/n$ of the
# releases instead of all.
#
# So no sampling rate gives the process a level above 1. (A *single release* may be kinder: if
# every value that it shows is shown twice, nobody is linked with probability above 1/2. What that is worth is a
# theorem of [notebook 4](04-the-exact-posterior.ipynb).)

# %% jupyter={"source_hidden": true} tags=["evidence"]
three = np.eye(3, dtype=int).tolist()
with claim("K-3.3") as c:
    certain = []
    for n, s in sizes(4):
        for people in tables_of(n, three):
            alone = [r for r in range(n) if people.count(people[r]) == 1]
            success = played(people, s, three)
            for shown in play(people, s, three)[0]:
                certain += [
                    success[shown, r, shown.index(people[r])]
                    for r in alone
                    if people[r] in shown
                ]
    label = "n ≤ 4, three values: every unique record in every release that shows it"
    c.decisive("exhaustive").exact({*certain}, {1}, label)
    rates = [
        match_probability(
            thousand, [0] + [1] * (s - 1), transition=identity, record=0, slot=0
        )
        for s in (100, 10, 1)
    ]
    c.exact({*rates}, {1}, "n = 1000: samples of 1/10, 1/100, 1/1000")
with claim("K-1.7") as c:
    levels = [1 / worst_played(n, s, identity) for n, s in sizes(5)]
    label = "n ≤ 5: the level of every sample is that of the whole table"
    whole = [1 / worst_played(n, n, identity) for n, _ in sizes(5)]
    c.decisive("exhaustive").exact(levels, whole, label)
    c.decisive("exhaustive").exact({*levels}, {1}, "and that is 1")
    twice = max(
        played(people, 2, identity).get(((0, 0), r, slot), 0)
        for n in range(2, 6)
        for people in tables_of(n, identity)
        for r, slot in product(range(n), range(2))
    )
    assert twice == Fraction(1, 2)  # two people have the value, and both are drawn
    c.limit(Fraction(1), twice, "a release that shows one value twice, n ≤ 5: risk")
with claim("K-1.1") as c:
    guessed = []
    for n, s in sizes(5):
        people = (0,) + (1,) * (n - 1)
        law, behind = play(people, s, identity)
        guessed.append(sum(p for (shown, r, _), p in behind.items()
                           if r == 0 and p == law[shown]))  # fmt: skip
    label = "n ≤ 5: a unique person is caught in a share s/n of the releases"
    c.decisive("exhaustive").exact(guessed, [Fraction(s, n) for n, s in sizes(5)], label)


# %% [markdown]
# An attacker in official statistics is thought to know less. She sees a line that is unique *in the sample*
# and does not know whether it is unique *in the population*. Let five people live in the town, two of them be drawn, and
# exactly one line show *a*. How sure may she be that the only *a* she knows is behind it? That depends on how many people with *a* she thinks possible:

# %% jupyter={"source_hidden": true} tags=["evidence"]
def unique_line(n, s, d):
    """Pr[exactly one line shows 0] if d of n people have the value 0."""
    law, _ = play((0,) * d + (1,) * (n - d), s, identity)
    return sum(p for lines, p in law.items() if lines.count(0) == 1)


def after_unique(n, s, possible):
    """Posterior of the number of people with value 0, all equally likely before."""
    seen = {d: unique_line(n, s, d) for d in possible}
    return {d: p / sum(seen.values()) for d, p in seen.items()}


def right_guess(n, s, possible):
    """Chance that the person whom she knows is behind the unique line."""
    right = Fraction(0)
    for d in possible:
        _, behind = play((0,) * d + (1,) * (n - d), s, identity)
        right += sum(
            p for (lines, r, q), p in behind.items()
            if lines.count(0) == 1 and r == 0 and lines[q] == 0
        )  # fmt: skip
    return right / sum(unique_line(n, s, d) for d in possible)


def knows_she_was_drawn(n, s, possible):
    """The same chance for an attacker who knows that her person took part."""
    right = drawn = Fraction(0)
    for d, order in product(possible, permutations(range(n), s)):
        shown = [int(r >= d) for r in order]
        if 0 in order and shown.count(0) == 1:
            drawn += 1
            right += order[shown.index(0)] == 0
    return right / drawn


beliefs = {"1 or 2": (1, 2), "1, 2 or 3": (1, 2, 3), "1 to 4": (1, 2, 3, 4)}
unique = [after_unique(5, 2, d)[1] for d in beliefs.values()]
guess = [right_guess(5, 2, d) for d in beliefs.values()]
assert unique[0] == Fraction(2, 5) and guess[0] <= (1 + unique[0]) / 2
assert {knows_she_was_drawn(5, 2, d) for d in beliefs.values()} == {1}
table(
    {"people with a that she thinks possible": list(beliefs),
     "Pr(unique in the population)": unique, "her guess is right": guess},
    caption="One release, three attackers: five people, two drawn, one line shows a. "
    "Each holds the numbers that she thinks possible for equally likely beforehand.",
)  # fmt: skip

# %% [markdown]
# Uniqueness in the population is close to the risk, but not the same. Let $a$ and $b$ be the weights of "unique" and
# "shared", so that $U = \frac{a}{a + b}$ is the probability of uniqueness. A shared value has at least two owners, and one guess
# in $N \ge 2$ is right; let $\frac{1}{2 + g}$ with $g \ge 0$ be the mean of $\frac1N$ over the shared cases:

# %% jupyter={"source_hidden": true} tags=["evidence"]
a, b = sp.symbols("a b", positive=True)
g = sp.Symbol("g", nonnegative=True)
hit = (a + b / (2 + g)) / (a + b)  # 1/(2 + g): the mean of 1/N, shared
ceiling = (
    derivation(hit, of=r"\Pr(\text{right})")
    .at_most((a + b / 2) / (a + b), r"$N \ge 2$", by="coefficients")
    .equal((1 + a / (a + b)) / 2, r"this is $(1 + U)/2$")
)
ceiling

# %% jupyter={"source_hidden": true} tags=["evidence"]
least_hit = a / (a + b)
ground = derivation(hit).at_least(least_hit, "leave $b$ out", by="coefficients")
with claim("K-3.1") as c:
    drawn, counted = [], []
    for n, s in sizes(5):
        for d in range(1, n + 1):
            drawn.append(unique_line(n, s, d))
            counted.append(Fraction(d * comb(n - d, s - 1), comb(n, s)))
    assert len(drawn) == 2 * 1 + 3 * 2 + 4 * 3 + 5 * 4  # each d and s
    label = "n ≤ 5: chance that a value of d people is unique in the sample"
    c.decisive("exhaustive").exact(drawn, counted, label)
    least = min(unique_line(n, s, 2) for n, s in sizes(5))
    label = "n ≤ 5, two people with the value: it can be unique in the sample"
    c.decisive("exhaustive").holds(least > 0, label)
    assert least == 2 * Fraction(1, 5)  # five people, one drawn
with claim("K-1.2") as c:
    label = "the guess is right with (1 + U)/2 at most"
    c.decisive("proved").derived(ceiling, hit, (1 + a / (a + b)) / 2, label)
    label = "and with U at least"
    c.decisive("proved").derived(ground, hit, a / (a + b), label)
    by_owners = [
        sum(p / d for d, p in after_unique(5, 2, possible).items())
        for possible in beliefs.values()
    ]
    label = "three attackers, one release: chance of a right guess, mean of 1/N"
    c.exact(guess, by_owners, label)
    label = "it depends on the attacker: three beliefs, three risks"
    by_hand = [(2 + Fraction(3, 2)) / 5, (2 + Fraction(3, 2) + 1) / 8,
               (2 + Fraction(3, 2) + 1 + Fraction(1, 2)) / 10]  # weights 2, 3, 3, 2
    c.decisive("one example").exact(guess, by_hand, label)
    assert by_hand == sorted({*by_hand}, reverse=True)

# %% [markdown]
# So the risk lies between $U$ and $(1 + U)/2$ whatever she believes about the number of owners, as long as she does not
# know who took part: one who knows that hers was drawn is certain, with $U = \frac25$ as with any other.
# *Which* attacker has to be said, as the paper insists. To estimate from a sample how many of its unique lines are unique
# in the population is an old problem {cite:p}`bethlehem1990,skinner2002`; [notebook 2](02-sampling-alone.ipynb) compares
# attackers on a real survey.
#
# ## And differential privacy?
#
# Does the usual promise say more? It does not concern links at all. It compares two tables that differ in one record $r$: no
# event may be much likelier under one than under the other. Without $r$ in the sample the two releases have the same law; call it
# $P_0$. With $r$ in it the laws are $P_1$ and $Q_1$. For every event $E$ the difference of its probabilities is

# %% jupyter={"source_hidden": true} tags=["evidence"]
P0, P1, Q1, p, q = sp.symbols("P_0 P_1 Q_1 p q", positive=True)
h = sp.Symbol("h", nonnegative=True)
delta = (
    derivation(sp.Add(p * P1 + q * P0, -(p * Q1 + q * P0), evaluate=False),
               of=r"P(E) - Q(E)", names={q: "(1 - p)"})
    .equal(p * (P1 - Q1), "without $r$ nothing differs")
)  # fmt: skip
delta


# %% [markdown]
# and a difference of two probabilities is 1 at most. It is 1 if the value of $r$ is unique and $E$ says that it is shown. So a sample without noise is
# $(0, \delta)$-differentially private with $\delta = p = s/n$ exactly, and for no $\varepsilon$ alone: a
# release that was impossible becomes possible.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def neighbours(n, size):
    """All pairs of tables that differ in the first record only."""
    for rest in product(range(size), repeat=n - 1):
        for u, v in permutations(range(size), 2):
            yield (u, *rest), (v, *rest)


def distance(n, s, A):
    """Largest difference of the probabilities of an event between neighbours."""
    found = Fraction(0)
    for one, two in neighbours(n, len(A)):
        P, Q = play(one, s, A)[0], play(two, s, A)[0]
        found = max(found, sum(max(P[x] - Q[x], Fraction(0)) for x in P))
    return found


def impossible(n, s, A):
    """Whether some release is possible for one of two neighbours only."""
    laws = [[play(t, s, A)[0] for t in pair] for pair in neighbours(n, len(A))]
    return any(set(P) - set(Q) for P, Q in laws)


with claim("K-1.3") as c:
    cut = [impossible(n, s, identity) for n, s in sizes(4)]
    label = "n ≤ 4, every sample: a release that is possible for one neighbour only"
    c.decisive("exhaustive").exact({*cut}, {True}, label)
    deltas = [distance(n, s, identity) for n, s in sizes(4)]
    label = "n ≤ 4, by enumeration: δ = s/n"
    c.exact(deltas, [Fraction(s, n) for n, s in sizes(4)], label)

# %% [markdown]
# With noise before the sample there is an $\varepsilon$. Let every entry of $A$ be positive and $\gamma$ the
# least ratio of two entries of a column, so that rewriting alone has $e^\varepsilon = 1/\gamma$. Sampling lowers it, by the
# *secrecy of the sample* {cite:p}`smith2009secrecy,balle2018privacy`.
#
# ```{prf:theorem} Amplification, exact for every matrix
# :label: thm-di-01-amplified
# Rewrite each of $n$ records by a matrix without zeros and draw $s$ of them, in random order. The largest ratio of the probabilities of a release for two tables that differ in one record is
# $e^{\varepsilon'} = 1 + \frac sn\,(e^\varepsilon - 1)$.
# ```
#
# *Proof.* Let $r$ be the record that differs. Fix a slot, the value $a$ that it shows, and the records behind all other slots, none of
# them $r$. Behind our slot stands $r$, or one of the $n - s$ others that are left; let $x$, $y$ be the
# probabilities that $r$ shows $a$ in the two tables and $z$ the mean of those of the others. Every arrangement with $r$
# belongs to one such choice. One without $r$ belongs to $s$ of them, one for each slot, so it counts with $\frac1s$ in each. Up to a common factor the two
# probabilities are then sums of $s x + (n - s) z$ and of $s y + (n - s) z$, and a quotient of sums is at most
# the largest quotient of terms. Let $m$ be the least entry of the column of $a$. Then $y = m + h$ and $z = m + j$ with $h, j \ge 0$, and
# $x = e^\varepsilon m - g$ with $g \ge 0$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
s_, t_, m_ = sp.symbols("s t m", positive=True)
E, j = sp.symbols("E j", nonnegative=True)  # E is e^ε - 1
x_, y_, z_ = m_ + E * m_ - g, m_ + h, m_ + j
quotient = (s_ * x_ + t_ * z_) / (s_ * y_ + t_ * z_)
amplified = (
    derivation(quotient, of=r"\frac{s x + (n - s) z}{s y + (n - s) z}",
               names={t_: "(n - s)", E: r"(e^\varepsilon - 1)"})
    .at_most((s_ * (m_ + E * m_) + t_ * z_) / (s_ * m_ + t_ * z_),
             r"$g, h \ge 0$", by="coefficients")
    .at_most((s_ * (m_ + E * m_) + t_ * m_) / (s_ * m_ + t_ * m_),
             r"$j \ge 0$", by="coefficients")
    .equal(1 + s_ * E / (s_ + t_), r"and $s + (n - s) = n$")
)  # fmt: skip
amplified


# %% [markdown]
# The value is attained. Let $\gamma = A_{u,a}/A_{v,a}$, let all others have the value $u$, let $r$ have $v$ in one table and $u$ in the
# other, and all slots show $a$: then $y = z = m$ and $x = e^\varepsilon m$. ∎
#
# As a bound the same lines hold for every $\varepsilon$-differentially private mechanism that is applied to the sample
# {cite:p}`balle2018privacy`. Let $x$, $y$ be the probabilities of an event in the two tables if $r$ is drawn, $z$ if it is not, and
# $m = \min(y, z)$. Then $x \le e^\varepsilon y$, and $x \le e^\varepsilon z$, too: exchange $r$ in the sample for a record that was not
# drawn, which leads evenly to all samples without $r$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def least_ratio(A):
    """γ: the least ratio of two entries of a column."""
    columns = zip(*A)
    return min(min(column) / max(column) for column in columns)


def largest_ratio(n, s, A):
    """Largest ratio of the probabilities of one release between neighbours."""
    ratios = []
    for one, two in neighbours(n, len(A)):
        P, Q = play(one, s, A)[0], play(two, s, A)[0]
        ratios += [P[shown] / Q[shown] for shown in P]
    return max(ratios)


def random_matrix(rng, rows, columns):
    parts = [[int(w) for w in rng.integers(1, 9, columns)] for _ in range(rows)]
    return [[Fraction(w, sum(row)) for w in row] for row in parts]


rng = np.random.default_rng(4)
shapes = [(2, 3), (3, 2), (3, 3), (2, 2)]
drawn_ones = [random_matrix(rng, *shape) for shape in shapes]
with claim("K-1.4") as c:
    last = 1 + s_ * E / (s_ + t_)
    label = "a sample before any mechanism, so with PRAM too: at most 1 + p(e^ε − 1)"
    c.decisive("proved").derived(amplified, quotient, last, label)
    found, told = [], []
    for A in (lopsided, skewed):
        for n, s in sizes(4):
            found.append(largest_ratio(n, s, A))
            told.append(1 + Fraction(s, n) * (1 / least_ratio(A) - 1))
    label = "for PRAM, two 2 × 2 matrices, n ≤ 4, all releases: the largest ratio"
    c.decisive("sampled").exact(found, told, label)
with claim("K-B10") as c:
    last = 1 + s_ * E / (s_ + t_)
    found, told = [], []
    for A in drawn_ones:
        for n, s in sizes(3):
            found.append(largest_ratio(n, s, A))
            told.append(1 + Fraction(s, n) * (1 / least_ratio(A) - 1))
    label = "every matrix: the amplified level is an upper bound"
    c.decisive("proved").derived(amplified, quotient, last, label)
    attained = sp.simplify(quotient.subs({g: 0, h: 0, j: 0}))
    label = "all others have u, all slots show a: attained"
    c.decisive("proved").exact(attained, last, label)
    c.exact(found, told, "four random matrices up to 3 × 3, n ≤ 3, enumerated")


# %% [markdown]
# The paper names three more ways in which sampling comes to differential privacy: with PRAM {cite:p}`lin2013benefits`, of which the
# theorem is the record-wise case; with $k$-anonymisation {cite:p}`li2012sampling`; and for data without outliers, where it cites a study of
# population stratification as [1]. The result on random samples of the same first author
# {cite:p}`chaudhuri2006random` is probably meant.
#
# But does a level of differential privacy fix the risk of identification? The paper says that it does
# not {cite:p}`lee2011enough`: it depends on what is computed, and on the population. Both show already with three people who are all
# released, at $e^\varepsilon = 3$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
def best_guess(people, s, A):
    """How often the likeliest link of each release is right, over all releases."""
    _, behind = play(people, s, A)
    best = Counter()
    for (shown, _, _), p in behind.items():
        best[shown] = max(best[shown], p)
    return sum(best.values())


def guess_exact(people, s, A):
    """How often the likeliest link of each release is right, by permanents."""
    hits = Fraction(0)
    for shown, chance in play(people, s, A)[0].items():
        hits += chance * match_matrix(people, shown, transition=A).max()
    return hits


settings = [("¾ ¼ | ¼ ¾", half, "a b b"), ("½ ½ | ⅙ ⅚", skewed, "a b b"),
            ("¾ ¼ | ¼ ¾", half, "a a a")]  # fmt: skip
towns = [tuple("ab".index(v) for v in people.split()) for *_, people in settings]
averages = [guess_exact(t, 3, A) for t, (_, A, _) in zip(towns, settings)]
table(
    {"rows of the matrix": [rows for rows, *_ in settings],
     "population": [people for *_, people in settings],
     "$e^ε$": [1 / least_ratio(A) for _, A, _ in settings],
     "best guess right": averages},
    caption="One level of differential privacy, three risks of identification: how "
    "often the likeliest link is right.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("K-1.5") as c:
    ratios = [largest_ratio(1, 1, A) for _, A, _ in settings]
    label = "one record: the same largest ratio, e^ε = 3, for both matrices"
    c.exact(ratios, [Fraction(3), Fraction(3), Fraction(3)], label)
    by_play = [best_guess(t, 3, A) for t, (_, A, _) in zip(towns, settings)]
    c.decisive("one example").exact(averages, by_play, "the risks above, two routes")
    # The best links of all releases with 3, 0, 1, 2 lines a; whoever is alike, 1/3.
    by_hand = [Fraction(1 + 3 + 27 + 9, 64), Fraction(1 + 25 + 75 + 15, 216)]
    by_hand.append(Fraction(1, 3))
    label = "two matrices, one population; two populations, one matrix: risks differ"
    c.decisive("one example").exact(averages, by_hand, label)
    assert len({*by_hand}) == 3

# %% [markdown]
# The two numbers are not unrelated, though. For noise that is applied record by record, $\varepsilon$ gives a
# guarantee: $k \ge 1 + (n - s)e^{-\varepsilon} + (s - 1)e^{-2\varepsilon}$. [Notebook
# 3](03-pram-and-sampling.ipynb) proves the theorem behind it.
#
# ## Does she know who took part?
#
# One sentence of section 2.2 carries more than its length suggests: the attacker does not know *which
# records were sampled*. The success of the attack averages over that ignorance. In disclosure control the two
# attackers have names {cite:p}`elemam2008`: the *journalist*, who does not know who took part, and the
# *prosecutor*, who knows that the target did. (There the prosecutor has also chosen her target in advance, while any target serves the journalist; on
# these pages both have one.) Compare them on one release: 1000 people, a 10 % sample, 10 possible values and $\rho = 0.9$, so that one
# stays what it is with probability 0.91; the target alone has value 0, and so does one slot.

# %%
A = retention_matrix(0.9, 10)
lines = [0] + [1] * 99
ask = {"transition": A, "record": 0, "slot": 0}
print("journalist", round(match_probability(thousand, lines, **ask), 4))
print("prosecutor", round(response_match_probability(thousand, lines, **ask), 4))

# %% [markdown]
# The gap is wide: the guarantee of this part is a guarantee against journalists. A publisher whose respondents
# talk about the survey should look at both numbers. And against attackers who know less? We add two who know ten records, the
# target's 0 and nine times 1. One takes every stranger for a draw from these ten (the attacker of the paper's equation (1)). The other takes
# these ten for a first impression, and learns from the release.

# %% jupyter={"source_hidden": true} tags=["evidence"]
n, s, n0, keep = 1000, 100, 10, 0.9


def merged(A):
    """Rows of the values 0 and 1; columns 0, 1 and the rest."""
    two = np.asarray(A, dtype=float)[:2, :2]
    return np.column_stack([two, 1 - two.sum(axis=1)])


def knows_some(A, n, s, n0, share):
    """She knows 0, then n0 − 1 times 1, and gives each stranger 0 with `share`."""
    people = [0] + [1] * (n0 - 1) + [2] * (n - n0)
    rows = np.vstack([A, share * A[0] + (1 - share) * A[1]])
    shown = [0] + [1] * (s - 1)
    return match_probability(people, shown, transition=rows, record=0, slot=0)


def learns(A, n, s, n0):
    """The share has the law Beta(1, n0 − 1), as after n0 draws, and is then averaged.

    Weight of the arrangements with the target in place: j of the s − 1 others known.
    """
    nodes, weights = roots_sh_jacobi(s // 2 + 1, n0 - 1, 1)
    j, left = np.arange(min(s, n0)), n - n0 - s + 1
    j = j[left + j >= 0]
    ways = (-gammaln(j + 1) - gammaln(s - j) - gammaln(n0 - j)
            - gammaln(left + j + 1) + j * np.log(A[1, 1]))  # fmt: skip
    strangers = nodes * A[0, 1] + (1 - nodes) * A[1, 1]
    terms = ways[:, None] + np.outer(s - 1 - j, np.log(strangers))
    here = weights * np.exp(np.logaddexp.reduce(terms) - terms.max())
    success = np.array([knows_some(A, n, s, n0, share) for share in nodes])
    return here.sum() / (here / success).sum()


def attackers(A, s):
    """Chance of the link for the four attackers."""
    shown = [0] + [1] * (s - 1)
    asked = {"transition": A, "record": 0, "slot": 0}
    few = merged(A)
    learned = 1.0 if s == n else learns(few, n, s, n0)  # one line shows 0, hers
    return [
        knows_some(few, n, s, n0, 1 / n0),
        learned,
        match_probability(thousand, shown, **asked),
        response_match_probability(thousand, shown, **asked),
    ]


everything = np.eye(10)
links = {
    "everybody, unchanged": attackers(everything, n),
    "sample, unchanged": attackers(everything, s),
    "sample after PRAM": attackers(retention_matrix(keep, 10), s),
}


def learns_played(n, s, n0, A):
    """The same by all tables, in the order in which a learner expects strangers."""
    total = hit = Fraction(0)
    shown = (0,) + (1,) * (s - 1)
    for strangers in product((0, 1), repeat=n - n0):
        seen, trust = [1, n0 - 1], Fraction(1)
        for v in strangers:
            trust *= Fraction(seen[v], sum(seen))
            seen[v] += 1
        law, behind = play((0,) + (1,) * (n0 - 1) + strangers, s, A)
        total += trust * law[shown]
        hit += trust * behind[shown, 0, 0]
    return hit / total


small = [(5, 2, 3), (5, 3, 2), (4, 2, 2)]
for case in small:
    for B in (half, lopsided):
        by_hand = float(learns_played(*case, B))
        assert np.isclose(learns(np.array(B, dtype=float), *case), by_hand)
bound = float(learning_attacker_risk(n, n0, n_sampled=s))
assert 0.98 * bound < links["sample, unchanged"][1] < bound
fixed, learner, *_ = links["sample, unchanged"]
assert round(learner / fixed) == 10

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "One link, four attackers, three releases (1000 people, 100 slots in a sample; the target alone has value 0, one slot shows it; PRAM on 10 values with retention probability 0.9, so that one stays what it is with probability 0.91). If everybody is released unchanged, the link is certain for all four. A sample helps against those who know ten records, PRAM also against the one who knows the table, and neither helps much once she knows who took part.", "name": "fig-di-01-attackers"}, "image": {"alt": "Bar chart with a logarithmic axis, three bars for each of four attackers. Everybody released, 1 for all. Sample, 0.011 for ten records, 0.11 for ten records and learning, 1 for the table and for the table and who took part. Sample after PRAM, 0.010, 0.052, 0.092 and 0.99."}} tags=["figure"]
fig, ax = plots.panels(height=3.6)
names = ["ten records", "ten records,\nand learns", "the table",
         "the table and\nwho took part"]  # fmt: skip
styles = [("grey", ""), ("blue", ""), ("orange", "//")]
shifts = (-0.27, 0, 0.27)
for shift, (label, row), (colour, hatch) in zip(shifts, links.items(), styles):
    bars = ax.bar(np.arange(4) + shift, row, 0.25, color=plots.COLOURS[colour],
                  hatch=hatch, edgecolor="white", label=label)  # fmt: skip
    ax.bar_label(bars, [f"{chance:.2g}" for chance in row], padding=2, fontsize=8)
ax.axhline(1 / n, color="#555555", lw=1)
ax.text(3.45, 1.15 / n, "guess: 1/n", color="#555555", fontsize=8)
ax.set(yscale="log", xlim=(-0.5, 4.0), ylim=(5e-4, 12), ylabel="chance of the link")
ax.set_xticks(range(4), names)
ax.set_xlabel("the attacker knows")
ax.grid(visible=False, axis="x")
ax.legend(loc="upper center", ncols=3, fontsize=8)
assert (n, s, keep) == (1000, 100, 0.9)
assert np.isclose(float(retention_matrix(keep, 10)[0][0]), 0.91)
assert [[f"{v:.2g}" for v in row] for row in links.values()] == [
    ["1"] * 4, ["0.011", "0.11", "1", "1"], ["0.01", "0.052", "0.092", "0.99"],
]  # fmt: skip
plt.show()


# %% [markdown]
# A sample stops neither attacker who knows the table. It stops the two on the left, and not equally. The first takes it
# for certain that a tenth of all strangers share the target's value; the second only began with that
# thought, and thinks the same link ten times likelier. A belief is not knowledge: [notebook 2](02-sampling-alone.ipynb)
# asks a real population which of the two is right.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def knowing(people, s, A):
    """Weight of each set of people who took part, and of its hits."""
    sets, hits = Counter(), Counter()
    for order in permutations(range(len(people)), s):
        for shown in product(range(len(A[0])), repeat=s):
            weight = prod(A[people[r]][v] for r, v in zip(order, shown))
            sets[shown, frozenset(order)] += weight
            for slot, r in enumerate(order):
                hits[shown, frozenset(order), r, slot] += weight
    return sets, hits


def averaged(people, s, A):
    """Mean over who took part of the success of an attacker who knows that."""
    sets, hits = knowing(people, s, A)
    total, mean = Counter(), Counter()
    for (shown, _), weight in sets.items():
        total[shown] += weight
    for (shown, group, r, slot), hit in hits.items():
        success = Fraction(hit) / sets[shown, group]
        mean[shown, r, slot] += sets[shown, group] / total[shown] * success
    return mean


def told(people, s, A):
    """Success of an attacker who knows that the target took part."""
    sets, hits = knowing(people, s, A)
    took, hit = Counter(), Counter()
    for (shown, group), weight in sets.items():
        for r in group:
            took[shown, r] += weight
    for (shown, _, r, slot), weight in hits.items():
        hit[shown, r, slot] += weight
    return {key: Fraction(x) / took[key[:2]] for key, x in hit.items()}


with claim("K-2.10") as c:
    means, package = [], []
    for n_, s_n in sizes(4):
        for people in tables_of(n_, lopsided):
            mean = averaged(people, s_n, lopsided)
            for shown in product((0, 1), repeat=s_n):
                rows = match_matrix(people, shown, transition=lopsided)
                for (r, slot), chance in np.ndenumerate(rows):
                    means.append(mean[shown, r, slot])
                    package.append(chance)
    label = f"n ≤ 4, {len(means)} links: the success is the mean over who took part"
    c.exact(means, package, label)
    plain_risks, told_risks, by_package = [], [], []
    for A_, (n_, s_n) in product((half, lopsided), sizes(4)):
        plain_risks.append(worst_exact(n_, s_n, A_))
        told_risks.append(
            max(max(told(people, s_n, A_).values()) for people in tables_of(n_, A_))
        )
        inside = [
            response_match_probability(people, shown, transition=A_, record=0, slot=0)
            for people in tables_of(n_, A_)
            for shown in product((0, 1), repeat=s_n)
        ]
        by_package.append(max(inside))
    raised = [one < other for one, other in zip(plain_risks, told_risks)]
    label = "two matrices, n ≤ 4: a higher worst risk if she knows of the target"
    c.decisive("sampled").exact({*raised}, {True}, label)
    c.decisive("sampled").exact(told_risks, by_package, "that risk, two routes")
    gamma = (1 - 0.9) / (1 + 9 * 0.9)
    seen, left_out = 99 * gamma**2, 900 * gamma
    claimed = [1 / (1 + left_out + seen), 1 / (1 + seen)]
    journalist = match_probability(thousand, lines, **ask)
    prosecutor = response_match_probability(thousand, lines, **ask)
    label = "n = 1000: without and with the knowledge that the target took part"
    c.close([journalist, prosecutor], claimed, label, rtol=1e-9)
    sure = response_match_probability(town, (0, 1), transition=half, record=0, slot=0)
    unsure = played(town, 2, half)[(0, 1), 0, 0]
    by_hand = [Fraction(27, 27 + 3 + 18), Fraction(27, 27 + 3)]  # here, there, absent
    assert [unsure, sure] == by_hand
    c.limit(unsure, sure, "she knows that the target took part, a b b b shown as a b")

# %% [markdown]
# So when does sampling help? The paper's summary: when the table that is sampled is uncertain *to the
# attacker*, because her knowledge is limited or because something random was done before. Both hold, with an end: with strangers in the table, for
# who knows two records or more, all different, each further record in the sample raises the risk until it is 1, which may be before
# everybody is released (with three of four people known it is 1 for three records as for four). For who knows the target alone it is
# $1/n$ at every size: she takes all strangers for doubles. With noise each further record raises the risk in all cases tried, unless all rows of the matrix
# are alike: then nothing can be learnt, and nothing is left to gain.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def worst_believed(n, n0, s):
    """Largest success for who knows n0 values, all different, and takes each
    stranger for a draw from these, by enumeration."""
    rows = [[int(u == v) for v in range(n0)] for u in range(n0)]
    rows.append([Fraction(1, n0)] * n0)
    people = [*range(n0), *[n0] * (n - n0)]
    return max(played(people, s, rows).values())


with claim("K-3.4") as c:
    risks = [
        [worst_exact(n_, k_, A) for k_ in range(1, n_ + 1)]
        for A in (half, lopsided)
        for n_ in (2, 3, 4)
    ]
    twice_found = [
        [worst_played(n_, k_, A) for k_ in range(1, n_ + 1)]
        for A in (half, lopsided)
        for n_ in (2, 3, 4)
    ]
    c.exact(risks, twice_found, "noise, two matrices, n ≤ 4: these risks, two routes")
    rising = [one < other for row in risks for one, other in pairwise(row)]
    label = "noise, two matrices, n ≤ 4: the risk grows with every record sampled"
    c.decisive("sampled").exact({*rising}, {True}, label)
    believed = {
        (n_, n0_): [worst_believed(n_, n0_, k_) for k_ in range(1, n_ + 1)]
        for n_ in (2, 3, 4)
        for n0_ in range(2, n_ + 1)
    }
    grows = {
        (*size, k_)
        for size, row in believed.items()
        for k_, (one, other) in enumerate(pairwise(row), 1)
        if one < other
    }
    not_yet = {
        (n_, n0_, k_)
        for n_, n0_ in believed
        for k_ in range(1, n_)
        if n0_ < n_ and n_ - n0_ - (k_ - 1) >= 0
    }
    label = "2 to n records known, different, n ≤ 4: it grows exactly while n̂ ≥ 0"
    c.decisive("exhaustive").exact(grows, not_yet, label)
    label = "3 of 4 known: number of different risks for 1 to 4 records"
    c.limit(4, len({*believed[4, 3]}), label)
    blind = [[Fraction(1, 3), Fraction(2, 3)]] * 2
    alike = [worst_exact(3, k_, blind) for k_ in (1, 2, 3)]
    assert alike == [Fraction(1, 3)] * 3
    label = "rows alike, n = 3: number of different risks for 1 to 3 records"
    c.limit(3, len({*alike}), label)
    strangers = [*identity, [Fraction(1, 2), Fraction(1, 2)]]
    limited = [
        [
            match_probability([0, 1] + [2] * (n_ - 2), [0] + [1] * (k_ - 1),
                              transition=strangers, record=0, slot=0)
            for k_ in range(1, n_ + 1)
        ]
        for n_ in range(3, 8)
    ]  # fmt: skip
    rising = [one < other for row in limited for one, other in pairwise(row)]
    label = "two records known, one line with her value, n ≤ 7: it grows"
    c.exact({*rising}, {True}, label)
    last = [row[-1] for row in limited]
    c.exact({*last}, {1}, "everybody released, only one line shows it: certain")
assert all(row[-1] == 1 for row in believed.values())  # it grows until it is 1
for n_ in (2, 3, 4):  # who knows the target alone
    by_size = [worst_believed(n_, 1, k_) for k_ in range(1, n_ + 1)]
    assert by_size == [Fraction(1, n_)] * n_


# %% [markdown]
# These are the two ways that the rest of this part goes: limited knowledge in [notebook
# 2](02-sampling-alone.ipynb), PRAM and sampling in [notebook 3](03-pram-and-sampling.ipynb). One lemma, on the exchange of two
# people, serves both; it opens notebook 2. What the usual tools of disclosure control make of a rewritten release
# is a question for [notebook 4](04-the-exact-posterior.ipynb).
#
# ## Misprints
#
# The introduction names センサデータ (sensor data) as what is sampled at 1 % and 3 %; センサス, the census, is
# surely meant. Definition 2.1 takes a map into the slots only. The paragraph just above it has it right: there a record may also
# go to $\phi$, "not sampled". The table has four places like that. Some of these, as the lost prime of $r' \in \mathcal{R}$, are
# possibly the converter's.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def check_density(c):
    law = play(town, 2, half)[0]
    c.fails(law[0, 1] == 0, "n = 4, s = 2: a single release has a probability")
    by_hand = Fraction(9 + 1, 16) / 4 + Fraction(3, 16) / 2  # record 0 drawn, or not
    c.decisive("one example").exact(law[0, 1], by_hand, "that of a line 0, a line 1")
    c.exact(sum(law.values()), Fraction(1), "a mass function: it sums to one")


def check_map(c):
    people, line = "ab", "a"  # n = 2, s = 1: the sample is the first record
    total = [m for m in product([0], repeat=2) if all(
        line[q] == v for v, q in zip(people, m))]  # fmt: skip
    c.fails(len(total) > 0, "n = 2, s = 1, a b shown as a: no map into the slots")
    partial = [m for m in product((0, None), repeat=2) if m.count(0) == 1]
    good = [
        m
        for m in partial
        if all(q is None or line[q] == v for v, q in zip(people, m))
    ]
    c.exact(good, [(0, None)], "with φ there is exactly one")


def check_slots(c):
    behind = play((0, 1, 1), 1, identity)[1]
    slots = {slot for _, _, slot in behind}
    records = {record for _, record, _ in behind}
    c.differs(len(records), len(slots), "n = 3, s = 1: choices of r'")
    assert records == {0, 1, 2}
    c.exact(slots, {0}, "one slot, s = 1")


def check_intuition(c):
    blind = [[Fraction(1, 3), Fraction(2, 3)]] * 2  # rows alike: k = n
    risk, k = worst_played(3, 2, blind), pk_level(blind, 3, n_sampled=2)
    c.fails(risk < 1 / k, "n = 3, k = 3: a guess is right with chance 1/k")
    c.exact(risk, 1 / k, "with ≤, as in the definition")


at_phi = (
    r"$\pi: \mathcal{R} \to \mathcal{R}' \cup \{\phi\}$, as just above it; "
    r"$\delta(\tau) = \tau' \circ \pi$ on the sampled records"
)
records = misprints([
    ("K-2.3", "$f_X$ is a probability density", "a probability mass function",
     check_density),
    ("K-2.4", r"Definition 2.1: $\pi: \mathcal{R} \to \mathcal{R}'$",
     at_phi, check_map),
    ("K-2.6", r"section 2.2: $r' \in \mathcal{R}$", r"$r' \in \mathcal{R}'$",
     check_slots),
    ("K-2.8", r"cannot be guessed with probability $1/k$ or more",
     r"with more than $1/k$ (Definition 2.2 has $\le$)", check_intuition),
])  # fmt: skip

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Hidden in a crowd
# :label: ex-di-01-crowd
# ```
# **Warm-up.** Let a *crowd* be all people who share a value. Five people have value 0 and five have value 1; four are drawn, no noise, and
# the release shows 0 0 0 1. What are the match probabilities for an attacker who knows the table? Why do they
# not depend on how often a value is shown?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-01-crowd", ...)

# %% [markdown]
# ```{solution-start} ex-di-01-crowd
# :class: dropdown
# ```
# 1/5 for a record and a slot of the same value, else 0: given the release, each line of value 0 is any of the
# crowd of five by symmetry. The frequency in the release tells who *took part* (3/5 of them), not who is
# where.

# %% jupyter={"source_hidden": true} tags=["evidence"]
crowds, four = [0] * 5 + [1] * 5, [0, 0, 0, 1]
by_value = match_matrix(crowds, four, transition=identity, by="value")
assert by_value.tolist() == [[Fraction(1, 5), 0], [0, Fraction(1, 5)]]
took_part = membership_probability(crowds, four, transition=identity, record=0)
assert took_part == Fraction(3, 5)
check("di-01-crowd", by_value[0])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Certainly absent
# :label: ex-di-01-absent
# ```
# **Standard.** A measure called $\delta$-presence {cite:p}`nergiz2007hiding,nergiz2010` bounds the probability
# that a person is in the release from above *and from below*. Show by a sample without noise that an upper
# bound alone lets the attacker be certain of something.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-01-absent
# :class: dropdown
# ```
# Table *a b b*, release *b*: the one with value *a* is absent, with certainty. Every upper bound on the
# presence of the first record holds. Noise before the sample restores the doubt; how much of it,
# [notebook 4](04-the-exact-posterior.ipynb) says exactly, on both sides.

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert membership_probability([0, 1, 1], [1], transition=identity, record=0) == 0
doubtful = membership_probability([0, 1, 1], [1], transition=half, record=0)
assert 0 < doubtful < Fraction(1, 3)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A rumour about the target
# :label: ex-di-01-rumour
# ```
# **Standard.** Between journalist and prosecutor: the attacker has heard a rumour that gives odds $\omega$ to
# "the target took part", where the sampling rate would give $p/(1-p)$. The table is *homogeneous*: the target has one
# value and all others share another. Retention PRAM with $\gamma$ (least ratio of two entries of a column), and the release shows
# the target's value in one slot and the others' value in all others. Write her success for that slot as a function of $\omega$, and
# check both ends. Does her success say what the target's *illness* is, if the line has one {cite:p}`machanavajjhala2007`?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-01-rumour", ...)


# %% [markdown]
# ```{solution-start} ex-di-01-rumour
# :class: dropdown
# ```
# The rumour multiplies the weight of every sample with the target by $\lambda = \omega (1-p)/p$. The $n - s$
# terms of the journalist belong to samples without the target, so
# $1/\text{success} = 1 + (n - s)\gamma/\lambda + (s - 1)\gamma^2$: for $\lambda = 1$ she is the journalist, for
# $\lambda \to \infty$ the prosecutor. The illness is learnt at least as often as the link is right, and more often
# where several lines name the same one.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def her_success(n, s, gamma, odds):
    factor = odds * Fraction(n - s, s)
    return 1 / (1 + (n - s) * gamma / factor + (s - 1) * gamma**2)


def rumour(people, lines, A, factor):
    """Success when samples with record 0 count `factor` times, by enumeration."""
    total = hit = Fraction(0)
    for order in permutations(range(len(people)), len(lines)):
        weight = Fraction(prod(A[people[r]][v] for r, v in zip(order, lines)))
        weight *= factor if 0 in order else 1
        total += weight
        hit += weight * (order[0] == 0)
    return hit / total


five, third = (0, 1, 1, 1, 1), least_ratio(half)
for odds in (Fraction(3, 2), Fraction(7, 2), Fraction(1000)):
    factor = odds * Fraction(5 - 3, 3)
    formula = her_success(5, 3, third, odds)
    assert rumour(five, (0, 1, 1), half, factor) == formula
three_lines = match_matrix(five, (0, 1, 1), transition=half)
assert rumour(five, (0, 1, 1), half, 1) == three_lines[0, 0]
check("di-01-rumour", her_success)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two samples of one table
# :label: ex-di-01-twice
# ```
# **Research.** An office publishes two independent samples of $s$ from the same $n$ records, without noise. For
# which $\delta$ is the pair $(0, \delta)$-differentially private? And with PRAM, does it matter whether the table is
# rewritten once, before both draws, or anew for each?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-01-twice", ...)


# %% [markdown]
# ```{solution-start} ex-di-01-twice
# :class: dropdown
# ```
# Only samples with $r$ differ, and $r$ is in one of the two with probability $1 - (1 - p)^2$: that is
# $\delta$, attained by a unique value. With PRAM it matters. Rewritten anew, the two releases are independent and the levels
# add up to $2\varepsilon'$, attained where both show what makes one of them largest. Rewritten once, $r$ has only one rewritten value to betray: the pair is made from one
# private table, so its level is at most $\varepsilon$, and where $2\varepsilon' > \varepsilon$ once is better. At $n = 2$,
# $s = 1$, $e^\varepsilon = 3$ it is $e^{2\varepsilon'} = 4$ anew and 11/5<!-- {shown_once} --> once. Where $2\varepsilon' \le \varepsilon$ this argument
# does not decide. Once is lower there as well in every small case that we tried (17/9<!-- {in_text['once-three']} --> against
# 25/9<!-- {in_text['anew-three']} --> for one of three people at $e^\varepsilon = 3$); whether always is open to us.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def in_one_of_two(n, s):
    return 1 - (1 - Fraction(s, n)) ** 2


def two_releases(people, s, A, *, once):
    """Law of two samples of one table, rewritten once or anew for each."""
    law = Counter()
    draws = list(permutations(range(len(people)), s))
    if not once:
        single = play(people, s, A)[0]
        for one, two in product(single, repeat=2):
            law[one, two] = single[one] * single[two]
        return law
    for shown in product(range(len(A[0])), repeat=len(people)):
        weight = Fraction(prod(A[u][v] for u, v in zip(people, shown)))
        for first, second in product(draws, repeat=2):
            pair = tuple(tuple(shown[r] for r in order) for order in (first, second))
            law[pair] += weight / len(draws) ** 2
    return law


def compared(n, s, A, *, once):
    """Largest difference and largest ratio between neighbours."""
    gaps, ratios = [], []
    for people, others in neighbours(n, len(A)):
        P = two_releases(people, s, A, once=once)
        Q = two_releases(others, s, A, once=once)
        gaps.append(sum(max(P[x] - Q[x], 0) for x in P))
        ratios += [P[x] / Q[x] for x in P if P[x] and Q[x]]
    return max(gaps), max(ratios)


for n_, s_n in sizes(3):
    rate = Fraction(s_n, n_)
    assert compared(n_, s_n, identity, once=True)[0] == in_one_of_two(n_, s_n)
    anew = compared(n_, s_n, half, once=False)[1]
    assert anew == (1 + rate * (3 - 1)) ** 2
    assert compared(n_, s_n, half, once=True)[1] <= 3
once = compared(2, 1, half, once=True)[1]
assert once < compared(2, 1, half, once=False)[1] == 4
shown_once = str(once)
undecided = []
for (n_, s_n), percent in product(sizes(3), (10, 50, 98)):
    B = retention_matrix(Fraction(percent, 100), 2)
    both = [compared(n_, s_n, B, once=how)[1] for how in (True, False)]
    undecided += [both] * (both[1] <= 1 / least_ratio(B))
    assert both[0] < both[1]
assert len(undecided) >= 2
three_people = [compared(3, 1, half, once=how)[1] for how in (True, False)]
assert three_people == [Fraction(17, 9), Fraction(25, 9)] in undecided
in_text = {}
for name, x in zip(("once", "anew"), three_people):
    in_text[f"{name}-three"] = str(x)
check("di-01-twice", in_one_of_two)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - An attack is a conditional probability: record $r$ behind slot $r'$, given the release. Pk-anonymity
#   bounds it by $1/k$ for every attacker, and attackers who know the whole table are the worst.
# - Against them a sample alone does not lower the worst case: nobody who is unique and drawn is protected. It is exactly $(0, s/n)$-differentially private; with
#   noise before it, $e^{\varepsilon'} = 1 + \frac sn (e^\varepsilon - 1)$ for every matrix.
# - What helps is uncertainty about the table: limited knowledge, or noise before the sample.
# - All of it rests on the attacker not knowing who took part. Against one who does, a unique line in a plain
#   sample is certain, and noise that is light enough for a small sample hardly helps.
#
# **Further reading.** Kikuchi's paper {cite:p}`kikuchi`, Ikarashi and others on PRAM and Pk-anonymity
# {cite:p}`ikarashi2015kanonymous`, Franconi and Polettini on individual risk
# {cite:p}`franconi2004individual`. **Next:** [what a sample alone protects](02-sampling-alone.ipynb).
