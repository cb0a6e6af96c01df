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
# A clinic answers one question a day: how many of its patients have a certain rare disease? The answer is
# 0 or 1, and Laplace noise of scale 10 hides which. The densities of the two answers differ nowhere by more
# than eleven per cent. Yet four releases of five *prove* which answer it was, with no doubt left at all. Nothing
# in the theory is at fault. The theory speaks of real numbers, and the release is a double.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** why floating-point Laplace noise leaves gaps, how to read the secret off them, when the
# leak is hidden by luck, and which noise has no gaps: integers, with exact probabilities.
# **You need** the Laplace mechanism ([notebook 2](02-laplace-mechanism.ipynb)) and an idea of what a
# double is (a number of 53 binary digits, so that neighbours near 1 are $2^{-52}$ apart). **Time:** 17 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two data sets whose counts are 0 and 1. **The attacker** knows everything but the one
# record and the random bits: the scale, the program, the machine's arithmetic. **Protected, on paper:** the
# odds of 0 against 1 (the probability of one divided by that of the other), within $e^{\pm\varepsilon}$. **Not considered:**
# time that the program takes, and a guessable seed. (The seeds in this notebook are there so that you see what we saw; a
# release must not have one.)
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import stats

from privlib.laplace import discrete
from privlib.notebook import claim, derivation, increasing, plots, table

plots.use()

# %% [markdown]
# ## Zero or one?
#
# The sampler of many textbooks turns a uniform number into Laplace noise by the inverse of the distribution
# function.
#
# ```{prf:algorithm} The textbook sampler
# :label: alg-lap-04-textbook
# Draw $U$ uniformly from $[-\frac12, \frac12)$ and return $-R\,\mathrm{sgn}(U)\ln(1 - 2|U|)$. For a real $U$ the
# result is exactly $\operatorname{Lap}(R)$.
# ```
#
# Mironov's attack {cite:p}`mironov2012significance` takes one released number and asks of each candidate answer: is there
# a $U$ that leads from here to there? If not, that answer is out.

# %%
scale, releases = 10.0, 100_000  # ε = 1/10 for a count
noise = discrete.naive_sampler(releases, scale=scale, rng=1)
seen = {}
for truth, other in ((0, 1), (1, 0)):
    possible = discrete.mironov_attack(truth + noise, [truth, other], scale=scale)
    seen[truth] = 1 - possible.mean(axis=0)
    print(f"answer {truth}: {seen[truth][1]:.2f} of all releases rule out {other}")
    print(f"          {seen[truth][0]:.2f} of all releases rule out {truth}")

# %% jupyter={"source_hidden": true} tags=["evidence"]
excluded = {truth: float(share[1]) for truth, share in seen.items()}
assert all(share[0] == 0 for share in seen.values())  # the truth is never ruled out
assert 1.1 < np.exp(1 / scale) < 1.11  # "eleven per cent"
assert all(abs(share - 0.8) < 0.02 for share in excluded.values())  # "four of five"
shown_excluded = round(excluded[0], 2)
odds = float(np.exp(1 / scale))

# %% [markdown]
# On paper the odds may move by a factor 1.105<!-- {odds:.3f} -->. Here a share of 0.81<!-- {shown_excluded:.2f} --> of the releases
# moves them to infinity, and the truth is never ruled out. (Which numbers can be drawn depends on the last bit of the logarithm, and so on the processor;
# how many can, hardly.) Where do the impossible numbers come from?
#
# ## Holes in the noise
#
# In double precision $U$ is a multiple of $2^{-53}$, so $1 - 2|U| = j/2^{52}$ with an integer $j$. There are only $2^{52}$
# magnitudes, $r_j = R\ln(2^{52}/j)$. How far apart are neighbouring ones?

# %% jupyter={"source_hidden": true} tags=["evidence"]
R, j, part, steps = sp.symbols("R j x N", positive=True)  # N = 2^52
magnitude = R * sp.log(steps / j)
step = sp.Add(magnitude, -magnitude.subs(j, j + 1), evaluate=False)
spacing = (
    derivation(step, of=r"r_j - r_{j+1}", names={steps: "2^{52}"})
    .equal(R * sp.log(1 + 1 / j), "rules of the logarithm")
)
spacing

# %% [markdown]
# And $R\ln(1 + \frac1j)$ lies between $R/(j + 1)$ and $R/j$. With $x = \frac1j$,

# %% jupyter={"source_hidden": true} tags=["evidence"]
bracket = (
    derivation(R * part / (1 + part))
    .at_most(R * sp.log(1 + part), "grows faster from 0 on", by=increasing(part))
    .at_most(R * part, "the tangent at 0", by=increasing(part))
)
bracket


# %% [markdown]
# So at a distance $r$ from the answer, where $j = 2^{52}e^{-r/R}$, the magnitudes are $R\,2^{-52}e^{r/R}$ apart. Where that is wider than the
# distance of doubles, an answer can reach only some of them, a *porous* set, and another answer reaches
# others. The quotient of the two distances predicts the share that it reaches.

# %%
def share_reached(y, answer):
    """Predicted share of the doubles near y that noise on this answer can reach."""
    apart = scale * 2.0**-52 * np.exp(np.abs(y - answer) / scale)
    return np.minimum(1, np.spacing(np.abs(y)) / apart)


for truth, other in ((0, 1), (1, 0)):
    predicted = 1 - share_reached(truth + noise, other).mean()
    print(f"answer {truth}: {predicted:.2f} predicted to rule out {other}")


# %% [markdown]
# Four of five, from two lines of arithmetic. Now look at the holes themselves. We list what both answers reach among 64
# consecutive doubles from 5 upwards, by running every $j$ of the neighbourhood forward.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def forward(answer, outputs, width=200):
    """Whether each output is reached from the answer, by trying a range of j."""
    middle = np.rint(2**52 * np.exp(-np.abs(outputs - answer) / scale))
    tried = np.clip(middle[:, None] + np.arange(-width, width + 1), 1, 2.0**52)
    side = np.sign(outputs - answer)[:, None]
    reached = answer - scale * side * np.log(tried / 2.0**52)
    inside = (tried > 1) & (tried < 2.0**52)
    far = np.where(inside, np.abs(reached - outputs[:, None]), np.inf)[:, [0, -1]]
    assert np.all(far > np.spacing(np.abs(outputs))[:, None])  # no j beyond can help
    return (reached == outputs[:, None]).any(axis=1)


window = 5.0 + np.spacing(5.0) * np.arange(64)
reached = np.array([forward(answer, window) for answer in (0.0, 1.0)])
attack = discrete.mironov_attack(window, [0.0, 1.0], scale=scale).T
sample = noise[:3000]
by_force = {
    truth: forward(float(1 - truth), truth + sample) for truth in (0, 1)
}  # is the other answer possible?
by_attack = {
    truth: discrete.mironov_attack(truth + sample, float(1 - truth), scale=scale)
    for truth in (0, 1)
}
predictions = {
    truth: float(1 - share_reached(truth + noise, 1 - truth).mean())
    for truth in (0, 1)
}

with claim("N-B7") as c:
    for truth, possible in by_force.items():
        share = float(1 - possible.mean())
        low = share - 4 * np.sqrt(share * (1 - share) / len(sample))
        label = f"answer {truth}, 3,000 releases, every U near: four errors below"
        c.decisive("simulated").at_most(0.75, low, label)
    pairs = [np.array([*by.values()]) for by in (by_force, by_attack)]
    c.decisive("sampled").exact(*pairs, "attack and listing agree on each release")
    c.exact(reached, attack, "and on 64 neighbouring doubles")
    for truth, share in excluded.items():
        label = f"answer {truth}: predicted from the spacing"
        c.close(share, predictions[truth], label, rtol=0, atol=0.05)
cells = {"0": reached[0], "1": reached[1], "both": reached.all(axis=0)}
in_text = {}
for who, dark in cells.items():
    in_text[f"reached-{who}"] = int(dark.sum())
assert np.all(abs(reached.mean(axis=1) - 0.25) < 0.05)  # "about a quarter"
assert cells["both"].sum() < 8  # "few columns"
assert np.array_equal((window - 5) * 2.0**50, np.arange(64))  # the axis of the figure

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Sixty-four consecutive doubles, seen through a microscope. Dark cells can be released if the true answer is 0 (upper row) or 1 (lower row). A release on a dark cell of one row that is white in the other proves the answer.", "name": "fig-lap-04-porous"}, "image": {"alt": "Two rows of 64 cells each. About a quarter of the cells in each row is dark, irregularly spaced, and few columns are dark in both rows."}} tags=["figure"]
fig, ax = plots.panels(height=1.9)
for row, (dark, name) in enumerate(zip(reached, ("blue", "orange"))):
    box = {"height": 0.8, "bottom": 0.6 - row, "width": 0.9}
    ax.bar(np.arange(64)[dark], color=plots.COLOURS[name], **box)
    ax.bar(np.arange(64), color="none", edgecolor="#cccccc", lw=0.5, **box)
ax.set_yticks([1, 0], ["answer 0", "answer 1"])
ax.set(xlabel="released number: 5 + k · 2⁻⁵⁰, at k", xlim=(-1, 64))
ax.grid(visible=False)
plt.show()

# %% [markdown]
# Answer 0 reaches 16<!-- {in_text['reached-0']} --> of the 64, answer 1 reaches 18<!-- {in_text['reached-1']} -->, and 2<!-- {in_text['reached-both']} --> are common to both.
#
# ## Who is safe by luck?
#
# Does every count leak like that? If the answer is large, rounding $f + r$ to the doubles near $f$ throws low bits of the
# noise away, and fills the holes. So whether the textbook sampler leaks depends on the answer and on the scale.

# %%
answers, rng = 10.0 ** np.arange(0, 7), np.random.default_rng(2)
luck = {}
for s in (1.0, 10.0, 100.0, 1000.0):
    r = discrete.naive_sampler(20_000, scale=s, rng=rng)
    possible = [discrete.mironov_attack(f + r, f + 1, scale=s) for f in answers]
    luck[s] = 1 - np.mean(possible, axis=1)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How often a release of the textbook sampler rules out the neighbouring answer. Small counts are exposed at every scale; a count of 1,000 is nearly safe at scale 1 and half exposed at scale 1,000, where the formula promises the most.", "name": "fig-lap-04-luck"}, "image": {"alt": "Four curves of the share of revealing releases against the true answer from 1 to a million on a logarithmic axis. All start between 0.5 and 0.9 at 1 and fall to 0; the larger the scale, the later."}} tags=["figure"]
fig, ax = plots.panels(height=3.2)
for marker, (s, row) in zip("os^D", luck.items()):
    ax.plot(answers, row, marker=marker, label=f"scale {s:,.0f}  (ε = {1 / s:g})")
ax.set(
    xscale="log",
    xlabel="true answer (a count)",
    ylim=(-0.03, 1),
    ylabel="share of releases that\nrule out answer + 1",
)
ax.legend()
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
grid = np.array([*luck.values()])  # a row for each scale, a column for each answer
assert np.all((grid[:, 0] > 0.5) & (grid[:, 0] < 0.9)) and np.all(grid[:, -1] < 0.05)
assert np.all(np.diff(grid[:, 3]) > 0)  # a count of 1,000: more noise, more exposed
assert grid[0, 3] < 0.01 and abs(grid[3, 3] - 0.5) < 0.1
for k in (0, 1, 2):  # answer 10^k times the scale: the same share, nearly
    diagonal = np.array([grid[i, i + k] for i in range(1, 4)])
    assert np.ptp(diagonal) < 0.05
luck_1 = float(grid[0, 3])
luck_1000 = float(grid[3, 3])


# %% [markdown]
# More noise, less privacy: at a count of 1,000 the share *rises* with the scale, from 0.002<!-- {luck_1:.3f} --> to 0.53<!-- {luck_1000:.2f} -->. What matters
# is the ratio of answer to scale, for the distance of doubles grows with the one and the distance of magnitudes with the other. Rounding happened
# here by accident; does it help when it is done on purpose?
#
# ## A machine small enough to count
#
# Sixty-four doubles are a window. To see the whole output at once, build a small machine: $U$ has $B$ bits, and
# outputs are multiples of $2^{-p}$. All $2^B - 1$ values of $U \ne -\frac12$ can be listed, and probabilities are
# exact fractions.

# %%
def machine(bits, places, answer, scale=2.0):
    """Law of the small machine: output, in units of 2^-places -> probability."""
    half = 2 ** (bits - 1)
    u = np.arange(1 - half, half)
    r = -scale * np.sign(u) * np.log((half - np.abs(u)) / half)
    outputs = np.rint((answer + r) * 2**places).astype(int)
    cells, counts = np.unique(outputs, return_counts=True)
    return {int(k): Fraction(int(m), len(u)) for k, m in zip(cells, counts)}


def revealed(bits, places):
    """Probability that answer 0 gives an output which answer 1 cannot give."""
    zero, one = machine(bits, places, 0), machine(bits, places, 1)
    return sum(p for k, p in zero.items() if k not in one)


# %% jupyter={"source_hidden": true} tags=["set-up"]
sizes = (8, 10, 12, 14)
fine = {bits: revealed(bits, bits) for bits in sizes}
coarse = {bits: revealed(bits, 0) for bits in sizes}
table(
    {
        "bits of $U$": sizes,
        "outputs as fine as $U$": [float(fine[bits]) for bits in sizes],
        "outputs rounded to integers": [float(coarse[bits]) for bits in sizes],
        "that is": [str(coarse[bits]) for bits in sizes],
    },
    caption="Probability that a release of answer 0 proves that it is not 1.",
    formats={"outputs as fine as $U$": ".3f", "outputs rounded to integers": ".5f"},
)

# %% [markdown]
# More bits do not close the holes as long as the output keeps them all. Rounding the output does close them,
# where the values of $U$ are dense. It cannot where they are sparse: in the tails one answer still reaches
# numbers that the other does not, and even where both reach, the ratio of their probabilities is not what
# the formula says.

# %% jupyter={"source_hidden": true} tags=["evidence"]
paper = 0.5  # ε of scale 2
zero, one = machine(10, 0, 0), machine(10, 0, 1)
common = sorted(set(zero) & set(one))
losses = {k: float(np.log(float(zero[k] / one[k]))) for k in common}
certain = sorted(set(zero) ^ set(one))
worst = max(abs(value) for value in losses.values())

# The whole law again, cell by cell: which u land in it, by the inverse function.
half = 2**9


def between(k, answer):
    """How many u give the integer k: those whose noise rounds to it."""
    edges = np.array([k - 0.5, k + 0.5]) - answer
    u = half * np.sign(edges) * (1 - np.exp(-np.abs(edges) / 2.0))
    low, high = np.clip([np.ceil(u[0]), np.floor(u[1])], 1 - half, half - 1)
    return Fraction(int(high - low + 1), 2 * half - 1)


with claim("N-B7.rounding") as c:
    for answer, law in ((0, zero), (1, one)):
        label = f"10 bits, answer {answer}: all 1,023 values of U, by the inverse"
        c.decisive("exhaustive").exact({k: between(k, answer) for k in law}, law, label)
    c.decisive("exhaustive").holds(
        bool(certain) and worst > paper, "outputs that prove, and a loss above ε"
    )
assert all(share > Fraction(4, 5) for share in fine.values())
assert all(0 < share < Fraction(1, 50) for share in coarse.values())
machine_worst = round(worst, 6)
assert len(certain) == 2
machine_first = certain[0]
machine_last = certain[-1]

# %% [markdown]
# With 10 bits and integers the loss goes up to 0.693<!-- {machine_worst:.3f} --> instead of 0.5, and is infinite at the outputs
# -12<!-- {machine_first} --> and 13<!-- {machine_last} -->. (Mironov's own repair, the snapping mechanism, therefore rounds to a coarse grid *and* cuts the
# tails off, and pays with a somewhat larger $\varepsilon$ {cite:p}`mironov2012significance`.)
#
# ## Noise that lives on the integers
#
# What we need is a law that was never real-valued to begin with.
#
# ```{prf:definition} Discrete Laplace law
# :label: def-lap-04-discrete
# For $\varepsilon > 0$ and $q = e^{-\varepsilon}$, the integer $k$ has probability
# $p(k) = \dfrac{1 - q}{1 + q}\,q^{|k|}$. For an integer query of sensitivity $\Delta$ use $q = e^{-\varepsilon/\Delta}$.
# ```
#
# ```{prf:proposition} Exact privacy
# :label: prp-lap-04-private
# For counts $f$ and $f + 1$ the probabilities of every integer output have the ratio $e^{\varepsilon}$ or $e^{-\varepsilon}$, exactly:
# nothing is rounded, and every answer reaches every integer {cite:p}`ghosh2012universally`.
# ```
#
# For counts 0 and 1 the ratio is $p(k)/p(k - 1)$. For $k \ge 1$ it is

# %% jupyter={"source_hidden": true} tags=["evidence"]
e = sp.Symbol("epsilon", positive=True)


def ratio(k):
    """p(k) / p(k - 1), with the absolute values left standing."""
    sizes = [sp.Abs(value, evaluate=False) for value in (k, k - 1)]
    return sp.exp(-e * sp.Add(sizes[0], -sizes[1], evaluate=False))


above = sp.Symbol("k", integer=True, positive=True)
at_most_0 = sp.Symbol("k", integer=True, nonpositive=True)
names = {e: r"\varepsilon"}
right = derivation(ratio(above), of=r"\frac{p(k)}{p(k-1)}", names=names).equal(
    sp.exp(-e), "both k and k − 1 are at least 0"
)
right

# %% [markdown]
# and for $k \le 0$

# %% jupyter={"source_hidden": true} tags=["evidence"]
left = derivation(ratio(at_most_0), of=r"\frac{p(k)}{p(k-1)}", names=names).equal(
    sp.exp(e), "neither is above 0"
)
left

# %% [markdown]
# There is no integer in between. So the *whole* output is at the worst case: no output is less telling than the others. With $q = \frac12$,
# that is $\varepsilon = \ln 2$, everything is a fraction.

# %%
q = Fraction(1, 2)
p = {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-4, 4)}
law = {f"$k = {k}$": [str(p[k]), str(p[k] / p[k - 1])] for k in range(-3, 4)}
table(
    {"": ["$p(k)$", "$p(k)/p(k-1)$"]} | law,
    caption="The discrete Laplace law with $q = 1/2$.",
)

# %% [markdown]
# Is it a law at all? Write $q = \frac{1}{1+t}$, that is $t = e^\varepsilon - 1$; then $p(k)$ is $\frac{t}{2+t}(1 + t)^{-|k|}$, and

# %% jupyter={"source_hidden": true} tags=["evidence"]
t = sp.Symbol("t", positive=True)
k = sp.Symbol("k", integer=True)
weight, q = t / (2 + t), 1 / (1 + t)
mass = weight * (1 + 2 * sp.Sum(q**k, (k, 1, sp.oo)))
total = (
    derivation(mass, of=r"\sum_k p(k)")
    .equal(weight * sp.Add(1, 2 / t, evaluate=False), "geometric series")
    .equal(1, "the weight is chosen so")
)
total

# %% [markdown]
# How does one draw from it? A *geometric* variable counts failures before the first success, with probability $(1 - q)q^m$ for $m$. The difference of two independent ones is the law:

# %% jupyter={"source_hidden": true} tags=["evidence"]
i = sp.Symbol("m", integer=True)
lag = sp.Symbol("k", integer=True, nonnegative=True)
both = sp.Sum((1 - q) ** 2 * q ** (2 * i + lag), (i, 0, sp.oo))
difference = (
    derivation(both, of=r"\sum_{m \ge 0} (1-q)q^{m+k}\,(1-q)q^m")
    .equal((1 - q) ** 2 / (1 - q**2) * q**lag, "geometric series in q²")
    .equal(weight * q**lag, "this is p(k)")
)
difference

# %% [markdown]
# And the price? For the continuous noise the variance is $2/\varepsilon^2$. Here it is

# %% jupyter={"source_hidden": true} tags=["evidence"]
spread = sp.Sum(2 * k**2 * weight * q**k, (k, 1, sp.oo))
variance = derivation(spread, of=r"\mathrm{Var}(k)").equal(
    2 * (1 + t) / t**2, "derivatives of the geometric series"
)
variance

# %% [markdown]
# With $t = e^\varepsilon - 1$ that is $2\big/\bigl(e^{\varepsilon/2} - e^{-\varepsilon/2}\bigr)^2$. It is at most $2/\varepsilon^2$, since

# %% jupyter={"source_hidden": true} tags=["evidence"]
wide = sp.exp(e / 2) - sp.exp(-e / 2)
assert sp.simplify(variance.last.subs(t, sp.exp(e) - 1) * wide**2) == 2
derivation(e, names=names).at_most(wide, "equal at 0, then faster", by=increasing(e))

# %% [markdown]
# Whole numbers cost no variance.

# %% jupyter={"source_hidden": true} tags=["evidence"]
integers = np.arange(-60, 61)
package = np.log(discrete.pmf(integers, 2.0) / discrete.pmf(integers - 1, 2.0))
with claim("N-B7.integers") as c:
    c.decisive().derived(right, ratio(above), sp.exp(-e), "k ≥ 1")
    c.decisive().derived(left, ratio(at_most_0), sp.exp(e), "k ≤ 0")
    c.exact(total.last, sp.Integer(1), "a law: the probabilities sum to one")
    sign = np.where(integers > 0, -paper, paper)
    c.close(package, sign, "the package's law, from −60 to 60")
drawn_twice = np.random.default_rng(3).geometric(1 - np.exp(-paper), (2, 100_000))
shown = np.var(drawn_twice[0] - drawn_twice[1])
assert abs(shown - float(variance.last.subs(t, np.exp(paper) - 1))) < 0.2

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Privacy loss of every output for counts 0 and 1 at \u03b5 = 1/2. Circles: the exact discrete law, always +\u03b5 or \u2212\u03b5. Crosses: the small machine with 10 bits, rounded to integers; near the middle it leaves the band by less than 0.01, in the tails by more. Triangles: outputs that prove the answer 0 (up) or 1 (down).", "name": "fig-lap-04-loss"}, "image": {"alt": "Log ratio against the released integer from about -13 to 14. Circles lie at plus one half up to 0 and at minus one half from 1 on. Crosses stay near them in the middle, scatter further out, and triangles mark the ends."}} tags=["figure"]
fig, ax = plots.panels(height=3.2)
shown_at = np.arange(min(zero) - 1, max(one) + 2)
exact = package[np.searchsorted(integers, shown_at)]
blue, orange = plots.COLOURS["blue"], plots.COLOURS["orange"]
ax.plot(shown_at, exact, "o", mfc="none", color=blue, label="discrete law")
ax.plot(common, list(losses.values()), "x", color=orange, label="10 bits, rounded")
for value in certain:
    up = value in zero  # proves answer 0
    mark, height = ("^", 1.15) if up else ("v", -1.15)
    ax.plot(value, height, mark, color=plots.COLOURS["black"])
for side in (-paper, paper):
    ax.axhline(side, color=plots.COLOURS["grey"], lw=0.9, ls="-")
ax.set(
    xlabel="released integer", ylabel="log p(k | 0) / p(k | 1)", ylim=(-1.35, 1.35)
)
ax.legend(loc="upper right")
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert (shown_at[0], shown_at[-1]) == (-13, 14)  # as the alt text says
middle = [losses[k] for k in range(-3, 5)]
assert paper < np.abs(middle).max() < paper + 0.01
assert worst > paper + 0.1
assert max(losses.values()) < 1.15 and min(losses.values()) > -1.15

# %% [markdown]
# Whether this noise is also the *best* for a count is the question of [the next notebook](05-which-noise-is-best.ipynb).
#
# ## Does the library sample that law?
#
# Exact probabilities on paper are one thing, a program another; that was the point of this notebook. Sampling
# with exact integer arithmetic is a craft of its own, so we leave it to the OpenDP library {cite:p}`opendp`, and *test* it.
# It draws from the operating system's secure source and cannot be seeded. So we print no sample, only whether
# it passes, each test with a threshold that a right sampler misses at most once in $10^9$ runs. And since a test that everything
# passes is worth nothing, we also compute what the tests would catch.

# %%
draws = 200_000
samples = {f: discrete.discrete_laplace([f] * draws, scale=2.0) for f in (0, 1)}


# %% jupyter={"source_hidden": true} tags=["evidence"]
def cell_probabilities(scale):
    """Probabilities of -12, …, 12 and of the two tails."""
    middle = discrete.pmf(np.arange(-12, 13), scale)
    tail = (1 - middle.sum()) / 2
    return np.concatenate([[tail], middle, [tail]])


def chi_square_passes(sample):
    """Whether the sample fits the law at a false-alarm probability of 1e-9."""
    counts = np.bincount(np.clip(sample, -13, 13) + 13, minlength=27)
    expected = draws * cell_probabilities(1 / paper)
    return bool(stats.chisquare(counts, expected).pvalue > 1e-9)


expected, wrong = cell_probabilities(1 / paper), cell_probabilities(1.05 / paper)
shift = draws * np.sum((wrong - expected) ** 2 / expected)
missed = stats.ncx2.cdf(stats.chi2.isf(1e-9, 26), 26, shift)
rounded = np.rint(discrete.naive_sampler(draws, scale=2.0, rng=4)).astype(int)
assert missed < 1e-9  # a scale that is wrong by 5 % would not slip through


def z_score(level, t):
    """Excess of c0 over e^level c1 in standard errors, for the event 'at most t'."""
    c0, c1 = (np.sum(samples[f] <= t) for f in (0, 1))
    return (c0 - np.exp(level) * c1) / np.sqrt(c0 + np.exp(2 * level) * c1)


limit = 6.5  # a normal variable exceeds it with probability 4e-11
below = {f: discrete.pmf(np.arange(-400, 1 - f), 1 / paper).sum() for f in (0, 1)}
smaller = 0.85 * paper  # if only this were allowed, would we notice?
gap = np.sqrt(draws) * (below[0] - np.exp(smaller) * below[1])
expected_z = gap / np.sqrt(below[0] + np.exp(2 * smaller) * below[1])
assert expected_z - limit > 6

verdicts = {
    "OpenDP, count 0: fits the law": chi_square_passes(samples[0]),
    "OpenDP, count 1: fits the law": chi_square_passes(samples[1] - 1),
    "OpenDP: loss within ε": all(z_score(paper, t) < limit for t in range(-4, 5)),
    "OpenDP: ε attained up to t = 0": all(
        abs(z_score(paper, t)) < limit for t in range(-4, 1)
    ),
    "rounded Laplace noise: fits the law": chi_square_passes(rounded),
}
assert list(verdicts.values()) == [True] * 4 + [False]
power_z = round(float(expected_z))
passed = ["yes" if verdict else "no" for verdict in verdicts.values()]
table(
    {"test": list(verdicts), "passed": passed},
    caption="Tests of 200,000 draws for each of the counts 0 and 1, at ε = 1/2.",
)

# %% [markdown]
# The first test is a $\chi^2$ test of all cells; a scale wrong by 5 % would slip through with probability below $10^{-9}$. The next two compare
# the counts $c_0, c_1$ of the event "at most $t$": they should obey $c_0 \le e^{\varepsilon}c_1$ up to chance, with equality for $t \le 0$. Were only 85 % of
# the loss permitted, the excess would show as 16<!-- {power_z} --> standard errors. The last line shows the test at work: continuous noise *rounded* to integers follows another
# law, which would be private over real numbers as well, and the test tells the two apart.
#
# ## What this means for the note
#
# The note's mechanism ($y = q(D) + r$) is right as it stands, over real numbers; no claim of it is corrected
# here. What follows is for whoever implements it: the floating-point mechanism of
# [notebook 2](02-laplace-mechanism.ipynb) is for study. For a release, answer in integers (a mean as the sum of
# values that were rounded to a public grid first, divided afterwards) and add discrete noise. The attack is Mironov's
# {cite:p}`mironov2012significance`, the law that of Ghosh, Roughgarden and Sundararajan {cite:p}`ghosh2012universally`.
#
# ## Exercises
#
# ```{exercise-start} The largest noise
# :label: ex-lap-04-largest
# ```
# **Warm-up.** What is the largest noise that the textbook sampler can produce (leaving out $U = -\frac12$)? How likely is it that true
# Laplace noise exceeds it in absolute value?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lap-04-largest", ...)

# %% [markdown]
# ```{solution-start} ex-lap-04-largest
# :class: dropdown
# ```
# $j = 1$ gives $R\ln 2^{52} \approx 36R$. The true probability beyond, on both sides together, is $e^{-\ln 2^{52}} = 2^{-52}$. An output beyond it
# excludes the answer at once.

# %% jupyter={"source_hidden": true} tags=["evidence"]
top = sp.log(2**52)
assert sp.simplify(sp.exp(-top)) == sp.Rational(1, 2**52)
assert round(float(top)) == 36
assert discrete.mironov_attack(float(top), 0.0, scale=1.0)
assert not discrete.mironov_attack(float(top) + 0.5, 0.0, scale=1.0)
check("lap-04-largest", (top, sp.exp(-top)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The tail of the discrete law
# :label: ex-lap-04-tail
# ```
# **Standard.** Give $\Pr(|k| \ge t)$ for the discrete Laplace law in closed form. Which error does a count keep with
# probability 95 % at $\varepsilon = 0.1$, and what does the continuous formula $\frac1\varepsilon\ln 20$ say?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-04-tail", ...)


# %% [markdown]
# ```{solution-start} ex-lap-04-tail
# :class: dropdown
# ```
# $2\,\frac{1-q}{1+q}\sum_{k\ge t} q^k = \frac{2q^t}{1 + q}$ for $t \ge 1$. The smallest $t$ with at most 5 % is 31, so the error is at
# most 30 in at least 95 %; the continuous formula says 29.96.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def tail(q, t):
    return 2 * q**t / (1 + q)


ratio = np.exp(-0.1)
by_sum = 1 - discrete.pmf(np.arange(-30, 31), 10.0).sum()
assert np.isclose(tail(ratio, 31), by_sum)
assert tail(ratio, 31) <= 0.05 < tail(ratio, 30)
assert round(10 * np.log(20), 2) == 29.96
check("lap-04-tail", tail)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Days until the count is certain
# :label: ex-lap-04-many
# ```
# **Research.** The count is 4, the attacker considers $0, \dots, 9$, and the clinic answers on several days (scale 10). How many days
# until the count is known for certain? Predict it from the share 0.81<!-- {shown_excluded:.2f} --> first.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-04-many", ...)

# %% [markdown]
# ```{solution-start} ex-lap-04-many
# :class: dropdown
# ```
# If each wrong candidate survives a day with probability $s$, independently, the count is certain after $r$ days
# with probability $(1 - s^r)^9$: seldom on the first day, nearly always by the fourth. With the share 0.81<!-- {shown_excluded:.2f} --> for
# $1 - s$ day one comes out nearly right (two errors cancel there: this $s$ is too small, and survival is not independent) and the later days too high, since a count of 4 is hidden better: in
# these runs $s$ is 0.28<!-- {survive:.2f} --> in the mean. With that $s$ the last two days come out right, and the first two too low, since survival
# on one day is not independent: one noise decides for all nine candidates. (That $s$ is not the same for all nine changes
# little, and makes the prediction lower still.) On paper, four days at $\varepsilon = 0.1$ move the odds of neighbouring counts by $e^{0.4}$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
rng = np.random.default_rng(8)
days = discrete.naive_sampler((2000, 4), scale=10.0, rng=rng)
alive = discrete.mironov_attack(4 + days, np.arange(10.0), scale=10.0)
wrong = np.delete(alive, 4, axis=2)  # runs, days, the nine wrong candidates


def all_excluded(s, r):
    return (1 - s**r) ** 9


def certain_by(survived):
    """Share of the runs in which no wrong candidate is left, after each day."""
    left_over = np.logical_and.accumulate(survived, axis=1).any(axis=2)
    return 1 - left_over.mean(axis=0)


certain_after, first_days = certain_by(wrong), np.arange(1, 5)
survives, each = wrong.mean(), wrong.mean(axis=(0, 1))
from_share = all_excluded(1 - excluded[0], first_days)
predicted = all_excluded(survives, first_days)
unequal = np.prod(1 - each ** first_days[:, None], axis=1)
apart = certain_by(rng.permuted(wrong, axis=0))  # each candidate by itself
check("lap-04-many", all_excluded)
assert alive[:, :, 4].all()  # the truth survives
assert abs(from_share[0] - certain_after[0]) < 0.03  # day one nearly right
assert np.all(from_share[1:] - certain_after[1:] > 0.03)  # then too high
assert np.all(certain_after[:2] - predicted[:2] > 0.04)  # the first two too low
assert np.all(abs(certain_after[2:] - predicted[2:]) < 0.03)  # the last two right
assert np.all(abs(apart - unequal) < 4 * np.sqrt(apart * (1 - apart) / 2000))
assert np.all(unequal < predicted) and np.all(predicted - unequal < 0.02)
assert certain_after[0] < 0.3 and certain_after[3] > 0.9
survive = float(survives)
table(
    {"days": first_days, "certain": certain_after,
     f"from {excluded[0]:.2f}": from_share, f"from s = {survives:.2f}": predicted},
    caption="Probability that the count is certain: in 2,000 runs, and predicted.",
    formats=dict.fromkeys(
        ("certain", f"from {excluded[0]:.2f}", f"from s = {survives:.2f}"), ".2f"
    ),
)  # fmt: skip

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The proof of privacy is about real numbers. The textbook sampler's doubles have holes, and the holes of
#   neighbouring answers differ, so single releases can prove the answer.
# - The leak depends on answer and scale by accident; more noise can make it worse.
# - Rounding afterwards helps in the middle and fails in the tails. Noise that lives on the integers has the exact ratio $e^{\pm\varepsilon}$ everywhere.
# - A sampler that cannot be seeded can still be tested: thresholds first, then power, then yes or no.
#
# **Further reading.** Mironov {cite:p}`mironov2012significance`; the OpenDP library {cite:p}`opendp`. **Next:** with integers the noise is safe;
# [is it also the best?](05-which-noise-is-best.ipynb)
