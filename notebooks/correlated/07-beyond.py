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
# **You need** the [leakage coefficient](03-gaussian-correlation-model.ipynb) and
# [the worst attacker](04-all-adversaries.ipynb).
# **Time:** 35 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple, at most $M$ apart. **The attacker** $\adversary(i, \known)$
# attacks $x_i$, knows $x_{\known}$, the joint law and the mechanism, and sees one noisy sum.
# **Protected:** the odds between two values of $x_i$; in one section only up to a probability $\delta$.
# **Not protected:** anything under a joint law other than the assumed one, until the section
# on wrong weights.
# ```

# %%
from fractions import Fraction

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import scipy.sparse as sps
import sympy as sp
from myst_nb import glue
from scipy.sparse.linalg import cg
from scipy.stats import norm

from privlib.correlated import chain, gaussian, networks, sparse
from privlib.correlated.adversary import adversaries
from privlib.correlated.finite import FiniteLaw
from privlib.correlated.gaussian import GaussianModel
from privlib.kit import claim, plots

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
# mean. The precision is $\tau I + k\,\one\one^\top$, which is a **negative weight** $w_{12} = -k$.

# %%
tau, k, w = sp.symbols("tau k w", positive=True)
soft = tau * sp.eye(2) + k * sp.ones(2, 2)
weak = sp.factor(1 + GaussianModel(soft).leakage_coefficient(0))
strong = 1 + GaussianModel(soft).leakage_coefficient(0, [1])
print("1 + l, weak:  ", weak, " ->", sp.limit(weak, k, sp.oo))
print("1 + l, strong:", strong)
print("Var[x1 | x2]: ", 1 / soft[0, 0], " ->", sp.limit(1 / soft[0, 0], k, sp.oo))

# %% [markdown]
# As the spring stiffens the weak attacker learns nothing: the sum is a constant. The strong
# attacker's coefficient stays at 1, but look at the last line: given $x_2$ there is less and less of
# $x_1$ left to be uncertain about. *At* the limit the strong attacker knows $x_1$ before any release.
# Two values of $x_1$ that could be told apart no longer exist, and the leakage drops from $M/\lambda$
# to 0. The limit of the precision matrices is not the constraint; a finite law shows the constraint
# itself.

# %%
pairs = [[Fraction(int(x1 + x2 == 2), 3) for x2 in range(3)] for x1 in range(3)]
exact_sum = np.array(pairs, dtype=object)  # three values each, always adding up to 2
nearly = exact_sum * Fraction(99, 100) + Fraction(1, 900)  # every pair possible
eps = sp.Symbol("epsilon", positive=True)
laws = {"exact constraint": exact_sum, "99 percent": nearly}
leaks = {
    (name, known): FiniteLaw(law).bdp_leakage(0, known, scale=2 / eps)
    for name, law in laws.items()
    for known in ((), (1,))
}
for (name, known), leakage in leaks.items():
    value = float(sp.N(leakage.subs(eps, 1)))
    print(f"{name:17s} {'strong' if known else 'weak':7s} leaks {value:.4f}")

# %%
with claim("Y-5.l") as c:
    slope = -soft[0, 1] / soft[1, 1]  # E[x2 | x1] = slope x1
    c.exact(
        sp.simplify(weak - (1 + slope)), 0, "weak: 1 + l = 1 + slope of E[x2 | x1]"
    )
    c.exact(sp.simplify(weak - tau / (tau + k)), 0, "weak: 1 + l = tau/(tau + k) < 1")
    c.exact(sp.limit(weak, k, sp.oo), 0, "stiff constraint, weak: 1 + l tends to 0")
    c.exact(
        leaks["exact constraint", ()],
        0,
        "exact constraint, three values, weak: leaks 0",
    )
    friendly = sp.Matrix([[w + tau, -w], [-w, w + tau]])
    gain = GaussianModel(friendly).leakage_coefficient(0)
    c.exact(
        sp.simplify(gain - w / (w + tau)), 0, "friendly tie, weak: l = w/(w + tau)"
    )

assert leaks["exact constraint", (1,)] == 0  # nothing left to compare
assert leaks["99 percent", (1,)] == eps  # full support: the strong attacker learns ε
kernel = FiniteLaw(exact_sum, conditions="kernel").bdp_leakage(0, [1], scale=2 / eps)
assert kernel == eps  # the other reading of a condition of probability zero

# %% [markdown]
# So the paper's remark holds. (With values at most 2 apart, scale $2/\varepsilon$ is what
# differential privacy asks for; the strong attacker's 0 under the exact constraint depends on how a
# condition of probability zero is read, as in [notebook 2](02-bayesian-differential-privacy.ipynb).)
# It leaves a question open: if the weak attacker is harmless when ties are negative, is then the
# *strong* one the worst?
#
# ## Who is the worst when ties have signs?
#
# Here is the rule that we are about to leave.
#
# ````{prf:theorem} Theorem 5.2 of the paper
# :label: thm-07-forgetting
#
# Let all $w_{ij} \ge 0$, and let $\adversary' = \adversary(i, \known \setminus \{j\})$ be an ancestor (先祖)
# of $\adversary = \adversary(i, \known)$: it knows one tuple fewer. Then
# $\ell_{\adversary} \le \ell_{\adversary'}$. Under Laplace noise the worst attacker is a weak one.
# ````
#
# Where do the signs enter? In one exact step that needs none.
#
# ````{prf:proposition} Forgetting one tuple
# :label: prop-07-step
#
# For any positive definite precision matrix, $\known' = \known \setminus \{j\}$, and $b$ the regression
# coefficient of $x_j$ on $x_i$ given $x_{\known'}$,
#
# $$ \ell_{\adversary(i, \known')} = \ell_{\adversary(i, \known)}
#    + b\,\bigl(1 + \ell_{\adversary(j,\, \known' \cup \{i\})}\bigr). $$
# ````
#
# *Proof.* $\E[s \mid x_i, x_{\known}]$ moves by $1 + \ell_{\adversary(i,\known)}$ with $x_i$ and by
# $1 + \ell_{\adversary(j, \known' \cup i)}$ with $x_j$. Average over $x_j$ given $x_i, x_{\known'}$,
# where $x_j$ itself moves by $b$ with $x_i$. ∎ For three tuples and generic entries sympy confirms it
# line by line:

# %%
p = sp.symarray("p", (3, 3))
generic = sp.Matrix(3, 3, lambda i, j: p[min(i, j), max(i, j)])
# attack tuple 1 (index 0), forget tuple 2 (index 1); tuple 3 is unknown all along
reduced = generic[:2, :2] - generic[:2, 2] * generic[2, :2] / generic[2, 2]
b = -reduced[0, 1] / reduced[1, 1]
before = GaussianModel(generic).leakage_coefficient(0, [1])
after = GaussianModel(generic).leakage_coefficient(0)
gained = b * (1 + GaussianModel(generic).leakage_coefficient(1, [0]))
remainder = sp.simplify(after - before - gained)
print("after − before − gained =", remainder)


# %% [markdown]
# With $w \ge 0$ no inverse of a block of $P$ has a negative entry, so $b$ and both coefficients are
# non-negative, which is Theorem 5.2. A negative $b$ turns the step around: forgetting a rival
# *lowers* the leakage. Mix friends and rivals, and the attacker's best plan is to forget the friends
# and keep an eye on the rivals. Three tuples are enough: 1 and 2 are friends ($w_{12} = 1$), 1 and 3
# are rivals ($w_{13} = -1$).


# %%
rivals = sp.Matrix([[3, -1, 1], [-1, 2, 0], [1, 0, 2]])
factors = {
    (i, known): abs(1 + GaussianModel(rivals).leakage_coefficient(i, known))
    for i, known in adversaries(3)
}
for i in range(3):
    row = [
        f"{{{','.join(str(j + 1) for j in K)}}}: {factors[i, K]}"
        for t, K in adversaries(3)
        if t == i
    ]
    print(
        f"|1 + l|, attackers of tuple {i + 1}, by what they know  ", "   ".join(row)
    )


# %% [markdown]
# The largest of the twelve is 3/2, and only the attacker of tuple 1 who knows tuple 3 *and nothing
# else* reaches it. Not a weak one, not a strong one. Noise that is set by the best weak attacker
# (6/5, of tuple 2) is a fifth too small.
#
# How common is that? We draw complete networks of six tuples with exponential weights, flip the sign
# of each with probability $p$, and ask all 192 attackers.


# %%
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
        worst = GaussianModel(P).worst_adversary()
        kind[a, d] = {0: 0, n - 1: 2}.get(len(worst.adversary.known), 1)
        weak = np.abs(1 + GaussianModel(P).leakage_coefficients()).max()
        weak_only[a, d] = weak / worst.leakage
        bounded[a, d] = (
            1 + GaussianModel(P).comparison_bound().max()
        ) / worst.leakage
        has_friends[a, d] = (P - np.diag(np.diag(P))).min() < 0
frequency = np.array([(kind == which).mean(axis=1) for which in range(3)])

# %% mystnb={"figure": {"caption": "Random networks of six tuples, 200 for each p. Left: which attacker is the worst, as ties turn from friendly (p = 0, Theorem 5.2) to hostile (p = 1). In between it is mostly one who knows some tuples and not others. Right: two shortcuts, relative to the exact noise scale (median and the middle 90 percent). Below the line the noise is too small.", "name": "fig-signed"}, "image": {"alt": "Left, stacked areas against the probability p of a negative tie: weak attackers fill everything at p = 0 and shrink to nothing, intermediate attackers dominate from p = 0.2 to 0.9, strong ones take over at p = 1. Right, the weak-only shortcut falls from 1 to about 0.7, the comparison bound rises from 1 to about 3.8."}} tags=["hide-input"]
fig, (left, right) = plots.panels(1, 2, width=9, height=3.4)
names = ("weak", "intermediate", "strong")
colours = [plots.COLOURS[c] for c in ("blue", "gold", "green")]
left.stackplot(shares, frequency, colors=colours, alpha=0.85)
for name, x, y in zip(names, (0.12, 0.55, 0.8), (0.3, 0.6, 0.14)):
    left.text(x, y, name, ha="center", va="center")
left.annotate("", (0.985, 0.3), (0.87, 0.16), arrowprops={"arrowstyle": "->"})
left.set(
    xlabel="probability p that a tie is negative",
    ylabel="share of networks",
    title="who is the worst attacker",
    xlim=(0, 1),
    ylim=(0, 1),
)
for ratio, name, colour in (
    (weak_only, "weak attackers only", "orange"),
    (bounded, "comparison bound", "blue"),
):
    low, mid, high = np.quantile(ratio, (0.05, 0.5, 0.95), axis=1)
    right.fill_between(
        shares, low, high, color=plots.COLOURS[colour], alpha=0.25, lw=0
    )
    right.plot(
        shares,
        mid,
        color=plots.COLOURS[colour],
        label=name,
        ls="-" if colour == "blue" else "--",
    )
right.axhline(1, color=plots.COLOURS["grey"], lw=1, ls="-")
right.set(
    xlabel="probability p that a tie is negative",
    title="two shortcuts",
    ylabel="noise scale / exact scale",
    yscale="log",
    yticks=[0.5, 1, 2, 4],
    yticklabels=["0.5", "1", "2", "4"],
)
right.minorticks_off()
right.legend(loc="upper left")
plt.show()

# %%
print("   p    weak  interm.  strong    (standard error at most 0.04)")
for share, row in zip(shares[::2], frequency.T[::2]):
    print(f"{share:4.1f} " + "".join(f"{value:8.2f}" for value in row))

assert frequency[0, 0] == 1  # Theorem 5.2
assert frequency[1, 3:10].min() > 0.5 and frequency[2, -1] > 0.9
glue("interm-half", float(100 * frequency[1, 5]), display=False)
glue("weak-only-least", round(float(weak_only.min()), 6), display=False)
glue("bound-median", round(float(np.median(bounded[5])), 6), display=False)

# %% [markdown]
# At $p = 1/2$ an intermediate attacker is the worst in {glue:text}`interm-half:.0f` % of the networks. A
# strong attacker can be the worst only if *no* tie is friendly: with $w_{ij} > 0$ the attacker of
# $i$ who misses just $j$ already has $\ell = w_{ij}/P_{jj} > 0$. In the worst draw, noise set by the weak
# attackers alone would have been {glue:text}`weak-only-least:.2f` of what is needed.
#
# Enumerating $n2^{n-1}$ attackers ends near $n = 16$. Beyond that a bound helps: make every tie friendly.
#
# ````{prf:proposition} Comparison bound
# :label: prop-07-comparison
#
# Let $\langle P \rangle$ keep the diagonal of $P$ and have $-\lvert P_{ij} \rvert$ elsewhere. If it
# is positive definite, then $\lvert \ell_{\adversary(i, \known)}(P) \rvert \le \ell_{\adversary(i,
# \known)}(\langle P \rangle) \le \ell_i(\langle P \rangle)$ for every attacker.
# ````
#
# *Proof.* Write $P_{\unknown\unknown} = D - N$ with $D$ its diagonal. The series
# $P_{\unknown\unknown}^{-1} = \sum_t (D^{-1}N)^t D^{-1}$ is, term by term, at most the one with
# $\lvert N \rvert$, which is that of $\langle P \rangle$ and converges. The second step is
# {prf:ref}`thm-07-forgetting`, since $\langle P \rangle$ has friendly ties only. ∎ One Cholesky
# factor serves all targets. At $p = 1/2$ the bound asks for {glue:text}`bound-median:.1f` times the
# exact noise: safe, and dear.

# %% tags=["hide-input"]
pair = sp.Matrix([[Fraction(3, 2), Fraction(1, 2)], [Fraction(1, 2), Fraction(3, 2)]])
P = signed_network(6, 0.5, np.random.default_rng(7))
covariance = np.linalg.inv(P)


def regression(i, known):
    """1 + l as the regression coefficient of the sum on x_i, from the covariance."""
    given = [i, *known]
    with_sum = covariance[given].sum(axis=1)
    return np.linalg.solve(covariance[np.ix_(given, given)], with_sum)[0]


with claim("Y-B7") as c:
    c.exact(
        [GaussianModel(pair).leakage_coefficient(0, K) for K in ([], [1])],
        [sp.Rational(-1, 3), 0],
        "two rivals: l = −1/3 weak, 0 strong",
    )
    top = sp.Rational(3, 2)
    c.exact(
        {who for who, f in factors.items() if f >= top},
        {(0, (2,))},
        "three tuples: only A(1, {3}) reaches the maximum 3/2",
    )
    weak_ones = [factors[i, ()] for i in range(3)]
    c.exact(max(weak_ones), sp.Rational(6, 5), "the best weak attacker has 6/5")
    c.exact(remainder, 0, "forgetting one tuple, three tuples, generic entries")
    routes = [
        [1 + GaussianModel(P).leakage_coefficient(i, K), regression(i, K)]
        for i, K in adversaries(6)
    ]
    c.close(
        *np.array(routes).T,
        "six tuples, 192 attackers: precision and covariance route",
    )
    c.holds(
        bool(frequency[0, 0] == 1),
        "no negative tie: weak is worst in every draw",
        method="numeric",
    )
    c.holds(
        not (has_friends & (kind == 2)).any(),
        method="numeric",
        label="strong is never the worst where one tie is friendly",
    )
    c.at_most(
        np.abs(GaussianModel(P).all_coefficients()),
        GaussianModel(P).comparison_bound()[:, None],
        "comparison bound, all 192 attackers",
        slack=1e-12,
    )
    c.at_most(
        1,
        bounded.min(),
        f"comparison bound in all {bounded.size} draws",
        slack=1e-12,
    )

# %% [markdown]
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
# Let $r = s + N(0, \sigma^2)$. For $\adversary(i, \known)$ the two laws of $r$ for $x_i$ and $x_i +
# M$ are as hard to tell apart as $N(0,1)$ and $N(\mu_{\adversary}, 1)$, where
#
# $$ \mu_{\adversary} = \frac{M\,\lvert 1 + \ell_{\adversary} \rvert}
#    {\sqrt{\sigma^2 + \Var[s \mid x_i, x_{\known}]}}, \qquad
#    \Var[s \mid x_i, x_{\known}] = \one^\top P_{\unknown\unknown}^{-1} \one . $$
# ````
#
# *Proof.* Given $x_i, x_{\known}$ the release is normal with this variance, whatever $x_i$, and its
# mean moves by $M(1 + \ell_{\adversary})$. ∎ This $\mu$ is the parameter of Gaussian differential
# privacy {cite:p}`dong2022gaussian`. Forgetting a friend raises the numerator, as before, but also
# the denominator. Which wins? For two tuples sympy answers:

# %%
sigma = sp.Symbol("sigma", positive=True)
shift = 1 + GaussianModel(friendly).leakage_coefficient(0)
mu2 = {"weak": shift**2 / (sigma**2 + 1 / friendly[1, 1]), "strong": 1 / sigma**2}
unit = {sigma: 1, tau: 1}
margin = sp.factor(sp.together((mu2["weak"] - mu2["strong"]).subs(unit)))
threshold = max(sp.solve(sp.numer(margin), w))
print("μ² weak − μ² strong at σ = τ = M = 1:", margin)
print("the strong attacker is worse for w <", threshold, f"= {float(threshold):.3f}")
glue("w-threshold", round(float(threshold), 6), display=False)


# %% [markdown]
# For a weight below {glue:text}`w-threshold:.3f` the unknown friend blurs the release more than it
# adds to the shift. Is it an artefact of Gaussian noise? Take Laplace noise again, but allow the odds
# to move by more than $e^\varepsilon$ with a small probability $\delta$. The same thing happens.


# %%
def model(**weights):
    """Precision with prior 1: model(ab=2) has weight 2 between a and b."""
    graph = nx.Graph()
    graph.add_nodes_from(sorted(set("".join(weights))))
    graph.add_weighted_edges_from((*edge, weight) for edge, weight in weights.items())
    return networks.precision(graph, 1.0)


loose, three = model(ab=0.1), model(ab=2, ac=0.05, bc=0.05)
sigmas, levels = np.geomspace(0.1, 10, 61), np.linspace(0, 1.1, 56)
ratios = {
    weight: [
        GaussianModel(model(ab=weight)).gaussian_noise_mu(0, sigma=sd) * sd
        for sd in sigmas
    ]
    for weight in (0.1, float(threshold), 2.0)
}
deltas = {
    name: [
        GaussianModel(loose).laplace_delta(0, known, epsilon=level, scale=1)
        for level in levels
    ]
    for name, known in (("weak", ()), ("strong", (1,)))
}

# %% mystnb={"figure": {"caption": "Two friends with prior \u03c4 = 1, M = 1. Left: Gaussian noise; the weak attacker's \u03bc relative to the strong one's. Little noise: the unknown friend is the better noise, and the strong attacker is worse. Much noise: the ratio tends to 1 + l, the Laplace value (dots). Right: Laplace noise of scale 1, weight 0.1; the probability \u03b4 left over at each \u03b5. The weak attacker leaks more only at the very end, near \u03b5 = 1.", "name": "fig-noise"}, "image": {"alt": "Left, three S-shaped curves of mu weak over mu strong against the noise from 0.1 to 10, all below 1 on the left and above 1 on the right, crossing at different places. Right, two falling curves of delta against epsilon; the strong one is higher until just before it reaches zero at epsilon 1, where the weak one is still slightly positive."}} tags=["hide-input"]
fig, (left, right) = plots.panels(1, 2, width=9, height=3.3)
for (weight, ratio), colour in zip(ratios.items(), ("blue", "orange", "green")):
    style = {"color": plots.COLOURS[colour]}
    left.semilogx(sigmas, ratio, label=f"w = {weight:.2g}", **style)
    left.plot(11.5, 1 + weight / (weight + 1), "o", clip_on=False, **style)
left.axhline(1, color=plots.COLOURS["grey"], lw=1, ls="-")
left.set(
    xlabel="standard deviation σ of the noise",
    ylabel="μ weak / μ strong",
    title="Gaussian noise",
    ylim=(0, 1.8),
)
left.legend()
for name, delta in deltas.items():
    right.plot(levels, delta, label=f"{name} attacker")
right.set(xlabel="level ε", ylabel="δ(ε)", title="Laplace noise, (ε, δ)")
right.legend()
plt.show()

# %% [markdown]
# A simulated attack shows the same with Gaussian noise. Release once with $x_1 = 0$ and once with
# $x_1 = 1$; each attacker guesses which, by comparing the release with the midpoint of the two means.
# The best possible hit rate is $\Phi(\mu/2)$.

# %%
rng = np.random.default_rng(2021)
trials = 400_000
mean, sd = 0.1 / 1.1, np.sqrt(1 / 1.1)  # of x2 given x1 = 1
truth = rng.integers(0, 2, trials)
friend = rng.normal(mean * truth, sd)
release = truth + friend + rng.normal(size=trials)
guesses = {"weak": release > (1 + mean) / 2, "strong": release - friend > 1 / 2}
mu = {
    name: GaussianModel(loose).gaussian_noise_mu(0, known, sigma=1)
    for name, known in (("weak", ()), ("strong", (1,)))
}
hits = {name: (guess == truth).mean() for name, guess in guesses.items()}
for name, rate in hits.items():
    print(
        f"{name:6s} μ = {mu[name]:.4f}   hits {rate:.4f} ± {0.5 / trials**0.5:.4f}"
        f"   Φ(μ/2) = {norm.cdf(mu[name] / 2):.4f}"
    )

# %% [markdown]
# So Theorem 5.2 does not extend to other noise, not even for two friends. With three, an intermediate
# attacker can again be the only worst one; the table at the end of the next section has the numbers.
#
# ## Is it the data?
#
# Why Gaussian data in the first place? The paper motivates the sum query by what follows from it:
# counting queries (カウンティングクエリ) and histograms. As statements on queries these are plain: a count is
# the sum of indicators, and a histogram is a vector of such sums.

# %%
databases = np.array(list(np.ndindex(3, 3, 3, 3)))  # four tuples, three values
with claim("Y-5.a") as c:
    for value in range(3):
        count = np.array([row.tolist().count(value) for row in databases])
        indicator = (databases == value).astype(int)
        c.exact(
            indicator.sum(axis=1), count, f"cell {value} is a sum, all 81 databases"
        )


# %% [markdown]
# But an indicator is 0 or 1, and the leakage formula was derived for normal tuples. Does it carry
# over if we match the covariances? One thing does. For a 0/1 tuple $\E[s \mid x_i]$ is always linear
# in $x_i$ (there are only two points), so $\Cov(x_i, s)/\Var(x_i) = 1 + \ell_i$ is again the shift of
# the mean, and for *much* noise the leakage is $\varepsilon$ times that. For less noise all depends
# on the shape of the law. Two examples. First a Markov chain of four people in a row, where each
# repeats the neighbour's state with probability 0.9: correlations $0.8, 0.64, 0.512$, all positive.
# Second a pair with rare events.


# %%
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
curves = []
for e in grid:
    weak = [
        FiniteLaw(four.astype(float)).bdp_leakage(i, scale=1 / e) for i in range(4)
    ]
    fourth = FiniteLaw(four.astype(float)).bdp_leakage(1, [3], scale=1 / e)
    curves.append([max(weak), fourth, FiniteLaw(rare).bdp_leakage(0, scale=1 / e)])
weak_best, knows_fourth, rare_pair = np.transpose(curves) / grid
shift_chain, shift_rare = mean_shift(four.astype(float), 1), mean_shift(rare, 0)

# %% mystnb={"figure": {"caption": "0/1 data against the Gaussian formula with the same covariances (grey). Left: four people in a row. With much noise (small \u03b5) the formula is right and the weak attacker the worst; with less, knowing the fourth person is better than knowing nobody. Right: a rare event. The formula is too low, so noise set by it would not be enough.", "name": "fig-binary"}, "image": {"alt": "Left, leakage over epsilon against epsilon on a logarithmic axis: the weak curve starts at 3.24 and falls to 1.2, the curve for the attacker who knows tuple 4 starts lower, crosses it near epsilon 3 and stays above. Right, a hump that starts on the grey line at 1.1, rises to 1.5 and falls to 1.2."}} tags=["hide-input"]
fig, (left, right) = plots.panels(1, 2, width=9, height=3.3)
left.semilogx(grid, weak_best, label="best weak attacker")
left.semilogx(grid, knows_fourth, label="attacks 2, knows 4")
left.axhline(
    shift_chain,
    color=plots.COLOURS["grey"],
    lw=1.2,
    ls="-",
    label="Gaussian formula, weak",
)
left.set(
    xlabel="level ε of the noise, Lap(1/ε)",
    ylabel="leakage / ε",
    title="chain of four, stay 0.9",
    ylim=(0.9, 3.5),
)
left.legend(fontsize=9)
right.semilogx(grid, rare_pair, label="weak attacker of tuple 1")
right.axhline(
    shift_rare,
    color=plots.COLOURS["grey"],
    lw=1.2,
    ls="-",
    label="Gaussian formula",
)
right.set(
    xlabel="level ε of the noise, Lap(1/ε)",
    title="rare event, two tuples",
    ylim=(0.9, None),
)
right.legend(fontsize=9)
plt.show()

# %% [markdown]
# The chain is attractive (every tie is friendly), the network is a path of four, and still an
# attacker who knows one person is worse than all who know nobody. In closed form, at $\varepsilon =
# 5$:

# %%
closed = {
    (i, known): FiniteLaw(four).bdp_leakage(i, known, scale=1 / eps)
    for i, known in [(0, ()), (1, ()), (1, (3,))]  # the rest by symmetry
}
at_five = {who: sp.N(formula.subs(eps, 5), 25) for who, formula in closed.items()}
top, bottom = sp.fraction(sp.factor(sp.exp(closed[1, (3,)])))
print("exp(leakage) of A(2, {4}):", top, "\n  divided by", bottom)
for (i, known), value in at_five.items():
    names = ", ".join(str(j + 1) for j in known)
    print(f"A({i + 1}, {{{names}}}) leaks {float(value):.4f}")

# %% [markdown]
# Collected in one table: every way in which "the weak attacker is the worst" stops being true.

# %% tags=["hide-input"]
spin = np.array([-1, 1])
product = np.multiply.outer(spin, spin)
bonds = np.exp(product[:, :, None] - product[:, None, :])  # J12 = 1, J13 = −1
three_spins = FiniteLaw(bonds / bonds.sum())
spins = three_spins.worst_adversary(scale=2)
mu3 = [
    GaussianModel(three).gaussian_noise_mu(0, K, sigma=1) for K in ((), (2,), (1, 2))
]
ten = chain.worst_adversary(0.9, 10, scale=1)
ten_weak = max(
    FiniteLaw(chain_law([[0.9, 0.1], [0.1, 0.9]], 10)).bdp_leakage(i, scale=1)
    for i in range(5)
)
delta = {
    name: GaussianModel(loose).laplace_delta(0, K, epsilon=0.5, scale=1)
    for name, K in (("weak", ()), ("strong", (1,)))
}
spin_weak = max(
    v for who, v in three_spins.all_leakages(scale=2).items() if not who.known
)
rows = [
    ("two friends, Gaussian noise, μ", mu["weak"], "strong", mu["strong"]),
    ("three friends, Gaussian noise, μ", mu3[0], "A(1, {3})", mu3[1]),
    (
        "two friends, Laplace, δ at ε = 0.5",
        delta["weak"],
        "strong",
        delta["strong"],
    ),
    ("three spins, one rival, Lap(2)", spin_weak, "A(1, {3})", spins.leakage),
    (
        "attractive chain of 4, Lap(1/5)",
        at_five[1, ()],
        "A(2, {4})",
        at_five[1, (3,)],
    ),
    ("attractive chain of 10, Lap(1)", ten_weak, "A(5, {1, 10})", ten.leakage),
]
print(f"{'setting':36s}{'best weak':>10s}{'worst of all':>15s}{'':>10s}")
for setting, best_weak, who, value in rows:
    print(f"{setting:36s}{float(best_weak):10.4f}{who:>15s}{float(value):10.4f}")

# %% tags=["hide-input"]
t = np.linspace(-40, 41, 400_001)
law = {"precision": loose, "variance": 1 / 1.1, "shift": 1.2 / 1.1}
density0, density1 = (
    gaussian.output_density(t, place, scale=1, sigma=np.sqrt(law["variance"]))
    for place in (0.0, law["shift"])
)
integral = np.trapezoid(np.maximum(density1 - np.exp(0.5) * density0, 0), t)

with claim("Y-B8") as c:
    c.exact(
        sp.simplify(margin * (w + 1) * (w + 2)),
        3 * w**2 + w - 1,
        "Gaussian noise, n = 2: weak minus strong has the sign of 3w² + w − 1",
    )
    c.at_most(
        mu["weak"] + 0.2,
        mu["strong"],
        f"w = 0.1: μ weak {mu['weak']:.4f} < strong 1",
    )
    error = 0.5 / trials**0.5
    c.sampled(
        list(hits.values()),
        norm.cdf(np.array(list(mu.values())) / 2),
        "hit rates of the two attackers",
        stderr=error,
    )
    c.at_most(
        max(mu3[0], mu3[2]) + 0.2,
        mu3[1],
        f"n = 3: A(1, {{3}}) {mu3[1]:.4f} above weak {mu3[0]:.4f} and strong 1",
    )
    c.close(
        integral,
        delta["weak"],
        "δ at ε = 0.5, weak: integral of the densities",
        rtol=1e-6,
    )
    c.close(
        -np.expm1((0.5 - 1) / 2),
        delta["strong"],
        "δ, strong: closed form",
        rtol=1e-9,
    )
    c.at_most(delta["weak"] + 0.1, delta["strong"], "(ε, δ), n = 2: strong is worse")
    c.exact(
        spins.adversary.known,
        (2,),
        "three spins with one rival: worst knows tuple 3 only",
    )
    c.holds(
        bool(at_five[1, (3,)] > max(at_five[0, ()], at_five[1, ()]) + 1),
        method="exact",
        label="attractive chain of 4, ε = 5: A(2, {4}) above every weak attacker",
    )
    both = FiniteLaw(four.astype(float)).worst_adversary(scale=0.2).leakage
    c.close(
        both,
        float(at_five[1, (3,)]),
        "enumeration of all 32 attackers agrees",
        rtol=1e-9,
    )
    c.at_most(
        ten_weak + 0.2,
        ten.leakage,
        "chain of 10, ε = 1: A(5, {1, 10}) above every weak",
    )
    q = np.exp(-1)  # both densities at output 2, by hand, without the common factor
    by_hand = np.log((0.9 * q + 0.1) / (0.999 * q**2 + 0.001 * q))
    c.close(
        FiniteLaw(rare).bdp_leakage(0, scale=1), by_hand, "rare event, ε = 1: by hand"
    )
    c.at_most(
        shift_rare * 1.05,
        FiniteLaw(rare).bdp_leakage(0, scale=1),
        "rare event: leakage at ε = 1 above the Gaussian formula",
    )

assert ten.adversary == (4, (0, 9))
assert abs(weak_best[0] / shift_chain - 1) < 0.02  # much noise: the formula is right
assert knows_fourth[0] < weak_best[0] and knows_fourth[-1] > weak_best[-1]

# %% [markdown]
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
# There are $O(n^2)$ intervals, and running sums along the chain give the laws of them all, $O(n^3)$
# steps in total. The package does that in `chain.worst_adversary`. Against plain enumeration,
# which knows nothing about intervals:

# %%
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
    fast.append(chain.worst_adversary(matrices[name], n, scale=1 / e).leakage)
    slow.append(
        FiniteLaw(chain_law(matrices[name], n)).worst_adversary(scale=1 / e).leakage
    )
print(
    f"{len(cases)} chains, largest relative difference below",
    f"1e{int(np.ceil(np.log10(np.abs(np.divide(fast, slow) - 1).max() + 1e-13)))}",
)

# %% [markdown]
# Now long chains are no problem. How does their exact leakage compare with what is published? Group
# privacy says $n\varepsilon$. For Markov chains there is a bound that does not depend on $n$
# {cite:p}`lange2025balancing`: $\varepsilon + 4 \ln(\max p / \min p)$ over the entries of the
# transition matrix.

# %%
lengths = np.array([1, 2, 3, 4, 6, 8, 10, 14, 20, 28, 40])
amplification = {
    e: np.array(
        [chain.worst_adversary(0.9, int(n), scale=1 / e).leakage / e for n in lengths]
    )
    for e in (0.1, 1, 5)
}
noise = np.geomspace(0.02, 30, 41)
at_twenty = np.array(
    [chain.worst_adversary(0.9, 20, scale=1 / e).leakage / e for e in noise]
)
published = np.array([chain.markov_bound(0.9, epsilon=e) / e for e in noise])

R = sp.Symbol("rho", positive=True)
limit = (1 + R) / (1 - R)
seven = 1 + 2 * sum(R**t for t in range(1, 8))
telescoped = sp.simplify(limit - seven - 2 * R**8 / (1 - R))  # the rest of the series
nine = limit.subs(R, sp.Rational(4, 5))
print("1 + 2(ρ + ρ² + …) = (1 + ρ)/(1 − ρ) =", nine, "at ρ = 4/5")

# %% mystnb={"figure": {"caption": "Binary chain, stay 0.9, correlation of neighbours 0.8. Left: exact leakage over \u03b5 against the length. With much noise it approaches (1 + \u03c1)/(1 \u2212 \u03c1) = 9 and no more, while group privacy grows without end. Right: n = 20 against the noise. The published bound is close when there is little noise and far away when there is much.", "name": "fig-chain"}, "image": {"alt": "Left, three rising curves that level off at about 8.7, 5.2 and 2.3 for epsilon 0.1, 1 and 5, below a dotted line at 9 and a steep group privacy line. Right, on logarithmic axes the exact amplification falls from 8 to 1.2 as epsilon grows, below the lower of group privacy at 20 and a published bound that falls from 440 to 1.3."}} tags=["hide-input"]
fig, (left, right) = plots.panels(1, 2, width=9, height=3.5)
for e, curve in amplification.items():
    left.plot(lengths, curve, marker=".")
    left.text(41, curve[-1], f"ε = {e:g}", va="center")
left.plot(lengths, lengths, color=plots.COLOURS["black"], lw=1, ls="-")
left.text(14, 13, "group privacy, n", va="center")
left.axhline(9, color=plots.COLOURS["grey"], lw=1.2, ls=":")
left.text(15, 9.5, "(1 + ρ)/(1 − ρ)", color=plots.COLOURS["grey"])
left.set(
    xlabel="length n of the chain (tuples)",
    ylabel="leakage / ε",
    ylim=(0, 14),
    xlim=(0, 51),
    xticks=[1, 10, 20, 30, 40],
    title="against the length",
)
right.loglog(noise, at_twenty, label="exact")
right.loglog(noise, published, label="published bound")
right.axhline(
    20, color=plots.COLOURS["black"], lw=1, ls="-", label="group privacy, n = 20"
)
right.axhline(9, color=plots.COLOURS["grey"], lw=1.2, ls=":", label="(1 + ρ)/(1 − ρ)")
right.set(
    xlabel="level ε of the noise, Lap(1/ε)",
    title="against the noise, n = 20",
    ylim=(0.8, 600),
)
right.legend(fontsize=8.5)
plt.show()

# %% tags=["hide-input"]
with claim("Y-B9") as c:
    c.close(
        fast,
        slow,
        f"{len(cases)} chains with n up to 6: intervals against all attackers",
    )
    c.exact(telescoped, 0, "limit minus seven terms is the rest of the series")
    c.exact(nine, 9, "limit of the amplification at ρ = 4/5")
    long = chain.worst_adversary(0.9, 60, scale=1e4).leakage * 1e4
    c.close(long, float(nine), "n = 60, ε = 1e-4: near 9", rtol=2e-3)
    for e in (0.1, 1.0):
        exact = chain.worst_adversary(0.9, 20, scale=1 / e).leakage
        bound = chain.markov_bound(0.9, epsilon=e)
        c.at_most(
            exact,
            bound,
            f"n = 20, ε = {e:g}: exact {exact:.3f}, published {bound:.2f}",
        )
        glue(f"chain-{e:g}", round(exact, 6), display=False)
        glue(f"bound-{e:g}", round(bound, 6), display=False)
    c.at_most(
        at_twenty,
        np.minimum(published, 20),
        "below the bound and group privacy everywhere",
    )
    opposed = [
        chain.worst_adversary(0.3, n, scale=1 / e).leakage / e
        for n in (2, 5, 20)
        for e in (0.1, 1, 5)
    ]
    c.close(
        opposed,
        np.ones(9),
        "stay 0.3 (neighbours opposed): strong is worst, factor 1",
    )

# %% [markdown]
# At $n = 20$ the exact level is {glue:text}`chain-0.1:.3f` for $\varepsilon = 0.1$, where the bound
# says {glue:text}`bound-0.1:.2f`, and {glue:text}`chain-1:.2f` for $\varepsilon = 1$ against
# {glue:text}`bound-1:.2f`. To be fair to the bound: it holds for every mechanism, not only for noisy
# sums, and for little noise it comes within a small factor. The Markov quilt mechanism
# {cite:p}`song2017pufferfish` uses the same fact, that a chain forgets beyond a known tuple, to bound
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
# $V = P^{-1}$, since $P\one = \tau\one$. Two derivatives decide:
#
# $$ \frac{\partial V_{ii}}{\partial w_{jk}} = -\,(V_{ij} - V_{ik})^2 \le 0, \qquad
#    \frac{\partial (\tau V_{ii})}{\partial \tau} = (V L V)_{ii} \ge 0. \qquad ∎ $$
#
# The first is Rayleigh's monotonicity law for electrical networks {cite:p}`doyle1984random`:
# strengthen a wire, and no resistance to ground rises. Sympy, for the general triangle:

# %%
w12, w13, w23 = weights = sp.symbols("w12 w13 w23", positive=True)
L = sp.Matrix(
    [[w12 + w13, -w12, -w13], [-w12, w12 + w23, -w23], [-w13, -w23, w13 + w23]]
)
V = (L + tau * sp.eye(3)).inv().applyfunc(sp.factor)
edges = {w12: (0, 1), w13: (0, 2), w23: (1, 2)}
rayleigh = [
    sp.simplify(sp.diff(V[i, i], edge) + (V[i, a] - V[i, b]) ** 2)
    for edge, (a, b) in edges.items()
    for i in range(3)
]
in_prior = [
    sp.simplify(sp.diff(tau * V[i, i], tau) - (V * L * V)[i, i]) for i in range(3)
]
model_matrix = L + tau * sp.eye(3)
factor = [1 + GaussianModel(model_matrix).leakage_coefficient(i) for i in range(3)]
one_form = [sp.simplify(factor[i] * tau * V[i, i] - 1) for i in range(3)]
print("remainders:", rayleigh, in_prior, one_form)


# %% [markdown]
# The *common* prior is needed. Give one tuple a firm prior and tie it to the others: it holds them in
# place. Three tuples with $\tau = (1, \tfrac1{10}, 100)$ and an edge 1–2; now add the edge 2–3.


# %%
def path_model(w23, tau):
    """Exact precision on 1 – 2 – 3 with w12 = 1."""
    return sp.Matrix([[1, -1, 0], [-1, 1 + w23, -w23], [0, -w23, w23]]) + sp.diag(
        *tau
    )


firm = (1, sp.Rational(1, 10), 100)
without, tied = (
    GaussianModel(path_model(v, firm)).leakage_coefficient(0) for v in (0, 1)
)
even = [
    GaussianModel(path_model(v, (1, 1, 1))).leakage_coefficient(0) for v in (0, 1)
]
print(f"unequal priors: l1 = {without} without the edge, {tied} with it")
print(f"common prior 1: l1 = {even[0]} without the edge, {even[1]} with it")

# %% [markdown]
# The stronger tie *lowers* the leakage from {glue:text}`no-edge:.3f` to {glue:text}`with-edge:.3f`.
# So with unequal priors the corner of largest weights need not be the worst. With a common prior,
# every draw from a box stays below the one corner:

# %%
rng = np.random.default_rng(8)
upper = np.triu(rng.exponential(size=(8, 8)) * (rng.random((8, 8)) < 0.5), 1)


def leakage_in_box(weight, tau):
    """Largest coefficient over the weak attackers."""
    weight = weight + weight.T
    P = np.diag(weight.sum(axis=1) + tau) - weight
    return GaussianModel(P).leakage_coefficients().max()


corner = leakage_in_box(1.5 * upper, 0.5)
inside = [
    leakage_in_box(upper * rng.uniform(0.5, 1.5, upper.shape), rng.uniform(0.5, 2))
    for _ in range(2000)
]
print(
    f"corner {corner:.3f}; 2,000 laws inside: {min(inside):.3f} to {max(inside):.3f}"
)

with claim("Y-B6") as c:
    c.exact(rayleigh, [0] * 9, "triangle: derivative in a weight is minus a square")
    c.exact(in_prior, [0] * 3, "triangle: derivative of tau V in tau is V L V")
    c.exact(one_form, [0] * 3, "triangle: 1 + l = 1/(tau V)")
    c.at_most(
        np.array(inside),
        corner,
        "8 tuples, 2,000 laws in the box: below the corner",
    )
    c.exact(
        even[0] <= even[1], sp.true, "common prior: the edge 2–3 does not lower l1"
    )
    c.exact(
        (without, tied),
        (sp.Rational(10, 11), sp.Rational(1020, 2111)),
        "unequal priors: the edge lowers l1 from 10/11 to 1020/2111",
    )

glue("no-edge", round(float(without), 6), display=False)
glue("with-edge", round(float(tied), 6), display=False)

# %% [markdown]
# ## A million people
#
# The closed form needs one Cholesky factor of an $n \times n$ matrix; at a million tuples that is 8
# terabytes. But the worst attacker of a large network usually sits at a hub, and to *certify* the
# maximum it is enough to bound everybody else. Cutting wires gives a lower bound for each tuple and a
# trial vector an upper one, from each tuple's neighbours alone. For the few candidates that remain,
# $k$ steps of conjugate gradients yield a Gauss rule and a Gauss–Radau rule, which enclose
# $(P^{-1})_{ii}$ from both sides {cite:p}`golub2010matrices`.

# %%
adjacency = networks.preferential_attachment(1_000_000, 5, rng=5)
degrees = adjacency.sum(axis=0)
P = sps.csr_array(sps.diags_array(degrees + 1.0) - adjacency)  # prior τ = 1
bounds = sparse.max_leakage_bounds(P, rtol=1e-9)
low, high, index = bounds.low, bounds.high, bounds.adversary.target
print(
    f"{P.shape[0]:,} tuples, {adjacency.nnz // 2:,} ties,",
    f"hub has {degrees.max():,.0f}",
)
print(f"largest coefficient between {low:.7f} and {high:.7f}, at tuple {index + 1}")


# %% [markdown]
# That takes seconds; the [benchmarks page](../../book/benchmarks.md) has the timings. To check, solve
# $Px = e_i$ with another solver for the winner and for a few others and use $1 + \ell_i = 1/(\tau
# (P^{-1})_{ii})$.


# %%
def by_solving(matrix, i):
    """l_i from one linear system, prior 1."""
    unit = np.zeros(matrix.shape[0])
    unit[i] = 1
    jacobi = sps.diags_array(1 / matrix.diagonal())
    return 1 / cg(matrix, unit, rtol=1e-12, M=jacobi)[0][i] - 1


some = np.argsort(-degrees)[[0, 1, 1000, 100_000]]  # by rank of the degree
solved = np.array([by_solving(P, i) for i in some])
assert some[0] == index

for i, value in zip(some, solved):
    print(f"tuple {i + 1:7,d}, degree {degrees[i]:5,.0f}: coefficient {value:.5f}")

# %% [markdown]
# A maximum sets the noise. To know who *else* is exposed one needs all coefficients, and here
# sampling helps: draw $z \sim N(0, P)$ edge by edge, solve $Px = z$, and $x$ has covariance $P^{-1}$;
# its squares estimate all $(P^{-1})_{ii}$ at once, with exact chi-square intervals. On the karate
# club (34 people) we can compare with the truth.

# %%
club = nx.karate_club_graph()
dense = networks.precision(club, 0.2, weight="none")  # every tie counts 1
truth = GaussianModel(dense).leakage_coefficients()
estimates = sparse.leakage_estimates(
    sps.csr_array(dense), samples=50, rng=np.random.default_rng(34), confidence=0.95
)
covered = []
rng = np.random.default_rng(35)
for _ in range(100):  # the whole thing a hundred times
    again = sparse.leakage_estimates(dense, samples=50, rng=rng)
    covered.append(((again.low <= truth) & (truth <= again.high)).mean())
coverage, error = np.mean(covered), np.std(covered) / 10
print(f"intervals that hold the truth: {coverage:.3f} ± {error:.3f} (promised 0.95)")

# %% mystnb={"figure": {"caption": "Karate club, prior \u03c4 = 0.2: leakage coefficients of all 34 weak attackers, exact (dashes) and from 50 samples (bars: 95 percent intervals).", "name": "fig-estimates"}, "image": {"alt": "Thirty-four vertical bars in order of rising leakage from about 4 to 21, each with a dash for the exact value; nearly all dashes lie on their bars."}} tags=["hide-input"]
order = np.argsort(truth.round(9), kind="stable")  # twins in the order of their names
fig, ax = plots.panels(height=3.2)
ax.vlines(
    np.arange(34),
    estimates.low[order],
    estimates.high[order],
    lw=4,
    color=plots.COLOURS["sky"],
    label="estimated, 95 percent interval",
)
ax.plot(
    truth[order],
    "_",
    ms=9,
    mew=1.6,
    color=plots.COLOURS["black"],
    label="exact",
    ls="none",
)
ax.set(xlabel="member of the club, by rising leakage", ylabel="leakage coefficient")
ax.legend()
plt.show()

# %% tags=["hide-input"]
sample = sparse.leakage_estimates(P, samples=4, rng=np.random.default_rng(6))
share = sample.standard_error / (1 + sample.coefficients)
print(
    f"a million tuples, 4 samples: median relative error {np.median(share):.3f}, "
    f"largest {share.max():.3f}"
)

with claim("Y-B10") as c:
    winner = solved[0]
    c.at_most(low, winner, "a million tuples: certified from below", slack=1e-6)
    c.at_most(winner, high, "and from above, by another solver", slack=1e-6)
    c.at_most(high - low, 1e-9 * (1 + low), "relative width at most 1e-9")
    c.at_most(solved[1:], low, "three others, solved one by one, leak less")
    c.sampled(
        coverage,
        0.95,
        "karate club: coverage of the 95 percent intervals",
        stderr=error,
    )
    inside = (sample.low[some] <= solved) & (solved <= sample.high[some])
    c.holds(
        bool(inside.all()),
        method="numeric",
        label="a million tuples: the four solved ones lie in their sampled intervals",
    )
    club_bounds = sparse.max_leakage_bounds(dense, rtol=1e-9)
    c.close(
        [club_bounds.low, club_bounds.high],
        [truth.max()] * 2,
        "karate club: interval around the closed form",
        rtol=2e-9,
    )

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
# **Warm-up.** Find a precision matrix of two tuples for which the weak attacker of tuple 1 learns
# nothing at all although $x_1$ and $x_2$ are correlated. What do the three other attackers learn?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-07-blind
# :class: dropdown
# ```
# $1 + \ell_1 = 1 - P_{12}/P_{22}$ vanishes for $P_{12} = P_{22}$: whenever $x_1$ rises by one, $x_2$
# is expected to fall by one. With $P = \bigl(\begin{smallmatrix} 2 & 1 \\ 1 & 1
# \end{smallmatrix}\bigr)$ the weak attacker of tuple 2 still learns $1/2$, the strong ones 1.

# %%
blind = sp.Matrix([[2, 1], [1, 1]])
found = [
    1 + GaussianModel(blind).leakage_coefficient(i, K) for i, K in adversaries(2)
]
assert blind.is_positive_definite and found == [0, 1, sp.Rational(1, 2), 1]

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Equally dangerous attackers
# :label: ex-07-crossing
# ```
# **Standard.** For Gaussian noise and any attacker with $\ell_{\adversary} > 0$, find the $\sigma$ at
# which this attacker and the strong one are equally dangerous. Check it on {numref}`fig-noise`.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-07-crossing
# :class: dropdown
# ```
# $(1 + \ell)^2 \sigma^2 = \sigma^2 + v$ with $v = \Var[s \mid x_i, x_{\known}]$, so $\sigma^2 = v /
# \bigl((1 + \ell)^2 - 1\bigr)$. For $w = 0.1$ this is far above $\sigma = 1$, for $w = 2$ below it.

# %%
for weight in (0.1, 2.0):
    extra, v = weight / (1 + weight), 1 / (1 + weight)
    crossing = np.sqrt(v / ((1 + extra) ** 2 - 1))
    at = GaussianModel(model(ab=weight)).gaussian_noise_mu(0, sigma=crossing)
    assert np.isclose(at, 1 / crossing)
    assert (crossing > 1) == (weight < float(threshold))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The household budget
# :label: ex-07-budget
# ```
# **Standard.** A household budget: $n$ expenses whose sum is pulled towards a fixed amount, $P = \tau
# I + k\,\one\one^\top$. Show that an attacker who misses $m$ tuples has $1 + \ell_{\adversary} =
# \tau/(\tau + mk)$. Who is the worst, and how wrong can noise be that is set by weak attackers only?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-07-budget
# :class: dropdown
# ```
# $P_{\unknown\unknown}\one = (\tau + mk)\one$ and $P_{\unknown i} = k\one$, so $\ell = -mk/(\tau +
# mk)$. Every unknown tuple makes the attacker weaker: the strong ones are the worst, with factor 1.
# The weak ones have $\tau/(\tau + (n-1)k)$, arbitrarily close to 0, so there is no limit to how wrong
# the shortcut can be.

# %%
budget = tau * sp.eye(4) + k * sp.ones(4, 4)
for i, known in adversaries(4):
    missing = 3 - len(known)
    factor = 1 + GaussianModel(budget).leakage_coefficient(i, known)
    assert sp.simplify(factor - tau / (tau + missing * k)) == 0

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} When the worst attackers change places
# :label: ex-07-switch
# ```
# **Research.** In the chain of four (stay 0.9) the weak attacker is the worst for much noise and
# $\adversary(2, \{4\})$ for little. Find the $\varepsilon$ at which they change places, and the limit
# of *leakage minus $\varepsilon$* for both as the noise vanishes. What does the limit measure?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-07-switch
# :class: dropdown
# ```
# With hardly any noise the attacker reads the sum. The noise still pays $\varepsilon$ for the last
# unit, and what is left is a likelihood ratio: how much more probable does $x_2 = 0$ make a pattern
# of the others than $x_2 = 1$ the pattern that lies one unit of the sum away. For the weak attacker
# that is $000$ against a lone $1$: $0.9^3/(0.1 \cdot 0.1 \cdot 0.9) = 81$. Who knows that $x_4 = 1$
# can catch rarer events, $369$ to 1. The mean does not enter any more.

# %%
from scipy.optimize import brentq


def lead(e):
    """How much more A(2, {4}) learns than the best weak attacker, at Lap(1/e)."""
    law = four.astype(float)
    best = max(FiniteLaw(law).bdp_leakage(i, scale=1 / e) for i in range(4))
    return FiniteLaw(law).bdp_leakage(1, [3], scale=1 / e) - best


switch = brentq(lead, 1, 5, xtol=1e-10)
assert lead(switch - 0.1) < 0 < lead(switch + 0.1)
excess = [
    sp.N(sp.exp(closed[who].subs(eps, 60) - 60), 20) for who in [(1, ()), (1, (3,))]
]
assert all(abs(found - ratio) < 1e-9 for found, ratio in zip(excess, (81, 369)))
print(f"they change places at ε = {switch:.4f}")

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The paper's two statements that this notebook rests on, the remark on $x_1 + x_2 = 100$ and the one on counts and histograms, hold as printed. With negative ties Theorem 5.2 does not extend: an attacker who
#   knows some tuples may be the only worst one, from three tuples on; the comparison matrix gives a safe bound.
# - Nor does it extend to Gaussian noise, to $(\varepsilon, \delta)$, or to 0/1 data. There the Gaussian formula
#   with matched covariances is right in the limit of much noise and may be too low for less.
# - For binary Markov chains intervals suffice: the exact level of all $n2^{n-1}$ attackers in polynomial time.
# - With friendly ties and a common prior, largest weights and smallest prior are the worst law of a box.
# - At a million tuples the largest coefficient can be certified in seconds.
#
# The weights, the prior and the Gaussian law remain assumptions. None of these results says how to
# choose them.
#
# **Further reading.** Song, Wang and Chaudhuri {cite:p}`song2017pufferfish` on mechanisms for chains;
# Lange and others {cite:p}`lange2025balancing` on bounds for general dependence; Kifer and
# Machanavajjhala {cite:p}`kifer2014pufferfish` on the framework behind all of this; Doyle and Snell
# {cite:p}`doyle1984random` on networks of resistors. **Next:** the
# [ledger](../../book/ledger/correlated.md) with every claim of this part and its verdict.
