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
# # Which release would you publish?
#
# You have a million records, nobody is to be found with a chance of more than one in ten, and your readers care about one
# share, of a tenth in ten categories. Theorem 5.1 lets you choose: noise on everybody, or a sample of ten per cent with much less noise. The second
# sounds better and has 147<!-- {worse_million:.0f} --> times the variance, 12<!-- {worse_error:.0f} --> times the
# standard error. There is a third way that neither extreme suggests: leave out one per cent of the records, and the
# variance falls by more than half. Then somebody asks: safe against *whom*? This notebook turns the bound into a design, and
# ends with a real file, its matrix, its errors and the label that belongs under it.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how large a retention probability a wanted $k$ allows, what noise and sampling cost in
# accuracy, why leaving out a few records pays and who is not held off by it, what strata and samples of random size do to
# the level, how all this reads in $\varepsilon$, and what to print under a release.
# **You need** Theorem 5.1 and the swap lemma ([notebook 3](03-pram-and-sampling.ipynb)) and the variance of a mean.
# **Time:** 27 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** one column, rewritten by retention PRAM (each value is kept with probability $\rho$ and otherwise drawn
# from all $N$ categories), then a sample of fixed size, shuffled; later one sample in each stratum, or of random size.
# **The attacker** knows the whole table and the process, not who was sampled; the *prosecutor* knows that as well.
# **Protected:** which line is whose, at level $k$ or, against the prosecutor, $\kappa$. **Not protected:** who took part, unless the label says
# so, and what lines that are all alike tell about a group.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial, perm, prod

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp
from scipy import stats

from privlib.disclosure import anonymity, design, local_dp, posterior, pram, risk_report, sampling
from privlib.notebook import claim, datasets, derivation, interactive, misprints, plots, table

plots.use()
rng = np.random.default_rng(505)
apart = sp.UnevaluatedExpr


def down(values, places=4):
    """Rounded down: with a retention that is rounded up the level would be lower."""
    return np.floor(np.array(values) * 10**places) / 10**places


# %% [markdown]
# ## How much may be kept?
#
# Of $n$ records $s$ are released. Where a value is not kept, the draw may return it all the same: $\rho$ is a probability of the process,
# and more than this share of the values stay as they are. Retention has $\gamma = (1 - \rho)/(1 + (N-1)\rho)$, the probability of a false value divided by that
# of the true one, and $g_2 = \gamma^2$; and it attains the bound. So the level is a quadratic in $\gamma$,
# $k = 1 + (n - s)\gamma + (s - 1)\gamma^2$, and we can solve it.
#
# ```{prf:proposition} The least noise for a level
# :label: thm-di-05-noise
# The largest retention probability at level $k$ is $\rho^* = (1 - \gamma^*)/(1 + (N-1)\gamma^*)$ with
#
# $$
# \gamma^* = \frac{2 (k - 1)}{n - s + D}, \qquad D = \sqrt{(n - s)^2 + 4 (s - 1)(k - 1)} .
# $$
# ```
#
# Write $d = n - s$. By its definition $D^2 - d^2 = 4(s - 1)(k - 1)$, and at $\gamma^* = 2(k-1)/(d + D)$ the level is

# %% jupyter={"source_hidden": true} tags=["evidence"]
n_, s_, k_, N_ = sp.symbols("n s k N", positive=True)
gamma, rho, pi = sp.symbols("gamma rho pi", positive=True)
root = 2 * (k_ - 1) / (n_ - s_ + sp.sqrt((n_ - s_) ** 2 + 4 * (s_ - 1) * (k_ - 1)))
level = 1 + (n_ - s_) * gamma + (s_ - 1) * gamma**2

k_less, d_, D = sp.symbols("K d D", positive=True)  # k - 1, n - s and the root
named = {k_less: "(k-1)"}
at_root = 1 + d_ * apart(2 * k_less / (d_ + D)) + apart(
    (D**2 - d_**2) / (4 * k_less)
) * apart(2 * k_less / (d_ + D)) ** 2
solved = (
    derivation(at_root, of="k", names=named)
    .equal(
        1 + 2 * d_ * k_less / (d_ + D) + (D - d_) * k_less / (d_ + D),
        "$D^2 - d^2 = (D - d)(D + d)$",
    )
    .equal(1 + k_less, "common denominator")
)
solved

# %% [markdown]
# The level grows with $\gamma$, and $\gamma$ falls in $\rho$, so no larger $\rho$ will do. (The way from $\rho$ to $\gamma$ is
# its own inverse.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
moebius = (1 - rho) / (1 + (N_ - 1) * rho)
t = sp.Symbol("t", positive=True)  # N - 1
steep = -sp.diff(moebius.subs(N_, 1 + t), rho)
falls = (
    derivation(steep, of=r"-\frac{d\gamma}{d\rho}", names={t: "(N-1)"})
    .equal((1 + t) / (1 + t * rho) ** 2, "common denominator")
    .at_least(0, "nothing negative in it")
)
falls

# %%
sizes = [1000, 500, 100, 10]
kept = [design.retention_for_k(1000, 10, n_sampled=s, categories=10) for s in sizes]

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"records released s": sizes, "largest retention ρ*": down(kept)},
    formats={"largest retention ρ*": ".4f"},
    caption="A thousand records, ten categories, level k = 10; ρ* rounded down.",
)

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("K-B7") as c:
    c.decisive().exact(
        sp.simplify(level.subs(gamma, root)), k_, "the level of γ* is k"
    )
    c.derived(solved, at_root, 1 + k_less, "by hand")
    c.decisive().derived(falls, steep, 0, "γ falls in ρ")
    twice = sp.simplify(moebius.subs(rho, moebius))
    c.exact(twice, rho, "ρ from γ by the same map")
    for s, keep in zip(sizes, kept):
        worst = anonymity.homogeneous_worst_case(
            pram.retention_matrix(keep, 10), 1000, n_sampled=s
        )
        risk = posterior.match_probability(
            worst.table,
            worst.release,
            transition=pram.retention_matrix(keep, 10),
            record=0,
            slot=0,
        )
        c.close(1 / risk, 10, f"s = {s}: exact posterior of the worst table")
as_shown = [pram.retention_matrix(keep, 10) for keep in down(kept)]
assert all(
    anonymity.pk_level(A, 1000, n_sampled=s) >= 10 for A, s in zip(as_shown, sizes)
)

# %% [markdown]
# The smaller the sample, the larger $\rho$ may be. But what is it all worth to the reader of the data?
#
# ## What does it cost in accuracy?
#
# The reader wants $\pi$, the share of a category. A slot shows it with probability $a = \rho + \frac{1-\rho}N$ if it is
# true and $b = \frac{1-\rho}N$ if not. So with $\hat\lambda$ the share of the slots that show it,
# $\hat\pi = (\hat\lambda - b)/\rho$ is unbiased, since $\pi a + (1-\pi) b = b + \rho\pi$.
#
# ```{prf:proposition} Accuracy of PRAM and sampling
# :label: thm-di-05-variance
# $$
# \operatorname{Var}(\hat\pi) = \frac{\pi a(1-a) + (1-\pi) b(1-b)}{s\rho^2}
#     + \frac1s\Bigl(1 - \frac sn\Bigr)\frac{n}{n-1}\,\pi(1-\pi).
# $$
# ```
#
# These are two textbook variances ({cite:p}`gouweleeuw1998post` for the first), added by the law of total variance. *Given who was
# sampled* the slots are independent, each with variance $a(1-a)$ or $b(1-b)$; on average that is the first part. And the
# *expectation* given the sample is the share in the sample: the second part is the variance of a mean without replacement.
# On a table of five, listing every sample of two and every rewriting in fractions gives the same
# (391/900<!-- {shown_by_listing} -->).

# %% jupyter={"source_hidden": true} tags=["evidence"]
own, other = rho + (1 - rho) / N_, (1 - rho) / N_
noise = (pi * own * (1 - own) + (1 - pi) * other * (1 - other)) / (s_ * rho**2)
sampled = (1 - s_ / n_) / s_ * n_ / (n_ - 1) * pi * (1 - pi)


def by_listing(people, size, keep, categories):
    """Mean and variance of the estimate, and mean of its estimated variance."""
    A = pram.retention_matrix(keep, categories)
    first = second = Fraction(0)
    spread = 0.0
    for order in permutations(range(len(people)), size):
        for shown in product(range(categories), repeat=size):
            chance = Fraction(1, perm(len(people), size))
            for r, v in zip(order, shown):
                chance *= A[people[r], v]
            value = (Fraction(shown.count(0), size) - A[1, 0]) / keep
            first += chance * value
            second += chance * value**2
            shares = design.estimate_shares(shown, A, n=len(people))
            spread += float(chance) * shares.variance[0]
    return first, second - first**2, spread


def variance_at(**values):
    names = {"n": n_, "s": s_, "N": N_, "pi": pi, "rho": rho}
    return (noise + sampled).subs(
        {names[x]: sp.Rational(v) for x, v in values.items()}
    )


five = (0, 0, 1, 2, 1)
mean, listed, spread = by_listing(five, 2, Fraction(1, 2), 3)
formula = variance_at(n=5, s=2, N=3, pi=Fraction(2, 5), rho=Fraction(1, 2))
package = design.share_variance(
    [0.4, 0.4, 0.2], pram.retention_matrix(0.5, 3), n=5, n_sampled=2
)
assert mean == Fraction(2, 5) and listed == Fraction(formula)
assert np.allclose([package[0], spread], float(listed), rtol=1e-12)
shown_by_listing = str(listed)


# %% [markdown]
# Now hold $k = 10$ fixed and let the sample shrink. Fewer records, but cleaner ones.

# %%
def variance(n, k, N, share, s):
    """Variance of one share at level k."""
    keep = design.retention_for_k(n, k, n_sampled=s, categories=N)
    shares = [share, *[(1 - share) / (N - 1)] * (N - 1)]
    A = pram.retention_matrix(keep, N)
    return design.share_variance(shares, A, n=n, n_sampled=s)[0]


cases = [(10**3, 10, 0.1), (10**4, 10, 0.1), (10**6, 10, 0.1), (10**3, 100, 0.01)]
tenth = [
    variance(n, 10, N, share, n // 10) / variance(n, 10, N, share, n)
    for n, N, share in cases
]

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"records n": [f"{n:,}" for n, *_ in cases],
     "categories N": [N for _, N, _ in cases],
     "share π": [x[2] for x in cases], "ratio of variances": tenth,
     "of standard errors": [ratio**0.5 for ratio in tenth]},
    formats={"share π": ".2f", "ratio of variances": ".2f",
             "of standard errors": ".2f"},
    caption="A sample of 10 %, relative to noise on everybody, both at level k = 10.",
)  # fmt: skip

# %% [markdown]
# Far worse in the first three cases. (For differential privacy the same question is asked in {cite:p}`hu2021accuracy`.) The noise on everybody has a standard deviation of order $n^{-3/4}$ for the share, the sample alone costs
# $n^{-1/2}$. Drawing a tenth alone costs
# $9\pi(1-\pi)/(n-1)$; so the sample can win only where rewriting everybody adds more than nine times the variance $\pi(1-\pi)$ of the value itself,
# as in the last row. For small $\gamma$ it adds $(1 + \pi(N-2))\gamma$, and $\gamma \approx \sqrt{(k-1)/n}$: with $N$ and $\pi$ given, the sample loses once $n \gg k$.
# And between the extremes?
#
# ## Who may stay out?
#
# Take the best of all sample sizes:

# %%
best = [design.best_thinning(n, 10, categories=N, share=s) for n, N, s in cases[:3]]

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"records n": [f"{n:,}" for n, *_ in cases[:3]],
     "leave out": [f"{t.drop:,}" for t in best],
     "predicted": [f"{t.asymptotic_drop:,.0f}" for t in best],
     "retention ρ": down([t.keep for t in best]),
     "variance": [t.variance_ratio for t in best],
     "predicted ratio": [t.asymptotic_ratio for t in best]},
    formats=dict.fromkeys(["retention ρ", "variance", "predicted ratio"], ".4f"),
    caption="The most accurate retention at level k = 10 (N = 10, π = 0.1), ρ "
    "rounded down. Variance, for ρ unrounded, relative to noise on everybody; "
    "predicted is what the proposition below says.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
spare = 1000 * variance(1000, 10, 100, 0.01, 1000) / (0.01 * 0.99)
assert tenth[3] < 1 and spare > 9 * 1000 / 999  # what a tenth of the records costs
for t, (n, *_) in zip(best, cases):
    as_shown = pram.retention_matrix(float(down(t.keep)), 10)
    assert anonymity.pk_level(as_shown, n, n_sampled=t.n_sampled) >= 10
worse_million = float(tenth[2])
worse_error = round(float(tenth[2]) ** 0.5, 3)
drop_share = round(100 * best[2].drop / 10**6, 2)
drop_ratio = round(best[2].variance_ratio, 3)
assert 0.01 < best[2].drop / 10**6 < 0.013 and best[2].variance_ratio < 0.5

# %% [markdown]
# Of a million records, leave out 1.23<!-- {drop_share} --> %, and the variance is 0.435<!-- {drop_ratio} --> of what it
# was. Why? The first record left out counts $\gamma$ instead of $\gamma^2$ in the level, and $\gamma$ is small; so the noise
# can be lowered a lot, and almost nothing is lost by the sampling. Write $q = n - s$, let $n \gg k$, and drop what is
# small: $k - 1 \approx q\gamma + n\gamma^2$, the noise on a record is $1 + \pi(N - 2)$ times $\gamma$, and so the variance is
# proportional to $\gamma + \beta\frac qn$ with $\beta = \pi(1-\pi)/(1 + \pi(N-2))$, which is at most $\frac14$. Putting in
# $\frac qn = \frac{m}{\gamma} - \gamma$ with $m = \frac{k-1}n$ leaves $(1-\beta)\gamma + \beta\frac m\gamma$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
beta, omega, m_ = sp.symbols("beta omega m", positive=True)  # omega = 1 - beta
per_record = noise.subs(rho, moebius.subs(rho, gamma)) * s_  # noise at a given γ
slope = sp.factor(sp.simplify(sp.diff(per_record, gamma).subs(gamma, 0)))
cost = omega * gamma + beta * m_ / gamma
cheapest = (
    derivation(cost, of=r"\gamma + \beta\tfrac qn", names={omega: r"(1-\beta)"})
    .equal(
        (sp.sqrt(omega) * gamma - sp.sqrt(beta * m_)) ** 2 / gamma
        + 2 * sp.sqrt(omega * beta * m_),
        "complete the square",
    )
    .at_least(2 * sp.sqrt(omega * beta * m_), "a square is not negative")
)
cheapest

# %% [markdown]
# The square vanishes at $\gamma^2 = \frac{\beta}{1-\beta}\,m$, which says how many stay out:

# %% jupyter={"source_hidden": true} tags=["evidence"]
at_best = sp.sqrt(beta * m_ / omega)
stay_out = derivation(
    m_ / at_best - at_best, of=r"\tfrac{q^*}{n}", names={omega: r"(1-\beta)"}
).equal((omega - beta) / sp.sqrt(omega * beta) * sp.sqrt(m_), "common denominator")
stay_out


# %% [markdown]
# Noise on everybody is $q = 0$, $\gamma = \sqrt m$, so the cost falls from $\sqrt m$ to $2\sqrt{\beta(1-\beta)\,m}$:
#
# ```{prf:proposition} Light thinning
# :label: thm-di-05-thinning
# For $n \gg k$ the most accurate retention at level $k$ leaves out
# $q^* \approx \frac{1 - 2\beta}{\sqrt{\beta(1-\beta)}}\sqrt{n(k-1)}$ records, and its variance is
# $2\sqrt{\beta(1-\beta)}$ times that of noise on everybody.
# ```

# %% jupyter={"source_hidden": true} tags=["evidence"]
def simulate(n, k, s, runs):
    """Mean square error of a share (π = 0.1, N = 10), and its standard error."""
    A = pram.retention_matrix(
        design.retention_for_k(n, k, n_sampled=s, categories=10), 10
    )
    truth = np.repeat(np.arange(10), n // 10)
    errors = np.empty(runs)
    for run in range(runs):
        shown = pram.apply_pram(rng.permutation(truth)[:s], A, rng=rng)
        errors[run] = design.estimate_shares(shown, A, n=n).estimate[0] - 0.1
    squares = errors**2
    return squares.mean(), squares.std() / np.sqrt(runs)


drawn = [100, best[0].n_sampled, 1000]
runs = [simulate(1000, 10, s, 1000) for s in drawn]
expected = [variance(1000, 10, 10, 0.1, s) for s in drawn]
ratios = [t.variance_ratio for t in best]
at_level = (noise + sampled).subs(rho, moebius.subs(rho, gamma)).subs(gamma, root)
priced = sp.lambdify((n_, s_, k_, N_, pi), at_level)  # variance at level k
grid = list(product([10**6], (10, 100), (2, 10, 100), (0.5, 0.1, 0.01)))
thinned = [design.best_thinning(n, k, categories=N, share=x) for n, k, N, x in grid]
ratio_of, by_hand, beside = [[], []], [[], []], []
for (n, k, N, share), t in zip(grid, thinned):
    keep = design.retention_for_k(n, k, n_sampled=n // 10, categories=N)
    A, whole = pram.retention_matrix(keep, N), priced(n, n, k, N, share)
    rest = [share, *[(1 - share) / (N - 1)] * (N - 1)]
    all_ = pram.retention_matrix(design.retention_for_k(n, k, categories=N), N)
    drawn_ = design.share_variance(rest, A, n=n, n_sampled=n // 10)[0]
    ratio_of[0].append(drawn_ / design.share_variance(rest, all_, n=n)[0])
    ratio_of[1].append(t.variance_ratio)
    for j, s in enumerate((n // 10, t.n_sampled)):
        by_hand[j].append(priced(n, s, k, N, share) / whole)
    near = [priced(n, n - q, k, N, share) / whole for q in (t.drop // 2, 2 * t.drop)]
    beside.append(min(near))
where = "n = 10⁶, 18 cases up to N = 100, k = 100"
most_out = max(t.drop / n for t, (n, *_) in zip(thinned, grid))
spans = f"{min(ratio_of[1]):.2f} to {max(ratio_of[1]):.2f} of the variance"
with claim("K-B8") as c:
    errors_ = [run[1] for run in runs]
    told_of = f"n = 1000, s = {drawn[0]}, {drawn[1]}, {drawn[2]}, drawn: variance"
    c.sampled([run[0] for run in runs], expected, told_of, stderr=errors_)
    c.decisive("sampled").at_most(
        [3.0] * 18, ratio_of[0], f"a 10 % sample: {min(ratio_of[0]):.1f} to "
        f"{max(ratio_of[0]):.0f} times, {where}",
    )  # fmt: skip
    c.decisive("sampled").at_most(
        ratio_of[1], [0.9] * 18,
        f"leaving out at most {most_out:.0%}: {spans}, {where}",
    )  # fmt: skip
    c.close(ratio_of, by_hand, "both ratios from γ* and the two variances", rtol=1e-6)
    c.at_most(by_hand[1], beside, "half as many, or twice as many: no better")
    here_not = "N = 100, n = 1000"
    c.limit(1.0, float(tenth[3]), f"{here_not}: a 10 % sample, at least")
    few = design.best_thinning(1000, 10, categories=100, share=0.01)
    c.limit(min(1000, round(few.asymptotic_drop)), few.drop, f"{here_not}: left out")
    c.derived(
        cheapest, cost, 2 * sp.sqrt(omega * beta * m_), "n ≫ k: the least variance"
    )
    predicted = (omega - beta) / sp.sqrt(omega * beta) * sp.sqrt(m_)
    c.derived(stay_out, m_ / at_best - at_best, predicted, "and who stays out")
    c.exact(sp.expand(slope), sp.expand(1 + pi * (N_ - 2)), "noise ≈ γ(1 + π(N − 2))")
    here = {beta: 0.09 / 1.8, omega: 1 - 0.09 / 1.8, m_: 9 / 10**6}
    b_all = np.array([x * (1 - x) / (1 + x * (N - 2)) for _, _, N, x in grid])
    m_all = np.array([(k - 1) / n for n, k, *_ in grid])
    in_parts = sp.lambdify((beta, omega, m_), predicted)(b_all, 1 - b_all, m_all)
    c.decisive("sampled").close(
        [t.drop / 10**6 for t in thinned], in_parts, "parts, predicted", rtol=0.15
    )
    drop = 10**6 * float(predicted.subs(here))
    c.close(best[2].drop, drop, "a million: best of all, and predicted", rtol=0.01)
    least = float((2 * sp.sqrt(omega * beta)).subs(here))
    c.close(best[2].variance_ratio, least, "and the ratio", rtol=0.01)
    curve = [variance(1000, 10, 10, 0.1, s) for s in range(600, 801)]
    c.exact(600 + int(np.argmin(curve)), best[0].n_sampled, "n = 1000: by search")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Variance of a share (\u03c0 = 0.1, N = 10) at level k = 10, relative to noise on everybody, against the part that is left out. The dots mark the best choice: the more records, the smaller the part. A sample of a tenth costs more than noise on everybody in all three, one of a half in the two larger ones; those of statistical offices, of a few per cent, lie further right.", "name": "fig-di-05-thinning"}, "image": {"alt": "Three curves on logarithmic axes, for a thousand, ten thousand and a million records. Each starts at 1, dips to 0.43 at its dot, at 29, 11 and 1 percent left out, and rises above 1; at 90 percent left out they reach 3, 13 and 147."}} tags=["figure"]
fig, ax = plots.panels(height=3.9)
for (n, N, share), t in zip(cases, best):
    out = np.unique((np.geomspace(1e-4, 0.95, 120) * n).astype(int))
    curve = [variance(n, 10, N, share, n - q) for q in out]
    (line,) = ax.plot(100 * out / n, curve / variance(n, 10, N, share, n))
    line.set_label(f"n = {n:,}")
    ax.plot(100 * t.drop / n, t.variance_ratio, "o", color=line.get_color())
ax.axhline(1, color=plots.COLOURS["grey"], ls="-", lw=1)
ax.set(xscale="log", yscale="log", xlabel="records left out (%)")
ax.set(xticks=[0.01, 0.1, 1, 10, 90], xticklabels=["0.01", "0.1", "1", "10", "90"])
ax.set(yticks=[0.4, 1, 3, 10, 100], yticklabels=["0.4", "1", "3", "10", "100"])
ax.set(ylabel="relative variance")
ax.minorticks_off()
ax.legend()
assert [round(100 * t.drop / n) for t, (n, *_) in zip(best, cases)] == [29, 11, 1]
assert [round(ratio) for ratio in tenth[:3]] == [3, 13, 147]
at_half = [variance(n, 10, N, x, n // 2) / variance(n, 10, N, x, n)
           for n, N, x in cases[:3]]  # fmt: skip
assert [ratio > 1 for ratio in at_half] == [False, True, True]  # as the caption says
assert {round(ratio, 2) for ratio in ratios} == {0.43}
plt.show()

# %% [markdown]
# ### Level and accuracy for every p and ρ
#
# A release has two controls, the share $p$ of the records that is drawn and the retention probability $\rho$,
# and two prices, the level and the error. Release everybody with $\rho = 0.8$, then leave out a few
# per cent: the level rises from 1.59<!-- {in_text['map-k-all']:.2f} --> to 2.78<!-- {in_text['map-k-95']:.2f} --> at $p = 95$ % while the
# standard error hardly moves, from 0.71<!-- {in_text['map-e-all']:.2f} --> to 0.76<!-- {in_text['map-e-95']:.2f} --> points. Go on to $p = 10$ %: the
# level is bought with accuracy, and more noise on more people would have bought it cheaper. Of the lines for one $p$, those
# for 95 % and 50 % touch the grey one of the most accurate; noise on everybody and the sample of 10 % do not. Most accurate means: of all
# retentions on the ten categories. Whoever needs this share alone first recodes the column to yes or no; at $k = 10$ the
# standard error is then 0.87<!-- {shown_recoded_error:.2f} --> points, and not 1.11<!-- {ten_error:.2f} -->.

# %% jupyter={"source_hidden": true} tags=["evidence"]
parts = [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.8, 0.9]
parts += [0.95, 0.97, 0.98, 0.99, 1.0]
keeps = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99]


def release_prices(p, keep):
    """Level, and standard error of a share of 10 % in percentage points."""
    A, size = pram.retention_matrix(keep, 10), round(1000 * p)
    error = design.share_variance([0.1] * 10, A, n=1000, n_sampled=size)[0] ** 0.5
    return float(anonymity.pk_level(A, 1000, n_sampled=size)), 100 * float(error)


def least_error(k):
    """Standard error of the most accurate retention with this level."""
    thinned = design.best_thinning(1000, k, categories=10, share=0.1)
    return release_prices(thinned.n_sampled / 1000, thinned.keep)[1]


k_map, error_map = np.array([[release_prices(p, r) for r in keeps] for p in parts]).T
k_best = 1 + np.geomspace(0.02, 499, 60)
error_best = [least_error(k) for k in k_best]
in_text = {}
for name, p in (("all", 1.0), ("95", 0.95)):
    at = keeps.index(0.8), parts.index(p)
    in_text[f"map-k-{name}"] = round(float(k_map[at]), 4)
    in_text[f"map-e-{name}"] = round(float(error_map[at]), 4)

for grid in (k_map, error_map):  # more noise, or fewer records: level and error rise
    assert (np.diff(grid, axis=0) < 0).all()
    assert (np.diff(grid, axis=1) < 0).all()
floor = np.vectorize(least_error)(k_map)
assert (error_map >= floor * (1 - 1e-9)).all()
for p, touches in ((1.0, False), (0.95, True), (0.5, True), (0.1, False)):
    above = (error_map / floor)[:, parts.index(p)]
    assert (above.min() < 1.01) == touches

recoded = design.best_thinning(1000, 10, categories=2, share=0.1)
yes_no = pram.retention_matrix(recoded.keep, 2)
recoded_error = 100 * variance(1000, 10, 2, 0.1, recoded.n_sampled) ** 0.5
of_ten = anonymity.pk_level(yes_no[[0] + [1] * 9], 1000, n_sampled=recoded.n_sampled)
assert np.isclose(of_ten, 10)  # ten categories to two: still level 10
assert recoded_error < 0.8 * least_error(10)
spread = variance_at(n=1000, s=recoded.n_sampled, N=2, pi="1/10", rho=recoded.keep)
assert np.isclose(recoded_error, 100 * float(spread) ** 0.5)
shown_recoded_error = float(recoded_error)
ten_error = round(least_error(10), 4)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Releases as points: their level k, and the standard error of a share of 10 %, for a thousand records in ten categories, on logarithmic axes. A solid line keeps the drawn part p and varies the retention \u03c1; a dotted line keeps \u03c1 and varies p. Grey, the most accurate retention on the ten categories at each level: some lines touch it, none goes below.", "name": "fig-pram"}, "image": {"alt": "Standard error against level k, both logarithmic. Four rising lines for p of 100, 95, 50 and 10 percent above or on a thick grey one, which those for 95 and 50 percent touch; the 10 percent line is far above it. Two dotted lines for retention 0.5 and 0.8 run level at first and then turn steeply upwards."}} tags=["figure"]
fig, ax = plots.panels(height=4.2)
ax.plot(k_best, error_best, color="#bbbbbb", lw=6, ls="-", label="most accurate")
for p in (1.0, 0.95, 0.5, 0.1):
    i = parts.index(p)
    ax.plot(k_map[:, i], error_map[:, i], marker="o", ms=3.5, label=f"p = {p:.0%}")
for r in (0.5, 0.8):
    j = keeps.index(r)
    ax.plot(k_map[j], error_map[j], ".:", color="black", lw=0.8, ms=4)
    ax.annotate(f"ρ = {r}", (k_map[j, 0], error_map[j, 0]), (4, 2), fontsize=9,
                textcoords="offset points")  # fmt: skip
ax.set(xscale="log", yscale="log", xlim=(0.95, 600), ylim=(0.12, 40))
ax.set(ylabel="standard error of a share of 10 %\n(percentage points)")
ax.set(xticks=[1, 10, 100], xticklabels=["1", "10", "100"], xlabel="level k")
ax.set(yticks=[0.3, 1, 3, 10, 30], yticklabels=["0.3", "1", "3", "10", "30"])
ax.minorticks_off()
ax.legend(loc="upper left")
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def release_frame(p, keep):
    i, j = parts.index(p), keeps.index(keep)
    k, error = k_map[j, i], error_map[j, i]
    note = f"{1000 * p:.0f} of 1000 records, retention {keep:.0%}: "
    note += f"k = {k:.2f}, standard error {error:.2f} points. "
    note += f"The least error with ten categories is {least_error(k):.2f}."
    return [
        {"trace": 1, "x": k_map[j], "y": error_map[j]},
        {"trace": 2, "x": k_map[:, i], "y": error_map[:, i]},
        {"trace": 3, "x": [k], "y": [error]},
        {"note": note},
    ]


def curve_of(name, colour, **options):
    look = {"color": plots.COLOURS[colour], **options}
    return go.Scatter(name=name, mode="lines+markers", line=look, marker={"size": 5})


for p, keep in ((1.0, 0.8), (0.95, 0.8), (0.1, 0.5)):
    A, size = pram.retention_matrix(keep, 10), round(1000 * p)
    point = release_frame(p, keep)[2]
    worst = anonymity.homogeneous_worst_case(A, 1000, n_sampled=size)
    risk = posterior.match_probability(
        worst.table, worst.release, transition=A, record=0, slot=0
    )
    assert np.isclose(point["x"], 1 / risk, rtol=1e-9)
    spread = variance_at(n=1000, s=size, N=10, pi="1/10", rho=str(keep))
    assert np.isclose(point["y"], 100 * float(spread) ** 0.5, rtol=1e-12)

dot = {"size": 15, "color": plots.COLOURS["orange"], "line": {"width": 1.5}}
live = go.Figure(
    [
        go.Scatter(name="most accurate", x=k_best, y=error_best, mode="lines",
                   line={"color": "#999999", "width": 6}),
        curve_of("this ρ, every p", "sky", dash="dot"),
        curve_of("this p, every ρ", "blue"),
        go.Scatter(name="the release", mode="markers", marker=dot),
    ],
    {
        "xaxis": {"title": {"text": "level k", "standoff": 4}, "type": "log",
                  "range": [-0.04, 2.8], "tickvals": [1, 3, 10, 30, 100, 300]},
        "yaxis": {"title": {"text": "standard error (points)"}, "type": "log",
                  "range": [-1, 2.1], "tickvals": [0.3, 1, 3, 10, 30, 100]},
    },
)  # fmt: skip
interactive.show(
    "pram",
    live,
    [
        interactive.Slider("records drawn p", parts, ".0%", start=parts.index(1.0)),
        interactive.Slider("retention ρ", keeps, ".2f", start=keeps.index(0.8)),
    ],
    release_frame,
    alt="Standard error of a share against the level k. A dot for the release with "
    "the chosen p and ρ, a curve for every p at this ρ, one for every ρ at this p, "
    "and the most accurate retention on ten categories at each level.",
)

# %% [markdown]
# ## Against whom?
#
# The level $k$ is against somebody who knows the whole table, but not who took part. To the prosecutor, who knows that
# as well, a thinned release is simply a smaller table, released whole: for her the level is
# $\kappa = 1 + (s - 1)\gamma^2$, and those who stayed out are no cover. So what light thinning saves in noise she gets for
# nothing. How much is left? At the best $\gamma$ of above, with $\beta = \frac{1}{4 + \eta}$, $\eta \ge 0$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
eta = sp.Symbol("eta", nonnegative=True)  # beta = 1/(4 + eta) is any number up to 1/4
quarter = {beta: 1 / (4 + eta), omega: 1 - 1 / (4 + eta)}
held = (
    derivation(
        1 + n_ * (at_best**2).subs(quarter).subs(m_, k_less / n_),
        of=r"\kappa \approx 1 + n\gamma^2", names=named,
    )
    .equal(1 + k_less / (3 + eta), "cancel")
    .at_most(1 + k_less / 3, r"$\eta \ge 0$")
)  # fmt: skip
held

# %% [markdown]
# For $n \gg k$, of the $k - 1$ others who hide the target at most a third, and far fewer in many categories. In a small table it
# can be more: 36%<!-- {kappa_thousand:.0%} --> of the nine for a thousand records, a yes-or-no question and a share of one half. It is a real choice, so let us make it on a real file: the
# 32,561<!-- {total:,} --> people of the Adult data {cite:p}`uci2adult` (a US survey of 1994; we take them for the whole population), of whom we
# publish the country of birth. Of its 42<!-- {categories} --> values one, the Netherlands, has a single person; the
# share that matters is that of the 643<!-- {shown_mexico} --> people born in Mexico.

# %% jupyter={"source_hidden": true} tags=["set-up"]
rows = [line.split(", ") for line in datasets.load("adult").decode().splitlines()]
rows = [row for row in rows if len(row) > 1]  # the file ends with an empty line
names, born = np.unique([row[13] for row in rows], return_inverse=True)
people = np.bincount(born)
total, categories = born.size, names.size
mexico, netherlands = (
    int(np.flatnonzero(names == x)[0]) for x in ("Mexico", "Holand-Netherlands")
)


# %% [markdown]
# For two budgets, $k$ and $\kappa$, keep what both allow:

# %%
def release_plan(s, k, kappa=1):
    """Retention in a release of s people, and the error of the Mexican share."""
    keep = min(
        design.retention_for_k(total, k, n_sampled=s, categories=categories),
        design.retention_for_k(s, kappa, categories=categories),
    )
    A = pram.retention_matrix(keep, categories)
    spread = design.share_variance(people / total, A, n=total, n_sampled=s)
    return float(spread[mexico]) ** 0.5, s, keep


fewer = range(total - 8000, total + 1, 25)
plans = {"everybody": release_plan(total, 10)}
for kappa in (1, 3, 5):
    plans[f"κ ≥ {kappa}"] = min(release_plan(s, 10, kappa) for s in fewer)
plans["10 % sample"] = release_plan(total // 10, 10)

# %% jupyter={"source_hidden": true} tags=["evidence"]
errors, lines_of, kept_of = zip(*plans.values())
matrices = [pram.retention_matrix(keep, categories) for keep in kept_of]
k_of = [anonymity.pk_level(A, total, n_sampled=s) for A, s in zip(matrices, lines_of)]
kappa_of = [
    anonymity.pk_level_response_knowledge(A, total, n_sampled=s)
    for A, s in zip(matrices, lines_of)
]
presence = [
    anonymity.membership_interval(A, total, n_sampled=s)
    for A, s in zip(matrices, lines_of)
]
shown_mexico = int(people[mexico])
for name, value in zip(("all", "thin", "both"), errors):
    in_text[f"error-{name}"] = round(total * value, 2)
kappa_thin = float(kappa_of[1])
assert total == 32561 and people[netherlands] == 1 == (people == 1).sum()
for rho_, s, kappa in zip(down(kept_of, 3), lines_of, (1, 1, 3, 5, 1)):
    as_shown = pram.retention_matrix(rho_, categories)
    assert anonymity.pk_level(as_shown, total, n_sampled=s) >= 10
    known = anonymity.pk_level_response_knowledge(as_shown, total, n_sampled=s)
    assert known >= kappa
table(
    {"release": list(plans),
     "left out": [f"{total - s:,}" for s in lines_of],
     "retention ρ": down(kept_of, 3),
     "error (people)": [total * value for value in errors],
     "k": k_of, "κ": kappa_of,
     "took part": [f"{a:.3f} to {b:.4f}" for a, b in presence]},
    formats={"retention ρ": ".3f", "error (people)": ".1f", "k": ".2f", "κ": ".3f"},
    caption="Country of birth of 32,561 people at k ≥ 10, noise on everybody, the "
    "most accurate retention for each κ (sizes in steps of 25), and a sample: ρ "
    "rounded down, and for ρ unrounded standard error of the number of Mexicans, "
    "levels, least and largest probability of having taken part.",
)  # fmt: skip

# %% [markdown]
# Light thinning brings the error from 37<!-- {in_text['error-all']:.0f} --> people down to 16<!-- {in_text['error-thin']:.0f} -->, at the same $k$; and leaves
# the prosecutor at $\kappa =$ 1.1<!-- {kappa_thin:.1f} -->: she is nearly certain. Who wants $\kappa \ge 3$ as well pays with
# 24<!-- {in_text['error-both']:.0f} --> people, still less than noise on everybody. For the prosecutor *alone* nobody should be left
# out: with $\kappa$ fixed, a smaller $s$ needs a larger $\gamma$, and both parts of the variance grow. The 10 %
# sample has the largest error and the smallest $\kappa$ of all.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def kappa_by_search(n, k, N, share):
    """Level against the prosecutor at the best of all sizes, by the formulas."""
    sizes_ = np.arange(2.0, n + 1)
    at = sizes_[np.argmin(priced(n, sizes_, k, N, share))]
    return 1 + (at - 1) * float(root.subs({n_: n, s_: int(at), k_: k})) ** 2


def kappa_of_best(n, k, N, share):
    """The same by the package."""
    t = design.best_thinning(n, k, categories=N, share=share)
    A = pram.retention_matrix(t.keep, N)
    return float(anonymity.pk_level_response_knowledge(A, n, n_sampled=t.n_sampled))


growing = [10**3, 10**4, 10**5, 10**6]
halves = [kappa_of_best(n, 10, 2, 0.5) for n in growing]
of_large = [(2, 0.5), (2, 0.1), (10, 0.5), (10, 0.1), (10, 0.01)]
large = [(10**6, N, x) for N, x in of_large]
kappa_thousand = round((halves[0] - 1) / 9, 4)
with claim("K-B22") as c:
    first = 1 + n_ * (at_best**2).subs(quarter).subs(m_, k_less / n_)
    c.decisive().derived(held, first, 1 + k_less / 3, "n ≫ k: level at the best γ")
    p = people[mexico] / total
    b = p * (1 - p) / (1 + p * (categories - 2))
    thinnest = design.best_thinning(total, 10, categories=categories, share=p)
    reached = 1 + (thinnest.n_sampled - 1) * float(
        anonymity.ratio_minima(pram.retention_matrix(thinnest.keep, categories)).gamma
    ) ** 2
    at_beta = (1 + k_less / (3 + eta)).subs({k_less: 9, eta: 1 / b - 4})
    c.close(reached, float(at_beta), "country of birth: of all sizes", rtol=0.02)
    reach = [kappa_by_search(n, 10, N, x) for n, N, x in large]
    betas = [x * (1 - x) / (1 + x * (N - 2)) for N, x in of_large]
    tends = [1 + 9 * y / (1 - y) for y in betas]
    c.decisive("sampled").close(
        reach, tends, "k = 10, n = 10⁶, five cases, of all sizes", rtol=0.005
    )
    searched = [kappa_by_search(n, 10, 2, 0.5) for n in growing]
    c.close(halves, searched, "by the package, and by search")
    gaps = np.abs(np.array(halves) - 4)
    c.at_most(gaps[1:], gaps[:-1], "N = 2, π = ½, n = 10³ to 10⁶: nearer and nearer")
    c.limit(4.0, halves[0], "N = 2, π = ½, n = 1000, k = 10, not n ≫ k: at most")
    fewer_still = np.array([total, *range(total - 1, 2, -997)])
    alone = [release_plan(int(s), 1, 3)[0] for s in fewer_still]
    at_kappa = np.sqrt(2 / (fewer_still - 1))  # κ = 1 + (s - 1)γ²
    kept_at = (1 - at_kappa) / (1 + (categories - 1) * at_kappa)
    by_formula = sp.lambdify((n_, s_, N_, pi, rho), sp.sqrt(noise + sampled))
    by_hand = by_formula(total, fewer_still, categories, p, kept_at)
    c.decisive("sampled").at_most(
        alone[1:-1], by_hand[2:], f"κ = 3 alone, {len(alone)} sizes: fewer, worse"
    )
    c.close(alone, by_hand, "errors by the formula", rtol=1e-6)

# %% [markdown]
# ## What if the sample is stratified?
#
# Offices draw more from small regions, and such designs are known to cost privacy of another kind {cite:p}`bun2020controlling`. The paper leaves such designs (層別抽出) to future work. The swap lemma is
# ready for them: only exchanges that respect the design count. Stratum $h$ has $n_h$ records, $s_h$ of them drawn,
# $s = \sum_h s_h$.
#
# If the release names the stratum of each slot, every stratum is a release of its own. If not, the slots of other strata
# are cover too:
#
# ```{prf:proposition} Strata
# :label: thm-di-05-strata
# For a record of stratum $h$: with released labels $k_h \ge 1 + (n_h - s_h)\gamma + (s_h - 1) g_2$; with
# hidden ones
# $\displaystyle k_h \ge 1 + (n_h - s_h)\gamma + (s - 1) g_2 + \frac{(n_h - s_h)(s - s_h)}{s_h}\gamma^2 .$
# For unequal probabilities and fixed size (conditional Poisson sampling: $s$ records with odds $\omega$ are drawn with a probability
# proportional to the product of their odds),
# $k_r \ge 1 + \gamma\,\Omega_r / \omega_r + (s - 1) g_2$, $\Omega_r$ the sum of the $n - s$ smallest $\omega_t$,
# $t \ne r$.
# ```
#
# *Proof for hidden labels.* Let $\sigma$ put $r$ behind the slot $r'$. What else may stand there?
#
# 1. One of the $n_h - s_h$ unsampled records of the same stratum: exchanged with $r$, it costs a factor of at least $\gamma$.
# 2. One of the $s - 1$ sampled records of any stratum: the two change places, a factor of at least $g_2$.
# 3. A sampled record $t$ of *another* stratum, with $r$ outside: then an unsampled $u$ of stratum $h$ takes the old slot of $t$. Two
#    ratios, each at least $\gamma$. There are $(s - s_h)(n_h - s_h)$ pairs $(t, u)$.
# 4. The first two kinds come from one $\sigma$ each. One of the third kind comes from $s_h$ of them, since any of the $s_h$ sampled records of the stratum
#    may have been the $u$. Divide by $s_h$ and add up. ∎
#
# With odds, the exchange of $r$ with an unsampled $t$ has the factor $\omega_t/\omega_r$ besides. A region that is taken
# whole has no one left out: $k_h = 1 + (s - 1) g_2$, as for the prosecutor. Oversampling takes cover from the small region, and even a
# proportional design guarantees it less than a simple random sample does:

# %%
gamma_20 = (1 - 1 / 20) / (1 + 2 / 20)  # a retention has the same form as its γ
A = pram.retention_matrix(gamma_20, 3)  # so this one has γ = 1/20
regions, drawn_of = [900, 100], {"90 + 10": [90, 10], "50 + 50": [50, 50]}
hidden = {
    x: anonymity.stratified_pk_level(A, regions, samples=d, labels="hidden")
    for x, d in drawn_of.items()
}
named = anonymity.stratified_pk_level(A, regions, samples=[50, 50])
simple = anonymity.pk_level(A, 1000, n_sampled=100)

# %% jupyter={"source_hidden": true} tags=["set-up"]
designs = ["simple random sample", *(f"{x}, labels hidden" for x in hidden)]
levels = np.array([[simple, simple], *hidden.values(), named])
table(
    {"a hundred drawn": [*designs, "50 + 50, labels released"],
     "region of 900": levels[:, 0], "region of 100": levels[:, 1]},
    formats={"region of 900": ".2f", "region of 100": ".2f"},
    caption="Guaranteed levels in two regions, γ = 0.05, g₂ = γ².",
)  # fmt: skip


# %% jupyter={"source_hidden": true} tags=["evidence"]
def weigh(A, orders):
    """Weight of every order of sampled records, for every table and release."""
    n, size = orders.max() + 1, orders.shape[1]
    scale = np.lcm.reduce([entry.denominator for row in A for entry in row])
    whole = np.array([[int(entry * scale) for entry in row] for row in A])
    tables = np.array(list(product(range(len(A)), repeat=n)))
    releases = np.array(list(product(range(len(A[0])), repeat=size)))
    return whole[tables[:, orders][:, None], releases[None, :, None]].prod(axis=-1)


def exact_level(weight, orders, r, given=None):
    """Least total / matched over tables, releases, and slots that r may be behind."""
    given = np.ones(len(orders), dtype=bool) if given is None else given
    whole, least = weight[..., given].sum(axis=-1), []
    for j in range(orders.shape[1]):
        mine = orders[:, j] == r
        if mine.any():
            matched = weight[..., mine].sum(axis=-1)
            at = (whole / matched).argmin()
            least.append(Fraction(int(whole.flat[at]), int(matched.flat[at])))
    return min(least)


def stratified_levels(A, sizes, samples, labels):
    """Exact worst level in every stratum: all tables, releases, arrangements."""
    stratum, size = np.repeat(np.arange(len(sizes)), sizes), sum(samples)
    orders = np.array(list(permutations(range(stratum.size), size)))
    of_slot = stratum[orders]
    fixed = np.sort(of_slot, axis=1) == np.repeat(np.arange(len(sizes)), samples)
    allowed = fixed.all(axis=1)
    if labels == "released":
        allowed &= (np.diff(of_slot, axis=1) >= 0).all(axis=1)
    orders = orders[allowed]
    weight = weigh(A, orders)
    firsts = [int(np.flatnonzero(stratum == h)[0]) for h in range(len(sizes))]
    return [exact_level(weight, orders, r) for r in firsts]


def unequal_levels(A, odds, size):
    """Exact worst level of every record under conditional Poisson sampling."""
    orders = np.array(list(permutations(range(len(odds)), size)))
    weight = weigh(A, orders) * np.array(odds)[orders].prod(axis=1)
    return [exact_level(weight, orders, r) for r in range(len(odds))]


half = pram.retention_matrix(Fraction(1, 2), 2).tolist()
third = pram.retention_matrix(Fraction(1, 2), 3).tolist()
lopsided = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]]
strata = [((3, 2), (1, 2)), ((2, 2), (1, 1)), ((3, 1), (2, 1)), ((2, 3), (1, 1))]
bounds, truths = [], []
for A, (parts_, samples), labels in product(
    (third, lopsided), strata, ("released", "hidden")
):
    guaranteed = anonymity.stratified_pk_level(A, parts_, samples=samples, labels=labels)
    bounds.append(list(guaranteed))
    truths.append(stratified_levels(A, parts_, samples, labels))
attained = [b == t for b, t in zip(bounds, truths)]
odds_of = [(1, 2, 5), (7, 1, 1), (3, 1, 2, 2)]
unequal = [
    (anonymity.conditional_poisson_pk_level(A, odds, n_sampled=2),
     unequal_levels(A, odds, 2))
    for A, odds in product((half, lopsided), odds_of)
]  # fmt: skip
with claim("K-B9") as c:
    c.decisive("sampled").at_most(
        [float(x) for b in bounds for x in b], [float(x) for t in truths for x in t],
        "8 designs up to n = 5, 2 matrices, every table and release", slack=1e-12,
    )  # fmt: skip
    c.exact(
        attained[:8:2], [True] * 4, "retention, labels released: attained each time"
    )
    c.holds(attained[1], "labels hidden: attained for 3 + 2 records")
    c.decisive("sampled").at_most(
        np.concatenate([b for b, _ in unequal]),
        np.array([float(x) for _, t in unequal for x in t]),
        "odds 1 2 5, 7 1 1, 3 1 2 2, s = 2, every table and release", slack=1e-12,
    )  # fmt: skip
    evenly = anonymity.conditional_poisson_pk_level(half, [1] * 4, n_sampled=2)
    c.close(evenly, [float(x) for x in unequal_levels(half, [1] * 4, 2)],
            "equal odds: attained")  # fmt: skip
    whole = truths[1][1]
    srs = anonymity.pk_level(third, 5, n_sampled=3)
    c.holds(whole < srs, f"a stratum taken whole: {whole}; Theorem 5.1 has {srs}")

# %% [markdown]
# ## What if the size is random?
#
# Many samples are drawn by tossing a coin with probability $p$ for each record. The paper points out, in 4.6, that its
# criterion then fails: with probability $p^n$ everything is released, and some attacker of Claim 4.1, who knows $n_0$
# records, is certain of one of them.
#
# It also says that a definition with a probability of failure is conceivable. Here it is: *given its size*
# $S$, such a sample is a simple random sample of that size, and the risk grows with $S$. So take a quantile
# of the binomial law.

# %%
coins = sampling.bernoulli_risk(1000, 10, p=0.1, failure=1e-6)
print(f"but for a chance of 10⁻⁶ at most {coins.size} records,", end=" ")
print(f"risk {float(coins.risk):.6f}; 100 records: {float(coins.expected_risk):.6f}")


# %% [markdown]
# A risk higher by 5.6%<!-- {coins_more:.1%} --> than that of the fixed size. And a publisher who draws again whenever $S$ exceeds
# 148<!-- {bern_size} --> has the guarantee without failure. What 4.6 prints for the release that fails is a misprint, in part possibly the
# converter's ($\tau$ for $\tau'$); the table below has it.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def by_coins(known, n, p):
    """Largest Pr[record behind slot | release] for each size; coins draw records."""
    law, behind = Counter(), Counter()
    values = range(max(known) + 2)  # also one that nobody known has
    for unknown in product(values, repeat=n - len(known)):
        belief = prod(Fraction(known.count(v), len(known)) for v in unknown)
        people_ = known + unknown
        for size in range(1, n + 1):
            toss = belief * p**size * (1 - p) ** (n - size) / factorial(size)
            for order in permutations(range(n), size):
                seen = tuple(people_[r] for r in order)
                law[seen] += toss
                for slot, record in enumerate(order):
                    behind[seen, record, slot] += toss
    worst = Counter()
    for (seen, *_), weight in ((x, w) for x, w in behind.items() if w):
        worst[len(seen)] = max(worst[len(seen)], weight / law[seen])
    return [worst[size] for size in range(1, n + 1)], law


tenth_ = Fraction(1, 10)
coin_cases = [
    ((0, 1), n, p) for n in (3, 4, 5) for p in (Fraction(1, 3), tenth_)
]
tossed = [by_coins(*case) for case in coin_cases]
fixed = [
    [sampling.worst_case_risk(n, 2, n_sampled=s) for s in range(1, n + 1)]
    for _, n, _ in coin_cases
]
drawn_by_coins, tails = [(1000, tenth_), (500, Fraction(1, 3)), (200, tenth_)], []
for n, p in drawn_by_coins:
    at = sampling.bernoulli_risk(n, 10, p=p, failure=1e-6).size
    mass = [comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)]
    tails.append([sum(mass[at + 1 :]), sum(mass[at:])])
with claim("K-4.16") as c:
    c.decisive("sampled").exact(
        [max(risks) for risks, _ in tossed], [Fraction(1)] * 6,
        "n0 = 2, n ≤ 5: the worst release identifies with certainty",
    )  # fmt: skip
    everything = [sum(w for seen, w in law.items() if len(seen) == n)
                  for (_, law), (_, n, _) in zip(tossed, coin_cases)]  # fmt: skip
    c.exact(everything, [p**n for _, n, p in coin_cases], "released whole with pⁿ")
    c.holds(fixed[2][0] < 1, "while one of four, drawn for certain, stays below 1")
with claim("K-B3") as c:
    c.decisive("sampled").exact(
        [risks for risks, _ in tossed], fixed, "n ≤ 5: given the size, as if fixed"
    )
    c.decisive("sampled").exact(
        [[tail <= Fraction(1, 10**6) for tail in pair] for pair in tails],
        [[True, False]] * 3,
        "three cases: failure at most 10⁻⁶ at the size, more at one less",
    )
    c.close(coins.failure, float(tails[0][0]), "failure that the package tells")
    at_size = Fraction(10, 1000 - coins.size + 1)
    c.exact(coins.risk, at_size, "risk at that size, Claim 4.1")
more = coins.risk / coins.expected_risk - 1
bern_size = coins.size
coins_more = float(more)


def check_display(c):
    law = tossed[2][1]  # n = 4, the attacker knows 0 and 1
    such = [seen for seen in law if sum(v not in (0, 1) for v in seen) == 4 - 2]
    never = f"n = 4, n0 = 2: {len(such)} such releases, together of probability 0"
    c.fails(not such or sum(law[seen] for seen in such) != 0, never)
    c.exact(tossed[2][0][3], Fraction(1), "the release of all n records does it")


records = misprints(
    [
        (
            "K-4.17",
            r"4.6: $\#_{\tau'}(\tau'(r') \notin \dots) \ge n - n_0$ from some $\tau$",
            r"a release $\tau'$ of all $n$ records",
            check_display,
        )
    ]
)

# %% [markdown]
# ## How does this read in $\varepsilon$?
#
# The paper's introduction says that $\varepsilon$ alone does not fix the risk of identification. For noise added record by
# record it does bound it. PRAM is $\varepsilon$-locally private exactly if no entry exceeds another one of its column by
# more than the factor $e^\varepsilon$, that is if $\gamma \ge e^{-\varepsilon}$. And $g_2$ is a product of two ratios,
# each at least $\gamma$. So

# %% jupyter={"source_hidden": true} tags=["evidence"]
eps = sp.Symbol("varepsilon", positive=True)
g2, extra, above = sp.symbols("g_2 d e", nonnegative=True)
left_out, others = sp.symbols("l o", nonnegative=True)  # n - s and s - 1
spelled = {left_out: "(n-s)", others: "(s-1)", extra: r"(\gamma - e^{-\varepsilon})",
           above: r"(g_2 - \gamma^2)"}  # fmt: skip
in_gamma = 1 + left_out * (sp.exp(-eps) + extra) + others * (
    (sp.exp(-eps) + extra) ** 2 + above
)
in_epsilon = 1 + left_out * sp.exp(-eps) + others * sp.exp(-2 * eps)
bridge = derivation(in_gamma, of="k", names=spelled).at_least(
    in_epsilon, r"$\gamma \ge e^{-\varepsilon}$, $g_2 \ge \gamma^2$", by="sign"
)
bridge

# %%
promises, of_lines = [2, 5, 8], {"everybody": 10**6, "10 %": 10**5, "1 %": 10**4}
levels_of = {
    x: [local_dp.local_dp_pk_level(e, 10**6, n_sampled=s) for e in promises]
    for x, s in of_lines.items()
}

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"ε": promises, **levels_of}, formats=dict.fromkeys(levels_of, ",.1f"),
    caption="Guaranteed level k of ε-locally private rewriting, a million records.",
)  # fmt: skip


# %% [markdown]
# Seen from outside, by someone who compares two tables, the sample *amplifies* the guarantee to
# $\varepsilon' = \ln(1 + p(e^\varepsilon - 1))$ ({cite:p}`smith2009secrecy`, {cite:p}`balle2018privacy`);
# [notebook 1](01-who-attacks.ipynb) has the theorem. The converse of the bridge fails: a table in which everybody has $k - 1$ doubles is
# k-anonymous without any randomness, so with no $\varepsilon$ at all.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def largest_ratio(n, size, A):
    """Largest ratio of a release's probabilities under tables that differ once."""
    orders = np.array(list(permutations(range(n), size)))
    law = weigh(A, orders).sum(axis=-1).reshape(*[len(A)] * n, -1)
    ratios = [
        Fraction(int(x), int(y))
        for u, v in permutations(range(len(A)), 2)
        for x, y in {*zip(law[u].ravel().tolist(), law[v].ravel().tolist())}
    ]
    return max(ratios)


bridged = (half, third, lopsided)
small = [(2, 1), (3, 2), (4, 2), (4, 3)]
orders_of = {x: np.array(list(permutations(range(x[0]), x[1]))) for x in small}
true_levels = [
    exact_level(weigh(A, orders_of[x]), orders_of[x], 0)
    for A, x in product(bridged, small)
]
promised = [
    local_dp.local_dp_pk_level(local_dp.local_dp_epsilon(A), n, n_sampled=s)
    for A, (n, s) in product(bridged, small)
]
with claim("K-B10") as c:
    c.decisive().derived(bridge, in_gamma, in_epsilon, "from ε to the level")
    columns = [max(x / y for col in zip(*A) for x, y in permutations(col, 2))
               for A in bridged]  # fmt: skip
    found_eps = [np.exp(local_dp.local_dp_epsilon(A)) for A in bridged]
    c.close(found_eps, [float(x) for x in columns], "e^ε: largest ratio in a column")
    c.decisive("sampled").at_most(
        promised, [float(x) for x in true_levels],
        "3 matrices, n ≤ 4, every table and release: at most the level", slack=1e-12,
    )  # fmt: skip
    c.close(promised[:8], [float(x) for x in true_levels[:8]], "retention attains it")
    by_line = [
        in_epsilon.subs({eps: sp.log(sp.Rational(x)), left_out: n - s, others: s - 1})
        for x, (n, s) in product(columns, small)
    ]
    c.close(promised, [float(x) for x in by_line], "it, by the last line above")
    amplified = [1 + Fraction(s, n) * (column - 1)
                 for column, (n, s) in product(columns, small)]  # fmt: skip
    c.decisive("sampled").exact(
        [largest_ratio(n, s, A) for A, (n, s) in product(bridged, small)], amplified,
        "and e^ε' = 1 + p(e^ε − 1), n ≤ 4",
    )  # fmt: skip

# %% [markdown]
# ## A file, with its label
#
# Back to the countries of birth. The budget: $k \ge 10$, $\kappa \ge 3$. The plan stands in the table above; draw,
# rewrite, estimate.

# %%
_, s, keep = plans["κ ≥ 3"]
A = pram.retention_matrix(keep, categories)


def publish():
    """Draw s people, and rewrite what they say."""
    return pram.apply_pram(born[rng.permutation(total)[:s]], A, rng=rng)


release = publish()
shares = design.estimate_shares(release, A, n=total)

# %% jupyter={"source_hidden": true} tags=["set-up"]
look_at = [int(np.flatnonzero(names == x)[0]) for x in
           ("United-States", "Mexico", "Germany", "Portugal", "Scotland",
            "Holand-Netherlands")]  # fmt: skip
table(
    {"country of birth": [str(names[u]) for u in look_at],
     "people": people[look_at],
     "lines that show it": np.bincount(release, minlength=categories)[look_at],
     "estimated people": total * shares.estimate[look_at],
     "± standard error": total * shares.variance[look_at] ** 0.5},
    formats={"estimated people": ".0f", "± standard error": ".0f"},
    caption="Six of 42 countries, spelled as in the file: true, released, estimated.",
)  # fmt: skip

# %% [markdown]
# One person was born in the Netherlands, and 184<!-- {dutch_lines} --> lines say so. In 300<!-- {publish_runs} --> such releases the
# number of Mexicans was off by 25.1<!-- {realised:.1f} --> people (root mean square); 24.2<!-- {in_text['error-both']:.1f} --> were promised. And
# this is what belongs under the file:

# %%
under_the_file = risk_report(release, A, population_size=total)
print(under_the_file)

# %% [markdown]
# Why is $k$ here over 177<!-- {label_k} -->, and not 10? The plan is made before anything is drawn, and has to hold for the worst
# release: one that shows the target's value once. This release shows no value fewer than 168<!-- {label_f} --> times, and
# the swap lemma counts such doubles in full; a value that is shown $f$ times hides its owner among
# $f$ lines, from the prosecutor too ([notebook 4](04-the-exact-posterior.ipynb)). So plan with the bound and *print the label*. It
# may also be read before publication: who draws again while the label is too poor keeps its levels and its interval, since the
# choice looks only at what the attacker sees anyway; but not its errors, since the estimates of rare values are then too high. (Of sixty people four have
# a value; who draws forty until each of three values is shown at least six times, with $\rho = 0.8$, estimates 8<!-- {redrawn:.0f} --> of them in the mean.) Compare the column as it is:

# %%
as_it_is = born[rng.permutation(total)[:s]]
unchanged = risk_report(as_it_is, np.eye(categories), population_size=total)
print(unchanged.fewest_equal_lines, unchanged.k_table_known, unchanged.participation)

# %% [markdown]
# For an unchanged sample the label says what k-anonymity says, the least frequency, which the package pyCANON {cite:p}`pycanon2022` computes as well; and
# of participation nothing is left uncertain in the worst case.
#
# ### Planned, printed, exact
#
# The levels are worst cases; the exact posterior ([notebook 4](04-the-exact-posterior.ipynb)) says how things
# stand for *one* table and release. It takes a smaller file: the kind of employment of a thousand of these people, in nine
# classes of very different size, planned for $k = 10$. (The thousand stand in random order, so the first of them are a simple random
# sample in random order. The first lines of a table in an order of its own are none: line $j$ is then person $j$, and no level holds.
# `disclosure.publish` draws, shuffles and rewrites in one call.)

# %%
jobs = np.unique([row[1] for row in rows], return_inverse=True)[1]
thousand = jobs[rng.permutation(total)[:1000]]
plan = design.best_thinning(1000, 10, categories=9, share=0.1)
B = pram.retention_matrix(plan.keep, 9)
file = pram.apply_pram(thousand[: plan.n_sampled], B, rng=rng)
tag = risk_report(file, B, population_size=1000)
M = posterior.match_matrix(thousand, file, transition=B, by="value")

# %% jupyter={"source_hidden": true} tags=["evidence"]
in_class, in_file = np.bincount(thousand, minlength=9), np.bincount(file, minlength=9)
present = in_class > 0
member = M @ in_file  # probability of having taken part, by class
told = M[present] / member[present, None]  # what the prosecutor believes
guess = M[present].max(axis=0)
planned = [
    anonymity.pk_level(B, 1000, n_sampled=plan.n_sampled),
    anonymity.pk_level_response_knowledge(B, 1000, n_sampled=plan.n_sampled),
    anonymity.membership_interval(B, 1000, n_sampled=plan.n_sampled)[1],
]
labelled = [tag.k_table_known, tag.k_participants_known, tag.participation[1]]
seen = in_file > 0
assert in_class[present].min() == 1  # a class with a single person
jobs_f = tag.fewest_equal_lines
exactly = [1 / guess[seen].max(), 1 / told[:, seen].max(), member[present].max()]
usual = [
    in_file.sum() / (in_file * guess).sum(),
    in_file.sum() / (in_file * told.max(axis=0)).sum(),
    (in_class * member).sum() / 1000,
]
table(
    {"number": ["k, table known", "κ, participants known", "took part, at most"],
     "planned for": planned, "on the label": labelled,
     "exact, worst line": exactly, "exact, average": usual},
    formats=dict.fromkeys(["planned for", "on the label", "exact, worst line",
                           "exact, average"], ".3f"),
    caption="A thousand people, nine classes: bounds for every release and for "
    "this one, and what whoever knows the table can find.",
)  # fmt: skip

# %% [markdown]
# From left to right each column knows more and fears less. The worst line is far from the plan, although one class has a
# single person: the file shows no class fewer than 16<!-- {jobs_f} --> times. That is luck, not a guarantee. In a
# release that showed the class once, the second number of the plan would be all that this person could count on against the prosecutor.

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("K-B11") as c:
    c.decisive("one example").at_most(
        planned[:2] + labelled[:2], labelled[:2] + exactly[:2],
        "both levels: planned ≤ label ≤ exact, worst line", slack=1e-9,
    )  # fmt: skip
    c.decisive("one example").at_most(
        [exactly[2]], [planned[2]], "membership: exact ≤ planned"
    )
    c.close(usual[2], plan.n_sampled / 1000, "which averages to s/n", rtol=1e-9)
    c.close((in_class[:, None] * M).sum(axis=0)[seen], np.ones(seen.sum()),
            "each line is somebody's")  # fmt: skip
    rarest = np.where(present, in_class, 9999).argmin()
    rare = int(np.flatnonzero(thousand == rarest)[0])
    direct = posterior.membership_probability(
        thousand, file, transition=B, record=rare
    )
    c.close(member[thousand[rare]], direct, "the rarest class, by another route")
    odds = [guess.copy(), told.max(axis=0)]
    lines_at = [int(np.flatnonzero(file == x.argmax())[0])
                for x in (np.where(seen, odd, 0) for odd in odds)]  # fmt: skip
    classes = [M[:, file[lines_at[0]]].argmax(), np.flatnonzero(present)[
        told[:, file[lines_at[1]]].argmax()]]  # fmt: skip
    records_at = [int(np.flatnonzero(thousand == x)[0]) for x in classes]
    routes = [posterior.match_probability, posterior.response_match_probability]
    alone = [route(thousand, file, transition=B, record=r, slot=j)
             for route, r, j in zip(routes, records_at, lines_at)]  # fmt: skip
    c.close(exactly[:2], 1 / np.array(alone), "worst lines, one record at a time")
    ratio = (1 - plan.keep) / (1 + 8 * plan.keep)
    kappa_ = 1 + (plan.n_sampled - 1) * ratio**2
    by_hand = [kappa_ + plan.drop * ratio, kappa_]
    c.close(planned[:2], by_hand, "the plan, by hand")
    assert thousand.size == 1000 and present.sum() == np.unique(thousand).size

found, bound = [], []
four = {size: np.array(list(permutations(range(4), size))) for size in (2, 3, 4)}
fifth = pram.retention_matrix(Fraction(1, 5), 2).tolist()
for A_, (size, orders) in product((half, fifth, third, lopsided), four.items()):
    weight = weigh(A_, orders)
    whole = weight.sum(axis=-1)
    taken = [weight[..., (orders == r).any(axis=1)].sum(axis=-1) for r in range(4)]
    behind = [[weight[..., orders[:, j] == r].sum(axis=-1) for j in range(size)]
              for r in range(4)]  # fmt: skip
    cells = list(product(range(4), range(size)))
    lowest = np.min([whole / behind[r][j] for r, j in cells], axis=(0, 1))
    lowest_told = np.min([taken[r] / behind[r][j] for r, j in cells], axis=(0, 1))
    chance = np.array(taken) / whole
    ends_of = chance.min(axis=(0, 1)), chance.max(axis=(0, 1))
    found.append([lowest, lowest_told, *ends_of])
    tags = [risk_report(x, A_, population_size=4)
            for x in product(range(len(A_)), repeat=size)]  # fmt: skip
    bound.append([[float(x) for x in row] for row in zip(*(
        (t.k_table_known, t.k_participants_known, *t.participation) for t in tags))])
found, bound = np.concatenate(found, axis=1), np.concatenate(bound, axis=1)
binary = np.arange(bound.shape[1]) < 2 * (4 + 8 + 16)  # under `half` and `fifth`
with claim("K-B21") as c:
    count = bound.shape[1]
    c.decisive("sampled").at_most(
        np.vstack([bound[:3], found[3:]]), np.vstack([found[:3], bound[3:]]),
        f"n = 4, 4 matrices, all {count} releases: every table keeps to the label",
        slack=1e-12,
    )  # fmt: skip
    of_two = "retention of two values, ρ = 1/2 and 1/5: both levels attained"
    c.decisive("sampled").close(bound[:2, binary], found[:2, binary], of_two)
    ends = [bound[2].min(), bound[3][bound[3] < 1].max()]
    c.close(ends, [found[2].min(), found[3][bound[3] < 1].max()], "and participation")
    as_drawn = risk_report([0, 0, 0, 1, 1], np.eye(2), population_size=9)
    rarest_count = Counter([0, 0, 0, 1, 1]).most_common()[-1][1]
    c.exact(as_drawn.k_table_known, rarest_count, "unchanged: the least frequency")

redraw = np.random.default_rng(8)
crowd = redraw.permuted(np.tile([0] * 4 + [1] * 28 + [2] * 28, (8000, 1)), axis=1)
eight = pram.retention_matrix(0.8, 3)
lines_ = pram.apply_pram(crowd[:, :40].ravel(), eight, rng=redraw).reshape(8000, 40)
often_shown = np.stack([(lines_ == v).sum(axis=1) for v in range(3)], axis=1)
guessed = 60 * (often_shown[:, 0] / 40 - eight[1, 0]) / 0.8  # people with value 0
accepted = often_shown.min(axis=1) >= 6
assert abs(guessed.mean() - 4) < 0.2 < 3 < guessed[accepted].mean() - 4
redrawn = float(guessed[accepted].mean())

publish_runs = 300
many = [publish() for _ in range(publish_runs)]
estimates = np.array(
    [design.estimate_shares(x, A, n=total).estimate for x in many]
)
squares = (estimates - people / total)[:, mexico] ** 2
spread = squares.std() / np.sqrt(publish_runs)
promised_error = plans["κ ≥ 3"][0]
assert abs(squares.mean() - promised_error**2) < 4 * spread
realised = round(total * float(squares.mean()) ** 0.5, 2)
dutch_lines = int((release == netherlands).sum())
label_k = int(under_the_file.k_table_known)  # rounded down
label_f = under_the_file.fewest_equal_lines

# %% [markdown]
# ## A negative number of people
#
# Of the 42<!-- {categories} --> estimates of this release 4<!-- {negatives} --> are below zero. The estimator is unbiased, so it must be
# able to err in both directions, and where a share is smaller than its standard error it does. Published data have the
# same: two yes-no questions, each answered truthfully with probability 0.8, and 412 people {cite:p}`vandenhout2002`.

# %%
answers = np.array([68, 52, 103, 189])  # yes-yes, yes-no, no-yes, no-no
coin = np.array([[0.8, 0.2], [0.2, 0.8]])
C = np.kron(coin, coin)


def most_likely(shown, A, rounds=20_000):
    """Shares under which the shown counts are most likely, by the EM algorithm."""
    pi = np.full(len(A), 1 / len(A))
    for _ in range(rounds):
        pi = pi * (A @ (shown / shown.sum() / (pi @ A)))
    return pi


unbiased = design.estimate_shares(np.repeat(range(4), answers), C, n=412).estimate
likely = most_likely(answers, C)

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"true answers": ["yes, yes", "yes, no", "no, yes", "no, no"], "shown": answers,
     "unbiased estimate": 412 * unbiased, "most likely": 412 * likely},
    formats={"unbiased estimate": ".1f", "most likely": ".1f"},
    caption="People with each pair of answers.",
)  # fmt: skip

# %% [markdown]
# Nobody has to publish minus ten people. The shares that make the release most likely lie on the edge of what is possible there,
# and agree with the unbiased estimate wherever that is possible itself. They are no longer unbiased, though; for sums over many
# releases the negative numbers are the better ones.

# %% jupyter={"source_hidden": true} tags=["evidence"]
fair = sp.Matrix([[4, 1], [1, 4]]) / 5
both = sp.kronecker_product(fair, fair)
exactly_solved = both.T.LUsolve(sp.Matrix(answers.tolist()))


def pull(shown, pi):
    """Slope of the log likelihood in each share; 1 or less at its maximum."""
    return C @ (shown / shown.sum() / (pi @ C))


inside = np.array([120, 90, 95, 107])
spread_of = np.sqrt(
    design.share_variance(people / total, A, n=total, n_sampled=s)
)
below = (estimates < 0).mean(axis=0)
normal = stats.norm.cdf(-people / total / spread_of)
often = normal > 0.05
with claim("K-B20") as c:
    c.decisive("one example").exact(
        exactly_solved[1] < 0, sp.true, f"their data: {exactly_solved[1]} people"
    )
    c.close(412 * unbiased, [float(v) for v in exactly_solved], "by fractions")
    c.decisive("simulated").sampled(
        below[often], normal[often], f"the file, {publish_runs} releases: below 0",
        stderr=np.sqrt(normal[often] * (1 - normal[often]) / publish_runs),
    )  # fmt: skip
    c.decisive("one example").at_most(
        pull(answers, likely), np.ones(4), "most likely: no share gains", slack=1e-9
    )
    c.close(
        most_likely(inside, C),
        design.estimate_shares(np.repeat(range(4), inside), C, n=412).estimate,
        "the two agree where the unbiased one is possible", rtol=1e-7,
    )  # fmt: skip
negatives = int((shares.estimate < 0).sum())

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} A sample of one
# :label: ex-di-05-one
# ```
# **Warm-up.** What is the largest retention probability if a single record out of a thousand is
# released, at $k = 10$, $N = 10$? Compare it with a sample of ten.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-05-one", ...)

# %% [markdown]
# ```{solution-start} ex-di-05-one
# :class: dropdown
# ```
# The quadratic term vanishes, so $\gamma = (k-1)/(n-1) = 1/111$ and $\rho = (1-\gamma)/(1 + 9\gamma) = 11/12$. For ten it is
# 0.9159, rounded down: hardly less. (Rounded to four digits, both would be too large for the level.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
g = Fraction(9, 999)
largest = (1 - g) / (1 + 9 * g)
assert (g, largest) == (Fraction(1, 111), Fraction(11, 12))
one = design.retention_for_k(1000, 10, n_sampled=1, categories=10)
ten = design.retention_for_k(1000, 10, n_sampled=10, categories=10)
assert np.isclose(one, float(largest)) and down(ten) == 0.9159
for s, best_rho in ((1, one), (10, ten)):
    near = [anonymity.pk_level(pram.retention_matrix(x, 10), 1000, n_sampled=s)
            for x in (float(down(best_rho)), round(best_rho, 4))]  # fmt: skip
    assert near[1] < 10 <= near[0]
check("di-05-one", largest)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two regions, a hundred records
# :label: ex-di-05-allocation
# ```
# **Standard.** Two regions of 900 and 100, a hundred records to draw, labels released, $\gamma = 0.05$. Which allocation makes the
# smaller of the two levels as large as possible? Is that a good design?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-05-allocation", ...)

# %% [markdown]
# ```{solution-start} ex-di-05-allocation
# :class: dropdown
# ```
# The small region's level falls with every record drawn from it, so draw one: $k = 1 + 99\gamma = 5.95$. Nothing
# can then be said about the small region. Level and accuracy pull in opposite directions.

# %% jupyter={"source_hidden": true} tags=["evidence"]
twentieth = pram.retention_matrix(gamma_20, 3)
least = [
    anonymity.stratified_pk_level(twentieth, regions, samples=[100 - m, m]).min()
    for m in range(1, 100)
]
assert int(np.argmax(least)) == 0
assert np.isclose(max(least), 1 + 99 * 0.05)
check("di-05-allocation", (1 + int(np.argmax(least)), max(least)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How often below zero?
# :label: ex-di-05-negative
# ```
# **Standard.** How often is the estimated number of Dutch people negative in the release of the countries? What would the smallest share
# have to be for that to happen in one release of a thousand?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-05-negative", ...)

# %% [markdown]
# ```{solution-start} ex-di-05-negative
# :class: dropdown
# ```
# Nearly every second time: with the standard error $\sigma$ the chance is $\Phi(-\pi/\sigma)$ by the normal law, and one person is next to nothing
# against $\sigma$ of 19 people. For one in a thousand a share has to be 3.1 standard errors large, some 60 people;
# 23 of the 42 countries have fewer.

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert 0.4 < below[netherlands] < 0.56
assert round(total * spread_of[netherlands]) == 19
assert round(-stats.norm.ppf(0.001), 1) == 3.1
assert 55 < 3.09 * total * spread_of[netherlands] < 65
assert (people < 3.09 * total * spread_of).sum() == 23
check("di-05-negative", -stats.norm.ppf(0.001))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Light thinning always helps
# :label: ex-di-05-two
# ```
# **Research.** In a large table light thinning always helps, however rare or common the category: show that the limiting ratio
# $2\sqrt{\beta(1-\beta)}$ never exceeds $\sqrt3/2$.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-05-two
# :class: dropdown
# ```
# $\beta \le \pi(1-\pi) \le \frac14$ for $N \ge 2$, and $\beta(1-\beta)$ increases up to $\frac12$: the ratio is at most
# $2\sqrt{\frac14\cdot\frac34}$, reached for $N = 2$, $\pi = \frac12$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
b_ = 1 / (4 + eta)
always = (
    derivation(4 * b_ * (1 - b_), of="(2\\sqrt{\\beta(1-\\beta)})^2")
    .equal(4 * (3 + eta) / (4 + eta) ** 2, r"$\beta = 1/(4+\eta)$, $\eta \ge 0$")
    .at_most(sp.Rational(3, 4), "common denominator", by="coefficients")
)
hard = design.best_thinning(10**6, 10, categories=2, share=0.5)
assert abs(hard.variance_ratio - 3**0.5 / 2) < 0.002
always

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - For retention the noise for a wanted $k$ has a closed form. Smaller samples need less of it.
# - Less noise is not more accuracy: for $n \gg k$ a ten per cent sample has a larger variance than noise on everybody. Leaving
#   out about $\frac{1-2\beta}{\sqrt{\beta(1-\beta)}}\sqrt{n(k-1)}$ records is better than both, against somebody who does not know who took part.
#   Against the prosecutor at most a third of the $k - 1$ others remains, for $n \gg k$.
# - Strata, unequal probabilities and samples of random size follow from the same lemma. Whoever is oversampled loses
#   cover.
# - $\gamma \ge e^{-\varepsilon}$: every locally private release has a level of Pk-anonymity.
# - Plan with the bound, print the label: how often the rarest value is shown, both levels, the interval of participation, the errors.
#
# **Further reading.** PRAM in practice {cite:p}`gouweleeuw1998post`, {cite:p}`templ2015sdcmicro`; estimation after randomised answers
# {cite:p}`vandenhout2002`. **Next** [what the tools say](../research/disclosure-what-the-tools-say.ipynb). **Back to** [who attacks](01-who-attacks.ipynb).
