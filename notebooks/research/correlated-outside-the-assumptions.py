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
# For Gaussian data, friendly ties and Laplace noise there is one simple rule: fear the attacker who knows
# nothing. Real data come as yes and no, some ties are rivalries, other noise is in use, the weights are
# guesses, and networks are large. This notebook drops the assumptions one at a time and asks each
# time: who is the worst attacker now, and can we still say exactly what they learn?
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** which attacker is the worst when ties may be negative, why the answer depends on the
# noise and on the data being Gaussian, how to treat all $n2^{n-1}$ attackers of a Markov chain in
# polynomial time, what to do when the weights are only known roughly, and how to certify the leakage of a
# network of a million tuples.
# **You need** the [leakage coefficient](../correlated/03-gaussian-correlation-model.ipynb) and
# [the worst attacker](../correlated/04-all-adversaries.ipynb).
# **Time:** 24 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple, at most $M$ apart. **The attacker** $\mathcal{A}(i, \mathcal{K})$
# attacks $x_i$, knows $x_{\mathcal{K}},$ the joint law and the mechanism, and sees one noisy sum.
# **Protected:** the odds between two values of $x_i$; in one section only up to a probability $\delta$.
# **Not protected:** anything under a joint law other than the assumed one, until the section
# on wrong weights.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from collections import Counter
from fractions import Fraction
from math import fsum

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import scipy.sparse as sps
import sympy as sp
from mpmath import iv
from scipy.optimize import brentq
from scipy.sparse.linalg import cg
from scipy.stats import norm

from privlib.correlated import gaussian, networks
from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteDistribution
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, derivation, plots, table
from privlib.research import sparse_gaussian
from privlib.research.markov_chain import MarkovChain

plots.use()

# %% [markdown]
# Tuple 1 of the text is index `0` in the code, as everywhere in this book.
#
# ## Two tuples that add up to 100
#
# The paper itself names the first limit. All its results on Gaussian data assume weights $w_{ij} \ge 0$.
#
# ````{prf:remark} Positive and negative correlation (正と負の相関), section 5.6
# :label: rem-07-sign
#
# With positive correlation a larger $x_i$ pulls the unknown tuples up, the sum moves further, and weak
# attackers are dangerous. Data need not be like that: if two tuples always add up to 100, one falls when
# the other rises, and the weak attacker need not leak much.
# ````
#
# The model has no room for an *exact* constraint, but we can approach it. Let a spring of
# strength $k$ pull the sum towards 100: a density proportional to
# $\exp\bigl(-\tfrac k2 (x_1 + x_2 - 100)^2 - \tfrac\tau2 (x_1^2 + x_2^2)\bigr)$. The 100 only moves the
# mean. The precision is $\tau I + k\,\mathbf 1\mathbf 1^\top$, which is a **negative weight** $w_{12} = -k$. The weak attacker's coefficient is the regression of the sum on $x_1$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
tau, k, w = sp.symbols("tau k w", positive=True)
soft = tau * sp.eye(2) + k * sp.ones(2, 2)
V = soft.inv()
spring = derivation(1 + V[0, 1] / V[0, 0], of=r"1 + \ell_1").equal(
    tau / (tau + k), "the covariances, divided"
)
spring = spring.at_most(1, "what the strong attacker has", by="coefficients")
spring

# %% [markdown]
# As the spring stiffens this falls to 0: the sum is a constant, and the weak attacker learns nothing. *At* the limit, though, the strong attacker knows $x_1$ before any release: two values
# of $x_1$ that could be told apart no longer exist. A finite law shows the constraint itself: three values each, always adding up to 2, and the same with one percent of disorder.

# %%
pairs = [[Fraction(int(x1 + x2 == 2), 3) for x2 in range(3)] for x1 in range(3)]
exact_sum = FiniteDistribution(np.array(pairs, dtype=object))
nearly = FiniteDistribution(exact_sum.joint * Fraction(99, 100) + Fraction(1, 900))
for law, name in ((exact_sum, "exact"), (nearly, "99 percent")):
    weak, strong = (law.leakage(0, known, scale=2) for known in ((), (1,)))
    print(f"{name:10s}  weak {float(weak):.4f}  strong {float(strong):.4f}")

# %% [markdown]
# With full support the strong attacker learns the $\varepsilon = 1$ that differential privacy grants; under the exact constraint there is nothing left to
# compare. (Conditioning, see {ref}`the two readings <corr-readings>`; in the kernel reading the strong attacker has $\varepsilon$ there too.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
eps = sp.Symbol("epsilon", positive=True)
friendly = sp.Matrix([[w + tau, -w], [-w, w + tau]])
V_friendly = friendly.inv()
friend = derivation(V_friendly[0, 1] / V_friendly[0, 0])
friend = friend.equal(w / (w + tau), "divided")
friend = friend.at_least(0, "positive correlation", by="coefficients")
with claim("Y-5.l") as c:
    regressed = 1 + V[0, 1] / V[0, 0]
    c.decisive().derived(spring, regressed, 1, "negative: weak at most strong")
    regressed = V_friendly[0, 1] / V_friendly[0, 0]
    c.decisive().derived(friend, regressed, 0, "positive: weak at least strong")
    package = [GaussianModel(precision=m, width=1).leakage_coefficient(0) for m in (soft, friendly)]
    by_covariance = [tau / (tau + k) - 1, w / (w + tau)]
    c.exact(package, by_covariance, "precision and covariance")
    stiff = sp.limit(k * (1 + package[0]), k, sp.oo)
    c.exact(stiff, tau, "stiff constraint, weak: 1 + l falls to 0 like τ/k")
    none = exact_sum.leakage(0, scale=2 / eps)
    c.exact(none, 0, "exact constraint, three values, weak: 0")

assert exact_sum.leakage(0, [1], scale=2 / eps) == 0  # nothing left to compare
assert nearly.leakage(0, [1], scale=2 / eps) == eps
kernel = FiniteDistribution(exact_sum.joint, conditions="kernel")
assert kernel.leakage(0, [1], scale=2 / eps) == eps

# %% [markdown]
# So the paper's remark holds. It leaves a question open: if the weak attacker is harmless when ties are negative, is then the
# *strong* one the worst?
#
# ## Who is the worst when ties have signs?
#
# Here is the rule that we are about to leave.
#
# ````{prf:theorem} Forgetting a tuple; the paper's Theorem 5.2
# :label: thm-07-forgetting
#
# Let all $w_{ij} \ge 0$, and let $\mathcal{A}' = \mathcal{A}(i, \mathcal{K} \setminus \{j\})$ be an ancestor (先祖)
# of $\mathcal{A} = \mathcal{A}(i, \mathcal{K})$: it knows one tuple fewer. Then
# $\ell_{\mathcal{A}} \le \ell_{\mathcal{A}'}$. Under Laplace noise the worst attacker is a weak one.
# ````
#
# Its proof in [notebook 4](../correlated/04-all-adversaries.ipynb) is one exact step: forgetting $x_j$ adds $b\,(1 + \ell)$ to the coefficient, where $b$ is the
# regression coefficient of $x_j$ on $x_i$, and $\ell$ belongs to an attacker of $x_j$. Friendly ties make all of these non-negative. With a rival $b$ may be negative (it is if nobody unknown links the two); forgetting it then
# *lowers* $\ell$, where $1 + \ell$ of the attacker of $x_j$ is positive. The leakage is $\frac M\lambda \lvert 1 + \ell \rvert$, because the proof of Theorem 5.1 ([notebook 3](../correlated/03-gaussian-correlation-model.ipynb)) only
# asks how far apart two positions of one density are; it falls too, as long as $1 + \ell$ stays $\ge 0$. (With $P = \bigl(\begin{smallmatrix} 10 & 3 \\ 3 & 1 \end{smallmatrix}\bigr)$, a rivalry
# and priors 13 and 4, forgetting tuple 2 takes $1 + \ell_1$ from 1 to $-2$, and the leakage doubles.) So mix friends and rivals, and the attacker's best plan should be to forget the friends
# and keep an eye on the rivals. Three tuples are enough: 1 and 2 are friends ($w_{12} = 1$), 1 and 3
# are rivals ($w_{13} = -1$).

# %%
rivals = sp.Matrix([[3, -1, 1], [-1, 2, 0], [1, 0, 2]])
worst = GaussianModel(precision=rivals, width=1).worst_adversary(scale=1)
print("worst:", worst.adversary, " |1 + l| =", worst.leakage)

# %% jupyter={"source_hidden": true} tags=["set-up"]
names = ["nobody", "the smaller", "the larger", "both others"]
columns = {"who is attacked": ["1", "2", "3"]}
for j, name in enumerate(names):
    others = [[m for m in range(3) if m != i] for i in range(3)]
    known = [[[], o[:1], o[1:], o][j] for o in others]
    columns[f"knows {name}"] = [
        str(abs(1 + GaussianModel(precision=rivals, width=1).leakage_coefficient(i, known[i])))
        for i in range(3)
    ]
table(columns, caption="Three tuples, one rivalry: $|1 + ℓ|$ of twelve attackers.")


# %% [markdown]
# The largest of the twelve is 3/2, and only the attacker of tuple 1 who knows tuple 3 *and nothing
# else* reaches it. Not a weak one, not a strong one. Noise that is set by the best weak attacker
# (6/5, of tuple 2) is a fifth too small. How common is that? We draw complete networks of six tuples with exponential weights, flip the sign
# of each with probability $p$, and ask all 192 attackers.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def signed_network(n, share, rng):
    """Diagonally dominant precision; weights are negative with probability share."""
    weight = np.triu(rng.exponential(size=(n, n)), 1)
    weight *= np.where(rng.random((n, n)) < share, -1, 1)
    weight += weight.T
    return np.diag(np.abs(weight).sum(axis=1) + 1.0) - weight


rng = np.random.default_rng(56)
shares, draws, n = np.linspace(0, 1, 11), 200, 6
kind = np.zeros((len(shares), draws), dtype=int)  # 0 weak, 1 intermediate, 2 strong
weak_only, bounded = np.ones(kind.shape), np.ones(kind.shape)
has_friends = np.zeros(kind.shape, dtype=bool)
for a, share in enumerate(shares):
    for d in range(draws):
        P = signed_network(n, share, rng)
        worst = GaussianModel(precision=P, width=1).worst_adversary(scale=1)
        kind[a, d] = {0: 0, n - 1: 2}.get(len(worst.adversary.known), 1)
        weak = np.abs(1 + GaussianModel(precision=P, width=1).leakage_coefficients()).max()
        weak_only[a, d] = weak / worst.leakage
        bound = GaussianModel(precision=P, width=1).comparison_bound().max()
        bounded[a, d] = (1 + bound) / worst.leakage
        has_friends[a, d] = (P - np.diag(np.diag(P))).min() < 0
frequency = np.array([(kind == which).mean(axis=1) for which in range(3)])

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Random networks of six tuples, 200 for each p. Left: which attacker is the worst, as ties turn from friendly (p = 0, Theorem 5.2) to hostile (p = 1). In between it is mostly one who knows some tuples and not others. Right: two shortcuts, relative to the exact noise scale (median and the middle 90 percent). Below the line the noise is too small.", "name": "fig-signed"}, "image": {"alt": "Left, stacked areas against the probability p of a negative tie: weak attackers fill everything at p = 0 and shrink to nothing, intermediate attackers dominate from p = 0.3 to 0.9, strong ones take over at p = 1. Right, the weak-only shortcut falls from 1 to about 0.7, the comparison bound rises from 1 to about 3.8."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, width=9, height=3.4)
names = ("weak", "intermediate", "strong")
colours = [plots.COLOURS[name] for name in ("blue", "gold", "green")]
left.stackplot(shares, frequency, colors=colours, alpha=0.85)
for name, x, y in zip(names, (0.12, 0.55, 0.8), (0.3, 0.6, 0.14)):
    left.text(x, y, name, ha="center", va="center")
left.annotate("", (0.985, 0.3), (0.87, 0.16), arrowprops={"arrowstyle": "->"})
left.set(xlabel="probability p that a tie is negative", ylabel="share of networks")
left.set(title="who is the worst attacker", xlim=(0, 1), ylim=(0, 1))
for ratio, name, colour in (
    (weak_only, "weak attackers only", "orange"),
    (bounded, "comparison bound", "blue"),
):
    low, mid, high = np.quantile(ratio, (0.05, 0.5, 0.95), axis=1)
    shade = plots.COLOURS[colour]
    right.fill_between(shares, low, high, color=shade, alpha=0.25, lw=0)
    right.plot(
        shares, mid, color=shade, label=name, ls="-" if colour == "blue" else "--"
    )
right.axhline(1, color=plots.COLOURS["grey"], lw=1, ls="-")
right.set(xlabel="probability p that a tie is negative", title="two shortcuts")
right.set(ylabel="noise scale / exact scale", yscale="log")
right.set(yticks=[0.5, 1, 2, 4], yticklabels=["0.5", "1", "2", "4"])
right.minorticks_off()
right.legend(loc="upper left")
plt.show()

# %% [markdown]
# At $p = 1/2$ an intermediate attacker is the worst in 94<!-- {interm_half:.0f} --> % of the networks. A
# strong attacker can be the worst only if *no* tie is friendly: with $w_{ij} > 0$ the attacker of
# $i$ who misses just $j$ already has $\ell = w_{ij}/P_{jj} > 0$. In the worst draw, noise set by the weak
# attackers alone would have been 0.40<!-- {weak_only_least:.2f} --> of what is needed.
#
# Enumerating $n2^{n-1}$ attackers ends near $n = 16$. Beyond that a bound helps: make every tie friendly.
#
# ````{prf:proposition} Comparison bound
# :label: prop-07-comparison
#
# Let $\langle P \rangle$ keep the diagonal of $P$ and have $-\lvert P_{ij} \rvert$ elsewhere. If it
# is positive definite, then $\lvert \ell_{\mathcal{A}(i, \mathcal{K})}(P) \rvert \le \ell_{\mathcal{A}(i,
# \mathcal{K})}(\langle P \rangle) \le \ell_i(\langle P \rangle)$ for every attacker.
# ````
#
# *Proof.* Write $P_{\mathcal{U}\mathcal{U}} = D - N$ with $D$ its diagonal. The series
# $P_{\mathcal{U}\mathcal{U}}^{-1} = \sum_t (D^{-1}N)^t D^{-1}$ is, term by term, at most the one with
# $\lvert N \rvert$, which is that of $\langle P \rangle$ and converges. The second step is
# {prf:ref}`thm-07-forgetting` (the paper's 5.2), since $\langle P \rangle$ has friendly ties only. ∎ At $p = 1/2$ the bound asks for 2.1<!-- {bound_median:.1f} --> times the
# exact noise: safe, and dear.

# %% jupyter={"source_hidden": true} tags=["evidence"]
P = signed_network(6, 0.5, np.random.default_rng(7))
covariance = np.linalg.inv(P)


def regression(i, known, covariance=covariance):
    """1 + l as the regression coefficient of the sum on x_i, from the covariance."""
    given = [i, *known]
    with_sum = covariance[given].sum(axis=1)
    return np.linalg.solve(covariance[np.ix_(given, given)], with_sum)[0]


inverse = rivals.inv()
by_regression = {}
for i, K in adversaries(3):
    given = [i, *K]
    solved = inverse.extract(given, given).LUsolve(
        inverse.extract(given, range(3)) * sp.ones(3, 1)
    )
    by_regression[i, K] = abs(solved[0])
with claim("Y-B7") as c:
    tops = {who for who, f in by_regression.items() if f >= sp.Rational(3, 2)}
    label = "three tuples, all twelve attackers: only A(1, {3}) reaches 3/2"
    c.decisive("exhaustive").exact(tops, {(0, (2,))}, label)
    worst = GaussianModel(precision=rivals, width=1).worst_adversary(scale=1)
    c.exact(worst.leakage, max(by_regression.values()), "precision, covariance")
    c.exact(tuple(worst.adversary), (0, (2,)), "and the same attacker")
    weak_ones = [by_regression[i, ()] for i in range(3)]
    c.exact(max(weak_ones), sp.Rational(6, 5), "the best weak attacker has 6/5")
    everybody = list(adversaries(6))
    ours = [1 + GaussianModel(precision=P, width=1).leakage_coefficient(i, K) for i, K in everybody]
    label = "six tuples, 192 attackers: precision and covariance"
    c.close(ours, [regression(i, K) for i, K in everybody], label)
    c.holds(
        not (has_friends & (kind == 2)).any(),
        "strong is never the worst where one tie is friendly",
        method="numeric",
    )
    top = GaussianModel(precision=P, width=1).comparison_bound()
    free = [set(kind[0].tolist()), set(has_friends[0].tolist())]
    c.exact(free, [{0}, {True}], "no negative tie: weak is worst in every draw")
    c.close(weak_only[0], np.ones(draws), "and the best weak one has its level")
    sizes = np.array([abs(regression(i, K) - 1) for i, K in everybody])
    of_target = top[[i for i, _ in everybody]]
    c.at_most(sizes, of_target, "comparison bound, 192 attackers", slack=1e-12)
    label = f"comparison bound above the exact level in all {bounded.size} draws"
    c.decisive("sampled").at_most(np.ones(bounded.shape), bounded, label, slack=1e-12)

turned = sp.Matrix([[10, 3], [3, 1]])  # a rivalry beyond 1 + l = 0
assert turned.is_positive_definite and list(turned * sp.ones(2, 1)) == [13, 4]
turned_model = GaussianModel(precision=turned, width=1)
forgotten = [1 + turned_model.leakage_coefficient(0, K) for K in ((1,), ())]
by_hand = turned.inv()
assert forgotten == [1, sum(by_hand.row(0)) / by_hand[0, 0]] == [1, -2]
assert GaussianModel(precision=turned, width=1).worst_adversary(scale=1).leakage == 2
far = [gaussian.log_ratio(t, -2.0, scale=1, sigma=1.0) for t in (-60.0, 60.0)]
assert turned[1, 1] == 1 and np.allclose(far, [-2, 2])  # Var[s | x_1] is 1
assert frequency[0, 0] == 1  # Theorem 5.2
assert frequency[1, 3:10].min() > 0.5 and frequency[2, -1] > 0.9
mids = np.median(weak_only, axis=1), np.median(bounded, axis=1)
assert 0.65 < mids[0].min() < 0.75 and 3.5 < mids[1].max() < 4.1  # the alt text
interm_half = float(100 * frequency[1, 5])
weak_only_least = float(weak_only.min())
bound_median = float(np.median(bounded[5]))

# %% [markdown]
# That positive, negative and mixed correlations act differently has been analysed before {cite:p}`li2019impact`; the smallest example and the bound are what we add.
#
# ## Is it the noise?
#
# Back to friendly ties, $w \ge 0$. Theorem 5.2 has a second assumption, easily overlooked: the noise
# is Laplace, and the privacy level is a pure $\varepsilon$. With Laplace noise the attacker's own
# uncertainty about the sum does not help at all, because the leakage is a limit far out in the tail.
# What if the noise is normal?
#
# ````{prf:proposition} Gaussian noise
# :label: prop-07-gaussian
#
# Let $r = s + N(0, \sigma^2)$. For $\mathcal{A}(i, \mathcal{K})$ the two laws of $r$ for $x_i$ and $x_i +
# M$ are as hard to tell apart as $N(0,1)$ and $N(\mu_{\mathcal{A}}, 1)$, where
#
# $$ \mu_{\mathcal{A}} = \frac{M\,\lvert 1 + \ell_{\mathcal{A}} \rvert}
#    {\sqrt{\sigma^2 + \operatorname{Var}[s \mid x_i, x_{\mathcal{K}}]}}, \qquad
#    \operatorname{Var}[s \mid x_i, x_{\mathcal{K}}] = \mathbf 1^\top P_{\mathcal{U}\mathcal{U}}^{-1} \mathbf 1 . $$
# ````
#
# *Proof.* Given $x_i, x_{\mathcal{K}}$ the release is normal with this variance, whatever $x_i$, and its
# mean moves by $M(1 + \ell_{\mathcal{A}}).$ ∎ This $\mu$ is the parameter of Gaussian differential
# privacy {cite:p}`dong2022gaussian`. Forgetting a friend raises the numerator, as before, but also
# the denominator. Which wins? For two friends of weight $w$ with $\sigma = \tau = M = 1$, weak minus strong:

# %% jupyter={"source_hidden": true} tags=["evidence"]
shift, variance = 1 + w / (w + 1), 1 / (w + 1)  # 1 + l, Var[s | x_1]
margin = (3 * w**2 + w - 1) / ((w + 1) * (w + 2))
what = r"\mu^2_{\mathrm{weak}} - \mu^2_{\mathrm{strong}}"
compared = derivation(shift**2 / (1 + variance) - 1, of=what)
compared = compared.equal(margin, "one fraction")
compared


# %% [markdown]
# Below the zero of $3w^2 + w - 1$, at $w =$ 0.434<!-- {w_threshold:.3f} -->, the unknown friend blurs the release more than it
# adds to the shift, and the strong attacker is the worse one:

# %% jupyter={"source_hidden": true} tags=["set-up"]
def model(**weights):
    """Precision with prior 1: model(ab=2) has weight 2 between a and b."""
    graph = nx.Graph()
    graph.add_nodes_from(sorted(set("".join(weights))))
    graph.add_weighted_edges_from((*edge, weight) for edge, weight in weights.items())
    return networks.precision(graph, 1.0)


# %%
loose = model(ab=0.1)
who = {"weak": (), "strong": (1,)}
pair = GaussianModel(precision=loose, width=1)
mu = {a: pair.gaussian_noise_mu(0, K, sigma=1) for a, K in who.items()}
print("Gaussian noise, μ:", *(f"{name} {value:.4f}" for name, value in mu.items()))
delta = {a: pair.laplace_delta(0, K, epsilon=0.5, scale=1) for a, K in who.items()}
print("Laplace noise, δ at ε = 0.5:", *(f"{a} {d:.4f}" for a, d in delta.items()))

# %% [markdown]
# The second line says that this is no artefact of Gaussian noise: Laplace noise again, but now the odds may move by more than $e^\varepsilon$ with a small probability $\delta$.
# The same thing happens.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Two friends with prior \u03c4 = 1, M = 1. Left: Gaussian noise; the weak attacker's \u03bc relative to the strong one's. Little noise: the unknown friend is the better noise, and the strong attacker is worse. Much noise: the ratio tends to 1 + l, the Laplace value (dots). Right: Laplace noise of scale 1, weight 0.1; the probability \u03b4 left over at each \u03b5. The weak attacker leaks more only at the very end, near \u03b5 = 1.", "name": "fig-noise"}, "image": {"alt": "Left, three S-shaped curves of mu weak over mu strong against the noise from 0.1 to 10, all below 1 on the left and above 1 on the right, crossing at different places. Right, two falling curves of delta against epsilon; the strong one is higher until just before it reaches zero at epsilon 1, where the weak one is still slightly positive."}} tags=["figure"]
threshold = max(sp.solve(3 * w**2 + w - 1, w))
sigmas, levels = np.geomspace(0.1, 10, 61), np.linspace(0, 1.1, 56)
ratios = {
    weight: np.array(
        [
            GaussianModel(precision=model(ab=weight), width=1).gaussian_noise_mu(0, sigma=sd) * sd
            for sd in sigmas
        ]
    )
    for weight in (0.1, float(threshold), 2.0)
}
deltas = {
    name: np.array(
        [
            GaussianModel(precision=loose, width=1).laplace_delta(0, known, epsilon=level, scale=1)
            for level in levels
        ]
    )
    for name, known in who.items()
}
fig, (left, right) = plots.panels(1, 2, width=9, height=3.3)
for (weight, ratio), colour in zip(ratios.items(), ("blue", "orange", "green")):
    style = {"color": plots.COLOURS[colour]}
    left.semilogx(sigmas, ratio, label=f"w = {weight:.2g}", **style)
    left.plot(11.5, 1 + weight / (weight + 1), "o", clip_on=False, **style)
left.axhline(1, color=plots.COLOURS["grey"], lw=1, ls="-")
left.set(xlabel="standard deviation σ of the noise", ylabel="μ weak / μ strong")
left.set(title="Gaussian noise", ylim=(0, 1.8))
left.legend()
for name, curve in deltas.items():
    right.plot(levels, curve, label=f"{name} attacker")
right.set(xlabel="level ε", ylabel="δ(ε)", title="Laplace noise, (ε, δ)")
right.legend()
plt.show()

# %% [markdown]
# A simulated attack shows the same with Gaussian noise. Release once with $x_1 = 0$ and once with
# $x_1 = 1$; each attacker guesses which, by comparing the release with the midpoint of the two means.
# The best possible hit rate is $\Phi(\mu/2)$.

# %% jupyter={"source_hidden": true} tags=["set-up"]
rng = np.random.default_rng(2021)
trials = 400_000
mean, sd = 0.1 / 1.1, np.sqrt(1 / 1.1)  # of x2 given x1 = 1
truth = rng.integers(0, 2, trials)
unknown = rng.normal(mean * truth, sd)
release = truth + unknown + rng.normal(size=trials)
guesses = {"weak": release > (1 + mean) / 2, "strong": release - unknown > 1 / 2}
hits = [(guess == truth).mean() for guess in guesses.values()]
best = norm.cdf(np.array(list(mu.values())) / 2)
table(
    {"attacker": list(mu), "μ": list(mu.values()), "hit rate, drawn": hits,
     "Φ(μ/2)": best},
    formats={"μ": ".4f", "hit rate, drawn": ".4f", "Φ(μ/2)": ".4f"},
    caption="Two friends, $w = 0.1$, Gaussian noise: 400,000 attacks, standard error "
    "0.0008.",
)  # fmt: skip


# %% [markdown]
# So Theorem 5.2 does not extend to other noise, not even for two friends. With three, an intermediate
# attacker can again be the only worst one; the table at the end of the next section has the numbers.
#
# ## Is it the data?
#
# Why Gaussian data in the first place? The paper motivates the sum query by what follows from it:
# counting queries (カウンティングクエリ) and histograms. As statements on queries these are plain: a count is
# the sum of indicators, and a histogram is a vector of such sums. But an indicator is 0 or 1, and the leakage formula was derived for normal tuples. Does it carry
# over if we match the covariances? One thing does, for attackers who know nobody. For a 0/1 tuple $\operatorname{E}[s \mid x_i]$ is always linear
# in $x_i$ (there are only two points), so $\operatorname{Cov}(x_i, s)/\operatorname{Var}(x_i) = 1 + \ell_i$ is again the shift of
# the mean; and where the law of $s$ given $x_i = 1$ lies above that given $x_i = 0$ (stochastic order), for *much* noise the
# leakage is $\varepsilon$ times that. For small $\varepsilon$ the density at an output $t$ is $\frac\varepsilon2 (1 - \varepsilon \operatorname{E}|t - s|)$, so the log ratio at $t$ is
# $\varepsilon \bigl(\operatorname{E}[|t - s| \mid x_i = 0] - \operatorname{E}[|t - s| \mid x_i = 1]\bigr)$. At the ends of the range this is $\pm\varepsilon$ times the shift of the mean. In between its slope is $2\varepsilon$ times the
# difference of the two distribution functions: with stochastic order it is monotone and the ends are the worst, without it the middle can be worse. An example: let three bits be
# $000$, $011$ and $100$ with the probabilities 0.245<!-- {in_text['cross-a']:.3f} -->, 0.245<!-- {in_text['cross-a']:.3f} --> and 0.485<!-- {in_text['cross-b']:.3f} -->, and anything else with 0.005<!-- {in_text['cross-c']:.3f} --> each. Then $x_1$ shifts the mean by
# 0.04<!-- {in_text['cross-shift']:.2f} -->, and for much noise who knows nobody learns 0.94<!-- {in_text['cross-limit']:.2f} --> $\varepsilon$. For less noise all depends
# on the shape of the law. Two examples: a Markov chain of four people in a row, where each
# repeats the neighbour's state with probability 0.9, and a pair with rare events.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def chain_law(transition, n):
    """Joint law of n steps of a binary Markov chain in its stationary law."""
    step = np.asarray(transition)
    leave = np.array([step[1, 0], step[0, 1]])
    joint = leave / leave.sum()
    for _ in range(n - 1):
        joint = joint[..., None] * step
    return joint


def mean_shift(joint, i):
    """E[s | x_i = 1] − E[s | x_i = 0], which a matched Gaussian model calls 1 + l."""
    weighted = np.indices(joint.shape).sum(axis=0) * joint
    by_value = [np.moveaxis(a, i, 0).reshape(2, -1) for a in (joint, weighted)]
    mass, sums = (a.sum(axis=1) for a in by_value)
    return sums[1] / mass[1] - sums[0] / mass[0]


stay = Fraction(9, 10)
four = chain_law(np.array([[stay, 1 - stay], [1 - stay, stay]], dtype=object), 4)
rare = np.array([[0.00999, 0.00001], [0.891, 0.099]])  # x1 is almost always 1
grid = np.geomspace(0.02, 20, 41)
law = FiniteDistribution(four.astype(float))
curves = []
for e in grid:
    best_weak = max(law.leakage(i, scale=1 / e) for i in range(4))
    fourth = law.leakage(1, [3], scale=1 / e)
    curves.append([best_weak, fourth, FiniteDistribution(rare).leakage(0, scale=1 / e)])
weak_best, knows_fourth, rare_pair = np.transpose(curves) / grid
shift_chain, shift_rare = mean_shift(four.astype(float), 1), mean_shift(rare, 0)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "0/1 data against the Gaussian formula with the same covariances (grey). Left: four people in a row. With much noise (small \u03b5) the formula is right and the weak attacker the worst; with less, knowing the fourth person is better than knowing nobody. Right: a rare event. The formula is too low, so noise set by it would not be enough.", "name": "fig-binary"}, "image": {"alt": "Left, leakage over epsilon against epsilon on a logarithmic axis: the weak curve starts at 3.24 and falls to 1.2, the curve for the attacker who knows tuple 4 starts lower, crosses it near epsilon 3 and stays above. Right, a hump that starts on the grey line at 1.1, rises to 1.5 and falls to 1.2."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, width=9, height=3.3)
grey = {"color": plots.COLOURS["grey"], "lw": 1.2, "ls": "-"}
left.semilogx(grid, weak_best, label="best weak attacker")
left.semilogx(grid, knows_fourth, label="attacks 2, knows 4")
left.axhline(shift_chain, label="Gaussian formula, weak", **grey)
left.set(xlabel="level ε of the noise, Lap(1/ε)", ylabel="leakage / ε")
left.set(title="chain of four, stay 0.9", ylim=(0.9, 3.5))
left.legend(fontsize=9)
right.semilogx(grid, rare_pair, label="weak attacker of tuple 1")
right.axhline(shift_rare, label="Gaussian formula", **grey)
right.set(xlabel="level ε of the noise, Lap(1/ε)", title="rare event, two tuples")
right.set(ylim=(0.9, None))
right.legend(fontsize=9)
plt.show()

# %% [markdown]
# The chain is attractive (every tie is friendly), the network is a path of four, and still an
# attacker who knows one person is worse than all who know nobody. At $\varepsilon = 5$:

# %%
chain_of_four = FiniteDistribution(four)  # in fractions: a closed form comes back
for target, known in [(0, ()), (1, ()), (1, (3,))]:
    formula = chain_of_four.leakage(target, known, scale=1 / eps)
    print(f"attacks {target + 1}, knows {[j + 1 for j in known]}:", end=" ")
    print(f"{float(formula.subs(eps, 5)):.4f}")

# %% jupyter={"source_hidden": true} tags=["set-up"]
closed = {
    (i, K): chain_of_four.leakage(i, K, scale=1 / eps)
    for i, K in [(0, ()), (1, ()), (1, (3,))]  # the rest by symmetry
}
at_five = {whom: sp.N(formula.subs(eps, 5), 25) for whom, formula in closed.items()}
spin = np.array([-1, 1])
product = np.multiply.outer(spin, spin)
bonds = np.exp(product[:, :, None] - product[:, None, :])  # J12 = 1, J13 = −1
three_spins = FiniteDistribution(bonds / bonds.sum())
spins = three_spins.worst_adversary(scale=2)
three = model(ab=2, ac=0.05, bc=0.05)
three_model = GaussianModel(precision=three, width=1)
mu3 = [three_model.gaussian_noise_mu(0, K, sigma=1) for K in ((), (2,), (1, 2))]
ten = MarkovChain(0.9, 10).worst_adversary(scale=1)
ten_law = FiniteDistribution(chain_law([[0.9, 0.1], [0.1, 0.9]], 10))
ten_weak = max(ten_law.leakage(i, scale=1) for i in range(5))
spin_weak = max(
    v for whom, v in three_spins.all_leakages(scale=2).items() if not whom.known
)
rows = [
    ("two friends, Gaussian noise, μ", mu["weak"], "strong", mu["strong"]),
    ("three friends, Gaussian noise, μ", mu3[0], "A(1, {3})", mu3[1]),
    ("two friends, Laplace, δ at ε = 0.5", delta["weak"], "strong", delta["strong"]),
    ("three spins, one rival, Lap(2)", spin_weak, "A(1, {3})", spins.leakage),
    ("attractive chain of 4, Lap(1/5)", float(at_five[1, ()]), "A(2, {4})",
     float(at_five[1, (3,)])),
    ("attractive chain of 10, Lap(1)", ten_weak, "A(5, {1, 10})", ten.leakage),
]  # fmt: skip
setting, best_weak, whom, value = zip(*rows)
table(
    {"setting": setting, "best weak": best_weak, "worst of all": whom,
     "its value": value},
    formats={"best weak": ".4f", "its value": ".4f"},
    caption="Where no weak attacker is the worst. Privacy level, or what is named.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
rng = np.random.default_rng(3)
mass = rng.dirichlet(np.ones(27)).reshape(3, 3, 3)  # three tuples, three values
outputs = np.arange(4)


def by_counting(value, i):
    """Leakage of the noisy count of a value, by hand; the weak attacker of i."""
    count = np.array([Counter(row)[value] for row in np.ndindex(3, 3, 3)])
    count = count.reshape(3, 3, 3)
    laws = [
        np.bincount(count.take(a, axis=i).ravel(), mass.take(a, axis=i).ravel(), 4)
        for a in range(3)
    ]
    density = [
        (law / law.sum()) @ np.exp(-np.abs(outputs[:, None] - outputs))
        for law in laws
    ]
    return np.log(np.max(density, axis=0) / np.min(density, axis=0)).max()


def mean_distances(joint):
    """E|t − s| given x1 = 0 and given x1 = 1, at each value t of the sum."""
    sums = np.indices(joint.shape).sum(axis=0)
    laws = [np.bincount(sums[a].ravel(), joint[a].ravel(), 4) for a in (0, 1)]
    laws = np.transpose([law / law.sum() for law in laws])
    return np.abs(outputs[:, None] - outputs) @ laws


crossing = np.full((2, 2, 2), 0.04 / 8)
crossing[[0, 0, 1], [0, 1, 0], [0, 1, 0]] += [0.24, 0.24, 0.48]
q = np.exp(-1)  # both densities at output 2, by hand, without the common factor
by_hand = np.log((0.9 * q + 0.1) / (0.999 * q**2 + 0.001 * q))
with claim("Y-5.a") as c:
    counted = [by_counting(value, i) for value in range(3) for i in range(3)]
    summed = []
    for value in range(3):
        indicator = [int(v == value) for v in range(3)]
        as_sum = FiniteDistribution(mass, values=[indicator] * 3)
        summed += [as_sum.leakage(i, scale=1) for i in range(3)]
    label = "counts of each value, 27 databases: leakage as of a sum of indicators"
    c.decisive("one example").close(summed, counted, label)
    found = FiniteDistribution(rare).leakage(0, scale=1)
    c.close(found, by_hand, "0/1 tuples, a rare event: leakage at ε = 1")
    c.close(shift_rare, 1 + 0.099 / 0.99 - 0.00001 / 0.01, "the Gaussian formula")
    label = "0/1 tuples, rare event, ε = 1: leakage by the Gaussian formula"
    c.limit(float(shift_rare), float(by_hand), label)
    shift_crossing = mean_shift(crossing, 0)
    c.close(shift_crossing, 0.04, "laws that cross: the Gaussian formula")
    learnt = [FiniteDistribution(crossing).leakage(0, scale=1e4) * 1e4]
    first = np.abs(mean_distances(crossing) @ [1, -1])
    c.close(learnt, [0.98 - 0.04], "laws that cross, ε = 1e-4: leakage/ε", rtol=1e-4)
    label = "0/1 tuples, laws that cross, much noise: leakage/ε by the formula"
    c.limit(float(shift_crossing), float(first.max()), label)

t = np.linspace(-40, 41, 400_001)
density0, density1 = (
    gaussian.output_density(t, place, scale=1, sigma=np.sqrt(1 / 1.1))
    for place in (0.0, 1.2 / 1.1)
)
integral = np.trapezoid(np.maximum(density1 - np.exp(0.5) * density0, 0), t)
with claim("Y-B8") as c:
    start = shift**2 / (1 + variance) - 1
    c.decisive().derived(compared, start, margin, "Gaussian noise, two friends")
    at_a_tenth = start.subs(w, sp.Rational(1, 10))
    c.decisive("proved").at_most(at_a_tenth, 0, "w = 1/10: the strong one is worse")
    by_formula = float(margin.subs(w, sp.Rational(1, 10)))
    c.close(mu["weak"] ** 2 - mu["strong"] ** 2, by_formula, "the package's μ")
    c.sampled(hits, best, "hit rates of the two attackers", stderr=0.5 / trials**0.5)
    label = f"n = 3: A(1, {{3}}) {mu3[1]:.4f} above weak {mu3[0]:.4f} and strong 1"
    c.at_most(max(mu3[0], mu3[2]) + 0.2, mu3[1], label)
    c.close(integral, delta["weak"], "δ, weak: integral of the densities", rtol=1e-6)
    c.close(-np.expm1(-0.25), delta["strong"], "δ, strong: closed form", rtol=1e-9)
    label = "(ε, δ), n = 2: strong is worse"
    c.decisive("one example").at_most(integral + 0.1, -np.expm1(-0.25), label)
    c.exact(spins.adversary.known, (2,), "three spins: worst knows tuple 3 only")
    everybody = FiniteDistribution(four.astype(float)).all_leakages(scale=0.2)
    nobody = max(value for whom, value in everybody.items() if not whom.known)
    label = "attractive chain of 4, ε = 5: A(2, {4}) above every weak attacker"
    c.decisive("exhaustive").at_most(nobody + 1, everybody[1, (3,)], label)
    c.close(everybody[1, (3,)], float(at_five[1, (3,)]), "and its closed form")
    label = "chain of 10: A(5, {1, 10}) above every weak one"
    c.at_most(ten_weak + 0.2, ten.leakage, label)
    found = FiniteDistribution(rare).leakage(0, scale=1)
    c.close(found, by_hand, "rare event, ε = 1: by hand")
    c.at_most(shift_rare * 1.05, by_hand, "rare event: above the Gaussian formula")

assert ten.adversary == (4, (0, 9))
assert abs(weak_best[0] / shift_chain - 1) < 0.02  # much noise: the formula is right
assert np.allclose(mean_distances(crossing)[1], [0.98, 0.04])
rng, in_order = np.random.default_rng(5), 0
for joint in rng.dirichlet(np.full(8, 0.3), 40).reshape(-1, 2, 2, 2):
    apart = mean_distances(joint) @ [1, -1]  # its steps have the sign of F0 − F1
    leak = FiniteDistribution(joint).leakage(0, scale=1e7) * 1e7
    assert np.isclose(leak, np.abs(apart).max(), rtol=1e-4, atol=1e-6)
    if (np.diff(apart) >= 0).all():
        in_order += 1
        assert np.isclose(leak, mean_shift(joint, 0), rtol=1e-4)
assert in_order > 5
in_text = {}
for name, number in {
    "a": crossing[0, 0, 0], "b": crossing[1, 0, 0], "c": crossing[1, 1, 1],
    "shift": shift_crossing, "limit": first.max(),
}.items():  # fmt: skip
    in_text[f"cross-{name}"] = round(float(number), 6)
assert knows_fourth[0] < weak_best[0] and knows_fourth[-1] > weak_best[-1]
assert abs(shift_chain - 3.24) < 0.05 and abs(shift_rare - 1.1) < 0.05
assert abs(rare_pair.max() - 1.5) < 0.1 and abs(weak_best[-1] - 1.2) < 0.05
assert all(r[0] < 1 < r[-1] for r in ratios.values())  # fig-noise, left
late = levels > 0.97
assert (deltas["weak"] < deltas["strong"])[levels < 0.9].all()
assert (deltas["weak"] >= deltas["strong"])[late].all()
w_threshold = float(threshold)

# %% [markdown]
# So the query of the paper's remark is what it says; the *formula* stops at Gaussian tuples.
#
# ## All attackers of a chain at once
#
# If any attacker may be the worst, must we ask all $n2^{n-1}$ of them? The paper expects so in
# general. For Markov chains there is a way round.
#
# ````{prf:theorem} Only intervals matter
# :label: thm-07-intervals
#
# Let $x_1, \dots, x_n$ be a Markov chain and $r = s + \text{noise}$. For every attacker of $x_i$
# there is one who learns at least as much and knows everything outside an open interval around $i$
# and nothing else inside it.
# ````
#
# *Proof.* Let $a < i < b$ be the known tuples nearest to $i$. Given them, what lies outside $[a, b]$
# is independent of $x_i$. So for every value of $x_i$ the law of $r$ is the law of the part inside,
# with noise, convolved with *one and the same* law of the unknown tuples outside. Adding an
# independent variable never helps to tell two laws apart. If instead all tuples outside are known,
# that variable is a constant. ∎
#
# There are $O(n^2)$ intervals, and running sums along the chain give the laws of them all in $O(n^3)$
# steps. (Their densities, a product of a matrix and a law for each interval, may take more. Networks other than chains, and what becomes hard there, are the subject of [the next notebook](correlated-what-is-hard.ipynb).)

# %%
for level in (0.1, 1, 5):
    worst = MarkovChain(0.9, 20).worst_adversary(scale=1 / level)
    bound = MarkovChain(0.9, 2).markov_bound(level)
    print(f"ε = {level}: exact {worst.leakage:.3f}, published bound {bound:.2f}")

# %% [markdown]
# Twenty people, $20 \cdot 2^{19}$ attackers. The bound beside it does not depend on $n$
# {cite:p}`lange2025balancing`: $\varepsilon + 4 \ln(\max p / \min p)$ over the entries of the
# transition matrix. Group privacy says $n\varepsilon$. Let a chain be *symmetric*, with correlation $\rho$ of neighbours. If $\rho \ge 0$ then for long chains and much noise the exact level tends to
# $\varepsilon$ times the expected change of the whole sum, $1 + 2(\rho + \rho^2 + \dots)$:
# each person moves the neighbours on both sides by $\rho$, the next ones by $\rho^2$, and so on. If $\rho < 0$ the strong attacker keeps it at $\varepsilon$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
rho = sp.Symbol("rho", positive=True)
tail = 2 * rho**5 / (1 - rho)  # all that is further away
series = 1 + 2 * sum(rho**t for t in range(1, 5)) + tail
both_sides = derivation(series).equal((1 + rho) / (1 - rho), "a geometric series")
nine = both_sides.last.subs(rho, sp.Rational(4, 5))
both_sides

# %% [markdown]
# At $\rho = 4/5$, which is staying with probability 0.9, this is 9. (In a symmetric chain, whoever knows a tuple further on has a smaller term for each one in between:
# $a(1 - b^2)/(1 - a^2 b^2)$ in place of $a$, if the one in between has correlation $a$ with the target and $b$ with the known one.) Without symmetry that is not so. A chain that stays in one state with probability 0.9
# and in the other with 0.6 has $\rho =$ 0.5<!-- {skew_rho:.1f} -->, and the formula 3<!-- {skew_formula:.0f} -->; for much noise the exact level is 3.19<!-- {skew_level:.2f} --> $\varepsilon$, for an attacker who knows that five places away, on
# either side, there is the second state.

# %% jupyter={"source_hidden": true} tags=["set-up"]
lengths = np.array([1, 2, 3, 4, 6, 8, 10, 14, 20, 28, 40])
amplification = {
    e: np.array(
        [MarkovChain(0.9, int(n)).worst_adversary(scale=1 / e).leakage / e for n in lengths]
    )
    for e in (0.1, 1, 5)
}
noise = np.geomspace(0.02, 30, 41)
at_twenty = np.array(
    [MarkovChain(0.9, 20).worst_adversary(scale=1 / e).leakage / e for e in noise]
)
published = np.array([MarkovChain(0.9, 2).markov_bound(e) / e for e in noise])

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Binary chain, stay 0.9, correlation of neighbours 0.8. Left: exact leakage over \u03b5 against the length. With much noise it approaches (1 + \u03c1)/(1 \u2212 \u03c1) = 9 and no more, while group privacy grows without end. Right: n = 20 against the noise. The published bound is close when there is little noise and far away when there is much.", "name": "fig-chain"}, "image": {"alt": "Left, three rising curves that level off at about 8.7, 5.2 and 2.3 for epsilon 0.1, 1 and 5, below a dotted line at 9 and a steep group privacy line. Right, on logarithmic axes the exact amplification falls from 8 to 1.2 as epsilon grows, below the lower of group privacy at 20 and a published bound that falls from 440 to 1.3."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, width=9, height=3.5)
for e, curve in amplification.items():
    left.plot(lengths, curve, marker=".")
    left.text(41, curve[-1], f"ε = {e:g}", va="center")
black = {"color": plots.COLOURS["black"], "lw": 1, "ls": "-"}
dotted = {"color": plots.COLOURS["grey"], "lw": 1.2, "ls": ":"}
left.plot(lengths, lengths, **black)
left.text(14, 13, "group privacy, n", va="center")
left.axhline(9, **dotted)
left.text(15, 9.5, "(1 + ρ)/(1 − ρ)", color=plots.COLOURS["grey"])
left.set(xlabel="length n of the chain (tuples)", ylabel="leakage / ε")
left.set(title="against the length", xticks=[1, 10, 20, 30, 40])
left.set(ylim=(0, 14), xlim=(0, 51))
right.loglog(noise, at_twenty, label="exact")
right.loglog(noise, published, label="published bound")
right.axhline(20, label="group privacy, n = 20", **black)
right.axhline(9, label="(1 + ρ)/(1 − ρ)", **dotted)
right.set(xlabel="level ε of the noise, Lap(1/ε)", title="against the noise, n = 20")
right.set(ylim=(0.8, 600))
right.legend(fontsize=8.5)
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
matrices = {
    "stay 0.9": [[0.9, 0.1], [0.1, 0.9]],
    "stay 0.3": [[0.3, 0.7], [0.7, 0.3]],
    "lopsided": [[0.8, 0.2], [0.4, 0.6]],
}
cases = [
    (name, n, e) for name in matrices for n in (2, 3, 4, 5, 6) for e in (0.1, 1, 5)
]
fast, slow = [], []
for name, n, e in cases:
    fast.append(MarkovChain(matrices[name], n).worst_adversary(scale=1 / e).leakage)
    every = FiniteDistribution(chain_law(matrices[name], n))
    slow.append(every.worst_adversary(scale=1 / e).leakage)
with claim("Y-B9") as c:
    label = f"{len(cases)} chains with n up to 6: intervals against all attackers"
    c.decisive("sampled").close(fast, slow, label)
    c.derived(both_sides, series, (1 + rho) / (1 - rho), "limit of the amplification")
    long = MarkovChain(0.9, 60).worst_adversary(scale=1e4).leakage * 1e4
    c.close(long, float(nine), "n = 60, ε = 1e-4: near 9", rtol=2e-3)
    by_entries = 1 + 4 * np.log(0.9 / 0.1) / noise
    c.close(published, by_entries, "the published bound, by its formula")
    label = "n = 20, 41 levels: below the published bound and group privacy"
    c.decisive("sampled").at_most(at_twenty, np.minimum(by_entries, 20), label)
    label = "stay 0.9, n = 20, much noise: a tenth of the bound or less"
    much, little = noise < 0.1, noise > 20
    c.decisive("sampled").at_most(10 * at_twenty[much], by_entries[much], label)
    label = "stay 0.9, n = 20, little noise: the bound is within a factor of 1.2"
    c.decisive("sampled").at_most(by_entries[little], 1.2 * at_twenty[little], label)
    opposed = [
        MarkovChain(0.3, n).worst_adversary(scale=1 / e).leakage / e
        for n in (2, 5, 20)
        for e in (0.1, 1, 5)
    ]
    c.close(opposed, np.ones(9), "stay 0.3 (neighbours opposed): factor 1")
    coins = [MarkovChain(0.5, 20).worst_adversary(scale=1 / e).leakage for e in (0.1, 1, 5)]
    bounds_ = [MarkovChain(0.5, 2).markov_bound(e) for e in (0.1, 1, 5)]
    c.close(coins, bounds_, "stay 0.5 (independent): leakage and bound agree")

for stay_ in (0.6, 0.75, 0.95):  # symmetric chains
    long = MarkovChain(stay_, 200).worst_adversary(scale=1e5).leakage * 1e5
    assert np.isclose(long, stay_ / (1 - stay_), rtol=2e-3)  # (1 + ρ)/(1 − ρ)
near, beyond, spins_ = *sp.symbols("a b", positive=True), (-1, 1)
given = [[(1 + near * u * v) * (1 + beyond * v) for v in spins_] for u in spins_]
chances = [row[1] / sum(row) for row in given]  # of the one between, next to a 1
term = near * (1 - beyond**2) / (1 - near**2 * beyond**2)
assert sp.simplify(chances[1] - chances[0] - term) == 0
fractions = [[Fraction(9, 10), Fraction(1, 10)], [Fraction(2, 5), Fraction(3, 5)]]
skewed = chain_law(np.array(fractions, dtype=object), 11)
moves = [mean_shift(skewed[v, ..., v], 4) for v in (0, 1)]  # both ends known
skew = [[0.9, 0.1], [0.4, 0.6]]
worst = MarkovChain(skew, 11).worst_adversary(scale=1e5)
assert worst.adversary == (5, (0, 10)) and moves[0] < 3 < moves[1]
levels_ = [MarkovChain(skew, n).worst_adversary(scale=1e5).leakage * 1e5 for n in (11, 40)]
assert np.allclose(levels_, float(moves[1]), rtol=1e-4)
nobody = FiniteDistribution(skewed.astype(float))
assert max(nobody.leakage(i, scale=1e5) for i in range(11)) * 1e5 < 3
persists = fractions[0][0] - fractions[1][0]
skew_rho = float(persists)
skew_formula = float((1 + persists) / (1 - persists))
skew_level = float(moves[1])
ends = [curve[-1] for curve in amplification.values()]
assert np.allclose(ends, [8.7, 5.2, 2.3], atol=0.1)  # as the alt text says
assert np.allclose([at_twenty[0], at_twenty[-1]], [8, 1.2], atol=0.15)
assert 430 < published[0] < 445 and abs(published[-1] - 1.3) < 0.05

# %% [markdown]
# To be fair to the bound: it holds for every mechanism, not only for noisy
# sums, and for little noise it comes within a small factor. (Both factors are those of this chain, $n = 20$. For one that stays
# with probability 1/2 the tuples are independent, and bound and leakage agree at every noise.) For positively affiliated data, to which attractive chains
# belong, {cite:t}`ghosh2017inferential` bound what any differentially private mechanism reveals, and Laplace noise on the sum
# attains their bound. Binary Markov chains have also been studied for noise that each person adds alone, where nearly optimal mechanisms are
# known {cite:p}`chakrabarti2022optimal`, and the Markov quilt mechanism
# {cite:p}`song2017pufferfish` uses the same fact as our theorem, that a chain forgets beyond a known tuple, to bound
# where we enumerate.
#
# ## What if the weights are wrong?
#
# Everything so far is a promise for *one* joint law. Weights are estimates; a promise should survive
# their errors. With friendly ties and one common prior it does, in the best way: no search is needed.
#
# ````{prf:theorem} The worst law in a box
# :label: thm-07-box
#
# Let $w_{ij} \in [\underline w_{ij}, \overline w_{ij}]$ with $\underline w_{ij} \ge 0$ and one common
# prior $\tau \in [\underline\tau, \overline\tau]$, $\underline\tau > 0$. Over all these laws and all
# attackers the leakage is largest at $w = \overline w$, $\tau = \underline\tau$, for a weak attacker.
# ````
#
# *Proof.* By Theorem 5.2 only weak attackers count, and there $1 + \ell_i = 1/(\tau V_{ii})$ with
# $V = P^{-1}$ ([notebook 5](../correlated/05-who-leaks-most.ipynb)). Two lines show that $\tau V_{ii}$ falls with every weight and rises with $\tau$. Raise $w_{jk}$ by $d$: with $g = V_{ij} - V_{ik}$ and
# $R = (e_j - e_k)^{\mathsf T} V (e_j - e_k) \ge 0$ the Sherman–Morrison formula gives the new $V_{ii}$; and in the eigenvectors of $L,$ the number $\tau V_{ii}$ is a sum of terms with positive factors. ∎

# %% jupyter={"source_hidden": true} tags=["evidence"]
own, gap = sp.symbols("V_ii g", real=True)
raised, R, lam, more = sp.symbols("d R lambda delta", nonnegative=True)
tied = derivation(
    own - raised * gap**2 / (1 + raised * R), of=r"V_{ii}(w_{jk} + d)",
    names={own: "V_{ii}"},
).at_most(own, "a square is taken away", by="square")  # fmt: skip
tied

# %% jupyter={"source_hidden": true} tags=["evidence"]
prior = sp.Symbol("tau", positive=True)
firmer = derivation(
    (prior + more) / (lam + prior + more), of=r"\text{term at } \tau + \delta"
)
firmer = firmer.at_least(
    prior / (lam + prior), r"the term at $\tau$", by="coefficients"
)
firmer

# %% [markdown]
# The first is Rayleigh's monotonicity law for electrical networks {cite:p}`doyle1984random`:
# strengthen a wire, and no resistance to ground rises. The *common* prior is needed. Give one tuple a firm prior and tie it to the others: it holds them in
# place. Three tuples with $\tau = (1, \tfrac1{10}, 100)$ and an edge 1–2; now add the edge 2–3.

# %%
tie = sp.Matrix([[1, -1, 0], [-1, 1, 0], [0, 0, 0]])  # the edge 1–2
edge = sp.Matrix([[0, 0, 0], [0, 1, -1], [0, -1, 1]])  # the edge 2–3
firm = sp.diag(1, sp.Rational(1, 10), 100)
for name, matrix in (("without", tie + firm), ("with", tie + edge + firm)):
    l_1 = GaussianModel(precision=matrix, width=1).leakage_coefficient(0)
    print(f"{name} the edge: l1 = {l_1}")

# %% [markdown]
# The stronger tie *lowers* the leakage by almost half.
# So with unequal priors the corner of largest weights need not be the worst.

# %% jupyter={"source_hidden": true} tags=["evidence"]
rng = np.random.default_rng(8)
upper = np.triu(rng.exponential(size=(8, 8)) * (rng.random((8, 8)) < 0.5), 1)


def precision_in_box(weight, tau):
    """Precision of a common prior."""
    weight = weight + weight.T
    return np.diag(weight.sum(axis=1) + tau) - weight


def draw():
    """A law from the box: weights within a half, prior from 1/2 to 2."""
    return upper * rng.uniform(0.5, 1.5, upper.shape), rng.uniform(0.5, 2)


inside = np.array(
    [
        GaussianModel(precision=precision_in_box(*draw()), width=1).leakage_coefficients()
        for _ in range(2000)
    ]
)
corner = 1 / (0.5 * np.linalg.inv(precision_in_box(1.5 * upper, 0.5)).diagonal()) - 1
base = np.linalg.inv(precision_in_box(upper, 1.0))
wire = np.eye(8)[2] - np.eye(8)[5]
after = np.linalg.inv(precision_in_box(upper, 1.0) + 0.7 * np.outer(wire, wire))
with claim("Y-B6") as c:
    start = own - raised * gap**2 / (1 + raised * R)
    c.decisive().derived(tied, start, own, "a heavier tie lowers V_ii")
    c.decisive().derived(
        firmer, (prior + more) / (lam + prior + more), prior / (lam + prior)
    )
    values = {raised: 0.7, R: wire @ base @ wire}
    formula = [
        float(start.subs(values | {own: base[i, i], gap: base[i] @ wire}))
        for i in range(8)
    ]
    c.close(formula, after.diagonal(), "Sherman–Morrison, eight tuples, by inversion")
    label = "8 tuples, 2,000 laws in the box: every coefficient below the corner's"
    c.at_most(inside, np.broadcast_to(corner, inside.shape), label)
    lower = [(m.inv() * sp.ones(3, 1))[0] / m.inv()[0, 0] - 1
             for m in (tie + firm, tie + edge + firm)]  # fmt: skip
    package = [GaussianModel(precision=m, width=1).leakage_coefficient(0)
               for m in (tie + firm, tie + edge + firm)]  # fmt: skip
    c.exact(package, lower, "unequal priors: precision and covariance")
    c.decisive("proved").exact(
        lower, [sp.Rational(10, 11), sp.Rational(1020, 2111)],
        "unequal priors: the edge lowers l1 from 10/11 to 1020/2111",
    )  # fmt: skip

assert 0.5 < lower[1] / lower[0] < 0.55  # by almost half

# %% [markdown]
# ## A million people
#
# The closed form needs one Cholesky factor of an $n \times n$ matrix; at a million tuples that is 8
# terabytes. But the worst attacker of a large network usually sits at a hub, and to *certify* the
# maximum it is enough to bound everybody else. For the few candidates that the degree bounds leave,
# $k$ steps of conjugate gradients yield a Gauss rule and a Gauss–Radau rule, which enclose
# $(P^{-1})_{ii}$ from both sides {cite:p}`golub2010matrices`.

# %%
adjacency = networks.preferential_attachment(1_000_000, 5, rng=5)
degrees = adjacency.sum(axis=0)
P = sps.csr_array(sps.diags_array(degrees + 1.0) - adjacency)  # prior τ = 1
bounds = sparse_gaussian.max_leakage_bounds(P, rtol=1e-9)
low, high, hub = bounds.low, bounds.high, bounds.adversary.target
print(f"{len(degrees):,} tuples, {adjacency.nnz // 2:,} ties,", end=" ")
print(f"largest coefficient between {low:.7f} and {high:.7f}, at tuple {hub + 1}")

# %% [markdown]
# That takes seconds; the [benchmarks page](../../book/benchmarks.md) has the timings. The two rules are theorems in exact arithmetic; the package runs them in floating point,
# with an allowance for rounding that does not cover everything conjugate gradients can lose. So the word *certified* needs a last step. As in [the evidence of notebook 5](../evidence/correlated/05-who-leaks-most.ipynb) (Y-6.h), *any* vector $v$ with the rest $r = e_i - Pv$ gives
#
# $$ 2 v_i - v^{\mathsf T} P v \;\le\; (P^{-1})_{ii} \;\le\; 2 v_i - v^{\mathsf T} P v + r^{\mathsf T} r / \tau, \qquad
#    v^{\mathsf T} P v = \sum_{\text{ties}} (v_j - v_k)^2 + \tau \sum_j v_j^2 . $$
#
# The energy is a sum of squares of differences of floating-point numbers: each square is right to three roundings, the sum is rounded once, and interval arithmetic does
# the rest. Everybody else leaks at most $d_j/\tau$, here the number of ties.

# %% jupyter={"source_hidden": true} tags=["set-up"]
rows, columns = sps.triu(adjacency, 1).nonzero()
u = 2.0**-53  # largest relative error of one rounding


jacobi = sps.diags_array(1 / P.diagonal())


def proposal(i):
    """About the column i of the inverse, by a solver for floats; unit vector i."""
    unit = np.zeros(len(degrees))
    unit[i] = 1
    return cg(P, unit, rtol=1e-13, M=jacobi)[0], unit


def bracket(i):
    """An interval that holds l_i, rounding included; prior 1."""
    v, unit = proposal(i)  # any v will do
    squares = np.concatenate([(v[rows] - v[columns]) ** 2, v**2])
    energy = iv.mpf(fsum(squares.tolist())) * iv.mpf([1 - 8 * u, 1 + 8 * u])
    size = abs(P) @ np.abs(v) + unit
    rest = np.abs(unit - P @ v) + 2 * (degrees + 6) * u * size  # an upper bound
    left = iv.mpf([0, fsum((rest**2).tolist()) * (1 + 16 * u)])
    variance = 2 * iv.mpf(float(v[i])) - energy + left
    return 1 / variance - 1


hub_interval = bracket(hub)

# %%
first, second = np.sort(degrees)[::-1][:2]
print(f"hub: {first:,.0f} ties, coefficient from", end=" ")
print(f"{float(hub_interval.a):.8f} to {float(hub_interval.b):.8f}")
print(f"everybody else: at most {second:,.0f} ties")

# %% [markdown]
# The two ends of the interval agree in all the digits printed. A maximum sets the noise. To know who *else* is exposed one needs all coefficients, and here
# sampling helps: draw $z \sim N(0, P)$ edge by edge, solve $Px = z$, and $x$ has covariance $P^{-1}$;
# its squares estimate all $(P^{-1})_{ii}$ at once, with exact chi-square intervals. On the karate
# club (34 people) we can compare with the truth.

# %%
club = networks.precision(nx.karate_club_graph(), 0.2, weight="none")
truth = GaussianModel(precision=club, width=1).leakage_coefficients()
estimates = sparse_gaussian.leakage_estimates(club, samples=50, rng=34, confidence=0.95)
held = (estimates.low <= truth) & (truth <= estimates.high)
print(f"{held.sum()} of {held.size} intervals hold the truth")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Karate club, prior \u03c4 = 0.2: leakage coefficients of all 34 weak attackers, exact (dashes) and from 50 samples (bars: 95 percent intervals).", "name": "fig-estimates"}, "image": {"alt": "Thirty-four vertical bars in order of rising leakage from about 4 to 21, each with a dash for the exact value; nearly all dashes lie on their bars."}} tags=["figure"]
order = np.argsort(truth.round(9), kind="stable")  # twins in the order of their names
fig, ax = plots.panels(height=3.2)
ends = estimates.low[order], estimates.high[order]
blue = plots.COLOURS["sky"]
name = "estimated, 95 percent interval"
ax.vlines(np.arange(34), *ends, lw=4, color=blue, label=name)
dash = {"ms": 9, "mew": 1.6, "color": plots.COLOURS["black"], "ls": "none"}
ax.plot(truth[order], "_", label="exact", **dash)
ax.set(xlabel="member of the club, by rising leakage", ylabel="leakage coefficient")
ax.legend()
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
covered = []
rng = np.random.default_rng(35)
for _ in range(100):  # the whole thing a hundred times
    again = sparse_gaussian.leakage_estimates(club, samples=50, rng=rng)
    covered.append(((again.low <= truth) & (truth <= again.high)).mean())
sample = sparse_gaussian.leakage_estimates(P, samples=2, rng=np.random.default_rng(6))
some = np.argsort(-degrees, kind="stable")[
    [0, 1000, 100_000]
]  # by rank of the degree
solved = [1 / proposal(i)[0][i] - 1 for i in some]
with claim("Y-B10") as c:
    beaten = float(np.delete(degrees, hub).max())  # l is at most the degree, τ = 1
    least, most = float(hub_interval.a), float(hub_interval.b)
    label = "a million tuples: everybody else below the hub, by the degree"
    c.decisive("one example").at_most(beaten, least, label)
    label = "the package's interval meets that of interval arithmetic"
    c.decisive("one example").at_most([low, least], [most, high], label)
    label = "which is narrower than 1e-9 of it"
    c.decisive("one example").at_most(most - least, 1e-9 * (1 + low), label)
    c.at_most(high - low, 1e-9 * (1 + low), "and of the package's interval")
    label = "karate club: coverage of the 95 percent intervals, a hundred times"
    c.decisive("simulated").sampled(
        np.mean(covered), 0.95, label, stderr=np.std(covered) / 10
    )
    held_too = (sample.low[some] <= solved) & (solved <= sample.high[some])
    label = "a million tuples: three of them lie in their sampled intervals"
    c.holds(bool(held_too.all()), label, method="numeric")
    c.close(solved[0], least, "the hub, by another solver", rtol=1e-8)
    club_bounds = sparse_gaussian.max_leakage_bounds(club, rtol=1e-9)
    both = [club_bounds.low, club_bounds.high]
    c.close(both, [truth.max()] * 2, "karate club: around the closed form", rtol=2e-9)

assert 3.5 < truth.min() < 4.5 and 20 < truth.max() < 22 and held.mean() > 0.9

# %% [markdown]
# So the hub that leaks most, and the exposure of everybody else, are within reach at a million
# tuples, on the assumptions of the first line of this notebook: Gaussian data, friendly ties, Laplace
# noise.
#
# ## Exercises
#
# ```{exercise-start} A blind weak attacker
# :label: ex-07-blind
# ```
# **Warm-up.** Find the precision matrix of two tuples, with 2 and 1 on its diagonal, for which the weak attacker of
# tuple 1 learns nothing at all although $x_1$ and $x_2$ are correlated. What do the three other attackers learn?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("07-blind", ...)

# %% [markdown]
# ```{solution-start} ex-07-blind
# :class: dropdown
# ```
# $1 + \ell_1 = 1 - P_{12}/P_{22}$ vanishes for $P_{12} = P_{22}$: whenever $x_1$ rises by one, $x_2$
# is expected to fall by one. With $P = \bigl(\begin{smallmatrix} 2 & 1 \\ 1 & 1
# \end{smallmatrix}\bigr)$ the weak attacker of tuple 2 still learns $1/2$, the strong ones 1.

# %% jupyter={"source_hidden": true} tags=["evidence"]
blind = sp.Matrix([[2, 1], [1, 1]])
found = [
    1 + GaussianModel(precision=blind, width=1).leakage_coefficient(i, K) for i, K in adversaries(2)
]
assert blind.is_positive_definite and found == [0, 1, sp.Rational(1, 2), 1]
check("07-blind", (blind[0, 1], found[2], found[3]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Equally dangerous attackers
# :label: ex-07-crossing
# ```
# **Standard.** For Gaussian noise and any attacker with $\ell_{\mathcal{A}} > 0$, find the $\sigma$ at
# which this attacker and the strong one are equally dangerous, in terms of $\ell_{\mathcal{A}}$ and of the variance $v$ of the sum given what the
# attacker knows and $x_i$. Check it on {numref}`fig-noise`.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("07-crossing", ...)


# %% [markdown]
# ```{solution-start} ex-07-crossing
# :class: dropdown
# ```
# $(1 + \ell)^2 \sigma^2 = \sigma^2 + v$ with $v = \operatorname{Var}[s \mid x_i, x_{\mathcal{K}}]$, so $\sigma^2 = v /
# \bigl((1 + \ell)^2 - 1\bigr)$. For $w = 0.1$ this is far above $\sigma = 1$, for $w = 2$ below it.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def meets_at(v, ell):
    return np.sqrt(v / ((1 + ell) ** 2 - 1))


for weight in (0.1, 2.0):
    extra, v = weight / (1 + weight), 1 / (1 + weight)
    crossing = meets_at(v, extra)
    at = GaussianModel(precision=model(ab=weight), width=1).gaussian_noise_mu(0, sigma=crossing)
    assert np.isclose(at, 1 / crossing)
    assert (crossing > 1) == (weight < float(threshold))
check("07-crossing", meets_at)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The household budget
# :label: ex-07-budget
# ```
# **Standard.** A household budget: $n$ expenses whose sum is pulled towards a fixed amount, $P = \tau
# I + k\,\mathbf 1\mathbf 1^\top$. Show that an attacker who misses $m$ tuples has $1 + \ell_{\mathcal{A}} =
# \tau/(\tau + mk)$. Who is the worst, and how wrong can noise be that is set by weak attackers only?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("07-budget", ...)


# %% [markdown]
# ```{solution-start} ex-07-budget
# :class: dropdown
# ```
# $P_{\mathcal{U}\mathcal{U}}\mathbf 1 = (\tau + mk)\mathbf 1$ and $P_{\mathcal{U} i} = k\mathbf 1$, so $\ell = -mk/(\tau +
# mk)$. Every unknown tuple makes the attacker weaker: the strong ones are the worst, with factor 1.
# The weak ones have $\tau/(\tau + (n-1)k)$, arbitrarily close to 0, so there is no limit to how wrong
# the shortcut can be.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def times_too_much(prior, n, tie):
    return (prior + (n - 1) * tie) / prior


budget = tau * sp.eye(4) + k * sp.ones(4, 4)
for i, known in adversaries(4):
    missing = 3 - len(known)
    factor = 1 + GaussianModel(precision=budget, width=1).leakage_coefficient(i, known)
    assert sp.simplify(factor - 1 / times_too_much(tau, missing + 1, k)) == 0
check("07-budget", times_too_much)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} When the worst attackers change places
# :label: ex-07-switch
# ```
# **Research.** In the chain of four (stay 0.9) the weak attacker is the worst for much noise and
# $\mathcal{A}(2, \{4\})$ for little. Find the $\varepsilon$ at which they change places, and the limit
# of *leakage minus $\varepsilon$* for both as the noise vanishes. What does the limit measure?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("07-switch", ...)


# %% [markdown]
# ```{solution-start} ex-07-switch
# :class: dropdown
# ```
# With hardly any noise the attacker reads the sum. The noise still pays $\varepsilon$ for the last
# unit, and what is left is a likelihood ratio: how much more probable does $x_2 = 0$ make a pattern
# of the others than $x_2 = 1$ the pattern that lies one unit of the sum away. For the weak attacker
# that is $000$ against a lone $1$: $0.9^3/(0.1 \cdot 0.1 \cdot 0.9) = 81$. Who knows that $x_4 = 1$
# can catch rarer events, $369$ to 1. The mean does not enter any more.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def lead(e):
    """How much more A(2, {4}) learns than the best weak attacker, at Lap(1/e)."""
    weak = max(law.leakage(i, scale=1 / e) for i in range(4))
    return law.leakage(1, [3], scale=1 / e) - weak


switch = brentq(lead, 1, 5, xtol=1e-10)
assert lead(switch - 0.1) < 0 < lead(switch + 0.1)
excess = [
    sp.N(sp.exp(closed[whom].subs(eps, 60) - 60), 20)
    for whom in [(1, ()), (1, (3,))]
]
assert all(abs(found - ratio) < 1e-9 for found, ratio in zip(excess, (81, 369)))
print(f"they change places at ε = {switch:.4f}")
check("07-switch", [sp.log(ratio) for ratio in excess])

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The paper's two statements that this notebook rests on, the remark on $x_1 + x_2 = 100$ and the one on counts and histograms, hold as printed. With negative ties Theorem 5.2 does not extend: an attacker who
#   knows some tuples may be the only worst one, from three tuples on; the comparison matrix gives a safe bound.
# - Nor does it extend to Gaussian noise, to $(\varepsilon, \delta)$, or to 0/1 data. There the Gaussian formula
#   with matched covariances is right in the limit of much noise for attackers who know nobody, if the laws of the sum are in stochastic order. It may be too low otherwise, and for attackers who know some.
# - For binary Markov chains intervals suffice: the exact level of all $n2^{n-1}$ attackers in polynomial time.
# - With friendly ties and a common prior, largest weights and smallest prior are the worst law of a box.
# - At a million tuples the largest coefficient can be certified in seconds, rounding included.
#
# The weights, the prior and the Gaussian law remain assumptions. None of these results says how to
# choose them.
#
# **Further reading.** Song, Wang and Chaudhuri {cite:p}`song2017pufferfish` on mechanisms for chains;
# Lange and others {cite:p}`lange2025balancing` on bounds for general dependence; Kifer and
# Machanavajjhala {cite:p}`kifer2014pufferfish` on the framework behind all of this; Doyle and Snell
# {cite:p}`doyle1984random` on networks of resistors. **Next:** [when is one attacker hard to compute?](correlated-what-is-hard.ipynb)
