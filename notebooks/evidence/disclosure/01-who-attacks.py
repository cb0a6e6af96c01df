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
# # Evidence: Against which attackers does a random sample protect?
#
# The statements of sections 1 to 3 of the paper, in its order: what each one states, and its check. Nothing is hidden. Only K-1.12 stands after section 2, whose definitions it needs. The story is told in
# [the notebook of the same name](../../disclosure/01-who-attacks.ipynb).

# %%
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import comb, perm, prod

import numpy as np
import sympy as sp

from privlib.disclosure.anonymity import pk_level
from privlib.disclosure.posterior import (
    match_matrix,
    match_probability,
    response_match_probability,
)
from privlib.notebook import claim, derivation


def matrix(rows):
    """A transition matrix: integer weights, divided by the sum of their row."""
    return [[Fraction(w, sum(row)) for w in row] for row in rows]


identity = matrix([[1, 0], [0, 1]])
three = matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
half = matrix([[3, 1], [1, 3]])
lopsided = matrix([[10, 5], [3, 12]])
skewed = matrix([[3, 3], [1, 5]])
rows_alike = matrix([[1, 2], [1, 2]])


def tables(n, A):
    """All tables of n records."""
    return list(product(range(len(A)), repeat=n))


def releases(s, A):
    """All releases of s lines."""
    return list(product(range(len(A[0])), repeat=s))


def sizes(largest):
    """All (n, s) with 1 <= s < n."""
    return [(n, s) for n in range(2, largest + 1) for s in range(1, n)]


# %% [markdown]
# The first route goes through all ordered samples and all ways of rewriting, in fractions. The second route is the package: it uses permanents, or closed formulas.

# %%
def play(table, s, A):
    """Distribution of the release; joint probabilities of release, record and its line."""
    shows, behind = Counter(), Counter()
    for order in permutations(range(len(table)), s):
        for release in releases(s, A):
            weight = prod(A[table[r]][v] for r, v in zip(order, release))
            if weight > 0:
                weight /= perm(len(table), s)
                shows[release] += weight
                for line, r in enumerate(order):
                    behind[release, r, line] += weight
    return shows, behind


def links(table, s, A):
    """Success of the attack for each possible release, record and line."""
    shows, behind = play(table, s, A)
    return {key: joint / shows[key[0]] for key, joint in behind.items()}


def worst_risk(n, s, A):
    """Largest success over all tables and releases, by enumeration."""
    return max(max(links(table, s, A).values()) for table in tables(n, A))


def worst_risk_by_permanents(n, s, A):
    """The same by the package, for a matrix without zeros."""
    largest = 0
    for table, release in product(tables(n, A), releases(s, A)):
        largest = max(largest, match_matrix(table, release, transition=A).max())
    return largest


# %% [markdown]
# ## Rows without a check (abstract, section 1)
#
# K-0.3, K-0.4: what measures are popular, and what was known. K-1.14: differential privacy bounds the ratio of the probabilities of an output under two neighbouring databases. K-1.13: $k$-anonymity. K-1.15: the usual methods for both. K-1.16 and K-1.10: recoding, top and bottom coding, samples of 1% and 3% in official statistics (printed:
# センサデータ, sensor data; センサス, census, must be meant). K-1.11: $\delta$-presence. **Not checkable:** definitions, and statements about literature and practice. K-0.1, K-0.2, K-1.8 and K-1.9 are checked with sections 4 and 5.
#
# ## K-1.1 (what is not sampled is not disclosed)
#
# *Sampling should protect to some degree, because what is not sampled is not disclosed.* Read as: a unique person is found only when sampled. The check adds up the probability of all releases in which the link is certain.

# %%
certain_share, rate = [], []
for n, s in sizes(5):
    table = (0,) + (1,) * (n - 1)
    shows, behind = play(table, s, identity)
    found = 0
    for (release, r, _), joint in behind.items():
        if r == 0 and joint == shows[release]:
            found += joint
    certain_share.append(found)
    rate.append(Fraction(s, n))
with claim("K-1.1") as c:
    label = "n ≤ 5: a unique person is found in a share s/n of the releases"
    c.decisive("exhaustive").exact(certain_share, rate, label)

# %% [markdown]
# ## K-1.2 (uniqueness in the population)
#
# *Uniqueness is strongly related to the risk, but against which attacker and by how much is not evident.* Let $a$ and $b$ be the weights of "unique" and "shared", so that $q = a/(a + b)$, and let $1/(2 + g)$ with $g \ge 0$ be the mean of $1/d$ in the shared cases, where $d \ge 2$ people have the value.

# %%
a, b = sp.symbols("a b", positive=True)
g = sp.Symbol("g", nonnegative=True)
right = (a + b / (2 + g)) / (a + b)
upper = (
    derivation(right, of=r"\Pr(\text{right})")
    .at_most((a + b / 2) / (a + b), r"$d \ge 2$", by="coefficients")
    .equal((1 + a / (a + b)) / 2, "this is $(1 + q)/2$")
)
lower = derivation(right).at_least(a / (a + b), "leave $b$ out", by="coefficients")


def seen_once(n, s, d):
    """Probability that exactly one line shows a value that d of n people have."""
    shows, _ = play((0,) * d + (1,) * (n - d), s, identity)
    return sum(p for release, p in shows.items() if release.count(0) == 1)


def guess_is_right(n, s, possible):
    """Probability that record 0 is behind the only line with value 0, by enumeration."""
    hit = total = 0
    for d in possible:
        _, behind = play((0,) * d + (1,) * (n - d), s, identity)
        for (release, r, line), joint in behind.items():
            if release.count(0) == 1 and release[line] == 0:
                total += joint
                hit += joint if r == 0 else 0
    return hit / total


beliefs = [range(1, 3), range(1, 4), range(1, 5)]
enumerated = [guess_is_right(5, 2, possible) for possible in beliefs]
mean_inverse = []
for possible in beliefs:
    weights = [Fraction(d * comb(5 - d, 1), comb(5, 2)) for d in possible]
    mean_inverse.append(sum(w / d for w, d in zip(weights, possible)) / sum(weights))

# %%
with claim("K-1.2") as c:
    q = a / (a + b)
    c.decisive("proved").derived(upper, right, (1 + q) / 2, "right with (1 + q)/2 at most")
    c.decisive("proved").derived(lower, right, q, "right with q at least")
    label = "three attackers, n = 5, s = 2: enumerated, and mean of 1/d given the release"
    c.decisive("one example").exact(enumerated, mean_inverse, label)
    c.holds(len(set(enumerated)) == 3, "the three beliefs have three risks")


# %% [markdown]
# ## K-1.3 (sampling and differential privacy)
#
# *Simple sampling alone hardly satisfies differential privacy.* For $\varepsilon$ alone it never does: some release is possible for one of two neighbouring tables only. Beside it, the $\delta$ that suffices.

# %%
def neighbours(n, A):
    """All pairs of tables that differ in record 0 only."""
    pairs = []
    for rest in product(range(len(A)), repeat=n - 1):
        for u, v in permutations(range(len(A)), 2):
            pairs.append(((u, *rest), (v, *rest)))
    return pairs


def largest_difference(n, s, A):
    """Largest difference of the probabilities of a set of releases, over all neighbours."""
    largest = 0
    for first, second in neighbours(n, A):
        P, Q = play(first, s, A)[0], play(second, s, A)[0]
        largest = max(largest, sum(max(P[x] - Q[x], 0) for x in P))
    return largest


def possible_for_one_only(n, s, A):
    """Number of pairs of neighbours with a release that is possible for the first only."""
    pairs = 0
    for first, second in neighbours(n, A):
        if set(play(first, s, A)[0]) - set(play(second, s, A)[0]):
            pairs += 1
    return pairs


with claim("K-1.3") as c:
    label = "n ≤ 4, every sample size: a release that is possible for one neighbour only"
    fails = [possible_for_one_only(n, s, identity) > 0 for n, s in sizes(4)]
    c.decisive("exhaustive").exact(fails, [True] * len(sizes(4)), label)
    fails = [possible_for_one_only(n, s, half) > 0 for n, s in sizes(4)]
    c.exact(fails, [False] * len(sizes(4)), "with rewriting, n ≤ 4: no such release")
    deltas = [largest_difference(n, s, identity) for n, s in sizes(4)]
    c.exact(deltas, [Fraction(s, n) for n, s in sizes(4)], "n ≤ 4: the least δ at ε = 0 is s/n")

# %% [markdown]
# ## K-1.4 and K-1.17 (sampling strengthens differential privacy)
#
# K-1.4: *Sampling strengthens a differentially private mechanism, and with PRAM it gives differential privacy.* Let $x$, $y$ be the probabilities of a set of releases under two neighbouring tables if the differing record is sampled, $z$ if it is not, and $m = \min(y, z)$. Then $x \le e^{\varepsilon} m$, as the notebook shows.
# So $x = e^{\varepsilon} m - g$, $y = m + h$ and $z = m + j$ with $g, h, j \ge 0$. In the formulas $s$ and $t = n - s$ are the weights of the two cases, and $E = e^{\varepsilon} - 1$.
#
# K-1.17: *so do sampling with $k$-anonymisation, and sampling of data without outliers.* **Not checkable** here: results of the works that the paper cites.

# %%
s_, t_, m = sp.symbols("s t m", positive=True)
E, h, j = sp.symbols("E h j", nonnegative=True)
x, y, z = (1 + E) * m - g, m + h, m + j
quotient = (s_ * x + t_ * z) / (s_ * y + t_ * z)
bound = 1 + s_ * E / (s_ + t_)
strengthened = (
    derivation(quotient, of=r"\frac{s x + (n - s) z}{s y + (n - s) z}",
               names={t_: "(n - s)", E: r"(e^\varepsilon - 1)"})
    .at_most((s_ * (1 + E) * m + t_ * z) / (s_ * m + t_ * z), r"$g, h \ge 0$", by="coefficients")
    .at_most((s_ * (1 + E) * m + t_ * m) / (s_ * m + t_ * m), r"$j \ge 0$", by="coefficients")
    .equal(bound, "$s + (n - s) = n$")
)  # fmt: skip
strengthened


# %%
def exp_epsilon(A):
    """Largest ratio of two entries of a column."""
    return max(max(column) / min(column) for column in zip(*A))


def largest_ratio(n, s, A):
    """Largest ratio of the probabilities of a release, over all neighbours."""
    largest = 0
    for first, second in neighbours(n, A):
        P, Q = play(first, s, A)[0], play(second, s, A)[0]
        largest = max(largest, *(P[release] / Q[release] for release in P))
    return largest


def by_formula(n, s, A):
    return 1 + Fraction(s, n) * (exp_epsilon(A) - 1)


with claim("K-1.4") as c:
    label = "a sample before any ε-private mechanism, PRAM among them: at most 1 + p(e^ε − 1)"
    c.decisive("proved").derived(strengthened, quotient, bound, label)
    enumerated = [largest_ratio(n, s, A) for A in (half, lopsided, skewed) for n, s in sizes(4)]
    formula = [by_formula(n, s, A) for A in (half, lopsided, skewed) for n, s in sizes(4)]
    c.exact(enumerated, formula, "PRAM, three 2 × 2 matrices, n ≤ 4, all releases: largest ratio")

# %% [markdown]
# ## K-B10 (the amplified level is exact for every matrix)
#
# Beyond the paper: *a record-wise $\varepsilon$-locally private release has $\gamma \ge e^{-\varepsilon}$ and so a level; sampling amplifies $\varepsilon$ to $\ln(1 + p(e^{\varepsilon} - 1))$, exactly.* The level is $1 + (n - s)e^{-\varepsilon} + (s - 1)e^{-2\varepsilon}$, by Theorem 5.1 with $g_2 \ge \gamma^2$. The amplified value is attained where $g = h = j = 0$: all other records have the value of the smaller entry, and
# all lines show the column.

# %%
rng = np.random.default_rng(4)
random_matrices = []
for rows, columns in ((2, 3), (3, 2), (3, 3), (2, 2)):
    random_matrices.append(matrix(rng.integers(1, 9, (rows, columns)).tolist()))
with claim("K-B10") as c:
    label = "every matrix without zeros: the amplified level is an upper bound"
    c.decisive("proved").derived(strengthened, quotient, bound, label)
    label = "all others with the smaller entry, all lines show the column: attained"
    c.decisive("proved").exact(sp.simplify(quotient.subs({g: 0, h: 0, j: 0}) - bound), 0, label)
    enumerated = [largest_ratio(n, s, A) for A in random_matrices for n, s in sizes(3)]
    formula = [by_formula(n, s, A) for A in random_matrices for n, s in sizes(3)]
    c.exact(enumerated, formula, "four random matrices up to 3 × 3, n ≤ 3, enumerated")
    risks, bounds = [], []
    for A, (n, s) in product(random_matrices, sizes(3)):
        risks.append(worst_risk_by_permanents(n, s, A))
        ratio = exp_epsilon(A)
        bounds.append(1 / (1 + (n - s) / ratio + (s - 1) / ratio**2))
    c.at_most(risks, bounds, "the same matrices: risk at most 1/(1 + (n − s)e^−ε + (s − 1)e^−2ε)")


# %% [markdown]
# ## K-1.5 (ε does not determine the risk)
#
# *The risk of identification depends on more than $\varepsilon$, such as what is computed and the population.* Read with the matrix and the table in these places. The risk is how often the most likely link of a release is right, over all releases; all three records are published.

# %%
def best_guess(table, s, A):
    """How often the most likely link is right, by enumeration."""
    _, behind = play(table, s, A)
    best = Counter()
    for (release, _, _), joint in behind.items():
        best[release] = max(best[release], joint)
    return sum(best.values())


cases = [((0, 1, 1), half), ((0, 1, 1), skewed), ((0, 0, 0), half)]
risks = [best_guess(table, 3, A) for table, A in cases]
# The best links of the releases with 3, 0, 1 and 2 lines of value 0; of equal people, 1/3.
by_hand = [Fraction(1 + 3 + 27 + 9, 64), Fraction(1 + 25 + 75 + 15, 216), Fraction(1, 3)]
with claim("K-1.5") as c:
    ratios = [exp_epsilon(A) for _, A in cases]
    c.exact(ratios, [3, 3, 3], "e^ε is 3 in all three cases")
    label = "two matrices with one table, two tables with one matrix: enumerated, and by hand"
    c.decisive("one example").exact(risks, by_hand, label)
    c.decisive("one example").exact(len(set(risks)), 3, "three different risks")

# %% [markdown]
# ## K-1.6 (what Pk-anonymity guarantees)
#
# *No released record can be linked to its original with a probability above $1/k$.* For $k$ the level of Theorem 5.1, against the largest success over all tables and releases.

# %%
with claim("K-1.6") as c:
    largest = [worst_risk(n, s, half) for n, s in sizes(4)]
    promised = [1 / pk_level(half, n, n_sampled=s) for n, s in sizes(4)]
    label = "rows ¾ ¼ and ¼ ¾, n ≤ 4, every table and release: largest success, and 1/k"
    c.decisive("sampled").exact(largest, promised, label)
    largest = [worst_risk(n, s, lopsided) for n, s in sizes(4)]
    promised = [1 / pk_level(lopsided, n, n_sampled=s) for n, s in sizes(4)]
    c.decisive("sampled").at_most(largest, promised, "an asymmetric matrix: success at most 1/k")

# %% [markdown]
# ## K-1.7 (sampling alone against any knowledge)
#
# *Against arbitrary background knowledge sampling alone can hardly reduce the risk.* The level of every sample is that of the whole table, 1. The limit: a single release that shows one value twice.

# %%
twice_shown = 0
for n in range(2, 6):
    for table in tables(n, identity):
        for (release, _, _), success in links(table, 2, identity).items():
            if release == (0, 0):
                twice_shown = max(twice_shown, success)
with claim("K-1.7") as c:
    sampled = [worst_risk(n, s, identity) for n, s in sizes(5)]
    whole = [worst_risk(n, n, identity) for n, _ in sizes(5)]
    label = "n ≤ 5: worst risk of every sample, and of the whole table"
    c.decisive("exhaustive").exact(sampled, whole, label)
    c.decisive("exhaustive").exact(set(sampled), {1}, "and that is 1")
    c.limit(Fraction(1), twice_shown, "a release that shows one value twice, n ≤ 5: risk")

# %% [markdown]
# ## Rows without a check (section 2)
#
# K-2.1: notation. K-2.2: sampling draws $\lfloor pn \rfloor$ of $n$ records. K-2.3: $f_X$ is called a probability density; tables are discrete, and a probability mass function is a density with respect to the counting measure. K-2.7: Definition 2.2, Pk-anonymity. K-2.8: the intuition in quotation marks says "with probability $1/k$ or more" where the definition allows
# $1/k$ itself. **Not checkable:** definitions, notation and an intuition.
#
# ## K-2.4 (the map of Definition 2.1)
#
# *$\delta(\tau) = \tau' \circ \pi$ with $\pi: \mathcal{R} \to \mathcal{R}'$.* As printed, every record has a line. The paragraph before has $\mathcal{R}' \cup \{\phi\}$.

# %%
table, release = "ab", "a"  # two records, one line


def fitting(targets):
    """Maps of the two records to the targets, the line once, that agree with the release."""
    maps = []
    for image in product(targets, repeat=2):
        agrees = all(q is None or release[q] == v for v, q in zip(table, image))
        if agrees and image.count(0) == 1:
            maps.append(image)
    return maps


with claim(
    "K-2.4",
    printed=r"Definition 2.1: $\pi: \mathcal{R} \to \mathcal{R}'$",
    corrected=(
        r"$\pi: \mathcal{R} \to \mathcal{R}' \cup \{\phi\}$, as just above it; "
        r"$\delta(\tau) = \tau' \circ \pi$ on the sampled records"
    ),
) as c:
    c.differs(len(fitting([0])), len(fitting([0, None])), "n = 2, s = 1, a b shown as a: maps")
    c.exact(fitting([0, None]), [(0, None)], "with φ there is exactly one")


# %% [markdown]
# ## K-2.5 (PRAM)
#
# *PRAM rewrites each value $u$ to $v$ with probability $A_{u,v}$, record by record.* A definition. What is tested is a consequence: rewriting and sampling may change places.

# %%
def rewrite_then_sample(table, s, A):
    """Distribution of the release when the whole table is rewritten first."""
    shows = Counter()
    for rewritten in releases(len(table), A):
        weight = prod(A[u][v] for u, v in zip(table, rewritten))
        for order in permutations(range(len(table)), s):
            shows[tuple(rewritten[r] for r in order)] += weight / perm(len(table), s)
    return dict(shows)


rewritten_first, sampled_first = [], []
for A, n in product((lopsided, skewed), (1, 2, 3)):
    for s, table in product(range(1, n + 1), tables(n, A)):
        rewritten_first.append(rewrite_then_sample(table, s, A))
        sampled_first.append(dict(play(table, s, A)[0]))
with claim("K-2.5") as c:
    label = f"two matrices, n ≤ 3, {len(sampled_first)} distributions: rewriting or sampling first"
    c.decisive("sampled").exact(rewritten_first, sampled_first, label)

# %% [markdown]
# ## K-2.6 (success of the attack)
#
# *$\Pr[\Pi(r) = r' \mid T' = \tau']$ for $r, r' \in \mathcal{R}$.* $r'$ is a line of the release, in $\mathcal{R}'$.

# %%
_, behind = play((0, 1, 1), 1, identity)
records = {record for _, record, _ in behind}
lines = {line for _, _, line in behind}
with claim(
    "K-2.6", printed=r"section 2.2: $r' \in \mathcal{R}$", corrected=r"$r' \in \mathcal{R}'$"
) as c:
    c.differs(len(records), len(lines), "n = 3, s = 1: choices of r'")
    c.exact(lines, {0}, "one line, s = 1")

# %% [markdown]
# ## K-2.9 (Pk-anonymity extends k-anonymity)
#
# *Pk-anonymity extends $k$-anonymity to randomised releases.* Without noise the largest success for a whole table is $1/k$, where $k$ is the size of the smallest group of equal records.

# %%
largest, smallest_group = [], []
for n in range(1, 7):
    for table in tables(n, identity):
        largest.append(match_matrix(table, table, transition=identity).max())
        smallest_group.append(Fraction(1, min(Counter(table).values())))
with claim("K-2.9") as c:
    label = f"no rewriting, two values, n ≤ 6, {len(largest)} tables: 1/k for k equal people"
    c.decisive("exhaustive").exact(largest, smallest_group, label)
    levels = [1 / worst_risk(n, s, rows_alike) for n, s in sizes(4)]
    c.exact(levels, [n for n, _ in sizes(4)], "randomised, rows alike: k = n")


# %% [markdown]
# ## K-2.10 (the attacker does not know who was sampled)
#
# An assumption. What can fail is that it matters. Against an attacker who knows that the target was sampled, the worst risk is higher. The enumeration adds up only samples with the target. Without rewriting, this attacker needs to know nobody else: the last rows take three beliefs about the others, and the attacker of the notebook who knows ten of 1,000 records.

# %%
def links_if_sampled(table, s, A):
    """Success for each release, record and line, given that the record was sampled."""
    _, behind = play(table, s, A)
    sampled = Counter()
    for (release, r, _), joint in behind.items():
        sampled[release, r] += joint
    return {key: joint / sampled[key[:2]] for key, joint in behind.items()}


unaware, aware, aware_by_package = [], [], []
for A, (n, s) in product((half, lopsided), sizes(4)):
    unaware.append(worst_risk_by_permanents(n, s, A))
    aware.append(max(max(links_if_sampled(table, s, A).values()) for table in tables(n, A)))
    largest = 0
    for table, release in product(tables(n, A), releases(s, A)):
        success = response_match_probability(table, release, transition=A, record=0, slot=0)
        largest = max(largest, success)
    aware_by_package.append(largest)

thousand, lines = [0] + [1] * 999, [0] + [1] * 99
ten_values = (np.full((10, 10), 0.01) + 0.9 * np.eye(10)).tolist()
question = {"transition": ten_values, "record": 0, "slot": 0}
gamma = 0.01 / 0.91
formula = [1 / (1 + 900 * gamma + 99 * gamma**2), 1 / (1 + 99 * gamma**2)]

certain_if_sampled, by_belief = set(), set()
for share in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
    with_strangers = [*identity, [share, 1 - share]]  # a stranger has value 0 with this share
    for n, s in sizes(4):
        table, release = (0,) + (2,) * (n - 1), (0,) + (1,) * (s - 1)
        certain_if_sampled.add(links_if_sampled(table, s, with_strangers)[release, 0, 0])
        by_belief.add(links(table, s, with_strangers)[release, 0, 0])

tenth, nine_tenths = Fraction(1, 10), Fraction(9, 10)
keeps, becomes = Fraction(91, 100), Fraction(1, 100)
shows_0 = tenth * keeps + nine_tenths * becomes  # a stranger's line shows 0
shows_1 = tenth * becomes + nine_tenths * keeps
# the third column: one of the eight other values is shown
ten_known = [[keeps, becomes, 8 * becomes], [becomes, keeps, 8 * becomes],
             [shows_0, shows_1, 8 * becomes]]  # fmt: skip


def all_show_1(n_known, n_strangers, s):
    """Weight of all sets of s lines that show 1, from people with value 1 and strangers."""
    weight = 0
    for k in range(min(n_known, s) + 1):
        sets = comb(n_known, k) * comb(n_strangers, s - k)
        weight += sets * keeps**k * shows_1 ** (s - k)
    return weight


ten_people = [0] + [1] * 9 + [2] * 990
question_of_ten = {"transition": ten_known, "record": 0, "slot": 0}
ten_by_package = [match_probability(ten_people, lines, **question_of_ten),
                  response_match_probability(ten_people, lines, **question_of_ten)]  # fmt: skip
here = keeps * all_show_1(9, 990, 99)
another_shows_0 = 9 * becomes * all_show_1(8, 990, 98) + 990 * shows_0 * all_show_1(9, 989, 98)
elsewhere = becomes * another_shows_0
absent = 9 * becomes * all_show_1(8, 990, 99) + 990 * shows_0 * all_show_1(9, 989, 99)
ten_counted = [here / (here + elsewhere + absent), here / (here + elsewhere)]

# %%
with claim("K-2.10") as c:
    label = "two matrices, n ≤ 4: a higher worst risk if the target is known to be sampled"
    higher = [one < other for one, other in zip(unaware, aware)]
    c.decisive("sampled").exact(set(higher), {True}, label)
    c.decisive("sampled").exact(aware, aware_by_package, "that risk, enumerated and by permanents")
    package = [match_probability(thousand, lines, **question),
               response_match_probability(thousand, lines, **question)]  # fmt: skip
    c.close(package, formula, "n = 1000, s = 100: without and with that knowledge", rtol=1e-9)
    label = "no rewriting, only the target known, three beliefs, n ≤ 4: certain if sampled"
    c.exact(certain_if_sampled, {1}, label)
    c.holds(max(by_belief) < 1, "the same without that knowledge: never certain")
    label = "ten of 1000 known, s = 100: without and with that knowledge, counted"
    c.close([float(p) for p in ten_by_package], [float(p) for p in ten_counted], label, rtol=1e-9)
    table, release = (0, 1, 1, 1), (0, 1)
    does_not_know = links(table, 2, half)[release, 0, 0]
    knows = links_if_sampled(table, 2, half)[release, 0, 0]
    by_hand = [Fraction(27, 27 + 3 + 18), Fraction(27, 27 + 3)]  # behind it, elsewhere, absent
    c.exact([does_not_know, knows], by_hand, "a b b b shown as a b, by hand")
    c.limit(does_not_know, knows, "known that the target was sampled, a b b b shown as a b")


# %% [markdown]
# ## K-1.12 (probabilistic k-anonymity)
#
# *It extends $k$-anonymity, covers sampling, and assumes that the attacker finds all records equally likely.* Read by the abstract of the cited work, for values that are swapped within groups of $k$. Each group has one ill person; `belief` is the attacker's probability that it is the first.

# %%
def swapped(k, groups, s, belief):
    """Largest success after swaps within groups of k records, s of them sampled."""
    joint, total = Counter(), Counter()
    people = list(product(range(groups), range(k)))
    for ill in product(range(k), repeat=groups):
        trust = prod(belief if i == 0 else (1 - belief) / (k - 1) for i in ill)
        for owners in product(permutations(range(k)), repeat=groups):
            for drawn in permutations(people, s):
                release = tuple((g_, i, owners[g_][i] == ill[g_]) for g_, i in drawn)
                total[release] += trust
                for (g_, i), line in zip(drawn, release):
                    joint[release, (g_, owners[g_][i]), line] += trust
    return max(weight / total[key[0]] for key, weight in joint.items())


settings = [(2, 1, 2), (2, 2, 4), (2, 2, 2), (3, 1, 3), (3, 1, 2), (2, 2, 1)]
alike = [swapped(k, groups, s, Fraction(1, k)) for k, groups, s in settings]
unequal = [swapped(k, groups, s, Fraction(9, 10)) for k, groups, s in settings]
with claim("K-1.12") as c:
    label = "swaps within groups of k, six settings, records equally likely: 1/k"
    c.decisive("sampled").exact(alike, [Fraction(1, k) for k, _, _ in settings], label)
    label = "six settings, belief 9/10: the success is that belief, above 1/k"
    c.decisive("sampled").exact(set(unequal), {Fraction(9, 10)}, label)

# %% [markdown]
# ## K-3.1 and K-3.2 (knowledge of the attacker)
#
# K-3.2: *for personal data the attacker is usually taken to know all values or all quasi-identifiers.* **Not checkable:** a statement about what is usual.
#
# K-3.1: *in official statistics the attacker does not know the whole population, and a record that is unique in the sample need not be unique in the population.*

# %%
enumerated, formula, shared = [], [], []
for n, s in sizes(5):
    for d in range(1, n + 1):
        enumerated.append(seen_once(n, s, d))
        formula.append(Fraction(d * comb(n - d, s - 1), comb(n, s)))
    shared.append(seen_once(n, s, 2))
with claim("K-3.1") as c:
    label = "n ≤ 5: probability that a value of d people is unique in the sample"
    c.decisive("exhaustive").exact(enumerated, formula, label)
    label = "n ≤ 5: two people have the value, and it can be unique in the sample"
    c.decisive("exhaustive").holds(min(shared) > 0, label)

# %% [markdown]
# ## K-3.3 (an attacker who knows the table)
#
# *Identifies a unique record with certainty once it is sampled.*

# %%
certain = []
for n, s in sizes(4):
    for table in tables(n, three):
        success = links(table, s, three)
        for release, r in product(play(table, s, three)[0], range(n)):
            if table.count(table[r]) == 1 and table[r] in release:
                certain.append(success[release, r, release.index(table[r])])
with claim("K-3.3") as c:
    label = "n ≤ 4, three values: every unique record in every release that shows it"
    c.decisive("exhaustive").exact(set(certain), {1}, label)
    large = []
    for s in (100, 10, 1):
        release = [0] + [1] * (s - 1)
        large.append(match_probability(thousand, release, transition=identity, record=0, slot=0))
    c.exact(set(large), {1}, "n = 1000: samples of 1/10, 1/100 and 1/1000")


# %% [markdown]
# ## K-3.4 (when sampling helps)
#
# *Sampling helps where the sampled table is uncertain to the attacker, by limited knowledge or by processing before the sampling.* Read as: there, the worst risk grows with the number of sampled records. With limited knowledge the attacker knows $n_0$ records, all different, and takes every other record for a draw from these. The limits: it stops growing once the risk is 1, and with equal rows nothing can be
# learnt at all.

# %%
def worst_with_limited_knowledge(n, n_known, s):
    """Largest success for an attacker who knows n_known different records."""
    rows = [[Fraction(int(u == v)) for v in range(n_known)] for u in range(n_known)]
    rows.append([Fraction(1, n_known)] * n_known)  # the row of a stranger
    table = [*range(n_known), *[n_known] * (n - n_known)]
    return max(links(table, s, rows).values())


by_enumeration, by_permanents = [], []
for A, n in product((half, lopsided), (2, 3, 4)):
    by_enumeration.append([worst_risk(n, s, A) for s in range(1, n + 1)])
    by_permanents.append([worst_risk_by_permanents(n, s, A) for s in range(1, n + 1)])

grows, left_over = set(), set()
limited = {}
for n in (2, 3, 4):
    for n_known in range(2, n + 1):
        risks = [worst_with_limited_knowledge(n, n_known, s) for s in range(1, n + 1)]
        limited[n, n_known] = risks
        for s in range(1, n):
            if risks[s - 1] < risks[s]:
                grows.add((n, n_known, s))
            if n_known < n and n - n_known - (s - 1) >= 0:
                left_over.add((n, n_known, s))

# %%
with claim("K-3.4") as c:
    label = "rewriting, two matrices, n ≤ 4: worst risks, enumerated and by permanents"
    c.exact(by_enumeration, by_permanents, label)
    rising = [one < other for risks in by_enumeration for one, other in pairwise(risks)]
    label = "rewriting, two matrices, n ≤ 4: the risk grows with every record sampled"
    c.decisive("sampled").exact(set(rising), {True}, label)
    label = "2 to n records known, different, n ≤ 4: it grows exactly while n̂ ≥ 0"
    c.decisive("exhaustive").exact(grows, left_over, label)
    c.exact({risks[-1] for risks in limited.values()}, {1}, "everybody published: risk 1")
    label = "3 of 4 known: number of different risks for 1 to 4 records"
    c.limit(4, len(set(limited[4, 3])), label)
    equal = [worst_risk(3, s, rows_alike) for s in (1, 2, 3)]
    c.limit(3, len(set(equal)), "rows alike, n = 3: number of different risks for 1 to 3 records")
