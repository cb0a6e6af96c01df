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
# # Why is differential privacy not enough?
#
# A health office publishes how many of ten people have influenza, with enough random noise that one
# person more or less hardly changes the answer. If the ten are strangers, each of them is safe. If they
# live under one roof and catch everything together, the same noisy count tells almost surely whether
# *each* of them is ill. The noise did not change. What changed is what one person's state says about
# the others.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what a Laplace release leaks about one person when others resemble that person,
# why the attacker who knows *least* can learn *most* (and when it is the other way round), and how to
# write the leakage down exactly.
# **You need** conditional probability and a little Python.
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two values of one tuple; the number of tuples is fixed. **The attacker**
# $\adversary(i, \known)$ wants $x_i$, knows the exact values $x_{\known}$ of some other tuples, knows the
# joint law of all tuples and the mechanism, and sees one output. A *strong* attacker (強い攻撃者) knows all
# tuples but the target, a *weak* one (弱い攻撃者) knows none. **Protected:** the odds between any two values
# of $x_i$. **Not protected:** what the joint law alone already says about $x_i$.
# ```

# %%
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue
from plotly.subplots import make_subplots

from privlib.correlated.finite import FiniteLaw
from privlib.kit import Slider, claim, interactive, plots, slips

plots.use()


# %% [markdown]
# ## Ten strangers, ten friends, one family
#
# The published number is a count of ten zeros and ones plus Laplace noise (ラプラシアンノイズ). One person
# moves the count by at most 1, so $\Lap(1/\varepsilon)$ is enough for $\varepsilon$-differential privacy
# (差分プライバシー). To see what an attacker learns who knows nobody's state, we need one ingredient that
# differential privacy leaves out: the joint law of the ten.
#
# Take a dial $c$. With probability $c$ all ten copy one fair coin, otherwise each tosses a coin of their
# own. At $c = 0$ they are strangers, at $c = 1$ a family. The law has only 1,024 cells, so the leakage
# is an exact finite computation.

# %%
def ten_people(c):
    """Joint law of ten binary tuples that share one coin with probability c."""
    joint = np.full((2,) * 10, (1 - c) / 2**10)
    joint[(0,) * 10] += c / 2
    joint[(1,) * 10] += c / 2
    return joint


epsilon = 0.1
strangers, family = ten_people(0.0), ten_people(1.0)

with claim("Y-1.a") as c:
    for law in (strangers, family):
        level = FiniteLaw(law).dp_level(scale=1 / epsilon)
        c.close(level, epsilon, "level of DP of Lap(1/ε)", rtol=1e-12)
with claim("Y-1.b") as c:
    weak = FiniteLaw(strangers).bdp_leakage(0, scale=1 / epsilon)
    c.close(weak, epsilon, "ten independent people, weak attacker", rtol=1e-12)
with claim("Y-1.c") as c:
    counts = {sum(cell) for cell in zip(*np.nonzero(family))}
    c.exact(counts, {0, 10}, "the count is 0 or 10")
    weak = FiniteLaw(family).bdp_leakage(0, scale=1 / epsilon)
    c.close(weak, 10 * epsilon, "the log odds move by ten times ε", rtol=1e-12)

# %% [markdown]
# So the family's noise must be ten times wider. The text asks for $\Lap(1/10\varepsilon)$, which is ten
# times *narrower*; the tenfold change that it names shows that $\Lap(10/\varepsilon)$ was meant. (This
# slip, with the others of this notebook, is in the table near the end.)

# %%
scales = {
    "Lap(1/ε)": 1 / epsilon,
    "Lap(10/ε)": 10 / epsilon,
    "Lap(1/(10ε))": 1 / (10 * epsilon),
}
family_leakage = {
    name: FiniteLaw(family).bdp_leakage(0, scale=scale)
    for name, scale in scales.items()
}
for name, leakage in family_leakage.items():
    print(f"{name:13s} leaks {leakage:5.2f} about each of the ten")

# %% [markdown]
# And the ten friends, between strangers and family? The paper leaves the question open at this point.
# For this family of laws here is the whole answer.

# %% mystnb={"figure": {"caption": "What a count of ten people leaks about one of them, as a multiple of the level \u03b5 that the noise was chosen for. The dial c runs from strangers (0) to family (1). A little sharing is enough when \u03b5 is small.", "name": "fig-ten-people"}, "image": {"alt": "Three rising curves of leakage divided by epsilon against the dial c from 0 to 1, all from 1 at c = 0 to 10 at c = 1; the curve for epsilon 0.1 is nearly a straight line, those for larger epsilon bend upwards early."}} tags=["hide-input"]
dial = np.linspace(0, 1, 41)
fig, ax = plots.panels(height=3.2)
friends = {}
for eps in (0.1, 1.0, 5.0):
    leakage = [FiniteLaw(ten_people(c)).bdp_leakage(0, scale=1 / eps) for c in dial]
    friends[eps] = np.array(leakage) / eps
    ax.plot(dial, friends[eps], label=f"ε = {eps:g}")
ax.axhline(1, color=plots.COLOURS["grey"], lw=1, ls="-")
ax.text(1, 1.15, "what differential privacy reports", ha="right", color="#555555")
ax.set(
    xlabel="probability c that all ten share one coin",
    ylabel="leakage / ε",
    ylim=(0, 10.5),
)
ax.legend()
plt.show()

# %%
with claim("Y-1.e") as c:
    for eps, curve in friends.items():
        c.close(
            curve[[0, -1]], [1, 10], f"ε = {eps:g}: strangers and family", rtol=1e-9
        )
        c.at_most(
            curve[:-1], curve[1:], f"ε = {eps:g}: all others in between, in order"
        )


# %% [markdown]
# ## Two people are enough
#
# Everything can be seen with two binary tuples and the sum $x_1 + x_2$. The paper's Table 3 gives three
# joint laws (同時分布): independent, positively and negatively correlated. We read the printed decimals as
# exact fractions.

# %%
def table(*rows):
    """Printed rows x2 = 0, 1 and columns x1 = 0, 1, as joint[x1, x2]."""
    return np.array(
        [[Fraction(p) for p in row.split()] for row in rows], dtype=object
    ).T


tables = {
    "(a) independent": table("0.1 0.15", "0.3 0.45"),
    "(b) positive": table("0.49 0.01", "0.01 0.49"),
    "(c) negative": table("0.01 0.49", "0.49 0.01"),
}


def correlation_squared(joint):
    """Sign and square of the correlation of two binary tuples, exactly."""
    p1, p2 = joint[1].sum(), joint[:, 1].sum()
    covariance = joint[1, 1] - p1 * p2
    square = covariance**2 / (p1 * (1 - p1) * p2 * (1 - p2))
    return (covariance > 0) - (covariance < 0), square


with claim("Y-T3") as c:
    for name, joint in tables.items():
        c.exact(joint.sum(), Fraction(1), f"{name} sums to one")
    a = tables["(a) independent"]
    product = np.multiply.outer(a.sum(axis=1), a.sum(axis=0))
    c.exact(a, product, "(a) is the product of its margins")
    square = Fraction(96, 100) ** 2
    c.exact(correlation_squared(tables["(b) positive"]), (1, square), "(b): +0.96")
    c.exact(correlation_squared(tables["(c) negative"]), (-1, square), "(c): −0.96")


# %% [markdown]
# What must the attacker tell apart? Two densities of the noisy sum: one for $x_1 = 0$, one for $x_1 = 1$.
# The strong attacker knows $x_2$ and compares two Laplace densities one unit apart. The weak attacker
# averages over $x_2$, and here the joint law enters:
#
# $$ p(r \mid x_1) = \sum_{x_2} p(r \mid x_1 + x_2)\, \Pr(x_2 \mid x_1). $$

# %% mystnb={"figure": {"caption": "Our rebuild of Figure 1 (\u03b5 = 1; the paper's \u03b5 is not stated). Top left: the strong attacker, whatever the law. Then the weak attacker for the three laws of Table 3. Under (b) the two densities move apart, under (c) they all but coincide.", "name": "fig-densities"}, "image": {"alt": "Four panels of two Laplace-like densities each. Strong attacker: peaks at 0 and 1. Weak, independent: two blended shapes close together. Weak, positive: peaks at 0 and 2. Weak, negative: both curves on top of each other with a peak at 1."}} tags=["hide-input"]
def density(r, joint, x1, eps):
    """p(r | x1) for the weak attacker: the mixture written out."""
    given = np.array(joint[x1] / joint[x1].sum(), dtype=float)
    return sum(
        p * eps / 2 * np.exp(-eps * abs(r - x1 - x2)) for x2, p in enumerate(given)
    )


r = np.linspace(-3, 5, 801)
fig, axes = plots.panels(2, 2, height=4.6, sharex=True, sharey=True)
axes = axes.ravel()
for x1 in (0, 1):
    axes[0].plot(r, np.exp(-abs(r - x1)) / 2, label=f"$x_1 = {x1}$")
    for ax, joint in zip(axes[1:], tables.values()):
        ax.plot(r, density(r, joint, x1, 1.0))
titles = ("strong, $x_2 = 0$", *(f"weak, {name}" for name in tables))
for ax, title in zip(axes, titles):
    ax.set_title(title)
for ax in axes[2:]:
    ax.set_xlabel("output r")
for ax in axes[::2]:
    ax.set_ylabel("density")
axes[0].legend()
plt.show()

# %% [markdown]
# Figure 1 itself is an image that our text does not contain, so it counts as not reproducible. What the
# text says about it can be checked, and the sentence that the weak attacker's curves for independent data
# "look like" the strong attacker's holds in the sense that matters: they lie no further apart.

# %%
with claim("Y-F1") as c:
    c.missing("the image, and the ε of its curves, are not in the text that we have")
with claim("Y-3.d") as c:
    ratio = np.log(density(r, a, 0, 1.0) / density(r, a, 1, 1.0))
    c.at_most(np.abs(ratio), 1.0, "weak, independent: within ε = 1", slack=1e-12)
    mixture = a[0, 1] / a[0].sum()
    c.exact(mixture, Fraction(3, 4), "the two panels are mixed 1 : 3")

# %% [markdown]
# ## The leakage, exactly
#
# How far apart are two such densities at worst? The **leakage** of an attacker is the largest log ratio,
# over the output $r$ and the two values of the target. Between two neighbouring values of the sum each
# density is $A\,e^{r\varepsilon} + B\,e^{-r\varepsilon}$ with $A, B \ge 0$, so the ratio of two of them
# moves in one direction only; beyond the ends it is constant. So the supremum sits *at a value of the
# sum*: here $r = 0, 1$ or $2$. Three numbers to compare, no calculus.

# %%
eps = sp.Symbol("epsilon", positive=True)
q = sp.exp(-eps)


def likelihood(r, joint, x1):
    """p(r | x1) at a value r of the sum, exactly, up to the factor ε/2."""
    given = [sp.Rational(p) for p in joint[x1] / joint[x1].sum()]
    return sum(p * q ** abs(r - x1 - x2) for x2, p in enumerate(given))


b = tables["(b) positive"]
ratios = {v: likelihood(v, b, 0) / likelihood(v, b, 1) for v in (0, 1, 2)}
for value, ratio in ratios.items():
    print(
        f"r = {value}:  p(r|0) / p(r|1) =", sp.factor(ratio.subs(q, sp.Symbol("q")))
    )

assert ratios[1] == 1
assert sp.simplify(ratios[0] * ratios[2]) == 1

# %% [markdown]
# Here $q = e^{-\varepsilon}$. The ratio at $r = 2$ is the inverse of that at $r = 0$, and at $r = 1$ both densities agree. That leaves
# one candidate, which is the printed expression of section 4.2.3. The package finds the same closed form
# for any finite law by the same argument, for every $\varepsilon > 0$ at once:

# %%
closed = {
    (name, target, known): FiniteLaw(joint).bdp_leakage(target, known, scale=1 / eps)
    for name, joint in tables.items()
    for target in (0, 1)
    for known in ((), (1 - target,))
}
for name in tables:
    print(f"{name}")
    for target, known in ((0, ()), (0, (1,)), (1, ()), (1, (0,))):
        kind = "strong" if known else "weak"
        ratio = sp.simplify(sp.exp(closed[name, target, known])).subs(
            q, sp.Symbol("q")
        )
        ratio = sp.factor(ratio.subs(eps, -sp.log(sp.Symbol("q"))))
        print(f"   {kind:6s} attacker of x{target + 1}:  log of {ratio}")

# %% [markdown]
# Twelve attackers, three different answers. Every strong attacker learns exactly $\varepsilon$, as
# differential privacy promises. The weak ones learn $\varepsilon$ from independent data, more under (b),
# less under (c).

# %%
often, rarely = sp.Rational("0.98"), sp.Rational("0.02")
printed_b = (often + rarely * q) / (rarely * q + often * q**2)  # section 4.2.3
printed_c = (rarely + often * q) / (often * q + rarely * q**2)

strong = [f for (_, _, known), f in closed.items() if known]
weak_a, weak_b, weak_c = (closed[name, 0, ()] for name in tables)
c_table = tables["(c) negative"]
by_hand_c = likelihood(0, c_table, 0) / likelihood(0, c_table, 1)

level = {eps: sp.Rational(1, 10)}
leak_b, leak_c = float(weak_b.subs(level)), float(weak_c.subs(level))

# %%
with claim("Y-3.c") as c:
    c.exact(weak_a, eps, "weak attacker, independent: exactly ε")
    c.exact(strong[:2], [eps] * 2, "strong attackers, independent: exactly ε")
with claim("Y-3.e") as c:
    c.exact(strong[2:], [eps] * 4, "strong attackers, correlated: exactly ε")
with claim("Y-3.f") as c:
    c.at_most(1.9 * 0.1, leak_b, "weak, (b), ε = 0.1: at least 1.9 ε")
with claim("Y-3.g") as c:
    c.at_most(leak_c, 0.01, "weak, (c), ε = 0.1: a tenth of ε at most")
with claim("Y-4.a") as c:
    c.exact(sp.exp(weak_b), printed_b, "the printed closed form, for every ε")
    c.exact(sp.exp(weak_b), ratios[0], "by hand, at r = 0")
    c.close(leak_b, 0.196, "printed 0.196", atol=5e-4, rtol=0)
    c.close(leak_b, 2 * 0.1, "about 2ε", rtol=0.025)
with claim("Y-4.c") as c:
    c.exact(sp.exp(weak_c), printed_c, "the printed closed form, for every ε")
    c.exact(sp.exp(weak_c), by_hand_c, "by hand, at r = 0")
    c.close(leak_c, 0.004, "printed 0.004", atol=5e-4, rtol=0)
    worst_c = FiniteLaw(c_table.astype(float)).worst_adversary(scale=10.0)
    c.close(worst_c.leakage, 0.1, "over all four attackers: ε", rtol=1e-12)
with claim("Y-4.e") as c:
    worst_b = FiniteLaw(b.astype(float)).worst_adversary(scale=10.0)
    knows = tuple(len(worst.adversary.known) for worst in (worst_b, worst_c))
    c.exact(knows, (0, 1), "the worst knows nothing under (b), everything under (c)")

glue("weak-b", round(leak_b, 6), display=False)
glue("weak-c", round(leak_c, 6), display=False)

# %% [markdown]
# With $\varepsilon = 0.1$ the weak attacker learns {glue:text}`weak-b:.6f` under (b), printed as 0.196, and
# {glue:text}`weak-c:.6f` under (c), printed as 0.004. So differential privacy understates the leakage by
# almost a factor of two in one case and overstates it in the other.
#
# An independent route: evaluate both densities on a fine grid that knows nothing about where the supremum
# sits.

# %%
grid = np.linspace(-20, 22, 420_001)
with claim("Y-B12") as c:
    for name, joint in tables.items():
        for e in (0.1, 1.0, 5.0):
            ratio = density(grid, joint, 0, e) / density(grid, joint, 1, e)
            exact = FiniteLaw(joint.astype(float)).bdp_leakage(0, scale=1 / e)
            label = f"{name}, ε = {e:g}: a grid of outputs finds the same supremum"
            c.close(np.abs(np.log(ratio)).max(), exact, label, rtol=1e-9)


# %% [markdown]
# ## One picture
#
# Between the three tables lies a whole family: two fair coins that agree with probability $(1 + \rho)/2$.

# %% mystnb={"figure": {"caption": "Left: the two densities that the weak attacker of Table 3(b) must tell apart (solid, dashed) are twice as far apart as the strong attacker's (thin). Right: leakage of the weak attacker against the correlation \u03c1 of two fair coins. The strong attacker stays at 1. Who is more dangerous depends on the sign of \u03c1.", "name": "fig-correlation"}, "image": {"alt": "Left, densities with peaks at 0 and 2 for the weak attacker and thin curves with peaks at 0 and 1 for the strong one. Right, leakage over epsilon against correlation from minus 1 to 1: rising from 0 through 1 at zero correlation to 2, for three values of epsilon, with a horizontal line at 1 for the strong attacker."}} tags=["cover", "hide-input"]
def coins(rho):
    """Two fair coins with correlation rho."""
    return np.array([[1 + rho, 1 - rho], [1 - rho, 1 + rho]]) / 4


rho = np.linspace(-1, 1, 81)
fig, (left, right) = plots.panels(1, 2, width=8.4, height=3.3)
for x1, style in ((0, "-"), (1, "--")):
    blue, grey = plots.COLOURS["blue"], plots.COLOURS["grey"]
    left.plot(
        r, density(r, b, x1, 1.0), style, color=blue, label=f"weak, $x_1 = {x1}$"
    )
    left.plot(
        r,
        np.exp(-abs(r - x1)) / 2,
        style,
        color=grey,
        lw=1,
        label=f"strong, $x_1 = {x1}$",
    )
left.set(xlabel="output r", ylabel="density", title="what must be told apart")
left.legend(fontsize=8.5)
curves = {}
for e in (0.1, 1.0, 5.0):
    curves[e] = (
        np.array([FiniteLaw(coins(p)).bdp_leakage(0, scale=1 / e) for p in rho]) / e
    )
    right.plot(rho, curves[e], label=f"weak, ε = {e:g}")
right.axhline(1, color=plots.COLOURS["grey"], lw=1.2, ls="-", label="strong")
right.set(
    xlabel="correlation ρ of the two tuples",
    ylabel="leakage / ε",
    title="what is leaked",
)
right.legend(fontsize=8.5)
plt.show()

middle = len(rho) // 2
for curve in curves.values():
    assert np.all(np.diff(curve) > -1e-12)  # more correlation, more leakage
    assert np.allclose(curve[[0, middle, -1]], [0, 1, 2], atol=1e-9)  # −1, 0, +1

# %% [markdown]
# Table 1 of the paper is the coarse version of this picture: differential privacy is adequate (妥当) for a
# strong attacker or independent data, and not for correlated data and an arbitrary attacker.

# %%
with claim("Y-T1") as c:
    independent = [f for (name, _, _), f in closed.items() if name.startswith("(a)")]
    c.exact(independent, [eps] * 4, "independent, every attacker: ε")
    c.exact(strong, [eps] * 6, "strong attacker, every table: ε")
    c.at_most(1.9 * 0.1, leak_b, "correlated, weak: at least 1.9 ε, not adequate")

# %% [markdown]
# ## All four attackers, for every ρ and ε
#
# Two tuples have four attackers in all: each tuple has a weak one and a strong one. Set the correlation to 0.96, which is
# Table 3(b), and then make $\varepsilon$ larger: with little noise left, knowing a companion matters less. Then
# cross $\rho = 0$ and see the weak and the strong attackers change places. With sliders, curves beside the bars show the
# log ratio that the leakage is the maximum of, for each value of the noisy sum.

# %% mystnb={"figure": {"caption": "Bars, the leakage of all four attackers of two fair coins, as a multiple of \u03b5, which is what differential privacy reports (grey line at 1). For negative \u03c1 the strong attackers learn most, for positive \u03c1 the weak ones, and the more so the smaller \u03b5 is.", "name": "fig-two-tuples"}, "image": {"alt": "Three groups of bars for correlation minus 0.96, 0 and plus 0.96, with epsilon 0.1, 1 and 10. Strong attackers always stand at 1. Weak attackers are near 0 for epsilon 0.1 and at about 0.6 for epsilon 10 when the correlation is negative, at 1 when it is zero, and between 2 and 1.4 when it is positive."}} tags=["hide-input"]
attackers = {  # target and what is known, 0-based
    "weak, of x₁": (0, ()),
    "weak, of x₂": (1, ()),
    "strong, of x₁": (0, (1,)),
    "strong, of x₂": (1, (0,)),
}


def four_leakages(p, e):
    """Leakage / ε of the four attackers of two coins with correlation p."""
    leaks = FiniteLaw(coins(p)).all_leakages(scale=1 / e)
    return [leaks[who] / e for who in attackers.values()]


fig, axes = plots.panels(1, 3, width=8.4, height=3.2, sharey=True)
for ax, p in zip(axes, (-0.96, 0.0, 0.96)):
    for shift, (e, colour) in enumerate(
        ((0.1, "blue"), (1.0, "orange"), (10.0, "green"))
    ):
        spots = np.arange(4) + 0.27 * (shift - 1)
        bars = four_leakages(p, e)
        ax.bar(spots, bars, 0.25, color=plots.COLOURS[colour], label=f"ε = {e:g}")
    ax.axhline(1, color=plots.COLOURS["grey"], lw=1.2, ls="-")
    ax.set_xticks(range(4), [name.replace(", of ", "\n") for name in attackers])
    ax.set_title(f"ρ = {p:g}".replace("-", "−"))
axes[0].set_ylabel("leakage / ε")
axes[0].legend(fontsize=8.5)
plt.show()

# %% tags=["hide-input"]
correlations = [-0.99, -0.96, *np.round(np.arange(-9, 10) / 10, 1), 0.96, 0.99]
levels = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]
outputs = np.arange(-1, 3.01, 0.125)


def log_ratio(p, e, known):
    """log of p(r | x₁ = 0) / p(r | x₁ = 1), by Bayes' rule from the posterior."""
    joint = coins(p)
    prior = joint[:, known[1]] if known else joint.sum(axis=1)
    after = np.array(
        [FiniteLaw(joint).posterior(0, known, output=r, scale=1 / e) for r in outputs]
    )
    return np.log(after[:, 0] / after[:, 1]) - np.log(prior[0] / prior[1])


def frame(p, e):
    bars = four_leakages(p, e)
    note = f"Weak attackers learn {bars[0]:.2f} ε, strong ones {bars[2]:.2f} ε. "
    if p == 0:
        note += "All four learn the same."
    else:
        known = FiniteLaw(coins(p)).worst_adversary(scale=1 / e).adversary.known
        note += f"The worst one knows {'the other coin' if known else 'nothing'}."
    return [
        {"trace": 0, "y": log_ratio(p, e, {}) / e},
        {"trace": 1, "y": log_ratio(p, e, {1: 0}) / e},
        {"trace": 2, "y": bars},
        {"note": note},
    ]


blue, orange, grey = (plots.COLOURS[name] for name in ("blue", "orange", "grey"))
live = make_subplots(1, 2, horizontal_spacing=0.13)
live.add_scatter(x=outputs, name="weak", line={"color": blue, "width": 3})
live.add_scatter(
    x=outputs,
    name="strong, x₂ = 0",
    line={"color": orange, "width": 3, "dash": "dash"},
)
live.add_bar(
    x=[name.replace(", ", "<br>") for name in attackers],
    marker={"color": [blue, blue, orange, orange]},
    showlegend=False,
    row=1,
    col=2,
)
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
        Slider("level ε of the noise", levels, format="g", start=levels.index(1.0)),
    ],
    frame,
    alt="Left, the log ratio that a weak and a strong attacker of the first of two "
    "coins see, against the output. Right, the leakage of all four attackers.",
)

# %% tags=["hide-input"]
# The bars are the printed closed forms, rise with ρ, and bound the curves tightly
bars_at = np.array([[four_leakages(p, e) for e in levels] for p in correlations])
for name, p in zip(tables, (0.0, 0.96, -0.96)):
    by_hand = [float(closed[name, 0, ()].subs(eps, e)) / e for e in levels]
    assert np.allclose(bars_at[correlations.index(p), :, 0], by_hand, rtol=1e-9)
assert np.allclose(bars_at[..., 2:], 1, rtol=1e-12)  # strong: always ε
assert np.allclose(bars_at[..., 0], bars_at[..., 1], rtol=1e-12)  # alike
assert np.all(np.diff(bars_at[..., 0], axis=0) > 0)
positive_side = bars_at[correlations.index(0.1) :, :, 0]
assert np.all(np.diff(positive_side, axis=1) < 0)  # more noise, more surplus
by_hand = np.log(density(outputs, b, 0, 2.0) / density(outputs, b, 1, 2.0))
assert np.allclose(log_ratio(0.96, 2.0, {}), by_hand, rtol=1e-9, atol=1e-12)
for p, e in ((0.96, 0.1), (-0.5, 1.0), (0.3, 10.0)):
    for known, bar in (({}, 0), ({1: 0}, 2)):
        highest = np.abs(log_ratio(p, e, known)).max() / e
        assert np.isclose(highest, four_leakages(p, e)[bar], rtol=1e-9)

# %% [markdown]
# ## The same thing in odds
#
# Leakage has a plain reading that section 4.4 of the paper puts forward: by Bayes' rule it is the largest
# change of the log odds (オッズ比) between two values of the target, from before to after the release,
#
# $$ \log\frac{\Pr(x_i \mid r, x_{\known})}{\Pr(x_i' \mid r, x_{\known})}
#  - \log\frac{\Pr(x_i \mid x_{\known})}{\Pr(x_i' \mid x_{\known})}
#  = \log\frac{p(r \mid x_i, x_{\known})}{p(r \mid x_i', x_{\known})}. $$

# %%
prior0, prior1, like0, like1 = sp.symbols("pi_0 pi_1 p_0 p_1", positive=True)
evidence = prior0 * like0 + prior1 * like1
posterior_odds = (prior0 * like0 / evidence) / (prior1 * like1 / evidence)
change = sp.log(posterior_odds) - sp.log(prior0 / prior1)

with claim("Y-4.h") as c:
    expected = sp.log(like0) - sp.log(like1)
    c.exact(sp.expand_log(change), expected, "change of log odds = log ratio")
with claim("Y-4.j") as c:
    # a strong attacker knows all others: the same identity with K = [n] without i
    joint = b.astype(float)
    moves = []
    for x2 in (0, 1):
        for output in (-1.0, 0.5, 2.0):
            prior = joint[:, x2] / joint[:, x2].sum()
            after = FiniteLaw(joint).posterior(0, {1: x2}, output=output, scale=10.0)
            moves.append(np.log(after[1] / after[0]) - np.log(prior[1] / prior[0]))
    dp_level = FiniteLaw(joint).dp_level(scale=10.0)
    c.close(
        max(np.abs(moves)),
        dp_level,
        "largest move of the log odds = level of DP",
        rtol=1e-9,
    )

# %% [markdown]
# The paper's example: Table 3(b), $\varepsilon = 0.1$, the output happens to be 2.

# %%
joint = b.astype(float)
strong_prior = joint[:, 1] / joint[:, 1].sum()
strong_after = FiniteLaw(joint).posterior(0, {1: 1}, output=2.0, scale=10.0)
weak_prior = joint.sum(axis=1)
weak_after = FiniteLaw(joint).posterior(0, {}, output=2.0, scale=10.0)

print("              prior            posterior             printed")
print("strong ", strong_prior.round(6), strong_after.round(6), " {0.018, 0.982}")
print("weak   ", weak_prior.round(6), weak_after.round(6), " {0.45, 0.55}")

with claim("Y-4.i") as c:
    c.close(strong_prior, [0.02, 0.98], "strong prior", rtol=1e-12)
    c.close(
        strong_after, [0.018, 0.982], "strong posterior as printed", rtol=0, atol=5e-4
    )
    c.close(weak_prior, [0.5, 0.5], "weak prior", rtol=1e-12)
    c.close(weak_after, [0.45, 0.55], "weak posterior as printed", rtol=0, atol=5e-3)
    moved = [
        np.log(p[1] / p[0])
        for p in (strong_after, strong_prior, weak_after, weak_prior)
    ]
    c.close(moved[0] - moved[1], 0.1, "strong: log odds move by ε", rtol=1e-9)
    c.close(
        moved[2] - moved[3], leak_b, "weak: log odds move by the leakage", rtol=1e-9
    )

# %% [markdown]
# The strong attacker is almost certain before and hardly more certain after. The weak one starts from
# nothing and learns twice as much. That is the paper's point, and the numbers are right.
#
# ## Seen by simulation
#
# None of this needs trust in a formula. Draw databases from Table 3(b), release, and count how often each
# value of $x_1$ goes with an output near 2.

# %%
rng = np.random.default_rng(20150531)
draws = 2_000_000
cell = rng.choice(4, size=draws, p=joint.ravel())
x1, x2 = cell // 2, cell % 2
output = x1 + x2 + rng.laplace(scale=1.0, size=draws)

high = output >= 2  # above every value of the sum the ratio is constant
n0, n1 = (high & (x1 == 0)).sum(), (high & (x1 == 1)).sum()
estimate, error = np.log(n1 / n0), np.sqrt(1 / n0 + 1 / n1)
exact = FiniteLaw(joint).bdp_leakage(0, scale=1.0)
print(f"log odds moved by {estimate:.3f} ± {error:.3f}; exact {exact:.4f}")

assert abs(estimate - exact) < 4 * error
assert error < 0.02

# %% [markdown]
# ## Slips
#
# Small things in print, possibly the converter's. None of them touches a later result.

# %% tags=["hide-input"]
z, lam = sp.symbols("z lambda", positive=True)
xor = np.zeros((2, 2, 2))  # two fair coins and their exclusive or
for u, v in np.ndindex(2, 2):
    xor[u, v, u ^ v] = 0.25


def check_scale(c):
    c.differs(
        family_leakage["Lap(1/(10ε))"], epsilon, "leakage of ten copies, ε = 0.1"
    )
    c.close(family_leakage["Lap(10/ε)"], epsilon, "with Lap(10/ε)", rtol=1e-12)


def check_uncorrelated(c):
    covariance = np.cov(np.array(np.nonzero(xor)))  # four equally likely cells
    between = covariance[np.triu_indices(3, 1)]
    c.close(between, np.zeros(3), "no pair is correlated", rtol=0, atol=1e-12)
    leakage = FiniteLaw(xor).worst_adversary(scale=1.0).leakage
    c.fails(
        bool(leakage <= 1),
        f"three pairwise uncorrelated coins leak {leakage:.3f} at ε = 1",
        method="numeric",
    )


def check_density(c):
    mass = 2 * sp.integrate(sp.exp(-z / lam) / lam, (z, 0, sp.oo))
    c.differs(mass, sp.Integer(1), "integral of the printed density")
    c.exact(mass / 2, sp.Integer(1), "with the factor ½, as in (23)")


def check_indices(c):
    # as printed the two databases may differ in every tuple
    cells = list(np.ndindex(2, 2))
    printed = max(abs(sum(u) - sum(v)) for u in cells for v in cells)
    c.differs(printed, 1, "two binary tuples: largest shift of the sum")
    c.close(
        FiniteLaw(joint).dp_level(scale=1.0),
        1.0,
        "one tuple replaced: shift 1",
        rtol=1e-12,
    )


def check_direction(c):
    scale = FiniteLaw(joint).noise_scale(0.1)
    c.fails(
        bool(1 / scale >= 0.1),
        f"Table 3(b) at ε = 0.1 needs ε' = {1 / scale:.7f}",
        method="numeric",
    )
    worst = FiniteLaw(joint).worst_adversary(scale=scale).leakage
    c.close(worst, 0.1, "at that ε' the leakage over all attackers is ε", rtol=1e-9)


rows = [
    (
        "Y-1.d",
        r"$\mathrm{Lap}(1/10\varepsilon)$",
        r"$\mathrm{Lap}(10/\varepsilon)$",
        check_scale,
    ),
    (
        "Y-1.uncorrelated",
        "uncorrelated (無相関) people are the harmless case",
        "independent people are",
        check_uncorrelated,
    ),
    (
        "Y-3.b",
        r"density $\frac1\lambda e^{-|r-f|/\lambda}$",
        r"$\frac1{2\lambda} e^{-|r-f|/\lambda}$",
        check_density,
    ),
    (
        "Y-D3.1",
        r"supremum over $i, x_{-i}, x'_{-i}, S$",
        r"over $i, x_i, x_i', x_{-i}, S$",
        check_indices,
    ),
    (
        "Y-4.b",
        r"$\varepsilon' \ge \varepsilon$ with $\mathrm{Lap}(1/\varepsilon')$",
        r"$\varepsilon' \le \varepsilon$",
        check_direction,
    ),
]
records = slips(rows)

# %% [markdown]
# The Laplace mechanism itself is as it should be: with the half restored, scale $S(f)/\varepsilon$ gives
# $\varepsilon$-differential privacy, by the triangle inequality.

# %%
f, gap, t = sp.symbols("f gap t", positive=True)
noise_density = sp.exp(-sp.Abs(z) / lam) / (2 * lam)  # (23)
share = 1 / (1 + t)  # anything between 0 and 1


def log_ratio(r):
    """λ log p(r | x) / p(r | x'), for answers f(x) = f and f(x') = f + gap."""
    here, there = sp.Abs(r - f), sp.Abs(r - f - gap)
    quotient = noise_density.subs(z, here) / noise_density.subs(z, there)
    return sp.simplify(lam * sp.expand_log(sp.log(quotient), force=True))


below, above = log_ratio(f - t), log_ratio(f + gap + t)
between = log_ratio(f + share * gap)
print("below both:", below, "  above both:", above, "  between:", sp.factor(between))

with claim("Y-3.a") as c:
    c.exact(below, gap, "below both answers the log ratio is the gap, over λ")
    c.exact(above, -gap, "above both it is minus the gap")
    c.exact(
        between, gap * (1 - 2 * share), "in between it runs from one to the other"
    )
    for size in (1, 3):
        weights = [size] + [1] * 9
        level = FiniteLaw(ten_people(0.5), weights=weights).dp_level(scale=size / 0.1)
        c.close(
            level, 0.1, f"sensitivity {size}, scale {size}/ε: level ε", rtol=1e-12
        )

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Three people who share one state
# :label: ex-01-three
# ```
# **Warm-up.** Three people always share one state. Which attackers are there, and what does
# $\Lap(1/\varepsilon)$ leak to each kind?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-01-three
# :class: dropdown
# ```
# Twelve attackers ($n2^{n-1}$). With conditions of probability zero left out, whoever knows one person
# knows everybody, so only the three weak attackers can learn anything, and they learn $3\varepsilon$.

# %%
trio = np.zeros((2, 2, 2))
trio[0, 0, 0] = trio[1, 1, 1] = 0.5
found = FiniteLaw(trio).all_leakages(scale=10.0)
assert len(found) == 12
for (_, known), leakage in found.items():
    assert np.isclose(leakage, 0 if known else 0.3)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two correlated coins
# :label: ex-01-rho
# ```
# **Standard.** For two fair coins with correlation $\rho > 0$, derive the weak attacker's leakage in closed
# form and show that it exceeds $\varepsilon$ for every $\rho > 0$.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-01-rho
# :class: dropdown
# ```
# With $p = (1 + \rho)/2$ and $q = e^{-\varepsilon}$ the ratio at $r = 0$ is
# $\dfrac{p + (1-p)q}{(1-p)q + pq^2} = \dfrac1q\cdot\dfrac{p + (1-p)q}{(1-p) + pq}$, and
# $p + (1-p)q - (1-p) - pq = (2p - 1)(1 - q) > 0$.

# %%
R, y = sp.symbols("rho q", positive=True)
p = (1 + R) / 2
ratio = (p + (1 - p) * y) / ((1 - p) * y + p * y**2)
assert sp.simplify(ratio * y - (p + (1 - p) * y) / (1 - p + p * y)) == 0
assert sp.expand(p + (1 - p) * y - (1 - p) - p * y - R * (1 - y)) == 0
for value in (0.2, 0.7):
    expected = float(sp.log(ratio.subs({R: value, y: sp.exp(-1)})))
    assert np.isclose(FiniteLaw(coins(value)).bdp_leakage(0, scale=1.0), expected)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The slope for ten people
# :label: ex-01-dial
# ```
# **Research.** For the ten people of {numref}`fig-ten-people` and small $\varepsilon$, the curve is nearly
# $1 + 9c$... or is it $1 + 9c^2$? Find the slope of the leakage in $c$ as $\varepsilon \to 0$ by asking
# what the leakage becomes to first order in $\varepsilon$.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-01-dial
# :class: dropdown
# ```
# To first order the log ratio at an end of the range is $\varepsilon$ times the difference of the
# conditional means of the sum. Given $x_1$, each other person has mean $1/2 \pm c/2$, so the difference is
# $1 + 9c$: linear in $c$. The other persons' *correlation* with $x_1$ is exactly $c$ here, which is why
# it looks like the answer for Gaussian data in notebook 3.

# %%
tiny = 1e-4
leakage = [FiniteLaw(ten_people(c)).bdp_leakage(0, scale=1 / tiny) for c in dial]
slope = np.array(leakage) / tiny
assert np.allclose(slope, 1 + 9 * dial, rtol=2e-3)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Differential privacy bounds what a *strong* attacker learns. With correlated data a weak attacker can
#   learn more (positive correlation) or less (negative correlation).
# - The leakage of a Laplace release on finite data is a maximum over the values of the query, so it has a
#   closed form; all four attackers of each of the paper's tables are checked for every $\varepsilon$.
# - The paper's numbers 0.196, 0.004 and its odds are right; five slips in print are harmless.
#
# **Further reading.** Kifer and Machanavajjhala {cite:p}`kifer2011free` on why no definition protects
# against everything; the SIGMOD paper {cite:p}`yang2015correlated`. **Next:**
# [a definition that covers every attacker](02-bayesian-differential-privacy.ipynb).
