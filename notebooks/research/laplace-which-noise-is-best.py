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
# **Question.** Laplace noise of scale $\Delta/\varepsilon$ makes an answer $\varepsilon$-differentially private. Is there other noise, or any other mechanism, that keeps the same promise and has a smaller error?
#
# **Answer.** Yes: for counts, two-sided geometric noise is optimal if readers interpret it in the light of their own beliefs, and for real numbers *staircase noise* has the smallest mean absolute error, which at $\varepsilon = 5$ is
# 41%<!-- {share(5):.0%} --> of that of Laplace noise. A linear programme over *all* private mechanisms, solved in fractions, finds such optima and proves each of them, and it also finds the best announcement for the lender of [notebook 1](../laplace/01-attackers.ipynb).
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to write privacy as a linear programme, how duality proves that no mechanism is better, and what an audit of a program can show.
# **You need** the Laplace mechanism ([notebook 2](../laplace/02-laplace-mechanism.ipynb)) and discrete Laplace noise ([notebook 5](../laplace/05-when-the-noise-leaks.ipynb)).
# **Time:** 45 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** inputs whose exact answers differ by at most the sensitivity $\Delta$. **The attacker** sees one answer and
# knows everything else. **Protected:** which of two neighbours was the input, up to the factor $e^{\varepsilon}$. This
# promise is the same for all mechanisms here; only the error differs. **Not considered** before the section on programs: the low
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
from scipy import optimize, stats
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from privlib.laplace import discrete, laplace_mechanism
from privlib.notebook import interactive, plots
from privlib.research.auditing import audit
from privlib.research.binomial_test import binomial_test
from privlib.research.staircase import Staircase

plots.use()


def share(level):
    """Mean absolute error of staircase noise, relative to Laplace noise."""
    return Staircase(epsilon=level).error * level


# %% [markdown]
# ## Method: a linear programme over all mechanisms
#
# Suppose that a count is 0, 1, 2 or 3. Any mechanism that publishes one of these four numbers is a $4 \times 4$ table of probabilities $p(y \mid x)$: $x$ is the true count, and $y$ is published. We make three observations about this table.
#
# - Each row sums to 1.
# - Privacy means that $p(y \mid x) - e^{\varepsilon} p(y \mid x \pm 1) \le 0$ for all $x$ and $y$. This is linear in $p$.
# - A reader who believes that the count is $x$ with probability $w(x)$ expects the loss $\sum_x w(x) \sum_y p(y \mid x)\, |y - x|$. This is linear, too.
#
# So the best table is the solution of a *linear programme*, and we need not guess the form of the noise.

# %%
def privacy_rows(inputs, outputs, factor):
    """Rows r with r · p <= 0, one for each pair of neighbours and each output."""
    rows = []
    for x, z, y in product(range(inputs), range(inputs), range(outputs)):
        if abs(x - z) == 1:
            row = np.zeros((inputs, outputs), dtype=object)
            row[x, y] = 1
            row[z, y] = -factor
            rows.append(row.ravel())
    return np.array(rows)


def sum_rows(inputs, outputs):
    """Rows r with r · p = 1: for each input the probabilities sum to 1."""
    return np.kron(np.eye(inputs, dtype=object), np.ones(outputs, dtype=object))


# %% [markdown]
# How can we be sure that a table is optimal? Give the programme the standard form: minimise $c \cdot x$ subject to $Ax = b$ and $x \ge 0$, with a slack variable for each inequality. Now let $y$ be any vector with $y A \le c$. Then every feasible $x$ satisfies
#
# $$ c \cdot x \;\ge\; y A x \;=\; y \cdot b. $$
#
# So $y \cdot b$ is a lower bound for the loss of *every* private table. If an $x$ attains it, that $x$ is optimal. The entries of $y$ are called *dual prices*.
#
# A solver in floating point cannot show equality. We use only two things from its solution: which variables are zero, and which inequalities of $yA \le c$ are equalities. We solve the remaining equations in fractions, with a rational number for $e^{\varepsilon}$, and check everything again:

# %%
def solve_exactly(matrix, right):
    """The only solution of matrix · x = right, in fractions."""
    augmented = np.column_stack([matrix, right])
    rows = [[QQ(v.numerator, v.denominator) for v in row] for row in augmented]
    reduced, pivots = DomainMatrix(rows, augmented.shape, QQ).to_sparse().rref()
    unknowns = matrix.shape[1]
    assert pivots == tuple(range(unknowns))  # there is a solution, and only one
    last = [row[-1] for row in reduced.to_dense().to_list()[:unknowns]]
    return np.array([Fraction(int(v.numerator), int(v.denominator)) for v in last])


# %%
precise = {f"{side}_feasibility_tolerance": 1e-10 for side in ("primal", "dual")}


def solve_lp_exactly(costs, rows, limits, sums):
    """Minimise costs · x for x >= 0, rows · x <= limits, sums · x = 1, with a proof."""
    slack = np.eye(len(rows), dtype=object)
    A = np.block([[rows, slack], [sums, np.zeros((len(sums), len(rows)), dtype=object)]])
    b = np.array([*limits, *[1] * len(sums)], dtype=object)
    c = np.array([*costs, *[0] * len(rows)], dtype=object)
    numbers = {"A_eq": A.astype(float), "b_eq": b.astype(float)}
    options = {"presolve": False, **precise}
    found = optimize.linprog(c.astype(float), **numbers, method="highs-ds", options=options)
    positive = found.x != 0  # the simplex method sets all others to exactly 0
    tight = found.lower.marginals == 0
    x = np.zeros(len(c), dtype=object)
    x[positive] = solve_exactly(A[:, positive], b)
    y = solve_exactly(A[:, tight].T, c[tight])
    assert all(x >= 0) and all(A @ x == b)  # x is feasible
    assert all(y @ A <= c) and y @ b == c @ x  # y proves that nothing is better
    return c @ x, x[: len(costs)]


# %% [markdown]
# The last two lines are the proof. They do not depend on the solver: if it had stopped at a wrong vertex, an assertion would fail.
#
# ## Counts: geometric noise is best, whatever the reader believes
#
# All four counts are equally likely, and $e^{\varepsilon} = 2$ or $e^{\varepsilon} = \frac32$:

# %%
def best_mechanism(top, factor, weights=None, loss=abs):
    """Least expected loss of all private mechanisms on 0..top, and the best table."""
    size = top + 1
    weights = weights or [Fraction(1, size)] * size
    costs = [weights[x] * loss(x - y) for x, y in product(range(size), repeat=2)]
    rows = privacy_rows(size, size, factor)
    least, p = solve_lp_exactly(costs, rows, [0] * len(rows), sum_rows(size, size))
    return least, p.reshape(size, size)


for factor in (2, Fraction(3, 2)):
    least, p = best_mechanism(3, factor)
    print(f"factor {factor}: least expected error {least}")
    for row in p:
        print("   ", *(f"{v!s:>6}" for v in row))


# %% [markdown]
# The first table is two-sided geometric noise, $\Pr(k) \propto 2^{-|k|}$, where results beyond 0 and 3 are moved to the ends. The second table never publishes 0 or 3. It is geometric noise as well, but interpreted: with so much noise, a reader who sees 0 has a smaller expected error with the estimate 1. Such an interpretation is called *post-processing*. It does not use the data and costs no privacy.

# %%
def geometric(top, factor):
    """Geometric noise on 0..top, with results beyond the ends moved to the ends."""
    alpha = 1 / Fraction(factor)
    p = np.array([[alpha ** abs(x - y) for y in range(top + 1)] for x in range(top + 1)])
    p[:, 1:-1] *= 1 - alpha
    return p / (1 + alpha)


interpreted = np.zeros((4, 4), dtype=int)  # 0 is read as 1, and 3 as 2
interpreted[[0, 1, 2, 3], [1, 1, 2, 2]] = 1
assert (best_mechanism(3, 2)[1] == geometric(3, 2)).all()
assert (best_mechanism(3, Fraction(3, 2))[1] == geometric(3, Fraction(3, 2)) @ interpreted).all()


# %% [markdown]
# ```{prf:theorem} Counts (Ghosh, Roughgarden and Sundararajan)
# :label: thm-lap-05-counts
# For all weights $w$ and every loss that grows with $|y - x|$, one of the best $\varepsilon$-private mechanisms on $0, \dots, n$ is
# geometric noise followed by a post-processing.
# ```
#
# The publisher therefore need not know the beliefs of the readers {cite:p}`ghosh2012universally`. Each of them gets the optimum from the same published number. The theorem says *one of* the best, because a programme can have several optimal tables, and not all of them have this form.
#
# Let us test the theorem with a reader who expects one customer in five to be late, and who squares the error. The best post-processing assigns to each noisy count the estimate of least expected loss:

# %%
def binomial(n, p):
    return np.array([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


def loss_of_geometric_noise(top, factor, weights, loss):
    """Expected loss of geometric noise with the best estimate for each noisy count."""
    joint = geometric(top, factor) * np.array(weights)[:, None]
    counts = range(top + 1)
    losses = np.array([[loss(x - y) for x in counts] for y in counts])
    return (losses @ joint).min(axis=0).sum()


beliefs = list(binomial(4, Fraction(1, 5)))
least, _ = best_mechanism(4, 2, weights=beliefs, loss=lambda d: d**2)
print(least, loss_of_geometric_noise(4, 2, beliefs, lambda d: d**2))


# %% [markdown]
# The two numbers are equal. The evidence notebook repeats the comparison for other sizes, levels, beliefs and losses.
#
# ```{evidence} N-B8
# ```
#
# ## Real numbers: the programme finds a staircase
#
# A mean need not move in whole steps. Let the answers be multiples of $1/m$, and let the sensitivity be 1. Then all answers up to $m$ steps apart are neighbours. We look for the best *noise*: the error is $k/m$ with probability $p_k$.
#
# There are infinitely many unknowns. But only two numbers matter about the noise beyond one unit on the right: its mass $T$ and its first moment $C$. Privacy says that $p_k \le e^{\varepsilon} p_{k+m}$. Sum this over $k = 1, 2, \dots$, once as it stands and once with the factor $k/m$:
#
# $$ \sum_{k=1}^m p_k + T \le e^{\varepsilon}\, T, \qquad
#    \sum_{k=1}^m \frac km\, p_k + C \le e^{\varepsilon} (C - T). $$
#
# The same holds on the left. This gives a finite programme. Its value is a lower bound for all private noise on the grid:

# %%
def pair_rows(m, factor):
    """Rows r with r · p <= 0: p[i] <= factor · p[j] for all i, j at most m steps apart."""
    size = 2 * m + 1
    rows = []
    for i, j in product(range(size), repeat=2):
        if 0 < abs(i - j) <= m:
            row = np.zeros(size + 4, dtype=object)
            row[[i, j]] = 1, -factor
            rows.append(row)
    return rows


def tail_rows(inside, distance, mass, factor):
    """The two inequalities for one side; `mass` is the place of T, and C stands behind it."""
    first, second = np.zeros((2, inside.size + 4), dtype=object)
    first[: inside.size][inside] = 1
    first[mass] = 1 - factor
    second[: inside.size][inside] = distance[inside]
    second[[mass, mass + 1]] = factor, 1 - factor
    return [first, second]


# %% [markdown]
# The unknowns are $p_{-m}, \dots, p_m$, and $T$ and $C$ for each side.

# %%
def best_noise(m, factor):
    """Least mean |error| of private noise on the multiples of 1/m, and p[0..m]."""
    size = 2 * m + 1
    position = np.arange(-m, m + 1)
    distance = np.array([Fraction(abs(int(k)), m) for k in position])
    rows = pair_rows(m, factor)
    rows += tail_rows(position < 0, distance, size, factor)
    rows += tail_rows(position > 0, distance, size + 2, factor)
    costs = [*distance, 0, 1, 0, 1]
    total = np.array([[1] * size + [1, 0, 1, 0]], dtype=object)
    least, p = solve_lp_exactly(costs, np.array(rows), [0] * len(rows), total)
    return least, p[m:size]


on_grid = {m: best_noise(m, factor=4) for m in (1, 2, 3, 4, 5, 6)}
for m, (least, p) in on_grid.items():
    print(f"steps of 1/{m}: error {least!s:>7} = {float(least):.4f};", *p)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "What the programme finds for a factor of 4: the best noise on two grids. Between 0 and 1 the probability falls only once, by the full factor 4 (points). The noise of a geometric distribution falls by the same factor, but in equal steps (crosses, dotted line). Negative errors are not drawn; they are the mirror image.", "name": "fig-lap-05-programme"}, "image": {"alt": "Two panels with a logarithmic vertical axis. Left, thirds: points at 1 for 0 and 1/3, at 1/4 for 2/3 and 1. Right, sixths: points at 1 for 0 and 1/6, and at 1/4 from 1/3 to 1. In both a dotted line falls straight from 1 to 1/4."}} tags=["figure"]
fig, axes = plots.panels(1, 2, height=3, width=8.5, sharey=True)
for ax, m in zip(axes, (3, 6)):
    p = on_grid[m][1]
    error = np.arange(m + 1) / m
    ax.plot(error, 4.0**-error, marker="x", ls=":", label="geometric noise")
    ax.plot(error, [float(v / p[0]) for v in p], "o", label="best noise")
    assert set(p / p[0]) == {1, Fraction(1, 4)}
    ax.set(xlabel="error, in sensitivities", title=f"multiples of 1/{m}", yscale="log")
    ax.set_yticks([0.25, 0.5, 1], ["1/4", "1/2", "1"])
    ax.minorticks_off()
axes[0].set_ylabel("probability,\nrelative to error 0")
axes[0].legend(loc="lower left")
plt.show()

# %% [markdown]
# With steps of 1 the programme finds geometric noise again. With smaller steps it finds a *staircase*: the probability stays level, falls once by the whole factor 4, and stays level again. Continued from unit to unit, it is private noise with exactly this error, so nothing on the grid is better. If one third is on the grid ($m = 3$ and $m = 6$), the error is $\frac23$, whether the fall comes just before or just after one third. Laplace noise of the same privacy has the error $1/\ln 4 \approx$ 0.721<!-- {1 / np.log(4):.3f} -->.
#
# ## Why a staircase?
#
# Noise with less error than Laplace noise has a density with steps.
#
# ```{prf:definition} Staircase noise
# :label: def-lap-05-staircase
# Let $\gamma \in [0, 1]$. The density of $|X|/\Delta$ is constant on $[0, \gamma)$. On $[\gamma, 1)$ it is constant and smaller by the factor
# $e^{\varepsilon}$. On each further unit it is that of the unit before, divided by
# $e^{\varepsilon}$. Both signs are equally likely.
# ```
#
# Staircase noise is $\varepsilon$-private. Two points at most $\Delta$ apart have distances from 0 that differ by at most $\Delta$. The falls of the density are $\Delta$ apart, so at most one of them lies between these distances.
#
# ```{prf:theorem} The least error (Geng and Viswanath)
# :label: thm-lap-05-staircase
# No $\varepsilon$-private noise for a number of sensitivity $\Delta$ has a smaller mean absolute error than
# $\Delta\, e^{\varepsilon/2} / (e^{\varepsilon} - 1)$, and staircase noise with $\gamma = 1/(1 + e^{\varepsilon/2})$ has this error.
# ```
#
# ```{prf:proof}
# Let $w = e^{\varepsilon/2}$, and let $g$ be the density of $|X|/\Delta$. (It exists: by privacy, the distribution of $X$ is at most $e^{\varepsilon}$ times the average of its shifts by up to $\Delta$, and this average has a density.) We may assume that $X$ and $-X$ have the same distribution, because a random sign changes neither the error nor the privacy. Let $T$ and $C$ be the mass and the first moment of $g$ beyond 1, and let $H$ be its first moment on $[0, 1)$.
#
# 1. Privacy gives $g(t) \le w^2 g(t + 1)$. Integrate this over $t \ge 0$ with the factor $t$: $H + C \le w^2 (C - T)$, that is, $(1 - w^{-2})\,C \ge w^{-2} H + T$.
# 2. Integrate it without the factor: $1 \le w^2\, T$.
# 3. On $[0, 1)$ all values of $g$ lie between some $a$ and $w^2 a$. So $\int_0^1 (\gamma - t)\, g(t)\, dt$ is at most its value for the function that is $w^2 a$ before $\gamma$ and $a$ after it, and that value is 0. Since $g$ has mass $1 - T$ on $[0, 1)$, this means $H \ge \gamma\,(1 - T)$.
#
# Therefore $(1 - w^{-2})(H + C) \ge H + T \ge \gamma (1 - T) + T = \frac{1 + wT}{1 + w} \ge \frac{1 + 1/w}{1 + w} = \frac1w$. Divide by $1 - w^{-2}$ to get $E|X|/\Delta = H + C \ge w/(w^2 - 1)$. For staircase noise with this $\gamma$ all three facts are equalities.
# ```
#
# The dual prices of our programme suggested this proof. The mean absolute error of Laplace noise is $\Delta/\varepsilon$. Sympy computes the value 0 of step 3 and the share of this error:

# %%
w, a, t, gamma = sp.symbols("w a t gamma", positive=True)
before = sp.integrate(w**2 * a * (gamma - t), (t, 0, gamma))
after = sp.integrate(a * (gamma - t), (t, gamma, 1))
assert sp.simplify((before + after).subs(gamma, 1 / (1 + w))) == 0

epsilon = sp.Symbol("epsilon", positive=True)
least_error = sp.exp(epsilon / 2) / (sp.exp(epsilon) - 1)
of_laplace = (epsilon / 2) / sp.sinh(epsilon / 2)
assert sp.simplify((least_error * epsilon - of_laplace).rewrite(sp.exp)) == 0
for level in (0.25, 0.5, 1, 1.5, 2, 3, 4, 5):  # the package's noise has this error
    assert np.isclose(share(level), float(of_laplace.subs(epsilon, level)), rtol=1e-12)

# %% [markdown]
# So staircase noise has the share $\frac{\varepsilon/2}{\sinh(\varepsilon/2)}$ of the error of Laplace noise: 96%<!-- {share(1):.0%} --> at $\varepsilon = 1$, 70%<!-- {share(3):.0%} --> at 3 and 41%<!-- {share(5):.0%} --> at 5.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left: the densities of Laplace noise and of staircase noise with the same privacy. One falls steadily; the other stays level and then falls by the whole factor at once. Right: the mean absolute error of staircase noise as a share of that of Laplace noise; dots mark \u03b5 = 1, 3 and 5.", "name": "fig-staircase"}, "image": {"alt": "Left: two symmetric densities at epsilon 3; the Laplace density has a sharp peak, the staircase a narrow high plateau and lower, wide plateaus. Right: a curve that starts at 1 and falls below one half before epsilon 5."}} tags=["figure"]
x = np.linspace(-2.2, 2.2, 1201)
shown = np.linspace(0.05, 6, 120)
fig, (left, right) = plots.panels(1, 2, height=3.4, width=8.5)
left.plot(x, 1.5 * np.exp(-3 * np.abs(x)), label="Laplace")
left.plot(x, Staircase(epsilon=3.0).pdf(x), label="staircase", ls="-")
left.set(xlabel="noise, in sensitivities", ylabel="density", title="ε = 3")
left.legend()
right.plot(shown, shown / 2 / np.sinh(shown / 2))
right.plot([1, 3, 5], [share(1), share(3), share(5)], "o", color=plots.COLOURS["orange"])
right.set(xlabel="level ε", ylabel="error, as a share\nof Laplace's", ylim=(0, 1.03))
plt.show()


# %% jupyter={"source_hidden": true} tags=["figure"]
def at_level(level):
    noise = Staircase(epsilon=level)
    note = (
        f"Mean absolute error: {1 / level:.3f} with Laplace noise, {noise.error:.3f} with "
        f"staircase noise ({share(level):.0%}). The fall is at {noise.step:.2f} of each unit."
    )
    corners = np.array([unit + end for unit in range(3) for end in (0.0, noise.step)])
    doubled = np.repeat(corners, 2)[1:]  # each level from fall to fall
    heights = np.repeat(noise.pdf(corners + 1e-9), 2)[:-1]
    return [
        {"trace": 0, "y": level / 2 * np.exp(-level * np.abs(smooth))},
        {
            "trace": 1,
            "x": [*-doubled[::-1], *doubled],
            "y": [*heights[::-1], *heights],
        },
        {"trace": 3, "x": [level], "y": [share(level)]},
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
interactive.show(
    "staircase",
    live,
    [interactive.Slider("level ε", [0.25, 0.5, 1, 1.5, 2, 3, 4, 5], "g", start=5)],
    at_level,
    alt="Left, the densities of Laplace noise and of staircase noise; right, the "
    "mean error of the staircase as a share of Laplace's, with a point at the level.",
)

# %% [markdown]
# The smaller error has a price. Privacy limits the *largest* privacy loss, the logarithm of the ratio of the two densities. The *mean* loss can differ:

# %%
y = (np.arange(2_500_000) + 0.5) * 1e-5 - 12  # noise around 0 or around 1, from -12 to 13


def mean_loss(density):
    """Mean logarithm of the ratio of the densities around 0 and around 1."""
    return (density(y) * np.log(density(y) / density(y - 1))).sum() * 1e-5


laplace_loss = mean_loss(lambda v: 1.5 * np.exp(-3 * np.abs(v)))
staircase_loss = mean_loss(Staircase(epsilon=3.0).pdf)


# %% [markdown]
# At $\varepsilon = 3$ the mean loss is 2.53<!-- {staircase_loss:.2f} --> with staircase noise and 2.05<!-- {laplace_loss:.2f} --> with Laplace noise.
#
# ```{evidence} N-B9
# ```
#
# ## The best announcement
#
# The lender asks twenty customers whether they ever paid late. Usually one customer in five is late. As in notebook 1, G is one of the twenty. The lender wants to announce *significantly more often late* with probability at most 5% (the *level*) if nothing is unusual, and as often as possible (the *power*) if the rate is $\frac12$. The announcement must be private with $e^{\varepsilon} = 2$.
#
# This is a mechanism with two outputs, no and yes. The level is one more linear inequality, and the power is the objective:

# %%
def best_announcement(n, rate, other, factor, level):
    """Largest power against the rate `other`, and the probability of yes for each count."""
    yes = np.array([0, 1])
    rows = [*privacy_rows(n + 1, 2, factor), np.kron(binomial(n, rate), yes)]
    limits = [0] * (len(rows) - 1) + [level]
    costs = -np.kron(binomial(n, other), yes)
    least, p = solve_lp_exactly(costs, np.array(rows), limits, sum_rows(n + 1, 2))
    return -least, p[1::2]


usual, raised, level = Fraction(1, 5), Fraction(1, 2), Fraction(1, 20)
power, best = best_announcement(20, usual, raised, 2, level)
print(f"power {float(power):.4f}")

# %% [markdown]
# ```{prf:theorem} The most powerful private test (Awan and Slavković)
# :label: thm-lap-05-test
# Add geometric noise to the count $K$, and then a uniform number from $[-\frac12, \frac12)$. Announce if the sum is at least $m$,
# where $m$ makes the level exact. Against every larger rate, no $\varepsilon$-private test of the same level announces more often.
# ```
#
# ```{prf:proof}
# Let $\varphi(k)$ be the probability of announcing at $K = k$. The sum of the two noises is staircase noise with $\gamma = \frac12$, and its $\varphi$ grows as fast as privacy permits: $\varphi(k + 1) = h(\varphi(k))$ with $h(v) = \min(e^{\varepsilon} v,\, 1 - e^{-\varepsilon}(1 - v))$. Any other private test $\psi$ satisfies $\psi(k + 1) \le h(\psi(k))$, and $h$ is increasing. So once $\psi(k) \le \varphi(k)$, this holds for all larger counts: $\psi$ can exceed $\varphi$ only for small counts. The probability of $K$ under the higher rate, divided by that under the usual rate, increases with $K$. At equal level, $\psi$ therefore loses at least as much power at large counts as it gains at small ones.
# ```
#
# The theorem {cite:p}`awan2018differentially` describes the test that the programme found:

# %%
test = binomial_test(20, 1 / 5, epsilon=np.log(2))
assert np.allclose(test.chances, best.astype(float), rtol=1e-12)
noisy_count = test.release(9, rng=1)
print(f"announce from {test.threshold:.2f} on; nine late customers: {noisy_count:.2f}", end=", ")
print(f"p-value {float(test.p_value(noisy_count)):.3f}")

# %% [markdown]
# We compare four announcements:

# %%
announcements = {
    "no noise, from 8": np.array([Fraction(k >= 8) for k in range(21)]),
    "geometric noise, from 8": geometric(20, 2)[:, 8:].sum(axis=1),
    "geometric noise, from 9": geometric(20, 2)[:, 9:].sum(axis=1),
    "best private": best,
}
for name, chance in announcements.items():
    false_alarm, power = binomial(20, usual) @ chance, binomial(20, raised) @ chance
    factors = [b / a if a > 0 else np.inf for a, b in pairwise(chance) if b > 0]
    print(f"{name:>23}: level {float(false_alarm):.4f}, power {float(power):.4f}, "
          f"odds of G move by up to {max(factors)}")  # fmt: skip

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Four announcements. Left: how often each is made, against the rate of late customers. At the usual rate (dotted line) it should not exceed the level (thin line). The best private test (broad line) and the threshold 9 almost coincide. Right: the factor by which the announcement moves the odds that G was late, for an attacker who knows the other 19. Without noise it is made only from 7 others on, and at 7 it proves that G was late (arrow).", "name": "fig-lap-05-announcements"}, "image": {"alt": "Left: four rising curves of the probability of an announcement; the one without noise is the steepest, and only the curve for threshold 8 is above the thin line at the usual rate. Right: factors between 1 and 2 against the number of others; the private ones are 2 for few others and fall to 1 for many."}} tags=["figure"]
rates = np.linspace(0, 0.8, 81)
made = np.array([binomial(20, rate) for rate in rates])
fig, (left, right) = plots.panels(1, 2, height=3.8, width=8.5)
for name, chance in announcements.items():
    style = {}
    if name == "best private":
        style = {"ls": "-", "lw": 6, "alpha": 0.4, "zorder": 1}
    yes = chance.astype(float)
    (drawn,) = left.plot(rates, made @ yes, label=name, **style)
    style = {"ls": drawn.get_linestyle()} | style
    others = np.flatnonzero(yes[:-1] > 0)
    right.plot(others, yes[others + 1] / yes[others], color=drawn.get_color(),
               marker=".", **style)  # fmt: skip
left.axvline(0.2, color="#555555", lw=1, ls=":")
left.axhline(0.05, color="#555555", lw=0.7, ls="-")
left.set(xlabel="rate of late customers", ylabel="probability of announcement")
left.legend(fontsize="small")
right.annotate("", (7, 2.28), (7, 1.0), arrowprops={"color": plots.COLOURS["blue"],
               "arrowstyle": "->", "lw": 1.8})  # fmt: skip
right.set(xlabel="late customers among the other 19", xticks=range(0, 20, 3))
right.set(ylabel="factor on the odds of G", ylim=(0.9, 2.3))
plt.show()


# %% [markdown]
# The last number is the largest factor on the odds that G was late, for an attacker who knows the other 19. Without noise it is infinite, because the announcement can prove that G was late. With noise, the threshold 8 exceeds the level. The best private test uses the whole 5% and has slightly more power than the threshold 9. The rest of the difference to the announcement without noise is the price of privacy.
#
# ```{evidence} N-B10
# ```
#
# ## Does a program keep the promise?
#
# So far we have compared distributions. A program is different: often all that we can do is run it on two neighbours $x$ and $y$. Every event $S$ then gives a lower bound, $\varepsilon \ge \ln \Pr(m(x) \in S) - \ln \Pr(m(y) \in S)$. `audit` uses half of the draws to choose an event with a large ratio. In the *other* half it counts how often the event occurs, and takes exact confidence limits {cite:p}`clopper1934confidence` for both probabilities. This is the method of {cite:t}`ding2018detecting` and {cite:t}`jagielski2020auditing`.
#
# We audit eight mechanisms. Four of them have a planted fault.

# %%
def with_noise(noise):
    """The mechanism that adds this noise to its answers."""
    return lambda answers, rng: answers + noise(answers.shape, rng)


def geometric_noise(shape, rng):
    p = 1 - np.exp(-1)
    return rng.geometric(p, shape) - rng.geometric(p, shape)


def low_bits(answers, rng):
    """Whether the output of the naive sampler can come from 1."""
    noisy = answers + discrete.naive_sampler(answers.shape, scale=10.0, rng=rng)
    return discrete.mironov_attack(noisy, 1.0, scale=10.0)


stairs = Staircase(epsilon=1.0)
runs = {"sensitivity": 1.0, "dimension": 200_000}  # all runs in one call
right_scale = laplace_mechanism(epsilon=1.0, **runs)(np.asarray)
half_scale = laplace_mechanism(epsilon=2.0, **runs)(np.asarray)
staircase = with_noise(lambda shape, rng: stairs.sample(shape, rng=rng))
one_sided = with_noise(lambda shape, rng: abs(stairs.sample(shape, rng=rng)))

# %%
mechanisms = {  # mechanism, two neighbours, promised level
    "Laplace": (right_scale, 0.0, 1.0, 1.0),
    "geometric": (with_noise(geometric_noise), 0, 1, 1.0),
    "staircase": (staircase, 0.0, 1.0, 1.0),
    "best announcement": (lambda k, rng: rng.random(k.shape) < test.chances[k], 7, 8, np.log(2)),
    "half the scale": (half_scale, 0.0, 1.0, 1.0),
    "sensitivity 2, taken for 1": (right_scale, 0.0, 2.0, 1.0),
    "staircase, one side only": (one_sided, 0.0, 1.0, 1.0),
    "naive sampler, low bits": (low_bits, 0.0, 1.0, 0.1),
}
rng = np.random.default_rng(5)
for name, (mechanism, x, y, promised) in mechanisms.items():
    bound = audit(mechanism, x, y, rng=rng, confidence=0.999).epsilon
    verdict = "FAULT" if bound > promised else "no fault found"
    print(f"{name:>26}: promised {promised:.2f}, at least {bound:.2f}, {verdict}")
    assert (bound > promised) == (name in list(mechanisms)[4:])


# %% [markdown]
# All four faults are detected. The last one is the leak of [notebook 5](../laplace/05-when-the-noise-leaks.ipynb): the noise has the right distribution, but an attacker computes from its low bits which count can have produced it. {cite:t}`bichsel2021dpsniper` showed that black-box tests can find this.
#
# How often does an audit accuse a correct mechanism? We audit a correct mechanism 2,000 times, with a confidence of 95%. It flips a bit with probability $1/(1 + e^{\varepsilon})$, $\varepsilon = 1$, so its privacy loss is exactly the promise.

# %%
def flipped(bits, rng):
    keep = np.e / (1 + np.e)
    return rng.random(bits.shape) < np.where(bits, keep, 1 - keep)


false_alarms = 0
for _ in range(2000):
    false_alarms += audit(flipped, 0, 1, rng=rng, draws=1000).epsilon > 1

# %% [markdown]
# There are 11<!-- {false_alarms} --> false alarms. The confidence would allow 100. The audit is cautious: each of the two limits uses half of the allowed error, and if one limit is wrong by a little, the margin of the other usually makes up for it.
#
# ```{evidence} N-B11
# ```
#
# ## What the result rests on, and its limits
#
# - **Proofs.** The programmes prove single cases, with rational $e^{\varepsilon}$. The general statements rest on the theorems. Of these, this page proves the one for real numbers and the one for announcements; the one for counts is proved by {cite:t}`ghosh2012universally`.
# - **The range.** Staircase noise is optimal if the true answer may be any number. With a known range it need not be. The study note's mean lies in $[0, 1]$. With $n = 1000$ and $\varepsilon = 0.001$, staircase noise has the mean absolute error 1.000<!-- {Staircase(epsilon=0.001, sensitivity=1 / 1000).error:.3f} -->. A publisher who always says $\frac12$ errs by at most $\frac12$.
# - **Noise only.** For real numbers we search for the best noise, not for the best mechanism. If the true answer may be any number, nothing is lost: average a mechanism's error over a long range of true answers. In the limit this gives private noise with an error that does not exceed the largest error of the mechanism.
# - **The measure of error.** For squared error another $\gamma$ is best ({ref}`exercise <ex-lap-05-square>`).
# - **The size of the gain.** At $\varepsilon = 1$, staircase noise saves only 4%<!-- {1 - share(1):.0%} -->.
# - **Audits.** An audit can detect a fault, but cannot prove that there is none: no finite number of draws excludes a leak through an event that is rarer than they show ({ref}`exercise <ex-lap-05-rule>`).
#
# ## What others had
#
# The optimality of geometric noise is due to {cite:t}`ghosh2012universally`. {cite:t}`geng2016optimal` found staircase noise and proved its optimality by approximation with step functions; {cite:t}`soriacomas2013optimal` found it independently; {cite:t}`geng2015staircase` treat several dimensions. The most powerful test is due to {cite:t}`awan2018differentially`. Ours are the optima in fractions with their dual proofs, and the short proof for staircase noise.
#
# ## Exercises
#
# ```{exercise-start} When is it worth it?
# :label: ex-lap-05-worth
# ```
# **Warm-up.** From which $\varepsilon$ on does staircase noise save a tenth of the error of Laplace noise? From which $\varepsilon$ on does it save half?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lap-05-worth", ...)

# %% [markdown]
# ```{solution-start} ex-lap-05-worth
# :class: dropdown
# ```
# Solve $\frac{x}{\sinh x} = 0.9$ and $\frac{x}{\sinh x} = 0.5$ for $x = \varepsilon/2$. The answers are $\varepsilon \approx$ 1.61<!-- {tenth:.2f} --> and $\varepsilon \approx$ 4.35<!-- {half:.2f} -->.

# %%
tenth = optimize.brentq(lambda level: share(level) - 0.9, 0.1, 10)
half = optimize.brentq(lambda level: share(level) - 0.5, 0.1, 10)
assert tenth < half
check("lap-05-worth", [tenth, half])

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Another error, another step
# :label: ex-lap-05-square
# ```
# **Standard.** Does the $\gamma$ of least mean absolute error also have the least mean *squared* error? Integrate the density at $\varepsilon = 3$ to find the best $\gamma$, and compare with Laplace noise.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-05-square", ...)


# %% [markdown]
# ```{solution-start} ex-lap-05-square
# :class: dropdown
# ```
# No. The squared error is least at $\gamma \approx$ 0.26<!-- {best_step.x:.2f} -->, instead of 0.18<!-- {stairs_3.step:.2f} -->. Large errors count more here, and a wider first step leaves less mass for them. The mean squared error is then 0.153<!-- {best_step.fun:.3f} -->, against 0.160<!-- {squared_error(stairs_3.step):.3f} --> with the other $\gamma$ and $2/\varepsilon^2 \approx$ 0.222<!-- {2 / 9:.3f} --> with Laplace noise.

# %%
def squared_error(step):
    """Mean squared error: an exact integral over each flat part of the density."""
    noise = Staircase(epsilon=3.0, step=step)
    ends = np.sort([unit + end for unit in range(30) for end in (0.0, step)])
    heights = noise.pdf((ends[1:] + ends[:-1]) / 2)
    return 2 * (heights * np.diff(ends**3) / 3).sum()


stairs_3 = Staircase(epsilon=3.0)
best_step = optimize.minimize_scalar(squared_error, bounds=(0.01, 0.99), method="bounded")
assert best_step.x > stairs_3.step
check("lap-05-square", best_step.x)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Both halves of an announcement
# :label: ex-lap-05-silence
# ```
# **Standard.** In the best test, $\varphi(k + 1) = e^{\varepsilon} \varphi(k)$ up to some $k$, and
# $1 - \varphi(k) = e^{\varepsilon}(1 - \varphi(k + 1))$ from there on. At which value of $\varphi(k)$ do the two rules agree? What does *silence* tell an attacker about G?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-05-silence", ...)

# %% [markdown]
# ```{solution-start} ex-lap-05-silence
# :class: dropdown
# ```
# The two rules agree if $e^{\varepsilon} v = 1 - e^{-\varepsilon}(1 - v)$, that is, at $v = 1/(1 + e^{\varepsilon})$. Where $\varphi(k)$ is smaller,
# the announcement moves the odds of G by the full factor $e^{\varepsilon}$, and silence moves them by less. Where it is larger, silence moves them by the full factor.

# %%
v, f = sp.symbols("v f", positive=True)
(agree,) = sp.solve(sp.Eq(f * v, 1 - (1 - v) / f), v)
for now, following in pairwise(best):
    announced, silent = following / now, (1 - now) / (1 - following)
    assert max(announced, silent) == 2
    assert (announced == 2) == (now <= Fraction(1, 3))
check("lap-05-silence", agree.subs(f, sp.exp(sp.Symbol("eps"))))

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} What an audit cannot show
# :label: ex-lap-05-rule
# ```
# **Research.** A mechanism publishes the secret itself once in a million runs, and otherwise nothing. Its $\varepsilon$
# is infinite. What is the largest bound that an audit with $n$ judging draws on each side and confidence $1 - \beta$ can show? How many draws would it need to show
# $\varepsilon > 5$ here?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-05-rule", ...)


# %% [markdown]
# ```{solution-start} ex-lap-05-rule
# :class: dropdown
# ```
# If the event never occurs among $n$ draws on the other side, the upper limit is $1 - (\beta/2)^{1/n}$. The lower limit is at most $(\beta/2)^{1/n}$, after $n$ hits. With $x = \ln(2/\beta)/n$
# their quotient is $1/(e^x - 1) < 1/x$, so the bound stays below $\ln n - \ln\ln(2/\beta)$. This is 10.2<!-- {at_best(100_000, 0.05):.1f} --> for $n = 10^5$ and $\beta = 0.05$.
#
# In this example the event is rare on both sides. To show a ratio of $e^5 \approx 148$, the lower limit for a probability of
# $10^{-6}$ must exceed $148 \cdot 3.7/n$. This takes about 600<!-- {needed // 10**6} --> million draws.

# %%
def at_best(n, beta):
    return np.log(n) - np.log(np.log(2 / beta))


def bound_shown(draws, beta=0.05):
    hits = draws // 1_000_000
    low = stats.beta.ppf(beta / 2, hits, draws - hits + 1)
    return np.log(low) - np.log(-np.expm1(np.log(beta / 2) / draws))


needed = next(draws for draws in range(10**8, 10**9, 10**7) if bound_shown(draws) > 5)
certain = audit(lambda answers, rng: answers, 0, 1, rng=rng)
assert abs(certain.epsilon - at_best(100_000, 0.05)) < 1e-3
check("lap-05-rule", at_best)

# %% [markdown]
# ```{solution-end}
# ```
#
# **Next:** which faults does an audit find, and which are visible only in the accuracy? [Which faults does an audit find?](laplace-audit-what-you-read.ipynb).
