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
# # How private and how accurate is Laplace noise?
#
# Noise protects a record by making the answer worse. How much worse? For Laplace noise the trade can be
# written down exactly: choose any two of *level of privacy*, *size of the error* and *how often the error
# is larger*, and the third follows. The formula is so simple that it fits on a sticker. It holds for one
# number; for a list of numbers another one takes its place.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why the Laplace distribution fits differential privacy, how to turn a tolerated error
# into an $\varepsilon$ and back, what changes when the answer has several coordinates, and how a program can
# warn of a useless setting.
# **You need** the definitions of [notebook 1](01-attackers.ipynb) and integrals of exponentials.
# **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two databases of the same size that differ in the value of one record. **The attacker**
# knows the query, the scale of the noise and possibly all other records, and sees one answer.
# **Protected:** which of two values the one record has, up to a factor $e^{\varepsilon}$. **Not
# protected:** the size of the database; anything if the stated sensitivity is too small; the low bits of
# the floating-point number ([notebook 4](04-when-the-noise-leaks.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import warnings
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp

from privlib.laplace.accuracy import epsilon_for, error_probability, tolerance_for
from privlib.laplace.mechanism import ToleranceWarning, laplace
from privlib.notebook import (
    claim,
    derivation,
    increasing,
    interactive,
    misprints,
    plots,
    table,
)

plots.use()

# %% [markdown]
# ## What does the noise look like?
#
# The note gives the Laplace distribution (ラプラス分布) by its density, mean left out:
# $\operatorname{Lap}(x; R) = \frac{1}{2R} e^{-\lvert x \rvert / R}$. Small noise is the most likely, and each step of length $R$ outwards
# makes the density smaller by the same factor $e$. By symmetry the chance that $\lvert r \rvert$ exceeds $a$ is twice the integral of the density
# beyond $a$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
R, x, a = sp.symbols("R x a", positive=True)
half_density = sp.exp(-x / R) / (2 * R)  # for x > 0
larger = 2 * sp.Integral(half_density, (x, a, sp.oo))
tail = derivation(larger, of=r"\Pr(\lvert r \rvert > a)")
tail.equal(sp.exp(-a / R), "integrate")
tail

# %% jupyter={"source_hidden": true} tags=["evidence"]
rng = np.random.default_rng(2016)
noise = np.abs(rng.laplace(scale=3.0, size=400_000))
with claim("N-6") as c:
    mass = 2 * sp.integrate(half_density, (x, 0, sp.oo))
    c.decisive("proved").exact(mass, sp.Integer(1), "the density integrates to one")
    c.derived(tail, larger, sp.exp(-a / R), "its tail")
    far = np.array([1.0, 3.0, 9.0])
    expected = sp.lambdify((a, R), tail.last)(far, 3.0)
    stderr = np.sqrt(expected * (1 - expected) / noise.size)
    share = (noise[:, None] > far).mean(axis=0)
    c.sampled(share, expected, "drawn, R = 3: shares beyond 1, 3, 9", stderr=stderr)

# %% [markdown]
# Keep $e^{-a/R}$ in mind. Everything about accuracy comes from it. But first: why this law?
#
# ## Why does it protect?
#
# ```{prf:algorithm} Laplace mechanism (chapter 8; ラプラスメカニズム)
# :label: alg-lap-02-mechanism
# **Input:** database $D$, privacy parameter $\varepsilon$, sensitivity $\Delta_{1,q}$ (敏感度) of the query.
# 1. $R = \Delta_{1,q} / \varepsilon$.
# 2. Draw $r \sim \operatorname{Lap}(R)$.
# 3. Answer $y = q(D) + r$.
# ```

# %%
late = laplace(epsilon=0.5, sensitivity=1)(np.sum)
answers = [late([1, 0, 1, 1], rng=rng) for _ in range(5)]
print("scale", late.scale, "  answers", np.round(answers, 1))

# %% [markdown]
# The true count is 3, the scale of the noise 2. An attacker compares the densities of a published $y$ under two
# neighbouring databases whose answers $f$ and $f'$ are $g$ apart, $0 < g \le \Delta_{1,q}$. In the log of their ratio,
# $(\lvert y - f' \rvert - \lvert y - f \rvert)/R$, only distances count. If $y$ lies outside the gap at distance $u$ from $f$, the distances are $u + g$ and $u$. Write
# $\Delta_{1,q} = g + h$ with $h \ge 0$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
g, u, epsilon, Delta = sp.symbols("g u epsilon Delta", positive=True)
h = sp.Symbol("h", nonnegative=True)
R_private = (g + h) / epsilon  # Δ/ε
letters = {epsilon: r"\varepsilon"}
apart = sp.Add(u + g, -u, evaluate=False) / R
outside = (
    derivation(apart.subs(R, R_private), of=r"\text{outside}", names=letters)
    .equal(epsilon * g / (g + h), "the distances differ by $g$")
    .at_most(epsilon, r"$h \ge 0$; equality if $h = 0$", by="coefficients")
)
outside

# %% [markdown]
# If $y$ lies inside the gap, it divides it into $\frac{u}{1+u} g$ and $\frac{1}{1+u} g$ for some $u > 0$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
near, far_off = g * u / (1 + u), g / (1 + u)
inside = (
    derivation((far_off - near) / R_private, of=r"\text{inside}", names=letters)
    .at_most((far_off + near) / R_private, "less than the sum", by="coefficients")
    .equal(epsilon * g / (g + h), "the two parts are the gap")
    .at_most(epsilon, r"$h \ge 0$", by="coefficients")
)
inside

# %% [markdown]
# So the log ratio never exceeds $\varepsilon$; the other way round the same holds with $f$ and $f'$ exchanged. For an answer with several coordinates, each with
# its own noise, the log ratios add up to at most $\lVert q(D) - q(D') \rVert_1 / R$: that is why the sensitivity is
# measured in the 1-norm.
#
# Is noise wasted? Outside the gap between two answers that are $\Delta_{1,q}$ apart the limit is attained; inside it is not. There is room there,
# and the *staircase mechanism* uses it. At the same $\varepsilon$ its mean error is smaller, by 4<!-- {in_text['stairs-1']:.0f} --> % for $\varepsilon = 1$ and by
# 59<!-- {in_text['stairs-5']:.0f} --> % for $\varepsilon = 5$; [notebook 5](05-which-noise-is-best.ipynb) derives it.

# %% jupyter={"source_hidden": true} tags=["evidence"]
levels = np.array([1.0, 5.0])
stairs = np.exp(levels / 2) / np.expm1(levels)  # mean error of the best noise, Δ = 1
in_text = {}
for level, saved in zip(levels, 100 * (1 - stairs * levels)):
    in_text[f"stairs-{level:.0f}"] = round(float(saved), 6)
with claim("N-7") as c:
    label = "one number, outside the gap: log ratio at most ε"
    c.decisive("proved").derived(outside, apart.subs(R, R_private), epsilon, label)
    first = (far_off - near) / R_private
    label = "one number, inside the gap: log ratio at most ε"
    c.decisive("proved").derived(inside, first, epsilon, label)
    attained = outside.first.doit().subs(h, 0)
    c.exact(attained, epsilon, "g = Δ: attained outside")
    room = sp.factor(epsilon - inside.first.subs(h, 0))
    c.holds(bool(room.is_positive), "and not inside", method="symbolic")

    n = 400_000
    counter = laplace(epsilon=1.0, sensitivity=1.0, dimension=n)(np.asarray)
    k0, k1 = (np.sum(counter(np.full(n, v), rng=rng) > 1) for v in (0.0, 1.0))
    stderr = np.sqrt(1 / k0 - 1 / n + 1 / k1 - 1 / n)
    label = "drawn, ε = 1: log ratio of answers above both counts"
    c.sampled(np.log(k1 / k0), 1.0, label, stderr=stderr)
    y = rng.normal(size=(1000, 2)) * 4  # a list of two numbers: 0, 0 or 0.4, −0.6
    gap = np.array([0.4, -0.6])
    ratio = (np.abs(y - gap).sum(axis=1) - np.abs(y).sum(axis=1)) / counter.scale
    c.close(np.abs(ratio).max(), 1.0, "lists 1 apart: largest log ratio", rtol=1e-9)

# %% [markdown]
# ## How accurate is one number?
#
# ```{prf:theorem} Accuracy (chapter 8; 正確性)
# :label: thm-lap-02-accuracy
# Let $q(D)$ be a number, $y$ the answer of the Laplace mechanism and $\delta \in (0, 1]$. Then
#
# $$ \Pr\Bigl( \lvert y - q(D) \rvert > \frac{\Delta_{1,q}}{\varepsilon} \ln\frac1\delta \Bigr) \le \delta. $$
# ```
#
# The note prints a 1-norm, $\lVert y - q(D) \rVert_1$. Its algorithm draws one $r$, so $q(D)$ is one number and the norm an absolute value; lists come later on
# this page. Put the tolerance into the tail:

# %% jupyter={"source_hidden": true} tags=["evidence"]
delta = sp.Symbol("delta", positive=True)
scale = Delta / epsilon
beyond = larger.subs({R: scale, a: scale * sp.log(1 / delta)})
in_between = sp.exp(-sp.log(1 / delta), evaluate=False)
often = r"\Pr\bigl(\lvert r \rvert > R \ln\tfrac1\delta\bigr)"
accuracy = (
    derivation(beyond, of=often, names=letters)
    .equal(in_between, r"the tail, with $a/R = \ln\frac1\delta$")
    .equal(delta, "exponential of a logarithm")
)
accuracy

# %% [markdown]
# In a million draws, with $\varepsilon = 0.5$ and $\Delta_{1,q} = 2$:

# %%
chances = np.array([0.9, 0.5, 0.1, 0.01])
limits = tolerance_for(chances, epsilon=0.5, sensitivity=2.0)
errors = np.abs(rng.laplace(scale=2.0 / 0.5, size=1_000_000))
share_beyond = (errors[:, None] > limits).mean(axis=0)
print("δ", *chances, "  shares beyond", *share_beyond.round(3))

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("N-8") as c:
    label = "one number: the probability is δ"
    c.decisive("proved").derived(accuracy, beyond, delta, label)
    stderr = np.sqrt(chances * (1 - chances) / errors.size)
    c.sampled(share_beyond, chances, "drawn, δ = 0.9, 0.5, 0.1, 0.01", stderr=stderr)
    # one error is x, and the other makes up the rest
    second = sp.exp(-x) * sp.exp(-(1 - x))
    alone = tail.last.subs(a, R)  # δ = 1/e
    either_beyond = alone + sp.integrate(second, (x, 0, 1))
    package = error_probability(1, epsilon=1, sensitivity=1, dimension=2)
    assert np.isclose(float(either_beyond), package)
    label = "a list of two numbers, sum of the errors, δ = 1/e: probability"
    c.limit(alone, either_beyond, label)

# %% [markdown]
# So $\delta$ is not only a bound, it is the probability. The note draws the graph of $\ln\frac1\delta$ and reads from it: the larger the error, the smaller its
# probability, and the two belong to each other one to one.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The only figure of the note, the graph of ln(1/\u03b4), drawn again (our copy of the note has no picture). The circle is the reading that the note takes from it, 0.38 at height 1; the cross is where the curve passes that height, at 1/e = 0.368.", "name": "fig-lap-02-graph"}, "image": {"alt": "A curve that falls from height 4 near \u03b4 = 0 to height 0 at \u03b4 = 1, steeply at first. A thin line at height 1; on it a cross on the curve at \u03b4 = 0.368 and a circle just right of it at 0.38."}} tags=["figure"]
fig, ax = plots.panels(height=3.0)
(graph,) = ax.plot(grid := np.linspace(0.018, 1, 983), np.log(1 / grid))
ax.axhline(1, color="#555555", lw=0.8, ls=":")
ax.plot(0.38, 1, "o", mfc="none", mec="black", ms=9)
ax.plot(np.exp(-1), 1, "x", color=plots.COLOURS["orange"], ms=9, mew=2)
ax.annotate("read off by the note", (0.39, 1.05), (0.5, 1.7), fontsize=9,
            arrowprops={"arrowstyle": "-", "color": "#555555"})  # fmt: skip
ax.set(xlabel="probability δ", ylabel="ln(1/δ), the error in units of R")
ax.set(xlim=(0, 1), ylim=(0, 4.1), xticks=np.arange(0, 1.01, 0.1))
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
t = sp.Symbol("t", nonnegative=True)
curve, inverse = sp.log(1 / delta), sp.exp(-t)  # tolerance in units of R, and δ
with claim("N-9") as c:
    slope = sp.diff(curve, delta)
    label = "the slope is negative: ln(1/δ) falls, everywhere"
    c.decisive("proved").holds(bool(slope.is_negative), label, method="symbolic")
    back = sp.simplify(curve.subs(delta, inverse))
    c.decisive("proved").exact(back, t, "every error t belongs to one δ, e^−t")
    ends = (curve.subs(delta, 1), sp.limit(curve, delta, 0, "+"))
    c.exact(ends, (0, sp.oo), "from no error at δ = 1 to any error")
with claim("N-25") as c:
    c.source_incomplete("the picture: our copy of the note has its address only")
    drawn_delta, drawn_height = graph.get_data()
    label = "the curve drawn here, turned round: δ = e^−t"
    c.close(np.exp(-drawn_height), drawn_delta, label, rtol=1e-12)

# %% [markdown]
# ## The note's example: a mean
#
# Publish the mean (平均値) of $n$ numbers. The note takes its sensitivity to be $1/n$. Is it? Let one value go from
# $z \ge 0$ to $1 - p$, $p \ge 0$, and let $\sigma$ be the sum of the others:

# %% jupyter={"source_hidden": true} tags=["evidence"]
n_sym = sp.Symbol("n", positive=True)
p, z = sp.symbols("p z", nonnegative=True)
rest = sp.Symbol("sigma", real=True)
change = (rest + (1 - p)) / n_sym - (rest + z) / n_sym
mean_moves = (
    derivation(change, of=r"q(D) - q(D')")
    .equal((1 - p - z) / n_sym, "the others cancel")
    .at_most(1 / n_sym, "attained from 0 to 1", by="coefficients")
)
mean_moves


# %% jupyter={"source_hidden": true} tags=["evidence"]
def mean_sensitivity(values, n):
    """Largest change of the mean of n values when one of them is replaced."""
    return max(
        abs(sum(D) - sum((*D[:i], v, *D[i + 1 :]))) / n
        for D in product(values, repeat=n)
        for i in range(n)
        for v in values
    )


unit = [Fraction(k, 4) for k in range(5)]
with claim("N-10") as c:
    c.decisive("proved").derived(mean_moves, change, 1 / n_sym, "values in [0, 1]")
    found = [mean_sensitivity(unit, n) for n in (1, 2, 3, 4)]
    label = "enumerated: n = 1 to 4, values 0, 1/4, ..., 1"
    c.exact(found, [Fraction(1, n) for n in (1, 2, 3, 4)], label)
    wide = mean_sensitivity([10 * v for v in unit], 3)
    c.limit(Fraction(1, 3), wide, "values in [0, 10], n = 3")

# %% [markdown]
# It is, for values in $[0, 1]$ with $n$ public; in $[0, b]$ it is $b/n$. For salaries without a limit it is
# infinite, and such a query must first cut off its values. The note takes $n = 1000$ and $\varepsilon = 0.001$:

# %%
mean = laplace(epsilon=0.001, sensitivity=1 / 1000)(np.mean)
further_off = mean.error_probability(1)

# %% jupyter={"source_hidden": true} tags=["set-up"]
read_off = np.array([0.38, 0.62])
value = float(further_off)
table(
    {
        "error of the mean": ["beyond 1", "within 1"],
        "ours": [value, 1 - value],
        "printed": read_off.tolist(),
    },
    caption="Probabilities in the note's example, exact and as read off the graph.",
    formats={"ours": ".4f", "printed": ".2f"},
    difference=("ours", "printed"),
)

# %% jupyter={"source_hidden": true} tags=["evidence"]
n, eps = 1000, Fraction(1, 1000)
exact_beyond = tail.last.subs({a: 1, R: sp.Rational(Fraction(1, n) / eps)})
with claim("N-12") as c:
    c.exact(Fraction(1, n) / eps, Fraction(1), "R = 1/(εn) = 1")
    read = larger.subs({R: sp.Rational(Fraction(1, n) / eps), a: sp.log(1 / delta)})
    label = "P(error > ln(1/δ)) is δ, for every δ"
    c.decisive("proved").exact(sp.simplify(read.doit()), delta, label)
    label = "the package: errors that belong to δ = 0.9, 0.5, 0.1, 0.01"
    c.close(mean.tolerance_for(chances), np.log(1 / chances), label, rtol=1e-12)
with claim("N-13") as c:
    label = "0.38 and 0.62, read off a graph: 1/e and the rest"
    both = np.array([exact_beyond, 1 - exact_beyond], dtype=float)
    c.decisive("one example").close(read_off, both, label, rtol=0, atol=0.02)
    label = "beyond 1: the probability 1/e is held to 0.38"
    c.decisive("one example").holds(bool(exact_beyond <= min(read_off)), label)
    label = "0.38 is at height 1 of the graph, up to half a tenth"
    c.close(np.log(1 / read_off[0]), 1.0, label, rtol=0, atol=0.05)
shown_beyond = round(value, 6)

# %% [markdown]
# The scale is $R = 1/(\varepsilon n) = 1$, so tolerance and probability are linked by $a = \ln\frac1\delta$, and an error beyond 1 has the probability
# $1/e =$ 0.3679<!-- {shown_beyond:.4f} -->. The two readings off the graph are right to within 0.02, and 0.38 is a valid bound. One
# sentence of the example is printed the wrong way round, with *within* for *beyond*; the sentences after it
# have it right.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The note's example, a mean of 1000 values in [0, 1] with \u03b5 = 0.001. Left: the noise; the mean itself lies somewhere in the narrow dark strip, whose width is 1. Right: the probability that the error exceeds a tolerance, for this \u03b5 and two larger ones. The circle is the value that the note reads off its graph.", "name": "fig-lap-02-example"}, "image": {"alt": "Left: a Laplace density with scale 1 on the range \u22124 to 5 and a dark strip from 0 to 1; noise outside \u22121 to 1 is shaded. Right: three falling curves on a logarithmic tolerance axis; the curve for epsilon 0.001 passes the circle at tolerance 1, probability 0.38, the others lie further left."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.3, width=8.5)
r = np.linspace(-4, 5, 901)
law = np.exp(-np.abs(r)) / 2
left.plot(r, law)
for side in (r <= -1, r >= 1):
    shade = {"color": plots.COLOURS["sky"], "alpha": 0.35, "lw": 0}
    left.fill_between(r[side], law[side], **shade)
arrow = {"arrowstyle": "-", "color": "#555555"}
left.axvspan(0, 1, ymax=0.05, color="#333333")
left.annotate("possible means", (0.9, 0.02), (1.9, 0.2), fontsize=9, arrowprops=arrow)
left.text(1.15, 0.3, "shaded: error beyond 1", fontsize=9)
left.set(xlabel="noise r (same unit as the mean)", ylabel="density", ylim=(0, 0.55))

size = np.geomspace(1e-5, 10, 300)
for level in (0.001, 0.01, 0.1):
    chance = error_probability(size, epsilon=level, sensitivity=1 / 1000)
    right.plot(size, chance, label=f"ε = {level:g}")
right.plot(1, 0.38, "o", mfc="none", mec="black", ms=9)
right.set(xscale="log", xlabel="tolerance a", ylabel="P(error > a)")
right.legend(loc="lower left")
plt.show()


# %% jupyter={"source_hidden": true} tags=["evidence"]
def check_within(c):
    chance = sp.Rational(1, 100)
    within = 1 - sp.exp(-sp.log(1 / chance))
    label = f"δ = {chance}: the error is within with probability {within}"
    c.fails(bool(within <= chance), label)
    label = "beyond the stated error: δ, and within: 1 − δ"
    known = sp.simplify(1 - accuracy.first.doit())
    c.decisive("proved").exact(known, 1 - delta, label)
    stderr = np.sqrt(chances * (1 - chances) / errors.size)
    c.sampled(1 - share_beyond, 1 - chances, "drawn: share within", stderr=stderr)


records = misprints(
    [
        (
            "N-11",
            (
                r"error within $\frac{1}{\varepsilon n}\ln\frac1\delta$ with "
                r"probability at most $\delta$"
            ),
            r"error beyond it with probability $\delta$ (within: $1 - \delta$)",
            check_within,
        )
    ]
)

# %% [markdown]
# ## What would make the example useful?
#
# Look at the left panel again. The mean lies in $[0, 1]$, the noise has scale 1. Whoever answers
# $\frac12$ without looking at any data has an error of at most 0.5 *for sure*; the private answer is further off than that with
# probability 0.61<!-- {shown_blind:.2f} -->. The note does not
# recommend the setting; it ends by asking for a warning. What setting would do?
#
# Ask for an error of at most 0.01 with probability 95 %. The relation
# $a = \frac{1}{\varepsilon n}\ln\frac1\delta$ can be solved for any of its letters.

# %%
level_needed = epsilon_for(0.01, 0.05, sensitivity=1 / 1000)  # for n = 1000
product_needed = epsilon_for(0.01, 0.05, sensitivity=1)  # ε times n
people_needed = np.ceil(product_needed / np.array([0.1, 0.001]))

# %% jupyter={"source_hidden": true} tags=["evidence"]
blind = float(error_probability(0.5, epsilon=0.001, sensitivity=1 / 1000))
shown_blind = round(blind, 6)
with claim("N-B2") as c:
    wanted = sp.log(20) * 100  # ε n
    left_over = tail.last.subs({a: sp.Rational(1, 100), R: 1 / wanted})
    label = "εn = 100 ln 20: error beyond 0.01 with probability"
    c.decisive("one example").exact(sp.simplify(left_over), sp.Rational(1, 20), label)
    found = [float(level_needed), *people_needed]
    people = [float(sp.ceiling(wanted * m)) for m in (10, 1000)]
    exact = [float(wanted / 1000), *people]
    label = "ε for n = 1000; n for ε = 0.1 and 0.001"
    c.decisive("one example").close(found, exact, label, rtol=1e-12)
table(
    {
        "given": ["$n$ = 1000", r"$\varepsilon$ = 0.1", r"$\varepsilon$ = 0.001"],
        "needed": [
            rf"$\varepsilon$ = {level_needed:.4f}",
            *(f"$n$ = {k:,.0f}" for k in people_needed),
        ],
    },
    caption="What a mean within 0.01 takes, in 95 % of the releases.",
)

# %% [markdown]
# Only the product $\varepsilon n$ counts: ten times the people allow a tenth of the $\varepsilon$. That is
# why the same $\varepsilon$ can be useless for a class and generous for a country. A larger $\varepsilon$ helps as much; but what does it tell the attacker?
#
# ## What the attacker learns, and how far off the answer is
#
# A count has the sensitivity 1; an attacker knows all records but one, so that the count is 2 or 3, and believes beforehand
# with some probability that it is 3. What does the published number make of that belief? The *odds* $p/(1-p)$ of a belief $p$ are multiplied by
# the ratio of the two densities, so by a factor between $e^{-\varepsilon}$ and $e^{\varepsilon}$.

# %%
published = np.array([-2.0, *np.linspace(2, 3, 21), 7.0])


def belief(prior, epsilon):
    """Probability of 3, given each published number and that the count is 2 or 3."""
    R = laplace(epsilon=epsilon, sensitivity=1.0)(np.sum).scale
    ratio = np.exp((np.abs(published - 2) - np.abs(published - 3)) / R)
    return prior * ratio / (prior * ratio + 1 - prior)


# %% jupyter={"source_hidden": true} tags=["evidence"]
before, rare = 0.1, 0.05
turning = np.log((1 - before) / before)  # e^ε times the odds before is 1
reach = float(tolerance_for(rare, epsilon=turning, sensitivity=1.0))
assert np.isclose(belief(before, turning).max(), 0.5)  # at ε = turning: undecided
less, more = (belief(before, share * turning).max() for share in (0.99, 1.01))
assert less < 0.5 < more
assert np.isclose(error_probability(reach, epsilon=turning, sensitivity=1.0), rare)
for name, number in (("turns", turning), ("turns-error", reach)):
    in_text[f"{name}"] = round(float(number), 6)
shown_before = round(100 * before)
sure = round(100 * (1 - rare))
tolerances = np.geomspace(0.05, 200, 40)

# %% [markdown]
# Take a belief of 10<!-- {shown_before} --> % and raise $\varepsilon$: below 2.20<!-- {in_text['turns']:.2f} --> the best guess is "2" whatever is published, above it
# some answers turn it. By then the error stays within 1.4<!-- {in_text['turns-error']:.1f} --> in 95<!-- {sure} --> % of cases.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A count that is 2 or 3. First panel: the attacker's belief in 3 after seeing the published number; dotted, the belief before. No answer, however extreme, carries it beyond the flat ends; above the thin line at one half the attacker bets on 3. Second panel: how often the published number is further off than a tolerance, with a point at the error allowed.", "name": "fig-attacker"}, "image": {"alt": "Left: belief against the published number for \u03b5 of 0.1, 1 and 3. Each curve is flat below 2 and above 3 and rises between; only the one for 3 crosses one half. Right: three falling curves of the chance of an error beyond a tolerance, on a logarithmic axis, with points at 5 percent at tolerances 30, 3 and 1."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.5, width=8.5)
for level in (0.1, 1.0, 3.0):
    after = belief(before, level)
    (drawn_line,) = left.plot(published, after, label=f"ε = {level:g}")
    law = {"epsilon": level, "sensitivity": 1.0}
    right.plot(tolerances, error_probability(tolerances, **law))
    right.plot(tolerance_for(rare, **law), rare, "o", color=drawn_line.get_color())
left.axhline(before, color="#555555", lw=1, ls=":")
left.axhline(0.5, color="#555555", lw=0.6, ls="-")
left.set(xlabel="published number", ylabel="belief that the count is 3", ylim=(0, 1))
left.set_title(f"belief before: {100 * before:.0f} %")
right.set_title(f"error allowed: δ = {100 * rare:.0f} %")
left.legend()
right.set(xscale="log", xlabel="tolerance (people)", ylabel="P(error > tolerance)")
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def both_sides(epsilon, prior, rare):
    shape = {"epsilon": epsilon, "sensitivity": 1.0}
    after, far = belief(prior, epsilon), float(tolerance_for(rare, **shape))
    bets = "3 after some answers, 2 after others"
    if after.min() > 0.5 or after.max() < 0.5:
        bets = f"{2 + (prior > 0.5)}, whatever is published"
    note = (
        f"The belief ends between {after.min():.1%} and {after.max():.1%}; the best "
        f"guess is {bets}. In {1 - rare:.0%} of cases the error is at most {far:.1f}."
    )
    return [
        {"trace": 0, "y": after},
        {"trace": 1, "y": [prior, prior]},
        {"trace": 3, "y": error_probability(tolerances, **shape)},
        {"trace": 4, "x": [far], "y": [rare]},
        {"note": note},
    ]


def curve(xs, colour, side, **options):
    return go.Scatter(x=xs, mode="lines", line={"color": colour, **options},
                      xaxis=f"x{side}", yaxis=f"y{side}")  # fmt: skip


beliefs, allowed = [0.01, 0.1, 0.3, 0.5, 0.9], [0.01, 0.05, 0.1, 0.2, 0.5]
blue, orange, black = (plots.COLOURS[name] for name in ("blue", "orange", "black"))
live = go.Figure(
    [
        curve(published, blue, "", width=3),
        curve([-2, 7], black, "", width=1.5, dash="dot"),
        curve([-2, 7], black, "", width=0.8).update(y=[0.5, 0.5]),
        curve(tolerances, blue, 2, width=3),
        go.Scatter(mode="markers", marker={"size": 14, "color": orange}, xaxis="x2",
                   yaxis="y2"),
    ],
    {
        "height": 340,
        "showlegend": False,
        "xaxis": {"domain": [0, 0.44],
                  "title": {"text": "published number", "standoff": 4}},
        "yaxis": {"range": [0, 1.01], "title": {"text": "belief in 3"}},
        "xaxis2": {"domain": [0.57, 1], "anchor": "y2", "type": "log",
                   "tickvals": [0.1, 1, 10, 100],
                   "title": {"text": "tolerance (people)", "standoff": 4}},
        "yaxis2": {"range": [0, 1.01], "anchor": "x2",
                   "title": {"text": "P(error > tolerance)"}},
    },
)  # fmt: skip
interactive.show(
    "attacker",
    live,
    [
        interactive.Slider("level ε", [0.1, 0.3, 0.5, 1, 1.5, 2, 3, 5], "g", start=3),
        interactive.Slider("belief before", beliefs, ".0%", start=1),
        interactive.Slider("error allowed δ", allowed, ".0%", start=1),
    ],
    both_sides,
    alt="Left, the attacker's belief that the count is 3 against the published "
    "number, with the belief before; right, the chance that the error exceeds a "
    "tolerance, with a point at the chosen chance.",
)

# %% jupyter={"source_hidden": true} tags=["evidence"]
for prior, level in product(beliefs, (0.1, 1.0, 3.0, 5.0)):
    after = both_sides(level, prior, 0.05)[0]["y"]
    odds = after / (1 - after) * (1 - prior) / prior
    assert np.allclose([odds.min(), odds.max()], np.exp([-level, level]))
    assert (after.max() > 0.5) == (prior > 0.5 or level > np.log((1 - prior) / prior))

games, level = 400_000, 1.0  # the same, drawn with the mechanism itself
draw = np.random.default_rng(10)
is_three = draw.random(games) < 0.1
answer = laplace(epsilon=level, sensitivity=1.0, dimension=games)(np.asarray)
seen_numbers = answer(np.where(is_three, 3.0, 2.0), rng=draw)
for low, high, expected in (
    (-np.inf, 2, belief(0.1, level)[0]),
    (2.45, 2.55, 0.1),  # the midpoint tells nothing
    (3, np.inf, belief(0.1, level)[-1]),
):
    share = is_three[(low <= seen_numbers) & (seen_numbers < high)]
    stderr = np.sqrt(expected * (1 - expected) / share.size)
    assert abs(share.mean() - expected) < 4 * stderr
assert (beliefs[1], allowed[1]) == (before, rare)  # opens as the still figure stands
points = [both_sides(e, before, rare)[3]["x"][0] for e in (0.1, 1.0, 3.0)]
assert np.round(points).tolist() == [30, 3, 1]  # the points of the figure

# %% [markdown]
# ## What if the answer is a list?
#
# The theorem's norm invites a longer answer. Let each of $d$ coordinates have its own noise of scale
# $R$. Then $s_i = \lvert r_i \rvert / R$ are independent standard exponential variables, and $\lVert r \rVert_1 / R$ is their sum. For two of them either the first
# is beyond $t$, or it is some $s \le t$ and the second must make up the rest:

# %% jupyter={"source_hidden": true} tags=["evidence"]
s = sp.Symbol("s", positive=True)
T = sp.Symbol("t", positive=True)
rest_beyond = sp.exp(-s) * sp.exp(-(T - s), evaluate=False)
either = sp.exp(-T) + sp.Integral(rest_beyond, (s, 0, T))
pair = (
    derivation(either, of=r"\Pr(s_1 + s_2 > t)")
    .equal(sp.exp(-T) + sp.Integral(sp.exp(-T), (s, 0, T)), "$s$ cancels")
    .equal((1 + T) * sp.exp(-T), "integrate")
)
pair

# %% [markdown]
# At $\delta = 1/e$, which is $t = 1$, this is $2/e$, and the printed bound says $1/e$.
#
# ```{admonition} As printed
# :class: as-printed
# $\Pr\bigl( \lVert y - q(D) \rVert_1 > \frac{\Delta_{1,q}}{\varepsilon} \ln\frac1\delta \bigr) \le \delta$, read for an answer with two or more coordinates. The note
# does not say that it means this; its notation allows it.
# ```
#
# What stands instead? Go on from $d$ coordinates to $d + 1$ in the same way. Whatever the sum of the first $d$ has, $e^{-(t-s)}$ times a sum of terms $\frac{(t - s)^j}{j!}$ with $j < d$, meets
# the $e^{-s}$ of the next coordinate; the exponentials give $e^{-t}$, and each term moves up by one:

# %% jupyter={"source_hidden": true} tags=["evidence"]
j = sp.Symbol("j", integer=True, nonnegative=True)
moving = sp.Integral((T - s) ** j / sp.factorial(j), (s, 0, T))
term = (
    derivation(moving)
    .equal(sp.Integral(x**j / sp.factorial(j), (x, 0, T)), "$x = t - s$")
    .equal(T ** (j + 1) / sp.factorial(j + 1), r"and $(j + 1)\,j! = (j + 1)!$")
)
term

# %% [markdown]
# ```{prf:theorem} Accuracy of a list
# :label: thm-lap-02-list
# Let $r$ have $d$ independent coordinates $\operatorname{Lap}(R)$ and let $t \ge 0$. Then
#
# $$ \Pr(\lVert r \rVert_1 > Rt) = e^{-t} \sum_{j=0}^{d-1} \frac{t^j}{j!},
#    \qquad \Pr(\lVert r \rVert_\infty > Rt) = 1 - (1 - e^{-t})^d. $$
# ```
#
# The first is the tail of a Gamma law, also called Erlang's. The second is the independence of the coordinates: all stay within $t$ together with the probability
# $(1 - e^{-t})^d$. Neither is new, and the usual form of the printed theorem is about the largest error, with
# $\ln\frac d\delta$ in place of $\ln\frac1\delta$ {cite:p}`dwork2014foundations`; for one number they are the same. How often, then, is a bound exceeded that is meant for 5 %?

# %%
unit_scale = {"epsilon": 1, "sensitivity": 1}
dims = np.array([1, 2, 5, 10])
printed_bound = np.log(1 / 0.05)  # in units of R
law = {
    norm: error_probability(printed_bound, dimension=dims, norm=norm, **unit_scale)
    for norm in ("l1", "linf")
}

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert np.allclose([law["l1"][0], law["linf"][0]], 0.05)  # meant to be, for d = 1
draws = 100_000
noise = np.abs(rng.laplace(size=(draws, max(dims))))
levels = np.array([0.01, 0.05, 0.2, np.exp(-1), 0.6, 0.9])
grid = np.log(1 / levels)  # t for the printed bound δ
seen = {}
for d in dims:
    for norm, error in (("l1", noise[:, :d].sum(1)), ("linf", noise[:, :d].max(1))):
        seen[d, norm] = (error[:, None] > grid).mean(axis=0)
shown = ("sum of the errors", "largest error")
table(
    {
        "coordinates $d$": dims.tolist(),
        "sum of the errors": law["l1"].tolist(),
        "drawn": [seen[d, "l1"][1] for d in dims],
        "largest error": law["linf"].tolist(),
        "drawn ": [seen[d, "linf"][1] for d in dims],
    },
    caption=r"Probability of an error beyond $R \ln 20$, meant to be 0.05; exact, "
    f"and in {draws:,} draws.",
    formats=dict.fromkeys((*shown, "drawn", "drawn "), ".4f"),
)


# %% jupyter={"source_hidden": true} tags=["evidence"]
def gamma_tail(d, at):
    """P(sum of d exponentials > at), written out."""
    return sp.exp(-at) * sum(at**k / sp.factorial(k) for k in range(d))


many_numbers = {"dimension": 20, **unit_scale}
for norm in ("l1", "linf"):
    twenty = tolerance_for(0.05, norm=norm, **many_numbers)
    assert np.isclose(error_probability(twenty, norm=norm, **many_numbers), 0.05)
    more = round(float(twenty / printed_bound), 6)
    in_text[f"twenty-{norm}"] = more

assert sp.simplify(pair.last.subs(T, 1) - either_beyond) == 0  # the limit of N-8
with claim("N-B1") as c:
    label = "each term becomes the next one: from d to d + 1, for every d"
    up = T ** (j + 1) / sp.factorial(j + 1)
    c.decisive("proved").derived(term, moving, up, label)
    c.decisive("proved").exact(gamma_tail(1, T), tail.last.subs({R: 1, a: T}), "d = 1")
    c.derived(pair, either, gamma_tail(2, T), "two coordinates: the tail (1 + t)e^−t")
    q = sp.exp(-T)
    either_is = [
        sum((-1) ** (k + 1) * sp.binomial(d, k) * q**k for k in range(1, d + 1))
        for d in range(1, 7)
    ]
    formula = [1 - (1 - q) ** d for d in range(1, 7)]
    label = "largest, d = 1 to 6: inclusion and exclusion, and the formula"
    c.decisive("exhaustive").exact(either_is, formula, label)
    for d in dims[1:]:
        written = {
            "l1": sp.lambdify(T, gamma_tail(int(d), T))(grid),
            "linf": 1 - (1 - np.exp(-grid)) ** d,
        }
        for norm, expected in written.items():
            stderr = np.sqrt(expected * (1 - expected) / draws)
            enough = draws * expected * (1 - expected) > 20  # nearly normal
            label = f"drawn, d = {d}, {norm}, {enough.sum()} values of δ"
            shares = seen[d, norm][enough], expected[enough]
            c.sampled(*shares, label, stderr=stderr[enough])
            package = error_probability(grid, dimension=d, norm=norm, **unit_scale)
            c.close(expected, package, f"d = {d}, {norm}: the package", rtol=1e-9)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A list of d numbers, noise of scale R in each. Left: probability that the summed error exceeds R ln(1/\u03b4), against \u03b4, with simulated points (error bars of two standard errors are smaller than the markers). The printed bound is the diagonal, exact for d = 1. Right: what must be tolerated with 95 % certainty, in units of R.", "name": "fig-lap-02-lists"}, "image": {"alt": "Left: the diagonal for d = 1 and curves for d = 2, 5 and 10 that rise ever more steeply above it, with simulated points on them. Right: tolerance against the number of coordinates from 1 to 20; the 1-norm rises almost linearly, the largest error slowly like a logarithm, the printed value stays at 3."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=3.5, width=8.5)
bound = np.linspace(0.001, 1, 400)
for d, marker in zip(dims, "os^D"):
    law = error_probability(np.log(1 / bound), dimension=d, **unit_scale)
    (line,) = left.plot(bound, law, label=f"d = {d}")
    bar = 2 * np.sqrt(seen[d, "l1"] * (1 - seen[d, "l1"]) / draws)
    dots = {"fmt": marker, "ms": 4.5, "color": line.get_color()}
    left.errorbar(levels, seen[d, "l1"], bar, **dots)
left.set(xlabel="printed bound δ", ylabel="probability", ylim=(0, 1.02))
left.legend(loc="lower right")

coordinates = np.arange(1, 21)
for norm, text in (("l1", "sum of the errors"), ("linf", "largest error")):
    limit = tolerance_for(0.05, dimension=coordinates, norm=norm, **unit_scale)
    right.plot(coordinates, limit, marker=".", label=text)
right.axhline(np.log(20), color="#555555", lw=1, ls="-", label="printed, ln(1/δ)")
right.set(xlabel="coordinates d", ylabel="tolerance / R for δ = 0.05")
right.set(xticks=(1, 5, 10, 15, 20))
right.legend()
plt.show()


# %% [markdown]
# For twenty numbers and $\delta = 0.05$ the sum of the errors needs 9.3<!-- {in_text['twenty-l1']:.1f} --> times the printed tolerance, the largest of them
# 2.0<!-- {in_text['twenty-linf']:.1f} --> times. So a program should know which error is meant, and how many coordinates there are.
#
# ## A mechanism that warns
#
# The note ends chapter 8 with a good idea for programs: let the user state the tolerated error, convert it
# to $\delta$, and warn if $\delta$ is large. The probability depends on $\varepsilon$, $\Delta_{1,q}$ and the
# tolerance, never on data, so the warning costs no privacy. In the package it is an argument of the
# decorator.


# %%
def warned(epsilon, tolerance):
    """Decorate the mean of 1000 values; return the warnings."""
    options = {"sensitivity": 1 / 1000, "tolerance": tolerance, "level": 0.05}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ToleranceWarning)
        laplace(epsilon=epsilon, **options)(np.mean)
    return [str(w.message) for w in caught]


print(*warned(0.001, 1)[0].split("; "), sep=";\n")

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("N-15") as c:
    at_tolerance = larger.subs(R, scale)
    label = "a tolerance a becomes δ = e^(−εa/Δ)"
    converted = sp.exp(-epsilon * a / Delta)
    c.decisive("proved").exact(at_tolerance.doit(), converted, label)
    cases = list(product((0.001, 0.1, 0.2995, 0.2997, 1.0), (0.003, 0.01, 0.03, 1.0)))
    said = [bool(warned(*case)) for case in cases]
    due = [bool(np.exp(-1000 * level * far) > 0.05) for level, far in cases]
    label = "20 settings, 5 %: the package warns where the formula says so"
    c.exact(said, due, label)
    (text,) = warned(0.001, 1)
    c.holds(f"{value:.4g}" in text, f"the note's example: δ = {value:.4g} is named")

# %% [markdown]
# What it cannot know is the range of the query: a tolerance of half the range needs no data at all, as we
# saw.
#
# ## Exercises
#
# ```{exercise-start} The median error
# :label: ex-lap-02-median
# ```
# **Warm-up.** Which error is exceeded by half of all answers? What is it for a count with
# $\varepsilon = 0.1$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lap-02-median", ...)

# %% [markdown]
# ```{solution-start} ex-lap-02-median
# :class: dropdown
# ```
# $e^{-a/R} = \frac12$ gives $a = R \ln 2$; for the count $R = 10$, so about 6.9 persons.

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert sp.simplify(tail.last.subs(a, R * sp.log(2))) == sp.Rational(1, 2)
median = tolerance_for(0.5, epsilon=0.1, sensitivity=1)
assert round(float(median), 1) == 6.9
check("lap-02-median", median)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A histogram of ages
# :label: ex-lap-02-histogram
# ```
# **Standard.** A histogram of ages has 10 bins. Which scale makes it $\varepsilon$-private for
# replacement of one record? Which error of the *worst* bin is exceeded in 5 % of the releases at
# $\varepsilon = 1$, and what does the union bound say?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-02-histogram", ...)

# %% [markdown]
# ```{solution-start} ex-lap-02-histogram
# :class: dropdown
# ```
# One replaced record lowers one bin and raises another: sensitivity 2 and $R = 2/\varepsilon$, however many
# bins. The worst bin: $R\,t$ with $1 - (1 - e^{-t})^{10} = 0.05$, which is an error of 10.55<!-- {shown_worst_bin:.2f} --> persons. The union bound
# $t \le \ln(d/\delta)$ gives 10.60<!-- {shown_union:.2f} -->, hardly more.

# %% jupyter={"source_hidden": true} tags=["evidence"]
worst_bin = tolerance_for(0.05, epsilon=1, sensitivity=2, dimension=10, norm="linf")
t10 = -np.log(1 - 0.95 ** (1 / 10))
assert np.isclose(worst_bin, 2 * t10)
union = 2 * np.log(10 / 0.05)
check("lap-02-histogram", (worst_bin, union))
assert 0 < union - worst_bin < 0.06
shown_worst_bin = float(worst_bin)
shown_union = float(union)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Noise of half the scale
# :label: ex-lap-02-tolerance
# ```
# **Standard.** A colleague adds noise of scale $\Delta/(2\varepsilon)$, "because the error may go either
# way". What is the real level of privacy, and how much accuracy was gained?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-02-tolerance", ...)

# %% [markdown]
# ```{solution-start} ex-lap-02-tolerance
# :class: dropdown
# ```
# The log ratio outside both answers is $g/R = 2\varepsilon$ for $g = \Delta$: the level is $2\varepsilon$.
# Every tolerance is halved. It is the same trade as choosing $2\varepsilon$ openly.

# %% jupyter={"source_hidden": true} tags=["evidence"]
half_scale = Delta / (2 * epsilon)
real_level = sp.simplify(apart.doit().subs({g: Delta, R: half_scale}))
assert real_level == 2 * epsilon
halved = tolerance_for(0.05, epsilon=2, sensitivity=1)
assert np.isclose(halved, tolerance_for(0.05, epsilon=1, sensitivity=1) / 2)
check("lap-02-tolerance", real_level)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A closed bound for the Gamma tail
# :label: ex-lap-02-chernoff
# ```
# **Research.** The quantile of the Gamma tail has no closed form. Prove that
# $t = d + \sqrt{2 d \ln\frac1\delta} + \ln\frac1\delta$ is always enough for the 1-norm. How loose is it, for instance
# for $d = 1$ and $\delta = 0.05$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-02-chernoff", ...)

# %% [markdown]
# ```{solution-start} ex-lap-02-chernoff
# :class: dropdown
# ```
# For a sum $X$ of $d$ exponentials and $0 < s < 1$, Markov's inequality for $e^{sX}$ gives
# $\ln\Pr(X > t) \le -d\ln(1 - s) - st$, least at $s = 1 - d/t$: $-d\,(v - \ln(1 + v))$ with $v = t/d - 1$. Put
# $z = \sqrt{2 \ln(1/\delta)/d}$. Our $t$ has $v = z + z^2/2$, and $v - \ln(1 + v) \ge z^2/2$ means
# $e^z \ge 1 + z + z^2/2$, the beginning of the exponential series; and $-d z^2/2 = \ln\delta$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
y, w, d_any = sp.symbols("z w d", positive=True)
exponent = -d_any * sp.log(1 - w) - w * T
assert sp.simplify(sp.diff(exponent, w).subs(w, 1 - d_any / T)) == 0
least = exponent.subs(w, 1 - d_any / T).subs(T, d_any * (1 + y + y**2 / 2))
v = y + y**2 / 2
stated = -d_any * (v - sp.log(1 + v))
assert sp.simplify(sp.expand_log(least - stated, force=True)) == 0
chernoff = derivation(stated, of=r"\text{exponent}").at_most(
    -d_any * y**2 / 2, "the exponential series", by=increasing(y, 0)
)
chernoff

# %% jupyter={"source_hidden": true} tags=["evidence"]
many = np.array([1, 2, 5, 10, 100])
closed = many + np.sqrt(2 * many * np.log(20)) + np.log(20)
loose = closed / tolerance_for(0.05, dimension=many, **unit_scale)
assert np.all(loose >= 1) and np.all(np.diff(loose) < 0)  # ever tighter
check("lap-02-chernoff", loose[0])
table(
    {"coordinates $d$": many.tolist(), "bound / exact": loose.tolist()},
    caption=r"How loose the closed bound is at $\delta = 0.05$.",
    formats={"bound / exact": ".2f"},
)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - With $R = \Delta_{1,q}/\varepsilon$ the log ratio of two neighbouring answers is at most $\varepsilon$, and
#   equal to it outside the gap between two answers that are $\Delta_{1,q}$ apart.
# - For one number the printed accuracy theorem is an equality: tolerance and probability are linked by
#   $\delta = e^{-\varepsilon a / \Delta}$. The note's example is right but for one reversed sentence.
# - For a list the sum of errors has a Gamma tail and the largest error $1 - (1 - e^{-t})^d$; the
#   scalar formula does not extend.
# - A tolerance turns into a warning that costs no privacy.
#
# **Further reading.** The mechanism and its sensitivity: {cite:p}`dwork2006calibrating`. Accuracy of
# lists: {cite:p}`dwork2014foundations`, section 3.3. **Next:**
# [how does one learn a model without giving its data away?](03-learning-with-privacy.ipynb)
