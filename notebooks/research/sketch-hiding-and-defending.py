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
# reports themselves. With all three taken into account the ranking of the attacks changes: one of the
# two printed attacks is undone by the standard cleaning step, and both can be changed, at no loss of raw gain, so that
# the reports look like those of honest people. What is left to see then depends on one thing: whether
# the server knows what was popular before. None of this is in the paper, and nothing of it is an error there: it
# starts where the paper stops.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what a forged report does to the items it does not aim at, why an attack can have the
# same raw gain and hardly a trace, which test is the best one if nobody knows what is popular, which one if last month is
# known, and how much tastes may change in between.
# **You need** the gains of [notebook 3](../sketch/03-poisoning.ipynb) and the estimators of notebooks 1 and 2.
# **Time:** 28 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **A poisoner**, as in notebook 3, controls $n'$ of the $n + n'$ clients, knows the hash functions and sends any report
# that has the right format; wants the estimate of a target item up, unnoticed. **The server** is honest here. It sees the
# reports and has the list of all items; in one of two cases it also knows how often each item was looked at last month.
# **Protected:** each single report, up to $e^{\varepsilon}$. **Not protected:** the estimates, if noise is not enforced.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import gzip
import os
from fractions import Fraction
from itertools import pairwise, product
from math import log, sqrt
from pathlib import Path

import dask
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy import optimize, stats

from privlib.notebook import claim, derivation, plots, table
from privlib.research import distributed_sketches
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch, defences, poisoning
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.hashing import ExplicitFamily

plots.use()
counts = shop_counts()
items, target = list(counts), "A18"
true = np.array(list(counts.values()))
n = int(true.sum())
n_fake = poisoning.n_fake_users(n, 0.01)
CMS = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
HCMS = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
at = items.index(target)
rest = np.arange(len(items)) != at
rng = np.random.default_rng(43)

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
# Here $v$ is the vector of a CMS report, and $\ell$, $w$ are coordinate and sign of an HCMS report. In the shop of the
# paper's experiment, 43 items and 49,742 honest clicks, one fake in a hundred makes
# 502<!-- {n_fake} --> fakes. Both attacks push the item A18; what happens to A1 and A2?

# %%
for scheme in (CMS, HCMS):
    fakes = poisoning.fake_reports(
        scheme, "mga", targets=["A18"], n_fake=n_fake, rng=rng
    )
    moved = scheme.aggregate(fakes).estimate(["A18", "A1", "A2"])
    print(scheme.name, moved.round())

# %% [markdown]
# The printed attack on CMS pushes the others *down*, together by much more than the target rises. The one on HCMS lifts them *as much
# as the target*. Neither is needed for the gain. Give the other cells the noise that an honest client would put there
# (*padded*, CMS), or draw $\ell$ at random and send the sign $w = H[\ell, h_j(t)]$ that favours the target
# (*random $\ell$*, HCMS): the target gains the same. An attacker who would rather do more harm picks the pairs
# $(j, \ell)$ whose sign hurts the other items most (*best pairs*). The first idea is known: Cao, Jia and
# Gong pad their reports for another mechanism to the right *number* of ones, so as not to be noticed
# {cite:p}`cao2021poisoning`, and others the whole law of that number {cite:p}`li2025mitigating`.

# %% jupyter={"source_hidden": true} tags=["set-up"]
m, a, share = sp.symbols("m a A", positive=True)  # a = exp(ε/2); A: shared rows
F = m / (m - 1)
c_cms, c_hcms = (a + 1) / (a - 1), (a**2 + 1) / (a**2 - 1)


def cms(bit):
    """What a CMS report adds to an item whose cell has this (mean) bit."""
    return F * ((c_cms * bit + 1) / 2 - 1 / m)


def hcms(sign):
    """What an HCMS report adds to an item with this (mean) agreement of signs."""
    return F * (c_hcms * sign - 1 / m)


noise = -1 / c_cms  # mean of an honest −1
expected = {  # to the target; to an item that shares its cell on a share A of rows
    "CMS printed": (cms(1), share * cms(1) + (1 - share) * cms(-1)),
    "CMS padded": (cms(1), share * cms(1) + (1 - share) * cms(noise)),
    "HCMS printed": (hcms(1), hcms(1)),
    "HCMS random ℓ": (hcms(1), hcms(share)),  # columns of H are orthogonal
}
at_one = {a: sp.exp(sp.Rational(1, 2)), m: 128}
mean_share = {share: 1 / m}  # over random hash functions
ups = [float(up.subs(at_one)) for up, _ in expected.values()]
others = [float(o.subs(mean_share).subs(at_one)) for _, o in expected.values()]
table(
    {"attack": list(expected), "target": ups, "another item": others},
    formats={"target": "+.3f", "another item": "+.3f"},
    caption="What one fake adds in the mean over random hash functions, in users "
    "($ε = 1$, $m = 128$).",
)

# %% [markdown]
# Same raw gain, different effects on the rest; the two variants hardly move it. To be sure
# that none of the four leaves something on the table, list every report that a fake can send, in a world of three items, two
# rows and four columns, with $e^{\varepsilon/2} = 3$ so that every probability is a fraction: 16<!-- {maximal['CMS'][0]} --> of 32<!-- {maximal['CMS'][1]} --> CMS and 8<!-- {maximal['HCMS'][0]} --> of 16<!-- {maximal['HCMS'][1]} --> HCMS
# reports give the target the most that any report can. Half of all; they differ in what they do to the others, and the paper's
# two choices are the extreme ones.

# %% jupyter={"source_hidden": true} tags=["evidence"]
cells, rows, columns = {"t": (0, 1), "u": (2, 1), "w": (3, 3)}, range(2), range(4)
H4 = hadamard_matrix(4).astype(int).tolist()
keep = {"CMS": Fraction(3, 4), "HCMS": Fraction(9, 10)}  # e^(ε/2) = 3
world = {a: 3, m: 4}
constant = {"CMS": Fraction(2), "HCMS": Fraction(5, 4)}  # c of both schemes there


def law(scheme, item, p=None):
    """Probability of every honest report; item None: nothing to report."""
    p, found = keep[scheme] if p is None else p, {}
    for j in rows:
        if scheme == "CMS":
            own = None if item is None else cells[item][j]
            for v in product((1, -1), repeat=4):
                kept = sum((bit == 1) == (i == own) for i, bit in enumerate(v))
                found[j, v] = p**kept * (1 - p) ** (4 - kept) / 2
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


maximal = {}
for scheme, closed in (("CMS", cms(1)), ("HCMS", hcms(1))):
    effect = {report: moves(scheme, report) for report in law(scheme, "t")}
    best = max(move[0] for move in effect.values())
    winners = [report for report, move in effect.items() if move[0] == best]
    assert best == Fraction(str(closed.subs(world)))
    least, most = (f([sum(effect[r]) for r in winners]) for f in (min, max))
    printed = (0, (1, -1, -1, -1)) if scheme == "CMS" else (0, 0, 1)
    extreme = least if scheme == "CMS" else most
    assert sum(effect[printed]) == extreme  # the paper's choice, on row 0
    maximal[scheme] = (len(winners), len(effect))
assert all(2 * few == all_ for few, all_ in maximal.values())


def forge(name, size=n_fake):
    """Reports of `size` fakes."""
    scheme, how = attacks[name]
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
    name: scheme.aggregate(forge(name)).estimate(items)
    for name, (scheme, _) in attacks.items()
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

# %%
estimates = np.array([6.0, 3.0, -2.0])
print(defences.norm_sub(estimates, 5), defences.norm_sub(estimates + 10, 5))

# %% [markdown]
# A common lift of ten changes nothing. There is only one $\delta$, because the sum falls strictly in $\delta$ as long as
# it is positive; so if all estimates rise by the same $s$, $\delta$ rises by $s$. That settles the printed HCMS attack before any
# experiment. It adds the same to every item, and norm-sub removes it. The only thing left is that the total to be
# shared out is $N = n + n'$ instead of $n$. And the others?

# %% jupyter={"source_hidden": true} tags=["set-up"]
honest = {
    scheme: np.array(
        [scheme.simulate(counts, rng).estimate(items) for _ in range(100)]
    )
    for scheme in (CMS, HCMS)
}
gain = {}
for name, (scheme, _) in attacks.items():
    before = defences.norm_sub(honest[scheme], n)
    after = defences.norm_sub(honest[scheme] + effects[name], n + n_fake)
    lift, e = (after - before)[:, at], effects[name]
    error = lift.std(ddof=1) / sqrt(len(lift))
    gain[name] = (e[at], e[rest].mean(), lift.mean(), error)
in_paper = {"CMS": 12.82, "HCMS": 10.91}  # hundreds, Tables 4 to 6
raw, mean_rest, left, errors = np.array(list(gain.values())).T
table(
    {"attack": list(gain), "gain, ours": raw / 100,
     "printed": [in_paper[name.split()[0]] for name in gain],
     "others, mean": mean_rest / 100, "gain after norm-sub": left / 100,
     "its standard error": errors / 100},
    formats={"gain, ours": "z.2f", "others, mean": "+.2f",
             "gain after norm-sub": ".2f", "its standard error": ".2f"},
    difference=("gain, ours", "printed"),
    caption="Five attacks by 502 fakes on A18, in hundreds of clicks; the gain after "
    "norm-sub is the mean over 100 honest populations.",
)  # fmt: skip

# %% [markdown]
# The gains of the two printed attacks are those that the paper prints for these settings, and the other three have the same; the other
# columns are ours.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Five attacks by 502 fakes on the same target. All five are maximal for their scheme (left). They differ in what they do to the other 42 items (middle), and that decides what is left after norm-sub (right).", "name": "fig-sk-07-side"}, "image": {"alt": "Three panels of horizontal bars for five attacks. Left, gain of the target: 1282 for both CMS attacks, 1091 for the three on HCMS. Middle, mean change of the others: strongly negative for CMS printed, strongly positive for HCMS printed, negative for best pairs, near zero for the two hidden ones. Right, gain after norm-sub: largest for CMS printed, near zero for HCMS printed."}} tags=["figure"]
assert [round(row[0]) for row in gain.values()] == [1282, 1282, 1091, 1091, 1091]
assert n_fake == 502
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


# %% jupyter={"source_hidden": true} tags=["evidence"]
def by_support(estimates, total):
    """Norm-sub in fractions: the one set of items whose level leaves only them."""
    values = [Fraction(x) for x in estimates]
    for size in range(1, len(values) + 1):
        top = sorted(values, reverse=True)[:size]
        level = (sum(top) - total) / Fraction(size)
        if sum(x > level for x in values) == size == sum(x > level for x in top):
            return [max(x - level, Fraction(0)) for x in values]
    raise ValueError("no level")


def level_of(estimates, total):
    """The δ of norm-sub by root finding."""
    low, high = estimates.min() - total, estimates.max()
    return optimize.brentq(
        lambda x: np.clip(estimates - x, 0, None).sum() - total, low, high
    )


triples = list(product(range(-2, 4), repeat=3))
lifted = [
    by_support([x + s for x in e], total)
    for e in triples
    for s in (1, 2)
    for total in (1, 4)
]
package = [
    defences.norm_sub(np.array(e, dtype=float), total)
    for e in triples
    for s in (1, 2)
    for total in (1, 4)
]
with claim("S-B5") as c:
    label = f"{len(lifted)} small cases: lifted and in fractions, not lifted"
    c.close(np.array(lifted, dtype=float), package, label, rtol=0, atol=1e-12)
    run = honest[HCMS][0]
    by_root = np.clip(run - level_of(run, n), 0, None)
    shown = defences.norm_sub(run, n)
    c.close(by_root, shown, "43 items: by root finding", rtol=0, atol=1e-5)
    flat = effects["HCMS printed"]
    one = n_fake * float(hcms(1).subs(at_one))
    c.close(flat, np.full(43, one), "printed HCMS: all items gain alike", rtol=1e-9)
    support = (defences.norm_sub(honest[HCMS], n) > 0).sum(axis=1)
    plain = n_fake / support.min()
    kept = gain["HCMS printed"][2]
    label = f"printed HCMS keeps {kept:.1f}: at most n' / {support.min()} items left"
    c.decisive("simulated").at_most(kept, plain, label)
    c.at_most(n_fake / 43, kept, "at least n' / 43: they are shared out")
    before, _, after, error = gain["CMS printed"]
    label = f"printed CMS: {before:.0f} becomes {after:.0f}, 4 errors off"
    c.decisive("simulated").at_most(before, after - 4 * error, label)
    by_form = n_fake * float(cms(1).subs(at_one))
    c.close(before, by_form, "its raw gain, closed form", rtol=1e-9)
    for name, lift in (("HCMS printed", kept), ("CMS printed", after)):
        raw_ = honest[attacks[name][0]]
        published = [
            [max(x[at] - level_of(x, total), 0) for x in raw_ + moved]
            for moved, total in ((0, n), (effects[name], n + n_fake))
        ]
        by_roots = np.subtract(published[1], published[0]).mean()
        label = f"{name}: what is left after norm-sub, by root finding"
        c.close(lift, by_roots, label, rtol=1e-6)

cms_after = float(gain["CMS printed"][2])
hcms_after = float(kept)
stronger = gain["CMS printed"][2] / gain["CMS printed"][0] - 1
stay = [gain[name][2] / gain[name][0] for name in ("CMS padded", "HCMS random ℓ")]
assert [round(100 * x) for x in stay] == [97, 97]
assert gain["CMS printed"][2] > 1.5 * gain["CMS padded"][2]
assert gain["HCMS best pairs"][2] > 1.3 * gain["HCMS random ℓ"][2]
loss = 1 - gain["CMS padded"][2] / gain["CMS printed"][2]
hidden_kept = float(100 * min(stay))
hidden_loss = float(100 * loss)
shown_stronger = float(100 * stronger)

# %% [markdown]
# After norm-sub the printed HCMS attack keeps 12<!-- {hcms_after:.0f} --> clicks, and the printed CMS
# attack *gains* 57<!-- {shown_stronger:.0f} --> %, to 2007<!-- {cms_after:.0f} -->: whatever the other
# items lost is handed back to all, the target included. (That norm-sub can work for the attacker was found for range
# queries as well {cite:p}`liao2025range`.) Whoever publishes cleaned estimates needs another measure
# than the frequency gain. In this one, the attacks that push the other items down earn most. The two that hardly touch them
# keep 97<!-- {hidden_kept:.0f} --> % of their raw gain; on CMS that is 38<!-- {hidden_loss:.0f} --> % less than the printed attack has
# after norm-sub. What do they get for it?
#
# ## Hiding costs no raw gain
#
# The padded fakes and those with random $\ell$ are *honest
# reports of the target, those that the noise happened to spare*. That also tells how much they count.
#
# ```{prf:theorem} What a hidden fake is worth
# :label: thm-sk-07-hidden
# Let $P_t$ be the law of an honest report of item $t$, $P_\emptyset$ that of a client with nothing to
# report (CMS: $-1$ in all cells before the noise; HCMS: a fair sign), and $U_t$ the law of $P_t$ given that
# the target's cell (sign) was not flipped. Then
#
# $$ U_t = G\, P_t - (G - 1)\, P_\emptyset, \qquad
#    G = \tfrac{c_\varepsilon + 1}{2} \text{ (CMS)}, \quad G = c_\varepsilon \text{ (HCMS)}. $$
# ```
#
# *Proof.*
# 1. All three laws draw the row (and $\ell$) uniformly, and then the bits, or the sign, independently.
# 2. They differ only in the target's own bit (its sign): it is right with probability $p$ under $P_t$, with $q$ (CMS) or
#    $\frac12$ (HCMS) under $P_\emptyset$, and always under $U_t$. All else has the same law under the three, and factors out.
# 3. So the equation has to hold for that one coordinate, where, as $c_\varepsilon = \frac{1}{p - q}$, it is a line of algebra on CMS and one on HCMS, both below. ∎

# %% jupyter={"source_hidden": true} tags=["evidence"]
G_cms, p_cms, q_cms = a / (a - 1), a / (a + 1), 1 / (a + 1)  # G = (c + 1)/2
spared_cms = (
    derivation(G_cms * p_cms - (G_cms - 1) * q_cms, of=r"\text{CMS: } Gp - (G-1)q")
    .equal(a**2 / ((a - 1) * (a + 1)) - 1 / ((a - 1) * (a + 1)), "$a = e^{ε/2}$")
    .equal(sp.Integer(1), "one fraction")
)
spared_cms

# %% jupyter={"source_hidden": true} tags=["evidence"]
E = sp.Symbol("E", positive=True)  # exp(ε)
G_hcms, p_hcms = (E + 1) / (E - 1), E / (E + 1)
spared_hcms = (
    derivation(
        G_hcms * p_hcms - (G_hcms - 1) / 2, of=r"\text{HCMS: } Gp - \tfrac{G-1}{2}"
    )
    .equal(E / (E - 1) - 1 / (E - 1), "$E = e^{ε}$")
    .equal(sp.Integer(1), "one fraction")
)
spared_hcms


# %% [markdown]
# So in the mean $n'$ hidden fakes change the reports exactly as $G n'$ more honest clients with the target
# and $(G - 1) n'$ fewer with nothing to report; at $\varepsilon = 1$, $G$ is 2.54<!-- {g_cms:.2f} --> on CMS and
# 2.16<!-- {g_hcms:.2f} --> on HCMS. Suppose that each client is drawn at random, a fake with chance $\beta$. If clients may report nothing, and enough of them do, the
# poisoned reports have the law of an honest population, and *no test of any kind* can tell the two apart. If the *numbers* of fakes and of
# honest clients are fixed instead, and only the order is random, the means agree and the variances not quite: at $e^{\varepsilon/2} = 3$, among 9,900<!-- {shown_idle:,} --> CMS reports of idle clients and
# 100<!-- {fewest} --> fakes no test gains more than 0.0024<!-- {shown_fixed:.4f} --> of power over its level, about $\beta/4$.
# (Items that are not on the server's list serve almost as well, as their cells are random.) What if everybody reports an item of the list?

# %% jupyter={"source_hidden": true} tags=["evidence"]
def by_numbers(idle, fakes, p=0.75):
    """Total variation: idle clients and fakes; G a fake honest instead (e^(ε/2) = 3).

    Only the number of reports with the target's bit right differs. G = 3/2: an even
    number of fakes.
    """
    poisoned = np.r_[np.zeros(fakes), stats.binom.pmf(range(idle + 1), idle, 1 - p)]
    few, many_ = 3 * fakes // 2, idle - fakes // 2
    honest_law = np.convolve(
        stats.binom.pmf(range(many_ + 1), many_, 1 - p),
        stats.binom.pmf(range(few + 1), few, p),
    )
    assert len(poisoned) == len(honest_law)
    places = np.arange(len(poisoned))
    assert np.isclose(poisoned @ places, honest_law @ places)
    return np.abs(poisoned - honest_law).sum() / 2


fixed = {size: by_numbers(10_000 - size, size) for size in (100, 1000)}
for size, distance_ in fixed.items():  # two normal laws, variances 1 and 1 + β
    beta_of = size / 10_000
    assert np.isclose(distance_, beta_of / sqrt(2 * np.pi * np.e), rtol=0.08)
fewest = min(fixed)
shown_idle = 10_000 - fewest
shown_fixed = float(fixed[fewest])


def target_bit(scheme, report):
    """The bit (sign) by which a report speaks for or against t."""
    cell = cells["t"][report[0]]
    return report[1][cell] if scheme == "CMS" else report[2] * H4[report[1]][cell]


def spared(scheme):
    """U_t by conditioning: the honest reports of t whose target bit is right."""
    own = law(scheme, "t")
    right = {r: chance * (target_bit(scheme, r) == 1) for r, chance in own.items()}
    whole = sum(right.values())
    return {r: chance / whole for r, chance in right.items()}


family = ExplicitFamily(cells, 4)
small = {
    "CMS": CountMeanSketch.with_family(2 * log(3), family),
    "HCMS": HadamardCountMeanSketch.with_family(2 * log(3), family),
}
worth = {"CMS": Fraction(3, 2), "HCMS": Fraction(5, 4)}  # G at e^(ε/2) = 3
with claim("S-B6") as c:
    first = G_cms * p_cms - (G_cms - 1) * q_cms
    c.decisive("proved").derived(spared_cms, first, 1, "CMS: the target's bit")
    first = G_hcms * p_hcms - (G_hcms - 1) / 2
    c.decisive("proved").derived(spared_hcms, first, 1, "HCMS: the target's sign")
    c.exact([G_cms, G_hcms], [(c_cms + 1) / 2, (E + 1) / (E - 1)], "these are G")
    for scheme, top in (("CMS", cms(1)), ("HCMS", hcms(1))):
        value, hidden = worth[scheme], spared(scheme)
        own, none = law(scheme, "t"), law(scheme, None)
        mixed = {r: value * own[r] - (value - 1) * none[r] for r in own}
        label = f"{scheme}, small world: U = G P − (G − 1) P∅, all {len(own)} reports"
        c.exact(hidden, mixed, label)
        mean = sum(chance * moves(scheme, r)[0] for r, chance in hidden.items())
        highest = Fraction(str(top.subs(world)))
        c.exact(mean, highest, f"{scheme}: a hidden fake is worth {mean}, the most")
        drawn = poisoning.fake_reports(
            small[scheme], "mga", targets=["t"], n_fake=20_000, rng=rng, hidden=True
        )
        got = small[scheme].aggregate(drawn).estimate(list(cells)) / 20_000
        moved = np.array([[float(x) for x in moves(scheme, r)] for r in hidden])
        chances = np.array([float(x) for x in hidden.values()])
        centre = chances @ moved
        error = np.sqrt((chances @ moved**2 - centre**2).clip(1e-12) / 20_000)
        label = f"{scheme}: the package's hidden fakes move t, u, w as U does"
        c.sampled(got, centre, label, stderr=error)
    closed = [float(top.subs(at_one)) for top in (cms(1), hcms(1))]
    raw = [effects["CMS padded"][at], effects["HCMS random ℓ"][at]]
    c.close(raw, np.array(closed) * n_fake, "43 items: closed form", rtol=1e-9)
G = {CMS: (CMS.debias_factor + 1) / 2, HCMS: HCMS.debias_factor}
g_cms = float(G[CMS])
g_hcms = float(G[HCMS])

# %% [markdown]
# ## What can the server test?
#
# Three statistics come to mind.
#
# - The **weight** of a CMS report, its number of $+1$. Honest: one coin of $p$ and $m - 1$ of $q$, whatever
#   the item. A printed fake has exactly one $+1$.
# - The **load** of an HCMS column. Honest: binomial with $n + n'$ trials of $1/m$. The printed fakes all go to
#   $\ell = 0$.
# - The **total** of all estimates. Honest: about the number of reports, apart from collisions. A hidden fake adds about
#   $G$ to it instead of 1. The variance of the total needs the covariances, since items in one cell share their noise.
#
# An attack may raise such a number or lower it, so where this page tests one at level 1 %, it tests both sides. The *expected $z$* of a test is the
# shift of its statistic's mean that the fakes cause, in standard deviations of the statistic. With $z$ expected, a test of one side has at level 1 % the
# power $\Phi(z - z_0)$ with $z_0 =$ 2.33<!-- {in_text['one-side']:.2f} -->, and one of both sides nearly that with
# $z_0 =$ 2.58<!-- {in_text['both-sides']:.2f} -->.

# %%
for name in ("printed", "padded"):
    reports = forge(f"CMS {name}", 5)
    print(name, defences.weight_scores(CMS, reports).round(1))

# %% [markdown]
# A single printed fake lies nearly nine standard deviations below the mean weight; the padded ones look like anybody. And
# in the shop, with all its clicks?

# %% jupyter={"source_hidden": true} tags=["set-up"]
rng = np.random.default_rng(49742)
clicks = np.repeat(items, true)
genuine = {scheme: scheme.privatize(clicks, rng) for scheme in (CMS, HCMS)}
where = CMS.family.positions(items)  # (43, k); both sketches share the hash functions
A = (where[:, None] == where[None]).mean(axis=2)  # shares of rows in one cell
p, q, width, D = CMS.keep, CMS.flip, CMS.width, len(items)
honest_total = {
    scheme: defences.total_moments(scheme, counts) for scheme in (CMS, HCMS)
}


def total_per_fake(name):
    """Expected total that one fake adds, for these hash functions."""
    if name == "HCMS best pairs":
        return effects[name].sum() / n_fake
    other = sp.lambdify(share, expected[name][1].subs(at_one))
    up = float(expected[name][0].subs(at_one))
    return up + sum(other(x) for x in A[at][rest])


def z_total(name, size):
    """Expected z of the total with this many fakes."""
    law_ = honest_total[attacks[name][0]]
    step = total_per_fake(name) - law_.mean / n
    return size * step / (law_.sd * np.sqrt(1 + size / n))


def seen(scheme, name):
    """Scores of the honest reports, with the fakes of an attack."""
    reports = genuine[scheme]
    if name in attacks:
        reports = np.concatenate([reports, forge(name)])
    total = defences.total_score(scheme.aggregate(reports), counts)
    if scheme is HCMS:
        return (defences.column_scores(scheme, reports).max(), total)
    z = defences.weight_scores(scheme, reports)
    return (z.min(), z.mean() * sqrt(z.size), total)


cms_trials = ("nobody", "CMS printed", "CMS padded")
hcms_trials = ("nobody", "HCMS printed", "HCMS random ℓ", "HCMS best pairs")
scores = {("CMS", name): seen(CMS, name) for name in cms_trials}
scores |= {("HCMS", name): seen(HCMS, name) for name in hcms_trials}
expects = {name: z_total(name, n_fake) for name in attacks} | {"nobody": 0.0}
in_text = {}
for name, tail in (("one-side", 0.01), ("both-sides", 0.005)):
    in_text[f"{name}"] = round(float(stats.norm.isf(tail)), 6)
lowest, mean_weight, total = zip(*[scores["CMS", name] for name in cms_trials])
table(
    {"fakes on CMS": cms_trials, "lowest weight": lowest, "mean weight": mean_weight,
     "total, one draw": total, "total, expected": [expects[k] for k in cms_trials]},
    formats=dict.fromkeys(
        ("lowest weight", "mean weight", "total, one draw", "total, expected"), ".1f"
    ),
    caption="CMS: z-scores of 49,742 honest reports and 502 fakes.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["set-up"]
highest, total = zip(*[scores["HCMS", name] for name in hcms_trials])
table(
    {"fakes on HCMS": hcms_trials, "highest column": highest,
     "total, one draw": total, "total, expected": [expects[k] for k in hcms_trials]},
    formats=dict.fromkeys(
        ("highest column", "total, one draw", "total, expected"), ".1f"
    ),
    caption="HCMS: z-scores of 49,742 honest reports and 502 fakes.",
)  # fmt: skip


# %% [markdown]
# The printed attacks stand out in every column that applies to them; the load of a column alone would convict 502 printed HCMS
# fakes by 25.2<!-- {column_z:.1f} --> standard deviations, the drawn ones by about as many. The padded fakes and those with random $\ell$ pass. The best
# pairs pay for their extra harm with a low total. So the total is what remains against the hidden ones, and it sees little.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def small_total(name, item):
    """Exact mean and variance of the sum of estimates, one honest report."""
    chances = law(name, item)
    values = {report: sum(moves(name, report)) for report in chances}
    mean = sum(pr * values[r] for r, pr in chances.items())
    return mean, sum(pr * values[r] ** 2 for r, pr in chances.items()) - mean**2


def z_column(size):
    """Expected z of column 0, if all fakes go there."""
    return size * sqrt(1 - 1 / width) / np.sqrt((n + size) / width)


few = {"t": 60_000, "u": 30_000, "w": 10_000}
with claim("S-B7") as c:
    for item in cells:
        pluses = {r: r[1].count(1) for r in law("CMS", item)}
        mean = sum(pr * pluses[r] for r, pr in law("CMS", item).items())
        second = sum(pr * pluses[r] ** 2 for r, pr in law("CMS", item).items())
        right = keep["CMS"]
        told = (right + 3 * (1 - right), 4 * right * (1 - right))
        label = f"weight, small world, item {item}: mean p + (m−1)q, variance mpq"
        c.exact((mean, second - mean**2), told, label)
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
        got = defences.total_moments(scheme, few)
        label = f"{name}: moments of the total, from the list of all reports"
        c.close([got.mean, got.variance], by_list, label, rtol=1e-9)
    for scheme, law_ in honest_total.items():
        sums = honest[scheme].sum(axis=1)
        error = law_.variance * sqrt(2 / (len(sums) - 1))
        label = f"{scheme.name}, 43 items: variance of the total, {len(sums)} runs"
        c.sampled(sums.var(ddof=1), law_.variance, label, stderr=error)
    bound = defences.weight_scores(CMS, forge("CMS printed", 1))[0]
    by_hand = (1 - (p + (width - 1) * q)) / sqrt(width * p * q)
    c.close(bound, by_hand, "weight of a printed CMS fake", rtol=1e-9)
    chance = stats.binom.pmf([0, 1], width - 1, q) @ [1, q]  # honest weight at most 1
    alarms = chance * (n + n_fake)
    label = "printed CMS: false alarms at that weight among all reports, expected"
    c.decisive("one example").at_most(alarms, 1.1e-20, label)
    everybody = len(genuine[CMS]) + n_fake
    by_hand = everybody * p ** (width - 2) * (p + (width - 1) * q**2)
    c.close(alarms, by_hand, "the same, bit by bit", rtol=1e-9)
    predicted = float(z_column(n_fake))
    label = f"printed HCMS: load of column 0, z = {predicted:.1f} expected"
    c.decisive("simulated").sampled(
        scores["HCMS", "HCMS printed"][0], predicted, label, stderr=1.0
    )
    even = (n + n_fake) / width
    by_hand = (n / width + n_fake - even) / sqrt(even * (1 - 1 / width))
    c.close(predicted, by_hand, "the same from the mean loads", rtol=1e-9)
    limit = stats.norm.isf(0.01 / width / 2)
    label = "random ℓ: below the 1 % limit of the load"
    largest_load, _ = scores["HCMS", "HCMS random ℓ"]
    c.decisive("simulated").at_most(largest_load, limit, label)
    nobody, padded = (
        np.array(scores["CMS", name][:2]) for name in ("nobody", "CMS padded")
    )
    label = "padded: lowest and mean weight move by less than one sd"
    c.decisive("simulated").at_most(np.abs(padded - nobody), 1.0, label)
    small_share = poisoning.n_fake_users(n, "0.0015")
    batch = HCMS.aggregate(forge("HCMS printed", small_share))
    moved = batch.estimate(items).sum()
    law_, grown = honest_total[HCMS], 1 + small_share / n
    z = (honest[HCMS].sum(axis=1) + moved - law_.mean * grown) / (
        law_.sd * sqrt(grown)
    )
    alarm = (np.abs(z) > stats.norm.isf(0.005)).mean()
    predicted = defences.power(float(z_total("HCMS printed", small_share)))
    error = sqrt(predicted * (1 - predicted) / len(z))
    label = f"printed HCMS, β = 0.15 %: power of the total {predicted:.2f}"
    c.decisive("simulated").sampled(alarm, predicted, label, stderr=error)
    for name in ("CMS padded", "HCMS random ℓ"):
        scheme = attacks[name][0]
        batches = [scheme.aggregate(forge(name, 2000)) for _ in range(20)]
        each = np.array([batch.estimate(items).sum() / 2000 for batch in batches])
        error = each.std(ddof=1) / sqrt(len(each))
        label = f"{name}: total per fake"
        c.sampled(each.mean(), total_per_fake(name), label, stderr=error)
column_z = float(z_column(n_fake))

# %% [markdown]
# ## If nobody knows what is popular
#
# Is there a better test than the total? Suppose that the server does not know how popular the items are: any shares
# $f_d$ that sum to 1 may be true. Compare each law with that of a client with nothing to report. With $b_d$ the bit in the
# item's cell (CMS) and $y_d$ the agreement of the sign (HCMS),

# %% jupyter={"source_hidden": true} tags=["evidence"]
b, y, pp = sp.symbols("b y p", positive=True)
qq = 1 - pp
linear_cms = (
    derivation(
        b * pp / qq + (1 - b) * qq / pp - 1,
        of=r"\text{CMS: } L_d = \frac{P_d}{P_\emptyset} - 1",
        names={b: "b_d"},
    )
    .equal((b * pp**2 + (1 - b) * qq**2 - pp * qq) / (pp * qq), "one denominator")
    .equal((2 * pp - 1) / (pp * qq) * (b - qq), "$q = 1 - p$")
)
linear_cms

# %% jupyter={"source_hidden": true} tags=["evidence"]
linear_hcms = derivation(
    (1 + y) / 2 * 2 * pp + (1 - y) / 2 * 2 * qq - 1,
    of=r"\text{HCMS: } L_d = \frac{P_d}{P_\emptyset} - 1",
    names={y: "y_d"},
).equal((2 * pp - 1) * y, "$q = 1 - p$")
linear_hcms

# %% [markdown]
# Each $L_d$ is *linear in one bit*. So every population, honest or poisoned, is a point of a flat space: shares $f$ give
# the law $P_f = P_\emptyset\,(1 + \sum_d f_d L_d)$, and $\beta$ of hidden fakes turn $f$ into
# $(1 - \beta) f + \beta G\,e_t$, where $e_t$ puts 1 on the target. Honest shares sum to 1; these sum to
# $1 + \theta$ with $\theta = \beta (G - 1)$. Under $P_\emptyset$ two bits are the same if the items share the
# cell and independent, or at least uncorrelated, otherwise. So $\operatorname{E}_\emptyset[L_d L_e] = K A_{de}$, where $A_{de}$ is the share of rows on which $d$ and
# $e$ are in one cell, and $K = \frac{(p - q)^2}{pq}$ (CMS) or $(p - q)^2$ (HCMS).
#
# ```{prf:theorem} The best test without knowing popularity
# :label: thm-sk-07-total
# Let $A$ be invertible, as it is in the shop, let the $N$ reports be independent draws from $P_f$ with unknown shares $f$, and let
# $S = \mathbf 1^\top (KA)^{-1} \mathbf 1$ and $T = \mathbf 1^\top (KA)^{-1} L$ for one report.
# 1. $\operatorname{E}_f[T] = \sum_d f_d$ for *all* shares $f$, and $T$ has variance $S$ under $P_\emptyset$. The mean of $T$ over the $N$ reports is the total
#    of the estimates over $N$, corrected for collisions.
# 2. Every honest law is at a squared distance of at least $\theta^2/S$ from the poisoned one, one is at exactly this
#    distance (where its shares are not negative), and from this one no test sees the fakes at a larger expected $z$
#    than $\theta\sqrt{N/S}$, to first order. That is what the mean of $T$ has.
# ```
#
# *To first order* is for many reports, few fakes and laws near $P_\emptyset$; the squared distance of $f$ and $f'$ is
# $\operatorname{E}_\emptyset[(P_f - P_{f'})^2 / P_\emptyset^2]$, which to first order is the mean log-likelihood ratio, doubled. In the words of statistics: $1/S$ is the Fisher
# information on the sum of the shares when the shares themselves are nuisance parameters, and $T$ is the efficient score
# {cite:p}`vandervaart1998asymptotic`.
#
# *Proof.*
# 1. $\operatorname{E}_f[L_d] = \operatorname{E}_\emptyset[L_d\,(1 + \sum_e f_e L_e)]$, which is $(KAf)_d$, as $\operatorname{E}_\emptyset[L_d] = 0$. So $\operatorname{E}_f[T] = \mathbf 1^\top f$, and
#    $\operatorname{E}_\emptyset[T^2] = \mathbf 1^\top (KA)^{-1} \mathbf 1 = S$.
# 2. The estimate of $d$ is $e_d = F(\sum L_d/K - \frac Nm)$, the sum running over the reports. So the sum of $T$ is a weighted total,
#    $\sum_d w_d (e_d/F + N/m)$ with $w = A^{-1} \mathbf 1$.
# 3. Let $\delta$ be the difference of the shares of the poisoned and an honest law: its sum is $\theta$. Put $g = \sum_d \delta_d L_d$;
#    the squared distance is $\operatorname{E}_\emptyset[g^2]$. By 1, with $P_\emptyset$, $\operatorname{E}_\emptyset[g\,T] = \theta$. Split $g$ into a multiple of $T$ and a rest:

# %% jupyter={"source_hidden": true} tags=["evidence"]
theta_, S_, R_ = sp.symbols("theta S R", positive=True)
share_of_t = sp.UnevaluatedExpr(theta_ / S_)
distance = (
    derivation(
        R_ + 2 * share_of_t * theta_ - share_of_t**2 * S_,
        of=r"\mathrm{E}_\emptyset[g^2]",
        names={R_: r"\mathrm{E}_\emptyset[(g - \tfrac{\theta}{S}T)^2]"},
    )
    .equal(R_ + theta_**2 / S_, r"$\mathrm{E}[gT] = θ$, $\mathrm{E}[T^2] = S$")
    .at_least(theta_**2 / S_, "a mean square")
)
distance


# %% [markdown]
# 4. Equality holds for $g = \frac{\theta}{S} T$, that is for $\delta = \frac{\theta}{S} (KA)^{-1} \mathbf 1$, whose sum is $\theta$.
# 5. Between two given laws at squared distance $\Delta^2$ the best test is the likelihood ratio (Neyman and Pearson). With $N$ reports its logarithm has, to first
#    order, means $\pm\frac12 N \Delta^2$ and the variance $N \Delta^2$: an expected $z$ of $\sqrt N \Delta = \theta \sqrt{N/S}$ for the
#    honest law of step 4.
# 6. A test that keeps its level for all honest populations keeps it for this one, so it sees no more. The mean of $T$ has mean shift $\theta$ and
#    standard deviation $\sqrt{S/N}$, so it sees as much. ∎
#
# *Away from* $P_\emptyset$, at another honest law, the information changes by a factor of at most $e^{\pm\varepsilon/2}$ for CMS and between
# $\frac{1}{2p}$ and $\frac{1}{2q}$ for HCMS, since $P_f/P_\emptyset$ does. How good is the first order really? Take the small world, all its reports,
# and $N = 10^6$ of them, with as many fakes as give an expected $z$ of 2.5. The power of the likelihood ratio, which no test can exceed, and that of
# the corrected total can then be computed exactly, by convolving the law of one report with itself. Here both alarm on one side only, as
# the likelihood ratio does.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def float_law(scheme, item, epsilon):
    """Laws of the small world at any ε, as an array over the reports."""
    e = np.exp(epsilon / 2 if scheme == "CMS" else epsilon)
    return np.array(list(law(scheme, item, p=e / (1 + e)).values()), dtype=float)


def exact_power(null, other, values, *, size, level=0.01, length=2**17):
    """Power of the test that rejects for large sums of the values of the reports.

    The law of a sum is a power of a Fourier transform; values are rounded to a grid
    of 1/5000 of the sum's standard deviation, and sums are taken modulo 26 of these.
    """
    values = values - null @ values
    step = sqrt(size * (null @ values**2)) / 5000
    on_grid = np.round(values / step).astype(int)
    centre = round(size * (null @ on_grid))
    tails = []
    for chances in (null, other):
        one = np.bincount(on_grid % length, weights=chances, minlength=length)
        sums = np.fft.irfft(np.fft.rfft(one) ** size, n=length)
        tails.append(np.roll(sums, length // 2 - centre)[::-1].cumsum())
    alarm, hit = tails
    last = np.searchsorted(alarm, level)  # the largest sums, with level in all
    part = (level - alarm[last - 1]) / (alarm[last] - alarm[last - 1])
    return hit[last - 1] + part * (hit[last] - hit[last - 1])


popular = np.array([0.4, 0.3, 0.3])


def compare(scheme, epsilon, size=1_000_000, z=2.5):
    """β, power of the likelihood ratio and of the corrected total."""
    none = float_law(scheme, None, epsilon)
    L = np.array([float_law(scheme, d, epsilon) for d in cells]) / none - 1
    gram = (L * none) @ L.T
    worth_ = -1 / L[0].min()  # G: U = G P − (G − 1) P∅ is 0 where the bit is wrong
    S = np.linalg.solve(gram, np.ones(3)).sum()
    theta = z * sqrt(S / size)
    beta = theta / (worth_ - 1)
    poisoned = (1 - beta) * popular + beta * worth_ * np.eye(3)[0]
    nearest = poisoned - theta / S * np.linalg.solve(gram, np.ones(3))
    assert nearest.min() > 0 and abs(nearest.sum() - 1) < 1e-9
    null, other = (none * (1 + f @ L) for f in (nearest, poisoned))
    T = np.linalg.solve(gram, np.ones(3)) @ L
    best = exact_power(null, other, np.log(other / null), size=size)
    return beta, best, exact_power(null, other, T, size=size)


cases = [(scheme, e) for scheme in ("CMS", "HCMS") for e in (0.1, 0.5, 1.0)]
rows_ = [compare(*case) for case in cases]
first_order = stats.norm.cdf(2.5 - stats.norm.isf(0.01))
betas_, best_power, total_power = np.array(rows_).T
table(
    {"scheme": [s for s, _ in cases], "ε": [e for _, e in cases],
     "share β of fakes": betas_, "likelihood ratio": best_power,
     "corrected total": total_power, "first order": [first_order] * len(cases)},
    formats={"share β of fakes": ".4f", "likelihood ratio": ".3f",
             "corrected total": ".3f", "first order": ".3f"},
    caption="Small world, a million reports: power at level 1 % against the nearest "
    "honest population. Only the last column is an approximation.",
)  # fmt: skip

# %% [markdown]
# At $\varepsilon = 0.1$ the total comes within 0.0011<!-- {shown_lost:.4f} --> of what is possible. At $\varepsilon = 1$ a test that uses how popular the
# three items are could see more: so few items leave their mark on every cell, which is far from $P_\emptyset$. The shop is nearer to it; first its $z$.

# %%
weights = np.linalg.solve(A, np.ones(43))  # the total without collisions
for scheme in (CMS, HCMS):
    p0 = scheme.flip if scheme is CMS else 0.5  # of a bit under P∅
    K = (scheme.keep - p0) ** 2 / (p0 * (1 - p0))
    S = weights.sum() / K
    theta = 0.01 * (G[scheme] - 1)
    print(f"{scheme.name}: expected z {theta * sqrt((n + n_fake) / S):.2f}")


# %% [markdown]
# With one fake in a hundred hidden, whoever has no idea what is popular sees next to nothing: to first order no test at level 1 % has more power than
# 2.2<!-- {blind_up:.1f} --> %, and the total, tested on both sides, has 1.4<!-- {shown_blind:.1f} --> %. (Against these fakes. An attacker who also thins
# out the bits of the other items shows still less, see {ref}`an exercise <ex-sk-07-shy>`.) The information at the shop's own popularity, instead of $P_\emptyset$, is
# about 1.7<!-- {in_text['info-cms']:.1f} --> % larger on CMS (from half a million reports drawn under $P_\emptyset$) and 8.1<!-- {in_text['info-hcms']:.1f} --> % on HCMS (all listed), so to first order a cleverer test has at
# most 4<!-- {info_z:.0f} --> % more $z$ there.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def as_sympy(values):
    return sp.Matrix([[sp.Rational(str(x)) for x in row] for row in values])


def efficient(scheme):
    """L of each item, K A and T, from the lists of all reports."""
    none = law(scheme, None)
    ratios = {
        d: {r: chance / none[r] - 1 for r, chance in law(scheme, d).items()}
        for d in cells
    }
    gram = [
        [sum(none[r] * ratios[d][r] * ratios[e][r] for r in none) for e in cells]
        for d in cells
    ]
    solved = as_sympy(gram).LUsolve(sp.ones(3, 1))
    weights = [Fraction(str(x)) for x in solved]
    T = {r: sum(w * ratios[d][r] for w, d in zip(weights, cells)) for r in none}
    return none, ratios, gram, weights, T


def information(scheme, draws=500):
    """1/S at the law of the shop's reports, and at P∅.

    E_f[s s'] = E∅[L L' / (1 + f L)] = K A + E∅[L L' (1 / (1 + f L) − 1)]; the last
    mean row by row: HCMS by listing all columns and signs, CMS from reports of
    clients with nothing to report.
    """
    K_, source = signal(scheme), np.random.default_rng(1_000_003)
    fisher = K_ * A
    for j in range(scheme.hashes):
        if scheme is CMS:
            bits = source.random((draws, width)) < q
            L = (p - q) / (p * q) * (bits[:, where[:, j]] - q)
        else:
            signs = hadamard_matrix(width)[:, where[:, j]]
            L = (scheme.keep - scheme.flip) * np.concatenate([signs, -signs])
        over = 1 / (1 + L @ (true / n)) - 1
        fisher = fisher + (L.T * over) @ L / len(L) / scheme.hashes
    at_null = K_ / np.linalg.solve(A, np.ones(D)).sum()
    return 1 / np.linalg.solve(fisher, np.ones(D)).sum(), at_null


def signal(scheme):
    """K of a scheme."""
    other = scheme.flip if scheme is CMS else 0.5
    return (scheme.keep - other) ** 2 / (other * (1 - other))


grid = [(i, j, 10 - i - j) for i in range(11) for j in range(11 - i)]
with claim("S-B7a") as c:
    first = R_ + 2 * share_of_t * theta_ - share_of_t**2 * S_
    c.decisive("proved").derived(distance, first, theta_**2 / S_, "distance")
    first = b * pp / qq + (1 - b) * qq / pp - 1
    last = (2 * pp - 1) / (pp * qq) * (b - qq)
    c.decisive("proved").derived(linear_cms, first, last, "CMS: linear in one bit")
    first = (1 + y) / 2 * 2 * pp + (1 - y) / 2 * 2 * qq - 1
    last = (2 * pp - 1) * y
    c.decisive("proved").derived(linear_hcms, first, last, "HCMS: linear in one sign")
    for scheme, K_ in (("CMS", Fraction(4, 3)), ("HCMS", Fraction(16, 25))):
        none, ratios, gram, w_, T = efficient(scheme)
        shared = [
            [Fraction(sum(x == y for x, y in zip(g, h)), 2) for h in cells.values()]
            for g in cells.values()
        ]
        by_formula = [[K_ * x for x in row] for row in shared]
        c.exact(gram, by_formula, f"{scheme}, small world: E∅[L L'] = K A")
        means = [
            sum(chance * T[r] for r, chance in law(scheme, d).items()) for d in cells
        ]
        c.exact(means, [Fraction(1)] * 3, f"{scheme}: T has mean 1 whatever the item")
        second = sum(none[r] * T[r] ** 2 for r in none)
        c.exact(second, sum(w_), f"{scheme}: and the variance S under P∅")
        fake, mix = spared(scheme), Fraction(1, 20)
        start = [Fraction(4, 10), Fraction(3, 10), Fraction(3, 10)]
        true_law = {
            r: none[r] * (1 + sum(f * ratios[d][r] for f, d in zip(start, cells)))
            for r in none
        }
        poisoned = {r: (1 - mix) * true_law[r] + mix * fake[r] for r in none}
        shift = mix * (worth[scheme] - 1)
        honest_laws = [
            {
                r: none[r] * (1 + sum(f * ratios[d][r] for f, d in zip(fs, cells)))
                for r in none
            }
            for fs in [[Fraction(x, 10) for x in f] for f in grid]
        ]
        apart = [
            sum((poisoned[r] - other[r]) ** 2 / none[r] for r in none)
            for other in honest_laws
        ]
        mixed = [(1 - mix) * f for f in start]
        mixed[0] += mix * worth[scheme]
        offs = [[x - Fraction(y, 10) for x, y in zip(mixed, f)] for f in grid]
        by_form = [
            sum(
                x * row[i] * y
                for x, row in zip(off, by_formula)
                for i, y in enumerate(off)
            )
            for off in offs
        ]
        label = f"{scheme}: distances of {len(grid)} honest populations, by K A"
        c.exact(apart, by_form, label)
        bound = shift**2 / sum(w_)
        label = f"{scheme}: {len(grid)} honest populations, all as far as θ²/S"
        c.at_most(bound, min(apart), label)
        close_by = {r: poisoned[r] - shift / sum(w_) * none[r] * T[r] for r in none}
        sums = (sum(close_by.values()), sum(close_by[r] * T[r] for r in none))
        c.exact(sums, (Fraction(1), Fraction(1)), f"{scheme}: the nearest is honest")
        nearest = sum((poisoned[r] - close_by[r]) ** 2 / none[r] for r in none)
        c.exact(nearest, bound, f"{scheme}: and at exactly this distance")
    near_null = np.array([e for _, e in cases]) == 0.1
    powers = total_power[near_null], best_power[near_null]
    label = "small world, ε = 0.1: power of the total, and of the best test"
    c.close(*powers, label, rtol=0, atol=0.01)
    label = "ε ≤ 1: the total never exceeds it"
    c.at_most(total_power, best_power, label, slack=1e-4)
    for scheme in (CMS, HCMS):
        S_shop = weights.sum() / signal(scheme)
        sums = (honest[scheme] / scheme.factor + n / width) @ weights
        error = sqrt(n * S_shop / len(sums))
        c.sampled(sums.mean(), n, f"{scheme.name}, 43 items: mean N", stderr=error)
        error = n * S_shop * sqrt(2 / (len(sums) - 1))
        label = f"{scheme.name}, 43 items: variance N S"
        c.sampled(sums.var(ddof=1), n * S_shop, label, stderr=error)
        for shares in (true, true[::-1], np.arange(D) ** 3):
            users_of = dict(zip(items, shares.tolist()))
            mean = scheme.moments(users_of).mean / scheme.factor
            told = weights @ (mean + shares.sum() / width)
            label = f"{scheme.name}: the mean total of another popularity"
            c.close(told, shares.sum(), label, rtol=1e-9)

lost = np.subtract(*powers[::-1]).max()
shown_lost = float(lost)
assert np.linalg.matrix_rank(A) == D  # invertible
found = {scheme: information(scheme) for scheme in (CMS, HCMS)}
for scheme, name in ((CMS, "cms"), (HCMS, "hcms")):
    more = found[scheme][0] / found[scheme][1] - 1
    in_text[f"info-{name}"] = round(float(100 * more), 3)
    assert (0.0155 < more < 0.018) if scheme is CMS else (0.081 < more < 0.082)
most = max(sqrt(inner / outer) for inner, outer in found.values()) - 1
info_z = float(100 * most)
blind_z = [
    float(0.01 * (G[k] - 1) * sqrt((n + n_fake) * signal(k) / weights.sum()))
    for k in (CMS, HCMS)
]
blind = [defences.power(z) for z in blind_z]
above = stats.norm.sf(stats.norm.isf(0.01) - np.array(blind_z))  # no test has more
assert (blind < above).all()
shown_blind = float(100 * max(blind))
blind_up = float(100 * max(above))

# %% [markdown]
# ## If last month is known
#
# A server with last month's counts need not look at the total. It compares *each item* with what it expects, so the target itself;
# if that is 43 comparisons, each gets a 43rd of the level (Bonferroni).

# %%
for scheme in (CMS, HCMS):
    usual, grown = scheme.moments(counts), 1 + n_fake / n
    rise = poisoning.frequency_gain(scheme, "mga", n_fake=n_fake, targets=1)
    shift = rise - n_fake / n * usual.mean[at]
    z = shift / (usual.sd[at] * sqrt(grown))
    print(f"{scheme.name}: z = {z:.2f}, power {defences.power(z, tests=43):.2f},")
    print(f"      and if it watches A18 alone {defences.power(z):.2f}")

# %% [markdown]
# Where the total expects a $z$ of less than a third, the item expects more than two: whoever knew that A18 is at stake had a fair chance to see one fake
# in a hundred. The two regimes are worlds apart. How many fakes does each test need?

# %% jupyter={"source_hidden": true} tags=["set-up"]
usual = {scheme: scheme.moments(counts) for scheme in (CMS, HCMS)}
rise = {
    scheme: poisoning.frequency_gain(scheme, "mga", n_fake=1, targets=1)
    for scheme in (CMS, HCMS)
}


def z_item(scheme, size, drift=0.0):
    """Expected z of the target's estimate, if popularity drifts by so many clicks."""
    law_ = usual[scheme]
    spread = law_.variance[at] * (1 + size / n) + drift**2 * (1 - 1 / D)
    return size * (rise[scheme] - law_.mean[at] / n) / np.sqrt(spread)


def z_free(scheme, size):
    """Expected z of the corrected total: the best there is without popularity."""
    S_shop = weights.sum() / signal(scheme)
    return size * (G[scheme] - 1) / np.sqrt((n + size) * S_shop)


def share_for_half(z, tests=1):
    """Share of fakes at which the power is one half."""
    def lacking(beta):
        size = n * beta / (1 - beta)
        return defences.power(float(z(size)), tests=tests) - 0.5

    return optimize.brentq(lacking, 1e-6, 0.9)


tests_of = {
    "HCMS printed": ("load of a column", "anything", z_column, width),
    "CMS hidden, total": ("total", "anything", lambda s: z_free(CMS, s), 1),
    "HCMS hidden, total": ("total", "anything", lambda s: z_free(HCMS, s), 1),
    "CMS hidden, item": ("each item", "last month", lambda s: z_item(CMS, s), D),
    "HCMS hidden, item": ("each item", "last month", lambda s: z_item(HCMS, s), D),
}
halves = {name: share_for_half(z, k) for name, (_, _, z, k) in tests_of.items()}
table(
    {"fakes": [name.split(",")[0] for name in tests_of],
     "best test of the page": [row[0] for row in tests_of.values()],
     "popularity may be": [row[1] for row in tests_of.values()],
     "β for power 1/2 (%)": [100 * x for x in halves.values()]},
    formats={"β for power 1/2 (%)": ".2f"},
    caption="Share of fakes that a two-sided test at level 1 % sees with probability "
    "1/2, of about 50,000 reports. One printed CMS fake is enough and has no line.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Power of two-sided tests at level 1 % against the share \u03b2 of fakes, about 50,000 reports. Left, popularity unknown, one printed fake is seen on CMS and 0.16 % of them on HCMS, the hidden ones only when every twelfth (CMS) or ninth (HCMS) client is fake; a test of one side, and to first order no test does better, sees them when every fourteenth or tenth is. Right, last month known, comparing each item sees hidden fakes of 1.29 % and 1.65 % every second time.", "name": "fig-sk-07-power"}, "image": {"alt": "Two panels of power curves against the share of fakes on a logarithmic axis. Left the weight of a printed CMS report is at 1 from a single fake on, the column of printed HCMS reports rises at 0.16 per cent, the totals against hidden fakes rise around 8 and 11 per cent. Right the tests of each item rise between 0.5 and 2.5 per cent."}} tags=["figure"]
one_sided = [
    optimize.brentq(
        lambda x, k=k: z_free(k, n * x / (1 - x)) - stats.norm.isf(0.01), 1e-6, 0.9
    )
    for k in (CMS, HCMS)
]  # shares for power one half
two_sided = [halves[f"{s} hidden, total"] for s in ("CMS", "HCMS")]
assert [round(1 / x) for x in two_sided + one_sided] == [12, 9, 14, 10]
item_halves = [round(100 * halves[f"{s} hidden, item"], 2) for s in ("CMS", "HCMS")]
assert item_halves == [1.29, 1.65]
assert round(100 * halves["HCMS printed"], 2) == 0.16
for scheme in (CMS, HCMS):  # the nearest honest population has no negative shares
    mix = halves[f"{scheme.name} hidden, total"]
    shares_of = (1 - mix) * true / n + mix * G[scheme] * (np.arange(D) == at)
    nearest_of = shares_of - mix * (G[scheme] - 1) * weights / weights.sum()
    assert np.isclose(nearest_of.sum(), 1) and nearest_of.min() > 0
betas = np.geomspace(1e-5, 0.3, 90)
sizes = n * betas / (1 - betas)
curves = {
    name: [defences.power(float(z(s)), tests=k) for s in sizes]
    for name, (_, _, z, k) in tests_of.items()
}
fig, (left_ax, right_ax) = plots.panels(1, 2, width=9.2, height=3.9, sharey=True)
one = 1 / (n + 1)
left_ax.step([betas[0], one, one, 0.3], [0.01, 0.01, 1, 1],
             color=plots.COLOURS["black"], ls="-",
             label="CMS printed, weight")  # fmt: skip
looks = {
    "HCMS printed": (left_ax, "purple", "-", "HCMS printed, column"),
    "CMS hidden, total": (left_ax, "blue", "--", "CMS hidden, total"),
    "HCMS hidden, total": (left_ax, "orange", "--", "HCMS hidden, total"),
    "CMS hidden, item": (right_ax, "blue", "-", "CMS hidden, each item"),
    "HCMS hidden, item": (right_ax, "orange", "-", "HCMS hidden, each item"),
}
for name, (ax, colour, style, label) in looks.items():
    ax.plot(betas, curves[name], color=plots.COLOURS[colour], ls=style, label=label)
for ax, title in ((left_ax, "popularity unknown"), (right_ax, "last month known")):
    ax.axvline(0.01, color=plots.COLOURS["grey"], lw=1, ls="-")
    ax.set(xscale="log", xlabel="share β of fakes", title=title)
    ax.legend(loc="upper center", fontsize=8.5, bbox_to_anchor=(0.5, -0.2), ncol=2)
left_ax.set_ylabel("power")
right_ax.text(0.0104, 0.03, "the paper's β", fontsize=8.5, color="#555555")
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
own = CMS.family.positions([target])[0]


def hidden_sketch(scheme, size):
    """Sketch of any number of hidden fakes, drawn like an honest one."""
    k = scheme.hashes
    users = rng.multinomial(size, np.full(k, 1 / k))
    if scheme is CMS:
        plus = rng.binomial(users[:, None], scheme.flip, size=(k, width))
        plus[np.arange(k), own] = users
        signed = 2 * plus - users[:, None]
    else:
        even = np.full(width, 1 / width)
        signed = rng.multinomial(users, even) * hadamard_matrix(width)[own]
    return Sketch(scheme, signed, users)


def largest(scheme, size, run):
    """Largest |z| of the 43 items with this many fakes among the reports."""
    estimates = honest[scheme][run] + hidden_sketch(scheme, size).estimate(items)
    law_, grown = usual[scheme], 1 + size / n
    return np.abs(estimates - grown * law_.mean) / (law_.sd * sqrt(grown))


limit_43 = stats.norm.isf(0.01 / D / 2)
for k, name in ((CMS, "cms"), (HCMS, "hcms")):
    half_share = float(100 * halves[f"{k.name} hidden, item"])
    in_text[f"half-{name}"] = round(half_share, 4)
hidden_names = {CMS: "CMS padded", HCMS: "HCMS random ℓ"}
with claim("S-B7b") as c:
    level = 2 * D * stats.norm.sf(limit_43)
    c.close(level, 0.01, "level of 43 two-sided tests together", rtol=1e-9)
    for scheme, beta in ((CMS, "0.0129"), (HCMS, "0.0165")):
        size = poisoning.n_fake_users(n, beta)
        z_true = z_item(scheme, size)
        z, quiet = (
            np.array([largest(scheme, some, run) for run in range(100)])
            for some in (size, 0)
        )
        alarm, false = (int((x.max(axis=1) > limit_43).sum()) for x in (z, quiet))
        label = f"{scheme.name}, hidden fakes: share for power one half, to 0.01 %"
        half = halves[f"{scheme.name} hidden, item"]
        c.decisive("one example").close(half, float(beta), label, rtol=0, atol=5e-5)
        label = f"{scheme.name}, β = {beta}, hidden fakes: share of alarms, 100 runs"
        chance = defences.power(float(z_true), tests=D)
        c.decisive("simulated").sampled(alarm / 100, chance, label, stderr=0.05)
        error = 1 / sqrt(len(z))
        label = f"{scheme.name}: mean z of the target, expected {z_true:.2f}"
        c.sampled(z[:, at].mean(), z_true, label, stderr=error)
        label = f"{scheme.name}, no fakes: {false} alarms in 100, 1 expected"
        c.at_most(false, 6, label)
        many = 10**6
        got = hidden_sketch(scheme, many).estimate(items) / many
        up, other = (
            sp.lambdify(share, x.subs(at_one)) for x in expected[hidden_names[scheme]]
        )
        told = np.where(rest, other(A[at]), up(0))
        error = scheme.factor * scheme.debias_factor / sqrt(many)  # at most
        label = f"{scheme.name}: a million fakes as a sketch: what 43 items gain"
        c.sampled(got, told, label, stderr=np.where(rest, error, 1e-9))

# %% [markdown]
# ## How much may tastes change?
#
# Last month is not this month. Let the popularity of each item drift by $\tau$ clicks (one standard deviation; what
# one item gains the others lose). To the test of one item this is more noise: its variance grows by about $\tau^2$. The total does not notice,
# as a drift moves no clicks in or out. And the best linear combination of all estimates, for fakes on A18?
#
# ```{prf:proposition} Between the two regimes
# :label: prop-sk-07-drift
# Without collisions, to first order and with a drift of covariance $\tau^2 (I - \frac1D \mathbf 1 \mathbf 1^\top)$, the best linear test for a given
# target expects, with $\delta$ the expected change of the 43 estimates and $v = N/K$ the variance of one,
#
# $$ z^2 = \underbrace{\frac{(\mathbf 1^\top \delta)^2}{D v}}_{\text{the total}} +
#    \underbrace{\frac{|\delta|^2 - (\mathbf 1^\top \delta)^2 / D}{v + \tau^2}}_{\text{which items}} . $$
# ```
#
# *Proof.* The estimates have the covariance $v I + \tau^2 (I - \frac1D \mathbf 1 \mathbf 1^\top)$, which is $v$ along $\mathbf 1$ and $v + \tau^2$
# across it; the best linear test has $z^2 = \delta^\top \operatorname{Cov}^{-1} \delta$. ∎
#
# So the regimes are the ends of one line. At $\tau = 0$ the target counts fully; as $\tau$ grows, what tells the items apart fades, and the
# total stays.
#
# How large is $\tau$ in this shop? The clicks are of five months, April to August 2008. A server that takes one month for the next
# errs by this much:

# %% jupyter={"source_hidden": true} tags=["set-up"]
monthly = """
593 801 530 741 631 499 464 416 516 647 727 579 478 219 809 445 445 250 110 170 516
176 106 63 123 142 119 172 221 235 478 205 306 165 116 73 179 113 119 118 234 198 67
413 552 358 620 471 384 295 303 412 463 531 375 355 189 660 349 263 190 97 129 349
136 114 87 102 150 113 148 203 171 450 129 232 106 132 109 146 104 89 68 226 129 40
413 550 355 576 408 324 279 267 310 407 521 357 296 187 509 271 275 162 61 85 265
123 119 74 84 107 106 112 143 121 290 106 147 95 150 113 160 85 83 61 165 123 46 598
783 503 452 612 428 400 439 495 549 720 486 347 238 409 233 363 233 70 119 192 120
59 51 45 59 72 65 113 131 169 142 111 131 76 53 182 106 120 74 99 154 70 248 327 186
133 232 167 184 160 190 214 290 213 101 93 102 90 185 102 21 39 66 67 10 13 7 20 10
12 35 37 38 61 43 61 14 8 89 56 62 27 26 62 23
"""  # clicks on A1 to A43, month after month
months = np.array(monthly.split(), dtype=int).reshape(5, D)
names = ["April", "May", "June", "July", "August"]


def change(one, other):
    """Change of popularity in clicks of n: as counted, and without chance."""
    a_, b_ = (x / x.sum() for x in (one, other))
    seen_ = n**2 * np.mean((b_ - a_) ** 2)
    chance = n**2 * np.mean(a_ / one.sum() + b_ / other.sum())
    return sqrt(seen_), sqrt(seen_ - chance)


drifts = [change(*pair) for pair in pairwise(months)]
item_shares = {
    scheme: [
        share_for_half(lambda s, t=t, k=scheme: z_item(k, s, t), D)
        for _, t in drifts
    ]
    for scheme in (CMS, HCMS)
}
table(
    {"from": names[:-1], "to": names[1:],
     "change per item (clicks)": [x for x, _ in drifts],
     "without chance: τ": [x for _, x in drifts],
     "CMS: β for 1/2 (%)": [100 * x for x in item_shares[CMS]],
     "HCMS: β for 1/2 (%)": [100 * x for x in item_shares[HCMS]]},
    formats={"change per item (clicks)": ".0f", "without chance: τ": ".0f",
             "CMS: β for 1/2 (%)": ".2f", "HCMS: β for 1/2 (%)": ".2f"},
    caption="How popularity changed in the shop, root mean square over the 43 items "
    "in clicks of 49,742, and the share of hidden fakes that the test of each item "
    "then sees every second time.",
)  # fmt: skip


# %% jupyter={"source_hidden": true} tags=["evidence"]
def too_much(scheme):
    """Drift at which the test of each item needs as many fakes as the total."""
    flat_share = halves[f"{scheme.name} hidden, total"]

    def lacking(drift):
        return share_for_half(lambda s: z_item(scheme, s, drift), D) - flat_share

    return optimize.brentq(lacking, 1, 1e5)


RAW = Path(os.environ.get("PRIVLIB_DATA", "")) / "e-shop_clothing_2008.csv.gz"
if RAW.is_file():  # the typed counts, against the published file
    lines = gzip.decompress(RAW.read_bytes()).decode().splitlines()
    found_in = np.zeros_like(months)
    for line in lines[1:]:
        _, month, *_, category, model = line.split(";")[:8]
        if category == "1":
            found_in[int(month) - 4, int(model[1:]) - 1] += 1
    assert np.array_equal(found_in, months)
assert np.array_equal(months.sum(axis=0), true)

crossing = {scheme: too_much(scheme) for scheme in (CMS, HCMS)}
v, tau = sp.symbols("v tau", positive=True)
products, parts_of = [], []
for size in range(2, 7):
    along = sp.ones(size, size) / size  # onto the vector of ones
    across = sp.eye(size) - along
    covariance = v * sp.eye(size) + tau**2 * across
    inverse = along / v + across / (v + tau**2)
    products.append((covariance * inverse).applyfunc(sp.simplify))
    d_ = sp.Matrix(sp.symbols(f"delta1:{size + 1}", real=True))
    lone = sum(d_) ** 2 / size
    by_parts = lone / v + ((d_.T * d_)[0] - lone) / (v + tau**2)
    parts_of.append(sp.simplify((d_.T * inverse * d_)[0] - by_parts))
with claim("S-B7c") as c:
    label = "2 to 6 items: covariance times the inverse in two parts"
    c.decisive("exhaustive").exact(products, [sp.eye(k) for k in range(2, 7)], label)
    c.exact(parts_of, [0] * 5, "which gives z² in two parts")
    for scheme in (CMS, HCMS):
        flat_share = halves[f"{scheme.name} hidden, total"]
        size, law_ = n * flat_share / (1 - flat_share), usual[scheme]
        noise_var = law_.variance[at] * (1 + size / n)
        allowed = (size * (rise[scheme] - law_.mean[at] / n) / limit_43) ** 2
        in_closed_form = sqrt((allowed - noise_var) / (1 - 1 / D))
        label = f"{scheme.name}: drift where they meet, by root finding and closed"
        met = crossing[scheme]
        idle = scheme.flip if scheme is CMS else 0.5  # right bits of idle clients
        G_ = (1 - idle) / (scheme.keep - idle)
        total_z = size * (G_ - 1) / sqrt((n + size) * weights.sum() / signal(scheme))
        told = f"{scheme.name}: z of the total there"
        c.close(total_z, stats.norm.isf(0.005), told, rtol=1e-6)
        c.decisive("one example").close(met, in_closed_form, label, rtol=1e-6)
        moved = rng.normal(0, 300, size=(len(honest[scheme]), D))
        moved -= moved.mean(axis=1, keepdims=True)
        drifted = honest[scheme] + scheme.factor * moved @ A
        spread = law_.variance[at] + 300**2 * (1 - 1 / D)
        error = spread * sqrt(2 / (len(drifted) - 1))
        label = f"{scheme.name}, τ = 300: variance of the target, {len(drifted)} runs"
        c.sampled(drifted[:, at].var(ddof=1), spread, label, stderr=error)
        sums = (drifted - honest[scheme]) @ weights
        c.close(sums, np.zeros(len(sums)), "the total stays", rtol=0, atol=1e-6)
    largest_drift = max(t for _, t in drifts)
    label = f"this shop: at most {largest_drift:.0f} clicks a month, far below both"
    times = np.array(list(crossing.values())) / largest_drift
    c.decisive("one example").at_most(7, times, label)
    c.at_most(times, 10, "but less than ten times")
mean_clicks = round(n / D, 3)
cross_cms = round(float(crossing[CMS]), -1)
cross_hcms = round(float(crossing[HCMS]), -1)
for k, name in ((CMS, "cms"), (HCMS, "hcms")):
    in_text[f"sd-{name}"] = round(float(usual[k].sd[at]), 2)

# %% [markdown]
# The mean item has 1157<!-- {mean_clicks:.0f} --> clicks, so tastes move by a tenth to a third within a month, and the test of
# each item hardly suffers. It needs as many fakes as the total does only at a drift of 3,010<!-- {cross_cms:,.0f} --> clicks on CMS and
# 3,780<!-- {cross_hcms:,.0f} --> on HCMS, that is, when last month says nothing about this one. (A server that must *estimate* last month from a
# sketch of the same size has a drift of its own of
# 445<!-- {in_text['sd-cms']:.0f} --> or 485<!-- {in_text['sd-hcms']:.0f} --> clicks, the noise of one estimate.)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The share of hidden fakes that is seen every second time, against the drift of tastes. The test of each item gets worse with the drift, the total does not care; they meet at the dots. Grey, the drift of this shop from month to month.", "name": "fig-sk-07-drift"}, "image": {"alt": "Share of fakes against drift in clicks, both on logarithmic axes from 10 to 10,000 clicks. Solid curves for the test of each item stay near 1.3 and 1.6 per cent up to a few hundred clicks and then rise; dashed horizontal lines for the total at 8 and 11 per cent. They cross at about 3000 clicks for CMS and 3700 for HCMS. A grey band from 130 to 390 clicks."}} tags=["figure"]
assert 2800 < crossing[CMS] < 3200 and 3500 < crossing[HCMS] < 3900
assert all(125 < t < 390 for _, t in drifts)
fig, ax = plots.panels(height=3.4, width=7.0)
reach = np.geomspace(10, 10_000, 60)
for scheme, name in ((CMS, "blue"), (HCMS, "orange")):
    needs = [
        100 * share_for_half(lambda s, t=t, k=scheme: z_item(k, s, t), D)
        for t in reach
    ]
    flat_line = 100 * halves[f"{scheme.name} hidden, total"]
    colour = plots.COLOURS[name]
    ax.plot(reach, needs, color=colour, ls="-", label=f"{scheme.name}, each item")
    ax.axhline(flat_line, color=colour, ls="--", label=f"{scheme.name}, total")
    ax.plot(crossing[scheme], flat_line, "o", color=colour)
ax.axvspan(min(t for _, t in drifts), max(t for _, t in drifts), color="#bbbbbb",
           alpha=0.5, lw=0)  # fmt: skip
ax.set(xscale="log", yscale="log", xlim=(10, 10_000), ylim=(1, 40))
ax.set(xlabel="drift τ of an item (clicks)", ylabel="β for power 1/2 (%)")
ax.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
ax.yaxis.set_minor_locator(plt.NullLocator())
ax.legend(fontsize=8.5)
plt.show()

# %% [markdown]
# ## Do more users help?
#
# Fifty thousand clicks are few. What happens at a million, or a billion? Nobody wants to draw a billion
# reports for that, and nobody has to. Given how many users of each item draw a row, the number of $+1$ in a
# cell is a sum of independent coins, so the whole sketch can be drawn from multinomial and binomial
# distributions: exactly the law of the sketch, at a cost that does not depend on $n$. One hidden fake in a hundred:

# %% jupyter={"source_hidden": true} tags=["set-up"]
rng = np.random.default_rng(2008)
powers_of_ten = list(range(4, 10))
one_draw = {CMS: [], HCMS: []}
predicted_z = {CMS: [], HCMS: []}
for exponent in powers_of_ten:
    scaled = {d: f * 10**exponent // n for d, f in counts.items()}
    users = sum(scaled.values())
    size = users // 99
    for scheme in (CMS, HCMS):
        sketch = scheme.simulate(scaled, rng) + hidden_sketch(scheme, size)
        entries = sketch.estimate(items) / scheme.factor + sketch.n / width
        corrected = entries @ weights
        S_shop = weights.sum() / signal(scheme)
        one_draw[scheme].append((corrected - sketch.n) / sqrt(sketch.n * S_shop))
        step = size * (G[scheme] - 1)
        predicted_z[scheme].append(step / sqrt(sketch.n * S_shop))
table(
    {"honest users": [f"$10^{k}$" for k in powers_of_ten],
     "CMS, one draw": one_draw[CMS], "CMS, expected": predicted_z[CMS],
     "HCMS, one draw": one_draw[HCMS], "HCMS, expected": predicted_z[HCMS]},
    formats=dict.fromkeys(("CMS, one draw", "CMS, expected", "HCMS, one draw",
                           "HCMS, expected"), ".1f"),
    caption="z of the corrected total, one hidden fake in a hundred.",
)  # fmt: skip


# %% [markdown]
# At fifty thousand users one hidden fake in a hundred can hardly be told from chance by a server that does not know what is popular; at ten million
# the total often gives it away, and at a hundred million surely, provided that the list of items is complete. Its excess grows like $n$, its noise like $\sqrt n$.
#
# A billion reports need not sit on one machine either. A sketch is a table of integer sums, so the sketches of two halves add up to that of
# the whole, in any order, bit for bit; `privlib.research.distributed_sketches` does it with Dask, and {doc}`the benchmarks </book/benchmarks>`
# say how fast.

# %% jupyter={"source_hidden": true} tags=["evidence"]
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


def as_cells(scheme, report):
    """What a report adds to the eight cells."""
    added = np.zeros((2, 4))
    if scheme == "CMS":
        added[report[0]] = report[1]
    else:
        added[report[:2]] = report[2]
    return added.ravel()


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


runs = 4000
with claim("S-B4") as c:
    for name, scheme in small.items():
        drawn = [
            numbers_drawn(scheme, dict.fromkeys(cells, 10**x)) for x in (6, 9, 12)
        ]
        label = f"{name}, small world: {drawn[0]} numbers for 10^6 to 10^12 users"
        c.decisive("sampled").exact(drawn[1:], drawn[:1] * 2, label)
    for name, scheme in small.items():
        got = np.array(
            [scheme.simulate(few, rng).signed.ravel() for _ in range(runs)]
        )
        mean, covariance = exact_moments(name)
        sd = np.sqrt(np.diag(covariance))
        label = f"{name}: mean of every cell, {runs} sketches"
        c.decisive().sampled(got.mean(axis=0), mean, label, stderr=sd / sqrt(runs))
        off = got - mean
        squares = (off * np.linalg.solve(covariance, off.T).T).sum(axis=1)
        label = f"{name}: mean squared distance of the 8 cells, in standard units"
        c.sampled(squares.mean(), 8, label, stderr=sqrt(2 * 8 / runs))
        spread = sqrt(1 / runs) * np.sqrt(np.outer(sd**2, sd**2) + covariance**2)
        label = f"{name}: all 36 variances and covariances"
        c.decisive().sampled(
            np.cov(got.T), covariance, label, stderr=spread, threshold=4.5
        )
    for scheme in (CMS, HCMS):
        law_ = usual[scheme]
        ratio = ((honest[scheme] - law_.mean) ** 2 / law_.variance).mean()
        error = sqrt(2 / len(honest[scheme]) / D)
        label = f"{scheme.name}, 43 items: squared errors over exact variances, mean"
        c.sampled(ratio, 1, label, stderr=error)
for scheme in (CMS, HCMS):
    error = np.subtract(one_draw[scheme], predicted_z[scheme])
    assert np.abs(error).max() < 4  # standard normal
chances = [defences.power(float(predicted_z[k][3])) for k in (CMS, HCMS)]
later = [defences.power(float(predicted_z[k][4])) for k in (CMS, HCMS)]
assert 0.5 < min(chances) < 0.8 and min(later) > 0.9999  # as said above

# %% jupyter={"source_hidden": true} tags=["evidence"]
part, popularity = 50_000, true / n
streams = np.random.SeedSequence(7).spawn(8)


def make_part(stream, scheme=HCMS, size=part, shares=popularity):
    """Reports of one part of the users, from a random stream of its own."""
    source = np.random.default_rng(stream)
    numbers = source.multinomial(size, shares)
    return scheme.privatize(np.repeat(items, numbers), source)


parts = [dask.delayed(make_part)(stream) for stream in streams]
with dask.config.set(scheduler="synchronous"):
    by_dask = distributed_sketches.aggregate(HCMS, parts)
reports = np.concatenate([make_part(stream) for stream in streams])
row, column, sign = HCMS.unpack(reports)
by_hand = np.zeros((HCMS.hashes, HCMS.width), dtype=np.int64)
np.add.at(by_hand, (row, column), sign)
shuffled = np.array_split(rng.permutation(reports), 7)
pieces = [HCMS.aggregate(piece) for piece in shuffled]
with claim("S-B18") as c:
    label = "8 parts added by Dask, and the signs added up by hand"
    c.decisive("one example").exact(by_dask.signed, by_hand, label)
    label = "shuffled, cut in 7, added: and by hand"
    c.decisive("one example").exact(sum(pieces).signed, by_hand, label)
    c.exact(by_dask.n, len(reports), "reports that arrived")
    sd = HCMS.moments(counts).sd * sqrt(len(reports) / n)
    center = HCMS.moments(counts).mean * (len(reports) / n)
    c.sampled(by_dask.estimate(items), center, "its 43 estimates", stderr=sd)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} Clipping without the shift
# :label: ex-sk-07-clip
# ```
# **Warm-up.** A server does less than norm-sub: it sets negative estimates to zero and publishes the rest.
# What do the two printed attacks gain then?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-07-clip", ...)

# %% [markdown]
# ```{solution-start} ex-sk-07-clip
# :class: dropdown
# ```
# All of their raw gain, as long as the target's honest estimate is positive: without a shift nothing is taken
# from anybody. It is the shift that decides.

# %% jupyter={"source_hidden": true} tags=["evidence"]
left_share = []
for name, (scheme, _) in attacks.items():
    before = np.clip(honest[scheme], 0, None)[:, at]
    lift = np.clip(honest[scheme] + effects[name], 0, None)[:, at] - before
    positive = honest[scheme][:, at] > 0
    assert positive.mean() > 0.9
    assert np.allclose(lift[positive], effects[name][at])
    left_share.append(np.mean(lift[positive]) / effects[name][at])
check("sk-07-clip", min(left_share))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many users are enough?
# :label: ex-sk-07-enough
# ```
# **Standard.** Nobody knows what is popular, and one client in a hundred is a hidden fake. From how many reports on does the
# corrected total, tested on both sides at level 1 %, see it every second time? Use {prf:ref}`thm-sk-07-total` with $S = 126$ (CMS) and $151$ (HCMS).
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-07-enough", ...)

# %% [markdown]
# ```{solution-start} ex-sk-07-enough
# :class: dropdown
# ```
# The expected $z$ has to be 2.576 (two-sided), so $N = S\,(2.576/\theta)^2$ with $\theta = 0.01\,(G - 1)$: about 3.5 million reports on CMS
# and 7.4 million on HCMS. Simulated on CMS, the test sees the fakes in about half of the runs.

# %% jupyter={"source_hidden": true} tags=["evidence"]
enough = {
    scheme: weights.sum() / signal(scheme)
    * (stats.norm.isf(0.005) / (0.01 * (G[scheme] - 1))) ** 2
    for scheme in (CMS, HCMS)
}  # fmt: skip
assert [round(x / 1e6, 1) for x in enough.values()] == [3.5, 7.4]
assert [round(weights.sum() / signal(k)) for k in enough] == [126, 151]  # S
scaled = {d: int(f * 0.99 * enough[CMS] / n) for d, f in counts.items()}
alarms, runs = 0, 64
for _ in range(runs):
    sketch = CMS.simulate(scaled, rng)
    sketch = sketch + hidden_sketch(CMS, sketch.n // 99)
    entries = sketch.estimate(items) / CMS.factor + sketch.n / width
    sd = sqrt(sketch.n * weights.sum() / signal(CMS))
    alarms += abs(entries @ weights - sketch.n) > stats.norm.isf(0.005) * sd
assert abs(alarms - runs / 2) < 16  # four standard errors
check("sk-07-enough", [*enough.values()])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A shyer fake
# :label: ex-sk-07-shy
# ```
# **Research.** Hidden fakes on CMS keep the target's bit and give all other cells honest noise. Can an attacker who keeps the target's bit show
# even less to a server that does not know popularity? Tilt the other bits: let a fake with the other items' scores $L_d$ be sent with
# $1 - \kappa \bar L$ times its usual probability, where $\bar L$ is the mean of the $L_d$ of the $D - 1$ other items. Which $\kappa$ shows least, in terms of $D$ and of
# the chance $p$ that a bit is kept? Ignore collisions.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-07-shy", ...)


# %% [markdown]
# ```{solution-start} ex-sk-07-shy
# :class: dropdown
# ```
# The new law is $P_\emptyset\,(1 + G L_t)(1 - \kappa \bar L)$. Its part in the flat space has the sum $G - \kappa$ instead of $G$, so the total
# moves by $G - 1 - \kappa$ only; the product $\kappa G L_t \bar L$ is outside, at squared length $\kappa^2 G^2 K \cdot \frac{K}{D-1}$, and $G^2 K = p/q$. With
# $S = D/K$, the squared distance to the nearest honest population is $\frac{K}{D}(G - 1 - \kappa)^2 + \frac{p}{q} \frac{K}{D-1} \kappa^2$ for each fake. It is least for
# $\kappa = (G - 1)/(1 + \frac{p}{q}\frac{D}{D-1})$ with $G = \frac{p}{2p - 1}$: for many items the total sees only the share $p$ of its old $z$ and no test more than the share $\sqrt p$.
# At $\varepsilon = 1$ these are 63<!-- {shy_total:.0f} --> % and 79<!-- {shy_best:.0f} --> %. So hidden fakes are not the shyest, but near.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def shy(p, D):
    """κ, and the squared distances of the shy and of the hidden fakes."""
    q = 1 - p
    K, G = (p - q) ** 2 / (p * q), p / (p - q)
    kappa = (G - 1) / (1 + p / q * sp.Integer(D) / (D - 1))
    outside = p / q * K / (D - 1) * kappa**2
    return kappa, K / D * (G - 1 - kappa) ** 2 + outside, K / D * (G - 1) ** 2


three = sp.Rational(3, 4)
kappa, by_formula, before = shy(three, 3)
L_of = {1: three / (1 - three) - 1, -1: (1 - three) / three - 1}
bits = list(product((1, -1), repeat=3))  # of three items in cells of their own
chance = {v: sp.prod([1 - three if s == 1 else three for s in v]) for v in bits}
tilted = {
    v: int(v[0] == 1) * chance[v] / (1 - three)
    * (1 - kappa * (L_of[v[1]] + L_of[v[2]]) / 2)
    for v in bits
}  # fmt: skip
assert sum(tilted.values()) == 1 and min(tilted.values()) >= 0
L_rows = sp.Matrix([[L_of[s] for s in v] for v in bits])  # one row a report
null_law = sp.diag(*chance.values())
unknown = sp.Matrix(sp.symbols("x1:3"))  # honest shares, the last one 1 − x1 − x2
full = sp.Matrix([*unknown, 1 - sum(unknown)])
ratio = sp.Matrix([tilted[v] / chance[v] for v in bits])
gap = ratio - sp.ones(8, 1) - L_rows * full
square_gap = sp.expand((gap.T * null_law * gap)[0])
at_least = sp.solve([sp.diff(square_gap, x) for x in unknown], list(unknown))
assert sp.simplify(square_gap.subs(at_least) - by_formula) == 0
assert by_formula < before

kappa, shyer, before = (float(x) for x in shy(CMS.keep, D))
shares_left = (1 - kappa / (G[CMS] - 1), sqrt(shyer / before))
check("sk-07-shy", lambda p, D: shy(p, D)[0])
assert np.allclose(shares_left, [CMS.keep, sqrt(CMS.keep)], rtol=0.01)
shy_total = round(100 * shares_left[0], 3)
shy_best = round(100 * shares_left[1], 3)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The frequency gain leaves out what an attack does to the other items. After norm-sub the printed HCMS attack keeps about one
#   per cent of its gain, and the printed CMS attack gains more than half as much again.
# - Fakes that are honest reports spared by the noise have the same raw gain; after norm-sub they keep nearly all of it, but the printed CMS attack
#   has more. They look like $G$ honest clients each, and the estimates add up to too much.
# - If popularity may have changed in any way, the total, corrected for collisions, is the best test against them, to first order: at fifty thousand users it
#   sees hidden fakes every second time only when every twelfth client (CMS) or every ninth (HCMS) is one, and tested on one side, every fourteenth or
#   every tenth.
# - If last month is known, comparing each item sees 1.29<!-- {in_text['half-cms']:.2f} --> % and 1.65<!-- {in_text['half-hcms']:.2f} --> % every second time. Tastes would have to change by more than the mean item's whole popularity to make that
#   test no better than the total.
#
# **Further reading.** Cao, Jia and Gong {cite:p}`cao2021poisoning` on poisoning and on norm-based defences; Li and others
# {cite:p}`li2025mitigating` on attacks that imitate the number of ones, and on finding them; Cheu, Smith and
# Ullman {cite:p}`cheu2021manipulation` on what no local protocol can resist; Wang and others
# {cite:p}`wang2020consistency` on post-processing. **Next:**
# [would another mechanism have been safer?](sketch-another-mechanism.ipynb)
