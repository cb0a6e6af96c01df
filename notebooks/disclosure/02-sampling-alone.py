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
# and then asks a simulated population whether it is true.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why the paper's double sum is the fraction $n_0/(n - s + 1)$, which release is really
# the worst, what the number means for the choice of a sampling rate, and how four formulas for the same
# risk compare with the truth in a population.
# **You need** conditional probability, binomial coefficients and the definitions of
# [notebook 1](01-who-attacks.ipynb).
# **Time:** 30 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** $s = pn$ of $n$ records, drawn without replacement and shuffled, values unchanged. **The
# attacker** knows the values of $n_0$ records, the target's among them, the numbers $n$ and $s$, and *not*
# who was sampled; about the other $n - n_0$ records she has a belief. **Protected:** which slot of the
# release shows the target. **Not protected:** anything against an attacker who knows that the target was
# sampled, or who knows the whole table.
# ```

# %%
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import comb, factorial, prod

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue
from scipy.integrate import quad

from privlib.disclosure import sampling
from privlib.disclosure.posterior import match_probability
from privlib.kit import claim, plots, slips

plots.use()

# %% [markdown]
# ## Who is this attacker?
#
# Against somebody who knows the whole table, sampling protects nobody whose value is unique
# ([notebook 1](01-who-attacks.ipynb)). No sampling rate below one changes that:

# %%
identity = [[1, 0], [0, 1]]  # nothing is rewritten
with claim("K-4.1") as c:
    for n_, s_ in ((2, 1), (5, 2), (9, 8)):
        chance = match_probability(
            [0] + [1] * (n_ - 1),
            [0] + [1] * (s_ - 1),
            transition=identity,
            record=0,
            slot=0,
        )
        c.exact(
            chance, Fraction(1), f"whole table known, n = {n_}, s = {s_}: certainty"
        )


# %% [markdown]
# So section 4 of the paper {cite:p}`kikuchi` restricts the knowledge.
#
# ```{prf:definition} Risk against one attacker (Definition 4.1)
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

# %%
def worlds(known, n, s):
    """Every (probability, table, order) that the attacker holds possible."""
    for unknown in product(sorted(set(known)), repeat=n - len(known)):
        belief = prod(Fraction(known.count(v), len(known)) for v in unknown)
        for order in permutations(range(n), s):
            yield (
                belief * Fraction(factorial(n - s), factorial(n)),
                known + unknown,
                order,
            )


def successes(known, n, s):
    """Pr[record behind slot | release], for every possible release."""
    law, behind = Counter(), Counter()
    for weight, table, order in worlds(known, n, s):
        release = tuple(table[record] for record in order)
        law[release] += weight
        for slot, record in enumerate(order):
            behind[release, record, slot] += weight
    return {key: weight / law[key[0]] for key, weight in behind.items()}


small = successes(("a", "b"), 4, 2)  # knows a and b; two unknown records; two slots
for release in (("a", "b"), ("a", "a")):
    chance = [small[release, record, 0] for record in (0, 2, 3)]
    print(
        f"release {' '.join(release)}: first slot is the known a {chance[0]},",
        f"an unknown record {chance[1]} each",
    )

# %% [markdown]
# One line with your value, and the colleague is right with probability
# {glue:text}`worst-422`. More lines with it make you safer. What is the worst case for any numbers?

# %%
glue("worst-422", str(max(small.values())), display=False)

a, b, x, y = sp.symbols("a b x y", positive=True)  # known counts, believed shares
log_likelihood = a * sp.log(x) + b * sp.log(1 - x)
best = sp.solve(sp.diff(log_likelihood, x), x)[0]

with claim("K-4.3") as c:
    total = sum(weight for weight, _, _ in worlds(("a", "a", "b"), 4, 2))
    c.exact(total, Fraction(1), "a belief: probabilities sum to one")
    c.exact(best, a / (a + b), "the shares that make the known records likeliest")
    seen = {value for _, table, _ in worlds(("a", "b"), 4, 2) for value in table}
    c.exact(seen, {"a", "b"}, "no other value is held possible")

# %% [markdown]
# ## A double sum that is one fraction
#
# ```{prf:proposition} Claim 4.1 (主張 4.1), as printed
# :label: thm-di-02-claim
# With $\hat n = n - n_0 - (pn - 1)$, the risk against the attacker of equation (1), for every $\tau_0$ and
# $\tau'$, is
# $\displaystyle\sum_{i<\hat n}\binom{\hat n}{i-1}\frac1{\sum_{j<\hat n} j\binom{\hat n}{j-1}(n_0-1)^{i-j}}$ .
# ```
#
# Where does it come from? Take the paper's candidate for the worst case: the target's value is unique among
# the known records and stands once in the release, and none of the other $s - 1$ slots can be a known
# record. Then $s - 1$ unknown records are used up, $\hat n$ are left out, and the number of records with
# the target's value is $N = 1 + X$, $X \sim \mathrm{Bin}(\hat n, 1/n_0)$. Given $N = i$, the one line is
# the target with probability $1/i$; and a release with one such line is $i$ times as likely. So
#
# $$ \text{risk} = \frac{\sum_i \frac1i \cdot i \Pr(N = i)}{\sum_j j \Pr(N = j)} = \frac{1}{\E[N]} . $$
#
# The posterior of $N$ is *size-biased*, and a size-biased expectation of $1/N$ is $1/\E[N]$: nothing is left
# to sum. In generating functions, for every $\hat n$ and $n_0$ at once:

# %%
n_hat, n0, t = sp.symbols("nhat n0 t", positive=True)
G = t * (1 - 1 / n0 + t / n0) ** n_hat  # E[t^N], N = 1 + Bin(nhat, 1/n0)
total = sp.simplify(G.subs(t, 1))  # sum of Pr(N = i)
mean = sp.simplify(sp.diff(G, t).subs(t, 1))  # sum of j Pr(N = j)
collapsed = sp.simplify(total / mean)
print("E[N] =", sp.expand(mean), "   risk =", collapsed)

n, s = sp.symbols("n s", positive=True)
closed = sp.simplify(collapsed.subs(n_hat, n - n0 - (s - 1)))
print("in the paper's letters:", closed)


# %% [markdown]
# So the claim is $\xi = n_0 / (n - s + 1) = n_0 / ((1-p)n + 1)$. The printed limits $i, j < \hat n$ stop two
# terms early: $N$ runs from 1 to $\hat n + 1$.

# %%
def double_sum(n_hat, n0, top):
    """The printed expression with both sums from 1 to top."""
    span = range(1, top + 1)
    return sum(
        sp.binomial(n_hat, i - 1)
        / sum(j * sp.binomial(n_hat, j - 1) * (n0 - 1) ** (i - j) for j in span)
        for i in span
    )


def printed_sum(n, n0, s):
    """The same up to n_hat - 1, as 1 / E[N | N < n_hat]; 0 where it is empty."""
    m = n - n0 - s + 1
    law = {i: comb(m, i - 1) * (n0 - 1) ** (m - i + 1) for i in range(1, m)}
    mean = sum(i * weight for i, weight in law.items())
    return Fraction(sum(law.values()), mean) if law else Fraction(0)


full = [double_sum(m, n0, m + 1) - n0 / (n0 + m) for m in range(7)]
print("full sum minus fraction:", [sp.cancel(sp.together(gap)) for gap in full])

print(" n  n0  s  n_hat   printed          fraction        excess")
for sizes in ((5, 2, 2), (6, 2, 2), (7, 2, 2), (10, 2, 3), (20, 2, 5), (50, 3, 10)):
    printed = printed_sum(*sizes)
    right = sampling.identification_risk(*sizes[:2], n_sampled=sizes[2])
    left_out = sizes[0] - sizes[1] - sizes[2] + 1
    print(
        "{:2d} {:3d} {:2d}".format(*sizes),
        f"{left_out:5d}  {float(printed):8.6f}",
        f"{float(right):16.6f} {float(printed / right - 1):14.1e}",
    )


# %% [markdown]
# The printed value is too large when $\hat n$ is tiny and indistinguishable from the fraction when it is
# not: for $\hat n \ge 2$ it is a valid bound all the same. It fails at $\hat n = 1$, where the printed sum
# is empty.
#
# ## Is it a bound, and is it reached?
#
# For every known table, every release, every record and every slot? With up to four records we go through
# all of them; up to six records through all category counts, with the law of the counts (multinomial
# belief, hypergeometric sample) instead of the records.

# %% tags=["hide-input"]
def known_tables(n0):
    """Every known table, up to the names of the values."""
    for table in combinations_with_replacement("abcdef"[:n0], n0):
        counts = [table.count(v) for v in "abcdef"]
        if counts == sorted(counts, reverse=True):
            yield table


def risk_by_counts(known, n, shown):
    """E[1/N_v | release] for the values shown: no record, no slot, only counts."""
    n0, m = sum(known), n - sum(known)
    evidence, inverse = Fraction(0), [Fraction(0)] * len(known)
    for unknown in product(range(m + 1), repeat=len(known)):
        if sum(unknown) == m:
            weight = Fraction(factorial(m))
            for c, k, f in zip(known, unknown, shown):
                weight *= Fraction(c, n0) ** k / factorial(k) * comb(c + k, f)
            evidence += weight
            for v, (c, k) in enumerate(zip(known, unknown)):
                inverse[v] += weight / (c + k)
    return (
        [part / evidence for part, f in zip(inverse, shown) if f] if evidence else []
    )


span = range(1, 7)
every_size = [size for size in product(span, repeat=3) if max(size) == size[0]]
posteriors, by_counts = {}, {}
for size in every_size:
    n_, n0_, s_ = size
    if n_ <= 4:  # every posterior probability, record by record
        posteriors[size] = [
            chance
            for known in known_tables(n0_)
            for chance in successes(known, n_, s_).values()
        ]
        continue
    found = [Fraction(0)]  # largest risk of a known record, from counts
    for known in known_tables(n0_):
        counts = [known.count(v) for v in sorted(set(known))]
        for shown in product(range(s_ + 1), repeat=len(counts)):
            if sum(shown) == s_:
                found += risk_by_counts(counts, n_, shown)
    by_counts[size] = max(found)

worst = {sizes: max(chances) for sizes, chances in posteriors.items()} | by_counts
checked = sum(map(len, posteriors.values()))
print(checked, "posteriors record by record,", len(worst), "sizes (n, n0, s)")

# %%
with claim(
    "K-4.6",
    printed=r"$\sum_{i<\hat n}$ and $\sum_{j<\hat n}$",
    corrected=r"$i, j = 1..\hat n + 1$; the sum is then $\frac{n_0}{n - s + 1}$, "
    r"and 1 for $\hat n < 0$",
    consequence=r"The printed sum is still an upper bound for $\hat n \ge 2$, "
    r"$n_0 \ge 2$. Later results do not use it.",
) as c:
    printed = printed_sum(4, 2, 2)
    c.fails(
        worst[4, 2, 2] <= printed,
        f"n = 4, n0 = 2, s = 2: the printed sum is {printed}, "
        f"the largest posterior {worst[4, 2, 2]}",
    )
    c.exact(closed, n0 / (n - s + 1), "size-biased expectation, all n, n0, s")
    c.exact(
        [sp.cancel(sp.together(gap)) for gap in full],
        [sp.Integer(0)] * len(full),
        "the full double sum, as rational functions of n0",
    )
    bounded = all(
        risk <= sampling.identification_risk(*sizes[:2], n_sampled=sizes[2])
        for sizes, risk in worst.items()
    )
    c.holds(bounded, f"no violation in {len(worst)} sizes (n, n0, s) up to n = 6")
    by_display = [double_sum(m, sp.Integer(2), m - 1) for m in range(2, 7)]
    by_mean = [printed_sum(m + 3, 2, 2) for m in range(2, 7)]
    c.exact(by_mean, by_display, "the printed limits, by the display itself")
    still = all(
        risk <= printed_sum(*sizes)
        for sizes, risk in worst.items()
        if sizes[0] - sizes[1] - sizes[2] + 1 >= 2 and sizes[1] >= 2
    )
    c.holds(still, "for n_hat and n0 from 2 on the printed sum bounds them too")

# %% [markdown]
# Why does it hold for *every* release? By the exchange argument that opens this part: give the target's
# slot to another record that was left out. An unknown one has the target's value with probability
# $q_v = c_v/n_0 \ge 1/n_0$, and at least $\hat n$ unknown records are left out. The paper names the same two
# inequalities.

# %% tags=["hide-input"]
fewest = {}
for sizes in posteriors:
    n_, n0_, s_ = sizes
    fewest[sizes] = min(
        sum(record not in order for record in range(n0_, n_))
        for order in permutations(range(n_), s_)
        if set(order) & set(range(n0_))  # the target, a known record, is sampled
    )
least_share = {
    n0_: min(
        Fraction(known.count(v), n0_) for known in known_tables(n0_) for v in known
    )
    for n0_ in range(1, 7)
}
with claim("K-4.8") as c:
    expected = {k: max(0, k[0] - k[1] - (k[2] - 1)) for k in posteriors}
    c.exact(fewest, expected, "unknown records left out: n_hat is the least")
    share = {n0_: Fraction(1, n0_) for n0_ in least_share}
    c.exact(least_share, share, "a value unique in τ0 has the smallest share")

with claim("K-4.9") as c:
    for known, n_, s_ in ((("a", "b"), 4, 2), (("a", "b", "b"), 5, 2)):
        hits, cases = Counter(), Counter()
        for weight, table, order in worlds(known, n_, s_):
            release, doubles = tuple(table[k] for k in order), table.count("a")
            if release[0] == "a":
                cases[release, doubles] += weight
                hits[release, doubles] += weight * (order[0] == 0)
        law = {key: hits[key] / cases[key] for key in cases}
        c.exact(
            law, {key: Fraction(1, key[1]) for key in law}, f"n = {n_}: 1/i exactly"
        )


# %% [markdown]
# Is the bound reached? The paper's worst release shows, next to the target, $s - 1$ values that *nobody
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
# *Proof.* With $K$ of the other slots filled by known records, $\hat n + K$ unknown ones are left out, and
# $1/\text{risk} = 1 + (\hat n + \E[K])/n_0$. If $s_w$ slots show the value $w$, then
# $\Pr(K = j) \propto a_j\, m!/(m - s + 1 + j)!$ with $m = n - n_0$ and
#
# $$ \sum_j a_j x^j = \prod_w \sum_j \binom{s_w}{j} \frac{c_w!}{(c_w - j)!}\Bigl(\frac{n_0}{c_w}\Bigr)^{j} x^j
# = 1 + n_0 (s-1)\, x + a_2 x^2 + \dots $$
#
# Every release has the same first two coefficients. The others are not negative and belong to $K \ge 2$,
# which is more than $\kappa < 1$, so they only raise the mean: $\E[K] \ge \kappa$, with equality if all
# vanish, that is for one value $w$ with $c_w = 1$. A second line with the target's value adds 1 to
# $1/\text{risk}$, a second known record with it doubles the rest, and an unknown target has risk
# $1/(n - n_0 + 1)$ at most. None is worse. ∎

# %%
def as_a_table(n_, n0_, s_):
    """The worst release by the package's posterior: one more row for the unknown."""
    rows = [[int(u == v) for v in range(n0_)] for u in range(n0_)]
    rows.append([Fraction(1, n0_)] * n0_)
    table, release = [*range(n0_), *[n0_] * (n_ - n0_)], [0] + [1] * (s_ - 1)
    return match_probability(
        table, release, transition=rows, record=0, slot=0, method="generating"
    )


c_w, s_w, known_n = sp.symbols("c_w s_w n0", positive=True)
linear = sp.expand_func(sp.binomial(s_w, 1)) * sp.ff(c_w, 1) * known_n / c_w
linear = sp.simplify(linear)
print("coefficient of x from one value:", linear, " (whatever c_w is)")

with claim("K-B1") as c:
    c.exact(linear, known_n * s_w, "the linear coefficient does not depend on c_w")
    formula = {
        sizes: sampling.worst_case_risk(*sizes[:2], n_sampled=sizes[2])
        for sizes in worst
    }
    c.exact(
        worst,
        formula,
        f"enumeration: every (n, n0, s) up to n = 6, {len(worst)} sizes",
    )
    for sizes in ((9, 2, 4), (12, 4, 6), (15, 3, 7)):
        c.exact(
            as_a_table(*sizes),
            sampling.worst_case_risk(*sizes[:2], n_sampled=sizes[2]),
            f"posterior at {sizes}",
        )
    gap = n0 / (n - s + 1) - n0 / (n - s + 2)  # kappa < 1
    c.exact(
        sp.factor(gap / (n0 / (n - s + 2))),
        1 / (n - s + 1),
        "the claim overshoots by less than a factor 1 + 1/(n − s + 1)",
    )

with claim(
    "K-4.7",
    printed=r"worst case: $\#_{\tau_0}(v) = \#_{\tau'}(v) = 1$ and $pn - 1$ released "
    r"values outside $\tau_0$",
    corrected=r"the other $pn - 1$ slots on one value that is unique in $\tau_0$",
    consequence=r"The bound of Claim 4.1 survives; for $s \ge 2$ it is not attained "
    r"unless $\hat n \le -1$.",
) as c:
    possible = {v for _, table, _ in worlds(("a", "b"), 3, 2) for v in table}
    c.fails(
        "z" in possible, "n = 3, n0 = 2, s = 2: a value outside τ0 has probability 0"
    )
    c.exact(worst[5, 2, 3], Fraction(6, 11), "n = 5, n0 = 2, s = 3: exact worst case")
    c.exact(
        sampling.identification_risk(5, 2, n_sampled=3),
        Fraction(2, 3),
        "the claim there",
    )
    attained = {
        k
        for k in worst
        if worst[k] == sampling.identification_risk(*k[:2], n_sampled=k[2])
    }
    expected = {k for k in worst if k[2] == 1 or k[0] - k[1] - k[2] + 1 <= -1}
    c.exact(attained, expected, "attained for s = 1, or when everybody is used up")

# %% mystnb={"figure": {"caption": "Three values for one worst case (n = 12 records, 3 known). The exact one (dots) stays just below the fraction; the printed sum leaves it when few unknown records remain and drops to 0 at s = 9.", "name": "fig-di-02-worst"}, "image": {"alt": "Risk against the sample size from 1 to 12. The fraction rises from 0.25 to 1, dots of the exact worst case lie slightly below it; the curve of the printed sum agrees up to s = 4, rises to 1 at s = 8 and falls to 0 at 9."}} tags=["hide-input"]
span = np.arange(1, 13)
curves = {
    "Claim 4.1, as a fraction": [
        sampling.identification_risk(12, 3, n_sampled=int(k)) for k in span
    ],
    "printed double sum": [printed_sum(12, 3, int(k)) for k in span],
}
exact_worst = [sampling.worst_case_risk(12, 3, n_sampled=int(k)) for k in span]
fig, ax = plots.panels(height=3.2)
for (name, values), style in zip(curves.items(), ("-", "--")):
    ax.plot(span, np.array(values, dtype=float), style, label=name)
ax.plot(
    span,
    np.array(exact_worst, dtype=float),
    "o",
    color="black",
    ms=5,
    label="exact worst case",
)
ax.set(xlabel="sample size s", ylabel="risk", xticks=span, ylim=(-0.03, 1.05))
ax.legend(loc="upper left")
plt.show()

# %%
printed_12 = curves["printed double sum"]
assert printed_12[8] == 0
assert printed_12[7] == 1
assert abs(printed_12[3] / curves["Claim 4.1, as a fraction"][3] - 1) < 0.02
assert curves["Claim 4.1, as a fraction"][0] == exact_worst[0] == Fraction(1, 4)


# %% [markdown]
# ## What does the number tell a publisher?
#
# The paper says that the necessary sampling rate now becomes clear. It does: risk $1/k$ asks for
# $s \le n + 1 - k\,n_0$.

# %%
def largest_sample(n_, n0_, k):
    """By search instead of algebra."""
    allowed = [
        s_
        for s_ in range(1, n_ + 1)
        if sampling.identification_risk(n_, n0_, n_sampled=s_) * k <= 1
    ]
    return max(allowed, default=0)


with claim("K-1.8") as c:
    for n_, n0_, k in ((1000, 10, 10), (1000, 10, 100), (60, 7, 3)):
        c.exact(
            sampling.max_sample_size(n_, n0_, k=k),
            largest_sample(n_, n0_, k),
            f"largest sample for n = {n_}, n0 = {n0_}, k = {k}, by search",
        )
    c.exact(
        largest_sample(1000, 10, 101), 0, "k > n / n0 is out of reach at any rate"
    )

with claim("K-0.1") as c:
    for sizes in ((6, 2, 2), (6, 2, 3), (6, 3, 2)):
        whole = (sizes[0], sizes[1], sizes[0])
        c.holds(
            worst[sizes] < worst[whole], f"{sizes}: less than for the full release"
        )
    c.exact(worst[6, 2, 6], Fraction(1), "the full release: certainty")

biggest = sampling.max_sample_size(1000, 10, k=10)
glue("ninety", f"{biggest / 1000:.0%}", display=False)
print("rate   risk for an attacker who knows 730 of 10,000")
for size in (100, 300, 1000):
    risk = sampling.identification_risk(10_000, 730, n_sampled=size)
    print(f"{size / 10_000:4.0%}   {float(risk):.5f}")

# %% [markdown]
# The paper takes $pn$ to be a whole number, for simplicity. Nothing depends on it: with $s = \lfloor pn
# \rfloor$ the fraction in $p$ is the more careful one.

# %%
with claim("K-4.19") as c:
    for n_, rate in ((5, Fraction(1, 2)), (6, Fraction(2, 5))):
        size = int(rate * n_)  # the paper assumes pn whole; else the integer part
        c.at_most(
            worst[n_, 2, size],
            sampling.identification_risk(n_, 2, n_sampled=size),
            f"n = {n_}, p = {rate}: the claim with s = ⌊pn⌋ = {size}",
        )
        c.holds(
            sampling.identification_risk(n_, 2, n_sampled=size)
            <= 2 / ((1 - rate) * n_ + 1),
            "and n0/((1−p)n + 1) is the larger",
        )

# %% [markdown]
# Two consequences of the formula are worth a pause. With $n = 1000$, $n_0 = 10$ and $k = 10$ a sample of
# {glue:text}`ninety` is allowed. And $k \le n/n_0$ whatever the rate: for an attacker who knows one
# prefecture of 7.3 %, a 1 % sample is hardly safer than a 10 % one. All the protection comes from the
# attacker's belief that everybody outside resembles the few people whom she knows.
#
# The paper calls the restriction robust: a few more acquaintances hardly matter. In absolute terms so it
# is; relatively, the risk is proportional to $n_0$. And where she *knows* that a value is unique in the
# country the premise is gone, as the paper says: the believed share is 0 and the risk 1.

# %%
with claim("K-4.14") as c:
    xi = n0 / (n - s + 1)
    c.exact(sp.diff(xi, n0), 1 / (n - s + 1), "one more acquaintance: 1/((1−p)n + 1)")
    c.exact(
        sp.diff(xi, n0) * n0 / xi, sp.Integer(1), "elasticity 1: proportional to n0"
    )
    few, more = (
        sampling.identification_risk(10_000, k, n_sampled=1000) for k in (100, 105)
    )
    c.close(
        [few, more],
        [0.011110, 0.011665],
        "100 and 105 acquaintances",
        atol=5e-7,
        rtol=0,
    )

q = sp.Symbol("q", positive=True)
with claim("K-4.15") as c:
    alone = 1 / (1 + n_hat * q)
    c.exact(sp.limit(alone, q, 0), sp.Integer(1), "believed share → 0: certainty")
    rows = [[1, 0], [0, 1], [0, 1]]  # nobody unknown can have the first value
    chance = match_probability(
        [0, 1, 2, 2, 2], [0, 1], transition=rows, record=0, slot=0
    )
    c.exact(chance, Fraction(1), "a value known to be unique in the country, n = 5")

# %% [markdown]
# Is the belief more realistic than the uniform one, as the paper says? Which of the two makes the attacker
# surer can be settled: with $V$ values in all, the uniform belief gives the higher risk exactly if
# $V > n_0$, the usual case.

# %%
with claim("K-4.4") as c:
    values = sp.Symbol("V", positive=True)
    uniform = 1 / (1 + n_hat / values)
    difference = sp.factor(uniform - n0 / (n0 + n_hat))
    expected = n_hat * (values - n0) / ((n0 + n_hat) * (values + n_hat))
    c.exact(
        difference, expected, "uniform over V values: higher risk exactly if V > n0"
    )


# %% [markdown]
# ## An attacker who looks at the release
#
# The attacker of equation (1) does not read what she attacks: however rare the target's
# value is in the release, its believed share among the people left out stays $1/n_0$. Let her learn. Give the
# shares a Dirichlet prior with parameter $\alpha$ for each of $V$ values, updated with the known records
# *and* with the release.
#
# ```{prf:theorem} The attacker who learns
# :label: thm-di-02-learning
# A known record has risk at most
# $\dfrac{1}{1 + (1+\alpha)\hat n / (n_0 + \alpha V + s - 1)}$, which tends to $\dfrac{n_0 + s - 1}{n}$ as
# $\alpha \to 0$.
# ```
#
# *Proof.* Exchange again. A record that was left out shows the target's value with the predictive
# probability after the known records and at most $s - 1$ sampled unknown ones, at least
# $(1 + \alpha)/(n_0 + \alpha V + s - 1)$. ∎ The target's value was met once; for the
# attacker of equation (1) among $n_0$ people, for this one among $n_0 + s - 1$.

# %% tags=["hide-input"]
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


alpha, V = sp.symbols("alpha V", positive=True)
seen = n0 + alpha * V + s - 1
learned = seen / (seen + (1 + alpha) * (n - n0 - s + 1))
with claim("K-B2") as c:
    for a_ in (Fraction(1, 3), Fraction(1), Fraction(5, 2)):
        c.exact(
            learning_risk(("a", "b"), 4, 2, "abz", a_),
            sampling.learning_attacker_risk(
                4, 2, n_sampled=2, concentration=a_, categories=3
            ),
            f"n = 4, n0 = 2, s = 2, three values, α = {a_}: attained",
        )
    c.exact(
        learning_risk(("a",), 4, 3, "az", Fraction(1, 2)),
        sampling.learning_attacker_risk(
            4, 1, n_sampled=3, concentration=Fraction(1, 2), categories=2
        ),
        "n = 4, n0 = 1, s = 3, two values: attained",
    )
    limit = sp.simplify(sp.limit(learned, alpha, 0))
    c.exact(limit, (n0 + s - 1) / n, "limit α → 0")

print("n      n0   s     eq. (1)  learning")
for sizes in (
    (1000, 10, 100),
    (1000, 10, 901),
    (10_000, 100, 1000),
    (10_000, 730, 100),
):
    both = (
        sampling.identification_risk(*sizes[:2], n_sampled=sizes[2]),
        sampling.learning_attacker_risk(*sizes[:2], n_sampled=sizes[2]),
    )
    print(
        "{:<6d} {:<4d} {:<4d}".format(*sizes),
        *(f"{float(risk):8.4f}" for risk in both),
    )

# %% [markdown]
# For $k = 10$ this attacker allows {glue:text}`learning-size` of the 1000 records instead of
# {glue:text}`fixed-size`. The two differ by their beliefs alone. Who is right?

# %%
learning_size = sampling.max_sample_size(1000, 10, k=10, attacker="learning")
glue("learning-size", learning_size, display=False)
glue("fixed-size", biggest, display=False)
fits, exceeds = (
    sampling.learning_attacker_risk(1000, 10, n_sampled=learning_size + i)
    for i in (0, 1)
)
assert fits <= Fraction(1, 10) < exceeds

# %% [markdown]
# ## Ask a population
#
# All these numbers are $\E[1/N_v \mid \tau']$, the mean inverse number of people with the value. So is the
# individual risk of Benedetti and Franconi {cite:p}`benedetti1998risk,franconi2004individual`, known in
# official statistics since 1998, where $N - f$ has a negative binomial law given the $f$ lines of the release:
#
# $$ r_f = \int_0^1 \frac{p\, y^{f-1}}{p + (1-p)\,y}\,dy, \qquad r_1 = \frac{p}{1-p}\ln\frac1p . $$
#
# Now a population with many rare values: 20,000 cells with Zipf weights $1/\text{rank}^{1.1}$, as
# combinations of a few attributes have. Draw 10,000 people, let the attacker know 100 of them, draw the
# sample, and look at every acquaintance whose value is unique among the 100 and stands once in the release. How
# often is the line "it is my acquaintance" right?

# %%
N_PEOPLE, N_KNOWN = 10_000, 100
SAMPLES = np.array([100, 300, 1000, 3000, 9000])


def play(rng, weights, replications, n=N_PEOPLE, n0=N_KNOWN, samples=SAMPLES):
    """By replication and sample size: guesses, right, expected right, unique."""
    cumulative, cells = np.cumsum(weights) / np.sum(weights), len(weights)
    counts = np.zeros((4, replications, len(samples)))
    for i in range(replications):
        values = np.searchsorted(cumulative, rng.random(n))
        people = np.bincount(values, minlength=cells)
        known = values[:n0]
        once = np.bincount(known, minlength=cells)[known] == 1
        order = rng.permutation(n)
        for k, size in enumerate(samples):
            shown = np.bincount(values[order[:size]], minlength=cells)[known] == 1
            drawn = np.isin(np.arange(n0), order[:size])
            target = once & shown
            inverse = 1 / people[known]
            counts[:, i, k] = [
                target.sum(), (target & drawn).sum(), inverse[target].sum(),
                (target & (inverse == 1)).sum(),
            ]  # fmt: skip
    return counts


zipf = 1 / np.arange(1, 20_001) ** 1.1
claims, right, expected, unique = play(np.random.default_rng(42), zipf, 400)
truth = right.sum(axis=0) / claims.sum(axis=0)
error = np.sqrt(((right - truth * claims) ** 2).sum(axis=0)) / claims.sum(axis=0)
rates = SAMPLES / N_PEOPLE
formulas = {
    "Claim 4.1": [
        sampling.identification_risk(N_PEOPLE, N_KNOWN, n_sampled=int(k))
        for k in SAMPLES
    ],
    "learning": [
        sampling.learning_attacker_risk(N_PEOPLE, N_KNOWN, n_sampled=int(k))
        for k in SAMPLES
    ],
    "Benedetti–Franconi": sampling.benedetti_franconi_risk(1, rates),
}
print("rate  right           unique  Claim 4.1  learning  Benedetti–Franconi")
for k, rate in enumerate(rates):
    alone = unique.sum(axis=0)[k] / claims.sum(axis=0)[k]
    print(
        f"{rate:4.0%}  {truth[k]:.3f} ± {error[k]:.3f}  {alone:7.3f}",
        *(f"{float(values[k]):10.4f}" for values in formulas.values()),
    )

# %% mystnb={"figure": {"caption": "The same risk by four formulas and in a simulated population (400 draws of 10,000 people from Zipf weights; the attacker knows 100; bars are \u00b12 standard errors). At a 10 % sample the guess is right in 35 of 100 cases; Claim 4.1 says 1 in 90.", "name": "fig-di-02-truth"}, "image": {"alt": "Log-log plot of risk against sampling rate from 1 to 90 percent. Full knowledge is at 1. simulated points with error bars rise from about 0.11 to 0.97. The curve of Benedetti and Franconi runs below them and meets them at the right; the learning attacker is lower at the left and joins at the right; Claim 4.1 stays near 0.01 up to a rate of one half and reaches 0.1 at 90 percent."}} tags=["hide-input"]
grid = np.unique(np.geomspace(100, 9500, 60).astype(int))
lines = {
    "knows the whole table": np.ones(len(grid)),
    "Benedetti–Franconi, f = 1": sampling.benedetti_franconi_risk(1, grid / N_PEOPLE),
    "learns from the release": [
        sampling.learning_attacker_risk(N_PEOPLE, N_KNOWN, n_sampled=int(k))
        for k in grid
    ],
    "Claim 4.1, equation (1)": [
        sampling.identification_risk(N_PEOPLE, N_KNOWN, n_sampled=int(k))
        for k in grid
    ],
}
fig, ax = plots.panels(height=4.4)
for name, values in lines.items():
    ax.plot(grid / N_PEOPLE, np.array(values, dtype=float), label=name)
bars = {"fmt": "o", "color": "black", "ms": 5, "capsize": 3, "zorder": 5}
ax.errorbar(rates, truth, yerr=2 * error, label="true rate of success", **bars)
ax.set(
    xscale="log",
    yscale="log",
    xlabel="sampling rate p",
    ylabel="probability that the guess is right",
    ylim=(0.007, 1.6),
)
ax.set_xticks([0.01, 0.03, 0.1, 0.3, 0.9], ["1 %", "3 %", "10 %", "30 %", "90 %"])
ax.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
ax.minorticks_off()
fig.legend(loc="outside lower center", ncols=2)
plt.show()

# %%
assert round(float(truth[2]), 2) == 0.35
assert round(1 / float(formulas["Claim 4.1"][2])) == 90
factor = float(truth[2]) / float(formulas["Claim 4.1"][2])
glue("factor-zipf", round(factor), display=False)


# %% [markdown]
# In this population equation (1) is far too optimistic, the learning attacker is better and
# Benedetti and Franconi's formula better still. That is a statement about *this* population. Where the world is as the
# attacker believes, the claim is right: let the unknown people really be drawn from the known ones.

# %% tags=["hide-input"]
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


made, hit = believed_world(np.random.default_rng(7), 2000)
inside = hit.sum() / made.sum()
inside_error = np.sqrt(((hit - inside * made) ** 2).sum()) / made.sum()
bound = float(sampling.identification_risk(1000, 100, n_sampled=100))
print(f"right {inside:.4f} ± {inside_error:.4f}, Claim 4.1 {bound:.4f}")

y_, p_ = sp.symbols("y p", positive=True)
r_1 = sp.integrate(p_ / (p_ + (1 - p_) * y_), (y_, 0, 1))
with claim("K-B4") as c:
    mean_inverse = risk_by_counts([1, 1], 4, [1, 1])[0]
    c.exact(
        small[("a", "b"), 0, 0],
        mean_inverse,
        "slot by slot = E[1/N | release], n = 4",
    )
    odds = p_ / (1 - p_)
    c.exact(
        sp.simplify(sp.expand_log(r_1 - odds * sp.log(1 / p_), force=True)),
        sp.Integer(0),
        "r_1 in closed form",
    )
    integral = [
        [
            quad(lambda v, f=f, p=p: p * v ** (f - 1) / (p + (1 - p) * v), 0, 1)[0]
            for p in rates
        ]
        for f in (1, 2, 5)
    ]
    c.close(
        sampling.benedetti_franconi_risk([[1], [2], [5]], rates), integral,
        "r_f against quadrature", rtol=1e-8,
    )  # fmt: skip
    spread = np.sqrt(((right - expected) ** 2).sum(axis=0)) / claims.sum(axis=0)
    c.sampled(
        truth,
        expected.sum(axis=0) / claims.sum(axis=0),
        "Zipf: rate of success = mean of 1/N",
        stderr=spread,
    )
    low = truth[2] - 4 * error[2]
    c.holds(
        bool(low > 20 * float(formulas["Claim 4.1"][2])),
        "Zipf, 10 % sample: truth more than 20 times Claim 4.1",
        method="numeric",
    )
    c.holds(
        bool(low > 2 * float(formulas["learning"][2])),
        "and more than twice the learning attacker's",
        method="numeric",
    )
    c.at_most(
        inside, bound, "a world as believed: below Claim 4.1", slack=4 * inside_error
    )
    c.at_most(0.95 * bound, inside, "and close to it", slack=4 * inside_error)

# %% [markdown]
# The paper's own illustration, a clinician who knows the patients of one prefecture, shows what is at
# stake. Equation (1) gives all other prefectures the law of the home prefecture. If they differ, the true
# posterior is another one.

# %%
home = [[1, 0, 0], [0, 1, 0]]  # two patients at home, values 0 and 1
elsewhere = [Fraction(1, 20), Fraction(1, 20), Fraction(9, 10)]  # rare there
table, release = [0, 1] + [2] * 8, [0, 2, 2]  # n = 10, n0 = 2, s = 3
true_risk = match_probability(
    table, release, transition=[*home, elsewhere], record=0, slot=0
)
claimed = sampling.identification_risk(10, 2, n_sampled=3)
print("posterior with the true shares", true_risk, "  Claim 4.1", claimed)

with claim("K-4.20") as c:
    law = Counter()
    for weight, people, _ in worlds(("a", "a", "b"), 4, 1):
        law[people[3]] += weight
    c.exact(
        dict(law),
        {"a": Fraction(2, 3), "b": Fraction(1, 3)},
        "equation (1): outside as at home",
    )
    c.exact(true_risk, 1 / (1 + 6 * elsewhere[0]), "shares differ: 1/(1 + n_hat q_v)")
    c.holds(true_risk > 3 * claimed, "that is more than three times Claim 4.1")

# %% [markdown]
# ## When the size of the sample is random
#
# Many samples are drawn by tossing a coin with probability $p$ for each record. The paper points out, in 4.6, that its
# criterion then fails: with probability $p^n$ everything is released.

# %%
with claim("K-4.16") as c:
    rows = [[1, 0], [0, 1], [Fraction(1, 2), Fraction(1, 2)]]
    chance = match_probability(
        [0, 1, 2, 2, 2], [0, 1, 1, 1, 1], transition=rows, record=0, slot=0
    )
    c.exact(chance, Fraction(1), "n = 5, n0 = 2, release a b b b b: certainty")
    belief = sum(w for w, t_, _ in worlds(("a", "b"), 5, 5) if t_.count("b") == 4)
    c.exact(belief, Fraction(1, 8), "and possible: probability p⁵/8")

# %% [markdown]
# It also says that a definition with a probability of failure is conceivable. Here it is: *given its size*
# $S$, such a sample is a simple random sample of that size, and the risk grows with $S$. So take a quantile
# of the binomial law.

# %%
bernoulli = sampling.bernoulli_risk(1000, 10, p=0.1, failure=1e-6)
print("with probability 1 − 10⁻⁶ the size is at most", bernoulli.size)
risks = float(bernoulli.risk), float(bernoulli.expected_risk)
print("risk {:.6f}; of a sample of fixed size 100: {:.6f}".format(*risks))

tenth = Fraction(1, 10)
mass = [comb(1000, k) * tenth**k * (1 - tenth) ** (1000 - k) for k in range(1001)]
tail = sum(mass[bernoulli.size + 1 :])
with claim("K-B3") as c:
    c.at_most(tail, Fraction(1, 10**6), "exact tail beyond the size")
    c.holds(tail + mass[bernoulli.size] > Fraction(1, 10**6), "one less is too small")
    c.close(
        bernoulli.failure, float(tail), "failure reported by the package", rtol=1e-9
    )
    c.exact(
        bernoulli.risk, Fraction(10, 1000 - bernoulli.size + 1), "risk at that size"
    )
    increase = bernoulli.risk / bernoulli.expected_risk - 1
    c.close(increase, 0.056, "5.6 % more than a fixed size of 100", atol=5e-4, rtol=0)
with claim("K-4.18") as c:
    strict = sampling.bernoulli_risk(1000, 10, p=0.1, failure=0)
    c.exact(
        (strict.size, strict.risk), (1000, Fraction(1)), "no failure allowed: risk 1"
    )
    c.at_most(
        bernoulli.risk, Fraction(12, 1000), "failure 10⁻⁶ allowed: 1.2 % at most"
    )

# %% [markdown]
# A publisher who draws again whenever $S$ exceeds {glue:text}`bern-size` has the guarantee without failure.

# %%
glue("bern-size", bernoulli.size, display=False)


# %% [markdown]
# ## Slips
#
# Small things in print, most of them possibly the converter's.

# %% tags=["hide-input"]
def check_slot(c):
    keys = successes(("a", "b"), 3, 1)
    c.differs(3, len({slot for _, _, slot in keys}), "n = 3, s = 1: choices of r'")
    c.exact({record for _, record, _ in keys}, {0, 1, 2}, "three records, one slot")


def check_set(c):
    def mass(count):  # total belief about one unknown record, τ0 = (a, b)
        return sum(Fraction(count(v), 2) for v in "ab")

    printed_set = set(range(2))  # all r' of a release with two slots
    c.differs(
        mass(lambda v: len(printed_set)), Fraction(1), "n0 = 2, s = 2: total belief"
    )
    c.exact(mass("ab".count), Fraction(1), "with r0 counted")


def prior(i, m, q):  # Pr(N = i), N = 1 + Bin(m, q)
    return comb(m, i - 1) * q ** (i - 1) * (1 - q) ** (m - i + 1)


def check_likelihood(c):
    half, span = Fraction(1, 2), range(1, 4)  # n = 5, n0 = 2, s = 2: n_hat = 2

    def risk(likelihood):
        total = sum(likelihood(i) * prior(i, 2, half) for i in span)
        return sum(likelihood(i) * prior(i, 2, half) / i for i in span) / total

    right_one = sampling.identification_risk(5, 2, n_sampled=2)
    c.differs(risk(lambda i: comb(i, 2) * 2), right_one, "n = 5, n0 = 2, s = 2")
    c.exact(risk(lambda i: Fraction(i, comb(5, 2) * 2)), right_one, "with i / …")


def check_limits(c):
    third = Fraction(1, 3)  # n = 8, n0 = 3, s = 3: n_hat = 3

    def mass(top):
        total = sum(i * prior(i, 3, third) for i in range(1, 5))
        return sum(i * prior(i, 3, third) for i in range(1, top + 1)) / total

    c.differs(
        mass(2), Fraction(1), "n = 8, n0 = 3, s = 3: posterior mass of i < n_hat"
    )
    c.exact(mass(4), Fraction(1), "i = 1..n_hat + 1")


def check_display(c):
    tables = {t_ for _, t_, _ in worlds(("a", "b"), 4, 4)}
    outside = [t_ for t_ in tables if sum(v not in "ab" for v in t_) >= 2]
    c.fails(
        bool(outside), "n = 4, n0 = 2: no possible release has n − n0 such values"
    )
    everything = successes(("a", "b"), 4, 4)
    release = ("a", "b", "b", "b")
    c.exact(everything[release, 0, 0], Fraction(1), "the release of size n does it")


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
    (
        "K-4.17",
        r"4.6: $\#_{\tau'}(\tau'(r') \notin \dots) \ge n - n_0$ from a table $\tau$",
        r"a release $\tau'$ of all $n$ records",
        check_display,
    ),
]
records = slips(rows)

# %% [markdown]
# In the last display before the result the author cancels $1/i$ against the right factor $i$, so the proof
# goes on as it should; its final algebra is an identity wherever it is defined.

# %%
with claim("K-4.11") as c:
    for m in range(2, 7):
        span = range(1, m)  # the limits as printed, on both sides
        before = sum(
            sp.binomial(m, i - 1) * (n0 - 1) ** (m - i + 1) for i in span
        ) / sum(j * sp.binomial(m, j - 1) * (n0 - 1) ** (m - j + 1) for j in span)
        gap = sp.cancel(sp.together(before - double_sum(m, n0, m - 1)))
        c.exact(
            gap, sp.Integer(0), f"n_hat = {m}: the last two lines agree for n0 ≥ 2"
        )
with claim("K-4.13") as c:
    m = sp.Symbol("m", integer=True, positive=True)
    c.exact(sp.binomial(m, 0), sp.Integer(1), "the usual value")

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
#
# ```{solution-start} ex-di-02-stranger
# :class: dropdown
# ```
# Everybody has the target's value, so every released line is any of the $n$ records: risk exactly $1/n$,
# whatever the sample. The attacker who learns has $s/n$. The less the first one knows, the surer she is that
# the target has doubles: a property of the belief, not of the world.

# %%
for n_, s_ in ((3, 2), (4, 1), (4, 4)):
    assert set(successes(("a",), n_, s_).values()) == {Fraction(1, n_)}
    assert sampling.worst_case_risk(n_, 1, n_sampled=s_) == Fraction(1, n_)
    assert sampling.learning_attacker_risk(n_, 1, n_sampled=s_) == Fraction(s_, n_)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A unique value shown twice
# :label: ex-di-02-twice
# ```
# **Standard.** The target's unique value stands *twice* in the release, the other $s - 2$ slots show one other
# unique value. Use the exchange argument to bound the risk, and check it by enumeration for
# $n = 5$, $n_0 = 2$, $s = 3$.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-02-twice
# :class: dropdown
# ```
# One more exchange partner is certain: the record in the other such slot. So
# $1/\text{risk} \ge 2 + U/n_0$, where $U \ge n - n_0 - (s - 1) = \hat n$ unknown records are left out.

# %%
twice = successes(("a", "b"), 5, 3)[("a", "a", "b"), 0, 0]
assert twice <= 1 / (2 + Fraction(5 - 2 - 2, 2)) == Fraction(2, 5)
assert twice == max(risk_by_counts([1, 1], 5, [2, 1])[:1])

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
#
# ```{solution-start} ex-di-02-smooth
# :class: dropdown
# ```
# All other slots show values that nobody known has, so exactly $\hat n$ unknown records are left out:
# $1/(1 + \hat n (1 - \varepsilon)/n_0)$, *above* the claim for every $\varepsilon > 0$ and equal to it in the
# limit. The number of Claim 4.1 is right as the limit of another belief.

# %%
for eps in (Fraction(1, 2), Fraction(1, 10), Fraction(1, 1000)):
    share = (1 - eps) / 2
    rows = [[1, 0, 0], [0, 1, 0], [share, share, eps]]
    chance = match_probability(
        [0, 1, 2, 2, 2], [0, 2, 2], transition=rows, record=0, slot=0
    )
    assert chance == 1 / (1 + 1 * share)  # n = 5, n0 = 2, s = 3: n_hat = 1
    assert chance > sampling.identification_risk(5, 2, n_sampled=3)
assert chance - sampling.identification_risk(5, 2, n_sampled=3) < Fraction(1, 1000)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Which populations fit the belief
# :label: ex-di-02-population
# ```
# **Research.** Which populations does equation (1) fit? Play the game with Zipf exponents from 0 to 2 and
# compare the rate of success at a 10 % sample with Claim 4.1 and with Benedetti and Franconi's formula.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-02-population
# :class: dropdown
# ```
# None of the three formulas sees the population: they give the same number for all exponents. The rate of
# success moves by a factor of {glue:text}`factor-exponents` between them. With equal weights and half a person a cell
# most people have no double; with 200 cells a value that stands once in the release is common outside. A risk
# estimate has to model the population, which is what {cite:p}`franconi2004individual` and their successors do.

# %%
ten_percent = np.array([1000])
found = {}
for exponent in (0.0, 1.1, 2.0):
    for cells in (200, 20_000):
        weights = 1 / np.arange(1, cells + 1) ** exponent
        made_, hit_, *_ = play(
            np.random.default_rng(5), weights, 40, samples=ten_percent
        )
        if made_.sum() > 50:
            found[exponent, cells] = hit_.sum() / made_.sum()
for (exponent, cells), rate in found.items():
    print(f"exponent {exponent:3.1f}, {cells:6d} cells: right in {rate:.2f}")
spread = max(found.values()) / min(found.values())
glue("factor-exponents", round(spread, 1), display=False)
assert found[0.0, 20_000] > 0.5
assert min(found.values()) < 0.2

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Claim 4.1 is $n_0/(n - s + 1)$: a size-biased expectation of $1/N$ is $1/\E[N]$. The printed limits of
#   summation stop two terms early; the bound holds for every release.
# - The release that the paper calls worst is impossible under its own belief for $s \ge 2$. The exact worst
#   case is lower by a relative $1/(n - s + 2)$ at most, and has a closed form.
# - The number rests on the belief that strangers resemble acquaintances. It allows a sample of {glue:text}`ninety` for
#   $k = 10$; in a population with many rare values it is off by a factor of {glue:text}`factor-zipf`.
# - A sample of random size is safe up to a failure probability that one can choose.
#
# **Further reading.** Benedetti and Franconi {cite:p}`benedetti1998risk`; Franconi and Polettini
# {cite:p}`franconi2004individual`. **Next:** [what if the attacker knows everything](03-pram-and-sampling.ipynb)?
