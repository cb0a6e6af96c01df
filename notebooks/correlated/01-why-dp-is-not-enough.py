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
# # Why is differential privacy not enough for correlated data?
#
# A health office publishes how many of ten people have influenza, after adding random noise for privacy. Each of the ten is ill with probability 1/2. An attacker sees only the noisy number and guesses whether
# person 1 is ill. If the ten are strangers, the best guess is right in 60%<!-- {right['strangers']:.0%} --> of all cases. If they are a family whose members are always ill together, it is right in 99.7%<!-- {right['family']:.1%} -->. The noise is the same.
#
# **The paper**, by Yang, Sato and Nakagawa {cite:p}`yang2015correlated`, claims that with correlated data differential privacy does not limit what every attacker learns, and proposes *Bayesian differential privacy*, which does. **We find** that its
# examples are right, apart from misprints, and that the attacker who learns most can be one who knows some of the others, but not all.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to compute exactly what a noisy number tells an attacker about one person, why an attacker who knows *less* can
# learn *more*, and how much noise correlated data need.
# **You need** conditional probability, logarithms and a little Python.
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one person's entry; the number of people is fixed. **The attacker** wants to know one entry, knows the exact values of
# some other entries (perhaps none, perhaps all), the joint distribution of all entries and the distribution of the noise, and sees one output. **Protected:** the odds of any two values of the entry (the probability of one divided by that of the other), which one output should hardly change. **Not protected:** what the joint distribution alone already says about it.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from math import comb

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from plotly.subplots import make_subplots
from scipy.optimize import brentq

from privlib.correlated.finite import FiniteDistribution
from privlib.notebook import Slider, interactive, plots, table

plots.use()

# %% [markdown]
# ## The same noise protects strangers and exposes a family
#
# How many of the ten are ill if person 1 is well, and how many if person 1 is ill? Each row of these tables is a distribution of that count:

# %%
nine = [comb(9, k) / 2**9 for k in range(10)]  # probability that k of nine strangers are ill
strangers = np.array([[*nine, 0], [0, *nine]])  # row 0: person 1 is well, row 1: ill
family = np.zeros((2, 11))  # columns: 0 to 10 people are ill
family[0, 0] = family[1, 10] = 1


# %% [markdown]
# The office adds *Laplace noise* (ラプラシアンノイズ) *of scale* $1/\varepsilon$, which has the density $\frac{\varepsilon}{2} e^{-\varepsilon |z|}$. The density of the published number is an average of such densities, one around
# each possible count:

# %%
def noisy(given, r, eps):
    """Density of the published number at r, one for each row of `given`."""
    counts = np.arange(given.shape[1])
    noise = eps / 2 * np.exp(-eps * abs(r - counts[:, None]))
    return given @ noise


# %% [markdown]
# Let $p_0$ be the density of the published number if person 1 is well, and $p_1$ the density if person 1 is ill. The best guess at an output $r$ is the state whose density is larger there. Both states are equally probable, so this guess is right with probability $\frac12 \int \max(p_0(r), p_1(r))\,dr$. At $\varepsilon = 1$:

# %%
r = np.linspace(-40, 50, 90_001)
right = {}
for name, given in (("strangers", strangers), ("family", family)):
    larger = np.maximum(*noisy(given, r, eps=1))
    right[name] = larger.sum() * (r[1] - r[0]) / 2
    print(f"{name}: the guess is right with probability {right[name]:.3f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What the attacker must tell apart, with the same noise (\u03b5 = 1) in both panels. Among strangers, person 1 moves the density by one. In the family, all others change together with person 1, so the density moves by ten.", "name": "fig-01-family"}, "image": {"alt": "Two panels of two densities each. Strangers: two wide bells at 4.5 and 5.5 that overlap almost completely. Family: two sharp peaks at 0 and at 10 that hardly overlap."}} tags=["figure"]
fig, axes = plots.panels(1, 2, width=8.5, height=3.0, sharey=True)
shown = (r > -5) & (r < 15)
for ax, title, given in zip(axes, ("ten strangers", "a family of ten"), (strangers, family)):
    for density, label, style in zip(noisy(given, r, 1), ("well", "ill"), ("-", "--")):
        ax.plot(r[shown], density[shown], style, label=f"person 1 {label}")
    ax.set(title=title, xlabel="published number")
axes[0].set_ylabel("density")
axes[0].legend()
plt.show()

# %% [markdown]
# Noise of this size hides a change of the count by one, and changing one entry of the database does change the count by one. But the attacker of the family reasons differently: if person 1 is ill, then all ten are. For this attacker, the state of person 1 changes the count by ten.
#
# ## What does differential privacy promise?
#
# The entry of one person is called a *tuple* (タプル). The database is $x = (x_1, \dots, x_n)$, and $x_{-i}$ denotes all tuples except $x_i$. Here each tuple is 0 (well) or 1 (ill). A *mechanism* computes a random output $r$ from the database.
#
# ```{prf:definition} Differential privacy (Definition 3.1; 差分プライバシー)
# :label: def-01-dp
# A mechanism is $\varepsilon$-*differentially private* if, for every tuple $i$, all values $x_i$, $x_i'$ and $x_{-i}$, and every set $S$ of outputs,
#
# $$ \log \frac{\Pr(r \in S \mid x_i, x_{-i})}{\Pr(r \in S \mid x_i', x_{-i})} \le \varepsilon. $$
# ```
#
# For example, let four of the other nine people be ill. Then the count is 4 if person 1 is well, and 5 if person 1 is ill. We compute the log ratio of the two densities at many outputs:

# %%
four_or_five = np.eye(11)[[4, 5]]  # row 0: the count is certainly 4, row 1: 5
p_four, p_five = noisy(four_or_five, r, eps=1)
log_ratio = np.log(p_four / p_five)
print(f"from {log_ratio.min():.3f} to {log_ratio.max():.3f}")

# %% [markdown]
# It never leaves the interval from $-\varepsilon$ to $\varepsilon$. This is so in general:
#
# ```{prf:theorem} Laplace mechanism (section 3.2; ラプラシアンメカニズム)
# :label: thm-01-laplace
# Let one tuple change the query $f$ by at most $S(f)$, its *sensitivity* (感度). Then $f(x)$ plus Laplace noise of scale $\lambda = S(f)/\varepsilon$, written $\operatorname{Lap}(S(f)/\varepsilon)$, is $\varepsilon$-differentially private.
# ```
#
# ```{prf:proof}
# Let $x$ and $x'$ differ in tuple $i$. The ratio of the two densities at $r$ is $e^{(|r - f(x')| - |r - f(x)|)/\lambda}$. By the triangle inequality the exponent is at most $|f(x) - f(x')|/\lambda \le S(f)/\lambda = \varepsilon$.
# Integrating the densities over $S$ gives the same bound for the probabilities.
# ```
#
# A count has sensitivity 1. So $\operatorname{Lap}(1/\varepsilon)$ makes it $\varepsilon$-differentially private, whether the people are strangers or a family: the definition does not ask how probable a database is.
#
# ```{evidence} Y-1.a Y-D3.1 Y-3.a Y-3.b Y-T2
# ```
#
# ## What does an attacker learn?
#
# The paper describes an attacker (攻撃者) $\mathcal{A}(i, \mathcal{K})$ by the *target* $i$ and by the set $\mathcal{K}$ of other tuples that the attacker knows exactly. The remaining tuples, $\mathcal{U}$, are unknown. A *strong* attacker (強い攻撃者) knows all tuples
# except the target, and a *weak* attacker (弱い攻撃者) knows none. Every attacker knows the joint distribution of the tuples, and averages over the unknown ones. How much can one output tell such an attacker?
#
# ```{prf:definition} Leakage (Definition 4.1; 漏洩)
# :label: def-01-leakage
# The *leakage* of a mechanism to the attacker $\mathcal{A}(i, \mathcal{K})$ is
#
# $$ \sup_{x_i, x_i', x_{\mathcal{K}}, S} \log \frac{\Pr(r \in S \mid x_i, x_{\mathcal{K}})}{\Pr(r \in S \mid x_i', x_{\mathcal{K}})}, $$
#
# where, for discrete tuples,
#
# $$ \Pr(r \in S \mid x_i, x_{\mathcal{K}}) = \sum_{x_{\mathcal{U}}} \Pr(r \in S \mid x)\, \Pr(x_{\mathcal{U}} \mid x_i, x_{\mathcal{K}}). $$
#
# Its unit is the *nat*.
# ```
#
# This is the ratio of {prf:ref}`def-01-dp` with $x_{\mathcal{K}}$ in place of $x_{-i}$, a step that the paper takes in section 3.3. For a strong attacker nothing is unknown, and the two ratios are the same. A leakage of one nat means that an output can multiply the odds of two values of the target by $e \approx 2.72$ ({prf:ref}`thm-01-odds` below). The paper's Bayesian differential privacy requires that *no* attacker's leakage exceeds $\varepsilon$; it is the subject of [notebook 2](02-bayesian-differential-privacy.ipynb).
#
# To compute a leakage exactly, it is enough to look at finitely many outputs:
#
# ```{prf:theorem} Where the supremum lies
# :label: thm-01-values
# For finitely many databases and Laplace noise, the leakage is the largest value of $\log \frac{p(r \mid x_i, x_{\mathcal{K}})}{p(r \mid x_i', x_{\mathcal{K}})}$ over all $x_i$, $x_i'$, $x_{\mathcal{K}}$ and over those outputs $r$ that are values of the query.
# ```
#
# ```{prf:proof}
# The ratio of the two probabilities of a set $S$ is at most the largest ratio of the two densities on $S$. So it is enough to consider single outputs $r$. Both densities are averages of Laplace densities around values of the query.
#
# Let $r$ lie between two consecutive values of the query, and put $y = e^{r/\lambda}$. The Laplace density around a smaller value is a constant times $1/y$, and around a larger value a constant times $y$. The two averages are therefore $Ay + B/y$ and $Cy + D/y$, with constants $A, B, C, D \ge 0$. The derivative of
# their ratio has the sign of $AD - BC$ for every $y$ (next cell). So the ratio is monotone between these two values, and largest at one of them. Below and above all values of the query, the ratio is constant.
# ```

# %%
y, A, B, C, D = sp.symbols("y A B C D", positive=True)
slope = sp.diff((A * y + B / y) / (C * y + D / y), y)
assert sp.simplify(slope - 2 * y * (A * D - B * C) / (C * y**2 + D) ** 2) == 0


# %% [markdown]
# In code, we describe an attacker by a list of tables such as `strangers`, one table for each value that the known tuples can have. A weak attacker knows no tuple, so there is only one table.

# %%
def leakage(tables, eps):
    """Largest log ratio between the rows, at the values of the query."""
    largest = 0
    for given in tables:
        zero, one = noisy(given, np.arange(given.shape[1]), eps)
        largest = max(largest, abs(np.log(zero / one)).max())
    return largest


for scale in (10, 100):
    leaks = [leakage([given], 1 / scale) for given in (strangers, family)]
    print(f"scale {scale}: strangers {leaks[0]:.2f}, family {leaks[1]:.2f} nats")

# %% [markdown]
# Let $\varepsilon = 0.1$. To the weak attacker, $\operatorname{Lap}(1/\varepsilon)$ leaks $\varepsilon$ about a stranger and $10\,\varepsilon$ about a member of the family. Noise that is ten times as wide, $\operatorname{Lap}(10/\varepsilon)$, protects the family. This is the paper's example in section 1.1. (The paper prints $\operatorname{Lap}(1/10\varepsilon)$, which is narrower than $\operatorname{Lap}(1/\varepsilon)$, not wider. Its other misprints are in the [evidence notebook](../evidence/correlated/01-why-dp-is-not-enough.ipynb).)
#
# The members of the family need not be exact copies of one another. If ten people are only *nearly* always in the same state, the count is still 0 or 10 nearly always, and its mean still changes by nearly ten with the state of person 1.
#
# ```{evidence} Y-As1 Y-As2 Y-As3 Y-1.b Y-1.c Y-1.d Y-1.uncorrelated Y-B12
# ```
#
# ## Two people are enough
#
# Two tuples and their sum already show most of what follows. The paper's Table 3 has three joint distributions (同時分布), here in percent:

# %%
table_3 = {  # rows: x1 = 0, x1 = 1; columns: x2 = 0, x2 = 1
    "(a) independent": [[10, 30], [15, 45]],
    "(b) positive correlation": [[49, 1], [1, 49]],
    "(c) negative correlation": [[1, 49], [49, 1]],
}


def weak(joint):
    """Distribution of the sum given x1, for an attacker who knows no other entry."""
    given = np.array(joint) / np.sum(joint, axis=1, keepdims=True)  # Pr(x2 | x1)
    return np.array([[*given[0], 0], [0, *given[1]]])


strong = [np.eye(3)[[0, 1]], np.eye(3)[[1, 2]]]  # knows that x2 = 0, or that x2 = 1
print(weak(table_3["(b) positive correlation"]))

# %% [markdown]
# Under (b), given $x_1 = 0$, the sum is 0 with probability 0.98 and 1 with probability 0.02. The weak attacker therefore averages the Laplace densities around 0 and 1 with these weights. The strong attacker, however, compares two Laplace densities one unit apart, whatever the joint distribution:

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Our rebuild of the paper's Figure 1, with \u03b5 = 1. (a) and (b): the strong attacker. (c) to (e): the weak attacker for the three distributions of Table 3. Positive correlation (d) moves the two densities apart; under negative correlation (e) they nearly coincide.", "name": "fig-densities"}, "image": {"alt": "Five panels of two Laplace-like densities each. Strong attacker: peaks at 0 and 1, then at 1 and 2. Weak, independent: two blended shapes close together. Weak, positive: peaks at 0 and 2. Weak, negative: both curves on top of each other with a peak at 1."}} tags=["figure"]
names = ["(a) strong, $x_2 = 0$", "(b) strong, $x_2 = 1$", "(c) weak, independent",
         "(d) weak, positive", "(e) weak, negative"]  # fmt: skip
outputs = np.linspace(-3, 5, 801)
fig, grid_of = plots.panels(2, 3, width=8.4, height=4.2, sharex=True, sharey=True)
axes = grid_of.ravel()[[0, 1, 3, 4, 5]]
grid_of[0, 2].axis("off")
for ax, name, given in zip(axes, names, [*strong, *map(weak, table_3.values())]):
    for x1, density in enumerate(noisy(given, outputs, 1)):
        ax.plot(outputs, density, "-" if x1 == 0 else "--", label=f"$x_1 = {x1}$")
    ax.set_title(name)
for ax in axes[2:]:
    ax.set_xlabel("output r")
for ax in (axes[0], axes[2]):
    ax.set_ylabel("density")
axes[0].legend(fontsize=8.5)
plt.show()

# %% [markdown]
# Our copy of the paper has no pictures, so we rebuilt its Figure 1 from the text. (Where the text describes the weak attacker of independent data, it names panels (a) and (b). It must mean (c).)
#
# Why does positive correlation expose $x_1$? The paper argues as follows. If $x_1 = 0$, then very probably $x_2 = 0$ as well, and the sum is 0. If $x_1 = 1$, the sum is very probably 2. So changing $x_1$ changes the sum by almost 2.
#
# By {prf:ref}`thm-01-values`, the exact leakage is the largest log ratio at $r = 0$, 1 and 2. Under (b) and (c) it is enough to look at $r = 0$: by symmetry, the two densities are equal at $r = 1$, and the ratio at $r = 2$ is the inverse of that at $r = 0$. Write $q = e^{-\varepsilon}$. At $r = 0$, the Laplace densities around 0, 1 and 2 are in the proportion $1 : q : q^2$:

# %%
q = sp.Symbol("q", positive=True)  # exp(-eps)


def ratio_at_zero(p):
    """Density at r = 0 given x1 = 0, divided by that given x1 = 1; p = Pr(x2 = x1)."""
    return (p + (1 - p) * q) / ((1 - p) * q + p * q**2)


positive, negative = ratio_at_zero(sp.Rational(98, 100)), ratio_at_zero(sp.Rational(2, 100))
assert sp.simplify(positive * q - (49 + q) / (1 + 49 * q)) == 0
assert sp.simplify(positive * negative - 1 / q**2) == 0

# %% [markdown]
# These are the closed forms that the paper prints: $\log\frac{0.98 + 0.02q}{0.02q + 0.98q^2}$ under (b), and the same with 0.02 and 0.98 exchanged under (c). The two assertions show more:
#
# - Under (b), the leakage is $\varepsilon + \log\frac{49 + q}{1 + 49q}$. Because $(49 + q) - (1 + 49q) = 48(1 - q) > 0$, it exceeds $\varepsilon$, *for every* $\varepsilon$.
# - The leakages under (b) and (c) add up to $\log(1/q^2) = 2\varepsilon$. So the leakage under (c) is smaller than $\varepsilon$, by the same amount.
#
# At $\varepsilon = 0.1$:

# %%
ours = [leakage([weak(joint)], 0.1) for joint in table_3.values()]
table(
    {
        "distribution": list(table_3),
        "weak attacker, ours": ours,
        "weak attacker, printed": ["–", "0.196", "0.004"],
        "strong attacker, ours": [leakage(strong, 0.1)] * 3,
        "strong attacker, printed": ["–", "ε", "ε"],
    },
    formats={"weak attacker, ours": ".6f", "strong attacker, ours": ".1f"},
    caption="Leakage of Lap(1/ε) about the first tuple, in nats, at ε = 0.1.",
)

# %% [markdown]
# The printed numbers are right. Differential privacy with $\varepsilon = 0.1$ understates what the weak attacker learns under (b) by almost a factor of two. Under (c) it overstates what the weak attacker learns, and the paper speaks of an extremely high level of privacy. But the strong attacker still learns $\varepsilon$, so the noise cannot be reduced. Neither attacker always learns more than the other.
#
# How much noise would keep every attacker's leakage under (b) at 0.1? Our package does the computation for any finite distribution:

# %%
pair = FiniteDistribution(np.array(table_3["(b) positive correlation"]) / 100)
assert np.isclose(pair.leakage(0, scale=10), ours[1])


def round_up(scale):
    """Two decimals, rounded up: rounding down would promise too much privacy."""
    return np.ceil(100 * scale) / 100


scale = round_up(pair.noise_scale(0.1))
print(f"scale {scale:.2f} instead of 10")


# %% [markdown]
# (The paper writes this noise as $\operatorname{Lap}(1/\varepsilon')$ with $\varepsilon' \ge \varepsilon$. It must be $\varepsilon' \le \varepsilon$: a smaller $\varepsilon'$ means more noise.)
#
# ```{evidence} Y-T3 Y-3.c Y-3.d Y-3.e Y-3.f Y-3.g Y-3.level Y-F1 Y-4.a Y-4.b Y-4.c Y-4.e
# ```
#
# ## Who learns more depends on the sign of the correlation
#
# Tables 3(b) and (c) describe two fair coins with correlation $\rho = 0.96$ and $-0.96$. Now let $\rho$ vary. The coins agree with probability $(1 + \rho)/2$.

# %%
def coins(rho):
    return [[1 + rho, 1 - rho], [1 - rho, 1 + rho]]


for rho in (-0.96, -0.5, 0, 0.5, 0.96):
    print(f"rho {rho:5.2f}: weak attacker {leakage([weak(coins(rho))], 1):.3f} nats")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left, \u03b5 = 1: under Table 3(b), the two densities that the weak attacker must tell apart (blue) are almost twice as far apart as those of the strong attacker (grey). Right: leakage to the weak attacker against the correlation \u03c1 of two fair coins, in units of \u03b5. The strong attacker always learns \u03b5 (grey). The weak attacker learns more if \u03c1 is positive, and less if it is negative.", "name": "fig-correlation"}, "image": {"alt": "Left, densities with peaks at 0 and 2 for the weak attacker and thin curves with peaks at 0 and 1 for the strong one. Right, leakage over epsilon against correlation from minus 1 to 1: rising from 0 through 1 at zero correlation to 2, for three values of epsilon, with a horizontal line at 1 for the strong attacker."}} tags=["cover", "figure"]
blue, orange, grey = (plots.COLOURS[name] for name in ("blue", "orange", "grey"))
fig, (left, right_panel) = plots.panels(1, 2, width=8.4, height=3.7)
weak_densities = noisy(weak(table_3["(b) positive correlation"]), outputs, 1)
strong_densities = noisy(strong[0], outputs, 1)
for x1, style in ((0, "-"), (1, "--")):
    left.plot(outputs, weak_densities[x1], style, color=blue, label=f"weak, $x_1 = {x1}$")
    left.plot(outputs, strong_densities[x1], style, color=grey, lw=1,
              label=f"strong, $x_1 = {x1}$")  # fmt: skip
left.set(xlabel="output r", ylabel="density", title="what must be told apart")
left.legend(fontsize=8.5, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.2))
correlation = np.linspace(-1, 1, 81)
for eps in (0.1, 1.0, 5.0):
    curve = [leakage([weak(coins(rho))], eps) / eps for rho in correlation]
    right_panel.plot(correlation, curve, label=f"weak, ε = {eps:g}")
right_panel.axhline(1, color=grey, lw=1.2, ls="-", label="strong")
right_panel.set(
    xlabel="correlation ρ of the two tuples",
    ylabel="leakage / ε",
    title="what is leaked",
)
right_panel.legend(fontsize=8.5)
plt.show()

# %% [markdown]
# The paper's Table 1 summarises this picture. Differential privacy is adequate (妥当) if the data are independent or the attacker is strong. It is not adequate for correlated data and an arbitrary attacker. (Section 1 calls differential privacy a strong standard *whatever* the attacker's background knowledge; Table 1 states the limits.) Try the sliders: at $\rho = 0.96$, raise $\varepsilon$. The weak attacker learns more than the strong one, but by how many nats at most? (See the closed form under (b).)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Two coins with correlation 0.5 and noise with \u03b5 = 1. Left, the log ratio that each attacker sees, as a multiple of \u03b5, against the output. Right, the leakage. The weak attacker reaches more than the strong one.", "name": "fig-two-tuples"}, "image": {"alt": "Left, two rising curves of the log ratio, the weak attacker's reaching further than the strong attacker's, which stays between minus 1 and 1. Right, two bars, the weak attacker's higher than 1 and the strong attacker's at 1."}} tags=["figure"]
points = np.arange(-1, 3.01, 0.125)


def log_ratio(given, eps):
    zero, one = noisy(given, points, eps)
    return np.log(zero / one) / eps


fig, (left, right_panel) = plots.panels(1, 2, width=8.4, height=3)
left.plot(points, log_ratio(weak(coins(0.5)), 1.0), label="weak")
left.plot(points, log_ratio(strong[0], 1.0), "--", label="strong, $x_2 = 0$")
left.set(xlabel="output r", ylabel="log ratio / ε")
left.legend(fontsize=8.5)
heights = [leakage([weak(coins(0.5))], 1.0), leakage(strong, 1.0)]
right_panel.bar(["weak", "strong"], heights, color=[blue, orange])
right_panel.axhline(1, color=grey, lw=1.2)
right_panel.set(ylabel="leakage / ε")
plt.show()

# %% jupyter={"source_hidden": true} tags=["figure"]
correlations = [-0.99, -0.96, *np.round(np.arange(-9, 10) / 10, 1), 0.96, 0.99]
levels = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]


def frame(rho, eps):
    weak_leakage = leakage([weak(coins(rho))], eps) / eps
    strong_leakage = leakage(strong, eps) / eps
    return [
        {"trace": 0, "y": log_ratio(weak(coins(rho)), eps)},
        {"trace": 1, "y": log_ratio(strong[0], eps)},
        {"trace": 2, "y": [weak_leakage, strong_leakage]},
        {"note": f"Leakage: weak {weak_leakage:.2f} ε, strong {strong_leakage:.2f} ε."},
    ]


live = make_subplots(1, 2, horizontal_spacing=0.13)
live.add_scatter(x=points, name="weak", line={"color": blue, "width": 3})
live.add_scatter(x=points, name="strong, x₂ = 0",
                 line={"color": orange, "width": 3, "dash": "dash"})  # fmt: skip
live.add_bar(x=["weak", "strong"], marker={"color": [blue, orange]},
             showlegend=False, row=1, col=2)  # fmt: skip
live.add_hline(y=1, line={"color": grey}, row=1, col=2)
live.update_layout(
    xaxis={"title": "output r"},
    yaxis={"title": "log ratio / ε", "range": [-2.1, 2.1]},
    yaxis2={"title": "leakage / ε", "range": [0, 2.1]},
)
interactive.show(
    "two-tuples",
    live,
    [
        Slider("correlation ρ", correlations, start=correlations.index(0.5)),
        Slider("ε of the noise", levels, format="g", start=levels.index(1.0)),
    ],
    frame,
    alt="Left, the log ratio that a weak and a strong attacker of the first of two "
    "coins see, against the output. Right, the leakage to both attackers.",
)


# %% [markdown]
# ```{evidence} Y-T1 Y-1.background
# ```
#
# ## Why can an attacker who knows less learn more?
#
# Section 4.4 of the paper answers with Bayes' rule.
#
# ```{prf:theorem} Leakage is a change of log odds (section 4.4; オッズ比)
# :label: thm-01-odds
# If both values of the target are possible, the leakage to $\mathcal{A}(i, \mathcal{K})$ is the supremum, over outputs and values, of
#
# $$ \log \frac{\Pr(x_i \mid r, x_{\mathcal{K}})}{\Pr(x_i' \mid r, x_{\mathcal{K}})} - \log \frac{\Pr(x_i \mid x_{\mathcal{K}})}{\Pr(x_i' \mid x_{\mathcal{K}})}. $$
# ```
#
# ```{prf:proof}
# By Bayes' rule, the odds after the output $r$ are the odds before, multiplied by $p(r \mid x_i, x_{\mathcal{K}})/p(r \mid x_i', x_{\mathcal{K}})$. The logarithm of this factor is the difference above, and its supremum is the leakage.
# ```
#
# Take the paper's example: Table 3(b), $\varepsilon = 0.1$, and the output 2.

# %%
def posterior(prior, given, r, eps):
    """Probabilities of x1 = 0 and x1 = 1 after the output r."""
    product = prior * noisy(given, r, eps).ravel()
    return product / product.sum()


attackers = {  # probabilities of x1 = 0 and x1 = 1 before the output, and the table
    "strong, x2 = 1": (np.array([0.02, 0.98]), strong[1]),
    "weak": (np.array([0.5, 0.5]), weak(table_3["(b) positive correlation"])),
}
for name, (prior, given) in attackers.items():
    after = posterior(prior, given, 2, eps=0.1)
    moved = np.log(after[1] / after[0]) - np.log(prior[1] / prior[0])
    print(f"{name}: {prior[1]:.2f} becomes {after[1]:.4f}, log odds move by {moved:.4f}")


# %% [markdown]
# The paper prints 0.982 and 0.55, which agree with our results. The strong attacker is almost certain before the release and hardly more certain after it. The weak attacker begins at one half, but the log odds move almost twice as far. So an attacker who knows more guesses better in the end, but
# does not always *learn* more from the output. The paper adds that differential privacy limits the same change of log odds, for attackers who know $x_{-i}$.
#
# ```{evidence} Y-1.strongest Y-4.h Y-4.i Y-4.j
# ```
#
# ## Ten friends: the worst attacker can be in the middle
#
# The paper asks how much noise ten *friends* need, who are neither strangers nor a family. Let $c$ control the strength of the correlation. With probability $c$, all ten share one fair coin, whose result they copy; otherwise each of them tosses a coin of their own. The friends are interchangeable, so for an attacker it matters only how many of the known ones are ill:

# %%
def friends(c, known):
    """One table for each number of ill people among the known friends."""
    tables = []
    for ill in range(known + 1):
        joint = np.zeros((2, 11))  # x1, and the count
        for x1 in (0, 1):
            for rest in range(10 - known):  # how many of the others are ill
                joint[x1, x1 + ill + rest] = (1 - c) / 2**10 * comb(9 - known, rest)
            if ill == known * x1:
                joint[x1, 10 * x1] += c / 2  # all copy one coin
        if np.all(joint.sum(axis=1) > 0):
            tables.append(joint / joint.sum(axis=1, keepdims=True))
    return tables


# %%
def noise_needed(c, eps):
    """Smallest scale at which no attacker's leakage exceeds eps."""
    attackers = [friends(c, known) for known in range(10)]

    def excess(scale):
        return max(leakage(tables, 1 / scale) for tables in attackers) - eps

    return brentq(excess, 0.99 / eps, 10.01 / eps, xtol=1e-12)


for known in (0, 3, 6, 9):
    print(f"c = 0.1, knows {known}: leakage {leakage(friends(0.1, known), 1):.2f} nats")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left, the attack: what Lap(1/\u03b5) leaks at \u03b5 = 1 to attackers who know 0 to 9 of the others. If the correlation is weak, the worst attacker is in the middle. Where a curve bends upwards again (c = 0.5 at 4, c = 0.1 at 6), the most revealing output jumps from one end of the possible counts to the other. Right, the defence: the noise that keeps every leakage at \u03b5, in units of 1/\u03b5. With \u03b5 = 0.1 and c above 0.3 it is close to 1 + 9c (dotted).", "name": "fig-ten-people"}, "image": {"alt": "Left, leakage in units of epsilon against the number of people known, for c = 0.02, 0.1 and 0.5: humps with their maximum at 5 and at 3 for the two smaller values, a curve that begins at 4.4 for the third; all end at 1. Right, three rising curves of noise scale times epsilon against c from 0 to 1, all from 1 to 10. The curves for epsilon 0.1 and 1 rise to 2 within the first few hundredths, bend, and from c about 0.3 follow a straight dotted line; the one for epsilon 5 lies lower in the middle and rises steeply at the end."}} tags=["figure"]
start = np.array([0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15])
strengths = np.concatenate([start, np.arange(0.2, 0.81, 0.1), 1 - start[::2][::-1]])
fig, (left, right_panel) = plots.panels(1, 2, width=8.6, height=3.4)
for c, marker in zip((0.02, 0.1, 0.5), "os^"):
    leaks = [leakage(friends(c, known), 1) for known in range(10)]
    left.plot(range(10), leaks, marker=marker, label=f"c = {c:g}")
left.axhline(1, color=grey, lw=1.2, ls="-")
left.set(xlabel="how many of the others are known", ylabel="leakage / ε", title="ε = 1")
left.set(xticks=range(10), ylim=(0, 4.7))
left.legend()
for eps in (0.1, 1.0, 5.0):
    needed = [noise_needed(c, eps) * eps for c in strengths]
    right_panel.plot(strengths, needed, label=f"ε = {eps:g}")
right_panel.plot(strengths, 1 + 9 * strengths, ":", color="#555555", label="1 + 9c")
right_panel.set(xlabel="strength c of the correlation", ylabel="noise needed, in 1/ε")
right_panel.legend()
plt.show()

# %% [markdown]
# Why the middle? Take a weak correlation, $c = 0.01$:

# %%
worst = {}
for eps in (0.1, 1, 5):
    leaks = [leakage(friends(0.01, known), eps) for known in range(10)]
    worst[eps] = int(np.argmax(leaks))
    needed = round_up(noise_needed(0.01, eps) * eps)
    print(f"ε = {eps}: the worst attacker knows {worst[eps]}; noise needed {needed:.2f} / ε")
shared = 0.01 / (0.01 + 0.99 / 2 ** (worst[1] - 1))  # Bayes' rule, if the known are alike
print(f"after {worst[1]} friends alike, the coin is shared with probability {shared:.0%}")

# %% [markdown]
# With $\operatorname{Lap}(1/\varepsilon)$, the worst attacker knows 5<!-- {worst[1]} --> others at $\varepsilon = 1$, 6<!-- {worst[0.1]} --> at $\varepsilon = 0.1$, and 0<!-- {worst[5]} --> at $\varepsilon = 5$. If 5<!-- {worst[1]} --> known friends are all alike, the probability that the coin is shared rises from 1% to 14%<!-- {shared:.0%} -->. If person 1 is like them as well, the unknown friends may well be like them too. If person 1 is not, the coin is not shared. So the state of person 1 changes the expected count by more than one.
#
# An attacker who knows no other entry cannot see whether the coin is shared. An attacker who knows everybody else has nothing left to learn about them. What matters is how informative the known values are about the unknown ones.
#
# The noise needed is *not* the leakage times $1/\varepsilon$.

# %%
leaked = max(leakage(friends(0.5, known), 5) for known in range(10)) / 5
needed = round_up(noise_needed(0.5, 5) * 5)
print(f"c = 0.5, ε = 5: Lap(1/ε) leaks {leaked:.2f} ε; noise needed {needed:.2f} / ε")

# %% [markdown]
# $\operatorname{Lap}(1/\varepsilon)$ leaks only 2.24<!-- {leaked:.2f} --> $\varepsilon$, but the friends need noise that is 4.27<!-- {needed:.2f} --> times as wide. One has to solve for the scale, as `noise_needed` does.
#
# ```{evidence} Y-1.e
# ```
#
# (corr-readings)=
#
# ## Two ways to read a condition of probability zero
#
# In the family, an attacker who knows one other person knows all ten. The other value of $x_1$ then has probability zero, and Definition 4.1 does not say what its conditional probabilities mean. There are two readings:
#
# - **Conditioning:** pairs $(x_i, x_{\mathcal{K}})$ of probability zero are left out.
# - **Kernel:** if no tuple is unknown, $\Pr(r \in S \mid x)$ is the mechanism's own distribution. It exists for every database $x$, even for one of probability zero.

# %%
trio = np.zeros((2, 2, 2))  # three people who always share one state
trio[0, 0, 0] = trio[1, 1, 1] = 0.5
for name, reading in (("conditioning", "positive"), ("kernel", "kernel")):
    people = FiniteDistribution(trio, conditions=reading)
    leaks = [people.leakage(0, known, scale=10) for known in ((), (1,), (1, 2))]
    print(f"{name}: knows no other {leaks[0]:g}, one {leaks[1]:g}, both {leaks[2]:g}")

# %% [markdown]
# We use *conditioning* (`conditions="positive"` in the code, which is the default): if one value of the target is impossible, there is nothing left to learn. Where every database has positive probability, as in Table 3, both readings agree. [Notebook 2](02-bayesian-differential-privacy.ipynb) shows where a theorem depends on the reading.
#
# ## What do other definitions promise?
#
# An output has *perfect privacy* if the probability of $x_i$ given the output is what it was before {cite:p}`miklau2004formal`. The paper says that such outputs are in general useless.
# Indeed, only constant functions of independent bits have perfect privacy under *all* their distributions. Suppose that flipping bit $i$ changes the output for some values of the other bits. Give those values a probability near 1. Then the output reveals bit $i$.
#
# ```{evidence} Y-2.a Y-2.b Y-2.crowd Y-2.perfect
# ```
#
# ## Exercises
#
# ```{exercise-start} Three people who share one state
# :label: ex-01-three
# ```
# **Warm-up.** Three people always share one state. How many attackers are there, and what does
# $\operatorname{Lap}(1/\varepsilon)$ leak to an attacker who knows no other entry? (Leave out conditions of probability zero.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("01-three", ...)

# %% [markdown]
# ```{solution-start} ex-01-three
# :class: dropdown
# ```
# There are three targets, and four sets of others for each of them: 12 attackers. An attacker who knows one person knows everybody and has nothing to learn. For the three weak attackers the sum is 0 or 3, so they learn $3\varepsilon$.

# %%
leaks = FiniteDistribution(trio).all_leakages(scale=10)
assert len(leaks) == 12
for (_, known), leak in leaks.items():
    assert np.isclose(leak, 0 if known else 3 * 0.1)


def weak_leakage(eps):
    return FiniteDistribution(trio).leakage(0, scale=1 / eps)


check("01-three", (len(leaks), weak_leakage))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two correlated coins
# :label: ex-01-rho
# ```
# **Standard.** For two fair coins with correlation $\rho > 0$, find the leakage to the weak attacker in closed
# form, and show that it exceeds $\varepsilon$.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("01-rho", ...)

# %% [markdown]
# ```{solution-start} ex-01-rho
# :class: dropdown
# ```
# The coins agree with probability $p = (1 + \rho)/2$. With $q = e^{-\varepsilon}$, the ratio at $r = 0$ is
# $\frac{p + (1-p)q}{(1-p)q + pq^2} = \frac1q\cdot\frac{p + (1-p)q}{(1-p) + pq}$. The last fraction exceeds 1, because
# $p + (1-p)q - (1-p) - pq = (2p - 1)(1 - q) = \rho\,(1 - q) > 0$.

# %%
p, rho, eps = sp.symbols("p rho eps", positive=True)
numerator, denominator = p + (1 - p) * q, (1 - p) + p * q
assert sp.simplify(ratio_at_zero(p) - numerator / denominator / q) == 0
excess = (numerator - denominator).subs(p, (1 + rho) / 2)
assert sp.expand(excess - rho * (1 - q)) == 0
closed = sp.log(ratio_at_zero((1 + rho) / 2)).subs(q, sp.exp(-eps))
assert np.isclose(leakage([weak(coins(0.7))], 1), float(closed.subs({rho: 0.7, eps: 1})))
check("01-rho", closed)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Seen by simulation
# :label: ex-01-simulation
# ```
# **Standard.** Draw two million databases from Table 3(b), publish each sum with $\operatorname{Lap}(1)$, and estimate the leakage to the weak attacker from the outputs that are at least 2.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-01-simulation
# :class: dropdown
# ```
# At outputs of at least 2 the ratio of the two densities is constant. So it equals the ratio of the numbers of such outputs with $x_1 = 1$ and with $x_1 = 0$ (both values are equally probable).

# %%
rng = np.random.default_rng(20150531)
x1, x2 = np.divmod(rng.choice(4, size=2_000_000, p=[0.49, 0.01, 0.01, 0.49]), 2)
published = x1 + x2 + rng.laplace(size=x1.size)
n0, n1 = (np.sum((published >= 2) & (x1 == value)) for value in (0, 1))
estimate, error = np.log(n1 / n0), np.sqrt(1 / n0 + 1 / n1)
exact = leakage([weak(table_3["(b) positive correlation"])], 1)
assert abs(estimate - exact) < 4 * error and error < 0.02
print(f"{estimate:.3f}, standard error {error:.3f}; exact {exact:.3f}")

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The worst attacker of ten friends
# :label: ex-01-dial
# ```
# **Research.** Let $\varepsilon$ be very small. What is leakage$/\varepsilon$ for the ten friends of {numref}`fig-ten-people`, for an attacker who knows no other entry, and for one who knows $k \ge 1$ others who are all alike?
# Explain from it why the worst attacker is in the middle when $c$ is small.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("01-dial", ...)


# %% [markdown]
# ```{solution-start} ex-01-dial
# :class: dropdown
# ```
# To first order, the log ratio at the smallest or largest count is $\varepsilon$ times the difference between the means of the count given $x_1 = 1$ and given $x_1 = 0$. Given $x_1$, each other person is ill with probability $1/2 \pm c/2$, so an attacker who knows no other entry learns $(1 + 9c)\,\varepsilon$.
#
# An attacker who knows $k$ others learns most if they are all alike. If $x_1$ is like them, the coin is shared with probability $s = c/(c + (1 - c)2^{-k})$, and then the other $9 - k$ friends are like them as well.
# If $x_1$ is not, the coin is not shared. The means differ by $1 + (9 - k)\,s/2$. For $c = 0.05$ this is largest at $k = 5$: the term $2^{-k}$ must be small compared with $c$, while $9 - k$ must still be large.

# %%
def by_means(c, k):
    """Leakage divided by eps, for very small eps."""
    if k == 0:
        return 1 + 9 * c
    shared = c / (c + (1 - c) / 2**k)
    return 1 + (9 - k) * shared / 2


means = [by_means(0.05, k) for k in range(10)]
computed = [leakage(friends(0.05, k), 1e-4) / 1e-4 for k in range(10)]
assert np.allclose(computed, means, rtol=2e-3) and np.argmax(means) == 5
check("01-dial", (lambda c, k: by_means(c, 0), by_means))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *Why can the same noise protect a stranger and expose a member of a family?* The noise hides a change of one entry. If the others change together with it, the published number moves much further.
# 2. *Does an attacker who knows more learn more?* Not always. If two tuples are positively correlated, the weak attacker learns more than the strong one; if they are negatively correlated, less. Among ten friends the worst attacker can be in between.
# 3. *How does one compute a leakage?* For finite data and Laplace noise, it is the largest log ratio of two densities at the values of the query.
#
# **Further reading.** {cite:t}`kifer2011free` on why no definition protects against everything; {cite:t}`li2019impact` on prior knowledge and the sign of the correlation. **Next:**
# [a definition that covers every attacker](02-bayesian-differential-privacy.ipynb).
