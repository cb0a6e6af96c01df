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
# # Evidence: Does a sample protect people if the attacker knows everyone?
#
# The statements of section 5 and of what the abstract, the introduction and the summary say about it: what each one states, and its check. Nothing is hidden. The abstract, the introduction and the
# summary stand at the end, because they need the theorem. The story is told in [the notebook of the same name](../../disclosure/03-pram-and-sampling.ipynb).
#
# Notation: $n$ people, $s = pn$ released records, $\gamma$ and $g_2$ the two minima of Theorem 5.1, $k$ the level. An *order* lists who is behind each released record. People, records and values count from 0.

# %%
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, lcm, prod

import numpy as np
import sympy as sp

from privlib.disclosure import anonymity, design, posterior, pram
from privlib.notebook import claim, derivation, misprints

rng = np.random.default_rng(51)


def fractions(*rows):
    return [[Fraction(entry, sum(row)) for entry in row] for row in rows]


def random_matrix(rows, columns):
    return fractions(*rng.integers(1, 10, size=(rows, columns)).tolist())


keep_most = fractions((3, 1), (1, 3))
loose = fractions((6, 3, 1), (1, 4, 5), (7, 1, 2))
stubborn = fractions((3, 5, 2), (3, 1, 6), (7, 2, 1))
matrices = [random_matrix(rows, columns) for rows, columns in product((2, 3), (2, 3))]
matrices.append(loose)
sizes = [(n, s) for n in (2, 3, 4) for s in range(1, n + 1)]


# %% [markdown]
# The oracle knows nothing of any theorem. It goes through all tables, releases, orders, people and records, in whole numbers: entries of the matrix times their common denominator.

# %%
def enumerate_weights(A, n, s):
    """Weight in all, and with person r behind record j, for all tables and releases."""
    scale = lcm(*(entry.denominator for row in A for entry in row))
    whole = np.array([[int(entry * scale) for entry in row] for row in A])
    tables = np.array(list(product(range(len(A)), repeat=n)))
    releases = np.array(list(product(range(len(A[0])), repeat=s)))
    orders = np.array(list(permutations(range(n), s)))
    shown = whole[tables[:, orders][:, None], releases[None, :, None]]
    weight = shown.prod(axis=-1)  # tables, releases, orders
    behind = (orders[:, :, None] == np.arange(n)).astype(np.int64)
    matched = np.tensordot(weight, behind, axes=(2, 0))
    return weight.sum(axis=-1)[..., None, None], matched


def lowest_level(total, matched):
    """Smallest total / matched, without rounding."""
    total = np.broadcast_to(total, matched.shape)
    at = (matched / total).argmax()
    least = Fraction(int(total.flat[at]), int(matched.flat[at]))
    smaller = total.astype(object) * least.denominator < matched * least.numerator
    assert not smaller.any()
    return least


def exact_level(A, n, s):
    """Smallest 1/Pr[record j shows person r | release] of all tables and releases."""
    return lowest_level(*enumerate_weights(A, n, s))


levels = []
for A in matrices:
    levels.append({(n, s): exact_level(A, n, s) for n, s in sizes})

# %% [markdown]
# ## K-5.3 and K-5.11 (the worst attacker knows the table)
#
# K-5.3: *Over all beliefs, the probability of success is largest for an attacker who knows the table.* A belief mixes tables. Let table $i$ have the weight $f_i$ and lead to the release with probability $a_i$, and let an attacker who knows it succeed
# with probability $P/(1 + x_i)$, where $P$ is the largest. Two tables are enough: a mixture of more is a mixture of one with a mixture of the others.
#
# K-5.11: *The table is independent of the sampling and the rewriting.* The quotient of sums is checked for an uneven belief. The limit: three people, person 0 with the value 0, release 0, 1, and a belief that depends on the draw. If person 0 is drawn first, both others
# have the value 1. Otherwise whoever is drawn first has the value 1, and the remaining person has the value 0.

# %%
f1, f2, a1, a2, P = sp.symbols("f1 f2 a1 a2 P", positive=True)
x1, x2 = sp.symbols("x1 x2", nonnegative=True)
p1, p2 = P / (1 + x1), P / (1 + x2)
letters = {f1: "f_1", f2: "f_2", a1: "a_1", a2: "a_2", x1: "x_1", x2: "x_2"}
mixture = (f1 * a1 * p1 + f2 * a2 * p2) / (f1 * a1 + f2 * a2)
belief = derivation(mixture, of=r"\Pr[\Pi(r) = r' \mid \tau']", names=letters).at_most(
    P, r"$x_1, x_2 \ge 0$", by="coefficients"
)
belief

# %%
total, matched = enumerate_weights(keep_most, 3, 2)
tables = list(product((0, 1), repeat=3))
releases = list(product((0, 1), repeat=2))
beliefs = rng.integers(1, 100, size=(50, len(tables)))
mixed = np.tensordot(beliefs, matched, axes=1) / np.tensordot(beliefs, total, axes=1)
known = []
for table, release in product(tables, releases):
    known.append(posterior.match_matrix(table, release, transition=keep_most).T)
known = np.array(known, dtype=float).reshape(8, 4, 2, 3)  # tables, releases, records, people

with claim("K-5.3") as c:
    label = "a belief in two tables; more by repeating it"
    c.decisive("proved").derived(belief, mixture, P, label)
    label = "50 beliefs on all 8 tables, each release, record and person"
    best = np.broadcast_to(known.max(axis=0), mixed.shape)
    c.at_most(mixed, best, label, slack=1e-12)
    c.close(matched / total, known, "table by table, by the package's permanents")

# %%
draws = list(permutations(range(3), 2))


def with_joint_belief(worlds):
    """Pr[record 0 shows person 0 | release 0 1]; worlds: (table, draw) -> weight."""
    every, mine = 0, 0
    for (table, draw), f in worlds.items():
        w = f * keep_most[table[draw[0]]][0] * keep_most[table[draw[1]]][1]
        every += w
        if draw[0] == 0:
            mine += w
    return mine / every


uneven, numerator, denominator = {}, 0, 0
at = releases.index((0, 1))
for f, table in enumerate(tables, 1):
    for draw in draws:
        uneven[table, draw] = f
    numerator += f * int(matched[f - 1, at, 0, 0])
    denominator += f * int(total[f - 1, at, 0, 0])
dependent = {}
for draw in draws:
    table = {0: (0, 1, 1), 1: (0, 1, 0), 2: (0, 0, 1)}[draw[0]]
    dependent[table, draw] = 1
largest = 1 / exact_level(keep_most, 3, 2)
with claim("K-5.11") as c:
    label = "independent: summed over tables and draws, and the paper's quotient"
    c.exact(with_joint_belief(uneven), Fraction(numerator, denominator), label)
    label = "a belief that depends on the draw, n = 3, s = 2: Pr at most"
    c.limit(largest, max(largest, with_joint_belief(dependent)), label)
print(with_joint_belief(dependent), "above", largest)

# %% [markdown]
# ## K-5.12 (a mean is at least its smallest term)
#
# *What bounds expression (2) for each assignment bounds the weighted mean ("lemma 4 of [7]").* Two terms exceed the smallest value $m$ by $x_1, x_2 \ge 0$ and have the weights $w_1, w_2$. More terms follow by repetition.

# %%
w1, w2, m = sp.symbols("w1 w2 m", positive=True)
two_terms = (w1 * (m + x1) + w2 * (m + x2)) / (w1 + w2)
letters = {w1: "w_1", w2: "w_2", x1: "x_1", x2: "x_2"}
smallest_term = (
    derivation(two_terms, of=r"\text{mean}", names=letters)
    .equal(m + (w1 * x1 + w2 * x2) / (w1 + w2), "take $m$ out")
    .at_least(m, "nothing is negative", by="coefficients")
)
with claim("K-5.12") as c:
    c.decisive("proved").derived(smallest_term, two_terms, m, "two terms; more by repeating it")
smallest_term

# %% [markdown]
# ## K-5.1 and K-B5 (Theorem 5.1, and one lemma for both theorems)
#
# K-5.1: *PRAM with $A$, then sampling: $k \ge 1 + (n - s)\gamma + (s - 1) g_2$.* K-B5, beyond the paper: *one lemma on exchanging two people proves this and Claim 4.1.*
#
# *Proof.* Exchange person $r$ with any $t \ne r$ in every order with $r$ behind record $r'$. Every other order comes out exactly once, because $t$ must be the person behind $r'$. The exchange multiplies the weight by $A_{t,r'}/A_{r,r'} \ge \gamma$ if $t$ is left out, which is the case for $n - s$ people, and by
# $\frac{A_{t,r'} A_{r,j}}{A_{r,r'} A_{t,j}} \ge g_2$ if $t$ is behind record $j$, which is the case for $s - 1$ people. So $1/\Pr$ is 1 plus a weighted mean of sums of these terms. Let the terms exceed $\gamma$ and $g_2$ by $x$ and $y$ on average:

# %%
left_out, others = sp.symbols("a b", nonnegative=True)  # n - s and s - 1
x, y = sp.symbols("x y", nonnegative=True)
gamma, g2 = sp.symbols("gamma g2", positive=True)
letters = {left_out: "(n-s)", others: "(s-1)", gamma: r"\gamma", g2: "g_2"}
two_kinds = 1 + left_out * (gamma + x) + others * (g2 + y)
theorem = 1 + left_out * gamma + others * g2
bound = derivation(
    two_kinds, of=r"\frac{1}{\Pr[\Pi(r) = r' \mid \tau']}", names=letters
).at_least(theorem, r"$x, y \ge 0$", by="coefficients")
bound


# %% [markdown]
# Two checks of the exchange itself, by machine: that it is one to one (counted for $n \le 6$), and that the terms give the weights (a free symbol for every entry, $n \le 4$, so any matrix, table and release of these sizes).

# %%
def exchanged_orders(n, s):
    """All orders that the exchanges produce, with their number; person 0, record 0."""
    produced = Counter()
    for order in permutations(range(n), s):
        if order[0] == 0:
            for t in range(1, n):
                new = list(order)
                if t in order:
                    new[order.index(t)] = 0
                new[0] = t
                produced[tuple(new)] += 1
    return produced


def misses(n, s):
    """Every order with somebody else behind record 0, once."""
    return Counter(order for order in permutations(range(n), s) if order[0] != 0)


def exchange_gap(n, s):
    """Weight of the misses minus that of the exchanged hits, a free symbol for each entry."""
    L = sp.Matrix(n, s, sp.symbols(f"L:{n}:{s}", positive=True))
    gap = 0
    for order in permutations(range(n), s):
        w = prod(L[r, j] for j, r in enumerate(order))
        if order[0] != 0:
            gap += w
            continue
        for t in range(1, n):
            term = L[t, 0] / L[0, 0]
            if t in order:
                j = order.index(t)
                term *= L[0, j] / L[t, j]
            gap -= w * term
    return sp.expand(gap)


up_to_six = [(n, s) for n in range(2, 7) for s in range(1, n + 1)]
one_to_one = [exchanged_orders(n, s) == misses(n, s) for n, s in up_to_six]
gaps = [exchange_gap(n, s) for n, s in sizes]

# %%
runs = 200_000
table, release = (0, 1, 1), (0, 1)
noisy = pram.apply_pram(np.tile(table, runs), keep_most, rng=rng).reshape(runs, 3)
order = rng.permuted(np.tile(np.arange(3), (runs, 1)), axis=1)[:, :2]
seen = (np.take_along_axis(noisy, order, axis=1) == release).all(axis=1)
linked = (order[seen, 0] == 0).mean()
small_level = exact_level(keep_most, 3, 2)
with claim("K-5.1") as c:
    label = "from the exchange of two people to the bound"
    c.decisive("proved").derived(bound, two_kinds, theorem, label)
    c.exact(one_to_one, [True] * len(up_to_six), "exchange one to one, all s ≤ n ≤ 6")
    c.exact(set(gaps), {0}, "exchange, a free symbol for each entry, all s ≤ n ≤ 4: difference")
    held = []
    for A, of_matrix in zip(matrices, levels):
        for n, s in sizes:
            held.append(of_matrix[n, s] >= anonymity.pk_level(A, n, n_sampled=s))
    label = "every table, release, record and person, s ≤ n ≤ 4, five matrices"
    c.exact(set(held), {True}, label)
    ratios = {gamma: sp.Rational(1, 3), g2: sp.Rational(1, 9)}
    by_theorem = theorem.subs({left_out: 1, others: 1, **ratios})
    c.exact(small_level, by_theorem, "three people, two records: worst of all cases")
    stderr = np.sqrt(float(small_level - 1) / seen.sum()) / float(small_level)
    label = "table 0 1 1, release 0 1, simulated: record 0 shows person 0"
    c.sampled(linked, float(1 / small_level), label, stderr=stderr)
    for A in matrices[:3]:  # far beyond enumeration, against the exact posterior
        worst = anonymity.homogeneous_worst_case(A, 300, n_sampled=30)
        case = {"transition": A, "record": 0, "slot": 0}
        pr = posterior.match_probability(worst.table, worst.release, **case)
        c.exact(1 / pr, anonymity.pk_level(A, 300, n_sampled=30), "n = 300, s = 30: attained")
with claim("K-B5") as c:
    label = "Theorem 5.1: its two kinds of terms"
    c.decisive("proved").derived(bound, two_kinds, theorem, label)
    c.exact(one_to_one, [True] * len(up_to_six), "exchange one to one, all s ≤ n ≤ 6")
    c.exact(set(gaps), {0}, "exchange for any matrix, all s ≤ n ≤ 4: difference")


# %% [markdown]
# ## K-5.13 (notation of the proof)
#
# *$\tilde{\mathcal R}_\pi$ is the set of the sampled records, $A^{\tau,\tau'}_{s,s'}$ the probability that record $s$ is shown as what $s'$ shows, and $A_{s,\phi} = 1$.* **Not checkable:** definitions. The checks of K-5.1 and K-5.5 use them.
#
# ## K-5.6 and K-B6 (the worst table, and when the bound is exact)
#
# K-5.6: *Expression (2) is smallest when all other people have one value $v$ and all other records show one value $v'$.* Without a sample this is right. With a sample it fails: the person who is left out and the one who is sampled may want different values.
# The table with the smallest (2) need not have the largest risk, because the risk depends on the mean of (2) over all orders with $r$ behind $r'$. For the matrix `stubborn` the printed table still has the largest risk; for `mixed_matrix` it does not.
#
# K-B6, beyond the paper: *for $2 \le s \le n - 1$ the bound is attained if and only if one triple $(u, v, u')$ attains $\gamma$ and, with some $v'$, also $g_2$; for $s = 1$ and $s = n$ always.* The notebook proves it. The check compares the criterion, read literally, with the enumeration for 105 random matrices.

# %%
def expression_2(table, release, A):
    """Expression (2) for the order that puts person j behind record j; r = r' = 0."""
    result = 0
    for t in range(1, len(table)):
        term = A[table[t]][release[0]] / A[table[0]][release[0]]
        if t < len(release):
            term *= A[table[0]][release[t]] / A[table[t]][release[t]]
        result += term
    return result


def smallest_expression_2(A, n, s):
    """Smallest (2) over all tables and releases, and over those with the others alike."""
    over_all, alike = [], []
    for table in product(range(len(A)), repeat=n):
        for release in product(range(len(A[0])), repeat=s):
            value = expression_2(table, release, A)
            over_all.append(value)
            if len(set(table[1:])) <= 1 and len(set(release[1:])) <= 1:
                alike.append(value)
    return min(over_all), min(alike)


def exact_level_alike(A, n, s):
    """Smallest 1/Pr for person 0 and record 0, all other people and all other records alike."""
    total, matched = enumerate_weights(A, n, s)
    tables = list(product(range(len(A)), repeat=n))
    releases = list(product(range(len(A[0])), repeat=s))
    rows = [i for i, table in enumerate(tables) if len(set(table[1:])) <= 1]
    columns = [i for i, release in enumerate(releases) if len(set(release[1:])) <= 1]
    some = np.ix_(rows, columns, [0], [0])  # person 0 and record 0
    return lowest_level(total[np.ix_(rows, columns, [0], [0])], matched[some])


mixed_matrix = fractions((2, 11, 7), (1, 18, 1), (9, 10, 1))
families = [loose, stubborn, *matrices[:4]]

# %%
with claim(
    "K-5.6",
    printed=r"expression (2) is smallest when all other records have one value $v$ "
    r"and all other released records one value $v'$",
    corrected=r"each of the two sums has its own minimum, $(n-s)\gamma$ and "
    r"$(s-1)g_2$, possibly for different values $v$; without sampling the printed "
    "table is the worst",
    consequence="None for Theorem 5.1, whose bound takes the minima one by one. "
    "Whether it is attained becomes a question (K-B6).",
) as c:
    over_all, alike = smallest_expression_2(stubborn, 3, 2)
    label = "n = 3, s = 2, rows 3 5 2 | 3 1 6 | 7 2 1 in tenths: smallest value of (2)"
    c.differs(alike, over_all, label)
    label = "the same matrix: smallest 1/Pr, others alike and over all tables"
    c.exact(exact_level_alike(stubborn, 3, 2), exact_level(stubborn, 3, 2), label)
    label = "rows 2 11 7 | 1 18 1 | 9 10 1 in twentieths: smallest 1/Pr"
    c.differs(exact_level_alike(mixed_matrix, 3, 2), exact_level(mixed_matrix, 3, 2), label)
    below, without, twice_g2 = [], [], []
    for A in families:
        below.append(anonymity.pk_level(A, 3, n_sampled=2) <= 1 + smallest_expression_2(A, 3, 2)[0])
        without.append(smallest_expression_2(A, 3, 3))
        twice_g2.append((2 * anonymity.ratio_minima(A).g2, 2 * anonymity.ratio_minima(A).g2))
    label = "n = 3, s = 2, six matrices: both minima together, below every (2)"
    c.decisive("sampled").exact(below, [True] * 6, label)
    label = "s = n = 3, six matrices: smallest (2), over all and others alike: 2 g2"
    c.decisive("sampled").exact(without, twice_g2, label)

# %% [markdown]
# Why the printed table attains the bound when both minima agree: let $r$ have the value $v$, everybody else $u$, record $r'$ show $u'$ and all other records $v'$. Every order then has one of three weights, and their numbers are known. With $R_{u'} = A_{u,u'}/A_{v,u'}$ and $R_{v'} = A_{u,v'}/A_{v,v'}$,
# for all $n$ and $s$:

# %%
n, s = sp.symbols("n s", positive=True, integer=True)
A_ua, A_ub, A_va, A_vb = sp.symbols("A_ua A_ub A_va A_vb", positive=True)
hits = sp.factorial(n - 1) / sp.factorial(n - s)  # orders of s - 1 others behind the other records
r_elsewhere = (s - 1) * hits  # r behind one of s - 1 records
r_left_out = sp.factorial(n - 1) / sp.factorial(n - 1 - s)
weight_hit = A_va * A_ub ** (s - 1)
weight_elsewhere = A_ua * A_vb * A_ub ** (s - 2)
weight_left_out = A_ua * A_ub ** (s - 1)
alike_level = 1 + (r_elsewhere * weight_elsewhere + r_left_out * weight_left_out) / (
    hits * weight_hit
)
R_a, R_b = A_ua / A_va, A_ub / A_vb
from_ratios = 1 + (n - s) * R_a + (s - 1) * R_a / R_b
alike_gap = sp.simplify(sp.gammasimp(sp.expand(alike_level - from_ratios)))
all_orders = sp.factorial(n) / sp.factorial(n - s)
alike_counts = sp.simplify(sp.gammasimp(hits + r_elsewhere + r_left_out - all_orders))
assert alike_counts == 0
alike_gap

# %% [markdown]
# If each value is kept with probability $\rho$ and otherwise drawn from one distribution $b > 0$, then $x_v = (1-\rho) b_v/(\rho + (1-\rho) b_v)$ is smaller for a rarer value $v$, so $\gamma = x_v$ for the rarest $v$ and any $u$, and $g_2 = x_u x_v$ for the two rarest: the triple $(u, v, v)$ attains both.

# %%
b_v, more, fresh = sp.symbols("b_v h r", positive=True)  # fresh = 1 - rho
rho = sp.Symbol("rho", nonnegative=True)
common_x = fresh * (b_v + more) / (rho + fresh * (b_v + more))
rare_x = fresh * b_v / (rho + fresh * b_v)
letters_x = {fresh: r"(1-\rho)", more: "h", rho: r"\rho"}
rarer = derivation(common_x, of=r"x \text{ for } b_v + h", names=letters_x).at_least(
    rare_x, r"$h > 0$", by="coefficients"
)


def criterion(A):
    """Whether one (u, v, a) attains gamma and, with some b, g2; read literally."""
    rows, columns = range(len(A)), range(len(A[0]))
    single, double = {}, {}
    for u, v, a in product(rows, rows, columns):
        single[u, v, a] = A[u][a] / A[v][a]
        for b in columns:
            double[u, v, a, b] = A[u][a] * A[v][b] / (A[v][a] * A[u][b])
    smallest, smallest_pair = min(single.values()), min(double.values())
    for u, v, a, b in double:
        if single[u, v, a] == smallest and double[u, v, a, b] == smallest_pair:
            return True
    return False


def attained(A, n, s):
    return exact_level(A, n, s) == anonymity.pk_level(A, n, n_sampled=s)


drawn = [random_matrix(*shape) for shape in [(2, 2)] * 15 + [(2, 3)] * 15 + [(3, 2)] * 15]
drawn += [random_matrix(3, 3) for _ in range(60)]
retention, from_rarest = [], []
for keep, shares in product((Fraction(1, 2), Fraction(9, 10)), product(range(1, 5), repeat=3)):
    distribution = [Fraction(share, sum(shares)) for share in shares]
    rows = []
    for u in range(3):
        rows.append([keep * (u == v) + (1 - keep) * distribution[v] for v in range(3)])
    retention.append(rows)
    xs = sorted((1 - keep) * b / (keep + (1 - keep) * b) for b in distribution)
    from_rarest.append((xs[0], xs[0] * xs[1]))

# %%
with claim("K-B6") as c:
    expected = [criterion(A) for A in drawn]
    label = "105 random matrices, n = 3, s = 2: attained, and the criterion"
    c.decisive("sampled").exact([attained(A, 3, 2) for A in drawn], expected, label)
    label = "the same matrices, n = 4, s = 2 and 3"
    of_four = [[attained(A, 4, 2), attained(A, 4, 3)] for A in drawn]
    c.decisive("sampled").exact(of_four, [[is_one, is_one] for is_one in expected], label)
    c.exact(expected[:45], [True] * 45, "two true or two shown values: always")
    c.holds(not all(expected), "three by three: not always")
    ends = [attained(A, n_, s_) for A in matrices for n_, s_ in sizes if s_ in (1, n_)]
    c.decisive("sampled").exact(ends, [True] * len(ends), "s = 1 and s = n, n ≤ 4")
    c.exact(alike_gap, 0, "others alike, any n and s: level from the two ratios")
    c.derived(rarer, common_x, rare_x, "kept or drawn afresh: rarer, smaller x")
    minima = [(anonymity.ratio_minima(A).gamma, anonymity.ratio_minima(A).g2) for A in retention]
    label = "128 matrices that keep or draw afresh: γ and g2, from the two rarest"
    c.exact(minima, from_rarest, label)
    held = [criterion(A) and attained(A, 4, 3) for A in retention]
    c.exact(held, [True] * len(held), "the criterion holds for all of them; n = 4, s = 3: attained")
    by_package = [anonymity.is_tight(A) for A in drawn]
    c.exact(by_package, expected, "the package's test on the random matrices")

# %% [markdown]
# A matrix that leaves a distribution unchanged on average need not be of this kind: the rows 24 6 10 | 6 24 10 | 5 5 30, over 40, leave ¼, ¼, ½ unchanged, and the bound is not attained.

# %%
unequal = fractions((24, 6, 10), (6, 24, 10), (5, 5, 30))
shares = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
assert [sum(f * row[v] for f, row in zip(shares, unequal)) for v in range(3)] == shares
assert not criterion(unequal)
print(exact_level(unequal, 3, 2), "above", anonymity.pk_level(unequal, 3, n_sampled=2))

# %% [markdown]
# ## K-5.7 (PRAM alone)
#
# *Without a sample, $k \ge 1 + (n - 1) g_2$.* This is Theorem 5.1 at $s = n$, and it is attained by the table of others alike.

# %%
with claim("K-5.7") as c:
    at_n = bound.first.subs({left_out: 0}), bound.last.subs({left_out: 0})
    alone_chain = derivation(at_n[0], names=letters).at_least(
        1 + others * g2, r"$y \ge 0$", by="coefficients"
    )
    label = "Theorem 5.1 with nobody left out"
    c.decisive("proved").derived(alone_chain, at_n[0], at_n[1], label)
    at_all = sp.simplify(alike_gap.subs(s, n))
    c.exact(at_all, 0, "others alike, s = n, any n: level 1 + (n - 1) times the quotient")
    by_enumeration, by_formula = [], []
    for A, of_matrix in zip(matrices, levels):
        for people in (2, 3, 4):
            by_enumeration.append(of_matrix[people, people])
            by_formula.append(1 + (people - 1) * anonymity.ratio_minima(A).g2)
    c.exact(by_enumeration, by_formula, "five matrices, n ≤ 4: attained")

# %% [markdown]
# ## K-5.9 (the sample contributes)
#
# *Sampling contributes to the reduction of the risk.* PRAM alone attains its bound (K-5.7). With $\gamma = g_2 + e$, the bound with a sample is larger by $(n - s) e$, so the worst case improves by at least this. K-5.8, below, shows $e > 0$ unless all rows are equal.

# %%
e = sp.Symbol("e", positive=True)
with_sample = 1 + left_out * (g2 + e) + others * g2
alone = 1 + (left_out + others) * g2  # (n - s) + (s - 1) is n - 1
gain = (
    derivation(with_sample - alone, of=r"k - k_{\text{PRAM alone}}", names=letters)
    .equal(left_out * e, "collect")
    .at_least(0, r"$n \ge s$, $e > 0$")
)
gains, formula, positive = [], [], []
for A, of_matrix in zip(matrices, levels):
    ratios = anonymity.ratio_minima(A)
    for size in (1, 2, 3):
        gains.append(of_matrix[4, size] - of_matrix[4, 4])
        formula.append((4 - size) * (ratios.gamma - ratios.g2))
        positive.append(ratios.gamma > ratios.g2)
with claim("K-5.9") as c:
    label = "(n − s)(γ − g2), with e = γ − g2"
    c.decisive("proved").derived(gain, with_sample - alone, 0, label)
    enough = [exact >= least for exact, least in zip(gains, formula)]
    c.exact(enough, [True] * 15, "five matrices, n = 4, s ≤ 3: exact gain at least this")
    c.exact(gains[:9], formula[:9], "two true or two shown values: exactly this")
    c.exact(positive, [True] * 15, "no two rows equal: more than 0")
gain


# %% [markdown]
# ## K-5.10 (a sample of random size)
#
# *Sampling without a fixed size does not reduce the risk either.* Given its size $S$, an independent draw of each person is an ordinary sample of that size, with level $1 + (n - S)\gamma + (S - 1) g_2$. This is at least the level of PRAM alone, and equal to it at $S = n$, which has probability $p^n > 0$.

# %%
def levels_by_size(A, p, people=3):
    """Smallest 1/Pr[record shows person | release] for each size, independent draws."""
    smallest = dict.fromkeys(range(1, people + 1), people)
    for table in product(range(len(A)), repeat=people):
        whole, part = Counter(), Counter()
        for size in range(1, people + 1):
            chance = p**size * (1 - p) ** (people - size) / factorial(size)
            for order in permutations(range(people), size):
                for shown in product(range(len(A[0])), repeat=size):
                    w = chance * prod(A[table[r]][a] for r, a in zip(order, shown))
                    whole[shown] += w
                    for record, person in enumerate(order):
                        part[shown, person, record] += w
        for (shown, _, _), w in part.items():
            smallest[len(shown)] = min(whole[shown] / w, smallest[len(shown)])
    return list(smallest.values())


lopsided = fractions((2, 1), (1, 4))
with claim("K-5.10") as c:
    label = "(n − S)(γ − g2) above PRAM alone, and not below"
    c.decisive("proved").derived(gain, with_sample - alone, 0, label)
    at_most_all = sp.expand((with_sample - alone).subs(left_out, 0))
    c.decisive("proved").exact(at_most_all, sp.Integer(0), "nothing above it at S = n")
    by_size, fixed = [], []
    for A in (keep_most, lopsided):
        by_size.append(levels_by_size(A, Fraction(1, 5)))
        fixed.append([exact_level(A, 3, size) for size in (1, 2, 3)])
    c.exact(by_size, fixed, "n = 3, p = 1/5, two matrices: level of each size, fixed or drawn")
    c.exact([min(row) for row in by_size], [row[-1] for row in fixed], "least: everybody drawn")


# %% [markdown]
# ## K-5.2, K-5.4, K-5.5, K-5.8 and K-5.14 (misprints)
#
# The notebook walks through the paper's proof on one example. Here its displays are computed for all tables and releases of two small cases. The paper writes $r$ for a person, $r'$ for a released record that might show $r$, $\pi$ for an assignment of released records to people, and $\phi$ for nobody's record. We write $L_{i,j}$ for its $A^{\tau,\tau'}_{i,j}$ and $i$ for its $s$ in products.
#
# 1. *Weights replace probabilities.* $\frac1{\Pr} = 1 + \frac{\sum_{\pi(r) \ne r'} \prod_i L_{i,\pi(i)}}{\sum_{\pi(r) = r'} \prod_i L_{i,\pi(i)}}$: the misses divided by the hits.
# 2. *The misses are of two kinds.* Either $\pi(r) = \phi$, or another record shows $r$. The numerator is split.
# 3. *Somebody else is shown in the place of $r$.* Both kinds are sorted by the person $t$ with $\pi(t) = r'$, and the second also by $t' = \pi(r)$: $\sum_{t \ne r} L_{t,r'} \bigl( \sum_{\pi(t) = r', \pi(r) = \phi} \prod_{i \ne t} L_{i,\pi(i)} + \sum_{t' \ne r'} L_{r,t'} \sum_{\pi(t) = r', \pi(r) = t'} \prod_{i \ne t, r} L_{i,\pi(i)} \bigr)$.
# 4. *Exchanging $r$ and $t$ makes a hit.* Under the sums now stand $\pi(r) = r'$ and $\pi(t) = \phi$ or $t'$. The first product runs over $i \ne r$ instead of $i \ne t$. It keeps its value, because the person whom it gains has the factor $L_{t,\phi} = 1$, like the one whom it loses, $L_{r,\phi} = 1$. In the second product neither $r$ nor $t$ occurs.
# 5. *The terms of each hit are collected (fifth to seventh display).* The numerator becomes $\sum_{\pi(r) = r'} \sum_{t \ne r} \frac{L_{t,r'} L_{r,\pi(t)}}{L_{t,\pi(t)}} \prod_{i \ne r} L_{i,\pi(i)}$, the denominator $\sum_{\pi(r) = r'} L_{r,r'} \prod_{i \ne r} L_{i,\pi(i)}$.
#
# The quotient is a mean of expression (2), $\frac{1}{L_{r,r'}} \sum_{t \ne r} \frac{L_{t,r'} L_{r,\pi(t)}}{L_{t,\pi(t)}}$, with the weights of the hits. It is at least the smallest (2) (K-5.12), whose $n - s$ terms with $\pi(t) = \phi$ are at least $\gamma$, and whose other $s - 1$ terms are at least $g_2$.

# %%
def assignments(n, s):
    """All assignments: for each person the released record that shows it, or None."""
    result = []
    for order in permutations(range(n), s):
        pi = [None] * n
        for record, person in enumerate(order):
            pi[person] = record
        result.append(tuple(pi))
    return result


def corrected_displays(A, table, release):
    """1/Pr by each of the seven displays, indices corrected; r = r' = 0."""
    n = len(table)
    every = assignments(n, len(release))
    hits = [pi for pi in every if pi[0] == 0]

    def entry(i, j):
        return 1 if j is None else A[table[i]][release[j]]

    def weight(pi, without=()):
        return prod(entry(i, pi[i]) for i in range(n) if i not in without)

    left_out = sum(weight(pi) for pi in every if pi[0] is None)
    elsewhere = sum(weight(pi) for pi in every if pi[0] not in (0, None))
    third, fourth, fifth, sixth, seventh = 0, 0, 0, 0, 0
    for t in range(1, n):
        for pi in every:
            if pi[t] == 0 and pi[0] is None:
                third += entry(t, 0) * weight(pi, without=(t,))
            elif pi[t] == 0:
                third += entry(t, 0) * entry(0, pi[0]) * weight(pi, without=(t, 0))
        for pi in hits:
            if pi[t] is None:
                fourth += entry(t, 0) * weight(pi, without=(0,))
            else:
                fourth += entry(t, 0) * entry(0, pi[t]) * weight(pi, without=(t, 0))
        for sampled in (False, True):
            for pi in hits:
                if (pi[t] is not None) == sampled:
                    rest = weight(pi, without=(0,)) / entry(t, pi[t])
                    fifth += entry(t, 0) * entry(0, pi[t]) * rest
        rests = [entry(0, pi[t]) * weight(pi, without=(0,)) / entry(t, pi[t]) for pi in hits]
        sixth += entry(t, 0) * sum(rests)
    for pi in hits:
        terms = [entry(t, 0) * entry(0, pi[t]) / entry(t, pi[t]) for t in range(1, n)]
        seventh += sum(terms) * weight(pi, without=(0,))
    first = sum(weight(pi) for pi in every if pi[0] != 0)
    of_hits = sum(weight(pi) for pi in hits)
    own = sum(entry(0, 0) * weight(pi, without=(0,)) for pi in hits)
    results = [1 + first / of_hits, 1 + (left_out + elsewhere) / of_hits]
    return results + [1 + numerator / own for numerator in (third, fourth, fifth, sixth, seventh)]


def left_out_part(without):
    """First sum of the fourth display for table 0 1 1, release 0 1; `without`: r or t."""
    table, release = (0, 1, 1), (0, 1)
    result = 0
    for t in (1, 2):
        for pi in assignments(3, 2):
            if pi[0] == 0 and pi[t] is None:
                w = keep_most[table[t]][release[0]]
                for i, j in enumerate(pi):
                    if j is not None and i != {"r": 0, "t": t}[without]:
                        w *= keep_most[table[i]][release[j]]
                result += w
    return result


# %% [markdown]
# K-5.2: the bound is repeated with a last term that is always 1. K-5.4: the prefactor $1/\binom{n}{s}$ ignores the order; it cancels. K-5.5: in the third and fourth display, $s \ne t$ and $s \ne r$ (our $i$) stand under the sum and belong to the product. In the second display, $\pi(r) \in \tilde{\mathcal R}_\pi$ should be
# $r \in \tilde{\mathcal R}_\pi$, because $\pi(r)$ is a released record; this one changes no number. K-5.8: $\gamma > g_2$ needs two rows that differ. K-5.14: $A^{\tau,\tau}_{r,\pi(t)}$ from the fifth display on, and
# $\tau(s') = v'$, $v' \ne \tau(r')$ below expression (2), apply $\tau$ to released records, where $\tau'$ is meant. (Literally, $\tau$ of a released record could only be read by its number.)
#
# For K-5.8, let $\gamma$ be attained at $u'$, where row $u$ has less than row $v$ by $d > 0$. On the other columns row $v$ has $q$ in all, and row $u$ has $q + d$. The largest ratio of row $u$ to row $v$ there is at least $1 + d/q$.

# %%
q, d = sp.symbols("q d", positive=True)
start = gamma / (1 + d / q + y)
below = (
    derivation(start, of=r"g_2 \le", names=letters)
    .at_most(gamma / (1 + d / q), r"$y \ge 0$", by="coefficients")
    .equal(gamma - gamma * d / (q + d), r"take $\gamma$ out")
    .at_most(gamma, r"smaller by $\gamma d / (q + d) > 0$", by="coefficients")
)
product_of_two = (gamma + x) * (gamma + y)
above = derivation(product_of_two, of=r"g_2 =", names=letters).at_least(
    gamma**2, r"$x, y \ge 0$", by="coefficients"
)
below


# %%
def printed_level(A, n, s):
    """The bound with the last minimum of section 5.2, index by index."""
    last = 1
    for u, v, a, b in product(range(len(A)), repeat=4):
        last = min(last, A[u][b] * A[a][v] / (A[a][v] * A[u][b]))
    return 1 + (n - s) * anonymity.ratio_minima(A).gamma + (s - 1) * last


def check_repeated(c):
    for people, size in ((3, 2), (3, 3)):
        truth = exact_level(keep_most, people, size)
        label = f"rows 3 1 | 1 3 over 4, n = {people}, s = {size}: level"
        c.differs(printed_level(keep_most, people, size), truth, label)
    by_theorem = 1 + Fraction(1, 3) + Fraction(1, 4) ** 2 / Fraction(3, 4) ** 2
    c.exact(small_level, by_theorem, "n = 3, s = 2: the form of the theorem")


def check_prefactor(c):
    literal = Fraction(len(list(permutations(range(4), 2))), comb(4, 2))
    c.differs(literal, Fraction(1), "n = 4, s = 2: sum of all probabilities")
    sums = []
    for people, size in sizes:
        orders = len(list(permutations(range(people), size)))
        sums.append(orders * Fraction(factorial(people - size), factorial(people)))
    label = "(n − s)!/n! for each ordered sample, all s ≤ n ≤ 4: sum"
    c.decisive("exhaustive").exact(set(sums), {1}, label)


def check_displays(c):
    own, other = keep_most[0][0], keep_most[1][0]  # table 0 1, release 0
    case = {"transition": keep_most, "record": 0, "slot": 0}
    truth = 1 / posterior.match_probability([0, 1], [0], **case)
    literal = 1 + other * other / own  # A_{t,r'} before the sum and in the product
    c.differs(literal, truth, "n = 2, s = 1: third display, literally")
    c.exact(1 + other / own, truth, "the product without the factor of t")
    misses_left_out = 2 * keep_most[1][0] * keep_most[1][1]  # two people in the place of r
    label = "table 0 1 1, release 0 1: first sum of the fourth display, product without r"
    c.exact(left_out_part("r"), misses_left_out, label)
    label = "the same with the third display's product, without t"
    c.differs(left_out_part("t"), misses_left_out, label)
    for name, A, n, s in (("rows 3 1 | 1 3", keep_most, 4, 2), ("three values", loose, 3, 2)):
        seven, exact = [], []
        for table in product(range(len(A)), repeat=n):
            for release in product(range(len(A[0])), repeat=s):
                case = {"transition": A, "record": 0, "slot": 0}
                seven.append(corrected_displays(A, table, release))
                exact.append([1 / posterior.match_probability(table, release, **case)] * 7)
        label = f"{name}, n = {n}, s = {s}, all tables and releases: the seven displays"
        c.decisive("sampled").exact(seven, exact, label)


def check_strict(c):
    equal_rows = anonymity.ratio_minima(fractions((3, 5, 2), (3, 5, 2)))
    c.fails(equal_rows.gamma > equal_rows.g2, "two equal rows: both minima are 1")
    c.decisive("proved").derived(below, start, gamma, "rows that differ: g2 is at most γ")
    short = gamma * d / (q + d)
    c.exact(gamma - below.steps[1].expression, short, "at least so much smaller")
    label = "which is positive: row u lacks d > 0"
    c.decisive("proved").holds(bool(short.is_positive), label, method="symbolic")
    c.decisive("proved").derived(above, product_of_two, gamma**2, "g2 is at least γ²")
    strict = []
    for A in matrices:
        ratios = anonymity.ratio_minima(A)
        strict.append(ratios.gamma**2 <= ratios.g2 < ratios.gamma)
    c.exact(strict, [True] * len(matrices), "five matrices")


# %%
def displays(table, release, primes):
    """1/Pr by the seventh display, n = 3, s = 2; primes: read A^{τ,τ'}, else A^{τ,τ}."""
    numerator, denominator = 0, 0
    for order in permutations(range(3), 2):
        if order[0] != 0:
            continue
        own = keep_most[table[0]][release[0]]
        rest = keep_most[table[order[1]]][release[1]]
        denominator += own * rest
        for t in (1, 2):
            term = keep_most[table[t]][release[0]]
            if t in order:
                shown = release[1] if primes else table[1]  # what record 1 shows
                term *= keep_most[table[0]][shown] / rest
            numerator += term * rest
    return 1 + numerator / denominator


def check_primes(c):
    case = {"transition": keep_most, "record": 0, "slot": 0}
    truth = 1 / posterior.match_probability([0, 1, 1], [0, 0], **case)
    literal = displays((0, 1, 1), (0, 0), primes=False)
    c.differs(literal, truth, "table 0 1 1, release 0 0: seventh display with τ, τ")
    ours, exact = [], []
    for table, release in product(product((0, 1), repeat=3), product((0, 1), repeat=2)):
        ours.append(displays(table, release, primes=True))
        exact.append(1 / posterior.match_probability(table, release, **case))
    c.decisive("one example").exact(ours, exact, "with τ, τ′: all tables, n = 3, s = 2")
    unconstrained = expression_2((0, 1, 1), (0, 0), keep_most)
    smallest = smallest_expression_2(keep_most, 3, 2)[0]
    label = "the printed condition leaves the release free; release 0 0: value of (2)"
    c.differs(unconstrained, smallest, label)
    c.exact(expression_2((0, 1, 1), (0, 1), keep_most), smallest, "with τ′: smallest")


wrong = r"$\sum_{\pi(r)=\phi,\, s \ne t} \prod_{s} A_{s,\pi(s)}$ beside $A_{t,r'}$"
right = r"$\prod_{s \ne t}$, as the condition under the sum intends"
prefactor = r"$\frac1{\binom{n}{pn}}$ before the sums over $\pi$"
cancels = r"$\frac{(n - pn)!}{n!}$; it cancels"
repeated = r"$\min \frac{A_{u,v'} A_{u',v}}{A_{u',v} A_{u,v'}}$, which is 1"
in_theorem = r"$\min \frac{A_{u,v'} A_{v,u'}}{A_{u,u'} A_{v,v'}}$, as in Theorem 5.1"
larger = r"$\gamma > g_2$"
unless = (
    r"for $A$ without zeros $\gamma^2 \le g_2 \le \gamma$, and $g_2 < \gamma$ "
    r"unless all rows are equal"
)
unprimed = r"$A^{\tau,\tau}_{r,\pi(t)}$; $\tau(s') = v'$, $v' \ne \tau(r')$"
primed = r"$A^{\tau,\tau'}_{r,\pi(t)}$; $\tau'(s') = v'$, $v' \ne \tau'(r')$"
records = misprints(
    [
        ("K-5.2", repeated, in_theorem, check_repeated),
        ("K-5.4", prefactor, cancels, check_prefactor),
        ("K-5.5", wrong, right, check_displays),
        ("K-5.8", larger, unless, check_strict),
        ("K-5.14", unprimed, primed, check_primes),
    ]
)

# %% [markdown]
# ## K-1.9 and K-6.2 (less noise)
#
# K-1.9: *With sampling, PRAM needs less noise than PRAM alone.* K-6.2: *its noise is smaller than with methods that use PRAM alone.* Noise is the share of values that change, for the matrix that keeps a value or draws one uniformly, at the same $k$. The risk of the worst table is computed
# by the exact posterior, which does not use the theorem.

# %%
samples = [10, 100, 250, 500, 750, 1000]


def worst_level(keep, size):
    """1/Pr of the worst table of a thousand people and ten categories."""
    A = pram.retention_matrix(keep, 10)
    worst = anonymity.homogeneous_worst_case(A, 1000, n_sampled=size)
    case = {"transition": A, "record": 0, "slot": 0}
    return 1 / posterior.match_probability(worst.table, worst.release, **case)


needed = []
for size in samples:
    needed.append(design.retention_for_k(1000, 10, n_sampled=size, categories=10))
changed = [(1 - keep) * 9 / 10 for keep in needed]
less = [share < changed[-1] for share in changed[:-1]]
reached = [worst_level(keep, size) for keep, size in zip(needed, samples)]
with_noise_of_pram = [worst_level(needed[-1], size) for size in samples]
ratio = np.sqrt((10 - 1) / (1000 - 1))  # γ of PRAM alone at k = 10
above_ten = [10 + (1000 - size) * ratio * (1 - ratio) for size in samples]
with claim("K-1.9") as c:
    label = "n = 1000, ten categories, six samples: the worst table has k = 10"
    c.decisive("sampled").close(reached, 10, label, rtol=1e-9)
    label = "n = 1000, k = 10: fewer values change with each sample than alone"
    c.decisive("sampled").exact(less, [True] * 5, label)
    label = "with PRAM's own noise for k = 10 it has 10 + (n − s) γ (1 − γ)"
    c.decisive("sampled").close(with_noise_of_pram, above_ten, label, rtol=1e-9)
with claim("K-6.2") as c:
    label = "the same matrix: k is higher by (n − s)(γ − g2)"
    c.decisive("proved").derived(gain, with_sample - alone, 0, label)
    label = "n = 1000, k = 10: share of changed values, five samples and alone"
    c.decisive("sampled").exact(less, [True] * 5, label)

# %% [markdown]
# ## K-0.2 (any background knowledge)
#
# *Sampling combined with PRAM reduces the risk against attackers with any background knowledge.* No belief about the table is worse than knowing it (K-5.3), and then the level rises by at least $(n - s)(\gamma - g_2)$. The limit: an attacker who also knows that the person was sampled.

# %%
hits_of_zero = enumerate_weights(keep_most, 4, 2)[1][:, :, :, 0]  # person 0 behind each record
known_to_be_sampled = lowest_level(hits_of_zero.sum(axis=-1, keepdims=True), hits_of_zero)
without_sample = exact_level(keep_most, 4, 4)
with claim("K-0.2") as c:
    label = "no belief is worse than to know the table"
    c.decisive("proved").derived(belief, mixture, P, label)
    label = "an attacker who knows the table: k rises by (n − s)(γ − g2)"
    c.decisive("proved").derived(gain, with_sample - alone, 0, label)
    higher = [more > 0 for more in gains]
    c.exact(higher, [True] * 15, "five matrices, n = 4: exact level above that without a sample")
    label = "the attacker knows that the person was sampled, n = 4, s = 2: level"
    c.limit(max(without_sample, known_to_be_sampled), known_to_be_sampled, label)

# %% [markdown]
# ## K-6.1 (summary)
#
# *Sampling alone cannot reduce the risk against all knowledge, it can against limited knowledge, and with PRAM it can against all.* Limited knowledge: five people, of whom the attacker knows two and believes each of the others to be either, independently.

# %%
known_or_not = [[1, 0], [0, 1], [Fraction(1, 2), Fraction(1, 2)]]  # values a, b, unknown


def limited_risk(size):
    """Largest risk of person 0 for an attacker who knows two of five values."""
    largest = 0
    for shown in product((0, 1), repeat=size):
        every, mine = 0, 0
        for order in permutations(range(5), size):
            w = prod(known_or_not[min(r, 2)][a] for r, a in zip(order, shown))
            every += w
            if order[0] == 0:
                mine += w
        if every > 0:  # a release that can happen
            largest = max(largest, Fraction(mine) / every)
    return largest


unique = []
for people, size in sizes:
    table, shown = [0] + [1] * (people - 1), [0] + [1] * (size - 1)
    case = {"transition": [[1, 0], [0, 1]], "record": 0, "slot": 0}
    unique.append(posterior.match_probability(table, shown, **case))
limited = [limited_risk(size) for size in range(1, 6)]
closed_form = []
for size in range(1, 6):
    spare = 3 - size + 1  # the paper's n̂
    others_known = 2 * (size - 1)
    closed_form.append(2 / (2 + spare + Fraction(others_known, others_known + spare + 1)))
with claim("K-6.1") as c:
    label = "sampling alone, table known, all s ≤ n ≤ 4: risk of a unique person"
    c.decisive("exhaustive").exact(set(unique), {1}, label)
    label = "two of five known: largest risk at s = 1 to 5, and the closed form of K-B1"
    c.decisive("one example").exact(limited, closed_form, label)
    less_than_one = [value < 1 for value in limited]
    c.exact(less_than_one, [True] * 4 + [False], "less than 1 if anybody is left out")
    label = "with PRAM: k rises by (n − s)(γ − g2)"
    c.decisive("proved").derived(gain, with_sample - alone, 0, label)
