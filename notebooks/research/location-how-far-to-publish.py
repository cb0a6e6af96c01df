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
# **Question.** Algorithm 1 publishes a mixture of the true histogram and a forecast. How does the published histogram depend on the privacy level $\varepsilon$, and which weights of the forecast pass the algorithm's test?
#
# **What is known.** The paper {cite:p}`kawamoto` increases the weight step by step until no gain exceeds $e^\varepsilon$, and says that smaller steps give outputs nearer to the truth. It does not study how the output depends on $\varepsilon$. We found no other study of Algorithm 1.
#
# **Answer.** Often, the output hardly depends on $\varepsilon$. If the gain is computed for a small fraction of a person, then for nine people in three states all $\varepsilon$ below 1.79<!-- {np.log(gain_values[-1]):.2f} --> give the same output. In general the largest gain takes at most $\binom{2L-2}{L-1}$ values on $L$ states. The weights that pass form one interval if there are at most three states and all transitions are possible. With four states there can be two.
#
# **Why it matters.** A publisher who decreases $\varepsilon$ may get no more privacy, and a search for the smallest weight may miss it.
#
# ```{admonition} In this notebook
# :class: tip
# **You will learn** how the dual solutions of a transportation problem determine what Algorithm 1 publishes.
# **You need** Algorithm 1 and its exact weights ([notebook 3](../location/03-publishing-a-histogram.ipynb)), and linear programming duality.
# **Time:** 16 minutes.
# ```
#
# ```{admonition} Threat model
# :class: warning
# As in [notebook 3](../location/03-publishing-a-histogram.ipynb). **The attacker** (class NPK) knows the transition matrix $P$ and where everybody was a minute ago, and takes the published histogram for the true one. **Protected:** no guess "this person went from $i$ to $j$" may have a gain above $e^\varepsilon$. Everything here is about the gain by equation (3) of the paper, which approximates how much more probable the guess becomes.
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
# We write $\pi$ for the previous histogram, $x$ for the true one and $\tilde\pi = \pi P$ for the forecast. Algorithm 1 publishes $x(\alpha) = (1 - \alpha)\,x + \alpha\,\tilde\pi$. We call the way from $x(0) = x$ to $x(1) = \tilde\pi$ the *walk*. A weight $\alpha$ *passes* if no gain of $x(\alpha)$ exceeds $e^\varepsilon$. Without a step, Algorithm 1 takes the smallest weight that passes.
#
# Suppose that a minute ago one person was in state 1 and three people were in state 2. (The states are the places of notebook 3.)

# %%
P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
print("forecast", prediction([1, 3, 0], P).round(3))

# %% [markdown]
# By equation (3), the *saving* of a guess is the cost that disappears if one person who made this move is taken away, and the gain compares the saving under the published histogram with the saving under the forecast. In state 3 the forecast has only 0.7 people, so one person cannot be taken away, and the gain is not defined. Instead, we take away a fraction of a person, and let this fraction tend to 0. (In the package this is `unit="infinitesimal"`.) The saving per person then tends to $\lambda_i + \mu_j$, where $\lambda$ and $\mu$ solve the dual of the transportation problem from $\pi$ to the published histogram $h$:
#
# $$ \max \{ \pi \cdot \lambda + h \cdot \mu \;:\; \lambda_i + \mu_j \le w_{ij} \}, \qquad w_{ij} = -\log P_{ij} . $$
#
# If there are several solutions, the saving is the smallest $\lambda_i + \mu_j$ among them. The *marginal gain* of the guess "from $i$ to $j$" is $\exp(\lambda_i + \mu_j)$ for the published histogram, divided by the same number for the forecast. It is defined as long as the numbers of people are positive.
#
# Here is a case for pencil and paper: $\pi = (9, 6, 5)$ and $x = (5, 12, 3)$. In state 3 there are three people, where five were before. So in the most likely movement somebody leaves state 3. On the walk to the forecast the number in state 3 grows. When it is five, nobody needs to leave state 3 any more. At this weight the most likely movement changes, and the dual solution with it.

# %%
Q = [[61, 27, 12], [18, 65, 17], [14, 23, 63]]
Q = [[Fraction(q, 100) for q in row] for row in Q]
forecast_at_3 = prediction([9, 6, 5], Q)[2]
by_hand = Fraction(5 - 3) / (forecast_at_3 - 3)
marginal = {"unit": "infinitesimal"}
passing = feasible_intervals([9, 6, 5], [5, 12, 3], transition=Q, epsilon=0.5, **marginal)
print("smallest weight by hand:", by_hand, "; weights that pass:", passing.round(9))

# %% [markdown]
# Between the weights at which the most likely movement changes, the dual solution does not change, and therefore the marginal gain does not change either. Now let nine people be in the three states, three in each. Over all 55 histograms that are possible one minute later, the largest marginal gain takes only two values:

# %%
nine_before, truths = [3, 3, 3], histograms(9, 3)
gains = [max_gain(nine_before, h, transition=P, **marginal) for h in truths]
gain_values, counts = np.unique(np.round(gains, 9), return_counts=True)
print("largest gain", gain_values, "in", counts, "histograms")
assert np.isclose(gain_values[-1], 6)


# %% [markdown]
# Along the walks the largest gain takes the same two values (the code of {numref}`fig-dial` checks seven levels). So for each truth, all $\varepsilon$ below $\log 6$ = 1.79<!-- {np.log(gain_values[-1]):.2f} --> lead to the same release. There are only two values because $P$ and $\pi$ stay the same if states 1 and 3 are exchanged. But for every $P$ the number of values is bounded:
#
# ```{prf:theorem} The marginal gain takes few values
# :label: thm-lo-03-dial
# Let $\pi > 0$ and $P > 0$ on $L$ states. Consider the positive histograms $h$ in general position: no nonempty proper subset of the origins has the same number of people in $\pi$ as a set of destinations has in $h$. On these, the largest marginal gain takes at most $\binom{2L-2}{L-1}$ values. Along the walk it is a step function with finitely many values $g_1 < g_2 < \dots < g_m$. For $\varepsilon$ in an interval $[\log g_k, \log g_{k+1})$ the release of Algorithm 1, with or without a step, is constant.
# ```
#
# ```{prf:proof}
# Call each pair $(i, j)$ of an origin and a destination an *arc*. In general position, the arcs on which people move in the optimal solution form a spanning tree of the $2L$ origins and destinations. So the optimal dual solution is unique, up to a number that can be added to $\lambda$ and subtracted from $\mu$. If we set $\mu_1 = 0$, it is a vertex of the polyhedron of feasible dual solutions. The largest gain depends on this vertex only, so it takes at most as many values as there are vertices.
#
# How many vertices are there? Consider all arcs with $\lambda_i + \mu_j = w_{ij}$ at a vertex, and identify the arc $(i, j)$ with the point $(e_i, e_j)$, a corner of a product of two simplices. The convex hull of these points is called the cell of the vertex. The cells of all vertices subdivide the product {cite:p}`develin2004tropical`. Let the smallest simplex with such corners have volume 1. Then each cell has volume at least 1, and the product has volume $\binom{2L-2}{L-1}$. So there are at most that many vertices.
#
# The walk is a line segment, so it is in general position, with one and the same vertex, on each of finitely many pieces. At an end of a piece several vertices may be optimal. The saving is then the smallest of several, so each gain there is at most what it is on either neighbouring piece. Therefore a smallest weight that passes exists. Which weights pass depends only on which of the values $g_1, \dots, g_m$ are at most $e^\varepsilon$.
# ```
#
# The vertices can be listed: choose $2L - 1$ arcs that form a spanning tree, solve $\lambda_i + \mu_j = w_{ij}$ on these arcs, and keep the solutions that are feasible on all others.

# %%
def vertices(P):
    """All vertices (lambda, mu) of the dual problem with mu_1 = 0."""
    size = len(P)
    w = -np.log(P)
    duals = set()
    for tree in combinations(product(range(size), repeat=2), 2 * size - 1):
        left, right = np.zeros((2 * size, 2 * size)), np.zeros(2 * size)
        left[-1, size] = 1  # mu_1 = 0
        for row, (i, j) in enumerate(tree):
            left[row, [i, size + j]] = 1
            right[row] = w[i, j]
        if abs(np.linalg.det(left)) > 0.5:  # no cycle
            dual = np.linalg.solve(left, right)
            if (dual[:size, None] + dual[size:] <= w + 1e-9).all():
                duals.add(tuple(dual.round(9) + 0.0))
    return np.array(sorted(duals))


rng = np.random.default_rng(3)
for states in (2, 3):
    numbers = {len(vertices(rng.dirichlet(np.ones(states), states))) for _ in range(5)}
    print(states, "states:", numbers, "vertices; bound", comb(2 * states - 2, states - 1))


# %% [markdown]
# The bound grows fast: for the paper's fourteen stations it is 10,400,600<!-- {comb(26, 13):,} -->. But it counts all vertices, and a single walk meets only some of them.
#
# For many people, the gain for one whole person behaves in almost the same way. Its saving is the difference between the costs of two histograms that differ by one person, and mostly these two have the same optimal vertex. So this gain is nearly the same step function. Its jumps are replaced by slopes about one person wide.
#
# {numref}`fig-dial` compares three rules: Algorithm 1 with a whole person, Algorithm 1 with the marginal gain, and the bridge walk of notebook 3, whose gain changes continuously. There are nine people as above, and a second population of 120 people with 40 in each state, and the truth (60, 40, 20).

# %% jupyter={"source_hidden": true} tags=["set-up"]
def releases_of_all(mechanism, levels, **options):
    """Releases of all truths at all levels; states 1 and 3 are alike."""
    by_truth = {}
    for truth in map(tuple, truths):
        if truth[::-1] in by_truth:
            by_truth[truth] = by_truth[truth[::-1]][:, ::-1]
        else:
            published = []
            for level in levels:
                release = mechanism(nine_before, truth, transition=P, epsilon=level, **options)
                published.append(release.histogram)
            by_truth[truth] = np.array(published)
    return np.array([*by_truth.values()])


probability = output_distribution(nine_before, P)
levels_nine = np.array([0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2])
levels_120 = np.array([*levels_nine[:-1], 1.79, 1.8, levels_nine[-1]])
rules = {
    "whole person": (private_histogram, {}),
    "marginal gain": (private_histogram, marginal),
    "bridge walk": (bridge_histogram, {}),
}
releases, distances_nine, distances_120 = {}, {}, {}
for name, (mechanism, options) in rules.items():
    releases[name] = releases_of_all(mechanism, levels_nine, **options)
    by_truth = np.abs(releases[name] - truths[:, None]).sum(axis=2)
    distances_nine[name] = probability @ by_truth
    distances = []
    for level in levels_120:
        release = mechanism([40] * 3, [60, 40, 20], transition=P, epsilon=level, **options)
        distances.append(np.abs(release.histogram - [60, 40, 20]).sum())
    distances_120[name] = np.array(distances)
assert distances_nine["marginal gain"][:7].round(2).tolist() == [1.45] * 7
assert distances_120["marginal gain"].round(6).tolist() == [40] * 8 + [0] * 2

# %% jupyter={"source_hidden": true} mystnb={"figure": {"caption": "Distance between the published and the true histogram (the sum of the absolute differences) against the level \u03b5. In print: left, the mean over all truths of nine people; right, 120 people with one truth. On screen: left, what is published for the truth (8, 1, 0); right, the mean distance for nine people. With the marginal gain the release is the same for all levels below 1.79<!-- {jump:.2f} -->, and is the truth above. With a whole person it changes gradually among nine people, and almost jumps among 120. With the bridge walk it changes gradually in both.", "name": "fig-dial"}, "image": {"alt": "Two panels, distance against the level. Left: the line of the marginal gain is flat at 1.45<!-- {distances_nine[\"marginal gain\"][0]:.2f} --> and falls to 0<!-- {distances_nine[\"marginal gain\"][-1]:.0f} --> at once at 1.79<!-- {jump:.2f} -->; that of the whole person falls from 2.5<!-- {distances_nine[\"whole person\"][0]:.1f} --> to 0.6<!-- {distances_nine[\"whole person\"][-1]:.1f} -->, that of the bridge walk from 2.0<!-- {distances_nine[\"bridge walk\"][0]:.1f} --> to 0.0<!-- {distances_nine[\"bridge walk\"][-1]:.1f} -->. Right: the marginal gain is flat at 40<!-- {distances_120[\"marginal gain\"][0]:.0f} --> and falls to 0<!-- {distances_120[\"marginal gain\"][-1]:.0f} --> at 1.79<!-- {jump:.2f} -->; the whole person runs just below it, from 39.7<!-- {distances_120[\"whole person\"][0]:.1f} --> to 38.0<!-- {distances_120[\"whole person\"][7]:.1f} --> there, and is at 0 from 1.8<!-- {levels_120[8]:.1f} --> on; the bridge walk falls from 37.7<!-- {distances_120[\"bridge walk\"][0]:.1f} --> to 0 at 1.25<!-- {levels_120[np.argmin(distances_120[\"bridge walk\"] > 1e-9)]:.2f} -->."}} tags=["figure"]
fig, axes = plots.panels(1, 2, height=3.2, width=8.6)
jump = np.log(gain_values[1])  # the larger of the two gains
panels = ((levels_nine, distances_nine), (levels_120, distances_120))
for ax, (levels, distances) in zip(axes, panels):
    for (name, curve), marker in zip(distances.items(), "oDs"):
        if name == "marginal gain":
            below, above = levels < jump, levels > jump
            xs = [*levels[below], jump, jump, *levels[above]]
            ys = [*curve[below], curve[below][-1], curve[above][0], *curve[above]]
            ax.plot(xs, ys, label=name)
        else:
            ax.plot(levels, curve, marker=marker, label=name)
    largest = max(curve.max() for curve in distances.values())
    ax.set(xlabel="level ε", ylim=(-0.03 * largest, None))
axes[0].set(ylabel="distance, in people", title="nine people, mean")
axes[1].set(title="120 people, one truth")
axes[0].legend()
plt.show()

# %% jupyter={"source_hidden": true} tags=["figure"]
truth_index = truths.tolist().index([8, 1, 0])
colour_names = {"whole person": "blue", "marginal gain": "orange", "bridge walk": "green"}


def state_at(level):
    """Bars, dots and note of the figure at this level."""
    position = int(np.abs(levels_nine - level).argmin())
    updates, texts = [], []
    for k, name in enumerate(releases):
        heights = releases[name][truth_index, position]
        dot = {"x": [levels_nine[position]], "y": [distances_nine[name][position]]}
        updates += [{"trace": k, "y": heights}, {"trace": 6 + k, **dot}]
        texts.append(f"{name} ({', '.join(f'{height:.2f}' for height in heights)})")
    note = f"At ε = {levels_nine[position]:.2f} the truth (8, 1, 0) is published as: "
    return [*updates, {"note": note + "; ".join(texts) + "."}]


def ink(name):
    return plots.COLOURS[colour_names[name]]


panel = go.Figure(
    [
        *(go.Bar(name=n, x=[1, 2, 3], y=[], marker={"color": ink(n)}) for n in rules),
        *(go.Scatter(x=levels_nine, y=distances_nine[n], mode="lines", line={"color": ink(n)},
                     xaxis="x2", yaxis="y2", showlegend=False) for n in rules),
        *(go.Scatter(mode="markers", marker={"size": 12, "color": ink(n)},
                     xaxis="x2", yaxis="y2", showlegend=False) for n in rules),
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
    [interactive.Slider("level ε of all three", levels_nine.tolist(), ".2f", start=3)],
    state_at,
    alt="Bars of three releases of the histogram (8, 1, 0); beside them the mean "
    "distance of each rule against the level. The bars of the marginal gain do not move "
    f"until {jump:.2f}.",
)

# %% [markdown]
# So a plot of the error of Algorithm 1 against $\varepsilon$ has to say which gain is used.
#
# ## With two or three states, the weights that pass form one interval
#
# Call a state *overfull* if the truth has more people there than the forecast, and *underfull* if it has fewer. With two or three states (and if $x \ne \tilde\pi$), there is only one overfull state or only one underfull state. The proof of the next theorem uses this.
#
# ```{prf:theorem} Two or three states, one interval
# :label: thm-lo-03-three
# Let every transition be possible, and let $\pi$, $x$ and $\tilde\pi$ have at least one person in each state. With two or three states the largest gain by equation (3) never rises on the walk from $x$ to $\tilde\pi$ while it is above 1. So for every $\varepsilon$ the weights that pass form one interval that ends at 1. (For the marginal gain it is enough that $\pi$ and $\tilde\pi$ are positive.)
# ```
#
# The rest of this section is the proof.
#
# **Notation.** Let $k$ be the only overfull state, or else the only underfull one. We may set $\mu_k = 0$. For given $\mu$, the best $\lambda$ is $\lambda_i = \min_j (w_{ij} - \mu_j)$. We call row $i$ *tight* at column $j$ if the minimum is attained at $j$. By complementary slackness, people move from $i$ to $j$ only if $i$ is tight at $j$.
#
# Let $Y = x - \tilde\pi$, and let $\mu$ be optimal for the weight $\alpha$. The least cost $C(\pi, x(\alpha))$ has the slope $-Y \cdot \mu$ in $\alpha$. Let $\mu^{ij}$ be optimal after one person has been taken away from row $i$ and from column $j$. Then the log gain $\Phi_{ij}$ of a whole person has the slope $-Y \cdot (\mu - \mu^{ij})$, and $\Phi_{ij}(1) = 0$. Let $\mathcal E$ be the largest $\Phi_{ij}$. All $\Phi_{ij}$ depend continuously on $\alpha$ and $x$. So for a whole person we may change $x$ by an arbitrarily small amount, and leave out finitely many $\alpha$. Then no $Y_j$ is 0, and $\pi(R) - x(S)$ is not a whole number for any set $R$ of rows and any nonempty set $S$ of columns other than $k$. (Here $\pi(R)$ and $x(S)$ are sums over the sets.)
#
# **Comparison lemma.** *If some $x_j$ with $j \ne k$ becomes larger, or some $\pi_i$ smaller, then no component of the optimal $\mu$ becomes smaller.* The reason is that the dual objective $\sum_i \pi_i \lambda_i(\mu) + x \cdot \mu$ is supermodular in $\mu$, and that its increase with $\mu$ becomes larger if $x_j$ grows or $\pi_i$ shrinks {cite:p}`topkis1978minimizing`.
#
# **Shift lemma.** Let $\mu^a$ and $\mu^b$ be optimal for the problems $(\pi^a, x^a)$ and $(\pi^b, x^b)$. Suppose that some component of $\mu^b - \mu^a$ is positive. Let $S$ be the set of states where this difference is largest, and let $R$ be the set of rows that are tight somewhere in $S$ under $\mu^a$. *Then under $\mu^b$ the rows of $R$ are tight only in $S$. Therefore $x^a(S) \le \pi^a(R)$ and $\pi^b(R) \le x^b(S)$.* The reason is that $w_{ij} - \mu_j$ decreases most for $j$ in $S$. The first inequality holds because under $\mu^a$ only rows of $R$ supply $S$, the second because under $\mu^b$ the rows of $R$ supply only $S$.
#
# **Marginal gain.** Measure $\lambda$ and $\mu$ from their values at the forecast, so that the log gain is $\lambda_i + \mu_j$.
#
# - *One state overfull.* On the walk all $x_j$ with $j \ne k$ grow. By the comparison lemma $\mu$ grows to its value 0 at the forecast, so $\mu \le 0 = \mu_k$. Therefore the largest gain belongs to $j = k$, and $\mathcal E = \max_i \lambda_i$. Each $\lambda_i$ decreases as $\mu$ grows.
# - *One state underfull.* Now $\mu$ decreases to 0, so $\mu \ge 0$ and $\lambda \le 0$. Somebody moves to $k$, from a row that is tight at $k$. This row stays tight at $k$ when $\mu$ decreases further, so its $\lambda_i$ is constant, that is, 0. Therefore $\mathcal E = \max_j \mu_j$, which decreases.
#
# This holds for any number of states. (Where several dual solutions are optimal, they form a lattice, and the argument uses its smallest and its largest element.)
#
# **A whole person, one state overfull.** Here $Y_j < 0$ for $j \ne k$. By the comparison lemma $\mu^{ij} \le \mu^{ik}$ and $\mu^{ik} \ge \mu$. The second inequality says that the slope of $\Phi_{ik}$ is never positive. The first one says that $\Phi_{ik}$ decreases at least as fast as $\Phi_{ij}$. Both end at 0, so $\Phi_{ij} \le \Phi_{ik}$. So $\mathcal E = \max_i \Phi_{ik}$, and it never rises. This holds for any number of states.
#
# **A whole person, one state underfull, three states.** Let $k = 3$, so that $Y_1$ and $Y_2$ are positive. By the comparison lemma the slope of $\Phi_{i3}$ is never negative, so $\Phi_{i3} \le 0$. Suppose that $\mathcal E$ is positive and rises at some weight $\alpha_0$. Then there is a maximal $\Phi_{ij}$ that rises at $\alpha_0$, with $j = 1$ or $j = 2$. Let $j = 1$ (the other case is the same). We derive a contradiction.
#
# - *(a)* Because $\Phi_{i1}$ rises, $Y \cdot (\mu^{i1} - \mu) > 0$, so some component of $\mu^{i1} - \mu$ is positive. The shift lemma gives $0 \le \pi(R) - x(S) \le [i \in R] - [1 \in S]$, where a bracket is 1 if its statement is true and 0 otherwise. The middle is not a whole number. So $i \in R$ and $1 \notin S$. Therefore $S = \{2\}$ and $\pi(R) - x_2 < 1$.
# - *(b)* Only $R$ supplies column 2, and fewer than one person of $R$ are left for the other columns. Column 3 has at least one person. So somebody outside $R$, in a row $p$, moves to 3. Row $p$ is tight at 3 and not at 2. From $\alpha_0$ on, $\mu$ decreases, so this remains true.
# - *(c)* From $\alpha_0$ on, $\mu^{p1} \le \mu$. Otherwise step (a), with $p$ in place of $i$, would show that $p$ is tight at 2.
# - *(d)* From $\alpha_0$ on, $\mu^{p1} \le \mu^{i1}$. Otherwise we apply the shift lemma with $\mu^a = \mu^{i1}$ and $\mu^b = \mu^{p1}$. It gives $0 \le \pi(R) - [i \in R] - x^a(S) \le [p \in R] - [i \in R]$, so $p \in R$. Then under $\mu^{p1}$ row $p$ is tight only in $S \subseteq \{1, 2\}$. But by (b) it is tight at 3 under $\mu$, and by (c) it stays so under $\mu^{p1}$.
# - *(e)* Integrate the slopes from $\alpha_0$ to 1: $\Phi_{p1}(\alpha_0) - \Phi_{i1}(\alpha_0) = \int_{\alpha_0}^1 Y \cdot (\mu^{i1} - \mu^{p1})\,d\alpha$. By (d) the integrand is never negative. At $\alpha_0$ it is positive, because $\mu^{p1} \le \mu$ and by (a). So $\Phi_{p1}(\alpha_0) > \Phi_{i1}(\alpha_0)$, and $\Phi_{i1}$ was not maximal. ∎
#
# ## Without the assumptions there can be two intervals
#
# *A zero in $P$.* If some transitions are impossible, three states are enough for two intervals:

# %%
Z = [[0.7, 0, 0.3], [0, 0.1, 0.9], [0.2, 0.5, 0.3]]
print(feasible_intervals([4, 8, 8], [5, 9, 6], transition=Z, epsilon=0.24).round(4))

# %% [markdown]
# In the first interval the guess with the largest gain changes from "2 to 2" to "3 to 1". The gain of the latter rises and ends the interval. If each zero is replaced by 1/1000, the guess "2 to 1" becomes possible. Its gain is too large in the first interval, and only the second one remains.
#
# *Four states.* Step (a) uses that $\{2\}$ is the only possible set $S$. With four states there are others. The theorem then fails, even if only one state is underfull:

# %%
Q4 = np.array([[69, 6, 4, 21], [1, 89, 1, 9], [1, 81, 5, 13], [1, 4, 83, 12]]) / 100
before4, true4 = np.array([4, 1, 4, 1]), np.array([3.1, 4.6, 1.3, 1.0])
assert np.sign(true4 - before4 @ Q4).tolist() == [1, 1, 1, -1]
print(feasible_intervals(before4, true4, transition=Q4, epsilon=0.09).round(3))

# %% [markdown]
# ## What it rests on, and its limits
#
# Two results are cited: that the dual vertices correspond to the cells of a subdivision of a product of simplices {cite:p}`develin2004tropical`, and that optimal solutions of supermodular problems can be compared {cite:p}`topkis1978minimizing`. Their consequences for Algorithm 1 are ours. The [evidence](../evidence/research/location-how-far-to-publish.ipynb) counts vertices for 22 random matrices, compares two levels in each interval on 60 random walks, and follows the largest gain on 400 random walks with three states.
#
# Everything here is about equation (3), which is not the gain of the definition ([notebook 3](../location/03-publishing-a-histogram.ipynb)). So a release that passes is not thereby private. The theorem on three states needs positive transitions.
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
# The forecast has 5.25<!-- {float(forecast_at_3):.2f} --> people in state 3. So state 3 has five people again, as many as a minute before, when the weight is $(5 - 2)/(5.25 - 2) = 12/13$.

# %%
weight = Fraction(5 - 2) / (forecast_at_3 - 2)
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
# Fewer than the bound allows: at most 4<!-- {max(release_counts[3])} --> with three states and 5<!-- {max(release_counts[4])} --> with four, where the bounds are 6<!-- {bounds[3]} --> and 20<!-- {bounds[4]} -->. The loop below asks, again and again, for a level just below the gain of the last release, so that it finds every release.

# %%
def count_releases(old, new, matrix):
    """Number of different releases of one truth, over all levels."""
    gain = max_gain(old, new, transition=matrix, **marginal)
    n_releases = 1
    while gain > 1 + 1e-6:
        level = max(np.log(gain) - 1e-6, 0)
        release = private_histogram(old, new, transition=matrix, epsilon=level, **marginal)
        weight = min(release.alpha + 1e-6, 1)  # just after the jump
        mixture = (1 - weight) * np.array(new) + weight * (np.array(old) @ matrix)
        gain = max_gain(old, mixture, transition=matrix, **marginal)
        n_releases += 1
    return n_releases


drawing = np.random.default_rng(8)
release_counts = {}
for states in (3, 4):
    release_counts[states] = []
    for _ in range(15):
        matrix = drawing.dirichlet(np.ones(states), states)
        old = 1 + drawing.multinomial(20 * states, np.ones(states) / states)
        new = 1 + drawing.multinomial(20 * states, drawing.dirichlet(np.ones(states)))
        new = new * old.sum() / new.sum()
        release_counts[states].append(count_releases(old, new, matrix))
    assert max(release_counts[states]) <= bounds[states]
print(release_counts)

# %% [markdown]
# ```{solution-end}
# ```
