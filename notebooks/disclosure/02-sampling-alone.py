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
# # What does a sample alone protect?
#
# You are in a survey of ten thousand people, of whom one thousand were drawn and published without names.
# A colleague knows your answers and finds exactly one line with them. Is it you? Perhaps it is your double,
# and you were never drawn. How sure the colleague can be depends on one thing only: how many doubles she
# thinks you have. This notebook follows a paper that puts a number on it, proves the number in three lines,
# and then asks the 32,561 people of a real file whether it is true.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** one lemma that the whole part rests on, why the paper's double sum is the fraction
# $n_0/(n - s + 1)$, which release is really the worst, and how often six attackers are right in a real file, beside
# how often they think so.
# **You need** conditional probability, binomial coefficients and the definitions of
# [notebook 1](01-who-attacks.ipynb). It reads the file Adult {cite:p}`uci2adult`, which is downloaded once.
# **Time:** 30 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** $s = pn$ of $n$ records, drawn without replacement and shuffled, values unchanged. **The
# attacker** knows the values of $n_0$ records, the target's among them, the numbers $n$ and $s$, and *not*
# who was sampled; about the other $n - n_0$ records she has a belief. **Protected:** which *slot* (line) of the
# release shows the target. **Not protected:** whoever stands on a line that no other line equals, against an attacker
# who knows that the target was sampled, or who knows the whole table.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import accumulate, combinations_with_replacement, permutations, product
from math import comb, factorial, log, prod
from operator import mul

import matplotlib.pyplot as plt
import mpmath
import numpy as np
import sympy as sp
from scipy import stats

from privlib.disclosure import anonymity, linkage, sampling
from privlib.disclosure.linkage import linkage_beliefs, log_loss
from privlib.disclosure.posterior import match_probability
from privlib.notebook import claim, datasets, derivation, misprints, plots, table

plots.use()
rng = np.random.default_rng(2026)


# %% [markdown]
# ## Who is this attacker?
#
# Pk-anonymity asks for a probability of at most $1/k$ against *every* attacker, so also against somebody who knows
# the whole table. What does a sample do against her? The answer is in the release. If it shows your value on $f$
# lines, at least $f$ people have it, and each line is you with probability at most $1/f$. If everybody with that
# value was drawn, it is exactly that.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def worst_table(release, n):
    """Largest chance of a slot over all tables of n records, table known."""
    found = []
    for people in product("abc", repeat=n):
        left = Counter(people) - Counter(release)
        if sum(left.values()) == n - len(release):  # the table can give this release
            found += [Fraction(1, people.count(v)) for v in release]
    return max(found)


releases = ["a", "aa", "ab", "aaa", "aab", "abc", "aaaa", "aaab", "aabb", "aabc"]
by_tables = [worst_table(tuple(release), 4) for release in releases]
by_package = [
    max(
        match_probability(
            [ord(v) - 97 for v in people], [ord(v) - 97 for v in release],
            transition=np.eye(3, dtype=int).tolist(), record=record, slot=slot,
        )
        for people in product("abc", repeat=4)
        if not Counter(release) - Counter(people)
        for record in range(4)
        for slot in range(len(release))
    )
    for release in releases
]  # fmt: skip
with claim("K-4.1") as c:
    least = [Fraction(1, min(Counter(release).values())) for release in releases]
    label = "n = 4, three values, all releases and tables: one over the least f"
    c.decisive("exhaustive").exact(by_package, least, label)
    c.exact(by_tables, least, "the same by counting people")
    unprotected = [r for r, risk in zip(releases, by_package) if risk == 1]
    once = [r for r in releases if 1 in Counter(r).values()]
    c.exact(unprotected, once, "certainty exactly where a value is shown once")


# %% [markdown]
# So the *process* cannot promise more than $k = 1$: some release shows a value once. (A release that happens to show
# every value $k$ times is safe at level $k$, from this attacker too; [notebook 4](04-the-exact-posterior.ipynb) makes a
# theorem of it.) Section 4 of the paper {cite:p}`kikuchi` therefore restricts what the attacker knows.
#
# ```{prf:definition} Risk against one attacker; the paper's Definition 4.1
# :label: def-di-02-risk
# A release process and a release have *identification risk* (個人識別リスク) $\xi$ for the attacker with
# belief $f_T$ if for every record $r$ and every slot $r'$ of the release
# $\Pr[\Pi(r) = r' \mid T' = \tau'] \le \xi$.
# ```
#
# ```{prf:definition} The attacker of equation (1)
# :label: def-di-02-attacker
# The attacker knows the table $\tau_0$ of $n_0$ records. Each other record has, independently, the value
# of a known record picked at random: $f_T(\tau) = \prod_r c_{\tau(r)} / n_0$, where $c_v$ known records
# have the value $v$ and $r$ runs through the unknown ones.
# ```
#
# With a handful of records we need no theory: write down every table that the attacker holds possible and
# every ordered sample of it. Records and slots count from 0 in the code and from 1 in the paper.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def worlds(known, n, s):
    """Every (probability, table, order) that the attacker holds possible."""
    for unknown in product(sorted(set(known)), repeat=n - len(known)):
        belief = prod(
            (Fraction(known.count(v), len(known)) for v in unknown), start=Fraction(1)
        )
        for order in permutations(range(n), s):
            yield (
                belief * Fraction(factorial(n - s), factorial(n)),
                known + unknown,
                order,
            )


def successes(known, n, s):
    """Pr[record behind slot | release], for every possible release."""
    law, behind = Counter(), Counter()
    for weight, people, order in worlds(known, n, s):
        release = tuple(people[record] for record in order)
        law[release] += weight
        for slot, record in enumerate(order):
            behind[release, record, slot] += weight
    return {key: weight / law[key[0]] for key, weight in behind.items()}


# %%
small = successes(("a", "b"), 4, 2)  # knows a and b; two unknown records; two slots
for release in (("a", "b"), ("a", "a")):
    chance = [small[release, record, 0] for record in (0, 2, 3)]
    print("release", *release, "- first slot: the known a", chance[0], end="; ")
    print("an unknown record", chance[1], "each")

# %% jupyter={"source_hidden": true} tags=["evidence"]
worst_422 = str(max(small.values()))
assert max(small.values()) == small[("a", "b"), 0, 0]
assert small[("a", "a"), 0, 0] < Fraction(1, 2)


# %% [markdown]
# One line with your value, and the colleague is right with probability
# 4/7<!-- {worst_422} -->. Two lines with it make you safer. Where does the number come from?
#
# ## Who else could it be?
#
# Ask of every way in which the line is you, in which ways it could have been somebody else instead. An *arrangement*
# $\sigma$ puts a different record $\sigma(j)$ behind every slot $j$. Let $L_x(a)$ be the probability that record $x$
# shows the value $a$: 1 or 0 for a known record, the believed share of $a$ for an unknown one (and in
# [notebook 3](03-pram-and-sampling.ipynb) a row of PRAM's matrix). A release that shows $a_1, \dots, a_s$ gives the
# arrangement the *weight* $w(\sigma) = \prod_j L_{\sigma(j)}(a_j)$. For the target $r$ and another record $t$ let
# $\sigma^t$ be $\sigma$ with $r$ and $t$ exchanged, wherever they are.
#
# In the example above the target is record 0 with the value a, record 1 is the known b, and records 2 and 3 show a or
# b with probability $\frac12$ each. The release is a b. These are all arrangements with the target in the first slot,
# their weights, and what exchanges with records 1, 2 and 3 make of them:

# %% jupyter={"source_hidden": true} tags=["set-up"]
def weigh(rows, release):
    """Weight of every arrangement; rows[x] is the law of what record x shows."""
    return {
        order: prod(rows[x].get(a, 0) for x, a in zip(order, release))
        for order in permutations(range(len(rows)), len(release))
    }


def swapped(order, t, r=0):
    """Exchange records r and t, wherever they are."""
    return tuple({r: t, t: r}.get(x, x) for x in order)


# %%
half = Fraction(1, 2)
weights = weigh([{"a": 1}, {"b": 1}, *[{"a": half, "b": half}] * 2], "ab")
for order in [(0, 1), (0, 2), (0, 3)]:
    images = [swapped(order, t) for t in (1, 2, 3)]
    print(order, "weighs", weights[order], end=", becomes ")
    print(*(f"{image} {weights[image]}" for image in images), sep=", ")


# %% [markdown]
# The three weigh 2 together, their nine images $\frac32$, and the nine images are the nine other arrangements, each
# once. So the odds for the target are $2 : \frac32$, which is $\frac47$. That the images miss nobody is no accident.
#
# ```{prf:theorem} Swap lemma
# :label: thm-di-02-swap
# If the probability is positive,
#
# $$ \frac{1}{\Pr[\Pi(r) = r' \mid \tau']} = 1 + \frac{\sum_{\sigma(r') = r} \sum_{t \ne r} w(\sigma^t)}
# {\sum_{\sigma(r') = r} w(\sigma)} . $$
#
# Where $w(\sigma) > 0$ we have $w(\sigma^t) = \rho_t\, w(\sigma)$. With $a$ the value of slot $r'$,
# $\rho_t = \frac{L_t(a)}{L_r(a)}$ for the $n - s$ records $t$ in no slot of $\sigma$, and
# $\rho_t = \frac{L_t(a)\, L_r(b)}{L_r(a)\, L_t(b)}$ for the $s - 1$ records $t$ in another slot, which shows $b$.
# ```
#
# *Proof.*
# 1. Before the release all $n!/(n - s)!$ arrangements are equally likely: a sample without replacement, then a shuffle.
# 2. Given $\sigma$, the release has probability $w(\sigma)$: records show their values independently.
# 3. So after it $\sigma$ has probability $w(\sigma)/W$, where $W$ is the sum of all weights.
# 4. Let $S$ be the arrangements with $r$ behind $r'$, and $S'$ the others. By 3, $1/\Pr = 1 + w(S')/w(S)$.
# 5. For $\sigma \in S$ and $t \ne r$, $\sigma^t$ has $t$ behind $r'$, so it is in $S'$.
# 6. For $\sigma' \in S'$ take $t = \sigma'(r')$ and exchange back: $(\sigma')^t \in S$. No other pair $(\sigma, t)$ leads
#    to $\sigma'$, since $t$ must be $\sigma'(r')$, and exchanging twice changes nothing.
# 7. So $(\sigma, t) \mapsto \sigma^t$ is one to one from the pairs onto $S'$; with 4 this is the formula.
# 8. If $t$ is in no slot, only slot $r'$ changes its record, from $r$ to $t$: a factor $L_t(a)/L_r(a)$.
# 9. If $t$ is in a slot with $b$, that slot changes too, from $t$ to $r$: a further factor $L_r(b)/L_t(b)$.
# 10. Besides $r$, $\sigma$ has $s - 1$ records in slots, and $n - s$ in none. ∎
#
# *Mind the zeros.* In the formula $w(\sigma^t)$ may be positive where $w(\sigma)$ is 0, and then no ratio $\rho_t$ says so.
# With the ratios alone, the right side is a lower bound of $1/\Pr$, which is what bounds on the risk need. It is an
# equality if no $L$ is 0, and for a known target whose value is not rewritten. The smallest case where it is not: the attacker knows a and b, the
# third record is unknown, the release is a b, and the target is the *unknown* record: $1/\Pr$ is
# 4<!-- {zeros_exact} -->, and the ratios give 3<!-- {zeros_ratios} -->.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def by_exchange(weights, r, slot=0):
    """1/Pr by the lemma, and with exchanges of possible arrangements only."""
    mine = [order for order in weights if order[slot] == r]
    others = {record for order in weights for record in order} - {r}
    mass = sum(weights[order] for order in mine)
    images, possible = (
        sum(
            weights[swapped(o, t, r)]
            for o in mine
            if weights[o] or zeros
            for t in others
        )
        for zeros in (True, False)
    )
    return (
        (1 + Fraction(images) / mass, 1 + Fraction(possible) / mass) if mass else None
    )


def known_tables(n0):
    """Every known table, up to the names of the values."""
    for people in combinations_with_replacement("abcdef"[:n0], n0):
        counts = [people.count(v) for v in "abcdef"]
        if counts == sorted(counts, reverse=True):
            yield people


def laws(known, n):
    """What the attacker of equation (1) expects every record to show."""
    rumour = {v: Fraction(known.count(v), len(known)) for v in known}
    return [{v: 1} for v in known] + [rumour] * (n - len(known))


up_to_four = [
    (known, n_, s_)
    for n_ in range(1, 5)
    for n0_ in range(1, n_ + 1)
    for known in known_tables(n0_)
    for s_ in range(1, n_ + 1)
]
listed = {size: successes(*size) for size in up_to_four}  # record by record

lemma, of_known, chances = [], [], []
for (known, n_, _), told in listed.items():
    for (release, r, slot), chance in told.items():
        both = by_exchange(weigh(laws(known, n_), release), r, slot)
        lemma.append(both[0])
        of_known += [both] * (r < len(known))
        chances.append(chance)

onto = []  # each other arrangement, how often?
for size, slots in ((n_, s_) for n_ in range(2, 7) for s_ in range(1, n_ + 1)):
    orders = list(permutations(range(size), slots))
    mine = [order for order in orders if order[0] == 0]
    images = Counter(swapped(o, t) for o in mine for t in range(1, size))
    onto.append(images == Counter(order for order in orders if order[0] != 0))

L = sp.Matrix(4, 4, lambda x, j: sp.Symbol(f"L_{x}{j}", positive=True))
images_of, by_ratio, kinds = [], [], []
for slots in (2, 3, 4):
    for order in permutations(range(4), slots):
        if order[0] == 0:
            weight = prod(L[x, j] for j, x in enumerate(order))
            out = [t for t in range(1, 4) if t not in order]
            kinds.append((len(out), 3 - len(out)) == (4 - slots, slots - 1))
            for t in range(1, 4):
                rho = L[t, 0] / L[0, 0]
                if t in order:
                    rho *= L[0, order.index(t)] / L[t, order.index(t)]
                images_of.append(
                    prod(L[x, j] for j, x in enumerate(swapped(order, t)))
                )
                by_ratio.append(rho * weight)

lopsided = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
least_k = [
    min(
        by_exchange(
            weigh([dict(enumerate(lopsided[v])) for v in people], release), 0
        )[0]
        for people in product((0, 1), repeat=4)
        for release in product((0, 1), repeat=s_)
    )
    for s_ in (1, 2, 3, 4)
]
zeros = by_exchange(weigh(laws(("a", "b"), 3), "ab"), 2)
with claim("K-B5") as c:
    label = "n ≤ 6, all s: the exchanges reach every other arrangement, and once"
    c.decisive("exhaustive").exact(onto, [True] * (2 + 3 + 4 + 5 + 6), label)
    label = "n = 4, free symbols: each exchange multiplies the weight by its ratio"
    c.decisive("exhaustive").exact(images_of, by_ratio, label)
    label = f"n ≤ 4, {len(chances):,} posteriors of equation (1), record by record"
    c.decisive("exhaustive").exact(lemma, [1 / chance for chance in chances], label)
    level = [anonymity.pk_level(lopsided, 4, n_sampled=s_) for s_ in (1, 2, 3, 4)]
    label = "PRAM with a lopsided matrix, n = 4: least k over tables and releases"
    c.exact(least_k, level, label + ", and Theorem 5.1")
    c.holds(all(kinds), "n − s records in no slot, s − 1 in another one")
    label = "known targets: the ratios alone give the same"
    c.exact([x for x, _ in of_known], [y for _, y in of_known], label)
assert zeros == (4, 3)
assert by_exchange(weights, 0) == (Fraction(7, 4),) * 2
zeros_exact = int(zeros[0])
zeros_ratios = int(zeros[1])

# %% [markdown]
# The exchange is hidden in the paper's proof of Theorem 5.1, in the fourth line of sums. As one lemma it serves sampling as
# well. Now to the paper's own number.
#
# ## A double sum that is one fraction
#
# ```{admonition} As printed
# :class: as-printed
# With $\hat n = n - n_0 - (pn - 1)$, the risk against the attacker of equation (1), for every $\tau_0$ and
# $\tau'$, is
# $\displaystyle\sum_{i<\hat n}\binom{\hat n}{i-1}\frac1{\sum_{j<\hat n} j\binom{\hat n}{j-1}(n_0-1)^{i-j}}$ .
# *(Claim 4.1, 主張 4.1)*
# ```
#
# Take the paper's candidate for the worst case: the target's value is unique among
# the known records and stands once in the release, and none of the other $s - 1$ slots can be a known
# record. Then $s - 1$ unknown records are used up, $\hat n$ are left out, and the number of records with
# the target's value is $N = 1 + X$, $X \sim \mathrm{Bin}(\hat n, 1/n_0)$. Given $N = i$, the one line is
# the target with probability $1/i$; and a release with one such line is $i$ times as likely. So
#
# $$ \text{risk} = \frac{\sum_i \frac1i \cdot i \Pr(N = i)}{\sum_j j \Pr(N = j)} = \frac{1}{\operatorname{E}[N]} . $$
#
# The posterior of $N$ is *size-biased*, and a size-biased expectation of $1/N$ is $1/\operatorname{E}[N]$: nothing is left
# to sum. The mean of $N$ is the slope of its generating function $G(z) = \operatorname{E}[z^N]$ at $z = 1$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
left_out, n0, n, s, z = sp.symbols("nhat n_0 n s z", positive=True)
spelled = {left_out: r"\hat n"}
G = z * (1 - 1 / n0 + z / n0) ** left_out
slope = sp.Subs(sp.Derivative(G, z), z, 1)
size_bias = (
    derivation(1 / slope, of=r"\frac{1}{\mathrm{E}[N]}", names=spelled)
    .equal(1 / (1 + left_out / n0), "product rule, at $z = 1$")
    .equal(n0 / (n0 + left_out), "multiply by $n_0$")
)
size_bias


# %% [markdown]
# ```{prf:theorem} The paper's Claim 4.1, corrected
# :label: thm-di-02-claim
# For $\hat n \ge 0$ no posterior of this attacker exceeds
# $\xi = \dfrac{n_0}{n_0 + \hat n} = \dfrac{n_0}{n - s + 1} = \dfrac{n_0}{(1-p)n + 1}$:
# for no $\tau_0$, no release, no record, no slot. For $n_0 \ge 2$ it is the sum over all $i, j = 1, \dots, \hat n + 1$.
# ```
#
# The printed limits stop two terms early, since $N$ runs from 1 to $\hat n + 1$. How much does that change?

# %% jupyter={"source_hidden": true} tags=["evidence"]
def double_sum(m, known_n, top):
    """The printed expression with both sums from 1 to top."""
    span = range(1, top + 1)
    return sum(
        sp.binomial(m, i - 1)
        / sum(j * sp.binomial(m, j - 1) * (known_n - 1) ** (i - j) for j in span)
        for i in span
    )


def law_of(m, known_n):
    """The law of N, by adding up m coins."""
    law = {1: Fraction(1)}
    for _ in range(m):
        grown = Counter()
        for i, weight in law.items():
            grown[i] += weight * Fraction(known_n - 1, known_n)
            grown[i + 1] += weight * Fraction(1, known_n)
        law = grown
    return law


def conditional(m, known_n):
    """1 / E[N | N < m] for N = 1 + Bin(m, 1/n0); 0 where nothing is left."""
    law = law_of(m, known_n)
    mean = sum(i * law[i] for i in range(1, m))
    return sum(law[i] for i in range(1, m)) / mean if mean else Fraction(0)


full = [double_sum(m, n0, m + 1) - n0 / (n0 + m) for m in range(7)]
sizes = [(5, 2, 2), (6, 2, 2), (7, 2, 2), (10, 2, 3), (20, 2, 5), (50, 3, 10)]
printed = [conditional(n_ - n0_ - s_ + 1, n0_) for n_, n0_, s_ in sizes]
fraction = [
    sampling.identification_risk(n_, n0_, n_sampled=s_) for n_, n0_, s_ in sizes
]
table(
    {"$n$": [size[0] for size in sizes], "$n_0$": [size[1] for size in sizes],
     "$s$": [size[2] for size in sizes],
     r"$\hat n$": [n_ - n0_ - s_ + 1 for n_, n0_, s_ in sizes],
     "as printed": printed, "fraction": fraction,
     "ratio − 1": [float(x / y - 1) for x, y in zip(printed, fraction)]},
    formats={"as printed": ".6f", "fraction": ".6f", "ratio − 1": ".1e"},
    caption="The double sum with the printed limits, and what the full one is.",
)  # fmt: skip

# %% [markdown]
# The printed value is never too small, unless $\hat n \le 1$, where the printed sum is empty. Why? Because it is
# $1/\operatorname{E}[N \mid N < \hat n]$, and to be told that $N$ is small does not raise its mean: with $q = \Pr(N \ge \hat n)$,
# $E_1 = \operatorname{E}[N \mid N < \hat n] < \hat n$ and $\operatorname{E}[N \mid N \ge \hat n] = E_1 + d$,

# %% jupyter={"source_hidden": true} tags=["evidence"]
q, d, E1 = sp.symbols("q d E_1", positive=True)
conditioned = (
    derivation((1 - q) * E1 + q * (E1 + d), of=r"\mathrm{E}[N]")
    .equal(E1 + q * d, "collect")
    .at_least(E1, "$q, d \\ge 0$", by="coefficients")
)
conditioned

# %% [markdown]
# So the printed value is a bound wherever it is defined, $\hat n \ge 2$ and $n_0 \ge 2$. That leaves the question
# whether the fraction is one.
#
# ## Is it a bound?
#
# For every known table, every release, every record and every slot? The lemma answers. Let the target be known and
# have the value $v$. Which records $t$ count, if they take its place?
#
# 1. An unknown record in no slot counts $q_v = c_v/n_0$; in another slot, 1 if that shows $v$, too, and 0 otherwise. Another
#    known record counts 1 if it has the value $v$, in a slot or not, and 0 if not. So
#    $\frac{1}{\Pr} = c_v + q_v\, \operatorname{E}[U] + \operatorname{E}[V]$, with $U$ the unknown records in no slot and $V$ those in other slots that
#    show $v$.
# 2. If known records are behind $K$ of the other $s - 1$ slots, unknown ones are behind $s - 1 - K$, and
#    $U = n - n_0 - (s - 1 - K) = \hat n + K$ are left.
#
# The paper names the two inequalities that remain: a value is rarest if it is unique, $c_v \ge 1$, and at least $\hat n$ unknown
# records are left out. With $c_v = 1 + e$ and for $\hat n \ge 0$ (means over arrangements of the target's, in
# proportion to their weights):

# %% jupyter={"source_hidden": true} tags=["evidence"]
e, K, V = sp.symbols("e K V", nonnegative=True)
bound = (
    derivation((1 + e) + (1 + e) / n0 * (left_out + K) + V, names=spelled,
               of=r"\frac{1}{\Pr}")
    .at_least(1 + left_out / n0, "$e, K, V \\ge 0$", by="coefficients")
    .equal((n0 + left_out) / n0, "one fraction")
)  # fmt: skip
bound


# %% [markdown]
# For an *unknown* target every other unknown record counts 1, and some known record at least 1 more, if its value is
# possible at all; so $\frac1\Pr \ge n - n_0 + 1$, which is no less than $1 + \hat n/n_0$. Both halves are tried on every case
# with up to six records: up to four record by record, beyond by the law of the counts (multinomial belief,
# hypergeometric sample), in which no record and no slot occurs.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def risks_by_counts(known, n, shown):
    """Chances of a slot for known and for unknown records, from counts alone."""
    n0_, m = sum(known), n - sum(known)
    evidence, inverse = Fraction(0), [Fraction(0)] * len(known)
    for unknown in product(range(m + 1), repeat=len(known)):
        if sum(unknown) == m:
            weight = Fraction(factorial(m))
            for c_, k, f in zip(known, unknown, shown):
                weight *= Fraction(c_, n0_) ** k / factorial(k) * comb(c_ + k, f)
            evidence += weight
            for v, (c_, k) in enumerate(zip(known, unknown)):
                inverse[v] += weight / (c_ + k)
    if not evidence:
        return []
    means = [(c_, part / evidence) for c_, part, f in zip(known, inverse, shown) if f]
    strangers = [(1 - c_ * mean) / m for c_, mean in means] if m else []
    return [mean for _, mean in means] + strangers  # somebody is behind each slot


worst, from_counts = {}, {}
span = range(1, 7)
for n_, n0_, s_ in (size for size in product(span, repeat=3) if max(size) == size[0]):
    found = [Fraction(0)]
    for known in known_tables(n0_):
        counts = [known.count(v) for v in sorted(set(known))]
        for shown in product(range(s_ + 1), repeat=len(counts)):
            if sum(shown) == s_:
                found += risks_by_counts(counts, n_, shown)
    from_counts[n_, n0_, s_] = worst[n_, n0_, s_] = max(found)
by_list = {}
for (known, n_, s_), told in listed.items():
    size = n_, len(known), s_
    by_list[size] = max(by_list.get(size, 0), *told.values())

with claim(
    "K-4.6",
    printed=r"$\sum_{i<\hat n}$ and $\sum_{j<\hat n}$",
    corrected=r"$i, j = 1..\hat n + 1$; for $n_0 \ge 2$ the sum is then "
    r"$\frac{n_0}{n - s + 1}$, and the bound is 1 for $\hat n < 0$",
    consequence=r"The printed sum is $1/\mathrm{E}[N \mid N < \hat n]$, still an "
    r"upper bound for $\hat n \ge 2$, $n_0 \ge 2$. Later results do not use it.",
) as c:
    empty = double_sum(1, sp.Integer(2), 0)
    label = f"n = 4, n0 = 2, s = 2: the printed sum is {empty}, a posterior "
    c.fails(by_list[4, 2, 2] <= empty, label + str(by_list[4, 2, 2]))
    c.decisive().derived(size_bias, 1 / slope, n0 / (n0 + left_out), "1/E[N]")
    label = "the full double sum as a function of n0, n̂ ≤ 6"
    nothing = [sp.Integer(0)] * len(full)
    c.decisive("exhaustive").exact(
        [sp.cancel(sp.together(x)) for x in full], nothing, label
    )
    first = (1 + e) + (1 + e) / n0 * (left_out + K) + V
    c.decisive().derived(bound, first, (n0 + left_out) / n0, "1/Pr of a known record")
    allowed = {
        (n_, n0_, s_): sampling.identification_risk(n_, n0_, n_sampled=s_)
        for n_, n0_, s_ in worst
    }
    over = [size for size, risk in worst.items() if risk > allowed[size]]
    label = f"sizes (n, n0, s) up to n = 6 with a violation, of {len(worst)}"
    c.decisive("exhaustive").exact(over, [], label)
    same = {size: from_counts[size] for size in by_list}
    c.exact(by_list, same, "n ≤ 4: largest posterior record by record, by counts")
    label = "as printed: the limits by the display, by E[N | N < n̂]"
    by_display = [double_sum(m, sp.Integer(3), m - 1) for m in range(2, 7)]
    c.exact([conditional(m, 3) for m in range(2, 7)], by_display, label)
    c.derived(conditioned, (1 - q) * E1 + q * (E1 + d), E1, "the printed limits lose")
    lost = [
        (m, k)
        for m in range(2, 16)
        for k in range(2, 8)
        if conditional(m, k) < Fraction(k, k + m)
    ]
    c.exact(lost, [], "2 ≤ n̂ < 16, n0 < 8: printed below the fraction")

# %% jupyter={"source_hidden": true} tags=["evidence"]
fewest = {}
for known, n_, s_ in up_to_four:
    n0_ = len(known)
    fewest[n_, n0_, s_] = min(
        sum(record not in order for record in range(n0_, n_))
        for order in permutations(range(n_), s_)
        if set(order) & set(range(n0_))  # the target, a known record, is sampled
    )
shares = {
    known: [Fraction(known.count(v), len(known)) for v in known]
    for k in range(1, 7)
    for known in known_tables(k)
}
with claim("K-4.8") as c:
    expected = {k: max(0, k[0] - k[1] - (k[2] - 1)) for k in fewest}
    assert len(fewest) == 1 + 4 + 9 + 16  # n0 and s from 1 to n
    label = "n ≤ 4: the least number of unknown records left out is n̂, or 0"
    c.decisive("exhaustive").exact(fewest, expected, label)
    rarest = {known: {v for v, x in zip(known, of) if x == Fraction(1, len(known))}
              for known, of in shares.items()}  # fmt: skip
    unique = {known: {v for v in known if known.count(v) == 1} for known in shares}
    label = "n0 ≤ 6, all known tables: the values of share 1/n0 are the unique ones"
    c.decisive("exhaustive").exact(rarest, unique, label)
    below = [known for known, of in shares.items() for x in of if x * len(known) < 1]
    c.decisive("exhaustive").exact(below, [], "and no share is smaller")

hits, cases = Counter(), Counter()
for known, n_, s_ in up_to_four:
    for weight, people, order in worlds(known, n_, s_):
        seen = known, n_, tuple(people[k] for k in order), people.count(people[0])
        if seen[2][0] == people[0]:  # the first slot shows the first record's value
            cases[seen] += weight
            hits[seen] += weight * (order[0] == 0)
with claim("K-4.9") as c:
    given = {key: hits[key] / cases[key] for key in cases}
    one_of = {key: Fraction(1, key[-1]) for key in cases}
    assert len(up_to_four) == 1 + 2 * 3 + 3 * 6 + 4 * 11  # s times known tables
    label = "n ≤ 4, all tables, releases: 1/i, given that i people have the value"
    c.decisive("exhaustive").exact(given, one_of, label)

# %% [markdown]
# ## Is the bound reached?
#
# The paper's worst release shows, next to the target, $s - 1$ values that *nobody
# known* has. Under equation (1) unknown records have only values of known ones, so for $s \ge 2$ that
# release has probability 0. The bound survives; the worst release that can happen is a milder one.
#
# ```{prf:theorem} Exact worst case
# :label: thm-di-02-worst
# For $n_0 \ge 2$ and $\hat n \ge -1$ the largest risk among possible releases is
# $\dfrac{n_0}{n_0 + \hat n + \kappa}$ with $\kappa = \dfrac{n_0 (s-1)}{n_0(s-1) + \hat n + 1}$. It belongs to
# a release that shows the target's unique value once and *one* other unique known value $s - 1$ times.
# ```
#
# *Proof.* Steps 1 and 2 are above. Let $s_w$ of the *other* slots show the value $w$, let $m = n - n_0$ be the number of
# unknown records, and $(c)_j = c(c-1) \cdots (c-j+1)$ the number of ways to fill $j$ slots from $c$ records.
#
# 3. *The target's value is unique among the known and shown once.* Then $c_v = 1$ and $V = 0$, so
#    $\frac1\Pr = 1 + \frac{\hat n + \operatorname{E}[K]}{n_0}$. We need the law of $K$.
# 4. For $K = j$, choose for each $w$ the $j_w$ of its $s_w$ slots that known records fill, and fill them, in
#    $\binom{s_w}{j_w} (c_w)_{j_w}$ ways of weight 1. The other slots take unknown records, in $m!/(m - s + 1 + j)! = m!/(\hat n + j)!$
#    ways, and weigh $q_w = c_w/n_0$ each. Divided by the constant $\prod_w q_w^{s_w}$ the weight of $K = j$ is
#    $a_j\, m!/(\hat n + j)!$ with
#
#    $$ \sum_j a_j x^j = \prod_w \sum_j \binom{s_w}{j} (c_w)_j \Bigl(\frac{n_0}{c_w}\Bigr)^{j} x^j . $$
# 5. Two coefficients do not know the release: $a_0 = 1$ and $a_1 = \sum_w s_w c_w \frac{n_0}{c_w} = n_0 (s - 1)$. None is negative.
# 6. Given $K \le 1$, the mean of $K$ is $\kappa$ (below; for $\hat n = -1$, where $K = 0$ is impossible, $\kappa = 1$). It is at most 1, so mass on $K \ge 2$ only raises it:
#    $\operatorname{E}[K] \ge \kappa$, with equality if $a_2 = a_3 = \dots = 0$: one value $w$ with $c_w = 1$ in all other slots.
# 7. *The value is unique among the known, shown more than once.* Then $V \ge 1$, and
#    $\frac1\Pr \ge 2 + \frac{\hat n + \operatorname{E}[K]}{n_0} \ge 1 + \frac{\hat n + \kappa}{n_0}$, as $\kappa \le 1 \le n_0$.
# 8. *Two known records or more have it.* By 1, $\frac1\Pr \ge 2 + \frac{2}{n_0} \max(\hat n, 0) \ge 1 + \frac{\hat n + \kappa}{n_0}$.
# 9. *The target is unknown.* Then $\frac1\Pr \ge m + 1 \ge 1 + \frac{\hat n + \kappa}{n_0}$, as $\hat n + \kappa \le m$.
# 10. *Attained*: two values known once each, the target's shown once and the other $s - 1$ times. Possible, as $q_w > 0$. ∎

# %% jupyter={"source_hidden": true} tags=["evidence"]
two = sp.Symbol("sigma", positive=True)  # s − 1 other slots
one_known = n0 * two / sp.factorial(left_out + 1)
no_known = 1 / sp.factorial(left_out)
apart = sp.UnevaluatedExpr
mean_of_two = derivation(
    apart(one_known) / (apart(no_known) + apart(one_known)),
    names=spelled | {two: "(s - 1)"},
    of=r"\mathrm{E}[K \mid K \le 1]",
).equal(n0 * two / (n0 * two + left_out + 1), r"multiply by $(\hat n + 1)!$")
mean_of_two


# %% jupyter={"source_hidden": true} tags=["evidence"]
def as_a_table(n_, n0_, s_):
    """The worst release by the package's posterior: one more row for the unknown."""
    rows = [[int(u == v) for v in range(n0_)] for u in range(n0_)]
    rows.append([Fraction(1, n0_)] * n0_)
    people, release = [*range(n0_), *[n0_] * (n_ - n0_)], [0] + [1] * (s_ - 1)
    return match_probability(
        people, release, transition=rows, record=0, slot=0, method="generating"
    )


formula = {
    (n_, n0_, s_): sampling.worst_case_risk(n_, n0_, n_sampled=s_)
    for n_, n0_, s_ in worst
}
larger = [(9, 2, 4), (12, 4, 6), (15, 3, 7)]
kappa = sp.Symbol("kappa", positive=True)
with claim("K-B1") as c:
    label = f"largest of all posteriors, {len(worst)} sizes (n, n0, s) up to n = 6"
    c.decisive("exhaustive").exact(worst, formula, label)
    first = one_known / (no_known + one_known)
    last = n0 * two / (n0 * two + left_out + 1)
    c.decisive().derived(mean_of_two, first, last, "the mean of K given K ≤ 1")
    by_posterior = [as_a_table(*size) for size in larger]
    by_formula = [
        sampling.worst_case_risk(a_, b_, n_sampled=c_) for a_, b_, c_ in larger
    ]
    c.exact(by_posterior, by_formula, "at (9, 2, 4), (12, 4, 6), (15, 3, 7)")
    lower = sp.simplify(1 - (n - s + 1) / (n - s + 1 + kappa))
    at_one = sp.simplify(lower.subs(kappa, 1))
    c.exact(at_one, 1 / (n - s + 2), "κ ≤ 1: lower by 1/(n − s + 2) at most")
    lowered = {
        size: 1 - worst[size] / allowed[size]
        for size in worst
        if size[0] - size[1] - size[2] + 1 >= 0
    }
    too_low = {k for k, loss in lowered.items() if loss * (k[0] - k[2] + 2) > 1}
    wrong = {k for k in lowered if k[1] == 1 and k[2] > 2}
    label = "n ≤ 6, n̂ ≥ 0: lower by more than that only for n0 = 1 and s > 2"
    c.decisive("exhaustive").exact(too_low, wrong, label)
    said = allowed[6, 1, 5] * (1 - Fraction(1, 6 - 5 + 2))
    assert (said, worst[6, 1, 5]) == (Fraction(1, 3), Fraction(1, 6))
    c.limit(said, worst[6, 1, 5], "n0 = 1, n = 6, s = 5: the least that it could be")

with claim(
    "K-4.7",
    printed=r"worst case: $\#_{\tau_0}(v) = \#_{\tau'}(v) = 1$ and $pn - 1$ released "
    r"values outside $\tau_0$",
    corrected=r"for $n_0 \ge 2$ and $\hat n \ge -1$: the other $pn - 1$ slots on one "
    r"value that is unique in $\tau_0$",
    consequence=r"The bound of Claim 4.1 survives; for $s \ge 2$ it is not attained "
    r"unless $\hat n \le -1$.",
) as c:
    possible = {v for _, people, _ in worlds(("a", "b"), 3, 2) for v in people}
    label = "n = 3, n0 = 2, s = 2: a value outside τ0 has probability 0"
    c.fails(bool(possible - {"a", "b"}), label)
    known, n_, s_ = ("a", "b"), 4, 3
    told = listed[known, n_, s_]
    best = {
        release
        for (release, _, _), risk in told.items()
        if risk == max(told.values())
    }
    one_value = {
        release for release in product("ab", repeat=3) if len(set(release)) == 2
    }
    c.exact(best, one_value, "n = 4, n0 = 2, s = 3: the releases of largest risk")
    attained = {k for k in worst if worst[k] == allowed[k]}
    expected = {k for k in worst if k[2] == 1 or k[0] - k[1] - k[2] + 1 <= -1}
    label = "n ≤ 6: the bound is attained for s = 1, or when everybody is used up"
    c.decisive("exhaustive").exact(attained, expected, label)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Three values for one worst case (n = 12 records, 3 known). The exact one (dots) stays below the fraction, most at s = 10, and meets it at both ends; the printed sum leaves it when few unknown records remain and drops to 0 at s = 9.", "name": "fig-di-02-worst"}, "image": {"alt": "Risk against the sample size from 1 to 12. The fraction rises from 0.25 to 1, dots of the exact worst case lie below it, most at 10; the curve of the printed sum agrees up to s = 4, rises to 1 at s = 8 and falls to 0 at 9."}} tags=["figure"]
sizes_12 = np.arange(1, 13)
curves = {
    "Claim 4.1, as a fraction": [
        sampling.identification_risk(12, 3, n_sampled=int(k)) for k in sizes_12
    ],
    "printed double sum": [conditional(max(10 - int(k), 0), 3) for k in sizes_12],
}
exact_worst = [sampling.worst_case_risk(12, 3, n_sampled=int(k)) for k in sizes_12]
by_claim, by_print = curves.values()
assert by_print[8] == 0 and by_print[7] == 1
assert all(abs(x / y - 1) < 0.02 for x, y in zip(by_print[:4], by_claim))
assert by_claim[0] == exact_worst[0] == Fraction(1, 4) and by_claim[-1] == 1
below = [y - x for x, y in zip(exact_worst, by_claim)]
assert min(below) == below[0] == below[-1] == 0 and below.index(max(below)) == 9
fig, ax = plots.panels(height=3.2)
for (name, values), style in zip(curves.items(), ("-", "--")):
    ax.plot(sizes_12, np.array(values, dtype=float), style, label=name)
dots = {"color": "black", "ms": 5, "label": "exact worst case"}
ax.plot(sizes_12, np.array(exact_worst, dtype=float), "o", **dots)
ax.set(xlabel="sample size s", ylabel="risk", xticks=sizes_12, ylim=(-0.03, 1.05))
ax.legend(loc="upper left")
plt.show()

# %% [markdown]
# ## What does the number tell a publisher?
#
# The paper says that the necessary sampling rate now becomes clear. Inside the model it does: risk $1/k$ asks for
# $s \le n + 1 - k\,n_0$. For whole $k$ and $n_0 \ge 2$ the exact worst case asks for the very same sample.

# %%
biggest = sampling.max_sample_size(1000, 10, k=10)
print("n = 1000, 10 known, risk at most 1/10: release up to", biggest, "records")

# %% jupyter={"source_hidden": true} tags=["evidence"]
ninety = f"{biggest / 1000:.0%}"
assert biggest == 901


def by_search(n_, n0_, k):
    """The largest sample whose enumerated worst case is at most 1/k."""
    return max(
        (s_ for s_ in range(1, n_ + 1) if worst[n_, n0_, s_] * k <= 1), default=0
    )


asked_for = [
    (n_, n0_, k)
    for n_ in range(2, 7)
    for n0_ in range(2, n_ + 1)
    for k in range(2, n_ + 1)
]
reachable = [(n_, n0_, k) for n_, n0_, k in asked_for if k * n0_ <= n_]
with claim("K-1.8") as c:
    searched = {size: by_search(*size) for size in reachable}
    ours = {
        (a_, b_, k): sampling.max_sample_size(a_, b_, k=k) for a_, b_, k in reachable
    }
    label = "n ≤ 6, n0 ≥ 2: search among all posteriors, n + 1 − k n0"
    c.decisive("exhaustive").exact(searched, ours, label)
    none = {size for size in asked_for if by_search(*size) == 0}
    label = "no sample does exactly where k > n/n0"
    c.decisive("exhaustive").exact(none, set(asked_for) - set(reachable), label)

with claim("K-0.1") as c:
    sampled_sizes = {k for k in worst if k[1] >= 2 and k[2] < k[0]}
    assert len(sampled_sizes) == 1 + 4 + 9 + 16 + 25  # n − 1 for n0 and for s
    reduced = {k for k in sampled_sizes if worst[k] < worst[k[0], k[1], k[0]]}
    unknown_left = {
        k for k in sampled_sizes if k[1] < k[0] and k[0] - k[1] >= k[2] - 1
    }
    label = "n ≤ 6, n0 ≥ 2: below the full release exactly where n0 < n and n̂ ≥ 0"
    c.decisive("exhaustive").exact(reduced, unknown_left, label)
    full_release = {worst[k] for k in worst if k[1] >= 2 and k[2] == k[0]}
    c.exact(full_release, {Fraction(1)}, "where all are released: certainty")

# %% [markdown]
# Two consequences are worth a pause. With $n = 1000$, $n_0 = 10$ and $k = 10$ a sample of
# 90%<!-- {ninety} --> is allowed. And $k \le n/n_0$ whatever the rate: against an attacker who knows one
# prefecture of 7.3 %, 730 people of 10,000, the risk is 0.074<!-- {in_text['prefecture-one']:.3f} --> at 1 % and
# 0.081<!-- {in_text['prefecture-ten']:.3f} --> at 10 %. All the protection comes from the attacker's belief that everybody outside resembles the few people whom she knows. The
# paper calls the restriction robust: a few more acquaintances hardly matter. In absolute terms so it
# is; relatively, the risk is proportional to $n_0$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
in_text = {}
for name, size in (("one", 100), ("ten", 1000)):
    risk = sampling.identification_risk(10_000, 730, n_sampled=size)
    in_text[f"prefecture-{name}"] = round(float(risk), 6)
with claim("K-4.14") as c:
    one_more = sp.simplify((n0 + 1) / (n - s + 1) - n0 / (n - s + 1))
    c.decisive("proved").exact(one_more, 1 / (n - s + 1), "one more: 1/((1−p)n + 1)")
    few, more, twice = (
        sampling.identification_risk(10_000, k, n_sampled=1000)
        for k in (100, 105, 200)
    )
    c.at_most(more - few, Fraction(6, 10_000), "100 known, 5 more")
    label = "who knows twice as many, n = 10,000, s = 1000: the risk"
    c.limit(float(few), float(twice), label)
    c.exact(twice, 2 * few, "it doubles")

# %% [markdown]
# ## An attacker who looks at the release
#
# The attacker of equation (1) does not read what she attacks: however rare the target's
# value is in the release, its believed share among the people left out stays $1/n_0$. Let her learn. Give the
# shares a Dirichlet prior with parameter $\alpha$ for each of $C$ values (a belief that is updated like an urn into which each
# ball is put back with one more of its colour), updated with the known records *and* with the release.
#
# ```{prf:theorem} The attacker who learns
# :label: thm-di-02-learning
# For $\hat n \ge 0$ a known record has risk at most
# $\dfrac{1}{1 + (1+\alpha)\hat n / (n_0 + \alpha C + s - 1)}$, which tends to $\dfrac{n_0 + s - 1}{n}$ as
# $\alpha \to 0$.
# ```
#
# *Proof.* The swap lemma ({prf:ref}`thm-di-02-swap`) holds as well if $w(\sigma)$ is the joint probability of what the slots show. Let an
# unknown record that is in no slot change places with the target. That multiplies the weight by its predictive probability of
# the target's value, after the known records and at most $s - 1$ unknown ones in slots. The value was met at least once, so this is at
# least $(1 + \alpha)/(n_0 + \alpha C + s - 1)$; and at least $\hat n$ unknown records are in no slot. ∎
#
# The target's value was met once; for the attacker of equation (1) among $n_0$ people, for this one among
# $n_0 + s - 1$. By which factor does that raise the risk, as $\alpha \to 0$?

# %% jupyter={"source_hidden": true} tags=["evidence"]
learnt = (
    derivation(sp.UnevaluatedExpr((n0 + s - 1) / n)
               / sp.UnevaluatedExpr(n0 / (n - s + 1)),
               of=r"\frac{\text{learning}}{\text{equation (1)}}")
    .equal((n0 + s - 1) * (n - s + 1) / (n0 * n), "one fraction")
    .equal((1 + (s - 1) / n0) * (1 - (s - 1) / n), "divide")
)  # fmt: skip
learnt


# %% jupyter={"source_hidden": true} tags=["evidence"]
def learning_risk(known, n_, s_, values, alpha):
    """Largest posterior of a known record, by enumeration with Polya's urn."""
    law, behind = Counter(), Counter()
    for unknown in product(values, repeat=n_ - len(known)):
        weight, urn = Fraction(1), list(known)
        for v in unknown:
            weight *= (urn.count(v) + alpha) / (len(urn) + alpha * len(values))
            urn.append(v)
        for order in permutations(range(n_), s_):
            release = tuple((known + unknown)[record] for record in order)
            law[release] += weight
            for slot, record in enumerate(order):
                behind[release, record, slot] += weight
    return max(
        chance / law[key[0]] for key, chance in behind.items() if key[1] < len(known)
    )


alpha, C = sp.symbols("alpha C", positive=True)
seen = n0 + alpha * C + s - 1
tried = [("ab", 4, "abz"), ("a", 4, "az"), ("ab", 3, "abz"), ("aab", 4, "abz")]
urns = [
    (known, n_, s_, values, a_)
    for known, n_, values in tried
    for s_ in (1, 2, 3)
    for a_ in (Fraction(1, 3), Fraction(5, 2))
]
found = [learning_risk(tuple(known), *rest) for known, *rest in urns]
bounds = [
    sampling.learning_attacker_risk(
        n_, len(known), n_sampled=s_, concentration=a_, categories=len(values)
    )
    for known, n_, s_, values, a_ in urns
]
reached = [
    len(set(known)) == len(known) for known, *_ in urns
]  # a unique value is known
with claim("K-B2") as c:
    over = [case for case, x, y in zip(urns, found, bounds) if x > y]
    label = f"{len(urns)} urns, n ≤ 4: all tables and releases, none above the bound"
    c.decisive("sampled").exact(over, [], label)
    tight = [x == y for x, y, unique in zip(found, bounds, reached) if unique]
    label = "attained where some acquaintance has a value of her own"
    c.decisive("sampled").exact(tight, [True] * len(tight), label)
    tending = sp.limit(seen / (seen + (1 + alpha) * (n - n0 - s + 1)), alpha, 0)
    c.decisive("proved").exact(sp.simplify(tending), (n0 + s - 1) / n, "limit α → 0")
    first = ((n0 + s - 1) / n) / (n0 / (n - s + 1))
    last = (1 + (s - 1) / n0) * (1 - (s - 1) / n)
    c.decisive().derived(learnt, first, last, "the factor over equation (1)")

cases_4 = [(1000, 10, 1), (1000, 10, 100), (1000, 10, 901), (10_000, 730, 100)]
by_one = [
    sampling.identification_risk(a_, b_, n_sampled=c_) for a_, b_, c_ in cases_4
]
by_learning = [
    sampling.learning_attacker_risk(a_, b_, n_sampled=c_) for a_, b_, c_ in cases_4
]
factors = [x / y for x, y in zip(by_learning, by_one)]
assert [round(float(x), 2) for x in factors] == [1, 9.82, 9.1, 1.12]
learning_size = sampling.max_sample_size(1000, 10, k=10, attacker="learning")
fits, exceeds = (
    sampling.learning_attacker_risk(1000, 10, n_sampled=learning_size + i)
    for i in (0, 1)
)
assert fits <= Fraction(1, 10) < exceeds
table(
    {
        "$n$": [f"{a_:,}" for a_, _, _ in cases_4],
        "$n_0$": [b_ for _, b_, _ in cases_4],
        "$s$": [c_ for _, _, c_ in cases_4],
        "equation (1)": by_one,
        "learning": by_learning,
        "factor": factors,
    },
    formats={"equation (1)": ".4f", "learning": ".4f", "factor": ".2f"},
    caption="Risk against the two attackers.",
)

# %% [markdown]
# For $k = 10$ this attacker allows 91<!-- {learning_size} --> of the 1000 records instead of
# 901<!-- {biggest} -->. The two differ by their beliefs alone. Who is right?
#
# ## Ask a population
#
# All these numbers are $\operatorname{E}[1/N_v \mid \tau']$, the mean inverse number of people with the value. So is the
# individual risk of Benedetti and Franconi {cite:p}`benedetti1998risk,franconi2004individual`, known in
# official statistics since 1998. Only the belief differs: there $N - f$ has a negative binomial law given the $f$ lines
# that show the value, and
#
# $$ r_f = \int_0^1 \frac{p\, y^{f-1}}{p + (1-p)\,y}\,dy, \qquad r_1 = \frac{p}{1-p}\ln\frac1p . $$
#
# A belief can be tested. Take a real file, play the game in it many times, and compare how often each attacker is
# right with how often she says that she is. The file is *Adult*: 32,561 people of a US survey of 1994, here the whole
# population, without the weights of the survey. What acquaintances know without asking are age, sex, race, marital status, education and country of birth.

# %% jupyter={"source_hidden": true} tags=["set-up"]
COLUMNS = [
    *(
        "age",
        "workclass",
        "weight",
        "education",
        "schooling",
        "marital",
        "occupation",
    ),
    *("relationship", "race", "sex", "gain", "loss", "hours", "country", "income"),
]
lines = datasets.load("adult").decode().splitlines()
adult = dict(zip(COLUMNS, np.array([row.split(", ") for row in lines if row]).T))
KNOWN = ("age", "sex", "race", "marital", "education", "country")


def coded(features):
    """Codes of the combinations that occur, and how many there could be."""
    parts = [np.unique(feature, return_inverse=True) for feature in features]
    sizes = [len(names) for names, _ in parts]
    whole = np.ravel_multi_index([codes for _, codes in parts], sizes)
    return np.unique(whole, return_inverse=True)[1], prod(sizes)


def exact_rate(values, n_known, n_sampled, *, single=False, lines=None):
    """Expected right claims for each expected claim: no draw, only counts of people.

    N people have a value. She is alone among the acquaintances, and the sample shows
    the value (`single`: on one line; `lines`: on so many, least and most): then the
    claim is right in one case out of N.
    """
    least, most = (1, 1) if single else lines or (1, n_sampled)
    N, cells = np.unique(np.bincount(values)[np.unique(values)], return_counts=True)
    n_all = values.size
    alone = stats.hypergeom.pmf(0, n_all - 1, N - 1, n_known - 1)
    often = stats.hypergeom(n_all, N, n_sampled)
    claimed = N * cells * alone * (often.sf(least - 1) - often.sf(most))
    return (claimed / N).sum() / claimed.sum()


# %% [markdown]
# The attacker has 100 random acquaintances. For each whose values no other acquaintance has, and which the
# sample shows on $f \ge 1$ lines, she points at one of the lines: "that is her". Four hundred samples at each of three
# rates, with new acquaintances each time:

# %%
people, combinations = coded([adult[name] for name in KNOWN])
rates = (0.01, 0.1, 0.3)
sizes = [int(rate * people.size) for rate in rates]
ask = partial(
    linkage_beliefs, people, 100, categories=combinations, draws=400, rng=rng
)
asked = [ask(n_sampled=size) for size in sizes]
tenth = asked[1]
one_line = tenth.shown == 1
print(f"10 % sample, one line: right {tenth.right[one_line].mean():.3f}", end=", ")
print(f"equation (1) says {tenth.beliefs['equation (1)'][one_line].mean():.4f}")

# %% [markdown]
# Where one line of the 10 % sample shows the values, she is right in 25%<!-- {adult_right:.0%} --> of the cases. The attacker of
# equation (1) believes in one case of 293<!-- {adult_oneof} -->. Why so few? Because all others would have to resemble the 100 people whom
# she knows; in truth 91%<!-- {shown_unseen:.0%} --> of them have a combination that none of the 100 has, and equation (1) gives these
# probability 0. Of the 3,433,920<!-- {shown_possible} --> combinations that there could be 8,553<!-- {shown_cells} --> occur, and
# 17%<!-- {shown_unique:.0%} --> of the people are unique.
#
# Six attackers make the same claims. Beside equation (1) and the one who *learns* (for $f$ lines her number is divided by $f$) there
# are: *uniform*, who takes all combinations for equally likely; *Benedetti–Franconi*; somebody who has *the table* and knows $N$; and
# *counting*, who looks at the sample only. Let $n_f$ values be shown $f$ times each. How many people with such values were left
# out? If each of the $N$ people with a value is drawn with probability $p$, the expected number is

# %% jupyter={"source_hidden": true} tags=["evidence"]
N_, f_ = sp.symbols("N f", positive=True, integer=True)
p_, q_ = sp.symbols("p q", positive=True)  # q for 1 − p
shows = sp.binomial(N_, f_) * p_**f_ * q_ ** (N_ - f_)
shows_more = sp.binomial(N_, f_ + 1) * p_ ** (f_ + 1) * q_ ** (N_ - f_ - 1)
turing = derivation(
    (N_ - f_) * shows, names={q_: "(1 - p)"}, of=r"(N - f) \Pr(f)"
).equal(q_ / p_ * (f_ + 1) * shows_more, r"it contains $\Pr(f + 1)$")
turing

# %% [markdown]
# and $\Pr(f + 1)$ can be seen: about $\frac{1-p}{p}(f + 1)\,n_{f+1}$ people were left out {cite:p}`good1953`, beside the
# $f n_f$ who are shown. So a line is hers with probability
# $p\, n_f / (p f n_f + (1-p)(f + 1)\, n_{f+1})$. For $f = 1$ this is {cite:t}`skinner2002`; we add 1 to $n_{f+1}$, as in the corrected
# form of the estimator of {cite:t}`chao1984`, so that nobody is ever certain.

# %% jupyter={"source_hidden": true} tags=["set-up"]
NAMES = [*tenth.beliefs]
columns = {"attacker": [*NAMES, "(how often right)"]}
for rate, told in zip(rates, asked):
    says = [belief.mean() for belief in told.beliefs.values()]
    loss = [log_loss(belief, told.right).mean() for belief in told.beliefs.values()]
    columns[f"{rate:.0%}: says"] = [f"{x:.4f}" for x in [*says, told.right.mean()]]
    columns[f"{rate:.0%}: loss"] = [*(f"{x:.3f}" for x in loss), ""]
table(
    columns,
    caption="All claims in Adult, samples of three rates: how sure an attacker is on "
    "average, and her mean logarithmic loss in nats.",
)

# %% [markdown]
# The *logarithmic loss* of a belief $x$ is $-\ln x$ when the claim is right and $-\ln(1 - x)$ when not. In the mean it is
# least for whoever says the true frequencies; so it charges for being wrong about oneself. All six point at the same lines and are right
# equally often. What differs is what they know about it. By her mean belief the attacker who counts comes nearest without the
# table: at 10 and 30 % within 2 % of the exact rate of success. By the logarithmic loss she and Benedetti and Franconi are level: at each of the three
# rates they are ahead of her by no more than 0.002. At 1 %, where values shown twice are rare, she says 12%<!-- {short:.0%} --> too little. (The beliefs of
# equation (1) and of the learner are their bounds for $f$ lines, $1/(f + \hat n/n_0)$ and $(n_0 + s - 1)/(nf)$. A real release shows values that no
# acquaintance has, and equation (1) gives it probability 0; the bound is what is left in the limit of the exercise on
# unseen values.)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How often five attackers are right in Adult, against how often they say so (10 % samples, 100 acquaintances, 400 draws; groups of claims by the number of lines f; bars are \u00b12 standard errors). On the diagonal an attacker knows how good she is. Where one line shows the values (top of each cloud) all are right in one case out of four; equation (1) says 1 in 290 to each of her claims.", "name": "fig-di-02-truth"}, "image": {"alt": "Log-log plot of the share of right claims, 0.007 to 0.25, against the belief, 0.003 to 1. Points of equation (1) stand on a vertical line at 0.003, far left of the diagonal. Those of the learning attacker approach the diagonal from the left at small shares, those of the counting attacker lie within a tenth of it and those of Benedetti and Franconi within a quarter. Those of the uniform attacker are far right of it, with a belief of 0.99 at a share of 0.25."}} tags=["figure"]
groups = [(1, 1), (2, 2), (3, 3), (4, 6), (7, 12), (13, 50)]
chosen = [(tenth.shown >= low) & (tenth.shown <= high) for low, high in groups]
hit = np.array([linkage.mean_by_draw(tenth.right[k], tenth.draw[k]) for k in chosen])
believed = {x: [tenth.beliefs[x][k].mean() for k in chosen] for x in NAMES[:5]}
assert 0.24 < hit[0, 0] < 0.27 and 0.006 < hit[-1, 0] < 0.0095
assert round(1 / believed["equation (1)"][0]) in range(285, 295)
assert max(believed["equation (1)"]) / min(believed["equation (1)"]) < 1.1
assert believed["uniform"][0] > 0.99
in_truth = [exact_rate(people, 100, sizes[1], lines=group) for group in groups]
for name, off in (("counting", 0.1), ("Benedetti-Franconi", 0.25)):
    assert np.all(np.abs(np.array(believed[name]) / in_truth - 1) < off)
assert np.all(hit[:, 0] > 2 * np.array(believed["equation (1)"]))
fig, ax = plots.panels(height=4.6, width=6.6)
ax.plot([0.002, 1], [0.002, 1], color="#888888", lw=1, zorder=1)
marks = dict(zip(NAMES, ("o", "^", "s", "D", "v")))
for name, x in believed.items():
    error = {"yerr": 2 * hit[:, 1], "capsize": 2, "lw": 1}
    ax.errorbar(x, hit[:, 0], fmt=marks[name], ms=6, label=name, **error)
ax.set(
    xscale="log", yscale="log", xlim=(0.0022, 1.3), ylim=(0.0045, 0.5),
    xlabel="the attacker says (mean belief)", ylabel="she is right (share of claims)",
)  # fmt: skip
ax.set_xticks(
    [0.003, 0.01, 0.03, 0.1, 0.3, 1], ["0.003", "0.01", "0.03", "0.1", "0.3", "1"]
)
ax.set_yticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
ax.minorticks_off()
corner = believed["equation (1)"][0] * 1.15
ax.annotate("one line", (corner, hit[0, 0]), va="center", fontsize=9)
ax.annotate("two", (corner, hit[1, 0]), va="center", fontsize=9)
fig.legend(loc="outside lower center", ncols=3)
plt.show()


# %% jupyter={"source_hidden": true} tags=["evidence"]
def single(told):
    """Share of right claims where one line shows the values, and its error."""
    k = told.shown == 1
    return linkage.mean_by_draw(told.right[k], told.draw[k])


for told, size in zip(asked, sizes):  # the two bounds for f lines, n₀ = 100
    n_hat, f_lines = people.size - 100 - (size - 1), told.shown
    assert np.allclose(told.beliefs["equation (1)"], 1 / (f_lines + n_hat / 100))
    learnt_says = (100 + size - 1) / (people.size * f_lines)
    assert np.allclose(told.beliefs["learning"], learnt_says)
counts = Counter(zip(*(adult[name] for name in KNOWN)))
right_once = np.array([single(told) for told in asked])
exactly = [exact_rate(people, 100, size, single=True) for size in sizes]
eq1_once = [told.beliefs["equation (1)"][told.shown == 1].mean() for told in asked]
with claim("K-B17") as c:
    label = "share of right claims, one line, at 1, 10 and 30 %: drawn, and exact"
    c.decisive().sampled(right_once[:, 0], exactly, label, stderr=right_once[:, 1])
    every = np.array([linkage.mean_by_draw(told.right, told.draw) for told in asked])
    exactly_all = [exact_rate(people, 100, size, single=False) for size in sizes]
    label = "all claims"
    c.decisive().sampled(every[:, 0], exactly_all, label, stderr=every[:, 1])
    counted = np.array(
        [linkage.mean_by_draw(told.beliefs["counting"], told.draw) for told in asked]
    )
    ratio, ratio_error = (counted / np.array(exactly_all)[:, None]).T
    label = "counting at 10 and 30 %: belief over exact rate − 1, with 2 errors"
    off = np.abs(ratio - 1) + 2 * ratio_error
    c.decisive("simulated").at_most(off[1:], 0.05, label)
    label = "counting at 1 %: mean belief, and exact rate"
    said, true_rate = round(float(counted[0, 0]), 4), round(float(exactly_all[0]), 4)
    c.limit(true_rate, said, label, rtol=0.05)
    factors_once = [
        rate / float(sampling.identification_risk(people.size, 100, n_sampled=size))
        for rate, size in zip(exactly, sizes)
    ]
    label = "equation (1) at 1, 10 and 30 %: exact rate over what she says"
    by_claims = np.array(exactly) / eq1_once
    told_factors = [17.0, 74.3, 122.7]
    c.decisive("one example").close(by_claims, told_factors, label, atol=0.06, rtol=0)
    c.close(by_claims, factors_once, "the same by Claim 4.1")
    label = "unique people, by combinations of the raw texts and by codes"
    unique = int((np.bincount(people) == 1).sum())
    c.exact(sum(k == 1 for k in counts.values()), unique, label)

N = np.bincount(people)[people]
unseen = stats.hypergeom.pmf(0, people.size - 1, N - 1, 100).mean()
adult_right = float(right_once[1, 0])
adult_oneof = round(1 / float(eq1_once[1]))
shown_unseen = float(unseen)
shown_possible = f"{combinations:,}"
shown_cells = f"{len(counts):,}"
shown_unique = round(unique / people.size, 6)
for k, name in enumerate(("one", "ten", "thirty")):
    in_text[f"factor-{name}"] = round(factors_once[k])
assert 0.84 < ratio[0] + 4 * ratio_error[0] < 0.95
assert np.all(abs(ratio[1:] - 1) < 0.02)
short = float(1 - ratio[0])
assert people.size == 32_561
allowed_size = sampling.max_sample_size(people.size, 100, k=10)
then = exact_rate(people, 100, allowed_size, single=True)
adult_allowed = f"{allowed_size:,}"
adult_then = float(then)

# %% [markdown]
# Where one line shows the values, equation (1) is too small by a factor of 17<!-- {in_text['factor-one']} --> at 1 %,
# 74<!-- {in_text['factor-ten']} --> at 10 % and 123<!-- {in_text['factor-thirty']} --> at 30 %. For $k = 10$ Claim 4.1 would let an office
# release 31,562<!-- {adult_allowed} --> of the 32,561 people against her, and a line that stands alone would be right in 99%<!-- {adult_then:.0%} -->
# of the cases. A number of this kind measures the attacker's opinion of
# herself. That is a statement about *this* population. Where the world is as the attacker believes, the claim is nearly
# met: if the unknown people really are drawn from the known ones, all different, she succeeds on one line in
# 0.1098<!-- {shown_inside:.4f} --> of the cases at $n = 1000$, $n_0 = s = 100$, and Claim 4.1, a bound, says 0.1110<!-- {inside_claim:.4f} -->
# (the last checks of K-B4 below).
#
# ## More realistic than uniform?
#
# The paper calls its belief realistic, compared with taking the unknown records for uniform (4.3). Realistic where? It names no population, so let us take
# two, Adult and 10,000 people from Zipf weights $1/\text{rank}^{1.1}$ on 20,000 cells, and let the attacker know 100 people
# or 10. *Uniform* needs an answer, too: over all possible combinations, or over those that occur, which she
# cannot know? Below zero equation (1) has the smaller loss.

# %% jupyter={"source_hidden": true} tags=["evidence"]
cells = 20_000
zipf = 1 / np.arange(1, cells + 1) ** 1.1
city = rng.choice(cells, 10_000, p=zipf / zipf.sum())


def compared(told, spread=None):
    """Loss of equation (1) minus loss of uniform, paired by claim; and its error.

    `spread`: unknown people left out for each value, if not uniform over all values.
    """
    even = told.beliefs["uniform"] if spread is None else 1 / (told.shown + spread)
    losses = [log_loss(x, told.right) for x in (told.beliefs["equation (1)"], even)]
    return linkage.mean_by_draw(losses[0] - losses[1], told.draw)


worlds_asked = {("Adult", 100): asked}
for name, values, size in (("Adult", people, combinations), ("Zipf", city, cells)):
    for known_people in (100, 10):
        if (name, known_people) not in worlds_asked:
            worlds_asked[name, known_people] = [
                linkage_beliefs(
                    values,
                    known_people,
                    n_sampled=int(rate * values.size),
                    categories=size,
                    draws=400,
                    rng=rng,
                )
                for rate in rates
            ]
difference = {key: np.array([compared(told) for told in of])
              for key, of in worlds_asked.items()}  # fmt: skip
populations = {"Adult": people, "Zipf": city}
occurring = {}
for (name, known_people), of in worlds_asked.items():
    values = populations[name]
    left_of = [values.size - known_people - int(r * values.size) + 1 for r in rates]
    occur = np.unique(values).size
    occurring[name, known_people] = np.array(
        [compared(told, m / occur) for told, m in zip(of, left_of)]
    )
by_rate = np.array([*difference.values()])  # world, rate, mean and error
by_occur = np.array([occurring[key] for key in difference])
with claim("K-B23") as c:
    at_one, at_thirty = by_rate[:, 0], by_rate[:, 2]
    label = "over all combinations, 1 %, four worlds: better, by 4 errors"
    c.decisive("simulated").at_most(at_one[:, 0] + 4 * at_one[:, 1], 0, label)
    label = "over all combinations, 30 %, four worlds: worse, by 4 errors"
    c.decisive("simulated").at_most(4 * at_thirty[:, 1], at_thirty[:, 0], label)
    ten_up = by_occur[:, 1:]
    label = "over those that occur, 10 and 30 %, four worlds: worse, by 4 errors"
    c.decisive("simulated").at_most(4 * ten_up[..., 1], ten_up[..., 0], label)
    near = np.abs(by_occur[:, 0, 0]) + 2 * by_occur[:, 0, 1]
    label = "over those that occur, 1 %, four worlds: size of difference, 2 errors"
    c.decisive("simulated").at_most(near, 0.3, label)
    again = []
    for (name, k), of in worlds_asked.items():
        n_all = populations[name].size
        possible_ = {"Adult": combinations, "Zipf": cells}[name]
        again.append([
            compared(told, (n_all - k - int(r * n_all) + 1) / possible_)[0]
            for r, told in zip(rates, of)
        ])  # fmt: skip
    c.close(again, by_rate[..., 0], "four worlds: the uniform belief, by its formula")
few = 1 / (tenth.shown + (people.size - 100 - sizes[1] + 1) / len(counts))
for name, belief in (("occur", few), ("uniform", tenth.beliefs["uniform"])):
    mean_loss = log_loss(belief, tenth.right).mean()
    in_text[f"loss-{name}"] = round(float(mean_loss), 6)
two_kinds = [*difference.values(), *(occurring[key] for key in difference)]
table(
    {"uniform over": ["all combinations"] * 4 + ["those that occur"] * 4,
     "population": [name for name, _ in difference] * 2,
     "acquaintances": [k for _, k in difference] * 2,
     **{f"{rate:.0%}": [f"{of[k, 0]:+.2f} ± {of[k, 1]:.2f}".replace("-", "−")
                        for of in two_kinds]
        for k, rate in enumerate(rates)}},
    caption="Mean logarithmic loss of equation (1) minus that of the uniform belief, "
    "in nats, with standard errors.",
)  # fmt: skip

# %% [markdown]
# It depends on the rate, the population and the answer to "over what?". Against uniform over all combinations equation (1) is
# better at 1 % and worse at 30 %; against uniform over those that occur it is worse at 10 and 30 %, and at 1 % there is little
# between them. Over all 3,433,920<!-- {shown_possible} --> combinations of Adult the uniform attacker is nearly certain of every line that stands
# alone, and her loss at 10 % is 1.24<!-- {in_text['loss-uniform']:.2f} -->; over those that occur it would be 0.29<!-- {in_text['loss-occur']:.2f} -->. Neither is what an office should take for the risk. What comes near is to
# count, and to say for whom.

# %% jupyter={"source_hidden": true} tags=["set-up"]
features = {
    "age, sex, race, marital": KNOWN[:4],
    "and education, country": KNOWN,
    "and occupation": (*KNOWN, "occupation"),
}
found = {}
for label, names in features.items():
    values, size = coded([adult[name] for name in names])
    told = linkage_beliefs(
        values, 100, n_sampled=sizes[1], categories=size, draws=300, rng=rng
    )
    counting = told.beliefs["counting"][told.shown == 1].mean()
    right = exact_rate(values, 100, sizes[1], single=True)
    found[label] = (np.bincount(values) == 1).sum() / values.size, right, counting
table(
    {"known attributes": [*features],
     "unique": [f"{x:.1%}" for x, _, _ in found.values()],
     "right": [x for _, x, _ in found.values()],
     "counting says": [x for _, _, x in found.values()],
     "Benedetti–Franconi": [sampling.benedetti_franconi_risk(1, 0.1)] * 3,
     "equation (1)": [eq1_once[1]] * 3},
    formats={"right": ".3f", "counting says": ".3f", "Benedetti–Franconi": ".3f",
             "equation (1)": ".4f"},
    caption="One line in a 10 % sample of Adult, by what the attacker knows about "
    "people.",
)  # fmt: skip

# %% [markdown]
# Benedetti and Franconi's $r_1$ depends on $p$ alone, so its good fit on six attributes is luck. The counter moves with the file.
# To be right is not to be calibrated, and both depend on the file; a risk estimate has to model the
# population, which is what {cite:t}`franconi2004individual` and their successors do. Estimates of uniqueness have been scored on
# real files before {cite:p}`rocher2019estimating`; for beliefs such as equation (1) we found no such test.

# %% jupyter={"source_hidden": true} tags=["evidence"]
moves = np.array([of[1:] for of in found.values()])
assert np.all(np.abs(moves[:, 0] - moves[:, 1]) < 0.02)  # counting follows
assert moves[-1, 0] > 2 * moves[0, 0] and abs(moves[1, 0] - 0.2558) < 0.01


def believed_world(rng, replications, n=1000, n0=100, size=100):
    """Known values 0..n0-1, all others drawn from them: equation (1) is true."""
    unknown = rng.integers(0, n0, (replications, n - n0))
    values = np.concatenate(
        [np.tile(np.arange(n0), (replications, 1)), unknown], axis=1
    )
    order = rng.permuted(np.tile(np.arange(n), (replications, 1)), axis=1)[:, :size]
    rows = np.arange(replications)[:, None]
    shown = np.zeros((replications, n0), dtype=int)
    np.add.at(shown, (rows, values[rows, order]), 1)
    drawn = np.zeros((replications, n), dtype=bool)
    drawn[rows, order] = True
    once = shown == 1
    return once.sum(axis=1), (once & drawn[:, :n0]).sum(axis=1)


def believed_rate(n, n0, s):
    """The same without draws: N people have the value, one of them in the sample."""
    made = {
        N: comb(n - n0, N - 1) * (n0 - 1) ** (n - n0 - N + 1) * N * comb(n - N, s - 1)
        for N in range(1, n - n0 + 2)
    }
    return sum(Fraction(x, N) for N, x in made.items()) / sum(made.values())


def believed_listed(n, n0, s):
    """The same by all tables and samples."""
    known, hits, claims = tuple("abcd"[:n0]), Fraction(0), Fraction(0)
    for weight, people_, order in worlds(known, n, s):
        shown = [people_[record] for record in order]
        for record, v in enumerate(known):
            if shown.count(v) == 1:
                claims += weight
                hits += weight * (order[shown.index(v)] == record)
    return hits / claims


made, hits_made = believed_world(rng, 2000)
inside = hits_made.sum() / made.sum()
inside_error = np.sqrt(((hits_made - inside * made) ** 2).sum()) / made.sum()
claimed_there = float(sampling.identification_risk(1000, 100, n_sampled=100))

y_ = sp.Symbol("y", positive=True)
r_1 = sp.integrate(p_ / (p_ + (1 - p_) * y_), (y_, 0, 1))
odds = p_ / (1 - p_)
gap = sp.simplify(sp.expand_log(r_1 - odds * sp.log(1 / p_), force=True))
by_slots, by_mean = [], []
for (known, n_, _), told in listed.items():
    for (release, record, slot), chance in told.items():
        if record < len(known):
            shown = [release.count(v) for v in sorted(set(known))]
            counts_ = [known.count(v) for v in sorted(set(known))]
            means = risks_by_counts(counts_, n_, shown)
            at = [v for v in sorted(set(known)) if v in release].index(release[slot])
            if known[record] == release[slot]:
                by_slots.append(chance)
                by_mean.append(means[at])
with claim("K-B4") as c:
    label = f"n ≤ 4, {len(by_slots):,} posteriors of known records: E[1/N | release]"
    c.decisive("exhaustive").exact(by_slots, by_mean, label)
    c.decisive("proved").exact(gap, sp.Integer(0), "r_1, integrated")
    label = "Adult, one line at 1, 10, 30 %: right, and the mean of 1/N"
    inverse = [
        (told.beliefs["the table"] - told.right)[told.shown == 1] for told in asked
    ]
    gaps = np.array([
        linkage.mean_by_draw(x, told.draw[told.shown == 1])
        for x, told in zip(inverse, asked)
    ])  # fmt: skip
    gap_mean, gap_error = gaps.T
    c.decisive().sampled(gap_mean, [0.0] * 3, label, stderr=gap_error)
    label = (
        "Adult, 30 %, losses: the table, Benedetti–Franconi, learning, equation (1)"
    )
    ordered = [
        log_loss(asked[2].beliefs[name], asked[2].right).mean()
        for name in ("the table", "Benedetti-Franconi", "learning", "equation (1)")
    ]
    c.decisive("simulated").at_most(ordered[:-1], ordered[1:], label)
    label = "a world as equation (1) believes: rate of success, drawn, and exact"
    rate_there = float(believed_rate(1000, 100, 100))
    c.sampled(inside, rate_there, label, stderr=inside_error)
    little = [(4, 2, 1), (4, 2, 2), (4, 2, 3), (5, 2, 3), (5, 3, 2), (4, 3, 2)]
    by_formula = [believed_rate(*size) for size in little]
    label = "that exact rate in six small worlds, by all tables and samples"
    c.exact([believed_listed(*size) for size in little], by_formula, label)
    both = rate_there, claimed_there
    c.close(both, [0.1098, 0.1110], "it, and the claim", atol=5e-5, rtol=0)
shown_inside = round(rate_there, 6)
inside_claim = round(claimed_there, 6)

# %% [markdown]
# ## Does top-coding help?
#
# Where the attacker *knows* that a value is unique in the country, the premise is gone: the believed share is 0 and the risk 1. The
# paper says so, and advises to combine the sample with top and bottom coding. What does that do in Adult?

# %% jupyter={"source_hidden": true} tags=["set-up"]
age = adult["age"].astype(int)
rest = [adult[name] for name in KNOWN[1:]]


def merged(column, share=0.01):
    """Categories of fewer people as one."""
    names, codes, often = np.unique(column, return_inverse=True, return_counts=True)
    return np.where(often[codes] < share * len(column), "other", names[codes])


rare = [merged(column) for column in rest]
ends = np.clip(age, 20, 60)
codings = {
    "as published": [age, *rest],
    "70 and over as one": [np.minimum(age, 70), *rest],
    "60 and over, 20 and under": [ends, *rest],
    "categories below 1 % merged": [age, *rare],
    "the last two": [ends, *rare],
    "five-year bands": [age // 5, *rest],
    "all three": [ends // 5, *rare],
}
coding = {}
for label, features_ in codings.items():
    values, _ = coded(features_)
    alone = np.bincount(values)[values] == 1
    coding[label] = (
        alone.mean(),
        alone[age >= 70].mean(),
        alone[age < 70].mean(),
        *(exact_rate(values, 100, sizes[1], single=only) for only in (True, False)),
    )
heads = ("unique", "of those 70 or older", "of the others", "right, one line",
         "right, all claims")  # fmt: skip
table(
    {"coding": [*codings],
     **{head: [f"{row[k]:.1%}" for row in coding.values()]
        for k, head in enumerate(heads)}},
    caption="Adult, 10 % samples, 100 acquaintances: unique people and right claims "
    "(exact). Equation (1) says 0.34 % of one line in every row.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
q_v = sp.Symbol("q_v", positive=True)
with claim("K-4.15") as c:
    told = sp.limit(1 / (1 + left_out * q_v), q_v, 0)
    c.decisive("proved").exact(told, sp.Integer(1), "believed share → 0: certainty")
    rows = [[1, 0], [0, 1], [0, 1]]  # nobody unknown can have the first value
    chance = match_probability(
        [0, 1, 2, 2, 2], [0, 1], transition=rows, record=0, slot=0
    )
    c.exact(chance, Fraction(1), "a value known to be unique in the country, n = 5")
    before, after = (coding[x][1] for x in ("as published", "70 and over as one"))
    label = "Adult, unique among those 70 or older: twice the share after top-coding"
    c.decisive("one example").at_most(2 * after, before, label)
    label = "after it, one line at 10 %: the paper's measure, share of right claims"
    c.limit(
        round(float(eq1_once[1]), 4), round(coding["70 and over as one"][3], 4), label
    )
assert round(float(eq1_once[1]), 4) == 0.0034
assert 2 * coding["the last two"][0] > coding["as published"][0]
assert coding["five-year bands"][0] < coding["the last two"][0]
assert coding["60 and over, 20 and under"][1] < 0.12
assert abs(coding["as published"][2] - coding["70 and over as one"][2]) < 1e-3
for name, row in (("before", "as published"), ("after", "70 and over as one")):
    in_text[f"old-{name}"] = round(float(coding[row][1]), 6)
young = float(coding["as published"][2])


# %% [markdown]
# It does what it says for those it names: of the people of 70 and over 47%<!-- {in_text['old-before']:.0%} --> are unique
# before it and 18%<!-- {in_text['old-after']:.0%} --> after. Of the others 17%<!-- {young:.0%} --> are, before and after. Most unique people
# stand in the middle of the table, with a rare combination of common answers, and wider bands do more for them than cut tails. The
# measure stays where it was.
#
# ## A formula to evaluate with care
#
# The paper's reference for the individual risk gives $r_f$ for $f > 2$ as a finite alternating sum.
#
# ```{admonition} As printed
# :class: as-printed
# $r_f = \bigl(\tfrac{p}{1-p}\bigr)^{f} \Bigl[A \bigl(1 + \sum_{m=0}^{f-3} (-1)^{m+1} \prod_{i=0}^{m} B_i\bigr) + (-1)^f \ln p\Bigr]$
# with $A = \frac{p^{1-f} - 1}{f - 1}$ and
# $B_i = \frac{(f-1-i)^2}{(i+1)(f-2-i)} \cdot \frac{p^{i+2-f} - 1}{p^{i+1-f} - 1}$. *({cite:t}`franconi2004individual`)*
# ```

# %%
def printed_risk(f, p, ln=log):
    def factor(i):
        share = p / p * (f - 1 - i) ** 2 / ((i + 1) * (f - 2 - i))  # as precise as p
        return share * (p ** (i + 2 - f) - 1) / (p ** (i + 1 - f) - 1)

    products = accumulate(map(factor, range(f - 2)), mul)
    total = 1 + sum((-1) ** (m + 1) * product for m, product in enumerate(products))
    A = (p ** (1 - f) - 1) / (f - 1)
    return (p / (1 - p)) ** f * (A * total + (-1) ** f * ln(p))


for f, p in ((3, 0.1), (12, 0.9), (40, 0.99)):
    print(f"f = {f}, p = {p}: as printed {printed_risk(f, p):.2g},", end=" ")
    print(f"by a positive series {sampling.benedetti_franconi_risk(f, p):.5f}")

# %% [markdown]
# The formula is right, and it cancels: a risk below $1/f$ comes out of terms that are larger by many orders of magnitude, and a computer's
# 16 digits are not enough. `indivRisk(method = "exact")` of sdcMicro {cite:p}`templ2015sdcmicro` evaluates this sum (file `R/indivRisk.R`
# as of commit 0394d0c); its default is an approximation, so few will have met the effect. Our function adds up
# a series of positive terms.

# %% jupyter={"source_hidden": true} tags=["evidence"]
points = [(3, 0.1), (5, 0.3), (12, 0.9), (20, 0.5), (30, 0.7), (40, 0.99)]
with mpmath.workdps(400):
    digits = [float(printed_risk(f, mpmath.mpf(p), mpmath.log)) for f, p in points]
with claim("K-B19") as c:
    ours = [sampling.benedetti_franconi_risk(f, p) for f, p in points]
    label = "the printed formula with 400 digits, our series: six (f, p)"
    c.decisive("sampled").close(digits, ours, label, rtol=1e-12)
    c.at_most(digits, [1 / f for f, _ in points], "all below 1/f, as N ≥ f")
    in_floats = [printed_risk(f, p) for f, p in points]
    off = {at for at, x, y in zip(points, in_floats, ours) if abs(x / y - 1) > 0.01}
    expected = {(12, 0.9), (30, 0.7), (40, 0.99)}
    label = "in floats, more than 1 % off: three of the six"
    c.decisive("sampled").holds(off == expected, label)
    size = len(str(abs(int(in_floats[-1]))))
    c.decisive("one example").exact(size, 74, "f = 40, p = 0.99 in floats: digits")


# %% [markdown]
# ## Misprints
#
# Small things in print, most of them possibly the converter's. The misprinted limits of Claim 4.1 stand in its proof, too. One
# more has no row: the proof of Claim 4.1 prints $\tau'(r) \notin \{\dots\}$ where $\tau'(r') \notin \{\dots\}$ is meant.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def check_slot(c):
    keys = successes(("a", "b"), 3, 1)
    records = {record for _, record, _ in keys}
    slots = {slot for _, _, slot in keys}
    label = "n = 3, s = 1: choices of r' if it is a record of the table"
    c.differs(len(records), len(slots), label)
    c.exact({r[slot] for r, _, slot in keys}, {"a", "b"}, "a slot has one value")
    assert records == {0, 1, 2} and slots == {0}


def check_set(c):
    def mass(count):  # total belief about one unknown record, τ0 = (a, b)
        return sum(Fraction(count(v), 2) for v in "ab")

    printed_set = set(range(2))  # all r' of a release with two slots
    label = "n0 = 2, s = 2: total belief"
    c.differs(mass(lambda v: len(printed_set)), Fraction(1), label)
    c.exact(mass("ab".count), Fraction(1), "with r0 counted")


def prior(i, m, share):  # Pr(N = i), N = 1 + Bin(m, share)
    return comb(m, i - 1) * share ** (i - 1) * (1 - share) ** (m - i + 1)


def check_likelihood(c):
    span = range(1, 4)  # n = 5, n0 = 2, s = 2: n_hat = 2

    def risk(likelihood):
        total = sum(likelihood(i) * prior(i, 2, half) for i in span)
        return sum(likelihood(i) * prior(i, 2, half) / i for i in span) / total

    right_one = sampling.identification_risk(5, 2, n_sampled=2)
    printed = risk(lambda i: comb(i, 2) * 2)  # 0, 2, 6; the prior is 1/4, 1/2, 1/4
    two, three = Fraction(2, 2), Fraction(6, 4)
    c.differs(printed, right_one, "n = 5, n0 = 2, s = 2")
    assert printed == (two / 2 + three / 3) / (two + three)
    ways = {
        i: sum(o[0] < i for o in permutations(range(5), 2) if o[1] >= 3) for i in span
    }
    c.exact(
        risk(lambda i: ways[i]), right_one, "with the ways to draw such a release"
    )


def check_limits(c):
    def mass(top):  # n = 8, n0 = 3, s = 3: n_hat = 3
        law = law_of(3, 3)
        return sum(i * law[i] for i in range(1, top)) / sum(i * law[i] for i in law)

    c.differs(mass(3), mass(5), "n = 8, n0 = 3, s = 3: posterior mass of i < n̂")
    assert mass(3) == Fraction(8 + 2 * 12, 8 + 2 * 12 + 3 * 6 + 4 * 1)  # of 27
    c.exact(mass(5), Fraction(1), "i = 1..n̂ + 1")


rows = [
    (
        "K-4.2",
        r"Definition 4.1: $r' \in \mathcal{R}$",
        r"$r' \in \mathcal{R}'$",
        check_slot,
    ),
    (
        "K-4.5",
        r"(1): $\{r' \mid r_0 \in \mathcal{R}_0, \tau(r) = \tau(r_0)\}$",
        r"$\{r_0 \in \mathcal{R}_0 \mid \tau(r) = \tau(r_0)\}$",
        check_set,
    ),
    (
        "K-4.10",
        r"likelihood $\binom{i}{pn}(pn)!$",
        r"$i / \bigl(\binom{n}{pn}(pn)!\bigr)$, up to a constant",
        check_likelihood,
    ),
    (
        "K-4.12",
        r"$\sum_{i < \hat n}$ in the proof",
        r"$i = 1..\hat n + 1$",
        check_limits,
    ),
]
records = misprints(rows)

# %% [markdown]
# The proof also sums over families $\mathcal{T}_i$ of tables that the paper does not define. With $\mathcal{T}_i$ the tables in
# which $i$ records have the target's value it is right: the cancellation of $\frac1i$ and the final algebra are as they should be, and so is the law of $i$,
# given that $s - 1$ unknown records are those of the release, with values that nobody known has. (Before that, $n - n_0$ records are unknown, not $\hat n$.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
found, whole = [], []
for known, n_, s_ in up_to_four:
    behind = Counter()
    for weight, people_, order in worlds(known, n_, s_):
        release = tuple(people_[k] for k in order)
        behind[release, people_.count(release[0])] += weight
    for release in {release for release, _ in behind}:
        if release[0] == known[0]:
            law = {i: x for (r, i), x in behind.items() if r == release}
            found.append(sum(x / i for i, x in law.items()) / sum(law.values()))
            whole.append(listed[known, n_, s_][release, 0, 0])
with claim("K-4.21") as c:
    assert len(up_to_four) == 1 + 2 * 3 + 3 * 6 + 4 * 11  # s times known tables
    label = "n ≤ 4: Σ 1/i Pr[T ∈ T_i | release], all posteriors of the first record"
    c.decisive("exhaustive").exact(found, whole, label)

def alike(n0_, m, outside, chance):
    """Number with the target's value, if `outside` others have no known value."""
    law = Counter()
    for values in product(range(n0_ + 1), repeat=m + outside):  # n0: a value outside
        if values.count(n0_) == outside:
            law[1 + values.count(0)] += chance**outside * ((1 - chance) / n0_) ** m
    return {i: weight / sum(law.values()) for i, weight in law.items()}


def binomial_law(n0_, m):
    """The paper's formula, for m records."""
    law = {i: prior(i, m, Fraction(1, n0_)) for i in range(1, m + 2)}
    return {i: weight for i, weight in law.items() if weight}


small_cases = list(product((1, 2, 3), (0, 1, 2, 3), (0, 1, 2)))
laws_ = [alike(*case, Fraction(1, 5)) for case in small_cases]
formula_ = [binomial_law(n0_, m) for n0_, m, _ in small_cases]
ways = [
    Fraction(sum(o[0] < i for o in permutations(range(5), 2) if o[1] >= 4), i)
    for i in range(1, 5)
]
with claim("K-4.22") as c:
    label = "n0 ≤ 3, n̂ ≤ 3, s ≤ 3: number with the value, all tables and binomial"
    c.decisive("exhaustive").exact(laws_, formula_, label)
    label = "n0 = 2, two unknown, none outside: without the condition n − n0 trials"
    by_two = {1: Fraction(1, 4), 2: Fraction(1, 2), 3: Fraction(1, 4)}
    c.exact(alike(2, 2, 0, Fraction(0)), by_two, label)
    c.exact(ways, ways[:1] * 4, "n = 5: ways to draw such a release, divided by i")
with claim("K-4.11") as c:
    gaps = []
    for m in range(2, 7):
        span = range(1, m)  # the limits as printed, on both sides
        before = sum(
            sp.binomial(m, i - 1) * (n0 - 1) ** (m - i + 1) for i in span
        ) / sum(j * sp.binomial(m, j - 1) * (n0 - 1) ** (m - j + 1) for j in span)
        gaps.append(sp.cancel(sp.together(before - double_sum(m, n0, m - 1))))
    label = "2 ≤ n_hat ≤ 6: the last two lines agree for all n0 ≥ 2"
    c.decisive("exhaustive").exact(gaps, [sp.Integer(0)] * 5, label)
with claim("K-4.13") as c:
    nobody = [
        sum(weight for weight, people_, _ in worlds(tuple("ab"), n_, 1)
            if "a" not in people_[2:])
        for n_ in (2, 3, 4)
    ]  # fmt: skip
    by_first = [comb(m, 0) * half**m for m in (0, 1, 2)]
    label = "knows a and b, 0 to 2 others: Pr(nobody else has a), the term with i = 1"
    c.exact(nobody, by_first, label)

sevenths = [
    (n_, n0_, Fraction(j, 7))
    for n_ in range(1, 7)
    for n0_ in range(1, n_ + 1)
    for j in range(1, 7)
    if j * n_ >= 7
]
with claim("K-4.19") as c:
    claimed_at = {
        (n_, n0_, p): min(1, Fraction(n0_) / ((1 - p) * n_ + 1))
        for n_, n0_, p in sevenths
    }
    over = [
        (n_, n0_, p)
        for (n_, n0_, p), x in claimed_at.items()
        if worst[n_, n0_, int(p * n_)] > x
    ]
    by_odds = {
        (n_, n0_, p): Fraction(7 * n0_, max(7 * n0_, 7 * n_ + 7 - int(7 * p) * n_))
        for n_, n0_, p in sevenths
    }
    c.exact(claimed_at, by_odds, "that bound, in whole sevenths")
    label = "n ≤ 6, p in sevenths, s = ⌊pn⌋: posteriors above n0/((1−p)n + 1)"
    c.decisive("sampled").exact(over, [], label)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Knowing only the target
# :label: ex-di-02-stranger
# ```
# **Warm-up.** The attacker knows *only the target*, $n_0 = 1$. What does equation (1) say about everybody
# else, and what is the exact risk? Is it reasonable that she is the least dangerous attacker of all?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-02-stranger", ...)

# %% [markdown]
# ```{solution-start} ex-di-02-stranger
# :class: dropdown
# ```
# Everybody has the target's value, so every released line is any of the $n$ records: risk exactly $1/n$,
# whatever the sample. The attacker who learns has $s/n$. The less the first one knows, the surer she is that
# the target has doubles: a property of the belief, not of the world. In Adult, who has 10 acquaintances instead of 100
# is right as often, and believes ten times less in it.

# %% jupyter={"source_hidden": true} tags=["evidence"]
for n_, s_ in ((3, 2), (4, 1), (4, 4)):
    assert set(successes(("a",), n_, s_).values()) == {Fraction(1, n_)}
    assert sampling.worst_case_risk(n_, 1, n_sampled=s_) == Fraction(1, n_)
    assert sampling.learning_attacker_risk(n_, 1, n_sampled=s_) == Fraction(s_, n_)
ten = worlds_asked["Adult", 10][1]
told = ten.beliefs["equation (1)"][ten.shown == 1].mean()
assert 9 < eq1_once[1] / told < 11
assert abs(exact_rate(people, 10, sizes[1], single=True) / exactly[1] - 1) < 0.05


def by_enumeration(n, s):
    return max(successes(("a",), n, s).values())


check("di-02-stranger", by_enumeration)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A unique value shown twice
# :label: ex-di-02-twice
# ```
# **Standard.** The target's unique value stands *twice* in the release, the other $s - 2$ slots show one other
# unique value. Use the swap lemma to bound the risk, and check it by enumeration for
# $n = 5$, $n_0 = 2$, $s = 3$. Give both as fractions.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-02-twice", ...)

# %% [markdown]
# ```{solution-start} ex-di-02-twice
# :class: dropdown
# ```
# One more exchange partner is certain: the record in the other such slot. So
# $1/\text{risk} \ge 2 + \operatorname{E}[U]/n_0$, where $U \ge n - n_0 - (s - 1) = \hat n$ unknown records are left out. Here the bound is
# $\frac25$, and the risk 4/11<!-- {shown_twice} -->.

# %% jupyter={"source_hidden": true} tags=["evidence"]
twice_shown = successes(("a", "b"), 5, 3)[("a", "a", "b"), 0, 0]
assert (
    twice_shown
    == Fraction(4, 11)
    <= 1 / (2 + Fraction(5 - 2 - 2, 2))
    == Fraction(2, 5)
)
assert twice_shown == risks_by_counts([1, 1], 5, [2, 1])[0]
bound = sampling.identification_risk(5, 2, n_sampled=3, shown=2)
check("di-02-twice", (bound, twice_shown))
assert sampling.identification_risk(5, 2, n_sampled=3, shown=2) == Fraction(2, 5)
shown_twice = str(twice_shown)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A belief that allows unseen values
# :label: ex-di-02-smooth
# ```
# **Standard.** Repair the belief: unseen values get a total share $\varepsilon$, seen ones
# $(1 - \varepsilon) c_v/n_0$. Now the paper's worst release is possible. What is the risk there, and what
# becomes of it as $\varepsilon \to 0$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-02-smooth", ...)


# %% [markdown]
# ```{solution-start} ex-di-02-smooth
# :class: dropdown
# ```
# All other slots show values that nobody known has, so exactly $\hat n$ unknown records are left out:
# $1/(1 + \hat n (1 - \varepsilon)/n_0)$, *above* the claim for every $\varepsilon > 0$ and equal to it in the
# limit. The number of Claim 4.1 is right as the limit of another belief.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def worst_release(n_0, n_hat, eps):
    return 1 / (1 + n_hat * (1 - eps) / n_0)


for eps in (Fraction(1, 2), Fraction(1, 10), Fraction(1, 1000)):
    share = (1 - eps) / 2
    rows = [[1, 0, 0], [0, 1, 0], [share, share, eps]]
    chance = match_probability(
        [0, 1, 2, 2, 2], [0, 2, 2], transition=rows, record=0, slot=0
    )
    assert chance == worst_release(2, 1, eps)  # n = 5, n0 = 2, s = 3: n_hat = 1
    assert chance > sampling.identification_risk(5, 2, n_sampled=3)
assert chance - sampling.identification_risk(5, 2, n_sampled=3) < Fraction(1, 1000)
check("di-02-smooth", worst_release)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Which populations fit the belief
# :label: ex-di-02-population
# ```
# **Research.** Which populations does equation (1) fit? Play the game in cities of 10,000 people with Zipf exponents from 0 to 2 and
# with 100 or 20,000 cells, and compare the share of right claims on one line at a 10 % sample with Claim 4.1.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-02-population", ...)

# %% [markdown]
# ```{solution-start} ex-di-02-population
# :class: dropdown
# ```
# Claim 4.1 does not see the population; it says 0.011<!-- {city_claim:.3f} --> to all of them. The share of right claims goes
# from 0.011<!-- {city_low:.3f} --> to 0.70<!-- {city_high:.2f} -->. The claim fits at the low end: 100 values, all
# equally common (exponent 0), so that 100 acquaintances have met most of them and strangers do resemble acquaintances. It fails where most
# people have no double, with 20,000 cells of equal weight, and where common values hide many rare ones.

# %% jupyter={"source_hidden": true} tags=["evidence"]
rate_of = {}
for exponent, many in product((0.0, 1.1, 2.0), (100, 20_000)):
    shares_ = 1 / np.arange(1, many + 1) ** exponent
    town = rng.choice(many, 10_000, p=shares_ / shares_.sum())
    rate_of[exponent, many] = float(exact_rate(town, 100, 1000, single=True))
claimed_city = float(sampling.identification_risk(10_000, 100, n_sampled=1000))
lowest, highest = (pick(rate_of, key=rate_of.get) for pick in (min, max))
assert (lowest, highest) == ((0.0, 100), (0.0, 20_000))
check("di-02-population", lowest)
assert abs(rate_of[lowest] / claimed_city - 1) < 0.1
city_claim = round(claimed_city, 6)
city_low = round(rate_of[lowest], 6)
city_high = round(rate_of[highest], 6)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The swap lemma: exchange the target with each other record, and every other explanation of the release is met exactly once. Both
#   theorems of the paper follow.
# - Claim 4.1 is $n_0/(n - s + 1)$: a size-biased expectation of $1/N$ is $1/\operatorname{E}[N]$. The printed limits of
#   summation stop two terms early, and the printed sum is still a bound from $\hat n = 2$ on; the bound holds for every release.
# - The release that the paper calls worst is impossible under its own belief for $s \ge 2$. The exact worst
#   case has a closed form for $n_0 \ge 2$, and for $\hat n \ge 0$ is lower by a relative $1/(n - s + 2)$ at most. (For $n_0 = 1$ it is $1/n$.)
# - The number rests on the belief that strangers resemble acquaintances. It allows a sample of 90%<!-- {ninety} --> for
#   $k = 10$; in Adult it is too small by a factor of 74<!-- {in_text['factor-ten']} --> at a rate of 10 %.
# - All attackers are right equally often; what differs is how well they know it. Who counts the sample's own uniques and doubles
#   comes within 5 % in Adult at rates of 10 and 30 %; at 1 % she says 12%<!-- {short:.0%} --> too little.
#
# **Further reading.** Benedetti and Franconi {cite:p}`benedetti1998risk`; Franconi and Polettini
# {cite:p}`franconi2004individual`; Skinner and Elliot {cite:p}`skinner2002`. Samples whose size is random: [notebook
# 5](05-designing-a-release.ipynb). **Next:** [what if the attacker knows everything](03-pram-and-sampling.ipynb)?
