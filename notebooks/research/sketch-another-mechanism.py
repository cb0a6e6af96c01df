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
# # Would another mechanism have been safer?
#
# **Question.** One fake user of the Count Mean Sketch (CMS) can count as 2.55<!-- {promotion(*at_1["CMS"]):.2f} --> honest users. For a shop with 43 products there are simpler private reports: the name of a product, one bit for each product, or a random set of products. Would another mechanism have been safer, or more accurate?
#
# **Answer.** Hardly safer: at $\varepsilon = 1$, no private mechanism whose server adds up unbiased scores lowers both gains of a fake user, upwards and downwards, by more than 3.0%<!-- {room["CMS"]:.1%} --> from those of CMS, or by more than 2.4%<!-- {room["HCMS"]:.1%} --> from those of the Hadamard variant HCMS. More accurate, yes: with $k = 1{,}024$ rows the error of CMS is 15%<!-- {ratio["CMS"][1] - 1:.0%} --> and that of HCMS 36%<!-- {ratio["HCMS"][1] - 1:.0%} --> above the least possible one, and at $\varepsilon = 4$ it is 4.0<!-- {ratio["CMS"][3]:.1f} --> and 21<!-- {ratio["HCMS"][3]:.0f} --> times the least one.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how accuracy and exposure to fake users depend on each other, which pairs of gains are possible under local privacy, how far both sketches are from the least possible error, and what a fake user earns by aborting.
# **You need** the gains of [notebook 3](../sketch/03-poisoning.ipynb), conditional means, and eigenvalues of a symmetric matrix.
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** controls some users, knows the mechanism, and wants the count of one *target* item to be large, or small. A fake user may send *any report that an honest user might send*. In the last section the noise is enforced, and a fake user may only choose an item or abort.
# **The server** is honest. **Protected:** each report, up to the factor $e^{\varepsilon}$. **Not protected:** the estimates.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linprog

from privlib.notebook import plots, table
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch
from privlib.sketch.data import shop_counts
from privlib.sketch.threat_model import threat_matrix

plots.use()
counts = shop_counts()
users = sum(counts.values())

# %% [markdown]
# ## Method: two numbers of a mechanism
#
# Take three items and $e^{\varepsilon} = 3$. In *generalised randomised response* (GRR), a user reports their own item with probability $\frac35$ and each other item with probability $\frac15$. To count item 0, the server adds a *score* for each report: 2 if the report names item 0, and $-\frac12$ otherwise.

# %%
channel = np.array([[3, 1, 1], [1, 3, 1], [1, 1, 3]]) * Fraction(1, 5)
scores = np.array([Fraction(2), Fraction(-1, 2), Fraction(-1, 2)])

for item, chances in enumerate(channel):
    mean = chances @ scores
    variance_of_score = chances @ scores**2 - mean**2
    print(f"a user of item {item} adds the mean {mean} and the variance {variance_of_score}")


# %% [markdown]
# A user of item 0 adds 1 on average, and any other user adds 0. So the sum of the scores is an unbiased estimate of the number of users of item 0. A fake user chooses its report: it adds 2 users, or takes away $\frac12$. An honest user of another item adds the variance 1, which is $2 \cdot \frac12$. We will see that this is no coincidence.
#
# ```{prf:definition} Unbiased additive estimator and its gains
# :label: def-sk-08-additive
# A user of item $d$ draws one of finitely many reports $y$ from a distribution $P_d$. The server estimates the count of item $t$ by the sum of the scores $\varphi(y)$ of all reports, where $\varphi$ has the mean 1 under $P_t$ and the mean 0 under $P_d$ for all $d \ne t$. The *promotion gain* $g^+$ is the largest score of a report that an honest user may send, and the *demotion gain* $g^-$ is minus the smallest one. $V$ is the variance of $\varphi$ under $P_d$ for a given $d \ne t$.
# ```
#
# Most mechanisms for counting items have only two scores. A report *supports* some items: its user's own item with probability $P$, and each other item with probability $Q < P$. The two scores follow from the two means:

# %%
def promotion(P, Q):
    return (1 - Q) / (P - Q)  # score of a report that supports the item


def demotion(P, Q):
    return Q / (P - Q)  # minus the score of a report that does not


def variance(P, Q):
    return Q * (1 - Q) / (P - Q) ** 2


def total_error(P, Q, items=43):
    """Sum of the variances that one user adds to the estimates of all items."""
    return P * (1 - P) / (P - Q) ** 2 + (items - 1) * variance(P, Q)


# %% [markdown]
# The product of the first two functions, $g^+$ and $g^-$, is the third: $V = g^+ g^-$.
#
# Now the mechanisms. GRR names one item. *Unary encoding* sends one bit for each item; SUE flips all bits with the same probability, and OUE keeps the bit of the own item with probability $\frac12$. *Local hashing* sends the hash value of the item under a hash function of the user's own, which has two values (BLH) or that number of values which has the least error (OLH) {cite:p}`wang2017locally`. *Subset selection* names $\omega$ of the $D$ items {cite:p}`ye2018optimal`. On average over hash functions, our sketches have this form, too: a CMS report supports an item if the sign in the item's cell is $+1$, and an HCMS report if its sign agrees with the item's code word.

# %%
D, m = 43, 128  # items of the shop, cells in a row of a sketch


def subset_selection(size, E, items=D):
    P = size * E / (size * E + items - size)
    return P, (size - P) / (items - 1)


def sketch(own_cell, other_cell):
    """P and Q, given the probabilities of support in the user's cell and in another cell."""
    return own_cell, own_cell / m + (1 - 1 / m) * other_cell


def most_accurate(pairs):
    return min(pairs, key=lambda pair: total_error(*pair))


# %%
def mechanisms(epsilon):
    """P and Q of eight mechanisms at one level."""
    E, root = np.exp(epsilon), np.exp(epsilon / 2)
    return {
        "GRR": subset_selection(1, E),
        "SUE": (root / (root + 1), 1 / (root + 1)),
        "OUE": (1 / 2, 1 / (E + 1)),
        "BLH": (E / (E + 1), 1 / 2),
        "OLH": most_accurate((E / (E + g - 1), 1 / g) for g in range(2, 500)),
        "subset selection": most_accurate(subset_selection(w, E) for w in range(1, D)),
        "CMS": sketch(root / (root + 1), 1 / (root + 1)),
        "HCMS": sketch(E / (E + 1), 1 / 2),
    }


# %% jupyter={"source_hidden": true} tags=["set-up"]
at_1 = mechanisms(1.0)
table(
    {
        "mechanism": list(at_1),
        "promotion gain": [promotion(*pair) for pair in at_1.values()],
        "demotion gain": [demotion(*pair) for pair in at_1.values()],
        "variance": [variance(*pair) for pair in at_1.values()],
    },
    formats=dict.fromkeys(["promotion gain", "demotion gain", "variance"], ".3f"),
    caption="Eight mechanisms for 43 items at ε = 1: what one fake user adds to an item or "
    "takes away from it, in users, and the variance that a user adds to the estimate of another item.",
)


# %% [markdown]
# No mechanism of this table is good at both gains. GRR can hardly be pushed down, but one fake user lifts an item by 25.4<!-- {promotion(*at_1["GRR"]):.1f} --> users. BLH and HCMS have the smallest promotion gains and the largest demotion gains. (The paper compares its sketches at promotion only, where HCMS wins.)
#
# ## Each gain has a lower bound
#
# ```{prf:theorem} The price of privacy in robustness
# :label: thm-sk-08-price
# For every $\varepsilon$-locally private mechanism and every unbiased additive estimator
#
# $$ g^+ \ge \frac{e^\varepsilon}{e^\varepsilon - 1}, \qquad g^- \ge \frac{1}{e^\varepsilon - 1}, \qquad V \le g^+ g^-, $$
#
# and $V = g^+ g^-$ if and only if $\varphi$ takes no values but $g^+$ and $-g^-$.
# ```
#
# ```{prf:proof}
# The number $g^+ - \varphi(y)$ is never negative. Its mean is $g^+$ under $P_d$ and $g^+ - 1$ under $P_t$. Privacy bounds the ratio of the two means: $g^+ \le e^\varepsilon (g^+ - 1)$. This is the first bound. In the same way, $\varphi(y) + g^- \ge 0$ has the mean $g^- + 1$ under $P_t$ and $g^-$ under $P_d$, so $g^- + 1 \le e^\varepsilon g^-$. For the variance, consider $(g^+ - \varphi)(\varphi + g^-) \ge 0$. Under $P_d$ the mean of $\varphi$ is 0 and that of $\varphi^2$ is $V$. So the product has the mean $g^+ g^- - V$, which is 0 if and only if no report has a score between the two ends.
# ```
#
# For a given channel, a computer finds the smallest promotion gain. The conditions on the scores are linear, so this is a linear programme:

# %%
def least_promotion(channel, target=0):
    """Smallest largest score of an unbiased estimator; channel[d]: distribution of d's report."""
    channel = np.array(channel, dtype=float)
    items, reports = channel.shape
    result = linprog(
        np.r_[np.zeros(reports), 1],  # the unknowns are the scores and their largest value
        A_ub=np.c_[np.eye(reports), -np.ones(reports)],
        b_ub=np.zeros(reports),
        A_eq=np.c_[channel, np.zeros(items)],
        b_eq=np.eye(items)[target],
        bounds=(None, None),
    )
    return result.fun


all_but_own = np.array([[1, 3, 3], [3, 1, 3], [3, 3, 1]]) / 7
print(f"GRR {least_promotion(channel):.3f}, bound {3 / 2:.3f}")
print(f"names an item that is not the user's: {least_promotion(all_but_own):.3f}")


# %% [markdown]
# The second mechanism is the mirror image of GRR: each report speaks *against* one item, and is three times as likely from a user of any other item. Seen as subset selection, it names all items but one. It attains the first bound. GRR attains the second. At $\varepsilon = 1$ the two bounds are 1.582<!-- {np.e / (np.e - 1):.3f} --> and 0.582<!-- {1 / (np.e - 1):.3f} --> users.
#
# ```{evidence} S-B16 S-B25
# ```
#
# ## Which pairs of gains are possible?
#
# If only *one* item is counted, both bounds can be attained at once: the user answers the question "is it $t$?" and lies with odds $1 : e^\varepsilon$. For all items at once this is impossible if there are at least three. To see what is possible, rescale the score to $x = (\varphi + g^-)/(g^+ + g^-)$, which lies between 0 and 1. Its mean is $\beta$ for users of $t$ and $\alpha$ for all others, where
#
# $$ \alpha = \frac{g^-}{g^+ + g^-}, \qquad \beta = \frac{1 + g^-}{g^+ + g^-}. $$
#
# For a mechanism with two scores, $\alpha = Q$ and $\beta = P$. Let $(Q_\omega, P_\omega)$ belong to subset selection with $\omega$ of $D$ items, with $(0, 0)$ for $\omega = 0$ and $(1, 1)$ for $\omega = D$.
#
# ```{prf:theorem} All possible pairs of gains
# :label: thm-sk-08-frontier
# An $\varepsilon$-locally private mechanism with unbiased additive estimators whose gains are at most $g^+$ and $g^-$ for *every* item exists if and only if the point $(\alpha, \beta)$ lies on or below the broken line through the points $(Q_\omega, P_\omega)$. As $D \to \infty$, this condition becomes
#
# $$ \frac{e^\varepsilon}{g^+} + \frac{1}{g^-} \le e^\varepsilon - 1 . $$
# ```
#
# ```{prf:proof}
# The proof has six steps.
#
# 1. *Scores are tests.* A number $x(y)$ between 0 and 1 is a randomised test of the statement "the user's item is $t$". Conversely, a test with the means $\beta$ and $\alpha$ gives unbiased scores with these gains. So we ask which $(\alpha, \beta)$ tests can have for all items at once.
# 2. *Reports are sets.* The probabilities of one report, for the $D$ items, differ by at most the factor $e^\varepsilon$. So they have the form $c\,(1 + (e^\varepsilon - 1) z_d)$ with $0 \le z_d \le 1$. The point $z$ of the cube is a mean of corners. Therefore the list is a sum of lists with only two values, in the ratio $e^\varepsilon$. Let the user also report which of these lists was used. Every test remains possible, and each report now corresponds to a set: the items with the larger value.
# 3. *Only the size matters.* Let the user rename the items by a random permutation and report the permutation, so that the server can undo it. Privacy and the means of the tests do not change, but now all sets of one size have the same weight. So the mechanism draws a size $\omega$ and then performs subset selection.
# 4. *One size.* On average over the permutations, the test sees one bit: whether $t$ is in the set. It answers 1 with probability $a$ if so and $b$ if not. Its point is $(aQ_\omega + b(1 - Q_\omega),\ aP_\omega + b(1 - P_\omega))$. These points fill a parallelogram with the corners $(0, 0)$, $(Q_\omega, P_\omega)$, $(1, 1)$ and $(1 - Q_\omega, 1 - P_\omega)$. A random size gives the convex hull of all these parallelograms.
# 5. *The upper edge.* It is the broken line, provided that the line is concave. As $\omega$ items are named, $(D - 1) Q_\omega = \omega - P_\omega$. So a segment on which $P_\omega$ grows by $\Delta$ has the slope $(D - 1)\Delta/(1 - \Delta)$. Because $P_\omega = e^\varepsilon\omega/(D + (e^\varepsilon - 1)\omega)$ is concave in $\omega$, $\Delta$ falls from segment to segment, and so does the slope.
# 6. *Many items.* The line tends to the curve on which the odds of support are $e^\varepsilon$ times as large for the own item as for another item: $P = e^\varepsilon Q/(1 + (e^\varepsilon - 1) Q)$. On it, $e^\varepsilon/g^+ = (e^\varepsilon - 1) P$ and $1/g^- = (e^\varepsilon - 1)(1 - P)$, and the sum is $e^\varepsilon - 1$.
# ```
#
# How far is a mechanism from this line? If both gains are lowered by the same fraction, $\alpha$ stays and $g^+ + g^- = 1/(\beta - \alpha)$ falls. So the largest possible fraction follows from the height of the line at $\alpha = Q$:

# %%
def broken_line(E, items=D):
    """Points (Q, P) of subset selection, from no item to all."""
    inner = [subset_selection(size, E, items)[::-1] for size in range(1, items)]
    return np.array([(0, 0), *inner, (1, 1)], dtype=float)


def room_below(P, Q, E):
    """By which fraction both gains could be lower."""
    highest = np.interp(Q, *broken_line(E).T)
    return 1 - (P - Q) / (highest - Q)


room = {name: room_below(*pair, np.e) for name, pair in at_1.items()}
print(", ".join(f"{name} {share:.1%}" for name, share in room.items()))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The two gains of eight mechanisms for 43 items at \u03b5 = 1. No private mechanism lies in the shaded region. Grey lines: the bounds for each gain alone. Along a dotted line the product of the gains, the variance, is the same. CMS and HCMS (squares) are close to the edge, but not at its point of least variance.", "name": "fig-sk-08-plane"}, "image": {"alt": "Scatter plot with logarithmic axes. A falling curve bounds a shaded region at the lower left. The eight mechanisms lie on or just above the curve: HCMS and BLH at the upper left, then SUE and CMS, then OUE, OLH and subset selection, and GRR far to the right at the bottom."}} tags=["figure"]
fig, ax = plots.panels(height=4.4)
edge = broken_line(np.e)[1:-1]
alphas = np.linspace(edge[-1, 0], edge[0, 0], 600)
betas = np.interp(alphas, *edge.T)
line_x = np.r_[(1 - alphas) / (betas - alphas), 60.0]
line_y = np.r_[alphas / (betas - alphas), 1 / (np.e - 1)]
least_up = np.e / (np.e - 1)
ax.fill_between(np.r_[1.2, least_up, line_x], np.r_[60, 60, line_y], 0.3,
                color="#bbbbbb", alpha=0.55, lw=0)  # fmt: skip
ax.plot(line_x, line_y, color="#555555", lw=1.2, ls="-")
across = np.geomspace(1.2, 40, 50)
for name, at_x, side in (("subset selection", 4.6, "right"), ("HCMS", 6.0, "left")):
    product = variance(*at_1[name])
    ax.plot(across, product / across, color=plots.COLOURS["grey"], ls=":", lw=1)
    ax.annotate(f"variance {product:.1f}", (at_x, product / at_x),
                (4, 4) if side == "left" else (-4, -9), ha=side,
                textcoords="offset points", fontsize=8.5, color="#555555")  # fmt: skip
ax.axvline(least_up, color=plots.COLOURS["grey"], lw=0.8, ls="-")
ax.axhline(1 / (np.e - 1), color=plots.COLOURS["grey"], lw=0.8, ls="-")
shift = {"GRR": (-8, 9), "SUE": (-30, -13), "OUE": (7, 5), "OLH": (9, -4), "BLH": (-30, -10),
         "subset selection": (-86, -14), "CMS": (8, 4), "HCMS": (8, 4)}  # fmt: skip
for name, pair in at_1.items():
    ours = name.endswith("CMS")
    spot = promotion(*pair), demotion(*pair)
    ax.plot(*spot, "s" if ours else "o", color=plots.COLOURS["orange" if ours else "blue"],
            ms=9 if ours else 5, zorder=3 if ours else 4)  # fmt: skip
    ax.annotate(name, spot, shift[name], textcoords="offset points", fontsize=9)
ax.set(xscale="log", yscale="log", xlim=(1.4, 40), ylim=(0.45, 5))
ax.set(xlabel="promotion gain of one fake user (users)",
       ylabel="demotion gain of one fake user (users)")  # fmt: skip
ticks = ((ax.xaxis, (1.5, 2, 3, 5, 10, 20, 40)), (ax.yaxis, (0.5, 1, 2, 4)))
for axis, values in ticks:
    axis.set_major_locator(plt.FixedLocator(values))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_locator(plt.NullLocator())
at_levels = {}
for name in at_1:
    at_levels[name] = [
        room_below(*mechanisms(level)[name], np.exp(level)) for level in (0.5, 1, 2, 4)
    ]
assert min(min(rooms) for rooms in at_levels.values()) > -1e-9
plt.show()


# %% [markdown]
# So the answer to the title is: hardly. At $\varepsilon = 1$ nothing beats CMS by more than 3.0%<!-- {room["CMS"]:.1%} --> at both gains, or HCMS by more than 2.4%<!-- {room["HCMS"]:.1%} -->. At $\varepsilon = \frac12$, 1, 2 and 4 it is never more than 3.1%<!-- {max(at_levels["CMS"] + at_levels["HCMS"]):.1%} -->. (OUE and OLH are made for many items. At $\varepsilon = 4$, 43 items are few, and there is more room: 21%<!-- {at_levels["OUE"][-1]:.0%} --> and 15%<!-- {at_levels["OLH"][-1]:.0%} -->.) On the edge, a smaller promotion gain means a larger demotion gain. Another mechanism *moves* the exposure; it does not remove it.
#
# ```{evidence} S-B26
# ```
#
# ## How far are the sketches from the least error?
#
# Safety is not the only goal. One user adds a variance to the estimate of each of the $D$ items. Let $L$ be the sum of these $D$ variances, on average over users of the $D$ items. For a mechanism with two scores it is
#
# $$ L = \frac{P(1 - P)}{(P - Q)^2} + (D - 1)\, V , $$
#
# which is `total_error` in the code. How small can $L$ be?
#
# ```{prf:theorem} The least error
# :label: thm-sk-08-error
# Every $\varepsilon$-locally private mechanism with unbiased additive estimators of all $D \ge 2$ items has
#
# $$ L \ge \frac1D + \frac{(D - 1)^2}{\max_\omega K_\omega - D} - 1, \qquad
#    K_\omega = D^2\, \frac{\omega e^{2\varepsilon} + D - \omega}{(\omega e^\varepsilon + D - \omega)^2}, \quad 0 < \omega < D. $$
#
# Subset selection with the maximal $\omega$ attains it.
# ```
#
# ```{prf:proof}
# Let $\bar P$ be the mean of the distributions $P_d$, and $R_d = P_d/\bar P$. Write $\langle f, g \rangle$ for the mean of $f g$ under $\bar P$. Let $\varphi_t$ be the scores for item $t$.
#
# 1. *Gram matrix.* Unbiasedness says $\langle \varphi_t, R_d \rangle = 1$ if $t = d$, and 0 otherwise. Let $G$ be the matrix of all $\langle R_t, R_d \rangle$. It is invertible, because unbiased scores exist. Among the functions with these products, $\sum_d (G^{-1})_{td} R_d$ has the smallest mean square, $(G^{-1})_{tt}$. The mean of $\varphi_t$ is 0 or 1, so $L = \sum_t \langle \varphi_t, \varphi_t \rangle - 1 \ge \operatorname{tr} G^{-1} - 1$.
# 2. *Eigenvalues.* Since $\sum_d R_d = D$, the vector of ones is an eigenvector of $G$ with the eigenvalue $D$. The other $D - 1$ eigenvalues have the sum $\operatorname{tr} G - D$. By the inequality of the arithmetic and harmonic means, their inverses have at least the sum $(D - 1)^2/(\operatorname{tr} G - D)$.
# 3. *Trace.* $\operatorname{tr} G$ is the mean of $\sum_d R_d(y)^2$. For each report, the $D$ numbers $R_d(y)$ have the sum $D$ and differ by at most the factor $e^\varepsilon$. As in the last proof, the list is a sum of lists with two values in the ratio $e^\varepsilon$. Scale each of these to the sum $D$; then the original list is a weighted mean of them. A sum of squares is convex, so that of the mean is at most the largest one of the two-valued lists. If $\omega$ of the numbers are the larger ones, this is $K_\omega$. (For $\omega = 0$ or $D$ it is $D$, which is less.)
# 4. *Equality.* In subset selection all reports have the same $\omega$, and by symmetry the $D - 1$ eigenvalues are equal.
# ```

# %%
def least_error(E, items=D):
    w = np.arange(1, items)
    K = items**2 * (w * E**2 + items - w) / (w * E + items - w) ** 2
    return 1 / items + (items - 1) ** 2 / (K.max() - items) - 1


assert np.isclose(total_error(*at_1["subset selection"]), least_error(np.e))


# %% [markdown]
# Both sketches have a fixed number $k$ of hash functions, which all users share. The package has their exact variance, averaged over the hash functions ([notebooks 1](../sketch/01-count-mean-sketch.ipynb) and [2](../sketch/02-hadamard.ipynb)). It contains the collisions, which depend on the counts; we take those of the shop.

# %%
def sketch_error(kind, epsilon):
    """Sum of the exact variances of the 43 estimates, per user."""
    scheme = kind(epsilon, hashes=1024, width=m, seed=1)
    return scheme.variances(counts).sum() / users


levels = [0.5, 1, 2, 4]
ratio = {}
for name, kind in (("CMS", CountMeanSketch), ("HCMS", HadamardCountMeanSketch)):
    ratio[name] = [sketch_error(kind, level) / least_error(np.exp(level)) for level in levels]
for name in ("OUE", "OLH"):
    ratio[name] = []
    for level in levels:
        ratio[name].append(total_error(*mechanisms(level)[name]) / least_error(np.exp(level)))

# %% jupyter={"source_hidden": true} tags=["set-up"]
least = [least_error(np.exp(level)) / D for level in levels]
table(
    {
        "ε": levels,
        "least": least,
        "CMS": [share * error for share, error in zip(ratio["CMS"], least)],
        "HCMS": [share * error for share, error in zip(ratio["HCMS"], least)],
        "CMS / least": ratio["CMS"],
        "HCMS / least": ratio["HCMS"],
        "OUE / least": ratio["OUE"],
        "OLH / least": ratio["OLH"],
    },
    formats={"least": ".3f", "CMS": ".3f", "HCMS": ".3f"}
    | {f"{name} / least": ".2f" for name in ratio},
    caption="Mean variance of the 43 estimates per user: the least possible one, and that of "
    "both sketches with k = 1,024 and m = 128 for the counts of the shop.",
)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Error of five mechanisms for 43 items, divided by the least possible error. Lines: one hash function for each user. Squares: k = 1,024 hash functions shared by all users of the shop, which is a little worse. OUE and OLH nearly coincide. The larger \u03b5, the farther both sketches are from the optimum.", "name": "fig-sk-08-error"}, "image": {"alt": "Ratio to the least error against \u03b5 from 0.25 to 5, on a logarithmic axis. HCMS rises to 21<!-- {ratio[\"HCMS\"][3]:.0f} --> at \u03b5 = 4, and CMS to 4.0<!-- {ratio[\"CMS\"][3]:.1f} -->. OUE and OLH rise slowly. GRR falls to 1."}} tags=["figure"]
fine = np.linspace(0.25, 5, 60)
curves = {name: [] for name in ("HCMS", "CMS", "OUE", "OLH", "GRR")}
for level in fine:
    pairs = mechanisms(level)
    for name, values in curves.items():
        values.append(total_error(*pairs[name]) / least_error(np.exp(level)))
look = {"HCMS": ("orange", "--"), "CMS": ("orange", "-"), "OUE": ("blue", "-"),
        "OLH": ("blue", "--"), "GRR": ("grey", "-.")}  # fmt: skip
fig, ax = plots.panels(height=3.6)
for name, values in curves.items():
    colour, dash = look[name]
    ax.plot(fine, values, color=plots.COLOURS[colour], ls=dash, label=name)
    if name in ("CMS", "HCMS"):
        ax.plot(levels, ratio[name], "s", color=plots.COLOURS[colour])
ax.set(yscale="log", ylim=(0.95, 30), yticks=[1, 2, 5, 10, 20], yticklabels=[1, 2, 5, 10, 20])
ax.set(xlabel="ε", ylabel="error / least error")
ax.minorticks_off()
ax.legend()
plt.show()


# %% [markdown]
# The sketches are close to the right *curve*, but at the wrong *point* of it. By the theorem, the error depends on how many items a report supports. For many items it is least if another item is supported with probability $Q = 1/(e^\varepsilon + 1)$, as in OUE. For CMS, $Q$ is about $1/(e^{\varepsilon/2} + 1)$. For HCMS it is $\frac12$ at every $\varepsilon$, because a report is a single sign. Therefore the variance of HCMS stays above 1 per user, however weak the protection is. CMS can be improved: with the flips of OUE in its cells, the excess at $\varepsilon = 1$ falls from 14%<!-- {total_error(*at_1["CMS"]) / least_error(np.e) - 1:.0%} --> to 8%<!-- {total_error(*sketch(1 / 2, 1 / (np.e + 1))) / least_error(np.e) - 1:.0%} -->, with one hash function for each user. OLH can be called a CMS in which the user reports the hash value by randomised response. It is 6%<!-- {ratio["OLH"][1] - 1:.0%} --> above the least error.
#
# But accuracy is paid in exposure. Subset selection with the least error has the promotion gain 3.04<!-- {promotion(*at_1["subset selection"]):.2f} --> users, against the 2.55<!-- {promotion(*at_1["CMS"]):.2f} --> of CMS.
#
# ```{evidence} S-B45
# ```
#
# ## What if the noise is enforced?
#
# [Notebook 6](../sketch/06-every-variant.ipynb) takes the choice of the report away from the user: in its variant V6, a client commits to an item, and a public coin makes the noise. A fake user that finishes is worth one user. But a client that sees the coin can *abort* unless the report supports its target. Per session this earns $g^+$ with probability $P$:

# %%
def aborting(P, Q):
    return P * promotion(P, Q)


variant = {row.name: row for row in threat_matrix(1.0, 1, width=m)}["V6"]
print(f"HCMS: {aborting(*at_1['HCMS']):.3f} users, {variant.aborts:.3f} by the threat matrix")

# %% [markdown]
# ```{prf:proposition} The value of aborting
# :label: thm-sk-08-abort
# If an item multiplies the odds of its support by $e^\varepsilon$, a client that aborts unless its report supports the target earns $P g^+ = \frac{e^\varepsilon}{e^\varepsilon - 1}$ users a session.
# ```
#
# ```{prf:proof}
# By assumption $P(1 - Q) = e^\varepsilon Q(1 - P)$. So $P - Q = P(1 - Q) - Q(1 - P) = P(1 - Q)(1 - e^{-\varepsilon})$. Divide $P(1 - Q)$ by this.
# ```
#
# This is the least promotion gain of {prf:ref}`thm-sk-08-price`, at *every* point of the curve of many items. SUE, OUE and local hashing satisfy the condition, and so do both sketches in the limit of wide rows.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What one fake user adds to its item at \u03b5 = 1. If it may send any report, the mechanism matters. If the noise is enforced and the client may abort, all mechanisms are within 1.55<!-- {min(earned):.2f} --> to 1.59<!-- {max(earned):.2f} --> users (the line is e/(e \u2212 1)). Numbers at the right: share of the sessions that end.", "name": "fig-sk-08-abort"}, "image": {"alt": "Dot plot of eight mechanisms, logarithmic axis. Dots for any report are spread from 2.2<!-- {promotion(*at_1[\"BLH\"]):.1f} --> to 25<!-- {promotion(*at_1[\"GRR\"]):.0f} --> users; diamonds for aborting clients all lie near a vertical line; crosses for clients that finish lie at 1. Sessions that end range from 6%<!-- {at_1[\"GRR\"][0]:.0%} --> for GRR to 73%<!-- {at_1[\"HCMS\"][0]:.0%} --> for HCMS and BLH."}} tags=["figure"]
earned = [aborting(*pair) for pair in at_1.values()]
fig, ax = plots.panels(height=3.4)
for row, (P, Q) in enumerate(at_1.values()):
    finishes = P * promotion(P, Q) - (1 - P) * demotion(P, Q)
    ax.plot(promotion(P, Q), row, "o", color=plots.COLOURS["blue"],
            label="sends any report" if row == 0 else None)  # fmt: skip
    ax.plot(aborting(P, Q), row, "D", color=plots.COLOURS["orange"],
            label="enforced noise, may abort" if row == 0 else None)  # fmt: skip
    ax.plot(finishes, row, "x", color=plots.COLOURS["black"],
            label="enforced noise, finishes" if row == 0 else None)  # fmt: skip
    ax.annotate(f"{P:.0%}", (42, row), va="center", ha="right", fontsize=9)
ax.axvline(np.e / (np.e - 1), color="#555555", lw=0.8, ls="-", zorder=0)
ax.set(xscale="log", xlim=(0.9, 45), xticks=[1, 2, 5, 10, 20], xticklabels=[1, 2, 5, 10, 20])
ax.set(yticks=range(8), yticklabels=list(at_1), xlabel="users per fake user or session")
ax.set_ylim(7.6, -0.6)
ax.minorticks_off()
ax.legend(loc=(0.45, 0.3))
plt.show()

# %% [markdown]
# So a proof that may be abandoned brings every mechanism near the best promotion gain that is possible *without* proofs, and it shows the server how many sessions never end. To come down to 1, the server must hide the coin from the client, or make it costly to abort.
#
# ```{evidence} S-B27
# ```
#
# ## What it rests on
#
# - **Proofs** of the three theorems and the proposition are on this page. The companion checks the theorems by linear programmes over all mechanisms of 2 to 5 items, by random channels, and by certificates in fractions.
# - **$P$ and $Q$** of five mechanisms are simulated from their definitions in the companion. [Another package](../../book/outside.md) {cite:p}`arcolezi2022multifreq` has the same numbers for GRR, OUE and local hashing.
# - **The sketches** enter with averages over hash functions. Their errors at $k = 1{,}024$ agree with simulated shops in the companion.
#
# ## Limits
#
# - The server adds up unbiased scores. One that cleans its estimates is outside these theorems; [cleaning can raise a gain](sketch-beside-the-state-of-the-art.ipynb). So is a protocol of several rounds, and approximate privacy with a $\delta$.
# - The gains are for one target. With many targets the order of the mechanisms [changes](sketch-beside-the-state-of-the-art.ipynb).
# - The least error is for items that are equally frequent. A mechanism made for one known distribution of items can have a smaller error there.
# - A sketch with $k = 1{,}024$ shared hash functions is unbiased only on average over these. Strictly, the third theorem covers a sketch with a hash function for each user.
# - Projective geometry response {cite:p}`feldman2022private` is only in the companion. It, too, is close to the line.
#
# ## What others had
#
# That local privacy has a price in robustness was found by {cite:t}`cheu2021manipulation`, whom we know in abstract. They treat the error of whole distributions, up to constants. {cite:t}`cao2021poisoning` computed the gains on GRR, OUE and OLH. The inequality for the variance is that of {cite:t}`bhatia2000variance`, and mechanisms whose lists have two values are those of {cite:t}`kairouz2016extremal`. All our steps are standard, but we found neither the two sharp bounds nor the possible pairs of gains in print, and believe that they are ours. The least error is *not* ours. {cite:t}`ye2018optimal` introduced subset selection, and later proved that its error is asymptotically the least for many users {cite:p}`ye2017asymptotically` (abstracts). Block designs give further mechanisms with the least error {cite:p}`park2023exactly`, and there are no others {cite:p}`gentle2025necessity` (abstracts). {cite:t}`pan2026strict` states the sharp bound for unbiased linear estimators and a modified CMS that practically attains it. We could read only the abstract and the beginning. So the proof above is our own, and his may be the same. New here is only the distance of the two sketches from the bound.
#
# ## Exercises
#
# ```{exercise-start} From gains to variance
# :label: ex-sk-08-noise
# ```
# **Warm-up.** A vendor says only this: one fake user moves our unbiased count by at most 2 up and 3 down, at $\varepsilon = 1$. What is the largest variance that a report can have? Is the claim possible for a thousand items?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-08-noise", ...)

# %% [markdown]
# ```{solution-start} ex-sk-08-noise
# :class: dropdown
# ```
# At most $2 \cdot 3 = 6$ per user. The claim is just possible: $\frac e2 + \frac13$ is 1.69<!-- {np.e / 2 + 1 / 3:.2f} -->, and $e - 1$ is 1.72<!-- {np.e - 1:.2f} -->. With 1.9 instead of 2 it would be impossible.

# %%
thousand = broken_line(np.e, items=1000).T
for up, possible in ((2, True), (1.9, False)):
    alpha, beta = 3 / (up + 3), (1 + 3) / (up + 3)
    assert (beta <= np.interp(alpha, *thousand)) == possible
largest_variance = 2 * 3  # the product of the two gains
check("sk-08-noise", largest_variance)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Which mechanisms attain the bounds?
# :label: ex-sk-08-limits
# ```
# **Standard.** When is the promotion gain the least possible one? Read it off the proof of {prf:ref}`thm-sk-08-price`. Which mechanism of the table attains one of the two bounds, and with how many of $D$ items does subset selection attain the other?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-08-limits", ...)


# %% [markdown]
# ```{solution-start} ex-sk-08-limits
# :class: dropdown
# ```
# Equality means: wherever $\varphi < g^+$, the report is $e^\varepsilon$ times as likely from *every* other item as from $t$. So a report may speak against one item only: name all items but one, $\omega = D - 1$. For the demotion gain, wherever $\varphi > -g^-$, the report must be $e^\varepsilon$ times as likely from $t$ as from every other item. This is GRR.

# %%
def safest_size(items):
    """Number of items to name for the least promotion gain, at e^ε = 3."""
    gains = {w: promotion(*subset_selection(w, Fraction(3), items)) for w in range(1, items)}
    return min(gains, key=gains.get)


assert demotion(*subset_selection(1, Fraction(3), 43)) == Fraction(1, 2)
check("sk-08-limits", safest_size)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two of three items
# :label: ex-sk-08-three
# ```
# **Research.** With at least three items, no mechanism attains both bounds for two of them. Prove this without {prf:ref}`thm-sk-08-frontier`.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-08-three
# :class: dropdown
# ```
# Suppose that both bounds are attained for item $t$. By the second exercise, each report is $e^\varepsilon$ times as likely from $t$ as from every other item, or the other way round. In both cases all *other* items are equally likely. Now let both bounds be attained for $u$, too, and let $d$ be a third item. By what we just saw, each report is equally likely from $u$ and from $d$. But for $u$ the same argument demands the factor $e^\varepsilon$ between them. The second theorem agrees:

# %%
alpha, beta = Fraction(1, 4), Fraction(3, 4)  # e^ε = 3, gains 3/2 and 1/2
for items in range(3, 44):
    assert np.interp(float(alpha), *broken_line(3, items).T) < beta

# %% [markdown]
# ```{solution-end}
# ```
#
# **Next:** [what many reports tell](sketch-what-many-reports-tell.ipynb) about one user.
