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
# # Evidence: Why is differential privacy not enough for correlated data?
#
# The statements of sections 1 to 3, and of sections 4.2.3 and 4.4 as far as they concern the examples of section 3, in the paper's order: what each one states, and its check. Nothing is hidden. The story is told in
# [the notebook of the same name](../../correlated/01-why-dp-is-not-enough.ipynb).
#
# Conditions of probability zero are left out (*conditioning*). One route to a leakage is the package, `FiniteDistribution`. The other one, below, is a grid of outputs that knows nothing about where the supremum lies.

# %%
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import sympy as sp
from scipy.integrate import trapezoid
from scipy.optimize import brentq
from scipy.stats import laplace

from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.notebook import claim, derivation

eps, q, h = sp.symbols("epsilon q h", positive=True)  # q = exp(-eps), h = exp(eps) - 1


def hundredths(rows):
    """A printed table in fractions, as joint[x1, x2]."""
    return np.array([[Fraction(entry, 100) for entry in row] for row in rows])


independent = hundredths([[10, 30], [15, 45]])  # Table 3(a): rows x1, columns x2
positive = hundredths([[49, 1], [1, 49]])  # (b)
negative = hundredths([[1, 49], [49, 1]])  # (c)
tables = {"(a)": independent, "(b)": positive, "(c)": negative}


def weak_density(r, joint, x1, level):
    """p(r | x1) of the sum plus Lap(1/level), by summing out x2."""
    density = 0
    for x2 in (0, 1):
        conditional = float(joint[x1, x2] / joint[x1].sum())
        density = density + conditional * laplace.pdf(r, loc=x1 + x2, scale=1 / level)
    return density


outputs = np.linspace(-20, 22, 42_001)


def on_grid(joint, level):
    """Leakage to the weak attacker of the first tuple, from a fine grid of outputs."""
    densities = [weak_density(outputs, joint, x1, level) for x1 in (0, 1)]
    return np.abs(np.log(densities[0] / densities[1])).max()


closed, strong = {}, []
for name, joint in tables.items():
    for target, known in adversaries(2):
        leak = FiniteDistribution(joint).leakage(target, known, scale=1 / eps)
        if known:
            strong.append(leak)
        elif target == 0:
            closed[name] = leak  # of the weak attacker, for every ε
weak = {name: float(leak.subs(eps, sp.Rational(1, 10))) for name, leak in closed.items()}

# %% [markdown]
# Sixty random distributions of three independent bits and sixty of three dependent ones, used by several claims:

# %%
rng = np.random.default_rng(3)
leaks_independent = []
for marginals in rng.dirichlet([1, 1], size=(60, 3)):
    joint = np.multiply.outer(np.multiply.outer(marginals[0], marginals[1]), marginals[2])
    leaks_independent.append(list(FiniteDistribution(joint).all_leakages(scale=1.0).values()))

dependent = rng.dirichlet(np.full(8, 0.5), size=60).reshape(-1, 2, 2, 2)
leaks_strong = []
for joint in dependent:
    for who, leak in FiniteDistribution(joint).all_leakages(scale=1.0).items():
        if len(who.known) == 2:
            leaks_strong.append(leak)

# %% [markdown]
# ## Y-1.background
#
# *Differential privacy is a strong privacy standard whatever the attacker's background knowledge.* It is the field's view, which Table 1 limits a page later: right for independent tuples and for attackers who know all tuples but one. The limit is the weak attacker of Table 3(b).

# %%
with claim("Y-1.background") as c:
    label = "60 distributions of independent bits, 12 attackers each: at most ε = 1"
    c.decisive("sampled").at_most(leaks_independent, 1.0, label, slack=1e-12)
    label = "60 distributions of dependent bits, strong attackers: at most ε = 1"
    c.decisive("sampled").at_most(leaks_strong, 1.0, label, slack=1e-12)
    label = "Table 3(b), ε = 0.1, an attacker who knows nobody: leakage"
    c.limit(0.1, on_grid(positive, 0.1), label)

# %% [markdown]
# ## Y-1.a and Y-3.a (the Laplace mechanism)
#
# Y-3.a: *noise $\mathrm{Lap}(S(f)/\varepsilon)$ gives $\varepsilon$-differential privacy.* Y-1.a: *so does $\mathrm{Lap}(1/\varepsilon)$ on a count.* Let the answers be $f$ and $f + g$, with $g > 0$. Below both, between them and above both, the log ratio of the densities lies within $\pm g/\lambda$.

# %%
lam, f, gap, t = sp.symbols("lambda f g t", positive=True)
z = sp.Symbol("z", real=True)
noise_density = sp.exp(-sp.Abs(z) / lam) / (2 * lam)
share = 1 / (1 + t)  # any number between 0 and 1


def scaled_log_ratio(r):
    """λ times the log of the densities' ratio at r, for the answers f and f + gap."""
    here, there = sp.Abs(r - f), sp.Abs(r - f - gap)
    quotient = noise_density.subs(z, here) / noise_density.subs(z, there)
    return sp.simplify(lam * sp.expand_log(sp.log(quotient), force=True))


below = scaled_log_ratio(f - t)
between = scaled_log_ratio(f + share * gap)
above = scaled_log_ratio(f + gap + t)
with claim("Y-3.a") as c:
    c.decisive("proved").exact((below, above), (gap, -gap), "below and above: ±gap/λ")
    label = "between: less than gap/λ by 2·share·gap/λ, a positive number"
    c.decisive("proved").exact(sp.simplify(gap - between), 2 * gap * share, label)
    label = "between: more than −gap/λ by 2(1 − share)·gap/λ, a positive number"
    c.decisive("proved").exact(sp.simplify(gap + between - 2 * gap * (1 - share)), 0, label)

counts, grid = np.arange(11), np.linspace(-5, 15, 401)
with claim("Y-1.a") as c:
    scale_of_count = {gap: 1, lam: 1 / eps}
    ends = [(side / lam).subs(scale_of_count) for side in (below, above)]
    c.decisive("proved").exact(ends, [eps, -eps], "gap 1, λ = 1/ε: log ratio from −ε to ε")
    for level in (0.1, 0.5, 2.0):
        densities = laplace.logpdf(grid, loc=counts[:, None], scale=1 / level)
        largest = np.abs(np.diff(densities, axis=0)).max(axis=1)
        label = f"ε = {level:g}, ten pairs of neighbouring counts, 401 outputs"
        c.close(largest, np.full(10, level), label, rtol=1e-9)


# %% [markdown]
# ## Y-1.uncorrelated and Y-1.b (ten unrelated people)
#
# *Ten uncorrelated (無相関) people are the harmless case: one person's state can hardly be inferred from the noisy count.* Table 1 opposes *correlated* to *independent* (独立), so independent is meant. The limit of the word: three coins of which any two are independent while all three are not.
#
# All that an attacker can use is how many of the known and how many of the unknown people are ill, because people are interchangeable here.

# %%
def ten_people(c, known=0):
    """First person, number of ill people among `known` others, number among the rest.

    With probability c all ten copy one fair coin; otherwise each tosses a coin.
    """
    rest = 9 - known
    joint = np.zeros((2, known + 1, rest + 1))
    for x1, j, k in product((0, 1), range(known + 1), range(rest + 1)):
        joint[x1, j, k] = (1 - c) / 2**10 * comb(known, j) * comb(rest, k)
    joint[0, 0, 0] += c / 2
    joint[1, known, rest] += c / 2
    return FiniteDistribution(joint)


def ten_leakages(c, level):
    """Leakage to attackers who know 0, 1, …, 9 of the others."""
    return [ten_people(c, k).leakage(0, (1,), scale=1 / level) for k in range(10)]


coins = [[Fraction(comb(9, k), 2**10) for k in range(10)] for x1 in (0, 1)]
parity = np.zeros((2, 2, 2))  # two fair coins and whether they differ
for first, second in product((0, 1), repeat=2):
    parity[first, second, first ^ second] = 0.25
covariances = np.cov(np.array(np.nonzero(parity)))[np.triu_indices(3, 1)]
assert np.allclose(covariances, 0)  # no two of the three are correlated

with claim("Y-1.uncorrelated") as c:
    leak = FiniteDistribution(np.array(coins)).leakage(0, scale=1 / eps)
    label = "ten independent fair coins, attacker who knows nobody: leakage for every ε"
    c.decisive("one example").exact(leak, eps, label)
    worst = FiniteDistribution(parity).worst_adversary(scale=1.0).leakage
    label = "two coins and whether they differ (no pair correlated), ε = 1: largest leakage"
    c.limit(1.0, worst, label)
with claim("Y-1.b") as c:
    label = "ten independent fair coins, ε = 0.1: attackers who know 0 to 9 others"
    c.decisive("one example").close(ten_leakages(0.0, 0.1), np.full(10, 0.1), label)

# %% [markdown]
# ## Y-1.c (ten people who are nearly always in the same state)
#
# *The count is 0 or 10 with probability near 1, so that one person's change moves it tenfold.* Two models: all copy a coin with probability $c$, or each copies one coin and is wrong with probability $f$. By enumeration of all 1,024 databases, and by hand.

# %%
databases = list(product((0, 1), repeat=10))


def shared_coin(x, c):
    """All copy one fair coin with probability c; otherwise each tosses a coin."""
    alike = len(set(x)) == 1
    return (1 - c) / 2**10 + (c / 2 if alike else 0)


def wrong_copies(x, flip):
    """Each copies one fair coin, and is wrong with probability `flip`."""
    ill = sum(x)
    return (flip**ill * (1 - flip) ** (10 - ill) + flip ** (10 - ill) * (1 - flip) ** ill) / 2


def ends_and_move(model, parameter):
    """Probability of a count of 0 or 10, and how far its mean moves with the first person."""
    ends, weight, total = Fraction(0), [0, 0], [0, 0]
    for x in databases:
        probability = model(x, parameter)
        if sum(x) in (0, 10):
            ends += probability
        weight[x[0]] += probability
        total[x[0]] += probability * sum(x)
    return ends, total[1] / weight[1] - total[0] / weight[0]


with claim("Y-1.c") as c:
    for power in (1, 2, 3):
        small = Fraction(1, 10**power)
        by_hand = (1 - small + small / 2**9, 1 + 9 * (1 - small))
        label = f"shared coin, c = {float(1 - small):g}: count at the ends, and move of the mean"
        c.decisive("sampled").exact(ends_and_move(shared_coin, 1 - small), by_hand, label)
        tiny = small / 10
        by_hand = ((1 - tiny) ** 10 + tiny**10, 1 + 9 * (1 - 2 * tiny) ** 2)
        label = f"copies wrong with probability {float(tiny):g}: the same"
        c.decisive("sampled").exact(ends_and_move(wrong_copies, tiny), by_hand, label)
    c.at_most(Fraction(99, 10), by_hand[1], "at the last value the mean moves by more than 9.9")

# %% [markdown]
# ## Y-1.d (the family's noise)
#
# *For the same level of privacy, noise $\mathrm{Lap}(1/10\varepsilon)$ is then needed.* Ten times the scale is meant.

# %%
alike = np.full((2, 10), Fraction(0))  # first person, and how many of nine others are ill
alike[0, 0] = alike[1, 9] = Fraction(1, 2)
family = FiniteDistribution(alike)
with claim(
    "Y-1.d",
    printed=r"$\mathrm{Lap}(1/10\varepsilon)$",
    corrected=r"$\mathrm{Lap}(10/\varepsilon)$",
) as c:
    at_printed = family.leakage(0, scale=1 / (10 * eps))
    c.differs(at_printed, eps, "ten who are always alike: leakage at the printed scale, and ε")
    at_corrected = family.leakage(0, scale=10 / eps)
    c.decisive("one example").exact(at_corrected, eps, "at the scale 10/ε, for every ε")
    counts_apart = laplace.logpdf(grid, loc=0, scale=100) - laplace.logpdf(grid, loc=10, scale=100)
    label = "ε = 0.1: log ratio around the counts 0 and 10, 401 outputs"
    c.decisive("one example").close(np.abs(counts_apart).max(), 0.1, label)


# %% [markdown]
# ## Y-1.e (ten friends)
#
# *With weakly correlated people, how large the noise has to be is the question.* Between the noise for strangers and for a family, and more with a stronger correlation. Two routes: the package, over attackers who know 0 to 9 others, and, where the weak attacker is the worst, the ratio below all counts by hand.

# %%
def noise_needed(c, level):
    """Smallest scale, in units of 1/level, at which nobody's leakage exceeds the level."""
    people = [ten_people(c, k) for k in range(10)]

    def excess(scale):
        leaks = [attacked.leakage(0, (1,), scale=scale) for attacked in people]
        return max(leaks) - level

    return level * brentq(excess, 0.99 / level, 10.01 / level, xtol=1e-12)


def weak_by_hand(c, scale):
    """Leakage to the weak attacker: log ratio below all values of the count."""
    step = np.exp(-1 / scale)
    own_coins = ((1 + step) / 2) ** 9
    well = c + (1 - c) * own_coins
    ill = c * step**10 + (1 - c) * step * own_coins
    return np.log(well / ill)


strengths, levels = (0.0, 0.01, 0.1, 0.5, 0.9, 1.0), (0.1, 1.0, 5.0)
needed = np.array([[noise_needed(c, level) for c in strengths] for level in levels])
with claim("Y-1.e") as c:
    label = "ε = 0.1, 1, 5: noise for strangers and for a family, in units of 1/ε"
    c.decisive("sampled").close(needed[:, [0, -1]], [[1.0, 10.0]] * 3, label)
    c.at_most(needed[:, :-1], needed[:, 1:], "six strengths: more noise, the stronger")
    at_needed = []
    for level, row in zip(levels, needed):
        at_needed.append([weak_by_hand(0.5, row[3] / level), weak_by_hand(0.9, row[4] / level)])
    expected = np.outer(levels, [1, 1])
    label = "c = 0.5 and 0.9: at that noise the weak attacker learns ε, by hand"
    c.decisive("sampled").close(at_needed, expected, label, rtol=1e-6)


# %% [markdown]
# ## Y-1.strongest
#
# *The strongest attacker can infer the most about the target from the output*, an assumption that the paper names in order to reject it. True of what an attacker knows in the end: the probability that the best guess is right increases with the known set. The limit is what is *learnt* from the output.

# %%
def guess_right(joint, level):
    """For each attacker, the probability that the best guess is right after the release."""
    total = np.indices(joint.shape).sum(axis=0)
    rs = np.linspace(-25 / level, 25 / level + joint.ndim, 6001)
    densities = joint[..., None] * laplace.pdf(rs - total[..., None], scale=1 / level)
    result = {}
    for who in adversaries(joint.ndim):
        unknown = [j for j in range(joint.ndim) if j not in (who.target, *who.known)]
        summed = densities.sum(axis=tuple(unknown), keepdims=True)
        best = summed.max(axis=who.target).reshape(-1, rs.size).sum(axis=0)
        result[who] = trapezoid(best, rs)
    return result


fewer, more = [], []
for joint in dependent[:20]:
    right = guess_right(joint, 1.0)
    for u, v in product(right, repeat=2):
        if u.target == v.target and set(u.known) < set(v.known):
            fewer.append(right[u])
            more.append(right[v])
in_floats = positive.astype(float)
with claim("Y-1.strongest") as c:
    label = f"{len(more)} pairs of attackers, one of whom knows more: guesses at least as well"
    c.decisive("sampled").at_most(fewer, more, label, slack=1e-9)
    strong_right = guess_right(in_floats, 0.1)[0, (1,)]
    c.close(strong_right, 0.98, "Table 3(b), ε = 0.1: the strong attacker", rtol=1e-3)
    label = "Table 3(b), ε = 0.1: the largest leakage, that of the strong and of the weak attacker"
    c.limit(0.1, on_grid(positive, 0.1), label)


# %% [markdown]
# ## Y-2.a, Y-2.b, Y-2.perfect and Y-2.crowd (related work)
#
# Y-2.a and Y-2.b: *differential privacy is widely regarded as the strictest standard*, and characterisations of other papers. **Not checkable:** opinions.
#
# Y-2.perfect: *outputs with perfect privacy, $\Pr(x_i \mid r) = \Pr(x_i)$, have in general no utility.* Let $u(x) = \Pr(r \mid x)$ for one output $r$. That the two values of $x_i$ give the same average of $u$ is a linear equation for $u$. Over two distributions of each other bit, the equations leave only constant functions $u$. For any number of bits: if $u$ depends on bit $i$ at some values of the others, give those values a probability near 1, and the output tells something about bit $i$. The limit: one given distribution.
# For example, publish whether two fair coins differ; then each coin has perfect privacy, although someone who knows one coin learns the other.

# %%
def equations(n):
    """Rows of the linear equations for u over the 2**n databases."""
    choices = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 2)] * 2]
    rows = []
    for i in range(n):
        for others in product(choices, repeat=n - 1):
            factors = list(others)
            factors.insert(i, [-1, 1])
            row = []
            for x in product((0, 1), repeat=n):
                entry = Fraction(1)
                for factor, bit in zip(factors, x):
                    entry *= factor[bit]
                row.append(entry)
            rows.append(row)
    return sp.Matrix(rows)


solutions, constants = [], []
for n in (1, 2, 3, 4):
    basis = equations(n).nullspace()
    solutions.append([list(vector) for vector in basis])
    constants.append([[1] * 2**n])
differ = FiniteDistribution(np.full((2, 2), 0.25), query=[[0, 1], [1, 0]])
assert differ.leakage(0, scale=0.1) == 0  # each coin is perfectly private
with claim("Y-2.perfect") as c:
    label = "n ≤ 4 independent bits: every solution is a multiple of the constant 1"
    c.decisive("exhaustive").exact(solutions, constants, label)
    entropy = -2 * sp.Rational(1, 2) * sp.log(sp.Rational(1, 2), 2)
    c.limit(0, sp.simplify(entropy), "fair coins, publish whether they differ: bits published")


# %% [markdown]
# Y-2.crowd: *references [3] and [2] propose zero-knowledge privacy.* Reference [3] does {cite:p}`gehrke2011zero`. Reference [2] proposes another notion, crowd-blending privacy {cite:p}`gehrke2012crowd`, as its printed title says. The two notions differ: a histogram that leaves out counts below $k$ blends everybody with $k$ people, without noise, but two neighbours can be told apart with certainty.

# %%
def histogram(people, k=2):
    """Number of people with each value; counts below k are left out."""
    sizes = {value: people.count(value) for value in set(people)}
    return {value: size for value, size in sizes.items() if size >= k}


blends = []
for n in (2, 3, 4, 5):
    for group in product((0, 1, 2), repeat=n):
        for i, value in enumerate(group):
            without = group[:i] + group[i + 1 :]
            blends.append(group.count(value) >= 2 or histogram(group) == histogram(without))
with claim(
    "Y-2.crowd",
    printed="references [3] and [2] propose zero-knowledge privacy",
    corrected="[3] does; [2] proposes crowd-blending privacy, as its printed title says",
) as c:
    c.exact(all(blends), True, "n ≤ 5: each person blends with another, or is not counted")
    one, other = histogram((0, 0, 1, 1)), histogram((0, 0, 1, 2))
    label = "but neighbours are told apart with certainty, which zero-knowledge privacy forbids"
    c.fails(one == other, label)


# %% [markdown]
# ## Y-T2, Y-As1, Y-As2, Y-As3 (symbols and assumptions)
#
# *Tuples are random with a joint distribution that anybody can know; an attacker knows the exact values of some tuples; the mechanism is public.* **Not checkable:** assumptions and a table of names.
#
# ## Y-D3.1 (definition of differential privacy)
#
# *The level is the supremum of the log ratio over $i, x_{-i}, x'_{-i}, S$.* The two values $x_i$ and $x_i'$ must vary; nothing printed below the supremum says which they are. For the sum of two bits and $\mathrm{Lap}(10)$:

# %%
def supremum(pairs):
    """Supremum of (1) over other bits and outputs, with (x_i, x_i') from these pairs."""
    largest = 0.0
    for first, second in pairs:
        for other in (0, 1):
            here = laplace.logpdf(grid, loc=first + other, scale=10)
            there = laplace.logpdf(grid, loc=second + other, scale=10)
            largest = max(largest, (here - there).max())
    return largest


all_pairs = list(product((0, 1), repeat=2))
with claim(
    "Y-D3.1",
    printed=r"supremum over $i, x_{-i}, x'_{-i}, S$",
    corrected=r"over $i, x_i, x_i', x_{-i}, S$",
) as c:
    c.differs(supremum([(0, 0)]), supremum(all_pairs), "ε = 0.1, taking $x_i = x_i' = 0$")
    level = FiniteDistribution(in_floats).dp_level(scale=10.0)
    c.close(supremum(all_pairs), level, "over all values of tuple i, and by the package")

# %% [markdown]
# ## Y-3.b (the Laplace density)
#
# *The noisy answer has density $\frac1\lambda e^{-|r - f(x)|/\lambda}$.*

# %%
printed_density = sp.exp(-sp.Abs(z) / lam) / lam
with claim(
    "Y-3.b",
    printed=r"density $\frac1\lambda e^{-|r-f|/\lambda}$",
    corrected=r"$\frac1{2\lambda} e^{-|r-f|/\lambda}$",
) as c:
    mass = sp.integrate(printed_density, (z, -sp.oo, sp.oo))
    c.differs(mass, sp.Integer(1), "integral of the printed density")
    mass = sp.integrate(noise_density, (z, -sp.oo, sp.oo))
    c.exact(mass, sp.Integer(1), "with the factor ½, as in the paper's (23)")


# %% [markdown]
# ## Y-T3 (the three tables)
#
# *Joint distributions of two bits: independent, positively and negatively correlated.*

# %%
def covariance(joint):
    return joint[1, 1] - joint[1].sum() * joint[:, 1].sum()


with claim("Y-T3") as c:
    totals = [joint.sum() for joint in tables.values()]
    c.decisive("exhaustive").exact(totals, [Fraction(1)] * 3, "each sums to 1")
    margins = np.multiply.outer(independent.sum(axis=1), independent.sum(axis=0))
    c.decisive("exhaustive").exact(independent, margins, "(a) is the product of its margins")
    signs = (covariance(positive) > 0, covariance(negative) < 0)
    label = "covariance: positive in (b), negative in (c)"
    c.decisive("exhaustive").exact(signs, (True, True), label)

# %% [markdown]
# ## Y-3.c and Y-3.e (what stays bounded)
#
# Y-3.c: *for independent tuples the ratio stays in $[e^{-\varepsilon}, e^{\varepsilon}]$ for strong and weak attackers.* Y-3.e: *for correlated tuples it does so for the strong attacker.*

# %%
with claim("Y-3.c") as c:
    c.exact(closed["(a)"], eps, "Table 3(a), weak attacker: ε, for every ε")
    grid_values = [on_grid(independent, level) for level in (0.1, 1.0, 5.0)]
    c.close(grid_values, [0.1, 1.0, 5.0], "the same on a grid of outputs")
    label = "60 distributions of three independent bits, 12 attackers each: at most ε"
    c.decisive("sampled").at_most(leaks_independent, 1.0, label, slack=1e-12)
with claim("Y-3.e") as c:
    c.exact(strong, [eps] * 6, "Table 3, six strong attackers: ε, for every ε")
    label = "60 distributions of three dependent bits, strong attackers: at most ε"
    c.decisive("sampled").at_most(leaks_strong, 1.0, label, slack=1e-12)

# %% [markdown]
# ## Y-3.d and Y-F1 (Figure 1)
#
# Y-F1: *output densities for the three tables and both kinds of attacker.* Our copy has no picture. Y-3.d: *for Table 3(a) the weak attacker's curves are those in (a) and (b)*, where (c) was very likely meant.

# %%
drawn = np.linspace(-3, 5, 801)
panel_a = [laplace.pdf(drawn, loc=x1) for x1 in (0, 1)]  # strong, x2 = 0
panel_b = [laplace.pdf(drawn, loc=x1 + 1) for x1 in (0, 1)]  # strong, x2 = 1
weak_panels = {}
for name, joint in tables.items():
    weak_panels[name] = [weak_density(drawn, joint, x1, 1.0) for x1 in (0, 1)]


def change_of_odds(joint, r):
    """Change of the weak attacker's log odds at the output r, by the package's posterior."""
    distribution = FiniteDistribution(joint.astype(float))
    prior = distribution.joint.sum(axis=1)
    after = distribution.posterior(0, {}, output=r, scale=1.0)
    return np.log(after[0] / after[1]) - np.log(prior[0] / prior[1])


def area_between(panel):
    return trapezoid(abs(panel[0] - panel[1]), drawn)


by_curves, by_posterior = [], []
for name, joint in tables.items():
    curve = np.log(weak_panels[name][0] / weak_panels[name][1])
    by_curves.append(curve[::50])
    by_posterior.append([change_of_odds(joint, r) for r in drawn[::50]])

# %%
with claim("Y-F1") as c:
    c.source_incomplete("the picture; the text does not state the ε of its curves")
    label = "three tables, 17 outputs: log ratio of the densities, and change of log odds"
    c.decisive("sampled").close(by_curves, by_posterior, label, rtol=0, atol=1e-9)
    label = "Table 3(b): the weak attacker's densities are further apart than the strong one's"
    c.at_most(1.5 * area_between(panel_a), area_between(weak_panels["(b)"]), label)
    label = "Table 3(c): the weak attacker's densities nearly coincide"
    c.at_most(area_between(weak_panels["(c)"]), 0.05 * area_between(panel_a), label)
with claim(
    "Y-3.d",
    printed="under Table 3(a) the weak attacker's curves are Figure 1(a) and (b)",
    corrected="Figure 1(c), which the text never names: 1 part (a), 3 parts (b)",
    consequence="None: the ratio is bounded in all three panels.",
) as c:
    at_zero = 300  # position of the output 0
    c.differs(panel_a[0][at_zero], weak_panels["(a)"][0][at_zero], "density at r = 0, ε = 1")
    mixture = [(panel_a[x1] + 3 * panel_b[x1]) / 4 for x1 in (0, 1)]
    c.decisive("one example").close(weak_panels["(a)"], mixture, "mixed 1 : 3", rtol=1e-12)


# %% [markdown]
# ## Y-3.f and Y-4.a (Table 3(b))
#
# Y-3.f: *the weak attacker's ratio is not bounded by $e^{\varepsilon}$.* Y-4.a: *at $\varepsilon = 0.1$ the strong attacker's leakage is $\varepsilon$, the weak one's about 0.196, about $2\varepsilon$.*

# %%
def ratio_by_hand(joint):
    """Density at r = 0 given x1 = 0, divided by that given x1 = 1; q = exp(-eps)."""
    densities = []
    for x1 in (0, 1):
        density = 0
        for x2 in (0, 1):
            conditional = joint[x1, x2] / joint[x1].sum()
            density += sp.Rational(conditional) * q ** (x1 + x2)
        densities.append(density)
    return densities[0] / densities[1]


def in_q(leak):
    """The ratio whose log is the package's leakage."""
    return sp.simplify(sp.exp(leak).subs(eps, -sp.log(q)))


likely, unlikely = sp.Rational(98, 100), sp.Rational(2, 100)
printed_b = (likely + unlikely * q) / (unlikely * q + likely * q**2)
printed_c = (unlikely + likely * q) / (likely * q + unlikely * q**2)
surplus = (printed_b * q).subs(q, 1 / (1 + h))  # exp(leakage - ε), with e^ε = 1 + h
above_strong = (
    derivation(surplus, of=r"e^{\mathrm{leakage} - \varepsilon}")
    .equal((50 + 49 * h) / (50 + h), r"put in $q = 1/(1 + h)$")
    .at_least(1, "since $49h > h$", by="coefficients")
)
above_strong

# %%
with claim("Y-3.f") as c:
    label = "e^(leakage − ε) is at least 1, for every ε"
    c.decisive("proved").derived(above_strong, surplus, 1, label)
    c.exact(sp.simplify(in_q(closed["(b)"]) - printed_b), 0, "the package's closed form")
    c.at_most(0.19, on_grid(positive, 0.1), "ε = 0.1, grid of outputs: at least 1.9 ε")
with claim("Y-4.a") as c:
    by_hand = ratio_by_hand(positive)
    c.exact(sp.simplify(by_hand - printed_b), 0, "the printed closed form, by hand")
    c.decisive("one example").close(weak["(b)"], 0.196, "printed 0.196", atol=5e-4, rtol=0)
    c.decisive("one example").close(weak["(b)"], 2 * 0.1, "about 2ε", rtol=0.025)
    strong_b = FiniteDistribution(in_floats).leakage(0, (1,), scale=10)
    c.decisive("one example").close(strong_b, 0.1, "strong attacker: ε")

# %% [markdown]
# ## Y-3.g, Y-3.level and Y-4.c (Table 3(c))
#
# Y-3.g: *that less knowledge always means more leakage is not true either.* Y-4.c: *the weak attacker's leakage is about 0.004, and the leakage over all attackers is $\varepsilon$.* Y-3.level: *$\mathrm{Lap}(1/\varepsilon)$ has an extremely high level of privacy*, against the weak attacker of whom the sentences before it speak.

# %%
with claim("Y-3.g") as c:
    label = "weak attackers, (b) and (c): the two leakages add up to 2ε, for every ε"
    c.decisive("proved").exact(sp.simplify(printed_b * printed_c * q**2), 1, label)
    c.exact(sp.simplify(in_q(closed["(c)"]) - printed_c), 0, "(c): the package's closed form")
    c.at_most(on_grid(negative, 0.1), 0.05 * 0.1, "ε = 0.1: less than a twentieth of ε")
worst_c = FiniteDistribution(negative.astype(float)).worst_adversary(scale=10)
with claim("Y-4.c") as c:
    by_hand = ratio_by_hand(negative)
    c.exact(sp.simplify(by_hand - printed_c), 0, "the printed closed form, by hand")
    c.decisive("one example").close(weak["(c)"], 0.004, "printed 0.004", atol=5e-4, rtol=0)
    c.decisive("one example").close(worst_c.leakage, 0.1, "over all four attackers: ε")
with claim("Y-3.level") as c:
    largest = on_grid(negative, 0.1)
    label = "Table 3(c), ε = 0.1, weak attacker, grid of outputs: below ε/20"
    c.decisive("one example").at_most(largest, 0.1 / 20, label)
    c.close(largest, weak["(c)"], "which is the closed form")
    c.limit(weak["(c)"], worst_c.leakage, "over all attackers: level of Lap(1/ε)")

# %% [markdown]
# ## Y-T1 (Table 1)
#
# *Differential privacy is adequate for independent data or a strong attacker, and not for correlated data and an arbitrary attacker.*

# %%
with claim("Y-T1") as c:
    label = "independent, any attacker (60 distributions, 12 attackers): at most ε"
    c.decisive("sampled").at_most(leaks_independent, 1.0, label, slack=1e-12)
    label = "dependent, strong attacker (60 distributions): at most ε"
    c.decisive("sampled").at_most(leaks_strong, 1.0, label, slack=1e-12)
    label = "dependent, weak attacker, Table 3(b): more than ε, for every ε"
    c.decisive("proved").derived(above_strong, surplus, 1, label)

# %% [markdown]
# ## Y-4.b and Y-4.e (which noise, which attacker)
#
# Y-4.b: *one needs an $\varepsilon' (\ge \varepsilon)$ such that $\mathrm{Lap}(1/\varepsilon')$ is private against all attackers.* Y-4.e: *either the weak or the strong attacker may have the larger leakage.*

# %%
with claim(
    "Y-4.b",
    printed=r"$\varepsilon' \ge \varepsilon$ with $\mathrm{Lap}(1/\varepsilon')$",
    corrected=r"$\varepsilon' \le \varepsilon$",
) as c:
    level = 1 / FiniteDistribution(in_floats).noise_scale(0.1)
    label = f"Table 3(b) at ε = 0.1 needs ε' = {level:.7f}"
    c.fails(bool(level >= 0.1), label, method="numeric")
    label = "at that ε' a grid of outputs gives the weak attacker ε"
    c.close(on_grid(positive, level), 0.1, label)
with claim("Y-4.e") as c:
    excess = 1 + 48 * h / (50 + h)  # above 1
    ahead_b = sp.simplify((printed_b * q).subs(q, 1 / (1 + h)))
    ahead_c = sp.simplify((1 / (printed_c * q)).subs(q, 1 / (1 + h)))
    label = "(b) e^(weak − strong), (c) e^(strong − weak): above 1, with h = e^ε − 1"
    differences = [sp.simplify(ahead - excess) for ahead in (ahead_b, ahead_c)]
    c.decisive("proved").exact(differences, [0, 0], label)
    worst_b = FiniteDistribution(in_floats).worst_adversary(scale=10)
    knows = (worst_b.adversary.known, len(worst_c.adversary.known))
    c.exact(knows, ((), 1), "ε = 0.1: the worst attacker knows, under (b) nobody, (c) the other")
    worst_friend = int(np.argmax(ten_leakages(0.02, 1.0)))
    label = "ten friends, c = 0.02: the worst attacker knows some of the others, not all"
    c.holds(0 < worst_friend < 9, label, method="numeric")

# %% [markdown]
# ## Y-4.h and Y-4.j (change of log odds)
#
# Y-4.h: *the leakage is the supremum of posterior minus prior log odds.* Y-4.j: *differential privacy can be written in the same way.* Let the target have the values $x_i$, $x_i'$ with prior probabilities $a$, $b$ (given what is known), and possibly others.

# %%
a, b, others, p, p_other = sp.symbols("a b w p p'", positive=True)
total = a * p + b * p_other + others  # density of the output; w: all other values
moved = sp.log((a * p / total) / (b * p_other / total)) - sp.log(a / b)
odds = derivation(moved).equal(sp.log(p / p_other), "the prior and the total cancel")
odds

# %%
changes = []
for r in np.arange(-3, 5.01, 0.25):
    after = FiniteDistribution(in_floats).posterior(0, {}, output=r, scale=10)
    changes.append(abs(np.log(after[1] / after[0])))  # the prior odds are 1
with claim("Y-4.h") as c:
    label = "change of log odds = log ratio of the densities, for any prior"
    c.decisive("proved").derived(odds, moved, sp.log(p / p_other), label)
    label = "Table 3(b), ε = 0.1: largest change over 33 outputs, and leakage"
    c.close(max(changes), on_grid(positive, 0.1), label)

# %%
queries = np.random.default_rng(44).integers(0, 9, (10, 2, 2, 2))
by_odds, by_ratio = [], []
for joint, query in zip(dependent, queries):
    distribution = FiniteDistribution(joint, query=query)
    for i, first, second, r in product(range(3), (0, 1), (0, 1), np.arange(0, 8.1, 2)):
        before = np.moveaxis(joint, i, 0)[:, first, second]
        answers = np.moveaxis(query, i, 0)[:, first, second]
        known = dict(zip([j for j in range(3) if j != i], (first, second)))
        after = distribution.posterior(i, known, output=r, scale=1.0)
        by_odds.append(np.log(after[1] / after[0]) - np.log(before[1] / before[0]))
        by_ratio.append(abs(r - answers[0]) - abs(r - answers[1]))

never_apart = np.array([[0.5, 0.0], [0.0, 0.5]])
far_apart = np.array([[0, 1000], [1000, 0]])
silent = FiniteDistribution(never_apart, query=far_apart).leakage(0, (1,), scale=1.0)
level = FiniteDistribution(np.full((2, 2), 0.25), query=far_apart).dp_level(scale=1.0)
with claim("Y-4.j") as c:
    label = "change of log odds = log ratio of the densities, for any prior"
    c.derived(odds, moved, sp.log(p / p_other), label)
    label = f"{len(by_odds)} strong attackers and outputs, 10 queries: log ratio in (1)"
    c.decisive("sampled").close(by_odds, by_ratio, label, rtol=1e-9, atol=1e-9)
    label = "x₁ = x₂ always, 1000 times their difference: DP level, and change of strong odds"
    c.limit(level, silent, label)

# %% [markdown]
# ## Y-4.i (the example of section 4.4)
#
# *Table 3(b), output 2: strong attacker {0.02, 0.98} to {0.018, 0.982}; weak attacker {0.5, 0.5} to {0.45, 0.55}.* By hand with Bayes' rule, and by the package.

# %%
step = np.exp(-0.1)  # e^(-ε): a Laplace density falls by this factor per unit
strong_weights = np.array([0.02 * step, 0.98])  # x2 = 1: the sum is 1 or 2
weak_weights = 0.5 * np.array([0.98 * step**2 + 0.02 * step, 0.02 * step + 0.98])
strong_after = strong_weights / strong_weights.sum()
weak_after = weak_weights / weak_weights.sum()
distribution = FiniteDistribution(in_floats)
with claim("Y-4.i") as c:
    prior = in_floats[:, 1] / in_floats[:, 1].sum()
    c.decisive("one example").close(prior, [0.02, 0.98], "strong, before", rtol=1e-12)
    label = "strong, after, by hand"
    c.decisive("one example").close(strong_after, [0.018, 0.982], label, rtol=0, atol=5e-4)
    c.decisive("one example").close(in_floats.sum(axis=1), [0.5, 0.5], "weak, before")
    label = "weak, after, by hand"
    c.decisive("one example").close(weak_after, [0.45, 0.55], label, rtol=0, atol=5e-3)
    by_package = [
        distribution.posterior(0, {1: 1}, output=2, scale=10),
        distribution.posterior(0, {}, output=2, scale=10),
    ]
    c.close(by_package, [strong_after, weak_after], "both, by the package")

# %% [markdown]
# ## Y-B12 (where the supremum lies)
#
# Beyond the paper: *for finite data and Laplace noise it is attained at a value of the query.* Between two consecutive values each mixture of Laplace densities is $Ay + B/y$ with $y = e^{r/\lambda}$.

# %%
y, A, B, C, D = sp.symbols("y A B C D", positive=True)
slope = sp.Derivative((A * y + B / y) / (C * y + D / y), y)
last = 2 * y * (A * D - B * C) / (C * y**2 + D) ** 2
monotone = (
    derivation(slope)
    .equal(sp.Derivative((A * y**2 + B) / (C * y**2 + D), y), "times $y$, above and below")
    .equal(last, "quotient rule")
)
monotone

# %%
by_grid, by_package = [], []
for joint in tables.values():
    for level in (0.1, 1.0, 5.0):
        by_grid.append(on_grid(joint, level))
        distribution = FiniteDistribution(joint.astype(float))
        by_package.append(distribution.leakage(0, scale=1 / level))
with claim("Y-B12") as c:
    label = "between two values of the query the slope has the sign of AD − BC: monotone"
    c.decisive("proved").derived(monotone, slope, last, label)
    c.close(by_grid, by_package, "Table 3, ε = 0.1, 1, 5: grid of outputs, and values of the sum")
