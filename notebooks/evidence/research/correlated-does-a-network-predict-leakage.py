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
# # Evidence: Does a network predict real leakage?
#
# The paper compares its model with no data. So all six claims here are beyond it, and the ledger names their sources. Nothing is hidden. The story is told in [the research note of the same name](../../research/correlated-does-a-network-predict-leakage.ipynb).

# %%
from functools import cache
from itertools import combinations
from typing import NamedTuple

import networkx as nx
import numpy as np
import sympy as sp
from scipy import stats
from scipy.special import expit, logit

from privlib.correlated import gaussian
from privlib.correlated.gaussian import GaussianModel
from privlib.notebook import claim, datasets

SIX = [3980, 698, 414, 686, 348, 0]  # networks, the smallest first
FOUR = [3437, 1912, 1684, 107]  # larger networks
TAUS = (0.01, 0.1, 1, 10, 100, 1000)

# %% [markdown]
# ## Y-B40 (the mean alone)
#
# *Let an attacker model $n$ people as independent with an unknown common mean, and know $h$ of them. Then $1 + \ell_i = n/(h + 1)$ for the count of all others. This is also what is achieved, added up over all choices of the $h$ people, whatever the values are.*
#
# The predicted number is a derivative: a value $x$ of one person moves the estimated mean of $h + 1$ values, and with it the expected values of the other $m - 1$ unknown people. The achieved number follows from the mean square of the sum of a random sample.

# %%
x, h, m, known_sum, V = sp.symbols("x h m T_K V", positive=True)
n = h + m
expected_count = x + (m - 1) * (known_sum + x) / (h + 1)

square_of_sum = m * h * V / (n * (n - 1))  # of m values without replacement; all n have sum 0
count_surprises = (n / h) ** 2 * square_of_sum
squared_surprises = m * V / n + (2 / h + m / h**2) * square_of_sum


# %% [markdown]
# The second route uses neither formula. It goes through all choices for up to six people with free symbols as values, and asks the package for the leakage of a star whose centre is the mean.

# %%
def over_all_choices(people, known_size):
    """Sums over all choices: squared surprises about the count, and about each person."""
    values = sp.symbols(f"x:{people}")
    of_count = of_people = 0
    for known in combinations(range(people), known_size):
        mean = sum(values[j] for j in known) / sp.Integer(known_size)
        surprises = [values[i] - mean for i in range(people) if i not in known]
        of_count += sum(surprises) ** 2
        of_people += sum(e**2 for e in surprises)
    return sp.expand(of_count), sp.expand(of_people)


achieved, predicted, by_star, by_formula = [], [], [], []
for people in range(2, 7):
    star = sp.Matrix(nx.laplacian_matrix(nx.star_graph(people)).toarray().astype(int))
    model = GaussianModel(precision=star, weights=[0] + [1] * people, width=1)
    for known_size in range(1, people):
        of_count, of_people = over_all_choices(people, known_size)
        achieved.append(sp.expand((known_size + 1) * of_count))
        predicted.append(sp.expand(people * of_people))
        by_star.append(1 + model.leakage_coefficient(people, range(1, known_size + 1)))
        by_formula.append(sp.Rational(people, known_size + 1))

with claim("Y-B40") as c:
    label = "predicted: slope of the expected count"
    c.decisive("proved").exact(sp.simplify(sp.diff(expected_count, x)), n / (h + 1), label)
    label = "achieved: ratio of the two mean squares"
    ratio = sp.simplify(count_surprises / squared_surprises)
    c.decisive("proved").exact(ratio, n / (h + 1), label)
    c.exact(achieved, predicted, "all choices, symbols as values, up to six people")
    c.exact(by_star, by_formula, "the package's model of a star, up to six people")

# %% [markdown]
# ## The measurement
#
# The note works with covariance matrices. Here everything is computed from precision matrices, in which the unknown mean is one more vertex: the last one, without a prior of its own. Then the rows of the matrix sum to 0, and all formulas are those of a conditional normal distribution.

# %%
kind_numbers = {}


@cache
def published(ego):
    return datasets.facebook_ego(ego)


def load_network(ego, only_kind=None):
    """Friendships, features that 10 to 90 % have, their kinds; those who filled in one kind."""
    graph, names, x = published(ego)
    friends = nx.to_numpy_array(graph)
    np.fill_diagonal(friends, 0)
    kinds = np.array([name.partition(";anonymized")[0] for name in names])
    if only_kind is not None:
        of_kind = kinds == only_kind
        filled_in = x[:, of_kind].any(axis=1)
        friends, x = friends[np.ix_(filled_in, filled_in)], x[np.ix_(filled_in, of_kind)]
        kinds = kinds[of_kind]
    share = x.sum(axis=0) / max(len(x), 1)
    common = (share >= 0.1) & (share <= 0.9)
    numbers = [kind_numbers.setdefault(str(kind), len(kind_numbers)) for kind in kinds[common]]
    return friends, x[:, common].astype(float), np.array(numbers, dtype=int)


def random_halves(people, count, rng):
    splits = []
    for _ in range(count):
        order = rng.permutation(people)
        splits.append((order[: people // 2], order[people // 2 :]))
    return splits


class Model(NamedTuple):
    precision: np.ndarray  # of the people, and of the mean as the last vertex
    log_determinant: float  # of the people's part


def model_of(friends, tau, *, equal_variances=False):
    """The paper's model, L + tau I, or the same correlations with equal variances."""
    P = np.diag(friends.sum(axis=1) + tau) - friends
    if equal_variances:
        deviations = np.sqrt(np.linalg.inv(P).diagonal())
        P = P * np.outer(deviations, deviations)
    to_mean = P.sum(axis=1)
    with_mean = np.block([[P, -to_mean[:, None]], [-to_mean, to_mean.sum()]])
    return Model(with_mean, np.linalg.slogdet(P)[1])


def all_taus(friends, *, equal_variances=False):
    return [model_of(friends, tau, equal_variances=equal_variances) for tau in TAUS]


# %% [markdown]
# `condition` gives the weights of the forecast, the covariance of the unknown people, and the likelihood of the known values. The likelihood is that of a normal density with a singular precision matrix: the Schur complement $Q$ of the known people, whose rows sum to 0. By the determinant of a Schur complement, its normalising constant is $\det P / \det P_{\mathcal{U}\mathcal{U}}$, with the mean left out of $P$ and included in $\mathcal{U}$.

# %%
class Conditioned(NamedTuple):
    weights: np.ndarray  # of the known values in the forecasts
    covariance: np.ndarray  # of the unknown people, up to the scale
    log_likelihood: np.ndarray  # of each feature, at its best scale
    scale: np.ndarray  # of each feature


def condition(model, known, unknown, x_known):
    """What the known half says about the unknown one."""
    P = model.precision
    free = [*unknown, len(P) - 1]  # with the mean
    covariance = np.linalg.inv(P[np.ix_(free, free)])
    weights = -covariance @ P[np.ix_(free, known)]
    Q = P[np.ix_(known, known)] + P[np.ix_(known, free)] @ weights
    degrees = len(known) - 1
    scale = (x_known * (Q @ x_known)).sum(axis=0).clip(1e-12) / degrees
    constant = model.log_determinant + np.linalg.slogdet(covariance)[1]
    log_likelihood = (constant - degrees * np.log(scale)) / 2
    return Conditioned(weights[:-1], covariance[:-1, :-1], log_likelihood, scale)


def best_fits(conditioned, x_known, grid):
    """For each model of the grid that fits some features best: its number, these features."""
    varied = x_known.std(axis=0) > 0
    likelihoods = np.array([conditioned[k].log_likelihood for k in grid])
    best = np.array(grid)[likelihoods.argmax(axis=0)]
    fits = []
    for k in grid:
        features = np.flatnonzero(varied & (best == k))
        if len(features):
            fits.append((k, features))
    return fits


def measure(network, models, split, grids):
    """For each grid of models: kind, model, predicted amplification, squares, products."""
    friends, x, kinds = network
    known, unknown = split
    circles = friends[np.ix_(unknown, unknown)] + np.eye(len(unknown))
    conditioned = [condition(model, known, unknown, x[known]) for model in models]
    result = {}
    for name, grid in grids.items():
        parts = []
        for k, features in best_fits(conditioned, x[known], grid):
            S = conditioned[k].covariance
            surprises = x[np.ix_(unknown, features)]
            surprises = surprises - conditioned[k].weights @ x[np.ix_(known, features)]
            surprises = surprises / np.sqrt((surprises**2).mean(axis=0))
            amplification = (circles * S).sum(axis=1) / S.diagonal()
            products = surprises * (circles @ surprises)
            rows = kinds[features], k, amplification[:, None], surprises**2, products
            parts.append([row.ravel() for row in np.broadcast_arrays(*rows)])
        result[name] = np.hstack(parts)
    return result


# %% [markdown]
# All ratios below have error bars with the kinds of features as independent observations.

# %%
class Estimate(NamedTuple):
    value: float
    error: float
    low: float
    high: float


def ratio_of_sums(top, bottom, kind):
    """Ratio of two sums with its standard error and 95 % interval by Student's distribution."""
    _, kind = np.unique(kind, return_inverse=True)
    tops, bottoms = np.bincount(kind, top), np.bincount(kind, bottom)
    value, count = tops.sum() / bottoms.sum(), len(tops)
    residuals = tops - value * bottoms
    error = np.sqrt(count / (count - 1) * (residuals**2).sum()) / abs(bottoms.sum())
    reach = stats.t.ppf(0.975, count - 1) * error
    return Estimate(value, error, value - reach, value + reach)


def surplus_ratio(parts):
    """Achieved over predicted surplus of the count among friends."""
    kind, _, predicted, squares, products = np.hstack(parts)
    return ratio_of_sums(products - squares, squares * (predicted - 1), kind.astype(int))


# %% [markdown]
# ## Y-B41 (simulated profiles)
#
# *For draws from the paper's model with $\tau = 1$, from this model with $\tau$ fitted, and from equal variances with $\tau$ fitted, the surplus comes out about as predicted: pooled over six networks, the interval of achieved over predicted surplus lies between 1/2 and 2.* Each split has a new draw. With τ = 1 nothing is fitted, so the ratio is 1 up to chance. A fit comes from half of the people and is then used as if it were known; with equal variances the interval excludes 1, which is a limit.

# %%
rng = np.random.default_rng(2)
networks = {ego: load_network(ego) for ego in SIX}
splits = {ego: random_halves(len(networks[ego][0]), 12, rng) for ego in SIX}
ONE, SHORT, LONG = [2], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5]  # tau = 1; up to 10; up to 1,000
MADE = {"fixed": (False, TAUS[2:3]), "fitted": (False, TAUS), "equal": (True, TAUS)}


def simulate(models, x, rng):
    """Draw each feature from the model that fits it best."""
    everybody = np.arange(len(x))
    conditioned = [condition(model, everybody, [], x) for model in models]
    noise, drawn = rng.standard_normal(x.shape), np.zeros(x.shape)
    for k, features in best_fits(conditioned, x, range(len(models))):
        root = np.linalg.cholesky(models[k].precision[:-1, :-1])
        drawn[:, features] = np.linalg.solve(root.T, noise[:, features])
    return drawn


simulated = {name: [] for name in MADE}
for ego in SIX:
    friends, x, kinds = networks[ego]
    for name, (equal_variances, taus) in MADE.items():
        models = [model_of(friends, tau, equal_variances=equal_variances) for tau in taus]
        for split in splits[ego]:
            drawn = friends, simulate(models, x, rng), kinds
            part = measure(drawn, models, split, {"all": range(len(models))})["all"]
            simulated[name].append(part)

# %% [markdown]
# The amplifications of one split are compared with two other routes: the covariance matrices of the note, and `GaussianModel` with the mean as a vertex that is not counted.

# %%
friends, x, kinds = networks[3980]
known, unknown = splits[3980][0]
circles = friends[np.ix_(unknown, unknown)] + np.eye(len(unknown))
by_precision, by_covariance, by_package = [], [], []
for equal_variances in (False, True):
    model = model_of(friends, 1, equal_variances=equal_variances)
    P = model.precision
    S = condition(model, known, unknown, x[known]).covariance
    by_precision.append((circles * S).sum(axis=1) / S.diagonal())

    V = np.linalg.inv(P[:-1, :-1])
    Q = np.linalg.inv(V[np.ix_(known, known)])
    B = V[np.ix_(unknown, known)] @ Q
    gamma = 1 - B.sum(axis=1)
    S = V[np.ix_(unknown, unknown)] - B @ V[np.ix_(known, unknown)]
    S = S + np.outer(gamma, gamma) / Q.sum()
    by_covariance.append((circles * S).sum(axis=1) / S.diagonal())

    amplifications = []
    for i in map(int, unknown):
        counted = np.append(friends[i], 0)  # a weight for i does not change the coefficient
        package = GaussianModel(precision=P, weights=counted, width=1)
        amplifications.append(1 + package.leakage_coefficient(i, known.tolist()))
    by_package.append(amplifications)

with claim("Y-B41") as c:
    made = [surplus_ratio(simulated[name]) for name in MADE]
    fixed, _, equal = made
    label = "τ = 1, no fit: achieved over predicted surplus, 1"
    c.decisive("simulated").sampled(fixed.value, 1.0, label, stderr=fixed.error)
    label = "1/2, lower ends of the three intervals"
    c.decisive("simulated").at_most([0.5] * 3, [e.low for e in made], label)
    label = "upper ends of the three intervals, 2"
    c.decisive("simulated").at_most([e.high for e in made], [2] * 3, label)
    label = "equal variances, τ fitted: 1 is outside the interval of achieved over predicted surplus"
    c.limit(1.0, float(equal.value), label, atol=float(equal.high - equal.value))
    c.close(by_precision, by_covariance, "amplifications by covariance matrices", rtol=1e-8)
    c.close(by_precision, by_package, "amplifications by the package", rtol=1e-6)

# %% [markdown]
# ## Y-B42 (the paper's model on real profiles)
#
# *Pooled over six networks, and over four larger ones, the model with $\tau = 1$ predicts the surplus within a factor of 2. With $\tau$ fitted by likelihood it predicts too little, by a factor that depends on where the grid of $\tau$ ends.*

# %%
late = np.random.default_rng(6)
for ego in FOUR:
    networks[ego] = load_network(ego)
    splits[ego] = random_halves(len(networks[ego][0]), 6, late)
GRIDS = {"fixed": ONE, "short": SHORT, "long": LONG}

entries = {}
for ego in SIX + FOUR:
    who = "six" if ego in SIX else "four"
    friends, x, kinds = networks[ego]
    plain, equal = all_taus(friends), all_taus(friends, equal_variances=True)
    for split in splits[ego]:
        for name, part in measure(networks[ego], plain, split, GRIDS).items():
            entries.setdefault((name, who), []).append(part)
        part = measure(networks[ego], equal, split, {"long": LONG})["long"]
        entries.setdefault(("equal", who), []).append(part)
        shuffled = friends, rng.permuted(x, axis=0), kinds  # each column
        part = measure(shuffled, plain[2:3], split, {"fixed": [0]})["fixed"]
        entries.setdefault(("shuffled", who), []).append(part)
estimates = {key: surplus_ratio(parts) for key, parts in entries.items()}
for key, estimate in estimates.items():
    print(*key, f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})")

# %% [markdown]
# The variances explain the fit. For each network, we divide the mean variance of the third of the people with the fewest friends by that of the third with the most.

# %%
in_model, in_profiles = [], []
for ego in SIX:
    friends, x, _ = networks[ego]
    order = np.argsort(friends.sum(axis=1), kind="stable")
    few, many = order[: len(x) // 3], order[-(len(x) // 3) :]
    variances = np.linalg.inv(model_of(friends, 1).precision[:-1, :-1]).diagonal()
    in_model.append(variances[few].mean() / variances[many].mean())
    squares = ((x - x.mean(axis=0)) ** 2).mean(axis=1)
    in_profiles.append(squares[few].mean() / squares[many].mean())


def share_at_end(name, who):
    """Share of the fits, one for each split and feature, that end at the last value."""
    at_end = fits = 0
    all_splits = [split for ego in (SIX if who == "six" else FOUR) for split in splits[ego]]
    for part, (_, unknown) in zip(entries[name, who], all_splits, strict=True):
        # each fit has one entry for each unknown person
        at_end += (part[1] == LONG[-1]).sum() / len(unknown)
        fits += part.shape[1] / len(unknown)
    return float(at_end / fits)


with claim("Y-B42") as c:
    fixed = [estimates["fixed", who] for who in ("six", "four")]
    label = "τ = 1: 1/2, lower ends on six networks and on four"
    c.decisive("sampled").at_most([0.5] * 2, [e.low for e in fixed], label)
    label = "τ = 1: upper ends on six networks and on four, 2"
    c.decisive("sampled").at_most([e.high for e in fixed], [2] * 2, label)
    label = "τ = 1: upper ends for shuffled profiles, lower ends for real ones"
    shuffled = [estimates["shuffled", who].high for who in ("six", "four")]
    c.decisive("sampled").at_most(shuffled, [e.low for e in fixed], label)
    label = "τ fitted: 1, lower ends on six networks and on four, both grids"
    fitted = [estimates[grid, who].low for grid in ("short", "long") for who in ("six", "four")]
    c.decisive("sampled").at_most([1] * 4, fitted, label)
    label = "τ fitted: twice the ratio on the grid up to 10, the ratio up to 1,000"
    short = [2 * estimates["short", who].value for who in ("six", "four")]
    long = [estimates["long", who].value for who in ("six", "four")]
    c.decisive("sampled").at_most(short, long, label)
    label = "1/2, share of the fits at the end of the grid"
    c.at_most([0.5] * 2, [share_at_end("long", who) for who in ("six", "four")], label)
    label = "ratio of the variances: 4, the model at τ = 1"
    c.at_most([4] * 6, in_model, label)
    c.at_most(in_profiles, [1.25] * 6, "ratio of the variances: the profiles, 1.25")


# %% [markdown]
# ## Y-B43 (equal variances)
#
# *With equal variances, and no further parameter, half as many fits or fewer end at the last $\tau$ of the grid. The fitted model predicts the surplus, pooled over the six networks, within a factor of 2.*

# %%
def likelihood_gain(equal_variances):
    """Gain in log likelihood over independent people, all features of the six networks."""
    gain = 0
    for ego in SIX:
        friends, x, _ = networks[ego]
        everybody = np.arange(len(x))
        alone = condition(model_of(0 * friends, 1), everybody, [], x).log_likelihood
        likelihoods = []
        for model in all_taus(friends, equal_variances=equal_variances):
            likelihoods.append(condition(model, everybody, [], x).log_likelihood)
        gain += (np.max(likelihoods, axis=0) - alone).sum()
    return gain


with claim("Y-B43") as c:
    label = "1/2, lower end on six networks"
    c.decisive("sampled").at_most(0.5, estimates["equal", "six"].low, label)
    label = "upper end on six networks, 2"
    c.decisive("sampled").at_most(estimates["equal", "six"].high, 2, label)
    label = "twice the share of fits at the end, equal variances; the paper's model"
    at_end = [2 * share_at_end("equal", who) for who in ("six", "four")]
    in_paper = [share_at_end("long", who) for who in ("six", "four")]
    c.decisive("sampled").at_most(at_end, in_paper, label)
    label = "gain in log likelihood: twice the paper's model, equal variances"
    c.at_most(2 * likelihood_gain(False), likelihood_gain(True), label)

# %% [markdown]
# ## Y-B44 (changes of the odds)
#
# *Noisy counts among friends at $\varepsilon = 1$, pooled over the six networks: a model of independent people and the paper's model with fitted $\tau$ understate the change of the odds; $\tau = 1$ without a fit, and equal variances with fitted $\tau$, predict it within a third (between 3/4 and 4/3).* Given $x_i$, the count is normal in the model, and its mean moves by $1 + \ell_i$ with $x_i$. The output is the count plus Laplace noise. `log_ratio` gives the change of the log odds.

# %%
EPSILON = 1.0


def odds_changes(network, models, split, noise, grid):
    """For each release: kind, predicted change of the log odds, belief before it, truth."""
    friends, x, kinds = network
    known, unknown = split
    circles = friends[np.ix_(unknown, unknown)] + np.eye(len(unknown))
    conditioned = [condition(model, known, unknown, x[known]) for model in models]
    parts = []
    for k, features in best_fits(conditioned, x[known], grid):
        S = conditioned[k].covariance
        amplification = (circles * S).sum(axis=1) / S.diagonal()
        count_variance = ((circles @ S) * circles).sum(axis=1)
        rest = (count_variance - amplification**2 * S.diagonal()).clip(0)  # given x_i
        truth = x[np.ix_(unknown, features)]
        expected = conditioned[k].weights @ x[np.ix_(known, features)]
        output = circles @ (truth - expected) + noise[:, unknown][:, :, features]
        belief = expected.clip(0.02, 0.98)
        change = np.empty(output.shape)
        for i, a in enumerate(amplification):
            for f, scale in enumerate(conditioned[k].scale[features]):
                change[:, i, f] = gaussian.log_ratio(
                    output[:, i, f] - a * (1 - belief[i, f]),  # distance from the mean if x_i = 1
                    -a,
                    scale=1 / EPSILON,
                    sigma=np.sqrt(rest[i] * scale),
                )
        rows = np.broadcast_arrays(kinds[features], change, belief, truth)
        parts.append([row.ravel() for row in rows])
    return np.hstack(parts)


def odds_factor(parts):
    """Factor of the predicted change in a logistic regression, by Newton's method."""
    kind, change, belief, truth = np.hstack(parts)
    factor = 1.0
    for _ in range(12):
        p = expit(logit(belief) + factor * change)
        score, weight = change * (truth - p), change**2 * p * (1 - p)
        factor += score.sum() / weight.sum()
    step = ratio_of_sums(score, weight, kind.astype(int))
    return Estimate(factor, step.error, factor + step.low, factor + step.high)


def likeliest_factor(parts, grid):
    """The factor of largest likelihood among some, without derivatives."""
    _, change, belief, truth = np.hstack(parts)
    prior, sign = logit(belief), 2 * truth - 1
    return max(grid, key=lambda factor: np.log(expit(sign * (prior + factor * change))).sum())


# %%
rng = np.random.default_rng(3)
changes = {"independent": [], "fixed": [], "fitted": [], "equal": []}
for ego in SIX:
    friends, x, _ = networks[ego]
    (split,) = random_halves(len(x), 1, rng)
    noise = rng.laplace(0, 1 / EPSILON, (4, *x.shape))  # four releases
    models = {
        "independent": ([model_of(0 * friends, 1)], [0]),
        "fixed": ([model_of(friends, 1)], [0]),
        "fitted": (all_taus(friends), LONG),
        "equal": (all_taus(friends, equal_variances=True), LONG),
    }
    for name, (fitted, grid) in models.items():
        changes[name].append(odds_changes(networks[ego], fitted, split, noise, grid))

factors = {name: odds_factor(parts) for name, parts in changes.items()}
for name, estimate in factors.items():
    print(name, f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})")
with claim("Y-B44") as c:
    label = "1, lower ends: independent people, and τ fitted"
    low = [factors[name].low for name in ("independent", "fitted")]
    c.decisive("sampled").at_most([1, 1], low, label)
    right = [factors[name] for name in ("fixed", "equal")]
    label = "3/4, lower ends: τ = 1, and equal variances"
    c.decisive("sampled").at_most([3 / 4] * 2, [e.low for e in right], label)
    label = "upper ends, 4/3: τ = 1, and equal variances"
    c.decisive("sampled").at_most([e.high for e in right], [4 / 3] * 2, label)
    grid = np.linspace(0.6, 1.6, 201)
    label = "the factors, by trying 201 of them"
    tried = [likeliest_factor(parts, grid) for parts in changes.values()]
    c.close(tried, [e.value for e in factors.values()], label, rtol=0, atol=0.005)

# %% [markdown]
# ## Y-B45 (people who filled in the field)
#
# *Among people who filled in the kind of feature, pooled over the six networks, the model with $\tau = 1$ predicts the surplus within a factor of 2; both fitted models understate it.* For each kind, only the people with an entry of this kind remain, and the friendships among them, if they are at least forty.

# %%
names_of_kinds = {number: name for name, number in kind_numbers.items()}
kinds_of_six = set()
for ego in SIX:
    kinds_of_six.update(names_of_kinds[number] for number in networks[ego][2])

rng = np.random.default_rng(5)
answered = {"fixed": [], "fitted": [], "equal": []}
for ego in SIX:
    for kind in sorted(kinds_of_six):
        network = load_network(ego, only_kind=kind)
        friends, x, kinds = network
        if len(x) < 40 or not len(kinds):
            continue
        plain, equal = all_taus(friends), all_taus(friends, equal_variances=True)
        for split in random_halves(len(x), 12, rng):
            parts = measure(network, plain, split, {"fixed": ONE, "fitted": LONG})
            parts["equal"] = measure(network, equal, split, {"long": LONG})["long"]
            for name, part in parts.items():
                answered[name].append(part)

ratios = {name: surplus_ratio(parts) for name, parts in answered.items()}
for name, estimate in ratios.items():
    print(name, f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})")
with claim("Y-B45") as c:
    label = "τ = 1: 1/2, lower end of the interval"
    c.decisive("sampled").at_most(0.5, ratios["fixed"].low, label)
    label = "τ = 1: upper end of the interval, 2"
    c.decisive("sampled").at_most(ratios["fixed"].high, 2, label)
    label = "τ fitted: 1, lower ends; the paper's model, and equal variances"
    low = [ratios[name].low for name in ("fitted", "equal")]
    c.decisive("sampled").at_most([1, 1], low, label)
