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
# # How does one count what nobody tells?
#
# A shop asks each visitor which of its goods he looked at. Nobody answers; each sends 128 tosses of loaded coins
# instead. All but one of the coins lean the same way, and which one does not depends on the goods. From a single
# answer the shop learns next to nothing. From 50,000 of them it learns what all visitors together looked at, with
# an error that can be written down exactly before a single coin is tossed.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** what local differential privacy promises, how the Count Mean Sketch (CMS) keeps that
# promise, why its estimates are right on average, over which randomness, and how far off they are.
# **You need** expectation and variance, and a little Python.
# **Time:** 25 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** any two items that one user may hold. **The attacker** is the server: it knows the hash
# functions, $\varepsilon$ and the user's one report. **Protected:** which item the user holds; the odds
# between two items move by at most the factor $e^{\varepsilon}$. **Not protected:** that the user takes
# part; what many reports of one user say together; the counts, against users who lie
# ([notebook 3](03-poisoning.ipynb)).
# ```

# %%
import math
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from myst_nb import glue

from privlib.kit import claim, plots, slips
from privlib.sketch import CountMeanSketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hashing import ExplicitFamily

plots.use()
zero, one = sp.Integer(0), sp.Integer(1)

# %% [markdown]
# The text counts rows, columns and hash values from 1, as the paper mostly does, and the code from 0.
#
# ## What is promised?
#
# The user trusts nobody, so the noise has to be added before anything is sent. What the server may learn is then
# a property of the program on the user's device.
#
# ```{prf:definition} Local differential privacy (definition 2.1)
# :label: def-sk-01-ldp
# A randomised algorithm (ランダム化アルゴリズム) $M$ with inputs in $D$ and outputs in $Z$ satisfies
# *$\varepsilon$-local differential privacy* (ε-局所差分プライバシー) if
#
# $$ \Pr(M(d_1) = z) \le e^{\varepsilon} \Pr(M(d_2) = z)
#    \qquad \text{for all } d_1, d_2 \in D \text{ and } z \in Z. $$
# ```
#
# The bound is on one output at a time. What does it mean for somebody who *sees* the output? By Bayes' rule the
# odds after it are the odds before it times a ratio of such probabilities. Let it be as large as the definition
# allows:

# %%
eps, prior = sp.symbols("epsilon pi", positive=True)
odds = sp.exp(eps) * prior / (1 - prior)
posterior = sp.simplify(odds / (1 + odds))
print("posterior at most", posterior)
print("prior   ε = 0.1   ε = 1   ε = 4")
for choices in (2, 43):
    bounds = [
        float(posterior.subs({prior: one / choices, eps: e})) for e in (0.1, 1, 4)
    ]
    print(f"1/{choices:<3d}", "  ".join(f"{bound:7.3f}" for bound in bounds))
half, rare = [posterior.subs({prior: one / choices, eps: 1}) for choices in (2, 43)]
glue("sk-01-prior-2", round(float(half), 6), display=False)
glue("sk-01-prior-43", round(float(rare), 6), display=False)


# %% [markdown]
# At $\varepsilon = 1$ a fair guess between two items becomes a {glue:text}`sk-01-prior-2:.3f` guess at most, and
# a guess among 43 items becomes {glue:text}`sk-01-prior-43:.3f`. The paper says in words that outputs "cannot be
# told apart" and that the server "cannot learn" the input; these numbers are how far that goes. Can any useful
# program keep such a promise?
#
# ## What does one user send?
#
# A vector with one place for each item would be long, and all items would have to be known beforehand. Hash functions avoid
# both: each sends every item to one of $m$ columns, and with $k$ of them two items that meet under one part under
# most others.
#
# ```{prf:algorithm} Count Mean Sketch, user's side (section 2.2)
# :label: def-sk-01-cms
# **Input** (入力): an item $d$; hash functions $h_1, \dots, h_k : D \to [m]$, known to all; $\varepsilon$.
# 1. Draw $j \in [k]$ uniformly. Let $v \in \{-1, 1\}^m$ be 1 at position $h_j(d)$ and $-1$ elsewhere.
# 2. Perturbation (摂動): for each $i \in [m]$, independently, let $\tilde v_i = v_i$ with probability
#    $p = e^{\varepsilon/2} / (1 + e^{\varepsilon/2})$ and $\tilde v_i = -v_i$ with probability $q = 1 - p$.
# 3. Send $(\tilde v, j)$.
# ```
#
# The paper's Example 1: $k = 4$, $m = 2$, the draw is $j = 3$ and $h_3(\text{male}) = 2$. So $v = (-1, 1)$.

# %%
def encode(position, m):
    """The vector v: 1 at the position (from 0), -1 elsewhere."""
    return [1 if cell == position else -1 for cell in range(m)]


gender = ExplicitFamily({"male": (0, 0, 1, 0), "female": (1, 0, 0, 1)}, width=2)
silent = CountMeanSketch.with_family(math.inf, gender)  # ε = ∞: no flips
reports = silent.privatize(["male"] * 40_000, np.random.default_rng(1))
rows, signs = silent.unpack(reports)

with claim("S-2.7") as c:
    expected = [encode(gender.positions(["male"])[0, j], 2) for j in range(4)]
    c.exact(signs, np.array(expected)[rows], "one +1, at the hash value of row j")
    stderr = math.sqrt(40_000 * 3 / 16)
    c.sampled(np.bincount(rows), 10_000, "rows drawn uniformly", stderr=stderr)
with claim("S-2.8") as c:
    c.exact(encode(2 - 1, 2), [-1, 1], "by hand, j = 3")
    c.exact(np.unique(signs[rows == 2], axis=0), np.array([[-1, 1]]), "the package")

# %% [markdown]
# Now with flips. Here is one user of a sketch with 16 columns at $\varepsilon = 1$, and what the mean of 5,000
# such users looks like after the correction that we are about to derive.

# %%
lone = ExplicitFamily({"teapot": (5,)}, width=16)  # one hash function
small = CountMeanSketch.with_family(1.0, lone)
reports = small.privatize(["teapot"] * 5000, np.random.default_rng(4))
_, noisy = small.unpack(reports)
denoised = (small.constant * noisy.mean(axis=0) + 1) / 2
band = 2 * math.sqrt((small.constant**2 - 1) / 4 / 5000)  # two sd
flipped = int(np.sum(noisy[0] != encode(5, 16)))
print(f"flipped in the first report: {flipped} of 16 signs")
print(f"mean in column 6: {denoised[5]:.2f}; two standard deviations: {band:.2f}")
assert np.max(np.abs(denoised - np.eye(16)[5])) < 2 * band

# %% mystnb={"figure": {"caption": "One teapot among 16 columns, \u03b5 = 1. Left: the vector v, with 1 at the item's hash value. Middle: what one user sends; which item it was is anybody's guess. Right: the mean of 5,000 de-noised reports, with a band of two standard deviations.", "name": "fig-sk-01-report"}, "image": {"alt": "Three bar charts over 16 columns. Left: one bar up at column 6, all others down. Middle: bars up and down without pattern. Right: one bar at about 1 at column 6, all others within a narrow band around zero."}} tags=["hide-input"]
fig, axes = plots.panels(1, 3, height=2.6, width=8.5)
columns = np.arange(1, 17)
colour = np.where(columns == 6, plots.COLOURS["orange"], plots.COLOURS["blue"])
panels = (
    ("the user's vector v", encode(5, 16), "sign"),
    ("one report", noisy[0], "sign"),
    ("5,000 reports, de-noised", denoised, "share of the users"),
)
for ax, (title, values, label) in zip(axes, panels):
    ax.bar(columns, values, color=colour)
    ax.set(title=title, xlabel="column", ylabel=label, xticks=(1, 6, 11, 16))
axes[2].axhspan(-band, band, color=plots.COLOURS["grey"], alpha=0.4, zorder=0)
plt.show()


# %% [markdown]
# ## Is one report private?
#
# Two items differ in at most two of the $m$ signs of a row: where the one has its 1, and where the other has.
# Every other sign contributes the same factor to both probabilities. So each of the two may cost
# $e^{\varepsilon/2}$, and that is why the flips are made of $\varepsilon/2$. To be sure, list all reports with
# their exact probabilities: three items, two hash functions into four columns, $e^{\varepsilon} = 9$, hence $p =
# \frac34$.

# %%
def law(hashes, m, keep):
    """Probability of each report (row, signs) of an item with these hash values."""
    k, vectors = len(hashes), list(product((-1, 1), repeat=m))
    chances = {}
    for j, position in enumerate(hashes):
        v = encode(position, m)
        for z in vectors:
            same = sum(x == y for x, y in zip(v, z))
            chances[j, z] = keep**same * (1 - keep) ** (m - same) / k
    return chances


p9 = Fraction(3, 4)  # e^(ε/2) = 3
three = {"a": (0, 3), "b": (1, 3), "c": (2, 2)}
laws = {item: law(hashes, 4, p9) for item, hashes in three.items()}
ratios = {
    (d, e): max(laws[d][z] / laws[e][z] for z in laws[d])
    for d, e in product(laws, repeat=2)
}
print(f"reports: {len(laws['a'])}")
for d, e in ("aa", "ab", "ac", "bc"):
    print(f"largest ratio between {d} and {e}: {ratios[d, e]}")

# %% tags=["hide-input"]
p = sp.exp(eps / 2) / (1 + sp.exp(eps / 2))
q = 1 / (1 + sp.exp(eps / 2))
cms = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)  # the paper's defaults
with claim("S-2.10") as c:
    c.exact(sp.simplify(p + q), one, "p + q = 1")
    c.exact(sp.simplify(p / q), sp.exp(eps / 2), "p / q = e^(ε/2)")
    at_one = [float(chance.subs(eps, 1)) for chance in (p, q)]
    c.close([cms.keep, cms.flip], at_one, "ε = 1, the package", rtol=1e-12)
with claim("S-2.9") as c:
    trial = CountMeanSketch.with_family(math.log(9), ExplicitFamily(three, width=4))
    reports = trial.privatize(["b"] * 200_000, np.random.default_rng(2))
    rows, signs = trial.unpack(reports)
    codes = 16 * rows + (signs > 0) @ np.array([8, 4, 2, 1])  # order of the law
    drawn = np.bincount(codes, minlength=32) / 200_000
    exact = np.array([float(chance) for chance in laws["b"].values()])
    stderr = np.sqrt(exact * (1 - exact) / 200_000)
    c.sampled(drawn, exact, "32 reports of b, independent flips", stderr=stderr)
    c.exact([sum(chances.values()) for chances in laws.values()], [Fraction(1)] * 3)
with claim("S-2.11") as c:
    c.exact(max(ratios.values()), Fraction(9), "all reports, all pairs: at most e^ε")
    c.exact(ratios["a", "b"], Fraction(9), "reached by items that differ in one row")
    two_signs = {sp.simplify(x * y) for x, y in product((p / q, q / p), repeat=2)}
    c.exact(two_signs, {sp.exp(eps), one, sp.exp(-eps)}, "two signs, any ε")
    # One coin for all signs sends v or -v: in row 1 (a, b: positions 1 and 2)
    coins = [{tuple(s * x for x in encode(h, 4)) for s in (1, -1)} for h in (0, 1)]
    c.holds(not coins[0] & coins[1], "one coin for all signs would tell a from b")

# %% [markdown]
# The level $e^{\varepsilon}$ is reached and never exceeded. The independence of the flips is needed: one common
# coin for all signs would send $v$ or $-v$, and for $m \ge 3$ either names the hash value. With the exact law at
# hand, let somebody who reads reports guess between two equally likely items.

# %% tags=["hide-input"]
guesses, largest = {}, {}
for d, e in ("ab", "ac", "bc"):
    chances = [(laws[d][z], laws[e][z]) for z in laws[d]]
    guesses[d, e] = (
        sum(map(max, chances)) / 2
    )  # best guess of two equally likely items
    largest[d, e] = max(x / (x + y) for x, y in chances)
    print(f"{d} or {e}: right with chance {guesses[d, e]};", end=" ")
    print("after the most telling report", largest[d, e])

with claim("S-2.4") as c:
    weights = [[int(512 * laws[d][z]) for z in laws[d] if z[0] == 0] for d in "ab"]
    events = np.arange(1, 2**16)[:, None] >> np.arange(16) & 1  # all sets of outputs
    of_a, of_b = (events @ np.array(weight) for weight in weights)
    c.holds(bool(np.all(of_a <= 9 * of_b)), "e^ε = 9: all 65,535 events of a row")
    c.holds(bool(np.any(of_a == 9 * of_b)), "and no smaller factor will do")
with claim("S-2.2") as c:
    c.exact(guesses["a", "c"], p9, "best guess of two: p, if both rows differ")
    c.at_most(max(guesses.values()), Fraction(9, 10), "at most e^ε/(1 + e^ε)")
    advantage = sp.simplify((1 + p**2 - q**2) / 2 - p)
    c.exact(advantage, zero, "any ε: two signs give away (1 + p² − q²)/2 = p")
with claim("S-2.3") as c:
    bound = sp.simplify(posterior.subs({prior: sp.Rational(1, 2), eps: sp.log(9)}))
    c.exact(bound, sp.Rational(9, 10), "the bound from Bayes' rule, e^ε = 9")
    c.exact(set(largest.values()), {Fraction(9, 10)}, "reached, all reports listed")

# %% [markdown]
# ## How does the server take the noise off?
#
# A sign that is kept with probability $p$ has the mean $(p - q)\, v_i$. Dividing by $p - q$ restores $v$ on
# average, and half of $v$ plus one half is 1 at the hash value and 0 elsewhere. The paper writes this as
#
# $$ c_{\varepsilon} = \frac{e^{\varepsilon/2} + 1}{e^{\varepsilon/2} - 1}, \qquad
#    \tilde x = k \Bigl( \frac{c_{\varepsilon}}2\, \tilde v + \frac12 \mathbf 1 \Bigr), $$
#
# with a factor $k$, because a user contributes to only one of $k$ rows. Is this $c_{\varepsilon}$ the right one?

# %%
a = sp.Symbol("a", positive=True)  # e^(ε/2)
c_eps = (a + 1) / (a - 1)
p_a, q_a = p.subs(eps, 2 * sp.log(a)), q.subs(eps, 2 * sp.log(a))
mean_sign = {v: sp.simplify(v * (p_a - q_a)) for v in (1, -1)}
half_one = sp.Rational(1, 2)
restored = {v: sp.simplify(c_eps / 2 * e + half_one) for v, e in mean_sign.items()}
print("mean of a noisy sign, v = 1: ", mean_sign[1])
print("after de-noising, v = 1 and -1:", restored[1], "and", restored[-1])


def mean_vector(hashes, m, keep):
    """Mean of x~ by row and column, over all reports of one user."""
    k, constant = len(hashes), 1 / (2 * keep - 1)
    mean = [[Fraction(0)] * m for _ in hashes]
    for (j, z), chance in law(hashes, m, keep).items():
        for cell in range(m):
            mean[j][cell] += chance * k * (constant * z[cell] + 1) / 2
    return mean


with claim("S-2.12") as c:
    c.exact(sp.simplify(1 / (p_a - q_a) - c_eps), zero, "c = 1/(p − q)")
    at_one = float(c_eps.subs(a, sp.exp(0.5)))
    c.close(cms.constant, at_one, "ε = 1, the package", rtol=1e-12)
with claim("S-2.13") as c:
    c.exact([restored[1], restored[-1]], [one, zero], "any ε: the mean is 1 or 0")
    for item, hashes in three.items():
        target = [[Fraction(cell == h) for cell in range(4)] for h in hashes]
        mean = mean_vector(hashes, 4, p9)
        c.exact(mean, target, f"all reports of {item}: one-hot in every row")

# %% [markdown]
# ## Four users by hand
#
# The server adds the vectors up (集計): row $j$ of the $k \times m$ *sketch matrix* $M$ is the sum of the $\tilde
# x$ of all reports with that $j$. An item's count is read from one entry in each row.
#
# ```{prf:definition} Estimator of CMS (section 2.2)
# :label: def-sk-01-estimator
# The frequency estimate (頻度推定) of item $d$ from $n$ reports is
#
# $$ \tilde f(d) = \frac{m}{m-1} \Bigl( \frac1k \sum_{j=1}^{k} M_{j, h_j(d)} - \frac nm \Bigr). $$
# ```
#
# Other users hit the entry of $d$ in a row by accident, each with probability $1/m$: hence the $n/m$ that is
# taken away and the factor $F = m/(m-1)$. In the paper's Example 2, $m = k = 2$ and $\varepsilon = \infty$, so
# that $c_{\varepsilon} = 1$. The users hold male, male, female, female and draw rows 1, 2, 1, 2.

# %%
held = ["male", "male", "female", "female"]
sent = [([1, -1], 1), ([1, -1], 2), ([-1, 1], 1), ([-1, 1], 2)]  # (v, j) as printed


def add_up(vectors, rows=(1, 2, 1, 2)):
    """Sketch matrix of vectors x~ in rows (from 1)."""
    M = [[0] * 2 for _ in range(2)]
    for x, j in zip(vectors, rows):
        M[j - 1] = [entry + value for entry, value in zip(M[j - 1], x)]
    return M


def read(M, hashes, n=4):
    """The estimator, for an item with these hash values (from 0)."""
    k, m = len(M), len(M[0])
    mean = Fraction(sum(M[j][h] for j, h in enumerate(hashes)), k)
    return Fraction(m, m - 1) * (mean - Fraction(n, m))


printed_x = [(2, 0), (2, 0), (2, 0), (0, 2)]
ours_x = [tuple(2 * (s + 1) // 2 for s in v) for v, _ in sent]  # k(v/2 + 1/2)
printed_m, ours_m = [[4, 0], [2, 2]], add_up(ours_x)
apart = {"male": (0, 0), "female": (1, 1)}  # what the reports imply
ours_f, from_printed = [
    {item: read(M, hashes) for item, hashes in apart.items()}
    for M in (ours_m, printed_m)
]
print("            printed               ours")
for i, (left, right) in enumerate(zip(printed_x, ours_x), start=1):
    print(f"x~({i})       {left!s:21s} ({right[0]}, {right[1]})")
print(f"M           {printed_m!s:21s} {ours_m}")
for item in apart:
    follows = f"2 (its M: {from_printed[item]})"
    print(f"f~({item}){'':{8 - len(item)}s} {follows:21s} {ours_f[item]}")

# %% [markdown]
# The third vector is $2\bigl(\frac12(-1, 1) + \frac12(1, 1)\bigr) = (0, 2)$. The printed $(2, 0)$ goes into the
# printed matrix. From that matrix the count 2 of men follows and that of women does not.

# %% tags=["hide-input"]
tiny = CountMeanSketch.with_family(math.inf, ExplicitFamily(apart, width=2))
single = [tiny.aggregate(tiny.pack([j - 1], [v])) for v, j in sent]
sketch = sum(single)
package_x = [one_report.matrix[j - 1] for one_report, (_, j) in zip(single, sent)]
with claim("S-2.17") as c:
    coded = [(encode(apart[d][j - 1], 2), j) for d, (_, j) in zip(held, sent)]
    c.exact(coded, sent, "the four reports, from the items and rows")
    drawn = tiny.unpack(tiny.privatize(held * 100, np.random.default_rng(3)))
    found = {(tuple(v), j + 1) for j, v in zip(drawn[0].tolist(), drawn[1].tolist())}
    c.exact(found, {(tuple(v), j) for v, j in sent}, "the package sends just these")
with claim("S-2.18") as c:
    c.exact(ours_x[:2], printed_x[:2], "by hand")
    c.close(package_x[:2], printed_x[:2], "the package", rtol=1e-12)
with claim(
    "S-2.19",
    printed=r"$\tilde x^{(3)} = 2(\frac12(-1,1)+\frac12(1,1)) = (2, 0)$",
    corrected=r"$\tilde x^{(3)} = (0, 2)$",
    consequence=r"The printed $M$ and $\tilde f(\text{male})$ are built from it.",
) as c:
    c.differs(printed_x[2], ours_x[2], "2(½(−1, 1) + ½(1, 1))")
    c.exact(ours_x[2], printed_x[3], "the same vector v as the fourth user's")
    c.close(package_x[2], [0, 2], "the package", rtol=1e-12)
with claim("S-2.20") as c:
    c.exact(ours_x[3], printed_x[3], "by hand")
    c.close(package_x[3], printed_x[3], "the package", rtol=1e-12)
with claim(
    "S-2.21",
    printed=r"$M = \begin{pmatrix} 4 & 0 \\ 2 & 2 \end{pmatrix}$",
    corrected=r"$M = \begin{pmatrix} 2 & 2 \\ 2 & 2 \end{pmatrix}$",
    consequence=r"Both estimates of the example become 0.",
) as c:
    c.differs(printed_m, ours_m, "sum of the four vectors")
    c.exact(add_up(printed_x), printed_m, "the printed x~(3) leads to the printed M")
    c.close(sketch.matrix, [[2, 2], [2, 2]], "the package", rtol=1e-12)
with claim(
    "S-2.22",
    printed=r"$\tilde f(\text{male}) = 2$",
    corrected=r"$\tilde f(\text{male}) = 0$; over all hash families the mean is 2",
    consequence="None for the method: the example's family is one of 16.",
) as c:
    c.differs(Fraction(2), ours_f["male"], "hash values (1, 1)")
    c.exact(from_printed["male"], Fraction(2), "the printed M leads to 2")
    c.close(sketch.estimate("male"), [0.0], "the package gives 0", rtol=0, atol=1e-12)
with claim(
    "S-2.23",
    printed=r"$\tilde f(\text{female}) = 2$",
    corrected=r"$\tilde f(\text{female}) = 0$; over all hash families the mean is 2",
    consequence="None for the method: the example's family is one of 16.",
) as c:
    c.differs(Fraction(2), ours_f["female"], "hash values (2, 2)")
    c.differs(Fraction(2), from_printed["female"], "from the printed M")
    any_hash = {read(ours_m, h) for h in product(range(2), repeat=2)}
    c.exact(any_hash, {Fraction(0)}, "from the corrected M: 0 for any hash values")
    c.close(sketch.estimate("female"), [0.0], "the package", rtol=0, atol=1e-12)

# %% [markdown]
# But the example raises a better question than its arithmetic. There is no noise at all, every vector is right,
# and two men and two women are estimated as 0 and 0. Is the estimator wrong?
#
# ## Right on average, over what?
#
# In this family men and women never share a hash value, yet the estimator takes away $n/m = 2$ for accidental
# hits. In other families they meet too often. Let all 16 families have their turn.

# %%
families = list(product(product(range(2), repeat=2), repeat=2))
table = {}
for male, female in families:
    drawn = [(male, 1), (male, 2), (female, 1), (female, 2)]
    vectors = [[2 * (cell == h[j - 1]) for cell in range(2)] for h, j in drawn]
    M = add_up(vectors)
    shared = sum(x == y for x, y in zip(male, female))
    table.setdefault(shared, []).append((read(M, male), read(M, female)))
print("rows in which they meet   families   estimates (male, female)")
for shared, found in sorted(table.items()):
    values = sorted({f"({x}, {y})" for x, y in found})
    print(f"{shared:15d} {len(found):18d}       {' '.join(values)}")
pairs = [pair for found in table.values() for pair in found]
example_mean = [sum(column) / len(families) for column in zip(*pairs)]
print("mean over all:", *example_mean)


# %% [markdown]
# So the estimate is right in the mean over a *random family of hash functions*, and over nothing less. For one
# given family, with $A_{d'}$ the share of rows in which $d'$ and $d$ have the same hash value ($A_d = 1$), the
# mean is $F(\sum_{d'} f(d') A_{d'} - n/m)$, here $2\,(2 + 2A - 2) = 4A$. The noise brings no bias of its own:
# below, all reports and all families of three small cases at $e^{\varepsilon} = 9$, in fractions. The same loop
# gives the variance.

# %%
def exact_moments(family, held, m, keep):
    """Mean and variance of the first item's estimate, by listing all reports."""
    F, constant = Fraction(m, m - 1), 1 / (2 * keep - 1)
    mean, variance = -Fraction(sum(held), m), Fraction(0)
    for hashes, users in zip(family, held):
        first = second = Fraction(0)
        for (j, z), chance in law(hashes, m, keep).items():
            score = (constant * z[family[0][j]] + 1) / 2
            first += chance * score
            second += chance * score**2
        mean += users * first
        variance += users * (second - first**2)
    return F * mean, F**2 * variance


cases = [((1,), 2, 1), ((3, 1, 1), 2, 2), ((2, 5, 3), 4, 1)]  # counts, m, k
listed = {}
print("counts       m  k  families   mean   variance")
for f, m, k in cases:
    every = list(product(product(range(m), repeat=k), repeat=len(f)))
    pairs = [exact_moments(family, f, m, p9) for family in every]
    mean = sum(x for x, _ in pairs) / len(every)
    total = sum(v + x**2 for x, v in pairs) / len(every) - mean**2
    listed[f, m, k] = every, pairs, mean, total
    print(f"{f!s:11s} {m:2d} {k:2d} {len(every):9d} {mean!s:>6s} {total!s:>10s}")

# %% [markdown]
# The means are the first counts, exactly. Where do the variances come from?
#
# ## How accurate is it, exactly?
#
# A report adds $F X$ with $X = \frac{c_\varepsilon}2 s + \frac12$ to the estimate of $d$, where $s$ is its noisy
# sign at $h_j(d)$. The sign was 1 before the flip with probability $A$. Two moments of $X$ and one average over
# families are all that is needed.
#
# ```{prf:theorem} Moments of CMS (ours)
# :label: thm-sk-01-variance
# For a fixed family with collision shares $A_{d'}$ ($A_d = 1$),
#
# $$ \begin{aligned} \E \tilde f(d) &= F \Bigl( \sum_{d'} f(d') A_{d'} - \frac nm \Bigr), \\
#    \Var \tilde f(d) &= F^2 \Bigl( n\, \frac{c_\varepsilon^2 - 1}4
#    + \sum_{d'} f(d') A_{d'} (1 - A_{d'}) \Bigr). \end{aligned} $$
#
# For a uniformly random family (three-wise independence is enough) $\E \tilde f(d) = f(d)$ and
#
# $$ \Var \tilde f(d) = F^2 n\, \frac{c_\varepsilon^2 - 1}4
#    + \frac1{m-1} \Bigl[ \bigl(1 - \tfrac1k\bigr)(n - f(d)) + \tfrac1k \sum_{d' \ne d} f(d')^2 \Bigr]. $$
# ```

# %%
f_s, n_s, m_s, k_s = sp.symbols("f n m k", positive=True)
S, A = sp.symbols("S A", positive=True)  # S: Σ f(d')², d' ≠ d
up = A * p_a + (1 - A) * q_a  # chance of s = +1
X = {s: (c_eps * s + 1) / 2 for s in (1, -1)}
first = sp.simplify(up * X[1] + (1 - up) * X[-1])
second = up * X[1] ** 2 + (1 - up) * X[-1] ** 2
spread = sp.simplify(second - first**2)
noise = (c_eps**2 - 1) / 4
report_gap = sp.simplify(spread - noise - A * (1 - A))
print("E X =", first, "   Var X − (c² − 1)/4 − A(1 − A) =", report_gap)

F = m_s / (m_s - 1)
var_share = (1 / m_s) * (1 - 1 / m_s) / k_s  # A: mean of k indicators of chance 1/m
mean_share = 1 / m_s
within = F**2 * (n_s * noise + (n_s - f_s) * (mean_share - mean_share**2 - var_share))
between = F**2 * S * var_share  # the mean given the family moves with the family
mean_gap = sp.simplify(F * (f_s + (n_s - f_s) * mean_share - n_s / m_s) - f_s)
theorem = F**2 * n_s * noise + ((1 - 1 / k_s) * (n_s - f_s) + S / k_s) / (m_s - 1)
gap = sp.simplify(within + between - theorem)
print("mean − f =", mean_gap, "   within + between − theorem =", gap)

# %% [markdown]
# The first term is the price of privacy, the second that of hashing. Now real counts. The paper's experiments use
# clicks on 43 models of a web shop {cite:p}`uci553eshop,lapczynski2013eshop`. Send one report for each click, at
# the paper's defaults $\varepsilon = 1$, $m = 128$, $k = 1024$, and see.

# %%
counts = shop_counts()
items, true = list(counts), np.array(list(counts.values()))
n = int(true.sum())
reports = cms.privatize(np.repeat(items, true), np.random.default_rng(7))
estimates = cms.aggregate(reports).estimate(items)
sd = np.sqrt(cms.variances(counts))
within_two = int(np.sum(np.abs(estimates - true) < 2 * sd))
print(f"n = {n} clicks; exact standard deviation {sd.min():.1f} to {sd.max():.1f}")
print("item    true   estimate   error / sd")
for i in (1, 10, 0, 20, 18):
    z = (estimates[i] - true[i]) / sd[i]
    print(f"{items[i]:4s} {true[i]:7d} {estimates[i]:10.0f} {z:12.2f}")
print(f"within two standard deviations: {within_two} of 43")
assert within_two >= 38
assert (n, len(items), round(float(sd.mean()))) == (49_742, 43, 446)
glue("sk-01-sd", round(float(sd.mean()), 4), display=False)
with claim("S-6.2") as c:
    for rule in ("category", "letter"):
        found = shop_counts(rule)
        c.exact(len(found), 43, f"items, counted by {rule}")
        c.exact(found["A2"], 3013, f"records of A2, counted by {rule}")

# %% mystnb={"figure": {"caption": "What 49,742 noisy reports say about 43 items (\u03b5 = 1, m = 128, k = 1024), sorted by size. Bars: true counts. Dots: estimates from one report a click, with one exact standard deviation, 446 clicks for all items alike.", "name": "fig-sk-01-counts"}, "image": {"alt": "Bars falling from 3013 to 246 clicks over 43 items. Dots with error bars of 446 scatter around the tops of the bars; a few of the smallest items are estimated below zero."}} tags=["hide-input"]
fig, ax = plots.panels(height=3.2, width=8.5)
order = np.argsort(-true)
places = np.arange(1, 44)
ax.bar(places, true[order], color=plots.COLOURS["sky"], label="true count")
style = {"fmt": "o", "ms": 4, "elinewidth": 1, "color": plots.COLOURS["orange"]}
ax.errorbar(places, estimates[order], sd[order], label="estimate ± 1 sd", **style)
ax.axhline(0, color="black", lw=0.8)
ax.set_xticks(places[::3], [items[i] for i in order[::3]])
ax.set(xlabel="item", ylabel="clicks", xlim=(0, 44))
ax.legend()
plt.show()

# %% [markdown]
# The popular items stand out; the small ones drown in the noise, which is the same for all. One run proves
# little, so repeat it, with a new hash family each time.

# %%
rng = np.random.default_rng(8)


def repeat(k, m, runs):
    """Errors of the 43 estimates and exact variances, one random family a run."""
    errors = np.empty((runs, 43))
    for seed in range(runs):
        scheme = CountMeanSketch(1.0, hashes=k, width=m, seed=seed)
        errors[seed] = scheme.simulate(counts, rng).estimate(items) - true
    return errors, scheme.variances(counts)


runs = {(1024, 128): repeat(1024, 128, 60), (4, 16): repeat(4, 16, 400)}
quotients = {size: np.mean(e**2 / v, axis=1) for size, (e, v) in runs.items()}
print("   k    m   error² / variance")
for (k, m), z in quotients.items():
    print(f"{k:4d} {m:4d}   {z.mean():.3f} ± {z.std() / math.sqrt(z.size):.3f}")

# %% tags=["hide-input"]
with claim("S-2.15") as c:
    c.exact(mean_gap, zero, "any n, m, f: the mean over random families is f")
    c.exact(example_mean, [Fraction(2)] * 2, "Example 2, mean over all 16 families")
    for (f, m, k), (every, _, mean, _) in listed.items():
        label = f"counts {f}, m = {m}, k = {k}: all {len(every)} families and reports"
        c.exact(mean, Fraction(f[0]), label)
    errors, variances = runs[1024, 128]
    stderr = np.sqrt(variances / len(errors))
    c.sampled(errors.mean(axis=0), 0.0, "43 items, mean of 60 runs", stderr=stderr)
with claim("S-2.16") as c:
    sketch = cms.simulate(counts, rng)
    entries = sketch.matrix[np.arange(1024), cms.family.positions(items)]
    by_mean = 128 / 127 * (entries.mean(axis=1) - n / 128)
    c.close(sketch.estimate(items), by_mean, "43 items, 1,024 entries", rtol=1e-9)
    by_hand = read([[3, 1], [5, 1]], (0, 0), n=4)
    c.exact(by_hand, Fraction(4), "by hand: entries 3 and 5, n = 4, m = 2")
with claim("S-B1") as c:
    c.exact(report_gap, zero, "variance of one report, any ε and A")
    c.exact(first, A, "mean of one report")
    c.exact(gap, zero, "within + between families = the theorem")
    for (f, m, k), (every, pairs, _, total) in listed.items():
        values = {f_s: f[0], n_s: sum(f), m_s: m, k_s: k, a: 3}
        values[S] = sum(x * x for x in f[1:])
        label = f"counts {f}, m = {m}, k = {k}: variance by listing"
        c.exact(sp.Rational(total), theorem.subs(values), label)
        scale, fixed = Fraction(m, m - 1), []
        for family in every:
            share = [Fraction(sum(map(int.__eq__, h, family[0])), k) for h in family]
            hits = sum(x * y for x, y in zip(f, share))
            loose = sum(x * y * (1 - y) for x, y in zip(f, share))
            mean = scale * (hits - Fraction(sum(f), m))
            fixed.append((mean, scale**2 * (sum(f) * Fraction(3, 4) + loose)))
        c.exact(fixed, pairs, f"the same for each of {len(every)} fixed families")
    defaults = {n_s: n, m_s: 128, k_s: 1024, a: sp.exp(0.5)}
    formula = sp.lambdify((f_s, S), theorem.subs(defaults))
    ours = formula(true, np.sum(true**2) - true**2)
    c.close(cms.variances(counts), ours, "43 items: the package", rtol=1e-9)
    for (k, m), z in quotients.items():
        label = f"k = {k}, m = {m}: error² / variance, {z.size} runs"
        c.sampled(z.mean(), 1.0, label, stderr=z.std() / math.sqrt(z.size))
    share_s, rest = sp.symbols("s R", positive=True)
    grown = theorem.subs({f_s: share_s * n_s, S: rest * n_s**2}) / n_s**2
    left = sp.simplify(sp.limit(grown, n_s, sp.oo) - rest / (k_s * (m_s - 1)))
    c.exact(left, zero, "n → ∞: collisions keep R/(k(m − 1)) of n²")

# %% [markdown]
# ## What remains with a million users?
#
# Noise grows like $\sqrt n$ and is outrun by the counts. Collisions are not: the last sum in
# {prf:ref}`thm-sk-01-variance` grows like $n^2$, because a family that makes two popular items meet makes them
# meet every day. Multiply the shop's clicks.

# %%
print("   users   sd of the noise   sd of the collisions   (in % of n)")
for times in (1, 10, 100, 1000, 10_000):
    grown = {item: times * count for item, count in counts.items()}
    flips = cms.factor**2 * times * n * (cms.constant**2 - 1) / 4
    hashing = cms.variance(grown, "A2") - flips
    shares = [100 * math.sqrt(x) / (times * n) for x in (flips, hashing)]
    print(f"{times * n:10.1e} {shares[0]:13.4f} {shares[1]:19.4f}")
    assert (flips > hashing) == (times <= 100)


# %% [markdown]
# For one shop hashing costs nothing to speak of. With 50 million reports it costs more than privacy does, as long
# as the family stays the same.
#
# ## Slips
#
# Table 1 has ten symbols. The number $n$ of honest users is not among them, and the share $\beta$ needs a base:
# of all users, as the tables of the attacks show. Section 4.1 counts hash values from 0 once, all examples of
# section 2 from 1.

# %% tags=["hide-input"]
def check_symbols(c):
    symbols = ["D", "ε", "H", "k", "m", "n'", "β", "T", "t", "r"]
    c.fails("n" in symbols, "Table 1 has no symbol for the number of honest users")
    beta = Fraction(1, 100)
    of_all, of_honest = math.floor(n * beta / (1 - beta)), math.floor(n * beta)
    per_fake = 128 / 127 * ((cms.constant + 1) / 2 - 1 / 128) / 100
    c.close(of_all * per_fake, 12.82, "Table 4: β of all users", rtol=0, atol=0.005)
    of_honest *= per_fake
    c.holds(of_honest < 12.77, f"β of the honest: {of_honest:.2f}", method="numeric")


def check_index(c):
    c.fails(0 in range(1, 3), "section 4.1 has h_j = 0, but [2] = {1, 2}")
    c.exact(encode(1 - 1, 2), [1, -1], "from 1: its (1, −1) belongs to h_j = 1")
    c.exact(encode(2 - 1, 2), [-1, 1], "as in Example 1, h_3 = 2")


def check_inputs(c):
    other = law(three["a"], 4, Fraction(2, 3))  # e^ε = 4
    c.fails(other == laws["a"], "d alone does not fix the law: e^ε = 4 and 9")
    ratio = max(other[z] / law(three["b"], 4, Fraction(2, 3))[z] for z in other)
    c.exact(ratio, Fraction(4), "with d and ε given: level e^ε = 4")


def check_columns(c):
    mean = mean_vector((3, 2), 4, p9)  # one user, k = 2, m = 4
    first_two = sum(sum(row[:2]) for row in mean)
    c.differs(first_two, Fraction(2), "k = 2, m = 4: columns 1 to k, of 2 in all")
    c.exact(sum(map(sum, mean)), Fraction(2), "columns 1 to m hold")


n_slip = (r"$n', \beta$, no $n$", r"$n$; $\beta = n'/(n + n')$")
x_slip = (r"$\tilde x_{\ell^{(i)}}$, $\ell \in [k]$", r"$\tilde x^{(i)}_\ell$, $[m]$")
rows = [
    ("S-1.10", *n_slip, check_symbols),
    ("S-idx", "$h_j = 0$ in section 4.1", "$h_j = 1$", check_index),
    ("S-2.1", "inputs of $M$ garbled", r"$d$ and $\varepsilon$", check_inputs),
    ("S-2.14", *x_slip, check_columns),
]
records = slips(rows)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} A report every day
# :label: ex-sk-01-many
# ```
# **Warm-up.** A user answers every day at $\varepsilon = 1$, always about the same item, with fresh noise. How
# sure may the server be after 7 days, starting from an even guess between two items?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-01-many
# :class: dropdown
# ```
# Likelihood ratios multiply: the bound is $e^{7}/(1 + e^{7})$, and a week of the most telling report reaches it.

# %%
week = float(posterior.subs({prior: sp.Rational(1, 2), eps: 7}))
print(f"after a week: {week:.4f}")
telling = max(laws["a"], key=lambda z: laws["a"][z] / laws["b"][z])
odds_week = (laws["a"][telling] / laws["b"][telling]) ** 7
assert odds_week == 9**7  # e^ε = 9: seven reports, level 7ε
assert math.isclose(week, math.e**7 / (1 + math.e**7))
assert 0.999 < week < 0.9992

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many users it takes
# :label: ex-sk-01-users
# ```
# **Standard.** How many users does it take to find an item of 5 % of them with a relative standard deviation of
# 10 % at $\varepsilon = 1$? And at $\varepsilon = 0.1$? Use the noise term alone. How does the number grow as
# $\varepsilon \to 0$?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-01-users
# :class: dropdown
# ```
# From $F^2 n (c_\varepsilon^2 - 1)/4 = (0.1 \cdot 0.05\, n)^2$ follows $n$. Since $(c_\varepsilon^2-1)/4 =
# a/(a-1)^2$ with $a = e^{\varepsilon/2}$, it grows like $4/\varepsilon^2$: half the $\varepsilon$ needs four
# times the users.

# %%
assert sp.simplify(noise - a / (a - 1) ** 2) == 0
for level in (1.0, 0.1):
    s = CountMeanSketch(level, hashes=1024, width=128, seed=0)
    needed = s.factor**2 * (s.constant**2 - 1) / 4 / (0.1 * 0.05) ** 2
    print(f"ε = {level}: {needed:,.0f} users")
    share = {"item": round(0.05 * needed)}
    share |= {f"other {i}": round(0.01 * needed) for i in range(95)}
    assert abs(s.variance(share, "item") ** 0.5 / share["item"] - 0.1) < 0.002
assert sp.limit(eps**2 * noise.subs(a, sp.exp(eps / 2)), eps, 0) == 4

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A bias that can be solved for
# :label: ex-sk-01-solve
# ```
# **Research.** The server knows the family and all 43 items, so it knows all collision shares. Use them to remove
# the bias of a fixed family. Does it pay at 50,000 clicks? At 500 million?
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-sk-01-solve
# :class: dropdown
# ```
# Let $y(d) = \frac1k \sum_j M_{j,h_j(d)}$. Its mean is $\sum_{d'} A_{dd'} f(d')$, so $\hat f = A^{-1} y$ is
# unbiased for every family with invertible $A$; for Example 2, $A$ is the identity and $\hat f = (2, 2)$. The
# noise hides the gain at 50,000; at 500 million it is large. The price: an item that is not on the list falsifies
# the rest.

# %%
positions = cms.family.positions(items)
shares = np.mean(positions[:, None] == positions, axis=2)  # A
rmse = {}
for times in (1, 10_000):
    grown = {item: times * count for item, count in counts.items()}
    errors = np.empty((2, 40, 43))
    for run in range(40):
        sketch = cms.simulate(grown, rng)
        y = sketch.matrix[np.arange(1024), positions].mean(axis=1)
        errors[0, run] = sketch.estimate(items) - times * true
        errors[1, run] = np.linalg.solve(shares, y) - times * true
    rmse[times] = np.sqrt(np.mean(errors**2, axis=(1, 2)))
    usual, solved = rmse[times]
    print(f"{times * n:.1e} users: estimator {usual:7.0f}, solved {solved:6.0f}")
assert 0.9 < rmse[1][1] / rmse[1][0] < 1.1
assert rmse[10_000][1] < 0.4 * rmse[10_000][0]
assert [sum(row[h] for row in ours_m) / 2 for h in (0, 1)] == [2, 2]  # Example 2

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Local differential privacy bounds what one report can say: at $\varepsilon = 1$ an even guess becomes
#   {glue:text}`sk-01-prior-2:.3f` at most. CMS keeps it exactly, with $\varepsilon/2$ for each of two signs.
# - De-noising is right on average over the coins, and the estimator on average over the hash families. For one family
#   collisions leave a bias: two men and two women may be estimated as 0 and 0.
# - The variance is known exactly: $F^2 n (c_\varepsilon^2-1)/4$ for privacy, the same for all items
#   ({glue:text}`sk-01-sd:.0f` clicks of 49,742 in all), and a term for hashing that a larger crowd does not remove.
#
# **Further reading.** The sketch: {cite:p}`apple2017learning`. Randomised response, where it began:
# {cite:p}`warner1965randomized`. The local model: {cite:p}`duchi2013local`. The paper: {cite:p}`shimizu`.
# **Next:** [can one bit do the work of a whole vector?](02-hadamard.ipynb)
