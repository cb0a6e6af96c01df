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
# double is. **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two data sets whose counts are 0 and 1. **The attacker** knows everything but the one
# record and the random bits: the scale, the program, the machine's arithmetic. **Protected, on paper:** the
# odds of 0 against 1, within $e^{\pm\varepsilon}$. **Not considered:** time that the program takes, and a
# guessable seed. (The seeds in this notebook are there so that you see what we saw; a release must not have one.)
# ```

# %%
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue
from scipy import stats

from privlib.kit import claim, plots
from privlib.laplace import discrete

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
# result is exactly $\Lap(R)$.
# ```
#
# Mironov's attack {cite:p}`mironov2012significance` takes one released number and asks of each candidate answer: is there
# a $U$ that leads from here to there? If not, that answer is out.

# %%
scale, releases = 10.0, 100_000  # ε = 1/10 for a count
rng = np.random.default_rng(1)
noise = discrete.textbook_sampler(releases, scale=scale, rng=rng)
possible = {
    truth: discrete.mironov_attack(truth + noise, [0, 1], scale=scale)
    for truth in (0, 1)
}
excluded = {truth: 1 - p[:, 1 - truth].mean() for truth, p in possible.items()}
for truth, share in excluded.items():
    print(f"answer {truth}: {share:.2f} of all releases rule out {1 - truth}")

assert all(p[:, truth].all() for truth, p in possible.items())
glue("excluded", float(excluded[0]), display=False)
glue("odds", round(float(np.exp(1 / scale)), 6), display=False)


# %% [markdown]
# On paper the odds may move by a factor {glue:text}`odds:.3f`. Here a share of {glue:text}`excluded:.2f` of the releases
# moves them to infinity, and the truth is never ruled out. Where do the impossible numbers come from?
#
# ## Holes in the noise
#
# In double precision $U$ is a multiple of $2^{-53}$, so $1 - 2|U| = j/2^{52}$ with an integer $j$. There are only $2^{52}$
# magnitudes, $r_j = R\ln(2^{52}/j)$. Neighbouring ones are about $R/j$ apart, which for most $j$ is wider than the
# distance of doubles. Each answer $f$ therefore reaches a *porous* set of outputs, the rounded $f \pm r_j$, and the
# two sets have different holes. We list both sets in a window of 64 consecutive doubles from 5 upwards, by
# running every $j$ of the neighbourhood forward.

# %%
def forward(answer, window, scale, width=200):
    """Outputs in a window above the answer, by trying a range of j."""
    middle = round(2**52 * np.exp(-(window[0] - answer) / scale))
    j = np.arange(middle - width, middle + width + 1, dtype=float)
    return np.isin(window, answer + -scale * np.log(j / 2.0**52))


window = 5.0 + np.spacing(5.0) * np.arange(64)
reached = np.array([forward(f, window, scale) for f in (0.0, 1.0)])
attack = discrete.mironov_attack(window, [0.0, 1.0], scale=scale).T
assert np.array_equal(reached, attack)  # the attack's inversion finds the same sets

counts = {
    "answer 0": reached[0], "answer 1": reached[1],
    "both": reached.all(axis=0), "neither": ~reached.any(axis=0),
}  # fmt: skip
print("of 64 doubles,", *(f"{who}: {cells.sum()}" for who, cells in counts.items()))

# %% mystnb={"figure": {"caption": "Sixty-four consecutive doubles, seen through a microscope. Dark cells can be released if the true answer is 0 (upper row) or 1 (lower row). A release on a dark cell of one row that is white in the other proves the answer.", "name": "fig-lap-04-porous"}, "image": {"alt": "Two rows of 64 cells each. About a quarter of the cells in each row is dark, irregularly spaced, and few columns are dark in both rows."}}
fig, ax = plots.panels(height=1.9)
for row, (cells, name) in enumerate(zip(reached, ("blue", "orange"))):
    box = {"height": 0.8, "bottom": 0.6 - row, "width": 0.9}
    ax.bar(np.arange(64)[cells], color=plots.COLOURS[name], **box)
    ax.bar(np.arange(64), color="none", edgecolor="#cccccc", lw=0.5, **box)
ax.set_yticks([1, 0], ["answer 0", "answer 1"])
ax.set(xlabel="released number: 5 + k · 2⁻⁵⁰, at k", xlim=(-1, 64))
ax.grid(visible=False)
plt.show()

# %% [markdown]
# ## Who is safe by luck?
#
# Does every count leak like that? If the answer is large, rounding $f + r$ to the doubles near $f$ throws low bits of the noise away, and fills the
# holes. So whether the textbook sampler leaks depends on the answer and on the scale.

# %%
answers = 10.0 ** np.arange(0, 7)
rng = np.random.default_rng(2)
luck = {}
for s in (1.0, 10.0, 100.0, 1000.0):
    noise = discrete.textbook_sampler((20_000, 1), scale=s, rng=rng)
    wrong = discrete.mironov_attack
    luck[s] = np.array(
        [1 - wrong(f + noise, [f + 1], scale=s).mean() for f in answers]
    )
print("share of releases that rule out answer + 1")
print("answer     ", *(f"{f:>8.0f}" for f in answers))
for s, row in luck.items():
    print(f"scale {s:5.0f}", *(f"{v:8.3f}" for v in row))

# %% mystnb={"figure": {"caption": "How often a release of the textbook sampler rules out the neighbouring answer. Small counts are exposed at every scale; a count of 1,000 is nearly safe at scale 1 and half exposed at scale 1,000, where the formula promises the most.", "name": "fig-lap-04-luck"}, "image": {"alt": "Four curves of the share of revealing releases against the true answer from 1 to a million on a logarithmic axis. All start between 0.6 and 0.8 at 1 and fall to 0; the larger the scale, the later."}}
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

# %%
table = np.array(list(luck.values()))
assert np.all(table[:, 0] > 0.5) and np.all(table[:, -1] < 0.05)
assert np.all(np.diff(table[:, 3]) > 0)  # a count of 1,000: more noise, more exposed


# %% [markdown]
# More noise, less privacy: at a count of 1,000 the share *rises* with the scale. What matters is the ratio of answer to
# scale, read off the table's diagonals. Rounding happened here by accident; does it help when it is done on purpose?
#
# ## A machine small enough to count
#
# Sixty-four doubles are a window. To see the whole output at once, build a small machine: $U$ has $B$ bits, and
# outputs are multiples of $2^{-p}$. All $2^B - 1$ values of $U \ne -\frac12$ can be listed, and probabilities are
# exact fractions.

# %%
def machine(bits, places, answer, scale=2.0):
    """Exact law of the small machine: output in units of 2^-places -> probability."""
    half = 2 ** (bits - 1)
    u = np.arange(1 - half, half)
    noise = -scale * np.sign(u) * np.log((half - np.abs(u)) / half)
    outputs = np.rint((answer + noise) * 2**places).astype(int)
    cells, counts = np.unique(outputs, return_counts=True)
    return {int(k): Fraction(int(m), len(u)) for k, m in zip(cells, counts)}


def revealed(bits, places):
    """Probability that answer 0 gives an output which answer 1 cannot give."""
    zero, one = machine(bits, places, 0), machine(bits, places, 1)
    return sum((p for k, p in zero.items() if k not in one), Fraction(0))


fine = {bits: revealed(bits, bits) for bits in (8, 10, 12, 14)}
coarse = {bits: revealed(bits, 0) for bits in (8, 10, 12, 14)}
print("bits of U   outputs as fine as U   outputs rounded to integers")
for bits in fine:
    print(f"{bits:6d}      {fine[bits]!s:>10s} = {float(fine[bits]):.3f}", end="")
    print(f"   {coarse[bits]!s:>9s} = {float(coarse[bits]):.5f}")
assert all(share > Fraction(4, 5) for share in fine.values())
assert all(0 < share < Fraction(1, 50) for share in coarse.values())

# %% [markdown]
# More bits do not close the holes as long as the output keeps them all. Rounding the output does close them,
# where the values of $U$ are dense. It cannot where they are sparse: in the tails one answer still reaches
# numbers that the other does not, and even where both reach, the ratio of their probabilities is not what
# the formula says.

# %%
eps = 0.5  # scale 2
zero, one = machine(10, 0, 0), machine(10, 0, 1)
common = sorted(set(zero) & set(one))
losses = {k: float(np.log(float(zero[k] / one[k]))) for k in common}
certain = sorted(set(zero) ^ set(one))
worst = max(abs(v) for v in losses.values())
print(f"10 bits, integers: loss up to {worst:.3f} instead of {eps},")
print(f"infinite at {len(certain)} outputs: {certain}")
assert worst > eps and len(certain) > 0

# %% [markdown]
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
# nothing is rounded, and every answer reaches every integer.
# ```
#
# For counts 0 and 1 the ratio is $p(k)/p(k - 1) = q^{|k| - |k-1|}$. On integers, $|k| - |k - 1|$ is $1$ for $k \ge 1$ and
# $-1$ for $k \le 0$, and there is nothing in between. So the *whole* output is at the worst case. Sympy
# adds up the law and its variance, and with $q = \frac12$ ($\varepsilon = \ln 2$) everything is a fraction.

# %%
q = sp.Symbol("q", positive=True)
k = sp.Symbol("k", integer=True, positive=True)
weight = (1 - q) / (1 + q)

# Σ q^k and Σ k² q^k for 0 < q < 1, from the geometric series by q d/dq
geometric = q / (1 - q)
second = q * sp.diff(q * sp.diff(geometric, q), q)
total = sp.simplify(weight * (1 + 2 * geometric))
variance = sp.factor(weight * 2 * second)
right = sp.simplify(q**k / q ** (k - 1))  # k = 1, 2, …
left = sp.simplify(q ** (k - 1) / q**k)  # k = 0, −1, …
print("total:", total, "  variance:", variance, "  ratios:", right, "and", left)

h = Fraction(1, 2)
p = {i: (1 - h) / (1 + h) * h ** abs(i) for i in range(-40, 41)}
loss_factors = {p[i] / p[i - 1] for i in range(-39, 41)}
one_sided = [(1 - h) * h**i for i in range(60)]  # a geometric variable
differences = {
    i: sum(one_sided[m] * one_sided[m + i] for m in range(60 - i)) for i in range(5)
}

# %% mystnb={"figure": {"caption": "Privacy loss of every output for counts 0 and 1 at \u03b5 = 1/2. Circles: the exact discrete law, always +\u03b5 or \u2212\u03b5. Crosses: the small machine with 10 bits, rounded to integers; near the middle it follows, in the tails it leaves the band. Triangles: outputs that prove the answer 0 (up) or 1 (down).", "name": "fig-lap-04-loss"}, "image": {"alt": "Log ratio against the released integer from about -13 to 14. Circles lie at plus one half up to 0 and at minus one half from 1 on. Crosses follow them in the middle, scatter further out, and triangles mark the ends."}}
fig, ax = plots.panels(height=3.2)
integers = np.arange(min(zero) - 1, max(one) + 2)
ratio = np.log(discrete.pmf(integers, 2.0) / discrete.pmf(integers - 1, 2.0))
blue, orange = plots.COLOURS["blue"], plots.COLOURS["orange"]
ax.plot(integers, ratio, "o", mfc="none", color=blue, label="discrete law")
ax.plot(common, list(losses.values()), "x", color=orange, label="10 bits, rounded")
for value in certain:
    up = value in zero  # proves answer 0
    mark, height = ("^", 1.15) if up else ("v", -1.15)
    ax.plot(value, height, mark, color=plots.COLOURS["black"])
for side in (-eps, eps):
    ax.axhline(side, color=plots.COLOURS["grey"], lw=0.9, ls="-")
ax.set(
    xlabel="released integer", ylabel="log p(k | 0) / p(k | 1)", ylim=(-1.35, 1.35)
)
ax.legend(loc="upper right")
plt.show()

# %% [markdown]
# And the price? The variance is $2q/(1 - q)^2$, a little *less* than the $2/\varepsilon^2$ of the continuous noise.

# %%
e = sp.Symbol("epsilon", positive=True)
discrete_variance = variance.subs(q, sp.exp(-e))
series = sp.series(discrete_variance, e, 0, 2).removeO()
assert sp.simplify(series - (2 / e**2 - sp.Rational(1, 6))) == 0
series

# %% [markdown]
# ## Does the library sample that law?
#
# Exact probabilities on paper are one thing, a program another; that was the point of this notebook. Sampling
# with exact integer arithmetic is a craft of its own, so we leave it to the OpenDP library {cite:p}`opendp`, and *test* it.
# It draws from the operating system's secure source and cannot be seeded. So we print no sample, only whether
# it passes, with thresholds that a right sampler misses less than once in $10^9$ runs. And since a test that everything
# passes is worth nothing, we also compute what the tests would catch.

# %%
draws = 200_000
samples = {
    f: discrete.discrete_laplace(np.full(draws, f), scale=1 / eps) for f in (0, 1)
}
cells = np.arange(-12, 13)


def cell_probabilities(scale):
    """Probabilities of -12, …, 12 and of the two tails."""
    middle = discrete.pmf(cells, scale)
    tail = (1 - middle.sum()) / 2
    return np.concatenate([[tail], middle, [tail]])


def chi_square_passes(sample):
    """Whether the sample fits the law at a false-alarm probability of 1e-9."""
    counts = np.bincount(np.clip(sample, -13, 13) + 13, minlength=27)
    return stats.chisquare(counts, draws * cell_probabilities(1 / eps)).pvalue > 1e-9


fits = {f: bool(chi_square_passes(sample - f)) for f, sample in samples.items()}
print("fits the exact law:", fits)

expected, wrong = cell_probabilities(1 / eps), cell_probabilities(1.05 / eps)
shift = draws * np.sum((wrong - expected) ** 2 / expected)
missed = stats.ncx2.cdf(stats.chi2.isf(1e-9, 26), 26, shift)
print(
    "a scale wrong by 5 % would slip through with probability < 1e-9:", missed < 1e-9
)
assert all(fits.values()) and missed < 1e-9
assert not chi_square_passes(
    np.rint(discrete.textbook_sampler(draws, scale=2.0, rng=rng)).astype(int)
)


# %% [markdown]
# (The last line shows the test at work: continuous noise *rounded* to integers follows another law, which would be private over real
# numbers as well, and the test tells the two apart.) Next, the privacy loss itself, measured. For the event "at most $t$" the counts $c_0, c_1$ of the two
# answers should obey $c_0 \le e^{\varepsilon} c_1$ up to chance, with equality for $t \le 0$.

# %%
def z_score(level, t):
    """Excess of c0 over e^level c1 in standard errors, for the event 'at most t'."""
    c0, c1 = (np.sum(samples[f] <= t) for f in (0, 1))
    return (c0 - np.exp(level) * c1) / np.sqrt(c0 + np.exp(2 * level) * c1)


limit = 6.5  # a normal variable exceeds it with probability 4e-11
within = all(z_score(eps, t) < limit for t in range(-4, 5))
attained = all(abs(z_score(eps, t)) < limit for t in range(-4, 1))

below = {f: discrete.pmf(np.arange(-400, 1 - f), 1 / eps).sum() for f in (0, 1)}
smaller = 0.85 * eps  # if only this were allowed, would we notice?
gap = np.sqrt(draws) * (below[0] - np.exp(smaller) * below[1])
expected_z = gap / np.sqrt(below[0] + np.exp(2 * smaller) * below[1])
print("loss within ε:", within, "  attained up to t = 0:", attained)
print(f"a loss 15 % above the permitted one would show as z ≈ {expected_z:.0f}")
assert expected_z - limit > 6

# %% tags=["hide-input"]
with claim("N-B7") as c:
    truth_kept = all(p[:, truth].all() for truth, p in possible.items())
    c.holds(truth_kept, "the attack never rules out the truth", method="numeric")
    for truth, share in excluded.items():
        label = (
            f"answer {truth}: {share:.2f} of {releases:,} releases rule out the other"
        )
        c.at_most(0.75, share, label)
    c.exact(reached, attack, "64 doubles: forward enumeration finds the same holes")
    c.at_most(
        Fraction(4, 5), fine[14], "14-bit machine: at least 4 of 5 releases prove"
    )
    c.exact(total, sp.Integer(1), "discrete law: probabilities sum to one")
    c.exact([right, left], [q, 1 / q], "ratio for counts 0, 1: exactly e^±ε")
    c.exact(
        loss_factors,
        {Fraction(1, 2), Fraction(2)},
        "ε = ln 2: the factor is 1/2 or 2",
    )
    ends = [abs(differences[i] - p[i]) < Fraction(1, 2**100) for i in range(5)]
    c.holds(all(ends), "it is the difference of two geometric variables")
    numbers = [
        float(weight.subs(q, sp.exp(-eps)) * sp.exp(-eps * i)) for i in range(9)
    ]
    c.close(discrete.pmf(np.arange(9), 1 / eps), numbers, "the package's law")
    c.holds(all(fits.values()), "OpenDP samples fit it (p > 1e-9)", method="numeric")
    c.holds(within and attained, "measured loss is ε (|z| < 6.5)", method="numeric")

# %% [markdown]
# ## What this means for the note
#
# The note's mechanism ($y = q(D) + r$) is right as it stands, over real numbers; no claim of it is corrected
# here. What follows is for whoever implements it: the floating-point mechanism of
# [notebook 2](02-laplace-mechanism.ipynb) is for study. For a release, answer in integers (a mean as the sum of
# values that were rounded to a public grid first, divided afterwards) and add discrete noise.
#
# ## Exercises
#
# ```{exercise-start} The largest noise
# :label: ex-lap-04-largest
# ```
# **Warm-up.** What is the largest noise that the textbook sampler can produce (leaving out $U = -\frac12$)? How likely is it that true
# Laplace noise exceeds it?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lap-04-largest
# :class: dropdown
# ```
# $j = 1$ gives $R\ln 2^{52} \approx 36R$. The true probability beyond is $e^{-\ln 2^{52}} = 2^{-52}$. An output beyond it
# excludes the answer at once.

# %%
top = sp.log(2**52)
assert sp.simplify(sp.exp(-top)) == sp.Rational(1, 2**52)
limit_scale = float(top)
assert discrete.mironov_attack(limit_scale, 0.0, scale=1.0)
assert not discrete.mironov_attack(limit_scale + 0.5, 0.0, scale=1.0)


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
#
# ```{solution-start} ex-lap-04-tail
# :class: dropdown
# ```
# $2\,\frac{1-q}{1+q}\sum_{k\ge t} q^k = \frac{2q^t}{1 + q}$ for $t \ge 1$. The smallest $t$ with at most 5 % is 31, so the error is at
# most 30 in at least 95 %; the continuous formula says 29.96.

# %%
def tail(t):
    return 2 * np.exp(-0.1 * t) / (1 + np.exp(-0.1))


by_sum = 1 - discrete.pmf(np.arange(-30, 31), 10.0).sum()
assert np.isclose(tail(31), by_sum)
assert tail(31) <= 0.05 < tail(30)
assert round(10 * np.log(20), 2) == 29.96

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Days until the count is certain
# :label: ex-lap-04-many
# ```
# **Research.** The count is 4, the attacker considers $0, \dots, 9$, and the clinic answers on several days (scale 10). How many days
# until the count is known for certain? Predict it from the share {glue:text}`excluded:.2f` first.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lap-04-many
# :class: dropdown
# ```
# If each wrong candidate survives a day with probability $s$, independently, the count is certain after $r$ days
# with probability $(1 - s^r)^9$: seldom on the first day, nearly always by the fourth. (A count of 4 is hidden a little better than
# 0, and survival on one day is not quite independent, hence the difference on day one.) On paper, four days at $\varepsilon = 0.1$ move the odds of neighbouring counts by $e^{0.4}$.

# %%
rng = np.random.default_rng(8)
days = discrete.textbook_sampler((2000, 4), scale=10.0, rng=rng)
alive = discrete.mironov_attack(4 + days, np.arange(10.0), scale=10.0)
left_over = np.logical_and.accumulate(alive, axis=1).sum(axis=2)
certain_after = (left_over == 1).mean(axis=0)
survives = np.delete(alive, 4, axis=2).mean()
predicted = (1 - survives ** np.arange(1, 5)) ** 9
print("certain after 1, 2, 3, 4 days:", certain_after.round(2))
print("predicted:                    ", predicted.round(2))
assert np.all(np.abs(certain_after - predicted) < 0.1)
assert certain_after[3] > 0.9

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
# **Further reading.** Mironov {cite:p}`mironov2012significance`; the OpenDP library {cite:p}`opendp`. **Next:** what
# if other people's records speak about yours? [Why differential privacy is not
# enough](../correlated/01-why-dp-is-not-enough.ipynb).
