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
# # What does one fake user gain?
#
# A shop counts how many users look at each product. Each user's phone adds noise to its report, and nobody can check this noise. So a maker who controls one user in a hundred can send
# whatever suits it. One fake user should count as one. In the Count Mean Sketch of [notebook 1](01-count-mean-sketch.ipynb) it can count as 2.55<!-- {value(cms_adds(1), 1.0):.2f} --> users at privacy level $\varepsilon = 1$, and as 21<!-- {value(cms_adds(1), 0.1):.0f} --> at $\varepsilon = 0.1$.
#
# **The paper** describes three attacks on the Count Mean Sketch (CMS) and its Hadamard variant (HCMS), measures their gains, and claims that HCMS is safer. **We find** that its equations for the gain lack a term. Its measurements are not affected:
# of the 30<!-- {mga_off.size} --> printed gains of its strongest attack, 29<!-- {(mga_off<=0.005).sum()} --> agree to the last digit with the corrected equations, and none with the printed ones. HCMS is safer if fake users push an item up, but not if they push it down. And a gain is not yet a better rank: in its simplest form, the paper's strongest attack on HCMS lifts *all* items alike.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to compute what any report adds to any estimate, what three attacks gain, how to check
# 90<!-- {numbers} --> printed numbers against theory, and what happens when an attacker pushes an item down.
# **You need** CMS ([notebook 1](01-count-mean-sketch.ipynb)), HCMS ([notebook 2](02-hadamard.ipynb)), expectation and variance.
# **Time:** 26 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** controls $n'$ of the $n + n'$ users, a share $\beta = n'/(n + n')$. It knows the hash
# functions and $\varepsilon$, and may send any report that has the right format. It wants to move the estimates of $r$
# target items. **Honest:** the other $n$ users and the server. **Protected:** nothing yet. The noise
# protects users from the server; it does not protect the counts from users. Detection of the attack
# ([*Can a poisoned report hide?*](../research/sketch-hiding-and-defending.ipynb)) and enforced noise ([notebook 6](06-honest-noise.ipynb)) come later.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import product
from math import sqrt

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp

from privlib.notebook import interactive, plots
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, poisoning
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix

plots.use()
printed = {  # Tables 4, 5 and 6 of the paper: rows of (CMS, HCMS), in hundreds of users
    "rpa": np.array([
        [[2.51, 0.53], [2.47, 0.00], [2.40, -0.08], [2.50, -0.05], [2.50, -0.08]],
        [[2.51, 0.04], [5.03, -0.05], [10.28, -0.24], [21.39, -0.40], [27.67, -0.43]],
        [[2.50, -0.01], [4.99, -0.17], [10.02, -0.02], [20.20, 0.25], [39.77, -0.58]],
    ]),
    "ria": np.array([
        [[6.01, 4.46], [4.27, 5.17], [4.99, 4.98], [5.08, 5.00], [5.03, 5.04]],
        [[5.18, 5.01], [10.19, 10.21], [20.52, 20.73], [43.15, 43.18], [55.19, 55.30]],
        [[4.93, 5.04], [5.09, 5.07], [4.95, 4.84], [4.89, 4.29], [5.10, 4.56]],
    ]),
    "mga": np.array([
        [[103.70, 101.24], [27.87, 25.58], [15.31, 13.28], [12.82, 10.91], [7.96, 6.60]],
        [[12.82, 10.91], [25.92, 22.06], [52.91, 45.03], [110.44, 93.99], [141.11, 120.09]],
        [[12.82, 10.91], [25.64, 21.82], [51.28, 43.64], [102.55, 87.27], [205.11, 174.54]],
    ]),
}  # fmt: skip
numbers = sum(table.size for table in printed.values())


# %% [markdown]
# ## What does one report add?
#
# Take a CMS with one row of four cells, one item in each, and $e^{\varepsilon/2} = 3$, so that the constant of notebook 1 is $\frac{3 + 1}{3 - 1} = 2$. A report is a vector of four signs. The server turns each sign $v$ into $(2v + 1)/2$ and adds up:

# %%
def estimates(reports):
    """Estimates of the four items from vectors of four signs."""
    n = len(reports)
    cells = (2 * np.sum(reports, axis=0) + n) / Fraction(2)  # sum of (2 v + 1)/2
    return Fraction(4, 3) * (cells - Fraction(n, 4))


honest = [(1, -1, 1, -1), (-1, 1, -1, -1), (1, -1, -1, 1)]
fake = (1, -1, -1, -1)
added = estimates([*honest, fake]) - estimates(honest)
print("the fake report adds", *added)

# %% [markdown]
# As in notebook 1, the estimator subtracts $n/4$ for $n$ reports and multiplies by 4/3. (This makes up for items that share a cell. Here none do, but the server does the same.) The fake report, $+1$ in the first cell only, adds 5/3<!-- {added[0]} --> to the first item and takes 1 from each of the others.
#
# ```{prf:definition} Frequency gain (section 4.1.3; Frequency Gain, FG)
# :label: def-sk-03-gain
# Let $\hat f_t$ be the estimate of a target item (ターゲットアイテム) $t \in T$ before the fake users report, and
# $\tilde f_t$ the estimate after. (In notebooks 1 and 2, $\tilde f$ is any estimate.) The gain of an attack is $FG = \sum_{t \in T} \mathrm{E}[\tilde f_t - \hat f_t]$.
# ```
#
# Both sketches have $k$ rows of $m$ cells. The estimate of an item is $F\bigl(\frac1k M_t - \frac nm\bigr)$, where $F = \frac{m}{m-1}$, $n$ is the number of reports, and $M_t$ is the sum
# of the $k$ cells that belong to $t$, one in each row.
#
# ```{prf:proposition} The gain of one target (equations (1) to (4), corrected)
# :label: thm-sk-03-linear
# If the reports of $n'$ fake users add $X$ to the $k$ cells of $t$, then $\tilde f_t - \hat f_t = F\bigl(\frac Xk - \frac{n'}m\bigr)$.
# ```
#
# ```{prf:proof}
# Let $Y$ be what the honest reports put into these cells. Before the attack, $M_t = Y$ and the server has $n$ reports. Afterwards, $M_t = Y + X$ and it has $n + n'$.
# In the difference of the two estimates, $Y$ and $n$ cancel.
# ```

# %%
k, m, n, n_fake, X, Y = sp.symbols("k m n n' X Y", positive=True)
F = m / (m - 1)


def estimate(entries, reports):
    return F * (entries / k - reports / m)


gain = estimate(Y + X, n + n_fake) - estimate(Y, n)
equation_3 = F * X / k  # as the paper prints it
sp.simplify(gain - equation_3)

# %% [markdown]
# The gain depends neither on the number of honest users nor on their noise. The paper's equations (3) for CMS and (4) for HCMS lack the term that sympy prints. The reason is that the paper's *derivation* subtracts $n/m$ even
# after the attack, when the server has $n + n'$ reports.
#
# Now take a single report. It concerns only one of the $k$ rows. To make up for the $k - 1$ other rows, the server multiplies what the report adds by $k$, and this cancels the $\frac1k$. A CMS report $(v, j)$ has a vector $v$ and a row $j$; an HCMS report $(w, j, \ell)$ has a sign $w$, a row $j$ and a coordinate $\ell$. To the estimate of item $d$ they add
#
# $$
# \begin{aligned}
# \text{CMS:} &\quad \varphi_d = F\Bigl( \frac{c_C\, v_{h_j(d)} + 1}{2} - \frac1m \Bigr), \\
# \text{HCMS:} &\quad \varphi_d = F\Bigl( c_H\, w\, H_{\ell, h_j(d)} - \frac1m \Bigr),
# \end{aligned}
# $$
#
# where $c_C = \frac{a+1}{a-1}$ and $c_H = \frac{a^2+1}{a^2-1}$ are the constants of notebooks 1 and 2, $a = e^{\varepsilon/2}$, and $H$ is the Hadamard matrix with entries $\pm1$. (We count cells and coordinates from 0.)

# %%
a = sp.Symbol("a", positive=True)  # e^(ε/2)
c_cms, c_hcms = (a + 1) / (a - 1), (a**2 + 1) / (a**2 - 1)


def cms_adds(sign):
    return F * ((c_cms * sign + 1) / 2 - 1 / m)


def hcms_adds(sign):  # sign: the product w H[l, h]
    return F * (c_hcms * sign - 1 / m)


# %% [markdown]
# An attack is now a choice of signs. Both $\varphi_d$ are linear in the sign, so for a random sign we put in its mean.
#
# ```{evidence} S-3.23 S-3.24 S-3.25 S-3.26 S-3.27 S-3.28 S-4.6 S-4.7 S-4.8 S-4.9 S-4.10 S-4.11 S-4.16 S-4.16b
# ```
#
# ## A maker attacks the shop
#
# The paper's data are the clicks on 43 items of an online shop. As in the paper, each click is the report of one *user*. The 49,742<!-- {honest_users:,} --> users are honest, and the maker of A43, the item with the
# fewest users, adds 1% fake ones. (The paper does not print the number of users; we infer it below.) The paper's defaults are $\varepsilon = 1$, $k = 1024$ and $m = 128$. The fake users follow the strongest of the three attacks, the *maximal gain attack* (MGA), which is explained below.

# %%
counts = shop_counts()
honest_users = sum(counts.values())
fakes = poisoning.n_fake_users(honest_users, 0.01)
cms = CountMeanSketch(1.0, hashes=1024, width=128, seed=3)
hcms = HadamardCountMeanSketch(1.0, hashes=1024, width=128, seed=3)
rng = np.random.default_rng(2024)

before, after = {}, {}
for name, scheme in (("CMS", cms), ("HCMS", hcms)):
    honest = scheme.privatize(np.repeat(list(counts), list(counts.values())), rng)
    sent = poisoning.fake_reports(scheme, "mga", targets=["A43"], n_fake=fakes, rng=rng)
    before[name] = scheme.aggregate(honest).estimate(list(counts))
    after[name] = scheme.aggregate(np.concatenate([honest, sent])).estimate(list(counts))
    change = after[name] - before[name]  # A43 is the last item
    a43, others = change[-1], change[:-1].mean()
    print(f"{name}, {fakes} fake users: A43 {a43:+,.1f}, other items on average {others:+,.1f}")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "One run of MGA for A43 (far right in each panel), with the 43 items ordered by true number of users. On CMS the attack lifts A43 by 1,282<!-- {fakes * value(cms_adds(1), 1.0):,.0f} --> users and lowers all others. On HCMS it lifts all items by the same 1,091<!-- {fakes * value(hcms_adds(1), 1.0):,.0f} --> users.", "name": "fig-sk-03-shop"}, "image": {"alt": "Two panels, each with a falling line of true numbers of users and dots of the estimates scattered around it. Left, CMS: after the attack the estimates of all other items are about 768<!-- {-fakes * value(cms_adds(2 / m - 1), 1.0):.0f} --> users lower, and that of A43 is 1,282<!-- {fakes * value(cms_adds(1), 1.0):,.0f} --> higher. Right, HCMS: all estimates are 1,091<!-- {fakes * value(hcms_adds(1), 1.0):,.0f} --> users higher."}} tags=["figure"]
true = np.array(list(counts.values()))
order = np.argsort(-true, kind="stable")
fig, axes = plots.panels(1, 2, height=3.5, width=9.0, sharey=True)
for ax, name in zip(axes, before):
    ax.plot(range(1, 44), true[order], color=plots.COLOURS["grey"], label="true")
    ax.plot(range(1, 44), before[name][order], "o", ms=4, color=plots.COLOURS["black"],
            label="before the attack")
    ax.plot(range(1, 43), after[name][order][:-1], "D", ms=4, mfc="white",
            color=plots.COLOURS["orange"], label="after MGA for A43")
    ax.plot(43, after[name][-1], "D", ms=8, color=plots.COLOURS["orange"])
    ax.annotate("A43", (43, after[name][-1]), (-3, 9), textcoords="offset points", ha="center")
    ax.set(xlabel="item, by its true number of users", xlim=(0, 45.5), title=name)
axes[0].set_ylabel("users")
axes[0].legend()
plt.show()


# %% [markdown]
# On CMS the fake users lift A43 and lower the other items, as in the example with four cells. On HCMS they lift all items alike, and no rank changes. We come back to this after the attacks. The paper's Table 4 (gain against $\varepsilon$, in hundreds of users) has 12.82<!-- {printed["mga"][0, 3, 0]:.2f} --> for this gain on CMS. Does the missing term show in this number?

# %%
def value(expression, epsilon):
    """Number for m = 128 cells in a row, as in the shop."""
    return float(expression.subs({a: sp.exp(epsilon / 2), m: 128}))


for sent in (500, 501, 502):
    right = sent * value(cms_adds(1), 1.0) / 100
    without_term = sent * value(cms_adds(1) + F / m, 1.0) / 100
    print(f"{sent} fake users: {right:.2f}, by the printed equation {without_term:.2f}")

# %% [markdown]
# By the printed equation *no* whole number of fake users gives 12.82<!-- {printed["mga"][0, 3, 0]:.2f} -->. So the paper's *experiments* did subtract $(n + n')/m$: the error is only in the derivation.
#
# ## Attack 1: random reports
#
# ```{prf:algorithm} Random Perturb Attack (section 4.1.1; RPA)
# :label: alg-sk-03-rpa
# Each fake user draws its report uniformly from all reports: on CMS a row and one of the $2^m$ sign
# vectors, on HCMS a sign, a row and a coordinate.
# ```
#
# The 16 vectors of the small CMS add, on average:

# %%
vectors = list(product((1, -1), repeat=4))
average = sum(estimates([v]) for v in vectors) / 16
print(*average)

# %% [markdown]
# Each item gains a third of a user, whether it is a target or not. A random sign has mean 0, so what remains of $\varphi_d$ is its constant part. On CMS this is $F(\frac12 - \frac1m)$, almost half a user: the server turns a sign $v$ into $(c_C v + 1)/2$, and the $\frac12$ stays. On HCMS it is $-\frac Fm$, a very small loss.

# %%
assert cms_adds(0).subs(m, 4) == sp.Rational(1, 3)
for name, adds in (("CMS", cms_adds), ("HCMS", hcms_adds)):
    print(f"{name}, m = 128: {value(adds(0), 1.0):+.3f} users per fake user and target")

# %% [markdown]
# ```{evidence} S-4.1 S-4.2 S-4.3
# ```
#
# ## Attack 2: a false item with honest noise
#
# ```{prf:algorithm} Random Item Attack (section 4.1.2; RIA)
# :label: alg-sk-03-ria
# Each fake user draws a target uniformly and follows the protocol as if it held that item.
# ```
#
# Anybody can do this without changing the software. For one target the gain is 1, because the estimator is unbiased. What about the other targets?
#
# Let $p$ be the probability that a sign keeps its value. The mean of the sign at the claimed item's cell is then $2p - 1$. Another target shares that cell with probability $\frac1m$, on average over the hash functions.
# On CMS, its mean sign is then also $2p - 1$, and otherwise $-(2p - 1)$. On HCMS, the mean of the product $w H_{\ell h}$ is $2p - 1$ at the claimed item's cell $h$. At another cell $h'$ the product is $\pm H_{\ell h} H_{\ell h'}$. The code words of $h$ and $h'$ agree in half of the coordinates (notebook 2), and $\ell$ is uniform. So there the mean is 0.

# %%
p, p_h = a / (1 + a), a**2 / (1 + a**2)  # CMS, HCMS
assert sp.simplify(cms_adds(2 * p - 1)) == 1  # the claimed item
assert sp.simplify(cms_adds((2 * p - 1) * (1 / m - (1 - 1 / m)))) == 0  # another target
assert sp.simplify(hcms_adds(2 * p_h - 1)) == 1
assert sp.simplify(hcms_adds((2 * p_h - 1) / m)) == 0

# %% [markdown]
# So a fake user of RIA gains one user, at every $\varepsilon$ and for any number of targets.
#
# ```{evidence} S-4.4
# ```
#
# ## Attack 3: the best report
#
# ```{prf:algorithm} Maximal Gain Attack (section 4.1.3; MGA)
# :label: alg-sk-03-mga
# Each fake user sends a report with the largest gain. On CMS: any row $j$, $+1$ at the cells $h_j(t)$ of all
# targets and $-1$ elsewhere. On HCMS, in the paper's simplest form: any row, the coordinate $\ell = 0$, at which every code word has $+1$, and the sign $w = 1$.
# ```
#
# Is this the best of *all* reports? With four cells we can try every one of them. The two targets are in cells 0 and 1.

# %%
H = hadamard_matrix(4).tolist()


def hcms_gain(coordinate, w):
    """What one HCMS report adds to both targets together."""
    signs = w * H[coordinate][0] + w * H[coordinate][1]
    return Fraction(4, 3) * (Fraction(5, 4) * signs - Fraction(2, 4))  # c_H = 5/4


cms_gains = [estimates([v])[:2].sum() for v in vectors]
hcms_gains = [hcms_gain(coordinate, w) for coordinate in range(4) for w in (1, -1)]
for name, gains in (("CMS", cms_gains), ("HCMS", hcms_gains)):
    best = max(gains)
    print(f"{name}: {min(gains)} to {best}; {gains.count(best)} of {len(gains)} reports are best")

# %% [markdown]
# The paper's reports attain the largest gain, twice $\varphi_d$ with the sign $+1$. Others do, too: on CMS the two cells without a target are free, and on HCMS coordinate 2 also has equal signs at cells 0 and 1.
#
# ```{prf:proposition} What one report can do
# :label: thm-sk-03-gain
# What one report adds to the sum of the estimates of $r$ targets lies between $r g_-$ and $r g_+$, and both ends are attained:
#
# $$ \text{CMS: } g_\pm = F\Bigl( \frac{1 \pm c_C}{2} - \frac1m \Bigr), \qquad
#    \text{HCMS: } g_\pm = F\Bigl( \pm c_H - \frac1m \Bigr). $$
# ```
#
# ```{prf:proof}
# Each $\varphi_t$ increases with its sign, and a sign is $-1$ or $1$. So each target gains at most $g_+$, and MGA gives all targets the sign $+1$ at once. With all
# signs negated, all targets get $-1$, which gives $r g_-$.
# ```

# %%
assert [2 * adds(1).subs({a: 3, m: 4}) for adds in (cms_adds, hcms_adds)] == [
    max(cms_gains), max(hcms_gains)
]  # fmt: skip
epsilon_symbol = sp.Symbol("epsilon", positive=True)
for adds in (cms_adds, hcms_adds):
    gain = adds(1).subs(a, sp.exp(epsilon_symbol / 2))
    assert sp.limit(epsilon_symbol * gain, epsilon_symbol, 0).equals(2 * F)
for epsilon in (0.1, 1.0, 2.0):
    up = [value(adds(1), epsilon) for adds in (cms_adds, hcms_adds)]
    print(f"epsilon {epsilon}: CMS {up[0]:.2f}, HCMS {up[1]:.2f} users per fake user")

# %% [markdown]
# For small $\varepsilon$, the gain is about $2/\varepsilon$: the stronger the privacy, the more one fake user counts.
#
# ```{evidence} S-4.5 S-4.12 S-4.13 S-4.14 S-4.15 S-4.17 S-4.18 S-B9
# ```
#
# ## What does the maker get?
#
# The paper's measure counts only what the targets gain. But the maker of A43 wants a better rank, so the other items matter, too. On CMS, MGA has the sign $+1$ at another item's cell if the two items share it (probability $\frac1m$), and $-1$ if not: on average $\frac2m - 1$. On HCMS the product $w H_{\ell h}$ is 1 in every cell, because $\ell = 0$. But for one target any coordinate has the same gain, with the sign that the target's code word has there. At a random coordinate the product is 1 in the target's cell and on average 0 in any other, so $\frac1m$ for another item.

# %%
reports = {  # mean signs at the target's cell and at another item's
    "CMS": (cms_adds(1), cms_adds(2 / m - 1)),
    "HCMS, coordinate 0": (hcms_adds(1), hcms_adds(1)),
    "HCMS, random coordinate": (hcms_adds(1), hcms_adds(1 / m)),
}
rank = {}
for name, (target, other) in reports.items():
    to_target, to_other = fakes * value(target, 1.0), fakes * value(other, 1.0)
    ahead = true[:-1] + to_other > true[-1] + to_target  # A43 is the last item
    rank[name] = 1 + ahead.sum()
    print(f"{name}: A43 {to_target:+,.0f}, others {to_other:+,.0f}, rank of A43 {rank[name]}")

# %% [markdown]
# These are ranks of expected numbers. Without an attack, A43 is last of 43. MGA on CMS lifts it to rank 6<!-- {rank["CMS"]} -->. The paper's MGA on HCMS gains 1,091<!-- {fakes * value(hcms_adds(1), 1.0):,.0f} --> users and no rank. Random coordinates have the same gain and lift almost only A43, to rank 19<!-- {rank["HCMS, random coordinate"]} -->. They also pass a server that refuses $\ell = 0$ ({ref}`ex-sk-03-block` asks how many targets they can serve).
#
# ```{evidence} S-1.3
# ```
#
# ## Do the paper's numbers agree?
#
# Tables 4, 5 and 6 vary $\varepsilon$, $\beta$ and $r$, one at a time, around $\varepsilon = 1$, $\beta = 0.01$, $r = 1$. The paper says that each number is a mean of 50 runs. We assume that the honest reports are the same before and after an attack, so that only the fake reports are random. (With fresh honest reports even MGA's numbers would scatter by 89<!-- {sqrt(honest_users * 2 / 50) * value(F * sp.sqrt(c_cms**2 - 1) / 2, 1.0):.0f} --> users, and they do not.)
#
# MGA uses no random signs, so its numbers can be compared digit by digit. The other two attacks are random. As elsewhere in this book, we accept a distance of up to four standard errors. Take one target. On CMS a report adds a constant plus $F c_C/2$ times a sign, and a sign with the mean $s$ has the variance $1 - s^2$. Here $s = 0$ for RPA and $s = 2p - 1 = 1/c_C$ for RIA. So the gain of
# $n'$ reports has the variance $n' (F c_C/2)^2 (1 - s^2)$, and a mean of 50 runs has a fiftieth of it. On HCMS, $c_H$ takes the place of $c_C/2$. For more targets the package has closed forms.

# %%
values = {"ε": (0.1, 0.4, 0.8, 1.0, 2.0), "β": (0.01, 0.02, 0.04, 0.08, 0.1), "r": (1, 2, 4, 8, 16)}


def theory(attack, extra=0.0):
    """Mean and standard error of the cells, by table, row and scheme, in hundreds of users.

    Each fake report adds `extra` users to each target on top of the corrected equations.
    """
    cells = []
    for name in values:
        for changed in values[name]:
            case = {"ε": 1.0, "β": 0.01, "r": 1, name: changed}
            sent = poisoning.n_fake_users(honest_users, case["β"])
            for kind in (CountMeanSketch, HadamardCountMeanSketch):
                args = (kind(case["ε"], hashes=1024, width=128, seed=0), attack)
                mean = poisoning.frequency_gain(*args, n_fake=sent, targets=case["r"])
                variance = poisoning.gain_variance(*args, n_fake=sent, targets=case["r"])
                mean = mean + extra * sent * case["r"]
                cells.append((mean, sqrt(variance / 50)))
    return np.array(cells).reshape(3, 5, 2, 2).transpose(3, 0, 1, 2) / 100


# %%
mga_off = np.abs(printed["mga"] - theory("mga")[0])
z = {}  # distance in standard errors
for attack in ("rpa", "ria"):
    mean, error = theory(attack)
    z[attack] = (printed[attack] - mean) / error
    print(f"{attack}: {(abs(z[attack]) <= 4).sum()} of 30 within four standard errors")
print(f"mga: {(mga_off <= 0.005).sum()} of 30 right to the last digit")
one_report = {"rpa": c_cms**2, "ria": c_cms**2 - 1}  # c² (1 - s²), one target on CMS
for attack in one_report:
    variance = fakes * value((F / 2) ** 2 * one_report[attack], 1.0)
    assert abs(theory(attack)[1][0, 3, 0] - sqrt(variance / 50) / 100) < 1e-12
missing = value(F / m, 1.0)  # users for each report and target; the same for every ε
mga_as_printed = np.abs(printed["mga"] - theory("mga", missing)[0])
print(f"by the printed equations, mga: {(mga_as_printed <= 0.005).sum()} of 30")
for attack in z:
    mean, error = theory(attack, missing)
    near = abs(printed[attack] - mean) <= 4 * error
    print(f"by the printed equations, {attack}: {near.sum()} of 30")

# %% [markdown]
# Only MGA's numbers are precise enough to tell the corrected equations from the printed ones. The gains of the random attacks scatter too much for that: they fit both almost equally well.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Tables 4 to 6 and theory. Top: printed means (filled: CMS, open: HCMS) on the theoretical curves (solid: CMS, dashed: HCMS), in hundreds of users; the scale is linear between \u22121 and 1. Bottom: how far the printed means of RPA and RIA are from theory, in standard errors. Of the 60<!-- {sum(x.size for x in z.values())} --> means, 59<!-- {sum((abs(x) <= 4).sum() for x in z.values())} --> lie within the band of four standard errors.", "name": "fig-sk-03-tables"}, "image": {"alt": "Six panels. Top row: gain against epsilon, beta and r with markers on curves. The maximal gain falls with epsilon from 103.70<!-- {printed[\"mga\"][0, 0, 0]:.2f} --> to 7.96<!-- {printed[\"mga\"][0, 4, 0]:.2f} --> on CMS and from 101.24<!-- {printed[\"mga\"][0, 0, 1]:.2f} --> to 6.60<!-- {printed[\"mga\"][0, 4, 1]:.2f} --> on HCMS, and grows with beta and r; the random item attack is flat in epsilon and r; the random perturb attack is positive on CMS and near zero on HCMS. Bottom row: all distances are between minus 3.7<!-- {-z[\"ria\"][2, 3, 1]:.1f} --> and plus 2.8<!-- {max(x.max() for x in z.values()):.1f} --> standard errors, except minus 4.7<!-- {-z[\"ria\"][0, 1, 0]:.1f} --> for the random item attack on CMS at epsilon 0.4."}} tags=["figure"]
fig, axes = plots.panels(
    2, 3, height=5.2, width=8.4, sharex="col", gridspec_kw={"height_ratios": [2, 1]}
)
grids = (
    [(e, 0.01, 1) for e in np.geomspace(0.1, 2, 40)],
    [(1.0, b, 1) for b in np.geomspace(0.01, 0.1, 40)],
    [(1.0, 0.01, t) for t in range(1, 17)],
)
marks = {"mga": ("orange", "s"), "ria": ("blue", "o"), "rpa": ("green", "^")}
kinds = (CountMeanSketch, HadamardCountMeanSketch)
axis_names = {"ε": "ε", "β": "share β of fake users (%)", "r": "number r of targets"}
for i, (grid, name) in enumerate(zip(grids, values)):
    at = values[name]
    x = [point[i] for point in grid]
    for attack, (colour, marker) in marks.items():
        for s, kind in enumerate(kinds):
            curve = []
            for e, b, t in grid:
                scheme = kind(e, hashes=1024, width=128, seed=0)
                one = poisoning.frequency_gain(scheme, attack, n_fake=1, targets=t)
                curve.append(one * honest_users * b / (1 - b) / 100)
            style = {"color": plots.COLOURS[colour], "ls": "-" if s == 0 else "--"}
            axes[0, i].plot(x, curve, lw=1.2, **style)
            # Open markers are larger, so that they are seen around the filled ones.
            dots = {"ls": "", "marker": marker, "ms": 5 if s == 0 else 9, "zorder": 4 - s}
            dots["color"] = plots.COLOURS[colour]
            dots["mfc"] = plots.COLOURS[colour] if s == 0 else "none"
            axes[0, i].plot(at, printed[attack][i, :, s], **dots)
            if attack in z:
                axes[1, i].plot(at, z[attack][i, :, s], **dots)
    axes[0, i].set_yscale("symlog", linthresh=1)
    axes[1, i].axhspan(-4, 4, color=plots.COLOURS["sky"], alpha=0.2, lw=0)
    axes[1, i].set(xscale="log", xlabel=axis_names[name], ylim=(-5.8, 5.4))
    unit = 100 if name == "β" else 1
    axes[1, i].set_xticks(at, [f"{v * unit:g}" for v in at])
    axes[1, i].minorticks_off()
    axes[0, i].set_title(f"Table {i + 4}")
for attack, (colour, marker) in marks.items():
    key = {"marker": marker, "color": plots.COLOURS[colour], "ls": "-", "lw": 1.2, "ms": 5}
    axes[0, 0].plot([], [], label=attack.upper(), **key)
for name, line, face in (("CMS", "-", "#555555"), ("HCMS", "--", "none")):
    key = {"marker": "D", "ls": line, "color": "#555555", "mfc": face, "lw": 1.2}
    axes[0, 0].plot([], [], label=name, ms=5 if name == "CMS" else 7, **key)
axes[0, 0].legend(loc="center right", bbox_to_anchor=(1, 0.27), ncols=2, fontsize=9)
axes[1, 0].get_xticklabels()[2].set_ha("right")  # 0.8 would touch 1
axes[1, 0].annotate("RIA, CMS", (0.4, z["ria"][0, 1, 0]), (7, -3), fontsize=9,
                    textcoords="offset points")
axes[0, 0].set_ylabel("gain (100 users)")
axes[1, 0].set_ylabel("standard errors")
plt.show()

# %% [markdown]
# Two numbers disagree. One of MGA is off by one in the last digit: HCMS at $\varepsilon = 0.4$ is printed as 25.58<!-- {printed["mga"][0, 1, 1]:.2f} --> and should be 25.59<!-- {theory("mga")[0][0, 1, 1]:.2f} -->. One of RIA, CMS at $\varepsilon = 0.4$, is printed as 4.27<!-- {printed["ria"][0, 1, 0]:.2f} -->, which is
# 4.7<!-- {-z["ria"][0, 1, 0]:.1f} --> standard errors below the expected 5.02<!-- {theory("ria")[0][0, 1, 0]:.2f} -->.
#
# So far we have taken the number of honest users to be 49,742<!-- {honest_users:,} -->. Which numbers do the exact numbers of MGA allow? We try all from 40,000 to 60,000, with fake users as a share $\beta$ of *all* users, rounded down.

# %%
per_fake = [value(adds(1), 1.0) / 100 for adds in (cms_adds, hcms_adds)]
possible = []
for users in range(40_000, 60_000):
    sent = [poisoning.n_fake_users(users, beta) for beta in values["β"]]
    if abs(np.outer(sent, per_fake) - printed["mga"][1]).max() <= 0.005:
        possible.append(users)
print(possible)

# %% [markdown]
# The clicks on the data set's first main category (the one with these 43 items) number 49,742<!-- {honest_users:,} -->, which fits. Counted by the letter A of the items there are 49,743<!-- {sum(shop_counts("letter").values()):,} -->, which does not.
#
# The paper's text says two things about its tables that are not so. RPA does gain less on HCMS, and the largest difference is 40.35<!-- {(printed["rpa"][..., 0] - printed["rpa"][..., 1]).max():.2f} -->. But this is at $r = 16$, not at $\beta = 0.1$, where it is
# 28.10<!-- {printed["rpa"][1, 4, 0] - printed["rpa"][1, 4, 1]:.2f} -->. And MGA gains on average 13.65%<!-- {(1 - printed["mga"][..., 1] / printed["mga"][..., 0]).mean():.2%} --> less on HCMS than on CMS, not 16.0%<!-- {(printed["mga"][..., 0] / printed["mga"][..., 1] - 1).mean():.1%} -->, which is how much more it gains on CMS.
#
# ```{evidence} S-1.5 S-6.3 S-6.5 S-6.5b S-6.16 S-6.17 S-6.18 S-6.19 S-6.30 S-T4.rpa S-T4.ria S-T4.mga S-T5.rpa S-T5.ria S-T5.mga S-T6.rpa S-T6.ria S-T6.mga S-Fg7-9
# ```
#
# ## Why does MGA gain more on CMS?
#
# In every row of the tables MGA gains more on CMS than on HCMS. The paper explains this by the constants that remove the noise: the server multiplies by $c_C$ on CMS and by $c_H$ on HCMS, and $c_C > c_H$. The inequality holds, but it is not the reason. CMS multiplies a sign by only
# *half* of $c_C$, and $\frac{c_C}{2} < c_H$. By the constants alone, MGA would gain more on HCMS. What decides is that CMS also adds $\frac12$.

# %%
assert sp.simplify(c_hcms - (c_cms / 2 + 1 / (2 * c_cms))) == 0  # so c_H exceeds c_C / 2
sp.factor(cms_adds(1) - hcms_adds(1))

# %% [markdown]
# So a fake user gains $F/(1+a)$ more on CMS, which is $F$ times the probability $q = 1 - p$ that CMS flips a sign.
#
# ```{evidence} S-6.15 S-6.26
# ```
#
# ## Pushing an item down
#
# The paper looks only at promotion. A competitor may prefer *demotion*: it negates all signs of MGA. By {prf:ref}`thm-sk-03-gain` this attains the least value $g_-$.

# %%
for name, adds in (("CMS", cms_adds), ("HCMS", hcms_adds)):
    print(f"{name}: {value(adds(-1), 1.0):.2f} to {value(adds(1), 1.0):.2f} users per fake user")
print("CMS minus HCMS, lower ends:", sp.factor(cms_adds(-1) - hcms_adds(-1)))

# %% [markdown]
# In demotion a fake user does 40%<!-- {value(hcms_adds(-1), 1.0) / value(cms_adds(-1), 1.0) - 1:.0%} --> more harm on HCMS at $\varepsilon = 1$, only 3%<!-- {value(hcms_adds(-1), 0.1) / value(cms_adds(-1), 0.1) - 1:.0%} --> more at $\varepsilon = 0.1$, but 124%<!-- {value(hcms_adds(-1), 2.0) / value(cms_adds(-1), 2.0) - 1:.0%} --> more at $\varepsilon = 2$. (Here, too, a random coordinate lowers almost only the target.) The $\frac12$ that CMS adds raises both ends of its range, so it makes promotion stronger and demotion weaker.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Main result: what one fake user adds to one target item (m = 128). Left: largest and smallest gain against \u03b5; a false item with honest noise (RIA) adds 1<!-- {value(cms_adds(2 * p - 1), 1.0):.0f} --> user at every \u03b5. Right: the range at \u03b5 = 1, with the three attacks and demotion. The bar of HCMS is longer, and both its ends lie lower.", "name": "fig-sk-03-range"}, "image": {"alt": "Left: upper curves fall from 5.6<!-- {value(cms_adds(1), 0.4):.1f} --> for CMS and 5.1<!-- {value(hcms_adds(1), 0.4):.1f} --> for HCMS at epsilon 0.4 to 1.2<!-- {value(cms_adds(1), 4.0):.1f} --> and 1.0<!-- {value(hcms_adds(1), 4.0):.1f} --> at epsilon 4. Lower curves rise from minus 4.6<!-- {-value(cms_adds(-1), 0.4):.1f} --> and minus 5.1<!-- {-value(hcms_adds(-1), 0.4):.1f} --> to minus 0.2<!-- {-value(cms_adds(-1), 4.0):.1f} --> and minus 1.1<!-- {-value(hcms_adds(-1), 4.0):.1f} -->. Right: two horizontal bars, CMS from minus 1.56<!-- {-value(cms_adds(-1), 1.0):.2f} --> to 2.55<!-- {value(cms_adds(1), 1.0):.2f} --> and HCMS from minus 2.19<!-- {-value(hcms_adds(-1), 1.0):.2f} --> to 2.17<!-- {value(hcms_adds(1), 1.0):.2f} -->, with marks for RPA at 0.50<!-- {value(cms_adds(0), 1.0):.2f} --> and minus 0.01<!-- {-value(hcms_adds(0), 1.0):.2f} --> and for RIA at 1."}} tags=["figure"]
fig, (left, right) = plots.panels(
    1, 2, height=3.7, width=9.0, gridspec_kw={"width_ratios": [1, 1.25]}
)
strict = np.linspace(0.4, 4, 120)
look = {"CMS": ("blue", "-", "o", cms_adds), "HCMS": ("orange", "--", "s", hcms_adds)}
for y, (name, (colour, line, marker, adds)) in enumerate(look.items()):
    for sign in (1, -1):
        curve = sp.lambdify((a, m), adds(sign))
        left.plot(strict, curve(np.exp(strict / 2), 128), label=name if sign == 1 else None,
                  color=plots.COLOURS[colour], ls=line)
    down, nonsense, up = (value(adds(sign), 1.0) for sign in (-1, 0, 1))
    right.plot([down, up], [1 - y] * 2, lw=11, alpha=0.35, ls="-", solid_capstyle="butt",
               color=plots.COLOURS[colour])
    for x, text in ((down, "demotion"), (nonsense, "RPA"), (1, "RIA"), (up, "MGA")):
        right.plot(x, 1 - y, marker, color=plots.COLOURS[colour], ms=7)
        right.annotate(f"{text}\n{x:.2f}".replace("-", "−"), (x, 1 - y), (0, 11), ha="center",
                       textcoords="offset points", fontsize=9,
                       bbox={"fc": "white", "ec": "none", "pad": 0.5})
left.axhline(1, color="#555555", lw=1, ls=":")
left.text(0.4, 1.05, "RIA", va="bottom", fontsize=9, color="#555555")
left.axhline(0, color="#555555", lw=0.8)
left.set(xlabel="ε", ylabel="users per fake user", ylim=(-6, 6.5))
left.legend(loc="upper right")
right.axvline(0, color="#555555", lw=0.8)
right.set(xlabel="users per fake user at ε = 1", yticks=[0, 1], yticklabels=["HCMS", "CMS"])
right.set(ylim=(-0.45, 1.6), xlim=(-2.8, 3.1))
right.grid(visible=False, axis="y")
plt.show()

# %% [markdown]
# So the paper's conclusion that HCMS is safer holds for what it measures, promotion, and does not extend to demotion. ([*Would another mechanism have been safer?*](../research/sketch-another-mechanism.ipynb) asks how little *any* private mechanism can give an attacker.)
#
# The last figure shows the gain for more fake users and more targets; with the sliders, for any combination. Guess first: which attack gains the same for every $\varepsilon$ and $r$?

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What a share \u03b2 of fake users gains for r targets together, in users, against \u03b5, on logarithmic axes. Top: users added by MGA, RIA (the same on both sketches) and RPA on CMS. Bottom: users taken away by demotion, and by RPA on HCMS. Dashed lines are HCMS. MGA and demotion grow with r and as \u03b5 falls.", "name": "fig-poisoning"}, "image": {"alt": "Six small panels, for \u03b2 = 1% with one target, 10% with one target and 1% with 16 targets. Above, users added: two falling curves of MGA, CMS above HCMS, and flat lines of RIA and RPA. Below, users taken away: two falling curves, HCMS above CMS, and far below a flat line of RPA on HCMS."}} tags=["figure"]
protection, goals = [0.1, 0.4, 0.8, 1.0, 2.0, 4.0], [1, 2, 4, 8, 16]
betas = [0.01, 0.02, 0.04, 0.08, 0.1]
ups = [("CMS", "mga"), ("HCMS", "mga"), ("CMS", "ria"), ("CMS", "rpa")]
downs = [("CMS", "demotion"), ("HCMS", "demotion"), ("HCMS", "rpa")]


def total_gain(name, attack, beta, targets):
    """Expected gain of all targets together for every ε, in users."""
    sent = poisoning.n_fake_users(honest_users, beta)
    kind = CountMeanSketch if name == "CMS" else HadamardCountMeanSketch
    gains = []
    for epsilon in protection:
        scheme = kind(epsilon, hashes=1024, width=128, seed=0)
        gains.append(poisoning.frequency_gain(scheme, attack, n_fake=sent, targets=targets))
    return np.array(gains)


ink = {"mga": "orange", "demotion": "orange", "ria": "blue", "rpa": "green"}
fig, axes = plots.panels(2, 3, height=4.8, width=8.4, sharex=True, sharey=True)
for column, (beta, targets) in zip(axes.T, ((0.01, 1), (0.1, 1), (0.01, 16))):
    for ax, pairs, side in zip(column, (ups, downs), (1, -1)):
        for name, attack in pairs:
            users = side * total_gain(name, attack, beta, targets)
            look = {"color": plots.COLOURS[ink[attack]], "marker": "o", "ms": 4}
            both = "CMS, HCMS" if attack == "ria" else name
            shown = attack if attack == "demotion" else attack.upper()
            ax.plot(protection, users, ls="-" if name == "CMS" else "--", **look,
                    mfc=None if name == "CMS" else "white", label=f"{shown}, {both}")
        ax.set(xscale="log", yscale="log", xticks=[0.1, 1, 4], ylim=(2, 1e6))
        ax.set(xticklabels=["0.1", "1", "4"])
        ax.minorticks_off()
    column[0].set_title(f"β = {beta:.0%}, r = {targets}")
    column[1].set_xlabel("ε")
axes[0, 0].set_ylabel("users added")
axes[1, 0].set_ylabel("users taken away")
axes[0, 0].legend(fontsize=8.5)
axes[1, 0].legend(fontsize=8.5)
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def attacked(epsilon, beta, targets):
    at, sent = protection.index(epsilon), poisoning.n_fake_users(honest_users, beta)
    curves = [total_gain(*pair, beta, targets) for pair in ups]
    curves += [-total_gain(*pair, beta, targets) for pair in downs]
    now = [round(float(users[at])) for users in curves]
    note = (
        f"{sent:,} fake users. MGA adds {now[0]:,} users on CMS, {now[1]:,} on HCMS; RIA "
        f"{now[2]:,} on both. Demotion takes {now[4]:,} on CMS, {now[5]:,} on HCMS."
    )
    lines = [{"trace": i, "y": users} for i, users in enumerate(curves)]
    dots = [(7, now[:4]), (8, now[4:])]
    rings = [{"trace": i, "x": [epsilon] * len(y), "y": y} for i, y in dots]
    return [*lines, *rings, {"note": note}]


def attack_line(name, attack, side):
    shown = {"mga": "MGA | demotion", "ria": "RIA", "rpa": "RPA"}.get(attack, "")
    dash, symbol = ("dash", "circle-open") if name == "HCMS" else ("solid", "circle")
    return go.Scatter(
        name=shown if attack in ("ria", "rpa") else f"{shown}, {name}",
        showlegend=attack != "demotion" and (name, attack) != ("HCMS", "rpa"),
        x=protection, xaxis=f"x{side}", yaxis=f"y{side}", mode="lines+markers",
        line={"color": plots.COLOURS[ink[attack]], "dash": dash},
        marker={"symbol": symbol, "size": 6},
    )  # fmt: skip


def ring(side):
    edge = {"width": 2, "color": plots.COLOURS["black"]}
    mark = {"size": 15, "color": "rgba(0,0,0,0)", "line": edge}
    return go.Scatter(xaxis=f"x{side}", yaxis=f"y{side}", mode="markers", marker=mark,
                      showlegend=False)  # fmt: skip


strict_axis = {"type": "log", "tickvals": [0.1, 0.4, 1, 2, 4]}
users_axis = {"type": "log", "range": [0.3, 6.5], "dtick": 1, "tickformat": "~s"}
live = go.Figure(
    [*(attack_line(*pair, "") for pair in ups),
     *(attack_line(*pair, 2) for pair in downs), ring(""), ring(2)],
    {
        "height": 400,
        "xaxis": {**strict_axis, "domain": [0, 0.44], "title": {"text": "ε", "standoff": 4}},
        "xaxis2": {**strict_axis, "domain": [0.57, 1], "anchor": "y2",
                   "title": {"text": "ε", "standoff": 4}},
        "yaxis": {**users_axis, "title": {"text": "users added"}},
        "yaxis2": {**users_axis, "anchor": "x2", "title": {"text": "users taken away"}},
    },
)  # fmt: skip
interactive.show(
    "poisoning",
    live,
    [
        interactive.Slider("privacy ε", protection, "g", start=3),
        interactive.Slider("share of fake users β", betas, ".0%"),
        interactive.Slider("targets r", goals, "d"),
    ],
    attacked,
    alt="Users added by the attacks on the left and taken away on the right, "
    "against ε, on logarithmic axes, for CMS and HCMS; rings mark the chosen ε.",
)

# %% [markdown]
# It is RIA, the only attack that keeps to the protocol.
#
# ```{evidence} S-6.28 S-7.2 S-B8
# ```
#
# ## Exercises
#
# ```{exercise-start} One item overtakes another
# :label: ex-sk-03-overtake
# ```
# **Warm-up.** How many fake users, with MGA on CMS at $\varepsilon = 1$, does it take before A43 (246<!-- {counts["A43"]:,} --> users) can be expected to overtake A2 (3,013<!-- {counts["A2"]:,} --> users)? How
# many at $\varepsilon = 0.1$, and how many with RIA? MGA also takes users from A2; ignore this.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-03-overtake", ...)

# %% [markdown]
# ```{solution-start} ex-sk-03-overtake
# :class: dropdown
# ```
# Divide the lead by the gain per fake user and take the next larger whole number: 1084<!-- {needed[0]} --> at $\varepsilon = 1$, 134<!-- {needed[1]} --> at $\varepsilon = 0.1$, and 2768<!-- {needed[2]} --> with RIA, which gains one user each.

# %%
lead = counts["A2"] - counts["A43"]
needed = [int(lead // g) + 1 for g in (value(cms_adds(1), 1.0), value(cms_adds(1), 0.1), 1)]
assert needed == [1084, 134, 2768]
check("sk-03-overtake", needed)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The largest advantage of HCMS
# :label: ex-sk-03-percent
# ```
# **Standard.** By what percentage is the gain of MGA on HCMS smaller than that on CMS, at the $\varepsilon$ at which this is largest? Show that the answer is $\frac{F}{(\sqrt F + \sqrt 2)^2}$ of the gain on CMS, reached at $e^{\varepsilon/2} = 1 + \sqrt{2F}$.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-03-percent", ...)

# %% [markdown]
# ```{solution-start} ex-sk-03-percent
# :class: dropdown
# ```
# Set the derivative of $(g_+^{CMS} - g_+^{HCMS})/g_+^{CMS}$ with respect to $a$ to zero. At $m = 128$ the largest value is 17.24%<!-- {largest_share:.2%} -->; for large $m$ it approaches $3 - 2\sqrt2$.

# %%
share = (cms_adds(1) - hcms_adds(1)) / cms_adds(1)
peak = 1 + sp.sqrt(2 * F)
at_peak = share.subs(a, peak)
assert sp.simplify(sp.diff(share, a).subs(a, peak)) == 0
assert sp.simplify(at_peak - F / (sp.sqrt(F) + sp.sqrt(2)) ** 2) == 0
assert sp.limit(at_peak, m, sp.oo).equals(3 - 2 * sp.sqrt(2))
largest_share = float(at_peak.subs(m, 128))
curve = sp.lambdify(a, share.subs(m, 128))(np.linspace(1.01, 20, 100_000))
assert abs(curve.max() - largest_share) < 1e-8
check("sk-03-percent", 100 * largest_share)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How accurate is a printed gain of RPA?
# :label: ex-sk-03-variance
# ```
# **Standard.** Show by enumeration in the small CMS, and by a formula, that one RPA report has a gain of variance $(\frac{F c_C}{2})^2$ for one target. What is the
# standard error, in users, of a mean of 50 runs with 502<!-- {fakes} --> fake users at $\varepsilon = 0.1$ and $m = 128$? Compare it with the CMS column of Table 4.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-03-variance", ...)

# %% [markdown]
# ```{solution-start} ex-sk-03-variance
# :class: dropdown
# ```
# The sign at the target's cell is a fair coin, multiplied by $F c_C/2$. The standard error is 63.9<!-- {standard_error:.1f} --> users, so the printed 2.51<!-- {printed["rpa"][0, 0, 0]:.2f} --> (251<!-- {100 * printed["rpa"][0, 0, 0]:.0f} --> users) could as well have been 1.9<!-- {printed["rpa"][0, 0, 0] - standard_error / 100:.1f} --> or 3.1<!-- {printed["rpa"][0, 0, 0] + standard_error / 100:.1f} -->.

# %%
one_target = [estimates([v])[0] for v in vectors]
mean = sum(one_target) / 16
variance = sum((x - mean) ** 2 for x in one_target) / 16
assert variance == (F * c_cms / 2).subs({a: 3, m: 4}) ** 2
standard_error = sqrt(fakes / 50) * value(F * c_cms / 2, 0.1)
assert round(standard_error, 1) == 63.9
check("sk-03-variance", standard_error)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A server that refuses the first coordinate
# :label: ex-sk-03-block
# ```
# **Research.** An HCMS server refuses reports with $\ell = 0$. The attacker looks for another pair of a row and a coordinate at which all $r$ targets have the same sign. Let the targets lie in random cells, $k = 1024$ and $m = 128$. Up to how many targets is the expected number of such pairs at least 1?
# Now take the hash functions of `hcms` and the targets A1 to A24. What is the most that one accepted report gains?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-03-block", ...)

# %% [markdown]
# ```{solution-start} ex-sk-03-block
# :class: dropdown
# ```
# At a coordinate $\ell > 0$ half of the code words have $+1$. So at $r$ random cells all signs are equal with probability $2^{1-r}$, and the expected number of pairs is $k(m-1)2^{1-r}$. It falls below 1 at $r = $ 18<!-- {largest + 1} -->. For more targets, the attacker takes the pair with the largest
# $|\sum_t H_{\ell, h_j(t)}|$. For A1 to A24 and the hash functions of `hcms` this sum is 20<!-- {abs(sums).max()} -->, so one report still gains $F(20\,c_H - \frac{24}m)$, which is 43.4<!-- {most_gained:.1f} --> users at $\varepsilon = 1$.

# %%
expected_pairs = {r: 1024 * 127 / 2 ** (r - 1) for r in range(1, 30)}
largest = max(r for r in expected_pairs if expected_pairs[r] >= 1)
cells = hcms.family.positions([f"A{i}" for i in range(1, 25)])  # one line for each target
sums = hadamard_matrix(128)[1:].astype(int)[:, cells].sum(axis=1)
assert largest == 17 and abs(sums).max() == 20
most_gained = value(F * (20 * c_hcms - 24 / m), 1.0)
check("sk-03-block", largest)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# 1. *What does a report add to the estimate of an item?* On CMS $F(\frac{c_C v + 1}{2} - \frac1m)$, with the sign $v$ at the item's cell, and on HCMS $F(c_H w H - \frac1m)$. The honest reports play no role.
# 2. *What does one fake user gain?* At $\varepsilon = 1$, a random report gains about half a user per target on CMS and almost nothing on HCMS. A false item with honest noise gains one user for all targets together. The best report gains, per target, 2.55<!-- {value(cms_adds(1), 1.0):.2f} --> users (CMS) or 2.17<!-- {value(hcms_adds(1), 1.0):.2f} --> (HCMS), and about $2/\varepsilon$ for small $\varepsilon$.
# 3. *Does a gain improve the rank?* On CMS MGA lifts the targets and lowers the other items. On HCMS with $\ell = 0$ it lifts all alike; with random coordinates it lifts almost only its target.
# 4. *Is HCMS safer than CMS?* Against promotion, yes: with the best report a fake user gains $Fq$ less per target, where $q$ is the probability that CMS flips a sign. Against demotion, no: the harm of the best report is larger by $F(1 - q)$.
# 5. *Do the printed numbers agree?* Of the 30<!-- {mga_off.size} --> gains of MGA, 29<!-- {(mga_off<=0.005).sum()} --> agree to the last digit with the corrected equations, and none with the printed ones. Of the 60<!-- {sum(x.size for x in z.values())} --> of the random attacks, 59<!-- {sum((abs(x)<=4).sum() for x in z.values())} --> lie within four standard errors.
#
# **Further reading.** {cite:t}`cao2021poisoning` introduced the three attacks, on other mechanisms, and defences; {cite:t}`li2025mitigating` treat one-bit reports; {cite:t}`cheu2021manipulation` show that in *every* local protocol the
# harm grows as $\varepsilon$ falls. **Next:** [the paper's accuracy table, and which experiment prints it](04-the-puzzle-of-table-3.ipynb).
