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
# # Evidence: How can you count what nobody reveals?
#
# The statements of the paper's section 2 on local differential privacy and the Count Mean Sketch (CMS), with Table 1, Examples 1 and 2, one sentence of section 6.2 and our own result, in the paper's order: what each one states, and its check. Nothing is hidden. S-1.10
# needs the gain of a fake user, and stands with S-6.2. The story is told in
# [the notebook of the same name](../../sketch/01-count-mean-sketch.ipynb). The text counts rows and columns from 1, the code from 0.

# %%
import math
from fractions import Fraction
from itertools import product

import numpy as np
import sympy as sp

from privlib.notebook import claim, datasets, derivation, increasing
from privlib.sketch import CountMeanSketch
from privlib.sketch.data import shop_counts
from privlib.sketch.hashing import ExplicitFamily

eps = sp.Symbol("epsilon", positive=True)
a = sp.Symbol("a", positive=True)  # exp(eps/2)
half_step = {a: r"e^{\varepsilon/2}"}
p, q = a / (1 + a), 1 / (1 + a)  # as the paper prints them
c_printed = (a + 1) / (a - 1)
half = sp.Rational(1, 2)
scheme = CountMeanSketch(1.0, hashes=1024, width=128, seed=2024)  # the paper's defaults


def encode(column, m):
    """The vector v: 1 in this column, -1 elsewhere."""
    return [1 if i == column else -1 for i in range(m)]


def distribution(hashes, m, keep):
    """Probability of each report (row, signs) about an item with these hash values."""
    probability = {}
    for row, column in enumerate(hashes):
        v = encode(column, m)
        for signs in product((-1, 1), repeat=m):
            kept = sum(x == y for x, y in zip(v, signs))
            probability[row, signs] = keep**kept * (1 - keep) ** (m - kept) / len(hashes)
    return probability


keep = Fraction(3, 4)  # e^ε = 9
items = {"a": (0, 3), "b": (1, 3), "c": (2, 2)}  # hash values in two rows of four columns
reports = {item: distribution(hashes, 4, keep) for item, hashes in items.items()}
pairs = [("a", "b"), ("a", "c"), ("b", "c")]
for probability in reports.values():
    assert len(probability) == 32 and sum(probability.values()) == 1

# %% [markdown]
# ## S-1.1, S-1.2, S-1.4, S-2.5 and S-2.6 (origins and setting)
#
# *Local differential privacy is due to Duchi et al.; users add noise before they send and the provider removes its effect; CMS was proposed by Apple in 2017 and estimates frequencies; users and server share the hash functions.* **Not checkable:** history, literature and
# the setting of the protocol.
#
# ## S-idx (counting from 0 and from 1)
#
# *Positions and rows are counted from 1 in the examples, but the attack of section 4.1 has $h_j = 0$ and $\ell = 0$.* The vector printed there, $(1, -1)$, has its 1 in the first of the positions $[2] = \{1, 2\}$.

# %%
with claim("S-idx", printed="$h_j = 0$ in section 4.1", corrected="$h_j = 1$") as c:
    positions = [position for position in (1, 2) if encode(position - 1, 2) == [1, -1]]
    c.differs(0, positions[0], "position of the 1 in (1, −1), with positions in [2] = {1, 2}")
    c.decisive("one example").exact(positions, [1], "positions whose vector is (1, −1)")
    c.exact(encode(2 - 1, 2), [-1, 1], "as in Example 1, where h_3 = 2")

# %% [markdown]
# ## S-2.1 (the randomised data)
#
# *Each user turns the private item $d$ into $\tilde d = M(d, \varepsilon)$ and sends it.* **Not checkable:** a description of the model. The sentence names both inputs, $d$ and $\varepsilon$; only its grammar is unusual.
#
# ## S-2.2 and S-2.3 (what the promise means)
#
# S-2.2: *the outputs for any two inputs cannot be told apart.* Read up to the factor $e^{\varepsilon}$ of Definition 2.1. Let $P$ and $Q$ be the probabilities of an output under two equally likely items. A guess takes the more probable item, and with $P \le e^{\varepsilon} Q$ this one
# has at most the share $e^{\varepsilon}/(1 + e^{\varepsilon})$ of $P + Q$.

# %%
P, Q, w, r = sp.symbols("P Q w r", positive=True)
level = {w: r"e^{\varepsilon}"}
guess = derivation(P, names=level).at_most(
    w / (1 + w) * (P + Q), "definition 2.1", by=increasing(Q, P / w)
)
guess

# %%
best_guess = []
most_revealing = []
posteriors = set()
for d, e in pairs:
    outputs = [(reports[d][z], reports[e][z]) for z in reports[d]]
    best_guess.append(sum(max(x, y) for x, y in outputs) / 2)
    most_revealing.append(max(max(x, y) / (x + y) for x, y in outputs))
    posteriors |= {x / (x + y) for x, y in outputs}
of_a, of_c = reports["a"], reports["c"]
attain = [z for z in of_a if of_a[z] in (9 * of_c[z], of_c[z] / 9)]
attained = sum(of_a[z] for z in attain)
separated = keep  # two signs in a row, p² + 2pq + p² = 2p, of two items
colliding = Fraction(1, 2)
with claim("S-2.2") as c:
    label = "the more probable of two items gets at most e^ε/(1 + e^ε) of each output's probability"
    c.decisive("proved").derived(guess, P, w * (P + Q) / (1 + w), label)
    by_rows = [(separated + colliding) / 2, separated, separated]
    c.exact(best_guess, by_rows, "CMS, e^ε = 9, best guess: all reports, and row by row")

# %% [markdown]
# S-2.3: *hence the provider cannot learn the true input.* Read as a bound. If $d_2$ was $r$ times as probable as $d_1$ before the report, Bayes' rule gives the probability of $d_1$ after it. The limit is a user who sends seven reports about the same item.

# %%
bayes = (
    derivation(P / (P + r * Q), of=r"\Pr(d_1 \mid z)", names=level)
    .at_most(P / (P + r * P / w), "definition 2.1", by=increasing(Q, P / w))
    .equal(w / (w + r), "cancel P")
)
bayes

# %%
ratio = max(reports["a"][z] / reports["b"][z] for z in reports["a"])
week = ratio**7 / (1 + ratio**7)
with claim("S-2.3") as c:
    c.decisive("proved").derived(bayes, P / (P + r * Q), w / (w + r), "one report")
    bound = Fraction(9, 10)
    c.exact(most_revealing, [bound] * 3, "CMS, e^ε = 9, even guess: most revealing report")
    label = "the same: a report attains the bound for one item or the other, or says nothing"
    c.exact(posteriors, {1 - bound, Fraction(1, 2), bound}, label)
    label = "two items that both rows separate: probability of a report that attains it, p² + q²"
    c.exact(attained, keep**2 + (1 - keep) ** 2, label)
    label = "seven reports of one user about one item, e^ε = 9: an even guess becomes"
    c.limit(bound, week, label)

# %% [markdown]
# ## S-2.4 (definition 2.1)
#
# *$\Pr(M(d_1) = z) \le e^\varepsilon \Pr(M(d_2) = z)$ for all inputs and outputs.* The inequality is for single outputs. The check shows on one row of CMS that this is enough: over all 65,535 non-empty sets of its 16 outputs the largest ratio is the same.

# %%
row = [z for z in reports["a"] if z[0] == 0]
of_a = np.array([int(512 * reports["a"][z]) for z in row])
of_b = np.array([int(512 * reports["b"][z]) for z in row])
assert [Fraction(int(x), 512) for x in of_a] == [reports["a"][z] for z in row]
sets = np.arange(1, 2**16)[:, None] >> np.arange(16) & 1
on_sets = max(map(Fraction, (sets @ of_a).tolist(), (sets @ of_b).tolist()))
on_outputs = max(reports["a"][z] / reports["b"][z] for z in row)
with claim("S-2.4") as c:
    label = "largest ratio over 65,535 sets of outputs of a row, over single outputs; e^ε = 9"
    c.exact((on_sets, on_outputs), (Fraction(9), Fraction(9)), label)

# %% [markdown]
# ## S-2.7, S-2.8 and S-2.8b (the input, Example 1)
#
# S-2.7: *a uniform $j$ is drawn from the hash functions, and $d$ becomes a vector of length $m$.* S-2.8: *with $k = 4$, $m = 2$, $j = 3$ and $h_3(\text{male}) = 2$ it is $(-1, 1)$.* The package, without noise, draws 40,000 reports.
#
# S-2.8b: *the perturbed vector $\tilde v$ is sent to the server.* **Not checkable:** the sentence is about the vector and leaves out the row. The set $S$ of what the server gets, in the same section, has it.

# %%
gender = ExplicitFamily({"male": (0, 0, 1, 0), "female": (1, 0, 0, 1)}, width=2)
silent = CountMeanSketch.with_family(math.inf, gender)  # no noise
drawn_rows, signs = silent.unpack(silent.privatize(["male"] * 40_000, np.random.default_rng(1)))

with claim("S-2.7") as c:
    by_hand = {(0, (1, -1)), (1, (1, -1)), (2, (-1, 1)), (3, (1, -1))}
    sent = {(int(j), tuple(v)) for j, v in zip(drawn_rows, signs.tolist())}
    c.exact(sent, by_hand, "40,000 reports without noise: row, and one +1 at its hash value")
    stderr = math.sqrt(40_000 * 3 / 16)
    label = "rows drawn uniformly"
    c.decisive("simulated").sampled(np.bincount(drawn_rows), 10_000, label, stderr=stderr)
with claim("S-2.8") as c:
    third_row = np.unique(signs[drawn_rows == 2], axis=0)
    c.decisive("one example").exact(third_row, np.array([[-1, 1]]), "what is sent in row 3")
    c.exact(encode(2 - 1, 2), [-1, 1], "from its definition")

# %% [markdown]
# ## S-2.9 and S-2.10 (the perturbation)
#
# S-2.9: *each sign is kept with probability $p$ and negated with probability $q = 1 - p$.* Read independently for each sign. S-2.10: *$p = e^{\varepsilon/2}/(1 + e^{\varepsilon/2})$ and $q = 1/(1 + e^{\varepsilon/2})$.* They are the only probabilities with $p/q = e^{\varepsilon/2}$.

# %%
trial = CountMeanSketch.with_family(math.log(9), ExplicitFamily(items, width=4))
draws = 200_000
trial_rows, trial_signs = trial.unpack(
    trial.privatize(["b"] * draws, np.random.default_rng(12))
)
codes = 16 * trial_rows + (trial_signs > 0) @ np.array([8, 4, 2, 1])
drawn = np.bincount(codes, minlength=32) / draws
expected = np.array([float(probability) for probability in reports["b"].values()])
with claim("S-2.9") as c:
    stderr = np.sqrt(expected * (1 - expected) / draws)
    c.sampled(drawn, expected, "32 reports of b, independent signs", stderr=stderr)

# %%
x = sp.Symbol("x", positive=True)
p_printed = sp.exp(eps / 2) / (1 + sp.exp(eps / 2))
q_printed = 1 / (1 + sp.exp(eps / 2))
with claim("S-2.10") as c:
    solutions = sp.solve(sp.Eq(x / (1 - x), sp.exp(eps / 2)), x)
    differences = [sp.simplify(solution - p_printed) for solution in solutions]
    differences.append(sp.simplify(1 - solutions[0] - q_printed))
    label = "the only p with p/(1 − p) = e^(ε/2), and q = 1 − p"
    c.decisive("proved").exact(differences, [0, 0], label)
    at_one = [float(chance.subs(eps, 1)) for chance in (p_printed, q_printed)]
    c.close([scheme.keep, scheme.flip], at_one, "ε = 1: the package", rtol=1e-12)

# %% [markdown]
# ## S-2.11 (CMS is private)
#
# *With these $p$ and $q$ CMS is $\varepsilon$-locally differentially private.* In a row two items differ in at most two signs; all others cancel. The ratio of the two signs takes three values.

# %%
ratios = set()
for first, second in product((1, -1), repeat=2):  # signs at the hash values of d_1 and d_2
    under_d1 = (p if first == 1 else q) * (q if second == 1 else p)
    under_d2 = (q if first == 1 else p) * (p if second == 1 else q)
    ratios.add(sp.simplify((under_d1 / under_d2).subs(a, sp.exp(eps / 2))))
largest = []
for d, e in pairs:
    both = [reports[d][z] / reports[e][z] for z in reports[d]]
    most, least = max(both), min(both)
    largest.append(max(most, 1 / least))
with claim("S-2.11") as c:
    label = "any ε, m, k: the ratio of two reports' probabilities, all four cases"
    c.decisive("proved").exact(ratios, {sp.exp(eps), sp.S.One, sp.exp(-eps)}, label)
    c.exact(largest, [Fraction(9)] * 3, "all 32 reports, three pairs, e^ε = 9: largest ratio")

# %% [markdown]
# Independence is needed. One common random choice for all signs would send $v$ or $-v$, and the possible reports of two items would not overlap:

# %%
possible = []
for column in (0, 1):
    v = encode(column, 4)
    possible.append({tuple(v), tuple(-x for x in v)})
assert not possible[0] & possible[1]

# %% [markdown]
# ## S-2.12, S-2.13 and S-2.14 (removing the noise)
#
# S-2.12: *the constant of CMS is $c_\varepsilon = (e^{\varepsilon/2} + 1)/(e^{\varepsilon/2} - 1)$.* S-2.13: *the server forms $\tilde x = k(\frac{c_\varepsilon}{2}\tilde v + \frac12 \mathbf 1)$.* S-2.14: *the entry $M_{j^{(i)}, \ell}$ accumulates $\tilde x_{\ell^{(i)}}$ for $\ell \in [k]$.*
# There are $m$ columns, not $k$: with $k = 2$ and $m = 4$, the first two columns would miss an item whose hash values are 4 and 3.

# %%
constant = (
    derivation(1 / (p - q), of=r"\frac{1}{p - q}", names=half_step)
    .equal((a + 1) / (a - 1), "common denominator")
)  # fmt: skip
constant


# %%
def mean_vector(hashes, m):
    """Mean of the vectors x by row and column, over all reports of one user; e^ε = 9."""
    k = len(hashes)
    mean = [[Fraction(0)] * m for _ in hashes]
    for (row, signs), probability in distribution(hashes, m, keep).items():
        for column in range(m):
            mean[row][column] += probability * k * (2 * Fraction(signs[column]) + 1) / 2  # c = 2
    return mean


# %%
v = sp.Symbol("v", real=True)
with claim("S-2.12") as c:
    c.decisive("proved").derived(constant, 1 / (p - q), c_printed, "1/(p − q), printed p and q")
    at_one = float(c_printed.subs(a, sp.exp(half)))
    c.close(scheme.debias_factor, at_one, "ε = 1: the package", rtol=1e-12)
with claim("S-2.13") as c:
    restored = sp.simplify(c_printed / 2 * (p * v - q * v) + half)
    label = "any ε: x/k has the mean 1 where v = 1 and 0 where v = −1"
    c.decisive("proved").exact([restored.subs(v, 1), restored.subs(v, -1)], [1, 0], label)
    means = [mean_vector(hashes, 4) for hashes in items.values()]
    one_hot = []
    for hashes in items.values():
        one_hot.append([[Fraction(column == h) for column in range(4)] for h in hashes])
    c.exact(means, one_hot, "all reports of three items: one-hot in every row")

# %%
with claim(
    "S-2.14",
    printed=r"$\tilde x_{\ell^{(i)}}$, $\ell \in [k]$",
    corrected=r"$\tilde x^{(i)}_\ell$, $[m]$",
) as c:
    mean = mean_vector((3, 2), 4)
    first_columns = sum(sum(row[:2]) for row in mean)
    all_columns = sum(sum(row) for row in mean)
    c.differs(first_columns, Fraction(2), "k = 2, m = 4: sum of columns 1 to k, of 2 in all")
    c.exact(all_columns, Fraction(2), "sum of columns 1 to m")

# %% [markdown]
# ## S-2.15 and S-2.16 (the estimator)
#
# S-2.15: *$\tilde f(d) = \frac{m}{m-1}\bigl(\frac1k \sum_\ell M_{\ell, h_\ell(d)} - \frac nm\bigr)$ estimates the frequency of $d$.* Read as unbiased over random hash functions with pairwise independent values. S-2.16: *the estimate arises as the mean of the item's hash entries.*

# %%
f_s, n_s, m_s, k_s, c_s = sp.symbols("f n m k c", positive=True)
F = m_s / (m_s - 1)
of_d = {f_s: "f(d)"}
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
# The second route lists all reports and all families of hash functions in three small cases, in fractions; the third repeats the shop of section 6.2 with 40 families, and with 400 families of a small sketch in which collisions matter.

# %%
def moments_by_listing(family, counts, m):
    """Mean and variance of the first item's estimate for given hash functions; e^ε = 9."""
    mean, variance = -Fraction(sum(counts), m), Fraction(0)
    for hashes, users in zip(family, counts):
        first = second = Fraction(0)
        for (row, signs), probability in distribution(hashes, m, keep).items():
            score = Fraction(2 * signs[family[0][row]] + 1, 2)  # c = 2
            first += probability * score
            second += probability * score**2
        mean += users * first
        variance += users * (second - first**2)
    factor = Fraction(m, m - 1)
    return factor * mean, factor**2 * variance


def over(families, counts, m):
    """Mean and variance over the noise, the rows and a family drawn from these."""
    moments = [moments_by_listing(family, counts, m) for family in families]
    mean = sum(x for x, _ in moments) / len(moments)
    square = sum(variance + x**2 for x, variance in moments) / len(moments)
    return mean, square - mean**2


def all_families(n_items, m, k):
    """Every table of hash values: one tuple of length k for each item."""
    return list(product(product(range(m), repeat=k), repeat=n_items))


# %%
small_cases = [((1,), 2, 1), ((3, 1, 1), 2, 2), ((2, 5, 3), 4, 1)]  # counts, m, k
listed = [over(all_families(len(f), m, k), f, m) for f, m, k in small_cases]

# %%
counts = shop_counts()
true = np.array(list(counts.values()))
n = int(true.sum())
rng = np.random.default_rng(8)


def repeat(k, m, runs):
    """Errors of the 43 estimates, a new family in each run, and the exact variances."""
    errors = np.empty((runs, 43))
    for seed in range(runs):
        drawn_scheme = CountMeanSketch(1.0, hashes=k, width=m, seed=seed)
        errors[seed] = drawn_scheme.simulate(counts, rng).estimate(list(counts)) - true
    return errors, drawn_scheme.variances(counts)


default_errors, default_variances = repeat(1024, 128, 40)
small_errors, small_variances = repeat(4, 16, 400)

# %%
sketch = scheme.simulate(counts, rng)
entries = sketch.matrix[np.arange(1024), scheme.family.positions(list(counts))]


def estimate(M, hashes, n):
    """The estimator, in fractions."""
    k, m = len(M), len(M[0])
    mean = Fraction(sum(M[row][column] for row, column in enumerate(hashes)), k)
    return Fraction(m, m - 1) * (mean - Fraction(n, m))


never_colliding = estimate([[2, 2], [2, 2]], (0, 0), 4)  # Example 2 from its printed reports

# %%
with claim("S-2.15") as c:
    start = F * (f_s + (n_s - f_s) / m_s - n_s / m_s)
    label = "any n, m, f and pairwise independent values: the mean is f"
    c.decisive("proved").derived(unbiased, start, f_s, label)
    means = [mean for mean, _ in listed]
    first_counts = [Fraction(f[0]) for f, _, _ in small_cases]
    c.exact(means, first_counts, "three small cases: all families and reports")
    stderr = np.sqrt(default_variances / len(default_errors))
    c.sampled(default_errors.mean(axis=0), 0.0, "43 items, mean of 40 runs", stderr=stderr)
    label = "fixed hash functions, as the printed reports of Example 2 imply: the mean for 2 men"
    c.limit(Fraction(2), never_colliding, label)

# %%
with claim("S-2.16") as c:
    by_mean = 128 / 127 * (entries.mean(axis=1) - n / 128)
    label = "43 items: mean of 1,024 entries, and the package"
    by_package = sketch.estimate(list(counts))
    c.decisive("sampled").close(by_package, by_mean, label, rtol=1e-9)
    by_hand = estimate([[3, 1], [5, 1]], (0, 0), n=4)
    c.exact(by_hand, Fraction(4), "by hand: entries 3 and 5, n = 4, m = 2")

# %% [markdown]
# ## S-2.17 to S-2.23 (Example 2)
#
# *Four users hold male, male, female, female; $m = k = 2$, $\varepsilon = \infty$; from four given reports follow four vectors $\tilde x^{(i)}$, the matrix $M$ and the estimates 2 and 2.* One of these lines does not follow: the third vector. Its sign vector $(-1, 1)$ is printed twice, in the list of reports and in the working of $\tilde x^{(3)}$. If it is read as $(1, -1)$ in both
# places, which makes $h_1(\text{female}) = 1$, all results are as printed. Two routes: by hand in integers, and the package. Other signs or another row for one of the four reports make 28 changes; only this one gives the printed $M$.

# %%
rows = [0, 1, 0, 1]
held = ["male", "male", "female", "female"]
printed_v = [(1, -1), (1, -1), (-1, 1), (-1, 1)]
printed_x = [(2, 0), (2, 0), (2, 0), (0, 2)]
printed_M = [[4, 0], [2, 2]]
printed_f = [2, 2]


def vector_of(signs):
    """Vector x of a report: 2(v/2 + 1/2)."""
    return (signs[0] + 1, signs[1] + 1)


def add_up(vectors, rows=rows):
    """Sketch matrix of four vectors x."""
    M = [[0, 0], [0, 0]]
    for x, row in zip(vectors, rows):
        M[row][0] += x[0]
        M[row][1] += x[1]
    return M


def work_out(reports_v):
    """Vectors x, matrix, hash values of both items and their estimates."""
    vectors = [vector_of(signs) for signs in reports_v]
    columns = [signs.index(1) for signs in reports_v]
    hashes = {"male": tuple(columns[:2]), "female": tuple(columns[2:])}
    M = add_up(vectors)
    return vectors, M, hashes, [estimate(M, h, 4) for h in hashes.values()]


def by_package(reports_v, hashes):
    """Vectors x, matrix and estimates of the package."""
    tiny = CountMeanSketch.with_family(math.inf, ExplicitFamily(hashes, width=2))
    vectors = []
    for signs, row in zip(reports_v, rows):
        vectors.append(tiny.aggregate(tiny.pack([row], [signs])).matrix[row])
    sketch = tiny.aggregate(tiny.pack(rows, reports_v))
    return vectors, sketch.matrix, sketch.estimate(["male", "female"])


# %%
our_x, our_M, our_hashes, our_f = work_out(printed_v)
package_x, package_M, package_f = by_package(printed_v, our_hashes)
tried = 0
as_printed = []
for i, signs, row in product(range(4), product((1, -1), repeat=2), range(2)):
    if (signs, row) == (printed_v[i], rows[i]):
        continue
    tried += 1
    reports_v, drawn = list(printed_v), list(rows)
    reports_v[i], drawn[i] = signs, row
    if add_up([vector_of(v) for v in reports_v], drawn) == printed_M:
        as_printed.append((i + 1, signs, row + 1))
changed_v = [(1, -1), (1, -1), (1, -1), (-1, 1)]
other_x, other_M, other_hashes, other_f = work_out(changed_v)
_, changed_M, changed_f = by_package(changed_v, other_hashes)

# %% [markdown]
# S-2.17 states the reports, S-2.18 to S-2.20 the vectors.

# %%
with claim("S-2.17", printed="the four reports") as c:
    coded = []
    for item, row in zip(held, rows):
        column = {"male": (0, 0), "female": (1, 1)}[item][row]
        coded.append(tuple(encode(column, 2)))
    c.exact(coded, printed_v, "from the items and the rows, with h_1(female) = 2")
    c.limit(printed_x[2], our_x[2], "the printed x(3), and that of the third report as printed")
with claim("S-2.18", printed=r"$\tilde x^{(1)} = (2, 0)$") as c:
    c.decisive("one example").exact(our_x[:2], printed_x[:2], "by hand")
    c.close(package_x[:2], printed_x[:2], "the package", rtol=1e-12)

# %%
with claim(
    "S-2.19",
    printed=r"$\tilde x^{(3)} = (2, 0)$",
    corrected=r"$\tilde x^{(3)} = (0, 2)$, or $(2, 0)$ from the report $(1, -1)$",
    consequence=(
        "None for the method. With $(1, -1)$ in both places all results are right as printed."
    ),
) as c:
    c.differs(printed_x[2], our_x[2], "2(½(−1, 1) + ½(1, 1))")
    c.decisive("one example").exact(our_x[2], (0, 2), "by hand")
    c.close(package_x[2], [0, 2], "the package", rtol=1e-12)
    label = f"{tried} changes of one report, signs or row: which give the printed M"
    c.exact(as_printed, [(3, (1, -1), 1)], label)
    c.exact((other_x, other_M, other_f), (printed_x, printed_M, printed_f), "all that follows")
with claim("S-2.20", printed=r"$\tilde x^{(4)} = (0, 2)$") as c:
    c.decisive("one example").exact(our_x[3], printed_x[3], "by hand")
    c.close(package_x[3], printed_x[3], "the package", rtol=1e-12)

# %% [markdown]
# S-2.21 states the matrix, S-2.22 and S-2.23 the estimates. Each has the limit that the third report is as printed.

# %%
with claim(
    "S-2.21", printed=r"$M = \begin{pmatrix} 4 & 0 \\ 2 & 2 \end{pmatrix}$"
) as c:
    c.exact(add_up(printed_x), printed_M, "sum of the printed x")
    c.decisive("one example").exact(other_M, printed_M, "third report (1, −1): by hand")
    c.close(changed_M, printed_M, "the package", rtol=1e-12)
    c.limit(printed_M, our_M, "with the third report as printed")
with claim("S-2.22", printed=r"$\tilde f(\text{male}) = 2$") as c:
    label = "third report (1, −1), hash values (1, 1): by hand"
    c.decisive("one example").exact(other_f[0], Fraction(2), label)
    c.close(changed_f[0], 2.0, "the package", rtol=1e-12)
    c.limit(other_f[0], our_f[0], "with the third report as printed")

# %%
with claim("S-2.23", printed=r"$\tilde f(\text{female}) = 2$") as c:
    label = "third report (1, −1), hash values (1, 2): by hand"
    c.decisive("one example").exact(other_f[1], Fraction(2), label)
    c.close(changed_f[1], 2.0, "the package", rtol=1e-12)
    c.limit(other_f[1], our_f[1], "with the third report as printed")
    any_hash = {estimate(our_M, h, 4) for h in product(range(2), repeat=2)}
    c.exact(any_hash, {Fraction(0)}, "from that M, whatever the hash values")
assert np.array_equal(package_M, our_M) and package_f.tolist() == [0, 0] == our_f

# %% [markdown]
# ## S-6.2 (the data) and S-1.10 (Table 1)
#
# S-6.2: *the data set of an online shop has 43 items, and item A2 has 3013 records.* Of the main category 1 of the file. S-1.10, Table 1: *the symbols are $D$, $\varepsilon$, $H$, $k$, $m$, $n'$, $\beta$, $T$, $t$, $r$.* The number $n$ of honest users is not among them, and the share $\beta$ of malicious
# users needs a base. Table 4 prints the gain 12.82 (in hundreds of users) at $\beta = 0.01$, which fits the share of all users.

# %%
head, *lines = datasets.load("eshop").decode().splitlines()
names = head.split(";")
category = names.index("page 1 (main category)")
model = names.index("page 2 (clothing model)")
records = [line.split(";") for line in lines]
in_category = [record[model] for record in records if record[category] == "1"]
by_letter = [record[model] for record in records if record[model].startswith("A")]
with claim("S-6.2") as c:
    for rule, models in (("category 1", in_category), ("letter A", by_letter)):
        counted = (len(set(models)), models.count("A2"))
        label = f"the published file, {rule}: items, and records of A2"
        c.decisive("exhaustive").exact(counted, (43, 3013), label)
    stored = [in_category.count(item) for item in counts]
    c.exact(stored, list(counts.values()), "the 43 counts of the package, and the file")

# %%
beta = Fraction(1, 100)
fakes_of_all = math.floor(n * beta / (1 - beta))
fakes_of_honest = math.floor(n * beta)
gain = 128 / 127 * ((scheme.debias_factor + 1) / 2 - 1 / 128) / 100  # of one fake, one target
with claim("S-1.10", printed=r"$n', \beta$, no $n$", corrected=r"$n$; $\beta = n'/(n + n')$") as c:
    symbols = ["D", "ε", "H", "k", "m", "n'", "β", "T", "t", "r"]
    c.fails("n" in symbols, "Table 1 has a symbol for the number of honest users")
    label = "Table 4 prints 12.82: β of all users"
    c.decisive("one example").close(fakes_of_all * gain, 12.82, label, rtol=0, atol=0.005)
    label = "β of the honest users would give less than 12.815"
    c.holds(fakes_of_honest * gain < 12.815, label, method="numeric")

# %% [markdown]
# ## S-B1 (the moments of CMS)
#
# Beyond the paper: *exact mean and variance of the estimate, for one fixed family of hash functions and over independent random functions with three-wise independent values; the collisions leave a share of the squared counts that does not vanish with $n$.*
#
# A report about $d'$ adds $F X$ with $X = \frac{c}{2} s + \frac12$ to the estimate of $d$, where $s$ is its noisy sign in the column of $d$. Let $A$ be the share of rows in which $d'$ collides with $d$; then $\operatorname{E} s = (2A - 1)/c$.

# %%
S, nu, A = sp.symbols("S nu A", positive=True)
spread = (
    derivation(
        c_s**2 / 4 * (1 - ((2 * A - 1) / c_s) ** 2),
        of=r"\operatorname{Var} X",
        names={c_s: r"c_{\varepsilon}"},
    )
    .equal((c_s**2 - (2 * A - 1) ** 2) / 4, "multiply out")
    .equal((c_s**2 - 1) / 4 + A * (1 - A), "$(2A-1)^2 = 1 - 4A(1-A)$")
)  # fmt: skip
spread

# %% [markdown]
# Over random hash functions, the law of total variance adds the mean of this variance and the variance of the mean. For $d' \ne d$ the share $A$ is the mean of $k$ independent indicators of probability $1/m$. Let $S$ be the sum of the squared counts of the other items, and $\nu = (c^2 - 1)/4$.

# %%
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
# The listing of all reports and families is the second route, the shop with new hash functions in each run the third. The limit: values that are only pairwise independent, $ux + b$ modulo 3.

# %%
theorem = F**2 * n_s * (c_s**2 - 1) / 4
theorem += ((1 - 1 / k_s) * (n_s - f_s) + S / k_s) / (m_s - 1)


def variance_of(f, m, k):
    """The theorem's variance over random families, e^ε = 9."""
    squares = sum(x * x for x in f[1:])
    values = {f_s: f[0], n_s: sum(f), m_s: m, k_s: k, c_s: 2, S: squares}
    return Fraction(str(theorem.subs(values)))


# %%
def fixed_moments(family, f, m):
    """The theorem for one family, e^ε = 9."""
    k, n_users, factor = len(family[0]), sum(f), Fraction(m, m - 1)
    mean, variance = -Fraction(n_users, m), n_users * Fraction(3, 4)  # (c² − 1)/4 = 3/4
    for hashes, users in zip(family, f):
        share = Fraction(sum(x == y for x, y in zip(hashes, family[0])), k)
        mean += users * share
        variance += users * share * (1 - share)
    return factor * mean, factor**2 * variance


f, m, k = small_cases[1]
families = all_families(len(f), m, k)
family_by_listing = [moments_by_listing(family, f, m) for family in families]
family_by_theorem = [fixed_moments(family, f, m) for family in families]
affine = [[((u * x + b) % 3,) for x in range(3)] for u, b in product(range(3), repeat=2)]
affine_mean, affine_variance = over(affine, (2, 3, 1), 3)
assert affine_mean == 2  # pairwise independence is enough for the mean

# %%
share, R = sp.symbols("s R", positive=True)
grown = theorem.subs({f_s: share * n_s, S: R * n_s**2}) / n_s**2
left_over = sp.limit(grown, n_s, sp.oo)
squared = {"k = 1,024, m = 128": default_errors**2 / default_variances,
           "k = 4, m = 16": small_errors**2 / small_variances}  # fmt: skip

# %%
with claim("S-B1") as c:
    start = c_s**2 / 4 * (1 - ((2 * A - 1) / c_s) ** 2)
    end = (c_s**2 - 1) / 4 + A * (1 - A)
    c.decisive("proved").derived(spread, start, end, "one report, given the family: variance")
    in_nu = theorem.subs(c_s, sp.sqrt(4 * nu + 1))
    label = "random family, by the law of total variance"
    c.decisive("proved").derived(variance, within + between, in_nu, label)
    by_listing = [total for _, total in listed]
    by_theorem = [variance_of(f, m, k) for f, m, k in small_cases]
    c.exact(by_listing, by_theorem, "variance, three small cases: all families and reports")
    label = f"mean and variance, each of {len(families)} fixed families of the second case"
    c.exact(family_by_listing, family_by_theorem, label)
    for size, z in squared.items():
        runs = z.mean(axis=1)
        label = f"{size}, 43 items, {len(runs)} families: mean squared error over variance"
        c.sampled(runs.mean(), 1.0, label, stderr=runs.std() / math.sqrt(len(runs)))
    label = "values only pairwise independent, $ux + b$ modulo 3: the variance"
    c.limit(variance_of((2, 3, 1), 3, 1), affine_variance, label)
    label = "n → ∞ with S = R n²: what is left of the variance over n²"
    difference = sp.simplify(left_over - R / (k_s * (m_s - 1)))
    c.decisive("proved").exact(difference, sp.S.Zero, label)
