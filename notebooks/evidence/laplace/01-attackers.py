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
# # Evidence: What does an attacker learn from an answer?
#
# The statements of the note's chapter 6, memo and appendix, in the note's order: what each one states, and its check. Nothing is hidden. Only N-3 stands later than in the note, after the lender's model, which it
# needs. The story is told in
# [the notebook of the same name](../../laplace/01-attackers.ipynb).

# %%
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import sympy as sp

from privlib.notebook import claim, derivation

half, quarter = Fraction(1, 2), Fraction(1, 4)
eps = sp.Symbol("epsilon", positive=True)
E = sp.exp(eps)
letters = {eps: r"\varepsilon"}
databases = list(product((0, 1), repeat=4))
neighbours = []
for x, z in product(databases, repeat=2):
    if sum(a != b for a, b in zip(x, z)) == 1:
        neighbours.append((x, z))


def noisy(answer, alpha, top):
    """Distribution of an integer answer with geometric noise, cut off at 0 and at top."""
    p = np.array([alpha ** abs(y - answer) for y in range(top + 1)])
    p[1:-1] *= 1 - alpha
    return p / (1 + alpha)


assert len(neighbours) == 64
for answer in range(5):
    assert sum(noisy(answer, half, 4)) == 1


# %% [markdown]
# ## N-1 (attacker model)
#
# *Computing resources, background information and the algorithm are what an attacker model usually considers.* **Not checkable:** a statement about what is usual. The
# notebook shows in one game that each of the three matters, as an illustration.
#
# ## N-2 and N-30 (secrecy)
#
# N-30: *The secrecy (秘匿性) of $f$ expresses how hard it is to infer $x$ from $y = f(x)$, for an attacker with the various resources.* **Not checkable:** a definition in words.
#
# N-2: *English papers call this sensitivity.* If so, noisy counts of one sensitivity would have one secrecy. The check measures secrecy by the largest ratio of the probabilities
# of one output under two neighbours.

# %%
def l1_sensitivity(multiple):
    """Largest change of `multiple` times the count under one replacement."""
    return max(abs(multiple * sum(x) - multiple * sum(z)) for x, z in neighbours)


def worst_ratio(multiple, alpha):
    """Largest ratio over all outputs and neighbours, for `multiple` times the count."""
    top = 4 * multiple
    largest = 0
    for x, z in neighbours:
        ratios = noisy(multiple * sum(x), alpha, top) / noisy(multiple * sum(z), alpha, top)
        largest = max(largest, *ratios)
    return largest


sizes = [l1_sensitivity(1), l1_sensitivity(1), l1_sensitivity(2)]
ratios = [worst_ratio(1, half), worst_ratio(1, quarter), worst_ratio(2, half)]
with claim(
    "N-2",
    printed=r"the secrecy (秘匿性) of $f$ is what English papers call sensitivity",
    corrected="sensitivity is 敏感度, of the query; secrecy is a property of the mechanism",
) as c:
    same_size = sizes[0] == sizes[1]
    same_ratio = ratios[0] == ratios[1]
    c.fails(same_size == same_ratio, "count with both noises: equal sensitivity, equal worst ratio")
    formula = [2 ** sizes[0], 4 ** sizes[1], 2 ** sizes[2]]
    label = "the worst ratio is (1/α) to the power of the sensitivity, three mechanisms"
    c.decisive("sampled").exact(ratios, formula, label)
    c.exact((sizes[1] != sizes[2], ratios[1]), (True, ratios[2]), "other sensitivity, equal ratio")


# %% [markdown]
# ## N-4 (indistinguishability)
#
# *The difficulty of telling apart the output distributions $f(x)$ and $f(x)$ for $x \ne x'$.* One of the two has lost its prime. As printed, the two
# distributions are the same and nobody can tell them apart.

# %%
def best_rule(p, other):
    """Largest probability of a right answer over all rules: say x' on a set of outputs."""
    best = 0
    for says_other in product((0, 1), repeat=len(p)):
        right = Fraction(0)
        for y, chosen in enumerate(says_other):
            right += (other[y] if chosen else p[y]) / 2
        best = max(best, right)
    return best


two, three = noisy(2, half, 4), noisy(3, half, 4)
with claim(
    "N-4", printed=r"$f(x)$, $f(x)$ for $x \ne x'$", corrected=r"$f(x)$, $f(x')$"
) as c:
    label = "noisy counts 2 and 3: best guess right"
    c.differs(best_rule(two, two), best_rule(two, three), label)
    label = "counts 2 and 3: best of all 32 rules, and half the sum of the larger probabilities"
    c.exact(best_rule(two, three), np.maximum(two, three).sum() / 2, label)

# %% [markdown]
# ## N-31 and N-32 (secrecy is characterised by indistinguishability)
#
# N-32: *A statistical query of differential privacy is read as one whose result follows a probability distribution.* **Not checkable:** a convention.
#
# N-31: *The secrecy of a random $f$ is characterised by indistinguishability.* **Not checkable:** the note gives no measure of secrecy. What follows illustrates the sentence. Take any attacker with any beliefs, among them the probabilities $a$ of $x$ and $b$ of
# $x'$. By Bayes' rule an output changes the odds of the two by the ratio of its two probabilities, whatever else the attacker believes. So what is learnt about two values depends on nothing but their two output
# distributions. The limit: *one number* for the pair, such as the probability of the best guess, does not suffice.

# %%
a, b, rest, p, q = sp.symbols("a b rest p q", positive=True)
total = a * p + b * q + rest  # probability of the output; rest: all other values
posterior_x, posterior_other = a * p / total, b * q / total

rng = np.random.default_rng(14)
all_pairs = [(x, z) for x, z in product(databases, repeat=2) if x != z]
output = {x: noisy(sum(x), half, 4) for x in databases}
largest_change = 0
for _ in range(20):
    weights = [Fraction(int(w)) for w in rng.integers(1, 100, size=16)]
    prior = dict(zip(databases, weights))
    for y in range(5):
        evidence = sum(prior[x] * output[x][y] for x in databases)
        posterior = {x: prior[x] * output[x][y] / evidence for x in databases}
        for x, z in all_pairs:
            change = (posterior[x] / posterior[z]) / (prior[x] / prior[z])
            largest_change = max(largest_change, change)
largest_ratio = max(max(output[x] / output[z]) for x, z in all_pairs)

third = Fraction(1, 3)
tells_two = [third, 0, 1 - third]  # publishes 2, publishes 3, publishes nothing
tells_three = [0, third, 1 - third]
worst_of_exact = 0
for probability, other in zip(tells_two, tells_three):
    if other > 0:
        worst_of_exact = max(worst_of_exact, probability / other)
    elif probability > 0:
        worst_of_exact = sp.oo
# Any beliefs: an output multiplies the odds of two values by its likelihood ratio.
assert sp.simplify((posterior_x / posterior_other) / (a / b)) == p / q
# The noisy count of four records under 20 beliefs: largest change of the odds, and largest ratio.
assert largest_change == largest_ratio
# The exact count published in one case of three: the best guess is as good as for the noisy count,
assert best_rule(tells_two, tells_three) == best_rule(two, three)
# but the largest ratio is not the same.
assert max(two / three) < worst_of_exact

# %% [markdown]
# ## N-5 (similar distributions mean high indistinguishability)
#
# *For differential privacy the two databases differ in exactly one record; if the output distributions are similar enough, indistinguishability is high.* A rule that says $x'$ on a set of
# outputs raises a false alarm with probability $a$ and misses with probability $b$. Similar within the factor $e^{\varepsilon}$ means that $1 - b \le e^{\varepsilon} a$ and $1 - a \le e^{\varepsilon} b$; the two may leave something unused.

# %%
alarm, miss = sp.symbols("a b", nonnegative=True)
left_unused = (E * alarm - (1 - miss)) + (E * miss - (1 - alarm))
unused = sp.Symbol("w", nonnegative=True)
errors = (2 + unused) / (1 + E)
ceiling = E / (1 + E)
guessing = (
    derivation(1 - errors / 2, of=r"1 - \tfrac{a + b}{2}", names=letters)
    .equal((2 * E - unused) / (2 * (1 + E)), "over one denominator")
    .at_most(ceiling, r"$w \ge 0$")
)
guessing

# %%
alphas = [Fraction(k, 8) for k in range(1, 8)]
with claim("N-5") as c:
    label = "a + b is (2 + w)/(1 + e^ε), where w is what the two inequalities leave unused"
    c.exact(sp.expand(errors.subs(unused, left_unused) - alarm - miss).simplify(), 0, label)
    label = "no guess between neighbours is right more often than e^ε/(1 + e^ε)"
    c.decisive("proved").derived(guessing, 1 - errors / 2, ceiling, label)
    c.exact(sp.limit(ceiling, eps, 0), sp.Rational(1, 2), "similar distributions: a coin toss")
    best = [best_rule(noisy(2, alpha, 4), noisy(3, alpha, 4)) for alpha in alphas]
    bounds = [ceiling.subs(eps, -sp.log(sp.Rational(alpha))) for alpha in alphas]
    c.exact(best, bounds, "best of 32 rules, counts 2 and 3, seven α: attained")

# %% [markdown]
# ## N-B3a (the lender's threshold)
#
# Beyond the note: *for 20 customers, a noisy count of 9 in place of an exact count of 8 keeps the level of 5 %.* Two routes to each level: the distribution of the noisy count, and the tail of the noise
# alone, which is $\alpha^j/(1 + \alpha)$ for noise of at least $j \ge 1$.

# %%
no_link, link = Fraction(1, 5), Fraction(1, 2)
level = Fraction(5, 100)


def binomial(n, p):
    """Binomial distribution, in fractions."""
    return np.array([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def announces(threshold, alpha=None):
    """Probability of the announcement for each true count from 0 to 20."""
    if alpha is None:
        return np.array([Fraction(count >= threshold) for count in range(21)])
    return np.array([noisy(count, alpha, 20)[threshold:].sum() for count in range(21)])


def false_alarm(threshold, alpha=None):
    """Probability of the announcement if there is no link."""
    return binomial(20, no_link) @ announces(threshold, alpha)


def smallest_threshold(alpha=None):
    """Smallest threshold that keeps the level."""
    return next(k for k in range(21) if false_alarm(k, alpha) <= level)


def noise_at_least(j, alpha):
    """Probability that geometric noise is at least j."""
    if j >= 1:
        return alpha**j / (1 + alpha)
    return 1 - alpha ** (1 - j) / (1 + alpha)


# %%
by_distribution, by_tail = [], []
for threshold in range(1, 21):
    by_distribution.append(false_alarm(threshold, half))
    tails = [noise_at_least(threshold - count, half) for count in range(21)]
    by_tail.append(sum(binomial(20, no_link) * tails))
exact_threshold, private_threshold = smallest_threshold(), smallest_threshold(half)

draws = 400_000
rng = np.random.default_rng(6)
late = rng.binomial(20, 0.2, draws)
noise = rng.geometric(0.5, draws) - rng.geometric(0.5, draws)
with claim("N-B3a") as c:
    label = "level at thresholds 1 to 20: distribution of the noisy count, and tail of the noise"
    c.decisive("exhaustive").exact(by_distribution, by_tail, label)
    label = "least thresholds for a level of 5 %, exact count and noisy count"
    c.decisive("exhaustive").exact((exact_threshold, private_threshold), (8, 9), label)
    expected = float(by_distribution[private_threshold - 1])
    stderr = np.sqrt(expected * (1 - expected) / draws)
    c.sampled(np.mean(late + noise >= private_threshold), expected, "drawn", stderr=stderr)

# %% [markdown]
# ## N-B3 and N-19 (the memo's question)
#
# N-19: *Does the announcement violate G's privacy?* **Not checkable:** a question, and partly one of law.
#
# N-B3, beyond the note, answers in the lender's model: *G's record moves the odds of any conclusion drawn from the announcement by at most $e^{\varepsilon}$; the conclusion about people like G can be drawn without G.* If
# $A$ and $B$ are the probabilities, without G, that the announcement is made and the conclusion is true or false, then with G each is multiplied by an average of factors between 1 and $e^{\varepsilon}$.

# %%
A, B = sp.symbols("A B", positive=True)
below, above = sp.symbols("u v", nonnegative=True)  # averages e^ε - u and 1 + v
with_record = A * (E - below) / (B * (1 + above))
taking_part = (
    derivation(with_record, of=r"\text{odds with G}", names=letters)
    .at_most(A * E / (B * (1 + above)), r"$u \ge 0$", by="coefficients")
    .at_most(A * E / B, r"$v \ge 0$", by="sign")
)
taking_part

# %%
# joint[link, number of late customers among the other 19, G late]
joint = np.array([np.outer(binomial(19, p), [1 - p, p]) / 2 for p in (no_link, link)])


def after(chance, with_g):
    """Joint probability of each case and the announcement."""
    cases = joint.copy()
    for others, g in product(range(20), (0, 1)):
        count = others + g if with_g else others
        cases[:, others, g] *= chance[count]
    return cases


def g_late(cases):
    """Probability that G was late, for an attacker who knows nobody."""
    return cases[..., 1].sum() / cases.sum()


private = announces(private_threshold, half)
with_g = after(private, with_g=True).ravel()
without_g = after(private, with_g=False).ravel()
changes = []
for _ in range(2000):  # conclusions: random sets of the 80 cases
    true = rng.integers(2, size=80).astype(bool)
    odds_with = with_g[true].sum() / with_g[~true].sum()
    odds_without = without_g[true].sum() / without_g[~true].sum()
    changes.append(odds_with / odds_without)

# %%
up = private[1:] / private[:-1]
down = (1 - private[1:]) / (1 - private[:-1])
before, learned = g_late(joint), g_late(after(private, with_g=False))
rate = np.where(rng.integers(2, size=draws), 0.5, 0.2)
drawn_g = rng.random(draws) < rate
drawn_others = rng.binomial(19, rate)
hits = drawn_g[drawn_others + drawn_g + noise >= private_threshold]
with claim("N-B3") as c:
    label = "G's record multiplies the probability of the announcement by 1 to 2, any others"
    c.decisive("exhaustive").exact((min(up) >= 1, max(up)), (True, 2), label)
    label = "G's record multiplies the probability of silence by 1/2 to 1, any others"
    c.decisive("exhaustive").exact((min(down), max(down) <= 1), (half, True), label)
    label = "odds of any conclusion, with against without G"
    c.decisive("proved").derived(taking_part, with_record, A * E / B, label)
    size = [max(change, 1 / change) for change in changes]
    c.at_most(max(size), Fraction(2), "2,000 random conclusions: largest change of the odds")
    label = f"G late, learnt without G: {float(before):.2f} to {float(learned):.2f}"
    c.decisive("exhaustive").at_most(before + Fraction(1, 10), learned, label)
    expected = float(g_late(after(private, with_g=True)))
    stderr = hits.std() / np.sqrt(hits.size)
    c.sampled(hits.mean(), expected, "G late, private announcement, drawn", stderr=stderr)

# %% [markdown]
# ## N-3 (secrecy for differential privacy)
#
# *For differential privacy, secrecy is how well the values in $x$ can be estimated from $f(x)$.* True of an attacker who knows all other records: $\varepsilon$ decides how often the best
# estimate is right. The limit: an attacker who knows nobody, and a lender with $e^{\varepsilon} = \frac32$ who does not even use G's record.

# %%
success, expected = [], []
for alpha in alphas:
    for x, z in neighbours:
        success.append(best_rule(noisy(sum(x), alpha, 4), noisy(sum(z), alpha, 4)))
        expected.append(1 / (1 + alpha))  # e^ε = 1/α

strict = Fraction(2, 3)  # e^ε = 3/2
cases = after(announces(smallest_threshold(strict), strict), with_g=False)
odds_before = before / (1 - before)
odds_after = g_late(cases) / (1 - g_late(cases))
with claim("N-3") as c:
    label = "knows all others: estimate right with e^ε/(1 + e^ε), seven ε, 64 pairs"
    c.decisive("sampled").exact(success, expected, label)
    label = "attacker who knows nobody, e^ε = 3/2, no record of G: G's odds change at most by"
    changed = max(odds_after / odds_before, 1 / strict)
    c.limit(float(1 / strict), float(changed), label)

# %% [markdown]
# ## N-20, N-21, N-24, N-27, N-28, N-29, N-33, N-34 (the appendix)
#
# Definitions, symbols and types: $d(D, D')$, the domains of databases, queries and results, $Q$, $S$, the mechanism $m$ and its code, the $L_1$ sensitivity. **Not checkable:** nothing in them could fail. The notebook computes $d$ and the
# sensitivity of four queries, and writes a mechanism as a decorator.
#
# ## N-22 (ε-differential privacy)
#
# *$m$ is ε-differentially private if $\Pr(m(q, D))/\Pr(m(q, D')) \le e^{\varepsilon}$ for every $D'$ at distance 1 from $D$.* The ratio names no event. Read for single outputs it allows uniform noise on $[0, 1]$, under which an output
# proves the count: all single outputs have probability 0. Every *set* of outputs is what the definition needs.

# %%
r = sp.Symbol("r", real=True)
start, width = sp.symbols("s w", positive=True)
uniform = sp.Piecewise((1, (r > 0) & (r < 1)), (0, True))  # density of the count 0
uniform_next = uniform.subs(r, r - 1)  # of the count 1
single = [sp.integrate(f, (r, start, start)) for f in (uniform, uniform_next)]
whole = [sp.integrate(f, (r, 0, 1)) for f in (uniform, uniform_next)]
excess_single = single[0] - E * single[1]
excess_whole = whole[0] - E * whole[1]

laplace_densities = [eps * sp.exp(eps * (r - count)) / 2 for count in (0, 1)]  # for r < 0
interval = (r, -start - width, -start)
probability, probability_next = (sp.integrate(f, interval) for f in laplace_densities)
by_hand = sp.exp(-eps * start) * (1 - sp.exp(-eps * width)) / 2

output_sets = list(product((0, 1), repeat=5))[1:]  # all but the empty set
on_sets, on_outputs = [], []
for x, z in neighbours:
    p, other = noisy(sum(x), half, 4), noisy(sum(z), half, 4)
    set_ratios = [np.dot(chosen, p) / np.dot(chosen, other) for chosen in output_sets]
    on_sets.append(max(set_ratios))
    on_outputs.append(max(p / other))

# %%
with claim(
    "N-22",
    printed=r"$\Pr(m(q, D))/\Pr(m(q, D'))$ is at most $e^\varepsilon$, without an event",
    corrected=(
        r"$\Pr(m(q, D) \in S) \le e^\varepsilon \Pr(m(q, D') \in S)$ "
        r"for all $D \sim D'$ and all $S$"
    ),
) as c:
    label = "0 or 1 plus uniform noise: excess over e^ε times the other, one output and [0, 1]"
    c.differs(excess_single, excess_whole, label)
    label = "probabilities of one output, and of [0, 1], for the counts 0 and 1"
    c.exact((*single, *whole), (0, 0, 1, 0), label)
    label = "Laplace noise on 0 and 1, every interval below both: factor e^ε"
    both = (probability, probability_next * E)
    c.decisive("proved").exact(both, (by_hand, by_hand), label)
    label = "noisy count, 64 pairs: largest factor over 31 sets, and over outputs"
    c.exact((on_sets, on_outputs), ([2] * 64, [2] * 64), label)

# %% [markdown]
# ## N-23 (e^ε ≈ 1 + ε)
#
# *$e^{\varepsilon} \approx 1 + \varepsilon$.* The first two terms of the series. The limit: $\varepsilon = 1$.

# %%
two_terms = sp.series(E, eps, 0, 2).removeO()
with claim("N-23") as c:
    c.exact(two_terms, 1 + eps, "the series of e^ε, up to ε")
    ratio = sp.limit((E - 1 - eps) / eps**2, eps, 0)
    c.decisive("proved").exact(ratio, sp.Rational(1, 2), "for small ε the error is ε²/2")
    c.limit(two_terms.subs(eps, 1), sp.E, "ε = 1, no longer small")
