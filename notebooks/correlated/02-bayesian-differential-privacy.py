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
# # What does Bayesian differential privacy promise?
#
# A promise of privacy is worth as much as the list of attackers that it covers. Differential privacy
# covers one kind: those who know everybody but you. Yang, Sato and Nakagawa cover all who know *some*
# of the others, and they count what the known ones say about the unknown ones. How long is that list?
# Who is still missing? And if each of two releases keeps the promise, do both together?
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what the definition says when it is executed, when it coincides with differential
# privacy, how far apart the two can be, why it is a member of the Pufferfish family, and why two
# releases can leak more than twice as much as one.
# **You need** the [first notebook](01-why-dp-is-not-enough.ipynb) and Bayes' rule.
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple; the number of tuples is fixed. **The attackers**
# $\mathcal{A}(i, \mathcal{K})$, one for each target $i$ and each set $\mathcal{K}$ of other tuples: they know the
# exact values $x_{\mathcal{K}}$, the joint law and the mechanism. **Protected:** the odds between any two values
# of $x_i$. **Not protected:** what the law alone says; and nobody is protected from attackers who know
# something else than exact values of some tuples, or whose data follow another law.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy.integrate import trapezoid
from scipy.stats import laplace

from privlib.correlated import gaussian
from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, derivation, misprints, plots, table

plots.use()


# %% [markdown]
# ## The definition, executed
#
# ```{prf:definition} Bayesian differential privacy (ベイジアン差分プライバシー); the paper's Definition 4.1
# :label: def-02-bdp
# The *leakage* (漏洩) of a mechanism to the attacker $\mathcal{A} = \mathcal{A}(i, \mathcal{K})$ is
#
# $$ \begin{aligned} &\mathrm{BDPL}_{\mathcal{A}} \\
#    &\quad = \sup_{x_i, x_i', x_{\mathcal{K}}, S}
#    \log \frac{\Pr(r \in S \mid x_i, x_{\mathcal{K}})}{\Pr(r \in S \mid x_i', x_{\mathcal{K}})}, \end{aligned} $$
#
# where the unknown tuples are summed out,
#
# $$ \begin{aligned} &\Pr(r \in S \mid x_i, x_{\mathcal{K}}) \\
#    &\quad = \sum_{x_{\mathcal{U}}} \Pr(r \in S \mid x)\, \Pr(x_{\mathcal{U}} \mid x_i, x_{\mathcal{K}}), \end{aligned} $$
#
# with an integral for continuous tuples. The mechanism is $\varepsilon$-BDP if no attacker's leakage
# exceeds $\varepsilon$.
# ```
#
# The second formula separates what the curator controls, $\Pr(r \in S \mid x)$, from what nature
# controls, $\Pr(x_{\mathcal{U}} \mid x_i, x_{\mathcal{K}})$. (Conditions of probability zero are left out, see {ref}`notebook 1 <corr-readings>`. Continuous tuples without bounds need
# a bound on $|x_i - x_i'|$; [notebook 3](03-gaussian-correlation-model.ipynb) adds it.) As code, with one array axis a tuple and a last axis for the
# output; tuple 1 of the text is index `0` here:

# %%
def output_law(joint, mechanism, target, known):
    """Pr(r | x_i, x_K): sum over the unknown tuples, formula (4) of the paper."""
    unknown = tuple(j for j in range(joint.ndim) if j != target and j not in known)
    given = joint / joint.sum(axis=unknown, keepdims=True)  # Pr(x_U | x_i, x_K)
    return (mechanism * given[..., None]).sum(axis=unknown)


def bdp_ratio(joint, mechanism, target, known=()):
    """exp(BDPL): largest ratio over x_i, x_i', x_K, output: (2) of the paper."""
    law = output_law(joint, mechanism, target, known)
    law = np.moveaxis(law, sum(j < target for j in known), 0)
    return (law[:, None] / law[None, :]).max()


# %% [markdown]
# Fractions in, fraction out. So we need laws and mechanisms made of fractions: random ones, to have no
# luck, and a clamped geometric mechanism (the Laplace mechanism's discrete cousin) for the sum.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def random_law(rng, *shape):
    """Random probabilities along the last axis, exact and positive."""
    raw = rng.integers(1, 30, shape).astype(object) * Fraction(1)
    return raw / raw.sum(axis=-1, keepdims=True)


def random_joint(rng, n):
    return random_law(rng, 2**n).reshape((2,) * n)


def geometric(n, q):
    """Sum of n bits plus noise with law proportional to q^|z|, clamped to 0..n."""
    s, r = np.ogrid[: n + 1, : n + 1]
    table = (1 - q) * np.array(
        [[q ** int(d) for d in row] for row in abs(s - r)], dtype=object
    )
    table[:, [0, -1]] /= 1 - q
    return (table / (1 + q))[np.indices((2,) * n).sum(axis=0)]


positive = np.array(
    [[Fraction(49, 100), Fraction(1, 100)], [Fraction(1, 100), Fraction(49, 100)]]
)
rng = np.random.default_rng(4)
joints = [random_joint(rng, 3) for _ in range(6)]
kernels = [random_law(rng, 2, 2, 2, 4) for _ in joints]

# %%
count = geometric(2, Fraction(1, 2))  # level of DP: log 2
for target, known in adversaries(2):
    kind = "strong" if known else "weak"
    print(kind, f"on x{target + 1}:", bdp_ratio(positive, count, target, known))

# %% [markdown]
# Under Table 3(b) the strong attackers' odds at most double; the weak ones' may nearly quadruple. Are
# these few lines the definition? Two checks that share nothing with them: the elementary
# $\Pr(A \cap B)/\Pr(B)$, for all twelve attackers of three tuples, and the package's evaluation for
# Laplace noise, which uses only the values of the query as candidates for the supremum. Formula (8) of the paper
# writes the integral out for continuous tuples; we integrate numerically and compare with the closed form for a Gaussian model of notebook 3.

# %% jupyter={"source_hidden": true} tags=["evidence"]
total = np.indices((2, 2, 2)).sum(axis=0)
steps = np.arange(-2, 5.001, 0.25)
noisy = np.exp(-abs(steps - total[..., None]))  # Lap(1), up to its constant factor
odd_one = geometric(3, Fraction(1, 3))
cube = np.indices((2, 2, 2)).reshape(3, -1)  # the eight databases, one a column


def by_events(joint, mechanism, target, known):
    """exp(BDPL) by Pr(A and B) / Pr(B), event by event."""
    flat, rows = joint.ravel(), mechanism.reshape(8, -1)
    laws = []
    for value in product((0, 1), repeat=len(known) + 1):
        event = np.all(cube[[target, *known]].transpose() == value, axis=1)
        laws.append(flat[event] @ rows[event] / flat[event].sum())
    first, second = np.array(laws).reshape(2, -1, rows.shape[1])
    return max((first / second).max(), (second / first).max())


everybody = list(adversaries(3))
with claim("Y-D4.1") as c:
    sums = odd_one.sum(axis=-1)
    c.exact(sums, np.full((2, 2, 2), Fraction(1)), "the mechanism's laws sum to one")
    mine = [
        bdp_ratio(j, k, *who) for j, k in zip(joints, kernels) for who in everybody
    ]
    events = [
        by_events(j, k, *who) for j, k in zip(joints, kernels) for who in everybody
    ]
    label = "6 random laws and mechanisms, all 12 attackers, by events"
    c.decisive("sampled").exact(mine, events, label)
    laplace_mine, package = np.transpose(
        [
            (
                np.log(bdp_ratio(law, noisy, *who)),
                FiniteDistribution(law).bdp_leakage(*who, scale=1.0),
            )
            for law in (joint.astype(float) for joint in joints)
            for who in everybody
        ]
    )
    label = "Laplace noise, 6 random laws, all 12 attackers, by the package"
    c.decisive("sampled").close(laplace_mine, package, label, rtol=1e-12)
P = np.array([[2.0, -1.0], [-1.0, 2.0]])  # then x2 is normal(x1/2, 1/2) given x1
u = np.linspace(-12, 12, 12_001)
outs = np.linspace(-14, 14, 29)


def integral(x1, known):
    """Density of the sum plus Lap(1) given x1 (and x2 = 0, if known)."""
    if known:
        return laplace.pdf(outs - x1)
    conditional = np.exp(-((u - x1 / 2) ** 2)) / np.sqrt(np.pi)
    return np.array(
        [trapezoid(laplace.pdf(r - x1 - u) * conditional, u) for r in outs]
    )


with claim("Y-E8") as c:
    found = [np.log(integral(1.0, k) / integral(0.0, k)).max() for k in ((), (1,))]
    model = GaussianModel(precision=sp.Matrix(P.astype(int)), width=1)
    closed = [1 + float(model.leakage_coefficient(0, k)) for k in ((), (1,))]
    label = "two Gaussian tuples, M = λ = 1: largest log ratio of the two integrals"
    c.decisive("one example").close(found, closed, label, rtol=1e-6)

# %% [markdown]
# The function divides by $\Pr(x_i, x_{\mathcal{K}})$. If that is zero, `Fraction` refuses, and it refuses at
# the one place where the definition is silent.
#
# ## Sets or points?
#
# The supremum runs over all sets $S$ of outputs, and there are $2^m$ of them for $m$ outputs. The text
# replaces sets by points, in formulas (6) and (7) of the paper. May one? All rests on a school fact, which will carry half of this
# notebook.
#
# ```{prf:proposition} The mediant
# :label: thm-02-mediant
# For positive $a, b, c, d$ the ratio $(a + c)/(b + d)$ lies between $a/b$ and $c/d$. So a ratio of two sums
# or integrals, term against term, is never above the largest ratio of terms.
# ```
#
# Let $c/d = s$ be the smaller ratio and $a/b = s + h$ the larger one. Then

# %% jupyter={"source_hidden": true} tags=["evidence"]
b_, d_, s_ = sp.symbols("b d s", positive=True)
h_ = sp.Symbol("h", nonnegative=True)
both = ((s_ + h_) * b_ + s_ * d_) / (b_ + d_)
mediant = (
    derivation(both, of=r"\frac{a + c}{b + d}")
    .equal(s_ + h_ * b_ / (b_ + d_), "take $s$ out")
    .at_most(s_ + h_, "$b/(b + d) \\le 1$", by="coefficients")
)
mediant

# %% [markdown]
# and the middle expression is at least $s$. So no set beats its best point; and in the other
# direction, points are sets (discrete outputs) or limits of shrinking intervals (continuous ones). The checks go through all subsets of an output alphabet, all intervals between the points of a grid for Laplace noise, and the
# half-line $r \le 0$ on which the ratio is constant.

# %% jupyter={"source_hidden": true} tags=["evidence"]
eps = sp.Symbol("epsilon", positive=True)
negative = positive[::-1]
subsets = np.array(list(product((0, 1), repeat=4))[1:]).T  # sets of 4 outputs
edges = np.linspace(-6, 8, 57)
low, high = np.array(list(combinations(edges, 2))).T
sums = np.indices((2, 2)).sum(axis=0)[..., None]
intervals = laplace.cdf(high - sums) - laplace.cdf(low - sums)

with claim("Y-E6") as c:
    c.decisive("proved").derived(mediant, both, s_ + h_, "no sum beats its best term")
    cases = [(j, k, who) for j, k in zip(joints[:3], kernels) for who in everybody]
    sets = [bdp_ratio(joint, kernel @ subsets, *who) for joint, kernel, who in cases]
    points = [bdp_ratio(joint, kernel, *who) for joint, kernel, who in cases]
    label = f"{len(cases)} cases: the best of {subsets.shape[1]} sets is a point"
    c.decisive("sampled").exact(sets, points, label)
    for name, joint in {"(b)": positive, "(c)": negative}.items():
        law = joint.astype(float)
        best_set = np.log(bdp_ratio(law, intervals, 0))
        best_point = FiniteDistribution(law).bdp_leakage(0, scale=1.0)
        c.at_most(best_set, best_point, f"{name}: {len(low)} intervals", slack=1e-9)
        r = sp.Symbol("r", real=True)
        half = [
            sp.integrate(sp.exp(-eps * (s - r)) * eps / 2, (r, -sp.oo, 0))
            for s in range(3)
        ]
        numerator, denominator = (
            sum(sp.Rational(joint[x1, x2]) * half[x1 + x2] for x2 in (0, 1))
            for x1 in (0, 1)
        )
        points = FiniteDistribution(joint).bdp_leakage(0, scale=1 / eps)
        attained = sp.simplify(numerator / denominator - sp.exp(points))
        c.exact(attained, 0, f"{name}: the half-line r ≤ 0 attains it, any ε")
    shrunk = []
    for width in (0.1, 0.01, 0.001):
        cell = laplace.cdf(0.5 + width - sums) - laplace.cdf(0.5 - sums)
        shrunk.append(np.log(bdp_ratio(positive.astype(float), cell, 0)))
    point = np.log(bdp_ratio(positive.astype(float), laplace.pdf(0.5 - sums), 0))
    label = "intervals of width 0.1, 0.01, 0.001 at r = 0.5: gap to the point"
    c.at_most(np.abs(np.array(shrunk) - point), [0.1, 0.01, 0.001], label)

# %% [markdown]
# So formula (2) of the paper may be evaluated at points, as everything in this book does.
#
# ## Whom does it cover?
#
# Each tuple is the target of one attacker for each subset of the other tuples: $n\,2^{n-1}$ attackers. The
# abstract says more.
#
# ```{admonition} As printed
# :class: as-printed
# The definition protects *any data* (任意のデータ) from attackers with *any prior knowledge* (任意の事前知識).
# ```
#
# Take two independent fair coins and noise for level $\varepsilon$. All four
# attackers learn $\varepsilon$. A fifth one has heard only this: the two coins *agree*.

# %%
coins = np.full((2, 2), Fraction(1, 4))
agree = np.array([[Fraction(1, 2), Fraction(0)], [Fraction(0), Fraction(1, 2)]])
four = [FiniteDistribution(coins).bdp_leakage(*who, scale=1 / eps) for who in adversaries(2)]
fifth = FiniteDistribution(agree).bdp_leakage(0, scale=1 / eps)
print("the four:", four, " who was told that x1 = x2:", sp.simplify(fifth))

# %% [markdown]
# That rumour is not the exact value of a tuple, so this attacker is none of the four. For the same reason
# the guarantee speaks of one joint law: data that follow another one are outside. Section 3.1 says both (its
# Assumptions 1 and 2), so the theory is not touched. What holds: *for the one joint law that everybody knows, protection from all who know exact values of some tuples*.

# %% jupyter={"source_hidden": true} tags=["evidence"]
by_law = [FiniteDistribution(j.astype(float)).bdp_leakage(0, scale=10.0)
          for j in (coins, positive)]  # fmt: skip
with claim(
    "Y-0.any",
    printed="any data, attackers with any prior knowledge",
    corrected="data of the one law assumed, attackers who know values of some tuples",
    consequence="None: Assumptions 1 and 2 of section 3.1 say so.",
) as c:
    told = sp.simplify(fifth)
    c.differs(
        eps, told, "two independent coins, attacker told that they agree: leakage"
    )
    assert told == 2 * eps  # he has two copies of the bit
    assumed, wrong_law = by_law[0], by_law[1]
    label = "noise for independent coins, data by Table 3(b): leakage"
    c.differs(assumed, wrong_law, label)
    laws = [joint.astype(float) for joint in (coins, positive, negative, *joints[:2])]
    scales = [FiniteDistribution(law).noise_scale(0.1) for law in laws]
    grid_of = [np.arange(law.ndim + 1.0) for law in laws]  # the values of the sum
    searched = [
        max(
            np.log(
                bdp_ratio(
                    law,
                    np.exp(-abs(ts - np.indices(law.shape).sum(0)[..., None]) / s),
                    *who,
                )
            )
            for who in adversaries(law.ndim)
        )
        for law, s, ts in zip(laws, scales, grid_of)
    ]
    label = "5 laws, the package's scale for ε = 0.1: worst attacker, by formula (4)"
    c.decisive("sampled").close(searched, 0.1, label, rtol=1e-9)

# %% [markdown]
# Is such an attacker a threat that one should plan for? {ref}`An exercise below <ex-02-events>` shows where the line runs:
# knowledge about *the others alone* is harmless for independent data; knowledge that *ties the target to
# the others* is correlation by another name.
#
# And one more is not on the list. The aim that the paper ascribes to differential privacy (section 4.1) covers adding and deleting (追加, 削除) a tuple as well as changing it; both definitions compare two values of one tuple, with $n$ fixed. Publish $n$. No attacker of the definition learns anything from it (leakage 0), and whoever joins or leaves is noticed for certain. Presence needs a tuple of its own, with the value *absent*.

# %% jupyter={"source_hidden": true} tags=["evidence"]
publish_n = np.full((2, 2, 2, 1), Fraction(1))  # always the same output
assert {bdp_ratio(j, publish_n, *who) for j in joints for who in everybody} == {1}


# %% [markdown]
# ## When is it differential privacy?
#
# Two cases, says the paper, and they are the ones where Table 1 of the first notebook says "adequate".
#
# ```{prf:theorem} Independent data (独立データ); the paper's Theorem 4.1
# :label: thm-02-independent
# If all tuples are independent (and each of their values has positive probability), $\varepsilon$-BDP is equivalent to $\varepsilon$-DP.
# ```
#
# ```{prf:theorem} Correlated data and the strong attacker (強い攻撃者); the paper's Theorem 4.2
# :label: thm-02-strong
# If only attackers who know all tuples but the target are admitted (and every database has positive probability), $\varepsilon$-BDP is equivalent to
# $\varepsilon$-DP.
# ```
#
# The paper has neither bracket; the next section says when they are needed.
#
# *Why.* A strong attacker has nothing to sum over: the two laws are $\Pr(r \mid x_i, x_{-i})$ and
# $\Pr(r \mid x_i', x_{-i})$, and that is the ratio of differential privacy. That is Theorem 4.2. If the tuples are
# independent, everybody else averages the *same* weights $\Pr(x_{\mathcal{U}})$ over both, and the mediant
# ({prf:ref}`thm-02-mediant`) says that an average of this kind is never above the worst pair, which is a
# strong attacker's. That is Theorem 4.1.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def dp_ratio(mechanism):
    """exp(DP): largest ratio over databases one tuple apart, (1) of the paper."""
    sides = [np.moveaxis(mechanism, i, 0) for i in range(mechanism.ndim - 1)]
    return max((side[:, None] / side[None, :]).max() for side in sides)


def worst_ratio(joint, mechanism):
    return max(bdp_ratio(joint, mechanism, *who) for who in adversaries(joint.ndim))


def level(joint, scale=1.0, **query):
    """BDP level of a Laplace release: the leakage to the worst attacker."""
    return FiniteDistribution(joint, **query).worst_adversary(scale=scale).leakage


margins = [random_law(rng, 3, 2) for _ in range(6)]
independent = [p[0][:, None, None] * p[1][:, None] * p[2] for p in margins]
together = np.full((2, 2, 2), Fraction(1, 30))
together[0, 0, 0] = together[1, 1, 1] = Fraction(12, 30)
rows = {"geometric": odd_one, "random": kernels[0]}
table(
    {
        "mechanism": list(rows),
        "DP": [str(dp_ratio(k)) for k in rows.values()],
        "BDP, independent tuples": [
            str(worst_ratio(independent[0], k)) for k in rows.values()
        ],
        "BDP, correlated tuples": [
            str(worst_ratio(together, k)) for k in rows.values()
        ],
    },
    caption=r"Largest ratio, $e^{\mathrm{DP}}$ and $e^{\mathrm{BDP}}$, of two "
    "mechanisms on three bits.",
)

# %% [markdown]
# Independent tuples: the same level, to the last digit of the fraction. Correlated ones raise it for the mechanism that
# adds up the bits. They do not have to raise it: the random mechanism's worst pair of databases differs in one tuple
# anyway, and mixing only softens it.
#
# ## What if a condition has probability zero?
#
# Let $x_1 = x_2$ almost surely, and release 1000 times their exclusive
# or, plus $\operatorname{Lap}(1)$. On every database that can occur the release says nothing; on those that cannot, it
# says everything. What does the strong attacker learn?

# %%
twins, xor = agree.astype(float), 1000 * np.array([[0, 1], [1, 0]])
print("differential privacy", FiniteDistribution(twins, query=xor).dp_level(scale=1.0))
for name, reading in (("conditioning", "positive"), ("kernel", "kernel")):
    law = FiniteDistribution(twins, query=xor, conditions=reading)
    print(f"{name:12s} weak {law.bdp_leakage(0, scale=1.0):.0f},", end=" ")
    print(f"strong {law.bdp_leakage(0, (1,), scale=1.0):.0f}")

# %% [markdown]
# By *conditioning*, which we use throughout ({ref}`the two readings <corr-readings>`), nothing: BDP is 0 and DP is 1000. So the theorems need their brackets: equivalence means that every database of formula (1) of the paper
# occurs. In the *kernel* reading a strong attacker's law is the mechanism's own for every $x$, likely or not, and both theorems hold as printed, for every law. The paper does not say which it means, so neither is its error.
# The same goes for the conclusion of section 4.2.3: differential privacy
# bounds the strong attackers only, BDP bounds all of them, so BDP is the stronger (強い) of the two.

# %% jupyter={"source_hidden": true} tags=["evidence"]
never = np.array([[0.5, 0.5], [0.0, 0.0]])  # independent, but x1 = 1 never happens
triple = {"query": np.array([[0, 1], [3, 4]])}
readings = {
    reading: FiniteDistribution(twins, query=xor, conditions=reading).all_leakages(scale=1.0)
    for reading in ("positive", "kernel")
}
xor_level = FiniteDistribution(twins, query=xor).dp_level(scale=1.0)
levels_dp = list(map(dp_ratio, kernels))
with claim("Y-Th4.1") as c:
    mixed = [
        worst_ratio(apart, kernel) for apart, kernel in zip(independent, kernels)
    ]
    label = "three independent tuples, 6 random laws and mechanisms"
    c.decisive("sampled").exact(mixed, levels_dp, label)
    dp = FiniteDistribution(never, **triple).dp_level(scale=1.0)
    label = "a value of probability 0, kernel reading"
    c.close(level(never, conditions="kernel", **triple), dp, label, rtol=1e-12)
    label = "a value of probability 0, conditioning: BDP"
    c.limit(dp, level(never, **triple), label)
with claim("Y-Th4.2") as c:
    only_strong = [
        max(bdp_ratio(joint, kernel, *who) for who in everybody if len(who[1]) == 2)
        for joint, kernel in zip(joints, kernels)
    ]
    label = "three correlated tuples, 6 random laws and mechanisms"
    c.decisive("sampled").exact(only_strong, levels_dp, label)
    strong = [v for (_, known), v in readings["kernel"].items() if known]
    c.close(strong, [xor_level] * 2, "xor of twins, kernel reading", rtol=1e-12)
    by_conditioning = max(readings["positive"].values())
    c.limit(xor_level, by_conditioning, "xor of twins, conditioning: BDP")
with claim("Y-4.d") as c:
    pairs_of = [(j, k) for j in joints for k in kernels]
    never_above = all(dp_ratio(k) <= worst_ratio(j, k) for j, k in pairs_of)
    label = "DP never above BDP, 36 pairs of law and mechanism, full support"
    c.decisive("sampled").holds(never_above, label)
    strictly = worst_ratio(together, odd_one) > dp_ratio(odd_one)
    c.decisive("proved").holds(
        strictly, "three bits, geometric mechanism: BDP above DP"
    )
    kernel_level = max(readings["kernel"].values())
    c.close(
        kernel_level, xor_level, "xor of twins: DP = BDP, kernel reading", rtol=1e-12
    )
    c.limit(xor_level, by_conditioning, "xor of twins, conditioning: BDP at least")

# %% [markdown]
# ## How far apart can they be?
#
# BDP is the stronger promise. By how much? Any database in the mixture for $x_i$ and any one in the mixture
# for $x_i'$ differ in the target and in unknown tuples at most: in $n - |\mathcal{K}|$ tuples. Change them one at
# a time; each change costs a factor $e^{\mathrm{DP}}$. Then the mediant once more.
#
# ```{prf:proposition} Group privacy
# :label: thm-02-group
# For every joint law and every attacker, $\mathrm{BDPL}_{\mathcal{A}(i, \mathcal{K})} \le (n - |\mathcal{K}|)\, \mathrm{DP}$. With full
# support also $\mathrm{DP} \le \sup_{\mathcal{A}} \mathrm{BDPL}_{\mathcal{A}}$. For a noisy sum the bound is attained where the target and the unknown tuples are perfect copies and the known ones independent.
# ```
#
# Lange and others have the bound with the size of the largest correlated group {cite:p}`lange2025balancing`; here it counts what the attacker does not know.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage of all attackers under 150 random joint laws of four bits, against how many tuples they do not know (\u03b5 = 1). No point lies above the bound |U| + 1. Stars sit on it; they stand for other laws, in which the target and the unknown tuples are perfect copies and the known ones independent. Strong attackers (left) all learn exactly \u03b5. The less one knows, the more the law decides.", "name": "fig-02-group"}, "image": {"alt": "Four columns of points for 0, 1, 2 and 3 unknown tuples. Column 0 is a single level at 1. The other columns spread from near 0 up to a staircase of bounds at 2, 3 and 4; a star for each column sits on its stair."}} tags=["figure"]
rng_laws = np.random.default_rng(150)
found = [
    (3 - len(who.known), leakage)
    for law in rng_laws.dirichlet(np.full(16, 0.15), size=150).reshape(-1, 2, 2, 2, 2)
    for who, leakage in FiniteDistribution(law).all_leakages(scale=1.0).items()
]
unknown, leaks = np.array(found).T
jitter = rng_laws.uniform(-0.28, 0.28, unknown.size)


def copies_of_target(n, known):
    """Fair bits: target and unknown ones alike, the last `known` independent."""
    alike = np.full((2,) * (n - known), Fraction(0))
    alike.flat[[0, -1]] = Fraction(1, 2)
    return np.multiply.outer(alike, np.full((2,) * known, Fraction(1, 2**known)))


def star(u, n=4):
    """What who does not know u others learns of such copies, at ε = 1."""
    law = FiniteDistribution(copies_of_target(n, n - 1 - u).astype(float))
    return law.bdp_leakage(0, range(u + 1, n), scale=1.0)


stars = [star(u) for u in range(4)]
fig, ax = plots.panels(height=3.5)
ax.plot(unknown + jitter, leaks, ".", ms=2.5, alpha=0.45, color=plots.COLOURS["blue"])
for u in range(4):
    ax.plot(
        [u - 0.38, u + 0.38],
        [u + 1, u + 1],
        "-",
        color=plots.COLOURS["orange"],
        label="bound |U| + 1" if u == 0 else None,
    )
    ax.plot(
        u,
        stars[u],
        "*",
        ms=12,
        color=plots.COLOURS["black"],
        label="perfect copies" if u == 0 else None,
    )
ax.axhline(
    1, lw=1, ls="--", color=plots.COLOURS["grey"], label="differential privacy"
)
ax.set(
    xlabel="number of unknown tuples |U|",
    ylabel="leakage / ε",
    xticks=range(4),
    ylim=(-0.1, 4.5),
)
ax.legend(loc="upper left")
plt.show()

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"unknown tuples": [0, 1, 2, 3],
     "largest of 150 laws": [leaks[unknown == u].max() for u in range(4)],
     "bound": [1, 2, 3, 4]},
    formats={"largest of 150 laws": ".3f"},
    caption="Leakage in units of $ε$ in the figure.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("Y-B5") as c:
    tried = [(together, odd_one), *zip(joints, kernels)]
    ratios = [bdp_ratio(j, k, *who) for j, k in tried for who in everybody]
    limits = [dp_ratio(k) ** (3 - len(who[1])) for _, k in tried for who in everybody]
    label = "three bits, 84 cases, exactly: at most (n − |K|) DP"
    c.decisive("sampled").at_most(ratios, limits, label)
    beyond = worst_ratio(together, odd_one) > dp_ratio(odd_one) ** 2
    c.holds(beyond, "nearly copies: more than 2 DP")
    worst = [worst_ratio(j, k) for j, k in zip(joints, kernels)]
    label = "DP at most the worst attacker, full support"
    c.decisive("sampled").at_most(levels_dp, worst, label)
    c.at_most(leaks, unknown + 1, "150 laws of four bits, Laplace", slack=1e-9)
    sizes = [(n, k) for n in (2, 3, 4) for k in range(n)]
    copied = []
    for n, k in sizes:
        law = FiniteDistribution(copies_of_target(n, k))
        copied.append(law.bdp_leakage(0, range(n - k, n), scale=1 / eps))
    label = "n ≤ 4, target and unknown perfect copies, k known: (n − k) ε, any ε"
    multiples = [(n - k) * eps for n, k in sizes]
    c.decisive("exhaustive").exact(
        [sp.simplify(leak) for leak in copied], multiples, label
    )
assert np.allclose(stars, [1, 2, 3, 4], rtol=1e-12)
assert all(abs(leaks[unknown == 0] - 1) < 1e-9)


# %% [markdown]
# The left column of {numref}`fig-02-group` is Theorem 4.2. Everything to the right of it is what differential
# privacy does not see. The bound itself needs no law at all, which is also its weakness: it is tight for copies.
#
# ## Is it new?
#
# Kifer and Machanavajjhala {cite:p}`kifer2014pufferfish` gave a framework first, and the paper says that it
# builds on it.
#
# ```{prf:definition} Pufferfish privacy, formula (9) of the paper
# :label: def-02-pufferfish
# Given potential secrets (潜在的秘密) $\mathbb S$, discriminative pairs (差別的ペア) of them and a set
# $\mathbb D$ of data evolution scenarios (データ進化シナリオ), a mechanism is $\varepsilon$-Pufferfish private if
# for every output $\omega$, pair $(s, s')$ and $\theta \in \mathbb D$ under which both secrets can occur, the
# ratio of $\Pr(\omega \mid s, \theta)$ and $\Pr(\omega \mid s', \theta)$ lies in
# $[e^{-\varepsilon}, e^{\varepsilon}]$.
# ```
#
# The paper's Bayesian differential privacy should be the member with *secrets* "tuple $i$ has value $a$",
# *pairs* of two values of one tuple, and *scenarios* the joint law conditioned on what an attacker knows. So
# we write formula (9) of the paper for arbitrary events and laws, without attackers, and compare.

# %%
def pufferfish_ratio(mechanism, secrets, pairs, scenarios):
    """Smallest exp(ε) in (9) of the paper; secrets are events, scenarios laws."""
    rows, best = mechanism.reshape(-1, mechanism.shape[-1]), Fraction(1)
    for theta in scenarios:
        weights = {name: (theta * event).ravel() for name, event in secrets.items()}
        laws = {s: w @ rows / w.sum() for s, w in weights.items() if w.sum() > 0}
        for s, t in (pair for pair in pairs if set(pair) <= set(laws)):
            best = max(best, (laws[s] / laws[t]).max(), (laws[t] / laws[s]).max())
    return best


# %% jupyter={"source_hidden": true} tags=["set-up"]
n = 3
position = np.indices((2,) * n)
secrets = {
    (i, v): (position[i] == v).astype(object) for i in range(n) for v in (0, 1)
}
pairs = [((i, 0), (i, 1)) for i in range(n)]


def scenarios(joint, sizes=range(n)):
    """The joint law conditioned on every value of every set of known tuples."""
    for k in sizes:
        for known in combinations(range(n), k):
            for value in product((0, 1), repeat=k):
                cut = joint
                for j, v in zip(known, value):
                    cut = cut * secrets[j, v]
                yield cut / cut.sum()


truth = Fraction(3, 4)  # randomised response: each bit is true with 3/4
one = np.array([[truth, 1 - truth], [1 - truth, truth]])
responses = np.einsum("ax,by,cz->abcxyz", one, one, one).reshape(2, 2, 2, 8)
# nobody is sure of the target, everybody of the others
certain = [
    np.where(
        np.all([position[j] == v for j, v in zip(others, value)], axis=0),
        Fraction(1, 2),
        Fraction(0),
    )
    for others in combinations(range(n), n - 1)
    for value in product((0, 1), repeat=n - 1)
]
copies3 = np.full((2, 2, 2), Fraction(0))
copies3[0, 0, 0] = copies3[1, 1, 1] = Fraction(1, 2)

# %%
for name, laws_of in (("independent", independent), ("three copies", [copies3])):
    print(name, pufferfish_ratio(responses, secrets, pairs, laws_of))

# %% [markdown]
# Three answers by randomised response, each true with probability $3/4$: one and the same mechanism has the level $\ln 3$ or $\ln 27$, by what one takes for possible. Another choice of the secrets or of the pairs changes the level as well. Left open, the three ingredients give no number; that is
# what the paper says of Pufferfish. Named, they do, and Bayesian differential privacy names them. So does differential privacy: its scenarios are certain of all tuples but one.

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("Y-E9") as c:
    bit = {v: np.array([1 - v, v], dtype=object) for v in (0, 1)}
    chances = [Fraction(1, 2), Fraction(1, 10)]
    one_bit = pufferfish_ratio(
        one, bit, [(0, 1)], [np.array([p, 1 - p]) for p in chances]
    )
    c.exact(one_bit, truth / (1 - truth), "one response: true against false")
    three = pufferfish_ratio(responses, secrets, pairs, [copies3])
    c.exact(
        three,
        (truth / (1 - truth)) ** 3,
        "three copies: three responses about one bit",
    )
    sequence = [
        pufferfish_ratio(k, secrets, pairs, [j]) for j, k in zip(joints, kernels)
    ]
    by_hand = [
        max(by_events(j, k, i, ()) for i in range(3)) for j, k in zip(joints, kernels)
    ]
    label = "6 random laws as scenarios, by events"
    c.decisive("sampled").exact(sequence, by_hand, label)
with claim("Y-4.f") as c:
    cases = [(together, odd_one), (joints[0], responses), *zip(joints[1:], kernels)]
    fish = [pufferfish_ratio(k, secrets, pairs, scenarios(j)) for j, k in cases]
    attackers = [worst_ratio(*case) for case in cases]
    label = f"all attackers = all conditional laws, {len(cases)} cases"
    c.decisive("sampled").exact(fish, attackers, label)
    for size in range(n):  # the same, attackers who know `size` tuples
        fish = pufferfish_ratio(
            responses, secrets, pairs, scenarios(joints[0], [size])
        )
        own = [
            bdp_ratio(joints[0], responses, *w)
            for w in everybody
            if len(w[1]) == size
        ]
        c.exact(fish, max(own), f"attackers who know {size} tuples")
with claim("Y-4.kind") as c:
    fish = [pufferfish_ratio(k, secrets, pairs, certain) for k in kernels]
    label = "certain of all tuples but one: differential privacy, 6 random mechanisms"
    c.decisive("sampled").exact(fish, levels_dp, label)
    more = [pufferfish_ratio(k, secrets, pairs, independent) for k in kernels]
    c.at_most(more, levels_dp, "6 product laws as scenarios: never more")
with claim("Y-4.g") as c:
    k, j, other = kernels[0], joints[0], joints[1]
    two_bits = {name: secrets[name] * secrets[1, name[1]] for name in secrets}
    named = {
        "each bit": pufferfish_ratio(k, secrets, pairs, [j]),
        "other secrets": pufferfish_ratio(k, two_bits, pairs, [j]),
        "other pairs": pufferfish_ratio(k, secrets, pairs[1:], [j]),
        "other scenarios": pufferfish_ratio(k, secrets, pairs, [other]),
    }
    levels_of = len(set(named.values()))
    label = "one mechanism, each ingredient chosen otherwise: levels, all different"
    c.decisive("one example").exact(levels_of, len(named), label)
    by_hand = [
        max(by_events(law, k, i, ()) for i in targets)
        for law, targets in ((j, (0, 1, 2)), (j, (1, 2)), (other, (0, 1, 2)))
    ]
    again = [named[name] for name in ("each bit", "other pairs", "other scenarios")]
    c.exact(again, by_hand, "three of the four, event by event")


# %% [markdown]
# So the paper's definition is a member of the family, one in which the ingredients are all named, and that is
# what makes it computable; others are, too {cite:p}`song2017pufferfish`. Membership also says how to go on: an attacker with another kind of knowledge is
# another scenario.
#
# ## Do two releases leak twice as much?
#
# Differential privacy composes: two releases of level $\varepsilon$ are one of level $2\varepsilon$. On
# composition the paper is silent. So ask: with $\operatorname{Lap}(1/\varepsilon)$ on the sum, twice, independently, can an
# attacker learn more than twice as much?
#
# Two bits. The second is rarely one: in one case of ten if $x_1 = 1$, in one of a thousand if $x_1 = 0$.

# %%
def companion(p1, often, seldom):
    """x1 = 1 with probability p1; then x2 = 1 `often`, otherwise `seldom`."""
    return np.array([[(1 - p1) * (1 - seldom), (1 - p1) * seldom],
                     [p1 * (1 - often), p1 * often]])  # fmt: skip


rare = companion(0.99, 0.1, 0.001)
total_leak = {k: level(rare, scale=1.0 / k) for k in range(1, 9)}  # as one release
print({k: round(leak, 4) for k, leak in total_leak.items() if k < 5})

# %% jupyter={"source_hidden": true} tags=["set-up"]
in_text = {}
for k in (1, 2):
    in_text[f"rare-{k}"] = round(total_leak[k], 6)
rare_sum = round(2 * total_leak[1], 6)
ks = list(total_leak)
table(
    {
        "releases $k$": ks,
        "leakage": list(total_leak.values()),
        "$k$ times that of one": [k * total_leak[1] for k in ks],
        "group bound": [2 * k for k in ks],
    },
    formats={"leakage": ".4f", "$k$ times that of one": ".4f"},
    caption="Leakage of $k$ releases, scale 1 each, to the worst attacker, in nats.",
)

# %% [markdown]
# One release leaks 1.1568<!-- {in_text['rare-1']:.4f} -->. Two leak 2.4877<!-- {in_text['rare-2']:.4f} -->, more than the sum
# 2.3137<!-- {rare_sum:.4f} -->. The noises are independent; the releases are not, because the same unknown tuple
# stands behind both. Seen by simulation, with both outputs at 2 or more, where every ratio is at its largest:

# %%
rng_sim = np.random.default_rng(20150531)
draws, hits = 4_000_000, []
for x1, p2 in ((0, 0.001), (1, 0.1)):
    sums_drawn = x1 + (rng_sim.random(draws) < p2)
    outputs = sums_drawn + rng_sim.laplace(size=(2, draws))
    hits.append(int((outputs >= 2).all(axis=0).sum()))
simulated, stderr = np.log(hits[1] / hits[0]), np.sqrt(1 / hits[0] + 1 / hits[1])
print(f"log odds move by {simulated:.3f} ± {stderr:.3f}; exact {total_leak[2]:.3f}")

# %% [markdown]
# That privacy for correlated data does not compose is known for Pufferfish: Bai and others show mechanisms that leak nothing once and everything when run twice, and which conditions make leakages add up {cite:p}`bai2026composition`.
# Zhao states that BDP composes for algorithms that are *independently* private {cite:p}`zhao2019composition`; the two releases above show that this has to mean more than independent noise. (We have read the abstracts of both.)
#
# ## What two releases are worth
#
# Two releases have a two-dimensional output, and the worst pair $(r_1, r_2)$ has to be found. There is a short
# cut, and it holds for every joint law, finite or not.
#
# ```{prf:proposition} Releases merge
# :label: thm-02-merge
# Releases of one query with independent Laplace noise of scales $\lambda_1, \dots, \lambda_k$ leak to each
# attacker exactly what *one* release of scale $\lambda$ leaks, $1/\lambda = \sum_j 1/\lambda_j$.
# ```
#
# *Why.* Write $a_j = 1/\lambda_j$ and $c = \sum_j a_j$. With all outputs equal, the product of the Laplace factors is one Laplace factor of rate
# $c$: so never less. Never more: as a function of the query's value $v$, the factor of two
# outputs $0$ and $g$ with rates $a$ and $b$ is a *mixture* of the functions $e^{-c|t - v|}$, $c = a + b$: with the weights $\frac ac e^{-bg}$ at $t = 0$ and $\frac bc e^{-ag}$ at $t = g$, and the density
# $\frac{2ab}{c} e^{-at - b(g - t)}$ in between. For a $v$ to the left of both outputs, at $-z$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
ra, rb, zz, gg, tt = sp.symbols("a b z g t", positive=True)
rc = ra + rb
atom0, atom1 = ra / rc * sp.exp(-rb * gg), rb / rc * sp.exp(-ra * gg)
inside = 2 * ra * rb / rc * sp.exp(-ra * tt - rb * (gg - tt))


def mixed_at(distances, pieces, product_form, of):
    """The mixture at v, from atoms and integral to the product of the two factors."""
    near = sum(
        sp.Integral(inside * sp.exp(-(d * rc)), (tt, lo, hi)) for d, lo, hi in pieces
    )
    at_0, at_g = (sp.exp(-(d * rc)) for d in distances)
    start = atom0 * at_0 + atom1 * at_g + near
    return start, derivation(start, of=of).equal(product_form, "integrate, collect")


left_start, left = mixed_at(
    (zz, gg + zz),
    [(tt + zz, 0, gg)],
    sp.exp(-ra * zz - rb * (gg + zz)),
    r"\text{mixture at } v = -z",
)
left

# %% [markdown]
# To the right of both it is the mirror image; in between the integral has two pieces, and the check does them too. Three releases are two, one of them merged, and so on. So the density at any outputs is a mixture of densities of the single release, the same one for
# $x_i$ and for $x_i'$, and the mediant ends the proof. (The weights are even a law of $(r_1, \dots, r_k)$ given $t$: whoever has the one release can draw the others from it. Releasing *one after the other* without loss is an old theme, with noise that is made for it {cite:p}`koufogiannis2016gradual,andersson2025lossless`;
# independent noise for every attacker and law we did not find.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
wz = sp.Symbol("w", positive=True)  # in between: v = z, g = z + w
right_start, right = mixed_at(
    (gg + zz, zz),
    [(gg + zz - tt, 0, gg)],
    sp.exp(-ra * (gg + zz) - rb * zz),
    "v = g + z",
)
mid_parts = [
    t.subs(gg, zz + wz)
    for t in (atom0 * sp.exp(-rc * zz), atom1 * sp.exp(-rc * (gg - zz)))
]
dense = inside.subs(gg, zz + wz)
mid_start = sum(mid_parts) + sp.Integral(dense * sp.exp(-rc * (zz - tt)), (tt, 0, zz))
mid_start += sp.Integral(dense * sp.exp(-rc * (tt - zz)), (tt, zz, zz + wz))
mid_product = sp.exp(-ra * zz - rb * wz)
middle = derivation(mid_start, of="v = z").equal(mid_product, "integrate, collect")
odd_query = np.array([[[0, 1], [3, 4]], [[9, 2], [7, 5]]])


def searched_leakage(law, who, scales, step):
    """Largest log ratio of several releases on a grid, formula (4) of the paper."""
    ts = np.arange(-1, 10.001, step)
    outputs = np.array(list(product(ts, repeat=len(scales))))
    gaps = abs(outputs - odd_query[..., None, None]) / np.array(scales)
    return np.log(bdp_ratio(law, np.exp(-gaps.sum(axis=-1)), *who))


gap_law = sp.integrate(ra * sp.exp(-rb * gg) + rb * sp.exp(-ra * gg), (gg, 0, sp.oo))
sides = sp.integrate(sp.exp(-ra * tt), (tt, 0, sp.oo)) * sp.integrate(
    sp.exp(-rb * tt), (tt, 0, sp.oo)
)
drawn_again = (2 * gap_law / rc + 2 * (2 * ra * rb / rc) * sides) * ra * rb / (2 * rc)
assert sp.simplify(drawn_again) == 1  # the weights, over all outputs given t

with claim("Y-B14") as c:
    label = "to the left of both outputs, any two rates"
    left_product = sp.exp(-ra * zz - rb * (gg + zz))
    c.decisive("proved").derived(left, left_start, left_product, label)
    c.decisive("proved").derived(middle, mid_start, mid_product, "between them")
    right_product = sp.exp(-ra * (gg + zz) - rb * zz)
    c.decisive("proved").derived(
        right, right_start, right_product, "to the right of both"
    )
    floats = [joint.astype(float) for joint in joints]
    for several, step in (
        ((2.0, 0.5), 0.25),
        ((3.0, 3.0), 0.25),
        ((4.0, 1.5, 0.7), 1.0),
    ):
        merged = 1 / sum(1 / s for s in several)
        many = [
            searched_leakage(law, w, several, step)
            for law in floats[3:5]
            for w in everybody
        ]
        single = [
            FiniteDistribution(law, query=odd_query).bdp_leakage(*w, scale=merged)
            for law in floats[3:5]
            for w in everybody
        ]
        label = (
            f"scales {several}: grid of outputs, 2 laws, 12 attackers; one release"
        )
        c.close(many, single, label, rtol=1e-12)

# %% [markdown]
# So composition and calibration are one question: how does the leakage of *one* release grow with its budget
# $\varepsilon = 1/\lambda$? Above all values of the sum, $e^{-(r - s)\varepsilon}$ splits into a factor that is the
# same for both sides and $e^{s\varepsilon}$. So at the far end a release sees only the moment generating function
# of $s$:
#
# $$ \begin{aligned} \varphi(\varepsilon) &:= \log \frac{p(r \mid x_1 = 1)}{p(r \mid x_1 = 0)} \\
#    &\phantom{:}= \log \operatorname{E}\bigl[e^{\varepsilon s} \mid x_1 = 1\bigr] \\
#    &\phantom{:=} - \log \operatorname{E}\bigl[e^{\varepsilon s} \mid x_1 = 0\bigr]. \end{aligned} $$ (eq-02-mgf)
#
# Releases add up as $\varphi$ does. Let the second bit be impossible if $x_1 = 0$ and have probability $q = 1 - p$
# otherwise. Then $\varphi(\varepsilon) = \varepsilon + \log(p + q e^{\varepsilon})$. Is $2\varphi(\varepsilon)$ enough for two releases? With $y = e^{\varepsilon}$, and the common factor $y^2$ left out,

# %% jupyter={"source_hidden": true} tags=["evidence"]
y, p_, q_ = sp.symbols("y p q", positive=True)
square = (p_ + q_ * y) ** 2
superadditive = (
    derivation(square, of=r"e^{2\varphi(\varepsilon) - 2\varepsilon}")
    .equal((p_ + q_) * (p_ + q_ * y**2) - p_ * q_ * (y - 1) ** 2, "expand")
    .at_most((p_ + q_) * (p_ + q_ * y**2), "less a square", by="square")
)
superadditive

# %% [markdown]
# The right side is $e^{\varphi(2\varepsilon) - 2\varepsilon}$, as $p + q = 1$. So two releases leak more than twice as much, for every $0 < q < 1$ and every $\varepsilon$. The formula {eq}`eq-02-mgf` also tells when leakage
# *does* add up: when the difference of the two log moment generating functions is linear. In the Gaussian model
# of the next notebook it is, because $x_i$ moves the mean of $s$ and leaves its variance alone:

# %% jupyter={"source_hidden": true} tags=["evidence"]
mean, sigma, budget = sp.symbols("mu sigma t", positive=True)
s = sp.Symbol("s", real=True)
normal = sp.exp(-((s - mean) ** 2) / (2 * sigma**2)) / (sigma * sp.sqrt(2 * sp.pi))
moments = sp.Integral(sp.exp(budget * s) * normal, (s, -sp.oo, sp.oo))
of_normal = derivation(moments, of=r"\operatorname{E}\left[e^{ts}\right]")
of_normal = of_normal.equal(
    sp.exp(mean * budget + (sigma * budget) ** 2 / 2), "complete the square"
)
of_normal

# %% [markdown]
# The difference of two logarithms of this is $t$ times the difference of the means, a straight line. And nowhere does a release leak more than at the end, because the two densities are one
# density at two places: shifting by $\delta$ changes the Laplace factor by at most $e^{\delta/\lambda}$, with the
# same weights on both sides, and the mediant once more. So with Gaussian tuples leakages add up.

# %% jupyter={"source_hidden": true} tags=["evidence"]
limit_law = companion(Fraction(1, 2), Fraction(1, 10), Fraction(0))
tenth = sp.Rational(1, 10)
pair = np.array(list(product(np.arange(-1, 3.01, 0.25), repeat=2)))
gaps = abs(pair - np.indices((2, 2)).sum(axis=0)[..., None, None]).sum(axis=-1)
two_searched = max(
    np.log(bdp_ratio(rare, np.exp(-gaps), *who)) for who in adversaries(2)
)
linked = GaussianModel(precision=sp.Matrix([[2, -1], [-1, 2]]), width=1)
shift = 1 + float(linked.leakage_coefficient(0))
spread = 0.5**0.5  # of s given x1
s_grid = np.linspace(-8, 8, 4001)


def two_outputs(r, mean):
    """Density of two Laplace releases (scale 1) at the pairs r, integrated over s."""
    weights = np.exp(-((s_grid / spread) ** 2) / 2)
    return (np.exp(-abs(r[..., None] - mean - s_grid).sum(axis=-2)) * weights).sum(
        axis=-1
    )


with claim("Y-B4") as c:
    goal = (p_ + q_) * (p_ + q_ * y**2)
    label = "the limit form: two releases leak at least twice as much, any ε and q"
    c.decisive("proved").derived(superadditive, square, goal, label)
    for k in (1, 2, 3):
        found = sp.exp(FiniteDistribution(limit_law).bdp_leakage(0, scale=1 / (k * eps)))
        phi_k = sp.exp(k * eps) * (1 - tenth + tenth * sp.exp(k * eps))
        c.exact(
            sp.simplify(found - phi_k), 0, f"{k} releases, q = 1/10: φ({k}ε), every ε"
        )
    more_than_sum = total_leak[2] > 2 * total_leak[1]
    c.holds(
        more_than_sum, "full support: two releases above the sum", method="numeric"
    )
    label = "two releases with Lap(1): search over pairs of outputs"
    c.close(two_searched, total_leak[2], label, rtol=1e-12)
    c.sampled(simulated, total_leak[2], f"{draws:,} draws a side", stderr=stderr)
    label = "Gaussian: the moments whose logarithms differ by a straight line"
    stated = sp.exp(mean * budget + (sigma * budget) ** 2 / 2)
    c.decisive("proved").derived(of_normal, moments, stated, label)
    far = np.random.default_rng(2).uniform(-6, 7.5, (2000, 2))
    far = np.vstack([far, [[-9, -9], [-12, -12]]])
    log_two = np.abs(np.log(two_outputs(far, 0.0) / two_outputs(far, shift)))
    label = (
        f"Gaussian [[2, −1], [−1, 2]], two releases, {len(far)} pairs: within the sum"
    )
    c.at_most(log_two, 2 * shift, label, slack=1e-9)
    c.close(log_two.max(), 2 * shift, "and the sum is approached", rtol=1e-6)
    equal = np.linspace(-4, 5, 19)[:, None].repeat(2, axis=1)
    c.close(
        np.log(two_outputs(equal, 0.0) / two_outputs(equal, shift)),
        gaussian.log_ratio(equal[:, 0], shift, scale=0.5, sigma=spread),
        "equal outputs are one release with half the noise",
        rtol=1e-4,
    )

# %% [markdown]
# ## Why noise cannot be calibrated by scaling
#
# If the leakage is twice what was promised, double the noise? That would be right if leakage were proportional to
# $1/\lambda$. It is a curve in $1/\lambda$, the same one along which releases merge, and it is straight for
# independent tuples and for the Gaussian model, but not in general.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left: leakage of one release per unit of budget \u03b5 = 1/\u03bb; a horizontal line would mean that leakage is proportional to 1/\u03bb. Right: leakage of k releases at \u03b5 = 1, divided by k times that of one. Above 1 they leak more together than the sum; below 1, less. Of the three only the Gaussian model (here 1 + \u2113 = 1.5) is straight in both.", "name": "fig-02-composition"}, "image": {"alt": "Two panels with three curves each. Left, against epsilon from 0.01 to 30 on a log scale: Table 3b starts at 1.96 and falls to about 1.1; the rare companion rises from 1.1 to a peak of about 1.55 near 6 and falls; the Gaussian is flat at 1.5. Right, against k from 1 to 8: rare companion rises from 1 to about 1.35, Gaussian stays at 1, Table 3b falls to 0.76."}} tags=["figure"]
table_b = positive.astype(float)
budgets = np.geomspace(0.01, 30, 60)
ks = np.arange(1, 9)
per_unit, joined = {}, {}
for name, law in {"rare companion": rare, "Table 3(b)": table_b}.items():
    per_unit[name] = np.array([level(law, scale=1 / e) for e in budgets]) / budgets
    many = np.array([level(law, scale=1 / k) for k in ks])
    joined[name] = many / (ks * many[0])
per_unit["Gaussian model"], joined["Gaussian model"] = (
    np.full(60, float(shift)),
    np.ones(8),
)

fig, (left, right) = plots.panels(1, 2, width=8.4, height=3.3)
for (name, curve), mark in zip(per_unit.items(), "os^"):
    left.semilogx(budgets, curve, label=name)
    right.plot(ks, joined[name], marker=mark, ms=4, label=name)
left.set(
    xlabel="budget ε = 1/λ of one release",
    ylabel="leakage / ε",
    ylim=(0.9, 2.1),
    title="calibration",
)
right.set(
    xlabel="number of releases k",
    ylabel="leakage / (k × leakage of one)",
    title="composition",
)
left.legend(loc="center left", bbox_to_anchor=(0, 0.31))
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
scaled, exact_scale = {}, {}
for name, law in {"rare companion": rare, "Table 3(b)": table_b}.items():
    scaled[name] = (level(law), level(law, scale=level(law)))
    exact_scale[name] = FiniteDistribution(law).noise_scale(1.0)
assert scaled["rare companion"][1] < 1 < scaled["Table 3(b)"][1]
assert np.all(joined["rare companion"][1:] > 1)
assert np.all(np.diff(joined["Table 3(b)"]) < 0)
assert np.all(np.diff(per_unit["Table 3(b)"]) < 0)
assert abs(per_unit["Table 3(b)"][0] - 1.96) < 0.005
assert abs(per_unit["rare companion"].max() - 1.56) < 0.02
assert abs(joined["Table 3(b)"][-1] - 0.76) < 0.005
assert abs(joined["rare companion"].max() - 1.35) < 0.005
table(
    {"law": list(scaled), "leakage at $λ = 1$": [v[0] for v in scaled.values()],
     "leakage at $λ$ = that": [v[1] for v in scaled.values()],
     "smallest $λ$ for 1 nat": list(exact_scale.values())},
    formats={"leakage at $λ = 1$": ".4f", "leakage at $λ$ = that": ".4f",
             "smallest $λ$ for 1 nat": ".4f"},
    caption="Scaling the noise by the leakage, where 1 nat is promised.",
)  # fmt: skip


# %% [markdown]
# Scaling is too timid for Table 3(b), which then leaks more than promised, and wasteful for the rare companion.
# The smallest scale has to be solved for; `FiniteDistribution.noise_scale` does. What always holds is the group bound:
# $k$ releases leak at most $(n - |\mathcal{K}|)\,k\varepsilon$.
#
# ## Misprints
#
# Two words of section 4.1.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def check_ratio(c):
    fair = [np.array([Fraction(1, 2)] * 2)]
    ratio = sp.Rational(pufferfish_ratio(one, bit, [(0, 1)], fair))
    bounded = [sp.log(ratio), ratio]  # by exp(ε): as printed BDPL; the ratio
    label = "randomised response: smallest ε with BDPL ≤ exp(ε)"
    c.differs(sp.log(bounded[0]), sp.log(ratio), label)
    by_hand = sp.Rational(truth / (1 - truth))
    c.exact(ratio, by_hand, "it is the ratio, 3, that exp(ε) bounds")


def check_prior(c):
    knows_target = table_b * [[0], [1]]  # x1 = 1 is known
    nothing_left = FiniteDistribution(knows_target / knows_target.sum())
    dp = FiniteDistribution(table_b).dp_level(scale=10.0)
    left = nothing_left.bdp_leakage(0, scale=10.0)
    c.differs(left, dp, "Table 3(b), ε = 0.1: what remains to be learnt")
    assert left == 0
    strong = FiniteDistribution(table_b).bdp_leakage(0, (1,), scale=10.0)
    c.close(strong, dp, "knowing the others instead", rtol=1e-12)


rows = misprints(
    [
        (
            "Y-4.ratio",
            r"the largest ratio $\mathrm{BDPL}$ is bounded by $\exp(\varepsilon)$",
            r"the ratio is; $\mathrm{BDPL}$, its logarithm, by $\varepsilon$",
            check_ratio,
        ),
        (
            "Y-4.prior",
            r"prior knowledge in DP is $x_i$",
            r"prior knowledge in DP is $x_{-i}$",
            check_prior,
        ),
    ]
)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} A couple that always agrees
# :label: ex-02-couple
# ```
# **Warm-up.** Two people always agree. Each answers by randomised response, truly with probability $3/4$. How
# much do the odds of the first one's bit move, at most, for an attacker who sees both answers? And if they are
# fair bits that agree only with probability $c \ge \frac12$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("02-couple", ...)


# %% [markdown]
# ```{solution-start} ex-02-couple
# :class: dropdown
# ```
# Both answers are about the same bit: the ratio is $3 \cdot 3 = 9$. With two fair bits that agree with
# probability $c$ the second answer has the ratio $(1 + 2c)/(3 - 2c)$, so the product is $3(1 + 2c)/(3 - 2c)$ for
# $c \ge 1/2$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def odds_moved(c):
    return 3 * (1 + 2 * c) / (3 - 2 * c)


answers = np.einsum("ax,by->abxy", one, one).reshape(2, 2, 4)
for agreeing in (Fraction(1, 2), Fraction(3, 4), Fraction(99, 100)):
    pair = np.array([[agreeing, 1 - agreeing], [1 - agreeing, agreeing]]) / 2
    assert bdp_ratio(pair, answers, 0) == odds_moved(agreeing)
limit = odds_moved(Fraction(1))
assert (
    limit
    == 9
    == pufferfish_ratio(
        answers,
        {v: np.array([[1 - v, 1 - v], [v, v]], dtype=object) for v in (0, 1)},
        [(0, 1)],
        [agree],
    )
)
check("02-couple", (limit, odds_moved))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A careful release, then a careless one
# :label: ex-02-scales
# ```
# **Standard.** A careful release with $\lambda_1 = 2$ was followed by a careless one with $\lambda_2 = 1/2$, of the
# same sum. What do both together leak under Table 3(b)? Find the answer with {prf:ref}`thm-02-merge` and check it
# by a search over pairs of outputs.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("02-scales", ...)

# %% [markdown]
# ```{solution-start} ex-02-scales
# :class: dropdown
# ```
# $1/\lambda = 1/2 + 2$, so they are worth one release with $\lambda = 2/5$. The search needs no grid finer than the
# values of the sum, but takes one.

# %% jupyter={"source_hidden": true} tags=["evidence"]
merged_scale = 1 / (1 / 2 + 2)
merged = FiniteDistribution(table_b).bdp_leakage(0, scale=merged_scale)
r1, r2 = np.meshgrid(np.linspace(-2, 4, 121), np.linspace(-2, 4, 121))
sides = [
    sum(
        w * np.exp(-abs(r1 - x1 - x2) / 2 - abs(r2 - x1 - x2) * 2)
        for x2, w in enumerate(row)
    )
    for x1, row in enumerate(table_b)
]
searched = np.abs(np.log(sides[1] / sides[0])).max()
assert np.isclose(searched, merged, rtol=1e-12)
apart = [FiniteDistribution(table_b).bdp_leakage(0, scale=scale) for scale in (2, 1 / 2)]
print(f"together {merged:.4f}, sum of the two {sum(apart):.4f}")
check("02-scales", (merged_scale, merged))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} When BDP composes
# :label: ex-02-compose
# ```
# **Standard.** For which laws does BDP compose like differential privacy? Show that independent tuples do, and
# that Table 3(b) leaks *less* than the sum.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-02-compose
# :class: dropdown
# ```
# Independent tuples: both releases together are one mechanism, of differential privacy level $2\varepsilon$, and
# Theorem 4.1 applies to it. For Table 3(b) the function $\varphi$ of {eq}`eq-02-mgf` has $\varphi(t)/t$ falling, see
# {numref}`fig-02-composition`.

# %% jupyter={"source_hidden": true} tags=["evidence"]
law = independent[0].astype(float)
assert np.isclose(level(law, scale=1 / 2), 2 * level(law), rtol=1e-12)
mgf = [
    sum(sp.Rational(w) * sp.exp(budget * x2) for x2, w in enumerate(row))
    for row in positive
]
phi_b = budget + sp.log(mgf[1] / mgf[0])  # both rows have probability 1/2
for k in (1, 2, 3):
    assert np.isclose(
        float(phi_b.subs(budget, k)), level(table_b, scale=1 / k), rtol=1e-12
    )
assert level(table_b, scale=1 / 2) < 2 * level(table_b)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Attackers who know an event
# :label: ex-02-events
# ```
# **Research.** Admit attackers who know any *event* about the others, not only exact values. Show that for
# independent tuples nothing changes, and find a correlated law of three bits for which knowing "$x_2 = x_3$" is
# worse than being any of the twelve attackers.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-02-events
# :class: dropdown
# ```
# If the tuples are independent, $x_{-i}$ given an event about $x_{-i}$ is still independent of $x_i$: same weights
# on both sides, mediant. The event "$x_1 = x_2$" of the two coins above was not of this kind. For a correlated law
# let $x_2$ and $x_3$ be noisy copies of $x_1$, each right with probability $0.9$, independently. If they agree
# they are right almost surely.

# %% jupyter={"source_hidden": true} tags=["evidence"]
others = np.array(list(np.ndindex(2, 2)))
for choice in product((0, 1), repeat=4):
    event = np.array(choice).reshape(2, 2)
    if event.any():
        cut = independent[1] * event[None]
        assert bdp_ratio(cut, kernels[1], 0) <= dp_ratio(kernels[1])

x = np.indices((2, 2, 2))
right = (x[1] == x[0]).astype(int) + (x[2] == x[0])
copies = 0.5 * 0.9**right * 0.1 ** (2 - right)
told = copies * (x[1] == x[2])
knows_event = FiniteDistribution(told / told.sum()).bdp_leakage(0, scale=1.0)
print(f"worst of the twelve {level(copies):.4f}, who knows x2 = x3 {knows_event:.4f}")
assert knows_event > level(copies) + 0.1

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Bayesian differential privacy bounds $n\,2^{n-1}$ attackers under one joint law. Executed on fractions, the
#   definition is a finite maximum; sets of outputs may be replaced by points.
# - It equals differential privacy for independent tuples and for strong attackers, as the paper says, if every database has positive probability
#   (or conditions of probability zero are read as kernels).
# - It can be up to $|\mathcal{U}| + 1$ times differential privacy, by what the attacker does not know, never more.
# - It is the Pufferfish instance whose scenarios are the conditional laws.
# - $k$ Laplace releases of one query leak exactly what one release with a $k$-th of the noise leaks.
# - Leakages do not add up and noise cannot be calibrated by scaling, except where the law of the query moves
#   without changing its shape, as in the Gaussian model.
#
# **Further reading.** Pufferfish {cite:p}`kifer2014pufferfish`, and mechanisms for it {cite:p}`song2017pufferfish`;
# recent bounds for correlated data {cite:p}`lange2025balancing`; another notion with the same name
# {cite:p}`triastcyn2020bayesian`. **Next:** [how much does a Gaussian network leak?](03-gaussian-correlation-model.ipynb)
