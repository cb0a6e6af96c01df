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
# # Evidence: How risky is this release, and how should I design one?
#
# The paper's section 4.6 on samples of random size, and our results on exact risks and on designs, which are beyond the paper. For each claim: what it states, and its check. Nothing is hidden. The story is told in
# [the notebook of the same name](../../disclosure/04-exact-risk-and-design.ipynb).
#
# In all of it, $n$ people are in the table and $s = pn$ records in the release. $\gamma$ is the smallest ratio of two entries of one column of the matrix $A$, and $g_2 = \min A_{u,v'}A_{v,u'}/(A_{u,u'}A_{v,v'})$. The *journalist* knows the table and not who was sampled; the *prosecutor* also knows that the target was sampled.

# %%
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, permutations, product
from itertools import combinations_with_replacement as multisets
from math import comb, factorial, perm, prod

import numpy as np
import sympy as sp
from scipy import stats

from privlib.disclosure import anonymity, design, local_dp, posterior, pram, risk_report, sampling
from privlib.notebook import claim, datasets, derivation
from privlib.research import knowledge_models

half = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
lopsided = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
general = [
    [Fraction(6, 10), Fraction(3, 10), Fraction(1, 10)],
    [Fraction(1, 10), Fraction(4, 10), Fraction(5, 10)],
    [Fraction(7, 10), Fraction(1, 10), Fraction(2, 10)],
]
keeps_half = pram.retention_matrix(Fraction(1, 2), 3).tolist()
unchanged = [[Fraction(int(u == v)) for v in range(3)] for u in range(3)]


# %% [markdown]
# ## K-4.16 and K-B3 (a sample of random size)
#
# K-4.16: *sampling each record independently with probability $p$ does not reduce the risk by this criterion.* The check lists everything for an attacker who knows two records, with the beliefs of equation (1): each unknown record has a known person's value. The worst release identifies somebody with certainty.
#
# K-B3, beyond the paper: *such sampling keeps the guarantee up to a failure probability that can be computed.* Given its size, the listed risk is that of a sample of fixed size. For the failure probability, an exact binomial tail is the second route.

# %%
def random_size(known, n, p):
    """For each size, the largest Pr[person behind record | release]; and all releases."""
    releases, links = Counter(), Counter()
    values = range(max(known) + 2)  # one of them is nobody's among the known
    for unknown in product(values, repeat=n - len(known)):
        people = known + unknown
        belief = prod(Fraction(known.count(v), len(known)) for v in unknown)
        for size in range(1, n + 1):
            chance = belief * p**size * (1 - p) ** (n - size) / factorial(size)
            for order in permutations(range(n), size):
                release = tuple(people[r] for r in order)
                releases[release] += chance
                for position, person in enumerate(order):
                    links[release, person, position] += chance
    worst = [Fraction(0)] * (n + 1)
    for (release, _, _), chance in links.items():
        if chance > 0:
            size = len(release)
            worst[size] = max(worst[size], chance / releases[release])
    return worst[1:], releases


tenth, third = Fraction(1, 10), Fraction(1, 3)
listed = {(n, p): random_size((0, 1), n, p) for n in (3, 4, 5) for p in (third, tenth)}

# %%
with claim("K-4.16") as c:
    largest = [max(worst) for worst, _ in listed.values()]
    label = "two known records, n ≤ 5, two p: the worst release identifies with certainty"
    c.decisive("sampled").exact(largest, [Fraction(1)] * 6, label)
    everything, expected = [], []
    for (n, p), (_, releases) in listed.items():
        everything.append(sum(releases[x] for x in releases if len(x) == n))
        expected.append(p**n)
    c.exact(everything, expected, "all n records are released with probability pⁿ")
    of_four = listed[4, third][0]
    c.holds(of_four[0] < 1, "while one of four, drawn for certain, stays below 1")

fixed_size, random_given_size = [], []
for (n, _), (worst, _) in listed.items():
    random_given_size.append(worst)
    fixed_size.append([sampling.worst_case_risk(n, 2, n_sampled=s) for s in range(1, n + 1)])
tails = []
for n, p in ((1000, tenth), (500, third), (200, tenth)):
    size = sampling.bernoulli_risk(n, 10, p=p, failure=1e-6).size
    mass = [comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]
    tails.append((sum(mass[size + 1 :]), sum(mass[size:])))
coins = sampling.bernoulli_risk(1000, 10, p=0.1, failure=1e-6)
with claim("K-B3") as c:
    label = "n ≤ 5: the risk given the size, and that of a fixed size"
    c.decisive("sampled").exact(random_given_size, fixed_size, label)
    allowed = Fraction(1, 10**6)
    kept = [(above <= allowed, from_size <= allowed) for above, from_size in tails]
    label = "three cases: failure at most 10⁻⁶ at the size found, more at one less"
    c.decisive("sampled").exact(kept, [(True, False)] * 3, label)
    c.close(coins.failure, float(tails[0][0]), "failure probability, and the exact tail")
    c.exact(coins.risk, Fraction(10, 1000 - coins.size + 1), "risk at that size, by Claim 4.1")

# %% [markdown]
# ## K-4.17 (a misprint in section 4.6)
#
# *With such sampling, a release whose values differ from all known ones in $n - n_0$ places or more can happen.* Under equation (1) every such release has probability 0. The argument needs only the release of all $n$ records.

# %%
worst, releases = listed[4, third]
elsewhere = [x for x in releases if sum(v not in (0, 1) for v in x) >= 4 - 2]
with claim(
    "K-4.17",
    printed=r"4.6: $\#\tau'(\tau'(r') \notin \dots) \ge n - n_0$ can happen",
    corrected=r"a release $\tau'$ of all $n$ records",
) as c:
    total = sum(releases[x] for x in elsewhere)
    c.exact(len(elsewhere) > 0, True, "n = 4, n0 = 2: such releases are in the list")
    c.fails(total != 0, "n = 4, n0 = 2: all such releases together have probability 0")
    label = "the release of all n records serves the argument"
    c.decisive("one example").exact(worst[3], Fraction(1), label)


# %% [markdown]
# ## K-B12 (the exact probability)
#
# *The exact probability of a match depends on the counts of the values alone; generating functions or rook polynomials compute it.* The oracle lists all injections.

# %%
def injections_of(A, tau, shown):
    """Weight of each injection of the released records into the people."""
    weights = {}
    for order in permutations(range(len(tau)), len(shown)):
        weights[order] = prod(A[tau[r]][v] for r, v in zip(order, shown))
    return weights


def linked(weights, person, position):
    """Total weight of the injections that put this person behind this record."""
    return sum(w for order, w in weights.items() if order[position] == person)


by_list, by_package = [], []
for method, A in (("generating", general), ("rook", keeps_half), ("permanent", general)):
    for n, s in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2)):
        for tau, shown in product(multisets(range(3), n), multisets(range(3), s)):
            weights = injections_of(A, tau, shown)
            total = sum(weights.values())
            for r, j in product(range(n), range(s)):
                by_list.append(linked(weights, r, j) / total)
            matrix = posterior.match_matrix(tau, shown, transition=A, method=method)
            by_package += matrix.ravel().tolist()

# %% [markdown]
# For every matrix with two values: four people 0, 0, 1, 1 and the release 0, 0, 1. The generating function is $\prod_v s_v!$ times a coefficient of $\prod_u (1 + \sum_v A_{u,v} y_v)^{n_u}$. The rook polynomial needs $A_{u,v} = b_v + d_v [u = v]$.

# %%
free = sp.Matrix(2, 2, sp.symbols("A_00 A_01 A_10 A_11"))
y = sp.symbols("y_0 y_1")
factors = [(1 + free[u, 0] * y[0] + free[u, 1] * y[1]) ** 2 for u in (0, 1)]
coefficient = sp.Poly(factors[0] * factors[1], *y).coeff_monomial(y[0] ** 2 * y[1])
b, d = sp.symbols("b_0 b_1"), sp.symbols("d_0 d_1")
split = sp.Matrix([[b[0] + d[0], b[1]], [b[0], b[1] + d[1]]])
z = sp.Symbol("z")
rook = sp.Integer(1)
for n_v, s_v, b_v, d_v in zip((2, 2), (2, 1), b, d):
    terms = [comb(n_v, j) * comb(s_v, j) * factorial(j) for j in range(s_v + 1)]
    rook *= sum(ways * (d_v * z) ** j * b_v ** (s_v - j) for j, ways in enumerate(terms))
by_rook = sum(sp.Poly(rook, z).coeff_monomial(z**J) * perm(4 - J, 3 - J) for J in range(4))


def listed_sum(A):
    weights = injections_of(A.tolist(), (0, 0, 1, 1), (0, 0, 1))
    return sp.expand(sum(weights.values()))


matrix_ten = pram.retention_matrix(Fraction(1, 2), 10)
alone = np.repeat([0, 1], [1, 999])
shown_once = np.repeat([0, 1], [1, 99])
chance = posterior.match_probability(
    alone, shown_once, transition=matrix_ten, record=0, slot=0
)
ratio = Fraction(1, 11)  # of the two entries of a column
with claim("K-B12") as c:
    label = f"{len(by_list)} links, n ≤ 3 and (4, 2), two matrices: all injections, package"
    c.decisive("sampled").exact(by_package, by_list, label)
    label = "0 0 1 1 and 0 0 1, any 2x2 matrix: all injections, generating function"
    c.exact(listed_sum(free), sp.expand(2 * coefficient), label)
    label = "the same for any b and d: all injections, rook polynomial"
    c.exact(listed_sum(split), sp.expand(by_rook), label)
    label = "n = 1000, s = 100, one person alone: rooks, and the swap lemma"
    c.exact(1 / chance, 1 + 900 * ratio + 99 * ratio**2, label)


# %% [markdown]
# ## K-B13, K-B14 and K-B16 (levels for a release, and participation)
#
# One enumeration serves three claims: every table of four people, every release, three matrices, in fractions.

# %%
def cases(A, n, s, least=1):
    """Every table, release, person and record, up to renaming.

    Each case has: people with the person's value, records with the record's value, the
    levels of the journalist, the prosecutor and an attacker who knows exactly who was
    sampled, and the probability that the person was sampled.
    """
    for tau, shown in product(multisets(range(len(A)), n), multisets(range(len(A[0])), s)):
        if min(Counter(shown).values()) < least:
            continue
        weights = injections_of(A, tau, shown)
        total = sum(weights.values())
        of_sample = Counter()
        for order, w in weights.items():
            of_sample[frozenset(order)] += w
        for value, shown_value in product(set(tau), set(shown)):
            r, j = tau.index(value), shown.index(shown_value)
            link = linked(weights, r, j)
            if link == 0:
                continue
            sampled = sum(w for people, w in of_sample.items() if r in people)
            link_of_sample = Counter()
            for order, w in weights.items():
                if order[j] == r:
                    link_of_sample[frozenset(order)] += w
            exactly = min(of_sample[x] / w for x, w in link_of_sample.items() if w > 0)
            levels = (total / link, sampled / link, exactly)
            yield tau.count(value), shown.count(shown_value), levels, sampled / total


def minima(A):
    """γ and g2 by their definitions."""
    gamma, g2 = Fraction(1), Fraction(1)
    for u, v, i, j in product(range(len(A)), range(len(A)), range(len(A[0])), range(len(A[0]))):
        gamma = min(gamma, A[u][i] / A[v][i])
        g2 = min(g2, A[u][j] * A[v][i] / (A[u][i] * A[v][j]))
    return gamma, g2


three = {"half": half, "lopsided": lopsided, "three values": general}
found = {(name, s): list(cases(A, 4, s)) for name, A in three.items() for s in (1, 2, 3, 4)}

# %% [markdown]
# K-B14: *if $m$ people have the target's value and $f$ records show what its record shows, $k \ge M + (n - M - S)\gamma + S g_2$ with $M = \max(m, f)$ and $S = \min(s - f, n - M)$.* Of the $n - M$ people without the factor 1, $x \le S$ are sampled. Write $x = S - h$ and $\gamma = g_2 + e$.

# %%
n_, M_, S_ = sp.symbols("n M S", positive=True)
g2_, h, e = sp.symbols("g_2 h e", nonnegative=True)
with_x = M_ + (n_ - M_ - (S_ - h)) * (g2_ + e) + (S_ - h) * g2_
with_S = M_ + (n_ - M_ - S_) * (g2_ + e) + S_ * g2_
fewest = derivation(with_x, of=r"M + (n - M - x)\,\gamma + x\, g_2")
fewest = fewest.at_least(with_S, r"$h e \ge 0$")

least_ratio, attained = Fraction(10), set()
for (name, s), seen in found.items():
    gamma, g2 = minima(three[name])
    best = defaultdict(lambda: Fraction(10))
    for m, f, levels, _ in seen:
        M = max(m, f)
        S = min(s - f, 4 - M)
        best[m, f] = min(best[m, f], levels[0] / (M + (4 - M - S) * gamma + S * g2))
    least_ratio = min(least_ratio, *best.values())
    if name != "three values":
        attained |= {best[key] for key in best if key[0] == 1}
with claim("K-B14") as c:
    c.decisive("proved").derived(fewest, with_x, with_S, "most people sampled is worst")
    label = "n = 4, every table and release, three matrices: least level / bound"
    c.decisive("sampled").exact(least_ratio, Fraction(1), label)
    c.exact(attained, {Fraction(1)}, "two values, m = 1: attained for every s and f")

# %% [markdown]
# K-B13: *against the prosecutor, $k = f + (s - f) g_2$; this is attained for every matrix without zeros that shows two values or more, and for $f = 1$ and $p < 1$ it is less than with PRAM alone.* The symbols: the target shows $a$ and $b$ with probabilities $p_a, p_b$, each other person with $q_a, q_b$; the record in question shows $a$, all others $b$.

# %%
size, left_out = sp.symbols("s h", positive=True)  # h = n - s people are left out
p_a, p_b, q_a, q_b = sp.symbols("p_a p_b q_a q_b", positive=True)
target_here = p_a * q_b ** (size - 1)
target_elsewhere = (size - 1) * p_b * q_a * q_b ** (size - 2)
level_of_table = sp.simplify(1 + target_elsewhere / target_here)
by_theorem = 1 + (size - 1) * (q_a * p_b) / (p_a * q_b)
lost = sp.simplify(by_theorem.subs(size, size + left_out) - by_theorem)

worst, formula = {}, {}
for (name, s), seen in found.items():
    for f in range(1, s + 1):
        knows_one = [levels[1] for _, times, levels, _ in seen if times == f]
        knows_all = [levels[2] for _, times, levels, _ in seen if times == f]
        if knows_one:
            worst[name, s, f] = (min(knows_one), min(knows_all))
            g2 = minima(three[name])[1]
            formula[name, s, f] = (f + (s - f) * g2,) * 2
below_alone = [worst[name, s, 1] < worst[name, 4, 1] for name in three for s in (1, 2, 3)]
one_shown = {"transition": [[Fraction(1)]] * 2, "record": 0, "slot": 0}
of_one_shown = []
for s in (1, 2, 3, 4):
    risk = posterior.response_match_probability([0, 1, 0, 1], [0] * s, **one_shown)
    of_one_shown.append(1 / risk)

# %%
with claim("K-B13") as c:
    label = f"n = 4, three matrices, {len(formula)} of s and f: worst level, one or all known"
    c.decisive("sampled").exact(worst, formula, label)
    label = "f = 1: worst level for s = 1 to 3 below that of PRAM alone"
    c.decisive("sampled").exact(below_alone, [True] * 9, label)
    difference = sp.simplify(level_of_table - by_theorem)
    c.decisive("proved").exact(difference, sp.Integer(0), "a table that attains it, all s")
    label = "h people left out: below PRAM alone by h times a positive ratio"
    each_person = (q_a * p_b) / (p_a * q_b)  # positive, because the four probabilities are
    c.decisive("proved").exact(sp.simplify(lost - left_out * each_person), sp.Integer(0), label)
    c.holds(each_person.is_positive, "the ratio is positive", method="symbolic")
    risk = posterior.response_match_probability(
        alone, shown_once, transition=matrix_ten, record=0, slot=0
    )
    c.exact(1 / risk, 1 + 99 * ratio**2, "n = 1000, s = 100: exact posterior, formula")
    c.exact(of_one_shown, [1, 2, 3, 4], "only one value can be shown: k = f = s")

# %% [markdown]
# K-B13 and K-B12 as frequencies: forty people, two of whom have value 0; a release of twelve, $\rho = 0.8$. Whenever 0 is shown, each attacker points to the first such record. The predicted probability is right as often as it says.

# %%
plays = 40_000
rng = np.random.default_rng(2024)
forty = np.repeat(range(4), [2, 6, 12, 20])
A_four = pram.retention_matrix(0.8, 4)
drawn = rng.permuted(np.tile(np.arange(40), (plays, 1)), axis=1)[:, :12]
shown = pram.apply_pram(forty[drawn].ravel(), A_four, rng=rng).reshape(plays, 12)
counts = np.stack([(shown == v).sum(axis=1) for v in range(4)], axis=1)
kinds, kind = np.unique(counts, axis=0, return_inverse=True)
link, sampled = np.zeros(len(kinds)), np.zeros(len(kinds))
for i, times in enumerate(kinds):
    release = np.repeat(range(4), times)
    row = posterior.match_matrix(forty, release, transition=A_four, by="value")[0]
    link[i], sampled[i] = row[0], row @ times
zero_shown = counts[:, 0] > 0
right = drawn[np.arange(plays), (shown == 0).argmax(axis=1)] == 0
took_part = (drawn == 0).any(axis=1)
for name, plays_of, chance in (
    ("journalist", zero_shown, link[kind]),
    ("prosecutor", zero_shown & took_part, (link / sampled)[kind]),
):
    p = chance[plays_of]
    stderr = np.sqrt(np.sum(p * (1 - p))) / p.size
    share = right[plays_of].mean()
    assert abs(share - p.mean()) < 4 * stderr
    print(f"{name}: predicted {p.mean():.4f}, right {share:.4f}, standard error {stderr:.4f}")

# %% [markdown]
# K-B16: *the probability that a person was sampled lies between $p\gamma/(p\gamma + 1 - p)$ and $p/(p + (1-p)\gamma)$, whatever the release, and both ends are attained.* Pairing each injection without the target, and one of its records, with the injection that has the target there gives odds $\theta s/(n-s)$ with $\theta$ between $\gamma$ and $1/\gamma$.

# %%
u, gamma_ = sp.symbols("u gamma", positive=True)  # u = n - s
theta = gamma_ * (1 + h)
low, low_end = size * theta / (size * theta + u), size * gamma_ / (size * gamma_ + u)
high, high_end = size / (size + u * theta), size / (size + u * gamma_)
probability = r"\Pr[\text{sampled}]"
lower = derivation(low, of=probability).at_least(low_end, "$h \\ge 0$", by="coefficients")
upper = derivation(high, of=probability).at_most(high_end, "$h \\ge 0$", by="coefficients")
extremes, interval = {}, {}
for (name, s), seen in found.items():
    sampled = [case[3] for case in seen]
    extremes[name, s] = (min(sampled), max(sampled))
    rate, gamma = Fraction(s, 4), minima(three[name])[0]
    interval[name, s] = (
        rate * gamma / (rate * gamma + 1 - rate),
        rate / (rate + (1 - rate) * gamma),
    )
ends = []
for pair in ((0, 1), (1, 0)):
    tau = np.repeat(pair, [1, 999])
    ends.append(
        posterior.membership_probability(tau, [0] * 100, transition=matrix_ten, record=0)
    )
with claim("K-B16") as c:
    label = "n = 4, three matrices, every s, table and release: both ends"
    c.decisive("sampled").exact(extremes, interval, label)
    c.decisive("proved").derived(lower, low, low_end, "the lower end")
    c.decisive("proved").derived(upper, high, high_end, "the upper end")
    ours = anonymity.membership_interval(matrix_ten, 1000, n_sampled=100)
    c.exact(set(ends), set(ours), "n = 1000, all records show one value: posterior, formula")

# %% [markdown]
# ## K-B15 (a value that is shown often)
#
# *In a shuffled release whose every value is shown at least $k$ times, no attacker links a record with probability above $1/k$; for a plain sample that is the exact level against an attacker who knows who took part.* Three attackers and five matrices; all plain releases; and twenty random beliefs that tie the table to who was sampled.

# %%
shared = [[Fraction(1, 2), Fraction(1, 2), Fraction(0)], [Fraction(0), third, 1 - third]]
sizes = [(n, s) for n in (2, 3, 4) for s in range(1, n + 1)]
largest, links = {}, 0  # f -> largest f Pr[link] of each of three attackers
for A, (n, s) in product([unchanged, half, lopsided, shared, keeps_half], sizes):
    for _, f, levels, _ in cases(A, n, s):
        links += 1
        so_far = largest.get(f, (Fraction(0),) * 3)
        largest[f] = tuple(max(x, f / level) for x, level in zip(so_far, levels))

plain_worst, rarest = {}, {}
for n, s in sizes:
    for release in multisets(range(3), s):
        rarest[release] = Fraction(1, min(Counter(release).values()))
        for tau in multisets(range(3), n):
            if not Counter(release) <= Counter(tau):
                continue
            weights = injections_of(unchanged, tau, release)
            possible = {order for order, w in weights.items() if w > 0}
            people = set(next(iter(possible)))  # one sample that gives the release
            possible = [order for order in possible if set(order) == people]
            for r, j in product(people, range(s)):
                hits = sum(order[j] == r for order in possible)
                chance = Fraction(hits, len(possible))
                plain_worst[release] = max(chance, plain_worst.get(release, chance))

# %%
rng = np.random.default_rng(8)
one_record, all_records = [], []  # f Pr[link]; Pr[sampled and shown as a]
for release, _ in product([(0, 0), (0, 0, 1), (0, 0, 1, 1), (0, 0, 0)], range(5)):
    total, hits = Fraction(0), Counter()
    for tau in product(range(2), repeat=4):
        for people in combinations(range(4), len(release)):
            belief = int(rng.integers(1, 1000)) ** 3
            for order in permutations(people):
                if all(tau[r] == v for r, v in zip(order, release)):
                    total += belief
                    for j, r in enumerate(order):
                        hits[r, j] += belief
    for r, j in hits:
        same = [i for i, v in enumerate(release) if v == release[j]]
        one_record.append(len(same) * hits[r, j] / total)
        all_records.append(sum(hits[r, i] for i in same) / total)
with claim("K-B15") as c:
    label = f"n ≤ 4, five matrices, {links} links, three attackers, f = 1 to 4: largest f Pr"
    c.decisive("sampled").exact(largest, {f: (Fraction(1),) * 3 for f in (1, 2, 3, 4)}, label)
    label = f"{len(plain_worst)} plain releases, n ≤ 4: worst probability, 1 / rarest value"
    c.decisive("exhaustive").exact(plain_worst, rarest, label)
    c.exact(one_record, all_records, "20 beliefs: f Pr[link], and Pr[sampled and so shown]")


# %% [markdown]
# ## K-B18 (three attackers, four releases)
#
# *Levels for three attackers (some records; the table; the table and who took part) and four releases (sample, $k$-anonymous sample, PRAM, both), in closed form; for retention all are attained but the bound for some records against both, which is for $s = 1$ and $s = n$.* The first attacker knows $n_0 \ge 2$ records and takes the others for independent draws with the target's value with probability $1/n_0$ or more. The closed forms are those of `knowledge_models.pk_level_map`; the oracle is the least level over all tables and releases, and for the first attacker over beliefs that put the rest on one other value.

# %%
def last_rows(A, n, s, least=1):
    """Least levels of the second and third attacker."""
    levels = [case[2] for case in cases(A, n, s, least)]
    return [min(level[0] for level in levels), min(min(level[1:]) for level in levels)]


def first_row(A, n, n_known, s, least=1):
    """Least level of a known person, over known tables, beliefs and releases."""
    lowest, own = Fraction(n), Fraction(1, n_known)
    for known in product(range(len(A)), repeat=n_known):
        for other in range(len(A)):
            mixed = [own * x + (1 - own) * y for x, y in zip(A[known[0]], A[other])]
            rows = [*A, mixed]
            tau = (*known, *[len(A)] * (n - n_known))
            for release in multisets(range(len(A[0])), s):
                if min(Counter(release).values()) < least:
                    continue
                weights = injections_of(rows, tau, release)
                total = sum(weights.values())
                for value in set(release):
                    link = linked(weights, 0, release.index(value))
                    if link > 0:
                        lowest = min(lowest, total / link)
    return lowest


two = [row[:2] for row in unchanged[:2]]
formula, worst = {}, {}
for (name, A), n in product((("half", half), ("lopsided", lopsided)), (2, 3)):
    for s in range(1, n + 1):
        for f in range(1, s + 1):
            levels = knowledge_models.pk_level_map(A, n, n_known=n, n_sampled=s, shown=f)
            formula[name, n, s, f] = levels[1:].T.tolist()
            worst[name, n, s, f] = [last_rows(two, n, s), last_rows(two, n, s, f),
                                    last_rows(A, n, n), last_rows(A, n, s)]  # fmt: skip
top_formula, top_worst, above = {}, {}, {}
for n in (2, 3, 4):
    for s in range(1, n + 1):
        for f in range(1, s + 1):
            levels = knowledge_models.pk_level_map(half, n, n_known=2, n_sampled=s, shown=f)[0]
            top_formula[n, s, f] = levels[:3].tolist()
            top_worst[n, s, f] = [first_row(unchanged, n, 2, s),
                                  first_row(unchanged, n, 2, s, f),
                                  first_row(half, n, 2, n)]  # fmt: skip
        above[n, s] = first_row(half, n, 2, s) - levels[3]

# %% [markdown]
# At $n = 1000$, with 10 known records, $s = 100$, values shown five times and $\rho = 1/2$: the twelve levels against the exact posterior of a named case each. An unknown record is one more row of the matrix.

# %%
n, n_known, s, f = 1000, 10, 100, 5
A = pram.retention_matrix(0.5, 10)
map_of = knowledge_models.pk_level_map(A, n, n_known=n_known, n_sampled=s, shown=f).astype(float)
belief = np.array([1 / n_known, 1 - 1 / n_known] + [0] * 8)
noisy = np.vstack([A, belief @ A])
plain = np.vstack([np.eye(3), [1 / n_known, 0, 1 - 1 / n_known]])


def named_level(rows, tau, release, risk=posterior.match_probability):
    return float(1 / risk(tau, release, transition=rows, record=0, slot=0, method="generating"))


some = [0] + [1] * (n_known - 1)  # the known people; unknown ones have code 3 or 10
single, several = [0] + [1] * (s - 1), [0] * f + [1] * (s - f)
alone_in_all, five_alike = [0] + [1] * (n - 1), [0] * f + [1] * (n - f)
named = [[
    named_level(plain, some + [3] * (n - n_known), [0] + [2] * (s - 1)),
    named_level(plain, some + [3] * (n - n_known), [0] * f + [2] * (s - f)),
    named_level(noisy, some + [10] * (n - n_known), alone_in_all),
    named_level(noisy, some + [10] * (n - n_known), single),
]]  # fmt: skip
for risk in (posterior.match_probability, posterior.response_match_probability):
    named.append([
        named_level(plain, alone_in_all, single, risk),
        named_level(plain, five_alike, several, risk),
        named_level(A, alone_in_all, alone_in_all, risk),
        named_level(A, alone_in_all, single, risk),
    ])  # fmt: skip
named = np.array(named)
of_claim = float(1 / sampling.worst_case_risk(n, n_known, n_sampled=s))

# %%
with claim("K-B18") as c:
    label = f"last two attackers: {len(formula)} sizes, n ≤ 3, two matrices, worst of all"
    c.decisive("sampled").exact(formula, worst, label)
    label = f"first attacker, three releases: {len(top_formula)} sizes, n ≤ 4, worst of all"
    c.decisive("sampled").exact(top_formula, top_worst, label)
    label = "PRAM and sample, n ≤ 4: least distance of the worst level from the bound"
    c.decisive("sampled").exact(min(above.values()), Fraction(0), label)
    at_ends = {gap for (n, s), gap in above.items() if s in (1, n)}
    c.exact(at_ends, {Fraction(0)}, "the bound is attained for s = 1 and s = n")
    eleven = np.ones((3, 4), dtype=bool)
    eleven[0, 3] = False
    c.close(named[eleven], map_of[eleven], "n = 1000: eleven levels, by named cases")
    c.at_most(map_of[0, 3], named[0, 3], "n = 1000: the twelfth is a bound")
    c.close(named[0, 3], map_of[0, 3], "and near", rtol=1e-3)
    label = "strangers with known values only (equation (1)), n = 1000: sample alone"
    c.limit(map_of[0, 0], of_claim, label)

# %% [markdown]
# ## K-B7 (how much may be kept)
#
# *The largest retention probability for a wanted $k$, in closed form.* The level at the closed form is $k$; the level increases in $\gamma$, and $\gamma$ decreases in $\rho$, so that no larger $\rho$ has level $k$. The second route is the exact posterior of the worst table.

# %%
n_, s_, k_, N_, rho_, d_, t_ = sp.symbols("n s k N rho d t", positive=True)
gamma_ = sp.symbols("gamma", positive=True)
level = 1 + (n_ - s_) * gamma_ + (s_ - 1) * gamma_**2
root = 2 * (k_ - 1) / (n_ - s_ + sp.sqrt((n_ - s_) ** 2 + 4 * (s_ - 1) * (k_ - 1)))
gamma_of = (1 - rho_) / (1 + (N_ - 1) * rho_)
slope = sp.diff(level, gamma_).subs({n_: s_ + d_}).subs({s_: 1 + t_})
fall = sp.factor(sp.diff(gamma_of.subs(N_, 1 + t_), rho_))
posterior_levels = []
for s in (1000, 500, 100, 10):
    keep = design.retention_for_k(1000, 10, n_sampled=s, categories=10)
    risk = posterior.match_probability(
        [0] + [1] * 999, [0] + [1] * (s - 1),
        transition=pram.retention_matrix(keep, 10), record=0, slot=0,
    )  # fmt: skip
    posterior_levels.append(1 / risk)
with claim("K-B7") as c:
    at_root = sp.simplify(level.subs(gamma_, root))
    c.decisive("proved").exact(at_root, k_, "the level of the closed form is k")
    label = "the slope of the level in γ, which is positive (s = 1 + t, n = s + d)"
    positive_slope = d_ + 2 * t_ * gamma_
    c.decisive("proved").exact(sp.expand(slope), positive_slope, label)
    c.decisive("proved").holds(fall.is_negative, "γ decreases in ρ", method="symbolic")
    twice = sp.simplify(gamma_of.subs(rho_, gamma_of))
    c.exact(twice, rho_, "ρ from γ by the same map")
    c.close(posterior_levels, [10] * 4, "n = 1000, four sizes: exact posterior, worst table")

# %% [markdown]
# ## K-B8 (leave out a few records)
#
# *For $n \gg k$, with the share and the categories given, retention on a ten per cent sample is less accurate, at equal $k$, than retention on all records, and leaving out a part of order $\sqrt{k/n}$ is more accurate than both.* First the variance: for five people, every sample of two and every rewriting are listed. Then 18 designs at $n = 10^6$, by the package and by the formulas.

# %%
share_, N_ = sp.symbols("theta N", positive=True)
b_ = (1 - rho_) / N_
a_ = rho_ + b_
rewriting = (share_ * a_ * (1 - a_) + (1 - share_) * b_ * (1 - b_)) / (s_ * rho_**2)
subsampling = (1 - s_ / n_) / s_ * n_ / (n_ - 1) * share_ * (1 - share_)
variance = sp.lambdify((share_, N_, rho_, n_, s_), rewriting + subsampling)


def largest_retention(n, k, N, s):
    gamma = 2 * (k - 1) / (n - s + ((n - s) ** 2 + 4 * (s - 1) * (k - 1)) ** 0.5)
    return (1 - gamma) / (1 + (N - 1) * gamma)


people, mean, square, reported = (0, 0, 1, 2, 1), Fraction(0), Fraction(0), 0.0
for order in permutations(range(5), 2):
    for shown in product(range(3), repeat=2):
        chance = Fraction(1, 20)
        for r, v in zip(order, shown):
            chance *= keeps_half[people[r]][v]
        estimate = (Fraction(shown.count(0), 2) - Fraction(1, 6)) / Fraction(1, 2)
        mean += chance * estimate
        square += chance * estimate**2
        reported += float(chance) * design.estimate_shares(shown, keeps_half, n=5).variance[0]
listed_variance = square - mean**2
at_five = {n_: 5, s_: 2, N_: 3, share_: sp.Rational(2, 5), rho_: sp.Rational(1, 2)}

# %%
by_package, by_formula, beside, out, predicted = [], [], [], [], []
for N, k, share in product((10, 100), (2, 10, 100), (0.5, 0.1, 0.01)):
    n = 10**6
    rest = [share] + [(1 - share) / (N - 1)] * (N - 1)
    best = design.best_thinning(n, k, categories=N, share=share)
    errors, formulas = [], []
    sizes = [n, n // 10, best.n_sampled, n - best.drop // 2, n - 2 * best.drop]
    for s in sizes:
        formulas.append(variance(share, N, largest_retention(n, k, N, s), n, s))
    for s in sizes[:3]:
        keep = design.retention_for_k(n, k, n_sampled=s, categories=N)
        A = pram.retention_matrix(keep, N)
        errors.append(design.share_variance(rest, A, n=n, n_sampled=s)[0])
    by_package.append([errors[1] / errors[0], errors[2] / errors[0]])
    by_formula.append([formulas[1] / formulas[0], formulas[2] / formulas[0]])
    beside.append(min(formulas[3:]) / formulas[0])
    beta = share * (1 - share) / (1 + share * (N - 2))
    out.append(best.drop)
    predicted.append((1 - 2 * beta) / (beta * (1 - beta)) ** 0.5 * (n * (k - 1)) ** 0.5)
tenth_ratio, best_ratio = np.array(by_package).T

rng = np.random.default_rng(505)
simulated, stderr, expected = [], [], []
truth = np.repeat(np.arange(10), 100)
for s in (100, 712, 1000):
    keep = design.retention_for_k(1000, 10, n_sampled=s, categories=10)
    A = pram.retention_matrix(keep, 10)
    errors = []
    for _ in range(1000):
        shown = pram.apply_pram(rng.permutation(truth)[:s], A, rng=rng)
        errors.append(design.estimate_shares(shown, A, n=1000).estimate[0] - 0.1)
    squares = np.array(errors) ** 2
    simulated.append(squares.mean())
    stderr.append(squares.std() / 1000**0.5)
    expected.append(variance(0.1, 10, keep, 1000, s))

# %%
few = design.best_thinning(1000, 10, categories=100, share=0.01)
yes_no = design.best_thinning(10**6, 10, categories=2, share=0.5)  # β = 1/4
small_tenth = variance(0.01, 100, largest_retention(1000, 10, 100, 100), 1000, 100)
small_all = variance(0.01, 100, largest_retention(1000, 10, 100, 1000), 1000, 1000)
where = "n = 10⁶, 18 cases up to N = 100, k = 100"
with claim("K-B8") as c:
    formula = Fraction((rewriting + subsampling).subs(at_five))
    c.exact((mean, listed_variance), (Fraction(2, 5), formula), "five people, listed: variance")
    c.close(reported, float(listed_variance), "and the mean of its estimates")
    label = f"a 10% sample: {tenth_ratio.min():.1f} to {tenth_ratio.max():.0f} times, {where}"
    c.decisive("sampled").at_most([3.0] * 18, tenth_ratio, label)
    spans = f"{best_ratio.min():.2f} to {best_ratio.max():.2f} of the variance"
    c.decisive("sampled").at_most(best_ratio, [0.9] * 18, f"a few left out: {spans}, {where}")
    c.decisive("sampled").close(out, predicted, "left out, and predicted", rtol=0.15)
    of_quarter = [(1 / 2) / (3 / 16) ** 0.5 * (9 * 10**6) ** 0.5, 3**0.5 / 2]
    label = "N = 2, share 1/2: left out and ratio, predicted"
    c.close([yes_no.drop, yes_no.variance_ratio], of_quarter, label, rtol=0.01)
    c.close(by_package, by_formula, "both ratios by the formulas", rtol=1e-6)
    c.at_most(best_ratio, beside, "half as many or twice as many left out: no better")
    label = "n = 1000, s = 100, 712 and 1000, drawn: mean square error"
    c.sampled(simulated, expected, label, stderr=stderr)
    noise = (rewriting * s_).subs(rho_, gamma_of.subs(rho_, gamma_))
    slope = sp.simplify(sp.diff(noise, gamma_).subs(gamma_, 0))
    c.exact(sp.expand(slope), sp.expand(1 + share_ * (N_ - 2)), "noise near γ = 0")
    below, rate = sp.symbols("beta mu", positive=True)
    total = (1 - below) * gamma_ + below * rate / gamma_  # rewriting and sampling, small γ
    at_best = sp.sqrt(below * rate / (1 - below))
    stationary = sp.simplify(sp.diff(total, gamma_).subs(gamma_, at_best))
    c.exact(stationary, sp.Integer(0), "the sum for small γ is smallest at γ² = βμ/(1 − β)")
    here_not = "N = 100, n = 1000"
    c.limit(1.0, small_tenth / small_all, f"{here_not}: a 10% sample, at least")
    c.limit(min(1000, round(few.asymptotic_drop)), few.drop, f"{here_not}: left out")

# %% [markdown]
# ## K-B22 (what is left against the prosecutor)
#
# *For $n \gg k$ the prosecutor's level of the most accurate design tends to $1 + (k-1)\beta/(1-\beta)$ with $\beta = \theta(1-\theta)/(1 + \theta(N-2))$, which is at most $1 + (k-1)/3$; against the prosecutor alone nobody should be left out.* The best $\gamma$ has $\gamma^2 = \frac{\beta}{1-\beta}\cdot\frac{k-1}{n}$. Any $\beta$ up to $\frac14$ is $\frac1{4+\eta}$ with $\eta \ge 0$.

# %%
more, eta = sp.Symbol("K", positive=True), sp.Symbol("eta", nonnegative=True)  # K = k - 1
beta = 1 / (4 + eta)
prosecutor = 1 + n_ * (beta / (1 - beta)) * more / n_
at_most_third = (
    derivation(prosecutor, of=r"1 + n\gamma^2", names={more: "(k-1)"})
    .equal(1 + more / (3 + eta), r"$\beta = 1/(4 + \eta)$")
    .at_most(1 + more / 3, r"$\eta \ge 0$")
)


def at_best_size(n, k, N, share):
    """Prosecutor's level at the best of all sizes, by the formulas."""
    sizes = np.arange(2.0, n + 1)
    keeps = largest_retention(n, k, N, sizes)
    best = variance(share, N, keeps, n, sizes).argmin()
    gamma = (1 - keeps[best]) / (1 + (N - 1) * keeps[best])
    return 1 + (sizes[best] - 1) * gamma**2


searched, limits = [], []
for N, share in ((2, 0.5), (2, 0.1), (10, 0.5), (10, 0.1), (10, 0.01)):
    searched.append(at_best_size(10**6, 10, N, share))
    beta = share * (1 - share) / (1 + share * (N - 2))
    limits.append(1 + 9 * beta / (1 - beta))
by_size = []
for n in (10**3, 10**4, 10**5, 10**6):
    best = design.best_thinning(n, 10, categories=2, share=0.5)
    A = pram.retention_matrix(best.keep, 2)
    by_size.append(float(anonymity.pk_level_response_knowledge(A, n, n_sampled=best.n_sampled)))
fewer = np.array([1000, *range(999, 3, -1)])
gammas = np.sqrt(2 / (fewer - 1))  # level 3 against the prosecutor, whatever the size
errors = variance(0.1, 9, (1 - gammas) / (1 + 8 * gammas), 1000, fewer)

# %%
with claim("K-B22") as c:
    label = "n ≫ k: level at the best γ"
    c.decisive("proved").derived(at_most_third, prosecutor, 1 + more / 3, label)
    label = "k = 10, n = 10⁶, five cases, best of all sizes"
    c.decisive("sampled").close(searched, limits, label, rtol=0.005)
    c.close(searched[0], by_size[-1], "one of them by the package", rtol=1e-6)
    gaps = np.abs(np.array(by_size) - 4)
    c.at_most(gaps[1:], gaps[:-1], "N = 2, half, n = 10³ to 10⁶: nearer and nearer")
    c.limit(4.0, by_size[0], "N = 2, half, n = 1000, k = 10, not n ≫ k: at most")
    label = f"level 3 for the prosecutor alone, N = 9, {len(fewer)} sizes: fewer, worse"
    c.decisive("sampled").at_most(errors[:-1], errors[1:], label)
    package = design.share_variance(
        [0.1] + [0.9 / 8] * 8, pram.retention_matrix((1 - gammas[500]) / (1 + 8 * gammas[500]), 9),
        n=1000, n_sampled=int(fewer[500]),
    )[0]  # fmt: skip
    c.close(errors[500], package, "one of the errors by the package")


# %% [markdown]
# ## K-B9 (strata and unequal probabilities)
#
# *Levels for stratified sampling, labels released or hidden, and for unequal probabilities at a fixed size (conditional Poisson sampling).* For a person of stratum $h$ with $n_h$ people, $s_h$ of them drawn: with released labels $k \ge 1 + (n_h - s_h)\gamma + (s_h - 1)g_2$, with hidden ones $k \ge 1 + (n_h - s_h)\gamma + (s-1) g_2 + \frac{(n_h - s_h)(s - s_h)}{s_h}\gamma^2$. With odds $\omega$, $k_r \ge 1 + \gamma\,\Omega_r/\omega_r + (s-1)g_2$, where $\Omega_r$ sums the $n-s$ smallest odds of the others. The oracle goes through every table, release and injection that the design allows. Each matrix is one of very many, so the strength is *sampled*.

# %%
def all_weights(A, orders):
    """Weights in integers, for every table, every release and every order of people."""
    n, s = orders.max() + 1, orders.shape[1]
    scale = np.lcm.reduce([entry.denominator for row in A for entry in row])
    whole = np.array([[int(entry * scale) for entry in row] for row in A])
    tables = np.array(list(product(range(len(A)), repeat=n)))
    releases = np.array(list(product(range(len(A[0])), repeat=s)))
    return whole[tables[:, orders][:, None], releases[None, :, None]].prod(axis=-1)


def exact_level(weights, orders, person):
    """Least total weight / weight of the link, over all tables, releases and records."""
    total, least = weights.sum(axis=-1), []
    for j in range(orders.shape[1]):
        here = orders[:, j] == person
        if here.any():
            link = weights[..., here].sum(axis=-1)
            at = (total / link).argmin()
            least.append(Fraction(int(total.flat[at]), int(link.flat[at])))
    return min(least)


def orders_of(n, s):
    return np.array(list(permutations(range(n), s)))


def stratified_levels(A, sizes, samples, labels):
    """Exact worst level of the first person of each stratum."""
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    wanted = np.repeat(np.arange(len(sizes)), samples)
    orders = orders_of(sum(sizes), sum(samples))
    of_record = stratum[orders]
    if labels == "hidden":
        of_record = np.sort(of_record, axis=1)
    orders = orders[(of_record == wanted).all(axis=1)]
    weights = all_weights(A, orders)
    firsts = [int(np.flatnonzero(stratum == h)[0]) for h in range(len(sizes))]
    return [exact_level(weights, orders, r) for r in firsts]


# %%
bounds, levels, labels_of = [], [], []
for A, (sizes, samples), labels in product(
    (keeps_half, lopsided),
    (((3, 2), (1, 2)), ((2, 2), (1, 1)), ((3, 1), (2, 1)), ((2, 3), (1, 1))),
    ("released", "hidden"),
):
    bounds.append(anonymity.stratified_pk_level(A, sizes, samples=samples, labels=labels).tolist())
    levels.append(stratified_levels(A, sizes, samples, labels))
odds_bounds, odds_levels = [], []
for A, odds in product((half, lopsided), ((1, 2, 5), (7, 1, 1), (3, 1, 2, 2))):
    orders = orders_of(len(odds), 2)
    weights = all_weights(A, orders) * np.array(odds)[orders].prod(axis=1)
    odds_bounds += anonymity.conditional_poisson_pk_level(A, odds, n_sampled=2).tolist()
    odds_levels += [float(exact_level(weights, orders, r)) for r in range(len(odds))]
with claim("K-B9") as c:
    flat_bounds = [float(x) for pair in bounds for x in pair]
    flat_levels = [float(x) for pair in levels for x in pair]
    label = "8 designs up to n = 5, 2 matrices, every table and release: bound ≤ level"
    c.decisive("sampled").at_most(flat_bounds, flat_levels, label, slack=1e-12)
    label = "odds 1 2 5, 7 1 1, 3 1 2 2, s = 2, every table and release: bound ≤ level"
    c.decisive("sampled").at_most(odds_bounds, odds_levels, label, slack=1e-12)
    label = "retention, labels released: attained in all four designs"
    c.exact(levels[:8:2], bounds[:8:2], label)
    c.exact(levels[1], bounds[1], "labels hidden: attained for 3 + 2 people")
    evenly = anonymity.conditional_poisson_pk_level(half, [1] * 4, n_sampled=2)
    equal = exact_level(all_weights(half, orders_of(4, 2)), orders_of(4, 2), 0)
    c.close(evenly, [float(equal)] * 4, "equal odds: attained")
    simple = anonymity.pk_level(keeps_half, 5, n_sampled=3)
    c.holds(levels[1][1] < simple, "a stratum taken whole: below a simple random sample")

# %% [markdown]
# ## K-B10 (local differential privacy)
#
# *A record-wise $\varepsilon$-locally private release has $\gamma \ge e^{-\varepsilon}$ and so a level; sampling amplifies $\varepsilon$ to $\ln(1 + p(e^{\varepsilon} - 1))$, exactly.* Since $g_2$ is a product of two ratios, $g_2 \ge \gamma^2$.

# %%
eps = sp.Symbol("varepsilon", positive=True)
extra, above_square = sp.symbols("x y", nonnegative=True)
free_people, others = sp.symbols("l o", nonnegative=True)  # n - s and s - 1
gamma_eps = sp.exp(-eps) + extra
in_gamma = 1 + free_people * gamma_eps + others * (gamma_eps**2 + above_square)
in_epsilon = 1 + free_people * sp.exp(-eps) + others * sp.exp(-2 * eps)
bridge = derivation(in_gamma, of="k").at_least(in_epsilon, r"$\gamma \ge e^{-\varepsilon}$")

matrices, small = (half, keeps_half, lopsided), ((2, 1), (3, 2), (4, 2), (4, 3))
promised, exact, amplified, largest = [], [], [], []
for A in matrices:
    e_eps = max(x / y for column in zip(*A) for x, y in permutations(column, 2))
    for n, s in small:
        promised.append(local_dp.local_dp_pk_level(local_dp.local_dp_epsilon(A), n, n_sampled=s))
        orders = orders_of(n, s)
        weights = all_weights(A, orders)
        exact.append(float(exact_level(weights, orders, 0)))
        probability = weights.sum(axis=-1).reshape(*[len(A)] * n, -1)  # first person's value first
        ratios = []
        for u, v in permutations(range(len(A)), 2):
            pairs = zip(probability[u].ravel().tolist(), probability[v].ravel().tolist())
            ratios += [Fraction(x, y) for x, y in pairs]
        largest.append(max(ratios))
        amplified.append(1 + Fraction(s, n) * (e_eps - 1))
with claim("K-B10") as c:
    c.decisive("proved").derived(bridge, in_gamma, in_epsilon, "from ε to the level")
    label = "3 matrices, n ≤ 4, every table and release: promised ≤ level"
    c.decisive("sampled").at_most(promised, exact, label, slack=1e-12)
    c.close(promised[:8], exact[:8], "retention attains it")
    label = "3 matrices, n ≤ 4: largest ratio for tables that differ once, 1 + p(e^ε − 1)"
    c.decisive("sampled").exact(largest, amplified, label)

# %% [markdown]
# ## K-B11 (three numbers to report)
#
# *Three numbers to report with a release: $k$, $k$ against an attacker who knows that the target was sampled, and the probability of membership.* Advice. What is checked, on one file (the employment of 1,000 people of the Adult data), is that they bound what the attackers find; the exact posterior is computed in two ways.

# %%
rows = [line.split(", ") for line in datasets.load("adult").decode().splitlines()]
rows = [row for row in rows if len(row) > 1]
employment = np.unique([row[1] for row in rows], return_inverse=True)[1]
rng = np.random.default_rng(505)
thousand = rng.permutation(employment)[:1000]
plan = design.best_thinning(1000, 10, categories=9, share=0.1)
B = pram.retention_matrix(plan.keep, 9)
file = pram.apply_pram(rng.permutation(thousand)[: plan.n_sampled], B, rng=rng)
report = risk_report(file, B, population_size=1000)
planned = [
    anonymity.pk_level(B, 1000, n_sampled=plan.n_sampled),
    anonymity.pk_level_response_knowledge(B, 1000, n_sampled=plan.n_sampled),
]
reported = [report.k_table_known, report.k_participants_known]
in_class, shown = np.bincount(thousand, minlength=9), np.bincount(file, minlength=9)
present = np.flatnonzero(in_class)
M = posterior.match_matrix(thousand, file, transition=B, by="value")
sampled = M @ shown
given_sampled = M[present] / sampled[present, None]
exact = [1 / M[present].max(), 1 / given_sampled.max()]
alone = []
for function, values in (
    (posterior.match_probability, M[present]),
    (posterior.response_match_probability, given_sampled),
):
    row, column = np.unravel_index(values.argmax(), values.shape)
    r = int(np.flatnonzero(thousand == present[row])[0])
    j = int(np.flatnonzero(file == column)[0])
    alone.append(1 / function(thousand, file, transition=B, record=r, slot=j))
rarest = present[in_class[present].argmin()]
person = int(np.flatnonzero(thousand == rarest)[0])

# %%
with claim("K-B11") as c:
    label = "both levels: planned ≤ reported ≤ exact, easiest link"
    c.decisive("one example").at_most(planned + reported, reported + exact, label, slack=1e-9)
    label = "membership: exact ≤ reported"
    top = sampled[present].max()
    c.decisive("one example").at_most([top], [report.participation[1]], label)
    c.close(exact, alone, "easiest links, one person at a time")
    direct = posterior.membership_probability(thousand, file, transition=B, record=person)
    c.close(sampled[rarest], direct, "membership of the rarest class, one person")
    behind = in_class @ M
    c.close(behind[shown > 0], np.ones((shown > 0).sum()), "somebody is behind each record")
    gamma = (1 - plan.keep) / (1 + 8 * plan.keep)
    by_hand = 1 + (plan.n_sampled - 1) * gamma**2
    c.close(planned, [by_hand + plan.drop * gamma, by_hand], "the plan, by hand")

# %% [markdown]
# ## K-B21 (what the label says)
#
# *The label of a release (levels that count the least frequency, the interval of participation) holds for every table behind it; for retention of two values both levels are attained.* The oracle goes through every table for every release, with $n = 4$ and four matrices.

# %%
fifth = pram.retention_matrix(Fraction(1, 5), 2).tolist()
of_label, of_tables, of_two_values = [], [], []
for A, s in product((half, fifth, keeps_half, lopsided), (2, 3, 4)):
    orders = orders_of(4, s)
    weights = all_weights(A, orders)  # tables, releases, orders
    total = weights.sum(axis=-1)
    levels, sampled_levels, participation = [], [], []
    for r in range(4):
        with_r = weights[..., (orders == r).any(axis=1)].sum(axis=-1)
        participation.append(with_r / total)
        for j in range(s):
            link = weights[..., orders[:, j] == r].sum(axis=-1)
            levels.append(total / link)
            sampled_levels.append(with_r / link)
    worst = [np.min(levels, axis=(0, 1)), np.min(sampled_levels, axis=(0, 1)),
             np.min(participation, axis=(0, 1)), np.max(participation, axis=(0, 1))]  # fmt: skip
    for i, release in enumerate(product(range(len(A)), repeat=s)):
        label = risk_report(release, A, population_size=4)
        of_label.append([float(label.k_table_known), float(label.k_participants_known),
                         *map(float, label.participation)])  # fmt: skip
        of_tables.append([column[i] for column in worst])
        of_two_values.append(A is half or A is fifth)
said, true = np.array(of_label), np.array(of_tables)
two_values = np.array(of_two_values)

# %%
with claim("K-B21") as c:
    label = f"n = 4, 4 matrices, all {len(said)} releases: least over all tables"
    c.decisive("sampled").at_most(said[:, :3], true[:, :3], label, slack=1e-12)
    c.decisive("sampled").at_most(true[:, 3], said[:, 3], "and the largest", slack=1e-12)
    label = "retention of two values, ρ = 1/2 and 1/5: both levels attained"
    c.decisive("sampled").close(said[two_values, :2], true[two_values, :2], label)
    plain = risk_report([0, 0, 0, 1, 1], np.eye(2), population_size=9)
    c.exact(plain.k_table_known, 2, "an unchanged sample: the least frequency")

# %% [markdown]
# ## K-B20 (estimates below zero)
#
# *The unbiased estimate of a share from a rewritten table can be negative; the most likely shares cannot, and are the same where the unbiased ones are possible.* The data are printed in {cite:t}`vandenhout2002`: two questions, each answered truthfully with probability 0.8, 412 people. How often it happens is simulated with the countries of birth of the Adult data.

# %%
answers = np.array([68, 52, 103, 189])  # yes-yes, yes-no, no-yes, no-no
coin = np.array([[0.8, 0.2], [0.2, 0.8]])
C = np.kron(coin, coin)


def most_likely(shown, A, rounds=20_000):
    """Shares under which the shown counts are most likely, by the EM algorithm."""
    shares = np.full(len(A), 1 / len(A))
    for _ in range(rounds):
        shares = shares * (A @ (shown / shown.sum() / (shares @ A)))
    return shares


fair = sp.Matrix([[4, 1], [1, 4]]) / 5
solved = sp.kronecker_product(fair, fair).T.LUsolve(sp.Matrix(answers.tolist()))
unbiased = design.estimate_shares(np.repeat(range(4), answers), C, n=412).estimate
likely = most_likely(answers, C)
scores = C @ (answers / 412 / (likely @ C))  # at a maximum, none exceeds 1
inside = np.array([120, 90, 95, 107])

born = np.unique([row[13] for row in rows], return_inverse=True)[1]
people = np.bincount(born)
total, N = born.size, people.size
s = total - 2000
keep = design.retention_for_k(total, 10, n_sampled=s, categories=N)
A = pram.retention_matrix(keep, N)
runs, below = 300, np.zeros(N)
rng = np.random.default_rng(20)
for _ in range(runs):
    release = pram.apply_pram(rng.permutation(born)[:s], A, rng=rng)
    below += design.estimate_shares(release, A, n=total).estimate < 0
spread = np.sqrt(design.share_variance(people / total, A, n=total, n_sampled=s))
expected = stats.norm.cdf(-people / total / spread)
often = expected > 0.02

# %%
with claim("K-B20") as c:
    label = f"their data: {solved[1]} people, below zero"
    c.decisive("one example").exact(solved[1] < 0, sp.true, label)
    c.close(412 * unbiased, [float(x) for x in solved], "the same by the package")
    label = "most likely: no score above 1"
    c.decisive("one example").at_most(scores, np.ones(4), label, slack=1e-9)
    c.decisive("one example").at_most(np.zeros(4), likely, "and none below zero")
    label = "where the unbiased shares are possible, the two agree"
    by_package = design.estimate_shares(np.repeat(range(4), inside), C, n=412).estimate
    c.decisive("one example").close(most_likely(inside, C), by_package, label, rtol=1e-7)
    label = f"countries of birth, {runs} releases, {often.sum()} countries: share below zero"
    stderr = np.sqrt(expected[often] * (1 - expected[often]) / runs)
    c.decisive("simulated").sampled(below[often] / runs, expected[often], label, stderr=stderr)
