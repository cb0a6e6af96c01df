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
# # Evidence: How safe is a person in a 1% sample?
#
# The statements of Kikuchi's section 4 on sampling alone, in the paper's order, and what we add to them: what each one states, and its check. Nothing is hidden. The swap lemma (K-B5) comes first, because the others rest on it.
# The story is told in [the notebook of the same name](../../disclosure/02-sampling-alone.ipynb).

# %%
from collections import Counter
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from math import comb, factorial, prod

import numpy as np
import sympy as sp
from scipy import stats

from privlib.disclosure import anonymity, linkage, sampling
from privlib.disclosure.linkage import linkage_beliefs, log_loss
from privlib.disclosure.posterior import match_probability
from privlib.notebook import claim, datasets, derivation, misprints

half = Fraction(1, 2)
n0, n, s, left_out = sp.symbols("n_0 n s nhat", positive=True)
spelled = {left_out: r"\hat n"}


# %% [markdown]
# ## Every table and every ordered sample
#
# For up to four people we list every table that the attacker of equation (1) thinks possible, and every ordered sample of it. For up to six people we use another route: the distribution of the counts of the values, in which neither
# people nor records occur. In code, people and released records count from 0.

# %%
def known_tables(size):
    """Every table of known values, up to the names of the values."""
    for people in combinations_with_replacement("abcdef"[:size], size):
        counts = [people.count(v) for v in "abcdef"]
        if counts == sorted(counts, reverse=True):
            yield people


def worlds(known, total, drawn):
    """Every (probability, table, ordered sample) that the attacker thinks possible."""
    orders = list(permutations(range(total), drawn))
    for unknown in product(sorted(set(known)), repeat=total - len(known)):
        belief = Fraction(1, len(orders))
        for value in unknown:
            belief *= Fraction(known.count(value), len(known))
        for order in orders:
            yield belief, known + unknown, order


def posteriors(known, total, drawn):
    """Probability of (release, person, record): this person is behind this record."""
    releases, behind = Counter(), Counter()
    for probability, people, order in worlds(known, total, drawn):
        release = tuple(people[person] for person in order)
        releases[release] += probability
        for record, person in enumerate(order):
            behind[release, person, record] += probability
    return {key: behind[key] / releases[key[0]] for key in behind}


settings = []  # (known values, number of people, number drawn)
for total in range(1, 5):
    for size in range(1, total + 1):
        for known in known_tables(size):
            for drawn in range(1, total + 1):
                settings.append((known, total, drawn))
listed = {setting: posteriors(*setting) for setting in settings}
largest_listed = {}
for (known, total, drawn), result in listed.items():
    size = total, len(known), drawn
    largest_listed[size] = max(largest_listed.get(size, 0), *result.values())
assert len(settings) == 1 + 2 * 3 + 3 * 6 + 4 * 11  # drawn times known tables


# %%
def risks_by_counts(known, total, shown):
    """Risks of known and of unknown people from the counts of the values alone."""
    size, unknown_people = sum(known), total - sum(known)
    evidence = Fraction(0)
    inverse = [Fraction(0)] * len(known)  # of the number of people with each value
    for unknown in product(range(unknown_people + 1), repeat=len(known)):
        if sum(unknown) != unknown_people:
            continue
        probability = Fraction(factorial(unknown_people))
        for c, u, f in zip(known, unknown, shown):
            probability *= Fraction(c, size) ** u / factorial(u) * comb(c + u, f)
        evidence += probability
        for v, (c, u) in enumerate(zip(known, unknown)):
            inverse[v] += probability / (c + u)
    risks = []
    if evidence > 0:
        for c, part, f in zip(known, inverse, shown):
            if f > 0:
                mean = part / evidence
                risks.append(mean)  # of a known person with this value
                if unknown_people:
                    risks.append((1 - c * mean) / unknown_people)  # somebody is behind it
    return risks


worst = {}
for total in range(1, 7):
    for size, drawn in product(range(1, total + 1), repeat=2):
        risks = [Fraction(0)]
        for known in known_tables(size):
            counts = [known.count(v) for v in sorted(set(known))]
            for shown in product(range(drawn + 1), repeat=len(counts)):
                if sum(shown) == drawn:
                    risks += risks_by_counts(counts, total, shown)
        worst[total, size, drawn] = max(risks)


def n_hat(total, size, drawn):
    return total - size - (drawn - 1)


allowed = {}
for total, size, drawn in worst:
    allowed[total, size, drawn] = sampling.identification_risk(total, size, n_sampled=drawn)
assert len(worst) == 1 + 4 + 9 + 16 + 25 + 36


# %% [markdown]
# ## K-B5 (swap lemma)
#
# Beyond the paper: *one lemma on exchanging the target with one other person proves Claim 4.1 and Theorem 5.1.* The lemma holds for all weights if the exchanges reach every other assignment exactly once.

# %%
def exchange(order, r, t):
    """Exchange the people r and t, wherever they are."""
    other = {r: t, t: r}
    return tuple(other.get(person, person) for person in order)


def inverse_by_lemma(rows, release, r, record=0):
    """1/Pr by the lemma; rows[x] is the distribution of what person x shows."""
    weight = {}
    for order in permutations(range(len(rows)), len(release)):
        weight[order] = prod(rows[x].get(a, 0) for x, a in zip(order, release))
    own, images = Fraction(0), Fraction(0)
    for order in weight:
        if order[record] == r:
            own += weight[order]
            for t in range(len(rows)):
                if t != r:
                    images += weight[exchange(order, r, t)]
    return 1 + images / own


def rows_of(known, total):
    """What the attacker of equation (1) expects each person to show."""
    shares = {v: Fraction(known.count(v), len(known)) for v in known}
    return [{v: 1} for v in known] + [shares] * (total - len(known))


reached_once = []
for total in range(2, 7):
    for drawn in range(1, total + 1):
        images, others = Counter(), Counter()
        for order in permutations(range(total), drawn):
            if order[0] == 0:
                images.update(exchange(order, 0, t) for t in range(1, total))
            else:
                others[order] += 1
        reached_once.append(images == others)
by_lemma, by_list = [], []
for (known, total, _), result in listed.items():
    for (release, person, record), chance in result.items():
        if chance > 0:
            by_lemma.append(inverse_by_lemma(rows_of(known, total), release, person, record))
            by_list.append(1 / chance)

lopsided = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
least_k, level = [], []
for drawn in (1, 2, 3, 4):
    inverse = []
    for people, release in product(product((0, 1), repeat=4), product((0, 1), repeat=drawn)):
        rows = [dict(enumerate(lopsided[v])) for v in people]
        inverse.append(inverse_by_lemma(rows, release, 0))
    least_k.append(min(inverse))
    level.append(anonymity.pk_level(lopsided, 4, n_sampled=drawn))

# %%
with claim("K-B5") as c:
    label = "n ≤ 6, all s: the exchanges reach every other assignment, and once"
    c.decisive("exhaustive").exact(reached_once, [True] * 20, label)
    label = f"n ≤ 4, {len(by_list):,} posteriors of equation (1): the lemma, and all samples"
    c.decisive("exhaustive").exact(by_lemma, by_list, label)
    label = "PRAM with one lopsided matrix, n = 4: least 1/Pr by the lemma, and Theorem 5.1"
    c.exact(least_k, level, label)


# %% [markdown]
# ## K-0.1 and K-1.8 (abstract, section 1.2)
#
# K-0.1: *sampling reduces the identification risk against an attacker whose background knowledge is suitably limited.* K-1.8: *the result tells how much one has to sample for a wanted risk.* Both for the attacker of equation (1); the worst
# case over all releases is searched, not computed by a formula.

# %%
def largest_by_search(total, size, k):
    """The largest sample whose enumerated worst case is at most 1/k, or 0."""
    best = 0
    for drawn in range(1, total + 1):
        if worst[total, size, drawn] * k <= 1:
            best = drawn
    return best


reduced, unknown_left, full = set(), set(), set()
for total, size, drawn in worst:
    if size >= 2:
        full.add(worst[total, size, total])
        if drawn < total:
            if worst[total, size, drawn] < worst[total, size, total]:
                reduced.add((total, size, drawn))
            if size < total and n_hat(total, size, drawn) >= 0:
                unknown_left.add((total, size, drawn))
searched, ours, none, too_much = {}, {}, set(), set()
for total in range(2, 7):
    for size, k in product(range(2, total + 1), repeat=2):
        found = largest_by_search(total, size, k)
        if found == 0:
            none.add((total, size, k))
        if k * size > total:
            too_much.add((total, size, k))
        else:
            searched[total, size, k] = found
            ours[total, size, k] = total + 1 - k * size
with claim("K-0.1") as c:
    label = "n ≤ 6, n0 ≥ 2: below the full release exactly where n0 < n and n̂ ≥ 0"
    c.decisive("exhaustive").exact(reduced, unknown_left, label)
    c.exact(full, {Fraction(1)}, "where all are released: certainty")
with claim("K-1.8") as c:
    label = "n ≤ 6, n0 ≥ 2: search among all posteriors, and n + 1 − k n0"
    c.decisive("exhaustive").exact(searched, ours, label)
    label = "no sample does exactly where k > n/n0"
    c.decisive("exhaustive").exact(none, too_much, label)
    package = {key: sampling.max_sample_size(key[0], key[1], k=key[2]) for key in ours}
    c.exact(package, ours, "max_sample_size")

# %% [markdown]
# ## K-4.1 (sampling alone)
#
# *Sampling alone cannot satisfy the original Pk-anonymity.* The check takes every table of four people with three values, known as a whole, and every release.

# %%
releases = ["a", "aa", "ab", "aaa", "aab", "abc", "aaaa", "aaab", "aabb", "aabc"]
by_package, by_people, least = [], [], []
for release in releases:
    package, people_alike = [], []
    for people in product("abc", repeat=4):
        if Counter(release) - Counter(people):
            continue  # this table cannot give this release
        people_alike += [Fraction(1, people.count(v)) for v in release]
        for person, record in product(range(4), range(len(release))):
            chance = match_probability(
                ["abc".index(v) for v in people],
                ["abc".index(v) for v in release],
                transition=np.eye(3, dtype=int).tolist(),
                record=person,
                slot=record,
            )
            package.append(chance)
    by_package.append(max(package))
    by_people.append(max(people_alike))
    least.append(Fraction(1, min(Counter(release).values())))
certain = [x for x, risk in zip(releases, by_package) if risk == 1]
once = [x for x in releases if 1 in Counter(x).values()]
with claim("K-4.1") as c:
    label = "n = 4, three values, all releases and tables: one over the least number shown"
    c.decisive("exhaustive").exact(by_package, least, label)
    c.exact(by_people, least, "the same by counting people")
    c.exact(certain, once, "certainty exactly where a value is shown once")


# %% [markdown]
# ## K-4.3, K-4.4 and K-4.20 (the attacker)
#
# The attacker knows $n_0$ records and takes the others to be distributed alike; this is more realistic than a uniform guess; somebody at a hospital in one prefecture is an example. **Not checkable:** an assumption, an opinion without a named
# population or measure (by ours it depends, K-B23), and an illustration.
#
# ## K-4.2, K-4.5, K-4.10 and K-4.12 (misprints)
#
# Most of these may be the converter's. K-4.2: in Definition 4.1, $r'$ is a released record. K-4.5: the set of equation (1) counts known records. K-4.10: the likelihood of the release. K-4.12: the range of the number of people with the value.

# %%
def binomial_prior(trials, share):
    """Distribution of 1 + a binomial number."""
    prior = {}
    for i in range(1, trials + 2):
        prior[i] = comb(trials, i - 1) * share ** (i - 1) * (1 - share) ** (trials - i + 1)
    return prior


def check_record(c):
    chances = posteriors(("a", "b"), 3, 1)
    people = {person for _, person, _ in chances}
    records = {record for _, _, record in chances}
    c.differs(len(people), len(records), "n = 3, s = 1: choices of r' if it is a person")
    behind = Counter()
    for (release, _, record), chance in chances.items():
        behind[release, record] += chance
    c.exact(set(behind.values()), {Fraction(1)}, "r' a released record: somebody is behind it")


def check_set(c):
    released = 2  # the printed set is all of them if v is a known value
    printed = sum(Fraction(released, 2) for v in "ab")
    c.differs(printed, Fraction(1), "n0 = 2, s = 2: total belief about one person")
    ours = sum(Fraction(("a", "b").count(v), 2) for v in "ab")
    c.exact(ours, Fraction(1), "with the known records counted")


def check_likelihood(c):
    prior = binomial_prior(2, half)  # n = 5, n0 = 2, s = 2: two unknown people left out

    def risk(likelihood):
        above = sum(likelihood[i] * prior[i] / i for i in prior)
        return above / sum(likelihood[i] * prior[i] for i in prior)

    fraction = sampling.identification_risk(5, 2, n_sampled=2)
    printed = {i: comb(i, 2) * factorial(2) for i in prior}
    c.differs(risk(printed), fraction, "n = 5, n0 = 2, s = 2")
    ways = {}
    for i in prior:
        ways[i] = sum(order[0] < i and order[1] >= 3 for order in permutations(range(5), 2))
    c.exact(risk(ways), fraction, "with the ways to draw such a release")


def check_limits(c):
    prior = binomial_prior(3, Fraction(1, 3))  # n = 8, n0 = 3, s = 3: n̂ = 3
    mean = sum(i * prior[i] for i in prior)
    below = sum(i * prior[i] for i in range(1, 3)) / mean
    c.differs(below, Fraction(1), "n = 8, n0 = 3, s = 3: posterior mass of i < n̂")
    c.exact(sum(i * prior[i] for i in range(1, 5)) / mean, Fraction(1), "i = 1..n̂ + 1")


rows = [
    ("K-4.2", r"Definition 4.1: $r' \in \mathcal{R}$", r"$r' \in \mathcal{R}'$", check_record),
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
    ("K-4.12", r"$\sum_{i < \hat n}$ in the proof", r"$i = 1..\hat n + 1$", check_limits),
]
records = misprints(rows)

# %% [markdown]
# ## K-4.6 (Claim 4.1)
#
# *The risk is the double sum over $i, j < \hat n$.* As printed, the sum is $1/\operatorname{E}[M \mid M < \hat n]$, where $M$ is the number of people with the target's value; the sum over all $M$ is $1/\operatorname{E}[M]$.

# %%
z = sp.Symbol("z", positive=True)
generating = z * (1 - 1 / n0 + z / n0) ** left_out  # of M
slope = sp.Subs(sp.Derivative(generating, z), z, 1)
size_bias = (
    derivation(1 / slope, of=r"\frac{1}{\mathrm{E}[M]}", names=spelled)
    .equal(1 / (1 + left_out / n0), "product rule, at $z = 1$")
    .equal(n0 / (n0 + left_out), "multiply by $n_0$")
)
size_bias

# %% [markdown]
# A known target, $1/\Pr$ by the lemma: $1 + e$ known people have the value, $\hat n + K$ unknown people are left out, and $V$ is what the unknown people behind other records add.

# %%
e, K, V = sp.symbols("e K V", nonnegative=True)
inverse_risk = (1 + e) + (1 + e) / n0 * (left_out + K) + V
known_target = (
    derivation(inverse_risk, names=spelled, of=r"\frac{1}{\Pr}")
    .at_least(1 + left_out / n0, "$e, K, V \\ge 0$", by="coefficients")
    .equal((n0 + left_out) / n0, "one fraction")
)
known_target

# %% [markdown]
# The printed limits condition on $M < \hat n$. Let $q$ be the probability of $M \ge \hat n$, $E_1$ the mean below, and $E_1 + d$ the mean from $\hat n$ on.

# %%
q, d, E1 = sp.symbols("q d E_1", positive=True)
mean_of_all = (1 - q) * E1 + q * (E1 + d)
conditioned = (
    derivation(mean_of_all, of=r"\mathrm{E}[M]")
    .equal(E1 + q * d, "collect")
    .at_least(E1, "$q, d \\ge 0$", by="coefficients")
)
conditioned


# %%
def double_sum(trials, size, last):
    """The printed expression with both sums from 1 to last."""
    total = sp.Integer(0)
    for i in range(1, last + 1):
        inner = 0
        for j in range(1, last + 1):
            inner += j * sp.binomial(trials, j - 1) * (size - 1) ** (i - j)
        total += sp.binomial(trials, i - 1) / inner
    return total


def conditional(trials, size):
    """1 / E[M | M < trials]; 0 where nothing is left."""
    prior = binomial_prior(trials, Fraction(1, size))
    mean = sum(i * prior[i] for i in range(1, trials))
    return sum(prior[i] for i in range(1, trials)) / mean if mean else Fraction(0)


full_sums = []
for trials in range(7):
    difference = double_sum(trials, n0, trials + 1) - n0 / (n0 + trials)
    full_sums.append(sp.cancel(sp.together(difference)))
too_small = []
for trials, size in product(range(2, 16), range(2, 8)):
    if conditional(trials, size) < Fraction(size, size + trials):
        too_small.append((trials, size))

# %%
with claim(
    "K-4.6",
    printed=r"$\sum_{i<\hat n}$ and $\sum_{j<\hat n}$",
    corrected=r"$i, j = 1..\hat n + 1$; for $n_0 \ge 2$ the sum is then "
    r"$\frac{n_0}{n - s + 1}$, and the bound is 1 for $\hat n < 0$",
    consequence=r"The printed sum is $1/\mathrm{E}[M \mid M < \hat n]$, still an "
    r"upper bound for $\hat n \ge 2$, $n_0 \ge 2$. Later results do not use it.",
) as c:
    empty = double_sum(1, sp.Integer(2), 0)
    risk = largest_listed[4, 2, 2]
    c.fails(risk <= empty, f"n = 4, n0 = 2, s = 2: the printed sum is {empty}, a risk {risk}")
    c.decisive().derived(size_bias, 1 / slope, n0 / (n0 + left_out), "1/E[M]")
    label = "the full double sum as a function of n0, n̂ ≤ 6"
    c.decisive("exhaustive").exact(full_sums, [sp.Integer(0)] * 7, label)
    label = "1/Pr of a known target"
    c.decisive().derived(known_target, inverse_risk, (n0 + left_out) / n0, label)
    over = [size for size in worst if worst[size] > allowed[size]]
    label = f"sizes (n, n0, s) up to n = 6 with a violation, of {len(worst)}"
    c.decisive("exhaustive").exact(over, [], label)
    by_counts = {size: worst[size] for size in largest_listed}
    c.exact(largest_listed, by_counts, "n ≤ 4: largest risk by all samples, and by counts")
    by_display = [double_sum(trials, sp.Integer(3), trials - 1) for trials in range(2, 7)]
    by_mean = [conditional(trials, 3) for trials in range(2, 7)]
    c.exact(by_mean, by_display, "the printed limits: by the display, by E[M | M < n̂]")
    c.derived(conditioned, mean_of_all, E1, "the printed limits lose")
    c.exact(too_small, [], "2 ≤ n̂ < 16, n0 < 8: printed below the fraction")

# %% [markdown]
# ## K-4.13 and K-4.19 (conventions of Claim 4.1)
#
# K-4.13: *$\binom{\hat n}{0} = 1$.* What can fail is that the term with $i = 1$ is then the probability that nobody else has the value. K-4.19: *for simplicity $pn = \lfloor pn \rfloor$.* What can fail is that nothing is lost by it.

# %%
nobody_else, first_term = [], []
for total in (2, 3, 4):
    probability = Fraction(0)
    for belief, people, _ in worlds(("a", "b"), total, 1):
        if "a" not in people[2:]:
            probability += belief
    nobody_else.append(probability)
    first_term.append(comb(total - 2, 0) * half ** (total - 2))
over, claimed, by_sevenths = [], [], []
for total in range(1, 7):
    for size, j in product(range(1, total + 1), range(1, 7)):
        if j * total < 7:
            continue  # nobody is drawn
        p = Fraction(j, 7)
        at = min(1, Fraction(size) / ((1 - p) * total + 1))
        claimed.append(at)
        by_sevenths.append(Fraction(7 * size, max(7 * size, 7 * total + 7 - j * total)))
        if worst[total, size, int(p * total)] > at:
            over.append((total, size, p))
with claim("K-4.13") as c:
    c.exact(nobody_else, first_term, "knows a and b, 0 to 2 others: nobody else has a")
with claim("K-4.19") as c:
    c.exact(claimed, by_sevenths, "that bound, in whole sevenths")
    label = "n ≤ 6, p in sevenths, s = ⌊pn⌋: risks above n0/((1−p)n + 1)"
    c.decisive("sampled").exact(over, [], label)

# %% [markdown]
# ## K-4.8, K-4.9, K-4.11, K-4.21 and K-4.22 (the proof of Claim 4.1)
#
# K-4.8: *a unique value has the smallest probability, and the second condition makes the number of unknown people left smallest.* K-4.9: *if $i$ people have the value, the attack succeeds with probability $1/i$.* K-4.11: *the last two lines of the proof.* K-4.21: *the probability of success is a sum over $i$.*
# K-4.22: *$M - 1$ is binomial, and $\frac1i$ cancels against the likelihood.*

# %%
fewest, expected = {}, {}
for known, total, drawn in settings:
    size = len(known)
    counts = []
    for order in permutations(range(total), drawn):
        if min(order) < size:  # the target, a known person, is drawn
            counts.append(sum(person not in order for person in range(size, total)))
    fewest[total, size, drawn] = min(counts)
    expected[total, size, drawn] = max(0, n_hat(total, size, drawn))
rarest, unique, smaller = {}, {}, []
for size in range(1, 7):
    for known in known_tables(size):
        rarest[known] = {v for v in known if Fraction(known.count(v), size) == Fraction(1, size)}
        unique[known] = {v for v in known if known.count(v) == 1}
        smaller += [v for v in known if Fraction(known.count(v), size) < Fraction(1, size)]
with claim("K-4.8") as c:
    label = "n ≤ 4: the least number of unknown people left out is n̂, or 0"
    c.decisive("exhaustive").exact(fewest, expected, label)
    label = "n0 ≤ 6, all known tables: the values of share 1/n0 are the unique ones"
    c.decisive("exhaustive").exact(rarest, unique, label)
    c.decisive("exhaustive").exact(smaller, [], "and no share is smaller")

# %%
hits, cases = Counter(), Counter()
total_chance, by_families = [], []
for setting in settings:
    known, total, _ = setting
    families = {}  # release -> probability that i people have the first person's value
    for probability, people, order in worlds(*setting):
        release = tuple(people[person] for person in order)
        if release[0] != known[0]:
            continue
        i = people.count(known[0])
        cases[setting, release, i] += probability
        hits[setting, release, i] += probability * (order[0] == 0)
        families.setdefault(release, Counter())[i] += probability
    for release, family in families.items():
        mean = sum(probability / i for i, probability in family.items())
        by_families.append(mean / sum(family.values()))
        total_chance.append(listed[setting][release, 0, 0])
given = {key: hits[key] / cases[key] for key in cases}
one_of = {key: Fraction(1, key[-1]) for key in cases}
with claim("K-4.9") as c:
    label = "n ≤ 4, all tables, releases: 1/i, given that i people have the value"
    c.decisive("exhaustive").exact(given, one_of, label)
with claim("K-4.21") as c:
    label = "n ≤ 4: Σ 1/i Pr[T ∈ T_i | release], all posteriors of the first person"
    c.decisive("exhaustive").exact(by_families, total_chance, label)


# %%
def number_alike(size, trials, outside, chance):
    """Number with the target's value, if `outside` others have values nobody known has."""
    result = Counter()
    for values in product(range(size + 1), repeat=trials + outside):  # size: such a value
        if values.count(size) == outside:
            inside = ((1 - chance) / size) ** trials
            result[1 + values.count(0)] += chance**outside * inside
    mass = sum(result.values())
    return {i: result[i] / mass for i in result}


listed_numbers, binomial_numbers = [], []
for size, trials, outside in product((1, 2, 3), (0, 1, 2, 3), (0, 1, 2)):
    listed_numbers.append(number_alike(size, trials, outside, Fraction(1, 5)))
    prior = binomial_prior(trials, Fraction(1, size))
    binomial_numbers.append({i: prior[i] for i in prior if prior[i] > 0})
ways = []
for i in range(1, 5):
    count = sum(order[0] < i and order[1] >= 4 for order in permutations(range(5), 2))
    ways.append(Fraction(count, i))
with claim("K-4.22") as c:
    label = "n0 ≤ 3, n̂ ≤ 3, s ≤ 3: number with the value, all tables and binomial"
    c.decisive("exhaustive").exact(listed_numbers, binomial_numbers, label)
    by_two = {1: Fraction(1, 4), 2: half, 3: Fraction(1, 4)}
    label = "n0 = 2, two unknown, none outside: without the condition n − n0 trials"
    c.exact(number_alike(2, 2, 0, Fraction(0)), by_two, label)
    c.exact(ways, [Fraction(1)] * 4, "n = 5: ways to draw such a release, divided by i")

gaps = []
for trials in range(2, 7):
    above, below = 0, 0
    for i in range(1, trials):  # the limits as printed
        term = sp.binomial(trials, i - 1) * (n0 - 1) ** (trials - i + 1)
        above += term
        below += i * term
    difference = above / below - double_sum(trials, n0, trials - 1)
    gaps.append(sp.cancel(sp.together(difference)))
with claim("K-4.11") as c:
    label = "2 ≤ n̂ ≤ 6: the last two lines agree for all n0 ≥ 2"
    c.decisive("exhaustive").exact(gaps, [sp.Integer(0)] * 5, label)

# %% [markdown]
# ## K-4.7 and K-B1 (the worst release)
#
# K-4.7: *the attacker is best off when the other $pn - 1$ released values do not occur among the known records.* Under equation (1) such a release is impossible for $s \ge 2$. K-B1, beyond the paper: *among all attackers who know $n_0$ people and all releases that they consider possible, the largest risk is
# $\frac{n_0}{n_0 + \hat n + \mu}$ with $\mu = \frac{n_0(s-1)}{n_0(s-1) + \hat n + 1}$.*
#
# Proof that no release is worse ($n_0 \ge 2$, $\hat n \ge -1$). Write $m = n - n_0$, and $K$ for the number of known people behind the other $s - 1$ records, in an assignment with the target behind the first record that is chosen with a probability proportional to its weight.
#
# 1. *The target's value is unique among the known people and shown once.* By the lemma $\frac1\Pr = 1 + \frac{\hat n + \operatorname{E}[K]}{n_0}$. Let $s_w$ of the other records show the value $w$, and $c_w$ known people have it. There are
#    $\binom{s_w}{j_w} c_w (c_w - 1) \cdots (c_w - j_w + 1)$ ways to put known people behind $j_w$ of these records. The other $s - 1 - j$ records have unknown people behind them, where $j = \sum_w j_w$, in $m!/(\hat n + j)!$ ways, because $m - (s - 1 - j) = \hat n + j$. Up to a constant the weight of $K = j$ is
#    therefore $a_j\, m!/(\hat n + j)!$, where $\sum_j a_j x^j = \prod_w \sum_i \binom{s_w}{i} c_w \cdots (c_w - i + 1) \bigl(\frac{n_0}{c_w}\bigr)^i x^i$. The first two coefficients are $a_0 = 1$ and $a_1 = n_0(s-1)$ for every release, and none is negative.
# 2. Given $K \le 1$, the mean of $K$ is $\mu \le 1$. Weight on $K \ge 2$ can only raise the mean, so $\operatorname{E}[K] \ge \mu$. If all other records show one value that is unique among the known people, then $K \le 1$ and $\operatorname{E}[K] = \mu$: the value is attained.
# 3. *The value is unique among the known people and shown more often.* One more exchange keeps the weight: $\frac1\Pr \ge 2 + \frac{\hat n + \operatorname{E}[K]}{n_0} \ge 1 + \frac{\hat n + \mu}{n_0}$.
# 4. *Two known people or more have it.* $\frac1\Pr \ge 2 + \frac{2}{n_0} \max(\hat n, 0) \ge 1 + \frac{\hat n + \mu}{n_0}$.
# 5. *The target is unknown.* $\frac1\Pr \ge m + 1 \ge 1 + \frac{\hat n + \mu}{n_0}$.

# %%
others = sp.Symbol("sigma", positive=True)  # s − 1
one_known = n0 * others / sp.factorial(left_out + 1)
no_known = 1 / sp.factorial(left_out)
kept = sp.UnevaluatedExpr
mean_number = derivation(
    kept(one_known) / (kept(no_known) + kept(one_known)),
    names=spelled | {others: "(s - 1)"},
    of=r"\mathrm{E}[K \mid K \le 1]",
).equal(n0 * others / (n0 * others + left_out + 1), r"multiply by $(\hat n + 1)!$")
mean_number


# %%
def by_posterior(total, size, drawn):
    """The worst release by the exact posterior: one more row for the unknown people."""
    rows = [[int(u == v) for v in range(size)] for u in range(size)]
    rows.append([Fraction(1, size)] * size)
    people = [*range(size), *[size] * (total - size)]
    release = [0] + [1] * (drawn - 1)
    return match_probability(
        people, release, transition=rows, record=0, slot=0, method="generating"
    )


def exact_worst(total, size, drawn):
    return sampling.worst_case_risk(total, size, n_sampled=drawn)


formula = {key: exact_worst(*key) for key in worst}
larger = [(9, 2, 4), (12, 4, 6), (15, 3, 7)]
mu = sp.Symbol("mu", positive=True)
lowered = sp.simplify(1 - (n - s + 1) / (n - s + 1 + mu))
too_low, one_person = set(), set()
for key in worst:
    total, size, drawn = key
    if n_hat(*key) >= 0:
        if (1 - worst[key] / allowed[key]) * (total - drawn + 2) > 1:
            too_low.add(key)
        if size == 1 and drawn > 2:
            one_person.add(key)

# %%
with claim("K-B1") as c:
    label = f"largest of all risks, {len(worst)} sizes (n, n0, s) up to n = 6"
    c.decisive("exhaustive").exact(worst, formula, label)
    first = one_known / (no_known + one_known)
    last = n0 * others / (n0 * others + left_out + 1)
    c.decisive().derived(mean_number, first, last, "the mean of K given K ≤ 1")
    label = "at (9, 2, 4), (12, 4, 6), (15, 3, 7)"
    c.exact([by_posterior(*key) for key in larger], [exact_worst(*key) for key in larger], label)
    at_one = sp.simplify(lowered.subs(mu, 1))
    c.exact(at_one, 1 / (n - s + 2), "μ ≤ 1: lower by a relative 1/(n − s + 2) at most")
    label = "n ≤ 6, n̂ ≥ 0: lower by more than that only for n0 = 1 and s > 2"
    c.decisive("exhaustive").exact(too_low, one_person, label)
    said = allowed[6, 1, 5] * (1 - Fraction(1, 6 - 5 + 2))
    c.limit(said, worst[6, 1, 5], "n0 = 1, n = 6, s = 5: the least that it could be")

# %%
possible = set()
for _, people, _ in worlds(("a", "b"), 3, 2):
    possible |= set(people)
result = listed[("a", "b"), 4, 3]
best = {key[0] for key in result if result[key] == max(result.values())}
two_values = {release for release in product("ab", repeat=3) if len(set(release)) == 2}
attained = {key for key in worst if worst[key] == allowed[key]}
used_up = {key for key in worst if key[2] == 1 or n_hat(*key) <= -1}
with claim(
    "K-4.7",
    printed=r"worst case: $\#_{\tau_0}(v) = \#_{\tau'}(v) = 1$ and $pn - 1$ released "
    r"values outside $\tau_0$",
    corrected=r"for $n_0 \ge 2$ and $\hat n \ge -1$: the other $pn - 1$ records show one "
    r"value that is unique in $\tau_0$",
    consequence=r"The bound of Claim 4.1 survives; for $s \ge 2$ it is not attained "
    r"unless $\hat n \le -1$.",
) as c:
    label = "n = 3, n0 = 2, s = 2: a value outside τ0 has a positive probability"
    c.fails(bool(possible - {"a", "b"}), label)
    c.exact(best, two_values, "n = 4, n0 = 2, s = 3: the releases of largest risk")
    label = "n ≤ 6: the bound is attained for s = 1, or when everybody is used up"
    c.decisive("exhaustive").exact(attained, used_up, label)

# %% [markdown]
# ## K-4.14 (robustness)
#
# *Knowing a few more people hardly raises the risk.* Each more adds $1/(n - s + 1)$. The limit: an attacker who knows twice as many people.

# %%
one_more = sp.simplify((n0 + 1) / (n - s + 1) - n0 / (n - s + 1))
few, more, twice_known = (
    sampling.identification_risk(10_000, size, n_sampled=1000) for size in (100, 105, 200)
)
with claim("K-4.14") as c:
    c.decisive("proved").exact(one_more, 1 / (n - s + 1), "one more: 1/((1−p)n + 1)")
    c.at_most(more - few, Fraction(6, 10_000), "n = 10,000, s = 1000: 100 known, 5 more")
    label = "an attacker who knows twice as many, n = 10,000, s = 1000: the risk"
    c.limit(float(few), float(twice_known), label)

# %% [markdown]
# ## A real file
#
# *Adult*, 32,561 people. A claim is made for an acquaintance whose values no other acquaintance has and the sample shows exactly once. If $M$ people have the values, it is right with probability $1/M$. The expected numbers of claims and of right claims are
# checked against all sets of acquaintances and all samples of small populations.

# %%
columns = (
    "age", "workclass", "weight", "education", "schooling", "marital", "occupation",
    "relationship", "race", "sex", "gain", "loss", "hours", "country", "income",
)
lines = datasets.load("adult").decode().splitlines()
adult = dict(zip(columns, np.array([line.split(", ") for line in lines if line]).T))
names = ("age", "sex", "race", "marital", "education", "country")


def code(features):
    """Codes of the combinations that occur, and how many there could be."""
    parts = [np.unique(feature, return_inverse=True) for feature in features]
    sizes = [len(found) for found, _ in parts]
    whole = np.ravel_multi_index([codes for _, codes in parts], sizes)
    return np.unique(whole, return_inverse=True)[1], prod(sizes)


def expected_claims(values, size, drawn, least=1, most=1):
    """Expected numbers of right claims and of claims, with least to most records shown."""
    total = len(values)
    M, groups = np.unique(np.bincount(values), return_counts=True)
    alone = stats.hypergeom.pmf(0, total - 1, M - 1, size - 1)
    shown = stats.hypergeom(total, M, drawn)
    chance = shown.cdf(most) - shown.cdf(least - 1)
    if most == least:
        chance = shown.pmf(least)
    claims = M * groups * size / total * alone * chance
    return (claims / M).sum(), claims.sum()


def share_right(values, size, drawn, least=1, most=1):
    right, claims = expected_claims(values, size, drawn, least, most)
    return right / claims


def by_all_samples(values, size, drawn):
    """The same for one record shown, by all acquaintances and all samples."""
    people = range(len(values))
    right = claims = games = 0
    for known, sample in product(combinations(people, size), combinations(people, drawn)):
        games += 1
        for person in known:
            same_known = sum(values[x] == values[person] for x in known)
            same_shown = sum(values[x] == values[person] for x in sample)
            if same_known == 1 and same_shown == 1:
                claims += 1
                right += person in sample
    return right / games, claims / games


formulas, enumerated = [], []
for total in (2, 3, 4, 5):
    for letters in known_tables(total):
        values = ["abcdef".index(v) for v in letters]
        for size, drawn in product(range(1, total + 1), repeat=2):
            formulas.append(expected_claims(values, size, drawn))
            enumerated.append(by_all_samples(values, size, drawn))
six, combinations_possible = code([adult[name] for name in names])
rates = (0.01, 0.1, 0.3)
sizes = [int(rate * six.size) for rate in rates]
rng = np.random.default_rng(2026)
asked = []
for drawn in sizes:
    asked.append(
        linkage_beliefs(
            six, 100, n_sampled=drawn, categories=combinations_possible, draws=400, rng=rng
        )
    )

# %% [markdown]
# ## K-4.15 (unique in the country)
#
# *A record that is evidently unique in the whole country breaks the premise; combine with top and bottom coding.* With a believed share of 0 the risk is 1. The limit: after top coding the paper's measure stays where it was.

# %%
share = sp.Symbol("q_v", positive=True)
certainty = sp.limit(1 / (1 + left_out * share), share, 0)
nobody = [[1, 0], [0, 1], [0, 1]]  # no unknown person can have the first value
unique_risk = match_probability([0, 1, 2, 2, 2], [0, 1], transition=nobody, record=0, slot=0)
age = adult["age"].astype(int)
topped, _ = code([np.minimum(age, 70), *(adult[name] for name in names[1:])])


def unique_share(values, who):
    """Share of these people whose values nobody else has."""
    return float((np.bincount(values)[values] == 1)[who].mean())


says = float(sampling.identification_risk(six.size, 100, n_sampled=sizes[1]))
with claim("K-4.15") as c:
    c.decisive("proved").exact(certainty, sp.Integer(1), "believed share → 0: certainty")
    c.exact(unique_risk, Fraction(1), "a value known to be unique in the country, n = 5")
    before, after = unique_share(six, age >= 70), unique_share(topped, age >= 70)
    label = "Adult, unique among those 70 or older: twice the share before top coding"
    c.decisive("one example").at_most(2 * after, before, label)
    label = "after it, one matching record at 10 %: the paper's measure, share of right claims"
    c.limit(round(says, 4), round(float(share_right(topped, 100, sizes[1])), 4), label)

# %% [markdown]
# ## K-B17 (equation (1) in a real file)
#
# Beyond the paper: *the bound of Claim 4.1 and the share of right claims where one record matches*, at 1, 10 and 30 %: for an attacker who knows 100 people or 2,377 (7.3 %, about a prefecture's share), for six attributes and, without outliers, for
# five-year bands of age with sex and race, and ten-year bands with sex.

# %%
ends = np.clip(age, 20, 60)
codings = {
    "six": six,
    "five-year": code([ends // 5, adult["sex"], adult["race"]])[0],
    "ten-year": code([ends // 10, adult["sex"]])[0],
}
factors = {}
for name, known_people in product(codings, (100, 2377)):
    factors[name, known_people] = []
    for drawn in sizes:
        limit = float(sampling.identification_risk(six.size, known_people, n_sampled=drawn))
        factors[name, known_people].append(
            share_right(codings[name], known_people, drawn) / limit
        )


def one_record(game):
    """Share of right claims where one record matches, drawn, with its standard error."""
    single = game.shown == 1
    return linkage.mean_by_draw(game.right[single], game.draw[single])


drawn_share = [one_record(game) for game in asked]
exact_share = [share_right(six, 100, drawn) for drawn in sizes]
for name, draws in (("six", 60), ("five-year", 400)):
    game = linkage_beliefs(
        codings[name], 2377, n_sampled=sizes[1], categories=2, draws=draws, rng=rng
    )
    drawn_share.append(one_record(game))
    exact_share.append(share_right(codings[name], 2377, sizes[1]))
drawn_share = np.array(drawn_share)
raw = Counter(zip(*(adult[name] for name in names)))

# %%
with claim("K-B17") as c:
    label = "n ≤ 5, all populations: expected claims, by the formula and by all samples"
    c.close(formulas, enumerated, label, rtol=1e-9, atol=1e-12)
    label = "right, one record: 100 known at 1, 10, 30 %, 2,377 known at 10 %; drawn, and exact"
    c.decisive().sampled(drawn_share[:, 0], exact_share, label, stderr=drawn_share[:, 1])
    label = "share of right claims over the bound, 100 known: six attributes, five-year bands"
    found = factors["six", 100] + factors["five-year", 100]
    c.decisive("one example").close(
        found, [17.0, 74.3, 122.7, 4.5, 20.6, 34.4], label, atol=0.06, rtol=0
    )
    label = "2,377 known: six attributes, five-year bands"
    found = factors["six", 2377] + factors["five-year", 2377]
    c.decisive("one example").close(found, [2.9, 4.4, 5.7, 0.8, 1.2, 1.6], label, atol=0.06, rtol=0)
    label = "ten-year bands at 10 %, 100 and 2,377 known: the bound holds"
    found = [factors["ten-year", 100][1], factors["ten-year", 2377][1]]
    c.decisive("one example").close(found, [0.36, 0.02], label, atol=0.006, rtol=0)
    label = "ten-year bands: expected claims a sample, at most, over all rates and both attackers"
    made = []
    for known_people, drawn in product((100, 2377), sizes):
        made.append(expected_claims(codings["ten-year"], known_people, drawn)[1])
    c.at_most(max(made), 0.001, label)
    unique_people = sum(count == 1 for count in raw.values())
    label = "unique people, by combinations of the raw texts and by codes"
    c.exact(unique_people, int((np.bincount(six) == 1).sum()), label)

# %% [markdown]
# ## K-B17a (the attacker who counts)
#
# Beyond the paper: *an attacker who counts the values that the sample shows $f$ and $f + 1$ times says within 5 % how often claims are right in samples of 10 and 30 %, for all claims of six attributes; by mean logarithmic loss this belief and that of Benedetti and Franconi are level.* The limit: at 1 % it is too low.

# %%
counted, all_drawn = [], []
for game in asked:
    counted.append(linkage.mean_by_draw(game.beliefs["counting"], game.draw))
    all_drawn.append(linkage.mean_by_draw(game.right, game.draw))
counted, all_drawn = np.array(counted), np.array(all_drawn)
all_exact = np.array([share_right(six, 100, drawn, 1, drawn) for drawn in sizes])
distance = np.abs(counted[:, 0] / all_exact - 1) + 2 * counted[:, 1] / all_exact
loss_gaps = []
for game in asked:
    counting = log_loss(game.beliefs["counting"], game.right).mean()
    individual = log_loss(game.beliefs["Benedetti-Franconi"], game.right).mean()
    loss_gaps.append(abs(counting - individual))
M, f, p, p_not = sp.symbols("M f p q", positive=True)
shows_f = sp.binomial(M, f) * p**f * p_not ** (M - f)
shows_more = sp.binomial(M, f + 1) * p ** (f + 1) * p_not ** (M - f - 1)
turing = derivation(
    (M - f) * shows_f, names={p_not: "(1 - p)"}, of=r"(M - f) \Pr(f)"
).equal(p_not / p * (f + 1) * shows_more, r"it contains $\Pr(f + 1)$")
with claim("K-B17a") as c:
    label = "share of right claims among all, at 1, 10 and 30 %: drawn, and exact"
    c.decisive().sampled(all_drawn[:, 0], all_exact, label, stderr=all_drawn[:, 1])
    label = "counting at 10 and 30 %: belief over exact share − 1, with 2 errors"
    c.decisive("simulated").at_most(distance[1:], 0.05, label)
    label = "counting and Benedetti–Franconi, three rates: difference of their mean losses (nats)"
    c.decisive("simulated").at_most(loss_gaps, 0.004, label)
    first, last = (M - f) * shows_f, p_not / p * (f + 1) * shows_more
    c.derived(turing, first, last, "people left out, by the values shown once more")
    label = "counting at 1 %: exact share, and mean belief"
    c.limit(round(float(all_exact[0]), 4), round(float(counted[0, 0]), 4), label, rtol=0.05)
turing

# %% [markdown]
# ## K-B2 (the attacker who learns)
#
# Beyond the paper: *with a Dirichlet prior, parameter $\alpha$ for each of $C$ values, the risk of a known person is at most $1/\bigl(1 + (1 + \alpha)\hat n/(n_0 + \alpha C + s - 1)\bigr)$, which tends to $\frac{n_0 + s - 1}{n}$ as $\alpha \to 0$,
# $(1 + \frac{s-1}{n_0})(1 - \frac{s-1}{n})$ times the risk of equation (1); both for $\hat n \ge 0$.*

# %%
learning_risk = (n0 + s - 1) / n
fixed_risk = n0 / (n - s + 1)
factor = (1 + (s - 1) / n0) * (1 - (s - 1) / n)
learnt = (
    derivation(
        sp.UnevaluatedExpr(learning_risk) / sp.UnevaluatedExpr(fixed_risk),
        of=r"\frac{\text{learning}}{\text{equation (1)}}",
    )
    .equal((n0 + s - 1) * (n - s + 1) / (n0 * n), "one fraction")
    .equal(factor, "divide")
)
learnt


# %%
def largest_learning_risk(known, total, drawn, values, alpha):
    """Largest posterior of a known person, by all tables of Pólya's urn."""
    releases, behind = Counter(), Counter()
    for unknown in product(values, repeat=total - len(known)):
        probability, urn = Fraction(1), list(known)
        for v in unknown:
            probability *= (urn.count(v) + alpha) / (len(urn) + alpha * len(values))
            urn.append(v)
        for order in permutations(range(total), drawn):
            release = tuple(urn[person] for person in order)
            releases[release] += probability
            for record, person in enumerate(order):
                behind[release, person, record] += probability
    risks = []
    for (release, person, _), probability in behind.items():
        if person < len(known):
            risks.append(probability / releases[release])
    return max(risks)


found, bounds, has_unique = [], [], []
for known, total, values in (("ab", 4, "abz"), ("a", 4, "az"), ("ab", 3, "abz"), ("aab", 4, "abz")):
    for drawn, a in product((1, 2, 3), (Fraction(1, 3), Fraction(5, 2))):
        found.append(largest_learning_risk(known, total, drawn, values, a))
        risk = sampling.learning_attacker_risk(
            total, len(known), n_sampled=drawn, concentration=a, categories=len(values)
        )
        bounds.append(risk)
        has_unique.append(len(set(known)) == len(known))
alpha, C = sp.symbols("alpha C", positive=True)
met = n0 + alpha * C + s - 1
limit_risk = sp.limit(met / (met + (1 + alpha) * (n - n0 - s + 1)), alpha, 0)

# %%
with claim("K-B2") as c:
    over = [x for x, y in zip(found, bounds) if x > y]
    label = f"{len(found)} urns, n ≤ 4: all tables and releases, none above the bound"
    c.decisive("sampled").exact(over, [], label)
    tight = [x == y for x, y, unique in zip(found, bounds, has_unique) if unique]
    label = "attained where every known person has another value"
    c.decisive("sampled").exact(tight, [True] * 18, label)
    c.decisive("proved").exact(sp.simplify(limit_risk), learning_risk, "limit α → 0")
    c.decisive().derived(learnt, learning_risk / fixed_risk, factor, "the factor")

# %% [markdown]
# ## K-B4 (the individual risk)
#
# Beyond the paper: *the probability of success is the mean of $1/M$ given the release, the same functional as the individual risk of official statistics; beliefs about $M$ differ in how well they fit a population.* For a belief proportional to $1/M$ about the target's value, $r_1 = \frac{p}{1-p} \ln \frac1p$. The limit: Benedetti and Franconi suppose this of every value in the file and ask about a released record; there it is too low in Adult.

# %%
by_list, by_mean = [], []
for (known, total, _), result in listed.items():
    values = sorted(set(known))
    for (release, person, record), chance in result.items():
        if person < len(known) and known[person] == release[record]:
            # risks_by_counts gives a known and, if there is one, an unknown risk a value
            shown_values = [v for v in values if v in release]
            step = 2 if total > len(known) else 1
            risks = risks_by_counts(
                [known.count(v) for v in values], total, [release.count(v) for v in values]
            )
            by_list.append(chance)
            by_mean.append(risks[step * shown_values.index(release[record])])

y, rate = sp.symbols("y p", positive=True)
number = sp.Symbol("M", positive=True, integer=True)
not_drawn = sp.Symbol("q", positive=True)
integral = sp.integrate(rate / (rate + (1 - rate) * y), (y, 0, 1))
r_1 = rate / (1 - rate) * sp.log(1 / rate)
series = sp.summation(not_drawn**number / number, (number, 1, sp.oo)).args[0][0]
by_series = rate / (1 - rate) * series.subs(not_drawn, 1 - rate)
gaps = []
for game in asked:
    single = game.shown == 1
    gap = game.beliefs["the table"] - game.right
    gaps.append(linkage.mean_by_draw(gap[single], game.draw[single]))
gaps = np.array(gaps)
M_of = np.bincount(six)[six]
M, groups = np.unique(np.bincount(six), return_counts=True)
once = groups * stats.hypergeom.pmf(1, six.size, M, sizes[1])
of_records = (once / M).sum() / once.sum()
inverse, records = 0.0, 0
for _ in range(200):
    sample = rng.permutation(six.size)[: sizes[1]]
    alone = np.bincount(six[sample], minlength=six.max() + 1)[six[sample]] == 1
    inverse += (1 / M_of[sample[alone]]).sum()
    records += alone.sum()
ordered = []
for name in ("the table", "Benedetti-Franconi", "learning", "equation (1)"):
    ordered.append(log_loss(asked[2].beliefs[name], asked[2].right).mean())

# %%
with claim("K-B4") as c:
    label = f"n ≤ 4, {len(by_list):,} posteriors of known people: the mean of 1/M"
    c.decisive("exhaustive").exact(by_list, by_mean, label)
    difference = sp.simplify(sp.expand_log(integral - r_1, force=True))
    c.decisive("proved").exact(difference, sp.Integer(0), "r_1 as an integral")
    difference = sp.simplify(sp.expand_log(by_series - r_1, force=True))
    c.exact(difference, sp.Integer(0), "r_1 as the mean of 1/M, M geometric")
    label = "Adult, one record at 1, 10, 30 %: right, and the mean of 1/M"
    c.decisive().sampled(gaps[:, 0], [0.0] * 3, label, stderr=gaps[:, 1])
    label = "Adult, 10 %, released records shown once: mean of 1/M, drawn, and exact"
    c.close(inverse / records, of_records, label, rtol=0.01)
    label = "Adult, 10 %, released records shown once: r_1, and the mean of 1/M"
    c.limit(round(float(r_1.subs(rate, 0.1)), 2), round(float(of_records), 2), label)
    label = "Adult, 30 %, losses: the table, Benedetti–Franconi, learning, equation (1)"
    c.decisive("simulated").at_most(ordered[:-1], ordered[1:], label)

# %% [markdown]
# ## K-B23 (equation (1) or uniform)
#
# Beyond the paper: *which of the two has the smaller mean logarithmic loss depends on the rate, the population and on what is uniform.* Adult and a Zipf population, 100 or 10 acquaintances; below 0, equation (1) is better.

# %%
cells = 20_000
zipf = 1 / np.arange(1, cells + 1) ** 1.1
city = rng.choice(cells, 10_000, p=zipf / zipf.sum())


def paired(game, uniform):
    """Mean loss of equation (1) minus that of a uniform belief, and its error."""
    ours = log_loss(game.beliefs["equation (1)"], game.right)
    return linkage.mean_by_draw(ours - log_loss(uniform, game.right), game.draw)


over_all, over_occurring, by_formula = [], [], []
for values, size in ((six, combinations_possible), (city, cells)):
    for known_people in (100, 10):
        for k, r in enumerate(rates):
            drawn = int(r * values.size)
            if values is six and known_people == 100:
                game = asked[k]
            else:
                game = linkage_beliefs(
                    values, known_people, n_sampled=drawn, categories=size, draws=400, rng=rng
                )
            left = n_hat(values.size, known_people, drawn)
            occurring = np.unique(values).size
            over_all.append(paired(game, game.beliefs["uniform"]))
            by_formula.append(paired(game, 1 / (game.shown + left / size)))
            over_occurring.append(paired(game, 1 / (game.shown + left / occurring)))
over_all = np.array(over_all).reshape(4, 3, 2)  # world, rate, (mean, error)
over_occurring = np.array(over_occurring).reshape(4, 3, 2)

# %%
with claim("K-B23") as c:
    label = "over all combinations, 1 %, four worlds: better, by 4 errors"
    c.decisive("simulated").at_most(over_all[:, 0, 0] + 4 * over_all[:, 0, 1], 0, label)
    label = "over all combinations, 30 %, four worlds: worse, by 4 errors"
    c.decisive("simulated").at_most(4 * over_all[:, 2, 1], over_all[:, 2, 0], label)
    label = "over those that occur, 10 and 30 %, four worlds: worse, by 4 errors"
    later = over_occurring[:, 1:]
    c.decisive("simulated").at_most(4 * later[..., 1], later[..., 0], label)
    label = "over those that occur, 1 %, four worlds: size of difference, 2 errors"
    near = np.abs(over_occurring[:, 0, 0]) + 2 * over_occurring[:, 0, 1]
    c.decisive("simulated").at_most(near, 0.3, label)
    label = "four worlds: the uniform belief, by its formula"
    c.close(np.array(by_formula).reshape(4, 3, 2)[..., 0], over_all[..., 0], label)
