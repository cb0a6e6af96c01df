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
# In the Count Mean Sketch every user sends a vector of 128 noisy signs. In its Hadamard variant every
# user sends *one* noisy sign, picked at random, and the server still recovers all counts. What is the
# price of the other 127? It is smaller than one would think, it is not quite the one that the paper names,
# and it is paid for everybody's items but one's own.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how the Hadamard Count Mean Sketch (HCMS) gets by with one sign, which matrix and which
# constant its estimator needs, its exact variance, for which items it is less accurate than CMS, and why care in
# picking the sign does not repair that where every item is rare.
# **You need** CMS, its estimator and its variance from [notebook 1](01-count-mean-sketch.ipynb).
# **Time:** 30 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** two items that one user may hold. **The attacker** is the server: it knows the hash
# functions, the Hadamard matrix and $\varepsilon$, and sees the user's one report. **Protected:** which item
# the user holds, up to a factor $e^{\varepsilon}$. **Not protected:** what many reports of the same user
# reveal together ([*What do many reports tell about one visitor?*](../research/sketch-what-many-reports-tell.ipynb)); the counts against users who do not follow the protocol
# ([notebook 3](03-poisoning.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
import math
from fractions import Fraction
from itertools import permutations, product

import matplotlib.pyplot as plt
import numpy as np
import sympy as sp
from scipy.linalg import hadamard as scipy_hadamard

from privlib.notebook import claim, derivation, increasing, misprints, plots, table
from privlib.sketch import CountMeanSketch, HadamardCountMeanSketch, Sketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hadamard import hadamard_matrix
from privlib.sketch.hashing import ExplicitFamily

plots.use()
defaults = {"hashes": 1024, "width": 128, "seed": 2024}  # k, m
hcms = HadamardCountMeanSketch(1.0, **defaults)
cms = CountMeanSketch(1.0, **defaults)
counts = shop_counts()  # clicks on the 43 models of the paper's data
items, true = list(counts), np.array(list(counts.values()))
n = int(true.sum())
zero, one = sp.Integer(0), sp.Integer(1)
keep, flip = Fraction(9, 10), Fraction(1, 10)  # HCMS at e^ε = 9


# %% [markdown]
# The text counts rows, columns and hash values from 1, as the paper does, and the code from 0. *User* means, as
# in the paper, whoever sends one report.
#
# ## How long is a report?
#
# A CMS report is a hash number $j$ and $m$ signs. The paper's section 5 introduces HCMS because this
# grows with $m$. An HCMS report is a hash number, a column number $\ell$ and one sign. So there are $k\, 2^m$ different
# reports of the one kind and $2km$ of the other, and the logarithm of their number is their length in bits.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def report_bits(m, k=1024):
    """Bits of one report as the package packs it: CMS, HCMS."""
    schemes = (CountMeanSketch, HadamardCountMeanSketch)
    return [s(1.0, hashes=k, width=m, seed=0).report_bits for s in schemes]


widths = [2, 64, 128, 256, 512, 1024]
bits = {m: report_bits(m) for m in widths}
long, short = (dict(zip(widths, column)) for column in zip(*bits.values()))
cms_bits = long[128]
hcms_bits = short[128]
table(
    {"m": widths, "CMS (bits)": [*long.values()], "HCMS (bits)": [*short.values()]},
    caption="Length of a report with k = 1024 hash functions.",
)

# %% [markdown]
# At the paper's default $m = 128$ that is 18<!-- {hcms_bits} --> bits instead of
# 138<!-- {cms_bits} -->. At $m = 2$, as in the paper's examples, nothing is saved; from $m = 4$ on HCMS is
# shorter, since

# %% jupyter={"source_hidden": true} tags=["evidence"]
m_s, k_s = sp.symbols("m k", positive=True)
wide = sp.Symbol("m", positive=True)
shorter = derivation(
    1 + sp.log(wide) / sp.log(2), of=r"1 + \log_2 m"
).at_most(wide, "both grow, $m$ faster", by=increasing(wide, 4))  # fmt: skip
shorter


# %% jupyter={"source_hidden": true} tags=["evidence"]
def count_reports(m, k):
    """How many different reports there are, by listing them: CMS, HCMS."""
    signs = len(list(product((-1, 1), repeat=m)))
    return k * signs, len(list(product(range(k), range(m), (-1, 1))))


small_sizes = list(product((2, 4, 8), (1, 2, 16)))  # m, k
listed_bits = [[math.log2(c) for c in count_reports(m, k)] for m, k in small_sizes]
packed_bits = [report_bits(m, k) for m, k in small_sizes]
with claim("S-3.2") as c:
    payload = [total - 10 for total in long.values()]
    label = "six widths: the bits beyond the 10 of the row number"
    c.decisive("sampled").exact(payload, widths, label)
    c.close(packed_bits, listed_bits, "nine small sizes: all reports listed")
with claim("S-3.3") as c:
    label = "every m from 4 on, powers of two: 1 + log2 m against m, besides log2 k"
    bound = 1 + sp.log(wide) / sp.log(2)
    c.decisive("proved").derived(shorter, bound, wide, label)
    assert shorter.steps[0].reason.endswith(r"$m \ge 4$")
    by_count = [round(math.log2(2 * 1024 * m)) for m in widths]
    c.exact([*short.values()], by_count, "six widths: log2 of the number of reports")
    order = "shorter" if short[2] < long[2] else "as long"
    c.limit("shorter", order, "m = 2, as in Example 3: an HCMS report")
with claim("S-5.1") as c:
    steps = np.diff([list(pair) for pair in bits.values()], axis=0)[1:]
    label = "doubling m from 64 on: m more bits for CMS, one for HCMS"
    c.decisive("sampled").exact(steps, np.array([[m, 1] for m in widths[1:-1]]), label)

# %% [markdown]
# The paper's Figure 3 turns bits into time at $B = 10^9$ bit/s. Its formula is $m/B$; our copy of the paper has no pictures,
# so here is what the formula draws for CMS, with and without the row number, and what an HCMS report takes.

# %% jupyter={"source_hidden": true} tags=["evidence"]
rate = Fraction(1)  # bits a nanosecond, 10⁹ bit/s
time_cms, time_hcms = (
    {m: Fraction(b) / rate for m, b in s.items()} for s in (long, short)
)
by_paper = {m: Fraction(m) / rate for m in widths}  # m/B in nanoseconds
with claim("S-5.2") as c:
    rest = {time_cms[m] - by_paper[m] for m in widths}
    ten = {Fraction(round(math.log2(1024)))}
    label = "CMS in ns: m/B and 10 more for the row number"
    c.decisive("sampled").exact(rest, ten, label)
    label = "HCMS at the defaults, in ns: m/B"
    c.limit(by_paper[128], time_hcms[128], label)
with claim("S-5.3") as c:
    c.source_incomplete("The picture of Figure 3.")
    by_listing = [math.log2(x) for m in (4, 8) for x in count_reports(m, 1024)]
    packed = [x for m in (4, 8) for x in report_bits(m)]
    c.close(packed, by_listing, "both curves, at m = 4 and 8: all reports listed")
    drawn = [[time_cms[m], time_hcms[m]] for m in widths]
    by_formula = [[m + 10, 11 + m.bit_length() - 1] for m in widths]
    label = "both curves, in ns: m and 10, 11 and log2 m"
    c.exact(drawn, by_formula, label)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Figure 3 of the paper, rebuilt from its formula and the lengths above (k = 1024, 10\u2079 bit/s). At m = 128 a CMS report takes 138 ns and an HCMS report 18 ns.", "name": "fig-sk-02-time"}, "image": {"alt": "Transmission time in nanoseconds against m from 64 to 1024, logarithmic axes. Two nearly equal lines for CMS rise with m from about 70 to about 1000; the line of HCMS stays near 20."}} tags=["figure"]
fig, ax = plots.panels(height=3.0, width=5.6)
xs = widths[1:]
ax.plot(xs, [time_cms[m] for m in xs], "o-", label="CMS")
ax.plot(xs, [by_paper[m] for m in xs], "--", label="m/B, as the paper has it")
ax.plot(xs, [time_hcms[m] for m in xs], "s-", label="HCMS")
ax.set(xscale="log", yscale="log", xlabel="hash range m", ylabel="time (ns)")
ax.set_xticks(xs, [str(m) for m in xs])
ax.minorticks_off()
ax.set_yticks([10, 100, 1000], ["10", "100", "1000"])
ax.legend()
assert (time_cms[128], time_hcms[128]) == (138, 18)
plt.show()


# %% [markdown]
# Either takes nanoseconds, less than the header of the packet that carries it. The short report will matter in
# [notebook 5](05-oblivious-transfer.ipynb), where every bit costs public-key cryptography. How can one sign stand for
# the whole vector?
#
# ## One coordinate of a code word
#
# ```{prf:algorithm} Hadamard Count Mean Sketch, user's side (section 3)
# :label: def-sk-02-hcms
# **Input:** an item $d$; hash functions $h_1, \dots, h_k$ into $[m]$ with $m$ a power of two; the Hadamard
# matrix $H_m$ (アダマール行列), all of them public; $\varepsilon$.
# 1. Draw $j \in [k]$ uniformly. Let $v$ be 1 at position $h_j(d)$ and 0 elsewhere, and $w = H_m v$.
# 2. Draw $\ell \in [m]$ uniformly and keep only the sign $w_\ell$.
# 3. Perturbation (摂動): with probability $p = e^{\varepsilon} / (1 + e^{\varepsilon})$ let
#    $\tilde w = w_\ell$, otherwise $\tilde w = -w_\ell$.
# 4. Send $(\tilde w, j, \ell)$.
# ```
#
# ```{prf:definition} Hadamard matrix (section 3)
# :label: def-sk-02-hadamard
# $$ H_1 = (1), \qquad
#    H_m = \begin{pmatrix} H_{m/2} & H_{m/2} \\ H_{m/2} & -H_{m/2} \end{pmatrix}. $$
# ```
#
# (The paper's recursion starts from a column of two; see *Misprints* at the end.) What makes this matrix the right one is that its
# columns are orthogonal. Doubling keeps them so: with $A = H_{m/2}$ and $A^{\mathsf T} A = \frac m2 I$,
#
# $$ H_m^{\mathsf T} H_m
#    = \begin{pmatrix} A^{\mathsf T} A + A^{\mathsf T} A & A^{\mathsf T} A - A^{\mathsf T} A \\
#      A^{\mathsf T} A - A^{\mathsf T} A & A^{\mathsf T} A + A^{\mathsf T} A \end{pmatrix}
#    = \begin{pmatrix} m I & 0 \\ 0 & m I \end{pmatrix}. $$

# %% jupyter={"source_hidden": true} tags=["evidence"]
def recursion(start, doublings):
    """Sylvester's recursion from a given start."""
    matrix = np.array(start)
    for _ in range(doublings):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


N = sp.Symbol("N", integer=True, positive=True)
A_half = sp.MatrixSymbol("A", N, N)  # H_{m/2}
doubled = sp.BlockMatrix([[A_half, A_half], [A_half, -A_half]])
gram = sp.block_collapse(doubled.T * doubled)
blocks = [gram.blocks[i, j] for i, j in np.ndindex(2, 2)]
with claim("S-3.7") as c:
    twice, empty = 2 * A_half.T * A_half, sp.ZeroMatrix(N, N)
    label = "any order: doubling keeps columns orthogonal"
    c.decisive("proved").exact(blocks, [twice, empty, empty, twice], label)
    orders = [2**s for s in range(1, 9)]
    ours = [recursion([[1]], s).tolist() for s in range(1, 9)]
    by_scipy = [scipy_hadamard(m).tolist() for m in orders]
    by_parity = [hadamard_matrix(m).astype(int).tolist() for m in orders]
    c.exact(ours, by_scipy, "orders 2 to 256: the recursion, scipy")
    c.exact(by_parity, by_scipy, "the package, by parities of common bits, scipy")

# %% [markdown]
# So each hash value has a *code word* of $m$ signs, its column; any two code words agree in exactly half of
# their signs; and a user sends one sign of one word. Here are three users with the same item.

# %%
reports = hcms.privatize(["A2"] * 3, np.random.default_rng(7))
for row, column, sign in zip(*hcms.unpack(reports)):
    print(f"hash function {row}, coordinate {column}, sign {sign:+d}")

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("S-3.5") as c:
    sure = HadamardCountMeanSketch(math.inf, **defaults)
    quiet = sure.privatize(["A2"] * 200_000, np.random.default_rng(1))
    rows, columns, signs = (part.astype(int) for part in sure.unpack(quiet))
    words = scipy_hadamard(128)[:, sure.family.positions(["A2"])[0]]
    label = "ε = ∞: every report is H[ℓ, h_j(d)], by scipy"
    c.exact(signs, words[columns, rows], label)
    for drawn, size in ((rows, 1024), (columns, 128)):
        load, share = np.bincount(drawn, minlength=size), 1 / size
        stderr = math.sqrt(drawn.size * share * (1 - share))
        label = f"{size} values, uniform"
        c.decisive().sampled(load, drawn.size * share, label, stderr=stderr)


# %% [markdown]
# ## Is one noisy sign private?
#
# The pair $(j, \ell)$ is drawn without a look at the item. The sign is all that depends on it, and two items either agree in
# that sign, or one of them sends it with probability $p$ and the other with $q = 1 - p$. Their ratio is
# $p/q = e^{\varepsilon}$. To be sure, list all reports with their exact probabilities: three items, two hash
# functions into four columns, $e^{\varepsilon} = 9$, hence $p = \frac9{10}$.

# %%
def law(hashes, m, keep):
    """Probability of each report (j, l, sign) for an item with these hash values."""
    H, k = hadamard_matrix(m).tolist(), len(hashes)
    return {
        (j, ell, s): (keep if s == H[ell][hashes[j]] else 1 - keep) / (k * m)
        for j, ell, s in product(range(k), range(m), (1, -1))
    }


three = {"a": (0, 3), "b": (1, 3), "c": (2, 2)}
laws = {item: law(hashes, 4, keep) for item, hashes in three.items()}

# %% jupyter={"source_hidden": true} tags=["set-up"]
couples = [("a", "b"), ("a", "c"), ("b", "c")]
compared = {
    (d, e): [max(laws[d][z] / laws[e][z], laws[e][z] / laws[d][z]) for z in laws[d]]
    for d, e in couples
}
table(
    {"items": [f"{d} and {e}" for d, e in couples],
     "largest ratio": [max(found) for found in compared.values()],
     "reports that tell them apart": [
         sum(x != 1 for x in found) for found in compared.values()
     ]},
    caption="All 16 reports, $e^ε = 9$.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
a = sp.Symbol("a", positive=True)  # e^(ε/2)
p, q = a**2 / (1 + a**2), 1 / (1 + a**2)
level = sp.Symbol("epsilon", positive=True)
p_printed = sp.exp(level) / (1 + sp.exp(level))
q_printed = 1 / (1 + sp.exp(level))
with claim("S-3.12") as c:
    share = sp.Symbol("x", positive=True)
    (only,) = sp.solve(sp.Eq(share / (1 - share), sp.exp(level)), share)
    kept = (sp.simplify(only - p_printed), sp.simplify(1 - only - q_printed))
    label = "the only p with p/(1 − p) = e^ε, and q = 1 − p"
    c.decisive("proved").exact(kept, (zero, zero), label)
    at_one = [float(chance.subs(level, 1)) for chance in (p_printed, q_printed)]
    c.close([hcms.keep, hcms.flip], at_one, "ε = 1: the package", rtol=1e-12)
with claim("S-3.13") as c:
    of_signs = {(x, y): (p if x == y else q) for x, y in product((1, -1), repeat=2)}
    cases = {
        sp.cancel(of_signs[s, w] / of_signs[s, x]).subs(a, sp.exp(level / 2))
        for s, w, x in product((1, -1), repeat=3)
    }
    label = "any ε, m, k: the ratio of two reports' chances, all cases"
    c.decisive("proved").exact(cases, {sp.exp(level), one, sp.exp(-level)}, label)
    worst = [max(found) for found in compared.values()]
    c.exact(worst, [Fraction(9)] * 3, "16 reports, three pairs of items: at most e^ε")
    nine = HadamardCountMeanSketch.with_family(
        math.log(9), ExplicitFamily(three, width=4)
    )
    many = nine.privatize(["b"] * 100_000, np.random.default_rng(2))
    j, ell, s = (part.astype(int) for part in nine.unpack(many))
    drawn = np.bincount(8 * j + 2 * ell + (s < 0), minlength=16) / 100_000
    exact = np.array([float(chance) for chance in laws["b"].values()])
    stderr = np.sqrt(exact * (1 - exact) / 100_000)
    c.sampled(drawn, exact, "drawn by the package: 16 reports of b", stderr=stderr)

# %% [markdown]
# The level $\varepsilon$ is reached as soon as two items have different hash values in one row: their code words
# differ in half of the coordinates. CMS must split its $\varepsilon$ between the two signs in which two vectors
# differ, $\varepsilon/2$ each. HCMS spends all of it on one sign. Keep that in mind.
#
# ## Which matrix does the server read?
#
# The server adds $\tilde x = k\, c_\varepsilon \tilde w$ to cell $(j, \ell)$ of a $k \times m$ sketch matrix
# $M$, applies the Hadamard matrix, normalises (正規化), and uses the estimator of CMS. Which entries does that
# estimator read: those of $M$, of $M H_m^{-1}$ (so Example 4 calls it), or of $M H_m^{\mathsf T}$ (so Example 4 computes
# it)? A user who reports without noise adds, averaged over $\ell$, the $\ell$-th sign with probability $\frac1m$. In
# column $x$ of $M H_m^{\mathsf T}$ that makes
#
# $$ \frac1m \sum_{\ell} H_{\ell, h}\, H_{x, \ell} = \frac1m \bigl(H_m H_m\bigr)_{x, h}
#    = \begin{cases} 1 & x = h, \\ 0 & \text{otherwise,} \end{cases} $$
#
# for $H_m$ is symmetric and its columns are orthogonal. That is the one-hot vector of the hash value, as in CMS. So the
# average over $\ell$ has divided by $m$ already, and $M H_m^{-1} = \frac1m M H_m^{\mathsf T}$ would divide once more. And since other
# users still meet the entry of $d$ in one of $m$ cases, the rest of the estimator of CMS holds as it stands:

# %% jupyter={"source_hidden": true} tags=["evidence"]
f_s, n_s = sp.symbols("f n", positive=True)
F = m_s / (m_s - 1)
of_d = {f_s: "f(d)"}
unbiased = (
    derivation(
        F * (f_s + (n_s - f_s) / m_s - n_s / m_s), of=r"\operatorname{E} \tilde f(d)",
        names=of_d,
    )
    .equal(f_s, r"$m (1 - \frac1m) = m - 1$")
)  # fmt: skip
unbiased


# %% jupyter={"source_hidden": true} tags=["evidence"]
def exact_moments(family, held, m, *, keep, constant, normal=1):
    """Mean and variance of the first item's estimate, by listing all reports."""
    H, total = hadamard_matrix(m).tolist(), sum(held)
    mean = variance = Fraction(0)
    for hashes, users in zip(family, held):
        first = second = Fraction(0)
        for (j, ell, s), chance in law(hashes, m, keep).items():
            score = constant * s * H[ell][family[0][j]] / normal
            first += chance * score
            second += chance * score**2
        mean += users * first
        variance += users * (second - first**2)
    scale = Fraction(m, m - 1)
    return scale * (mean - Fraction(total, m)), scale**2 * variance


def all_families(items, m, k):
    """Every way to give each item k hash values."""
    return list(product(product(range(m), repeat=k), repeat=items))


def average(held, m, k, **options):
    """Mean estimate of the first item, over all reports and all families."""
    families = all_families(len(held), m, k)
    means = [exact_moments(family, held, m, **options)[0] for family in families]
    return sum(means) / len(families)


small_cases = [((1,), 2, 1), ((3, 1, 1), 2, 2), ((2, 5, 3), 4, 1)]  # counts, m, k
silent = {"keep": Fraction(1), "constant": Fraction(1)}  # ε = ∞
read = {
    (held, m): [average(held, m, k, **silent, normal=x) for x in (1, m)]
    for held, m, k in small_cases
}
with claim("S-3.17") as c:
    mean_rows = []
    for m in (2, 4, 8, 16):
        H = sp.Matrix(scipy_hadamard(m).tolist())
        mean_rows.append(H.T / m * H.T == sp.eye(m))
    c.exact(mean_rows, [True] * 4, "m to 16: mean row of a user in M H^T is one-hot")
    label = "any n, m: with the one-hot means, and n/m as printed"
    whole = F * (f_s + (n_s - f_s) / m_s - n_s / m_s)
    c.decisive("proved").derived(unbiased, whole, f_s, label)
    right = [found[0] for found in read.values()]
    own = [Fraction(held[0]) for held, _ in read]
    label = "three small worlds, all reports and hash families, ε = ∞"
    c.decisive("sampled").exact(right, own, label)
    divided = read[(3, 1, 1), 2][1]
    label = "normalised once more, M H^-1, count 3 of 5, m = 2: mean estimate"
    c.limit(divided, Fraction(3), label)

# %% [markdown]
# Here is the same with 20,000 users and noise. The coordinates look like nothing; multiplied by $H_m^{\mathsf T}$ they fall
# into place.

# %%
held = {"a": 9000, "b": 7000, "c": 4000}
where = {"a": (3,), "b": (10,), "c": (6,)}  # one hash function
lone = ExplicitFamily(where, width=16)
one_row = HadamardCountMeanSketch.with_family(1.0, lone)
sketch = one_row.simulate(held, np.random.default_rng(3))
before, after = sketch.coordinates[0], sketch.matrix[0]
print("read at columns 3, 10 and 6:", after[[3, 10, 6]].round())

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How one-sign votes become counts (k = 1, m = 16, \u03b5 = 1, 20,000 users with three items). Left: the Hadamard matrix; an item is a column (framed, counted from 0), a user sends one noisy sign of it. Middle: what the server has collected, by coordinate. Right: the same after the transform, with the true counts as circles; the shaded band is two standard deviations of the noise.", "name": "fig-sk-02-transform"}, "image": {"alt": "Left: a 16 by 16 pattern of dark and light squares with columns 3, 6 and 10 framed. Middle: 16 bars of irregular height and sign. Right: 16 bars, of which those at 3, 6 and 10 rise to about 9000, 4000 and 7000 and the others stay within a narrow band around zero."}} tags=["figure"]
sd = math.sqrt(20_000) * one_row.debias_factor
truth = np.bincount([3, 10, 6], weights=list(held.values()), minlength=16)
assert np.max(np.abs(after - truth)) < 4 * sd and sum(held.values()) == 20_000
assert np.allclose(before @ scipy_hadamard(16).T, after)
fig, (left, middle, right) = plots.panels(1, 3, height=3.0, width=8.5)
left.imshow(hadamard_matrix(16), cmap="cividis", aspect="equal")
for column in (3, 6, 10):
    frame = plt.Rectangle((column - 0.5, -0.5), 1, 16, fill=False, lw=2.5)
    frame.set_edgecolor(plots.COLOURS["orange"])
    left.add_patch(frame)
left.set(xlabel="hash value", ylabel="coordinate ℓ", title="code words")
left.grid(visible=False)
left.set(xticks=(0, 3, 6, 10, 15), yticks=(0, 5, 10, 15))
middle.bar(range(16), before, color=plots.COLOURS["grey"])
middle.set(xlabel="coordinate ℓ", ylabel="users", title="collected: M")
right.axhspan(-2 * sd, 2 * sd, color=plots.COLOURS["sky"], alpha=0.4)
right.bar(range(16), after, color=plots.COLOURS["blue"])
right.plot([3, 10, 6], list(held.values()), "o", mfc="none", mec="black", ms=8)
right.set(xlabel="hash value", ylabel="users", title="read: M H$^T$")
plt.show()

# %% [markdown]
# The paper's Example 4 can be done by hand: $n = 4$, $m = k = 2$, $\varepsilon = \infty$ (so
# $c_\varepsilon = 1$), and the reports $(\tilde w, j, \ell) = (1,1,1)$, $(1,1,2)$, $(1,2,1)$, $(1,2,1)$. Each adds $k c_\varepsilon \tilde w = 2$.

# %% jupyter={"source_hidden": true} tags=["set-up"]
H2 = sp.Matrix([[1, 1], [1, -1]])
four = [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 1)]  # (w, j, l) as printed
M = sp.zeros(2, 2)
for w, j, ell in four:
    M[j - 1, ell - 1] += 2 * 1 * w  # k c w


def by_hand(transformed, hashes):
    """The estimator of the example for an item with these two hash values."""
    entries = [transformed[row, h - 1] for row, h in enumerate(hashes)]
    return 2 * (sum(entries) / sp.Integer(2) - 2)


printed_m, printed_t = sp.Matrix([[2, 2], [4, 0]]), sp.Matrix([[4, 0], [4, 4]])
steps = {"$M$": (printed_m, M), "$M H_2^{\\mathsf{T}}$": (printed_t, M * H2.T)}
steps["$M H_2^{-1}$, as it is called"] = (printed_t, M * H2.inv())
ours_f = [by_hand(M * H2.T, h) for h in ((1, 1), (2, 2))]
lines, printed_lines, ours_lines = [], [], []
for name, pair in steps.items():
    lines.append(name)
    printed_lines.append(str(pair[0].tolist()))
    ours_lines.append(str(pair[1].tolist()))
table(
    {"": [*lines, r"$\tilde f(\text{male})$", r"$\tilde f(\text{female})$"],
     "printed": [*printed_lines, "4", "2"],
     "ours": [*ours_lines, *map(str, ours_f)],
     "ours − printed": ["0" if x == y else str((y - x).tolist())
                        for x, y in steps.values()]
                       + [str(x - y) for x, y in zip(ours_f, (4, 2))]},
    caption="Example 4; hash values are 1 for male and 2 for female in both rows.",
)  # fmt: skip

# %% [markdown]
# A man's code word is $(1, 1)$, a woman's $(1, -1)$: four men would send these reports, and 4 and 0 are their
# exact counts. The 2 for women follows from no choice of hash values: over all of them only 0 and 4 are possible. So
# one number is wrong, and the matrix product has the wrong name.

# %% jupyter={"source_hidden": true} tags=["evidence"]
apart = ExplicitFamily({"male": (0, 0), "female": (1, 1)}, width=2)
tiny = HadamardCountMeanSketch.with_family(math.inf, apart)
of_four = tiny.aggregate(tiny.pack([0, 0, 1, 1], [1, 1, 1, 1], columns=[0, 1, 0, 0]))
male, female = of_four.estimate(["male", "female"])

with claim("S-3.18") as c:
    c.decisive("one example").exact(M, printed_m, "four reports of 2, by cell")
    c.close(of_four.coordinates, [[2, 2], [4, 0]], "by the package", rtol=1e-12)
with claim("S-3.20") as c:
    label = "h(male) = 1 in both rows, by hand"
    c.decisive("one example").exact(by_hand(M * H2.T, (1, 1)), sp.Integer(4), label)
    c.close(male, 4.0, "by the package", rtol=1e-12)
with claim(
    "S-3.21",
    printed=r"$\tilde f(\text{female}) = 2$",
    corrected=r"$\tilde f(\text{female}) = 0$, with $h_1 = h_2 = 2$",
    consequence="None: an example on which nothing else rests.",
) as c:
    of_women = by_hand(M * H2.T, (2, 2))
    c.differs(sp.Integer(2), of_women, "h(female) = 2 in both rows")
    c.exact(of_women, zero, "h(female) = 2 in both rows, by hand")
    possible = {by_hand(M * H2.T, h) for h in product((1, 2), repeat=2)}
    label = "over all hash values only 0 and 4 are possible"
    c.decisive("exhaustive").exact(possible, {zero, sp.Integer(4)}, label)
    c.close(female, 0.0, "by the package", rtol=0, atol=1e-12)

# %% [markdown]
# ## Which constant takes the noise off?
#
# A sign that survives with probability $p$ has mean $(p - q)\,w$, so the constant must be $1/(p - q)$. With $a = e^{\varepsilon/2}$, so that
# $e^{\varepsilon} = a^2$, this is

# %% jupyter={"source_hidden": true} tags=["evidence"]
constant = (
    derivation(1 / (p - q), of=r"\frac{1}{p - q}")
    .equal((a**2 + 1) / (a**2 - 1), "common denominator")
)  # fmt: skip
constant

# %% [markdown]
# that is, $(e^{\varepsilon} + 1)/(e^{\varepsilon} - 1)$. So the paper's section 6.5 has it. Its section 3 has another one:
#
# ```{admonition} As printed
# :class: as-printed
# For HCMS, $c_\varepsilon = \dfrac{e^{\varepsilon/2} + 1}{e^{\varepsilon/2} - 1}$. *(Section 3)*
# ```
#
# That is the constant of CMS, whose $p$ is made of $e^{\varepsilon/2}$. What would it do to the counts? It is $\lambda$ times the right
# one, where

# %% jupyter={"source_hidden": true} tags=["evidence"]
lam_s = sp.Symbol("lambda", positive=True)
c_printed = (a + 1) / (a - 1)
ratio = (
    derivation(c_printed / ((a**2 + 1) / (a**2 - 1)), of=r"\lambda")
    .equal((a + 1) ** 2 / (a**2 + 1), "difference of two squares")
)  # fmt: skip
ratio

# %% [markdown]
# The entry that is read grows by $\lambda$, but the $n/m$ that is taken away does not:

# %% jupyter={"source_hidden": true} tags=["evidence"]
biased = (
    derivation(
        F * (lam_s * (f_s + (n_s - f_s) / m_s) - n_s / m_s),
        of=r"\operatorname{E} \tilde f(d)", names=of_d,
    )
    .equal(lam_s * f_s + (lam_s - 1) * n_s / (m_s - 1), "collect $f(d)$")
)  # fmt: skip
biased

# %% [markdown]
# So it multiplies each count by $\lambda$, which lies between 1 and 2, and adds
# $(\lambda - 1)\,n/(m-1)$ to *every* item, held or not. A second route: all reports and all hash families of
# three small cases, with $e^{\varepsilon} = 9$, where $\lambda = \frac85$.

# %% jupyter={"source_hidden": true} tags=["set-up"]
right_9, printed_9 = Fraction(10, 8), Fraction(4, 2)  # e^ε = 9
averages = {
    (held, m, k): [
        average(held, m, k, keep=keep, constant=x) for x in (right_9, printed_9)
    ]
    for held, m, k in small_cases
}
table(
    {"counts": [str(held) for held, _, _ in averages],
     "m": [m for _, m, _ in averages], "k": [k for _, _, k in averages],
     "hash families": [m ** (k * len(held)) for held, m, k in averages],
     "mean, right": [x for x, _ in averages.values()],
     "mean, as printed": [x for _, x in averages.values()]},
    caption="Mean estimate of the first item, $e^ε = 9$.",
)  # fmt: skip


# %% [markdown]
# A third route, on the 43 item counts: 30 runs, each with a hash family of its own, the same reports read with either constant.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def read_with(scheme, sketch):
    """The same reports, de-noised with the constant of another scheme."""
    return Sketch(scheme, sketch.signed, sketch.counts)


# The constant printed for ε is the right one for ε/2.
by_section_3 = HadamardCountMeanSketch(0.5, **defaults)
rng = np.random.default_rng(5)
runs = 30
readings = np.empty((2, runs, 43))
for seed in range(runs):
    fresh, reader = (
        HadamardCountMeanSketch(e, hashes=1024, width=128, seed=seed)
        for e in (1.0, 0.5)
    )
    of_run = fresh.simulate(counts, rng)
    for row, scheme in enumerate((reader, fresh)):
        readings[row, seed] = read_with(scheme, of_run).estimate(items)
with_printed, with_right = readings.mean(axis=1)
bar_right = np.sqrt(hcms.variances(counts) / runs)
bar_printed = bar_right * by_section_3.debias_factor / hcms.debias_factor

lam_1 = float(ratio.last.subs(a, sp.exp(sp.Rational(1, 2))))
shift_1 = (lam_1 - 1) * n / 127
lam = round(lam_1, 6)
shift = round(shift_1, 4)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The 43 item counts, mean estimate of 30 runs with each constant (\u03b5 = 1, m = 128, k = 1024, n = 49,742). Lines: the diagonal, and 1.887 f + 347.3. Bars are two standard errors.", "name": "fig-sk-02-bias"}, "image": {"alt": "Estimated against true counts of 43 items between 0 and 3000. Blue circles follow the diagonal; orange squares follow a steeper line that starts at 350 and ends near 6000."}} tags=["figure"]
assert (round(lam_1, 3), round(shift_1, 1), n, runs) == (1.887, 347.3, 49_742, 30)
fig, ax = plots.panels(height=3.4, width=6.0)
line = np.array([0, 3100])
blue, orange = plots.COLOURS["blue"], plots.COLOURS["orange"]
ax.plot(line, line, color=blue, lw=1, ls="-")
ax.plot(line, lam_1 * line + shift_1, color=orange, lw=1, ls="-")
for y, bar, fmt, color, section in (
    (with_printed, bar_printed, "s", orange, "3"),
    (with_right, bar_right, "o", blue, "6.5"),
):
    style = {"fmt": fmt, "color": color, "ms": 4, "mfc": "none", "elinewidth": 1}
    ax.errorbar(true, y, 2 * bar, label=f"constant of section {section}", **style)
ax.set(xlabel="true count (users)", ylabel="mean estimate (users)")
ax.set(xlim=(0, 3100), ylim=(-300, 6500))
ax.legend(loc="upper left")
plt.show()


# %% [markdown]
# At $\varepsilon = 1$ the printed constant would stretch the counts by 1.887<!-- {lam:.3f} --> and
# lift each by 347.3<!-- {shift:.1f} --> users. Which constant did the experiments use? Table 4 knows. In the paper's
# strongest attack on HCMS the $n'$ fake users, 1 % of all, send the sign $+1$ at the first coordinate, where every code
# word has $+1$. The change of an estimate is then free of randomness, so the table shows the constant to four digits.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def planted(scheme, beta=Fraction(1, 100)):
    """Estimate of A1 from the fakes' reports alone, in units of 100 (Table 4)."""
    fakes = math.floor(n * beta / (1 - beta))
    first = np.zeros(fakes, dtype=int)  # row 0; column 0
    if isinstance(scheme, HadamardCountMeanSketch):
        reports = scheme.pack(first, first + 1, columns=first)
    else:
        signs = np.full((fakes, scheme.width), -1)
        signs[:, scheme.family.positions(["A1"])[0, 0]] = 1
        reports = scheme.pack(first, signs)
    return float(scheme.aggregate(reports).estimate("A1")[0]) / 100


gain_cms, gain_right, gain_printed = map(planted, (cms, hcms, by_section_3))
shown_gain_printed = round(gain_printed, 4)
shown_gain_right = round(gain_right, 4)
table(
    {"": ["CMS", "HCMS, constant of section 6.5", "HCMS, constant of section 3"],
     "ours": [gain_cms, gain_right, gain_printed], "Table 4": [12.82, 10.91, 10.91]},
    formats={"ours": "z.2f"}, difference=("ours", "Table 4"),
    caption="Gain of one item, in hundreds of users, at the defaults of Table 2.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim(
    "S-3.14",
    printed=r"$c_\varepsilon = (e^{\varepsilon/2}+1)/(e^{\varepsilon/2}-1)$ for HCMS",
    corrected=r"$c_\varepsilon = (e^{\varepsilon}+1)/(e^{\varepsilon}-1)$",
    consequence="As printed an estimate has mean "
    r"$\lambda f + (\lambda-1)\frac n{m-1}$, "
    r"$\lambda = (e^{\varepsilon/2}+1)^2/(e^{\varepsilon}+1)$. "
    "Tables 4 to 7 used the right constant and stand.",
) as c:
    label = "any ε: 1/(p − q) is the constant of section 6.5"
    target = (a**2 + 1) / (a**2 - 1)
    c.decisive("proved").derived(constant, 1 / (p - q), target, label)
    root = Fraction((keep / (1 - keep)) ** Fraction(1, 2))  # e^(ε/2) at e^ε = 9
    for (held, m, k), (right, _) in averages.items():
        wrong = average(held, m, k, keep=keep, constant=(root + 1) / (root - 1))
        label = f"counts {held}, m = {m}, k = {k}, all families and reports"
        c.differs(wrong, right, label)
        values = {lam_s: ratio.last.subs(a, 3), f_s: held[0], n_s: sum(held), m_s: m}
        by_formula = Fraction(str(biased.last.subs(values)))
        c.exact(wrong, by_formula, f"{label}: λf + (λ − 1)n/(m − 1)")
        c.exact(right, Fraction(held[0]), f"{label}: unbiased with the right one")
    expected = lam_1 * true + shift_1
    c.sampled(with_printed, expected, "43 items, printed: biased", stderr=bar_printed)
    c.sampled(with_right, true, "43 items, right: unbiased", stderr=bar_right)
    c.close(gain_right, 10.91, "Table 4, HCMS, ε = 1", rtol=0, atol=0.005)
    label = "Table 4 with the printed constant"
    c.differs(
        planted(HadamardCountMeanSketch(hcms.epsilon / 2, **defaults)), 10.91, label,
        atol=0.005,
    )  # fmt: skip
with claim("S-5.4") as c:
    fakes = 502  # ⌊nβ/(1 − β)⌋ at β = 0.01
    by_formula = fakes * 128 / 127 * (math.tanh(0.5) ** -1 - 1 / 128) / 100
    c.close(by_formula, gain_right, "HCMS: n'F(c − 1/m), the package", rtol=1e-9)
    printed_gains = [12.82, 10.91]
    label = "CMS and HCMS with these defaults, row ε = 1 of Table 4"
    c.decisive("one example").close(
        [gain_cms, gain_right], printed_gains, label, rtol=0, atol=0.005
    )
    others = [
        planted(HadamardCountMeanSketch(1.0, hashes=1024, width=64, seed=0)),
        planted(HadamardCountMeanSketch(0.8, **defaults)),
        planted(hcms, Fraction(2, 100)),
    ]
    label = "the row comes out; with m = 64, ε = 0.8 or β = 0.02 it does not"
    fits = [abs(gain - 10.91) < 0.005 for gain in (gain_right, *others)]
    c.holds(fits == [True, False, False, False], label, method="numeric")

# %% [markdown]
# With the constant of section 3 the gain would be 20.62<!-- {shown_gain_printed:.2f} -->; the table has
# 10.91<!-- {shown_gain_right:.2f} -->. So the experiments used the right constant, and the formula of section 3 is
# that of CMS, carried over.
#
# ## How accurate is HCMS, exactly?
#
# Notebook 1's question again. A report adds $F X$ with $X = c_H \tilde w\, H[\ell, h_j(d)]$ to the estimate of $d$, where
# $c_H$ is the right constant and $F = m/(m-1)$. Let $A$ be the share of rows in which the user's item and $d$ have the same
# hash value ($A = 1$ for $d$ itself). In these rows the product of the two code words is $+1$, in the others $+1$ as often as
# $-1$. So $\operatorname{E} X = A$, and $X^2 = c_H^2$ always:

# %% jupyter={"source_hidden": true} tags=["evidence"]
c_s, A, S = sp.symbols("c_H A S", positive=True)
spread = (
    derivation(c_s**2 * (1 - (A / c_s) ** 2), of=r"\operatorname{Var} X")
    .equal(c_s**2 - A**2, "multiply out")
)  # fmt: skip
spread

# %% [markdown]
# Over a random family the law of total variance adds two parts ([notebook 1](01-count-mean-sketch.ipynb) says why, and why
# three-wise independence of the hash values is enough): the mean of these variances, with $\operatorname{E} A^2 = \frac1{m^2} + \frac{m-1}{k m^2}$
# for another item, and the variance of the conditional mean, with $\operatorname{Var} A = \frac{m-1}{k m^2}$. Write $f$ for $f(d)$ and $S$ for
# $\sum_{d' \ne d} f(d')^2$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
var_share = (m_s - 1) / (k_s * m_s**2)
within = F**2 * (n_s * c_s**2 - f_s - (n_s - f_s) * (1 / m_s**2 + var_share))
between = sp.UnevaluatedExpr(F**2) * S * sp.UnevaluatedExpr(var_share)
bracket = 1 / (m_s - 1) ** 2 + 1 / (k_s * (m_s - 1))
theorem = F**2 * (n_s * c_s**2 - f_s) - (n_s - f_s) * bracket + S / (k_s * (m_s - 1))
variance = (
    derivation(within + between, of=r"\operatorname{Var} \tilde f(d)")
    .equal(theorem, "cancel $m^2$")
)  # fmt: skip
variance

# %% [markdown]
# ```{prf:theorem} Moments of HCMS
# :label: thm-sk-02-variance
# For a fixed family with collision shares $A_{d'}$ ($A_d = 1$),
#
# $$ \operatorname{E} \tilde f(d) = F \Bigl( \sum_{d'} f(d') A_{d'} - \frac nm \Bigr), \qquad
#    \operatorname{Var} \tilde f(d) = F^2 \Bigl( n c_H^2 - \sum_{d'} f(d') A_{d'}^2 \Bigr). $$
#
# For $k$ independent hash functions with uniform, three-wise independent values $\operatorname{E} \tilde f(d) = f(d)$ and
#
# $$ \begin{aligned} \operatorname{Var} \tilde f(d) = {} & F^2 (n c_H^2 - f)
#    - (n - f) \Bigl[ \frac1{(m-1)^2} + \frac1{k(m-1)} \Bigr] \\
#    & {} + \frac{1}{k(m-1)} \sum_{d' \ne d} f(d')^2. \end{aligned} $$
# ```
#
# The leading term $n c_H^2$ is known from one-bit local hashing {cite:p}`wang2017locally`. Pan {cite:p}`pan2024count` (we read
# the abstract, here of a later version) treats sketches built on Hadamard matrices as CMS with other parameters and corrects the published moments. The form for one fixed
# family, and the check by complete enumeration, we have not found elsewhere.

# %% jupyter={"source_hidden": true} tags=["set-up"]
narrow = []
for seed in range(300):
    s = HadamardCountMeanSketch(1.0, hashes=4, width=16, seed=seed)
    narrow.append(s.simulate(counts, rng).estimate(items) - true)
quotients = {
    (1024, 128): np.mean((readings[1] - true) ** 2 / hcms.variances(counts), axis=1),
    (4, 16): np.mean(np.square(narrow) / s.variances(counts), axis=1),
}  # error² / variance, mean over the items, one value a hash family
table(
    {"k": [k for k, _ in quotients], "m": [m for _, m in quotients],
     "hash families": [z.size for z in quotients.values()],
     "error² / variance": [float(z.mean()) for z in quotients.values()],
     "standard error": [
         float(z.std() / math.sqrt(z.size)) for z in quotients.values()
     ]},
    formats={"error² / variance": ".3f", "standard error": ".3f"},
    caption="The 43 counts at ε = 1: squared error over the variance above, drawn.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("S-B2") as c:
    label = "one report, any family"
    of_sign = c_s**2 * (1 - (A / c_s) ** 2)
    c.decisive("proved").derived(spread, of_sign, c_s**2 - A**2, label)
    label = "law of total variance"
    c.decisive("proved").derived(variance, within + between, theorem, label)
    for held, m, k in small_cases:
        families, scale = all_families(len(held), m, k), Fraction(m, m - 1)
        options = {"keep": keep, "constant": right_9}
        listed = [exact_moments(family, held, m, **options) for family in families]
        fixed = []
        for family in families:
            pairs = [zip(hashes, family[0]) for hashes in family]
            shares = [Fraction(sum(g == h for g, h in pair), k) for pair in pairs]
            mean = sum(u * share for u, share in zip(held, shares))
            noise = sum(u * (right_9**2 - s * s) for u, s in zip(held, shares))
            fixed.append((scale * (mean - Fraction(sum(held), m)), scale**2 * noise))
        label = f"counts {held}, m = {m}, k = {k}"
        c.exact(listed, fixed, f"{label}: each family, from all reports")
        means, spreads = (sum(part) / len(listed) for part in zip(*listed))
        total = spreads + sum((x - means) ** 2 for x, _ in listed) / len(listed)
        values = {f_s: held[0], n_s: sum(held), m_s: m, k_s: k}
        values |= {c_s: sp.Rational(5, 4), S: sum(u * u for u in held[1:])}
        by_theorem = Fraction(str(theorem.subs(values)))
        c.exact(total, by_theorem, f"{label}: over all families")
    values = {f_s: int(true[1]), n_s: n, m_s: 128, k_s: 1024, c_s: 1 / math.tanh(0.5)}
    values[S] = int(np.sum(true**2) - true[1] ** 2)
    by_theorem = float(theorem.subs(values))
    c.close(hcms.variance(counts, "A2"), by_theorem, "the package, A2", rtol=1e-9)
    for (k, m), z in quotients.items():
        label = f"43 items, k = {k}, m = {m}, {z.size} families"
        c.sampled(z.mean(), 1, label, stderr=z.std() / math.sqrt(z.size))

# %% [markdown]
# ## CMS or HCMS?
#
# Notebook 1 found for CMS, with the same collision shares, that a report adds the variance
# $F^2 \bigl[\nu + A(1 - A)\bigr]$ with $\nu = \frac14(c_\varepsilon^2 - 1) = \frac{a}{(a-1)^2}$. In the difference the
# squares of $A$ cancel, and so does nearly everything else.

# %% jupyter={"source_hidden": true} tags=["evidence"]
noise_hcms, noise_cms = ((a**2 + 1) / (a**2 - 1)) ** 2, a / (a - 1) ** 2
flips = a / (1 + a) ** 2  # p q of a flip in CMS
each = noise_hcms - A**2 - (noise_cms + A * (1 - A))
difference = (
    derivation(each, of=r"(c_H^2 - A^2) - (\nu + A(1 - A))")
    .equal(1 - flips - A, "common denominator")
)  # fmt: skip
difference

# %% [markdown]
# The last term is $pq$ with the $p$ and $q$ of CMS, the variance of one of its flips. It is less than $\frac12 \cdot \frac12$, and in the rest of this notebook
# $pq$ means this one.
#
# ```{prf:theorem} CMS against HCMS
# :label: thm-sk-02-difference
# With the same hash family and CMS's $pq = \dfrac{e^{\varepsilon/2}}{(1 + e^{\varepsilon/2})^2} < \frac14$,
#
# $$ \operatorname{Var}_{\mathrm{HCMS}} \tilde f(d) - \operatorname{Var}_{\mathrm{CMS}} \tilde f(d)
#    = F^2 \sum_{d'} f(d')\,(1 - pq - A_{d'}). $$
# ```
#
# A user of *another* item ($A \approx 1/m$) makes HCMS worse than CMS, by at least $\frac34$ and at most one unit of $F^2$ (but for collisions). A user of
# *the same* item ($A = 1$) makes it better, by $pq$. Why both? Split $c_H^2$ into $1 + (c_H^2 - 1)$. The second
# part is the noise of the flips; it is *smaller* than that of CMS, since one sign gets the whole
# $\varepsilon$. The 1 is the price of sampling: at a random coordinate the product of two code words is $+1$ or
# $-1$. For the item itself the product is always $+1$, and nothing is paid.

# %% jupyter={"source_hidden": true} tags=["set-up"]
levels = ("0.1", "0.4", "0.8", "1.0", "2.0", "4.0")
at_level = [{a: sp.exp(sp.Rational(e) / 2)} for e in levels]
by_cms, by_hcms = (
    [float(form.subs(at)) for at in at_level] for form in (noise_cms, noise_hcms)
)
meeting = 1 - 128 / 127 * float(flips.subs(a, sp.exp(sp.Rational(1, 2))))
shown_meeting = round(meeting, 6)
table(
    {"ε": [float(e) for e in levels], "CMS": by_cms,
     "HCMS": by_hcms, "of it flips": [x - 1 for x in by_hcms],
     "of it sampling": [1] * len(levels),
     "HCMS / CMS": [y / x for x, y in zip(by_cms, by_hcms)]},
    formats={"CMS": ".2f", "HCMS": ".2f", "of it flips": ".2f", "HCMS / CMS": ".3f"},
    caption="What a user adds to the variance of a rare item, in units of $F^2$.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
differences = {}
for e in (0.1, 1.0, 4.0):
    schemes = (HadamardCountMeanSketch, CountMeanSketch)
    first, second = (s(e, **defaults).variances(counts) for s in schemes)
    differences[e] = first - second
with claim("S-B3a") as c:
    label = "a user of an item with collision share A"
    c.decisive("proved").derived(difference, each, 1 - flips - A, label)
    for e, found in differences.items():
        unlike = 1 - math.exp(e / 2) / (1 + math.exp(e / 2)) ** 2
        formula = (128 / 127) ** 2 * (n * unlike - true - (n - true) / 128)
        c.close(found, formula, f"ε = {e:g}: package, 43 items", rtol=1e-6)
    near = [{"most": 76 + x, "few": 24 - x} for x in (0, 1)]  # shares 0.76, 0.77
    worse = [hcms.variance(x, "most") > cms.variance(x, "most") for x in near]
    at_share = 1 - 128 / 127 * float(flips.subs(a, sp.exp(sp.Rational(1, 2))))
    told = [x < at_share for x in (0.76, 0.77)]
    c.exact(worse, told, "the package: the order turns there")
assert round(by_hcms[3] / by_cms[3], 3) == 1.195

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left: what a user adds to the variance of a rare item, in units of F\u00b2. HCMS is the sum of its flips, which lie below CMS, and of the sampled coordinate, which costs 1 at every \u03b5. Right: variance of HCMS over that of CMS for an item that a given share of all users holds (collisions left out). At \u03b5 = 1 the ratio is 1.195 for a rare item.", "name": "fig-sk-02-variance"}, "image": {"alt": "Left, logarithmic axes: variance per user against epsilon from 0.1 to 8. CMS falls without end, HCMS levels off at 1; the flips of HCMS run below CMS. Right: ratio against epsilon; for a rare item it rises from 1 without bound, for a share of 60 percent likewise, but less; for 90 percent it falls below 1 and ends above, for an item that everybody holds it falls from 1 towards 0."}} tags=["figure"]
eps_axis = np.geomspace(0.1, 8, 200)
root = np.exp(eps_axis / 2)
curve_cms = root / (root - 1) ** 2
curve_hcms = 1 / np.tanh(eps_axis / 2) ** 2
fig, (left, right) = plots.panels(1, 2, height=3.7, width=8.5)
left.plot(eps_axis, curve_cms, label="CMS")
left.plot(eps_axis, curve_hcms, label="HCMS = flips + sampling")
left.plot(eps_axis, curve_hcms - 1, label="HCMS, flips alone")
left.axhline(1, color=plots.COLOURS["grey"], ls="-", lw=1)
left.text(0.11, 0.55, "HCMS, sampling alone", color="#555555", fontsize=9)
left.set(ylabel="variance per user / F²", ylim=(0.01, 1000))
for share, label in ((0, "few users"), (0.6, "60 %"), (0.9, "90 %"), (1, "all")):
    right.plot(eps_axis, (curve_hcms - share) / curve_cms, label=label)
right.axhline(1, color=plots.COLOURS["grey"], ls="-", lw=1)
right.set(ylabel="variance HCMS / CMS", ylim=(0.05, 20))
for ax in (left, right):
    ax.set(xscale="log", yscale="log", xlabel="privacy level ε")
    ax.set_xticks([0.1, 1, 8], ["0.1", "1", "8"])
left.legend(loc="upper right", fontsize=9)
right.legend(loc="upper left", fontsize=9, title="item held by", title_fontsize=9)
plt.show()

# %% [markdown]
# For a rare item the ratio is above 1 at every $\varepsilon$:

# %% jupyter={"source_hidden": true} tags=["evidence"]
above = (
    derivation(
        noise_hcms / noise_cms - 1, of=r"\frac{c_H^2}{\nu} - 1"
    )
    .equal((a**2 + a + 1) * (a - 1) ** 2 / (a * (a + 1) ** 2), "common denominator")
    .at_least(0, "a square and positive terms", by="square")
)  # fmt: skip
above

# %% jupyter={"source_hidden": true} tags=["evidence"]
with claim("S-B3") as c:
    label = "the ratio − 1 is not negative, and 0 only for e^(ε/2) = 1"
    c.decisive("proved").derived(above, noise_hcms / noise_cms - 1, zero, label)
    roots = sp.solve(sp.Eq(noise_hcms / noise_cms, 1), a)
    elsewhere = [root for root in roots if root.is_positive and root != 1]
    c.exact(elsewhere, [], "no other level of equality")
    ends = [sp.limit(noise_hcms / noise_cms, a, at) for at in (1, sp.oo)]
    c.decisive("proved").exact(ends, [one, sp.oo], "ε → 0 and ε → ∞")

# %% [markdown]
# and 0 only at $e^{\varepsilon/2} = 1$, that is $\varepsilon = 0$. (In the leading terms this is the comparison of binary local
# hashing with symmetric unary encoding in {cite:p}`wang2017locally`.) The paper measures the mean squared error over *all*
# items. Sum the theorem over $d$, in the mean over hash families: each user adds $-pq$ for the own item, and $1 - pq - \frac1m$ for
# each of the $s$ other items. With $s \ge 1$ and $m \ge 2$,

# %% jupyter={"source_hidden": true} tags=["evidence"]
other = sp.Symbol("s", positive=True)  # number of other items
summed = other * (1 - flips - 1 / wide) - flips  # of one user, / F²
in_all = (
    derivation(summed, of=r"s \Bigl(1 - pq - \frac1m\Bigr) - pq")
    .at_least(
        other * (sp.Rational(1, 2) - flips) - flips,
        "it grows with $m$", by=increasing(wide, 2),
    )
    .at_least(
        sp.Rational(1, 2) - 2 * flips, "it grows with $s$", by=increasing(other, 1)
    )
    .equal((a - 1) ** 2 / (2 * (a + 1) ** 2), r"$\frac14 - pq$ is a square")
)  # fmt: skip
in_all

# %% [markdown]
# which is positive for every $\varepsilon > 0$: one own item is too little to turn the sum, even with a single other item.

# %% jupyter={"source_hidden": true} tags=["evidence"]
of_cms = []
for seed in range(30):
    fresh = CountMeanSketch(1.0, hashes=1024, width=128, seed=seed)
    of_cms.append(fresh.simulate(counts, rng).estimate(items))
squares_of = {
    "HCMS": np.mean((readings[1] - true) ** 2, axis=1),
    "CMS": np.mean((np.array(of_cms) - true) ** 2, axis=1),
}

share_s = sp.Symbol("phi", nonnegative=True)
item_by_item = (
    derivation(1 - flips - share_s - (1 - share_s) / 128)
    .at_least(
        sp.Rational(3, 4) - share_s - (1 - share_s) / 128, "$pq$ at most 1/4",
        by="square",
    )
)  # fmt: skip
popular = {"most": 990_000, "few": 10_000}
of_popular = {
    s.__name__: s(4.0, hashes=64, width=128, seed=0).variance(popular, "most")
    for s in (CountMeanSketch, HadamardCountMeanSketch)
}
names = {"CountMeanSketch": "CMS", "HadamardCountMeanSketch": "HCMS"}
with claim("S-6.23") as c:
    label = "any ε, m = 128, an item of share φ, in units of nF²"
    least = item_by_item.last.subs(share_s, sp.Rational(int(true.max()), n))
    first = 1 - flips - share_s - (1 - share_s) / 128
    bound = sp.Rational(3, 4) - share_s - (1 - share_s) / 128
    c.decisive("proved").derived(item_by_item, first, bound, label)
    label = "the bound, for the most popular of 43 items"
    c.decisive("exhaustive").at_most(Fraction(0), Fraction(str(least)), label)
    for s in (hcms, cms):
        z = squares_of[s.name]
        label = f"{s.name}, ε = 1: mean squared error, drawn"
        stderr = z.std() / math.sqrt(z.size)
        c.sampled(z.mean(), s.variances(counts).mean(), label, stderr=stderr)
with claim("S-7.1") as c:
    end = (a - 1) ** 2 / (2 * (a + 1) ** 2)
    label = "summed squared error, two or more items, all m and ε: the difference"
    c.decisive("proved").derived(in_all, summed, end, label)
    starts = [step.reason.rpartition(", ")[2] for step in in_all.steps[:2]]
    assert starts == [r"$m \ge 2$", r"$s \ge 1$"]
    sums = [float(found.sum()) for found in differences.values()]
    by_sum = [
        n * (128 / 127) ** 2
        * float(summed.subs({a: math.exp(e / 2), other: 42, wide: 128}))
        for e in differences
    ]  # fmt: skip
    c.close(sums, by_sum, "43 items, three levels: the package", rtol=1e-6)
    better = names[min(of_popular, key=of_popular.get)]
    c.limit("CMS", better, "ε = 4, an item of 99 % of the users: the more accurate")

# %% [markdown]
# One conclusion does not extend: for a *single* item that most users hold, HCMS is the more accurate sketch. The
# variances meet at the share $f/n = 1 - F\,pq$, which is 0.763<!-- {shown_meeting:.3f} --> at $\varepsilon = 1$. Such items are not rare
# in telemetry: "yes, the feature is switched on". Here is one that 99 % of a million users hold.

# %% jupyter={"source_hidden": true} tags=["set-up"]
drawn_of = {}
for scheme in (CountMeanSketch, HadamardCountMeanSketch):
    errors = []
    for seed in range(200):
        s = scheme(4.0, hashes=64, width=128, seed=seed)
        errors.append(s.simulate(popular, rng).estimate("most")[0] - 990_000)
    drawn_of[scheme.__name__] = float(np.mean(np.square(errors)))
    off = drawn_of[scheme.__name__] / of_popular[scheme.__name__] - 1
    assert abs(off) < 4 * math.sqrt(2 / 200)
assert drawn_of["HadamardCountMeanSketch"] < drawn_of["CountMeanSketch"]
table(
    {"": [names[key] for key in of_popular],
     "exact": [value / 10**6 for value in of_popular.values()],
     "drawn, 200 runs": [value / 10**6 for value in drawn_of.values()]},
    formats={"exact": ".3f", "drawn, 200 runs": ".3f"},
    caption="Variance a user, item of 99 % of the users; ε = 4, k = 64, m = 128.",
)  # fmt: skip

# %% [markdown]
# ## Is uneven sampling to blame?
#
# The paper's discussion offers, with reserve, a cause of the larger error.
#
# ```{admonition} As printed
# :class: as-printed
# HCMS samples one of $m$ coordinates. With uniform sampling it performs as CMS does; in an experiment the coordinates come out
# unevenly (偏り), and that lowers the utility. *(Section 6.5)*
# ```
#
# The first half is what we found: sampling is the whole loss. The second half can be tested, in both senses of *uniform*.
# If every user draws $\ell$ from a uniform law, the loss is what the theorem says, $1 - pq - \frac1m$ a user of another
# item: not zero. So suppose that the coordinates come out *perfectly* evenly: $n$ is a multiple of $m$, and each coordinate goes
# to $n/m$ users, in random order. What does that save?
#
# Look at one family at $\varepsilon = \infty$; flips are independent of all this. User $i$, with the item $d_i$ and the row
# $j_i$, adds the sign $g_i(\ell) = H[\ell, h_{j_i}(d_i)]\, H[\ell, h_{j_i}(d)]$. The product of two
# columns of $H_m$ is again a column (the parities add up); call its number $x_i$. Two users who draw *without replacement* have
# the covariance of two who see the same coordinate, times $-\frac1{n-1}$. And two different columns are orthogonal, so
# the covariance at the same coordinate is 1 if $x_i = x_{i'}$ is not the constant column, and 0 otherwise. So perfect
# balance saves
#
# $$ \frac{F^2}{n-1} \cdot \#\bigl\{(i, i') : i \ne i',\ x_i = x_{i'} \ne \text{the constant column}\bigr\}. $$
#
# For four users, $m = 2$ and $m = 4$, listing all counts, families and orders gives the same. Two users of different items, neither of them $d$, have equal products other than the constant column with probability $\frac{m-1}{m^2}$ over the hash functions. Where every item is
# rare, the saving is therefore about $F^2 n\, \frac{m-1}{m^2}$, and what is left of the loss is, in units of $F^2$ a
# user,

# %% jupyter={"source_hidden": true} tags=["evidence"]
left_over = (
    derivation(
        1 - flips - 1 / wide - (wide - 1) / wide**2,
        of=r"1 - pq - \frac1m - \frac{m-1}{m^2}",
    )
    .equal((1 - 1 / wide) ** 2 - flips, "complete the square")
    .at_least(
        sp.Rational(1, 4) - flips, "it grows with $m$", by=increasing(wide, 2)
    )
    .equal((a - 1) ** 2 / (4 * (a + 1) ** 2), r"$\frac14 - pq$ is a square")
)  # fmt: skip
left_over

# %% [markdown]
# which is positive for every $\varepsilon > 0$ and every $m$. Balance saves 0.008<!-- {shown_saved:.3f} --> of a loss of
# 0.757<!-- {shown_loss:.3f} --> at the paper's $m$ and $\varepsilon = 1$. A simulation at full size cannot even see it. To make
# small effects visible we ask for 457 made-up items besides the 43, as rare as can be.

# %% jupyter={"source_hidden": true} tags=["set-up"]
H = hadamard_matrix(128)
asked = counts | {f"made up {i}": 0 for i in range(457)}  # 500 items, most rare
codes = np.repeat(np.arange(43), true)
positions = hcms.family.positions(items)
fixed = hcms.moments(asked)  # for this hash family
flips_1 = float(flips.subs(a, sp.exp(sp.Rational(1, 2))))
saved, loss = 127 / 128**2, 1 - flips_1 - 1 / 128
shown_saved = round(saved, 6)
shown_loss = round(loss, 6)


def drawn_variance(balanced, runs=60):
    """Mean over the items of error² / n, one value a run."""
    squares, sums = [], []
    for _ in range(runs):
        rows = rng.integers(1024, size=n)
        columns = rng.permutation(n) % 128 if balanced else rng.integers(128, size=n)
        signs = H[columns, positions[codes, rows]]
        signs = np.where(rng.random(n) < hcms.flip, -signs, signs)
        sketch = hcms.aggregate(hcms.pack(rows, signs, columns=columns))
        errors = sketch.estimate(list(asked)) - fixed.mean
        squares.append(np.mean(errors**2) / n)
        sums.append(errors[:43].mean())
    assert abs(np.mean(sums)) < 4 * np.std(sums) / math.sqrt(runs)  # unbiased
    return np.array(squares)


samples = {
    "at random": drawn_variance(balanced=False),
    "balanced": drawn_variance(balanced=True),
}
theory_hcms = float(fixed.variance.mean() / n)
theory_cms = float(cms.moments(asked).variance.mean() / n)
less = theory_hcms - (128 / 127) ** 2 * saved
expected_of = {"at random": theory_hcms, "balanced": less}
errors_of = {key: float(z.std() / math.sqrt(z.size)) for key, z in samples.items()}
table(
    {"columns": [*(f"HCMS, {key}" for key in samples), "CMS"],
     "theory": [*expected_of.values(), theory_cms],
     "drawn": [
         *(f"{z.mean():.3f} ± {errors_of[key]:.3f}" for key, z in samples.items()), ""
     ]},
    formats={"theory": ".3f"},
    caption="Variance a user at ε = 1, mean of 500 items, 60 runs.",
)  # fmt: skip

# %% [markdown]
# For a rare item what matters is not how often a coordinate is drawn, but that a user's single coordinate leaves a $\pm 1$ where the whole code
# word would have left a 0. With the noise switched off ($\varepsilon = \infty$) this stands alone: HCMS keeps about one unit a
# user, CMS only its collisions.
#
# At the other end the paper's cause is the cause. Take one hash function and two items with different hash values, held by $f$ and
# $n - f$ users. In the estimate of either item all users of the other have the same product, which is not constant, so balance lets
# their signs cancel. Without it HCMS loses $1 - 2pq$ a user in the sum over both items; with it the loss $L$ is, in units of $F^2$ and for all
# $n$ users,

# %% jupyter={"source_hidden": true} tags=["evidence"]
alike = f_s * (f_s - 1) + (n_s - f_s) * (n_s - f_s - 1)  # pairs with equal products
two_left = n_s * (1 - 2 * flips) - alike / (n_s - 1)
two_items = (
    derivation(two_left, of="L")
    .equal(
        2 * f_s * (n_s - f_s) / (n_s - 1) - 2 * n_s * flips,
        r"$f^2 + (n - f)^2 = n^2 - 2 f (n - f)$",
    )
)  # fmt: skip
two_items

# %% [markdown]
# For many users this is negative as soon as one item has a share $\varphi$ with $\varphi (1 - \varphi) < pq$, that is a share above
# the $p$ of CMS: 0.622<!-- {shown_turn:.3f} --> at $\varepsilon = 1$. Then perfectly even coordinates make HCMS the more accurate
# sketch. (If the two hash values agree it is so without them, by $2pq$ a user.) Here for an item of 99 % of the users:

# %% jupyter={"source_hidden": true} tags=["set-up"]
crowd, cells_of = {"most": 12_672, "few": 128}, {"most": 5, "few": 77}
in_crowd = sum(crowd.values())
assert in_crowd % 128 == 0 and crowd["most"] / in_crowd == 0.99
lone = ExplicitFamily({d: (cell,) for d, cell in cells_of.items()}, width=128)
by_vector, by_sign = (
    s.with_family(4.0, lone) for s in (CountMeanSketch, HadamardCountMeanSketch)
)
law_vector, law_sign = by_vector.moments(crowd), by_sign.moments(crowd)
cell_of_user = np.repeat([cells_of[d] for d in crowd], list(crowd.values()))


def one_row_of_signs(columns):
    """The sketch of the crowd when its users take these coordinates."""
    signs = H[columns, cell_of_user]
    signs = np.where(rng.random(in_crowd) < by_sign.flip, -signs, signs)
    row = np.zeros(in_crowd, dtype=int)
    return by_sign.aggregate(by_sign.pack(row, signs, columns=columns))


draws = {
    "CMS": lambda: by_vector.simulate(crowd, rng),
    "HCMS, at random": lambda: one_row_of_signs(rng.integers(128, size=in_crowd)),
    "HCMS, balanced": lambda: one_row_of_signs(rng.permutation(in_crowd) % 128),
}
crowd_drawn = {}
for name, draw in draws.items():
    errors = [draw().estimate([*crowd]) - law_sign.mean for _ in range(400)]
    crowd_drawn[name] = np.sum(np.square(errors), axis=1) / in_crowd
assert np.allclose(law_vector.mean, law_sign.mean)  # one bias for all three
of_vector, of_sign = (
    float(law.variance.sum()) / in_crowd for law in (law_vector, law_sign)
)
equal_pairs = sum(users * (users - 1) for users in crowd.values())
cancelled = (128 / 127) ** 2 * equal_pairs / (in_crowd - 1) / in_crowd
crowd_theory = dict(zip(draws, (of_vector, of_sign, of_sign - cancelled)))
turn = math.exp(0.5) / (1 + math.exp(0.5))  # p of CMS at ε = 1
shown_turn = round(turn, 6)
table(
    {"sketch": [*draws], "theory": [*crowd_theory.values()],
     "drawn": [f"{z.mean():.3f} ± {z.std() / math.sqrt(z.size):.3f}"
               for z in crowd_drawn.values()]},
    formats={"theory": ".3f"},
    caption="Variance a user, summed over two items of 99 % and 1 % of 12,800 users; "
    "ε = 4, one hash function, m = 128, 400 runs.",
)  # fmt: skip


# %% [markdown]
# With many hash functions two users of one item are mostly in different rows, where their products agree no more often
# than those of strangers, and the saving falls back to about $\frac{m-1}{m^2}$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def evenly(family, held, m, *, balanced):
    """Variance at ε = ∞, k = 1 over the coordinates: each as often, or at random."""
    table_of, scale = scipy_hadamard(m), Fraction(m, m - 1)
    who = [h[0] for h, users in zip(family, held) for _ in range(users)]
    grown = [table_of[:, h] * table_of[:, family[0][0]] for h in who]
    if not balanced:
        return scale**2 * sum(1 - Fraction(int(g.sum()), m) ** 2 for g in grown)
    cells = [ell % m for ell in range(len(who))]
    orders = permutations(cells)
    sums = [sum(int(g[c]) for g, c in zip(grown, order)) for order in orders]
    mean = Fraction(sum(sums), len(sums))
    return scale**2 * (Fraction(sum(t * t for t in sums), len(sums)) - mean**2)


def by_pairs(family, held, m):
    """What balance saves, by counting pairs of users with equal products."""
    who = [h[0] for h, users in zip(family, held) for _ in range(users)]
    products = [h ^ family[0][0] for h in who]  # the parities add up
    pairs = sum(
        x == y != 0
        for i, x in enumerate(products)
        for j, y in enumerate(products)
        if i != j
    )
    return Fraction(m, m - 1) ** 2 * Fraction(pairs, len(who) - 1)


def compositions(total):
    """All ways to share users among items, at least one each."""
    yield (total,)
    for first in range(1, total):
        yield from ((first, *rest) for rest in compositions(total - first))


saving, counted = {}, {}
for held, m in product(compositions(4), (2, 4)):
    families = all_families(len(held), m, 1)
    saving[held, m] = [
        evenly(f, held, m, balanced=False) - evenly(f, held, m, balanced=True)
        for f in families
    ]
    counted[held, m] = [by_pairs(f, held, m) for f in families]
unlike = {m: saving[(1, 1, 1, 1), m] for m in (2, 4)}  # four users, four items
on_average = [sum(unlike[m]) / len(unlike[m]) for m in (2, 4)]
met = [Fraction(m - 1, m**2) for m in (2, 4)]  # equal products of two other users
by_chance = [Fraction(m, m - 1) ** 2 * 6 * x / 3 for m, x in zip((2, 4), met)]

with claim(
    "S-6.25",
    printed="with uniform sampling HCMS performs as CMS does",
    corrected="for a rare item HCMS has the larger variance for all"
    r" $\varepsilon > 0$ and $m$, in ratio 1 only as $\varepsilon \to 0$; perfectly"
    " even coordinates do not repair it where every item is rare",
    consequence="None for the tables.",
) as c:
    label = "e^ε = 9, drawn uniformly: noise of a report, HCMS as CMS"
    c.differs(noise_cms.subs(a, 3), (noise_cms + (1 - flips)).subs(a, 3), label)
    assert sp.simplify(noise_cms + (1 - flips) - noise_hcms) == 0
    label = "drawn uniformly, any ε: a rare item's ratio − 1"
    c.decisive("proved").derived(above, noise_hcms / noise_cms - 1, zero, label)
    start = 1 - flips - 1 / wide - (wide - 1) / wide**2
    end = (a - 1) ** 2 / (4 * (a + 1) ** 2)
    label = "perfectly even, any ε and m, many rare items: what is left"
    c.decisive("proved").derived(left_over, start, end, label)
    assert left_over.steps[1].reason.endswith(r"$m \ge 2$")
    label = "4 users, m = 2 and 4, all counts, families, orders: what balance saves"
    c.decisive("exhaustive").exact(list(saving.values()), list(counted.values()), label)
    c.exact(on_average, by_chance, "four users with four items: on average")
with claim(
    "S-6.24",
    printed="sampling one of $m$ coordinates, because it comes out unevenly",
    corrected=r"sampling one of $m$ coordinates; of the $1 - pq - \frac1m$ that this "
    r"costs, unevenness is about $\frac{m-1}{m^2}$ where every item is rare",
    consequence="None for the tables. Balanced columns would not repair HCMS where"
    " every item is rare; with one hash function and a very popular item they would.",
) as c:
    square = (a - 1) ** 2 / (a + 1) ** 2
    alone = sp.simplify(1 - (noise_hcms - 1) / noise_cms - square)
    c.exact(alone, zero, "flips alone: less noise than CMS")
    both = (noise_cms + (1 - flips), noise_cms)  # HCMS, by the theorem; CMS
    ends = [sp.limit(noise, a, sp.oo) for noise in both]
    label = "sampling is a cause: at ε = ∞ HCMS keeps 1 a user, CMS nothing"
    c.decisive("proved").exact(ends, [one, zero], label)
    label = "4 users, m = 2 and 4: all counts, families and orders, by pairs"
    c.decisive("exhaustive").exact(list(counted.values()), list(saving.values()), label)
    for key, z in samples.items():
        label = f"columns {key}: the variance drawn"
        c.sampled(z.mean(), expected_of[key], label, stderr=errors_of[key])
    lowest = samples["balanced"].mean() - 4 * errors_of["balanced"]
    still = samples["balanced"].mean()
    label = f"balanced: still {still:.2f} a user, CMS {theory_cms:.2f}"
    c.fails(bool(lowest <= theory_cms), label, method="numeric")
    start = n_s * (1 - 2 * flips) - alike / (n_s - 1)
    end = 2 * f_s * (n_s - f_s) / (n_s - 1) - 2 * n_s * flips
    label = "two items apart, one hash function, balanced: what is left"
    c.decisive("proved").derived(two_items, start, end, label)
    splits = list(product((1, 2, 3), (2, 4)))  # f of four users, m
    by_order = [
        sum(saving[(f, 4 - f), m]) + sum(saving[(4 - f, f), m]) for f, m in splits
    ]
    apart_all = [m * (m - 1) * Fraction(m, m - 1) ** 2 for _, m in splits]
    by_left = [
        x * (4 - Fraction(2 * f * (4 - f), 3)) for x, (f, _) in zip(apart_all, splits)
    ]
    label = "4 users, two items, all hash values and orders: what balance saves"
    c.exact(by_order, by_left, label)
    for name, z in crowd_drawn.items():
        label = f"two items, 99 %, ε = 4, k = 1: {name}"
        stderr = z.std() / math.sqrt(z.size)
        c.sampled(z.mean(), crowd_theory[name], label, stderr=stderr)
    in_order = sorted(crowd_theory, key=crowd_theory.get)
    told = ["HCMS, balanced", "CMS", "HCMS, at random"]
    c.exact(in_order, told, "the same: from the most accurate")
    ahead = []
    for percent in (62, 63):
        pair = {"most": 128 * percent, "few": 128 * (100 - percent)}
        vector, sign = (
            s.with_family(1.0, lone).moments(pair).variance.sum()
            for s in (CountMeanSketch, HadamardCountMeanSketch)
        )
        equal = sum(users * (users - 1) for users in pair.values())
        saves = (128 / 127) ** 2 * equal / (in_crowd - 1)
        ahead.append(bool(sign - saves < vector))
    told = [percent / 100 > turn for percent in (62, 63)]
    c.exact(ahead, told, "ε = 1, shares of 62 and 63 %: balanced HCMS is ahead")


# %% [markdown]
# Whether the article that the paper cites {cite:p}`apple2017learning` says anything else we could not read; as an
# equality of errors the sentence does not hold for a rare item.
#
# ## Misprints
#
# The start of the recursion is printed as a column, which may be the conversion's doing. In Example 3 hash values are
# counted from 0 in one place and from 1 in the others; the report that is sent at its end is right, because both code words
# begin with $+1$.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def one_hot(h, base):
    """v for the hash value h of 2, when positions are counted from base."""
    return int(h == base), int(h == base + 1)


def code_word(v):
    """w = H_2 v."""
    return tuple(int(z) for z in H2 * sp.Matrix(v))


def check_start(c):
    of_column = recursion([[1]] * 2, 1)
    c.differs(of_column.shape, H2.shape, "shape of H_2 from the column")
    c.exact(sp.Matrix(recursion([[1]], 1)), H2, "H_2 of Example 3 from (1)")


def check_vector(c):
    c.differs(one_hot(1, base=0), one_hot(1, base=1), "h = 1, m = 2")
    c.exact((0, 1), one_hot(2, base=1), "the printed v belongs to h = 2")


def check_product(c):
    words = [code_word(one_hot(1, base=base)) for base in (0, 1)]
    c.differs(*words, "H_2 v for h = 1")
    label = "H_2 v for h = 1, counted from 0 and from 1"
    c.decisive("one example").exact(words, [(1, -1), (1, 1)], label)
    c.exact(code_word(one_hot(2, base=1)), (1, -1), "the printed w belongs to h = 2")


def check_flipped(c):
    vectors = [one_hot(h, base=1) for h in (1, 2)]
    values_v = {s * z for s in (1, -1) for v in vectors for z in v}
    values_w = {z for v in vectors for z in code_word(v)}
    c.differs(values_v, values_w, "values of v, kept or negated, and of a sign")
    assert values_v == {-1, 0, 1}
    c.exact(values_w, {-1, 1}, "values of w")


def check_debias(c):
    bare, noisy = 1 / (keep - flip), right_9 * (keep - flip)
    c.differs(bare, noisy, "e^ε = 9: mean of c w for w = 1")
    assert bare == right_9
    c.exact(noisy, Fraction(1), "mean of c w~ for w = 1")


def check_index(c):
    one_report = hcms.aggregate(hcms.pack([5], [1], columns=[77])).signed
    cells = np.argwhere(one_report).tolist()
    c.exact(cells, [[5, 77]], "a report is one number for one cell")
    of_two = np.argwhere(tiny.aggregate(tiny.pack([0], [1], columns=[1])).signed)
    label = "m = 2: entries that the index runs over"
    c.differs(len(range(2)), len(of_two), label)


def check_inverse(c):
    named = M * H2.inv()
    c.differs(printed_t.tolist(), named.tolist(), "M H_2^-1")
    c.exact(printed_t, M * H2.T, "the printed matrix is M H_2^T")
    assert printed_t == 2 * named


rows = [
    ("S-3.6", r"$H_1 = \binom11$", "$H_1 = (1)$", check_start),
    ("S-3.8", "$v = (0, 1)$, $h_3 = 1$", "$(1, 0)$, or $h_3 = 2$", check_vector),
    ("S-3.9", "$w = (1, -1)$, $h_3 = 1$", "$(1, 1)$, or $h_3 = 2$", check_product),
    ("S-3.11", "$v$ is kept or negated", "$w$ is", check_flipped),
    ("S-3.15", r"$k c_\varepsilon w$", r"$k c_\varepsilon \tilde w$", check_debias),
    ("S-3.16", r"$\tilde x_{\ell}$ accumulates", r"$\tilde x$", check_index),
    ("S-3.19", r"$M H_2^{-1} = \begin{pmatrix} 4 & 0 \\ 4 & 4 \end{pmatrix}$",
     r"$M H_2^{\mathsf T}$", check_inverse),
]  # fmt: skip
records = misprints(rows)
with claim("S-3.10") as c:
    first = [code_word(one_hot(h, base=1))[0] for h in (1, 2)]
    label = "Example 3: w at l = 1, for either hash value"
    c.decisive("one example").exact(first, [1, 1], label)
    c.exact(hadamard_matrix(2)[0].tolist(), [1, 1], "the package")

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} The length of a report
# :label: ex-sk-02-bits
# ```
# **Warm-up.** How long are the reports for $m = 1024$ and $k = 65536$? Show that nothing but the sign of an HCMS
# report depends on the item.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("sk-02-bits", ...)

# %% [markdown]
# ```{solution-start} ex-sk-02-bits
# :class: dropdown
# ```
# $1024 + 16$ bits and $1 + 16 + 10$. The pair $(j, \ell)$ is uniform whatever the item.

# %% jupyter={"source_hidden": true} tags=["evidence"]
assert report_bits(1024, 65_536) == [1040, 27]
for j, ell in product(range(2), range(4)):
    assert {z[j, ell, 1] + z[j, ell, -1] for z in laws.values()} == {Fraction(1, 8)}
check("sk-02-bits", report_bits(1024, 65_536))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Without the constant coordinate
# :label: ex-sk-02-zero
# ```
# **Standard.** The first coordinate of every code word is $+1$, so one report in $m$ says nothing. Let users draw
# $\ell$ from the other $m - 1$ coordinates only. Find an unbiased estimator and its variance for a rare item. What
# becomes of the attack of Table 4?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-02-zero", ...)


# %% [markdown]
# ```{solution-start} ex-sk-02-zero
# :class: dropdown
# ```
# Over the other coordinates the product of two different code words has mean $-1/(m-1)$, of equal ones 1. Over a
# random hash value of another item that is $\frac1m - \frac{m-1}{m}\cdot\frac1{m-1} = 0$. So
# $\sum_i c_H \tilde w_i H[\ell_i, h_{j_i}(d)]$ is unbiased as it stands, without $F$ and $n/m$. The variance for a rare item
# is about $n c_H^2$ and no longer $F^2 n c_H^2$: 1.6 % less at $m = 128$, three quarters less at $m = 2$, for the same
# privacy and no more bits. The attack finds no coordinate at which all code words agree.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def falls_by(m):
    return 1 - Fraction(m - 1, m) ** 2  # 1 − 1/F²


for m in (2, 4, 8):
    H = hadamard_matrix(m).astype(int)[1:]
    products = H.T @ H  # times m − 1
    assert np.all(np.diag(products) == m - 1)
    assert np.all(products.sum(axis=1) == 0)  # mean over the other item's hash value
    assert not np.any(np.abs(H.sum(axis=1)) == m)  # no constant coordinate
assert falls_by(2) == Fraction(3, 4) and round(float(falls_by(128)), 3) == 0.016
check("sk-02-zero", falls_by)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Users who take turns
# :label: ex-sk-02-team
# ```
# **Research.** Columns balanced over all users did not help where items are rare. Which balance *would* remove the sampling variance? Try
# $\varepsilon = \infty$, one hash function, $m = 4$, and four users with the same item among many others. Why can users not arrange it?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("sk-02-team", ...)

# %% [markdown]
# ```{solution-start} ex-sk-02-team
# :class: dropdown
# ```
# If the $m$ users of one item and row take $m$ different coordinates, their terms in the estimate of another
# item add up to the product of two code words, which is 0: no variance, as in CMS. But they would have to know who
# else holds the item, which is what they want to hide.

# %% jupyter={"source_hidden": true} tags=["evidence"]
H = hadamard_matrix(4).astype(int)
for own, asked in product(range(4), repeat=2):
    words = (H[:, own] * H[:, asked]).tolist()
    assert sum(words) == (4 if own == asked else 0)  # all four coordinates once
    alone = [sum(chosen) for chosen in product(words, repeat=4)]  # each as it likes
    variance = Fraction(sum(t * t for t in alone) * 256 - sum(alone) ** 2, 256**2)
    assert variance == (0 if own == asked else 4)
words = (H[:, 1] * H[:, 2]).tolist()
at_will = [sum(chosen) for chosen in product(words, repeat=4)]
in_turns = [sum(chosen) for chosen in permutations(words)]
check("sk-02-team", (np.var(at_will), np.var(in_turns)))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - HCMS sends one sign of a code word: 18<!-- {hcms_bits} --> bits instead of 138<!-- {cms_bits} -->. It is
#   $\varepsilon$-locally private, and the whole $\varepsilon$ goes into that sign.
# - The estimator must read $M H_m^T$ with $c_\varepsilon = (e^{\varepsilon}+1)/(e^{\varepsilon}-1)$. The constant of section 3
#   would stretch and shift every count; the paper's tables were made with the right one.
# - The exact price of one sign is $1 - pq - A$ a user: the price of sampling a coordinate. Where every item is rare, even perfectly
#   even coordinates would save only 0.008<!-- {shown_saved:.3f} --> of 0.757<!-- {shown_loss:.3f} --> a user; with one hash function and an item
#   of a share above 0.622<!-- {shown_turn:.3f} --> (at $\varepsilon = 1$, beside one other item) they would put HCMS ahead of CMS.
#   HCMS is worse for rare items and in mean squared error, and better for an item that most users hold (at
#   $\varepsilon = 1$, a share above 0.763<!-- {shown_meeting:.3f} -->).
#
# **Further reading.** Both sketches: {cite:p}`apple2017learning`. One-bit local hashing and its relatives:
# {cite:p}`wang2017locally`. **Next:** [what can a liar do to the counts?](03-poisoning.ipynb)
