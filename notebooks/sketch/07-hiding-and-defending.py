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
# A shop counts with noisy reports which of its products people look at. One report in a hundred is forged
# to push one product. The paper measures how far that product rises. But the forged reports also move
# every *other* product, the server cleans its estimates before it publishes them, and it can look at the
# reports themselves. With all three taken into account the ranking of the attacks turns over: one of the
# two printed attacks is undone by the simplest cleaning step, and both can be changed, at no loss, so that
# hardly anything is left to see. None of this is in the paper, and nothing of it is an error there: it starts where the
# paper stops.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what a forged report does to the items it does not aim at, why an attack can have the
# same gain and no trace, what a server can test, why a billion users help where fifty thousand do not,
# whether another mechanism would have been the better choice, and what many reports tell about one user.
# **You need** the gains of [notebook 3](03-poisoning.ipynb) and the estimators of notebooks 1 and 2.
# **Time:** 35 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Two adversaries, one after the other.** First a *poisoner*, as in notebook 3: controls $n'$ of the
# $n + n'$ clients, knows the hash functions and sends any report that has the right format; wants the
# estimate of a target item up, unnoticed. The *server* is honest here and knows only the reports. In the last
# section the roles change: the server is curious and collects many reports of one honest user. **Protected:**
# each single report, up to $e^{\varepsilon}$. **Not protected:** the estimates, if noise is not enforced;
# a user's habits, if they report often.
# ```

# %%
from fractions import Fraction
from itertools import product
from math import log, sqrt

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue
from scipy import stats
from scipy.optimize import brentq

from privlib.kit import claim, plots
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch, poisoning
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.hashing import ExplicitFamily

plots.use()

# %% [markdown]
# ## What does a fake do to everybody else?
#
# ```{prf:definition} The paper's two maximal gain attacks (section 4.1.3; MGA)
# :label: def-sk-07-mga
# A fake client picks any row $j$. On CMS it sends $+1$ at the cell $h_j(t)$ of the target item
# (ターゲットアイテム) $t$ and $-1$ at the other $m - 1$ cells. On HCMS it sends the sign $+1$ for the first
# Hadamard coordinate, $\ell = 0$. Both maximise the *frequency gain*, the sum over the targets of the expected
# change of their estimates.
# ```
#
# The frequency gain looks at the targets only. The estimator is linear, so what one report in row $j$ adds
# to the estimate of *any* item $d$ can be read off (as before $F = m/(m-1)$, and the last term is there
# because the server counts one report more):
#
# $$ \text{CMS: } F\Bigl( \tfrac{c_\varepsilon v_{h_j(d)} + 1}{2} - \tfrac1m \Bigr), \qquad
#    \text{HCMS: } F\Bigl( c_\varepsilon\, w\, H[\ell, h_j(d)] - \tfrac1m \Bigr). $$
#
# Let another item share the target's cell on a share $A$ of the rows; over random hash functions $A$ has the
# mean $1/m$. Besides the printed attacks we look at variants that also give the target all that can be had:
# *padded*, where the other cells get the noise that an honest client would put there; *random $\ell$*, where
# $\ell > 0$ is drawn at random and the sign is $w = H[\ell, h_j(t)]$; and later *best pairs*, those
# $(j, \ell)$ whose sign hurts the other items most.

# %%
m, a, share = sp.symbols("m a A", positive=True)  # a = exp(ε/2); A: see above
F = m / (m - 1)
c_cms, c_hcms = (a + 1) / (a - 1), (a**2 + 1) / (a**2 - 1)


def cms(bit):
    """What a CMS report adds to an item whose cell has this (mean) bit."""
    return F * ((c_cms * bit + 1) / 2 - 1 / m)


def hcms(sign):
    """What an HCMS report adds to an item with this (mean) agreement of signs."""
    return F * (c_hcms * sign - 1 / m)


noise = -1 / c_cms  # mean of an honest −1
# columns of H are orthogonal: 1 in a shared cell, else −1/(m − 1) in the mean
agree = share - (1 - share) / (m - 1)
expected = {
    "CMS printed": (cms(1), share * cms(1) + (1 - share) * cms(-1)),
    "CMS padded": (cms(1), share * cms(1) + (1 - share) * cms(noise)),
    "HCMS printed": (hcms(1), hcms(1)),
    "HCMS random ℓ": (hcms(1), hcms(agree)),
}
at_one = {a: sp.exp(sp.Rational(1, 2)), m: 128}
print("ε = 1, m = 128:   target   another   difference")
for name, pair in expected.items():
    up, other = (float(x.subs(share, 1 / m).subs(at_one)) for x in pair)
    formula = sp.factor(sp.simplify(pair[1] - pair[0]).subs(share, 1 / m))
    print(f"{name:14s} {up:9.4f} {other:9.4f}   {formula}")

# %% [markdown]
# Same gain for the target, four different effects on the rest. The printed CMS attack pushes all others
# *down*, the printed HCMS attack lifts them *all as much as the target*, and the two variants hardly touch
# them.
#
# To be sure that these are the best attacks, look at every report that a fake can send at all, in a world of
# three items, two rows and four columns, with $a = 3$ so that every probability is a fraction.

# %% tags=["hide-input"]
cells, rows, columns = {"t": (0, 1), "u": (2, 1), "w": (3, 3)}, range(2), range(4)
H4 = hadamard_matrix(4).astype(int).tolist()
keep = {"CMS": Fraction(3, 4), "HCMS": Fraction(9, 10)}  # a = 3
world = {a: 3, m: 4}
constant = {"CMS": Fraction(2), "HCMS": Fraction(5, 4)}  # c of both schemes at a = 3


def law(scheme, item):
    """Probability of every honest report; item None: nothing to report."""
    p, found = keep[scheme], {}
    for j in rows:
        if scheme == "CMS":
            own = None if item is None else cells[item][j]
            for v in product((1, -1), repeat=4):
                kept = sum((bit == 1) == (i == own) for i, bit in enumerate(v))
                found[j, v] = Fraction(1, 2) * p**kept * (1 - p) ** (4 - kept)
        else:
            for i, s in product(columns, (1, -1)):
                half = Fraction(1, 2) if item is None else None
                right = half or (p if s == H4[i][cells[item][j]] else 1 - p)
                found[j, i, s] = right / 8
    return found


def moves(scheme, report):
    """What this report adds to the estimates of t, u and w."""
    c = constant[scheme]
    if scheme == "CMS":
        j, v = report
        entry = [(c * v[h[j]] + 1) / 2 for h in cells.values()]
    else:
        j, i, s = report
        entry = [c * s * H4[i][h[j]] for h in cells.values()]
    return tuple(Fraction(4, 3) * (x - Fraction(1, 4)) for x in entry)


# %%
for scheme, closed in (("CMS", cms(1)), ("HCMS", hcms(1))):
    effect = {report: moves(scheme, report) for report in law(scheme, "t")}
    best = max(move[0] for move in effect.values())
    winners = {move for move in effect.values() if move[0] == best}
    count = sum(move[0] == best for move in effect.values())
    assert best == Fraction(str(closed.subs(world)))
    print(f"{scheme:4s} {count} of {len(effect)} reports give t the most, {best};")
    pairs = sorted({move[1:] for move in winners})
    print("     they move (u, w) by", ", ".join(f"({u}, {v})" for u, v in pairs))

# %% [markdown]
# Half of all reports are maximal. They differ in what they do to the others, and the paper's two choices are
# the extreme ones. Now at the paper's scale: 43 items, 49,742 honest clicks, one fake in a hundred.

# %%
counts = shop_counts()
items, target = list(counts), "A18"
true = np.array(list(counts.values()))
n, n_fake = true.sum(), poisoning.fakes(int(true.sum()), 0.01)
epsilon = 1.0
CMS = CountMeanSketch(epsilon, hashes=1024, width=128, seed=2024)
HCMS = HadamardCountMeanSketch(epsilon, hashes=1024, width=128, seed=2024)
at = items.index(target)
rest = np.arange(len(items)) != at
rng = np.random.default_rng(43)
print(f"n = {n} honest, n' = {n_fake} fake, target {target}: {counts[target]} clicks")


def forge(scheme, how, size=n_fake):
    """Reports of `size` fakes."""
    if how == "best pairs":
        others = [item for item in items if item != target]
        return poisoning.best_pairs(scheme, [target], others=others, n_fake=size)
    return poisoning.fake_reports(
        scheme, "mga", targets=[target], n_fake=size, rng=rng, hidden=how == "hidden"
    )


attacks = {
    "CMS printed": (CMS, "printed"),
    "CMS padded": (CMS, "hidden"),
    "HCMS printed": (HCMS, "printed"),
    "HCMS random ℓ": (HCMS, "hidden"),
    "HCMS best pairs": (HCMS, "best pairs"),
}
effects = {
    name: scheme.aggregate(forge(scheme, how)).estimate(items)
    for name, (scheme, how) in attacks.items()
}


# %% [markdown]
# ## What does the server publish?
#
# Raw estimates can be negative and need not add up, so a server cleans them. The standard step
# {cite:p}`wang2020consistency` is *norm-sub*.
#
# ```{prf:definition} Norm-sub
# :label: def-sk-07-normsub
# Given estimates $e_1, \dots, e_{\lvert D \rvert}$ and the number $N$ of reports, publish
# $\max(e_d - \delta, 0)$ with the one $\delta$ for which these add up to $N$.
# ```
#
# There is only one such $\delta$, because the sum falls strictly in $\delta$ as long as it is positive. So
# if all estimates rise by the same $s$, $\delta$ rises by $s$ and *nothing changes*:
#
# $$ \textstyle\sum_d \max(e_d + s - \delta, 0) = N \iff \delta - s \text{ solves the equation without } s. $$
#
# That settles the printed HCMS attack before any experiment. It adds the same to every item, so norm-sub
# removes it. The only thing left is that the total to be shared out is $N = n + n'$ instead of $n$.

# %%
def published(estimates, total):
    return poisoning.norm_sub(estimates, total)


honest = {
    scheme: np.array(
        [scheme.simulate(counts, rng).estimate(items) for _ in range(100)]
    )
    for scheme in (CMS, HCMS)
}
gain = {}
print("                             target   others      sum   after norm-sub")
for name, (scheme, _) in attacks.items():
    before = published(honest[scheme], n)
    after = published(honest[scheme] + effects[name], n + n_fake)
    lift = (after - before)[:, at]
    e = effects[name]
    gain[name] = (e[at], e[rest].mean(), lift.mean(), lift.std() / sqrt(len(lift)))
    print(
        f"{name:27s} {e[at]:7.1f}  {e[rest].mean():7.1f} {e.sum():9.0f}"
        f"   {lift.mean():6.0f} ± {gain[name][3]:.1f}"
    )

# %% [markdown]
# The gains of the target are those that the paper prints for these settings, 12.82 and 10.91 hundred. The other
# three columns are not in the paper.

# %%
printed = {"CMS printed": 12.82, "HCMS printed": 10.91}  # hundreds, Tables 4 to 6
for name, value in printed.items():
    ours = round(gain[name][0] / 100, 2)
    print(
        f"{name:14s} in the paper {value}, ours {ours}, difference {ours - value:.2f}"
    )
    assert ours == value
assert n_fake == 502  # as in the caption below

# %% mystnb={"figure": {"caption": "Five attacks by 502 fakes on the same target. All five are maximal for their scheme (left). They differ in what they do to the other 42 items (middle), and that decides what is left after norm-sub (right).", "name": "fig-sk-07-side"}, "image": {"alt": "Three panels of horizontal bars for five attacks. Left, gain of the target: 1282 for both CMS attacks, 1091 for the three on HCMS. Middle, mean change of the others: strongly negative for CMS printed, strongly positive for HCMS printed, negative for best pairs, near zero for the two hidden ones. Right, gain after norm-sub: largest for CMS printed, near zero for HCMS printed."}} tags=["hide-input"]
fig, axes = plots.panels(1, 3, width=9.2, height=2.9, sharey=True)
place = np.arange(len(gain))[::-1]
colours = [
    plots.COLOURS["blue" if s is CMS else "orange"] for s, _ in attacks.values()
]
hatch = ["" if how == "printed" else "///" for _, how in attacks.values()]
titles = ("gain of the target", "mean change of the others", "gain after norm-sub")
for column, (ax, title) in enumerate(zip(axes, titles)):
    values = [row[column] for row in gain.values()]
    ax.barh(place, values, color=colours, hatch=hatch, edgecolor="white", height=0.7)
    ax.axvline(0, color="#333333", lw=0.8, ls="-")
    for y, value in zip(place, values):
        side = "left" if value >= 0 else "right"
        ax.annotate(
            f"{value:.0f}".replace("-", "−"),
            (value, y),
            (3 if value >= 0 else -3, 0),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=9,
        )
    ax.set(title=title, xlabel="clicks")
    ax.margins(x=0.35)
axes[0].set_yticks(place, list(gain))
axes[0].grid(axis="y", visible=False)
plt.show()


# %%
def level(estimates, total):
    """The δ of norm-sub by root finding: a second route."""
    low, high = estimates.min() - total, estimates.max()
    return brentq(lambda x: np.clip(estimates - x, 0, None).sum() - total, low, high)


e, s = sp.symbols("e1:5"), sp.Symbol("s")
delta = sp.symbols("delta")
equation = sum(sp.Max(x - delta, 0) for x in e)
lifted = sum(sp.Max(x + s - delta, 0) for x in e).subs(delta, delta + s)

with claim("S-B5") as c:
    c.exact(lifted, equation, "all estimates up by s, level up by s: same equation")
    run = honest[HCMS][0]
    by_root = np.clip(run - level(run, n), 0, None)
    c.close(by_root, published(run, n), "norm-sub by root finding", rtol=0, atol=1e-5)
    flat = effects["HCMS printed"]
    label = "printed HCMS: every item gains the same"
    c.close(flat, np.full(43, flat[0]), label, rtol=1e-9)
    undone = published(honest[HCMS] + flat, n + n_fake)
    plain = published(honest[HCMS], n + n_fake)
    c.close(undone, plain, "norm-sub leaves n' shared out", rtol=0, atol=1e-5)
    raw, _, left, error = gain["HCMS printed"]
    c.at_most(left, 0.02 * raw, f"of {raw:.0f} clicks {left:.0f} are left")
    support = (published(honest[HCMS], n) > 0).sum(axis=1)
    c.at_most(n_fake / 43, left, "at least n' / 43: they are shared out")
    c.at_most(
        left, n_fake / support.min(), f"at most n' / {support.min()} items left"
    )
    raw, _, left, error = gain["CMS printed"]
    c.at_most(
        1.5 * raw, left - 4 * error, f"printed CMS: {raw:.0f} becomes {left:.0f}"
    )

after = {name: round(float(row[2]), 3) for name, row in gain.items()}
glue("sk-07-cms-after", after["CMS printed"], display=False)
glue("sk-07-hcms-after", after["HCMS printed"], display=False)
ratio = after["CMS printed"] / gain["CMS printed"][0]
glue("sk-07-stronger", round(float(100 * (ratio - 1)), 4), display=False)

# %% [markdown]
# After norm-sub the printed HCMS attack keeps {glue:text}`sk-07-hcms-after:.0f` clicks, and the printed CMS
# attack *gains* {glue:text}`sk-07-stronger:.0f` %, to {glue:text}`sk-07-cms-after:.0f`: whatever the other
# items lost is handed back to all, the target included. Whoever publishes cleaned estimates needs another measure
# than the frequency gain.
#
# ## Hiding costs nothing
#
# Why do the padded fakes and those with random $\ell$ move the others so little? Because they are *honest
# reports of the target, those that the noise happened to spare*. That also tells how much they count.
#
# ```{prf:theorem} What a hidden fake is worth
# :label: thm-sk-07-hidden
# Let $P_t$ be the law of an honest report of item $t$, $P_\varnothing$ that of a client with nothing to
# report (CMS: $-1$ in all cells before the noise; HCMS: a fair sign), and $U_t$ the law of $P_t$ given that
# the target's cell (sign) was not flipped. Then
#
# $$ U_t = G\, P_t - (G - 1)\, P_\varnothing, \qquad
#    G = \tfrac{c_\varepsilon + 1}{2} \text{ (CMS)}, \quad G = c_\varepsilon \text{ (HCMS)}. $$
# ```
#
# In one coordinate $\Pr(+1)$ is $p$ under $P_t$, $q$ (CMS) or $\frac12$ (HCMS) under $P_\varnothing$ and 1
# under $U_t$, which gives $G$; all other coordinates have the same law under all three, so they factor out.

# %%
G = sp.Symbol("G")
p_cms, p_hcms = a / (a + 1), a**2 / (a**2 + 1)
worth = {
    "CMS": sp.solve(sp.Eq(1, G * p_cms - (G - 1) * (1 - p_cms)), G)[0],
    "HCMS": sp.solve(sp.Eq(1, G * p_hcms - (G - 1) / 2), G)[0],
}
for scheme, value in worth.items():
    print(
        f"{scheme:4s} G = {float(value.subs(at_one)):.4f} at ε = 1:", sp.factor(value)
    )


# %% [markdown]
# So $n'$ hidden fakes change the law of the reports exactly as $G n'$ more honest clients with the target
# and $(G - 1) n'$ fewer with nothing to report. If clients may report nothing, and enough of them do, the
# poisoned reports have the law of an honest population, and *no test of any kind* can tell the two apart.
# (Items that are not on the server's list serve almost as well, as their cells are random. Our forged HCMS reports also
# leave out $\ell = 0$, one column in 128.) If everybody reports an item of the list, one trace is left: the
# estimates add up to more than the number of reports.

# %%
def target_bit(scheme, report):
    """The bit (sign) by which a report speaks for or against t."""
    cell = cells["t"][report[0]]
    return report[1][cell] if scheme == "CMS" else report[2] * H4[report[1]][cell]


def spared(scheme):
    """U_t by conditioning: the honest reports of t whose target bit is right."""
    right = {
        r: pr * (target_bit(scheme, r) == 1) for r, pr in law(scheme, "t").items()
    }
    total = sum(right.values())
    return {r: pr / total for r, pr in right.items()}


with claim("S-B6") as c:
    c.exact(worth["CMS"], (c_cms + 1) / 2, "CMS: G = (c + 1)/2")
    c.exact(worth["HCMS"], c_hcms, "HCMS: G = c")
    for scheme, top in (("CMS", cms(1)), ("HCMS", hcms(1))):
        value = Fraction(str(worth[scheme].subs(world)))
        hidden, own, none = spared(scheme), law(scheme, "t"), law(scheme, None)
        mixed = {r: value * own[r] - (value - 1) * none[r] for r in own}
        label = (
            f"{scheme}, G = {value}: U = G P − (G − 1) P∅ for all {len(own)} reports"
        )
        c.exact(hidden, mixed, label)
        mean = sum(pr * moves(scheme, r)[0] for r, pr in hidden.items())
        label = f"{scheme}: each hidden fake is worth {mean}, the maximum"
        c.exact(mean, Fraction(str(top.subs(world))), label)
    at_random = Fraction(sum(H4[i][0] * H4[i][3] for i in (1, 2, 3)), 3)
    by_formula = Fraction(str(agree.subs({share: 0, m: 4})))
    c.exact(
        at_random, by_formula, "random ℓ > 0, no collision: signs agree −1/(m − 1)"
    )
    for family in ("CMS", "HCMS"):
        pair = [gain[name][0] for name in gain if name.startswith(family)]
        c.close(
            pair, pair[0], f"{family}, 43 items: printed and hidden alike", rtol=1e-9
        )
    closed = [float(top.subs(at_one)) for top in (cms(1), hcms(1))]
    raw = [effects["CMS padded"][at], effects["HCMS random ℓ"][at]]
    c.close(raw, np.array(closed) * n_fake, "and equal to the closed form", rtol=1e-9)

# %% [markdown]
# ## What can the server test?
#
# Three statistics need nothing but the reports, the third also last month's counts.
#
# - The **weight** of a CMS report, its number of $+1$. Honest: one coin of $p$ and $m - 1$ of $q$, whatever
#   the item. A printed fake has exactly one $+1$.
# - The **load** of an HCMS column. Honest: binomial with $n + n'$ trials of $1/m$. The printed fakes all go to
#   $\ell = 0$.
# - The **total** of all estimates. Honest: about the number of reports, apart from collisions. Its variance
#   needs the covariances, since items in one cell share their noise; `poisoning.total_moments` has it
#   exactly for the given hash functions.

# %%
clicks = np.repeat(items, true)
rng = np.random.default_rng(49742)
genuine = {scheme: scheme.privatize(clicks, rng) for scheme in (CMS, HCMS)}
scores = {}
print("z-scores                     lowest     mean    highest     total of")
print("                             weight   weight    column     estimates")
trials = {"nobody (CMS)": (CMS, None), "nobody (HCMS)": (HCMS, None)} | attacks
for name, (scheme, how) in trials.items():
    reports = genuine[scheme]
    if how is not None:
        reports = np.concatenate([reports, forge(scheme, how)])
    total = poisoning.total_score(scheme.aggregate(reports), counts)
    if scheme is CMS:
        z = poisoning.weight_scores(scheme, reports)
        scores[name] = (z.min(), z.mean() * sqrt(z.size), np.nan, total)
    else:
        load = poisoning.column_scores(scheme, reports)
        scores[name] = (np.nan, np.nan, load.max(), total)
    shown = (f"{x:8.1f}" if np.isfinite(x) else "       –" for x in scores[name])
    print(f"{name:27s}" + "  ".join(shown))

# %% [markdown]
# The two printed attacks stand out in every column that applies to them. The first statistic even finds the single
# fake: among 50,000 honest reports the lowest weight lies about four standard deviations below the mean, a
# printed fake nearly nine. The padded fakes and those with random $\ell$ pass. The best pairs pay for their extra harm
# with a low total.
#
# How many fakes does a test at level 1 % need?

# %%
where = CMS.family.positions(items)  # (43, k); both sketches share the hash functions
collisions = (where[rest] == where[at]).mean(axis=1)  # A of the target and each other
p, q, width = CMS.keep, CMS.flip, CMS.width
honest_total = {
    scheme: poisoning.total_moments(scheme, counts) for scheme in (CMS, HCMS)
}


def total_per_fake(name):
    """Expected total that one fake adds, for these hash functions."""
    other = sp.lambdify(share, expected[name][1].subs(at_one))
    return float(expected[name][0].subs(at_one)) + sum(other(x) for x in collisions)


def z_total(name, size):
    """Expected z of the total with this many fakes."""
    law_ = honest_total[attacks[name][0]]
    return (
        size
        * (total_per_fake(name) - law_.mean / n)
        / (law_.sd * np.sqrt(1 + size / n))
    )


def z_column(size):
    """Expected z of column 0, if all fakes go there."""
    return size * sqrt(1 - 1 / width) / np.sqrt((n + size) / width)


def z_weight(size):
    """Expected z of the mean weight with padded fakes."""
    return size * q / np.sqrt((n + size) * width * p * q)


betas = np.geomspace(1e-5, 0.3, 60)
sizes = n * betas / (1 - betas)
shifts = {f"{name}, total": z_total(name, sizes) for name in expected}
shifts["HCMS printed, column"] = z_column(sizes)
shifts["CMS padded, mean weight"] = z_weight(sizes)
powers = {}
for label, z in shifts.items():
    tests = width if "column" in label else 1
    powers[label] = np.array([poisoning.power(float(x), tests=tests) for x in z])
    print(f"{label:26s} power 1/2 at β = {betas[powers[label] >= 0.5][0]:8.3%}")

# %% mystnb={"figure": {"caption": "Power of the tests at level 1 % against the share \u03b2 of fakes among 50,000 reports. One printed CMS fake is enough (weight of a single report). The hidden attacks are seen only when several per cent of all clients are fake.", "name": "fig-sk-07-power"}, "image": {"alt": "Seven power curves against the share of fakes on a logarithmic axis from 0.00001 to 0.3. The weight test on printed CMS reports is at 1 from a single fake on; column and total tests on printed attacks rise around a share of 0.001; the tests against hidden attacks rise beyond a share of 0.02."}} tags=["hide-input"]
half = {label: betas[line >= 0.5][0] for label, line in powers.items()}
for label, beta in half.items():
    assert 0.001 < beta < 0.005 if "printed" in label else beta > 0.05
fig, ax = plots.panels(height=3.8, width=8.0)
one = 1 / (n + 1)
ax.step([betas[0], one, one, 0.3], [0.01, 0.01, 1, 1], color=plots.COLOURS["black"],
        ls="-", label="CMS printed, weight of a report")  # fmt: skip
looks = {
    "HCMS printed, column": ("orange", "-"),
    "HCMS printed, total": ("orange", "--"),
    "CMS printed, total": ("blue", "--"),
    "HCMS random ℓ, total": ("gold", ":"),
    "CMS padded, total": ("sky", ":"),
    "CMS padded, mean weight": ("sky", "-."),
}
for label, (colour, style) in looks.items():
    ax.plot(betas, powers[label], color=plots.COLOURS[colour], ls=style, label=label)
ax.axvline(0.01, color=plots.COLOURS["grey"], lw=1, ls="-")
ax.text(
    0.0096,
    0.6,
    "the paper's β",
    fontsize=8.5,
    color="#555555",
    ha="right",
    rotation=90,
)
ax.set(xscale="log", xlabel="share β of fakes", ylabel="power at level 1 %")
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8.5)
plt.show()


# %% tags=["hide-input"]
def small_total(name, item):
    """Exact mean and variance of the sum of estimates, one honest report."""
    chances = law(name, item)
    values = {report: sum(moves(name, report)) for report in chances}
    mean = sum(pr * values[r] for r, pr in chances.items())
    return mean, sum(pr * values[r] ** 2 for r, pr in chances.items()) - mean**2


family = ExplicitFamily(cells, 4)
small = {
    "CMS": CountMeanSketch.with_family(2 * log(3), family),
    "HCMS": HadamardCountMeanSketch.with_family(2 * log(3), family),
}
few = {"t": 60_000, "u": 30_000, "w": 10_000}

with claim("S-B7") as c:
    for item in cells:
        pluses = {r: r[1].count(1) for r in law("CMS", item)}
        mean = sum(pr * pluses[r] for r, pr in law("CMS", item).items())
        second = sum(pr * pluses[r] ** 2 for r, pr in law("CMS", item).items())
        keep_p = keep["CMS"]
        expected_law = (keep_p + 3 * (1 - keep_p), 4 * keep_p * (1 - keep_p))
        label = f"weight, small world, item {item}: mean p + (m−1)q, variance mpq"
        c.exact((mean, second - mean**2), expected_law, label)
        load = [
            sum(pr for r, pr in law("HCMS", item).items() if r[1] == i)
            for i in columns
        ]
        c.exact(load, [Fraction(1, 4)] * 4, f"load, item {item}: 1/m for each column")
    for name, scheme in small.items():
        by_list = sum(
            np.array([float(x) for x in small_total(name, d)]) * f
            for d, f in few.items()
        )
        got = poisoning.total_moments(scheme, few)
        label = f"{name}: moments of the total, from the list of all reports"
        c.close([got.mean, got.variance], by_list, label, rtol=1e-9)
    for scheme, law_ in honest_total.items():
        sums = honest[scheme].sum(axis=1)
        error = law_.variance * sqrt(2 / (len(sums) - 1))
        label = (
            f"{scheme.name}, 43 items: variance of the total, {len(sums)} sketches"
        )
        c.sampled(sums.var(ddof=1), law_.variance, label, stderr=error)
        error = law_.sd / sqrt(len(sums))
        c.sampled(sums.mean(), law_.mean, f"{scheme.name}: its mean", stderr=error)
    for name in ("CMS printed", "CMS padded", "HCMS random ℓ"):
        scheme, how = attacks[name]
        batches = [scheme.aggregate(forge(scheme, how, 2000)) for _ in range(20)]
        each = np.array([batch.estimate(items).sum() / 2000 for batch in batches])
        error = each.std(ddof=1) / sqrt(len(each))
        c.sampled(
            each.mean(), total_per_fake(name), f"{name}: total per fake", stderr=error
        )
    flat = effects["HCMS printed"].sum() / n_fake
    c.close(
        flat,
        total_per_fake("HCMS printed"),
        "HCMS printed: total per fake",
        rtol=1e-9,
    )
    lowest = (1 - (p + (width - 1) * q)) / sqrt(width * p * q)
    c.close(
        scores["CMS printed"][0],
        lowest,
        "weight of a fake",
        rtol=1e-9,
    )
    # honest weight at most 1: no other plus, or one and the own bit lost
    chance = stats.binom.pmf([0, 1], width - 1, q) @ [1, q]
    c.at_most(chance * (n + n_fake), 1e-19, "false alarms at that weight, expected")
    seen = poisoning.column_scores(
        HCMS, np.concatenate([genuine[HCMS], forge(HCMS, "printed")])
    )
    predicted = float(z_column(n_fake))
    c.sampled(
        seen[0], predicted, f"load of column 0: z = {predicted:.1f}", stderr=1.0
    )
    z_of_load = stats.norm.isf(0.01 / width / 2)
    c.at_most(
        scores["HCMS random ℓ"][2],
        z_of_load,
        "random ℓ: below the 1 % limit of the load",
    )
    for statistic, label in ((0, "lowest weight"), (1, "mean weight")):
        nobody, padded = (
            scores["nobody (CMS)"][statistic],
            scores["CMS padded"][statistic],
        )
        c.at_most(
            abs(padded - nobody), 1.0, f"padded: {label} moves by less than one sd"
        )
    few_fakes = poisoning.fakes(int(n), "0.0015")
    moved = HCMS.aggregate(forge(HCMS, "printed", few_fakes)).estimate(items).sum()
    law_, grown = honest_total[HCMS], 1 + few_fakes / n
    z = (honest[HCMS].sum(axis=1) + moved - law_.mean * grown) / (
        law_.sd * sqrt(grown)
    )
    alarm = (np.abs(z) > stats.norm.isf(0.005)).mean()
    predicted = poisoning.power(float(z_total("HCMS printed", few_fakes)))
    error = sqrt(predicted * (1 - predicted) / len(z))
    c.sampled(alarm, predicted, f"power at β = 0.15 %: {predicted:.2f}", stderr=error)

alone = sqrt(HCMS.moments(counts).variance.sum())
missing = 100 * (1 - alone / honest_total[HCMS].sd)
glue("sk-07-covariances", round(float(missing), 3), display=False)
glue("sk-07-total-sd", round(float(honest_total[HCMS].sd), 2), display=False)
glue("sk-07-weight-z", round(lowest, 4), display=False)
glue("sk-07-column-z", round(float(z_column(n_fake)), 4), display=False)
glue(
    "sk-07-hidden-z", round(float(z_total("HCMS random ℓ", n_fake)), 4), display=False
)


# %% [markdown]
# Adding up 43 variances without the covariances would make the standard deviation of the total
# {glue:text}`sk-07-covariances:.0f` % too small and the test raise false alarms. Two numbers to remember: a printed CMS fake lies {glue:text}`sk-07-weight-z:.1f` standard deviations from the
# mean weight, and 502 printed HCMS fakes lift their column by {glue:text}`sk-07-column-z:.1f`. The hidden
# ones on HCMS move the total by {glue:text}`sk-07-hidden-z:.1f` of its standard deviation of
# {glue:text}`sk-07-total-sd:.0f`.
#
# ## Do more users help?
#
# Fifty thousand clicks are few. What happens at a million, or a billion? Nobody wants to draw a billion
# reports for that, and nobody has to. Given how many users of each item draw a row, the number of $+1$ in a
# cell is a sum of independent coins, so the whole sketch can be drawn from multinomial and binomial
# distributions: exactly the law of the sketch, at a cost that does not depend on $n$.

# %%
class Counting(np.random.Generator):
    """A generator that counts the multinomial and binomial numbers it hands out."""

    drawn = 0

    def multinomial(self, *args, **options):
        answer = super().multinomial(*args, **options)
        self.drawn += answer.size
        return answer

    def binomial(self, *args, **options):
        answer = super().binomial(*args, **options)
        self.drawn += answer.size
        return answer


def numbers_drawn(scheme, counts):
    counter = Counting(np.random.PCG64(1))
    scheme.simulate(counts, counter)
    return counter.drawn


print("users      numbers drawn:  CMS      HCMS")
for power_of_ten in (7, 9):
    scaled = {d: f * 10**power_of_ten // n for d, f in counts.items()}
    drawn = [numbers_drawn(scheme, scaled) for scheme in (CMS, HCMS)]
    print(f"10^{power_of_ten:<2d} {drawn[0]:24,d} {drawn[1]:10,d}")


# %% [markdown]
# (With few users HCMS draws the reports themselves, which is also exact and then cheaper.)
#
# Is it the exact law? Take the small world again, write down the mean and the covariances of all eight cells by
# listing every report, and compare with 4,000 simulated sketches of 100,000 users.

# %% tags=["hide-input"]
def as_cells(scheme, report):
    """What a report adds to the eight cells."""
    table = np.zeros((2, 4))
    if scheme == "CMS":
        table[report[0]] = report[1]
    else:
        table[report[:2]] = report[2]
    return table.ravel()


def exact_moments(scheme):
    """Mean and covariances of all cells, from the list of all reports."""
    added = np.array([as_cells(scheme, report) for report in law(scheme, "t")])
    mean, covariance = np.zeros(8), np.zeros((8, 8))
    for item, number in few.items():
        chance = np.array([float(pr) for pr in law(scheme, item).values()])
        center = chance @ added
        mean += number * center
        covariance += number * ((added.T * chance) @ added - np.outer(center, center))
    return mean, covariance


# %%
runs = 4000
with claim("S-B4") as c:
    for name, scheme in small.items():
        drawn = [
            numbers_drawn(scheme, dict.fromkeys(cells, 10**x)) for x in (4, 6, 9, 12)
        ]
        label = (
            f"{name}, small world: {drawn[0]} numbers drawn for 10^4 to 10^12 users"
        )
        c.exact(drawn, [drawn[0]] * 4, label)
    for name, scheme in small.items():
        seen = np.array(
            [scheme.simulate(few, rng).signed.ravel() for _ in range(runs)]
        )
        mean, covariance = exact_moments(name)
        sd = np.sqrt(np.diag(covariance))
        label = f"{name}: mean of every cell, {runs} sketches"
        c.sampled(seen.mean(axis=0), mean, label, stderr=sd / sqrt(runs))
        spread = sqrt(1 / runs) * np.sqrt(np.outer(sd**2, sd**2) + covariance**2)
        label = f"{name}: all 36 variances and covariances"
        c.sampled(np.cov(seen.T), covariance, label, stderr=spread, threshold=4.5)
    for scheme in (CMS, HCMS):
        law_ = scheme.moments(counts)
        ratio = ((honest[scheme] - law_.mean) ** 2 / law_.variance).mean()
        error = sqrt(2 / honest[scheme].size)
        label = f"{scheme.name}, 43 items: squared errors over exact variances, mean"
        c.sampled(ratio, 1, label, stderr=error)

# %% [markdown]
# Now keep one fake in a hundred, hidden, and let the number of users grow. By {prf:ref}`thm-sk-07-hidden`
# the total rises by about $(G - 1) n'$, which grows like $n$; its noise grows like $\sqrt n$.

# %%
own = HCMS.family.positions([target])[0]


def hidden_sketch(scheme, size):
    """Sketch of any number of hidden fakes, drawn like an honest one."""
    k, width = scheme.hashes, scheme.width
    users = rng.multinomial(size, np.full(k, 1 / k))
    if scheme is CMS:
        plus = rng.binomial(users[:, None], scheme.flip, size=(k, width))
        plus[np.arange(k), own] = users
        signed = 2 * plus - users[:, None]
    else:
        even = np.full(width, 1 / width)
        signed = rng.multinomial(users, even) * hadamard_matrix(width)[own]
    return Sketch(scheme, signed, users)


z_of_total = {"CMS": [], "HCMS": []}
print("honest users   CMS padded    HCMS random ℓ      (z of the total)")
for power_of_ten in range(4, 10):
    scaled = {d: f * 10**power_of_ten // n for d, f in counts.items()}
    size = sum(scaled.values()) // 99
    for scheme in (CMS, HCMS):
        sketch = scheme.simulate(scaled, rng) + hidden_sketch(scheme, size)
        z = poisoning.total_score(sketch, scaled)
        z_of_total[scheme.name].append(z)
    row = "        ".join(f"{z_of_total[name][-1]:8.1f}" for name in z_of_total)
    print(f"        10^{power_of_ten} {row}")
for z in z_of_total.values():
    growth = z[-1] / z[-3]  # 10^7 to 10^9 users
    assert abs(growth - 10) < 10 * 2 / z[-3]
    assert z[-2] > 5 > 3 > abs(z[0])

# %% [markdown]
# At fifty thousand users one hidden fake in a hundred cannot be told from chance; at a hundred million the total
# gives it away. Provided that the list of items is complete, and that the server has good counts to compare with: collisions
# grow like $n$ as well (an exercise shows how to do without those counts).
#
# ## A billion reports do not sit on one machine
#
# They need not. A sketch is a table of integer sums, so the sketches of two halves add up to the sketch of the
# whole, in any order. Nothing is rounded before the last line of an estimate, so *equal* means equal in
# every bit. Ten million reports in 20 parts, each made where it is aggregated, by two worker processes
# that hand back nothing but their sketches; and once more in a single process.

# %%
import logging

from dask import delayed
from dask.distributed import Client, LocalCluster

from privlib.sketch import distributed

part, popularity = 500_000, true / n
streams = np.random.SeedSequence(7).spawn(20)


def make_part(stream, scheme=HCMS, size=part, shares=popularity):
    """Reports of one part of the users, from a random stream of its own."""
    source = np.random.default_rng(stream)
    numbers = source.multinomial(size, shares)
    return scheme.privatize(np.repeat(items, numbers), source)


setup = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
setup["silence_logs"] = logging.ERROR  # a busy machine closes slowly, and says so
with LocalCluster(**setup, dashboard_address=":0") as cluster, Client(cluster):
    parts = [delayed(make_part)(stream) for stream in streams]
    by_workers = distributed.aggregate(HCMS, parts)
alone = HCMS.aggregate(make_part(stream) for stream in streams)

with claim("S-B18") as c:
    c.exact(by_workers.n, 20 * part, "reports that arrived")
    same = np.array_equal(by_workers.signed, alone.signed)
    same_rows = np.array_equal(by_workers.counts, alone.counts)
    c.holds(same and same_rows, "two worker processes = one process, every integer")
    some = np.concatenate([make_part(stream, size=20_000) for stream in streams[:3]])
    cut = [
        HCMS.aggregate(piece) for piece in np.array_split(rng.permutation(some), 7)
    ]
    whole = HCMS.aggregate(some)
    c.holds(
        sum(cut) == whole, "shuffled, cut in 7, added in any order: the same sketch"
    )
    row, column, sign = HCMS.unpack(some)
    by_hand = np.zeros((HCMS.hashes, HCMS.width), dtype=np.int64)
    np.add.at(by_hand, (row, column), sign)
    c.exact(
        whole.signed, by_hand, "and the sums are those of the signs, added up by hand"
    )
    sd = HCMS.moments(counts).sd * sqrt(20 * part / n)
    center = HCMS.moments(counts).mean * (20 * part / n)
    c.sampled(by_workers.estimate(items), center, "its 43 estimates", stderr=sd)

# %% [markdown]
# ## Would another mechanism have been safer?
#
# Detecting fakes afterwards is the second-best remedy. Was the choice of the mechanism to blame? The experiment has
# 43 items. For so few there are simpler mechanisms than a sketch. What would they have
# cost at the same $\varepsilon$, in noise and in exposure to fakes?
#
# Nearly all of them fit one frame. A report *supports* some items; it supports the reporter's own with
# probability $P$, any other with $Q < P$; the server counts supports and estimates
# $\sum (1_{\text{support}} - Q)/(P - Q)$. Our two sketches fit as well: averaged over random hash functions,
# a CMS report supports an item if the bit in its cell is $+1$, an HCMS report if its sign agrees.
#
# ```{prf:theorem} Noise is promotion times demotion
# :label: thm-sk-07-product
# For a rare item the variance per honest user, the largest rise $g^+$ and the largest fall $g^-$ that one
# fake can cause are
#
# $$ V = \frac{Q(1 - Q)}{(P - Q)^2}, \qquad g^+ = \frac{1 - Q}{P - Q}, \qquad g^- = \frac{Q}{P - Q},
#    \qquad\text{so}\qquad V = g^+ g^-. $$
# ```
#
# The first is the variance of a coin, the other two are the two values that a report can contribute. So a
# mechanism cannot resist promotion *and* demotion unless it is accurate, and of two equally accurate
# ones the safer against promotion is the weaker against demotion. The paper compares gains at promotion
# only; there HCMS wins.

# %%
D, g, w, E = sp.symbols("D g omega E", positive=True)  # E = exp(ε), a = sqrt(E)
others_in = (w * E * (w - 1) + (D - w) * w) / ((D - 1) * (w * E + D - w))
frame = {
    "GRR": (E / (E + D - 1), 1 / (E + D - 1)),
    "SUE": (a / (a + 1), 1 / (a + 1)),
    "OUE": (sp.Rational(1, 2), 1 / (E + 1)),
    "local hashing": (E / (E + g - 1), 1 / g),
    "subset selection": (w * E / (w * E + D - w), others_in),
    "CMS": (p_cms, p_cms / m + (1 - 1 / m) * (1 - p_cms)),
    "HCMS": (p_hcms, p_hcms / m + (1 - 1 / m) / 2),
}


def variance(P, Q):
    return Q * (1 - Q) / (P - Q) ** 2


def promotion(P, Q):
    return (1 - Q) / (P - Q)


def demotion(P, Q):
    return Q / (P - Q)


textbook = {
    "GRR": (D - 2 + E) / (E - 1) ** 2,
    "SUE": a / (a - 1) ** 2,
    "OUE": 4 * E / (E - 1) ** 2,
    "local hashing": (E - 1 + g) ** 2 / ((E - 1) ** 2 * (g - 1)),
    "CMS": F**2 * a / (a - 1) ** 2 + 1 / (m - 1),
    "HCMS": F**2 * c_hcms**2 - 1 / (m - 1) ** 2,
}
for name, formula in textbook.items():
    print(f"{name:14s} variance {formula}")


# %% [markdown]
# GRR answers with the item itself, more often than with any other; SUE and OUE send one bit an item;
# local hashing sends the hash value of the item under a hash function of one's own ($g = 2$: BLH, which is
# Hadamard response here; $g \approx e^{\varepsilon} + 1$: OLH {cite:p}`wang2017locally`); subset selection
# names $\omega$ of the $D$ items. The sketches lie below their
# finite-$k$ variance by terms of order $1/k$ only, see [notebook 2](02-hadamard.ipynb).
#
# One more, projective geometry response (PGR), supports the items whose vector is orthogonal to the
# report's, over a finite field with $s$ elements. What one needs of the geometry is how many vectors are
# orthogonal to one and to two others, and that can be counted.

# %% tags=["hide-input"]
def geometry(s, t):
    """Points of the space, and how many are orthogonal to one and to two."""
    points, one, two = ((s ** (t - j) - 1) // (s - 1) for j in range(3))
    return points, one, two


def counted(s, t):
    """The same for a prime s, by listing the points and their inner products."""
    every = np.array(list(product(range(s), repeat=t)))[1:]
    first = every[np.arange(len(every)), (every != 0).argmax(axis=1)]
    points = every[first == 1]  # one vector per line
    orthogonal = (points @ points.T % s == 0).astype(int)
    both = orthogonal @ orthogonal.T
    apart = set(both[~np.eye(len(points), dtype=bool)].tolist())
    return len(points), set(np.diag(both).tolist()), apart


for s, t in ((2, 4), (3, 3), (5, 3)):
    points, one, two = geometry(s, t)
    assert counted(s, t) == (points, {one}, {two})


def pgr(s, t, e):
    """P and Q of projective geometry response."""
    points, one, two = geometry(s, t)
    total = one * np.exp(e) + points - one
    return one * np.exp(e) / total, (two * np.exp(e) + one - two) / total


fields = (2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43)
sizes = [next((s, t) for t in range(2, 9) if geometry(s, t)[0] >= 43) for s in fields]

# %% [markdown]
# Now all of them, each at its best setting, at four levels.

# %%
as_code = {
    name: sp.lambdify((D, m, a, E, g, w), pair) for name, pair in frame.items()
}


def at_level(name, e, *, buckets=2, subset=1):
    """P and Q of a mechanism for 43 items and m = 128 at ε = e."""
    return as_code[name](43, 128, np.exp(e / 2), np.exp(e), buckets, subset)


def options(e):
    """Every mechanism at its best setting."""
    best_subset = min(
        (at_level("subset selection", e, subset=size) for size in range(1, 22)),
        key=lambda pair: variance(*pair),
    )
    best_hash = min(
        (at_level("local hashing", e, buckets=size) for size in range(2, 60)),
        key=lambda pair: variance(*pair),
    )
    return {
        "GRR": at_level("GRR", e),
        "SUE": at_level("SUE", e),
        "OUE": at_level("OUE", e),
        "OLH": best_hash,
        "BLH": at_level("local hashing", e, buckets=2),
        "subset sel.": best_subset,
        "PGR": min(
            (pgr(s, t, e) for s, t in sizes), key=lambda pair: variance(*pair)
        ),
        "CMS": at_level("CMS", e),
        "HCMS": at_level("HCMS", e),
    }


levels = (0.5, 1.0, 2.0, 4.0)
table = {e: options(e) for e in levels}
print("variance per user (43 items)       at ε = 1: largest rise, fall per fake")
print("             " + "".join(f"  ε={e:<4g}" for e in levels))
for name in table[1.0]:
    row = "".join(f"{variance(*table[e][name]):8.3f}" for e in levels)
    up, down = (f(*table[1.0][name]) for f in (promotion, demotion))
    print(f"{name:12s}{row}     {up:7.3f} {down:7.3f}")

# %% [markdown]
# An independent look at the closed forms: the public package `multi-freq-ldpy`
# {cite:p}`arcolezi2022multifreq` has clients for five of these mechanisms. We take its reports (for OLH its
# randomiser, on uniformly random hash functions) for all 49,742 clicks, five times, and compare the squared
# errors of the 43 estimates with what the formulas say.

# %% tags=["hide-input"]
import numba
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client


@numba.njit
def seed_compiled_code(seed):
    np.random.seed(seed)  # numba has a generator of its own  # noqa: NPY002


each_click = np.repeat(np.arange(43), true).tolist()
subset = round(43 / (np.e + 1))  # the package's ω
buckets = round(np.e) + 1


def supports(name):
    """How many reports of the package's clients support each item."""
    if name == "GRR":
        return np.bincount([GRR_Client(d, 43, 1.0) for d in each_click], minlength=43)
    if name in ("SUE", "OUE"):
        best = name == "OUE"
        return np.sum([UE_Client(d, 43, 1.0, best) for d in each_click], axis=0)
    if name == "OLH":
        hashed = rng.integers(buckets, size=(n, 43))
        own = hashed[np.arange(n), each_click].tolist()
        answers = np.array([GRR_Client(h, buckets, 1.0) for h in own])
        return (hashed == answers[:, None]).sum(axis=0)
    chosen = np.concatenate([SS_Client(d, 43, 1.0) for d in each_click])
    return np.bincount(chosen, minlength=43)


seed_compiled_code(43)
ours = {name: table[1.0][name] for name in ("GRR", "SUE", "OUE")}
ours["OLH"] = at_level("local hashing", 1.0, buckets=buckets)
ours["subset sel."] = at_level("subset selection", 1.0, subset=subset)
squared, runs = {}, 5
for name, (P, Q) in ours.items():
    exact = n * variance(P, Q) + true * (P * (1 - P) - Q * (1 - Q)) / (P - Q) ** 2
    errors = [(supports(name) - n * Q) / (P - Q) - true for _ in range(runs)]
    squared[name] = np.mean(np.square(errors) / exact)
    print(f"{name:12s} squared error / exact variance = {squared[name]:.2f}", end="")
    print(f" ± {sqrt(2 / 43 / runs):.2f}")

# %%
with claim("S-B16") as c:
    plain = {a: sp.sqrt(E)}
    for name, formula in textbook.items():
        by_frame = variance(*frame[name]).subs(plain)
        c.exact(by_frame, formula.subs(plain), f"{name}: variance in closed form")
    P, Q = sp.symbols("P Q")
    product_ = promotion(P, Q) * demotion(P, Q)
    c.exact(variance(P, Q), product_, "variance = largest rise × largest fall")
    enforced = P * promotion(P, Q) - (1 - P) * demotion(P, Q)
    c.exact(enforced, sp.Integer(1), "with enforced noise: 1 per fake")
    for scheme, top in ((CMS, cms(1)), (HCMS, hcms(1))):
        name = scheme.name
        c.exact(
            promotion(*frame[name]), top, f"{name}: largest rise = gain of the attack"
        )
        gains = [
            poisoning.frequency_gain(scheme, attack, n_fake=n_fake, targets=1)
            / n_fake
            for attack in ("mga", "demotion")
        ]
        up, down = (f(*table[1.0][name]) for f in (promotion, demotion))
        label = f"{name}, ε = 1: rise and fall as in notebook 3"
        c.close([up, -down], gains, label, rtol=1e-9)
    ratios = np.array(list(squared.values()))
    label = f"five mechanisms of another package, {runs * 43} squared errors each"
    c.sampled(ratios, np.ones(5), label, stderr=sqrt(2 / (runs * 43)))

# %% mystnb={"figure": {"caption": "Nine mechanisms for 43 items at \u03b5 = 1: by how much one fake can lift an item, and by how much push it down. Along a dotted line the noise is the same: variance = rise \u00d7 fall. No \u03b5-private mechanism lies in the shaded strips.", "name": "fig-sk-07-plane"}, "image": {"alt": "Scatter plot on logarithmic axes with nine labelled points. GRR lies far right and low; subset selection, PGR, OUE and OLH close together on the line of variance 3.5; SUE and CMS near rise 2.5, fall 1.55; BLH and HCMS near rise 2.17, fall 2.18. Shaded strips to the left of 1.58 and below 0.58."}} tags=["hide-input"]
fig, ax = plots.panels(height=4.0)
reach = np.geomspace(1.2, 40, 50)
lines = (("subset sel.", 4.9), ("HCMS", 6.2), ("GRR", 12))
for name, at_x in lines:
    V = variance(*table[1.0][name])
    ax.plot(reach, V / reach, color=plots.COLOURS["grey"], ls=":", lw=1)
    ax.annotate(
        f"variance {V:.1f}",
        (at_x, V / at_x),
        (0, 4),
        textcoords="offset points",
        rotation=-38,
        fontsize=8.5,
        color="#555555",
    )
shift = {
    "GRR": (6, 4), "SUE": (-8, -16), "OUE": (10, 10), "OLH": (10, -2),
    "BLH": (-34, -8), "subset sel.": (-66, -12), "PGR": (10, -14),
    "CMS": (8, 4), "HCMS": (8, 6),
}  # fmt: skip
for name, pair in table[1.0].items():
    up, down = promotion(*pair), demotion(*pair)
    sketch = name.endswith("CMS")
    colour = plots.COLOURS["orange" if sketch else "blue"]
    ax.plot(up, down, "s" if sketch else "o", color=colour, ls="")
    ax.annotate(name, (up, down), shift[name], textcoords="offset points", fontsize=9)
least_up, least_down = np.e / (np.e - 1), 1 / (np.e - 1)
ax.axvspan(1.2, least_up, color="#bbbbbb", alpha=0.5, lw=0)
ax.axhspan(0.45, least_down, color="#bbbbbb", alpha=0.5, lw=0)
ax.set(
    xscale="log",
    yscale="log",
    xlim=(1.2, 40),
    ylim=(0.45, 3.2),
    xlabel="largest rise of an item per fake (users)",
    ylabel="largest fall per fake (users)",
)
ticks = ((ax.xaxis, (1.5, 2, 3, 5, 10, 20, 40)), (ax.yaxis, (0.5, 1, 2, 3)))
for axis, values in ticks:
    axis.set_major_locator(plt.FixedLocator(values))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(plt.NullLocator())
plt.show()

# %%
for e in levels:
    noise_of = {name: variance(*pair) for name, pair in table[e].items()}
    assert (
        max(noise_of["subset sel."], noise_of["OUE"])
        < noise_of["CMS"]
        < noise_of["HCMS"]
    )
assert [round(x, 2) for x in (least_up, least_down)] == [1.58, 0.58]

# %% [markdown]
# With 43 items subset selection is more accurate than both sketches at every level of the table, and OUE too. What
# a sketch buys is a domain that need not be listed beforehand. And *no* choice of mechanism solves the poisoning problem:
# every $\varepsilon$-private mechanism of this frame lets a fake lift an item by at least
# $e^\varepsilon/(e^\varepsilon - 1)$, while enforced noise brings all of them to 1
# ([notebook 6](06-making-the-noise-verifiable.ipynb)).
#
# ## What do many reports tell about one user?
#
# So far the server was the victim. Now it is curious. The paper cites, without using it, a study of what
# repeated reports reveal {cite:p}`gadotti2022pool`: split the items into two *pools*; a user prefers
# one of them and takes nine items in ten from it. Each item is reported with fresh noise of level
# $\varepsilon$. Which pool is it? The best guess compares likelihoods, and both sketches lead to the same formula:
# a report $y$ whose bit or sign agrees with item $d$ ($y_d = 1$) or not ($y_d = -1$) has
#
# $$ \Pr(y \mid d) \propto e^{\varepsilon y_d/2}, \qquad
#    \Lambda = \sum_{\text{reports}} \ln
#    \frac{\sum_d \pi_1(d)\, e^{\varepsilon y_d / 2}}{\sum_d \pi_2(d)\, e^{\varepsilon y_d / 2}}. $$

# %%
pools = np.array([np.arange(43) < 22, np.arange(43) >= 22])  # A1–A22, A23–A43
within = pools * true / (pools @ true)[:, None]
habits = 0.9 * within + 0.1 * within[::-1]  # π of the two kinds of user
H = hadamard_matrix(128)
users, most = 4000, 90
lengths = np.array([1, 2, 4, 7, 15, 30, 60, 90])


def log_ratios(scheme, reports):
    """Λ of each report."""
    if scheme.name == "CMS":
        row, bits = scheme.unpack(reports)
        agrees = np.take_along_axis(bits, where.T[row], axis=1)
    else:
        row, column, sign = scheme.unpack(reports)
        agrees = sign[:, None] * H[column[:, None], where.T[row]]
    weight = np.exp(agrees * (scheme.epsilon / 2)) @ habits.T
    return np.log(weight[:, 0] / weight[:, 1])


kind = rng.integers(2, size=users)
drawn = np.where(
    kind[:, None] == 0,
    rng.choice(43, size=(users, most), p=habits[0]),
    rng.choice(43, size=(users, most), p=habits[1]),
)
evidence, accuracy, sure = {}, {}, {}
for kind_of in (CountMeanSketch, HadamardCountMeanSketch):
    for e in (1.0, 4.0):
        scheme = kind_of.with_family(e, CMS.family)
        reports = scheme.privatize(np.array(items)[drawn.ravel()], rng)
        found = log_ratios(scheme, reports).reshape(users, most)
        key = scheme.name, e
        evidence[key] = found
        total = found.cumsum(axis=1)[:, lengths - 1]
        accuracy[key] = ((total < 0) == kind[:, None]).mean(axis=0)
        sure[key] = 1 / (1 + np.exp(-np.abs(total)))

print("guesses that are right after     7     30     90 reports   (each ± 0.01)")
for (name, e), right in accuracy.items():
    print(
        f"      {name:4s} ε = {e:g}          "
        + "  ".join(f"{x:5.2f}" for x in right[[3, 5, 7]])
    )

# %% mystnb={"figure": {"caption": "How often the best guess of a user's pool is right, against the number of reports (4000 users; the bars are standard errors). Each report has level \u03b5; together they do not.", "name": "fig-sk-07-pools"}, "image": {"alt": "Four rising curves of accuracy against the number of reports on a logarithmic axis from 1 to 90. CMS at epsilon 4 reaches 1; HCMS at epsilon 4 about 0.88; both sketches at epsilon 1 between 0.7 and 0.76."}} tags=["hide-input"]
fig, ax = plots.panels(height=3.2)
last = {key: right[-1] for key, right in accuracy.items()}
assert last["CMS", 4.0] > 0.98 > 0.92 > last["HCMS", 4.0] > 0.84
assert all(0.68 < last[name, 1.0] < 0.77 for name in ("CMS", "HCMS"))
for (name, e), right in accuracy.items():
    error = np.sqrt(right * (1 - right) / users)
    ax.errorbar(lengths, right, error, marker="o", ms=4, label=f"{name}, ε = {e:g}")
ax.axhline(0.5, color=plots.COLOURS["grey"], lw=1, ls="-")
ax.set(xscale="log", xlabel="number of reports", ylabel="share of right guesses")
ax.set_ylim(0.47, 1.02)
ax.set_xticks([1, 7, 30, 90], ["1", "7", "30", "90"])
ax.xaxis.set_minor_locator(plt.NullLocator())
ax.legend()
plt.show()

# %% [markdown]
# Is this really the best guess? If the likelihoods are right, the posterior probability of the guessed
# pool must equal, on average, the share of right guesses; and for one HCMS report the best
# possible accuracy is a finite sum over rows and columns.

# %%
with claim("S-B17") as c:
    for (name, e), right in accuracy.items():
        posterior = sure[name, e]
        error = np.sqrt((posterior * (1 - posterior)).mean(axis=0) / users) + 1e-4
        label = f"{name}, ε = {e:g}: right guesses = mean posterior, 8 lengths"
        c.sampled(right, posterior.mean(axis=0), label, stderr=error)
        label = f"{name}, ε = {e:g}: 7, 30, 90 reports, more and more right"
        c.at_most(right[[0, 3, 5]], right[[3, 5, 7]], label)
    for e in (1.0, 4.0):
        gap = habits[0] - habits[1]
        lean = sum(gap[d] * H[:, where[d]] for d in range(43))  # (m, k)
        exact = 0.5 + np.abs(lean).mean() * np.tanh(e / 2) / 4
        each = (evidence["HCMS", e] < 0) == kind[:, None]
        error = sqrt(exact * (1 - exact) / each.size)
        label = f"HCMS, ε = {e:g}: one report, exactly {exact:.4f}"
        c.sampled(each.mean(), exact, label, stderr=error)
        c.at_most(exact, 1 / (1 + np.exp(-e)), f"within the bound of ε = {e:g}")
    transferred = {}
    for j, i in product(rows, columns):  # the client fills (w, −w), the server picks
        own_sign, chance = H4[i][cells["t"][j]], keep["HCMS"]
        transferred[j, i, own_sign] = chance / 8
        transferred[j, i, -own_sign] = (1 - chance) / 8
    c.exact(
        transferred, law("HCMS", "t"), "a transfer with honest slots: the same law"
    )

# %% [markdown]
# One report says next to nothing, as promised. Ninety say a lot. Oblivious transfer does not
# change that: the server ends up with a report of the same law, and the law is all that the guess uses.
#
# ## Exercises
#
# ```{exercise-start} Clipping without the shift
# :label: ex-sk-07-clip
# ```
# **Warm-up.** A server does less than norm-sub: it sets negative estimates to zero and publishes the rest.
# What do the two printed attacks gain then?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-07-clip
# :class: dropdown
# ```
# All of their raw gain, as long as the target's honest estimate is positive: without a shift nothing is taken
# from anybody. It is the shift that decides.

# %%
for name, (scheme, _) in attacks.items():
    before = np.clip(honest[scheme], 0, None)[:, at]
    lift = np.clip(honest[scheme] + effects[name], 0, None)[:, at] - before
    usual = honest[scheme][:, at] > 0
    assert usual.mean() > 0.9
    assert np.allclose(lift[usual], effects[name][at])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The limits of promotion and demotion
# :label: ex-sk-07-limits
# ```
# **Standard.** Show that in the frame of {prf:ref}`thm-sk-07-product` every $\varepsilon$-private mechanism has
# $g^+ \ge e^\varepsilon/(e^\varepsilon - 1)$ and $g^- \ge 1/(e^\varepsilon - 1)$. Which mechanisms of the table
# reach one of the limits? Which setting of subset selection reaches the other?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-07-limits
# :class: dropdown
# ```
# Privacy says $P \le e^\varepsilon Q$ and $1 - Q \le e^\varepsilon (1 - P)$. For fixed $P$ the fall
# $Q/(P - Q)$ rises with $Q$, and $Q \ge P e^{-\varepsilon}$. For fixed $Q$ the rise $(1-Q)/(P-Q)$ falls with $P$, and
# $P \le 1 - (1-Q)e^{-\varepsilon}$. GRR reaches the second limit. Its mirror image, naming *all but one* of
# the items, reaches the first.

# %%
assert sp.simplify(sp.diff(demotion(P, Q), Q) - P / (P - Q) ** 2) == 0
assert sp.simplify(demotion(P, P / E) - 1 / (E - 1)) == 0
assert sp.simplify(sp.diff(promotion(P, Q), P) + (1 - Q) / (P - Q) ** 2) == 0
assert sp.simplify(promotion(1 - (1 - Q) / E, Q) - E / (E - 1)) == 0

assert sp.simplify(demotion(*frame["GRR"]) - 1 / (E - 1)) == 0
all_but_one = [x.subs(w, D - 1) for x in frame["subset selection"]]
assert sp.simplify(promotion(*all_but_one) - E / (E - 1)) == 0
for pair in table[1.0].values():
    assert promotion(*pair) >= least_up
    assert demotion(*pair) >= least_down - 1e-12

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A total without collisions
# :label: ex-sk-07-total
# ```
# **Standard.** The test of the total needs to know what the honest total would be, because of collisions. Find a total that
# does without, if the list of items is complete. (The server knows the hash functions.)
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-07-total
# :class: dropdown
# ```
# With $A$ the matrix of collision shares, honest estimates have the mean $F(Af - \frac{N}{m}\mathbf 1)$. So
# $\mathbf 1^\top A^{-1}(e/F + \frac{N}{m}\mathbf 1) - N$ has mean 0 whatever $f$ is.

# %%
A = (where[:, None] == where[None]).mean(axis=2)
weights = np.linalg.solve(A, np.ones(43))


def excess(mean_estimates, reports):
    return weights @ (mean_estimates / CMS.factor + reports / CMS.width) - reports


for frequencies in (true, true[::-1], np.arange(43) ** 3):
    users_of = dict(zip(items, frequencies.tolist()))
    mean = CMS.moments(users_of).mean
    assert abs(excess(mean, frequencies.sum())) < 1e-6 * frequencies.sum()
    assert abs(mean.sum() - frequencies.sum()) > 1e-4 * frequencies.sum()

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} One number predicts the curve
# :label: ex-sk-07-many
# ```
# **Research.** Predict the HCMS curve at $\varepsilon = 1$ in {numref}`fig-sk-07-pools` from one number, and from it how many
# reports the guess needs to be right nine times in ten. Check by simulation.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-07-many
# :class: dropdown
# ```
# For little information per report $\Lambda$ is a sum of many small terms. Its mean under either pool is
# $\pm T s^2/2$ and its variance $T s^2$, with $s^2 = \tanh^2(\varepsilon/2)$ times the mean square of
# $\sum_d (\pi_1 - \pi_2)(d)\, H[\ell, h_j(d)]$ over rows and columns. So the guess is right with probability
# $\Phi(s\sqrt T/2)$.

# %%
s_one = np.tanh(0.5) * sqrt((lean**2).mean())
predicted = stats.norm.cdf(s_one * np.sqrt(lengths) / 2)
error = np.sqrt(predicted * (1 - predicted) / users)
assert np.all(np.abs(accuracy["HCMS", 1.0] - predicted) < 4 * error)

needed = int(np.ceil((2 * stats.norm.isf(0.1) / s_one) ** 2))
crowd = 600
who = rng.integers(2, size=crowd)
scheme = HadamardCountMeanSketch.with_family(1.0, CMS.family)
total = np.zeros(crowd)
for label in (0, 1):
    chosen = rng.choice(43, size=(np.sum(who == label), needed), p=habits[label])
    reports = scheme.privatize(np.array(items)[chosen.ravel()], rng)
    total[who == label] = (
        log_ratios(scheme, reports).reshape(chosen.shape).sum(axis=1)
    )
share_right = np.mean((total < 0) == who)
print(f"{needed} reports: predicted 0.90, simulated {share_right:.2f} ± 0.01")
assert abs(share_right - 0.9) < 4 * sqrt(0.9 * 0.1 / crowd) + 0.01

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The frequency gain leaves out what an attack does to the other items. After norm-sub the printed HCMS attack keeps about one
#   per cent of its gain, and the printed CMS attack gains more than half as much again.
# - Fakes that are honest reports spared by the noise have the same gain. They look like $G$ honest
#   clients each, and the only trace is that the estimates add up to too much.
# - Weight, load and total catch the printed attacks at once. The hidden ones pass at fifty thousand users and are
#   caught by the total at a hundred million, if the list of items is complete.
# - For any mechanism that counts supports, noise is promotion times demotion. No choice of mechanism
#   removes the exposure; enforced noise does.
# - Sketches can be simulated for a billion users at the price of ten million, and they merge bit for bit. Ninety fresh reports say much
#   about a user whatever protects each of them.
#
# **Further reading.** Cao, Jia and Gong {cite:p}`cao2021poisoning` on poisoning and on norm-based defences; Cheu, Smith and
# Ullman {cite:p}`cheu2021manipulation` on what no local protocol can resist; Wang and others
# {cite:p}`wang2020consistency` on post-processing; Gadotti and others {cite:p}`gadotti2022pool` on pools;
# Pan {cite:p}`pan2024count` on count mean sketches in theory. **Next:** the
# [ledger](../../book/ledger/sketch.md) with every claim of this part and its verdict.
