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
# # Can one bit do the work of a whole vector?
#
# In the Count Mean Sketch (CMS) of [notebook 1](01-count-mean-sketch.ipynb), every user sends 128<!-- {width} --> noisy signs. In its Hadamard variant (HCMS), the user's item is first written as another list of 128<!-- {width} --> signs, and the user sends only *one* of them, chosen at random.
# A report shrinks from 138<!-- {report_bits(width, hashes)[0]} --> to 18<!-- {report_bits(width, hashes)[1]} --> bits, of which a single one depends on the item. Still, the server can estimate how many users hold each item.
#
# **The paper** presents Apple's HCMS and claims that it is as private as CMS and saves traffic. In its experiments HCMS has the larger errors. The paper sees the cause in sampling one sign, because the sampling comes out somewhat uneven.
# **We find** that privacy and traffic are as claimed, but that unevenness is hardly to blame. Sampling one sign of 128<!-- {width} --> costs accuracy however evenly it is done. At $\varepsilon = 1$, HCMS has on balance 19.5%<!-- {hcms_noise / cms_noise - 1:.1%} --> more noise variance than CMS for a rare item, but is *more* accurate for an item that more than 76.3%<!-- {turn[1]:.1%} --> of the users hold.
# The constant in the paper's section 3 would bias every estimate, but the experiments used the right one.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how HCMS estimates counts from single signs, which matrix and which constant its estimator needs,
# how accurate it is exactly, and when it is better than CMS.
# **You need** CMS, its estimator and the reason for its constant from [notebook 1](01-count-mean-sketch.ipynb).
# **Time:** 28 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two items that one user may hold. Each user sends one report about one item. **The attacker** is the
# server: it knows the hash functions, the Hadamard matrix and $\varepsilon$, and sees the report. **Protected:** which item
# the user holds, up to a factor $e^{\varepsilon}$ in the odds. **Not protected:** what several reports of one user
# reveal together ([*What do many reports tell about one visitor?*](../research/sketch-what-many-reports-tell.ipynb)),
# and the estimates, if users do not follow the protocol ([notebook 3](03-poisoning.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.notebook import plots
from privlib.sketch.data import shop_counts

plots.use()
counts = np.array(list(shop_counts().values()))  # users of the 43 items of the paper's data
users = counts.sum()
width, hashes = 128, 1024  # the paper's defaults for m and k


# %% [markdown]
# ## One sign of a code word
#
# Let an item have the hash value 2 out of $m = 4$. (We count from 0, the paper mostly from 1.) HCMS multiplies the vector $v$ that marks this value by the *Hadamard matrix* (アダマール行列):

# %%
def hadamard(m):
    """The Hadamard matrix of order m, a power of two."""
    if m == 1:
        return np.array([[1]])
    A = hadamard(m // 2)
    return np.block([[A, A], [A, -A]])


v = np.array([0, 0, 1, 0])
print(hadamard(4))
print("code word:", hadamard(4) @ v)


# %% [markdown]
# The product is column 2 of the matrix, the *code word* of the hash value 2. Each hash value has its own code word of $m$ signs. The user draws one coordinate of the code word and sends the sign there, possibly flipped. As in CMS there are $k$ hash functions, one for each row of the server's matrix, and the user also draws a row.
#
# The boxes on HCMS correct misprints of section 3, which the [evidence notebook](../evidence/sketch/02-hadamard.ipynb) lists.
#
# ```{prf:definition} Hadamard matrix (section 3)
# :label: def-sk-02-hadamard
# For $m$ a power of two,
#
# $$ H_1 = (1), \qquad
#    H_m = \begin{pmatrix} H_{m/2} & H_{m/2} \\ H_{m/2} & -H_{m/2} \end{pmatrix}. $$
# ```
#
# ```{prf:algorithm} Hadamard Count Mean Sketch, user's side (section 3)
# :label: def-sk-02-hcms
# **Input:** an item $d$; public hash functions $h_1, \dots, h_k$ with $m$ values; $\varepsilon$.
# 1. Draw a row $j$ (one of the $k$ hash functions) and a coordinate $\ell$ out of $m$, both uniformly.
# 2. Let $w = (H_m)_{\ell,\, h_j(d)}$, the sign at coordinate $\ell$ of the code word of $h_j(d)$.
# 3. Perturbation (摂動): let $\tilde w = w$ with probability $p = e^{\varepsilon} / (1 + e^{\varepsilon})$, and
#    $\tilde w = -w$ with probability $q = 1 - p$.
# 4. Send $(\tilde w, j, \ell)$.
# ```

# %%
def privatize(items, positions, m, epsilon, rng, coordinates=None):
    """One report (sign, row, coordinate) for each user; positions[item, row]: hash value."""
    n, k = len(items), positions.shape[1]
    row = rng.integers(k, size=n)
    if coordinates is None:
        coordinates = rng.integers(m, size=n)
    sign = hadamard(m)[coordinates, positions[items, row]]
    kept = rng.random(n) < np.exp(epsilon) / (1 + np.exp(epsilon))
    return np.where(kept, sign, -sign), row, coordinates


rng = np.random.default_rng(7)
positions = np.array([[2, 0]])  # hash values of one item in two rows
print(np.array(privatize([0, 0, 0], positions, 4, 1.0, rng)).T)  # sign, row, coordinate

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "One report about an item with the hash value 5 of 16, in one row. Left: a CMS user sends all 16 signs of the vector, some of them flipped (orange). Right: the code word of an HCMS user has 16 signs. Only one of them (dark) is sent, possibly flipped as well; the pale ones are not sent.", "name": "fig-sk-02-report"}, "image": {"alt": "Left: 16 bars of height plus or minus one, all dark or orange. Right: 16 bars in a regular pattern, all pale but one."}} tags=["figure"]
fig, (left, right) = plots.panels(1, 2, height=2.3, width=8.5, sharey=True)
example = np.random.default_rng(4)
vector = np.where(np.arange(16) == 5, 1, -1)
flipped = example.random(16) > np.exp(0.5) / (1 + np.exp(0.5))
shades = np.where(flipped, plots.COLOURS["orange"], plots.COLOURS["blue"])
left.bar(range(16), np.where(flipped, -vector, vector), color=shades)
pale = np.where(np.arange(16) == 9, plots.COLOURS["blue"], "#d5dbe3")
right.bar(range(16), hadamard(16)[:, 5], color=pale)
left.set(title="CMS: a noisy vector", xlabel="hash value", ylabel="sign", yticks=(-1, 0, 1))
right.set(title="HCMS: one sign of a code word", xlabel="coordinate")
for ax in (left, right):
    ax.set_xticks((0, 5, 10, 15))
plt.show()


# %% [markdown]
# CMS sends $m$ signs and a row number, HCMS one sign, a row number and a coordinate.

# %%
def report_bits(m, k):
    """Bits of a report of CMS, and of HCMS, for powers of two."""
    row_number, coordinate = k.bit_length() - 1, m.bit_length() - 1
    return m + row_number, 1 + row_number + coordinate


for m in (2, 4, 128, 1024):
    print(f"m = {m}: CMS {report_bits(m, 1024)[0]} bits, HCMS {report_bits(m, 1024)[1]} bits")


# %% [markdown]
# HCMS is shorter from $m = 4$ on. The paper's Figure 3 turns lengths into times at $10^9$ bit/s, at which either report takes less than a microsecond. The short report matters more in [notebook 5](05-oblivious-transfer.ipynb), where every sign has to be sent with costly public-key cryptography.
#
# ```{evidence} S-3.1 S-3.2 S-3.3 S-3.4 S-3.5 S-3.6 S-3.7 S-3.8 S-3.9 S-3.10 S-3.11 S-5.1 S-5.2 S-5.3
# ```
#
# ## Is one noisy sign private?
#
# Let us list all reports of three items with their probabilities, for two rows, four hash values and $e^{\varepsilon} = 9$, so that $p = \frac{9}{10}$.

# %%
def report_distribution(hash_values, m, keep):
    """Probability of each report, for an item with these hash values; keep is p."""
    H, k = hadamard(m).tolist(), len(hash_values)
    probability = {}
    for sign, row, coordinate in product((1, -1), range(k), range(m)):
        true = sign == H[coordinate][hash_values[row]]
        probability[sign, row, coordinate] = (keep if true else 1 - keep) / (k * m)
    return probability


# %%
keep = Fraction(9, 10)
three = {"a": (0, 3), "b": (1, 3), "c": (2, 2)}
for d, e in (("a", "b"), ("a", "c"), ("b", "c")):
    first, second = (report_distribution(three[item], 4, keep) for item in (d, e))
    ratios = [first[report] / second[report] for report in first]
    print(f"{d} and {e}: largest ratio {max(ratios)}, "
          f"{ratios.count(1)} of 16 reports are equally likely under both")


# %% [markdown]
# ```{prf:theorem} Privacy of HCMS (section 3)
# :label: thm-sk-02-privacy
# HCMS is $\varepsilon$-locally differentially private.
# ```
#
# *Proof.* Row and coordinate are drawn without looking at the item. Given them, an item sends the sign with probability $p$ or $q$. So the probabilities of one report under two items have the ratio 1, $p/q$ or $q/p$, and $p/q = e^{\varepsilon}$. ∎
#
# In CMS, the vectors of two items differ in two signs, and each sign gets only $\varepsilon/2$. HCMS spends the whole $\varepsilon$ on its one sign.
#
# ```{evidence} S-3.12 S-3.13
# ```
#
# ## Which matrix does the server read?
#
# ```{prf:algorithm} Hadamard Count Mean Sketch, server's side (section 3)
# :label: def-sk-02-server
# Let $M$ be a $k \times m$ matrix of zeros, and $c = 1/(p - q)$.
# 1. Aggregation (集計): for each report, add $k\, c\, \tilde w$ to the entry $(j, \ell)$ of $M$.
# 2. Normalisation (正規化): let $T = M H_m^{\mathsf T}$.
# 3. Estimate the number of users of $d$, out of $n$, as in CMS:
#
# $$ \tilde f(d) = \frac{m}{m-1} \Bigl( \frac1k \sum_{j=1}^{k} T_{j, h_j(d)} - \frac nm \Bigr). $$
# ```

# %%
def transform(reports, k, m, c):
    """The matrix T of the reports, shape (k, m)."""
    sign, row, coordinate = reports
    M = np.zeros((k, m))
    # M[row, coordinate] += ... would keep only one of several reports on the same entry.
    np.add.at(M, (row, coordinate), k * c * sign)
    return M @ hadamard(m).T


def estimate(T, positions, n):
    """Estimated number of users of each item; positions has the shape (items, k)."""
    k, m = T.shape
    entries = T[np.arange(k), positions]  # one entry of each row
    return m / (m - 1) * (entries.mean(axis=1) - n / m)


# %%
def constant(epsilon):
    return (np.exp(epsilon) + 1) / (np.exp(epsilon) - 1)  # 1 / (p - q) of HCMS


held = np.repeat([0, 1, 2], [9000, 7000, 4000])  # the items of 20,000 users
positions = np.array([[3], [10], [6]])  # one hash function with 16 values
reports = privatize(held, positions, 16, 1.0, np.random.default_rng(3))
T = transform(reports, 1, 16, constant(1.0))
print(T[0, [3, 10, 6]].round())  # the entries that the estimator reads

# %% [markdown]
# To the eye, $M$ shows nothing. In $T$, about 9,000, 7,000 and 4,000 users appear at the three hash values.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How single signs become counts (one row, 16 hash values, \u03b5 = 1). Left: the Hadamard matrix (yellow: 1, dark: \u22121). The code words of the three items are framed, and each user sends one noisy sign of a framed column. Middle: what the server has collected. Right: the same after the transform, with the true counts as circles. The band shows two standard deviations of the noise.", "name": "fig-sk-02-transform"}, "image": {"alt": "Left: a 16 by 16 pattern of dark and light squares with columns 3, 6 and 10 framed. Middle: 16 bars of irregular height and sign. Right: 16 bars, of which those at 3, 6 and 10 rise to the true counts. The others are at most 459<!-- {largest_other:.0f} --> users long."}} tags=["figure"]
sd = np.sqrt(20_000) * constant(1.0)
collected = T[0] @ hadamard(16) / 16
largest_other = np.abs(np.delete(T[0], [3, 6, 10])).max()
fig, (left, middle, right) = plots.panels(1, 3, height=3.0, width=8.5)
left.imshow(hadamard(16), cmap="cividis", aspect="equal")
for column in (3, 6, 10):
    frame = plt.Rectangle((column - 0.5, -0.5), 1, 16, fill=False, lw=2.5)
    frame.set_edgecolor(plots.COLOURS["orange"])
    left.add_patch(frame)
left.set(xlabel="hash value", ylabel="coordinate", title="code words")
left.grid(visible=False)
left.set(xticks=(0, 3, 6, 10, 15), yticks=(0, 5, 10, 15))
middle.bar(range(16), collected, color=plots.COLOURS["grey"])
middle.set(xlabel="coordinate", ylabel="sum of signs × c", title="collected: M")
right.axhspan(-2 * sd, 2 * sd, color=plots.COLOURS["sky"], alpha=0.4)
right.bar(range(16), T[0], color=plots.COLOURS["blue"])
right.plot([3, 10, 6], [9000, 7000, 4000], "o", mfc="none", mec="black", ms=8)
right.set(xlabel="hash value", ylabel="users", title="read: T = M H$^T$")
plt.show()

# %% [markdown]
# ```{prf:theorem} The columns of the Hadamard matrix are orthogonal
# :label: thm-sk-02-orthogonal
# $H_m^{\mathsf T} H_m = m I$. So two different code words agree in exactly half of their signs.
# ```
#
# *Proof.* Let $A = H_{m/2}$ and suppose that $A^{\mathsf T} A = \frac m2 I$, which is true for $m = 2$. The diagonal blocks of $H_m^{\mathsf T} H_m$ are $A^{\mathsf T} A + A^{\mathsf T} A = m I$, the other two are $A^{\mathsf T} A - A^{\mathsf T} A = 0$. ∎
#
# Take a user with the hash value $h$ who draws the coordinate $\ell$. On average over the flip, this user adds $k H_{\ell h}$ to entry $\ell$ of the drawn row of $M$. The transform multiplies this entry by $(H_m^{\mathsf T})_{\ell x}$ and adds it to column $x$ of $T$. By its definition $H_m$ is symmetric, so the factor is $H_{x \ell}$. Each coordinate has the probability $\frac1m$. On average over $\ell$, the user therefore adds to column $x$
#
# $$ \frac km \sum_{\ell} H_{x \ell} H_{\ell h} = \frac km \bigl(H_m^{\mathsf T} H_m\bigr)_{x h}
#    = \begin{cases} k & x = h, \\ 0 & x \ne h. \end{cases} $$
#
# A user of CMS adds the same. So the estimator of CMS can be used unchanged. Let $f$ users hold $d$. Over random hash functions, each of the other $n - f$ users has the hash value of $d$ with probability $\frac1m$, and the mean estimate is
# $\frac{m}{m-1} \bigl( f + \frac{n - f}{m} - \frac nm \bigr) = f$.
#
# The inverse matrix is $H_m^{-1} = \frac1m H_m^{\mathsf T}$. Its factor $\frac1m$ has already come in as the probability of a coordinate, so the server must not divide by $m$ again. In its Example 4 the paper writes $M H_2^{-1}$, but computes $M H_2^{\mathsf T}$.
#
# In this example the items are *male* and *female*, and $m = k = 2$. Four users, whose items are not given, send one report each, without noise:

# %%
sign, row, coordinate = [1, 1, 1, 1], [0, 0, 1, 1], [0, 1, 0, 0]
T = transform((np.array(sign), row, coordinate), 2, 2, c=1)
print(T)
for hash_values in product((0, 1), repeat=2):
    print(hash_values, estimate(T, np.array([hash_values]), 4))

# %% [markdown]
# This $T$ agrees with the paper's. From it the paper estimates 4 men and 2 women: six of four users. An estimate can be 4 or 0, but never 2. If male has the hash values $(0, 0)$ and female $(1, 1)$, the estimates are 4 and 0, and four men would send exactly such reports.
#
# ```{evidence} S-3.15 S-3.16 S-3.17 S-3.18 S-3.19 S-3.20 S-3.21
# ```
#
# ## Which constant removes the noise?
#
# A noisy sign has the mean $(p - q)\, w$, so the constant must be $1/(p - q)$.
#
# ```{admonition} As printed
# :class: as-printed
# For HCMS, $c_\varepsilon = \dfrac{e^{\varepsilon/2} + 1}{e^{\varepsilon/2} - 1}$. *(Section 3)*
# ```

# %%
a, m, n, f = sp.symbols("a m n f", positive=True)  # a = e^(ε/2)
p = a**2 / (1 + a**2)
right_constant = (a**2 + 1) / (a**2 - 1)
printed_constant = (a + 1) / (a - 1)
assert sp.simplify(1 / (2 * p - 1) - right_constant) == 0
print(sp.factor(printed_constant / right_constant))

# %% [markdown]
# The right constant is $(e^{\varepsilon} + 1)/(e^{\varepsilon} - 1)$, as the paper prints it in section 6.5. The constant of section 3 is that of CMS, where each sign gets $\varepsilon/2$. It is larger by the factor $\lambda = (a + 1)^2 / (a^2 + 1)$ with $a = e^{\varepsilon/2}$, which lies between 1 and 2.
#
# ```{prf:theorem} Bias of the printed constant
# :label: thm-sk-02-bias
# Over random hash functions, the constant of section 3 gives estimates with the mean $\lambda f + (\lambda - 1)\, \frac{n}{m - 1}$.
# ```
#
# *Proof.* The entries of $T$ are $\lambda$ times too large, and the term $n/m$ is not changed. Sympy collects the terms. ∎

# %%
factor = sp.symbols("lambda", positive=True)
mean = m / (m - 1) * (factor * (f + (n - f) / m) - n / m)
assert sp.simplify(mean - (factor * f + (factor - 1) * n / (m - 1))) == 0


# %% [markdown]
# As a check, let $m = 2$, and let three items be held by 3, 1 and 1 users. Two hash functions give six hash values, so there are $2^6 =$ 64<!-- {len(families)} --> choices. We list them and all reports, again with $e^{\varepsilon} = 9$.

# %%
def exact_moments(family, held_by, m, c):
    """Mean and variance of the estimate of item 0; family[item] has its hash values."""
    H, F = hadamard(m).tolist(), Fraction(m, m - 1)
    mean, variance = -Fraction(sum(held_by), m), 0
    for hash_values, number in zip(family, held_by):
        first, second = 0, 0
        distribution = report_distribution(hash_values, m, keep)
        for (sign, row, coordinate), probability in distribution.items():
            x = c * sign * H[coordinate][family[0][row]]
            first += probability * x
            second += probability * x**2
        mean += number * first
        variance += number * (second - first**2)
    return F * mean, F**2 * variance


# %%
families = list(product(product(range(2), repeat=2), repeat=3))
right, printed = 1 / (2 * keep - 1), Fraction(3 + 1, 3 - 1)  # e^(ε/2) = 3
for c in (right, printed):
    means = [exact_moments(family, (3, 1, 1), 2, c)[0] for family in families]
    mean_estimate = sum(means) / len(families)
    print(f"constant {c}: mean estimate {mean_estimate}")
stretched = printed / right
assert stretched * 3 + (stretched - 1) * 5 == mean_estimate  # the theorem

# %% [markdown]
# Now take the 43 items of the paper's data, with $m = 128$, $k = 1024$ and $\varepsilon = 1$. The printed constant would multiply each count by 1.887<!-- {stretch:.3f} --> and add 347<!-- {lift:.0f} --> users to every item, held or not.

# %%
constants = {"section 3": constant(1.0 / 2), "section 6.5": constant(1.0)}  # ε/2 instead of ε
runs = {"section 3": [], "section 6.5": []}
rng = np.random.default_rng(5)
held = np.repeat(np.arange(43), counts)
for _ in range(30):
    positions = rng.integers(width, size=(43, hashes))  # new hash functions
    reports = privatize(held, positions, width, 1.0, rng)
    for section, c in constants.items():
        T = transform(reports, hashes, width, c)
        runs[section].append(estimate(T, positions, users))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The constant of section 3 stretches and lifts every count. Mean estimate of 30 runs for the 43 items, from the same reports with either constant, with bars of two standard errors. Lines are the diagonal, and the mean that the theorem gives.", "name": "fig-sk-02-bias"}, "image": {"alt": "Estimated against true counts of 43 items. Blue circles follow the diagonal; orange squares follow a steeper line that starts at 347<!-- {lift:.0f} -->."}} tags=["figure"]
stretch = constants["section 3"] / constants["section 6.5"]
lift = (stretch - 1) * users / (width - 1)
fig, ax = plots.panels(height=3.4, width=6.0)
line = np.array([0, 3100])
blue, orange = plots.COLOURS["blue"], plots.COLOURS["orange"]
ax.plot(line, line, color=blue, lw=1, ls="-")
ax.plot(line, stretch * line + lift, color=orange, lw=1, ls="-")
for section, marker, colour in (("section 3", "s", orange), ("section 6.5", "o", blue)):
    estimates = np.array(runs[section])
    bar = 2 * estimates.std(axis=0) / np.sqrt(len(estimates))
    ax.errorbar(counts, estimates.mean(axis=0), bar, fmt=marker, color=colour, ms=4, mfc="none",
                elinewidth=1, label=f"constant of {section}")
ax.set(xlabel="true count (users)", ylabel="mean estimate (users)")
ax.set(xlim=(0, 3100), ylim=(-300, 6500))
ax.legend(loc="upper left")
plt.show()

# %% [markdown]
# Which constant did the paper's experiments use? Its strongest attack on HCMS shows it. There, 502<!-- {fakes} --> fake users, 1% of all users, send the sign $+1$ at coordinate 0, where every code word has $+1$. The estimate is a sum over the reports. So the fake users raise every estimate by what the estimator makes of their reports alone. No randomness is left in it:

# %%
fakes = int(users * 0.01 / 0.99)
zeros = np.zeros(fakes, dtype=int)
attack = np.ones(fakes), zeros, zeros  # sign, row, coordinate
table_4 = {0.1: 101.24, 0.4: 25.58, 0.8: 13.28, 1.0: 10.91, 2.0: 6.60}  # hundreds of users
print("  ε   Table 4   section 6.5   section 3")
for epsilon, in_table in table_4.items():
    gains = []
    for c in (constant(epsilon), constant(epsilon / 2)):
        T = transform(attack, hashes, width, c)
        gains.append(estimate(T, positions, fakes)[0] / 100)
    print(f"{epsilon}   {in_table:7.2f}   {gains[0]:11.2f}   {gains[1]:9.2f}")
    assert abs(gains[0] - in_table) < 0.015 < abs(gains[1] - in_table)

# %% [markdown]
# In every row, Table 4 agrees with the constant of section 6.5 (at $\varepsilon = 0.4$ up to one in the last digit), and not with that of section 3. So the experiments used the right constant; only the formula in section 3 is wrong.
#
# ```{evidence} S-3.14 S-5.4
# ```
#
# ## How accurate is HCMS?
#
# A report adds $\frac{m}{m-1} X$ to the estimate of $d$, where $X = c\, \tilde w\, H_{\ell, h_j(d)}$. Let $A_{d'}$ be the share of rows in which the items $d'$ and $d$ have the same hash value, so that $A_d = 1$.
#
# ```{prf:theorem} Moments of HCMS
# :label: thm-sk-02-variance
# Let $F = m/(m-1)$. For fixed hash functions,
#
# $$ \operatorname{E} \tilde f(d) = F \Bigl( \sum_{d'} f(d') A_{d'} - \frac nm \Bigr), \qquad
#    \operatorname{Var} \tilde f(d) = F^2 \Bigl( n c^2 - \sum_{d'} f(d') A_{d'}^2 \Bigr). $$
#
# For $k$ independent hash functions with uniform, three-wise independent values, $\operatorname{E} \tilde f(d) = f$ and
#
# $$ \operatorname{Var} \tilde f(d) = F^2 (n c^2 - f)
#    - (n - f) \Bigl[ \frac1{(m-1)^2} + \frac1{k(m-1)} \Bigr] + \frac{S}{k(m-1)}, \qquad
#    S = \sum_{d' \ne d} f(d')^2. $$
# ```
#
# *Proof.* Let a user hold $d'$. Then $c\,\tilde w$ has the mean $H_{\ell, h_j(d')}$. In the rows where $d'$ and $d$ have the same hash value, the two code words agree everywhere and $X$ has the mean 1. In the other rows they agree in half of their signs and the mean is 0. So $\operatorname{E} X = A_{d'}$. Since $X^2 = c^2$ always, $\operatorname{Var} X = c^2 - A_{d'}^2$.
# Users are independent, so variances add up. This is the first part.
#
# By the law of total variance, the second part is the mean of this variance plus the variance of the mean. $A_{d'}$ is an average of $k$ independent indicators with probability $\frac1m$, and by three-wise independence the $A_{d'}$ of different items are uncorrelated. Sympy does the algebra. ∎

# %%
k, c, S = sp.symbols("k c S", positive=True)
F, var_A = m / (m - 1), (m - 1) / (k * m**2)  # Var A of another item; E A² = 1/m² + Var A
mean_of_variance = F**2 * (n * c**2 - f - (n - f) * (1 / m**2 + var_A))
variance_of_mean = F**2 * S * var_A
collisions = 1 / (m - 1) ** 2 + 1 / (k * (m - 1))
closed_form = F**2 * (n * c**2 - f) - (n - f) * collisions + S / (k * (m - 1))
assert sp.simplify(mean_of_variance + variance_of_mean - closed_form) == 0

# %% [markdown]
# For the three items held by 3, 1 and 1 users, a list of all reports and all hash functions gives the same variance:

# %%
moments = [exact_moments(family, (3, 1, 1), 2, right) for family in families]
total = sum(variance + (mean - 3) ** 2 for mean, variance in moments) / len(moments)
values = {f: 3, n: 5, m: 2, k: 2, S: 1 + 1, c: sp.Rational(right)}
assert closed_form.subs(values) == sp.Rational(total)
print(f"variance {total}")

# %% [markdown]
# The leading term $n c^2$ is known from a related method {cite:p}`wang2017locally`.
#
# ```{evidence} S-B2
# ```
#
# ## When is HCMS better than CMS?
#
# In CMS, a report adds $F\,\frac{c_C \tilde s + 1}{2}$ to the estimate of $d$, with the constant $c_C = \frac{a + 1}{a - 1}$ and the noisy sign $\tilde s$ at the hash value of $d$. Take a report about $d'$, and write $A$ for $A_{d'}$. Without noise the sign is $+1$ in a share $A$ of the rows and $-1$ in the others. So $c_C \tilde s$ has the mean $2A - 1$, and its square is always $c_C^2$. The report therefore adds the variance
#
# $$ \frac{F^2}{4} \bigl(c_C^2 - (2A - 1)^2\bigr) = F^2 \Bigl( \frac{c_C^2 - 1}{4} + A(1 - A) \Bigr), $$
#
# where the first term comes from the flips and the second from drawing a row. Compare with HCMS:

# %%
A = sp.symbols("A", positive=True)
one_flip = a / (1 + a) ** 2  # p q of CMS
hcms = right_constant**2 - A**2
cms = (((a + 1) / (a - 1)) ** 2 - 1) / 4 + A * (1 - A)
assert sp.simplify(hcms - cms - (1 - one_flip - A)) == 0

# %% [markdown]
# ```{prf:theorem} CMS against HCMS
# :label: thm-sk-02-difference
# Let $\sigma^2 = \dfrac{e^{\varepsilon/2}}{(1 + e^{\varepsilon/2})^2} < \frac14$, the variance $pq$ of the indicator that CMS flips a given sign. With the same hash functions,
#
# $$ \operatorname{Var}_{\mathrm{HCMS}} \tilde f(d) - \operatorname{Var}_{\mathrm{CMS}} \tilde f(d)
#    = F^2 \sum_{d'} f(d')\,(1 - \sigma^2 - A_{d'}). $$
# ```
#
# So a user of another item ($A \approx \frac1m$) adds more variance in HCMS than in CMS, and a user of the same item ($A = 1$) adds less. Why? Split $c^2 = (c^2 - 1) + 1$. The first part is the noise of the flip. By the theorem at $A = 1$ it is smaller than that of CMS by exactly $\sigma^2$, because one sign gets the whole $\varepsilon$.
# The 1 is the cost of sampling. At a random coordinate, two different code words agree or differ with equal probability. For the item itself they always agree, and sampling costs nothing.

# %%
at_one = {a: np.exp(0.5), A: 0}  # ε = 1, an item that nobody holds
hcms_noise, cms_noise, sigma2 = (float(x.subs(at_one)) for x in (hcms, cms, one_flip))
print(f"noise variance per user, in units of F²: CMS {cms_noise:.3f}, "
      f"HCMS {hcms_noise - 1:.3f} (flip) + 1 (sampling)")

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left: what a user adds to the variance of the estimate of a rare item. HCMS is the sum of its flips, which lie below CMS, and of the sampled coordinate, which costs 1 at every \u03b5. Right: variance of HCMS over that of CMS, for an item that a given share of all users holds (collisions left out). Below the grey line HCMS is the more accurate. For an item held by 60% it never is, for one held by 90% up to about \u03b5 = 4.1<!-- {crossing:.1f} -->.", "name": "fig-sk-02-variance"}, "image": {"alt": "Left, logarithmic axes: variance per user against epsilon from 0.1 to 8. CMS falls to 0.02<!-- {curve_cms[-1]:.2f} -->, HCMS levels off at 1.00<!-- {curve_hcms[-1]:.2f} -->; the flips of HCMS run below CMS. Right: ratio against epsilon. For a rare item it rises from 1 to 53<!-- {curve_hcms[-1] / curve_cms[-1]:.0f} -->, for a share of 60% to 21<!-- {(curve_hcms[-1] - 0.6) / curve_cms[-1]:.0f} -->. For 90% it falls below 1 and ends at 5<!-- {(curve_hcms[-1] - 0.9) / curve_cms[-1]:.0f} -->, for an item that everybody holds it falls to 0.07<!-- {(curve_hcms[-1] - 1) / curve_cms[-1]:.2f} -->."}} tags=["figure"]
eps_axis = np.geomspace(0.1, 8, 200)
root = np.exp(eps_axis / 2)
curve_cms = root / (root - 1) ** 2
curve_hcms = constant(eps_axis) ** 2
crossing = 2 * np.arccosh(1 / (2 * (1 - 0.9)) - 1)  # where σ² = 1 − 0.9
fig, (left, right) = plots.panels(1, 2, height=3.7, width=8.5)
left.plot(eps_axis, curve_cms, label="CMS")
left.plot(eps_axis, curve_hcms, label="HCMS = flips + sampling")
left.plot(eps_axis, curve_hcms - 1, label="HCMS, flips alone")
left.axhline(1, color=plots.COLOURS["grey"], ls="-", lw=1)
left.text(0.11, 0.55, "HCMS, sampling alone", color="#555555", fontsize=9)
left.set(ylabel="variance per user / F²", ylim=(0.01, 1000))
for share, label in ((0, "few users"), (0.6, "60%"), (0.9, "90%"), (1, "all")):
    right.plot(eps_axis, (curve_hcms - share) / curve_cms, label=label)
right.axhline(1, color=plots.COLOURS["grey"], ls="-", lw=1)
right.set(ylabel="variance HCMS / CMS", ylim=(0.05, 100))
for ax in (left, right):
    ax.set(xscale="log", yscale="log", xlabel="privacy level ε")
    ax.set_xticks([0.1, 1, 8], ["0.1", "1", "8"])
left.legend(loc="upper right", fontsize=9)
right.legend(loc="upper left", fontsize=9, title="item held by", title_fontsize=9)
plt.show()

# %% [markdown]
# For a rare item, HCMS is worse at every $\varepsilon > 0$. Without collisions, its variance is $1 + \frac{(a^2 + a + 1)(a - 1)^2}{a (a + 1)^2}$ times that of CMS.
#
# The paper averages the squared errors of all items. In expectation CMS is better there, too. By the theorem, and on average over the hash functions, one user makes the variance of HCMS larger by $F^2(1 - \sigma^2 - \frac1m)$ in the estimate of each other item, and smaller by $F^2 \sigma^2$ in that of the user's own item. With another item and $m \ge 2$, the sum is at least $F^2(\frac12 - 2\sigma^2) > 0$. (Not every pair in Table 3 agrees; see [notebook 4](04-the-puzzle-of-table-3.ipynb).)
#
# For a *single* item that a large enough share $\varphi$ of the users holds, such as "feature switched on", HCMS is the more accurate sketch. The variances are equal if $(1 - \varphi)(1 - \sigma^2 - \frac1m) = \varphi \sigma^2$, so at $\varphi = 1 - F\sigma^2$:

# %%
turn = {}
for epsilon in (1, 2, 4):
    turn[epsilon] = 1 - width / (width - 1) * float(one_flip.subs(a, np.exp(epsilon / 2)))
    print(f"ε = {epsilon}: HCMS is better if a share above {turn[epsilon]:.3f} holds the item")


# %% [markdown]
# ```{evidence} S-6.23 S-7.1 S-B3 S-B3a
# ```
#
# ## Is uneven sampling to blame?
#
# ```{admonition} As printed
# :class: as-printed
# HCMS has the larger error, and the paper sees the cause in sampling one bit of $m$. According to the paper, Apple has shown that with uniform sampling HCMS
# performs as CMS does. In an experiment the sampling comes out uneven (偏り), and that lowers the utility. *(Section 6.5)*
# ```
#
# The last theorem already assumes uniform sampling, and the variances are not equal. So sampling is a cause. Is its unevenness another? With finitely many users, some coordinates are drawn more often than others. Suppose instead that they come out *perfectly evenly*: each goes to exactly $n/m$ users, in random order. We simulate 1,600 users who all hold different items, and estimate 200 items that nobody holds.

# %%
def variance_per_user(evenly, rng, n=1600, m=16, k=64, runs=600):
    """Mean squared error of 200 items that nobody holds, over F² n, and its standard error."""
    squares = []
    for _ in range(runs):
        positions = rng.integers(m, size=(n + 200, k))
        coordinates = rng.permutation(n) % m if evenly else None
        reports = privatize(np.arange(n), positions, m, 1.0, rng, coordinates)
        errors = estimate(transform(reports, k, m, constant(1.0)), positions[n:], n)
        squares.append(np.mean(errors**2) * ((m - 1) / m) ** 2 / n)
    return np.mean(squares), np.std(squares) / np.sqrt(runs)


# %%
rng = np.random.default_rng(8)
random_mean, random_error = variance_per_user(False, rng)
even_mean, even_error = variance_per_user(True, rng)
cms_mean = cms_noise + (16 - 1) / 16**2  # the mean of A(1 - A) is about (m - 1)/m²
print(f"at random {random_mean:.2f} ± {random_error:.2f}, "
      f"perfectly even {even_mean:.2f} ± {even_error:.2f}, CMS {cms_mean:.2f}")

# %% [markdown]
# Even coordinates hardly help. Why? Take a user of another item, with another hash value. The whole code word would add 0 to the estimate, because it agrees with that of $d$ in half of the signs. On average over the flip, a single sign of it adds $F$ or $-F$, however evenly the coordinates are given out.
#
# Let $m = 128$ and $\varepsilon = 1$, and let all items be rare. Per user and in units of $F^2$, HCMS loses $1 - \sigma^2 - \frac1m =$ 0.757<!-- {1 - sigma2 - 1 / width:.3f} --> against CMS. Even coordinates save about $\frac{m-1}{m^2} =$ 0.008<!-- {(width - 1) / width**2:.3f} --> of this, or 1%<!-- {(width - 1) / width**2 / (1 - sigma2 - 1 / width):.0%} -->. The [evidence notebook](../evidence/sketch/02-hadamard.ipynb) has the proof.
#
# With few hash functions and few items, the paper's explanation is right. Let there be one hash function and two items, each held by half of the users, with different hash values. Then all users of the other item have the same code word, and even coordinates let their signs largely cancel. In the same units and summed over both items, HCMS loses $1 - 2\sigma^2 =$ 0.530<!-- {1 - 2 * sigma2:.3f} --> with independent coordinates, with even ones only $\frac12 - 2\sigma^2 =$ 0.030<!-- {0.5 - 2 * sigma2:.3f} --> (for many users).
#
# ```{evidence} S-6.24 S-6.25
# ```
#
# ## Exercises
#
# ```{exercise-start} The length of a report
# :label: ex-sk-02-bits
# ```
# **Warm-up.** How many bits do the two reports have for $m = 1024$ and $k = 65536$? Why does only one bit of an HCMS report depend on the item?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-02-bits", ...)

# %% [markdown]
# ```{solution-start} ex-sk-02-bits
# :class: dropdown
# ```
# $1024 + 16$ bits and $1 + 16 + 10$ bits. Row and coordinate are uniform whatever the item, so only the sign depends on it.

# %%
assert report_bits(1024, 65_536) == (1040, 27)
for hash_values in three.values():
    distribution = report_distribution(hash_values, 4, keep)
    for row, coordinate in product(range(2), range(4)):
        both_signs = distribution[1, row, coordinate] + distribution[-1, row, coordinate]
        assert both_signs == Fraction(1, 8)
check("sk-02-bits", report_bits(1024, 65_536))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Without the constant coordinate
# :label: ex-sk-02-zero
# ```
# **Standard.** Coordinate 0 of every code word is $+1$, so one report in $m$ says nothing. Let users draw from the other $m - 1$ coordinates only. Find an unbiased estimator. By what fraction, in terms of $m$, does the leading term $F^2 n c^2$ of the variance fall? Does an attack
# on one item, as in Table 4, still work?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-02-zero", ...)


# %% [markdown]
# ```{solution-start} ex-sk-02-zero
# :class: dropdown
# ```
# Over the other coordinates, the product of two equal code words has the mean 1, and that of two different ones the mean $-\frac1{m-1}$. For another item with a random hash value this is $\frac1m - \frac{m-1}{m} \cdot \frac1{m-1} = 0$ on average. So the sum of all $c\, \tilde w\, H_{\ell, h_j(d)}$ is unbiased without $F$ and $n/m$.
# The leading term of the variance is $n c^2$ instead of $F^2 n c^2$.
#
# No coordinate raises all estimates any more. But an attacker with a single target sends the target's own sign. At $\varepsilon = 1$ the fake users of Table 4 gain $c$ each, in all 1,086<!-- {fakes * constant(1.0):,.0f} --> users instead of 1,091<!-- {fakes * width / (width - 1) * (constant(1.0) - 1 / width):,.0f} -->.

# %%
def variance_falls_by(m):
    return 1 - Fraction(m - 1, m) ** 2  # 1 - 1/F² with F = m/(m - 1)


for order in (2, 4, 8):
    others = hadamard(order)[1:]
    products = others.T @ others  # m - 1 times the means
    assert np.all(np.diag(products) == order - 1)
    assert np.all(products.sum(axis=1) == 0)  # over the other item's hash value
    assert np.all(np.abs(others.sum(axis=1)) < order)  # no constant coordinate
check("sk-02-zero", variance_falls_by)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Users who take turns
# :label: ex-sk-02-team
# ```
# **Research.** Coordinates that are even over all users do not help where items are rare. Which evenness would remove the sampling variance? Take
# $\varepsilon = \infty$, one hash function and $m = 4$. Four users hold one item, and another item has a different hash value. What is the variance of the sum of the four terms $X$ (without $F$) in the estimate of the other item, if the users draw
# their coordinates independently, and if they take turns? Why can real users not take turns?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-02-team", ...)

# %% [markdown]
# ```{solution-start} ex-sk-02-team
# :class: dropdown
# ```
# If the four users take the four different coordinates, their signs in the estimate of the other item add up to the product of two different code words, which is 0. The variance of this sum is 0, as in CMS; if each user draws a coordinate independently, it is 4. But they would have to know who else holds their item, which is what they want to hide.

# %%
signs = hadamard(4)[:, 1] * hadamard(4)[:, 2]
independent = [sum(chosen) for chosen in product(signs, repeat=4)]
assert np.var(independent) == 4 and sum(signs) == 0
check("sk-02-team", (np.var(independent), sum(signs) ** 2))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - *Why can one sign stand for a vector?* The code words of different hash values are orthogonal. After the transform $M H_m^{\mathsf T}$, a user adds on average what a CMS user adds: $k$ at the user's own hash value, 0 elsewhere.
# - *What does it cost?* For a rare item, and in units of $F^2$, sampling a coordinate adds 1 to the variance per user. The flip makes it smaller by $\sigma^2 < \frac14$, because one sign gets the whole $\varepsilon$. At $\varepsilon = 1$, the balance is 19.5%<!-- {hcms_noise / cms_noise - 1:.1%} --> more noise variance than in CMS. Then HCMS is better for an item that more than 76.3%<!-- {turn[1]:.1%} --> of the users hold; this share grows with $\varepsilon$.
# - *Is the paper right?* On privacy, traffic and the larger error over all items: yes. The constant of section 3 must be $(e^{\varepsilon} + 1)/(e^{\varepsilon} - 1)$, and uneven coordinates explain most of the larger error only if there are few hash functions and few items.
#
# HCMS comes from {cite:t}`apple2017learning`. We could read only the abstract, and cannot say whether it supports the paper's sentence on uniform sampling. **Next:** [what does one fake user gain?](03-poisoning.ipynb)
