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
# # When does the noise give the answer away?
#
# A clinic publishes how many of its patients have a certain rare disease. The true count is 0 or 1, and a program adds Laplace noise of scale 10 to hide which. At every point, the probability densities of the published number under the two counts differ
# by at most 11%<!-- {np.exp(1 / scale) - 1:.0%} -->. Nevertheless, 81%<!-- {excluded[0]:.0%} --> of the published numbers *prove* which of the two counts is true.
#
# **The note** proposes to draw a random number $r$ from the Laplace distribution and to publish $y = q(D) + r$. It treats $r$ as a real number, and says nothing about the program that draws it.
# **We find** that the mechanism is private if $r$ is a real number, but that a program from textbooks leaks the count. The program can publish only some numbers, and for the counts 0 and 1 they are mostly different ones. Rounding the result to integers makes the leak rarer, but does not remove it. The remedy is noise that takes only integer values and is drawn
# with exact probabilities.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to read the true count off a noisy number, for which counts this attack works, and which noise is safe from it.
# **You need** the Laplace mechanism ([notebook 2](02-laplace-mechanism.ipynb)) and geometric series.
# **Time:** 24 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two databases whose counts differ by 1. **The attacker** sees one published number, and knows the scale, the program and the computer's arithmetic, but not the random bits. **Protected, in theory:** the true count. A published number should
# change the odds of two such counts (the probability of one divided by that of the other) by a factor of at most $e^{\varepsilon}$. For the scale 10, $\varepsilon = \frac{1}{10}$. **Not considered:** the time that the program takes, and a seed that the attacker can guess. (We use seeds so that you see
# the same numbers as we do. A real release must not.)
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
import random
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.notebook import plots

plots.use()

# %% [markdown]
# ## Which numbers can a program publish?
#
# A program cannot draw a real number. Suppose that its random number $U$, between $-\frac12$ and $\frac12$, has three bits. Then $U$ is a multiple of $\frac18$. (We leave out $-\frac12$ itself, for which the formula below would need the logarithm of 0.) The program turns $U$ into Laplace noise of scale 2 by a formula from textbooks, which is the second line below:

# %%
u = np.arange(-3, 4) / 8
noise = -2 * np.sign(u) * np.log(1 - 2 * abs(u))
from_zero = np.sort(0 + noise).round(2)
from_one = np.sort(1 + noise).round(2)
print("count 0:", from_zero)
print("count 1:", from_one)
assert not set(from_zero) & set(from_one)


# %% [markdown]
# No number occurs in both lists. Whatever this program publishes, an attacker who makes the two lists knows the count. A real program draws $U$ with 53 bits instead of three, so its lists are much longer. Do they overlap enough to hide the count?
#
# ## Mironov's attack finds the true count
#
# ```{prf:algorithm} The naive sampler
# :label: alg-lap-04-textbook
# Draw $U$ uniformly from $(-\frac12, \frac12)$ and return $-R\,\mathrm{sgn}(U)\ln(1 - 2|U|)$, where $\mathrm{sgn}(U)$ is the sign of $U$.
# ```

# %%
def naive_sampler(size, scale, rng):
    u = rng.random(size) - 0.5
    return -scale * np.sign(u) * np.log(1 - 2 * np.abs(u))


# %% [markdown]
# If $U$ is a real number, this is exactly Laplace noise of scale $R$. Indeed, for $t > 0$ the result exceeds $t$ if $U > 0$ and $1 - 2U < e^{-t/R}$, that is, if $U$ lies between $\frac12(1 - e^{-t/R})$ and $\frac12$. This has probability
# $\frac12 e^{-t/R}$, which is the probability that Laplace noise exceeds $t$. Negative results are symmetric.
#
# But the program computes with *doubles*, floating-point numbers that have 53 binary digits, and numpy draws $U$ as a multiple of $2^{-53}$. (We ignore $U = -\frac12$, which has probability $2^{-53}$.) Therefore $1 - 2|U|$ is a fraction $j/2^{52}$ with an integer $j$, and the size (absolute value) of the noise is one of the numbers
#
# $$ r_j = R \ln \frac{2^{52}}{j}, \qquad j = 1, 2, \dots, 2^{52}. $$
#
# The attack of {cite:t}`mironov2012significance` asks, for a published number $y$ and each possible count $f$, whether the program can get from $f$ to $y$. The noise would have to be $y - f$. Solving $r_j = |y - f|$ for $j$ gives $2^{52} e^{-|y - f|/R}$, so $j$ would have to be close to this number. For small counts, floating-point errors shift it by about 1 at most. To be safe, the attacker tries the nearest integer and three on each side, and
# computes the noise as the sampler does. If none of the seven leads to exactly $y$, then $f$ is not the true count. (A separate check, linked below, tries 401 integers for each of 3,000 numbers, with the same results.)

# %%
def can_produce(count, published, scale):
    """Whether the naive sampler can get from this count to each published number."""
    distance = published - count
    nearest = np.rint(2**52 * np.exp(-np.abs(distance) / scale))
    possible = np.zeros(published.shape, dtype=bool)
    for step in range(-3, 4):
        j = np.clip(nearest + step, 1, 2**52)
        noise = -scale * np.sign(distance) * np.log(j / 2**52)
        possible |= count + noise == published
    return possible


# %% [markdown]
# Here is the attack on 100,000 published numbers for each of the two counts:

# %%
scale = 10.0  # ε = 1/10, because one record changes the count by 1
noise = naive_sampler(100_000, scale, np.random.default_rng(1))
excluded = {}
for truth, other in ((0, 1), (1, 0)):
    published = truth + noise
    assert can_produce(truth, published, scale).all()  # the true count is never excluded
    excluded[truth] = 1 - can_produce(other, published, scale).mean()
    print(f"true count {truth}: {excluded[truth]:.1%} of the numbers exclude {other}")

# %% [markdown]
# In theory, a published number changes the odds by a factor of at most $e^{0.1} \approx$ 1.105<!-- {np.exp(1 / scale):.3f} -->. In fact, 81%<!-- {excluded[0]:.0%} --> of the numbers leave only one of the two counts possible.
#
# To see why, we look at 64 consecutive doubles, starting at 5. For each of them the attack says which of the two counts can produce it.

# %%
window = 5 + np.spacing(5.0) * np.arange(64)  # np.spacing: distance to the next double
reached = np.array([can_produce(count, window, scale) for count in (0, 1)])
for count in (0, 1):
    print(f"count {count} can produce {reached[count].sum()} of the 64 numbers")
print(f"both counts can produce {reached.all(axis=0).sum()}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Sixty-four consecutive doubles. A coloured cell is a number that the program can publish if the true count is 0 (upper row) or 1 (lower row). A published number that is coloured in one row and empty in the other proves the count.", "name": "fig-lap-04-porous"}, "image": {"alt": "Two rows of 64 cells each. About a quarter of the cells in each row are coloured, irregularly spaced, and few columns are coloured in both rows."}} tags=["figure"]
fig, ax = plots.panels(height=1.9)
for row, (filled, name) in enumerate(zip(reached, ("blue", "orange"))):
    box = {"height": 0.8, "bottom": 0.6 - row, "width": 0.9}
    ax.bar(np.arange(64)[filled], color=plots.COLOURS[name], **box)
    ax.bar(np.arange(64), color="none", edgecolor="#cccccc", lw=0.5, **box)
ax.set_yticks([1, 0], ["count 0", "count 1"])
ax.set(xlabel="position k of the double 5 + k · 2⁻⁵⁰", xlim=(-1, 64))
ax.grid(visible=False)
assert np.array_equal((window - 5) * 2.0**50, np.arange(64))  # the axis
assert np.all(abs(reached.mean(axis=1) - 0.25) < 0.05)  # about a quarter
assert reached.all(axis=0).sum() < 8  # few in both
plt.show()

# %% [markdown]
# Each count can produce only about a quarter of these numbers, and mostly not the same ones. (On another processor the last digit of a logarithm may differ. Then other cells are coloured, but about as many.)
#
# ## Why are there gaps?
#
# ```{prf:proposition} The sizes of the noise are far apart
# :label: prp-lap-04-spacing
# Neighbouring sizes $r_j$ and $r_{j+1}$ of the naive sampler's noise satisfy $\dfrac{R}{j + 1} < r_j - r_{j+1} < \dfrac{R}{j}$.
# ```
#
# ```{prf:proof}
# The difference is $R \ln (j + 1) - R \ln j$, the integral of $R/x$ from $j$ to $j + 1$. On this interval, which has length 1, the integrand lies between $R/(j + 1)$ and $R/j$.
# ```

# %%
R, j, x = sp.symbols("R j x", positive=True)
size = R * sp.log(2**52 / j)
difference = size - size.subs(j, j + 1)
integral = sp.integrate(R / x, (x, j, j + 1))
assert sp.simplify(sp.expand_log(difference - integral)) == 0


# %% [markdown]
# Noise of size $r$ has $j = 2^{52} e^{-r/R}$. By the proposition, the distance to the next size is about $R/j = 2^{-52} R\, e^{r/R}$. We call this distance the *gap*. It grows exponentially with $r$. Where the gap is wider than the distance between neighbouring doubles, the program skips doubles.
#
# This suggests a prediction. To get from the count $f$ to a double near $y$, the program needs noise of size $|y - f|$. If the gap for this size is four times the distance between doubles, the program can reach about one double in four. To predict how often count 1 is excluded, we treat the two sets of reachable numbers as unrelated, and average the share that count 1 does *not* reach.

# %%
def share_reached(y, count, scale):
    """Predicted share of the doubles near y that this count can produce."""
    gap = 2.0**-52 * scale * np.exp(np.abs(y - count) / scale)
    return np.minimum(1, np.spacing(np.abs(y)) / gap)


predicted = 1 - share_reached(0 + noise, 1, scale).mean()
for count in (0, 1):
    print(f"count {count} reaches {share_reached(5, count, scale):.0%} of the doubles near 5")
print(f"true count 0: {predicted:.1%} of the numbers should exclude 1")

# %% [markdown]
# {numref}`fig-lap-04-gaps` compares the two distances for count 0.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Why the program skips doubles: count 0, R = 10<!-- {scale:g} -->. The gap between neighbouring sizes of the noise (solid) is everywhere wider than the distance between neighbouring doubles (dashed). Near 5 it is 4.1<!-- {gap_at_5:.1f} --> times as wide (dots), so about one double in four is reached. Near 100 it is 3,442<!-- {gaps[-1] / spacing[-1]:,.0f} --> times as wide.", "name": "fig-lap-04-gaps"}, "image": {"alt": "Two curves on a logarithmic axis against published numbers from 0 to 100. The gap is a rising straight line. The distance between doubles is a staircase that doubles at 1, 2, 4, 8, 16, 32 and 64. It stays below the line, and far below it on the right."}} tags=["figure"]
sizes = np.linspace(0.1, 100, 1000)
gaps = 2.0**-52 * scale * np.exp(sizes / scale)
spacing = np.spacing(sizes)
gap_at_5 = 1 / share_reached(5, 0, scale)
assert (gaps > spacing).all()
fig, ax = plots.panels(height=3.0)
ax.semilogy(sizes, gaps, label="gap between sizes of the noise")
ax.semilogy(sizes, spacing, label="distance between doubles")
ends = (np.spacing(5.0), np.spacing(5.0) * gap_at_5)
ax.plot((5, 5), ends, "o-", ms=4, lw=1, color=plots.COLOURS["black"])
ax.set(xlabel="published number y", ylabel="distance")
ax.legend(loc="upper left")
plt.show()

# %% [markdown]
# The first two printed lines explain {numref}`fig-lap-04-porous`. For example, count 1 reaches 27%<!-- {share_reached(5, 1, scale):.0%} --> of the doubles near 5, so a number near 5 that was published for count 0 should exclude count 1 with probability 73%<!-- {1 - share_reached(5, 1, scale):.0%} -->. On average over all published numbers, this probability is 81.8%<!-- {predicted:.1%} -->. The attack
# found 81.0%<!-- {excluded[0]:.1%} -->.
#
# ```{evidence} N-B7
# ```
#
# ## More noise can mean less privacy
#
# Does every count leak like this? Neighbouring doubles near a large number are further apart than near a small one. If the count is large, the computer rounds the sum of count and noise to these coarser numbers, and the rounding closes gaps. We repeat the attack for counts from 1 to a million
# and four scales. The attacker tries to exclude the next larger count.

# %%
counts = 10.0 ** np.arange(7)
rng = np.random.default_rng(2)
found, expected = {}, {}
for R in (1, 10, 100, 1000):
    noise = naive_sampler(20_000, R, rng)
    found[R] = [1 - can_produce(f + 1, f + noise, R).mean() for f in counts]
    expected[R] = [1 - share_reached(f + noise, f + 1, R).mean() for f in counts]

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How often a published number excludes the next larger count. Markers show the attack on 20,000 numbers, lines the prediction from the gaps. At a count of 1,000, the attack almost never succeeds against the scale 1. The scale 1,000, for which the theory promises far more privacy, lets it succeed half of the time.", "name": "fig-lap-04-luck"}, "image": {"alt": "Four curves of the share of numbers that exclude the next count, against the true count from 1 to a million on a logarithmic axis. All start between 0.5 and 0.9 and fall to 0, the larger the scale, the later. Markers lie on the curves or a little below."}} tags=["figure"]
fig, ax = plots.panels(height=3.2)
colours = [plots.COLOURS[name] for name in ("blue", "orange", "green", "purple")]
for marker, colour, R in zip("os^D", colours, found):
    ax.plot(counts, expected[R], ls="-", color=colour, lw=1)
    ax.plot(counts, found[R], marker, color=colour, label=f"scale {R:,}  (ε = {1 / R:g})")
ax.set(
    xscale="log",
    xlabel="true count",
    ylim=(-0.03, 1),
    ylabel="share of numbers that\nexclude the next count",
)
ax.legend()
at_thousand = [found[R][3] for R in found]
assert at_thousand == sorted(at_thousand) and at_thousand[0] < 0.01
assert abs(at_thousand[3] - 0.5) < 0.1  # "half of the time"
for R in found:
    assert 0.5 < found[R][0] < 0.9 and found[R][6] < 0.01
largest_error = max(abs(np.subtract(found[R], expected[R])).max() for R in found)
assert largest_error < 0.1
plt.show()


# %% [markdown]
# At a count of 1,000 the share *rises* with the scale, from 0.2%<!-- {found[1][3]:.1%} --> to 53%<!-- {found[1000][3]:.0%} -->. The theory promises the opposite. The prediction (lines) is off by at most 9<!-- {100 * largest_error:.0f} --> percentage points.
#
# The reason is that the gaps grow in proportion to the scale, while the distance between doubles grows with the count. What matters is therefore the count divided by the scale. This attack rarely succeeds against large counts with little noise, but only by accident. Even there, the noise is sometimes so large that the gaps are wider than the distance between doubles.
#
# ## Rounding the result does not repair the sampler
#
# For large counts, the computer's rounding closes gaps by accident. Does rounding on purpose close them all? We return to a small program, because we can list everything that it does. Its $U$ has $B$ bits, and its results are rounded to multiples of $2^{-p}$. The function `small_program` computes the exact probability of every result.

# %%
def small_program(bits, places, count, scale=2.0):
    """Probability of each result, which is given in units of 2^-places."""
    half = 2 ** (bits - 1)
    u = np.arange(1 - half, half) / (2 * half)  # equally likely
    noise = -scale * np.sign(u) * np.log(1 - 2 * np.abs(u))
    results = np.rint((count + noise) * 2**places).astype(int)
    values, times = np.unique(results, return_counts=True)
    return {int(k): Fraction(int(n), len(u)) for k, n in zip(values, times)}


def revealed(bits, places):
    """Probability that count 0 gives a result that count 1 cannot give."""
    zero, one = small_program(bits, places, 0), small_program(bits, places, 1)
    return sum(p for k, p in zero.items() if k not in one)


# %%
for bits in (8, 10, 12, 14):
    fine, coarse = revealed(bits, bits), revealed(bits, 0)
    print(f"{bits} bits: rounded to 2^-{bits} {float(fine):.3f}, to integers {coarse}")

# %% [markdown]
# If the result keeps as many binary places as $U$ has bits, about 88%<!-- {float(fine):.0%} --> of the results prove the count, and more bits do not help. If it is rounded to an integer, results that prove the count become rare, and rarer still with more bits. But $\varepsilon$-differential privacy does not allow a single one.
#
# Where do these results come from? The largest noise of the program with 10 bits is $2 \ln 512 \approx$ 12.48<!-- {2 * np.log(512):.2f} -->. After rounding, the smallest result is -12<!-- {min(zero)} --> for count 0, but -11<!-- {min(one)} --> for count 1. So the result -12<!-- {min(zero)} --> proves count 0. In the same way, the result 13<!-- {max(one)} -->
# proves count 1.
#
# Half of the other results have another fault. The *privacy loss* of a result $k$ is the logarithm of the ratio $\Pr(k \mid 0)/\Pr(k \mid 1)$. It should lie between $-\varepsilon$ and $\varepsilon$, and $\varepsilon$ is $\frac12$ for the scale 2.

# %%
zero, one = small_program(10, 0, 0), small_program(10, 0, 1)
losses = {}
for k in sorted(zero):
    if k in one:
        losses[k] = np.log(float(zero[k] / one[k]))
too_large = sum(abs(loss) > 0.5 for loss in losses.values())
worst = max(abs(loss) for loss in losses.values())
print(f"{too_large} of {len(losses)} privacy losses exceed 1/2, and the largest is {worst:.3f}")
assert 2 * too_large == len(losses)


# %% [markdown]
# If the noise were a real number, rounding would be harmless, because it is post-processing: whatever is computed from a private result is equally private ([notebook 3](03-a-hundred-answers.ipynb)). The fault is in the sampler, and the rounded result inherits it. Mironov proposes a repair, the *snapping mechanism*. It draws the argument of the logarithm with more bits where it is small, computes the double nearest to the logarithm, rounds the result to a coarse grid, and limits it to a fixed
# interval. It pays for this with a slightly larger $\varepsilon$ {cite:p}`mironov2012significance`.
#
# ```{evidence} N-B7.rounding
# ```
#
# ## Noise on the integers has no gaps
#
# A count is an integer, and so the noise may be an integer as well. [Notebook 1](01-attackers.ipynb) used two-sided geometric noise, cut off at the smallest and the largest count. Without the cut-off, it is also called *discrete Laplace noise*.
#
# ```{prf:definition} Discrete Laplace distribution
# :label: def-lap-04-discrete
# For $0 < \alpha < 1$, the integer $k$ has the probability $p(k) = \dfrac{1 - \alpha}{1 + \alpha}\,\alpha^{|k|}$. For an integer query of sensitivity $\Delta$ and the privacy level $\varepsilon$, take $\alpha = e^{-\varepsilon/\Delta}$. The *scale* is then $\Delta/\varepsilon$.
# ```

# %%
def pmf(k, alpha):
    """Probability of the integer k under the discrete Laplace distribution."""
    return (1 - alpha) / (1 + alpha) * alpha ** abs(k)


half = Fraction(1, 2)
for k in range(-2, 4):
    p, other = pmf(k, half), pmf(k - 1, half)
    print(f"result {k:2}: probability {p} for count 0, {other} for count 1, ratio {p / other}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The probability of each published integer k if the count is 0 and if it is 1, for \u03b1 = 1/2. Every integer has two bars, and one is always twice as high as the other: no integer proves the count.", "name": "fig-lap-04-two-counts"}, "image": {"alt": "Pairs of bars at the integers from \u22124 to 5. For count 0 they are highest at 0, for count 1 at 1, both 1/3<!-- {pmf(0, half)} -->, and they halve with every step to either side. Up to 0 the bar for count 0 is twice as high as its neighbour, from 1 on the bar for count 1."}} tags=["figure"]
fig, ax = plots.panels(height=2.9)
for shift, count, colour, hatch in ((-0.2, 0, "blue", ""), (0.2, 1, "orange", "///")):
    heights = [float(pmf(k - count, half)) for k in range(-4, 6)]
    ax.bar(np.arange(-4, 6) + shift, heights, width=0.38, color=plots.COLOURS[colour],
           hatch=hatch, edgecolor="white", label=f"count {count}")  # fmt: skip
assert {pmf(k, half) / pmf(k - 1, half) for k in range(-4, 6)} == {2, half}
ax.set(xlabel="published integer k", ylabel="probability", xticks=range(-4, 6))
ax.legend()
plt.show()

# %% [markdown]
# Here $\alpha = \frac12$, so $\varepsilon = \ln 2$. The ratio is always 2 or $\frac12$, that is, $e^{\varepsilon}$ or $e^{-\varepsilon}$.
#
# ```{prf:proposition} Exact privacy
# :label: prp-lap-04-private
# With discrete Laplace noise, every count can produce every integer. For the counts $f$ and $f + 1$ and $\Delta = 1$, the probabilities of each integer have the ratio $e^{\varepsilon}$ or $e^{-\varepsilon}$. For any integer query of sensitivity $\Delta$, the mechanism is $\varepsilon$-differentially private {cite:p}`ghosh2012universally`.
# ```
#
# ```{prf:proof}
# All $p(k)$ are positive. If two answers $a$ and $b$ differ by at most $\Delta$, the probabilities of the result $y$ have the ratio $\alpha^{|y - a| - |y - b|}$. The exponent is at least $-|a - b| \ge -\Delta$ by the triangle inequality. Because $\alpha < 1$, the ratio is at most $\alpha^{-\Delta} = e^{\varepsilon}$. The probability of a set of results is the sum
# of the probabilities of its members, so the same bound holds for sets. If $a = f$, $b = f + 1$ and $\Delta = 1$, the exponent is $-1$ for $y \le f$ and $1$ for $y \ge f + 1$. Every integer $y$ is in one of these cases, so the ratio is always $e^{\varepsilon}$ or $e^{-\varepsilon}$.
# ```
#
# {numref}`fig-lap-04-loss` compares this noise with the rounded small program, for $\varepsilon = \frac12$.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Attack and defence on the same axes, for \u03b5 = 1/2. Circles: the discrete Laplace distribution, whose privacy loss is always \u03b5 or \u2212\u03b5 (grey lines). Crosses: the small program with 10 bits, rounded to integers. Its loss leaves the band slightly in the middle and clearly in the tails. Triangles: the two results that prove count 0 (up) or count 1 (down). Their loss is \u221e or \u2212\u221e, so they are drawn at the edges.", "name": "fig-lap-04-loss"}, "image": {"alt": "Privacy loss against the published integer from \u221213 to 14. Circles lie at plus one half up to 0 and at minus one half from 1 on. Crosses stay near them in the middle and scatter further out. Triangles at \u221e and \u2212\u221e mark \u221212 and 13."}} tags=["figure"]
blue, orange = plots.COLOURS["blue"], plots.COLOURS["orange"]
epsilon = 0.5
ks = np.arange(min(zero) - 1, max(one) + 2)
fig, ax = plots.panels(height=3.2)
for side in (-epsilon, epsilon):
    ax.axhline(side, color=plots.COLOURS["grey"], lw=0.9, ls="-")
exact = np.log(pmf(ks, np.exp(-epsilon)) / pmf(ks - 1, np.exp(-epsilon)))
ax.plot(ks, exact, "o", mfc="none", color=blue, label="discrete Laplace")
ax.plot(list(losses), list(losses.values()), "x", color=orange, label="10 bits, rounded")
ax.plot(min(zero), 1.1, "^", color=plots.COLOURS["black"], label="proves the count")
ax.plot(max(one), -1.1, "v", color=plots.COLOURS["black"])
ax.set(xlabel="published integer k", ylabel="ln(Pr(k | 0) / Pr(k | 1))", ylim=(-1.25, 1.25))
ax.set_yticks([-1.1, -0.5, 0, 0.5, 1.1], ["−∞", "−0.5", "0", "0.5", "∞"])
ax.legend(loc="upper right")
assert np.allclose(abs(exact), epsilon) and (ks[0], ks[-1]) == (-13, 14)
middle = max(abs(losses[k]) for k in range(-3, 5))
assert epsilon < middle < epsilon + 0.01 and worst > epsilon + 0.1
plt.show()

# %% [markdown]
# ```{evidence} N-B7.integers
# ```
#
# ## How does a program draw this noise?
#
# A *geometric* variable is the number of successes before the first failure, if each trial succeeds with probability $\alpha$. It has the value $m$ with probability $(1 - \alpha)\,\alpha^m$. The difference of two independent geometric variables is discrete Laplace noise, because it has the value $k \ge 0$ with probability
#
# $$ \sum_{m \ge 0} (1 - \alpha)\,\alpha^{m + k} \cdot (1 - \alpha)\,\alpha^m = \frac{(1 - \alpha)^2}{1 - \alpha^2}\, \alpha^k = \frac{1 - \alpha}{1 + \alpha}\, \alpha^k , $$
#
# and negative values are symmetric.
#
# With numpy, however, we would repeat the mistake, because numpy draws geometric variables with floating-point numbers too. Instead, we use only uniform integers, which a computer can draw exactly from random bits, and follow Canonne, Kamath and Steinke ([2020](https://arxiv.org/abs/2004.00010)).
#
# For a count, we need trials that succeed with probability $\alpha = e^{-\varepsilon}$. (For a query of sensitivity $\Delta$, put $\varepsilon/\Delta$ in place of $\varepsilon$.) Let $\varepsilon$ be a rational number between 0 and 1. We toss a coin that shows heads with probability $\varepsilon$, then one with probability $\varepsilon/2$, and so on; the $n$-th shows heads with probability $\varepsilon/n$. We stop at the first tails. The first $n$ coins all show heads with probability $\varepsilon^n/n!$, so coin $n$ is the first to show tails with probability $\varepsilon^{n-1}/(n-1)! - \varepsilon^n/n!$. The trial succeeds if this $n$ is odd. The
# probability of success is
#
# $$ \Bigl(1 - \varepsilon\Bigr) + \Bigl(\frac{\varepsilon^2}{2!} - \frac{\varepsilon^3}{3!}\Bigr) + \dots = e^{-\varepsilon}. $$

# %%
x, n = sp.symbols("x n", nonnegative=True)
assert sp.summation((-x) ** n / sp.factorial(n), (n, 0, sp.oo)) == sp.exp(-x)


# %%
def trial(epsilon, rng):
    """True with probability exactly e^-epsilon, for a Fraction epsilon."""
    assert 0 <= epsilon <= 1
    n = 1
    while rng.randrange(n * epsilon.denominator) < epsilon.numerator:  # heads: epsilon / n
        n += 1
    return n % 2 == 1


def geometric(epsilon, rng):
    successes = 0
    while trial(epsilon, rng):
        successes += 1
    return successes


def exact_sampler(epsilon, rng):
    return geometric(epsilon, rng) - geometric(epsilon, rng)


# %% [markdown]
# No line uses a floating-point number. We compare 50,000 draws with the probabilities:

# %%
rng = random.Random(4)  # for a release: random.SystemRandom()
epsilon = Fraction(1, 2)
draws = np.array([exact_sampler(epsilon, rng) for _ in range(50_000)])
for k in range(-10, 11):
    share = np.mean(draws == k)
    probability = pmf(k, np.exp(-0.5))
    stderr = np.sqrt(probability * (1 - probability) / len(draws))
    assert abs(share - probability) < 4 * stderr
    if 0 <= k <= 3:
        print(f"noise {k}: share {share:.4f}, probability {probability:.4f}")

# %% [markdown]
# {numref}`fig-lap-04-coins` shows the coins of one trial, and all draws.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The exact sampler at \u03b5 = 1/2<!-- {epsilon} -->. Left: how probable it is that coin n is the first to show tails. The trial succeeds if n is odd (hatched); the hatched bars add up to 0.607<!-- {sum(first_tails[::2]):.3f} -->, which is exp(\u22121/2). Right: the probabilities of the noise (bars) and the shares of the 50,000 draws (dots).", "name": "fig-lap-04-coins"}, "image": {"alt": "Left, bars for coins 1 to 6. Coin 1 has the bar 0.5<!-- {first_tails[0]:g} -->, coin 2 0.375<!-- {first_tails[1]:g} -->, coin 3 0.104<!-- {first_tails[2]:.3f} -->; the others are hardly seen. Right, bars from \u22128 to 8, highest at 0, with a dot at the top of each."}} tags=["figure"]
first_tails = []
for coin in range(1, 20):
    all_heads_before = float(epsilon) ** (coin - 1) / math.factorial(coin - 1)
    first_tails.append(all_heads_before * float(1 - epsilon / coin))
assert np.isclose(sum(first_tails[::2]), np.exp(-0.5))
fig, (left, right) = plots.panels(1, 2, height=2.9, width=8.5)
left.bar(range(1, 7, 2), first_tails[0:6:2], color=plots.COLOURS["orange"], hatch="///",
         edgecolor="white", label="success")  # fmt: skip
left.bar(range(2, 7, 2), first_tails[1:6:2], color=plots.COLOURS["grey"], label="failure")
left.set(xlabel="first coin to show tails", ylabel="probability", xticks=range(1, 7))
left.legend()
values = np.arange(-8, 9)
right.bar(values, pmf(values, np.exp(-0.5)), color=plots.COLOURS["sky"], label="probability")
shares = [np.mean(draws == value) for value in values]
right.plot(values, shares, "o", ms=4, color=plots.COLOURS["black"], label="share of the draws")
right.set(xlabel="noise", xticks=range(-8, 9, 2), ylim=(0, 0.36))
right.legend()
plt.show()

# %% [markdown]
# Such a comparison can find faults, but only an argument such as the one above can prove that a sampler is private. For a release, take a tested library. OpenDP {cite:p}`opendp` uses a faster version of this algorithm, and `discrete_laplace` in our package calls it. Our function takes no seed, on purpose.
#
# Is the discrete noise less accurate than Laplace noise? A geometric variable has the variance $\alpha/(1 - \alpha)^2$, so the difference of two has the variance $2\alpha/(1 - \alpha)^2$. With $\alpha = e^{-\varepsilon}$, we divide numerator and denominator by $\alpha$, and get $2 / (e^{\varepsilon/2} - e^{-\varepsilon/2})^2$. The bracket is $2\sinh\frac{\varepsilon}{2}$, which is larger than $\varepsilon$, because $\sinh x > x$ for $x > 0$. Therefore the variance is even *smaller* than $2/\varepsilon^2$, the
# variance of Laplace noise of scale $1/\varepsilon$. For $\varepsilon = \frac12$ it is 7.84<!-- {2 / (np.exp(0.25) - np.exp(-0.25)) ** 2:.2f} --> instead of 8. (The 50,000 draws have 7.80<!-- {draws.var():.2f} -->.)
#
# ## What does this mean for the note?
#
# The note's mechanism, $y = q(D) + r$, is correct as it stands, and we correct none of its claims here. But a program for it needs a different noise. Make the answer an integer, and add discrete Laplace noise. For example, let the query be the mean of $n$ values between 0 and 1. First round every value to a multiple of 0.01. The sum of the values, in
# hundredths, is an integer query of sensitivity 100. Add the noise to this sum, and divide by $100n$ at the end. The floating-point noise of [notebook 2](02-laplace-mechanism.ipynb) is for study, not for a release.
#
# ## Exercises
#
# ```{exercise-start} The largest noise
# :label: ex-lap-04-largest
# ```
# **Warm-up.** What is the largest noise of the naive sampler, in units of the scale $R$? With what probability does true Laplace noise exceed it in absolute value?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lap-04-largest", ...)

# %% [markdown]
# ```{solution-start} ex-lap-04-largest
# :class: dropdown
# ```
# The smallest $j$ is 1, and gives $R \ln 2^{52} \approx$ 36<!-- {52 * np.log(2):.0f} --> $R$. True Laplace noise exceeds it in absolute value with probability $e^{-\ln 2^{52}} = 2^{-52}$. If the distance between a published number and a count is larger than $R \ln 2^{52}$, the number excludes the count.

# %%
largest = np.log(2**52)
assert np.isclose(np.exp(-largest), 2**-52)
published = np.array([largest, largest + 0.5])
assert can_produce(0, published, scale=1).tolist() == [True, False]
check("lap-04-largest", (largest, np.exp(-largest)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The tail of the discrete Laplace distribution
# :label: ex-lap-04-tail
# ```
# **Standard.** Give $\Pr(|k| \ge t)$ for discrete Laplace noise and an integer $t \ge 1$ in closed form. Take $\varepsilon = 0.1$ and $\Delta = 1$. Which error does a noisy count not exceed with probability at least 95%? What does the formula $\frac1\varepsilon \ln 20$ for Laplace noise say? (The cell checks the closed form, as a formula in `q` and `t`, where `q` stands for $\alpha$.)
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-04-tail", ...)


# %% [markdown]
# ```{solution-start} ex-lap-04-tail
# :class: dropdown
# ```
# Both sides together give $2\,\frac{1 - \alpha}{1 + \alpha} \sum_{k \ge t} \alpha^k = \frac{2\alpha^t}{1 + \alpha}$. The smallest $t$ for which this is at most 5% is 31<!-- {first} -->, so the error is at most 30<!-- {first - 1} --> with probability at least 95%. For Laplace noise the formula says 29.96<!-- {10 * np.log(20):.2f} -->.

# %%
def tail(t, alpha):
    return 2 * alpha**t / (1 + alpha)


alpha = np.exp(-0.1)
first = next(t for t in range(1, 100) if tail(t, alpha) <= 0.05)
within = pmf(np.arange(1 - first, first), alpha).sum()  # |k| < first
assert np.isclose(tail(first, alpha), 1 - within) and first == 31
check("lap-04-tail", lambda q, t: tail(t, q))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Days until the count is certain
# :label: ex-lap-04-many
# ```
# **Research.** The true count is 4, and an attacker considers 0 to 9 possible. The clinic publishes the count on several days, each time with new noise of scale 10 from the naive sampler. Suppose that each of the nine wrong counts survives a day (is not excluded) with probability $s$, independently of the others.
# With what probability is the count certain after $r$ days? (The cell checks this formula.) Simulate 2,000 attacks, estimate $s$, and compare. Where does the prediction fail, and why?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-04-many", ...)


# %% [markdown]
# ```{solution-start} ex-lap-04-many
# :class: dropdown
# ```
# A wrong count survives all $r$ days with probability $s^r$, so all nine are excluded with probability $(1 - s^r)^9$. In the simulation $s$ is 0.28<!-- {s:.2f} -->. The prediction is too low on the first two days, because the nine counts do not survive independently: on each day the same number decides about
# all nine. If we shuffle the attacks separately for each count, the dependence disappears, and so does most of the difference. After four days the count is certain in 94%<!-- {certain[3]:.0%} --> of the attacks. In theory, four answers with $\varepsilon = 0.1$ change the odds of neighbouring counts by a factor of at most $e^{0.4} \approx$ 1.5<!-- {np.exp(0.4):.1f} -->.

# %%
def certain_after(survives):
    """Share of the attacks in which no wrong count is left, after 1 to 4 days."""
    left = np.logical_and.accumulate(survives, axis=2)  # has survived all days so far
    return 1 - left.any(axis=0).mean(axis=0)


rng = np.random.default_rng(8)
published = 4 + naive_sampler((2000, 4), 10.0, rng)
wrong = [count for count in range(10) if count != 4]
survives = np.array([can_produce(count, published, 10.0) for count in wrong])

# %%
s = survives.mean()
prediction = (1 - s ** np.arange(1, 5)) ** 9
certain = certain_after(survives)
shuffled = certain_after(np.array([rng.permutation(attacks) for attacks in survives]))
print("simulated:", certain.round(3))
print("predicted:", prediction.round(3))
print("shuffled: ", shuffled.round(3))
assert np.all(certain[:2] - prediction[:2] > 0.04)
assert np.all(abs(shuffled - prediction) < 0.04)
check("lap-04-many", lambda s, r: (1 - s**r) ** 9)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *Why can a noisy number prove the answer, although the mechanism is private?* The proof of privacy is about real numbers. A program can publish only some of the doubles, and for neighbouring counts they are mostly different ones.
# 2. *Does more noise or rounding help?* Not reliably. At a count of 1,000, more noise made the leak worse. Rounding to integers made conclusive results rare, but left some, and also privacy losses above $\varepsilon$.
# 3. *Which noise is safe?* Discrete Laplace noise, drawn with exact integer arithmetic. Every count can produce every integer, the privacy loss is never larger than $\varepsilon$, and the variance is smaller than that of Laplace noise. A dozen lines draw it.
#
# **Further reading.** {cite:t}`mironov2012significance` for the attack and the snapping mechanism; {cite:t}`opendp` for a library that samples exactly. **Next:** two research notes ask [which noise is best](../research/laplace-which-noise-is-best.ipynb) and [how to audit a
# program](../research/laplace-audit-what-you-read.ipynb). The next part of the book is about [correlated data](../correlated/01-why-dp-is-not-enough.ipynb).
