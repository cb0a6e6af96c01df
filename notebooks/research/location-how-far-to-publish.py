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
# # How many different histograms can Algorithm 1 publish?
#
# **Question.** Algorithm 1 ([notebook 3](../location/03-publishing-a-histogram.ipynb)) mixes the forecast into the true histogram until no gain exceeds $e^\varepsilon$. Which weights of the forecast pass this test, and how does the published histogram change with $\varepsilon$?
#
# **Answer.** With two or three states, every transition possible and at least one person everywhere, the weights that pass form one interval; with four states, or with a zero in $P$, they need not. If the gain is computed for a small share of a person, which is necessary where fewer than one person is expected, the
# published histogram is constant over whole ranges of $\varepsilon$, and the largest gain takes at most $\binom{2L-2}{L-1}$ values on $L$ states.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how the duals of a transportation problem determine the release of Algorithm 1.
# **You need** Algorithm 1 and its exact weights ([notebook 3](../location/03-publishing-a-histogram.ipynb)), and linear programming duality.
# **Time:** 15 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# That of [notebook 3](../location/03-publishing-a-histogram.ipynb): class NPK knows $P$ and where everybody was a minute ago, and takes the published histogram for the true one. Everything here is about the gain by equation (3).
# ```

# %% jupyter={"source_hidden": true} tags=["set-up"]
from fractions import Fraction
from itertools import combinations, product
from math import comb

import matplotlib.pyplot as plt
import numpy as np
import plotly.graph_objects as go

from privlib.location import bridge_histogram, max_gain, private_histogram
from privlib.location.mechanism import histograms, output_distribution
from privlib.location.release import prediction
from privlib.location.segment import feasible_intervals
from privlib.notebook import interactive, plots

plots.use()

# %% [markdown]
# ## The marginal gain
#
# Four people are in a small town, one in state 1 and three in state 2:

# %%
town = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
print("forecast", prediction([1, 3, 0], town).round(3))

# %% [markdown]
# Equation (3) takes one whole person away from the forecast. In state 3 only 0.7 are expected, so it is not defined. We therefore take away an infinitely small share of a person (`unit="infinitesimal"` in the package). The *marginal gain* of "from $i$ to $j$" is
# $\exp(\lambda_i + \mu_j)$ divided by its value at the forecast, where $\lambda, \mu$ solve the dual problem
#
# $$ \max \{ \pi \cdot \lambda + h \cdot \mu \;:\; \lambda_i + \mu_j \le w_{ij} \}, \qquad w_{ij} = -\log P_{ij} . $$
#
# If there are several solutions, the least $\lambda_i + \mu_j$ counts. Positive masses suffice.
#
# A case for pencil and paper: $\pi = (9, 6, 5)$ and $x = (5, 12, 3)$. Three people are in state 3 where five were before, so somebody left it. On the walk to the forecast state 3 fills up. When it holds five people, nobody needs to leave it any more; the most likely movement changes there, and with it the duals.

# %%
Q = [[61, 27, 12], [18, 65, 17], [14, 23, 63]]
Q = [[Fraction(q, 100) for q in row] for row in Q]
third = prediction([9, 6, 5], Q)[2]
by_hand = Fraction(5 - 3) / (third - 3)
marginal = {"unit": "infinitesimal"}
intervals = feasible_intervals([9, 6, 5], [5, 12, 3], transition=Q, epsilon=0.5, **marginal)
print("by hand", by_hand, " computed", intervals.round(9))

# %% [markdown]
# Between two such weights the duals do not change, and so neither does the marginal gain. In a town of nine people, three in each state, it takes only two values over all 55 histograms of the next minute:

# %%
crowd, inputs = [3, 3, 3], histograms(9, 3)
gains = [max_gain(crowd, h, transition=town, **marginal) for h in inputs]
values, times = np.unique(np.round(gains, 9), return_counts=True)
print("largest gains", values, "of", times, "histograms")
assert np.isclose(values[-1], 6)


# %% [markdown]
# So every $\varepsilon$ below $\log 6$ = 1.79<!-- {np.log(values[-1]):.2f} --> leads to the same release. This town is symmetric, which explains why there are only two values. That there are few is general.
#
# ```{prf:theorem} The marginal gain takes few values
# :label: thm-lo-03-dial
# Let $\pi > 0$ and $P > 0$ on $L$ states. The largest marginal gain takes at most $\binom{2L-2}{L-1}$ values on the positive histograms in general position (no set of rows has the same mass as a set of columns). Along the walk it is a step function with values $g_1 < g_2 < \dots < g_m$, and the release of
# Algorithm 1, with or without a step, is constant for $\varepsilon$ in each interval $[\log g_k, \log g_{k+1})$.
# ```
#
# ```{prf:proof}
# In general position the arcs with positive flow form a spanning tree of rows and columns. So the optimal dual is unique, up to a number that is added to $\lambda$ and subtracted from $\mu$, and the largest gain is a function of one vertex of the dual polyhedron. To each vertex belongs the set of arcs $(i, j)$ with
# $\lambda_i + \mu_j = w_{ij}$. Read each arc as the corner $(e_i, e_j)$ of a product of two simplices. The convex hulls of these sets subdivide the product {cite:p}`develin2004tropical`. In units of the smallest simplex with such corners each cell has volume at least 1, and the product has volume $\binom{2L-2}{L-1}$, so there are no more
# vertices than that. On a wall between cells the saving is the least over several vertices, so the gain is at most that on either side. The walk crosses finitely many walls, and the first weight that passes depends on $\varepsilon$ only through the set of pieces with $g_k \le e^\varepsilon$.
# ```
#
# The vertices can be listed: choose $2L - 1$ arcs that form a tree, solve, and keep the feasible solutions.

# %%
def vertices(P):
    """All vertices (lambda, mu) of the dual problem with mu_1 = 0."""
    size, w = len(P), -np.log(P)
    duals = set()
    for tree in combinations(product(range(size), repeat=2), 2 * size - 1):
        sides, right = np.zeros((2 * size, 2 * size)), np.zeros(2 * size)
        sides[-1, size] = 1  # mu_1 = 0
        for row, (i, j) in enumerate(tree):
            sides[row, [i, size + j]] = 1
            right[row] = w[i, j]
        if abs(np.linalg.det(sides)) > 0.5:  # no cycle
            dual = np.linalg.solve(sides, right)
            if (dual[:size, None] + dual[size:] <= w + 1e-9).all():
                duals.add(tuple(dual.round(9) + 0.0))
    return np.array(sorted(duals))


rng = np.random.default_rng(3)
for states in (2, 3):
    counts = {len(vertices(rng.dirichlet(np.ones(states), states))) for _ in range(5)}
    print(states, "states:", counts, "vertices; at most", comb(2 * states - 2, states - 1))


# %% [markdown]
# The number grows fast: for the paper's fourteen stations it is 10,400,600<!-- {comb(26, 13):,} -->. The bound counts the vertices; a single walk passes only some of the cells.
#
# A whole person does not help in a crowd. Its saving compares the cost at two histograms that are one person apart, and these mostly lie in the same cell. So its gain is the same step function with ramps in place of jumps, and a ramp is about one person wide. Below, 120 people are in the town, 40 in each state, and (60, 40, 20) a minute later. The
# bridge walk has no steps.

# %% jupyter={"source_hidden": true} tags=["set-up"]
def in_town(walk_from, levels, **options):
    """Releases of all histograms at all levels; both ends of the town are alike."""
    releases = {}
    for h in map(tuple, inputs):
        if h[::-1] in releases:
            releases[h] = releases[h[::-1]][:, ::-1]
        else:
            releases[h] = np.array([
                walk_from(crowd, h, transition=town, epsilon=e, **options).histogram
                for e in levels
            ])  # fmt: skip
    return np.array([*releases.values()])


probability = output_distribution(crowd, town)
dial = np.array([0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2])
dial120 = np.array([*dial[:-1], 1.79, 1.8, dial[-1]])
walks = {
    "whole person": (private_histogram, {}),
    "marginal gain": (private_histogram, marginal),
    "bridge walk": (bridge_histogram, {}),
}
forms, missed, missed120 = {}, {}, {}
for name, (walk_from, options) in walks.items():
    forms[name] = in_town(walk_from, dial, **options)
    missed[name] = probability @ np.abs(forms[name] - inputs[:, None]).sum(axis=2)
    distances = []
    for e in dial120:
        out = walk_from([40] * 3, [60, 40, 20], transition=town, epsilon=e, **options)
        distances.append(np.abs(out.histogram - [60, 40, 20]).sum())
    missed120[name] = np.array(distances)
assert missed["marginal gain"][:7].round(2).tolist() == [1.45] * 7
assert missed120["marginal gain"].round(6).tolist() == [40] * 8 + [0] * 2

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "How far the published histogram is from the true one, for every level. On screen, left, what is published for the truth (8, 1, 0), right, the mean distance for nine people; in print that distance on the left and, on the right, 120 people with one truth. The marginal gain has one release for all levels below 1.79<!-- {jump:.2f} --> and publishes the truth above. The whole person comes nearer level by level among nine; among 120 it jumps where the marginal gain jumps, and hardly moves before. The bridge walk comes nearer level by level in both.", "name": "fig-dial"}, "image": {"alt": "Two panels, distance against the level. Left: the line of the marginal gain is flat at 1.45<!-- {missed[\"marginal gain\"][0]:.2f} --> and falls to 0<!-- {missed[\"marginal gain\"][-1]:.0f} --> at once at 1.79<!-- {jump:.2f} -->; that of the whole person falls from 2.5<!-- {missed[\"whole person\"][0]:.1f} --> to 0.6<!-- {missed[\"whole person\"][-1]:.1f} -->, that of the bridge walk from 2.0<!-- {missed[\"bridge walk\"][0]:.1f} --> to 0.0<!-- {missed[\"bridge walk\"][-1]:.1f} -->. Right: the marginal gain is flat at 40<!-- {missed120[\"marginal gain\"][0]:.0f} --> and falls to 0<!-- {missed120[\"marginal gain\"][-1]:.0f} --> at 1.79<!-- {jump:.2f} -->; the whole person runs just below it, from 39.7<!-- {missed120[\"whole person\"][0]:.1f} --> to 38.0<!-- {missed120[\"whole person\"][7]:.1f} --> there, and is at 0 from 1.8<!-- {dial120[8]:.1f} --> on; the bridge walk falls from 37.7<!-- {missed120[\"bridge walk\"][0]:.1f} --> to 0 at 1.25<!-- {dial120[np.argmin(missed120[\"bridge walk\"] > 1e-9)]:.2f} -->."}} tags=["figure"]
fig, axes = plots.panels(1, 2, height=3.2, width=8.6)
jump = np.log(values[1])  # the larger of the two gains
for ax, at, lines_ in zip(axes, (dial, dial120), (missed, missed120)):
    for (name, line_), marker in zip(lines_.items(), "oDs"):
        if name == "marginal gain":
            before, behind = line_[at < jump], line_[at > jump]
            xs = [*at[at < jump], jump, jump, *at[at > jump]]
            ax.plot(xs, [*before, before[-1], behind[0], *behind], label=name)
        else:
            ax.plot(at, line_, marker=marker, label=name)
    ax.set(xlabel="level ε", ylim=(-0.03 * max(map(max, lines_.values())), None))
axes[0].set(ylabel="distance, in people", title="nine people, mean")
axes[1].set(title="120 people, one truth")
axes[0].legend()
plt.show()

# %% jupyter={"source_hidden": true} tags=["figure"]
start = inputs.tolist().index([8, 1, 0])
inks3 = {"whole person": "blue", "marginal gain": "orange", "bridge walk": "green"}


def turned_to(level):
    at = int(np.abs(dial - level).argmin())
    texts = {name: ", ".join(f"{m:.2f}" for m in heights[start, at])
            for name, heights in forms.items()}  # fmt: skip
    bars_now = [{"trace": k, "y": heights[start, at]}
                for k, heights in enumerate(forms.values())]  # fmt: skip
    dots = [{"trace": 6 + k, "x": [dial[at]], "y": [missed[name][at]]}
            for k, name in enumerate(forms)]  # fmt: skip
    note = "; ".join(f"{name} ({masses})" for name, masses in texts.items())
    return [*bars_now, *dots, {"note": f"At ε = {dial[at]:.2f} the truth (8, 1, 0) "
                               f"is published as: {note}."}]  # fmt: skip


def ink(name):
    return plots.COLOURS[inks3[name]]


panel = go.Figure(
    [
        *(go.Bar(name=n, x=[1, 2, 3], y=[], marker={"color": ink(n)}) for n in forms),
        *(go.Scatter(x=dial, y=missed[n], mode="lines", line={"color": ink(n)},
                     xaxis="x2", yaxis="y2", showlegend=False) for n in forms),
        *(go.Scatter(mode="markers", marker={"size": 12, "color": ink(n)},
                     xaxis="x2", yaxis="y2", showlegend=False) for n in forms),
    ],
    {
        "height": 400,
        "xaxis": {"domain": [0, 0.46], "tickvals": [1, 2, 3],
                  "title": {"text": "state"}},
        "yaxis": {"range": [0, 9], "title": {"text": "people published"}},
        "xaxis2": {"domain": [0.58, 1], "anchor": "y2", "range": [0.1, 2.15],
                   "title": {"text": "level ε"}},
        "yaxis2": {"anchor": "x2", "range": [-0.1, 2.8],
                   "title": {"text": "mean distance, in people"}},
    },
)  # fmt: skip
interactive.show(
    "dial",
    panel,
    [interactive.Slider("level ε of all three", dial.tolist(), ".2f", start=3)],
    turned_to,
    alt="Bars of three releases of the histogram (8, 1, 0); beside them the mean "
    "distance of each form against the level. The bars of the marginal gain stand still "
    f"until {jump:.2f}.",
)

# %% [markdown]
# A curve of "Algorithm 1" therefore has to say which gain it uses.
#
# ## Two or three states, one interval
#
# Call a state *overfull* if the truth has more people there than the forecast, and *underfull* if it has fewer. With two or three states one of the two kinds has a single state, and that decides.
#
# ```{prf:theorem} Two or three states, one interval
# :label: thm-lo-03-three
# Let every transition be possible, and let $\pi$, $x$ and $\tilde\pi$ have at least one person in each state. With two or three states the largest gain by equation (3) never rises on the walk from $x$ to $\tilde\pi$ while it is above 1. So the weights that pass form one interval that ends at 1, for every $\varepsilon$. (For the marginal gain it is enough that $\pi$ and $\tilde\pi$ are
# positive.)
# ```
#
# **Notation.** Let $k$ be the state whose kind is alone. Set $\mu_k = 0$ and $\lambda_i = \min_j (w_{ij} - \mu_j)$, and say that $i$ is *tight* at $j$ if the minimum is attained there. Let $Y = x - \tilde\pi$, let $\Phi_{ij}(\alpha)$ be the log gain, and let $\mathcal E = \max_{ij} \Phi_{ij}$. For a whole person
# $\Phi_{ij} = S_{ij}(\alpha) - S_{ij}(1)$ with the saving $S_{ij} = C(\pi, x(\alpha)) - C(\pi - e_i, x(\alpha) - e_j)$. The cost $C$ has slope $-Y \cdot \mu$. With $\mu^{ij}$ for the dual after one person is taken away from row $i$ and column $j$, the slope of $\Phi_{ij}$ is $-Y \cdot (\mu - \mu^{ij})$, and $\Phi_{ij}(1) = 0$.
#
# **Marginal gain.** Measure duals from their values at the forecast. *One state overfull:* all other masses grow on the walk, so their prices were lower before: $\mu \le 0$ and $\lambda \ge 0$. Hence $\mathcal E = \max_i \lambda_i$, and every $\lambda_i$ falls as $\mu$ rises. *One state underfull:* $\mu \ge 0$ and $\lambda \le 0$, and
# somebody goes to $k$. The row of this person is tight at $k$, so its $\lambda$ is 0. Hence $\mathcal E = \max_j \mu_j$, and $\mu$ falls. This holds for any number of states. (Where there are several optimal duals they form a lattice; the argument then uses its least and its largest element.)
#
# **Two tools.** (1) *Comparison.* The function $\mu \mapsto \sum_i \pi_i \lambda_i(\mu)$ is supermodular. So if $x_j \ge x'_j$ for all $j \ne k$, optimal duals can be compared: $\mu \ge \mu'$ {cite:p}`topkis1978minimizing`. A smaller supply raises $\mu$ as well. (2) *Shift.* Let $\mu^a, \mu^b$ be optimal for $(\pi^a, x^a)$ and $(\pi^b, x^b)$. Let $S$ be the set of states
# where $\mu^b - \mu^a$ is largest and positive, and $R$ the rows that are tight somewhere in $S$ under $\mu^a$. Under $\mu^b$ the rows of $R$ are tight *only* in $S$, so $x^a(S) \le \pi^a(R)$ and $\pi^b(R) \le x^b(S)$.
#
# **A whole person, one state overfull.** By comparison $\mu^{ik} \ge \mu$, so $S_{ik}$ never increases. In the same way $\mu^{ij} \le \mu^{ik}$, so $\Phi_{ij} \le \Phi_{ik}$. The maximum of functions that never increase never increases. This holds for any number of states.
#
# **A whole person, one state underfull, three states.** Let $k = 3$. As above $\Phi_{i3} \le 0$. Suppose that $(i, 1)$ is maximal at $\alpha_0$, that $\mathcal E(\alpha_0) > 0$, and that $\Phi_{i1}$ rises there.
# (a) Then some component of $\mu^{i1} - \mu$ is positive. The shift lemma gives $0 \le \pi(R) - x(S) \le [i \in R] - [1 \in S]$. Where no such difference is a whole number, this forces $i \in R$, $S = \{2\}$ and $\pi(R) - x_2 < 1$.
# (b) $R$ supplies all of $x_2$ and has less than one person left, so somebody outside $R$, in a row $p$, goes to 3. As $\mu$ falls from here on, $p$ stays tight at 3 and not at 2.
# (c) So $\mu^{p1} \le \mu$ later on; otherwise the lemma for $p$ would make $p$ tight at 2.
# (d) And $\mu^{p1} \le \mu^{i1}$; otherwise the lemma, with $p$ taken away against $i$ taken away, would make $p$ tight only in $\{1, 2\}$ under $\mu^{p1}$, against (c).
# (e) Therefore $\Phi_{p1}(\alpha_0) - \Phi_{i1}(\alpha_0) = \int_{\alpha_0}^1 Y \cdot (\mu^{i1} - \mu^{p1})$ is at least 0, and positive because of (a). So $(i, 1)$ was not maximal, a contradiction. The remaining $\alpha$, finitely many, follow by continuity.
#
# ## Where the theorem ends
#
# *A zero in $P$.* Three states can then have two intervals:

# %%
Z = [[0.7, 0, 0.3], [0, 0.1, 0.9], [0.2, 0.5, 0.3]]
print(feasible_intervals([4, 8, 8], [5, 9, 6], transition=Z, epsilon=0.24).round(4))

# %% [markdown]
# The largest guess changes from "2 to 2" to "3 to 1". If each zero is replaced by 1/1000, the guess "2 to 1" counts, and forbids the first interval.
#
# *Four states.* With four states the set $S$ of step (a) can be another one, and the argument ends. So does the conclusion, even with a single underfull state:

# %%
Q4 = np.array([[69, 6, 4, 21], [1, 89, 1, 9], [1, 81, 5, 13], [1, 4, 83, 12]]) / 100
before4, true4 = np.array([4, 1, 4, 1]), np.array([3.1, 4.6, 1.3, 1.0])
assert np.sign(true4 - before4 @ Q4).tolist() == [1, 1, 1, -1]
print(feasible_intervals(before4, true4, transition=Q4, epsilon=0.09).round(3))

# %% [markdown]
# ## What it rests on, and its limits
#
# The number of dual vertices is that of the cells of a regular subdivision of a product of simplices {cite:p}`develin2004tropical`, and the comparison of prices is Topkis's {cite:p}`topkis1978minimizing`. Their consequences for Algorithm 1 are ours. Everything is about equation (3), which is not the gain of the definition ([notebook 3](../location/03-publishing-a-histogram.ipynb)). The theorem on three states needs
# positive transitions.
#
# ```{evidence} M-B15 M-B6.three M-B6.zero
# ```
#
# ## Exercises
#
# ```{exercise-start} When state 3 is full again
# :label: ex-lo-10-step
# ```
# **Warm-up.** As in the case for pencil and paper, $\pi = (9, 6, 5)$ and the matrix is `Q`, but now $x = (6, 12, 2)$. At which weight of the forecast does the most likely movement change?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
from privlib.notebook import check

check("lo-10-step", ...)

# %% [markdown]
# ```{solution-start} ex-lo-10-step
# :class: dropdown
# ```
# State 3 again holds the five people of the minute before when the weight is $(5 - 2)/(5.25 - 2) = 12/13$.

# %%
weight = Fraction(5 - 2) / (third - 2)
passing = feasible_intervals([9, 6, 5], [6, 12, 2], transition=Q, epsilon=0.5, **marginal)
assert weight == Fraction(12, 13) and np.isclose(passing[0, 0], 12 / 13)
check("lo-10-step", weight)

# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many releases at most
# :label: ex-lo-10-most
# ```
# **Standard.** With five states, how many values can the largest marginal gain take at most? And from how many states on does the bound of the theorem exceed 10,000?
# ```{exercise-end}
# ```

# %% tags=["exercise"]
check("lo-10-most", ...)

# %% [markdown]
# ```{solution-start} ex-lo-10-most
# :class: dropdown
# ```
# With five states at most $\binom{8}{4} = 70$; nine states are the first for which the bound exceeds 10,000.

# %%
bounds = {states: comb(2 * states - 2, states - 1) for states in range(2, 15)}
first_large = min(states for states, most in bounds.items() if most > 10_000)
assert (bounds[5], first_large) == (70, 9)
check("lo-10-most", (bounds[5], first_large))


# %% [markdown]
# ```{solution-end}
# ```
#
# ```{exercise-start} How many releases in fact
# :label: ex-lo-10-walks
# ```
# **Research.** Draw random populations and matrices with three and with four states. How many different histograms does Algorithm 1 with the marginal gain publish for one truth, over all $\varepsilon$? Compare with the bound.
# ```{exercise-end}
# ```
#
# ```{solution-start} ex-lo-10-walks
# :class: dropdown
# ```
# Far fewer than the bound allows: at most 4<!-- {max(counted[3])} --> with three states and 5<!-- {max(counted[4])} --> with four, where the bounds are 6<!-- {bounds[3]} --> and 20<!-- {bounds[4]} -->. Each step of the loop asks for a level just below the gain of the last release, so that no release is left out.

# %%
def releases_of(old, new, matrix):
    """Number of different releases of one truth, over all levels."""
    gain, releases = max_gain(old, new, transition=matrix, **marginal), 1
    while gain > 1 + 1e-6:
        level = max(np.log(gain) - 1e-6, 0)
        stop = private_histogram(old, new, transition=matrix, epsilon=level, **marginal)
        weight = min(stop.alpha + 1e-6, 1)  # just behind the wall
        here = (1 - weight) * np.array(new) + weight * (np.array(old) @ matrix)
        gain = max_gain(old, here, transition=matrix, **marginal)
        releases += 1
    return releases


drawing, counted = np.random.default_rng(8), {}
for states in (3, 4):
    counted[states] = []
    for _ in range(15):
        matrix = drawing.dirichlet(np.ones(states), states)
        old = 1 + drawing.multinomial(20 * states, np.ones(states) / states)
        new = 1 + drawing.multinomial(20 * states, drawing.dirichlet(np.ones(states)))
        new = new * old.sum() / new.sum()
        counted[states].append(releases_of(old, new, matrix))
    assert max(counted[states]) <= bounds[states]
print(counted)

# %% [markdown]
# ```{solution-end}
# ```
