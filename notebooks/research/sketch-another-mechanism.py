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
# **Question.** One fake user of the Count Mean Sketch (CMS) can count as 2.55<!-- {promotion(*at_1["CMS"]):.2f} --> honest users at $\varepsilon = 1$. Would another private mechanism have been safer, or more accurate?
#
# **What is known.** The paper {cite:p}`shimizu` compares CMS only with its Hadamard variant HCMS, where a fake user adds 2.17<!-- {promotion(*at_1["HCMS"]):.2f} --> users, and calls HCMS safer. {cite:t}`cao2021poisoning` computed such gains for three other mechanisms. {cite:t}`ye2017asymptotically` proved that *subset selection* has asymptotically the least error (abstract). We found no sharp lower bound for the gains in print.
#
# **Answer.** No other mechanism is much safer. Suppose that the server adds up unbiased scores of the reports, for 43 items. Then what a fake user can add to a count and what it can take away cannot *both* be reduced by more than 3.0%<!-- {room["CMS"]:.1%} --> from CMS, or 2.4%<!-- {room["HCMS"]:.1%} --> from HCMS. Other mechanisms are more accurate: the mean squared error is 15%<!-- {ratio["CMS"][1] - 1:.0%} --> (CMS) and 36%<!-- {ratio["HCMS"][1] - 1:.0%} --> (HCMS) above the least possible one. At $\varepsilon = 4$ it is 4.0<!-- {ratio["CMS"][3]:.1f} --> and 21<!-- {ratio["HCMS"][3]:.0f} --> times the least one.
#
# **Why it matters.** Replacing a sketch by another mechanism can improve its accuracy, but helps little against fake users.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** which gains of a fake user are possible under local privacy, how they are related to the error of honest reports, how far both sketches are from the least possible error, and what a fake user gains by aborting.
# **You need** the gains of [notebook 3](../sketch/03-poisoning.ipynb), conditional means, and eigenvalues of a symmetric matrix.
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attacker** controls some users, knows the mechanism, and wants the estimated count of one *target* item to be too large, or too small. A fake user may send *any report that an honest user might send*. In the section on enforced noise, a fake user may only choose an item or abort.
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
# ## Two numbers describe what a fake user can do
#
# Take three items and $e^{\varepsilon} = 3$. In *generalised randomised response* (GRR), a user reports their own item with probability $\frac35$ and each other item with probability $\frac15$. To count item 0, the server adds a *score* for each report: 2 if the report names item 0, and $-\frac12$ otherwise.

# %%
channel = np.array([[3, 1, 1], [1, 3, 1], [1, 1, 3]]) * Fraction(1, 5)
scores = np.array([Fraction(2), Fraction(-1, 2), Fraction(-1, 2)])

for item, probabilities in enumerate(channel):
    mean = probabilities @ scores
    variance_of_score = probabilities @ scores**2 - mean**2
    print(f"a user of item {item} adds the mean {mean} and the variance {variance_of_score}")


# %% [markdown]
# A user of item 0 adds 1 on average, and any other user adds 0. So the sum of the scores is an unbiased estimate of the number of users of item 0. A fake user chooses its report freely. So it adds 2 users to the estimate, or takes $\frac12$ away. An honest user of another item adds the variance 1. This is the product of the two numbers 2 and $\frac12$, and the first theorem will explain why.
#
# ```{prf:definition} Unbiased additive estimator and its gains
# :label: def-sk-08-additive
# A user of item $d$ draws one of finitely many reports $y$ from a distribution $P_d$. The server estimates the count of item $t$ by the sum of the scores $\varphi(y)$ of all reports, where $\varphi$ has the mean 1 under $P_t$ and the mean 0 under $P_d$ for all $d \ne t$. The *promotion gain* $g^+$ is the largest score of a report that an honest user may send, and the *demotion gain* $g^-$ is minus the smallest one. $V$ is the variance of $\varphi$ under $P_d$ for a given $d \ne t$.
# ```
#
# Most mechanisms for counting items work like this: a report *supports* some of the items. It supports its user's own item with probability $P$, and each other item with probability $Q < P$. For each item, a report has one of two scores: one if it supports the item, and another one if it does not. The means 1 and 0 determine both:

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
# The first two functions are $g^+$ and $g^-$. Their product is the third function: $V = g^+ g^-$.
#
# We compare eight mechanisms. (See {cite:t}`wang2017locally` for the first three.)
#
# - **GRR** names one item, and supports it.
# - **Unary encoding** sends one bit for each item; a report supports the items whose bit is 1. *SUE* flips all bits with the same probability. *OUE* keeps the bit of the user's own item with probability $\frac12$ and flips the other bits more rarely.
# - **Local hashing:** the user draws a hash function, and reports it together with a hash value of the item, to which GRR is applied. The report supports all items with the reported value. *BLH* has two hash values. *OLH* has as many as give the least error.
# - **Subset selection** names $\omega$ of the $D$ items, and supports them {cite:p}`ye2018optimal`.
# - **The two sketches.** A CMS report supports an item if the sign in the item's cell is $+1$. An HCMS report supports an item if its sign agrees with the item's code word. Another item is in the user's cell with probability $1/m$ on average over the hash functions, so $Q$ is a mean over two cases.

# %%
D, m = 43, 128  # items of the shop, cells in a row of a sketch


def subset_selection(size, E, items=D):
    """P and Q if a report names this number of items; E is exp(ε)."""
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
    hashing = [(E / (E + values - 1), 1 / values) for values in range(2, 500)]
    subsets = [subset_selection(size, E) for size in range(1, D)]
    return {
        "GRR": subset_selection(1, E),
        "SUE": (root / (root + 1), 1 / (root + 1)),
        "OUE": (1 / 2, 1 / (E + 1)),
        "BLH": (E / (E + 1), 1 / 2),
        "OLH": most_accurate(hashing),
        "subset selection": most_accurate(subsets),
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
# No mechanism in this table has both a small promotion gain and a small demotion gain. With GRR, a fake user can take away little, but it can add 25.4<!-- {promotion(*at_1["GRR"]):.1f} --> users to an item. BLH and HCMS have the smallest promotion gains and the largest demotion gains. The paper measures promotion only, which is why it finds HCMS safer.
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
# *Promotion.* The number $g^+ - \varphi(y)$ is never negative. Its mean is $g^+$ under $P_d$ and $g^+ - 1$ under $P_t$. Privacy bounds the ratio of the two means: $g^+ \le e^\varepsilon (g^+ - 1)$. This is the first bound.
#
# *Demotion.* In the same way, $\varphi(y) + g^-$ is never negative and has the mean $g^- + 1$ under $P_t$ and $g^-$ under $P_d$. So $g^- + 1 \le e^\varepsilon g^-$.
#
# *Variance.* The product $(g^+ - \varphi)(\varphi + g^-)$ is never negative. Under $P_d$ the mean of $\varphi$ is 0 and that of $\varphi^2$ is $V$, so the product has the mean $g^+ g^- - V$. This mean is 0 if and only if every report has the score $g^+$ or the score $-g^-$.
# ```
#
# Which mechanisms attain these bounds? For given distributions of the reports (a *channel*), the scores with the smallest promotion gain solve a linear programme, because all conditions on the scores are linear:

# %%
def least_promotion(channel, target=0):
    """Least promotion gain of unbiased scores; row d of channel: the reports of a user of item d."""
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


all_but_one = np.array([[1, 3, 3], [3, 1, 3], [3, 3, 1]]) / 7
print(f"GRR {least_promotion(channel):.3f}, bound {3 / 2:.3f}")
print(f"all items but one: {least_promotion(all_but_one):.3f}")


# %% [markdown]
# The second mechanism is subset selection that names all items but one. Each of its reports omits one item, and is three times as likely from a user of another item as from a user of the omitted one. This mechanism attains the bound for promotion. GRR attains the bound for demotion. At $\varepsilon = 1$ the two bounds are 1.582<!-- {np.e / (np.e - 1):.3f} --> and 0.582<!-- {1 / (np.e - 1):.3f} --> users.
#
# ```{evidence} S-B16 S-B25
# ```
#
# ## Which pairs of gains are possible?
#
# No mechanism attains both bounds for all items, if there are at least three. (If only one item $t$ is counted, both are attained: each user answers the question "is your item $t$?" by randomised response.) So which pairs $(g^+, g^-)$ can a mechanism have for all items at once? To answer, we rescale the score to a number between 0 and 1:
#
# $$ x = \frac{\varphi + g^-}{g^+ + g^-}. $$
#
# Under $P_t$ the mean of $\varphi$ is 1, and under every other $P_d$ it is 0. So the means of $x$ are $\beta$ and $\alpha$:
#
# $$ \alpha = \frac{g^-}{g^+ + g^-}, \qquad \beta = \frac{1 + g^-}{g^+ + g^-}. $$
#
# For a mechanism with two scores, $x$ is 1 if the report supports the item and 0 otherwise, so $\alpha = Q$ and $\beta = P$. Let $(Q_\omega, P_\omega)$ be this point for subset selection with $\omega$ of $D$ items, and let $(Q_0, P_0) = (0, 0)$ and $(Q_D, P_D) = (1, 1)$. We join these $D + 1$ points by line segments.
#
# ```{prf:theorem} All possible pairs of gains
# :label: thm-sk-08-frontier
# An $\varepsilon$-locally private mechanism with unbiased additive estimators whose gains are at most $g^+$ and $g^-$ for *every* item exists if and only if the point $(\alpha, \beta)$ lies on or below the polygonal line through the points $(Q_\omega, P_\omega)$. As $D \to \infty$, this condition becomes
#
# $$ \frac{e^\varepsilon}{g^+} + \frac{1}{g^-} \le e^\varepsilon - 1 . $$
# ```
#
# ```{prf:proof}
# 1. *Scores are tests.* A number $x(y)$ between 0 and 1 is a randomised test of the statement "the user's item is $t$": on the report $y$, it says yes with probability $x(y)$. Conversely, a test that says yes with probability $\beta$ under $P_t$ and $\alpha$ under every other $P_d$ gives unbiased scores with these gains. So we look for the points $(\alpha, \beta)$ that are possible for tests of all items at once.
# 2. *Reports are sets.* Fix a report. Its probabilities for users of the $D$ items differ by at most the factor $e^\varepsilon$. So they are $c\,(1 + (e^\varepsilon - 1) z_d)$ with $0 \le z_d \le 1$. The vector $z$ is a convex combination of vectors of zeros and ones. So the vector of probabilities is a sum of vectors with only two values, in the ratio $e^\varepsilon$. Split the report into one report for each of these vectors. The server can ignore the split, so every test remains possible. Now each report corresponds to a set: the items with the larger value.
# 3. *Only the size of the set matters.* Let the user rename the items by a random permutation, and report the permutation, so that the server can undo it. Privacy and the means of the tests do not change, but now the factor $c$ is the same for all sets of one size. So the mechanism draws a size $\omega$ and then performs subset selection.
# 4. *One size.* On average over the permutations, a test of item $t$ uses one bit: whether $t$ is in the set. Let it say yes with probability $a$ if so and $b$ if not. Its point is $(aQ_\omega + b(1 - Q_\omega),\ aP_\omega + b(1 - P_\omega))$. These points fill a parallelogram with the corners $(0, 0)$, $(Q_\omega, P_\omega)$, $(1, 1)$ and $(1 - Q_\omega, 1 - P_\omega)$. A random size gives the convex hull of all these parallelograms.
# 5. *The upper edge* of the convex hull is the polygonal line, provided that this line is concave. Since $\omega$ items are named, $P_\omega + (D - 1) Q_\omega = \omega$. If $P_\omega$ grows by $\Delta$ from one size to the next, $Q_\omega$ grows by $(1 - \Delta)/(D - 1)$, so the segment has the slope $(D - 1)\Delta/(1 - \Delta)$. Because $P_\omega = e^\varepsilon\omega/(D + (e^\varepsilon - 1)\omega)$ is concave in $\omega$, $\Delta$ falls from segment to segment, and so does the slope.
# 6. *Many items.* As $D \to \infty$, the line tends to the curve $P = e^\varepsilon Q/(1 + (e^\varepsilon - 1) Q)$, where the odds of support are $e^\varepsilon$ times as large for the user's item as for another item. On this curve, $e^\varepsilon/g^+ = (e^\varepsilon - 1) P$ and $1/g^- = (e^\varepsilon - 1)(1 - P)$, and the sum is $e^\varepsilon - 1$.
# ```
#
# By which fraction could both gains of a mechanism be reduced? If both are multiplied by the same factor, $\alpha$ does not change, and $\beta - \alpha = 1/(g^+ + g^-)$ grows. It can grow until $\beta$ reaches the polygonal line at $\alpha = Q$. This gives the largest possible reduction:

# %%
def polygonal_line(E, items=D):
    """Points (Q, P) of subset selection, from no item to all."""
    inner = [subset_selection(size, E, items)[::-1] for size in range(1, items)]
    return np.array([(0, 0), *inner, (1, 1)], dtype=float)


def possible_reduction(P, Q, E):
    """Largest fraction by which both gains could be reduced."""
    highest = np.interp(Q, *polygonal_line(E).T)
    return 1 - (P - Q) / (highest - Q)


room = {name: possible_reduction(*pair, np.e) for name, pair in at_1.items()}
print(", ".join(f"{name} {share:.1%}" for name, share in room.items()))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The two gains of eight mechanisms for 43 items at \u03b5 = 1. No private mechanism with unbiased scores lies in the shaded region. Grey lines: the bounds for each gain alone. Along a dotted line the product of the gains, which is the variance, is constant. CMS and HCMS (squares) are close to the edge of the shaded region, but not at its point of least variance, where subset selection lies.", "name": "fig-sk-08-plane"}, "image": {"alt": "Scatter plot with logarithmic axes. A falling curve bounds a shaded region at the lower left. The eight mechanisms lie on or just above the curve: HCMS and BLH at the upper left, then SUE and CMS, then OUE, OLH and subset selection, and GRR far to the right at the bottom."}} tags=["figure"]
fig, ax = plots.panels(height=4.4)
edge = polygonal_line(np.e)[1:-1]
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
        possible_reduction(*mechanisms(level)[name], np.exp(level)) for level in (0.5, 1, 2, 4)
    ]
assert min(min(rooms) for rooms in at_levels.values()) > -1e-9
plt.show()


# %% [markdown]
# So no other mechanism is much safer. At $\varepsilon = 1$, both gains of CMS can be reduced together by at most 3.0%<!-- {room["CMS"]:.1%} -->, and those of HCMS by at most 2.4%<!-- {room["HCMS"]:.1%} -->. At $\varepsilon = \frac12$, 1, 2 and 4 the reduction is at most 3.1%<!-- {max(at_levels["CMS"] + at_levels["HCMS"]):.1%} -->. One of the gains can be reduced further, but then the other one grows: a different mechanism exchanges one weakness for the other.
#
# ```{evidence} S-B26
# ```
#
# ## How far are the sketches from the least error?
#
# The other goal is accuracy without fake users. One honest user adds a variance to the estimate of each of the $D$ items. Let $L$ be the sum of these $D$ variances, on average over users of the $D$ items. For a mechanism with two scores it is
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
# Subset selection with the $\omega$ that maximises $K_\omega$ attains the bound.
# ```
#
# ```{prf:proof}
# Let $\bar P$ be the mean of the $D$ distributions $P_d$, and let $R_d(y) = P_d(y)/\bar P(y)$. Write $\langle f, g \rangle$ for the mean of $f g$ under $\bar P$. Let $\varphi_t$ be the scores for item $t$.
#
# 1. *Gram matrix.* Unbiasedness says $\langle \varphi_t, R_d \rangle = 1$ if $t = d$, and 0 otherwise. Let $G$ be the matrix of all $\langle R_t, R_d \rangle$. It is invertible, because unbiased scores exist. Among the functions whose products with the $R_d$ are these, $\sum_d (G^{-1})_{td} R_d$ has the smallest mean square, namely $(G^{-1})_{tt}$. The mean of $\varphi_t$ is 1 for users of $t$ and 0 for all others, so the squared means add up to 1, and $L = \sum_t \langle \varphi_t, \varphi_t \rangle - 1 \ge \operatorname{tr} G^{-1} - 1$.
# 2. *Eigenvalues.* Since $\sum_d R_d = D$, the vector of ones is an eigenvector of $G$ with the eigenvalue $D$. The other $D - 1$ eigenvalues have the sum $\operatorname{tr} G - D$. By the inequality of the arithmetic and harmonic means, their inverses have at least the sum $(D - 1)^2/(\operatorname{tr} G - D)$.
# 3. *Trace.* $\operatorname{tr} G$ is the mean of $\sum_d R_d(y)^2$. For each report, the $D$ numbers $R_d(y)$ have the sum $D$ and differ by at most the factor $e^\varepsilon$. As in the last proof, the vector of these numbers is a sum of vectors with two values in the ratio $e^\varepsilon$. Scale each of these to the sum $D$; then the original vector is a weighted mean of them. The sum of squares is a convex function, so its value at the mean is at most its largest value at a two-valued vector. If $\omega$ of the entries have the larger value, the sum of squares is $K_\omega$. (For $\omega = 0$ or $D$ it is $D$, which is less.)
# 4. *Equality.* In subset selection all reports have the same $\omega$, and by symmetry the $D - 1$ eigenvalues are equal.
# ```

# %%
def least_error(E, items=D):
    """The bound of the theorem."""
    size = np.arange(1, items)
    K = items**2 * (size * E**2 + items - size) / (size * E + items - size) ** 2
    return 1 / items + (items - 1) ** 2 / (K.max() - items) - 1


assert np.isclose(total_error(*at_1["subset selection"]), least_error(np.e))


# %% [markdown]
# In both sketches all users share $k$ hash functions. The package has the exact variance, averaged over the hash functions ([notebooks 1](../sketch/01-count-mean-sketch.ipynb) and [2](../sketch/02-hadamard.ipynb)). Part of it comes from items that collide in a cell, so it depends on the counts. We take the counts of our shop, $k = 1{,}024$ and $m = 128$.

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
# Why are the sketches near the edge of the possible gains, but far from the least error? By the proof, the error depends on how many items a report supports. For many items it is least if another item is supported with probability $Q = 1/(e^\varepsilon + 1)$, as in OUE. For CMS, $Q$ is about $1/(e^{\varepsilon/2} + 1)$. For HCMS it is about $\frac12$ at every $\varepsilon$, because a report is a single sign. Therefore the variance of HCMS stays above 1 per user even for a very large $\varepsilon$.
#
# CMS can be made more accurate. If the bits of its row are flipped with the probabilities of OUE, its error at $\varepsilon = 1$ is 8%<!-- {total_error(*sketch(1 / 2, 1 / (np.e + 1))) / least_error(np.e) - 1:.0%} --> above the least one instead of 14%<!-- {total_error(*at_1["CMS"]) / least_error(np.e) - 1:.0%} -->, if each user has a hash function of their own. OLH, in which the user applies GRR to the hash value, is 6%<!-- {ratio["OLH"][1] - 1:.0%} --> above it.
#
# But a smaller error means a larger promotion gain here. Subset selection with the least error has the promotion gain 3.04<!-- {promotion(*at_1["subset selection"]):.2f} -->, and CMS has 2.55<!-- {promotion(*at_1["CMS"]):.2f} -->.
#
# ```{evidence} S-B45
# ```
#
# ## What if the noise is enforced?
#
# Fake users can do much less if they cannot choose the noise. In the variant V6 of [notebook 7](../sketch/07-every-variant.ipynb), a client commits to an item, and a public random draw then determines the noise. A fake user that finishes the session adds one user on average. But the client sees the draw, and it can *abort* the session unless its report supports the target. The report supports the target with probability $P$ and then adds $g^+$, so a session adds $P g^+$ on average:

# %%
def aborting(P, Q):
    return P * promotion(P, Q)


variant = {row.name: row for row in threat_matrix(1.0, 1, width=m)}["V6"]
print(f"HCMS: {aborting(*at_1['HCMS']):.3f} users, {variant.aborts:.3f} by the threat matrix")

# %% [markdown]
# ```{prf:proposition} The value of aborting
# :label: thm-sk-08-abort
# Suppose that the odds of support are $e^\varepsilon$ times as large for the user's own item as for another item. Then a client that aborts unless its report supports the target adds, on average for each session, $P g^+ = \frac{e^\varepsilon}{e^\varepsilon - 1}$ users.
# ```
#
# ```{prf:proof}
# By assumption $P(1 - Q) = e^\varepsilon Q(1 - P)$. So $P - Q = P(1 - Q) - Q(1 - P) = P(1 - Q)(1 - e^{-\varepsilon})$. Therefore $P g^+ = P(1 - Q)/(P - Q) = 1/(1 - e^{-\varepsilon})$.
# ```
#
# This number is exactly the lower bound for the promotion gain in {prf:ref}`thm-sk-08-price`. SUE, OUE and local hashing satisfy the condition, and so do both sketches in the limit of wide rows ($m \to \infty$).

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What one fake user adds to its item at \u03b5 = 1. If it may send any report, the mechanism matters. If the noise is enforced and the client may abort, all eight mechanisms lie between 1.55<!-- {min(earned):.2f} --> and 1.59<!-- {max(earned):.2f} --> users. The line is e/(e \u2212 1). At the right: the share of the sessions that the client does not abort.", "name": "fig-sk-08-abort"}, "image": {"alt": "Dot plot of eight mechanisms, logarithmic axis. Dots for any report are spread from 2.2<!-- {promotion(*at_1[\"BLH\"]):.1f} --> to 25<!-- {promotion(*at_1[\"GRR\"]):.0f} --> users; diamonds for aborting clients all lie near a vertical line; crosses for clients that finish lie at 1. Sessions that end range from 6%<!-- {at_1[\"GRR\"][0]:.0%} --> for GRR to 73%<!-- {at_1[\"HCMS\"][0]:.0%} --> for HCMS and BLH."}} tags=["figure"]
earned = [aborting(*pair) for pair in at_1.values()]
fig, ax = plots.panels(height=3.6)
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
ax.annotate("sessions\nfinished", (42, -0.5), va="bottom", ha="right", fontsize=9)
ax.set(xscale="log", xlim=(0.9, 45), xticks=[1, 2, 5, 10, 20], xticklabels=[1, 2, 5, 10, 20])
ax.set(yticks=range(8), yticklabels=list(at_1), xlabel="users added by one fake user (in one session)")
ax.set_ylim(7.6, -1.5)
ax.minorticks_off()
ax.legend(loc=(0.42, 0.3))
plt.show()

# %% [markdown]
# So with enforced noise that a client may abort, each of these eight mechanisms is near the lower bound that holds *without* enforcement. The server sees how many sessions are aborted. To reduce the gain to 1, the server must hide the draw from the client until it has sent its report, or make it costly to abort.
#
# ```{evidence} S-B27
# ```
#
# ## Limits
#
# - **Proofs.** All proofs are on this page. The companion checks the theorems by linear programmes over all mechanisms of 2 to 5 items, by random channels, and by certificates in fractions. It simulates five mechanisms from their definitions. [Another package](../../book/outside.md) {cite:p}`arcolezi2022multifreq` has the same $P$ and $Q$ for GRR, OUE and local hashing.
# - **Servers.** A server that cleans its estimates is not covered, and [cleaning can raise a gain](sketch-beside-the-state-of-the-art.ipynb). Protocols of several rounds and privacy with a $\delta$ are not covered either.
# - **Targets.** The gains are for one target. With many targets the order of the mechanisms [changes](sketch-beside-the-state-of-the-art.ipynb).
# - **Frequencies.** $L$ weighs all items equally. A mechanism made for one known distribution of items can have a smaller error for it.
# - **Shared hash functions.** With $k = 1{,}024$ shared hash functions, a sketch is unbiased only on average over these functions. Strictly, the third theorem covers a sketch with a hash function for each user.
#
# ## What others had
#
# {cite:t}`cheu2021manipulation` (abstract) found that local privacy makes manipulation easier. They bound the error of whole distributions up to constants. Our inequality for the variance is that of {cite:t}`bhatia2000variance`, and mechanisms whose vectors have two values are those of {cite:t}`kairouz2016extremal`. Our steps are standard, but we found neither the two sharp bounds nor the possible pairs of gains in print, and believe that they are new.
#
# The least error is *not* new. {cite:t}`ye2018optimal` introduced subset selection, and {cite:t}`ye2017asymptotically` proved its asymptotic optimality. Block designs give further mechanisms with the least error {cite:p}`park2023exactly`, and there are no others {cite:p}`gentle2025necessity` (abstracts). {cite:t}`pan2026strict` (abstract and beginning) states the sharp bound for unbiased linear estimators, and a modified CMS that practically attains it. The proof there may be the same as ours. New here is only the distance of CMS and HCMS from the bound. The companion also has projective geometry response {cite:p}`feldman2022private`, which is close to the polygonal line, too.
#
# ## Exercises
#
# ```{exercise-start} From gains to variance
# :label: ex-sk-08-noise
# ```
# **Warm-up.** A vendor claims that one fake user moves an unbiased count by at most 2 up and 3 down, at $\varepsilon = 1$. What is the largest variance that an honest user of another item can add? Is the claim possible for a thousand items?
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
thousand = polygonal_line(np.e, items=1000).T
for up, possible in ((2, True), (1.9, False)):
    alpha = 3 / (up + 3)
    beta = (1 + 3) / (up + 3)
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
# **Standard.** When does the promotion gain attain its lower bound? See the proof of {prf:ref}`thm-sk-08-price`. Which mechanism of the table attains one of the two bounds, and with how many of $D$ items does subset selection attain the other?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-08-limits", ...)


# %% [markdown]
# ```{solution-start} ex-sk-08-limits
# :class: dropdown
# ```
# Equality means: wherever $\varphi < g^+$, the report is $e^\varepsilon$ times as likely from *every* other item as from $t$. If this holds for every item $t$, a report omits exactly one item: $\omega = D - 1$. For the demotion gain, wherever $\varphi > -g^-$, the report must be $e^\varepsilon$ times as likely from $t$ as from every other item. This is GRR.

# %%
def safest_size(items):
    """Number of items to name for the least promotion gain, at e^ε = 3."""
    gains = {}
    for size in range(1, items):
        gains[size] = promotion(*subset_selection(size, Fraction(3), items))
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
    assert np.interp(float(alpha), *polygonal_line(3, items).T) < beta

# %% [markdown]
# ```{solution-end}
# ```
#
# **Next:** [what many reports tell](sketch-what-many-reports-tell.ipynb) about one user.
