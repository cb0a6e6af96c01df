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
# # Do the tools say how safe a release is?
#
# Statistical offices protect their files with public software: sdcMicro rewrites records and measures risks, cellKey and ptable perturb tables,
# rrLogit of the US Census Bureau estimates from answers that were rewritten. This page puts the part beside them. A risk comes out negative, and one line says
# why. An estimate of minus ten people is replaced by a possible one, with a number that proves how good it is. A matrix that leaves all shares as they are turns
# out to guarantee next to nothing. And for tables of counts the question "who is behind this row?" has no answer, so that another one has to be asked.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** to see from a formula how many digits it can lose, to estimate shares from rewritten data without leaving what is possible, what level a run of
# sdcMicro guarantees, and what can be said of counts with bounded noise.
# **You need** Theorem 5.1 ([notebook 3](../disclosure/03-pram-and-sampling.ipynb)), the estimate of a share
# ([notebook 4](../disclosure/04-exact-risk-and-design.ipynb)) and logarithms.
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Release:** a file whose values were rewritten independently (PRAM), all records, in random order; in the section on counts a table of counts, each with
# bounded noise. **The attacker** knows the whole table and the process (one section
# compares three attackers); for counts, everybody but one person. **Protected:** which line is whose; for counts,
# whether that person was counted. **Not protected:** what many tables about the same people tell together, but for one exercise.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from functools import reduce
from itertools import accumulate, combinations_with_replacement, permutations, product
from math import log
from operator import add, mul

import matplotlib.pyplot as plt
import mpmath
import numpy as np
import plotly.graph_objects as go
import sympy as sp
from scipy import optimize, stats

from privlib.disclosure import anonymity, local_dp, pram, sampling
from privlib.notebook import claim, derivation, interactive, plots, table
from privlib.notebook.derivations import increasing
from privlib.research import knowledge_models
from privlib.research.pram_estimation import invariant_matrix, mle_proportions, neighbour_delta

plots.use()
rng = np.random.default_rng(606)


# %% [markdown]
# ## How can a risk be negative?
#
# A sample shows a value $f$ times, each person was drawn with probability $p$, and $q = 1 - p$. The individual risk $r_f$, the mean of one over the
# number of people who have the value, was printed as a finite sum {cite:p}`franconi2004individual`, and sdcMicro offers it as method "exact"
# {cite:p}`templ2015sdcmicro`. In double precision it can fail completely: for $f = 40$ and $p = 0.99$ it gives a number of 74<!-- {length_at_40} --> digits, although a risk is at most 1. Here is the failure
# with the fewest people, if $p$ is the share of them that was drawn, and its reason. Twelve of thirteen were drawn, $p = \frac{12}{13}$.

# %%
def printed_sum(f, p):
    """The printed sum in sdcMicro's order, and the sizes of its terms added up."""
    scale, A = (p / (1 - p)) ** f, (p ** (1 - f) - 1) / (f - 1)
    terms, product_B = [], 1.0
    for i in range(f - 2):
        up = (f - 1 - i) ** 2 / ((i + 1) * (f - 2 - i))
        product_B *= up * (p ** (i + 2 - f) - 1) / (p ** (i + 1 - f) - 1)
        terms.append((-1) ** (i + 1) * product_B)
    last = (-1) ** f * np.log(p)
    sizes = A * (1 + sum(map(abs, terms))) + abs(last)
    return scale * (A * (1 + reduce(add, terms, 0)) + last), scale * sizes


# %%
found, sizes = printed_sum(12, 12 / 13)
ours = sampling.benedetti_franconi_risk(12, 12 / 13)
print(f"terms of size {sizes:.0e} in all, their sum {found:.3f}, the risk {ours:.5f}")


# %% jupyter={"source_hidden": true} tags=["evidence"]
def printed_risk(f, p, ln):
    """The printed sum for numbers of any precision, with their logarithm."""
    factors = []
    for i in range(f - 2):
        ratio = (p ** (i + 2 - f) - 1) / (p ** (i + 1 - f) - 1)
        factors.append((f - 1 - i) ** 2 * ratio / ((i + 1) * (f - 2 - i)))
    total = 1
    for m, product_to_m in enumerate(accumulate(factors, mul)):
        total += (-1) ** (m + 1) * product_to_m
    A = (p ** (1 - f) - 1) / (f - 1)
    return (p / (1 - p)) ** f * (A * total + (-1) ** f * ln(p))


points = [(3, 0.1), (5, 0.3), (12, 0.9), (20, 0.5), (30, 0.7), (40, 0.99)]
with mpmath.workdps(400):
    by_400_digits = [float(printed_risk(f, mpmath.mpf(p), mpmath.log)) for f, p in points]
by_series = [float(sampling.benedetti_franconi_risk(f, p)) for f, p in points]
by_floats = [printed_risk(f, p, log) for f, p in points]
far_off = set()
for (f, _), value, good in zip(points, by_floats, by_series):
    if abs(value / good - 1) > 0.01:
        far_off.add(f)
length_at_40 = len(str(abs(int(by_floats[-1]))))
with claim("K-B19") as c:
    label = "the printed formula with 400 digits, our series: six (f, p)"
    c.decisive("sampled").close(by_400_digits, by_series, label, rtol=1e-12)
    c.at_most(by_400_digits, [1 / f for f, _ in points], "all at most 1/f, as M ≥ f")
    label = "in floats, more than 1 % off: f = 12, 30 and 40"
    c.decisive("sampled").exact(far_off, {12, 30, 40}, label)
    c.decisive("one example").exact(length_at_40, 74, "f = 40, p = 0.99 in floats: digits")


# %% jupyter={"source_hidden": true} tags=["evidence"]
def enclosure(f, p):
    """Two fractions around the risk: the positive series, and a bound on its rest."""
    q, total, term = 1 - p, Fraction(1), Fraction(1)
    for k in range(1, 40):
        term *= k * q / (f + k)
        total += term
    return p / f * total, p / f * (total + term * q / p)


def off(f, out_of):
    """Relative error of the printed sum for f of so many people, in floats."""
    right = sampling.benedetti_franconi_risk(f, f / out_of)
    return printed_sum(f, f / out_of)[0] / right - 1


low, high = enclosure(12, Fraction(12, 13))
assert low <= Fraction(float(ours)) * (1 + Fraction(1, 10**15))
assert high >= Fraction(float(ours)) * (1 - Fraction(1, 10**15))
assert max(abs(off(f, f + m)) for f in range(2, 12) for m in range(1, 60)) < 0.05
assert all(abs(off(12, 12 + m)) < 0.01 for m in range(2, 60))
assert off(11, 12) > 0.01 and found < 0

# %% [markdown]
# The terms are of the size of $10^{15}$ and a computer keeps sixteen digits, so nothing is left of a risk of 0.08. Where do such terms come from? The negative binomial
# law of the number of people gives an integral, which $w = 1 - qt$ turns into
#
# $$
# r_f = p^f \int_0^1 \frac{t^{f-1}}{(1 - qt)^f}\,dt = \Bigl(\frac pq\Bigr)^{f} \int_p^1 \frac{(1 - w)^{f-1}}{w^f}\,dw ,
# $$
#
# and the printed terms are those of the binomial theorem for $(1 - w)^{f-1}$, integrated one by one. Their absolute values are the same with $(1 + w)^{f-1}$.
# For $w \ge p$ one integrand is much larger than the other:

# %% jupyter={"source_hidden": true} tags=["evidence"]
u_, d_ = sp.symbols("u d", positive=True)  # 1 - w and w - p
larger = derivation(
    2 / u_ - 1, of=r"\frac{1+w}{1-w}", names={u_: "(1-w)", d_: "(w-p)"}
).at_least(2 / (u_ + d_) - 1, "$1 - p = (1-w) + (w-p)$", by="coefficients")
larger

# %% [markdown]
# and the right side is $\frac{1+p}{1-p}$.
#
# ```{prf:proposition} How many digits can be lost
# :label: thm-di-06-cancel
# The absolute values of the printed terms add up to at least $\bigl(\frac{1+p}{1-p}\bigr)^{f-1}$ times the risk. So terms that are off by a share $u$ each
# can put the sum off by $u$ times that factor: $(f - 1) \log_{10} \frac{1+p}{1-p}$ digits can be lost.
# ```
#
# The second sentence is the first one with every error on the side of its term's sign. For twelve of thirteen 15.4<!-- {lost_12:.1f} --> digits of sixteen can be lost, and are; for $f = 40$ and
# $p = 0.99$ it is 90<!-- {lost_40:.0f} -->. The formula is right, and the order of the summation is not to blame: that the terms are rounded is enough.
# Can be, not must be: errors of rounding cancel as well. With $f = 26$ and $p = 0.3$ the proposition allows a loss of 6.7<!-- {may_26:.1f} --> digits, and 3.2<!-- {shown_did_26:.1f} --> were
# lost; of the 3094<!-- {map_big} --> pairs below for which it allows two digits or more, 65<!-- {map_fewer} --> % lost fewer.
# The same integral with $y = pt/(1 - qt)$ is $\int_0^1 y^{f-1}/(1 + yq/p)\,dy$, whose series $\frac pf\bigl(1 + \frac{q}{f+1} + \frac{2q^2}{(f+1)(f+2)} + \dots\bigr)$ has
# positive terms only; that is what `benedetti_franconi_risk` adds up.

# %% jupyter={"source_hidden": true} tags=["evidence"]
counts_map, rates_map = np.arange(2, 41), np.arange(0.01, 0.995, 0.01)
mesh = np.meshgrid(counts_map, rates_map, indexing="ij")
stable = sampling.benedetti_franconi_risk(*mesh)
summed = np.array([printed_sum(int(f), rates_map)[0] for f in counts_map])
wrong = np.abs(summed / stable - 1)
digits_lost = (mesh[0] - 1) * np.log10((1 + mesh[1]) / (1 - mesh[1]))
big = digits_lost > 2  # below, what is lost is as small as what our series loses
lost_here = np.log10(np.maximum(wrong, 1e-30) * 2.0**53)
with mpmath.workdps(60):
    of_26 = mpmath.mpf(0.3) / 26 * mpmath.hyp2f1(1, 1, 27, 1 - mpmath.mpf(0.3))
    off_26 = abs(mpmath.mpf(printed_sum(26, 0.3)[0]) / of_26 - 1)
    did_26 = mpmath.log10(off_26 * 2**53)
assert did_26 < 3.5 and (1.3 / 0.7) ** 25 > 1e6
assert (lost_here < digits_lost)[big].any()
some_rates = (0.01, 0.2, 0.5, 0.51, 0.9, 0.99)
checked = list(product((2, 3, 5, 8, 12, 20, 30, 40), some_rates))
with mpmath.workdps(50):
    by_50 = [
        float(p / mpmath.mpf(f) * mpmath.hyp2f1(1, 1, f + 1, 1 - mpmath.mpf(p)))
        for f, p in checked
    ]
approximate = mesh[1] / (mesh[0] - (1 - mesh[1]))  # sdcMicro's default, for f > 2
default_off = np.abs(approximate / stable - 1)[1:].max()

f_, m_, p_ = sp.symbols("f m p", positive=True)
term = sp.binomial(f_ - 1, m_) * (p_ ** (m_ + 1 - f_) - 1) / (f_ - 1 - m_)
ratio = sp.combsimp(term.subs(m_, m_ + 1) / term)
printed_factor = (f_ - 1 - m_) ** 2 / ((m_ + 1) * (f_ - 2 - m_))
printed_factor *= (p_ ** (m_ + 2 - f_) - 1) / (p_ ** (m_ + 1 - f_) - 1)
of_risk = np.array([printed_sum(f, p)[1] for f, p in checked]) / by_50
at_least = [((1 + p) / (1 - p)) ** (f - 1) for f, p in checked]
with claim("K-B24") as c:
    same_ratio = sp.simplify(ratio - printed_factor)
    label = "binomial terms, for all f, p and all terms"
    c.decisive("proved").exact(same_ratio, sp.Integer(0), label)
    c.decisive().derived(larger, 2 / u_ - 1, 2 / (u_ + d_) - 1, "one integrand")
    label = f"{len(checked)} pairs: sizes over risk"
    c.at_most(at_least, of_risk * (1 + 1e-9), label)
    same = sampling.benedetti_franconi_risk(*zip(*checked))
    c.close(same, by_50, "our series has all digits: 50 digits", rtol=4e-15)
    in_floats = Fraction(float(found))
    c.at_most(in_floats, Fraction(-1, 100), "12 of 13, in floats")
    c.at_most(Fraction(7, 100), low, "the risk, by fractions")
lost_12 = float(11 * np.log10(25))
lost_40 = float(39 * np.log10(199))
may_26 = float(25 * np.log10(13 / 7))
shown_did_26 = float(did_26)
map_big = int(big.sum())
fewer = (lost_here < digits_lost)[big].mean()
map_fewer = round(100 * float(fewer))
shown_default_off = round(100 * float(default_off), 1)
map_off = round(100 * float((wrong > 0.01).mean()))

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Relative error of the printed sum in double precision, by how often a value is sampled and the sampling rate (colour: power of ten, from rounding to 1 and more). On the line the proposition allows a loss of fourteen digits; where it allows eighteen, no digit is left.", "name": "fig-di-06-error-map"}, "image": {"alt": "A map with sampled counts from 2 to 40 to the right and rates from 0 to 1 upwards. The lower left, small counts or small rates, is dark, errors near rounding. A line falls from rate 0.99 at 8 to rate 0.39 at 40; above it the map brightens, to errors of 1 and more."}} tags=["figure"]
fig, ax = plots.panels(height=3.9)
shade = ax.pcolormesh(
    counts_map, rates_map, np.clip(np.log10(wrong.T + 1e-17), -16, 0), cmap="viridis",
    rasterized=True,
)  # fmt: skip
ax.contour(counts_map, rates_map, digits_lost.T, [14], colors="white")
ax.set(xlabel="sampled records f with the value", ylabel="sampling rate p")
bar = fig.colorbar(shade, ax=ax, ticks=[-16, -12, -8, -4, 0])
bar.set_label("relative error, power of ten")
at_40 = rates_map[np.argmax(digits_lost[-1] > 14)]
at_8 = digits_lost[counts_map == 8, -1][0]
assert abs(at_40 - 0.39) < 0.015 and 14 < at_8 < 16.2
assert wrong[digits_lost > 18].min() > 1 and wrong[digits_lost < 8].max() < 1e-3
plt.show()

# %% [markdown]
# Of this map 30<!-- {map_off} --> % are off by more than 1 %. In fairness: nobody has to meet it. sdcMicro's default is the approximation $p/(f - q)$, which on the same map
# is at most 4.0<!-- {shown_default_off} --> % off for $f > 2$ (for $f \le 2$ it takes the exact forms), and its tests have $f \le 5$ and sampling
# rates below 0.06, where the sum has the nine digits that they compare. The page [Checked against others](../../book/outside.md) has their test files, what their function answers in R
# on a grid of 63 pairs, and a report with a repair.
#
# ## What replaces minus ten people?
#
# In a Dutch survey 412 people on unemployment benefit answered two questions by drawing cards, each truthfully with probability 0.8
# {cite:p}`vandenhout2002`. The unbiased estimate of one cell is -10.3<!-- {smallest_cell:.1f} --> people; the [evidence of notebook 4](../evidence/disclosure/04-exact-risk-and-design.ipynb) shows how often such estimates occur. We could open of that article the abstract;
# the counts, the cards and a run of the Census Bureau's package are in rrLogit {cite:p}`schafer2024rrlogit`. The most likely shares are possible by construction. But how
# does one know that they were found?
#
# Let the share $f_a$ of the lines show $a$. Shares $\pi$ show it with probability $\lambda_a = \sum_u \pi_u A_{ua}$. Call
# $g_u = \sum_a f_a A_{ua}/\lambda_a$ the *score* of $u$: the slope of the mean log likelihood $\sum_a f_a \ln \lambda_a$. The EM algorithm (iterative Bayesian update) multiplies each share by its score.
#
# ```{prf:proposition} A certificate
# :label: thm-di-06-certificate
# The mean log likelihood of no shares is larger than that of $\pi$ by more than $\max_u g_u - 1$. So $\pi$ is most likely if and only if no score is above 1.
# ```
#
# For any other $\pi^*$, by $\ln x \le x - 1$ and as the $f_a$ sum to 1,
# $\sum_a f_a \ln\frac{\lambda^*_a}{\lambda_a} \le \sum_a f_a \frac{\lambda^*_a}{\lambda_a} - 1 = \sum_u \pi^*_u g_u - 1 \le \max_u g_u - 1$. At a maximum no slope
# upwards is left: there the scores are at most their mean $\sum_u \pi_u g_u$, which is 1. Nothing in this depends on the algorithm: the number convicts or acquits any shares,
# whoever found them. The one inequality, for $x = 1 + t$ and for $x = 1/(1 + t)$, which is all $x > 0$: both sides are 0 at $t = 0$, and

# %% jupyter={"source_hidden": true} tags=["evidence"]
t_ = sp.Symbol("t", nonnegative=True)
x_above, x_below = 1 + t_, 1 / (1 + t_)
below_one = derivation(x_below - 1, of=r"\tfrac{1}{1+t} - 1").at_least(
    -sp.log(1 + t_), "it grows from 0", by=increasing(t_)
)
above_one = derivation(x_above - 1, of=r"(1 + t) - 1").at_least(
    sp.log(1 + t_), "the difference grows from 0", by=increasing(t_)
)
above_one

# %% [markdown]
# (and the same below 1). Now the survey:

# %%
coin = np.array([[0.8, 0.2], [0.2, 0.8]])
answers = np.array([68, 52, 103, 189])  # yes-yes, yes-no, no-yes, no-no
both = np.kron(coin, coin)  # two questions, each with cards of its own
likely, missing = mle_proportions(answers, both)
unbiased = np.linalg.solve(both.T, answers)
print(f"another table is better by at most {412 * missing:.0e} in log likelihood")


# %% jupyter={"source_hidden": true} tags=["set-up"]
def scores(shares, counts, A):
    """Slopes of the mean log likelihood."""
    shown = np.asarray(shares) @ A
    return (A * (np.asarray(counts) / sum(counts) / shown)).sum(axis=1)


with_prior = np.full(4, 0.25)  # rrLogit's: half a person more in each true cell
for _ in range(2000):
    people_of = 412 * with_prior * scores(with_prior, answers, both)
    with_prior = (people_of + 0.5) / 414
their_shares = [0.1586, 0.0162, 0.1969, 0.6283]  # printed by rrLogit
smallest_cell = float(min(unbiased))
table(
    {"true answers": ["yes, yes", "yes, no", "no, yes", "no, no"], "shown": answers,
     "unbiased": unbiased, "most likely": 412 * likely,
     "ours with rrLogit's prior (share)": with_prior,
     "rrLogit (share)": their_shares},
    formats={"unbiased": ".1f", "most likely": ".1f",
             "ours with rrLogit's prior (share)": ".4f", "rrLogit (share)": ".4f"},
    difference=("ours with rrLogit's prior (share)", "rrLogit (share)"),
    caption="Two questions, 412 people. rrLogit 1.0.1 prints shares for a prior of "
    "half a person a cell (tests/unemployment.Rout.save, R 4.2.1).",
)  # fmt: skip


# %% [markdown]
# With the prior that its test sets, our EM gives all digits that rrLogit printed, and its log likelihood of $-520.8335$; without, -520.4403<!-- {dutch_loglik:.4f} -->. In rrLogit's own vignette
# the run without prior stops a little above zero, since it watches changes and not scores.
#
# For retention one need not iterate. There $g_u = \text{const} + \rho f_u/\lambda_u$, so that $f_u/\lambda_u$ is the same wherever the share is positive, and not larger
# elsewhere, where $\lambda_u = b = \frac{1-\rho}N$:
#
# ```{prf:proposition} Most likely shares under retention
# :label: thm-di-06-filling
# The most likely shares are $\pi_a = (\lambda_a - b)/\rho$ with $\lambda_a = \max(b, \mu f_a)$, where $\mu$ makes the $\lambda_a$ sum to 1.
# ```
#
# Small shown shares are cut to zero, and the others are scaled together, not moved together as in a projection. Such a formula for the maximum was announced
# in 2026 {cite:p}`pinzon2026estimating`. In exact fractions, for 60<!-- {shown_filled} --> small tables, no score is above 1.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def filled(counts, keep):
    """Most likely shares under retention, in fractions; counts in falling order."""
    size, total = len(counts), sum(counts)
    b = (1 - keep) / size
    for top in range(size, 0, -1):  # so many shares are positive
        mu = (1 - (size - top) * b) / Fraction(sum(counts[:top]), total)
        if mu * Fraction(counts[top - 1], total) > b:
            break
    shown = [max(b, mu * Fraction(n, total)) for n in counts]
    return [(x - b) / keep for x in shown[:top]] + [Fraction(0)] * (size - top)


small, most, held = [], [], []
for size, keep in product((2, 3, 4), (Fraction(1, 4), Fraction(3, 5))):
    A = pram.retention_matrix(keep, size)
    for counts in combinations_with_replacement(range(8, -1, -1), size):
        if sum(counts) == 8:
            shares = filled(counts, keep)
            lam = np.array(shares) @ A
            g = [sum(Fraction(n, 8) * a / x for n, a, x in zip(counts, row, lam))
                 for row in A]  # fmt: skip
            small.append((sum(shares), min(shares) >= 0))
            most.append(max(g))
            held.append(all(x == 1 for x, share in zip(g, shares) if share))

trials = np.random.default_rng(7)
gaps, found_gaps = [], []
for _ in range(200):
    size = int(trials.integers(2, 6))
    counts = np.sort(trials.multinomial(40, trials.dirichlet(np.ones(size))))[::-1]
    keep = Fraction(int(trials.integers(1, 10)), 10)
    A = pram.retention_matrix(keep, size).astype(float)
    best = np.array([float(x) for x in filled(counts.tolist(), keep)])
    some = trials.dirichlet(np.ones(size))
    logs = np.log(np.array([best, some]) @ A) @ counts / 40
    gaps.append(logs[0] - logs[1])
    found_gaps.append(scores(some, counts, A).max() - 1)

solved = optimize.minimize(
    lambda x: -np.log(np.maximum(x @ both, 1e-12)) @ answers / 412, np.full(4, 0.25),
    bounds=[(0, 1)] * 4, constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
    tol=1e-13,
)  # fmt: skip
log_best, log_theirs = (np.log(x @ both) @ answers for x in (likely, with_prior))
exact_shares = [Fraction(float(x)) for x in likely]
exact_shares = np.array([x / sum(exact_shares) for x in exact_shares])
fifth = np.array([[Fraction(4, 5), Fraction(1, 5)], [Fraction(1, 5), Fraction(4, 5)]])
exact_both = np.kron(fifth, fifth)
exact_shown = exact_shares @ exact_both
exact_scores = [
    sum(Fraction(int(n), 412) * a / x for n, a, x in zip(answers, row, exact_shown))
    for row in exact_both
]
with claim("K-B25") as c:
    c.decisive().derived(above_one, t_, sp.log(1 + t_), "ln x ≤ x − 1, x above 1")
    last = -sp.log(1 + t_)
    c.decisive().derived(below_one, 1 / (1 + t_) - 1, last, "and below")
    label = "200 random cases: missing, certificate"
    c.at_most(gaps, found_gaps, label, slack=1e-12)
with claim("K-B32") as c:
    label = "their table: largest score less 1, by fractions"
    c.decisive("one example").close(float(max(exact_scores) - 1), missing, label, rtol=1e-3)
    c.decisive("one example").at_most(missing, 1e-10, "and it is small")
    c.close(likely, solved.x, "by a solver", rtol=0, atol=1e-5)
    label = "rrLogit's shares, with its prior"
    c.decisive("one example").close(with_prior, their_shares, label, rtol=0, atol=5e-5)
    c.close(log_theirs, -520.8335, "and its log likelihood", rtol=0, atol=5e-5)
    c.at_most(log_theirs, log_best, "which the most likely shares exceed")
with claim("K-B26") as c:
    label = f"{len(most)} tables of 8 lines, N ≤ 4: largest score"
    c.decisive("sampled").exact(most, [Fraction(1)] * 60, label)
    label = "and 1 where the share is positive"
    c.decisive("sampled").exact(held, [True] * 60, label)
    c.exact(set(small), {(Fraction(1), True)}, "shares")
    by_em = [mle_proportions(n, pram.retention_matrix(0.6, 3), gap=1e-12)[0]
             for n in ([9, 6, 1], [5, 2, 1], [8, 1, 1])]  # fmt: skip
    closed = [filled(n, Fraction(3, 5)) for n in ([9, 6, 1], [5, 2, 1], [8, 1, 1])]
    c.close(by_em, np.array(closed, dtype=float), "by EM", rtol=0, atol=1e-8)
dutch_loglik = float(log_best)
shown_filled = len(most)

# %% [markdown]
# The price is bias. In 400<!-- {shown_redraws} --> tables drawn from the most likely shares of the survey, the cell without people gets
# 5.6<!-- {in_text['bias-em']:.1f} --> on average from EM and -0.1<!-- {in_text['bias-unbiased']:.1f} --> from the unbiased estimate; the root mean square error falls from
# 14.1<!-- {in_text['rms-unbiased']:.1f} --> to 10.2<!-- {in_text['rms-em']:.1f} --> people there, and hardly for the others (17.7<!-- {in_text['rms-rest-unbiased']:.1f} --> to 17.0<!-- {in_text['rms-rest-em']:.1f} -->).

# %% jupyter={"source_hidden": true} tags=["evidence"]
drawn_from = exact_shown.astype(float)
redraws = np.random.default_rng(412).multinomial(412, drawn_from, 400)
two_ways = np.array(
    [
        [np.linalg.solve(both.T, x),
         412 * mle_proportions(x, both, gap=1e-5, rounds=400)[0]]
        for x in redraws
    ]
) - 412 * likely  # fmt: skip
bias, rms = two_ways.mean(axis=0), (two_ways**2).mean(axis=0) ** 0.5
rest = (two_ways[..., [0, 2, 3]] ** 2).mean(axis=(0, 2)) ** 0.5
assert abs(bias[0]).max() < 4 * rms[0].max() / 400**0.5 < bias[1, 1]
assert rms[1, 1] < 0.8 * rms[0, 1] and 0.9 * rest[0] < rest[1] < rest[0]
in_text = {}
for name, value in (
    ("bias-em", bias[1, 1]), ("bias-unbiased", bias[0, 1]), ("rms-em", rms[1, 1]),
    ("rms-unbiased", rms[0, 1]), ("rms-rest-em", rest[1]),
    ("rms-rest-unbiased", rest[0]),
):  # fmt: skip
    in_text[name] = round(float(value), 6)
shown_redraws = len(redraws)


# %% [markdown]
# ## What does an invariant matrix guarantee?
#
# Readers of a rewritten file would rather not estimate at all. *Invariant* matrices leave every share as it is in the mean {cite:p}`gouweleeuw1998post,nayak2014invariant`:
# rewrite by any matrix $A$, then draw for each shown category a true one by Bayes' rule, $Q_{au} = \pi_u A_{ua}/\lambda_a$. Since $\pi A Q = \lambda Q = \pi$, the result
# $R = AQ$ is invariant, and so is a mixture of it with no change at all. sdcMicro makes its matrices so: it draws for each of the $N$ categories a probability to stay, between 0.8 and 1 by default,
# spreads the rest evenly, and mixes half of $R$ with half of no change.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def r_uniform(seed, size):
    """What R's set.seed(seed); runif(size) draws."""
    state = seed
    for _ in range(51):
        state = (69069 * state + 1) % 2**32  # R's scrambling of the seed
    key = []
    for _ in range(624):
        state = (69069 * state + 1) % 2**32
        key.append(state)
    twister = np.random.MT19937()
    words = {"key": np.array(key, dtype=np.uint32), "pos": 624}
    twister.state = {"bit_generator": "MT19937", "state": words}
    return twister.random_raw(size) / 2**32


home = np.array(  # roof (2, 4, 5, 6, 9) by walls (2, 3, 9) of sdcMicro's `testdata`
    [[23, 779, 12], [1161, 2498, 38], [19, 0, 0], [0, 34, 0], [0, 16, 0]]
)
roof, walls, homes = home.sum(axis=1), home.sum(axis=0), int(home.sum())


# %%
def sdcmicro_matrix(counts, seed, alpha=0.5):
    """The matrix of sdcMicro's pram, pd = 0.8, after set.seed(seed)."""
    size = len(counts)
    stay = 0.8 + 0.2 * r_uniform(seed, size)
    A = np.repeat((1 - stay)[:, None] / (size - 1), size, axis=1)
    np.fill_diagonal(A, stay)
    return alpha * invariant_matrix(A, counts) + (1 - alpha) * np.eye(size)


S = sdcmicro_matrix(roof, 123)
k = anonymity.pk_level(S, homes)  # one call
print(f"{homes} homes, {roof @ np.diag(S) / homes:.1%} roofs kept, k = {k:.3f}")

# %% [markdown]
# A level of one is no guarantee at all. Few roofs change; but retention that keeps as many has the level 1.35<!-- {same_kept:.2f} -->, and $R$ alone
# 1.40<!-- {shown_unmixed:.2f} -->, not much either. What costs most is the mixture with no change: it halves the smallest entries and puts the other half on the diagonal that they are divided by, and the level
# $1 + (n-1) g_2$ knows only the worst product of such ratios. The draws of the matrix matter as well.

# %% jupyter={"source_hidden": true} tags=["set-up"]
seeds = range(1, 301)
levels = np.array([anonymity.pk_level(sdcmicro_matrix(roof, s), homes) for s in seeds])
kept_share = roof @ np.diag(S) / homes
rho = (kept_share - 0.2) / 0.8
as_much = anonymity.pk_level(pram.retention_matrix(rho, 5), homes)
lines = pram.apply_pram(np.repeat(range(5), roof), S, rng=rng)
fewest = int(np.bincount(lines, minlength=5).min())
as_shown = anonymity.pk_level(S, homes, shown=fewest)
unmixed = anonymity.pk_level(sdcmicro_matrix(roof, 123, alpha=1), homes)
table(
    {"level k of": ["the run with seed 123", "R alone, same seed",
                    "least of 300 seeds", "their median", "largest of them",
                    "retention that keeps as many roofs",
                    f"a file of the first, rarest roof shown {fewest} times"],
     "k": [k, unmixed, levels.min(), np.median(levels), levels.max(), as_much,
           as_shown]},
    formats={"k": ".3f"},
    caption="Roofs of 4,580 homes under sdcMicro's default matrices: what the matrix "
    "guarantees for every file, and what one file shows.",
)  # fmt: skip


# %% [markdown]
# The last line is the label of [notebook 4](../disclosure/04-exact-risk-and-design.ipynb): in a file that shows its rarest roof 16<!-- {fewest} --> times nobody's line is found with a
# probability above one in 16<!-- {fewest} -->. So the file is safer than its matrix, and a report that quotes the matrix alone, or changes per cent, says neither. Two remarks on the
# tool, as of commit cf32510 (the matrix above follows the source, and is the one that its `pram` makes [in R](../../book/outside.md)): it stores the matrix with the result, which is all that one call needs; with strata it draws one matrix for each and stores the last.
#
# ```{prf:proposition} Rewriting twice
# :label: thm-di-06-twice
# If a matrix has no zeros, no second rewriting $Q$ lowers its $\gamma$, its $g_2$ or its level. The matrices $R$ and their mixtures with no change leave the shares $\pi$ as they are in the mean.
# ```
#
# For rows $u, v$ of $AQ$ the ratio $\frac{\sum_b A_{ub} Q_{ba}}{\sum_b A_{vb} Q_{ba}}$ is an average of the ratios $A_{ub}/A_{vb}$, so its minimum is not less and its
# maximum not more. The mixture with no change is no second rewriting, and does lower the level. That the matrix depends on the table does no harm to the theorem: it is proved table by table, and the attacker knows the table.
# It is no longer locally private, though, since what is done to one answer depends on all others; and who does not know the shares learns them from the matrix.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def random_exact(size, columns):
    weights = trials.integers(1, 10, size=(size, columns))
    return [[Fraction(int(w), int(row.sum())) for w in row] for row in weights]


before, after, mixed, kept_as, backwards = [], [], [], [], []
for _ in range(100):
    size, columns, wide = (int(x) for x in trials.integers(2, 5, size=3))
    A, Q = random_exact(size, columns), random_exact(columns, wide)
    pi = [Fraction(int(x), 7) for x in trials.integers(1, 30, size=size)]
    R = invariant_matrix(A, pi)
    alone, invariant = anonymity.ratio_minima(A), anonymity.ratio_minima(R)
    rewritten = anonymity.ratio_minima(np.array(A) @ np.array(Q))
    before += [alone.gamma, alone.g2] * 2
    after += [invariant.gamma, invariant.g2, rewritten.gamma, rewritten.g2]
    half = (R + np.diag([Fraction(1)] * size)) / 2
    mixed.append(anonymity.ratio_minima(half).g2 < invariant.g2)
    kept_as.append(list(np.array(pi) @ half) == pi == list(np.array(pi) @ R))
    flow = np.array(pi)[:, None] * R
    backwards.append(bool((flow == flow.T).all()))
near_123 = [0.2875775, 0.7883051, 0.4089769, 0.8830174, 0.9404673]  # R prints these
stay = 0.8 + 0.2 * np.array(near_123)
by_hand = np.zeros((5, 5))
for u, w, b in product(range(5), repeat=3):  # shown as b, then w by Bayes' rule
    of_b = [stay[t] if t == b else (1 - stay[t]) / 4 for t in range(5)]
    by_hand[u, w] += of_b[u] * roof[w] * of_b[w] / (roof @ of_b) / 2
by_hand += np.eye(5) / 2
columns_of = (by_hand[:, None] / by_hand[None]).transpose(0, 1, 2)
g2_by_hand = (columns_of.min(axis=2) / columns_of.max(axis=2)).min()
with claim("K-B27") as c:
    label = f"{len(before)} minima, exact: first rewriting, both"
    lower = [min(x, y) for x, y in zip(before, after)]
    c.decisive("sampled").exact(lower, before, label)
    label = f"{len(kept_as)} exact cases: shares of R and mixture"
    c.decisive("sampled").exact(kept_as, [True] * 100, label)
    c.exact(backwards, [True] * 100, "as many go from u to w as back")
    after_mixing = anonymity.ratio_minima(half).g2
    c.limit(invariant.g2, after_mixing, "g2 of the mixture with no change")
    c.exact(mixed, [True] * 100, "the mixture has the smaller g2")
with claim("K-B28") as c:
    label = "seed 123: level, matrix by hand from R's draws"
    c.decisive("one example").close(k, 1 + (homes - 1) * g2_by_hand, label, rtol=1e-6)
    label = "median and largest of 300 seeds"
    two = [np.median(levels), levels.max()]
    c.decisive("sampled").close(two, [1.08, 1.77], label, rtol=0, atol=5e-3)
    c.decisive("one example").at_most(k, 1.02, "the run")
    c.close(r_uniform(123, 5), near_123, "R's generator", rtol=0, atol=5e-8)
    whole = fewest + (homes - fewest) * g2_by_hand
    c.close(as_shown, whole, "what the file shows", rtol=1e-6)
assert k < as_much < unmixed
same_kept = float(as_much)
shown_unmixed = float(unmixed)

# %% [markdown]
# ### Two columns
#
# Invariance is a promise about one column. Let roofs and walls be rewritten by two invariant matrices $R$ and $T$. A pair has the Kronecker product as its matrix, and the joint table $\Pi$ becomes
# $R^{\mathsf T} \Pi T$ in the mean: both margins stay, $\Pi - \pi\omega^{\mathsf T}$ becomes $R^{\mathsf T}(\Pi - \pi\omega^{\mathsf T}) T$, and the association shrinks.
#
# ```{prf:proposition} Margins stay, association goes
# :label: thm-di-06-association
# With $\phi^2$ the chi-square of the joint shares, divided by their sum, and $\mu_R$, $\mu_T$ the second largest eigenvalues of the two matrices, the mean table has the same
# margins and at most $(\mu_R\,\mu_T)^2$ times the $\phi^2$; for two yes-no columns exactly that.
# ```
#
# As $\pi_u R_{uw}$ is symmetric, $\sqrt{\pi_u} R_{uw}/\sqrt{\pi_w}$ is a symmetric matrix with the eigenvalues of $R$, all in $[0, 1]$ since it is a square $BB^{\mathsf T}$ or its mixture with
# the identity. $\phi^2$ is the sum of squares of $(\Pi - \pi\omega^{\mathsf T})/\sqrt{\pi\omega^{\mathsf T}}$, which has nothing along the eigenvectors $\sqrt\pi$, $\sqrt\omega$ of eigenvalue 1. (Such contractions
# are classical; for the odds ratio {cite:p}`vandenhout2002`.) So whoever wants the table has to estimate after all, with the Kronecker product:

# %%
T = sdcmicro_matrix(walls, 124)
pairs = np.kron(S, T)  # rows and columns: the 15 pairs
both_columns = np.repeat(range(15), home.ravel())
shown = np.bincount(pram.apply_pram(both_columns, pairs, rng=rng), minlength=15)
estimate = np.linalg.solve(pairs.T, shown)
possible, missing = mle_proportions(shown, pairs)


# %% jupyter={"source_hidden": true} tags=["set-up"]
def phi2(joint):
    """Chi-square of a table, divided by its total."""
    joint = joint / joint.sum()
    alone = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return ((joint - alone) ** 2 / alone).sum()


four = {"true": home, "shown": shown, "unbiased": estimate,
        "most likely": homes * possible}  # fmt: skip
table(
    {"table": [*four],
     "phi²": [phi2(np.reshape(x, (5, 3))) for x in four.values()],
     "roof 5 with walls 3": [np.ravel(x)[7] for x in four.values()],
     "least entry": [np.min(x) for x in four.values()]},
    formats={"phi²": ".4f", "roof 5 with walls 3": ".1f", "least entry": ".1f"},
    caption="Roofs and walls of 4,580 homes, one run.",
)  # fmt: skip

# %% jupyter={"source_hidden": true} tags=["evidence"]
of_roof = invariant_matrix(random_exact(5, 5), [int(x) for x in roof])
of_wall = invariant_matrix(random_exact(3, 3), [int(x) for x in walls])
whole_numbers = np.array([[Fraction(int(x)) for x in row] for row in home])
mean_table = of_roof.T @ whole_numbers @ of_wall
second = [np.sort(np.linalg.eigvals(M).real)[-2] for M in (S, T)]
shrunk = [phi2(S.T @ home @ T)]
of_true, tops = [phi2(home)], [second]
yes_no, yes_no_bound = [], []
for _ in range(60):
    rows_, columns_ = (int(x) for x in trials.integers(2, 5, size=2))
    joint = trials.dirichlet(np.ones(rows_ * columns_)).reshape(rows_, columns_)
    margins = joint.sum(axis=1), joint.sum(axis=0)
    Ms = [invariant_matrix(trials.dirichlet(np.ones(x.size), size=x.size), x)
          for x in margins]  # fmt: skip
    top = [np.sort(np.linalg.eigvals(M).real)[-2] for M in Ms]
    shrunk.append(phi2(Ms[0].T @ joint @ Ms[1]))
    of_true.append(phi2(joint))
    tops.append(top)
    if joint.shape == (2, 2):
        yes_no.append(shrunk[-1])
        traces = np.prod([np.trace(M) - 1 for M in Ms])
        yes_no_bound.append(phi2(joint) * traces**2)
after_both, before_both = [], []
for _ in range(30):
    joint = trials.integers(1, 9, size=(2 + _ % 3, 3))
    whole_numbers = np.array([[Fraction(int(x)) for x in row] for row in joint])
    sides = whole_numbers.sum(axis=1), whole_numbers.sum(axis=0)
    Ms = [invariant_matrix(random_exact(x.size, x.size), x) for x in sides]
    rewritten = Ms[0].T @ whole_numbers @ Ms[1]
    after_both += [*rewritten.sum(axis=1), *rewritten.sum(axis=0)]
    before_both += [*sides[0], *sides[1]]
with claim("K-B29") as c:
    margins = [*mean_table.sum(axis=1), *mean_table.sum(axis=0)]
    c.exact(margins, [int(x) for x in (*roof, *walls)], "roofs and walls: margins")
    label = "30 random tables, in fractions: margins"
    c.decisive("sampled").exact(after_both, before_both, label)
    label = "homes and 60 random tables: φ² after, bound"
    bound = np.array(of_true) * np.prod(tops, axis=1) ** 2
    c.decisive("sampled").at_most(shrunk, bound, label, slack=1e-12)
    label = f"{len(yes_no)} of them 2 by 2"
    c.decisive("sampled").close(yes_no, yes_no_bound, label, rtol=1e-6, atol=1e-13)
    c.at_most(missing, 1e-10, "the run: certificate")
    flat = np.linalg.solve(pairs.T, pairs.T @ home.ravel()).reshape(5, 3)
    c.close(phi2(flat), phi2(home), "from the mean table, solved: φ²")
assert phi2(shown.reshape(5, 3)) < 0.7 * phi2(home) < phi2(possible.reshape(5, 3))
assert estimate.min() < 0 <= possible.min() and len(yes_no) > 2

# %% [markdown]
# (One run; the least entry of the unbiased table is again negative.) The pair has the level 1.0000<!-- {shown_pair_level:.4f} -->: both minima are products, so that two columns of such matrices guarantee still less.

# %% jupyter={"source_hidden": true} tags=["set-up"]
pair_level = anonymity.pk_level(pairs, homes)
product_of = anonymity.ratio_minima(S).g2 * anonymity.ratio_minima(T).g2
assert np.isclose(pair_level, 1 + (homes - 1) * product_of)
shown_pair_level = float(pair_level)

# %% [markdown]
# ## What does "Pk" mean for a table of counts?
#
# Offices publish more tables than files. The *cell-key method*, from Australia's TableBuilder and taken up for European censuses, gives each person a random key; the sum of the keys in a cell picks the noise for its count, so
# that the same cell always gets the same noise. A *ptable* has the laws: row $i$ says to what a count of $i$ becomes {cite:p}`enderle2023ptable`. It looks like a PRAM matrix.
# It may be passed to `pk_level`, which refuses its zeros. Would the number mean anything?
#
# No, and not because of the zeros. Pk-anonymity asks which line of the release is whose. A table of counts has no lines: given the true table, the release says nothing about which of two people in a
# cell was counted first. The attacker of these pages, who knows the whole table, has nothing left to find. And for one who believes that $m$ people are equally likely to be the one in a cell, they
# remain so after any release of counts, noisy or not: it depends on the people only through their number, and exchanging two of them changes nothing. The level of linking is $m$, with noise or without.
#
# What a person can ask of counts is *was I counted?* Somebody who knows all others knows the true count up to one. So the two rows $i$ and $i+1$ of the ptable are what matters, and the question is that of differential privacy for
# tables {cite:p}`rinott2018confidentiality`: the least $\delta(\varepsilon)$ such that no set of shown counts is more likely under one row than $e^\varepsilon$ times under its neighbour plus $\delta$.
# With two equal chances before, that person's guess is right with probability $\frac12(1 + \delta(0))$. Noise that never exceeds $D$ leaves a $\delta$ above zero at every $\varepsilon$, and this is how small it can be:
#
# ```{prf:proposition} The least δ of bounded noise
# :label: thm-di-06-delta
# For whole-number noise $v$ within $\pm D$ with the same law for all counts, $\delta(\varepsilon) \ge 1 \Big/ \sum_{v=-D}^{D} e^{(D - |v|)\varepsilon}$, and the law proportional to $e^{-|v|\varepsilon}$ attains it.
# ```
#
# Let $t_v = P(v) - e^\varepsilon P(v + 1)$, with $P(D+1) = 0$; then $\sum_v \max(t_v, 0) \le \delta$. From the end, $P(D - j) = \sum_{i \le j} e^{(j-i)\varepsilon} t_{D-i} \le e^{j\varepsilon}\delta$, and from the other side the same for $P(-D + j)$. So
# $P(v) \le \delta e^{(D - |v|)\varepsilon}$, and the sum is 1. With equality everywhere only $t_D$ and, beyond the middle, negative $t_v$ remain. For $\varepsilon = 1$ and $D = 2$ that is $\delta \ge$ 0.067<!-- {least_2:.3f} -->. For $\varepsilon = 0$ it is $\frac{1}{2D+1}$, by noise whose values are all equally likely: 0.2<!-- {in_text['flat-2']:.1f} --> for $D = 2$,
# 0.067<!-- {in_text['flat-7']:.3f} --> for $D = 7$. So a guess can be kept near one half by noise that is wide enough, never at it.
#
# The example table of ptable ($D = 2$, variance 1.05, ones are never shown) is printed in its tests:

# %%
example = {1: [0.50833333, 0, 0.475, 0.01666667],
           2: [0.16155827, 0, 0.55565037, 0.24246618, 0.04032518],
           3: [0, 0, 0.41231301, 0.28806097, 0.18693903, 0.11268699]}  # fmt: skip
beyond = np.array([0.07012498, 0.24450007, 0.3707499, 0.24450007, 0.07012498])
ptable = np.zeros((9, 11))
ptable[0, 0] = 1  # nobody stays nobody
for i in range(1, 9):
    law = example.get(i, [0] * (i - 2) + beyond.tolist())
    ptable[i, : len(law)] = np.array(law) / sum(law)
pair_of = {f"{i} or {i + 1}": neighbour_delta(ptable[i : i + 2], 1) for i in range(5)}

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"true count": [*pair_of],
     "δ at ε = 0": [neighbour_delta(ptable[i : i + 2]) for i in range(5)],
     "δ at ε = 1": [*pair_of.values()],
     "right guess": [(1 + neighbour_delta(ptable[i : i + 2])) / 2 for i in range(5)]},
    formats={"δ at ε = 0": ".3f", "δ at ε = 1": ".3f", "right guess": ".0%"},
    caption="ptable's example for counts: neighbouring rows, and how often a guess "
    "is right, both being equally likely before. From 4 on all rows are alike.",
)  # fmt: skip


# %% [markdown]
# Where nobody else is in the cell, a shown count proves that somebody is: as zeros stay zeros, $\delta$ is 0.49<!-- {zero_delta:.2f} --> for every $\varepsilon$. That is a choice: with it no people appear in
# empty places, and Bach argues that noise without bounds would spoil such features of a census without a clear need {cite:p}`bach2020differential`. For larger counts ptable takes the law of greatest entropy for the wanted variance. At $\varepsilon = 1$ the geometric law has about half of its $\delta$
# (0.067<!-- {least_2:.3f} --> to 0.124<!-- {four_delta:.3f} -->), at a smaller variance (0.91<!-- {shown_least_variance:.2f} --> to 1.05).

# %% jupyter={"source_hidden": true} tags=["evidence"]
def geometric(D, epsilon):
    """The law of the proposition, and its delta."""
    weight = np.exp((D - abs(np.arange(-D, D + 1))) * epsilon)
    return weight / weight.sum(), 1 / weight.sum()


def by_programming(D, epsilon):
    """Least delta of all laws within ±D, by linear programming."""
    size = 2 * D + 1
    up = np.eye(size + 1, size) - np.exp(epsilon) * np.eye(size + 1, size, k=-1)
    down = np.eye(size + 1, size, k=-1) - np.exp(epsilon) * np.eye(size + 1, size)
    slack = -np.eye(2 * size + 2)  # law, positive parts of both ways, delta
    rows = np.hstack([np.vstack([up, down]), slack, np.zeros((2 * size + 2, 1))])
    ends = np.zeros((2, 3 * size + 3))
    ends[0, size : 2 * size + 1] = ends[1, 2 * size + 1 : -1] = 1
    ends[:, -1] = -1
    cost = np.zeros(3 * size + 3)
    cost[-1] = 1
    solved = optimize.linprog(
        cost, A_ub=np.vstack([rows, ends]), b_ub=np.zeros(len(rows) + 2),
        A_eq=[[1] * size + [0] * (2 * size + 3)], b_eq=[1], method="highs-ds",
    )  # fmt: skip
    return solved.fun


cases = list(product((1, 2, 3, 5), (0.1, 0.5, 1.0, 1.5)))
printed_15 = [0.00002, 0.00008, 0.00035, 0.00157, 0.00706, 0.03162, 0.14172, 0.63516]
printed_05 = [0.0076, 0.0125, 0.0206, 0.0339, 0.0559, 0.0922, 0.1520, 0.2506]
laws = [geometric(*x)[0] for x in cases]
shifted = [np.array([[*law, 0], [0, *law]]) for law in laws]
with claim("K-B30") as c:
    told = [geometric(*x)[1] for x in cases]
    least = [by_programming(*x) for x in cases]
    label = f"{len(cases)} pairs D, ε: least δ by linear programming"
    c.decisive("sampled").close(told, least, label, rtol=1e-6)
    reached = [neighbour_delta(P, e) for P, (_, e) in zip(shifted, cases)]
    c.decisive("sampled").close(reached, told, "attained", rtol=1e-9)
    c.close(geometric(7, 1.5)[0][:8], printed_15, "a printed law, ε = 1.5", rtol=0,
            atol=6e-6)  # fmt: skip
    c.close(geometric(7, 0.5)[0][:8], printed_05, "and ε = 0.5", rtol=0, atol=6e-5)

sets = [list(np.flatnonzero(x)) for x in product((0, 1), repeat=9)]
brute = {
    (i, e): max(
        P[s].sum() - np.exp(e) * Q[s].sum()
        for P, Q in permutations(ptable[i : i + 2, :9]) for s in sets
    )
    for i, e in product((0, 1, 4), (0, 1))
}  # fmt: skip
with claim("K-B31") as c:
    of_rows = {(i, e): neighbour_delta(ptable[i : i + 2], e) for i, e in brute}
    label = "over all 512 sets of shown counts"
    c.decisive("one example").close([*of_rows.values()], [*brute.values()], label)
    at_zero = [neighbour_delta(ptable[:2], e) for e in (0, 0.5, 1, 2, 4)]
    seen_at_all = [0.475 + 0.01666667] * 5
    label = "zero or one person, five ε: chance that one is shown"
    c.decisive("one example").close(at_zero, seen_at_all, label, rtol=1e-6)
    c.decisive("one example").close(
        [of_rows[4, 1], geometric(2, 1)[1]], [0.124, 0.0675], "from 4 on, and least",
        rtol=0, atol=6e-4,
    )  # fmt: skip
steps = np.arange(-2, 3)
least_variance, their_variance = geometric(2, 1)[0] @ steps**2, beyond @ steps**2
assert least_variance < 0.92 < 1.049 < their_variance < 1.051
shown_least_variance = float(least_variance)
least_2 = float(geometric(2, 1)[1])
flat = {D: geometric(D, 0)[1] for D in (2, 7)}
assert np.allclose([flat[D] * (2 * D + 1) for D in flat], 1)
assert np.allclose([by_programming(D, 0) for D in flat], list(flat.values()))
for D in flat:
    in_text[f"flat-{D}"] = round(float(flat[D]), 6)
zero_delta = float(of_rows[0, 1])
four_delta = float(of_rows[4, 1])

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How far neighbouring counts are apart: \u03b4 against \u03b5, for ptable's example (counts of 4 and more; zero or one person; counts of 1 to 4), and the least that any noise within the same bounds, the same for all counts, can have.", "name": "fig-di-06-delta"}, "image": {"alt": "Four curves of \u03b4 on a logarithmic axis against \u03b5 from 0 to 4. The one for zero or one person is level at 0.49. That for counts of 1 to 4 falls from 0.39 to 0.16. That for counts of 4 and more falls from 0.37 to 0.07 and stays there. The least falls from 0.2 to 0.0003."}} tags=["figure"]
fig, ax = plots.panels(height=3.7)
eps_axis = np.linspace(0, 4, 81)
curves = {
    "zero or one person": [neighbour_delta(ptable[:2], e) for e in eps_axis],
    "counts of 1 to 4": [neighbour_delta(ptable[1:5], e) for e in eps_axis],
    "counts of 4 and more": [neighbour_delta(ptable[4:], e) for e in eps_axis],
    "least for noise within ±2": [geometric(2, e)[1] for e in eps_axis],
}
for name, curve in curves.items():
    ax.plot(eps_axis, curve, label=name)
ax.set(yscale="log", xlabel="ε", ylabel="δ")
ax.legend()
ends = [[round(float(curve[j]), 4) for j in (0, -1)] for curve in curves.values()]
assert ends == [[0.4917, 0.4917], [0.3857, 0.1616], [0.3707, 0.0701], [0.2, 0.0003]]
plt.show()

# %% [markdown]
# The geometric law is no stranger: an appendix of the National Academies {cite:p}`nap2024roadmap`, after {cite:p}`rinott2018confidentiality`, prints it for tables with $D = 7$, and its $\delta$ there,
# 0.00002 and 0.008, are ours (0.000017<!-- {nap_15:.6f} --> and 0.0076<!-- {nap_05:.4f} -->).

# %% jupyter={"source_hidden": true} tags=["evidence"]
nap_15 = float(geometric(7, 1.5)[1])
nap_05 = float(geometric(7, 0.5)[1])
nap = [geometric(7, 1.5)[1], geometric(7, 0.5)[1]]
assert round(nap[0], 5) == 0.00002 and round(nap[1], 3) == 0.008


# %% [markdown]
# ## Against whom is a level?
#
# A level belongs to a pair: what the attacker knows, and what is released. A report that gives one level should name both; here are three attackers and four releases. The *5-anonymous sample* shows each of its values at least five times, *PRAM* alone releases everybody, and the [evidence of notebook 4](../evidence/disclosure/04-exact-risk-and-design.ipynb) derives the levels (K-B18).

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Guaranteed levels, rounded down, for n = 1000, ten known records, s = 100, values shown five times, and retention with \u03c1 = 1/2 on ten values. The same PRAM and sample gives 165<!-- {written(level_table[0, 3])} -->, 83.6<!-- {written(level_table[1, 3])} --> or 1.81<!-- {written(level_table[2, 3])} -->, depending on what the attacker knows. In the built book the sliders change the sizes.", "name": "fig-knowledge-map"}, "image": {"alt": "Three rows, what the attacker knows, by four columns, what is released. The sample falls from 90.1<!-- {written(level_table[0, 0])} --> to 1<!-- {level_table[1, 0]} --> and 1<!-- {level_table[2, 0]} -->, the 5-anonymous sample from 94.1<!-- {written(level_table[0, 1])} --> to 5<!-- {level_table[1, 1]} --> and 5<!-- {level_table[2, 1]} -->, PRAM from 19<!-- {written(level_table[0, 2])} --> to 9.25<!-- {written(level_table[1, 2])} --> and 9.25<!-- {written(level_table[2, 2])} -->, PRAM and sample from 165<!-- {written(level_table[0, 3])} --> to 83.6<!-- {written(level_table[1, 3])} --> and 1.81<!-- {written(level_table[2, 3])} -->."}} tags=["figure"]
def written(level):
    """At least three digits, rounded down: a level is a promise."""
    unit = min(1.0, 10.0 ** (np.floor(np.log10(float(level))) - 2))
    down = np.floor(float(level) / unit + 1e-9) * unit
    if level < 1000:
        return f"{down:.3g}"
    return f"{down:,.0f}"


half_kept = pram.retention_matrix(Fraction(1, 2), 10)
level_table = knowledge_models.pk_level_map(half_kept, 1000, n_known=10, n_sampled=100, shown=5)
fig, ax = plots.panels(height=3.2)
ax.imshow(np.log10(level_table.astype(float)), cmap="Blues", vmin=0, vmax=3.2, aspect="auto")
for (i, j), level in np.ndenumerate(level_table):
    tint = "white" if level > 60 else "black"
    ax.text(j, i, written(level), ha="center", va="center", color=tint, fontsize=13)
ax.set_xticks(range(4), ["sample", "5-anonymous\nsample", "PRAM", "PRAM and\nsample"])
ax.set_yticks(range(3), ["ten records", "the table", "the table, and\nwho took part"])
ax.set(xlabel="released", ylabel="the attacker knows")
ax.grid(visible=False)
ax.tick_params(length=0)
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def map_frame(n, n_known, share, keep):
    """Twelve levels as tiles, and what they say."""
    matrix = pram.retention_matrix(keep, 10)
    sizes = {"n_known": int(n_known), "n_sampled": round(share * n), "shown": 5}
    level_map = knowledge_models.pk_level_map(matrix, int(n), **sizes)
    text = [[written(level) for level in line] for line in level_map.tolist()]
    note = f"PRAM and sample: level {text[0][3]} against an attacker who knows {n_known:g} "
    note += f"records, {text[1][3]} if the attacker knows the table, {text[2][3]} if the "
    note += "attacker also knows who took part."
    return [{"trace": 0, "z": np.log10(level_map), "text": text}, {"note": note}]


columns = ["sample", "5-anon.<br>sample", "PRAM", "PRAM and<br>sample"]
rows = ["some<br>records", "the table", "table and<br>who took<br>part"]
live = go.Figure(
    go.Heatmap(texttemplate="%{text}", colorscale="Blues", zmin=0, zmax=5, showscale=False,
               hoverinfo="skip", xgap=2, ygap=2),
    {
        "height": 330,
        "xaxis": {"title": {"text": "released"}, "showgrid": False,
                  "tickvals": [0, 1, 2, 3], "ticktext": columns},
        "yaxis": {"autorange": "reversed", "showgrid": False,
                  "tickvals": [0, 1, 2], "ticktext": rows},
    },
)  # fmt: skip
interactive.show(
    "knowledge-map",
    live,
    [
        interactive.Slider("records n", [1000, 10_000, 100_000], ",d"),
        interactive.Slider("records known n₀", [2, 10, 50, 250], "d", start=1),
        interactive.Slider("records drawn p", [0.01, 0.1, 0.5, 0.9], ".0%", start=1),
        interactive.Slider("retention ρ", [0.1, 0.5, 0.9, 0.99], ".2f", start=1),
    ],
    map_frame,
    alt="Twelve tiles with the guaranteed level: three attackers by four releases. "
    "The darker a tile, the higher the level.",
)

# %% [markdown]
# ## Since then
#
# *Estimating.* ElSalamouny and Palamidessi {cite:p}`elsalamouny2025consistency` prove that EM, as "iterative Bayesian update", is consistent, which they find neglected or wrongly proved before; in their experiments it is much
# better than inverting for geometric, Laplace and exponential noise, and comparable for retention. Our Dutch redraws agree: the error of the cell at the edge falls to 73<!-- {edge_gain:.0f} --> %, that of the others to 96<!-- {rest_gain:.0f} --> %. In January 2026 Pinzón and others
# announced a formula for the exact maximum under retention {cite:p}`pinzon2026estimating`. We read abstract and introduction; {prf:ref}`thm-di-06-filling` was derived here without theirs, and on
# 60<!-- {shown_filled} --> tables no score is above 1, so theirs, if it is right, gives the same likelihood.
#
# *Meaning.* Domingo-Ferrer and Sánchez {cite:p}`domingoferrer2025actual` argue that the guarantee of differential privacy is meaningless at large $\varepsilon$, and for a $k$-anonymity with a meaning in place of a syntax. Our roofs are a case:
# the matrix with seed 123, held fixed, has a local $\varepsilon$ of 6.6<!-- {roof_epsilon:.1f} --> and a level of 1.015<!-- {roof_k:.3f} -->, and neither says much; the file has a level of 16<!-- {fewest} -->. *Counts.* Jackson and others {cite:p}`jackson2024poisson` draw
# synthetic counts from Poisson laws. With the true count as the mean two neighbours are then apart by $\delta(1) = $ 0.105<!-- {poisson_1:.3f} --> for one or two people and 0.010<!-- {poisson_4:.3f} --> from 4 on: less than ptable's example, and from 4 on at 3.8<!-- {poisson_var:.1f} --> and more
# times its variance. Between nobody and one person it is $1 - 1/e$, more than ptable's, because a zero stays zero there. (Their measure is another one, probabilistic differential privacy.) The attack on bounded noise by Asghar and Kaafar {cite:p}`asghar2020averaging` is the last exercise.

# %% jupyter={"source_hidden": true} tags=["evidence"]
poisson = stats.poisson.pmf(np.arange(150), np.arange(1, 41)[:, None])
poisson /= poisson.sum(axis=1, keepdims=True)
from_one, from_four = (neighbour_delta(poisson[i:], 1) for i in (0, 3))
assert from_one < pair_of["1 or 2"] and from_four < pair_of["4 or 5"]
assert np.isclose(from_one, neighbour_delta(poisson[:2], 1))
poisson_1 = float(from_one)
poisson_4 = float(from_four)
poisson_var = round(4 / 1.05, 6)
roof_epsilon = round(local_dp.local_dp_epsilon(S), 6)
roof_k = float(k)
edge_gain = float(100 * rms[1, 1] / rms[0, 1])
rest_gain = float(100 * rest[1] / rest[0])

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} The coin, twice
# :label: ex-di-06-twice
# ```
# **Warm-up.** All categories have the same share. What is the invariant matrix that retention with probability $\rho$ leads to? Is its level larger or smaller?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("di-06-twice", ...)

# %% [markdown]
# ```{solution-start} ex-di-06-twice
# :class: dropdown
# ```
# With equal shares Bayes' rule is the matrix itself, so $R = A^2$: retention with $\rho^2$. Its level is larger, as less is kept.

# %% jupyter={"source_hidden": true} tags=["evidence"]
half_kept = pram.retention_matrix(Fraction(1, 2), 3)
twice = invariant_matrix(half_kept, [1, 1, 1])
assert (twice == pram.retention_matrix(Fraction(1, 4), 3)).all()
assert anonymity.pk_level(twice, 100) > anonymity.pk_level(half_kept, 100)


def kept_after_both(rho):
    both = invariant_matrix(pram.retention_matrix(rho, 3), [1, 1, 1])
    return both[0, 0] - both[1, 0]


check("di-06-twice", kept_after_both)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Where EM crawls
# :label: ex-di-06-crawl
# ```
# **Standard.** One question, answered truthfully with probability 0.8, and exactly one answer in five is yes. What is the most likely share, and how large is EM's after 1,000 rounds from one half? What
# does the certificate say then?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-06-crawl", ...)

# %% [markdown]
# ```{solution-start} ex-di-06-crawl
# :class: dropdown
# ```
# The most likely share is 0, just at the edge: the unbiased estimate is 0 as well. Near 0 the score of yes is $0.16/(\lambda(1-\lambda)) \approx 1 - 2.25\,\pi$ with $\lambda = 0.2 + 0.6\,\pi$, so the share falls like
# $1/(2.25\,t)$, to about 0.00045 after 1,000 rounds. The certificate is of the size of what is missing, which is tiny: the likelihood is flat there.

# %% jupyter={"source_hidden": true} tags=["evidence"]
crawl, rest_missing = mle_proportions([1, 4], coin, gap=1e-15, rounds=1000)
assert abs(crawl[0] - 1 / 2250) < 2e-5 and 1e-15 < rest_missing < 1e-3
x_ = sp.Symbol("x")
lam_ = sp.Rational(1, 5) + sp.Rational(3, 5) * x_
score_ = sp.Rational(16, 100) / (lam_ * (1 - lam_))
assert sp.diff(score_, x_).subs(x_, 0) == -sp.Rational(9, 4) and score_.subs(x_, 0) == 1
unbiased = np.linalg.solve(coin.T, [1 / 5, 4 / 5])[0]
check("di-06-crawl", (max(unbiased, 0), crawl[0]))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} The noise averaged away
# :label: ex-di-06-average
# ```
# **Research.** A count is published with a noise of variance $V$ within $\pm D$, the same each time. Its people fall into $m$ groups, and every union of groups is published too, each with the noise of its own key.
# How well can the true count be known? Try it with $m = 10$ and keys that add up, as in the cell-key method.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("di-06-average", ...)


# %% [markdown]
# ```{solution-start} ex-di-06-average
# :class: dropdown
# ```
# Each of the $2^{m-1} - 1$ ways to split the groups in two gives an estimate with variance about $2V$. The keys of different unions are pairwise independent, those of a union and its complement, too; so the mean of all estimates has a
# variance of about $2V/(2^{m-1} - 1)$, for $m = 10$ a standard error of 0.06 people: rounded, it is right more than 99 times of 100. That is the attack of {cite:t}`asghar2020averaging`; 300 redraws of the keys agree.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def mean_variance(V, m):
    return 2 * V / (2 ** (m - 1) - 1)


attack, groups = np.random.default_rng(20), 10
members = np.array(list(product((0, 1), repeat=groups)))[1:-1]  # all unions
true_counts = attack.integers(30, 60, size=groups)
guesses = []
for _ in range(300):
    keys = members @ attack.random(groups) % 1
    noise = np.searchsorted(np.cumsum(beyond)[:-1], keys) - 2
    guesses.append((members @ true_counts + noise).sum() / (len(members) / 2))
errors = np.array(guesses) - true_counts.sum()
assert abs(errors.std() - mean_variance(1.05, groups) ** 0.5) < 0.015
assert (np.abs(errors) < 0.5).mean() > 0.99 and abs(errors.mean()) < 0.015
check("di-06-average", mean_variance)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - The printed sum for the risk can lose $(f-1)\log_{10}\frac{1+p}{1-p}$ digits. With few records and small rates that is nothing; where it is eighteen and more, double precision left no digit at any pair of our map. A series
#   with positive terms loses none.
# - The most likely shares are possible shares. The largest score proves how good they are, whoever found them; for retention there is a closed form.
# - An invariant matrix keeps each column's shares, and association between columns shrinks. sdcMicro's default guarantees a level near 1 for the roofs of its test data; what the file shows may be far better: print the label.
# - For counts there is no line to link and no level Pk. How far neighbouring rows of the ptable are apart says what one person risks; noise within $\pm D$ with the same law for all counts has a least $\delta$.
#
# **Further reading.** Estimation {cite:p}`vandenhout2002,elsalamouny2025consistency`; invariant matrices {cite:p}`nayak2014invariant`; counts {cite:p}`rinott2018confidentiality,bach2020differential`.
# **Back to** [who attacks](../disclosure/01-who-attacks.ipynb), or to [the design of a release](../disclosure/04-exact-risk-and-design.ipynb).
