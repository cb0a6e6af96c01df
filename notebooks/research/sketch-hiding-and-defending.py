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
# # Can a poisoned report hide?
#
# **Question.** A fake user can raise the estimate of an item by more than one user. Can it do so unnoticed, although the server sees every report?
#
# **What is known.** The paper {cite:p}`shimizu` measures what its strongest attack adds, 2.55<!-- {per_fake[CMS]:.2f} --> users for each fake user of CMS at $\varepsilon = 1$, and does not ask whether the server notices it. On another mechanism (OUE), {cite:t}`cao2021poisoning` give fake reports the usual number of ones. How many disguised fake users a server can detect was open, as far as we know.
#
# **Answer.** A fake user can hide without losing any of this gain: it sends an honest report of its target whose decisive sign the noise did not flip. Our tests at level 1%, in a shop of 49,742<!-- {n:,} --> users, detect such fake users with probability $\frac12$ only if about one user in 12<!-- {1 / needed["unknown", "CMS"]:.0f} --> is fake (HCMS: one in 9<!-- {1 / needed["unknown", "HCMS"]:.0f} -->). If the server knows last month's counts, 1.29%<!-- {needed["last month", "CMS"]:.2%} --> (1.65%<!-- {needed["last month", "HCMS"]:.2%} -->) are enough.
#
# **Why it matters.** Looking for unusual reports does not protect a sketch; knowing the usual counts helps more.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how a fake user can look honest without losing gain, how powerful a test against such users can be, how much it helps to know last month's counts, and what such users lose if the server makes its estimates consistent.
# **You need** the estimators of CMS and HCMS ([notebook 1](../sketch/01-count-mean-sketch.ipynb), [notebook 2](../sketch/02-hadamard.ipynb)), the gain of fake users ([notebook 3](../sketch/03-poisoning.ipynb)), and the level and power of a test.
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** controls $n'$ of the $n + n'$ users, a share $\beta = n'/(n + n')$. It knows the hash functions and may send any report that has the right format. It wants to raise the estimate of one target item, unnoticed. **The server** is honest. It sees all reports and has the list of all items; in two sections it also knows last month's counts. **Protected:** each user's item, up to $e^{\varepsilon}$. **Not considered:** several targets.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import pairwise, product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import optimize, stats

from privlib.notebook import datasets, plots
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch, defences, poisoning
from privlib.sketch.data import shop_counts

plots.use()
rng = np.random.default_rng(43)
counts = shop_counts()
items, target = list(counts), "A18"
target_index = items.index(target)
n = sum(counts.values())
n_fake = poisoning.n_fake_users(n, 0.01)
CMS = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
HCMS = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
rows = [line.split(";") for line in datasets.load("eshop").decode().splitlines()[1:]]
months = []  # users of each of the 43 items (category 1), from April to August
for month in "45678":
    models = [row[7] for row in rows if row[1] == month and row[6] == "1"]
    months.append(np.array([models.count(item) for item in items]))
assert sum(months).tolist() == list(counts.values())


# %% [markdown]
# ## Many different reports have the largest gain
#
# Take a CMS with one row of four cells, one item in each cell, and $e^{\varepsilon/2} = 3$. We list all 16 reports and compute what each of them adds to the four estimates ([notebook 3](../sketch/03-poisoning.ipynb)):

# %%
def added(report):
    """What a report of four signs adds to the estimates of the four items."""
    entries = (2 * np.array(report) + 1) / Fraction(2)
    return Fraction(4, 3) * (entries - Fraction(1, 4))


reports = list(product((1, -1), repeat=4))
largest = max(added(report)[0] for report in reports)
best_reports = [report for report in reports if added(report)[0] == largest]
print(f"{len(best_reports)} of {len(reports)} reports add {largest} to the first item, for example")
for report in (best_reports[-1], best_reports[2]):
    print(report, "which adds", *added(report))


# %% [markdown]
# The first example is the paper's maximal gain attack (MGA): $+1$ for the target, $-1$ elsewhere. But what a report adds to the target depends only on the sign in the target's cell. So a fake user may choose the other signs freely, for example at random, with the same distribution as in an honest report.
#
# To treat both sketches at once, we say that a report *supports* item $d$ if its sign at the item's cell is $+1$ (CMS), or if its sign $w$ equals $H_{\ell, h_j(d)}$ (HCMS). Let $b_d = 1$ if it does, and $b_d = 0$ if it does not. An honest user's report supports the user's own item with probability $p$. As a standard of comparison we also need an *idle* user, who holds no item. On CMS, an idle user starts with $-1$ in all cells and adds the usual noise; on HCMS, an idle user sends a random row, column and sign. The report of an idle user supports each item with probability $p_0$, where $p_0 = q = 1 - p$ on CMS and $p_0 = \frac12$ on HCMS. In this notation, both sketches estimate the count of $d$ from $N$ reports in the same way:
#
# $$ \hat f_d = F \Bigl( \sum_{\text{reports}} s_d - \frac Nm \Bigr), \qquad s_d = \frac{b_d - p_0}{p - p_0}, \qquad F = \frac m{m - 1} . $$
#
# The score $s_d$ has mean 1 if the user holds $d$, and mean 0 if the user is idle. The largest score is
#
# $$ G = \frac{1 - p_0}{p - p_0}, $$
#
# and *every* report that supports the target has this score. Each of these reports adds $F(G - \frac1m)$ users to the target, and no report adds more.

# %%
def idle_support(scheme):
    """The probability p_0 that an idle user's report supports an item."""
    if scheme is CMS:
        return scheme.flip
    return 0.5


G, per_fake = {}, {}
for scheme in (CMS, HCMS):
    p_0 = idle_support(scheme)
    G[scheme] = (1 - p_0) / (scheme.keep - p_0)
    per_fake[scheme] = scheme.factor * (G[scheme] - 1 / scheme.width)
    print(f"{scheme.name}: G = {G[scheme]:.3f}, largest gain {per_fake[scheme]:.3f} users")

# %% [markdown]
# These are the gains of MGA in [notebook 3](../sketch/03-poisoning.ipynb).
#
# ## A fake user can hide without losing gain
#
# ```{prf:definition} Hidden fake user
# :label: def-sk-07-hidden
# A *hidden* fake user draws honest reports of the target item until one of them supports the target, and sends this one.
# ```
#
# On CMS, this is a report with a random row, $+1$ at the target's cell, and honest noise in all other cells. On HCMS, it has a random row, a random column $\ell$ and the sign $w = H_{\ell, h_j(t)}$.
#
# ```{prf:theorem} What a hidden fake user is worth
# :label: thm-sk-07-hidden
# Let $P_t$, $P_\emptyset$ and $U_t$ be the distributions of a report from an honest user who holds $t$, from an idle user, and from a hidden fake user with the target $t$. Then $U_t = G\, P_t - (G - 1)\, P_\emptyset$.
# ```
#
# ```{prf:proof}
# All three users draw the row (and the column) uniformly. Apart from the sign that decides whether $t$ is supported, all signs have the same distribution for the three users and are independent of it. So the three distributions differ only in the probability that the report supports $t$. It is $p$ for $P_t$, $p_0$ for $P_\emptyset$ and 1 for $U_t$, and by the definition of $G$ we have $G p - (G - 1) p_0 = p_0 + G (p - p_0) = 1$.
# ```
#
# The companion checks this for all 16 reports of the CMS with four cells, where $G = \frac32$.
#
# So in expectation, $n'$ hidden fake users change the reports as if there were $G n'$ *more* honest users who hold the target and $(G - 1) n'$ *fewer* idle users.
#
# Suppose that every user is fake with probability $\beta$, independently, and that at least as many honest users are idle as the theorem removes. Then the poisoned reports have exactly the distribution of an honest population, and no test can tell the two apart. The rest of this note treats the case that is easier for the server: no honest user is idle.
#
# ```{evidence} S-B6
# ```
#
# ## A single report does not reveal a hidden fake user
#
# The paper's attack is easy to detect. On CMS, an honest report has $p + (m - 1) q$ signs $+1$ on average, and an MGA report has one. On HCMS, each column receives about $\frac1m$ of the honest reports, and MGA sends all its reports to the first column. For each report of CMS we count the signs $+1$, and for each column of HCMS the reports. We state both as distances from the mean of honest reports, in standard deviations of honest reports:

# %%
honest_reports = HCMS.privatize(np.repeat(items, list(counts.values())), rng)
for hidden in (False, True):
    fake_reports = {}
    for scheme in (CMS, HCMS):
        options = {"targets": [target], "n_fake": n_fake, "rng": rng, "hidden": hidden}
        fake_reports[scheme] = poisoning.fake_reports(scheme, "mga", **options)
    five_scores = defences.weight_scores(CMS, fake_reports[CMS][:5])
    all_reports = np.concatenate([honest_reports, fake_reports[HCMS]])
    largest_column = defences.column_scores(HCMS, all_reports).max()
    print("hidden" if hidden else "MGA   ", five_scores.round(1), largest_column.round(1))


def z_column(fakes):
    """Expected z of the load of the first column, if all fake users choose it."""
    return fakes * np.sqrt(1 - 1 / 128) / np.sqrt((n + fakes) / 128)


# %% [markdown]
# A single MGA report on CMS lies almost nine standard deviations below the mean. The 502<!-- {n_fake} --> MGA reports on HCMS put their column about 25<!-- {z_column(n_fake):.0f} --> standard deviations above the mean. The statistics of hidden fake users are as usual, because only one sign of a hidden report, the one that decides about the target, does not have the honest distribution.
#
# ```{evidence} S-B7
# ```
#
# ## If popularity is unknown, tests have little power
#
# So the server must look at all reports together. Let $f_d$ be the share of the honest users who hold $d$. Suppose first that the server knows nothing about these shares, except that they are not negative and have the sum 1. The report of an honest user of $d$ differs from that of an idle user only in the probability that $d$ is supported. Therefore the ratio of the two distributions is linear in the score:
#
# $$ \frac{P_d}{P_\emptyset} = 1 + K s_d, \qquad K = \frac{(p - p_0)^2}{p_0 (1 - p_0)} . $$
#
# (For $b_d = 1$ both sides are $p/p_0$; for $b_d = 0$ both are $(1 - p)/(1 - p_0)$.) The reports of a population with shares $f$ then have the distribution $P_f = P_\emptyset \bigl(1 + K \sum_d f_d s_d\bigr)$. Hidden fake users have the distribution $U_t = P_\emptyset (1 + G K s_t)$, by {prf:ref}`thm-sk-07-hidden`. So if a share $\beta$ of the users is fake, the reports are distributed as if the shares were $(1 - \beta) f_d$, and for the target $(1 - \beta) f_t + \beta G$. These numbers have the sum $1 - \beta + \beta G = 1 + \theta$ with $\theta = \beta (G - 1)$, and the shares of an honest population have the sum 1. This is the only trace of the attack: *there seem to be too many users*.
#
# If an idle user draws a row where the items $d$ and $e$ share a cell, then $s_d = s_e$. In any other row, $s_d$ and $s_e$ are independent (on HCMS because the columns of $H$ are orthogonal). So $\mathrm{E}_\emptyset[s_d s_e] = A_{de}/K$, where $A_{de}$ is the share of rows in which $d$ and $e$ share a cell. The *expected $z$* of a test is the shift of its statistic that the fake users cause, in standard deviations of the statistic.
#
# ```{prf:theorem} A bound on tests without knowledge of popularity
# :label: thm-sk-07-total
# Let $A$ be invertible, let $T = \mathbf 1^\top A^{-1} s$ for one report with the scores $s$, and let $S = \frac1K \mathbf 1^\top A^{-1} \mathbf 1$.
#
# 1. $T$ has mean 1 for every honest population and mean $1 + \theta$ with hidden fake users. For an idle user its variance is $S$.
# 2. Let the $N$ reports be independent. To first order, a test that keeps its level for all honest populations is at most as powerful as a one-sided normal test with the expected $z = \theta \sqrt{N/S}$. The mean of $T$ over the reports has this $z$.
# ```
#
# ```{prf:proof}
# $\mathrm{E}_f[s_d] = \mathrm{E}_\emptyset[s_d (1 + K \sum_e f_e s_e)] = (A f)_d$, so $\mathrm{E}_f[T] = \mathbf 1^\top A^{-1} A f = \mathbf 1^\top f$. Also $\mathrm{E}_\emptyset[T^2] = \mathbf 1^\top A^{-1} \frac AK A^{-1} \mathbf 1 = S$.
#
# For the second part, look for the honest population that is hardest to distinguish from the poisoned one. Let $\delta$ be the poisoned shares minus the shares of an honest population. The distributions of a report differ by $P_\emptyset\, g$ with $g = K \sum_d \delta_d s_d$. Then $\mathrm{E}_\emptyset[g\,T] = \mathbf 1^\top \delta = \theta$. By the Cauchy–Schwarz inequality, the squared distance $\mathrm{E}_\emptyset[g^2]$ is at least $\theta^2/S$, with equality if $g = \frac\theta S T$, that is, $\delta = \frac{\theta}{S K} A^{-1} \mathbf 1$. Suppose that the honest population with this $\delta$ has no negative shares, as in the shop. Between this population and the poisoned one, the likelihood ratio gives the most powerful test (Neyman and Pearson). To first order, its logarithm is normal with means $\pm\frac12 N \theta^2/S$ and variance $N \theta^2/S$, so the expected $z$ is $\theta \sqrt{N/S}$. A test that keeps its level for all honest populations keeps it for this one, too.
# ```
#
# *To first order* means: for many reports, few fake users, and distributions near $P_\emptyset$. The sum of $T$ over the reports is the sum of all estimates, corrected for collisions. We call this sum the *corrected total*.

# %%
cells = CMS.family.positions(items)  # both sketches have the same hash functions
A = (cells[:, None] == cells).mean(axis=2)
weights = np.linalg.solve(A, np.ones(len(items)))
S = {}
for scheme in (CMS, HCMS):
    p_0 = idle_support(scheme)
    K = (scheme.keep - p_0) ** 2 / (p_0 * (1 - p_0))
    S[scheme] = weights.sum() / K


def z_total(scheme, fakes):
    """Expected z of the corrected total."""
    theta = fakes / (n + fakes) * (G[scheme] - 1)
    return theta * np.sqrt((n + fakes) / S[scheme])


# %% [markdown]
# If 1% of the users are hidden fake users, the expected $z$ is only 0.31<!-- {z_total(CMS, n_fake):.2f} --> on CMS and 0.21<!-- {z_total(HCMS, n_fake):.2f} --> on HCMS. We test the corrected total on both sides, because an attacker may also lower an item. At level 1%, this test has power 1.4%<!-- {defences.power(z_total(CMS, n_fake)):.1%} --> on CMS. By the theorem, to first order no test has more than 2.2%<!-- {stats.norm.sf(stats.norm.isf(0.01) - z_total(CMS, n_fake)):.1%} -->.
#
# ```{evidence} S-B7a
# ```
#
# ## Result: how many fake users does a server detect?
#
# A server that knows last month's counts can compare *each* estimate with the value that these counts let it expect. It does not know the target, so it makes 43 two-sided tests, each at a 43rd of the level (Bonferroni).

# %%
honest_moments = {scheme: scheme.moments(counts) for scheme in (CMS, HCMS)}


def z_item(scheme, fakes, drift=0.0):
    """Expected z of the target's estimate; the drift is explained below."""
    mean = honest_moments[scheme].mean[target_index]
    variance = honest_moments[scheme].variance[target_index]
    shift = fakes * (per_fake[scheme] - mean / n)
    variance_now = variance * (1 + fakes / n) + drift**2 * (1 - 1 / 43)
    return shift / np.sqrt(variance_now)


def share_needed(z, tests=1):
    """Share of fake users that two-sided tests at level 1% detect with probability 1/2."""

    def power_above_half(share):
        fakes = n * share / (1 - share)
        return defences.power(float(z(fakes)), tests=tests) - 0.5

    return optimize.brentq(power_above_half, 1e-6, 0.9)


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The share of fake users that a two-sided test at level 1% detects with probability 1/2, among about 50,000 users. The paper's attack is detected at once; on CMS one report is enough. Hidden fake users have the same gain, and are detected only in much larger numbers.", "name": "fig-sk-07-needed"}, "image": {"alt": "Dots for CMS and HCMS on a logarithmic axis of shares, in three rows. The paper's attack: one user, and 0.16%<!-- {needed[\"printed\", \"HCMS\"]:.2%} -->. Hidden, last month known: 1.29%<!-- {needed[\"last month\", \"CMS\"]:.2%} --> and 1.65%<!-- {needed[\"last month\", \"HCMS\"]:.2%} -->. Hidden, popularity unknown: 8%<!-- {needed[\"unknown\", \"CMS\"]:.0%} --> and 11%<!-- {needed[\"unknown\", \"HCMS\"]:.0%} -->. A line marks 1%."}} tags=["figure"]
needed = {
    ("printed", "CMS"): 1 / (n + 1),
    ("printed", "HCMS"): share_needed(z_column, tests=128),
}
for scheme in (CMS, HCMS):
    needed["last month", scheme.name] = share_needed(lambda x, k=scheme: z_item(k, x), tests=43)
    needed["unknown", scheme.name] = share_needed(lambda x, k=scheme: z_total(k, x))

    def one_sided(share, k=scheme):
        return z_total(k, n * share / (1 - share)) - stats.norm.isf(0.01)

    needed["bound", scheme.name] = optimize.brentq(one_sided, 1e-6, 0.9)
fig, ax = plots.panels(height=2.7, width=7.4)
places = {"printed": 2, "last month": 1, "unknown": 0}
for name, colour, marker, shift in (("CMS", "blue", "o", 0.12), ("HCMS", "orange", "s", -0.12)):
    shares = [100 * needed[case, name] for case in places]
    heights = [place + shift for place in places.values()]
    ax.plot(shares, heights, marker, color=plots.COLOURS[colour], ms=9, ls="", label=name)
    for share, height in zip(shares, heights):
        text = f"{share:.3g}%" if share > 0.01 else "one user"
        ax.annotate(text, (share, height), (9, 0), textcoords="offset points",
                    va="center", fontsize=9)  # fmt: skip
ax.axvline(1, color=plots.COLOURS["grey"], lw=1, ls=":")
ax.text(0.93, 2.42, "the paper's 1%", ha="right", va="top", fontsize=9, color="#555555")
ax.set_yticks(list(places.values()), ["the paper's attack", "hidden,\nlast month known",
                                      "hidden,\npopularity unknown"])  # fmt: skip
ax.set(xscale="log", xlim=(1e-3, 60), ylim=(-0.5, 2.5), xlabel="share of fake users needed (%)")
ax.set_xticks([0.001, 0.01, 0.1, 1, 10], ["0.001", "0.01", "0.1", "1", "10"])
ax.legend(loc="lower left")
plt.show()


# %% [markdown]
# {numref}`fig-sk-07-needed` answers the question. If popularity is unknown, the corrected total detects the attack with probability $\frac12$ if one user in 12<!-- {1 / needed["unknown", "CMS"]:.0f} --> (CMS) or 9<!-- {1 / needed["unknown", "HCMS"]:.0f} --> (HCMS) is fake. By the theorem, to first order no test does so with fewer than one in 14<!-- {1 / needed["bound", "CMS"]:.0f} --> or 10<!-- {1 / needed["bound", "HCMS"]:.0f} -->. If last month's counts are known, 1.29%<!-- {needed["last month", "CMS"]:.2%} --> and 1.65%<!-- {needed["last month", "HCMS"]:.2%} --> are enough. What the server knows about popularity matters more than the choice of the sketch.
#
# ```{evidence} S-B7b
# ```
#
# ## How fast may popularity change?
#
# Last month's counts are not this month's. Suppose that from one month to the next, the number of users of each item changes at random, with standard deviation $\tau$, and that the changes add up to 0. We call these changes the *drift*. The drift is additional noise for the test of one item, but it does not change the total.
#
# ```{prf:proposition} The best linear test under drift
# :label: prop-sk-07-drift
# Let there be no collisions, $D$ items, and a drift with covariance $\tau^2 (I - \frac1D \mathbf 1 \mathbf 1^\top)$. If the fake users change the estimates by $\delta$ on average and an estimate has variance $v = N/K$ without drift, then to first order the best linear test for this target has
#
# $$ z^2 = \underbrace{\frac{(\mathbf 1^\top \delta)^2}{D v}}_{\text{the total}} +
#    \underbrace{\frac{|\delta|^2 - (\mathbf 1^\top \delta)^2 / D}{v + \tau^2}}_{\text{which items}} . $$
# ```
#
# ```{prf:proof}
# The best linear test has $z^2 = \delta^\top \Sigma^{-1} \delta$, where $\Sigma = v I + \tau^2 (I - \frac1D \mathbf 1 \mathbf 1^\top)$ is the covariance of the estimates. $\Sigma$ multiplies $\mathbf 1$ by $v$ and every vector orthogonal to $\mathbf 1$ by $v + \tau^2$. Split $\delta$ into these two parts.
# ```
#
# If $\tau = 0$, the sum is $|\delta|^2/v$, so the change of the target counts fully. As $\tau$ grows, the second term vanishes and only the total remains. How large is $\tau$ in this shop? The data cover five months:

# %%
def drift(before, after):
    """Root mean square change of an item, in users of n, without sampling noise."""
    old, new = before / before.sum(), after / after.sum()
    noise = old / before.sum() + new / after.sum()
    return n * np.sqrt(np.mean((new - old) ** 2 - noise))


drifts = [drift(before, after) for before, after in pairwise(months)]
print("drift from month to month:", *(f"{value:.0f}" for value in drifts))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The share of hidden fake users that is detected with probability 1/2, against the drift of popularity. Comparing each item gets worse with the drift, and the total (dashed) does not. The grey band is the drift of this shop from month to month.", "name": "fig-sk-07-drift"}, "image": {"alt": "Two rising curves of the share needed against the drift, both axes logarithmic. They are flat up to a few hundred users, and cross dashed horizontal lines at 3,010<!-- {round(crossing[\"CMS\"], -1):,.0f} --> and 3,780<!-- {round(crossing[\"HCMS\"], -1):,.0f} --> users. A grey band lies between 130<!-- {min(drifts):.0f} --> and 380<!-- {max(drifts):.0f} --> users."}} tags=["figure"]
fig, ax = plots.panels(height=3.2, width=7.0)
grid = np.geomspace(10, 10_000, 50)
crossing = {}
for scheme, colour in ((CMS, "blue"), (HCMS, "orange")):
    line = [100 * share_needed(lambda x, k=scheme, t=t: z_item(k, x, t), tests=43) for t in grid]
    level = needed["unknown", scheme.name]
    fakes = n * level / (1 - level)

    def excess(t, k=scheme, x=fakes):
        return defences.power(float(z_item(k, x, t)), tests=43) - 0.5

    crossing[scheme.name] = optimize.brentq(excess, 1, 1e5)
    ax.plot(grid, line, color=plots.COLOURS[colour], ls="-", label=f"{scheme.name}, each item")
    ax.axhline(100 * level, color=plots.COLOURS[colour], ls="--", label=f"{scheme.name}, total")
    ax.plot(crossing[scheme.name], 100 * level, "o", color=plots.COLOURS[colour])
ax.axvspan(min(drifts), max(drifts), color="#bbbbbb", alpha=0.5, lw=0)
ax.set(xscale="log", yscale="log", xlim=(10, 10_000), ylim=(1, 40))
ax.set(xlabel="drift τ of an item (users)", ylabel="share of fake users needed (%)")
ax.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
ax.yaxis.set_minor_locator(plt.NullLocator())
ax.legend(fontsize=9)
plt.show()


# %% [markdown]
# An average item has 1,157<!-- {n / 43:,.0f} --> users, and the root mean square change from one month to the next is at most 380<!-- {max(drifts):.0f} -->. {numref}`fig-sk-07-drift` shows that the test of each item loses little power at this drift. The test of each item is as weak as that of the total only if the drift is 3,010<!-- {round(crossing["CMS"], -1):,.0f} --> users on CMS and 3,780<!-- {round(crossing["HCMS"], -1):,.0f} --> on HCMS, which is more than the number of users of an average item. Some servers know last month's counts only as *estimates* from a sketch of the same size. Then the noise of these estimates, 445<!-- {honest_moments[CMS].sd[target_index]:.0f} --> or 485<!-- {honest_moments[HCMS].sd[target_index]:.0f} --> users, adds to the drift.
#
# ```{evidence} S-B7c
# ```
#
# ## Do more users help?
#
# The expected $z$ of the total grows with $\sqrt N$. We can check this for a billion users without drawing a billion reports: we draw how many users choose each row, and then how many of their signs in each cell are $+1$. The resulting sketch has exactly the right distribution, and the cost does not depend on the number of users. `simulate` does this for honest users, and the following function does it for hidden fake users on CMS:

# %%
def hidden_sketch(fakes):
    """CMS of any number of hidden fake users."""
    in_row = rng.multinomial(fakes, np.full(1024, 1 / 1024))
    plus = rng.binomial(in_row[:, None], CMS.flip, size=(1024, 128))
    plus[np.arange(1024), cells[target_index]] = in_row  # the target is always supported
    return Sketch(CMS, 2 * plus - in_row[:, None], in_row)


for users in (10**5, 10**6, 10**7, 10**8, 10**9):
    scaled = {item: count * users // n for item, count in counts.items()}
    honest = CMS.simulate(scaled, rng)
    sketch = honest + hidden_sketch(honest.n // 99)  # 1% are fake
    scores = sketch.estimate(items) / CMS.factor + sketch.n / 128  # sums of s_d
    z = (weights @ scores - sketch.n) / np.sqrt(sketch.n * S[CMS])
    expected = 0.01 * (G[CMS] - 1) * np.sqrt(sketch.n / S[CMS])
    print(f"{users:13,} users: z = {z:5.1f}, expected {expected:5.1f}")

# %% [markdown]
# So 1% of fake users stay unnoticed among a hundred thousand users, but not among a hundred million, provided that the list of items is complete. A server can count so many users in parts, because the sketches of the parts add up exactly to the sketch of all.
#
# ```{evidence} S-B4 S-B18
# ```
#
# ## What does a hidden fake user lose if estimates are made consistent?
#
# Raw estimates can be negative, and their sum need not be the number of users. A server often corrects this before it publishes them, for example by norm-sub {cite:p}`wang2020consistency`:
#
# ```{prf:definition} Norm-sub
# :label: def-sk-07-normsub
# Given estimates of all items and the number $N$ of reports, publish $\max(\hat f_d - c, 0)$, with the number $c$ for which these add up to $N$.
# ```

# %%
estimates = np.array([6.0, 3.0, -2.0])
print(defences.norm_sub(estimates, 5), defences.norm_sub(estimates + 10, 5))

# %% [markdown]
# If 10 is added to all estimates, the result is the same, because $c$ grows by 10, too. In 100 simulated shops, we compare what 502<!-- {n_fake} --> fake users gain before and after norm-sub:

# %%
raw, consistent = {}, {}
for scheme, hidden in product((CMS, HCMS), (False, True)):
    gains = []
    for _ in range(100):
        shop = scheme.simulate(counts, rng)
        options = {"targets": [target], "n_fake": n_fake, "rng": rng, "hidden": hidden}
        poisoned = shop + scheme.aggregate(poisoning.fake_reports(scheme, "mga", **options))
        before, after = shop.estimate(items), poisoned.estimate(items)
        clean = defences.norm_sub(before, n)
        clean_after = defences.norm_sub(after, n + n_fake)
        gains.append([(after - before)[target_index], (clean_after - clean)[target_index]])
    name = f"{scheme.name}, {'hidden' if hidden else 'MGA'}"
    raw[name], consistent[name] = np.mean(gains, axis=0)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Four attacks by 502<!-- {n_fake} --> fake users on the same target. The raw gains are the largest possible ones (light). After norm-sub (dark), the paper's attack has gained even more on CMS and almost nothing on HCMS; hidden fake users keep nearly all of their gain.", "name": "fig-sk-07-normsub"}, "image": {"alt": "Pairs of bars. CMS MGA, 1,282<!-- {raw[\"CMS, MGA\"]:,.0f} --> raw and 2,007<!-- {consistent[\"CMS, MGA\"]:,.0f} --> after norm-sub. CMS hidden, 1,282<!-- {raw[\"CMS, hidden\"]:,.0f} --> and 1,253<!-- {consistent[\"CMS, hidden\"]:,.0f} -->. HCMS MGA, 1,091<!-- {raw[\"HCMS, MGA\"]:,.0f} --> and 12<!-- {consistent[\"HCMS, MGA\"]:,.0f} -->. HCMS hidden, 1,091<!-- {raw[\"HCMS, hidden\"]:,.0f} --> and 1,072<!-- {consistent[\"HCMS, hidden\"]:,.0f} -->."}} tags=["figure"]
fig, ax = plots.panels(height=2.7, width=7.2)
heights = np.arange(len(raw))[::-1]
series = ((raw, 0.19, 0.4, "raw"), (consistent, -0.19, 1, "after norm-sub"))
for values, shift, alpha, label in series:
    bars = ax.barh(heights + shift, values.values(), height=0.36, alpha=alpha,
                   color=plots.COLOURS["blue"], label=label)  # fmt: skip
    ax.bar_label(bars, fmt="{:,.0f}", padding=3, fontsize=9)
ax.set_yticks(heights, raw)
ax.grid(axis="y", visible=False)
ax.set(xlabel="gain of the target (users)", xlim=(0, 2300))
ax.legend(loc="lower right")
plt.show()

# %% [markdown]
# MGA on HCMS adds the same number to *all* estimates, and norm-sub subtracts this number again. MGA on CMS lowers the other estimates. Norm-sub then adds a number to all estimates, the target's included, to restore the sum. So the attack gains 57%<!-- {consistent["CMS, MGA"] / raw["CMS, MGA"] - 1:.0%} --> more than before. Hidden fake users hardly change the other estimates and keep 98%<!-- {consistent["CMS, hidden"] / raw["CMS, hidden"]:.0%} --> of their gain on CMS and 98%<!-- {consistent["HCMS, hidden"] / raw["HCMS, hidden"]:.0%} --> on HCMS. If a server of CMS uses norm-sub, hiding therefore has a cost: hidden fake users gain 38%<!-- {1 - consistent["CMS, hidden"] / consistent["CMS, MGA"]:.0%} --> less than MGA does.
#
# ```{evidence} S-B5
# ```
#
# ## Limits
#
# - **First order.** {prf:ref}`thm-sk-07-hidden` and the first part of {prf:ref}`thm-sk-07-total` are exact. The bound on all tests holds to first order. In a small sketch, the companion computes exact powers: at $\varepsilon = 0.1$ the corrected total and the most powerful test nearly agree; at $\varepsilon = 1$ with only three items, another test is more powerful. The reports of the shop contain a little more information about the total than the bound allows for, because they are not distributed as $P_\emptyset$.
# - **One shop.** 43 items, $\varepsilon = 1$, one target (A18). With several targets, a hidden CMS report has too many signs $+1$, and few HCMS reports support all targets (notebook 3).
# - **Independent users.** If the *numbers* of fake and of honest users are fixed, the distributions agree in their means, but not quite in their variances.
# - **Other disguises.** Hidden fake users are not the least conspicuous ones: {ref}`an exercise <ex-sk-07-shy>` finds a fake user with the same gain that is harder to detect.
# - **Unknown items.** Users of items that are missing from the server's list are almost like idle users, and help the attacker.
#
# ## What others had
#
# The attacks are those of {cite:t}`cao2021poisoning`, who also look for frequent patterns of ones and try normalisation as a defence. {cite:t}`li2025mitigating` (read by its beginning; program opened) let fake reports imitate the whole distribution of the number of ones, and test it. {cite:t}`cheu2021manipulation` (abstract) show for every noninteractive local protocol that few fake users can obscure the distribution of the honest data.
#
# By {prf:ref}`thm-sk-07-hidden`, $P_t = \frac1G U_t + (1 - \frac1G) P_\emptyset$. This splits an honest report into an informative and an uninformative one, as the privacy blanket of {cite:t}`balle2019blanket` does (known to us from summaries). The notation with support probabilities is that of {cite:t}`wang2017locally`. Norm-sub is due to {cite:t}`wang2020consistency`, and {cite:t}`liao2025range` (read by its beginning) found that it can strengthen attacks on range queries. The bound on tests uses the efficient score of a model with nuisance parameters {cite:p}`vandervaart1998asymptotic`.
#
# We found the following nowhere and believe that they are new: this identity as a statement on fake users, the bound on tests and a test that attains its $z$, the treatment of drift, and the effect of norm-sub on these two sketches.
#
# **Next:** [*Would another mechanism have been safer?*](sketch-another-mechanism.ipynb) And an attack without any fake user: [*Can a maker poison a sketch by choosing a product's name?*](sketch-poisoning-without-a-fake.ipynb)
#
# ## Exercises
#
# ```{exercise-start} Clipping without the shift
# :label: ex-sk-07-clip
# ```
# **Warm-up.** A server sets negative estimates to zero and changes nothing else. Which share of its raw gain does an attack keep, if the target's honest estimate is positive?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-07-clip", ...)

# %% [markdown]
# ```{solution-start} ex-sk-07-clip
# :class: dropdown
# ```
# All of it. Without the shift $c$, nothing is taken from a positive estimate.

# %%
assert before[target_index] > 0  # the last of the simulated shops
clipped_gain = max(after[target_index], 0) - max(before[target_index], 0)
check("sk-07-clip", clipped_gain / (after[target_index] - before[target_index]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many users are enough?
# :label: ex-sk-07-enough
# ```
# **Standard.** Popularity is unknown, and 1% of the users are hidden fake users. From how many reports on does the corrected total, tested on both sides at level 1%, detect them with probability $\frac12$? Use $S = 126$ for CMS and $S = 151$ for HCMS.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-07-enough", ...)

# %% [markdown]
# ```{solution-start} ex-sk-07-enough
# :class: dropdown
# ```
# The expected $z = \theta \sqrt{N/S}$ must reach 2.576, the 99.5% quantile of the normal distribution. So $N = S\,(2.576/\theta)^2$ with $\theta = 0.01\,(G - 1)$: about 3.5<!-- {enough[0] / 1e6:.1f} --> million reports on CMS and 7.4<!-- {enough[1] / 1e6:.1f} --> million on HCMS.

# %%
z = stats.norm.isf(0.005)
enough = [S[scheme] * (z / (0.01 * (G[scheme] - 1))) ** 2 for scheme in (CMS, HCMS)]
assert [round(reports / 1e6, 1) for reports in enough] == [3.5, 7.4]
check("sk-07-enough", enough)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A fake user that shows less
# :label: ex-sk-07-shy
# ```
# **Research.** A hidden report on CMS supports other items, too, by chance. Let a fake user avoid this: it sends each hidden report with $1 - \kappa \bar L$ times its usual probability, where $\bar L$ is the mean of $K s_d$ over the other $D - 1$ items. Popularity is unknown. Which $\kappa$ makes the distance to the nearest honest population smallest, in terms of $D$ and $p$? Ignore collisions.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-07-shy", ...)

# %% [markdown]
# ```{solution-start} ex-sk-07-shy
# :class: dropdown
# ```
# The new distribution is $P_\emptyset (1 + G K s_t)(1 - \kappa \bar L)$. Its linear part has the sum $G - \kappa$ of shares instead of $G$. The product $\kappa\, G K s_t \bar L$ is orthogonal to all scores; with $G^2 K = \frac pq$, its mean square is $\kappa^2 \frac pq \frac K{D-1}$. So with $S = \frac DK$ the squared distance to the nearest honest population is $\frac KD (G - 1 - \kappa)^2 + \frac pq \frac K{D - 1} \kappa^2$, for each fake user. We set its derivative to zero. At $\varepsilon = 1$ and $D = 43$ the total then has 63%<!-- {left_of_z:.0%} --> of the expected $z$ that hidden fake users cause.

# %%
p, D, kappa = sp.symbols("p D kappa", positive=True)
g = p / (2 * p - 1)  # G on CMS
distance = (g - 1 - kappa) ** 2 / D + p / (1 - p) * kappa**2 / (D - 1)
(least,) = sp.solve(sp.diff(distance, kappa), kappa)
assert sp.diff(distance, kappa, 2).subs({p: CMS.keep, D: 43}) > 0  # a minimum
check("sk-07-shy", least)
left_of_z = float((1 - least / (g - 1)).subs({p: CMS.keep, D: 43}))

# %% [markdown]
# ```{solution-end}
# ```
