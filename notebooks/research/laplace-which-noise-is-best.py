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
# **Question.** Laplace noise of scale $\Delta/\varepsilon$ makes an answer of sensitivity $\Delta$ $\varepsilon$-differentially private. Which mechanism keeps the same promise with the smallest error?
#
# **What is known.** The study note uses Laplace noise only (chapter 8). {cite:t}`ghosh2012universally` proved that geometric noise is optimal for counts. {cite:t}`geng2016optimal` proved that *staircase noise* has the smallest mean absolute error for real numbers. {cite:t}`awan2018differentially` found the most powerful private test.
#
# **Answer.** One method finds all three optima: a linear programme, solved in fractions, whose dual solution proves that nothing is better. It also suggests a short proof for staircase noise, whose error is 41%<!-- {share(5):.0%} --> of that of Laplace noise at $\varepsilon = 5$, but 96%<!-- {share(1):.0%} --> at $\varepsilon = 1$.
#
# **Why it matters.** Better noise makes statistics more accurate at the same $\varepsilon$; a proved optimum says when to stop searching.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how to write privacy as a linear programme, how duality proves that no mechanism is better, and what an audit of a program can show.
# **You need** the Laplace mechanism ([notebook 2](../laplace/02-laplace-mechanism.ipynb)) and discrete Laplace noise ([notebook 5](../laplace/05-when-the-noise-leaks.ipynb)).
# **Time:** 24 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **Neighbours:** inputs whose exact answers differ by at most the sensitivity $\Delta$. **The attacker** sees one answer and knows everything except which of two neighbours was the input. **Protected:** which of the two it was; an answer moves the attacker's odds by at most the factor $e^{\varepsilon}$. All mechanisms here make this promise; only their errors differ. **Not considered** before the section on programs: the low bits of floating-point numbers.
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


def standard_form(costs, rows, limits, sums):
    """The programme as: minimise c · x for x >= 0, A · x = b, with slack variables."""
    slack = np.eye(len(rows), dtype=object)
    A = np.block([[rows, slack], [sums, np.zeros((len(sums), len(rows)), dtype=object)]])
    b = np.array([*limits, *[1] * len(sums)], dtype=object)
    c = np.array([*costs, *[0] * len(rows)], dtype=object)
    return A, b, c


def basis_in_floats(A, b, c):
    """Which variables are positive, and which dual inequalities are equalities."""
    equations = {"A_eq": A.astype(float), "b_eq": b.astype(float)}
    precise = {f"{side}_feasibility_tolerance": 1e-10 for side in ("primal", "dual")}
    options = {"presolve": False, **precise}
    solution = optimize.linprog(c.astype(float), **equations, method="highs-ds", options=options)
    # The simplex method sets all other variables to exactly 0.
    return solution.x != 0, solution.lower.marginals == 0


def solve_exactly(matrix, right):
    """The only solution of matrix · x = right, in fractions."""
    augmented = np.column_stack([matrix, right])
    rows = [[QQ(v.numerator, v.denominator) for v in row] for row in augmented]
    reduced, pivots = DomainMatrix(rows, augmented.shape, QQ).to_sparse().rref()
    unknowns = matrix.shape[1]
    assert pivots == tuple(range(unknowns))  # there is a solution, and only one
    last = [row[-1] for row in reduced.to_dense().to_list()[:unknowns]]
    return np.array([Fraction(int(v.numerator), int(v.denominator)) for v in last])


def sum_rows(inputs, outputs):
    """Rows r with r · p = 1: for each input the probabilities sum to 1."""
    return np.kron(np.eye(inputs, dtype=object), np.ones(outputs, dtype=object))


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


def binomial(n, p):
    """Probabilities of 0..n, exact if p is a fraction."""
    return np.array([comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)])


# %% [markdown]
# ## Method: a linear programme over all mechanisms
#
# Suppose that a count is 0, 1, 2 or 3. A mechanism that publishes one of these four numbers is a $4 \times 4$ table of probabilities $p(y \mid x)$, where $x$ is the true count and $y$ the published number. We want the table that is best for a certain reader:
#
# - The probabilities of each row sum to 1.
# - The mechanism is $\varepsilon$-differentially private if $p(y \mid x) - e^{\varepsilon} p(y \mid x \pm 1) \le 0$ for all $x$ and $y$.
# - A reader who believes that the count is $x$ with probability $w(x)$ expects the loss $\sum_x w(x) \sum_y p(y \mid x)\, |y - x|$. It should be as small as possible.
#
# Each of these expressions is linear in the sixteen numbers $p(y \mid x)$. So the best table is the solution of a *linear programme*, and we need not guess the form of the noise. These are the rows of the privacy condition, with the factor $e^{\varepsilon}$:

# %%
def privacy_rows(inputs, outputs, factor):
    """Rows r with r · p <= 0, one for each pair of neighbours and each output."""
    rows = []
    for x, neighbour, y in product(range(inputs), range(inputs), range(outputs)):
        if abs(x - neighbour) == 1:
            row = np.zeros((inputs, outputs), dtype=object)
            row[x, y] = 1
            row[neighbour, y] = -factor
            rows.append(row.ravel())
    return np.array(rows)


# %% [markdown]
# How can we be sure that a table is optimal? We give each inequality a slack variable. Then the programme has the standard form: minimise $c \cdot x$ subject to $Ax = b$ and $x \ge 0$. Let $y$ be any vector with $y A \le c$. Because $x \ge 0$, every feasible $x$ satisfies
#
# $$ c \cdot x \;\ge\; y A x \;=\; y \cdot b. $$
#
# So $y \cdot b$ is a lower bound for the loss of *every* private table. If some feasible $x$ attains this bound, then $x$ is optimal. The entries of $y$ are called *dual variables*.
#
# A solver in floating point cannot show that two numbers are equal. Therefore we take only two sets from its solution: the variables that are positive, and the inequalities of $yA \le c$ that hold with equality. The first set leaves a system of linear equations for $x$, and the second set one for $y$. We solve both in fractions, for which $e^{\varepsilon}$ must be rational. Two assertions then check the result:

# %%
def solve_lp_exactly(costs, rows, limits, sums):
    """Minimise costs · x for x >= 0, rows · x <= limits, sums · x = 1, with a proof."""
    A, b, c = standard_form(costs, rows, limits, sums)
    positive, tight = basis_in_floats(A, b, c)
    x = np.zeros(len(c), dtype=object)
    x[positive] = solve_exactly(A[:, positive], b)
    y = solve_exactly(A[:, tight].T, c[tight])
    assert all(x >= 0) and all(A @ x == b)  # x is feasible
    assert all(y @ A <= c) and y @ b == c @ x  # y proves that nothing is better
    return c @ x, x[: len(costs)]


# %% [markdown]
# The assertions prove that $x$ is optimal. The proof does not depend on the floating-point solver: if it had stopped at a wrong vertex, an assertion would fail. The folded cell above has the helper functions.
#
# ## Counts: geometric noise is optimal, whatever the reader believes
#
# We begin with a reader who considers all four counts equally likely, and solve the programme for $e^{\varepsilon} = 2$ and for $e^{\varepsilon} = \frac32$:

# %%
def best_mechanism(top, factor, weights=None, loss=abs):
    """Least expected loss of all private mechanisms on 0..top, and the best table."""
    size = top + 1
    weights = weights or [Fraction(1, size)] * size
    costs = [weights[x] * loss(x - y) for x, y in product(range(size), repeat=2)]
    rows = privacy_rows(size, size, factor)
    least_loss, table = solve_lp_exactly(costs, rows, [0] * len(rows), sum_rows(size, size))
    return least_loss, table.reshape(size, size)


for factor in (2, Fraction(3, 2)):
    least_loss, table = best_mechanism(3, factor)
    print(f"factor {factor}: least expected error {least_loss}")
    for row in table:
        print("   ", *(f"{entry!s:>6}" for entry in row))


# %% [markdown]
# The first table is two-sided geometric noise, $\Pr(k) \propto 2^{-|k|}$, where results below 0 are replaced by 0 and results above 3 by 3. The second table never publishes 0 or 3. It is geometric noise with one more step: a noisy 0 is replaced by 1, and a noisy 3 by 2. With so much noise, the estimate 1 has a smaller expected error than the estimate 0. A step that uses only the noisy number is called *post-processing*. It costs no privacy, and a reader can do it as well as the publisher.
#
# ```{prf:theorem} Counts (Ghosh, Roughgarden and Sundararajan)
# :label: thm-lap-05-counts
# For all weights $w$ and every loss that grows with $|y - x|$, one of the best $\varepsilon$-private mechanisms on $0, \dots, n$ is
# geometric noise followed by a post-processing.
# ```
#
# So the publisher need not know what the readers believe {cite:p}`ghosh2012universally`. It publishes the count with geometric noise, and each reader reaches their own optimum by post-processing. The theorem says *one of* the best, because a programme can have several optimal tables, and not all of them have this form.
#
# We test the theorem with a reader who expects each of four customers to be late with probability $\frac15$, and whose loss is the squared error. The best post-processing replaces each noisy count by the estimate with the smallest expected loss:

# %%
def geometric(top, factor):
    """Geometric noise on 0..top, with results beyond the ends moved to the ends."""
    alpha = 1 / Fraction(factor)
    table = np.array([[alpha ** abs(x - y) for y in range(top + 1)] for x in range(top + 1)])
    table[:, 1:-1] *= 1 - alpha
    return table / (1 + alpha)


def loss_of_geometric_noise(top, factor, weights, loss):
    """Expected loss of geometric noise with the best estimate for each noisy count."""
    joint = geometric(top, factor) * np.array(weights)[:, None]
    counts = range(top + 1)
    losses = np.array([[loss(x - y) for x in counts] for y in counts])
    return (losses @ joint).min(axis=0).sum()


beliefs = list(binomial(4, Fraction(1, 5)))
optimum, _ = best_mechanism(4, 2, weights=beliefs, loss=lambda error: error**2)
print(optimum, loss_of_geometric_noise(4, 2, beliefs, lambda error: error**2))


# %% [markdown]
# The two numbers are equal. [The evidence notebook](../evidence/research/laplace-which-noise-is-best.ipynb) repeats the comparison for other sizes, levels, beliefs and losses.
#
# ```{evidence} N-B8
# ```
#
# ## Real numbers: the programme finds a staircase
#
# A mean can take values between the integers. Let the true answers be multiples of $1/m$, and let the sensitivity be 1. Then two answers are neighbours if they are at most $m$ steps apart. We now look for the best *noise*: the mechanism adds the error $k/m$ with a probability $p_k$ that does not depend on the true answer.
#
# There are infinitely many unknowns $p_k$. We keep $p_{-m}, \dots, p_m$, and describe the errors above 1 by two numbers only: their probability $T = \sum_{k > m} p_k$ and their first moment $C = \sum_{k > m} \frac km\, p_k$. Privacy requires $p_k \le e^{\varepsilon} p_{k+m}$. First, sum this inequality over $k = 1, 2, \dots$. Second, multiply it by $\frac km = \frac{k+m}m - 1$ before you sum. The results are
#
# $$ \sum_{k=1}^m p_k + T \le e^{\varepsilon}\, T, \qquad
#    \sum_{k=1}^m \frac km\, p_k + C \le e^{\varepsilon} (C - T). $$
#
# Errors below $-1$ satisfy two inequalities of the same form. Now the programme is finite. All private noise on the grid satisfies its conditions, so its optimum is a lower bound for the error of all private noise on the grid:

# %%
def best_noise(m, factor):
    """Least mean |error| of private noise on the multiples of 1/m, and p[0..m]."""
    size = 2 * m + 1
    position = np.arange(-m, m + 1)
    distance = np.array([Fraction(abs(int(k)), m) for k in position])
    rows = pair_rows(m, factor)
    rows += tail_rows(position < 0, distance, size, factor)
    rows += tail_rows(position > 0, distance, size + 2, factor)
    costs = [*distance, 0, 1, 0, 1]  # the unknowns are p, and T and C for each side
    total = np.array([[1] * size + [1, 0, 1, 0]], dtype=object)
    least_error, unknowns = solve_lp_exactly(costs, np.array(rows), [0] * len(rows), total)
    return least_error, unknowns[m:size]


on_grid = {m: best_noise(m, factor=4) for m in (1, 2, 3, 4, 5, 6)}
for m, (least_error, probabilities) in on_grid.items():
    error = f"{least_error!s:>7} = {float(least_error):.4f}"
    print(f"steps of 1/{m}: error {error};", *probabilities)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The best noise on two grids, as the linear programme finds it for e^\u03b5 = 4. Between the errors 0 and 1 its probability drops only once, by the whole factor 4 (points). Geometric noise has the same factor between 0 and 1, but in equal steps (crosses, dotted line). Negative errors are not drawn; they are the mirror image.", "name": "fig-lap-05-programme"}, "image": {"alt": "Two panels with a logarithmic vertical axis. Left, thirds: points at 1 for 0 and 1/3, at 1/4 for 2/3 and 1. Right, sixths: points at 1 for 0 and 1/6, and at 1/4 from 1/3 to 1. In both a dotted line falls straight from 1 to 1/4."}} tags=["figure"]
fig, axes = plots.panels(1, 2, height=3, width=8.5, sharey=True)
for ax, m in zip(axes, (3, 6)):
    probabilities = on_grid[m][1]
    error = np.arange(m + 1) / m
    ax.plot(error, 4.0**-error, marker="x", ls=":", label="geometric noise")
    relative = probabilities / probabilities[0]
    ax.plot(error, relative.astype(float), "o", label="best noise")
    assert set(relative) == {1, Fraction(1, 4)}
    ax.set(xlabel="error, in sensitivities", title=f"multiples of 1/{m}", yscale="log")
    ax.set_yticks([0.25, 0.5, 1], ["1/4", "1/2", "1"])
    ax.minorticks_off()
axes[0].set_ylabel("probability,\nrelative to error 0")
axes[0].legend(loc="lower left")
plt.show()

# %% [markdown]
# With steps of 1 the programme finds geometric noise again. With smaller steps it finds a *staircase*: between the errors 0 and 1 the probability stays constant, drops once by the whole factor 4, and stays constant again. We continue this noise beyond 1: on each further unit its probabilities are those of the unit before, divided by 4. The result is private noise with exactly this error, so the lower bound is attained, and no private noise on the grid is better. Laplace noise with $e^{\varepsilon} = 4$ has the larger error $1/\ln 4 \approx$ 0.721<!-- {1 / np.log(4):.3f} -->.
#
# ## Why a staircase?
#
# The densities that the programme finds fall in steps, so we first define noise of this shape.
#
# ```{prf:definition} Staircase noise
# :label: def-lap-05-staircase
# Let $\gamma \in [0, 1]$. The density of $|X|/\Delta$ is constant on $[0, \gamma)$. On $[\gamma, 1)$ it is constant, and smaller by the factor $e^{\varepsilon}$. On each interval $[j, j + 1)$, $j \ge 1$, it is the density on $[j - 1, j)$, shifted by 1 and divided by $e^{\varepsilon}$. Both signs of $X$ are equally likely.
# ```
#
# This noise is $\varepsilon$-private. The density drops by the factor $e^{\varepsilon}$ at the distances $\gamma\Delta$, $(1 + \gamma)\Delta$, $(2 + \gamma)\Delta$, and so on, from 0. Two points that are at most $\Delta$ apart have distances from 0 that differ by at most $\Delta$. So there is at most one drop between them.
#
# ```{prf:theorem} The least error (Geng and Viswanath)
# :label: thm-lap-05-staircase
# No $\varepsilon$-private noise for a number of sensitivity $\Delta$ has a smaller mean absolute error than
# $\Delta\, e^{\varepsilon/2} / (e^{\varepsilon} - 1)$, and staircase noise with $\gamma = 1/(1 + e^{\varepsilon/2})$ has this error.
# ```
#
# ```{prf:proof}
# Let $w = e^{\varepsilon/2}$, and let $g$ be the density of $|X|/\Delta$. (A density exists. By privacy, the distribution of $X$ is at most $e^{\varepsilon}$ times the distribution of $X + U$ with $U$ uniform on $[0, \Delta]$, which has a density.) We may assume that $X$ and $-X$ have the same distribution, because a random sign changes neither the error nor the privacy. Let $T$ and $C$ be the probability and the first moment of $g$ beyond 1, and let $H$ be its first moment on $[0, 1)$.
#
# 1. Privacy gives $g(t) \le w^2 g(t + 1)$. Multiply by $t$ and integrate over $t \ge 0$: $H + C \le w^2 (C - T)$, that is, $(1 - w^{-2})\,C \ge w^{-2} H + T$.
# 2. Integrate the same inequality without the factor $t$: $1 \le w^2\, T$.
# 3. On $[0, 1)$ all values of $g$ lie between some $a$ and $w^2 a$. In $\int_0^1 (\gamma - t)\, g(t)\, dt$ the factor $\gamma - t$ is positive before $\gamma$ and negative after it. So the integral is largest if $g$ is $w^2 a$ before $\gamma$ and $a$ after it. Then it is $\frac a2 \bigl(w^2\gamma^2 - (1 - \gamma)^2\bigr) = 0$, because $1 - \gamma = w\gamma$. So $\gamma\,(1 - T) - H \le 0$.
#
# Add $(1 - w^{-2})H$ to both sides of the first fact, and use the other two:
# $(1 - w^{-2})(H + C) \ge H + T \ge \gamma (1 - T) + T = \frac{1 + wT}{1 + w} \ge \frac{1 + 1/w}{1 + w} = \frac1w$. Divide by $1 - w^{-2}$ to get $E|X|/\Delta = H + C \ge w/(w^2 - 1)$. For staircase noise with this $\gamma$ all three facts are equalities.
# ```
#
# The dual variables of our programme suggested this proof. For $e^{\varepsilon} = 4$ the theorem has $\gamma = \frac13$ and the error $\frac23$, which the programme found on both grids that contain $\frac13$ ($m = 3$ and $m = 6$).
#
# The mean absolute error of Laplace noise is $\Delta/\varepsilon$. So the error of staircase noise, divided by that of Laplace noise, is $\frac{\varepsilon/2}{\sinh(\varepsilon/2)}$. This is 96%<!-- {share(1):.0%} --> at $\varepsilon = 1$, 70%<!-- {share(3):.0%} --> at 3 and 41%<!-- {share(5):.0%} --> at 5.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Left: the densities of Laplace noise and of staircase noise with the same \u03b5 = 3. The Laplace density falls steadily; the staircase density is constant between its drops. Right: the mean absolute error of staircase noise, divided by that of Laplace noise. The gain is small at \u03b5 = 1 and large at \u03b5 = 5 (dots: \u03b5 = 1, 3, 5).", "name": "fig-staircase"}, "image": {"alt": "Left: two symmetric densities at epsilon 3; the Laplace density has a sharp peak, the staircase a narrow high plateau and lower, wide plateaus. Right: a curve that starts at 1 and falls below one half before epsilon 5."}} tags=["figure"]
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
# The smaller error has a price. Privacy limits the *largest* privacy loss, that is, the logarithm of the ratio of the densities under two neighbours. The *mean* privacy loss (the Kullback–Leibler divergence of the two densities) can be larger with staircase noise. For neighbours that differ by $\Delta$ it has a closed form:

# %%
staircase_3 = Staircase(epsilon=3.0)
staircase_loss = 3 * (1 - np.exp(-3)) * staircase_3.cdf(staircase_3.step)
laplace_loss = 3 - 1 + np.exp(-3)


# %% [markdown]
# At $\varepsilon = 3$ the mean loss is 2.53<!-- {staircase_loss:.2f} --> with staircase noise and 2.05<!-- {laplace_loss:.2f} --> with Laplace noise.
#
# ```{evidence} N-B9
# ```
#
# ## The most powerful private test
#
# The lender of [notebook 1](../laplace/01-attackers.ipynb) asks twenty customers, one of them G, whether they ever paid late. Usually one customer in five is late. The lender wants to announce that customers are *significantly more often late*. This is a statistical test. If the rate is still $\frac15$, the announcement should have probability at most 5% (the *level*). If the rate is $\frac12$, its probability (the *power*) should be as large as possible. The announcement must be private with $e^{\varepsilon} = 2$.
#
# Such a test is a mechanism with two outputs, no and yes. In the linear programme the level is one more inequality, and the power is the objective:

# %%
def most_powerful_test(n, rate, other_rate, factor, level):
    """Largest power against the other rate, and the probability of yes for each count."""
    yes = np.array([0, 1])
    rows = [*privacy_rows(n + 1, 2, factor), np.kron(binomial(n, rate), yes)]
    limits = [0] * (len(rows) - 1) + [level]
    costs = -np.kron(binomial(n, other_rate), yes)
    least_cost, table = solve_lp_exactly(costs, np.array(rows), limits, sum_rows(n + 1, 2))
    return -least_cost, table[1::2]


usual, raised = Fraction(1, 5), Fraction(1, 2)
best_power, best_test = most_powerful_test(20, usual, raised, 2, level=Fraction(1, 20))
print(f"power {float(best_power):.4f}")

# %% [markdown]
# ```{prf:theorem} The most powerful private test (Awan and Slavković)
# :label: thm-lap-05-test
# Let $K$ be the number of late customers. Add geometric noise to $K$, and then a uniform number from $[-\frac12, \frac12)$. Announce if the sum is at least $m$,
# where $m$ makes the level exact. Against every rate that is larger than the usual one, no $\varepsilon$-private test of the same level has more power.
# ```
#
# ```{prf:proof}
# We may assume that a test depends on $K$ alone: averaging it over all orders of the customers changes neither its level nor its power, and keeps it private. Let a private test announce with probability $\psi(k)$ if $K = k$. Privacy of yes and of no gives $\psi(k + 1) \le h(\psi(k))$ with $h(v) = \min(e^{\varepsilon} v,\, 1 - e^{-\varepsilon}(1 - v))$. Let $\varphi$ be the probabilities of the test in the theorem. The sum of its two noises is staircase noise with $\gamma = \frac12$, and for this noise equality holds: $\varphi(k + 1) = h(\varphi(k))$.
#
# The function $h$ is increasing. So if $\psi(k) \le \varphi(k)$ for one count $k$, the same is true for $k + 1$, and for all larger counts. Therefore $\psi$ can exceed $\varphi$ only below some count $k_0$. At equal level, the probability that $\psi$ gains below $k_0$ equals the probability that it loses from $k_0$ on, if the rate is the usual one. Under a larger rate, large counts become more likely relative to small ones, because the ratio of the two binomial probabilities of $k$ increases with $k$. So $\psi$ then loses at least as much as it gains.
# ```
#
# The theorem {cite:p}`awan2018differentially` describes the test that the programme found. The package has it as `binomial_test`, which also computes the threshold $m$:

# %%
package_test = binomial_test(20, 1 / 5, epsilon=np.log(2))
assert np.allclose(package_test.chances, best_test.astype(float), rtol=1e-12)
print(f"announce if the noisy count is at least {package_test.threshold:.2f}")

# %% [markdown]
# We compare four tests:

# %%
announcements = {
    "no noise, from 8": np.array([Fraction(k >= 8) for k in range(21)]),
    "geometric noise, from 8": geometric(20, 2)[:, 8:].sum(axis=1),
    "geometric noise, from 9": geometric(20, 2)[:, 9:].sum(axis=1),
    "most powerful private": best_test,
}
for name, test in announcements.items():
    level, power = binomial(20, usual) @ test, binomial(20, raised) @ test
    possible = [(below, above) for below, above in pairwise(test) if above > 0]
    factors = [above / below if below > 0 else np.inf for below, above in possible]
    print(f"{name:>23}: level {float(level):.4f}, power {float(power):.4f}, "
          f"odds of G move by up to {max(factors)}")  # fmt: skip

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Four tests. Left: the probability of an announcement against the rate of late customers. At the usual rate (dotted line) it should not exceed the level 5% (thin line). The most powerful private test (broad line) and the threshold 9 almost coincide. Right: the factor by which an announcement moves the odds that G was late, for an attacker who knows the other 19 answers. With noise the factor is at most 2. Without noise, if exactly 7 others were late, the announcement proves that G was late (arrow).", "name": "fig-lap-05-announcements"}, "image": {"alt": "Left: four rising curves of the probability of an announcement; the one without noise is the steepest, and only the curve for geometric noise with threshold 8 is above the thin line at the usual rate. Right: factors between 1 and 2 against the number of others; the private ones are 2 for few others and fall to 1 for many."}} tags=["figure"]
rates = np.linspace(0, 0.8, 81)
count_probabilities = np.array([binomial(20, rate) for rate in rates])
fig, (left, right) = plots.panels(1, 2, height=3.8, width=8.5)
for name, test in announcements.items():
    style = {}
    if name == "most powerful private":
        style = {"ls": "-", "lw": 6, "alpha": 0.4, "zorder": 1}
    yes = test.astype(float)
    (curve,) = left.plot(rates, count_probabilities @ yes, label=name, **style)
    style = {"ls": curve.get_linestyle()} | style
    others = np.flatnonzero(yes[:-1] > 0)
    right.plot(others, yes[others + 1] / yes[others], color=curve.get_color(),
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
# The last column is the largest factor by which an announcement moves the odds that G was late, for an attacker who knows the other 19 answers. Without noise it is infinite, because the announcement can prove that G was late. With geometric noise, the threshold 8 exceeds the level, and the threshold 9 does not use all of it. The most powerful private test has exactly the level 5%, and slightly more power than the threshold 9. The power that it lacks, compared with the test without noise, is the price of privacy.
#
# ```{evidence} N-B10
# ```
#
# ## Does a program keep the promise?
#
# So far we have compared distributions. A program can have faults, and often all that an auditor can do is run the program $m$ on two neighbours $x$ and $y$. Every set $S$ of outputs then gives a lower bound, $\varepsilon \ge \ln \Pr(m(x) \in S) - \ln \Pr(m(y) \in S)$.
#
# The function `audit` uses half of the runs to choose a set with a large ratio. In the *other* half it counts how often the output is in this set. It takes exact confidence limits {cite:p}`clopper1934confidence` for both probabilities, a lower one for $x$ and an upper one for $y$, and returns the logarithm of their ratio. This is the method of {cite:t}`ding2018detecting` and {cite:t}`jagielski2020auditing`.
#
# We audit eight mechanisms. The first four are right. The others have a planted fault: noise of half the scale; a sensitivity of 2 that is taken for 1; staircase noise without its sign; and Laplace noise whose low bits an attacker can read. The folded cell defines them.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def with_noise(noise):
    """The mechanism that adds this noise to its answers."""
    return lambda answers, rng: answers + noise(answers.shape, rng)


def geometric_noise(shape, rng):
    p = 1 - np.exp(-1)
    return rng.geometric(p, shape) - rng.geometric(p, shape)


def private_test(counts, rng):
    """Whether the most powerful private test announces."""
    return rng.random(counts.shape) < package_test.chances[counts]


def low_bits(answers, rng):
    """Whether the output of the naive sampler can come from 1."""
    noisy = answers + discrete.naive_sampler(answers.shape, scale=10.0, rng=rng)
    return discrete.mironov_attack(noisy, 1.0, scale=10.0)


staircase_1 = Staircase(epsilon=1.0)
runs = {"sensitivity": 1.0, "dimension": 200_000}  # all runs in one call
right_scale = laplace_mechanism(epsilon=1.0, **runs)(np.asarray)
half_scale = laplace_mechanism(epsilon=2.0, **runs)(np.asarray)
staircase = with_noise(lambda shape, rng: staircase_1.sample(shape, rng=rng))
one_sided = with_noise(lambda shape, rng: abs(staircase_1.sample(shape, rng=rng)))

# %%
mechanisms = {  # mechanism, two neighbours, promised ε
    "Laplace": (right_scale, 0.0, 1.0, 1.0),
    "geometric": (with_noise(geometric_noise), 0, 1, 1.0),
    "staircase": (staircase, 0.0, 1.0, 1.0),
    "most powerful private test": (private_test, 7, 8, np.log(2)),
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
# The audit detects all four faults. The last one is the leak of [notebook 5](../laplace/05-when-the-noise-leaks.ipynb): the noise has the right distribution, but its low bits show an attacker which counts can have produced the output. {cite:t}`bichsel2021dpsniper` showed that tests without access to the code can find this leak.
#
# How often does an audit accuse a correct mechanism? We audit one 2,000 times, with a confidence of 95%. The mechanism flips a bit with probability $1/(1 + e^{\varepsilon})$, $\varepsilon = 1$, so its largest privacy loss is exactly what it promises.

# %%
def randomized_response(bits, rng):
    keep = np.e / (1 + np.e)
    return rng.random(bits.shape) < np.where(bits, keep, 1 - keep)


false_alarms = 0
for _ in range(2000):
    result = audit(randomized_response, 0, 1, rng=rng, draws=1000)
    false_alarms += result.epsilon > 1

# %% [markdown]
# There are 11<!-- {false_alarms} --> false alarms, where a confidence of 95% allows 100. The reason is that a wrong confidence limit alone is seldom enough for a false alarm. The other limit is usually on the safe side by more than the first one is wrong.
#
# ```{evidence} N-B11
# ```
#
# ## What the result rests on, and its limits
#
# - **Proofs.** The programmes prove single cases, with rational $e^{\varepsilon}$. The general statements rest on the theorems. This note proves those for real numbers and for tests; {cite:t}`ghosh2012universally` prove the one for counts.
# - **Noise only.** For real numbers our programme and the theorem are about *noise*, not about all mechanisms. If the true answer may be any number, nothing is lost. Shift a mechanism's output back by the true answer, and average its error over a long range of true answers: in the limit this is private noise whose mean error does not exceed the largest mean error of the mechanism.
# - **The range.** If the answer has a known range, neither Laplace noise nor staircase noise need be optimal. The study note's mean lies in $[0, 1]$. With $n = 1000$ and $\varepsilon = 0.001$, staircase noise has the mean absolute error 1.000<!-- {Staircase(epsilon=0.001, sensitivity=1 / 1000).error:.3f} -->, but a publisher who always says $\frac12$ errs by at most $\frac12$.
# - **The measure of error.** For squared error another $\gamma$ is best ({ref}`exercise <ex-lap-05-square>`).
# - **Audits.** An audit can detect a fault, but cannot prove that there is none: it misses a leak through an event that is too rare for its number of runs ({ref}`exercise <ex-lap-05-rule>`).
#
# ## What others had
#
# {cite:t}`geng2016optimal` proved the optimality of staircase noise by approximation with step functions; {cite:t}`soriacomas2013optimal` found this noise independently; {cite:t}`geng2015staircase` treat several dimensions. Ours are the optima in fractions with their dual proofs, and the short proof for staircase noise.
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
# **Standard.** Does the $\gamma$ that minimises the mean absolute error also minimise the mean *squared* error? Integrate the density at $\varepsilon = 3$ to find the best $\gamma$, and compare with Laplace noise.
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-05-square", ...)


# %% [markdown]
# ```{solution-start} ex-lap-05-square
# :class: dropdown
# ```
# No. The mean squared error is smallest at $\gamma \approx$ 0.26<!-- {best_step.x:.2f} -->, and the mean absolute error at 0.18<!-- {staircase_3.step:.2f} -->. Large errors weigh more in the squared error, and a wider first step leaves less probability for them. With the better $\gamma$ the mean squared error is 0.153<!-- {best_step.fun:.3f} -->, against 0.160<!-- {squared_error(staircase_3.step):.3f} --> with the other $\gamma$, and $2/\varepsilon^2 \approx$ 0.222<!-- {2 / 9:.3f} --> with Laplace noise.

# %%
def squared_error(step):
    """Mean squared error: an exact integral over each flat part of the density."""
    noise = Staircase(epsilon=3.0, step=step)
    ends = np.sort([unit + end for unit in range(30) for end in (0.0, step)])
    heights = noise.pdf((ends[1:] + ends[:-1]) / 2)
    return 2 * (heights * np.diff(ends**3) / 3).sum()


best_step = optimize.minimize_scalar(squared_error, bounds=(0.01, 0.99), method="bounded")
assert best_step.x > staircase_3.step
check("lap-05-square", best_step.x)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} What silence reveals
# :label: ex-lap-05-silence
# ```
# **Standard.** In the most powerful private test, $\varphi(k + 1) = e^{\varepsilon} \varphi(k)$ up to some $k$, and
# $1 - \varphi(k) = e^{\varepsilon}(1 - \varphi(k + 1))$ from there on. At which value of $\varphi(k)$ do the two rules agree? What does it tell an attacker about G if the lender announces nothing (*silence*)?
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
for now, following in pairwise(best_test):
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
# is infinite. The *judging draws* of an audit are the runs in which it counts the event. What is the largest bound that an audit with $n$ judging draws for each input and confidence $1 - \beta$ can show? How many judging draws would it need to show $\varepsilon > 5$ for this mechanism?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lap-05-rule", ...)


# %% [markdown]
# ```{solution-start} ex-lap-05-rule
# :class: dropdown
# ```
# The bound is largest if the event occurs in all $n$ draws for one input and in none for the other. Then the lower limit is $(\beta/2)^{1/n}$ and the upper limit is $1 - (\beta/2)^{1/n}$. With $x = \ln(2/\beta)/n$
# their quotient is $1/(e^x - 1) < 1/x$, so the bound stays below $\ln n - \ln\ln(2/\beta)$. This is 10.2<!-- {at_best(100_000, 0.05):.1f} --> for $n = 10^5$ and $\beta = 0.05$.
#
# For the mechanism of the exercise the event is rare: it has probability $10^{-6}$ for one input and 0 for the other. The upper limit for the second input is about $\ln(2/\beta)/n = 3.7/n$. To show a ratio of $e^5 \approx 148$, the lower limit for the first must exceed $148 \cdot 3.7/n$. This takes about 600<!-- {needed // 10**6} --> million draws.

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
# **Next:** [which faults does an audit find, and which does only the accuracy show?](laplace-audit-what-you-read.ipynb)
