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
# Suppose that each person has influenza with probability 1/2, and that in 98% of two-person households both have it or neither has. A health office publishes the number of ill people in one household, with Laplace noise of scale 10 ($\varepsilon = 0.1$). For an attacker who knows the second person's state, this number multiplies the odds that the first is ill by at most 1.105<!-- {np.exp(leak_strong):.3f} -->. For an attacker who knows nothing, the factor can be 1.217<!-- {np.exp(leak_weak):.3f} -->.
#
# **The paper** {cite:p}`yangkanren` proposes *Bayesian differential privacy* (BDP), which covers all attackers who know some other people's values, or none. It claims that BDP equals differential privacy for independent data and for attackers who know everybody else, and is stronger in general.
# **We find** this correct where every database has positive probability. We add how much stronger BDP can be, and an example of two releases that leak more than twice as much as one.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to compute the leakage of a release to every attacker, when BDP is the same as differential
# privacy and how far apart the two can be, how it fits into the Pufferfish framework, and why the leakages of several releases do not add up.
# **You need** the [first notebook](01-why-dp-is-not-enough.ipynb) and Bayes' rule.
# **Time:** 27 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple (one person's entry); the number $n$ of tuples is fixed. **The attackers:** for each target $i$ and each set $\mathcal{K}$ of other tuples, the attacker
# $\mathcal{A}(i, \mathcal{K})$ knows the exact values $x_{\mathcal{K}}$, the joint distribution of all tuples and the mechanism, and sees the output. **Protected:** the odds (the ratio of the probabilities) of any two values
# of $x_i$. **Not protected:** what the joint distribution alone says about $x_i$. Attackers with another kind of knowledge, and data with another distribution, are not covered.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## The attacker averages over the unknown values
#
# The paper's Table 3(b) describes such households (1 means ill). Here is $\Pr(x_2 \mid x_1)$:

# %%
table_b = np.array([[Fraction(49, 100), Fraction(1, 100)],
                    [Fraction(1, 100), Fraction(49, 100)]])  # table_b[x1, x2]
given = table_b / table_b.sum(axis=1, keepdims=True)  # Pr(x2 | x1)
print("x1 = 0:", *given[0])
print("x1 = 1:", *given[1])


# %% [markdown]
# For exact results we first use *geometric* noise, the integer cousin of Laplace noise ([details](../laplace/01-attackers.ipynb)). It takes the value $k$ with probability $\frac{1-\alpha}{1+\alpha}\,\alpha^{|k|}$. A result below 0 is published as 0, and one above $n$ as $n$. Each of these two ends therefore collects a whole tail of the noise: for $k \ge 0$, the noise is at least $k$ with probability $\alpha^k/(1+\alpha)$.

# %%
def noisy_count(n, alpha):
    """mechanism[x1, ..., xn, r]: probability of the output r for the database x."""
    mechanism = np.empty((2,) * n + (n + 1,), dtype=object)
    for x in product((0, 1), repeat=n):
        p = np.array([alpha ** abs(r - sum(x)) for r in range(n + 1)])
        p[1:-1] *= 1 - alpha  # but not at the ends, which collect a tail
        mechanism[x] = p / (1 + alpha)
    return mechanism


half = Fraction(1, 2)
count_2 = noisy_count(2, half)
print("x = (0, 0):", *count_2[0, 0])
print("x = (1, 0):", *count_2[1, 0])

# %% [markdown]
# An attacker who knows that $x_2 = 0$ compares these two rows. No output is more than twice as probable in one as in the other. An attacker who does not know $x_2$ must average over its two values, with their probabilities given $x_1$:

# %%
averaged = (count_2 * given[:, :, None]).sum(axis=1)
print("x1 = 0:", *averaged[0])
print("x1 = 1:", *averaged[1])
print("ratio: ", *averaged[0] / averaged[1])


# %% [markdown]
# Now the output 0 is 66/17<!-- {averaged[0, 0] / averaged[1, 0]} --> times as probable if $x_1 = 0$ as if $x_1 = 1$. By Bayes' rule, it multiplies this attacker's odds of $x_1 = 0$ against $x_1 = 1$ by the same factor. The paper's definition takes the logarithm of the largest such factor.
#
# ```{prf:definition} Bayesian differential privacy, BDP (Definition 4.1; ベイジアン差分プライバシー)
# :label: def-02-bdp
# Let $\mathcal{U}$ be the tuples that the attacker $\mathcal{A} = \mathcal{A}(i, \mathcal{K})$ neither attacks nor knows. The *leakage* (漏洩) of a mechanism to this attacker is
#
# $$ \mathrm{BDPL}_{\mathcal{A}} = \sup_{x_i, x_i', x_{\mathcal{K}}, S}
#    \log \frac{\Pr(r \in S \mid x_i, x_{\mathcal{K}})}{\Pr(r \in S \mid x_i', x_{\mathcal{K}})}, $$
#
# where the unknown tuples are averaged out,
#
# $$ \Pr(r \in S \mid x_i, x_{\mathcal{K}})
#    = \sum_{x_{\mathcal{U}}} \Pr(r \in S \mid x)\, \Pr(x_{\mathcal{U}} \mid x_i, x_{\mathcal{K}}), $$
#
# with an integral for continuous tuples. (The paper does not say what happens if $\Pr(x_i, x_{\mathcal{K}}) = 0$. We leave such values out.) The mechanism is $\varepsilon$-BDP if no attacker's leakage
# exceeds $\varepsilon$. The smallest such $\varepsilon$ is its *level* (likewise for differential privacy).
# ```
#
# The sum separates what the health office chooses, $\Pr(r \in S \mid x)$, from the correlation in the data, $\Pr(x_{\mathcal{U}} \mid x_i, x_{\mathcal{K}})$. The next cell has the same formulas as code, with index 0 for tuple 1. It compares single outputs instead of sets, which the next section justifies.

# %%
def output_distribution(joint, mechanism, target, known):
    """Pr(r | x_i, x_K): average over the unknown tuples."""
    unknown = tuple(j for j in range(joint.ndim) if j != target and j not in known)
    given = joint / joint.sum(axis=unknown, keepdims=True)  # Pr(x_U | x_i, x_K)
    return (mechanism * given[..., None]).sum(axis=unknown)


def bdp_ratio(joint, mechanism, target, known=()):
    """exp(BDPL): largest ratio over x_i, x_i', x_K and the outputs."""
    p = output_distribution(joint, mechanism, target, known)
    p = np.moveaxis(p, sum(j < target for j in known), 0)  # the target's axis first
    return (p[:, None] / p[None, :]).max()


# %%
for target, known in adversaries(2):  # all attackers of two tuples
    ratio = bdp_ratio(table_b, count_2, target, known)
    print(f"target {target}, known {known}: factor {ratio}")

# %% [markdown]
# The paper calls an attacker who knows all other tuples *strong* (強い), and one who knows none *weak*. It uses Laplace noise of scale $1/\varepsilon = 10$ and also considers Table 3(c), in which the two people differ in 98% of cases. Given the database $x$, the density of the published number $r$ is proportional to $e^{-|r - x_1 - x_2|/10}$. The constant cancels in the ratio. Integer outputs are enough: between two integers the ratio only rises or only falls, and below 0 and above 2 it is constant.

# %%
count = np.array([[0, 1], [1, 2]])  # x1 + x2
outputs = np.arange(-2, 5)
laplace_10 = np.exp(-abs(outputs - count[..., None]) / 10)
table_c = table_b[::-1]
leak_strong = np.log(bdp_ratio(table_b.astype(float), laplace_10, 0, (1,)))
leak_weak = np.log(bdp_ratio(table_b.astype(float), laplace_10, 0))
leak_weak_c = np.log(bdp_ratio(table_c.astype(float), laplace_10, 0))
print(f"strong {leak_strong:.3f}, weak {leak_weak:.3f}, weak under (c) {leak_weak_c:.3f}")

# %% [markdown]
# These are the three numbers that the paper prints: $\varepsilon$, about 0.196 and about 0.004. The weak attacker learns more than the strong one under Table 3(b), and less under Table 3(c). {numref}`fig-02-odds` shows all published numbers.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "By how much each published number changes the logarithm of the odds that the first person is ill. Left: with scale 10, the weak attacker under Table 3(b) leaves the shaded band, which marks the promised level 0.1. Right: with the smallest sufficient scale for Table 3(b), 19.6, no attacker leaves it.", "name": "fig-02-odds"}, "image": {"alt": "Two panels with three S-shaped curves each, flat below 0 and above 2. Left: the steepest curve, for the weak attacker under Table 3b, runs from about minus 0.2 to 0.2 and leaves the band from minus 0.1 to 0.1, whose edges the strong attacker touches; the curve for the weak attacker under Table 3c stays near 0. Right: all curves are half as high and stay in the band."}} tags=["figure"]
enough = FiniteDistribution(table_b.astype(float)).noise_scale(0.1)
published = np.linspace(-3, 5, 321)
fig, axes = plots.panels(1, 2, height=3.3, width=8.5, sharey=True)
for ax, scale in zip(axes, (10, enough)):
    noise = np.exp(-abs(published - count[..., None]) / scale)
    ax.axhspan(-0.1, 0.1, color=plots.COLOURS["sky"], alpha=0.2, lw=0, label="within 0.1")
    for name, joint, style in (("weak, Table 3(b)", table_b, "-"),
                               ("weak, Table 3(c)", table_c, ":")):
        p = output_distribution(joint.astype(float), noise, 0, ())
        ax.plot(published, np.log(p[1] / p[0]), style, label=name)
    ax.plot(published, np.log(noise[1, 0] / noise[0, 0]), "--", label="strong, knows $x_2 = 0$")
    ax.set(title=f"scale {scale:.3g}", xlabel="published number", ylim=(-0.24, 0.32))
axes[0].set_ylabel("change of the log odds")
axes[1].legend(loc="upper left", fontsize="small")
assert f"{enough:.1f}" == "19.6"  # the number of the caption
plt.show()

# %% [markdown]
# The paper explains the large leakage by the change of the query's result. Under Table 3(b), the mean count is 0.02<!-- {float(given[0] @ [0, 1]):.2f} --> if the first person is well and 1.98<!-- {float(given[1] @ [1, 2]):.2f} --> if the first person is ill. This is a change of 1.96<!-- {float(given[1] @ [1, 2] - given[0] @ [0, 1]):.2f} --> instead of 1.
#
# ```{evidence} Y-D4.1 Y-4.ratio Y-4.prior Y-E8
# ```
#
# ## Single outputs are enough
#
# The definition takes the largest ratio over all *sets* of outputs, but the code went through single outputs only. For three outputs we can try all seven sets:

# %%
largest = 0
for chosen in product((0, 1), repeat=3):
    if any(chosen):
        probability = (count_2 @ np.array(chosen))[..., None]  # of the set, for each database
        largest = max(largest, bdp_ratio(table_b, probability, 0))
assert largest == bdp_ratio(table_b, count_2, 0)

# %% [markdown]
# The reason is an inequality that we use several times.
#
# ```{prf:proposition} A ratio of sums
# :label: thm-02-mediant
# Let $a_1, \dots, a_m$ be non-negative and $b_1, \dots, b_m$ positive. Then
# $\frac{a_1 + \dots + a_m}{b_1 + \dots + b_m} \le \max_j \frac{a_j}{b_j}.$
# ```
#
# ```{prf:proof}
# Let $M$ be the maximum. Then $a_j \le M b_j$ for every $j$. Add these inequalities and divide by the sum of the $b_j$.
# ```
#
# The probability of a set is the sum of the probabilities of its outputs. Therefore no set has a larger ratio than its best output. For continuous outputs, integrals of densities replace the sums. Conversely, the ratio of densities at a point is the limit of the ratios for shrinking intervals around it. This is what formulas (6) and (7) of the paper state.
#
# ```{evidence} Y-E6
# ```
#
# ## Which attackers does the definition cover?
#
# For $n$ tuples there are $n\,2^{n-1}$ attackers: each tuple is the target of one attacker for each subset of the others. The paper's abstract speaks of attackers with *any prior knowledge* (任意の事前知識). Its section 3.1 explains what this means: exact values of some tuples and one joint distribution that everybody knows.
#
# Other knowledge can be worse. Let two people toss independent fair coins. A fifth attacker has only heard that the two coins agree:

# %%
coins = np.array([[Fraction(1, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(1, 4)]])
agree = np.array([[half, Fraction(0)], [Fraction(0), half]])
covered = [str(bdp_ratio(coins, count_2, *who)) for who in adversaries(2)]
print("the four attackers:", *covered)
print("the fifth attacker:", bdp_ratio(agree, count_2, 0))


# %% [markdown]
# This attacker's odds can move by the factor $4 = e^{2\varepsilon}$ (here $e^{\varepsilon} = 2$), because the count contains the same coin twice. {ref}`An exercise <ex-02-events>` shows which additional knowledge does no harm.
#
# The definition also leaves out people who join or leave. The paper names adding and deleting a tuple (追加, 削除) among the changes that privacy should hide, but its definition compares two values of one tuple, with $n$ fixed. A mechanism that publishes $n$ has leakage 0, and yet everybody sees that somebody has left. To protect presence, each person needs a tuple with the additional value *absent*.
#
# ```{evidence} Y-0.any
# ```
#
# ## When is it the same as differential privacy?
#
# Differential privacy also compares two values of one tuple, but with all other tuples fixed:

# %%
def dp_ratio(mechanism):
    """exp(DP): largest ratio over databases that differ in one tuple, formula (1)."""
    largest = Fraction(0)
    for i in range(mechanism.ndim - 1):
        p = np.moveaxis(mechanism, i, 0)
        largest = max(largest, (p[:, None] / p[None, :]).max())
    return largest


def worst_ratio(joint, mechanism):
    """exp(BDP): largest ratio over all attackers."""
    return max(bdp_ratio(joint, mechanism, *who) for who in adversaries(joint.ndim))


# %% [markdown]
# Let us count the ill among three people. In one case their states are independent. In the other case they are nearly alike: with probability 24/30, all three are in the same state.

# %%
first, second, third = (np.array([1 - p, p]) for p in (half, half**2, half**3))
independent = first[:, None, None] * second[:, None] * third
alike = np.full((2, 2, 2), Fraction(1, 30))
alike[0, 0, 0] = alike[1, 1, 1] = Fraction(12, 30)  # all well, all ill

count_3 = noisy_count(3, Fraction(1, 3))
print("differential privacy:", dp_ratio(count_3))
print("BDP, independent:    ", worst_ratio(independent, count_3))
print("BDP, nearly alike:   ", worst_ratio(alike, count_3))
strong = [bdp_ratio(alike, count_3, i, known) for i, known in adversaries(3) if len(known) == 2]
print("strong attackers:    ", *strong)

# %% [markdown]
# The last and the second line illustrate two theorems of the paper. The conditions in parentheses are ours.
#
# ```{prf:theorem} Correlated data and strong attackers (Theorem 4.2; 強い攻撃者)
# :label: thm-02-strong
# If only strong attackers are admitted (and every database has positive probability), $\varepsilon$-BDP is equivalent to
# $\varepsilon$-DP.
# ```
#
# ```{prf:proof}
# A strong attacker knows all tuples but the target, so there is nothing to average over. The ratio in the definition of BDP is the ratio in the definition of DP.
# ```
#
# ```{prf:theorem} Independent data (Theorem 4.1; 独立データ)
# :label: thm-02-independent
# If all tuples are independent (and each of their values has positive probability), $\varepsilon$-BDP is equivalent to $\varepsilon$-DP.
# ```
#
# ```{prf:proof}
# BDP includes the strong attackers, so $\varepsilon$-BDP implies $\varepsilon$-DP by {prf:ref}`thm-02-strong`. Conversely, let the mechanism be $\varepsilon$-DP. By independence, every attacker averages over $x_{\mathcal{U}}$ with the same probabilities for $x_i$ as for $x_i'$. Compare the two averages term by term: each pair of terms belongs to two databases that differ only in the target, so its ratio is at most $e^{\varepsilon}$. By {prf:ref}`thm-02-mediant`, so is the ratio of the averages.
# ```
#
# Since BDP covers the strong attackers and all others, the paper concludes that it is stronger than DP. For three people who are nearly alike, the factor rises from 3<!-- {dp_ratio(count_3)} --> to 115/9<!-- {worst_ratio(alike, count_3)} -->.
#
# Why are the conditions needed? Suppose that two people are always in the same state. Somebody publishes 1000 if they differ and 0 otherwise, plus Laplace noise of scale 1. The package's class `FiniteDistribution` computes both levels:

# %%
differ = 1000 * np.array([[0, 1], [1, 0]])
twins = FiniteDistribution(agree.astype(float), query=differ)
print("differential privacy:", twins.dp_level(scale=1))
print("weak attacker:       ", twins.leakage(0, scale=1))
print("strong attacker:     ", twins.leakage(0, (1,), scale=1))

# %% [markdown]
# Nobody learns anything, because the two never differ. Differential privacy nevertheless compares databases in which they do. The definition can also be understood differently: a strong attacker has nothing to average over, and may therefore compare $\Pr(r \mid x)$ for *all* databases $x$, even impossible ones. Then both theorems hold as printed. The paper does not say which it means, so we do not count this as an error ({ref}`more about the two readings <corr-readings>`).
#
# ```{evidence} Y-Th4.1 Y-Th4.2 Y-4.d
# ```
#
# ## How much stronger can it be?
#
# If the target and all unknown people are perfect copies of each other, one person's state changes the count by $|\mathcal{U}| + 1$ instead of 1. No mechanism leaks more than $|\mathcal{U}| + 1$ times its level of differential privacy, whatever the distribution.
#
# ```{prf:proposition} Group privacy
# :label: thm-02-group
# Let $\mathrm{DP}$ be a mechanism's level of differential privacy. For every joint distribution and every attacker, $\mathrm{BDPL}_{\mathcal{A}(i, \mathcal{K})} \le (n - |\mathcal{K}|)\, \mathrm{DP} = (|\mathcal{U}| + 1)\, \mathrm{DP}$. If every database has positive probability, also $\mathrm{DP} \le \sup_{\mathcal{A}} \mathrm{BDPL}_{\mathcal{A}}$.
# ```
#
# ```{prf:proof}
# Take a database with the target's value $x_i$ and one with $x_i'$, both with the known values $x_{\mathcal{K}}$. They differ in at most $n - |\mathcal{K}|$ tuples. Change these one at a time: each change multiplies the probability of an output by at most $e^{\mathrm{DP}}$. So the output's probability under the first database is at most $e^{(n - |\mathcal{K}|)\,\mathrm{DP}}$ times its probability under the second. Since this holds for any two such databases, it holds for the averages. The second statement follows from {prf:ref}`thm-02-strong`.
# ```
#
# {cite:t}`lange2025balancing` have a bound of this kind with the size of the largest correlated group. Here the number counts what the attacker does not know. In {numref}`fig-02-group`, each dot is one attacker under one random distribution of four bits.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage to all attackers under 150 random joint distributions of four bits, most of which concentrate on few databases, with Laplace noise of scale 1/\u03b5 and \u03b5 = 1. No dot lies above the bound |U| + 1. Stars show perfect copies, which attain it for a sum. All strong attackers (left) learn exactly \u03b5.", "name": "fig-02-group"}, "image": {"alt": "Four columns of dots for 0, 1, 2 and 3 unknown tuples. Column 0 is a single level at 1. The other columns spread from near 0 up to bounds at 2, 3 and 4; a star for each column sits on its bound."}} tags=["figure"]
rng = np.random.default_rng(150)
unknown, leakages = [], []
for probabilities in rng.dirichlet(np.full(16, 0.15), size=150):
    distribution = FiniteDistribution(probabilities.reshape(2, 2, 2, 2))
    for who, leakage in distribution.all_leakages(scale=1.0).items():
        unknown.append(3 - len(who.known))
        leakages.append(leakage)
unknown, leakages = np.array(unknown), np.array(leakages)
assert (leakages <= unknown + 1 + 1e-9).all()
copies = []
for u in range(4):
    copied = np.zeros((2,) * (u + 1))
    copied.flat[[0, -1]] = 0.5
    copies.append(FiniteDistribution(copied).leakage(0, scale=1.0))
fig, ax = plots.panels(height=3.4)
jitter = rng.uniform(-0.28, 0.28, unknown.size)
ax.plot(unknown + jitter, leakages, ".", ms=2.5, alpha=0.45, color=plots.COLOURS["blue"],
        label="150 random distributions")
for u in range(4):
    label = "bound |U| + 1" if u == 0 else None
    ax.plot([u - 0.38, u + 0.38], [u + 1, u + 1], ls="-", color=plots.COLOURS["orange"],
            label=label)
ax.plot(range(4), copies, "*", ls="", ms=12, color=plots.COLOURS["black"], label="perfect copies")
ax.set(xlabel="number of unknown tuples |U|", ylabel="leakage / ε", xticks=range(4),
       ylim=(-0.1, 4.5))
ax.legend(loc="upper left", fontsize="small")
plt.show()


# %% [markdown]
# ```{evidence} Y-B5
# ```
#
# ## Bayesian differential privacy is a case of Pufferfish
#
# The paper builds on a more general framework of {cite:t}`kifer2014pufferfish`. It describes privacy by *events* and *distributions* instead of attackers.
#
# ```{prf:definition} Pufferfish privacy (formula (9))
# :label: def-02-pufferfish
# Let three things be given: *secrets* (潜在的秘密), which are events; *discriminative pairs* (差別的ペア) of secrets; and a set
# of joint distributions, called *data evolution scenarios* (データ進化シナリオ). A mechanism is $\varepsilon$-Pufferfish private if
# for every output $\omega$, every pair $(s, s')$ and every scenario $\theta$ under which both secrets have positive probability, the
# ratio of $\Pr(\omega \mid s, \theta)$ and $\Pr(\omega \mid s', \theta)$ lies between $e^{-\varepsilon}$ and $e^{\varepsilon}$.
# ```
#
# In code, an event is an array with a 1 for each database in it:

# %%
def pufferfish_ratio(mechanism, pairs, scenarios):
    """Smallest possible exp(ε) in formula (9)."""
    rows = mechanism.reshape(-1, mechanism.shape[-1])  # one row for each database
    largest = Fraction(1)
    for theta in scenarios:
        for secret, other in pairs:
            p, q = (theta * secret).ravel(), (theta * other).ravel()
            if p.sum() > 0 and q.sum() > 0:
                ratio = (p @ rows / p.sum()) / (q @ rows / q.sum())
                largest = max(largest, ratio.max(), 1 / ratio.min())
    return largest


x = np.indices((2, 2, 2))
pairs = [(1 - x[i], x[i]) for i in range(3)]  # "x_i is 0" against "x_i is 1"


# %% [markdown]
# BDP is the case in which the secrets are the values of a tuple, and the scenarios are the joint distributions that remain when an attacker takes the known values into account:

# %%
def scenarios(joint):
    """The joint distribution, given each value of each set of known tuples."""
    for size in range(3):
        for known in combinations(range(3), size):
            for values in product((0, 1), repeat=size):
                remaining = joint.copy()
                for j, value in zip(known, values):
                    remaining = remaining * (x[j] == value)
                yield remaining / remaining.sum()


assert pufferfish_ratio(count_3, pairs, scenarios(alike)) == worst_ratio(alike, count_3)

# %% [markdown]
# The paper says that Pufferfish leaves its three ingredients open, so that it gives a mechanism no level by itself. Indeed, the level of our noisy count depends on the scenarios:

# %%
certain = []  # certain of all tuples but one, about which nothing is known
for others in combinations(range(3), 2):
    for values in product((0, 1), repeat=2):
        fixed = np.full((2, 2, 2), half)
        for j, value in zip(others, values):
            fixed = fixed * (x[j] == value)
        certain.append(fixed)
cases = {"alike": [alike], "independent": [independent], "certain of two": certain}
for name, chosen in cases.items():
    print(name, pufferfish_ratio(count_3, pairs, chosen))

# %% [markdown]
# In the last case, each scenario is what a strong attacker knows, and the level is that of differential privacy. So differential privacy is a case of Pufferfish, too. {cite:t}`song2017pufferfish` give mechanisms for other cases.
#
# ```{evidence} Y-E9 Y-4.f Y-4.g Y-4.kind
# ```
#
# ## Two releases can leak more than twice as much
#
# Under differential privacy, two releases of level $\varepsilon$ together have at most level $2\varepsilon$. The paper does not discuss whether the same is true of BDP. Here is a counterexample with two people. The second person's bit is 1 with probability 1/10 if $x_1 = 1$, and with probability 1/1000 if $x_1 = 0$. Let $\Pr(x_1 = 1) = 0.99$. Then $x_2$ says little about $x_1$, and the worst attacker targets $x_1$. The sum is released twice, each time with fresh Laplace noise of scale 1:

# %%
rare = np.array([[0.01 * 0.999, 0.01 * 0.001], [0.99 * 0.9, 0.99 * 0.1]])  # rare[x1, x2]
once = np.exp(-abs(outputs - count[..., None]))
twice = (once[..., :, None] * once[..., None, :]).reshape(2, 2, -1)  # all pairs of outputs
leak_once, leak_twice = np.log(worst_ratio(rare, once)), np.log(worst_ratio(rare, twice))
print(f"one release {leak_once:.4f}, two releases {leak_twice:.4f}")
assert leak_once == np.log(bdp_ratio(rare, once, 0))  # the worst attacker targets x1
assert leak_twice > 2 * leak_once

# %% [markdown]
# The noises are independent, but the two outputs are not, because the same unknown $x_2$ influences both. Consider the attacker who targets $x_1$ and knows nothing. Write $s = x_1 + x_2$, and let the output $r$ lie above all sums. Then the density of $r$ is proportional to $e^{-(r - s)\varepsilon} = e^{-r\varepsilon} e^{s\varepsilon}$, and
#
# $$ \varphi(\varepsilon) := \log \frac{p(r \mid x_1 = 1)}{p(r \mid x_1 = 0)}
#    = \log \frac{\operatorname{E}[e^{\varepsilon s} \mid x_1 = 1]}{\operatorname{E}[e^{\varepsilon s} \mid x_1 = 0]}. $$ (eq-02-mgf)
#
# If two outputs lie above all sums, the exponents add up, and the logarithm of the ratio is $\varphi(2\varepsilon)$. Suppose for simplicity that $x_2 = 0$ whenever $x_1 = 0$. Let $Y$ be $e^{\varepsilon s}$ given $x_1 = 1$. As $r$ grows, the ratio of the densities, $\operatorname{E}[e^{\varepsilon(|r| - |r - s|)} \mid x_1 = 1]$, never falls. It runs from $\operatorname{E}[1/Y]$ below all sums to $\operatorname{E}[Y]$ above them. By Jensen's inequality, $\operatorname{E}[1/Y] \ge 1/\operatorname{E}[Y]$. So no output changes the odds by more than the factor $\operatorname{E}[Y]$, and one release leaks exactly $\varphi(\varepsilon) = \log \operatorname{E}[Y]$ to this attacker. Two releases leak at least $\varphi(2\varepsilon)$, and
#
# $$ \varphi(2\varepsilon) - 2\varphi(\varepsilon) = \log \frac{\operatorname{E}[Y^2]}{\operatorname{E}[Y]^2} > 0, $$
#
# because the mean of a square exceeds the square of the mean unless $Y$ is constant. Sympy confirms it for $x_2$ equal to 1 with probability $q$, given $x_1 = 1$:

# %%
q, y = sp.symbols("q y", positive=True)  # y = e^ε
mean = (1 - q) * y + q * y**2
mean_of_square = (1 - q) * y**2 + q * y**4
print(sp.factor(mean_of_square - mean**2))

# %% [markdown]
# The result is positive for every $0 < q < 1$ and every $\varepsilon > 0$, because then $y > 1$. So the second release adds more leakage than the first.
#
# For several releases of one query, we need not search all pairs of outputs.
#
# ```{prf:proposition} Several releases are worth one
# :label: thm-02-merge
# Releases of one query with independent Laplace noise of scales $\lambda_1, \dots, \lambda_k$ leak to each
# attacker exactly as much as one release of scale $\lambda$, where $1/\lambda = 1/\lambda_1 + \dots + 1/\lambda_k$.
# ```
#
# ```{prf:proof}
# Let $k = 2$, and put $a = 1/\lambda_1$, $b = 1/\lambda_2$ and $c = a + b$. Let $h(s) = e^{-a|r_1 - s| - b|r_2 - s|}$ be the density of two outputs $r_1 \le r_2$ (without its constant) if the true answer is $s$.
#
# *At least as much.* If $r_1 = r_2 = r$, then $h(s) = e^{-c|r - s|}$, which is the density of one output $r$ with scale $\lambda = 1/c$. So every ratio of the single release is also a ratio of the two.
#
# *At most as much.* The function $h$ is a sum (and integral) of densities of single outputs $t$, with non-negative coefficients that do not depend on $s$:
#
# $$ h(s) = \tfrac{a}{c}\, h(r_1)\, e^{-c|r_1 - s|} + \tfrac{b}{c}\, h(r_2)\, e^{-c|r_2 - s|}
#    + \int_{r_1}^{r_2} \tfrac{2ab}{c}\, h(t)\, e^{-c|t - s|}\, dt. $$
#
# To find the coefficients, apply $c^2 - d^2/ds^2$ to both sides. It turns $e^{-c|t - s|}$ into $2c$ times a point mass at $t$. It turns $h$ into $4ab\,h$ between the outputs, 0 outside, and point masses $2a\,h(r_1)$ and $2b\,h(r_2)$ at the outputs. Divide by $2c$.
#
# Average both sides of the formula over the unknown tuples, once given $x_i$ and once given $x_i'$. By {prf:ref}`thm-02-mediant`, the ratio of the two results is at most the largest ratio for a single output $t$. For $k > 2$, multiply both sides by the densities of the other releases: the first two releases become one of scale $1/c$. Repeat.
# ```
#
# Sympy verifies the formula for an $s$ to the left of both outputs, with $s = 0$, $r_1 = d$ and $r_2 = d + g$. The other cases are in the evidence.

# %%
a, b, d, g, t = sp.symbols("a b d g t", positive=True)
c = a + b
between = sp.exp(-a * (t - d) - b * (d + g - t))  # h(t) for t between the outputs
mixture = a / c * sp.exp(-b * g) * sp.exp(-c * d)
mixture += b / c * sp.exp(-a * g) * sp.exp(-c * (d + g))
mixture += sp.integrate(2 * a * b / c * between * sp.exp(-c * t), (t, d, d + g))
assert sp.simplify(mixture - sp.exp(-a * d - b * (d + g))) == 0

# %% [markdown]
# So two releases of scale 1 leak exactly as much as one release of scale 1/2:

# %%
merged = np.exp(-abs(outputs - count[..., None]) / 0.5)
assert np.isclose(np.log(worst_ratio(rare, merged)), leak_twice, rtol=1e-12)

# %% [markdown]
# {numref}`fig-02-composition` uses this for up to eight releases.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Leakage of k releases with scale 1, divided by k times the leakage of one. Above 1, the releases together leak more than the sum; below 1, less. Two independent coins stay at 1, as differential privacy does.", "name": "fig-02-composition"}, "image": {"alt": "Three curves against k from 1 to 8, all starting at 1. The counterexample rises to about 1.35, independent coins stay at 1, Table 3b falls to 0.76."}} tags=["figure"]
ks = np.arange(1, 9)
fig, ax = plots.panels(height=3.2)
relative = {}
distributions = {"counterexample": rare, "independent coins": coins, "Table 3(b)": table_b}
for (name, joint), marker in zip(distributions.items(), "os^"):
    leakage = []
    for k in ks:
        noise = np.exp(-abs(outputs - count[..., None]) * k)  # one release of scale 1/k
        leakage.append(np.log(worst_ratio(joint.astype(float), noise)))
    relative[name] = np.array(leakage) / (ks * leakage[0])
    ax.plot(ks, relative[name], marker=marker, label=name)
ax.set(xlabel="number of releases k", ylabel="leakage / (k × leakage of one)",
       ylim=(0.7, 1.45))
ax.legend(loc="center right", fontsize="small", bbox_to_anchor=(1, 0.62))
assert abs(relative["counterexample"].max() - 1.35) < 0.01  # the numbers of the alt text
assert abs(relative["Table 3(b)"][-1] - 0.76) < 0.01
plt.show()

# %% [markdown]
# In any case, $k$ releases together are $k\varepsilon$-differentially private, so they leak at most $(n - |\mathcal{K}|)\,k\varepsilon$ by {prf:ref}`thm-02-group`. Leakages add up if $x_1$ only shifts the distribution of the sum, say by $\delta > 0$. Then $\varphi(\varepsilon) = \delta\varepsilon$ is a straight line. No output has a larger ratio, because the log density of $r$ has slope at most $\varepsilon$, and a shift by $\delta$ changes it by at most $\delta\varepsilon$. The Gaussian model of the [next notebook](03-gaussian-correlation-model.ipynb) is of this kind.
#
# That Pufferfish does not compose is known: {cite:t}`bai2026composition` show mechanisms that leak nothing once and everything when run twice. {cite:t}`zhao2019composition` states that BDP composes for algorithms that are *independently* private; our counterexample shows that independent noise is not enough. (We have read only their abstracts.) Noise that is *designed* for several releases of one query is due to {cite:t}`koufogiannis2016gradual` and {cite:t}`andersson2025lossless`.
#
# ```{evidence} Y-B4 Y-B14
# ```
#
# ## How can all attackers be examined?
#
# Thirty tuples already have 16<!-- {30 * 2**29 / 1e9:.0f} --> billion attackers, and a distribution of thirty bits has a billion entries. The paper therefore turns to a model in which the leakage can be computed. It considers sums only, which include counts and histograms. It chooses a Gaussian Markov random field for three reasons: a weighted network defines it directly, all its conditional distributions are Gaussian, and these are easy to compute with. For the first reason the paper says that tuples may be correlated *or independent*. A few lines later it assumes that the network is connected. Then every two tuples are linked, directly or through others, and if all weights are positive, no two are independent.
#
# ## Exercises
#
# ```{exercise-start} A couple that always agrees
# :label: ex-02-couple
# ```
# **Warm-up.** Two people always agree. Each gives the true answer with probability $3/4$ and the opposite answer otherwise. By which factor, at most, can the odds of the first person's bit move for an attacker who sees both answers? And what is the factor if the two are fair bits that agree only with probability $c \ge \frac12$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("02-couple", ...)


# %% [markdown]
# ```{solution-start} ex-02-couple
# :class: dropdown
# ```
# Both answers are about the same bit, so the ratios multiply: $3 \cdot 3 = 9$. If the two agree with probability $c$, the second answer is "yes" with probability $\frac34 c + \frac14(1 - c)$ given $x_1 = 1$, and with probability $\frac14 c + \frac34 (1 - c)$ given $x_1 = 0$. Its ratio is $(1 + 2c)/(3 - 2c)$, and the product is $3(1 + 2c)/(3 - 2c)$.

# %%
def odds_factor(c):
    return 3 * (1 + 2 * c) / (3 - 2 * c)


answer = np.array([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
answers = np.empty((2, 2, 4), dtype=object)  # two answers have four outcomes
for x1, x2 in product((0, 1), repeat=2):
    answers[x1, x2] = np.outer(answer[x1], answer[x2]).ravel()
for c in (Fraction(1, 2), Fraction(3, 4), Fraction(99, 100), Fraction(1)):
    couple = np.array([[c, 1 - c], [1 - c, c]]) / 2
    assert bdp_ratio(couple, answers, 0) == odds_factor(c)
check("02-couple", (9, odds_factor))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A careful release, then a careless one
# :label: ex-02-scales
# ```
# **Standard.** The health office publishes the sum under Table 3(b) with scale $\lambda_1 = 2$. Later somebody publishes it again, with scale $\lambda_2 = 1/2$. What is the scale of one release that is worth both, and how much does it leak to the weak attacker? Check the answer by a search over pairs of outputs.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("02-scales", ...)

# %% [markdown]
# ```{solution-start} ex-02-scales
# :class: dropdown
# ```
# By {prf:ref}`thm-02-merge`, $1/\lambda = 1/2 + 2$, so the scale is $2/5$. The search goes through all pairs of integers from $-2$ to 4.

# %%
joint = table_b.astype(float)
scale = 1 / (1 / 2 + 2)
together = np.log(bdp_ratio(joint, np.exp(-abs(outputs - count[..., None]) / scale), 0))
careful = np.exp(-abs(outputs - count[..., None]) / 2)
careless = np.exp(-abs(outputs - count[..., None]) * 2)
both = (careful[..., :, None] * careless[..., None, :]).reshape(2, 2, -1)
assert np.isclose(np.log(bdp_ratio(joint, both, 0)), together, rtol=1e-12)
apart = np.log(bdp_ratio(joint, careful, 0)) + np.log(bdp_ratio(joint, careless, 0))
print(f"together {together:.4f}, sum of the two {apart:.4f}")
check("02-scales", (scale, together))


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} When leakages add up
# :label: ex-02-compose
# ```
# **Standard.** Show that for independent tuples two releases leak at most the sum of their levels. Then show that under Table 3(b) two releases of scale 1 leak *less* than twice as much as one.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-02-compose
# :class: dropdown
# ```
# Together, the two releases are one mechanism, whose level of differential privacy is at most the sum of the two. By {prf:ref}`thm-02-independent`, its level of BDP is the same. For Table 3(b), compute $\varphi(1)$ and $\varphi(2)$ from {eq}`eq-02-mgf`. Both are the leakages, because the search finds no larger ratio.

# %%
def phi(epsilon):
    """Formula (eq-02-mgf) for Table 3(b)."""
    ill = sum(w * np.exp(epsilon * (1 + x2)) for x2, w in enumerate(given[1]))
    well = sum(w * np.exp(epsilon * x2) for x2, w in enumerate(given[0]))
    return float(np.log(float(ill / well)))


for k in (1, 2):
    noise = np.exp(-abs(outputs - count[..., None]) * k)
    assert np.isclose(np.log(worst_ratio(table_b.astype(float), noise)), phi(k), rtol=1e-12)
assert phi(2) < 2 * phi(1)
print(f"phi(1) = {phi(1):.3f}, phi(2) = {phi(2):.3f}")

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Attackers who know an event
# :label: ex-02-events
# ```
# **Research.** Admit attackers who know any *event* about the other tuples, not only exact values. Show that this changes nothing if the tuples are independent. Find a correlated distribution of three bits for which knowing "$x_2 = x_3$" is
# worse than being any of the twelve attackers.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-02-events
# :class: dropdown
# ```
# If the tuples are independent, an event about the others leaves them independent of $x_i$. So the attacker still averages with the same probabilities for $x_i$ as for $x_i'$, and the proof of {prf:ref}`thm-02-independent` applies. (The event "$x_1 = x_2$" of the fifth attacker was an event about the target, too.) For correlated data, let $x_2$ and $x_3$ be copies of a fair bit $x_1$, each right with probability $0.9$ independently. If they agree, both are very probably right.

# %%
x1, x2, x3 = np.indices((2, 2, 2))
for event in product((0, 1), repeat=4):
    if any(event):
        restricted = independent * np.array(event).reshape(1, 2, 2)
        restricted = restricted / restricted.sum()
        assert bdp_ratio(restricted, count_3, 0) <= dp_ratio(count_3)

right = (x2 == x1).astype(int) + (x3 == x1)
copies = 0.5 * 0.9**right * 0.1 ** (2 - right)
agreeing = copies * (x2 == x3)
laplace_1 = np.exp(-abs(np.arange(-1, 5) - (x1 + x2 + x3)[..., None]))
knows_event = np.log(bdp_ratio(agreeing / agreeing.sum(), laplace_1, 0))
worst = np.log(worst_ratio(copies, laplace_1))
print(f"worst of the twelve {worst:.4f}, knows that x2 = x3 {knows_event:.4f}")
assert knows_event > worst

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *How is the leakage to an attacker computed?* Average the mechanism over the unknown tuples, given the target and the known tuples. Then take the largest ratio over two values of the target and all outputs, and its logarithm.
# 2. *When is BDP the same as differential privacy, and how different can the two be?* They are the same for independent tuples and for strong attackers, if every database has a positive probability. In general the leakage is at most $|\mathcal{U}| + 1$ times the level of differential privacy. For a noisy count, perfect copies attain this.
# 3. *What do two releases leak together?* With Laplace noise on one query, they leak exactly as much as one release whose inverse scale is the sum of theirs. This can be more than the sum of their leakages, or less.
#
# **Further reading.** Mechanisms for Pufferfish {cite:p}`song2017pufferfish`; recent bounds for correlated data {cite:p}`lange2025balancing`; another notion with the same name
# {cite:p}`triastcyn2020bayesian`. **Next:** [how much does a Gaussian network leak?](03-gaussian-correlation-model.ipynb)
