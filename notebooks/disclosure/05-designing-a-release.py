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
# You have a million records, want level $k = 10$, and care about one share. Theorem 5.1 lets you choose: noise
# on everybody, or a sample of ten percent with much less noise. The second sounds better and is
# {glue:text}`worse-million:.0f` times worse. There is a third way that neither extreme suggests: leave out a
# single percent of the records, and the variance falls by more than half. This notebook turns the bound into
# a design.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how much of each value may be kept for a wanted $k$, what noise and sampling cost in
# accuracy, why leaving out a few records pays, what strata do to the level, how all this reads in $\varepsilon$, and
# which three numbers to print beside a release.
# **You need** Theorem 5.1 ([notebook 3](03-pram-and-sampling.ipynb)) and the variance of a mean.
# **Time:** 35 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** retention PRAM ($A = \rho I + \frac{1-\rho}{N} J$) on every record, then a sample of fixed size,
# shuffled; later one sample in each stratum. **The attacker** knows the whole table and the process, not who was
# sampled. **Protected:** which slot shows which record, at level $k$. **Not protected:** membership, unless the third
# number says so; targets known to have taken part get the second number, not the first.
# ```

# %%
from fractions import Fraction
from itertools import permutations, product
from math import log, perm

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp
from myst_nb import glue

from privlib.disclosure import design, posterior, pram
from privlib.kit import claim, interactive, plots

plots.use()

# %% [markdown]
# ## How much may be kept?
#
# For retention $\gamma = (1 - \rho)/(1 + (N-1)\rho)$ and $g_2 = \gamma^2$, and the bound is attained: $k$ is a
# quadratic in $\gamma$.

# %%
n, s, k, N = sp.symbols("n s k N", positive=True)
gamma = sp.Symbol("gamma", positive=True)
level = 1 + (n - s) * gamma + (s - 1) * gamma**2
root = 2 * (k - 1) / (n - s + sp.sqrt((n - s) ** 2 + 4 * (s - 1) * (k - 1)))
solved = sp.simplify(sp.expand(level.subs(gamma, root) - k))

rho = sp.Symbol("rho", positive=True)
moebius = (1 - rho) / (1 + (N - 1) * rho)
back = sp.simplify(moebius.subs(rho, moebius.subs(rho, gamma)))
print("level at the root, minus k:", solved)
m = sp.Symbol("m", positive=True)  # n = m + 1
one = sp.simplify(root.subs({s: 1, n: m + 1}))
print("one record released, n = m + 1: γ =", one)
print("the map ρ → γ, twice:", back)

# %%
print("largest share kept, n = 1000, k = 10, N = 10")
for size in (1000, 500, 100, 10):
    keep = design.retention_for_k(1000, 10, n_sampled=size, categories=10)
    print(f"   s = {size:4d}   {keep:.4f}")

with claim("K-B7") as c:
    c.exact(solved, sp.Integer(0), "the closed form solves the quadratic")
    c.exact(back, gamma, "ρ from γ by the same map")
    at_all = sp.simplify(root.subs(s, n) ** 2 - (k - 1) / (n - 1))
    c.exact(at_all, sp.Integer(0), "s = n: γ² = (k − 1)/(n − 1)")
    for size in (1000, 500, 100, 10):
        keep = Fraction(
            design.retention_for_k(1000, 10, n_sampled=size, categories=10)
        )
        for extra, enough in ((Fraction(0), True), (Fraction(1, 10**9), False)):
            A = pram.retention_matrix(keep + extra, 10)
            reached = pram.pk_level(A, 1000, n_sampled=size) >= 10
            c.exact(reached, enough, f"s = {size}, kept {float(keep):.4f} + {extra}")
    worst = pram.homogeneous_worst_case(
        pram.retention_matrix(float(keep), 10), 1000, n_sampled=10
    )
    risk = posterior.match_probability(
        worst.table,
        worst.release,
        transition=pram.retention_matrix(float(keep), 10),
        record=0,
        slot=0,
    )
    c.close(1 / risk, 10, "s = 10: exact posterior of the worst table", rtol=1e-9)

# %% [markdown]
# Any $k \le n$ can be reached, since equal rows give $k = n$. Smaller samples allow more of each value to be kept.
# But what is it all worth to the reader of the data?
#
# ## What does it cost in accuracy?
#
# A reader wants $\pi$, the share of a category. A slot shows it with probability $a = \rho + \frac{1-\rho}N$ if it is true
# and $b = \frac{1-\rho}N$ if not, so with $\hat\lambda$ the share that is shown,
# $\hat\pi = (\hat\lambda - b)/\rho$ is unbiased.
#
# ```{prf:proposition} Accuracy of PRAM and sampling (ours)
# :label: thm-di-05-variance
# $$
# \Var(\hat\pi) = \frac{\pi a(1-a) + (1-\pi) b(1-b)}{s\rho^2}
#     + \frac1s\Bigl(1 - \frac sn\Bigr)\frac{n}{n-1}\,\pi(1-\pi).
# $$
# ```
#
# The first part is the noise, the second the sample. We check it on a table of five by listing every sample and every
# rewriting, in fractions.

# %%
pi = sp.Symbol("pi", positive=True)
a, b = rho + (1 - rho) / N, (1 - rho) / N
noise = (pi * a * (1 - a) + (1 - pi) * b * (1 - b)) / (s * rho**2)
sampled = (1 - s / n) / s * n / (n - 1) * pi * (1 - pi)
bias = sp.simplify((pi * a + (1 - pi) * b - b) / rho - pi)


def by_listing(table, size, keep, categories):
    """Mean and variance of the estimate, and mean of its estimated variance."""
    A = pram.retention_matrix(keep, categories)
    first = second = Fraction(0)
    spread = 0.0
    for order in permutations(range(len(table)), size):
        for shown in product(range(categories), repeat=size):
            chance = Fraction(1, perm(len(table), size))
            for r, v in zip(order, shown):
                chance *= A[table[r], v]
            value = (Fraction(shown.count(0), size) - A[1, 0]) / keep
            first += chance * value
            second += chance * value**2
            shares = design.estimate_shares(shown, A, n=len(table))
            spread += float(chance) * shares.variance[0]
    return first, second - first**2, spread


def variance_at(**values):
    names = {"n": n, "s": s, "N": N, "pi": pi, "rho": rho}
    return (noise + sampled).subs(
        {names[x]: sp.Rational(v) for x, v in values.items()}
    )


table = (0, 0, 1, 2, 1)
mean, listed, spread = by_listing(table, 2, Fraction(1, 2), 3)
formula = variance_at(n=5, s=2, N=3, pi=Fraction(2, 5), rho=Fraction(1, 2))
package = design.share_variance(
    [0.4, 0.4, 0.2], pram.retention_matrix(0.5, 3), n=5, n_sampled=2
)
print(f"mean {mean}, variance {listed}; formula {formula}; package {package[0]:.6f}")
assert bias == 0 and mean == Fraction(2, 5) and listed == Fraction(formula)
assert np.allclose([package[0], spread], float(listed), rtol=1e-12)


# %% [markdown]
# Now hold $k = 10$ fixed and let the sample shrink. Fewer records, but cleaner ones.

# %%
def variance(n, k, N, pi, s):
    """Variance of one share at level k, relative to releasing everybody."""
    shares = np.array([pi, *[(1 - pi) / (N - 1)] * (N - 1)])
    sizes = np.atleast_1d(s)
    values = []
    for size in (*sizes, n):
        keep = design.retention_for_k(n, k, n_sampled=int(size), categories=N)
        A = pram.retention_matrix(keep, N)
        values.append(design.share_variance(shares, A, n=n, n_sampled=int(size))[0])
    return np.array(values[:-1]) / values[-1]


cases = [(10**3, 10, 0.1), (10**4, 10, 0.1), (10**6, 10, 0.1), (10**3, 100, 0.01)]
tenth = {case: variance(case[0], 10, *case[1:], case[0] // 10)[0] for case in cases}
print("variance of a 10 % sample relative to everybody, both at k = 10")
for (size, categories, share), ratio in tenth.items():
    print(f"   n = {size:9,}  N = {categories:3d}  π = {share:4.2f}   {ratio:8.2f}")
glue("worse-million", round(float(tenth[cases[2]]), 3), display=False)

# %% [markdown]
# Usually far worse. The noise on everybody has standard deviation of order $n^{-3/4}$ for the share, the sample alone costs
# $n^{-1/2}$. It wins only if there are many categories and $k$ is large for $n$, so that the noise is heavy. And
# between the extremes?

# %%
best = {
    (n, N, pi): design.best_thinning(n, 10, categories=N, share=pi)
    for n, N, pi in cases[:3]
}
print("        n     drop   predicted    kept   variance  predicted")
for (size, *_), t in best.items():
    print(
        f"{size:9,} {t.drop:8,} {t.asymptotic_drop:11,.0f} {t.keep:7.4f}"
        f" {t.variance_ratio:10.4f} {t.asymptotic_ratio:10.4f}"
    )
percent = [round(100 * t.drop / case[0]) for case, t in best.items()]
assert percent == [29, 11, 1]  # the dots of the figure below
glue("drop-share", round(100 * best[cases[2]].drop / 10**6, 2), display=False)
glue("drop-ratio", round(best[cases[2]].variance_ratio, 3), display=False)

# %% [markdown]
# Of a million records, drop {glue:text}`drop-share` %, and the variance is {glue:text}`drop-ratio` of what it
# was. Why? The first record left out is worth $\gamma$ instead of $\gamma^2$ in the level, and $\gamma$ is small, so
# the noise can be lowered a lot; and it costs almost nothing in sampling error. Write $q$ for the number
# left out, $n \gg k$. Then $k - 1 \approx q\gamma + n\gamma^2$ and the variance is proportional to
# $\gamma + \beta q/n$ with $\beta = \pi(1-\pi)/(1 + \pi(N-2))$.

# %%
q, beta, eta = sp.symbols("q beta eta", positive=True)
per_record = noise.subs(rho, moebius.subs(rho, gamma)) * s  # noise at a given γ
slope = sp.simplify(sp.diff(per_record, gamma).subs(gamma, 0))
print("noise per record ≈ γ times", sp.factor(slope))

q_of = (k - 1) / gamma - n * gamma
cost = gamma + beta * q_of / n
g_best = sp.sqrt(beta * (k - 1) / ((1 - beta) * n))
flat = sp.simplify(sp.diff(cost, gamma).subs(gamma, g_best))
ratio = cost.subs(gamma, g_best) / sp.sqrt((k - 1) / n)  # q = 0: γ = √((k − 1)/n)
gain = sp.simplify((ratio**2).subs(beta, 1 / (1 + eta)) - 4 * eta / (1 + eta) ** 2)
drop = q_of.subs(gamma, g_best) / sp.sqrt(n * (k - 1))
drop = sp.simplify(drop.subs(beta, 1 / (1 + eta)) - (eta - 1) / sp.sqrt(eta))
print("slope at γ*:", flat, "  ratio² − 4β(1 − β):", gain, "  drop:", drop)

# %% [markdown]
# ```{prf:proposition} Light thinning (ours)
# :label: thm-di-05-thinning
# For $n \gg k$ the most accurate release at level $k$ leaves out
# $q^* \approx \frac{1 - 2\beta}{\sqrt{\beta(1-\beta)}}\sqrt{n(k-1)}$ records, and its variance is
# $2\sqrt{\beta(1-\beta)}$ times that of PRAM alone.
# ```

# %%
rng = np.random.default_rng(505)


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


# %% tags=["hide-input"]
with claim("K-B8") as c:
    c.exact(bias, sp.Integer(0), "the estimate is unbiased")
    c.exact(listed, Fraction(formula), f"variance by listing, n = 5, s = 2: {listed}")
    c.exact(
        [flat, gain, drop], [0, 0, 0], "light thinning: the optimum, β = 1/(1 + η)"
    )
    c.exact(
        sp.factor(slope - (1 + pi * (N - 2))),
        sp.Integer(0),
        "noise ≈ γ(1 + π(N − 2))",
    )
    for case in cases[:3]:
        ratio_10 = tenth[case]
        c.holds(
            ratio_10 > 1, f"n = {case[0]:,}: 10 % sample {ratio_10:.2f} times worse"
        )
        label = f"n = {case[0]:,}: drop {best[case].drop:,}, ratio"
        c.holds(
            best[case].variance_ratio < 0.45,
            f"{label} {best[case].variance_ratio:.3f}",
        )
    c.holds(tenth[cases[3]] < 1, f"but N = 100: ratio {tenth[cases[3]]:.2f}")
    million = best[cases[2]]
    c.close(
        million.drop,
        million.asymptotic_drop,
        "a million: drop as predicted",
        rtol=0.01,
    )
    c.close(million.variance_ratio, million.asymptotic_ratio, "and ratio", rtol=0.01)
    curve = variance(1000, 10, 10, 0.1, np.arange(600, 801))
    c.exact(
        600 + int(curve.argmin()), best[cases[0]].n_sampled, "n = 1000: by search"
    )
    for size in (100, best[cases[0]].n_sampled, 1000):
        mse, stderr = simulate(1000, 10, size, 4000)
        A = pram.retention_matrix(
            design.retention_for_k(1000, 10, n_sampled=size, categories=10), 10
        )
        expected = design.share_variance([0.1] * 10, A, n=1000, n_sampled=size)[0]
        c.sampled(mse, expected, f"drawn, n = 1000, s = {size}", stderr=stderr)

# %% mystnb={"figure": {"caption": "Variance of a share (\u03c0 = 0.1, N = 10) at level k = 10, relative to noise on everybody, against the part that is left out. The dots mark the best choice: the more records, the smaller the part. Far to the right, where samples of statistical offices lie, the lines are above 1.", "name": "fig-di-05-thinning"}, "image": {"alt": "Three curves on logarithmic axes, for a thousand, ten thousand and a million records. Each starts at 1, dips to about 0.43 at its dot, at 29, 11 and 1 percent left out, and rises above 1; at 90 percent left out they reach 3, 13 and 147."}}
fig, ax = plots.panels(height=3.9)
for (size, categories, share), t in best.items():
    out = np.unique((np.geomspace(1e-4, 0.95, 160) * size).astype(int))
    curve = variance(size, 10, categories, share, size - out)
    (line,) = ax.plot(100 * out / size, curve, label=f"n = {size:,}")
    ax.plot(100 * t.drop / size, t.variance_ratio, "o", color=line.get_color())
ax.axhline(1, color=plots.COLOURS["grey"], ls="-", lw=1)
ax.set(
    xscale="log",
    yscale="log",
    xlabel="records left out (%)",
    ylabel="relative variance",
)
ax.set(xticks=[0.01, 0.1, 1, 10, 90], xticklabels=["0.01", "0.1", "1", "10", "90"])
ax.set(yticks=[0.4, 1, 3, 10, 100], yticklabels=["0.4", "1", "3", "10", "100"])
ax.minorticks_off()
ax.legend()
plt.show()

# %% [markdown]
# ### Level and accuracy for every p and ρ
#
# A release has two controls, the share $p$ of the records that is drawn and the share $\rho$ of the values that is
# kept, and two prices, the level and the error. Release everybody with $\rho = 0.8$, then leave out a few
# per cent: the level rises from {glue:text}`map-k-all:.2f` to {glue:text}`map-k-95:.2f` at $p = 95$ % while the
# standard error hardly moves, from {glue:text}`map-e-all:.2f` to {glue:text}`map-e-95:.2f` points. Go on to $p = 10$ %: the
# level is bought with accuracy, and more noise on more people would have bought it cheaper. Of the lines for one $p$, those
# for 95 % and 50 % touch the grey one of the most accurate releases; noise on everybody and the sample of 10 % do not.

# %%
parts = [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.8, 0.9]
parts += [0.95, 0.97, 0.98, 0.99, 1.0]
keeps = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99]


def release_prices(p, keep):
    """Level, and standard error of a share of 10 % in percentage points."""
    A, size = pram.retention_matrix(keep, 10), round(1000 * p)
    error = design.share_variance([0.1] * 10, A, n=1000, n_sampled=size)[0] ** 0.5
    return float(pram.pk_level(A, 1000, n_sampled=size)), 100 * float(error)


def least_error(k):
    """Standard error of the most accurate release with this level."""
    thinned = design.best_thinning(1000, k, categories=10, share=0.1)
    return release_prices(thinned.n_sampled / 1000, thinned.keep)[1]


k_map, error_map = np.array([[release_prices(p, r) for r in keeps] for p in parts]).T
k_best = 1 + np.geomspace(0.02, 499, 60)
error_best = [least_error(k) for k in k_best]
for name, p in (("all", 1.0), ("95", 0.95)):
    at = keeps.index(0.8), parts.index(p)
    glue(f"map-k-{name}", round(float(k_map[at]), 4), display=False)
    glue(f"map-e-{name}", round(float(error_map[at]), 4), display=False)

# %% mystnb={"figure": {"caption": "Releases as points: their level k, and the standard error of a share of 10 %, for a thousand records in ten categories, on logarithmic axes. A solid line keeps the drawn part p and varies the retention \u03c1; a dotted line keeps \u03c1 and varies p. Grey, the most accurate release of all at each level: some lines touch it, none goes below.", "name": "fig-pram"}, "image": {"alt": "Standard error against level k, both logarithmic. Four rising lines for p of 100, 95, 50 and 10 percent above or on a thick grey one, which those for 95 and 50 percent touch; the 10 percent line is far above it. Two dotted lines for retention 0.5 and 0.8 run level at first and then turn steeply upwards."}} tags=["hide-input"]
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


# %% tags=["hide-input"]
def release_frame(p, keep):
    i, j = parts.index(p), keeps.index(keep)
    k, error = k_map[j, i], error_map[j, i]
    note = f"{1000 * p:.0f} of 1000 records, {keep:.0%} of the values kept: "
    note += f"k = {k:.2f}, standard error {error:.2f} points. "
    note += f"The least error at this level is {least_error(k):.2f}."
    return [
        {"trace": 1, "x": k_map[j], "y": error_map[j]},
        {"trace": 2, "x": k_map[:, i], "y": error_map[:, i]},
        {"trace": 3, "x": [k], "y": [error]},
        {"note": note},
    ]


def line(name, colour, **options):
    look = {"color": plots.COLOURS[colour], **options}
    return go.Scatter(name=name, mode="lines+markers", line=look, marker={"size": 5})


dot = {"size": 15, "color": plots.COLOURS["orange"], "line": {"width": 1.5}}
live = go.Figure(
    [
        go.Scatter(name="most accurate", x=k_best, y=error_best, mode="lines",
                   line={"color": "#999999", "width": 6}),
        line("this ρ, every p", "sky", dash="dot"),
        line("this p, every ρ", "blue"),
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
        interactive.Slider("values kept ρ", keeps, ".2f", start=keeps.index(0.8)),
    ],
    release_frame,
    alt="Standard error of a share against the level k. A dot for the release with "
    "the chosen p and ρ, a curve for every p at this ρ, one for every ρ at this p, "
    "and the most accurate release at each level.",
)

# %%
for p, keep in ((1.0, 0.8), (0.95, 0.8), (0.1, 0.5)):
    A, size = pram.retention_matrix(keep, 10), round(1000 * p)
    point = release_frame(p, keep)[2]
    worst = pram.homogeneous_worst_case(A, 1000, n_sampled=size)
    risk = posterior.match_probability(
        worst.table, worst.release, transition=A, record=0, slot=0
    )
    assert np.isclose(point["x"], 1 / risk, rtol=1e-9)
    spread = variance_at(n=1000, s=size, N=10, pi="1/10", rho=str(keep))
    assert np.isclose(point["y"], 100 * float(spread) ** 0.5, rtol=1e-12)
for grid in (k_map, error_map):  # more noise, or fewer records: level and error rise
    assert (np.diff(grid, axis=0) < 0).all()
    assert (np.diff(grid, axis=1) < 0).all()
floor = np.vectorize(least_error)(k_map)
assert (error_map >= floor * (1 - 1e-9)).all()
print("standard error, divided by the least at the same level")
for p, touches in ((1.0, False), (0.95, True), (0.5, True), (0.1, False)):
    above = (error_map / floor)[:, parts.index(p)]
    print(f"   p = {p:4.0%}   {above.min():.3f} to {above.max():.2f}")
    assert (above.min() < 1.01) == touches


# %% [markdown]
# ## What if the sample is stratified?
#
# Offices draw more from small regions. The paper leaves such designs (層別抽出) to future work. The swap lemma is
# ready: only exchanges that respect the design count. Stratum $h$ has $n_h$ records, $s_h$ of them drawn, $s = \sum_h s_h$.
#
# If the release names the stratum of each slot, every stratum is a release of its own. If not, slots of other
# strata are cover too, and exchanges of three come in: $r$ leaves its slot, a sampled record of another
# stratum takes it, an unsampled one of stratum $h$ takes *that* slot.
#
# ```{prf:proposition} Strata (ours)
# :label: thm-di-05-strata
# For a record of stratum $h$: with released labels $k_h \ge 1 + (n_h - s_h)\gamma + (s_h - 1) g_2$; with
# hidden ones
# $\displaystyle k_h \ge 1 + (n_h - s_h)\gamma + (s - 1) g_2 + \frac{(n_h - s_h)(s - s_h)}{s_h}\gamma^2 .$
# For unequal probabilities with odds $\omega$ and fixed size,
# $k_r \ge 1 + \gamma\,\Omega_r / \omega_r + (s - 1) g_2$, $\Omega_r$ the sum of the $n - s$ smallest $\omega_t$,
# $t \ne r$.
# ```

# %%
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
    scale = np.lcm.reduce([entry.denominator for row in A for entry in row])
    whole = np.array([[int(entry * scale) for entry in row] for row in A])
    tables = np.array(list(product(range(len(A)), repeat=stratum.size)))
    releases = np.array(list(product(range(len(A)), repeat=size)))
    weight = whole[tables[:, orders][:, None], releases[None, :, None]].prod(axis=-1)
    total, levels = weight.sum(axis=-1), []
    for h in range(len(sizes)):
        r = int(np.flatnonzero(stratum == h)[0])
        slots = [j for j in range(size) if (orders[:, j] == r).any()]
        pairs = [(total, weight[:, :, orders[:, j] == r].sum(axis=-1)) for j in slots]
        ratios = [(t / m).min() for t, m in pairs]
        t, m = pairs[int(np.argmin(ratios))]
        at = (t / m).argmin()
        levels.append(Fraction(int(t.flat[at]), int(m.flat[at])))
    return levels


third = pram.retention_matrix(Fraction(1, 2), 3).tolist()
designs = [((3, 2), (1, 2)), ((2, 2), (1, 1)), ((3, 1), (2, 1))]
print("sizes   samples   labels     bound         exact")
checked = {}
for (sizes, samples), labels in product(designs, ("released", "hidden")):
    exact = stratified_levels(third, sizes, samples, labels)
    bound = pram.stratified_pk_level(third, sizes, samples=samples, labels=labels)
    checked[sizes, samples, labels] = list(bound), exact
    texts = [", ".join(map(str, x)) for x in (bound, exact)]
    print(f"{sizes}  {samples}    {labels:9s}  {texts[0]:12s}  {texts[1]}")

# %% [markdown]
# With released labels these bounds are attained, hidden ones sometimes. A region that is taken whole has no one left out: $k_h = 1 + (s - 1)\,g_2$, as for an attacker who knows who took
# part. Oversampling takes cover from the small region, and even a proportional
# design guarantees it less than a simple random sample does:

# %%
keep = float(moebius.subs({rho: sp.Rational(1, 20), N: 3}))  # γ = 0.05
A = pram.retention_matrix(keep, 3)
regions, drawn = [900, 100], [50, 50]
hidden = pram.stratified_pk_level(A, regions, samples=drawn, labels="hidden")
named = pram.stratified_pk_level(A, regions, samples=drawn)
simple = pram.pk_level(A, 1000, n_sampled=100)
proportional = pram.stratified_pk_level(A, regions, samples=[90, 10], labels="hidden")
print("regions of 900 and 100, γ = 0.05, a hundred drawn")
print("   simple random sample    ", round(simple, 2))
print("   90 + 10, labels hidden  ", proportional.round(2))
print("   50 + 50, labels hidden  ", hidden.round(2))
print("   50 + 50, labels released", named.round(2))


# %% tags=["hide-input"]
def unequal_levels(A, odds, size):
    """Exact worst level of every record under conditional Poisson sampling."""
    orders = list(permutations(range(len(odds)), size))
    levels = [Fraction(10**9)] * len(odds)
    for table in product((0, 1), repeat=len(odds)):
        for shown in product((0, 1), repeat=size):
            w = {}
            for order in orders:
                w[order] = Fraction(1)
                for r, v in zip(order, shown):
                    w[order] *= A[table[r]][v] * odds[r]
            for r in range(len(odds)):
                mine = sum(x for order, x in w.items() if order[0] == r)
                levels[r] = min(levels[r], sum(w.values()) / mine)
    return levels


with claim("K-B9") as c:
    for (sizes, samples, labels), (bound, exact) in checked.items():
        for lower, truth in zip(bound, exact):
            c.at_most(
                lower, truth, f"{sizes}, {samples}, {labels}: {lower} ≤ {truth}"
            )
        if labels == "released" or sizes == (3, 2):
            c.exact(bound, exact, f"{sizes}, {samples}, {labels}: attained")
    half = pram.retention_matrix(Fraction(1, 2), 2).tolist()
    for odds in ((1, 2, 5), (7, 1, 1)):
        bound = pram.conditional_poisson_pk_level(half, odds, n_sampled=2)
        truth = [float(x) for x in unequal_levels(half, odds, 2)]
        c.at_most(bound, truth, f"odds {odds}, s = 2, every table", slack=1e-12)
    equal = pram.conditional_poisson_pk_level(half, [1] * 9, n_sampled=4)
    c.close(
        equal, float(pram.pk_level(half, 9, n_sampled=4)), "equal odds: Theorem 5.1"
    )
with claim("K-6.3") as c:
    whole = checked[(3, 2), (1, 2), "hidden"][1][1]
    srs = pram.pk_level(third, 5, n_sampled=3)
    c.holds(whole < srs, f"5 records, s = 3: a stratum taken whole {whole} < {srs}")
    c.holds(
        hidden[1] < 4 < simple,
        "regions: Theorem 5.1 does not extend",
        method="numeric",
    )

# %% [markdown]
# ## How does this read in $\varepsilon$?
#
# The paper's introduction says that $\varepsilon$ alone does not fix the risk of identification. For noise added record by
# record it does bound it. PRAM is $\varepsilon$-locally private exactly if no entry exceeds another one of its column by
# more than $e^\varepsilon$, that is $\gamma \ge e^{-\varepsilon}$, and $g_2 \ge \gamma^2$ always:
#
# $$ k \ge 1 + (n - s) e^{-\varepsilon} + (s - 1) e^{-2\varepsilon} . $$

# %%
print("n = 1,000,000     ε    everybody     10 %      1 %")
for epsilon in (2, 5, 8):
    row = [
        pram.local_dp_pk_level(epsilon, 10**6, n_sampled=m)
        for m in (10**6, 10**5, 10**4)
    ]
    print(f"{epsilon:19d} {row[0]:12,.1f} {row[1]:8,.0f} {row[2]:8,.0f}")


def release_law(table, size, A):
    """Law of the shuffled release, times a constant."""
    law = {}
    for shown in product(range(len(A)), repeat=size):
        orders = permutations(range(len(table)), size)
        rows = ([A[table[r]][v] for r, v in zip(order, shown)] for order in orders)
        law[shown] = sum(np.prod(row) for row in rows)
    return law


def central_ratio(n, size, A):
    """Largest probability ratio between tables that differ in one record."""
    ratios = []
    for table in product(range(len(A)), repeat=n):
        one = release_law(table, size, A)
        other = release_law(((table[0] + 1) % len(A), *table[1:]), size, A)
        ratios += [max(one[x] / other[x], other[x] / one[x]) for x in one]
    return max(ratios)


# %% [markdown]
# And seen from outside, by someone who compares two tables, the sample *amplifies* the guarantee:
# $\varepsilon' = \ln(1 + p(e^\varepsilon - 1))$ {cite:p}`balle2018privacy`, {cite:p}`smith2009secrecy`. For
# retention this is exact, shuffled or not.

# %%
with claim("K-B10") as c:
    for A in (
        half,
        third,
        [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 5), Fraction(4, 5)]],
    ):
        column = max(x / y for col in zip(*A) for x, y in permutations(col, 2))
        c.exact(
            pram.ratio_minima(A).gamma,
            1 / column,
            f"γ = 1/{column}: e^−ε of {len(A)} rows",
        )
        eps = pram.local_dp_epsilon(A)
        bound, truth = (
            pram.local_dp_pk_level(eps, 4, n_sampled=2),
            float(pram.pk_level(A, 4, n_sampled=2)),
        )
        c.at_most(
            bound, truth, f"n = 4, s = 2: {bound:.4f} ≤ {truth:.4f}", slack=1e-12
        )
    mild = pram.retention_matrix(Fraction(1, 4), 2).tolist()  # ε below 1
    for A, size, m in ((half, 3, 2), (half, 4, 1), (third, 3, 2), (mild, 3, 2)):
        ratio = central_ratio(size, m, A)
        c.exact(
            ratio,
            1 + Fraction(m, size) * (1 / pram.ratio_minima(A).gamma - 1),
            f"n = {size}, s = {m}, N = {len(A)}: e^ε' = {ratio}, exactly",
        )
        amplified = pram.amplified_epsilon(pram.local_dp_epsilon(A), m / size)
        c.close(amplified, log(ratio), "the package", rtol=1e-12)

# %% [markdown]
# The converse fails: a table in which everybody has $k - 1$ doubles is k-anonymous without any randomness, so with no
# $\varepsilon$ at all.
#
# ## A release, with its numbers
#
# A public-use file: a thousand people, eight occupations of very different size, wanted level 20. We design for a share of 0.1,
# draw, rewrite, and estimate.

# %%
counts = np.array([330, 240, 160, 100, 70, 50, 35, 15])
people = rng.permutation(np.repeat(np.arange(8), counts))
n_, k_ = people.size, 20
plan = design.best_thinning(n_, k_, categories=8, share=0.1)
A = pram.retention_matrix(plan.keep, 8)

taken = rng.permutation(n_)[: plan.n_sampled]
release = pram.apply_pram(people[taken], A, rng=rng)
shares = design.estimate_shares(release, A, n=n_)
print(f"{plan.drop} of {n_} left out, values kept with {plan.keep:.3f}")
print("occupation   true  shown  estimate ± standard error")
for u in range(8):
    error = shares.variance[u] ** 0.5
    print(
        f"{u:6d}      {counts[u] / n_:5.3f}  {(release == u).mean():5.3f}"
        f"     {shares.estimate[u]:5.3f} ± {error:5.3f}"
    )
assert (np.abs(shares.estimate - counts / n_) < 4 * shares.variance**0.5).all()

# %% [markdown]
# Three numbers belong beside such a file: the level $k$, the level against somebody who knows that the target took
# part, and the largest probability that anyone can give to "took part". They are worst cases over all tables; the exact posterior
# ([notebook 4](04-the-exact-posterior.ipynb)) says how things stand for *this* table and *this* release.

# %%
M = posterior.match_matrix(people, release, transition=A, by="value")
lines = np.bincount(release, minlength=8)
member = M @ lines  # probability of having taken part, by occupation
guess = M.max(axis=0)  # the attacker's best chance behind a line that shows v
average = (lines * guess).sum() / lines.sum()

numbers = {
    "k": (pram.pk_level(A, n_, n_sampled=plan.n_sampled), 1 / M.max(), 1 / average),
    "k, took part": (
        pram.pk_level_response_knowledge(A, n_, n_sampled=plan.n_sampled),
        (member[:, None] / M).min(),
        lines.sum() / (lines * (M / member[:, None]).max(axis=0)).sum(),
    ),
    "membership": (
        pram.membership_bound(A, n_, n_sampled=plan.n_sampled),
        member.max(),
        (counts * member).sum() / n_,
    ),
}
print("                 guaranteed   this release, worst   average")
for name, row in numbers.items():
    print(f"{name:14s} {row[0]:12.3f} {row[1]:21.3f} {row[2]:9.3f}")

# %%
with claim("K-B11") as c:
    guaranteed, here, usual = np.array(list(numbers.values())).T
    c.at_most(
        guaranteed[:2], here[:2], "both levels: guaranteed ≤ this release, worst"
    )
    c.at_most(here[:2], usual[:2], "worst line ≤ average line")
    c.at_most(here[2], guaranteed[2], "membership: this release ≤ guaranteed")
    c.at_most(k_, guaranteed[0], "the wanted level", slack=1e-9)
    c.close(usual[2], plan.n_sampled / n_, "membership averages to s/n", rtol=1e-9)
    c.close((counts[:, None] * M).sum(axis=0), np.ones(8), "each line is somebody's")
    r = int(np.flatnonzero(people == 7)[0])
    direct = posterior.membership_probability(people, release, transition=A, record=r)
    c.close(member[7], direct, "membership of a rare occupation, direct route")
    small = posterior.match_matrix([0, 0, 1, 2], [0, 2], transition=third, by="value")
    listed_ = stratified_levels(third, (4,), (2,), "hidden")[0]
    c.at_most(
        small.max(), 1 / listed_, f"n = 4, s = 2: worst of all tables 1/{listed_}"
    )
    c.exact(
        1 / listed_,
        1 / pram.pk_level(third, 4, n_sampled=2),
        "which is the guarantee",
    )

# %% [markdown]
# The first row is the level, then the same for somebody known to have taken part; *average* means: the attacker takes
# her best guess at every line. Nobody in this table meets the worst case, since everyone here has doubles. That
# is luck, not a guarantee: one person with an occupation of their own, and the second number is all that they can count on. Publish all three.
#
# ## Exercises
#
# ```{exercise-start} A sample of one
# :label: ex-di-05-one
# ```
# **Warm-up.** What is the largest share of values that may be kept if a single record out of a thousand is
# released, at $k = 10$, $N = 10$? Compare it with a sample of ten.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-05-one
# :class: dropdown
# ```
# $\gamma = (k-1)/(n-1)$, so $\rho = (1-\gamma)/(1 + 9\gamma)$, hardly more than for ten.

# %%
g = 9 / 999
assert np.isclose(
    design.retention_for_k(1000, 10, n_sampled=1, categories=10),
    (1 - g) / (1 + 9 * g),
)
assert (
    design.retention_for_k(1000, 10, n_sampled=10, categories=10)
    > (1 - g) / (1 + 9 * g) - 0.001
)

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
#
# ```{solution-start} ex-di-05-allocation
# :class: dropdown
# ```
# The small region's level falls with every record drawn from it, so draw one: $k = 1 + 99\gamma$. Nothing
# can then be said about the small region. Level and accuracy pull in opposite directions.

# %%
A = pram.retention_matrix(keep, 3)
least = [
    pram.stratified_pk_level(A, regions, samples=[100 - m, m]).min()
    for m in range(1, 100)
]
assert int(np.argmax(least)) == 0
assert np.isclose(max(least), 1 + 99 * 0.05)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Light thinning always helps
# :label: ex-di-05-two
# ```
# **Research.** Light thinning always helps, however rare or common the category: show that the limiting ratio
# $2\sqrt{\beta(1-\beta)}$ never exceeds $\sqrt3/2$.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-di-05-two
# :class: dropdown
# ```
# $\beta \le \pi(1-\pi) \le \frac14$ for $N \ge 2$, and $\beta(1-\beta)$ increases up to $\frac12$: the ratio is at most
# $2\sqrt{\frac14\cdot\frac34}$, reached for $N = 2$, $\pi = \frac12$.

# %%
top = 2 * sp.sqrt(beta * (1 - beta))
assert sp.simplify(top.subs(beta, sp.Rational(1, 4)) - sp.sqrt(3) / 2) == 0
hard = design.best_thinning(10**6, 10, categories=2, share=0.5)
assert abs(hard.variance_ratio - 3**0.5 / 2) < 0.002

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - For retention the noise for a wanted $k$ has a closed form. Smaller samples need less of it.
# - Less noise is not more accuracy: a ten percent sample is usually worse than noise on everybody. Leaving
#   out about $\sqrt{n(k-1)}$ records is better than both.
# - Strata and unequal probabilities follow from the same lemma. Whoever is oversampled loses cover.
# - $\gamma = e^{-\varepsilon}$: every locally private release has a level of Pk-anonymity.
# - Print three numbers: $k$, $k$ for targets known to have taken part, and the bound on membership.
#
# **Further reading.** PRAM in practice {cite:p}`gouweleeuw1998post`, {cite:p}`templ2015sdcmicro`; amplification
# by sampling {cite:p}`balle2018privacy`. **Back to** [who attacks](01-who-attacks.ipynb).
