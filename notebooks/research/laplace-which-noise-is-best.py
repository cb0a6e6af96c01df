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
# # Which noise is best?
#
# Laplace noise keeps the promise $\varepsilon$. Does no other noise keep the same promise with a smaller error? One
# does, and at $\varepsilon = 5$ its error is 41%<!-- {five:.0%} --> of that of Laplace noise. The same method, a
# linear programme over *all* private mechanisms, finds the best announcement that the lender of
# [notebook 1](../laplace/01-attackers.ipynb) can make. And who doubts that a program keeps its promise can put it on trial.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how duality proves that no private mechanism is better, why the best noise for counts is geometric and
# the one of least mean absolute error for real numbers a staircase, which private test has the most power, and what an audit can show.
# **You need** the Laplace mechanism ([notebook 2](../laplace/02-laplace-mechanism.ipynb)) and the discrete Laplace law
# ([notebook 5](../laplace/05-when-the-noise-leaks.ipynb)). **Time:** 20 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** inputs whose exact answers differ by at most the sensitivity $\Delta$. **The attacker** sees one answer and
# knows everything else. **Protected:** which neighbour it was, up to the factor $e^{\varepsilon}$: the same
# for every mechanism on this page. What differs is the error. **Not considered**, before the last section: the low
# bits of floating-point numbers.
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp
from scipy import integrate, optimize, stats
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from privlib.laplace import discrete, laplace
from privlib.notebook import claim, derivation, increasing, interactive, plots, table
from privlib.research.auditing import audit
from privlib.research.binomial_test import binomial_test
from privlib.research.staircase import Staircase

plots.use()
rng = np.random.default_rng(5)


# %% [markdown]
# ## All mechanisms at once
#
# A count is one of $0, \dots, n$. Forget noise: a mechanism (answers outside may as well be moved to the ends) is any table of probabilities $p(y \mid x)$ that $y$ is
# published when $x$ is true. The promise $p(y \mid x) \le e^{\varepsilon} p(y \mid x \pm 1)$ is linear in this table.
# So is the mean error $\sum_x w(x) \sum_y p(y \mid x)\,|y - x|$ for somebody who gives the counts the weights $w(x)$.
# The best mechanism is therefore the solution of a *linear programme*, and we need not guess its form.
#
# A solver for floats finds a corner. Of its answer we keep only *which* inequalities hold with equality there; these we
# solve in fractions, with $e^{\varepsilon}$ rational. And we do it twice. The *dual* programme puts a price
# $\lambda \ge 0$ on each inequality; if the prices are feasible, adding up the priced inequalities proves that no
# private table has an error below some number. Where the two numbers agree, in fractions, the table is best, and proved
# to be.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def solve(rows, right):
    """Return the only x with rows · x = right, in fractions."""
    full = [
        [QQ(v.numerator, v.denominator) for v in row]
        for row in np.column_stack([rows, right])
    ]
    shape = len(full), rows.shape[1] + 1
    reduced, pivots = DomainMatrix(full, shape, QQ).to_sparse().rref()
    assert pivots == tuple(range(rows.shape[1]))  # one solution, and only one
    entries = reduced.to_dense().to_list()[: rows.shape[1]]
    found = [Fraction(int(e[-1].numerator), int(e[-1].denominator)) for e in entries]
    return np.array(found, dtype=object)


def exact(values):
    """Return an array of fractions."""
    array = np.asarray(values, dtype=object)
    return np.frompyfunc(Fraction, 1, 1)(array) if array.size else array


def least(costs, rows, limits, sums):
    """Least costs · x with x >= 0, rows · x <= limits and sums · x = 1; and its x.

    In fractions. A feasible x and feasible prices of equal worth prove it.
    """
    costs, rows, limits, sums = (exact(a) for a in (costs, rows, limits, sums))
    ones = exact(np.ones(len(sums), dtype=int))
    found = optimize.linprog(
        costs.astype(float),
        A_ub=rows.astype(float),
        b_ub=limits.astype(float),
        A_eq=sums.astype(float) if len(sums) else None,
        b_eq=ones.astype(float) if len(sums) else None,
        method="highs-ds",
        options={"presolve": False},
    )
    corner = np.abs(np.concatenate([found.x, found.slack])) > 1e-15
    prices = np.concatenate([found.ineqlin.marginals, found.lower.marginals])
    priced = np.abs(prices) > 1e-15

    n, m = len(costs), len(limits)
    eye = exact(np.eye(max(n, m), dtype=int))
    standard = np.block([[rows, eye[:m, :m]], [sums, 0 * eye[: len(sums), :m]]])
    x = exact(np.zeros(n + m, dtype=int))
    x[corner] = solve(standard[:, corner], np.concatenate([limits, ones]))
    x = x[:n]
    assert all(x >= 0) and all(rows @ x <= limits) and all(sums @ x == ones)

    dual = np.block([-rows.T, eye[:n, :n]])[:, priced]
    worth = solve(np.block([dual, sums.T]), costs)
    price = exact(np.zeros(m + n, dtype=int))
    price[priced], total = worth[: priced.sum()], worth[priced.sum() :]
    assert all(price >= 0) and all(total @ sums - price[:m] @ rows <= costs)
    assert total.sum() - price[:m] @ limits == costs @ x  # no gap: proved
    return costs @ x, x


def pairs(size, factor, reach=1):
    """Rows that say v(i) - factor · v(j) for all i, j at most `reach` apart."""
    near = [
        (i, j) for i, j in product(range(size), repeat=2) if 0 < abs(i - j) <= reach
    ]
    rows = np.zeros((len(near), size), dtype=object)
    for row, (i, j) in zip(rows, near):
        row[i], row[j] = 1, -factor
    return rows


def best_mechanism(top, *, factor, weights=None, loss=abs):
    """Least mean loss of all private mechanisms on 0..top, and the best one."""
    size = top + 1
    weights = [Fraction(1, size)] * size if weights is None else weights
    costs = [weights[x] * loss(x - y) for x, y in product(range(size), repeat=2)]
    eye = np.eye(size, dtype=int).astype(object)
    rows = np.kron(pairs(size, factor), eye)
    sums = np.kron(eye, np.ones((1, size), dtype=int))
    value, p = least(costs, rows, [0] * len(rows), sums)
    return value, p.reshape(size, size)


# %% [markdown]
# Four counts, all equally likely, and two levels: $e^{\varepsilon} = 3/2$ and $e^{\varepsilon} = 2$.

# %%
_, timid = best_mechanism(3, factor=Fraction(3, 2))
_, bold = best_mechanism(3, factor=2)

# %% jupyter={"source_hidden": true} tags=["set-up"]
columns = {"$e^ε$": ["3/2"] * 4 + ["2"] * 4, "true count": [0, 1, 2, 3] * 2}
for y in range(4):
    columns[f"says {y}"] = [*timid[:, y], *bold[:, y]]
table(columns, caption="Mechanisms of least mean error: probability of each answer.")


# %% [markdown]
# For $e^{\varepsilon} = 2$ this is geometric noise, $\Pr(k) \propto 2^{-|k|}$, with answers beyond the ends moved to
# the ends. With the stronger promise the best mechanism never says 0 or 3. That is geometric noise too, read with care:
# who hears 0 through so much noise, and held all counts for equally likely, errs less by saying 1. Reading an answer in
# another way is *post-processing*; it needs no data and costs no privacy. Is it chance that both are of this kind?
#
# ```{prf:theorem} Counts (Ghosh, Roughgarden and Sundararajan)
# :label: thm-lap-05-counts
# For all weights $w$ and every loss that grows with $|y - x|$, one of the best $\varepsilon$-private mechanisms on $0, \dots, n$ is
# geometric noise followed by a post-processing.
# ```
#
# So whoever publishes need not know what the readers believe or fear {cite:p}`ghosh2012universally`: each reader gets
# the best for himself out of the same noise. "One of" is needed: a programme may have several best corners, and not all
# are of this kind. We compare the proved optimum with the best reading of geometric noise, which for each noisy answer
# picks the $y$ of least expected loss.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def clamped(top, factor):
    """Geometric noise on 0..top, answers beyond moved to the ends."""
    a = 1 / Fraction(factor)
    law = [
        [a ** abs(x - z) * (1 if z in (0, top) else 1 - a) / (1 + a)
         for z in range(top + 1)]
        for x in range(top + 1)
    ]  # fmt: skip
    return np.array(law, dtype=object)


def best_reading(top, factor, weights, loss):
    """Mean loss of geometric noise where each answer is read as what costs least."""
    joint = clamped(top, factor) * np.array(weights, dtype=object)[:, None]
    counts = range(top + 1)
    losses = np.array([[loss(x - y) for x in counts] for y in counts], dtype=object)
    return (losses @ joint).min(axis=0).sum()


def square(d):
    return d * d


proved, read = [], []
for top, factor in product(range(1, 5), (Fraction(3, 2), 2, 3)):
    beliefs = {
        "equal": [Fraction(1, top + 1)] * (top + 1),
        "one in five": [
            comb(top, k) * Fraction(1, 5) ** k * Fraction(4, 5) ** (top - k)
            for k in range(top + 1)
        ],
        "far apart": [
            Fraction(1 + 8 * (k in (0, top)), top + 17) for k in range(top + 1)
        ],
    }
    assert {sum(weights) for weights in beliefs.values()} == {1}
    for weights, loss in product(beliefs.values(), (abs, square)):
        proved.append(
            best_mechanism(top, factor=factor, weights=weights, loss=loss)[0]
        )
        read.append(best_reading(top, factor, weights, loss))

ends = np.zeros((4, 4), dtype=object)
ends[[0, 1, 2, 3], [1, 1, 2, 2]] = 1  # 0 is read as 1, and 3 as 2
with claim("N-B8") as c:
    label = f"{len(proved)} cases, n ≤ 4: proved optimum, best reading of the noise"
    c.decisive("sampled").exact(proved, read, label)
    c.exact(bold, clamped(3, 2), "n = 3, e^ε = 2: the programme's table is the noise")
    told = clamped(3, Fraction(3, 2)) @ ends
    c.exact(timid, told, "e^ε = 3/2: the noise, with 0 read as 1 and 3 as 2")


# %% [markdown]
# ## From counts to real numbers
#
# A mean need not move in whole steps. Let the answers be multiples of $1/m$, the sensitivity 1, so that all pairs up to
# $m$ steps apart have to be hidden from each other. We now look for *noise*, a law $p_k$ of the error $k/m$. As long as
# the true answer may be any number, nothing is lost by that: average the error's law of any mechanism over a long range of true answers; where the range is long
# enough its ends do not count, and the average is noise that is as private and whose error is not above the mechanism's
# worst.
#
# Infinitely many unknowns remain. But what lies beyond one unit matters only by its mass $T$ and its first moment $C$,
# one pair a side. The promise says $p_k \le e^{\varepsilon} p_{k+m}$. Sum that over $k = 1, 2, \dots$, once as it stands and once
# with the factor $k/m$:
#
# $$ \sum_{k=1}^m p_k + T \le e^{\varepsilon}\, T, \qquad
#    \sum_{k=1}^m \frac km\, p_k + C \le e^{\varepsilon} (C - T), $$
#
# and likewise on the other side. So a finite programme gives a lower bound for all noise; if
# some private noise has that error, it is the best.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def best_noise(m, *, factor):
    """Least mean |error| of private noise on multiples of 1/m, and its law.

    Unknown: the probabilities of -m..m; mass and moment beyond, on either side.
    """
    k = np.arange(-m, m + 1)
    size = k.size
    rows = [np.append(row, [0] * 4) for row in pairs(size, factor, reach=m)]
    for side, mass in ((1, size), (-1, size + 2)):
        last = np.append((side * k > 0).astype(int), [0] * 4).astype(object)
        moment = np.append([Fraction(int(v), m) for v in np.abs(k)], [0] * 4) * last
        last[mass] = 1 - factor  # last unit + mass <= factor · mass
        moment[mass], moment[mass + 1] = factor, 1 - factor  # and so for the moment
        rows += [last, moment]
    costs = [*(Fraction(int(v), m) for v in np.abs(k)), 0, 1, 0, 1]
    total = [[*[1] * size, 1, 0, 1, 0]]
    value, x = least(costs, np.array(rows), [0] * len(rows), total)
    return value, x[m : 2 * m + 1]  # the law of 0..m


# %%
steps = [1, 2, 3, 4, 5, 6]
found = {m: best_noise(m, factor=4) for m in steps}

# %% jupyter={"source_hidden": true} tags=["set-up"]
heights = [", ".join(str(p / law[0]) for p in law) for _, law in found.values()]
table(
    {"steps m": steps, "least error": [value for value, _ in found.values()],
     "decimal": [float(value) for value, _ in found.values()],
     "heights from 0 to 1, relative to the first": heights},
    formats={"decimal": ".4f"},
    caption="The best noise on a grid for $e^ε = 4$. For comparison: Laplace noise "
    f"has the error {1 / np.log(4):.4f}.",
)  # fmt: skip

# %% [markdown]
# At $m = 1$ the programme finds the geometric law again. From $m = 2$ on it finds a *staircase*: level at first, then
# one fall by the whole factor 4, then level again. Where the grid allows a fall at one third of the unit ($m = 3$ and
# 6) the error is $2/3$. That is the value for real numbers, as we shall see.
#
# ## Why a staircase?
#
# The programme shows the best noise for one level on one grid. For all levels and all real numbers at once it has a
# name and a short proof.
#
# ```{prf:definition} Staircase noise
# :label: def-lap-05-staircase
# Let $\gamma \in [0, 1]$. The density of $|X|/\Delta$ is constant on $[0, \gamma)$, smaller by the factor
# $e^{\varepsilon}$ on $[\gamma, 1)$, and on each further unit it is that of the unit before divided by
# $e^{\varepsilon}$. Both signs are equally likely.
# ```
#
# Take two points at most $\Delta$ apart. Their distances from 0 differ by at most $\Delta$, too, and the falls of the density of
# $|X|$ are $\Delta$ apart: at most one of them lies between. So the loss is at most $\varepsilon$; and points $\Delta$ apart on one
# side of 0 attain it.
#
# ```{prf:theorem} The least error (Geng and Viswanath)
# :label: thm-lap-05-staircase
# No $\varepsilon$-private noise for a number of sensitivity $\Delta$ has a smaller mean absolute error than
# $\Delta\, e^{\varepsilon/2} / (e^{\varepsilon} - 1)$, and staircase noise with $\gamma = 1/(1 + e^{\varepsilon/2})$ has it.
# ```
#
# Geng and Viswanath approximate the law by step functions {cite:p}`geng2016optimal`; Soria-Comas and Domingo-Ferrer found
# the same law independently {cite:p}`soriacomas2013optimal`. The dual prices of our programme suggest a short proof. Let
# $w = e^{\varepsilon/2}$, so that $e^{\varepsilon} = w^2$, and let $g$ be the density of $|X|/\Delta$. (There is one: a
# private law is at most $e^{\varepsilon}$ times the average of its shifts by up to $\Delta$, which has.) We may take the two
# signs alike, since a fair choice between $X$ and $-X$ changes neither error nor privacy. Call $T$ and $C$ the mass and
# the first moment of $g$ beyond 1, and $H$ the first moment within $[0, 1)$. Three facts:
#
# 1. $g(t) \le w^2 g(t + 1)$. Integrated with the factor $t$: $H + C \le w^2 (C - T)$, that is $(1 - w^{-2})\,C \ge w^{-2} H + T$.
# 2. The same without the factor: $1 \le w^2\, T$.
# 3. Within $[0, 1)$ any two values of $g$ are within the factor $w^2$, so between some $a$ and $w^2 a$. Then
#    $\int_0^1 (\gamma - t)\,g$ is largest for the $\hat g$ that is $w^2 a$ before $\gamma$ and $a$ behind:

# %% jupyter={"source_hidden": true} tags=["evidence"]
w, a, t, g = sp.symbols("w a t gamma", positive=True)
H, T, K = sp.symbols("H T K", positive=True)
before = sp.Integral(w**2 * a * (g - t), (t, 0, g))
behind = sp.Integral(a * (g - t), (t, g, 1))
inside = (
    derivation(before + behind, of=r"\int_0^1 (\gamma - t)\, \hat g(t)\, dt")
    .equal(a * (w**2 * g**2 - (1 - g) ** 2) / 2, "integrate")
    .equal(a * (w * g - (1 - g)) * (w * g + 1 - g) / 2, "a difference of squares")
)
inside

# %% [markdown]
# With $\gamma = 1/(1 + w)$ the first bracket vanishes. So $H \ge \gamma\,(1 - T)$, as $1 - T$ is the mass within
# $[0, 1)$. Now put the three facts together.

# %% jupyter={"source_hidden": true} tags=["evidence"]
scaled = {K: r"\left(1 - \tfrac{1}{w^2}\right) C"}
bound = (
    derivation((1 - w**-2) * H + K, of=r"\left(1 - \tfrac{1}{w^2}\right)"
               r"\tfrac{E|X|}{\Delta}", names=scaled)
    .at_least(H + T, "fact 1", by=increasing(K, H / w**2 + T))
    .at_least((1 - T) / (1 + w) + T, "fact 3", by=increasing(H, (1 - T) / (1 + w)))
    .equal(1 / (1 + w) + w / (1 + w) * T, "collect T")
    .at_least(1 / (1 + w) + 1 / (w * (1 + w)), "fact 2", by=increasing(T, w**-2))
    .equal(1 / w, "add")
)  # fmt: skip
bound

# %% [markdown]
# Dividing by $1 - w^{-2}$ gives $E|X| \ge \Delta\,w/(w^2 - 1)$. For the staircase all three facts are equalities, so it
# attains the bound. Laplace noise has $E|X| = \Delta/\varepsilon$, so the staircase has the share
# $\frac{\varepsilon/2}{\sinh(\varepsilon/2)}$ of it: nearly 1 for small $\varepsilon$, and falling without end.

# %%
law = Staircase(epsilon=3.0)
print(f"error {law.error:.4f}, Laplace {1 / 3:.4f}; the fall is at {law.step:.4f}")

# %% jupyter={"source_hidden": true} tags=["set-up"]
levels = np.array([0.1, 1.0, 3.0, 5.0])
errors = np.array([Staircase(epsilon=level).error for level in levels])
table(
    {"ε": levels, "Laplace": 1 / levels, "staircase": errors,
     "share": errors * levels},
    formats={"Laplace": ".4f", "staircase": ".4f", "share": ".4f"},
    caption="Mean absolute error for sensitivity 1.",
)  # fmt: skip


# %% jupyter={"source_hidden": true} tags=["evidence"]
def by_pieces(law, of, units):
    """Integral over [0, units], from fall to fall."""
    ends = np.sort([i + e for i in range(units) for e in (0.0, law.step)])
    return sum(integrate.fixed_quad(of, *pair, n=3)[0] for pair in pairwise(ends))


def on_grid(m, r, b):
    """Mean |error| of the staircase on multiples of 1/m that falls after r steps."""
    unit = [Fraction(1) if j < r else 1 / Fraction(b) for j in range(m)]
    q, mass = 1 / Fraction(b), sum(unit)
    moment = (
        sum(j * v for j, v in enumerate(unit)) / (1 - q) + m * mass * q / (1 - q) ** 2
    )
    return 2 * moment / (2 * mass / (1 - q) - 1) / m


least_error = bound.last / (1 - w**-2)
with claim("N-B9") as c:
    c.decisive("proved").derived(
        bound, (1 - w**-2) * H + K, 1 / w, "every private noise, from the three facts"
    )
    flat = inside.last.subs(g, 1 / (1 + w))
    c.exact(sp.simplify(flat), sp.Integer(0), "fact 3 holds with equality at γ")
    half = sp.log(w)  # ε/2; the sinh is rewritten in exponentials
    share = half / sp.sinh(half).rewrite(sp.exp)
    c.exact(least_error * 2 * half, share, "ε times it: the share of Laplace's error")
    for m, (value, _) in found.items():
        best = min(on_grid(m, r, 4) for r in range(1, m + 1))
        c.exact(value, best, f"e^ε = 4, multiples of 1/{m}: least of all noise")
    c.exact(found[3][0], Fraction(2, 3), "on thirds it is w/(w² − 1) = 2/3")
    for level in (1.0, 3.0, 5.0):
        law = Staircase(epsilon=level)
        total = 2 * by_pieces(law, law.pdf, 60)
        c.close(total, 1.0, f"ε = {level:g}: the density integrates to 1", rtol=1e-12)
        mean = 2 * by_pieces(law, lambda x: x * law.pdf(x), 60)  # noqa: B023
        stated = float(least_error.subs(w, sp.exp(sp.Float(level) / 2)))
        c.close(mean, stated, f"ε = {level:g}: and has that error", rtol=1e-12)
        x = np.linspace(-4, 4, 801) + 1e-9
        apart = np.linspace(0, 1, 41)[:, None]
        loss = np.abs(np.log(law.pdf(x) / law.pdf(x + apart))).max()
        c.close(loss, level, f"ε = {level:g}: largest loss up to 1 apart", rtol=1e-12)
        drawn = np.abs(law.sample(200_000, rng=rng))
        spread = drawn.std() / np.sqrt(drawn.size)
        c.sampled(drawn.mean(), stated, f"ε = {level:g}: drawn", stderr=spread)


def mean_loss(pdf, ends):
    """Mean of the log ratio of the densities around 0 and 1, from break to break."""
    def integrand(y):
        return pdf(y) * np.log(pdf(y) / pdf(y - 1))

    parts = (integrate.fixed_quad(integrand, *pair, n=40) for pair in pairwise(ends))
    return sum(part[0] for part in parts)


law = Staircase(epsilon=3.0)
falls = [i + sign * law.step for i in range(-12, 13) for sign in (-1, 0, 1)]
laplace_law = stats.laplace(scale=1 / 3).pdf
losses = mean_loss(law.pdf, np.sort(falls)), mean_loss(laplace_law, range(-12, 13))
first = 0.5 + law.step * law.pdf(0)  # up to the step the loss is 3
assert np.isclose(losses[0], 3 * first * (1 - np.exp(-3)), rtol=1e-9)
assert np.isclose(losses[1], 3 - 1 + np.exp(-3), rtol=1e-9)
shown_mean_loss = float(losses[0])
laplace_loss = float(losses[1])
five = float(errors[3] * levels[3])

# %% [markdown]
# The gain has its price. The promise limits the *largest* loss. Between two neighbouring answers the loss of Laplace
# noise is smaller; there the staircase has the full loss or none, and in the mean over its outputs it gives away more:
# at $\varepsilon = 3$ the mean loss is 2.53<!-- {shown_mean_loss:.2f} -->, that of Laplace noise
# 2.05<!-- {laplace_loss:.2f} -->. The promise allows that. The figure shows the two laws and the gain.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "One panel: the densities of Laplace noise and of the staircase for the same promise. One falls steadily; the other stays level and falls by the whole factor at once. The other panel: the mean absolute error of the staircase as a share of that of Laplace noise; dots mark single levels.", "name": "fig-staircase"}, "image": {"alt": "Left: two symmetric densities at epsilon 3; the Laplace density has a sharp peak, the staircase a narrow high plateau and lower, wide plateaus. Right: a curve that starts at 1 and falls below one half before epsilon 5."}} tags=["figure"]
x = np.linspace(-2.2, 2.2, 1201)
law = Staircase(epsilon=3.0)
shown = np.linspace(0.05, 6, 120)
fig, (left, right) = plots.panels(1, 2, height=3.4, width=8.5)
left.plot(x, 1.5 * np.exp(-3 * np.abs(x)), label="Laplace")
left.plot(x, law.pdf(x), label="staircase", ls="-")
left.set(xlabel="noise, in sensitivities", ylabel="density", title="ε = 3")
left.legend()
right.plot(shown, shown / 2 / np.sinh(shown / 2))
right.plot(levels[1:], (errors * levels)[1:], "o", color=plots.COLOURS["orange"])
right.set(xlabel="level ε", ylabel="error, as a share\nof Laplace's", ylim=(0, 1.03))
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def at_level(level):
    law = Staircase(epsilon=level)
    share = law.error * level
    note = (
        f"Laplace noise errs by {1 / level:.3f} in the mean, the staircase by "
        f"{law.error:.3f}: {share:.0%}. The fall is at {law.step:.2f} of each unit."
    )
    corners = np.array([i + e for i in range(3) for e in (0.0, law.step)])
    doubled = np.repeat(corners, 2)[1:]  # each level from fall to fall
    heights = np.repeat(law.pdf(corners + 1e-9), 2)[:-1]
    return [
        {"trace": 0, "y": level / 2 * np.exp(-level * np.abs(smooth))},
        {
            "trace": 1,
            "x": [*-doubled[::-1], *doubled],
            "y": [*heights[::-1], *heights],
        },
        {"trace": 3, "x": [level], "y": [share]},
        {"note": note},
    ]


def line(colour, side="", **options):
    return go.Scatter(mode="lines", line={"color": plots.COLOURS[colour], "width": 3},
                      xaxis=f"x{side}", yaxis=f"y{side}", **options)  # fmt: skip


smooth, dot = np.linspace(-2.5, 2.5, 101), plots.COLOURS["orange"]
axis = np.linspace(0.05, 6, 60)
live = go.Figure(
    [
        line("blue", x=smooth, name="Laplace"),
        line("orange", name="staircase"),
        line("blue", 2, x=axis, y=axis / 2 / np.sinh(axis / 2), showlegend=False),
        go.Scatter(mode="markers", marker={"size": 14, "color": dot},
                   xaxis="x2", yaxis="y2", showlegend=False),
    ],
    {
        "height": 340,
        "legend": {"x": 0.28, "y": 1},
        "xaxis": {"domain": [0, 0.44], "range": [-2.6, 2.6],
                  "title": {"text": "noise, in sensitivities", "standoff": 4}},
        "yaxis": {"rangemode": "tozero", "title": {"text": "density"}},
        "xaxis2": {"domain": [0.57, 1], "anchor": "y2", "range": [0, 6.1],
                   "title": {"text": "level ε", "standoff": 4}},
        "yaxis2": {"range": [0, 1.05], "anchor": "x2",
                   "title": {"text": "share of Laplace's error"}},
    },
)  # fmt: skip
sliders = [
    interactive.Slider("level ε", [0.25, 0.5, 1, 1.5, 2, 3, 4, 5], "g", start=5)
]
interactive.show(
    "staircase",
    live,
    sliders,
    at_level,
    alt="Left, the densities of Laplace noise and of staircase noise; right, the "
    "mean error of the staircase as a share of Laplace's, with a point at the level.",
)

# %% jupyter={"source_hidden": true} tags=["evidence"]
for level in sliders[0].values:  # what the frames show, by another route
    _, stairs, point, _ = at_level(level)
    x, y = np.array(stairs["x"]), np.array(stairs["y"])
    assert np.isclose(point["y"][0], level / 2 / np.sinh(level / 2), rtol=1e-12)
    assert np.isclose(y.max() / y[np.abs(x) < 0.999].min(), np.exp(level))
    beyond = np.exp(-level * 3)  # the mass outside the three units on each side
    assert np.isclose(integrate.trapezoid(y, x), 1 - beyond, atol=y.max() * 0.6)
assert float(errors[3] * levels[3]) < 0.5  # as the alternative text says

# %% [markdown]
# ## The best announcement
#
# Back to the lender: twenty customers, $K$ of them late, one in five as a rule. *Significantly more often late* should
# be announced with probability at most 5 % if nothing is the matter, as often as possible if something is, and
# privately, with $e^{\varepsilon} = 2$. Without noise the announcement is made from eight on. With geometric noise the
# threshold 8 is too low, since noise carries small counts over it too; 9 holds the level. Is that the best?
#
# A private test is a vector: $\varphi(k)$, the probability of announcing when $K = k$. Neighbours are $k$ and
# $k \pm 1$, and both answers have to be hidden: $\varphi(k) \le e^{\varepsilon} \varphi(k \pm 1)$ and
# $1 - \varphi(k) \le e^{\varepsilon} (1 - \varphi(k \pm 1))$. Level and power are linear in $\varphi$. So the best
# test, too, is the solution of a linear programme. It also has a simple form:
#
# ```{prf:theorem} The most powerful private test (Awan and Slavković)
# :label: thm-lap-05-test
# Add geometric noise to $K$, and then a uniform number from $[-\frac12, \frac12)$; announce if the sum is at least $m$,
# where $m$ makes the level exact. Against every larger rate, no $\varepsilon$-private test of the same level announces more often.
# ```
#
# The theorem {cite:p}`awan2018differentially` has a proof in four steps.
#
# 1. The uniform number fills the gaps between integers, so that every level is met exactly; the sum's law is a staircase
#    with $\gamma = \frac12$.
# 2. Its $\varphi$ climbs as fast as privacy permits: $\varphi(k + 1) = h(\varphi(k))$ with
#    $h(v) = \min(e^{\varepsilon} v,\, 1 - e^{-\varepsilon}(1 - v))$.
# 3. Another private $\psi$ has $\psi(k + 1) \le h(\psi(k))$, and $h$ increases. So once $\psi$ is at or below $\varphi$ it
#    stays there: it can be above for small counts only, and below for large ones.
# 4. The ratio of the laws of $K$ under a higher and the usual rate increases with $K$. So what $\psi$ wins on small counts,
#    at equal level, it loses, or more, on large ones.

# %%
test = binomial_test(20, 1 / 5, epsilon=np.log(2))
released = test.release(9, rng=1)
print(f"announce from {test.threshold:.3f} on;", end=" ")
print(f"released {released:.2f}, p-value {float(test.p_value(released)):.3f}")


# %% [markdown]
# Nine customers were late, and the noise left 9.48<!-- {shown_released:.2f} --> of them: announced. How do the four
# announcements compare?

# %% jupyter={"source_hidden": true} tags=["set-up"]
def geometric_from(threshold):
    """Chance that the count plus geometric noise reaches a threshold, for 0..20."""
    k = np.arange(21)
    beyond = 2.0 ** -np.abs(threshold - k) / 1.5  # noise of at least that size
    return np.where(k < threshold, beyond, 1 - beyond / 2)


def laws_of(rates):
    """Binomial laws of the number of late customers, one row a rate."""
    return stats.binom.pmf(np.arange(21), 20, np.asarray(rates)[..., None])


announcements = {
    "no noise, from 8": (np.arange(21) >= 8).astype(float),
    "geometric, from 8": geometric_from(8),
    "geometric, from 9": geometric_from(9),
    "best private": test.chances,
}
usual, raised = laws_of([1 / 5, 1 / 2])
with np.errstate(divide="ignore", invalid="ignore"):
    moved = {name: chance[1:] / chance[:-1] for name, chance in announcements.items()}
most = {name: np.nanmax(factor) for name, factor in moved.items()}

# %% jupyter={"source_hidden": true} tags=["set-up"]
table(
    {"announcement": list(announcements),
     "level": [usual @ chance for chance in announcements.values()],
     "power at one half": [raised @ chance for chance in announcements.values()],
     "odds of G move by up to": [
         f"{f:.3g}" if f < np.inf else "certainty" for f in most.values()
     ]},
    formats={"level": ".4f", "power at one half": ".4f"},
    caption="Twenty customers; the level is at the usual rate, one in five.",
)  # fmt: skip


# %% [markdown]
# The threshold 8 breaks the level. The best test uses all of its 5 % and gains a little power over the threshold 9;
# what remains to the announcement without noise is the price of privacy. The last column is what G has from it: for
# somebody who knows the other nineteen, the announcement moves the odds that G was late by at most the factor 2,
# instead of to certainty.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def tulap(x, q):
    """Chance that geometric noise plus a uniform number is at most x; exact."""
    r = (x + Fraction(1, 2)).__floor__()
    below = q ** (1 - r) / (1 + q) if r <= 1 else 1 - q**r / (1 + q)
    return below + (1 - q) / (1 + q) * q ** abs(r) * (x - r + Fraction(1, 2))


def binomial(n, p):
    return exact([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def exact_test(n, rate, factor, level):
    """Chances of the theorem's test; the threshold is between two half-integers."""
    law, q = binomial(n, rate), 1 / Fraction(factor)

    def says_yes(m):
        return exact([tulap(k - m, q) for k in range(n + 1)])

    low = Fraction(-61, 2)
    while law @ says_yes(low + 1) >= level:
        low += 1
    above, below = (law @ says_yes(m) for m in (low, low + 1))  # linear in between
    return says_yes(low + (above - level) / (above - below))


def most_power(n, rate, factor, level, other):
    """Largest power of all private tests, by the programme."""
    rows = pairs(n + 1, factor)
    law = binomial(n, rate)
    limits = [0] * len(rows) + [factor - 1] * len(rows) + [level]
    every = np.vstack([rows, -rows, law])
    value, best = least(-binomial(n, other), every, limits, np.zeros((0, n + 1), int))
    return -value, best


fifth, level = Fraction(1, 5), Fraction(1, 20)
cases = [(20, fifth, 2, level, Fraction(r, 4)) for r in (1, 2, 3)]
cases += [
    (n, fifth, f, level, Fraction(1, 2))
    for n in (1, 4, 9)
    for f in (Fraction(3, 2), 3)
]
with claim("N-B10") as c:
    best, stated = [], []
    for n, rate, factor, size, other in cases:
        best.append(most_power(n, rate, factor, size, other)[0])
        stated.append(binomial(n, other) @ exact_test(n, rate, factor, size))
    c.decisive("sampled").exact(
        stated, best, "20 customers against 1/4, 1/2, 3/4, and 6 other cases: proved"
    )
    chances = exact_test(20, fifth, 2, level)
    c.exact(most_power(*cases[1])[1], chances, "the programme's own test is this one")
    c.exact(binomial(20, fifth) @ chances, level, "its level is 1/20")
    q, r, u = sp.symbols("q r u", positive=True)  # x = r + u - 1/2, 0 <= u < 1
    low = (q ** (1 - r) + (1 - q) * q**-r * u) / (1 + q)  # F(x) for r <= 0
    high = 1 - (q**r - (1 - q) * q**r * u) / (1 + q)  # and for r >= 0
    c.exact(low.subs(r, r + 1), low / q, "F(x + 1) = e^ε F(x) in the lower half")
    fall = q * (1 - high)
    c.exact(1 - high.subs(r, r + 1), fall, "1 - F(x) falls by e^ε in the upper half")
    half = Fraction(1, 2)
    for formula, near in ((low, -2), (low, 0), (high, 0), (high, 3)):
        value = formula.subs({q: sp.Rational(1, 2), r: near, u: sp.Rational(3, 4)})
        known = tulap(near + Fraction(1, 4), half)
        c.exact(Fraction(int(value.p), int(value.q)), known, f"F at {near} + 1/4")
    climbs = [min(2 * v, 1 - (1 - v) / 2) for v in chances[:-1]]
    c.exact(list(chances[1:]), climbs, "it climbs as fast as privacy permits")
    c.close(test.chances, chances.astype(float), "the package's test", rtol=1e-12)
    draws = 200_000
    late = rng.binomial(20, 0.5, draws)
    yes = test.release(late, rng=rng) >= test.threshold
    power = float(raised @ test.chances)
    c.sampled(yes.mean(), power, "power, drawn", stderr=yes.std() / np.sqrt(draws))

levels_held = [
    float(usual @ chance) <= 0.05 + 1e-12 for chance in announcements.values()
]
assert levels_held == [True, False, True, True]
assert list(np.round(list(most.values())[1:], 12)) == [2, 2, 2]
proof = moved["no noise, from 8"]
assert np.isnan(proof[:7]).all() and np.isinf(proof[7]) and (proof[8:] == 1).all()
gap = np.abs(laws_of(np.linspace(0, 0.8, 81)) @ (test.chances - geometric_from(9)))
assert gap.max() < 0.01  # the two curves of the figure all but coincide
assert released >= test.threshold
shown_released = float(released)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Four announcements. Above: how often each is made, against the rate of late customers; up to the usual rate (dotted) it should not exceed the level (thin line). The best private test (broad line) and the threshold 9 all but coincide. Below: the factor by which it moves the odds that G was late, for somebody who knows the other 19. Without noise it is made only from 7 others on, and at 7 it proves the matter (arrow).", "name": "fig-lap-05-announcements"}, "image": {"alt": "Above: four rising curves of the chance of an announcement; the one without noise is the steepest, and only the curve for threshold 8 is above the thin line at the usual rate. Below: factors between 1 and 2 against the number of others; the private ones are 2 for few others and fall to 1 for many."}} tags=["figure"]
rates = np.linspace(0, 0.8, 81)
fig, (left, right) = plots.panels(2, 1, height=6.4, width=5.6)
broad = {"best private": {"ls": "-", "lw": 6, "alpha": 0.4, "zorder": 1}}
for name, chance in announcements.items():
    style = broad.get(name, {})
    (drawn_line,) = left.plot(rates, laws_of(rates) @ chance, label=name, **style)
    style = {"ls": drawn_line.get_linestyle()} | style
    ok = np.isfinite(moved[name])
    right.plot(np.arange(20)[ok], moved[name][ok], color=drawn_line.get_color(),
               marker=".", **style)  # fmt: skip
left.axvline(0.2, color="#555555", lw=1, ls=":")
left.axhline(0.05, color="#555555", lw=0.7, ls="-")
left.set(xlabel="rate of late customers", ylabel="chance of an announcement")
left.legend()
right.annotate("", (7, 2.28), (7, 1.0), arrowprops={"color": plots.COLOURS["blue"],
               "arrowstyle": "->", "lw": 1.8})  # fmt: skip
right.set(xlabel="late customers among the other 19", xticks=range(0, 20, 3))
right.set(ylabel="factor on the odds of G", ylim=(0.9, 2.3))
plt.show()

# %% [markdown]
# ## On trial
#
# All this is about laws on paper. A program is another matter, and often a closed one: all that we can do is run it on
# two neighbours, as often as we like. Every event $S$ then bears witness:
# $\varepsilon \ge \ln \Pr(m(x) \in S) - \ln \Pr(m(y) \in S)$. `audit` lets one half of the draws choose the event, a
# threshold or a set of answers with a large likelihood ratio. It counts the event in the *other* half, where it was not
# chosen for its luck, takes exact confidence limits {cite:p}`clopper1934confidence` of both probabilities, and returns
# the logarithm of their worst ratio. This way of testing is that of {cite:t}`ding2018detecting` and
# {cite:t}`jagielski2020auditing`.

# %%
runs = {"sensitivity": 1.0, "dimension": 200_000}  # as many runs at once
honest = laplace(epsilon=1.0, **runs)(np.asarray)
hasty = laplace(epsilon=2.0, **runs)(np.asarray)  # sold as ε = 1
for mechanism in (honest, hasty):
    witness = audit(mechanism, 0.0, 1.0, rng=rng)
    hits, others = witness.hits
    print(f"{hits:,} hits against {others:,}: ε is at least {witness.epsilon:.2f}")


# %% [markdown]
# The second is convicted of a broken promise. The first is not acquitted: no finite number of draws excludes a leak on
# an event rarer than what they show. Eight defendants, each accused of the promise that stands beside it; four have a
# fault that we put in:

# %% jupyter={"source_hidden": true} tags=["set-up"]
def geometric(epsilon):
    fall = -np.expm1(-epsilon)
    return lambda v, rng: (
        v + rng.geometric(fall, v.shape) - rng.geometric(fall, v.shape)
    )


def low_bits(values, rng):
    """What an attacker reads off the textbook sampler: can the answer come from 1?"""
    noisy = values + discrete.naive_sampler(values.shape, scale=10.0, rng=rng)
    return discrete.mironov_attack(noisy, 1.0, scale=10.0)


def announced(counts, rng):
    return rng.random(counts.shape) < test.chances[counts]


stairs = Staircase(epsilon=1.0)


def stepped(values, rng):
    return values + stairs.sample(values.shape, rng=rng)


def one_sided(values, rng):
    return values + np.abs(stairs.sample(values.shape, rng=rng))


defendants = {  # mechanism, two neighbours, the promise, whether it is kept
    "Laplace": (honest, 0.0, 1.0, 1.0, True),
    "geometric": (geometric(1.0), 0, 1, 1.0, True),
    "staircase": (stepped, 0.0, 1.0, 1.0, True),
    "best announcement": (announced, 7, 8, np.log(2), True),
    "half the scale": (hasty, 0.0, 1.0, 1.0, False),
    "sensitivity 2, taken for 1": (honest, 0.0, 2.0, 1.0, False),
    "staircase, one side only": (one_sided, 0.0, 1.0, 1.0, False),
    "textbook sampler, low bits": (low_bits, 0.0, 1.0, 0.1, False),
}  # fmt: skip

# %%
trials = {
    name: audit(mechanism, x, y, rng=rng, confidence=0.999)
    for name, (mechanism, x, y, *_) in defendants.items()
}

# %% jupyter={"source_hidden": true} tags=["set-up"]
promised = [promise for *_, promise, _ in defendants.values()]
shown_bounds = [trial.epsilon for trial in trials.values()]
table(
    {"mechanism": list(trials), "promised ε": promised, "ε is at least": shown_bounds,
     "convicted": ["yes" if b > p else "no" for b, p in zip(shown_bounds, promised)]},
    formats={"promised ε": ".3f", "ε is at least": ".2f"},
    caption=f"Audits at confidence {trials['Laplace'].confidence:.1%}; judging draws "
    f"of each side: {trials['Laplace'].draws:,}.",
)  # fmt: skip

# %% [markdown]
# The honest bounds come within a few per cent of the truth, and every fault is found. The last line is
# [notebook 5](../laplace/05-when-the-noise-leaks.ipynb) as a number. Its release looks like Laplace noise to every threshold; the
# witness is what an attacker computes from the low bits, which is part of the mechanism here. That black-box trials
# find this flaw was shown by {cite:t}`bichsel2021dpsniper`.
#
# Two further defendants cannot be seeded or differ from machine to machine, so we print verdicts only: the floats of
# NumPy's own Laplace sampler, which our decorator adds, with scale 10; and OpenDP's integers.

# %% jupyter={"source_hidden": true} tags=["set-up"]
tenth = laplace(epsilon=0.1, **runs)(np.asarray)


def below_and_impossible(values, rng):
    """Whether the answer is negative, and off the grid of negative noise around 0."""
    noisy = tenth(values, rng=rng)
    return (noisy < 0) & ~discrete.mironov_attack(noisy, 0.0, scale=10.0)


def opendp(values, rng):
    return discrete.discrete_laplace(values, scale=1.0)  # no seed, on purpose


# %%
numpy_trial = audit(below_and_impossible, 0.0, 1.0, rng=rng)
opendp_trial = audit(opendp, 0, 1, confidence=1 - 1e-9, draws=40_000)
print("NumPy, promised 0.1: more than 2?", numpy_trial.epsilon > 2)
print("OpenDP, promised 1: convicted?", opendp_trial.epsilon > 1, end="; ")
print("at least 0.8?", opendp_trial.epsilon > 0.8)


# %% [markdown]
# NumPy's floats are convicted; NumPy promises a law, and not what the low bits tell. OpenDP's integers are not, at a
# confidence at which the innocent are convicted once in $10^9$ trials. And how often does `audit` convict the innocent
# at the usual 95 %? We try it two thousand times on a mechanism that attains its $\varepsilon$ (a bit that is turned round
# with probability $1/(1 + e^{\varepsilon})$, $\varepsilon = 1$), with 500 judging draws.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def convictions(n, level, p, beta=0.05):
    """Chances that n judging draws convict, for event chances p and e^-level p."""
    k = np.arange(n + 1)
    low = np.nan_to_num(stats.beta.ppf(beta / 2, k, n - k + 1))[:, None]
    high = np.append(stats.beta.ppf(1 - beta / 2, k[1:], n - k[:-1]), 1.0)
    convicts = low > np.exp(level) * high
    one, other = (
        stats.binom.pmf(k, n, np.exp(-fall) * p[:, None]) for fall in (0, level)
    )
    return (one @ convicts * other).sum(axis=1)


def too_high(n, beta=0.05):
    """Largest chance, over 199 laws, that the lower of the two limits is too high."""
    k, p = np.arange(n + 1), np.linspace(0.005, 0.995, 199)[:, None]
    low = np.nan_to_num(stats.beta.ppf(beta / 2, k, n - k + 1))
    return (stats.binom.pmf(k, n, p) * (low > p)).sum(axis=1).max()


truth = np.exp(1.0) / (1 + np.exp(1.0))  # the likelier answer's chance


def flipped(bits, rng):
    return rng.random(bits.shape) < np.where(bits, truth, 1 - truth)


repeats, once = 2000, np.array([truth])
guilty = [
    sum(
        audit(flipped, 0, 1, rng=rng, draws=1000, confidence=sure).epsilon > 1
        for _ in range(repeats)
    )
    for sure in (0.95, 0.5)
]
convicted, rates = guilty[0], np.array(guilty) / repeats
summed = np.array([convictions(500, 1.0, once, beta)[0] for beta in (0.05, 0.5)])
upper = stats.binomtest(convicted, repeats).proportion_ci(0.999, method="exact").high
rare = 10.0 ** -np.arange(2.5, 7, 0.25)
often = np.append(np.linspace(0.005, 0.995, 199), 1 - rare)
worst = convictions(500, 1.0, often).max()
with claim("N-B11") as c:
    label = f"{repeats:,} honest audits at 95 % and at 50 %: convicted, and summed"
    error = np.sqrt(summed * (1 - summed) / repeats)
    c.decisive().sampled(rates, summed, label, stderr=error)
    chances = [too_high(n) for n in (30, 100, 300, 500)]
    half = np.full(4, 0.025)
    label = "a limit is too high with half the chance, summed for 199 laws"
    c.decisive("sampled").at_most(chances, half, label)
    label = (
        f"{convicted} of {repeats:,} honest audits convict: "
        f"the rate is at most {upper:.3f} (99.9 %), allowed 0.05"
    )
    c.at_most(upper, 0.05, label)
    c.close(chances, half, "and nearly with all of it", rtol=0.03)
    verdicts = [b <= p for b, p in zip(shown_bounds, promised)]
    kept = [kept for *_, kept in defendants.values()]
    c.exact(verdicts, kept, "8 mechanisms: convicted are those with a planted fault")
    true = [*promised[:4], 2, 2]
    c.close(shown_bounds[:6], true, "bound and truth, where it is finite", rtol=0.06)
    n = trials["half the scale"].draws
    ceiling = np.log(n) - np.log(-np.log((1 - 0.999) / 2))  # no hit on the other side
    shares = [1 - np.exp(-1), 1 - low_bits(np.zeros(100_000), rng).mean()]
    label = "where it is infinite: what so many draws can show"
    c.close(shown_bounds[6:], ceiling + np.log(shares), label, rtol=0, atol=0.03)
    hits, other = trials["half the scale"].hits
    low = stats.beta.ppf(0.0005, hits, n - hits + 1)
    high = stats.beta.ppf(0.9995, other + 1, n - other)
    c.close(shown_bounds[4], np.log(low / high), "the limits, by scipy's beta law")
assert 0.005 < worst < 0.05
assert numpy_trial.epsilon > 2 and 0.8 < opendp_trial.epsilon <= 1
shown_summed = float(summed[0])
shown_worst = float(worst)

# %% [markdown]
# 12<!-- {convicted} --> of 2000<!-- {repeats} -->: far fewer than the 100 that the level would allow. Each of the two
# limits has half the error to itself, and what one of them misses the other mostly makes up for. For this event, summing the binomial
# laws exactly gives a chance of 0.5%<!-- {shown_summed:.1%} -->; for one event of whatever probability, at the same $\varepsilon$ and
# with as many draws, 1.8%<!-- {shown_worst:.1%} --> at most.
#
# ## What this means for the note
#
# The note's mechanism stands: Laplace noise is private, and its theorem on accuracy is about that noise. What the note
# does not say is whether this noise is what privacy costs. For a count, geometric noise is
# better, and read with care nothing beats it; for a real number that may be anything, no noise has a smaller mean absolute error
# than the staircase. For small $\varepsilon$ the difference is small: at $\varepsilon = 1$ it is 4.0%<!-- {shown_one:.1%} -->.
#
# Two words of that matter. *Noise* knows no range. The note's mean lies in $[0, 1]$; with $n = 1000$ and
# $\varepsilon = 0.001$ even the staircase errs by 1.000<!-- {shown_note:.3f} --> in the mean, and who always says $\frac12$, without looking,
# by $\frac12$ at most. And another measure of the *error* has another best step: see
# {ref}`an exercise <ex-lap-05-square>`.

# %% jupyter={"source_hidden": true} tags=["evidence"]
gain = 1 - errors[1] * levels[1]
shown_one = float(gain)
assert round(float(errors[1]), 4) == 0.9595
of_the_mean = Staircase(epsilon=0.001, sensitivity=1 / 1000).error
assert of_the_mean > 0.5
shown_note = float(of_the_mean)

# %% [markdown]
# ## Exercises
#
# ```{exercise-start} When is it worth it?
# :label: ex-lap-05-worth
# ```
# **Warm-up.** From which $\varepsilon$ on does the staircase save a tenth of the error of Laplace noise? And a half?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lap-05-worth", ...)

# %% [markdown]
# ```{solution-start} ex-lap-05-worth
# :class: dropdown
# ```
# Solve $\frac{x}{\sinh x} = 0.9$ and $0.5$ for $x = \varepsilon/2$: from about $\varepsilon = 1.61$ on, and from about
# $4.35$ on.

# %% jupyter={"source_hidden": true} tags=["evidence"]
half_levels = np.linspace(0.01, 5, 50_000)
shares = half_levels / np.sinh(half_levels)
from_on = {share: 2 * half_levels[np.argmax(shares < share)] for share in (0.9, 0.5)}
assert {s: round(v, 2) for s, v in from_on.items()} == {0.9: 1.61, 0.5: 4.35}
for share, level in from_on.items():
    assert np.isclose(Staircase(epsilon=level).error * level, share, rtol=1e-3)
check("lap-05-worth", [*from_on.values()])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Another error, another step
# :label: ex-lap-05-square
# ```
# **Standard.** Is the $\gamma$ of least mean absolute error also that of least mean *squared* error? Find the best one
# at $\varepsilon = 3$ by integrating the density, and compare with Laplace noise.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-05-square", ...)


# %% [markdown]
# ```{solution-start} ex-lap-05-square
# :class: dropdown
# ```
# No. At $\varepsilon = 3$ the squared error is least at $\gamma \approx 0.26$ instead of $0.18$: large errors count
# more, and a wider first tread leaves less mass for them. It is then 0.153, against 0.160 for the other step and
# $2/\varepsilon^2 = 0.222$ for Laplace noise.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def squared(step):
    law = Staircase(epsilon=3.0, step=step)
    return 2 * by_pieces(law, lambda x: x**2 * law.pdf(x), 30)


best_step = optimize.minimize_scalar(squared, bounds=(0.01, 0.99), method="bounded")
other_step = Staircase(epsilon=3.0).step
assert (round(best_step.x, 2), round(other_step, 2)) == (0.26, 0.18)
assert (round(best_step.fun, 3), round(squared(other_step), 3)) == (0.153, 0.160)
check("lap-05-square", best_step.x)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Both halves of an announcement
# :label: ex-lap-05-silence
# ```
# **Standard.** In the best test $\varphi(k + 1) = e^{\varepsilon} \varphi(k)$ up to some $k$, and
# $1 - \varphi(k) = e^{\varepsilon}(1 - \varphi(k + 1))$ from there on. Where do they meet, and what does *silence* tell
# about G?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-05-silence", ...)

# %% [markdown]
# ```{solution-start} ex-lap-05-silence
# :class: dropdown
# ```
# The two are equal where $e^{\varepsilon} v = 1 - e^{-\varepsilon}(1 - v)$, at $v = 1/(1 + e^{\varepsilon})$. Below it
# the announcement moves the odds of G by the full factor $e^{\varepsilon}$ and silence by less; above it the reverse.

# %% jupyter={"source_hidden": true} tags=["evidence"]
v, f = sp.symbols("v f", positive=True)
(meet,) = sp.solve(sp.Eq(f * v, 1 - (1 - v) / f), v)
assert meet == 1 / (f + 1)
said = test.chances[1:] / test.chances[:-1]
silent = (1 - test.chances[:-1]) / (1 - test.chances[1:])
low = test.chances[:-1] <= 1 / 3
assert np.allclose(said[low], 2) and np.all(said[~low] < 2)
assert np.allclose(silent[~low], 2) and np.all(silent[low] <= 2 + 1e-12)
check("lap-05-silence", meet.subs(f, sp.exp(sp.Symbol("eps"))))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} What an audit cannot show
# :label: ex-lap-05-rule
# ```
# **Research.** A mechanism publishes the secret itself once in a million runs, and otherwise nothing. Its $\varepsilon$
# is infinite. Which bound can an audit with $n$ judging draws on each side and confidence $1 - \beta$ show at best, and how many draws would it take to show
# $\varepsilon > 5$ here?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-05-rule", ...)


# %% [markdown]
# ```{solution-start} ex-lap-05-rule
# :class: dropdown
# ```
# With no hit among $n$ on the other side, the upper limit is $1 - (\beta/2)^{1/n}$. The lower limit is at most $(\beta/2)^{1/n}$, after $n$ hits. With $x = \ln(2/\beta)/n$
# their quotient is $1/(e^x - 1) < 1/x$, so the bound stays below $\ln n - \ln\ln(2/\beta)$: 10.2 for $n = 10^5$ and $\beta = 0.05$. Here
# the hits on one side are rare as well. To show a ratio of $e^5 \approx 148$ the lower limit of a probability of
# $10^{-6}$ has to exceed $148 \cdot 3.7/n$, so 600 million draws are needed. A proof of privacy cannot be replaced by
# an audit, only its absence be noticed.

# %% jupyter={"source_hidden": true} tags=["evidence"]
def at_best(n, beta):
    return np.log(n) - np.log(np.log(2 / beta))


n, beta = 100_000, 0.05
ceiling = at_best(n, beta)
sure = audit(lambda values, rng: values, 0, 1, rng=rng)
assert round(ceiling, 1) == 10.2 and abs(sure.epsilon - ceiling) < 1e-3


def shows(draws):
    hits = draws // 1_000_000
    low = stats.beta.ppf(beta / 2, hits, draws - hits + 1)
    return np.log(low) - np.log(-np.expm1(np.log(beta / 2) / draws))


needed = next(d for d in range(10**8, 10**9, 10**7) if shows(d) > 5)
assert needed == 6 * 10**8
check("lap-05-rule", at_best)

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# - Privacy is linear in the table of probabilities, so the best mechanism is the solution of a linear programme; prices in
#   fractions prove that nothing is better.
# - For counts it is geometric noise, read with care, whatever the reader believes. For real numbers without a known range the noise
#   of least mean absolute error is a staircase, with the share $(\varepsilon/2)/\sinh(\varepsilon/2)$ of that of Laplace noise.
# - The best private test is a threshold for the count with geometric and uniform noise. Its level is exact.
# - An audit gives a lower bound of $\varepsilon$ that is true with a stated confidence. It can convict; it cannot acquit.
#
# **Further reading.** Geng, Kairouz, Oh and Viswanath {cite:p}`geng2015staircase` on the staircase in several
# dimensions. **Next:** which faults does an audit find, and which only a look at the accuracy?
# [Audit what you read](laplace-audit-what-you-read.ipynb).
