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
# A shop wants to know how often each of its goods is looked at, and promises that no click tells it which one. So a
# click does not send its item. It sends 128 tosses of loaded coins. All but one of the coins lean the same way, and
# which one does not depends on the item. From a single report the shop learns little, and one can say how little. From
# 50,000 of them it learns the counts, with an error that can be written down exactly before a single coin is tossed.
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
# **Neighbours:** any two items that one report may be about. **The attacker** is the server: it knows the hash
# functions, $\varepsilon$ and the report. **Protected:** which item it was; the odds
# between two items move by at most the factor $e^{\varepsilon}$. **Not protected:** that somebody takes
# part; what several reports of one person say together, and one visitor clicks more than once
# ([*What do many reports tell about one visitor?*](../research/sketch-what-many-reports-tell.ipynb)); the counts, against users who lie
# ([notebook 3](03-poisoning.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from fractions import Fraction
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

from privlib.notebook import claim, derivation, increasing, misprints, plots, table
from privlib.notebook.claims import show
from privlib.sketch import CountMeanSketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hashing import ExplicitFamily

plots.use()

# %% [markdown]
# The text counts rows, columns and hash values from 1, as the paper mostly does, and the code from 0. *User* means, as
# in the paper, whoever sends one report.
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
# The bound is on one output at a time. What does it mean for somebody who *sees* the output $z$? Write $P$ and $Q$ for
# its probability under $d_1$ and $d_2$, and let the server think beforehand that $d_2$ is $r$ times as likely as $d_1$.
# Bayes' rule gives what it thinks of $d_1$ afterwards:

# %% jupyter={"source_hidden": true} tags=["evidence"]
P, Q, w, r = sp.symbols("P Q w r", positive=True)
level = {w: r"e^{\varepsilon}"}
bayes = (
    derivation(P / (P + r * Q), of=r"\Pr(d_1 \mid z)", names=level)
    .at_most(P / (P + r * P / w), "definition 2.1", by=increasing(Q, P / w))
    .equal(w / (w + r), "cancel P")
)
bayes

# %% jupyter={"source_hidden": true} tags=["set-up"]
posterior = sp.lambdify((w, r), bayes.last)
levels = np.array([0.1, 1.0, 4.0])
guesses_of = {2: posterior(np.exp(levels), 1), 43: posterior(np.exp(levels), 42)}
prior_2 = float(guesses_of[2][1])
prior_43 = float(guesses_of[43][1])
columns = {"one item of": list(guesses_of), "before": [1 / 2, 1 / 43]}
for at, level_of in enumerate(levels):
    columns[f"after, ε = {level_of:g}"] = [float(g[at]) for g in guesses_of.values()]
table(
    columns,
    formats=dict.fromkeys([*columns][1:], ".3f"),
    caption="The most that one report can make of a fair guess: its probability.",
)

# %% [markdown]
# At $\varepsilon = 1$ a fair guess between two items becomes a guess of 0.731<!-- {prior_2:.3f} --> at most, and
# one among 43 items becomes 0.061<!-- {prior_43:.3f} -->. The paper says in words that outputs "cannot be
# told apart" and that the server "cannot learn" the input; these numbers are how far that goes, for one report. Can any
# useful program keep such a promise?
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
# In the paper's Example 1, $k = 4$, $m = 2$, the draw is $j = 3$ and $h_3(\text{male}) = 2$. So $v = (-1, 1)$: two
# coins. Let us send somewhat more, 16 coins about a teapot at $\varepsilon = 1$.

# %%
lone = ExplicitFamily({"teapot": (5,)}, width=16)  # one hash function
small = CountMeanSketch.with_family(1.0, lone)
reports = small.privatize(["teapot"] * 5000, np.random.default_rng(4))
_, noisy = small.unpack(reports)
print(noisy[0])  # column 6 should be 1, all others -1


# %% jupyter={"source_hidden": true} tags=["set-up"]
def encode(position, m):
    """The vector v: 1 at the position (from 0), -1 elsewhere."""
    return [1 if cell == position else -1 for cell in range(m)]


denoised = (small.debias_factor * noisy.mean(axis=0) + 1) / 2
band = 2 * math.sqrt((small.debias_factor**2 - 1) / 4 / 5000)  # two sd
flipped = int(np.sum(noisy[0] != encode(5, 16)))

# %% [markdown]
# Of the 16 signs 5<!-- {flipped} --> are wrong. Which item it was is anybody's guess. The mean of 5,000 such
# reports, after the correction that we are about to derive, leaves no doubt.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "One teapot among 16 columns, \u03b5 = 1. Left: the vector v, with 1 at the item's hash value. Middle: what one user sends; which item it was is anybody's guess. Right: the mean of 5,000 de-noised reports, with a band of two standard deviations.", "name": "fig-sk-01-report"}, "image": {"alt": "Three bar charts over 16 columns. Left: one bar up at column 6, all others down. Middle: bars up and down without pattern. Right: one bar at about 1 at column 6, the others small, most of them within a narrow band around zero."}} tags=["figure"]
fig, axes = plots.panels(1, 3, height=2.6, width=8.5)
places = np.arange(1, 17)
colour = np.where(places == 6, plots.COLOURS["orange"], plots.COLOURS["blue"])
panels = (
    ("the user's vector v", encode(5, 16), "sign"),
    ("one report", noisy[0], "sign"),
    ("5,000 reports, de-noised", denoised, "share of the users"),
)
for ax, (title, values, label) in zip(axes, panels):
    ax.bar(places, values, color=colour)
    ax.set(title=title, xlabel="column", ylabel=label, xticks=(1, 6, 11, 16))
axes[2].axhspan(-band, band, color=plots.COLOURS["grey"], alpha=0.4, zorder=0)
errors = np.abs(denoised - np.eye(16)[5])
assert len(noisy) == 5000 and np.sum(errors < band) >= 12
assert np.max(errors) < 2 * band
plt.show()

# %% jupyter={"source_hidden": true} tags=["evidence"]
gender = ExplicitFamily({"male": (0, 0, 1, 0), "female": (1, 0, 0, 1)}, width=2)
silent = CountMeanSketch.with_family(math.inf, gender)  # ε = ∞: no flips
quiet = silent.privatize(["male"] * 40_000, np.random.default_rng(1))
drawn_rows, signs = silent.unpack(quiet)

with claim("S-2.7") as c:
    of_male = {0: (1, -1), 1: (1, -1), 2: (-1, 1), 3: (1, -1)}  # row -> v, by hand
    found = {(int(j), tuple(v)) for j, v in zip(drawn_rows, signs.tolist())}
    label = "40,000 reports without flips: row, and one +1 at its hash value"
    c.exact(found, set(of_male.items()), label)
    stderr = math.sqrt(40_000 * 3 / 16)
    counted = np.bincount(drawn_rows)
    c.decisive().sampled(counted, 10_000, "rows drawn uniformly", stderr=stderr)
with claim("S-2.8") as c:
    c.decisive("one example").exact(encode(2 - 1, 2), [-1, 1], "from its definition")
    third = np.unique(signs[drawn_rows == 2], axis=0)
    c.exact(third, np.array([[-1, 1]]), "what the package sends in row 3")

# %% [markdown]
# ## Is one report private?
#
# The row is drawn without a look at the item, so it tells nothing. In a row two items differ in at most two of the $m$
# signs: where the one has its 1, and where the other has.
# Every other sign contributes the same factor to both probabilities. What the two signs contribute stands in four lines.

# %% jupyter={"source_hidden": true} tags=["set-up"]
a = sp.Symbol("a", positive=True)  # e^(ε/2)
p, q = a / (1 + a), 1 / (1 + a)
four = list(product((1, -1), repeat=2))
of_first = [(p if x == 1 else q) * (q if y == 1 else p) for x, y in four]
of_second = [(q if x == 1 else p) * (p if y == 1 else q) for x, y in four]
signs_ratio = [sp.cancel(one / two) for one, two in zip(of_first, of_second)]
powers = {1: "1", a**2: r"$e^{\varepsilon}$", a**-2: r"$e^{-\varepsilon}$"}
names = {p * q: "$pq$", p**2: "$p^2$", q**2: "$q^2$"}
table(
    {"sign at $h_j(d_1)$": [f"{x:+d}" for x, _ in four],
     "sign at $h_j(d_2)$": [f"{y:+d}" for _, y in four],
     "chance if $d_1$": [names[x] for x in of_first],
     "chance if $d_2$": [names[x] for x in of_second],
     "ratio": [powers[x] for x in signs_ratio]},
    caption=r"The two signs in which the items differ; $p/q = e^{\varepsilon/2}$.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
eps = sp.Symbol("epsilon", positive=True)
p_printed = sp.exp(eps / 2) / (1 + sp.exp(eps / 2))
q_printed = 1 / (1 + sp.exp(eps / 2))
share = sp.Symbol("x", positive=True)
cms = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)  # the paper's defaults

with claim("S-2.10") as c:
    (only,) = sp.solve(sp.Eq(share / (1 - share), sp.exp(eps / 2)), share)
    kept = (sp.simplify(only - p_printed), sp.simplify(1 - only - q_printed))
    label = "the only p with p/(1 − p) = e^(ε/2), and q = 1 − p"
    c.decisive("proved").exact(kept, (sp.S.Zero, sp.S.Zero), label)
    at_one = [float(chance.subs(eps, 1)) for chance in (p_printed, q_printed)]
    c.close([cms.keep, cms.flip], at_one, "ε = 1: the package", rtol=1e-12)


# %% [markdown]
# So each of the two may cost $\varepsilon/2$, and that is why the coins are made of $\varepsilon/2$. The level
# $e^{\varepsilon}$ is never exceeded, whatever $m$ and $k$, and reached as soon as two items have different hash values in
# some row. To be sure, list all reports with their exact probabilities: three items, two hash functions into four columns,
# $e^{\varepsilon} = 9$, hence $p = \frac34$.

# %%
def law(hashes, m, keep):
    """Probability of each report (row, signs) of an item with these hash values."""
    chances = {}
    for j, position in enumerate(hashes):
        for z in product((-1, 1), repeat=m):
            same = sum(x == y for x, y in zip(encode(position, m), z))
            chances[j, z] = keep**same * (1 - keep) ** (m - same) / len(hashes)
    return chances


three = {"a": (0, 3), "b": (1, 3), "c": (2, 2)}
laws = {item: law(hashes, 4, Fraction(3, 4)) for item, hashes in three.items()}

# %% jupyter={"source_hidden": true} tags=["set-up"]
couples = [("a", "b"), ("a", "c"), ("b", "c")]
ratios, best_guess, telling = {}, {}, {}
for d, e in couples:
    chances = [(laws[d][z], laws[e][z]) for z in laws[d]]
    ratios[d, e] = max(max(x / y, y / x) for x, y in chances)
    best_guess[d, e] = sum(map(max, chances)) / 2  # of two equally likely items
    telling[d, e] = max(max(x, y) / (x + y) for x, y in chances)
table(
    {"items": [f"{d} or {e}" for d, e in couples],
     "largest ratio": list(ratios.values()),
     "guess after the most telling report": list(telling.values()),
     "best guess on average": list(best_guess.values())},
    caption="All 32 reports, a fair guess between two items, $e^ε = 9$.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("S-2.11") as c:
    cases = {sp.simplify(x.subs(a, sp.exp(eps / 2))) for x in signs_ratio}
    label = "any ε, m, k: the ratio of two reports' chances, all four cases"
    c.decisive("proved").exact(cases, {sp.exp(eps), sp.S.One, sp.exp(-eps)}, label)
    label = "32 reports, three pairs of items, e^ε = 9: the largest ratio"
    c.exact(list(ratios.values()), [Fraction(9)] * 3, label)
for one, two in product(product(range(2), repeat=2), repeat=2):  # if they part
    chances = zip(*(law(pair, 2, Fraction(3, 4)).values() for pair in (one, two)))
    assert max(x / y for x, y in chances) == (1 if one == two else 9)
with claim("S-2.9") as c:
    trial = CountMeanSketch.with_family(math.log(9), ExplicitFamily(three, width=4))
    many = trial.privatize(["b"] * 200_000, np.random.default_rng(2))
    trial_rows, trial_signs = trial.unpack(many)
    codes = 16 * trial_rows + (trial_signs > 0) @ np.array([8, 4, 2, 1])
    drawn = np.bincount(codes, minlength=32) / 200_000
    exact = np.array([float(chance) for chance in laws["b"].values()])
    stderr = np.sqrt(exact * (1 - exact) / 200_000)
    c.sampled(drawn, exact, "32 reports of b, independent flips", stderr=stderr)

# %% [markdown]
# The most telling report makes $\frac12$ into $\frac9{10}$, which is the bound $e^{\varepsilon}/(1 + e^{\varepsilon})$.
# Whoever guesses takes the likelier item at each report, so no private mechanism lets anybody be right more often than
# that. With this one the guess is right less often: with chance $p$ if the two items part in every row, and less where
# they meet. The independence of the coins is needed: one common
# coin for all signs would send $v$ or $-v$, and for $m \ge 3$ either names the hash value.

# %% jupyter={"source_hidden": true} tags=["evidence"]
coins = [{tuple(s * x for x in encode(h, 4)) for s in (1, -1)} for h in (0, 1)]
assert not coins[0] & coins[1]  # one coin for all signs tells a from b in row 1

with claim("S-2.4") as c:
    row = [z for z in laws["a"] if z[0] == 0]
    weights = [[int(512 * laws[d][z]) for z in row] for d in "ab"]
    events = np.arange(1, 2**16)[:, None] >> np.arange(16) & 1  # all sets of outputs
    of_a, of_b = (events @ np.array(weight) for weight in weights)
    on_events = max(map(Fraction, of_a.tolist(), of_b.tolist()))
    on_points = max(laws["a"][z] / laws["b"][z] for z in row)
    label = "largest ratio over 65,535 events of a row, over single outputs; e^ε = 9"
    c.exact((on_events, on_points), (Fraction(9), Fraction(9)), label)
with claim("S-2.2") as c:
    told = derivation(P).at_most(
        w / (1 + w) * (P + Q), "definition 2.1", by=increasing(Q, P / w)
    )
    label = "the likelier of two gets at most e^ε/(1 + e^ε) of each output's chance"
    c.decisive("proved").derived(told, P, w * (P + Q) / (1 + w), label)
    half = sum(sp.Max(x, y).subs(a, 3) for x, y in zip(of_first, of_second)) / 2
    by_rows = {"ab": (half + sp.Rational(1, 2)) / 2, "ac": half, "bc": half}
    listed_guess = {d + e: sp.Rational(g) for (d, e), g in best_guess.items()}
    c.exact(listed_guess, by_rows, "CMS, e^ε = 9: by listing, from two signs a row")
with claim("S-2.3") as c:
    c.decisive("proved").derived(bayes, P / (P + r * Q), w / (w + r), "one report")
    bound = sp.Rational(9, 10)
    c.exact(list(map(sp.Rational, telling.values())), [bound] * 3, "CMS reaches it")
    week = max(Fraction(laws["a"][z] / laws["b"][z]) ** 7 for z in laws["a"])
    sure = week / (1 + week)
    once, often = (Fraction(str(bayes.last.subs({w: x, r: 1}))) for x in (9, 9**7))
    label = "seven reports of one user about one item, e^ε = 9: an even guess becomes"
    c.limit(once, sure, label)
    assert (once, often) == (Fraction(9, 10), sure)

# %% [markdown]
# ## How does the server take the noise off?
#
# A sign that is kept with probability $p$ has the mean $(p - q)\, v_i$. Dividing by $p - q$ restores $v$ on
# average, and half of $v$ plus one half is 1 at the hash value and 0 elsewhere. The paper writes this as
#
# $$ c_{\varepsilon} = \frac{e^{\varepsilon/2} + 1}{e^{\varepsilon/2} - 1}, \qquad
#    \tilde x = k \Bigl( \frac{c_{\varepsilon}}2\, \tilde v + \frac12 \mathbf 1 \Bigr), $$
#
# with a factor $k$, because a user contributes to only one of $k$ rows. Is this the right $c_{\varepsilon}$?

# %% jupyter={"source_hidden": true} tags=["evidence"]
half_step = {a: r"e^{\varepsilon/2}"}
constant = (
    derivation(1 / (p - q), of=r"\frac{1}{p - q}", names=half_step)
    .equal((a + 1) / (a - 1), "common denominator")
)  # fmt: skip
constant


# %% jupyter={"source_hidden": true} tags=["evidence"]
def mean_vector(hashes, m, keep):
    """Mean of x~ by row and column, over all reports of one user."""
    k, factor = len(hashes), 1 / (2 * keep - 1)
    mean = [[Fraction(0)] * m for _ in hashes]
    for (j, z), chance in law(hashes, m, keep).items():
        for column in range(m):
            mean[j][column] += chance * k * (factor * z[column] + 1) / 2
    return mean


v = sp.Symbol("v", real=True)
c_printed = (a + 1) / (a - 1)
half_one = sp.Rational(1, 2)
with claim("S-2.12") as c:
    label = "1/(p − q) with the printed p and q"
    c.decisive("proved").derived(constant, 1 / (p - q), c_printed, label)
    at_one = float(c_printed.subs(a, sp.exp(half_one)))
    c.close(cms.debias_factor, at_one, "ε = 1: the package", rtol=1e-12)
with claim("S-2.13") as c:
    restored = sp.simplify(c_printed / 2 * (p * v - q * v) + half_one)
    ends = [restored.subs(v, sign) for sign in (1, -1)]
    label = "any ε: x~/k has the mean 1 where v = 1 and 0 where v = −1"
    c.decisive("proved").exact(ends, [sp.S.One, sp.S.Zero], label)
    mean = [mean_vector(hashes, 4, Fraction(3, 4)) for hashes in three.values()]
    one_hot = [
        [[Fraction(i == h) for i in range(4)] for h in hashes]
        for hashes in three.values()
    ]
    c.exact(mean, one_hot, "all reports of three items: one-hot in every row")

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
# that $c_{\varepsilon} = 1$ and no coin is wrong. The users hold male, male, female, female and draw rows 1, 2, 1, 2.

# %%
apart = {"male": (0, 0), "female": (1, 1)}  # hash values that the reports imply
tiny = CountMeanSketch.with_family(math.inf, ExplicitFamily(apart, width=2))
four_users = tiny.pack([0, 1, 0, 1], [[1, -1], [1, -1], [-1, 1], [-1, 1]])
sketch = tiny.aggregate(four_users)
print(sketch.matrix)
print(sketch.estimate(["male", "female"]))


# %% [markdown]
# Two men and two women are estimated as 0 and 0. The paper prints 2 and 2. Who is right? Here is its calculation, line
# by line; beside it what follows from the reports as printed, and from the reports with the third one changed.

# %% jupyter={"source_hidden": true} tags=["set-up"]
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


held = ["male", "male", "female", "female"]
sent = [([1, -1], 1), ([1, -1], 2), ([-1, 1], 1), ([-1, 1], 2)]  # (v, j) as printed
printed_x = [(2, 0), (2, 0), (2, 0), (0, 2)]
printed_m, printed_f = [[4, 0], [2, 2]], {"male": 2, "female": 2}


def worked(reports):
    """Vectors x~, matrix, hash values (from 0) and estimates of four reports."""
    x = [tuple(2 * (s + 1) // 2 for s in v) for v, _ in reports]  # k(v/2 + 1/2)
    hashes = {
        item: tuple(v.index(1) for (v, _), d in zip(reports, held) if d == item)
        for item in apart  # each item in rows 1 and 2, in this order
    }
    M = add_up(x)
    return x, M, hashes, {item: read(M, h) for item, h in hashes.items()}


def changed(i):
    """The reports with the vector of one of them replaced by its negative."""
    return [
        ([-s for s in v] if j == i else v, row) for j, (v, row) in enumerate(sent)
    ]


ours_x, ours_m, implied, ours_f = worked(sent)
other_x, other_m, other_hashes, other_f = worked(changed(2))
assert implied == apart and other_hashes == {"male": (0, 0), "female": (0, 1)}
as_printed = [
    i for i in range(4)
    if (lambda x, M, _, f: (x, M, f) == (printed_x, printed_m, printed_f))(
        *worked(changed(i))
    )
]  # fmt: skip
assert as_printed == [2]  # of the four only this one gives all that is printed

lines = [rf"$\tilde x^{{({i})}}$" for i in (1, 2, 3, 4)]
lines += ["$M$, row 1", "$M$, row 2"]
lines += [rf"$\tilde f(\text{{{item}}})$" for item in apart]


def column(x, M, f):
    """The lines of the table, as text."""
    return [str(entry) for entry in (*x, *map(tuple, M), *f.values())]


table(
    {"": lines,
     "printed": column(printed_x, printed_m, printed_f),
     "from the printed reports": column(ours_x, ours_m, ours_f),
     "with (1, −1) as third report": column(other_x, other_m, other_f)},
    caption="Example 2 of the paper, and two readings of it.",
)  # fmt: skip

# %% [markdown]
# As printed, the third vector would be $2\bigl(\frac12(-1, 1) + \frac12(1, 1)\bigr) = (0, 2)$; the paper has $(2, 0)$. So
# there is one misprint, either in this result or in the report (and in its copy in the display). If the report should
# read $(1, -1)$, so that $h_1(\text{female}) = 1$, every other line comes out as printed, and of the four reports only
# the third can be changed with this effect. That is the reading we take: one misprint, and the printed $M$, 2 and 2 stand.

# %% jupyter={"source_hidden": true} tags=["evidence"]
single = [tiny.aggregate(tiny.pack([j - 1], [signs_of])) for signs_of, j in sent]
package_x = [one.matrix[j - 1] for one, (_, j) in zip(single, sent)]
second_reading = CountMeanSketch.with_family(
    math.inf, ExplicitFamily(other_hashes, width=2)
)
resent = second_reading.pack([0, 1, 0, 1], [v for v, _ in changed(2)])
resketch = second_reading.aggregate(resent)
with claim("S-2.17", printed="the four reports", show=False) as reports_17:
    coded = [(encode(apart[d][j - 1], 2), j) for d, (_, j) in zip(held, sent)]
    label = "from the items and the rows, with h_1(female) = 2"
    reports_17.exact(coded, sent, label)
    label = "the printed x~(3), and that of the third report as printed"
    reports_17.limit(printed_x[2], ours_x[2], label)
with claim("S-2.18", printed=r"$\tilde x^{(1)} = (2, 0)$", show=False) as first_two:
    first_two.decisive("one example").exact(ours_x[:2], printed_x[:2], "by hand")
    first_two.close(package_x[:2], printed_x[:2], "the package", rtol=1e-12)
with claim(
    "S-2.19",
    printed=r"$\tilde x^{(3)} = (2, 0)$",
    corrected=r"$\tilde x^{(3)} = (0, 2)$, or $(2, 0)$ from the report $(1, -1)$",
    consequence=r"None for the method. With the report $(1, -1)$ all that follows is "
    "right as printed.",
    show=False,
) as third:
    third.differs(printed_x[2], ours_x[2], "2(½(−1, 1) + ½(1, 1))")
    third.decisive("one example").exact(ours_x[2], (0, 2), "by hand")
    third.close(package_x[2], [0, 2], "the package", rtol=1e-12)
    label = "changes of one report that give all of the printed x~, M and estimates"
    third.exact(as_printed, [3 - 1], label)
with claim("S-2.20", printed=r"$\tilde x^{(4)} = (0, 2)$", show=False) as fourth:
    fourth.decisive("one example").exact(ours_x[3], printed_x[3], "by hand")
    fourth.close(package_x[3], printed_x[3], "the package", rtol=1e-12)
with claim(
    "S-2.21",
    printed=r"$M = \begin{pmatrix} 4 & 0 \\ 2 & 2 \end{pmatrix}$",
    show=False,
) as matrix:
    matrix.exact(add_up(printed_x), printed_m, "sum of the printed x~")
    label = "third report (1, −1): by hand"
    matrix.decisive("one example").exact(other_m, printed_m, label)
    matrix.close(resketch.matrix, printed_m, "the package", rtol=1e-12)
    matrix.limit(printed_m, ours_m, "with the third report as printed")
with claim("S-2.22", printed=r"$\tilde f(\text{male}) = 2$", show=False) as men:
    label = "third report (1, −1), hash values (1, 1): by hand"
    men.decisive("one example").exact(other_f["male"], Fraction(2), label)
    men.close(resketch.estimate("male"), [2.0], "the package", rtol=1e-12)
    men.limit(other_f["male"], ours_f["male"], "with the third report as printed")
    assert ours_f["male"] == 0
with claim("S-2.23", printed=r"$\tilde f(\text{female}) = 2$", show=False) as women:
    label = "third report (1, −1), hash values (1, 2): by hand"
    women.decisive("one example").exact(other_f["female"], Fraction(2), label)
    women.close(resketch.estimate("female"), [2.0], "the package", rtol=1e-12)
    label = "with the third report as printed"
    women.limit(other_f["female"], ours_f["female"], label)
    any_hash = {read(ours_m, h) for h in product(range(2), repeat=2)}
    label = "from that M, whatever the hash values"
    women.exact(any_hash, {Fraction(0)}, label)
of_example = (reports_17, first_two, third, fourth, matrix, men, women)
show(*(one.record for one in of_example), table=True)

# %% [markdown]
# So the arithmetic is settled, and a better question is left. There is no noise at all. With one hash value of *female*
# two men and two women are estimated as 2 and 2, with another, which the printed reports imply, as 0 and 0. Is the estimator wrong?
#
# ## Right on average, over what?
#
# Where the estimates are 0, men and women never share a hash value, yet the estimator takes away $n/m = 2$ for accidental
# hits. Where they are 2, the two meet in one row of two, as often as by accident. In other families they meet too often. Let all 16 families have their turn.

# %%
estimates_of = {}
for male, female in product(product(range(2), repeat=2), repeat=2):
    family = ExplicitFamily({"male": male, "female": female}, width=2)
    scheme = CountMeanSketch.with_family(math.inf, family)
    shared = sum(x == y for x, y in zip(male, female))
    estimate = scheme.moments({"male": 2, "female": 2}).mean
    estimates_of.setdefault(shared, []).append(estimate.round(12))

# %% jupyter={"source_hidden": true} tags=["set-up"]
assert [(len(found), *found[0]) for _, found in sorted(estimates_of.items())] == [
    (4, 0, 0), (8, 2, 2), (4, 4, 4)
]  # fmt: skip
table(
    {"rows in which they meet": sorted(estimates_of),
     "families": [len(estimates_of[s]) for s in sorted(estimates_of)],
     "estimate, men": [float(estimates_of[s][0][0]) for s in sorted(estimates_of)],
     "estimate, women": [float(estimates_of[s][0][1]) for s in sorted(estimates_of)]},
    formats={"estimate, men": "g", "estimate, women": "g"},
    caption="Two men and two women: the estimates in each of the 16 families.",
)  # fmt: skip

# %% [markdown]
# Four families say 0, eight say 2, four say 4: on average 2, for men and for women. So the estimate is right in the mean over a
# *random family of hash functions*. It does not take much randomness: a user with another item $d'$ must hit the entry
# of $d$ with probability $1/m$, and for that it is enough that the hash values of any *two* items are uniform and
# independent (*pairwise independence*). Then the other $n - f(d)$ users add $(n - f(d))/m$ in the mean, and

# %% jupyter={"source_hidden": true} tags=["evidence"]
f_s, n_s, m_s, k_s = sp.symbols("f n m k", positive=True)
S, nu, A, c_s = sp.symbols("S nu A c", positive=True)
of_d = {f_s: "f(d)"}
F = m_s / (m_s - 1)
unbiased = (
    derivation(
        F * (f_s + (n_s - f_s) / m_s - n_s / m_s),
        of=r"\operatorname{E} \tilde f(d)",
        names=of_d,
    )
    .equal(F * (1 - 1 / m_s) * f_s, "collect $f(d)$")
    .equal(f_s, r"$m (1 - \frac1m) = m - 1$")
)  # fmt: skip
unbiased


# %% [markdown]
# For one given family nothing of the kind holds. With $A_{d'}$ the share of
# rows in which $d'$ and $d$ have the same hash value ($A_d = 1$), the
# mean is $F(\sum_{d'} f(d') A_{d'} - n/m)$, here $2\,(2 + 2A - 2) = 4A$. The coins bring no bias of their own:
# here are all reports and all families of three small cases at $e^{\varepsilon} = 9$, in fractions.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def exact_moments(family, held, m, keep):
    """Mean and variance of the first item's estimate, by listing all reports."""
    factor, constant = Fraction(m, m - 1), 1 / (2 * keep - 1)
    mean, variance = -Fraction(sum(held), m), Fraction(0)
    for hashes, users in zip(family, held):
        first = second = Fraction(0)
        for (j, z), chance in law(hashes, m, keep).items():
            score = (constant * z[family[0][j]] + 1) / 2
            first += chance * score
            second += chance * score**2
        mean += users * first
        variance += users * (second - first**2)
    return factor * mean, factor**2 * variance


def over(families, held, m):
    """Mean and variance over coins, rows and a family drawn from these."""
    pairs = [exact_moments(family, held, m, Fraction(3, 4)) for family in families]
    mean = sum(x for x, _ in pairs) / len(pairs)
    return mean, sum(v + x**2 for x, v in pairs) / len(pairs) - mean**2


def all_families(items, m, k):
    """Every table of hash values: one tuple of length k for each item."""
    return list(product(product(range(m), repeat=k), repeat=items))


small_cases = [((1,), 2, 1), ((3, 1, 1), 2, 2), ((2, 5, 3), 4, 1)]  # counts, m, k
listed = {
    (f, m, k): (families := all_families(len(f), m, k), *over(families, f, m))
    for f, m, k in small_cases
}
table(
    {"counts": [str(f) for f, _, _ in listed], "m": [m for _, m, _ in listed],
     "k": [k for _, _, k in listed],
     "families": [len(every) for every, _, _ in listed.values()],
     "mean": [mean for _, mean, _ in listed.values()],
     "variance": [total for _, _, total in listed.values()]},
    caption="The estimate of the first item, over all reports and all families.",
)  # fmt: skip

# %% [markdown]
# The means are the first counts, exactly. Where do the variances come from?
#
# ## How accurate is it, exactly?
#
# A report adds $F X$ with $X = \frac{c_\varepsilon}2 s + \frac12$ to the estimate of $d$, where $s$ is its noisy
# sign at $h_j(d)$. The sign was 1 before the flip with probability $A$, so $\operatorname{E} s = (p - q)(2A - 1) = (2A-1)/c_\varepsilon$
# and $\operatorname{E} X = A$. A sign has the variance $1 - (\operatorname{E} s)^2$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
constants = {c_s: r"c_{\varepsilon}"}
spread = (
    derivation(
        c_s**2 / 4 * (1 - ((2 * A - 1) / c_s) ** 2),
        of=r"\operatorname{Var} X",
        names=constants,
    )
    .equal((c_s**2 - (2 * A - 1) ** 2) / 4, "multiply out")
    .equal((c_s**2 - 1) / 4 + A * (1 - A), "$(2A-1)^2 = 1 - 4A(1-A)$")
)  # fmt: skip
spread

# %% [markdown]
# Given the family, reports are independent, and these variances add up. Over a random family the *law of total
# variance* says that the variance is the mean of the variance given the family, plus the variance of the mean given the
# family:
#
# $$ \operatorname{Var} \tilde f(d) = \operatorname{E} \bigl[\operatorname{Var}(\tilde f(d) \mid h)\bigr] + \operatorname{Var} \bigl(\operatorname{E}[\tilde f(d) \mid h]\bigr). $$
#
# For $d' \ne d$ the share $A_{d'}$ is the mean of $k$ independent indicators of probability $\frac1m$: its mean is
# $\frac1m$, its variance $\frac{m-1}{k m^2}$, and $\operatorname{E} A_{d'}(1 - A_{d'}) = \frac1m - \frac1{m^2} - \frac{m-1}{k m^2}$. If the
# shares of different items are uncorrelated, the second part is $F^2 \sum_{d' \ne d} f(d')^2 \frac{m-1}{k m^2}$. Write $S$ for
# this sum of squares and $\nu$ for $\frac14(c_\varepsilon^2 - 1)$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
var_share = (m_s - 1) / (k_s * m_s**2)
within = F**2 * (n_s * nu + (n_s - f_s) * (1 / m_s - 1 / m_s**2 - var_share))
between = sp.UnevaluatedExpr(F**2) * S * sp.UnevaluatedExpr(var_share)
variance = (
    derivation(within + between, of=r"\operatorname{Var} \tilde f(d)", names=of_d)
    .equal(
        F**2 * n_s * nu
        + (1 - 1 / k_s) * (n_s - f_s) / (m_s - 1)
        + S / (k_s * (m_s - 1)),
        r"$\frac1m - \frac1{m^2} = \frac{m-1}{m^2}$",
    )
)  # fmt: skip
variance

# %% [markdown]
# ```{prf:theorem} Moments of CMS
# :label: thm-sk-01-variance
# For a fixed family with collision shares $A_{d'}$ ($A_d = 1$),
#
# $$ \begin{aligned} \operatorname{E} \tilde f(d) &= F \Bigl( \sum_{d'} f(d') A_{d'} - \frac nm \Bigr), \\
#    \operatorname{Var} \tilde f(d) &= F^2 \Bigl( n\, \frac{c_\varepsilon^2 - 1}4
#    + \sum_{d'} f(d') A_{d'} (1 - A_{d'}) \Bigr). \end{aligned} $$
#
# For $k$ independent hash functions with uniform, pairwise independent values $\operatorname{E} \tilde f(d) = f(d)$, and with three-wise
# independent values
#
# $$ \operatorname{Var} \tilde f(d) = F^2 n\, \frac{c_\varepsilon^2 - 1}4
#    + \frac1{m-1} \Bigl[ \bigl(1 - \tfrac1k\bigr)(n - f(d)) + \tfrac1k \sum_{d' \ne d} f(d')^2 \Bigr]. $$
# ```
#
# The first term is the price of privacy, the second that of hashing. Pan {cite:p}`pan2024count` (we read the abstract) corrected expectation and
# variance of the sketch as first published, and showed that pairwise independence is enough for his version of it and that
# some randomness is necessary. What stands here beside it is the form for one fixed family, the word *three*, and
# the check of both by complete enumeration.
#
# Why three? Whether $d'$ meets $d$ depends on two hash values, whether $d'$ and $d''$ *both* meet it on three. If all
# three are independent the two meetings are uncorrelated; if only two at a time are, they need not be. A popular
# family shows it: $h(x) = ux + b$ modulo a prime, with $u$ and $b$ drawn uniformly. For a prime of 3 and three items:

# %%
affine = [
    [((u * x + b) % 3,) for x in range(3)] for u, b in product(range(3), repeat=2)
]
of_affine = over(affine, (2, 3, 1), 3)  # counts and m
of_all = over(all_families(3, 3, 1), (2, 3, 1), 3)

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"family": ["$ux + b$ modulo 3", "all functions"], "functions": [len(affine), 27],
     "mean": [of_affine[0], of_all[0]], "variance": [of_affine[1], of_all[1]]},
    caption="Counts (2, 3, 1), k = 1, m = 3: the estimate of the first item.",
)  # fmt: skip

# %% [markdown]
# Any two of the three hash values are uniform and independent, so the mean is right. But $u = 0$ sends all items to one value,
# and $u \ne 0$ keeps all apart: who meets one meets all, and the variance is larger. (The family of this package,
# tabulation, is three-wise independent.)

# %% jupyter={"source_hidden": true} tags=["evidence"]
theorem = F**2 * n_s * (c_s**2 - 1) / 4
theorem += ((1 - 1 / k_s) * (n_s - f_s) + S / k_s) / (m_s - 1)


def formula_of(f, m, k):
    """The theorem's variance at e^ε = 9, where c = 2."""
    squares = sum(x * x for x in f[1:])
    values = {f_s: f[0], n_s: sum(f), m_s: m, k_s: k, c_s: 2, S: squares}
    return Fraction(str(theorem.subs(values)))


def fixed_of(family, f, m):
    """The theorem for one family, at e^ε = 9."""
    k, scale = len(family[0]), Fraction(m, m - 1)
    meet = [Fraction(sum(map(int.__eq__, h, family[0])), k) for h in family]
    mean = scale * (sum(x * y for x, y in zip(f, meet)) - Fraction(sum(f), m))
    loose = sum(x * y * (1 - y) for x, y in zip(f, meet))
    return mean, scale**2 * (sum(f) * Fraction(3, 4) + loose)


with claim("S-B1") as c:
    label = "one report, given the family: variance"
    end = (c_s**2 - 1) / 4 + A * (1 - A)
    start = c_s**2 / 4 * (1 - ((2 * A - 1) / c_s) ** 2)
    c.decisive("proved").derived(spread, start, end, label)
    in_nu = theorem.subs(c_s, sp.sqrt(4 * nu + 1))
    label = "random family, by the law of total variance"
    c.decisive("proved").derived(variance, within + between, in_nu, label)
    by_listing = [(mean, total) for _, mean, total in listed.values()]
    by_formula = [(Fraction(f[0]), formula_of(f, m, k)) for f, m, k in small_cases]
    c.exact(by_listing, by_formula, "three small worlds: all families and reports")
    f, m, k = small_cases[1]
    every, _, _ = listed[f, m, k]
    pairs = [exact_moments(family, f, m, Fraction(3, 4)) for family in every]
    one_by_one = [fixed_of(family, f, m) for family in every]
    c.exact(pairs, one_by_one, f"each of {len(every)} fixed families of the second")
    label = "values only pairwise independent, $ux + b$ modulo 3: the variance"
    c.limit(formula_of((2, 3, 1), 3, 1), of_affine[1], label)
    share_s, rest = sp.symbols("s R", positive=True)
    grown = theorem.subs({f_s: share_s * n_s, S: rest * n_s**2}) / n_s**2
    kept_share = sp.limit(grown, n_s, sp.oo)
    collisions = rest / (k_s * (m_s - 1))
    label = "n → ∞ with S = R n²: what is left of the variance over n²"
    c.decisive("proved").exact(sp.simplify(kept_share - collisions), sp.S.Zero, label)

# %% [markdown]
# ## Fifty thousand clicks
#
# Now real counts. The paper's experiments use 43 models of a web shop
# {cite:p}`uci553eshop,lapczynski2013eshop`. The records are clicks (the paper says purchases), and one visitor makes
# several. Send one report for each click, at
# the paper's defaults $\varepsilon = 1$, $m = 128$, $k = 1024$.

# %%
counts = shop_counts()  # model -> clicks
cms = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)
clicks = np.repeat(list(counts), list(counts.values()))
reports = cms.privatize(clicks, np.random.default_rng(7))
estimates = cms.aggregate(reports).estimate(list(counts))
sd = np.sqrt(cms.variances(counts))  # exact, by the theorem

# %% jupyter={"source_hidden": true} tags=["set-up"]
items, true = list(counts), np.array(list(counts.values()))
n = int(true.sum())
within_two = int(np.sum(np.abs(estimates - true) < 2 * sd))
shown_sd = float(sd.mean())
chosen = (1, 10, 0, 20, 18)
table(
    {"item": [items[i] for i in chosen],
     "estimate": [float(estimates[i]) for i in chosen],
     "true, clicks": [int(true[i]) for i in chosen],
     "error / sd": [float((estimates[i] - true[i]) / sd[i]) for i in chosen]},
    formats={"estimate": ".0f", "error / sd": "+.2f"},
    difference=("estimate", "true, clicks"),
    caption="Five of the 43 models, from one report a click.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What 49,742 noisy reports say about 43 items (\u03b5 = 1, m = 128, k = 1024), sorted by size. Bars: true counts. Dots: estimates from one report a click, with one exact standard deviation, 446 clicks for all items alike.", "name": "fig-sk-01-counts"}, "image": {"alt": "Bars falling from 3013 to 246 clicks over 43 items. Dots with error bars of 446 scatter around the tops of the bars; a few of the smallest items are estimated below zero."}} tags=["figure"]
assert (n, len(items), true.max(), true.min()) == (49_742, 43, 3013, 246)
assert (round(sd.min()), round(sd.max())) == (446, 446)
order = np.argsort(-true)
assert 1 <= np.sum(estimates < 0) <= 6 and np.all(estimates[order[:20]] > 0)
fig, ax = plots.panels(height=3.2, width=8.5)
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
# The popular items stand out; the small ones drown in the noise, which is the same for all, 446<!-- {shown_sd:.0f} -->
# clicks. Of the 43 estimates 42<!-- {within_two} --> lie within two standard deviations. One run proves
# little, so we repeat it with a new hash family each time, for this sketch and for a tiny one, $k = 4$ and $m = 16$, in
# which collisions matter.

# %% jupyter={"source_hidden": true} tags=["evidence"]
rng = np.random.default_rng(8)


def repeat(k, m, runs):
    """Errors of the 43 estimates and exact variances, one random family a run."""
    errors = np.empty((runs, 43))
    for seed in range(runs):
        scheme = CountMeanSketch(1.0, hashes=k, width=m, seed=seed)
        errors[seed] = scheme.simulate(counts, rng).estimate(items) - true
    return errors, scheme.variances(counts)


runs = {(1024, 128): repeat(1024, 128, 40), (4, 16): repeat(4, 16, 400)}
quotients = {size: np.mean(e**2 / v, axis=1) for size, (e, v) in runs.items()}
values = {m_s: 128, k_s: 1024, c_s: (sp.exp(0.5) + 1) / (sp.exp(0.5) - 1)}
by_theorem = sp.lambdify((f_s, n_s, S), theorem.subs(values))
squares = np.sum(true**2) - true**2
assert np.allclose(cms.variances(counts), by_theorem(true, n, squares), rtol=1e-9)
for z in quotients.values():
    assert abs(z.mean() - 1) < 4 * z.std() / math.sqrt(z.size)
table(
    {"k": [k for k, _ in quotients], "m": [m for _, m in quotients],
     "runs": [z.size for z in quotients.values()],
     "squared error / variance": [float(z.mean()) for z in quotients.values()],
     "standard error": [float(z.std() / z.size**0.5) for z in quotients.values()]},
    formats={"squared error / variance": ".3f", "standard error": ".3f"},
    caption="Mean over 43 items and all runs; 1 if the theorem is right.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("S-2.15") as c:
    start = F * (f_s + (n_s - f_s) / m_s - n_s / m_s)
    label = "any n, m, f and pairwise independent values: the mean is f"
    c.decisive("proved").derived(unbiased, start, f_s, label)
    means = [mean for _, mean, _ in listed.values()]
    counted = [Fraction(f[0]) for f, _, _ in small_cases]
    c.exact(means, counted, "three small worlds: all families and reports")
    errors, variances = runs[1024, 128]
    stderr = np.sqrt(variances / len(errors))
    c.sampled(errors.mean(axis=0), 0.0, "43 items, mean of 40 runs", stderr=stderr)
    label = "the family of the reports as printed in Example 2: the mean for 2 men"
    c.limit(Fraction(held.count("male")), ours_f["male"], label)
with claim("S-2.16") as c:
    drawn_sketch = cms.simulate(counts, rng)
    entries = drawn_sketch.matrix[np.arange(1024), cms.family.positions(items)]
    by_mean = 128 / 127 * (entries.mean(axis=1) - n / 128)
    label = "43 items: mean of 1,024 entries, and the package"
    by_package = drawn_sketch.estimate(items)
    c.decisive("sampled").close(by_package, by_mean, label, rtol=1e-9)
    by_hand = read([[3, 1], [5, 1]], (0, 0), n=4)
    c.exact(by_hand, Fraction(4), "by hand: entries 3 and 5, n = 4, m = 2")
with claim("S-6.2") as c:
    found = [shop_counts(rule) for rule in ("category", "letter")]
    told = [(len(one), one["A2"]) for one in found]
    label = "items, and records of A2; by category, by letter"
    c.exact(told, [(43, 3013)] * 2, label)

# %% [markdown]
# ## What remains with a million reports?
#
# The standard deviation of the coins grows like $\sqrt n$ and is outrun by the counts. That of the collisions grows like
# $n$: a family that makes two popular items meet makes them
# meet every day. Multiply the shop's clicks.

# %% jupyter={"source_hidden": true} tags=["set-up"]
growth = (1, 10, 100, 1000, 10_000)
flips, hashing = [], []
for times in growth:
    grown = {item: times * count for item, count in counts.items()}
    flips.append(cms.factor**2 * times * n * (cms.debias_factor**2 - 1) / 4)
    hashing.append(cms.variance(grown, "A2") - flips[-1])
totals = [times * n for times in growth]
shares_of = [
    [100 * math.sqrt(x) / t for x, t in zip(v, totals)] for v in (flips, hashing)
]
assert [x > y for x, y in zip(flips, hashing)] == [True, True, True, False, False]
table(
    {"reports": [f"{t:,d}" for t in totals], "sd of the coins, % of n": shares_of[0],
     "sd of the collisions, % of n": shares_of[1]},
    formats={"sd of the coins, % of n": ".4f", "sd of the collisions, % of n": ".4f"},
    caption="Two sources of error in the estimate of A2.",
)  # fmt: skip


# %% [markdown]
# For one shop hashing costs nothing to speak of. With 50 million reports it costs more than privacy does, as long
# as the family stays the same.
#
# ## Misprints
#
# Example 1 sends "$\tilde v$ to the server" and forgets the row; Example 3 sends it. Table 1 has ten symbols. The number
# $n$ of honest users is not among them, and the share $\beta$ needs a base:
# of all users, as the tables of the attacks show. Section 4.1 counts hash values from 0 once, all examples of
# section 2 from 1; and for the Hadamard sketch of the [next notebook](02-hadamard.ipynb) it writes $Z_j^{(i)}$ for what a
# report adds to row $\ell$, where its own formulas have $Z_\ell^{(i)}$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def check_symbols(c):
    symbols = ["D", "ε", "H", "k", "m", "n'", "β", "T", "t", "r"]
    label = "Table 1 has no symbol for the number of honest users"
    c.fails(symbols.count("n") == 1, label)
    beta = Fraction(1, 100)
    of_all, of_honest = math.floor(n * beta / (1 - beta)), math.floor(n * beta)
    per_fake = 128 / 127 * ((cms.debias_factor + 1) / 2 - 1 / 128) / 100
    label = "Table 4 prints 12.82: β of all users"
    c.decisive("one example").close(of_all * per_fake, 12.82, label, rtol=0, atol=0.005)
    label = "β of the honest users would give less"
    c.holds(of_honest * per_fake < 12.815, label, method="numeric")


def check_index(c):
    c.fails(0 in range(1, 3), "section 4.1 has h_j = 0, but [2] = {1, 2}")
    c.decisive("one example").exact(encode(1 - 1, 2), [1, -1], "its (1, −1) is h_j = 1")
    c.exact(encode(2 - 1, 2), [-1, 1], "as in Example 1, h_3 = 2")


def check_inputs(c):
    other = {d: law(three[d], 4, Fraction(2, 3)) for d in "ab"}  # e^ε = 4
    c.fails(other["a"] == laws["a"], "d alone does not fix the law: e^ε = 4 and 9")
    ratio = max(other["a"][z] / other["b"][z] for z in other["a"])
    c.exact(ratio, Fraction(4), "with d and ε given: level e^ε = 4")


def check_columns(c):
    mean = mean_vector((3, 2), 4, Fraction(3, 4))  # one user, k = 2, m = 4
    first_two = sum(sum(row[:2]) for row in mean)
    c.differs(first_two, Fraction(2), "k = 2, m = 4: columns 1 to k, of 2 in all")
    c.exact(sum(map(sum, mean)), Fraction(2), "columns 1 to m hold")


def check_row_is_sent(c):
    # the report v = (−1, 1) of Example 1, filed in each of the four rows
    filed = [silent.aggregate(silent.pack([j], [[-1, 1]])) for j in range(4)]
    read_off = [round(float(one.estimate("male")[0])) for one in filed]
    label = f"filed in rows 1 to 4, it says {read_off} for male"
    c.fails(len(set(read_off)) == 1, label)
    x = 4 * Fraction(1 + 1, 2)  # k(v/2 + 1/2) at the second place, 0 at the first
    by_hand = [2 * (x * (h == 1) / 4 - half_one) for h in (0, 0, 1, 0)]
    c.exact([Fraction(y) for y in read_off], [Fraction(str(y)) for y in by_hand],
            "with the row: the estimate by hand, and by the package")  # fmt: skip


rows = [
    ("S-1.10", r"$n', \beta$, no $n$", r"$n$; $\beta = n'/(n + n')$", check_symbols),
    ("S-idx", "$h_j = 0$ in section 4.1", "$h_j = 1$", check_index),
    ("S-2.1", "inputs of $M$ garbled", r"$d$ and $\varepsilon$", check_inputs),
    ("S-2.8b", r"$\tilde v$ is sent", r"$(\tilde v, j)$ is sent", check_row_is_sent),
    (
        "S-2.14",
        r"$\tilde x_{\ell^{(i)}}$, $\ell \in [k]$",
        r"$\tilde x^{(i)}_\ell$, $[m]$",
        check_columns,
    ),
]
records = misprints(rows)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} A report every day
# :label: ex-sk-01-many
# ```
# **Warm-up.** A user answers every day at $\varepsilon = 1$, always about the same item, with fresh noise. How
# sure may the server be after 7 days, starting from an even guess between two items? Which probability can the other item have
# left, at least?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-01-many", ...)

# %% [markdown]
# ```{solution-start} ex-sk-01-many
# :class: dropdown
# ```
# Likelihood ratios multiply: the bound is $e^{7}/(1 + e^{7}) = 0.999$, and a week of the most telling report reaches it.
# The other item keeps at least $1/(1 + e^{7}) = 0.00091$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
after_a_week = float(posterior(math.exp(7), 1))
assert round(after_a_week, 3) == 0.999
most = max(laws["a"], key=lambda z: laws["a"][z] / laws["b"][z])
assert (laws["a"][most] / laws["b"][most]) ** 7 == 9**7  # e^ε = 9: level 7ε
check("sk-01-many", 1 - after_a_week)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many reports it takes
# :label: ex-sk-01-users
# ```
# **Standard.** Let $m = 128$. How many reports does it take to find an item of 5 % of them with a relative standard
# deviation of 10 % at $\varepsilon = 1$? And at $\varepsilon = 0.1$? Use the noise term alone. How does the number grow as
# $\varepsilon \to 0$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-01-users", ...)

# %% [markdown]
# ```{solution-start} ex-sk-01-users
# :class: dropdown
# ```
# From $F^2 n (c_\varepsilon^2 - 1)/4 = (0.1 \cdot 0.05\, n)^2$ with $F = 128/127$ follows $n = 159{,}185$ at $\varepsilon = 1$
# and 16.2 million at $\varepsilon = 0.1$. Since $(c_\varepsilon^2-1)/4 =
# a/(a-1)^2$ with $a = e^{\varepsilon/2}$, it grows like $4/\varepsilon^2$: half the $\varepsilon$ needs four
# times the reports.

# %% jupyter={"source_hidden": true} tags=["evidence"]
coin_term = (c_printed**2 - 1) / 4
assert sp.simplify(coin_term - a / (a - 1) ** 2) == 0
needed = {}
for level_of in (1.0, 0.1):
    s = CountMeanSketch(level_of, hashes=1024, width=128, seed=0)
    needed[level_of] = s.factor**2 * (s.debias_factor**2 - 1) / 4 / (0.1 * 0.05) ** 2
    crowd = {"item": round(0.05 * needed[level_of])}
    crowd |= {f"other {i}": round(0.01 * needed[level_of]) for i in range(95)}
    assert abs(s.variance(crowd, "item") ** 0.5 / crowd["item"] - 0.1) < 0.002
assert round(needed[1.0]) == 159_185 and round(needed[0.1] / 1e6, 1) == 16.2
assert sp.limit(eps**2 * coin_term.subs(a, sp.exp(eps / 2)), eps, 0) == 4
check("sk-01-users", (needed[1.0], needed[0.1]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} A bias that can be solved for
# :label: ex-sk-01-solve
# ```
# **Research.** The server knows the family and all 43 items, so it knows all collision shares. Use them to remove
# the bias of a fixed family. Does it pay at 50,000 clicks? At 500 million? Say that it pays if the root mean square
# error over the items falls by more than a tenth.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-01-solve", ...)

# %% [markdown]
# ```{solution-start} ex-sk-01-solve
# :class: dropdown
# ```
# Let $y(d) = \frac1k \sum_j M_{j,h_j(d)}$. Its mean is $\sum_{d'} A_{dd'} f(d')$, so $\hat f = A^{-1} y$ is
# unbiased for every family with invertible $A$; for the printed reports of Example 2, $A$ is the identity and $\hat f = (2, 2)$. The
# noise hides the gain at 50,000; at 500 million it is large. The price: an item that is not on the list falsifies
# the rest.

# %% jupyter={"source_hidden": true} tags=["evidence"]
positions = cms.family.positions(items)
meeting = np.mean(positions[:, None] == positions, axis=2)  # A
rmse = {}
for times in (1, 10_000):
    grown = {item: times * count for item, count in counts.items()}
    errors = np.empty((2, 40, 43))
    for run in range(40):
        one = cms.simulate(grown, rng)
        y = one.matrix[np.arange(1024), positions].mean(axis=1)
        errors[0, run] = one.estimate(items) - times * true
        errors[1, run] = np.linalg.solve(meeting, y) - times * true
    rmse[times] = np.sqrt(np.mean(errors**2, axis=(1, 2)))
assert 0.9 < rmse[1][1] / rmse[1][0] < 1.1
assert rmse[10_000][1] < 0.4 * rmse[10_000][0]
assert [sum(row[h] for row in ours_m) / 2 for h in (0, 1)] == [2, 2]  # Example 2
falls = [solved < 0.9 * plain for plain, solved in rmse.values()]
check("sk-01-solve", ["yes" if fall else "no" for fall in falls])
table(
    {"reports": [f"{times * n:,d}" for times in rmse],
     "estimator": [float(x) for x, _ in rmse.values()],
     "solved": [float(x) for _, x in rmse.values()]},
    formats={"estimator": ",.0f", "solved": ",.0f"},
    caption="Root mean square error over 43 items and 40 runs, in reports.",
)  # fmt: skip

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Local differential privacy bounds what one report can say: at $\varepsilon = 1$ an even guess becomes
#   0.731<!-- {prior_2:.3f} --> at most. CMS keeps it exactly, with $\varepsilon/2$ for each of two signs.
# - De-noising is right on average over the coins, and the estimator on average over the hash families, for which pairwise
#   independence is enough. For one family
#   collisions leave a bias: two men and two women may be estimated as 0 and 0.
# - The variance is known exactly: $F^2 n (c_\varepsilon^2-1)/4$ for privacy, the same for all items
#   (446<!-- {shown_sd:.0f} --> clicks, one standard deviation, of 49,742<!-- {n:,d} --> in all), and a term for hashing
#   that a larger crowd does not remove.
# - The promise is for one report. A click is one report, and a visitor clicks more than once.
#
# **Further reading.** The sketch: {cite:p}`apple2017learning`; its published moments, corrected: {cite:p}`pan2024count`. Randomised response,
# where it began: {cite:p}`warner1965randomized`. The local model: {cite:p}`duchi2013local`. The paper: {cite:p}`shimizu`.
# **Next:** [can one bit do the work of a whole vector?](02-hadamard.ipynb)
