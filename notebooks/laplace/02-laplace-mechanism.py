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
# **Time:** 25 minutes.
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

# %%
import warnings
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp
from myst_nb import glue

from privlib.kit import claim, interactive, plots, slips
from privlib.laplace.accuracy import epsilon_for, error_probability, tolerance_for
from privlib.laplace.mechanism import ToleranceWarning, laplace

plots.use()

# %% [markdown]
# ## What does the noise look like?
#
# The note gives the Laplace distribution (ラプラス分布) by its density, mean left out:
# $\Lap(x; R) = \frac{1}{2R} e^{-\lvert x \rvert / R}$. It is symmetric, so half of it is an exponential
# density, which sympy integrates without help.

# %%
R, x, a, u, g = sp.symbols("R x a u g", positive=True)
half_density = sp.exp(-x / R) / (2 * R)  # x > 0

mass = 2 * sp.integrate(half_density, (x, 0, sp.oo))
variance = 2 * sp.integrate(x**2 * half_density, (x, 0, sp.oo))
tail = sp.simplify(2 * sp.integrate(half_density, (x, a, sp.oo)))
print("mass", mass, "   variance", variance, "   P(|r| > a) =", tail)

rng = np.random.default_rng(2016)
drawn = rng.laplace(scale=3.0, size=400_000)
with claim("N-6") as c:
    c.exact(mass, sp.Integer(1), "the density integrates to one")
    c.exact(variance, 2 * R**2, "the variance is 2R²")
    stderr = (drawn**2).std() / np.sqrt(drawn.size)
    c.sampled(
        np.mean(drawn**2), 2 * 3.0**2, "drawn with R = 3: variance", stderr=stderr
    )
    beyond = np.mean(np.abs(drawn) > 3)
    stderr = np.sqrt(beyond * (1 - beyond) / drawn.size)
    c.sampled(beyond, np.exp(-1), "drawn with R = 3: share beyond R", stderr=stderr)


# %% [markdown]
# Keep $\Pr(\lvert r \rvert > a) = e^{-a/R}$ in mind. Everything about accuracy comes from it.
#
# ## Why does it protect?
#
# ```{prf:algorithm} Laplace mechanism (chapter 8; ラプラスメカニズム)
# :label: alg-lap-02-mechanism
# **Input:** database $D$, privacy parameter $\varepsilon$, sensitivity $\Delta_{1,q}$ (敏感度) of the query.
# 1. $R = \Delta_{1,q} / \varepsilon$.
# 2. Draw $r \sim \Lap(R)$.
# 3. Answer $y = q(D) + r$.
# ```
#
# For neighbours with answers $f = q(D)$ and $f' = f + g$, the log ratio of the densities at $y$ is
# $(\lvert y - f' \rvert - \lvert y - f \rvert) / R$. There are three places where $y$ can be.

# %%
def log_ratio(y, f, moved):
    """Log of density(y | f) / density(y | moved)."""
    return sp.simplify((sp.Abs(y - moved) - sp.Abs(y - f)) / R)


share = u / (1 + u)  # runs through (0, 1) for u > 0
below, above = log_ratio(-u, 0, g), log_ratio(g + u, 0, g)
between = log_ratio(share * g, 0, g)
print("below both:", below, "   above both:", above, "   between:", between)

epsilon, Delta = sp.symbols("epsilon Delta", positive=True)
worst = below.subs(R, Delta / epsilon)
print("with R = Δ/ε:", worst, "   largest for g = Δ:", worst.subs(g, Delta))

# %% [markdown]
# Between the answers the log ratio runs from $g/R$ down to $-g/R$. So its size is at most
# $g/R \le \Delta_{1,q}/R = \varepsilon$, and it *is* $g/R$ wherever $y$ lies outside. No noise is
# wasted: two answers that are $\Delta_{1,q}$ apart sit at the limit everywhere outside their gap. For an answer with several coordinates, each with
# its own noise, the log ratios add up to $\lVert q(D) - q(D') \rVert_1 / R$: that is why the sensitivity is
# measured in the 1-norm.

# %%
y = np.linspace(-40, 40, 160_001)
with claim("N-7") as c:
    c.exact(worst.subs(g, Delta), epsilon, "y below both answers, g = Δ: log ratio ε")
    c.exact(above, -below, "above both: the same with a minus")
    c.exact(below - between, 2 * u * g / (R * (1 + u)), "between: below the first")
    two = below.subs(g, u) + below.subs(g, Delta - u)  # gaps u and Δ − u
    c.exact(two, Delta / R, "two coordinates, gaps that add up to Δ: again Δ/R = ε")
    c.exact(between - above, 2 * g / (R * (1 + u)), "and above the last")
    for eps, size in ((0.1, 1.0), (2.0, 0.25)):
        mean = laplace(epsilon=eps, sensitivity=size)(lambda D: D)
        ratio = (np.abs(y - size) - np.abs(y)) / mean.scale
        label = f"ε = {eps:g}, Δ = {size:g}: largest on a grid of answers"
        c.close(np.abs(ratio).max(), eps, label, rtol=1e-9)

    counter = laplace(epsilon=1.0, sensitivity=1.0)(np.asarray)
    n = 400_000
    k0, k1 = (np.sum(counter(np.full(n, v), rng=rng) > 1) for v in (0.0, 1.0))
    stderr = np.sqrt(1 / k0 - 1 / n + 1 / k1 - 1 / n)
    label = "drawn, ε = 1: log ratio of answers above both counts"
    c.sampled(np.log(k1 / k0), 1.0, label, stderr=stderr)

# %% [markdown]
# ## How accurate is one number?
#
# ```{prf:theorem} Accuracy (chapter 8; 正確性)
# :label: thm-lap-02-accuracy
# Let $y$ be the answer of the Laplace mechanism and $\delta \in (0, 1]$. Then
#
# $$ \Pr\Bigl( \lVert y - q(D) \rVert_1 > \frac{\Delta_{1,q}}{\varepsilon} \ln\frac1\delta \Bigr) \le \delta. $$
# ```
#
# The algorithm draws one $r$, so $q(D)$ is one number and the norm is an absolute value. Then nothing is
# lost: put the tolerance into the tail.

# %%
delta, tolerance = sp.symbols("delta a", positive=True)
scale = Delta / epsilon
at_tolerance = sp.simplify(tail.subs({a: scale * sp.log(1 / delta), R: scale}))
print("P(error > (Δ/ε) ln(1/δ)) =", at_tolerance)

chances = np.array([0.9, 0.5, 0.1, 0.01])
limits = tolerance_for(chances, epsilon=0.5, sensitivity=2.0)
errors = np.abs(rng.laplace(scale=2.0 / 0.5, size=1_000_000))
share_beyond = (errors[:, None] > limits).mean(axis=0)
with claim("N-8") as c:
    c.exact(at_tolerance, delta, "one number: the probability is δ, an equality")
    known = error_probability(limits, epsilon=0.5, sensitivity=2.0)
    c.close(known, chances, "the package, ε = 0.5, Δ = 2", rtol=1e-12)
    stderr = np.sqrt(chances * (1 - chances) / errors.size)
    c.sampled(share_beyond, chances, "drawn, δ = 0.9, 0.5, 0.1, 0.01", stderr=stderr)

# %% [markdown]
# So $\delta$ is not only a bound. The note reads the theorem this way: the larger the error, the smaller its
# probability, and the two belong to each other one to one.

# %%
t = sp.Symbol("t", nonnegative=True)
curve, inverse = sp.log(1 / delta), sp.exp(-t)  # tolerance in units of R, and δ
with claim("N-9") as c:
    c.exact(
        sp.diff(curve, delta), -1 / delta, "the slope is −1/δ, negative on (0, 1]"
    )
    c.exact(sp.simplify(curve.subs(delta, inverse)), t, "δ = e^−t gives t back")
    c.exact(sp.simplify(inverse.subs(t, curve)), delta, "t = ln(1/δ) gives δ back")
    c.exact(curve.subs(delta, 1), sp.Integer(0), "δ = 1 is tolerance 0")
    c.exact(sp.limit(curve, delta, 0, "+"), sp.oo, "every tolerance is reached")

# %% [markdown]
# ## What the attacker learns, and how far off the answer is
#
# One number, $\varepsilon$, decides what an attacker can conclude and how far off the answer is. A count has the
# sensitivity 1; an attacker knows all records but one, so that the count is 2 or 3, and believes beforehand
# with some probability that it is 3. What does the published number make of that belief? Take a belief of
# 10 % and raise $\varepsilon$: below {glue:text}`lap-02-turns:.2f` the best guess is "2" whatever is published, above it
# some answers turn it. By then the error stays within {glue:text}`lap-02-turns-error:.1f` in 95 % of cases.

# %%
published = np.array([-2.0, *np.linspace(2, 3, 21), 7.0])
tolerances = np.geomspace(0.05, 200, 40)


def belief(prior, epsilon):
    """Probability of 3, given each published number and that the count is 2 or 3."""
    R = laplace(epsilon=epsilon, sensitivity=1.0)(lambda D: D).scale
    ratio = np.exp((np.abs(published - 2) - np.abs(published - 3)) / R)
    return prior * ratio / (prior * ratio + 1 - prior)


turning = np.log(0.9 / 0.1)  # e^ε times the prior odds is 1
glue("lap-02-turns", round(float(turning), 6), display=False)
reach = float(tolerance_for(0.05, epsilon=turning, sensitivity=1.0))
glue("lap-02-turns-error", round(reach, 6), display=False)

# %% mystnb={"figure": {"caption": "A count that is 2 or 3. Left: the attacker's belief in 3 after seeing the published number; dotted, the belief before. No answer, however extreme, carries it beyond the flat ends; above the thin line at one half the attacker bets on 3. Right: how often the published number is further off than a tolerance, with a point at the error allowed.", "name": "fig-attacker"}, "image": {"alt": "Left: belief against the published number for \u03b5 of 0.1, 1 and 3. Each curve is flat below 2 and above 3 and rises between; only the one for 3 crosses one half. Right: three falling curves of the chance of an error beyond a tolerance, on a logarithmic axis, with points at 5 percent at tolerances 30, 3 and 1."}} tags=["hide-input"]
fig, (left, right) = plots.panels(1, 2, height=3.5, width=8.5)
for level in (0.1, 1.0, 3.0):
    (drawn_line,) = left.plot(published, belief(0.1, level), label=f"ε = {level:g}")
    law = {"epsilon": level, "sensitivity": 1.0}
    right.plot(tolerances, error_probability(tolerances, **law))
    right.plot(tolerance_for(0.05, **law), 0.05, "o", color=drawn_line.get_color())
left.axhline(0.1, color="#555555", lw=1, ls=":")
left.axhline(0.5, color="#555555", lw=0.6, ls="-")
left.set(xlabel="published number", ylabel="belief that the count is 3", ylim=(0, 1))
left.set_title("belief before: 10 %")
right.set_title("error allowed: δ = 5 %")
left.legend()
right.set(xscale="log", xlabel="tolerance (people)", ylabel="P(error > tolerance)")
plt.show()


# %% tags=["hide-input"]
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

# %%
for prior, level in product(beliefs, (0.1, 1.0, 3.0, 5.0)):
    after = both_sides(level, prior, 0.05)[0]["y"]
    odds = after / (1 - after) * (1 - prior) / prior
    assert np.allclose([odds.min(), odds.max()], np.exp([-level, level]))
    assert (after.max() > 0.5) == (prior > 0.5 or level > np.log((1 - prior) / prior))

games, level = 400_000, 1.0  # the same, drawn with the mechanism itself
draw = np.random.default_rng(10)
is_three = draw.random(games) < 0.1
answer = laplace(epsilon=level, sensitivity=1.0)(np.asarray)
seen_numbers = answer(np.where(is_three, 3.0, 2.0), rng=draw)
for low, high, expected in ((-np.inf, 2, belief(0.1, level)[0]),
                            (2.45, 2.55, 0.1),  # the midpoint tells nothing
                            (3, np.inf, belief(0.1, level)[-1])):
    share = is_three[(low <= seen_numbers) & (seen_numbers < high)]
    stderr = np.sqrt(expected * (1 - expected) / share.size)
    print(f"shown in [{low}, {high}): 3 in {share.mean():.4f}, belief {expected:.4f}")
    assert abs(share.mean() - expected) < 4 * stderr
points = [both_sides(e, 0.1, 0.05)[3]["x"][0] for e in (0.1, 1.0, 3.0)]
assert np.round(points).tolist() == [30, 3, 1]  # the points of the figure


# %% [markdown]
# ## The note's example: a mean
#
# Publish the mean (平均値) of $n$ numbers. The note takes its sensitivity to be $1/n$. Is it? Enumerate
# small databases on a grid of values.

# %%
def mean_sensitivity(values, n):
    """Largest change of the mean of n values when one of them is replaced."""
    return max(
        abs(sum(D) - sum((*D[:i], v, *D[i + 1 :]))) / n
        for D in product(values, repeat=n)
        for i in range(n)
        for v in values
    )


unit = [Fraction(k, 4) for k in range(5)]
b, n_sym = sp.symbols("b n", positive=True)
rest = sp.Symbol("rest", real=True)  # sum of the other n − 1 values
moved = sp.simplify((rest + b) / n_sym - (rest + 0) / n_sym)
with claim("N-10") as c:
    for n in (1, 2, 3, 4):
        found = mean_sensitivity(unit, n)
        c.exact(found, Fraction(1, n), f"values in [0, 1], n = {n}: {found}")
    c.exact(moved.subs(b, 1), 1 / n_sym, "0 replaced by 1, any n and any others")
    wide = mean_sensitivity([10 * v for v in unit], 3)
    c.exact(wide, Fraction(10, 3), f"values in [0, 10], n = 3: {wide}")
    c.exact(sp.limit(moved, b, sp.oo), sp.oo, "without a bound: infinite")

# %% [markdown]
# It is, for values in $[0, 1]$ with $n$ public; in $[0, b]$ it is $b/n$. For salaries without a limit it is
# infinite, and such a query must first cut off its values.
#
# The note takes $n = 1000$ and $\varepsilon = 0.001$. Then $R = 1/(\varepsilon n) = 1$, and tolerance and
# probability are linked by $a = \ln\frac1\delta$. From the graph of the logarithm it reads that the error
# exceeds 1 with a probability held to about 0.38, and stays within 1 with about 0.62.

# %%
n, eps = 1000, Fraction(1, 1000)
R_example = Fraction(1, n) / eps
exact_beyond = tail.subs({a: 1, R: sp.Rational(R_example)})
value = float(exact_beyond)
print("                     read off the graph     exact")
print(f"error beyond 1             0.38             {value:.4f}")
print(f"error within 1             0.62             {1 - value:.4f}")

with claim("N-12") as c:
    c.exact(R_example, Fraction(1), "R = 1/(εn) = 1")
    solved = sp.solve(sp.Eq(inverse, delta), t)
    c.exact(solved, [-sp.log(delta)], "e^−t = δ has the one solution t = ln(1/δ)")
    by_package = tolerance_for(chances, epsilon=0.001, sensitivity=1 / n)
    c.close(
        by_package, np.log(1 / chances), "the package, four values of δ", rtol=1e-12
    )
with claim("N-13") as c:
    c.exact(exact_beyond, sp.exp(-1), f"beyond 1: exactly 1/e = {value:.4f}")
    c.at_most(value, 0.38, "0.38 bounds it")
    c.at_most(0.62, 1 - value, f"within 1: {1 - value:.4f}, at least 0.62")
    c.close(
        [value, 1 - value], [0.38, 0.62], "read off the graph", rtol=0, atol=0.015
    )
glue("lap-02-beyond", round(value, 6), display=False)

# %% mystnb={"figure": {"caption": "The note's example, a mean of 1000 values in [0, 1] with \u03b5 = 0.001. Left: the noise; the mean itself lies somewhere in the narrow dark strip, whose width is 1. Right: the probability that the error exceeds a tolerance, for this \u03b5 and two larger ones. The circle is the value that the note reads off its graph.", "name": "fig-lap-02-example"}, "image": {"alt": "Left: a Laplace density with scale 1 on the range \u22124 to 5 and a dark strip from 0 to 1; noise outside \u22121 to 1 is shaded. Right: three falling curves on a logarithmic tolerance axis; the curve for epsilon 0.001 passes the circle at tolerance 1, probability 0.38, the others lie further left."}}
fig, (left, right) = plots.panels(1, 2, height=3.3, width=8.5)
r = np.linspace(-4, 5, 901)
law = np.exp(-np.abs(r)) / 2
left.plot(r, law)
for side in (r <= -1, r >= 1):
    left.fill_between(
        r[side], law[side], color=plots.COLOURS["sky"], alpha=0.35, lw=0
    )
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


# %% [markdown]
# The tail at tolerance 1 is {glue:text}`lap-02-beyond:.4f`: the reading off the graph is a valid bound. One
# sentence of the example is printed the wrong way round, with *within* for *beyond*; the sentences after it
# have it right.

# %% tags=["hide-input"]
def check_within(c):
    chance = sp.Rational(1, 100)
    within = sp.simplify(1 - tail.subs(a, R * sp.log(1 / chance)))
    c.fails(
        bool(within <= chance), f"δ = {chance}: the error is within with {within}"
    )
    exactly = sp.simplify(1 - tail.subs(a, R * sp.log(1 / delta)))
    c.exact(exactly, 1 - delta, "within: exactly 1 − δ, so beyond: δ")
    stderr = np.sqrt(chances * (1 - chances) / errors.size)
    c.sampled(1 - share_beyond, 1 - chances, "drawn: share within", stderr=stderr)


records = slips(
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
# $\frac12$ without looking at any data has an error of at most 0.5 *for sure*. The note does not
# recommend the setting; it ends by asking for a warning. What setting would do?
#
# Ask for an error of at most 0.01 with probability 95 %. The relation
# $a = \frac{1}{\varepsilon n}\ln\frac1\delta$ can be solved for any of its letters.

# %%
wish, rare = Fraction(1, 100), Fraction(1, 20)
needed = {  # ε for a given n, and n for a given ε
    "n = 1000": float(epsilon_for(0.01, 0.05, sensitivity=1 / 1000)),
    "ε = 0.1": np.ceil(epsilon_for(0.01, 0.05, sensitivity=1.0) / 0.1),
    "ε = 0.001": np.ceil(epsilon_for(0.01, 0.05, sensitivity=1.0) / 0.001),
}
print(f"n = 1000   needs ε = {needed['n = 1000']:.4f}")
for given in ("ε = 0.1", "ε = 0.001"):
    print(f"{given:10s} needs n = {needed[given]:,.0f}")
blind = float(error_probability(0.5, epsilon=0.001, sensitivity=1 / 1000))
print(f"ε = 0.001 and n = 1000: error beyond 0.5 with probability {blind:.3f}")

# %%
with claim("N-B2") as c:
    product_needed = sp.log(1 / sp.Rational(rare)) / sp.Rational(wish)  # ε n
    left = tail.subs({a: sp.Rational(wish), R: 1 / product_needed})
    c.exact(
        sp.simplify(left), sp.Rational(rare), "εn = 100 ln 20: error > 0.01 in 1/20"
    )
    label = f"n = 1000: ε = {needed['n = 1000']:.4f}"
    c.close(needed["n = 1000"], float(product_needed / 1000), label, rtol=1e-12)
    for given, level in (("ε = 0.1", 10), ("ε = 0.001", 1000)):
        enough = int(sp.ceiling(product_needed * level))
        c.exact(int(needed[given]), enough, f"{given}: n = {enough:,}")
    furthest = max(abs(v - Fraction(1, 2)) for v in (Fraction(0), Fraction(1)))
    c.exact(furthest, Fraction(1, 2), "the answer 1/2 is never further off than 1/2")
    c.at_most(0.6, blind, f"the example: further off than that with {blind:.3f}")

# %% [markdown]
# Only the product $\varepsilon n$ counts: ten times the people allow a tenth of the $\varepsilon$. That is
# why the same $\varepsilon$ can be useless for a class and generous for a country.
#
# ## What if the answer is a list?
#
# The theorem is printed with a 1-norm. Does it extend to $d$ coordinates, each with its own noise of scale
# $R$? Then $\lVert r \rVert_1 / R$ is a sum of $d$ standard exponential variables. Its tail follows from one
# coordinate at a time: either the first is beyond $t$, or it is some $s \le t$ and the others must make up
# the rest. Sympy does the integral.

# %%
s, T = sp.symbols("s T", positive=True)


def gamma_tail(d, at):
    """P(sum of d exponentials > at), written out."""
    return sp.exp(-at) * sum(at**j / sp.factorial(j) for j in range(d))


steps = []
for d in range(1, 6):
    rest_makes_up = sp.exp(-s) * gamma_tail(d, T - s)
    by_step = sp.exp(-T) + sp.integrate(sp.expand(rest_makes_up), (s, 0, T))
    steps.append(sp.simplify(by_step - gamma_tail(d + 1, T)))
j = sp.Symbol("j", integer=True, nonnegative=True)
term = sp.integrate(x**j, (x, 0, T)) / sp.factorial(j)  # x = T − s
print("step from d to d + 1, minus the formula:", steps)
print("each term T^j/j! becomes", sp.factor(term), "= T^(j+1)/(j+1)!, for every j")
print("d = 2:", sp.simplify(gamma_tail(2, T)))

at_1 = gamma_tail(2, sp.Integer(1))  # δ = 1/e is t = 1
print(
    f"d = 2, δ = 1/e: {at_1} = {float(at_1):.4f}, above δ = {float(sp.exp(-1)):.4f}"
)

# %% [markdown]
# So the printed bound does not extend to $d \ge 2$. Two statements take its place, one for the sum of the
# errors and one for the largest.
#
# ```{prf:theorem} Accuracy of a list (ours)
# :label: thm-lap-02-list
# Let $r$ have $d$ independent coordinates $\Lap(R)$ and let $t \ge 0$. Then
#
# $$ \Pr(\lVert r \rVert_1 > Rt) = e^{-t} \sum_{j=0}^{d-1} \frac{t^j}{j!},
#    \qquad \Pr(\lVert r \rVert_\infty > Rt) = 1 - (1 - e^{-t})^d. $$
# ```
#
# The second is the independence of the coordinates. To be sure of both, draw lists.

# %%
dims, draws = (1, 2, 5, 10), 100_000
noise = np.abs(rng.laplace(size=(draws, max(dims))))
levels = np.array([0.01, 0.05, 0.2, np.exp(-1), 0.6, 0.9])
grid = np.log(1 / levels)  # t for the printed bound δ
unit_scale = {"epsilon": 1, "sensitivity": 1}
seen = {}
for d in dims:
    for norm, error in (("l1", noise[:, :d].sum(1)), ("linf", noise[:, :d].max(1))):
        seen[d, norm] = (error[:, None] > grid).mean(axis=0)

print("P(error beyond R ln(1/δ)), δ = 0.05      1-norm       largest")
for d in dims:
    print(f"d = {d:<2d} {seen[d, 'l1'][1]:40.4f} {seen[d, 'linf'][1]:13.4f}")

# %%
with claim("N-B1") as c:
    c.exact(steps, [0] * 5, "1-norm: each coordinate adds its term, d = 1 to 6")
    next_term = T ** (j + 1) / sp.factorial(j + 1)
    ratio = sp.combsimp(sp.gammasimp(term / next_term))
    c.exact(
        ratio, sp.Integer(1), "each term becomes the next one: the step for any d"
    )
    c.exact(gamma_tail(1, T), sp.exp(-T), "d = 1 is the printed theorem")
    c.exact(at_1, 2 * sp.exp(-1), f"d = 2, δ = 1/e: 2/e = {float(at_1):.4f}, not 1/e")
    t_inf = -sp.log(1 - (1 - delta) ** sp.Rational(1, 2))
    largest = sp.simplify(1 - (1 - sp.exp(-t_inf)) ** 2)
    c.exact(largest, delta, "d = 2, largest error: solved for t")
    for d in dims:
        for norm in ("l1", "linf"):
            law = error_probability(grid, dimension=d, norm=norm, **unit_scale)
            stderr = np.sqrt(law * (1 - law) / draws)
            enough = draws * law * (1 - law) > 20  # nearly normal
            if d > 1:
                label = f"drawn, d = {d}, {norm}, {enough.sum()} values of δ"
                error = stderr[enough]
                c.sampled(seen[d, norm][enough], law[enough], label, stderr=error)
            if norm == "l1":
                written = sp.lambdify(T, gamma_tail(d, T))(grid)
                c.close(written, law, f"d = {d}: the package", rtol=1e-9)
    label = "printed bound below the probability, d = 2, 5, 10"
    c.at_most(levels, [seen[d, "l1"] for d in dims[1:]], label)

# %% mystnb={"figure": {"caption": "A list of d numbers, noise of scale R in each. Left: probability that the summed error exceeds R ln(1/\u03b4), against \u03b4, with simulated points (error bars of two standard errors are smaller than the markers). The printed bound is the diagonal, exact for d = 1. Right: what must be tolerated with 95 % certainty, in units of R.", "name": "fig-lap-02-lists"}, "image": {"alt": "Left: the diagonal for d = 1 and curves for d = 2, 5 and 10 that rise ever more steeply above it, with simulated points on them. Right: tolerance against the number of coordinates from 1 to 20; the 1-norm rises almost linearly, the largest error slowly like a logarithm, the printed value stays at 3."}}
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
# ## A mechanism that warns
#
# The note ends chapter 8 with a good idea for programs: let the user state the tolerated error, convert it
# to $\delta$, and warn if $\delta$ is large. The probability depends on $\varepsilon$, $\Delta_{1,q}$ and the
# tolerance, never on data, so the warning costs no privacy. In the package it is an argument of the
# decorator.

# %%
asked = []  # would record every access to data


def mean(database):
    asked.append(True)
    return np.mean(database)


def decorate(level, tolerance):
    """Decorate the mean of 1000 values; return the warnings."""
    options = {"epsilon": level, "sensitivity": 1 / 1000, "tolerance": tolerance}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ToleranceWarning)
        laplace(**options)(mean)
    return [str(w.message) for w in caught]


print("tolerance 1, ε = 0.001:")
print(*decorate(0.001, 1)[0].replace("; ", ";\n").split("\n"), sep="\n")
print("tolerance 0.01, ε = 0.3:", len(decorate(0.3, 0.01)), "warnings")

with claim("N-15") as c:
    from_tolerance = sp.simplify(tail.subs({a: tolerance, R: scale}))
    c.exact(from_tolerance, sp.exp(-epsilon * tolerance / Delta), "δ = e^(−ε a/Δ)")
    (text,) = decorate(0.001, 1)
    c.holds(f"{value:.4g}" in text, f"the example warns with δ = {value:.4g}")
    c.exact(
        len(decorate(0.2997, 0.01)), 0, "0.01 at ε = 0.2997: δ below 5 %, no warning"
    )
    c.exact(
        len(decorate(0.2995, 0.01)), 1, "0.01 at ε = 0.2995: above 5 %, a warning"
    )
    c.exact(len(asked), 0, "no data was looked at")

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
#
# ```{solution-start} ex-lap-02-median
# :class: dropdown
# ```
# $e^{-a/R} = \frac12$ gives $a = R \ln 2$; for the count $R = 10$, so about 6.9 persons.

# %%
assert sp.simplify(tail.subs(a, R * sp.log(2))) == sp.Rational(1, 2)
assert round(float(tolerance_for(0.5, epsilon=0.1, sensitivity=1)), 1) == 6.9

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
#
# ```{solution-start} ex-lap-02-histogram
# :class: dropdown
# ```
# One replaced record lowers one bin and raises another: sensitivity 2 and $R = 2/\varepsilon$, however many
# bins. The worst bin: $R\,t$ with $1 - (1 - e^{-t})^{10} = 0.05$. The union bound
# $t \le \ln(d/\delta)$ is hardly larger.

# %%
worst_bin = tolerance_for(0.05, epsilon=1, sensitivity=2, dimension=10, norm="linf")
t10 = -np.log(1 - 0.95 ** (1 / 10))
assert np.isclose(worst_bin, 2 * t10)
assert 0 < 2 * np.log(10 / 0.05) - worst_bin < 0.06

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
#
# ```{solution-start} ex-lap-02-tolerance
# :class: dropdown
# ```
# The log ratio outside both answers is $g/R = 2\varepsilon$ for $g = \Delta$: the level is $2\varepsilon$.
# Every tolerance is halved. It is the same trade as choosing $2\varepsilon$ openly.

# %%
assert sp.simplify(below.subs(R, Delta / (2 * epsilon)).subs(g, Delta)) == 2 * epsilon
halved = tolerance_for(0.05, epsilon=2, sensitivity=1)
assert np.isclose(halved, tolerance_for(0.05, epsilon=1, sensitivity=1) / 2)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A closed bound for the Gamma tail
# :label: ex-lap-02-chernoff
# ```
# **Research.** The quantile of the Gamma tail has no closed form. Prove that
# $t = d + \sqrt{2 d \ln\frac1\delta} + \ln\frac1\delta$ is always enough for the 1-norm. How loose is it?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lap-02-chernoff
# :class: dropdown
# ```
# For a sum $X$ of $d$ exponentials and $0 < s < 1$, Markov's inequality for $e^{sX}$ gives
# $\ln\Pr(X > t) \le -d\ln(1 - s) - st$, least at $s = 1 - d/t$: $-d\,(v - \ln(1 + v))$ with $v = t/d - 1$. Put
# $z = \sqrt{2 \ln(1/\delta)/d}$. Our $t$ has $v = z + z^2/2$, and $v - \ln(1 + v) \ge z^2/2$ means
# $e^z \ge 1 + z + z^2/2$, the beginning of the exponential series. So the exponent is at most $-d z^2/2 = \ln\delta$.

# %%
z, w, d_sym = sp.symbols("z w d", positive=True)
exponent = -d_sym * sp.log(1 - w) - w * T
assert sp.simplify(sp.diff(exponent, w).subs(w, 1 - d_sym / T)) == 0
least = exponent.subs(w, 1 - d_sym / T).subs(T, d_sym * (1 + z + z**2 / 2))
stated = -d_sym * (z + z**2 / 2 - sp.log(1 + z + z**2 / 2))
assert sp.simplify(sp.expand_log(least - stated, force=True)) == 0

many = np.array([1, 2, 5, 10, 100])
closed = many + np.sqrt(2 * many * np.log(20)) + np.log(20)
exact_t = tolerance_for(0.05, dimension=many, **unit_scale)
print("bound / exact at δ = 0.05:", (closed / exact_t).round(2))
assert np.all(exact_t <= closed)
assert np.all(np.diff(closed / exact_t) < 0)  # ever tighter

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
