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
# # How far from the truth must a histogram be published?
#
# A minute ago six people stood in each of three stations. Now the stations hold 2, 9 and 7. If the operator publishes these numbers, one guess about one person becomes 12<!-- {gains(before, true, P).max():.0f} --> times as probable, by the paper's formula. The operator allows a factor of at most $e$, that is 2.72<!-- {np.e:.2f} -->. What may be published instead?
#
# **The paper** {cite:p}`kawamoto` moves the numbers step by step towards a public forecast, until no factor computed by its formula is too large. It claims that this always ends, and that the result is private.
# **We find** that the algorithm ends if it moves towards the right forecast (the paper prints another one). A smaller step can end farther from the truth. And the formula can be far from the factor that the paper defines, in both directions. In the example above this factor is only 2.01<!-- {exact_stations:.2f} -->, so the true numbers may be published. We repair the algorithm for one release and a large crowd.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how Algorithm 1 works, why a smaller step can do worse, what the test misses, and how to repair it.
# **You need** the gain ([notebook 1](01-adversarial-privacy.ipynb)), equation (3) and the bridge
# ([notebook 2](02-most-likely-movement.ipynb)), and what a linear programme is.
# **Time:** 23 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# **The attackers** know the transition matrix and the previous histogram (class MK), or also where everybody was a minute ago (class NPK). They see one published histogram, and take it for the true one. **Protected:** no guess "this person is now in that station" may become more than
# $e^\varepsilon$ times as probable. **Not protected:** anything against an attacker who knows how the published numbers were made
# ([next notebook](04-beyond-the-declared-attackers.ipynb)).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go
import sympy as sp
from scipy.optimize import linprog

from privlib.location import gain_table, max_gain, private_histogram
from privlib.location.mechanism import histograms
from privlib.location.segment import feasible_intervals
from privlib.notebook import interactive, plots

plots.use()

# %% [markdown]
# ## Algorithm 1 walks from the truth to the forecast
#
# The matrix $P$ of the transition probabilities from station to station in a minute is public. So everybody can forecast the next histogram:

# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10  # row: from, column: to
before = np.array([6, 6, 6])
true = np.array([2, 9, 7])
forecast = before @ P
print(forecast)


# %% [markdown]
# The stations are the *places* of notebooks 1 and 2, numbered from 1 in the text and from 0 in the code. We write $\pi$ for the previous histogram, $x$ for the true one, and $N$ for the number of people. The *forecast* is $\tilde\pi = \pi P$ (called *prediction* in notebooks 1 and 2; 予測されるヒストグラム in the paper).
#
# ```{prf:definition} Attackers and gain (sections 3.1 and 3.2)
# :label: def-lo-03-gain
# All attackers know $P$ and $\pi = \pi(t-1)$. *MK* knows nothing else. *OPK* knows at which place one person $u$ was at time $t-1$. *NPK* knows this of everybody.
#
# Let $K$ be what the attacker knows. The *gain* $\mathrm{Gain}_{\mathsf{OPK}}(\pi(t), u, t, \ell_j, K)$ is the attacker's probability that $u$ is now at the place $\ell_j$ after seeing $\pi(t)$, divided by the probability before.
# $\mathrm{Gain}_{\mathsf{NPK}}(\pi(t), K)$ is the largest of these gains over all $u$ and $\ell_j$.
# ```
#
# People from the same place have the same gain. So we speak of the guess "from $i$ to $j$". The paper computes the gain of a guess from the most likely movement only:
#
# ```{prf:definition} Gain by equation (3)
# :label: def-lo-03-printed
# A move from $i$ to $j$ costs $-\log P_{ij}$. Let $C(\pi, h)$ be the least total cost of moving the people from $\pi$ to $h$, and let $e_i$ be one person at place $i$. The *saving* is the cost that disappears if one person who went from $i$ to $j$ is left out:
#
# $$ G_{ij}(h) = C(\pi, h) - C(\pi - e_i, h - e_j) . $$
#
# If $h$ is published, the *gain by equation (3)* of the guess from $i$ to $j$ is $\exp\bigl( G_{ij}(h) - G_{ij}(\tilde\pi) \bigr)$.
# ```
#
# The saving under $h$ stands for the attacker's belief after the release. The saving under the forecast stands for the belief before. ([Notebook 2](02-most-likely-movement.ipynb) derives this from equation (3), under the name *printed gain*.) As code:

# %%
def least_cost(old, new, P):
    """Least cost of moving the people from the histogram `old` to `new`."""
    n = len(old)
    leave = np.kron(np.eye(n), np.ones(n))  # a row adds up the moves from one place
    arrive = np.kron(np.ones(n), np.eye(n))  # a row adds up the moves to one place
    sums = np.vstack([leave, arrive])
    return linprog(-np.log(P).ravel(), A_eq=sums, b_eq=np.append(old, new)).fun


def saving(old, new, i, j, P):
    """Cost that disappears with one person who went from i to j."""
    person = np.eye(len(old))
    return least_cost(old, new, P) - least_cost(old - person[i], new - person[j], P)


# %%
def gains(before, published, P):
    """Gain of every guess by equation (3); row: from, column: to."""
    forecast = before @ P
    table = np.empty(P.shape)
    for i, j in np.ndindex(P.shape):
        change = saving(before, published, i, j, P) - saving(before, forecast, i, j, P)
        table[i, j] = np.exp(change)
    return table


print(gains(before, true, P).round(2))


# %% [markdown]
# The guess from 1<!-- {gains(before, true, P).max(axis=1).argmax() + 1} --> to 3<!-- {gains(before, true, P).max(axis=0).argmax() + 1} --> has the largest gain. Algorithm 1 now mixes the forecast into the truth:
#
# ```{prf:algorithm} Private histogram (Algorithm 1, misprints repaired)
# :label: alg-lo-03-private
# **Input** $x$, $\pi$, $P$, the level $\varepsilon > 0$, and a step between 0 and 1.
#
# 1. Let $\alpha = 0$ and $h = x$.
# 2. While some gain of $h$ by equation (3) exceeds $e^\varepsilon$: add the step to $\alpha$ (but stop at 1), and let $h = (1 - \alpha)\,x + \alpha\,\tilde\pi$. (The paper calls this a 内分点, a point that divides a segment.)
# 3. Publish $h$.
# ```

# %%
def algorithm_1(before, true, P, epsilon, step):
    """Weight of the forecast, and the published histogram."""
    weight, published = 0, true
    while gains(before, published, P).max() > np.exp(epsilon):
        weight = min(weight + step, 1)
        published = (1 - weight) * true + weight * (before @ P)
    return weight, published


stopped = {}
for step in (0.25, 0.1, 0.05):
    stopped[step], published = algorithm_1(before, true, P, epsilon=1, step=step)
    print(f"step {step}: weight {stopped[step]:.2f}, published {published.round(2)}")


# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Every point is a histogram of 18 people in three places, in thirds of a person. A minute before there were six people in each place. Green points pass the test at \u03b5 = 1: no gain by equation (3) exceeds e. The walk starts at the truth (circle) and heads for the forecast (star). It enters the green region at the diamond. The square is the green point that is nearest to the truth.", "name": "fig-simplex"}, "image": {"alt": "A triangle of points. A green region with corners surrounds a star. A straight line leads from a circle outside the region to the star; a diamond lies on the line at the edge of the region, and a square lies elsewhere on the edge, nearer to the circle."}} tags=["figure"]
def by_mirror(function, points):
    """Its value at every point; stations 1 and 3 are alike, so half of them suffice."""
    known = {}
    for h in map(tuple, points):
        known[h] = known[h[::-1]] if h[::-1] in known else function(h)
    return np.array(list(known.values()))


thirds = histograms(54, 3) / 3  # masses in thirds of a person
largest = by_mirror(lambda h: max_gain(before, h, transition=P), thirds.tolist())
passing = thirds[largest <= np.e]
nearest = passing[np.abs(passing - true).sum(axis=1).argmin()]
edge = private_histogram(before, true, transition=P, epsilon=1)
corners = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
fig, ax = plots.panels(height=4.4, width=6.4)
ax.scatter(*(passing @ corners / 18).T, s=13, color=plots.COLOURS["green"], alpha=0.55, lw=0)
failing = thirds[largest > np.e]
ax.scatter(*(failing @ corners / 18).T, s=6, color="#d5d5d5", lw=0)
ax.plot(*(np.array([true, forecast]) @ corners / 18).T, color="black", lw=1.2, ls="-")
style = {"ms": 8, "color": plots.COLOURS["orange"], "mec": "black", "ls": ""}
marks = (
    ("truth", true, "o"),
    ("forecast", forecast, "*"),
    ("smallest weight", edge.histogram, "D"),
    ("nearest green point", nearest, "s"),
)
for name, point, marker in marks:
    ax.plot(*(point @ corners / 18), marker, label=name, **style)
for k, lift in enumerate((-0.06, -0.06, 0.03)):
    ax.text(*(corners[k] + [0, lift]), f"all in place {k + 1}", fontsize=8.5, ha="center")
ax.legend(loc="center left", bbox_to_anchor=(0.84, 0.75), fontsize=8.5)
ax.set_aspect("equal")
ax.axis("off")
plt.show()

# %% [markdown]
# The published numbers are not whole, but their total is $N$. The algorithm above repairs two misprints. The paper updates $\alpha$ by $\max$ in place of $\min$, so that $\alpha$ jumps to 1 at once. And it prints the forecast as $\pi(t) P$, although its section 3.2.1 has $\pi(t-1) P$. (The evidence lists two smaller points.)
#
# The paper leaves one condition unstated. The formula leaves out one whole person. So a guess from $i$ to $j$ needs at least one person at $i$ before, and at least one at $j$ both in the forecast and in the published histogram. After $\pi = (1, 3, 0)$, for example, the forecast has only 0.7<!-- {(np.array([1, 3, 0]) @ P)[2]:.1f} --> people at place 3, and the test is undefined. Our short code stops with an error in such cases. (The package skips guesses from places that were empty, as at the crossing below, and gives a guess the gain 0 if the published histogram makes it impossible.)
#
# ```{evidence} M-G1 M-G2 M-G3 M-G4 M-G5 M-G5.args M-G7
# ```
#
# ## The loop ends because the forecast passes the test
#
# If the forecast itself is published, the two savings are equal, so every gain by equation (3) is $e^0 = 1$. The loop therefore ends at $\alpha = 1$ at the latest:

# %%
assert np.allclose(gains(before, forecast, P), 1)

# %% [markdown]
# With the printed $\pi(t) P$ as its end point, however, the loop may never end. Suppose that ten people change place with probability 0.9 each, and that the histogram goes from (8, 2) to (5, 5):

# %%
swap = np.array([[1, 9], [9, 1]]) / 10
printed_end = np.array([5, 5]) @ swap
print(printed_end, gains(np.array([8, 2]), printed_end, swap).max().round(2))

# %% [markdown]
# The printed end point is the truth itself. So every mixture is the truth, too, and its gain exceeds $e$.
#
# ```{evidence} M-G6 M-G9 M-G10
# ```
#
# ## The smallest weight can be computed without steps
#
# Begin with class MK, because its exact gain has a simple form. The gain of the guess "now at $j$" is $h_j/\tilde\pi_j$ ([notebook 2](02-most-likely-movement.ipynb)). As $\alpha$ goes from 0 to 1, this ratio moves on a straight line from $\rho_j = x_j/\tilde\pi_j$ to 1. Sympy finds the weight at which it equals $E = e^\varepsilon$:

# %%
a, rho, E = sp.symbols("alpha rho E", positive=True)
(smallest_weight,) = sp.solve(sp.Eq((1 - a) * rho + a, E), a)
assert sp.simplify(smallest_weight - (rho - E) / (rho - 1)) == 0

# %% [markdown]
# Each $j$ with $\rho_j > E$ requires a weight of $(\rho_j - E)/(\rho_j - 1)$. The smallest weight that passes for MK is the largest of these numbers, or 0 if there is none.
#
# For NPK we use costs. A least cost of moving people is *piecewise linear* in the numbers of people: its slope changes only where the most likely movement begins to use other moves. So the logarithm of a gain, as a function of $\alpha$, consists of finitely many line segments. All of them can be computed {cite:p}`gass1955parametric`, and so can all weights that pass:

# %%
passing_weights = feasible_intervals(before, true, transition=P, epsilon=1)
nearest_on_walk = private_histogram(before, true, transition=P, epsilon=1).histogram
print(passing_weights.round(4), nearest_on_walk.round(2))

# %% [markdown]
# Every weight from 0.526<!-- {passing_weights[0, 0]:.3f} --> to 1 passes. The steps above stopped later, at 0.75<!-- {stopped[0.25]:.2f} -->, 0.60<!-- {stopped[0.1]:.2f} --> and 0.55<!-- {stopped[0.05]:.2f} -->. From now on, *Algorithm 1* without a step means: publish the mixture with the smallest weight that passes. The package's `private_histogram` does it.
#
# The paper says itself that Algorithm 1 does not find the nearest histogram that passes. Measure the distance from the truth by the sum of absolute differences. With the smallest weight it is 3.58<!-- {np.abs(nearest_on_walk - true).sum():.2f} --> people. The square in {numref}`fig-simplex` is at a distance of 2.00<!-- {np.abs(nearest - true).sum():.2f} -->, and it is the nearest only among histograms in thirds of a person.
#
# ```{evidence} M-G8 M-G11 M-B5
# ```
#
# ## The condition is not monotone in α
#
# The paper says that a smaller step gives an output nearer to the truth. This is right if the larger step is a multiple of the smaller one. Otherwise it can be wrong, as an example with four places shows:

# %%
P4 = np.array([[2, 7, 2, 9], [13, 2, 1, 4], [5, 2, 7, 6], [1, 1, 5, 13]]) / 20
before4, true4 = np.array([6, 7, 6, 8]), np.array([6, 9, 8, 4])
intervals4 = feasible_intervals(before4, true4, transition=P4, epsilon=0.7)
print(intervals4.round(4))
stopped4 = {}
for step in (0.25, 0.2):
    stopped4[step], _ = algorithm_1(before4, true4, P4, epsilon=0.7, step=step)
    print(f"step {step} stops at weight {stopped4[step]:.2f}")
assert len(intervals4) == 2

# %% [markdown]
# The weights that pass form two intervals. The step 0.25 lands in the first. The step 0.2 jumps over it, from 0.4 to 0.6, and stops only in the second.
#
# {numref}`fig-alpha-gain` shows why. Each guess has its own gain, which changes with α. At the start of the first interval, the gain from 4<!-- {falling[0] + 1} --> to 3<!-- {falling[1] + 1} --> falls below the bound. Soon after, the gain from 2<!-- {rising[0] + 1} --> to 3<!-- {rising[1] + 1} --> rises above it, and later falls again. (On screen, the sliders move $\alpha$ and $\varepsilon$, and a frame marks the largest gain.)

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Gains on the walk from the true histogram (\u03b1 = 0) to the forecast (\u03b1 = 1), four places, \u03b5 = 0.7. In the green intervals no gain exceeds the bound (dashed). The first interval begins where the guess from 4<!-- {falling[0] + 1} --> to 3<!-- {falling[1] + 1} --> falls below the bound. It ends where the guess from 2<!-- {rising[0] + 1} --> to 3<!-- {rising[1] + 1} --> rises above it. On screen: the largest gain, and above it all 16<!-- {curves[0].size} --> gains at one \u03b1. In print: all 16 curves; marks show where Algorithm 1 stops with two steps.", "name": "fig-alpha-gain"}, "image": {"alt": "Curves of gains against \u03b1. The highest starts at 7.1<!-- {curve[0]:.1f} -->. The last of those that start above the dashed bound falls below it at 0.47<!-- {intervals4[0, 0]:.2f} -->. Another curve rises above the bound at 0.53<!-- {intervals4[0, 1]:.2f} --> and falls below it at 0.61<!-- {intervals4[1, 0]:.2f} -->. Two green bands lie from 0.47<!-- {intervals4[0, 0]:.2f} --> to 0.53<!-- {intervals4[0, 1]:.2f} --> and from 0.61<!-- {intervals4[1, 0]:.2f} --> to 1<!-- {intervals4[1, 1]:.0f} -->. Black marks stand at 0.5<!-- {stopped4[0.25]:.1f} --> and 0.8<!-- {stopped4[0.2]:.1f} -->."}} tags=["figure"]
forecast4, bound4 = before4 @ P4, np.exp(0.7)
alphas = np.linspace(0, 1, 401)
walk4 = true4 + alphas[:, None] * (forecast4 - true4)
curves = np.array([gain_table(before4, h, transition=P4) for h in walk4])
curve = curves.max(axis=(1, 2))
fig, ax = plots.panels(height=3.6)
falling, rising = (
    np.unravel_index(gain_table(before4, h, transition=P4).argmax(), P4.shape)
    for h in (true4 + w * (forecast4 - true4) for w in intervals4[0])
)
for low, high in intervals4:
    ax.axvspan(low, high, color=plots.COLOURS["green"], alpha=0.22, lw=0)
for i, j in np.ndindex(4, 4):
    if (i, j) not in (falling, rising):
        ax.plot(alphas, curves[:, i, j], color="#bbbbbb", ls="-", lw=0.8)
for (i, j), colour in ((falling, "blue"), (rising, "orange")):
    ax.plot(alphas, curves[:, i, j], color=plots.COLOURS[colour], ls="-",
            label=f"from {i + 1} to {j + 1}")
ax.axhline(bound4, color="#555555", ls="--", lw=1.2, label="bound, exp(0.7)")
for step, marker in ((0.25, "o"), (0.2, "s")):
    at = stopped4[step]
    ax.plot(at, np.interp(at, alphas, curve), marker, color="black", label=f"step {step} stops")
ax.set(xlabel="weight α of the forecast", ylabel="gain of a guess", xlim=(0, 1))
ax.legend(fontsize="small")
plt.show()

# %% jupyter={"source_hidden": true} tags=["figure"]
fortieths = np.arange(41) / 40
segment = walk4[::10]
tables = curves[::10]
tops = tables.max(axis=(1, 2))
guesses = [divmod(int(one.round(9).argmax()), 4) for one in tables]
losses = np.abs(segment - true4).sum(axis=1).round(9)
colours = {"truth": "sky", "published": "orange", "forecast": "grey"}


def position(alpha, epsilon):
    at, bound = round(40 * alpha), np.exp(epsilon)
    i, j = guesses[at]
    verdict = "allowed" if tops[at] <= bound else "not allowed"
    shown = tables[at].round(2)
    alone = bool((shown == shown.max()).sum() == 1)  # else there is nothing to frame
    text = f"Largest gain {tops[at]:.2f}, guess from {i + 1} to {j + 1}"
    if not alone:
        text = f"No gain is above {tops[at]:.2f}, and several guesses reach it"
    if (shown == 1).all():
        text = "All gains are 1"
    return [
        {"trace": 1, "y": segment[at]},
        {"trace": 3, "z": tables[at]},
        {"trace": 5, "y": [v if v <= bound else None for v in curve[::5]]},
        {"trace": 6, "y": [bound, bound]},
        {"trace": 7, "x": [alpha], "y": [tops[at]]},
        {"layout": {"shapes[0].x0": j + 0.53, "shapes[0].x1": j + 1.47,
                    "shapes[0].y0": i + 0.53, "shapes[0].y1": i + 1.47,
                    "shapes[0].visible": alone}},
        {"note": f"{text}; bound {bound:.2f}: {verdict}. "
         f"The histogram differs from the truth by {losses[at]:.1f} people."},
    ]  # fmt: skip


def bar(name, heights):
    colour = {"color": plots.COLOURS[colours[name]]}
    return go.Bar(name=name, x=[1, 2, 3, 4], y=heights, marker=colour)


def drawn_line(name, xs, ys, colour, **options):
    look = {"color": colour, **options}
    return go.Scatter(x=xs, y=ys, mode="lines", line=look, xaxis="x3", yaxis="y3",
                      name=name, showlegend=bool(name))  # fmt: skip


orange, four_states = plots.COLOURS["orange"], [1, 2, 3, 4]
live = go.Figure(
    [
        bar("truth", true4),
        bar("published", []),
        bar("forecast", forecast4),
        go.Heatmap(x=four_states, y=four_states, xaxis="x2",
                   yaxis="y2", zmin=0, zmax=3,
                   colorscale=["white", plots.COLOURS["sky"]], showscale=False,
                   texttemplate="%{z:.2f}", textfont={"color": "#111111"}),
        drawn_line("", alphas[::5], curve[::5], plots.COLOURS["blue"], width=2),
        drawn_line("allowed", alphas[::5], [], plots.COLOURS["green"], width=6),
        drawn_line("", [0, 1], [], plots.COLOURS["black"], width=1.2, dash="dash"),
        go.Scatter(marker={"size": 14, "color": orange, "line": {"width": 1.5}},
                   mode="markers", xaxis="x3", yaxis="y3", showlegend=False),
    ],
    {
        "height": 540,
        "shapes": [{"type": "rect", "xref": "x2", "yref": "y2",
                    "line": {"color": orange, "width": 4}}],
        "xaxis": {"domain": [0, 0.48], "tickvals": four_states,
                  "title": {"text": "place", "standoff": 4}},
        "yaxis": {"domain": [0.54, 1], "range": [0, 12], "title": {"text": "people"}},
        "xaxis2": {"domain": [0.6, 1], "anchor": "y2", "tickvals": four_states,
                   "title": {"text": "from row to column", "standoff": 4}},
        "yaxis2": {"domain": [0.54, 1], "anchor": "x2", "tickvals": four_states,
                   "autorange": "reversed"},
        "xaxis3": {"anchor": "y3", "range": [-0.02, 1.02],
                   "title": {"text": "weight α of the forecast", "standoff": 4}},
        "yaxis3": {"domain": [0, 0.36], "anchor": "x3", "range": [0, 7.5],
                   "title": {"text": "largest gain"}},
    },
)  # fmt: skip
interactive.show(
    "alpha-gain",
    live,
    [
        interactive.Slider("weight α", fortieths[::2], ".2f", start=9),
        interactive.Slider("level ε of the bound", [0.5, 0.6, 0.7], ".1f", start=2),
    ],
    position,
    alt="Bars of the true, published and forecast histogram; a grid with the gain of "
    "every guess, the largest framed; and the curve of the largest gain against α "
    "with the bound, thick where it is kept.",
)

# %% [markdown]
# With three places there is only one interval, as long as every transition is possible and every place has at least one person before, in the truth and in the forecast ([a research note](../research/location-how-far-to-publish.ipynb) proves it). If $P$ has a zero, three places are enough for two intervals (see the {ref}`last exercise <ex-lo-03-three>`).
#
# ```{evidence} M-G12 M-B6
# ```
#
# ## The test does not bound the gain
#
# The paper says that its published histograms satisfy its definition. But the loop bounds only the gain by equation (3). The definition speaks of probabilities, and for whole histograms these can be computed exactly ([notebook 2](02-most-likely-movement.ipynb)). For our three stations, equation (3) overestimates the gain:

# %%
exact_stations = max_gain(before, true, transition=P, definition="exact")
print(f"equation (3): {gains(before, true, P).max():.2f}, exact: {exact_stations:.2f}")

# %% [markdown]
# The exact gain is below $e$, so Algorithm 1 changes the true numbers without need. The opposite error is dangerous. At a crossing, 99 of 100 people usually go straight on. This time 50 of 100 turned:

# %%
crossing = np.array([[0.99, 0.01], [0.5, 0.5]])
arrived, turned_off = np.array([100, 0]), np.array([50, 50])
release = private_histogram(arrived, turned_off, transition=crossing, epsilon=1)
fractions = [[Fraction(99, 100), Fraction(1, 100)], [Fraction(1, 2), Fraction(1, 2)]]
exact = max_gain(arrived, turned_off, transition=fractions, definition="exact")
print(f"published {release.histogram}, equation (3): {release.gain:.2f}, exact: {exact}")

# %% [markdown]
# Algorithm 1 publishes the truth, because its gain by equation (3) is 1<!-- {release.gain:.0f} -->. Yet the probability that a given person turned rises from 1%<!-- {crossing[0, 1]:.0%} --> to 50%<!-- {turned_off[1] / arrived[0]:.0%} -->, a gain of 50<!-- {int(exact)} -->. This happens when everybody comes from one place:
#
# ```{prf:proposition} Equation (3) cannot see a single source
# :label: thm-lo-03-blind
# Let all $N$ people come from place $i$, and let the forecast have at least one person at every place. Publish any histogram $h$ of whole people. By equation (3), every guess from $i$ to $j$ with $h_j > 0$ has gain 1. Its exact gain is $h_j/(N P_{ij})$.
# ```
#
# ```{prf:proof}
# Everybody at $j$ came from $i$. So the cost is $-\sum_j h_j \log P_{ij}$, and the saving is $-\log P_{ij}$, whatever $h$ is. It is the same under the forecast, so the difference of the two savings is 0.
#
# For the exact gain, note that the attacker cannot tell the $N$ people apart. After the release, each of them is at $j$ with probability $h_j/N$. Before, the probability was $P_{ij}$.
# ```

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "A crossing where one person in a hundred turns. If k of 100 turn, the largest exact gain of a guess is k (solid; at k = 0 it is the gain of \"went straight on\"). By equation (3) the largest gain is 1<!-- {max(by_three):.0f} --> for every k (dashed). So Algorithm 1 publishes each of these histograms unchanged. The dotted line is the bound of \u03b5 = 1.", "name": "fig-crossing"}, "image": {"alt": "On a logarithmic axis the exact gain rises from 1<!-- {known[0]:.0f} --> to 100<!-- {known[-1]:.0f} --> as k goes from 0 to 100, far above the dotted line at e. The gain by equation (3) is a horizontal line at 1<!-- {max(by_three):.0f} -->."}} tags=["figure"]
turned = np.arange(101)
known = [float(max_gain(arrived, [100 - k, k], transition=fractions, definition="exact"))
         for k in turned]
by_three = [max_gain(arrived, [100 - k, k], transition=crossing) for k in turned]
fig, ax = plots.panels(height=3.2)
ax.semilogy(turned, known, ls="-", label="exact gain")
ax.semilogy(turned, by_three, ls="--", label="gain by equation (3)")
ax.axhline(np.e, color="#555555", lw=1.2, ls=":", label="bound, e")
ax.set(xlabel="how many of 100 people turned", ylabel="largest gain of a guess")
ax.legend(loc="center right")
plt.show()


# %% [markdown]
# ```{evidence} M-A3
# ```
#
# ## A different path bounds the gain
#
# Our repair replaces both the gain and the straight path.
#
# *The gain.* In a large crowd, the exact gain is close to the *bridge gain* ({prf:ref}`def-lo-02-bridge`). The bridge is a matrix of moves from $\pi$ to $x$. It sends
#
# $$ \pi_i P_{ij}\, \frac{s_j}{c_i} \text{ people from } i \text{ to } j, \qquad c_i = \sum_k P_{ik} s_k . $$
#
# The *coordinates* $s_j$ are chosen such that $x_j$ people arrive at each place $j$. (If $P$ has no zeros, they exist and are unique up to a common factor.) Without the release, $\pi_i P_{ij}$ people were expected. The quotient $s_j/c_i$ is the bridge gain.

# %%
def bridge_coordinates(before, after, P):
    """Coordinates s with which the bridge arrives at `after`."""
    s = np.ones(len(after))
    for _ in range(2000):
        s = after / ((before / (P @ s)) @ P)  # scale every column to its sum
    return s


def bridge_gain(before, after, P):
    """Largest bridge gain of a possible guess."""
    s = bridge_coordinates(before, after, P)
    return (s / (P[before > 0] @ s)[:, None]).max()


print(f"three stations: bridge gain {bridge_gain(before, true, P):.2f}")

# %% [markdown]
# *The path.* At the forecast all coordinates are equal. If we add a large number $v$ to every $s_j$, the ratios of the coordinates come close to 1. So by adding a growing $v$ we walk from the truth to the forecast:
#
# ```{prf:theorem} Bridge walk
# :label: thm-lo-03-bridge
# Let $P$ have no zeros, and let $x$ have no empty place. For $v \ge 0$, let $h(v)$ be the histogram at which the bridge with the coordinates $s_j + v$ arrives. Let $E = e^\varepsilon > 1$.
#
# 1. $h(0) = x$, and $h(v)$ tends to $\tilde\pi$ as $v \to \infty$. The total is always $N$.
# 2. Every bridge gain moves monotonically towards 1.
# 3. No bridge gain exceeds $E$ if and only if $v \ge v^*$. Here $v^*$ is the largest $(s_j - E c_i)/(E - 1)$ over all $j$ and all $i$ with $\pi_i > 0$.
# 4. If $v \ge v^*$, the exact gains $h_j(v)/\tilde\pi_j$ of class MK do not exceed $E$ either.
# ```
#
# ```{prf:proof}
# The rows of $P$ sum to 1, so $c_i$ becomes $c_i + v$. Of the people at $i$, the share $P_{ij}(s_j + v)/(c_i + v)$ goes to $j$. These shares sum to 1, so nobody is lost. The bridge gain is now
#
# $$ \frac{s_j + v}{c_i + v} = 1 + \frac{s_j - c_i}{c_i + v} . $$
#
# As $v$ grows, the last term keeps its sign and tends to 0. This proves 2. In the limit $\pi_i P_{ij}$ people go from $i$ to $j$, which is the forecast. This proves 1. For 3, solve $s_j + v \le E(c_i + v)$ for $v$.
#
# For 4, note that $h_j(v)$ is the sum over $i$ of $\pi_i P_{ij}$ times the bridge gain, and that $\tilde\pi_j$ is the sum of the $\pi_i P_{ij}$. So $h_j(v)/\tilde\pi_j$ is an average of bridge gains, and is at most $E$.
# ```

# %%
s_j, c_i, v = sp.symbols("s_j c_i v", positive=True)
assert sp.simplify((s_j + v) / (c_i + v) - 1 - (s_j - c_i) / (c_i + v)) == 0
assert sp.solve(sp.Eq(s_j + v, E * (c_i + v)), v)[0].equals((s_j - E * c_i) / (E - 1))


# %% [markdown]
# The *bridge walk* publishes $h(v)$ with the smallest $v$ that passes:

# %%
def bridge_walk(before, true, P, epsilon):
    """First histogram on the bridge walk with no bridge gain above exp(epsilon)."""
    s, bound = bridge_coordinates(before, true, P), np.exp(epsilon)
    c = P[before > 0] @ s
    v = max(0, (s - bound * c[:, None]).max() / (bound - 1))
    return (before / (P @ s + v)) @ P * (s + v)


print("three stations:", bridge_walk(before, true, P, 1).round(2))
print("four places:   ", bridge_walk(before4, true4, P4, 0.7).round(2))
print("crossing:      ", bridge_walk(arrived, turned_off, crossing, 1).round(2))

# %% [markdown]
# This answers the opening question. At the three stations the largest bridge gain is 2.11<!-- {bridge_gain(before, true, P):.2f} -->, below $e$. So the bridge walk publishes 2, 9 and 7 as they are. At the crossing it publishes 2.72<!-- {bridge_walk(arrived, turned_off, crossing, 1)[1]:.2f} --> people in place of 50. This is $e$ times the forecast of 1.

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The four places again. Blue: the largest gain by equation (3) on the straight walk falls below the bound, rises above it and falls again. Green: the largest bridge gain on the bridge walk falls all the way. The dot is the release of the bridge walk at \u03b5 = 0.7. The curves show two different gains, so compare their shapes, not their heights.", "name": "fig-bridge-walk"}, "image": {"alt": "Two curves of the largest gain against the progress of the walk. The blue one starts at 7.1<!-- {curve[0]:.1f} -->, falls below the dashed bound, rises above it and falls again. The green one falls steadily from 3.5<!-- {largest4[0]:.1f} --> to 1<!-- {largest4[-1]:.0f} --> and crosses the bound once, where the dot is."}} tags=["figure"]
s4 = bridge_coordinates(before4, true4, P4)
s4 /= before4 @ (P4 @ s4) / before4.sum()  # so that the mean of c over the people is 1
progress, largest4 = alphas[:-1], []
for w in progress:
    shifted = s4 + w / (1 - w)
    largest4.append((shifted / (P4 @ shifted)[:, None]).max())
v4 = max(0, (s4 - bound4 * (P4 @ s4)[:, None]).max() / (bound4 - 1))
fig, ax = plots.panels(height=3.4)
ax.plot(alphas, curve, color=plots.COLOURS["blue"], ls="-", label="equation (3), straight walk")
ax.plot(progress, largest4, color=plots.COLOURS["green"], ls="-", label="bridge gain, bridge walk")
ax.axhline(bound4, color="#555555", ls="--", lw=1.2, label="bound, exp(0.7)")
ax.plot(v4 / (1 + v4), bound4, "o", color=plots.COLOURS["orange"], ms=7,
        label="release of the bridge walk")
ax.set(xlabel="progress of the walk: α, or v/(1 + v)", ylabel="largest gain", xlim=(0, 1))
ax.legend()
plt.show()


# %% [markdown]
# ```{evidence} M-B14
# ```
#
# ## True or published previous histogram?
#
# Algorithm 1 takes the *published* previous histogram for $\pi$. Class MK knows only published histograms, so it makes the same forecast as the algorithm. Class NPK knows where everybody really was. It makes a different forecast, and its gain differs from the one that is tested.
#
# Let 120 people move between the three stations for 150 minutes. The bridge walk publishes every minute, and starts either from the true or from the published previous histogram:

# %%
def day(epsilon, start_from):
    """Largest bridge gain of NPK after each of 150 minutes."""
    rng, largest = np.random.default_rng(7), []
    now = shown = np.array([40, 40, 40])
    for _ in range(150):
        previous, previous_shown = now, shown
        now = sum(rng.multinomial(n, row) for n, row in zip(previous, P))
        start = previous if start_from == "true" else previous_shown
        shown = bridge_walk(start, now, P, epsilon)
        largest.append(bridge_gain(previous, shown, P))
    return np.array(largest)


# %%
npk, above = {}, {}
for start_from in ("published", "true"):
    npk[start_from] = day(0.25, start_from)
    above[start_from] = (npk[start_from] > np.exp(0.25) * (1 + 1e-6)).sum()
    print(f"{start_from} start: {above[start_from]} of 150 releases exceed the bound")
assert above["true"] == 0

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "The largest bridge gain of class NPK after each of 150 releases of the bridge walk at \u03b5 = 0.25. If the walk starts from the published previous histogram, 11<!-- {above[\"published\"]} --> releases exceed the bound (dashed), some of them by very little. If it starts from the true one, 0<!-- {above[\"true\"]} --> releases do. Where both starts give the same gain, the square covers the circle.", "name": "fig-lo-03-day"}, "image": {"alt": "Two series of points over 150 minutes. The one for the published start has several points above the dashed line at 1.28<!-- {np.exp(0.25):.2f} -->, up to 1.50<!-- {npk[\"published\"].max():.2f} -->. The one for the true start never exceeds the line and often touches it."}} tags=["figure"]
fig, ax = plots.panels(height=3.2)
minutes = np.arange(1, 151)
ax.plot(minutes, npk["published"], "o", ls="", ms=4,
        color=plots.COLOURS["orange"], label="starts from the published histogram")
ax.plot(minutes, npk["true"], "s", ls="", ms=3,
        color=plots.COLOURS["blue"], label="starts from the true histogram")
ax.axhline(np.exp(0.25), color="#555555", ls="--", lw=1.2, label="bound, exp(0.25)")
ax.set(xlabel="minute", ylabel="largest bridge gain of NPK", xlim=(0, 151), ylim=(1, 1.65))
ax.legend(ncols=2, fontsize="small", loc="upper left")
plt.show()

# %% [markdown]
# If the walk starts from the published histogram, the bridge gain of NPK exceeds the bound in 11<!-- {above["published"]} --> of 150 releases. It reaches 1.50<!-- {npk["published"].max():.2f} -->, where 1.28<!-- {np.exp(0.25):.2f} --> is allowed. If the walk starts from the true histogram, the bound is never exceeded, as the theorem says.
#
# But a start from the true histogram has a disadvantage. Algorithm 1 may go as far as the forecast. Then it publishes $\pi(t-1) P$, and if $P$ has an inverse, anyone who knows $P$ can compute the true $\pi(t-1)$ from it ([next notebook](04-beyond-the-declared-attackers.ipynb)).
#
# ```{admonition} What the bridge walk does not promise
# :class: warning
# The bound holds for one release, against attackers who start from the same previous histogram as the walk and take the release for the truth. For OPK and NPK it is an approximation for large crowds: in a small crowd the exact gain can be larger. An attacker who knows the walk can often go back to the truth. For such attackers [notebook 5](05-the-idea-done-right.ipynb) builds a randomised mechanism.
# ```
#
# ```{evidence} M-M2
# ```
#
# ## Exercises
#
# ```{exercise-start} Twice the forecast
# :label: ex-lo-03-mk
# ```
# **Warm-up.** In one station there are twice as many people as forecast, and in no other station more than forecast. What is the smallest weight of the forecast with which no gain of class MK exceeds $e^{1/2}$?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-03-mk", ...)

# %% [markdown]
# ```{solution-start} ex-lo-03-mk
# :class: dropdown
# ```
# Here $\rho = 2$, so $\alpha = (2 - e^{1/2})/(2 - 1)$, about 0.351<!-- {answer:.3f} -->.

# %%
answer = float(smallest_weight.subs({rho: 2, E: sp.exp(sp.Rational(1, 2))}))
assert np.isclose(answer, 2 - np.sqrt(np.e))
check("lo-03-mk", answer)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Two places, one interval
# :label: ex-lo-03-two
# ```
# **Standard.** Suppose that equation (3) leaves out an infinitely small share of a person in place of a whole one. The saving is then $\lambda_i + \mu_j$, where $\lambda$ and $\mu$ are the optimal dual prices ({prf:ref}`thm-lo-02-savings`), and the *marginal gain* is $\exp(\lambda_i + \mu_j - \tilde\lambda_i - \tilde\mu_j)$, where $\tilde\lambda, \tilde\mu$ are the prices at the forecast. (One may add a number to every $\lambda_i$ and subtract it from every $\mu_j$. Suppose that the prices are unique apart from this.) Show that with two places the weights that pass form one interval that ends at 1.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-03-two
# :class: dropdown
# ```
# Only the sums $\lambda_i + \mu_j$ matter, so let $\mu_2 = \tilde\mu_2 = 0$. At the optimum each $\lambda_i$ is as large as the constraints allow: $\lambda_i = \min(-\log P_{i1} - \mu_1,\; -\log P_{i2})$.
#
# Suppose that the truth has fewer people at place 1 than the forecast. (In the other case, exchange the two places.) On the walk $h_1$ grows. The cost is convex in $h_1$, and $\mu_1$ is its slope, so $\mu_1$ never falls. Therefore no $\lambda_i$ ever rises.
#
# The walk ends at the forecast. So before the end $\mu_1 \le \tilde\mu_1$ and $\lambda_i \ge \tilde\lambda_i$. The logarithm of the gain is $(\lambda_i - \tilde\lambda_i) + (\mu_j - \tilde\mu_j)$. It is largest for $j = 2$, where the second bracket is 0. Hence the largest log gain is the largest $\lambda_i - \tilde\lambda_i$, which never rises on the walk. Once it is at most $\varepsilon$, it stays so. A check of 40 random cases:

# %%
rng = np.random.default_rng(30)
for _ in range(40):
    matrix = rng.dirichlet([1, 1], 2)
    old = 1 + rng.multinomial(30, [0.5, 0.5])
    new = sum(rng.multinomial(n, row) for n, row in zip(old, matrix))
    intervals = feasible_intervals(old, new, transition=matrix, epsilon=0.2, unit="infinitesimal")
    assert len(intervals) == 1 and intervals[0, 1] == 1

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} Three places, two intervals
# :label: ex-lo-03-three
# ```
# **Research.** Find three places and a matrix with a zero for which the weights that pass form two intervals. Every place should have at least one person in all three histograms. (Draw small cases at random, and call `feasible_intervals`. Without a zero it cannot happen, by {prf:ref}`thm-lo-03-three`.)
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-03-three
# :class: dropdown
# ```
# Such cases are rare. With most seeds this search needs thousands of draws; this seed is a lucky one.

# %%
rng = np.random.default_rng(3)
draws, intervals = 0, []
while len(intervals) < 2:
    draws += 1
    matrix = rng.multinomial(10, [1 / 3, 1 / 3, 1 / 3], size=3) / 10
    old = rng.integers(3, 13, size=3)
    new = sum(rng.multinomial(n, row) for n, row in zip(old, matrix))
    if (matrix == 0).sum() == 1 and min(new) >= 1 and min(old @ matrix) >= 1:
        epsilon = rng.uniform(0.1, 0.6)
        intervals = feasible_intervals(old, new, transition=matrix, epsilon=epsilon)
assert len(intervals) == 2 and (matrix == 0).sum() == 1
print(f"draw {draws}: {old} to {new}, level {epsilon:.3f}")
print(matrix)
print(intervals.round(3))

# %% [markdown]
# ```{solution-end}
# ```
#
# ## Summary
#
# **Does Algorithm 1 always end?** Yes, if its end point is the forecast $\pi(t-1)P$. With the printed end point $\pi(t)P$ it may never end.
#
# **Does a smaller step bring the output nearer to the truth?** Not always. The weights that pass can form two intervals, and a smaller step can jump over the first.
#
# **Is the output private by the paper's definition?** Not in general. If everybody comes from one place, Algorithm 1 publishes the truth, and the gain can be 50<!-- {int(exact)} -->. The bridge walk bounds the gain for one release, a large crowd, and attackers who start from the same previous histogram and take the release for the truth.
#
# **How far from the truth must a histogram be published?** At the three stations Algorithm 1 moves it by 3.58<!-- {np.abs(nearest_on_walk - true).sum():.2f} --> people, even with the smallest weight. The bridge walk does not move it at all.
#
# **Next:** [what an attacker who knows how the histogram was made learns](04-beyond-the-declared-attackers.ipynb), and what a whole day of releases reveals.
