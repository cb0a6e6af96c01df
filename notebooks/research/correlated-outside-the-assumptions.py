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
# # What happens outside the assumptions?
#
# **Question.** A noisy sum of correlated values is published. Which attacker learns most from it, and how much noise is enough against all attackers, if the assumptions of the known theorem fail?
#
# **What is known.** The paper {cite:p}`yangkanren` assumes normal data with weights $w_{ij} \ge 0$ and Laplace noise. Then a *weak* attacker, who knows no other value, learns most (Theorem 5.2). Section 5.6 warns that negative correlation is different. Other noise is not treated.
#
# **Answer.** No assumption can be dropped. If each weight is negative with probability 1/2, the attacker who learns most knows some values and not others in 94%<!-- {intermediate_at_half:.0%} --> of our random networks. Noise chosen for weak attackers can have 0.40<!-- {least_weak:.2f} --> times the necessary scale. For weights of either sign, a simple bound gives enough noise. For zeros and ones along a Markov chain of length 20, 1,540<!-- {len(list(interval_attackers(20))):,} --> of 10,485,760<!-- {20 * 2**19:,} --> attackers have to be examined.
#
# **Why it matters.** A publisher who applies the theorem to other data or other noise may add too little noise.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** which attacker learns most when an assumption of Theorem 5.2 fails, and two ways to find enough noise without trying every attacker.
# **You need** the leakage coefficient ([notebook 3](../correlated/03-gaussian-correlation-model.ipynb)) and the hierarchy of attackers ([notebook 4](../correlated/04-all-adversaries.ipynb)).
# **Time:** 21 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple, at most $M$ apart. **The attacker** $\mathcal{A}(i, \mathcal{K})$ wants $x_i$, knows the values $x_{\mathcal{K}}$ of some other tuples, the joint distribution and the mechanism, and sees one noisy sum. A *weak* attacker knows no other tuple, a *strong* one knows all others, and an *intermediate* one knows some but not all. The *worst* attacker is the one with the largest leakage. **Protected:** the odds between two values of $x_i$; in the section on normal noise, the protection may fail with a small probability $\delta$. **Not considered:** a joint distribution that differs from the assumed one ([the next note](correlated-a-million-people.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.correlated.gaussian import GaussianModel, output_density
from privlib.notebook import plots
from privlib.research.markov_chain import MarkovChain

plots.use()


# %% [markdown]
# ## With negative weights, the strong attacker may be the worst
#
# A household has a fixed budget. If one expense is higher, the others must be lower. We model this by a density that is large where the sum of the $n$ expenses is near a fixed amount $c$. The larger $k$ is, the less the sum varies:
#
# $$ \exp\Bigl(-\tfrac k2 \bigl(\textstyle\sum_j x_j - c\bigr)^2 - \tfrac \tau2 \sum_j x_j^2\Bigr). $$
#
# Here $\tau$ is the *prior*, which keeps each expense near 0. The precision matrix (the inverse of the covariance matrix) is $P = \tau I + k\,\mathbf 1 \mathbf 1^{\mathsf T}$. Its entry $P_{ij}$ off the diagonal is $-w_{ij}$ by definition, so each weight is $w_{ij} = -k$.
#
# Suppose that $x_i$ is larger by one. Then the attacker expects the sum to be larger by $1 + \ell$, where $\ell$ is the leakage coefficient of notebook 3. With Laplace noise of scale $\lambda$ the leakage is $\frac M\lambda (1 + \ell)$. The next function computes $1 + \ell$ from $P$. It also computes the variance of the sum given $x_i$ and the known tuples, which we need later:

# %%
def sum_given(P, target, known=()):
    """How far the expected sum moves with the target, 1 + l; and the variance of the sum."""
    unknown = [u for u in range(P.rows) if u != target and u not in known]
    if not unknown:
        return sp.Integer(1), sp.Integer(0)
    covariance = P.extract(unknown, unknown).inv()
    expected_changes = -covariance * P.extract(unknown, [target])
    return 1 + sum(expected_changes), sum(covariance)


tau, k = sp.symbols("tau k", positive=True)
budget = tau * sp.eye(4) + k * sp.ones(4, 4)
for known in ((), (1,), (1, 2), (1, 2, 3)):
    move, variance = sum_given(budget, 0, known)
    print(f"knows {len(known)} of 3: 1 + l =", sp.factor(move))

# %% [markdown]
# (The code counts tuples from 0, the text from 1.) In general, let $\mathcal U$ be the set of unknown tuples, and let it have $m$ elements. Then $P_{\mathcal{U}\mathcal{U}} \mathbf 1 = (\tau + mk)\mathbf 1$ and $P_{\mathcal{U}i} = k \mathbf 1$, and therefore $1 + \ell = \frac{\tau}{\tau + mk}$. This decreases with $m$: each unknown tuple hides $x_i$ a little more. So the strong attacker, with $m = 0$, is the worst. For large $k$ the weak attacker learns almost nothing. Noise that is chosen for weak attackers can then be too small by any factor.
#
# Section 5.6 of the paper makes this point with two tuples that always add up to 100: with such a negative correlation, one cannot say that a weak attacker has a large leakage.
#
# ```{evidence} Y-5.l
# ```
#
# ## With mixed signs, the worst attacker may know some tuples
#
# An {ref}`exercise of notebook 4 <ex-04-negative>` has three tuples. Tuples 1 and 2 have the weight 1, tuples 1 and 3 have the weight $-1$, and the prior is $\tau = 1$. If weights are negative, $1 + \ell$ may be negative as well. The leakage is then $\frac M\lambda |1 + \ell|$.

# %%
mixed = sp.Matrix([[3, -1, 1], [-1, 2, 0], [1, 0, 2]])
factors = {}
for target, known in adversaries(3):
    move, variance = sum_given(mixed, target, known)
    factors[target, known] = abs(move)
worst = max(factors, key=factors.get)
largest_weak = max(factors[target, ()] for target in range(3))
print(f"worst attacker {worst}: |1 + l| = {factors[worst]}; weak attackers: at most {largest_weak}")


# %% [markdown]
# The worst of the twelve attackers targets tuple 1 and knows tuple 3 only. If tuple 3 were unknown, it would hide $x_1$, because it tends to be small when $x_1$ is large. Tuple 2 tends to be large when $x_1$ is large. As long as it is unknown, it increases the effect of $x_1$ on the sum.
#
# In a large network there are too many attackers to try them all. The next proposition bounds the leakage of all of them at once. It replaces each weight by its absolute value, so that notebook 4 applies, and leaves the diagonal of $P$ as it is:
#
# ````{prf:proposition} Comparison bound
# :label: prop-07-comparison
# Let $\langle P \rangle$ have the diagonal of $P$, and $-\lvert P_{ij} \rvert$ in all other places. If $\langle P \rangle$ is positive definite, then for every attacker
#
# $$ \lvert \ell_{\mathcal{A}(i, \mathcal{K})}(P) \rvert \le \ell_{\mathcal{A}(i, \mathcal{K})}(\langle P \rangle) \le \ell_{\mathcal{A}(i, \emptyset)}(\langle P \rangle) . $$
# ````
#
# ```{prf:proof}
# Write $P_{\mathcal{U}\mathcal{U}} = D - N$, where $D$ is its diagonal. Then $P_{\mathcal{U}\mathcal{U}}^{-1} = D^{-1} + D^{-1} N D^{-1} + D^{-1} N D^{-1} N D^{-1} + \dots$ if this series converges. Replace each entry of $N$ by its absolute value. The result is the same series for $\langle P \rangle$, which converges because $\langle P \rangle$ is positive definite. So the series for $P$ converges as well, and no entry of $P_{\mathcal{U}\mathcal{U}}^{-1}$ has a larger absolute value than the same entry of $\langle P \rangle_{\mathcal{U}\mathcal{U}}^{-1}$. The same holds for $\ell = -\mathbf 1^{\mathsf T} P_{\mathcal{U}\mathcal{U}}^{-1} P_{\mathcal{U}i}$.
#
# For the second inequality, note that the series for $\langle P \rangle$ has no negative terms. So in the network of $\langle P \rangle$ no tuple is expected to fall when another one rises. By {prf:ref}`prp-04-step` of notebook 4, an attacker who stops knowing $x_j$ then has at least the coefficient $\ell$ that the attacker had before.
# ```

# %%
def comparison_bound(P):
    """For each target: an upper bound of |l| over all its attackers."""
    comparison = -abs(P)
    np.fill_diagonal(comparison, P.diagonal())
    V = np.linalg.inv(comparison)
    return V.sum(axis=1) / V.diagonal() - 1  # l of the weak attackers


# %% [markdown]
# Because $|1 + \ell| \le 1 + |\ell|$, noise of the scale $\frac M\varepsilon (1 + \text{largest bound})$ is enough against every attacker.
#
# How often is the worst attacker not a weak one? And how much more noise does the bound ask for than is necessary? We draw complete networks of six tuples with prior 1. The sizes of the weights have an exponential distribution, and each weight is negative with probability $p$. For each network, the package computes the leakage to all 192 attackers.

# %%
def signed_network(n, p, rng):
    """Random precision matrix; each weight is negative with probability p."""
    W = np.triu(rng.exponential(size=(n, n)), 1)
    W = W * np.where(rng.random((n, n)) < p, -1, 1)
    W = W + W.T
    return np.diag(abs(W).sum(axis=1) + 1) - W


# %%
rng = np.random.default_rng(56)
chances = np.linspace(0, 1, 11)
n_known, weak_noise, bound_noise = [], [], []  # noise: in multiples of the necessary scale
for p in chances:
    for _ in range(200):
        P = signed_network(6, p, rng)
        worst = GaussianModel(precision=P, width=1).worst_adversary(scale=1)
        V = np.linalg.inv(P)
        weak_leakage = abs(V.sum(axis=1) / V.diagonal()).max()
        n_known.append(len(worst.adversary.known))
        weak_noise.append(weak_leakage / worst.leakage)
        bound_noise.append((1 + comparison_bound(P).max()) / worst.leakage)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Random networks of six tuples, 200 for each p. Left: the share of networks in which the worst attacker is weak, intermediate or strong. Right: noise chosen by two rules, in multiples of the necessary noise (median, and the middle 90% of the networks). Noise for weak attackers only is too small, noise by the comparison bound is always enough.", "name": "fig-signed"}, "image": {"alt": "Left, stacked areas against the probability p that a weight is negative. Weak attackers fill everything at p = 0 and vanish, intermediate ones have the largest share from 0.3 to 0.9, strong ones take over at 1. Right, the curve for weak attackers falls from 1 to about 0.7, the curve of the comparison bound rises from 1 to about 3.8<!-- {highest_bound:.1f} -->."}} tags=["figure"]
n_known = np.reshape(n_known, (11, 200))
weak_noise = np.reshape(weak_noise, (11, 200))
bound_noise = np.reshape(bound_noise, (11, 200))
weak_share = (n_known == 0).mean(axis=1)
strong_share = (n_known == 5).mean(axis=1)
intermediate_share = 1 - weak_share - strong_share
fig, (left, right) = plots.panels(1, 2, width=9, height=3.4)
colours = [plots.COLOURS[name] for name in ("blue", "gold", "green")]
left.stackplot(chances, weak_share, intermediate_share, strong_share, colors=colours, alpha=0.85)
places = {"weak": (0.12, 0.3), "intermediate": (0.55, 0.6), "strong": (0.8, 0.14)}
for name, (x, y) in places.items():
    left.text(x, y, name, ha="center", va="center")
left.annotate("", (0.985, 0.3), (0.87, 0.16), arrowprops={"arrowstyle": "->"})
left.set(xlabel="probability p that a weight is negative", ylabel="share of networks")
left.set(title="the worst attacker", xlim=(0, 1), ylim=(0, 1))
curves = {"comparison bound": (bound_noise, "blue"), "weak attackers only": (weak_noise, "orange")}
for name, (ratio, colour) in curves.items():
    low, middle, high = np.quantile(ratio, (0.05, 0.5, 0.95), axis=1)
    shade = plots.COLOURS[colour]
    right.fill_between(chances, low, high, color=shade, alpha=0.25, lw=0)
    right.plot(chances, middle, color=shade, label=name)
right.axhline(1, color=plots.COLOURS["grey"], lw=1, ls="-")
right.set(xlabel="probability p that a weight is negative", title="noise chosen by two rules")
right.set(ylabel="noise / necessary noise", yscale="log")
right.set(yticks=[0.5, 1, 2, 4], yticklabels=["0.5", "1", "2", "4"])
right.minorticks_off()
right.legend(loc="upper left")
intermediate_at_half = intermediate_share[5]
least_weak = weak_noise.min()
p_of_least_weak = chances[weak_noise.min(axis=1).argmin()]
bound_at_half = np.median(bound_noise[5])
highest_bound = np.median(bound_noise, axis=1).max()
assert weak_share[0] == 1  # Theorem 5.2
assert intermediate_share[3:10].min() > 0.5 and strong_share[-1] > 0.9  # the alt text
assert 0.65 < np.median(weak_noise, axis=1).min() < 0.75
assert bound_noise.min() > 1 - 1e-12
plt.show()

# %% [markdown]
# At $p = \frac12$ the worst attacker is intermediate in 94%<!-- {intermediate_at_half:.0%} --> of the networks ({numref}`fig-signed`). The comparison bound then asks for 2.1<!-- {bound_at_half:.1f} --> times the necessary noise (median). Noise for weak attackers only is smallest in a network with $p =$ 0.8<!-- {p_of_least_weak:.1f} -->: 0.40<!-- {least_weak:.2f} --> times what is necessary.
#
# A strong attacker can be the worst only if no weight is positive. Suppose that $w_{ij} > 0$. The attacker of $x_i$ who knows everything but $x_j$ has $\ell = w_{ij}/P_{jj} > 0$, and so learns more than every strong attacker.
#
# ```{evidence} Y-B7
# ```
#
# ## With normal noise, the strong attacker may be the worst
#
# From here on, no weight is negative. With Laplace noise, the log ratio of the two output densities approaches the leakage for outputs far out in the tails, and there the variance of the sum does not matter (notebook 3). With normal noise it matters:
#
# ````{prf:proposition} Normal noise
# :label: prop-07-gaussian
# Let $r = s + N(0, \sigma^2)$. For the attacker $\mathcal{A}(i, \mathcal{K})$, to distinguish the value $x_i$ from $x_i + M$ by the output is exactly as hard as to distinguish $N(0, 1)$ from $N(\mu, 1)$ by one observation, where
#
# $$ \mu = \frac{M\,\lvert 1 + \ell_{\mathcal{A}} \rvert}{\sqrt{\sigma^2 + \operatorname{Var}[s \mid x_i, x_{\mathcal{K}}]}} . $$
# ````
#
# ```{prf:proof}
# Given $x_i$ and $x_{\mathcal{K}}$, the output is normal with the variance $\sigma^2 + \operatorname{Var}[s \mid x_i, x_{\mathcal{K}}]$, which does not depend on the values. If $x_i$ is replaced by $x_i + M$, the mean changes by $M(1 + \ell_{\mathcal{A}})$. Divide the output by its standard deviation.
# ```
#
# This $\mu$ is the parameter of Gaussian differential privacy {cite:p}`dong2022gaussian`. The larger it is, the more the attacker learns. For an attacker who does not know $x_j$, both the numerator and the denominator are larger than for one who knows it. Which effect is stronger? Take two tuples with the weight $w$, $\tau = 1$, $\sigma = 1$ and $M = 1$. For the strong attacker $\mu = 1$.

# %%
w = sp.Symbol("w", positive=True)
move, variance = sum_given(sp.Matrix([[1 + w, -w], [-w, 1 + w]]), 0)
difference = sp.factor(move**2 / (1 + variance) - 1)  # mu^2 of weak minus mu^2 of strong
(threshold,) = sp.solve(sp.numer(difference), w)
print(difference, "is 0 at", threshold)

# %% [markdown]
# Below $w =$ 0.434<!-- {float(threshold):.3f} --> the strong attacker is the worse one: the variance of the unknown tuple hides $x_1$ more than its correlation reveals it.
#
# Normal noise is not the only reason. Take Laplace noise again, and allow a small $\delta$ as in $(\varepsilon, \delta)$-differential privacy: for all sets $S$ of outputs, $\Pr(r \in S \mid x_i) \le e^{\varepsilon} \Pr(r \in S \mid x_i') + \delta$. The smallest such $\delta$ is the largest value of $\Pr(r \in S \mid x_i) - e^{\varepsilon} \Pr(r \in S \mid x_i')$. It is attained by the set $S$ of all outputs at which the density given $x_i$ is more than $e^\varepsilon$ times the density given $x_i'$:

# %%
outputs = np.linspace(-30, 30, 60_001)


def delta(move, variance, epsilon):
    """Smallest delta at this epsilon for one attacker, with Laplace noise of scale 1."""
    noise = {"scale": 1, "sigma": float(variance) ** 0.5}
    density = output_density(outputs, 0.0, **noise)
    moved_density = output_density(outputs, float(move), **noise)
    excess = np.maximum(moved_density - np.exp(epsilon) * density, 0)
    return np.trapezoid(excess, outputs)


weak_move, weak_variance = move.subs(w, 0.1), variance.subs(w, 0.1)
print(f"weak {delta(weak_move, weak_variance, 0.5):.3f}, strong {delta(1, 0, 0.5):.3f}")

# %% [markdown]
# At $w = 0.1$ and $\varepsilon = \frac12$ the strong attacker needs the larger $\delta$. {numref}`fig-noise` shows other levels of noise and of $\varepsilon$.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Two tuples with the weight w. Left: normal noise. With little noise the strong attacker learns more (below the grey line), with much noise the weak one. As the noise grows, the ratio tends to 1 + \u2113 of the weak attacker (dots), its value for Laplace noise. Right: Laplace noise of scale 1, w = 0.1. The \u03b4 of the weak attacker is the larger one only near \u03b5 = 1, where both are nearly 0.", "name": "fig-noise"}, "image": {"alt": "Left, three S-shaped curves of the ratio of the two values of mu, below 1 for little noise and above 1 for much. Right, two falling curves of delta against epsilon. The strong attacker's is the higher one until just before epsilon = 1, where it reaches 0."}} tags=["figure"]
sigmas, levels = np.geomspace(0.1, 10, 61), np.linspace(0, 1.1, 56)
fig, (left, right) = plots.panels(1, 2, width=9, height=3.3)
for weight, colour in ((0.1, "blue"), (float(threshold), "orange"), (2.0, "green")):
    shift, spread = float(move.subs(w, weight)), float(variance.subs(w, weight))
    ratio = shift * sigmas / np.sqrt(sigmas**2 + spread)
    assert ratio[0] < 1 < ratio[-1]
    style = {"color": plots.COLOURS[colour]}
    left.semilogx(sigmas, ratio, label=f"w = {weight:.2g}", **style)
    left.plot(11.5, shift, "o", clip_on=False, **style)
left.axhline(1, color=plots.COLOURS["grey"], lw=1, ls="-")
left.set(xlabel="standard deviation σ of the noise", ylabel="μ of weak / μ of strong")
left.set(title="normal noise", ylim=(0, 1.8))
left.legend()
deltas = {}
for name, spread in {"weak": (weak_move, weak_variance), "strong": (1, 0)}.items():
    deltas[name] = np.array([delta(*spread, level) for level in levels])
    right.plot(levels, deltas[name], label=f"{name} attacker")
right.set(xlabel="level ε", ylabel="δ", title="Laplace noise")
right.legend()
assert (deltas["weak"] < deltas["strong"])[levels < 0.9].all()
assert (deltas["weak"] > deltas["strong"])[(levels > 0.97) & (levels < 1.01)].all()
plt.show()


# %% [markdown]
# So Theorem 5.2 extends neither to normal noise nor to $\delta > 0$. With normal noise and three tuples, it can happen that only intermediate attackers are the worst. The [evidence](../evidence/research/correlated-outside-the-assumptions.ipynb) has an example.
#
# ```{evidence} Y-B8
# ```
#
# ## With zeros and ones, the normal formula may be too low
#
# The paper studies the sum because counts (カウンティングクエリ) and histograms derive from it (Section 5). About queries this is right: a count is the sum of indicators, which are 0 or 1. But the paper derives its formula for normal tuples. Is it also right for zeros and ones with the same covariances?
#
# Four people stand in a row, and each is in state 0 or 1. Each person has the state of the previous one with probability 0.9. For such a finite distribution, the exact leakage is a maximum over finitely many outputs ([notebook 2](../correlated/02-bayesian-differential-privacy.ipynb)), so we can compute it for all attackers.

# %%
def chain_distribution(P, n):
    """Joint distribution of n steps of a stationary chain with two states."""
    joint = np.array([P[1][0], P[0][1]]) / (P[1][0] + P[0][1])
    for _ in range(n - 1):
        joint = joint[..., None] * np.array(P)
    return joint


STAY = [[0.9, 0.1], [0.1, 0.9]]
four = FiniteDistribution(chain_distribution(STAY, 4))
for level in (0.1, 5):
    leakages = four.all_leakages(scale=1 / level)
    worst = max(leakages, key=leakages.get)
    weak = max(leakages[target, ()] for target in range(4))
    print(f"ε = {level}: weak attackers at most {weak:.3f}; worst {leakages[worst]:.3f}, {worst}")

# %% [markdown]
# Here the noise is Laplace noise of scale $1/\varepsilon$. With much noise (small $\varepsilon$), a weak attacker is the worst. With little noise, an attacker of person 2 who knows person 4 learns more, although all correlations are positive. So Theorem 5.2 does not extend to zeros and ones either.
#
# The formula itself can also be too low. Let $x_1$ be 0 with probability 0.01. Let $x_2$ be 1 with probability 0.1 if $x_1 = 1$, and with probability 0.001 if $x_1 = 0$. For zeros and ones, $1 + \ell$ of the weak attacker of $x_1$ is the expected sum given $x_1 = 1$ minus the expected sum given $x_1 = 0$:

# %%
rare = np.array([[0.00999, 0.00001], [0.891, 0.099]])  # rare[x1][x2]
formula = 1 + 0.1 - 0.001
exact = FiniteDistribution(rare).leakage(0, scale=1)
print(f"ε = 1: normal formula {formula:.3f}, exact {exact:.3f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Zeros and ones against the normal formula with the same covariances (grey). Left: four people in a row. With much noise (small \u03b5) the formula is right and a weak attacker is the worst. With less noise, the attacker of person 2 who knows person 4 learns more. Right: the rare event. The formula is too low, so noise that is chosen by it is not enough.", "name": "fig-binary"}, "image": {"alt": "Left, leakage divided by epsilon against epsilon on a logarithmic axis. The curve of weak attackers starts at 3.2<!-- {weak_best[0]:.1f} --> and falls to 1.2<!-- {weak_best[-1]:.1f} -->; the curve of the attacker who knows person 4 starts lower, crosses it and stays above. Right, a curve that starts at 1.1<!-- {rare_pair[0]:.1f} -->, rises to 1.6<!-- {rare_pair.max():.1f} --> and falls."}} tags=["figure"]
grid = np.geomspace(0.02, 20, 41)
weak_best, knows_fourth, rare_pair = np.empty((3, 41))
for place, level in enumerate(grid):
    weak_best[place] = max(four.leakage(i, scale=1 / level) for i in range(4)) / level
    knows_fourth[place] = four.leakage(1, [3], scale=1 / level) / level
    rare_pair[place] = FiniteDistribution(rare).leakage(0, scale=1 / level) / level
formula_for_four = 1 + 0.8 + 0.8 + 0.8**2  # correlations 0.8 to the power of the distance
fig, (left, right) = plots.panels(1, 2, width=9, height=3.3)
grey = {"color": plots.COLOURS["grey"], "lw": 1.2, "ls": "-"}
left.semilogx(grid, weak_best, label="weak attackers (largest)")
left.semilogx(grid, knows_fourth, label="attacks 2, knows 4")
left.axhline(formula_for_four, label="normal formula, weak", **grey)
left.set(xlabel="level ε of the noise, Lap(1/ε)", ylabel="leakage / ε")
left.set(title="four people in a row", ylim=(0.9, 3.5))
left.legend(fontsize=9)
right.semilogx(grid, rare_pair, label="weak attacker of tuple 1")
right.axhline(formula, label="normal formula", **grey)
right.set(xlabel="level ε of the noise, Lap(1/ε)", title="a rare event", ylim=(0.9, None))
right.legend(fontsize=9)
assert abs(weak_best[0] / formula_for_four - 1) < 0.02
assert knows_fourth[0] < weak_best[0] and knows_fourth[-1] > weak_best[-1]
plt.show()


# %% [markdown]
# For weak attackers and much noise, the formula is right if the sum given $x_i = 1$ is stochastically larger than the sum given $x_i = 0$ (each threshold is exceeded with at least the same probability). The evidence proves this. It also has an example of three bits for which this condition fails, and the formula with it.
#
# ```{evidence} Y-5.a
# ```
#
# ## Along a chain, intervals are enough
#
# If any attacker may be the worst, must we try all $n 2^{n-1}$ of them? For a Markov chain, no.
#
# ````{prf:theorem} Only intervals matter
# :label: thm-07-intervals
# Let $x_1, \dots, x_n$ be a Markov chain, and let the sum be published with independent noise. For every attacker of $x_i$ there is an interval $a < j < b$ that contains $i$, such that the attacker who knows exactly the tuples outside this interval learns at least as much.
# ````
#
# ```{prf:proof}
# Let $a < i < b$ be the nearest tuples on either side of $i$ that the attacker knows. (If the attacker knows none on one side, the interval reaches to that end of the chain.) By the Markov property, given $x_a$ and $x_b$, the tuples outside $[a, b]$ are independent of $x_i$ and of the tuples inside. So the unknown tuples outside $[a, b]$ only add an independent variable to the output. Its distribution is the same for every value of $x_i$, and adding such a variable never makes two distributions easier to distinguish. An attacker who knows all tuples outside can subtract them, and so learns at least as much.
# ```

# %%
def interval_attackers(n):
    """For each target and interval around it: the tuples outside, which are known."""
    for target in range(n):
        for left in range(target + 1):  # first unknown tuple
            for right in range(target + 1, n + 1):  # one past the last unknown tuple
                yield target, (*range(left), *range(right, n))


leakages = FiniteDistribution(chain_distribution(STAY, 6)).all_leakages(scale=1)
intervals = {attacker: leakages[attacker] for attacker in interval_attackers(6)}
print(f"{len(leakages)} attackers, {len(intervals)} intervals")
assert max(leakages.values()) == max(intervals.values())

# %% [markdown]
# There are $n(n+1)(n+2)/6$ such attackers. The package's `MarkovChain` computes the distributions of their sums by recursion along the chain, so long chains are possible as well. We compare the exact maximum over all attackers with a published bound. For every mechanism that is $\varepsilon$-differentially private, not only for noisy sums, the leakage is at most $\varepsilon + 4 \ln(\max p / \min p)$, with the largest and the smallest entry $p$ of the transition matrix {cite:p}`lange2025balancing`.

# %%
for level in (0.1, 1, 5):
    worst = MarkovChain(0.9, 20).worst_adversary(scale=1 / level)
    bound = level + 4 * np.log(0.9 / 0.1)
    print(f"ε = {level}: exact {worst.leakage:.3f}, published bound {bound:.2f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A chain that stays in its state with probability 0.9 (correlation of neighbours 0.8). Left: leakage to the worst of all attackers, against the length of the chain. It levels off, whereas the bound by group privacy is n. Right: 20 people. The published bound is close to the exact leakage if there is little noise (large \u03b5), and far above it if there is much.", "name": "fig-chain"}, "image": {"alt": "Left, three rising curves that level off at 8.7<!-- {amplification[0.1][-1]:.1f} -->, 5.2<!-- {amplification[1][-1]:.1f} --> and 2.3<!-- {amplification[5][-1]:.1f} --> for epsilon 0.1, 1 and 5, below a dotted line at 9 and a steep line of group privacy. Right, on logarithmic axes, the exact curve falls from 8 to 1.2<!-- {at_twenty[-1]:.1f} -->, and the published bound from above 400 to 1.3<!-- {published[-1]:.1f} -->."}} tags=["figure"]
lengths = [1, 2, 3, 4, 6, 8, 10, 14, 20, 28, 40]
noise = np.geomspace(0.02, 30, 41)
amplification, at_twenty = {}, []
fig, (left, right) = plots.panels(1, 2, width=9, height=3.5)
for level in (0.1, 1, 5):
    curve = [MarkovChain(0.9, n).worst_adversary(scale=1 / level).leakage / level for n in lengths]
    amplification[level] = curve
    left.plot(lengths, curve, marker=".")
    left.text(41, curve[-1], f"ε = {level:g}", va="center")
for level in noise:
    at_twenty.append(MarkovChain(0.9, 20).worst_adversary(scale=1 / level).leakage / level)
published = 1 + 4 * np.log(0.9 / 0.1) / noise
black = {"color": plots.COLOURS["black"], "lw": 1, "ls": "-"}
dotted = {"color": plots.COLOURS["grey"], "lw": 1.2, "ls": ":"}
left.plot(lengths, lengths, **black)
left.text(14, 13, "group privacy, n", va="center")
left.axhline(9, **dotted)
left.text(15, 9.5, "(1 + ρ)/(1 − ρ)", color=plots.COLOURS["grey"])
left.set(xlabel="number n of people", ylabel="leakage / ε", title="against the length")
left.set(xticks=[1, 10, 20, 30, 40], ylim=(0, 14), xlim=(0, 51))
right.loglog(noise, at_twenty, label="exact")
right.loglog(noise, published, label="published bound")
right.axhline(20, label="group privacy", **black)
right.axhline(9, label="(1 + ρ)/(1 − ρ)", **dotted)
right.set(xlabel="level ε of the noise, Lap(1/ε)", title="20 people", ylim=(0.8, 600))
right.legend(fontsize=8.5)
assert published[0] > 400 and abs(at_twenty[0] - 8) < 0.15
plt.show()

# %% [markdown]
# The dotted line in {numref}`fig-chain` has a simple reason. If one person's state changes from 0 to 1, the expected states of the two neighbours increase by the correlation $\rho = 0.8$, those of the next two people by $\rho^2$, and so on. In a long chain, the expected sum increases by $1 + 2(\rho + \rho^2 + \dots) = \frac{1 + \rho}{1 - \rho} = 9$. For symmetric chains with $\rho \ge 0$, leakage divided by $\varepsilon$ tends to this number as the chain gets longer and the noise larger.
#
# ```{evidence} Y-B9
# ```
#
# ## What it rests on
#
# The two propositions and the theorem are proved above. The statements that a weak attacker is not always the worst rest on examples. The budget, the three tuples and the two tuples with normal noise are computed in exact arithmetic, the others in floating point. The [evidence](../evidence/research/correlated-outside-the-assumptions.ipynb) computes the coefficients a second time, as regression coefficients from the covariance matrix. It also simulates 400,000 attacks on two tuples with normal noise, and compares intervals with all attackers for 45 pairs of a chain (of up to six tuples) and a noise level.
#
# ## Limits
#
# - The networks of {numref}`fig-signed` are small and complete, and their precision matrices are diagonally dominant. In other networks the shares are different.
# - The comparison bound needs a positive definite $\langle P \rangle$. It can be far above the largest leakage.
# - For normal noise and for $(\varepsilon, \delta)$ we have counterexamples but no replacement for Theorem 5.2: we do not know how to find the worst attacker of a large network.
# - Intervals are enough for chains only. For other networks, see [*When is leakage hard to compute?*](correlated-what-is-hard.ipynb)
# - The limit $\frac{1 + \rho}{1 - \rho}$ is for symmetric chains. Without symmetry, an attacker who knows tuples some places away can learn more.
#
# ## What others had
#
# *Normal data.* {cite:t}`li2019impact` treat positive, negative and mixed correlation of normal data (we read abstract and introduction). The comparison of inverses is due to Ostrowski. The example with three tuples (with two, no attacker is intermediate) and the use of the bound are ours. We found no statement on which attacker is the worst under normal noise or $(\varepsilon, \delta)$. {cite:t}`ding2024approximation` (abstract only) chooses Laplace noise for normal data and $(\varepsilon, \delta)$ by optimal transport.
#
# *Markov chains.* The Markov quilt mechanism {cite:p}`song2017pufferfish` already uses that a known tuple makes the tuples beyond it independent of the target. It derives an upper bound, whereas we enumerate attackers and obtain the exact maximum. Of {cite:t}`lange2025balancing` we read the abstract and took the formula from their program. For positively affiliated data, {cite:t}`ghosh2017inferential` bound what any differentially private mechanism reveals, and Laplace noise on the sum attains their bound (abstract only). {cite:t}`chakrabarti2022optimal` have a mechanism for binary chains in which each person adds noise alone, and show that it is nearly optimal among such mechanisms (abstract only). In the parts of these papers that we read, we found no exact maximum over all attackers.
#
# ## Exercises
#
# ```{exercise-start} A weak attacker who learns nothing
# :label: ex-07-blind
# ```
# **Warm-up.** Find the precision matrix of two correlated tuples, with 2 and 1 on its diagonal, for which the weak attacker of tuple 1 learns nothing. What are $1 + \ell$ of the weak attacker of tuple 2, and of the strong attackers?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("07-blind", ...)

# %% [markdown]
# ```{solution-start} ex-07-blind
# :class: dropdown
# ```
# For the weak attacker of tuple 1, $1 + \ell = 1 - P_{12}/P_{22}$. This is 0 if $P_{12} = P_{22} = 1$: whenever $x_1$ is larger by one, $x_2$ is expected to be smaller by one.

# %%
blind = sp.Matrix([[2, 1], [1, 1]])
answers = [sum_given(blind, target, known)[0] for target, known in adversaries(2)]
assert blind.is_positive_definite and answers == [0, 1, sp.Rational(1, 2), 1]
check("07-blind", (blind[0, 1], answers[2], answers[3]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Equally dangerous attackers
# :label: ex-07-crossing
# ```
# **Standard.** With normal noise, an attacker has $\ell > 0$ and the variance $v = \operatorname{Var}[s \mid x_i, x_{\mathcal{K}}]$. At which $\sigma$ is this attacker as dangerous as the strong one?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("07-crossing", ...)


# %% [markdown]
# ```{solution-start} ex-07-crossing
# :class: dropdown
# ```
# The strong attacker has $\mu = M/\sigma$. Equality means $(1 + \ell)^2 \sigma^2 = \sigma^2 + v$, so $\sigma^2 = v/((1 + \ell)^2 - 1)$.

# %%
def crossing(v, ell):
    return np.sqrt(v / ((1 + ell) ** 2 - 1))


for weight in (0.1, 2.0):
    shift, spread = float(move.subs(w, weight)), float(variance.subs(w, weight))
    sigma = crossing(spread, shift - 1)
    assert np.isclose(shift / np.sqrt(sigma**2 + spread), 1 / sigma)
    assert (sigma > 1) == (weight < threshold)
check("07-crossing", crossing)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} When the worst attackers change places
# :label: ex-07-switch
# ```
# **Research.** For four people in a row, $\mathcal{A}(2, \{4\})$ learns less than the weak attackers if there is much noise, and more if there is little. Find the limit of *leakage minus $\varepsilon$* as $\varepsilon \to \infty$, for $\mathcal{A}(2, \emptyset)$ and for $\mathcal{A}(2, \{4\})$. What does the limit measure?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("07-switch", ...)

# %% [markdown]
# ```{solution-start} ex-07-switch
# :class: dropdown
# ```
# With hardly any noise the attacker nearly sees the sum. If two sums differ by one unit, the noise density changes between them by a factor of $e^\varepsilon$, which contributes $\varepsilon$ to the leakage. The rest is the logarithm of a likelihood ratio. For the weak attacker of person 2, the decisive output is 0. It makes it probable that the other three people have the states 000. Given $x_2 = 0$ this has the probability $0.9^3$, and the sum is 0. Given $x_2 = 1$ it has only the probability $0.1 \cdot 0.1 \cdot 0.9$, and the sum is 1, one unit away. The ratio of the probabilities is 81. For the attacker who knows that $x_4 = 1$, rarer events decide, and the ratio is 369.

# %%
excesses = []
for known in ((), (3,)):
    leakage = four.leakage(1, known, scale=1 / 30)
    excesses.append(leakage - 30)
assert np.allclose(np.exp(excesses), [81, 369], rtol=1e-6)
assert np.isclose(0.9**3 / (0.1 * 0.1 * 0.9), 81)
check("07-switch", excesses)

# %% [markdown]
# ```{solution-end}
# ```
