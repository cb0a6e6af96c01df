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
# # Evidence: What does a release tell an attacker who knows how it was made?
#
# One statement of the paper's introduction, three of its conclusion, then our own results (M-B…). Nothing is hidden. The story is told in
# [the notebook of the same name](../../location/04-beyond-the-declared-attackers.ipynb).
#
# Notation: $\pi$ the previous histogram, $x$ the true one, $\tilde\pi = \pi P$ the forecast, $\pi^* = (1 - \alpha) x + \alpha \tilde\pi$ the release of Algorithm 1 with step $s$.

# %%
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import sympy as sp
from scipy import optimize

from privlib.location import flow, mechanism
from privlib.location.gain import gain_table, max_gain, path_gain
from privlib.location.reconstruction import reconstruct_true
from privlib.location.release import bridge_histogram, prediction, private_histogram
from privlib.notebook import claim, derivation

P = np.array([[6, 3, 1], [2, 6, 2], [1, 3, 6]]) / 10
tenths = [[Fraction(6, 10), Fraction(3, 10), Fraction(1, 10)],
          [Fraction(2, 10), Fraction(6, 10), Fraction(2, 10)],
          [Fraction(1, 10), Fraction(3, 10), Fraction(6, 10)]]


def count(places, states):
    """Histogram of named people."""
    return tuple(places.count(state) for state in range(states))


def histories(start, matrix):
    """Every history of two minutes: places after one, after two, and the probability."""
    states = range(len(matrix))
    for first in product(states, repeat=len(start)):
        for second in product(states, repeat=len(start)):
            weight = Fraction(1)
            for a, b, c in zip(start, first, second):
                weight *= matrix[a][b] * matrix[b][c]
            yield first, second, weight


# %% [markdown]
# ## M-I7 (earlier releases)
#
# *With several releases one must consider attacks that use the earlier ones, above all for locations.* Two people, one at each of two places, and (1, 1) published after each of two minutes: the earlier release makes it more probable that the first person is still at home. The limit: places that do not depend on the past.

# %%
slow = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
forgetful = [[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 3), Fraction(2, 3)]]


def still_home(matrix, first_known):
    """Pr(the first of two people is home after two minutes), every history by name."""
    total = home = Fraction(0)
    for first, second, weight in histories((0, 1), matrix):
        if sum(second) == 1 and (sum(first) == 1 or not first_known):
            total += weight
            home += weight * (second[0] == 0)
    return home / total


def exact_gain(old, new, matrix, i, j):
    """Gain of class OPK by the package."""
    return gain_table(old, new, transition=matrix, definition="exact")[i, j]


stay = slow[0][0] * exact_gain((1, 1), (1, 1), slow, 0, 0)
twice = [[Fraction(5, 8), Fraction(3, 8)], [Fraction(3, 8), Fraction(5, 8)]]  # two minutes
with claim("M-I7") as c:
    last, both = still_home(slow, False), still_home(slow, True)
    label = "with both releases: by name, and from minute to minute by the package"
    c.decisive("one example").exact(both, stay**2 + (1 - stay) ** 2, label)
    label = "with the last one only: by name, and by the matrix of two minutes"
    c.exact(last, twice[0][0] * exact_gain((1, 1), (1, 1), twice, 0, 0), label)
    label = f"{last} with the last release, {both} with both"
    c.decisive("one example").holds(last < both, label)
    label = "places that do not depend on the past: earlier releases tell nothing"
    c.exact(still_home(forgetful, True), still_home(forgetful, False), label)

# %% [markdown]
# ## M-Z1 (the outputs are private for each class)
#
# *The output is private for each class of section 3.2.* Read by Definition 3.2, with the probabilities of the Markov process. Algorithm 1 bounds the ratio of equation (3) for each class, and that ratio is 1 in all six cases, so the truth is published. By hand, the exact gain of a person who leaves state 1 is the mean number who left, given both histograms, divided by the expected number. From (100, 0) all 50 in state 2 left. From (100, 100) the number $k$ who left has the weight $\binom{100}{k} (2/98)^k \binom{100}{k-50} (1/99)^{k-50}$. Class MK asks only who is in state 2: 150, where 2 + 99 were expected.

# %%
crossing = [[Fraction(98, 100), Fraction(2, 100)], [Fraction(1, 100), Fraction(99, 100)]]
cases = {"one source": ([100, 0], [50, 50]), "two sources": ([100, 100], [50, 150])}
total = left = Fraction(0)
for k in range(50, 101):
    weight = comb(100, k) * Fraction(2, 98) ** k
    weight *= comb(100, k - 50) * Fraction(1, 99) ** (k - 50)
    total += weight
    left += k * weight
by_hand = {
    ("one source", "MK"): Fraction(50, 2),
    ("one source", "OPK"): Fraction(50, 2),
    ("one source", "NPK"): Fraction(50, 2),
    ("two sources", "MK"): Fraction(150, 2 + 99),
    ("two sources", "OPK"): left / total / 2,
    ("two sources", "NPK"): left / total / 2,
}
exact, tested, changed = {}, [], []
for name, adversary in by_hand:
    old, new = cases[name]
    options = {"transition": crossing, "adversary": adversary}
    exact[name, adversary] = max_gain(old, new, definition="exact", **options)
    release = private_histogram(old, new, epsilon=1, **options)
    tested.append(release.gain)
    changed.append(np.abs(release.histogram - new).max())

# %%
with claim(
    "M-Z1",
    printed="the output is private for each class of section 3.2",
    corrected="the ratio of equation (3) is bounded for each class; the gain is not",
    consequence="The guarantee has to be checked with the exact probabilities.",
) as c:
    label = "exact gains of all six cases: by binomial coefficients, by the package"
    c.decisive("one example").exact(by_hand, exact, label)
    for case, ratio in zip(by_hand, tested):
        c.differs(ratio, float(by_hand[case]), f"{', '.join(case)}: ratio of (3), exact gain")
    c.at_most(tested, np.e, "the ratio of (3) keeps to e in all six cases", slack=1e-9)
    c.close(changed, 0.0, "all six truths are published as they are", rtol=0, atol=1e-9)
    above = [case for case, gain in by_hand.items() if gain > np.e]
    c.exact(len(above), 5, "of six, so many exact gains above e")


# %% [markdown]
# ## M-Z2 and M-Z3 (accuracy; a scalable solver)
#
# M-Z2: *The analysis is more accurate than with differential privacy.* Read as an inference from the experiment, whose data and parameters are not given.
#
# M-Z3: *A scalable solution of the minimum-cost flow problem is left to future work.* The package solves 400 states and 20,000 people. That its flow is optimal follows from linear programming duality. If $\lambda_i + \mu_j \le -\log P_{ij}$ for all pairs, with equality wherever somebody moves, no movement is cheaper. Such numbers are the shortest distances in the residual network, computed here without the package.

# %%
def solve_flow(states, people, rng):
    """Random histograms, costs and the package's most likely movement."""
    matrix = rng.dirichlet(np.full(states, 0.5), states) * 0.99 + 0.01 / states
    old = rng.multinomial(people, np.full(states, 1 / states))
    new = sum(rng.multinomial(n, row) for n, row in zip(old, matrix))
    plan = flow.most_likely_movement(old, new, transition=matrix)
    return old, new, -np.log(matrix), plan


def prices(cost, counts):
    """Shortest distances in the residual network, by Bellman and Ford: leave + arrive <= cost."""
    arrive = np.zeros(cost.shape[1])
    used = np.where(counts > 0, cost, -np.inf)
    for _ in range(2 * len(cost)):
        leave = (used - arrive).max(axis=1)
        cheapest = (cost - arrive).min(axis=1)
        leave = np.where(np.isfinite(leave), leave, cheapest)  # states that nobody leaves
        lower = np.minimum(arrive, (cost - leave[:, None]).min(axis=0))
        if np.abs(lower - arrive).max() < 1e-12:
            break
        arrive = lower
    return leave, arrive


with claim("M-Z2") as c:
    c.missing("people-flow data; ε, s and matrix of the proposal; bounds of the baseline")
with claim("M-Z3") as c:
    rng = np.random.default_rng(73)
    old, new, cost, plan = solve_flow(40, 500, rng)
    sums = np.vstack([np.kron(np.eye(40), np.ones(40)), np.kron(np.ones(40), np.eye(40))])
    solver = optimize.linprog(cost.ravel(), A_eq=sums, b_eq=np.append(old, new))
    c.close(plan.cost, solver.fun, "40 states: a general solver finds the same cost", rtol=1e-9)
    old, new, cost, plan = solve_flow(400, 20_000, rng)
    counts = np.asarray(plan.counts)
    leave, arrive = prices(cost, counts)
    arrivals = (counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist())
    c.exact(arrivals, (old.tolist(), new.tolist()), "400 states: the movement joins the histograms")
    excess = float((leave[:, None] + arrive - cost).max())
    label = "400 states: no pair of prices exceeds the cost of its arc"
    c.decisive("one example").at_most(excess, 0.0, label, slack=1e-9)
    bound = float(old @ leave + new @ arrive)
    label = "400 states: the prices bound every cost from below; the movement attains the bound"
    c.decisive("one example").close(float((cost * counts).sum()), bound, label, rtol=1e-9)

# %% [markdown]
# ## M-B7 (inversion)
#
# Beyond the paper: *from an unrounded output of Algorithm 1 that is no pure forecast, with a known step, the true histogram can be recovered, unless several of them share that output.* 683 people in 14 states, a random matrix, 80 minutes with forecasts from the true previous histogram and 80 with forecasts from the published one. The limits: pure forecasts, and decimals that coincide.

# %%
rng = np.random.default_rng(14)
states, people, step = 14, 683, 0.05
matrix = 0.7 * np.eye(states) + 0.3 * rng.dirichlet(np.full(states, 0.3), states)
matrix = 0.99 * matrix + 0.01 / states


def simulate(start_from):
    """Origin of the forecast, true histogram before, true one now, release; 80 minutes."""
    rng, log = np.random.default_rng(15), []
    now = rng.multinomial(people, np.full(states, 1 / states))
    shown = now.astype(float)
    for _ in range(80):
        previous = now
        now = sum(rng.multinomial(n, row) for n, row in zip(previous, matrix))
        origin = previous if start_from == "true" else shown
        release = private_histogram(
            origin, now, transition=matrix, epsilon=1, step=step, unit="infinitesimal"
        )
        shown = release.histogram
        log.append((origin, previous, now, release))
    return log


def solve_by_hand(origin, shown):
    """Whole histograms (shown - k s forecast) / (1 - k s)."""
    forecast, whole = origin @ matrix, []
    for k in range(round(1 / step)):
        x = (shown - k * step * forecast) / (1 - k * step)
        if np.abs(x - x.round()).max() < 1e-6 and x.min() > -1e-6:
            whole.append(x.round().astype(int).tolist())
    return whole


mixtures, forecasts = [], {}
for start_from in ("true", "published"):
    log = simulate(start_from)
    mixtures += [minute for minute in log if minute[3].alpha < 1]
    forecasts[start_from] = [minute for minute in log if minute[3].alpha == 1]

alpha, beta, x_j, end_j = sp.symbols("alpha beta x_j pi_j")
by_wrong_weight = ((1 - alpha) * x_j + alpha * end_j - beta * end_j) / (1 - beta)
stretched = end_j + (1 - alpha) / (1 - beta) * (x_j - end_j)
wrong_weight = (
    derivation(by_wrong_weight, names={end_j: r"\tilde\pi_j"})
    .equal(stretched, "collect")
)
wrong_weight

# %%
by_published = 80 - len(forecasts["published"])
shares = f"{by_published} with forecasts from the published histogram, the others from the true one"
truths, by_hand, by_package, without_step = [], [], [], []
for origin, _, now, release in mixtures:
    truths.append([now.tolist()])
    by_hand.append(solve_by_hand(origin, release.histogram))
    found = reconstruct_true(origin, release.histogram, transition=matrix, step=step)
    by_package.append([x.tolist() for weight, x in found])
    found = reconstruct_true(origin, release.histogram, transition=matrix)
    without_step.append([x.tolist() for weight, x in found])

from_forecasts = 0
for origin, _, now, release in forecasts["true"] + forecasts["published"]:
    from_forecasts += solve_by_hand(origin, release.histogram) == [now.tolist()]
pure = len(forecasts["true"]) + len(forecasts["published"])

shared, round_matrix = 0, [[0.8, 0.2], [0.2, 0.8]]
for k in range(21):
    release = private_histogram(
        [10, 10], [k, 20 - k], transition=round_matrix, epsilon=1, step=step
    )
    if release.alpha < 1:
        shared += np.allclose(release.histogram, [9.7, 10.3])

# %%
with claim("M-B7") as c:
    label = f"{len(mixtures)} releases ({shares}): one candidate each, the truth"
    c.decisive("sampled").exact(by_hand, truths, label)
    c.exact(by_package, truths, "the same by the package")
    c.exact(without_step, truths, "unknown step: the ray has one whole point")
    c.derived(wrong_weight, by_wrong_weight, stretched, "a wrong weight stretches x - forecast")
    c.limit(pure, from_forecasts, "pure forecasts: truths of this minute found")
    label = "twice ten people, eight in ten stay: truths with the release (9.7, 10.3)"
    c.limit(1, int(shared), label)


# %% [markdown]
# ## M-B16 (forecasts from the true histogram)
#
# Beyond the paper: *if the matrix is invertible, a forecast made from the true histogram tells that histogram; so publishing nothing but such forecasts publishes everything one minute late.* If $x P = x' P$, then $(x - x') P = 0$ and $x = x'$. The checks look at forecasts only: whether any two histograms share one, and whether least squares finds the histogram of the minute before from a release of the package. The limits: a forecast from the published histogram, and a matrix with two equal rows.

# %%
def distinct_forecasts(matrix):
    """Number of different forecasts of the 55 histograms of nine people, in fractions."""
    seen = set()
    for x in mechanism.histograms(9, 3).tolist():
        forecast = tuple(sum(n * row[j] for n, row in zip(x, matrix)) for j in range(3))
        seen.add(forecast)
    return len(seen)


def minute_before(shown):
    """The whole histogram whose forecast is shown, by least squares; empty if there is none."""
    origin = np.linalg.lstsq(matrix.T, shown, rcond=None)[0]
    if np.abs(origin - origin.round()).max() < 1e-6:
        return origin.round().astype(int).tolist()
    return []


recovered, before = {}, {}
for start_from, log in forecasts.items():
    recovered[start_from] = [minute_before(minute[3].histogram) for minute in log]
    before[start_from] = [minute[1].tolist() for minute in log]

rng = np.random.default_rng(16)
day = [rng.multinomial(people, np.full(states, 1 / states))]
for _ in range(60):
    day.append(sum(rng.multinomial(n, row) for n, row in zip(day[-1], matrix)))
only_forecasts = [minute_before(prediction(x, matrix)) for x in day]
equal_rows = [tenths[0], tenths[0], tenths[2]]

# %%
with claim("M-B16") as c:
    label = "three states, nine people: 55 histograms have 55 different forecasts"
    c.decisive("sampled").exact(distinct_forecasts(tenths), 55, label)
    label = f"14 states: the minute before from all {len(before['true'])} pure forecasts"
    c.decisive("sampled").exact(recovered["true"], before["true"], label)
    label = "61 minutes of nothing but forecasts: every true histogram"
    c.decisive("sampled").exact(only_forecasts, [x.tolist() for x in day], label)
    hits = 0
    for found, truth in zip(recovered["published"], before["published"]):
        hits += found == truth
    label = "forecasts from the published histogram: truths found"
    c.limit(len(before["published"]), hits, label)
    label = "two equal rows: different forecasts of the 55 histograms"
    c.limit(55, distinct_forecasts(equal_rows), label)


# %% [markdown]
# ## M-B17 (rounding)
#
# Beyond the paper: *rounding the outputs of Algorithm 1 to whole people stops their inversion, yet there are towns where a gain of an attacker who knows the algorithm and the rounding still exceeds $e^\varepsilon$.* First half: for how many of the 20 weights is some histogram of 683 people rounded to the release? This is about mixtures. Its limit: rounding hardly protects pure forecasts from the true histogram (by the least squares of M-B16). Second half: nine people, three in each state, all $3^9$ moves by name, against the package's table of channels. Three forms of Algorithm 1: its test with a whole person, with an infinitesimal share of a person, and the bridge walk.

# %%
def possible_weights(origin, shown):
    """Weights for which some histogram of the people is rounded to whole numbers `shown`."""
    forecast, possible = origin @ matrix, []
    for k in range(20):
        weight = k * step
        low = np.ceil((shown - 0.5 - 1e-9 - weight * forecast) / (1 - weight)).clip(0)
        high = np.floor((shown + 0.5 + 1e-9 - weight * forecast) / (1 - weight))
        if (low <= high).all() and low.sum() <= people <= high.sum():
            possible.append(k)
    return possible


off = {}
for digits in (0, 1):
    off[digits] = []
    for _, previous, _, release in forecasts["true"]:
        solved = np.linalg.lstsq(matrix.T, release.histogram.round(digits), rcond=None)[0]
        off[digits].append(np.abs(solved.round().astype(int) - previous))
counts_right = int((np.array(off[0]) == 0).sum())

remaining, true_weight_kept = [], []
for origin, _, _, release in mixtures:
    possible = possible_weights(origin, release.histogram.round())
    remaining.append(len(possible))
    true_weight_kept.append(round(release.alpha / step) in possible)

crowd, options = [3, 3, 3], {"transition": P, "epsilon": 1}
inputs = mechanism.histograms(9, 3)
forms = {"whole person": [], "infinitesimal share": [], "bridge walk": []}
for x in inputs:
    release = private_histogram(crowd, x, unit="person", **options)
    forms["whole person"].append(release.histogram)
    release = private_histogram(crowd, x, unit="infinitesimal", step=step, **options)
    forms["infinitesimal share"].append(release.histogram)
    forms["bridge walk"].append(bridge_histogram(crowd, x, **options).histogram)

# %%
starts = np.repeat(np.arange(3), 3)
ends = np.array(list(product(range(3), repeat=9)))  # every move of nine named people
chances = np.prod(np.rint(10 * P).astype(int)[starts, ends], axis=1)  # times 10^9
row_of = {tuple(x): row for row, x in enumerate(inputs.tolist())}
after = [row_of[count(tuple(move), 3)] for move in ends.tolist()]


def by_names(shown):
    """Largest gain, and Pr(gain above e), of a fixed release: all moves by name."""
    outputs = {}
    for row, output in enumerate(np.round(shown, 9) + 0.0):
        outputs.setdefault(tuple(output), set()).add(row)
    largest, above = Fraction(0), 0
    for rows in outputs.values():
        seen = np.isin(after, list(rows))
        total, gain = int(chances[seen].sum()), Fraction(0)
        for person, j in product((0, 3, 6), range(3)):  # one person from each state
            there = int(chances[seen & (ends[:, person] == j)].sum())
            gain = max(gain, Fraction(there, total) / tenths[starts[person]][j])
        largest = max(largest, gain)
        if gain > np.e:
            above += total
    return largest, Fraction(above, 10**9)


named, by_channel, unrounded = {}, {}, {}
for form, shown in forms.items():
    named[form] = by_names(np.round(shown))
    channel = mechanism.deterministic_mechanism(crowd, tenths, releases=np.round(shown))
    by_channel[form] = (channel.gain, channel.violation(1))
    channel = mechanism.deterministic_mechanism(crowd, tenths, releases=np.array(shown))
    unrounded[form] = (channel.gain, channel.violation(1))

# %%
with claim("M-B17") as c:
    label = f"{len(mixtures)} releases in whole people: least number of weights that explain one"
    c.decisive("sampled").at_most(2, min(remaining), label)
    c.exact(all(true_weight_kept), True, "the true weight is always among them")
    label = f"pure forecasts from the truth, in whole people: right counts out of {np.size(off[0])}"
    c.limit(0, counts_right, label)
    label = "the same: largest error, in people"
    c.exact(int(np.max(off[0])), 1, label)
    c.exact(int(np.max(off[1])), 0, "the same with one decimal: largest error, in people")
    label = "nine people, rounded: largest gain and Pr(more than e), by name, by channel"
    c.decisive("one example").exact(named, by_channel, label)
    label = "nine people, rounded: all three forms exceed e"
    least = min(gain for gain, above in named.values())
    c.decisive("one example").holds(least > Fraction(27183, 10_000), label)
    by_name = {form: by_names(shown) for form, shown in forms.items()}
    c.exact(by_name, unrounded, "the same unrounded")

# %% [markdown]
# ## M-B8 (gains multiply)
#
# Beyond the paper: *over a day the gains of single releases multiply exactly.* For three named people in three states and two releases, the gain about every path of the first person, from each way in which the three can start (the other two are alike). Then the growth of $(L - 1)/2$ a release, added over all people: for the normal approximation in numbers, and by simulation.
#
# Why $(L - 1)/2$? The log gain of the step that was really taken has as its mean the *mutual information* of this step and the new histogram, given the previous histogram and place. For many people the new histogram is nearly normal. Its entries sum to $N$, so the last one is superfluous and left out; let $\Sigma$ be the covariance matrix of the other $L - 1$. People move independently, so $\Sigma$ is a sum of one matrix $\Sigma_u$ for each person $u$. If the step of $u$ is known, $\Sigma - \Sigma_u$ remains. The entropy of a normal variable is half the log determinant of its covariance matrix, up to a constant. So the mutual information is
#
# $$ \tfrac12 \log\det \Sigma - \tfrac12 \log\det (\Sigma - \Sigma_u) = -\tfrac12 \log\det (I - \Sigma^{-1} \Sigma_u) \approx \tfrac12 \operatorname{tr}(\Sigma^{-1} \Sigma_u) . $$
#
# The last step holds because $\Sigma^{-1} \Sigma_u$ is small for a large crowd, and $\log\det(I - A) \approx -\operatorname{tr} A$ for a small $A$. Added over all people, the traces give $\tfrac12 \operatorname{tr}(\Sigma^{-1} \Sigma) = (L - 1)/2$, however many people there are. This needs a $\Sigma$ that can be inverted, for example because all moves are possible.

# %%
tables = {}


def step_gain(old, new):
    """Gains of class OPK about one step, by the package."""
    if (old, new) not in tables:
        tables[old, new] = gain_table(old, new, transition=tenths, definition="exact")
    return tables[old, new]


def gains_about_paths(start):
    """Gain about each path of the first person, by name and as a product of two steps."""
    joint = {}
    for first, second, weight in histories(start, tenths):
        paths = joint.setdefault((count(first, 3), count(second, 3)), {})
        path = (start[0], first[0], second[0])
        paths[path] = paths.get(path, 0) + weight
    named, multiplied = [], []
    for (middle, end), paths in joint.items():
        total = sum(paths.values())
        for (i, j, k), weight in paths.items():
            named.append(weight / total / (tenths[i][j] * tenths[j][k]))
            steps = step_gain(count(start, 3), middle)[i, j] * step_gain(middle, end)[j, k]
            multiplied.append(steps)
    return named, multiplied


named, multiplied = [], []
for start in product(range(3), repeat=3):
    if start[1] <= start[2]:
        by_name, by_steps = gains_about_paths(start)
        named += by_name
        multiplied += by_steps

# %%
crowd, minutes = 120, 200
rng = np.random.default_rng(14)
places = [np.repeat(np.arange(3), 40)]
for _ in range(minutes):
    draws = rng.random(crowd)[:, None]
    places.append((draws > P[places[-1]].cumsum(axis=1)).sum(axis=1))
paths = np.array(places).T
day = np.array([np.bincount(now, minlength=3) for now in places])
logs = path_gain(paths, day, transition=P)
told = np.diff(logs, axis=1, prepend=0).sum(axis=0)  # over all people, for each release


def normal_information(per_state):
    """Mutual information of step and histogram, normal approximation, added over all people."""
    one = [np.diag(row[:2]) - np.outer(row[:2], row[:2]) for row in P]  # for each origin
    together = per_state * sum(one)
    rest = [np.linalg.slogdet(together - covariance)[1] for covariance in one]
    return per_state * sum(np.linalg.slogdet(together)[1] - known for known in rest) / 2


seen = [[2, 0, 1], [1, 1, 1], [0, 2, 1]]
possible = [(0, 0, 1), (0, 0, 2), (0, 1, 1), (0, 1, 2), (0, 2, 1), (0, 2, 2)]
products = []
for i, j, k in possible:
    first_step = step_gain((2, 0, 1), (1, 1, 1))[i, j]
    second_step = step_gain((1, 1, 1), (0, 2, 1))[j, k]
    products.append(float(first_step * second_step))
with claim("M-B8") as c:
    label = f"one matrix, three people, two releases: all {len(named)} gains by name"
    c.decisive("sampled").exact(named, multiplied, label)
    computed = path_gain(possible, seen, transition=P)[:, -1]
    c.close(computed, np.log(products), "path_gain gives their logarithms", rtol=1e-9)
    label = "3 million people, normal approximation: (L - 1)/2 a release, over all people"
    c.close(normal_information(10**6), (3 - 1) / 2, label, rtol=1e-5)
    label = "200 releases, 120 people: growth (L - 1)/2 a release, over all people"
    stderr = told.std(ddof=1) / np.sqrt(minutes)
    c.sampled(told.mean(), (3 - 1) / 2, label, stderr=stderr)
