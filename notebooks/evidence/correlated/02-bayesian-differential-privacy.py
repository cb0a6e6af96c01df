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
# # Evidence: What does Bayesian differential privacy promise?
#
# The statements of the paper's abstract and section 4 about Bayesian differential privacy, in the paper's order, then those that go beyond the paper: what each one states, and its check. Nothing is hidden. The story is told in
# [the notebook of the same name](../../correlated/02-bayesian-differential-privacy.ipynb).

# %%
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import sympy as sp
from scipy.integrate import trapezoid
from scipy.stats import laplace

from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, derivation

half = Fraction(1, 2)
eps = sp.Symbol("epsilon", positive=True)
E = sp.exp(eps)
table_b = np.array([[Fraction(49, 100), Fraction(1, 100)], [Fraction(1, 100), Fraction(49, 100)]])
table_c = table_b[::-1]
coins = np.full((2, 2), Fraction(1, 4))
agree = np.array([[half, Fraction(0)], [Fraction(0), half]])
bits = np.indices((2, 2, 2))
everybody = list(adversaries(3))


def random_distribution(rng, *shape):
    """Random positive fractions that sum to one along the last axis."""
    weights = rng.integers(1, 30, shape).astype(object) * Fraction(1)
    return weights / weights.sum(axis=-1, keepdims=True)


def noisy_count(n, alpha):
    """mechanism[x1, ..., xn, r]: count of n bits with geometric noise, cut off at 0 and n."""
    mechanism = np.empty((2,) * n + (n + 1,), dtype=object)
    for x in product((0, 1), repeat=n):
        p = np.array([alpha ** abs(r - sum(x)) for r in range(n + 1)])
        p[1:-1] *= 1 - alpha
        mechanism[x] = p / (1 + alpha)
    return mechanism


# %%
def output_distribution(joint, mechanism, target, known):
    """Pr(r | x_i, x_K), formula (4) of the paper."""
    unknown = tuple(j for j in range(joint.ndim) if j != target and j not in known)
    given = joint / joint.sum(axis=unknown, keepdims=True)
    return (mechanism * given[..., None]).sum(axis=unknown)


def bdp_ratio(joint, mechanism, target, known=()):
    """exp(BDPL) by formulas (4) and (7)."""
    p = output_distribution(joint, mechanism, target, known)
    p = np.moveaxis(p, sum(j < target for j in known), 0)
    return (p[:, None] / p[None, :]).max()


def worst_ratio(joint, mechanism):
    """exp(BDP): the largest ratio over all attackers."""
    return max(bdp_ratio(joint, mechanism, *who) for who in adversaries(joint.ndim))


def dp_ratio(mechanism):
    """exp(DP) by formula (1)."""
    largest = Fraction(0)
    for i in range(mechanism.ndim - 1):
        p = np.moveaxis(mechanism, i, 0)
        largest = max(largest, (p[:, None] / p[None, :]).max())
    return largest


rng = np.random.default_rng(4)
joints, mechanisms = [], []
for _ in range(6):
    joints.append(random_distribution(rng, 8).reshape(2, 2, 2))
    mechanisms.append(random_distribution(rng, 2, 2, 2, 4))
independent = []
for _ in range(6):
    first, second, third = random_distribution(rng, 3, 2)
    independent.append(first[:, None, None] * second[:, None] * third)
alike = np.full((2, 2, 2), Fraction(1, 30))
alike[0, 0, 0] = alike[1, 1, 1] = Fraction(12, 30)
count_2, count_3 = noisy_count(2, half), noisy_count(3, Fraction(1, 3))
sum_2 = np.indices((2, 2)).sum(axis=0)
sum_3 = bits.sum(axis=0)

# %% [markdown]
# Several claims rest on one inequality: if $a_u \le e^{\varepsilon} b_u$ for every $u$, then $\sum_u w_u a_u \le e^{\varepsilon} \sum_u w_u b_u$ for weights $w_u \ge 0$. Sympy proves it for any number $m$ of terms: with $a_u = e^{\varepsilon} b_u - d_u$ and $d_u \ge 0$, the right side minus the left side is $\sum_u w_u d_u \ge 0$.

# %%
u, m = sp.symbols("u m", integer=True, positive=True)
w, b, d = (sp.IndexedBase(name, nonnegative=True) for name in "wbd")
smaller = E * b[u] - d[u]
right_minus_left = sp.Sum(sp.expand(w[u] * (E * b[u] - smaller)), (u, 1, m))
averages_stay_within = right_minus_left.is_nonnegative
averages_stay_within

# %% [markdown]
# ## Y-0.any (any data, any prior knowledge)
#
# *The definition protects any data against attackers with any prior knowledge.* Assumptions 1 and 2 of the paper say what is meant: any joint distribution that everybody knows, and attackers who know exact values of some tuples. In this sense there is a noise scale that limits every attacker to $\varepsilon$; the check searches all attackers for five distributions. The limits are the words of the abstract taken literally: an attacker who was told that two independent coins agree, and noise for independent coins where the data follow Table 3(b).

# %%
searched = []
for exact in (coins, table_b, table_c, *joints[:2]):
    joint = exact.astype(float)
    scale = FiniteDistribution(joint).noise_scale(0.1)
    total = np.indices(joint.shape).sum(axis=0)
    outputs = np.arange(joint.ndim + 1.0)  # the values of the sum
    noise = np.exp(-abs(outputs - total[..., None]) / scale)
    searched.append(np.log(worst_ratio(joint, noise)))
informed = sp.simplify(FiniteDistribution(agree).leakage(0, scale=1 / eps))
other_data = FiniteDistribution(table_b.astype(float)).leakage(0, scale=10.0)
with claim("Y-0.any") as c:
    label = "five distributions, the package's scale for ε = 0.1: worst attacker, by formula (4)"
    c.decisive("sampled").close(searched, np.full(5, 0.1), label, rtol=1e-9)
    c.limit(eps, informed, "two independent coins, attacker told that they agree: leakage")
    c.limit(0.1, other_data, "noise for independent coins, ε = 0.1, data by Table 3(b): leakage")


# %% [markdown]
# ## Y-D4.1 (the definition)
#
# *The leakage is the supremum of the log ratio of the output's distributions given $x_i, x_{\mathcal{K}}$; a mechanism is ε-BDP if no attacker's leakage exceeds ε.* The functions above are the definition. Two other routes: the elementary $\Pr(A \cap B)/\Pr(B)$, event by event, and the package.

# %%
def by_events(joint, mechanism, target, known):
    """exp(BDPL) from Pr(A and B) / Pr(B), event by event."""
    largest = 0
    for values in product((0, 1), repeat=len(known)):
        rows = []
        for own in (0, 1):
            event = bits[target] == own
            for j, value in zip(known, values):
                event = event & (bits[j] == value)
            rows.append(joint[event] @ mechanism[event] / joint[event].sum())
        largest = max(largest, *(rows[0] / rows[1]), *(rows[1] / rows[0]))
    return largest


by_formula, event_by_event = [], []
for joint, mechanism in zip(joints, mechanisms):
    for who in everybody:
        by_formula.append(bdp_ratio(joint, mechanism, *who))
        event_by_event.append(by_events(joint, mechanism, *who))
outputs = np.arange(-2, 5.001, 0.25)
laplace_3 = np.exp(-abs(outputs - sum_3[..., None]))
by_search, by_package = [], []
for exact in joints:
    joint = exact.astype(float)
    for who in everybody:
        by_search.append(np.log(bdp_ratio(joint, laplace_3, *who)))
        by_package.append(FiniteDistribution(joint).leakage(*who, scale=1.0))
with claim("Y-D4.1") as c:
    label = "6 random distributions and mechanisms, all 12 attackers, event by event"
    c.decisive("sampled").exact(by_formula, event_by_event, label)
    label = "Laplace noise, 6 random distributions, all 12 attackers, by the package"
    c.decisive("sampled").close(by_search, by_package, label, rtol=1e-12)

# %% [markdown]
# ## Y-E6 (sets and single outputs)
#
# *The supremum over sets of outputs equals the supremum over single outputs.* No set beats its best output, by the inequality above, with $w_u = 1$ for the members of the set. For discrete outputs the converse is trivial, because a single output is a set. For continuous outputs, shrinking intervals approach the point; with Laplace noise, the half-line $r \le 0$ even attains the supremum.

# %%
subsets = np.array(list(product((0, 1), repeat=4))[1:]).T  # all non-empty sets of 4 outputs
over_sets, over_outputs = [], []
for joint, mechanism in zip(joints[:3], mechanisms):
    for who in everybody:
        over_sets.append(bdp_ratio(joint, mechanism @ subsets, *who))
        over_outputs.append(bdp_ratio(joint, mechanism, *who))

r = sp.Symbol("r", real=True)
half_line = []
for answer in range(3):
    density = eps / 2 * sp.exp(-eps * (answer - r))  # for r at most 0
    half_line.append(sp.integrate(density, (r, -sp.oo, 0)))
attained, closed = [], []
for joint in (table_b, table_c):
    sides = []
    for x1 in (0, 1):
        sides.append(sum(sp.Rational(joint[x1, x2]) * half_line[x1 + x2] for x2 in (0, 1)))
    attained.append(sides[0] / sides[1])
    closed.append(sp.exp(FiniteDistribution(joint).leakage(0, scale=1 / eps)))

at_point = np.log(bdp_ratio(table_b.astype(float), laplace.pdf(0.5 - sum_2)[..., None], 0))
gaps = []
for width in (0.1, 0.01, 0.001):
    chance = laplace.cdf(0.5 + width - sum_2) - laplace.cdf(0.5 - sum_2)
    gaps.append(abs(np.log(bdp_ratio(table_b.astype(float), chance[..., None], 0)) - at_point))

# %%
with claim("Y-E6") as c:
    label = "no sum beats its best term, any number of terms"
    c.decisive("proved").holds(averages_stay_within, label, method="symbolic")
    label = "3 random distributions and mechanisms, 12 attackers: the best of 15 sets is an output"
    c.decisive("sampled").exact(over_sets, over_outputs, label)
    differences = [sp.simplify(one - other) for one, other in zip(attained, closed)]
    c.exact(differences, [0, 0], "Tables 3(b) and (c): the half-line r ≤ 0 attains it, any ε")
    label = "intervals of width 0.1, 0.01, 0.001 at r = 0.5: gap to the point"
    c.at_most(gaps, [0.1, 0.01, 0.001], label)

# %% [markdown]
# ## Y-4.ratio and Y-4.prior (two misprints of section 4.1)
#
# Y-4.ratio: *the largest ratio $\mathrm{BDPL}$ is bounded by $\exp(\varepsilon)$.* By formula (2), $\mathrm{BDPL}$ is the logarithm, which is bounded by $\varepsilon$. The example is a truthful answer with probability 3/4, whose ratio is 3.
#
# Y-4.prior: *the difference from DP is that the prior knowledge is $x_{\mathcal{K}}$ and not $x_i$.* An attacker who knows $x_i$ has nothing to learn. In DP the attacker knows $x_{-i}$.

# %%
answer = np.array([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
answer_ratio = sp.Rational(bdp_ratio(np.array([half, half]), answer, 0))
with claim(
    "Y-4.ratio",
    printed=r"the largest ratio $\mathrm{BDPL}$ is bounded by $\exp(\varepsilon)$",
    corrected=r"the ratio is; $\mathrm{BDPL}$, its logarithm, by $\varepsilon$",
) as c:
    smallest_if_printed = sp.log(sp.log(answer_ratio))
    label = "a truthful answer in three of four cases: smallest ε with BDPL ≤ exp(ε)"
    c.differs(smallest_if_printed, sp.log(answer_ratio), label)
    c.exact(answer_ratio, 3, "it is the ratio, 3, that exp(ε) bounds")

joint = table_b.astype(float)
knows_target = joint * [[0], [1]]  # x1 = 1 is known
remaining = FiniteDistribution(knows_target / knows_target.sum())
level = FiniteDistribution(joint).dp_level(scale=10.0)
with claim(
    "Y-4.prior",
    printed="prior knowledge in DP is $x_i$",
    corrected="prior knowledge in DP is $x_{-i}$",
) as c:
    left = remaining.leakage(0, scale=10.0)
    c.differs(left, level, "Table 3(b), ε = 0.1: leakage to an attacker who knows x1")
    strong = FiniteDistribution(joint).leakage(0, (1,), scale=10.0)
    c.close(strong, level, "to an attacker who knows the others instead", rtol=1e-12)

# %% [markdown]
# ## Y-E8 (the leakage with the integrals written out)
#
# *Formula (8) writes the leakage with the unknown tuples integrated out.* The example is a Gaussian model of two tuples, in which $x_2$ is normal with mean $x_1/2$ and variance $1/2$ given $x_1$. The integral is computed numerically and compared with the closed form of Theorem 5.1.

# %%
x2 = np.linspace(-12, 12, 12_001)
outputs = np.linspace(-14, 14, 29)


def integrated(x1):
    """Density of x1 + x2 + Lap(1), with x2 integrated out."""
    conditional = np.exp(-((x2 - x1 / 2) ** 2)) / np.sqrt(np.pi)
    densities = []
    for output in outputs:
        densities.append(trapezoid(laplace.pdf(output - x1 - x2) * conditional, x2))
    return np.array(densities)


linked = GaussianModel(precision=sp.Matrix([[2, -1], [-1, 2]]), width=1)
weak = np.log(integrated(1.0) / integrated(0.0)).max()
strong = (laplace.logpdf(outputs - 1) - laplace.logpdf(outputs)).max()  # knows that x2 = 0
closed = [1 + float(linked.leakage_coefficient(0)), 1 + float(linked.leakage_coefficient(0, (1,)))]
with claim("Y-E8") as c:
    label = "two Gaussian tuples, M = λ = 1: largest log ratio of the integrals, weak and strong"
    c.decisive("one example").close([weak, strong], closed, label, rtol=1e-6)

# %% [markdown]
# ## Y-Th4.1 and Y-Th4.2 (equivalence with DP)
#
# Y-Th4.2: *For strong attackers ε-BDP is equivalent to ε-DP.* With nothing unknown, the conditional probability of the database is 1, and the output's distribution is the mechanism's own. The check has eight free probabilities and a free mechanism.
#
# Y-Th4.1: *For independent tuples ε-BDP is equivalent to ε-DP.* BDP includes the strong attackers, which gives one direction. For the other one, the unknown tuples have the same probabilities for both values of the target (checked with free margins, all attackers of three tuples), and the inequality of the averages applies.
#
# Both need positive probabilities if databases of probability zero are left out; the limits show what happens otherwise. If a strong attacker compares $\Pr(r \mid x)$ for all $x$ (`conditions="kernel"` of the package), both hold as printed.

# %%
free_joint = np.array(sp.symbols("p:8", positive=True), dtype=object).reshape(2, 2, 2)
free_mechanism = np.array(sp.symbols("m:8", positive=True), dtype=object).reshape(2, 2, 2, 1)
of_strong, of_mechanism = [], []
for i, known in everybody:
    if len(known) == 2:
        for entry in output_distribution(free_joint, free_mechanism, i, known).ravel():
            of_strong.append(sp.simplify(entry))
        of_mechanism.extend(free_mechanism.ravel())

shares = sp.symbols("s:3", positive=True)
margins = [np.array([1 - share, share], dtype=object) for share in shares]
free_independent = margins[0][:, None, None] * margins[1][:, None] * margins[2]
changes = set()
for i, known in everybody:
    unknown = tuple(j for j in range(3) if j != i and j not in known)
    given = free_independent / free_independent.sum(axis=unknown, keepdims=True)
    for change in (given.take(1, axis=i) - given.take(0, axis=i)).ravel():
        if unknown:
            changes.add(sp.simplify(change))

# %%
dp_levels = [dp_ratio(mechanism) for mechanism in mechanisms]
bdp_levels, strong_levels = [], []
for product_joint, joint, mechanism in zip(independent, joints, mechanisms):
    bdp_levels.append(worst_ratio(product_joint, mechanism))
    strong_ratios = [bdp_ratio(joint, mechanism, *who) for who in everybody if len(who[1]) == 2]
    strong_levels.append(max(strong_ratios))

never = np.array([[0.5, 0.5], [0.0, 0.0]])  # independent, but x1 = 1 never happens
never_query = np.array([[0, 1], [3, 4]])
twins = agree.astype(float)
xor = 1000 * np.array([[0, 1], [1, 0]])


def level_of(joint, query, conditions):
    """BDP level of the query with Lap(1)."""
    release = FiniteDistribution(joint, query=query, conditions=conditions)
    return release.worst_adversary(scale=1.0).leakage


never_dp = FiniteDistribution(never, query=never_query).dp_level(scale=1.0)
xor_dp = FiniteDistribution(twins, query=xor).dp_level(scale=1.0)
with claim("Y-Th4.1") as c:
    c.decisive("proved").exact(of_strong, of_mechanism, "strong attackers: the mechanism's own")
    label = "independent tuples, all attackers: unknown tuples have the same probabilities"
    c.decisive("proved").exact(changes, {sp.Integer(0)}, label)
    label = "averages with the same weights stay within e^ε, any number of terms"
    c.decisive("proved").holds(averages_stay_within, label, method="symbolic")
    label = "three independent tuples, 6 random distributions and mechanisms: BDP and DP"
    c.exact(bdp_levels, dp_levels, label)
    all_databases = level_of(never, never_query, "kernel")
    c.close(all_databases, never_dp, "a value of probability 0, all databases", rtol=1e-12)
    left_out = level_of(never, never_query, "positive")
    c.limit(never_dp, left_out, "a value of probability 0, left out: BDP")
with claim("Y-Th4.2") as c:
    label = "strong attackers of three tuples, free probabilities: the mechanism's own distribution"
    c.decisive("proved").exact(of_strong, of_mechanism, label)
    c.exact(strong_levels, dp_levels, "6 random distributions and mechanisms: strong BDP and DP")
    all_databases = level_of(twins, xor, "kernel")
    c.close(all_databases, xor_dp, "xor of twins, all databases", rtol=1e-12)
    left_out = level_of(twins, xor, "positive")
    c.limit(xor_dp, left_out, "xor of twins, impossible databases left out: BDP")

# %% [markdown]
# ## Y-4.d (BDP is the stronger of the two)
#
# *ε-DP is the bound for strong attackers only, ε-BDP for all of them, so BDP is the stronger one.* It is never weaker where every database has positive probability, and strictly stronger in an example.

# %%
pairs_checked = list(product(joints, mechanisms))
with claim("Y-4.d") as c:
    smaller = [dp_ratio(mechanism) for _, mechanism in pairs_checked]
    larger = [worst_ratio(joint, mechanism) for joint, mechanism in pairs_checked]
    label = "36 pairs of distribution and mechanism: DP at most BDP"
    c.decisive("sampled").at_most(smaller, larger, label)
    label = "three people nearly alike, noisy count: BDP, event by event"
    worst_alike = worst_ratio(alike, count_3)
    c.exact(worst_alike, max(by_events(alike, count_3, *who) for who in everybody), label)
    c.decisive("proved").holds(worst_alike > dp_ratio(count_3), "and strictly above DP")
    c.limit(xor_dp, left_out, "xor of twins, impossible databases left out: BDP at least")


# %% [markdown]
# ## Y-E9 (Pufferfish privacy)
#
# *For every output, every discriminative pair of secrets and every scenario, the ratio of the output's probabilities lies between $e^{-\varepsilon}$ and $e^{\varepsilon}$.* The smallest $e^{\varepsilon}$ as code, and three cases whose value is known from elsewhere.

# %%
def pufferfish_ratio(mechanism, pairs, scenarios):
    """Smallest exp(ε) in formula (9); secrets are arrays of 0 and 1 over the databases."""
    rows = mechanism.reshape(-1, mechanism.shape[-1])
    largest = Fraction(1)
    for theta in scenarios:
        for secret, other in pairs:
            p, q = (theta * secret).ravel(), (theta * other).ravel()
            if p.sum() > 0 and q.sum() > 0:
                ratio = (p @ rows / p.sum()) / (q @ rows / q.sum())
                largest = max(largest, ratio.max(), 1 / ratio.min())
    return largest


pairs = [(1 - bits[i], bits[i]) for i in range(3)]
one_bit = [(np.array([1, 0]), np.array([0, 1]))]
chances = [np.array([1 - p, p]) for p in (half, Fraction(1, 10))]
three_answers = np.empty((2, 2, 2, 8), dtype=object)  # three truthful answers with 3/4 each
for x in product((0, 1), repeat=3):
    two = np.outer(answer[x[0]], answer[x[1]])
    three_answers[x] = np.outer(two, answer[x[2]]).ravel()
copies = np.full((2, 2, 2), Fraction(0))
copies[0, 0, 0] = copies[1, 1, 1] = half

as_pufferfish, from_events = [], []
for joint, mechanism in zip(joints, mechanisms):
    as_pufferfish.append(pufferfish_ratio(mechanism, pairs, [joint]))
    from_events.append(max(by_events(joint, mechanism, i, ()) for i in range(3)))
with claim("Y-E9") as c:
    c.exact(pufferfish_ratio(answer, one_bit, chances), Fraction(3), "one answer")
    label = "three copies: three answers about one bit"
    c.exact(pufferfish_ratio(three_answers, pairs, [copies]), Fraction(27), label)
    label = "6 random distributions as scenarios, event by event"
    c.decisive("sampled").exact(as_pufferfish, from_events, label)


# %% [markdown]
# ## Y-4.f (BDP as a case of Pufferfish)
#
# *BDP is the case in which the secrets are the values of a tuple, with all pairs, and the scenarios are the conditional distributions given what the attacker knows.*

# %%
def scenarios(joint, sizes=(0, 1, 2)):
    """The joint distribution, given each value of each set of known tuples of these sizes."""
    for size in sizes:
        for known in combinations(range(3), size):
            for values in product((0, 1), repeat=size):
                remaining = joint.copy()
                for j, value in zip(known, values):
                    remaining = remaining * (bits[j] == value)
                yield remaining / remaining.sum()


cases = [(alike, count_3), (joints[0], three_answers), *zip(joints[1:], mechanisms)]
fish, attackers = [], []
for joint, mechanism in cases:
    fish.append(pufferfish_ratio(mechanism, pairs, scenarios(joint)))
    attackers.append(worst_ratio(joint, mechanism))
by_size, attackers_by_size = [], []
for size in range(3):
    by_size.append(pufferfish_ratio(mechanisms[0], pairs, scenarios(joints[0], [size])))
    ratios = [
        bdp_ratio(joints[0], mechanisms[0], *who) for who in everybody if len(who[1]) == size
    ]
    attackers_by_size.append(max(ratios))
with claim("Y-4.f") as c:
    label = f"all attackers and all conditional distributions, {len(cases)} cases"
    c.decisive("sampled").exact(fish, attackers, label)
    c.exact(by_size, attackers_by_size, "one case, attackers who know 0, 1, 2 tuples")

# %% [markdown]
# ## Y-4.g (Pufferfish leaves its ingredients open)
#
# *Pufferfish does not define its three ingredients, so that it cannot evaluate a mechanism.* It gives a mechanism no level of its own: another choice of any one ingredient gives another level.

# %%
mechanism, joint = mechanisms[0], joints[0]
two_bits = []
for i in range(3):
    j = (i + 1) % 3
    two_bits.append(((1 - bits[i]) * (1 - bits[j]), bits[i] * bits[j]))
levels = [
    pufferfish_ratio(mechanism, pairs, [joint]),
    pufferfish_ratio(mechanism, two_bits, [joint]),  # other secrets
    pufferfish_ratio(mechanism, pairs[:1], [joint]),  # fewer pairs
    pufferfish_ratio(mechanism, pairs, [joints[1]]),  # another scenario
]
from_events = [
    max(by_events(joint, mechanism, i, ()) for i in (0, 1, 2)),
    by_events(joint, mechanism, 0, ()),
    max(by_events(joints[1], mechanism, i, ()) for i in (0, 1, 2)),
]
with claim("Y-4.g") as c:
    label = "one mechanism, each ingredient once chosen otherwise: number of different levels"
    c.decisive("one example").exact(len(set(levels)), len(levels), label)
    c.exact([levels[0], levels[2], levels[3]], from_events, "three of the four, event by event")

# %% [markdown]
# ## Y-4.kind (DP as a case of Pufferfish)
#
# *Differential privacy is a kind of Pufferfish, too.* Its scenarios are certain of all tuples but one, about which nothing is known. Scenarios in which the tuples are independent ask for no more.

# %%
certain = []
for i in range(3):
    others = [j for j in range(3) if j != i]
    for values in product((0, 1), repeat=2):
        fixed = np.full((2, 2, 2), half)
        for j, value in zip(others, values):
            fixed = fixed * (bits[j] == value)
        certain.append(fixed)
as_pufferfish = [pufferfish_ratio(mechanism, pairs, certain) for mechanism in mechanisms]
of_independent = [pufferfish_ratio(mechanism, pairs, independent) for mechanism in mechanisms]
with claim("Y-4.kind") as c:
    label = "certain of all tuples but one: differential privacy, 6 random mechanisms"
    c.decisive("sampled").exact(as_pufferfish, dp_levels, label)
    c.at_most(of_independent, dp_levels, "6 distributions of independent tuples: never more")

# %% [markdown]
# ## Y-B4 (composition)
#
# Beyond the paper: *for correlated finite data, two releases can leak more than the sum of their leakages; in the Gaussian model with Laplace noise, leakages add up.*
#
# Let $x_2 = 0$ whenever $x_1 = 0$, and $x_2 = 1$ with probability $q = 1 - p$ given $x_1 = 1$. With $y = e^{\varepsilon}$, one release leaks $\log y(p + qy)$ and two leak $\log y^2(p + q y^2)$. The example of the page has positive probabilities everywhere.

# %%
y, p, q = sp.symbols("y p q", positive=True)
square = (p + q * y) ** 2
goal = (p + q) * (p + q * y**2)  # p + q = 1
superadditive = (
    derivation(square, of=r"e^{2\varphi(\varepsilon) - 2\varepsilon}")
    .equal(goal - p * q * (y - 1) ** 2, "expand")
    .at_most(goal, "less a square", by="square")
)
superadditive

# %% [markdown]
# In the Gaussian model, $s$ is normal given $x_i$, with a variance that does not depend on $x_i$. So the logarithms of its moments for two values of $x_i$ differ by a linear function of $t$. No output exceeds this: the densities are one density, shifted by $\delta$, and a shift changes each Laplace factor by at most $e^{\delta/\lambda}$.

# %%
mean, sigma, t = sp.symbols("mu sigma t", positive=True)
s = sp.Symbol("s", real=True)
normal = sp.exp(-((s - mean) ** 2) / (2 * sigma**2)) / (sigma * sp.sqrt(2 * sp.pi))
moments = sp.Integral(sp.exp(t * s) * normal, (s, -sp.oo, sp.oo))
stated = sp.exp(mean * t + (sigma * t) ** 2 / 2)
of_normal = derivation(moments, of=r"\operatorname{E}\left[e^{ts}\right]")
of_normal = of_normal.equal(stated, "complete the square")
of_normal

# %%
tenth = Fraction(1, 10)
limit_form = np.array([[half, Fraction(0)], [half * (1 - tenth), half * tenth]])
leak_k, phi_k = [], []
for k in (1, 2, 3):
    leak_k.append(sp.exp(FiniteDistribution(limit_form).leakage(0, scale=1 / (k * eps))))
    phi_k.append(E**k * (sp.Rational(9, 10) + E**k / 10))

rare = np.array([[0.01 * 0.999, 0.01 * 0.001], [0.99 * 0.9, 0.99 * 0.1]])
outputs = np.arange(-2, 5)
once = np.exp(-abs(outputs - sum_2[..., None]))
twice = (once[..., :, None] * once[..., None, :]).reshape(2, 2, -1)
leak_once, leak_twice = np.log(worst_ratio(rare, once)), np.log(worst_ratio(rare, twice))

draws = 4_000_000
rng = np.random.default_rng(20150531)
hits = []
for x1, chance in ((0, 0.001), (1, 0.1)):
    drawn = x1 + (rng.random(draws) < chance)
    published = drawn + rng.laplace(size=(2, draws))
    hits.append((published >= 2).all(axis=0).sum())  # the ratio is the same for all r >= 2
simulated = np.log(hits[1] / hits[0])
stderr = np.sqrt(1 / hits[0] + 1 / hits[1])

# %%
shift = 1 + float(linked.leakage_coefficient(0))  # how far x1 moves the mean of the sum
s_grid = np.linspace(-8, 8, 4001)
weights = np.exp(-(s_grid**2))  # variance 1/2


def two_outputs(pairs, mean):
    """Density of two releases with Lap(1) at pairs of outputs, up to a constant."""
    distance = abs(pairs[..., None] - mean - s_grid).sum(axis=-2)
    return (np.exp(-distance) * weights).sum(axis=-1)


far = np.random.default_rng(2).uniform(-6, 7.5, (500, 2))
far = np.vstack([far, [[-12, -12]]])
gaussian_ratios = abs(np.log(two_outputs(far, 0.0) / two_outputs(far, shift)))
with claim("Y-B4") as c:
    label = "limit form: two releases leak at least twice as much, any ε and q"
    c.decisive("proved").derived(superadditive, square, goal, label)
    differences = [sp.simplify(one - other) for one, other in zip(leak_k, phi_k)]
    c.exact(differences, [0, 0, 0], "limit form, q = 1/10: 1, 2, 3 releases leak φ(kε), any ε")
    label = "all probabilities positive: two releases above the sum"
    c.holds(leak_twice > 2 * leak_once + 0.1, label, method="numeric")
    merged = FiniteDistribution(rare).worst_adversary(scale=0.5).leakage
    c.close(leak_twice, merged, "search over pairs of outputs, and one release", rtol=1e-12)
    c.sampled(simulated, leak_twice, f"{draws:,} draws for each value", stderr=stderr)
    label = "Gaussian: the moments whose logarithms differ by a linear function"
    c.decisive("proved").derived(of_normal, moments, stated, label)
    label = "Gaussian [[2, −1], [−1, 2]], two releases, 501 pairs of outputs: within the sum"
    c.at_most(gaussian_ratios, 2 * shift, label, slack=1e-9)
    c.close(gaussian_ratios.max(), 2 * shift, "and the sum is approached", rtol=1e-6)

# %% [markdown]
# ## Y-B14 (several releases are worth one)
#
# Beyond the paper: *releases of one query with independent Laplace noise of scales $\lambda_1, \dots, \lambda_k$ leak to every attacker exactly what one release of scale $\lambda$ leaks, with $1/\lambda = \sum_j 1/\lambda_j$.*
#
# Let $h(s) = e^{-a|r_1 - s| - b|r_2 - s|}$, $c = a + b$ and $r_1 \le r_2$. Equal outputs give the density of the single release. The other direction is the identity
#
# $$ h(s) = \tfrac{a}{c} h(r_1) e^{-c|r_1 - s|} + \tfrac{b}{c} h(r_2) e^{-c|r_2 - s|} + \int_{r_1}^{r_2} \tfrac{2ab}{c} h(t) e^{-c|t - s|} dt. $$
#
# (Where the coefficients come from: $c^2 - d^2/ds^2$ turns $e^{-c|t - s|}$ into $2c$ times a point mass at $t$. Applied to $h$, it gives 0 outside $[r_1, r_2]$, $(c^2 - (a - b)^2)\,h = 4ab\,h$ inside, and point masses $2a\,h(r_1)$ and $2b\,h(r_2)$ at the ends.) The check integrates it for $s$ to the left of both outputs, between them and to the right. Three releases are two, of which one is worth two, and so on.

# %%
ra, rb, gap, t = sp.symbols("a b g t", positive=True)
z, v = sp.symbols("z v", positive=True)
rc = ra + rb


def mixture(left, right, pieces):
    """Right side for outputs 0 and left + right; pieces: (sign, low, high) of the integral."""
    width = sp.expand(left + right)
    s_at = left
    total = ra / rc * sp.exp(-rb * width) * sp.exp(-rc * sp.Abs(s_at))
    total += rb / rc * sp.exp(-ra * width) * sp.exp(-rc * sp.Abs(right))
    h_inside = sp.exp(-ra * t - rb * (width - t))
    for sign, low, high in pieces:
        inside = 2 * ra * rb / rc * h_inside * sp.exp(-rc * sign * (t - s_at))
        total += sp.integrate(sp.expand(inside), (t, low, high))
    return total


# s = left; the outputs are 0 and left + right
at_left = mixture(-z, gap + z, [(1, 0, gap)])  # s = -z, outputs 0 and g
at_right = mixture(gap + z, -z, [(-1, 0, gap)])  # s = g + z, outputs 0 and g
at_middle = mixture(z, v, [(-1, 0, z), (1, z, z + v)])  # s = z, outputs 0 and z + v
identities = [
    at_left - sp.exp(-ra * z - rb * (gap + z)),
    at_right - sp.exp(-ra * (gap + z) - rb * z),
    at_middle - sp.exp(-ra * z - rb * v),
]

# %%
odd_query = np.array([[[0, 1], [3, 4]], [[9, 2], [7, 5]]])
searched, single = [], []
for scales, step in (((2.0, 0.5), 0.25), ((3.0, 3.0), 0.25), ((4.0, 1.5, 0.7), 1.0)):
    points = np.arange(-1, 10.001, step)
    outputs = np.array(list(product(points, repeat=len(scales))))
    distance = abs(outputs - odd_query[..., None, None]) / np.array(scales)
    several = np.exp(-distance.sum(axis=-1))
    one_scale = 1 / sum(1 / scale for scale in scales)
    for exact in joints[3:5]:
        joint = exact.astype(float)
        release = FiniteDistribution(joint, query=odd_query)
        for who in everybody:
            searched.append(np.log(bdp_ratio(joint, several, *who)))
            single.append(release.leakage(*who, scale=one_scale))
with claim("Y-B14") as c:
    label = "the identity to the left of both outputs, to the right and between, any two scales"
    simplified = [sp.simplify(identity) for identity in identities]
    c.decisive("proved").exact(simplified, [0, 0, 0], label)
    label = "averages with the same weights stay within e^ε, any number of terms"
    c.decisive("proved").holds(averages_stay_within, label, method="symbolic")
    label = "two and three releases, 2 distributions, 12 attackers: grid of outputs, one release"
    c.close(searched, single, label, rtol=1e-12)

# %% [markdown]
# ## Y-B5 (group privacy)
#
# Beyond the paper: *where every database has positive probability, $\mathrm{DP} \le \sup_{\mathcal{A}} \mathrm{BDPL}_{\mathcal{A}}$, and $\mathrm{BDPL}_{\mathcal{A}} \le (n - |\mathcal{K}|)\,\mathrm{DP}$, with equality for a noisy sum where the target and the unknown tuples are perfect copies and the known ones independent.*

# %%
ratios, bounds = [], []
for joint, mechanism in [(alike, count_3), *zip(joints, mechanisms)]:
    for who in everybody:
        ratios.append(bdp_ratio(joint, mechanism, *who))
        bounds.append(dp_ratio(mechanism) ** (3 - len(who[1])))
worst = [worst_ratio(joint, mechanism) for joint, mechanism in zip(joints, mechanisms)]

rng = np.random.default_rng(150)
leakages, unknown_and_target = [], []
for probabilities in rng.dirichlet(np.full(16, 0.15), size=150):
    distribution = FiniteDistribution(probabilities.reshape(2, 2, 2, 2))
    for who, leakage in distribution.all_leakages(scale=1.0).items():
        leakages.append(leakage)
        unknown_and_target.append(4 - len(who.known))

copied, multiples = [], []
for n in (2, 3, 4):
    for known in range(n):
        copies = np.full((2,) * (n - known), Fraction(0))
        copies.flat[[0, -1]] = half
        apart = np.full((2,) * known, Fraction(1, 2**known))
        joint = np.multiply.outer(copies, apart)
        leakage = FiniteDistribution(joint).leakage(0, range(n - known, n), scale=1 / eps)
        copied.append(sp.simplify(leakage))
        multiples.append((n - known) * eps)
with claim("Y-B5") as c:
    label = "three bits, 84 cases in fractions: at most (n − |K|) DP"
    c.decisive("sampled").at_most(ratios, bounds, label)
    beyond = worst_ratio(alike, count_3) > dp_ratio(count_3) ** 2
    c.holds(beyond, "nearly alike: more than 2 DP")
    c.decisive("sampled").at_most(dp_levels, worst, "DP at most the worst attacker")
    label = "150 distributions of four bits, Laplace noise"
    c.at_most(leakages, unknown_and_target, label, slack=1e-9)
    label = "n ≤ 4, perfect copies and k known tuples: (n − k) ε, any ε"
    c.decisive("exhaustive").exact(copied, multiples, label)
